/* pytree/impl/state_algebra.h: zeros like a state, states joined and subtracted. */
#ifndef PYTREE_IMPL_STATE_ALGEBRA_H
#define PYTREE_IMPL_STATE_ALGEBRA_H

#include "state.h"

/* ---- Several states in step ---------------------------------------------------------------------------------------- */

/* A flattened tree and a visit of its places. */
struct pytree__state_side {
    pytree_flat flat;
    struct pytree__places places;
    bool more;                            /* the visit stands at a place */
    bool borrowed;                        /* the flat is the caller's */
    size_t equal;                         /* entries of the path that are known to be those of the path it is compared with */
};

/* Compare paths. *equal entries are known to be equal, and become all that are. */
static int pytree__place_compare(const pytree_path *a, const pytree_path *b, size_t *equal)
{
    int order = 0;
    size_t i = *equal;
    for (; i < a->n && i < b->n && order == 0; i++) { order = pytree__key_compare(&a->entries[i], &b->entries[i]); }
    *equal = i - (order != 0);
    return order != 0 ? order : a->n < b->n ? -1 : a->n > b->n;
}

static bool pytree__side_next(struct pytree__state_side *side, pytree_error *err)
{
    side->more = pytree__places_next(&side->places);
    if (side->places.kept < side->equal) { side->equal = side->places.kept; }
    return err->status == PYTREE_OK;
}

/* Take a flat as it is, if flattening it would give the same. */
static bool pytree__state_borrow(pytree t, const pytree_options *opt, pytree_flat *flat)
{
    const pytree_options mine = pytree__alg_options(opt, false);
    struct pytree__alg_nones nones;
    const pytree_flat *const given = pytree__alg_as_flat(t, &mine, &nones);
    if (given == NULL || given->def->none_is_leaf || nones.removed != 0) { return false; }
    *flat = *given;
    return true;
}

/* Flatten n trees and go to the first place of each. Returns an array to be freed by pytree__sides_end; NULL on error. */
static struct pytree__state_side *pytree__sides_begin(size_t n, const pytree *trees, bool deep, const pytree_options *opt,
                                                      pytree_error *err)
{
    struct pytree__state_side *side;
    size_t i;
    if (trees == NULL && n != 0) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %zu states, got NULL", n);
        return NULL;
    }
    side = (struct pytree__state_side *)pytree__array_new(n, sizeof *side, pytree__allocator(opt), err);
    if (side == NULL) { return NULL; }
    memset(side, 0, n * sizeof *side);
    for (i = 0; i < n; i++) {
        side[i].borrowed = pytree__state_borrow(trees[i], opt, &side[i].flat);
        if (!side[i].borrowed) { side[i].flat = pytree__state_flatten(trees[i], opt, err); }
        if (side[i].flat.def == NULL) { break; }
        pytree__places_begin(&side[i].places, &side[i].flat, deep, opt, err);
        side[i].places.distinct = true;
        if (!pytree__side_next(&side[i], err)) { break; }
    }
    return side;
}

static void pytree__sides_end(struct pytree__state_side *side, size_t n, const pytree_options *opt)
{
    size_t i;
    for (i = 0; side != NULL && i < n; i++) {
        if (side[i].flat.def != NULL) { pytree__places_end(&side[i].places); }
        if (!side[i].borrowed) { pytree_flat_free(&side[i].flat); }
    }
    pytree__array_free(side, n, side == NULL ? 0 : sizeof *side, pytree__allocator(opt));
}

/* ---- Zeros --------------------------------------------------------------------------------------------------------- */

