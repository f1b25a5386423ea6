/* Start a program without a C library: vectors, memory, the few functions of the C library that pytree calls, and semihosting,
 * by which QEMU lets it print and exit. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern uint32_t data_begin[], data_end[], data_source[], bss_begin[], bss_end[], stack_top[];
int main(void);
void reset(void);
void semihosting_print(const char *text);

static int semihosting(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void semihosting_print(const char *text) { semihosting(0x04, text); }

static void leave(int status)
{
    const uint32_t exited[2] = { 0x20026, (uint32_t)status };
    for (;;) { semihosting(0x20, exited); }
}

void reset(void)
{
    uint32_t *to;
    const uint32_t *from = data_source;
    for (to = data_begin; to != data_end; to++) { *to = *from++; }
    for (to = bss_begin; to != bss_end; to++) { *to = 0; }
    leave(main());
}

static void fault(void)
{
    semihosting_print("fault\n");
    leave(99);
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
    (uintptr_t)stack_top, (uintptr_t)reset,
    (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault, (uintptr_t)fault
};

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

/* Blocks lie one behind another, each behind its size. What is freed is not used again, but for the last one. */
static _Alignas(8) unsigned char heap[16384];
static size_t used;

void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
void free(void *p);

void *malloc(size_t n)
{
    const size_t whole = (n + 8 + 7) & ~(size_t)7;
    unsigned char *p = heap + used;
    if (n > sizeof heap || whole > sizeof heap - used) { return NULL; }
    memcpy(p, &whole, sizeof whole);
    used += whole;
    return p + 8;
}

void *calloc(size_t n, size_t size)
{
    void *p = size != 0 && n > SIZE_MAX / size ? NULL : malloc(n * size);
    return p == NULL ? NULL : memset(p, 0, n * size);
}

void free(void *p)
{
    size_t whole;
    if (p == NULL) { return; }
    memcpy(&whole, (unsigned char *)p - 8, sizeof whole);
    if ((unsigned char *)p - 8 + whole == heap + used) { used -= whole; }
}

void *realloc(void *p, size_t n)
{
    size_t old = 0;
    void *moved = malloc(n);
    if (p != NULL && moved != NULL) {
        memcpy(&old, (unsigned char *)p - 8, sizeof old);
        memcpy(moved, p, old - 8 < n ? old - 8 : n);
        free(p);
    }
    return moved;
}

/* ---- Strings: short, where newlib's are fast ----------------------------------------------------------------------------- */

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    while (n-- != 0) { *t++ = *f++; }
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t < f) { return memcpy(to, from, n); }
    while (n-- != 0) { t[n] = f[n]; }
    return to;
}

void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    while (n-- != 0) { *t++ = (unsigned char)value; }
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (; n != 0; n--, x++, y++) {
        if (*x != *y) { return *x - *y; }
    }
    return 0;
}

void *memchr(const void *s, int value, size_t n)
{
    const unsigned char *at = s;
    for (; n != 0; n--, at++) {
        if (*at == (unsigned char)value) { return (void *)(uintptr_t)at; }
    }
    return NULL;
}

size_t strlen(const char *s)
{
    const char *end = s;
    while (*end != '\0') { end++; }
    return (size_t)(end - s);
}

int strcmp(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) { a++; b++; }
    return (unsigned char)*a - (unsigned char)*b;
}
