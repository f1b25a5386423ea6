/* Flatten: leaves and structure of every kind of tree, and what the options change. */
#include "flatten_shared.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

/* The message has that text in it: "expected X, got Y" with both sides. */
#define assert_says(error, words) test_assert_says((error), (words), __FILE__, __LINE__)

/* ---- Leaves and structure ---------------------------------------------------------------------------------------------- */

static void leaves_into_the_callers_array(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_leaf leaves[8];
    pytree_error error = { 0 };
    size_t count = 99;
    (void)state;
    memset(leaves, 0x5A, sizeof leaves);
    assert_ok(pytree_leaves(PYTREE(&model), leaves, COUNT_OF(leaves), &count, NULL, &error), &error);
    assert_int_equal(count, 7);
    assert_true(leaves[0].data == model.layers[0].w);
    assert_true(leaves[0].type == PYTREE_TYPE(float));
    assert_int_equal(leaves[0].ndim, 2);
    assert_int_equal(leaves[0].form, PYTREE_FORM_LEAF);
    assert_int_equal(leaves[0].shape[0], 4);
    assert_int_equal(leaves[0].shape[1], 3);
    assert_true(leaves[1].data == model.layers[0].b);
    assert_int_equal(leaves[1].ndim, 1);
    assert_int_equal(leaves[1].shape[0], 3);
    assert_true(leaves[2].data == model.layers[1].w);
    assert_true(leaves[3].data == model.layers[1].b);
    assert_true(leaves[4].data == model.head->w);
    assert_true(leaves[5].data == model.head->b);
    assert_true(leaves[6].data == model.scale);
    assert_int_equal(leaves[6].ndim, 2);
    assert_int_equal(leaves[6].shape[0], 2);
    assert_int_equal(leaves[6].shape[1], 3);
    assert_int_equal(leaves[7].ndim, 0x5A5A5A5A);              /* no further than there are leaves */
    assert_ok(pytree_leaves(PYTREE(&model), leaves, 7, NULL, NULL, NULL), &error);
    assert_int_equal(pytree_num_leaves(PYTREE(&model), NULL, &error), 7);
    assert_ok(error.status, &error);
    mlp_clear(&model);
}

