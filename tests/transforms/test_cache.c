/* Values kept by structure, types and shapes; functions prepared once for each. */
#include "transforms_shared.h"

typedef struct Two { float a, b; } Two;
#define PYTREE_STRUCT Two
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"
#define PYTREE_STRUCT Two
#define PYTREE_NAMESPACE open
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct Log {
    size_t made, released;
    size_t last;                          /* the value released last */
    pytree_status status;                 /* what make returns */
} Log;

static pytree_status make_count(void *context, const pytree_flat *key, void **value, pytree_error *err)
{
    Log *log = context;
    (void)err;
    for (size_t i = 0; i < key->def->n_leaves; i++) { assert_null(key->leaves[i].data); }
    if (log->status == PYTREE_OK) { *value = (void *)(uintptr_t)++log->made; }
    return log->status;
}

static void release_count(void *context, void *value)
{
    Log *log = context;
    log->released++;
    log->last = (size_t)(uintptr_t)value;
}

static size_t get(pytree_cache *cache, pytree key, Log *log)
{
    pytree_error error = { 0 };
    const size_t value = (size_t)(uintptr_t)pytree_cache_get(cache, key, make_count, log, &error);
    assert_ok(error.status, &error);
    return value;
}

/* The sum of all leaves that are one float. */
static pytree_status total_call(void *context, const pytree_call *at)
{
    float *sum = at->res[0];
    (void)context;
    *sum = 0;
    for (size_t k = 0; k < at->n_in; k++) {
        if (at->in[k].ndim == 0 && at->in[k].type == PYTREE_TYPE(float)) { *sum += *(const float *)at->in[k].data; }
    }
    return PYTREE_OK;
}
static const pytree_fn total = { .name = "total", .call = total_call, .shape = pytree_result_f32 };

static void keys_are_structures_types_and_shapes(void **state)
{
    Log log = { 0 };
    pytree_error error = { 0 };
    pytree_cache *cache = pytree_cache_new(NULL, &error);
    float f[6] = { 1, 2, 3, 4, 5, 6 };
    double d[6] = { 1 };
    Config config = { .width = 1, .activation = "relu" }, wide = { .width = 2, .activation = "relu" };
    Layer layer;
    (void)state;
    layer_fill(&layer, 1);
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 6), &log), 1);
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 2, 3), &log), 2);
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 3, 2), &log), 3);
    assert_int_equal(get(cache, PYTREE_ARRAY(d, 6), &log), 4);
    assert_int_equal(get(cache, PYTREE_LIST(PYTREE_ARRAY(f, 6)), &log), 5);
    assert_int_equal(get(cache, PYTREE_TUPLE(PYTREE_ARRAY(f, 6)), &log), 6);
    assert_int_equal(get(cache, PYTREE(&config), &log), 7);
    assert_int_equal(get(cache, PYTREE(&wide), &log), 8);
    assert_int_equal(get(cache, PYTREE_TUPLE(PYTREE(&layer.dense), PYTREE(&config)), &log), 9);
    f[0] = 10;
    layer.dense.scale = 7;
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 6), &log), 1);
    assert_int_equal(get(cache, PYTREE(&config), &log), 7);
    assert_int_equal(get(cache, PYTREE_TUPLE(PYTREE(&layer.dense), PYTREE(&config)), &log), 9);
    assert_int_equal(get(cache, PYTREE_ARRAY(f + 1, 3, 2), &log), 3);
    assert_ptr_equal(pytree_cache_find(cache, PYTREE_ARRAY(f, 2, 3), &error), (void *)(uintptr_t)2);
    assert_null(pytree_cache_find(cache, PYTREE_ARRAY(f, 1, 3), &error));
    assert_ok(error.status, &error);
    assert_int_equal(pytree_cache_count(cache).hits, 5);
    assert_int_equal(pytree_cache_count(cache).misses, 10);
    assert_int_equal(pytree_cache_count(cache).entries, 9);
    pytree_cache_free(cache);
}

