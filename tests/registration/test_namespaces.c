/* One type, another list of fields in each namespace: PYTREE_NAMESPACE and options.space. */
#include "support.h"
#include "pytree/object.h"

/* Globally a struct of one child; in `train` its other member is data too; in `frozen` nothing is. */
typedef struct Layer {
    float w;
    float moving;
    int steps;
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w) PYTREE_FIELD(STATIC, moving) PYTREE_FIELD(STATIC, steps)
#include "pytree_registry.h"

/* A leaf, unless a namespace knows better. */
typedef struct Pair {
    int a, b;
} Pair;

#define PYTREE_LEAF_TYPE Pair
#include "pytree_registry.h"

/* Holds both in every place. */
typedef struct Net {
    Layer first;
    Pair pair;
    Layer *more;
    size_t n_more;
    Layer *last;                          /* NULL when there is none */
    Pair two[2];
    pytree any;
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first)                                                                                           \
    PYTREE_FIELD(DATA, pair)                                                                                            \
    PYTREE_FIELD(DATA, more, LIST(self->n_more))                                                                        \
    PYTREE_FIELD(STATIC, n_more)                                                                                        \
    PYTREE_FIELD(DATA, last, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DROP, two)                                                                                             \
    PYTREE_FIELD(DATA, any)
#include "pytree_registry.h"

#define PYTREE_STRUCT Layer
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, moving) PYTREE_FIELD(STATIC, steps)
#include "pytree_registry.h"

#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Layer
#define PYTREE_NAMESPACE frozen
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, w) PYTREE_FIELD(STATIC, moving) PYTREE_FIELD(STATIC, steps)
#include "pytree_registry.h"

/* In `odd` a pair is a custom node: its members in the other order. */
static size_t pair_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Pair *pair = self;
    (void)keys;
    if (children != NULL) {
        children[0] = PYTREE(&pair->b);
        children[1] = PYTREE(&pair->a);
    }
    return 2;
}
static pytree_status pair_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    Pair *pair = self;
    (void)metadata;
    assert_int_equal(n, 2);
    assert_int_equal(bytes, 0);
    pair->b = *(const int *)children[0].data;
    pair->a = *(const int *)children[1].data;
    return PYTREE_OK;
}
static const pytree_custom pair_callbacks = { .children = pair_children, .rebuild = pair_rebuild };

#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE odd
#define PYTREE_CUSTOM pair_callbacks
#include "pytree_registry.h"

/* A namespace that has nothing else. */
typedef struct Apart { int a; } Apart;

#define PYTREE_LEAF_TYPE Apart
#include "pytree_registry.h"

#define PYTREE_STRUCT Apart
#define PYTREE_NAMESPACE other
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"

static const pytree_options train = { .space = "train" }, frozen = { .space = "frozen" }, odd = { .space = "odd" },
                            other = { .space = "other" };

static void what_a_namespace_sees(void **state)
{
    Layer layer = { 1, 2, 3 };
    Pair pair = { 4, 5 };
    (void)state;
    assert_def_text(PYTREE(&layer), "PyTreeDef(CustomNode(Layer[(2.0, 3)], [*]))", NULL);
    assert_def_text(PYTREE(&layer), "PyTreeDef(CustomNode(Layer[(3,)], [*, *]), namespace='train')", &train);
    assert_def_text(PYTREE(&layer), "PyTreeDef(CustomNode(Layer[(1.0, 2.0, 3)], []), namespace='frozen')", &frozen);
    assert_def_text(PYTREE(&layer), "PyTreeDef(CustomNode(Layer[(2.0, 3)], [*]), namespace='other')", &other);
    assert_def_text(PYTREE(&pair), "PyTreeDef(*)", NULL);
    assert_def_text(PYTREE(&pair), "PyTreeDef(CustomNode(Pair[(5,)], [*]), namespace='train')", &train);
    assert_def_text(PYTREE(&pair), "PyTreeDef(CustomNode(Pair[None], [*, *]), namespace='odd')", &odd);
    assert_def_text(PYTREE(&pair), "PyTreeDef(*)", &other);
    assert_def_text(PYTREE_LIST(PYTREE_INT(1)), "PyTreeDef([*])", &train);      /* nothing in it that could differ */
}

