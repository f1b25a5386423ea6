/* Trees as text: a line per leaf, and all key paths. */
#include "support.h"
#include <math.h>

typedef struct Handle {
    int number;
} Handle;

static int handle_print(FILE *file, const void *value)
{
    return fprintf(file, "#%d", ((const Handle *)value)->number);
}

#define PYTREE_LEAF_TYPE Handle
#define PYTREE_PRINT handle_print
#include "pytree_registry.h"

typedef struct Token {
    unsigned char bytes[4];
} Token;

#define PYTREE_LEAF_TYPE Token
#include "pytree_registry.h"

/* ---- Helpers --------------------------------------------------------------------------------------------------------- */

/* Printed to a file. */
static void assert_printed(pytree tree, const pytree_options *opt, const char *expected)
{
    size_t length = strlen(expected);
    char *read = malloc(length + 100);
    FILE *file = tmpfile();
    pytree_error error = { 0 };
    size_t n;
    assert_non_null(read);
    assert_non_null(file);
    assert_ok(pytree_print(file, tree, opt, &error), &error);
    rewind(file);
    n = fread(read, 1, length + 99, file);
    read[n] = '\0';
    assert_string_equal(read, expected);
    fclose(file);
    free(read);
}

/* Printed to a file, and as text into a buffer of just the size. */
static void assert_prints(pytree tree, const pytree_options *opt, const char *expected)
{
    size_t length = strlen(expected);
    char *text = malloc(length + 1);
    pytree_error error = { 0 };
    assert_non_null(text);
    assert_int_equal(pytree_text(tree, NULL, 0, opt, &error), length);
    assert_int_equal(pytree_text(tree, text, length + 1, opt, &error), length);
    assert_ok(error.status, &error);
    assert_string_equal(text, expected);
    free(text);
    assert_printed(tree, opt, expected);
}

static const char *name_of_long(void)
{
    return sizeof(long) == 8 ? "i64" : "i32";
}

/* ---- Lines ------------------------------------------------------------------------------------------------------------ */

/* `note`, `far` and `bias` are what the three lines say. */
static void assert_everything(const Everything *all, const pytree_options *opt, const char *note, const char *far,
                              const char *bias)
{
    char expected[2400];
    snprintf(expected, sizeof expected,
             ".flag  bool True\n.letter  %s 65\n.i8  i8 -8\n.u8  u8 200\n.i16  i16 -1600\n.u16  u16 60000\n.i32  i32 -320000\n"
             ".u32  u32 4000000000\n.i_long  %s %ld\n.u_long  u%s %lu\n.i64  i64 -9223372036854775808\n"
             ".u64  u64 18446744073709551615\n.f32  f32 0.5\n.f64  f64 -0.25\n.f_long  long double 0.125\n.half  f16 1.0\n"
             ".brain  bf16 -2.0\n.color  %s 2\n.name  str 'owned'\n.title  str 'a title'\n%s.code  %s[8]\n.mask  bool[4]\n"
             ".vector  f32[3]\n.matrix  f64[2,3]\n.cube  i32[2,3,4]\n.at.x  f32 1.0\n.at.y  f32 2.0\n.corners[0].x  f32 3.0\n"
             ".corners[0].y  f32 5.0\n.corners[1].x  f32 4.0\n.corners[1].y  f32 6.0\n%s.weights  f64[2,3]\n%s"
             ".points[0].x  f32 20.0\n.points[0].y  f32 30.0\n.points[1].x  f32 21.0\n.points[1].y  f32 31.0\n"
             ".points[2].x  f32 22.0\n.points[2].y  f32 32.0\n",
             CHAR_MIN < 0 ? "i8" : "u8", name_of_long(), LONG_MIN, name_of_long() + 1, ULONG_MAX,
             pytree_dtype_name(PYTREE_TYPE(Color)),
             note, CHAR_MIN < 0 ? "i8" : "u8", far, bias);
    assert_prints(PYTREE(all), opt, expected);
}

static void everything(void **state)
{
    Everything all = everything_make(true);
    (void)state;
    assert_everything(&all, NULL, ".note  str 'a note'\n", ".far.x  f32 -1.0\n.far.y  f32 -2.0\n", ".bias  f32[3]\n");
    everything_clear(&all);
}

static void everything_but_the_optional(void **state)
{
    Everything all = everything_make(false);
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_everything(&all, NULL, "", "", "");
    assert_everything(&all, &none, ".note  None\n", ".far  None\n", ".bias  None\n");
    everything_clear(&all);
}

