/* Literals of numbers, structs and the rest of what prints. */
#include "literal_shared.h"

#include <errno.h>

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

static const pytree_custom pack_callbacks = { .children = pack_children };

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

typedef struct Hooks {                    /* addresses: several, and in a struct that is a static value */
    void *own[3], *one[1];
} Hooks;

#define PYTREE_STRUCT Hooks
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, own) PYTREE_FIELD(STATIC, one)
#include "pytree_registry.h"

typedef struct Hooked {
    Hooks hooks;
    float rate;
} Hooked;

#define PYTREE_STRUCT Hooked
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, hooks) PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"

/* ---- Numbers ----------------------------------------------------------------------------------------------------------- */

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
            uint16_t low = (uint16_t)i, high = (uint16_t)(i + 1), set;
            double a, b, middle;
            leaf.ndim = 0;
            leaf.data = &low;
            a = pytree_leaf_get(&leaf, 0);
            leaf.data = &high;
            b = pytree_leaf_get(&leaf, 0);
            middle = (a + b) / 2;
            leaf.data = &set;
            pytree_leaf_set(&leaf, 0, middle);
            assert_int_equal(set, i % 2 == 0 ? i : i + 1);
            pytree_leaf_set(&leaf, 0, nextafter(middle, 0));
            assert_int_equal(set, i);
            pytree_leaf_set(&leaf, 0, -nextafter(middle, b));
            assert_int_equal(set, (i + 1) | 0x8000);
        }
    }
    free(all);
}

/* Numbers lie closer together below a power of two than above it: of the digits that read back as that, the last one may be one
 * more than that of the nearest digits, which do not. */
static void test_powers_of_two(void **state)
{
    static const struct { int exponent; const char *text; } powers[] = {
        { -1017, "7.120236347223045e-307" }, { -44, "5.684341886080802e-14" }, { -24, "5.960464477539063e-08" },
        { 89, "6.189700196426902e+26" }, { 976, "6.386688990511104e+293" },
    };
    float few = ldexpf(1.0f, -96);
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(powers); i++) {
        double power = ldexp(1.0, powers[i].exponent);
        assert_literal(PYTREE(&power), powers[i].text);
    }
    assert_literal(PYTREE(&few), "f32(1.2621775e-29)");
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
    Hooked hooked = { { { NULL }, { NULL } }, 0.5f };
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
    text = literal_of(PYTREE(&hooked), NULL);
    assert_string_equal(text, "Hooked(hooks=Hooks(own=(None, None, None), one=(None,)), rate=f32(0.5))");
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
    Hooked hooked = { { { NULL, &pack, NULL }, { NULL } }, 0.5f };
    Everything all = everything_make(true);
    size_t i;
    (void)state;
    assert_unwritable(PYTREE_LIST(PYTREE_INT(1), PYTREE(&holder)), "[1].handle",
                      "expected a tree that a literal can express, got a leaf of the opaque type 'Handle'");
    assert_unwritable(PYTREE_DICT({ "k", PYTREE(&pack) }), "['k']",
                      "expected a tree that a literal can express, got the custom node 'Pack'");
    assert_unwritable(PYTREE_TUPLE(PYTREE(&all)), "[0]",
                      "expected a tree that a literal can express, got an address among the static values of 'Everything'");
    assert_unwritable(PYTREE_TUPLE(PYTREE(&hooked)), "[0]",
                      "expected a tree that a literal can express, got an address among the static values of 'Hooked'");
    assert_unwritable(PYTREE_LIST(PYTREE_NAMEDTUPLE("P", { "a-b", PYTREE_NONE })), "[0].a-b",
                      "expected a tree that a literal can express, got a field with the name 'a-b'");
    for (i = 0; i < COUNT_OF(names); i++) {
        char message[120];
        (void)sprintf(message, "expected a tree that a literal can express, got a namedtuple or struct with the name '%s'",
                      names[i]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_float_rounding),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_long_doubles),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_all_bytes),
        cmocka_unit_test(test_structs),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_text_sizes),
        cmocka_unit_test(test_print)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
