/* Treedefs as objects: text, equality, hash, children, entries, copies. Expected texts are JAX's. */
#include "support.h"
#include <float.h>
#include <math.h>

/* ---- Structs with static values of every kind ------------------------------------------------------------------------ */

typedef struct Integers {
    bool flag;
    signed char i8;
    unsigned char u8;
    short i16;
    unsigned short u16;
    int i32;
    unsigned u32;
    long i_long;
    unsigned long u_long;
    long long i64;
    unsigned long long u64;
    Color color;
    float leaf;
} Integers;

#define PYTREE_STRUCT Integers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, flag) PYTREE_FIELD(STATIC, i8) PYTREE_FIELD(STATIC, u8) PYTREE_FIELD(STATIC, i16)              \
    PYTREE_FIELD(STATIC, u16) PYTREE_FIELD(STATIC, i32) PYTREE_FIELD(STATIC, u32) PYTREE_FIELD(STATIC, i_long)          \
    PYTREE_FIELD(STATIC, u_long) PYTREE_FIELD(STATIC, i64) PYTREE_FIELD(STATIC, u64) PYTREE_FIELD(STATIC, color)        \
    PYTREE_FIELD(DATA, leaf)
#include "pytree_registry.h"

typedef struct Single {
    float rate;
} Single;

#define PYTREE_STRUCT Single
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

typedef struct Double {
    double rate;
} Double;

#define PYTREE_STRUCT Double
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

typedef struct Wide {
    long double rate;
    char letter;
    long double rates[2];
} Wide;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, letter) PYTREE_FIELD(STATIC, rates)
#include "pytree_registry.h"

typedef struct Named {
    const char *name;
    float x;
} Named;

#define PYTREE_STRUCT Named
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Arrays {
    int one[1];
    int three[3];
    double two[2];
    bool flags[2];
    const char *words[3];
    const char *word[1];
} Arrays;

#define PYTREE_STRUCT Arrays
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, one) PYTREE_FIELD(STATIC, three) PYTREE_FIELD(STATIC, two) PYTREE_FIELD(STATIC, flags)         \
    PYTREE_FIELD(STATIC, words) PYTREE_FIELD(STATIC, word)
#include "pytree_registry.h"

typedef struct Inner {
    const char *label;
    Config config;
} Inner;

#define PYTREE_STRUCT Inner
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, config)
#include "pytree_registry.h"

typedef struct Nested {
    Inner inner;
    int last;
    float x;
} Nested;

#define PYTREE_STRUCT Nested
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, inner) PYTREE_FIELD(STATIC, last) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Loose {                    /* padding between and behind the members */
    char a;
    double b;
    char c;
    int d;
    short e;
} Loose;

#define PYTREE_STRUCT Loose
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(STATIC, c) PYTREE_FIELD(STATIC, d) PYTREE_FIELD(STATIC, e)
#include "pytree_registry.h"

typedef struct Gated {
    double (*gate)(double);
    float x;
} Gated;

#define PYTREE_STRUCT Gated
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, gate) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static double same(double x)
{
    return x;
}

/* ---- Helpers ---------------------------------------------------------------------------------------------------------- */

static pytree_def *def_of(pytree tree, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(def);
    return def;
}

/* Both ways round; equal treedefs have equal hashes. Frees both. */
static void assert_defs(pytree_def *a, pytree_def *b, bool equal)
{
    assert_int_equal(pytree_def_equal(a, b), equal);
    assert_int_equal(pytree_def_equal(b, a), equal);
    if (equal) {
        assert_true(pytree_def_hash(a) == pytree_def_hash(b));
    }
    pytree_def_free(a);
    pytree_def_free(b);
}

static void assert_same_def(pytree a, pytree b)
{
    assert_defs(def_of(a, NULL), def_of(b, NULL), true);
}

static void assert_other_def(pytree a, pytree b)
{
    assert_defs(def_of(a, NULL), def_of(b, NULL), false);
}

/* The text of one struct without children, from the repr of its single static value. */
static void assert_static_text(pytree tree, const char *name, const char *repr)
{
    char expected[256];
    snprintf(expected, sizeof expected, "PyTreeDef(CustomNode(%s[(%s,)], []))", name, repr);
    assert_def_text(tree, expected, NULL);
}

/* ---- Text: containers -------------------------------------------------------------------------------------------------- */

static void text_of_containers(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x);
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_def_text(a, "PyTreeDef(*)", NULL);
    assert_def_text(PYTREE_NONE, "PyTreeDef(None)", NULL);
    assert_def_text(PYTREE_LIST(), "PyTreeDef([])", NULL);
    assert_def_text(PYTREE_LIST(a), "PyTreeDef([*])", NULL);
    assert_def_text(PYTREE_LIST(a, a, a), "PyTreeDef([*, *, *])", NULL);
    assert_def_text(PYTREE_TUPLE(), "PyTreeDef(())", NULL);
    assert_def_text(PYTREE_TUPLE(a), "PyTreeDef((*,))", NULL);
    assert_def_text(PYTREE_TUPLE(a, a), "PyTreeDef((*, *))", NULL);
    assert_def_text(PYTREE_DICT(), "PyTreeDef({})", NULL);
    assert_def_text(PYTREE_DICT({ "b", a }, { "a", PYTREE_NONE }), "PyTreeDef({'a': None, 'b': *})", NULL);
    assert_def_text(PYTREE_ODICT(), "PyTreeDef(CustomNode(OrderedDict[()], []))", NULL);
    assert_def_text(PYTREE_ODICT({ "b", a }), "PyTreeDef(CustomNode(OrderedDict[('b',)], [*]))", NULL);
    assert_def_text(PYTREE_ODICT({ "b", a }, { "a", a }), "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [*, *]))", NULL);
    assert_def_text(PYTREE_NAMEDTUPLE("Point", { "x", a }, { "y", a }), "PyTreeDef(CustomNode(namedtuple[Point], [*, *]))",
                    NULL);
    assert_def_text(PYTREE_NAMEDTUPLE("Nil"), "PyTreeDef(CustomNode(namedtuple[Nil], []))", NULL);
    assert_def_text(PYTREE_TUPLE(a, PYTREE_DICT({ "a", a }, { "b", a })), "PyTreeDef((*, {'a': *, 'b': *}))", NULL);
    assert_def_text(PYTREE_LIST(PYTREE_TUPLE(PYTREE_LIST(), PYTREE_TUPLE(a)), PYTREE_NONE), "PyTreeDef([([], (*,)), None])",
                    NULL);
    assert_def_text(PYTREE_LIST(a, PYTREE_NONE), "PyTreeDef([*, *], NoneIsLeaf)", &none);
    assert_def_text(PYTREE_NONE, "PyTreeDef(*, NoneIsLeaf)", &none);
}

