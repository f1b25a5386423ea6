/* ravel_shared.h: shared by test_ravel.c, test_ravel_types.c, test_ravel_memory.c and test_ravel_arithmetic.c. */
#ifndef RAVEL_SHARED_H
#define RAVEL_SHARED_H

#include "support.h"

#include <float.h>
#include <math.h>

#include "pytree/ravel.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

#define assert_says(error, words) test_assert_says((error), (words), __FILE__, __LINE__)

static inline void test_assert_says(const pytree_error *error, const char *words, const char *file, int line)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(file, line);
    }
}

static const pytree_dtype all_numbers[] = {
    PYTREE_BOOL8, PYTREE_I8, PYTREE_I16, PYTREE_I32, PYTREE_I64, PYTREE_U8, PYTREE_U16, PYTREE_U32, PYTREE_U64, PYTREE_F16,
    PYTREE_BF16, PYTREE_F32, PYTREE_F64, PYTREE_FLONG, PYTREE_C64, PYTREE_C128, PYTREE_CLONG
};

static inline pytree_leaf view_of(pytree_dtype dtype, void *data, size_t n)
{
    pytree_leaf v = { 0 };
    v.data = data;
    v.type = pytree_dtype_type(dtype);
    v.ndim = 1;
    v.shape[0] = n;
    return v;
}

/* n elements of one type as another one, lost or not; the status of the conversion. */
static inline pytree_status convert(pytree_dtype to_type, void *to, pytree_dtype from_type, const void *from, size_t n,
                                    pytree_loss loss, pytree_error *error)
{
    pytree_leaf source = view_of(from_type, (void *)(uintptr_t)from, n), target = view_of(to_type, to, n);
    pytree_ravel_options opt = { 0 };
    opt.dtype = to_type;
    opt.loss = loss;
    return pytree_ravel(pytree_of_view(&source), &target, &opt, error);
}

/* The same, which must go well whatever is lost. */
static inline void convert_lossy(pytree_dtype to_type, void *to, pytree_dtype from_type, const void *from, size_t n)
{
    pytree_error error = { 0 };
    assert_ok(convert(to_type, to, from_type, from, n, PYTREE_LOSS_ALLOWED, &error), &error);
}

/* ---- Conversion -------------------------------------------------------------------------------------------------------- */

/* One and zero are in every type: to any type and back they are what they were. */
static inline void every_pair_of_types(void **state)
{
    enum { N = 300 };                     /* more than the library converts at a time */
    static unsigned char bits[N], from[N * 32], to[N * 32 + 1], back[N * 32];
    size_t i, a, b;
    (void)state;
    for (i = 0; i < N; i++) { bits[i] = (unsigned char)(i % 3 == 0 || i % 7 == 1); }
    for (a = 0; a < COUNT_OF(all_numbers); a++) {
        const size_t size = pytree_dtype_type(all_numbers[a])->size;
        memset(from, 0, sizeof from);
        convert_lossy(all_numbers[a], from, PYTREE_BOOL8, bits, N);
        for (b = 0; b < COUNT_OF(all_numbers); b++) {
            pytree_error error = { 0 };
            memset(to, 0xEE, sizeof to);
            memset(back, 0, sizeof back);
            assert_ok(convert(all_numbers[b], to, all_numbers[a], from, N, PYTREE_LOSS_REFUSED, &error), &error);
            assert_int_equal(to[N * pytree_dtype_type(all_numbers[b])->size], 0xEE);
            assert_ok(convert(all_numbers[a], back, all_numbers[b], to, N, PYTREE_LOSS_REFUSED, &error), &error);
            for (i = 0; i < N; i++) {
                bool one = false;
                convert_lossy(PYTREE_BOOL8, &one, all_numbers[a], back + i * size, 1);
                assert_int_equal(one, bits[i]);
            }
        }
    }
    assert_true(((const long double *)(const void *)from)[0] == 1 && ((const long double *)(const void *)from)[1] == 0);
}

