/* Element types that meet, conversions and what they lose. */
#include "ravel_shared.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

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

/* Numbers that are no element type. */
static void no_element_types(void **state)
{
    const pytree_dtype unknown = (pytree_dtype)99;
    (void)state;
    assert_null(pytree_dtype_type(unknown));
    assert_null(pytree_dtype_type(PYTREE_OPAQUE));
    assert_null(pytree_dtype_type(PYTREE_NO_DTYPE));
    assert_int_equal(pytree_promote(1, &unknown, PYTREE_PROMOTE_JAX), PYTREE_NO_DTYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_element_types),
        cmocka_unit_test(promotion_tables),
        cmocka_unit_test(promotion_of_one_none_and_many),
        cmocka_unit_test(every_pair_of_types),
        cmocka_unit_test(halves),
        cmocka_unit_test(rounded_once),
        cmocka_unit_test(floats_to_integers),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(complex_numbers),
        cmocka_unit_test(what_is_lost),
        cmocka_unit_test(refused_by_type)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
