/* Prefixes that do not fit, every mismatch of them, and trees brought to a common structure: pytree_prefix_errors,
 * pytree_broadcast_common, _broadcast_map. */
#include "algebra_shared.h"

/* ---- All mismatches ---------------------------------------------------------------------------------------------------- */

static void every_mismatch_is_listed(void **state)
{
    Linear small = { .din = 1, .dout = 1 }, large = { .din = 1, .dout = 2 };
    float numbers[2] = { 0 };
    pytree_error error = { 0 };
    pytree prefix, full_tree;
    pytree_def *full;
    pytree_prefix_error_list *list;
    const pytree_prefix_error *e;
    char text[1200];
    (void)state;
    small.w = small.b = large.w = large.b = numbers;
    prefix = PYTREE_TUPLE(PYTREE_LIST(AN_INT, PYTREE_TUPLE(AN_INT, AN_INT)), PYTREE_DICT({ "k1", AN_INT }, { "k3", AN_INT }),
                          PYTREE_LIST(AN_INT, AN_INT), AN_INT,
                          PYTREE(&small), PYTREE_NONE, PYTREE_ODICT({ "x", AN_INT }, { "y", AN_INT }),
                              PYTREE_DICT({ "deep", PYTREE_LIST() }));
    full_tree = PYTREE_TUPLE(PYTREE_LIST(AN_INT, PYTREE_LIST(AN_INT, AN_INT)), PYTREE_DICT({ "k1", AN_INT }, { "k2", AN_INT }),
                             PYTREE_LIST(AN_INT),
                             PYTREE_LIST(AN_INT, AN_INT), PYTREE(&large), AN_INT,
                                 PYTREE_ODICT({ "y", AN_INT }, { "x", AN_INT }),
                             PYTREE_DICT({ "deep", PYTREE_LIST(AN_INT) }));
    full = structure(full_tree, NULL);
    list = pytree_prefix_errors(prefix, full, "in_axes", NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(list);
    assert_int_equal(list->n, 7);
    e = list->errors;
    assert_int_equal(e[0].kind, PYTREE_DIFFERENT_TYPES);
    assert_string_equal(e[0].path, "[0][1]");
    assert_string_equal(e[0].prefix, "tuple of length 2");
    assert_string_equal(e[0].full, "list of length 2");
    assert_string_equal(e[0].message, "in_axes[0][1]: different types: expected tuple of length 2, got list of length 2");
    assert_int_equal(e[1].kind, PYTREE_DIFFERENT_KEYS);
    assert_string_equal(e[1].path, "[1]");
    assert_int_equal(e[1].n_missing, 1);
    assert_int_equal(e[1].missing[0].kind, PYTREE_KEY);
    assert_string_equal(e[1].missing[0].name, "k3");
    assert_int_equal(e[1].n_extra, 1);
    assert_string_equal(e[1].extra[0].name, "k2");
    assert_string_equal(e[1].message,
                        "in_axes[1]: different keys: expected dict with keys 'k1', 'k3', got dict with keys 'k1', "
                                      "'k2' (missing 'k3'; extra 'k2')");
    assert_int_equal(e[2].kind, PYTREE_DIFFERENT_LENGTHS);
    assert_int_equal(e[3].kind, PYTREE_DIFFERENT_METADATA);
    assert_string_equal(e[3].prefix, "Linear[(1, 1)]");
    assert_string_equal(e[3].full, "Linear[(1, 2)]");
    assert_int_equal(e[4].kind, PYTREE_DIFFERENT_TYPES);
    assert_string_equal(e[4].prefix, "None");
    assert_string_equal(e[4].full, "leaf");
    assert_int_equal(e[5].kind, PYTREE_DIFFERENT_METADATA);
    assert_string_equal(e[5].path, "[6]");
    assert_int_equal(e[6].kind, PYTREE_DIFFERENT_LENGTHS);
    assert_string_equal(e[6].path, "[7]['deep']");
    assert_int_equal(e[6].n_missing, 0);

    assert_int_equal(pytree_prefix_errors_text(list, NULL, 0), pytree_prefix_errors_text(list, text, sizeof text));
    assert_memory_equal(text, e[0].message, strlen(e[0].message));
    assert_non_null(strstr(text, "\nin_axes[7]['deep']: different lengths: expected list of length 0, got list of length 1\n"));
    {
        FILE *file = tmpfile();
        char back[1200];
        size_t n;
        assert_non_null(file);
        assert_ok(pytree_prefix_errors_print(file, list, &error), &error);
        rewind(file);
        n = fread(back, 1, sizeof back - 1, file);
        back[n] = '\0';
        assert_string_equal(back, text);
        fclose(file);
    }
    pytree_prefix_errors_free(list);
    pytree_prefix_errors_free(NULL);
    assert_int_equal(pytree_prefix_errors_text(NULL, text, sizeof text), 0);

    list = pytree_prefix_errors(full_tree, full, NULL, NULL, &error);
    assert_non_null(list);
    assert_int_equal(list->n, 0);
    assert_int_equal(pytree_prefix_errors_text(list, text, sizeof text), 0);
    assert_string_equal(text, "");
    pytree_prefix_errors_free(list);
    pytree_def_free(full);
}

static void keys_of_all_kinds_are_told(void **state)
{
    const pytree prefix = PYTREE_LIST(PYTREE_IDICT({ 3, AN_INT }, { -1, AN_INT }), PYTREE_DEFAULTDICT("int", { "a", AN_INT }),
                                      PYTREE_DEFAULTDICT("int", { "a", AN_INT }), PYTREE_DEQUE(3, AN_INT),
                                          PYTREE_DEQUE(3, AN_INT),
                                      PYTREE_DICT({ "a", AN_INT }));
    pytree_def *full = structure(PYTREE_LIST(PYTREE_IDICT({ -7, AN_INT }, { 3, AN_INT }, { 10, AN_INT }),
                                             PYTREE_DEFAULTDICT("list", { "a", AN_INT }),
                                             PYTREE_DEFAULTDICT("int", { "b", AN_INT }), PYTREE_DEQUE(4, AN_INT),
                                                 PYTREE_DEQUE(3, AN_INT, AN_INT),
                                             PYTREE_IDICT({ 0, AN_INT })), NULL);
    static const pytree_mismatch kinds[] = { PYTREE_DIFFERENT_KEYS, PYTREE_DIFFERENT_METADATA, PYTREE_DIFFERENT_KEYS,
                                             PYTREE_DIFFERENT_LENGTHS, PYTREE_DIFFERENT_KEYS };         /* not maxlen */
    pytree_error error = { 0 };
    pytree_prefix_error_list *list = pytree_prefix_errors(prefix, full, NULL, NULL, &error);
    size_t i;
    (void)state;
    assert_non_null(list);
    assert_int_equal(list->n, COUNT_OF(kinds));
    for (i = 0; i < list->n; i++) { assert_int_equal(list->errors[i].kind, kinds[i]); }
    assert_int_equal(list->errors[0].n_missing, 1);
    assert_int_equal(list->errors[0].missing[0].kind, PYTREE_INT_KEY);
    assert_int_equal((int64_t)list->errors[0].missing[0].index, -1);
    assert_int_equal(list->errors[0].n_extra, 2);
    assert_int_equal((int64_t)list->errors[0].extra[0].index, -7);
    assert_int_equal((int64_t)list->errors[0].extra[1].index, 10);
    assert_string_equal(list->errors[0].message,
                        "prefix[0]: different keys: expected dict with keys -1, 3, got dict with keys -7, 3, 10 "
                        "(missing -1; extra -7, 10)");
    assert_string_equal(list->errors[1].prefix, "defaultdict(<class 'int'>) with keys 'a'");
    assert_string_equal(list->errors[1].full, "defaultdict(<class 'list'>) with keys 'a'");
    assert_string_equal(list->errors[3].full, "deque of length 2, at most 3");
    assert_string_equal(list->errors[3].path, "[4]");
    assert_int_equal(list->errors[4].n_missing, 1);
    assert_int_equal(list->errors[4].n_extra, 1);
    pytree_prefix_errors_free(list);
    pytree_def_free(full);
}

/* A dict of n numbers, keys k000, k001, … with every step-th left out. */
static pytree wide_dict(size_t n, size_t step, pytree_items *items, pytree_pair *pairs, char (*keys)[8])
{
    static int64_t zero;
    size_t i, k = 0;
    for (i = 0; i < n; i++) {
        if (step != 0 && i % step == 0) { continue; }
        snprintf(keys[k], sizeof keys[k], "k%03u", (unsigned)i);
        pairs[k].key = keys[k];
        pairs[k++].value = PYTREE(&zero);
    }
    memset(items, 0, sizeof *items);
    items->count = k;
    items->pairs = pairs;
    return (pytree){ &pytree_types[PYTREE__T_dict], items };
}

static void long_lists_of_keys_are_cut(void **state)
{
    static char keys[2][1000][8];
    static pytree_pair pairs[2][1000];
    pytree_items items[2];
    pytree_error error = { 0 };
    pytree_def *full = structure(wide_dict(1000, 4, &items[1], pairs[1], keys[1]), NULL);
    pytree_prefix_error_list *list = pytree_prefix_errors(wide_dict(1000, 0, &items[0], pairs[0], keys[0]), full, NULL, NULL,
                                                          &error);
    (void)state;
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->errors[0].n_missing, 250);          /* all of them here */
    assert_string_equal(list->errors[0].missing[249].name, "k996");
    assert_int_equal(list->errors[0].n_extra, 0);
    assert_true(strlen(list->errors[0].message) < 400);        /* not there */
    assert_non_null(strstr(list->errors[0].message,
                           "got dict with keys 'k001', 'k002', 'k003', 'k005', 'k006', 'k007', 'k009', "
                                                    "'k010' and 742 more (missing 'k000', "));
    assert_non_null(strstr(list->errors[0].message, "'k028' and 242 more)"));
    pytree_prefix_errors_free(list);
    pytree_def_free(full);
}

