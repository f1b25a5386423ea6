/* Flatten: leaves and structure of every kind of tree, what the options change, what is refused, and what it costs. */
#include "support.h"

#include <pthread.h>

/* ---- Helpers --------------------------------------------------------------------------------------------------------- */

/* The message has that text in it: "expected X, got Y" with both sides. */
#define assert_says(error, words) test_assert_says((error), (words), __FILE__, __LINE__)

static void test_assert_says(const pytree_error *error, const char *words, const char *file, int line)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(file, line);
    }
}

/* The key paths of the tree's leaves, one after another with a space between them. */
static void assert_paths(pytree tree, const char *expected, const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n, i, length = 0;
    const char **paths = pytree_paths(tree, NULL, &n, opt, &error);
    char text[2000];
    assert_ok(error.status, &error);
    assert_non_null(paths);
    text[0] = '\0';
    for (i = 0; i < n; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? "" : " ", paths[i]);
        assert_true(length < sizeof text);
    }
    pytree_paths_free(paths);
    assert_string_equal(text, expected);
}

/* Every way to flatten fails in the same way at the same place, and leaves nothing behind. */
#define assert_refused(tree, status, path, words) test_assert_refused((tree), (status), (path), (words), __LINE__)

static void test_assert_refused(pytree tree, pytree_status status, const char *path, const char *words, int line)
{
    pytree_leaf room[4], *leaves = NULL, *given = room;
    pytree_def *def = NULL;
    Heap heap;
    pytree_options opt = { 0 };
    size_t count, way;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    for (way = 0; way < 5; way++) {
        pytree_error error = { 0 };
        pytree_status got = PYTREE_OK;
        switch (way) {
        case 0: got = pytree_leaves(tree, NULL, 0, &count, &opt, &error); break;
        case 1: got = pytree_num_leaves(tree, &opt, &error) == SIZE_MAX ? error.status : PYTREE_OK; break;
        case 2: got = pytree_structure(tree, &opt, &error) == NULL ? error.status : PYTREE_OK; break;
        case 3:
            got = pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
            assert_null(leaves);
            assert_null(def);
            break;
        default:
            got = pytree_flatten(tree, &given, COUNT_OF(room), &def, &opt, &error);
            assert_true(given == room);
            assert_null(def);
        }
        test_assert_status(got, status, path, &error, __FILE__, line);
        test_assert_says(&error, words, __FILE__, line);
        assert_heap_clean(&heap);
    }
    assert_int_equal(pytree_num_leaves(tree, NULL, NULL), SIZE_MAX);           /* without an error object too */
    assert_null(pytree_structure(tree, NULL, NULL));
}

/* ---- Leaves and structure --------------------------------------------------------------------------------------------- */

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

/* ---- None ---------------------------------------------------------------------------------------------------------------- */

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

/* ---- is_leaf ------------------------------------------------------------------------------------------------------------- */

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

/* ---- Containers ---------------------------------------------------------------------------------------------------------- */

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

/* ---- Deep and large ------------------------------------------------------------------------------------------------------ */

/* What the thread of `chains_of_a_million` found. It cannot use cmocka's assertions itself. */
typedef struct Deep {
    size_t n, counted, leaves, nodes;
    pytree_error error;
    bool flattened, equal, hashed, in_place, rebuilt, cloned, copied;
} Deep;

static bool chain_is(const Node *node, size_t n, double offset)
{
    size_t i;
    for (i = 0; node != NULL; node = node->next, i++) {
        if (i == n || node->value != (double)i + offset) {
            return false;
        }
    }
    return i == n;
}

