/* pytree/impl/transform_vmap.h: PYTREE_VMAP: one call for each element along axes. */
#ifndef PYTREE_IMPL_TRANSFORM_VMAP_H
#define PYTREE_IMPL_TRANSFORM_VMAP_H

#include "transform_axes.h"

/* A result that is the same for all elements (out_axes None): where the first element of a task puts it, and the others. */
struct pytree__tf_same {
    pytree_leaf *leaf;                    /* of the bound function */
    pytree_leaf first, next;
    size_t number;                        /* of the leaf */
};

/* Elements that are computed one after the other: all of them, or one worker's. */
/* A leaf whose pointer moves, and where a callback finds that pointer. */
struct pytree__tf_stride {
    pytree_leaf *leaf;
    void *slot;
    size_t bytes;
};

struct pytree__tf_task {
    struct pytree__fn_bound *child;
    struct pytree__tf_stride *steps;      /* of a callback that is given nothing but pointers; otherwise NULL */
    void *unused;                         /* slot of leaves that are not at arg or res */
    struct pytree__tf_move *ins, *outs;
    struct pytree__tf_same *same;
    size_t n_ins, n_outs, n_same;
    bool tiled;                           /* some moves are tiles, or some results are the same for all */
    size_t from, to;
    pytree_status status;
    pytree_error err;
};

struct pytree__tf_vmap {
    size_t n, n_tasks;
    int *in_axes, *out_axes;              /* of each leaf, counted from the front */
    struct pytree__tf_task *tasks;
    bool *mapped;                         /* of a batch rule */
    bool batch;
    const struct pytree__fn_bound *b;     /* while an executor runs */
};

static const pytree_fn *pytree__tf_vmap_inner(const pytree_fn *f) { return ((const pytree_vmap_of *)f->context)->f; }

static bool pytree__tf_vmap_says(const pytree_fn *f)
{
    const pytree_fn *of = pytree__tf_vmap_inner(f);
    return pytree__fn_says(of) || (of != NULL && pytree__fn_says(of->batch));
}

/* ---- Sizes --------------------------------------------------------------------------------------------------------- */

/* Fails because leaf i of the arguments has too few dimensions (size SIZE_MAX) or another size along its axis. */
static pytree_status pytree__tf_fail_in(const struct pytree__fn_bound *b, size_t leaf, size_t wanted, int axis, size_t size,
                                        size_t others)
{
    char path[PYTREE__PATH], text[PYTREE__SIDE], more[60];
    size_t k = 0, n;
    while (b->in_first[k + 1] <= leaf) { k++; }
    n = (size_t)snprintf(path, sizeof path, "[%zu]", k);
    pytree__node_path(b->defs[k], pytree__fn_node_of(b->defs[k], leaf - b->in_first[k]), path + n, sizeof path - n);
    pytree__leaf_text(text, sizeof text, &b->in[leaf]);
    if (size == SIZE_MAX) {
        return pytree__fn_fail_at(b, PYTREE_SHAPE, path, "expected at least %zu dimension%s for axis %d, got %s", wanted,
                                  wanted == 1 ? "" : "s", axis, text);
    }
    more[0] = '\0';
    if (others > 1) { snprintf(more, sizeof more, ", as %zu others have", others); }
    return pytree__fn_fail_at(b, PYTREE_SHAPE, path, "expected size %zu along axis %d%s, got %zu (%s)", wanted, axis, more,
                              size, text);
}

/* Turns the axis of leaf i of the arguments into a number from the front. */
static pytree_status pytree__tf_resolve_axis(const struct pytree__fn_bound *b, size_t i, int *axis)
{
    const int ndim = b->in[i].ndim;
    if (*axis < -ndim || *axis >= ndim) {
        return pytree__tf_fail_in(b, i, *axis < 0 ? (size_t)-(int64_t)*axis : (size_t)*axis + 1, *axis, SIZE_MAX, 0);
    }
    if (*axis < 0) { *axis += ndim; }
    return PYTREE_OK;
}

