/* pytree/impl/diff.h: the difference of two trees. */
#ifndef PYTREE_IMPL_DIFF_H
#define PYTREE_IMPL_DIFF_H

#include "partition.h"

/* ---- Differences --------------------------------------------------------------------------------------------------- */

/* A pair of nodes, one of each tree, that is still to be compared or was found to differ. */
struct pytree__alg_pair {
    pytree_change kind;                   /* PYTREE_CHANGED: to be compared, or found to differ */
    size_t a, b;                          /* the roots */
    size_t leaf_a, leaf_b;                /* leaves up to their ends */
};

struct pytree__alg_diff {
    pytree_flat a, b;
    const pytree_tolerance *tolerance;    /* of all leaves, unless: */
    const pytree_tolerance *(*tolerance_of)(const void *context, size_t leaf);       /* of each leaf of a; NULL: see above */
    const void *context;
    const pytree_options *opt;
    pytree_error *err;
    struct pytree__alg_pair *found, *open;
    size_t n_found, max_found, n_open, max_open;
    struct pytree__alg_trail trail_a, trail_b;
    bool failed;                          /* memory ran out while subtrees were compared */
};

static bool pytree__alg_found(struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    void *grown = pytree__array_grow(d->found, &d->max_found, d->n_found + 1, sizeof *d->found, pytree__allocator(d->opt),
                                     d->err);
    if (grown == NULL) { return false; }
    d->found = (struct pytree__alg_pair *)grown;
    d->found[d->n_found++] = *pair;
    return true;
}

/* Tell whether two leaves, x of the tree a, are equal. If only a value differs, *element is its index, otherwise SIZE_MAX. */
static bool pytree__alg_equal(struct pytree__alg_diff *d, const pytree_leaf *x, const pytree_leaf *y, size_t *element)
{
    const pytree_tolerance *const tolerance = d->tolerance_of == NULL ? d->tolerance
                                                                      : d->tolerance_of(d->context, (size_t)(x - d->a.leaves));
    *element = SIZE_MAX;
    if (x->form != y->form) { return false; }
    if (x->form == PYTREE_FORM_NONE) { return true; }
    if (x->form != PYTREE_FORM_LEAF) {
        const pytree_status status = pytree__alg_compare_subtrees(x, y, tolerance, d->opt, d->err);
        if (status == PYTREE_NO_MEMORY) { d->failed = true; }
        return status == PYTREE_OK;
    }
    if (pytree__fits(x, y) != PYTREE_OK) { return false; }
    *element = pytree__first_difference(x, y, tolerance);
    return *element == SIZE_MAX;
}

/* Push the children of two nodes of one type, the first on top: pairs with the same key, and children without a partner. */
static bool pytree__alg_open_pair(struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    struct pytree__alg_both both;
    struct pytree__alg_pair *next;
    size_t i = 0, j = 0, k, n;
    void *grown;
    if (!pytree__alg_both_children(&both, d->a.def, pair->a, pair->leaf_a, d->b.def, pair->b, pair->leaf_b, d->opt, d->err)) {
        return false;
    }
    grown = pytree__array_grow(d->open, &d->max_open, d->n_open + both.n_a + both.n_b, sizeof *d->open,
                               pytree__allocator(d->opt), d->err);
    if (grown != NULL) {
        d->open = (struct pytree__alg_pair *)grown;
        next = d->open + d->n_open;
        for (n = 0; i < both.n_a || j < both.n_b; n++) {
            const int order = i == both.n_a ? 1 : j == both.n_b ? -1 : pytree__alg_order(&both.a[i], &both.b[j]);
            next[n].kind = order < 0 ? PYTREE_REMOVED : order > 0 ? PYTREE_ADDED : PYTREE_CHANGED;
            next[n].a = order > 0 ? 0 : both.a[i].node;
            next[n].leaf_a = order > 0 ? 0 : both.a[i].leaf;
            next[n].b = order < 0 ? 0 : both.b[j].node;
            next[n].leaf_b = order < 0 ? 0 : both.b[j].leaf;
            i += order <= 0;
            j += order >= 0;
        }
        for (k = 0; k < n / 2; k++) {
            struct pytree__alg_pair first = next[k];
            next[k] = next[n - 1 - k];
            next[n - 1 - k] = first;
        }
        d->n_open += n;
    }
    pytree__alg_both_free(&both, d->opt);
    return grown != NULL;
}

/* Tell whether two ordered dicts have the same keys in another order. */
static bool pytree__alg_reordered(const struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    const unsigned char *p = pytree__keys_of(d->a.def, pair->a), *q = pytree__keys_of(d->b.def, pair->b);
    struct pytree__alg_child x, y;
    uint32_t i;
    bool same = true;
    if (pytree__traits(d->a.def->nodes[pair->a].type)->order != PYTREE__ORDER_KEPT
        || d->a.def->nodes[pair->a].arity != d->b.def->nodes[pair->b].arity) {
        return false;
    }
    for (i = 0; i < d->a.def->nodes[pair->a].arity && same; i++) {
        p = pytree__key_at(p, &x.key, NULL);
        q = pytree__key_at(q, &y.key, NULL);
        same = pytree__alg_order(&x, &y) == 0;
    }
    return !same;
}

