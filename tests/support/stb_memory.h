/* stb_memory.h: the memory of stb_ds in tests: counted, and failing when a test says so. For one thread. */
#ifndef STB_MEMORY_H
#define STB_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif
void *test_stb_resize(void *p, size_t size);
void test_stb_release(void *p);
#if defined(__cplusplus)
}
#endif
#define STBDS_REALLOC(context, p, size) test_stb_resize(p, size)
#define STBDS_FREE(context, p) test_stb_release(p)

/* Requests so far, blocks that are live, and the request that fails. */
extern size_t stb_calls, stb_blocks, stb_fail_at;

#if defined(STB_DS_IMPLEMENTATION)

#include <stdlib.h>
#include <string.h>

enum { TEST_STB_HEAD = 16, TEST_STB_FREED = 0xDD };            /* before each block: how large it is */

size_t stb_calls, stb_blocks, stb_fail_at = SIZE_MAX;

void test_stb_release(void *p)
{
    char *block;
    size_t size;
    if (p == NULL) { return; }
    block = (char *)p - TEST_STB_HEAD;
    memcpy(&size, block, sizeof size);
    memset(block, TEST_STB_FREED, TEST_STB_HEAD + size);
    stb_blocks--;
    free(block);
}

/* A block that is resized always moves, so that what kept the old address is found out. */
void *test_stb_resize(void *p, size_t size)
{
    char *block;
    size_t before = 0;
    if (stb_calls++ == stb_fail_at) { return NULL; }
    block = (char *)malloc(TEST_STB_HEAD + size);
    if (block == NULL) { return NULL; }
    memcpy(block, &size, sizeof size);
    if (p != NULL) { memcpy(&before, (char *)p - TEST_STB_HEAD, sizeof before); }
    if (before != 0) { memcpy(block + TEST_STB_HEAD, p, before < size ? before : size); }
    stb_blocks++;
    test_stb_release(p);
    return block + TEST_STB_HEAD;
}

#endif
#endif
