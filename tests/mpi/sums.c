/* Sums over several ranks: buckets, their order of additions, parts, requests, backends. */
#include "mpi_shared.h"

static const size_t sizes[] = { 0, 1, 40, 100, 4096 };         /* of buckets; 0: 25 MB */

/* ---- Sums of every type --------------------------------------------------------------------------------------------- */

/* Replace what fill wrote by the sum of what it writes on all ranks. */
static pytree_status sum_leaf(void *context, const pytree_iter *at)
{
    const pytree_leaf *const leaf = at->leaf[0];
    size_t i;
    int r;
    (void)context;
    for (i = 0; i < pytree_leaf_count(leaf); i++) {
        double sum = 0;
        for (r = 0; r < ranks; r++) { sum += (double)((r * 7 + (int)at->index * 3 + (int)i) % 30); }
        pytree_leaf_set(leaf, i, sum);
    }
    return PYTREE_OK;
}

static void assert_summed(pytree t)
{
    pytree_error error = { 0 };
    pytree wanted = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_map(sum_leaf, NULL, NULL, 1, &wanted, NULL, &error), &error);
    if (!pytree_equal(wanted, t, NULL, NULL, &error)) { pytree_error_print(stderr, &error); }
    assert_ok(error.status, &error);
    pytree_free(wanted);
}

/* Every type that can be added, in arrays of other lengths than parts have. */
typedef struct Sums {
    int n;
    int8_t *i8;
    int16_t i16[5];
    int32_t i32;
    int64_t *i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    pytree_f16 *half;
    pytree_bf16 brain[3];
    float *w, *empty, *b;
    double f64[7];
    long double f_long;
    Point at;
} Sums;

#define PYTREE_STRUCT Sums
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, i8, ARRAY(self->n))                                                                              \
    PYTREE_FIELD(DATA, i16)                                                                                             \
    PYTREE_FIELD(DATA, i32)                                                                                             \
    PYTREE_FIELD(DATA, i64, ARRAY(self->n))                                                                             \
    PYTREE_FIELD(DATA, u8)                                                                                              \
    PYTREE_FIELD(DATA, u16)                                                                                             \
    PYTREE_FIELD(DATA, u32)                                                                                             \
    PYTREE_FIELD(DATA, u64)                                                                                             \
    PYTREE_FIELD(DATA, half, ARRAY(self->n))                                                                            \
    PYTREE_FIELD(DATA, brain)                                                                                           \
    PYTREE_FIELD(DATA, w, ARRAY(self->n, 9))                                                                            \
    PYTREE_FIELD(DATA, empty, ARRAY(0))                                                                                 \
    PYTREE_FIELD(DATA, b, ARRAY(self->n))                                                                               \
    PYTREE_FIELD(DATA, f64)                                                                                             \
    PYTREE_FIELD(DATA, f_long)                                                                                          \
    PYTREE_FIELD(DATA, at)
#include "pytree_registry.h"

static Sums sums_make(int n)
{
    Sums made = { .n = n };
    pytree_error error = { 0 };
    assert_ok(pytree_allocate(PYTREE(&made), NULL, &error), &error);
    fill(PYTREE(&made), rank);
    return made;
}

static void every_type(void **state)
{
    Sums sums = sums_make(71);
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(sizes); i++) {
        pytree_mpi_options opt = { .bucket_bytes = sizes[i], .agreed = i % 2 == 1 };
        fill(PYTREE(&sums), rank);
        assert_ok(pytree_mpi_allreduce(PYTREE(&sums), MPI_COMM_WORLD, &opt, &error), &error);
        assert_summed(PYTREE(&sums));
    }
    assert_ok(pytree_mpi_allreduce(PYTREE_NONE, MPI_COMM_WORLD, NULL, &error), &error);
    assert_ok(pytree_mpi_allreduce(PYTREE_LIST(), MPI_COMM_WORLD, NULL, &error), &error);
    pytree_free(PYTREE(&sums));
}

