/* STATIC and DROP rows, and structs of few rows. */
#include "registration_shared.h"

/* ---- What is to be expected -------------------------------------------------------------------------------------------- */

/* Do two trees have one structure? Equal treedefs must have equal hashes; unequal ones should not. */
static bool same_structure(pytree a, pytree b)
{
    pytree_error error = { 0 };
    pytree_def *def_a = pytree_structure(a, NULL, &error), *def_b = pytree_structure(b, NULL, &error);
    bool same;
    assert_ok(error.status, &error);
    assert_non_null(def_a);
    assert_non_null(def_b);
    same = pytree_def_equal(def_a, def_b);
    assert_true(pytree_def_equal(def_b, def_a) == same);
    assert_true((pytree_def_hash(def_a) == pytree_def_hash(def_b)) == same);
    pytree_def_free(def_a);
    pytree_def_free(def_b);
    return same;
}

/* ---- STATIC ------------------------------------------------------------------------------------------------------------ */

typedef struct Meta {                     /* nothing but metadata, some of it in a struct of its own */
    bool on;
    char letter;
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
    float f32;
    double f64;
    long double f_long;
    pytree_f16 half;
    pytree_bf16 brain;
    Color color;
    const char *text;
    char *other;
    const char *missing;
    signed char code[4];
    int vector[3];
    float matrix[2][2];
    const char *names[2];
    Color colors[2];
    Config config;
    double (*function)(double);
    void *address;
} Meta;

#define PYTREE_STRUCT Meta
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, on) PYTREE_FIELD(STATIC, letter) PYTREE_FIELD(STATIC, i8) PYTREE_FIELD(STATIC, u8)             \
    PYTREE_FIELD(STATIC, i16) PYTREE_FIELD(STATIC, u16) PYTREE_FIELD(STATIC, i32) PYTREE_FIELD(STATIC, u32)             \
    PYTREE_FIELD(STATIC, i_long) PYTREE_FIELD(STATIC, u_long) PYTREE_FIELD(STATIC, i64) PYTREE_FIELD(STATIC, u64)       \
    PYTREE_FIELD(STATIC, f32) PYTREE_FIELD(STATIC, f64) PYTREE_FIELD(STATIC, f_long) PYTREE_FIELD(STATIC, half)         \
    PYTREE_FIELD(STATIC, brain) PYTREE_FIELD(STATIC, color) PYTREE_FIELD(STATIC, text) PYTREE_FIELD(STATIC, other)      \
    PYTREE_FIELD(STATIC, missing) PYTREE_FIELD(STATIC, code) PYTREE_FIELD(STATIC, vector) PYTREE_FIELD(STATIC, matrix)  \
    PYTREE_FIELD(STATIC, names) PYTREE_FIELD(STATIC, colors) PYTREE_FIELD(STATIC, config)                               \
    PYTREE_FIELD(STATIC, function) PYTREE_FIELD(STATIC, address)
#include "pytree_registry.h"

static double twice(double x)
{
    return 2.0 * x;
}

static Meta meta_make(void)
{
    static char other[] = "other";
    Meta meta;
    memset(&meta, 0, sizeof meta);
    meta.on = true;
    meta.letter = 'A';
    meta.i8 = -8;
    meta.u8 = 200;
    meta.i16 = -1600;
    meta.u16 = 60000;
    meta.i32 = INT_MIN;
    meta.u32 = UINT_MAX;
    meta.i_long = -5;
    meta.u_long = 5;
    meta.i64 = LLONG_MIN;
    meta.u64 = ULLONG_MAX;
    meta.f32 = 0.1f;
    meta.f64 = -1e30;
    meta.f_long = 0.25L;
    meta.half.bits = 0x3C00;              /* 1.0 */
    meta.brain.bits = 0xC000;             /* -2.0 */
    meta.color = BLUE;
    meta.text = "it's";
    meta.other = other;
    meta.code[0] = 'c';
    meta.vector[1] = -1;
    meta.matrix[0][1] = 0.5f;
    meta.names[0] = "n";
    meta.colors[1] = GREEN;
    meta.config.width = 64;
    meta.config.activation = "relu";
    meta.config.rates[1] = 2.0;
    meta.function = test_half_of;
    return meta;
}

