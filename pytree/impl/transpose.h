/* pytree/impl/transpose.h: transposing, stacking and slicing trees. */
#ifndef PYTREE_IMPL_TRANSPOSE_H
#define PYTREE_IMPL_TRANSPOSE_H

#include "broadcast.h"

/* ---- Transpose ----------------------------------------------------------------------------------------------------- */

/* Transpose rows of inner's leaves, one row for each leaf of outer, into a tree of inner's structure with outer's at its
 * leaves. */
static pytree_flat pytree__alg_turn(const pytree_def *outer, const pytree_def *inner, const pytree_leaf *rows,
                                    const pytree_options *opt, pytree_error *err)
{
    const bool alike = pytree__td_same_none(inner, outer->none_is_leaf, err);      /* the caller's is the wrong one */
    pytree_def *both = alike ? pytree_def_compose(inner, outer, opt, err) : NULL, *def = NULL;
    pytree_leaf *leaves = NULL;
    size_t i, j;
    if (both != NULL) { def = pytree__alg_copy(both, 0, &leaves, opt, err); }
    for (i = 0; def != NULL && i < inner->n_leaves; i++) {
        for (j = 0; j < outer->n_leaves; j++) {
            pytree__copy_view(&leaves[i * outer->n_leaves + j], &rows[j * inner->n_leaves + i]);
        }
    }
    pytree_def_free(both);
    return pytree__alg_flat(def, leaves);
}

/* Infer the inner structure from the subtree at the first leaf of outer. */
static pytree_def *pytree__alg_infer(const pytree_def *outer, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_options mine = pytree__alg_options(opt, outer->none_is_leaf);
    pytree_leaf *subtrees;
    pytree_def *inner = NULL;
    if (outer->n_leaves == 0) {
        pytree_fail(err, PYTREE_EMPTY, NULL, "expected an outer structure with leaves to find the inner one, got one without");
        return NULL;
    }
    subtrees = (pytree_leaf *)pytree__array_new(outer->n_leaves, sizeof *subtrees, pytree__allocator(opt), err);
    if (subtrees == NULL) { return NULL; }
    if (pytree_flatten_up_to(outer, t, subtrees, outer->n_leaves, opt, err) == PYTREE_OK) {
        inner = pytree_structure(pytree_of_view(&subtrees[0]), &mine, err);
    }
    pytree__array_free(subtrees, outer->n_leaves, sizeof *subtrees, pytree__allocator(opt));
    return inner;
}

pytree_flat pytree_transpose(const pytree_def *outer, const pytree_def *inner, pytree t, const pytree_options *opt,
                             pytree_error *err)
{
    if (outer == NULL) { return pytree__alg_flat((pytree_def *)pytree__no_def(err), NULL); }
    pytree_options mine = pytree__alg_options(opt, outer->none_is_leaf);
    pytree_flat all = pytree__alg_flat(NULL, NULL), turned = all;
    pytree_def *found = NULL;
    if (inner == NULL) { inner = found = pytree__alg_infer(outer, t, opt, err); }
    if (inner != NULL) { all = pytree__alg_flatten(t, &mine, err); }
    if (all.def != NULL) {
        const size_t n = all.def->n_leaves;
        if (n != pytree__times(outer->n_leaves, inner->n_leaves)) {
            pytree_fail(err, PYTREE_STRUCTURE, NULL, "expected %zu times %zu leaves, outer's times inner's, got %zu",
                        outer->n_leaves, inner->n_leaves, n);
        } else if (outer->n_leaves == 0 && inner->n_leaves != 0) {
            pytree_fail(err, PYTREE_TOO_FEW_LEAVES, NULL,
                        "expected %zu leaves for the inner structure, got 0: the outer one has none",
                        inner->n_leaves);
        } else {
            turned = pytree__alg_turn(outer, inner, all.leaves, &mine, err);
        }
    }
    pytree_flat_free(&all);
    pytree_def_free(found);
    return turned;
}

/* Collects the trees of the callback: one row of leaves for each leaf of the first tree. */
struct pytree_taker {
    pytree_give_fn *fn;
    void *context;
    const pytree_def *outer, *inner;
    pytree_def *found;                    /* inner, if it was inferred */
    pytree_leaf *rows;
    size_t index, given;                  /* the current leaf; trees so far */
    bool deeper;                          /* a row has a subtree */
    const pytree_options *opt;
    pytree_error *err;
};