#if defined(TEST_HAS_COMPLEX)
static void complex_numbers(void **state)
{
    Waves waves = { .c64 = (float)(rank + 1), .c128 = rank, .c_long = 2 };
    const float n = (float)ranks;
    float got[2];
    pytree_error error = { 0 };
    (void)state;
    ((float *)&waves.pair[1])[0] = 1;
    ((float *)&waves.pair[1])[1] = (float)rank;
    assert_ok(pytree_mpi_allreduce(PYTREE(&waves), MPI_COMM_WORLD, NULL, &error), &error);
    memcpy(got, &waves.pair[1], sizeof got);
    assert_true(got[0] == n && got[1] == n * (n - 1) / 2);
    memcpy(got, &waves.c64, sizeof got);
    assert_true(got[0] == n * (n + 1) / 2 && got[1] == 0);
}
#endif

/* ---- The order of additions ------------------------------------------------------------------------------------------ */

/* Numbers whose sum depends on the order. */
static float uneven(int r, size_t i) { return (float)((double)(i * 7919 % 1000 + 1) * (r % 2 == 0 ? 1e-3 : 1e5) / (3 + r)); }

static void order_of_additions(void **state)
{
    enum { N = 1000 };
    float x[N], y[3 * N];
    pytree_error error = { 0 };
    size_t i, size;
    int r;
    (void)state;
    for (size = 0; size < COUNT_OF(sizes); size++) {
        const pytree_mpi_options opt = { .bucket_bytes = sizes[size] };
        if (sizes[size] == 1) { continue; }                    /* a thousand buckets */
        for (i = 0; i < N; i++) { x[i] = y[3 * i] = uneven(rank, i); }
        assert_ok(pytree_mpi_allreduce(PYTREE_ARRAY(x, N), MPI_COMM_WORLD, &opt, &error), &error);
        for (i = 0; i < N; i++) {
            float sum = uneven(0, i);
            for (r = 1; r < ranks; r++) { sum += uneven(r, i); }
            assert_memory_equal(&x[i], &sum, sizeof sum);
        }
    }
}

static void halves_are_rounded_once(void **state)
{
    pytree_f16 x[2] = { { 0x3C00 }, { 0x0001 } };              /* 1, and the least number */
    pytree_bf16 y = { 0x3F80 };
    const pytree t = PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(&y, 1));
    pytree_error error = { 0 };
    const float small = 0.0003f;
    pytree_leaf half = { .data = &x[0], .type = PYTREE_TYPE(pytree_f16) };
    double rounded;
    float sum;
    int r;
    (void)state;
    if (rank != 0) { pytree_leaf_set(&half, 0, (double)small); }          /* less than half a unit of 1: lost one by one */
    rounded = pytree_leaf_get(&half, 0);
    assert_ok(pytree_mpi_allreduce(t, MPI_COMM_WORLD, NULL, &error), &error);
    if (rank == 0) { return; }
    for (sum = 1, r = 1; r < ranks; r++) { sum += (float)rounded; }
    {
        pytree_f16 wanted = { 0 };
        const pytree_leaf view = { .data = &wanted, .type = PYTREE_TYPE(pytree_f16) };
        pytree_leaf_set(&view, 0, (double)sum);
        assert_int_equal(x[0].bits, wanted.bits);
        assert_true(ranks < 4 || x[0].bits == 0x3C01);
    }
    assert_int_equal(x[1].bits, ranks);
}

static void integers_wrap_around(void **state)
{
    int32_t x[2] = { INT32_MAX, INT32_MIN };
    uint32_t sum[2] = { 0, 0 };
    pytree_error error = { 0 };
    int r;
    (void)state;
    for (r = 0; r < ranks; r++) {
        sum[0] += INT32_MAX;
        sum[1] += (uint32_t)1 << 31;
    }
    assert_ok(pytree_mpi_allreduce(PYTREE_ARRAY(x, 2), MPI_COMM_WORLD, NULL, &error), &error);
    assert_memory_equal(x, sum, sizeof sum);
}

