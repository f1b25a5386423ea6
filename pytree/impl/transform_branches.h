/* pytree/impl/transform_branches.h: PYTREE_COND, PYTREE_SWITCH, PYTREE_SELECT: one of several functions. */
#ifndef PYTREE_IMPL_TRANSFORM_BRANCHES_H
#define PYTREE_IMPL_TRANSFORM_BRANCHES_H

#include "transform_loops.h"

struct pytree__tf_switch {
    struct pytree__fn_bound **branches;
    size_t n;
};

static bool pytree__tf_switch_says(const pytree_fn *f)
{
    const pytree_switch_of *of = (const pytree_switch_of *)f->context;
    size_t k;
    for (k = 0; k < of->n; k++) {
        if (pytree__fn_says(of->branches[k])) { return true; }
    }
    return false;
}

/* Checks the first argument. */
static pytree_status pytree__tf_which(const struct pytree__fn_bound *b)
{
    const bool cond = b->fn->kind == &pytree_cond_kind, text = b->fn->kind == &pytree_select_kind;
    const char *wanted = cond ? "one bool or number" : text ? "one text" : "one integer";
    const pytree_leaf *leaf = b->in;
    char got[PYTREE__SIDE];
    pytree_status status = PYTREE_OK;
    if (b->n_args == 0) { return pytree__fn_fail_at(b, PYTREE_ARGUMENT, NULL, "expected %s, got no argument", wanted); }
    if (!pytree_def_is_leaf(b->defs[0])) {
        status = PYTREE_STRUCTURE;
    } else if (leaf->ndim != 0) {
        status = PYTREE_SHAPE;
    } else if (cond ? !pytree__real(leaf->type) : text ? leaf->type->dtype != PYTREE_STRING
               : leaf->type->dtype < PYTREE_I8 || leaf->type->dtype > PYTREE_U64) {
        status = PYTREE_TYPE;
    }
    if (status == PYTREE_OK) { return status; }
    pytree__fn_node_text(got, sizeof got, b->defs[0], leaf, b->defs[0]->n_nodes - 1);
    return pytree__fn_fail_at(b, status, "[0]", "expected %s, got %s", wanted, got);
}

/* Binds a branch. It gives what the first branch that knows its result does, or what the caller's tree says. */
static pytree_status pytree__tf_branch(struct pytree__fn_bound *b, const pytree_switch_of *of, size_t k, size_t *known)
{
    struct pytree__tf_switch *s = (struct pytree__tf_switch *)b->state;
    const pytree_fn *f = of->branches[k];
    const bool says = pytree__fn_says(f);
    struct pytree__fn_bound *c = pytree__fn_child(b, f, b->n_args - 1, b->defs + 1, says ? NULL : b->def);
    char part[200];
    pytree_status status;
    size_t i;
    if (c == NULL) { return pytree__fn_trouble(b); }
    s->branches[k] = c;
    for (i = 0; i < c->n_in; i++) {
        c->in[i] = b->in[b->in_first[1] + i];
        c->in[i].data = NULL;
    }
    for (i = 0; i < c->n_out; i++) {
        c->out[i] = b->out[i];
        c->out[i].data = NULL;
    }
    if (b->own_arg != NULL) { c->own_arg = b->own_arg + 1; }
    c->own_res = b->own_res;
    c->n_own_res = b->n_own_res;
    status = pytree__fn_bind(c);
    if (status != PYTREE_OK || !says) { return status; }
    if (*known == SIZE_MAX) {
        *known = k;
        return pytree__fn_result(b, c->def, c->out);
    }
    snprintf(part, sizeof part, "branch %zu (%.60s) beside branch %zu (%.60s)", k, pytree__fn_name(f), *known,
             pytree__fn_name(of->branches[*known]));
    return pytree__fn_compare(b, part, s->branches[*known]->def, s->branches[*known]->out, c->def, c->out);
}

