/* Transforms of functions that fail in the middle, of leaves that are mapped in part, and with executors that are not used. */
#include "transforms_shared.h"

typedef struct Two { float a, b; } Two;
#define PYTREE_STRUCT Two
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"
#define PYTREE_STRUCT Two
#define PYTREE_NAMESPACE open
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

/* Fails at element *context; otherwise gives argument 0. */
static pytree_status stops_at(void *context, const pytree_call *at)
{
    return at->index == *(const size_t *)context ? PYTREE_STOPPED : first_call(NULL, at);
}

static void one_after_the_other(void *context, size_t n, void (*task)(void *arg, size_t i), void *data)
{
    ++*(size_t *)context;
    for (size_t i = 0; i < n; i++) { task(data, i); }
}

/* ---- Maps ------------------------------------------------------------------------------------------------------------ */

static void maps_stop_where_the_function_fails(void **state)
{
    size_t stop = 1;
    const pytree_fn f = { .name = "f", .call = stops_at, .shape = pytree_result_first, .context = &stop };
    pytree_error error = { 0 };
    float x[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, y[3][3], same[3] = { 4, 4, 4 }, one = 0;
    (void)state;
    memset(y, 0, sizeof y);
    REFUSES(pytree_apply(PYTREE_VMAP(&f, .in_axes = PYTREE_INT(1)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 3) },
                         PYTREE_ARRAY(y[0], 3, 3), NULL, &error), PYTREE_STOPPED, "",
            "f: expected success, got stopped by the callback");
    REFUSES(pytree_apply(PYTREE_VMAP(&f, .out_axes = PYTREE_NONE), 1, (pytree[1]){ PYTREE_ARRAY(same, 3) }, PYTREE(&one), NULL,
                         &error), PYTREE_STOPPED, "", "f: expected success, got stopped by the callback");
    stop = 3;
    error.status = PYTREE_OK;
    assert_ok(pytree_apply(PYTREE_VMAP(&f, .in_axes = PYTREE_INT(1)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 3) },
                           PYTREE_ARRAY(y[0], 3, 3), NULL, &error), &error);
    assert_true(y[0][1] == 4 && y[2][0] == 3);
    assert_ok(pytree_apply(PYTREE_VMAP(&f, .out_axes = PYTREE_NONE), 1, (pytree[1]){ PYTREE_ARRAY(same, 3) }, PYTREE(&one),
                           NULL, &error), &error);
    assert_true(one == 4);
}

static void sizes_that_differ(void **state)
{
    pytree_error error = { 0 };
    float a[3] = { 1, 2, 3 }, b[2] = { 4, 5 };
    const pytree mapped[3] = { PYTREE_ARRAY(a, 3), PYTREE_ARRAY(b, 2), PYTREE_ARRAY(b, 2) };
    const pytree out = PYTREE_TUPLE(PYTREE_ARRAY(a, 3), PYTREE_ARRAY(b, 2), PYTREE_ARRAY(b, 2));
    (void)state;
    REFUSES(pytree_apply(PYTREE_VMAP(&identity), 3, mapped, out, NULL, &error), PYTREE_SHAPE, "[0]",
            "vmap of identity: expected size 2 along axis 0, as 2 others have, got 3 (f32[3])");
    REFUSES(pytree_apply(PYTREE_VMAP(&identity, .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0), PYTREE_INT(0))), 3,
                         (pytree[3]){ mapped[0], mapped[1], mapped[0] }, out, NULL, &error), PYTREE_SHAPE, "[2]",
            "vmap of identity: expected size 2 along axis 0, got 3 (f32[3])");
    REFUSES(pytree_apply(PYTREE_VMAP(&identity, .axis_size = 2), 3, mapped, out, NULL, &error), PYTREE_SHAPE, "[0]",
            "vmap of identity: expected size 2 along axis 0, got 3 (f32[3])");
}

static pytree_status sum_call(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[0] + *(const float *)at->arg[1];
    return PYTREE_OK;
}
static const pytree_fn sum = { .name = "sum", .call = sum_call, .shape = pytree_result_f32 };

