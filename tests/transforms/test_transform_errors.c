/* Transforms refuse what does not fit, with place and words, before anything is called. */
#include "transforms_shared.h"

static float a[2][2], b[3], y[12];

static pytree_status never(void *context, const pytree_call *at)
{
    (void)context;
    (void)at;
    fail_msg("a function was called");
    return PYTREE_OK;
}

/* A function that gives what a tree says. */
static pytree_status like_context(void *context, const pytree_call *at)
{
    return pytree_result_like(at, *(const pytree *)context);
}

static pytree_fn gives(const char *name, const pytree *tree)
{
    return (pytree_fn){ .name = name, .call = never, .shape = like_context, .context = (void *)(uintptr_t)tree };
}

#define VMAP_REFUSES(n, args, wanted, path, text, ...)                                                                  \
    do {                                                                                                                \
        pytree_flat none;                                                                                               \
        error.status = PYTREE_OK;                                                                                       \
        none = pytree_apply_new(PYTREE_VMAP(__VA_ARGS__), n, args, NULL, &error);                                       \
        assert_null(none.def);                                                                                          \
        REFUSES_NOW(wanted, path, text);                                                                                \
    } while (0)
#define REFUSES_NOW(wanted, path, text)                                                                                 \
    do {                                                                                                                \
        assert_error(error.status, wanted, path, &error);                                                               \
        assert_string_equal(error.message, text);                                                                       \
    } while (0)

static void axes_of_arguments(void **state)
{
    const pytree all = PYTREE_NONE;
    const pytree_fn f = gives("f", &all);
    pytree_error error = { 0 };
    pytree pair[2] = { PYTREE_ARRAY(a[0], 2, 2), PYTREE_DICT({ "k1", PYTREE_ARRAY(b, 2) }, { "k10", PYTREE_TUPLE(PYTREE_ARRAY(b,
            2),
                                                                                                         PYTREE_ARRAY(b,
                                                                                                                 3)) }) };
    (void)state;
    VMAP_REFUSES(2, pair, PYTREE_STRUCTURE, "[1]['k10']",
                 "vmap of f: in_axes: different lengths: expected tuple of length 1, got tuple of length 2", &f,
                 .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_DICT({ "k1", PYTREE_INT(0) }, { "k10",
                                                                                              PYTREE_TUPLE(PYTREE_INT(0)) })));
    VMAP_REFUSES(2, pair, PYTREE_STRUCTURE, "",
                 "vmap of f: in_axes: different lengths: expected tuple of length 1, got tuple of length 2", &f,
                 .in_axes = PYTREE_LIST(PYTREE_INT(0)));
    VMAP_REFUSES(1, pair, PYTREE_TYPE, "[0]", "vmap of f: in_axes: expected an integer or None, got '0'", &f,
                 .in_axes = PYTREE_TUPLE(PYTREE_STR("0")));
    VMAP_REFUSES(1, pair, PYTREE_SHAPE, "[0]", "vmap of f: expected at least 3 dimensions for axis 2, got f32[2,2]", &f,
                 .in_axes = PYTREE_INT(2));
    VMAP_REFUSES(1, pair, PYTREE_SHAPE, "[0]", "vmap of f: expected at least 3 dimensions for axis -3, got f32[2,2]", &f,
                 .in_axes = PYTREE_INT(-3));
    VMAP_REFUSES(2, pair, PYTREE_SHAPE, "[1]['k10'][1]",
                 "vmap of f: expected size 2 along axis 0, as 3 others have, got 3 (f32[3])", &f, .in_axes = PYTREE_INT(0));
    VMAP_REFUSES(1, pair, PYTREE_SHAPE, "[0]", "vmap of f: expected size 5 along axis 1, got 2 (f32[2,2])", &f,
                 .in_axes = PYTREE_INT(1), .axis_size = 5);
    VMAP_REFUSES(2, pair, PYTREE_ARGUMENT, "", "vmap of f: expected a mapped axis or axis_size, got None for all 4 leaves", &f,
                 .in_axes = PYTREE_NONE);
    VMAP_REFUSES(1, pair, PYTREE_ARGUMENT, "", "vmap: expected a function, got NULL", NULL);
}

