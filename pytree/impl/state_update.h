/* pytree/impl/state_update.h: states put back into trees: merge and update. */
#ifndef PYTREE_IMPL_STATE_UPDATE_H
#define PYTREE_IMPL_STATE_UPDATE_H

#include "state_algebra.h"

/* ---- Merge --------------------------------------------------------------------------------------------------------- */

/* Describe a leaf that a structure of `wanted` leaves and n states do not share. */
static void pytree__fail_leaf(pytree_status status, const struct pytree__places *p, size_t wanted, size_t n,
                              const struct pytree__state_side *side, pytree_error *err)
{
    const char *const name = p->at.role == NULL ? "leaf" : p->at.role->name;
    char where[PYTREE_ERROR_PATH];
    size_t i, got = 0;
    for (i = 0; i < n; i++) { got += side[i].flat.def->n_leaves; }
    pytree_path_text(&p->at.path, where, sizeof where);
    if (status == PYTREE_TOO_FEW_LEAVES) {
        pytree_fail(err, status, where, "expected %zu leaves, got %zu; this %s is in none of the %zu states", wanted, got, name,
                    n);
    } else {
        pytree_fail(err, status, where, "expected %zu leaves, got %zu; the structure has nothing here, or another state has "
                    "this %s, too", wanted, got, name);
    }
}

/* Find the leaf of a treedef's current place in n states that stand at this place or behind it. */
static const pytree_leaf *pytree__leaf_of_states(const struct pytree__places *p, size_t n, struct pytree__state_side *side,
                                                 pytree_error *err)
{
    const pytree_leaf *found = NULL;
    size_t i;
    for (i = 0; i < n; i++) {
        int order = 1;
        if (p->kept < side[i].equal) { side[i].equal = p->kept; }
        if (side[i].more) { order = pytree__place_compare(&side[i].places.at.path, &p->at.path, &side[i].equal); }
        if (order > 0) { continue; }
        if (order < 0 || found != NULL) {
            pytree__fail_leaf(PYTREE_TOO_MANY_LEAVES, &side[i].places, p->def->n_leaves, n, side, err);
            return NULL;
        }
        found = &side[i].flat.leaves[side[i].places.leaf_end - 1];
        if (!pytree__side_next(&side[i], err)) { return NULL; }
    }
    if (found == NULL) { pytree__fail_leaf(PYTREE_TOO_FEW_LEAVES, p, p->def->n_leaves, n, side, err); }
    return found;
}

pytree pytree_merge(const pytree_def *graphdef, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err)
{
    pytree made = { NULL, NULL };
    pytree_error problem;
    struct pytree__state_side *side;
    struct pytree__places p;
    pytree_flat structure;
    pytree_leaf *leaves;
    size_t i;
    problem.status = PYTREE_OK;
    if (graphdef == NULL) { pytree__no_def(err); return made; }
    side = pytree__sides_begin(n, states, true, opt, &problem);
    leaves = (pytree_leaf *)pytree__array_new(graphdef->n_leaves, sizeof *leaves, pytree__allocator(opt), &problem);
    structure = pytree__alg_flat(graphdef, NULL);
    pytree__places_begin(&p, &structure, true, opt, &problem);
    while (problem.status == PYTREE_OK && pytree__places_next(&p)) {
        const pytree_leaf *leaf = pytree__leaf_of_states(&p, n, side, &problem);
        if (leaf != NULL) { pytree__copy_view(&leaves[p.leaf_end - 1], leaf); }
    }
    for (i = 0; i < n && problem.status == PYTREE_OK; i++) {
        if (side[i].more) {
            pytree__fail_leaf(PYTREE_TOO_MANY_LEAVES, &side[i].places, graphdef->n_leaves, n, side, &problem);
        }
    }
    if (problem.status == PYTREE_OK) { made = pytree_unflatten(graphdef, graphdef->n_leaves, leaves, opt, &problem); }
    pytree__places_end(&p);
    pytree__array_free(leaves, graphdef->n_leaves, sizeof *leaves, pytree__allocator(opt));
    pytree__sides_end(side, n, opt);
    (void)pytree__alg_status(&problem, err);
    return made;
}

/* ---- Update -------------------------------------------------------------------------------------------------------- */

/* Find the leaf at a path that is none of the places of a tree: another path leads to it, too. Return false if there is
 * none. */
