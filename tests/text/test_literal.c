/* Literals: trees from text and back. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <cjson/cJSON.h>

#include "pytree/literal.h"

typedef struct Handle {
    int number;
} Handle;

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

typedef struct Holder {
    float x;
    Handle handle;
} Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, handle)
#include "pytree_registry.h"

typedef struct Switch {                   /* as one namespace sees it: with its number */
    double level;
    int number;
} Switch;

#define PYTREE_STRUCT Switch
#define PYTREE_FIELDS PYTREE_FIELD(DATA, level) PYTREE_FIELD(DROP, number)
#include "pytree_registry.h"
#define PYTREE_STRUCT Switch
#define PYTREE_NAMESPACE numbered
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, level) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

typedef struct Pack {
    pytree item;
} Pack;

static size_t pack_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Pack *)self)->item; }
    return 1;
}

static const pytree_custom pack_callbacks = { pack_children, false, NULL, NULL, NULL, NULL };
#define PYTREE_STRUCT Pack
#define PYTREE_CUSTOM pack_callbacks
#include "pytree_registry.h"

typedef struct Table {                    /* static values of more kinds than the others have */
    const char *names[2];
    void (*handler)(void);
    unsigned char one[1];
    float rate;
} Table;

#define PYTREE_STRUCT Table
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, names)                                                                                         \
    PYTREE_FIELD(STATIC, handler)                                                                                       \
    PYTREE_FIELD(STATIC, one)                                                                                           \
    PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"

/* A value of each kind. */
static const char all_kinds[] =
    "{'a': [1, -2.5, 1e-07, True, None, 'x\\u00e9\\ud83d\\ude00\\'', \"it's\"], 'b': (1, (2,), ()), 'c': {3: 1, -4: 2, 0: 3},\n"
    " 'd': OrderedDict([('z', 1), ('y', OrderedDict({'k': 2}))]), 'e': defaultdict(<class 'int'>, {'q': 1, 'p': 2}), "
    "'f': deque([1, 2], maxlen=3), 'g': Point(x=1, y=f32([[1.5, 2.5], [0.1, inf]])), 'h': [u8(3), f16(0.1), c64((1-2j)), "
    "(1+2j), 3j, longdouble(0.1)], 'i': str(['a', None, 'b']), 'j': i64([], shape=(0, 2)), 'k': 18446744073709551615}";

/* ---- Helpers --------------------------------------------------------------------------------------------------------- */

static const pytree_tolerance as_bits = { 0, 0, true };        /* NaN equals NaN */

/* The literal of a tree; free it. */
static char *literal_of(pytree tree, const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n = pytree_literal_text(tree, NULL, 0, opt, &error);
    char *text;
    assert_ok(error.status, &error);
    text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(pytree_literal_text(tree, text, n + 1, opt, &error), n);
    assert_int_equal(strlen(text), n);
    return text;
}

/* A text with nothing behind its last byte, so that whoever reads on is found out. */
static pytree parse_exactly(const char *text, size_t n, const pytree_options *opt, pytree_error *error)
{
    char *copy = malloc(n == 0 ? 1 : n);
    pytree t;
    assert_non_null(copy);
    memcpy(copy, text, n);
    t = pytree_parse_n(copy, n, opt, error);
    free(copy);
    return t;
}

/* The tree prints as that text, and the text parses as that tree. */
static void assert_literal(pytree tree, const char *expected)
{
    pytree_error error = { 0 };
    char *text = literal_of(tree, NULL);
    pytree again;
    assert_string_equal(text, expected);
    again = pytree_parse(text, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(tree, again, &as_bits, NULL, &error));
    assert_ok(pytree_check(again, NULL, NULL, NULL, &error), &error);
    pytree_free(again);
    free(text);
}

/* A text parses, and the tree prints so (NULL: as it was); that again is a fixed point. */
static void assert_parses(const char *text, const char *canonical)
{
    pytree_error error = { 0 };
    pytree t = parse_exactly(text, strlen(text), NULL, &error);
    assert_ok(error.status, &error);
    assert_literal(t, canonical == NULL ? text : canonical);
    pytree_free(t);
}

static void assert_refused(const char *text, size_t n, const char *message)
{
    pytree_error error = { 0 };
    pytree t = parse_exactly(text, n, NULL, &error);
    assert_null(t.data);
    assert_error(error.status, PYTREE_SYNTAX, "", &error);
    assert_string_equal(error.message, message);
    t = parse_exactly(text, n, NULL, NULL);          /* nobody wants to know why */
    assert_null(t.data);
}

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

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
        { "\"\\ud83d\\ude00\\u00E9\"", "'\xF0\x9F\x98\x80\xC3\xA9'" },
        { "'\\udc80\\udcff'", NULL }, { "'\\udcc3\\udca9'", "'\xC3\xA9'" }, { "'tab\there'", "'tab\\there'" },
        { "[]", NULL }, { "[1]", NULL }, { "[1,]", "[1]" }, { "[ 1 ,2\n, 3 , ]", "[1, 2, 3]" }, { "[[], [[]]]", NULL },
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