static void axes_of_results(void **state)
{
    const pytree one = PYTREE_SHAPED(float), two = PYTREE_TUPLE(PYTREE_SHAPED(float), PYTREE_SHAPED(float, 3));
    const pytree full = PYTREE_SHAPED(float, 1, 1, 1, 1, 1, 1, 1, 1);
    const pytree_fn scalar = gives("scalar", &one), pair = gives("pair", &two), deep = gives("deep", &full);
    const pytree_fn untold = { .name = "untold", .call = never };
    pytree_fn ruled = gives("ruled", &one);                    /* its batch rule gives something else */
    pytree_error error = { 0 };
    pytree args[1] = { PYTREE_ARRAY(a[0], 2, 2) };
    ruled.batch = &pair;
    (void)state;
    VMAP_REFUSES(1, args, PYTREE_STRUCTURE, "",
            "vmap of scalar: out_axes: different types: expected tuple of length 1, got leaf",
                 &scalar, .out_axes = PYTREE_TUPLE(PYTREE_INT(0)));
    VMAP_REFUSES(1, args, PYTREE_SHAPE, "", "vmap of scalar: out_axes: expected an axis from -1 to 0, got 1", &scalar,
                 .out_axes = PYTREE_INT(1));
    VMAP_REFUSES(1, args, PYTREE_SHAPE, "[1]", "vmap of pair: out_axes: expected an axis from -2 to 1, got -3", &pair,
                 .out_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_INT(-3)));
#if PYTREE_MAX_DIMS == 8
    VMAP_REFUSES(1, args, PYTREE_SHAPE, "", "vmap of deep: expected at most 8 dimensions (PYTREE_MAX_DIMS), got 9", &deep);
#else
    (void)deep;
#endif
    VMAP_REFUSES(1, args, PYTREE_STRUCTURE, "", "pair: result: expected tuple of length 2, got f32[2]", &ruled);
    VMAP_REFUSES(1, args, PYTREE_ARGUMENT, "",
                 "vmap of untold: expected a function that says what it gives (shape), got untold", &untold);
    REFUSES(pytree_apply(PYTREE_VMAP(&untold), 1, args, PYTREE_ARRAY(y, 3), NULL, &error), PYTREE_SHAPE, "",
            "vmap of untold: result: expected size 2 along axis 0, got f32[3]");
    REFUSES(pytree_apply(PYTREE_VMAP(&scalar), 1, args, PYTREE_ARRAY(y, 3), NULL, &error), PYTREE_SHAPE, "",
            "vmap of scalar: result: expected f32[2], got f32[3]");
}

