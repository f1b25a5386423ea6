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
static bool pytree__other_path(pytree t, const pytree_path *path, pytree_leaf *leaf, const pytree_options *opt,
                               pytree_error *err)
{
    char where[PYTREE_ERROR_PATH];
    *leaf = pytree_get(t, path, opt, err);
    if (leaf->type == NULL) { return false; }
    if (leaf->form == PYTREE_FORM_STRUCT && pytree__is_variable(leaf->type)) {
        pytree_entry value = { PYTREE_ATTRIBUTE, "value", (pytree_key_index)-1 };
        const pytree_path inside = { 1, &value };
        const pytree variable = { leaf->type, leaf->data };
        *leaf = pytree_get(variable, &inside, opt, err);
    }
    if (leaf->type != NULL && leaf->form == PYTREE_FORM_LEAF) { return true; }
    pytree_path_text(path, where, sizeof where);
    pytree_fail(err, PYTREE_STRUCTURE, where, "expected a leaf, got a node or None");
    return false;
}

/* Check that a leaf of a state fits the one in the tree. */
static bool pytree__check_target(const pytree_leaf *target, const pytree_leaf *leaf, const pytree_path *path, pytree_error *err)
{
    const pytree_status status = pytree__fits(target, leaf);
    char where[PYTREE_ERROR_PATH], wanted[96], got[96];
    if (status == PYTREE_OK) { return true; }
    pytree_path_text(path, where, sizeof where);
    pytree__leaf_text(wanted, sizeof wanted, target);
    pytree__leaf_text(got, sizeof got, leaf);
    pytree_fail(err, status, where, "expected %s, got %s", wanted, got);
    return false;
}

/* Find where each leaf of a state goes in a tree, whose places are visited from the first one on: to[i] for its leaf i. */
static void pytree__update_targets(pytree t, const pytree_flat *flat, struct pytree__state_side *side, void **to,
                                   const pytree_options *opt, pytree_error *err)
{
    struct pytree__places p;
    bool more;
    pytree__places_begin(&p, flat, true, opt, err);
    more = pytree__places_next(&p);
    while (err->status == PYTREE_OK && side->more) {
        const struct pytree__places *from = &side->places;
        const pytree_leaf *leaf = &side->flat.leaves[from->leaf_end - 1], *target;
        pytree_leaf other;
        int order = -1;
        while (more && (order = pytree__place_compare(&p.at.path, &from->at.path, &side->equal)) < 0) {
            more = pytree__places_next(&p);
            if (p.kept < side->equal) { side->equal = p.kept; }
        }
        if (err->status != PYTREE_OK) { break; }
        target = &flat->leaves[p.leaf_end - 1];
        if (!more || order != 0) {
            target = &other;
            if (!pytree__other_path(t, &from->at.path, &other, opt, err)) { break; }
        }
        if (!pytree__check_target(target, leaf, &from->at.path, err)) { break; }
        to[from->leaf_end - 1] = target->data;
        (void)pytree__side_next(side, err);
    }
    pytree__places_end(&p);
}

pytree_status pytree_update(pytree t, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err)
{
    pytree_flat flat;
    pytree_error problem;
    struct pytree__state_side *side;
    void **to = NULL;                     /* for the leaves of all states, one after the other */
    size_t i, k, total = 0, first = 0;
    problem.status = PYTREE_OK;
    flat = pytree__model_flatten(t, opt, &problem);
    side = flat.def == NULL ? NULL : pytree__sides_begin(n, states, true, opt, &problem);
    if (problem.status == PYTREE_OK) {
        for (i = 0; i < n; i++) { total += side[i].flat.def->n_leaves; }
        to = (void **)pytree__array_new(total, sizeof *to, pytree__allocator(opt), &problem);
    }
    for (i = 0; i < n && problem.status == PYTREE_OK; i++) {
        pytree__update_targets(t, &flat, &side[i], to + first, opt, &problem);
        first += side[i].flat.def->n_leaves;
    }
    for (i = 0, first = 0; i < n && problem.status == PYTREE_OK; i++) {
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
    pytree_flat_free(&flat);
    return pytree__alg_status(&problem, err);
}

#include "state_places.h"
#endif
