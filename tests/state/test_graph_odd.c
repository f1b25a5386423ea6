/* Graphs at their edges: what is asked for in vain, values that two paths see differently, objects changed behind the
 * library's back, and treedefs whose shared values do not fit: pytree/graph.h. */
#include "support.h"
#include "refusal.h"
#include "pytree/containers.h"
#include "pytree/graph.h"
#include "pytree/object.h"
#include "pytree/record.h"
#include "pytree/treedef_io.h"
#include "stb_ds.h"

PYTREE_CLASS(Net, Module);

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

static void assert_graph_text(pytree t, const pytree_options *opt, const char *expected)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_graphdef(t, opt, &error);
    char text[400];
    assert_ok(error.status, &error);
    pytree_def_text(def, text, sizeof text);
    assert_string_equal(text, expected);
    pytree_def_free(def);
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------- */

static void places_for_the_answer_are_needed(void **state)
{
    pytree list = PYTREE_LIST(PYTREE_ARRAY(numbers, 2), PYTREE_ARRAY(numbers, 2));
    pytree_leaf few[2], *leaves = NULL;
    pytree_def *def = NULL;
    pytree_error error = { 0 };
    (void)state;
    assert_refused(pytree_graph_flatten(list, NULL, 0, &def, NULL, err), PYTREE_ARGUMENT, "",
                   "expected a place for the leaves and the treedef, got NULL");
    assert_refused(pytree_graph_flatten(list, &leaves, 0, NULL, NULL, err), PYTREE_ARGUMENT, "",
                   "expected a place for the leaves and the treedef, got NULL");
    leaves = few;
    assert_refused(pytree_graph_flatten(list, &leaves, 0, &def, NULL, err), PYTREE_TOO_MANY_LEAVES, "",
                   "expected at most 0 leaves (the array's capacity), got 1");
    assert_null(def);
    assert_ok(pytree_graph_flatten(list, &leaves, 1, &def, NULL, &error), &error);
    assert_ptr_equal(leaves, few);
    assert_ptr_equal(few[0].data, numbers);
    assert_int_equal(def->n_leaves, 1);
    pytree_def_free(def);
    assert_ok(pytree_graph_flatten(PYTREE_LIST(PYTREE_NONE), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_leaves, 0);
    pytree_def_free(def);
}

static void a_tree_without_a_type_is_refused(void **state)
{
    const pytree nothing = { NULL, NULL }, object = { &pytree_class_Net, NULL };
    (void)state;
    assert_refused(assert_null(pytree_graphdef(nothing, NULL, err)), PYTREE_ARGUMENT, "",
                   "expected a tree, got a pytree without a type");
    assert_refused(assert_null(pytree_graph_clone(nothing, NULL, err).data), PYTREE_ARGUMENT, "",
                   "expected a tree, got a pytree without a type");
    assert_refused(assert_null(pytree_graph_duplicates(nothing, PYTREE_EVERYTHING, NULL, err)), PYTREE_ARGUMENT, "",
                   "expected a tree, got a pytree without a type");
    assert_refused(assert_null(pytree_graphdef(object, NULL, err)), PYTREE_NULL_POINTER, "",
                   "expected a Net, got NULL (OPTIONAL allows it)");
}

static void none_is_a_leaf_if_that_is_wanted(void **state)
{
    const pytree_options none = { .none_is_leaf = true }, plain = { 0 };
    pytree x = PYTREE_ARRAY(numbers, 2), list = PYTREE_LIST(x, PYTREE_NONE, x);
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
    (void)state;
    assert_graph_text(list, NULL, "PyTreeDef([*, None, CustomNode(Same[2], [])])");
    assert_graph_text(list, &plain, "PyTreeDef([*, None, CustomNode(Same[2], [])])");
    assert_graph_text(list, &none, "PyTreeDef([*, *, CustomNode(Same[2], [])], NoneIsLeaf)");
    assert_ok(pytree_object_put_copy(net, "x", x, &error), &error);
    assert_graph_text(net, NULL, "PyTreeDef(CustomNode(Net[None], [*]))");
    assert_graph_text(net, &plain, "PyTreeDef(CustomNode(Net[None], [*]))");
    assert_graph_text(net, &none, "PyTreeDef(CustomNode(Net[None], [*]), NoneIsLeaf)");
    pytree_container_free(net);
}

/* ---- What two paths see -------------------------------------------------------------------------------------------- */

static pytree view_of(pytree_leaf *view, int form, size_t n)
{
    *view = (pytree_leaf){ .data = numbers, .type = PYTREE_TYPE(float), .form = (unsigned char)form, .shape = { n } };
    return pytree_of_view(view);
}

static void rows_of_other_lengths_are_told_apart(void **state)
{
    pytree_leaf a, b;
    pytree both = PYTREE_LIST(view_of(&a, PYTREE_FORM_TUPLE, 2), view_of(&b, PYTREE_FORM_TUPLE, 3));
    (void)state;
    assert_graph_text(both, NULL, "PyTreeDef([(*, *), (*, *, *)])");               /* tuples are where they lie */
    view_of(&a, PYTREE_FORM_LIST, 2);
    view_of(&b, PYTREE_FORM_LIST, 2);
    assert_graph_text(both, NULL, "PyTreeDef([[*, *], CustomNode(Same[1], [])])");
    view_of(&b, PYTREE_FORM_LIST, 1);
    assert_refused(pytree_graphdef(both, NULL, err), PYTREE_SHARED, "[1]",
                   "expected a list of 2 in no role as at [0], got a list of 1 in no role");
}

/* A predicate that changes its mind: after so many questions all values are leaves. */
typedef struct Fickle { size_t asked, from; } Fickle;

static bool leaves_from(void *context, const pytree_leaf *node, const pytree_path *path)
{
    Fickle *const fickle = context;
    (void)node;
    (void)path;
    return fickle->asked++ >= fickle->from;
}

/* The place that was reached first is looked for in the tree again; where a predicate hides it then, it has none. */
static void places_that_are_not_found_again(void **state)
{
    const pytree both = PYTREE_LIST(PYTREE_ARRAY(numbers, 2), PYTREE_ARRAY(numbers, 3));
    const char *const words[2] = { "expected f32[2] in no role as at the root, got f32[3] in no role",
                                   "expected f32[2] in no role as at [0], got f32[3] in no role" };
    size_t seen[2] = { 0, 0 };
    (void)state;
    for (size_t from = 0; from < 12; from++) {
        Fickle fickle = { 0, from };
        const pytree_options opt = { .is_leaf = leaves_from, .is_leaf_context = &fickle };
        pytree_error error = { 0 };
        pytree_def *def = pytree_graphdef(both, &opt, &error);
        if (def == NULL) {
            const bool found = strcmp(error.message, words[1]) == 0;
            assert_error(error.status, PYTREE_SHARED, "[1]", &error);
            assert_string_equal(error.message, words[found]);
            seen[found]++;
        }
        pytree_def_free(def);
    }
    assert_true(seen[0] != 0 && seen[1] != 0);
}

static void roles_are_compared_by_name(void **state)
{
    pytree_type other_param = pytree_role_Param;
    pytree_variable first = { .value = PYTREE_ARRAY(numbers, 3) }, second = first;
    pytree x = PYTREE_ARRAY(numbers, 3);
    pytree one = { &pytree_role_Param, &first }, two = { &other_param, &second };
    pytree both = PYTREE_LIST(one, two);
    pytree pair;
    (void)state;
    assert_graph_text(both, NULL, "PyTreeDef([CustomNode(Param[None], [*]), "
                      "CustomNode(Param[None], [CustomNode(Same[2], [])])])");
    other_param.name = "Weight";
    assert_refused(pytree_graphdef(both, NULL, err), PYTREE_SHARED, "[1].value",
                   "expected f32[3] in the role Param as at [0].value, got f32[3] in the role Weight");
    pair = PYTREE_LIST(x, one);
    assert_refused(pytree_graphdef(pair, NULL, err), PYTREE_SHARED, "[1].value",
                   "expected f32[3] in no role as at [0], got f32[3] in the role Param");
    pair = PYTREE_LIST(one, x);
    assert_refused(pytree_graphdef(pair, NULL, err), PYTREE_SHARED, "[1]",
                   "expected f32[3] in the role Param as at [0].value, got f32[3] in no role");
}

/* A node that shows its one member twice. */
typedef struct Twice { Point p; } Twice;

static size_t twice_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = children[1] = PYTREE(&((const Twice *)self)->p); }
    return 2;
}
static const pytree_custom twice_callbacks = { .children = twice_children };

