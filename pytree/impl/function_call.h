/* pytree/impl/function_call.h: calling functions: apply, shapes, prepare and run. */
#ifndef PYTREE_IMPL_FUNCTION_CALL_H
#define PYTREE_IMPL_FUNCTION_CALL_H

#include "function_bind.h"

/* ---- Arguments and result as one tree --------------------------------------------------------------------------------
 *
 * The tuple (arguments ..., result) is flattened at once, and its children's treedefs are parts of its treedef.
 */
struct pytree__fn_frame {
    pytree_items all;
    pytree_flat flat;                     /* of the whole tuple */
    pytree_leaf *own;                     /* views of the caller's structs: n of arguments, then of the result's parts */
    size_t n, n_parts;
    struct pytree__fn_bound *top;
};

/* Returns the struct that a tree, which has been flattened, refers to; NULL if it refers to something else. */
static void *pytree__fn_struct_of(pytree t)
{
    t = pytree__referent(t);
    if (t.type->kind == PYTREE_KIND_VIEW) {
        const pytree_leaf *view = (const pytree_leaf *)t.data;
        return view->form == PYTREE_FORM_STRUCT && view->type->kind == PYTREE_KIND_STRUCT ? view->data : NULL;
    }
    return t.type->kind == PYTREE_KIND_STRUCT ? t.data : NULL;
}

/* Returns the values of a tuple of trees that is held as such and has been flattened; NULL for other trees. */
static const pytree_items *pytree__fn_tuple_of(pytree t)
{
    t = pytree__referent(t);
    return pytree__origin(t.type) == &pytree_types[PYTREE__T_tuple] ? (const pytree_items *)t.data : NULL;
}

/* Finds the caller's structs among the arguments and the result's parts. */
static void pytree__fn_find_structs(struct pytree__fn_frame *f, const pytree *args, const pytree *out)
{
    const pytree_items *tuple = out == NULL ? NULL : pytree__fn_tuple_of(*out);
    size_t k;
    for (k = 0; k < f->n; k++) { f->own[k].data = pytree__fn_struct_of(args[k]); }
    for (k = 0; k < f->n_parts; k++) {
        f->own[f->n + k].data = tuple == NULL ? f->n_parts == 1 ? pytree__fn_struct_of(*out) : NULL
                                : k < tuple->count ? pytree__fn_struct_of(tuple->items[k]) : NULL;
    }
}

/* Flattens arguments and result; `out` NULL: there is none. */
static pytree_status pytree__fn_flatten(struct pytree__fn_plan *plan, struct pytree__fn_frame *f, size_t n, const pytree *args,
                                        const pytree *out)
{
    pytree *items = (pytree *)pytree__fn_take(plan, n + 1, sizeof *items);
    pytree t;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_status status;
    if (items == NULL) { return PYTREE_NO_MEMORY; }
    memset(&f->all, 0, sizeof f->all);
    if (n != 0) { memcpy(items, args, n * sizeof *items); }
    if (out != NULL) { items[n] = *out; }
    f->all.count = n + (out != NULL);
    f->all.items = items;
    t.type = &pytree_types[PYTREE__T_tuple];
    t.data = &f->all;
    status = pytree__flatten(t, plan->shapes_only, &leaves, 0, &def, &plan->tree, &plan->err);
    if (status == PYTREE_OK) { status = pytree__need_host(def, leaves, &plan->err); }
    f->flat.def = def;
    f->flat.leaves = leaves;
    return status;
}

/* Collects pointers to the views of structs that are there. */
static const pytree_leaf *const *pytree__fn_own(struct pytree__fn_plan *plan, const pytree_leaf *views, size_t n)
{
    const pytree_leaf **own = (const pytree_leaf **)pytree__fn_take(plan, n, sizeof *own);
    size_t k;
    for (k = 0; own != NULL && k < n; k++) { own[k] = views[k].data == NULL ? NULL : &views[k]; }
    return own;
}