static void text_of_keys(void **state)
{
    static const struct {
        const char *key, *repr;
    } cases[] = {
        { "", "''" },
        { "a b", "'a b'" },
        { "it's", "\"it's\"" },
        { "say \"so\"", "'say \"so\"'" },
        { "'\"", "'\\'\"'" },
        { "a\\b", "'a\\\\b'" },
        { "\n\r\t", "'\\n\\r\\t'" },
        { "\x01\x1b\x7f", "'\\x01\\x1b\\x7f'" },
        { "\xc3\xa9", "'\xc3\xa9'" },                             /* é */
        { "\xc2\xa0\xc2\x85", "'\\xa0\\x85'" },
        { "\xe2\x80\x8b", "'\\u200b'" },
        { "\xe6\x97\xa5", "'\xe6\x97\xa5'" },
        { "\xf0\x9f\x98\x80", "'\xf0\x9f\x98\x80'" },
        { "\xf3\xa0\x80\x81", "'\\U000e0001'" },
        { "\xff\xc3", "'\\udcff\\udcc3'" },                       /* no UTF-8 */
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        int x = 1;
        Named named = { cases[i].key, 1.0f };
        char expected[200];
        snprintf(expected, sizeof expected, "PyTreeDef({%s: *})", cases[i].repr);
        assert_def_text(PYTREE_DICT({ cases[i].key, PYTREE(&x) }), expected, NULL);
        snprintf(expected, sizeof expected, "PyTreeDef(CustomNode(OrderedDict[(%s,)], [*]))", cases[i].repr);
        assert_def_text(PYTREE_ODICT({ cases[i].key, PYTREE(&x) }), expected, NULL);
        snprintf(expected, sizeof expected, "PyTreeDef(CustomNode(Named[(%s,)], [*]))", cases[i].repr);
        assert_def_text(PYTREE(&named), expected, NULL);
    }
}

/* ---- Text: static values ------------------------------------------------------------------------------------------------ */

static void text_of_integers(void **state)
{
    Integers low = { false, SCHAR_MIN, 0, SHRT_MIN, 0, INT_MIN, 0, LONG_MIN, 0, LLONG_MIN, 0, RED, 0.0f };
    Integers high = { true, SCHAR_MAX, UCHAR_MAX, SHRT_MAX, USHRT_MAX, INT_MAX, UINT_MAX, LONG_MAX, ULONG_MAX, LLONG_MAX,
                      ULLONG_MAX, BLUE, 0.0f };
    char expected[400];
    (void)state;
    snprintf(expected, sizeof expected,
             "PyTreeDef(CustomNode(Integers[(False, -128, 0, -32768, 0, -2147483648, 0, %ld, 0, -9223372036854775808, 0, 0)], "
             "[*]))",
             LONG_MIN);
    assert_def_text(PYTREE(&low), expected, NULL);
    snprintf(expected, sizeof expected,
             "PyTreeDef(CustomNode(Integers[(True, 127, 255, 32767, 65535, 2147483647, 4294967295, %ld, "
             "%lu, 9223372036854775807, 18446744073709551615, 2)], [*]))", LONG_MAX, ULONG_MAX);
    assert_def_text(PYTREE(&high), expected, NULL);
}

static void text_of_doubles(void **state)
{
    static const struct {
        double value;
        const char *repr;
    } cases[] = {
        { 0.0, "0.0" }, { 1.0, "1.0" }, { -2.5, "-2.5" }, { 0.5, "0.5" }, { 0.1, "0.1" }, { 0.1 + 0.2, "0.30000000000000004" },
        { 1.0 / 3.0, "0.3333333333333333" }, { 2.0 / 3.0, "0.6666666666666666" }, { 100.0, "100.0" },
        { 123456789.0, "123456789.0" }, { 12345678.9, "12345678.9" }, { 1e15, "1000000000000000.0" }, { 1e16, "1e+16" },
        { 1234567890123456.0, "1234567890123456.0" }, { 12345678901234567.0, "1.2345678901234568e+16" },
        { 9007199254740993.0, "9007199254740992.0" }, { 1e20, "1e+20" }, { 1e22, "1e+22" }, { 1e23, "1e+23" },
            { 1e100, "1e+100" },
        { 0.001, "0.001" }, { 0.0001, "0.0001" }, { 0.00012345, "0.00012345" }, { 0.00001, "1e-05" }, { 1e-7, "1e-07" },
        { -1.5e-7, "-1.5e-07" }, { 1.7976931348623157e308, "1.7976931348623157e+308" },
        { 2.2250738585072014e-308, "2.2250738585072014e-308" }, { 5e-324, "5e-324" }, { 1.5e-323, "1.5e-323" },
        { 2.225073858507201e-308, "2.225073858507201e-308" },
        { 5.386379163185535e213, "5.386379163185535e+213" },     /* 2^710: the 17 digits nearest to it are not the shortest */
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Double one = { cases[i].value };
        assert_static_text(PYTREE(&one), "Double", cases[i].repr);
    }
    {
        Double minus_zero = { -0.0 }, infinite = { HUGE_VAL }, minus_infinite = { -HUGE_VAL }, nan = { NAN };
        assert_static_text(PYTREE(&minus_zero), "Double", "-0.0");
        assert_static_text(PYTREE(&infinite), "Double", "inf");
        assert_static_text(PYTREE(&minus_infinite), "Double", "-inf");
        assert_static_text(PYTREE(&nan), "Double", "nan");
    }
}

/* Whatever the number, its text reads back as the same number. */
static void text_of_doubles_reads_back(void **state)
{
    uint64_t bits = 1;
    int i;
    (void)state;
    for (i = 0; i < 20000; i++) {
        Double one;
        char text[100];
        pytree_def *def;
        double back;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&one.rate, &bits, sizeof bits);
        if (one.rate != one.rate) {
            continue;
        }
        def = def_of(PYTREE(&one), NULL);
        assert_in_range(pytree_def_text(def, text, sizeof text), 30, sizeof text - 1);
        assert_memory_equal(text, "PyTreeDef(CustomNode(Double[(", 29);
        back = strtod(text + 29, NULL);
        assert_memory_equal(&back, &one.rate, sizeof back);
        pytree_def_free(def);
    }
}

