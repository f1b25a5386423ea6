/* Functions as values: apply, apply_new, eval_shape, prepare and run. */
#include "transforms_shared.h"

static void structs_arrive_as_structs(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 3, -1 }, y[3];
    Layer layer;
    (void)state;
    layer_fill(&layer, 2);
    assert_ok(pytree_apply(&dense_untold, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL,
                           &error), &error);
    for (int j = 0; j < 3; j++) { assert_true(y[j] == dense_by_hand(&layer.dense, x, j)); }
}

/* A treedef with leaves becomes a struct for the callback, values in place included. */
static void flats_arrive_as_structs(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 3, -1 }, y[3] = { 0 };
    Layer layer;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    (void)state;
    layer_fill(&layer, 4);
    assert_ok(pytree_flatten(PYTREE(&layer.dense), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    assert_ok(pytree_apply(&dense, 2, (pytree[2]){ PYTREE(&flat), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL, &error),
              &error);
    for (int j = 0; j < 3; j++) { assert_true(y[j] == dense_by_hand(&layer.dense, x, j)); }
    pytree_def_free(def);
}

/* Values in place of a struct that is built for the result come out in the leaves. */
static void results_are_structs(void **state)
{
    pytree_error error = { 0 };
    Layer from, to;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    (void)state;
    layer_fill(&from, 4);
    layer_fill(&to, 0);
    memset(to.w, 0, sizeof to.w);
    assert_ok(pytree_apply(&grow, 1, (pytree[1]){ PYTREE(&from.dense) }, PYTREE(&to.dense), NULL, &error), &error);
    assert_true(to.dense.scale == 8 && to.b[2] == 4 && to.w[5] == 6 && to.dense.shift[1] == 0.5);
    layer_fill(&to, 0);
    assert_ok(pytree_flatten(PYTREE(&to.dense), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    assert_ok(pytree_apply(&grow, 1, (pytree[1]){ PYTREE(&from.dense) }, PYTREE(&flat), NULL, &error), &error);
    assert_true(to.dense.scale == 8 && to.b[2] == 4 && to.w[5] == 6);
    pytree_def_free(def);
}

static pytree_status pieces_call(void *context, const pytree_call *at)
{
    (void)context;
    assert_int_equal(at->n_args, 3);
    assert_int_equal(at->n_in, 6);
    assert_int_equal(at->in_first[1], 2);
    assert_int_equal(at->in_first[2], 2);
    assert_int_equal(at->in_first[3], 6);
    assert_null(at->arg[0]);                                   /* a list */
    assert_null(at->arg[1]);                                   /* None */
    assert_non_null(at->arg[2]);
    assert_int_equal(at->n_res, 2);
    assert_ptr_equal(at->res[1], at->out[at->out_first[1]].data);
    assert_int_equal(pytree_num_leaves(at->args[0], NULL, NULL), 2);
    assert_int_equal(pytree_num_leaves(at->all, NULL, NULL), 6);
    assert_int_equal(pytree_num_leaves(at->result, NULL, NULL), 2);
    *(double *)at->res[0] = 1;
    *(float *)at->res[1] = 2;
    return PYTREE_OK;
}

static void calls_have_all_views_of_their_trees(void **state)
{
    static const pytree_fn pieces = { .name = "pieces", .call = pieces_call };
    pytree_error error = { 0 };
    Layer layer;
    double a = 0;
    float b = 0;
    (void)state;
    layer_fill(&layer, 1);
    assert_ok(pytree_apply(&pieces, 3, (pytree[3]){ PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), PYTREE_NONE,
                                                   PYTREE(&layer.dense) },
                           PYTREE_TUPLE(PYTREE(&a), PYTREE(&b)), NULL, &error), &error);
    assert_true(a == 1 && b == 2);
}

static void shapes_without_data(void **state)
{
    pytree_error error = { 0 };
    Dense sizes = { .din = 784, .dout = 10 };
    pytree_flat flat;
    char text[100];
    (void)state;
    flat = pytree_eval_shape(&dense, 2, (pytree[2]){ PYTREE(&sizes), PYTREE_SHAPED(float, 784) }, NULL, &error);
    assert_ok(error.status, &error);
    assert_null(flat.leaves[0].data);
    assert_true(pytree_text(PYTREE(&flat), text, sizeof text, NULL, &error) != SIZE_MAX);
    assert_string_equal(text, "f32[10]\n");
    pytree_flat_free(&flat);
    flat = pytree_eval_shape(&identity, 2, (pytree[2]){ PYTREE_SHAPED(double), PYTREE_LIST(PYTREE_SHAPED(int, 2, 3, 4)) }, NULL,
                             &error);
    assert_true(pytree_text(PYTREE(&flat), text, sizeof text, NULL, &error) != SIZE_MAX);
    assert_string_equal(text, "[0]  f64\n[1][0]  i32[2,3,4]\n");
    pytree_flat_free(&flat);
    flat = pytree_eval_shape(&dense_untold, 2, (pytree[2]){ PYTREE(&sizes), PYTREE_SHAPED(float, 784) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "dense: expected a function that says what it gives (shape), got dense");
}

static void new_results_own_their_texts(void **state)
{
    pytree_error error = { 0 };
    char word[] = "word";
    const char *words[2] = { word, NULL };
    pytree_flat flat;
    (void)state;
    flat = pytree_apply_new(&identity, 2, (pytree[2]){ PYTREE_ARRAY(words, 2), PYTREE_FLOAT(2.5) }, NULL, &error);
    assert_ok(error.status, &error);
    word[0] = 'W';
    assert_string_equal(((const char *const *)flat.leaves[0].data)[0], "word");
    assert_null(((const char *const *)flat.leaves[0].data)[1]);
    assert_true(*(const double *)flat.leaves[1].data == 2.5);
    assert_int_equal((uintptr_t)flat.leaves[1].data % 64, 0);
    pytree_flat_free(&flat);
}

/* A prepared function works on what lies in the memory it was prepared with, or on other trees. */
static void prepared_functions_run_often(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 3, -1 }, y[3], other_x[2] = { 1, 1 }, other_y[3];
    Layer layer, other;
    pytree_prepared *p;
    (void)state;
    layer_fill(&layer, 2);
    layer_fill(&other, 5);
    other.w[0] = 9;
    p = pytree_prepare(&dense, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL, &error);
    assert_ok(error.status, &error);
    for (int i = 0; i < 3; i++) {
        x[0] = (float)i;
        layer.dense.scale = (float)(i + 1);
        assert_ok(pytree_run(p, &error), &error);
        for (int j = 0; j < 3; j++) { assert_true(y[j] == dense_by_hand(&layer.dense, x, j)); }
    }
    assert_ok(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&other.dense), PYTREE_ARRAY(other_x, 2) }, PYTREE_ARRAY(other_y, 3),
                            &error), &error);
    for (int j = 0; j < 3; j++) { assert_true(other_y[j] == dense_by_hand(&other.dense, other_x, j)); }
    other_x[0] = 4;
    assert_ok(pytree_run(p, &error), &error);
    assert_true(other_y[0] == dense_by_hand(&other.dense, other_x, 0));
    assert_error(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&other.dense), PYTREE_ARRAY(other_x, 1) }, PYTREE_ARRAY(other_y, 3),
                               &error), PYTREE_SHAPE, "[1]", &error);
    error.status = PYTREE_OK;
    assert_error(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&other.dense), PYTREE_LIST() }, PYTREE_ARRAY(other_y, 3), &error),
                 PYTREE_STRUCTURE, "[1]", &error);
    error.status = PYTREE_OK;
    assert_error(pytree_run_on(p, 1, (pytree[1]){ PYTREE(&other.dense) }, PYTREE_ARRAY(other_y, 3), &error), PYTREE_ARGUMENT,
                 "", &error);
    REFUSES(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(layer.w, 3), &error),
            PYTREE_SHARED, "", "dense: result: expected memory of its own, got that of argument [0].w");
    error.status = PYTREE_OK;
    other_x[0] = 6;
    assert_ok(pytree_run(p, &error), &error);                  /* and still runs, on what it ran on last */
    assert_true(other_y[0] == dense_by_hand(&other.dense, other_x, 0));
    pytree_prepared_free(p);
    pytree_prepared_free(NULL);
}

