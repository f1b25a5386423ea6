/* What states, graphs, objects and records refuse: one row of a table for each mistake, with the whole message. After each one,
 * the model and the object are as they were. What the compiler refuses is in tests/compile_fail: role_unknown.c, role_twice.c,
 * role_of_static.c, role_of_drop.c, role_base_unknown.c, static_pointer.c, const_capture.c. */
#include "containers/containers_shared.h"
#include "pytree/object.h"
#include "pytree/record.h"

typedef struct Dense { int din, dout; float *kernel, *bias; } Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, kernel, ARRAY(self->din, self->dout), ROLE(Param))                                               \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dout), ROLE(Param))
#include "pytree_registry.h"

typedef struct Net { Dense dense; float mean[2]; Dense *tied, *again; pytree note; } Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, dense)                                                                                           \
    PYTREE_FIELD(DATA, mean, ROLE(BatchStat))                                                                           \
    PYTREE_FIELD(DATA, tied, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, again, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, note, ROLE(Intermediate))
#include "pytree_registry.h"

PYTREE_CLASS(Foo, Module);

/* A struct and an object, and what a row needs. */
typedef struct Mistake {
    float w[8], x;
    Net net;
    pytree t, object;                     /* the net; a Foo with the variable w, the list items, the static text name */
    pytree_level level;
    pytree_error *err;
} Mistake;

typedef pytree_status MistakeFn(Mistake *m);

static void begin(Mistake *m, pytree_error *err)
{
    const pytree_options opt = { .level = &m->level };
    pytree list;
    memset(m, 0, sizeof *m);
    m->err = err;
    m->net = (Net){ { 2, 3, m->w, m->w + 6 }, { 1, 2 }, NULL, NULL, PYTREE_NONE };
    m->net.dense.bias = malloc(3 * sizeof(float));
    assert_non_null(m->net.dense.bias);
    memset(m->net.dense.bias, 0, 3 * sizeof(float));
    m->t = PYTREE(&m->net);
    m->object = pytree_new_object(&pytree_class_Foo, &opt, err);
    list = pytree_new_object(&pytree_class_List, &opt, err);
    pytree_list_append_copy(list, PYTREE_SCALAR(&m->x), err);
    pytree_object_put_own(m->object, "w", pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(m->w, 2, 3), &opt, err), err);
    pytree_object_put_own(m->object, "items", list, err);
    pytree_object_put_copy(m->object, "name", PYTREE_STR("first"), err);
    assert_ok(err->status, err);
}

static void end(Mistake *m)
{
    free(m->net.dense.bias);
    pytree_container_free(m->object);
}

/* ---- Split, merge, update -------------------------------------------------------------------------------------------- */

static pytree_status filters_leave_something(Mistake *m)
{
    pytree_flat state;
    return pytree_split(m->t, PYTREE_FILTERS(PYTREE_OF(Param)), NULL, &state, NULL, m->err);
}

static pytree_status rest_before_another(Mistake *m)
{
    pytree_flat states[2];
    return pytree_split(m->t, PYTREE_FILTERS(PYTREE_REST, PYTREE_OF(Param)), NULL, states, NULL, m->err);
}

static pytree_status pop_without_filter(Mistake *m)
{
    pytree taken;
    return pytree_pop(m->t, 0, NULL, &taken, NULL, m->err);
}

/* Merges the net's structure and its parameters with another state. */
static pytree_status merged_with(Mistake *m, pytree other)
{
    pytree_def *graphdef = pytree_graphdef(m->t, NULL, NULL);
    pytree_flat params = pytree_state(m->t, PYTREE_OF(Param), NULL, NULL);
    const pytree states[2] = { PYTREE(&params), other };
    assert_null(pytree_merge(graphdef, 2, states, NULL, m->err).data);
    pytree_flat_free(&params);
    pytree_def_free(graphdef);
    return m->err->status;
}

static pytree_status merge_too_few(Mistake *m) { return merged_with(m, PYTREE_DICT()); }

static pytree_status merge_too_many(Mistake *m)
{
    return merged_with(m, PYTREE_DICT({ "mean", PYTREE_ARRAY(m->net.mean, 2) }, { "more", PYTREE_INT(1) }));
}

static pytree_status merge_other_shape(Mistake *m) { return merged_with(m, PYTREE_DICT({ "mean", PYTREE_ARRAY(m->w, 3) })); }

static pytree_status updated(Mistake *m, pytree state) { return pytree_update(m->t, 1, &state, NULL, m->err); }
static pytree_status object_updated(Mistake *m, pytree state)
{
    return pytree_object_update(m->object, 1, &state, NULL, m->err);
}

static pytree_status update_other_shape(Mistake *m)
{
    return updated(m, PYTREE_DICT({ "dense", PYTREE_DICT({ "kernel", PYTREE_ARRAY(m->w, 3, 2) }) }));
}