static bool pytree__other_path(pytree t, const pytree_place *place, pytree_leaf *leaf, const pytree_options *opt,
                               pytree_error *err)
{
    const pytree_path *const path = &place->path;
    const char *const got = place->role == NULL ? "leaf" : place->role->name;
    char where[PYTREE_ERROR_PATH];
    *leaf = pytree_get(t, path, opt, err);
    if (leaf->form != PYTREE_FORM_LEAF && pytree__is_variable(leaf->type)) {           /* a variable, also of a state */
        pytree_entry value = { PYTREE_ATTRIBUTE, "value", (pytree_key_index)-1 };
        const pytree_path inside = { 1, &value };
        const pytree_leaf variable = *leaf;
        *leaf = pytree_get(pytree_of_view(&variable), &inside, opt, err);
    }
    if (leaf->type == NULL) { return false; }
    if (leaf->form == PYTREE_FORM_LEAF) { return true; }
    pytree_path_text(path, where, sizeof where);
    if (leaf->form == PYTREE_FORM_NONE) {
        pytree_fail(err, PYTREE_STRUCTURE, where, "expected nothing for None, got a %s", got);
    } else {
        pytree_fail(err, PYTREE_STRUCTURE, where, "expected a state for a %s, got a %s", pytree__view_name(leaf), got);
    }
    return false;
}

/* Check that a leaf of a state fits the one in the tree. */
static bool pytree__check_target(const pytree_leaf *target, const pytree_leaf *leaf, const pytree_path *path, pytree_error *err)
{
    const pytree_status status = pytree__fits(target, leaf);
    char where[PYTREE_ERROR_PATH], wanted[96], got[96];
    if (status == PYTREE_OK && (!PYTREE__DEVICES || leaf->form != PYTREE_FORM_DEVICE)) { return true; }
    pytree_path_text(path, where, sizeof where);
    pytree__leaf_text(wanted, sizeof wanted, target);
    pytree__leaf_text(got, sizeof got, leaf);
    if (status == PYTREE_OK) { pytree_fail(err, PYTREE_ARGUMENT, where, "expected values on the host, got %s", got); }
    else { pytree_fail(err, status, where, "expected %s, got %s", wanted, got); }
    return false;
}

/* A struct or object of the tree, and the dict of a state whose leaves went into it: nodes, and one past the last leaves. */
struct pytree__update_noted {
    const pytree_type *type;              /* NULL: none so far */
    size_t node, leaf_end, from, from_end;
    bool whole;                           /* they all did */
};

/* What the last one of each type took: one that is like it takes the same. */
struct pytree__update_repeat {
    struct pytree__places_watch watch;
    struct pytree__state_side *side;
    const pytree_flat *flat;              /* the tree's */
    size_t equal;                         /* entries of the visit's path that are those of the state's place */
    void **to;                            /* of each leaf of the state: where it goes */
    size_t *taken;                        /* and one past the leaf of the tree; 0: it has none there */
    struct pytree__update_noted noted[PYTREE__TYPE_SLOTS];
    struct pytree__vector open;           /* of pytree__update_noted */
    pytree_error *err;
};

/* Tell whether two nodes of a state have the same nodes, keys and metadata below them. */
static bool pytree__same_part(const pytree_def *def, size_t a, size_t b)
{
    const size_t n = def->nodes[a].nodes, bytes = pytree__statics_size(def, a);
    const pytree_node *x = &def->nodes[a + 1 - n], *y = &def->nodes[b + 1 - def->nodes[b].nodes];
    size_t i, first = n;
    if (def->nodes[b].nodes != n || pytree__statics_size(def, b) != bytes) { return false; }
    for (i = 0; i < n; i++) {
        if (x[i].type != y[i].type || x[i].arity != y[i].arity) { return false; }
        if (first == n && !pytree__td_plain(&x[i])) { first = i; }
    }
    i = def->nodes[a].meta - x[first].meta;
    return def->nodes[b].meta - y[first].meta == i
        && memcmp(def->statics + x[first].meta, def->statics + y[first].meta, i + bytes) == 0;
}

/* Let the leaves of a dict go where those of the noted one went. Returns false if they do not fit. */
static bool pytree__update_take(struct pytree__update_repeat *r, const struct pytree__update_noted *noted, size_t leaf_end,
                                size_t from_end)
{
    size_t k = r->side->flat.def->nodes[noted->from].leaves;
    for (; k != 0; k--) {
        const size_t leaf = r->taken[noted->from_end - k] - noted->leaf_end + leaf_end;
        if (pytree__fits(&r->flat->leaves[leaf - 1], &r->side->flat.leaves[from_end - k]) != PYTREE_OK) { return false; }
        r->to[from_end - k] = r->flat->leaves[leaf - 1].data;
        r->taken[from_end - k] = leaf;
    }
    return true;
}

