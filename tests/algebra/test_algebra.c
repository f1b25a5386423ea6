/* Prefixes: pytree_broadcast_prefix, _broadcast_leaves, _flatten_up_to. */
#include "algebra_shared.h"

static const pytree_options nones_are_leaves = { .none_is_leaf = true };

/* ---- A custom node, and a struct that a namespace sees otherwise ------------------------------------------------------- */

typedef struct Box {
    size_t n;
    int64_t numbers[3];
    char label;
} Box;

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Box *box = self;
    size_t i;
    (void)keys;
    for (i = 0; children != NULL && i < box->n; i++) { children[i] = PYTREE(&box->numbers[i]); }
    return box->n;
}

static size_t box_metadata(const void *self, void *to)
{
    if (to != NULL) { memcpy(to, &((const Box *)self)->label, 1); }
    return 1;
}

static size_t box_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    (void)bytes;
    return (size_t)snprintf(text, n, "%c", *(const char *)metadata);
}

static const pytree_custom box_callbacks = { .children = box_children, .metadata = box_metadata, .print = box_print };

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef struct Both { pytree left, right; } Both;

#define PYTREE_STRUCT Both
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, right)
#include "pytree_registry.h"

#define PYTREE_NAMESPACE right_only
#define PYTREE_STRUCT Both
#define PYTREE_FIELDS PYTREE_FIELD(DROP, left) PYTREE_FIELD(DATA, right)
#include "pytree_registry.h"

typedef struct Sparse { float *some; float always; float *other; } Sparse;

#define PYTREE_STRUCT Sparse
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, some, OPTIONAL, ARRAY(2)) PYTREE_FIELD(DATA, always) PYTREE_FIELD(DATA, other, OPTIONAL, ARRAY(2))
#include "pytree_registry.h"

/* ---- Broadcast --------------------------------------------------------------------------------------------------------- */

static void a_prefix_is_spread_over_a_struct(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_error error = { 0 };
    pytree_def *full = structure(PYTREE(&model), NULL), *same;
    pytree_leaf leaves[8];
    pytree_flat flat = pytree_broadcast_prefix(PYTREE_INT(7), full, NULL, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(flat.def, full));
    assert_int_equal(flat.def->n_leaves, 7);
    ASSERT_NUMBERS(flat.leaves, 7, 7, 7, 7, 7, 7, 7);
    same = structure(PYTREE(&flat), NULL);
    assert_true(pytree_def_equal(same, full));                 /* a tree like any other */
    pytree_def_free(same);

    /* its own leaves, by the way for equal structures */
    assert_ok(pytree_broadcast_leaves(PYTREE(&model), full, leaves, COUNT_OF(leaves), NULL, NULL, &error), &error);
    assert_ptr_equal(leaves[0].data, model.layers[0].w);
    assert_ptr_equal(leaves[5].data, model.head->b);
    assert_ptr_equal(leaves[6].data, model.scale);
    assert_int_equal(leaves[6].shape[1], 3);

    /* a flat as a prefix of what it came from */
    assert_ok(pytree_broadcast_leaves(PYTREE(&flat), full, leaves, COUNT_OF(leaves), NULL, NULL, &error), &error);
    ASSERT_NUMBERS(leaves, 7, 7, 7, 7, 7, 7, 7);
    pytree_flat_free(&flat);
    assert_null(flat.def);
    pytree_flat_free(&flat);
    pytree_flat_free(NULL);
    pytree_def_free(full);
    mlp_clear(&model);
}

static void leaves_stand_for_subtrees(void **state)
{
    pytree_error error = { 0 };
    float x[6] = { 0 };
    pytree full_tree = PYTREE_TUPLE(PYTREE_ARRAY(x, 6), PYTREE_DICT({ "b", PYTREE_INT(1) },
                                                                    { "a", PYTREE_LIST(PYTREE_INT(2), PYTREE_INT(3)) }),
                                    PYTREE_LIST(), PYTREE_NONE);
    pytree_def *full = structure(full_tree, NULL);
    pytree_leaf leaves[4];
    (void)state;
    assert_ok(pytree_broadcast_leaves(PYTREE_TUPLE(PYTREE_INT(10), PYTREE_DICT({ "b", PYTREE_INT(20) },
                                                                               { "a", PYTREE_INT(30) }),
                                                   PYTREE_INT(40), PYTREE_NONE),
                                      full, leaves, 4, NULL, NULL, &error), &error);
    ASSERT_NUMBERS(leaves, 10, 30, 30, 20);                    /* 40 stands for nothing */
    assert_ok(pytree_broadcast_leaves(PYTREE_TUPLE(PYTREE_INT(10), PYTREE_INT(20), PYTREE_LIST(), PYTREE_INT(50)), full, leaves,
                                      4, NULL,
                                      NULL, &error), &error);
    ASSERT_NUMBERS(leaves, 10, 20, 20, 20);
    pytree_def_free(full);
}

