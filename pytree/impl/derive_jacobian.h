/* pytree/impl/derive_jacobian.h: PYTREE_JACOBIAN: a map over the rows or the columns of identities. */
#ifndef PYTREE_IMPL_DERIVE_JACOBIAN_H
#define PYTREE_IMPL_DERIVE_JACOBIAN_H

#include "derive_functions.h"

/* What all blocks of a Jacobian are made of: block (j, i) has the derivatives of result j by chosen operand i. */
struct pytree__jacobian {
    struct pytree__fn_bound *b;
    const pytree_program *p;
    pytree_trace *tr;
    const pytree_value *in;
    const struct pytree__ad_chosen *chosen;
    size_t n_out;                         /* results that are differentiated, the first ones */
    pytree_value *out;                    /* blocks, row by row */
    const pytree_leaf **views;
};

/* The view of block (j, i): the result's shape, then the operand's. */
static const pytree_leaf *pytree__jacobian_view(const struct pytree__jacobian *jac, const pytree_leaf *y, const pytree_leaf *x)
{
    pytree_leaf *v = (pytree_leaf *)pytree__fn_take(jac->b->plan, 1, sizeof *v);
    int i;
    if (v == NULL) { return NULL; }
    if (y->ndim + x->ndim > PYTREE_MAX_DIMS) {
        (void)pytree__fn_fail(jac->b, PYTREE_SHAPE, NULL, 0, "expected at most %d dimensions (PYTREE_MAX_DIMS), got %d",
                              PYTREE_MAX_DIMS, y->ndim + x->ndim);
        return NULL;
    }
    *v = *y;
    v->data = NULL;
    for (i = 0; i < x->ndim; i++) { v->shape[y->ndim + i] = x->shape[i]; }
    v->ndim = y->ndim + x->ndim;
    return v;
}

/* A constant: n one-hot arrays like `like`, which has n elements. */
static pytree_value pytree__jacobian_basis(const struct pytree__jacobian *jac, const pytree_leaf *like, size_t n)
{
    pytree_leaf basis;
    pytree_value v;
    size_t k;
    if (pytree__ad_stacked(&basis, like, n, &jac->b->plan->err) != PYTREE_OK) { return pytree__value(0); }
    basis.data = NULL;
    v = pytree_op_constant(jac->tr, &basis);
    if (v.id == 0) { return v; }
    for (k = 0; k < n; k++) {
        void *data = jac->tr->recorder->values[v.id]->data;
        if (like->type->dtype == PYTREE_F64) { ((double *)data)[k * n + k] = 1; } else { ((float *)data)[k * n + k] = 1; }
    }
    return v;
}

/* Maps a derivative of the program, whose last operand is mapped over a basis. */
static bool pytree__jacobian_map(const struct pytree__jacobian *jac, const pytree_program *q, pytree_value basis, size_t n,
                                 pytree_value *out)
{
    bool *mapped = (bool *)pytree__fn_take(jac->b->plan, q->n_in, 1), *summed = (bool *)pytree__fn_take(jac->b->plan,
            q->n_out, 1);
    struct pytree__ad_list in;
    size_t k;
    if (mapped == NULL || summed == NULL || !pytree__ad_list_init(jac->tr, &in, q->n_in)) { return false; }
    for (k = 0; k + 1 < q->n_in; k++) { pytree__ad_add(&in, jac->in[k]); }
    pytree__ad_add(&in, basis);
    mapped[q->n_in - 1] = true;
    return pytree__map_record(jac->tr, q, n, mapped, summed, &in, out);
}