static struct pytree__update_noted *pytree__update_slot(struct pytree__update_repeat *r, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    size_t i;
    for (i = 0; i < PYTREE__TYPE_SLOTS; i++) {
        struct pytree__update_noted *const at = &r->noted[(slot + i) % PYTREE__TYPE_SLOTS];
        if (at->type == type || at->type == NULL) { return at; }
    }
    return NULL;
}

/* Find the open dict of the state at the path of the tree's visit; NULL if there is none. All entries but the last are those of
 * the node above, which has been asked about. */
static const struct pytree__place_frame *pytree__update_dict(const struct pytree__places *p, struct pytree__update_repeat *r)
{
    const struct pytree__places *const from = &r->side->places;
    const pytree_entry *const a = (const pytree_entry *)p->path.data, *const b = (const pytree_entry *)from->path.data;
    const size_t n = p->path.count;
    size_t i = r->equal < n ? r->equal : n - 1;
    for (; i < n && i < from->path.count && pytree__key_compare(&a[i], &b[i]) == 0; i++) {}
    r->equal = i;
    return i < n || from->frames.count <= n ? NULL : (const struct pytree__place_frame *)from->frames.data + n;
}

/* Go to the next place of the state. */
static bool pytree__update_next(struct pytree__update_repeat *r)
{
    const bool good = pytree__side_next(r->side, r->err);
    if (r->side->places.kept < r->equal) { r->equal = r->side->places.kept; }
    return good;
}

static int pytree__update_enter(struct pytree__places *p, size_t node, size_t leaf_end)
{
    struct pytree__update_repeat *const r = (struct pytree__update_repeat *)p->watch->context;
    const pytree_type *const type = p->def->nodes[node].type;
    const bool one = type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM;
    const struct pytree__place_frame *const dict = p->path.count != 0 && r->side->more ? pytree__update_dict(p, r) : NULL;
    const struct pytree__update_noted *const at = dict == NULL || !one ? NULL : pytree__update_slot(r, type);
    struct pytree__update_noted *noting;
    if (at == NULL) { return PYTREE__PLACES_OPEN; }
    if (at->whole && pytree__same_below(p->def, at->node, node) && pytree__same_part(r->side->flat.def, at->from, dict->node)
        && pytree__update_take(r, at, leaf_end, dict->leaf_end)) {
        pytree__places_leave(&r->side->places, p->path.count);
        r->side->equal = 0;
        if (!pytree__update_next(r)) { p->status = r->err->status; }
        return PYTREE__PLACES_DONE;
    }
    noting = (struct pytree__update_noted *)pytree__vector_add(&r->open, 1, r->err);
    if (noting == NULL) { p->status = PYTREE_NO_MEMORY; return PYTREE__PLACES_DONE; }
    noting->type = type;
    noting->node = node;
    noting->leaf_end = leaf_end;
    noting->from = dict->node;
    noting->from_end = dict->leaf_end;
    return PYTREE__PLACES_NOTED;
}

/* Note what the struct or object that is left has taken. */
static void pytree__update_leave(struct pytree__places *p)
{
    struct pytree__update_repeat *const r = (struct pytree__update_repeat *)p->watch->context;
    struct pytree__update_noted noting = ((const struct pytree__update_noted *)r->open.data)[--r->open.count];
    struct pytree__update_noted *const at = pytree__update_slot(r, noting.type);
    size_t k = r->side->flat.def->nodes[noting.from].leaves;
    noting.whole = true;
    for (; k != 0; k--) {
        const size_t leaf = r->taken[noting.from_end - k];     /* none behind the node: they are visited in their order */
        if (leaf <= noting.leaf_end - p->def->nodes[noting.node].leaves) { noting.whole = false; }
    }
    if (at != NULL) { *at = noting; }
}

