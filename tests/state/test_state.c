/* The state of a model: split, states, merge, update, and states from states: pytree/state.h. */
#include "leaf_paths.h"
#include "pytree/state.h"
#include "pytree/literal.h"

PYTREE_ROLE(Frozen, Param);

typedef struct Dense {
    int din, dout;
    float *kernel, *bias;
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, kernel, ARRAY(self->din, self->dout), ROLE(Param))                                               \
    PYTREE_FIELD(DATA, bias, ROLE(Param), OPTIONAL, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct Norm { float mean[2], scale[2]; } Norm;

#define PYTREE_STRUCT Norm
#define PYTREE_FIELDS PYTREE_FIELD(DATA, mean, ROLE(BatchStat)) PYTREE_FIELD(DATA, scale, ROLE(Frozen))
#include "pytree_registry.h"

typedef struct Net {
    size_t n;
    Dense *layers;
    Norm norm;
    Dense cache;
    double step;
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, layers, LIST(self->n))                                                                           \
    PYTREE_FIELD(DATA, norm)                                                                                            \
    PYTREE_FIELD(DATA, cache, ROLE(Cache))                                                                              \
    PYTREE_FIELD(DATA, step)
#include "pytree_registry.h"

/* Two layers of different sizes, the second one without a bias; the cache is a layer without arrays of its own. */
typedef struct Fixture {
    float numbers[32];
    Dense layers[2];
    Net net;
} Fixture;

static pytree fixture(Fixture *f)
{
    size_t i;
    for (i = 0; i < COUNT_OF(f->numbers); i++) { f->numbers[i] = (float)i; }
    f->layers[0] = (Dense){ 2, 3, f->numbers, f->numbers + 6 };
    f->layers[1] = (Dense){ 3, 1, f->numbers + 9, NULL };
    f->net = (Net){ 2, f->layers, { { 1, 2 }, { 3, 4 } }, { 1, 2, f->numbers + 12, f->numbers + 14 }, 7 };
    return PYTREE(&f->net);
}

/* ---- Split --------------------------------------------------------------------------------------------------------- */

static void places_go_to_the_first_filter_that_matches(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_def *graphdef;
    pytree_flat states[3];
    (void)state;
    pytree_split(t, PYTREE_FILTERS(PYTREE_OF(Frozen), PYTREE_OF(Param), PYTREE_REST), &graphdef, states, NULL, &error);
    assert_ok(error.status, &error);
    assert_paths(PYTREE(&states[0]), "['norm']['scale'].value ");
    assert_paths(PYTREE(&states[1]),
                 "['layers'][0]['bias'].value ['layers'][0]['kernel'].value ['layers'][1]['kernel'].value ");
    assert_paths(PYTREE(&states[2]), "['cache'].value.kernel ['cache'].value.bias ['norm']['mean'].value ['step'] ");
    assert_def_text(PYTREE(&states[0]), "PyTreeDef({'norm': {'scale': CustomNode(Frozen[None], [*])}})", NULL);
    assert_ptr_equal(states[1].leaves[1].data, f.numbers);     /* a view: nothing is copied */
    assert_ptr_equal(states[2].leaves[3].data, &f.net.step);
    pytree_def_free(graphdef);
    for (size_t i = 0; i < 3; i++) { pytree_flat_free(&states[i]); }
    assert_ok(pytree_split(t, 0, NULL, NULL, states, NULL, &error), &error);
    assert_int_equal(states[0].def->n_leaves, pytree_num_leaves(t, NULL, NULL));
    pytree_flat_free(&states[0]);
}

static void what_no_filter_takes_is_an_error(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_def *graphdef = (pytree_def *)&f;
    pytree_flat states[2];
    (void)state;
    assert_error(pytree_split(t, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_OF(Cache)), &graphdef, states, NULL, &error),
                 PYTREE_FILTER, ".norm.mean", &error);
    assert_string_equal(error.message,
                        "expected a filter for each place, got none for this BatchStat f32[2]; put PYTREE_REST last");
    assert_null(graphdef);
    assert_null(states[0].def);
    assert_null(states[1].def);
    error = (pytree_error){ 0 };
    assert_error(pytree_split(t, PYTREE_FILTERS(PYTREE_EVERYTHING, PYTREE_OF(Cache)), NULL, states, NULL, &error),
                 PYTREE_FILTER, "", &error);
    assert_string_equal(error.message, "expected PYTREE_REST behind all other filters, got it as filter 0 of 2");
    error = (pytree_error){ 0 };
    assert_error(pytree_split(t, 1, NULL, NULL, states, NULL, &error), PYTREE_ARGUMENT, "", &error);
    error = (pytree_error){ 0 };
    assert_error(pytree_split(t, PYTREE_FILTERS(PYTREE_PATH("[")), NULL, states, NULL, &error), PYTREE_SYNTAX, NULL, &error);
}

