/* Numbers: element types that meet, conversions and what they lose, one vector and back, runs without a copy, the table of a
 * tree, arithmetic over trees. */
#include "support.h"

#include <float.h>
#include <math.h>

#include "pytree/ravel.h"

/* ---- Helpers --------------------------------------------------------------------------------------------------------- */

#define assert_says(error, words) test_assert_says((error), (words), __FILE__, __LINE__)

static void test_assert_says(const pytree_error *error, const char *words, const char *file, int line)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(file, line);
    }
}

static const pytree_ravel_options lossy = { .loss = PYTREE_LOSS_ALLOWED };

static const pytree_dtype all_numbers[] = {
    PYTREE_BOOL8, PYTREE_I8, PYTREE_I16, PYTREE_I32, PYTREE_I64, PYTREE_U8, PYTREE_U16, PYTREE_U32, PYTREE_U64, PYTREE_F16,
    PYTREE_BF16, PYTREE_F32, PYTREE_F64, PYTREE_FLONG, PYTREE_C64, PYTREE_C128, PYTREE_CLONG
};

static pytree_leaf view_of(pytree_dtype dtype, void *data, size_t n)
{
    pytree_leaf v = { 0 };
    v.data = data;
    v.type = pytree_dtype_type(dtype);
    v.ndim = 1;
    v.shape[0] = n;
    return v;
}

/* n elements of one type as another one, lost or not; the status of the conversion. */
static pytree_status convert(pytree_dtype to_type, void *to, pytree_dtype from_type, const void *from, size_t n,
                             pytree_loss loss, pytree_error *error)
{
    pytree_leaf source = view_of(from_type, (void *)(uintptr_t)from, n), target = view_of(to_type, to, n);
    pytree_ravel_options opt = { 0 };
    opt.dtype = to_type;
    opt.loss = loss;
    return pytree_ravel(pytree_of_view(&source), &target, &opt, error);
}

/* The same, which must go well whatever is lost. */
static void convert_lossy(pytree_dtype to_type, void *to, pytree_dtype from_type, const void *from, size_t n)
{
    pytree_error error = { 0 };
    assert_ok(convert(to_type, to, from_type, from, n, PYTREE_LOSS_ALLOWED, &error), &error);
}

/* Is the one number that `from` holds refused as lost? */
static bool is_lost(pytree_dtype to_type, pytree_dtype from_type, const void *from)
{
    unsigned char to[2 * sizeof(long double)], before[sizeof to];
    pytree_error error = { 0 };
    pytree_status status;
    memset(to, 0x5A, sizeof to);
    memcpy(before, to, sizeof to);
    status = convert(to_type, to, from_type, from, 1, PYTREE_LOSS_REFUSED, &error);
    if (status == PYTREE_OK) { return false; }
    assert_error(status, PYTREE_VALUE, "", &error);
    assert_memory_equal(to, before, sizeof to);
    return true;
}

/* ---- Promotion --------------------------------------------------------------------------------------------------------- */

static pytree_dtype promote2(pytree_dtype a, pytree_dtype b, pytree_promotion rules)
{
    pytree_dtype both[2], there, back;
    both[0] = a;
    both[1] = b;
    there = pytree_promote(2, both, rules);
    both[0] = b;
    both[1] = a;
    back = pytree_promote(2, both, rules);
    assert_int_equal(there, back);
    return there;
}

static void promotion_tables(void **state)
{
    static const struct { pytree_dtype a, b, x64, x32, numpy; } cases[] = {
        { PYTREE_BOOL8, PYTREE_BOOL8, PYTREE_BOOL8, PYTREE_BOOL8, PYTREE_BOOL8 },
        { PYTREE_BOOL8, PYTREE_I8, PYTREE_I8, PYTREE_I8, PYTREE_I8 },
        { PYTREE_BOOL8, PYTREE_U64, PYTREE_U64, PYTREE_U32, PYTREE_U64 },
        { PYTREE_I8, PYTREE_U8, PYTREE_I16, PYTREE_I16, PYTREE_I16 },
        { PYTREE_I16, PYTREE_U8, PYTREE_I16, PYTREE_I16, PYTREE_I16 },
        { PYTREE_I8, PYTREE_U16, PYTREE_I32, PYTREE_I32, PYTREE_I32 },
        { PYTREE_I32, PYTREE_U32, PYTREE_I64, PYTREE_I32, PYTREE_I64 },
        { PYTREE_I64, PYTREE_U64, PYTREE_F64, PYTREE_I32, PYTREE_F64 },
        { PYTREE_U8, PYTREE_U16, PYTREE_U16, PYTREE_U16, PYTREE_U16 },
        { PYTREE_I64, PYTREE_F16, PYTREE_F16, PYTREE_F16, PYTREE_F64 },
        { PYTREE_U16, PYTREE_F16, PYTREE_F16, PYTREE_F16, PYTREE_F32 },
        { PYTREE_U8, PYTREE_BF16, PYTREE_BF16, PYTREE_BF16, PYTREE_BF16 },
        { PYTREE_I16, PYTREE_BF16, PYTREE_BF16, PYTREE_BF16, PYTREE_NO_DTYPE },
        { PYTREE_F16, PYTREE_BF16, PYTREE_F32, PYTREE_F32, PYTREE_NO_DTYPE },
        { PYTREE_I32, PYTREE_F32, PYTREE_F32, PYTREE_F32, PYTREE_F64 },
        { PYTREE_F32, PYTREE_F64, PYTREE_F64, PYTREE_F32, PYTREE_F64 },
        { PYTREE_F64, PYTREE_FLONG, PYTREE_FLONG, PYTREE_F32, PYTREE_FLONG },
        { PYTREE_C64, PYTREE_F16, PYTREE_C64, PYTREE_C64, PYTREE_C64 },
        { PYTREE_C64, PYTREE_F64, PYTREE_C128, PYTREE_C64, PYTREE_C128 },
        { PYTREE_C64, PYTREE_I32, PYTREE_C64, PYTREE_C64, PYTREE_C128 },
        { PYTREE_C128, PYTREE_BOOL8, PYTREE_C128, PYTREE_C64, PYTREE_C128 },
        { PYTREE_C64, PYTREE_FLONG, PYTREE_CLONG, PYTREE_C64, PYTREE_CLONG }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(promote2(cases[i].a, cases[i].b, PYTREE_PROMOTE_JAX), cases[i].x64);
        assert_int_equal(promote2(cases[i].a, cases[i].b, PYTREE_PROMOTE_JAX_X32), cases[i].x32);
        assert_int_equal(promote2(cases[i].a, cases[i].b, PYTREE_PROMOTE_NUMPY), cases[i].numpy);
    }
}

static void promotion_of_one_none_and_many(void **state)
{
    static const pytree_dtype many[] = { PYTREE_U64, PYTREE_I8, PYTREE_F32 }, wrong[] = { PYTREE_F32, PYTREE_STRING };
    const pytree_dtype opaque = PYTREE_OPAQUE, nothing = PYTREE_NO_DTYPE;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(all_numbers); i++) {
        assert_int_equal(pytree_promote(1, &all_numbers[i], PYTREE_PROMOTE_JAX), all_numbers[i]);
        assert_int_equal(pytree_promote(1, &all_numbers[i], PYTREE_PROMOTE_NUMPY), all_numbers[i]);
        assert_int_equal(pytree_dtype_type(all_numbers[i])->dtype, all_numbers[i]);
    }
    assert_int_equal(pytree_promote(0, NULL, PYTREE_PROMOTE_JAX), PYTREE_F32);
    assert_int_equal(pytree_promote(0, NULL, PYTREE_PROMOTE_NUMPY), PYTREE_F64);
    assert_int_equal(pytree_promote(3, many, PYTREE_PROMOTE_JAX), PYTREE_F32);
    assert_int_equal(pytree_promote(3, many, PYTREE_PROMOTE_NUMPY), PYTREE_F64);
    assert_int_equal(pytree_promote(2, wrong, PYTREE_PROMOTE_JAX), PYTREE_NO_DTYPE);
    assert_int_equal(pytree_promote(1, &opaque, PYTREE_PROMOTE_JAX), PYTREE_NO_DTYPE);
    assert_int_equal(pytree_promote(1, &nothing, PYTREE_PROMOTE_JAX), PYTREE_NO_DTYPE);
    assert_null(pytree_dtype_type(PYTREE_OPAQUE));
    assert_null(pytree_dtype_type(PYTREE_NO_DTYPE));
    assert_ptr_equal(pytree_dtype_type(PYTREE_STRING), &pytree_types[PYTREE__T_string]);
}

/* ---- Conversion -------------------------------------------------------------------------------------------------------- */

/* One and zero are in every type: to any type and back they are what they were. */
static void every_pair_of_types(void **state)
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
static void every_half(pytree_dtype dtype, uint16_t infinity)
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

static void halves(void **state)
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