/* Mismatches at all children of a wide node, in a list and in a dict: to find their paths must not take the square of that. */
static void wide_reports_are_made_in_one_go(void **state)
{
    const size_t n = slow_here() ? 1000 : 100000;
    pytree *items = malloc(n * sizeof *items);
    pytree_int_pair *pairs = malloc(n * sizeof *pairs);
    pytree_items list = { 0 }, dict = { 0 };
    pytree_error error = { 0 };
    pytree wide[2], empty = PYTREE_LIST(), other = PYTREE_TUPLE();
    size_t i;
    int k;
    (void)state;
    assert_non_null(items);
    assert_non_null(pairs);
    list.count = dict.count = n;
    list.items = items;
    dict.int_pairs = pairs;
    wide[0].type = &pytree_types[PYTREE__T_list];
    wide[0].data = &list;
    wide[1].type = &pytree_types[PYTREE__T_dict];
    wide[1].data = &dict;
    for (k = 0; k < 2; k++) {
        pytree_prefix_error_list *errors;
        pytree_def *full;
        char path[40];
        for (i = 0; i < n; i++) {
            items[i] = pairs[i].value = empty;
            pairs[i].key = (int64_t)i;
        }
        full = structure(wide[k], NULL);
        for (i = 0; i < n; i++) { items[i] = pairs[i].value = other; }
        errors = pytree_prefix_errors(wide[k], full, NULL, NULL, &error);
        assert_non_null(errors);
        assert_int_equal(errors->n, n);
        for (i = 0; i < n; i += 99) {
            snprintf(path, sizeof path, "[%lu]", (unsigned long)i);
            assert_string_equal(errors->errors[i].path, path);
        }
        pytree_prefix_errors_free(errors);
        pytree_def_free(full);
    }
    free(items);
    free(pairs);
}