/* Find where each leaf of the state goes in a tree, whose places are visited from the first one on. */
static void pytree__update_find(pytree t, struct pytree__update_repeat *r, struct pytree__places *p, const pytree_options *opt,
                                pytree_error *err)
{
    struct pytree__state_side *const side = r->side;
    const struct pytree__places *const from = &side->places;
    bool more = pytree__places_next(p);
    while (err->status == PYTREE_OK && side->more) {
        const int order = more ? pytree__place_compare(&p->at.path, &from->at.path, &side->equal) : 1;
        const pytree_leaf *leaf, *target;
        pytree_leaf other;
        if (order < 0) {
            more = pytree__places_next(p);
            if (p->kept < side->equal) { side->equal = p->kept; }
            continue;
        }
        leaf = &side->flat.leaves[from->leaf_end - 1];
        target = &other;
        if (order == 0) { target = &r->flat->leaves[p->leaf_end - 1]; }
        else if (!pytree__other_path(t, &from->at, &other, opt, err)) { break; }
        if (!pytree__check_target(target, leaf, &from->at.path, err)) { break; }
        r->to[from->leaf_end - 1] = target->data;
        r->taken[from->leaf_end - 1] = order == 0 ? p->leaf_end : 0;
        (void)pytree__update_next(r);
    }
}

/* Find where each leaf of a state goes in a tree: to[i] for its leaf i. */
static void pytree__update_targets(pytree t, const pytree_flat *flat, struct pytree__state_side *side, void **to,
                                   const pytree_options *opt, pytree_error *err)
{
    const size_t n = side->flat.def->n_leaves;
    struct pytree__update_repeat r;
    struct pytree__places p;
    r.watch.enter = pytree__update_enter;
    r.watch.leave = pytree__update_leave;
    r.watch.context = &r;
    r.side = side;
    r.equal = 0;
    r.flat = flat;
    r.to = to;
    r.err = err;
    r.open = pytree__vector_of(sizeof(struct pytree__update_noted), pytree__allocator(opt));
    r.taken = (size_t *)pytree__array_new(n, sizeof *r.taken, pytree__allocator(opt), err);
    memset(r.noted, 0, sizeof r.noted);
    if (r.taken != NULL) {
        memset(r.taken, 0, n * sizeof *r.taken);
        pytree__places_begin(&p, flat, true, opt, err);
        p.watch = &r.watch;
        pytree__update_find(t, &r, &p, opt, err);
        pytree__places_end(&p);
    }
    pytree__array_free(r.taken, n, sizeof *r.taken, pytree__allocator(opt));
    pytree__vector_free(&r.open);
}

/* ---- Update, along paths ------------------------------------------------------------------------------------------- */

/* Begin to seek places in a tree: `holders` are the nodes that the last path led through. */
static void pytree__update_from(struct pytree__vector *holders, pytree t, pytree_error *err)
{
    pytree *root;
    holders->count = 0;
    root = (pytree *)pytree__vector_add(holders, 1, err);
    if (root != NULL) { *root = t; }
}

/* Go to what holds the current place of a state, from where the last path and this one part. Returns type NULL if `get` gives
 * nothing on the way. */
PYTREE__INLINE pytree pytree__update_seek(struct pytree__vector *holders, const struct pytree__places *places,
                                          pytree get(pytree holder, const pytree_entry *key), pytree_error *err)
{
    const pytree_path *path = &places->at.path;
    pytree next;
    if (places->kept + 1 < holders->count) { holders->count = places->kept + 1; }
    while (holders->count < path->n) {
        pytree *to;
        next = get(((const pytree *)holders->data)[holders->count - 1], &path->entries[holders->count - 1]);
        to = next.type == NULL ? NULL : (pytree *)pytree__vector_add(holders, 1, err);
        if (to == NULL) { next.type = NULL; return next; }
        *to = next;
    }
    return ((const pytree *)holders->data)[path->n - 1];
}

/* Tell whether a tree is an object, whose children are found by key. */
static bool pytree__update_grows(pytree t)
{
    const pytree_custom *const custom = t.type == NULL || t.type->kind != PYTREE_KIND_CUSTOM ? NULL : t.type->custom;
    return custom != NULL && custom->growing != NULL && custom->growing->find != NULL && t.data != NULL;
}

/* Get a child of an object; type NULL if there is none, or the node is another one. */
static pytree pytree__update_child(pytree holder, const pytree_entry *key)
{
    const pytree none = { NULL, NULL };
    return pytree__update_grows(holder) ? holder.type->custom->growing->find(holder.data, key) : none;
}