/* Rounding to 53 bits first would land in the middle of two bfloat16, and then on the wrong one. */
static void rounded_once(void **state)
{
    const int64_t whole[] = { (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1, -((INT64_C(1) << 62) + (INT64_C(1) << 54) + 1),
                              (INT64_C(1) << 62) + (INT64_C(1) << 54) };
    const uint64_t large[] = { (UINT64_C(1) << 63) + (UINT64_C(1) << 55) + 1, UINT64_MAX };
    const int64_t to_float = (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1;
    uint16_t bits[3];
    float single;
    (void)state;
    convert_lossy(PYTREE_BF16, bits, PYTREE_I64, whole, 3);
    assert_int_equal(bits[0], 0x5E81);
    assert_int_equal(bits[1], 0xDE81);
    assert_int_equal(bits[2], 0x5E80);
    convert_lossy(PYTREE_BF16, bits, PYTREE_U64, large, 2);
    assert_int_equal(bits[0], 0x5F01);
    assert_int_equal(bits[1], 0x5F80);
    convert_lossy(PYTREE_F32, &single, PYTREE_I64, &to_float, 1);
    assert_true(single == ldexpf(1, 60) + ldexpf(1, 37) || under_valgrind());     /* it rounds twice */
    if (LDBL_MANT_DIG >= 64 && !under_valgrind()) {
        const long double fine[] = { 1.0L + ldexpl(1, -8) + ldexpl(1, -60), 1.0L + 3 * ldexpl(1, -8) - ldexpl(1, -60) };
        convert_lossy(PYTREE_BF16, bits, PYTREE_FLONG, fine, 2);
        assert_int_equal(bits[0], 0x3F81);
        assert_int_equal(bits[1], 0x3F81);
    }
}

static void floats_to_integers(void **state)
{
    const double values[] = { 1.875, -1.875, 0.5, -0.5, 300.0, -300.0, 1e30, -1e30, NAN, INFINITY, -INFINITY, -128.9, 127.9 };
    const int8_t i8[] = { 1, -1, 0, 0, 127, -128, 127, -128, 0, 127, -128, -128, 127 };
    const uint8_t u8[] = { 1, 0, 0, 0, 255, 0, 255, 0, 0, 255, 0, 0, 127 };
    const int64_t i64[] = { 1, -1, 0, 0, 300, -300, INT64_MAX, INT64_MIN, 0, INT64_MAX, INT64_MIN, -128, 127 };
    const uint64_t u64[] = { 1, 0, 0, 0, 300, 0, UINT64_MAX, 0, 0, UINT64_MAX, 0, 0, 127 };
    const bool truth[] = { true, true, true, true, true, true, true, true, true, true, true, true, true };
    const double edges[] = { 9223372036854775808.0, 18446744073709549568.0, -9223372036854775808.0, 0.0 };
    const long double wide[] = { 2.75L, -1e30L, NAN };
    int64_t as_i64[COUNT_OF(values)];
    uint64_t as_u64[COUNT_OF(values)];
    int8_t as_i8[COUNT_OF(values)];
    uint8_t as_u8[COUNT_OF(values)];
    bool as_bool[COUNT_OF(values)];
    (void)state;
    convert_lossy(PYTREE_I8, as_i8, PYTREE_F64, values, COUNT_OF(values));
    convert_lossy(PYTREE_U8, as_u8, PYTREE_F64, values, COUNT_OF(values));
    convert_lossy(PYTREE_I64, as_i64, PYTREE_F64, values, COUNT_OF(values));
    convert_lossy(PYTREE_U64, as_u64, PYTREE_F64, values, COUNT_OF(values));
    convert_lossy(PYTREE_BOOL8, as_bool, PYTREE_F64, values, COUNT_OF(values));
    assert_memory_equal(as_i8, i8, sizeof i8);
    assert_memory_equal(as_u8, u8, sizeof u8);
    assert_memory_equal(as_i64, i64, sizeof i64);
    assert_memory_equal(as_u64, u64, sizeof u64);
    assert_memory_equal(as_bool, truth, sizeof truth);
    convert_lossy(PYTREE_U64, as_u64, PYTREE_F64, edges, COUNT_OF(edges));
    assert_true(as_u64[0] == UINT64_C(9223372036854775808) && as_u64[1] == UINT64_C(18446744073709549568) && as_u64[2] == 0);
    convert_lossy(PYTREE_I64, as_i64, PYTREE_F64, edges, COUNT_OF(edges));
    assert_true(as_i64[0] == INT64_MAX && as_i64[1] == INT64_MAX && as_i64[2] == INT64_MIN && as_i64[3] == 0);
    convert_lossy(PYTREE_I8, as_i8, PYTREE_FLONG, wide, COUNT_OF(wide));
    assert_true(as_i8[0] == 2 && as_i8[1] == -128 && as_i8[2] == 0);
    convert_lossy(PYTREE_BOOL8, as_bool, PYTREE_F64, &edges[3], 1);
    assert_false(as_bool[0]);
}

static void integers_wrap(void **state)
{
    const int64_t values[] = { 256 + 5, -1, INT64_MIN, 40000 };
    const uint64_t large = UINT64_C(0xFFFFFFFF80000001);
    int8_t i8[4];
    uint16_t u16[4];
    uint64_t u64[4];
    int32_t i32;
    bool truth[4];
    (void)state;
    convert_lossy(PYTREE_I8, i8, PYTREE_I64, values, 4);
    assert_true(i8[0] == 5 && i8[1] == -1 && i8[2] == 0 && i8[3] == 64);
    convert_lossy(PYTREE_U16, u16, PYTREE_I64, values, 4);
    assert_true(u16[0] == 261 && u16[1] == 65535 && u16[2] == 0 && u16[3] == 40000);
    convert_lossy(PYTREE_U64, u64, PYTREE_I64, values, 4);
    assert_true(u64[1] == UINT64_MAX && u64[2] == UINT64_C(1) << 63);
    convert_lossy(PYTREE_BOOL8, truth, PYTREE_I64, values, 4);
    assert_true(truth[0] && truth[1] && truth[2] && truth[3]);
    convert_lossy(PYTREE_I32, &i32, PYTREE_U64, &large, 1);
    assert_int_equal(i32, INT32_MIN + 1);
}

/* Complex numbers lie as two real ones, in the order that C gives them. */
static void complex_numbers(void **state)
{
    const float from[] = { 1.5f, -2.0f, 0.0f, 3.0f, 0.0f, 0.0f };
    double both[6], real[3];
    float back[6];
    bool truth[3];
    long double wide[6];
    (void)state;
    convert_lossy(PYTREE_C128, both, PYTREE_C64, from, 3);
    assert_true(both[0] == 1.5 && both[1] == -2.0 && both[2] == 0 && both[3] == 3.0);
    convert_lossy(PYTREE_F64, real, PYTREE_C64, from, 3);
    assert_true(real[0] == 1.5 && real[1] == 0 && real[2] == 0);
    convert_lossy(PYTREE_C64, back, PYTREE_F64, real, 3);
    assert_true(back[0] == 1.5f && back[1] == 0 && back[2] == 0 && back[3] == 0);
    convert_lossy(PYTREE_BOOL8, truth, PYTREE_C64, from, 3);
    assert_true(truth[0] && truth[1] && !truth[2]);
    convert_lossy(PYTREE_CLONG, wide, PYTREE_C64, from, 3);
    assert_true(wide[1] == -2 && wide[3] == 3 && wide[5] == 0);
    assert_true(is_lost(PYTREE_F32, PYTREE_C64, &from[0]));
    assert_true(is_lost(PYTREE_BOOL8, PYTREE_C64, &from[2]));
    assert_false(is_lost(PYTREE_F32, PYTREE_C64, &from[4]));
}

static void what_is_lost(void **state)
{
    const int64_t whole[] = { (INT64_C(1) << 53) + 1, INT64_C(1) << 53, INT64_MIN, -1, 128 };
    const uint64_t large[] = { UINT64_MAX, UINT64_C(1) << 63 };
    const int32_t middle[] = { 16777217, 16777216 };
    const double reals[] = { 0.1, 0.5, NAN, INFINITY, 1e300, 2.5, -0.0, 70000.0, 1e-300 };
    const float single = 0.1f;
    (void)state;
    assert_true(is_lost(PYTREE_F64, PYTREE_I64, &whole[0]));
    assert_false(is_lost(PYTREE_F64, PYTREE_I64, &whole[1]));
    assert_false(is_lost(PYTREE_F64, PYTREE_I64, &whole[2]));
    assert_true(is_lost(PYTREE_U64, PYTREE_I64, &whole[3]));
    assert_true(is_lost(PYTREE_I8, PYTREE_I64, &whole[4]));
    assert_false(is_lost(PYTREE_U8, PYTREE_I64, &whole[4]));
    assert_true(is_lost(PYTREE_BOOL8, PYTREE_I64, &whole[4]));
    assert_true(is_lost(PYTREE_F64, PYTREE_U64, &large[0]));                /* rounds to 2^64, which no uint64_t is */
    assert_false(is_lost(PYTREE_F64, PYTREE_U64, &large[1]));
    assert_true(is_lost(PYTREE_I64, PYTREE_U64, &large[1]));
    assert_true(is_lost(PYTREE_F32, PYTREE_I32, &middle[0]));
    assert_false(is_lost(PYTREE_F32, PYTREE_I32, &middle[1]));
    assert_true(is_lost(PYTREE_F32, PYTREE_F64, &reals[0]));
    assert_false(is_lost(PYTREE_BF16, PYTREE_F64, &reals[1]));
    assert_false(is_lost(PYTREE_F16, PYTREE_F64, &reals[2]));
    assert_false(is_lost(PYTREE_BF16, PYTREE_F64, &reals[3]));
    assert_true(is_lost(PYTREE_F32, PYTREE_F64, &reals[4]));
    assert_true(is_lost(PYTREE_I32, PYTREE_F64, &reals[5]));
    assert_false(is_lost(PYTREE_I32, PYTREE_F64, &reals[6]));
    assert_true(is_lost(PYTREE_F16, PYTREE_F64, &reals[7]));
    assert_false(is_lost(PYTREE_I32, PYTREE_F64, &reals[7]));
    assert_true(is_lost(PYTREE_I16, PYTREE_F64, &reals[7]));
    assert_true(is_lost(PYTREE_I64, PYTREE_F64, &reals[2]));
    assert_true(is_lost(PYTREE_BF16, PYTREE_F64, &reals[8]));
    assert_true(is_lost(PYTREE_BF16, PYTREE_F32, &single));
    if (LDBL_MANT_DIG >= 64 && !under_valgrind()) {
        const long double fine = 1.0L + ldexpl(1, -60), end = 18446744073709551615.0L;
        assert_true(is_lost(PYTREE_F64, PYTREE_FLONG, &fine));
        assert_false(is_lost(PYTREE_U64, PYTREE_FLONG, &end));
        assert_false(is_lost(PYTREE_FLONG, PYTREE_U64, &large[0]));
        assert_true(is_lost(PYTREE_I64, PYTREE_FLONG, &end));
    }
}

/* A type that has every number of another one takes it even where loss is refused by type; otherwise not even a zero. */
static void refused_by_type(void **state)
{
    static const pytree_dtype widens[][2] = {
        { PYTREE_BOOL8, PYTREE_I8 }, { PYTREE_BOOL8, PYTREE_F16 }, { PYTREE_I8, PYTREE_I16 }, { PYTREE_U8, PYTREE_I16 },
        { PYTREE_U8, PYTREE_U16 }, { PYTREE_I8, PYTREE_F16 }, { PYTREE_I8, PYTREE_BF16 }, { PYTREE_U8, PYTREE_BF16 },
        { PYTREE_I16, PYTREE_F32 }, { PYTREE_U16, PYTREE_F32 }, { PYTREE_I32, PYTREE_F64 }, { PYTREE_U32, PYTREE_F64 },
        { PYTREE_F16, PYTREE_F32 }, { PYTREE_BF16, PYTREE_F32 }, { PYTREE_F32, PYTREE_F64 }, { PYTREE_F64, PYTREE_FLONG },
        { PYTREE_F32, PYTREE_C64 }, { PYTREE_I16, PYTREE_C64 }, { PYTREE_C64, PYTREE_C128 }, { PYTREE_U32, PYTREE_I64 }
    };
    static const pytree_dtype loses[][2] = {
        { PYTREE_I8, PYTREE_BOOL8 }, { PYTREE_I8, PYTREE_U64 }, { PYTREE_U8, PYTREE_I8 }, { PYTREE_I64, PYTREE_F64 },
        { PYTREE_I32, PYTREE_F32 }, { PYTREE_I16, PYTREE_F16 }, { PYTREE_U16, PYTREE_BF16 }, { PYTREE_F16, PYTREE_BF16 },
        { PYTREE_BF16, PYTREE_F16 }, { PYTREE_F32, PYTREE_I64 }, { PYTREE_F64, PYTREE_F32 }, { PYTREE_C64, PYTREE_F64 },
        { PYTREE_F64, PYTREE_C64 }, { PYTREE_F16, PYTREE_BOOL8 }, { PYTREE_I16, PYTREE_I8 }, { PYTREE_U64, PYTREE_I64 }
    };
    const long double zero[2] = { 0, 0 };
    long double to[2];
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(widens); i++) {
        pytree_error error = { 0 };
        assert_ok(convert(widens[i][1], to, widens[i][0], zero, 1, PYTREE_LOSS_REFUSED_BY_TYPE, &error), &error);
    }
    for (i = 0; i < COUNT_OF(loses); i++) {
        pytree_error error = { 0 };
        pytree_status status = convert(loses[i][1], to, loses[i][0], zero, 1, PYTREE_LOSS_REFUSED_BY_TYPE, &error);
        assert_error(status, PYTREE_TYPE, "", &error);
        memset(&error, 0, sizeof error);
        assert_ok(convert(loses[i][1], to, loses[i][0], zero, 1, PYTREE_LOSS_REFUSED, &error), &error);
    }
}

/* ---- Ravel ------------------------------------------------------------------------------------------------------------- */

static void ravel_into_new_memory(void **state)
{
    MLP model = mlp_make(2, false);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 }, shape;
    pytree_ravel_options opt = { 0 };
    Heap heap;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.tree.allocator = &heap.allocator;
    opt.tree.alignment = 256;
    assert_ok(pytree_ravel_shape(PYTREE(&model), &shape, NULL, &error), &error);
    assert_null(shape.data);
    assert_int_equal(shape.shape[0], 12 + 3 + 6 + 2 + 6);
    assert_ok(pytree_ravel(PYTREE(&model), &v, &opt, &error), &error);
    assert_int_equal(heap.calls, 1);
    assert_int_equal((uintptr_t)v.data % 256, 0);
    assert_ptr_equal(v.type, PYTREE_TYPE(float));
    assert_int_equal(v.ndim, 1);
    assert_int_equal(v.form, PYTREE_FORM_LEAF);
    assert_int_equal(v.shape[0], 29);
    assert_memory_equal(v.data, model.layers[0].w, 12 * sizeof(float));
    assert_memory_equal((float *)v.data + 12, model.layers[0].b, 3 * sizeof(float));
    assert_memory_equal((float *)v.data + 15, model.layers[1].w, 6 * sizeof(float));
    assert_memory_equal((float *)v.data + 21, model.layers[1].b, 2 * sizeof(float));
    assert_memory_equal((float *)v.data + 23, model.scale, 6 * sizeof(float));
    pytree_ravel_free(&v);
    assert_null(v.data);
    pytree_ravel_free(&v);
    pytree_ravel_free(NULL);
    assert_heap_clean(&heap);
    assert_ok(pytree_ravel(PYTREE(&model), &v, NULL, &error), &error);
    assert_int_equal((uintptr_t)v.data % 64, 0);
    pytree_ravel_free(&v);
    opt.tree.alignment = 48;
    assert_error(pytree_ravel(PYTREE(&model), &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_null(v.data);
    mlp_clear(&model);
}

static void ravel_into_memory_of_the_callers(void **state)
{
    MLP model = mlp_make(1, false);
    float buffer[30];
    double wide[30];
    pytree_error error = { 0 };
    pytree_leaf v = PYTREE_VECTOR(buffer, 30), w = PYTREE_VECTOR(wide, 30);
    pytree_ravel_options opt = { 0 };
    Heap heap;
    size_t i;
    (void)state;
    heap_init(&heap, 0);
    opt.tree.allocator = &heap.allocator;
    buffer[21] = -7;
    assert_ok(pytree_ravel(PYTREE(&model), &v, &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    assert_ptr_equal(v.data, buffer);
    assert_int_equal(v.shape[0], 21);
    assert_memory_equal(buffer, model.layers[0].w, 12 * sizeof(float));
    assert_memory_equal(buffer + 15, model.scale, sizeof model.scale);
    assert_true(buffer[21] == -7);
    assert_error(pytree_ravel(PYTREE(&model), &w, &opt, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "expected a vector of f32, got one of f64");
    opt.dtype = PYTREE_F64;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_ravel(PYTREE(&model), &w, &opt, &error), &error);
    for (i = 0; i < 21; i++) { assert_true(wide[i] == (double)buffer[i]); }
    v.shape[0] = 20;
    assert_error(pytree_ravel(PYTREE(&model), &v, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_says(&error, "expected room for 21 elements, got 20");
    assert_int_equal(v.shape[0], 20);
    mlp_clear(&model);
}

static void ravel_meets_in_one_type(void **state)
{
    int32_t whole[2] = { 1, 2 };
    float half[1] = { 0.5f };
    int64_t count = 16777217;
    pytree t = PYTREE_TUPLE(PYTREE_ARRAY(whole, 2), PYTREE_ARRAY(half, 1));
    pytree with_count = PYTREE_DICT({ "w", PYTREE_ARRAY(half, 1) }, { "n", PYTREE(&count) });
    pytree_ravel_options numpy = { .promotion = PYTREE_PROMOTE_NUMPY };
    pytree_ravel_options small = { .promotion = PYTREE_PROMOTE_JAX_X32 };
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    (void)state;
    assert_ok(pytree_ravel(t, &v, NULL, &error), &error);
    assert_int_equal(v.type->dtype, PYTREE_F32);
    assert_true(((float *)v.data)[0] == 1 && ((float *)v.data)[1] == 2 && ((float *)v.data)[2] == 0.5f);
    pytree_ravel_free(&v);
    assert_error(pytree_ravel(with_count, &v, NULL, &error), PYTREE_VALUE, "['n']", &error);
    assert_says(&error, "expected numbers that f32 has, got 16777217 at element 0");
    assert_null(v.data);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_ravel(with_count, &v, &lossy, &error), &error);
    assert_true(((float *)v.data)[0] == 16777216.0f && ((float *)v.data)[1] == 0.5f);
    pytree_ravel_free(&v);
    assert_ok(pytree_ravel(with_count, &v, &numpy, &error), &error);
    assert_int_equal(v.type->dtype, PYTREE_F64);
    assert_true(((double *)v.data)[0] == 16777217.0);
    pytree_ravel_free(&v);
    assert_ok(pytree_ravel(PYTREE(&count), &v, &small, &error), &error);
    assert_int_equal(v.type->dtype, PYTREE_I32);
    pytree_ravel_free(&v);
    count = INT64_C(1) << 32;
    assert_error(pytree_ravel(PYTREE(&count), &v, &small, &error), PYTREE_VALUE, "", &error);
}

static void ravel_no_common_type(void **state)
{
    pytree_f16 half = { 0x3C00 };
    pytree_bf16 brain = { 0x3F80 };
    pytree t = PYTREE_TUPLE(PYTREE(&half), PYTREE(&brain));
    pytree_ravel_options opt = { .promotion = PYTREE_PROMOTE_NUMPY };
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    (void)state;
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "got f16, bf16");
    opt.dtype = PYTREE_F16;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_ravel(t, &v, &opt, &error), &error);
    assert_true(((uint16_t *)v.data)[0] == 0x3C00 && ((uint16_t *)v.data)[1] == 0x3C00);
    pytree_ravel_free(&v);
    opt.dtype = PYTREE_STRING;
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
}

/* No leaves, and leaves without elements, whose type counts too. */
static void ravel_of_nothing(void **state)
{
    float none[1] = { 1 };
    int8_t two[2] = { 1, 2 };
    pytree empty = PYTREE_ARRAY(none, 0, 3);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    (void)state;
    assert_ok(pytree_ravel(PYTREE_LIST(PYTREE_NONE), &v, NULL, &error), &error);
    assert_int_equal(v.shape[0], 0);
    assert_int_equal(v.type->dtype, PYTREE_F32);
    assert_ok(pytree_unravel(&v, PYTREE_LIST(), NULL, &error), &error);
    pytree_ravel_free(&v);
    assert_ok(pytree_ravel(PYTREE_LIST(empty, PYTREE_ARRAY(two, 2)), &v, NULL, &error), &error);
    assert_int_equal(v.shape[0], 2);
    assert_int_equal(v.type->dtype, PYTREE_F32);
    assert_true(((float *)v.data)[1] == 2);
    pytree_ravel_free(&v);
}

static bool is_a_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_ITEMS && value->type->kind == PYTREE_KIND_LIST;
}

static void only_numbers(void **state)
{
    Everything all = everything_make(false);
    int n = 1;
    void *address = &n;
    pytree_leaf opaque = { 0 }, v = { 0 };
    pytree inner = PYTREE_LIST(PYTREE_INT(1));
    pytree t = PYTREE_DICT({ "a", PYTREE_INT(1) }, { "b", inner });
    pytree_ravel_options opt = { 0 };
    pytree_error error = { 0 };
    double sum = -1;
    (void)state;
    assert_error(pytree_ravel(PYTREE(&all), &v, &lossy, &error), PYTREE_TYPE, ".name", &error);
    assert_says(&error, "expected numbers, got str");
    memset(&error, 0, sizeof error);
    opaque.data = &address;
    opaque.type = &pytree_types[PYTREE__T_address];
    assert_error(pytree_ravel(PYTREE_LIST(PYTREE(&opaque)), &v, NULL, &error), PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    opt.tree.none_is_leaf = true;
    assert_error(pytree_ravel(PYTREE_LIST(PYTREE(&n), PYTREE_NONE), &v, &opt, &error), PYTREE_TYPE, "[1]", &error);
    assert_says(&error, "None");
    memset(&error, 0, sizeof error);
    opt.tree.none_is_leaf = false;
    opt.tree.is_leaf = is_a_list;
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "['b']", &error);
    assert_says(&error, "a list");
    memset(&error, 0, sizeof error);
    assert_error(pytree_dot(t, t, &sum, &opt.tree, &error), PYTREE_TYPE, "['a']", &error);
    assert_true(sum == -1);
    assert_null(v.data);
    everything_clear(&all);
}

static void bad_vectors(void **state)
{
    float numbers[4] = { 0 };
    pytree t = PYTREE_ARRAY(numbers, 4);
    pytree_leaf v = PYTREE_VECTOR(numbers, 4), views[1];
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_ravel(t, NULL, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(NULL, t, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    v.type = NULL;
    assert_error(pytree_ravel(t, &v, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    v = PYTREE_VECTOR(numbers, 4);
    v.ndim = 2;
    v.shape[1] = 1;
    assert_error(pytree_unravel(&v, t, NULL, &error), PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel_views(&v, t, views, 1, NULL, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_int_equal(pytree_ravel(t, NULL, NULL, NULL), PYTREE_ARGUMENT);
}

/* Counts that no memory could have: two leaves that lie nowhere. */
static void too_many_elements(void **state)
{
    char byte = 0;
    pytree_leaf huge = { 0 }, v = { 0 };
    pytree_error error = { 0 };
    (void)state;
    huge.data = &byte;
    huge.type = PYTREE_TYPE(char);
    huge.ndim = 1;
    huge.shape[0] = PTRDIFF_MAX;
    assert_error(pytree_ravel(PYTREE_LIST(PYTREE(&huge), PYTREE(&huge), PYTREE(&huge)), &v, &lossy, &error), PYTREE_OVERFLOW,
                 "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_ravel_shape(PYTREE(&huge), &v, NULL, &error), PYTREE_OVERFLOW, "", &error);
}

/* ---- Unravel ----------------------------------------------------------------------------------------------------------- */

static void there_and_back(void **state)
{
    MLP model = mlp_make(2, true), other = mlp_make(2, true);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    pytree fresh;
    size_t i;
    (void)state;
    assert_ok(pytree_ravel(PYTREE(&model), &v, NULL, &error), &error);
    for (i = 0; i < v.shape[0]; i++) { ((float *)v.data)[i] = -1.0f - (float)i; }
    assert_ok(pytree_unravel(&v, PYTREE(&other), NULL, &error), &error);
    assert_true(other.layers[0].w[0] == -1 && other.layers[0].b[0] == -13 && other.scale[1][2] == -(float)v.shape[0]);
    assert_false(pytree_equal(PYTREE(&model), PYTREE(&other), NULL, NULL, NULL));
    fresh = pytree_unravel_like(&v, PYTREE(&model), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(fresh, PYTREE(&other), NULL, NULL, &error));
    assert_true(model.layers[0].w[0] == 100);
    pytree_free(fresh);
    pytree_ravel_free(&v);
    mlp_clear(&model);
    mlp_clear(&other);
}

static void unravel_checks_the_length(void **state)
{
    float numbers[2] = { 1, 2 }, vector[3] = { 7, 8, 9 };
    pytree_leaf v = PYTREE_VECTOR(vector, 3);
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unravel(&v, PYTREE_ARRAY(numbers, 2), NULL, &error), PYTREE_SHAPE, "", &error);
    assert_says(&error, "expected a vector of 2 elements, got 3");
    v.shape[0] = 1;
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(&v, PYTREE_ARRAY(numbers, 2), NULL, &error), PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(&v, PYTREE_LIST(), NULL, &error), PYTREE_SHAPE, "", &error);
    assert_true(numbers[0] == 1 && numbers[1] == 2);
    memset(&error, 0, sizeof error);
    assert_null(pytree_unravel_like(&v, PYTREE_ARRAY(numbers, 2), NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, "", &error);
}

static void unravel_checks_the_type(void **state)
{
    float real[1] = { 1 };
    int32_t whole[2] = { 2, 3 }, other[3] = { 4, 5, 6 };
    float vector[3] = { 4.5f, 5.5f, -6.5f };
    double wide[3] = { 0.5, 6, 7 };
    pytree mixed = PYTREE_LIST(PYTREE_ARRAY(real, 1), PYTREE_ARRAY(whole, 2));
    pytree_leaf v = PYTREE_VECTOR(vector, 3), w = PYTREE_VECTOR(other, 3), d = PYTREE_VECTOR(wide, 3);
    pytree_ravel_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unravel(&w, mixed, NULL, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "expected a vector of f32, got one of i32");
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(&v, mixed, NULL, &error), PYTREE_VALUE, "[1]", &error);
    assert_says(&error, "expected numbers that i32 has, got 5.5 at element 0");
    assert_true(real[0] == 1 && whole[0] == 2 && whole[1] == 3);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_unravel(&v, mixed, &lossy, &error), &error);
    assert_true(real[0] == 4.5f && whole[0] == 5 && whole[1] == -6);
    opt.dtype = PYTREE_F64;
    assert_ok(pytree_unravel(&d, mixed, &opt, &error), &error);
    assert_true(real[0] == 0.5f && whole[0] == 6 && whole[1] == 7);
    opt.loss = PYTREE_LOSS_REFUSED_BY_TYPE;
    assert_error(pytree_unravel(&d, mixed, &opt, &error), PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    w.shape[0] = 1;                       /* all leaves of one type: a vector of any type, unless the options name one */
    assert_ok(pytree_unravel(&w, PYTREE_ARRAY(real, 1), NULL, &error), &error);
    assert_true(real[0] == 4);
    opt.loss = PYTREE_LOSS_REFUSED;
    assert_error(pytree_unravel(&w, PYTREE_ARRAY(real, 1), &opt, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    w.type = &pytree_types[PYTREE__T_string];
    assert_error(pytree_unravel(&w, PYTREE_ARRAY(real, 1), NULL, &error), PYTREE_TYPE, "", &error);
}

static void views_into_the_vector(void **state)
{
    Linear layer = linear_make(2, 3, 1), *made;
    double wide[9];
    float narrow[9];
    pytree_leaf v = PYTREE_VECTOR(narrow, 9), w = PYTREE_VECTOR(wide, 9), views[2] = { { 0 } };
    pytree_leaf *structure_only = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree t;
    pytree_error error = { 0 };
    size_t count = 0, i;
    (void)state;
    for (i = 0; i < 9; i++) { wide[i] = narrow[i] = (float)i; }
    assert_ok(pytree_unravel_views(&v, PYTREE(&layer), views, 2, &count, NULL, &error), &error);
    assert_int_equal(count, 2);
    assert_ptr_equal(views[0].data, narrow);
    assert_ptr_equal(views[1].data, narrow + 6);
    assert_int_equal(views[0].ndim, 2);
    assert_int_equal(views[0].shape[1], 3);
    assert_ok(pytree_flatten(PYTREE(&layer), &structure_only, 0, &def, NULL, &error), &error);
    t = pytree_unflatten(def, 2, views, NULL, &error);
    assert_ok(error.status, &error);
    made = t.data;
    assert_ptr_equal(made->b, narrow + 6);
    assert_int_equal(made->din, 2);
    pytree_free(t);
    assert_ok(pytree_unravel_views(&w, PYTREE(&layer), views, 2, NULL, NULL, &error), &error);      /* another type */
    flat.def = def;
    flat.leaves = views;
    assert_true(pytree_contiguous(PYTREE(&flat), 0, &v, NULL, &error));
    assert_ptr_equal(v.data, wide);
    assert_int_equal(v.type->dtype, PYTREE_F64);
    views[0].data = NULL;
    assert_error(pytree_unravel_views(&w, PYTREE(&layer), views, 1, &count, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
    assert_int_equal(count, 2);
    assert_null(views[0].data);
    memset(&error, 0, sizeof error);
    w.shape[0] = 8;
    assert_error(pytree_unravel_views(&w, PYTREE(&layer), views, 2, NULL, NULL, &error), PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel_views(&w, PYTREE_LIST(PYTREE_INT(1), PYTREE_FLOAT(1)), views, 2, NULL, NULL, &error),
                 PYTREE_TYPE, "", &error);
    assert_says(&error, "expected leaves of one element type, got i64, f64");
    pytree_def_free(def);
    linear_clear(&layer);
}

/* ---- Memory that runs out, deep trees ------------------------------------------------------------------------------------ */

/* A list in a list in a list …, with a number in each. */
enum { DEEP = 3000 };
typedef struct Nest {
    float numbers[DEEP];
    pytree_items nodes[DEEP];
    pytree children[DEEP][2];
} Nest;

static pytree nest_make(Nest *nest, size_t depth)
{
    pytree t = PYTREE_NONE;
    size_t i;
    for (i = depth; i-- > 0;) {
        nest->numbers[i] = (float)i;
        nest->children[i][0].type = PYTREE_TYPE(float);
        nest->children[i][0].data = &nest->numbers[i];
        nest->children[i][1] = t;
        memset(&nest->nodes[i], 0, sizeof nest->nodes[i]);
        nest->nodes[i].count = 2;
        nest->nodes[i].items = nest->children[i];
        t.type = &pytree_types[PYTREE__T_list];
        t.data = &nest->nodes[i];
    }
    return t;
}

static pytree_status body_ravel(void *context, const pytree_options *opt, pytree_error *error)
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

static pytree_status body_unravel(void *context, const pytree_options *opt, pytree_error *error)
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

static pytree_status body_ravel_into(void *context, const pytree_options *opt, pytree_error *error)
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

static pytree_status body_axpy(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    pytree_status status;
    size_t i;
    for (i = 0; i < pair->n; i++) { pair->numbers[i] = -1; }
    status = pytree_axpy(1, pair->a, pair->a, opt, error);
    for (i = 0; i < pair->n; i++) { assert_true((pair->numbers[i] == -1) == (status != PYTREE_OK)); }
    return status;
}

static pytree_status body_unravel_like(void *context, const pytree_options *opt, pytree_error *error)
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

static pytree_status body_summary(void *context, const pytree_options *opt, pytree_error *error)
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

static pytree_status body_arithmetic(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    double dot = -1, norm = -1;
    pytree_status status = pytree_dot(pair->a, pair->b, &dot, opt, error);
    if (status == PYTREE_OK) { status = pytree_norm(pair->a, &norm, opt, error); }
    if (status == PYTREE_OK && !pytree_contiguous(pair->a, 0, NULL, opt, error)) { status = error->status; }
    return status;
}

static void memory_runs_out(void **state)
{
    static Nest nest;
    static float numbers[40];
    MLP model = mlp_make(2, true);
    Linear layer = linear_make(2, 2, 0);
    Pair pair = { 0 };
    (void)state;
    pair.a = PYTREE(&model);
    assert_int_equal(sweep_allocations(body_ravel, &pair.a), 1);
    pair.a = PYTREE(&layer);
    pair.vector = view_of(PYTREE_F32, numbers, 6);
    assert_int_equal(sweep_allocations(body_unravel, &pair), 0);
    assert_int_equal(sweep_allocations(body_ravel_into, &pair), 0);
    assert_int_equal(sweep_allocations(body_axpy, &pair), 0);
    assert_int_equal(sweep_allocations(body_unravel_like, &pair), 2);
    pair.a = pair.b = nest_make(&nest, 30);                    /* deeper than cursors are without memory */
    pair.vector = view_of(PYTREE_F32, numbers, 30);
    pair.numbers = nest.numbers;
    pair.n = 30;
    assert_true(sweep_allocations(body_ravel, &pair.a) >= 3);
    assert_true(sweep_allocations(body_ravel_into, &pair) >= 2);
    assert_true(sweep_allocations(body_unravel, &pair) >= 2);
    assert_true(sweep_allocations(body_unravel_like, &pair) >= 5);
    assert_true(sweep_allocations(body_summary, &pair.a) >= 2);
    assert_true(sweep_allocations(body_axpy, &pair) >= 4);
    memset(nest.numbers, 0, sizeof nest.numbers);              /* which makes the norm look for the largest */
    assert_true(sweep_allocations(body_arithmetic, &pair) >= 8);
    mlp_clear(&model);
    linear_clear(&layer);
}

/* More leaves than are listed without memory, in a dict of more keys than are sorted without. */
static void memory_runs_out_in_wide_trees(void **state)
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
    assert_int_equal(sweep_allocations(body_axpy, &pair), 5);
    assert_int_equal(sweep_allocations(body_ravel, &pair.a), 4);
    assert_true(sweep_allocations(body_unravel_like, &pair) > 6);
}

static size_t times_asked;
static bool is_leaf_at_first(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    times_asked += path->n == 0;
    return path->n == 1 && times_asked > 1;
}

/* Makes the array that it is asked about longer. */
static bool grow(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)value;
    (void)path;
    ((pytree_leaf *)context)->shape[0]++;
    return false;
}

/* The second time, takes the first of two elements, which is empty, out of a list. */
static bool lose_one(void *context, const pytree_leaf *value, const pytree_path *path)
{
    pytree_items *items = context;
    (void)value;
    times_asked += path->n == 0;
    if (times_asked == 2 && items->count == 2) {
        items->items++;
        items->count--;
    }
    return false;
}

/* A predicate that changes its mind, or the tree, does no harm. */
static void predicate_that_changes(void **state)
{
    float numbers[3] = { 1, 2, 3 }, vector[3] = { 4, 5, 6 };
    pytree t = PYTREE_LIST(PYTREE_LIST(PYTREE(&numbers[0]), PYTREE(&numbers[1])), PYTREE(&numbers[2]));
    pytree both[2] = { PYTREE_ARRAY(numbers, 0), PYTREE(&numbers[2]) }, shrinking;
    pytree_items items = { 0 };
    pytree_leaf v = PYTREE_VECTOR(vector, 3), view = PYTREE_VECTOR(numbers, 1);
    pytree_ravel_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    opt.tree.is_leaf = is_leaf_at_first;
    times_asked = 0;
    assert_error(pytree_unravel(&v, t, &opt, &error), PYTREE_TYPE, "[0]", &error);
    assert_true(numbers[0] == 1 && numbers[2] == 3);
    times_asked = 0;
    memset(&error, 0, sizeof error);
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "[0]", &error);
    assert_true(vector[0] == 4);
    memset(&error, 0, sizeof error);
    opt.tree.is_leaf = grow;
    opt.tree.is_leaf_context = &view;
    assert_error(pytree_ravel(PYTREE(&view), &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
    times_asked = 0;
    memset(&error, 0, sizeof error);
    items.count = 2;
    items.items = both;
    shrinking.type = &pytree_types[PYTREE__T_list];
    shrinking.data = &items;
    opt.tree.is_leaf = lose_one;
    opt.tree.is_leaf_context = &items;
    assert_error(pytree_ravel(shrinking, &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_true(vector[0] == 4);
}

static void deep_trees(void **state)
{
    static Nest nest;
    pytree t = nest_make(&nest, DEEP);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 }, run;
    pytree_summary_options shallow = { .depth = 1 };
    char text[400];
    double sum = 0;
    (void)state;
    assert_ok(pytree_ravel(t, &v, NULL, &error), &error);
    assert_int_equal(v.shape[0], DEEP);
    assert_memory_equal(v.data, nest.numbers, sizeof nest.numbers);
    assert_ok(pytree_unravel(&v, t, NULL, &error), &error);
    pytree_ravel_free(&v);
    assert_ok(pytree_dot(t, t, &sum, NULL, &error), &error);
    assert_true(sum == (double)(DEEP - 1) * DEEP * (2 * DEEP - 1) / 6);
    assert_true(pytree_contiguous(t, 0, &run, NULL, &error));
    assert_ptr_equal(run.data, nest.numbers);
    assert_int_not_equal(pytree_summary_text(t, text, sizeof text, &shallow, &error), SIZE_MAX);
    assert_non_null(strstr(text, "\n| [1]   | f32  | 2999 leaves |    2,999 | 11,996 |\n"));
}

/* ---- Contiguous -------------------------------------------------------------------------------------------------------- */

static void runs_in_allocated_trees(void **state)
{
    Linear even = { .din = 4, .dout = 16 }, odd = { .din = 3, .dout = 3 };
    pytree_error error = { 0 };
    pytree_leaf run = { 0 }, other;
    pytree moments;
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&even), NULL, &error), &error);
    assert_true(pytree_contiguous(PYTREE(&even), 0, &run, NULL, &error));
    assert_ptr_equal(run.data, even.w);
    assert_int_equal(run.shape[0], 80);
    assert_ptr_equal(run.type, PYTREE_TYPE(float));
    pytree_free(PYTREE(&even));
    assert_ok(pytree_allocate(PYTREE(&odd), NULL, &error), &error);
    run.shape[0] = 12345;
    assert_false(pytree_contiguous(PYTREE(&odd), 0, &run, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".b", &error);
    assert_says(&error, "a gap of 28 bytes");
    assert_int_equal(run.shape[0], 12345);
    memset(&error, 0, sizeof error);
    assert_true(pytree_contiguous(PYTREE(&odd), 64, &run, NULL, &error));
    assert_ptr_equal(run.data, odd.w);
    assert_int_equal(run.shape[0], 16 + 3);
    moments = pytree_zeros_like(PYTREE(&odd), NULL, &error);
    assert_true(pytree_contiguous(moments, 64, &other, NULL, &error));
    assert_int_equal(other.shape[0], run.shape[0]);
    assert_int_equal((char *)((Linear *)moments.data)->b - (char *)other.data, (char *)odd.b - (char *)run.data);
    assert_false(pytree_contiguous(PYTREE(&odd), 16, NULL, NULL, NULL));     /* b does not begin at the next multiple of 16 */
    assert_false(pytree_contiguous(PYTREE(&odd), 48, NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_free(moments);
    pytree_free(PYTREE(&odd));
}

static void runs_elsewhere(void **state)
{
    float block[8] = { 0 }, room[48];
    float *even = (float *)(((uintptr_t)room + 63) / 64 * 64);
    int32_t whole[2] = { 0 };
    pytree_leaf run = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(even, 3), PYTREE_ARRAY(even + 16, 2)), 64, &run, NULL, &error));
    assert_int_equal(run.shape[0], 18);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(even, 3), PYTREE_ARRAY(even + 4, 2)), 64, NULL, NULL, NULL));
    assert_true(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block, 2, 2), PYTREE(&block[4]), PYTREE_ARRAY(block, 0),
                                              PYTREE_ARRAY(block + 5, 3)), 0, &run, NULL, &error));
    assert_ptr_equal(run.data, block);
    assert_int_equal(run.shape[0], 8);
    assert_int_equal(run.ndim, 1);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block + 4, 4), PYTREE_ARRAY(block, 4)), 64, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, "[1]", &error);
    assert_says(&error, "a step back of 32 bytes");
    memset(&error, 0, sizeof error);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block, 2), PYTREE_ARRAY(block, 2)), 0, NULL, NULL, NULL));
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block, 2), PYTREE_ARRAY(whole, 2)), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_STR("a")), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    assert_true(pytree_contiguous(PYTREE_NONE, 0, &run, NULL, &error));
    assert_null(run.data);
    assert_int_equal(run.shape[0], 0);
    assert_int_equal(run.type->dtype, PYTREE_F32);
}