static void text_of_floats(void **state)
{
    static const struct {
        float value;
        const char *repr;
    } cases[] = {
        { 0.0f, "0.0" }, { -0.0f, "-0.0" }, { 0.1f, "0.1" }, { 1.0f / 3.0f, "0.33333334" }, { 16777216.0f, "16777216.0" },
        { 1e-7f, "1e-07" }, { 1e20f, "1e+20" }, { 0.7f, "0.7" }, { 3.4028235e38f, "3.4028235e+38" }, { 1e-45f, "1e-45" },
        { 1.1754944e-38f, "1.1754944e-38" }, { 3.1415927f, "3.1415927" }, { 1e16f, "1e+16" }, { 123.456f, "123.456" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Single one = { cases[i].value };
        assert_static_text(PYTREE(&one), "Single", cases[i].repr);
    }
    {
        Single infinite = { HUGE_VALF }, nan = { NAN };
        assert_static_text(PYTREE(&infinite), "Single", "inf");
        assert_static_text(PYTREE(&nan), "Single", "nan");
    }
}

static void text_of_strings_and_arrays(void **state)
{
    Named nothing = { NULL, 0.0f };
    Arrays arrays = { { 7 }, { 1, -2, 3 }, { 0.1, 1e-7 }, { true, false }, { "a", NULL, "it's" }, { "only" } };
    Nested nested = { { "in", { 3, NULL, { 0.5, 1e20 } } }, -1, 0.0f };
    (void)state;
    assert_def_text(PYTREE(&nothing), "PyTreeDef(CustomNode(Named[(None,)], [*]))", NULL);
    assert_def_text(PYTREE(&arrays), "PyTreeDef(CustomNode(Arrays[((7,), (1, -2, 3), (0.1, 1e-07), (True, False), "
                    "('a', None, \"it's\"), ('only',))], []))", NULL);
    assert_def_text(PYTREE(&nested), "PyTreeDef(CustomNode(Nested[(Inner(label='in', config=Config(width=3, activation=None, "
                    "rates=(0.5, 1e+20))), -1)], [*]))", NULL);
}

static void text_of_everything(void **state)
{
    Everything all = everything_make(true), bare = everything_make(false);
    const char *point = "CustomNode(Point[()], [*, *])";
    char expected[1200];
    uintptr_t address;
    double (*function)(double) = test_half_of;
    (void)state;
    memcpy(&address, &function, sizeof address);
    snprintf(expected, sizeof expected,
             "PyTreeDef(CustomNode(Everything[(2, 3, 3, Config(width=64, activation='relu', rates=(0.1, 0.01)), 'a kind', "
             "<address 0x%llx>, 1, (1, 2, 3), 0.0009765625)], [*, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, "
             "*, *, *, *, "
             "*, %s, (%s, %s), %s, *, *, [%s, %s, %s]]))",
             (unsigned long long)address, point, point, point, point, point, point, point);
    assert_def_text(PYTREE(&all), expected, NULL);
    snprintf(expected, sizeof expected,
             "PyTreeDef(CustomNode(Everything[(2, 3, 3, Config(width=64, activation='relu', rates=(0.1, 0.01)), 'a kind', "
             "<address 0x%llx>, 1, (1, 2, 3), 0.0009765625)], [*, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *, "
             "None, *, *, *, *, "
             "*, %s, (%s, %s), None, *, None, [%s, %s, %s]]))",
             (unsigned long long)address, point, point, point, point, point, point);
    assert_def_text(PYTREE(&bare), expected, NULL);
    everything_clear(&all);
    everything_clear(&bare);
}

/* ---- Text: where it goes ------------------------------------------------------------------------------------------------ */

/* As snprintf into every size from 0 to a bit more than needed, in a block of just that size. */
static void assert_every_size(pytree tree, const pytree_options *opt)
{
    pytree_def *def = def_of(tree, opt);
    size_t length = pytree_def_text(def, NULL, 0), n;
    char *whole = malloc(length + 1);
    assert_non_null(whole);
    assert_int_equal(pytree_def_text(def, whole, length + 1), length);
    assert_int_equal(strlen(whole), length);
    for (n = 0; n <= length + 2; n++) {
        char *text = malloc(n + 1);
        size_t kept = n == 0 ? 0 : n - 1 < length ? n - 1 : length;
        assert_non_null(text);
        memset(text, 'Z', n + 1);
        assert_int_equal(pytree_def_text(def, text, n), length);
        if (n != 0) {
            assert_memory_equal(text, whole, kept);
            assert_int_equal(text[kept], '\0');
        }
        assert_int_equal(text[n], 'Z');
        free(text);
    }
    free(whole);
    pytree_def_free(def);
}

static void text_into_every_size(void **state)
{
    MLP model = mlp_make(2, true);
    Shelf shelf = shelf_make();
    Nested nested = { { "in'\"", { 3, NULL, { 0.5, 1e20 } } }, -1, 0.0f };
    Node *chain = chain_make(70);         /* deeper than what needs no memory */
    pytree_options none = { .none_is_leaf = true };
    char name[400];
    int x = 0;
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_every_size(PYTREE(&x), NULL);
    assert_every_size(PYTREE_NONE, NULL);
    assert_every_size(PYTREE(&model), NULL);
    assert_every_size(PYTREE(&shelf), &none);
    assert_every_size(PYTREE(&nested), NULL);
    assert_every_size(PYTREE(chain), NULL);
    assert_every_size(PYTREE_ODICT({ name, PYTREE_DICT({ name, PYTREE(&x) }) }), NULL);
    assert_every_size(PYTREE_NAMEDTUPLE("Point", { "x", PYTREE_NONE }, { "y", PYTREE_TUPLE(PYTREE(&x)) }), NULL);
    mlp_clear(&model);
    shelf_clear(&shelf);
    free(chain);
}

/* Many small structs, with static integers of all lengths, some of one and of none. */
static void text_of_many_structs(void **state)
{
    static const int numbers[] = { 0, 7, -1, 10, -99, 12345, INT_MAX, INT_MIN, 1000000000, -1000000 };
    enum { N = 40 };
    Linear layers[N];
    Team teams[N];
    Point points[N];
    Named named[N];
    Single singles[N];
    pytree items[5 * N];
    pytree_items list = { .count = 5 * N, .items = items };
    pytree tree = { &pytree_types[PYTREE__T_list], NULL };
    float x = 0.0f;
    char *expected = malloc(40000);
    size_t length = 0, i;
    (void)state;
    assert_non_null(expected);
    tree.data = &list;
    length += (size_t)sprintf(expected, "PyTreeDef([");
    for (i = 0; i < N; i++) {
        int a = numbers[i % COUNT_OF(numbers)], b = numbers[(i / 3 + 5) % COUNT_OF(numbers)];
        layers[i].din = i < 30 ? (int)i : a < 0 ? 0 : 1;
        layers[i].dout = i % 4 == 0 ? 0 : 123;
        layers[i].w = layers[i].b = &x;
        teams[i].id = a;
        teams[i].lead = NULL;
        points[i].x = points[i].y = 0.0f;
        named[i].name = i % 2 == 0 ? "even" : "it's odd";
        named[i].x = 0.0f;
        singles[i].rate = (float)b;
        items[5 * i] = PYTREE(&layers[i]);
        items[5 * i + 1] = PYTREE(&teams[i]);
        items[5 * i + 2] = PYTREE(&points[i]);
        items[5 * i + 3] = PYTREE(&named[i]);
        items[5 * i + 4] = PYTREE_NONE;
        length += (size_t)sprintf(expected + length, "%sCustomNode(Linear[(%d, %d)], [*, *]), CustomNode(Team[(%d,)], [None]), "
                                  "CustomNode(Point[()], [*, *]), CustomNode(Named[(%s,)], [*]), None", i == 0 ? "" : ", ",
                                  layers[i].din, layers[i].dout, a, i % 2 == 0 ? "'even'" : "\"it's odd\"");
    }
    sprintf(expected + length, "])");
    assert_def_text(tree, expected, NULL);
    assert_every_size(tree, NULL);
    for (i = 0; i < N; i++) {             /* the integers once more, two to a struct */
        layers[i].din = numbers[i % COUNT_OF(numbers)] < 0 ? 5 : numbers[i % COUNT_OF(numbers)] % 1000;
        layers[i].dout = (int)i * 100;
        items[i] = PYTREE(&layers[i]);
    }
    list.count = N;
    length = (size_t)sprintf(expected, "PyTreeDef([");
    for (i = 0; i < N; i++) {
        length += (size_t)sprintf(expected + length, "%sCustomNode(Linear[(%d, %d)], [*, *])", i == 0 ? "" : ", ",
                                  layers[i].din, layers[i].dout);
    }
    sprintf(expected + length, "])");
    assert_def_text(tree, expected, NULL);
    assert_every_size(tree, NULL);
    for (i = 0; i < N; i++) {
        items[i] = PYTREE(&singles[i]);
    }
    length = (size_t)sprintf(expected, "PyTreeDef([");
    for (i = 0; i < N; i++) {
        char repr[40];
        pytree_text(PYTREE(&singles[i].rate), repr, sizeof repr, NULL, NULL);
        repr[strlen(repr) - 1] = '\0';    /* "f32 1.0" */
        length += (size_t)sprintf(expected + length, "%sCustomNode(Single[(%s,)], [])", i == 0 ? "" : ", ", repr + 4);
    }
    sprintf(expected + length, "])");
    assert_def_text(tree, expected, NULL);
    free(expected);
}

static void assert_printed(const pytree_def *def)
{
    size_t length = pytree_def_text(def, NULL, 0);
    char *text = malloc(length + 1), *read = malloc(length + 2);
    FILE *file = tmpfile();
    pytree_error error = { 0 };
    assert_non_null(text);
    assert_non_null(read);
    assert_non_null(file);
    pytree_def_text(def, text, length + 1);
    assert_ok(pytree_def_print(file, def, &error), &error);
    rewind(file);
    assert_int_equal(fread(read, 1, length + 2, file), length + 1);
    assert_memory_equal(read, text, length);
    assert_int_equal(read[length], '\n');
    fclose(file);
    free(text);
    free(read);
}

static void text_to_a_file(void **state)
{
    MLP model = mlp_make(2, true);
    Node *chain = chain_make(200);
    pytree_def *small = def_of(PYTREE(&model), NULL), *large = def_of(PYTREE(chain), NULL);
    (void)state;
    assert_printed(small);
    assert_printed(large);
    {
        FILE *full = fopen("/dev/full", "w");
        pytree_error error = { 0 };
        if (full != NULL) {
            setvbuf(full, NULL, _IONBF, 0);
            assert_error(pytree_def_print(full, small, &error), PYTREE_IO, "", &error);
            assert_int_equal(pytree_def_print(full, small, NULL), PYTREE_IO);
            fclose(full);
        }
    }
    pytree_def_free(small);
    pytree_def_free(large);
    mlp_clear(&model);
    free(chain);
}

static void text_without_memory(void **state)
{
    Node *chain = chain_make(1000);
    Heap heap;
    pytree_options opt = { 0 };
    pytree_def *def;
    char text[10] = "untouched";
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    size_t length, fails;
    (void)state;
    assert_non_null(file);
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    def = def_of(PYTREE(chain), &opt);
    length = pytree_def_text(def, text, sizeof text);
    assert_string_equal(text, "PyTreeDef");
    for (fails = 0; fails < 3; fails++) {
        heap.calls = 0;
        heap.fail_at = fails;
        assert_true(pytree_def_text(def, text, sizeof text) == SIZE_MAX);
        assert_string_equal(text, "");
        assert_int_equal(heap.blocks, 1);
    }
    heap.fail_at = 0;
    heap.calls = 0;
    assert_int_equal(pytree_def_text(def, NULL, 0), length);       /* counting needs none */
    assert_int_equal(heap.calls, 0);
    for (fails = 0; fails < 4; fails++) {
        memset(&error, 0, sizeof error);
        heap.calls = 0;
        heap.fail_at = fails;
        assert_error(pytree_def_print(file, def, &error), PYTREE_NO_MEMORY, NULL, &error);
        assert_int_equal(heap.blocks, 1);
    }
    assert_int_equal(ftell(file), 0);
    heap.fail_at = HEAP_NEVER_FAILS;
    pytree_def_free(def);
    assert_heap_clean(&heap);
    fclose(file);
    free(chain);
}

static void text_of_a_long_chain(void **state)
{
    size_t n = under_valgrind() ? 10000 : 200000, length, i;
    Node *chain = chain_make(n);
    pytree_def *def = def_of(PYTREE(chain), NULL);
    const char *open = "CustomNode(Node[()], [*, ", *close = "])";
    char *text;
    (void)state;
    assert_int_equal(pytree_def_num_leaves(def), n);
    assert_int_equal(pytree_def_num_nodes(def), 2 * n + 1);
    length = pytree_def_text(def, NULL, 0);
    assert_int_equal(length, strlen("PyTreeDef(None)") + n * (strlen(open) + strlen(close)));
    text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(pytree_def_text(def, text, length + 1), length);
    for (i = 0; i < n; i++) {
        assert_memory_equal(text + strlen("PyTreeDef(") + i * strlen(open), open, strlen(open));
    }
    assert_memory_equal(text + strlen("PyTreeDef(") + n * strlen(open), "None])", 6);
    free(text);
    pytree_def_free(def);
    free(chain);
}

/* ---- Equal and unequal -------------------------------------------------------------------------------------------------- */

/* Each of these trees differs from each other one; none from itself, be it through a second treedef, a copy or a deep copy. */

static void every_difference_counts(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x), none = PYTREE_NONE;
    Linear layers[3] = { linear_make(2, 3, 0.0f), linear_make(3, 2, 0.0f), linear_make(2, 2, 0.0f) };
    Named names[4] = { { "a", 0.0f }, { "b", 0.0f }, { "", 0.0f }, { NULL, 0.0f } };
    Double numbers[4] = { { 0.0 }, { -0.0 }, { 1.0 }, { NAN } };
    Gated gates[3] = { { same, 0.0f }, { test_half_of, 0.0f }, { NULL, 0.0f } };
    Arrays arrays[3] = { { { 1 }, { 1, 2, 3 }, { 0.5, 0.5 }, { true, true }, { "a", "b", "c" }, { "d" } },
                         { { 1 }, { 1, 2, 3 }, { 0.5, 0.5 }, { true, true }, { "ab", "", "c" }, { "d" } },
                         { { 1 }, { 1, 2, 4 }, { 0.5, 0.5 }, { true, true }, { "a", "b", "c" }, { "d" } } };
    Nested nested[2] = { { { "in", { 3, "relu", { 0.5, 1.0 } } }, 1, 0.0f },
                         { { "in", { 3, "tanh", { 0.5, 1.0 } } }, 1, 0.0f } };
    Point point = { 1.0f, 2.0f };
    pytree trees[51] = {
        a, none, PYTREE_LIST(), PYTREE_TUPLE(), PYTREE_DICT(), PYTREE_ODICT(), PYTREE_NAMEDTUPLE("A"), PYTREE_NAMEDTUPLE("B"),
        PYTREE_LIST(a), PYTREE_LIST(a, a), PYTREE_TUPLE(a), PYTREE_TUPLE(a, a), PYTREE_LIST(none), PYTREE_LIST(a, none),
        PYTREE_LIST(none, a), PYTREE_LIST(PYTREE_LIST(a), a), PYTREE_LIST(a, PYTREE_LIST(a)), PYTREE_LIST(PYTREE_LIST(a, a)),
        PYTREE_LIST(PYTREE_LIST(), a, a), PYTREE_LIST(a, PYTREE_LIST(), a), PYTREE_DICT({ "a", a }), PYTREE_DICT({ "b", a }),
        PYTREE_DICT({ "", a }), PYTREE_DICT({ "a", a }, { "b", a }), PYTREE_ODICT({ "a", a }),
            PYTREE_ODICT({ "a", a }, { "b", a }),
        PYTREE_ODICT({ "b", a }, { "a", a }), PYTREE_NAMEDTUPLE("A", { "x", a }), PYTREE_NAMEDTUPLE("B", { "x", a }),
        PYTREE_NAMEDTUPLE("A", { "y", a }), PYTREE_NAMEDTUPLE("A", { "x", a }, { "y", a }), PYTREE(&layers[0]),
            PYTREE(&layers[1]),
        PYTREE(&layers[2]), PYTREE(&names[0]), PYTREE(&names[1]), PYTREE(&names[2]), PYTREE(&names[3]), PYTREE(&numbers[0]),
        PYTREE(&numbers[1]), PYTREE(&numbers[2]), PYTREE(&numbers[3]), PYTREE(&gates[0]), PYTREE(&gates[1]), PYTREE(&gates[2]),
        PYTREE(&arrays[0]), PYTREE(&arrays[1]), PYTREE(&arrays[2]), PYTREE(&nested[0]), PYTREE(&nested[1]), PYTREE(&point),
    };
    pytree_options options[2] = { { 0 }, { .none_is_leaf = true } };
    size_t i, k;
    (void)state;
    assert_non_null(trees[COUNT_OF(trees) - 1].type);
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(trees); k++) {
            assert_defs(def_of(trees[i], NULL), def_of(trees[k], NULL), i == k);
        }
        for (k = 0; k < 2; k++) {
            pytree_error error = { 0 };
            pytree_def *def = def_of(trees[i], &options[k]);
            pytree clone = pytree_clone(trees[i], NULL, &error);
            assert_ok(error.status, &error);
            assert_defs(def_of(clone, &options[k]), pytree_def_copy(def, NULL, &error), true);
            pytree_free(clone);
            assert_true(pytree_def_equal(def, def));
            assert_defs(def, def_of(trees[i], &options[1 - k]), false);
        }
    }
    for (i = 0; i < COUNT_OF(layers); i++) {
        linear_clear(&layers[i]);
    }
}

