/* pytree/impl/function_bind.h: binding: checks of types and results, structs that callbacks are given. */
#ifndef PYTREE_IMPL_FUNCTION_BIND_H
#define PYTREE_IMPL_FUNCTION_BIND_H

#include "function_memory.h"

const char pytree_any_tree[1] = { 0 };

static const pytree_node pytree__fn_leaf_node = { NULL, 0, 1, 1, 0 };
const pytree_def pytree_leaf_def = { 1, 1, 0, &pytree__fn_leaf_node, (const unsigned char *)"", false, NULL, true, false, false,
                                     0, NULL, NULL, 0, NULL };

/* ---- Messages ------------------------------------------------------------------------------------------------------ */

static const char *pytree__fn_name(const pytree_fn *f)
{
    const char *called = f->kind == NULL || f->kind->called == NULL ? NULL : f->kind->called(f);
    if (called != NULL) { return called; }
    return f->name != NULL ? f->name : f->kind != NULL ? f->kind->name : "function";
}

static void pytree__fn_report(const struct pytree__fn_bound *b, pytree_status status, const char *path, const char *format,
                              va_list arguments)
{
    const pytree_fn *of = b->fn->kind == NULL || b->fn->kind->inner == NULL ? NULL : b->fn->kind->inner(b->fn);
    char message[PYTREE__MESSAGE];
    const int before = PYTREE__GET_ERRNO();
    pytree_error problem;
    (void)vsnprintf(message, sizeof message, format, arguments);
    PYTREE__SET_ERRNO(before);
    problem.status = PYTREE_OK;
    (void)pytree_fail(&problem, status, path, "%s%s%s: %s", pytree__fn_name(b->fn), of == NULL ? "" : " of ",
                      of == NULL ? "" : pytree__fn_name(of), message);
    if (b->plan->report != NULL) { b->plan->report(b->plan->report_context, &problem); }
    if (b->err->status == PYTREE_OK) { *b->err = problem; }
}

static PYTREE__NOINLINE pytree_status pytree__fn_fail_at(const struct pytree__fn_bound *b, pytree_status status,
                                                         const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pytree__fn_report(b, status, path, format, arguments);
    va_end(arguments);
    return status;
}

