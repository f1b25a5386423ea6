/* Registration: what each kind of row makes of each kind of member, and what the descriptors say. */

/* Words of the library's rows that a program has taken for itself before it includes anything. */
#define DATA 101
#define STATIC 102
#define LIST(a, b) ((a) - (b))
#define ARRAY 104
#define OPTIONAL optional_of_the_program
#define DROP() 106
#define RANK "rank"
#define NONE
#define STB_ARRAY 109
#define STB_MAP(x) x
#define PLAIN 111
#define KIND(x) 112
#define ROW 113
#define WORDS 114
#define ONE 1
#define ANY(x) x
#define CODE 117
#include "support.h"

/* ---- What is to be expected ------------------------------------------------------------------------------------------ */

/* One leaf: its key path, element type as JAX writes it, shape as "[2,3]" ("" for a scalar), and where its elements lie. */
typedef struct Expected {
    const char *path, *type, *shape;
    const void *data;
} Expected;

static void shape_text(const pytree_leaf *leaf, char *text, size_t n)
{
    size_t length = 0;
    int i;
    text[0] = '\0';
    for (i = 0; i < leaf->ndim; i++) {
        length += (size_t)snprintf(text + length, n - length, "%s%lu", i == 0 ? "[" : ",", (unsigned long)leaf->shape[i]);
        assert_true(length + 2 < n);
    }
    if (leaf->ndim > 0) {
        memcpy(text + length, "]", 2);
    }
}

/* The tree has exactly these leaves, in this order. */
#define assert_leaves(tree, expected) test_assert_leaves((tree), COUNT_OF(expected), (expected), __FILE__, __LINE__)

