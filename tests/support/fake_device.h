/* tests/support/fake_device.h: a device without one. Its memory is pages that the program may not touch; `copy` and `zero` open
 * them for as long as they work, so that any other access ends the program. Include it before all other headers. */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#if !defined(_WIN32)
#define _DEFAULT_SOURCE                   /* MAP_ANONYMOUS */
#include <sys/mman.h>
#else
#include <windows.h>
#endif
#include "support.h"

enum { FAKE_BLOCKS = 8, FAKE_PAGE = 65536 };                   /* no page is larger */

typedef struct FakeDevice {
    struct { char *at; size_t bytes; } blocks[FAKE_BLOCKS];
    size_t calls, fail_at;                /* this call fails; SIZE_MAX: none */
    size_t copies;
} FakeDevice;

static inline void fake_open(char *at, size_t bytes, bool open)
{
#if !defined(_WIN32)
    assert_int_equal(mprotect(at, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE), 0);
#else
    DWORD before;
    assert_int_not_equal(VirtualProtect(at, bytes, open ? PAGE_READWRITE : PAGE_NOACCESS, &before), 0);
#endif
}

/* The block in which p lies; FAKE_BLOCKS: none. */
static inline size_t fake_block(const FakeDevice *d, const void *p)
{
    size_t i;
    for (i = 0; i < FAKE_BLOCKS; i++) {
        if (d->blocks[i].at != NULL && (uintptr_t)p - (uintptr_t)d->blocks[i].at < d->blocks[i].bytes) {
            break;
        }
    }
    return i;
}

static inline bool fake_has(const FakeDevice *d, const void *p) { return fake_block(d, p) != FAKE_BLOCKS; }

static inline size_t fake_live(const FakeDevice *d)
{
    size_t n = 0, i;
    for (i = 0; i < FAKE_BLOCKS; i++) {
        n += d->blocks[i].at != NULL;
    }
    return n;
}

static inline void fake_door(FakeDevice *d, const void *p, bool open)
{
    const size_t i = fake_block(d, p);
    if (i != FAKE_BLOCKS) {
        fake_open(d->blocks[i].at, d->blocks[i].bytes, open);
    }
}

static inline void *fake_allocate(void *context, size_t bytes, size_t alignment)
{
    FakeDevice *d = context;
    const size_t all = (bytes + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
    size_t i = 0;
    assert_in_range(alignment, 16, 4096);
    if (d->calls++ == d->fail_at) {
        return NULL;
    }
    while (d->blocks[i].at != NULL) {
        i++;
        assert_in_range(i, 0, FAKE_BLOCKS - 1);
    }
#if !defined(_WIN32)
    d->blocks[i].at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(d->blocks[i].at, MAP_FAILED);
#else
    d->blocks[i].at = VirtualAlloc(NULL, all, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    assert_non_null(d->blocks[i].at);
#endif
    d->blocks[i].bytes = all;
    memset(d->blocks[i].at, 0xCD, all);                        /* a device's memory is not zero */
    fake_open(d->blocks[i].at, all, false);
    return d->blocks[i].at;
}

static inline void fake_release(void *context, void *p, size_t bytes)
{
    FakeDevice *d = context;
    const size_t i = fake_block(d, p);
    assert_int_not_equal(i, FAKE_BLOCKS);
    assert_ptr_equal(d->blocks[i].at, p);
    assert_int_equal(d->blocks[i].bytes, (bytes + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE);
#if !defined(_WIN32)
    assert_int_equal(munmap(p, d->blocks[i].bytes), 0);
#else
    assert_int_not_equal(VirtualFree(p, 0, MEM_RELEASE), 0);
#endif
    d->blocks[i].at = NULL;
}

static inline bool fake_copy(void *context, void *to, const void *from, size_t bytes)
{
    FakeDevice *d = context;
    if (d->calls++ == d->fail_at) {
        return false;
    }
    d->copies++;
    fake_door(d, to, true);
    fake_door(d, from, true);
    memmove(to, from, bytes);
    fake_door(d, to, false);
    fake_door(d, from, false);
    return true;
}

static inline bool fake_zero(void *context, void *to, size_t bytes)
{
    FakeDevice *d = context;
    if (d->calls++ == d->fail_at) {
        return false;
    }
    fake_door(d, to, true);
    memset(to, 0, bytes);
    fake_door(d, to, false);
    return true;
}

static inline pytree_device fake_memory(FakeDevice *d)
{
    const pytree_device memory = { fake_allocate, fake_release, fake_copy, fake_zero, d };
    memset(d, 0, sizeof *d);
    d->fail_at = SIZE_MAX;
    return memory;
}

/* The same device for trees that are to lie on the host. */
static inline pytree_device fake_download(FakeDevice *d)
{
    const pytree_device memory = { NULL, NULL, fake_copy, NULL, d };
    return memory;
}
#endif
