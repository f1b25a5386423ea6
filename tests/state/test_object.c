/* Objects and variables that are made at run time: pytree/object.h. */
#include "containers/containers_shared.h"
#include "leaf_paths.h"
#include "pytree/object.h"
#include "pytree/state.h"
#include "pytree/treedef_io.h"

PYTREE_CLASS(Net, Module);
PYTREE_CLASS(Item, Pytree);
PYTREE_CLASS_IN(Store, nnx);

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

/* The attributes in the order of assignment: "w:data name:static ". */
static void assert_attributes(pytree object, const char *expected)
{
    char text[256] = "";
    pytree_attribute at;
    for (size_t i = 0; i < pytree_object_length(object); i++) {
        assert_int_equal(pytree_object_attribute(object, i, &at, NULL), PYTREE_OK);
        strcat(strcat(text, at.name == NULL ? "-" : at.name), at.is_data ? ":data " : ":static ");
    }
    assert_string_equal(text, expected);
}

static pytree new_net(const pytree_options *opt, pytree_error *error)
{
    pytree net = pytree_new_object(&pytree_class_Net, opt, error);
    pytree w = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 2, 3), opt, error);
    if (pytree_object_put_own(net, "w", w, error) != PYTREE_OK) { pytree_container_free(w); }
    pytree_object_put_copy(net, "name", PYTREE_STR("first"), error);
    pytree_object_put_copy(net, "a", PYTREE_ARRAY(numbers, 2), error);
    return net;
}

/* ---- Status -------------------------------------------------------------------------------------------------------- */

