/* Registration: what each kind of row makes of numbers, strings, arrays, lists and containers. */
#include "registration_shared.h"

/* ---- Numbers, strings, enums, fixed arrays ----------------------------------------------------------------------------- */

/* An enum takes one byte with -fshort-enums. */
static const char *type_of_color(void)
{
    return sizeof(Color) == 1 ? "u8" : (Color)-1 > 0 ? "u32" : "i32";
}

static void every_kind_of_member(void **state)
{
    Everything all = everything_make(true);
    const char *i_long = sizeof(long) == 8 ? "i64" : "i32", *u_long = sizeof(long) == 8 ? "u64" : "u32";
    const char *i_char = CHAR_MIN < 0 ? "i8" : "u8", *u_enum = type_of_color();
    Expected expected[] = {
        IN(all, flag, "bool", ""), IN(all, letter, i_char, ""), IN(all, i8, "i8", ""), IN(all, u8, "u8", ""),
        IN(all, i16, "i16", ""), IN(all, u16, "u16", ""), IN(all, i32, "i32", ""), IN(all, u32, "u32", ""),
        IN(all, i_long, i_long, ""), IN(all, u_long, u_long, ""), IN(all, i64, "i64", ""), IN(all, u64, "u64", ""),
        IN(all, f32, "f32", ""), IN(all, f64, "f64", ""), IN(all, f_long, "long double", ""),
        IN(all, half, "f16", ""), IN(all, brain, "bf16", ""), IN(all, color, u_enum, ""),
        IN(all, name, "str", ""), IN(all, title, "str", ""), IN(all, note, "str", ""),
        IN(all, code, i_char, "[8]"), IN(all, mask, "bool", "[4]"), IN(all, vector, "f32", "[3]"),
        IN(all, matrix, "f64", "[2,3]"), IN(all, cube, "i32", "[2,3,4]"),
        IN(all, at.x, "f32", ""), IN(all, at.y, "f32", ""),
        IN(all, corners[0].x, "f32", ""), IN(all, corners[0].y, "f32", ""),
        IN(all, corners[1].x, "f32", ""), IN(all, corners[1].y, "f32", ""),
        { ".far.x", "f32", "", &all.far->x }, { ".far.y", "f32", "", &all.far->y },
        { ".weights", "f64", "[2,3]", all.weights }, { ".bias", "f32", "[3]", all.bias },
        IN(all, points[0].x, "f32", ""), IN(all, points[0].y, "f32", ""), IN(all, points[1].x, "f32", ""),
        IN(all, points[1].y, "f32", ""), IN(all, points[2].x, "f32", ""), IN(all, points[2].y, "f32", ""),
    };
    (void)state;
    assert_int_equal(COUNT_OF(expected), EVERYTHING_LEAVES);
    assert_leaves(PYTREE(&all), expected);
    everything_clear(&all);
}

static void optional_members_may_be_missing(void **state)
{
    Everything bare = everything_make(false);
    pytree_leaf children[40];
    pytree_entry keys[40];
    pytree_error error = { 0 };
    size_t n, i, none = 0;
    (void)state;
    assert_ok(pytree_children(PYTREE(&bare), children, keys, COUNT_OF(children), &n, NULL, &error), &error);
    for (i = 0; i < n; i++) {
        bool missing = strcmp(keys[i].name, "note") == 0 || strcmp(keys[i].name, "far") == 0
            || strcmp(keys[i].name, "bias") == 0;
        assert_int_equal(keys[i].kind, PYTREE_ATTRIBUTE);
        assert_true((children[i].form == PYTREE_FORM_NONE) == missing);
        none += missing;
    }
    assert_int_equal(none, 3);
    everything_clear(&bare);
}