static pytree_status update_other_type(Mistake *m)
{
    int64_t mean[2] = { 0 };
    return updated(m, PYTREE_DICT({ "mean", PYTREE_ARRAY(mean, 2) }));
}

static pytree_status update_leaf_for_node(Mistake *m) { return updated(m, PYTREE_DICT({ "dense", PYTREE_ARRAY(m->w, 3) })); }

static pytree_status update_leaf_for_none(Mistake *m) { return updated(m, PYTREE_DICT({ "tied", PYTREE_ARRAY(m->w, 3) })); }

static pytree_status update_leaf_for_object(Mistake *m)
{
    return object_updated(m, PYTREE_DICT({ "items", PYTREE_VARIABLE(Param, PYTREE_ARRAY(m->w, 3)) }));
}

static pytree_status update_unknown_name(Mistake *m)
{
    return updated(m, PYTREE_DICT({ "dense", PYTREE_DICT({ "w", PYTREE_ARRAY(m->w, 3) }) }));
}

static pytree_status update_text_into_list(Mistake *m)
{
    return object_updated(m, PYTREE_DICT({ "items", PYTREE_DICT({ "first", PYTREE_INT(1) }) }));
}

static pytree_status update_number_into_names(Mistake *m) { return object_updated(m, PYTREE_IDICT({ 3, PYTREE_INT(1) })); }

static pytree_status update_static_attribute(Mistake *m)
{
    return object_updated(m, PYTREE_DICT({ "name", PYTREE_ARRAY(m->w, 3) }));
}

/* ---- Graphs ---------------------------------------------------------------------------------------------------------- */

static pytree_status two_extents(Mistake *m)
{
    const pytree both = PYTREE_DICT({ "a", PYTREE_VARIABLE(Param, PYTREE_ARRAY(m->w, 6)) }, { "b", PYTREE_ARRAY(m->w, 2, 3) });
    assert_null(pytree_graphdef(both, NULL, m->err));
    return m->err->status;
}

static pytree_status cycle_in_a_plain_function(Mistake *m)
{
    pytree_pair pair = { "self", { NULL, NULL } };
    pytree_items items = { .count = 1, .pairs = &pair };
    const pytree t = { &pytree_types[PYTREE__T_dict], &items };
    pair.value = t;
    assert_int_equal(pytree_num_leaves(t, NULL, m->err), SIZE_MAX);
    return m->err->status;
}

/* ---- Objects --------------------------------------------------------------------------------------------------------- */

static pytree_status data_as_static(Mistake *m)
{
    return pytree_object_put(m->object, "b", PYTREE_AS_STATIC(PYTREE_SCALAR(&m->x)), m->err);
}

static pytree_status data_for_static(Mistake *m) { return pytree_object_put(m->object, "name", PYTREE_SCALAR(&m->x), m->err); }

static pytree_status data_in_a_list(Mistake *m)
{
    return pytree_object_put(m->object, "b", PYTREE_LIST(PYTREE_ARRAY(m->w, 1)), m->err);
}

static pytree_status found_later(Mistake *m)
{
    pytree foo = pytree_new_object(&pytree_class_Foo, NULL, m->err), list = pytree_new_list(NULL, m->err);
    pytree_list_append_copy(list, PYTREE_INT(1), m->err);
    pytree_object_put(foo, "b", list, m->err);
    pytree_list_append(list, PYTREE_ARRAY(m->w, 2), m->err);
    assert_ok(m->err->status, m->err);
    pytree_check(foo, NULL, NULL, NULL, m->err);
    pytree_container_free(foo);
    pytree_container_free(list);
    return m->err->status;
}

static pytree_status annotation_inside(Mistake *m)
{
    return pytree_object_put(m->object, "a", PYTREE_LIST(PYTREE_AS_DATA(PYTREE_INT(1))), m->err);
}

static pytree_status missing_attribute(Mistake *m)
{
    assert_null(pytree_object_get(m->object, "w10", m->err).type);
    return m->err->status;
}

static pytree_status missing_metadata(Mistake *m)
{
    const pytree w = pytree_object_get(m->object, "w", NULL);
    assert_null(pytree_variable_metadata(w, "axis", NULL, m->err).type);
    return m->err->status;
}

static pytree_status unknown_collection(Mistake *m)
{
    assert_null(pytree_role_of_collection("weights", m->err));
    return m->err->status;
}

static pytree_status other_level(Mistake *m)
{
    pytree_level_enter(&m->level);
    pytree_object_put(m->object, "count", PYTREE_INT(1), m->err);
    pytree_level_leave(&m->level);
    return m->err->status;
}

