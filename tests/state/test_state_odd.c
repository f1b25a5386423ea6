/* States and attributes at their edges: NULL and nothing, values that do not fit, parts that look alike, memory that runs out:
 * pytree/state.h. */
#include "support.h"
#include "refusal.h"
#include "pytree/containers.h"
#include "pytree/object.h"
#include "pytree/path.h"
#include "pytree/state.h"
#include "pytree/treedef_io.h"

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

typedef struct Pair { int a, b; } Pair;
#define PYTREE_LEAF_TYPE Pair
#include "pytree_registry.h"
#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE open
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct Settings { int number[20]; } Settings;
#define PYTREE_STRUCT Settings
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, number)
#include "pytree_registry.h"

typedef struct Small { unsigned char rate; float x; } Small;
#define PYTREE_STRUCT Small
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(DATA, x, ROLE(Param))
#include "pytree_registry.h"

typedef struct Maybe { float *w; } Maybe;
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

typedef struct Large { double rate; Settings settings; float x; } Large;
#define PYTREE_STRUCT Large
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, settings) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

PYTREE_CLASS(Net, Module);

/* ---- NULL and nothing ---------------------------------------------------------------------------------------------- */

static void arrays_are_needed_unless_they_are_empty(void **state)
{
    pytree t = PYTREE_LIST(PYTREE_SCALAR(numbers)), none = PYTREE_NONE;
    const pytree_filter rest = PYTREE_REST;
    pytree_error error = { 0 };
    pytree_flat made;
    pytree_def *def = NULL;
    (void)state;
    assert_refused(pytree_split(t, 1, &rest, &def, NULL, NULL, err), PYTREE_ARGUMENT, "",
                   "expected filters and states, got NULL");
    assert_refused(pytree_state_merge(1, NULL, NULL, err), PYTREE_ARGUMENT, "", "expected 1 states, got NULL");
    made = pytree_state_merge(0, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(made.def->n_leaves, 0);
    pytree_flat_free(&made);
    assert_refused(pytree_of_places(2, NULL, NULL, err), PYTREE_ARGUMENT, "", "expected 2 places, got NULL");
    made = pytree_of_places(0, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(made.def->n_leaves, 0);
    pytree_flat_free(&made);
    assert_refused(pytree_prefix(t, 1, &rest, NULL, NULL, NULL, err), PYTREE_ARGUMENT, "", "expected 1 values, got NULL");
    assert_refused(pytree_prefix(t, 1, NULL, &none, NULL, NULL, err), PYTREE_ARGUMENT, "",
                   "expected filters and states, got NULL");
    made = pytree_prefix(PYTREE_NONE, 0, NULL, NULL, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(made.def->n_leaves, 1);
    pytree_flat_free(&made);
    assert_refused(pytree_prefix(t, 0, NULL, NULL, NULL, NULL, err), PYTREE_FILTER, "[0]",
                   "expected a filter for each place, got none for this f32; put PYTREE_REST last");
}

static void places_are_leaves_or_nodes_of_place_lists(void **state)
{
    Small small = { 1, 2 };
    Maybe maybe = { NULL };
    const pytree_entry key = { PYTREE_ATTRIBUTE, "x", SIZE_MAX };
    pytree_leaf view = { .data = &small, .type = PYTREE_TYPE(Small), .form = PYTREE_FORM_STRUCT };
    pytree_place at = { .path = { 1, &key }, .type = PYTREE_TYPE(Small), .view = &view };
    (void)state;
    assert_refused(pytree_of_places(1, &at, NULL, err), PYTREE_TYPE, ".x",
                   "expected a leaf or a node of a place list, got Small");
    at.view = NULL;
    assert_refused(pytree_of_places(1, &at, NULL, err), PYTREE_TYPE, ".x",
                   "expected a leaf or a node of a place list, got NULL");
    view = pytree_at(PYTREE(&maybe), ".w", NULL, NULL);        /* of an array that is not there */
    at.view = &view;
    assert_refused(pytree_of_places(1, &at, NULL, err), PYTREE_TYPE, ".x",
                   "expected a leaf or a node of a place list, got None");
}

static void zeros_need_numbers(void **state)
{
    Pair pair = { 1, 2 };
    (void)state;
    assert_refused(pytree_state_zeros_like(PYTREE_LIST(PYTREE_SCALAR(numbers), PYTREE(&pair)), NULL, err), PYTREE_TYPE, "",
                   "expected numbers in a state, got Pair at leaf 1");
    assert_refused(pytree_state_zeros_like(PYTREE_LIST(PYTREE_STR("a")), NULL, err), PYTREE_TYPE, "",
                   "expected numbers in a state, got char * at leaf 0");
}

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

static void shared_memory_has_one_prefix(void **state)
{
    pytree x = PYTREE_ARRAY(numbers, 2), t = PYTREE_LIST(x, x);
    const pytree_filter filters[2] = { PYTREE_PATH("[0]"), PYTREE_REST };
    pytree values[2] = { PYTREE_ARRAY(numbers, 3), PYTREE_NONE };
    pytree_error error = { 0 };
    Heap heap;
    const pytree_options opt = { .allocator = &heap.allocator };
    pytree_flat made;
    size_t n;
    (void)state;
    assert_refused(pytree_prefix(t, 2, filters, values, "axes", NULL, err), PYTREE_SHARED, "[1]",
                   "axes: expected one prefix for memory reached as [0] and [1], got f32[3] and None");
    for (n = 0; error.status != PYTREE_SHARED; n++) {          /* and where memory runs out before that is known */
        memset(&error, 0, sizeof error);
        heap_init(&heap, n);
        made = pytree_prefix(t, 2, filters, values, NULL, &opt, &error);
        assert_null(made.def);
        assert_heap_clean(&heap);
        assert_true(error.status == PYTREE_SHARED || error.status == PYTREE_NO_MEMORY);
    }
    assert_true(n > 5);
    memset(&error, 0, sizeof error);
    x = PYTREE_ARRAY(numbers, 0);                              /* no memory, nothing shared */
    made = pytree_prefix(PYTREE_LIST(x, x), 2, filters, values, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(made.leaves[0].ndim, 1);
    assert_int_equal(made.leaves[1].form, PYTREE_FORM_NONE);
    pytree_flat_free(&made);
}

/* ---- Attributes ---------------------------------------------------------------------------------------------------- */

static void attributes_must_fit(void **state)
{
    Small small = { 7, 1 };
    Large large = { 2.5, { { 1 } }, 1 };
    Everything all = everything_make(true);
    const pytree_filter any = PYTREE_EVERYTHING;
    double rate = 300;
    (void)state;
    assert_refused(pytree_set_attributes(PYTREE(&small), any, "rate", PYTREE_INT(-1), NULL, NULL, err), PYTREE_VALUE, "",
                   "expected a number that the u8 rate of a Small can hold, got -1");
    assert_refused(pytree_set_attributes(PYTREE(&small), any, "rate", PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), NULL,
                                         NULL, err), PYTREE_ARGUMENT, "",
                   "expected a leaf or None for each filter, got 2 leaves");
    assert_refused(pytree_set_attributes(PYTREE(&small), any, "rate", PYTREE_ARRAY(numbers, 2), NULL, NULL, err), PYTREE_TYPE,
                   "", "expected a number or a string for rate, got another value");
    assert_refused(pytree_set_attributes(PYTREE(&large), any, "settings", PYTREE_INT(1), NULL, NULL, err), PYTREE_TYPE, "",
                   "expected Settings for the static member settings of a Large, got 1");
    assert_refused(pytree_set_attributes(PYTREE(&all), any, "version", PYTREE_INT(1), NULL, NULL, err), PYTREE_TYPE, "",
                   "expected i32 for the static member version of a Everything, got 1");
    assert_refused(pytree_set_attributes(PYTREE(&all), any, "function", PYTREE_INT(1), NULL, NULL, err), PYTREE_TYPE, "",
                   "expected address for the static member function of a Everything, got 1");
    /* what fits one struct and not another changes neither */
    assert_refused(pytree_set_attributes(PYTREE_LIST(PYTREE(&large), PYTREE(&small)), any, "rate", PYTREE_SCALAR(&rate), NULL,
                                         NULL, err), PYTREE_VALUE, "[1]",
                   "expected a number that the u8 rate of a Small can hold, got 300.0");
    assert_true(large.rate == 2.5 && small.rate == 7);
    everything_clear(&all);
}

/* ---- Parts that look alike ----------------------------------------------------------------------------------------- */

typedef struct Part { float x; pytree any; } Part;
#define PYTREE_STRUCT Part
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, any, ROLE(Cache))
#include "pytree_registry.h"

/* Parts with as many nodes and leaves, of other types or with other children, are split and put together as they are. */
static void parts_are_compared_node_by_node(void **state)
{
    pytree inner[5] = { PYTREE_LIST(PYTREE_LIST(PYTREE_LIST(PYTREE(&numbers[0])))),
                       PYTREE_LIST(PYTREE_LIST(PYTREE(&numbers[1])), PYTREE_LIST()),
                       PYTREE_LIST(PYTREE_LIST(PYTREE_TUPLE(PYTREE(&numbers[2])))),
                       PYTREE_LIST(PYTREE_LIST(PYTREE_LIST(PYTREE(&numbers[3])))), PYTREE_LIST(PYTREE(&numbers[4])) };
    Part parts[5];
    pytree_error error = { 0 };
    const pytree_filter filters[2] = { PYTREE_OF(Cache), PYTREE_REST };
    pytree_flat states[2];
    pytree_def *def = NULL;
    pytree t, both[2], made;
    (void)state;
    for (size_t i = 0; i < 5; i++) { parts[i] = (Part){ (float)i, inner[i] }; }
    t = PYTREE_LIST(PYTREE(&parts[0]), PYTREE(&parts[1]), PYTREE(&parts[2]), PYTREE(&parts[3]), PYTREE(&parts[4]));
    assert_ok(pytree_split(t, 2, filters, &def, states, NULL, &error), &error);
    for (size_t i = 0; i < 2; i++) { both[i] = PYTREE(&states[i]); }
    made = pytree_merge(def, 2, both, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(t, made, NULL, NULL, &error));
    assert_ok(pytree_update(t, 2, both, NULL, &error), &error);
    pytree_free(made);
    pytree_def_free(def);
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
}

/* A state may have other parts of structs of one type. */
static void states_have_parts_of_what_is_alike(void **state)
{
    float old[6][2] = { { 0 } }, fresh[] = { 10, 11, 12, 13, 14, 15 };
    struct { pytree x, y; } in[3];
    Part parts[3];
    pytree_error error = { 0 };
    pytree t, s[6], from[3];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        in[i].x = PYTREE(&old[i][0]);
        in[i].y = PYTREE(&old[i][1]);
        parts[i] = (Part){ 0, PYTREE_NONE };
    }
    parts[0].any = PYTREE_DICT({ "u", in[0].x }, { "v", in[0].y });
    parts[1].any = PYTREE_DICT({ "u", in[1].x }, { "v", in[1].y });
    parts[2].any = PYTREE_DICT({ "u", in[2].x }, { "v", in[2].y });
    t = PYTREE_DICT({ "a", PYTREE(&parts[0]) }, { "b", PYTREE(&parts[1]) }, { "c", PYTREE(&parts[2]) });
    for (size_t i = 0; i < 6; i++) { s[i] = PYTREE(&fresh[i]); }
    from[0] = PYTREE_DICT({ "a", PYTREE_DICT({ "any", PYTREE_DICT({ "u", s[0] }) }, { "x", s[1] }) },
                          { "b", PYTREE_DICT({ "any", PYTREE_DICT({ "v", s[2] }) }, { "x", s[3] }) },
                          { "c", PYTREE_DICT({ "any", PYTREE_DICT({ "u", s[4] }, { "v", s[5] }) }) });
    assert_ok(pytree_update(t, 1, &from[0], NULL, &error), &error);
    assert_true(old[0][0] == 10 && old[0][1] == 0 && old[1][0] == 0 && old[1][1] == 12 && old[2][0] == 14 && old[2][1] == 15);
    assert_true(parts[0].x == 11 && parts[1].x == 13 && parts[2].x == 0);
    from[1] = PYTREE_DICT({ "a", PYTREE_DICT({ "x", s[5] }) }, { "b", PYTREE_DICT({ "any", PYTREE_DICT({ "u", s[4] }) }) },
                          { "c", PYTREE_DICT({ "x", s[3] }) });
    assert_ok(pytree_update(t, 1, &from[1], NULL, &error), &error);
    assert_true(parts[0].x == 15 && old[1][0] == 14 && parts[2].x == 13 && parts[1].x == 13);
    from[2] = PYTREE_DICT({ "a", PYTREE_DICT({ "any", PYTREE_DICT({ "u", s[0] }) }) },
                          { "b", PYTREE_DICT({ "any", PYTREE_ODICT({ "u", s[1] }) }) });
    assert_ok(pytree_update(t, 1, &from[2], NULL, &error), &error);
    assert_true(old[0][0] == 10 && old[1][0] == 11);
}

/* So do states whose parts have as many nodes, but other keys, or other nodes of the same types in the same order. */
static void states_have_parts_with_other_keys(void **state)
{
    float old[2][4] = { { 0 } }, fresh[] = { 10, 11, 12, 13 };
    Part parts[2];
    pytree k[2], s[4];
    pytree_error error = { 0 };
    pytree t, from[2];
    (void)state;
    for (size_t i = 0; i < 4; i++) { s[i] = PYTREE(&fresh[i]); }
    k[0] = PYTREE_DICT({ "u", PYTREE(&old[0][1]) }, { "v", PYTREE(&old[0][2]) });
    k[1] = PYTREE_DICT({ "u", PYTREE(&old[1][1]) }, { "v", PYTREE(&old[1][2]) });
    parts[0] = (Part){ 0, PYTREE_DICT({ "a", PYTREE(&old[0][0]) }, { "k", k[0] }, { "word", PYTREE(&old[0][3]) }) };
    parts[1] = (Part){ 0, PYTREE_DICT({ "a", PYTREE(&old[1][0]) }, { "k", k[1] }, { "word", PYTREE(&old[1][3]) }) };
    t = PYTREE_DICT({ "a", PYTREE(&parts[0]) }, { "b", PYTREE(&parts[1]) });
    from[0] = PYTREE_DICT({ "a", PYTREE_DICT({ "any", PYTREE_DICT({ "a", s[0] }, { "k", PYTREE_DICT({ "v", s[1] }) }) }) },
                          { "b", PYTREE_DICT({ "any", PYTREE_DICT({ "k", PYTREE_DICT({ "u", s[2] }, { "v", s[3] }) }) }) });
    assert_ok(pytree_update(t, 1, &from[0], NULL, &error), &error);
    assert_true(old[0][0] == 10 && old[0][1] == 0 && old[0][2] == 11 && old[0][3] == 0);
    assert_true(old[1][0] == 0 && old[1][1] == 12 && old[1][2] == 13 && old[1][3] == 0);
    from[1] = PYTREE_DICT({ "a", PYTREE_DICT({ "any", PYTREE_DICT({ "a", s[3] }) }) },
                          { "b", PYTREE_DICT({ "any", PYTREE_DICT({ "word", s[2] }) }) });
    assert_ok(pytree_update(t, 1, &from[1], NULL, &error), &error);
    assert_true(old[0][0] == 13 && old[0][3] == 0 && old[1][0] == 0 && old[1][3] == 12);
}

/* A custom node that gives two children the same key. */
typedef struct Twins { pytree first, second; } Twins;

static size_t twins_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Twins *twins = self;
    if (children != NULL) {
        children[0] = twins->first;
        children[1] = twins->second;
        keys[0] = keys[1] = (pytree_entry){ PYTREE_ATTRIBUTE, "k", (pytree_key_index)-1 };
    }
    return 2;
}
static const pytree_custom twins_callbacks = { .children = twins_children, .keyed = true };