/* All halves to float and back; between two neighbours the nearer one, in the middle the even one. `infinity`: its bits. */
static inline void every_half(pytree_dtype dtype, uint16_t infinity)
{
    static uint16_t halves[65536], back[65536];
    static double wide[65536], between[65536];
    static float narrow[65536];
    size_t i, n = (size_t)infinity + 1;
    const size_t step = under_valgrind() ? 37 : 1;
    for (i = 0; i < n; i++) { halves[i] = (uint16_t)i; }
    convert_lossy(PYTREE_F64, wide, dtype, halves, n);
    convert_lossy(PYTREE_F32, narrow, dtype, halves, n);
    convert_lossy(dtype, back, PYTREE_F64, wide, n);
    assert_memory_equal(halves, back, n * sizeof *halves);
    convert_lossy(dtype, back, PYTREE_F32, narrow, n);
    assert_memory_equal(halves, back, n * sizeof *halves);
    for (i = 0; i < n; i++) { halves[i] = (uint16_t)(0x8000 | i); }
    convert_lossy(PYTREE_F64, between, dtype, halves, n);
    for (i = 0; i < n; i++) { assert_true(between[i] == -wide[i] && signbit(between[i])); }
    convert_lossy(dtype, back, PYTREE_F64, between, n);
    assert_memory_equal(halves, back, n * sizeof *halves);
    assert_true(wide[0] == 0 && isinf(wide[infinity]));
    for (i = 0; i + 1 < n; i += step) {
        const double next = i + 2 < n ? wide[i + 1] : 2 * wide[i] - wide[i - 1];   /* above the largest: where it would be */
        assert_true(wide[i] < wide[i + 1]);
        between[i] = (wide[i] + next) / 2;
    }
    convert_lossy(dtype, back, PYTREE_F64, between, n - 1);
    for (i = 0; i + 1 < n; i += step) { assert_int_equal(back[i], i % 2 == 0 ? i : i + 1); }
    for (i = 0; i + 1 < n; i += step) {
        const double lower = nextafter(between[i], 0), upper = nextafter(between[i], INFINITY);
        uint16_t bits[2];
        double both[2];
        both[0] = -lower;
        both[1] = upper;
        convert_lossy(dtype, bits, PYTREE_F64, both, 2);
        assert_int_equal(bits[0], 0x8000 | i);
        assert_int_equal(bits[1], i + 1);
    }
}

static inline void halves(void **state)
{
    const double special[] = { NAN, -INFINITY, 1e300, -1e300, 1e-300, -0.0 };
    uint16_t bits[COUNT_OF(special)];
    (void)state;
    every_half(PYTREE_F16, 0x7C00);
    every_half(PYTREE_BF16, 0x7F80);
    convert_lossy(PYTREE_F16, bits, PYTREE_F64, special, COUNT_OF(special));
    assert_true((bits[0] & 0x7FFF) > 0x7C00);
    assert_int_equal(bits[1], 0xFC00);
    assert_int_equal(bits[2], 0x7C00);
    assert_int_equal(bits[3], 0xFC00);
    assert_int_equal(bits[4], 0);
    assert_int_equal(bits[5], 0x8000);
    convert_lossy(PYTREE_BF16, bits, PYTREE_F64, special, COUNT_OF(special));
    assert_true((bits[0] & 0x7FFF) > 0x7F80);
    assert_int_equal(bits[1], 0xFF80);
}

/* ---- Ravel ------------------------------------------------------------------------------------------------------------- */

static inline bool is_a_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_ITEMS && value->type->kind == PYTREE_KIND_LIST;
}

/* ---- Memory that runs out, deep trees ---------------------------------------------------------------------------------- */

/* A list in a list in a list …, with a number in each. */
enum { DEEP = 3000 };

static inline pytree_status body_ravel(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree *t = context;
    pytree_ravel_options own = { 0 };
    pytree_leaf v = { 0 }, untouched = v;
    pytree_status status;
    own.tree = *opt;
    status = pytree_ravel(*t, &v, &own, error);
    if (status != PYTREE_OK) { assert_memory_equal(&v, &untouched, sizeof v); }
    pytree_ravel_free(&v);
    return status;
}

/* Trees of floats in `numbers`, which must stay as they are where something fails. */
typedef struct Pair {
    pytree a, b;
    pytree_leaf vector;
    float *numbers;
    size_t n;
} Pair;

static inline pytree_status body_unravel(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    pytree_ravel_options own = { 0 };
    pytree_status status;
    size_t i;
    own.tree = *opt;
    for (i = 0; i < pair->n; i++) { pair->numbers[i] = -1; }
    status = pytree_unravel(&pair->vector, pair->a, &own, error);
    for (i = 0; i < pair->n; i++) { assert_true((pair->numbers[i] == -1) == (status != PYTREE_OK)); }
    return status;
}

static inline pytree_status body_ravel_into(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    pytree_ravel_options own = { 0 };
    pytree_leaf v = pair->vector;
    float *to = v.data;
    pytree_status status;
    size_t i;
    own.tree = *opt;
    for (i = 0; i < pair->n; i++) {
        pair->numbers[i] = 1;
        to[i] = -1;
    }
    status = pytree_ravel(pair->a, &v, &own, error);
    for (i = 0; i < pair->n; i++) { assert_true((to[i] == -1) == (status != PYTREE_OK)); }
    return status;
}