static void test_assert_leaves(pytree tree, size_t n, const Expected *expected, const char *file, int line)
{
    pytree_error error = { 0 };
    pytree_leaf leaves[128];
    size_t count, n_paths, i;
    const char **paths;
    assert_in_range(n, 0, COUNT_OF(leaves));
    assert_ok(pytree_leaves(tree, leaves, COUNT_OF(leaves), &count, NULL, &error), &error);
    paths = pytree_paths(tree, NULL, &n_paths, NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(paths);
    if (count != n || n_paths != n) {
        print_error("# expected %lu leaves, got %lu and %lu paths\n", (unsigned long)n, (unsigned long)count,
                    (unsigned long)n_paths);
        _fail(file, line);
    }
    for (i = 0; i < n; i++) {
        const char *type = pytree_dtype_name(leaves[i].type);
        char shape[200];
        shape_text(&leaves[i], shape, sizeof shape);
        if (!pytree_is_leaf(&leaves[i]) || strcmp(paths[i], expected[i].path) != 0 || strcmp(type, expected[i].type) != 0
            || strcmp(shape, expected[i].shape) != 0 || leaves[i].data != expected[i].data) {
            print_error("# leaf %lu\n# expected %s  %s%s at %p\n# got      %s  %s%s at %p\n", (unsigned long)i,
                        expected[i].path, expected[i].type, expected[i].shape, expected[i].data, paths[i], type, shape,
                        leaves[i].data);
            _fail(file, line);
        }
    }
    pytree_paths_free(paths);
}

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

/* ---- Numbers, strings, enums, fixed arrays ----------------------------------------------------------------------------- */

#define IN(object, path, type, shape) { "." #path, (type), (shape), &(object).path }

static void every_kind_of_member(void **state)
{
    Everything all = everything_make(true);
    const char *i_long = sizeof(long) == 8 ? "i64" : "i32", *u_long = sizeof(long) == 8 ? "u64" : "u32";
    const char *i_char = CHAR_MIN < 0 ? "i8" : "u8", *u_enum = (Color)-1 > 0 ? "u32" : "i32";
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
    const char *i_char = CHAR_MIN < 0 ? "i8" : "u8", *u_enum = (Color)-1 > 0 ? "u32" : "i32";
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

/* ---- stb_ds ------------------------------------------------------------------------------------------------------------- */

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

/* ---- Structs in structs -------------------------------------------------------------------------------------------------- */

typedef struct Box {
    Point low, high;
} Box;

#define PYTREE_STRUCT Box
#define PYTREE_FIELDS PYTREE_FIELD(DATA, low) PYTREE_FIELD(DATA, high)
#include "pytree_registry.h"

typedef struct Scene {
    Box outer;
    Box boxes[2];
    Point *cursor;
    Linear layer;
    MLP models[1];
} Scene;

#define PYTREE_STRUCT Scene
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, outer) PYTREE_FIELD(DATA, boxes) PYTREE_FIELD(DATA, cursor) PYTREE_FIELD(DATA, layer)            \
    PYTREE_FIELD(DATA, models)
#include "pytree_registry.h"

static void structs_in_structs(void **state)
{
    Scene scene;
    Point point = { 0.0f, 0.0f };
    Linear layer = linear_make(1, 1, 0.0f);
    (void)state;
    memset(&scene, 0, sizeof scene);
    scene.cursor = &point;
    scene.layer = layer;
    scene.models[0].head = &layer;
    {
        Expected expected[] = {
            IN(scene, outer.low.x, "f32", ""), IN(scene, outer.low.y, "f32", ""), IN(scene, outer.high.x, "f32", ""),
            IN(scene, outer.high.y, "f32", ""), IN(scene, boxes[0].low.x, "f32", ""), IN(scene, boxes[0].low.y, "f32", ""),
            IN(scene, boxes[0].high.x, "f32", ""), IN(scene, boxes[0].high.y, "f32", ""), IN(scene, boxes[1].low.x, "f32", ""),
            IN(scene, boxes[1].low.y, "f32", ""), IN(scene, boxes[1].high.x, "f32", ""), IN(scene, boxes[1].high.y, "f32", ""),
            { ".cursor.x", "f32", "", NULL }, { ".cursor.y", "f32", "", NULL },
            { ".layer.w", "f32", "[1,1]", layer.w }, { ".layer.b", "f32", "[1]", layer.b },
            { ".models[0].head.w", "f32", "[1,1]", layer.w }, { ".models[0].head.b", "f32", "[1]", layer.b },
            IN(scene, models[0].scale, "f32", "[2,3]"),
        };
        expected[12].data = &point.x;
        expected[13].data = &point.y;
        assert_leaves(PYTREE(&scene), expected);
    }
    assert_def_text(PYTREE(&scene),
                    "PyTreeDef(CustomNode(Scene[()], [CustomNode(Box[()], [CustomNode(Point[()], [*, *]), "
                    "CustomNode(Point[()], [*, *])]), (CustomNode(Box[()], [CustomNode(Point[()], [*, *]), "
                    "CustomNode(Point[()], [*, *])]), CustomNode(Box[()], [CustomNode(Point[()], [*, *]), "
                    "CustomNode(Point[()], [*, *])])), CustomNode(Point[()], [*, *]), CustomNode(Linear[(1, 1)], [*, *]), "
                    "(CustomNode(MLP[(0,)], [[], CustomNode(Linear[(1, 1)], [*, *]), *]),)]))", NULL);
    linear_clear(&layer);
}

typedef struct Branch {
    int depth;
    size_t n_children;
    struct Branch *children;
    struct Branch *left, *right;
} Branch;

#define PYTREE_STRUCT Branch
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, depth) PYTREE_FIELD(STATIC, n_children) PYTREE_FIELD(DATA, children, LIST(self->n_children))     \
    PYTREE_FIELD(DATA, left, OPTIONAL) PYTREE_FIELD(DATA, right, OPTIONAL)
#include "pytree_registry.h"

static void structs_that_refer_to_themselves(void **state)
{
    Branch leaf = { 3, 0, NULL, NULL, NULL }, pair[2], root = { 1, 2, NULL, NULL, NULL };
    (void)state;
    pair[0] = leaf;
    pair[1] = leaf;
    pair[1].left = &leaf;
    root.children = pair;
    root.right = &leaf;
    {
        Expected expected[] = {
            IN(root, depth, "i32", ""), { ".children[0].depth", "i32", "", NULL }, { ".children[1].depth", "i32", "", NULL },
            { ".children[1].left.depth", "i32", "", NULL }, { ".right.depth", "i32", "", NULL },
        };
        expected[1].data = &pair[0].depth;
        expected[2].data = &pair[1].depth;
        expected[3].data = expected[4].data = &leaf.depth;
        assert_leaves(PYTREE(&root), expected);
    }
}

/* A struct that is declared, used by another, and then defined; it holds lists and arrays of that other. */
struct Train;
typedef struct Wagon {
    float load;
    size_t n_trains;
    struct Train *train;
    struct Train *trains;
} Wagon;

typedef struct Train {
    const char *name;
    Wagon wagons[2];
    Wagon *spare;
} Train;