static void shared_memory_is_refused(void **state)
{
    pytree_error error = { 0 };
    float x[40], y[40];
    Layer layer;
    pytree many[20], outs[20];
    (void)state;
    layer_fill(&layer, 1);
    assert_error(pytree_apply(&dense, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(layer.w + 2, 3),
                              NULL, &error), PYTREE_SHARED, "", &error);
    assert_string_equal(error.message, "dense: result: expected memory of its own, got that of argument [0].w");
    error.status = PYTREE_OK;
    assert_error(pytree_apply(&identity, 2, (pytree[2]){ PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2) },
                              PYTREE_TUPLE(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(y + 1, 2)), NULL, &error), PYTREE_SHARED, "[1]",
                 &error);
    assert_string_equal(error.message, "identity: result: expected memory of its own, got that of result[0]");
    for (size_t i = 0; i < 20; i++) {                          /* many, in no order: sorted, then searched */
        many[i] = PYTREE_NONE;
        outs[i] = PYTREE_NONE;
    }
    {
        pytree_leaf from[20], to[20];
        for (size_t i = 0; i < 20; i++) {
            from[i] = (pytree_leaf){ .data = &x[i], .type = PYTREE_TYPE(float) };
            to[i] = (pytree_leaf){ .data = &y[(i * 7) % 20], .type = PYTREE_TYPE(float) };
            many[i] = PYTREE(&from[i]);
            outs[i] = PYTREE(&to[i]);
        }
        pytree_items all = { .count = 20, .items = outs };
        pytree out = { PYTREE_TUPLE().type, &all };
        error.status = PYTREE_OK;
        assert_ok(pytree_apply(&identity, 20, many, out, NULL, &error), &error);
        from[13].data = &y[14];
        assert_error(pytree_apply(&identity, 20, many, out, NULL, &error), PYTREE_SHARED, "[2]", &error);
        assert_string_equal(error.message, "identity: result: expected memory of its own, got that of argument [13]");
    }
}