/* Find where the leaf of a state's current place goes in a tree of objects. Returns false if it is to be found otherwise. */
static bool pytree__update_target(struct pytree__vector *holders, const struct pytree__state_side *side, pytree_leaf *target,
                                  pytree_error *err)
{
    const struct pytree__places *const from = &side->places;
    pytree at = { NULL, NULL };
    const pytree_leaf *view;
    if (from->at.path.n != 0) { at = pytree__update_seek(holders, from, pytree__update_child, err); }
    if (at.type != NULL) { at = pytree__update_child(at, &from->at.path.entries[from->at.path.n - 1]); }
    if (pytree__is_variable(at.type)) { (void)at.type->custom->children(at.data, &at, NULL); }
    if (at.type == NULL || at.data == NULL) { return false; }
    if (at.type->kind == PYTREE_KIND_LEAF) { pytree__view(target, pytree__origin(at.type), at.data); return true; }
    view = (const pytree_leaf *)at.data;
    if (at.type->kind != PYTREE_KIND_VIEW || view->type == NULL || !pytree__view_is_valid(view)) { return false; }
    pytree__copy_view(target, view);
    return true;
}

/* Find where the leaves of n states go in a tree of objects, along their paths: most are few beside all that a flatten of the
 * tree would visit. Returns false, with the states at their beginning again, if one must be looked for otherwise. */
static bool pytree__update_along(pytree t, size_t n, struct pytree__state_side *side, void **to, const pytree_options *opt,
                                 pytree_error *err)
{
    struct pytree__vector holders = pytree__vector_of(sizeof(pytree), pytree__allocator(opt));
    bool good = pytree__update_grows(t) && opt->space == NULL;
    size_t i;
    for (i = 0; i < n && good; i++) {
        pytree__update_from(&holders, t, err);
        while (good && err->status == PYTREE_OK && side[i].more) {
            const pytree_leaf *const leaf = &side[i].flat.leaves[side[i].places.leaf_end - 1];
            pytree_leaf target;
            good = pytree__update_target(&holders, &side[i], &target, err) && target.form == PYTREE_FORM_LEAF
                && pytree__fits(&target, leaf) == PYTREE_OK;
            if (good) {
                to[side[i].places.leaf_end - 1] = target.data;
                (void)pytree__side_next(&side[i], err);
            }
        }
        to += side[i].flat.def->n_leaves;
    }
    pytree__vector_free(&holders);
    if (good || err->status != PYTREE_OK) { return good; }
    for (i = 0; i < n && err->status == PYTREE_OK; i++) {
        pytree__places_end(&side[i].places);
        pytree__places_begin(&side[i].places, &side[i].flat, true, opt, err);
        side[i].equal = 0;
        (void)pytree__side_next(&side[i], err);
    }
    return false;
}

/* Find where the leaves of n states go in any tree. */
static void pytree__update_all(pytree t, size_t n, struct pytree__state_side *side, void **to, const pytree_options *opt,
                               pytree_error *err)
{
    pytree_flat flat = pytree__model_flatten(t, opt, err);
    size_t i;
    for (i = 0; i < n && err->status == PYTREE_OK; i++) {
        pytree__update_targets(t, &flat, &side[i], to, opt, err);
        to += side[i].flat.def->n_leaves;
    }
    pytree_flat_free(&flat);
}

pytree_status pytree_update(pytree t, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err)
{
    pytree_options all = pytree__alg_options(opt, false);
    pytree_error problem;
    struct pytree__state_side *side;
    void **to = NULL;                     /* for the leaves of all states, one after the other */
    size_t i, k, total = 0, first = 0;
    all.is_leaf = NULL;                   /* values below a leaf are copied, too */
    opt = &all;
    problem.status = PYTREE_OK;
    side = pytree__sides_begin(n, states, true, opt, &problem);
    if (problem.status == PYTREE_OK) {
        for (i = 0; i < n; i++) { total += side[i].flat.def->n_leaves; }
        to = (void **)pytree__array_new(total, sizeof *to, pytree__allocator(opt), &problem);
    }
    if (problem.status == PYTREE_OK && !pytree__update_along(t, n, side, to, opt, &problem)
        && problem.status == PYTREE_OK) {
        pytree__update_all(t, n, side, to, opt, &problem);
    }
    for (i = 0; i < n && problem.status == PYTREE_OK; i++) {
        for (k = 0; k < side[i].flat.def->n_leaves; k++) {
            const pytree_leaf *leaf = &side[i].flat.leaves[k];
            void *const at = to[first + k];
            const size_t bytes = pytree_leaf_bytes(leaf);
            if (at != leaf->data && bytes != 0) { memmove(at, leaf->data, bytes); }
        }
        first += side[i].flat.def->n_leaves;
    }
    pytree__array_free((void *)to, total, sizeof *to, pytree__allocator(opt));
    pytree__sides_end(side, n, opt);
    return pytree__alg_status(&problem, err);
}

#include "state_places.h"
#endif
