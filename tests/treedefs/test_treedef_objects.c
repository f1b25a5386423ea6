/* Treedefs as objects: equality, hash, lifetime, children, entries, predicates, memory that runs out. */
#include "treedef_shared.h"

/* ---- Structs with static values of every kind -------------------------------------------------------------------------- */

typedef struct Wide {
    long double rate;
    char letter;
    long double rates[2];
} Wide;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, letter) PYTREE_FIELD(STATIC, rates)
#include "pytree_registry.h"

typedef struct Loose {                    /* padding between and behind the members */
    char a;
    double b;
    char c;
    int d;
    short e;
} Loose;

#define PYTREE_STRUCT Loose
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(STATIC, c) PYTREE_FIELD(STATIC, d) PYTREE_FIELD(STATIC, e)
#include "pytree_registry.h"

typedef struct Gated {
    double (*gate)(double);
    float x;
} Gated;

#define PYTREE_STRUCT Gated
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, gate) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Byte { signed char byte; float x; } Byte;

#define PYTREE_STRUCT Byte
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, byte) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static double same(double x)
{
    return x;
}

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

/* Both ways round; equal treedefs have equal hashes. Frees both. */
static void assert_defs(pytree_def *a, pytree_def *b, bool equal)
{
    assert_int_equal(pytree_def_equal(a, b), equal);
    assert_int_equal(pytree_def_equal(b, a), equal);
    if (equal) {
        assert_true(pytree_def_hash(a) == pytree_def_hash(b));
    }
    pytree_def_free(a);
    pytree_def_free(b);
}

static void assert_same_def(pytree a, pytree b)
{
    assert_defs(def_of(a, NULL), def_of(b, NULL), true);
}

static void assert_other_def(pytree a, pytree b)
{
    assert_defs(def_of(a, NULL), def_of(b, NULL), false);
}

/* ---- Equal and unequal ------------------------------------------------------------------------------------------------- */

/* Each of these trees differs from each other one; none from itself, be it through a second treedef, a copy or a deep copy. */

static void every_difference_counts(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x), none = PYTREE_NONE;
    Linear layers[3] = { linear_make(2, 3, 0.0f), linear_make(3, 2, 0.0f), linear_make(2, 2, 0.0f) };
    Named names[4] = { { "a", 0.0f }, { "b", 0.0f }, { "", 0.0f }, { NULL, 0.0f } };
    Double numbers[4] = { { 0.0 }, { -0.0 }, { 1.0 }, { NAN } };
    Gated gates[3] = { { same, 0.0f }, { test_half_of, 0.0f }, { NULL, 0.0f } };
    Arrays arrays[3] = { { { 1 }, { 1, 2, 3 }, { 0.5, 0.5 }, { true, true }, { "a", "b", "c" }, { "d" } },
                         { { 1 }, { 1, 2, 3 }, { 0.5, 0.5 }, { true, true }, { "ab", "", "c" }, { "d" } },
                         { { 1 }, { 1, 2, 4 }, { 0.5, 0.5 }, { true, true }, { "a", "b", "c" }, { "d" } } };
    Nested nested[2] = { { { "in", { 3, "relu", { 0.5, 1.0 } } }, 1, 0.0f },
                         { { "in", { 3, "tanh", { 0.5, 1.0 } } }, 1, 0.0f } };
    Point point = { 1.0f, 2.0f };
    pytree trees[51] = {
        a, none, PYTREE_LIST(), PYTREE_TUPLE(), PYTREE_DICT(), PYTREE_ODICT(), PYTREE_NAMEDTUPLE("A"), PYTREE_NAMEDTUPLE("B"),
        PYTREE_LIST(a), PYTREE_LIST(a, a), PYTREE_TUPLE(a), PYTREE_TUPLE(a, a), PYTREE_LIST(none), PYTREE_LIST(a, none),
        PYTREE_LIST(none, a), PYTREE_LIST(PYTREE_LIST(a), a), PYTREE_LIST(a, PYTREE_LIST(a)), PYTREE_LIST(PYTREE_LIST(a, a)),
        PYTREE_LIST(PYTREE_LIST(), a, a), PYTREE_LIST(a, PYTREE_LIST(), a), PYTREE_DICT({ "a", a }), PYTREE_DICT({ "b", a }),
        PYTREE_DICT({ "", a }), PYTREE_DICT({ "a", a }, { "b", a }), PYTREE_ODICT({ "a", a }),
            PYTREE_ODICT({ "a", a }, { "b", a }),
        PYTREE_ODICT({ "b", a }, { "a", a }), PYTREE_NAMEDTUPLE("A", { "x", a }), PYTREE_NAMEDTUPLE("B", { "x", a }),
        PYTREE_NAMEDTUPLE("A", { "y", a }), PYTREE_NAMEDTUPLE("A", { "x", a }, { "y", a }), PYTREE(&layers[0]),
            PYTREE(&layers[1]),
        PYTREE(&layers[2]), PYTREE(&names[0]), PYTREE(&names[1]), PYTREE(&names[2]), PYTREE(&names[3]), PYTREE(&numbers[0]),
        PYTREE(&numbers[1]), PYTREE(&numbers[2]), PYTREE(&numbers[3]), PYTREE(&gates[0]), PYTREE(&gates[1]), PYTREE(&gates[2]),
        PYTREE(&arrays[0]), PYTREE(&arrays[1]), PYTREE(&arrays[2]), PYTREE(&nested[0]), PYTREE(&nested[1]), PYTREE(&point),
    };
    pytree_options options[2] = { { 0 }, { .none_is_leaf = true } };
    size_t i, k;
    (void)state;
    assert_non_null(trees[COUNT_OF(trees) - 1].type);
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(trees); k++) {
            assert_defs(def_of(trees[i], NULL), def_of(trees[k], NULL), i == k);
        }
        for (k = 0; k < 2; k++) {
            pytree_error error = { 0 };
            pytree_def *def = def_of(trees[i], &options[k]);
            pytree clone = pytree_clone(trees[i], NULL, &error);
            assert_ok(error.status, &error);
            assert_defs(def_of(clone, &options[k]), pytree_def_copy(def, NULL, &error), true);
            pytree_free(clone);
            assert_true(pytree_def_equal(def, def));
            assert_defs(def, def_of(trees[i], &options[1 - k]), false);
        }
    }
    for (i = 0; i < COUNT_OF(layers); i++) {
        linear_clear(&layers[i]);
    }
}