#if defined(TEST_HAS_COMPLEX)
static void complex_members(void **state)
{
    Waves waves = { 0 };
    Expected expected[] = {
        IN(waves, c64, "c64", ""), IN(waves, c128, "c128", ""), IN(waves, c_long, "long double complex", ""),
        IN(waves, pair, "c64", "[2]"),
    };
    double _Complex number = 0.0;
    Expected alone = { "", "c128", "", NULL };
    (void)state;
    alone.data = &number;
    assert_leaves(PYTREE(&waves), expected);
    test_assert_leaves(PYTREE(&number), 1, &alone, __FILE__, __LINE__);
    assert_int_equal(PYTREE_TYPE(float _Complex)->size, 2 * sizeof(float));
    assert_int_equal(PYTREE_TYPE(float _Complex)->dtype, PYTREE_C64);
    assert_int_equal(PYTREE_TYPE(double _Complex)->dtype, PYTREE_C128);
    assert_int_equal(PYTREE_TYPE(long double _Complex)->dtype, PYTREE_CLONG);
}
#endif

typedef struct Arrays {
    unsigned char bytes[1];
    char text[2][5];
    short two[2][1];
    bool three[2][3][4];
    double four[2][1][3][2];
    float also_one[3];                    /* RANK says what needs not be said */
    float also_two[3][2];
    Color colors[4];
    long double wide[2][2];
    pytree_f16 halves[3];
    pytree_bf16 brains[2][2];
    const char *names[3];
    char *table[2][2];
} Arrays;

#define PYTREE_STRUCT Arrays
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, bytes)                                                                                           \
    PYTREE_FIELD(DATA, text)                                                                                            \
    PYTREE_FIELD(DATA, two)                                                                                             \
    PYTREE_FIELD(DATA, three, RANK(3))                                                                                  \
    PYTREE_FIELD(DATA, four, RANK(4))                                                                                   \
    PYTREE_FIELD(DATA, also_one, RANK(1))                                                                               \
    PYTREE_FIELD(DATA, also_two, RANK(2))                                                                               \
    PYTREE_FIELD(DATA, colors)                                                                                          \
    PYTREE_FIELD(DATA, wide)                                                                                            \
    PYTREE_FIELD(DATA, halves)                                                                                          \
    PYTREE_FIELD(DATA, brains)                                                                                          \
    PYTREE_FIELD(DATA, names)                                                                                           \
    PYTREE_FIELD(DATA, table, RANK(2))
#include "pytree_registry.h"

static void fixed_arrays(void **state)
{
    static Arrays arrays;
    const char *i_char = CHAR_MIN < 0 ? "i8" : "u8", *u_enum = type_of_color();
    Expected expected[] = {
        IN(arrays, bytes, "u8", "[1]"), IN(arrays, text, i_char, "[2,5]"), IN(arrays, two, "i16", "[2,1]"),
        IN(arrays, three, "bool", "[2,3,4]"), IN(arrays, four, "f64", "[2,1,3,2]"), IN(arrays, also_one, "f32", "[3]"),
        IN(arrays, also_two, "f32", "[3,2]"), IN(arrays, colors, u_enum, "[4]"), IN(arrays, wide, "long double", "[2,2]"),
        IN(arrays, halves, "f16", "[3]"), IN(arrays, brains, "bf16", "[2,2]"), IN(arrays, names, "str", "[3]"),
        IN(arrays, table, "str", "[2,2]"),
    };
    (void)state;
    assert_leaves(PYTREE(&arrays), expected);
}

typedef struct Eight {
    float cells[1][2][1][2][1][2][1][3];
    signed char five[2][2][2][2][2];
    int six[1][1][1][1][1][6];
    long long seven[7][1][1][1][1][1][1];
} Eight;

#define PYTREE_STRUCT Eight
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, cells, RANK(8)) PYTREE_FIELD(DATA, five, RANK(5)) PYTREE_FIELD(DATA, six, RANK(6))               \
    PYTREE_FIELD(DATA, seven, RANK(7))
#include "pytree_registry.h"