static pytree_status failing_call(void *context, const pytree_call *at)
{
    if (context != NULL) { return pytree_fail(at->err, PYTREE_VALUE, ".w", "expected sense, got none"); }
    return PYTREE_STOPPED;
}

static void failures_of_callbacks(void **state)
{
    const pytree_fn silent = { .name = "silent", .call = failing_call }, loud = { .call = failing_call,
            .context = (void *)state };
    pytree_error error = { 0 };
    float x = 1, y = 2;
    pytree_prepared *p;
    assert_error(pytree_apply(&silent, 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, &error), PYTREE_STOPPED, "", &error);
    assert_string_equal(error.message, "silent: expected success, got stopped by the callback");
    error.status = PYTREE_OK;
    assert_error(pytree_apply(&loud, 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, &error), PYTREE_VALUE, ".w", &error);
    p = pytree_prepare(&loud, 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, NULL);
    for (int i = 0; i < 2; i++) {
        error.status = PYTREE_OK;
        assert_error(pytree_run(p, &error), PYTREE_VALUE, ".w", &error);
    }
    pytree_prepared_free(p);
}

static void mistakes_are_errors(void **state)
{
    const pytree_fn empty = { .name = "empty" }, typed = { .call = first_call, .shape = pytree_result_first, .name = "typed",
                                                           .takes = PYTREE_TYPES(PYTREE_ANY),
                                                           .gives = PYTREE_TYPES(PYTREE_TYPE(double)) };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[2] = { 0, 0 };
    pytree args[2] = { PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2) };
    Layer layer;
    (void)state;
    layer_fill(&layer, 1);
    REFUSES(pytree_apply(NULL, 1, args, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and its arguments, got NULL");
    REFUSES(pytree_apply(&empty, 1, args, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_ARGUMENT, "",
            "empty: expected a callback (call), got NULL");
    REFUSES(pytree_apply(&dense, 1, args, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_ARGUMENT, "",
            "dense: expected 2 arguments, got 1");
    REFUSES(pytree_apply(&dense, 2, args, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_TYPE, "",
            "dense: argument 0: expected Dense, got f32[2]");
    REFUSES(pytree_apply(&typed, 1, args, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_TYPE, "",
            "typed: result 0: expected f64, got f32[2]");
    REFUSES(pytree_apply(&first, 1, args, PYTREE_ARRAY(y, 1), NULL, &error), PYTREE_SHAPE, "",
            "first: result: expected f32[2], got f32[1]");
    REFUSES(pytree_apply(&first, 1, args, PYTREE_LIST(PYTREE_ARRAY(y, 2)), NULL, &error), PYTREE_STRUCTURE, "",
            "first: result: expected f32[2], got list of length 1");
    REFUSES(pytree_apply(&first, 1, (pytree[1]){ PYTREE_SHAPED(float, 2) }, PYTREE_ARRAY(y, 2), NULL, &error),
            PYTREE_NULL_POINTER, "", "first: argument 0: expected data, got a shape");
    REFUSES(pytree_run(NULL, &error), PYTREE_ARGUMENT, "", "expected a prepared function, got NULL");
    assert_true(y[0] == 0 && y[1] == 0);
}

static void report_problem(void *context, const pytree_error *problem)
{
    char *text = context;
    strcat(strcat(text, problem->path), ";");
}

static void reports_name_every_mismatch(void **state)
{
    char text[200] = "";
    const pytree_fn_options options = { .report = report_problem, .report_context = text };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[2];
    (void)state;
    assert_error(pytree_apply(&identity, 3, (pytree[3]){ PYTREE_ARRAY(x, 2), PYTREE_LIST(PYTREE_INT(1)), PYTREE_INT(2) },
                              PYTREE_TUPLE(PYTREE_LIST(), PYTREE_LIST(PYTREE_NONE), PYTREE_ARRAY(y, 2)), &options, &error),
                 PYTREE_STRUCTURE, "[0]", &error);
    assert_string_equal(text, "[0];[1][0];");
    text[0] = '\0';
    error.status = PYTREE_OK;
    assert_error(pytree_apply(&identity, 2, (pytree[2]){ PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2) },
                              PYTREE_TUPLE(PYTREE_INT(1), PYTREE_ARRAY(y, 1)), &options, &error), PYTREE_TYPE, "[0]", &error);
    assert_string_equal(text, "[0];[1];");
}

/* ---- Memory ---------------------------------------------------------------------------------------------------------- */

static pytree_status body_apply(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    const pytree *args = context;
    float y[3];
    return pytree_apply(&dense, 2, args, PYTREE_ARRAY(y, 3), &options, error);
}

static pytree_status body_new(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    pytree_flat flat = pytree_apply_new(&identity, 2, context, &options, error);
    pytree_flat_free(&flat);
    return error->status;
}

static pytree_status body_shape(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    pytree_flat flat = pytree_eval_shape(&identity, 2, context, &options, error);
    pytree_flat_free(&flat);
    return error->status;
}

static pytree_status body_prepare(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    float y[3];
    pytree_prepared *p = pytree_prepare(&dense, 2, context, PYTREE_ARRAY(y, 3), &options, error);
    pytree_status status = p == NULL ? error->status : pytree_run(p, error);
    if (status == PYTREE_OK) { status = pytree_run_on(p, 2, context, PYTREE_ARRAY(y, 3), error); }
    pytree_prepared_free(p);
    return status;
}

/* More arguments than there is room for without memory. */
static pytree_status many_call(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[at->n_args - 1];
    return PYTREE_OK;
}

static pytree_status body_many(void *context, const pytree_options *opt, pytree_error *error)
{
    static const pytree_fn last = { .name = "last", .call = many_call };
    const pytree_fn_options options = { .tree = *opt };
    float x = 3, y = 0;
    pytree args[12];
    pytree_prepared *p;
    pytree_status status;
    (void)context;
    for (size_t k = 0; k < 12; k++) { args[k] = PYTREE(&x); }
    p = pytree_prepare(&last, 12, args, PYTREE(&y), &options, error);
    status = p == NULL ? error->status : pytree_run_on(p, 12, args, PYTREE(&y), error);
    if (status == PYTREE_OK) { assert_true(y == 3); }
    pytree_prepared_free(p);
    return status;
}

static void memory_runs_out(void **state)
{
    pytree_error error = { 0 };
    const char *word = "word";
    float x[2] = { 1, 2 };
    Layer layer;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree args[2] = { PYTREE_NONE, PYTREE_ARRAY(x, 2) }, texts[2] = { PYTREE(&word), PYTREE_ARRAY(x, 2) };
    (void)state;
    layer_fill(&layer, 1);
    args[0] = PYTREE(&layer.dense);
    assert_true(sweep_allocations(body_apply, args) <= 3);
    assert_true(sweep_allocations(body_new, texts) <= 4);
    sweep_allocations(body_new, args);
    sweep_allocations(body_shape, args);
    sweep_allocations(body_prepare, args);
    assert_true(sweep_allocations(body_many, NULL) > 2);
    assert_ok(pytree_flatten(args[0], &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    args[0] = PYTREE(&flat);
    sweep_allocations(body_apply, args);
    sweep_allocations(body_prepare, args);
    pytree_def_free(def);
}

static void runs_allocate_nothing(void **state)
{
    Heap heap;
    pytree_fn_options options = { 0 };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[3];
    Layer layer;
    pytree_prepared *p;
    size_t calls;
    (void)state;
    layer_fill(&layer, 1);
    heap_init(&heap, HEAP_NEVER_FAILS);
    options.tree.allocator = &heap.allocator;
    p = pytree_prepare(&dense, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), &options,
            &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), &error), &error);
    calls = heap.calls;
    for (int i = 0; i < 10; i++) {
        assert_ok(pytree_run(p, &error), &error);
        assert_ok(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), &error),
                  &error);
    }
    assert_int_equal(heap.calls, calls);
    pytree_prepared_free(p);
    assert_heap_clean(&heap);
}

/* ---- Structs that are built for a call -------------------------------------------------------------------------------- */

/* A number whose type is computed, and one that may be missing. */
typedef struct Chosen { int kind; void *x; } Chosen;
#define PYTREE_STRUCT Chosen
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, x, AS(PYTREE_TYPE(float)))
#include "pytree_registry.h"

