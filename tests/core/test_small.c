/* What PYTREE_SMALL has in place of other code: errors of a status and a path, text put together without tables, trees of
 * structs alone. */
#define TEST_OWN_BODIES                    /* which are small */
#define PYTREE_SMALL
#include "support.h"

typedef struct Meter {
    uint64_t serial;
    int64_t offset;
    uint8_t channel;
    float *samples;
} Meter;

#define PYTREE_STRUCT Meter
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, serial) PYTREE_FIELD(STATIC, offset) PYTREE_FIELD(STATIC, channel)                             \
    PYTREE_FIELD(DATA, samples, ARRAY(2))
#include "pytree_registry.h"

typedef struct Meters { size_t n; Meter *list; } Meters;

#define PYTREE_STRUCT Meters
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

/* Processors without 64-bit division divide pieces of 16 bits: each of them counts, and what is left of one for the next. */
static void numbers_are_divided_in_pieces(void **state)
{
    static const struct { uint64_t serial; int64_t offset; const char *text; } numbers[] = {
        { 0, -9, "0, -9" }, { UINT32_MAX, INT32_MIN, "4294967295, -2147483648" },
        { UINT64_C(4294967296), INT64_MAX, "4294967296, 9223372036854775807" },
        { UINT64_MAX, INT64_MIN, "18446744073709551615, -9223372036854775808" },
        { UINT64_C(10000000000000000000), INT64_C(-4294967296), "10000000000000000000, -4294967296" },
        { UINT64_C(1234567890123456789), INT64_C(281474976710656), "1234567890123456789, 281474976710656" },
    };
    float samples[2] = { 1, 2 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(numbers); i++) {
        Meter meter = { numbers[i].serial, numbers[i].offset, 7, samples };
        char text[120];
        snprintf(text, sizeof text, "PyTreeDef(CustomNode(Meter[(%s, 7)], [*]))", numbers[i].text);
        assert_def_text(PYTREE(&meter), text, NULL);
    }
}

/* The message is the status by name. */
static void errors_have_a_status_and_a_path(void **state)
{
    float samples[2] = { 1, 2 };
    Meter list[12];
    Meters meters = { 12, list };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    memset(list, 0, sizeof list);
    for (i = 0; i < 11; i++) { list[i].samples = samples; }
    assert_int_equal(pytree_num_leaves(PYTREE(&meters), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, ".list[11].samples", &error);
    assert_string_equal(error.message, pytree_status_name(PYTREE_NULL_POINTER));
    assert_int_equal(pytree_num_leaves(PYTREE(&meters), NULL, NULL), SIZE_MAX);
}

/* So have those of trees that differ: another type, another static value, another shape, another node. */
static void trees_that_differ(void **state)
{
    float samples[2] = { 1, 2 };
    Meter a = { 1, 2, 3, samples }, b = { 1, 2, 4, samples };
    Meters one = { 1, &a }, other = { 1, &b }, none = { 0, NULL };
    const pytree types[2] = { PYTREE(&one), PYTREE(&a) };
    pytree_leaf leaf = { .data = samples, .type = PYTREE_TYPE(float), .form = PYTREE_FORM_LEAF, .ndim = 1, .shape = { 3 } };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&one), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_error(pytree_copy_into(types[0], types[1], NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, pytree_status_name(PYTREE_STRUCTURE));
    memset(&error, 0, sizeof error);
    assert_error(pytree_copy_into(PYTREE(&one), PYTREE(&other), NULL, &error), PYTREE_STRUCTURE, ".list[0]", &error);
    assert_int_equal(pytree_copy_into(PYTREE(&one), PYTREE(&other), NULL, NULL), PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, 1, &leaf, PYTREE(&one), NULL, &error), PYTREE_SHAPE, ".list[0].samples", &error);
    leaf.shape[0] = 2;
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, 1, &leaf, PYTREE(&other), NULL, &error), PYTREE_STRUCTURE, ".list[0]", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, 1, &leaf, PYTREE(&none), NULL, &error), PYTREE_STRUCTURE, ".list", &error);
    pytree_def_free(def);
}