/* ---- Summary ----------------------------------------------------------------------------------------------------------- */

/* The table has this text, into a buffer and into a file; cut off at any length like snprintf. */
static void assert_summary(pytree t, const pytree_summary_options *opt, const char *expected)
{
    pytree_error error = { 0 };
    const size_t n = strlen(expected);
    char *text = malloc(n + 100), *cut = malloc(n + 2);
    FILE *file = tmpfile();
    size_t i;
    assert_true(text != NULL && cut != NULL && file != NULL);
    memset(text, 'x', n + 100);
    if (pytree_summary_text(t, text, n + 100, opt, &error) != n || strcmp(text, expected) != 0) {
        print_error("# expected:\n%s# got:\n%s", expected, text);
        fail();
    }
    assert_int_equal(pytree_summary_text(t, NULL, 0, opt, &error), n);
    for (i = 1; i <= n + 1; i += i < 20 ? 1 : 31) {
        memset(cut, '#', n + 2);
        assert_int_equal(pytree_summary_text(t, cut, i, opt, &error), n);
        assert_memory_equal(cut, expected, i - 1);
        assert_int_equal(cut[i - 1], '\0');
        assert_int_equal(cut[i], '#');
    }
    assert_ok(pytree_summary(file, t, opt, &error), &error);
    rewind(file);
    assert_int_equal(fread(text, 1, n + 1, file), n);
    assert_memory_equal(text, expected, n);
    fclose(file);
    free(text);
    free(cut);
}