static void scans_refuse(void **state)
{
    const pytree deeper = PYTREE_TUPLE(PYTREE_DICT({ "k1", PYTREE_LIST(PYTREE_SHAPED(float),
            PYTREE_TUPLE(PYTREE_SHAPED(float))) }),
                                       PYTREE_NONE);
    const pytree wider = PYTREE_TUPLE(PYTREE_DICT({ "k1", PYTREE_LIST(PYTREE_SHAPED(int), PYTREE_SHAPED(float, 3)) }),
            PYTREE_NONE);
    const pytree same = PYTREE_TUPLE(PYTREE_DICT({ "k1", PYTREE_LIST(PYTREE_SHAPED(float), PYTREE_SHAPED(float, 2)) }),
                                     PYTREE_NONE), lone = PYTREE_SHAPED(float);
    const pytree_fn structure = gives("structure", &deeper), shape = gives("shape", &wider), fits = gives("fits", &same),
                    no_pair = gives("no_pair", &lone), untold = { .name = "untold", .call = never };
    pytree_error error = { 0 };
    pytree carry = PYTREE_DICT({ "k1", PYTREE_LIST(PYTREE(&b[0]), PYTREE_ARRAY(b + 1, 2)) });
    pytree args[2] = { carry, PYTREE_ARRAY(a[0], 2, 2) }, uneven[2] = { carry, PYTREE_TUPLE(PYTREE_ARRAY(a[0], 2, 2),
                                                                                          PYTREE_ARRAY(b, 3)) };
    pytree scalars[2] = { carry, PYTREE_TUPLE(PYTREE_ARRAY(a[0], 2, 2), PYTREE(&b[0])) }, none[2] = { carry, PYTREE_NONE };
    (void)state;
#define SCAN_REFUSES(args, wanted, path, text, ...)                                                                     \
    do {                                                                                                                \
        pytree_flat nothing;                                                                                            \
        error.status = PYTREE_OK;                                                                                       \
        nothing = pytree_apply_new(PYTREE_SCAN(__VA_ARGS__), 2, args, NULL, &error);                                    \
        assert_null(nothing.def);                                                                                       \
        REFUSES_NOW(wanted, path, text);                                                                                \
    } while (0)
    SCAN_REFUSES(args, PYTREE_STRUCTURE, "['k1'][1]", "scan of structure: carry: expected f32[2], got tuple of length 1",
                 &structure);
    SCAN_REFUSES(args, PYTREE_TYPE, "['k1'][0]", "scan of shape: carry: expected f32, got i32", &shape);
    SCAN_REFUSES(args, PYTREE_STRUCTURE, "", "scan of no_pair: expected a result (carry, y), got f32", &no_pair);
    SCAN_REFUSES(uneven, PYTREE_SHAPE, "[1]", "scan of fits: xs: expected 2 along axis 0, got 3 (f32[3])", &fits);
    SCAN_REFUSES(scalars, PYTREE_SHAPE, "[1]", "scan of fits: xs: expected a first axis, got f32", &fits);
    SCAN_REFUSES(args, PYTREE_SHAPE, "", "scan of fits: xs: expected length 5 along axis 0, got 2 (f32[2,2])", &fits,
                 .length = 5);
    SCAN_REFUSES(none, PYTREE_ARGUMENT, "", "scan of fits: expected xs with leaves or a length, got neither", &fits);
    SCAN_REFUSES(args, PYTREE_ARGUMENT, "",
                 "scan of untold: expected a function that says what it gives (shape), got untold", &untold);
    REFUSES(pytree_apply(PYTREE_SCAN(&fits), 1, args, PYTREE_NONE, NULL, &error), PYTREE_ARGUMENT, "",
            "scan of fits: expected 2 arguments (carry, xs), got 1");
    REFUSES(pytree_apply(PYTREE_SCAN(&untold), 2, args, PYTREE_TUPLE(PYTREE_ARRAY(y, 2), PYTREE_NONE), NULL, &error),
            PYTREE_STRUCTURE, "", "scan of untold: carry: expected dict with keys 'k1', got f32[2]");
    REFUSES(pytree_apply(PYTREE_SCAN(&untold), 2, (pytree[2]){ PYTREE(&b[0]), args[1] },
                         PYTREE_TUPLE(PYTREE(&y[0]), PYTREE_ARRAY(y + 1, 3)), NULL, &error), PYTREE_SHAPE, "[1]",
            "scan of untold: result: expected 2 along axis 0, got f32[3]");
}

static void loops_refuse(void **state)
{
    const pytree number = PYTREE_SHAPED(int), bools = PYTREE_SHAPED(bool, 2), truth = PYTREE_SHAPED(bool),
                 tree = PYTREE_LIST(PYTREE_SHAPED(bool)), ints = PYTREE_SHAPED(int, 2), floats = PYTREE_SHAPED(float, 2),
                 three = PYTREE_SHAPED(float, 3);
    const pytree_fn less = gives("less", &number), many = gives("many", &bools), yes = gives("yes", &truth),
                    list = gives("list", &tree), wrong = gives("wrong", &ints), right = gives("right", &floats),
                    longer = gives("longer", &three);
    pytree_error error = { 0 };
    pytree args[1] = { PYTREE_ARRAY(b, 2) };
    (void)state;
#define LOOP_REFUSES(wanted, path, text, ...)                                                                           \
    do {                                                                                                                \
        pytree_flat nothing;                                                                                            \
        error.status = PYTREE_OK;                                                                                       \
        nothing = pytree_apply_new(__VA_ARGS__, 1, args, NULL, &error);                                                 \
        assert_null(nothing.def);                                                                                       \
        REFUSES_NOW(wanted, path, text);                                                                                \
    } while (0)
    LOOP_REFUSES(PYTREE_TYPE, "", "while of right: condition: expected one bool, got i32", PYTREE_WHILE(&less, &right));
    LOOP_REFUSES(PYTREE_SHAPE, "", "while of right: condition: expected one bool, got bool[2]", PYTREE_WHILE(&many, &right));
    LOOP_REFUSES(PYTREE_STRUCTURE, "", "while of right: condition: expected one bool, got list of length 1",
                 PYTREE_WHILE(&list, &right));
    LOOP_REFUSES(PYTREE_TYPE, "", "while of wrong: carry: expected f32[2], got i32[2]", PYTREE_WHILE(&yes, &wrong));
    LOOP_REFUSES(PYTREE_SHAPE, "", "fori of longer: carry: expected f32[2], got f32[3]", PYTREE_FORI(&longer, .to = 3));
    LOOP_REFUSES(PYTREE_STRUCTURE, "", "fori of list: carry: expected f32[2], got list of length 1",
                 PYTREE_FORI(&list, .to = 3));
    LOOP_REFUSES(PYTREE_ARGUMENT, "", "while of right: expected a function, got NULL", PYTREE_WHILE(NULL, &right));
    REFUSES(pytree_apply(PYTREE_FORI(&right, .to = 3), 2, (pytree[2]){ args[0], args[0] }, PYTREE_ARRAY(y, 2), NULL, &error),
            PYTREE_ARGUMENT, "", "fori of right: expected 1 argument (carry), got 2");
}

