/* Two trees, and what their difference says done to the first one: then it has the numbers of the second, which a plain list
 * has, too. And two levels exchanged and exchanged back. */
#include "fuzz_trees.h"
#include "pytree/algebra.h"

/* The container at all of a path but its last entry. */
static pytree parent_of(pytree t, const pytree_path *path)
{
    size_t i;
    for (i = 0; i + 1 < path->n; i++) {
        const pytree_entry *const entry = &path->entries[i];
        t = entry->kind == PYTREE_KEY ? pytree_dict_get(t, entry->name, NULL)
            : pytree_list_get(t, (ptrdiff_t)entry->index, NULL);
        REQUIRE(t.data != NULL);
    }
    return t;
}

/* Does to t what one difference says. */
static void patch(pytree t, pytree b, const pytree_difference *difference)
{
    pytree_error err = { 0 };
    pytree_path *path = pytree_path_parse(difference->path, NULL, NULL, &err);
    pytree_leaf value;
    pytree to, with;
    const pytree_entry *last;
    REQUIRE(path != NULL && path->n != 0);
    to = parent_of(t, path);
    last = &path->entries[path->n - 1];
    REQUIRE((last->kind == PYTREE_KEY) == (to.type->kind == PYTREE_KIND_DICT));
    value = difference->kind == PYTREE_REMOVED ? (pytree_leaf){ 0 } : pytree_at(b, difference->path, NULL, &err);
    with = pytree_of_view(&value);
    if (difference->kind == PYTREE_CHANGED && pytree_is_leaf(&value)
        && pytree_set_at(t, difference->path, &value, NULL, NULL) == PYTREE_OK) {
        /* a number in place of a number */
    } else if (last->kind == PYTREE_KEY) {
        if (difference->kind == PYTREE_REMOVED) { pytree_dict_remove(to, last->name, &err); }
        else { pytree_dict_put_copy(to, last->name, with, &err); }
    } else if (difference->kind == PYTREE_REMOVED) {
        REQUIRE(last->index + 1 == pytree_container_length(to));
        pytree_list_remove(to, -1, &err);
    } else if (difference->kind == PYTREE_ADDED) {
        REQUIRE(last->index == pytree_container_length(to));
        pytree_list_append_copy(to, with, &err);
    } else {
        pytree_list_set_copy(to, (ptrdiff_t)last->index, with, &err);
    }
    REQUIRE(err.status == PYTREE_OK);
    pytree_path_free(path);
}

/* b is what the list of fuzz_trees.h has. */
static void check_patched(pytree a, pytree b)
{
    pytree_error err = { 0 };
    pytree_difference_list *list = pytree_diff(a, b, NULL, NULL, &err);
    const bool equal = pytree_equal(a, b, NULL, NULL, &err);
    size_t i;
    REQUIRE(list != NULL && equal == (list->n == 0));
    for (i = list->n; i-- != 0; ) {       /* from the back, so that what is removed from a list is its last value */
        if (list->differences[i].kind == PYTREE_REMOVED) { patch(a, b, &list->differences[i]); }
    }
    for (i = 0; i < list->n; i++) {
        if (list->differences[i].kind != PYTREE_REMOVED) { patch(a, b, &list->differences[i]); }
    }
    pytree_diff_free(list);
    require_model(a, 1, 0);
    REQUIRE(pytree_equal(a, b, NULL, NULL, &err));
}

static pytree_status give_three(void *context, const pytree_iter *at, pytree_taker *to)
{
    const pytree leaf = pytree_of_view(at->leaf[0]);
    (void)context;
    return pytree_give(to, PYTREE_TUPLE(leaf, PYTREE_LIST(leaf), PYTREE_DICT({ "c", leaf })));
}

/* A tree with a triple in place of each number becomes a triple of trees, and that again a tree of triples. */
static void check_transposed(pytree t)
{
    pytree_error err = { 0 };
    pytree_def *outer = pytree_structure(t, NULL, &err), *inner;
    pytree_flat triple, back, again;
    const char *const parts[] = { "[0]", "[1][0]", "[2]['c']" };
    size_t i;
    inner = pytree_structure(PYTREE_TUPLE(PYTREE_INT(0), PYTREE_LIST(PYTREE_INT(0)), PYTREE_DICT({ "c", PYTREE_INT(0) })),
                             NULL, &err);
    triple = pytree_transpose_map(give_three, NULL, NULL, 1, &t, NULL, n_places == 0 ? NULL : &err);
    REQUIRE((triple.def != NULL) == (n_places != 0));
    if (n_places != 0) {
        for (i = 0; i < 3; i++) {
            pytree_leaf part = pytree_at(PYTREE(&triple), parts[i], NULL, &err);
            require_model(pytree_of_view(&part), 1, 0);
            REQUIRE(pytree_equal(pytree_of_view(&part), t, NULL, NULL, &err));
        }
        back = pytree_transpose(inner, outer, PYTREE(&triple), NULL, &err);
        REQUIRE(err.status == PYTREE_OK && pytree_num_leaves(PYTREE(&back), NULL, &err) == 3 * n_places);
        for (i = 0; i < 3 * n_places; i++) {
            char path[220];
            const Place *const place = &places[i / 3];
            snprintf(path, sizeof path, "%s%s", place->path, parts[i % 3]);
            REQUIRE(*(const int64_t *)pytree_at(PYTREE(&back), path, NULL, NULL).data == place->value);
        }
        again = pytree_transpose(outer, inner, PYTREE(&back), NULL, &err);
        REQUIRE(err.status == PYTREE_OK && pytree_equal(PYTREE(&again), PYTREE(&triple), NULL, NULL, &err));
        pytree_flat_free(&again);
        pytree_flat_free(&back);
    }
    pytree_flat_free(&triple);
    pytree_def_free(inner);
    pytree_def_free(outer);
}

/* The first byte says how many pairs at the end are changes: where, and to what. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[600];
    size_t changes, n, i;
    pytree a, b;
    if (size == 0 || size > sizeof bytes) { return 0; }
    changes = data[0] % 16;
    n = size - 1 > 2 * changes ? size - 1 - 2 * changes : 0;
    if (n == 0) { return 0; }
    memcpy(bytes, data + 1, n);
    a = build(bytes, n);
    for (i = 0; i < changes; i++) { bytes[data[1 + n + 2 * i] % n] = data[2 + n + 2 * i]; }
    b = build(bytes, data[0] >= 128 ? n / 2 + 1 : n);
    check_transposed(b);
    check_patched(a, b);
    pytree_container_free(a);
    pytree_container_free(b);
    return 0;
}
