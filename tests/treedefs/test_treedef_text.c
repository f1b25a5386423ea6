/* Treedefs read from text: pytree_def_parse, and static values of every kind. */
#define TEST_PRIVATE                       /* sizes of static values, entries as text */
#include "treedef_algebra_shared.h"

/* ---- Text -------------------------------------------------------------------------------------------------------------- */

static void parse_takes_space_and_any_key_order(void **state)
{
    pytree_def *a = must_parse(" PyTreeDef (\n  [ * ,\t{ 'b' : * , 'a' : [ ] } , ( * , ) ,\r\n CustomNode( Linear[ (1 ,2) ] , "
                               "[ *, * ] ) ] , NoneIsLeaf ) \n");
    pytree_def *b = must_parse("PyTreeDef([*, {'a': [], 'b': *}, (*,), CustomNode(Linear[(1, 2)], [*, *])], NoneIsLeaf)");
    (void)state;
    assert_same_def(a, b);
    assert_true(a->none_is_leaf);
    pytree_def_free(a);
    pytree_def_free(b);
}

static void parse_reads_escapes(void **state)
{
    pytree_def *def = must_parse("PyTreeDef(CustomNode(OrderedDict[('\\x41', \"\\u00e9'\", '\\U0001f600', "
                                 "'\\a\\b\\f\\v\\'\\\"\\\\', '\\udcff')], [*, *, *, *, *]))");
    static const char *const keys[] = { "A", "\xC3\xA9'", "\xF0\x9F\x98\x80", "\a\b\f\v'\"\\", "\xFF" };
    pytree_entry entry;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(keys); i++) {
        assert_int_equal(pytree_def_entry(def, (ptrdiff_t)i, &entry, NULL), PYTREE_OK);
        assert_string_equal(entry.name, keys[i]);
    }
    assert_round_trips(def, NULL, 0);
    pytree_def_free(def);
}