#define PYTREE_STRUCT Twice
#define PYTREE_CUSTOM twice_callbacks
#include "pytree_registry.h"

static void two_members_at_one_place_are_two_values(void **state)
{
    Twice e = { { 1, 2 } };
    pytree x = PYTREE_ARRAY(numbers, 2);
    (void)state;
    assert_graph_text(PYTREE_LIST(PYTREE(&e), x, x), NULL,
                      "PyTreeDef([CustomNode(Twice[None], [CustomNode(Point[()], [*, *]), CustomNode(Point[()], [*, *])]), *, "
                      "CustomNode(Same[1], [])])");
}

typedef struct Inner { float x; pytree up; } Inner;
typedef struct Outer { Inner inner; } Outer;

#define PYTREE_STRUCT Inner
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, up)
#include "pytree_registry.h"
#define PYTREE_STRUCT Outer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, inner)
#include "pytree_registry.h"

static const char own_value[] = "expected a value of its own, got one that lies in another, to which only it leads";

static pytree_status count_place(void *context, const pytree_place *at)
{
    (void)at;
    ++*(size_t *)context;
    return PYTREE_OK;
}

static void a_value_within_what_only_it_leads_to_is_refused(void **state)
{
    Outer outer = { { 1, PYTREE_NONE } };
    pytree t = PYTREE_LIST(PYTREE(&outer.inner));
    size_t n = 0;
    (void)state;
    outer.inner.up = PYTREE(&outer);
    assert_refused(assert_null(pytree_graphdef(t, NULL, err)), PYTREE_SHARED, "[0]", own_value);
    assert_refused(assert_null(pytree_graph_clone(t, NULL, err).data), PYTREE_SHARED, "[0]", own_value);
    assert_refused(assert_null(pytree_graph_duplicates(t, PYTREE_EVERYTHING, NULL, err)), PYTREE_SHARED, "[0]", own_value);
    assert_refused(pytree_graph_walk(t, count_place, &n, NULL, err), PYTREE_SHARED, "[0]", own_value);
    assert_graph_text(PYTREE(&outer), NULL,
                      "PyTreeDef(CustomNode(Outer[()], [CustomNode(Inner[()], [*, CustomNode(Same[-2], [])])]))");
}