/* One row of blocks: the derivatives of result j by all chosen operands. */
static bool pytree__jacobian_row(const struct pytree__jacobian *jac, size_t j)
{
    const pytree_leaf *y = jac->p->out_views[j];
    const size_t n = pytree_leaf_count(y);
    bool *given = (bool *)pytree__fn_take(jac->b->plan, jac->p->n_out, 1);
    pytree_value *rows = (pytree_value *)pytree__fn_take(jac->b->plan, jac->p->n_in, sizeof *rows), basis;
    const pytree_program *q;
    size_t i, k, at;
    if (given == NULL || rows == NULL) { return false; }
    given[j] = true;
    basis = pytree__jacobian_basis(jac, y, n);
    q = basis.id == 0 ? NULL : pytree__pg_pullback(jac->b->plan, jac->p, given, jac->chosen->wanted, NULL, false);
    if (q == NULL || !pytree__jacobian_map(jac, q, basis, n, rows)) { return false; }
    for (i = 0; i < jac->chosen->n; i++) {
        const size_t leaf = jac->chosen->leaf[i];
        const pytree_leaf *view = jac->views[j * jac->chosen->n + i];
        for (k = at = 0; k < leaf; k++) { at += jac->chosen->wanted[k]; }
        jac->out[j * jac->chosen->n + i] = pytree_op_reshape(jac->tr, rows[at], view->ndim, view->shape);
    }
    return true;
}

/* One column of blocks: the derivatives of all results by chosen operand i. */
static bool pytree__jacobian_column(const struct pytree__jacobian *jac, size_t i)
{
    const size_t leaf = jac->chosen->leaf[i], n_out = jac->p->n_out;
    const pytree_leaf *x = jac->p->values[leaf + 1];
    const size_t n = pytree_leaf_count(x);
    bool *active = (bool *)pytree__fn_take(jac->b->plan, jac->p->n_in, 1), *out_active = (bool *)pytree__fn_take(jac->b->plan,
            n_out, 1);
    pytree_value *columns = (pytree_value *)pytree__fn_take(jac->b->plan, 2 * n_out, sizeof *columns), basis;
    const pytree_program *q;
    size_t j, at = n_out;
    if (active == NULL || out_active == NULL || columns == NULL) { return false; }
    active[leaf] = true;
    basis = pytree__jacobian_basis(jac, x, n);
    q = basis.id == 0 ? NULL : pytree__pg_pushforward(jac->b->plan, jac->p, active, out_active, false);
    if (q == NULL || !pytree__jacobian_map(jac, q, basis, n, columns)) { return false; }
    for (j = 0; j < n_out; j++) {
        size_t shape[2];
        const pytree_leaf *view;
        if (j >= jac->n_out || !out_active[j]) { at += out_active[j]; continue; }
        view = jac->views[j * jac->chosen->n + i];
        shape[0] = n;
        shape[1] = pytree_leaf_count(jac->p->out_views[j]);
        basis = pytree_op_transpose(jac->tr, pytree_op_reshape(jac->tr, columns[at++], 2, shape), NULL);
        jac->out[j * jac->chosen->n + i] = pytree_op_reshape(jac->tr, basis, view->ndim, view->shape);
    }
    return true;
}

/* Are there fewer numbers in the operands than in the results? */
static bool pytree__jacobian_forward(const struct pytree__jacobian *jac, int mode)
{
    size_t in = 0, out = 0, k;
    for (k = 0; k < jac->chosen->n; k++) { in = pytree__plus(in, pytree_leaf_count(jac->p->values[jac->chosen->leaf[k] + 1])); }
    for (k = 0; k < jac->n_out; k++) { out = pytree__plus(out, pytree_leaf_count(jac->p->out_views[k])); }
    return mode == PYTREE_FORWARD || (mode == 0 && in < out);
}

