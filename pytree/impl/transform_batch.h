/* pytree/impl/transform_batch.h: PYTREE_BATCH: one call for each element of containers. */
#ifndef PYTREE_IMPL_TRANSFORM_BATCH_H
#define PYTREE_IMPL_TRANSFORM_BATCH_H

#include "transform_branches.h"

struct pytree__tf_batch {
    struct pytree__fn_bound *child;
    size_t n;                             /* elements; SIZE_MAX: nothing is batched */
    size_t *from;                         /* of leaf j: the argument's leaf in element 0, */
    size_t *step;                         /* and how many leaves further it is in the next element */
    pytree_def *container;                /* with leaves for elements; NULL: nothing is batched */
    /* A batch of batches gives containers of containers where the innermost function has leaves. */
    const pytree_def *base, *element;     /* what that function gives; what stands for its leaf in an element, */
    size_t n_element;                     /* and the leaves of that */
};

/* The arguments, seen as leaves of `like`. */
struct pytree__tf_batched {
    const pytree_def *like;
    pytree_leaf *subtrees;                /* a leaf or a subtree for each leaf of like */
    pytree_leaf *elements;                /* the same, of one element */
    bool *batched;
};

static const pytree_fn *pytree__tf_batch_inner(const pytree_fn *f) { return ((const pytree_batch_of *)f->context)->f; }
static bool pytree__tf_batch_says(const pytree_fn *f) { return pytree__fn_says(pytree__tf_batch_inner(f)); }

/* pytree_options.is_leaf: a container all of whose children are leaves. */
static bool pytree__tf_innermost(void *context, const pytree_leaf *value, const pytree_path *path)
{
    const pytree_node *node;
    (void)context;
    (void)path;
    if (value->form != PYTREE_FORM_FLAT) { return false; }
    node = &((const pytree_flat *)value->data)->def->nodes[value->shape[0]];
    return !pytree__namespaced(node) && node->arity != 0 && node->leaves == node->arity && node->nodes == node->arity + 1;
}

/* pytree_options.is_leaf: whatever is below the root. */
static bool pytree__tf_below(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n != 0;
}

/* Finds what is batched: the arguments' subtrees at the leaves of `like`, and the prefix of booleans spread over them. */
static pytree_status pytree__tf_batch_seen(struct pytree__fn_bound *b, struct pytree__tf_batched *seen)
{
    const pytree_batch_of *of = (const pytree_batch_of *)b->fn->context;
    pytree_options options = b->plan->tree;
    pytree_leaf *flags;
    pytree_status status = PYTREE_OK;
    size_t i, n;
    seen->like = of->like;
    if (seen->like == NULL) {
        options.is_leaf = pytree__tf_innermost;
        seen->like = pytree_structure(b->at.all, &options, b->err);
        options.is_leaf = NULL;
        if (seen->like == NULL) { return pytree__fn_trouble(b); }
    }
    n = seen->like->n_leaves;
    seen->subtrees = (pytree_leaf *)pytree__fn_take(b->plan, n, sizeof *seen->subtrees);
    seen->elements = (pytree_leaf *)pytree__fn_take(b->plan, n, sizeof *seen->elements);
    seen->batched = (bool *)pytree__fn_take(b->plan, n, sizeof *seen->batched);
    flags = (pytree_leaf *)pytree__fn_take(b->plan, n, sizeof *flags);
    if (seen->subtrees == NULL || seen->elements == NULL || seen->batched == NULL || flags == NULL) { return PYTREE_NO_MEMORY; }
    status = pytree_flatten_up_to(seen->like, b->at.all, seen->subtrees, n, &options, b->err);
    for (i = 0; i < n; i++) { seen->batched[i] = true; }
    if (status != PYTREE_OK || of->in_axes.type == NULL) { return status; }
    status = pytree_broadcast_leaves(of->in_axes, seen->like, flags, n, "in_axes", &options, NULL);
    if (status != PYTREE_OK) { return pytree__tf_no_prefix(b, of->in_axes, seen->like, "in_axes", &options); }
    for (i = 0; i < n && status == PYTREE_OK; i++) {
        if (flags[i].type->dtype != PYTREE_BOOL8 || flags[i].ndim != 0) {
            char got[PYTREE__SIDE];
            pytree__leaf_text(got, sizeof got, &flags[i]);
            status = pytree__fn_fail(b, PYTREE_TYPE, seen->like, pytree__fn_node_of(seen->like, i),
                                     "in_axes: expected a bool, got %s", got);
        } else {
            seen->batched[i] = pytree_leaf_get(&flags[i], 0) != 0;
        }
    }
    return status;
}

