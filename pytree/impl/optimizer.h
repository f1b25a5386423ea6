/* pytree/impl/optimizer.h: optimizers: rules for one array, and the state around them. */
#ifndef PYTREE_IMPL_OPTIMIZER_H
#define PYTREE_IMPL_OPTIMIZER_H

#include "internal.h"
#include "../optimizer.h"
#include "places.h"                       /* the state rooms */

/* ---- Rules ---------------------------------------------------------------------------------------------------------- */

/* The rules for one element type, whose square root is `root`. */
#define PYTREE__RULES(T, name, root)                                                                                    \
    static void pytree__sgd_##name(T *PYTREE__RESTRICT w, const T *PYTREE__RESTRICT g, size_t n, T rate)                \
    {                                                                                                                   \
        size_t i;                                                                                                       \
        for (i = 0; i < n; i++) { w[i] -= rate * g[i]; }                                                                \
    }                                                                                                                   \
    static void pytree__momentum_##name(T *PYTREE__RESTRICT w, const T *PYTREE__RESTRICT g, T *PYTREE__RESTRICT t,      \
                                        size_t n, T rate, T momentum)                                                   \
    {                                                                                                                   \
        size_t i;                                                                                                       \
        for (i = 0; i < n; i++) {                                                                                       \
            t[i] = g[i] + momentum * t[i];                                                                              \
            w[i] -= rate * t[i];                                                                                        \
        }                                                                                                               \
    }                                                                                                                   \
    static void pytree__adam_##name(T *PYTREE__RESTRICT w, const T *PYTREE__RESTRICT g, T *PYTREE__RESTRICT m,          \
                                    T *PYTREE__RESTRICT v, size_t n, const double number[7])                            \
    {                                                                                                                   \
        const T b1 = (T)number[0], b2 = (T)number[1], r1 = (T)number[2], r2 = (T)number[3], epsilon = (T)number[4];     \
        const T rate = (T)number[5], decay = (T)number[6], a1 = (T)(1 - number[0]), a2 = (T)(1 - number[1]);            \
        size_t i;                                                                                                       \
        for (i = 0; i < n; i++) {                                                                                       \
            const T d = g[i];                                                                                           \
            m[i] = b1 * m[i] + a1 * d;                                                                                  \
            v[i] = b2 * v[i] + a2 * (d * d);                                                                            \
            w[i] -= rate * (m[i] * r1 / (root(v[i] * r2) + epsilon) + decay * w[i]);                                    \
        }                                                                                                               \
    }

PYTREE__RULES(float, float, sqrtf)
PYTREE__RULES(double, double, sqrt)

void pytree_sgd(const pytree_rule_call *at)
{
    const size_t n = pytree_leaf_count(at->param);
    const double rate = at->rule->rate, momentum = at->rule->momentum;
    const bool single = at->param->type->dtype == PYTREE_F32;
    void *w = at->param->data;
    const void *g = at->grad->data;
    if (momentum == 0 && single) {
        pytree__sgd_float((float *)w, (const float *)g, n, (float)rate);
    } else if (momentum == 0) {
        pytree__sgd_double((double *)w, (const double *)g, n, rate);
    } else if (single) {
        pytree__momentum_float((float *)w, (const float *)g, (float *)at->moment[0]->data, n, (float)rate, (float)momentum);
    } else {
        pytree__momentum_double((double *)w, (const double *)g, (double *)at->moment[0]->data, n, rate, momentum);
    }
}

void pytree_adam(const pytree_rule_call *at)
{
    const pytree_rule *rule = at->rule;
    const size_t n = pytree_leaf_count(at->param);
    double number[7];
    number[0] = rule->beta1;
    number[1] = rule->beta2;
    number[2] = at->correction[0];
    number[3] = at->correction[1];
    number[4] = rule->epsilon;
    number[5] = rule->rate;
    number[6] = rule->decay;
    if (at->param->type->dtype == PYTREE_F32) {
        pytree__adam_float((float *)at->param->data, (const float *)at->grad->data, (float *)at->moment[0]->data,
                           (float *)at->moment[1]->data, n, number);
    } else {
        pytree__adam_double((double *)at->param->data, (const double *)at->grad->data, (double *)at->moment[0]->data,
                            (double *)at->moment[1]->data, n, number);
    }
}