static void axes_have_none_as_an_entry(void **state)
{
    pytree_error error = { 0 };
    pytree argument = PYTREE_TUPLE(PYTREE_INT(1), PYTREE_DICT({ "k1", PYTREE_INT(2) }, { "k2", PYTREE_INT(3) }), PYTREE_NONE);
    pytree_def *full = structure(argument, NULL);
    pytree_leaf axes[3];
    (void)state;
    assert_int_equal(full->n_leaves, 3);
    assert_ok(pytree_broadcast_leaves(PYTREE_TUPLE(PYTREE_NONE, PYTREE_DICT({ "k1", PYTREE_NONE }, { "k2", PYTREE_INT(0) }),
                                                   PYTREE_NONE),
                                      full, axes, 3, "in_axes", &nones_are_leaves, &error), &error);
    ASSERT_NUMBERS(axes, -1, -1, 0);
    assert_ok(pytree_broadcast_leaves(PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0), PYTREE_INT(5)), full, axes, 3, "in_axes",
                                      &nones_are_leaves, &error), &error);
    ASSERT_NUMBERS(axes, -1, 0, 0);
    assert_ok(pytree_broadcast_leaves(PYTREE_INT(0), full, axes, 3, "in_axes", &nones_are_leaves, &error), &error);
    ASSERT_NUMBERS(axes, 0, 0, 0);
    assert_ok(pytree_broadcast_leaves(PYTREE_NONE, full, axes, 3, "in_axes", &nones_are_leaves, &error), &error);
    ASSERT_NUMBERS(axes, -1, -1, -1);

    /* where None is a node it can stand for None alone */
    assert_error(pytree_broadcast_leaves(PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0), PYTREE_NONE), full, axes, 3, "in_axes", NULL,
                                         &error),
                 PYTREE_STRUCTURE, "[0]", &error);
    assert_string_equal(error.message, "in_axes: different types: expected None, got leaf");
    ASSERT_NUMBERS(axes, -1, -1, -1);                          /* left alone */
    pytree_def_free(full);
}

static void axes_for_a_struct(void **state)
{
    MLP model = mlp_make(1, false);
    pytree_error error = { 0 };
    pytree_def *full = structure(PYTREE(&model), NULL);
    pytree_leaf axes[3];
    pytree_flat flat;
    (void)state;
    /* a tree of axes for a struct: its own structure, with numbers in the leaves' places */
    flat = pytree_broadcast_prefix(PYTREE_NONE, full, "in_axes", &nones_are_leaves, &error);
    assert_ok(error.status, &error);
    ASSERT_NUMBERS(flat.leaves, -1, -1, -1);
    assert_true(pytree_def_equal(flat.def, full));
    assert_ok(pytree_broadcast_leaves(PYTREE(&flat), full, axes, 3, "in_axes", &nones_are_leaves, &error), &error);
    ASSERT_NUMBERS(axes, -1, -1, -1);
    pytree_flat_free(&flat);
    pytree_def_free(full);
    mlp_clear(&model);
}

static bool is_a_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->type == &pytree_types[PYTREE__T_list];
}

static void a_predicate_is_the_prefixs_alone(void **state)
{
    const pytree_options lists = { .is_leaf = is_a_list };
    pytree_error error = { 0 };
    pytree_def *full = structure(PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_INT(1), PYTREE_INT(2)), PYTREE_LIST(PYTREE_INT(3))), NULL);
    pytree_leaf leaves[3];
    (void)state;
    assert_ok(pytree_broadcast_leaves(PYTREE_TUPLE(PYTREE_LIST(PYTREE_INT(8), PYTREE_INT(9)), PYTREE_INT(4)), full, leaves, 3,
                                      NULL, &lists,
                                      &error), &error);
    assert_ptr_equal(leaves[0].type, &pytree_types[PYTREE__T_list]);
    assert_int_equal(pytree_num_leaves(pytree_of_view(&leaves[1]), NULL, &error), 2);
    assert_int_equal(number_of(&leaves[2]), 4);
    pytree_def_free(full);
}

