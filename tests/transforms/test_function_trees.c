/* What functions are called with: trees behind references and views, trees that change from call to call, and what is refused;
 * transforms over the same. */
#include "transforms_shared.h"
#include "pytree/path.h"

static const pytree nowhere = { NULL, NULL };

/* A custom node, and a struct that may hold one. */
typedef struct Wrap { pytree item; } Wrap;

static size_t wrap_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Wrap *)self)->item; }
    return 1;
}
static pytree_status wrap_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)n;
    (void)metadata;
    (void)bytes;
    ((Wrap *)self)->item = children[0];
    return PYTREE_OK;
}
static const pytree_custom wrap_callbacks = { .children = wrap_children, .rebuild = wrap_rebuild };

#define PYTREE_STRUCT Wrap
#define PYTREE_CUSTOM wrap_callbacks
#include "pytree_registry.h"

typedef struct Any { pytree any; } Any;
#define PYTREE_STRUCT Any
#define PYTREE_FIELDS PYTREE_FIELD(DATA, any)
#include "pytree_registry.h"

/* ---- References and views --------------------------------------------------------------------------------------------- */

static void check_dense(pytree layer, const Dense *by_hand)
{
    pytree_error error = { 0 };
    float x[2] = { 3, -1 }, y[3] = { 0 };
    const pytree args[2] = { layer, PYTREE_ARRAY(x, 2) };
    pytree_prepared *p;
    assert_ok(pytree_apply(&dense, 2, args, PYTREE_ARRAY(y, 3), NULL, &error), &error);
    for (int j = 0; j < 3; j++) { assert_true(y[j] == dense_by_hand(by_hand, x, j)); }
    p = pytree_prepare(&dense, 2, args, PYTREE_ARRAY(y, 3), NULL, &error);
    assert_ok(error.status, &error);
    for (x[0] = 0; x[0] < 3; x[0]++) {
        assert_ok((int)x[0] % 2 == 0 ? pytree_run(p, &error) : pytree_run_on(p, 2, args, PYTREE_ARRAY(y, 3), &error), &error);
        for (int j = 0; j < 3; j++) { assert_true(y[j] == dense_by_hand(by_hand, x, j)); }
    }
    pytree_prepared_free(p);
}

