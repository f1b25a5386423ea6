/* Treedefs as text. Expected texts are JAX's. */
#include "treedef_shared.h"

/* ---- Structs with static values of every kind -------------------------------------------------------------------------- */

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

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

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

/* ---- Text: static values ----------------------------------------------------------------------------------------------- */

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
        { 0.0, "0.0" }, { 1.0, "1.0" }, { -2.5, "-2.5" }, { 0.5, "0.5" }, { 0.1, "0.1" },
        { 0.30000000000000004, "0.30000000000000004" },
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

/* ---- Text: where it goes ----------------------------------------------------------------------------------------------- */

/* As snprintf into every size from 0 to a bit more than needed, in a block of just that size. */
static void assert_every_size(pytree tree, const pytree_options *opt)
{
    pytree_def *def = def_of(tree, opt);
    const size_t length = pytree_def_text(def, NULL, 0), step = slow_here() && length > 1000 ? 13 : 1;
    size_t n;
    char *whole = malloc(length + 1);
    assert_non_null(whole);
    assert_int_equal(pytree_def_text(def, whole, length + 1), length);
    assert_int_equal(strlen(whole), length);
    for (n = 0; n <= length + 2; n += step) {
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
    size_t n = under_valgrind() ? 10000 : SANITIZED ? 40000 : 200000, length, i;
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
        cmocka_unit_test(text_of_a_long_chain)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