static pytree_status sealed_tree_changed(Mistake *m)
{
    pytree_seal *seal = pytree_seal_new(m->t, NULL, m->err);
    m->w[3] = 1;
    pytree_seal_check(seal, m->t, NULL, m->err);
    m->w[3] = 0;
    pytree_seal_free(seal);
    return m->err->status;
}

/* ---- Records, attributes, prefixes ----------------------------------------------------------------------------------- */

static pytree_status pop_of_an_array(Mistake *m)
{
    pytree taken;
    pytree_pop(m->t, PYTREE_FILTERS(PYTREE_OF(BatchStat)), &taken, NULL, m->err);
    assert_null(taken.type);
    return m->err->status;
}

static pytree_status sow_other_role(Mistake *m)
{
    return pytree_sow(m->object, &pytree_role_Intermediate, "w", PYTREE_INT(1), NULL, m->err);
}

static pytree_status sow_no_variable(Mistake *m)
{
    return pytree_sow(m->object, &pytree_role_Intermediate, "name", PYTREE_INT(1), NULL, m->err);
}

static pytree_status sow_without_member(Mistake *m)
{
    return pytree_sow(m->t, &pytree_role_Intermediate, "y_mean", PYTREE_INT(1), NULL, m->err);
}

static pytree_status perturb_other_shape(Mistake *m)
{
    float y[6] = { 0 };
    const pytree_leaf first = { .data = y, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 1, 3 } };
    const pytree_leaf second = { .data = y, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 3 } };
    pytree foo = pytree_new_object(&pytree_class_Foo, NULL, m->err);
    assert_int_equal(pytree_perturb(foo, "xgrad", &first, m->err), PYTREE_OK);
    pytree_perturb(foo, "xgrad", &second, m->err);
    pytree_container_free(foo);
    return m->err->status;
}

static pytree_status prefix_without_filter(Mistake *m)
{
    const pytree values[1] = { PYTREE_INT(0) };
    assert_null(pytree_prefix(m->t, PYTREE_FILTERS(PYTREE_OF(Param)), values, NULL, NULL, m->err).def);
    return m->err->status;
}

static pytree_status prefix_of_shared_memory(Mistake *m)
{
    const pytree values[2] = { PYTREE_INT(0), PYTREE_NONE };
    Dense shared = m->net.dense;
    Net two = { m->net.dense, { 0 }, &shared, &shared, PYTREE_NONE };
    two.dense.kernel = &m->w[7];
    two.dense.din = two.dense.dout = 1;
    two.dense.bias = &m->x;
    assert_null(pytree_prefix(PYTREE(&two), PYTREE_FILTERS(PYTREE_PATH_HAS("tied"), PYTREE_REST), values, NULL, NULL,
                              m->err).def);
    return m->err->status;
}

static pytree_status no_such_attribute(Mistake *m)
{
    return pytree_set_attributes(m->t, PYTREE_EVERYTHING, "nowhere", PYTREE_INT(1), NULL, NULL, m->err);
}

static pytree_status no_memory(Mistake *m)
{
    Heap heap;
    pytree_options opt = { 0 };
    pytree_flat state;
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    state = pytree_state(m->t, PYTREE_EVERYTHING, &opt, m->err);
    assert_null(state.def);
    assert_heap_clean(&heap);
    return m->err->status;
}

/* ---- The table ------------------------------------------------------------------------------------------------------- */

