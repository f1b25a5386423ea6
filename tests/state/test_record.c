/* Values that a model records: pytree/record.h. */
#include "containers/containers_shared.h"
#include "pytree/record.h"

PYTREE_CLASS(Block, Module);

/* The same module as a struct. */
typedef struct Layer {
    float w[2];
    pytree mean, shift;
    pytree plain;
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, w, ROLE(Param))                                                                                  \
    PYTREE_FIELD(DATA, mean, ROLE(Intermediate))                                                              \
    PYTREE_FIELD(DATA, shift, ROLE(Perturbation))                                                             \
    PYTREE_FIELD(DATA, plain)
#include "pytree_registry.h"

#define LAYER { { 1, 2 }, PYTREE_NONE, PYTREE_NONE, PYTREE_NONE }

typedef struct Stack {
    size_t n;
    Layer *layers;
} Stack;

#define PYTREE_STRUCT Stack
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layers, LIST(self->n))
#include "pytree_registry.h"

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

static pytree new_block(const pytree_options *opt, pytree_error *error)
{
    pytree block = pytree_new_object(&pytree_class_Block, opt, error);
    pytree w = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 2), opt, error);
    if (pytree_object_put_own(block, "w", w, error) != PYTREE_OK) { pytree_container_free(w); }
    pytree_object_put_copy(block, "name", PYTREE_STR("first"), error);
    return block;
}

/* ---- Sow, pop ------------------------------------------------------------------------------------------------------ */

static void sown_values_are_popped(void **state)
{
    pytree_error error = { 0 };
    Layer layer = LAYER;
    pytree block = new_block(NULL, &error), modules[2], taken;
    (void)state;
    modules[0] = block;
    modules[1] = PYTREE(&layer);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            float mean = (float)k + 0.5f;
            assert_ok(pytree_sow(modules[i], &pytree_role_Intermediate, "mean", PYTREE_SCALAR(&mean), NULL, &error), &error);
        }
        assert_ok(pytree_pop(modules[i], PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
        assert_prints(taken, "['mean'].value[0]  f32 0.5\n['mean'].value[1]  f32 1.5\n");
        pytree_container_free(taken);
        assert_ok(pytree_pop(modules[i], PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
        assert_prints(taken, "");
        pytree_container_free(taken);
    }
    assert_prints(block, ".w.value  f32[2]\n");
    assert_prints(PYTREE(&layer), ".w  f32[2]\n");
    pytree_container_free(block);
}

static pytree zero(void *context)
{
    static double number;
    (void)context;
    number = 0;
    return PYTREE(&number);
}
static pytree_status add(void *context, pytree so_far, pytree value)
{
    if (*(const double *)value.data < 0) { return PYTREE_STOPPED; }
    *(double *)so_far.data += *(const double *)value.data * *(const double *)context;
    return PYTREE_OK;
}

/* A filter by path may choose a shared variable at any of its paths; it is taken once. */
static void shared_variables_are_popped_at_any_path(void **state)
{
    pytree_error error = { 0 };
    pytree block = new_block(NULL, &error), w = pytree_object_get(block, "w", &error), taken;
    (void)state;
    assert_ok(pytree_object_put(block, "x", w, &error), &error);
    assert_ok(pytree_object_put(block, "y", w, &error), &error);
    assert_ok(pytree_pop(block, PYTREE_FILTERS(PYTREE_NOT(PYTREE_PATH_HAS("w"))), &taken, NULL, &error), &error);
    assert_prints(taken, "['x'].value  f32[2]\n");
    pytree_container_free(taken);
    assert_int_equal(pytree_object_length(block), 3);
    assert_ok(pytree_pop(block, PYTREE_FILTERS(PYTREE_ALL_OF(PYTREE_PATH_HAS("y"), PYTREE_OF_TYPE(PYTREE_TYPE(float)))), &taken,
                         NULL, &error), &error);
    assert_prints(taken, "['y'].value  f32[2]\n");
    pytree_container_free(taken);
    pytree_container_free(block);
}

/* The same of one whose value is a node. */
static void shared_lists_are_popped_at_any_path(void **state)
{
    static float x[2] = { 1, 2 }, y[3] = { 3, 4, 5 };
    pytree_error error = { 0 };
    const pytree list = PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 3));
    pytree block = new_block(NULL, &error), taken;
    (void)state;
    assert_ok(pytree_object_put_copy(block, "a", PYTREE_VARIABLE(Intermediate, list), &error), &error);
    assert_ok(pytree_object_put(block, "b", pytree_object_get(block, "a", &error), &error), &error);
    assert_ok(pytree_pop(block, PYTREE_FILTERS(PYTREE_ALL_OF(PYTREE_PATH_HAS("b"), PYTREE_OF(Intermediate))), &taken, NULL,
                         &error), &error);
    assert_prints(taken, "['b'].value[0]  f32[2]\n['b'].value[1]  f32[3]\n");
    pytree_container_free(taken);
    pytree_container_free(block);
}