static void padding_does_not_matter(void **state)
{
    Loose a, b;
    Wide c, d;
    (void)state;
    memset(&a, 0x00, sizeof a);
    memset(&b, 0xFF, sizeof b);
    a.a = b.a = 'a';
    a.b = b.b = 0.5;
    a.c = b.c = 'c';
    a.d = b.d = -7;
    a.e = b.e = 9;
    assert_same_def(PYTREE(&a), PYTREE(&b));
    b.e = 8;
    assert_other_def(PYTREE(&a), PYTREE(&b));
    memset(&c, 0x00, sizeof c);
    memset(&d, 0xFF, sizeof d);
    c.rate = d.rate = 0.1L;
    c.letter = d.letter = 'x';
    c.rates[0] = d.rates[0] = -1.0L;
    c.rates[1] = d.rates[1] = 1e30L;
    assert_same_def(PYTREE(&c), PYTREE(&d));
    d.rates[1] = nextafter(1e30, 0.0);
    assert_other_def(PYTREE(&c), PYTREE(&d));
}

static void addresses_of_strings_do_not_matter(void **state)
{
    char here[] = "same text", there[] = "same text", x[] = "x", also_x[] = "x";
    Named a = { here, 0.0f }, b = { there, 1.0f };
    int one = 1, two = 2;
    (void)state;
    assert_same_def(PYTREE(&a), PYTREE(&b));
    there[0] = 'S';
    assert_other_def(PYTREE(&a), PYTREE(&b));
    assert_same_def(PYTREE_DICT({ x, PYTREE(&one) }, { "y", PYTREE(&two) }),
                    PYTREE_DICT({ "y", PYTREE(&one) }, { also_x, PYTREE(&one) }));
    assert_same_def(PYTREE_NAMEDTUPLE(x, { x, PYTREE(&one) }), PYTREE_NAMEDTUPLE(also_x, { also_x, PYTREE(&two) }));
    assert_same_def(PYTREE_ODICT({ x, PYTREE(&one) }), PYTREE_ODICT({ also_x, PYTREE(&two) }));
}