/* A misspelt namespace is noticed where the root tells which namespaces there are. */
static void unknown_namespace(void **state)
{
    static const pytree_options trian = { .space = "trian" }, none = { .space = "" };
    Layer layer = { 1, 2, 3 };
    pytree_error error = { 0 };
    pytree_def *def = NULL;
    double sum = 0;
    (void)state;
    assert_null(pytree_structure(PYTREE(&layer), &trian, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message,
                        "expected a namespace such as train, which the file that registers Layer has, got trian");
    memset(&error, 0, sizeof error);
    assert_error(pytree_flatten(PYTREE(&layer), NULL, 0, &def, &trian, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_sum(PYTREE(&layer), &sum, &trian, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_num_leaves(PYTREE(&layer), &none, NULL), 1);
}

static void namespace_and_none_switch_are_structure(void **state)
{
    Layer layer = { 1, 2, 3 };
    pytree_options both = { .space = "other", .none_is_leaf = true };
    pytree_def *defs[4];
    size_t i, k;
    (void)state;
    defs[0] = pytree_structure(PYTREE(&layer), NULL, NULL);
    defs[1] = pytree_structure(PYTREE(&layer), &other, NULL);
    defs[2] = pytree_structure(PYTREE(&layer), &both, NULL);
    defs[3] = pytree_def_copy(defs[1], NULL, NULL);
    for (i = 0; i < 4; i++) {
        for (k = 0; k < 4; k++) {
            assert_true(pytree_def_equal(defs[i], defs[k]) == (i == k || (i == 1 && k == 3) || (i == 3 && k == 1)));
        }
    }
    assert_string_equal(defs[3]->space, "other");
    for (i = 0; i < 4; i++) {
        pytree_def_free(defs[i]);
    }
}

static void net_fill(Net *net, Layer *layers)
{
    int i;
    memset(net, 0, sizeof *net);
    for (i = 0; i < 4; i++) {
        layers[i].w = (float)(10 + i);
        layers[i].moving = (float)(20 + i);
        layers[i].steps = i;
    }
    net->first = layers[0];
    net->pair.a = 7;
    net->pair.b = 8;
    net->more = layers + 1;
    net->n_more = 2;
    net->last = layers + 3;
    net->any = PYTREE(&net->pair);
}

/* A container belongs to no file, but what is in it does. */
static void unknown_namespace_of_containers(void **state)
{
    static const pytree_options trian = { .space = "trian" };
    Layer layer = { 1, 2, 3 };
    Net net;
    Layer layers[4];
    pytree_error error = { 0 };
    pytree t = PYTREE_DICT({ "k", PYTREE_TUPLE(PYTREE_FLOAT(0.5), PYTREE_LIST(PYTREE(&layer))) });
    double sum = 0;
    (void)state;
    assert_null(pytree_structure(PYTREE_LIST(PYTREE(&layer)), &trian, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "[0]", &error);
    assert_string_equal(error.message,
                        "expected a namespace such as train, which the file that registers Layer has, got trian");
    memset(&error, 0, sizeof error);
    assert_error(pytree_sum(t, &sum, &trian, &error), PYTREE_ARGUMENT, "['k'][1][0]", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_clone(t, &trian, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "['k'][1][0]", &error);
    net_fill(&net, layers);
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(PYTREE(&net), PYTREE(&layer)), &train, NULL), 12);
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(PYTREE_INT(1)), &trian, NULL), 1);          /* nothing that could differ */
}

PYTREE_CLASS(Holder, Module);

/* An object belongs to no file either, and may hold structs of files that know nothing of the namespace. */
static void unknown_namespace_of_objects(void **state)
{
    static const pytree_options trian = { .space = "trian" };
    Layer layer = { 1, 2, 3 };
    pytree_error error = { 0 };
    pytree object = pytree_new_object(&pytree_class_Holder, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_ok(pytree_object_put_copy(object, "layer", PYTREE(&layer), &error), &error);
    assert_int_equal(pytree_num_leaves(object, &trian, &error), 1);
    assert_int_equal(pytree_num_leaves(object, &train, &error), 2);
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(object), &trian, &error), 1);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(object, PYTREE(&layer)), &trian, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_ARGUMENT, "[1]", &error);
    pytree_container_free(object);
}