static void summary_of_leaves(void **state)
{
    MLP model = mlp_make(1, false);
    Linear large = { .din = 784, .dout = 1280 };
    pytree_error error = { 0 };
    (void)state;
    assert_summary(PYTREE(&model), NULL,
                   "| path         | type | shape    | elements | bytes |\n"
                   "|:-------------|:-----|:---------|---------:|------:|\n"
                   "| .layers[0].w | f32  | 4 x 3    |       12 |    48 |\n"
                   "| .layers[0].b | f32  | 3        |        3 |    12 |\n"
                   "| .scale       | f32  | 2 x 3    |        6 |    24 |\n"
                   "| total        | f32  | 3 leaves |       21 |    84 |\n");
    assert_ok(pytree_allocate(PYTREE(&large), NULL, &error), &error);
    assert_summary(PYTREE(&large), NULL,
                   "| path  | type | shape      |  elements |     bytes |\n"
                   "|:------|:-----|:-----------|----------:|----------:|\n"
                   "| .w    | f32  | 784 x 1280 | 1,003,520 | 4,014,080 |\n"
                   "| .b    | f32  | 1280       |     1,280 |     5,120 |\n"
                   "| total | f32  | 2 leaves   | 1,004,800 | 4,019,200 |\n");
    pytree_free(PYTREE(&large));
    mlp_clear(&model);
}