static void models(void **state)
{
    MLP model = mlp_make(2, true);
    (void)state;
    assert_prints(PYTREE(&model), NULL,
                  ".layers[0].w  f32[4,3]\n.layers[0].b  f32[3]\n.layers[1].w  f32[3,2]\n.layers[1].b  f32[2]\n"
                  ".head.w  f32[2,2]\n.head.b  f32[2]\n.scale  f32[2,3]\n");
    mlp_clear(&model);
}

static void containers(void **state)
{
    Shelf shelf = shelf_make();
    int x = 1;
    float f[6] = { 0.0f };
    pytree a = PYTREE(&x);
    pytree_options none = { .none_is_leaf = true };
    pytree point = PYTREE_NAMEDTUPLE("P", { "x", PYTREE_STR("a\n") }, { "y", PYTREE_ODICT({ "o", PYTREE_BOOL(true) }) });
    pytree tree = PYTREE_DICT({ "z", PYTREE_LIST(a, PYTREE_NONE, PYTREE_TUPLE()) }, { "it's", PYTREE_ARRAY(f, 2, 3) },
                              { "p", point });
    (void)state;
    assert_prints(PYTREE(&shelf), NULL,
                  ".heights[0]  f32 1.5\n.heights[1]  f32 3.0\n.heights[2]  f32 4.5\n.spots[0].x  f32 0.0\n"
                  ".spots[0].y  f32 0.0\n.spots[1].x  f32 1.0\n.spots[1].y  f32 10.0\n.prices['apple']  f64 0.5\n"
                  ".prices['fig']  f64 0.75\n.prices['pear']  f64 0.25\n.places['here'].x  f32 8.0\n"
                  ".places['here'].y  f32 9.0\n"
                  ".places['there'].x  f32 7.0\n.places['there'].y  f32 8.0\n");
    assert_prints(tree, NULL, "[\"it's\"]  f32[2,3]\n['p'].x  str 'a\\n'\n['p'].y['o']  bool True\n['z'][0]  i32 1\n");
    assert_prints(tree, &none,
                  "[\"it's\"]  f32[2,3]\n['p'].x  str 'a\\n'\n['p'].y['o']  bool True\n['z'][0]  i32 1\n['z'][1]  None\n");
    shelf_clear(&shelf);
}

static void roots(void **state)
{
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_prints(PYTREE_INT(-3), NULL, "i64 -3\n");
    assert_prints(PYTREE_FLOAT(0.1), NULL, "f64 0.1\n");
    assert_prints(PYTREE_BOOL(false), NULL, "bool False\n");
    assert_prints(PYTREE_STR("it's"), NULL, "str \"it's\"\n");
    assert_prints(PYTREE_STR(""), NULL, "str ''\n");
    assert_prints(PYTREE_NONE, NULL, "");
    assert_prints(PYTREE_NONE, &none, "None\n");
    assert_prints(PYTREE_LIST(), NULL, "");
}

static void scalars(void **state)
{
    float f[4] = { 0.1f, -0.0f, 1e20f, NAN };
    double d[4] = { 1.0 / 3.0, 1e-7, 1e16, HUGE_VAL };
    long double l = 0.5L;
    pytree_f16 h = { 0x3555 };
    pytree_bf16 b = { 0xFF80 };
    const char *words[2] = { "a", NULL };
    (void)state;
    assert_prints(PYTREE_TUPLE(PYTREE(&f[0]), PYTREE(&f[1]), PYTREE(&f[2]), PYTREE(&f[3])), NULL,
                  "[0]  f32 0.1\n[1]  f32 -0.0\n[2]  f32 1e+20\n[3]  f32 nan\n");
    assert_prints(PYTREE_TUPLE(PYTREE(&d[0]), PYTREE(&d[1]), PYTREE(&d[2]), PYTREE(&d[3])), NULL,
                  "[0]  f64 0.3333333333333333\n[1]  f64 1e-07\n[2]  f64 1e+16\n[3]  f64 inf\n");
    assert_prints(PYTREE(&l), NULL, "long double 0.5\n");
    assert_prints(PYTREE(&h), NULL, "f16 0.33325195\n");
    assert_prints(PYTREE(&b), NULL, "bf16 -inf\n");
    assert_prints(PYTREE_ARRAY(words, 2), NULL, "str[2]\n");
    assert_prints(PYTREE_ARRAY(f, 0), NULL, "f32[0]\n");
    assert_prints(PYTREE_ARRAY(f, 1, 1, 2, 1, 1, 1, 1, 2), NULL, "f32[1,1,2,1,1,1,1,2]\n");
}

