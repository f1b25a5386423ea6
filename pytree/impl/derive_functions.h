/* pytree/impl/derive_functions.h: PYTREE_JVP, PYTREE_VJP, PYTREE_GRAD, PYTREE_VALUE_AND_GRAD as functions. */
#ifndef PYTREE_IMPL_DERIVE_FUNCTIONS_H
#define PYTREE_IMPL_DERIVE_FUNCTIONS_H

#include "derive_programs.h"

/* The function in the struct of every kind here, which begins with it. */
static const pytree_fn *pytree__ad_inner(const pytree_fn *f) { return ((const pytree_derivative_of *)f->context)->f; }
static bool pytree__ad_says(const pytree_fn *f) { return pytree__fn_says(pytree__ad_inner(f)); }

/* A treedef of a tuple of two. NULL on failure. */
static const pytree_def *pytree__ad_pair(struct pytree__fn_bound *b, const pytree_def *first, const pytree_def *second)
{
    const pytree_def *parts[2];
    parts[0] = first;
    parts[1] = second;
    return pytree_def_tuple(2, parts, &b->plan->tree, &b->plan->err);
}

/* Ends the program of a function that is being bound: `out` are the results, of the types and shapes of `views`. */
static pytree_status pytree__ad_finish(struct pytree__fn_bound *b, pytree_trace *tr, const pytree_def *def, size_t n,
                                       const pytree_value *out, const pytree_leaf *const *views)
{
    pytree_program *p = def == NULL ? NULL : pytree__pg_end(tr, n, out, views);
    if (p == NULL || !pytree__pg_prune(p)) { return pytree__fn_trouble(b); }
    p->out_def = def;
    return pytree__pg_bind(b, p);
}

/* ---- jvp and vjp --------------------------------------------------------------------------------------------------- */

/* The parts of (arguments as a tuple, tangents or cotangent): the function, bound to the arguments. NULL on failure. */
static struct pytree__fn_bound *pytree__ad_unpack(struct pytree__fn_bound *b, const char *second)
{
    const pytree_def *const *defs, *const *res = NULL;
    size_t *first = NULL, *out_first = NULL;
    if (b->n_args != 2 || pytree_def_kind(b->defs[0]) != PYTREE_KIND_TUPLE) {
        (void)pytree__fn_fail(b, PYTREE_STRUCTURE, NULL, 0, "expected two arguments, a tuple of arguments and %s, got %zu%s",
                              second,
                              b->n_args, b->n_args == 2 ? " without a tuple" : "");
        return NULL;
    }
    defs = pytree__fn_split(b->plan, b->defs[0], &first);
    if (defs == NULL) { return NULL; }
    if (b->def != NULL && pytree_def_kind(b->def) == PYTREE_KIND_TUPLE && pytree_def_num_children(b->def) == 2) {
        res = pytree__fn_split(b->plan, b->def, &out_first);
    }
    return pytree__ad_bind(b, pytree__ad_inner(b->fn), pytree_def_num_children(b->defs[0]), defs, b->in,
                           res == NULL ? NULL : res[0], b->out);
}

static pytree_status pytree__jvp_bind(struct pytree__fn_bound *b)
{
    struct pytree__fn_bound *c = pytree__ad_unpack(b, "a tuple of tangents");
    const pytree_program *p = c == NULL ? NULL : pytree__pg_of(c), *q;
    bool *active = (bool *)pytree__fn_take(b->plan, b->n_in, 1), *out_active;
    const pytree_leaf **views;
    pytree_value *in, *out, *results;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k, n = 0, at;
    if (p == NULL || active == NULL) { return pytree__fn_trouble(b); }
    if (pytree__fn_compare(b, "tangents", b->defs[0], b->in, b->defs[1],
                           b->in + c->n_in) != PYTREE_OK) { return b->err->status; }
    out_active = (bool *)pytree__fn_take(b->plan, p->n_out, 1);
    views = (const pytree_leaf **)pytree__fn_take(b->plan, p->n_out, 2 * sizeof *views);
    out = (pytree_value *)pytree__fn_take(b->plan, p->n_out, 2 * sizeof *out);
    in = pytree__ad_begin(&tr, &r, b);
    if (out_active == NULL || views == NULL || out == NULL || in == NULL) { return pytree__fn_trouble(b); }
    r.plus = p->plus;
    for (k = 0; k < c->n_in; k++) { active[k] = pytree__pg_smooth(&c->in[k]); }
    for (k = 0, n = c->n_in; k < c->n_in; k++) {               /* tangents of integers are left out */
        if (active[k]) { in[n++] = in[c->n_in + k]; }
    }
    q = pytree__pg_pushforward(b->plan, p, active, out_active, false);
    results = q == NULL ? NULL : pytree__pg_inline(&tr, q, in);
    if (results == NULL) { return pytree__fn_trouble(b); }
    for (k = 0, at = p->n_out; k < p->n_out; k++) {
        views[k] = views[p->n_out + k] = p->out_views[k];
        out[k] = results[k];
        if (out_active[k]) { out[p->n_out + k] = results[at++]; }
    }
    return pytree__ad_finish(b, &tr, pytree__ad_pair(b, c->def, c->def), 2 * p->n_out, out, views);
}