/* Every single static value counts: a treedef that differs in one alone is another one. */
static void every_static_value_counts(void **state)
{
    const Meta meta = meta_make();
    Meta other = meta;
    char copy[] = "it's";
    (void)state;
    assert_true(same_structure(PYTREE(&meta), PYTREE(&other)));
    other.text = copy;                    /* by content, not by address */
    assert_true(same_structure(PYTREE(&meta), PYTREE(&other)));
#define DIFFERS(change)                                                                                                 \
    do {                                                                                                                \
        other = meta;                                                                                                   \
        change;                                                                                                         \
        assert_false(same_structure(PYTREE(&meta), PYTREE(&other)));                                                    \
    } while (0)
    DIFFERS(other.on = false);
    DIFFERS(other.letter = 'B');
    DIFFERS(other.i8 = 8);
    DIFFERS(other.u8 = 201);
    DIFFERS(other.i16 = 1600);
    DIFFERS(other.u16 = 60001);
    DIFFERS(other.i32 = INT_MAX);
    DIFFERS(other.u32 = 0);
    DIFFERS(other.i_long = 5);
    DIFFERS(other.u_long = 6);
    DIFFERS(other.i64 = 0);
    DIFFERS(other.u64 = 1);
    DIFFERS(other.f32 = 0.2f);
    DIFFERS(other.f64 = 1e30);
    DIFFERS(other.f_long = 0.5L);
    DIFFERS(other.half.bits = 0x3C01);
    DIFFERS(other.brain.bits = 0xC001);
    DIFFERS(other.color = RED);
    DIFFERS(other.text = "its");
    DIFFERS(other.text = NULL);
    DIFFERS(other.other = NULL);
    DIFFERS(other.missing = "");          /* an empty string is not a missing one */
    DIFFERS(other.code[3] = 'x');
    DIFFERS(other.vector[2] = 1);
    DIFFERS(other.matrix[1][1] = 1.0f);
    DIFFERS(other.names[1] = "m");
    DIFFERS(other.colors[0] = BLUE);
    DIFFERS(other.config.width = 65);
    DIFFERS(other.config.activation = "gelu");
    DIFFERS(other.config.rates[0] = 1.0);
    DIFFERS(other.function = twice);
    DIFFERS(other.function = NULL);
    DIFFERS(other.address = &other);
#undef DIFFERS
}

static void floats_compare_by_bits(void **state)
{
    Meta a = meta_make(), b = a;
    (void)state;
    a.f64 = 0.0;
    b.f64 = -0.0;
    assert_false(same_structure(PYTREE(&a), PYTREE(&b)));
    a.f64 = b.f64 = strtod("nan", NULL);
    assert_true(same_structure(PYTREE(&a), PYTREE(&b)));
}

/* Bytes that no value has (padding, and those behind an x87 long double) are no part of a treedef. */
static void padding_does_not_count(void **state)
{
    Meta a, b;
    const Meta meta = meta_make();
    (void)state;
    memset(&a, 0x11, sizeof a);
    memset(&b, 0xEE, sizeof b);
#define COPY(member) (memcpy(&a.member, &meta.member, sizeof a.member), memcpy(&b.member, &meta.member, sizeof b.member))
    COPY(on), COPY(letter), COPY(i8), COPY(u8), COPY(i16), COPY(u16), COPY(i32), COPY(u32), COPY(i_long), COPY(u_long);
    COPY(i64), COPY(u64), COPY(f32), COPY(f64), COPY(half), COPY(brain), COPY(color), COPY(text), COPY(other), COPY(missing);
    COPY(code), COPY(vector), COPY(matrix), COPY(names), COPY(colors), COPY(function), COPY(address);
    COPY(config.width), COPY(config.activation), COPY(config.rates);
#undef COPY
    if (sizeof(long double) == 16) {      /* ten bytes of number and six of nothing, or all of it number */
        size_t used = (long double)1.0L / 3.0L == (double)(1.0L / 3.0L) ? 8 : 10;
        memcpy(&a.f_long, &meta.f_long, used);
        memcpy(&b.f_long, &meta.f_long, used);
        if (a.f_long != meta.f_long || b.f_long != meta.f_long) {
            a.f_long = b.f_long = meta.f_long;
        }
    } else {
        a.f_long = b.f_long = meta.f_long;
    }
    assert_true(same_structure(PYTREE(&a), PYTREE(&b)));
    assert_true(same_structure(PYTREE(&a), PYTREE(&meta)));
}

typedef struct Labels {
    bool on;
    signed char small;
    unsigned long long large;
    float rate;
    double scale;
    pytree_f16 half;
    const char *text, *missing;
    int vector[3];
    short single[1];
    const char *names[2];
    Config config;
} Labels;