#define PYTREE_DECLARE Train
#include "pytree_registry.h"
#define PYTREE_STRUCT Wagon
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, load) PYTREE_FIELD(STATIC, n_trains) PYTREE_FIELD(DATA, train, OPTIONAL)                         \
    PYTREE_FIELD(DATA, trains, LIST(self->n_trains))
#include "pytree_registry.h"
#define PYTREE_DEFINE Train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, wagons) PYTREE_FIELD(DATA, spare, OPTIONAL)
#include "pytree_registry.h"

static void structs_that_refer_to_each_other(void **state)
{
    Wagon alone = { 0.5f, 0, NULL, NULL };
    Train fast = { "fast", { { 1.0f, 0, NULL, NULL }, { 2.0f, 0, NULL, NULL } }, NULL };
    Train slow = { "slow", { { 3.0f, 0, NULL, NULL }, { 4.0f, 1, NULL, NULL } }, NULL };
    (void)state;
    slow.wagons[1].trains = &fast;
    slow.spare = &alone;
    alone.train = &fast;
    assert_def_text(PYTREE(&fast),
                    "PyTreeDef(CustomNode(Train[('fast',)], [(CustomNode(Wagon[(0,)], [*, None, []]), "
                    "CustomNode(Wagon[(0,)], [*, None, []])), None]))", NULL);
    {
        Expected expected[] = {
            IN(slow, wagons[0].load, "f32", ""), IN(slow, wagons[1].load, "f32", ""),
            { ".wagons[1].trains[0].wagons[0].load", "f32", "", NULL },
            { ".wagons[1].trains[0].wagons[1].load", "f32", "", NULL },
            { ".spare.load", "f32", "", NULL }, { ".spare.train.wagons[0].load", "f32", "", NULL },
            { ".spare.train.wagons[1].load", "f32", "", NULL },
        };
        expected[2].data = expected[5].data = &fast.wagons[0].load;
        expected[3].data = expected[6].data = &fast.wagons[1].load;
        expected[4].data = &alone.load;
        assert_leaves(PYTREE(&slow), expected);
    }
    assert_string_equal(PYTREE_TYPE(Train)->name, "Train");
    assert_int_equal(PYTREE_TYPE(Train)->size, sizeof(Train));
    assert_true(pytree_type_equal(PYTREE_TYPE(Train), PYTREE_TYPE(Train)));
    assert_false(pytree_type_equal(PYTREE_TYPE(Train), PYTREE_TYPE(Wagon)));
}

/* ---- Leaf types ---------------------------------------------------------------------------------------------------------- */

typedef struct Handle {
    int number;
    char kind;
} Handle;

static bool handle_equal(const void *a, const void *b)
{
    return ((const Handle *)a)->number == ((const Handle *)b)->number;
}

static int handle_print(FILE *file, const void *value)
{
    return fprintf(file, "handle %d", ((const Handle *)value)->number);
}

#define PYTREE_LEAF_TYPE Handle
#define PYTREE_EQUAL handle_equal
#define PYTREE_PRINT handle_print
#include "pytree_registry.h"

typedef struct Blob {
    unsigned char bytes[24];
} Blob;

#define PYTREE_LEAF_TYPE Blob
#include "pytree_registry.h"

typedef struct Holder {
    Handle handle;
    Handle handles[3];
    Blob blob;
    Handle *one;
    size_t n;
    Blob *blobs;
    Handle *maybe;
    Handle *grown;
} Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, handle) PYTREE_FIELD(DATA, handles) PYTREE_FIELD(DATA, blob) PYTREE_FIELD(DATA, one)             \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, blobs, LIST(self->n)) PYTREE_FIELD(DATA, maybe, OPTIONAL)                \
    PYTREE_FIELD(DATA, grown, STB_ARRAY)
#include "pytree_registry.h"