static void states_leave_out_the_rest(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_flat states[2], one;
    (void)state;
    assert_ok(pytree_states(t, PYTREE_FILTERS(PYTREE_PATH("**.bias"), PYTREE_OF(Variable)), states, NULL, &error), &error);
    assert_paths(PYTREE(&states[0]), "['layers'][0]['bias'].value ");
    assert_int_equal(states[1].def->n_leaves, 6);
    one = pytree_state(PYTREE(&states[1]), PYTREE_OF(Cache), NULL, &error);            /* filters see roles in states, too */
    assert_paths(PYTREE(&one), "['cache'].value.kernel ['cache'].value.bias ");
    pytree_flat_free(&one);
    one = pytree_state(t, PYTREE_NOTHING, NULL, &error);
    assert_def_text(PYTREE(&one), "PyTreeDef({})", NULL);
    pytree_flat_free(&one);
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
}

static void a_state_without_roles(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_flat pure = pytree_pure(t, NULL, &error);
    (void)state;
    assert_paths(PYTREE(&pure), "['cache'].kernel ['cache'].bias ['layers'][0]['bias'] ['layers'][0]['kernel'] "
                                "['layers'][1]['kernel'] ['norm']['mean'] ['norm']['scale'] ['step'] ");
    pytree_flat_free(&pure);
    assert_ok(error.status, &error);
}

/* ---- Merge and update ---------------------------------------------------------------------------------------------- */