/* The leaves of the subtree at leaf i of `like`. */
static size_t pytree__tf_batch_leaves(const struct pytree__tf_batched *seen, size_t i)
{
    const pytree_leaf *view = &seen->subtrees[i];
    if (view->form == PYTREE_FORM_LEAF) { return 1; }
    return view->form == PYTREE_FORM_FLAT ? ((const pytree_flat *)view->data)->def->nodes[view->shape[0]].leaves : 0;
}

/* Looks at a batched subtree, whose leaves begin at b->in[first]: its container must be that of the others, its elements must
 * be alike. */
static pytree_status pytree__tf_batch_look(struct pytree__fn_bound *b, struct pytree__tf_batch *s,
                                           const struct pytree__tf_batched *seen, size_t i, size_t first)
{
    const pytree_leaf *view = &seen->subtrees[i];
    const size_t at = pytree__fn_node_of(seen->like, i);
    const pytree t = pytree_of_view(view);
    pytree_options options = b->plan->tree;
    pytree_def *container, *whole;
    pytree_leaf *children;
    size_t k, *offsets = NULL;
    const pytree_def *const *parts;
    if (view->form != PYTREE_FORM_FLAT) {
        char got[PYTREE__SIDE];
        pytree__leaf_text(got, sizeof got, view);
        return pytree__fn_fail(b, PYTREE_STRUCTURE, seen->like, at,
                               "expected a container with an element for each call, got %s", got);
    }
    options.is_leaf = pytree__tf_below;
    container = pytree_structure(t, &options, b->err);
    options.is_leaf = NULL;
    whole = container == NULL ? NULL : pytree_structure(t, &options, b->err);
    parts = whole == NULL ? NULL : pytree__fn_split(b->plan, whole, &offsets);
    if (parts == NULL) { return pytree__fn_trouble(b); }
    if (s->container == NULL) {
        s->container = container;
        s->n = pytree_def_num_children(container);
    } else if (!pytree_def_equal(s->container, container)) {
        char one[PYTREE__SIDE], other[PYTREE__SIDE];
        pytree__fn_node_text(one, sizeof one, s->container, NULL, s->container->n_nodes - 1);
        pytree__fn_node_text(other, sizeof other, container, NULL, container->n_nodes - 1);
        return pytree__fn_fail(b, PYTREE_STRUCTURE, seen->like, at, "expected one container for all, %s, got %s", one, other);
    }
    if (s->n == 0) { return pytree__fn_fail(b, PYTREE_ARGUMENT, seen->like, at, "expected at least one element, got none"); }
    for (k = 1; k < s->n; k++) {
        const pytree_status status = pytree__fn_compare(b, "element", parts[0], b->in + first, parts[k],
                                                        b->in + first + offsets[k]);
        if (status != PYTREE_OK) { return status; }
    }
    children = (pytree_leaf *)pytree__fn_take(b->plan, s->n, sizeof *children);
    if (children == NULL) { return PYTREE_NO_MEMORY; }
    if (pytree_children(t, children, NULL, s->n, NULL, &options, b->err) != PYTREE_OK) { return b->err->status; }
    seen->elements[i] = children[0];
    return PYTREE_OK;
}

/* Binds the function to one element, and notes where the leaves of each element come from. */
static pytree_status pytree__tf_batch_child(struct pytree__fn_bound *b, struct pytree__tf_batch *s,
                                            const struct pytree__tf_batched *seen)
{
    pytree_flat element;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    const pytree_def *const *defs;
    size_t *first = NULL, i, j = 0, from = 0, n_in;
    pytree t;
    pytree_status status;
    element.def = seen->like;
    element.leaves = seen->elements;
    t.type = &pytree_types[PYTREE__T_flat];
    t.data = &element;
    status = pytree_flatten(t, &leaves, 0, &def, &b->plan->tree, b->err);
    defs = status != PYTREE_OK ? NULL : pytree__fn_split(b->plan, def, &first);
    if (defs == NULL) { return pytree__fn_trouble(b); }
    s->child = pytree__fn_child(b, pytree__tf_batch_inner(b->fn), b->n_args, defs, NULL);
    if (s->child == NULL) { return pytree__fn_trouble(b); }
    n_in = s->child->n_in;
    s->from = (size_t *)pytree__fn_take(b->plan, n_in, sizeof *s->from);
    s->step = (size_t *)pytree__fn_take(b->plan, n_in, sizeof *s->step);
    if (s->from == NULL || s->step == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < seen->like->n_leaves; i++) {               /* they lie in the order of `like` */
        const size_t all = pytree__tf_batch_leaves(seen, i), m = seen->batched[i] ? all / s->n : all;
        size_t k;
        for (k = 0; k < m; k++, j++) {
            s->from[j] = from + k;
            s->step[j] = seen->batched[i] ? m : 0;
            s->child->in[j] = b->in[from + k];
        }
        from += all;
    }
    return pytree__fn_bind(s->child);
}