static void summary_to_a_depth(void **state)
{
    MLP model = mlp_make(2, true);
    int64_t step = 7;
    pytree t = PYTREE_DICT({ "model", PYTREE(&model) }, { "step", PYTREE(&step) });
    pytree_summary_options opt = { 0 };
    (void)state;
    opt.depth = 1;
    assert_summary(t, &opt,
                   "| path      | type     | shape    | elements | bytes |\n"
                   "|:----------|:---------|:---------|---------:|------:|\n"
                   "| ['model'] | f32      | 7 leaves |       35 |   140 |\n"
                   "| ['step']  | i64      |          |        1 |     8 |\n"
                   "| total     | i64, f32 | 8 leaves |       36 |   148 |\n");
    opt.depth = 2;
    assert_summary(t, &opt,
                   "| path             | type     | shape    | elements | bytes |\n"
                   "|:-----------------|:---------|:---------|---------:|------:|\n"
                   "| ['model'].layers | f32      | 4 leaves |       23 |    92 |\n"
                   "| ['model'].head   | f32      | 2 leaves |        6 |    24 |\n"
                   "| ['model'].scale  | f32      | 2 x 3    |        6 |    24 |\n"
                   "| ['step']         | i64      |          |        1 |     8 |\n"
                   "| total            | i64, f32 | 8 leaves |       36 |   148 |\n");
    mlp_clear(&model);
}