static void attributes_are_visited_by_name(void **state)
{
    pytree_error error = { 0 };
    pytree net = new_net(NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_paths(net, ".a .w.value ");
    assert_attributes(net, "w:data name:static a:data ");
    assert_def_text(net,
                    "PyTreeDef(CustomNode(Net[None], [*, CustomNode(static['first'], []), CustomNode(Param[None], [*])]))",
                    NULL);
    assert_string_equal(*(char **)pytree_object_get(net, "name", &error).data, "first");
    assert_says(pytree_object_get(PYTREE_LIST(), "b", err).type == NULL ? err->status : PYTREE_OK, PYTREE_ARGUMENT, "",
                "expected an object with named attributes, got list");
    assert_says(pytree_object_get(net, "b", err).type == NULL ? err->status : PYTREE_OK, PYTREE_NOT_FOUND, "",
                "expected 'a', 'name' or 'w', got 'b'");
    assert_says(pytree_object_remove(net, NULL, err), PYTREE_NOT_FOUND, "", "expected 'a', 'name' or 'w', got NULL");
    assert_says(pytree_object_put(net, NULL, PYTREE_NONE, err), PYTREE_NULL_POINTER, "", "expected a key, got NULL");
    assert_says(pytree_dict_put_int(net, 3, PYTREE_NONE, err), PYTREE_ARGUMENT, "", "expected the name of a field, got 3");
    assert_int_equal(pytree_object_length(net), 3);
    pytree_container_free(net);
}

static void the_first_assignment_decides(void **state)
{
    pytree_error error = { 0 };
    pytree o = pytree_new_object(&pytree_class_Item, NULL, &error);
    (void)state;
    assert_ok(pytree_object_put(o, "x", PYTREE_ARRAY(numbers, 2), &error), &error);
    assert_ok(pytree_object_put(o, "x", PYTREE_STR("text"), &error), &error);               /* data stays data */
    assert_ok(pytree_object_put(o, "y", PYTREE_INT(1), &error), &error);
    assert_ok(pytree_object_put(o, "y", PYTREE_TUPLE(PYTREE_INT(1), PYTREE_NONE), &error), &error);
    assert_attributes(o, "x:data y:static ");
    assert_says(pytree_object_put(o, "y", PYTREE_SCALAR(numbers), err), PYTREE_STATIC, ".y",
                "expected a static value for the static attribute of an Item, "
                "got an array f32; PYTREE_AS_DATA changes its status");
    assert_attributes(o, "x:data y:static ");
    assert_ok(pytree_object_put(o, "y", PYTREE_AS_DATA(PYTREE_SCALAR(numbers)), &error), &error);
    assert_ok(pytree_object_put(o, "x", PYTREE_AS_STATIC(PYTREE_INT(2)), &error), &error);
    assert_attributes(o, "x:static y:data ");
    assert_ok(pytree_object_remove(o, "x", &error), &error);                                  /* forgets it */
    assert_ok(pytree_object_put(o, "x", PYTREE_ARRAY(numbers, 3), &error), &error);
    assert_attributes(o, "y:data x:data ");
    pytree_container_free(o);
}

static void data_in_static_values_is_refused(void **state)
{
    pytree_error error = { 0 };
    pytree o = pytree_new_object(&pytree_class_Item, NULL, &error), list = pytree_new_list(NULL, &error), inner;
    (void)state;
    assert_says(pytree_object_put(o, "b", PYTREE_AS_STATIC(PYTREE_SCALAR(numbers)), err), PYTREE_STATIC, ".b",
                "expected a static value, got an array f32 annotated as static in an Item");
    assert_says(pytree_object_put(o, "b", PYTREE_TUPLE(PYTREE_INT(1), PYTREE_DICT({ "k", PYTREE_ARRAY(numbers, 1) })), err),
                PYTREE_STATIC, ".b[1]['k']",
                "expected a static value in a dict without annotation in an Item, got an array f32[1]; "
                "PYTREE_AS_DATA, or an object of class List");
    assert_says(pytree_object_put(o, "b", PYTREE_LIST(PYTREE_VARIABLE(Param, PYTREE_INT(1))), err), PYTREE_STATIC, ".b[0]",
                "expected a static value in a list without annotation in an Item, got a Param; "
                "PYTREE_AS_DATA, or an object of class List");
    assert_says(pytree_object_put(o, "a", PYTREE_AS_DATA(PYTREE_LIST(PYTREE_AS_DATA(PYTREE_INT(1)))), err), PYTREE_ARGUMENT,
                ".a[0]",
                "expected annotations on attributes, got PYTREE_AS_DATA in a list");
    assert_says(pytree_object_put(o, "a", PYTREE_AS_STATIC(o), err), PYTREE_STATIC, ".a",
                "expected a static value, got an Item annotated as static in an Item");
    assert_int_equal(pytree_object_length(o), 0);
    assert_ok(pytree_object_put(o,
              "a", PYTREE_AS_DATA(PYTREE_LIST(PYTREE_INT(1), PYTREE_AS_STATIC(PYTREE_INT(2)))), &error), &error);
    assert_paths(o, ".a[0] ");
    /* What comes later is found by pytree_check. */
    assert_ok(pytree_object_put(o, "ls", list, &error), &error);
    assert_ok(pytree_check(o, NULL, NULL, NULL, &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE_SCALAR(numbers), &error), &error);
    inner = PYTREE_LIST(o);
    assert_says(pytree_check(inner, NULL, NULL, NULL, err), PYTREE_STATIC, "[0].ls[0]",
                "expected a static value, got an array f32");
    pytree_container_clear(list, &error);
    assert_ok(pytree_list_append(list, list, &error), &error);                                /* a list that contains itself */
    assert_false(pytree_has_data(list, NULL));
    assert_null(pytree_structure(o, NULL, &error));
    assert_int_equal(error.status, PYTREE_TYPE);
    pytree_container_free(o);
    pytree_container_free(list);
}

static void what_is_data(void **state)
{
    pytree_error error = { 0 };
    pytree o = pytree_new_object(&pytree_class_Item, NULL, &error), store = pytree_new_object(&pytree_class_Store, NULL,
                                 &error);
    Point point = { 1, 2 };
    Heap *nothing = NULL;
    pytree held = PYTREE_ARRAY(numbers, 2);
    (void)state;
    (void)nothing;
    assert_true(pytree_is_data(held) && pytree_is_data(PYTREE_SCALAR(numbers)) && pytree_is_data(PYTREE(&held)));
    assert_true(pytree_is_data(PYTREE(&point)) && pytree_is_data(o) && pytree_is_data(store));
    assert_true(pytree_is_data(PYTREE_VARIABLE(Param, PYTREE_INT(1))));
    assert_false(pytree_is_data(PYTREE_INT(1)) || pytree_is_data(PYTREE_STR("x")) || pytree_is_data(PYTREE_NONE));
    assert_false(pytree_is_data(PYTREE_LIST(held)) || pytree_is_data((pytree){ NULL, NULL }));
    assert_true(pytree_has_data(PYTREE_LIST(PYTREE_INT(1), PYTREE_IDICT({ 7, held })), &error));
    assert_string_equal(error.path, "[1][7]");
    assert_string_equal(error.message, "expected a static value, got an array f32[2]");
    assert_false(pytree_has_data(PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE, PYTREE_DICT()), NULL));
    pytree_free(o);
    pytree_free(store);
}

static void static_values_need_a_literal(void **state)
{
    pytree_error error = { 0 };
    pytree o = pytree_new_object(&pytree_class_Item, NULL, &error), list = pytree_new_list(NULL, &error);
    (void)state;
    assert_ok(pytree_list_append(list, list, &error), &error);
    assert_error(pytree_object_put(o, "ls", list, &error), PYTREE_CYCLE, ".ls[0]", &error);
    assert_int_equal(pytree_object_length(o), 0);
    pytree_container_free(o);
    pytree_container_free(list);
}