/* Trees that are flattened in one pass if they are as large as the one before, and otherwise again. */
static void large_trees_come_in_turns(void **state)
{
    enum { MANY = 60 };
    Log log = { 0 };
    pytree_error error = { 0 };
    pytree_cache *cache = pytree_cache_new(NULL, &error);
    pytree_jit *jit = pytree_jit_new(&total, 0, NULL, &error);
    float f[MANY], sum[3];
    double rate = 1;
    Layer layer;
    pytree items[MANY], tree, other;
    (void)state;
    layer_fill(&layer, 1);
    for (int i = 0; i < MANY; i++) {
        f[i] = (float)i;
        items[i] = i % 7 == 0 ? PYTREE(&layer.dense) : PYTREE(&f[i]);
    }
    const pytree_items some = { .count = MANY - 1, .items = items }, all = { .count = MANY, .items = items };
    tree = (pytree){ PYTREE_LIST(PYTREE_NONE).type, (void *)(uintptr_t)&some };
    other = (pytree){ PYTREE_LIST(PYTREE_NONE).type, (void *)(uintptr_t)&all };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(get(cache, tree, &log), 1);
        assert_int_equal(get(cache, tree, &log), 1);
        assert_int_equal(get(cache, other, &log), 2);
        assert_int_equal(get(cache, PYTREE_TUPLE(tree), &log), 3);
    }
    const pytree same_size = items[1];
    items[1] = PYTREE(&rate);             /* as many nodes; another type */
    assert_int_equal(get(cache, tree, &log), 4);
    items[1] = PYTREE_NONE;
    assert_int_equal(get(cache, tree, &log), 5);
    items[1] = (pytree){ PYTREE_TYPE(float), NULL };
    assert_null(pytree_cache_get(cache, tree, make_count, &log, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, "[1]", &error);
    items[1] = same_size;
    assert_int_equal(get(cache, tree, &log), 1);
    memset(&error, 0, sizeof error);
    for (int i = 0; i < 3; i++) {
        f[2] += 1;
        assert_ok(pytree_jit_call(jit, 1, i == 1 ? &other : &tree, PYTREE(&sum[i]), &error), &error);
    }
    assert_float_equal(sum[1], sum[0] + 1 + f[MANY - 1], 1e-3f);
    assert_float_equal(sum[2], sum[0] + 2, 1e-3f);
    assert_int_equal(pytree_jit_count(jit).misses, 2);
    pytree_jit_free(jit);
    pytree_cache_free(cache);
}

/* More arguments than fit on the stack, twice in one structure and once in another. */
static pytree_status many_arguments_body(void *context, const pytree_options *opt, pytree_error *err)
{
    float f[12], sum = 0;
    pytree args[12];
    const pytree_fn_options options = { .tree = *opt };
    pytree_jit *jit = pytree_jit_new(&total, 0, &options, err);
    (void)context;
    for (int i = 0; i < 12; i++) {
        f[i] = (float)i;
        args[i] = PYTREE(&f[i]);
    }
    if (jit == NULL) { return err->status; }
    for (int i = 0; i < 3 && err->status == PYTREE_OK; i++) {
        const size_t n = i == 2 ? 9 : 12;
        if (pytree_jit_call(jit, n, args, PYTREE(&sum), err) == PYTREE_OK) { assert_true(sum == (n == 9 ? 36 : 66)); }
    }
    assert_true(err->status != PYTREE_OK || pytree_jit_count(jit).misses == 2);
    pytree_jit_free(jit);
    return err->status;
}

static void many_arguments(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(many_arguments_body, NULL), 6, 1000);
}

/* Large trees like the one before in all but what is no number of nodes: where they lie, and their namespace. */
static void large_trees_of_other_kinds(void **state)
{
    enum { MANY = 60 };
    Log log = { 0 };
    const pytree_cache_options open = { .tree = { .space = "open" } };
    pytree_error error = { 0 };
    pytree_cache *cache = pytree_cache_new(&open, &error), *plain = pytree_cache_new(NULL, &error);
    float f[MANY];
    pytree_leaf device = { .data = f, .type = PYTREE_TYPE(float), .form = PYTREE_FORM_DEVICE, .ndim = 1, .shape = { 2 } };
    pytree_leaf host = device;
    Two two = { 1, 2 };
    pytree items[MANY], tree, copy;
    const pytree_items all = { .count = MANY, .items = items };
    (void)state;
    host.form = PYTREE_FORM_LEAF;
    for (int i = 0; i < MANY; i++) {
        f[i] = (float)i;
        items[i] = PYTREE(&f[i]);
    }
    tree = (pytree){ PYTREE_LIST(PYTREE_NONE).type, (void *)(uintptr_t)&all };
    items[1] = PYTREE(&host);
    assert_int_equal(get(plain, tree, &log), 1);
    copy = pytree_clone(tree, NULL, &error);                   /* in one block */
    assert_ok(error.status, &error);
    assert_int_equal(get(plain, copy, &log), 1);
    pytree_free(copy);
    pytree_cache_free(plain);
    log.made = 0;
    assert_int_equal(get(cache, tree, &log), 1);
    items[1] = PYTREE(&device);
    assert_int_equal(get(cache, tree, &log), 2);
    assert_int_equal(get(cache, tree, &log), 2);
    items[1] = PYTREE(&two);
    assert_int_equal(get(cache, tree, &log), 3);
    items[1] = PYTREE_TUPLE(PYTREE(&f[0]), PYTREE(&f[1]));
    assert_int_equal(get(cache, tree, &log), 4);
    items[1] = PYTREE(&two);
    assert_int_equal(get(cache, tree, &log), 3);
    assert_int_equal(get(cache, tree, &log), 3);
    pytree_cache_free(cache);
}