/* Allocate the rows once the first tree has shown the inner structure, and so the number of leaves. */
static pytree_status pytree__alg_rows(pytree_taker *to, pytree result)
{
    if (to->inner == NULL) { to->inner = to->found = pytree_structure(result, to->opt, to->err); }
    if (to->inner == NULL) { return PYTREE_NO_MEMORY; }
    if (to->inner->n_leaves == 0) {
        return pytree_fail(to->err, PYTREE_EMPTY, NULL, "expected an inner structure with leaves, got one without");
    }
    to->rows = (pytree_leaf *)pytree__array_new(pytree__times(to->outer->n_leaves, to->inner->n_leaves), sizeof *to->rows,
                                                pytree__allocator(to->opt), to->err);
    return to->rows == NULL ? PYTREE_NO_MEMORY : PYTREE_OK;
}

pytree_status pytree_give(pytree_taker *to, pytree result)
{
    pytree_status status = to->rows == NULL ? pytree__alg_rows(to, result) : PYTREE_OK;
    const size_t n = to->inner == NULL ? 0 : to->inner->n_leaves;
    if (status == PYTREE_OK && to->given > to->index) {
        status = pytree_fail(to->err, PYTREE_ARGUMENT, NULL, "expected one tree for leaf %zu, got a second one", to->index);
    }
    if (status == PYTREE_OK) {
        status = pytree_flatten_up_to(to->inner, result, to->rows + to->index * n, n, to->opt, to->err);
        to->given++;
    }
    return to->err->status == PYTREE_OK ? status : to->err->status;
}

static pytree_status pytree__alg_call(void *context, const pytree_iter *at)
{
    pytree_taker *to = (pytree_taker *)context;
    pytree_status status;
    to->index = at->index;
    status = to->fn(to->context, at, to);
    if (status == PYTREE_OK && to->given == to->index) {
        status = pytree_fail(to->err, PYTREE_ARGUMENT, NULL, "expected a tree for leaf %zu, got none (pytree_give)", to->index);
    }
    return status;
}

pytree_flat pytree_transpose_map(pytree_give_fn *fn, void *context, const pytree_def *inner, size_t n, const pytree *trees,
                                 const pytree_options *opt, pytree_error *err)
{
    pytree_flat turned = pytree__alg_flat(NULL, NULL);
    pytree_error own;
    pytree_taker to;
    pytree_def *outer;
    own.status = PYTREE_OK;
    own.message[0] = own.path[0] = '\0';
    if (fn == NULL || n == 0 || trees == NULL) {
        (void)pytree__alg_argument("a function and at least one tree", err);
        return turned;
    }
    outer = pytree_structure(trees[0], opt, err);
    if (outer == NULL) { return turned; }
    memset(&to, 0, sizeof to);
    to.fn = fn;
    to.context = context;
    to.outer = outer;
    to.inner = inner;
    to.opt = opt;
    to.err = &own;
    if (outer->n_leaves == 0) {
        pytree_fail(&own, PYTREE_EMPTY, NULL, "expected an outer structure with leaves, got one without");
    } else if (pytree_map(pytree__alg_call, &to, NULL, n, trees, opt, &own) == PYTREE_OK) {
        turned = pytree__alg_settle(pytree__alg_turn(outer, to.inner, to.rows, opt, &own), opt, &own);
    }
    if (to.rows != NULL) {
        pytree__array_free(to.rows, outer->n_leaves * to.inner->n_leaves, sizeof *to.rows, pytree__allocator(opt));
    }
    pytree_def_free(to.found);
    pytree_def_free(outer);
    (void)pytree__alg_status(&own, err);
    return turned;
}

/* ---- Stacks -------------------------------------------------------------------------------------------------------- */

/* Report an error with the path of a leaf. */
static pytree_status pytree__alg_leaf_error(const pytree_def *def, size_t leaf, pytree_error *err, pytree_status status,
                                            const char *message)
{
    char path[1000];
    struct pytree__text_writer text = pytree__text_to(path, sizeof path, NULL);
    pytree__alg_put_path(&text, def, pytree__node_of_leaf(def, leaf));
    pytree__end_text(&text, sizeof path);
    return pytree_fail(err, status, path, "%s", message);
}