pytree_flat pytree_state_zeros_like(pytree state, const pytree_options *opt, pytree_error *err)
{
    pytree_flat from = pytree__state_flatten(state, opt, err);
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    size_t i, align, bytes;
    bool good = from.def != NULL && pytree__new_alignment(opt, &align, err) == PYTREE_OK;
    bytes = good ? align : 0;
    for (i = 0; good && i < from.def->n_leaves; i++) {
        const pytree_leaf *leaf = &from.leaves[i];
        if (leaf->type->dtype == PYTREE_STRING || leaf->type->dtype == PYTREE_OPAQUE) {
            pytree_fail(err, PYTREE_TYPE, NULL, "expected numbers in a state, got %s at leaf %zu", leaf->type->name, i);
            good = false;
        }
        bytes = pytree__plus(bytes, pytree__round(pytree_leaf_bytes(leaf), align));
    }
    if (good) { def = pytree__alg_copy(from.def, bytes, &leaves, opt, err); }
    if (def != NULL) {
        char *at = (char *)(leaves + def->n_leaves);
        at += (align - (uintptr_t)at % align) % align;
        memset(at, 0, bytes - align);
        for (i = 0; i < def->n_leaves; i++) {
            pytree__copy_view(&leaves[i], &from.leaves[i]);
            leaves[i].data = at;
            at += pytree__round(pytree_leaf_bytes(&leaves[i]), align);
        }
    }
    pytree_flat_free(&from);
    return pytree__alg_flat(def, leaves);
}

/* ---- Join and subtract --------------------------------------------------------------------------------------------- */

/* Find the side whose place comes first; of several at one place the last side. The others go on. Returns n at the end. */
static size_t pytree__first_side(struct pytree__state_side *side, size_t n, pytree_error *err)
{
    size_t i, first = n;
    for (i = 0; i < n; i++) {
        size_t equal = 0;
        const int order = !side[i].more ? 1 : first == n ? -1 : pytree__place_compare(&side[i].places.at.path,
                                                                                     &side[first].places.at.path, &equal);
        if (order > 0) { continue; }
        if (order == 0 && !pytree__side_next(&side[first], err)) { return n; }
        first = i;
    }
    return first;
}

static void pytree__state_append(struct pytree__state_builder *b, const struct pytree__state_side *side)
{
    pytree__state_add(b, &side->places, pytree__state_common(b, &side->places.at.path));
}

pytree_flat pytree_state_merge(size_t n, const pytree *states, const pytree_options *opt, pytree_error *err)
{
    struct pytree__state_builder b;
    pytree_error problem;
    pytree_flat result;
    struct pytree__state_side *side;
    size_t i;
    problem.status = PYTREE_OK;
    side = pytree__sides_begin(n, states, false, opt, &problem);
    pytree__state_begin(&b, false, opt, &problem);
    while (problem.status == PYTREE_OK && (i = pytree__first_side(side, n, &problem)) != n) {
        pytree__state_append(&b, &side[i]);
        if (problem.status == PYTREE_OK) { (void)pytree__side_next(&side[i], &problem); }
    }
    result = pytree__state_finish(&b, problem.status == PYTREE_OK);
    pytree__sides_end(side, n, opt);
    (void)pytree__alg_status(&problem, err);
    return result;
}

pytree_flat pytree_state_minus(pytree a, pytree b, const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    struct pytree__state_builder builder;
    pytree_error problem;
    pytree_flat result;
    struct pytree__state_side *side;
    both[0] = a;
    both[1] = b;
    problem.status = PYTREE_OK;
    side = pytree__sides_begin(2, both, false, opt, &problem);
    pytree__state_begin(&builder, false, opt, &problem);
    while (problem.status == PYTREE_OK && side[0].more) {
        size_t equal = 0;
        const int order = side[1].more ? pytree__place_compare(&side[0].places.at.path, &side[1].places.at.path, &equal) : -1;
        if (order < 0) { pytree__state_append(&builder, &side[0]); }
        if (problem.status == PYTREE_OK) { (void)pytree__side_next(&side[order > 0], &problem); }
    }
    result = pytree__state_finish(&builder, problem.status == PYTREE_OK);
    pytree__sides_end(side, 2, opt);
    (void)pytree__alg_status(&problem, err);
    return result;
}

#include "state_update.h"
#endif
