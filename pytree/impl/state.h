/* pytree/impl/state.h: split, states, pure, zeros, joins and differences of states. */
#ifndef PYTREE_IMPL_STATE_H
#define PYTREE_IMPL_STATE_H

#include "state_repeat.h"

/* ---- Options and arguments ----------------------------------------------------------------------------------------- */

/* Flatten a state: None is a node there. */
static pytree_flat pytree__state_flatten(pytree t, const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, false);
    return pytree__alg_flatten(t, &mine, err);
}

/* Flatten a model, in which values may be shared. */
static pytree_flat pytree__model_flatten(pytree t, const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, false);
    return pytree__graph_flat(t, &mine, err);
}

static bool pytree__takes_rest(const pytree_filter *filter)
{
    return filter->kind == PYTREE_FILTER_REST || filter->kind == PYTREE_FILTER_EVERYTHING;
}

static pytree_status pytree__check_filters(size_t n, const pytree_filter *filters, const pytree_flat *states, pytree_error *err)
{
    size_t i;
    if (states == NULL || (filters == NULL && n != 0)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected filters and states, got NULL");
    }
    for (i = 0; i + 1 < n; i++) {                              /* several at the end are allowed: the first takes all */
        if (pytree__takes_rest(&filters[i]) && !pytree__takes_rest(&filters[i + 1])) {
            return pytree_fail(err, PYTREE_FILTER, NULL,
                               "expected PYTREE_REST behind all other filters, got it as filter %zu of %zu", i, n);
        }
    }
    return PYTREE_OK;
}

/* Describe a place that no filter takes. */
static pytree_status pytree__fail_unfiltered(const struct pytree__places *p, pytree_error *err)
{
    char where[PYTREE_ERROR_PATH], what[96];
    struct pytree__text_writer to = pytree__text_to(what, sizeof what, NULL);
    const pytree_node *n = &p->def->nodes[p->node];
    pytree_path_text(&p->at.path, where, sizeof where);
    if (p->at.role != NULL) {
        pytree__put_text(&to, p->at.role->name);
        pytree__put_text(&to, " ");
    }
    if (n->type == NULL) {
        char leaf[64];
        pytree__leaf_text(leaf, sizeof leaf, p->at.view);
        pytree__put_text(&to, leaf);
    } else {
        pytree__node_text(&to, p->def, n);
    }
    pytree__end_text(&to, sizeof what);
    return pytree_fail(err, PYTREE_FILTER, where,
                       "expected a filter for each place, got none for this %s; put PYTREE_REST last", what);
}

/* ---- Split --------------------------------------------------------------------------------------------------------- */

/* Sort all places of a flat into n states, or into one if there are no filters. */
static pytree_status pytree__states_of(const pytree_flat *flat, size_t n, const pytree_filter *filters, bool all, bool pure,
                                       pytree_flat *states, const pytree_options *opt, pytree_error *err)
{
    const size_t n_states = n == 0 ? 1 : n;
    struct pytree__state_builder *b = (struct pytree__state_builder *)pytree__array_new(n_states, sizeof *b,
                                                                                       pytree__allocator(opt), err);
    struct pytree__places p;
    struct pytree__state_repeat repeat;
    pytree_error problem;
    size_t i;
    bool by_role;
    if (b == NULL) { return PYTREE_NO_MEMORY; }
    problem.status = PYTREE_OK;
    for (i = 0; i < n_states; i++) { pytree__state_begin(&b[i], pure, opt, &problem); }
    pytree__places_begin(&p, flat, false, opt, &problem);
    p.distinct = true;
    for (i = 0; i < n && pytree__asks_roles(&filters[i]); i++) {}
    by_role = i >= n;
    if (by_role) { (void)pytree__state_repeat_begin(&repeat, &p, n_states, b, &problem); }
    while (problem.status == PYTREE_OK && pytree__places_next(&p)) {
        for (i = 0; i < n_states; i++) {
            if (p.kept < b[i].kept) { b[i].kept = p.kept; }
        }
        for (i = 0; i < n && !pytree_filter_match(&filters[i], &p.at, &problem); i++) {}
        if (problem.status != PYTREE_OK) { break; }
        if (n == 0 || i < n) { pytree__state_add(&b[i], &p, b[i].kept); }
        else if (all) { (void)pytree__fail_unfiltered(&p, &problem); }
    }
    if (by_role) { pytree__state_repeat_end(&repeat); }
    pytree__places_end(&p);
    for (i = 0; i < n_states; i++) { states[i] = pytree__state_finish(&b[i], problem.status == PYTREE_OK); }
    for (i = 0; i < n_states && problem.status != PYTREE_OK; i++) { pytree_flat_free(&states[i]); }
    pytree__array_free(b, n_states, sizeof *b, pytree__allocator(opt));
    return pytree__alg_status(&problem, err);
}

static void pytree__empty_states(pytree_flat *states, size_t n)
{
    size_t i;
    for (i = 0; states != NULL && i < (n == 0 ? 1 : n); i++) { states[i] = pytree__alg_flat(NULL, NULL); }
}

pytree_status pytree_split(pytree t, size_t n, const pytree_filter *filters, pytree_def **graphdef, pytree_flat *states,
                           const pytree_options *opt, pytree_error *err)
{
    pytree_error problem;
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    problem.status = PYTREE_OK;
    pytree__empty_states(states, n);
    if (graphdef != NULL) { *graphdef = NULL; }
    if (pytree__check_filters(n, filters, states, &problem) == PYTREE_OK) { flat = pytree__model_flatten(t, opt, &problem); }
    if (flat.def != NULL && pytree__states_of(&flat, n, filters, true, false, states, opt, &problem) == PYTREE_OK
        && graphdef != NULL) {
        *graphdef = (pytree_def *)(uintptr_t)flat.def;         /* its block also has the leaves, which cost less than a copy */
        return PYTREE_OK;
    }
    pytree_flat_free(&flat);
    return pytree__alg_status(&problem, err);
}

static pytree_status pytree__take_states(pytree t, size_t n, const pytree_filter *filters, bool pure, pytree_flat *states,
                                         const pytree_options *opt, pytree_error *err)
{
    pytree_error problem;
    pytree_flat flat;
    problem.status = PYTREE_OK;
    pytree__empty_states(states, n);
    if (pytree__check_filters(n, filters, states, &problem) == PYTREE_OK) {
        flat = pytree__model_flatten(t, opt, &problem);
        if (flat.def != NULL) { (void)pytree__states_of(&flat, n, filters, false, pure, states, opt, &problem); }
        pytree_flat_free(&flat);
    }
    return pytree__alg_status(&problem, err);
}

pytree_status pytree_states(pytree t, size_t n, const pytree_filter *filters, pytree_flat *states, const pytree_options *opt,
                            pytree_error *err)
{
    return pytree__take_states(t, n, filters, false, states, opt, err);
}

pytree_flat pytree_state(pytree t, pytree_filter filter, const pytree_options *opt, pytree_error *err)
{
    pytree_flat state;
    (void)pytree__take_states(t, 1, &filter, false, &state, opt, err);
    return state;
}

pytree_flat pytree_pure(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_flat state;
    (void)pytree__take_states(t, 0, NULL, true, &state, opt, err);
    return state;
}

#include "state_algebra.h"
#endif