static void a_null_pointer_ends_the_walk(void **state)
{
    Inner inner = { 1, { PYTREE_TYPE(Point), NULL } };
    pytree x = PYTREE_ARRAY(numbers, 2), t = PYTREE_LIST(x, x, PYTREE(&inner));
    size_t n = 0;
    (void)state;
    assert_refused(assert_null(pytree_graphdef(t, NULL, err)), PYTREE_NULL_POINTER, "[2].up",
                   "expected a Point, got NULL (OPTIONAL allows it)");
    assert_refused(pytree_graph_walk(t, count_place, &n, NULL, err), PYTREE_NULL_POINTER, "[2].up",
                   "expected a Point, got NULL (OPTIONAL allows it)");
    assert_int_equal(n, 0);
}

/* The type that a place must have, and the metadata that were found there. */
struct seen { const pytree_type *type; const char *metadata; };

static pytree_status see_variable(void *context, const pytree_place *at)
{
    struct seen *const seen = (struct seen *)context;
    if (at->type != seen->type) { return PYTREE_OK; }
    seen->metadata = at->metadata;
    return PYTREE_STOPPED;
}

static void a_variable_may_be_a_leaf(void **state)
{
    pytree_variable v = { .value = PYTREE_ARRAY(numbers, 3), .metadata = "{'a': 1}" };
    pytree_type closed = pytree_role_Param;
    struct seen seen = { &pytree_role_Param, NULL };
    pytree node = { &pytree_role_Param, &v }, leaf = { &closed, &v }, t = PYTREE_LIST(node);
    (void)state;
    assert_int_equal(pytree_graph_walk(t, see_variable, &seen, NULL, NULL), PYTREE_STOPPED);
    assert_string_equal(seen.metadata, "{'a': 1}");
    closed.kind = PYTREE_KIND_LEAF;
    closed.dtype = PYTREE_OPAQUE;
    seen.type = &closed;
    t = PYTREE_LIST(leaf);
    assert_int_equal(pytree_graph_walk(t, see_variable, &seen, NULL, NULL), PYTREE_STOPPED);
    assert_null(seen.metadata);
}