/* ---- State ---------------------------------------------------------------------------------------------------------- */

/* Return how many moments a rule keeps. SGD without momentum keeps none. */
static size_t pytree__opt_moments(const pytree_rule *rule)
{
    size_t n = 0;
    if (rule->apply == pytree_sgd && rule->momentum == 0) { return 0; }
    while (n < PYTREE_MAX_MOMENTS && rule->moments[n] != NULL) { n++; }
    return n;
}

/* Return where the leaves of a moment begin in the state, whose keys are sorted. */
static size_t pytree__opt_first(const pytree_optimizer *o, size_t moment)
{
    const char *name = o->rule.moments[moment];
    size_t first = o->rule.counts && strcmp("count", name) < 0, k;
    for (k = 0; k < pytree__opt_moments(&o->rule); k++) {
        if (strcmp(o->rule.moments[k], name) < 0) { first += o->params.def->n_leaves; }
    }
    return first;
}

/* A dict of at most PYTREE_MAX_MOMENTS + 1 pairs. */
struct pytree__opt_dict {
    pytree_items items;
    pytree_pair pairs[PYTREE_MAX_MOMENTS + 1];
};

static void pytree__opt_put(struct pytree__opt_dict *dict, const char *key, const pytree_type *type, void *value)
{
    pytree_pair *pair = &dict->pairs[dict->items.count++];
    dict->items.pairs = dict->pairs;
    pair->key = key;
    pair->value.type = type;
    pair->value.data = value;
}

/* Make the state of step 0: zeros of the shape of what is built here. `like`: the parameters, with another role. */
static pytree_flat pytree__opt_zeros(const pytree_rule *rule, pytree_flat *like, const pytree_options *opt, pytree_error *err)
{
    const pytree_type *dict_type = &pytree_types[PYTREE__T_dict];
    const size_t n = pytree__opt_moments(rule);
    struct pytree__opt_dict root, moments;
    pytree_items chain;
    pytree_int_pair first;
    pytree_variable count, step;
    int32_t no_count = 0;
    uint32_t no_step = 0;
    pytree t;
    size_t i;
    memset(&root, 0, sizeof root);
    memset(&moments, 0, sizeof moments);
    memset(&chain, 0, sizeof chain);
    memset(&count, 0, sizeof count);
    memset(&step, 0, sizeof step);
    count.value.type = &pytree_types[PYTREE__T_INT32];
    count.value.data = &no_count;
    step.value.type = &pytree_types[PYTREE__T_uint];
    step.value.data = &no_step;
    if (rule->counts) { pytree__opt_put(&moments, "count", &pytree_role_OptArray, &count); }
    for (i = 0; i < n; i++) { pytree__opt_put(&moments, rule->moments[i], &pytree_types[PYTREE__T_flat], like); }
    first.key = 0;
    first.value.type = dict_type;
    first.value.data = &moments.items;
    chain.int_pairs = &first;
    chain.count = 1;
    if (moments.items.count != 0) { pytree__opt_put(&root, "opt_state", dict_type, &chain); }
    pytree__opt_put(&root, "step", &pytree_role_OptState, &step);
    t.type = dict_type;
    t.data = &root.items;
    return pytree_state_zeros_like(t, opt, err);
}

/* Give the values of a state the role that they have in the state of an optimizer. */
static void pytree__opt_roles(const pytree_flat *flat)
{
    pytree_node *nodes = (pytree_node *)(uintptr_t)flat->def->nodes;
    size_t i;
    for (i = 0; i < flat->def->n_nodes; i++) {
        const pytree_type *type = nodes[i].type;
        if (type != NULL && type->custom == &pytree_variable_node) { nodes[i].type = &pytree_role_OptVariable; }
    }
}