static void states_merge_in_any_order(void **state)
{
    Fixture f;
    pytree t = fixture(&f), model;
    pytree_error error = { 0 };
    pytree_def *graphdef;
    pytree_flat states[2];
    (void)state;
    assert_ok(pytree_split(t, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &graphdef, states, NULL, &error), &error);
    model = pytree_merge(graphdef, 2, (pytree[2]){ PYTREE(&states[1]), PYTREE(&states[0]) }, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(t, model, NULL, NULL, &error));
    assert_ptr_equal(((const Net *)model.data)->layers[0].kernel, f.numbers);
    assert_ptr_not_equal(model.data, t.data);
    pytree_free(model);
    model = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&states[1]) }, NULL, &error);
    assert_null(model.data);
    assert_error(error.status, PYTREE_TOO_FEW_LEAVES, ".layers[0].bias", &error);
    assert_string_equal(error.message, "expected 8 leaves, got 4; this Param is in none of the 1 states");
    error = (pytree_error){ 0 };
    model = pytree_merge(graphdef, 3, (pytree[3]){ PYTREE(&states[1]), PYTREE(&states[0]), PYTREE(&states[0]) }, NULL, &error);
    assert_null(model.data);
    assert_error(error.status, PYTREE_TOO_MANY_LEAVES, ".layers[0].bias", &error);
    assert_string_equal(error.message, "expected 8 leaves, got 12; the structure has nothing here, or another state has this "
                                       "Param, too");
    error = (pytree_error){ 0 };
    model = pytree_merge(graphdef, 3, (pytree[3]){ PYTREE(&states[1]), PYTREE(&states[0]),
                                                   PYTREE_DICT({ "zoo", PYTREE_INT(1) }) }, NULL, &error);
    assert_null(model.data);
    assert_error(error.status, PYTREE_TOO_MANY_LEAVES, ".zoo", &error);
    error = (pytree_error){ 0 };
    assert_null(pytree_merge(NULL, 0, NULL, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(graphdef);
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
}

static void values_are_updated_by_path(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    float kernel[3] = { 50, 51, 52 }, mean[2] = { -1, -2 }, again[2] = { -3, -4 };
    pytree first = PYTREE_DICT({ "layers", PYTREE_IDICT({ 1, PYTREE_DICT({ "kernel", PYTREE_ARRAY(kernel, 3, 1) }) }) },
                               { "norm", PYTREE_DICT({ "mean", PYTREE_VARIABLE(BatchStat, PYTREE_ARRAY(mean, 2)) }) });
    pytree second = PYTREE_NAMEDTUPLE("S", { "norm", PYTREE_DICT({ "mean", PYTREE_ARRAY(again, 2) }) });
    (void)state;
    assert_ok(pytree_update(t, 2, (pytree[2]){ first, second }, NULL, &error), &error);
    assert_true(f.layers[1].kernel[2] == 52 && f.net.norm.mean[1] == -4);
    assert_true(f.layers[0].kernel[1] == 1 && f.net.step == 7);
}

static void assert_not_updated(pytree change, pytree_status status, const char *path, const char *message)
{
    Fixture f, before;
    pytree t = fixture(&f), copy = fixture(&before);
    pytree_error error = { 0 };
    pytree states[2] = { PYTREE_DICT({ "step", PYTREE_FLOAT(1) }), change };
    assert_error(pytree_update(t, 2, states, NULL, &error), status, path, &error);
    assert_string_equal(error.message, message);
    error = (pytree_error){ 0 };
    assert_true(pytree_equal(t, copy, NULL, NULL, &error));    /* nothing was written */
}

static void updates_that_do_not_fit(void **state)
{
    float two[2] = { 0 };
    (void)state;
    assert_not_updated(PYTREE_DICT({ "norm", PYTREE_DICT({ "w", PYTREE_FLOAT(1) }) }), PYTREE_NOT_FOUND, ".norm",
                       "expected .w, got a Norm with .mean, .scale");
    assert_not_updated(PYTREE_DICT({ "norm", PYTREE_FLOAT(1) }), PYTREE_STRUCTURE, ".norm",
                       "expected a state for a Norm, got a leaf");
    assert_not_updated(PYTREE_DICT({ "step", PYTREE_INT(1) }), PYTREE_TYPE, ".step", "expected f64, got i64");
    assert_not_updated(PYTREE_DICT({ "norm", PYTREE_DICT({ "mean", PYTREE_ARRAY(two, 1, 2) }) }), PYTREE_SHAPE, ".norm.mean",
                       "expected f32[2], got f32[1,2]");
}

/* ---- States from states -------------------------------------------------------------------------------------------- */

static void zeros_have_arrays_of_their_own(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_flat params = pytree_state(t, PYTREE_OF(Param), NULL, &error), zeros;
    pytree_flat text;
    double sum = 1;
    size_t i;
    (void)state;
    zeros = pytree_state_zeros_like(PYTREE(&params), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(zeros.def, params.def));
    assert_ok(pytree_sum(PYTREE(&zeros), &sum, NULL, &error), &error);
    assert_true(sum == 0);
    for (i = 0; i < zeros.def->n_leaves; i++) {
        assert_int_equal((uintptr_t)zeros.leaves[i].data % 64, 0);
        memset(zeros.leaves[i].data, 1, pytree_leaf_bytes(&zeros.leaves[i]));
    }
    assert_true(f.numbers[0] == 0 && f.numbers[1] == 1);
    pytree_flat_free(&zeros);
    pytree_flat_free(&params);
    text = pytree_state_zeros_like(PYTREE_DICT({ "a", PYTREE_STR("s") }), NULL, &error);
    assert_null(text.def);
    assert_error(error.status, PYTREE_TYPE, NULL, &error);
    error = (pytree_error){ 0 };
    text = pytree_state_zeros_like(t, &(pytree_options){ .alignment = 3 }, &error);
    assert_null(text.def);
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
}

static void states_join_and_subtract(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_flat params = pytree_state(t, PYTREE_OF(Param), NULL, &error), rest = pytree_state(t, PYTREE_NOT(PYTREE_OF(Param)),
                                                                                             NULL, &error), all, none;
    float other[3] = { 0 };
    (void)state;
    all = pytree_state_merge(3, (pytree[3]){ PYTREE(&rest), PYTREE(&params),
        PYTREE_DICT({ "layers", PYTREE_IDICT({ 0, PYTREE_DICT({ "bias", PYTREE_ARRAY(other, 3) }) }) }) }, NULL, &error);
    assert_ok(error.status, &error);
    assert_paths(PYTREE(&all), "['cache'].value.kernel ['cache'].value.bias ['layers'][0]['bias'] "
                               "['layers'][0]['kernel'].value ['layers'][1]['kernel'].value ['norm']['mean'].value "
                               "['norm']['scale'].value ['step'] ");
    assert_ptr_equal(all.leaves[2].data, other);               /* the last one wins, with its role */
    none = pytree_state_minus(PYTREE(&all), PYTREE(&params), NULL, &error);
    assert_true(pytree_def_equal(none.def, rest.def));
    pytree_flat_free(&none);
    none = pytree_state_minus(PYTREE(&params), t, NULL, &error);
    assert_def_text(PYTREE(&none), "PyTreeDef({})", NULL);
    pytree_flat_free(&none);
    none = pytree_state_merge(2, (pytree[2]){ PYTREE_DICT({ "a", PYTREE_INT(1) }),
                                              PYTREE_DICT({ "a", PYTREE_DICT({ "b", PYTREE_INT(1) }) }) }, NULL, &error);
    assert_null(none.def);
    assert_error(error.status, PYTREE_STRUCTURE, ".a.b", &error);
    pytree_flat_free(&all);
    pytree_flat_free(&params);
    pytree_flat_free(&rest);
}

/* Rows are visited by name, numbers as numbers, whatever their order in the tree. */
static void states_are_sorted(void **state)
{
    pytree_error error = { 0 };
    int64_t numbers[12] = { 0 };
    pytree items[12], t = PYTREE_ODICT({ "z", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }, { "M", PYTREE_INT(3) });
    pytree_items many = { .count = COUNT_OF(items), .items = items };
    pytree_flat sorted = pytree_pure(t, NULL, &error);
    size_t i;
    (void)state;
    assert_paths(PYTREE(&sorted), "['M'] ['a'] ['z'] ");
    pytree_flat_free(&sorted);
    for (i = 0; i < COUNT_OF(items); i++) { items[i] = PYTREE(&numbers[i]); }
    sorted = pytree_pure((pytree){ &pytree_types[PYTREE__T_list], &many }, NULL, &error);
    assert_paths(PYTREE(&sorted), "[0] [1] [2] [3] [4] [5] [6] [7] [8] [9] [10] [11] ");
    pytree_flat_free(&sorted);
    sorted = pytree_pure(PYTREE_INT(1), NULL, &error);         /* a leaf is its own state */
    assert_def_text(PYTREE(&sorted), "PyTreeDef(*)", NULL);
    pytree_flat_free(&sorted);
}

/* ---- Shared values ------------------------------------------------------------------------------------------------- */

typedef struct Tied {
    float *z;                             /* the kernel of what `b` and `a` lead to */
    Dense *b, *a;
} Tied;

#define PYTREE_STRUCT Tied
#define PYTREE_FIELDS PYTREE_FIELD(DATA, z, ARRAY(6), ROLE(Param), OPTIONAL) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"

static void shared_values_stand_once(void **state)
{
    float x[6] = { 1, 2, 3, 4, 5, 6 }, y[1] = { 7 }, ones[6] = { 1, 1, 1, 1, 1, 1 }, twos[6] = { 2, 2, 2, 2, 2, 2 };
    Dense dense = { 6, 1, x, y };
    Tied tied = { NULL, &dense, &dense };
    pytree_error error = { 0 };
    pytree_def *graphdef;
    pytree_flat one;
    pytree model, change;
    const Tied *made;
    (void)state;
    assert_ok(pytree_split(PYTREE(&tied), 0, NULL, &graphdef, &one, NULL, &error), &error);
    assert_paths(PYTREE(&one), "['b']['bias'].value ['b']['kernel'].value ");  /* the first path in the model's own order */
    model = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&one) }, NULL, &error);
    assert_ok(error.status, &error);
    made = model.data;
    assert_ptr_equal(made->a, made->b);
    assert_ptr_equal(made->a->kernel, x);
    pytree_free(model);
    change = PYTREE_DICT({ "a", PYTREE_DICT({ "kernel", PYTREE_ARRAY(ones, 6, 1) }) },
                         { "b", PYTREE_DICT({ "kernel", PYTREE_ARRAY(twos, 6, 1) }) });
    assert_ok(pytree_update(PYTREE(&tied), 1, &change, NULL, &error), &error);
    assert_true(x[0] == 2 && x[5] == 2);                       /* both paths lead there: the later one wins */
    change = PYTREE_DICT({ "a", PYTREE_DICT({ "kernel", PYTREE_ARRAY(ones, 6, 1) }) });
    assert_ok(pytree_update(PYTREE(&tied), 1, &change, NULL, &error), &error);
    assert_true(x[0] == 1 && x[5] == 1);
    change = PYTREE_DICT({ "a", PYTREE_DICT({ "kernel", PYTREE_ARRAY(ones, 6) }) });
    assert_error(pytree_update(PYTREE(&tied), 1, &change, NULL, &error), PYTREE_SHAPE, ".a.kernel", &error);
    pytree_def_free(graphdef);
    pytree_flat_free(&one);
}

