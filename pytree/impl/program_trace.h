/* pytree/impl/program_trace.h: calling bodies, and traced functions as functions. */
#ifndef PYTREE_IMPL_PROGRAM_TRACE_H
#define PYTREE_IMPL_PROGRAM_TRACE_H

#include "program_text.h"

/* ---- Arguments of a body ---------------------------------------------------------------------------------------------
 *
 * Each leaf of the arguments gets memory of its own, a mark, whose address stands for the value; structs are rebuilt on the
 * marks. Marks have room for what a struct holds in place, and no more: NaN, zeros, empty texts.
 */
enum { PYTREE__MARK = 64 };

static void pytree__mark_fill(char *mark, size_t room, const pytree_leaf *leaf)
{
    static const char none[1] = "";
    const char *const empty = none;
    size_t i;
    if (leaf->type->dtype == PYTREE_F32 || leaf->type->dtype == PYTREE_F64) { memset(mark, 0xff, room); }
    if (leaf->type->dtype == PYTREE_STRING) {
        for (i = 0; i + sizeof empty <= room; i += sizeof empty) { memcpy(mark + i, &empty, sizeof empty); }
    }
}

/* Leaves like those of an argument, on marks. NULL on failure. */
static pytree_leaf *pytree__marks(struct pytree__fn_plan *plan, const pytree_def *def, const pytree_leaf *in)
{
    pytree_leaf *leaves = (pytree_leaf *)pytree__fn_take(plan, def->n_leaves, sizeof *leaves);
    size_t most = PYTREE__MARK, bytes, k;
    for (k = 0; k < def->n_nodes; k++) {
        if (def->nodes[k].type != NULL && def->nodes[k].type->size > most) { most = def->nodes[k].type->size; }
    }
    for (k = 0; leaves != NULL && k < def->n_leaves; k++) {
        bytes = pytree_leaf_bytes(&in[k]);
        bytes = bytes < PYTREE__MARK ? (size_t)PYTREE__MARK : bytes < most ? bytes : most;
        leaves[k] = in[k];
        leaves[k].data = pytree__fn_take(plan, bytes, 1);
        if (leaves[k].data == NULL) { return NULL; }
        pytree__mark_fill((char *)leaves[k].data, bytes, &in[k]);
    }
    return leaves;
}

/* Builds the struct that a body gets for an argument, and finds where its leaves are. */
static bool pytree__mark_struct(struct pytree__fn_plan *plan, const pytree_def *def, pytree_leaf *leaves, void **arg)
{
    struct pytree__fn_built *built = (struct pytree__fn_built *)pytree__fn_take(plan, 1, sizeof *built);
    pytree_error err;
    if (built == NULL) { return false; }
    err.status = PYTREE_OK;
    built->tree = pytree_unflatten(def, def->n_leaves, leaves, &plan->tree, &err);
    if (built->tree.data == NULL) {       /* leaves of other types than the struct's fields: the body has the tree */
        if (err.status == PYTREE_NO_MEMORY) { plan->err = err; }
        return err.status != PYTREE_NO_MEMORY;
    }
    built->before = plan->built;
    plan->built = built;
    *arg = built->tree.data;
    return pytree_leaves(built->tree, leaves, def->n_leaves, NULL, &plan->tree, &plan->err) == PYTREE_OK;
}

static int pytree__by_mark(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct pytree__address *)a)->at,
        y = (uintptr_t)((const struct pytree__address *)b)->at;
    return x < y ? -1 : x > y;
}

/* A tree of values with the structure of a treedef. `ids` become its leaves. */
static bool pytree__value_tree(struct pytree__fn_plan *plan, const pytree_def *def, const pytree_value *ids, pytree *tree)
{
    pytree_flat *flat = (pytree_flat *)pytree__fn_take(plan, 1, sizeof *flat);
    pytree_leaf *leaves = (pytree_leaf *)pytree__fn_take(plan, def->n_leaves, sizeof *leaves);
    size_t k;
    if (flat == NULL || leaves == NULL) { return false; }
    for (k = 0; k < def->n_leaves; k++) {
        leaves[k].data = (void *)(uintptr_t)&ids[k];
        leaves[k].type = &pytree_value_type;
    }
    flat->def = def;
    flat->leaves = leaves;
    tree->type = &pytree_types[PYTREE__T_flat];
    tree->data = flat;
    return true;
}