static void opaque_leaves(void **state)
{
    Handle handles[2] = { { 7 }, { -8 } };
    Token token = { { 0 } };
    pytree tree = PYTREE_LIST(PYTREE(&handles[1]), PYTREE_ARRAY(handles, 2), PYTREE(&token));
    char text[100];
    size_t n;
    pytree_error error = { 0 };
    (void)state;
    assert_printed(tree, NULL, "[0]  Handle #-8\n[1]  Handle[2]\n[2]  Token <Token>\n");
    /* the type's own print writes to files alone */
    n = pytree_text(tree, text, sizeof text, NULL, &error);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, "[0]  Handle <Handle>\n[1]  Handle[2]\n[2]  Token <Token>\n");
}

static bool stops_at_depth(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)value;
    return path->n == *(const size_t *)context;
}

static void predicates(void **state)
{
    MLP model = mlp_make(1, false);
    Shelf shelf = shelf_make();
    Everything all = everything_make(true);
    size_t depth = 1;
    int x = 1;
    pytree_options opt = { .is_leaf = stops_at_depth, .is_leaf_context = &depth };
    (void)state;
    assert_prints(PYTREE(&model), &opt, ".layers  <list>\n.head  None\n.scale  f32[2,3]\n");
    assert_prints(PYTREE(&shelf), &opt, ".heights  <list>\n.spots  <list>\n.prices  <dict>\n.places  <dict>\n");
    assert_prints(PYTREE_TUPLE(PYTREE(&model), PYTREE(&x), PYTREE_TUPLE(), PYTREE_DICT({ "a", PYTREE(&x) }),
                               PYTREE_NAMEDTUPLE("P", { "x", PYTREE(&x) })), &opt,
                  "[0]  <MLP>\n[1]  i32 1\n[2]  <tuple>\n[3]  <dict>\n[4]  <P>\n");
    depth = 0;
    assert_prints(PYTREE(&model), &opt, "<MLP>\n");
    depth = 2;
    assert_prints(PYTREE(&model), &opt, ".layers[0]  <Linear>\n.scale  f32[2,3]\n");
    mlp_clear(&model);
    shelf_clear(&shelf);
    everything_clear(&all);
}

/* ---- Where it goes ------------------------------------------------------------------------------------------------------- */