/* Records all blocks. */
static bool pytree__jacobian_blocks(const struct pytree__jacobian *jac, int mode)
{
    const size_t n = jac->chosen->n;
    size_t i, j;
    for (j = 0; j < jac->n_out; j++) {
        for (i = 0; i < n; i++) {
            jac->views[j * n + i] = pytree__jacobian_view(jac, jac->p->out_views[j], jac->p->values[jac->chosen->leaf[i] + 1]);
            if (jac->views[j * n + i] == NULL) { return false; }
        }
    }
    if (pytree__jacobian_forward(jac, mode)) {
        for (i = 0; i < n; i++) {
            if (!pytree__jacobian_column(jac, i)) { return false; }
        }
        return true;
    }
    for (j = 0; j < jac->n_out; j++) {
        if (!pytree__jacobian_row(jac, j)) { return false; }
    }
    return true;
}

static pytree_status pytree__jacobian_bind(struct pytree__fn_bound *b)
{
    const pytree_jacobian_of *of = (const pytree_jacobian_of *)b->fn->context;
    struct pytree__ad_chosen chosen;
    struct pytree__jacobian jac;
    struct pytree__fn_bound *c;
    struct pytree__recorder r;
    pytree_trace tr;
    const pytree_def *const *parts = NULL, *def;
    size_t k, n, *first = NULL;
    pytree_value *all;
    pytree_status status = pytree__ad_choose(b, of->argnums, false, &chosen);
    c = status != PYTREE_OK ? NULL : pytree__ad_bind(b, of->f, b->n_args, b->defs, b->in, NULL, NULL);
    if (c == NULL || (of->has_aux && (parts = pytree__ad_aux(b, c, &first)) == NULL)) { return pytree__fn_trouble(b); }
    jac.b = b;
    jac.p = pytree__pg_of(c);
    if (jac.p == NULL) { return pytree__fn_trouble(b); }
    jac.tr = &tr;
    jac.chosen = &chosen;
    jac.n_out = of->has_aux ? first[1] : c->n_out;
    for (k = 0; k < jac.n_out; k++) {
        char got[96];
        if (pytree__is_float(&c->out[k])) { continue; }
        pytree__leaf_text(got, sizeof got, &c->out[k]);
        return pytree__fn_fail(b, PYTREE_TYPE, c->def, pytree__fn_node_of(c->def, k), "expected f32 or f64, got %s", got);
    }
    n = pytree__times(jac.n_out, chosen.n);
    jac.in = pytree__ad_begin(&tr, &r, b);
    jac.views = (const pytree_leaf **)pytree__fn_take(b->plan, pytree__plus(n, c->n_out), sizeof *jac.views);
    jac.out = all = (pytree_value *)pytree__fn_take(b->plan, pytree__plus(n, c->n_out), sizeof *all);
    if (jac.in == NULL || jac.views == NULL || all == NULL) { return pytree__fn_trouble(b); }
    if (!pytree__jacobian_blocks(&jac, of->mode)) { return pytree__fn_trouble(b); }
    def = pytree_def_compose(of->has_aux ? parts[0] : c->def, chosen.def, &b->plan->tree, &b->plan->err);
    if (of->has_aux) {
        pytree_value *results = pytree__pg_inline(&tr, jac.p, jac.in);
        for (k = jac.n_out; results != NULL && k < c->n_out; k++, n++) {
            all[n] = results[k];
            jac.views[n] = jac.p->out_views[k];
        }
        def = def == NULL ? NULL : pytree__ad_pair(b, def, parts[1]);
    }
    return pytree__ad_finish(b, &tr, def, n, all, jac.views);
}
const pytree_fn_kind pytree_jacobian_kind = { "jacobian", pytree__ad_inner, pytree__ad_says, pytree__jacobian_bind,
                                              pytree__pg_run, NULL };

static bool pytree__ad_is_program(const struct pytree__fn_kind *kind)
{
    return kind == &pytree_traced_kind || kind == &pytree_jvp_kind || kind == &pytree_vjp_kind || kind == &pytree_grad_kind
        || kind == &pytree_value_and_grad_kind || kind == &pytree_jacobian_kind || kind == &pytree_numeric_kind
        || kind == &pytree_complex_step_kind || kind == &pytree_program_kind;
}

#include "derive_apply.h"
#endif