/* Makes what a body gets for its arguments, whose leaves are the values `ids`. */
static bool pytree__trace_arguments(pytree_trace *tr, size_t n, const pytree_def *const *defs, const pytree_leaf *in,
                                    size_t n_in,
                                    const pytree_value *ids)
{
    struct pytree__recorder *r = tr->recorder;
    struct pytree__fn_plan *plan = r->arena;
    struct pytree__address *addresses = (struct pytree__address *)pytree__fn_take(plan, n_in, sizeof *addresses);
    void **arg = (void **)pytree__fn_take(plan, n, sizeof *arg);
    pytree *tree = (pytree *)pytree__fn_take(plan, n, sizeof *tree);
    size_t k, i, at = 0;
    if (addresses == NULL || arg == NULL || tree == NULL) { return false; }
    for (k = 0; k < n; k++) {
        const pytree_node *root = &defs[k]->nodes[defs[k]->n_nodes - 1];
        pytree_leaf *leaves = pytree__marks(plan, defs[k], in + at);
        if (leaves == NULL || !pytree__value_tree(plan, defs[k], ids + at, &tree[k])) { return false; }
        if (root->type == NULL) { arg[k] = leaves[0].data; }
        else if (root->type->kind == PYTREE_KIND_STRUCT && !pytree__mark_struct(plan, defs[k], leaves,
                                                                                &arg[k])) { return false; }
        for (i = 0; i < defs[k]->n_leaves; i++, at++) {
            addresses[at].at = leaves[i].data;
            addresses[at].id = ids[at].id;
        }
    }
    qsort(addresses, n_in, sizeof *addresses, pytree__by_mark);
    r->addresses = addresses;
    r->n_addresses = n_in;
    r->defs = defs;
    tr->arg = arg;
    tr->tree = tree;
    tr->n_args = n;
    return true;
}

/* ---- For bodies ---------------------------------------------------------------------------------------------------- */

pytree_value pytree_value_of(pytree_trace *tr, const void *address)
{
    const struct pytree__recorder *r = tr->recorder;
    struct pytree__address key;
    const struct pytree__address *found = NULL;
    key.at = address;
    key.id = 0;
    if (tr->err->status != PYTREE_OK) { return pytree__value(0); }
    if (r->n_addresses != 0) {
        found = (const struct pytree__address *)bsearch(&key, r->addresses, r->n_addresses, sizeof key, pytree__by_mark);
    }
    if (found == NULL) {
        (void)pytree_fail(tr->err, PYTREE_NOT_FOUND, NULL, "%s: expected the address of a leaf of an argument, got another",
                          r->name);
        return pytree__value(0);
    }
    return pytree__value(found->id);
}

/* Takes the values of a tree apart. NULL on failure; *def is its structure. */
static const pytree_value *pytree__tree_values(pytree_trace *tr, pytree t, const pytree_def **def)
{
    const struct pytree__recorder *r = tr->recorder;
    pytree_leaf *leaves = NULL;
    pytree_def *made = NULL;
    pytree_value *ids;
    size_t k;
    if (tr->err->status != PYTREE_OK || pytree_flatten(t, &leaves, 0, &made, &r->arena->tree,
                                                       tr->err) != PYTREE_OK) { return NULL; }
    ids = (pytree_value *)pytree__fn_take(r->arena, made->n_leaves, sizeof *ids);
    for (k = 0; ids != NULL && k < made->n_leaves; k++) {
        char path[PYTREE__PATH], got[96];
        if (leaves[k].type->dtype == PYTREE_OPAQUE && pytree_type_equal(leaves[k].type, &pytree_value_type)) {
            ids[k] = *(const pytree_value *)leaves[k].data;
            if (ids[k].id != 0 && ids[k].id <= r->n_values) { continue; }
        }
        pytree__node_path(made, pytree__fn_node_of(made, k), path, sizeof path);
        pytree__leaf_text(got, sizeof got, &leaves[k]);
        (void)pytree_fail(tr->err, PYTREE_TYPE, path, "%s: expected a value of this program, got %s", r->name,
                          leaves[k].type->dtype == PYTREE_OPAQUE ? "none" : got);
        return NULL;
    }
    *def = made;
    return ids;
}