#define PYTREE_STRUCT Twins
#define PYTREE_CUSTOM twins_callbacks
#include "pytree_registry.h"

/* In a state a path leads to one place: whatever stands at a key that is there twice, no state has it. */
static void keys_that_are_there_twice(void **state)
{
    const pytree x = PYTREE(&numbers[0]), y = PYTREE(&numbers[1]);
    const pytree node = PYTREE_DICT({ "b", x }), other = PYTREE_DICT({ "a", y });
    Twins twins[4] = { { node, x }, { x, node }, { x, x }, { node, other } };
    const pytree_filter all[2] = { PYTREE_PATH_HAS("a"), PYTREE_REST };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(twins); i++) {
        const pytree t = PYTREE(&twins[i]), inside = PYTREE_DICT({ "t", t });
        for (int call = 0; call < 4; call++) {
            pytree_error error = { 0 };
            pytree_flat flat[2] = { { NULL, NULL }, { NULL, NULL } };
            pytree_def *def = NULL;
            switch (call) {
            case 0: flat[0] = pytree_state(inside, PYTREE_EVERYTHING, NULL, &error); break;
            case 1: flat[0] = pytree_state_merge(1, &inside, NULL, &error); break;
            case 2: flat[0] = pytree_state_minus(inside, PYTREE_DICT({ "t", x }), NULL, &error); break;
            default: (void)pytree_split(inside, 2, all, &def, flat, NULL, &error); break;
            }
            assert_true(flat[0].def == NULL && flat[1].def == NULL && def == NULL);
            assert_error(error.status, PYTREE_STRUCTURE, ".t", &error);
            assert_string_equal(error.message, "expected different keys, got .k twice");
        }
    }
}