static void rules(void **state)
{
    pytree_error error = { 0 };
    Layer layer = LAYER;
    double twice = 2;
    const pytree_sow_rule sum = { zero, add, &twice }, none = { NULL, add, NULL };
    pytree block = new_block(NULL, &error), modules[2], taken;
    (void)state;
    modules[0] = block;
    modules[1] = PYTREE(&layer);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pytree_sow(modules[i], &pytree_role_Intermediate, "mean", PYTREE_FLOAT(-1), &sum, &error),
                         PYTREE_STOPPED);
        assert_ok(pytree_sow(modules[i], &pytree_role_Intermediate, "mean", PYTREE_FLOAT(3), &sum, &error), &error);
        assert_ok(pytree_sow(modules[i], &pytree_role_Intermediate, "mean", PYTREE_FLOAT(4), &sum, &error), &error);
        assert_ok(pytree_pop(modules[i], PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
        assert_prints(taken, "['mean'].value  f64 14.0\n");
        pytree_container_free(taken);
    }
    assert_says(pytree_sow(block, &pytree_role_Intermediate, "mean", PYTREE_NONE, &none, err), PYTREE_ARGUMENT, "",
                "expected a rule with init and reduce, got NULL");
    pytree_container_free(block);
}

static void what_cannot_be_sown(void **state)
{
    pytree_error error = { 0 };
    pytree_level level = { 0 };
    const pytree_options opt = { .level = &level };
    Layer layer = LAYER;
    pytree block = new_block(&opt, &error);
    (void)state;
    assert_says(pytree_sow(block, &pytree_role_Intermediate, "w", PYTREE_NONE, NULL, err), PYTREE_TYPE, ".w",
                "expected an Intermediate, got a Param");
    assert_says(pytree_sow(block, &pytree_role_Intermediate, "name", PYTREE_NONE, NULL, err), PYTREE_TYPE, ".name",
                "expected a variable, got a static str");
    assert_says(pytree_sow(PYTREE(&layer), &pytree_role_Intermediate, "nothing", PYTREE_NONE, NULL, err), PYTREE_NOT_FOUND, "",
                "expected a member 'nothing' of type pytree with ROLE(Intermediate) in Layer, got none");
    assert_says(pytree_sow(PYTREE(&layer), &pytree_role_Intermediate, "plain", PYTREE_NONE, NULL, err), PYTREE_NOT_FOUND, "",
                "expected a member 'plain' of type pytree with ROLE(Intermediate) in Layer, got none");
    assert_says(pytree_sow(PYTREE(&layer), NULL, "mean", PYTREE_NONE, NULL, err), PYTREE_ARGUMENT, "",
                "expected a module, a role and a name, got no role");
    assert_error(pytree_sow(PYTREE_INT(1), &pytree_role_Intermediate, "mean", PYTREE_NONE, NULL, &error), PYTREE_ARGUMENT,
                 "", &error);
    layer.mean = PYTREE_INT(3);
    assert_says(pytree_sow(PYTREE(&layer), &pytree_role_Intermediate, "mean", PYTREE_NONE, NULL, err), PYTREE_TYPE, "",
                pytree_types[PYTREE__T_long_].size == 8 ? "expected a tuple of recorded values in 'mean', got long"
                                                        : "expected a tuple of recorded values in 'mean', got long long");
    pytree_level_enter(&level);
    error = (pytree_error){ 0 };
    assert_error(pytree_sow(block, &pytree_role_Intermediate, "mean", PYTREE_NONE, NULL, &error), PYTREE_FROZEN, "", &error);
    pytree_level_leave(&level);
    assert_int_equal(pytree_object_length(block), 2);
    pytree_container_free(block);
}