#define PYTREE_STRUCT Labels
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, on) PYTREE_FIELD(STATIC, small) PYTREE_FIELD(STATIC, large) PYTREE_FIELD(STATIC, rate)         \
    PYTREE_FIELD(STATIC, scale) PYTREE_FIELD(STATIC, half) PYTREE_FIELD(STATIC, text) PYTREE_FIELD(STATIC, missing)     \
    PYTREE_FIELD(STATIC, vector) PYTREE_FIELD(STATIC, single) PYTREE_FIELD(STATIC, names) PYTREE_FIELD(STATIC, config)
#include "pytree_registry.h"

static void static_values_print_as_python_would(void **state)
{
    Labels labels;
    (void)state;
    memset(&labels, 0, sizeof labels);
    labels.on = true;
    labels.small = -128;
    labels.large = ULLONG_MAX;
    labels.rate = 0.1f;
    labels.scale = 1e-5;
    labels.half.bits = 0x3800;            /* 0.5 */
    labels.text = "it's";
    labels.vector[0] = -1;
    labels.vector[2] = 2;
    labels.single[0] = 9;
    labels.names[0] = "a";
    labels.config.width = 64;
    labels.config.rates[0] = 0.5;
    assert_def_text(PYTREE(&labels),
                    "PyTreeDef(CustomNode(Labels[(True, -128, 18446744073709551615, 0.1, 1e-05, 0.5, \"it's\", None, "
                    "(-1, 0, 2), (9,), ('a', None), Config(width=64, activation=None, rates=(0.5, 0.0)))], []))", NULL);
}

typedef struct Functions {
    double (*function)(double);
    int weight;
} Functions;

#define PYTREE_STRUCT Functions
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, function) PYTREE_FIELD(DATA, weight)
#include "pytree_registry.h"

static void function_pointers_print_their_address(void **state)
{
    Functions functions = { twice, 1 };
    uintptr_t address = 0;
    char expected[100];
    (void)state;
    memcpy(&address, &functions.function, sizeof functions.function);
    snprintf(expected, sizeof expected, "PyTreeDef(CustomNode(Functions[(<address 0x%llx>,)], [*]))",
             (unsigned long long)address);
    assert_def_text(PYTREE(&functions), expected, NULL);
}

typedef struct Suite {
    Config configs[2];
    double (*functions[2])(double);
    const Config last;
} Suite;

#define PYTREE_STRUCT Suite
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, configs) PYTREE_FIELD(STATIC, functions) PYTREE_FIELD(STATIC, last)
#include "pytree_registry.h"

static void static_arrays_of_structs_and_functions(void **state)
{
    Suite suite = { { { 1, "a", { 0.0, 0.0 } }, { 2, "b", { 0.5, 0.0 } } }, { twice, test_half_of },
                    { 3, NULL, { 0.0, 0.0 } } };
    Suite other = { { { 1, "a", { 0.0, 0.0 } }, { 2, "b", { 0.5, 0.0 } } }, { twice, test_half_of },
                    { 3, NULL, { 0.0, 0.0 } } };
    uintptr_t addresses[2];
    char expected[400];
    pytree_error error = { 0 };
    pytree_def *def;
    pytree made;
    (void)state;
    assert_true(same_structure(PYTREE(&suite), PYTREE(&other)));
    other.configs[1].activation = "c";
    assert_false(same_structure(PYTREE(&suite), PYTREE(&other)));
    other.configs[1].activation = "b";
    other.configs[1].rates[1] = 1.0;
    assert_false(same_structure(PYTREE(&suite), PYTREE(&other)));
    other.configs[1].rates[1] = 0.0;
    other.functions[1] = twice;
    assert_false(same_structure(PYTREE(&suite), PYTREE(&other)));
    assert_int_equal(sizeof addresses, sizeof suite.functions);
    memcpy(addresses, suite.functions, sizeof addresses);
    snprintf(expected, sizeof expected,
             "PyTreeDef(CustomNode(Suite[((Config(width=1, activation='a', rates=(0.0, 0.0)), "
             "Config(width=2, activation='b', rates=(0.5, 0.0))), (<address 0x%llx>, <address 0x%llx>), "
             "Config(width=3, activation=None, rates=(0.0, 0.0)))], []))",
             (unsigned long long)addresses[0], (unsigned long long)addresses[1]);
    assert_def_text(PYTREE(&suite), expected, NULL);
    def = pytree_structure(PYTREE(&suite), NULL, &error);
    assert_ok(error.status, &error);
    made = pytree_unflatten(def, 0, NULL, NULL, &error);
    assert_ok(error.status, &error);
    pytree_def_free(def);
    assert_true(same_structure(made, PYTREE(&suite)));
    assert_string_equal(((const Suite *)made.data)->configs[1].activation, "b");
    assert_true(((const Suite *)made.data)->functions[1] == test_half_of);
    pytree_free(made);
}