/* Binds f to arguments and, if `out` is not NULL, a result. */
static pytree_status pytree__fn_begin(struct pytree__fn_plan *plan, struct pytree__fn_frame *f, const pytree_fn *fn, size_t n,
                                      const pytree *args, const pytree *out)
{
    const pytree_def *const *defs;
    size_t *first = NULL;
    struct pytree__fn_bound *b;
    pytree_status status;
    if (fn == NULL || (args == NULL && n != 0)) {
        return pytree_fail(&plan->err, PYTREE_ARGUMENT, NULL, "expected a function and its arguments, got NULL");
    }
    if (plan->err.status != PYTREE_OK) { return plan->err.status; }
    status = pytree__fn_flatten(plan, f, n, args, out);
    if (status != PYTREE_OK) { return status; }
    defs = pytree__fn_split(plan, f->flat.def, &first);
    b = defs == NULL ? NULL : pytree__fn_bound_new(plan, fn, n, defs, out == NULL ? NULL : defs[n]);
    if (b == NULL) { return PYTREE_NO_MEMORY; }
    f->top = b;
    f->n = n;
    f->n_parts = out == NULL ? 0 : pytree_def_kind(b->def) == PYTREE_KIND_TUPLE ? pytree_def_num_children(b->def) : 1;
    f->own = (pytree_leaf *)pytree__fn_take(plan, n + f->n_parts, sizeof *f->own);
    if (f->own == NULL) { return PYTREE_NO_MEMORY; }
    b->in_first = first;
    b->n_in = first[n];
    b->in = (pytree_leaf *)(uintptr_t)f->flat.leaves;
    if (out != NULL) {
        b->n_out = f->flat.def->n_leaves - b->n_in;
        b->out = b->in + b->n_in;
    }
    if (!plan->rebuilds) {
        pytree__fn_find_structs(f, args, out);
        b->own_arg = pytree__fn_own(plan, f->own, n);
        b->own_res = out == NULL ? NULL : pytree__fn_own(plan, f->own + n, f->n_parts);
        b->n_own_res = f->n_parts;
        if (b->own_arg == NULL || (out != NULL && b->own_res == NULL)) { return PYTREE_NO_MEMORY; }
    }
    return pytree__fn_bind(b);
}

/* ---- Memory that is shared ------------------------------------------------------------------------------------------- */

struct pytree__fn_extent {
    uintptr_t from, to;
    size_t leaf;
};