/* ---- Common structure -------------------------------------------------------------------------------------------------- */

static void assert_structure_text(const pytree_flat *flat, const char *expected)
{
    char text[256];
    assert_true(pytree_def_text(flat->def, text, sizeof text) < sizeof text);
    assert_string_equal(text, expected);
}

static void two_trees_fill_each_other(void **state)
{
    pytree_error error = { 0 };
    pytree_flat a, b;
    (void)state;
    assert_ok(pytree_broadcast_common(PYTREE_LIST(PYTREE_INT(1), PYTREE_TUPLE(PYTREE_INT(2), PYTREE_INT(3))),
                                      PYTREE_LIST(PYTREE_DICT({ "x", PYTREE_INT(4) }, { "y", PYTREE_INT(5) }), PYTREE_INT(6)),
                                          &a, &b, NULL,
                                      &error), &error);
    assert_structure_text(&a, "PyTreeDef([{'x': *, 'y': *}, (*, *)])");
    assert_true(pytree_def_equal(a.def, b.def));
    ASSERT_NUMBERS(a.leaves, 1, 1, 2, 3);
    ASSERT_NUMBERS(b.leaves, 4, 5, 6, 6);
    pytree_flat_free(&a);
    pytree_flat_free(&b);

    /* each keeps its own kind of dict */
    assert_ok(pytree_broadcast_common(PYTREE_DICT({ "b", PYTREE_INT(1) }, { "a", PYTREE_LIST(PYTREE_INT(2)) }),
                                      PYTREE_ODICT({ "b", PYTREE_TUPLE(PYTREE_INT(4), PYTREE_INT(5)) }, { "a", PYTREE_INT(3) }),
                                          &a, &b, NULL,
                                      &error), &error);
    assert_structure_text(&a, "PyTreeDef({'a': [*], 'b': (*, *)})");
    assert_structure_text(&b, "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [(*, *), [*]]))");
    ASSERT_NUMBERS(a.leaves, 2, 1, 1);
    ASSERT_NUMBERS(b.leaves, 4, 5, 3);
    pytree_flat_free(&a);
    pytree_flat_free(&b);

    assert_error(pytree_broadcast_common(PYTREE_LIST(PYTREE_LIST()), PYTREE_LIST(PYTREE_TUPLE()), &a, &b, NULL, &error),
                 PYTREE_STRUCTURE, "[0]",
                 &error);
    assert_null(a.def);
    assert_null(b.def);
    assert_int_equal(pytree_broadcast_common(PYTREE_LIST(), PYTREE_TUPLE(), &a, &b, NULL, NULL), PYTREE_STRUCTURE);
    assert_int_equal(pytree_broadcast_common(PYTREE_LIST(), PYTREE_LIST(), NULL, &b, NULL, NULL), PYTREE_ARGUMENT);
}