static void what_cannot_be_shared(void **state)
{
    float x[6] = { 0 };
    Dense dense = { 2, 3, x, NULL };
    Tied tied = { x, &dense, &dense };
    pytree_error error = { 0 };
    pytree_flat flat;
    pytree cached;
    (void)state;
    flat = pytree_state(PYTREE(&tied), PYTREE_EVERYTHING, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_SHARED, ".b.kernel", &error);
    assert_string_equal(error.message, "expected f32[6] in the role Param as at .z, got f32[2,3] in the role Param");
    error = (pytree_error){ 0 };
    cached = PYTREE_LIST(PYTREE_ARRAY(x, 6), PYTREE_VARIABLE(Cache, PYTREE_LIST(PYTREE_INT(1), PYTREE_LIST())));
    flat = pytree_state(cached, PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    pytree_flat_free(&flat);
    cached = PYTREE_LIST(PYTREE_VARIABLE(Param, PYTREE_LIST(PYTREE(&dense), PYTREE_INT(1))),
                         PYTREE_VARIABLE(Param, PYTREE_LIST(PYTREE(&dense), PYTREE_INT(2))));
    flat = pytree_state(cached, PYTREE_EVERYTHING, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_SHARED, "[1]", &error);
}

/* ---- Limits -------------------------------------------------------------------------------------------------------- */

static void depth_needs_only_memory(void **state)
{
    const size_t depth = slow_here() ? 20000 : 100000;
    pytree *levels = malloc((depth + 1) * sizeof *levels);
    pytree_items *items = malloc(depth * sizeof *items);
    pytree_error error = { 0 };
    pytree_flat flat, again;
    int64_t number = 5;
    size_t i;
    (void)state;
    assert_non_null(levels);
    assert_non_null(items);
    levels[depth] = PYTREE(&number);
    for (i = depth; i-- != 0; ) {
        items[i] = (pytree_items){ .count = 1, .items = &levels[i + 1] };
        levels[i] = (pytree){ &pytree_types[PYTREE__T_list], &items[i] };
    }
    flat = pytree_state(levels[0], PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    again = pytree_state_merge(2, (pytree[2]){ PYTREE(&flat), levels[0] }, NULL, &error);
    assert_true(pytree_def_equal(flat.def, again.def));
    number = 6;
    assert_ok(pytree_update(levels[0], 1, (pytree[1]){ PYTREE(&again) }, NULL, &error), &error);
    pytree_flat_free(&again);
    pytree_flat_free(&flat);
    free(items);
    free(levels);
}

static pytree_status sweep_states(void *context, const pytree_options *opt, pytree_error *err)
{
    Fixture *f = (Fixture *)context;
    pytree t = fixture(f), model;
    pytree_def *graphdef = NULL;
    pytree_flat states[2] = { { NULL, NULL }, { NULL, NULL } }, more = { NULL, NULL };
    if (pytree_split(t, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &graphdef, states, opt, err) == PYTREE_OK) {
        pytree both[2] = { PYTREE(&states[0]), PYTREE(&states[1]) };
        model = pytree_merge(graphdef, 2, both, opt, err);
        pytree_free(model);
        if (err->status == PYTREE_OK) { pytree_update(t, 2, both, opt, err); }
        if (err->status == PYTREE_OK) { more = pytree_state_merge(2, both, opt, err); }
        pytree_flat_free(&more);
        if (err->status == PYTREE_OK) { more = pytree_state_minus(both[0], both[1], opt, err); }
        pytree_flat_free(&more);
        if (err->status == PYTREE_OK) { more = pytree_state_zeros_like(both[0], opt, err); }
        pytree_flat_free(&more);
        if (err->status == PYTREE_OK) { more = pytree_pure(both[1], opt, err); }
        pytree_flat_free(&more);
        if (err->status == PYTREE_OK) { more = pytree_state(t, PYTREE_OF(Param), opt, err); }
        pytree_flat_free(&more);
        if (err->status == PYTREE_OK) { pytree_states(t, PYTREE_FILTERS(PYTREE_OF(Param)), &more, opt, err); }
        pytree_flat_free(&more);
    }
    pytree_def_free(graphdef);
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    Fixture f;
    (void)state;
    assert_true(sweep_allocations(sweep_states, &f) > 20);
}

/* ---- Layers that are alike --------------------------------------------------------------------------------------------- */

enum { LAYERS = 6 };

/* Layers of one shape, the third one without a bias. */
typedef struct Stack {
    float numbers[LAYERS][8], cached[4];
    Dense layers[LAYERS];
    Net net;
} Stack;

static pytree stack(Stack *s, float first)
{
    size_t i, k;
    for (i = 0; i < LAYERS; i++) {
        for (k = 0; k < 8; k++) { s->numbers[i][k] = first++; }
        s->layers[i] = (Dense){ 1, 3, s->numbers[i], i == 2 ? NULL : s->numbers[i] + 3 };
    }
    s->net = (Net){ LAYERS, s->layers, { { first, 2 }, { 3, 4 } }, { 1, 2, s->cached, s->cached + 2 }, first };
    for (k = 0; k < 4; k++) { s->cached[k] = first++; }
    return PYTREE(&s->net);
}

/* What one layer took, the next one takes without a look at its names. Every number must be where it belongs. */
static void alike_layers_are_updated(void **state)
{
    static Stack a, b;
    pytree_error error = { 0 };
    pytree t = stack(&a, 0), other = stack(&b, 100);
    pytree_flat parts[2];
    size_t i;
    (void)state;
    assert_ok(pytree_split(other, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), NULL, parts, NULL, &error), &error);
    assert_ok(pytree_update(t, 2, (pytree[2]){ PYTREE(&parts[1]), PYTREE(&parts[0]) }, NULL, &error), &error);
    assert_true(pytree_equal(t, other, NULL, NULL, &error));

    b.layers[4].dout = 2;                                      /* does not fit */
    pytree_flat_free(&parts[0]);
    pytree_flat_free(&parts[1]);
    t = stack(&a, 0);
    assert_ok(pytree_split(other, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), NULL, parts, NULL, &error), &error);
    assert_error(pytree_update(t, 1, (pytree[1]){ PYTREE(&parts[0]) }, NULL, &error), PYTREE_SHAPE, ".layers[4].bias", &error);
    assert_float_equal(a.numbers[0][0], 0, 0);                 /* nothing has changed */
    error = (pytree_error){ 0 };
    pytree_flat_free(&parts[0]);
    pytree_flat_free(&parts[1]);

    t = stack(&a, 0);                                          /* the third layer's bias is in the state, and not in the tree */
    other = stack(&b, 100);
    b.layers[2].bias = b.numbers[2] + 3;
    a.layers[2].bias = NULL;
    assert_ok(pytree_split(other, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), NULL, parts, NULL, &error), &error);
    assert_int_not_equal(pytree_update(t, 1, (pytree[1]){ PYTREE(&parts[0]) }, NULL, &error), PYTREE_OK);
    for (i = 0; i < LAYERS; i++) { assert_float_equal(a.numbers[i][0], 8 * (float)i, 0); }
    pytree_flat_free(&parts[0]);
    pytree_flat_free(&parts[1]);
}

