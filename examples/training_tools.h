/* training_tools.h: what the programs that train share: a product of matrices, random numbers, time, and numbers of the command
 * line. */
#ifndef TRAINING_TOOLS_H
#define TRAINING_TOOLS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#ifndef REAL                              /* -DREAL=double: for comparisons with differences */
#define REAL float
#endif
typedef REAL Real;

/* Compute c (m, n) += a (m, k) b (k, n). Element (i, l) of a is a[i * rows + l * columns], so transposing a is free. Tiles of c
 * stay in registers while the inner loop goes along rows of b, so it vectorises without reordering any sum. */
static void multiply_add(Real *restrict c, const Real *restrict a, int rows, int columns, const Real *restrict b,
                         int m, int k, int n)
{
    enum { HIGH = 8, WIDE = 32 };
    for (int j0 = 0; j0 < n; j0 += WIDE) {
        for (int i0 = 0; i0 < m; i0 += HIGH) {
            Real sum[HIGH][WIDE] = { { 0 } };
            int high = m - i0 < HIGH ? m - i0 : HIGH, wide = n - j0 < WIDE ? n - j0 : WIDE;
            const Real *at = a + (ptrdiff_t)i0 * rows, *bt = b + j0;
            if (high == HIGH && wide == WIDE) {
                for (int l = 0; l < k; l++) {
                    for (int i = 0; i < HIGH; i++) {
                        Real x = at[(ptrdiff_t)i * rows + (ptrdiff_t)l * columns];
                        for (int j = 0; j < WIDE; j++) { sum[i][j] += x * bt[(ptrdiff_t)l * n + j]; }
                    }
                }
            } else {
                for (int l = 0; l < k; l++) {
                    for (int i = 0; i < high; i++) {
                        Real x = at[(ptrdiff_t)i * rows + (ptrdiff_t)l * columns];
                        for (int j = 0; j < wide; j++) { sum[i][j] += x * bt[(ptrdiff_t)l * n + j]; }
                    }
                }
            }
            for (int i = 0; i < high; i++) {
                for (int j = 0; j < wide; j++) { c[(ptrdiff_t)(i0 + i) * n + j0 + j] += sum[i][j]; }
            }
        }
    }
}

/* ---- Random numbers and time --------------------------------------------------------------------------------------- */

/* splitmix64: 64 bits of state, and every seed is valid. */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static Real random_uniform(uint64_t *state, Real low, Real high)
{
    return low + (high - low) * (Real)((float)(random_bits(state) >> 40) * 0x1p-24f);
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Numbers of the command line ----------------------------------------------------------------------------------- */

static bool read_whole(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;
    if (text == NULL || *text < '0' || *text > '9') { return false; }
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *value >= low && *value <= high;
}

static bool read_real(const char *text, double low, double high, Real *value)
{
    char *end;
    if (text == NULL || *text == '\0') { return false; }
    double x = strtod(text, &end);
    *value = (Real)x;
    return *end == '\0' && x >= low && x <= high;
}

#endif