static void padding_does_not_matter(void **state)
{
    Loose a, b;
    Wide c, d;
    (void)state;
    memset(&a, 0x00, sizeof a);
    memset(&b, 0xFF, sizeof b);
    a.a = b.a = 'a';
    a.b = b.b = 0.5;
    a.c = b.c = 'c';
    a.d = b.d = -7;
    a.e = b.e = 9;
    assert_same_def(PYTREE(&a), PYTREE(&b));
    b.e = 8;
    assert_other_def(PYTREE(&a), PYTREE(&b));
    memset(&c, 0x00, sizeof c);
    memset(&d, 0xFF, sizeof d);
    c.rate = d.rate = 0.1L;
    c.letter = d.letter = 'x';
    c.rates[0] = d.rates[0] = -1.0L;
    c.rates[1] = d.rates[1] = 1e30L;
    assert_same_def(PYTREE(&c), PYTREE(&d));
    d.rates[1] = nextafter(1e30, 0.0);
    assert_other_def(PYTREE(&c), PYTREE(&d));
}

static void addresses_of_strings_do_not_matter(void **state)
{
    char here[] = "same text", there[] = "same text", x[] = "x", also_x[] = "x";
    Named a = { here, 0.0f }, b = { there, 1.0f };
    int one = 1, two = 2;
    (void)state;
    assert_same_def(PYTREE(&a), PYTREE(&b));
    there[0] = 'S';
    assert_other_def(PYTREE(&a), PYTREE(&b));
    assert_same_def(PYTREE_DICT({ x, PYTREE(&one) }, { "y", PYTREE(&two) }),
                    PYTREE_DICT({ "y", PYTREE(&one) }, { also_x, PYTREE(&one) }));
    assert_same_def(PYTREE_NAMEDTUPLE(x, { x, PYTREE(&one) }), PYTREE_NAMEDTUPLE(also_x, { also_x, PYTREE(&two) }));
    assert_same_def(PYTREE_ODICT({ x, PYTREE(&one) }), PYTREE_ODICT({ also_x, PYTREE(&two) }));
}