/* ---- Lists, namespaces --------------------------------------------------------------------------------------------- */

static void elements_of_lists(void **state)
{
    pytree_error error = { 0 };
    pytree l = pytree_new_object(&pytree_class_List, NULL, &error), copy;
    (void)state;
    assert_ok(pytree_list_append_copy(l, PYTREE_INT(7), &error), &error);
    assert_ok(pytree_list_append_copy(l, PYTREE_SCALAR(numbers), &error), &error);
    assert_ok(pytree_list_append_own(l, pytree_new_variable(&pytree_role_Param, PYTREE_FLOAT(1), NULL, &error), &error),
              &error);
    assert_attributes(l, "-:static -:data -:data ");
    assert_paths(l, "[1] [2].value ");
    assert_says(pytree_list_set(l, 0, PYTREE_ARRAY(numbers, 2), err), PYTREE_STATIC, "[0]",
                "expected a static value for the static attribute of a List, got an array f32[2]; "
                "PYTREE_AS_DATA changes its status");
    assert_says(pytree_object_put(l, "x", PYTREE_NONE, err), PYTREE_ARGUMENT, "",
                "expected an object with named attributes, got List");
    copy = pytree_clone(l, NULL, &error);
    assert_attributes(copy, "-:static -:data -:data ");
    assert_ok(pytree_list_remove(copy, 0, &error), &error);
    assert_ok(pytree_list_append_copy(copy, PYTREE_ARRAY(numbers, 3), &error), &error);
    assert_paths(copy, "[0] [1].value [2] ");
    assert_paths(l, "[1] [2].value ");
    pytree_free(copy);
    pytree_container_free(l);
}

static void objects_of_a_namespace(void **state)
{
    pytree_error error = { 0 };
    const pytree_options nnx = { .space = "nnx" };
    pytree store = pytree_new_object(&pytree_class_Store, NULL, &error), made;
    pytree_def *def;
    (void)state;
    assert_ok(pytree_object_put(store, "y", PYTREE_INT(1), &error), &error);
    assert_ok(pytree_object_put(store, "y", PYTREE_LIST(PYTREE_ARRAY(numbers, 2)), &error), &error);
    assert_ok(pytree_object_put(store, "b", PYTREE_AS_DATA(PYTREE_INT(3)), &error), &error);
    assert_attributes(store, "y:data b:static ");
    assert_int_equal(pytree_num_leaves(store, NULL, &error), 1);
    assert_def_text(store, "PyTreeDef(*)", NULL);
    def = pytree_structure(store, &nnx, &error);
    assert_int_equal(def->n_leaves, 1);
    made = pytree_clone(store, &nnx, &error);
    assert_attributes(made, "b:static y:data ");
    assert_ok(pytree_object_put(made, "y", PYTREE_STR("static now"), &error), &error);
    assert_attributes(made, "b:static y:static ");
    pytree_free(made);
    pytree_def_free(def);
    pytree_container_free(store);
}

/* ---- Ownership, rebuilding ----------------------------------------------------------------------------------------- */