static void *walk_deep(void *context)
{
    Deep *deep = context;
    Node *chain = malloc(deep->n * sizeof *chain);
    double *values = malloc(deep->n * sizeof *values);
    pytree_leaf *leaves = malloc(deep->n * sizeof *leaves), *own = NULL;
    pytree_def *def, *other = NULL;
    pytree rebuilt = { NULL, NULL }, clone = { NULL, NULL };
    size_t i;
    for (i = 0; i < deep->n; i++) {
        chain[i].value = (double)i;
        chain[i].next = i + 1 < deep->n ? &chain[i + 1] : NULL;
    }
    deep->counted = pytree_num_leaves(PYTREE(chain), NULL, &deep->error);
    def = pytree_structure(PYTREE(chain), NULL, &deep->error);
    if (def != NULL && pytree_leaves(PYTREE(chain), leaves, deep->n, NULL, NULL, &deep->error) == PYTREE_OK) {
        deep->leaves = pytree_def_num_leaves(def);
        deep->nodes = pytree_def_num_nodes(def);
        deep->flattened = true;
        for (i = 0; i < deep->n; i++) {
            deep->flattened = deep->flattened && leaves[i].data == &chain[i].value;
            values[i] = (double)i + 0.5;
            leaves[i].data = &values[i];
        }
        if (pytree_flatten(PYTREE(chain), &own, 0, &other, NULL, &deep->error) == PYTREE_OK) {
            deep->flattened = deep->flattened && own[deep->n - 1].data == &chain[deep->n - 1].value;
            deep->equal = pytree_def_equal(def, other);
            deep->hashed = pytree_def_hash(def) == pytree_def_hash(other);
        }
        rebuilt = pytree_unflatten(def, deep->n, leaves, NULL, &deep->error);
        deep->rebuilt = rebuilt.data != NULL && chain_is(rebuilt.data, deep->n, 0.5);
        deep->in_place = pytree_unflatten_into(def, deep->n, leaves, PYTREE(chain), NULL, &deep->error) == PYTREE_OK
            && chain_is(chain, deep->n, 0.5);
        clone = pytree_zeros_like(PYTREE(chain), NULL, &deep->error);
        deep->copied = clone.data != NULL && pytree_copy_into(clone, rebuilt, NULL, &deep->error) == PYTREE_OK
            && chain_is(clone.data, deep->n, 0.5);
        pytree_free(clone);
        clone = pytree_clone(rebuilt, NULL, &deep->error);
        deep->cloned = clone.data != NULL && chain_is(clone.data, deep->n, 0.5);
    }
    pytree_free(clone);
    pytree_free(rebuilt);
    pytree_def_free(other);
    pytree_def_free(def);
    free(leaves);
    free(values);
    free(chain);
    return NULL;
}

/* A chain of a million nodes, on a stack of 256 KB: whatever recurses crashes here. */
static void a_chain_of_a_million_nodes(void **state)
{
    static Deep deep;
    pthread_t thread;
    pthread_attr_t attributes;
    (void)state;
    memset(&deep, 0, sizeof deep);
    deep.n = under_valgrind() ? 30000 : 1000000;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, walk_deep, &deep), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_ok(deep.error.status, &deep.error);
    assert_int_equal(deep.counted, deep.n);
    assert_int_equal(deep.leaves, deep.n);
    assert_int_equal(deep.nodes, 2 * deep.n + 1);              /* a struct and a leaf each, None at the end */
    assert_true(deep.flattened);
    assert_true(deep.equal);
    assert_true(deep.hashed);
    assert_true(deep.rebuilt);
    assert_true(deep.in_place);
    assert_true(deep.copied);
    assert_true(deep.cloned);
}

/* Lists in lists in lists, where no struct is. */
static void deeply_nested_lists(void **state)
{
    enum { DEPTH = 20000 };
    static pytree_items items[DEPTH];
    static pytree trees[DEPTH + 1];
    pytree_leaf leaf;
    pytree_error error = { 0 };
    pytree_def *def;
    int number = 1;
    size_t i, n;
    (void)state;
    trees[0] = PYTREE(&number);
    for (i = 0; i < DEPTH; i++) {
        items[i].count = 1;
        items[i].items = &trees[i];
        trees[i + 1].type = i % 2 == 0 ? PYTREE_LIST().type : PYTREE_TUPLE().type;
        trees[i + 1].data = &items[i];
    }
    assert_ok(pytree_leaves(trees[DEPTH], &leaf, 1, &n, NULL, &error), &error);
    assert_true(leaf.data == &number);
    def = pytree_structure(trees[DEPTH], NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_nodes(def), DEPTH + 1);
    assert_int_equal(pytree_def_num_leaves(def), 1);
    pytree_def_free(def);
}

typedef struct Series {
    size_t n;
    float *values;
} Series;

#define PYTREE_STRUCT Series
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, values, LIST(self->n))
#include "pytree_registry.h"

/* A list of ten million scalars is ten million leaves. */
static void a_list_of_ten_million_scalars(void **state)
{
    Series series;
    pytree_error error = { 0 };
    pytree_def *def;
    (void)state;
    series.n = under_valgrind() ? 20000 : 10000000;
    series.values = test_floats(series.n, 0.0f);
    assert_int_equal(pytree_num_leaves(PYTREE(&series), NULL, &error), series.n);
    def = pytree_structure(PYTREE(&series), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_leaves(def), series.n);
    assert_int_equal(pytree_def_num_nodes(def), series.n + 2);
    pytree_def_free(def);
    free(series.values);
}