static void broadcasts_refuse(void **state)
{
    pytree_error error = { 0 };
    pytree_def *full = structure(PYTREE_LIST(PYTREE_TUPLE(PYTREE_INT(1)), PYTREE_INT(2), PYTREE_INT(3)), NULL);
    pytree_leaf leaves[3], before;
    pytree_flat flat;
    (void)state;
    memset(leaves, 0x5A, sizeof leaves);
    before = leaves[0];
    assert_error(pytree_broadcast_leaves(PYTREE_INT(1), full, leaves, 2, NULL, NULL, &error), PYTREE_TOO_MANY_LEAVES, "",
                 &error);
    error.status = PYTREE_OK;
    assert_error(pytree_broadcast_leaves(PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1)), PYTREE_TUPLE(), PYTREE_INT(3)), full, leaves,
                                         3, NULL, NULL,
                                         &error), PYTREE_STRUCTURE, "[0]", &error);
    assert_string_equal(error.message,
                        "prefix: different types: expected list of length 1, got tuple of length 1 (and 1 more mismatches)");
    assert_memory_equal(&leaves[0], &before, sizeof before);
    assert_int_equal(pytree_broadcast_leaves(PYTREE_LIST(), full, leaves, 3, NULL, NULL, NULL), PYTREE_STRUCTURE);
    error.status = PYTREE_OK;
    flat = pytree_broadcast_prefix(PYTREE_LIST(PYTREE_INT(1)), full, "weights", NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "weights: different lengths: expected list of length 1, got list of length 3");
    assert_int_equal(pytree_broadcast_leaves(PYTREE_INT(1), full, NULL, 3, NULL, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_flatten_up_to(full, PYTREE_LIST(), NULL, 3, NULL, NULL), PYTREE_ARGUMENT);
    error.status = PYTREE_OK;
    flat = pytree_broadcast_prefix((pytree){ 0 }, full, NULL, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(full);
}

/* ---- Flatten up to ----------------------------------------------------------------------------------------------------- */

static void subtrees_at_the_leaves(void **state)
{
    MLP model = mlp_make(2, false);
    pytree_error error = { 0 };
    pytree t = PYTREE_TUPLE(PYTREE_INT(1), PYTREE_DICT({ "b", PYTREE_NONE }, { "a", PYTREE(&model) }),
                            PYTREE_LIST(PYTREE_INT(4)));
    pytree_def *def = structure(PYTREE_TUPLE(PYTREE_INT(0), PYTREE_DICT({ "a", PYTREE_INT(0) }, { "b", PYTREE_INT(0) }),
                                             PYTREE_INT(0)), NULL);
    pytree_leaf subtrees[4];
    char text[64];
    (void)state;
    assert_ok(pytree_flatten_up_to(def, t, subtrees, 4, NULL, &error), &error);
    assert_int_equal(number_of(&subtrees[0]), 1);
    assert_ptr_equal(subtrees[1].data, &model);
    assert_int_equal(pytree_num_leaves(pytree_of_view(&subtrees[1]), NULL, &error), 5);
    assert_int_equal(subtrees[2].form, PYTREE_FORM_NONE);
    assert_ptr_equal(subtrees[2].type, &pytree_types[PYTREE__T_none]);
    assert_true(pytree_text(pytree_of_view(&subtrees[3]), text, sizeof text, NULL, &error) > 0);
    assert_string_equal(text, "[0]  i64 4\n");
    pytree_def_free(def);

    def = structure(PYTREE_INT(0), NULL);                      /* the whole tree is AN_INT */
    assert_ok(pytree_flatten_up_to(def, t, subtrees, 1, NULL, &error), &error);
    assert_int_equal(pytree_num_leaves(pytree_of_view(&subtrees[0]), NULL, &error), 7);
    pytree_def_free(def);

    def = structure(PYTREE(&model), NULL);                     /* all of a struct's leaves */
    assert_error(pytree_flatten_up_to(def, PYTREE(&model), subtrees, 4, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
    pytree_def_free(def);
    mlp_clear(&model);
}

static void structs_up_to_their_leaves(void **state)
{
    Everything all = everything_make(true), less = everything_make(false);
    pytree_error error = { 0 };
    pytree_def *def = structure(PYTREE(&all), NULL), *bare = structure(PYTREE(&less), NULL),
               *nil = structure(PYTREE(&less), &nones_are_leaves);
    pytree_leaf expected[EVERYTHING_LEAVES], got[EVERYTHING_LEAVES];
    size_t i, n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&all), expected, COUNT_OF(expected), &n, NULL, &error), &error);
    assert_ok(pytree_flatten_up_to(def, PYTREE(&all), got, COUNT_OF(got), NULL, &error), &error);
    for (i = 0; i < n; i++) {
        assert_ptr_equal(got[i].data, expected[i].data);
        assert_ptr_equal(got[i].type, expected[i].type);
        assert_int_equal(got[i].ndim, expected[i].ndim);
    }
    assert_ok(pytree_flatten_up_to(bare, PYTREE(&less), got, COUNT_OF(got), NULL, &error), &error);
    assert_ok(pytree_leaves(PYTREE(&less), expected, COUNT_OF(expected), &n, NULL, &error), &error);
    for (i = 0; i < n; i++) { assert_ptr_equal(got[i].data, expected[i].data); }
    /* where None is a leaf it may be anything */
    assert_ok(pytree_flatten_up_to(nil, PYTREE(&less), got, COUNT_OF(got), NULL, &error), &error);
    assert_int_equal(got[20].form, PYTREE_FORM_NONE);
    assert_ok(pytree_flatten_up_to(nil, PYTREE(&all), got, COUNT_OF(got), NULL, &error), &error);
    assert_ptr_equal(got[20].data, &all.note);
    assert_error(pytree_flatten_up_to(bare, PYTREE(&all), got, COUNT_OF(got), NULL, &error), PYTREE_STRUCTURE, ".note", &error);
    assert_string_equal(error.message, "different types: expected None, got leaf (and 2 more mismatches)");
    error.status = PYTREE_OK;
    all.version[1] = 77;
    assert_error(pytree_flatten_up_to(def, PYTREE(&all), got, COUNT_OF(got), NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_non_null(strstr(error.message, "different metadata: expected Everything[("));
    pytree_def_free(def);
    pytree_def_free(bare);
    pytree_def_free(nil);
    everything_clear(&all);
    everything_clear(&less);
}

static void structs_with_none_up_to(void **state)
{
    float numbers[2] = { 0 };
    Sparse none = { NULL, 1, numbers }, full = { numbers, 2, numbers }, neither = { numbers, 3, NULL };
    pytree_error error = { 0 };
    pytree_def *def = structure(PYTREE_LIST(PYTREE(&none)), NULL), *nil = structure(PYTREE_LIST(PYTREE(&none)),
                                                                                    &nones_are_leaves),
               *all = structure(PYTREE_LIST(PYTREE(&full)), NULL);
    pytree_leaf leaves[3];
    (void)state;
    assert_ok(pytree_flatten_up_to(def, PYTREE_LIST(PYTREE(&none)), leaves, 2, NULL, &error), &error);
    assert_ptr_equal(leaves[0].data, &none.always);
    assert_ptr_equal(leaves[1].data, numbers);
    assert_ok(pytree_flatten_up_to(nil, PYTREE_LIST(PYTREE(&none)), leaves, 3, NULL, &error), &error);
    assert_int_equal(leaves[0].form, PYTREE_FORM_NONE);
    assert_ptr_equal(leaves[0].type, &pytree_types[PYTREE__T_none]);
    assert_ptr_equal(leaves[1].data, &none.always);
    assert_ok(pytree_flatten_up_to(all, PYTREE_LIST(PYTREE(&none)), leaves, 3, NULL, &error), &error);
    assert_int_equal(leaves[0].form, PYTREE_FORM_NONE);
    assert_ok(pytree_flatten_up_to(def, PYTREE_LIST(PYTREE(&none)), leaves, 2, NULL, &error), &error);
    assert_error(pytree_flatten_up_to(def, PYTREE_LIST(PYTREE(&full)), leaves, 2, NULL, &error), PYTREE_STRUCTURE, "[0].some",
                 &error);
    error.status = PYTREE_OK;
    assert_error(pytree_flatten_up_to(def, PYTREE_LIST(PYTREE(&neither)), leaves, 2, NULL, &error), PYTREE_STRUCTURE,
                 "[0].some", &error);
    pytree_def_free(def);
    pytree_def_free(nil);
    pytree_def_free(all);
}

/* A struct that two files register has a descriptor in each. */
static void descriptors_of_two_files_match(void **state)
{
    Linear layer = linear_make(2, 2, 1.0f);
    pytree_type copy = *PYTREE_TYPE(Linear);
    pytree_error error = { 0 };
    pytree there, prefix;
    pytree_def *full;
    pytree_leaf leaves[3];
    (void)state;
    there.type = &copy;
    there.data = &layer;
    prefix = PYTREE_LIST(PYTREE(&layer), PYTREE_INT(5));
    full = structure(PYTREE_LIST(PYTREE(&there), PYTREE_LIST(PYTREE_INT(1))), NULL);
    assert_ok(pytree_broadcast_leaves(prefix, full, leaves, 3, NULL, NULL, &error), &error);
    assert_ptr_equal(leaves[1].data, layer.b);
    pytree_def_free(full);
    full = structure(PYTREE(&layer), NULL);
    assert_ok(pytree_flatten_up_to(full, there, leaves, 3, NULL, &error), &error);
    assert_ptr_equal(leaves[1].data, layer.b);
    pytree_def_free(full);
    linear_clear(&layer);
}

static void containers_of_stb_ds_up_to(void **state)
{
    Shelf shelf = shelf_make();
    pytree_error error = { 0 };
    pytree_def *def = structure(PYTREE(&shelf), NULL);
    pytree_leaf leaves[16], expected[16];
    size_t n, i;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&shelf), expected, 16, &n, NULL, &error), &error);
    assert_int_equal(n, def->n_leaves);
    assert_ok(pytree_flatten_up_to(def, PYTREE(&shelf), leaves, 16, NULL, &error), &error);
    for (i = 0; i < n; i++) { assert_ptr_equal(leaves[i].data, expected[i].data); }
    pytree_def_free(def);
    shelf_clear(&shelf);
}