static void too_small_an_array_is_an_error_with_both_counts(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_leaf leaves[8], *given = leaves;
    pytree_def *def = NULL;
    size_t capacity, count;
    (void)state;
    for (capacity = 0; capacity < 7; capacity++) {
        pytree_error error = { 0 };
        char counts[40];
        memset(leaves, 0x5A, sizeof leaves);
        assert_error(pytree_leaves(PYTREE(&model), leaves, capacity, &count, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
        assert_int_equal(count, 7);
        snprintf(counts, sizeof counts, "%u leaves", (unsigned)capacity);
        assert_says(&error, counts);
        assert_says(&error, "got 7");
        assert_int_equal(leaves[capacity].ndim, 0x5A5A5A5A);   /* nothing behind what is the caller's */
        memset(&error, 0, sizeof error);
        memset(leaves, 0x5A, sizeof leaves);
        assert_error(pytree_flatten(PYTREE(&model), &given, capacity, &def, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
        assert_says(&error, counts);
        assert_says(&error, "got 7");
        assert_null(def);
        assert_true(given == leaves);
        assert_int_equal(leaves[0].ndim, 0x5A5A5A5A);
    }
    {
        pytree_error error = { 0 };
        assert_error(pytree_leaves(PYTREE(&model), NULL, 3, &count, NULL, &error), PYTREE_ARGUMENT, "", &error);
    }
    {
        pytree_error error = { 0 };
        assert_error(pytree_leaves(PYTREE(&model), NULL, 0, &count, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
        assert_int_equal(count, 7);
    }
    assert_int_equal(pytree_leaves(PYTREE(&model), leaves, 6, NULL, NULL, NULL), PYTREE_TOO_MANY_LEAVES);
    mlp_clear(&model);
}

static void flatten_gives_leaves_and_structure(void **state)
{
    Everything all = everything_make(true);
    pytree_leaf mine[EVERYTHING_LEAVES], *leaves = NULL, *given = mine;
    pytree_def *def = NULL, *other = NULL, *alone;
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    memset(mine, 0, sizeof mine);
    assert_ok(pytree_flatten(PYTREE(&all), &leaves, 0, &def, NULL, &error), &error);
    assert_non_null(leaves);
    assert_non_null(def);
    assert_ok(pytree_flatten(PYTREE(&all), &given, COUNT_OF(mine), &other, NULL, &error), &error);
    assert_true(given == mine);
    alone = pytree_structure(PYTREE(&all), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_leaves(def), EVERYTHING_LEAVES);
    assert_true(pytree_def_equal(def, other));
    assert_true(pytree_def_equal(def, alone));
    for (i = 0; i < EVERYTHING_LEAVES; i++) {
        int k;
        assert_true(leaves[i].data == mine[i].data);
        assert_true(leaves[i].type == mine[i].type);
        assert_int_equal(leaves[i].form, PYTREE_FORM_LEAF);
        assert_int_equal(mine[i].form, PYTREE_FORM_LEAF);
        assert_int_equal(leaves[i].ndim, mine[i].ndim);
        for (k = 0; k < mine[i].ndim; k++) {
            assert_int_equal(leaves[i].shape[k], mine[i].shape[k]);
        }
    }
    pytree_def_free(def);
    pytree_def_free(other);
    pytree_def_free(alone);
    everything_clear(&all);
}

static void missing_arguments(void **state)
{
    Point point = { 1.0f, 2.0f };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree nothing = { NULL, NULL };
    (void)state;
    {
        pytree_error error = { 0 };
        assert_error(pytree_flatten(PYTREE(&point), NULL, 0, &def, NULL, &error), PYTREE_ARGUMENT, "", &error);
    }
    {
        pytree_error error = { 0 };
        assert_error(pytree_flatten(PYTREE(&point), &leaves, 0, NULL, NULL, &error), PYTREE_ARGUMENT, "", &error);
    }
    assert_refused(nothing, PYTREE_ARGUMENT, "", "without a type");
}

static void the_first_error_stays(void **state)
{
    MLP model = { 0 };
    pytree_error error = { 0 };
    (void)state;
    model.n_layers = 1;
    assert_null(pytree_structure(PYTREE(&model), NULL, &error));
    assert_int_equal(error.status, PYTREE_NULL_POINTER);
    assert_string_equal(error.path, ".layers");
    {
        pytree nothing = { NULL, NULL };
        assert_int_equal(pytree_leaves(nothing, NULL, 0, NULL, NULL, &error), PYTREE_ARGUMENT);
    }
    assert_int_equal(error.status, PYTREE_NULL_POINTER);
    assert_string_equal(error.path, ".layers");
    model.n_layers = 0;                   /* and what goes well does not clear it */
    assert_int_equal(pytree_num_leaves(PYTREE(&model), NULL, &error), 1);
    assert_int_equal(error.status, PYTREE_NULL_POINTER);
}

/* ---- None -------------------------------------------------------------------------------------------------------------- */

static void none_is_a_node_or_a_leaf(void **state)
{
    Everything bare = everything_make(false);
    MLP model = mlp_make(1, false);
    pytree_leaf leaves[8];
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_def *without, *with;
    size_t n;
    (void)state;
    opt.none_is_leaf = true;
    assert_ok(pytree_leaves(PYTREE(&model), leaves, COUNT_OF(leaves), &n, &opt, &error), &error);
    assert_int_equal(n, 4);
    assert_int_equal(leaves[2].form, PYTREE_FORM_NONE);
    assert_null(leaves[2].data);
    assert_int_equal(leaves[2].ndim, 0);
    assert_int_equal(leaves[2].type->kind, PYTREE_KIND_NONE);
    assert_true(leaves[3].data == model.scale);
    assert_paths(PYTREE(&model), ".layers[0].w .layers[0].b .scale", NULL);
    assert_paths(PYTREE(&model), ".layers[0].w .layers[0].b .head .scale", &opt);
    without = pytree_structure(PYTREE(&model), NULL, &error);
    with = pytree_structure(PYTREE(&model), &opt, &error);
    assert_ok(error.status, &error);
    assert_false(without->none_is_leaf);
    assert_true(with->none_is_leaf);
    assert_int_equal(pytree_def_num_leaves(without), 3);
    assert_int_equal(pytree_def_num_leaves(with), 4);
    assert_int_equal(pytree_def_num_nodes(without), pytree_def_num_nodes(with));
    assert_false(pytree_def_equal(without, with));
    assert_def_text(PYTREE(&model), "PyTreeDef(CustomNode(MLP[(1,)], [[CustomNode(Linear[(4, 3)], [*, *])], None, *]))", NULL);
    assert_def_text(PYTREE(&model),
                    "PyTreeDef(CustomNode(MLP[(1,)], [[CustomNode(Linear[(4, 3)], [*, *])], *, *]), NoneIsLeaf)",
                    &opt);
    pytree_def_free(without);
    pytree_def_free(with);

    /* None in a struct whose other children are leaves: .note, .far and .bias */
    assert_int_equal(pytree_num_leaves(PYTREE(&bare), NULL, NULL), EVERYTHING_LEAVES - 4);
    assert_int_equal(pytree_num_leaves(PYTREE(&bare), &opt, NULL), EVERYTHING_LEAVES - 4 + 3);

    assert_int_equal(pytree_num_leaves(PYTREE_NONE, NULL, NULL), 0);
    assert_int_equal(pytree_num_leaves(PYTREE_NONE, &opt, NULL), 1);
    assert_def_text(PYTREE_NONE, "PyTreeDef(None)", NULL);
    assert_def_text(PYTREE_NONE, "PyTreeDef(*, NoneIsLeaf)", &opt);
    everything_clear(&bare);
    mlp_clear(&model);
}

typedef struct Notes {                    /* all children leaves or None */
    const char *first;
    float *array;
    int number;
    char *last;
} Notes;

#define PYTREE_STRUCT Notes
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, OPTIONAL) PYTREE_FIELD(DATA, array, ARRAY(2), OPTIONAL) PYTREE_FIELD(DATA, number)        \
    PYTREE_FIELD(DATA, last, OPTIONAL)
#include "pytree_registry.h"

/* Whatever is missing, leaves and structure agree, in a struct on its own and in a list of them, with each length of array. */
static void none_among_leaves(void **state)
{
    static const char *const texts[] = { "*, *, *, *", "None, *, *, *", "*, None, *, *", "None, None, *, *",
                                         "*, *, *, None", "None, *, *, None", "*, None, *, None", "None, None, *, None" };
    float array[2] = { 1.0f, 2.0f };
    char last[] = "last";
    unsigned missing, as_leaf;
    (void)state;
    for (missing = 0; missing < 8; missing++) {
        Notes notes = { NULL, NULL, 7, NULL };
        pytree both;
        char text[200];
        const char *inside = texts[missing];
        notes.first = (missing & 1) != 0 ? NULL : "first";
        notes.array = (missing & 2) != 0 ? NULL : array;
        notes.last = (missing & 4) != 0 ? NULL : last;
        both = PYTREE_TUPLE(PYTREE(&notes), PYTREE(&notes));
        snprintf(text, sizeof text, "PyTreeDef((CustomNode(Notes[()], [%s]), CustomNode(Notes[()], [%s])))", inside, inside);
        assert_def_text(both, text, NULL);
        for (as_leaf = 0; as_leaf < 2; as_leaf++) {
            pytree_options opt = { 0 };
            pytree_leaf leaves[9], *given = leaves;
            pytree_error error = { 0 };
            pytree_def *def;
            size_t n = 2 * (4 - (as_leaf != 0 ? 0 : (missing & 1) + (missing >> 1 & 1) + (missing >> 2))), k = 0, of, room;
            opt.none_is_leaf = as_leaf != 0;
            assert_int_equal(pytree_num_leaves(both, &opt, NULL), n);
            for (room = 0; room < n; room++) {
                memset(leaves, 0x5A, sizeof leaves);
                assert_int_equal(pytree_leaves(both, leaves, room, NULL, &opt, NULL), PYTREE_TOO_MANY_LEAVES);
                assert_int_equal(leaves[room].ndim, 0x5A5A5A5A);
            }
            assert_ok(pytree_flatten(both, &given, n, &def, &opt, &error), &error);
            assert_int_equal(pytree_def_num_leaves(def), n);
            assert_int_equal(pytree_def_num_nodes(def), 11);
            for (of = 0; of < 2; of++) {
                const void *expected[4];
                size_t i;
                expected[0] = notes.first == NULL ? NULL : &notes.first;
                expected[1] = notes.array;
                expected[2] = &notes.number;
                expected[3] = notes.last == NULL ? NULL : &notes.last;
                for (i = 0; i < 4; i++) {
                    if (expected[i] != NULL || opt.none_is_leaf) {
                        assert_true(leaves[k].data == expected[i]);
                        assert_int_equal(leaves[k].form, expected[i] == NULL ? PYTREE_FORM_NONE : PYTREE_FORM_LEAF);
                        k++;
                    }
                }
            }
            pytree_def_free(def);
        }
    }
}

/* ---- is_leaf ----------------------------------------------------------------------------------------------------------- */

/* Writes down what it is asked about, and says yes to values of one kind. */
typedef struct Predicate {
    char asked[2000];
    size_t length;
    unsigned yes;                         /* 1 << form for those that are leaves */
    const pytree_type *only;              /* if set: structs of this type */
} Predicate;

static void predicate_path(Predicate *p, const pytree_path *path)
{
    size_t i;
    p->length += (size_t)snprintf(p->asked + p->length, sizeof p->asked - p->length, "%s", p->length == 0 ? "" : " ");
    p->length += (size_t)snprintf(p->asked + p->length, sizeof p->asked - p->length, "$");
    for (i = 0; i < path->n; i++) {
        const pytree_entry *e = &path->entries[i];
        if (e->kind == PYTREE_ATTRIBUTE || e->kind == PYTREE_KEY) {
            p->length += (size_t)snprintf(p->asked + p->length, sizeof p->asked - p->length,
                                          e->kind == PYTREE_KEY ? "['%s']" : ".%s", e->name);
        } else {
            p->length += (size_t)snprintf(p->asked + p->length, sizeof p->asked - p->length, "[%lu]", (unsigned long)e->index);
        }
    }
    assert_true(p->length < sizeof p->asked);
}

static bool ask(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Predicate *p = context;
    predicate_path(p, path);
    return (p->yes >> value->form & 1) != 0 && (p->only == NULL || value->type == p->only);
}

static void is_leaf_is_asked_about_every_value(void **state)
{
    MLP model = mlp_make(1, false);
    Point point = { 1.0f, 2.0f };
    Predicate p = { { 0 }, 0, 0, NULL };
    pytree_options opt = { 0 };
    (void)state;
    opt.is_leaf = ask;
    opt.is_leaf_context = &p;
    assert_int_equal(pytree_num_leaves(PYTREE(&model), &opt, NULL), 3);
    assert_string_equal(p.asked, "$ $.layers $.layers[0] $.layers[0].w $.layers[0].b $.head $.scale");
    p.length = 0;
    assert_int_equal(pytree_num_leaves(PYTREE(&point.x), &opt, NULL), 1);
    assert_string_equal(p.asked, "$");
    p.length = 0;
    assert_int_equal(pytree_num_leaves(PYTREE_NONE, &opt, NULL), 0);
    assert_string_equal(p.asked, "$");
    p.length = 0;
    assert_int_equal(pytree_num_leaves(PYTREE_DICT({ "b", PYTREE_TUPLE(PYTREE_NONE) }, { "a", PYTREE(&point) },
                                                   { "c", PYTREE_LIST() }), &opt, NULL), 2);
    assert_string_equal(p.asked, "$ $['a'] $['a'].x $['a'].y $['b'] $['b'][0] $['c']");
    mlp_clear(&model);
}

static void is_leaf_makes_nodes_leaves(void **state)
{
    MLP model = mlp_make(2, true), bare = mlp_make(1, false);
    Predicate p = { { 0 }, 0, 1u << PYTREE_FORM_STRUCT, NULL };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf leaves[8];
    size_t n;
    (void)state;
    opt.is_leaf = ask;
    opt.is_leaf_context = &p;
    p.only = PYTREE_TYPE(Linear);
    assert_ok(pytree_leaves(PYTREE(&model), leaves, COUNT_OF(leaves), &n, &opt, &error), &error);
    assert_string_equal(p.asked, "$ $.layers $.layers[0] $.layers[1] $.head $.scale");
    assert_int_equal(n, 4);
    assert_int_equal(leaves[0].form, PYTREE_FORM_STRUCT);
    assert_true(leaves[0].type == PYTREE_TYPE(Linear));
    assert_true(leaves[0].data == &model.layers[0]);
    assert_false(pytree_is_leaf(&leaves[0]));
    assert_int_equal(pytree_num_leaves(pytree_of_view(&leaves[0]), NULL, NULL), 2);
    assert_true(leaves[1].data == &model.layers[1]);
    assert_true(leaves[2].data == model.head);
    assert_true(leaves[3].data == model.scale);
    assert_true(pytree_is_leaf(&leaves[3]));
    assert_def_text(PYTREE(&model), "PyTreeDef(CustomNode(MLP[(2,)], [[*, *], *, *]))", &opt);
    assert_paths(PYTREE(&model), ".layers[0] .layers[1] .head .scale", &opt);

    p.only = NULL;                        /* the root is a struct: it alone is asked about, and is the leaf */
    p.length = 0;
    assert_ok(pytree_leaves(PYTREE(&model), leaves, COUNT_OF(leaves), &n, &opt, &error), &error);
    assert_string_equal(p.asked, "$");
    assert_int_equal(n, 1);
    assert_true(leaves[0].data == &model);
    p.length = 0;
    assert_def_text(PYTREE(&model), "PyTreeDef(*)", &opt);

    p.yes = 1u << PYTREE_FORM_LIST;
    p.length = 0;
    assert_ok(pytree_leaves(PYTREE(&model), leaves, COUNT_OF(leaves), &n, &opt, &error), &error);
    assert_int_equal(n, 4);
    assert_int_equal(leaves[0].form, PYTREE_FORM_LIST);
    assert_int_equal(leaves[0].shape[0], 2);
    assert_true(leaves[0].data == model.layers);
    assert_int_equal(pytree_num_leaves(pytree_of_view(&leaves[0]), NULL, NULL), 4);

    p.yes = 1u << PYTREE_FORM_NONE;       /* None as a leaf, though none_is_leaf is not set */
    p.length = 0;
    assert_ok(pytree_leaves(PYTREE(&bare), leaves, COUNT_OF(leaves), &n, &opt, &error), &error);
    assert_int_equal(n, 4);
    assert_int_equal(leaves[2].form, PYTREE_FORM_NONE);
    p.length = 0;
    assert_def_text(PYTREE(&bare), "PyTreeDef(CustomNode(MLP[(1,)], [[CustomNode(Linear[(4, 3)], [*, *])], *, *]))", &opt);
    mlp_clear(&model);
    mlp_clear(&bare);
}

/* ---- Containers -------------------------------------------------------------------------------------------------------- */

static void containers_from_literals(void **state)
{
    Point point = { 1.0f, 2.0f };
    int a = 1, b = 2;
    pytree inner;
    (void)state;
    assert_def_text(PYTREE_LIST(), "PyTreeDef([])", NULL);
    assert_def_text(PYTREE_TUPLE(), "PyTreeDef(())", NULL);
    assert_def_text(PYTREE_DICT(), "PyTreeDef({})", NULL);
    assert_def_text(PYTREE_LIST(PYTREE(&a)), "PyTreeDef([*])", NULL);
    assert_def_text(PYTREE_TUPLE(PYTREE(&a)), "PyTreeDef((*,))", NULL);
    assert_def_text(PYTREE_TUPLE(PYTREE(&a), PYTREE_NONE), "PyTreeDef((*, None))", NULL);
    assert_def_text(PYTREE_DICT({ "b", PYTREE(&b) }, { "a", PYTREE(&a) }), "PyTreeDef({'a': *, 'b': *})", NULL);
    assert_paths(PYTREE_LIST(PYTREE(&a), PYTREE(&point), PYTREE_TUPLE(PYTREE(&b))), "[0] [1].x [1].y [2][0]", NULL);
    assert_paths(PYTREE_ODICT({ "b", PYTREE(&b) }, { "a", PYTREE(&a) }), "['b'] ['a']", NULL);
    assert_paths(PYTREE_NAMEDTUPLE("Pair", { "second", PYTREE(&b) }, { "first", PYTREE(&point) }), ".second .first.x .first.y",
                 NULL);
    inner = PYTREE_NAMEDTUPLE("T", { "x", PYTREE_LIST(PYTREE_DICT({ "z", PYTREE(&a) })) });
    assert_paths(PYTREE_DICT({ "k", PYTREE_ODICT({ "n", inner }) }), "['k']['n'].x[0]['z']", NULL);
    assert_int_equal(pytree_num_leaves(PYTREE_ODICT(), NULL, NULL), 0);
    assert_int_equal(pytree_num_leaves(PYTREE_NAMEDTUPLE("Empty"), NULL, NULL), 0);
}

/* Which containers have the same structure, and which have not. */
static void kinds_names_and_keys_are_structure(void **state)
{
    int a = 1, b = 2;
    pytree trees[13];
    pytree_def *defs[13];
    pytree_error error = { 0 };
    size_t i, k;
    (void)state;
    trees[0] = PYTREE_LIST(PYTREE(&a), PYTREE(&b));
    trees[1] = PYTREE_TUPLE(PYTREE(&a), PYTREE(&b));
    trees[2] = PYTREE_DICT({ "a", PYTREE(&a) }, { "b", PYTREE(&b) });
    trees[3] = PYTREE_DICT({ "a", PYTREE(&a) }, { "c", PYTREE(&b) });
    trees[4] = PYTREE_ODICT({ "a", PYTREE(&a) }, { "b", PYTREE(&b) });
    trees[5] = PYTREE_ODICT({ "b", PYTREE(&a) }, { "a", PYTREE(&b) });
    trees[6] = PYTREE_NAMEDTUPLE("P", { "a", PYTREE(&a) }, { "b", PYTREE(&b) });
    trees[7] = PYTREE_NAMEDTUPLE("Q", { "a", PYTREE(&a) }, { "b", PYTREE(&b) });
    trees[8] = PYTREE_NAMEDTUPLE("P", { "a", PYTREE(&a) }, { "c", PYTREE(&b) });
    trees[9] = PYTREE_LIST(PYTREE(&a));
    trees[10] = PYTREE_LIST();
    trees[11] = PYTREE_NONE;
    trees[12] = PYTREE(&a);
    for (i = 0; i < COUNT_OF(trees); i++) {
        defs[i] = pytree_structure(trees[i], NULL, &error);
        assert_ok(error.status, &error);
    }
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(trees); k++) {
            assert_true(pytree_def_equal(defs[i], defs[k]) == (i == k));
        }
    }
    for (i = 0; i < COUNT_OF(trees); i++) {
        pytree_def_free(defs[i]);
    }
}

static void dicts_are_visited_by_sorted_key(void **state)
{
    /* as bytes: digits, capitals, small letters, what is beyond ASCII */
    static const char *const keys[] = { "b", "", "a", "B", "\xC3\xA4", "aa", "10", "9", "a b", "_", "\xE4\xB8\xAD" };
    static const char *const sorted[] = { "", "10", "9", "B", "_", "a", "a b", "aa", "b", "\xC3\xA4", "\xE4\xB8\xAD" };
    pytree_pair pairs[COUNT_OF(keys)];
    int values[COUNT_OF(keys)];
    pytree_leaf children[COUNT_OF(keys)];
    pytree_entry entries[COUNT_OF(keys)];
    pytree_items items = { 0 };
    pytree tree;
    pytree_error error = { 0 };
    size_t i, n;
    (void)state;
    for (i = 0; i < COUNT_OF(keys); i++) {
        values[i] = (int)i;
        pairs[i].key = keys[i];
        pairs[i].value = PYTREE(&values[i]);
    }
    items.count = COUNT_OF(keys);
    items.pairs = pairs;
    tree.type = PYTREE_DICT().type;
    tree.data = &items;
    assert_ok(pytree_children(tree, children, entries, COUNT_OF(keys), &n, NULL, &error), &error);
    assert_int_equal(n, COUNT_OF(keys));
    for (i = 0; i < n; i++) {
        assert_int_equal(entries[i].kind, PYTREE_KEY);
        assert_string_equal(entries[i].name, sorted[i]);
        assert_string_equal(keys[*(const int *)children[i].data], sorted[i]);
    }
    for (i = 0; i < COUNT_OF(keys); i++) {
        assert_string_equal(pairs[i].key, keys[i]);            /* the dict itself stays as it is */
    }
}

/* Dicts of more keys than fit on the stack, and maps of stb_ds likewise. */
static void large_dicts(void **state)
{
    enum { KEYS = 300 };
    static pytree_pair pairs[KEYS];
    static double values[KEYS];
    static char names[KEYS][8];
    Shelf shelf = { 0 };
    pytree_items items = { 0 };
    pytree dict;
    pytree_leaf leaves[KEYS];
    pytree_error error = { 0 };
    size_t i, n;
    (void)state;
    for (i = 0; i < KEYS; i++) {
        size_t k = (i * 77) % KEYS;       /* every number once, in no order: 77 and 300 have no common factor */
        snprintf(names[i], sizeof names[i], "%04u", (unsigned)k);
        values[i] = (double)k;
        pairs[i].key = names[i];
        pairs[i].value = PYTREE(&values[i]);
        stbds_shput(shelf.prices, names[i], (double)k);
    }
    items.count = KEYS;
    items.pairs = pairs;
    dict.type = PYTREE_DICT().type;
    dict.data = &items;
    assert_ok(pytree_leaves(dict, leaves, KEYS, &n, NULL, &error), &error);
    assert_int_equal(n, KEYS);
    for (i = 0; i < KEYS; i++) {
        assert_true(*(const double *)leaves[i].data == (double)i);
    }
    assert_ok(pytree_leaves(PYTREE(&shelf), leaves, KEYS, &n, NULL, &error), &error);
    assert_int_equal(n, KEYS);
    for (i = 0; i < KEYS; i++) {
        assert_true(*(const double *)leaves[i].data == (double)i);
    }
    stbds_shfree(shelf.prices);
}

static void bad_containers(void **state)
{
    int a = 1, b = 2;
    pytree_items items = { 0 };
    pytree nothing = { NULL, NULL }, broken;
    (void)state;
    assert_refused(PYTREE_LIST(PYTREE(&a), PYTREE_DICT({ "k", PYTREE(&a) }, { "j", PYTREE(&b) }, { "k", PYTREE(&b) })),
                   PYTREE_ARGUMENT, "[1]", "'k' twice");
    assert_refused(PYTREE_LIST(PYTREE_IDICT({ 7, PYTREE(&a) }, { -2, PYTREE(&a) }, { 7, PYTREE(&b) })), PYTREE_ARGUMENT, "[0]",
                   "got 7 twice");
    assert_refused(PYTREE_LIST(PYTREE_IDICT({ 7, PYTREE(&a) }, { -2, PYTREE(&a) }, { -2, PYTREE(&b) })), PYTREE_ARGUMENT, "[0]",
                   "got -2 twice");
    assert_refused(PYTREE_LIST(PYTREE_DICT({ NULL, PYTREE(&a) })), PYTREE_NULL_POINTER, "[0]", "NULL");
    assert_refused(PYTREE_TUPLE(PYTREE(&a), nothing), PYTREE_NULL_POINTER, "[1]", "without a type");
    broken.type = PYTREE_LIST().type;
    broken.data = &items;
    items.count = 3;
    assert_refused(PYTREE_TUPLE(broken), PYTREE_NULL_POINTER, "[0]", "3");
    broken.data = NULL;
    assert_refused(PYTREE_TUPLE(broken), PYTREE_NULL_POINTER, "[0]", "NULL");
}

/* An order that the caller gives a dict: from [1] of a list, so that it has a path. */
static void orders_of_ones_own(void **state)
{
    enum { MANY = 5000 };                 /* more than are gone over without memory */
    static pytree_int_pair many[MANY];
    static uint32_t numbers[MANY];
    int values[3] = { 10, 11, 12 };
    uint32_t order[3] = { 2, 0, 1 };
    const pytree_pair pairs[3] = { { "b", PYTREE(&values[0]) }, { "c", PYTREE(&values[1]) }, { "a", PYTREE(&values[2]) } };
    pytree_items items = { .count = 3, .pairs = pairs, .order = order };
    pytree_items large = { .count = MANY, .int_pairs = many, .order = numbers };
    pytree dict = { PYTREE_DICT().type, &items }, odict = { PYTREE_ODICT().type, &items }, wide = { dict.type, &large };
    pytree_leaf leaves[3];
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { .allocator = &heap.allocator };
    size_t i;
    (void)state;
    assert_ok(pytree_leaves(dict, leaves, 3, NULL, NULL, &error), &error);
    assert_true(leaves[0].data == &values[2] && leaves[1].data == &values[0] && leaves[2].data == &values[1]);
    assert_def_text(dict, "PyTreeDef({'a': *, 'b': *, 'c': *})", NULL);
    order[1] = 3;
    assert_refused(PYTREE_LIST(PYTREE(&values[0]), dict), PYTREE_ARGUMENT, "[1]", "with each of 3 pairs once, got number 3");
    order[1] = UINT32_MAX;
    assert_refused(PYTREE_LIST(PYTREE(&values[0]), dict), PYTREE_ARGUMENT, "[1]", "4294967295");
    assert_def_text(odict, "PyTreeDef(CustomNode(OrderedDict[('b', 'c', 'a')], [*, *, *]))", NULL);          /* it has none */
    order[1] = 2;
    assert_refused(PYTREE_LIST(PYTREE(&values[0]), dict), PYTREE_ARGUMENT, "[1]", "number 2 twice");
    dict.type = PYTREE_DEFAULTDICT(NULL).type;
    assert_refused(PYTREE_LIST(PYTREE(&values[0]), dict), PYTREE_ARGUMENT, "[1]", "number 2 twice");
    for (i = 0; i < MANY; i++) {
        many[i].key = -(int64_t)i;
        many[i].value = PYTREE(&values[0]);
        numbers[i] = (uint32_t)(MANY - 1 - i);
    }
    assert_int_equal(pytree_num_leaves(wide, NULL, &error), MANY);
    heap_init(&heap, 0);
    assert_int_equal(pytree_num_leaves(wide, &opt, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NO_MEMORY, NULL, &error);
    heap_init(&heap, 1);
    assert_int_equal(pytree_num_leaves(wide, &opt, NULL), MANY);
    assert_heap_clean(&heap);
    numbers[MANY - 1] = 1;
    assert_refused(PYTREE_LIST(PYTREE(&values[0]), wide), PYTREE_ARGUMENT, "[1]", "number 1 twice");
}

/* Dicts whose pairs lie in another order, more of them than the first pass has room for. */
static void many_pairs_in_another_order(void **state)
{
    enum { N = 20 };
    static const char *const names[N] = { "t", "s", "r", "q", "p", "o", "n", "m", "l", "k", "j", "i", "h", "g", "f", "e", "d",
                                          "c", "b", "a" };
    int x[2 * N];
    pytree_pair inner[N], outer[N];
    pytree_items one = { 0 }, other = { 0 };
    pytree tree = { &pytree_types[PYTREE__T_dict], &other };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    size_t i, n;
    (void)state;
    for (i = 0; i < N; i++) {
        x[i] = (int)i;
        inner[i].key = outer[i].key = names[i];
        inner[i].value = outer[i].value = PYTREE(&x[i]);
    }
    for (n = 2; n <= N; n++) {            /* the smaller the inner one, the smaller the whole */
        one.count = n;
        one.pairs = inner;
        outer[0].value = (pytree){ &pytree_types[PYTREE__T_dict], &one };
        other.count = n > 12 ? 30 - n : n;
        other.pairs = outer;
        leaves = NULL;
        assert_ok(pytree_flatten(tree, &leaves, 0, &def, NULL, &error), &error);
        assert_int_equal(pytree_def_num_leaves(def), n + other.count - 1);
        assert_ptr_equal(leaves[0].data, &x[other.count - 1]);         /* the last key is the first one in order */
        made = pytree_unflatten(def, n + other.count - 1, leaves, NULL, &error);
        assert_ok(error.status, &error);
        assert_true(pytree_equal(made, tree, NULL, NULL, &error));
        pytree_free(made);
        pytree_def_free(def);
    }
}

/* None has no data, also where a node of a treedef says that it is there, behind values that had some. */
static void none_has_no_data(void **state)
{
    Point point = { 1, 2 };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE_NONE, PYTREE_NONE), NULL, &error);
    const pytree_flat flat = { def, NULL };
    pytree_options opt = { .none_is_leaf = true };
    pytree_leaf leaves[4];
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE_LIST(PYTREE(&point), PYTREE(&flat)), leaves, 4, &n, &opt, &error), &error);
    assert_int_equal(n, 4);
    assert_ptr_equal(leaves[1].data, &point.y);
    for (n = 2; n < 4; n++) {
        assert_int_equal(leaves[n].form, PYTREE_FORM_NONE);
        assert_null(leaves[n].data);
    }
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_into_the_callers_array),
        cmocka_unit_test(too_small_an_array_is_an_error_with_both_counts),
        cmocka_unit_test(flatten_gives_leaves_and_structure),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(none_is_a_node_or_a_leaf),
        cmocka_unit_test(none_among_leaves),
        cmocka_unit_test(is_leaf_is_asked_about_every_value),
        cmocka_unit_test(is_leaf_makes_nodes_leaves),
        cmocka_unit_test(containers_from_literals),
        cmocka_unit_test(kinds_names_and_keys_are_structure),
        cmocka_unit_test(dicts_are_visited_by_sorted_key),
        cmocka_unit_test(large_dicts),
        cmocka_unit_test(bad_containers),
        cmocka_unit_test(orders_of_ones_own),
        cmocka_unit_test(many_pairs_in_another_order),
        cmocka_unit_test(none_has_no_data)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