/* ---- Cycles -------------------------------------------------------------------------------------------------------------- */

typedef struct Loop {                     /* nothing but the way on, in its first member */
    struct Loop *next;
} Loop;

#define PYTREE_STRUCT Loop
#define PYTREE_FIELDS PYTREE_FIELD(DATA, next)
#include "pytree_registry.h"

typedef struct Kids {
    size_t n;
    struct Kids *kids;
    float weight;
} Kids;

#define PYTREE_STRUCT Kids
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, kids, LIST(self->n)) PYTREE_FIELD(DATA, weight)
#include "pytree_registry.h"

/* The error's path is so many times `step`; where it was cut there is no telling. Returns how many. */
static size_t steps_of(const char *path, const char *step)
{
    size_t n = 0;
    for (; strncmp(path, step, strlen(step)) == 0; path += strlen(step)) {
        n++;
    }
    assert_true(path[0] == '\0' || strncmp(path, "...", 3) == 0);
    return n;
}

/* How far above the value is that it is the same as, according to the message. */
static unsigned long levels_above(const pytree_error *error)
{
    const char *at = strstr(error->message, "levels above");
    assert_non_null(at);
    assert_true(at - error->message > 12);
    for (at -= 2; at > error->message && at[-1] != ' '; at--) {}
    return strtoul(at, NULL, 10);
}

static void a_loop_through_the_first_member(void **state)
{
    Loop loop, pair[2];
    (void)state;
    loop.next = &loop;
    assert_refused(PYTREE(&loop), PYTREE_CYCLE, ".next", "Loop");
    pair[0].next = &pair[1];
    pair[1].next = &pair[0];
    assert_refused(PYTREE(&pair[0]), PYTREE_CYCLE, NULL, "Loop");
}

static void loops_of_every_length(void **state)
{
    enum { MOST = 70 };
    Node nodes[2 * MOST];
    size_t length, before, i;
    (void)state;
    for (length = 1; length <= MOST; length += length < 10 ? 1 : 20) {
        for (before = 0; before <= MOST; before += before < 10 ? 1 : 20) {     /* nodes that lead into the loop */
            pytree_error error = { 0 };
            pytree_def *def;
            size_t steps;
            for (i = 0; i < before + length; i++) {
                nodes[i].value = 0.0;
                nodes[i].next = &nodes[i + 1];
            }
            nodes[before + length - 1].next = &nodes[before];
            def = pytree_structure(PYTREE(nodes), NULL, &error);
            assert_null(def);
            assert_error(error.status, PYTREE_CYCLE, NULL, &error);
            steps = steps_of(error.path, ".next");
            assert_true(steps >= 1);
            assert_int_equal(levels_above(&error) % length, 0);
            assert_true(levels_above(&error) >= length);
        }
    }
}

static void other_cycles(void **state)
{
    Member member = { 0.5f, NULL };
    Team team = { 7, NULL };
    Kids kids = { 1, NULL, 1.0f }, pair[2] = { { 0, NULL, 1.0f }, { 0, NULL, 2.0f } };
    pytree self, list[1], through[2];
    pytree_items items = { 0 }, items_too = { 0 };
    pytree_leaf view = { 0 };
    (void)state;
    member.team = &team;
    team.lead = &member;
    assert_refused(PYTREE(&member), PYTREE_CYCLE, NULL, "above");
    assert_refused(PYTREE(&team), PYTREE_CYCLE, NULL, "above");

    kids.kids = &kids;
    assert_refused(PYTREE(&kids), PYTREE_CYCLE, NULL, "above");
    pair[0].n = 2;
    pair[0].kids = pair;
    assert_refused(PYTREE(&pair[0]), PYTREE_CYCLE, NULL, "above");

    self.type = PYTREE_TYPE(pytree);
    self.data = &self;
    assert_refused(PYTREE_LIST(self), PYTREE_CYCLE, "[0]", "itself");
    view.type = PYTREE_TYPE(pytree_leaf);
    view.data = &view;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_CYCLE, "[0]", "itself");

    items.count = 1;
    items.items = list;
    list[0].type = PYTREE_LIST().type;
    list[0].data = &items;
    assert_refused(list[0], PYTREE_CYCLE, NULL, "above");

    items_too.count = 1;                  /* a list that holds a dict that holds the list */
    items_too.pairs = &(const pytree_pair){ "k", { PYTREE_LIST().type, &items } };
    through[0].type = PYTREE_DICT().type;
    through[0].data = &items_too;
    items.items = through;
    assert_refused(through[0], PYTREE_CYCLE, NULL, "above");
}