static void the_least_recently_used_makes_room(void **state)
{
    Log log = { 0 };
    const pytree_cache_options options = { .capacity = 3, .release = release_count, .context = &log };
    pytree_error error = { 0 };
    pytree_cache *cache = pytree_cache_new(&options, &error);
    float f[100] = { 0 };
    (void)state;
    for (size_t i = 1; i <= 3; i++) { assert_int_equal(get(cache, PYTREE_ARRAY(f, i), &log), i); }
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 1), &log), 1);
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 4), &log), 4);
    assert_int_equal(log.last, 2);
    assert_int_equal(get(cache, PYTREE_ARRAY(f, 2), &log), 5);
    assert_int_equal(log.last, 3);
    assert_int_equal(pytree_cache_count(cache).evictions, 2);
    log.status = PYTREE_STOPPED;                               /* nothing is made, nothing goes */
    assert_null(pytree_cache_get(cache, PYTREE_ARRAY(f, 50), make_count, &log, &error));
    assert_error(error.status, PYTREE_STOPPED, "", &error);
    assert_int_equal(pytree_cache_count(cache).entries, 3);
    assert_int_equal(log.released, 2);
    log.status = PYTREE_OK;
    pytree_cache_free(cache);
    assert_int_equal(log.released, 5);
    cache = pytree_cache_new(NULL, &error);
    for (size_t round = 0; round < 2; round++) {               /* many: the table grows */
        log.made = 0;
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(get(cache, PYTREE_ARRAY(f, i), &log), round == 0 ? i + 1 : i + 1);
        }
        assert_int_equal(log.made, round == 0 ? 100 : 0);
    }
    pytree_cache_free(cache);
}