static void leaf_types(void **state)
{
    Handle handle = { 7, 'h' };
    Blob blobs[2] = { { { 1 } }, { { 2 } } };
    Holder holder;
    (void)state;
    memset(&holder, 0, sizeof holder);
    holder.one = &handle;
    holder.n = 2;
    holder.blobs = blobs;
    stbds_arrput(holder.grown, handle);
    {
        Expected expected[] = {
            IN(holder, handle, "Handle", ""), IN(holder, handles, "Handle", "[3]"), IN(holder, blob, "Blob", ""),
            { ".one", "Handle", "", NULL }, { ".blobs[0]", "Blob", "", NULL }, { ".blobs[1]", "Blob", "", NULL },
            IN(holder, grown[0], "Handle", ""),
        };
        expected[3].data = &handle;
        expected[4].data = &blobs[0];
        expected[5].data = &blobs[1];
        assert_leaves(PYTREE(&holder), expected);
    }
    assert_int_equal(PYTREE_TYPE(Handle)->kind, PYTREE_KIND_LEAF);
    assert_int_equal(PYTREE_TYPE(Handle)->dtype, PYTREE_OPAQUE);
    assert_int_equal(PYTREE_TYPE(Handle)->size, sizeof(Handle));
    assert_true(PYTREE_TYPE(Handle)->equal == handle_equal);
    assert_true(PYTREE_TYPE(Handle)->print == handle_print);
    assert_null(PYTREE_TYPE(Blob)->equal);
    assert_null(PYTREE_TYPE(Blob)->print);
    stbds_arrfree(holder.grown);
}

/* A leaf type that is a pointer itself: what it points to may be unknown. */
typedef struct Texture *Texture;

#define PYTREE_LEAF_TYPE Texture
#include "pytree_registry.h"

typedef struct Textures {
    Texture one;
    const Texture fixed;
    Texture pair[2];
    size_t n;
    Texture *listed;
    Texture *maybe;
    Texture *grown;
} Textures;

#define PYTREE_STRUCT Textures
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, one) PYTREE_FIELD(DATA, fixed) PYTREE_FIELD(DATA, pair) PYTREE_FIELD(STATIC, n)                  \
    PYTREE_FIELD(DATA, listed, LIST(self->n)) PYTREE_FIELD(DATA, maybe, OPTIONAL) PYTREE_FIELD(DATA, grown, STB_ARRAY)
#include "pytree_registry.h"

static void a_leaf_type_may_be_a_pointer(void **state)
{
    Texture listed[2] = { NULL, NULL };
    Textures textures = { .n = 2, .listed = listed };
    (void)state;
    stbds_arrput(textures.grown, NULL);
    {
        Expected expected[] = {
            IN(textures, one, "Texture", ""), IN(textures, fixed, "Texture", ""), IN(textures, pair, "Texture", "[2]"),
            { ".listed[0]", "Texture", "", NULL }, { ".listed[1]", "Texture", "", NULL },
            IN(textures, grown[0], "Texture", ""),
        };
        expected[3].data = &listed[0];
        expected[4].data = &listed[1];
        assert_leaves(PYTREE(&textures), expected);
    }
    stbds_arrfree(textures.grown);
}

static void leaf_types_compare_by_their_own_function(void **state)
{
    Handle a = { 7, 'a' }, b = { 7, 'b' }, c = { 8, 'a' };
    Blob x = { { 1, 2 } }, y = { { 1, 2 } }, z = { { 1, 3 } };
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&c), NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, "", &error);
    assert_true(pytree_equal(PYTREE(&x), PYTREE(&y), NULL, NULL, NULL));
    assert_false(pytree_equal(PYTREE(&x), PYTREE(&z), NULL, NULL, NULL));
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&x), NULL, NULL, NULL));
}

/* ---- STATIC -------------------------------------------------------------------------------------------------------------- */

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
    char code[4];
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

/* ---- DROP, and structs of few rows --------------------------------------------------------------------------------------- */

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

/* ---- Trees inside trees -------------------------------------------------------------------------------------------------- */

typedef struct Carrier {
    pytree tree;
    pytree_leaf view;
    pytree_flat flat;
} Carrier;

#define PYTREE_STRUCT Carrier
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tree) PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, flat)
#include "pytree_registry.h"

