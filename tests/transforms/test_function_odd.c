/* Functions at their edges: structs of odd rows that are built for a call, results that say little, arrays without memory or
 * without elements, many leaves, and what transforms refuse of these. */
#include "transforms_shared.h"
#include "pytree/path.h"

/* ---- What is refused, word by word --------------------------------------------------------------------------------------- */

#define NEW_REFUSES(f, n, args, wanted, path, text)                                                                     \
    do {                                                                                                                \
        pytree_flat none;                                                                                               \
        error.status = PYTREE_OK;                                                                                       \
        none = pytree_apply_new(f, n, args, NULL, &error);                                                              \
        assert_null(none.def);                                                                                          \
        assert_error(error.status, wanted, path, &error);                                                               \
        assert_string_equal(error.message, text);                                                                       \
    } while (0)

static pytree_status pair_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(PYTREE_SHAPED(bool), PYTREE_SHAPED(bool)));
}

static void words(void **state)
{
    const pytree_fn nothing = { .name = NULL };
    const pytree_fn one = { .name = "one", .call = first_call, .takes = PYTREE_TYPES(PYTREE_TYPE(float)) };
    const pytree_fn pair = { .name = "pair", .call = first_call, .shape = pair_shape };
    const pytree_fn a = { .name = "a", .call = first_call }, b = { .name = "b", .call = first_call };
    float x[2] = { 1, 2 }, y[2] = { 0 };
    const pytree args[2] = { PYTREE(&x[0]), PYTREE(&x[1]) }, choice[2] = { PYTREE_STR("d"), PYTREE(&x[0]) };
    const pytree number[2] = { PYTREE_INT(1), PYTREE(&x[0]) };
    pytree_error error = { 0 };
    (void)state;
    REFUSES(pytree_apply(&nothing, 1, args, PYTREE(&y[0]), NULL, &error), PYTREE_ARGUMENT, "",
            "function: expected a callback (call), got NULL");
    REFUSES(pytree_apply(&one, 2, args, PYTREE(&y[0]), NULL, &error), PYTREE_ARGUMENT, "", "one: expected 1 argument, got 2");
    NEW_REFUSES(&first, 0, NULL, PYTREE_ARGUMENT, "", "first: expected an argument, got none");
    NEW_REFUSES(PYTREE_VMAP(&first), 1, args, PYTREE_SHAPE, "[0]",
                "vmap of first: expected at least 1 dimension for axis 0, got f32");
    NEW_REFUSES(PYTREE_SCAN(NULL), 2, ((pytree[2]){ args[0], PYTREE_ARRAY(x, 2) }), PYTREE_ARGUMENT, "",
                "scan: expected a function that says what it gives (shape), got NULL");
    NEW_REFUSES(PYTREE_BATCH(&a), 1, ((pytree[1]){ PYTREE_LIST(args[0], args[1]) }), PYTREE_ARGUMENT, "",
                "batch of a: expected a function that says what it gives (shape), got a");
    NEW_REFUSES(PYTREE_WHILE(&pair, &first), 1, args, PYTREE_STRUCTURE, "",
                "while of first: condition: expected one bool, got tuple of length 2");
    NEW_REFUSES(PYTREE_SWITCH(&a, &b), 2, number, PYTREE_ARGUMENT, "",
                "switch: expected a function that says what it gives (shape), got a");
    NEW_REFUSES(PYTREE_BATCH(PYTREE_SWITCH(&a, &b)), 2, ((pytree[2]){ PYTREE_LIST(number[0]), PYTREE_LIST(number[1]) }),
                PYTREE_ARGUMENT, "", "batch of switch: expected a function that says what it gives (shape), got switch");
    REFUSES(pytree_apply(PYTREE_SELECT(&a, &b, &first), 2, choice, PYTREE(&y[0]), NULL, &error), PYTREE_NOT_FOUND, "[0]",
            "select: expected 'a', 'b' or 'first', got 'd'");
    assert_int_equal(pytree_jit_count(NULL).hits, 0);
    assert_int_equal(pytree_jit_count(NULL).misses, 0);
}

/* ---- Memory of arguments and results ------------------------------------------------------------------------------------- */

static pytree_status last_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, at->args[at->n_args - 1]);
}

