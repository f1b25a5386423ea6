/* rows.h: what transforms.c and derivatives.c print: a JSON object in a line for each row of the table that transforms_peer.py
 * makes. Times are in nanoseconds, and each row has what it should reach at most. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "measure.h"

#include <math.h>

static size_t allocations, allocated;     /* calls, bytes */
static size_t samples = 25;

/* An allocator that counts calls and bytes. */
static inline void *rows_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    if (new_size > old_size) { allocated += new_size - old_size; }
    return measure_resize(context, p, old_size, new_size);
}
static const pytree_allocator counting = { rows_resize, &allocations };
static const pytree_fn_options counted = { .tree = { .allocator = &counting } };

static inline uint64_t must(pytree_status status)
{
    if (status != PYTREE_OK) {
        fprintf(stderr, "failed: %s\n", pytree_status_name(status));
        exit(1);
    }
    return 1;
}

static inline pytree_prepared *must_prepare(const pytree_fn *f, size_t n, const pytree *args, pytree out)
{
    pytree_error err = { 0 };
    pytree_prepared *p = pytree_prepare(f, n, args, out, &counted, &err);
    if (p == NULL) {
        pytree_error_print(stderr, &err);
        exit(1);
    }
    return p;
}

/* by_hand, reach: NAN if there is none; allocated: SIZE_MAX if nobody counted. */
static inline void row(const char *what, const char *per, double ns, double by_hand, double reach, size_t made)
{
    printf("{\"what\": \"%s\", \"per\": \"%s\", \"ns\": %.3f", what, per, ns);
    if (!isnan(by_hand)) { printf(", \"by hand\": %.3f", by_hand); }
    if (!isnan(reach)) { printf(", \"reach\": %.3f", reach); }
    if (made != SIZE_MAX) { printf(", \"allocations\": %zu", made); }
    printf("}\n");
    fflush(stdout);
}

/* Measure runs of a prepared function, each of which does something `times` times. Returns nanoseconds. */
static inline double prepared_row(const char *what, const char *per, double times, double by_hand, double reach,
                                  const pytree_fn *f, size_t n, const pytree *args, pytree out)
{
    pytree_prepared *p = must_prepare(f, n, args, out);
    const size_t before = allocations;
    size_t made;
    Measured m;
    must(pytree_run(p, NULL));
    made = allocations - before;
    MEASURE(&m, samples, must(pytree_run(p, NULL)));
    row(what, per, 1e9 * m.median / times, by_hand, reach, made);
    pytree_prepared_free(p);
    return 1e9 * m.median / times;
}

/* Nanoseconds of an expression, each of whose evaluations does something `times` times. */
#define NANOSECONDS(to, times, expression)                                                                              \
    do {                                                                                                                \
        Measured nanoseconds;                                                                                           \
        MEASURE(&nanoseconds, samples, expression);                                                                     \
        (to) = 1e9 * nanoseconds.median / (times);                                                                      \
    } while (0)

#endif