typedef struct Calls { size_t n; int64_t seen[16][3]; pytree_status stop; } Calls;

static pytree_status note_call(void *context, const pytree_iter *at)
{
    Calls *calls = context;
    size_t k;
    for (k = 0; k < at->n; k++) { calls->seen[calls->n][k] = number_of(at->leaf[k]); }
    calls->n++;
    if (at->out != NULL) { *(int64_t *)at->out->data = calls->seen[calls->n - 1][0] + calls->seen[calls->n - 1][1]; }
    return calls->stop;
}

static void maps_over_what_trees_have_in_common(void **state)
{
    pytree_error error = { 0 };
    Calls calls = { 0 };
    int64_t sums[3] = { 0 };
    pytree out = PYTREE_LIST(PYTREE(&sums[0]), PYTREE(&sums[1]), PYTREE(&sums[2]));
    (void)state;
    assert_ok(pytree_broadcast_map(note_call, &calls, &out, 2,
                                   (pytree[2]){ PYTREE_INT(1), PYTREE_LIST(PYTREE_INT(2), PYTREE_INT(3), PYTREE_INT(4)) }, NULL,
                                       &error), &error);
    assert_int_equal(calls.n, 3);
    assert_int_equal(sums[0], 3);
    assert_int_equal(sums[2], 5);

    /* in the first tree's order, whatever the others' dicts are */
    memset(&calls, 0, sizeof calls);
    assert_ok(pytree_broadcast_map(note_call, &calls, NULL, 3,
                                   (pytree[3]){ PYTREE_ODICT({ "z", PYTREE_INT(1) },
                                                            { "a", PYTREE_LIST(PYTREE_INT(2), PYTREE_INT(3)) }),
                                               PYTREE_DICT({ "a", PYTREE_INT(4) },
                                                           { "z", PYTREE_ODICT({ "q", PYTREE_INT(5) },
                                                                               { "p", PYTREE_INT(6) }) }),
                                               PYTREE_DICT({ "z", PYTREE_DICT({ "p", PYTREE_INT(7) }, { "q", PYTREE_INT(8) }) },
                                                           { "a", PYTREE_INT(9) }) },
                                   NULL, &error), &error);
    assert_int_equal(calls.n, 4);
    {
        static const int64_t expected[4][3] = { { 1, 5, 8 }, { 1, 6, 7 }, { 2, 4, 9 }, { 3, 4, 9 } };
        assert_memory_equal(calls.seen, expected, sizeof expected);
    }

    memset(&calls, 0, sizeof calls);
    calls.stop = PYTREE_STOPPED;
    assert_error(pytree_broadcast_map(note_call, &calls, NULL, 2, (pytree[2]){ PYTREE_INT(1), PYTREE_LIST(PYTREE_INT(2)) },
                                      NULL,
                                      &error),
                 PYTREE_STOPPED, "[0]", &error);
    error.status = PYTREE_OK;
    assert_error(pytree_broadcast_map(note_call, &calls, NULL, 2, (pytree[2]){ PYTREE_TUPLE(), PYTREE_LIST() }, NULL, &error),
                 PYTREE_STRUCTURE, "", &error);
    assert_int_equal(pytree_broadcast_map(NULL, NULL, NULL, 1, &out, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(calls.n, 1);
}

/* ---- Depth and memory -------------------------------------------------------------------------------------------------- */

static void depth_is_bounded_by_memory(void **state)
{
    const size_t n = under_valgrind() ? 2000 : SANITIZED ? 50000 : 300000;
    Node *chain = chain_make(n);
    pytree_error error = { 0 };
    pytree_def *full = structure(PYTREE(chain), NULL);
    pytree_leaf *leaves = malloc(n * sizeof *leaves);
    pytree_prefix_error_list *list;
    pytree_flat flat;
    (void)state;
    assert_non_null(leaves);
    assert_ok(pytree_flatten_up_to(full, PYTREE(chain), leaves, n, NULL, &error), &error);
    assert_ptr_equal(leaves[n - 1].data, &chain[n - 1].value);
    assert_ok(pytree_broadcast_leaves(PYTREE(chain), full, leaves, n, NULL, NULL, &error), &error);
    flat = pytree_broadcast_prefix(PYTREE_INT(3), full, NULL, NULL, &error);
    assert_int_equal(number_of(&flat.leaves[n - 1]), 3);
    pytree_flat_free(&flat);
    chain[n - 2].next = NULL;                                  /* AN_INT node less */
    assert_error(pytree_flatten_up_to(full, PYTREE(chain), leaves, n, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
    assert_string_equal(error.message, "different types: expected Node[()], got None");
    list = pytree_prefix_errors(PYTREE(chain), full, NULL, NULL, NULL);
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_int_equal(strlen(list->errors[0].path), (n - 1) * strlen(".next"));
    assert_true(strlen(list->errors[0].message) < 1000);
    pytree_prefix_errors_free(list);
    free(leaves);
    free(chain);
    pytree_def_free(full);
}

typedef struct Sweep {
    pytree a, b;
    pytree_def *full;
} Sweep;

static pytree_status sweep_prefix(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_flat flat = pytree_broadcast_prefix(s->a, s->full, NULL, opt, err);
    pytree_status status = flat.def == NULL ? err->status : PYTREE_OK;
    pytree_flat_free(&flat);
    return status;
}

static pytree_status sweep_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_leaf leaves[64];
    return pytree_broadcast_leaves(s->a, s->full, leaves, 64, NULL, opt, err);
}

static pytree_status sweep_errors(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_prefix_error_list *list = pytree_prefix_errors(s->b, s->full, NULL, opt, err);
    pytree_status status = list == NULL ? err->status : PYTREE_OK;
    pytree_prefix_errors_free(list);
    return status;
}

static pytree_status sweep_up_to(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_leaf *leaves = malloc(s->full->n_leaves * sizeof *leaves);
    pytree_status status = pytree_flatten_up_to(s->full, s->a, leaves, s->full->n_leaves, opt, err);
    free(leaves);
    return status;
}

static pytree_status sweep_up_to_mismatch(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_leaf leaves[64];
    pytree_status status = pytree_flatten_up_to(s->full, s->b, leaves, 64, opt, err);
    if (status == PYTREE_STRUCTURE) { err->status = status = PYTREE_OK; }
    return status;
}

static pytree_status sweep_common(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_flat a, b;
    pytree_status status = pytree_broadcast_common(s->a, s->b, &a, &b, opt, err);
    if (status != PYTREE_OK) {
        assert_null(a.def);
        assert_null(b.def);
    }
    pytree_flat_free(&a);
    pytree_flat_free(&b);
    return status;
}

static pytree_status sweep_broadcast_map(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    Calls calls = { 0 };
    pytree trees[2];
    trees[0] = s->a;
    trees[1] = s->b;
    return pytree_broadcast_map(note_call, &calls, NULL, 2, trees, opt, err);
}

static void every_allocation_may_fail(void **state)
{
    Sweep s;
    Node *chain = chain_make(300);
    (void)state;
    s.a = PYTREE_TUPLE(AN_INT, PYTREE_DICT({ "b", AN_INT }, { "a", AN_INT }));
    s.b = PYTREE_TUPLE(PYTREE_LIST(), PYTREE_DICT({ "b", AN_INT }, { "c", AN_INT }));
    s.full = structure(PYTREE_TUPLE(PYTREE_TUPLE(AN_INT, AN_INT), PYTREE_DICT({ "b", AN_INT },
                                                                              { "a", PYTREE_LIST(AN_INT, AN_INT) })), NULL);
    assert_int_equal(sweep_allocations(sweep_prefix, &s), 2);
    assert_int_equal(sweep_allocations(sweep_leaves, &s), 1);
    assert_true(sweep_allocations(sweep_errors, &s) > 3);
    assert_true(sweep_allocations(sweep_up_to_mismatch, &s) > 1);
    pytree_def_free(s.full);
    s.full = structure(PYTREE(chain), NULL);
    s.a = PYTREE(chain);
    assert_true(sweep_allocations(sweep_up_to, &s) > 1);
    pytree_def_free(s.full);
    s.a = PYTREE_TUPLE(AN_INT, PYTREE_DICT({ "b", AN_INT }, { "a", PYTREE_LIST(AN_INT, AN_INT) }));
    s.b = PYTREE_TUPLE(PYTREE_LIST(AN_INT, AN_INT), PYTREE_ODICT({ "b", PYTREE_LIST(AN_INT) }, { "a", AN_INT }));
    assert_true(sweep_allocations(sweep_common, &s) > 4);
    assert_true(sweep_allocations(sweep_broadcast_map, &s) > 6);
    free(chain);
}

static pytree_status sweep_prefix_mismatch(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_status status = sweep_prefix(context, opt, err);
    if (status == PYTREE_STRUCTURE) { err->status = status = PYTREE_OK; }
    return status;
}

static pytree_status sweep_leaves_mismatch(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_status status = sweep_leaves(context, opt, err);
    if (status == PYTREE_STRUCTURE) { err->status = status = PYTREE_OK; }
    return status;
}

typedef struct Four { float a, b, c, d; } Four;

#define PYTREE_STRUCT Four
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Many16 { Four a, b, c, d; } Many16;

#define PYTREE_STRUCT Many16
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Many64 { Many16 a, b, c, d; } Many64;

#define PYTREE_STRUCT Many64
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Many256 { Many64 a, b, c, d; } Many256;

#define PYTREE_STRUCT Many256
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

/* A struct of more nodes than are kept is opened node by node. */
static void structs_of_many_nodes(void **state)
{
    static Many256 many;
    static pytree_leaf leaves[256];
    pytree_error error = { 0 };
    pytree_def *const def = structure(PYTREE(&many), NULL);
    size_t i;
    (void)state;
    assert_int_equal(def->n_leaves, COUNT_OF(leaves));
    assert_ok(pytree_flatten_up_to(def, PYTREE(&many), leaves, COUNT_OF(leaves), NULL, &error), &error);
    for (i = 0; i < COUNT_OF(leaves); i++) {
        assert_ptr_equal(leaves[i].data, (float *)&many + i);
        assert_int_equal(leaves[i].form, PYTREE_FORM_LEAF);
    }
    pytree_def_free(def);
}

/* All that differs is noted, for which memory may run out at the first and at later ones. */
static void mismatches_without_memory(void **state)
{
    enum { MANY = 40 };
    Sweep s;
    pytree_error error = { 0 };
    pytree_def *list = pytree_def_list(0, NULL, NULL, &error), *tuple = pytree_def_tuple(0, NULL, NULL, &error), *tuples;
    const pytree_def *parts[2][MANY];
    pytree_leaf none;
    pytree_flat flat = { NULL, &none };
    size_t i;
    (void)state;
    for (i = 0; i < MANY; i++) {
        parts[0][i] = list;
        parts[1][i] = tuple;
    }
    s.full = pytree_def_list(MANY, parts[0], NULL, &error);
    flat.def = tuples = pytree_def_list(MANY, parts[1], NULL, &error);
    assert_ok(error.status, &error);
    s.a = s.b = PYTREE(&flat);
    assert_true(sweep_allocations(sweep_prefix_mismatch, &s) > 2);
    assert_true(sweep_allocations(sweep_leaves_mismatch, &s) > 2);
    assert_true(sweep_allocations(sweep_up_to_mismatch, &s) > 2);
    pytree_def_free(s.full);
    pytree_def_free(tuples);
    pytree_def_free(list);
    pytree_def_free(tuple);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mismatch_is_listed),
        cmocka_unit_test(keys_of_all_kinds_are_told), cmocka_unit_test(long_lists_of_keys_are_cut),
        cmocka_unit_test(wide_reports_are_made_in_one_go),
        cmocka_unit_test(two_trees_fill_each_other), cmocka_unit_test(maps_over_what_trees_have_in_common),
        cmocka_unit_test(depth_is_bounded_by_memory), cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(mismatches_without_memory), cmocka_unit_test(structs_of_many_nodes)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