static void arrays_without_memory(void **state)
{
    float x[2] = { 1, 2 }, y[3] = { 0 };
    const pytree_fn last = { .name = "last", .call = first_call, .shape = last_shape };
    Layer layer;
    pytree_error error = { 0 };
    (void)state;
    layer_fill(&layer, 1);
    REFUSES(pytree_apply(&first, 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_SHAPED(float, 2), NULL, &error),
            PYTREE_NULL_POINTER, "", "first: result: expected memory, got a shape");
    REFUSES(pytree_apply(&dense, 2, (pytree[2]){ PYTREE(&layer.dense), PYTREE_SHAPED(float, 2) }, PYTREE_ARRAY(y, 3), NULL,
                         &error), PYTREE_NULL_POINTER, "", "dense: argument 1: expected data, got a shape");
    REFUSES(pytree_apply(PYTREE_FORI(&last, .to = 2), 1, (pytree[1]){ PYTREE_SHAPED(float, SIZE_MAX / 8) },
                         PYTREE_SHAPED(float, SIZE_MAX / 8), NULL, &error), PYTREE_NO_MEMORY, NULL, error.message);
}

static pytree_status aligned_call(void *context, const pytree_call *at)
{
    *(size_t *)context += (uintptr_t)at->out[0].data % 256 == 0;
    return pytree_copy_into(at->result, at->args[at->n_args - 1], at->opt, at->err);
}
/* Results, and what lies between two steps of a loop, have the alignment that the options ask for. */
static void results_are_aligned(void **state)
{
    size_t aligned = 0;
    const pytree_fn f = { .name = "f", .call = aligned_call, .shape = last_shape, .context = &aligned };
    const pytree_fn_options options = { .tree.alignment = 256 };
    float x[3] = { 1, 2, 3 };
    pytree_error error = { 0 };
    (void)state;
    for (int loop = 0; loop < 2; loop++) {
        pytree_flat y = pytree_apply_new(loop ? PYTREE_FORI(&f, .to = 5) : &f, 1, (pytree[1]){ PYTREE_ARRAY(x, 3) }, &options,
                                         &error);
        assert_ok(error.status, &error);
        assert_int_equal((uintptr_t)y.leaves[0].data % 256, 0);
        assert_memory_equal(y.leaves[0].data, x, sizeof x);
        assert_int_equal(aligned, loop ? 6 : 1);
        pytree_flat_free(&y);
    }
}

/* More leaves than a size can be multiplied for without a look, and than a piece of memory has room for. */
static void many_leaves(void **state)
{
    enum { MANY = 40000 };
    static pytree values[MANY];
    static float x[MANY];
    pytree_items items = { .count = MANY, .items = values };
    pytree_error error = { 0 };
    pytree_flat y;
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        x[i] = (float)i;
        values[i] = PYTREE(&x[i]);
    }
    y = pytree_apply_new(&first, 1, (pytree[1]){ { PYTREE_LIST().type, &items } }, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_leaves(y.def), MANY);
    for (size_t i = 0; i < MANY; i++) { assert_true(*(float *)y.leaves[i].data == x[i]); }
    pytree_flat_free(&y);
}

/* A map over no elements has nothing to fill in, unless its result is not mapped. */
static void maps_over_nothing(void **state)
{
    float x[1] = { 1 }, y[1] = { 7 }, z[1] = { 7 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_apply(PYTREE_VMAP(&identity, .out_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE),
                                       .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE)), 2,
                           (pytree[2]){ PYTREE_ARRAY(x, 0), PYTREE(&x[0]) },
                           PYTREE_TUPLE(PYTREE_ARRAY(y, 0), PYTREE(&z[0])), NULL, &error), &error);
    assert_true(y[0] == 7 && z[0] == 0);
}

static pytree_status twice_call(void *context, const pytree_call *at)
{
    const size_t n = pytree_leaf_count(&at->in[0]);
    (void)context;
    for (size_t i = 0; i < n; i++) { ((float *)at->out[0].data)[i] = 2 * ((const float *)at->in[0].data)[i]; }
    return PYTREE_OK;
}

/* What a batch rule gives along its first axis is copied where another axis is asked for. */
static void batch_rules_along_other_axes(void **state)
{
    const pytree_fn rule = { .name = "rule", .call = twice_call };
    const pytree_fn f = { .name = "f", .call = twice_call, .shape = pytree_result_first, .batch = &rule };
    float x[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, y[3][2];
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_apply(PYTREE_VMAP(&f, .out_axes = PYTREE_INT(1)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 3) },
                           PYTREE_ARRAY(y[0], 3, 2), NULL, &error), &error);
    for (int i = 0; i < 6; i++) { assert_true(y[i % 3][i / 3] == 2 * x[i / 3][i % 3]); }
}