static void fixed_arrays_of_high_rank(void **state)
{
    static Eight eight;
    Expected expected[] = {
        IN(eight, cells, "f32", "[1,2,1,2,1,2,1,3]"), IN(eight, five, "i8", "[2,2,2,2,2]"),
        IN(eight, six, "i32", "[1,1,1,1,1,6]"), IN(eight, seven, "i64", "[7,1,1,1,1,1,1]"),
    };
    (void)state;
    assert_leaves(PYTREE(&eight), expected);
}

/* ---- const ------------------------------------------------------------------------------------------------------------- */

typedef struct Fixed {
    const float limit;
    const int table[3];
    const size_t n;
    const double *values;                 /* (n,) */
    float *const other;                   /* (2,) */
    const char *const name;
    const Point origin;
    const Color color;
} Fixed;

#define PYTREE_STRUCT Fixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, limit)                                                                                           \
    PYTREE_FIELD(DATA, table)                                                                                           \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, values, ARRAY(self->n))                                                                          \
    PYTREE_FIELD(DATA, other, ARRAY(2))                                                                                 \
    PYTREE_FIELD(DATA, name)                                                                                            \
    PYTREE_FIELD(DATA, origin)                                                                                          \
    PYTREE_FIELD(STATIC, color)
#include "pytree_registry.h"

static void const_members(void **state)
{
    static const double values[2] = { 0.5, 1.5 };
    float other[2] = { 1.0f, 2.0f };
    const Fixed fixed = { 0.5f, { 1, 2, 3 }, 2, values, other, "fixed", { 3.0f, 4.0f }, GREEN };
    Expected expected[] = {
        IN(fixed, limit, "f32", ""), IN(fixed, table, "i32", "[3]"), { ".values", "f64", "[2]", values },
        { ".other", "f32", "[2]", NULL }, IN(fixed, name, "str", ""), IN(fixed, origin.x, "f32", ""),
        IN(fixed, origin.y, "f32", ""),
    };
    (void)state;
    expected[3].data = other;
    assert_leaves(PYTREE(&fixed), expected);
    assert_def_text(PYTREE(&fixed), "PyTreeDef(CustomNode(Fixed[(2, 1)], [*, *, *, *, *, CustomNode(Point[()], [*, *])]))",
                    NULL);
}

/* ---- ARRAY ------------------------------------------------------------------------------------------------------------- */

typedef struct Extents {
    int a;
    unsigned char b;
    long c;
    float *one;
    double *two, *three;
    bool *four;
    short *five;
    long double *six;
    char *seven;                          /* a string elsewhere; with ARRAY it would be one of characters */
    unsigned long long *eight;
    const float *fixed;
    pytree_f16 *half;
    const char **names;
} Extents;

#define PYTREE_STRUCT Extents
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, a)                                                                                             \
    PYTREE_FIELD(STATIC, b)                                                                                             \
    PYTREE_FIELD(STATIC, c)                                                                                             \
    PYTREE_FIELD(DATA, one, ARRAY(self->a))                                                                             \
    PYTREE_FIELD(DATA, two, ARRAY(self->a, self->b))                                                                    \
    PYTREE_FIELD(DATA, three, ARRAY(self->a, self->b, self->c))                                                         \
    PYTREE_FIELD(DATA, four, ARRAY(self->a + 1, 2 * self->b, 1, (self->c > 1 ? 7 : 8)))                                 \
    PYTREE_FIELD(DATA, five, ARRAY(1, 2, 3, 4, self->a))                                                                \
    PYTREE_FIELD(DATA, six, ARRAY(1, 1, 1, 1, 1, self->b))                                                              \
    PYTREE_FIELD(DROP, seven)                                                                                           \
    PYTREE_FIELD(DATA, eight, ARRAY(1, self->a, 1, self->b, 1, self->c, 1, 1))                                          \
    PYTREE_FIELD(DATA, fixed, ARRAY(1, 2, 1, 2, 1, 2, self->b))                                                         \
    PYTREE_FIELD(DATA, half, ARRAY(sizeof(self->c)))                                                                    \
    PYTREE_FIELD(DATA, names, ARRAY(2))
#include "pytree_registry.h"