/* ---- DROP, and structs of few rows ------------------------------------------------------------------------------------- */

typedef struct Worker {
    void *scratch;
    float weight;
    FILE *log;
    int buffer[2][3][4];
    struct { int a, b; } unnamed;
    char pad[4];
} Worker;

#define PYTREE_STRUCT Worker
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, scratch) PYTREE_FIELD(DATA, weight) PYTREE_FIELD(DROP, log) PYTREE_FIELD(DROP, buffer)           \
    PYTREE_FIELD(DROP, unnamed) PYTREE_FIELD(DROP, pad)
#include "pytree_registry.h"

typedef struct OneNumber { double value; } OneNumber;

#define PYTREE_STRUCT OneNumber
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value)
#include "pytree_registry.h"

typedef struct OneStatic { unsigned char value; } OneStatic;

#define PYTREE_STRUCT OneStatic
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, value)
#include "pytree_registry.h"

typedef struct OnlyDrop { void *a; int b[2]; } OnlyDrop;

#define PYTREE_STRUCT OnlyDrop
#define PYTREE_FIELDS PYTREE_FIELD(DROP, a) PYTREE_FIELD(DROP, b)
#include "pytree_registry.h"

typedef struct Crate {
    OnlyDrop nothing;
    OneStatic marks[2];
    OneNumber *number;
} Crate;

#define PYTREE_STRUCT Crate
#define PYTREE_FIELDS PYTREE_FIELD(DATA, nothing) PYTREE_FIELD(DATA, marks) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

static void dropped_members_are_not_seen(void **state)
{
    Worker a, b;
    Expected expected[] = { { ".weight", "f32", "", NULL } };
    (void)state;
    memset(&a, 0, sizeof a);
    memset(&b, 0x55, sizeof b);
    a.weight = b.weight = 1.0f;
    expected[0].data = &a.weight;
    assert_leaves(PYTREE(&a), expected);
    assert_true(same_structure(PYTREE(&a), PYTREE(&b)));
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, NULL));
}

static void structs_of_few_rows(void **state)
{
    OneNumber number = { 1.5 };
    OneStatic mark = { 3 };
    OnlyDrop nothing = { NULL, { 1, 2 } };
    Crate crate = { { NULL, { 0, 0 } }, { { 1 }, { 2 } }, NULL };
    Expected expected[] = { { ".value", "f64", "", NULL } };
    (void)state;
    expected[0].data = &number.value;
    crate.number = &number;
    assert_leaves(PYTREE(&number), expected);
    assert_def_text(PYTREE(&number), "PyTreeDef(CustomNode(OneNumber[()], [*]))", NULL);
    assert_def_text(PYTREE(&mark), "PyTreeDef(CustomNode(OneStatic[(3,)], []))", NULL);
    assert_def_text(PYTREE(&nothing), "PyTreeDef(CustomNode(OnlyDrop[()], []))", NULL);
    assert_def_text(PYTREE(&crate),
                    "PyTreeDef(CustomNode(Crate[()], [CustomNode(OnlyDrop[()], []), (CustomNode(OneStatic[(1,)], []), "
                    "CustomNode(OneStatic[(2,)], [])), CustomNode(OneNumber[()], [*])]))", NULL);
}

/* A struct among the static values: its members have names, and one alone has no comma behind it. */
typedef struct Rate { float rate; } Rate;
typedef struct Rated { Rate rate; int n; float x; } Rated;

#define PYTREE_STRUCT Rate
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

#define PYTREE_STRUCT Rated
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static void structs_of_one_static_value(void **state)
{
    Rate rate = { 0.5f };
    Rated rated = { { 0.25f }, 3, 1.0f };
    (void)state;
    assert_def_text(PYTREE(&rate), "PyTreeDef(CustomNode(Rate[(0.5,)], []))", NULL);
    assert_def_text(PYTREE(&rated), "PyTreeDef(CustomNode(Rated[(Rate(rate=0.25), 3)], [*]))", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_static_value_counts),
        cmocka_unit_test(floats_compare_by_bits),
        cmocka_unit_test(padding_does_not_count),
        cmocka_unit_test(static_values_print_as_python_would),
        cmocka_unit_test(function_pointers_print_their_address),
        cmocka_unit_test(static_arrays_of_structs_and_functions),
        cmocka_unit_test(dropped_members_are_not_seen),
        cmocka_unit_test(structs_of_few_rows),
        cmocka_unit_test(structs_of_one_static_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