/* ---- Objects changed behind the library's back --------------------------------------------------------------------- */

/* The way in one pass and the cursor's agree about a tree. */
static void assert_as_structure(pytree t, pytree_status expected)
{
    pytree_error error = { 0 }, same = { 0 };
    pytree_def *graph = pytree_graphdef(t, NULL, &error), *tree = pytree_structure(t, NULL, &same);
    assert_int_equal(same.status, expected);
    assert_error(error.status, expected, same.path, &error);
    assert_string_equal(error.message, same.message);
    if (expected == PYTREE_OK) { assert_true(pytree_def_equal(graph, tree)); }
    pytree_def_free(graph);
    pytree_def_free(tree);
}

static void leaves_of_objects_are_looked_at(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
    pytree_pair *pairs;
    pytree_leaf *view, was;
    void *data;
    (void)state;
    assert_ok(pytree_object_put_copy(net, "a", PYTREE_ARRAY(numbers, 2), &error), &error);
    assert_as_structure(net, PYTREE_OK);
    pairs = (pytree_pair *)(uintptr_t)((const pytree_items *)((const pytree_object *)net.data)->container)->pairs;
    view = pairs[0].value.data;
    was = *view;
    view->form = PYTREE_FORM_NONE;
    assert_as_structure(net, PYTREE_OK);
    *view = was;
    view->type = NULL;
    assert_as_structure(net, PYTREE_ARGUMENT);
    *view = was;
    view->type = PYTREE_TYPE(Point);
    assert_as_structure(net, PYTREE_OK);
    *view = was;
    view->ndim = 100;
    assert_as_structure(net, PYTREE_ARGUMENT);
    *view = was;
    pairs[0].value.data = NULL;
    assert_as_structure(net, PYTREE_NULL_POINTER);
    pairs[0].value.data = view;
    assert_ok(pytree_object_put_copy(net, "b", PYTREE_AS_DATA(PYTREE_STR("text")), &error), &error);
    assert_as_structure(net, PYTREE_OK);
    assert_ok(pytree_object_put_copy(net, "b", PYTREE_AS_DATA(PYTREE_INT(1)), &error), &error);
    assert_as_structure(net, PYTREE_OK);
    pairs = (pytree_pair *)(uintptr_t)((const pytree_items *)((const pytree_object *)net.data)->container)->pairs;
    data = pairs[1].value.data;
    pairs[1].value.data = NULL;
    assert_as_structure(net, PYTREE_NULL_POINTER);
    pairs[1].value.data = data;
    pytree_container_free(net);
}

/* ---- Treedefs whose shared values do not fit ----------------------------------------------------------------------- */

typedef struct Holder {
    pytree any;
    Point *first, *second;
    float *row;
    pytree_leaf view;
    size_t n;
    Point *list, *again;
} Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, any)                                                                                             \
    PYTREE_FIELD(DATA, first, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, second, OPTIONAL)                                                                                \
    PYTREE_FIELD(DATA, row, ARRAY(2), OPTIONAL)                                                                         \
    PYTREE_FIELD(DATA, view)                                                                                            \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, list, LIST(self->n))                                                                             \
    PYTREE_FIELD(DATA, again, LIST(self->n))
#include "pytree_registry.h"

#define SAME(n) "CustomNode(Same[" #n "], [])"
#define POINT "CustomNode(Point[()], [*, *])"
#define DUO "CustomNode(Duo[()], [*, *])"
#define DUOS(rows) "PyTreeDef(CustomNode(Duos[()], [" rows "]), namespace='open')"
#define HOLDER(n, rows) "CustomNode(Holder[(" #n ",)], [" rows "])"

/* A leaf that is a struct in a namespace, another one that is not, and rows of other kinds that may share. */
typedef struct Duo { int a, b; } Duo;
#define PYTREE_LEAF_TYPE Duo
#include "pytree_registry.h"
#define PYTREE_STRUCT Duo
#define PYTREE_NAMESPACE open
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct Uno { int a; } Uno;
#define PYTREE_LEAF_TYPE Uno
#include "pytree_registry.h"