static void arrays_of_one_to_eight_dimensions(void **state)
{
    static double room[256];
    static const char *names[2] = { "a", "b" };
    Extents e = { 2, 3, 1, NULL, room, room, NULL, NULL, NULL, NULL, NULL, NULL, NULL, names };
    (void)state;
    e.one = (float *)(void *)room;
    e.four = (bool *)(void *)room;
    e.five = (short *)(void *)room;
    e.six = (long double *)(void *)room;
    e.eight = (unsigned long long *)(void *)room;
    e.fixed = (const float *)(const void *)room;
    e.half = (pytree_f16 *)(void *)room;
    {
        Expected expected[] = {
            { ".one", "f32", "[2]", room }, { ".two", "f64", "[2,3]", room }, { ".three", "f64", "[2,3,1]", room },
            { ".four", "bool", "[3,6,1,8]", room }, { ".five", "i16", "[1,2,3,4,2]", room },
            { ".six", "long double", "[1,1,1,1,1,3]", room }, { ".eight", "u64", "[1,2,1,3,1,1,1,1]", room },
            { ".fixed", "f32", "[1,2,1,2,1,2,3]", room }, { ".half", "f16", "[8]", room }, { ".names", "str", "[2]", names },
        };
        if (sizeof(long) == 4) {
            expected[8].shape = "[4]";
        }
        assert_leaves(PYTREE(&e), expected);
    }
}

/* ---- LIST -------------------------------------------------------------------------------------------------------------- */

typedef struct Lists {
    int n;
    Point *points;
    double *numbers;
    const char **names;
    char **others;
    Linear *layers;
    struct Lists *lists;
} Lists;

#define PYTREE_STRUCT Lists
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, points, LIST(self->n))                                                                           \
    PYTREE_FIELD(DATA, numbers, LIST(self->n + 1))                                                                      \
    PYTREE_FIELD(DATA, names, LIST(self->n))                                                                            \
    PYTREE_FIELD(DATA, others, LIST(1))                                                                                 \
    PYTREE_FIELD(DATA, layers, LIST(1))                                                                                 \
    PYTREE_FIELD(DATA, lists, LIST(self->lists == NULL ? 0 : 1))
#include "pytree_registry.h"

static void lists_of_everything(void **state)
{
    Point points[2] = { { 1.0f, 2.0f }, { 3.0f, 4.0f } };
    double numbers[3] = { 0.5, 1.5, 2.5 };
    const char *names[2] = { "one", "two" };
    char letter[2] = "x", *others[1];
    Linear layer = linear_make(2, 1, 0.0f);
    Lists inner = { 0 }, lists = { 0 };
    (void)state;
    others[0] = letter;
    lists.n = 2;
    lists.points = points;
    lists.numbers = numbers;
    lists.names = names;
    lists.others = others;
    lists.layers = &layer;
    inner = lists;
    lists.lists = &inner;
    inner.n = 0;
    {
        Expected expected[] = {
            IN(lists, points[0].x, "f32", ""), IN(lists, points[0].y, "f32", ""), IN(lists, points[1].x, "f32", ""),
            IN(lists, points[1].y, "f32", ""), IN(lists, numbers[0], "f64", ""), IN(lists, numbers[1], "f64", ""),
            IN(lists, numbers[2], "f64", ""), IN(lists, names[0], "str", ""), IN(lists, names[1], "str", ""),
            IN(lists, others[0], "str", ""),
            { ".layers[0].w", "f32", "[2,1]", layer.w }, { ".layers[0].b", "f32", "[1]", layer.b },
            { ".lists[0].numbers[0]", "f64", "", NULL }, { ".lists[0].others[0]", "str", "", NULL },
            { ".lists[0].layers[0].w", "f32", "[2,1]", layer.w }, { ".lists[0].layers[0].b", "f32", "[1]", layer.b },
        };
        expected[12].data = numbers;
        expected[13].data = others;
        assert_leaves(PYTREE(&lists), expected);
    }
    assert_def_text(PYTREE(&lists),
                    "PyTreeDef(CustomNode(Lists[(2,)], [[CustomNode(Point[()], [*, *]), CustomNode(Point[()], [*, *])], "
                    "[*, *, *], [*, *], [*], [CustomNode(Linear[(2, 1)], [*, *])], "
                    "[CustomNode(Lists[(0,)], [[], [*], [], [*], [CustomNode(Linear[(2, 1)], [*, *])], []])]]))", NULL);
    linear_clear(&layer);
}