static void up_to_says_where(void **state)
{
    static const struct { const char *path, *message; } expected[] = {
        { "[0]", "different types: expected list of length 1, got leaf" },
        { "", "different lengths: expected list of length 3, got list of length 2" },
        { "[1]", "different keys: expected dict with keys 'a', 'b', got dict with keys 'a', 'c'" },
        { "[1]", "different types: expected OrderedDict with keys 'a', got dict with keys 'a'" },
        { "[1]", "different metadata: expected OrderedDict with keys 'a', 'b', got OrderedDict with keys 'b', 'a'" },
        { "[1]", "different types: expected P(x), got P(y)" },
        { "[0]", "different types: expected None, got leaf" }
    };
    const pytree defs[7] = {
        PYTREE_LIST(PYTREE_LIST(AN_INT), AN_INT), PYTREE_LIST(AN_INT, AN_INT, AN_INT),
            PYTREE_LIST(AN_INT, PYTREE_DICT({ "b", AN_INT }, { "a", AN_INT })),
        PYTREE_LIST(AN_INT, PYTREE_ODICT({ "a", AN_INT })), PYTREE_LIST(AN_INT, PYTREE_ODICT({ "a", AN_INT }, { "b", AN_INT })),
        PYTREE_LIST(AN_INT, PYTREE_NAMEDTUPLE("P", { "x", AN_INT })), PYTREE_LIST(PYTREE_NONE, AN_INT)
    };
    const pytree trees[7] = {
        PYTREE_LIST(AN_INT, AN_INT), PYTREE_LIST(AN_INT, AN_INT), PYTREE_LIST(AN_INT,
                                                                              PYTREE_DICT({ "c", AN_INT }, { "a", AN_INT })),
        PYTREE_LIST(AN_INT, PYTREE_DICT({ "a", AN_INT })), PYTREE_LIST(AN_INT, PYTREE_ODICT({ "b", AN_INT }, { "a", AN_INT })),
        PYTREE_LIST(AN_INT, PYTREE_NAMEDTUPLE("P", { "y", AN_INT })), PYTREE_LIST(AN_INT, AN_INT)
    };
    pytree_leaf subtrees[4];
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(expected); i++) {
        pytree_error error = { 0 };
        pytree_def *def = structure(defs[i], NULL);
        assert_error(pytree_flatten_up_to(def, trees[i], subtrees, 4, NULL, &error), PYTREE_STRUCTURE, expected[i].path,
                     &error);
        assert_string_equal(error.message, expected[i].message);
        assert_int_equal(pytree_flatten_up_to(def, trees[i], subtrees, 4, NULL, NULL), PYTREE_STRUCTURE);
        pytree_def_free(def);
    }
}