static void owners(void **state)
{
    pytree_error error = { 0 };
    pytree a = new_net(NULL, &error), b = new_net(NULL, &error), list = pytree_new_list(NULL, &error), copy, inner;
    (void)state;
    assert_ok(pytree_object_put_own(a, "b", b, &error), &error);
    assert_ok(pytree_object_put(a, "again", b, &error), &error);
    assert_says(pytree_object_put_own(a, "twice", b, err), PYTREE_SHARED, "",
                "expected a container that belongs to no other, got a Net that does");
    assert_says(pytree_object_put_own(b, "a", a, err), PYTREE_CYCLE, "",
                "expected a value that can belong to the container, got the Net that it is, or that it belongs to");
    pytree_container_free(b);                                  /* it belongs to a: nothing happens */
    pytree_free(b);
    assert_paths(b, ".a .w.value ");
    assert_ok(pytree_object_remove(a, "again", &error), &error);
    assert_ok(pytree_list_append_own(list, a, &error), &error);
    copy = pytree_clone(list, NULL, &error);
    inner = pytree_list_get(copy, 0, &error);
    assert_says(pytree_list_append_own(list, inner, err), PYTREE_ARGUMENT, "",
                "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got Net");
    assert_says(pytree_object_put_own(inner, "whole", PYTREE_AS_DATA(copy), err), PYTREE_CYCLE, "",
                "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_ok(pytree_object_put_own(a, "copy", PYTREE_AS_DATA(copy), &error), &error);
    assert_ok(pytree_object_put_own(inner, "more", pytree_new_object(&pytree_class_Item, NULL, &error), &error), &error);
    pytree_free(inner);                                        /* nor to a part of a block */
    assert_true(pytree_object_get(inner, "more", &error).data != NULL);
    pytree_free(list);
}

static void rebuilt_objects_grow(void **state)
{
    pytree_error error = { 0 };
    pytree net = new_net(NULL, &error), copy, w;
    pytree_def *def = pytree_structure(net, NULL, &error), *again;
    (void)state;
    copy = pytree_clone(net, NULL, &error);
    again = pytree_structure(copy, NULL, &error);
    assert_true(pytree_def_equal(def, again));
    assert_int_equal(pytree_def_hash(def), pytree_def_hash(again));
    pytree_def_free(again);
    pytree_container_free(net);
    w = pytree_object_get(copy, "w", &error);
    assert_ok(pytree_variable_set(w, PYTREE_INT(5), &error), &error);
    assert_ok(pytree_object_put_copy(copy, "name", PYTREE_STR("second"), &error), &error);
    assert_ok(pytree_object_put_copy(copy, "b", PYTREE_ARRAY(numbers, 1), &error), &error);
    assert_says(pytree_object_put(copy, "name", PYTREE_ARRAY(numbers, 1), err), PYTREE_STATIC, ".name",
                "expected a static value for the static attribute of a Net, "
                "got an array f32[1]; PYTREE_AS_DATA changes its status");
    assert_def_text(copy,
                    "PyTreeDef(CustomNode(Net[None], [*, *, CustomNode(static['second'], []), CustomNode(Param[None], [*])]))",
                    NULL);
    assert_int_equal(*(int64_t *)pytree_variable_value(w).data, 5);
    pytree_container_free(copy);                               /* as pytree_free: it is the root of its block */
    pytree_def_free(def);
}

/* Static numbers and None come back as they were, in cells of the copy or parsed. */
static void rebuilt_static_values(void **state)
{
    static const int64_t values[] = { 0, 7, -1, 10, -120, INT64_C(99999999999999999), INT64_C(-99999999999999999),
                                      INT64_C(1000000000000000000), INT64_MAX, INT64_MIN + 1 };
    enum { N = sizeof values / sizeof *values };
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), copy;
    (void)state;
    for (int i = 0; i < N; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        assert_ok(pytree_object_put_copy(net, name, PYTREE_INT(values[i]), &error), &error);
    }
    assert_ok(pytree_object_put_copy(net, "y", PYTREE_NONE, &error), &error);
    assert_ok(pytree_object_put_copy(net, "z", PYTREE_STR("None"), &error), &error);
    copy = pytree_clone(net, NULL, &error);
    assert_ok(error.status, &error);
    pytree_container_free(net);
    for (int i = 0; i < N; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        const pytree value = pytree_object_get(copy, name, &error);
        assert_ok(error.status, &error);
        assert_true(pytree_type_equal(value.type, PYTREE_TYPE(int64_t)));
        assert_int_equal(*(int64_t *)value.data, values[i]);
    }
    assert_int_equal(pytree_object_get(copy, "y", &error).type->kind, PYTREE_KIND_NONE);
    assert_string_equal(*(char **)pytree_object_get(copy, "z", &error).data, "None");
    for (int i = 0; i < N; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        assert_ok(pytree_object_remove(copy, name, &error), &error);
    }
    assert_attributes(copy, "y:static z:static ");
    pytree_free(copy);
}

/* Exchange the first name `from` in bytes of a treedef. */
static void rename_key(unsigned char *bytes, size_t size, char from, char to)
{
    size_t i = 0;
    while (i + 1 < size && !(bytes[i] == (unsigned char)from && bytes[i + 1] == '\0')) { i++; }
    assert_true(i + 1 < size);
    bytes[i] = (unsigned char)to;
}

/* Names that are not in order are put in order; a treedef that has one twice is refused. */
static void rebuilt_names(void **state)
{
    const pytree_type *const types[] = { &pytree_class_Net };
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), made;
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL, *other;
    unsigned char bytes[512];
    size_t size;
    (void)state;
    assert_ok(pytree_object_put(net, "p", PYTREE_ARRAY(numbers, 2), &error), &error);
    assert_ok(pytree_object_put(net, "q", PYTREE_ARRAY(numbers, 3), &error), &error);
    assert_ok(pytree_flatten(net, &leaves, 0, &def, NULL, &error), &error);
    size = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
    assert_true(size <= sizeof bytes);
    rename_key(bytes, size, 'p', 'r');
    other = pytree_def_load(bytes, size, types, 1, NULL, &error);
    made = pytree_unflatten(other, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_paths(made, ".q .r ");
    assert_int_equal(((pytree_leaf *)pytree_object_get(made, "r", &error).data)->shape[0], 2);
    pytree_free(made);
    pytree_def_free(other);
    rename_key(bytes, size, 'r', 'q');
    other = pytree_def_load(bytes, size, types, 1, NULL, &error);
    assert_ok(error.status, &error);
    assert_says(pytree_unflatten(other, 2, leaves, NULL, err).type == NULL ? err->status : PYTREE_OK, PYTREE_ARGUMENT, "",
                "expected each attribute once, got 'q' twice");
    pytree_def_free(other);
    pytree_def_free(def);
    pytree_container_free(net);
}