/* Finds the size along all mapped axes. The largest group of leaves is right, the first of those of equal size. */
static pytree_status pytree__tf_size(const struct pytree__fn_bound *b, const int *axes, size_t given, size_t *n)
{
    size_t i, k, best = 0, first = SIZE_MAX, *seen;
    pytree_status status = PYTREE_OK;
    bool differ = false;
    for (i = 0; i < b->n_in; i++) {
        if (axes[i] == PYTREE__TF_NOT_MAPPED) { continue; }
        if (first == SIZE_MAX) { first = i; }
        differ = differ || b->in[i].shape[axes[i]] != b->in[first].shape[axes[first]];
    }
    if (first == SIZE_MAX && given == 0) {
        return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a mapped axis or axis_size, got None for all %zu leaves",
                               b->n_in);
    }
    *n = given != 0 ? given : b->in[first].shape[axes[first]];
    if (!differ && (first == SIZE_MAX || b->in[first].shape[axes[first]] == *n)) { return PYTREE_OK; }
    seen = (size_t *)pytree__fn_take(b->plan, b->n_in, sizeof *seen);     /* leaves of the same size, at the first of them */
    if (seen == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < b->n_in; i++) {
        if (axes[i] == PYTREE__TF_NOT_MAPPED) { continue; }
        for (k = 0; axes[k] == PYTREE__TF_NOT_MAPPED || b->in[k].shape[axes[k]] != b->in[i].shape[axes[i]]; k++) {}
        if (++seen[k] > best && given == 0) { best = seen[k]; }
    }
    for (k = 0; given == 0 && seen[k] != best; k++) {}
    if (given == 0) { *n = b->in[k].shape[axes[k]]; }
    for (i = 0; i < b->n_in; i++) {
        if (seen[i] == 0 || b->in[i].shape[axes[i]] == *n) { continue; }
        status = pytree__tf_fail_in(b, i, *n, axes[i], b->in[i].shape[axes[i]], best);
    }
    return status;
}

/* ---- Binding ------------------------------------------------------------------------------------------------------- */

/* Makes the element's view of a leaf; of a batch rule that of all elements, along the first axis. */
static void pytree__tf_element(pytree_leaf *to, const pytree_leaf *whole, int axis, bool batch)
{
    const size_t n = axis == PYTREE__TF_NOT_MAPPED ? 0 : whole->shape[axis];
    *to = *whole;
    to->data = NULL;
    if (axis == PYTREE__TF_NOT_MAPPED) { return; }
    pytree__tf_drop_axis(to, axis);
    if (batch) { pytree__tf_add_axis(to, 0, n); }
}

/* Makes the function that is called for each element, or once with all of them. The caller's structs are passed on where
 * nothing in them is mapped. */
static struct pytree__fn_bound *pytree__tf_vmap_child(struct pytree__fn_bound *b, const struct pytree__tf_vmap *s, bool batch,
                                                      const pytree_def *def)
{
    const pytree_fn *of = pytree__tf_vmap_inner(b->fn);
    struct pytree__fn_bound *c = pytree__fn_child(b, batch ? of->batch : of, b->n_args, b->defs, def);
    const pytree_leaf **own;
    size_t i, k;
    if (c == NULL) { return NULL; }
    own = (const pytree_leaf **)pytree__fn_take(b->plan, b->n_args, sizeof *own);
    if (own == NULL) { return NULL; }
    for (i = 0; i < b->n_in; i++) { pytree__tf_element(&c->in[i], &b->in[i], s->in_axes[i], batch); }
    for (k = 0; k < b->n_args; k++) {
        for (i = b->in_first[k]; i < b->in_first[k + 1] && s->in_axes[i] == PYTREE__TF_NOT_MAPPED; i++) {}
        own[k] = i == b->in_first[k + 1] && b->own_arg != NULL ? b->own_arg[k] : NULL;
    }
    c->own_arg = own;
    if (batch) {
        c->at.mapped = s->mapped;
        c->at.size = s->n;
    }
    return c;
}