static void leaves_do_not_matter(void **state)
{
    MLP model = mlp_make(2, true), other = mlp_make(2, true);
    float f = 0.0f;
    const char *s = "text";
    (void)state;
    other.layers[0].w[0] = -1.0f;
    other.scale[1][2] = 99.0f;
    assert_same_def(PYTREE(&model), PYTREE(&other));
    assert_same_def(PYTREE_LIST(PYTREE(&f)), PYTREE_LIST(PYTREE(&s)));
    other.layers[1].din = 7;
    assert_other_def(PYTREE(&model), PYTREE(&other));
    other.layers[1].din = 3;
    assert_same_def(PYTREE(&model), PYTREE(&other));
    other.n_layers = 1;
    assert_other_def(PYTREE(&model), PYTREE(&other));
    other.n_layers = 2;
    linear_clear(other.head);
    free(other.head);
    other.head = NULL;
    assert_other_def(PYTREE(&model), PYTREE(&other));
    mlp_clear(&model);
    mlp_clear(&other);
}

/* Containers of the program and containers of pytrees are one kind of node. */
static void containers_of_both_kinds(void **state)
{
    Shelf shelf = shelf_make();
    float h = 0.0f;
    pytree a = PYTREE(&h), p = PYTREE(&shelf.spots[0]);
    pytree_error error = { 0 };
    pytree_def *def = def_of(PYTREE(&shelf), NULL);
    (void)state;
    assert_defs(pytree_def_child(def, 0, NULL, &error), def_of(PYTREE_LIST(a, a, a), NULL), true);
    assert_defs(pytree_def_child(def, 1, NULL, &error), def_of(PYTREE_LIST(p, p), NULL), true);
    assert_defs(pytree_def_child(def, 2, NULL, &error), def_of(PYTREE_DICT({ "pear", a }, { "apple", a }, { "fig", a }), NULL),
                true);
    assert_defs(pytree_def_child(def, 3, NULL, &error), def_of(PYTREE_DICT({ "here", p }, { "there", p }), NULL), true);
    assert_ok(error.status, &error);
    pytree_def_free(def);
    shelf_clear(&shelf);
}