/* The same value twice is no cycle; nor is a struct at the address of the one it begins. */
static void what_only_looks_like_a_cycle(void **state)
{
    Node shared = { 1.0, NULL }, first = { 0.0, NULL };
    Kids inner = { 0, NULL, 1.0f }, middle = { 1, NULL, 2.0f }, outer = { 1, NULL, 3.0f };
    pytree one, nested, hops[50];
    size_t i;
    int number = 0;
    (void)state;
    first.next = &shared;
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(PYTREE(&first), PYTREE(&shared), PYTREE(&first)), NULL, NULL), 5);
    middle.kids = &inner;
    outer.kids = &middle;
    assert_int_equal(pytree_num_leaves(PYTREE(&outer), NULL, NULL), 3);
    one = PYTREE(&number);
    nested = PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_TUPLE(one, one), one), one), one);
    assert_int_equal(pytree_num_leaves(nested, NULL, NULL), 5);
    for (i = 0; i < COUNT_OF(hops); i++) {             /* references to references are followed */
        hops[i] = one;
        one = PYTREE(&hops[i]);
        assert_int_equal(pytree_num_leaves(one, NULL, NULL), 1);
    }
}

typedef struct Core { float value; } Core;
#define PYTREE_STRUCT Core
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value)
#include "pytree_registry.h"

typedef struct Shell { Core core[1]; } Shell;
#define PYTREE_STRUCT Shell
#define PYTREE_FIELDS PYTREE_FIELD(DATA, core)
#include "pytree_registry.h"

typedef struct Husk { Shell shell; struct Husk *next; } Husk;
#define PYTREE_STRUCT Husk
#define PYTREE_FIELDS PYTREE_FIELD(DATA, shell) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

static void first_members_share_their_structs_address(void **state)
{
    Husk husks[3];
    (void)state;
    memset(husks, 0, sizeof husks);
    husks[0].next = &husks[1];
    husks[1].next = &husks[2];
    assert_paths(PYTREE(husks), ".shell.core[0].value .next.shell.core[0].value .next.next.shell.core[0].value", NULL);
}

/* ---- NULL, counts, sizes ------------------------------------------------------------------------------------------------- */

typedef struct Needs {
    Point *point;
    float *array;
    Point *list;
    const char *text;
    double *numbers;
} Needs;

#define PYTREE_STRUCT Needs
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, point) PYTREE_FIELD(DATA, array, ARRAY(2, 3)) PYTREE_FIELD(DATA, list, LIST(2))                  \
    PYTREE_FIELD(DATA, text) PYTREE_FIELD(DATA, numbers, LIST(1))
#include "pytree_registry.h"

static void null_where_data_is_required(void **state)
{
    Point points[2] = { { 1.0f, 2.0f }, { 3.0f, 4.0f } };
    float array[6] = { 0 };
    double numbers[1] = { 1.0 };
    Needs needs, whole;
    const char *missing = NULL;
    pytree root = { NULL, NULL };
    pytree_leaf view = { 0 };
    pytree_flat flat = { NULL, NULL };
    (void)state;
    whole.point = points;
    whole.array = array;
    whole.list = points;
    whole.text = "text";
    whole.numbers = numbers;
    assert_int_equal(pytree_num_leaves(PYTREE(&whole), NULL, NULL), 9);
    needs = whole, needs.point = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".point", "expected a Point, got NULL");
    needs = whole, needs.array = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".array", "expected 6 elements of float, got NULL");
    needs = whole, needs.list = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".list", "expected a list of 2 Point, got NULL");
    needs = whole, needs.text = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".text", "expected a string, got NULL");
    needs = whole, needs.numbers = NULL;
    assert_refused(PYTREE_LIST(PYTREE(&whole), PYTREE(&needs)), PYTREE_NULL_POINTER, "[1].numbers", "got NULL");
    assert_refused(PYTREE(&missing), PYTREE_NULL_POINTER, "", "got NULL");
    root.type = PYTREE_TYPE(Needs);
    assert_refused(root, PYTREE_NULL_POINTER, "", "expected a Needs, got NULL");
    root.type = PYTREE_TYPE(double);
    assert_refused(root, PYTREE_NULL_POINTER, "", "got NULL");
    view.type = PYTREE_TYPE(float);
    view.ndim = 1;
    view.shape[0] = 3;
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_NULL_POINTER, "[0]", "expected 3 elements of float, got NULL");
    assert_refused(PYTREE_TUPLE(PYTREE(&flat)), PYTREE_NULL_POINTER, "[0]", "got NULL");
}