/* Keys that would break the table, characters of several bytes, everything that is no number. */
static void summary_of_anything(void **state)
{
    pytree t = PYTREE_DICT({ "a|b|", PYTREE_BOOL(true) }, { "grün", PYTREE_STR("text") }, { "none", PYTREE_NONE });
    pytree_summary_options opt = { 0 };
    (void)state;
    opt.tree.none_is_leaf = true;
    assert_summary(t, &opt,
                   "| path       | type      | shape    | elements | bytes |\n"
                   "|:-----------|:----------|:---------|---------:|------:|\n"
                   "| ['a\\|b\\|'] | bool      |          |        1 |     1 |\n"
                   "| ['grün']   | str       |          |        1 |     8 |\n"
                   "| ['none']   | None      |          |        0 |     0 |\n"
                   "| total      | bool, str | 3 leaves |        2 |     9 |\n");
    opt.tree.none_is_leaf = false;
    opt.tree.is_leaf = is_a_list;
    assert_summary(PYTREE_LIST(PYTREE_INT(1)), &opt,
                   "| path  | type | shape  | elements | bytes |\n"
                   "|:------|:-----|:-------|---------:|------:|\n"
                   "|       | list |        |        0 |     0 |\n"
                   "| total |      | 1 leaf |        0 |     0 |\n");
    assert_summary(PYTREE_TUPLE(), NULL,
                   "| path  | type | shape    | elements | bytes |\n"
                   "|:------|:-----|:---------|---------:|------:|\n"
                   "| total |      | 0 leaves |        0 |     0 |\n");
}