/* ---- What is refused ------------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
    Numbers numbers = numbers_make(2);
    float x[4] = { 0 };
    pytree_error error = { 0 };
    pytree_mpi_options opt = { .bucket_bytes = rank == 0 ? 8 : 4 };
    (void)state;
    assert_error(pytree_mpi_allreduce(PYTREE(&numbers), MPI_COMM_WORLD, NULL, &error), PYTREE_TYPE, ".flags", &error);
    assert_message(&error, "rank 0: expected numbers to add, got bool");
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_allgather(PYTREE_STR("text"), MPI_COMM_WORLD, NULL, &error), PYTREE_TYPE, "", &error);
    assert_message(&error, "expected numbers, got str");
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_finish(NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    if (ranks > 1) {
        assert_error(pytree_mpi_allreduce(PYTREE_ARRAY(x, 4), MPI_COMM_WORLD, &opt, &error), PYTREE_ARGUMENT, "", &error);
        assert_same_error(&error);
        assert_message(&error, "expected the same call on every rank");
    }
    pytree_free(PYTREE(&numbers));
}

/* ---- Requests -------------------------------------------------------------------------------------------------------- */

static void started_and_finished(void **state)
{
    Sums first = sums_make(31), second = sums_make(8);
    pytree_error error = { 0 };
    const pytree_mpi_options opt = { .bucket_bytes = 64 };
    pytree_mpi_request *a, *b;
    (void)state;
    a = pytree_mpi_start(PYTREE_BUCKET_ALLREDUCE, PYTREE(&first), MPI_COMM_WORLD, &opt, &error);
    assert_non_null(a);
    b = pytree_mpi_start(PYTREE_BUCKET_ALLREDUCE, PYTREE(&second), MPI_COMM_WORLD, &opt, &error);
    assert_non_null(b);
    assert_ok(pytree_mpi_finish(a, &error), &error);
    assert_ok(pytree_mpi_finish(b, &error), &error);
    assert_summed(PYTREE(&first));
    assert_summed(PYTREE(&second));
    pytree_free(PYTREE(&first));
    pytree_free(PYTREE(&second));
}

static Sums swept;
static pytree_status sweep_allreduce(const pytree_mpi_options *opt, pytree_error *error)
{
    pytree_mpi_options small = *opt;
    small.bucket_bytes = 100;
    fill(PYTREE(&swept), rank);
    return pytree_mpi_allreduce(PYTREE(&swept), MPI_COMM_WORLD, &small, error);
}
static pytree_status sweep_reduce_scatter(const pytree_mpi_options *opt, pytree_error *error)
{
    fill(PYTREE(&swept), rank);
    return pytree_mpi_reduce_scatter(PYTREE(&swept), MPI_COMM_WORLD, opt, error);
}
static pytree_status sweep_allgather(const pytree_mpi_options *opt, pytree_error *error)
{
    fill(PYTREE(&swept), rank);
    return pytree_mpi_allgather(PYTREE(&swept), MPI_COMM_WORLD, opt, error);
}
static pytree_status sweep_start(const pytree_mpi_options *opt, pytree_error *error)
{
    pytree_mpi_request *request;
    fill(PYTREE(&swept), rank);
    request = pytree_mpi_start(PYTREE_BUCKET_ALLREDUCE, PYTREE(&swept), MPI_COMM_WORLD, opt, error);
    return request == NULL ? error->status : pytree_mpi_finish(request, error);
}
static void swept_is_filled(void) { assert_filled(PYTREE(&swept), rank); }

static pytree_status sweep_part(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_mpi_options options = { .tree = *opt };
    pytree_leaf views[64];
    (void)context;
    return pytree_mpi_part(PYTREE(&swept), MPI_COMM_WORLD, views, COUNT_OF(views), NULL, &options, error);
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    swept = sums_make(13);
    sweep_ranks(sweep_allreduce, swept_is_filled);
    sweep_ranks(sweep_reduce_scatter, swept_is_filled);
    sweep_ranks(sweep_allgather, swept_is_filled);
    sweep_ranks(sweep_start, swept_is_filled);
    assert_true(sweep_allocations(sweep_part, NULL) > 1);
    pytree_free(PYTREE(&swept));
}