static void leaves_do_not_matter(void **state)
{
    MLP model = mlp_make(2, true), other = mlp_make(2, true);
    float f = 0.0f;
    const char *s = "text";
    (void)state;
    other.layers[0].w[0] = -1.0f;
    other.scale[1][2] = 99.0f;
    assert_same_def(PYTREE(&model), PYTREE(&other));
    assert_same_def(PYTREE_LIST(PYTREE(&f)), PYTREE_LIST(PYTREE(&s)));
    other.layers[1].din = 7;
    assert_other_def(PYTREE(&model), PYTREE(&other));
    other.layers[1].din = 3;
    assert_same_def(PYTREE(&model), PYTREE(&other));
    other.n_layers = 1;
    assert_other_def(PYTREE(&model), PYTREE(&other));
    other.n_layers = 2;
    linear_clear(other.head);
    free(other.head);
    other.head = NULL;
    assert_other_def(PYTREE(&model), PYTREE(&other));
    mlp_clear(&model);
    mlp_clear(&other);
}

/* Containers of the program and containers of pytrees are one kind of node. */
static void containers_of_both_kinds(void **state)
{
    Shelf shelf = shelf_make();
    float h = 0.0f;
    pytree a = PYTREE(&h), p = PYTREE(&shelf.spots[0]);
    pytree_error error = { 0 };
    pytree_def *def = def_of(PYTREE(&shelf), NULL);
    (void)state;
    assert_defs(pytree_def_child(def, 0, NULL, &error), def_of(PYTREE_LIST(a, a, a), NULL), true);
    assert_defs(pytree_def_child(def, 1, NULL, &error), def_of(PYTREE_LIST(p, p), NULL), true);
    assert_defs(pytree_def_child(def, 2, NULL, &error), def_of(PYTREE_DICT({ "pear", a }, { "apple", a }, { "fig", a }), NULL),
                true);
    assert_defs(pytree_def_child(def, 3, NULL, &error), def_of(PYTREE_DICT({ "here", p }, { "there", p }), NULL), true);
    assert_ok(error.status, &error);
    pytree_def_free(def);
    shelf_clear(&shelf);
}

/* ---- Lifetime ---------------------------------------------------------------------------------------------------------- */

static void a_treedef_outlives_its_tree(void **state)
{
    MLP *model = malloc(sizeof *model);
    char *key = malloc(4), *text = malloc(6);
    pytree_error error = { 0 };
    pytree_def *def, *copy;
    char out[400];
    Named *named = malloc(sizeof *named);
    (void)state;
    assert_non_null(model);
    assert_non_null(key);
    assert_non_null(text);
    assert_non_null(named);
    *model = mlp_make(2, true);
    memcpy(key, "key", 4);
    memcpy(text, "owned", 6);
    named->name = text;
    named->x = 0.0f;
    def = def_of(PYTREE_DICT({ key, PYTREE(model) }, { "n", PYTREE(named) }), NULL);
    copy = pytree_def_copy(def, NULL, &error);
    assert_ok(error.status, &error);
    mlp_clear(model);
    memset(key, 'X', 3);
    memset(text, 'X', 5);
    free(model);
    free(key);
    free(text);
    free(named);
    assert_true(pytree_def_equal(def, copy));
    pytree_def_free(def);
    pytree_def_text(copy, out, sizeof out);
    assert_memory_equal(out, "PyTreeDef({'key': CustomNode(MLP[(2,)], [[", 41);
    assert_non_null(strstr(out, ", 'n': CustomNode(Named[('owned',)], [*])})"));
    pytree_def_free(copy);
    pytree_def_free(NULL);
}

