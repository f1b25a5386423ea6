/* One vector and back: memory that runs out, deep trees. */
#include "ravel_shared.h"

/* ---- Memory that runs out, deep trees ---------------------------------------------------------------------------------- */

typedef struct Nest {
    float numbers[DEEP];
    pytree_items nodes[DEEP];
    pytree children[DEEP][2];
} Nest;

static pytree nest_make(Nest *nest, size_t depth)
{
    pytree t = PYTREE_NONE;
    size_t i;
    for (i = depth; i-- > 0;) {
        nest->numbers[i] = (float)i;
        nest->children[i][0].type = PYTREE_TYPE(float);
        nest->children[i][0].data = &nest->numbers[i];
        nest->children[i][1] = t;
        memset(&nest->nodes[i], 0, sizeof nest->nodes[i]);
        nest->nodes[i].count = 2;
        nest->nodes[i].items = nest->children[i];
        t.type = &pytree_types[PYTREE__T_list];
        t.data = &nest->nodes[i];
    }
    return t;
}

static pytree_status body_arithmetic(void *context, const pytree_options *opt, pytree_error *error)
{
    const Pair *pair = context;
    double dot = -1, norm = -1;
    pytree_status status = pytree_dot(pair->a, pair->b, &dot, opt, error);
    if (status == PYTREE_OK) { status = pytree_norm(pair->a, &norm, opt, error); }
    if (status == PYTREE_OK && !pytree_contiguous(pair->a, 0, NULL, opt, error)) { status = error->status; }
    return status;
}

static void memory_runs_out(void **state)
{
    static Nest nest;
    static float numbers[40];
    MLP model = mlp_make(2, true);
    Linear layer = linear_make(2, 2, 0);
    Pair pair = { 0 };
    (void)state;
    pair.a = PYTREE(&model);
    assert_int_equal(sweep_allocations(body_ravel, &pair.a), 1);
    pair.a = PYTREE(&layer);
    pair.vector = view_of(PYTREE_F32, numbers, 6);
    assert_int_equal(sweep_allocations(body_unravel, &pair), 0);
    assert_int_equal(sweep_allocations(body_ravel_into, &pair), 0);
    assert_int_equal(sweep_allocations(body_axpy, &pair), 0);
    assert_int_equal(sweep_allocations(body_unravel_like, &pair), 2);
    pair.a = pair.b = nest_make(&nest, 30);                    /* deeper than cursors are without memory */
    pair.vector = view_of(PYTREE_F32, numbers, 30);
    pair.numbers = nest.numbers;
    pair.n = 30;
    assert_true(sweep_allocations(body_ravel, &pair.a) >= 3);
    assert_true(sweep_allocations(body_ravel_into, &pair) >= 2);
    assert_true(sweep_allocations(body_unravel, &pair) >= 2);
    assert_true(sweep_allocations(body_unravel_like, &pair) >= 5);
    assert_true(sweep_allocations(body_summary, &pair.a) >= 2);
    assert_true(sweep_allocations(body_axpy, &pair) >= 2);         /* each tree is walked once */
    memset(nest.numbers, 0, sizeof nest.numbers);              /* which makes the norm look for the largest */
    assert_true(sweep_allocations(body_arithmetic, &pair) >= 4);
    mlp_clear(&model);
    linear_clear(&layer);
}

static size_t times_asked;

static bool is_leaf_at_first(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    times_asked += path->n == 0;
    return path->n == 1 && times_asked > 1;
}

/* Makes the array that it is asked about longer. */
static bool grow(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)value;
    (void)path;
    ((pytree_leaf *)context)->shape[0]++;
    return false;
}

/* The second time, takes the first of two elements, which is empty, out of a list. */
static bool lose_one(void *context, const pytree_leaf *value, const pytree_path *path)
{
    pytree_items *items = context;
    (void)value;
    times_asked += path->n == 0;
    if (times_asked == 2 && items->count == 2) {
        items->items++;
        items->count--;
    }
    return false;
}