static void branches_refuse(void **state)
{
    const pytree x = PYTREE_SHAPED(float), xs = PYTREE_TUPLE(PYTREE_SHAPED(float)), deep = PYTREE_DICT({ "u",
        PYTREE_LIST(PYTREE_SHAPED(float), PYTREE_SHAPED(float, 2)) }), other = PYTREE_DICT({ "u", PYTREE_LIST(
        PYTREE_SHAPED(float), PYTREE_TUPLE(PYTREE_SHAPED(float, 2))) });
    const pytree_fn one = gives("one", &x), two = gives("two", &x), three = gives("three", &xs), main_ = gives("main", &x),
                    outer = gives("outer", &x), u = gives("u", &deep), v = gives("v", &other);
    pytree_error error = { 0 };
    pytree args[2] = { PYTREE_INT(0), PYTREE(&b[0]) };
    (void)state;
#define BRANCH_REFUSES(wanted, path, text, f)                                                                           \
    REFUSES(pytree_apply(f, 2, args, PYTREE(&y[0]), NULL, &error), wanted, path, text)
    BRANCH_REFUSES(PYTREE_STRUCTURE, "", "switch: branch 2 (three) beside branch 0 (one): expected f32, got tuple of length 1",
                   PYTREE_SWITCH(&one, &two, &three));
    REFUSES(pytree_eval_shape(PYTREE_COND(&v, &u), 2, args, NULL, &error).def == NULL ? error.status : PYTREE_OK,
            PYTREE_STRUCTURE, "['u'][1]", "cond: branch 1 (v) beside branch 0 (u): expected f32[2], got tuple of length 1");
    args[0] = PYTREE_STR("nowhere");
    BRANCH_REFUSES(PYTREE_NOT_FOUND, "[0]", "select: expected 'main' or 'outer', got 'nowhere'", PYTREE_SELECT(&main_, &outer));
    BRANCH_REFUSES(PYTREE_TYPE, "[0]", "switch: expected one integer, got str", PYTREE_SWITCH(&one, &two));
    BRANCH_REFUSES(PYTREE_TYPE, "[0]", "cond: expected one bool or number, got str", PYTREE_COND(&one, &two));
    args[0] = PYTREE_ARRAY(b, 2);
    BRANCH_REFUSES(PYTREE_SHAPE, "[0]", "cond: expected one bool or number, got f32[2]", PYTREE_COND(&one, &two));
    args[0] = PYTREE_DICT({ "p", PYTREE_BOOL(true) });
    BRANCH_REFUSES(PYTREE_STRUCTURE, "[0]", "cond: expected one bool or number, got dict with keys 'p'", PYTREE_COND(&one,
            &two));
    REFUSES(pytree_apply(&(pytree_fn){ .kind = &pytree_switch_kind, .context = &(pytree_switch_of){ .n = 0 } }, 1,
                         (pytree[1]){ PYTREE_INT(0) }, PYTREE_NONE, NULL, &error), PYTREE_ARGUMENT, "",
            "switch: expected at least one branch, got none");
    REFUSES(pytree_apply(PYTREE_COND(&one, &two), 0, NULL, PYTREE(&y[0]), NULL, &error), PYTREE_ARGUMENT, "",
            "cond: expected one bool or number, got no argument");
}