static void views_that_are_none(void **state)
{
    float data[1] = { 0 };
    pytree_leaf view = { 0 };
    (void)state;
    view.data = data;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "no type");
    view.type = PYTREE_TYPE(float);
    view.ndim = PYTREE_MAX_DIMS + 1;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "dimensions");
    view.ndim = -1;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "-1");
}

typedef struct Sized {
    long long rows, columns, count;
    signed char small;
    float *grid;
    Point *list;
    double *numbers;
    short *few;
} Sized;

#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, rows) PYTREE_FIELD(STATIC, columns) PYTREE_FIELD(STATIC, count) PYTREE_FIELD(STATIC, small)    \
    PYTREE_FIELD(DATA, grid, ARRAY(self->rows, self->columns)) PYTREE_FIELD(DATA, list, LIST(self->count))              \
    PYTREE_FIELD(DATA, numbers, LIST(self->count)) PYTREE_FIELD(DATA, few, ARRAY(self->small))
#include "pytree_registry.h"

static void bad_counts_and_sizes(void **state)
{
    static float room[4];
    static Point points[1];
    static double numbers[1];
    static short few[1];
    Sized good, bad;
    (void)state;
    memset(&good, 0, sizeof good);
    good.rows = good.columns = 2;
    good.count = 1;
    good.small = 1;
    good.grid = room;
    good.list = points;
    good.numbers = numbers;
    good.few = few;
    assert_int_equal(pytree_num_leaves(PYTREE(&good), NULL, NULL), 1 + 2 + 1 + 1);
    bad = good, bad.rows = -1;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "got -1");
    bad = good, bad.columns = LLONG_MIN;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "dimension 1");
    bad = good, bad.rows = 0, bad.columns = -7;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "got -7");
    bad = good, bad.count = -5;
    assert_refused(PYTREE_LIST(PYTREE(&good), PYTREE(&bad)), PYTREE_BAD_COUNT, "[1].list", "got -5");
    bad = good, bad.count = LLONG_MAX;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".list", "got 9223372036854775807");
    bad = good, bad.small = -128;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".few", "got -128");
    bad = good, bad.rows = bad.columns = 1LL << 40;
    assert_refused(PYTREE(&bad), PYTREE_OVERFLOW, ".grid", "1099511627776 x 1099511627776");
    bad = good, bad.rows = LLONG_MAX / 2;          /* as elements they are few enough, as bytes they are not */
    bad.columns = 1;
    assert_refused(PYTREE(&bad), PYTREE_OVERFLOW, ".grid", "of 4 bytes");
    bad = good, bad.rows = LLONG_MAX / 8, bad.columns = 5;
    assert_refused(PYTREE(&bad), PYTREE_OVERFLOW, ".grid", "x 5");
    bad = good, bad.rows = -1, bad.grid = NULL;    /* a bad count is one with NULL too */
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "got -1");
}

/* Extents that overflow although one of them is zero, views of absurd shapes. */
static void absurd_views(void **state)
{
    static float room[1];
    pytree_leaf view = { 0 };
    int i;
    (void)state;
    view.data = room;
    view.type = PYTREE_TYPE(float);
    view.ndim = PYTREE_MAX_DIMS;
    for (i = 0; i < PYTREE_MAX_DIMS; i++) {
        view.shape[i] = 1000000;
    }
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_OVERFLOW, "[0]", "1000000 x 1000000");
    view.ndim = 1;
    view.shape[0] = SIZE_MAX;
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_BAD_COUNT, "[0]", "got -1");
}

static void nothing_needs_no_memory(void **state)
{
    Sized none;
    pytree_leaf leaves[3];
    pytree_error error = { 0 };
    size_t n;
    (void)state;
    memset(&none, 0, sizeof none);
    assert_ok(pytree_leaves(PYTREE(&none), leaves, 3, &n, NULL, &error), &error);
    assert_int_equal(n, 2);
    assert_null(leaves[0].data);
    assert_int_equal(leaves[0].ndim, 2);
    assert_int_equal(leaves[0].shape[0], 0);
    assert_int_equal(leaves[0].shape[1], 0);
    assert_null(leaves[1].data);
    assert_int_equal(pytree_leaf_bytes(&leaves[1]), 0);
    none.columns = 5;
    assert_def_text(PYTREE(&none), "PyTreeDef(CustomNode(Sized[(0, 5, 0, 0)], [*, [], [], *]))", NULL);
}