/* Check that the leaves can be stacked, and compute the bytes of the result's data: SIZE_MAX if they do not fit. */
static pytree_status pytree__alg_measure(const pytree_flat *first, size_t n, size_t align, size_t *bytes, pytree_error *err)
{
    size_t i;
    *bytes = align;
    for (i = 0; i < first->def->n_leaves; i++) {
        const pytree_leaf *leaf = &first->leaves[i];
        if (leaf->form == PYTREE_FORM_NONE) { continue; }
        if (leaf->form == PYTREE_FORM_DEVICE) { return pytree__need_host(first->def, first->leaves, err); }
        if (leaf->form != PYTREE_FORM_LEAF) {
            return pytree__alg_leaf_error(first->def, i, err, PYTREE_TYPE, "expected leaves to stack, got a subtree");
        }
        if (leaf->ndim == PYTREE_MAX_DIMS) {
            return pytree__alg_leaf_error(first->def, i, err, PYTREE_SHAPE,
                                          "expected room for one more dimension, got PYTREE_MAX_DIMS of them");
        }
        *bytes = pytree__plus(*bytes, pytree__round(pytree__times(n, pytree_leaf_bytes(leaf)), align));
    }
    return PYTREE_OK;
}

static bool pytree__alg_has_strings(const pytree_leaf *leaf)
{
    return leaf->form == PYTREE_FORM_LEAF && leaf->type->dtype == PYTREE_STRING;
}

/* Compute the bytes of all strings in the trees, which the stack owns. The leaves are compared later. */
static pytree_status pytree__alg_measure_strings(const pytree_flat *first, size_t n, const pytree *trees, pytree_leaf *views,
                                                 size_t *bytes, const pytree_options *opt, pytree_error *err)
{
    size_t i, j, k;
    *bytes = 0;
    for (i = 0; i < first->def->n_leaves && !pytree__alg_has_strings(&first->leaves[i]); i++) {}
    for (k = 0; i < first->def->n_leaves && k < n; k++) {
        pytree_status status = pytree_flatten_up_to(first->def, trees[k], views, first->def->n_leaves, opt, err);
        if (status != PYTREE_OK) { return status; }
        for (j = i; j < first->def->n_leaves; j++) {
            const size_t count = pytree__alg_has_strings(&views[j]) ? pytree_leaf_count(&views[j]) : 0;
            size_t e;
            for (e = 0; e < count; e++) {
                const char *text = ((const char *const *)views[j].data)[e];
                if (text != NULL) { *bytes = pytree__plus(*bytes, strlen(text) + 1); }
            }
        }
    }
    return PYTREE_OK;
}

/* Replace pointers to strings by pointers to copies of them, at `to`. Return where the copies end. */
static char *pytree__alg_own_strings(char **strings, size_t n, char *to)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const size_t bytes = strings[i] == NULL ? 0 : strlen(strings[i]) + 1;
        if (bytes != 0) { strings[i] = (char *)memcpy(to, strings[i], bytes); }
        to += bytes;
    }
    return to;
}

/* Copy the leaves of tree k into the stack, and their strings to *strings, if they have the types and shapes of the first
 * tree's. */
static pytree_status pytree__alg_place(const pytree_flat *first, const pytree_leaf *views, size_t k, pytree_leaf *leaves,
                                       char **strings, pytree_error *err)
{
    size_t i;
    for (i = 0; i < first->def->n_leaves; i++) {
        const pytree_leaf *wanted = &first->leaves[i], *got = &views[i];
        const size_t size = wanted->form == PYTREE_FORM_LEAF ? pytree_leaf_bytes(wanted) : 0;
        pytree_status status = pytree__fits(wanted, got);
        if (PYTREE__UNLIKELY(status != PYTREE_OK)) {
            char a[100], b[100], message[300];
            pytree__leaf_text(a, sizeof a, wanted);
            pytree__leaf_text(b, sizeof b, got);
            snprintf(message, sizeof message, "expected %s as in the first tree, got %s in tree %zu", a,
                     pytree_is_leaf(got) || got->form == PYTREE_FORM_NONE ? b : "a subtree", k);
            return pytree__alg_leaf_error(first->def, i, err, status, message);
        }
        if (size != 0) { memcpy((char *)leaves[i].data + k * size, got->data, size); }
        if (pytree__alg_has_strings(wanted)) {
            *strings = pytree__alg_own_strings((char **)leaves[i].data + k * pytree_leaf_count(wanted),
                                               pytree_leaf_count(wanted), *strings);
        }
    }
    return PYTREE_OK;
}