static void text_into_every_size(void **state)
{
    MLP model = mlp_make(2, true);
    const char *s = "it's";
    Shelf shelf = shelf_make();
    pytree trees[3];
    size_t i, n;
    (void)state;
    trees[0] = PYTREE(&model);
    trees[1] = PYTREE_LIST(PYTREE(&s), PYTREE(&shelf));
    trees[2] = PYTREE_LIST();
    for (i = 0; i < 3; i++) {
        pytree_error error = { 0 };
        size_t length = pytree_text(trees[i], NULL, 0, NULL, &error);
        char *whole = malloc(length + 1);
        assert_non_null(whole);
        assert_int_equal(pytree_text(trees[i], whole, length + 1, NULL, &error), length);
        assert_int_equal(strlen(whole), length);
        for (n = 0; n <= length + 2; n++) {
            char *text = malloc(n + 1);
            size_t kept = n == 0 ? 0 : n - 1 < length ? n - 1 : length;
            assert_non_null(text);
            memset(text, 'Z', n + 1);
            assert_int_equal(pytree_text(trees[i], text, n, NULL, &error), length);
            if (n != 0) {
                assert_memory_equal(text, whole, kept);
                assert_int_equal(text[kept], '\0');
            }
            assert_int_equal(text[n], 'Z');
            free(text);
        }
        assert_ok(error.status, &error);
        free(whole);
    }
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static void nothing_is_printed_of_unsound_trees(void **state)
{
    MLP model = mlp_make(2, true);
    float *b = model.head->b;
    Node ring = { 1.0, NULL };
    FILE *file = tmpfile();
    char text[20] = "untouched";
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(file);
    model.head->b = NULL;
    assert_error(pytree_print(file, PYTREE(&model), NULL, &error), PYTREE_NULL_POINTER, ".head.b", &error);
    assert_int_equal(pytree_print(file, PYTREE(&model), NULL, NULL), PYTREE_NULL_POINTER);
    assert_int_equal(pytree_print(file, PYTREE(&model), NULL, &error), PYTREE_NULL_POINTER);
    assert_true(pytree_text(PYTREE(&model), text, sizeof text, NULL, NULL) == SIZE_MAX);
    assert_string_equal(text, "");
    memset(&error, 0, sizeof error);
    assert_true(pytree_text(PYTREE(&model), NULL, 0, NULL, &error) == SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, ".head.b", &error);
    ring.next = &ring;
    memset(&error, 0, sizeof error);
    assert_error(pytree_print(file, PYTREE(&ring), NULL, &error), PYTREE_CYCLE, NULL, &error);
    memset(&error, 0, sizeof error);      /* an error from before stays, and is not what is returned */
    pytree_fail(&error, PYTREE_VALUE, "before", "expected this, got that");
    assert_int_equal(pytree_print(file, PYTREE(&ring), NULL, &error), PYTREE_CYCLE);
    assert_int_equal(error.status, PYTREE_VALUE);
    assert_int_equal(ftell(file), 0);
    model.head->b = b;
    fclose(file);
    mlp_clear(&model);
}

static void files_that_are_full(void **state)
{
    Shelf shelf = shelf_make();
    Node *chain = chain_make(800);        /* more than a buffer holds */
    FILE *file = fopen("/dev/full", "w");
    pytree_error error = { 0 };
    (void)state;
    if (file != NULL) {
        setvbuf(file, NULL, _IONBF, 0);
        assert_error(pytree_print(file, PYTREE(&shelf), NULL, &error), PYTREE_IO, "", &error);
        assert_int_equal(pytree_print(file, PYTREE(&shelf), NULL, NULL), PYTREE_IO);
        fclose(file);
    }
    file = fopen("/dev/full", "w");
    if (file != NULL) {
        memset(&error, 0, sizeof error);
        assert_error(pytree_print(file, PYTREE(chain), NULL, &error), PYTREE_IO, "", &error);
        fclose(file);
    }
    free(chain);
    shelf_clear(&shelf);
}

/* ---- Key paths ---------------------------------------------------------------------------------------------------------- */

/* One after the other, each with a newline. */
static void assert_paths(pytree tree, const char *separator, const pytree_options *base, const char *expected)
{
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    char text[2000] = "";
    const char **paths;
    size_t n = 99, i;
    if (base != NULL) {
        opt = *base;
    }
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    paths = pytree_paths(tree, separator, &n, &opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(paths);
    assert_int_equal(heap.calls, 1);
    assert_int_equal(n, pytree_num_leaves(tree, &opt, NULL));
    for (i = 0; i < n; i++) {
        assert_true(strlen(text) + strlen(paths[i]) + 2 < sizeof text);
        strcat(text, paths[i]);
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
    pytree_paths_free(paths);
    assert_heap_clean(&heap);
    paths = pytree_paths(tree, separator, NULL, base, NULL);
    assert_non_null(paths);
    pytree_paths_free(paths);
}

static void paths(void **state)
{
    MLP model = mlp_make(2, true);
    Shelf shelf = shelf_make();
    int x = 1;
    pytree a = PYTREE(&x);
    pytree tree = PYTREE_DICT({ "a/b", PYTREE_LIST(a, PYTREE_TUPLE(a)) }, { "", a },
                              { "it's", PYTREE_NAMEDTUPLE("P", { "x", a }) }, { "n", PYTREE_NONE });
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_paths(PYTREE(&model), NULL, NULL,
                 ".layers[0].w\n.layers[0].b\n.layers[1].w\n.layers[1].b\n.head.w\n.head.b\n.scale\n");
    assert_paths(PYTREE(&model), "/", NULL, "layers/0/w\nlayers/0/b\nlayers/1/w\nlayers/1/b\nhead/w\nhead/b\nscale\n");
    assert_paths(PYTREE(&model), "::", NULL,
                 "layers::0::w\nlayers::0::b\nlayers::1::w\nlayers::1::b\nhead::w\nhead::b\nscale\n");
    assert_paths(PYTREE(&model), "", NULL, "layers0w\nlayers0b\nlayers1w\nlayers1b\nheadw\nheadb\nscale\n");
    assert_paths(PYTREE(&shelf), ".", NULL, "heights.0\nheights.1\nheights.2\nspots.0.x\nspots.0.y\nspots.1.x\nspots.1.y\n"
                 "prices.apple\nprices.fig\nprices.pear\nplaces.here.x\nplaces.here.y\nplaces.there.x\nplaces.there.y\n");
    assert_paths(tree, NULL, NULL, "['']\n['a/b'][0]\n['a/b'][1][0]\n[\"it's\"].x\n");
    assert_paths(tree, NULL, &none, "['']\n['a/b'][0]\n['a/b'][1][0]\n[\"it's\"].x\n['n']\n");
    assert_paths(tree, "/", NULL, "\na/b/0\na/b/1/0\nit's/x\n");
    assert_paths(a, NULL, NULL, "\n");
    assert_paths(a, "/", NULL, "\n");
    assert_paths(PYTREE_NONE, NULL, NULL, "");
    assert_paths(PYTREE_LIST(), "/", NULL, "");
    pytree_paths_free(NULL);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static void deep_paths(void **state)
{
    Node *chain = chain_make(300);
    pytree_error error = { 0 };
    size_t n, i;
    const char **all = pytree_paths(PYTREE(chain), NULL, &n, NULL, &error),
        **simple = pytree_paths(PYTREE(chain), "/", NULL, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(n, 300);
    for (i = 0; i < n; i++) {
        assert_int_equal(strlen(all[i]), 5 * i + strlen(".value"));
        assert_string_equal(all[i] + 5 * i, ".value");
        assert_int_equal(strncmp(all[i], all[n - 1], 5 * i), 0);
        assert_int_equal(strlen(simple[i]), 5 * i + strlen("value"));
        assert_string_equal(simple[i] + 5 * i, "value");
    }
    pytree_paths_free(all);
    pytree_paths_free(simple);
    free(chain);
}

typedef struct Record {                   /* many fields, and names of all lengths */
    float a, bb, ccc, dddd, eeeee, ffffff, ggggggg, hhhhhhhh, iiiiiiiii, jjjjjjjjjj, kkkkkkkkkkk, llllllllllll, mmmmmmmmmmmmm;
    float nnnnnnnnnnnnnn, ooooooooooooooo, pppppppppppppppp, qqqqqqqqqqqqqqqqq, rrrrrrrrrrrrrrrrrrrrrrrr;
    float sssssssssssssssssssssssss;
    float tttttttttttttttttttttttttttttttt, uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu, v, w, x, y, z;
} Record;

#define PYTREE_STRUCT Record
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, bb) PYTREE_FIELD(DATA, ccc) PYTREE_FIELD(DATA, dddd) PYTREE_FIELD(DATA, eeeee) \
    PYTREE_FIELD(DATA, ffffff) PYTREE_FIELD(DATA, ggggggg) PYTREE_FIELD(DATA, hhhhhhhh) PYTREE_FIELD(DATA, iiiiiiiii)   \
    PYTREE_FIELD(DATA, jjjjjjjjjj) PYTREE_FIELD(DATA, kkkkkkkkkkk) PYTREE_FIELD(DATA, llllllllllll)                     \
    PYTREE_FIELD(DATA, mmmmmmmmmmmmm) PYTREE_FIELD(DATA, nnnnnnnnnnnnnn) PYTREE_FIELD(DATA, ooooooooooooooo)            \
    PYTREE_FIELD(DATA, pppppppppppppppp) PYTREE_FIELD(DATA, qqqqqqqqqqqqqqqqq)                                          \
    PYTREE_FIELD(DATA, rrrrrrrrrrrrrrrrrrrrrrrr) PYTREE_FIELD(DATA, sssssssssssssssssssssssss)                          \
    PYTREE_FIELD(DATA, tttttttttttttttttttttttttttttttt) PYTREE_FIELD(DATA, uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu)          \
    PYTREE_FIELD(DATA, v) PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z)
#include "pytree_registry.h"

typedef struct Long {
    struct Long *a_field_whose_name_alone_fills_a_good_part_of_a_line;
    float *optional_numbers;
    float another_field_with_a_name_of_more_than_thirty_two_letters;
} Long;

#define PYTREE_STRUCT Long
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a_field_whose_name_alone_fills_a_good_part_of_a_line, OPTIONAL)                                  \
    PYTREE_FIELD(DATA, optional_numbers, OPTIONAL, ARRAY(3))                                                            \
    PYTREE_FIELD(DATA, another_field_with_a_name_of_more_than_thirty_two_letters)
#include "pytree_registry.h"

typedef struct Empty {                     /* no children */
    int number;
} Empty;

#define PYTREE_STRUCT Empty
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, number)
#include "pytree_registry.h"

typedef struct Pair {
    float *first;                         /* NULL: none */
    float second;
} Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first, OPTIONAL, ARRAY(3)) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

