/* stb_memory.h: the memory of stb_ds in tests: counted, and failing when a test says so. For one thread. */
#ifndef STB_MEMORY_H
#define STB_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *test_stb_resize(void *p, size_t size);
void test_stb_release(void *p);
#define STBDS_REALLOC(context, p, size) test_stb_resize(p, size)
#define STBDS_FREE(context, p) test_stb_release(p)

/* Requests so far, blocks that are live, and the request that fails. */
extern size_t stb_calls, stb_blocks, stb_fail_at;

#if defined(STB_DS_IMPLEMENTATION)

#include <stdlib.h>

size_t stb_calls, stb_blocks, stb_fail_at = SIZE_MAX;

void *test_stb_resize(void *p, size_t size)
{
    void *grown;
    if (stb_calls++ == stb_fail_at) { return NULL; }
    grown = realloc(p, size);
    if (grown != NULL && p == NULL) { stb_blocks++; }
    return grown;
}

void test_stb_release(void *p)
{
    stb_blocks -= p != NULL;
    free(p);
}

#endif
#endif
