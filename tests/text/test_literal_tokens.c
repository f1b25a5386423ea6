/* Literals token by token: each cut short at its end, numbers at the edges of their types,
    and memory that runs out anywhere. */
#include "literal_shared.h"

/* ---- What is refused ----------------------------------------------------------------------------------------------- */

static void tokens_that_are_wrong(void **state)
{
    static const struct { const char *text, *words; } cases[] = {
        { "'\\U0000d83d\\ude00'", "expected a character, or both halves of one" },
        { "'\\ud83d\\udbff'", "expected a character, or both halves of one" },
        { "'ab\rc'", "expected the closing '" },
        { "'ab\nc'", "expected the closing '" },
        { "'ab", "expected the closing '" },
        { "bool([true, maybe])", "expected True or False, got 'maybe'" },
        { "str([nil])", "expected a string in quotes or None, got 'nil'" },
        { "f32([", "got the end" }, { "f32([[1] 2])", "expected ',' or ']', got '2'" }, { "f32([[]", "expected ',' or ']'" },
        { "f32([x])", "expected a number" }, { "f32([[1], )])", "got ')'" }, { "f32([,1])", "got ','" },
        { "f32([1, 2], shape=(3,))", "expected a shape of as many elements as there are" },
        { "f32('ab\x7F')", "got 'ab..." },
        { "f64(infinite)", "got 'infinite'" },
        { "f64(-1e999)", "expected a number that f64 has" },
        { "f64(1e999)", "expected a number that f64 has" },
        { "-1e999", "expected a number that f64 has" },
        { "1e999", "expected a number that f64 has" },
        { "c64(1", "expected 'j', '+' or '-', got the end" },
        { "c64(1+2", "expected 'j', got the end" },
        { "i64(123456789012345678901)", "expected an integer that i64 has" },
        { "i64(9223372036854775808)", "expected an integer that i64 has" },
        { "i64(1.5)", "expected an integer that i64 has" },
        { "1 2", "expected the end, got '2'" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        assert_null(parse_exactly(cases[i].text, strlen(cases[i].text), NULL, &error).data);
        assert_int_equal(error.status, PYTREE_SYNTAX);
        if (strstr(error.message, cases[i].words) == NULL) { fail_msg("%s: %s", cases[i].text, error.message); }
    }
}

/* ---- What is read -------------------------------------------------------------------------------------------------- */

static void words_of_other_notations(void **state)
{
    const char *const text = "[bool([true, True, false, False]), str([null, None, 'x']), infj, -infj, {}, deque()]";
    pytree_error error = { 0 };
    pytree t = parse_exactly(text, strlen(text), NULL, &error);
    char *again;
    (void)state;
    assert_ok(error.status, &error);
    again = literal_of(t, NULL);
    assert_string_equal(again, "[bool([True, True, False, False]), str([None, None, 'x']), infj, -infj, {}, deque([])]");
    free(again);
    pytree_free(t);
}

/* Numbers are those that the C library reads, to the last bit. */
static void numbers_to_the_last_bit(void **state)
{
    static const char *const f64[] = { "1.5E300", "123456789012345678901234567890.0", "0.000000000000000000000000000001",
        "1e-320",
                                       "9007199254740993.0", "1e23", "4.9e-324" };
    static const char *const f32[] = { "1.000000059604644775390625", "1.00000005960464477539062500001", "0", "-0.0", "1e-40",
                                       "3.4028234e38", "inf", "1.17549435e-38" };
    char text[1200], digits[1000];
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i <= COUNT_OF(f64); i++) {
        const char *number = i < COUNT_OF(f64) ? f64[i] : digits;
        pytree t;
        double expected, got;
        memset(digits, '0', sizeof digits);                    /* 1, 850 zeros, 1, zeros: the last 1 decides */
        memcpy(digits, "9007199254740993", 16);
        digits[870] = '1';
        strcpy(digits + 900, "e-884");
        expected = strtod(number, NULL);
        (void)snprintf(text, sizeof text, "f64(%s)", number);
        t = pytree_parse(text, NULL, &error);
        assert_ok(error.status, &error);
        memcpy(&got, t.data, sizeof got);
        assert_memory_equal(&got, &expected, sizeof got);
        pytree_free(t);
    }
    for (i = 0; i < COUNT_OF(f32); i++) {
        float expected = strtof(f32[i], NULL), got;
        pytree t;
        (void)snprintf(text, sizeof text, "f32(%s)", f32[i]);
        t = pytree_parse(text, NULL, &error);
        assert_ok(error.status, &error);
        memcpy(&got, t.data, sizeof got);
        assert_memory_equal(&got, &expected, sizeof got);
        pytree_free(t);
    }
}

/* ---- Written to a file --------------------------------------------------------------------------------------------- */