/* ---- OPTIONAL ---------------------------------------------------------------------------------------------------------- */

typedef struct Maybe {
    int n;
    float *array;
    double *grid;
    Point *list;
    long *numbers;
    Point *one;
    const char *text;
    char *other;
    struct Maybe *self_too;
    float *stb;
} Maybe;

/* OPTIONAL may stand before or after what else is said. */
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, array, ARRAY(self->n), OPTIONAL)                                                                 \
    PYTREE_FIELD(DATA, grid, OPTIONAL, ARRAY(self->n, 2))                                                               \
    PYTREE_FIELD(DATA, list, LIST(self->n), OPTIONAL)                                                                   \
    PYTREE_FIELD(DATA, numbers, OPTIONAL, LIST(self->n))                                                                \
    PYTREE_FIELD(DATA, one, OPTIONAL)                                                                                   \
    PYTREE_FIELD(DATA, text, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, other, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, self_too, OPTIONAL)                                                                              \
    PYTREE_FIELD(DATA, stb, STB_ARRAY, OPTIONAL)
#include "pytree_registry.h"

static void optional_with_each_modifier(void **state)
{
    float array[1] = { 1.0f };
    double grid[2] = { 2.0, 3.0 };
    Point point = { 4.0f, 5.0f };
    long number = 6;
    char other[] = "other";
    Maybe none = { 0 }, all = { 0 };
    (void)state;
    none.n = 1;
    all.n = 1;
    all.array = array;
    all.grid = grid;
    all.list = &point;
    all.numbers = &number;
    all.one = &point;
    all.text = "text";
    all.other = other;
    all.self_too = &none;
    /* an stb_ds container is the empty list when it is NULL, whatever else is said */
    assert_def_text(PYTREE(&none),
                    "PyTreeDef(CustomNode(Maybe[(1,)], [None, None, None, None, None, None, None, None, []]))", NULL);
    assert_def_text(PYTREE(&all),
                    "PyTreeDef(CustomNode(Maybe[(1,)], [*, *, [CustomNode(Point[()], [*, *])], [*], "
                    "CustomNode(Point[()], [*, *]), *, *, "
                    "CustomNode(Maybe[(1,)], [None, None, None, None, None, None, None, None, []]), []]))", NULL);
    /* with nothing to hold, an optional NULL is None still, and any other pointer is an empty list */
    none.n = 0;
    all.n = 0;
    all.self_too = NULL;
    assert_def_text(PYTREE(&none),
                    "PyTreeDef(CustomNode(Maybe[(0,)], [None, None, None, None, None, None, None, None, []]))", NULL);
    assert_def_text(PYTREE(&all),
                    "PyTreeDef(CustomNode(Maybe[(0,)], [*, *, [], [], CustomNode(Point[()], [*, *]), *, *, None, []]))", NULL);
}

/* ---- stb_ds ------------------------------------------------------------------------------------------------------------ */

typedef struct TextEntry {
    char *key;
    const char *value;
} TextEntry;

typedef struct LayerEntry {
    char *key;
    Linear value;
} LayerEntry;

typedef struct ByteEntry {
    char *key;
    bool value;
} ByteEntry;

typedef struct Stb {
    const char **names;
    Linear *layers;
    unsigned char *bytes;
    long double *wide;
    TextEntry *texts;
    LayerEntry *by_name;
    ByteEntry *flags;
} Stb;