typedef struct Two {                      /* a struct with structs in it */
    Pair left;
    Empty nothing;
    Pair right;
} Two;

#define PYTREE_STRUCT Two
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, nothing) PYTREE_FIELD(DATA, right)
#include "pytree_registry.h"

typedef struct Pointing {                 /* its first child is a pointer to a struct */
    Two *two;
    float number;
} Pointing;

#define PYTREE_STRUCT Pointing
#define PYTREE_FIELDS PYTREE_FIELD(DATA, two, OPTIONAL) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

typedef struct Pointers {                 /* the first child of its first child is one */
    Pointing pointing;
    Pair *pair;
    Two two;
    Pair *other;
    float last;
} Pointers;

#define PYTREE_STRUCT Pointers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, pointing)                                                                                        \
    PYTREE_FIELD(DATA, pair, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, two)                                                                                             \
    PYTREE_FIELD(DATA, other, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

typedef struct ToEmpty {
    Empty here;
    Empty *there;                         /* behind a struct of the same type, which has no paths */
    float number;
} ToEmpty;

#define PYTREE_STRUCT ToEmpty
#define PYTREE_FIELDS PYTREE_FIELD(DATA, here) PYTREE_FIELD(DATA, there, OPTIONAL) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

typedef struct Five {                     /* many pointers */
    Pair *a, *b, *c, *d, *e;
    Pair here;
} Five;

#define PYTREE_STRUCT Five
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, b, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, c, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, d, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, e, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, here)
#include "pytree_registry.h"

