/* pytree/impl/function_memory.h: the arena of a prepared function, treedefs in it, bound functions without contents. */
#ifndef PYTREE_IMPL_FUNCTION_MEMORY_H
#define PYTREE_IMPL_FUNCTION_MEMORY_H

#include "function_plan.h"

/* ---- The arena ----------------------------------------------------------------------------------------------------- */

enum { PYTREE__FN_ALIGN = 16,
       PYTREE__FN_HEAD = (sizeof(struct pytree__fn_chunk) + PYTREE__FN_ALIGN - 1) / PYTREE__FN_ALIGN * PYTREE__FN_ALIGN };

/* Puts a chunk before others that has room for so many bytes: each larger than the one before, up to a size above which pieces
 * get what they need. NULL without an error on failure. */
static struct pytree__fn_chunk *pytree__fn_add_chunk(const struct pytree__fn_plan *plan, struct pytree__fn_chunk **chunks,
                                                     size_t bytes)
{
    const size_t before = *chunks == NULL ? PYTREE__FN_CHUNK / 4 : (*chunks)->room;
    size_t room = before < PYTREE__FN_LARGE / 4 ? 4 * before : (size_t)PYTREE__FN_LARGE;
    struct pytree__fn_chunk *chunk;
    if (room < bytes) { room = bytes; }
    room = pytree__plus(pytree__round(room, PYTREE__FN_ALIGN), PYTREE__FN_HEAD);
    chunk = (struct pytree__fn_chunk *)pytree__resize(plan->user.allocator, NULL, 0, room);
    if (chunk == NULL) { return NULL; }
    chunk->before = *chunks;
    chunk->room = room;
    chunk->used = PYTREE__FN_HEAD;
    chunk->borrowed = false;
    *chunks = chunk;
    return chunk;
}

static void pytree__fn_free_chunks(const struct pytree__fn_plan *plan, struct pytree__fn_chunk **chunks)
{
    struct pytree__fn_chunk *chunk;
    while ((chunk = *chunks) != NULL) {
        *chunks = chunk->before;
        if (!chunk->borrowed) { (void)pytree__resize(plan->user.allocator, chunk, chunk->room, 0); }
    }
}

/* A chunk for a piece that does not fit into the current one, which stays the current one if the piece is large. */
static PYTREE__NOINLINE struct pytree__fn_chunk *pytree__fn_more(struct pytree__fn_plan *plan, size_t bytes)
{
    struct pytree__fn_chunk **chunks = &plan->chunks;
    if (bytes > SIZE_MAX / 2) { return NULL; }
    if (plan->chunks != NULL && bytes >= PYTREE__FN_LARGE) { chunks = &plan->chunks->before; }
    return pytree__fn_add_chunk(plan, chunks, pytree__round(bytes, PYTREE__FN_ALIGN));
}

/* Takes bytes that are not zeroed; NULL without an error if there are none. What is taken and what is left in a chunk are
 * multiples of the alignment. */
static inline void *pytree__fn_raw(struct pytree__fn_plan *plan, size_t bytes)
{
    struct pytree__fn_chunk *chunk = plan->chunks;
    char *p;
    bytes += bytes == 0;
    if (PYTREE__UNLIKELY(chunk == NULL || chunk->room - chunk->used < bytes)) {
        chunk = pytree__fn_more(plan, bytes);
        if (chunk == NULL) { return NULL; }
    }
    p = (char *)chunk + chunk->used;
    plan->last = chunk == plan->chunks ? p : NULL;
    chunk->used += (bytes + PYTREE__FN_ALIGN - 1) / PYTREE__FN_ALIGN * PYTREE__FN_ALIGN;
    return p;
}

/* pytree_allocator.resize of the arena. */
static void *pytree__fn_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    struct pytree__fn_plan *plan = (struct pytree__fn_plan *)context;
    void *grown = NULL;
    if (p != NULL && p == plan->last) {                        /* the last piece can grow and shrink where it is */
        const size_t from = (size_t)(plan->last - (char *)plan->chunks), room = plan->chunks->room - from;
        if (new_size <= room) {
            plan->chunks->used = from + pytree__round(new_size, PYTREE__FN_ALIGN);
            if (new_size == 0) { plan->last = NULL; }
            return new_size == 0 ? NULL : p;
        }
    }
    if (new_size != 0) { grown = pytree__fn_raw(plan, new_size); }
    if (grown != NULL && p != NULL) { memcpy(grown, p, old_size < new_size ? old_size : new_size); }
    return grown;
}

static void *pytree__fn_take(struct pytree__fn_plan *plan, size_t n, size_t size)
{
    enum { SMALL = 0x7fff };              /* times the size of a struct of the library it is what a size_t can hold */
    const size_t bytes = n <= SMALL ? n * size : pytree__times(n, size);       /* most need no division */
    void *p = pytree__fn_raw(plan, bytes);
    if (p == NULL) { (void)pytree__no_memory(&plan->err, bytes); return NULL; }
    return memset(p, 0, bytes);
}

/* Sets all elements of a leaf to zero; strings become empty. */
static void pytree__fn_zero(const pytree_leaf *leaf)
{
    static const char empty[1] = "";
    const size_t n = leaf->type->dtype == PYTREE_STRING ? pytree_leaf_count(leaf) : 0;
    size_t k;
    for (k = 0; k < n; k++) { ((const char **)leaf->data)[k] = empty; }
    if (leaf->type->dtype != PYTREE_STRING) { memset(leaf->data, 0, pytree_leaf_bytes(leaf)); }
}