static int pytree__fn_by_address(const void *a, const void *b)
{
    const struct pytree__fn_extent *x = (const struct pytree__fn_extent *)a, *y = (const struct pytree__fn_extent *)b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static pytree_status pytree__fn_fail_shared(const struct pytree__fn_bound *b, size_t leaf, const pytree_def *def, size_t other,
                                            const char *whose)
{
    char path[PYTREE__PATH];
    pytree__node_path(def, pytree__fn_node_of(def, other), path, sizeof path);
    return pytree__fn_fail(b, PYTREE_SHARED, b->def, pytree__fn_node_of(b->def, leaf),
                           "result: expected memory of its own, got that of %s%s", whose, path);
}

/* Fails where a leaf of an argument overlaps one of the sorted extents, of which the last ends behind `from`. */
static pytree_status pytree__fn_meets(const struct pytree__fn_bound *b, const struct pytree__fn_extent *outs, size_t n,
                                      size_t i, uintptr_t from, uintptr_t to)
{
    size_t low = 0, high = n, k = 0;
    char whose[40];
    while (low < high) {                  /* the first that ends behind `from` */
        const size_t middle = low + (high - low) / 2;
        if (outs[middle].to <= from) { low = middle + 1; } else { high = middle; }
    }
    if (outs[low].from >= to) { return PYTREE_OK; }
    while (b->in_first[k + 1] <= i) { k++; }
    snprintf(whose, sizeof whose, "argument [%zu]", k);
    return pytree__fn_fail_shared(b, outs[low].leaf, b->defs[k], i - b->in_first[k], whose);
}

/* Checks that arguments have data, and that results have memory of their own. */
static pytree_status pytree__fn_distinct(const struct pytree__fn_bound *b)
{
    struct pytree__fn_extent few[16], *outs = few;
    pytree_status status = PYTREE_OK;
    const pytree_leaf *leaf, *end;
    uintptr_t free_from = 1;
    bool sorted = true;
    size_t i, n = 0;
    if (b->n_out > 16) {
        outs = (struct pytree__fn_extent *)pytree__array_new(b->n_out, sizeof *outs, b->plan->user.allocator, b->err);
        if (outs == NULL) { return PYTREE_NO_MEMORY; }
    }
    for (i = 0; i < b->n_out; i++) {
        const size_t bytes = pytree_leaf_bytes(&b->out[i]);
        if (bytes == 0) { continue; }
        outs[n].from = (uintptr_t)b->out[i].data;
        outs[n].to = outs[n].from + bytes;
        outs[n].leaf = i;
        if (b->out[i].data == NULL) {
            status = pytree__fn_fail(b, PYTREE_NULL_POINTER, b->def, pytree__fn_node_of(b->def, i),
                                     "result: expected memory, got a shape");
        }
        sorted = sorted && (n == 0 || outs[n - 1].to <= outs[n].from);
        n++;
    }
    if (!sorted) { qsort(outs, n, sizeof *outs, pytree__fn_by_address); }
    for (i = 1; !sorted && i < n && status == PYTREE_OK; i++) {
        if (outs[i].from < outs[i - 1].to) {
            status = pytree__fn_fail_shared(b, outs[i].leaf, b->def, outs[i - 1].leaf, "result");
        }
    }
    if (n != 0) { free_from = outs[n - 1].to; }                /* behind all results, and not NULL */
    for (leaf = b->in, end = leaf + b->n_in; leaf != end && status == PYTREE_OK; leaf++) {
        const uintptr_t from = (uintptr_t)leaf->data;
        size_t bytes;
        if (from >= free_from) { continue; }
        bytes = pytree_leaf_bytes(leaf);
        if (bytes == 0) { continue; }
        i = (size_t)(leaf - b->in);
        if (from == 0) {
            size_t k = 0;
            while (b->in_first[k + 1] <= i) { k++; }
            status = pytree__fn_fail(b, PYTREE_NULL_POINTER, b->defs[k], pytree__fn_node_of(b->defs[k], i - b->in_first[k]),
                                     "argument %zu: expected data, got a shape", k);
        } else if (from + bytes > outs[0].from) {
            status = pytree__fn_meets(b, outs, n, i, from, from + bytes);
        }
    }
    if (outs != few) { pytree__array_free(outs, b->n_out, sizeof *outs, b->plan->user.allocator); }
    return status;
}

/* ---- Apply --------------------------------------------------------------------------------------------------------- */

/* The first memory of a plan that lives for one call. */
union pytree__fn_start {
    struct pytree__fn_chunk chunk;
    unsigned char bytes[PYTREE__FN_CHUNK];
    long double align;
};

static void pytree__fn_plan_on_stack(struct pytree__fn_plan *plan, union pytree__fn_start *start, const pytree_fn_options *opt)
{
    start->chunk.before = NULL;
    start->chunk.room = sizeof *start / PYTREE__FN_ALIGN * PYTREE__FN_ALIGN;
    start->chunk.used = PYTREE__FN_HEAD;
    start->chunk.borrowed = true;
    pytree__fn_plan_begin(plan, &start->chunk, opt);
}

/* Did an operation make that string? */
static bool pytree__fn_made_string(const struct pytree__fn_plan *plan, const char *string)
{
    const struct pytree__fn_strings *s;
    const struct pytree__fn_chunk *chunk;
    for (s = plan->strings; s != NULL; s = s->before) {
        for (chunk = s->chunks; chunk != NULL; chunk = chunk->before) {
            const uintptr_t from = (uintptr_t)chunk;
            if ((uintptr_t)string >= from && (uintptr_t)string < from + chunk->room) { return true; }
        }
    }
    return false;
}

/* Fails if a result has strings that end with the plan, and takes them out of it. */
static pytree_status pytree__fn_keeps_strings(const struct pytree__fn_bound *b)
{
    size_t i, k;
    for (i = 0; b->plan->strings != NULL && i < b->n_out; i++) {
        const size_t n = b->out[i].type->dtype == PYTREE_STRING ? pytree_leaf_count(&b->out[i]) : 0;
        for (k = 0; k < n && !pytree__fn_made_string(b->plan, ((const char **)b->out[i].data)[k]); k++) {}
        if (k != n) {
            pytree__fn_zero(&b->out[i]);
            (void)pytree__fn_fail(b, PYTREE_ARGUMENT, b->def, pytree__fn_node_of(b->def, i),
                                  "result: expected pytree_apply_new or pytree_prepare, which keep the strings that operations "
                                  "make, got pytree_apply");
        }
    }
    return b->err->status;
}

pytree_status pytree_apply(const pytree_fn *f, size_t n, const pytree *args, pytree out, const pytree_fn_options *opt,
                           pytree_error *err)
{
    union pytree__fn_start start;
    struct pytree__fn_plan plan;
    struct pytree__fn_frame frame;
    pytree_status status;
    pytree__fn_plan_on_stack(&plan, &start, opt);
    status = pytree__fn_begin(&plan, &frame, f, n, args, &out);
    if (status == PYTREE_OK) { status = pytree__fn_distinct(frame.top); }
    if (status == PYTREE_OK) { status = pytree__fn_run(frame.top); }
    if (status == PYTREE_OK) { status = pytree__fn_keeps_strings(frame.top); }
    if (status != PYTREE_OK) { (void)pytree__fn_verdict(&plan, err); }
    pytree__fn_plan_end(&plan);
    return status;
}

/* Makes a flat of a bound function's result, without data, or with zeroed data, which becomes that of b->out, and `more` bytes
 * that begin at *end. */
static pytree_flat pytree__fn_new_flat(struct pytree__fn_bound *b, bool data, size_t more, char **end)
{
    const size_t align = b->plan->align;
    size_t bytes = data ? pytree__plus(align, more) : 0, i;
    pytree_leaf *leaves;
    pytree_def *def;
    char *at;
    for (i = 0; data && i < b->n_out; i++) {
        bytes = pytree__plus(bytes, pytree__round(pytree_leaf_bytes(&b->out[i]), align));
    }
    def = pytree__alg_copy(b->def, bytes, &leaves, &b->plan->user, b->err);
    if (def == NULL) { return pytree__alg_flat(NULL, NULL); }
    at = (char *)(leaves + b->n_out);
    if (data) { at += (align - (uintptr_t)at % align) % align; }
    for (i = 0; i < b->n_out; i++) {
        leaves[i] = b->out[i];
        leaves[i].data = NULL;
        if (!data) { continue; }
        bytes = pytree_leaf_bytes(&leaves[i]);
        leaves[i].data = b->out[i].data = at;
        if (bytes <= PTRDIFF_MAX) { memset(at, 0, bytes); }    /* it is: the block has it */
        at += pytree__round(bytes, align);
    }
    *end = at;
    return pytree__alg_flat(def, leaves);
}

/* Copies the texts of a leaf to *at, unless `at` is NULL. Returns their bytes. */
static size_t pytree__fn_move_texts(const pytree_leaf *leaf, char **at)
{
    const size_t n = leaf->type->dtype == PYTREE_STRING ? pytree_leaf_count(leaf) : 0;
    char **texts = (char **)leaf->data;
    size_t bytes = 0, i;
    for (i = 0; i < n; i++) {
        const size_t length = texts[i] == NULL ? 0 : strlen(texts[i]) + 1;
        bytes = pytree__plus(bytes, length);
        if (at == NULL || length == 0) { continue; }
        texts[i] = (char *)memcpy(*at, texts[i], length);
        *at += length;
    }
    return bytes;
}

/* Copies a result into a block that also has its texts, and frees the old one; without texts it stays. */
static pytree_flat pytree__fn_own_texts(struct pytree__fn_bound *b, pytree_flat from)
{
    pytree_flat flat;
    size_t bytes = 0, i;
    char *at;
    for (i = 0; i < b->n_out; i++) { bytes = pytree__plus(bytes, pytree__fn_move_texts(&from.leaves[i], NULL)); }
    if (bytes == 0) { return from; }
    flat = pytree__fn_new_flat(b, true, bytes, &at);
    for (i = 0; flat.def != NULL && i < b->n_out; i++) {
        memcpy(flat.leaves[i].data, from.leaves[i].data, pytree_leaf_bytes(&from.leaves[i]));
        (void)pytree__fn_move_texts(&flat.leaves[i], &at);
    }
    pytree_flat_free(&from);
    return flat;
}

pytree_flat pytree_apply_new(const pytree_fn *f, size_t n, const pytree *args, const pytree_fn_options *opt, pytree_error *err)
{
    union pytree__fn_start start;
    struct pytree__fn_plan plan;
    struct pytree__fn_frame frame;
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    pytree_status status;
    char *end;
    pytree__fn_plan_on_stack(&plan, &start, opt);
    status = pytree__fn_begin(&plan, &frame, f, n, args, NULL);
    if (status == PYTREE_OK) {
        flat = pytree__fn_new_flat(frame.top, true, 0, &end);
        status = flat.def == NULL ? PYTREE_NO_MEMORY : pytree__fn_distinct(frame.top);
    }
    if (status == PYTREE_OK) { status = pytree__fn_run(frame.top); }
    if (status == PYTREE_OK) {
        flat = pytree__fn_own_texts(frame.top, flat);
        if (flat.def == NULL) { status = PYTREE_NO_MEMORY; }
    }
    if (status != PYTREE_OK) {
        pytree_flat_free(&flat);
        (void)pytree__fn_verdict(&plan, err);
    }
    pytree__fn_plan_end(&plan);
    return flat;
}

pytree_flat pytree_eval_shape(const pytree_fn *f, size_t n, const pytree *args, const pytree_fn_options *opt,
                              pytree_error *err)
{
    union pytree__fn_start start;
    struct pytree__fn_plan plan;
    struct pytree__fn_frame frame;
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    char *end;
    pytree__fn_plan_on_stack(&plan, &start, opt);
    plan.shapes_only = true;
    if (pytree__fn_begin(&plan, &frame, f, n, args, NULL) == PYTREE_OK) {
        flat = pytree__fn_new_flat(frame.top, false, 0, &end);
    }
    if (flat.def == NULL) { (void)pytree__fn_verdict(&plan, err); }
    pytree__fn_plan_end(&plan);
    return flat;
}

/* ---- Trees that are like others --------------------------------------------------------------------------------------- */

/* Flattens a tree, with its leaves in the treedef's block, in one pass if it is as large as that of `like` (may be NULL). */
static pytree_status pytree__flatten_like(pytree t, const pytree_def *like, pytree_leaf **leaves, pytree_def **def,
                                          const pytree_options *opt, pytree_error *err)
{
    struct pytree__flattener s;
    *leaves = NULL;
    if (PYTREE__LAYOUTS && like != NULL && like->n_nodes > PYTREE__FIRST_NODES && pytree__owned_block_of(t, opt) == NULL) {
        const size_t room = like->n_leaves + PYTREE__SPARE;
        pytree_status status;
        *def = pytree__def_block(like->n_nodes, like->n_statics, like->n_orders, like->space, room, opt, err);
        if (*def == NULL) { return PYTREE_NO_MEMORY; }
        pytree__flattener_init(&s, opt, NULL);
        pytree__layout_cache_init(&s.cache, &s.room.layouts);
        s.n_nodes = like->n_nodes;
        s.statics.length = like->n_statics;
        s.n_orders = like->n_orders;
        s.n_leaves = like->n_leaves;
        status = pytree__flatten_into(&s, t, false, *def, pytree__def_leaves(*def), room);
        pytree__cursor_end(&s.cursor);
        if (status == PYTREE_OK && !s.cursor.met_device && pytree__same_string(s.space, like->space)) {
            (*def)->of_flat = s.cursor.met_flat;
            *leaves = pytree__def_leaves(*def);
            return PYTREE_OK;
        }
        pytree_def_free(*def);            /* it is another tree, or has an error, which is told now */
    }
    return pytree__flatten(t, false, leaves, 0, def, opt, err);
}

/* ---- Prepare and run ----------------------------------------------------------------------------------------------- */

/* Memory for the block of a flattened tree, kept from one call to the next. */
struct pytree__fn_kept {
    pytree_allocator face;                /* gives the block to who asks first, and what else is asked for from `memory` */
    const pytree_allocator *memory;
    void *block;
    size_t bytes;
    bool taken;
};

static void *pytree__fn_kept_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    struct pytree__fn_kept *kept = (struct pytree__fn_kept *)context;
    const bool ours = p == NULL ? !kept->taken : p == kept->block;
    if (!ours) { return pytree__resize(kept->memory, p, old_size, new_size); }
    if (new_size > kept->bytes) {
        void *grown = pytree__resize(kept->memory, kept->block, kept->bytes, new_size);
        if (grown == NULL) { return NULL; }
        kept->block = grown;
        kept->bytes = new_size;
    }
    kept->taken = new_size != 0;
    return kept->taken ? kept->block : NULL;
}