typedef struct Mixed {                    /* children of every sort */
    Two two;
    Five *five;
    int n;
    Pointers *list;
    Pointing pointing;
    pytree any;
    Record record;
    float last;
} Mixed;

#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, two)                                                                                             \
    PYTREE_FIELD(DATA, five, OPTIONAL)                                                                                  \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, list, LIST(self->n))                                                                             \
    PYTREE_FIELD(DATA, pointing)                                                                                        \
    PYTREE_FIELD(DATA, any)                                                                                             \
    PYTREE_FIELD(DATA, record)                                                                                          \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

typedef struct Rows {
    int n;
    float *numbers;
} Rows;

#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, numbers, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Needy {
    Rows rows;
    float *more;
} Needy;

#define PYTREE_STRUCT Needy
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rows) PYTREE_FIELD(DATA, more, ARRAY(0))
#include "pytree_registry.h"

typedef struct Hold {
    float number;
    Rows rows;
    Needy *needy;                         /* required */
} Hold;

#define PYTREE_STRUCT Hold
#define PYTREE_FIELDS PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, rows) PYTREE_FIELD(DATA, needy)
#include "pytree_registry.h"

/* Structs in structs, one in the other, deeper than a program writes them. */
#define NEST(outer, inner)                                                                                              \
    typedef struct outer {                                                                                              \
        float before;                                                                                                   \
        inner in;                                                                                                       \
        float behind;                                                                                                   \
    } outer;
#define NEST_FIELDS PYTREE_FIELD(DATA, before) PYTREE_FIELD(DATA, in) PYTREE_FIELD(DATA, behind)
NEST(Nest1, Pair)
#define PYTREE_STRUCT Nest1
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest2, Nest1)
#define PYTREE_STRUCT Nest2
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest3, Nest2)
#define PYTREE_STRUCT Nest3
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest4, Nest3)
#define PYTREE_STRUCT Nest4
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest5, Nest4)
#define PYTREE_STRUCT Nest5
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest6, Nest5)
#define PYTREE_STRUCT Nest6
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest7, Nest6)
#define PYTREE_STRUCT Nest7
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest8, Nest7)
#define PYTREE_STRUCT Nest8
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest9, Nest8)
#define PYTREE_STRUCT Nest9
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest10, Nest9)
#define PYTREE_STRUCT Nest10
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"

/* Each path is what an iterator says of its leaf; with a separator, the entries' bare words with it between. */
static void assert_paths_agree(pytree tree, const char *separator, const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n, simple_n, i, k;
    const char **all = pytree_paths(tree, NULL, &n, opt, &error);
    const char **simple = pytree_paths(tree, separator, &simple_n, opt, &error);
    pytree_iter it;
    assert_ok(error.status, &error);
    assert_int_equal(n, simple_n);
    assert_ok(pytree_iter_begin(&it, 1, &tree, opt, &error), &error);
    for (i = 0; pytree_iter_next(&it); i++) {
        size_t length = pytree_iter_path_text(&it, NULL, 0), depth = pytree_iter_path(&it, NULL, 0);
        char *text = malloc(length + 1), *joined = malloc(length + depth * (strlen(separator) + 20) + 1), *at = joined;
        pytree_entry *entries = malloc((depth + 1) * sizeof *entries);
        assert_non_null(text);
        assert_non_null(joined);
        assert_non_null(entries);
        pytree_iter_path_text(&it, text, length + 1);
        assert_string_equal(all[i], text);
        assert_int_equal(pytree_iter_path(&it, entries, depth), depth);
        *at = '\0';
        for (k = 0; k < depth; k++) {
            const char *between = k == 0 ? "" : separator;
            at += entries[k].kind == PYTREE_INDEX ? sprintf(at, "%s%u", between, (unsigned)entries[k].index)
                                                  : sprintf(at, "%s%s", between, entries[k].name);
        }
        assert_string_equal(simple[i], joined);
        free(text);
        free(joined);
        free(entries);
    }
    assert_int_equal(i, n);
    assert_int_equal(it.status, PYTREE_OK);
    pytree_iter_end(&it);
    pytree_paths_free(all);
    pytree_paths_free(simple);
}