static PYTREE__NOINLINE pytree_status pytree__fn_fail(const struct pytree__fn_bound *b, pytree_status status,
                                                      const pytree_def *def, size_t node, const char *format, ...)
{
    char path[PYTREE__PATH];
    va_list arguments;
    path[0] = '\0';
    if (def != NULL) { pytree__node_path(def, node, path, sizeof path); }
    va_start(arguments, format);
    pytree__fn_report(b, status, path, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- Results ------------------------------------------------------------------------------------------------------- */

/* Describes a node of a tree for a message: a leaf by its type and shape. */
static void pytree__fn_node_text(char *text, size_t n, const pytree_def *def, const pytree_leaf *leaves, size_t node)
{
    if (def->nodes[node].type == NULL) {
        size_t leaf = 0, i;
        for (i = 0; i < node; i++) { leaf += def->nodes[i].type == NULL; }
        pytree__leaf_text(text, n, &leaves[leaf]);
    } else {
        struct pytree__text_writer to = pytree__text_to(text, n, NULL);
        pytree__alg_put_node(&to, def, node);
        pytree__end_text(&to, n);
    }
}

/* Reports each pair of nodes, under parents that agree, that differ. */
static pytree_status pytree__fn_structures(const struct pytree__fn_bound *b, const char *part, const pytree_def *x,
                                           const pytree_leaf *wanted, const pytree_def *y, const pytree_leaf *got)
{
    size_t *pairs = (size_t *)pytree__fn_take(b->plan, x->n_nodes + 1, 2 * sizeof *pairs), n = 1;
    const char *const of = part == NULL ? "" : part, *const colon = part == NULL ? "" : ": ";
    char expected[PYTREE__SIDE], came[PYTREE__SIDE];
    if (pairs == NULL) { return PYTREE_NO_MEMORY; }
    pairs[0] = x->n_nodes - 1;
    pairs[1] = y->n_nodes - 1;
    while (n-- != 0) {
        size_t i = pairs[2 * n], j = pairs[2 * n + 1], k;
        const pytree_node *p = &x->nodes[i], *q = &y->nodes[j];
        const size_t at = i;
        if (pytree__same_node(p, q) && (p->type == NULL || pytree__alg_same_statics(x, i, y, j))) {
            for (k = 0; k < p->arity; k++) {                   /* the first child ends on top */
                pairs[2 * n] = --i;
                pairs[2 * n + 1] = --j;
                i -= x->nodes[i].nodes - 1;
                j -= y->nodes[j].nodes - 1;
                n++;
            }
            continue;
        }
        pytree__fn_node_text(expected, sizeof expected, x, wanted, at);
        pytree__fn_node_text(came, sizeof came, y, got, j);
        pytree__td_tell_apart(expected, p->type, came, q->type, sizeof came);
        (void)pytree__fn_fail(b, PYTREE_STRUCTURE, x, at, "%s%sexpected %s, got %s", of, colon, expected, came);
    }
    if (b->err->status == PYTREE_OK) {    /* the same nodes, which stand in different namespaces */
        (void)pytree__fn_fail(b, PYTREE_STRUCTURE, NULL, 0, "%s%sexpected a structure of %s, got one of %s", of, colon,
                              pytree__td_space_text(x->space, expected, sizeof expected),
                              pytree__td_space_text(y->space, came, sizeof came));
    }
    return PYTREE_STRUCTURE;
}

static pytree_status pytree__fn_compare(const struct pytree__fn_bound *b, const char *part, const pytree_def *expected,
                                        const pytree_leaf *wanted, const pytree_def *got, const pytree_leaf *leaves)
{
    pytree_status first = PYTREE_OK;
    size_t i;
    if (!pytree_def_equal(expected, got)) { return pytree__fn_structures(b, part, expected, wanted, got, leaves); }
    for (i = 0; i < expected->n_leaves; i++) {
        const pytree_status status = pytree__fits(&wanted[i], &leaves[i]);
        char one[PYTREE__SIDE], other[PYTREE__SIDE];
        if (PYTREE__LIKELY(status == PYTREE_OK)) { continue; }
        pytree__leaf_text(one, sizeof one, &wanted[i]);
        pytree__leaf_text(other, sizeof other, &leaves[i]);
        (void)pytree__fn_fail(b, status, expected, pytree__fn_node_of(expected, i), "%s%sexpected %s, got %s",
                              part == NULL ? "" : part, part == NULL ? "" : ": ", one, other);
        if (first == PYTREE_OK) { first = status; }
    }
    return first;
}

static pytree_status pytree__fn_result(struct pytree__fn_bound *b, const pytree_def *def, const pytree_leaf *out)
{
    size_t i;
    if (b->def != NULL) { return pytree__fn_compare(b, "result", def, out, b->def, b->out); }
    b->out = (pytree_leaf *)pytree__fn_take(b->plan, def->n_leaves, sizeof *b->out);
    if (b->out == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < def->n_leaves; i++) {
        b->out[i] = out[i];
        b->out[i].data = NULL;
    }
    b->def = def;
    b->n_out = def->n_leaves;
    return PYTREE_OK;
}

pytree_status pytree_result_like(const pytree_call *at, pytree like)
{
    struct pytree__fn_bound *b = at->bound;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    const pytree_status status = pytree__flatten(like, true, &leaves, 0, &def, &b->plan->tree, b->err);
    return status != PYTREE_OK ? status : pytree__fn_result(b, def, leaves);
}

pytree_status pytree_result_first(void *context, const pytree_call *at)
{
    (void)context;
    if (at->n_args == 0) { return pytree__fn_fail(at->bound, PYTREE_ARGUMENT, NULL, 0, "expected an argument, got none"); }
    return pytree_result_like(at, at->args[0]);
}

static pytree_status pytree__fn_scalar(const pytree_call *at, int type)
{
    pytree_leaf leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.type = &pytree_types[type];
    return pytree__fn_result(at->bound, &pytree_leaf_def, &leaf);
}

pytree_status pytree_result_f32(void *context, const pytree_call *at)
{
    (void)context;
    return pytree__fn_scalar(at, PYTREE__T_float_);
}

pytree_status pytree_result_f64(void *context, const pytree_call *at)
{
    (void)context;
    return pytree__fn_scalar(at, PYTREE__T_double_);
}

/* ---- Structs that callbacks are given ------------------------------------------------------------------------------ */

/* Makes leaves like those given, over memory that any value in place can be copied from. */
static pytree_leaf *pytree__fn_dummies(struct pytree__fn_plan *plan, const pytree_def *def, const pytree_leaf *leaves)
{
    static const char none[1] = "";
    const char *const empty = none;
    pytree_leaf *dummies = (pytree_leaf *)pytree__fn_take(plan, def->n_leaves, sizeof *dummies);
    size_t most = sizeof(long double) * 2, i;
    char *zeros, *texts;
    for (i = 0; i < def->n_nodes; i++) {
        const pytree_type *type = def->nodes[i].type;
        if (type != NULL && type->size > most) { most = type->size; }
    }
    zeros = (char *)pytree__fn_take(plan, most, 1);
    texts = (char *)pytree__fn_take(plan, most, 1);
    if (dummies == NULL || zeros == NULL || texts == NULL) { return NULL; }
    for (i = 0; i + sizeof empty <= most; i += sizeof empty) { memcpy(texts + i, &empty, sizeof empty); }
    for (i = 0; i < def->n_leaves; i++) {
        dummies[i] = leaves[i];
        dummies[i].data = leaves[i].type->dtype == PYTREE_STRING ? texts : zeros;
    }
    return dummies;
}

static void pytree__fn_add_slot(struct pytree__fn_slots *slots, void *at, const pytree_leaf *leaf, size_t bytes)
{
    struct pytree__fn_slot *slot = &slots->slot[slots->n++];
    slot->at = at;
    slot->leaf = leaf;
    slot->bytes = bytes;
}

/* Returns the pointer to the data of a leaf that is held as pytree or pytree_leaf: in a member of a struct, whose row is `row`,
 * in a list or a container of a tree that was built. NULL if it is held by a custom node. */
static void *pytree__fn_boxed(const pytree__cursor *c, const pytree_field *row, const char *self)
{
    const pytree__frame *f = &c->frames[c->n_frames - 1];      /* of the struct, or of a node in it */
    const pytree_type *const type = row != NULL ? row->type : f->type;
    char *at;
    if (row != NULL) {
        at = (char *)(uintptr_t)self + row->offset;
    } else if (f->from == PYTREE__FROM_BOXED) {
        at = f->data + (f->next - 1) * type->size;
    } else if (f->from == PYTREE__FROM_PAIRS) {
        at = pytree__pair(c, f, f->next - 1) + f->shape[2];
    } else if (f->from == PYTREE__FROM_ITEMS) {
        at = f->data + (f->next - 1) * sizeof(pytree);
    } else {
        return NULL;
    }
    if (type->kind == PYTREE_KIND_VIEW) { return at + offsetof(pytree_leaf, data); }
    for (;;) {
        const pytree *held = (const pytree *)(const void *)at;
        if (held->type->kind == PYTREE_KIND_VIEW) { return (char *)held->data + offsetof(pytree_leaf, data); }
        if (held->type->kind != PYTREE_KIND_REF) { return at + offsetof(pytree, data); }
        at = (char *)held->data;
    }
}

/* Finds out where the leaves of a struct tree are stored: pointers to set, values to copy. *all: every leaf is. */
static PYTREE__NOINLINE pytree_status pytree__fn_find_slots(struct pytree__fn_bound *b, pytree t, const pytree_leaf *leaves,
                                                            const pytree_leaf *dummies, bool result, bool *all)
{
    pytree_iter it;
    *all = true;
    if (pytree_iter_begin(&it, 1, &t, &b->plan->tree, b->err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const pytree_leaf *leaf = &leaves[it.index];
            const char *self = NULL;
            const pytree_field *row = pytree__row_at(&it.cursors[0], &self);
            pytree_field own;
            void *boxed;
            if (row != NULL) { row = pytree__given_row(row, self, &own); }
            if (row != NULL && row->place == PYTREE_POINTER) {
                pytree__fn_add_slot(&b->before, (char *)(uintptr_t)self + row->offset, leaf, 0);
            } else if (it.leaf[0]->data != dummies[it.index].data) {
                const size_t bytes = pytree_leaf_bytes(leaf);
                if (bytes != 0) { pytree__fn_add_slot(result ? &b->after : &b->before, it.leaf[0]->data, leaf, bytes); }
            } else if ((boxed = pytree__fn_boxed(&it.cursors[0], row, self)) != NULL) {
                pytree__fn_add_slot(&b->before, boxed, leaf, 0);
            } else {
                *all = false;
            }
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

/* Builds the struct that a callback is given for an argument or a part of the result. Where `must` is not set, a tree that
 * does not fit its struct is given as NULL. */
static pytree_status pytree__fn_build(struct pytree__fn_bound *b, const pytree_def *def, const pytree_leaf *leaves, bool result,
                                      bool must, void **place)
{
    struct pytree__fn_plan *plan = b->plan;
    struct pytree__fn_built *built = (struct pytree__fn_built *)pytree__fn_take(plan, 1, sizeof *built);
    pytree_leaf *dummies = pytree__fn_dummies(plan, def, leaves);
    const size_t n_before = b->before.n, n_after = b->after.n;
    pytree_error err;
    bool all;
    pytree_status status;
    if (built == NULL || dummies == NULL) { return PYTREE_NO_MEMORY; }
    err.status = PYTREE_OK;
    built->tree = pytree_unflatten(def, def->n_leaves, dummies, &plan->tree, &err);
    if (built->tree.data == NULL) {
        if (!must && err.status != PYTREE_NO_MEMORY) { return PYTREE_OK; }
        if (b->err->status == PYTREE_OK) { *b->err = err; }
        return err.status;
    }
    built->before = plan->built;
    plan->built = built;
    status = pytree__fn_find_slots(b, built->tree, leaves, dummies, result, &all);
    if (status != PYTREE_OK) { return status; }
    if (all) {
        *place = built->tree.data;
    } else {
        b->before.n = n_before;
        b->after.n = n_after;
        if (must) {
            status = pytree__fn_fail_at(b, PYTREE_ARGUMENT, NULL, "expected a %s without custom nodes, got one that has some",
                                        def->nodes[def->n_nodes - 1].type->name);
        }
    }
    return status;
}

/* Prepares what a callback finds at arg[k] or res[k]. */
static pytree_status pytree__fn_place(struct pytree__fn_bound *b, const pytree_def *def, const pytree_leaf *leaves,
                                      const pytree_leaf *own, const pytree_type *type, bool result, void **place)
{
    const pytree_node *root = &def->nodes[def->n_nodes - 1];
    if (root->type == NULL || own != NULL) {
        pytree__fn_add_slot(&b->before, place, own != NULL ? own : leaves, 0);
        *place = own != NULL ? own->data : leaves->data;       /* for `shape` */
        return PYTREE_OK;
    }
    if (root->type->kind != PYTREE_KIND_STRUCT || type == PYTREE_ANY) { return PYTREE_OK; }
    return pytree__fn_build(b, def, leaves, result, type != NULL, place);
}

/* ---- Binding ------------------------------------------------------------------------------------------------------- */

/* Compares a tree with the type that a function declares. */
static pytree_status pytree__fn_check_type(const struct pytree__fn_bound *b, const char *part, size_t k,
                                           const pytree_type *type, const pytree_def *def, const pytree_leaf *leaves)
{
    const pytree_node *root = &def->nodes[def->n_nodes - 1];
    char got[PYTREE__SIDE];
    if (type == PYTREE_ANY) { return PYTREE_OK; }
    if (root->type != NULL ? pytree_type_equal(pytree__origin(root->type), type) : pytree_type_equal(leaves[0].type, type)) {
        return PYTREE_OK;
    }
    pytree__fn_node_text(got, sizeof got, def, leaves, def->n_nodes - 1);
    return pytree__fn_fail_at(b, PYTREE_TYPE, NULL, "%s %zu: expected %s, got %s", part, k,
                           type->kind == PYTREE_KIND_LEAF ? pytree_dtype_name(type) : type->name, got);
}

static pytree_status pytree__fn_check_types(const struct pytree__fn_bound *b, const char *part, const pytree_type *const *types,
                                            size_t n, const pytree_def *const *defs, const size_t *first,
                                            const pytree_leaf *leaves)
{
    pytree_status worst = PYTREE_OK;
    size_t k, wanted = 0;
    if (types == NULL) { return PYTREE_OK; }
    while (types[wanted] != NULL) { wanted++; }
    if (wanted != n) {
        return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected %zu %s%s, got %zu", wanted, part,
                               wanted == 1 ? "" : "s", n);
    }
    for (k = 0; k < n; k++) {
        const pytree_status status = pytree__fn_check_type(b, part, k, types[k], defs[k], leaves + first[k]);
        if (worst == PYTREE_OK) { worst = status; }
    }
    return worst;
}

/* Counts the slots that an argument or a part of the result may need: one for each leaf only if a struct is built for it. */
static size_t pytree__fn_most_slots(const pytree_def *def, const pytree_leaf *own)
{
    const pytree_type *type = def->nodes[def->n_nodes - 1].type;
    return own == NULL && type != NULL && type->kind == PYTREE_KIND_STRUCT ? def->n_leaves : 1;
}

/* Makes the trees of all arguments. */
static pytree_status pytree__fn_trees(struct pytree__fn_bound *b)
{
    struct pytree__fn_plan *plan = b->plan;
    pytree *args = (pytree *)pytree__fn_take(plan, b->n_args, sizeof *args);
    size_t k, most = 0;
    for (k = 0; k < b->n_args; k++) {
        most += pytree__fn_most_slots(b->defs[k], b->own_arg == NULL ? NULL : b->own_arg[k]);
    }
    b->trees = (pytree_flat *)pytree__fn_take(plan, b->n_args + 1, sizeof *b->trees);
    b->arg = (void **)pytree__fn_take(plan, b->n_args, sizeof *b->arg);
    b->before.slot = (struct pytree__fn_slot *)pytree__fn_take(plan, most, sizeof *b->before.slot);
    if (args == NULL || b->trees == NULL || b->arg == NULL || b->before.slot == NULL) { return PYTREE_NO_MEMORY; }
    for (k = 0; k < b->n_args; k++) {
        b->trees[k].def = b->defs[k];
        b->trees[k].leaves = b->in + b->in_first[k];
        args[k].type = &pytree_types[PYTREE__T_flat];
        args[k].data = &b->trees[k];
    }
    b->all.count = b->n_args;
    b->all.items = args;
    b->at.arg = b->arg;
    b->at.in = b->in;
    b->at.in_first = b->in_first;
    b->at.args = args;
    b->at.all.type = &pytree_types[PYTREE__T_tuple];
    b->at.all.data = &b->all;
    b->at.n_args = b->n_args;
    b->at.n_in = b->n_in;
    b->at.opt = &plan->user;
    b->at.err = b->err;
    b->at.bound = b;
    return PYTREE_OK;
}

/* Finds the parts of the result, and its tree. */
static pytree_status pytree__fn_parts(struct pytree__fn_bound *b)
{
    struct pytree__fn_plan *plan = b->plan;
    struct pytree__fn_slots before;
    size_t k, most = 0;
    if (pytree_def_kind(b->def) == PYTREE_KIND_TUPLE) {
        b->n_res = pytree_def_num_children(b->def);
        b->res_defs = pytree__fn_split(plan, b->def, &b->out_first);
    } else {
        const pytree_def **defs = (const pytree_def **)pytree__fn_take(plan, 1, sizeof *defs);
        b->n_res = 1;
        b->out_first = (size_t *)pytree__fn_take(plan, 2, sizeof *b->out_first);
        if (defs == NULL || b->out_first == NULL) { return PYTREE_NO_MEMORY; }
        defs[0] = b->def;
        b->out_first[1] = b->n_out;
        b->res_defs = defs;
    }
    if (b->res_defs == NULL) { return PYTREE_NO_MEMORY; }
    for (k = 0; k < b->n_res; k++) {
        most += pytree__fn_most_slots(b->res_defs[k], k < b->n_own_res ? b->own_res[k] : NULL);
    }
    b->res = (void **)pytree__fn_take(plan, b->n_res, sizeof *b->res);
    before.slot = (struct pytree__fn_slot *)pytree__fn_take(plan, b->before.n + most, sizeof *before.slot);
    b->after.slot = (struct pytree__fn_slot *)pytree__fn_take(plan, most, sizeof *b->after.slot);
    if (b->res == NULL || before.slot == NULL || b->after.slot == NULL) { return PYTREE_NO_MEMORY; }
    memcpy(before.slot, b->before.slot, b->before.n * sizeof *before.slot);
    b->before.slot = before.slot;
    b->trees[b->n_args].def = b->def;
    b->trees[b->n_args].leaves = b->out;
    b->at.res = b->res;
    b->at.out = b->out;
    b->at.out_first = b->out_first;
    b->at.result.type = &pytree_types[PYTREE__T_flat];
    b->at.result.data = &b->trees[b->n_args];
    b->at.n_res = b->n_res;
    b->at.n_out = b->n_out;
    return PYTREE_OK;
}

/* Gives the callback one struct for the argument and for part 0 of the result. */
static pytree_status pytree__fn_unite(struct pytree__fn_bound *b)
{
    const size_t k = b->in_place - 1;
    struct pytree__fn_slot *slots;
    size_t i;
    if (b->res[0] == NULL) { return PYTREE_OK; }               /* no struct: arrays and numbers have no data yet */
    slots = (struct pytree__fn_slot *)pytree__fn_take(b->plan, b->before.n + 1, sizeof *slots);
    if (slots == NULL) { return PYTREE_NO_MEMORY; }
    memcpy(slots, b->before.slot, b->before.n * sizeof *slots);
    b->before.slot = slots;
    b->arg[k] = b->res[0];
    for (i = 0; i < b->before.n; i++) {
        if (slots[i].at == &b->res[0]) {  /* the caller's struct, which may be another in the next run */
            slots[b->before.n] = slots[i];
            slots[b->before.n++].at = &b->arg[k];
            break;
        }
    }
    return PYTREE_OK;
}

/* A callback that fails without a message gets the name of its status. */
static pytree_status pytree__fn_failed(struct pytree__fn_bound *b, pytree_status status)
{
    if (status != PYTREE_OK && b->err->status == PYTREE_OK) {
        (void)pytree__fn_fail(b, status, NULL, 0, "expected success, got %s", pytree_status_name(status));
    }
    return status;
}

/* Binds a callback. */
static pytree_status pytree__fn_bind_call(struct pytree__fn_bound *b)
{
    const pytree_fn *f = b->fn;
    pytree_status status;
    size_t k;
    if (f->call == NULL) { return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a callback (call), got NULL"); }
    status = pytree__fn_trees(b);
    for (k = 0; k < b->n_args && status == PYTREE_OK; k++) {
        status = pytree__fn_place(b, b->defs[k], b->in + b->in_first[k], b->own_arg == NULL ? NULL : b->own_arg[k],
                                  f->takes == NULL ? NULL : f->takes[k], false, &b->arg[k]);
    }
    if (status == PYTREE_OK && f->shape != NULL) { status = pytree__fn_failed(b, f->shape(f->context, &b->at)); }
    if (status == PYTREE_OK && b->def == NULL) {
        status = pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a function that says what it gives (shape), got %s",
                                 pytree__fn_name(f));
    }
    if (status == PYTREE_OK) { status = pytree__fn_parts(b); }
    if (status == PYTREE_OK) {
        status = pytree__fn_check_types(b, "result", f->gives, b->n_res, b->res_defs, b->out_first, b->out);
    }
    for (k = 0; k < b->n_res && status == PYTREE_OK; k++) {
        status = pytree__fn_place(b, b->res_defs[k], b->out + b->out_first[k], k < b->n_own_res ? b->own_res[k] : NULL,
                                  f->gives == NULL ? NULL : f->gives[k], true, &b->res[k]);
    }
    return status == PYTREE_OK && b->in_place != 0 ? pytree__fn_unite(b) : status;
}

/* Tasks of an executor have errors of their own, but that memory has run out is told to the plan. */
static pytree_status pytree__fn_bind(struct pytree__fn_bound *b)
{
    pytree_status status = pytree__fn_check_types(b, "argument", b->fn->takes, b->n_args, b->defs, b->in_first, b->in);
    if (status != PYTREE_OK) { return status; }
    status = b->fn->kind != NULL ? b->fn->kind->bind(b) : pytree__fn_bind_call(b);
    return status != PYTREE_OK ? status : b->plan->err.status;
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

/* Sets pointers or copies values. Most values in place are one number. */
PYTREE__INLINE void pytree__fn_fill(const struct pytree__fn_slots *slots)
{
    const struct pytree__fn_slot *s = slots->slot, *const end = s + slots->n;
    for (; s != end; s++) {
        if (PYTREE__LIKELY(s->bytes == 0)) { memcpy(s->at, &s->leaf->data, sizeof s->leaf->data); }
        else if (s->bytes == 4) { memcpy(s->at, s->leaf->data, 4); }
        else if (s->bytes == 8) { memcpy(s->at, s->leaf->data, 8); }
        else { memcpy(s->at, s->leaf->data, s->bytes); }
    }
}

/* Exchanges where leaves that are values in place lie: in the memory of the result, or in the struct that the callback gets. */
static void pytree__fn_exchange(struct pytree__fn_bound *b)
{
    size_t i;
    for (i = 0; i < b->after.n; i++) {
        struct pytree__fn_slot *s = &b->after.slot[i];
        const size_t k = (size_t)(s->leaf - b->out);
        void *const data = b->out[k].data;
        b->out[k].data = s->at;
        s->at = data;
        if (b->in_place != 0 && k < b->out_first[1]) { b->in[b->in_first[b->in_place - 1] + k].data = b->out[k].data; }
    }
}

/* Runs a function whose result is given as a struct with values in place: those are its leaves during the call, and are copied
 * from it afterwards. Before, they are copied to it: what the callback does not write stays as it was. */
static PYTREE__NOINLINE pytree_status pytree__fn_run_slowly(struct pytree__fn_bound *b)
{
    pytree_status status;
    size_t i;
    pytree__fn_fill(&b->after);
    pytree__fn_exchange(b);
    status = pytree__fn_failed(b, b->fn->call(b->fn->context, &b->at));
    pytree__fn_exchange(b);
    for (i = 0; i < b->after.n; i++) {
        const struct pytree__fn_slot *s = &b->after.slot[i];
        memcpy(s->leaf->data, s->at, s->bytes);
    }
    return status;
}

static inline pytree_status pytree__fn_run(struct pytree__fn_bound *b)
{
    pytree_status status;
    if (b->fn->kind != NULL) { return b->fn->kind->run(b); }
    pytree__fn_fill(&b->before);
    if (PYTREE__UNLIKELY(b->after.n != 0)) { return pytree__fn_run_slowly(b); }
    status = b->fn->call(b->fn->context, &b->at);
    return PYTREE__LIKELY(status == PYTREE_OK) ? PYTREE_OK : pytree__fn_failed(b, status);
}

#include "function_call.h"
#endif