/* Where leaf j of element i is in the result. */
static size_t pytree__tf_batch_place(const struct pytree__tf_batch *s, size_t j, size_t i)
{
    return (j / s->n_element * s->n + i) * s->n_element + j % s->n_element;
}

/* The result has a container of elements in the place of each leaf. */
static pytree_status pytree__tf_batch_result(struct pytree__fn_bound *b, struct pytree__tf_batch *s)
{
    struct pytree__fn_bound *c = s->child;
    const struct pytree__tf_batch *below =
        c->fn->kind == &pytree_batch_kind ? (const struct pytree__tf_batch *)c->state : NULL;
    const pytree_def *def;
    pytree_leaf *views;
    size_t j, k;
    if (below != NULL && below->container == NULL) { below = NULL; }
    s->base = below != NULL ? below->base : c->def;
    s->element = below != NULL ? below->element : &pytree_leaf_def;
    if (s->container == NULL) {
        s->n_element = s->element->n_leaves;
        return pytree__fn_result(b, c->def, c->out);
    }
    if (below != NULL) {
        s->element = pytree_def_compose(below->container, below->element, &b->plan->tree, b->err);
        if (s->element == NULL) { return pytree__fn_trouble(b); }
    }
    s->n_element = s->element->n_leaves;
    def = pytree_def_compose(s->container, s->element, &b->plan->tree, b->err);
    if (def != NULL) { def = pytree_def_compose(s->base, def, &b->plan->tree, b->err); }
    views = def == NULL ? NULL : (pytree_leaf *)pytree__fn_take(b->plan, def->n_leaves, sizeof *views);
    if (views == NULL) { return pytree__fn_trouble(b); }
    for (j = 0; j < c->n_out; j++) {
        for (k = 0; k < s->n; k++) { views[pytree__tf_batch_place(s, j, k)] = c->out[j]; }
    }
    return pytree__fn_result(b, def, views);
}

static pytree_status pytree__tf_batch_bind(struct pytree__fn_bound *b)
{
    struct pytree__tf_batch *s = (struct pytree__tf_batch *)pytree__fn_take(b->plan, 1, sizeof *s);
    struct pytree__tf_batched seen;
    pytree_status status;
    size_t i, first = 0;
    if (s == NULL) { return PYTREE_NO_MEMORY; }
    b->state = s;
    s->n = 1;
    if (!pytree__tf_batch_says(b->fn)) { return pytree__tf_unknown(b, pytree__tf_batch_inner(b->fn)); }
    status = pytree__fn_trees(b);
    if (status == PYTREE_OK) { status = pytree__tf_batch_seen(b, &seen); }
    for (i = 0; status == PYTREE_OK && i < seen.like->n_leaves; i++) {
        seen.elements[i] = seen.subtrees[i];
        if (seen.batched[i]) { status = pytree__tf_batch_look(b, s, &seen, i, first); }
        first += pytree__tf_batch_leaves(&seen, i);
    }
    if (status == PYTREE_OK) { status = pytree__tf_batch_child(b, s, &seen); }
    return status != PYTREE_OK ? status : pytree__tf_batch_result(b, s);
}

static pytree_status pytree__tf_batch_run(struct pytree__fn_bound *b)
{
    const struct pytree__tf_batch *s = (const struct pytree__tf_batch *)b->state;
    struct pytree__fn_bound *c = s->child;
    pytree_status status = PYTREE_OK;
    size_t i, j;
    for (i = 0; i < s->n && status == PYTREE_OK; i++) {
        for (j = 0; j < c->n_in; j++) { c->in[j].data = b->in[s->from[j] + i * s->step[j]].data; }
        for (j = 0; j < c->n_out; j++) { c->out[j].data = b->out[pytree__tf_batch_place(s, j, i)].data; }
        c->at.index = i;
        status = pytree__fn_run(c);
    }
    return status;
}

const pytree_fn_kind pytree_batch_kind = { "batch", pytree__tf_batch_inner, pytree__tf_batch_says, pytree__tf_batch_bind,
                                           pytree__tf_batch_run, NULL };
#endif