#define ROW(f, status, path, message) { #f, f, PYTREE_##status, path, message }
/* Each with the path and the message; "": the words depend on the machine. */
static const struct { const char *name; MistakeFn *make; pytree_status status; const char *path, *message; } rows[] = {
    ROW(filters_leave_something, FILTER, ".mean",
        "expected a filter for each place, got none for this BatchStat f32[2]; put PYTREE_REST last"),
    ROW(rest_before_another, FILTER, "", "expected PYTREE_REST behind all other filters, got it as filter 0 of 2"),
    ROW(pop_without_filter, FILTER, "", "expected at least one filter and a place for the result, got none"),
    ROW(merge_too_few, TOO_FEW_LEAVES, ".mean", "expected 3 leaves, got 2; this BatchStat is in none of the 2 states"),
    ROW(merge_too_many, TOO_MANY_LEAVES, ".more",
        "expected 3 leaves, got 4; the structure has nothing here, or another state has this leaf, too"),
    ROW(merge_other_shape, SHAPE, ".mean", "expected f32[2], got f32[3]"),
    ROW(update_other_shape, SHAPE, ".dense.kernel", "expected f32[2,3], got f32[3,2]"),
    ROW(update_other_type, TYPE, ".mean", "expected f32[2], got i64[2]"),
    ROW(update_leaf_for_node, STRUCTURE, ".dense", "expected a state for a Dense, got a leaf"),
    ROW(update_leaf_for_none, STRUCTURE, ".tied", "expected nothing for None, got a leaf"),
    ROW(update_leaf_for_object, STRUCTURE, ".items", "expected a state for a List, got a Param"),
    ROW(update_unknown_name, NOT_FOUND, ".dense", "expected .w, got a Dense with .kernel, .bias"),
    ROW(update_text_into_list, ARGUMENT, ".items.first", "expected an index of a list of 1, got 'first'"),
    ROW(update_number_into_names, ARGUMENT, "[3]", "expected the name of a field, got 3"),
    ROW(update_static_attribute, STATIC, ".name", "expected a static value for the static attribute of a Foo, got a leaf"),
    ROW(two_extents, SHARED, "['b']", "expected f32[6] in the role Param as at ['a'].value, got f32[2,3] in no role"),
    ROW(cycle_in_a_plain_function, CYCLE, "['self']", "expected a tree, got a cycle: this dict is the one 1 levels above it"),
    ROW(data_as_static, STATIC, ".b", "expected a static value, got an array f32 annotated as static in a Foo"),
    ROW(data_for_static, STATIC, ".name",
        "expected a static value for the static attribute of a Foo, got an array f32; PYTREE_AS_DATA changes its "
        "status"),
    ROW(data_in_a_list, STATIC, ".b[0]",
        "expected a static value in a list without annotation in a Foo, got an array f32[1]; PYTREE_AS_DATA, or an "
        "object of class List"),
    ROW(found_later, STATIC, ".b[1]", "expected a static value, got an array f32[2]"),
    ROW(annotation_inside, ARGUMENT, ".a[0]", "expected annotations on attributes, got PYTREE_AS_DATA in a list"),
    ROW(missing_attribute, NOT_FOUND, "", "expected 'items', 'name' or 'w', got 'w10'"),
    ROW(missing_metadata, NOT_FOUND, "", "expected metadata of a Param, got none of the name 'axis'"),
    ROW(unknown_collection, NOT_FOUND, "", "expected a collection such as 'params' or 'batch_stats', got 'weights'"),
    ROW(other_level, FROZEN, "", "expected a Foo of this level (1), got one of level 0"),
    ROW(sealed_tree_changed, FROZEN, ".dense.kernel", "expected the f32[2,3] that was sealed, got other values"),
    ROW(pop_of_an_array, TYPE, ".mean",
        "expected an attribute, an item or a member of type pytree, got a value of a Net that stays where it is"),
    ROW(sow_other_role, TYPE, ".w", "expected an Intermediate, got a Param"),
    ROW(sow_no_variable, TYPE, ".name", "expected a variable, got a static str"),
    ROW(sow_without_member, NOT_FOUND, "",
        "expected a member 'y_mean' of type pytree with ROLE(Intermediate) in Net, got none"),
    ROW(perturb_other_shape, SHAPE, ".xgrad", "expected f32[1,3], got f32[2,3]"),
    ROW(prefix_without_filter, FILTER, ".mean",
        "expected a filter for each place, got none for this BatchStat f32[2]; put PYTREE_REST last"),
    ROW(prefix_of_shared_memory, SHARED, ".again.kernel",
        "expected one prefix for memory reached as .tied.kernel and .again.kernel, got 0 and None"),
    ROW(no_such_attribute, NOT_FOUND, "", "expected a node with the attribute 'nowhere', got none"),
    ROW(no_memory, NO_MEMORY, "", ""),
};

static void mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Mistake m;
        pytree_error error = { 0 };
        pytree net, object;
        begin(&m, &error);
        net = pytree_clone(m.t, NULL, &error);
        object = pytree_clone(m.object, NULL, &error);
        assert_ok(error.status, &error);
        if (rows[i].make(&m) != rows[i].status || error.status != rows[i].status || strcmp(error.path, rows[i].path) != 0
            || (*rows[i].message != '\0' && strcmp(error.message, rows[i].message) != 0)) {
            print_error("# %s: %s at '%s': %s\n", rows[i].name, pytree_status_name(error.status), error.path, error.message);
            fail();
        }
        error = (pytree_error){ 0 };
        assert_true(pytree_equal(m.t, net, NULL, NULL, &error) && pytree_equal(m.object, object, NULL, NULL, &error));
        pytree_free(net);
        pytree_free(object);
        end(&m);
    }
}

/* A number of states that no array has: nothing is read. */
static void more_states_than_memory(void **state)
{
    const pytree number = PYTREE_INT(1);
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(number, NULL, NULL);
    (void)state;
    assert_error(pytree_update(number, SIZE_MAX / 2, &number, NULL, &error), PYTREE_NO_MEMORY, "", &error);
    error = (pytree_error){ 0 };
    assert_null(pytree_merge(def, SIZE_MAX / sizeof(pytree), &number, NULL, &error).data);
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(mistakes), cmocka_unit_test(more_states_than_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