/* A list of places is no state: it has each value, in order, also where two have one path, in nodes of few and many keys. */
static void places_of_keys_that_are_there_twice(void **state)
{
    enum { MANY = 40 };
    static pytree_pair pairs[MANY];
    static char names[MANY][4];
    static float values[MANY];
    const pytree_items items = { .count = MANY, .pairs = pairs };
    Twins twins = { PYTREE(&numbers[1]), PYTREE(&numbers[2]) };
    pytree_error error = { 0 };
    pytree_place_list *list;
    size_t i;
    (void)state;
    for (i = 0; i < MANY; i++) {          /* from the last to the first */
        (void)snprintf(names[i], sizeof names[i], "x%02d", (int)(MANY - 1 - i));
        pairs[i].key = names[i];
        pairs[i].value = i == 0 ? PYTREE(&twins) : PYTREE(&values[i]);
    }
    list = pytree_places((pytree){ &pytree_types[PYTREE__T_odict], (void *)(uintptr_t)&items }, PYTREE_EVERYTHING, NULL,
                         &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n, MANY + 1);
    for (i = 0; i < MANY - 1; i++) { assert_string_equal(list->places[i].path.entries[0].name, names[MANY - 1 - i]); }
    assert_true(pytree_path_equal(&list->places[MANY - 1].path, &list->places[MANY].path));
    assert_true(pytree_leaf_get(list->places[MANY - 1].view, 0) == 2 && pytree_leaf_get(list->places[MANY].view, 0) == 3);
    pytree_places_free(list);
}