static void paths_agree_with_iterators(void **state)
{
    static const char *const separators[] = { "/", "", ".", "::", " then a long separator that goes on and on, " };
    enum { LINKS = 30 };
    MLP model = mlp_make(3, true), bare = mlp_make(1, false);
    Everything all = everything_make(true), less = everything_make(false);
    Shelf shelf = shelf_make();
    Node *chain = chain_make(230);
    Record record;
    Long links[LINKS];
    float three[3] = { 0.0f };
    char key[700];
    pytree inner, trees[9];
    pytree_options none = { .none_is_leaf = true };
    size_t i, k;
    (void)state;
    memset(&record, 0, sizeof record);
    memset(links, 0, sizeof links);
    for (i = 0; i < LINKS; i++) {
        links[i].a_field_whose_name_alone_fills_a_good_part_of_a_line = i + 1 < LINKS ? &links[i + 1] : NULL;
        links[i].optional_numbers = i % 3 == 0 ? three : NULL;
    }
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    inner = PYTREE_LIST(PYTREE(&record), PYTREE(&links[LINKS - 2]), PYTREE(&model), PYTREE_TUPLE(PYTREE(&record.a)));
    trees[0] = PYTREE_LIST(PYTREE(&model), PYTREE(&bare));
    trees[1] = PYTREE_TUPLE(PYTREE(&all), PYTREE(&less));
    trees[2] = PYTREE_NAMEDTUPLE("P", { "first", PYTREE(&shelf) }, { "second", PYTREE(&record) });
    trees[3] = PYTREE(chain);
    trees[4] = PYTREE(&record);
    trees[5] = PYTREE(&links[0]);
    trees[6] = PYTREE_DICT({ key, inner }, { "", PYTREE(&model) }, { "it's", trees[5] }, { "o", PYTREE_ODICT({ key, inner }) });
    trees[7] = PYTREE_NONE;
    trees[8] = inner;
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(separators); k++) {
            assert_paths_agree(trees[i], separators[k], NULL);
            assert_paths_agree(trees[i], separators[k], &none);
        }
    }
    mlp_clear(&model);
    mlp_clear(&bare);
    everything_clear(&all);
    everything_clear(&less);
    shelf_clear(&shelf);
    free(chain);
}

static void paths_of_structs_in_structs(void **state)
{
    static const char *const separators[] = { "/", "", " then a long separator that goes on and on, " };
    static const pytree_options none = { .none_is_leaf = true };
    static float three[3];
    Pair pairs[6];
    Two twos[3];
    Five five;
    Pointers list[8];
    ToEmpty to_empty[2];
    Empty empty = { 0 };
    Nest10 nest;
    Mixed mixed[2];
    char key[560];
    pytree trees[8];
    size_t i, k, at;
    (void)state;
    memset(pairs, 0, sizeof pairs);
    memset(twos, 0, sizeof twos);
    memset(&five, 0, sizeof five);
    memset(list, 0, sizeof list);
    memset(to_empty, 0, sizeof to_empty);
    memset(&nest, 0, sizeof nest);
    memset(mixed, 0, sizeof mixed);
    for (i = 0; i < COUNT_OF(pairs); i++) { pairs[i].first = i % 2 == 0 ? three : NULL; }
    twos[1].left.first = twos[2].right.first = three;
    five.b = &pairs[1];
    five.d = &pairs[2];
    for (i = 0; i < COUNT_OF(list); i++) {                     /* all that may be NULL, in all ways */
        list[i].pointing.two = (i & 1) != 0 ? &twos[i % 3] : NULL;
        list[i].pair = (i & 2) != 0 ? &pairs[i % 6] : NULL;
        list[i].other = (i & 4) != 0 ? &pairs[(i + 1) % 6] : NULL;
    }
    to_empty[1].there = &empty;
    mixed[0].five = &five;
    mixed[0].n = COUNT_OF(list);
    mixed[0].list = list;
    mixed[0].any = PYTREE_LIST(PYTREE(&pairs[0]), PYTREE(&twos[2]));
    mixed[1].any = PYTREE(&list[7]);
    mixed[1].pointing.two = &twos[1];
    trees[0] = PYTREE(&mixed[0]);
    trees[1] = PYTREE(&mixed[1]);
    trees[2] = PYTREE_LIST(trees[0], trees[1], PYTREE(&nest), PYTREE(&to_empty[0]), PYTREE(&to_empty[1]), PYTREE(&empty));
    trees[3] = PYTREE(&nest);
    trees[4] = PYTREE(&list[3]);
    trees[5] = PYTREE_DICT({ "", trees[4] }, { "a", PYTREE(&five) }, { "b", PYTREE(&to_empty[0]) });
    trees[6] = PYTREE(&to_empty[0]);
    trees[7] = PYTREE(&to_empty[1]);
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(separators); k++) {
            assert_paths_agree(trees[i], separators[k], NULL);
            assert_paths_agree(trees[i], separators[k], &none);
        }
    }
    for (at = 1; at < sizeof key; at++) {    /* behind a path of any length */
        memset(key, 'k', at);
        key[at] = '\0';
        assert_paths_agree(PYTREE_DICT({ key, trees[4] }, { "l", trees[5] }), "/", at % 2 == 0 ? &none : NULL);
    }
}