/* Through flatten, rebuild, clone, map and paths, in every place of a struct. */
static void everywhere_in_a_struct(void **state)
{
    static const pytree_options *const all[] = { NULL, &train, &frozen, &odd, &other };
    static const size_t expected[] = { 6, 10, 2, 8, 6 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(all); i++) {
        Net net;
        Layer layers[4];
        pytree_leaf *leaves = NULL;
        pytree_def *def, *again;
        pytree made;
        const char **paths;
        size_t n;
        pytree_error error = { 0 };
        net_fill(&net, layers);
        assert_ok(pytree_flatten(PYTREE(&net), &leaves, 0, &def, all[i], &error), &error);
        assert_int_equal(def->n_leaves, expected[i]);
        assert_int_equal(pytree_num_leaves(PYTREE(&net), all[i], &error), expected[i]);
        paths = pytree_paths(PYTREE(&net), NULL, &n, all[i], &error);
        assert_ok(error.status, &error);
        assert_int_equal(n, expected[i]);
        assert_string_equal(paths[n - 1], i == 1 ? ".any.a" : i == 3 ? ".any[<flat index 1>]" : ".any");
        pytree_paths_free(paths);
        made = pytree_unflatten(def, def->n_leaves, leaves, NULL, &error);
        assert_ok(error.status, &error);
        again = pytree_structure(made, all[i], &error);
        assert_true(pytree_def_equal(def, again));
        pytree_def_free(again);
        assert_ok(pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE((Net *)made.data), NULL, &error), &error);
        pytree_free(made);
        made = pytree_clone(PYTREE(&net), all[i], &error);
        assert_ok(error.status, &error);
        assert_true(pytree_equal(PYTREE(&net), PYTREE((Net *)made.data), NULL, all[i], &error));
        assert_int_equal(((const Net *)made.data)->pair.a, 7);
        assert_ok(pytree_copy_into(PYTREE((Net *)made.data), PYTREE(&net), all[i], &error), &error);
        assert_ok(pytree_check(PYTREE((Net *)made.data), NULL, NULL, all[i], &error), &error);
        pytree_free(made);
        pytree_def_free(def);
    }
}

/* Subtrees, which a predicate makes leaves, have the type that the namespace gives them: it fits where they came from. */
static bool is_layer(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && value->type->size == sizeof(Layer);
}

static void subtrees_as_leaves(void **state)
{
    const pytree_options layers_in_train = { .space = "train", .is_leaf = is_layer };
    Layer layers[4];
    Net net, *made;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree built;
    pytree_error error = { 0 };
    (void)state;
    net_fill(&net, layers);
    assert_ok(pytree_flatten(PYTREE(&net), &leaves, 0, &def, &layers_in_train, &error), &error);
    assert_int_equal(def->n_leaves, 6);   /* four layers, and a number of each pair */
    built = pytree_unflatten(def, 6, leaves, NULL, &error);
    assert_ok(error.status, &error);
    made = built.data;
    assert_float_equal(made->first.moving, 20, 0);             /* a copy: it lies in the struct */
    assert_ptr_equal(made->last, net.last);
    assert_true(pytree_equal(built, PYTREE(&net), NULL, &train, &error));
    leaves[0].type = PYTREE_TYPE(Apart);
    assert_null(pytree_unflatten(def, 6, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".first", &error);
    assert_string_equal(error.message, "expected Layer, got Apart");
    pytree_free(built);
    pytree_def_free(def);
}

static void children_in_a_namespace(void **state)
{
    Pair pair = { 4, 5 };
    pytree_leaf children[2];
    pytree_entry keys[2];
    size_t n;
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_children(PYTREE(&pair), children, keys, 2, &n, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_children(PYTREE(&pair), children, keys, 2, &n, &train, &error), &error);
    assert_int_equal(n, 1);
    assert_true(children[0].data == &pair.a);
    assert_string_equal(keys[0].name, "a");
}

static pytree_status sweep(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree made = pytree_clone(PYTREE((Net *)context), opt, err);
    pytree_def *def = err->status == PYTREE_OK ? pytree_structure(made, opt, err) : NULL;
    pytree_def_free(def);
    pytree_free(made);
    return err->status;
}

static void sweeps(void **state)
{
    Net net;
    Layer layers[4];
    (void)state;
    net_fill(&net, layers);
    assert_int_equal(sweep_allocations_with(&train, sweep, &net), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_namespace_sees),
        cmocka_unit_test(unknown_namespace),
        cmocka_unit_test(unknown_namespace_of_containers),
        cmocka_unit_test(unknown_namespace_of_objects),
        cmocka_unit_test(namespace_and_none_switch_are_structure),
        cmocka_unit_test(everywhere_in_a_struct),
        cmocka_unit_test(subtrees_as_leaves),
        cmocka_unit_test(children_in_a_namespace),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