static void fields_that_hold_trees(void **state)
{
    Point point = { 1.0f, 2.0f };
    Linear layer = linear_make(2, 2, 0.0f);
    MLP model = mlp_make(1, false);
    int masks[3] = { 1, 0, 1 };
    double grid[6] = { 0 };
    pytree_leaf mask_views[3];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, &error);
    Carrier carrier;
    size_t i;
    (void)state;
    assert_ok(error.status, &error);
    memset(&carrier, 0, sizeof carrier);
    memset(mask_views, 0, sizeof mask_views);
    for (i = 0; i < 3; i++) {
        mask_views[i].data = &masks[i];
        mask_views[i].type = PYTREE_TYPE(int);
    }
    carrier.tree = PYTREE(&layer);
    carrier.view.data = grid;
    carrier.view.type = PYTREE_TYPE(double);
    carrier.view.ndim = 3;
    carrier.view.shape[0] = 1;
    carrier.view.shape[1] = 2;
    carrier.view.shape[2] = 3;
    carrier.flat.def = def;
    carrier.flat.leaves = mask_views;
    {
        Expected expected[] = {
            { ".tree.w", "f32", "[2,2]", layer.w }, { ".tree.b", "f32", "[2]", layer.b }, { ".view", "f64", "[1,2,3]", NULL },
            { ".flat.layers[0].w", "i32", "", NULL }, { ".flat.layers[0].b", "i32", "", NULL },
            { ".flat.scale", "i32", "", NULL },
        };
        expected[2].data = grid;
        for (i = 0; i < 3; i++) {
            expected[3 + i].data = &masks[i];
        }
        assert_leaves(PYTREE(&carrier), expected);
    }
    carrier.tree = PYTREE_NONE;
    carrier.view.data = &point;           /* a view may be of a whole struct */
    carrier.view.type = PYTREE_TYPE(Point);
    carrier.view.ndim = 0;
    assert_def_text(PYTREE(&carrier),
                    "PyTreeDef(CustomNode(Carrier[()], [None, CustomNode(Point[()], [*, *]), "
                    "CustomNode(MLP[(1,)], [[CustomNode(Linear[(4, 3)], [*, *])], None, *])]))", NULL);
    pytree_def_free(def);
    linear_clear(&layer);
    mlp_clear(&model);
}

/* ---- Aliases and words -------------------------------------------------------------------------------------------------- */

typedef float real;
typedef Point Vec2;
typedef real *Vector;
typedef const char *Name;
typedef int Pair[2];
typedef struct Aliases {
    real number;
    Vec2 point;
    Vec2 points[2];
    Vector vector;
    Name name;
    Pair pair;
    uint8_t byte;
    int64_t wide;
    size_t count;
    ptrdiff_t difference;
    real (*grid)[2];                      /* a pointer to rows is no pointer to numbers */
} Aliases;

#define PYTREE_STRUCT Aliases
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, point) PYTREE_FIELD(DATA, points) PYTREE_FIELD(DATA, vector, ARRAY(2)) \
    PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, pair) PYTREE_FIELD(DATA, byte) PYTREE_FIELD(DATA, wide)                 \
    PYTREE_FIELD(DATA, count) PYTREE_FIELD(DATA, difference) PYTREE_FIELD(DROP, grid)
#include "pytree_registry.h"

static void aliases_need_no_registration(void **state)
{
    Aliases a;
    real vector[2] = { 0 };
    Vec2 point = { 0 };
    const char *u_size = sizeof(size_t) == 8 ? "u64" : "u32", *i_size = sizeof(size_t) == 8 ? "i64" : "i32";
    (void)state;
    memset(&a, 0, sizeof a);
    a.vector = vector;
    a.name = "n";
    {
        Expected expected[] = {
            IN(a, number, "f32", ""), IN(a, point.x, "f32", ""), IN(a, point.y, "f32", ""), IN(a, points[0].x, "f32", ""),
            IN(a, points[0].y, "f32", ""), IN(a, points[1].x, "f32", ""), IN(a, points[1].y, "f32", ""),
            { ".vector", "f32", "[2]", NULL }, IN(a, name, "str", ""), IN(a, pair, "i32", "[2]"), IN(a, byte, "u8", ""),
            IN(a, wide, "i64", ""), IN(a, count, u_size, ""), IN(a, difference, i_size, ""),
        };
        expected[7].data = vector;
        assert_leaves(PYTREE(&a), expected);
    }
    assert_def_text(PYTREE(&point), "PyTreeDef(CustomNode(Point[()], [*, *]))", NULL);
    assert_true(PYTREE_TYPE(Vec2) == PYTREE_TYPE(Point));
    assert_true(PYTREE_TYPE(real) == PYTREE_TYPE(float));
}

/* Members may have the names that the macros use inside. */
typedef struct Names {
    float self, name, row, child, at, odd, type, statics;
    int kind, arguments, store, x, n, code;
    double *n_data;
} Names;

#define PYTREE_STRUCT Names
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, self) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, row) PYTREE_FIELD(DATA, child)                 \
    PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, odd) PYTREE_FIELD(DATA, type) PYTREE_FIELD(DATA, statics)                 \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, arguments) PYTREE_FIELD(DATA, store) PYTREE_FIELD(DATA, x)            \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, code) PYTREE_FIELD(DATA, n_data, ARRAY(self->n, self->kind))