static void parse_says_where_and_what(void **state)
{
    static const struct { const char *text; pytree_status status; const char *message; } cases[] = {
        { "", PYTREE_SYNTAX, "line 1, column 1: expected 'PyTreeDef', got the end" },
        { "PyTreeDef", PYTREE_SYNTAX, "line 1, column 10: expected '(', got the end" },
        { "PyTreeDef(", PYTREE_SYNTAX, "line 1, column 11: expected *, None, [, (, { or CustomNode(, got the end" },
        { "PyTreeDef()", PYTREE_SYNTAX, "line 1, column 11: expected *, None, [, (, { or CustomNode(, got ')'" },
        { "PyTreeDef(*", PYTREE_SYNTAX, "line 1, column 12: expected ')', got the end" },
        { "PyTreeDef(*) *", PYTREE_SYNTAX, "line 1, column 14: expected the end, got '*'" },
        { "PyTreeDef(*, Nothing)", PYTREE_SYNTAX, "line 1, column 14: expected 'NoneIsLeaf', got 'Nothing'" },
        { "PyTreeDef([\n  *,\n  None], NoneIsLeaf)", PYTREE_SYNTAX,
          "line 3, column 3: expected * (with NoneIsLeaf, None is a leaf), got 'None'" },
        { "PyTreeDef([*)", PYTREE_SYNTAX, "line 1, column 13: expected ',' or ']', got ')'" },
        { "PyTreeDef([*,])", PYTREE_SYNTAX, "line 1, column 14: expected *, None, [, (, { or CustomNode(, got ']'" },
        { "PyTreeDef((*))", PYTREE_SYNTAX, "line 1, column 13: expected ',', got ')'" },
        { "PyTreeDef((*, *,))", PYTREE_SYNTAX, "line 1, column 17: expected *, None, [, (, { or CustomNode(, got ')'" },
        { "PyTreeDef((, *))", PYTREE_SYNTAX, "line 1, column 12: expected *, None, [, (, { or CustomNode(, got ','" },
        { "PyTreeDef({*})", PYTREE_SYNTAX, "line 1, column 12: expected a key in quotes or '}', got '*'" },
        { "PyTreeDef({'a': *, })", PYTREE_SYNTAX, "line 1, column 20: expected a key in quotes, got '}'" },
        { "PyTreeDef({'a' *})", PYTREE_SYNTAX, "line 1, column 16: expected ':', got '*'" },
        { "PyTreeDef({'a': *, 'b': *, 'a': *})", PYTREE_SYNTAX,
          "line 1, column 34: expected different keys before this, got '}'" },
        { "PyTreeDef({'a: *})", PYTREE_SYNTAX, "line 1, column 19: expected the closing ', got the end" },
        { "PyTreeDef({\"a\n\": *})", PYTREE_SYNTAX, "line 1, column 14: expected the closing \", got byte 0x0a" },
        { "PyTreeDef({'\\q': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\x0': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\x00': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\ud800': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\U00110000': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\xC3\xA9': *, 1: *})", PYTREE_SYNTAX, "line 1, column 20: expected a key in quotes, got '1'" },
        { "PyTreeDef(\x01)", PYTREE_SYNTAX, "line 1, column 11: expected *, None, [, (, { or CustomNode(, got byte 0x01" },
        { "PyTreeDef(aVeryLongWordThatGoesOnAndOn)", PYTREE_SYNTAX,
          "line 1, column 11: expected *, None, [, (, { or CustomNode(, got 'aVeryLongWordThatGoe...'" },
        { "PyTreeDef(CustomNode([", PYTREE_SYNTAX, "line 1, column 22: expected the name of a type, got '['" },
        { "PyTreeDef(CustomNode(Foo[()], []))", PYTREE_NOT_FOUND,
          "line 1, column 22: expected OrderedDict, defaultdict, namedtuple or one of the given structs, got 'Foo'" },
        { "PyTreeDef(CustomNode(namedtuple[Foo], []))", PYTREE_NOT_FOUND,
          "line 1, column 33: expected one of the given namedtuples, got 'Foo'" },
        { "PyTreeDef(CustomNode(namedtuple[Point], [*]))", PYTREE_SYNTAX,
          "line 1, column 43: expected 2 children, after 1, got ']'" },
        { "PyTreeDef(CustomNode(DC[('a',)], [*, *, *]))", PYTREE_SYNTAX,
          "line 1, column 42: expected 2 children, after 3, got ']'" },
        { "PyTreeDef(CustomNode(DC[('a',)], [*, *])", PYTREE_SYNTAX, "line 1, column 41: expected ')', got the end" },
        { "PyTreeDef(CustomNode(DC[('a')], [*, *]))", PYTREE_SYNTAX, "line 1, column 29: expected ',)', got ')'" },
        { "PyTreeDef(CustomNode(DC[(1,)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 26: expected a string in quotes or None, got '1'" },
        { "PyTreeSpec(Point(x=*, \xE3\x86=*))", PYTREE_SYNTAX,
          "line 1, column 23: expected the name of a field, got byte 0xe3" },
        { "PyTreeSpec(Point(x=*, y\xFF=*))", PYTREE_SYNTAX, "line 1, column 24: expected '=', got byte 0xff" },
        { "PyTreeDef(CustomNode(Linear[(1,)], [*, *]))", PYTREE_SYNTAX, "line 1, column 32: expected an integer, got ')'" },
        { "PyTreeDef(CustomNode(Linear[(1, 9223372036854775808)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 33: expected an integer that fits i64, got '9223372036854775808'" },
        { "PyTreeDef(CustomNode(Linear[(1, 99999999999999999999999999999)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 33: expected an integer that fits i64, got '99999999999999999999...'" },
        { "PyTreeDef(CustomNode(Linear[(1, -9223372036854775809)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 33: expected an integer that fits i64, got '-'" },
        { "PyTreeDef(CustomNode(Wrap[('a', true, 1.0)], [*]))", PYTREE_SYNTAX,
          "line 1, column 33: expected True or False, got 'true'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, .5)], [*]))", PYTREE_SYNTAX, "line 1, column 39: expected a number, got '.'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 1.e5)], [*]))", PYTREE_SYNTAX,
          "line 1, column 39: expected a number, got '1'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 1e)], [*]))", PYTREE_SYNTAX,
          "line 1, column 39: expected a number, got '1e'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 0x1p3)], [*]))", PYTREE_SYNTAX,
          "line 1, column 40: expected ')', got 'x1p3'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 1e999)], [*]))", PYTREE_SYNTAX,
          "line 1, column 39: expected a number that f64 has, got '1e999'" },
        { "PyTreeDef(CustomNode(OrderedDict[('a', 'b')], [*]))", PYTREE_SYNTAX,
          "line 1, column 49: expected 2 children, after 1, got ']'" },
        { "PyTreeDef(CustomNode(OrderedDict[('a', 'a')], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 52: expected different keys before this, got ']'" },
        { "PyTreeDef(CustomNode(OrderedDict[('a', 'b',)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 44: expected a key in quotes, got ')'" },
        { "PyTreeDef(CustomNode(OrderedDict['a'], [*]))", PYTREE_SYNTAX, "line 1, column 34: expected '(', got '''" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        Heap heap;
        pytree_options opt = { 0 };
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_null(pytree_def_parse(cases[i].text, known_types, KNOWN_TYPES, &opt, &error));
        assert_string_equal(error.message, cases[i].message);
        assert_error(error.status, cases[i].status, "", &error);
        assert_heap_clean(&heap);
    }
    {
        pytree_error error = { 0 };
        assert_null(pytree_def_parse(NULL, NULL, 0, NULL, &error));
        assert_error(error.status, PYTREE_ARGUMENT, "", &error);
        assert_null(pytree_def_parse("PyTreeDef(", NULL, 0, NULL, NULL));
    }
}

/* Every beginning of a text, and every text with one byte changed, is refused or read as a sound treedef. */
static void parse_survives_broken_text(void **state)
{
    static const char bytes[] = "*()[]{},:'\"\\None0-\x01\xFF";
    char text[sizeof sample_text];
    size_t i, k;
    (void)state;
    for (i = 0; i + 1 < sizeof sample_text; i++) {
        pytree_error error = { 0 };
        memcpy(text, sample_text, i);
        text[i] = '\0';
        assert_null(pytree_def_parse(text, known_types, KNOWN_TYPES, NULL, &error));
        assert_int_not_equal(error.status, PYTREE_OK);
    }
    for (i = 0; i + 1 < sizeof sample_text; i++) {
        for (k = 0; k + 1 < sizeof bytes; k++) {
            pytree_error error = { 0 };
            pytree_def *def;
            memcpy(text, sample_text, sizeof text);
            text[i] = bytes[k];
            def = pytree_def_parse(text, known_types, KNOWN_TYPES, NULL, &error);
            assert_int_equal(def == NULL, error.status != PYTREE_OK);
            if (def != NULL) {
                assert_sound(def);
                assert_round_trips(def, known_types, KNOWN_TYPES);
                pytree_def_free(def);
            }
        }
    }
}

/* ---- Static values of every kind --------------------------------------------------------------------------------------- */

static void static_values_of_every_kind_round_trip(void **state)
{
    const double floats[] = { 0.0, -0.0, 1e16, 123456789012345680.0, 5e-324, 1.7976931348623157e308, 0.1, 1e-5, HUGE_VAL,
                              -HUGE_VAL };
    const pytree_type *types[1];
    Statics s = statics_make();
    pytree_def *def;
    size_t i;
    uint32_t bits;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    def = statics_def(&s, NULL);
    assert_non_null(def);
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
    for (i = 0; i < COUNT_OF(floats); i++) {
        s.f64 = floats[i];
        s.f32 = floats[i] > 1e38 ? HUGE_VALF : (float)floats[i];
        if (!under_valgrind()) { s.wide = (long double)floats[i]; }
        def = statics_def(&s, NULL);
        assert_round_trips(def, types, 1);
        pytree_def_free(def);
    }
    for (bits = 0; bits < 0x10000; bits += 37) {      /* 16-bit floats that are numbers */
        s.half.bits = (bits & 0x7C00) == 0x7C00 ? 0x7C00 : (uint16_t)bits;
        s.brain.bits = (bits & 0x7F80) == 0x7F80 ? 0xFF80 : (uint16_t)bits;
        def = statics_def(&s, NULL);
        assert_round_trips(def, types, 1);
        pytree_def_free(def);
    }
    s.half.bits = 0x7E00;
    s.brain.bits = 0x7FC0;
    s.f32 = strtof("nan", NULL);          /* without a sign, which NAN has with some compilers */
    s.f64 = strtod("nan", NULL);
    s.wide = strtold("nan", NULL);
    def = statics_def(&s, NULL);
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
}

#if TEST_HAS_COMPLEX
typedef struct Phases {
    float _Complex c64;
    double _Complex pair[2];
    long double _Complex wide;
} Phases;
#define PYTREE_STRUCT Phases
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c64) PYTREE_FIELD(STATIC, pair) PYTREE_FIELD(STATIC, wide)
#include "pytree_registry.h"