/* The mapped argument comes first, so that the steps end before the pointers do. */
static void steps_before_arguments_that_stay(void **state)
{
    pytree_error error = { 0 };
    float x[5] = { 1, 2, 3, 4, 5 }, one = 10, y[5] = { 0 };
    (void)state;
    assert_ok(pytree_apply(PYTREE_VMAP(&sum, .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE)), 2,
                           (pytree[2]){ PYTREE_ARRAY(x, 5), PYTREE(&one) }, PYTREE_ARRAY(y, 5), NULL, &error), &error);
    for (int i = 0; i < 5; i++) { assert_true(y[i] == x[i] + 10); }
}

/* Values in place of a struct that each call gives. */
static void structs_out_of_a_map(void **state)
{
    enum { N = 5 };
    pytree_error error = { 0 };
    Layer layers[N];
    pytree trees[N];
    pytree_flat from, to;
    (void)state;
    for (int i = 0; i < N; i++) {
        layer_fill(&layers[i], (float)i);
        trees[i] = PYTREE(&layers[i].dense);
    }
    from = pytree_stack(N, trees, NULL, &error);
    to = pytree_stack(N, trees, NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_apply(PYTREE_VMAP(&grow), 1, (pytree[1]){ PYTREE(&from) }, PYTREE(&to), NULL, &error), &error);
    for (int i = 0; i < N; i++) {
        assert_true(((const float *)to.leaves[1].data)[3 * i] == 2);
        assert_true(((const float *)to.leaves[2].data)[i] == 2 * (float)i);
    }
    pytree_flat_free(&from);
    pytree_flat_free(&to);
}

static void executors_that_are_not_used(void **state)
{
    size_t runs = 0, stop = 9;
    pytree_executor executor = { one_after_the_other, &runs, 2 };
    const pytree_fn_options options = { .executor = &executor };
    const pytree_fn empty = { .name = "empty" }, f = { .name = "f", .call = stops_at, .context = &stop };
    const pytree_fn ruled = { .name = "ruled", .call = first_call, .shape = pytree_result_first, .batch = &first };
    pytree_error error = { 0 };
    float x[4] = { 1, 2, 3, 4 }, y[4] = { 0 };
    (void)state;
    assert_ok(pytree_apply(PYTREE_VMAP(&f), 1, (pytree[1]){ PYTREE_ARRAY(x, 1) }, PYTREE_ARRAY(y, 1), &options, &error),
              &error);
    assert_ok(pytree_apply(PYTREE_VMAP(&ruled), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) }, PYTREE_ARRAY(y, 4), &options, &error),
              &error);
    executor.workers = 1;
    assert_ok(pytree_apply(PYTREE_VMAP(&f), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) }, PYTREE_ARRAY(y, 4), &options, &error),
              &error);
    assert_int_equal(runs, 0);
    assert_memory_equal(x, y, sizeof x);
    executor.workers = 2;
    assert_ok(pytree_apply(PYTREE_VMAP(&f), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) }, PYTREE_ARRAY(y, 4), &options, &error),
              &error);
    assert_int_equal(runs, 1);
    REFUSES(pytree_apply(PYTREE_VMAP(&empty), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) }, PYTREE_ARRAY(y, 4), &options, &error),
            PYTREE_ARGUMENT, "", "empty: expected a callback (call), got NULL");
    executor.workers = 1;
    REFUSES(pytree_apply(PYTREE_VMAP(&empty), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) }, PYTREE_ARRAY(y, 4), &options, &error),
            PYTREE_ARGUMENT, "", "empty: expected a callback (call), got NULL");
}

/* ---- Batch rules ----------------------------------------------------------------------------------------------------- */