/* States have their keys in order, numbers before names, in whichever order the trees have them. */
static void keys_are_in_order(void **state)
{
    const pytree x = PYTREE(&numbers[0]), y = PYTREE(&numbers[1]), z = PYTREE(&numbers[2]);
    const pytree named = PYTREE_DICT({ "k", x }), counted = PYTREE_IDICT({ 1, y });
    pytree_error error = { 0 };
    pytree_flat flat = pytree_state(PYTREE_ODICT({ "a", x }, { "c", z }, { "b", y }), PYTREE_EVERYTHING, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(pytree_leaf_get(&flat.leaves[1], 0) == 2 && pytree_leaf_get(&flat.leaves[2], 0) == 3);
    pytree_flat_free(&flat);
    for (int i = 0; i < 2; i++) {
        flat = pytree_state_minus(i == 0 ? named : counted, i == 0 ? counted : named, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(flat.def->n_leaves, 1);
        assert_true(pytree_leaf_get(&flat.leaves[0], 0) == (i == 0 ? 1 : 2));
        pytree_flat_free(&flat);
    }
}

/* Metadata of a treedef that was loaded may end without a NUL: then there is none. */
static void metadata_that_does_not_end(void **state)
{
    pytree_variable v = { .value = PYTREE(&numbers[0]), .metadata = "{'tag': 'x'}" };
    const pytree t = { &pytree_role_Param, &v };
    pytree_leaf leaf = { .data = numbers, .type = PYTREE_TYPE(float) };
    const pytree_type *const param[1] = { &pytree_role_Param };
    unsigned char bytes[400];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, NULL, &error);
    size_t n;
    (void)state;
    assert_ok(error.status, &error);
    n = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
    assert_in_range(n, 1, sizeof bytes);
    pytree_def_free(def);
    for (int i = 0; i < 2; i++) {
        pytree_flat flat = { NULL, &leaf }, kept;
        pytree tagged;
        flat.def = def = pytree_def_load(bytes, n, param, 1, NULL, &error);
        assert_ok(error.status, &error);
        tagged = PYTREE(&flat);
        kept = pytree_state(tagged, PYTREE_TAG("x"), NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(kept.def->n_leaves, i == 0 ? 1 : 0);
        pytree_flat_free(&kept);
        pytree_def_free(def);
        for (size_t k = 0; k + 12 < n; k++) {
            if (memcmp(bytes + k, "{'tag': 'x'}", 13) == 0) { bytes[k + 12] = ' '; }
        }
    }
}

/* ---- Updates ------------------------------------------------------------------------------------------------------- */

static bool no_leaf(void *context, const pytree_leaf *node, const pytree_path *path)
{
    (void)context;
    (void)node;
    (void)path;
    return false;
}

/* An object with an array of two numbers as its one attribute `a`. */
static pytree new_object(void)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
    assert_ok(pytree_object_put_copy(net, "a", PYTREE_ARRAY(numbers, 2), &error), &error);
    return net;
}

static pytree_pair *pairs_of(pytree object)
{
    return (pytree_pair *)(uintptr_t)((const pytree_items *)((const pytree_object *)object.data)->container)->pairs;
}

static void updates_of_objects_that_are_not_whole(void **state)
{
    const pytree nothing = { NULL, NULL }, without = { &pytree_class_Net, NULL };
    pytree net = new_object(), from = PYTREE_DICT({ "a", PYTREE_ARRAY(numbers + 2, 2) });
    pytree_pair *const pairs = pairs_of(net);
    pytree_leaf *const view = pairs[0].value.data;
    const pytree_leaf was = *view;
    (void)state;
    assert_refused(pytree_update(nothing, 1, &from, NULL, err), PYTREE_ARGUMENT, "",
                   "expected a tree, got a pytree without a type");
    assert_refused(pytree_update(without, 1, &from, NULL, err), PYTREE_NULL_POINTER, "",
                   "expected a Net, got NULL (OPTIONAL allows it)");
    pairs[0].value.data = NULL;
    assert_refused(pytree_update(net, 1, &from, NULL, err), PYTREE_NULL_POINTER, ".a",
                   "expected a pytree_leaf, got NULL (OPTIONAL allows it)");
    pairs[0].value.data = view;
    view->type = NULL;
    assert_refused(pytree_update(net, 1, &from, NULL, err), PYTREE_ARGUMENT, ".a",
                   "expected a pytree_leaf with a type and 0 to 8 dimensions, got no type and 1 dimensions");
    *view = was;
    view->ndim = PYTREE_MAX_DIMS + 1;
    assert_refused(pytree_update(net, 1, &from, NULL, err), PYTREE_ARGUMENT, ".a",
                   "expected a pytree_leaf with a type and 0 to 8 dimensions, got float and 9 dimensions");
    *view = was;
    view->form = PYTREE_FORM_LIST;
    view->ndim = 0;
    assert_refused(pytree_update(net, 1, &from, NULL, err), PYTREE_STRUCTURE, ".a",
                   "expected a state for a list, got a leaf");
    *view = was;
    pytree_container_free(net);
}

static void updates_by_other_ways(void **state)
{
    const pytree_options opt = { .is_leaf = no_leaf };
    pytree net = new_object(), from = PYTREE_DICT({ "a", PYTREE_ARRAY(numbers + 2, 2) }), x = PYTREE_ARRAY(numbers + 2, 2);
    const float *const at = ((const pytree_leaf *)pairs_of(net)[0].value.data)->data;
    pytree_leaf device = { .data = numbers, .type = PYTREE_TYPE(float), .form = PYTREE_FORM_DEVICE, .ndim = 1, .shape = { 2 } };
    pytree_error error = { 0 };
    pytree_flat flat = { NULL, &device };
    pytree_def *def = pytree_structure(PYTREE_DICT({ "a", x }), NULL, &error);
    pytree t;
    (void)state;
    assert_ok(pytree_update(net, 1, &from, &opt, &error), &error);
    assert_true(at[0] == 3 && at[1] == 4);
    flat.def = def;
    t = PYTREE(&flat);
    assert_refused(pytree_update(net, 1, &t, NULL, err), PYTREE_TYPE, ".a", "expected f32[2], got f32[2] on a device");
    assert_true(at[0] == 3 && at[1] == 4);
    pytree_def_free(def);
    assert_ok(pytree_object_put_copy(net, "a", PYTREE_ARRAY(numbers, 0), &error), &error);
    from = PYTREE_DICT({ "a", PYTREE_ARRAY(numbers + 2, 0) });      /* nothing to copy */
    assert_ok(pytree_update(net, 1, &from, NULL, &error), &error);
    pytree_container_free(net);
}

/* The last of three structs gets nothing: the state ends with the second one, which takes what the first one took. */
static void a_state_may_end_with_a_part_that_is_repeated(void **state)
{
    Small small[3] = { { 1, 1 }, { 1, 2 }, { 1, 3 } };
    float fresh[2] = { 10, 11 };
    pytree t = PYTREE_DICT({ "a", PYTREE(&small[0]) }, { "b", PYTREE(&small[1]) }, { "c", PYTREE(&small[2]) });
    pytree from = PYTREE_DICT({ "a", PYTREE_DICT({ "x", PYTREE(&fresh[0]) }) },
                              { "b", PYTREE_DICT({ "x", PYTREE(&fresh[1]) }) });
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_update(t, 1, &from, NULL, &error), &error);
    assert_true(small[0].x == 10 && small[1].x == 11 && small[2].x == 3);
}