/* A dict of many keys, in an order that is far from sorted. */
static void test_many_keys(void **state)
{
    enum { N = 1000 };
    char *text = malloc(N * 20 + 3), *at = text;
    pytree_error error = { 0 };
    pytree t;
    const pytree_items *items;
    size_t i;
    (void)state;
    assert_non_null(text);
    *at++ = '{';
    for (i = 0; i < N; i++) { at += sprintf(at, "'%s%u': %u, ", i % 2 == 0 ? "k" : "", (unsigned)(i * 7919 % N), (unsigned)i); }
    strcpy(at, "}");
    t = pytree_parse(text, NULL, &error);
    assert_ok(error.status, &error);
    items = t.data;
    for (i = 1; i < N; i++) {
        assert_true(strcmp(items->pairs[items->order[i - 1]].key, items->pairs[items->order[i]].key) < 0);
    }
    pytree_free(t);
    strcpy(at, "'k0': 1}");
    t = pytree_parse(text, NULL, &error);
    assert_null(t.data);
    assert_non_null(strstr(error.message, "expected each key once, got 'k0'"));
    free(text);
}

/* ---- Errors ---------------------------------------------------------------------------------------------------------- */

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
        { "{'a': 1, 2: 3}", "line 1, column 10: expected a text in quotes, as the keys before, got '2'" },
        { "{2: 1, 'a': 3}", "line 1, column 8: expected an integer, as the keys before, got 'a'" },
        { "{None: 1}", "line 1, column 2: expected '}' or a key (a text in quotes or an integer), got 'None'" },
        { "{1: 1, x: 1}", "line 1, column 8: expected a key (a text in quotes or an integer), got 'x'" },
        { "{1.5: 1}", "line 1, column 2: expected an integer that i64 has, got '1.5'" },
        { "{9223372036854775808: 1}", "line 1, column 2: expected an integer that i64 has, got '9223372036854775808'" },
        { "{'a': 1, 'b': 2, 'a': 3}", "line 1, column 18: expected each key once, got 'a'" },
        { "{'a': 1, 'a': 3}", "line 1, column 10: expected each key once, got 'a'" },
        { "{2: {1: 1, 1: 2}}", "line 1, column 12: expected each key once, got '1'" },
        { "OrderedDict({'b': 1, 'a': 1, 'b': 2})", "line 1, column 30: expected each key once, got 'b'" },
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
        { "nonsense", "line 1, column 1: expected a value (texts stand in quotes), got 'nonsense'" },
        { "nonsense_nonsense_nonsense",
          "line 1, column 1: expected a value (texts stand in quotes), got 'nonsense_nonsense_nonsen...'" },
        { "Nones", "line 1, column 1: expected a value (texts stand in quotes), got 'Nones'" },
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
        { "str(1)", "line 1, column 5: expected a text in quotes or '[', got '1'" },
        { "str(None)", "line 1, column 5: expected a text in quotes or '[', got 'None'" },
        { "c64(1)", "line 1, column 6: expected 'j', '+' or '-', got ')'" },
        { "c64((1))", "line 1, column 7: expected '+' or '-', got ')'" },
        { "f32([[1], [2, 3]])", "line 1, column 16: expected 1 items as in the list before, after 2, got ']'" },
        { "f32([[1], []])", "line 1, column 12: expected 1 items as in the list before, after 0, got ']'" },
        { "f32([1, [2]])", "line 1, column 9: expected an element, got '['" },
        { "f32([[1], 2])", "line 1, column 11: expected '[', got '2'" },
        { "f32([1 2])", "line 1, column 8: expected ',' or ']', got '2'" },
        { "f32([1,", "line 1, column 8: expected a number, got the end" },
        { "f32([1, x])", "line 1, column 9: expected a number, got 'x'" },
        { "str([1])", "line 1, column 6: expected a text in quotes or None, got '1'" },
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
        for (k = 0; k < sizeof bytes; k += under_valgrind() ? 9 : 1) {
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

static char *repeated(const char *before, const char *middle, const char *behind, size_t n)
{
    size_t a = strlen(before), b = strlen(behind), i;
    char *text = malloc(n * (a + b) + strlen(middle) + 1), *at = text;
    assert_non_null(text);
    for (i = 0; i < n; i++, at += a) { memcpy(at, before, a); }
    strcpy(at, middle);
    at += strlen(middle);
    for (i = 0; i < n; i++, at += b) { memcpy(at, behind, b); }
    *at = '\0';
    return text;
}

/* A million open brackets are refused or become a tree; the C stack has no part in it. */
static void test_depth(void **state)
{
    static const struct { const char *before, *middle, *behind; } cases[] = {
        { "[", "", "]" }, { "(", "1", ",)" }, { "{'a': ", "None", "}" }, { "{-1: ", "{}", "}" }, { "P(x=", "'a'", ")" },
        { "OrderedDict({'a': ", "1.5", "})" }, { "deque([", "f32([1.0])", "])" }, { "defaultdict(None, {'': ", "1", "})" },
    };
    size_t n = under_valgrind() ? 1000 : 100000, i;
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

/* Memory for the work and the tree is in proportion to the text, whatever it says. */
static void test_memory_is_bounded(void **state)
{
    static const char *const cases[] = { "[", "[1,", "{'a':", "f32([],shape=(0,", "''", "[],", "f32([]),", "{},", "(1+" };
    enum { N = 2000 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        char *text = repeated(cases[i], "", "", N);
        char *list = malloc(strlen(text) + 3);
        pytree_error error = { 0 };
        pytree_options opt = { 0 };
        Heap heap;
        pytree t;
        assert_non_null(list);
        sprintf(list, "[%s]", text);
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        t = pytree_parse(text, &opt, NULL);
        assert_null(t.data);
        assert_heap_clean(&heap);
        t = pytree_parse(list, &opt, &error);
        if (t.data != NULL) {
            assert_int_equal(heap.blocks, 1);            /* the tree, and nothing else */
            assert_true(heap.bytes < 100 * strlen(list));
            pytree_free(t);
        }
        assert_heap_clean(&heap);
        free(list);
        free(text);
    }
}

/* ---- Numbers --------------------------------------------------------------------------------------------------------- */

static double parsed_double(const char *text)
{
    pytree_error error = { 0 };
    pytree t = pytree_parse(text, NULL, &error);
    double v;
    assert_ok(error.status, &error);
    assert_int_equal(t.type->dtype, PYTREE_F64);
    v = *(const double *)t.data;
    pytree_free(t);
    return v;
}

/* Every text is rounded as it should be: what strtod makes of it. */
static void test_rounding(void **state)
{
    static const char *const hard[] = {
        "9007199254740993.0", "9007199254740992.999", "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9e-324",
        "2.4703282292062328e-324", "0.500000000000000166533453693773481063544750213623046875", "1e23", "8.5e22", "1.0e22",
        "9007199254740992e22", "9007199254740993e-22", "123456789012345678901234567890e-10",
        "0.00000000000000000000000000000001",
        "1797693134862315708145274237317043567980705675258449965989174768031572607800285387605895586327668781"
        "7154045895351438246423432132688946418276846754670353751698604991057655128207624549009038932894407586"
        "8508455133942304583236903222948165808559332123347974797826204144723168738177180919299881250404026184"
        "124858368.0",
    };
    char text[1700];
    size_t i;
    int n = under_valgrind() ? 300 : 20000;
    (void)state;
    for (i = 0; i < COUNT_OF(hard); i++) {
        double expected = strtod(hard[i], NULL), got = parsed_double(hard[i]);
        assert_memory_equal(&got, &expected, sizeof got);
    }
    for (; n > 0; n--) {
        double expected, got;
        (void)sprintf(text, "%llu.%llue%d", (unsigned long long)(random_bits() >> random_bits() % 64),
                      (unsigned long long)(random_bits() >> random_bits() % 64), (int)(random_bits() % 61) - 30);
        expected = strtod(text, NULL);
        got = parsed_double(text);
        assert_memory_equal(&got, &expected, sizeof got);
    }
    /* 1 + 2^-53 lies in the middle; the last of 1,500 digits decides */
    strcpy(text, "1.00000000000000011102230246251565404236316680908203125");
    assert_true(parsed_double(text) == 1.0);
    memset(text + strlen("1.00000000000000011102230246251565404236316680908203125"), '0', 1500);
    strcpy(text + 1550, "1");
    assert_true(parsed_double(text) > 1.0);
    memset(text, '0', sizeof text - 1);   /* zeros in front do not count, however many */
    memcpy(text + 1, ".", 1);
    strcpy(text + 1650, "25e1649");
    assert_true(parsed_double(text) == 2.5);
}

/* In the middle of two floats the double is not enough. */
static void test_float_rounding(void **state)
{
    static const char *const hard[] = {
        "1.00000017881393432617187499", "1.000000178813934326171875", "1.00000017881393432617187501", "16777217",
        "16777217.0000000000000001", "7.006492321624085e-46", "7.0064923216240854e-46", "1.1754943e-38",
        "3.4028235e38", "1e-46", "0.1",
    };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(hard); i++) {
        char text[80];
        float expected = strtof(hard[i], NULL), got;
        pytree t;
        (void)sprintf(text, "f32(-%s)", hard[i]);
        t = pytree_parse(text, NULL, &error);
        assert_ok(error.status, &error);
        got = -*(const float *)t.data;
        assert_memory_equal(&got, &expected, sizeof got);
        pytree_free(t);
    }
}

/* All 16-bit floats come back, and the numbers between two of them go to the nearer one. */
static void test_halves(void **state)
{
    static const int types[] = { PYTREE__T_f16, PYTREE__T_bf16 };
    uint16_t *all = malloc(65536 * sizeof *all);
    unsigned i, k, step = under_valgrind() ? 97 : 1, n = 0;
    (void)state;
    assert_non_null(all);
    for (k = 0; k < 2; k++) {
        pytree_error error = { 0 };
        pytree_leaf leaf = { 0 };
        pytree again;
        const uint16_t *got;
        char *text;
        uint16_t infinite = k == 0 ? 0x7C00 : 0x7F80;
        for (n = i = 0; i < 65536; i += step) {
            if ((i & 0x7FFF) <= infinite) { all[n++] = (uint16_t)i; }
        }
        leaf.type = &pytree_types[types[k]];
        leaf.data = all;
        leaf.ndim = 1;
        leaf.shape[0] = n;
        text = literal_of(PYTREE(&leaf), NULL);
        again = pytree_parse(text, NULL, &error);
        assert_ok(error.status, &error);
        got = ((const pytree_leaf *)again.data)->data;
        assert_memory_equal(got, all, n * sizeof *all);
        pytree_free(again);
        free(text);
        for (i = 0; i + 1 < infinite; i += step) {       /* the middle goes to the even one, its neighbours apart */
            uint16_t low = (uint16_t)i, high = (uint16_t)(i + 1);
            double a, b, middle;
            const int mantissa = k == 0 ? 10 : 7;
            leaf.ndim = 0;
            leaf.data = &low;
            a = pytree_leaf_get(&leaf, 0);
            leaf.data = &high;
            b = pytree_leaf_get(&leaf, 0);
            middle = (a + b) / 2;
            assert_int_equal(pytree__to_half(middle, mantissa), i % 2 == 0 ? i : i + 1);
            assert_int_equal(pytree__to_half(nextafter(middle, 0), mantissa), i);
            assert_int_equal(pytree__to_half(-nextafter(middle, b), mantissa), (i + 1) | 0x8000);
        }
    }
    free(all);
}

/* No decimal of fewer digits reads back. */
static void assert_shortest(const char *text, double v, bool is_float)
{
    char fewer[64];
    int n = 0, zeros = 0;
    for (text += *text == '-'; *text == '.' || (*text >= '0' && *text <= '9'); text++) {
        if (*text == '.' || (n == 0 && *text == '0')) { continue; }
        n++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    n -= zeros;
    if (n < 2) { return; }
    (void)snprintf(fewer, sizeof fewer, "%.*e", n - 2, v);
    assert_true(is_float ? strtof(fewer, NULL) != (float)v : strtod(fewer, NULL) != v);
}

/* Numbers of any bits come back bit for bit, and the digits are the fewest. */
static void test_random_numbers(void **state)
{
    enum { N = 8000 };
    double *doubles = malloc(N * sizeof *doubles);
    float *floats = malloc(N * sizeof *floats);
    size_t i, n = under_valgrind() ? 50 : N;
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(doubles);
    assert_non_null(floats);
    for (i = 0; i < n; i++) {
        const uint64_t bits = random_bits();
        const double tens[] = { 1, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e12 };
        const double number = (double)(int64_t)(bits >> (bits % 50 + 11)) / tens[bits % 8];
        memcpy(&doubles[i], &bits, sizeof bits);
        memcpy(&floats[i], &bits, sizeof *floats);
        if (i % 2 == 0 || doubles[i] != doubles[i]) { doubles[i] = bits % 3 == 0 ? number : -number; }
        if (i % 2 == 0 || floats[i] != floats[i]) { floats[i] = (float)number; }
        if (i % 8 == 1) { floats[i] = ldexpf(1.0f, (int)(bits % 60) - 30); }
        if (i % 4 == 1) { doubles[i] = ldexp((double)(bits >> 11), (int)(bits % 70) - 67 - 13 * (i % 3 == 0)); }
        if (i % 8 == 2) { floats[i] = (float)(1e-4 + 1e-3 * ldexp((double)(bits >> 11), -53)); }
        if (i % 8 == 6) { floats[i] = (float)((double)(bits % 100000) * 1e-8); }
        if (i % 32 == 5) { doubles[i] = nextafter(pow(10, (double)(bits % 20) - 4), (double)(i % 64) - 30); }
        if (i % 32 == 9) { doubles[i] = ldexp(1, (int)(bits % 70) - 20); }
        {
            char *f64 = literal_of(PYTREE(&doubles[i]), NULL), *f32 = literal_of(PYTREE(&floats[i]), NULL);
            assert_shortest(f64, doubles[i], false);
            assert_shortest(f32 + strlen("f32("), (double)floats[i], true);
            free(f64);
            free(f32);
        }
    }
    {
        char *text = literal_of(PYTREE_TUPLE(PYTREE_ARRAY(doubles, n), PYTREE_ARRAY(floats, n)), NULL);
        pytree t = pytree_parse(text, NULL, &error);
        const pytree_items *items = t.data;
        assert_ok(error.status, &error);
        assert_memory_equal(((const pytree_leaf *)items->items[0].data)->data, doubles, n * sizeof *doubles);
        assert_memory_equal(((const pytree_leaf *)items->items[1].data)->data, floats, n * sizeof *floats);
        pytree_free(t);
        free(text);
    }
    free(doubles);
    free(floats);
}

static void test_long_doubles(void **state)
{
    long double numbers[] = { 0.1L, -LDBL_MAX, LDBL_MIN, LDBL_EPSILON, 1.0L / 3.0L, 1e300L, -0.0L, (long double)HUGE_VAL };
    unsigned char again[sizeof(long double)], bytes[sizeof(long double)];
    size_t i, n = LDBL_MANT_DIG == 64 ? 10 : sizeof again;
    (void)state;
    if (under_valgrind()) { return; }
    for (i = 0; i < COUNT_OF(numbers); i++) {
        pytree_error error = { 0 };
        char *text = literal_of(PYTREE(&numbers[i]), NULL);
        pytree t = pytree_parse(text, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(t.type->dtype, PYTREE_FLONG);
        assert_int_equal((uintptr_t)t.data % 16, 0);
        memcpy(again, t.data, sizeof again);
        memcpy(bytes, &numbers[i], sizeof bytes);
        assert_memory_equal(again, bytes, n);
        pytree_free(t);
        free(text);
    }
}

/* Neither the decimal point of the locale nor errno has to do with it. */
static void test_locale(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR", "nl_NL.UTF-8", "pl_PL.UTF-8" };
    size_t i;
    (void)state;
    errno = 77;
    for (i = 0; i < COUNT_OF(names) && setlocale(LC_NUMERIC, names[i]) == NULL; i++) {}      /* some machines have one */
    assert_parses("[1.5, 0.30000000000000004, 1.7976931348623157e+308, 5e-324, f32(0.1)]", NULL);
    assert_refused("1e999", 5, "line 1, column 1: expected a number that f64 has, got '1e999'");
    (void)setlocale(LC_NUMERIC, "C");
    errno = 77;
    assert_parses("[0.30000000000000004, 1e-999]", "[0.30000000000000004, 0.0]");
    assert_int_equal(errno, 77);
}

/* Texts of all bytes. */
static void test_all_bytes(void **state)
{
    char text[3] = { 0 };
    const char *s = text;
    unsigned i;
    (void)state;
    for (i = 1; i < 0x10000; i += i < 256 || !under_valgrind() ? 1 : 97) {
        text[0] = (char)(i & 255);
        text[1] = (char)(i >> 8);
        if (text[0] != '\0') {
            pytree_error error = { 0 };
            char literal[40];
            pytree t;
            assert_true(pytree_literal_text(PYTREE(&s), literal, sizeof literal, NULL, &error) < sizeof literal);
            t = pytree_parse(literal, NULL, &error);
            assert_ok(error.status, &error);
            assert_string_equal(*(char **)t.data, text);
            pytree_free(t);
        }
    }
}

/* ---- Structs and the rest of what prints ------------------------------------------------------------------------------- */

/* A struct comes back as a namedtuple: static values first, then its fields. */
static void test_structs(void **state)
{
    MLP model = mlp_make(1, true);
    Linear flat_layer = linear_make(1, 2, 3.0f);
    Everything all = everything_make(false);
    Shelf shelf = shelf_make();
    Table table = { { "a", NULL }, NULL, { 7 }, 0.5f };
    Switch lamp = { 0.25, 3 };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree t;
    char *text;
    (void)state;
    text = literal_of(PYTREE(&flat_layer), NULL);
    assert_string_equal(text, "Linear(din=1, dout=2, w=f32([[3.0, 4.0]]), b=f32([-3.0, -2.0]))");
    t = pytree_parse(text, NULL, &error);
    assert_literal(t, text);
    assert_def_text(t, "PyTreeDef(CustomNode(namedtuple[Linear], [*, *, *, *]))", NULL);
    pytree_free(t);
    free(text);
    text = literal_of(PYTREE(&model), NULL);
    assert_non_null(strstr(text, "MLP(n_layers=1, layers=[Linear(din=4, dout=3, w=f32([["));
    assert_non_null(strstr(text, "head=Linear(din=2, dout=2, w=f32([[1000.0, 1001.0], [1002.0, 1003.0]]), b="));
    assert_non_null(strstr(text, ", scale=f32([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]))"));
    assert_parses(text, NULL);
    free(text);
    {
        pytree_leaf *leaves = NULL;
        pytree_def *def = NULL;
        pytree_flat flat;
        char *direct = literal_of(PYTREE(&model), NULL);
        assert_ok(pytree_flatten(PYTREE(&model), &leaves, 0, &def, NULL, &error), &error);
        flat.def = def;
        flat.leaves = leaves;
        text = literal_of(PYTREE(&flat), NULL);
        assert_string_equal(text, direct);
        free(text);
        free(direct);
        pytree_def_free(def);
        leaves = NULL;
        t = pytree_parse(all_kinds, NULL, &error);
        assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
        flat.def = def;
        flat.leaves = leaves;
        text = literal_of(PYTREE(&flat), NULL);
        assert_non_null(strstr(text, "defaultdict(<class 'int'>, {'p': 2, 'q': 1})"));         /* as they are visited */
        {
            pytree again = pytree_parse(text, NULL, &error);
            assert_true(pytree_equal(again, t, NULL, NULL, &error));
            pytree_free(again);
        }
        free(text);
        pytree_free(t);
        pytree_def_free(def);
    }
    all.function = NULL;
    text = literal_of(PYTREE(&all), NULL);
    assert_non_null(strstr(text, "Everything(rows=2, columns="));
    assert_non_null(strstr(text, "config=Config(width="));
    assert_non_null(strstr(text, "function=None, mode="));
    assert_non_null(strstr(text, "u8=u8(200), i16=i16(-1600)"));
    if (!under_valgrind()) { assert_parses(text, NULL); }
    free(text);
    text = literal_of(PYTREE(&shelf), NULL);
    assert_string_equal(text, "Shelf(heights=[f32(1.5), f32(3.0), f32(4.5)], "
                        "spots=[Point(x=f32(0.0), y=f32(0.0)), Point(x=f32(1.0), y=f32(10.0))], "
                        "prices={'pear': 0.25, 'apple': 0.5, 'fig': 0.75}, "
                        "places={'there': Point(x=f32(7.0), y=f32(8.0)), 'here': Point(x=f32(8.0), y=f32(9.0))})");
    assert_parses(text, NULL);
    free(text);
    text = literal_of(PYTREE(&table), NULL);
    assert_string_equal(text, "Table(names=('a', None), handler=None, one=(7,), rate=f32(0.5))");
    free(text);
    text = literal_of(PYTREE(&lamp), NULL);
    assert_string_equal(text, "Switch(level=0.25)");
    free(text);
    opt.space = "numbered";
    text = literal_of(PYTREE(&lamp), &opt);
    assert_string_equal(text, "Switch(level=0.25, number=i32(3))");
    free(text);
    mlp_clear(&model);
    linear_clear(&flat_layer);
    everything_clear(&all);
    shelf_clear(&shelf);
}

static void assert_unwritable(pytree tree, const char *path, const char *message)
{
    char text[8] = "before";
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(pytree_literal_text(tree, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, path, &error);
    assert_string_equal(error.message, message);
    assert_string_equal(text, "");
    memset(&error, 0, sizeof error);
    assert_error(pytree_literal_print(file, tree, NULL, &error), PYTREE_TYPE, path, &error);
    assert_int_equal(ftell(file), 0);
    assert_int_equal(pytree_literal_text(tree, NULL, 0, NULL, NULL), SIZE_MAX);
    fclose(file);
}

/* What has no literal. */
static void test_unwritable(void **state)
{
    static const char *const names[] = { "f32", "str", "deque", "OrderedDict", "defaultdict", "a b", "1a", "", "a\xFF" };
    Holder holder = { 1.0f, { 2 } };
    Pack pack = { PYTREE_INT(1) };
    Everything all = everything_make(true);
    size_t i;
    (void)state;
    assert_unwritable(PYTREE_LIST(PYTREE_INT(1), PYTREE(&holder)), "[1].handle",
                      "expected what a literal can say, got a leaf of the opaque type 'Handle'");
    assert_unwritable(PYTREE_DICT({ "k", PYTREE(&pack) }), "['k']",
                      "expected what a literal can say, got the custom node 'Pack'");
    assert_unwritable(PYTREE_TUPLE(PYTREE(&all)), "[0]",
                      "expected what a literal can say, got an address among the static values of 'Everything'");
    assert_unwritable(PYTREE_LIST(PYTREE_NAMEDTUPLE("P", { "a-b", PYTREE_NONE })), "[0].a-b",
                      "expected what a literal can say, got a field with the name 'a-b'");
    for (i = 0; i < COUNT_OF(names); i++) {
        char message[120];
        (void)sprintf(message, "expected what a literal can say, got a namedtuple or struct with the name '%s'", names[i]);
        assert_unwritable(PYTREE_LIST(PYTREE_NAMEDTUPLE(names[i], { "x", PYTREE_NONE })), "[0]", message);
    }
    {
        char text[40] = "x";
        pytree_error error = { 0 };
        float *nothing = NULL;
        assert_int_equal(pytree_literal_text(PYTREE_ARRAY(nothing, 3), text, sizeof text, NULL, &error), SIZE_MAX);
        assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
        assert_string_equal(text, "");
    }
    everything_clear(&all);
}

/* Like snprintf: at every size the beginning of the text and its NUL, and nothing behind. */
static void test_text_sizes(void **state)
{
    pytree_error error = { 0 };
    pytree t = pytree_parse(all_kinds, NULL, &error);
    char *whole = literal_of(t, NULL), part[1000];
    size_t length = strlen(whole), n;
    (void)state;
    assert_ok(error.status, &error);
    assert_true(length < sizeof part - 2);
    for (n = 0; n <= length + 1; n++) {
        memset(part, '#', sizeof part);
        assert_int_equal(pytree_literal_text(t, part, n, NULL, &error), length);
        if (n > 0) {
            assert_memory_equal(part, whole, n - 1);
            assert_int_equal(part[n - 1], '\0');
        }
        assert_int_equal(part[n], '#');
    }
    free(whole);
    pytree_free(t);
}

/* A file gets the text and a newline, however long the text and its parts are. */
static void test_print(void **state)
{
    char *word = repeated("\xC3\xA9\n", "", "", 3000), *list = repeated("[0.1, 'abc', {1: True}], ", "", "", 700);
    char *source = malloc(strlen(list) + 3), *expected, *read;
    pytree_error error = { 0 };
    pytree t;
    FILE *file = tmpfile();
    size_t n;
    (void)state;
    assert_non_null(file);
    assert_non_null(source);
    sprintf(source, "[%s]", list);
    t = pytree_parse(source, NULL, &error);
    assert_ok(error.status, &error);
    {
        pytree both = PYTREE_DICT({ word, t }, { "short", PYTREE_STR(word) }, { "last", t });
        expected = literal_of(both, NULL);
        assert_ok(pytree_literal_print(file, both, NULL, &error), &error);
    }
    n = strlen(expected);
    read = malloc(n + 10);
    assert_non_null(read);
    rewind(file);
    assert_int_equal(fread(read, 1, n + 10, file), n + 1);
    assert_memory_equal(read, expected, n);
    assert_int_equal(read[n], '\n');
    fclose(file);
    file = fopen("/dev/full", "w");
    if (file != NULL) {
        setbuf(file, NULL);
        assert_error(pytree_literal_print(file, t, NULL, &error), PYTREE_IO, "", &error);
        fclose(file);
    }
    pytree_free(t);
    free(read);
    free(expected);
    free(source);
    free(list);
    free(word);
}

/* ---- Memory ---------------------------------------------------------------------------------------------------------- */

static pytree_status parse_all_kinds(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree t = pytree_parse(context, opt, err);
    pytree_status status = t.data == NULL ? err->status : PYTREE_OK;
    pytree_free(t);
    return status;
}

static pytree_status text_of_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    char text[20] = "before";
    if (pytree_literal_text(*(const pytree *)context, text, sizeof text, opt, err) == SIZE_MAX) {
        assert_string_equal(text, "");
        return err->status;
    }
    return PYTREE_OK;
}

static pytree_status print_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    FILE *file = tmpfile();
    pytree_status status;
    assert_non_null(file);
    status = pytree_literal_print(file, *(const pytree *)context, opt, err);
    fclose(file);
    return status;
}

static void test_allocations(void **state)
{
    char *deep = repeated("[", "", "]", 100);
    char *long_text = repeated("['a', 1, {2: 1, 1: 2}, f32([1]), P(b=1, a=2)],", "", "", 60);
    char *list = malloc(strlen(long_text) + 3);
    MLP model = mlp_make(1, true);
    pytree_error error = { 0 };
    pytree t = pytree_parse(deep, NULL, &error), structs = PYTREE(&model);
    (void)state;
    assert_non_null(list);
    sprintf(list, "[%s]", long_text);
    assert_true(sweep_allocations(parse_all_kinds, (void *)(uintptr_t)all_kinds) >= 10);
    assert_true(sweep_allocations(parse_all_kinds, list) > 15);
    assert_int_equal(sweep_allocations(parse_all_kinds, (char[]){ "1" }), 3);
    assert_true(sweep_allocations(text_of_tree, &t) > 0);
    assert_true(sweep_allocations(text_of_tree, &structs) > 0);
    assert_true(sweep_allocations(print_tree, &t) > 0);
    pytree_free(t);
    mlp_clear(&model);
    free(deep);
    free(long_text);
    free(list);
}

/* Arrays are aligned as asked for, numbers as their types need it, and the tree can be freed when the text is gone. */
static void test_alignment(void **state)
{
    static const size_t alignments[] = { 0, 1, 16, 64, 4096 };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(alignments); i++) {
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree t, copy;
        const pytree_items *items;
        size_t wanted = alignments[i] == 0 ? 64 : alignments[i];
        opt.alignment = alignments[i];
        t = pytree_parse("[u8([1]), f32([1]), 'a', f64([]), (1+2j), i8([1, 2, 3]), clongdouble(1j), str(['a', 'b'])]", &opt,
                         &error);
        assert_ok(error.status, &error);
        items = t.data;
        for (k = 0; k < items->count; k++) {
            if (items->items[k].type->kind == PYTREE_KIND_VIEW) {
                assert_int_equal((uintptr_t)((const pytree_leaf *)items->items[k].data)->data % wanted, 0);
            } else {
                assert_int_equal((uintptr_t)items->items[k].data % items->items[k].type->align, 0);
            }
        }
        copy = pytree_clone(t, &opt, &error);
        assert_true(pytree_equal(t, copy, NULL, NULL, &error));
        pytree_free(copy);
        pytree_free(t);
    }
}

/* A parsed tree is as good as any: it can be changed in place, used as axes, rebuilt. */
static void test_is_a_tree(void **state)
{
    pytree_error error = { 0 };
    pytree t = pytree_parse("{'w': f32([1, 2]), 'n': 3}", NULL, &error), u, none;
    pytree_leaf leaves[2];
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(t, leaves, 2, &n, NULL, &error), &error);
    assert_int_equal(n, 2);
    ((float *)leaves[1].data)[1] = 7.5f;
    *(int64_t *)leaves[0].data = -1;
    assert_literal(t, "{'w': f32([1.0, 7.5]), 'n': -1}");
    u = pytree_zeros_like(t, NULL, &error);
    assert_literal(u, "{'w': f32([0.0, 0.0]), 'n': 0}");
    assert_ok(pytree_copy_into(u, t, NULL, &error), &error);
    assert_true(pytree_equal(t, u, NULL, NULL, &error));
    none = pytree_parse("None", NULL, &error);
    assert_non_null(none.data);
    assert_int_equal(pytree_num_leaves(none, NULL, &error), 0);
    pytree_free(none);
    pytree_free(u);
    pytree_free(t);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static void assert_same_json(const cJSON *json, pytree t)
{
    const pytree_items *items = t.data;
    const cJSON *child;
    size_t i = 0;
    if (cJSON_IsNull(json)) {
        assert_int_equal(t.type->kind, PYTREE_KIND_NONE);
    } else if (cJSON_IsBool(json)) {
        assert_int_equal(t.type->dtype, PYTREE_BOOL8);
        assert_int_equal(*(const bool *)t.data, cJSON_IsTrue(json));
    } else if (cJSON_IsString(json)) {
        assert_string_equal(*(char **)t.data, json->valuestring);
    } else if (cJSON_IsNumber(json)) {
        double v = t.type->dtype == PYTREE_F64 ? *(const double *)t.data : (double)*(const int64_t *)t.data;
        assert_true(v == json->valuedouble);
    } else {
        assert_int_equal(t.type->kind, cJSON_IsArray(json) ? PYTREE_KIND_LIST : PYTREE_KIND_DICT);
        cJSON_ArrayForEach(child, json) {
            assert_true(i < items->count);
            if (cJSON_IsObject(json)) { assert_string_equal(items->pairs[i].key, child->string); }
            assert_same_json(child, cJSON_IsObject(json) ? items->pairs[i].value : items->items[i]);
            i++;
        }
        assert_int_equal(i, items->count);
    }
}

/* JSON means what another parser says it does; and what cJSON writes is read back. */
static void test_json(void **state)
{
    static const char *const cases[] = {
        "[]", "{}", "null", " [ 1 , -2.5e-3 , true , false , null , \"\\u0041\\ud83d\\ude00\\/\\\"\" ] ",
        "{\"b\": {\"z\": [1, 2, {\"k\": []}], \"a\": \"\xE2\x82\xAC\"}, \"a\": [[[]], {}], \"\": 0}",
        "[0, -0, 1E5, 1e+5, 0.1, 123456789, 1.5e308, 4.9e-324, 0.30000000000000004]",
    };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        cJSON *json = cJSON_Parse(cases[i]);
        char *texts[3];
        assert_non_null(json);
        texts[1] = cJSON_Print(json);
        texts[2] = cJSON_PrintUnformatted(json);
        for (k = 0; k < 3; k++) {
            pytree_error error = { 0 };
            const char *text = k == 0 ? cases[i] : texts[k];
            cJSON *again = cJSON_Parse(text);        /* it writes fewer digits than it reads */
            pytree t = pytree_parse(text, NULL, &error);
            assert_ok(error.status, &error);
            assert_same_json(again, t);
            pytree_free(t);
            cJSON_Delete(again);
        }
        cJSON_free(texts[1]);
        cJSON_free(texts[2]);
        cJSON_Delete(json);
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
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_float_rounding),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_long_doubles),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_all_bytes),
        cmocka_unit_test(test_structs),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_text_sizes),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_is_a_tree),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
