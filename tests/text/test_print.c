/* Trees as text: a line per leaf. */
#include "support.h"
#include <errno.h>
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

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

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

/* ---- Lines ------------------------------------------------------------------------------------------------------------- */

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
    const pytree_leaf nothing = { "abc", &pytree_types[PYTREE__T_text], 1, PYTREE_FORM_LEAF, { 0 } };
    const pytree_leaf end = { "", &pytree_types[PYTREE__T_text], 0, PYTREE_FORM_LEAF, { 0 } };
    (void)state;
    assert_prints(PYTREE_TUPLE(PYTREE(&f[0]), PYTREE(&f[1]), PYTREE(&f[2]), PYTREE(&f[3])), NULL,
                  "[0]  f32 0.1\n[1]  f32 -0.0\n[2]  f32 1e+20\n[3]  f32 nan\n");
    assert_prints(PYTREE_TUPLE(PYTREE(&d[0]), PYTREE(&d[1]), PYTREE(&d[2]), PYTREE(&d[3])), NULL,
                  "[0]  f64 0.3333333333333333\n[1]  f64 1e-07\n[2]  f64 1e+16\n[3]  f64 inf\n");
    assert_prints(PYTREE(&l), NULL, "long double 0.5\n");
    assert_prints(PYTREE(&h), NULL, "f16 0.33325195\n");
    assert_prints(PYTREE(&b), NULL, "bf16 -inf\n");
    assert_prints(PYTREE_ARRAY(words, 2), NULL, "str[2]\n");
    assert_prints(PYTREE(&nothing), NULL, "text[0]\n");        /* no room for any character */
    assert_prints(PYTREE(&end), NULL, "text ''\n");            /* no extent: only the NUL has room */
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
    /* and is not called where there is none */
    assert_error(pytree_print(NULL, tree, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a file, got NULL");
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

/* ---- Where it goes ----------------------------------------------------------------------------------------------------- */

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

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

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

/* The C library sets errno in calls that succeed: the first write to a terminal or a device, a number too small to be
 * normal. */
static void errno_is_left_alone(void **state)
{
    static const double numbers[] = { 5e-324, 2.2250738585072011e-308, 1e-310, 1.7976931348623157e308, 1e22 };
    static const float floats[] = { 1e-45f, 1.1754942e-38f, 3.4028235e38f };
    pytree_error err = { PYTREE_OK, "", "" };
    pytree_def *def = pytree_structure(PYTREE(&numbers[0]), NULL, &err);
    char text[64];
    size_t i;
    FILE *file;
    (void)state;
    assert_non_null(def);
    errno = 77;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pytree_text(PYTREE(&numbers[i]), text, sizeof text, NULL, &err);
    }
    for (i = 0; i < sizeof floats / sizeof *floats; i++) {
        pytree_text(PYTREE(&floats[i]), text, sizeof text, NULL, &err);
    }
    assert_int_equal(errno, 77);
    file = fopen("/dev/null", "w");
    assert_non_null(file);
    errno = 77;
    assert_int_equal(pytree_print(file, PYTREE(&numbers[0]), NULL, &err), PYTREE_OK);
    assert_int_equal(errno, 77);
    fclose(file);
    file = fopen("/dev/null", "w");
    assert_non_null(file);
    errno = 77;
    assert_int_equal(pytree_def_print(file, def, &err), PYTREE_OK);
    assert_int_equal(errno, 77);
    fclose(file);
    file = fopen("/dev/null", "w");
    assert_non_null(file);
    pytree_fail(&err, PYTREE_VALUE, NULL, "expected %s", "nothing");
    errno = 77;
    pytree_error_print(file, &err);
    assert_int_equal(errno, 77);
    fclose(file);
    pytree_def_free(def);
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
        cmocka_unit_test(sweeps),
        cmocka_unit_test(errno_is_left_alone)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