static pytree_status sweep_update(void *context, const pytree_options *opt, pytree_error *err)
{
    static Stack a;
    const pytree t = stack(&a, 0), part = { &pytree_types[PYTREE__T_flat], context };
    return pytree_update(t, 1, &part, opt, err);
}

static void memory_runs_out_for_layers(void **state)
{
    static Stack b;
    pytree_error error = { 0 };
    pytree_flat part = pytree_state(stack(&b, 100), PYTREE_OF(Param), NULL, &error);
    (void)state;
    assert_in_range(sweep_allocations(sweep_update, &part), 5, 100);
    pytree_flat_free(&part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_layers_are_updated),
        cmocka_unit_test(memory_runs_out_for_layers),
        cmocka_unit_test(places_go_to_the_first_filter_that_matches),
        cmocka_unit_test(what_no_filter_takes_is_an_error),
        cmocka_unit_test(states_leave_out_the_rest),
        cmocka_unit_test(a_state_without_roles),
        cmocka_unit_test(states_merge_in_any_order),
        cmocka_unit_test(values_are_updated_by_path),
        cmocka_unit_test(updates_that_do_not_fit),
        cmocka_unit_test(zeros_have_arrays_of_their_own),
        cmocka_unit_test(states_join_and_subtract),
        cmocka_unit_test(states_are_sorted),
        cmocka_unit_test(shared_values_stand_once),
        cmocka_unit_test(what_cannot_be_shared),
        cmocka_unit_test(depth_needs_only_memory),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