static inline pytree_status body_axpy(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    pytree_status status;
    size_t i;
    for (i = 0; i < pair->n; i++) { pair->numbers[i] = -1; }
    status = pytree_axpy(1, pair->a, pair->a, opt, error);
    for (i = 0; i < pair->n; i++) { assert_true((pair->numbers[i] == -1) == (status != PYTREE_OK)); }
    return status;
}

static inline pytree_status body_unravel_like(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    pytree_ravel_options own = { 0 };
    pytree made;
    own.tree = *opt;
    made = pytree_unravel_like(&pair->vector, pair->a, &own, error);
    assert_int_equal(made.data == NULL, error->status != PYTREE_OK);
    pytree_free(made);
    return error->status;
}

static inline pytree_status body_summary(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree *t = context;
    pytree_summary_options own = { 0 };
    char text[100] = "x";
    size_t n;
    own.tree = *opt;
    n = pytree_summary_text(*t, text, sizeof text, &own, error);
    assert_int_equal(n == SIZE_MAX, error->status != PYTREE_OK);
    assert_int_equal(text[0] == '\0', error->status != PYTREE_OK);
    return error->status;
}

/* More leaves than are listed without memory, in a dict of more keys than are sorted without. */
static inline void memory_runs_out_in_wide_trees(void **state)
{
    enum { KEYS = 30, EACH = 10, N = KEYS * EACH };
    static float numbers[N], vector[N];
    static char keys[KEYS][2];
    static pytree leaves[N];
    static pytree_items lists[KEYS];
    static pytree_pair pairs[KEYS];
    pytree_items items = { 0 };
    Pair pair = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) {
        leaves[i].type = PYTREE_TYPE(float);
        leaves[i].data = &numbers[i];
    }
    for (i = 0; i < KEYS; i++) {
        lists[i].count = EACH;
        lists[i].items = leaves + i * EACH;
        keys[i][0] = (char)('z' - i);
        pairs[i].key = keys[i];
        pairs[i].value.type = &pytree_types[PYTREE__T_list];
        pairs[i].value.data = &lists[i];
    }
    items.count = KEYS;
    items.pairs = pairs;
    pair.a.type = &pytree_types[PYTREE__T_dict];
    pair.a.data = &items;
    pair.b = pair.a;
    pair.vector = view_of(PYTREE_F32, vector, N);
    pair.numbers = numbers;
    pair.n = N;
    assert_int_equal(sweep_allocations(body_ravel_into, &pair), 3);
    assert_int_equal(sweep_allocations(body_unravel, &pair), 3);
    assert_int_equal(sweep_allocations(body_axpy, &pair), 4);           /* the list of spans, too */
    assert_int_equal(sweep_allocations(body_ravel, &pair.a), 4);
    assert_true(sweep_allocations(body_unravel_like, &pair) > 6);
}

/* ---- Arithmetic -------------------------------------------------------------------------------------------------------- */

/* Each float type added to each: 2 + 3 * 0.5. More numbers than the library takes at a time. */
static inline void axpy_of_every_float(void **state)
{
    enum { N = 300 };
    static const pytree_dtype floats[] = { PYTREE_F16, PYTREE_BF16, PYTREE_F32, PYTREE_F64, PYTREE_FLONG,
                                           PYTREE_C64, PYTREE_C128, PYTREE_CLONG };
    static unsigned char x[N * 32], y[N * 32];
    static double start[N], step[N], result[N];
    size_t a, b, i;
    (void)state;
    for (i = 0; i < N; i++) {
        start[i] = 2;
        step[i] = i % 2 == 0 ? 0.5 : -4;
    }
    for (a = 0; a < COUNT_OF(floats); a++) {
        for (b = 0; b < COUNT_OF(floats); b++) {
            pytree_leaf from = view_of(floats[a], x, N), to = view_of(floats[b], y, N);
            pytree_error error = { 0 };
            double dot = 0;
            convert_lossy(floats[a], x, PYTREE_F64, step, N);
            convert_lossy(floats[b], y, PYTREE_F64, start, N);
            if (floats[a] >= PYTREE_C64 && floats[b] < PYTREE_C64) {
                assert_error(pytree_axpy(3, pytree_of_view(&from), pytree_of_view(&to), NULL, &error), PYTREE_TYPE, "", &error);
                memset(&error, 0, sizeof error);
            } else {
                assert_ok(pytree_axpy(3, pytree_of_view(&from), pytree_of_view(&to), NULL, &error), &error);
                convert_lossy(PYTREE_F64, result, floats[b], y, N);
                for (i = 0; i < N; i++) { assert_true(result[i] == (i % 2 == 0 ? 3.5 : -10)); }
                assert_ok(pytree_dot(pytree_of_view(&from), pytree_of_view(&to), &dot, NULL, &error), &error);
                assert_true(dot == N / 2 * (0.5 * 3.5 + 40));
            }
        }
    }
}

#endif