static void summary_of_long_paths(void **state)
{
    static char key[3001], text[40000], many[4][300 * 64 + 1];
    pytree_pair more[4];
    pytree_error error = { 0 };
    pytree t;
    pytree_pair pairs[2];
    pytree_items items = { 0 };
    size_t i, n, bars = 0;
    (void)state;
    memset(key, '|', 3000);
    pairs[0].key = key;
    pairs[0].value = PYTREE_INT(1);
    pairs[1].key = "|";
    pairs[1].value = PYTREE_INT(2);
    items.count = 2;
    items.pairs = pairs;
    t.type = &pytree_types[PYTREE__T_dict];
    t.data = &items;
    n = pytree_summary_text(t, text, sizeof text, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(n < sizeof text && n > 4 * 6000);
    for (i = 0; i < n; i++) { bars += text[i] == '\\' && text[i + 1] == '|'; }
    assert_int_equal(bars, 3001);
    assert_int_equal(sweep_allocations(body_summary, &t), 1);
    for (i = 0; i < 4; i++) {             /* each longer than what the last but one needed */
        memset(many[i], 'a' + (int)i, 300u << 2 * i);
        more[i].key = many[i];
        more[i].value = PYTREE_INT(1);
    }
    items.count = 4;
    items.pairs = more;
    assert_int_equal(sweep_allocations(body_summary, &t), 4);
}

static void summary_fails(void **state)
{
    Linear broken = { .din = 2, .dout = 2 };
    FILE *file = tmpfile(), *closed = fopen("pytree.h", "r");
    pytree_error error = { 0 };
    char text[10] = "before";
    (void)state;
    assert_true(file != NULL && closed != NULL);
    assert_error(pytree_summary(file, PYTREE(&broken), NULL, &error), PYTREE_NULL_POINTER, ".w", &error);
    assert_int_equal(ftell(file), 0);
    assert_int_equal(pytree_summary_text(PYTREE(&broken), text, sizeof text, NULL, NULL), SIZE_MAX);
    assert_string_equal(text, "");
    assert_int_equal(pytree_summary_text(PYTREE(&broken), NULL, 0, NULL, NULL), SIZE_MAX);
    memset(&error, 0, sizeof error);
    assert_error(pytree_summary(NULL, PYTREE_NONE, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_summary(closed, PYTREE_NONE, NULL, &error), PYTREE_IO, "", &error);
    fclose(file);
    fclose(closed);
}

/* ---- Arithmetic -------------------------------------------------------------------------------------------------------- */

static void axpy_adds(void **state)
{
    MLP x = mlp_make(2, true), y = mlp_make(2, true);
    pytree_error error = { 0 };
    float long_x[19], long_y[19];
    size_t i;
    (void)state;
    y.layers[0].w[0] = 0.1f;
    x.layers[0].w[0] = 3.0f;
    assert_ok(pytree_axpy(0.1, PYTREE(&x), PYTREE(&y), NULL, &error), &error);
    assert_true(y.layers[0].w[0] == (float)((double)0.1f + 0.1 * 3.0));
    assert_true(y.layers[0].w[1] == (float)(101 + 0.1 * 101));
    assert_true(y.scale[1][2] == (float)(5.5 + 0.1 * 5.5));
    assert_true(x.layers[0].w[1] == 101);
    assert_ok(pytree_axpy(-1, PYTREE(&x), PYTREE(&x), NULL, &error), &error);
    assert_true(x.layers[1].w[1] == 0 && x.scale[0][1] == 0);
    for (i = 0; i < 19; i++) {
        long_x[i] = (float)(i + 1) * 100 / 7;
        long_y[i] = (float)(i + 3) / 11;
    }
    assert_ok(pytree_axpy(0.1, PYTREE_ARRAY(long_x, 19), PYTREE_ARRAY(long_y, 19), NULL, &error), &error);
    for (i = 0; i < 19; i++) {
        const double before = (double)((float)(i + 3) / 11), exact = before + 0.1 * (double)long_x[i];
        assert_true(long_y[i] == (float)exact);
    }
    mlp_clear(&x);
    mlp_clear(&y);
}

/* Each float type added to each: 2 + 3 * 0.5. More numbers than the library takes at a time. */
static void axpy_of_every_float(void **state)
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

static void complex_arithmetic(void **state)
{
    double x[4] = { 1, 2, 3, 4 }, y[4] = { 10, 20, 30, 40 }, dot, norm;
    pytree_leaf a = view_of(PYTREE_C128, x, 2), b = view_of(PYTREE_C128, y, 2);
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_axpy(2, pytree_of_view(&a), pytree_of_view(&b), NULL, &error), &error);
    assert_true(y[0] == 12 && y[1] == 24 && y[2] == 36 && y[3] == 48);
    assert_ok(pytree_dot(pytree_of_view(&a), pytree_of_view(&b), &dot, NULL, &error), &error);
    assert_true(dot == 12 + 48 + 108 + 192);
    assert_ok(pytree_norm(pytree_of_view(&a), &norm, NULL, &error), &error);
    assert_true(norm == sqrt(30));
}

/* Arrays in a file that was mapped may begin anywhere. */
static void numbers_at_odd_addresses(void **state)
{
    unsigned char bytes[20 * sizeof(float) + 1];
    float numbers[20], back[20];
    pytree_leaf odd = view_of(PYTREE_F32, bytes + 1, 20), v = PYTREE_VECTOR(back, 20);
    pytree_error error = { 0 };
    double dot, whole;
    size_t i;
    (void)state;
    for (i = 0; i < 20; i++) { numbers[i] = 0.25f * (float)i; }
    memcpy(bytes + 1, numbers, sizeof numbers);
    assert_ok(pytree_ravel(PYTREE(&odd), &v, NULL, &error), &error);
    assert_memory_equal(back, numbers, sizeof numbers);
    assert_ok(pytree_dot(PYTREE(&odd), PYTREE(&v), &dot, NULL, &error), &error);
    assert_ok(pytree_dot(PYTREE(&v), PYTREE(&v), &whole, NULL, &error), &error);
    assert_true(dot == whole);
    assert_ok(pytree_axpy(1, PYTREE(&v), PYTREE(&odd), NULL, &error), &error);
    memcpy(back, bytes + 1, sizeof back);
    for (i = 0; i < 20; i++) { assert_true(back[i] == 2 * numbers[i]); }
}

static void arithmetic_refuses(void **state)
{
    float x[4] = { 1, 1, 1, 1 }, y[4] = { 2, 2, 2, 2 };
    int whole[4] = { 0 };
    pytree halves = PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2)), all = PYTREE_LIST(PYTREE_ARRAY(x, 4));
    pytree uneven = PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 4));
    pytree integers = PYTREE_LIST(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(whole, 2));
    pytree matrix = PYTREE_LIST(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(y, 2, 2));
    pytree_error error = { 0 };
    double result = -1;
    (void)state;
    assert_error(pytree_axpy(1, halves, integers, NULL, &error), PYTREE_TYPE, "[1]", &error);
    assert_says(&error, "expected floats or complex numbers, got i32");
    assert_true(y[0] == 2);
    memset(&error, 0, sizeof error);
    assert_error(pytree_axpy(1, uneven, matrix, NULL, &error), PYTREE_SHAPE, "[1]", &error);
    assert_says(&error, "expected the shape of f32[4], got f32[2,2]");
    assert_true(y[0] == 2);
    memset(&error, 0, sizeof error);
    assert_error(pytree_dot(all, PYTREE_LIST(), &result, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_dot(PYTREE_ARRAY(x, 4), all, &result, NULL, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_norm(PYTREE_LIST(PYTREE_FLOAT(1), PYTREE_INT(1)), &result, NULL, &error), PYTREE_TYPE, "[1]", &error);
    assert_true(result == -1);
}

/* A tenth, often: a plain loop would lose five digits of the sum of floats, and two of that of doubles. */
static void long_sums_keep_their_digits(void **state)
{
    const size_t n = under_valgrind() ? 50000 : 3000000;
    float *singles = malloc(n * sizeof *singles);
    double *doubles = malloc(n * sizeof *doubles), result, exact;
    pytree *many = malloc(n * sizeof *many);
    pytree_items items = { 0 };
    pytree t;
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_true(singles != NULL && doubles != NULL && many != NULL);
    for (i = 0; i < n; i++) {
        singles[i] = 0.1f;
        doubles[i] = 0.1;
        many[i].type = PYTREE_TYPE(double);
        many[i].data = &doubles[i];
    }
    exact = (double)n * ((double)0.1f * (double)0.1f);
    assert_ok(pytree_dot(PYTREE_ARRAY(singles, n), PYTREE_ARRAY(singles, n), &result, NULL, &error), &error);
    assert_true(fabs(result - exact) <= 5e-15 * exact);
    exact = (double)n * (0.1 * 0.1);
    assert_ok(pytree_dot(PYTREE_ARRAY(doubles, n), PYTREE_ARRAY(doubles, n), &result, NULL, &error), &error);
    assert_true(fabs(result - exact) <= 5e-15 * exact);
    items.count = n;
    items.items = many;
    t.type = &pytree_types[PYTREE__T_list];
    t.data = &items;
    assert_ok(pytree_dot(t, t, &result, NULL, &error), &error);
    assert_true(fabs(result - exact) <= 5e-15 * exact);
    assert_ok(pytree_norm(t, &result, NULL, &error), &error);
    assert_true(fabs(result - sqrt(exact)) <= 5e-15 * sqrt(exact));
    free(singles);
    free(doubles);
    free(many);
}

/* What rounding takes from the sum of blocks comes back. */
static void sums_of_leaves_are_compensated(void **state)
{
    double large = 1e16, one = 1, minus = -1e16, ones[3] = { 1, 1, 1 }, result;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_dot(PYTREE_LIST(PYTREE(&large), PYTREE(&one), PYTREE(&minus)),
                         PYTREE_LIST(PYTREE(&ones[0]), PYTREE(&ones[1]), PYTREE(&ones[2])), &result, NULL, &error), &error);
    assert_true(result == 1);
}