/* ---- Trees held as treedef and leaves ------------------------------------------------------------------------------------ */

static void a_flat_tree_is_a_tree_like_any_other(void **state)
{
    MLP model = mlp_make(2, false);
    int masks[5] = { 1, 2, 3, 4, 5 };
    pytree_leaf views[5], leaves[5];
    pytree_flat flat = { NULL, NULL };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, &error), *again;
    size_t i, n;
    (void)state;
    assert_ok(error.status, &error);
    memset(views, 0, sizeof views);
    for (i = 0; i < 5; i++) {
        views[i].data = &masks[i];
        views[i].type = PYTREE_TYPE(int);
    }
    flat.def = def;
    flat.leaves = views;
    assert_ok(pytree_leaves(PYTREE(&flat), leaves, 5, &n, NULL, &error), &error);
    assert_int_equal(n, 5);
    for (i = 0; i < 5; i++) {
        assert_true(leaves[i].data == &masks[i]);
    }
    again = pytree_structure(PYTREE(&flat), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, again));
    assert_paths(PYTREE(&flat), ".layers[0].w .layers[0].b .layers[1].w .layers[1].b .scale", NULL);
    pytree_def_free(again);
    pytree_def_free(def);

    /* containers with their keys, and None */
    {
        pytree tree = PYTREE_DICT({ "b", PYTREE_NONE },
                                  { "a", PYTREE_ODICT({ "z", PYTREE(&masks[0]) }, { "y", PYTREE_TUPLE(PYTREE(&masks[1])) }) },
                                  { "c", PYTREE_NAMEDTUPLE("N", { "n", PYTREE(&masks[2]) }) });
        def = pytree_structure(tree, NULL, &error);
        assert_ok(error.status, &error);
        flat.def = def;
        again = pytree_structure(PYTREE(&flat), NULL, &error);
        assert_ok(error.status, &error);
        assert_true(pytree_def_equal(def, again));
        assert_paths(PYTREE(&flat), "['a']['z'] ['a']['y'][0] ['c'].n", NULL);
        pytree_def_free(again);
        pytree_def_free(def);
    }
    mlp_clear(&model);
}

/* ---- Allocations --------------------------------------------------------------------------------------------------------- */

static void how_many_allocations_are_made(void **state)
{
    Everything all = everything_make(true);
    MLP model = mlp_make(3, true);
    Shelf shelf = shelf_make();
    Node *chain = chain_make(23);
    pytree trees[4];
    pytree_leaf room[EVERYTHING_LEAVES], *given = room;
    size_t i;
    (void)state;
    trees[0] = PYTREE(&all);
    trees[1] = PYTREE(&model);
    trees[2] = PYTREE(&shelf);
    trees[3] = PYTREE(chain);             /* 24 levels need none */
    for (i = 0; i < COUNT_OF(trees); i++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_ok(pytree_leaves(trees[i], room, COUNT_OF(room), NULL, &opt, &error), &error);
        assert_true(pytree_num_leaves(trees[i], &opt, &error) > 0);
        assert_int_equal(heap.calls, 0);
        def = pytree_structure(trees[i], &opt, &error);
        assert_ok(error.status, &error);
        assert_int_equal(heap.calls, 1);
        assert_int_equal(heap.blocks, 1);
        pytree_def_free(def);
        assert_ok(pytree_flatten(trees[i], &leaves, 0, &def, &opt, &error), &error);
        assert_int_equal(heap.calls, 2);
        pytree_def_free(def);
        assert_ok(pytree_flatten(trees[i], &given, COUNT_OF(room), &def, &opt, &error), &error);
        assert_int_equal(heap.calls, 3);
        pytree_def_free(def);
        assert_heap_clean(&heap);
    }
    free(chain);
    shelf_clear(&shelf);
    mlp_clear(&model);
    everything_clear(&all);
}

static pytree_status make_structure(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def = pytree_structure(*(const pytree *)context, opt, err);
    assert_true((def == NULL) == (err->status != PYTREE_OK));
    pytree_def_free(def);
    return err->status;
}