pytree_value pytree_value_at(pytree_trace *tr, pytree of_values, size_t i)
{
    const pytree_def *def;
    const pytree_value *ids = pytree__tree_values(tr, of_values, &def);
    if (ids == NULL) { return pytree__value(0); }
    if (i < def->n_leaves) { return ids[i]; }
    (void)pytree_fail(tr->err, PYTREE_NOT_FOUND, NULL, "%s: expected a leaf below %zu, got %zu", tr->recorder->name,
                      def->n_leaves,
                      i);
    return pytree__value(0);
}

pytree_status pytree_return(pytree_trace *tr, pytree result)
{
    const pytree_def *def = NULL;
    const pytree_value *ids = pytree__tree_values(tr, result, &def);
    if (ids == NULL) { return tr->err->status; }
    tr->recorder->out = ids;
    tr->recorder->out_def = def;
    return PYTREE_OK;
}

pytree pytree_values_like(pytree_trace *tr, size_t k, size_t n, const pytree_value *leaves)
{
    struct pytree__fn_plan *arena = tr->recorder->arena;
    const pytree_def *def = k < tr->n_args ? tr->recorder->defs[k] : NULL;
    pytree t = { NULL, NULL };
    pytree_value *copy;
    if (tr->err->status != PYTREE_OK) { return t; }
    if (def == NULL) {
        (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s: expected an argument below %zu, got %zu", tr->recorder->name,
                          tr->n_args, k);
        return t;
    }
    if (n != def->n_leaves) {
        (void)pytree_fail(tr->err, n < def->n_leaves ? PYTREE_TOO_FEW_LEAVES : PYTREE_TOO_MANY_LEAVES, NULL,
                          "%s: expected %zu values, as argument %zu has leaves, got %zu", tr->recorder->name, def->n_leaves,
                              k, n);
        return t;
    }
    copy = (pytree_value *)pytree__fn_take(arena, n, sizeof *copy);
    if (copy == NULL) { return t; }
    if (n != 0) { memcpy(copy, leaves, n * sizeof *copy); }
    (void)pytree__value_tree(arena, def, copy, &t);
    return t;
}

pytree_status pytree_return_like(pytree_trace *tr, size_t k, size_t n, const pytree_value *leaves)
{
    const pytree t = pytree_values_like(tr, k, n, leaves);
    return t.data == NULL ? tr->err->status : pytree_return(tr, t);
}

/* ---- Traced functions ---------------------------------------------------------------------------------------------- */

/* The name that messages about a traced function begin with. */
static const char *pytree__traced_name(const pytree_fn *f)
{
    const pytree_traced_of *of = (const pytree_traced_of *)f->context;
    return of->name != NULL ? of->name : f->name != NULL ? f->name : "function";
}

/* Calls the body, and makes a program of what it records. NULL on failure. */
static pytree_program *pytree__pg_trace(struct pytree__fn_plan *plan, const pytree_fn *f, size_t n,
                                        const pytree_def *const *defs,
                                        const pytree_leaf *in, size_t n_in)
{
    const pytree_traced_of *of = (const pytree_traced_of *)f->context;
    pytree_value *ids = (pytree_value *)pytree__fn_take(plan, n_in, sizeof *ids);
    struct pytree__recorder r;
    pytree_trace tr;
    pytree_program *p;
    pytree_status status;
    size_t k;
    pytree__pg_begin(&tr, &r, plan, pytree__traced_name(f), of->plus);
    r.memoize = of->memoize;
    for (k = 0; ids != NULL && k < n_in; k++) { ids[k] = pytree__pg_input(&tr, &in[k]); }
    if (ids == NULL || !pytree__trace_arguments(&tr, n, defs, in, n_in, ids)) { return NULL; }
    status = of->body(of->context, &tr);
    if (status != PYTREE_OK && plan->err.status == PYTREE_OK) {
        (void)pytree_fail(&plan->err, status, NULL, "%s: expected success, got %s", r.name, pytree_status_name(status));
    }
    if (plan->err.status == PYTREE_OK && r.out_def == NULL) {
        (void)pytree_fail(&plan->err, PYTREE_ARGUMENT, NULL, "%s: expected a result (pytree_return), got none", r.name);
    }
    if (plan->err.status != PYTREE_OK) { return NULL; }
    p = pytree__pg_end(&tr, r.out_def->n_leaves, r.out, NULL);
    if (p != NULL) { p->out_def = r.out_def; }
    return p;
}