static void batches_refuse(void **state)
{
    pytree_error error = { 0 };
    pytree list = PYTREE_LIST(PYTREE_STR("x"), PYTREE_STR("y")), tuple = PYTREE_TUPLE(PYTREE_STR("p"), PYTREE_STR("q"));
    pytree longer = PYTREE_LIST(PYTREE_STR("x"), PYTREE_STR("y"), PYTREE_STR("z")), mixed = PYTREE_LIST(PYTREE_STR("x"),
                                                                                                        PYTREE_INT(1));
    pytree_def *leaf = pytree_def_leaf(NULL, &error), *like = pytree_def_tuple(1, (const pytree_def *[]){ leaf }, NULL, &error);
    (void)state;
#define BATCH_REFUSES(wanted, path, text, n, args, ...)                                                                 \
    REFUSES(pytree_apply_new(PYTREE_BATCH(__VA_ARGS__), n, args, NULL, &error).def == NULL ? error.status : PYTREE_OK,  \
            wanted, path, text)
    BATCH_REFUSES(PYTREE_STRUCTURE, "[1]",
                  "batch of identity: expected one container for all, list of length 2, got tuple of length 2", 2,
                  ((pytree[2]){ list, tuple }), &identity);
    BATCH_REFUSES(PYTREE_STRUCTURE, "[1]",
                  "batch of identity: expected one container for all, list of length 2, got list of length 3", 2,
                  ((pytree[2]){ list, longer }), &identity);
    BATCH_REFUSES(PYTREE_TYPE, "", "batch of identity: element: expected str, got i64", 1, &mixed, &identity);
    BATCH_REFUSES(PYTREE_ARGUMENT, "[0]", "batch of identity: expected at least one element, got none", 1,
                  ((pytree[1]){ PYTREE_LIST() }), &identity, .like = like);
    BATCH_REFUSES(PYTREE_STRUCTURE, "[0]", "batch of identity: in_axes: different types: expected tuple of length 2, got leaf",
            1,
                  &list, &identity, .in_axes = PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_BOOL(true), PYTREE_BOOL(false))));
    BATCH_REFUSES(PYTREE_TYPE, "[0]", "batch of identity: in_axes: expected a bool, got i64", 1, &list, &identity,
                  .in_axes = PYTREE_INT(1));
    pytree_def_free(leaf);
    pytree_def_free(like);
}

static void report_problem(void *context, const pytree_error *problem)
{
    char *text = context;
    strcat(strcat(text, problem->path), ";");
}

static void reports_name_every_mismatch(void **state)
{
    const pytree all = PYTREE_NONE;
    const pytree_fn f = gives("f", &all);
    char text[200] = "";
    const pytree_fn_options options = { .report = report_problem, .report_context = text };
    pytree_error error = { 0 };
    pytree args[3] = { PYTREE_ARRAY(a[0], 2, 2), PYTREE_LIST(PYTREE_ARRAY(b, 3), PYTREE_ARRAY(b, 3), PYTREE_ARRAY(b, 1)),
                      PYTREE_ARRAY(b, 2) };
    (void)state;
    assert_null(pytree_apply_new(PYTREE_VMAP(&f), 3, args, &options, &error).def);
    assert_error(error.status, PYTREE_SHAPE, "[1][0]", &error);
    assert_string_equal(text, "[1][0];[1][2];");               /* one for each size */
    error.status = PYTREE_OK;
    text[0] = '\0';
    assert_null(pytree_apply_new(PYTREE_VMAP(&f, .in_axes = PYTREE_TUPLE(PYTREE_LIST(), PYTREE_TUPLE(), PYTREE_INT(0))), 3,
            args,
                                 &options, &error).def);
    assert_error(error.status, PYTREE_STRUCTURE, "[0]", &error);
    assert_string_equal(text, "[0];[1];");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_of_arguments), cmocka_unit_test(axes_of_results), cmocka_unit_test(scans_refuse),
        cmocka_unit_test(loops_refuse), cmocka_unit_test(branches_refuse), cmocka_unit_test(batches_refuse),
        cmocka_unit_test(reports_name_every_mismatch)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
