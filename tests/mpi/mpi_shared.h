/* mpi_shared.h: what the programs of tests/mpi share. They run on one to four ranks; every rank makes every test, rank 0
 * reports on standard output and the others in a file beside the program. */
#ifndef MPI_SHARED_H
#define MPI_SHARED_H

#include "support.h"
#include "pytree/mpi.h"

static int rank, ranks;

/* A number of each type, a part of which lies in the struct and a part elsewhere. */
typedef struct Numbers {
    int n;
    bool flags[3];
    int8_t i8;
    int16_t i16;
    int32_t i32[2];
    int64_t i64;
    uint8_t *u8;                          /* (n,) */
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    pytree_f16 half[2];
    pytree_bf16 brain;
    float f32[2][3];
    double *f64;                          /* (n, 2) */
    long double f_long;
    Point at;
    char code[8];
    float *maybe;                         /* NULL: none */
} Numbers;

#define PYTREE_STRUCT Numbers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, flags)                                                                                           \
    PYTREE_FIELD(DATA, i8)                                                                                              \
    PYTREE_FIELD(DATA, i16)                                                                                             \
    PYTREE_FIELD(DATA, i32)                                                                                             \
    PYTREE_FIELD(DATA, i64)                                                                                             \
    PYTREE_FIELD(DATA, u8, ARRAY(self->n))                                                                              \
    PYTREE_FIELD(DATA, u16)                                                                                             \
    PYTREE_FIELD(DATA, u32)                                                                                             \
    PYTREE_FIELD(DATA, u64)                                                                                             \
    PYTREE_FIELD(DATA, half)                                                                                            \
    PYTREE_FIELD(DATA, brain)                                                                                           \
    PYTREE_FIELD(DATA, f32)                                                                                             \
    PYTREE_FIELD(DATA, f64, ARRAY(self->n, 2))                                                                          \
    PYTREE_FIELD(DATA, f_long)                                                                                          \
    PYTREE_FIELD(DATA, at)                                                                                              \
    PYTREE_FIELD(DATA, code, STRING)                                                                                    \
    PYTREE_FIELD(DATA, maybe, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

/* Allocated with n elements in its arrays, which are zero. Free it with pytree_free. */
static inline Numbers numbers_make(int n)
{
    Numbers made = { .n = n, .maybe = PYTREE_WANTED };
    pytree_error error = { 0 };
    assert_ok(pytree_allocate(PYTREE(&made), NULL, &error), &error);
    return made;
}

/* Numbers that differ from leaf to leaf and from rank to rank, and whose sums over four ranks are exact. */
static pytree_status fill_leaf(void *seed, const pytree_iter *at)
{
    const pytree_leaf *const leaf = at->leaf[0];
    size_t i;
    if (leaf->type->dtype == PYTREE_TEXT) {
        snprintf(leaf->data, 8, "rank %d", *(const int *)seed);
        return PYTREE_OK;
    }
    for (i = 0; i < pytree_leaf_count(leaf); i++) {
        pytree_leaf_set(leaf, i, (double)((*(const int *)seed * 7 + (int)at->index * 3 + (int)i) % 30));
    }
    return PYTREE_OK;
}

static inline void fill(pytree t, int seed)
{
    pytree_error error = { 0 };
    assert_ok(pytree_map(fill_leaf, &seed, NULL, 1, &t, NULL, &error), &error);
}

/* Is every leaf as fill makes it? */
static inline void assert_filled(pytree t, int seed)
{
    pytree_error error = { 0 };
    pytree copy = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    fill(copy, seed);
    if (!pytree_equal(copy, t, NULL, NULL, &error)) { pytree_error_print(stderr, &error); }
    assert_ok(error.status, &error);
    pytree_free(copy);
}

/* Every rank has the same error. */
static inline void assert_same_error(const pytree_error *error)
{
    pytree_error first = *error;
    assert_int_equal(MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    assert_int_equal(first.status, error->status);
    assert_string_equal(first.message, error->message);
    assert_string_equal(first.path, error->path);
}

static inline void assert_message(const pytree_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) { fail_msg("expected '%s' in: %s", words, error->message); }
}

/* Runs an operation that all ranks make with one allocation after the other failing on the last rank. Each time every rank gets
 * the same error, and `unchanged` is asked whether the trees are as they were. */
typedef pytree_status collective(const pytree_mpi_options *opt, pytree_error *error);
static inline void sweep_ranks(collective *operation, void (*unchanged)(void))
{
    size_t n;
    int more = 1;
    for (n = 0; more; n++) {
        pytree_mpi_options opt = { 0 };
        pytree_error error = { 0 };
        Heap heap;
        heap_init(&heap, rank == ranks - 1 ? n : HEAP_NEVER_FAILS);
        opt.tree.allocator = &heap.allocator;
        (void)operation(&opt, &error);
        assert_heap_clean(&heap);
        assert_same_error(&error);
        more = heap.calls > n;
        assert_int_equal(MPI_Bcast(&more, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD), MPI_SUCCESS);
        assert_int_equal(error.status, more ? PYTREE_NO_MEMORY : PYTREE_OK);
        if (more) { unchanged(); }
    }
    assert_true(n > 1);                   /* it failed at least once */
}

/* Runs the tests on every rank. */
static inline int run_ranks(int argc, char **argv, int (*tests)(void))
{
    int failed;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) { return EXIT_FAILURE; }
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) {
        char path[1024];
        snprintf(path, sizeof path, "%s.rank%d", argv[0], rank);
        if (freopen(path, "w", stdout) == NULL) { (void)MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); }
    }
    failed = tests();
    if (failed != 0) {                    /* the other ranks may wait for this one */
        fflush(NULL);
        (void)MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    (void)MPI_Finalize();
    return EXIT_SUCCESS;
}

#endif