/* ---- Lifetime ----------------------------------------------------------------------------------------------------------- */

static void a_treedef_outlives_its_tree(void **state)
{
    MLP *model = malloc(sizeof *model);
    char *key = malloc(4), *text = malloc(6);
    pytree_error error = { 0 };
    pytree_def *def, *copy;
    char out[400];
    Named *named = malloc(sizeof *named);
    (void)state;
    assert_non_null(model);
    assert_non_null(key);
    assert_non_null(text);
    assert_non_null(named);
    *model = mlp_make(2, true);
    memcpy(key, "key", 4);
    memcpy(text, "owned", 6);
    named->name = text;
    named->x = 0.0f;
    def = def_of(PYTREE_DICT({ key, PYTREE(model) }, { "n", PYTREE(named) }), NULL);
    copy = pytree_def_copy(def, NULL, &error);
    assert_ok(error.status, &error);
    mlp_clear(model);
    memset(key, 'X', 3);
    memset(text, 'X', 5);
    free(model);
    free(key);
    free(text);
    free(named);
    assert_true(pytree_def_equal(def, copy));
    pytree_def_free(def);
    pytree_def_text(copy, out, sizeof out);
    assert_memory_equal(out, "PyTreeDef({'key': CustomNode(MLP[(2,)], [[", 41);
    assert_non_null(strstr(out, ", 'n': CustomNode(Named[('owned',)], [*])})"));
    pytree_def_free(copy);
    pytree_def_free(NULL);
}

static void copies(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_options none = { .none_is_leaf = true };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *copy;
    Heap heap;
    pytree_options counted = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    counted.allocator = &heap.allocator;
    assert_ok(pytree_flatten(PYTREE(&model), &leaves, 0, &def, &counted, &error), &error);     /* with leaves in its block */
    assert_int_equal(heap.calls, 1);
    copy = pytree_def_copy(def, &counted, &error);
    assert_int_equal(heap.calls, 2);
    assert_int_equal(pytree_def_num_leaves(copy), 7);
    assert_true(pytree_def_equal(def, copy));
    assert_true(pytree_def_hash(def) == pytree_def_hash(copy));
    pytree_def_free(def);
    pytree_def_free(copy);
    assert_heap_clean(&heap);
    def = def_of(PYTREE_LIST(PYTREE_NONE), &none);
    copy = pytree_def_copy(def, NULL, &error);                     /* the switch is the treedef's, not the options' */
    assert_true(copy->none_is_leaf);
    assert_defs(def, copy, true);
    mlp_clear(&model);
}

/* ---- Parts -------------------------------------------------------------------------------------------------------------- */