/* How long a deque may get does not matter, what it has in it does. */
static void deques_up_to(void **state)
{
    pytree_def *const def = structure(PYTREE_DEQUE(3, AN_INT, AN_INT), NULL);
    pytree_leaf subtrees[2];
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_flatten_up_to(def, PYTREE_DEQUE(5, AN_INT, AN_INT), subtrees, 2, NULL, &error), &error);
    assert_ok(pytree_flatten_up_to(def, PYTREE_DEQUE(PYTREE_UNBOUNDED, AN_INT, PYTREE_LIST()), subtrees, 2, NULL, &error),
              &error);
    assert_int_equal(subtrees[1].form, PYTREE_FORM_ITEMS);
    assert_error(pytree_flatten_up_to(def, PYTREE_DEQUE(3, AN_INT), subtrees, 2, NULL, &error), PYTREE_STRUCTURE, "", &error);
    pytree_def_free(def);
}

static void custom_nodes_are_nodes(void **state)
{
    Box box = { 2, { 1, 2, 3 }, 'm' }, longer = { 3, { 4, 5, 6 }, 'm' }, other = { 2, { 7, 8, 9 }, 'x' };
    pytree_error error = { 0 };
    pytree_def *def = structure(PYTREE_LIST(PYTREE(&box)), NULL);
    pytree_leaf leaves[2];
    pytree_prefix_error_list *list;
    (void)state;
    assert_ok(pytree_flatten_up_to(def, PYTREE_LIST(PYTREE(&box)), leaves, 2, NULL, &error), &error);
    ASSERT_NUMBERS(leaves, 1, 2);
    assert_ok(pytree_broadcast_leaves(PYTREE_LIST(PYTREE_INT(5)), def, leaves, 2, NULL, NULL, &error), &error);
    ASSERT_NUMBERS(leaves, 5, 5);
    assert_error(pytree_flatten_up_to(def, PYTREE_LIST(PYTREE(&other)), leaves, 2, NULL, &error), PYTREE_STRUCTURE, "[0]",
                 &error);
    assert_string_equal(error.message, "different metadata: expected Box[m] of length 2, got Box[x] of length 2");
    list = pytree_prefix_errors(PYTREE_LIST(PYTREE(&longer)), def, NULL, NULL, NULL);
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->errors[0].kind, PYTREE_DIFFERENT_LENGTHS);
    pytree_prefix_errors_free(list);
    pytree_def_free(def);
}