static pytree_status make_both(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_status status = pytree_flatten(*(const pytree *)context, &leaves, 0, &def, opt, err);
    assert_true((def == NULL) == (status != PYTREE_OK));
    assert_true((leaves == NULL) == (status != PYTREE_OK));
    pytree_def_free(def);
    return status;
}

static pytree_status make_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf room[500];
    return pytree_leaves(*(const pytree *)context, room, COUNT_OF(room), NULL, opt, err);
}

static pytree_status count_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    return pytree_num_leaves(*(const pytree *)context, opt, err) == SIZE_MAX ? err->status : PYTREE_OK;
}

static bool never(void *context, const pytree_leaf *value, const pytree_path *path)
{
    size_t *deepest = context;
    (void)value;
    if (path->n > *deepest) {
        *deepest = path->n;
    }
    return false;
}

/* Deep, wide, keyed: what makes the walker borrow memory. */
static void out_of_memory_at_every_allocation(void **state)
{
    enum { WIDE = 100 };
    static pytree_pair pairs[WIDE];
    static char names[WIDE][8];
    static pytree_items items;
    Node *chain = chain_make(200), *shorter = chain_make(75);
    MLP model = mlp_make(3, true);
    double number = 1.0;
    pytree trees[4], asked[2];
    size_t i, deepest = 0;
    pytree_options asking = { 0 };
    (void)state;
    for (i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof names[i], "%u", (unsigned)(WIDE - i));
        pairs[i].key = names[i];
        pairs[i].value = PYTREE(&number);
    }
    items.count = WIDE;
    items.pairs = pairs;
    trees[0] = PYTREE(&model);
    trees[1] = PYTREE(chain);
    trees[2].type = PYTREE_DICT().type;
    trees[2].data = &items;
    trees[3] = PYTREE_LIST(trees[2], trees[1], PYTREE_TUPLE(trees[2]), trees[0]);
    for (i = 0; i < COUNT_OF(trees); i++) {
        assert_true(sweep_allocations(make_structure, &trees[i]) >= 1);
        assert_true(sweep_allocations(make_both, &trees[i]) >= 1);
        assert_true((sweep_allocations(make_leaves, &trees[i]) > 0) == (i > 0));
        assert_true((sweep_allocations(count_leaves, &trees[i]) > 0) == (i > 0));
    }
    assert_int_equal(sweep_allocations(make_structure, &trees[0]), 1);
    asking.is_leaf = never;               /* the path that it gets takes memory when it is long */
    asking.is_leaf_context = &deepest;
    asked[0] = PYTREE(shorter);
    asked[1] = PYTREE_LIST(trees[2], asked[0], trees[0]);
    assert_true(sweep_allocations_with(&asking, make_structure, &asked[0]) > 1);
    assert_int_equal(deepest, 75);
    assert_true(sweep_allocations_with(&asking, make_leaves, &asked[1]) > 1);
    assert_int_equal(deepest, 76);
    free(shorter);
    free(chain);
    mlp_clear(&model);
}

