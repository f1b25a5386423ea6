/* Literals: the notation, and errors in it. */
#include "literal_shared.h"

/* ---- The notation ------------------------------------------------------------------------------------------------------ */

static void test_notation(void **state)
{
    static const struct { const char *text, *canonical; } cases[] = {
        { "None", NULL }, { "null", "None" }, { " \t\r\n None\n", "None" },
        { "True", NULL }, { "False", NULL }, { "true", "True" }, { "false", "False" },
        { "0", NULL }, { "-0", "0" }, { "12", NULL }, { "9223372036854775807", NULL }, { "-9223372036854775808", NULL },
        { "9223372036854775808", "u64(9223372036854775808)" }, { "18446744073709551615", "u64(18446744073709551615)" },
        { "1.5", NULL }, { "-0.0", NULL }, { "1.", "1.0" }, { ".5", "0.5" }, { "1e5", "100000.0" }, { "1E+2", "100.0" },
        { "1e-07", NULL }, { "1e+16", NULL }, { "1e16", "1e+16" }, { "123456789012345.6", NULL }, { "0.0001", NULL },
        { "1e-05", NULL }, { "5e-324", NULL }, { "1.7976931348623157e+308", NULL }, { "0e999999999999", "0.0" },
        { "1e-999999999999", "0.0" }, { "-1e-400", "-0.0" }, { "0.1e1", "1.0" }, { "00.5", "0.5" },
        { "inf", NULL }, { "-inf", NULL }, { "nan", NULL }, { "Infinity", "inf" }, { "-Infinity", "-inf" }, { "NaN", "nan" },
        { "2j", NULL }, { "(1+2j)", NULL }, { "(1.5-2j)", NULL }, { "(-0-0j)", NULL }, { "(nan+infj)", NULL }, { "infj", NULL },
        { "-1.5j", NULL }, { "(1, 2j)", NULL }, { "(1e3+2e-3j)", "(1000+0.002j)" },
        { "'it'", NULL }, { "\"it\"", "'it'" }, { "\"it's\"", NULL }, { "''", NULL }, { "'\xC3\xA9'", NULL },
        { "'\\\\ \\' \\\" \\/ \\a\\b\\f\\n\\r\\t\\v'", "'\\\\ \\' \" / \\x07\\x08\\x0c\\n\\r\\t\\x0b'" },
        { "'\\x41\\xe9\\u20ac\\U0001F600'", "'A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'" },
        { "'\\x4A\\x4a\\xAF\\u0800'", "'JJ\xC2\xAF\xE0\xA0\x80'" }, { "'\xE0\xA0\x80'", NULL },
        { "\"\\ud83d\\ude00\\u00E9\"", "'\xF0\x9F\x98\x80\xC3\xA9'" },
        { "'\\udc80\\udcff'", NULL }, { "'\\udcc3\\udca9'", "'\xC3\xA9'" }, { "'tab\there'", "'tab\\there'" },
        { "[]", NULL }, { "[1]", NULL }, { "[1,]", "[1]" }, { "[ 1 ,2\n, 3 , ]", "[1, 2, 3]" },
        { "[\n    1,\n        2,\n      3,\n \t     4\n]\n    ", "[1, 2, 3, 4]" },
        { "[\n   1    ,\n\t    2\n    ]\n  ", "[1, 2]" },
        { "[[], [[]]]", NULL },
        { "()", NULL }, { "(1,)", NULL }, { "(1, 2)", NULL }, { "(1,2,)", "(1, 2)" }, { "((), ((),))", NULL },
        { "{}", NULL }, { "{'a': 1}", NULL }, { "{\"b\":1,\"a\":{},}", "{'b': 1, 'a': {}}" }, { "{'': 0}", NULL },
        { "{3: 'x', -1: 'y', 2: {10: None}}", NULL }, { "{-9223372036854775808: 1, 9223372036854775807: 2}", NULL },
        { "OrderedDict()", NULL }, { "OrderedDict({})", "OrderedDict()" }, { "OrderedDict([])", "OrderedDict()" },
        { "OrderedDict({'b': 1, 'a': 2})", NULL }, { "OrderedDict([('b', 1), ('a', 2,),],)", "OrderedDict({'b': 1, 'a': 2})" },
        { "OrderedDict([(2, 'x'), (1, OrderedDict([('k', [])]))])", "OrderedDict({2: 'x', 1: OrderedDict({'k': []})})" },
        { "defaultdict(<class 'int'>, {})", NULL }, { "defaultdict(<class 'int'>, {'b': 1, 'a': 2})", NULL },
        { "defaultdict(None, {3: 1, 2: 0})", NULL }, { "defaultdict ( null ,{} , )", "defaultdict(None, {})" },
        { "deque([])", NULL }, { "deque()", "deque([])" }, { "deque([1, [2]])", NULL }, { "deque([1, 2], maxlen=3)", NULL },
        { "deque([], maxlen=0)", NULL }, { "deque([1,], maxlen = None,)", "deque([1])" }, { "deque([1],)", "deque([1])" },
        { "deque([1], maxlen=2 ,)", "deque([1], maxlen=2)" },
        { "Point()", NULL }, { "Point(x=1)", NULL }, { "Point(x=1, y=Point(y=None, x=(1,)))", NULL },
        { "P_1 ( x = 1 , )", "P_1(x=1)" },
        { "\xC3\x89t\xC3\xA9(\xC3\xA0=1)", NULL }, { "None(x=1)", NULL }, { "namedtuple()", NULL },
        { "[bool(True), i64(1), f64(1), str('a'), c128(1j), f64(inf)]", "[True, 1, 1.0, 'a', 1j, inf]" },
        { "[i8(-128), i16(-32768), i32(-2147483648), u8(255), u16(65535), u32(4294967295), u64(0)]", NULL },
        { "[f16(1.5), bf16(-2.0), f32(0.1), longdouble(1.25), c64((1-0j)), clongdouble(2j)]", NULL },
        { "u8( 7 , )", "u8(7)" }, { "f16(65504)", "f16(65504.0)" }, { "f16(65519.99)", "f16(65504.0)" },
        { "f16(1e-9)", "f16(0.0)" },
        { "[f16(nan), bf16(-inf), f32(-nan), longdouble(nan)]", "[f16(nan), bf16(-inf), f32(nan), longdouble(nan)]" },
        { "c64(1+2j)", "c64((1+2j))" }, { "c64( ( 1 +2j ) )", "c64((1+2j))" }, { "clongdouble((nan-infj))", NULL },
        { "f32([1.0, -0.0, nan, inf])", NULL }, { "f32([])", NULL }, { "i64([1, 2,],)", "i64([1, 2])" },
        { "f64([[1.0, 2.0], [3.0, 4.0]])", NULL }, { "u8([[[1], [2]], [[3], [4]], [[5], [6]]])", NULL },
        { "bool([True, false])", "bool([True, False])" }, { "str(['a', None, \"it's\", ''])", NULL },
        { "c64([[1j], [(1+2j)]])", NULL },
        { "f32([[], []])", "f32([], shape=(2, 0))" }, { "f32([], shape=(0, 3))", NULL },
        { "str([], shape=(2, 0, 3),)", "str([], shape=(2, 0, 3))" },
        { "f32([1, 2, 3, 4], shape=(2, 2))", "f32([[1.0, 2.0], [3.0, 4.0]])" },
        { "i8([[[[[[[[1]]]]]]]])", NULL }, { "i8([], shape=(0,))", "i8([])" },
        { "{'axes': (None, 0), \"w\": [f32([1.5]), {}], 'n': Point(x=deque([u8(1)]))}",
          "{'axes': (None, 0), 'w': [f32([1.5]), {}], 'n': Point(x=deque([u8(1)]))}" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        if (under_valgrind() && strstr(cases[i].text, "long") != NULL) { continue; }
        assert_parses(cases[i].text, cases[i].canonical);
    }
}

/* The trees are those that the constructors make. */
static void test_same_as_built(void **state)
{
    float numbers[6] = { 0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f };
    unsigned char bytes[3] = { 1, 2, 3 };
    pytree_options opt = { 0 };
    pytree_leaf empty = { 0 };
    (void)state;
    empty.type = PYTREE_TYPE(short);
    empty.ndim = 2;
    empty.shape[1] = 3;
    assert_literal(PYTREE_LIST(PYTREE_INT(1), PYTREE_FLOAT(1.5), PYTREE_STR("a"), PYTREE_BOOL(true), PYTREE_NONE),
                   "[1, 1.5, 'a', True, None]");
    assert_literal(PYTREE_TUPLE(PYTREE_TUPLE(), PYTREE_TUPLE(PYTREE_LIST())), "((), ([],))");
    assert_literal(PYTREE_DICT({ "b", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }), "{'b': 1, 'a': 2}");
    assert_literal(PYTREE_IDICT({ 30, PYTREE_INT(1) }, { -2, PYTREE_INT(2) }), "{30: 1, -2: 2}");
    assert_literal(PYTREE_ODICT({ "b", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }), "OrderedDict({'b': 1, 'a': 2})");
    assert_literal(PYTREE_DEFAULTDICT("int", { "b", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }),
                   "defaultdict(<class 'int'>, {'b': 1, 'a': 2})");
    assert_literal(PYTREE_DEFAULTDICT(NULL), "defaultdict(None, {})");
    assert_literal(PYTREE_DEQUE(3, PYTREE_INT(1), PYTREE_INT(2)), "deque([1, 2], maxlen=3)");
    assert_literal(PYTREE_DEQUE(PYTREE_UNBOUNDED), "deque([])");
    assert_literal(PYTREE_NAMEDTUPLE("Pair", { "x", PYTREE_INT(1) }, { "y", PYTREE_NONE }), "Pair(x=1, y=None)");
    assert_literal(PYTREE_ARRAY(numbers, 2, 3), "f32([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]])");
    assert_literal(PYTREE_ARRAY(bytes, 3), "u8([1, 2, 3])");
    assert_literal(PYTREE(&numbers[1]), "f32(1.5)");
    assert_literal(PYTREE(&empty), "i16([], shape=(0, 3))");
    opt.none_is_leaf = true;              /* neither has a say */
    opt.is_leaf = NULL;
    {
        char *text = literal_of(PYTREE_LIST(PYTREE_NONE), &opt);
        assert_string_equal(text, "[None]");
        free(text);
    }
}

/* Python's order of keys is kept, visits are by sorted key, and the treedef does not care. */
static void test_dict_order(void **state)
{
    pytree_error error = { 0 };
    pytree t = pytree_parse("{'b': 1, 'c': {'z': 2, 'y': 3}, 'a': 4}", NULL, &error), u, copy;
    const pytree_items *items = t.data;
    pytree_iter it;
    int64_t sum = 0;
    size_t n = 0;
    char path[40];
    static const char *const paths[] = { "['a']", "['b']", "['c']['y']", "['c']['z']" };
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(items->count, 3);
    assert_string_equal(items->pairs[0].key, "b");
    assert_string_equal(items->pairs[1].key, "c");
    assert_string_equal(items->pairs[2].key, "a");
    assert_int_equal(items->order[0], 2);
    assert_int_equal(items->order[1], 0);
    assert_int_equal(items->order[2], 1);
    assert_ok(pytree_iter_begin(&it, 1, &t, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        (void)pytree_iter_path_text(&it, path, sizeof path);
        assert_string_equal(path, paths[n++]);
        sum = 10 * sum + *(const int64_t *)it.leaf[0]->data;
    }
    pytree_iter_end(&it);
    assert_int_equal(sum, 4132);
    u = pytree_parse("{'a': 4, 'b': 1, 'c': {'y': 3, 'z': 2}}", NULL, &error);
    assert_true(pytree_equal(t, u, NULL, NULL, &error));
    copy = pytree_clone(t, NULL, &error);
    assert_literal(copy, "{'b': 1, 'c': {'z': 2, 'y': 3}, 'a': 4}");
    pytree_free(copy);
    pytree_free(u);
    pytree_free(t);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------------ */

static void test_errors(void **state)
{
    static const struct { const char *text, *message; } cases[] = {
        { "", "line 1, column 1: expected a value, got the end" },
        { "[1,\n 2,\n }", "line 3, column 2: expected a value, got '}'" },
        { "[1}", "line 1, column 3: expected ',' or ']', got '}'" },
        { "[1 2]", "line 1, column 4: expected ',' or ']', got '2'" },
        { "[,]", "line 1, column 2: expected a value, got ','" },
        { "[1,,]", "line 1, column 4: expected a value, got ','" },
        { "(1)", "line 1, column 3: expected ',' (a tuple of one is written (1,)), got ')'" },
        { "1 1", "line 1, column 3: expected the end, got '1'" },
        { "[] # no", "line 1, column 4: expected the end, got '#'" },
        { "{1}", "line 1, column 3: expected ':', got '}'" },
        { "{'a': 1, 2: 3}", "line 1, column 10: expected a string in quotes, as the keys before, got '2'" },
        { "{2: 1, 'a': 3}", "line 1, column 8: expected an integer, as the keys before, got 'a'" },
        { "{None: 1}", "line 1, column 2: expected '}' or a key (a string in quotes or an integer), got 'None'" },
        { "{1: 1, x: 1}", "line 1, column 8: expected a key (a string in quotes or an integer), got 'x'" },
        { "{1.5: 1}", "line 1, column 2: expected an integer that i64 has, got '1.5'" },
        { "{9223372036854775808: 1}", "line 1, column 2: expected an integer that i64 has, got '9223372036854775808'" },
        { "{'a': 1, 'b': 2, 'a': 3}", "line 1, column 18: expected each key once, got 'a'" },
        { "{'a': 1, 'a': 3}", "line 1, column 10: expected each key once, got 'a'" },
        { "{2: {1: 1, 1: 2}}", "line 1, column 12: expected each key once, got '1'" },
        { "OrderedDict({'b': 1, 'a': 1, 'b': 2})", "line 1, column 30: expected each key once, got 'b'" },
        { "[{'a': 0, 'b': 1}, {'c': 0, 'd': {'b': 1, 'a': 1, 'b': 2}}, {'a': 0}]",
          "line 1, column 51: expected each key once, got 'b'" },
        { "{'a': {'a': 1, 'a': 3}, 'a': 2", "line 1, column 31: expected ',' or '}', got the end" },     /* notation first */
        { "[1e999, {'a': 1", "line 1, column 16: expected ',' or '}', got the end" },
        { "[{'a': 1, 'a': 3}, 1e999]", "line 1, column 11: expected each key once, got 'a'" },
        { "[1e999, {'a': 1, 'a': 3}]", "line 1, column 2: expected a number that f64 has, got '1e999'" },
        { "OrderedDict([('b': 1)])", "line 1, column 18: expected ',', got ':'" },
        { "OrderedDict([('b', 1])", "line 1, column 21: expected ')', got ']'" },
        { "OrderedDict([['b', 1]])", "line 1, column 14: expected '(', got '['" },
        { "OrderedDict(1)", "line 1, column 13: expected '{', '[' or ')', got '1'" },
        { "OrderedDict({}", "line 1, column 15: expected ')', got the end" },
        { "deque({})", "line 1, column 7: expected '[' or ')', got '{'" },
        { "deque([1, 2], maxlen=1)", "line 1, column 22: expected a maxlen of at least 2, as many as there are, got '1'" },
        { "deque([], maxlen=-1)", "line 1, column 18: expected an integer that u64 has, got '-1'" },
        { "deque([], maxlen=18446744073709551615)",
          "line 1, column 18: expected a maxlen that fits, got '18446744073709551615'" },
        { "deque([], most=1)", "line 1, column 11: expected maxlen=, got 'most'" },
        { "defaultdict(int, {})", "line 1, column 13: expected <class '...'> or None, got 'int'" },
        { "defaultdict(<klass 'int'>, {})", "line 1, column 14: expected class, got 'klass'" },
        { "defaultdict(<class int>, {})", "line 1, column 20: expected the name of the factory in quotes, got 'int'" },
        { "defaultdict(None)", "line 1, column 17: expected ',', got ')'" },
        { "Point(1)", "line 1, column 7: expected ')' or the name of a field, got '1'" },
        { "Point(x=1, 2)", "line 1, column 12: expected the name of a field, got '2'" },
        { "Point(x 1)", "line 1, column 9: expected '=', got '1'" },
        { "Point(x=1, x=2)", "line 1, column 12: expected each field once, got 'x'" },
        { "nonsense", "line 1, column 1: expected a value (strings are in quotes), got 'nonsense'" },
        { "nonsense_nonsense_nonsense",
          "line 1, column 1: expected a value (strings are in quotes), got 'nonsense_nonsense_nonsen...'" },
        { "Nones", "line 1, column 1: expected a value (strings are in quotes), got 'Nones'" },
        { "@", "line 1, column 1: expected a value, got '@'" },
        { "\x7F", "line 1, column 1: expected a value, got byte 0x7f" },
        { "'\xC3\xA9' \xC3\xA9", "line 1, column 5: expected the end, got byte 0xc3" },
        { "-", "line 1, column 2: expected a number without leading zeros, got the end" },
        { "007", "line 1, column 1: expected a number without leading zeros, got '007'" },
        { "1e", "line 1, column 3: expected a number, got the end" },
        { "1e+x", "line 1, column 4: expected a number, got 'x'" },
        { "0x10", "line 1, column 2: expected the end, got 'x10'" },
        { "+1", "line 1, column 1: expected a value, got '+'" },
        { "1_000", "line 1, column 2: expected the end, got '_000'" },
        { "18446744073709551616", "line 1, column 1: expected an integer of 64 bits, got '18446744073709551616'" },
        { "-9223372036854775809", "line 1, column 1: expected an integer of 64 bits, got '-9223372036854775809'" },
        { "1e309", "line 1, column 1: expected a number that f64 has, got '1e309'" },
        { "(1+2)", "line 1, column 5: expected 'j', got ')'" },
        { "(1+2j", "line 1, column 6: expected ')', got the end" },
        { "u8(256)", "line 1, column 4: expected an integer that u8 has, got '256'" },
        { "u8(-1)", "line 1, column 4: expected an integer that u8 has, got '-1'" },
        { "i8(-129)", "line 1, column 4: expected an integer that i8 has, got '-129'" },
        { "i8(1.0)", "line 1, column 4: expected an integer that i8 has, got '1.0'" },
        { "i8(inf)", "line 1, column 4: expected an integer, got 'inf'" },
        { "i8('a')", "line 1, column 4: expected an integer, got 'a'" },
        { "i8(1", "line 1, column 5: expected ')', got the end" },
        { "f32(1e39)", "line 1, column 5: expected a number that f32 has, got '1e39'" },
        { "bf16(1e39)", "line 1, column 6: expected a number that bf16 has, got '1e39'" },
        { "f16(65520)", "line 1, column 5: expected a number that f16 has, got '65520'" },
        { "bf16(3.4e38)", "line 1, column 6: expected a number that bf16 has, got '3.4e38'" },
        { "longdouble(1e5000)", "line 1, column 12: expected a number that longdouble has, got '1e5000'" },
        { "f64(True)", "line 1, column 5: expected a number, got 'True'" },
        { "bool(1)", "line 1, column 6: expected True or False, got '1'" },
        { "str(1)", "line 1, column 5: expected a string in quotes or '[', got '1'" },
        { "str(None)", "line 1, column 5: expected a string in quotes or '[', got 'None'" },
        { "c64(1)", "line 1, column 6: expected 'j', '+' or '-', got ')'" },
        { "c64((1))", "line 1, column 7: expected '+' or '-', got ')'" },
        { "f32([[1], [2, 3]])", "line 1, column 16: expected 1 items as in the list before, after 2, got ']'" },
        { "f32([[1], []])", "line 1, column 12: expected 1 items as in the list before, after 0, got ']'" },
        { "f32([1, [2]])", "line 1, column 9: expected an element, got '['" },
        { "f32([[1], 2])", "line 1, column 11: expected '[', got '2'" },
        { "f32([1 2])", "line 1, column 8: expected ',' or ']', got '2'" },
        { "f32([1,", "line 1, column 8: expected a number, got the end" },
        { "f32([1, x])", "line 1, column 9: expected a number, got 'x'" },
        { "str([1])", "line 1, column 6: expected a string in quotes or None, got '1'" },
        { "f32([], shape=(1, 3))", "line 1, column 9: expected a shape of as many elements as there are, got 'shape'" },
        { "f32([[1]], shape=(1, 1))", "line 1, column 12: expected ')' (the shape is that of the lists), got 'shape'" },
        { "f32([7], shape=())", "line 1, column 17: expected an integer, got ')'" },
        { "str([None], shape=())", "line 1, column 20: expected an integer, got ')'" },
        { "f32([], size=0)", "line 1, column 9: expected shape= or ')', got 'size'" },
        { "f32([], shape=(0, 1, 1, 1, 1, 1, 1, 1, 1))", "line 1, column 40: expected ')' (no more dimensions), got '1'" },
        { "f32([], shape=(0, 18446744073709551615))", "line 1, column 9: expected extents that fit memory, got 'shape'" },
        { "i8([[[[[[[[[1]]]]]]]]])", "line 1, column 12: expected at most 8 dimensions, got '['" },
        { "'abc", "line 1, column 5: expected the closing ', got the end" },
        { "\"abc'", "line 1, column 6: expected the closing \", got the end" },
        { "'a\nb'", "line 1, column 3: expected the closing ', got byte 0x0a" },
        { "'\\q'", "line 1, column 2: expected an escape such as \\n, \\x1b or \\u200b, got '\\'" },
        { "'\\x4'", "line 1, column 2: expected an escape such as \\n, \\x1b or \\u200b, got '\\'" },
        { "'\\u12g4'", "line 1, column 2: expected an escape such as \\n, \\x1b or \\u200b, got '\\'" },
        { "'\\U00110000'", "line 1, column 2: expected an escape such as \\n, \\x1b or \\u200b, got '\\'" },
        { "'\\", "line 1, column 2: expected an escape such as \\n, \\x1b or \\u200b, got '\\'" },
        { "'\\x00'", "line 1, column 2: expected an escape other than NUL, got '\\'" },
        { "'\\u0000'", "line 1, column 2: expected an escape other than NUL, got '\\'" },
        { "'\\0'", "line 1, column 2: expected an escape other than NUL, got '\\'" },
        { "'\\ud83d'", "line 1, column 2: expected a character, or both halves of one, got '\\'" },
        { "'\\ud83d\\u0041'", "line 1, column 2: expected a character, or both halves of one, got '\\'" },
        { "'\\ude00'", "line 1, column 2: expected a character, or both halves of one, got '\\'" },
        { "'a\xFF'", "line 1, column 3: expected UTF-8, got byte 0xff" },
        { "'a\xC3'", "line 1, column 3: expected UTF-8, got byte 0xc3" },
        { "'\xED\xA0\x80'", "line 1, column 2: expected UTF-8, got byte 0xed" },
    };
    size_t i;
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        if (under_valgrind() && strstr(cases[i].text, "long") != NULL) { continue; }
        assert_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
    }
    assert_refused("[1\0]", 4, "line 1, column 3: expected ',' or ']', got byte 0x00");
    assert_refused("'a\0'", 4, "line 1, column 3: expected the closing ', got byte 0x00");
    assert_refused("\0", 1, "line 1, column 1: expected a value, got byte 0x00");
    assert_refused("12", 0, "line 1, column 1: expected a value, got the end");
    assert_null(pytree_parse(NULL, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_parse_n(NULL, 0, NULL, &error).data);
    assert_error(error.status, PYTREE_SYNTAX, "", &error);
    memset(&error, 0, sizeof error);
    opt.alignment = 24;
    assert_null(pytree_parse("1", &opt, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
}

/* ---- Hostile text ------------------------------------------------------------------------------------------------------ */

/* Cut anywhere it is refused, with nothing but the text in memory. */
static void test_truncation(void **state)
{
    pytree_error error = { 0 };
    size_t n = strlen(all_kinds), i;
    pytree t;
    (void)state;
    for (i = 0; i < n; i++) {
        memset(&error, 0, sizeof error);
        t = parse_exactly(all_kinds, i, NULL, &error);
        assert_null(t.data);
        assert_error(error.status, PYTREE_SYNTAX, "", &error);
    }
    memset(&error, 0, sizeof error);
    t = parse_exactly(all_kinds, n, NULL, &error);
    assert_ok(error.status, &error);
    pytree_free(t);
}

/* Whatever byte stands anywhere: an error, or a tree whose literal is a fixed point. */
static void test_mutation(void **state)
{
    static const char bytes[] = "[](){}<>'\",:=\\+-.0129ejxNiu \n\x01\x80\xC3\xFF";
    char text[sizeof all_kinds], *first, *second;
    size_t i, k, parsed = 0;
    (void)state;
    for (i = 0; i + 1 < sizeof all_kinds; i++) {
        for (k = 0; k < sizeof bytes; k += under_valgrind() ? 9 : SANITIZED ? 4 : 1) {
            pytree_error error = { 0 };
            pytree t;
            memcpy(text, all_kinds, sizeof text);
            text[i] = bytes[k];
            t = parse_exactly(text, sizeof text - 1, NULL, &error);
            if (t.data == NULL) {
                assert_error(error.status, PYTREE_SYNTAX, "", &error);
                continue;
            }
            parsed++;
            first = literal_of(t, NULL);
            pytree_free(t);
            t = pytree_parse(first, NULL, &error);
            assert_ok(error.status, &error);
            second = literal_of(t, NULL);
            pytree_free(t);
            assert_string_equal(first, second);
            free(first);
            free(second);
        }
    }
    assert_true(parsed > 100);
}

/* A million open brackets are refused or become a tree; the C stack has no part in it. */
static void test_depth(void **state)
{
    static const struct { const char *before, *middle, *behind; } cases[] = {
        { "[", "", "]" }, { "(", "1", ",)" }, { "{'a': ", "None", "}" }, { "{-1: ", "{}", "}" }, { "P(x=", "'a'", ")" },
        { "OrderedDict({'a': ", "1.5", "})" }, { "deque([", "f32([1.0])", "])" }, { "defaultdict(None, {'': ", "1", "})" },
    };
    size_t n = under_valgrind() ? 1000 : SANITIZED ? 8000 : 100000, i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        size_t depth = i == 0 ? 10 * n : n;
        char *text = repeated(cases[i].before, cases[i].middle, cases[i].behind, depth), *printed;
        pytree t = pytree_parse(text, NULL, &error);
        assert_ok(error.status, &error);
        printed = literal_of(t, NULL);
        assert_string_equal(printed, text);
        pytree_free(t);
        free(printed);
        free(text);
        text = repeated(cases[i].before, "", "", depth);
        t = pytree_parse(text, NULL, &error);
        assert_null(t.data);
        assert_error(error.status, PYTREE_SYNTAX, "", &error);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notation),
        cmocka_unit_test(test_same_as_built),
        cmocka_unit_test(test_dict_order),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_mutation),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_memory_is_bounded)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