/* A struct with other rows in that namespace. */
typedef struct Mark { int a, b; } Mark;
#define PYTREE_STRUCT Mark
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"
#define PYTREE_STRUCT Mark
#define PYTREE_NAMESPACE open
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

typedef struct Marks { Mark *first, *second, *few; Point *others; } Marks;
#define PYTREE_STRUCT Marks
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, OPTIONAL) PYTREE_FIELD(DATA, second, OPTIONAL) PYTREE_FIELD(DATA, few, LIST(0))           \
    PYTREE_FIELD(DATA, others, LIST(0))
#include "pytree_registry.h"

typedef struct Duos {
    Duo *first, *second;
    Uno *uno;
    Point *stb, *same, corners[2];
    pytree any, all;
} Duos;
#define PYTREE_STRUCT Duos
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, second, OPTIONAL)                                                                                \
    PYTREE_FIELD(DATA, uno, OPTIONAL)                                                                                   \
    PYTREE_FIELD(DATA, stb, STB_ARRAY)                                                                                  \
    PYTREE_FIELD(DATA, same, STB_ARRAY)                                                                                 \
    PYTREE_FIELD(DATA, corners)                                                                                         \
    PYTREE_FIELD(DATA, any)                                                                                             \
    PYTREE_FIELD(DATA, all)
#include "pytree_registry.h"

/* Parses a treedef and rebuilds it of scalars, or of rows of two, in the namespace of pairs of integers if it has them. */
static pytree rebuild(const char *text, size_t ndim, pytree_error *err)
{
    const pytree_type *types[] = { PYTREE_TYPE(Point), PYTREE_TYPE(Holder), PYTREE_TYPE(Duo), PYTREE_TYPE(Duos),
                                   PYTREE_TYPE(Marks) };
    const pytree_options open = { .space = "open" };
    const bool duos = strstr(text, DUO) != NULL;
    pytree_leaf leaves[8];
    pytree_def *def = pytree_def_parse(text, types, COUNT_OF(types), NULL, err);
    pytree made;
    assert_ok(err->status, err);
    for (size_t i = 0; i < COUNT_OF(leaves); i++) {
        leaves[i] = (pytree_leaf){ .data = numbers, .type = duos ? PYTREE_TYPE(int) : PYTREE_TYPE(float),
                                   .ndim = (unsigned char)ndim, .shape = { 2 } };
    }
    assert_in_range(def->n_leaves, 0, COUNT_OF(leaves));
    made = pytree_unflatten(def, def->n_leaves, leaves, strstr(text, "namespace") != NULL ? &open : NULL, err);
    pytree_def_free(def);
    return made;
}

static void pointers_lead_to_what_fits_them(void **state)
{
    pytree_error error = { 0 };
    pytree made;
    const Holder *h;
    const Duos *d;
    (void)state;
    made = rebuild("PyTreeDef(" HOLDER(0, POINT ", " SAME(1) ", " SAME(2) ", None, None, [], []") ")", 0, &error);
    assert_ok(error.status, &error);
    h = made.data;
    assert_ptr_equal(h->any.type, PYTREE_TYPE(Point));
    assert_ptr_equal(h->any.data, h->first);
    assert_ptr_equal(h->any.data, h->second);
    pytree_free(made);
    made = rebuild("PyTreeDef(" HOLDER(2, SAME(-13) ", None, None, None, None, [" POINT ", " POINT "], " SAME(1)) ")", 0,
                   &error);
    assert_ok(error.status, &error);
    h = made.data;
    assert_ptr_equal(h->list, h->again);
    pytree_free(made);
    made = rebuild(DUOS("None, None, None, [" POINT "], " SAME(1) ", (" POINT ", " POINT "), " SAME(1) ", " SAME(10)),
                   0, &error);
    assert_ok(error.status, &error);
    d = made.data;
    assert_ptr_equal(d->stb, d->same);
    assert_ptr_equal(((const pytree_leaf *)d->any.data)->data, d->corners);
    assert_int_equal(((const pytree_leaf *)d->any.data)->form, PYTREE_FORM_TUPLE);
    assert_ptr_equal(((const pytree_leaf *)d->all.data)->data, d->stb);
    assert_int_equal(((const pytree_leaf *)d->all.data)->form, PYTREE_FORM_LIST);
    pytree_free(made);
}