static pytree_status look(void *context, const pytree_call *at)
{
    *(void **)context = at->arg[0];
    *(float *)at->res[0] = *(const float *)at->in[0].data;
    return PYTREE_OK;
}

static pytree_status chosen_call(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)((const Chosen *)at->arg[0])->x + 1;
    return PYTREE_OK;
}

/* What a callback is given for a treedef with leaves: nothing where it takes anything, or where leaves do not fit the struct
 * and it has not asked for one. */
static void structs_that_are_not_built(void **state)
{
    void *given = NULL;
    const pytree_fn any = { .name = "any", .call = look, .context = &given, .takes = PYTREE_TYPES(PYTREE_ANY) };
    const pytree_fn open = { .name = "open", .call = look, .context = &given };
    const pytree_fn strict = { .name = "strict", .call = look, .context = &given, .takes = PYTREE_TYPES(PYTREE_TYPE(Dense)) };
    const pytree_fn choose = { .name = "choose", .call = chosen_call, .takes = PYTREE_TYPES(PYTREE_TYPE(Chosen)) };
    pytree_error error = { 0 };
    float y = 0, x = 5;
    Chosen chosen = { 1, &x };
    Layer layer;
    pytree_leaf *leaves = NULL, wrong[4];
    pytree_def *def;
    pytree_flat flat;
    (void)state;
    layer_fill(&layer, 4);
    assert_ok(pytree_flatten(PYTREE(&layer.dense), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    given = &x;
    assert_ok(pytree_apply(&any, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
    assert_null(given);
    assert_ok(pytree_apply(&open, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
    assert_non_null(given);
    memcpy(wrong, leaves, sizeof wrong);
    wrong[2].type = PYTREE_TYPE(double);                       /* the struct has a float there */
    wrong[2].data = &layer.dense.shift[0];
    flat.leaves = wrong;
    assert_ok(pytree_apply(&open, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
    assert_null(given);
    assert_error(pytree_apply(&strict, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), PYTREE_TYPE, NULL, &error);
    assert_int_equal(pytree_apply(&strict, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, NULL), PYTREE_TYPE);
    assert_int_equal(pytree_apply(NULL, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), PYTREE_ARGUMENT);
    assert_int_equal(error.status, PYTREE_TYPE);               /* the first error stays */
    pytree_def_free(def);
    memset(&error, 0, sizeof error);
    leaves = NULL;
    assert_ok(pytree_flatten(PYTREE(&chosen), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    assert_ok(pytree_apply(&open, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
    assert_true(y == 5);
    assert_ok(pytree_apply(&choose, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
    assert_true(y == 6);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_that_are_not_built),
        cmocka_unit_test(structs_arrive_as_structs), cmocka_unit_test(flats_arrive_as_structs),
        cmocka_unit_test(results_are_structs), cmocka_unit_test(calls_have_all_views_of_their_trees),
        cmocka_unit_test(shapes_without_data), cmocka_unit_test(new_results_own_their_texts),
        cmocka_unit_test(prepared_functions_run_often), cmocka_unit_test(shared_memory_is_refused),
        cmocka_unit_test(failures_of_callbacks), cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(reports_name_every_mismatch), cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(runs_allocate_nothing)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