static void structs_behind_references(void **state)
{
    Layer layer;
    pytree plain, once, twice;
    pytree_leaf node = { .data = &layer.dense, .type = PYTREE_TYPE(Dense), .form = PYTREE_FORM_STRUCT }, value = node;
    (void)state;
    layer_fill(&layer, 2);
    value.form = PYTREE_FORM_LEAF;
    plain = PYTREE(&layer.dense);
    once = PYTREE(&plain);
    twice = PYTREE(&once);
    check_dense(once, &layer.dense);
    check_dense(twice, &layer.dense);
    check_dense(PYTREE(&node), &layer.dense);
    check_dense(PYTREE(&value), &layer.dense);
    node.form = PYTREE_FORM_LIST;             /* of no structs: no struct */
    node.ndim = 1;
    {
        pytree_error error = { 0 };
        float x[2] = { 1, 2 }, y[3];
        REFUSES(pytree_apply(&dense, 2, (pytree[2]){ PYTREE(&node), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL, &error),
                PYTREE_TYPE, "", "dense: argument 0: expected Dense, got list of length 0");
    }
}

static void references_that_lead_nowhere(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[2];
    pytree self = nowhere;
    pytree_leaf *no_view = NULL;
    pytree *no_tree = NULL;
    (void)state;
    self = PYTREE(&self);
    REFUSES(pytree_apply(&first, 1, &self, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_CYCLE, "[0]",
            "expected a value, got a reference that leads to itself");
    REFUSES(pytree_apply(&first, 1, &nowhere, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_NULL_POINTER, "[0]",
            "expected a tree, got a pytree without a type");
    REFUSES(pytree_apply(PYTREE_VMAP(&first, .in_axes = PYTREE((pytree *)(uintptr_t)&nowhere)), 1,
                         (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2), NULL, &error), PYTREE_NULL_POINTER, "",
            "expected a tree, got a pytree without a type");
    REFUSES(pytree_apply(PYTREE_VMAP(&first, .in_axes = self), 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2), NULL,
                         &error), PYTREE_CYCLE, "", "expected a value, got a reference that leads to itself");
    REFUSES(pytree_apply(&first, 1, (pytree[1]){ PYTREE(no_view) }, PYTREE_NONE, NULL, &error), PYTREE_NULL_POINTER, "[0]",
            "expected a pytree_leaf, got NULL (OPTIONAL allows it)");
    REFUSES(pytree_apply(&first, 1, (pytree[1]){ PYTREE(no_tree) }, PYTREE_NONE, NULL, &error), PYTREE_NULL_POINTER, "[0]",
            "expected a pytree, got NULL (OPTIONAL allows it)");
}

/* Counts the leaves of argument 0, which is no struct. */
static pytree_status count_call(void *context, const pytree_call *at)
{
    (void)context;
    if (at->arg[0] != NULL) { return PYTREE_VALUE; }
    *(double *)at->res[0] = (double)at->n_in;
    return PYTREE_OK;
}
static const pytree_fn count = { .name = "count", .call = count_call, .shape = pytree_result_f64 };

/* The sum of the two numbers under 'k' in a struct of any tree. */
static pytree_status sum_call(void *context, const pytree_call *at)
{
    const Any *any = at->arg[0];
    const pytree_leaf k = pytree_at(PYTREE((Any *)(uintptr_t)any), ".any['k']", NULL, at->err);
    (void)context;
    if (k.data == NULL) { return at->err->status; }
    *(double *)at->res[0] = pytree_leaf_get(&k, 0) + pytree_leaf_get(&k, 1);
    return PYTREE_OK;
}
static const pytree_fn sum_of_any = { .name = "sum", .call = sum_call, .shape = pytree_result_f64,
                                      .takes = PYTREE_TYPES(PYTREE_TYPE(Any)) };

/* A custom node is no struct, and not found in a struct that is built for the call. */
static void custom_nodes(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 };
    double y = 0;
    Wrap wrap = { PYTREE_ARRAY(x, 2) };
    Any with_dict = { PYTREE_DICT({ "k", PYTREE_ARRAY(x, 2) }) }, with_wrap = { PYTREE(&wrap) };
    pytree_leaf node = { .data = &wrap, .type = PYTREE_TYPE(Wrap), .form = PYTREE_FORM_STRUCT };
    (void)state;
    assert_ok(pytree_apply(&count, 1, (pytree[1]){ PYTREE(&node) }, PYTREE(&y), NULL, &error), &error);
    assert_true(y == 1);
    for (int i = 0; i < 2; i++) {
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        pytree_flat flat;
        assert_ok(pytree_flatten(PYTREE(i == 0 ? &with_dict : &with_wrap), &leaves, 0, &def, NULL, &error), &error);
        flat = (pytree_flat){ def, leaves };
        if (i == 0) {
            assert_ok(pytree_apply(&sum_of_any, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
            assert_true(y == 3);
        } else {
            REFUSES(pytree_apply(&sum_of_any, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), PYTREE_ARGUMENT, "",
                    "sum: expected a Any without custom nodes, got one that has some");
            error.status = PYTREE_OK;
            assert_ok(pytree_apply(&count, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
            assert_true(y == 1);          /* it takes anything, and is given no struct */
        }
        pytree_def_free(def);
    }
}

/* Trees and views in lists and maps. */
typedef struct { char *key; pytree value; } Named;
typedef struct Many { int n; pytree *list; pytree_leaf *views; Named *map; } Many;
#define PYTREE_STRUCT Many
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, list, LIST(self->n))                                                                             \
    PYTREE_FIELD(DATA, views, LIST(self->n))                                                                            \
    PYTREE_FIELD(DATA, map, STB_MAP)
#include "pytree_registry.h"

static double first_of(pytree t)
{
    const pytree_leaf leaf = pytree_get(t, &(pytree_path){ 0, NULL }, NULL, NULL);
    assert_non_null(leaf.data);
    return pytree_leaf_get(&leaf, 0);
}

/* The first elements of all arrays in it, as the digits of a number. */
static pytree_status digits_call(void *context, const pytree_call *at)
{
    const Many *many = at->arg[0];
    double number = 0;
    (void)context;
    for (int i = 0; i < many->n; i++) { number = 10 * number + first_of(many->list[i]); }
    for (int i = 0; i < many->n; i++) { number = 10 * number + pytree_leaf_get(&many->views[i], 0); }
    *(double *)at->res[0] = 10 * number + first_of(many->map[0].value);
    return PYTREE_OK;
}
static const pytree_fn digits = { .name = "digits", .call = digits_call, .shape = pytree_result_f64,
                                  .takes = PYTREE_TYPES(PYTREE_TYPE(Many)) };

static void trees_in_lists(void **state)
{
    pytree_error error = { 0 };
    float x[5] = { 1, 2, 3, 4, 5 };
    double y = 0;
    pytree list[2] = { PYTREE_ARRAY(x, 1), PYTREE_ARRAY(x + 1, 1) };
    pytree_leaf views[2] = { { .data = x + 2, .type = PYTREE_TYPE(float) }, { .data = x + 3, .type = PYTREE_TYPE(float) } };
    Many many = { 2, list, views, NULL };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree_prepared *p;
    (void)state;
    shput(many.map, "k", PYTREE_ARRAY(x + 4, 1));
    assert_ok(pytree_flatten(PYTREE(&many), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    p = pytree_prepare(&digits, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_run(p, &error), &error);
    assert_true(y == 12345);
    x[0] = 9;
    assert_ok(pytree_run(p, &error), &error);
    assert_true(y == 92345);
    pytree_prepared_free(p);
    pytree_def_free(def);
    shfree(many.map);
}

/* ---- Other trees than those that were prepared ------------------------------------------------------------------------- */

static void structs_are_asked_for_again(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[3];
    Layer layer, to;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree_prepared *p;
    (void)state;
    layer_fill(&layer, 2);
    layer_fill(&to, 0);
    assert_ok(pytree_flatten(PYTREE(&layer.dense), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    p = pytree_prepare(&dense, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL, &error);
    REFUSES(pytree_run_on(p, 2, (pytree[2]){ PYTREE(&flat), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), &error), PYTREE_ARGUMENT,
            "", "dense: expected a struct for argument or part 0, as it was prepared with, got another tree");
    REFUSES(pytree_run_on(p, 2, NULL, PYTREE_ARRAY(y, 3), &error), PYTREE_ARGUMENT, "",
            "expected a prepared function and 2 arguments, got 2");
    REFUSES(pytree_run_on(NULL, 2, NULL, PYTREE_ARRAY(y, 3), &error), PYTREE_ARGUMENT, "",
            "expected a prepared function and 0 arguments, got 2");
    error.status = PYTREE_OK;
    assert_ok(pytree_run(p, &error), &error);                  /* still on what it was prepared with */
    for (int j = 0; j < 3; j++) { assert_true(y[j] == dense_by_hand(&layer.dense, x, j)); }
    pytree_prepared_free(p);
    /* a result that is built, and copied into leaves after each call */
    p = pytree_prepare(&grow, 1, (pytree[1]){ PYTREE(&to.dense) }, PYTREE(&flat), NULL, &error);
    assert_ok(error.status, &error);
    for (int i = 1; i < 4; i++) {
        to.dense.scale = (float)i;
        assert_ok(pytree_run(p, &error), &error);
        assert_true(layer.dense.scale == (float)(2 * i) && layer.b[1] == 3);
    }
    pytree_prepared_free(p);
    pytree_def_free(def);
}

static pytree_status three_call(void *context, const pytree_call *at)
{
    (void)context;
    *(double *)at->res[0] = 3;
    return PYTREE_OK;
}
static pytree_status three_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_SHAPED(double));
}
static const pytree_fn three = { .name = "three", .call = three_call, .shape = three_shape };

static void functions_without_arguments(void **state)
{
    pytree_error error = { 0 };
    double x = 0;
    pytree_prepared *p;
    pytree_jit *jit = pytree_jit_new(&three, 1, NULL, &error);
    (void)state;
    assert_ok(pytree_apply(&three, 0, NULL, PYTREE(&x), NULL, &error), &error);
    assert_true(x == 3);
    x = 0;
    assert_ok(pytree_jit_call(jit, 0, NULL, PYTREE(&x), &error), &error);
    assert_true(x == 3);
    x = 0;
    p = pytree_prepare(&three, 0, NULL, PYTREE(&x), NULL, &error);
    assert_ok(pytree_run_on(p, 0, NULL, PYTREE(&x), &error), &error);
    assert_true(x == 3);
    REFUSES(pytree_apply(&three, 1, NULL, PYTREE(&x), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and its arguments, got NULL");
    REFUSES(pytree_jit_call(jit, 1, NULL, PYTREE(&x), &error), PYTREE_ARGUMENT, "",
            "expected a function and its arguments, got NULL");
    REFUSES(pytree_jit_call(NULL, 0, NULL, PYTREE(&x), &error), PYTREE_ARGUMENT, "",
            "expected a function and its arguments, got NULL");
    pytree_prepared_free(p);
    pytree_jit_free(jit);
}

/* A result that lies between the arguments, where none is, and around one. */
static void results_beside_arguments(void **state)
{
    pytree_error error = { 0 };
    float all[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    (void)state;
    assert_ok(pytree_apply(&first, 2, (pytree[2]){ PYTREE_ARRAY(all, 2), PYTREE_ARRAY(all + 4, 2) }, PYTREE_ARRAY(all + 2, 2),
                           NULL, &error), &error);
    assert_true(all[2] == 1 && all[3] == 2 && all[4] == 5);
    REFUSES(pytree_apply(&first, 2, (pytree[2]){ PYTREE_ARRAY(all, 2), PYTREE(&all[3]) }, PYTREE_ARRAY(all + 2, 2), NULL,
                         &error), PYTREE_SHARED, "", "first: result: expected memory of its own, got that of argument [1]");
}

/* ---- Transforms --------------------------------------------------------------------------------------------------------- */

static void axes_that_are_refused(void **state)
{
    pytree_error error = { 0 };
    float x[2][2] = { { 1, 2 }, { 3, 4 } }, y[4];
    int axes[2] = { 0, 0 };
    bool flags[2] = { true, true };
    const char *name = NULL;
    pytree_leaf leaf = { .data = &name, .type = &pytree_types[PYTREE__T_string] };
    const pytree_flat named = { &pytree_leaf_def, &leaf };
    const pytree list = PYTREE_LIST(PYTREE(&x[0][0]), PYTREE(&x[1][0]));
    (void)state;
    REFUSES(pytree_apply(PYTREE_VMAP(&first, .in_axes = PYTREE_ARRAY(axes, 2)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 2) },
                         PYTREE_ARRAY(y, 2, 2), NULL, &error), PYTREE_TYPE, "",
            "vmap of first: in_axes: expected an integer or None, got i32[2]");
    REFUSES(pytree_apply(PYTREE_VMAP(&first, .in_axes = PYTREE_BOOL(true)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 2) },
                         PYTREE_ARRAY(y, 2, 2), NULL, &error), PYTREE_TYPE, "",
            "vmap of first: in_axes: expected an integer or None, got True");
    REFUSES(pytree_apply(PYTREE_VMAP(&first, .in_axes = PYTREE_FLOAT(1)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 2) },
                         PYTREE_ARRAY(y, 2, 2), NULL, &error), PYTREE_TYPE, "",
            "vmap of first: in_axes: expected an integer or None, got 1.0");
    REFUSES(pytree_apply(PYTREE_BATCH(&first, .in_axes = PYTREE_ARRAY(flags, 2)), 1, &list, list, NULL, &error), PYTREE_TYPE,
            "[0]", "batch of first: in_axes: expected a bool, got bool[2]");
    REFUSES(pytree_apply(PYTREE_BATCH(&first, .in_axes = PYTREE_INT(1)), 1, &list, list, NULL, &error), PYTREE_TYPE, "[0]",
            "batch of first: in_axes: expected a bool, got i64");
    REFUSES(pytree_apply(PYTREE_SWITCH(&first), 2, (pytree[2]){ PYTREE_BOOL(true), PYTREE(&x[0][0]) }, PYTREE(&y[0]), NULL,
                         &error), PYTREE_TYPE, "[0]", "switch: expected one integer, got bool");
    REFUSES(pytree_apply(PYTREE_SWITCH(&first), 2, (pytree[2]){ PYTREE_FLOAT(0), PYTREE(&x[0][0]) }, PYTREE(&y[0]), NULL,
                         &error), PYTREE_TYPE, "[0]", "switch: expected one integer, got f64");
    REFUSES(pytree_apply(PYTREE_SELECT(&first), 2, (pytree[2]){ PYTREE(&named), PYTREE(&x[0][0]) }, PYTREE(&y[0]), NULL,
                         &error), PYTREE_NOT_FOUND, "[0]", "select: expected 'first', got ''");
}

/* Functions that do not say what they give are told by the caller's tree. */
static pytree_status untold_call(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[0] + 1;
    return PYTREE_OK;
}
static pytree_status untold_pair(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(float *)at->res[1] = *(const float *)at->arg[0] + *(const float *)at->arg[1];
    return PYTREE_OK;
}

static void functions_that_do_not_say(void **state)
{
    const pytree_fn untold = { .name = "untold", .call = untold_call }, pair = { .name = "pair", .call = untold_pair };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[3], sum = 0, start = 0;
    const pytree scan[2] = { PYTREE(&start), PYTREE_ARRAY(x, 2) }, pick[2] = { PYTREE_INT(0), PYTREE(&x[0]) };
    pytree_flat none;
    (void)state;
    assert_ok(pytree_apply(PYTREE_SWITCH(&untold), 2, pick, PYTREE(&y[0]), NULL, &error), &error);
    assert_true(y[0] == 2);
    none = pytree_apply_new(PYTREE_SWITCH(&untold), 2, pick, NULL, &error);
    assert_null(none.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "switch: expected a function that says what it gives (shape), got untold");
    error.status = PYTREE_OK;
    assert_ok(pytree_apply(PYTREE_SCAN(&pair), 2, scan, PYTREE_TUPLE(PYTREE(&sum), PYTREE_ARRAY(y, 2)), NULL, &error), &error);
    assert_true(sum == 3 && y[0] == 1 && y[1] == 3);
    REFUSES(pytree_apply(PYTREE_SCAN(&pair), 2, scan, PYTREE_TUPLE(PYTREE(&sum), PYTREE_ARRAY(y, 3)), NULL, &error),
            PYTREE_SHAPE, "[1]", "scan of pair: result: expected 2 along axis 0, got f32[3]");
    REFUSES(pytree_apply(PYTREE_SCAN(&pair), 2, scan, PYTREE_TUPLE(PYTREE(&sum), PYTREE(&y[0])), NULL, &error),
            PYTREE_SHAPE, "[1]", "scan of pair: result: expected 2 along axis 0, got f32");
}

/* A batch rule alone says what a map gives, and must give all elements. */
static pytree_status rule_shape(void *context, const pytree_call *at)
{
    return pytree_result_like(at, *(const pytree *)context);
}
static pytree_status rule_call(void *context, const pytree_call *at)
{
    const float *x = at->arg[0];
    float *y = at->res[0];
    (void)context;
    for (size_t i = 0; i < 4; i++) { y[i] = 2 * x[i]; }
    return PYTREE_OK;
}

static void batch_rules_that_say(void **state)
{
    const pytree fits = PYTREE_SHAPED(float, 4), number = PYTREE_SHAPED(float), fewer = PYTREE_SHAPED(float, 3);
    pytree_fn rule = { .name = "rule", .call = rule_call, .shape = rule_shape, .context = (void *)(uintptr_t)&fits };
    const pytree_fn f = { .name = "f", .call = untold_call, .batch = &rule };
    pytree_error error = { 0 };
    float x[4] = { 1, 2, 3, 4 };
    const pytree args[1] = { PYTREE_ARRAY(x, 4) };
    pytree_flat out = pytree_apply_new(PYTREE_VMAP(&f), 1, args, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    for (size_t i = 0; i < 4; i++) { assert_true(((const float *)out.leaves[0].data)[i] == 2 * x[i]); }
    pytree_flat_free(&out);
    for (int i = 0; i < 2; i++) {
        rule.context = (void *)(uintptr_t)(i == 0 ? &number : &fewer);
        out = pytree_apply_new(PYTREE_VMAP(&f), 1, args, NULL, &error);
        assert_null(out.def);
        assert_error(error.status, PYTREE_SHAPE, "", &error);
        assert_string_equal(error.message, "vmap of f: batch rule: expected a first axis of 4");
        memset(&error, 0, sizeof error);
    }
}

/* Leaves that have no elements move nowhere, along any axis. */
static void empty_leaves(void **state)
{
    pytree_error error = { 0 };
    float x[1] = { 7 };
    const pytree args[1] = { PYTREE_ARRAY(x, 2, 3, 0) };
    pytree_flat out = pytree_apply_new(PYTREE_VMAP(&first, .in_axes = PYTREE_INT(1)), 1, args, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(out.leaves[0].ndim, 3);
    assert_int_equal(out.leaves[0].shape[0], 3);
    assert_int_equal(out.leaves[0].shape[1], 2);
    pytree_flat_free(&out);
}

/* Containers whose elements are none of leaves only are no batch by themselves: the lists in them are. */
static void batches_in_containers(void **state)
{
    pytree_error error = { 0 };
    float x[4] = { 1, 2, 3, 4 };
    const pytree args[1] = { PYTREE_LIST(PYTREE_LIST(PYTREE(&x[0]), PYTREE(&x[1])),
                                         PYTREE_LIST(PYTREE(&x[2]), PYTREE(&x[3]))) };
    const pytree odd[1] = { PYTREE_LIST(PYTREE_LIST(), PYTREE_LIST(PYTREE(&x[0]), PYTREE_NONE)) };
    char text[200];
    pytree_flat out = pytree_apply_new(PYTREE_BATCH(&first), 1, args, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(pytree_text(PYTREE(&out), text, sizeof text, NULL, &error) != SIZE_MAX);
    assert_string_equal(text, "[0][0]  f32 1.0\n[0][1]  f32 2.0\n[1][0]  f32 3.0\n[1][1]  f32 4.0\n");
    pytree_flat_free(&out);
    out = pytree_apply_new(PYTREE_BATCH(&first), 1, odd, NULL, &error);
    assert_null(out.def);
    assert_error(error.status, PYTREE_STRUCTURE, "[0][1][0]", &error);
    assert_string_equal(error.message, "batch of first: expected a container with an element for each call, got f32");
}

/* An argument that is not batched may be None where the structure of one element has a leaf. */
static void batches_beside_none(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 };
    bool yes = true, no = false;
    const pytree args[2] = { PYTREE_LIST(PYTREE(&x[0]), PYTREE(&x[1])), PYTREE_NONE };
    const pytree axes = PYTREE_TUPLE(PYTREE(&yes), PYTREE(&no));
    pytree_def *like = pytree_structure(PYTREE_TUPLE(PYTREE(&x[0]), PYTREE(&x[1])), NULL, &error);
    pytree_flat out = pytree_apply_new(PYTREE_BATCH(&first, .like = like, .in_axes = axes), 2, args, NULL, &error);
    char text[100];
    (void)state;
    assert_ok(error.status, &error);
    assert_true(pytree_text(PYTREE(&out), text, sizeof text, NULL, &error) != SIZE_MAX);
    assert_string_equal(text, "[0]  f32 1.0\n[1]  f32 2.0\n");
    pytree_flat_free(&out);
    pytree_def_free(like);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_behind_references), cmocka_unit_test(references_that_lead_nowhere),
        cmocka_unit_test(custom_nodes), cmocka_unit_test(trees_in_lists),
        cmocka_unit_test(structs_are_asked_for_again), cmocka_unit_test(functions_without_arguments),
        cmocka_unit_test(results_beside_arguments), cmocka_unit_test(axes_that_are_refused),
        cmocka_unit_test(functions_that_do_not_say), cmocka_unit_test(batch_rules_that_say), cmocka_unit_test(empty_leaves),
        cmocka_unit_test(batches_in_containers), cmocka_unit_test(batches_beside_none)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