static void graphs_of_objects(void **state)
{
    pytree_error error = { 0 };
    pytree top = pytree_new_object(&pytree_class_Net, NULL, &error), inner = new_net(NULL, &error), made[2];
    pytree_def *graphdef = NULL;
    pytree_flat flat;
    (void)state;
    assert_ok(pytree_object_put_own(top, "a", inner, &error), &error);
    assert_ok(pytree_object_put(top, "b", inner, &error), &error);
    assert_ok(pytree_object_put(top, "me", top, &error), &error);
    assert_ok(pytree_split(top, 0, NULL, &graphdef, &flat, NULL, &error), &error);
    assert_paths(PYTREE(&flat), "['a']['a'] ['a']['w'].value ");
    made[0] = pytree_graph_clone(top, NULL, &error);
    made[1] = pytree_merge(graphdef, 1, (pytree[]){ PYTREE(&flat) }, NULL, &error);
    assert_ok(error.status, &error);
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(pytree_object_get(made[i], "a", &error).data, pytree_object_get(made[i], "b", &error).data);
        assert_ptr_equal(pytree_object_get(made[i], "me", &error).data, made[i].data);
        assert_ok(pytree_object_put_copy(made[i], "new", PYTREE_INT(1), &error), &error);
        pytree_free(made[i]);
    }
    pytree_flat_free(&flat);
    pytree_def_free(graphdef);
    pytree_container_free(top);
}

static void deep_chains(void **state)
{
    const size_t n = under_valgrind() ? 1000 : SANITIZED ? 20000 : DEEPER_THAN_A_STACK;
    pytree_error error = { 0 };
    pytree top = pytree_new_object(&pytree_class_Item, NULL, &error), copy;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        pytree next = pytree_new_object(i % 2 == 0 ? &pytree_class_Net : &pytree_class_List, NULL, &error);
        if (i % 2 == 0) { pytree_object_put_own(next, "x", top, &error); } else { pytree_list_append_own(next, top, &error); }
        top = next;
    }
    assert_ok(error.status, &error);
    copy = pytree_clone(top, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_num_leaves(copy, NULL, &error), 0);
    pytree_free(copy);
    pytree_container_free(top);
}

/* Clones that own clones are freed one after the other. */
static void clones_in_clones(void **state)
{
    const size_t n = under_valgrind() ? 100 : SANITIZED ? 10000 : 100000;
    pytree_error error = { 0 };
    pytree small = pytree_new_object(&pytree_class_Item, NULL, &error), top = pytree_clone(small, NULL, &error);
    (void)state;
    for (size_t i = 0; i < n && error.status == PYTREE_OK; i++) {
        pytree next = pytree_clone(small, NULL, &error);
        pytree_object_put_own(next, "x", top, &error);
        top = next;
    }
    assert_ok(error.status, &error);
    pytree_free(top);
    pytree_container_free(small);
}

/* ---- Variables ----------------------------------------------------------------------------------------------------- */