/* ---- Structs that are built for a call ----------------------------------------------------------------------------------- */

/* A number of eight bytes and an array in place, which may be empty. */
typedef struct Tail {
    int n;
    double wide;
    float row[];
} Tail;
#define PYTREE_STRUCT Tail
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, wide) PYTREE_FIELD(DATA, row, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

/* A string, and a tree. */
typedef struct Odd { const char *word; pytree any; } Odd;
#define PYTREE_STRUCT Odd
#define PYTREE_FIELDS PYTREE_FIELD(DATA, word) PYTREE_FIELD(DATA, any)
#include "pytree_registry.h"

static pytree_status tail_call(void *context, const pytree_call *at)
{
    const Tail *tail = at->arg[0];
    (void)context;
    *(double *)at->res[0] = tail->wide + (tail->n == 0 ? 0 : (double)tail->row[tail->n - 1]);
    return PYTREE_OK;
}

static pytree_status odd_call(void *context, const pytree_call *at)
{
    const Odd *odd = at->arg[0];
    const pytree_leaf v = pytree_at(PYTREE((Odd *)(uintptr_t)odd), ".any[7]", NULL, at->err);
    (void)context;
    if (v.data == NULL) { return at->err->status; }
    assert_string_equal(odd->word, "word");
    *(double *)at->res[0] = pytree_leaf_get(&v, 0);
    return PYTREE_OK;
}

/* Calls a function with a struct that is made of a treedef and leaves for it. */
static double call_built(const pytree_fn *f, pytree t)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    double y = 0;
    pytree_error error = { 0 };
    assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    assert_ok(pytree_apply(f, 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&y), NULL, &error), &error);
    pytree_def_free(def);
    return y;
}

static void structs_of_odd_rows(void **state)
{
    const pytree_fn of_tail = { .name = "tail", .call = tail_call, .shape = pytree_result_f64,
                                .takes = PYTREE_TYPES(PYTREE_TYPE(Tail)) };
    const pytree_fn of_odd = { .name = "odd", .call = odd_call, .shape = pytree_result_f64,
                               .takes = PYTREE_TYPES(PYTREE_TYPE(Odd)) };
    float held = 16;
    const Odd odd = { "word", PYTREE_IDICT({ 7, PYTREE_ARRAY(&held, 1) }) };
    Tail *tail = calloc(1, sizeof *tail + 2 * sizeof tail->row[0]);
    (void)state;
    assert_non_null(tail);
    tail->wide = 2;
    tail->row[0] = 4;
    tail->row[1] = 8;
    assert_true(call_built(&of_tail, PYTREE(tail)) == 2);
    tail->n = 1;
    assert_true(call_built(&of_tail, PYTREE(tail)) == 6);
    tail->n = 2;
    assert_true(call_built(&of_tail, PYTREE(tail)) == 10);
    free(tail);
    assert_true(call_built(&of_odd, PYTREE(&odd)) == 16);
}

/* A node that holds a list, which once rebuilt refers to its value. */
typedef struct Held { pytree list, value, reference; pytree_items items; } Held;

static size_t held_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Held *)self)->list; }
    return 1;
}
static pytree_status held_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    Held *held = self;
    (void)n;
    (void)metadata;
    (void)bytes;
    held->value = ((const pytree_items *)children[0].data)->items[0];
    held->reference = PYTREE(&held->value);
    held->items = (pytree_items){ .count = 1, .items = &held->reference };
    held->list = (pytree){ children[0].type, &held->items };
    return PYTREE_OK;
}
static const pytree_custom held_callbacks = { .children = held_children, .rebuild = held_rebuild };
#define PYTREE_STRUCT Held
#define PYTREE_CUSTOM held_callbacks
#include "pytree_registry.h"

typedef struct Any { pytree any; } Any;
#define PYTREE_STRUCT Any
#define PYTREE_FIELDS PYTREE_FIELD(DATA, any)
#include "pytree_registry.h"

static pytree_status held_call(void *context, const pytree_call *at)
{
    const Held *held = ((const Any *)at->arg[0])->any.data;
    (void)context;
    *(double *)at->res[0] = 2 * *(const double *)held->value.data;
    return PYTREE_OK;
}

/* A value behind a reference is found, and exchanged from call to call. */
static void values_behind_references(void **state)
{
    const pytree_fn f = { .name = "f", .call = held_call, .shape = pytree_result_f64, .takes = PYTREE_TYPES(PYTREE_TYPE(Any)) };
    double x = 3;
    Held held = { .list = PYTREE_LIST(PYTREE(&x)) };
    Any any = { PYTREE(&held) };
    (void)state;
    assert_true(call_built(&f, PYTREE(&any)) == 6);
}