/* A flat that is a state already is taken as it is, unless it has None for a leaf. */
static void flats_with_none_are_flattened_again(void **state)
{
    const pytree_options none = { .none_is_leaf = true };
    pytree_error error = { 0 };
    pytree one = PYTREE_INT(1);
    pytree_leaf leaves[2] = { { .form = PYTREE_FORM_NONE },
                              { .data = numbers, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } } };
    pytree_def *with = pytree_structure(PYTREE_DICT({ "a", one }, { "b", one }), &none, &error);
    pytree_def *plain = pytree_structure(PYTREE_DICT({ "a", one }, { "b", one }), NULL, &error);
    pytree_flat flat = { with, leaves }, made;
    pytree t = PYTREE(&flat);
    (void)state;
    leaves[0].type = &pytree_types[PYTREE__T_none];
    for (int i = 0; i < 3; i++) {
        if (i == 1) { leaves[0] = leaves[1]; }
        if (i == 2) {
            flat.def = plain;
            leaves[0] = (pytree_leaf){ .form = PYTREE_FORM_NONE, .type = &pytree_types[PYTREE__T_none] };
        }
        made = pytree_state_merge(1, &t, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(made.def->n_leaves, i == 1 ? 2 : 1);
        assert_false(made.def->none_is_leaf);
        pytree_flat_free(&made);
    }
    pytree_def_free(with);
    pytree_def_free(plain);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static pytree_status sweep_states(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t n = *(const size_t *)context;
    const pytree value = PYTREE_SCALAR(numbers);
    pytree_variable v[24];
    pytree items[24];
    pytree_items list = { .count = n, .items = items };
    pytree_flat made;
    for (size_t i = 0; i < n; i++) {
        v[i] = (pytree_variable){ .value = value, .metadata = "{'name': 'some text that takes room'}" };
        items[i] = (pytree){ &pytree_role_Param, &v[i] };
    }
    made = pytree_state((pytree){ &pytree_types[PYTREE__T_list], &list }, PYTREE_EVERYTHING, opt, err);
    pytree_flat_free(&made);
    return err->status;
}

/* Structs that are alike, whose parts are copied from the one before. */
static pytree_status sweep_structs(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_filter filters[2] = { PYTREE_OF(Param), PYTREE_REST };
    const size_t n = *(const size_t *)context;
    Small small[24] = { { 0 } };
    pytree items[24];
    pytree_items list = { .count = n, .items = items };
    pytree_flat states[2];
    for (size_t i = 0; i < n; i++) { items[i] = PYTREE(&small[i]); }
    if (pytree_states((pytree){ &pytree_types[PYTREE__T_list], &list }, 2, filters, states, opt, err) == PYTREE_OK) {
        assert_int_equal(states[0].def->n_leaves, n);
        assert_int_equal(states[1].def->n_leaves, 0);
    }
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
    return err->status;
}

static pytree_status sweep_merge(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree x = PYTREE_SCALAR(numbers), deep = x, both[2];
    pytree items[40];
    pytree_items lists[40];
    pytree_flat made;
    (void)context;
    for (size_t i = 0; i < 40; i++) {
        items[i] = deep;
        lists[i] = (pytree_items){ .count = 1, .items = &items[i] };
        deep = (pytree){ &pytree_types[PYTREE__T_list], &lists[i] };
    }
    both[0] = PYTREE_DICT({ "a", x }, { "b", deep });
    both[1] = PYTREE_DICT({ "a", x });
    made = pytree_state_merge(2, both, opt, err);
    pytree_flat_free(&made);
    return err->status;
}

/* Objects in one another, so deep that the path to the value runs out of room. */
static pytree_status sweep_update(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *const net = (const pytree *)context;
    float fresh = 7;
    pytree from = PYTREE(&fresh);
    pytree_pair pairs[24];
    pytree_items items[24];
    for (size_t i = 0; i < 24; i++) {
        pairs[i] = (pytree_pair){ .key = "o", .value = from };
        items[i] = (pytree_items){ .count = 1, .pairs = &pairs[i] };
        from = (pytree){ &pytree_types[PYTREE__T_dict], &items[i] };
    }
    return pytree_update(*net, 1, &from, opt, err);
}

static void updates_in_depth(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), outer;
    const float *at;
    (void)state;
    assert_ok(pytree_object_put_copy(net, "o", PYTREE_SCALAR(numbers), &error), &error);
    at = ((const pytree_leaf *)pairs_of(net)[0].value.data)->data;
    for (size_t i = 1; i < 24; i++) {
        outer = pytree_new_object(&pytree_class_Net, NULL, &error);
        assert_ok(pytree_object_put_own(outer, "o", net, &error), &error);
        net = outer;
    }
    assert_true(sweep_allocations(sweep_update, &net) > 3);
    assert_true(*at == 7);
    pytree_container_free(net);
}