#include "pytree_registry.h"

static void members_may_have_any_name(void **state)
{
    double room[6] = { 0 };
    Names names;
    Expected expected[] = {
        IN(names, self, "f32", ""), IN(names, name, "f32", ""), IN(names, row, "f32", ""), IN(names, child, "f32", ""),
        IN(names, at, "f32", ""), IN(names, odd, "f32", ""), IN(names, type, "f32", ""), IN(names, statics, "f32", ""),
        IN(names, arguments, "i32", ""), IN(names, store, "i32", ""), IN(names, x, "i32", ""), IN(names, code, "i32", ""),
        { ".n_data", "f64", "[3,2]", NULL },
    };
    (void)state;
    memset(&names, 0, sizeof names);
    names.n = 3;
    names.kind = 2;
    names.n_data = room;
    expected[12].data = room;
    assert_leaves(PYTREE(&names), expected);
}

/* The words that this file took for itself are still its own, though every registration above used them. */
static void words_of_the_program_are_left_alone(void **state)
{
    int optional_of_the_program = 5;
    (void)state;
    assert_int_equal(DATA, 101);
    assert_int_equal(STATIC, 102);
    assert_int_equal(LIST(7, 3), 4);
    assert_int_equal(ARRAY, 104);
    assert_int_equal(OPTIONAL, 5);
    assert_int_equal(DROP(), 106);
    assert_string_equal(RANK, "rank");
    assert_int_equal(7 NONE, 7);
    assert_int_equal(STB_ARRAY, 109);
    assert_int_equal(STB_MAP(110), 110);
}

/* ---- Descriptors -------------------------------------------------------------------------------------------------------- */

static const pytree_type *const type_at_file_scope = PYTREE_TYPE(Linear);

static void descriptors(void **state)
{
    const pytree_type *type = PYTREE_TYPE(Everything);
    const pytree_field *f;
    Linear layer = { 0 };
    (void)state;
    assert_true(type_at_file_scope == PYTREE(&layer).type);
    assert_string_equal(type->name, "Everything");
    assert_int_equal(type->size, sizeof(Everything));
    assert_int_equal(type->align, _Alignof(Everything));
    assert_int_equal(type->kind, PYTREE_KIND_STRUCT);
    assert_int_equal(type->dtype, PYTREE_NO_DTYPE);
    assert_int_equal(type->n_fields, 42);
    assert_int_equal(type->n_children, 32);
    f = &type->fields[0];
    assert_string_equal(f->name, "flag");
    assert_int_equal(f->row, PYTREE_ROW_DATA);
    assert_int_equal(f->place, PYTREE_IN_PLACE);
    assert_true(f->type == PYTREE_TYPE(bool));
    assert_int_equal(f->offset, 0);
    assert_int_equal(f->size, sizeof(bool));
    f = &type->fields[24];
    assert_string_equal(f->name, "matrix");
    assert_int_equal(f->ndim, 2);
    assert_int_equal(f->offset, offsetof(Everything, matrix));
    assert_int_equal(f->size, sizeof(double[2][3]));
    assert_int_equal(f->inner, sizeof(double[3]));
    f = &type->fields[28];
    assert_string_equal(f->name, "far");
    assert_int_equal(f->place, PYTREE_POINTER);
    assert_int_equal(f->form, PYTREE_FORM_STRUCT);
    assert_int_equal(f->optional, 1);
    assert_true(f->type == PYTREE_TYPE(Point));
    f = &type->fields[29];
    assert_string_equal(f->name, "rows");
    assert_int_equal(f->row, PYTREE_ROW_STATIC);
    f = &type->fields[41];
    assert_string_equal(f->name, "scratch");
    assert_int_equal(f->row, PYTREE_ROW_DROP);
    assert_null(f->type);
}