static void norms_at_the_ends_of_the_range(void **state)
{
    double large[2] = { 3e200, -4e200 }, small[2] = { 3e-300, 4e-300 }, least[1] = { 4.9406564584124654e-324 }, most[4];
    double strange[3] = { 1, INFINITY, -2 }, worse[3] = { INFINITY, NAN, 1 }, none[1] = { NAN }, zero[2] = { 0, -0.0 }, result;
    pytree_error error = { 0 };
    (void)state;
    most[0] = most[1] = most[2] = most[3] = DBL_MAX;
    assert_ok(pytree_norm(PYTREE_ARRAY(large, 2), &result, NULL, &error), &error);
    assert_true(fabs(result - 5e200) <= 1e-15 * 5e200);
    assert_ok(pytree_norm(PYTREE_ARRAY(small, 2), &result, NULL, &error), &error);
    assert_true(fabs(result - 5e-300) <= 1e-15 * 5e-300);
    assert_ok(pytree_norm(PYTREE_ARRAY(least, 1), &result, NULL, &error), &error);
    assert_true(result == least[0]);
    assert_ok(pytree_norm(PYTREE_ARRAY(most, 1), &result, NULL, &error), &error);
    assert_true(result == DBL_MAX);
    assert_ok(pytree_norm(PYTREE_ARRAY(most, 4), &result, NULL, &error), &error);
    assert_true(isinf(result));
    assert_ok(pytree_norm(PYTREE_ARRAY(strange, 3), &result, NULL, &error), &error);
    assert_true(isinf(result) && result > 0);
    assert_ok(pytree_norm(PYTREE_ARRAY(worse, 3), &result, NULL, &error), &error);
    assert_true(isnan(result));
    assert_ok(pytree_norm(PYTREE_ARRAY(none, 1), &result, NULL, &error), &error);
    assert_true(isnan(result));
    assert_ok(pytree_norm(PYTREE_ARRAY(zero, 2), &result, NULL, &error), &error);
    assert_true(result == 0);
    assert_ok(pytree_norm(PYTREE_NONE, &result, NULL, &error), &error);
    assert_true(result == 0);
    assert_ok(pytree_dot(PYTREE_LIST(), PYTREE_LIST(), &result, NULL, &error), &error);
    assert_true(result == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promotion_tables),
        cmocka_unit_test(promotion_of_one_none_and_many),
        cmocka_unit_test(every_pair_of_types),
        cmocka_unit_test(halves),
        cmocka_unit_test(rounded_once),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(complex_numbers),
        cmocka_unit_test(what_is_lost),
        cmocka_unit_test(refused_by_type),
        cmocka_unit_test(ravel_into_new_memory),
        cmocka_unit_test(ravel_into_memory_of_the_callers),
        cmocka_unit_test(ravel_meets_in_one_type),
        cmocka_unit_test(ravel_no_common_type),
        cmocka_unit_test(ravel_of_nothing),
        cmocka_unit_test(only_numbers),
        cmocka_unit_test(bad_vectors),
        cmocka_unit_test(too_many_elements),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(unravel_checks_the_length),
        cmocka_unit_test(unravel_checks_the_type),
        cmocka_unit_test(views_into_the_vector),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_runs_out_in_wide_trees),
        cmocka_unit_test(predicate_that_changes),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(runs_in_allocated_trees),
        cmocka_unit_test(runs_elsewhere),
        cmocka_unit_test(summary_of_leaves),
        cmocka_unit_test(summary_to_a_depth),
        cmocka_unit_test(summary_of_anything),
        cmocka_unit_test(summary_of_long_paths),
        cmocka_unit_test(summary_fails),
        cmocka_unit_test(axpy_adds),
        cmocka_unit_test(axpy_of_every_float),
        cmocka_unit_test(complex_arithmetic),
        cmocka_unit_test(numbers_at_odd_addresses),
        cmocka_unit_test(arithmetic_refuses),
        cmocka_unit_test(long_sums_keep_their_digits),
        cmocka_unit_test(sums_of_leaves_are_compensated),
        cmocka_unit_test(norms_at_the_ends_of_the_range)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