/* Strings around the size of the pieces that are written at once, first and behind others. */
static void long_strings_to_files(void **state)
{
    static char longer[9000];
    const char *string = longer;
    size_t n;
    (void)state;
    for (n = 1000; n < sizeof longer; n += 997) {
        pytree trees[2];
        size_t i;
        memset(longer, 'a', n);
        longer[n] = '\0';
        trees[0] = PYTREE(&string);
        trees[1] = PYTREE_LIST(PYTREE_INT(1), PYTREE(&string), PYTREE(&string));
        for (i = 0; i < 2; i++) {
            char *text = literal_of(trees[i], NULL), *there;
            pytree_error error = { 0 };
            FILE *file = tmpfile();
            const size_t size = strlen(text);
            assert_non_null(file);
            assert_ok(pytree_literal_print(file, trees[i], NULL, &error), &error);
            rewind(file);
            there = calloc(size + 100, 1);
            assert_non_null(there);
            assert_in_range(fread(there, 1, size + 99, file), size, size + 1);
            assert_memory_equal(there, text, size);
            fclose(file);
            free(there);
            free(text);
        }
    }
}

/* Every kind of node and leaf: a file gets the text, after a first pass that writes nothing. */
static void every_kind_to_a_file(void **state)
{
    static const char literal[] = "[deque([1], maxlen=3), deque([2]), {'a': f32([[1.0, 2.0], [3.0, 4.0]]), 'b': None}, "
        "f32([], shape=(0, 3)), i8(3), str(['a', None]), OrderedDict({'z': True, 'a': 1.5}), (), 'text', {2: 1}]\n";
    char text[sizeof literal + 1];
    pytree_error error = { 0 };
    float *none = NULL;
    pytree t = pytree_parse(literal, NULL, &error);
    FILE *file = tmpfile();
    (void)state;
    assert_ok(error.status, &error);
    assert_non_null(file);
    assert_ok(pytree_literal_print(file, t, NULL, &error), &error);
    rewind(file);
    memset(text, 0, sizeof text);
    assert_int_equal(fread(text, 1, sizeof text, file), sizeof literal - 1);
    assert_string_equal(text, literal);
    fclose(file);
    assert_error(pytree_literal_print(NULL, t, NULL, &error), PYTREE_ARGUMENT, "", &error);
    pytree_free(t);
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_literal_text(PYTREE_LIST(PYTREE_ARRAY(none, 3)), text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, "[0]", &error);
    assert_string_equal(text, "");
}

static void names_that_cannot_be_written(void **state)
{
    static const char *const names[] = { "", "a b", "deque", "f32" };
    float x = 1;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(names); i++) {
        pytree_error error = { 0 };
        assert_int_equal(pytree_literal_text(PYTREE_NAMEDTUPLE(names[i], { "x", PYTREE(&x) }), NULL, 0, NULL, &error),
            SIZE_MAX);
        assert_int_not_equal(error.status, PYTREE_OK);
        memset(&error, 0, sizeof error);
        if (i > 1) { continue; }
        assert_int_equal(pytree_literal_text(PYTREE_NAMEDTUPLE("P", { names[i], PYTREE(&x) }), NULL, 0, NULL, &error),
            SIZE_MAX);
        assert_non_null(strstr(error.message, "a field with the name"));
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static char swept[4000];

static pytree_status parse_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    pytree_free(pytree_parse(swept, opt, err));
    return err->status;
}

/* Each kind of token behind so many others that what it needs has to grow just then. */
static void sweep_places(void **state)
{
    static const char *const parts[] = { "1", "1.5", "1j", "'text'", "[]", "()", "deque()", "OrderedDict()", "{'a': 1}",
        "{3: 1}",
                                         "f32([1, 2])", "c128(1+2j)", "longdouble(0.1)", "str(['a', None])", "i8(3)",
                                         "Point(x=1)", "defaultdict(None, {'q': 1})", "None", "True" };
    const size_t most = slow_here() ? 12 : 70;
    size_t i, n, k;
    (void)state;
    for (i = 0; i < COUNT_OF(parts); i++) {
        for (n = 0; n < most; n++) {
            char *at = swept;
            *at++ = '[';
            for (k = 0; k < n; k++) { at += sprintf(at, "%s, ", parts[i]); }
            (void)sprintf(at, "%s]", parts[i]);
            assert_in_range(sweep_allocations(parse_body, NULL), 1, 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_that_are_wrong), cmocka_unit_test(words_of_other_notations),
        cmocka_unit_test(numbers_to_the_last_bit), cmocka_unit_test(long_strings_to_files),
        cmocka_unit_test(every_kind_to_a_file),
        cmocka_unit_test(names_that_cannot_be_written), cmocka_unit_test(sweep_places)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