static void built_in_descriptors(void **state)
{
    (void)state;
#define BUILT_IN(T, code, short_name)                                                                                   \
    do {                                                                                                                \
        const pytree_type *of = PYTREE_TYPE(T);                                                                         \
        assert_int_equal(of->size, sizeof(T));                                                                          \
        assert_int_equal(of->align, _Alignof(T));                                                                       \
        assert_int_equal(of->kind, PYTREE_KIND_LEAF);                                                                   \
        assert_int_equal(of->dtype, (code));                                                                            \
        assert_string_equal(pytree_dtype_name(of), (short_name));                                                       \
    } while (0)
    BUILT_IN(bool, PYTREE_BOOL8, "bool");
    BUILT_IN(signed char, PYTREE_I8, "i8");
    BUILT_IN(unsigned char, PYTREE_U8, "u8");
    BUILT_IN(short, PYTREE_I16, "i16");
    BUILT_IN(unsigned short, PYTREE_U16, "u16");
    BUILT_IN(int, PYTREE_I32, "i32");
    BUILT_IN(unsigned, PYTREE_U32, "u32");
    BUILT_IN(long long, PYTREE_I64, "i64");
    BUILT_IN(unsigned long long, PYTREE_U64, "u64");
    BUILT_IN(int8_t, PYTREE_I8, "i8");
    BUILT_IN(uint64_t, PYTREE_U64, "u64");
    BUILT_IN(float, PYTREE_F32, "f32");
    BUILT_IN(double, PYTREE_F64, "f64");
    BUILT_IN(long double, PYTREE_FLONG, "long double");
    BUILT_IN(pytree_f16, PYTREE_F16, "f16");
    BUILT_IN(pytree_bf16, PYTREE_BF16, "bf16");
    BUILT_IN(char *, PYTREE_STRING, "str");
    BUILT_IN(const char *, PYTREE_STRING, "str");
#undef BUILT_IN
    assert_string_equal(PYTREE_TYPE(unsigned long)->name, "unsigned long");
    assert_string_equal(PYTREE_TYPE(float)->name, "float");
    assert_int_equal(PYTREE_TYPE(char)->dtype, CHAR_MIN < 0 ? PYTREE_I8 : PYTREE_U8);
    assert_int_equal(PYTREE_TYPE(pytree)->kind, PYTREE_KIND_REF);
    assert_int_equal(PYTREE_TYPE(pytree_leaf)->kind, PYTREE_KIND_VIEW);
    assert_int_equal(PYTREE_TYPE(pytree_flat)->kind, PYTREE_KIND_FLAT);
    assert_true(pytree_type_equal(PYTREE_TYPE(int64_t), PYTREE_TYPE(long long)));
    assert_false(pytree_type_equal(PYTREE_TYPE(int), PYTREE_TYPE(unsigned)));
    assert_false(pytree_type_equal(PYTREE_TYPE(int), NULL));
    assert_true(pytree_type_equal(NULL, NULL));
}