static void namespaces_are_the_options(void **state)
{
    const pytree_options right = { .space = "right_only" };
    Both both = { PYTREE_INT(1), PYTREE_LIST(PYTREE_INT(2), PYTREE_INT(3)) };
    pytree_error error = { 0 };
    pytree_def *in = structure(PYTREE(&both), &right), *out = structure(PYTREE(&both), NULL);
    pytree_leaf leaves[3];
    pytree_flat flat;
    (void)state;
    assert_int_equal(in->n_leaves, 2);
    assert_int_equal(out->n_leaves, 3);
    assert_ok(pytree_flatten_up_to(in, PYTREE(&both), leaves, 3, &right, &error), &error);
    ASSERT_NUMBERS(leaves, 2, 3);
    assert_ok(pytree_flatten_up_to(in, PYTREE(&both), leaves, 3, NULL, &error), &error);       /* it knows where it is from */
    ASSERT_NUMBERS(leaves, 2, 3);
    assert_ok(pytree_flatten_up_to(out, PYTREE(&both), leaves, 3, NULL, &error), &error);
    ASSERT_NUMBERS(leaves, 1, 2, 3);
    assert_ok(pytree_broadcast_leaves(PYTREE(&both), in, leaves, 3, NULL, &right, &error), &error);
    ASSERT_NUMBERS(leaves, 2, 3);
    assert_error(pytree_broadcast_leaves(PYTREE(&both), in, leaves, 3, NULL, NULL, &error), PYTREE_STRUCTURE, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_broadcast_prefix(PYTREE_INT(4), in, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_string_equal(flat.def->space, "right_only");
    assert_true(pytree_def_equal(flat.def, in));
    pytree_flat_free(&flat);
    pytree_def_free(in);
    pytree_def_free(out);
}

static void flats_up_to(void **state)
{
    const pytree t = PYTREE_TUPLE(PYTREE_INT(1), PYTREE_DICT({ "b", PYTREE_DICT({ "y", PYTREE_INT(2) },
                                                                                { "x", PYTREE_INT(3) }) },
                                                             { "a", PYTREE_NONE }),
                                  PYTREE_DICT({ "r", PYTREE_INT(4) }, { "q", PYTREE_INT(5) }));
    pytree_error error = { 0 };
    pytree_def *full = structure(t, NULL),
               *def = structure(PYTREE_TUPLE(AN_INT, PYTREE_DICT({ "a", AN_INT }, { "b", AN_INT }), AN_INT), NULL),
               *wrong = structure(PYTREE_TUPLE(AN_INT, PYTREE_DICT({ "a", PYTREE_NONE }, { "b", PYTREE_TUPLE() }), AN_INT),
                                  NULL);
    pytree_leaf subtrees[4];
    pytree back;
    pytree_flat flat = pytree_broadcast_prefix(t, full, NULL, NULL, &error);
    (void)state;
    assert_ok(pytree_flatten_up_to(def, PYTREE(&flat), subtrees, 4, NULL, &error), &error);
    ASSERT_NUMBERS(subtrees, 1, -1);
    assert_true(pytree_equal(pytree_of_view(&subtrees[2]), PYTREE_DICT({ "y", PYTREE_INT(2) }, { "x", PYTREE_INT(3) }), NULL,
                             NULL,
                             &error));
    assert_true(pytree_equal(pytree_of_view(&subtrees[3]), PYTREE_DICT({ "q", PYTREE_INT(5) }, { "r", PYTREE_INT(4) }), NULL,
                             NULL,
                             &error));
    back = pytree_clone(pytree_of_view(&subtrees[2]), NULL, &error);           /* with its pairs as they were put in */
    assert_ok(error.status, &error);
    assert_string_equal(((const pytree_items *)back.data)->pairs[0].key, "y");
    pytree_free(back);
    assert_error(pytree_flatten_up_to(wrong, PYTREE(&flat), subtrees, 4, NULL, &error), PYTREE_STRUCTURE, "[1]['b']", &error);
    pytree_flat_free(&flat);
    pytree_def_free(full);
    pytree_def_free(def);
    pytree_def_free(wrong);
}

static void broken_trees_are_reported_as_such(void **state)
{
    Linear layer = { .din = 2, .dout = 2 };
    pytree_error error = { 0 };
    float w[4] = { 0 }, b[2] = { 0 };
    Linear sound = { .din = 2, .dout = 2, .w = w, .b = b };
    pytree_def *def = structure(PYTREE(&sound), NULL);
    pytree_leaf leaves[2];
    (void)state;
    layer.w = w;
    assert_error(pytree_flatten_up_to(def, PYTREE(&layer), leaves, 2, NULL, &error), PYTREE_NULL_POINTER, ".b", &error);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefix_is_spread_over_a_struct), cmocka_unit_test(leaves_stand_for_subtrees),
        cmocka_unit_test(axes_have_none_as_an_entry), cmocka_unit_test(axes_for_a_struct),
        cmocka_unit_test(a_predicate_is_the_prefixs_alone), cmocka_unit_test(broadcasts_refuse),
        cmocka_unit_test(subtrees_at_the_leaves), cmocka_unit_test(structs_up_to_their_leaves),
        cmocka_unit_test(containers_of_stb_ds_up_to), cmocka_unit_test(structs_with_none_up_to),
        cmocka_unit_test(descriptors_of_two_files_match), cmocka_unit_test(up_to_says_where),
        cmocka_unit_test(deques_up_to), cmocka_unit_test(custom_nodes_are_nodes), cmocka_unit_test(namespaces_are_the_options),
        cmocka_unit_test(flats_up_to), cmocka_unit_test(broken_trees_are_reported_as_such)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