static void pytree__fn_keep(struct pytree__fn_kept *kept, const pytree_allocator *memory)
{
    memset(kept, 0, sizeof *kept);
    kept->face.resize = pytree__fn_kept_resize;
    kept->face.context = kept;
    kept->memory = memory;
}

static void pytree__fn_keep_end(struct pytree__fn_kept *kept)
{
    if (kept->block != NULL) { (void)pytree__resize(kept->memory, kept->block, kept->bytes, 0); }
}

struct pytree_prepared {
    struct pytree__fn_plan plan;
    struct pytree__fn_frame frame;
    struct pytree__fn_kept kept;          /* what pytree_run_on flattens into */
    bool steady;                          /* a callback whose slots are pointers, which stay from run to run */
};

/* Sets the pointers that a callback is given, if they are all that has to be set. */
static void pytree__fn_steady(pytree_prepared *p)
{
    const struct pytree__fn_bound *top = p->frame.top;
    size_t i;
    p->steady = top->fn->kind == NULL && top->after.n == 0;
    for (i = 0; i < top->before.n && p->steady; i++) { p->steady = top->before.slot[i].bytes == 0; }
    if (p->steady) { pytree__fn_fill(&top->before); }
}

/* Prepares with or without using the caller's structs themselves. */
static pytree_prepared *pytree__fn_prepare(const pytree_fn *f, size_t n, const pytree *args, pytree out, bool rebuilds,
                                           const pytree_fn_options *opt, pytree_error *err)
{
    pytree_prepared *p = (pytree_prepared *)pytree__array_new(1, sizeof *p, pytree__allocator(opt == NULL ? NULL : &opt->tree),
                                                              err);
    pytree_status status;
    if (p == NULL) { return NULL; }
    pytree__fn_plan_begin(&p->plan, NULL, opt);
    pytree__fn_keep(&p->kept, p->plan.user.allocator);
    p->plan.rebuilds = rebuilds;
    status = pytree__fn_begin(&p->plan, &p->frame, f, n, args, &out);
    if (status == PYTREE_OK) { status = pytree__fn_distinct(p->frame.top); }
    if (status == PYTREE_OK) {
        pytree__fn_steady(p);
        return p;
    }
    (void)pytree__fn_verdict(&p->plan, err);
    pytree_prepared_free(p);
    return NULL;
}