/* Fail at a place: "expected f32[2], got …". */
static void pytree__opt_fail(pytree_status status, const pytree_place *at, const char *expected, const pytree_leaf *got,
                             pytree_error *err)
{
    char where[PYTREE_ERROR_PATH], what[64] = "none";
    pytree_path_text(&at->path, where, sizeof where);
    if (got != NULL) { pytree__leaf_text(what, sizeof what, got); }
    pytree_fail(err, status, where, "expected %s, got %s", expected, what);
}

/* Are all parameters numbers that rules can change? */
static bool pytree__opt_check(const pytree_optimizer *o, pytree_error *err)
{
    struct pytree__places p;
    bool good = true;
    pytree__places_begin(&p, &o->params, true, &o->opt, err);
    while (good && pytree__places_next(&p)) {
        const pytree_leaf *leaf = &o->params.leaves[p.leaf_end - 1];
        good = leaf->form == PYTREE_FORM_LEAF && (leaf->type->dtype == PYTREE_F32 || leaf->type->dtype == PYTREE_F64);
        if (!good) { pytree__opt_fail(PYTREE_TYPE, &p.at, "a parameter of type f32 or f64", leaf, err); }
    }
    good = good && p.status == PYTREE_OK;
    pytree__places_end(&p);
    return good;
}

pytree_optimizer *pytree_optimizer_new(pytree model, pytree_rule rule, pytree_filter wrt, const pytree_options *opt,
                                       pytree_error *err)
{
    const pytree_allocator *a = pytree__allocator(opt);
    pytree_error problem;
    pytree_optimizer *o;
    pytree_flat like;
    pytree_leaf *leaves;
    bool good;
    problem.status = PYTREE_OK;
    if (rule.apply == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a rule with a function, got NULL");
        return NULL;
    }
    o = (pytree_optimizer *)pytree__array_new(1, sizeof *o, a, err);
    if (o == NULL) { return NULL; }
    memset(o, 0, sizeof *o);
    o->rule = rule;
    o->opt = pytree__alg_options(opt, false);
    o->params = pytree_state(model, wrt, opt, &problem);
    good = o->params.def != NULL && pytree__opt_check(o, &problem);
    if (good) {
        o->grads = (const pytree_leaf **)pytree__array_new(o->params.def->n_leaves, sizeof *o->grads, a, &problem);
        like.def = pytree__alg_copy(o->params.def, 0, &leaves, opt, &problem);
        like.leaves = o->params.leaves;
        if (like.def != NULL) {
            pytree__opt_roles(&like);
            o->state = pytree__opt_zeros(&rule, &like, opt, &problem);
        }
        pytree_def_free((pytree_def *)(uintptr_t)like.def);
        good = o->grads != NULL && o->state.def != NULL;
    }
    if (good) { o->step = (uint32_t *)o->state.leaves[o->state.def->n_leaves - 1].data; }
    else { pytree_optimizer_free(o); }
    (void)pytree__alg_status(&problem, err);
    return good ? o : NULL;
}

void pytree_optimizer_free(pytree_optimizer *o)
{
    const pytree_allocator *a;
    if (o == NULL) { return; }
    a = pytree__allocator(&o->opt);
    if (o->grads != NULL) { pytree__array_free(o->grads, o->params.def->n_leaves, sizeof *o->grads, a); }
    pytree_flat_free(&o->params);
    pytree_flat_free(&o->state);
    pytree__array_free(o, 1, sizeof *o, a);
}

/* ---- A step --------------------------------------------------------------------------------------------------------- */

