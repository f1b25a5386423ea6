/* pytree/impl/memory.h: checked sizes, the allocator, growable arrays. */
#ifndef PYTREE_IMPL_MEMORY_H
#define PYTREE_IMPL_MEMORY_H

#include "internal.h"

PYTREE__APART void *pytree__resize(const pytree_allocator *a, void *p, size_t old_size, size_t new_size)
{
    void *grown = NULL;
    int before;
    if (new_size == SIZE_MAX) { return NULL; }                 /* a size that overflowed */
    if (a != NULL) { return a->resize(a->context, p, old_size, new_size); }
    before = PYTREE__GET_ERRNO();
    if (new_size == 0) { free(p); } else { grown = realloc(p, new_size); }
    PYTREE__SET_ERRNO(before);
    return grown;
}

static const pytree_allocator *pytree__allocator(const pytree_options *opt) { return opt == NULL ? NULL : opt->allocator; }

static PYTREE__APART pytree_status pytree__no_memory(pytree_error *err, size_t bytes)
{
    return pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected %zu bytes of memory, got none", bytes);
}

/* Clear what a call begins with. gcc must not see how large it is: in place of the call it would write a rep stos, which takes
 * x86 up to fifty cycles for as many words. */
#if PYTREE__FOR_SPEED && __GNUC__ >= 8
__attribute__((noipa))
#endif
static void pytree__clear(void *p, size_t bytes) { memset(p, 0, bytes); }

/* Checked sizes: a * b, a + b, n rounded up to a multiple, of a power of two without a division. SIZE_MAX on overflow, which
 * pytree__resize refuses. */
static size_t pytree__times(size_t a, size_t b) { return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

static size_t pytree__plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static size_t pytree__round(size_t n, size_t to) { return n > SIZE_MAX - to ? SIZE_MAX : (n + to - 1) / to * to; }
static size_t pytree__align(size_t n, size_t to) { return n > SIZE_MAX - to ? SIZE_MAX : (n + to - 1) & ~(to - 1); }

/* Find out how new arrays are aligned: as the options ask for, and to 16 at least, which is enough for every number. Fails if
 * they ask for no power of two. */
static pytree_status pytree__new_alignment(const pytree_options *opt, size_t *align, pytree_error *err)
{
    *align = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment;
    if ((*align & (*align - 1)) != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", *align);
    }
    if (*align < 16) { *align = 16; }
    return PYTREE_OK;
}

/* Files are little-endian on every machine. */
static inline bool pytree__little_endian(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

/* Reverse the bytes of each of n words. */
void pytree__swap(void *words, size_t size, size_t n)
{
    unsigned char *p = (unsigned char *)words;
    size_t i;
    for (; n != 0; n--, p += size) {
        for (i = 0; i < size / 2; i++) {
            const unsigned char b = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = b;
        }
    }
}

static inline uint64_t pytree__number_at(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0) { v = v << 8 | p[n]; }
    return v;
}

/* Returns the bytes of an array, at least 1; SIZE_MAX where a ptrdiff_t could not count its elements. */
static size_t pytree__array_bytes(size_t n, size_t size)
{
    const size_t bytes = pytree__times(n, size);
    return bytes > SIZE_MAX / 2 ? SIZE_MAX : bytes == 0 ? 1 : bytes;
}

PYTREE__APART_CLANG void *pytree__array_new(size_t n, size_t size, const pytree_allocator *a, pytree_error *err)
{
    const size_t bytes = pytree__array_bytes(n, size);
    void *p = pytree__resize(a, NULL, 0, bytes);
    if (p == NULL) { (void)pytree__no_memory(err, bytes); }
    return p;
}

PYTREE__APART void pytree__array_free(void *p, size_t n, size_t size, const pytree_allocator *a)
{
    if (p != NULL) { (void)pytree__resize(a, p, pytree__array_bytes(n, size), 0); }
}

/* Arrays double up to 1 MB; larger ones grow by half, so that less lies idle. */
#if defined(PYTREE_SMALL)
#define PYTREE__GROWTH(capacity, size) ((capacity) / 2)
#else
#define PYTREE__GROWTH(capacity, size) ((capacity) / ((capacity) * (size) < (size_t)1 << 20 ? 1 : 2))
#endif

PYTREE__APART_CLANG void *pytree__stack_grow(void *stack, const void *own, size_t *capacity, size_t need, size_t size,
                                             const pytree_allocator *a, pytree_error *err)
{
    const bool is_own = stack == own;
    size_t n = pytree__plus(*capacity, PYTREE__GROWTH(*capacity, size) + 16), bytes;
    void *grown;
    if (need <= *capacity && stack != NULL) { return stack; }
    if (n < need) { n = need; }
    bytes = pytree__array_bytes(n, size);
    grown = pytree__resize(a, is_own ? NULL : stack, is_own ? 0 : *capacity * size, bytes);
    if (grown == NULL) { (void)pytree__no_memory(err, bytes); return NULL; }
    if (is_own && own != NULL) { memcpy(grown, own, *capacity * size); }
    *capacity = n;
    return grown;
}

PYTREE__APART_CLANG void *pytree__array_grow(void *p, size_t *capacity, size_t need, size_t size, const pytree_allocator *a,
                                             pytree_error *err)
{
    return pytree__stack_grow(p, NULL, capacity, need, size, a, err);
}

struct pytree__vector pytree__vector_of(size_t size, const pytree_allocator *a)
{
    struct pytree__vector v;
    v.data = NULL;
    v.count = v.capacity = 0;
    v.size = size;
    v.allocator = a;
    return v;
}

bool pytree__vector_grow(struct pytree__vector *v, size_t n, pytree_error *err)
{
    void *const grown = pytree__array_grow(v->data, &v->capacity, pytree__plus(v->count, n), v->size, v->allocator, err);
    if (grown != NULL) { v->data = grown; }
    return grown != NULL;
}

void pytree__vector_free(struct pytree__vector *v)
{
    pytree__array_free(v->data, v->capacity, v->size, v->allocator);
    v->data = NULL;
    v->count = v->capacity = 0;
}
#endif