/* Lay out the leaves of the stack in its block, without data. Return where the strings begin. */
static char *pytree__alg_lay_out(const pytree_flat *first, size_t n, size_t align, pytree_leaf *leaves)
{
    size_t i;
    uintptr_t at = (uintptr_t)(leaves + first->def->n_leaves);
    char *data = (char *)(leaves + first->def->n_leaves) + (align - at % align) % align;
    for (i = 0; i < first->def->n_leaves; i++) {
        const pytree_leaf *leaf = &first->leaves[i];
        int k;
        pytree__copy_view(&leaves[i], leaf);
        if (leaf->form == PYTREE_FORM_NONE) { continue; }
        for (k = leaf->ndim; k > 0; k--) { leaves[i].shape[k] = leaf->shape[k - 1]; }
        leaves[i].shape[0] = n;
        leaves[i].ndim++;
        leaves[i].data = data;
        data += pytree__round(n * pytree_leaf_bytes(leaf), align);
    }
    return data;
}

pytree_flat pytree_stack(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    pytree_flat first = pytree__alg_flat(NULL, NULL), stack = first;
    pytree_leaf *views = NULL, *leaves = NULL;
    pytree_def *def = NULL;
    size_t align, bytes, string_bytes = 0, k;
    pytree_status status = PYTREE_OK;
    char *strings;
    if (n == 0 || trees == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at least one tree, got none");
        return stack;
    }
    if (pytree__new_alignment(opt, &align, err) != PYTREE_OK) { return stack; }
    first = pytree__alg_flatten(trees[0], opt, err);
    if (first.def == NULL || pytree__alg_measure(&first, n, align, &bytes, err) != PYTREE_OK) {
        pytree_flat_free(&first);
        return stack;
    }
    views = (pytree_leaf *)pytree__array_new(first.def->n_leaves, sizeof *views, pytree__allocator(opt), err);
    if (views != NULL) { status = pytree__alg_measure_strings(&first, n, trees, views, &string_bytes, opt, err); }
    if (views != NULL && status == PYTREE_OK) {
        def = pytree__alg_copy(first.def, pytree__plus(bytes, string_bytes), &leaves, opt, err);
    }
    if (def != NULL) {
        strings = pytree__alg_lay_out(&first, n, align, leaves);
        for (k = 0; k < n && status == PYTREE_OK; k++) {
            status = pytree_flatten_up_to(first.def, trees[k], views, first.def->n_leaves, opt, err);
            if (status == PYTREE_OK) { status = pytree__alg_place(&first, views, k, leaves, &strings, err); }
        }
        if (status == PYTREE_OK) {
            stack = pytree__alg_flat(def, leaves);
        } else {
            pytree_def_free(def);
        }
    }
    pytree__array_free(views, first.def->n_leaves, sizeof *views, pytree__allocator(opt));
    pytree_flat_free(&first);
    return stack;
}

/* Replace a leaf by its slice. Return PYTREE_SHAPE if it has no axis, PYTREE_ARGUMENT if the axis is too short. */
static pytree_status pytree__alg_slice(pytree_leaf *leaf, ptrdiff_t i)
{
    size_t at, size;
    int k;
    if (leaf->form == PYTREE_FORM_NONE) { return PYTREE_OK; }
    if (!pytree_is_leaf(leaf) || leaf->ndim == 0) { return PYTREE_SHAPE; }
    at = i < 0 ? leaf->shape[0] - (0 - (size_t)i) : (size_t)i;             /* wraps around if out of range */
    if (at >= leaf->shape[0]) { return PYTREE_ARGUMENT; }
    size = leaf->type->size;
    for (k = 1; k < leaf->ndim; k++) {
        size *= leaf->shape[k];
        leaf->shape[k - 1] = leaf->shape[k];
    }
    leaf->ndim--;
    if (leaf->data != NULL) { leaf->data = (char *)leaf->data + at * size; }
    return PYTREE_OK;
}

pytree_flat pytree_slice(pytree t, ptrdiff_t i, const pytree_options *opt, pytree_error *err)
{
    pytree_flat flat = pytree__alg_flatten(t, opt, err);
    pytree_leaf *leaves = (pytree_leaf *)(uintptr_t)flat.leaves;
    size_t k;
    for (k = 0; flat.def != NULL && k < flat.def->n_leaves; k++) {
        pytree_status status = pytree__alg_slice(&leaves[k], i);
        if (status != PYTREE_OK) {
            char words[100], message[200];
            snprintf(words, sizeof words, "a subtree");
            if (pytree_is_leaf(&leaves[k])) { pytree__leaf_text(words, sizeof words, &leaves[k]); }
            snprintf(message, sizeof message, "expected a slice %lld along the first axis, got %s", (long long)i, words);
            (void)pytree__alg_leaf_error(flat.def, k, err, status, message);
            pytree_flat_free(&flat);
        }
    }
    return flat;
}

#include "partition.h"
#endif