/* Inlines the pullback of p; `ct` (0: zero) are the cotangents of its results. Sets out[0 … n_out-1] to the results and
 * ct_in[k] to the cotangents of operands that are wanted. */
static bool pytree__ad_pull(pytree_trace *tr, const pytree_program *p, const pytree_value *in, const pytree_value *ct,
                            const bool *wanted, pytree_value *out, pytree_value *in_ct)
{
    bool *given = (bool *)pytree__ad_take(tr, p->n_out, 1);
    pytree_value *all = (pytree_value *)pytree__ad_take(tr, p->n_in + p->n_out, sizeof *all), *results;
    const pytree_program *q;
    size_t k, n = p->n_in;
    if (given == NULL || all == NULL) { return false; }
    for (k = 0; k < p->n_in; k++) { all[k] = in[k]; }
    for (k = 0; k < p->n_out; k++) {
        given[k] = ct[k].id != 0;
        if (given[k]) { all[n++] = ct[k]; }
    }
    q = pytree__pg_pullback(tr->recorder->arena, p, given, wanted, NULL, true);
    results = q == NULL ? NULL : pytree__pg_inline(tr, q, all);
    if (results == NULL) { return false; }
    for (k = 0; k < p->n_out; k++) { out[k] = results[k]; }
    for (k = 0, n = p->n_out; k < p->n_in; k++) {
        if (wanted[k]) { in_ct[k] = results[n++]; }
    }
    return true;
}

static pytree_status pytree__vjp_bind(struct pytree__fn_bound *b)
{
    struct pytree__fn_bound *c = pytree__ad_unpack(b, "a cotangent");
    const pytree_program *p = c == NULL ? NULL : pytree__pg_of(c);
    bool *wanted = (bool *)pytree__fn_take(b->plan, b->n_in, 1);
    const pytree_leaf **views;
    pytree_value *in, *out, *ct;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k;
    if (p == NULL || wanted == NULL) { return pytree__fn_trouble(b); }
    if (pytree__fn_compare(b, "cotangent", c->def, c->out, b->defs[1], b->in + c->n_in) != PYTREE_OK) { return b->err->status; }
    views = (const pytree_leaf **)pytree__fn_take(b->plan, p->n_out + p->n_in, sizeof *views);
    out = (pytree_value *)pytree__fn_take(b->plan, p->n_out + p->n_in, sizeof *out);
    ct = (pytree_value *)pytree__fn_take(b->plan, p->n_out, sizeof *ct);
    in = pytree__ad_begin(&tr, &r, b);
    if (views == NULL || out == NULL || in == NULL || ct == NULL) { return pytree__fn_trouble(b); }
    r.plus = p->plus;
    for (k = 0; k < p->n_out; k++) {
        views[k] = p->out_views[k];
        if (pytree__pg_smooth(views[k])) { ct[k] = in[p->n_in + k]; }
    }
    for (k = 0; k < p->n_in; k++) {
        views[p->n_out + k] = &b->in[k];
        wanted[k] = true;
    }
    if (!pytree__ad_pull(&tr, p, in, ct, wanted, out, out + p->n_out)) { return pytree__fn_trouble(b); }
    return pytree__ad_finish(b, &tr, pytree__ad_pair(b, c->def, b->defs[0]), p->n_out + p->n_in, out, views);
}
const pytree_fn_kind pytree_jvp_kind = { "jvp", pytree__ad_inner, pytree__ad_says, pytree__jvp_bind, pytree__pg_run, NULL };
const pytree_fn_kind pytree_vjp_kind = { "vjp", pytree__ad_inner, pytree__ad_says, pytree__vjp_bind, pytree__pg_run, NULL };