#define PYTREE_STRUCT Stb
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, names, STB_ARRAY) PYTREE_FIELD(DATA, layers, STB_ARRAY) PYTREE_FIELD(DATA, bytes, STB_ARRAY)     \
    PYTREE_FIELD(DATA, wide, STB_ARRAY) PYTREE_FIELD(DATA, texts, STB_MAP) PYTREE_FIELD(DATA, by_name, STB_MAP)         \
    PYTREE_FIELD(DATA, flags, STB_MAP)
#include "pytree_registry.h"

static void stb_containers(void **state)
{
    Stb stb = { 0 };
    Linear layer = linear_make(1, 2, 1.0f);
    (void)state;
    {
        Expected none = { NULL, NULL, NULL, NULL };
        test_assert_leaves(PYTREE(&stb), 0, &none, __FILE__, __LINE__);
    }
    assert_def_text(PYTREE(&stb), "PyTreeDef(CustomNode(Stb[()], [[], [], [], [], {}, {}, {}]))", NULL);
    stbds_arrput(stb.names, "n");
    stbds_arrput(stb.layers, layer);
    stbds_arrput(stb.bytes, 1);
    stbds_arrput(stb.bytes, 2);
    stbds_arrput(stb.wide, 1.0L);
    stbds_shput(stb.texts, "it's", "v");
    stbds_shput(stb.texts, "B", "w");
    stbds_shput(stb.by_name, "layer", layer);
    stbds_shput(stb.flags, "z", true);
    stbds_shput(stb.flags, "a", false);
    stbds_shput(stb.flags, "m", true);
    {
        Expected expected[] = {
            IN(stb, names[0], "str", ""), { ".layers[0].w", "f32", "[1,2]", layer.w },
            { ".layers[0].b", "f32", "[2]", layer.b },
            IN(stb, bytes[0], "u8", ""), IN(stb, bytes[1], "u8", ""), IN(stb, wide[0], "long double", ""),
            { ".texts['B']", "str", "", &stb.texts[1].value }, { ".texts[\"it's\"]", "str", "", &stb.texts[0].value },
            { ".by_name['layer'].w", "f32", "[1,2]", layer.w }, { ".by_name['layer'].b", "f32", "[2]", layer.b },
            { ".flags['a']", "bool", "", &stb.flags[1].value }, { ".flags['m']", "bool", "", &stb.flags[2].value },
            { ".flags['z']", "bool", "", &stb.flags[0].value },
        };
        assert_leaves(PYTREE(&stb), expected);
    }
    /* emptied is not the same as NULL to stb_ds, but it is here */
    stbds_arrsetlen(stb.bytes, 0);
    (void)stbds_shdel(stb.flags, "z");
    (void)stbds_shdel(stb.flags, "a");
    (void)stbds_shdel(stb.flags, "m");
    assert_def_text(PYTREE(&stb),
                    "PyTreeDef(CustomNode(Stb[()], [[*], [CustomNode(Linear[(1, 2)], [*, *])], [], [*], "
                    "{'B': *, \"it's\": *}, {'layer': CustomNode(Linear[(1, 2)], [*, *])}, {}]))", NULL);
    stbds_arrfree(stb.names);
    stbds_arrfree(stb.layers);
    stbds_arrfree(stb.bytes);
    stbds_arrfree(stb.wide);
    stbds_shfree(stb.texts);
    stbds_shfree(stb.by_name);
    stbds_shfree(stb.flags);
    linear_clear(&layer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_member),
        cmocka_unit_test(optional_members_may_be_missing),
#if defined(TEST_HAS_COMPLEX)
        cmocka_unit_test(complex_members),
#endif
        cmocka_unit_test(fixed_arrays),
        cmocka_unit_test(fixed_arrays_of_high_rank),
        cmocka_unit_test(const_members),
        cmocka_unit_test(arrays_of_one_to_eight_dimensions),
        cmocka_unit_test(lists_of_everything),
        cmocka_unit_test(optional_with_each_modifier),
        cmocka_unit_test(stb_containers)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