/* Resolves out_axes for a structure. `elements`: the views are those of one element, to which the axes are to be added. */
static pytree_status pytree__tf_out_axes(struct pytree__fn_bound *b, struct pytree__tf_vmap *s, const pytree_def *def,
                                         pytree_leaf *views, bool elements)
{
    const pytree_vmap_of *of = (const pytree_vmap_of *)b->fn->context;
    pytree_status status;
    size_t i;
    s->out_axes = (int *)pytree__fn_take(b->plan, def->n_leaves, sizeof *s->out_axes);
    if (s->out_axes == NULL) { return PYTREE_NO_MEMORY; }
    status = pytree__tf_spread(b, of->out_axes, def, "out_axes", s->out_axes);
    for (i = 0; i < def->n_leaves && status == PYTREE_OK; i++) {
        int *axis = &s->out_axes[i];
        const int most = views[i].ndim - !elements;
        const size_t node = pytree__fn_node_of(def, i);
        if (*axis == PYTREE__TF_NOT_MAPPED) { continue; }
        if (elements && views[i].ndim == PYTREE_MAX_DIMS) {
            return pytree__fn_fail(b, PYTREE_SHAPE, def, node, "expected at most %d dimensions (PYTREE_MAX_DIMS), got %d",
                                   PYTREE_MAX_DIMS, PYTREE_MAX_DIMS + 1);
        }
        if (*axis < -most - 1 || *axis > most) {
            return pytree__fn_fail(b, PYTREE_SHAPE, def, node, "out_axes: expected an axis from %d to %d, got %d", -most - 1,
                                   most, *axis);
        }
        if (*axis < 0) { *axis += most + 1; }
        if (elements) { pytree__tf_add_axis(&views[i], *axis, s->n); }
        if (views[i].shape[*axis] != s->n) {
            char text[PYTREE__SIDE];
            pytree__leaf_text(text, sizeof text, &views[i]);
            status = pytree__fn_fail(b, PYTREE_SHAPE, def, node, "result: expected size %zu along axis %d, got %s", s->n, *axis,
                                     text);
        }
    }
    return status;
}

/* Finds out the result from a function that knows its own. *probe is that function, bound to one element. */
static pytree_status pytree__tf_vmap_infer(struct pytree__fn_bound *b, struct pytree__tf_vmap *s, bool batch,
                                           struct pytree__fn_bound **probe)
{
    pytree_leaf *views;
    pytree_status status;
    size_t i;
    *probe = pytree__tf_vmap_child(b, s, batch, NULL);
    status = *probe == NULL ? PYTREE_NO_MEMORY : pytree__fn_bind(*probe);
    if (status != PYTREE_OK) { return status; }
    views = (pytree_leaf *)pytree__fn_take(b->plan, (*probe)->n_out, sizeof *views);
    if (views == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < (*probe)->n_out; i++) {
        views[i] = (*probe)->out[i];
        if (batch && (views[i].ndim == 0 || views[i].shape[0] != s->n)) {
            return pytree__fn_fail(b, PYTREE_SHAPE, (*probe)->def, pytree__fn_node_of((*probe)->def, i),
                                   "batch rule: expected a first axis of %zu", s->n);
        }
        if (batch) { pytree__tf_drop_axis(&views[i], 0); }
    }
    status = pytree__tf_out_axes(b, s, (*probe)->def, views, true);
    return status != PYTREE_OK ? status : pytree__fn_result(b, (*probe)->def, views);
}

/* Prepares how the leaves of a task move. */
static pytree_status pytree__tf_task_moves(struct pytree__fn_bound *b, const struct pytree__tf_vmap *s,
                                           struct pytree__tf_task *task, bool first)
{
    struct pytree__fn_plan *plan = b->plan;
    pytree_status status = PYTREE_OK;
    size_t i;
    task->ins = (struct pytree__tf_move *)pytree__fn_take(plan, b->n_in, sizeof *task->ins);
    task->outs = (struct pytree__tf_move *)pytree__fn_take(plan, b->n_out, sizeof *task->outs);
    task->same = (struct pytree__tf_same *)pytree__fn_take(plan, b->n_out, sizeof *task->same);
    if (task->ins == NULL || task->outs == NULL || task->same == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < b->n_in && status == PYTREE_OK; i++) {
        struct pytree__tf_move *move = &task->ins[task->n_ins];
        if (s->in_axes[i] == PYTREE__TF_NOT_MAPPED) { continue; }
        status = pytree__tf_move_init(plan, move, &task->child->in[i], &b->in[i], s->in_axes[i], s->batch);
        task->tiled = task->tiled || move->outer != 0;
        task->n_ins++;
    }
    for (i = 0; i < b->n_out && status == PYTREE_OK; i++) {
        if (s->out_axes[i] != PYTREE__TF_NOT_MAPPED) {
            struct pytree__tf_move *move = &task->outs[task->n_outs++];
            status = pytree__tf_move_init(plan, move, &task->child->out[i], &b->out[i], s->out_axes[i], s->batch);
            task->tiled = task->tiled || move->outer != 0;
        } else {
            struct pytree__tf_same *same = &task->same[task->n_same++];
            same->leaf = &task->child->out[i];
            same->number = i;
            same->first = same->next = *same->leaf;
            status = pytree__fn_data(plan, &same->next);
            if (status == PYTREE_OK && !first) { status = pytree__fn_data(plan, &same->first); }
            task->tiled = true;
        }
    }
    return status;
}