/* ---- Arguments to differentiate by --------------------------------------------------------------------------------- */

/* The leaves of the chosen arguments, in the order in which those were given. */
struct pytree__ad_chosen {
    const pytree_def *def;                /* of one argument, or of a tuple of them */
    size_t n, *leaf;
    bool *wanted;                         /* by leaf of all arguments */
};

static pytree_status pytree__ad_choose(struct pytree__fn_bound *b, pytree_argnums argnums, bool allow_int,
                                       struct pytree__ad_chosen *to)
{
    static const int zero[1] = { 0 };
    const size_t n = argnums.n == 0 ? 1 : argnums.n;
    const int *at = argnums.n == 0 ? zero : argnums.at;
    const pytree_def **defs = (const pytree_def **)pytree__fn_take(b->plan, n, sizeof *defs);
    size_t i, k;
    to->n = 0;
    to->leaf = (size_t *)pytree__fn_take(b->plan, pytree__times(n, b->n_in), sizeof *to->leaf);
    to->wanted = (bool *)pytree__fn_take(b->plan, b->n_in, 1);
    if (defs == NULL || to->leaf == NULL || to->wanted == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < n; i++) {
        const int count = (int)b->n_args, arg = at[i] < 0 ? at[i] + count : at[i];
        if (arg < 0 || arg >= count) {
            return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected argument %d to %d, got %d", -count, count - 1, at[i]);
        }
        defs[i] = b->defs[arg];
        for (k = b->in_first[arg]; k < b->in_first[arg + 1]; k++) {
            if (!pytree__is_float(&b->in[k]) && !allow_int) {
                char path[PYTREE__PATH], got[96];
                const size_t from = (size_t)snprintf(path, sizeof path, "[%d]", arg);
                pytree__node_path(b->defs[arg], pytree__fn_node_of(b->defs[arg], k - b->in_first[arg]), path + from,
                                  sizeof path - from);
                pytree__leaf_text(got, sizeof got, &b->in[k]);
                (void)pytree__fn_fail_at(b, PYTREE_TYPE, path, "expected f32 or f64, got %s (allow_int gives zeros)", got);
                continue;
            }
            to->leaf[to->n++] = k;
            to->wanted[k] = true;
        }
    }
    if (b->err->status != PYTREE_OK) { return b->err->status; }
    to->def = argnums.n == 0 ? defs[0] : pytree_def_tuple(n, defs, &b->plan->tree, &b->plan->err);
    return b->plan->err.status;
}

/* A function that gives (value, aux): their treedefs. */
static const pytree_def *const *pytree__ad_aux(const struct pytree__fn_bound *b, const struct pytree__fn_bound *c,
                                               size_t **first)
{
    char got[PYTREE__SIDE];
    if (pytree_def_kind(c->def) == PYTREE_KIND_TUPLE && pytree_def_num_children(c->def) == 2) {
        return pytree__fn_split(b->plan, c->def, first);
    }
    pytree__fn_node_text(got, sizeof got, c->def, c->out, c->def->n_nodes - 1);
    (void)pytree__fn_fail(b, PYTREE_STRUCTURE, NULL, 0, "expected a result (value, aux), got %s", got);
    return NULL;
}

/* ---- Gradients ----------------------------------------------------------------------------------------------------- */

/* Is the value one number? */
static pytree_status pytree__grad_value(const struct pytree__fn_bound *b, const pytree_def *def, const pytree_leaf *leaves)
{
    char got[PYTREE__SIDE];
    const bool leaf = pytree_def_is_leaf(def);
    if (leaf && leaves[0].ndim == 0 && pytree__is_float(&leaves[0])) { return PYTREE_OK; }
    pytree__fn_node_text(got, sizeof got, def, leaves, def->n_nodes - 1);
    return pytree__fn_fail(b, !leaf ? PYTREE_STRUCTURE : pytree__is_float(&leaves[0]) ? PYTREE_SHAPE : PYTREE_TYPE, NULL, 0,
                           "expected one f32 or f64, got %s", got);
}