static void a_copy_can_sow(void **state)
{
    pytree_error error = { 0 };
    Layer layer = LAYER;
    pytree block = new_block(NULL, &error), modules[2], copy, taken;
    (void)state;
    modules[0] = block;
    modules[1] = PYTREE(&layer);
    for (int i = 0; i < 2; i++) {
        assert_ok(pytree_sow(modules[i], &pytree_role_Intermediate, "mean", PYTREE_INT(1), NULL, &error), &error);
        copy = pytree_clone(modules[i], NULL, &error);
        assert_ok(pytree_sow(copy, &pytree_role_Intermediate, "mean", PYTREE_INT(2), NULL, &error), &error);
        assert_ok(pytree_sow(copy, &pytree_role_Intermediate, "mean", PYTREE_INT(3), NULL, &error), &error);
        assert_ok(pytree_pop(copy, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
        assert_prints(taken, "['mean'].value[0]  i64 1\n['mean'].value[1]  i64 2\n['mean'].value[2]  i64 3\n");
        pytree_container_free(taken);
        pytree_free(copy);
        assert_ok(pytree_pop(modules[i], PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
        assert_prints(taken, "['mean'].value[0]  i64 1\n");
        pytree_container_free(taken);
    }
    pytree_container_free(block);
}

/* ---- Pop ----------------------------------------------------------------------------------------------------------- */

static void from_lists_dicts_and_structs(void **state)
{
    pytree_error error = { 0 };
    Layer layers[2] = { LAYER, LAYER };
    Stack stack = { 2, layers };
    pytree list = pytree_new_list(NULL, &error), dict = pytree_new_dict(NULL, &error), taken[2];
    (void)state;
    for (int i = 0; i < 3; i++) {
        pytree_list_append_own(list, pytree_new_variable(i == 1 ? &pytree_role_Cache : &pytree_role_BatchStat, PYTREE_INT(i),
                               NULL, &error),
                               &error);
    }
    pytree_dict_put_own(dict, "list", list, &error);
    pytree_dict_put(dict, "stack", PYTREE(&stack), &error);
    pytree_sow(PYTREE(&layers[1]), &pytree_role_Intermediate, "mean", PYTREE_INT(7), NULL, &error);
    assert_ok(pytree_pop(dict, PYTREE_FILTERS(PYTREE_OF(BatchStat), PYTREE_OF(Intermediate)), taken, NULL, &error), &error);
    assert_prints(taken[0], "['list'][0].value  i64 0\n['list'][2].value  i64 2\n");
    assert_prints(taken[1], "['stack']['layers'][1]['mean'].value[0]  i64 7\n");
    assert_prints(list, "[0].value  i64 1\n");
    assert_int_equal(layers[1].mean.type->kind, PYTREE_KIND_NONE);
    pytree_container_free(taken[0]);
    pytree_container_free(taken[1]);
    assert_says(pytree_pop(dict, PYTREE_FILTERS(PYTREE_OF(Variable)), taken, NULL, err), PYTREE_TYPE, ".stack.layers[0].w",
                "expected an attribute, an item or a member of type pytree, got a value of a Layer that stays where it is");
    assert_null(taken[0].type);
    assert_prints(list, "[0].value  i64 1\n");                 /* nothing was taken */
    assert_says(pytree_pop(dict, 0, NULL, taken, NULL, err), PYTREE_FILTER, "",
                "expected at least one filter and a place for the result, got none");
    assert_says(pytree_pop(pytree_list_get(list, 0, &error), PYTREE_FILTERS(PYTREE_OF(Cache)), taken, NULL, err),
                PYTREE_TYPE, "",
                "expected an attribute, an item or a member of type pytree, "
                "got a value of the tree itself that stays where it is");
    pytree_container_free(dict);
}

static void shared_objects(void **state)
{
    pytree_error error = { 0 };
    Layer layer = LAYER, *two[2] = { &layer, &layer };
    pytree top = pytree_new_object(&pytree_class_Block, NULL, &error), inner = new_block(NULL, &error), taken;
    (void)state;
    (void)two;
    pytree_object_put_own(top, "b", inner, &error);
    pytree_object_put(top, "a", inner, &error);
    pytree_sow(inner, &pytree_role_Intermediate, "mean", PYTREE_INT(1), NULL, &error);
    assert_ok(pytree_pop(top, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
    assert_prints(taken, "['a']['mean'].value[0]  i64 1\n");
    pytree_container_free(taken);
    pytree_object_put(top, "c", PYTREE(&layer), &error);
    pytree_object_put(top, "d", PYTREE(&layer), &error);
    pytree_sow(PYTREE(&layer), &pytree_role_Intermediate, "mean", PYTREE_INT(2), NULL, &error);
    assert_ok(pytree_pop(top, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
    assert_prints(taken, "['c']['mean'].value[0]  i64 2\n");
    pytree_container_free(taken);
    pytree_container_free(top);
}

/* ---- Perturb, capture ---------------------------------------------------------------------------------------------- */

static void stored_values_are_added(void **state)
{
    pytree_error error = { 0 };
    Layer layer = LAYER;
    pytree block = new_block(NULL, &error), modules[2], taken;
    (void)state;
    modules[0] = block;
    modules[1] = PYTREE(&layer);
    for (int i = 0; i < 2; i++) {
        double y[4] = { 1, 2, 3, 4 };
        pytree_leaf x = { .data = y, .type = PYTREE_TYPE(double), .ndim = 2, .shape = { 2, 2 } }, stored;
        pytree_flat state_of;
        assert_ok(pytree_perturb(modules[i], "shift", &x, &error), &error);
        assert_float_equal(y[3], 4, 0);
        state_of = pytree_state(modules[i], PYTREE_OF(Perturbation), NULL, &error);
        stored = state_of.leaves[0];
        ((double *)stored.data)[3] = 0.5;
        pytree_flat_free(&state_of);
        assert_ok(pytree_perturb(modules[i], "shift", &x, &error), &error);
        assert_float_equal(y[3], 4.5, 0);
        x.shape[0] = 1;
        assert_says(pytree_perturb(modules[i], "shift", &x, err), PYTREE_SHAPE, ".shift", "expected f64[2,2], got f64[1,2]");
        x.type = PYTREE_TYPE(int);
        assert_says(pytree_perturb(modules[i], "shift", &x, err), PYTREE_TYPE, "",
                    "expected an array of float or double, got i32");
        assert_ok(pytree_pop(modules[i], PYTREE_FILTERS(PYTREE_OF(Perturbation)), &taken, NULL, &error), &error);
        pytree_container_free(taken);
    }
    pytree_container_free(block);
}

static pytree_status run(void *context, pytree t, pytree_error *err)
{
    const pytree_status status = pytree_sow(t, &pytree_role_Intermediate, "mean", PYTREE_INT(5), NULL, err);
    return status != PYTREE_OK ? status : *(const pytree_status *)context;
}

static void captured(void **state)
{
    pytree_error error = { 0 };
    pytree_status answer = PYTREE_OK;
    pytree block = new_block(NULL, &error), taken, nothing = { NULL, NULL };
    (void)state;
    assert_ok(pytree_capture(block, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, run, &answer, &taken, NULL, &error),
              &error);
    assert_prints(taken, "['mean'].value[0]  i64 5\n");
    pytree_container_free(taken);
    answer = PYTREE_STOPPED;
    assert_says(pytree_capture(block, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, run, &answer, &taken, NULL, err),
                PYTREE_STOPPED,
                "", "expected the function to succeed, got stopped by the callback");
    assert_null(taken.type);
    assert_int_equal(pytree_object_length(block), 2);          /* as before */
    assert_error(pytree_capture(block, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, NULL, NULL, &taken, NULL, &error),
                 PYTREE_ARGUMENT, "", &error);
    pytree_container_free(block);
}

static void objects_take_new_shapes_and_names(void **state)
{
    pytree_error error = { 0 };
    pytree top = pytree_new_object(&pytree_class_Block, NULL, &error), block = new_block(NULL, &error), w, states[2];
    const void *memory;
    (void)state;
    assert_ok(pytree_object_put_own(top, "block", block, &error), &error);
    w = pytree_object_get(block, "w", &error);
    memory = pytree_at(w, ".value", NULL, &error).data;
    states[0] = PYTREE_DICT({ "block", PYTREE_DICT({ "w", PYTREE_ARRAY(numbers + 2, 2) }) });
    assert_ok(pytree_object_update(top, 1, states, NULL, &error), &error);
    assert_ptr_equal(pytree_at(w, ".value", NULL, &error).data, memory);                      /* what fits stays where it is */
    assert_float_equal(*(const float *)memory, 3, 0);

    states[0] = PYTREE_DICT({ "block", PYTREE_DICT({ "w", PYTREE_VARIABLE(Cache, PYTREE_ARRAY(numbers, 2, 3)) },
                                                   { "fresh", PYTREE_VARIABLE(Cache, PYTREE_INT(1)) },
                                                   { "raw", PYTREE_INT(2) }) });
    states[1] = PYTREE_DICT({ "name", PYTREE_DICT({ "nowhere", PYTREE_INT(1) }) });
    assert_error(pytree_object_update(top, 2, states, NULL, &error), PYTREE_NOT_FOUND, NULL, &error);
    assert_int_equal(pytree_object_length(block), 2);          /* nothing has changed */
    assert_prints(block, ".w.value  f32[2]\n");
    error = (pytree_error){ 0 };
    assert_ok(pytree_object_update(top, 1, states, NULL, &error), &error);
    assert_prints(block, ".fresh.value  i64 1\n.raw  i64 2\n.w.value  f32[2,3]\n");
    assert_ptr_equal(pytree_object_get(block, "w", &error).type, &pytree_role_Param);
    states[0] = PYTREE_DICT({ "block", PYTREE_DICT({ "name", PYTREE_ARRAY(numbers, 2) }) });
    assert_says(pytree_object_update(top, 1, states, NULL, err), PYTREE_STATIC, ".block.name",
                "expected a static value for the static attribute of a Block, got a leaf");
    states[0] = PYTREE_DICT({ "block", PYTREE_INT(1) });
    assert_says(pytree_object_update(top, 1, states, NULL, err), PYTREE_STRUCTURE, ".block",
                "expected a state for a Block, got a leaf");
    assert_says(pytree_object_update(top, 1, NULL, NULL, err), PYTREE_ARGUMENT, "", "expected 1 states, got NULL");
    pytree_container_free(top);
}

static void variables_of_a_state_bring_role_and_metadata(void **state)
{
    pytree_error error = { 0 };
    pytree block = new_block(NULL, &error), w = pytree_object_get(block, "w", &error), change;
    const pytree described = { &pytree_role_Cache, &(pytree_variable){ .value = PYTREE_ARRAY(numbers, 1),
                                                                        .metadata = "{'tag': 'x'}" } };
    (void)state;
    assert_ok(pytree_object_put_copy(block, "raw", PYTREE_ARRAY(numbers, 2), &error), &error);
    change = PYTREE_DICT({ "raw", described }, { "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)) });
    assert_ok(pytree_variable_put_metadata(w, "axis", PYTREE_INT(1), &error), &error);
    assert_ok(pytree_object_update(block, 1, &change, NULL, &error), &error);
    assert_prints(block, ".raw.value  f32[1]\n.w.value  f32[2]\n");
    assert_ptr_equal(pytree_object_get(block, "raw", &error).type, &pytree_role_Cache);
    change = pytree_variable_metadata(pytree_object_get(block, "raw", &error), "tag", NULL, &error);
    assert_string_equal(*(const char **)change.data, "x");
    pytree_free(change);
    assert_null(pytree_variable_metadata(w, "axis", NULL, &error).type);                      /* the state's has none */
    error = (pytree_error){ 0 };
    assert_ok(pytree_variable_put_metadata(w, "axis", PYTREE_INT(1), &error), &error);
    change = PYTREE_DICT({ "w", PYTREE_ARRAY(numbers, 2) });
    assert_ok(pytree_object_update(block, 1, &change, NULL, &error), &error);
    change = pytree_variable_metadata(w, "axis", NULL, &error);                               /* a bare value leaves it */
    assert_ok(error.status, &error);
    pytree_free(change);
    pytree_container_free(block);
}

static void structs_keep_their_shapes(void **state)
{
    pytree_error error = { 0 };
    Layer layer = LAYER;
    pytree change = PYTREE_DICT({ "w", PYTREE_ARRAY(numbers + 4, 2) });
    (void)state;
    assert_ok(pytree_object_update(PYTREE(&layer), 1, &change, NULL, &error), &error);
    assert_float_equal(layer.w[1], 6, 0);
    change = PYTREE_DICT({ "w", PYTREE_ARRAY(numbers, 3) });
    assert_says(pytree_object_update(PYTREE(&layer), 1, &change, NULL, err), PYTREE_SHAPE, ".w", "expected f32[2], got f32[3]");
    change = PYTREE_DICT({ "v", PYTREE_ARRAY(numbers, 3) });
    assert_error(pytree_object_update(PYTREE(&layer), 1, &change, NULL, &error), PYTREE_NOT_FOUND, "", &error);
}

/* ---- By filter ------------------------------------------------------------------------------------------------------- */

/* A struct with a static number between objects. */
typedef struct Switch { int on; float w; } Switch;
#define PYTREE_STRUCT Switch
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, on) PYTREE_FIELD(DATA, w, ROLE(Param))
#include "pytree_registry.h"

/* A block with a block and a struct in it, each with an attribute `on`. */
static pytree new_switches(Switch *s, const pytree_options *opt, pytree_error *error)
{
    pytree outer = new_block(opt, error), inner = new_block(opt, error);
    pytree_object_put_copy(outer, "on", PYTREE_INT(0), error);
    pytree_object_put_copy(inner, "on", PYTREE_INT(0), error);
    if (pytree_object_put_own(outer, "inner", inner, error) != PYTREE_OK) { pytree_container_free(inner); }
    pytree_object_put(outer, "s", PYTREE(s), error);
    return outer;
}

static int64_t number_at(pytree object, const char *name) { return *(int64_t *)pytree_object_get(object, name, NULL).data; }

static void attributes_by_filter(void **state)
{
    Switch s = { 0, 1 };
    pytree_error error = { 0 };
    pytree outer = new_switches(&s, NULL, &error), inner = pytree_object_get(outer, "inner", &error);
    size_t found = 7;
    (void)state;
    assert_ok(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "on", PYTREE_INT(1), &found, NULL, &error), &error);
    assert_int_equal(found, 3);
    assert_true(number_at(outer, "on") == 1 && number_at(inner, "on") == 1 && s.on == 1);
    assert_ok(pytree_object_set_attributes(outer, PYTREE_PATH(".inner"), "on", PYTREE_INT(2), NULL, NULL, &error), &error);
    assert_true(number_at(outer, "on") == 1 && number_at(inner, "on") == 2 && s.on == 1);
    assert_ok(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "off", PYTREE_INT(2), &found, NULL, &error), &error);
    assert_int_equal(found, 0);
    assert_says(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "off", PYTREE_INT(2), NULL, NULL, err),
                PYTREE_NOT_FOUND, NULL, "expected a node with the attribute 'off', got none");
    assert_says(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "on", PYTREE_FLOAT(0.5), NULL, NULL, err),
                PYTREE_VALUE, ".s", "expected a number that the i32 on of a Switch can hold, got 0.5");
    assert_says(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "on", PYTREE_SCALAR(numbers), NULL, NULL, err),
                PYTREE_STATIC, ".inner.on", "expected a static value for the static attribute of a Block, got an array f32; "
                "PYTREE_AS_DATA changes its status");
    assert_says(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, NULL, PYTREE_INT(1), NULL, NULL, err), PYTREE_ARGUMENT,
                NULL, "expected the name of an attribute, got NULL");
    assert_true(number_at(outer, "on") == 1 && number_at(inner, "on") == 2 && s.on == 1);      /* nothing has changed */
    pytree_container_free(outer);
}

static void metadata_by_filter(void **state)
{
    pytree_level level = { 0 };
    const pytree_options opt = { .level = &level };
    Switch s = { 0, 1 };
    pytree_error error = { 0 };
    pytree outer = new_switches(&s, &opt, &error), inner = pytree_object_get(outer, "inner", &error), got, copy;
    size_t found = 7;
    (void)state;
    assert_ok(pytree_set_metadata(outer, PYTREE_PATH(".inner.w"), "tag", PYTREE_STR("in"), NULL, NULL, &error), &error);
    assert_ok(pytree_set_metadata(outer, PYTREE_OF(Param), "scale", PYTREE_FLOAT(0.5), &found, NULL, &error), &error);
    assert_int_equal(found, 2);
    got = pytree_variable_metadata(pytree_object_get(inner, "w", NULL), "tag", NULL, &error);
    assert_string_equal(*(const char *const *)got.data, "in");
    pytree_free(got);
    got = pytree_variable_metadata(pytree_object_get(outer, "w", NULL), "tag", NULL, NULL);
    assert_null(got.type);
    assert_ok(pytree_set_metadata(outer, PYTREE_TAG("in"), "scale", PYTREE_FLOAT(2), &found, NULL, &error), &error);
    assert_int_equal(found, 1);
    copy = pytree_clone(outer, NULL, &error);                  /* variables that were rebuilt grow */
    assert_ok(pytree_set_metadata(copy, PYTREE_EVERYTHING, "more", PYTREE_INT(1), &found, NULL, &error), &error);
    assert_int_equal(found, 2);
    pytree_free(copy);
    assert_ok(pytree_set_metadata(PYTREE(&s), PYTREE_EVERYTHING, "more", PYTREE_INT(1), &found, NULL, &error), &error);
    assert_int_equal(found, 0);
    assert_says(pytree_set_metadata(PYTREE(&s), PYTREE_EVERYTHING, "tag", PYTREE_INT(1), NULL, NULL, err), PYTREE_NOT_FOUND,
                NULL, "expected a variable for 'tag', got none");
    assert_says(pytree_set_metadata(outer, PYTREE_EVERYTHING, "tag", PYTREE_SCALAR(numbers), NULL, NULL, err), PYTREE_STATIC,
                NULL, "expected a static value, got an array f32");
    assert_says(pytree_set_metadata(outer, PYTREE_EVERYTHING, NULL, PYTREE_INT(1), NULL, NULL, err), PYTREE_ARGUMENT, NULL,
                "expected a name and a value of metadata, got NULL");
    pytree_level_enter(&level);
    assert_says(pytree_set_metadata(outer, PYTREE_EVERYTHING, "tag", PYTREE_INT(1), NULL, NULL, err), PYTREE_FROZEN,
                ".inner.w", "expected a Param of this level (1), got one of level 0");
    assert_says(pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "on", PYTREE_INT(1), NULL, NULL, err), PYTREE_FROZEN,
                ".inner.on", "expected a Block of this level (1), got one of level 0");
    pytree_level_leave(&level);
    pytree_container_free(outer);
}

static pytree_status set_body(bool metadata, const pytree_options *opt, pytree_error *err)
{
    Switch s = { 0, 1 };
    pytree outer = new_switches(&s, opt, err);
    pytree_def *before = err->status == PYTREE_OK ? pytree_structure(outer, NULL, NULL) : NULL, *after;
    if (before != NULL) {
        if (!metadata) { pytree_object_set_attributes(outer, PYTREE_EVERYTHING, "on", PYTREE_INT(1), NULL, opt, err); }
        else { pytree_set_metadata(outer, PYTREE_EVERYTHING, "tag", PYTREE_STR("drop"), NULL, opt, err); }
        after = pytree_structure(outer, NULL, NULL);
        assert_int_equal(pytree_def_equal(before, after), err->status != PYTREE_OK);
        pytree_def_free(after);
    }
    pytree_def_free(before);
    if (outer.data != NULL) { pytree_container_free(outer); }
    return err->status;
}

static pytree_status sweep_attributes(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return set_body(false, opt, err);
}

static pytree_status sweep_metadata(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return set_body(true, opt, err);
}

/* ---- Memory that runs out, depth ----------------------------------------------------------------------------------- */

static pytree_status sweep_record(void *context, const pytree_options *opt, pytree_error *err)
{
    double y[2] = { 1, 2 }, one = 1;
    pytree_leaf x = { .data = y, .type = PYTREE_TYPE(double), .ndim = 1, .shape = { 2 } };
    const pytree_sow_rule sum = { zero, add, &one };
    pytree top = pytree_new_object(&pytree_class_Block, opt, err), block = new_block(opt, err), taken[2] = { { NULL, NULL } };
    (void)context;
    if (pytree_object_put_own(top, "block", block, err) != PYTREE_OK) { pytree_container_free(block); block.type = NULL; }
    if (err->status == PYTREE_OK) { pytree_sow(block, &pytree_role_Intermediate, "mean", PYTREE_INT(1), NULL, err); }
    if (err->status == PYTREE_OK) { pytree_sow(block, &pytree_role_Intermediate, "mean", PYTREE_INT(2), NULL, err); }
    if (err->status == PYTREE_OK) { pytree_sow(block, &pytree_role_Intermediate, "sum", PYTREE_FLOAT(2), &sum, err); }
    if (err->status == PYTREE_OK) { pytree_perturb(block, "shift", &x, err); }
    if (err->status == PYTREE_OK) {
        pytree_pop(top, PYTREE_FILTERS(PYTREE_OF(Perturbation), PYTREE_OF(Intermediate)), taken, opt, err);
    }
    if (err->status == PYTREE_OK) {
        pytree change = PYTREE_DICT({ "block", PYTREE_DICT({ "w", PYTREE_ARRAY(numbers, 2, 3) },
                                                           { "fresh", PYTREE_VARIABLE(Cache, PYTREE_INT(1)) }) });
        assert_int_equal(pytree_object_length(block), 2);
        if (pytree_object_update(top, 1, &change, opt, err) != PYTREE_OK) { assert_int_equal(pytree_object_length(block), 2); }
    } else {
        assert_null(taken[0].type);
        assert_null(taken[1].type);
    }
    pytree_container_free(taken[0]);
    pytree_container_free(taken[1]);
    pytree_container_free(top);
    return err->status;
}

/* A struct's member takes memory from the C library, the result of pop from the options. */
static pytree_status sweep_member(void *context, const pytree_options *opt, pytree_error *err)
{
    Layer layer = LAYER;
    pytree taken = { NULL, NULL };
    const size_t fail_at = stb_fail_at, calls = stb_calls;
    (void)context;
    stb_fail_at = SIZE_MAX;
    assert_int_equal(pytree_sow(PYTREE(&layer), &pytree_role_Intermediate, "mean", PYTREE_INT(1), NULL, NULL), PYTREE_OK);
    stb_fail_at = fail_at;
    stb_calls = calls;
    if (pytree_pop(PYTREE(&layer), PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, opt, err) != PYTREE_OK) {
        assert_int_equal(pytree_container_length(layer.mean), 1);
        pytree_container_free(layer.mean);
    }
    pytree_container_free(taken);
    return err->status;
}

/* What a call leaves behind if it fails half-way is taken out, too. */
static pytree_status sweep_capture(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_status answer = PYTREE_OK;
    pytree block = new_block(opt, err), taken = { NULL, NULL }, nothing = taken;
    (void)context;
    if (err->status == PYTREE_OK) {
        pytree_capture(block, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, run, &answer, &taken, opt, err);
        if (err->status != PYTREE_OK) { assert_null(taken.type); }
    }
    pytree_container_free(taken);
    pytree_container_free(block);
    return err->status;
}

static void memory_runs_out(void **state)
{
    sweep_body *const bodies[] = { sweep_record, sweep_member, sweep_attributes, sweep_metadata, sweep_capture };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        assert_in_range(sweep_allocations(bodies[i], NULL), 3, 200);
        for (size_t n = 0;; n++) {                             /* the arrays of stb_ds */
            pytree_error error = { 0 };
            pytree_status status;
            stb_calls = 0;
            stb_fail_at = n;
            status = bodies[i](NULL, NULL, &error);
            stb_fail_at = SIZE_MAX;
            assert_int_equal(stb_blocks, 0);
            if (stb_calls <= n) { assert_ok(status, &error); break; }
            assert_error(status, PYTREE_NO_MEMORY, NULL, &error);
        }
    }
}

static void deep_trees(void **state)
{
    const size_t n = under_valgrind() ? 1000 : 50000;          /* the key path of each place is copied to its result */
    pytree_error error = { 0 };
    pytree top = new_block(NULL, &error), taken;
    (void)state;
    pytree_sow(top, &pytree_role_Intermediate, "mean", PYTREE_INT(1), NULL, &error);
    for (size_t i = 0; i < n; i++) {
        pytree next = pytree_new_object(&pytree_class_Block, NULL, &error);
        pytree_object_put_own(next, "x", top, &error);
        top = next;
    }
    assert_ok(pytree_pop(top, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
    assert_int_equal(pytree_num_leaves(taken, NULL, &error), 1);
    assert_int_equal(pytree_num_leaves(top, NULL, &error), 1);
    pytree_container_free(taken);
    pytree_container_free(top);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sown_values_are_popped),
        TEST(rules), TEST(shared_variables_are_popped_at_any_path), TEST(shared_lists_are_popped_at_any_path),
        TEST(variables_of_a_state_bring_role_and_metadata),
        TEST(what_cannot_be_sown),
        TEST(a_copy_can_sow),
        TEST(from_lists_dicts_and_structs),
        TEST(shared_objects),
        TEST(stored_values_are_added),
        TEST(captured),
        TEST(objects_take_new_shapes_and_names),
        TEST(structs_keep_their_shapes),
        TEST(memory_runs_out),
        TEST(attributes_by_filter),
        TEST(metadata_by_filter),
        TEST(deep_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