static void what_says_the_result(void **state)
{
    const pytree_fn says = { .name = "says", .call = first_call, .shape = pytree_result_first };
    const pytree_fn silent = { .name = "silent", .call = first_call };
    const pytree_fn by_rule = { .name = "f", .call = first_call, .batch = &says };
    const pytree_fn untold = { .name = "f", .call = first_call, .batch = &silent };
    pytree_error error = { 0 };
    float x[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, y[2][3] = { { 0 } };
    const pytree args[1] = { PYTREE_ARRAY(x[0], 2, 3) }, out = PYTREE_ARRAY(y[0], 2, 3);
    pytree_flat flat = pytree_apply_new(PYTREE_VMAP(PYTREE_VMAP(&by_rule)), 1, args, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_memory_equal(flat.leaves[0].data, x, sizeof x);
    pytree_flat_free(&flat);
    assert_ok(pytree_apply(PYTREE_VMAP(&untold), 1, args, out, NULL, &error), &error);
    assert_memory_equal(y, x, sizeof x);
    memset(y, 0, sizeof y);
    assert_ok(pytree_apply(PYTREE_VMAP(PYTREE_VMAP(&untold)), 1, args, out, NULL, &error), &error);
    assert_memory_equal(y, x, sizeof x);
    flat = pytree_apply_new(PYTREE_VMAP(PYTREE_VMAP(&untold)), 1, args, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    REFUSES(pytree_apply(PYTREE_VMAP(PYTREE_VMAP(NULL)), 1, args, out, NULL, &error), PYTREE_ARGUMENT, "",
            "vmap: expected a function, got NULL");
}

static void rules_that_fail(void **state)
{
    size_t stop = 0;
    const pytree_fn rule = { .name = "rule", .call = stops_at, .context = &stop };
    const pytree_fn f = { .name = "f", .call = first_call, .shape = pytree_result_first, .batch = &rule };
    pytree_error error = { 0 };
    float x[3] = { 2, 2, 2 }, y[3], one = 0;
    const pytree args[1] = { PYTREE_ARRAY(x, 3) };
    (void)state;
    for (stop = 0; stop < 2; stop++) {
        for (int same = 0; same < 2; same++) {
            const pytree_fn *const each = same ? PYTREE_VMAP(&f, .out_axes = PYTREE_NONE) : PYTREE_VMAP(&f);
            const pytree out = same ? PYTREE(&one) : PYTREE_ARRAY(y, 3);
            if (stop == 0) {
                REFUSES(pytree_apply(each, 1, args, out, NULL, &error), PYTREE_STOPPED, "",
                        "rule: expected success, got stopped by the callback");
            } else {
                error.status = PYTREE_OK;
                assert_ok(pytree_apply(each, 1, args, out, NULL, &error), &error);
                assert_true(same ? one == 2 : y[2] == 2);
            }
        }
    }
}

static pytree_status zeros(void *context, const pytree_call *at)
{
    (void)context;
    for (size_t i = 0; i < at->n_out; i++) { memset(at->out[i].data, 0, pytree_leaf_bytes(&at->out[i])); }
    return PYTREE_OK;
}

/* One result for all that has as many dimensions as there can be leaves no room for those of all elements. */
static void results_without_room_for_an_axis(void **state)
{
    const pytree_fn rule = { .name = "rule", .call = zeros }, f = { .name = "f", .call = zeros, .batch = &rule };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y = 7;
    pytree_leaf full = { .data = &y, .type = PYTREE_TYPE(float), .ndim = PYTREE_MAX_DIMS };
    char text[120];
    (void)state;
    for (int i = 0; i < PYTREE_MAX_DIMS; i++) { full.shape[i] = 1; }
    snprintf(text, sizeof text, "vmap of f: expected at most %d dimensions (PYTREE_MAX_DIMS), got %d", PYTREE_MAX_DIMS,
             PYTREE_MAX_DIMS + 1);
    REFUSES(pytree_apply(PYTREE_VMAP(&f, .out_axes = PYTREE_NONE), 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE(&full), NULL,
                         &error), PYTREE_SHAPE, "", text);
    assert_true(y == 7);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------------ */

static pytree_status full_shape(void *context, const pytree_call *at)
{
    pytree_leaf full = { .type = PYTREE_TYPE(float), .ndim = PYTREE_MAX_DIMS };
    (void)context;
    for (int i = 0; i < PYTREE_MAX_DIMS; i++) { full.shape[i] = 1; }
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], PYTREE(&full)));
}

static pytree_status always(void *context, const pytree_call *at)
{
    *(bool *)at->res[0] = true;
    return at->index == *(const size_t *)context ? PYTREE_STOPPED : PYTREE_OK;
}

static void loops_stop_where_the_function_fails(void **state)
{
    size_t stop = 2, never = SIZE_MAX;
    const pytree_fn body = { .name = "body", .call = stops_at, .context = &stop };
    const pytree_fn fori = { .name = "fori", .call = always, .context = &stop };
    const pytree_fn on = { .name = "on", .call = always, .context = &never };
    const pytree_fn off = { .name = "off", .call = always, .context = &stop };
    const pytree_fn same = { .name = "same", .call = first_call };
    const pytree_fn wide = { .name = "wide", .call = first_call, .shape = full_shape };
    pytree_error error = { 0 };
    float x = 1, y = 5, none = 0;
    bool flag = false, last = false;
    const pytree args[2] = { PYTREE(&x), PYTREE(&x) };
    char text[120];
    (void)state;
    REFUSES(pytree_apply(PYTREE_WHILE(&on, &body), 1, args, PYTREE(&y), NULL, &error), PYTREE_STOPPED, "",
            "body: expected success, got stopped by the callback");
    REFUSES(pytree_apply(PYTREE_WHILE(&off, &same), 1, args, PYTREE(&y), NULL, &error), PYTREE_STOPPED, "",
            "off: expected success, got stopped by the callback");
    REFUSES(pytree_apply(PYTREE_FORI(&fori, .to = 5), 1, (pytree[1]){ PYTREE(&flag) }, PYTREE(&last), NULL, &error),
            PYTREE_STOPPED, "", "fori: expected success, got stopped by the callback");
    REFUSES(pytree_apply(PYTREE_WHILE(&on, &same), 2, args, PYTREE(&y), NULL, &error), PYTREE_ARGUMENT, "",
            "while of same: expected 1 argument (carry), got 2");
    error.status = PYTREE_OK;
    assert_ok(pytree_apply(PYTREE_WHILE(&on, &same, .max_iters = 3), 1, (pytree[1]){ PYTREE_ARRAY(&none, 0) },
                           PYTREE_ARRAY(&none, 0), NULL, &error), &error);
    snprintf(text, sizeof text, "scan of wide: expected at most %d dimensions (PYTREE_MAX_DIMS), got %d", PYTREE_MAX_DIMS,
             PYTREE_MAX_DIMS + 1);
    REFUSES(pytree_apply(PYTREE_SCAN(&wide), 2, (pytree[2]){ PYTREE(&x), PYTREE_ARRAY(&none, 0) },
                         PYTREE_TUPLE(PYTREE(&y), PYTREE(&y)), NULL, &error), PYTREE_SHAPE, NULL, text);
}

/* ---- Containers -------------------------------------------------------------------------------------------------------- */

static void batches_refuse(void **state)
{
    size_t stop = 1;
    const pytree_fn f = { .name = "f", .call = stops_at, .shape = pytree_result_first, .context = &stop };
    pytree_error error = { 0 };
    float x[3] = { 1, 2, 3 }, y[3] = { 0, 0, 0 };
    const pytree list = PYTREE_LIST(PYTREE(&x[0]), PYTREE(&x[1]), PYTREE(&x[2]));
    const pytree out = PYTREE_LIST(PYTREE(&y[0]), PYTREE(&y[1]), PYTREE(&y[2]));
    pytree_def *like = pytree_structure(PYTREE_TUPLE(PYTREE_DICT({ "k", PYTREE(&x[0]) })), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    REFUSES(pytree_apply(PYTREE_BATCH(&f), 1, (pytree[1]){ list }, out, NULL, &error), PYTREE_STOPPED, "",
            "f: expected success, got stopped by the callback");
    assert_true(y[0] == 1 && y[1] == 0 && y[2] == 0);
    error.status = PYTREE_OK;
    assert_error(pytree_apply(PYTREE_BATCH(&first, .like = like), 1, (pytree[1]){ list }, out, NULL, &error), PYTREE_STRUCTURE,
                 NULL, &error);
    REFUSES(pytree_apply(PYTREE_BATCH(&first, .in_axes = PYTREE_TUPLE(PYTREE_INT(1), PYTREE_BOOL(true))), 2,
                         (pytree[2]){ list, list }, out, NULL, &error), PYTREE_TYPE, "[0]",
            "batch of first: in_axes: expected a bool, got i64");
    pytree_def_free(like);
}

/* A batch in a batch, in which nothing is batched; containers of containers of one. */
static void batches_of_nothing(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[2] = { 0, 0 }, z[2] = { 0, 0 }, w[2] = { 3, 4 };
    const pytree other = PYTREE_LIST(PYTREE(&w[0]), PYTREE(&w[1]));
    const pytree list = PYTREE_LIST(PYTREE(&x[0]), PYTREE(&x[1])), out = PYTREE_LIST(PYTREE(&y[0]), PYTREE(&y[1]));
    const pytree_fn *const inner = PYTREE_BATCH(&first, .in_axes = PYTREE_TUPLE(PYTREE_BOOL(false)));
    const pytree nested = PYTREE_LIST(PYTREE_LIST(PYTREE(&x[1])));
    (void)state;
    assert_ok(pytree_apply(PYTREE_BATCH(inner), 1, (pytree[1]){ list }, out, NULL, &error), &error);
    assert_true(y[0] == 1 && y[1] == 2);
    y[0] = 0;
    assert_ok(pytree_apply(PYTREE_BATCH(&first), 1, (pytree[1]){ nested }, PYTREE_LIST(PYTREE_LIST(PYTREE(&y[0]))), NULL,
                           &error), &error);
    assert_true(y[0] == 2);
    y[0] = 0;
    assert_ok(pytree_apply(PYTREE_BATCH(PYTREE_BATCH(&first)), 1, (pytree[1]){ PYTREE_LIST(list, other) },
                           PYTREE_LIST(out, PYTREE_LIST(PYTREE(&z[0]), PYTREE(&z[1]))), NULL, &error), &error);
    assert_true(y[0] == 1 && y[1] == 3 && z[0] == 2 && z[1] == 4);      /* the elements of the outer batch are outside */
}

/* Structs of a namespace are no containers of elements. */
static void batches_of_structs_in_a_namespace(void **state)
{
    const pytree_fn_options open = { .tree = { .space = "open" } };
    pytree_error error = { 0 };
    Two two[2] = { { 1, 2 }, { 3, 4 } };
    float y[2] = { 0, 0 };
    const pytree list = PYTREE_LIST(PYTREE(&two[0]), PYTREE(&two[1]));
    (void)state;
    REFUSES(pytree_apply(PYTREE_BATCH(&first), 1, (pytree[1]){ list }, PYTREE_NONE, &open, &error), PYTREE_STRUCTURE,
            "[0][0].a", "batch of first: expected a container with an element for each call, got f32");
    error.status = PYTREE_OK;
    assert_ok(pytree_apply(PYTREE_BATCH(&first), 1, (pytree[1]){ PYTREE_LIST(PYTREE(&two[0].a), PYTREE(&two[1].a)) },
                           PYTREE_LIST(PYTREE(&y[0]), PYTREE(&y[1])), &open, &error), &error);
    assert_true(y[0] == 1 && y[1] == 3);
}

/* One carry that the body changes in place: a struct, or numbers. */
static pytree_status adds_one(void *context, const pytree_call *at)
{
    float *x = at->res[0];
    (void)context;
    if (x != at->arg[at->n_args - 1]) { return PYTREE_VALUE; }
    *x += 1;
    return PYTREE_OK;
}

static void carries_in_place(void **state)
{
    const pytree_fn add = { .name = "add", .call = adds_one }, grow_or_not = { .name = "grow", .call = grow_call };
    pytree_error error = { 0 };
    float x = 3, y = 0, wrong[2] = { 0 };
    pytree_fn wide = { .name = "wide", .call = adds_one };
    Layer layer, to;
    (void)state;
    assert_ok(pytree_apply(PYTREE_FORI(&add, .to = 4, .in_place = true), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL,
                           &error), &error);
    assert_true(x == 3 && y == 7);
    layer_fill(&layer, 1);
    layer_fill(&to, 0);
    assert_ok(pytree_apply(PYTREE_FORI(&grow_or_not, .to = 2, .in_place = true), 1, (pytree[1]){ PYTREE(&layer.dense) },
                           PYTREE(&to.dense), NULL, &error), &error);
    assert_true(to.dense.scale == 4 && to.b[0] == 3 && layer.dense.scale == 1);
    REFUSES(pytree_apply(PYTREE_FORI(&wide, .to = 4, .in_place = true), 1, (pytree[1]){ PYTREE(&x) }, PYTREE_ARRAY(wrong, 2),
                         NULL, &error), PYTREE_SHAPE, "", "fori of wide: result: expected f32, got f32[2]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_stop_where_the_function_fails), cmocka_unit_test(sizes_that_differ),
        cmocka_unit_test(steps_before_arguments_that_stay), cmocka_unit_test(structs_out_of_a_map),
        cmocka_unit_test(executors_that_are_not_used), cmocka_unit_test(what_says_the_result),
        cmocka_unit_test(rules_that_fail), cmocka_unit_test(results_without_room_for_an_axis),
        cmocka_unit_test(loops_stop_where_the_function_fails), cmocka_unit_test(batches_refuse),
        cmocka_unit_test(batches_of_nothing), cmocka_unit_test(batches_of_structs_in_a_namespace),
        cmocka_unit_test(carries_in_place)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