static void complex_static_values_round_trip(void **state)
{
    static const float c64[] = { 1.5f, -0.1f };
    static const double pair[] = { -0.0, 1e300, 3.0, -4.0 };
    static const long double wide[] = { 0.5L, -2.25L };
    const pytree_type *types[1];
    Phases phases;
    pytree_def *def;
    pytree_error error = { 0 };
    (void)state;
    memset(&phases, 0, sizeof phases);
    memcpy(&phases.c64, c64, sizeof c64);
    memcpy(phases.pair, pair, sizeof pair);
    memcpy(&phases.wide, wide, sizeof wide);
    types[0] = PYTREE_TYPE(Phases);
    def = pytree_def_struct(PYTREE(&phases), 0, NULL, NULL, NULL);
    assert_def(def, "PyTreeDef(CustomNode(Phases[((1.5-0.1j), ((-0+1e+300j), (3-4j)), (0.5-2.25j))], []))");
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
    memset(&phases, 0, sizeof phases);                          /* without a real part: no parentheses */
    memcpy(phases.pair, (const double[]){ 0.0, 1.0, 0.0, -3.5 }, sizeof phases.pair);
    def = pytree_def_struct(PYTREE(&phases), 0, NULL, NULL, NULL);
    assert_def(def, "PyTreeDef(CustomNode(Phases[(0j, (1j, -3.5j), 0j)], []))");
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
    assert_null(pytree_def_parse("PyTreeDef(CustomNode(Phases[((1.5), 1, 2)], []))", types, 1, NULL, &error));
    assert_string_equal(error.message, "line 1, column 34: expected '+', got ')'");
}
#endif