/* Begins a plan. `chunk` (may be NULL) is memory of the caller's, which is used first. */
static void pytree__fn_plan_begin(struct pytree__fn_plan *plan, struct pytree__fn_chunk *chunk, const pytree_fn_options *opt)
{
    memset(plan, 0, sizeof *plan);
    plan->arena.resize = pytree__fn_resize;
    plan->arena.context = plan;
    plan->chunks = chunk;
    if (opt != NULL) {
        plan->user.allocator = opt->tree.allocator;
        plan->user.alignment = opt->tree.alignment;
        plan->user.space = opt->tree.space;
        plan->executor = opt->executor;
        plan->report = opt->report;
        plan->report_context = opt->report_context;
    }
    (void)pytree__new_alignment(&plan->user, &plan->align, &plan->err);        /* an error is told when a function is bound */
    plan->tree = plan->user;
    plan->tree.allocator = &plan->arena;
}

static void pytree__fn_plan_end(struct pytree__fn_plan *plan)
{
    while (plan->built != NULL) {                              /* stb_ds containers and custom nodes have memory elsewhere */
        struct pytree__fn_built *built = plan->built;
        plan->built = built->before;
        pytree_free(built->tree);
    }
    for (; plan->strings != NULL; plan->strings = plan->strings->before) {
        pytree__fn_free_chunks(plan, &plan->strings->chunks);
    }
    pytree__fn_free_chunks(plan, &plan->chunks);
}

/* Hands the plan's error over. Returns its status. */
static pytree_status pytree__fn_verdict(struct pytree__fn_plan *plan, pytree_error *err)
{
    const pytree_status status = plan->err.status;
    if (status != PYTREE_OK && err != NULL && err->status == PYTREE_OK) { *err = plan->err; }
    return status;
}

/* ---- Treedefs ------------------------------------------------------------------------------------------------------ */

/* Makes a treedef of the node `at` of another and of what is below it. Nothing is copied where nothing has to be renumbered. */
static bool pytree__fn_part(struct pytree__fn_plan *plan, const pytree_def *def, size_t at, pytree_def *part)
{
    const size_t first = at + 1 - def->nodes[at].nodes;
    size_t k, from, to, n_orders;
    const uint32_t *orders = pytree__orders_of(def, first, at, &n_orders);
    for (k = first; k < at && !pytree__has_meta(&def->nodes[k]); k++) {}
    from = pytree__has_meta(&def->nodes[k]) ? def->nodes[k].meta : 0;
    to = pytree__has_meta(&def->nodes[at]) ? def->nodes[at].meta + pytree__statics_size(def, at) : from;
    memset(part, 0, sizeof *part);
    part->n_nodes = def->nodes[at].nodes;
    part->n_leaves = def->nodes[at].leaves;
    part->nodes = def->nodes + first;
    part->n_statics = to - from;
    part->statics = def->statics + from;
    part->none_is_leaf = def->none_is_leaf;
    part->of_flat = true;                 /* the leaves of a bound function may have other shapes than fields */
    part->n_orders = n_orders;
    part->orders = orders;
    for (k = first; k <= at && !pytree__namespaced(&def->nodes[k]); k++) {}
    if (k <= at) { part->space = def->space; }
    if (from != 0) {
        pytree_node *nodes = (pytree_node *)pytree__fn_take(plan, part->n_nodes, sizeof *nodes);
        if (nodes == NULL) { return false; }
        memcpy(nodes, part->nodes, part->n_nodes * sizeof *nodes);
        for (k = 0; k < part->n_nodes; k++) {
            if (pytree__has_meta(&nodes[k])) { nodes[k].meta -= (uint32_t)from; }
        }
        part->nodes = nodes;
    }
    if (n_orders != 0 && first != 0) {
        uint32_t *moved = (uint32_t *)pytree__fn_take(plan, n_orders, sizeof *moved);
        if (moved == NULL) { return false; }
        pytree__move_orders(moved, part->nodes, orders, n_orders, (uint32_t)first);
        part->orders = moved;
    }
    return true;
}

static const pytree_def *const *pytree__fn_split(struct pytree__fn_plan *plan, const pytree_def *def, size_t **first)
{
    const size_t n = pytree_def_num_children(def);
    const pytree_def **defs = (const pytree_def **)pytree__fn_take(plan, n, sizeof *defs);
    pytree_def *parts = (pytree_def *)pytree__fn_take(plan, n, sizeof *parts);
    size_t at = def->n_nodes - 1, leaf = def->n_leaves, k = n;
    *first = (size_t *)pytree__fn_take(plan, n + 1, sizeof **first);
    if (defs == NULL || parts == NULL || *first == NULL) { return NULL; }
    (*first)[n] = leaf;
    while (k-- != 0) {
        if (!pytree__fn_part(plan, def, at - 1, &parts[k])) { return NULL; }
        defs[k] = &parts[k];
        leaf -= parts[k].n_leaves;
        (*first)[k] = leaf;
        at -= parts[k].n_nodes;
    }
    return defs;
}

static size_t pytree__fn_node_of(const pytree_def *def, size_t leaf)
{
    size_t node = 0;
    for (; node + 1 < def->n_nodes; node++) {
        if (def->nodes[node].type == NULL && leaf-- == 0) { break; }
    }
    return node;
}

/* ---- Bound functions ----------------------------------------------------------------------------------------------- */

static struct pytree__fn_bound *pytree__fn_bound_new(struct pytree__fn_plan *plan, const pytree_fn *f, size_t n_args,
                                                     const pytree_def *const *defs, const pytree_def *def)
{
    struct pytree__fn_bound *b = (struct pytree__fn_bound *)pytree__fn_take(plan, 1, sizeof *b);
    if (b == NULL) { return NULL; }
    b->fn = f;
    b->plan = plan;
    b->err = &plan->err;
    b->n_args = n_args;
    b->defs = defs;
    b->def = def;
    return b;
}

#include "function_bind.h"
#endif