static void leaves_that_a_namespace_opens_are_shared(void **state)
{
    const pytree_options open = { .space = "open" };
    Duo duo = { 1, 2 };
    Uno uno = { 3 };
    Duos duos = { .first = &duo, .second = &duo, .uno = &uno, .any = PYTREE(&duo), .all = PYTREE_NONE };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    arrput(duos.stb, ((Point){ 1, 2 }));
    duos.same = duos.stb;
    copy = pytree_graph_clone(PYTREE(&duos), &open, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(((const Duos *)copy.data)->first, ((const Duos *)copy.data)->second);
    assert_ptr_equal(((const Duos *)copy.data)->first, ((const Duos *)copy.data)->any.data);
    assert_ptr_equal(((const Duos *)copy.data)->stb, ((const Duos *)copy.data)->same);
    assert_true(((const Duos *)copy.data)->second->b == 2 && ((const Duos *)copy.data)->same->y == 2);
    pytree_free(copy);
    arrfree(duos.stb);
}

static void structs_that_a_namespace_sees_otherwise_are_shared(void **state)
{
    const pytree_options open = { .space = "open" };
    Mark mark = { 1, 2 };
    Marks marks = { &mark, &mark, NULL, NULL };
    pytree_error error = { 0 };
    pytree copy;
    const Marks *made;
    (void)state;
    assert_graph_text(PYTREE(&marks), &open, "PyTreeDef(CustomNode(Marks[()], [CustomNode(Mark[(2,)], [*]), "
                      "CustomNode(Same[1], []), [], []]), namespace='open')");
    copy = pytree_graph_clone(PYTREE(&marks), &open, &error);
    assert_ok(error.status, &error);
    made = copy.data;
    assert_ptr_equal(made->first, made->second);
    assert_true(made->first != &mark && made->first->a == 1 && made->first->b == 2);
    pytree_free(copy);
}

static void pointers_to_what_does_not_fit_are_refused(void **state)
{
    (void)state;
    /* an array, a list and a struct for a pointer to a struct */
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, "*, " SAME(1) ", None, None, None, [], []") ")", 1, err),
                   PYTREE_STRUCTURE, ".first", "expected Point, got Same of 0");
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, "[], " SAME(1) ", None, None, None, [], []") ")", 1, err),
                   PYTREE_STRUCTURE, ".first", "expected Point, got Same of 0");
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, SAME(-7) ", " SAME(-6) ", None, None, None, [], []") ")", 1, err),
                   PYTREE_STRUCTURE, ".first", "expected Point, got Same of 0");
    /* a scalar, a struct, a list for an array */
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, "*, None, None, " SAME(3) ", None, [], []") ")", 0, err),
                   PYTREE_STRUCTURE, ".row", "expected float, got Same of 0");
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, POINT ", None, None, " SAME(3) ", None, [], []") ")", 0, err),
                   PYTREE_STRUCTURE, ".row", "expected float, got Same of 0");
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, "[*], None, None, " SAME(3) ", None, [], []") ")", 0, err),
                   PYTREE_STRUCTURE, ".row", "expected float, got Same of 0");
    /* a struct and a list for a leaf of another type */
    assert_refused(rebuild(DUOS(DUO ", None, " SAME(2) ", [], [], (" POINT ", " POINT "), None, None"), 0, err),
                   PYTREE_STRUCTURE, ".uno", "expected Uno, got Same of 0");
    assert_refused(rebuild(DUOS("None, None, " SAME(-1) ", [], [], (" POINT ", " POINT "), None, None"), 0, err),
                   PYTREE_STRUCTURE, ".uno", "expected Uno, got Same of 0");
    /* a list of other structs */
    assert_refused(rebuild("PyTreeDef(CustomNode(Marks[()], [None, None, [], " SAME(1) "]))", 0, err),
                   PYTREE_STRUCTURE, ".others", "expected Point, got Same of 0");
    /* a struct for a view; the second of two */
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, POINT ", None, None, None, " SAME(4) ", [], []") ")", 0, err),
                   PYTREE_STRUCTURE, ".view", "expected pytree_leaf, got Same of 0");
    assert_refused(rebuild("PyTreeDef(" HOLDER(0, POINT ", None, " SAME(2) ", " SAME(3) ", " SAME(4) ", [], []") ")", 0, err),
                   PYTREE_STRUCTURE, ".row", "expected float, got Same of 0");
}