pytree_prepared *pytree_prepare(const pytree_fn *f, size_t n, const pytree *args, pytree out, const pytree_fn_options *opt,
                                pytree_error *err)
{
    return pytree__fn_prepare(f, n, args, out, false, opt, err);
}

void pytree_prepared_free(pytree_prepared *p)
{
    const pytree_allocator *memory;
    if (p == NULL) { return; }
    memory = p->plan.user.allocator;
    pytree__fn_plan_end(&p->plan);
    pytree__fn_keep_end(&p->kept);
    pytree__array_free(p, 1, sizeof *p, memory);
}

static PYTREE__NOINLINE pytree_status pytree__fn_run_failed(pytree_prepared *p, pytree_status status, pytree_error *err)
{
    (void)pytree__fn_verdict(&p->plan, err);
    p->plan.err.status = PYTREE_OK;
    return status;
}

pytree_status pytree_run(pytree_prepared *p, pytree_error *err)
{
    pytree_status status;
    if (p == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a prepared function, got NULL"); }
    if (PYTREE__LIKELY(p->steady)) {
        struct pytree__fn_bound *top = p->frame.top;
        status = top->fn->call(top->fn->context, &top->at);
        if (PYTREE__UNLIKELY(status != PYTREE_OK)) { (void)pytree__fn_failed(top, status); }
    } else {
        p->plan.run++;
        status = pytree__fn_run(p->frame.top);
    }
    return PYTREE__LIKELY(status == PYTREE_OK) ? PYTREE_OK : pytree__fn_run_failed(p, status, err);
}

/* Exchanges the data of the function's leaves with that of others. */
static void pytree__fn_swap(struct pytree__fn_bound *top, pytree_leaf *leaves, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        void *data = top->in[i].data;
        top->in[i].data = leaves[i].data;
        leaves[i].data = data;
    }
}