/* Find the gradient of each parameter by its path. side[0] are the parameters, side[1] the gradients. */
static void pytree__opt_find(pytree_optimizer *o, struct pytree__state_side *side, pytree_error *err)
{
    while (err->status == PYTREE_OK && side[0].more) {
        const pytree_place *at = &side[0].places.at;
        const pytree_leaf *param = &o->params.leaves[side[0].places.leaf_end - 1], *grad = NULL;
        char expected[64];
        int order = 1;
        while (side[1].more) {
            size_t equal = 0;
            order = pytree__place_compare(&side[1].places.at.path, &at->path, &equal);
            if (order >= 0) { break; }
            if (!pytree__side_next(&side[1], err)) { return; }
        }
        if (side[1].more && order == 0) { grad = &side[1].flat.leaves[side[1].places.leaf_end - 1]; }
        if (grad == NULL || pytree__fits(param, grad) != PYTREE_OK) {
            pytree__leaf_text(expected, sizeof expected, param);
            pytree__opt_fail(grad == NULL ? PYTREE_NOT_FOUND : pytree__fits(param, grad), at, expected, grad, err);
            return;
        }
        o->grads[side[0].places.leaf_end - 1] = grad;
        (void)pytree__side_next(&side[0], err);
    }
}

/* Change all parameters; o->grads has their gradients. */
static void pytree__opt_apply(pytree_optimizer *o)
{
    const size_t n = o->params.def->n_leaves, n_moments = pytree__opt_moments(&o->rule);
    const pytree_leaf *moments[PYTREE_MAX_MOMENTS];
    pytree_rule rule = o->rule;
    pytree_rule_call call;
    size_t i, k;
    memset(&call, 0, sizeof call);
    if (rule.beta1 == 0) { rule.beta1 = 0.9; }
    if (rule.beta2 == 0) { rule.beta2 = 0.999; }
    if (rule.epsilon == 0) { rule.epsilon = 1e-8; }
    for (k = 0; k < n_moments; k++) { moments[k] = &o->state.leaves[pytree__opt_first(o, k)]; }
    if (o->rule.counts) {                 /* it has the step's number: the names before it decide where it is */
        for (k = 0, i = 0; k < n_moments; k++) { i += strcmp(o->rule.moments[k], "count") < 0 ? n : 0; }
        *(int32_t *)o->state.leaves[i].data = (int32_t)(*o->step + 1);
    }
    call.rule = &rule;
    call.step = ++*o->step;
    call.correction[0] = 1 / (1 - pow(rule.beta1, call.step));
    call.correction[1] = 1 / (1 - pow(rule.beta2, call.step));
    for (i = 0; i < n; i++) {
        call.param = &o->params.leaves[i];
        call.grad = o->grads[i];
        for (k = 0; k < n_moments; k++) { call.moment[k] = &moments[k][i]; }
        rule.apply(&call);
    }
}

pytree_status pytree_optimizer_update(pytree_optimizer *o, pytree grads, pytree_error *err)
{
    const pytree_flat *flat = grads.type == &pytree_types[PYTREE__T_flat] ? (const pytree_flat *)grads.data : NULL;
    const size_t n = o->params.def->n_leaves;
    struct pytree__state_side *side = NULL;
    pytree_error problem;
    pytree trees[2];
    size_t i = 0;
    problem.status = PYTREE_OK;
    if (flat != NULL && flat->def != NULL && flat->leaves != NULL && pytree_def_equal(flat->def, o->params.def)) {
        for (; i < n && pytree__fits(&o->params.leaves[i], &flat->leaves[i]) == PYTREE_OK; i++) {
            o->grads[i] = &flat->leaves[i];
        }
    }
    if (i < n) {
        trees[0].type = &pytree_types[PYTREE__T_flat];
        trees[0].data = &o->params;
        trees[1] = grads;
        side = pytree__sides_begin(2, trees, true, &o->opt, &problem);
        if (side != NULL) { pytree__opt_find(o, side, &problem); }
    }
    if (problem.status == PYTREE_OK) { pytree__opt_apply(o); }
    pytree__sides_end(side, side == NULL ? 0 : 2, &o->opt);
    return pytree__alg_status(&problem, err);
}
#endif