/* Sets the slots of steps from those of the callback. Both are in the order of the leaves of an array. */
static void pytree__tf_match(struct pytree__tf_stride *steps, size_t n, const struct pytree__fn_slots *slots,
                             const pytree_leaf *leaves, size_t n_leaves)
{
    size_t i = 0, k;
    for (k = 0; k < slots->n; k++) {
        const uintptr_t at = (uintptr_t)slots->slot[k].leaf;
        if (at < (uintptr_t)leaves || at >= (uintptr_t)(leaves + n_leaves)) { continue; }
        while (i < n && (uintptr_t)steps[i].leaf < at) { i++; }
        if (i < n && (uintptr_t)steps[i].leaf == at) { steps[i].slot = slots->slot[k].at; }
    }
}

/* Lets leaves and the pointers of a callback move together, if that is all that has to be done for an element. */
static pytree_status pytree__tf_task_steps(struct pytree__fn_plan *plan, struct pytree__tf_task *t)
{
    enum { FEW = 4 };                     /* for fewer elements it takes longer than it saves */
    const struct pytree__fn_bound *c = t->child;
    const size_t n = t->n_ins + t->n_outs;
    size_t i;
    if (t->tiled || c->fn->kind != NULL || c->after.n != 0 || t->to - t->from < FEW) { return PYTREE_OK; }
    for (i = 0; i < c->before.n; i++) {
        if (c->before.slot[i].bytes != 0) { return PYTREE_OK; }
    }
    t->steps = (struct pytree__tf_stride *)pytree__fn_take(plan, n, sizeof *t->steps);
    if (t->steps == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < n; i++) {
        const struct pytree__tf_move *move = i < t->n_ins ? &t->ins[i] : &t->outs[i - t->n_ins];
        t->steps[i].leaf = move->leaf;
        t->steps[i].slot = &t->unused;
        t->steps[i].bytes = move->step;
    }
    pytree__tf_match(t->steps, t->n_ins, &c->before, c->in, c->n_in);
    pytree__tf_match(t->steps + t->n_ins, t->n_outs, &c->before, c->out, c->n_out);
    return PYTREE_OK;
}

/* Makes task k of the elements. `probe` (NULL: none) is bound already. */
static pytree_status pytree__tf_vmap_task(struct pytree__fn_bound *b, struct pytree__tf_vmap *s, size_t k,
                                          struct pytree__fn_bound *probe)
{
    struct pytree__tf_task *task = &s->tasks[k];
    pytree_status status = PYTREE_OK;
    size_t i;
    task->from = s->n / s->n_tasks * k + (k < s->n % s->n_tasks ? k : s->n % s->n_tasks);
    task->to = task->from + s->n / s->n_tasks + (k < s->n % s->n_tasks);
    task->child = probe;
    if (probe == NULL) {
        struct pytree__fn_bound *c = pytree__tf_vmap_child(b, s, s->batch, b->def);
        if (c == NULL) { return PYTREE_NO_MEMORY; }
        if (s->n_tasks > 1) { c->err = &task->err; }
        for (i = 0; i < b->n_out; i++) {
            const int axis = s->out_axes[i];
            pytree__tf_element(&c->out[i], &b->out[i], axis, s->batch);
            if (!s->batch || axis != PYTREE__TF_NOT_MAPPED) { continue; }
            if (c->out[i].ndim == PYTREE_MAX_DIMS) {           /* those of all elements have one more */
                return pytree__fn_fail(b, PYTREE_SHAPE, b->def, pytree__fn_node_of(b->def, i),
                                       "expected at most %d dimensions (PYTREE_MAX_DIMS), got %d", PYTREE_MAX_DIMS,
                                       PYTREE_MAX_DIMS + 1);
            }
            pytree__tf_add_axis(&c->out[i], 0, s->n);
        }
        task->child = c;
        status = pytree__fn_bind(c);
        if (status != PYTREE_OK && c->err != b->err && b->err->status == PYTREE_OK) { *b->err = *c->err; }
    }
    if (status == PYTREE_OK) { status = pytree__tf_task_moves(b, s, task, k == 0); }
    return status != PYTREE_OK ? status : pytree__tf_task_steps(b->plan, task);
}