/* Takes over the leaves of trees that equal the prepared ones in structure, types and shapes. */
static pytree_status pytree__fn_take_over(pytree_prepared *p, const pytree_def *def, pytree_leaf *leaves)
{
    struct pytree__fn_bound *top = p->frame.top;
    size_t i;
    pytree_status status = pytree_def_equal(p->frame.flat.def, def) ? PYTREE_OK : PYTREE_STRUCTURE;
    for (i = 0; i < def->n_leaves && status == PYTREE_OK; i++) { status = pytree__fits(&top->in[i], &leaves[i]); }
    if (status != PYTREE_OK) { return pytree__fn_compare(top, NULL, p->frame.flat.def, top->in, def, leaves); }
    pytree__fn_swap(top, leaves, def->n_leaves);
    status = pytree__fn_distinct(top);
    if (status != PYTREE_OK) { pytree__fn_swap(top, leaves, def->n_leaves); }
    return status;
}

/* Takes over the structs of other trees: there must be one wherever a callback was given one. */
static pytree_status pytree__fn_take_structs(pytree_prepared *p, const pytree *args, pytree out)
{
    struct pytree__fn_frame now = p->frame;
    const size_t n = now.n + now.n_parts;
    pytree_leaf few[8];
    pytree_status status = PYTREE_OK;
    size_t k;
    now.own = n <= 8 ? few : (pytree_leaf *)pytree__array_new(n, sizeof *now.own, p->plan.user.allocator, &p->plan.err);
    if (now.own == NULL) { return PYTREE_NO_MEMORY; }
    pytree__fn_find_structs(&now, args, &out);
    for (k = 0; k < n; k++) {
        if (p->frame.own[k].data != NULL && now.own[k].data == NULL) {
            status = pytree__fn_fail(now.top, PYTREE_ARGUMENT, NULL, 0,
                                     "expected a struct for argument or part %zu, as it was prepared with, got another tree",
                                     k);
        }
    }
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        if (p->frame.own[k].data != NULL) { p->frame.own[k].data = now.own[k].data; }
    }
    if (now.own != few) { pytree__array_free(now.own, n, sizeof *now.own, p->plan.user.allocator); }
    return status;
}