static bool no_leaf(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

/* A tree of containers that the library made is flattened in one run; with a predicate that never says yes it goes the long
 * way. Both must give the same, also where somebody has changed the containers since. */
static void assert_flattens_as_the_long_way(pytree tree)
{
    const pytree_options slow = { .is_leaf = no_leaf };
    pytree_leaf *leaves[2] = { NULL, NULL };
    pytree_def *defs[2];
    pytree_error errors[2] = { { 0 }, { 0 } };
    size_t i;
    for (i = 0; i < 2; i++) {
        pytree_flatten(tree, &leaves[i], 0, &defs[i], i == 0 ? NULL : &slow, &errors[i]);
    }
    assert_int_equal(errors[0].status, errors[1].status);
    assert_string_equal(errors[0].path, errors[1].path);
    if (errors[0].status != PYTREE_OK) {
        assert_null(defs[0]);
        return;
    }
    assert_true(pytree_def_equal(defs[0], defs[1]));
    assert_int_equal(defs[0]->n_orders, defs[1]->n_orders);
    if (defs[0]->n_orders != 0) {
        assert_memory_equal(defs[0]->orders, defs[1]->orders, defs[0]->n_orders * sizeof *defs[0]->orders);
    }
    for (i = 0; i < defs[0]->n_leaves; i++) {
        assert_ptr_equal(leaves[0][i].data, leaves[1][i].data);
        assert_ptr_equal(leaves[0][i].type, leaves[1][i].type);
        assert_int_equal(leaves[0][i].ndim, leaves[1][i].ndim);
        assert_int_equal(leaves[0][i].form, leaves[1][i].form);
    }
    pytree_def_free(defs[0]);
    pytree_def_free(defs[1]);
}

static void made_containers_in_one_run(void **state)
{
    float x[6] = { 0 };
    pytree deep = PYTREE_NONE, tree, made;
    pytree_items levels[40];
    pytree items[40][1];
    pytree_error error = { 0 };
    pytree *list;
    pytree_pair *pairs;
    pytree kept;
    size_t i;
    (void)state;
    memset(levels, 0, sizeof levels);
    for (i = 0; i < 40; i++) {            /* deeper than the quick way goes */
        items[i][0] = deep;
        levels[i].count = 1;
        levels[i].items = items[i];
        deep.type = PYTREE_TUPLE().type;
        deep.data = &levels[i];
    }
    tree = PYTREE_DICT({ "z", PYTREE_ARRAY(x, 2, 3) }, { "b", PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE, PYTREE_TUPLE()) },
                       { "a", PYTREE_IDICT({ 3, PYTREE_FLOAT(1.5) }, { -3, PYTREE_DICT() }, { 1, PYTREE_ARRAY(x, 1) }) });
    assert_flattens_as_the_long_way(tree);
    made = pytree_clone(tree, NULL, &error);
    assert_ok(error.status, &error);
    assert_flattens_as_the_long_way(made);
    assert_def_text(made, "PyTreeDef({'a': {-3: {}, 1: *, 3: *}, 'b': [*, None, ()], 'z': *})", NULL);
    assert_int_equal(sweep_allocations(make_both, &made), 1);

    /* changed behind the library's back: more, fewer and other nodes, broken ones */
    pairs = (pytree_pair *)(uintptr_t)((const pytree_items *)made.data)->pairs;
    list = (pytree *)(uintptr_t)((const pytree_items *)pairs[1].value.data)->items;
    kept = list[0];
    list[0] = pairs[2].value;
    assert_flattens_as_the_long_way(made);
    list[0] = PYTREE_NONE;
    assert_flattens_as_the_long_way(made);
    list[0] = PYTREE_STR("text");
    assert_flattens_as_the_long_way(made);
    list[0] = PYTREE_ODICT({ "k", PYTREE_INT(1) });
    assert_flattens_as_the_long_way(made);
    list[0].data = NULL;
    assert_flattens_as_the_long_way(made);
    list[0].type = NULL;
    assert_flattens_as_the_long_way(made);
    list[0].type = PYTREE_ARRAY(x, 2).type;
    assert_flattens_as_the_long_way(made);
    list[0] = kept;
    list[1] = kept;
    assert_flattens_as_the_long_way(made);
    list[1] = PYTREE_NONE;
    ((pytree_leaf *)pairs[0].value.data)->shape[0] = SIZE_MAX;
    assert_flattens_as_the_long_way(made);
    ((pytree_leaf *)pairs[0].value.data)->shape[0] = 2;
    assert_flattens_as_the_long_way(made);
    pytree_free(made);

    made = pytree_clone(PYTREE_LIST(deep, PYTREE_STR("text"), deep), NULL, &error);
    assert_ok(error.status, &error);
    assert_flattens_as_the_long_way(made);
    pytree_free(made);
    made = pytree_clone(deep, NULL, &error);
    assert_ok(error.status, &error);
    assert_flattens_as_the_long_way(made);
    pytree_free(made);
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
        cmocka_unit_test(a_chain_of_a_million_nodes),
        cmocka_unit_test(deeply_nested_lists),
        cmocka_unit_test(a_list_of_ten_million_scalars),
        cmocka_unit_test(a_loop_through_the_first_member),
        cmocka_unit_test(loops_of_every_length),
        cmocka_unit_test(other_cycles),
        cmocka_unit_test(what_only_looks_like_a_cycle),
        cmocka_unit_test(first_members_share_their_structs_address),
        cmocka_unit_test(null_where_data_is_required),
        cmocka_unit_test(views_that_are_none),
        cmocka_unit_test(bad_counts_and_sizes),
        cmocka_unit_test(absurd_views),
        cmocka_unit_test(nothing_needs_no_memory),
        cmocka_unit_test(a_flat_tree_is_a_tree_like_any_other),
        cmocka_unit_test(how_many_allocations_are_made),
        cmocka_unit_test(made_containers_in_one_run),
        cmocka_unit_test(out_of_memory_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
