/* measure.h: how the benchmarks here take time and count allocations.
 *
 *     MEASURE(&result, 25, pytree_def_hash(def));      // median of 25 samples, each long enough for the clock
 *
 * Needs POSIX for its clock: define _POSIX_C_SOURCE 200809L before the first include.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pytree.h"

enum { MEASURE_MOST = 100000 };          /* samples of one measurement */

/* Shortest sample in seconds: a thousand times what reading the clock costs. */
#define MEASURE_SAMPLE 0.001

typedef struct Measured {
    double median, least;                 /* seconds per call */
} Measured;

/* Results are stored here, so that the compiler cannot remove a call. */
static volatile uint64_t measure_sink;

static inline double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int measure_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double measure_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, measure_compare);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* Runs an expression until a sample is long enough, then takes the samples. The expression's value is kept. */
#define MEASURE(result, samples, expression)                                                                            \
    do {                                                                                                                \
        static double measure_values[MEASURE_MOST];                                                                     \
        double measure_start, measure_took = 0;                                              \
        size_t measure_rounds = 1, measure_i, measure_k;                                                                \
        uint64_t measure_kept = 0;                                                                                      \
        for (;;) {                                                                                                      \
            measure_start = measure_now();                                                                              \
            for (measure_k = 0; measure_k < measure_rounds; measure_k++) { measure_kept += (uint64_t)(expression); }    \
            measure_took = measure_now() - measure_start;                                                               \
            if (measure_took >= MEASURE_SAMPLE) { break; }                                                              \
            measure_rounds *= 2;                                                                                        \
        }                                                                                                               \
        for (measure_i = 0; measure_i < (samples); measure_i++) {                                                       \
            measure_start = measure_now();                                                                              \
            for (measure_k = 0; measure_k < measure_rounds; measure_k++) { measure_kept += (uint64_t)(expression); }    \
            measure_values[measure_i] = (measure_now() - measure_start) / (double)measure_rounds;                       \
        }                                                                                                               \
        measure_sink += measure_kept;                                                                                   \
        (result)->median = measure_median(measure_values, (samples));                                                   \
        (result)->least = measure_values[0];                                                                            \
    } while (0)

/* An allocator that counts what it gives. context: a size_t. */
static inline void *measure_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    (void)old_size;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    *(size_t *)context += 1;
    return realloc(p, new_size);
}

#endif
