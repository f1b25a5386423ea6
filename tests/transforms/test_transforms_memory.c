/* Functions and transforms, each allocation failing once. What a call prepares is taken from the allocator piece by piece here,
 * not in chunks, so that each piece fails. */
#define TEST_WATCHED_BODIES
#include "transforms_shared.h"

/* A function with arguments, and a result for it. */
typedef struct Call {
    const pytree_fn *f;
    size_t n;
    const pytree *args;
    pytree out;
    const pytree_executor *executor;
} Call;

static pytree_status sweep_apply(void *context, const pytree_options *opt, pytree_error *err)
{
    const Call *c = context;
    return pytree_apply(c->f, c->n, c->args, c->out, &(pytree_fn_options){ .tree = *opt, .executor = c->executor }, err);
}
static pytree_status sweep_new(void *context, const pytree_options *opt, pytree_error *err)
{
    const Call *c = context;
    pytree_flat out = pytree_apply_new(c->f, c->n, c->args, &(pytree_fn_options){ .tree = *opt, .executor = c->executor }, err);
    pytree_flat_free(&out);
    return err->status;
}
static pytree_status sweep_runs(void *context, const pytree_options *opt, pytree_error *err)
{
    const Call *c = context;
    const pytree_fn_options options = { .tree = *opt, .executor = c->executor };
    pytree_prepared *p = pytree_prepare(c->f, c->n, c->args, c->out, &options, err);
    pytree_jit *jit = p == NULL ? NULL : pytree_jit_new(c->f, 1, &options, err);
    if (jit != NULL && pytree_run(p, err) == PYTREE_OK && pytree_run_on(p, c->n, c->args, c->out, err) == PYTREE_OK) {
        (void)pytree_jit_call(jit, c->n, c->args, c->out, err);
    }
    pytree_prepared_free(p);
    pytree_jit_free(jit);
    return err->status;
}

static void sweep(const pytree_fn *f, size_t n, const pytree *args, pytree out, const pytree_executor *executor, bool says)
{
    Call call = { f, n, args, out, executor };
    assert_true(sweep_allocations(sweep_apply, &call) > 3);
    assert_true(sweep_allocations(sweep_runs, &call) > 6);
    if (says) { assert_true(sweep_allocations(sweep_new, &call) > 3); }
}

static void one_after_the_other(void *context, size_t n, void (*task)(void *arg, size_t i), void *data)
{
    (void)context;
    for (size_t i = 0; i < n; i++) { task(data, i); }
}

/* A struct around a tree, and a function that is given one. */
typedef struct Boxed { pytree tree; } Boxed;
#define PYTREE_STRUCT Boxed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tree)
#include "pytree_registry.h"

static pytree_status boxed_call(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->in[0].data;
    return PYTREE_OK;
}
static const pytree_fn boxed_sum = { .name = "boxed", .call = boxed_call, .shape = pytree_result_f32,
                                     .takes = PYTREE_TYPES(PYTREE_TYPE(Boxed)) };

static void structs_and_flats(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[3];
    const char *words[2] = { "one", "two" }, *read[2];
    Layer layer, to;
    pytree_leaf *leaves = NULL, *to_leaves = NULL, numbers[4], to_numbers[4];
    pytree_def *def, *to_def;
    pytree_flat flat, to_flat, other, to_other;
    pytree_fn grown = grow;
    (void)state;
    grown.takes = NULL;                   /* it is also given how often it has been called */
    layer_fill(&layer, 1);
    layer_fill(&to, 0);
    assert_ok(pytree_flatten(PYTREE(&layer.dense), &leaves, 0, &def, NULL, &error), &error);
    assert_ok(pytree_flatten(PYTREE(&to.dense), &to_leaves, 0, &to_def, NULL, &error), &error);
    memcpy(numbers, leaves, sizeof numbers);                   /* of a type that no Dense has */
    memcpy(to_numbers, to_leaves, sizeof to_numbers);
    numbers[2].type = to_numbers[2].type = PYTREE_TYPE(int32_t);
    other = (pytree_flat){ def, numbers };
    to_other = (pytree_flat){ to_def, to_numbers };
    flat = (pytree_flat){ def, leaves };
    to_flat = (pytree_flat){ to_def, to_leaves };
    sweep(&dense, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL, true);
    sweep(&dense, 2, (pytree[2]){ PYTREE(&flat), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), NULL, true);
    sweep(&grow, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&to_flat), NULL, false);
    sweep(&first, 1, (pytree[1]){ PYTREE(&other) }, PYTREE(&to_other), NULL, true);
    sweep(&identity, 2, (pytree[2]){ PYTREE_ARRAY(words, 2), PYTREE_ARRAY(x, 2) },
          PYTREE_TUPLE(PYTREE_ARRAY(read, 2), PYTREE_ARRAY(y, 2)), NULL, true);
    sweep(PYTREE_WHILE(&small, &grow, .max_iters = 3), 1, (pytree[1]){ PYTREE(&layer.dense) }, PYTREE(&to.dense), NULL, false);
    sweep(PYTREE_WHILE(&small, &grow, .max_iters = 3), 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&to_flat), NULL, false);
    sweep(PYTREE_FORI(&grown, .to = 2), 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&to_flat), NULL, false);
    pytree_def_free(def);
    pytree_def_free(to_def);
}