static void metadata_is_structure(void **state)
{
    pytree_error error = { 0 };
    pytree v = pytree_new_variable(&pytree_role_BatchStat, PYTREE_ARRAY(numbers, 2), NULL, &error), copy, one;
    pytree_flat flat;
    (void)state;
    assert_ok(pytree_variable_put_metadata(v, "w1", PYTREE_STR("hi"), &error), &error);
    assert_ok(pytree_variable_put_metadata(v, "left", PYTREE_INT(96), &error), &error);
    assert_ok(pytree_variable_put_metadata(v, "zoo", PYTREE_TUPLE(PYTREE_NONE), &error), &error);
    assert_def_text(v, "PyTreeDef(CustomNode(BatchStat[{'left': 96, 'w1': 'hi', 'zoo': (None,)}], [*]))", NULL);
    flat = pytree_state(PYTREE_DICT({ "v", v }), PYTREE_EVERYTHING, NULL, &error);
    assert_def_text(PYTREE(&flat),
                    "PyTreeDef({'v': CustomNode(BatchStat[{'left': 96, 'w1': 'hi', 'zoo': (None,)}], [*])})", NULL);
    pytree_flat_free(&flat);
    assert_ok(pytree_variable_remove_metadata(v, "zoo", &error), &error);
    assert_says(pytree_variable_remove_metadata(v, "zoo", err), PYTREE_NOT_FOUND, "",
                "expected metadata of a BatchStat, got none of the name 'zoo'");
    copy = pytree_clone(v, NULL, &error);
    assert_ok(pytree_variable_put_metadata(v, "left", PYTREE_INT(97), &error), &error);
    one = pytree_variable_metadata(copy, "left", NULL, &error);
    assert_int_equal(*(int64_t *)one.data, 96);
    pytree_free(one);
    assert_ok(pytree_variable_remove_metadata(copy, NULL, &error), &error);
    assert_def_text(copy, "PyTreeDef(CustomNode(BatchStat[None], [*]))", NULL);
    assert_null(pytree_variable_metadata(copy, "left", NULL, &error).type);
    assert_int_equal(error.status, PYTREE_NOT_FOUND);
    pytree_free(copy);
    assert_says(pytree_variable_put_metadata(v, "x", PYTREE_LIST(PYTREE_ARRAY(numbers, 2)), err), PYTREE_STATIC, "[0]",
                "expected a static value, got an array f32[2]");
    assert_says(pytree_variable_put_metadata(v, NULL, PYTREE_NONE, err), PYTREE_ARGUMENT, "",
                "expected a name and a value of metadata, got NULL");
    pytree_container_free(v);
}

static void values_of_variables(void **state)
{
    pytree_error error = { 0 };
    pytree literal = PYTREE_VARIABLE(Param, PYTREE_INT(3)), v = pytree_new_variable(&pytree_role_Param, literal, NULL, &error);
    (void)state;
    assert_ptr_equal(pytree_variable_value(v).type->custom, &pytree_variable_node);           /* a variable may hold one */
    assert_int_equal(*(int64_t *)pytree_variable_value(literal).data, 3);
    assert_null(pytree_variable_value(PYTREE_INT(1)).type);
    assert_ok(pytree_variable_set(v, PYTREE_DICT({ "k", PYTREE_ARRAY(numbers, 2) }), &error), &error);
    assert_paths(v, ".value['k'] ");
    assert_says(pytree_variable_set(literal, PYTREE_NONE, err), PYTREE_ARGUMENT, "",
                "expected a variable that pytree_new_variable made, got a literal Param");
    assert_says(pytree_variable_set(PYTREE_NONE, PYTREE_NONE, err), PYTREE_ARGUMENT, "",
                "expected a variable that pytree_new_variable made, got None");
    assert_says(pytree_list_append(v, PYTREE_NONE, err), PYTREE_ARGUMENT, "",
                "expected a growing list, tuple or deque, got Param");
    pytree_container_free(v);
    assert_null(pytree_new_variable(&pytree_class_Net, PYTREE_NONE, NULL, &error).data);
    assert_string_equal(error.message, "expected a role, got Net");
    error = (pytree_error){ 0 };
    assert_null(pytree_new_object(&pytree_role_Param, NULL, &error).data);
    assert_string_equal(error.message, "expected a class, got Param");
}

/* ---- Levels, seals ------------------------------------------------------------------------------------------------- */

static void what_an_outer_level_made_stays(void **state)
{
    pytree_level level = { 0 };
    const pytree_options opt = { .level = &level };
    pytree_error error = { 0 };
    pytree net = new_net(&opt, &error), list = pytree_new_list(&opt, &error), inside;
    (void)state;
    pytree_level_enter(&level);
    assert_says(pytree_object_put(net, "count", PYTREE_INT(1), err), PYTREE_FROZEN, "",
                "expected a Net of this level (1), got one of level 0");
    assert_says(pytree_object_remove(net, "w", err), PYTREE_FROZEN, "", "expected a Net of this level (1), got one of level 0");
    assert_says(pytree_variable_set(pytree_object_get(net, "w", &error), PYTREE_INT(1), err), PYTREE_FROZEN, "",
                "expected a Param of this level (1), got one of level 0");
    assert_says(pytree_list_append(list, PYTREE_NONE, err), PYTREE_FROZEN, "",
                "expected a list of this level (1), got one of level 0");
    assert_says(pytree_container_clear(list, err), PYTREE_FROZEN, "", "expected a list of this level (1), got one of level 0");
    inside = pytree_clone(net, &opt, &error);                                                 /* a copy is of this level */
    assert_ok(pytree_object_put_copy(inside, "count", PYTREE_INT(1), &error), &error);
    assert_ok(pytree_variable_set(pytree_object_get(inside, "w", &error), PYTREE_INT(1), &error), &error);
    pytree_level_leave(&level);
    assert_error(pytree_object_put(inside, "count", PYTREE_INT(2), &error), PYTREE_FROZEN, "", &error);
    error = (pytree_error){ 0 };
    assert_ok(pytree_object_put_copy(net, "count", PYTREE_INT(1), &error), &error);
    pytree_free(inside);
    pytree_container_free(list);
    pytree_container_free(net);
}