/* The views of a program's results, one after the other. */
static const pytree_leaf *pytree__pg_results(struct pytree__fn_plan *plan, const pytree_program *p)
{
    pytree_leaf *views = (pytree_leaf *)pytree__fn_take(plan, p->n_out, sizeof *views);
    size_t k;
    for (k = 0; views != NULL && k < p->n_out; k++) {
        views[k] = *p->out_views[k];
        views[k].data = NULL;
    }
    return views;
}

/* The state of a bound function that is a program: what was recorded; without the calls that no result needs; `plan` NULL where
 * only shapes are wanted. */
struct pytree__pg_bound {
    const pytree_program *recorded, *program;
    struct pytree__plan *plan;
};

/* Binds a function to its program, which is in its arena. */
static pytree_status pytree__pg_bind(struct pytree__fn_bound *b, const pytree_program *p)
{
    const pytree_leaf *views = p == NULL ? NULL : pytree__pg_results(b->plan, p);
    struct pytree__pg_bound *s = (struct pytree__pg_bound *)pytree__fn_take(b->plan, 1, sizeof *s);
    pytree_program *needed = (pytree_program *)pytree__fn_take(b->plan, 1, sizeof *needed);
    pytree_status status;
    if (views == NULL || s == NULL || needed == NULL) { return pytree__fn_trouble(b); }
    *needed = *p;
    if (!pytree__pg_prune(needed)) { return pytree__fn_trouble(b); }
    b->state = s;
    s->recorded = p;
    s->program = needed;
    status = pytree__fn_result(b, p->out_def, views);
    if (status != PYTREE_OK || b->plan->shapes_only) { return status; }
    s->plan = pytree__plan_new(needed, b->plan);
    return b->plan->err.status;
}
static pytree_status pytree__pg_run(struct pytree__fn_bound *b)
{
    struct pytree__plan *plan = ((struct pytree__pg_bound *)b->state)->plan;
    size_t k;
    for (k = 0; k < b->n_in; k++) { plan->values[k + 1].data = b->in[k].data; }
    for (k = 0; k < b->n_out; k++) { plan->out[k] = b->out[k].data; }
    return pytree__plan_run(plan, b->err);
}

static bool pytree__traced_says(const pytree_fn *f)
{
    (void)f;
    return true;
}
/* Values of programs have an element type; a struct's leaf of another type has none. */
static pytree_status pytree__traced_leaves(const struct pytree__fn_bound *b)
{
    pytree_status status = PYTREE_OK;
    size_t i, k = 0;
    for (i = 0; i < b->n_in; i++) {
        char path[PYTREE__PATH];
        size_t from;
        while (b->in_first[k + 1] <= i) { k++; }
        if (b->in[i].type->dtype != PYTREE_OPAQUE) { continue; }
        from = (size_t)snprintf(path, sizeof path, "[%zu]", k);
        pytree__node_path(b->defs[k], pytree__fn_node_of(b->defs[k], i - b->in_first[k]), path + from, sizeof path - from);
        status = pytree__fn_fail_at(b, PYTREE_TYPE, path, "expected numbers or strings, got %s", b->in[i].type->name);
    }
    return status;
}
static pytree_status pytree__traced_bind(struct pytree__fn_bound *b)
{
    const pytree_traced_of *of = (const pytree_traced_of *)b->fn->context;
    pytree_status status = pytree__fn_check_types(b, "argument", of->takes, b->n_args, b->defs, b->in_first, b->in);
    if (status == PYTREE_OK) { status = pytree__traced_leaves(b); }
    if (status != PYTREE_OK) { return status; }
    return pytree__pg_bind(b, pytree__pg_trace(b->plan, b->fn, b->n_args, b->defs, b->in, b->n_in));
}
const struct pytree__fn_kind pytree_traced_kind = { "function", NULL, pytree__traced_says, pytree__traced_bind,
                                                    pytree__pg_run, pytree__traced_name };
#endif