static void maps_and_loops(void **state)
{
    const pytree_executor executor = { one_after_the_other, NULL, 2 };
    float carry[2][2] = { { 0, 1 }, { 1, 1 } }, xs[2][2] = { { 1, 2 }, { 3, 4 } }, a[2][2], b[2][2];
    float same[4] = { 5, 5, 5, 5 };
    Layer layer, to;
    const pytree args[2] = { PYTREE_ARRAY(carry[0], 2, 2), PYTREE_ARRAY(xs[0], 2, 2) };
    const pytree out = PYTREE_TUPLE(PYTREE_ARRAY(a[0], 2, 2), PYTREE_ARRAY(b[0], 2, 2));
    const pytree_fn *const each[] = { PYTREE_SCAN(PYTREE_VMAP(&step)), PYTREE_VMAP(PYTREE_SCAN(&step)), PYTREE_VMAP(&identity),
                                      PYTREE_VMAP(&identity, .in_axes = PYTREE_INT(1), .out_axes = PYTREE_INT(-1)) };
    (void)state;
    layer_fill(&layer, 1);
    layer_fill(&to, 0);
    for (size_t i = 0; i < COUNT_OF(each); i++) {
        sweep(each[i], 2, args, out, NULL, true);
        sweep(each[i], 2, args, out, &executor, true);
    }
    sweep(PYTREE_VMAP(&first, .out_axes = PYTREE_NONE), 1, (pytree[1]){ PYTREE_ARRAY(same, 4) }, PYTREE(&a[0][0]), &executor,
          true);
    sweep(PYTREE_WHILE(&small, &grow, .max_iters = 2, .in_place = true), 1, (pytree[1]){ PYTREE(&layer.dense) },
          PYTREE(&to.dense), NULL, false);
}

/* Axes that are no prefix of the arguments are refused, unless memory runs out before that is known. */
static void axes_that_are_no_prefix(void **state)
{
    float x[2] = { 1, 2 }, y[2];
    size_t failed = 0;
    const pytree axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_INT(0)), args[1] = { PYTREE_ARRAY(x, 2) };
    (void)state;
    for (size_t n = 0;; n++) {
        Heap heap;
        pytree_error error = { 0 };
        pytree_fn_options opt = { 0 };
        pytree_status status;
        heap_init(&heap, n);
        opt.tree.allocator = &heap.allocator;
        status = pytree_apply(PYTREE_VMAP(&first, .in_axes = axes), 1, args, PYTREE_ARRAY(y, 2), &opt, &error);
        assert_heap_clean(&heap);
        if (heap.calls <= n || status != PYTREE_NO_MEMORY) {
            assert_error(status, PYTREE_STRUCTURE, "", &error);
            assert_string_equal(error.message, "vmap of first: in_axes: different lengths: expected tuple of length 2, got "
                                               "tuple of length 1");
            if (heap.calls <= n) { break; }
        } else {
            assert_error(status, PYTREE_NO_MEMORY, NULL, &error);
            failed++;
        }
    }
    assert_true(failed > 5);
}

/* A call that is refused for another reason than memory once there is enough of it. */
typedef struct Refused { Call call; pytree_status status; } Refused;
static pytree_status sweep_refused(void *context, const pytree_options *opt, pytree_error *err)
{
    const Refused *c = context;
    const pytree_status status = sweep_apply((void *)(uintptr_t)&c->call, opt, err);
    if (status != c->status) { return status; }
    memset(err, 0, sizeof *err);
    return PYTREE_OK;
}

static pytree_status list_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_LIST(PYTREE_SHAPED(float, 2)));
}

static void refused_calls(void **state)
{
    const pytree_fn lists = { .name = "lists", .call = first_call, .shape = list_shape };
    float x[2] = { 1, 2 }, y[3] = { 0 };
    const pytree sizes[2] = { PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 3) };
    Refused differ = { { PYTREE_VMAP(&identity), 2, sizes, PYTREE_TUPLE(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 3)), NULL },
                       PYTREE_SHAPE };
    Refused other = { { &lists, 1, sizes, PYTREE_ARRAY(y, 2), NULL }, PYTREE_STRUCTURE };
    (void)state;
    assert_true(sweep_allocations(sweep_refused, &differ) > 3);
    assert_true(sweep_allocations(sweep_refused, &other) > 3);
}