static pytree_status pytree__tf_switch_bind(struct pytree__fn_bound *b)
{
    const pytree_switch_of *of = (const pytree_switch_of *)b->fn->context;
    struct pytree__tf_switch *s = (struct pytree__tf_switch *)pytree__fn_take(b->plan, 1, sizeof *s);
    pytree_status status = pytree__tf_which(b);
    size_t k, known = SIZE_MAX;
    bool says;
    if (status == PYTREE_OK && of->n == 0) {
        status = pytree__fn_fail_at(b, PYTREE_ARGUMENT, NULL, "expected at least one branch, got none");
    }
    if (status != PYTREE_OK) { return status; }
    if (s == NULL) { return PYTREE_NO_MEMORY; }
    b->state = s;
    s->n = of->n;
    s->branches = (struct pytree__fn_bound **)pytree__fn_take(b->plan, of->n, sizeof *s->branches);
    if (s->branches == NULL) { return PYTREE_NO_MEMORY; }
    for (says = true;; says = false) {    /* first those that know what they give */
        for (k = 0; k < of->n && status == PYTREE_OK; k++) {
            if (pytree__fn_says(of->branches[k]) != says) { continue; }
            if (!says && b->def == NULL) { return pytree__tf_unknown(b, of->branches[k]); }
            status = pytree__tf_branch(b, of, k, &known);
        }
        if (!says) { return status; }
    }
}

/* The number of the branch with that name; n: there is none. */
static size_t pytree__tf_named(const pytree_switch_of *of, const char *name)
{
    size_t k = 0;
    while (k < of->n && (name == NULL || strcmp(name, pytree__fn_name(of->branches[k])) != 0)) { k++; }
    return k;
}

/* Writes the names of all branches: 'a', 'b' or 'c'. */
static void pytree__tf_names(const pytree_switch_of *of, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    size_t k;
    for (k = 0; k < of->n; k++) {
        pytree__put_text(&to, k == 0 ? "'" : k + 1 == of->n ? " or '" : ", '");
        pytree__put_text(&to, pytree__fn_name(of->branches[k]));
        pytree__put_text(&to, "'");
    }
    pytree__end_text(&to, n);
}

static pytree_status pytree__tf_switch_run(struct pytree__fn_bound *b)
{
    const pytree_switch_of *of = (const pytree_switch_of *)b->fn->context;
    struct pytree__tf_switch *s = (struct pytree__tf_switch *)b->state;
    struct pytree__fn_bound *c;
    size_t which = 0, i;
    if (b->fn->kind == &pytree_select_kind) {
        const char *name;
        memcpy(&name, b->in[0].data, sizeof name);
        which = pytree__tf_named(of, name);
        if (which == s->n) {
            char names[PYTREE__SIDE];
            pytree__tf_names(of, names, sizeof names);
            return pytree__fn_fail_at(b, PYTREE_NOT_FOUND, "[0]", "expected %s, got '%s'", names, name == NULL ? "" : name);
        }
    } else {
        const double value = pytree_leaf_get(&b->in[0], 0);
        if (b->fn->kind == &pytree_cond_kind) { which = value != 0; }
        else { which = !(value > 0) ? 0 : value > (double)(s->n - 1) ? s->n - 1 : (size_t)value; }
    }
    c = s->branches[which];
    for (i = 0; i < c->n_in; i++) { c->in[i].data = b->in[b->in_first[1] + i].data; }
    for (i = 0; i < c->n_out; i++) { c->out[i].data = b->out[i].data; }
    c->at.index = b->at.index;
    return pytree__fn_run(c);
}

const pytree_fn_kind pytree_cond_kind = { "cond", NULL, pytree__tf_switch_says, pytree__tf_switch_bind,
                                          pytree__tf_switch_run, NULL };
const pytree_fn_kind pytree_switch_kind = { "switch", NULL, pytree__tf_switch_says, pytree__tf_switch_bind,
                                            pytree__tf_switch_run, NULL };
const pytree_fn_kind pytree_select_kind = { "select", NULL, pytree__tf_switch_says, pytree__tf_switch_bind,
                                            pytree__tf_switch_run, NULL };

#include "transform_batch.h"
#endif