static void counts(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_options none = { .none_is_leaf = true };
    pytree_def *def = def_of(PYTREE(&model), NULL);
    (void)state;
    assert_int_equal(pytree_def_num_leaves(def), 7);
    assert_int_equal(pytree_def_num_nodes(def), 7 + 3 + 1 + 1);
    assert_int_equal(pytree_def_num_children(def), 3);
    pytree_def_free(def);
    def = def_of(PYTREE_LIST(PYTREE_NONE, PYTREE_LIST()), NULL);
    assert_int_equal(pytree_def_num_leaves(def), 0);
    assert_int_equal(pytree_def_num_nodes(def), 3);
    assert_int_equal(pytree_def_num_children(def), 2);
    pytree_def_free(def);
    def = def_of(PYTREE_LIST(PYTREE_NONE, PYTREE_LIST()), &none);
    assert_int_equal(pytree_def_num_leaves(def), 1);
    assert_int_equal(pytree_def_num_nodes(def), 3);
    pytree_def_free(def);
    mlp_clear(&model);
}

/* Every child as a treedef of its own is that of the child's value, whichever way it is counted. */
static void assert_children(pytree tree, const pytree_options *opt)
{
    pytree_leaf views[64];
    pytree_entry keys[64], entry;
    size_t n, i;
    pytree_error error = { 0 };
    pytree_def *def = def_of(tree, opt);
    assert_ok(pytree_children(tree, views, keys, COUNT_OF(views), &n, opt, &error), &error);
    assert_int_equal(pytree_def_num_children(def), n);
    for (i = 0; i < n; i++) {
        assert_defs(pytree_def_child(def, (ptrdiff_t)i, NULL, &error), def_of(pytree_of_view(&views[i]), opt), true);
        assert_defs(pytree_def_child(def, (ptrdiff_t)i, NULL, &error),
                    pytree_def_child(def, (ptrdiff_t)i - (ptrdiff_t)n, NULL, &error), true);
        assert_ok(pytree_def_entry(def, (ptrdiff_t)i - (ptrdiff_t)n, &entry, &error), &error);
        assert_int_equal(entry.kind, keys[i].kind);
        assert_ok(pytree_def_entry(def, (ptrdiff_t)i, &entry, &error), &error);
        assert_int_equal(entry.kind, keys[i].kind);
        if (entry.kind == PYTREE_INDEX) {
            assert_int_equal(entry.index, i);
        } else {
            assert_string_equal(entry.name, keys[i].name);
        }
    }
    assert_null(pytree_def_child(def, (ptrdiff_t)n, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_child(def, -(ptrdiff_t)n - 1, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_def_entry(def, PTRDIFF_MAX, &entry, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_def_entry(def, PTRDIFF_MIN, &entry, NULL), PYTREE_ARGUMENT);
    assert_null(pytree_def_child(def, PTRDIFF_MIN, NULL, NULL));
    pytree_def_free(def);
}

static void children(void **state)
{
    MLP model = mlp_make(2, true);
    Everything all = everything_make(false);
    Shelf shelf = shelf_make();
    Linear *layer = &model.layers[0];
    Nested nested = { { "in", { 3, NULL, { 0.5, 1e20 } } }, -1, 0.0f };
    Named named = { "n", 1.0f };
    pytree a = PYTREE(&nested), b = PYTREE(layer), c = PYTREE(&shelf), d = PYTREE(&named);
    pytree_options none = { .none_is_leaf = true };
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        const pytree_options *opt = i == 0 ? NULL : &none;
        assert_children(PYTREE(&model), opt);
        assert_children(PYTREE(&all), opt);
        assert_children(PYTREE(&shelf), opt);
        assert_children(PYTREE_LIST(a, b, PYTREE_NONE, c, d), opt);
        assert_children(PYTREE_TUPLE(PYTREE_LIST(), PYTREE_DICT({ "k", d }), a), opt);
        assert_children(PYTREE_DICT({ "z", a }, { "", b }, { "it's", c }, { "n", PYTREE_NONE }), opt);
        assert_children(PYTREE_ODICT({ "z", a }, { "", b }, { "it's", c }), opt);
        assert_children(PYTREE_NAMEDTUPLE("T", { "z", a }, { "y", b }, { "x", d }), opt);
        assert_children(PYTREE_LIST(), opt);
    }
    assert_children(PYTREE_NONE, NULL);
    mlp_clear(&model);
    everything_clear(&all);
    shelf_clear(&shelf);
}

static void a_leaf_has_no_children(void **state)
{
    int x = 1;
    pytree_def *def = def_of(PYTREE(&x), NULL);
    pytree_error error = { 0 };
    pytree_entry entry;
    (void)state;
    assert_int_equal(pytree_def_num_children(def), 0);
    assert_null(pytree_def_child(def, 0, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_def_entry(def, -1, &entry, NULL), PYTREE_ARGUMENT);
    pytree_def_free(def);
}

static void grandchildren(void **state)
{
    MLP model = mlp_make(3, true);
    pytree_error error = { 0 };
    pytree_def *def = def_of(PYTREE_TUPLE(PYTREE_DICT({ "m", PYTREE(&model) }), PYTREE_NONE), NULL), *dict, *mlp, *layers;
    (void)state;
    dict = pytree_def_child(def, 0, NULL, &error);
    mlp = pytree_def_child(dict, -1, NULL, &error);
    layers = pytree_def_child(mlp, 0, NULL, &error);
    pytree_def_free(def);
    pytree_def_free(dict);
    pytree_def_free(mlp);
    assert_defs(pytree_def_child(layers, -2, NULL, &error), def_of(PYTREE(&model.layers[1]), NULL), true);
    assert_ok(error.status, &error);
    pytree_def_free(layers);
    mlp_clear(&model);
}

static void kinds_and_names(void **state)
{
    MLP model = mlp_make(1, true);
    Shelf shelf = shelf_make();
    int x = 1;
    char name[] = "Pair";
    pytree a = PYTREE(&x);
    pytree_error error = { 0 };
    struct {
        pytree_def *def;
        pytree_kind kind;
        const char *name;
    } cases[] = {
        { def_of(a, NULL), PYTREE_KIND_LEAF, "*" },
        { def_of(PYTREE_NONE, NULL), PYTREE_KIND_NONE, "None" },
        { def_of(PYTREE_LIST(), NULL), PYTREE_KIND_LIST, "list" },
        { def_of(PYTREE_TUPLE(a), NULL), PYTREE_KIND_TUPLE, "tuple" },
        { def_of(PYTREE_DICT({ "a", a }), NULL), PYTREE_KIND_DICT, "dict" },
        { def_of(PYTREE_ODICT({ "a", a }), NULL), PYTREE_KIND_ODICT, "OrderedDict" },
        { def_of(PYTREE_NAMEDTUPLE(name, { "a", a }), NULL), PYTREE_KIND_NAMEDTUPLE, "Pair" },
        { def_of(PYTREE(&model), NULL), PYTREE_KIND_STRUCT, "MLP" },
        { NULL, PYTREE_KIND_LIST, "list" },
        { NULL, PYTREE_KIND_STRUCT, "Linear" },
        { NULL, PYTREE_KIND_LEAF, "*" },
        { NULL, PYTREE_KIND_DICT, "dict" },
    };
    pytree_def *shelf_def = def_of(PYTREE(&shelf), NULL);
    size_t i;
    (void)state;
    cases[8].def = pytree_def_child(cases[7].def, 0, NULL, &error);
    cases[9].def = pytree_def_child(cases[7].def, 1, NULL, &error);
    cases[10].def = pytree_def_child(cases[7].def, 2, NULL, &error);
    cases[11].def = pytree_def_child(shelf_def, 2, NULL, &error);
    assert_ok(error.status, &error);
    memset(name, 'X', 4);
    for (i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(pytree_def_kind(cases[i].def), cases[i].kind);
        assert_string_equal(pytree_def_type_name(cases[i].def), cases[i].name);
        assert_int_equal(pytree_def_is_leaf(cases[i].def), cases[i].kind == PYTREE_KIND_LEAF);
        pytree_def_free(cases[i].def);
    }
    pytree_def_free(shelf_def);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

/* The type's own name and its descriptor; what an owned tree is recorded under. */
static void owned_trees_have_the_same_treedef(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_error error = { 0 };
    pytree clone = pytree_clone(PYTREE(&model), NULL, &error);
    pytree_def *def;
    (void)state;
    assert_ok(error.status, &error);
    assert_same_def(PYTREE(&model), clone);
    def = def_of(clone, NULL);
    pytree_free(clone);
    assert_string_equal(pytree_def_type_name(def), "MLP");
    assert_defs(def, def_of(PYTREE(&model), NULL), true);
    mlp_clear(&model);
}

/* ---- Predicates --------------------------------------------------------------------------------------------------------- */

static bool stops_at_linear(void *context, const pytree_leaf *value, const pytree_path *path)
{
    size_t *asked = context;
    (void)path;
    ++*asked;
    return value->form == PYTREE_FORM_STRUCT && strcmp(value->type->name, "Linear") == 0;
}

static void structure_with_a_predicate(void **state)
{
    MLP model = mlp_make(2, true);
    size_t asked = 0;
    pytree_options opt = { .is_leaf = stops_at_linear, .is_leaf_context = &asked };
    (void)state;
    assert_def_text(PYTREE(&model), "PyTreeDef(CustomNode(MLP[(2,)], [[*, *], *, *]))", &opt);
    assert_true(asked >= 6);
    assert_def_text(PYTREE(model.head), "PyTreeDef(*)", &opt);
    mlp_clear(&model);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

static pytree_status make_structure(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *tree = context;
    pytree_def *def = pytree_structure(*tree, opt, err);
    assert_true((def == NULL) == (err->status != PYTREE_OK));
    pytree_def_free(def);
    return err->status;
}

static pytree_status make_copy(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_def *def = context;
    pytree_def *copy = pytree_def_copy(def, opt, err);
    assert_true((copy == NULL) == (err->status != PYTREE_OK));
    if (copy != NULL) {
        assert_true(pytree_def_equal(def, copy));
    }
    pytree_def_free(copy);
    return err->status;
}

static pytree_status make_child(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_def *def = context;
    pytree_def *child = pytree_def_child(def, -1, opt, err);
    assert_true((child == NULL) == (err->status != PYTREE_OK));
    pytree_def_free(child);
    return err->status;
}

static void sweeps(void **state)
{
    MLP model = mlp_make(2, true);
    Node *chain = chain_make(300);
    Shelf shelf = shelf_make();
    pytree flat_ones[3];
    pytree_def *def = def_of(PYTREE(&model), NULL);
    pytree deep = PYTREE(chain);
    int i;
    (void)state;
    flat_ones[0] = PYTREE(&model);
    flat_ones[1] = PYTREE(&shelf);
    flat_ones[2] = PYTREE_LIST(PYTREE(&model), PYTREE(&shelf));
    for (i = 0; i < 3; i++) {
        assert_int_equal(sweep_allocations(make_structure, &flat_ones[i]), 1);
    }
    assert_in_range(sweep_allocations(make_structure, &deep), 2, 40);
    assert_int_equal(sweep_allocations(make_copy, def), 1);
    assert_int_equal(sweep_allocations(make_child, def), 1);
    pytree_def_free(def);
    mlp_clear(&model);
    shelf_clear(&shelf);
    free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_containers),
        cmocka_unit_test(text_of_keys),
        cmocka_unit_test(text_of_integers),
        cmocka_unit_test(text_of_doubles),
        cmocka_unit_test(text_of_doubles_reads_back),
        cmocka_unit_test(text_of_floats),
        cmocka_unit_test(text_of_strings_and_arrays),
        cmocka_unit_test(text_of_everything),
        cmocka_unit_test(text_into_every_size),
        cmocka_unit_test(text_of_many_structs),
        cmocka_unit_test(text_to_a_file),
        cmocka_unit_test(text_without_memory),
        cmocka_unit_test(text_of_a_long_chain),
        cmocka_unit_test(every_difference_counts),
        cmocka_unit_test(padding_does_not_matter),
        cmocka_unit_test(addresses_of_strings_do_not_matter),
        cmocka_unit_test(leaves_do_not_matter),
        cmocka_unit_test(containers_of_both_kinds),
        cmocka_unit_test(a_treedef_outlives_its_tree),
        cmocka_unit_test(copies),
        cmocka_unit_test(counts),
        cmocka_unit_test(children),
        cmocka_unit_test(a_leaf_has_no_children),
        cmocka_unit_test(grandchildren),
        cmocka_unit_test(kinds_and_names),
        cmocka_unit_test(owned_trees_have_the_same_treedef),
        cmocka_unit_test(structure_with_a_predicate),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