static void paths_of_unsound_trees(void **state)
{
    MLP model = mlp_make(1, true);
    float *b = model.head->b;
    size_t n = 99;
    pytree_error error = { 0 };
    (void)state;
    model.head->b = NULL;
    assert_null(pytree_paths(PYTREE(&model), NULL, &n, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, ".head.b", &error);
    assert_int_equal(n, 0);
    assert_null(pytree_paths(PYTREE(&model), NULL, NULL, NULL, NULL));
    model.head->b = b;
    mlp_clear(&model);
    {
        Needy needy[2] = { { { 3, NULL }, NULL }, { { 0, NULL }, NULL } };
        Hold hold = { 1.0f, { 0, NULL }, &needy[1] };
        error = (pytree_error){ 0 };
        assert_null(pytree_paths(PYTREE_LIST(PYTREE(&hold), PYTREE(&needy[1]), PYTREE(&needy[0])), NULL, &n, NULL, &error));
        assert_error(error.status, PYTREE_NULL_POINTER, "[2].rows.numbers", &error);
        needy[1].rows.n = 4;              /* in a struct that is pointed to */
        error = (pytree_error){ 0 };
        assert_null(pytree_paths(PYTREE(&hold), NULL, &n, NULL, &error));
        assert_error(error.status, PYTREE_NULL_POINTER, ".needy.rows.numbers", &error);
        hold.needy = NULL;                /* required */
        error = (pytree_error){ 0 };
        assert_null(pytree_paths(PYTREE(&hold), "/", &n, NULL, &error));
        assert_error(error.status, PYTREE_NULL_POINTER, ".needy", &error);
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

static pytree_status sweep_paths(void *context, const pytree_options *opt, pytree_error *err)
{
    size_t n = 99;
    const char **all = pytree_paths(*(const pytree *)context, NULL, &n, opt, err);
    assert_true((all == NULL) == (err->status != PYTREE_OK));
    if (all == NULL) {
        assert_int_equal(n, 0);
    }
    pytree_paths_free(all);
    return err->status;
}

static pytree_status sweep_text(void *context, const pytree_options *opt, pytree_error *err)
{
    char text[16];
    size_t n = pytree_text(*(const pytree *)context, text, sizeof text, opt, err);
    assert_true((n == SIZE_MAX) == (err->status != PYTREE_OK));
    assert_string_equal(text, err->status == PYTREE_OK ? ".value  f64 0.0" : "");
    return err->status;
}

static pytree_status sweep_print(void *context, const pytree_options *opt, pytree_error *err)
{
    FILE *file = tmpfile();
    pytree_status status;
    assert_non_null(file);
    status = pytree_print(file, *(const pytree *)context, opt, err);
    fclose(file);
    return status;
}

static void sweeps(void **state)
{
    Node *chain = chain_make(200);
    MLP model = mlp_make(2, true);
    pytree deep = PYTREE(chain), shallow = PYTREE(&model);
    (void)state;
    assert_int_equal(sweep_allocations(sweep_paths, &shallow), 1);
    assert_in_range(sweep_allocations(sweep_paths, &deep), 3, 40);
    assert_in_range(sweep_allocations(sweep_text, &deep), 1, 40);
    assert_int_equal(sweep_allocations(sweep_print, &shallow), 0);
    assert_in_range(sweep_allocations(sweep_print, &deep), 1, 40);
    free(chain);
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(everything_but_the_optional),
        cmocka_unit_test(models),
        cmocka_unit_test(containers),
        cmocka_unit_test(roots),
        cmocka_unit_test(scalars),
        cmocka_unit_test(opaque_leaves),
        cmocka_unit_test(predicates),
        cmocka_unit_test(text_into_every_size),
        cmocka_unit_test(nothing_is_printed_of_unsound_trees),
        cmocka_unit_test(files_that_are_full),
        cmocka_unit_test(paths),
        cmocka_unit_test(deep_paths),
        cmocka_unit_test(paths_agree_with_iterators),
        cmocka_unit_test(paths_of_structs_in_structs),
        cmocka_unit_test(paths_of_unsound_trees),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