static void copies(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_options none = { .none_is_leaf = true };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *copy;
    Heap heap;
    pytree_options counted = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    counted.allocator = &heap.allocator;
    assert_ok(pytree_flatten(PYTREE(&model), &leaves, 0, &def, &counted, &error), &error);     /* with leaves in its block */
    assert_int_equal(heap.calls, 1);
    copy = pytree_def_copy(def, &counted, &error);
    assert_int_equal(heap.calls, 2);
    assert_int_equal(pytree_def_num_leaves(copy), 7);
    assert_true(pytree_def_equal(def, copy));
    assert_true(pytree_def_hash(def) == pytree_def_hash(copy));
    pytree_def_free(def);
    pytree_def_free(copy);
    assert_heap_clean(&heap);
    def = def_of(PYTREE_LIST(PYTREE_NONE), &none);
    copy = pytree_def_copy(def, NULL, &error);                     /* the switch is the treedef's, not the options' */
    assert_true(copy->none_is_leaf);
    assert_defs(def, copy, true);
    mlp_clear(&model);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------------- */

static void counts(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_options none = { .none_is_leaf = true };
    pytree_def *def = def_of(PYTREE(&model), NULL);
    (void)state;
    assert_int_equal(pytree_def_num_leaves(def), 7);
    assert_int_equal(pytree_def_num_nodes(def), 7 + 3 + 1 + 1);
    assert_int_equal(pytree_def_num_children(def), 3);
    pytree_def_free(def);
    def = def_of(PYTREE_LIST(PYTREE_NONE, PYTREE_LIST()), NULL);
    assert_int_equal(pytree_def_num_leaves(def), 0);
    assert_int_equal(pytree_def_num_nodes(def), 3);
    assert_int_equal(pytree_def_num_children(def), 2);
    pytree_def_free(def);
    def = def_of(PYTREE_LIST(PYTREE_NONE, PYTREE_LIST()), &none);
    assert_int_equal(pytree_def_num_leaves(def), 1);
    assert_int_equal(pytree_def_num_nodes(def), 3);
    pytree_def_free(def);
    mlp_clear(&model);
}

/* Every child as a treedef of its own is that of the child's value, whichever way it is counted. */
static void assert_children(pytree tree, const pytree_options *opt)
{
    pytree_leaf views[64];
    pytree_entry keys[64], entry;
    size_t n, i;
    pytree_error error = { 0 };
    pytree_def *def = def_of(tree, opt);
    assert_ok(pytree_children(tree, views, keys, COUNT_OF(views), &n, opt, &error), &error);
    assert_int_equal(pytree_def_num_children(def), n);
    for (i = 0; i < n; i++) {
        assert_defs(pytree_def_child(def, (ptrdiff_t)i, NULL, &error), def_of(pytree_of_view(&views[i]), opt), true);
        assert_defs(pytree_def_child(def, (ptrdiff_t)i, NULL, &error),
                    pytree_def_child(def, (ptrdiff_t)i - (ptrdiff_t)n, NULL, &error), true);
        assert_ok(pytree_def_entry(def, (ptrdiff_t)i - (ptrdiff_t)n, &entry, &error), &error);
        assert_int_equal(entry.kind, keys[i].kind);
        assert_ok(pytree_def_entry(def, (ptrdiff_t)i, &entry, &error), &error);
        assert_int_equal(entry.kind, keys[i].kind);
        if (entry.kind == PYTREE_INDEX) {
            assert_int_equal(entry.index, i);
        } else {
            assert_string_equal(entry.name, keys[i].name);
        }
    }
    assert_null(pytree_def_child(def, (ptrdiff_t)n, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_child(def, -(ptrdiff_t)n - 1, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_def_entry(def, PTRDIFF_MAX, &entry, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_def_entry(def, PTRDIFF_MIN, &entry, NULL), PYTREE_ARGUMENT);
    assert_null(pytree_def_child(def, PTRDIFF_MIN, NULL, NULL));
    pytree_def_free(def);
}

static void children(void **state)
{
    MLP model = mlp_make(2, true);
    Everything all = everything_make(false);
    Shelf shelf = shelf_make();
    Linear *layer = &model.layers[0];
    Nested nested = { { "in", { 3, NULL, { 0.5, 1e20 } } }, -1, 0.0f };
    Named named = { "n", 1.0f };
    pytree a = PYTREE(&nested), b = PYTREE(layer), c = PYTREE(&shelf), d = PYTREE(&named);
    pytree_options none = { .none_is_leaf = true };
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        const pytree_options *opt = i == 0 ? NULL : &none;
        assert_children(PYTREE(&model), opt);
        assert_children(PYTREE(&all), opt);
        assert_children(PYTREE(&shelf), opt);
        assert_children(PYTREE_LIST(a, b, PYTREE_NONE, c, d), opt);
        assert_children(PYTREE_TUPLE(PYTREE_LIST(), PYTREE_DICT({ "k", d }), a), opt);
        assert_children(PYTREE_DICT({ "z", a }, { "", b }, { "it's", c }, { "n", PYTREE_NONE }), opt);
        assert_children(PYTREE_ODICT({ "z", a }, { "", b }, { "it's", c }), opt);
        assert_children(PYTREE_NAMEDTUPLE("T", { "z", a }, { "y", b }, { "x", d }), opt);
        assert_children(PYTREE_LIST(), opt);
    }
    assert_children(PYTREE_NONE, NULL);
    mlp_clear(&model);
    everything_clear(&all);
    shelf_clear(&shelf);
}

static void a_leaf_has_no_children(void **state)
{
    int x = 1;
    pytree_def *def = def_of(PYTREE(&x), NULL);
    pytree_error error = { 0 };
    pytree_entry entry;
    (void)state;
    assert_int_equal(pytree_def_num_children(def), 0);
    assert_null(pytree_def_child(def, 0, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_def_entry(def, -1, &entry, NULL), PYTREE_ARGUMENT);
    pytree_def_free(def);
}

static void grandchildren(void **state)
{
    MLP model = mlp_make(3, true);
    pytree_error error = { 0 };
    pytree_def *def = def_of(PYTREE_TUPLE(PYTREE_DICT({ "m", PYTREE(&model) }), PYTREE_NONE), NULL), *dict, *mlp, *layers;
    (void)state;
    dict = pytree_def_child(def, 0, NULL, &error);
    mlp = pytree_def_child(dict, -1, NULL, &error);
    layers = pytree_def_child(mlp, 0, NULL, &error);
    pytree_def_free(def);
    pytree_def_free(dict);
    pytree_def_free(mlp);
    assert_defs(pytree_def_child(layers, -2, NULL, &error), def_of(PYTREE(&model.layers[1]), NULL), true);
    assert_ok(error.status, &error);
    pytree_def_free(layers);
    mlp_clear(&model);
}

static void kinds_and_names(void **state)
{
    MLP model = mlp_make(1, true);
    Shelf shelf = shelf_make();
    int x = 1;
    char name[] = "Pair";
    pytree a = PYTREE(&x);
    pytree_error error = { 0 };
    struct {
        pytree_def *def;
        pytree_kind kind;
        const char *name;
    } cases[] = {
        { def_of(a, NULL), PYTREE_KIND_LEAF, "*" },
        { def_of(PYTREE_NONE, NULL), PYTREE_KIND_NONE, "None" },
        { def_of(PYTREE_LIST(), NULL), PYTREE_KIND_LIST, "list" },
        { def_of(PYTREE_TUPLE(a), NULL), PYTREE_KIND_TUPLE, "tuple" },
        { def_of(PYTREE_DICT({ "a", a }), NULL), PYTREE_KIND_DICT, "dict" },
        { def_of(PYTREE_ODICT({ "a", a }), NULL), PYTREE_KIND_ODICT, "OrderedDict" },
        { def_of(PYTREE_NAMEDTUPLE(name, { "a", a }), NULL), PYTREE_KIND_NAMEDTUPLE, "Pair" },
        { def_of(PYTREE(&model), NULL), PYTREE_KIND_STRUCT, "MLP" },
        { NULL, PYTREE_KIND_LIST, "list" },
        { NULL, PYTREE_KIND_STRUCT, "Linear" },
        { NULL, PYTREE_KIND_LEAF, "*" },
        { NULL, PYTREE_KIND_DICT, "dict" },
    };
    pytree_def *shelf_def = def_of(PYTREE(&shelf), NULL);
    size_t i;
    (void)state;
    cases[8].def = pytree_def_child(cases[7].def, 0, NULL, &error);
    cases[9].def = pytree_def_child(cases[7].def, 1, NULL, &error);
    cases[10].def = pytree_def_child(cases[7].def, 2, NULL, &error);
    cases[11].def = pytree_def_child(shelf_def, 2, NULL, &error);
    assert_ok(error.status, &error);
    memset(name, 'X', 4);
    for (i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(pytree_def_kind(cases[i].def), cases[i].kind);
        assert_string_equal(pytree_def_type_name(cases[i].def), cases[i].name);
        assert_int_equal(pytree_def_is_leaf(cases[i].def), cases[i].kind == PYTREE_KIND_LEAF);
        pytree_def_free(cases[i].def);
    }
    pytree_def_free(shelf_def);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

/* The type's own name and its descriptor; what an owned tree is recorded under. */
static void owned_trees_have_the_same_treedef(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_error error = { 0 };
    pytree clone = pytree_clone(PYTREE(&model), NULL, &error);
    pytree_def *def;
    (void)state;
    assert_ok(error.status, &error);
    assert_same_def(PYTREE(&model), clone);
    def = def_of(clone, NULL);
    pytree_free(clone);
    assert_string_equal(pytree_def_type_name(def), "MLP");
    assert_defs(def, def_of(PYTREE(&model), NULL), true);
    mlp_clear(&model);
}

/* ---- Predicates -------------------------------------------------------------------------------------------------------- */

static bool stops_at_linear(void *context, const pytree_leaf *value, const pytree_path *path)
{
    size_t *asked = context;
    (void)path;
    ++*asked;
    return value->form == PYTREE_FORM_STRUCT && strcmp(value->type->name, "Linear") == 0;
}

static void structure_with_a_predicate(void **state)
{
    MLP model = mlp_make(2, true);
    size_t asked = 0;
    pytree_options opt = { .is_leaf = stops_at_linear, .is_leaf_context = &asked };
    (void)state;
    assert_def_text(PYTREE(&model), "PyTreeDef(CustomNode(MLP[(2,)], [[*, *], *, *]))", &opt);
    assert_true(asked >= 6);
    assert_def_text(PYTREE(model.head), "PyTreeDef(*)", &opt);
    mlp_clear(&model);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status make_structure(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *tree = context;
    pytree_def *def = pytree_structure(*tree, opt, err);
    assert_true((def == NULL) == (err->status != PYTREE_OK));
    pytree_def_free(def);
    return err->status;
}

static pytree_status make_copy(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_def *def = context;
    pytree_def *copy = pytree_def_copy(def, opt, err);
    assert_true((copy == NULL) == (err->status != PYTREE_OK));
    if (copy != NULL) {
        assert_true(pytree_def_equal(def, copy));
    }
    pytree_def_free(copy);
    return err->status;
}

static pytree_status make_child(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_def *def = context;
    pytree_def *child = pytree_def_child(def, -1, opt, err);
    assert_true((child == NULL) == (err->status != PYTREE_OK));
    pytree_def_free(child);
    return err->status;
}

static void sweeps(void **state)
{
    MLP model = mlp_make(2, true);
    Node *chain = chain_make(300);
    Shelf shelf = shelf_make();
    pytree flat_ones[3];
    pytree_def *def = def_of(PYTREE(&model), NULL);
    pytree deep = PYTREE(chain);
    int i;
    (void)state;
    flat_ones[0] = PYTREE(&model);
    flat_ones[1] = PYTREE(&shelf);
    flat_ones[2] = PYTREE_LIST(PYTREE(&model), PYTREE(&shelf));
    for (i = 0; i < 3; i++) {
        assert_int_equal(sweep_allocations(make_structure, &flat_ones[i]), 1);
    }
    assert_in_range(sweep_allocations(make_structure, &deep), 2, 40);
    assert_int_equal(sweep_allocations(make_copy, def), 1);
    assert_int_equal(sweep_allocations(make_child, def), 1);
    pytree_def_free(def);
    mlp_clear(&model);
    shelf_clear(&shelf);
    free(chain);
}

/* A struct that two files register has a descriptor in each. The pairs of the dicts come in different orders, which do not
 * count. */
static void descriptors_do_not_matter(void **state)
{
    Byte byte = { 1, 2.0f };
    pytree_type copy = *PYTREE_TYPE(Byte);
    pytree here = PYTREE(&byte), there = PYTREE(&byte), x = PYTREE(&byte.x);
    (void)state;
    there.type = &copy;
    assert_same_def(here, there);
    assert_same_def(PYTREE_DICT({ "a", here }, { "b", x }, { "c", x }), PYTREE_DICT({ "c", x }, { "b", x }, { "a", there }));
    assert_same_def(PYTREE_DICT({ "c", here }, { "b", x }, { "a", x }), PYTREE_DICT({ "a", x }, { "b", x }, { "c", there }));
    assert_other_def(PYTREE_LIST(here, x), PYTREE_LIST(x, there));
}

/* Hashes depend on all static values, also on one of a single byte. */
static void bytes_are_hashed(void **state)
{
    Byte one = { 1, 0.0f }, two = { 2, 0.0f };
    pytree_def *a = def_of(PYTREE(&one), NULL), *b = def_of(PYTREE(&two), NULL);
    (void)state;
    assert_true(pytree_def_hash(a) != pytree_def_hash(b));
    assert_defs(a, b, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_counts),
        cmocka_unit_test(padding_does_not_matter),
        cmocka_unit_test(addresses_of_strings_do_not_matter),
        cmocka_unit_test(leaves_do_not_matter),
        cmocka_unit_test(containers_of_both_kinds),
        cmocka_unit_test(a_treedef_outlives_its_tree),
        cmocka_unit_test(copies),
        cmocka_unit_test(counts),
        cmocka_unit_test(children),
        cmocka_unit_test(a_leaf_has_no_children),
        cmocka_unit_test(grandchildren),
        cmocka_unit_test(kinds_and_names),
        cmocka_unit_test(owned_trees_have_the_same_treedef),
        cmocka_unit_test(structure_with_a_predicate),
        cmocka_unit_test(descriptors_do_not_matter),
        cmocka_unit_test(bytes_are_hashed),
        cmocka_unit_test(sweeps)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