/* ---- Parts ----------------------------------------------------------------------------------------------------------- */

/* Sum to parts, double each rank's own part, share: twice the sum; and the views tile the tree. */
static void parts(void **state)
{
    enum { VIEWS = 400 };
    static pytree_leaf views[VIEWS];
    Sums sums = sums_make(10), other = sums_make(10);
    pytree_error error = { 0 };
    size_t i, k, count, elements = 0, all = 0, s;
    unsigned long long mine, whole;
    pytree_iter it;
    const pytree trees[2] = { PYTREE(&sums), PYTREE(&other) };
    (void)state;
    for (s = 0; s < COUNT_OF(sizes); s++) {
        const pytree_mpi_options opt = { .bucket_bytes = sizes[s] };
        fill(PYTREE(&sums), rank);
        assert_ok(pytree_mpi_reduce_scatter(PYTREE(&sums), MPI_COMM_WORLD, &opt, &error), &error);
        assert_ok(pytree_mpi_part(PYTREE(&sums), MPI_COMM_WORLD, views, VIEWS, &count, &opt, &error), &error);
        for (i = 0, elements = 0; i < count; i++) {
            assert_int_equal(views[i].ndim, 1);
            elements += views[i].shape[0];
            for (k = 0; k < views[i].shape[0]; k++) { pytree_leaf_set(&views[i], k, 2 * pytree_leaf_get(&views[i], k)); }
        }
        assert_ok(pytree_mpi_allgather(PYTREE(&sums), MPI_COMM_WORLD, &opt, &error), &error);
        fill(PYTREE(&other), rank);
        assert_ok(pytree_mpi_allreduce(PYTREE(&other), MPI_COMM_WORLD, &opt, &error), &error);
        assert_summed(PYTREE(&other));
        all = 0;
        if (pytree_iter_begin(&it, 2, trees, NULL, &error) == PYTREE_OK) {
            while (pytree_iter_next(&it)) {
                all += pytree_leaf_count(it.leaf[0]);
                for (i = 0; i < pytree_leaf_count(it.leaf[0]); i++) {
                    assert_true(pytree_leaf_get(it.leaf[0], i) == 2 * pytree_leaf_get(it.leaf[1], i)
                                || it.leaf[0]->type->dtype == PYTREE_I8);
                }
            }
        }
        pytree_iter_end(&it);
        mine = elements;
        assert_int_equal(MPI_Allreduce(&mine, &whole, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        assert_int_equal(whole, all);
    }
    if (count > 0) {
        assert_error(pytree_mpi_part(PYTREE(&sums), MPI_COMM_WORLD, views, 0, &k, NULL, &error), PYTREE_TOO_MANY_LEAVES, "",
                     &error);
        assert_true(k > 0);
    }
    pytree_free(PYTREE(&sums));
    pytree_free(PYTREE(&other));
}

/* What is not in a rank's part stays as it is. */
static void reduce_scatter_leaves_the_rest(void **state)
{
    double x[9], sum = 0;
    pytree_leaf view;
    pytree_error error = { 0 };
    size_t i, count, from;
    int r;
    (void)state;
    for (i = 0; i < 9; i++) { x[i] = rank + 1; }
    for (r = 0; r < ranks; r++) { sum += r + 1; }
    assert_ok(pytree_mpi_reduce_scatter(PYTREE_ARRAY(x, 9), MPI_COMM_WORLD, NULL, &error), &error);
    assert_ok(pytree_mpi_part(PYTREE_ARRAY(x, 9), MPI_COMM_WORLD, &view, 1, &count, NULL, &error), &error);
    assert_int_equal(count, 1);
    from = (size_t)((double *)view.data - x);
    for (i = 0; i < 9; i++) { assert_true(x[i] == (i >= from && i < from + view.shape[0] ? sum : rank + 1)); }
}

/* ---- Backends -------------------------------------------------------------------------------------------------------- */

typedef struct Backend {
    size_t started, finished, most, fail_at;
    const void *low, *high;               /* of memory that a bucket is to lie in */
    size_t copies;
} Backend;

static pytree_status start_bucket(void *context, pytree_bucket *bucket, pytree_error *err)
{
    Backend *const b = context;
    if (bucket->index == b->fail_at) { return pytree_fail(err, PYTREE_STOPPED, NULL, "expected a sum, got none"); }
    assert_int_equal(bucket->index, b->started);
    assert_null(bucket->own);
    assert_true(bucket->n * bucket->type->size <= b->most || bucket->n == 1);
    b->copies += (const char *)bucket->data < (const char *)b->low || (const char *)bucket->data >= (const char *)b->high;
    bucket->own = b;
    b->started++;
    assert_true(b->started - b->finished <= 2);
    return PYTREE_OK;
}

static pytree_status finish_bucket(void *context, pytree_bucket *bucket, pytree_error *err)
{
    Backend *const b = context;
    assert_int_equal(bucket->index, b->finished);
    assert_ptr_equal(bucket->own, b);
    b->finished++;
    if (MPI_Allreduce(MPI_IN_PLACE, bucket->data, (int)bucket->n, pytree_mpi_element(bucket->type), MPI_SUM, MPI_COMM_WORLD)
        != MPI_SUCCESS) { return pytree_fail(err, PYTREE_IO, NULL, "expected a sum"); }
    return PYTREE_OK;
}

static void backends(void **state)
{
    enum { N = 100 };
    float x[N], y[N];
    int64_t counts[2] = { rank, 2 };
    Backend b = { .most = 80, .fail_at = SIZE_MAX, .low = x, .high = x + N };
    const pytree_bucket_backend backend = { start_bucket, finish_bucket, &b };
    const pytree_mpi_options opt = { .bucket_bytes = 80, .backend = &backend };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) { x[i] = (float)rank; }
    memcpy(y, x, sizeof y);
    /* two leaves that lie side by side, and one of another type between them */
    assert_ok(pytree_mpi_allreduce(PYTREE_LIST(PYTREE_ARRAY(x, 3, 3), PYTREE_ARRAY(counts, 2), PYTREE_ARRAY(x + 9, N - 9)),
                                   MPI_COMM_WORLD, &opt, &error), &error);
    assert_int_equal(b.finished, 6);      /* 5 of 20 floats, 1 of 2 integers */
    assert_int_equal(b.copies, 1);        /* the integers, which lie elsewhere; no float was copied */
    for (i = 0; i < N; i++) { assert_true(x[i] == (float)(ranks * (ranks - 1) / 2)); }
    assert_int_equal(counts[1], 2 * ranks);
    b = (Backend){ .most = 80, .fail_at = 3, .low = y, .high = y + N };
    assert_error(pytree_mpi_allreduce(PYTREE_ARRAY(y, N), MPI_COMM_WORLD, &opt, &error), PYTREE_STOPPED, "", &error);
    assert_int_equal(b.started, b.finished);
    b = (Backend){ .most = 80, .fail_at = 1, .low = y, .high = y + N };
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_allreduce(PYTREE_ARRAY(y, N), MPI_COMM_WORLD, &opt, &error), PYTREE_STOPPED, "", &error);
    assert_int_equal(b.started, b.finished);
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_type),
#if defined(TEST_HAS_COMPLEX)
        cmocka_unit_test(complex_numbers),
#endif
        cmocka_unit_test(order_of_additions), cmocka_unit_test(halves_are_rounded_once), cmocka_unit_test(integers_wrap_around),
        cmocka_unit_test(refused), cmocka_unit_test(started_and_finished), cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(parts), cmocka_unit_test(reduce_scatter_leaves_the_rest), cmocka_unit_test(backends),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int argc, char **argv)
{
    return run_ranks(argc, argv, tests);
}