/* A predicate that changes its mind, or the tree, does no harm. */
static void predicate_that_changes(void **state)
{
    float numbers[3] = { 1, 2, 3 }, vector[3] = { 4, 5, 6 };
    pytree t = PYTREE_LIST(PYTREE_LIST(PYTREE(&numbers[0]), PYTREE(&numbers[1])), PYTREE(&numbers[2]));
    pytree both[2] = { PYTREE_ARRAY(numbers, 0), PYTREE(&numbers[2]) }, shrinking;
    pytree_items items = { 0 };
    pytree_leaf v = PYTREE_VECTOR(vector, 3), view = PYTREE_VECTOR(numbers, 1);
    pytree_ravel_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    opt.tree.is_leaf = is_leaf_at_first;
    times_asked = 0;
    assert_error(pytree_unravel(&v, t, &opt, &error), PYTREE_TYPE, "[0]", &error);
    assert_true(numbers[0] == 1 && numbers[2] == 3);
    times_asked = 0;
    memset(&error, 0, sizeof error);
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "[0]", &error);
    assert_true(vector[0] == 4);
    memset(&error, 0, sizeof error);
    opt.tree.is_leaf = grow;
    opt.tree.is_leaf_context = &view;
    assert_error(pytree_ravel(PYTREE(&view), &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
    times_asked = 0;
    memset(&error, 0, sizeof error);
    items.count = 2;
    items.items = both;
    shrinking.type = &pytree_types[PYTREE__T_list];
    shrinking.data = &items;
    opt.tree.is_leaf = lose_one;
    opt.tree.is_leaf_context = &items;
    assert_error(pytree_ravel(shrinking, &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_true(vector[0] == 4);
}

static void deep_trees(void **state)
{
    static Nest nest;
    pytree t = nest_make(&nest, DEEP);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 }, run;
    pytree_summary_options shallow = { .depth = 1 };
    char text[400];
    double sum = 0;
    (void)state;
    assert_ok(pytree_ravel(t, &v, NULL, &error), &error);
    assert_int_equal(v.shape[0], DEEP);
    assert_memory_equal(v.data, nest.numbers, sizeof nest.numbers);
    assert_ok(pytree_unravel(&v, t, NULL, &error), &error);
    pytree_ravel_free(&v);
    assert_ok(pytree_dot(t, t, &sum, NULL, &error), &error);
    assert_true(sum == (double)(DEEP - 1) * (double)DEEP * (double)(2 * DEEP - 1) / 6);
    assert_true(pytree_contiguous(t, 0, &run, NULL, &error));
    assert_ptr_equal(run.data, nest.numbers);
    assert_int_not_equal(pytree_summary_text(t, text, sizeof text, &shallow, &error), SIZE_MAX);
    assert_non_null(strstr(text, "\n| [1]   | f32  | 2999 leaves |    2,999 | 11,996 |\n"));
}

/* A custom node that from its n-th visit on has other children. */
typedef struct Changing { size_t visits, from, n, m; pytree before[2], after[2]; } Changing;

static size_t changing_children(const void *self, pytree *children, pytree_entry *keys)
{
    Changing *const c = (Changing *)(uintptr_t)self;
    const bool changed = c->visits > c->from;
    (void)keys;
    if (children == NULL) {
        c->visits++;
        return c->visits > c->from ? c->m : c->n;
    }
    memcpy(children, changed ? c->after : c->before, (changed ? c->m : c->n) * sizeof *children);
    return changed ? c->m : c->n;
}
static const pytree_custom changing_callbacks = { .children = changing_children };

#define PYTREE_STRUCT Changing
#define PYTREE_CUSTOM changing_callbacks
#include "pytree_registry.h"

/* Whatever the node changes to, and when: the numbers are those of one of its states, or there is an error. */
static void nodes_that_change(void **state)
{
    double x[2] = { 1, 2 }, y = 2.5, into[4];
    const char *word = "word";
    const pytree nowhere = { NULL, NULL };
    const struct { size_t n, m; pytree after[2]; } changes[] = {
        { 1, 2, { PYTREE(&x[0]), PYTREE(&x[1]) } }, { 1, 0, { PYTREE_NONE, PYTREE_NONE } },
        { 1, 1, { PYTREE(&word), PYTREE_NONE } }, { 1, 1, { nowhere, nowhere } }, { 2, 1, { PYTREE(&x[0]), PYTREE_NONE } },
    };
    size_t others = 0, lost = 0, refused = 0;
    (void)state;
    for (size_t k = 0; k < COUNT_OF(changes); k++) {
        for (size_t from = 0; from < 10; from++) {
            for (int loss = 0; loss < 2; loss++) {
                Changing c = { 0, from, changes[k].n, changes[k].m, { PYTREE(&x[0]), PYTREE(&x[1]) },
                               { changes[k].after[0], changes[k].after[1] } };
                const pytree t = PYTREE_LIST(PYTREE(&c), PYTREE(&y));
                const pytree_ravel_options opt = { .dtype = PYTREE_I32, .loss = loss == 0 ? PYTREE_LOSS_REFUSED
                                                                                          : PYTREE_LOSS_REFUSED_BY_TYPE };
                pytree_leaf vector = { 0 }, mine = PYTREE_VECTOR(into, 4);
                pytree_error error = { 0 };
                assert_int_not_equal(pytree_ravel(t, &vector, &opt, &error), PYTREE_OK);       /* 2.5 is no whole number */
                assert_null(vector.data);
                others += error.status == PYTREE_ARGUMENT;
                lost += error.status == PYTREE_VALUE;
                refused += error.status == PYTREE_TYPE || error.status == PYTREE_NULL_POINTER;
                memset(&error, 0, sizeof error);
                c.visits = 0;
                if (pytree_ravel(t, &mine, NULL, &error) == PYTREE_OK) { assert_true(into[mine.shape[0] - 1] == y); }
            }
        }
    }
    assert_true(others != 0 && lost != 0 && refused != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_runs_out_in_wide_trees),
        cmocka_unit_test(predicate_that_changes), cmocka_unit_test(nodes_that_change),
        cmocka_unit_test(deep_trees)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