/* Compare one pair: record a difference, or push its children. */
static bool pytree__alg_compare(struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    const pytree_node *x, *y;
    size_t element;
    if (pair->kind != PYTREE_CHANGED) { return pytree__alg_found(d, pair); }
    x = &d->a.def->nodes[pair->a];
    y = &d->b.def->nodes[pair->b];
    if (x->type == NULL && y->type == NULL) {
        return pytree__alg_equal(d, &d->a.leaves[pair->leaf_a - 1], &d->b.leaves[pair->leaf_b - 1], &element)
            || (!d->failed && pytree__alg_found(d, pair));
    }
    if (x->type == NULL || y->type == NULL || !pytree_type_equal(x->type, y->type)) { return pytree__alg_found(d, pair); }
    if (pytree__traits(x->type)->meta == PYTREE__META_NAME && !pytree__alg_same_statics(d->a.def, pair->a, d->b.def, pair->b)) {
        return pytree__alg_found(d, pair);
    }
    if (!pytree__alg_same_own(d->a.def, pair->a, d->b.def, pair->b) || pytree__alg_reordered(d, pair)) {
        if (!pytree__alg_found(d, pair)) { return false; }
    }
    return pytree__alg_open_pair(d, pair);
}

/* Compare the leaves of two trees of equal structure. */
static bool pytree__alg_compare_leaves(struct pytree__alg_diff *d)
{
    struct pytree__alg_pair pair;
    size_t element;
    pair.kind = PYTREE_CHANGED;
    pair.leaf_a = 0;
    for (pair.a = 0; pair.a < d->a.def->n_nodes; pair.a++) {
        if (d->a.def->nodes[pair.a].type != NULL) { continue; }
        pair.b = pair.a;
        pair.leaf_b = ++pair.leaf_a;
        if (!pytree__alg_equal(d, &d->a.leaves[pair.leaf_a - 1], &d->b.leaves[pair.leaf_a - 1], &element)
            && (d->failed || !pytree__alg_found(d, &pair))) {
            return false;
        }
    }
    return true;
}

/* Describe one side of a difference. */
static void pytree__alg_put_side(struct pytree__text_writer *text, const pytree_flat *flat, size_t node, size_t leaf,
                                 size_t element)
{
    const pytree_leaf *view = &flat->leaves[leaf - (leaf != 0)];
    char words[200];
    if (flat->def->nodes[node].type != NULL) {
        pytree__alg_put_node(text, flat->def, node);
    } else if (view->form != PYTREE_FORM_LEAF && view->form != PYTREE_FORM_NONE) {
        pytree__put_text(text, pytree__view_name(view));
    } else if (element == SIZE_MAX) {
        pytree__leaf_text(words, sizeof words, view);
        pytree__put_text(text, words);
    } else {
        struct pytree__text_writer to = pytree__text_to(words, sizeof words, NULL);
        pytree__put_value(&to, view, element);
        pytree__end_text(&to, sizeof words);
        pytree__alg_put_cut(text, words);
        if (view->ndim != 0) {
            pytree__put_text(text, " at element ");
            pytree__put_number(text, element);
        }
    }
}

static bool pytree__alg_put_difference(struct pytree__alg_sink *sink, struct pytree__alg_diff *d,
                                       const struct pytree__alg_pair *pair, pytree_difference *difference)
{
    struct pytree__alg_trail *trail = pair->kind == PYTREE_ADDED ? &d->trail_b : &d->trail_a;
    size_t element = SIZE_MAX;
    if (!pytree__alg_go_to(trail, pair->kind == PYTREE_ADDED ? pair->b : pair->a)) { return false; }
    if (pair->kind == PYTREE_CHANGED && d->a.def->nodes[pair->a].type == NULL && d->b.def->nodes[pair->b].type == NULL) {
        (void)pytree__alg_equal(d, &d->a.leaves[pair->leaf_a - 1], &d->b.leaves[pair->leaf_b - 1], &element);
    }
    difference->kind = pair->kind;
    difference->path = pytree__alg_begin(sink);
    pytree__alg_put_trail(&sink->text, trail, SIZE_MAX / 2);
    pytree__alg_finish(sink);
    difference->a = difference->b = NULL;
    if (pair->kind != PYTREE_ADDED) {
        difference->a = pytree__alg_begin(sink);
        pytree__alg_put_side(&sink->text, &d->a, pair->a, pair->leaf_a, element);
        pytree__alg_finish(sink);
    }
    if (pair->kind != PYTREE_REMOVED) {
        difference->b = pytree__alg_begin(sink);
        pytree__alg_put_side(&sink->text, &d->b, pair->b, pair->leaf_b, element);
        pytree__alg_finish(sink);
    }
    return true;
}