/* A node that makes the tuple it stands in shorter when it is looked at, after its struct has been counted. */
typedef struct Shortens { pytree_items *tuple; pytree item; } Shortens;

static size_t shortens_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Shortens *s = self;
    (void)keys;
    if (children != NULL) { children[0] = s->item; }
    s->tuple->count = 1;
    return 1;
}
static const pytree_custom shortens_callbacks = { .children = shortens_children };
#define PYTREE_STRUCT Shortens
#define PYTREE_CUSTOM shortens_callbacks
#include "pytree_registry.h"

static pytree_status both_parts(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->out[0].data = 1;
    *(float *)at->out[1].data = 2;
    return PYTREE_OK;
}

/* What has been found stays, although the tuple has fewer values by then. */
static void tuples_that_change(void **state)
{
    const pytree_fn f = { .name = "f", .call = both_parts };
    float x = 0, y[2] = { 0 };
    pytree_items items = { .count = 2 };
    Shortens node = { &items, PYTREE(&y[0]) };
    const pytree parts[2] = { PYTREE(&node), PYTREE(&y[1]) };
    pytree_error error = { 0 };
    (void)state;
    items.items = parts;
    assert_ok(pytree_apply(&f, 1, (pytree[1]){ PYTREE(&x) }, (pytree){ PYTREE_TUPLE().type, &items }, NULL, &error), &error);
    assert_true(y[0] == 1 && y[1] == 2 && items.count == 1);
}

static pytree_status complains(void *context, const pytree_call *at)
{
    (void)context;
    (void)pytree_fail(at->err, PYTREE_VALUE, NULL, "the first error");
    return PYTREE_OK;
}

/* The error that a callback left behind stays, although it says that all is well. */
static void errors_that_are_denied(void **state)
{
    const pytree_fn f = { .name = "f", .call = grow_call, .shape = complains, .gives = PYTREE_TYPES(PYTREE_TYPE(Dense)) };
    Layer from, to;
    pytree_leaf *leaves = NULL, wrong[4];
    pytree_def *def;
    pytree_flat flat;
    pytree_error error = { 0 };
    (void)state;
    layer_fill(&from, 1);
    layer_fill(&to, 1);
    assert_ok(pytree_flatten(PYTREE(&to.dense), &leaves, 0, &def, NULL, &error), &error);
    memcpy(wrong, leaves, sizeof wrong);
    wrong[2].type = PYTREE_TYPE(double);                       /* the struct has a float there */
    wrong[2].data = &to.dense.shift[0];
    flat = (pytree_flat){ def, wrong };
    assert_int_equal(pytree_apply(&f, 1, (pytree[1]){ PYTREE(&from.dense) }, PYTREE(&flat), NULL, &error), PYTREE_TYPE);
    assert_string_equal(error.message, "the first error");
    pytree_def_free(def);
}

/* ---- A scan that fails at once ------------------------------------------------------------------------------------------- */

static pytree_status stops(void *context, const pytree_call *at)
{
    ++*(size_t *)context;
    (void)at;
    return PYTREE_STOPPED;
}

static void scans_stop_at_once(void **state)
{
    size_t calls = 0;
    const pytree_fn f = { .name = "f", .call = stops, .shape = step_shape, .context = &calls };
    float carry[2] = { 0, 1 }, xs[3] = { 1, 2, 3 }, last[2], ys[3];
    pytree_error error = { 0 };
    (void)state;
    REFUSES(pytree_apply(PYTREE_SCAN(&f), 2, (pytree[2]){ PYTREE_ARRAY(carry, 2), PYTREE_ARRAY(xs, 3) },
                         PYTREE_TUPLE(PYTREE_ARRAY(last, 2), PYTREE_ARRAY(ys, 3)), NULL, &error), PYTREE_STOPPED, "",
            "f: expected success, got stopped by the callback");
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words), cmocka_unit_test(arrays_without_memory), cmocka_unit_test(results_are_aligned),
        cmocka_unit_test(many_leaves), cmocka_unit_test(maps_over_nothing), cmocka_unit_test(batch_rules_along_other_axes),
        cmocka_unit_test(structs_of_odd_rows), cmocka_unit_test(values_behind_references), cmocka_unit_test(tuples_that_change),
        cmocka_unit_test(errors_that_are_denied),
        cmocka_unit_test(scans_stop_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