/* Many results, dicts whose keys are not in their order, long lists, deep structs, maps of several elements. */
static void large_calls(void **state)
{
    enum { MANY = 100, DEEP = 60 };
    float x[MANY], y[MANY], carry[2] = { 0, 1 }, last[2], xs[3] = { 1, 2, 3 }, ys[3];
    pytree from[MANY], to[MANY], chain[DEEP];
    pytree_items items = { .count = MANY, .items = from }, results = { .count = MANY, .items = to }, links[DEEP];
    const pytree_type *list = PYTREE_LIST().type;
    const pytree swapped = PYTREE_DICT({ "b", PYTREE(&x[0]) }, { "a", PYTREE(&x[1]) });
    const pytree to_swapped = PYTREE_DICT({ "b", PYTREE(&y[0]) }, { "a", PYTREE(&y[1]) });
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    Boxed boxed;
    Call deep;
    pytree_error error = { 0 };
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        x[i] = (float)i + 1;
        from[i] = PYTREE(&x[i]);
        to[i] = PYTREE(&y[i]);
    }
    sweep(&first, 1, (pytree[1]){ { list, &items } }, (pytree){ list, &results }, NULL, true);
    sweep(&identity, 2, (pytree[2]){ swapped, PYTREE(&x[2]) }, PYTREE_TUPLE(to_swapped, PYTREE(&y[2])), NULL, true);
    sweep(PYTREE_VMAP(&first), 1, (pytree[1]){ PYTREE_ARRAY(x, 10) }, PYTREE_ARRAY(y, 10), NULL, true);
    sweep(PYTREE_SCAN(&step, .in_place = true), 2, (pytree[2]){ PYTREE_ARRAY(carry, 2), PYTREE_ARRAY(xs, 3) },
          PYTREE_TUPLE(PYTREE_ARRAY(last, 2), PYTREE_ARRAY(ys, 3)), NULL, true);
    for (size_t i = 0; i < DEEP; i++) {
        links[i] = (pytree_items){ .count = 1, .items = i == 0 ? from : &chain[i - 1] };
        chain[i] = (pytree){ list, &links[i] };
    }
    boxed.tree = chain[DEEP - 1];
    assert_ok(pytree_flatten(PYTREE(&boxed), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    deep = (Call){ &boxed_sum, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y[0]), NULL };
    assert_true(sweep_allocations(sweep_apply, &deep) > 3);
    assert_ok(sweep_runs(&deep, &(pytree_options){ .is_leaf = NULL }, &error), &error);
    assert_true(y[0] == 1);
    pytree_def_free(def);
}

static void branches_and_batches(void **state)
{
    const pytree_executor executor = { one_after_the_other, NULL, 2 };
    float x[2] = { 1, 2 }, y[4];
    const pytree_fn other = { .name = "other", .call = first_call, .shape = pytree_result_first };
    const pytree list[1] = { PYTREE_LIST(PYTREE(&x[0]), PYTREE(&x[1])) };
    (void)state;
    sweep(PYTREE_COND(&first, &first), 2, (pytree[2]){ PYTREE_BOOL(true), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2), NULL, true);
    sweep(PYTREE_SWITCH(&first, &first), 2, (pytree[2]){ PYTREE_INT(1), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2), NULL, true);
    sweep(PYTREE_SELECT(&first, &other), 2, (pytree[2]){ PYTREE_STR("first"), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2), NULL,
          false);
    sweep(PYTREE_VMAP(PYTREE_BATCH(&first)), 1, (pytree[1]){ PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2)) },
          PYTREE_LIST(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(y + 2, 2)), &executor, true);
    sweep(PYTREE_BATCH(&first), 1, list, PYTREE_LIST(PYTREE(&y[0]), PYTREE(&y[1])), NULL, true);
    sweep(PYTREE_BATCH(PYTREE_BATCH(&first)), 1, (pytree[1]){ PYTREE_LIST(list[0], list[0]) },
          PYTREE_LIST(PYTREE_LIST(PYTREE(&y[0]), PYTREE(&y[1])), PYTREE_LIST(PYTREE(&y[2]), PYTREE(&y[3]))), NULL, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_and_flats), cmocka_unit_test(refused_calls), cmocka_unit_test(large_calls),
        cmocka_unit_test(maps_and_loops), cmocka_unit_test(axes_that_are_no_prefix),
        cmocka_unit_test(branches_and_batches)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