/* Make the result, one block: the list, its differences, their strings. */
static pytree_difference_list *pytree__alg_differences(struct pytree__alg_diff *d)
{
    struct pytree__alg_sink sink;
    pytree_difference_list *list = NULL;
    pytree_difference one, *differences;
    size_t i, bytes;
    bool good = true;
    memset(&sink, 0, sizeof sink);
    for (i = 0; i < d->n_found && good; i++) { good = pytree__alg_put_difference(&sink, d, &d->found[i], &one) && !d->failed; }
    bytes = sizeof *list + d->n_found * sizeof *differences + sink.text.length;
    if (good) { list = (pytree_difference_list *)pytree__array_new(bytes, 1, pytree__allocator(d->opt), d->err); }
    if (list == NULL) { return NULL; }
    differences = (pytree_difference *)(void *)(list + 1);
    list->n = d->n_found;
    list->differences = differences;
    list->allocator = pytree__allocator(d->opt);
    list->bytes = bytes;
    sink.text.at = (char *)(differences + d->n_found);
    sink.text.room = sink.text.length;
    sink.text.length = 0;
    /* the trails need no more memory in this second pass */
    for (i = 0; i < d->n_found; i++) { (void)pytree__alg_put_difference(&sink, d, &d->found[i], &differences[i]); }
    return list;
}

/* Compare two trees with the tolerances and options that are in *d, all else of which is zero. */
static pytree_difference_list *pytree__alg_diff_run(struct pytree__alg_diff *d, pytree a, pytree b)
{
    pytree_difference_list *list = NULL;
    struct pytree__alg_pair root;
    bool good;
    d->a = pytree__alg_flatten(a, d->opt, d->err);
    if (d->a.def != NULL) { d->b = pytree__alg_flatten(b, d->opt, d->err); }
    good = d->b.def != NULL && pytree__need_host(d->a.def, d->a.leaves, d->err) == PYTREE_OK
        && pytree__need_host(d->b.def, d->b.leaves, d->err) == PYTREE_OK;
    if (good && pytree_def_equal(d->a.def, d->b.def)) {
        good = pytree__alg_compare_leaves(d);
    } else if (good) {
        root.kind = PYTREE_CHANGED;
        root.a = d->a.def->n_nodes - 1;
        root.b = d->b.def->n_nodes - 1;
        root.leaf_a = d->a.def->n_leaves;
        root.leaf_b = d->b.def->n_leaves;
        good = pytree__alg_compare(d, &root);
    }
    while (good && d->n_open != 0) {
        struct pytree__alg_pair next = d->open[--d->n_open];
        good = pytree__alg_compare(d, &next);
    }
    if (good) {
        pytree__alg_trail_begin(&d->trail_a, d->a.def, d->opt, d->err);
        pytree__alg_trail_begin(&d->trail_b, d->b.def, d->opt, d->err);
        list = pytree__alg_differences(d);
        pytree__alg_trail_end(&d->trail_a);
        pytree__alg_trail_end(&d->trail_b);
    }
    pytree__array_free(d->found, d->max_found, sizeof *d->found, pytree__allocator(d->opt));
    pytree__array_free(d->open, d->max_open, sizeof *d->open, pytree__allocator(d->opt));
    pytree_flat_free(&d->a);
    pytree_flat_free(&d->b);
    return list;
}

pytree_difference_list *pytree_diff(pytree a, pytree b, const pytree_tolerance *tolerance, const pytree_options *opt,
                                    pytree_error *err)
{
    struct pytree__alg_diff d;
    memset(&d, 0, sizeof d);
    d.tolerance = tolerance;
    d.opt = opt;
    d.err = err;
    return pytree__alg_diff_run(&d, a, b);
}

void pytree_diff_free(pytree_difference_list *list)
{
    if (list != NULL) { (void)pytree__resize(list->allocator, list, list->bytes, 0); }
}

static void pytree__alg_put_differences(struct pytree__text_writer *text, const pytree_difference_list *list)
{
    static const char marks[] = "-+!";
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {
        const pytree_difference *one = &list->differences[i];
        pytree__text_put(text, &marks[one->kind], 1);
        pytree__text_put(text, " ", 1);
        pytree__put_text(text, one->path);
        pytree__text_put(text, ": ", 2);
        if (one->a != NULL) { pytree__put_text(text, one->a); }
        if (one->a != NULL && one->b != NULL) { pytree__put_text(text, " -> "); }
        if (one->b != NULL) { pytree__put_text(text, one->b); }
        pytree__text_put(text, "\n", 1);
    }
}

size_t pytree_diff_text(const pytree_difference_list *list, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__alg_put_differences(&to, list);
    return pytree__end_text(&to, n);
}

pytree_status pytree_diff_print(FILE *file, const pytree_difference_list *list, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree__alg_put_differences(&to, list);
    return pytree__written(file, err);
}

#endif