static void seals_find_changes(void **state)
{
    pytree_error error = { 0 };
    MLP model = mlp_make(2, true);
    pytree_seal *seal = pytree_seal_new(PYTREE(&model), NULL, &error);
    (void)state;
    assert_ok(pytree_seal_check(seal, PYTREE(&model), NULL, &error), &error);
    model.layers[1].b[1] += 1;
    assert_says(pytree_seal_check(seal, PYTREE(&model), NULL, err), PYTREE_FROZEN, ".layers[1].b",
                "expected the f32[2] that was sealed, got other values");
    model.layers[1].b[1] -= 1;
    model.n_layers = 1;
    assert_says(pytree_seal_check(seal, PYTREE(&model), NULL, err), PYTREE_FROZEN, "",
                "expected the structure that was sealed, got another one");
    model.n_layers = 2;
    assert_says(pytree_seal_check(NULL, PYTREE(&model), NULL, err), PYTREE_ARGUMENT, "", "expected a seal, got NULL");
    pytree_seal_free(seal);
    mlp_clear(&model);
}

/* ---- Memory that runs out ------------------------------------------------------------------------------------------ */

static pytree_status sweep_object(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree net = new_net(opt, err), list = pytree_new_object(&pytree_class_List, opt, err), copy = { NULL, NULL };
    pytree w = net.data == NULL ? net : pytree_object_get(net, "w", NULL);
    pytree_seal *seal = NULL;
    (void)context;
    pytree_list_append_copy(list, PYTREE_INT(3), err);
    pytree_list_append_copy(list, PYTREE_SCALAR(numbers), err);
    if (pytree_object_put_own(net, "list", list, err) != PYTREE_OK) { pytree_container_free(list); }
    if (err->status == PYTREE_OK) { pytree_variable_put_metadata(w, "note", PYTREE_INT(1), err); }
    if (err->status == PYTREE_OK) { pytree_free(pytree_variable_metadata(w, "note", opt, err)); }
    if (err->status == PYTREE_OK) { pytree_variable_put_metadata(w, "more", PYTREE_STR("text"), err); }
    if (err->status == PYTREE_OK) { pytree_variable_remove_metadata(w, "more", err); }
    if (err->status == PYTREE_OK) { copy = pytree_clone(net, opt, err); }
    if (err->status == PYTREE_OK) { pytree_variable_set(pytree_object_get(copy, "w", NULL), PYTREE_ARRAY(numbers, 2), err); }
    if (err->status == PYTREE_OK) { pytree_variable_put_metadata(pytree_object_get(copy, "w", NULL), "a", PYTREE_NONE, err); }
    if (err->status == PYTREE_OK) { seal = pytree_seal_new(copy, opt, err); }
    if (err->status == PYTREE_OK) { pytree_seal_check(seal, copy, opt, err); }
    if (err->status == PYTREE_OK) { pytree_check(copy, NULL, NULL, opt, err); }
    pytree_seal_free(seal);
    pytree_free(copy);
    pytree_container_free(net);
    return err->status;
}

static void memory_runs_out(void **state)
{
    size_t n;
    (void)state;
    assert_in_range(sweep_allocations(sweep_object, NULL), 20, 200);
    for (n = 0;; n++) {                                        /* the arrays of stb_ds */
        pytree_error error = { 0 };
        pytree_status status;
        stb_calls = 0;
        stb_fail_at = n;
        status = sweep_object(NULL, NULL, &error);
        stb_fail_at = SIZE_MAX;
        assert_int_equal(stb_blocks, 0);
        if (stb_calls <= n) { assert_ok(status, &error); break; }
        assert_error(status, PYTREE_NO_MEMORY, NULL, &error);
    }
    assert_in_range(n, 5, 100);
}

/* ---- Layers that are alike --------------------------------------------------------------------------------------------- */

static void put_one(pytree object, const char *name, const pytree_type *role, const pytree_options *opt, pytree_error *err)
{
    float values[2] = { 1, 2 };
    const pytree variable = pytree_new_variable(role, PYTREE_ARRAY(values, 2), opt, err);
    if (variable.data != NULL && pytree_object_put_own(object, name, variable, err) != PYTREE_OK) {
        pytree_container_free(variable);
    }
}