/* A second registration of the same fields, as another file of the program would have it, is the same type. */
static void a_copy_of_a_descriptor_is_the_same_type(void **state)
{
    pytree_field fields[4];
    pytree_type copy = *PYTREE_TYPE(Linear);
    (void)state;
    memcpy(fields, copy.fields, sizeof fields);
    copy.fields = fields;
    assert_int_equal(copy.n_fields, COUNT_OF(fields));
    assert_true(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
    fields[2].name = "v";
    assert_false(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
    fields[2].name = "w";
    fields[2].row = PYTREE_ROW_DROP;
    assert_false(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
    fields[2].row = PYTREE_ROW_DATA;
    copy.name = "Dense";
    assert_false(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
}

/* ---- Values of built-in types -------------------------------------------------------------------------------------------- */

static void anything_registered_is_a_tree(void **state)
{
    const int number = 3;
    const char *text = "text";
    char letters[] = "letters", *other = letters;
    pytree_f16 half = { 0 };
    pytree tree = PYTREE(&half), outer = PYTREE(&tree);
    struct { Expected expected; pytree tree; } cases[6];
    size_t i;
    (void)state;
    memset(cases, 0, sizeof cases);
    cases[0].tree = PYTREE(&number);
    cases[0].expected.type = "i32";
    cases[0].expected.data = &number;
    cases[1].tree = PYTREE(&text);
    cases[1].expected.type = "str";
    cases[1].expected.data = &text;
    cases[2].tree = PYTREE(&other);
    cases[2].expected.type = "str";
    cases[2].expected.data = &other;
    cases[3].tree = tree;
    cases[3].expected.type = "f16";
    cases[3].expected.data = &half;
    cases[4].tree = outer;
    cases[4].expected = cases[3].expected;
    cases[5].tree = PYTREE(letters);      /* the first of several is a value too */
    cases[5].expected.type = CHAR_MIN < 0 ? "i8" : "u8";
    cases[5].expected.data = letters;
    for (i = 0; i < COUNT_OF(cases); i++) {
        cases[i].expected.path = cases[i].expected.shape = "";
        test_assert_leaves(cases[i].tree, 1, &cases[i].expected, __FILE__, __LINE__);
    }
}

static void values_from_literals(void **state)
{
    pytree_leaf leaves[6];
    pytree_error error = { 0 };
    size_t n;
    float numbers[6] = { 0 };
    pytree tree = PYTREE_LIST(PYTREE_INT(-1), PYTREE_FLOAT(1.5), PYTREE_STR("a"), PYTREE_BOOL(true),
                              PYTREE_ARRAY(numbers, 2, 3),
                              PYTREE_NONE, PYTREE_ARRAY(&numbers[1], 5));
    (void)state;
    assert_ok(pytree_leaves(tree, leaves, 6, &n, NULL, &error), &error);
    assert_int_equal(n, 6);
    assert_int_equal(leaves[0].type->dtype, PYTREE_I64);
    assert_int_equal(*(const int64_t *)leaves[0].data, -1);
    assert_int_equal(leaves[1].type->dtype, PYTREE_F64);
    assert_true(*(const double *)leaves[1].data == 1.5);
    assert_int_equal(leaves[2].type->dtype, PYTREE_STRING);
    assert_string_equal(*(const char *const *)leaves[2].data, "a");
    assert_int_equal(leaves[3].type->dtype, PYTREE_BOOL8);
    assert_true(*(const bool *)leaves[3].data);
    assert_int_equal(leaves[4].ndim, 2);
    assert_int_equal(leaves[4].shape[0], 2);
    assert_int_equal(leaves[4].shape[1], 3);
    assert_true(leaves[4].data == numbers);
    assert_int_equal(leaves[5].ndim, 1);
    assert_int_equal(leaves[5].shape[0], 5);
    assert_true(leaves[5].data == &numbers[1]);
}

static void counts_of_a_leaf(void **state)
{
    pytree_leaf leaf = { 0 };
    (void)state;
    leaf.type = PYTREE_TYPE(double);
    assert_int_equal(pytree_leaf_count(&leaf), 1);
    assert_int_equal(pytree_leaf_bytes(&leaf), 8);
    leaf.ndim = 3;
    leaf.shape[0] = 2;
    leaf.shape[1] = 3;
    leaf.shape[2] = 4;
    assert_int_equal(pytree_leaf_count(&leaf), 24);
    assert_int_equal(pytree_leaf_bytes(&leaf), 192);
    leaf.shape[1] = 0;
    assert_int_equal(pytree_leaf_count(&leaf), 0);
    assert_int_equal(pytree_leaf_bytes(&leaf), 0);
    leaf.shape[1] = SIZE_MAX / 4;
    assert_int_equal(pytree_leaf_count(&leaf), SIZE_MAX);
    leaf.ndim = 1;
    leaf.shape[0] = SIZE_MAX / 8 + 1;
    assert_int_equal(pytree_leaf_count(&leaf), SIZE_MAX / 8 + 1);
    assert_int_equal(pytree_leaf_bytes(&leaf), SIZE_MAX);
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
        cmocka_unit_test(stb_containers),
        cmocka_unit_test(structs_in_structs),
        cmocka_unit_test(structs_that_refer_to_themselves),
        cmocka_unit_test(structs_that_refer_to_each_other),
        cmocka_unit_test(leaf_types), cmocka_unit_test(a_leaf_type_may_be_a_pointer),
        cmocka_unit_test(leaf_types_compare_by_their_own_function),
        cmocka_unit_test(every_static_value_counts),
        cmocka_unit_test(floats_compare_by_bits),
        cmocka_unit_test(padding_does_not_count),
        cmocka_unit_test(static_values_print_as_python_would),
        cmocka_unit_test(function_pointers_print_their_address),
        cmocka_unit_test(static_arrays_of_structs_and_functions),
        cmocka_unit_test(dropped_members_are_not_seen),
        cmocka_unit_test(structs_of_few_rows),
        cmocka_unit_test(fields_that_hold_trees),
        cmocka_unit_test(aliases_need_no_registration),
        cmocka_unit_test(members_may_have_any_name),
        cmocka_unit_test(words_of_the_program_are_left_alone),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(built_in_descriptors),
        cmocka_unit_test(a_copy_of_a_descriptor_is_the_same_type),
        cmocka_unit_test(anything_registered_is_a_tree),
        cmocka_unit_test(values_from_literals),
        cmocka_unit_test(counts_of_a_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