/* The treedef of the result. */
static const pytree_def *pytree__grad_def(struct pytree__fn_bound *b, const struct pytree__fn_bound *c,
                                          const pytree_def *gradient,
                                          const pytree_def *aux, bool value)
{
    if (value) { return pytree__ad_pair(b, c->def, gradient); }
    return aux == NULL ? gradient : pytree__ad_pair(b, gradient, aux);
}

static pytree_status pytree__grad_bind(struct pytree__fn_bound *b)
{
    const pytree_grad_of *of = (const pytree_grad_of *)b->fn->context;
    const bool value = b->fn->kind == &pytree_value_and_grad_kind;
    struct pytree__fn_bound *c;
    struct pytree__ad_chosen chosen;
    const pytree_def *const *parts = NULL;
    const pytree_program *p;
    const pytree_leaf **views;
    pytree_value *in, *out, *ct, *in_ct, *all;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k, n = 0, *first = NULL;
    pytree_status status = pytree__ad_choose(b, of->argnums, of->allow_int, &chosen);
    c = status != PYTREE_OK ? NULL : pytree__ad_bind(b, of->f, b->n_args, b->defs, b->in, NULL, NULL);
    if (c == NULL || (of->has_aux && (parts = pytree__ad_aux(b, c, &first)) == NULL)) { return pytree__fn_trouble(b); }
    status = pytree__grad_value(b, of->has_aux ? parts[0] : c->def, c->out);
    p = status != PYTREE_OK ? NULL : pytree__pg_of(c);
    if (p == NULL) { return pytree__fn_trouble(b); }
    in = pytree__ad_begin(&tr, &r, b);
    views = (const pytree_leaf **)pytree__fn_take(b->plan, p->n_out + chosen.n, sizeof *views);
    out = (pytree_value *)pytree__fn_take(b->plan, p->n_out, sizeof *out);
    ct = (pytree_value *)pytree__fn_take(b->plan, p->n_out, sizeof *ct);
    in_ct = (pytree_value *)pytree__fn_take(b->plan, p->n_in, sizeof *in_ct);
    all = (pytree_value *)pytree__fn_take(b->plan, p->n_out + chosen.n, sizeof *all);
    if (in == NULL || views == NULL || out == NULL || ct == NULL || in_ct == NULL
        || all == NULL) { return pytree__fn_trouble(b); }
    {
        const float single = 1;
        const double one = 1;
        pytree_leaf seed = *p->out_views[0];
        seed.data = (void *)(uintptr_t)(seed.type->dtype == PYTREE_F64 ? (const void *)&one : (const void *)&single);
        ct[0] = pytree__pg_constant(&tr, &seed);
    }
    if (!pytree__ad_pull(&tr, p, in, ct, chosen.wanted, out, in_ct)) { return pytree__fn_trouble(b); }
    for (k = 0; value && k < p->n_out; k++, n++) {
        all[n] = out[k];
        views[n] = p->out_views[k];
    }
    for (k = 0; k < chosen.n; k++, n++) {
        all[n] = in_ct[chosen.leaf[k]];
        views[n] = &b->in[chosen.leaf[k]];
    }
    for (k = 1; !value && k < p->n_out; k++, n++) {
        all[n] = out[k];
        views[n] = p->out_views[k];
    }
    return pytree__ad_finish(b, &tr, pytree__grad_def(b, c, chosen.def, of->has_aux ? parts[1] : NULL, value), n, all, views);
}
const pytree_fn_kind pytree_grad_kind = { "grad", pytree__ad_inner, pytree__ad_says, pytree__grad_bind, pytree__pg_run, NULL };
const pytree_fn_kind pytree_value_and_grad_kind = { "value_and_grad", pytree__ad_inner, pytree__ad_says, pytree__grad_bind,
                                                    pytree__pg_run, NULL };

#include "derive_jacobian.h"
#endif