/* The first error is kept, one that was never initialised is taken for empty, and none is needed. */
static void the_first_error_is_kept(void **state)
{
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pytree_fail(NULL, PYTREE_IO, ".a", "not shown"), PYTREE_IO);
    assert_int_equal(pytree_fail(&error, PYTREE_SHAPE, ".a", "not shown"), PYTREE_SHAPE);
    assert_int_equal(pytree_fail(&error, PYTREE_TYPE, ".b", "not shown"), PYTREE_TYPE);
    assert_error(error.status, PYTREE_SHAPE, ".a", &error);
    assert_string_equal(error.message, pytree_status_name(PYTREE_SHAPE));
    memset(&error, 0x55, sizeof error);
    assert_int_equal(pytree_fail(&error, PYTREE_TYPE, NULL, "not shown"), PYTREE_TYPE);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, pytree_status_name(PYTREE_TYPE));
}

typedef struct Problems { size_t n; char paths[3][40]; } Problems;

static void note_problem(void *context, const pytree_error *problem)
{
    Problems *const problems = context;
    assert_in_range(problems->n, 0, 2);
    assert_int_equal(problem->status, PYTREE_NULL_POINTER);
    assert_string_equal(problem->message, pytree_status_name(PYTREE_NULL_POINTER));
    strcpy(problems->paths[problems->n++], problem->path);
}

/* Each problem is reported by its own path, the first one is the error. */
static void each_problem_is_reported(void **state)
{
    MLP model = mlp_make(3, true);
    float *const w = model.layers[1].w, *const b = model.layers[2].b, *const head = model.head->w;
    Problems problems = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_check(PYTREE(&model), note_problem, &problems, NULL, &error), &error);
    model.layers[1].w = model.layers[2].b = model.head->w = NULL;
    assert_error(pytree_check(PYTREE(&model), note_problem, &problems, NULL, &error), PYTREE_NULL_POINTER, ".layers[1].w",
                 &error);
    assert_int_equal(problems.n, 3);
    assert_string_equal(problems.paths[0], ".layers[1].w");
    assert_string_equal(problems.paths[1], ".layers[2].b");
    assert_string_equal(problems.paths[2], ".head.w");
    problems.n = 0;                       /* also if nobody wants the first of them */
    assert_int_equal(pytree_check(PYTREE(&model), note_problem, &problems, NULL, NULL), PYTREE_NULL_POINTER);
    assert_int_equal(problems.n, 3);
    assert_string_equal(problems.paths[2], ".head.w");
    model.layers[1].w = w;
    model.layers[2].b = b;
    model.head->w = head;
    mlp_clear(&model);
}

/* Containers and values in them are left out; a list of structs, and one that a view shows, are not. */
static void containers_are_left_out(void **state)
{
    const pytree list = PYTREE_LIST(PYTREE_INT(1)), dict = PYTREE_DICT({ "a", PYTREE_INT(1) });
    Point points[2] = { { 1, 2 }, { 3, 4 } };
    pytree_leaf view = { .data = points, .type = PYTREE_TYPE(Point), .form = PYTREE_FORM_LIST, .shape = { 2 } };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pytree_num_leaves(list, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    error = (pytree_error){ 0 };
    assert_int_equal(pytree_num_leaves(dict, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    error = (pytree_error){ 0 };
    assert_int_equal(pytree_num_leaves(PYTREE(&view), NULL, &error), 4);
    assert_ok(error.status, &error);
}

/* Paths have numbers of more than one digit, too. */
static void leaves_are_named(void **state)
{
    float samples[2] = { 1, 2 };
    Meter list[12];
    Meters meters = { 12, list };
    pytree_error error = { 0 };
    const char **paths;
    size_t n;
    (void)state;
    memset(list, 0, sizeof list);
    for (n = 0; n < 12; n++) { list[n].samples = samples; }
    paths = pytree_paths(PYTREE(&meters), NULL, &n, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(n, 12);
    assert_string_equal(paths[0], ".list[0].samples");
    assert_string_equal(paths[9], ".list[9].samples");
    assert_string_equal(paths[11], ".list[11].samples");
    pytree_paths_free(paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_divided_in_pieces),
        cmocka_unit_test(errors_have_a_status_and_a_path), cmocka_unit_test(trees_that_differ),
        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(each_problem_is_reported),
        cmocka_unit_test(containers_are_left_out),
        cmocka_unit_test(leaves_are_named)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