/* Lists that pytree_allocate copies, and a field that it leaves to the caller. */
typedef struct Cabinet { pytree *front, own, *back; } Cabinet;
#define PYTREE_STRUCT Cabinet
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, front, LIST(2)) PYTREE_FIELD(DATA, own) PYTREE_FIELD(DATA, back, LIST(2))
#include "pytree_registry.h"

static void sharing_is_allocated_but_for_what_is_the_callers(void **state)
{
    unsigned char to_back[4] = { 0xF8, 0xFF, 0xFF, 0xFF }, to_own[4] = { 0xFB, 0xFF, 0xFF, 0xFF };   /* 8, 5 nodes ahead */
    pytree x = PYTREE_ARRAY(numbers, 2), front[2], end[2];
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat = { 0 };
    pytree_error error = { 0 };
    Cabinet cabinet = { front, PYTREE_NONE, end }, was;
    (void)state;
    assert_ok(pytree_graph_flatten(PYTREE_LIST(x, x), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    cabinet.own = front[1] = end[0] = PYTREE(&flat);
    front[0] = end[1] = PYTREE_NONE;
    was = cabinet;
    assert_ok(pytree_allocate(PYTREE(&cabinet), NULL, &error), &error);
    assert_ptr_equal(cabinet.own.data, &flat);
    assert_true(cabinet.front != front && cabinet.back != end);
    for (int k = 0; k < 2; k++) {
        const pytree_items *const made = (const pytree_items *)(k == 0 ? cabinet.front[1] : cabinet.back[0]).data;
        const pytree_leaf *const first = made->items[0].data, *const second = made->items[1].data;
        assert_int_equal(made->count, 2);
        assert_ptr_equal(first->data, second->data);
        assert_true(first->data != numbers && *(const float *)first->data == 0);
    }
    pytree_free(PYTREE(&cabinet));
    cabinet = was;
    front[0] = (pytree){ &pytree_same, to_back };
    assert_ok(pytree_allocate(PYTREE(&cabinet), NULL, &error), &error);
    assert_ptr_equal(((const pytree_leaf *)cabinet.front[0].data)->data,
                     ((const pytree_leaf *)((const pytree_items *)cabinet.back[0].data)->items[0].data)->data);
    pytree_free(PYTREE(&cabinet));
    cabinet = was;
    front[0].data = to_own;
    assert_refused(pytree_allocate(PYTREE(&cabinet), NULL, err), PYTREE_STRUCTURE, ".front[0]",
                   "expected a value, got Same of 0");
    assert_memory_equal(&cabinet, &was, sizeof was);
    pytree_def_free(def);
}

static void a_same_is_four_bytes_without_children(void **state)
{
    pytree x = PYTREE_ARRAY(numbers, 2);
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_error error = { 0 };
    pytree_node *node;
    unsigned char *bytes;                 /* of the packed length */
    const uint32_t lengths[] = { 3, 4 };
    (void)state;
    assert_ok(pytree_graph_flatten(PYTREE_LIST(x, x, x), &leaves, 0, &def, NULL, &error), &error);
    node = (pytree_node *)(uintptr_t)&def->nodes[2];
    node->arity = 1;
    assert_refused(pytree_unflatten(def, 1, leaves, NULL, err), PYTREE_STRUCTURE, "[2]",
                   "expected a pytree_same that leads to a value of this treedef, got Same of 1");
    node->arity = 0;
    bytes = (unsigned char *)(uintptr_t)(def->statics + node->meta);
    memcpy(bytes, &lengths[0], sizeof lengths[0]);
    assert_refused(pytree_unflatten(def, 1, leaves, NULL, err), PYTREE_STRUCTURE, "[2]",
                   "expected a pytree_same that leads to a value of this treedef, got Same of 0");
    memcpy(bytes, &lengths[1], sizeof lengths[1]);
    pytree_free(pytree_unflatten(def, 1, leaves, NULL, &error));
    assert_ok(error.status, &error);
    pytree_def_free(def);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

/* Lists of other lengths, each with a value that stands twice, so that arrays run full at each kind of node. */
static pytree_status sweep_lists(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t *const n = (const size_t *)context;
    pytree x = PYTREE_ARRAY(numbers, 2), items[40];
    pytree_items lists[40];
    pytree_def *def;
    for (size_t i = 0; i < *n; i++) {
        lists[i] = (pytree_items){ 0 };
        items[i] = i % 3 == 0 ? x : i % 3 == 1 ? PYTREE_NONE : (pytree){ &pytree_types[PYTREE__T_list], &lists[i] };
    }
    items[*n] = x;
    lists[*n] = (pytree_items){ .count = *n + 1, .items = items };
    def = pytree_graphdef((pytree){ &pytree_types[PYTREE__T_list], &lists[*n] }, opt, err);
    pytree_def_free(def);
    return err->status;
}

/* Objects that own all they have, with n attributes of each kind. */
static pytree_status sweep_objects(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *const object = (const pytree *)context;
    pytree_def *def = pytree_graphdef(*object, opt, err);
    pytree_def_free(def);
    return err->status;
}

static void put_attributes(pytree net, size_t n, bool described)
{
    pytree_error error = { 0 };
    pytree v, inner;
    char name[24];
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "v%zu", i);
        v = pytree_new_variable(&pytree_role_Param, PYTREE_SCALAR(numbers), NULL, &error);
        if (described) { assert_ok(pytree_variable_put_metadata(v, "a", PYTREE_INT(1), &error), &error); }
        assert_ok(pytree_object_put_own(net, name, v, &error), &error);
        snprintf(name, sizeof name, "o%zu", i);
        inner = pytree_new_object(&pytree_class_Net, NULL, &error);
        assert_ok(pytree_sow(inner, &pytree_role_Intermediate, "s", PYTREE_SCALAR(numbers), NULL, &error), &error);
        assert_ok(pytree_object_put_own(net, name, inner, &error), &error);
    }
    assert_ok(error.status, &error);
}

static pytree_status sweep_space(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def;
    (void)context;
    def = pytree_graphdef(PYTREE_LIST(PYTREE_LIST(PYTREE((Duo *)context)), PYTREE((Duo *)context)), opt, err);
    if (def != NULL) { assert_string_equal(def->space, "open"); }
    pytree_def_free(def);
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    const pytree_options open = { .space = "open" };
    Duo duo = { 1, 2 };
    pytree_error error = { 0 };
    (void)state;
    assert_true(sweep_allocations_with(&open, sweep_space, &duo) > 3);
    for (size_t n = 0; n < 36; n++) { assert_true(sweep_allocations(sweep_lists, &n) > 0); }
    for (size_t n = 0; n < 24; n++) {
        pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
        put_attributes(net, n, n % 2 == 1);
        assert_true(sweep_allocations(sweep_objects, &net) > 3);
        pytree_container_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_for_the_answer_are_needed),
        cmocka_unit_test(a_tree_without_a_type_is_refused),
        cmocka_unit_test(none_is_a_leaf_if_that_is_wanted),
        cmocka_unit_test(rows_of_other_lengths_are_told_apart),
        cmocka_unit_test(places_that_are_not_found_again),
        cmocka_unit_test(roles_are_compared_by_name),
        cmocka_unit_test(two_members_at_one_place_are_two_values),
        cmocka_unit_test(a_value_within_what_only_it_leads_to_is_refused),
        cmocka_unit_test(a_null_pointer_ends_the_walk),
        cmocka_unit_test(a_variable_may_be_a_leaf),
        cmocka_unit_test(leaves_of_objects_are_looked_at),
        cmocka_unit_test(leaves_that_a_namespace_opens_are_shared),
        cmocka_unit_test(structs_that_a_namespace_sees_otherwise_are_shared),
        cmocka_unit_test(pointers_lead_to_what_fits_them),
        cmocka_unit_test(pointers_to_what_does_not_fit_are_refused),
        cmocka_unit_test(sharing_is_allocated_but_for_what_is_the_callers),
        cmocka_unit_test(a_same_is_four_bytes_without_children),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