static void mistakes_are_errors(void **state)
{
    pytree_error error = { 0 };
    float f = 0;
    pytree_cache *cache = pytree_cache_new(NULL, &error);
    (void)state;
    assert_null(pytree_cache_get(NULL, PYTREE(&f), make_count, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    error.status = PYTREE_OK;
    assert_null(pytree_cache_get(cache, PYTREE(&f), NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    error.status = PYTREE_OK;
    assert_null(pytree_cache_get(cache, PYTREE_ARRAY((float *)NULL, 3), make_count, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
    assert_int_equal(pytree_cache_count(NULL).hits, 0);
    assert_null(pytree_jit_new(NULL, 0, NULL, NULL));
    error.status = PYTREE_OK;
    assert_error(pytree_jit_call(NULL, 0, NULL, PYTREE_NONE, &error), PYTREE_ARGUMENT, "", &error);
    pytree_cache_free(cache);
    pytree_cache_free(NULL);
    pytree_jit_free(NULL);
}

static void jit_prepares_once_for_each_structure(void **state)
{
    size_t calls = 0;
    const pytree_fn counted = { .name = "counted", .call = dense_call, .takes = DENSE_TYPES, .context = &calls };
    pytree_error error = { 0 };
    pytree_jit *jit = pytree_jit_new(PYTREE_VMAP(&counted, .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0))), 2, NULL,
            &error);
    float x[4][2] = { { 1, 1 }, { 2, 3 }, { -1, 0 }, { 0, 5 } }, y[4][3];
    Layer layers[2];
    (void)state;
    layer_fill(&layers[0], 2);
    layer_fill(&layers[1], 3);
    for (size_t i = 0; i < 8; i++) {
        const size_t n = 4 - i % 2;
        Layer *layer = &layers[i / 4];
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        pytree_flat flat;
        memset(y, 0, sizeof y);
        assert_ok(pytree_flatten(PYTREE(&layer->dense), &leaves, 0, &def, NULL, &error), &error);
        flat = (pytree_flat){ def, leaves };                   /* a struct, or the same as treedef and leaves */
        assert_ok(pytree_jit_call(jit, 2, (pytree[2]){ i % 4 < 2 ? PYTREE(&layer->dense) : PYTREE(&flat),
                                                      PYTREE_ARRAY(x[0], n, 2) }, PYTREE_ARRAY(y[0], n, 3), &error), &error);
        for (size_t k = 0; k < 3 * n; k++) { assert_true(y[k / 3][k % 3] == dense_by_hand(&layer->dense, x[k / 3],
                (int)k % 3)); }
        pytree_def_free(def);
    }
    assert_int_equal(calls, 28);
    assert_int_equal(pytree_jit_count(jit).misses, 2);
    assert_int_equal(pytree_jit_count(jit).hits, 6);
    REFUSES(pytree_jit_call(jit, 2, (pytree[2]){ PYTREE(&layers[0].dense), PYTREE_ARRAY(x[0], 4, 2) },
                            PYTREE_ARRAY(&layers[0].w[0], 4, 3), &error), PYTREE_SHARED, "",
            "vmap of counted: result: expected memory of its own, got that of argument [0].w");
    REFUSES(pytree_jit_call(jit, 2, (pytree[2]){ PYTREE(&layers[0].dense), PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(y[0], 4, 3),
                            &error), PYTREE_SHAPE, "", "vmap of counted: result: expected size 3 along axis 0, got f32[4,3]");
    pytree_jit_free(jit);
}

static pytree_status body_jit(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    pytree_jit *jit = pytree_jit_new(&identity, 1, &options, error);
    pytree_status status = jit == NULL ? error->status : PYTREE_OK;
    float x[3] = { 0 }, y[3];
    (void)context;
    for (size_t i = 0; i < 3 && status == PYTREE_OK; i++) {
        status = pytree_jit_call(jit, 1, (pytree[1]){ PYTREE_ARRAY(x, i) }, PYTREE_TUPLE(PYTREE_ARRAY(y, i)), error);
    }
    pytree_jit_free(jit);
    return status;
}

/* Values for four keys, of which two make room; whatever was made is released. */
static pytree_status body_cache(void *context, const pytree_options *opt, pytree_error *error)
{
    Log log = { 0 };
    pytree_cache *cache = pytree_cache_new(&(pytree_cache_options){ .tree = *opt, .capacity = 2, .release = release_count,
                                                                    .context = &log }, error);
    float x[4] = { 0 };
    (void)context;
    for (size_t i = 0; cache != NULL && i < 4 && error->status == PYTREE_OK; i++) {
        const pytree key = PYTREE_DICT({ "x", PYTREE_ARRAY(x, i) }, { "y", PYTREE(&x[0]) });
        if (pytree_cache_get(cache, key, make_count, &log, error) != NULL) {
            assert_non_null(pytree_cache_find(cache, key, error));
        }
    }
    pytree_cache_free(cache);
    assert_int_equal(log.made, log.released);
    return error->status;
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(sweep_allocations(body_cache, NULL) > 5);
    assert_true(sweep_allocations(body_jit, NULL) > 5);
}

static void hits_allocate_nothing(void **state)
{
    Heap heap;
    pytree_fn_options options = { 0 };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[3];
    Layer layer;
    pytree_jit *jit;
    size_t calls = 0;
    (void)state;
    layer_fill(&layer, 1);
    heap_init(&heap, HEAP_NEVER_FAILS);
    options.tree.allocator = &heap.allocator;
    jit = pytree_jit_new(&dense, 0, &options, &error);
    for (int i = 0; i < 10; i++) {
        assert_ok(pytree_jit_call(jit, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 3), &error),
                  &error);
        if (i == 0) { calls = heap.calls; }
    }
    assert_int_equal(heap.calls, calls);
    pytree_jit_free(jit);
    assert_heap_clean(&heap);
}

static pytree_status make_nothing(void *context, const pytree_flat *key, void **value, pytree_error *err)
{
    (void)context;
    (void)key;
    (void)value;
    (void)err;
    return PYTREE_OK;
}

static pytree_status make_overflow(void *context, const pytree_flat *key, void **value, pytree_error *err)
{
    (void)key;
    (void)err;
    *value = context;
    return PYTREE_OVERFLOW;               /* without an error of its own; the value is not taken */
}

static void nothing_is_not_kept(void **state)
{
    pytree_error error = { 0 };
    pytree_cache *cache = pytree_cache_new(NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_null(pytree_cache_get(cache, PYTREE_INT(1), make_nothing, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a value to keep, got none");
    memset(&error, 0, sizeof error);
    assert_null(pytree_cache_get(cache, PYTREE_INT(1), make_overflow, cache, &error));
    assert_error(error.status, PYTREE_OVERFLOW, "", &error);
    assert_string_equal(error.message, "expected a value to keep, got size does not fit");
    pytree_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_not_kept),
        cmocka_unit_test(keys_are_structures_types_and_shapes), cmocka_unit_test(large_trees_come_in_turns),
        cmocka_unit_test(large_trees_of_other_kinds),
        cmocka_unit_test(the_least_recently_used_makes_room),
        cmocka_unit_test(mistakes_are_errors), cmocka_unit_test(jit_prepares_once_for_each_structure),
        cmocka_unit_test(many_arguments), cmocka_unit_test(memory_runs_out), cmocka_unit_test(hits_allocate_nothing)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