/* Digits of a long double that no double has are kept in bytes. */
static void long_doubles_keep_their_digits_in_bytes(void **state)
{
    const long double values[] = { 1.0L / 3.0L, -LDBL_MAX, LDBL_MIN, LDBL_MIN * LDBL_EPSILON, -0.0L, 1.0L + LDBL_EPSILON };
    const pytree_type *types[1];
    size_t i, size;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    if (under_valgrind()) { return; }
    for (i = 0; i < COUNT_OF(values); i++) {
        Statics s = statics_make();
        pytree_def *def, *loaded;
        unsigned char *bytes;
        s.wide = values[i];
        def = statics_def(&s, NULL);
        bytes = saved(def, &size);
        loaded = pytree_def_load(bytes, size, types, 1, NULL, NULL);
        assert_same_def(def, loaded);
        pytree_def_free(def);
        pytree_def_free(loaded);
        free(bytes);
    }
}

static void addresses_stay_in_the_process(void **state)
{
    const pytree_type *types[1];
    Statics s = statics_make();
    pytree_error error = { 0 };
    pytree_def *def;
    char *text;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    s.function = fabs;
    def = statics_def(&s, NULL);
    assert_int_equal(pytree_def_save(def, NULL, 0, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    text = def_text(def);
    assert_null(pytree_def_parse(text, types, 1, NULL, &error));
    assert_error(error.status, PYTREE_SYNTAX, "", &error);
    assert_non_null(strstr(error.message, "no other address can be read back"));
    free(text);
    pytree_def_free(def);
}

/* Text of one wrong static value at a time. */
static void static_values_must_fit(void **state)
{
    static const struct { const char *right, *wrong, *expected; } cases[] = {
        { "-128", "-129", "an integer that fits i8" }, { "-128", "128", "an integer that fits i8" },
        { "255", "256", "an integer that fits u8" }, { "255", "-1", "an integer that fits u8" },
        { "-32768", "32768", "an integer that fits i16" }, { "65535", "65536", "an integer that fits u16" },
        { "-2147483648", "2147483648", "an integer that fits i32" }, { "4294967295", "4294967296", "an integer that fits u32" },
        { "18446744073709551615", "18446744073709551616", "an integer that fits u64" },
        { "0.1,", "1e39,", "a number that f32 has" }, { "0.1,", "-nan,", "a number, got '-'" },
        { "(1, -2, 3, -4)", "(1, -2, 3)", "','" }, { "(1, -2, 3, -4)", "[1, -2, 3, -4]", "'('" },
        { "(5,)", "(5)", "',)'" }, { "Inner(level=-3", "Inner(word=-3", "'level'" }, { "Inner(", "Outer(", "'Inner'" },
        { "<address 0x0>", "<address 0x10>", "<address 0x0>" }, { "True", "1", "True or False" }
    };
    Statics s = statics_make();
    const pytree_type *types[1];
    pytree_def *def = statics_def(&s, NULL);
    char *text = def_text(def), *wrong = malloc(strlen(text) + 100);
    size_t i;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    assert_non_null(wrong);
    for (i = 0; i < COUNT_OF(cases); i++) {
        const char *at = strstr(text, cases[i].right);
        pytree_error error = { 0 };
        assert_non_null(at);
        memcpy(wrong, text, (size_t)(at - text));
        strcpy(wrong + (at - text), cases[i].wrong);
        strcat(wrong, at + strlen(cases[i].right));
        assert_null(pytree_def_parse(wrong, types, 1, NULL, &error));
        assert_int_equal(error.status, PYTREE_SYNTAX);
        if (strstr(error.message, cases[i].expected) == NULL) {
            fail_msg("'%s' in place of '%s': %s", cases[i].wrong, cases[i].right, error.message);
        }
    }
    free(wrong);
    free(text);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_takes_space_and_any_key_order), cmocka_unit_test(parse_reads_escapes),
        cmocka_unit_test(parse_says_where_and_what), cmocka_unit_test(parse_survives_broken_text),
        cmocka_unit_test(static_values_of_every_kind_round_trip), cmocka_unit_test(long_doubles_keep_their_digits_in_bytes),
#if TEST_HAS_COMPLEX
        cmocka_unit_test(complex_static_values_round_trip),
#endif
        cmocka_unit_test(addresses_stay_in_the_process), cmocka_unit_test(static_values_must_fit)
    };
    return cmocka_run_group_tests(tests, known_types_begin, NULL);
}
