/* Trees built by a program beside a plain model: the input says what is put where. Whatever is then made of the tree must have
 * the values that the model has: containers that grow and shrink, clones, parts, stacks, other values, differences,
 * literals. */
#include "fuzz_trees.h"
#include "pytree/algebra.h"
#include "pytree/literal.h"

enum { LONG_LIST = 6000 };

static bool is_even(void *context, const pytree_iter *at)
{
    (void)context;
    return *(const int64_t *)at->leaf[0]->data % 2 == 0;
}

static pytree_status doubled(void *context, const pytree_iter *at)
{
    (void)context;
    *(int64_t *)at->leaf[1]->data = 2 * *(const int64_t *)at->leaf[0]->data;
    return PYTREE_OK;
}

static void check_parts(pytree t)
{
    pytree_error err = { 0 };
    pytree_flat even, odd, whole, stack, first;
    pytree parts[2];
    pytree_partition(t, is_even, NULL, PYTREE_NONE, &even, &odd, NULL, &err);
    REQUIRE(err.status == PYTREE_OK);
    parts[0] = PYTREE(&even);
    parts[1] = PYTREE(&odd);
    whole = pytree_combine(2, parts, NULL, &err);
    REQUIRE(err.status == PYTREE_OK && pytree_equal(PYTREE(&whole), t, NULL, NULL, &err));
    require_model(PYTREE(&whole), 1, 0);
    pytree_flat_free(&whole);
    pytree_flat_free(&even);
    pytree_flat_free(&odd);
    parts[0] = parts[1] = t;
    stack = pytree_stack(2, parts, NULL, &err);
    first = pytree_slice(PYTREE(&stack), 1, NULL, &err);
    REQUIRE(err.status == PYTREE_OK);
    require_model(PYTREE(&first), 1, 0);
    pytree_flat_free(&first);
    pytree_flat_free(&stack);
}

/* A clone, another one with other values, one value set, and the difference that this is. */
static void check_copies(pytree t, size_t chosen)
{
    pytree_error err = { 0 };
    pytree clone = pytree_clone(t, NULL, &err), trees[2], again;
    pytree_difference_list *list;
    int64_t other = 1000;
    pytree_leaf value = { &other, PYTREE_TYPE(int64_t), 0, 0, { 0 } };
    size_t n;
    char *text;
    REQUIRE(err.status == PYTREE_OK);
    require_model(clone, 1, 0);
    trees[0] = t;
    trees[1] = clone;
    REQUIRE(pytree_map(doubled, NULL, NULL, 2, trees, NULL, &err) == PYTREE_OK);
    require_model(clone, 2, 0);
    require_model(t, 1, 0);
    REQUIRE(pytree_copy_into(clone, t, NULL, &err) == PYTREE_OK);
    require_model(clone, 1, 0);
    if (n_places != 0) {
        const Place *const place = &places[chosen % n_places];
        REQUIRE(pytree_set_at(clone, place->path, &value, NULL, &err) == PYTREE_OK);
        list = pytree_diff(t, clone, NULL, NULL, &err);
        REQUIRE(list != NULL && list->n == 1 && list->differences[0].kind == PYTREE_CHANGED);
        REQUIRE(strcmp(list->differences[0].path, place->path) == 0);
        pytree_diff_free(list);
    }
    pytree_free(clone);
    n = pytree_literal_text(t, NULL, 0, NULL, NULL);
    text = malloc(n + 1);
    REQUIRE(text != NULL && pytree_literal_text(t, text, n + 1, NULL, NULL) == n);
    again = pytree_parse(text, NULL, &err);
    REQUIRE(err.status == PYTREE_OK && pytree_equal(t, again, NULL, NULL, &err));
    require_model(again, 1, 0);
    pytree_free(again);
    free(text);
}

/* A long list, changed in runs: the first byte of four is what, the others where and how much. */
static void check_list(const uint8_t *data, size_t size)
{
    static int64_t model[LONG_LIST + 1], values[LONG_LIST + 1];
    pytree list = pytree_new_list(NULL, NULL);
    pytree_leaf *leaves = malloc((LONG_LIST + 1) * sizeof *leaves);
    pytree_error err = { 0 };
    size_t n = 0, at, k, count = 0;
    REQUIRE(leaves != NULL);
    for (; size >= 4; data += 4, size -= 4) {
        at = n * data[1] / 255;
        for (k = (size_t)data[2] * 8; k-- != 0; ) {
            if (data[0] % 2 == 0 && n < LONG_LIST) {
                const int64_t value = (int64_t)(k * 3 + data[3]);
                pytree_list_insert_copy(list, (ptrdiff_t)at, PYTREE(&value), &err);
                memmove(model + at + 1, model + at, (n++ - at) * sizeof *model);
                model[at] = value;
            } else if (data[0] % 2 == 1 && at < n) {
                pytree_list_remove(list, (ptrdiff_t)at, &err);
                memmove(model + at, model + at + 1, (--n - at) * sizeof *model);
            }
        }
        REQUIRE(err.status == PYTREE_OK && pytree_container_length(list) == n);
        at = n * data[3] / 256;
        REQUIRE(n == 0 || *(int64_t *)pytree_list_get(list, (ptrdiff_t)at, &err).data == model[at]);
    }
    REQUIRE(pytree_leaves(list, leaves, LONG_LIST + 1, &count, NULL, &err) == PYTREE_OK && count == n);
    for (k = 0; k < n; k++) { values[k] = *(int64_t *)leaves[k].data; }
    REQUIRE(memcmp(values, model, n * sizeof *model) == 0);
    free(leaves);
    pytree_container_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) { return 0; }
    if (data[0] % 4 == 3) {
        check_list(data + 1, size > 81 ? 80 : size - 1);
    } else {
        pytree t = build(data + 1, size - 1);
        require_model(t, 1, 0);
        check_parts(t);
        check_copies(t, data[0]);
        pytree_container_free(t);
    }
    return 0;
}