/* Binds the function to the elements: once, or for each worker of an executor. */
static pytree_status pytree__tf_vmap_tasks(struct pytree__fn_bound *b, struct pytree__tf_vmap *s,
                                           struct pytree__fn_bound *probe)
{
    struct pytree__fn_plan *plan = b->plan;
    const pytree_executor *executor = plan->executor;
    pytree_status status = PYTREE_OK;
    size_t k;
    s->n_tasks = 1;
    if (executor != NULL && !s->batch && executor->workers > 1 && s->n > 1) {
        s->n_tasks = executor->workers < s->n ? executor->workers : s->n;
        plan->executor = NULL;            /* transforms inside run in one task */
        probe = NULL;
    }
    s->tasks = (struct pytree__tf_task *)pytree__fn_take(plan, s->n_tasks, sizeof *s->tasks);
    if (s->tasks == NULL) { status = PYTREE_NO_MEMORY; }
    for (k = 0; k < s->n_tasks && status == PYTREE_OK; k++) { status = pytree__tf_vmap_task(b, s, k, probe); }
    plan->executor = executor;
    return status;
}

static pytree_status pytree__tf_vmap_bind(struct pytree__fn_bound *b)
{
    const pytree_vmap_of *of = (const pytree_vmap_of *)b->fn->context;
    struct pytree__fn_plan *plan = b->plan;
    struct pytree__tf_vmap *s = (struct pytree__tf_vmap *)pytree__fn_take(plan, 1, sizeof *s);
    struct pytree__fn_bound *probe = NULL;
    pytree_status status;
    size_t i;
    if (of->f == NULL) { return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a function, got NULL"); }
    if (s == NULL) { return PYTREE_NO_MEMORY; }
    b->state = s;
    s->batch = of->f->batch != NULL;
    s->in_axes = (int *)pytree__fn_take(plan, b->n_in, sizeof *s->in_axes);
    s->mapped = (bool *)pytree__fn_take(plan, b->n_in, sizeof *s->mapped);
    if (s->in_axes == NULL || s->mapped == NULL) { return PYTREE_NO_MEMORY; }
    status = pytree__tf_in_axes(b, of->in_axes, s->in_axes);
    for (i = 0; i < b->n_in && status == PYTREE_OK; i++) {
        s->mapped[i] = s->in_axes[i] != PYTREE__TF_NOT_MAPPED;
        if (s->mapped[i]) { status = pytree__tf_resolve_axis(b, i, &s->in_axes[i]); }
    }
    if (status == PYTREE_OK) { status = pytree__tf_size(b, s->in_axes, of->axis_size, &s->n); }
    if (status != PYTREE_OK) { return status; }
    if (pytree__fn_says(of->f)) {          /* a batch rule must give that, too */
        status = pytree__tf_vmap_infer(b, s, false, &probe);
        if (s->batch) { probe = NULL; }
    } else if (s->batch && pytree__fn_says(of->f->batch)) {
        status = pytree__tf_vmap_infer(b, s, true, &probe);
        probe = NULL;
    } else if (b->def == NULL) {
        return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a function that says what it gives (shape), got %s",
                               pytree__fn_name(of->f));
    } else {
        status = pytree__tf_out_axes(b, s, b->def, b->out, false);
    }
    return status != PYTREE_OK ? status : pytree__tf_vmap_tasks(b, s, probe);
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

/* Moves to element i + 1 of leaves that lie one after the other. */
PYTREE__INLINE void pytree__tf_advance(const struct pytree__tf_move *move, size_t n)
{
    const struct pytree__tf_move *const end = move + n;
    for (; move != end; move++) { move->leaf->data = (char *)move->leaf->data + move->step; }
}

/* Goes to element i; gathers a tile if one begins there. */
static void pytree__tf_go_to(const struct pytree__tf_move *move, size_t count, size_t n, size_t i,
                             const struct pytree__tf_task *t, bool gather)
{
    const struct pytree__tf_move *const end = move + count;
    for (; move != end; move++) {
        if (move->outer == 0) {
            move->leaf->data = (char *)move->whole->data + i * move->step;
        } else {
            const size_t in_tile = (i - t->from) % move->tile;
            if (gather && in_tile == 0) { pytree__tf_copy_tile(move, n, i, t->to, false); }
            move->leaf->data = move->memory + in_tile * move->step;
        }
    }
}

/* Scatters the tiles that end with element i. */
static void pytree__tf_scatter(const struct pytree__tf_move *move, size_t count, size_t n, size_t i,
                               const struct pytree__tf_task *t)
{
    const struct pytree__tf_move *const end = move + count;
    for (; move != end; move++) {
        const size_t in_tile = move->outer == 0 ? 0 : (i - t->from) % move->tile;
        if (move->outer != 0 && (in_tile + 1 == move->tile || i + 1 == t->to)) {
            pytree__tf_copy_tile(move, n, i - in_tile, i + 1, true);
        }
    }
}

static pytree_status pytree__tf_differs(const struct pytree__fn_bound *b, const pytree_leaf *x, const pytree_leaf *y,
                                        size_t number, size_t i)
{
    const pytree_tolerance nan_equal = { 0, 0, true };
    if (pytree__first_difference(x, y, &nan_equal) == SIZE_MAX) { return PYTREE_OK; }
    return pytree__fn_fail(b, PYTREE_VALUE, b->def, pytree__fn_node_of(b->def, number),
                           "expected one result for all elements (out_axes is None), got another for element %zu", i);
}

/* Runs the elements of a task where some are in tiles, or some results are the same for all. */
static pytree_status pytree__tf_run_tiled(const struct pytree__fn_bound *b, size_t n, struct pytree__tf_task *t)
{
    struct pytree__fn_bound *c = t->child;
    pytree_status status = PYTREE_OK;
    size_t i, k;
    for (k = 0; k < t->n_same; k++) {
        if (t == ((const struct pytree__tf_vmap *)b->state)->tasks) { t->same[k].first.data = b->out[t->same[k].number].data; }
    }
    for (i = t->from; i < t->to && status == PYTREE_OK; i++) {
        pytree__tf_go_to(t->ins, t->n_ins, n, i, t, true);
        pytree__tf_go_to(t->outs, t->n_outs, n, i, t, false);
        for (k = 0; k < t->n_same; k++) { t->same[k].leaf->data = i == t->from ? t->same[k].first.data : t->same[k].next.data; }
        c->at.index = i;
        status = pytree__fn_run(c);
        for (k = 0; k < t->n_same && status == PYTREE_OK && i != t->from; k++) {
            struct pytree__fn_bound blamed = *b;
            blamed.err = c->err;
            status = pytree__tf_differs(&blamed, &t->same[k].first, t->same[k].leaf, t->same[k].number, i);
        }
        if (status == PYTREE_OK) { pytree__tf_scatter(t->outs, t->n_outs, n, i, t); }
    }
    return status;
}

/* Runs the elements of a task whose leaves move together with the pointers of the callback. */
static pytree_status pytree__tf_run_steps(struct pytree__tf_task *t)
{
    struct pytree__fn_bound *c = t->child;
    const struct pytree__tf_stride *const steps = t->steps, *const end = steps + t->n_ins + t->n_outs, *step;
    pytree_call_fn *const call = c->fn->call;
    size_t i;
    pytree__fn_fill(&c->before);
    for (i = t->from; i < t->to; i++) {
        pytree_status status;
        c->at.index = i;
        status = call(c->fn->context, &c->at);
        if (PYTREE__UNLIKELY(status != PYTREE_OK)) { return pytree__fn_failed(c, status); }
        for (step = steps; step != end; step++) {
            void *const data = (char *)step->leaf->data + step->bytes;
            step->leaf->data = data;
            memcpy(step->slot, &data, sizeof data);
        }
    }
    return PYTREE_OK;
}

static pytree_status pytree__tf_run_task(const struct pytree__fn_bound *b, size_t n, struct pytree__tf_task *t)
{
    struct pytree__fn_bound *c = t->child;
    pytree_status status = PYTREE_OK;
    size_t i;
    for (i = 0; i < b->n_in; i++) { c->in[i].data = b->in[i].data; }
    for (i = 0; i < b->n_out; i++) { c->out[i].data = b->out[i].data; }
    if (t->tiled) { return pytree__tf_run_tiled(b, n, t); }
    pytree__tf_go_to(t->ins, t->n_ins, n, t->from, t, false);
    pytree__tf_go_to(t->outs, t->n_outs, n, t->from, t, false);
    if (t->steps != NULL) { return pytree__tf_run_steps(t); }
    for (i = t->from; i < t->to; i++) {
        c->at.index = i;
        status = pytree__fn_run(c);
        if (PYTREE__UNLIKELY(status != PYTREE_OK)) { break; }
        pytree__tf_advance(t->ins, t->n_ins);
        pytree__tf_advance(t->outs, t->n_outs);
    }
    return status;
}

/* Calls a batch rule: all leaves have their mapped axis in front. */
static pytree_status pytree__tf_run_batch(const struct pytree__fn_bound *b, size_t n, struct pytree__tf_task *t)
{
    struct pytree__fn_bound *c = t->child;
    pytree_status status;
    size_t i, k;
    for (i = 0; i < b->n_in; i++) { c->in[i].data = b->in[i].data; }
    for (i = 0; i < b->n_out; i++) { c->out[i].data = b->out[i].data; }
    pytree__tf_go_to(t->ins, t->n_ins, n, 0, t, true);
    pytree__tf_go_to(t->outs, t->n_outs, n, 0, t, false);
    for (k = 0; k < t->n_same; k++) { t->same[k].leaf->data = t->same[k].next.data; }
    status = pytree__fn_run(c);
    for (k = 0; k < t->n_outs && status == PYTREE_OK; k++) {
        if (t->outs[k].outer != 0) { pytree__tf_copy_tile(&t->outs[k], n, 0, n, true); }
    }
    for (k = 0; k < t->n_same && status == PYTREE_OK; k++) {
        const pytree_leaf *whole = &b->out[t->same[k].number];
        const size_t bytes = pytree_leaf_bytes(whole);
        pytree_leaf element = *whole;
        memcpy(whole->data, t->same[k].leaf->data, bytes);
        for (i = 1; i < n && status == PYTREE_OK; i++) {
            element.data = (char *)t->same[k].leaf->data + i * bytes;
            status = pytree__tf_differs(b, whole, &element, t->same[k].number, i);
        }
    }
    return status;
}

static void pytree__tf_vmap_work(void *context, size_t k)
{
    struct pytree__tf_vmap *s = (struct pytree__tf_vmap *)context;
    s->tasks[k].err.status = PYTREE_OK;
    s->tasks[k].status = pytree__tf_run_task(s->b, s->n, &s->tasks[k]);
}

/* Lets the executor run all tasks. The error is that of the lowest element that failed. */
static pytree_status pytree__tf_run_tasks(struct pytree__fn_bound *b, struct pytree__tf_vmap *s)
{
    const pytree_executor *executor = b->plan->executor;
    pytree_status status = PYTREE_OK;
    size_t k, i;
    s->b = b;
    executor->run(executor->context, s->n_tasks, pytree__tf_vmap_work, s);
    for (k = 0; k < s->n_tasks && status == PYTREE_OK; k++) {
        const struct pytree__tf_task *t = &s->tasks[k];
        status = t->status;
        if (status != PYTREE_OK) { *b->err = t->err; }
        for (i = 0; i < t->n_same && k != 0 && status == PYTREE_OK; i++) {
            status = pytree__tf_differs(b, &b->out[t->same[i].number], &t->same[i].first, t->same[i].number, t->from);
        }
    }
    return status;
}

static pytree_status pytree__tf_vmap_run(struct pytree__fn_bound *b)
{
    struct pytree__tf_vmap *s = (struct pytree__tf_vmap *)b->state;
    size_t i;
    if (s->n == 0) {
        for (i = 0; i < b->n_out; i++) {                       /* what is not mapped has elements, but no value */
            const size_t bytes = pytree_leaf_bytes(&b->out[i]);
            if (bytes != 0) { memset(b->out[i].data, 0, bytes); }
        }
        return PYTREE_OK;
    }
    if (s->batch) { return pytree__tf_run_batch(b, s->n, &s->tasks[0]); }
    return s->n_tasks > 1 ? pytree__tf_run_tasks(b, s) : pytree__tf_run_task(b, s->n, &s->tasks[0]);
}

const pytree_fn_kind pytree_vmap_kind = { "vmap", pytree__tf_vmap_inner, pytree__tf_vmap_says, pytree__tf_vmap_bind,
                                          pytree__tf_vmap_run, NULL };

#include "transform_loops.h"
#endif
