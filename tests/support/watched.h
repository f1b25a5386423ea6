/* watched.h: bodies whose capacities are small, and which call functions of the C library that count and can fail.
 *
 *     #define TEST_WATCHED_BODIES           // before support.h, which includes this file
 *
 * They come with the program, unless the build defines TEST_WATCHED_APART and links watched_bodies.c, which spares their
 * compilation in each such program. For one thread. */
#ifndef WATCHED_H
#define WATCHED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PYTREE_FUNCTION_CHUNK 1              /* each piece of a plan is an allocation */
#define PYTREE_SORTED_KEYS 16                /* dicts of more keys have an index */
#define PYTREE_CHUNK_ROWS 4

/* Strings compared, bytes moved, calls of realloc, and the number of the call that gives NULL, from 0. */
extern size_t library_compared, library_moved, library_calls, library_fail_at;

#if defined(PYTREE_IMPLEMENTATION)

size_t library_compared, library_moved, library_calls, library_fail_at = SIZE_MAX;

static void *library_realloc(void *p, size_t size) { return library_calls++ == library_fail_at ? NULL : realloc(p, size); }

#define strcmp(a, b) (library_compared++, (strcmp)(a, b))
#define memmove(to, from, n) (library_moved += (n), (memmove)(to, from, n))
#define realloc(p, size) library_realloc(p, size)

#endif
#endif