pytree_status pytree_run_on(pytree_prepared *p, size_t n, const pytree *args, pytree out, pytree_error *err)
{
    pytree_options opt;
    pytree_items all;
    pytree items[8], *all_items = items, t;
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_status status;
    if (p == NULL || n != p->frame.n || (args == NULL && n != 0)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a prepared function and %zu arguments, got %zu",
                           p == NULL ? 0 : p->frame.n, n);
    }
    opt = p->plan.user;
    opt.allocator = &p->kept.face;
    memset(&all, 0, sizeof all);
    if (n >= 8) { all_items = (pytree *)(uintptr_t)p->frame.all.items; }
    if (n != 0) { memcpy(all_items, args, n * sizeof *args); }
    all_items[n] = out;
    all.count = n + 1;
    all.items = all_items;
    t.type = &pytree_types[PYTREE__T_tuple];
    t.data = &all;
    status = pytree__flatten_like(t, p->frame.flat.def, &leaves, &def, &opt, &p->plan.err);
    if (status == PYTREE_OK) { status = pytree__fn_take_over(p, def, leaves); }
    if (status == PYTREE_OK) {
        status = pytree__fn_take_structs(p, args, out);
        if (status != PYTREE_OK) { pytree__fn_swap(p->frame.top, leaves, def->n_leaves); }
    }
    if (status == PYTREE_OK) {
        pytree__fn_steady(p);
        p->plan.run++;
        status = pytree__fn_run(p->frame.top);
    }
    pytree_def_free(def);
    return status == PYTREE_OK ? PYTREE_OK : pytree__fn_run_failed(p, status, err);
}
#endif