/* A list of layers, of which the fourth has other names, and the fifth a variable with metadata. */
static pytree new_layers(const pytree_options *opt, pytree_error *err)
{
    pytree list = pytree_new_object(&pytree_class_List, opt, err);
    int i;
    for (i = 0; i < 6 && err->status == PYTREE_OK; i++) {
        pytree layer = pytree_new_object(&pytree_class_Item, opt, err);
        if (layer.data == NULL) { break; }
        put_one(layer, i == 3 ? "v" : "w", &pytree_role_Param, opt, err);
        put_one(layer, "mean", &pytree_role_BatchStat, opt, err);
        if (err->status == PYTREE_OK) { pytree_object_put_copy(layer, "size", PYTREE_INT(-i), err); }
        if (err->status == PYTREE_OK) { pytree_object_put_copy(layer, "bias", PYTREE_NONE, err); }
        if (err->status == PYTREE_OK) { pytree_object_put_copy(layer, "name", PYTREE_STR("layer"), err); }
        if (i == 4 && err->status == PYTREE_OK) {
            pytree_variable_put_metadata(pytree_object_get(layer, "w", err), "axis", PYTREE_INT(1), err);
        }
        if (err->status != PYTREE_OK || pytree_list_append_own(list, layer, err) != PYTREE_OK) { pytree_container_free(layer); }
    }
    return list;
}

static void assert_same_flat(const pytree_flat *a, const pytree_flat *b)
{
    size_t i;
    assert_true(pytree_def_equal(a->def, b->def));
    for (i = 0; i < a->def->n_leaves; i++) { assert_ptr_equal(a->leaves[i].data, b->leaves[i].data); }
}

/* Objects that own all they have are flattened in a way of their own, and layers that are alike are copied to states: both must
 * give what other ways give. A filter by path leaves nothing to copy. */
static void layers_like_others(void **state)
{
    pytree_error error = { 0 };
    pytree net = new_layers(NULL, &error);
    pytree_flat tree = { NULL, NULL }, graph = { NULL, NULL }, roles[2], paths[2];
    pytree_leaf *leaves = NULL;
    (void)state;
    assert_ok(error.status, &error);
    assert_ok(pytree_flatten(net, &leaves, 0, (pytree_def **)(void *)&tree.def, NULL, &error), &error);
    tree.leaves = leaves;
    leaves = NULL;
    assert_ok(pytree_graph_flatten(net, &leaves, 0, (pytree_def **)(void *)&graph.def, NULL, &error), &error);
    graph.leaves = leaves;
    assert_same_flat(&tree, &graph);
    assert_ok(pytree_split(net, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), NULL, roles, NULL, &error), &error);
    assert_ok(pytree_split(net, PYTREE_FILTERS(PYTREE_ALL_OF(PYTREE_OF(Param), PYTREE_NOT(PYTREE_PATH_HAS("x"))), PYTREE_REST),
                           NULL, paths, NULL, &error), &error);
    assert_int_equal(roles[0].def->n_leaves, 6);
    assert_same_flat(&roles[0], &paths[0]);
    assert_same_flat(&roles[1], &paths[1]);
    pytree_flat_free(&tree);
    pytree_flat_free(&graph);
    pytree_flat_free(&roles[0]);
    pytree_flat_free(&roles[1]);
    pytree_flat_free(&paths[0]);
    pytree_flat_free(&paths[1]);
    pytree_container_free(net);
}

static pytree_status sweep_layers(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_error made = { 0 };
    const pytree net = new_layers(NULL, &made);
    pytree_flat states[2] = { { NULL, NULL }, { NULL, NULL } };
    pytree_def *graphdef = NULL;
    const pytree_status status = pytree_split(net, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &graphdef, states, opt, err);
    (void)context;
    pytree_def_free(graphdef);
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
    pytree_container_free(net);
    return status;
}

static void memory_runs_out_for_layers(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(sweep_layers, NULL), 20, 200);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(attributes_are_visited_by_name),
        TEST(the_first_assignment_decides),
        TEST(data_in_static_values_is_refused),
        TEST(what_is_data),
        TEST(static_values_need_a_literal),
        TEST(elements_of_lists),
        TEST(objects_of_a_namespace),
        TEST(owners),
        TEST(rebuilt_objects_grow),
        TEST(rebuilt_static_values),
        TEST(rebuilt_names),
        TEST(graphs_of_objects),
        TEST(deep_chains),
        TEST(clones_in_clones),
        TEST(metadata_is_structure),
        TEST(values_of_variables),
        TEST(what_an_outer_level_made_stays),
        TEST(seals_find_changes),
        TEST(layers_like_others),
        TEST(memory_runs_out_for_layers),
        TEST(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