/* A value that is a node in a namespace, whose name the state takes along. */
static pytree_status sweep_space(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_flat made = pytree_state(PYTREE((Part *)context), PYTREE_EVERYTHING, opt, err);
    if (made.def != NULL) {
        assert_string_equal(made.def->space, "open");
        assert_int_equal(made.def->n_leaves, 3);
    }
    pytree_flat_free(&made);
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    const pytree_options open = { .space = "open" };
    Pair pair = { 1, 2 };
    Part part = { 1, PYTREE(&pair) };
    (void)state;
    assert_true(sweep_allocations_with(&open, sweep_space, &part) > 3);
    for (size_t n = 0; n < 24; n++) { assert_true(sweep_allocations(sweep_states, &n) > 0); }
    for (size_t n = 0; n < 24; n++) { assert_true(sweep_allocations(sweep_structs, &n) > 0); }
    assert_true(sweep_allocations(sweep_merge, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_needed_unless_they_are_empty),
        cmocka_unit_test(places_are_leaves_or_nodes_of_place_lists),
        cmocka_unit_test(zeros_need_numbers),
        cmocka_unit_test(shared_memory_has_one_prefix),
        cmocka_unit_test(attributes_must_fit),
        cmocka_unit_test(parts_are_compared_node_by_node),
        cmocka_unit_test(states_have_parts_of_what_is_alike),
        cmocka_unit_test(states_have_parts_with_other_keys),
        cmocka_unit_test(keys_that_are_there_twice),
        cmocka_unit_test(places_of_keys_that_are_there_twice),
        cmocka_unit_test(keys_are_in_order),
        cmocka_unit_test(metadata_that_does_not_end),
        cmocka_unit_test(updates_of_objects_that_are_not_whole),
        cmocka_unit_test(updates_by_other_ways),
        cmocka_unit_test(a_state_may_end_with_a_part_that_is_repeated),
        cmocka_unit_test(flats_with_none_are_flattened_again),
        cmocka_unit_test(updates_in_depth),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
