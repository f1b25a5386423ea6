/* pytree/impl/mpi_sum.h: sums of the parts that ranks sent, in the order of the ranks. */
#ifndef PYTREE_IMPL_MPI_SUM_H
#define PYTREE_IMPL_MPI_SUM_H

#include "mpi_move.h"

enum { PYTREE__MPI_LANES = 256 };         /* sums that are made at a time: a constant, so that compilers make vectors of them */

/* Adds `many` numbers of each rank: the parts lie one behind the other, but for the own one, which lies where the sum goes. */
#define PYTREE__MPI_ADD_SOME(many)                                                                                      \
    for (k = 0; k < ranks; k++) {                                                                                       \
        const PYTREE__MPI_STORED *const other = k == own ? result + at : part + k * n + at;                             \
        if (k == 0) {                                                                                                   \
            for (i = 0; i < (many); i++) { sum[i] = PYTREE__MPI_READ(other[i]); }                                       \
        } else {                                                                                                        \
            for (i = 0; i < (many); i++) { sum[i] = (PYTREE__MPI_SUM)(sum[i] + PYTREE__MPI_READ(other[i])); }           \
        }                                                                                                               \
    }                                                                                                                   \
    for (i = 0; i < (many); i++) { PYTREE__MPI_WRITE(result[at + i], sum[i]); }

/* Defines the addition of numbers that lie in memory as PYTREE__MPI_STORED and are added as PYTREE__MPI_SUM. */
#define PYTREE__MPI_ADDITION(name)                                                                                      \
    static void pytree__mpi_add_##name(void *to, const void *parts, size_t n, size_t ranks, size_t own)                 \
    {                                                                                                                   \
        PYTREE__MPI_STORED *const result = (PYTREE__MPI_STORED *)to;                                                    \
        const PYTREE__MPI_STORED *const part = (const PYTREE__MPI_STORED *)parts;                                       \
        PYTREE__MPI_SUM sum[PYTREE__MPI_LANES];                                                                         \
        size_t at, i, k;                                                                                                \
        for (at = 0; n - at >= PYTREE__MPI_LANES; at += PYTREE__MPI_LANES) { PYTREE__MPI_ADD_SOME(PYTREE__MPI_LANES) }  \
        PYTREE__MPI_ADD_SOME(n - at)                                                                                    \
    }

/* Integers wrap around as unsigned ones do, whatever their sign. */
#define PYTREE__MPI_READ(x) (x)
#define PYTREE__MPI_WRITE(to, x) ((to) = (x))
#define PYTREE__MPI_STORED uint8_t
#define PYTREE__MPI_SUM uint8_t
PYTREE__MPI_ADDITION(8)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#define PYTREE__MPI_STORED uint16_t
#define PYTREE__MPI_SUM uint16_t
PYTREE__MPI_ADDITION(16)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#define PYTREE__MPI_STORED uint32_t
#define PYTREE__MPI_SUM uint32_t
PYTREE__MPI_ADDITION(32)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#define PYTREE__MPI_STORED uint64_t
#define PYTREE__MPI_SUM uint64_t
PYTREE__MPI_ADDITION(64)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#define PYTREE__MPI_STORED float
#define PYTREE__MPI_SUM float
PYTREE__MPI_ADDITION(float)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#define PYTREE__MPI_STORED double
#define PYTREE__MPI_SUM double
PYTREE__MPI_ADDITION(double)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#define PYTREE__MPI_STORED long double
#define PYTREE__MPI_SUM long double
PYTREE__MPI_ADDITION(long_double)
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM
#undef PYTREE__MPI_READ
#undef PYTREE__MPI_WRITE

/* Halves are added as floats, and rounded once. */
#define PYTREE__MPI_STORED uint16_t
#define PYTREE__MPI_SUM float
#define PYTREE__MPI_READ(x) ((float)pytree__of_f16(x))
#define PYTREE__MPI_WRITE(to, x) ((to) = pytree__to_half((double)(x), 10))
PYTREE__MPI_ADDITION(f16)
#undef PYTREE__MPI_READ
#undef PYTREE__MPI_WRITE
#define PYTREE__MPI_READ(x) ((float)pytree__of_bf16(x))
#define PYTREE__MPI_WRITE(to, x) ((to) = pytree__to_half((double)(x), 7))
PYTREE__MPI_ADDITION(bf16)
#undef PYTREE__MPI_READ
#undef PYTREE__MPI_WRITE
#undef PYTREE__MPI_STORED
#undef PYTREE__MPI_SUM

/* Returns the addition for an element type, and in *parts the numbers that an element has; NULL for what is no number. */
typedef void pytree__mpi_addition(void *to, const void *parts, size_t n, size_t ranks, size_t own);
static pytree__mpi_addition *pytree__mpi_addition_of(pytree_dtype dtype, size_t *parts)
{
    *parts = dtype == PYTREE_C64 || dtype == PYTREE_C128 || dtype == PYTREE_CLONG ? 2 : 1;
    switch (dtype) {
    case PYTREE_I8: case PYTREE_U8: return pytree__mpi_add_8;
    case PYTREE_I16: case PYTREE_U16: return pytree__mpi_add_16;
    case PYTREE_I32: case PYTREE_U32: return pytree__mpi_add_32;
    case PYTREE_I64: case PYTREE_U64: return pytree__mpi_add_64;
    case PYTREE_F16: return pytree__mpi_add_f16;
    case PYTREE_BF16: return pytree__mpi_add_bf16;
    case PYTREE_F32: case PYTREE_C64: return pytree__mpi_add_float;
    case PYTREE_F64: case PYTREE_C128: return pytree__mpi_add_double;
    case PYTREE_FLONG: case PYTREE_CLONG: return pytree__mpi_add_long_double;
    default: return NULL;
    }
}

#include "mpi_bucket.h"
#endif
