/* pytree/impl/flatten.h: flatten: leaves and treedef of a tree. */
#ifndef PYTREE_IMPL_FLATTEN_H
#define PYTREE_IMPL_FLATTEN_H

#include "internal.h"

PYTREE__INLINE void pytree__emit(struct pytree__flattener *s, const int mode, const pytree_node node)
{
    if (mode == PYTREE__FILL && PYTREE__LIKELY(s->n_nodes < s->max_nodes)) { s->nodes[s->n_nodes] = node; }
    s->n_nodes++;
}

PYTREE__INLINE void pytree__emit_leaf(struct pytree__flattener *s, const int mode, const pytree_leaf *value)
{
    const pytree_node node = { NULL, 0, 1, 1, 0 };
    if (s->n_leaves < s->capacity) { pytree__copy_view(&s->leaves[s->n_leaves], value); }
    s->n_leaves++;
    pytree__emit(s, mode, node);
}

PYTREE__INLINE void pytree__emit_none(struct pytree__flattener *s, const int mode)
{
    const pytree_node node = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    pytree__emit(s, mode, node);
}

static void pytree__pack_key(pytree__statics *to, const pytree_entry *key)
{
    if (key->kind == PYTREE_ATTRIBUTE || key->kind == PYTREE_KEY) {
        pytree__pack_string(to, key->name);
    } else {
        pytree__pack_number(to, (int64_t)key->index);
    }
}

/* Packs the keys of a container in the order of a walk (NULL: as they lie). */
static void pytree__pack_keys(pytree__statics *to, const pytree_items *items, const uint32_t *order)
{
    size_t i;
    if (items->packed != NULL) {
        pytree__pack_bytes(to, items->packed, items->packed_bytes);
        return;
    }
    for (i = 0; i < items->count; i++) {
        const size_t at = order == NULL ? i : order[i];
        if (items->int_pairs != NULL) {
            pytree__pack_number(to, items->int_pairs[at].key);
        } else {
            pytree__pack_string(to, items->pairs[at].key == NULL ? "" : items->pairs[at].key);
        }
    }
}

/* Packs what an open node has besides its children: static values, a name and keys, or metadata. */
static void pytree__pack_node(pytree__statics *to, const pytree__cursor *c, const pytree__frame *f)
{
    pytree_entry entry;
    size_t i;
    if (f->form == PYTREE_FORM_STRUCT) {
        pytree__pack_struct(to, f->type, f->self);
    } else if (!PYTREE__CONTAINERS) {
        return;
    } else if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        pytree__pack_bytes(to, flat->def->statics + flat->def->nodes[f->shape[0]].meta,
                           pytree__statics_size(flat->def, f->shape[0]));
    } else if (f->form == PYTREE_FORM_CUSTOM) {
        const uint32_t size = (uint32_t)f->shape[0];
        const unsigned char keyed = f->type->custom->keyed;
        pytree__pack_bytes(to, &size, sizeof size);
        pytree__pack_bytes(to, pytree__held_metadata(c, f), size);
        pytree__pack_bytes(to, &keyed, 1);
        for (i = 0; keyed != 0 && i < f->count; i++) {
            unsigned char kind;
            pytree__frame_entry(c, f, i, &entry);
            kind = (unsigned char)entry.kind;
            pytree__pack_bytes(to, &kind, 1);
            pytree__pack_key(to, &entry);
        }
    } else {
        if (f->form == PYTREE_FORM_ITEMS) { pytree__pack_meta(to, f->type, pytree__items_name(f), f->shape[0]); }
        if (f->form == PYTREE_FORM_ITEMS && f->from == PYTREE__FROM_PAIRS && !f->ordered) {
            pytree__pack_keys(to, (const pytree_items *)f->self, f->order);
            return;
        }
        for (i = 0; f->from == PYTREE__FROM_PAIRS && i < f->count; i++) {
            pytree__frame_entry(c, f, i, &entry);
            pytree__pack_key(to, &entry);
        }
    }
}

/* Records the order of a dict's pairs, unless they lie in it. */
static void pytree__note_order(struct pytree__flattener *s, const int mode, const uint32_t *order, size_t n)
{
    size_t i;
    for (i = 0; i < n && order[i] == i; i++) {}
    if (i == n) { return; }
    if (mode == PYTREE__FILL && n < s->max_orders && s->n_orders < s->max_orders - n) {
        memcpy(s->orders + s->n_orders, order, n * sizeof *order);
        s->orders[s->n_orders + n] = (uint32_t)s->n_nodes;
    }
    s->n_orders += n + 1;
}

/* Records what a node adds to the treedef besides itself: a namespace that could change it, the order of its pairs. */
static void pytree__note_node(struct pytree__flattener *s, const int mode, const pytree__frame *f, const pytree_type *type)
{
    if (type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM) {
        if (f->form == PYTREE_FORM_FLAT) { s->space = ((const pytree_flat *)f->self)->def->space; }
        else if (s->cursor.opt != NULL) { s->space = s->cursor.opt->space; }
    } else if (!PYTREE__CONTAINERS) {
        return;
    } else if (f->ordered) {
        pytree__note_order(s, mode, (const uint32_t *)(const void *)(s->cursor.views + f->views), f->count);
    } else if (f->order != NULL) {
        pytree__note_order(s, mode, f->order, f->count);
    }
}

/* Emits a run without pushing a frame. Returns false if the struct must be walked node by node instead: a value needs a
 * check, a pointer leads to a node, or there is no room for its views. */
PYTREE__INLINE bool pytree__flatten_run(struct pytree__flattener *s, const int mode, const pytree_type *type, const void *data)
{
    const bool none_is_leaf = s->cursor.opt != NULL && s->cursor.opt->none_is_leaf;
    const bool direct = mode != PYTREE__COUNT_ALL && s->n_leaves < s->capacity;
    const pytree__layout *layout = NULL;
    size_t n_leaves = 0;
    if (mode != PYTREE__LEAVES || !direct) {
        layout = pytree__layout_for(&s->cache, type, data, none_is_leaf);
        if (layout == NULL) { return false; }
        n_leaves = layout->n_leaves;
    }
    if (mode == PYTREE__FILL
        && PYTREE__UNLIKELY(s->n_nodes > s->max_nodes || layout->n_nodes > s->max_nodes - s->n_nodes
                            || s->statics.length > s->statics.room
                            || layout->n_statics > s->statics.room - s->statics.length)) {
        return false;
    }
    if (direct) {
        pytree_leaf *const views = s->leaves + s->n_leaves;
        const pytree__flatten_result seen = type->leaves(data, views, s->leaves + s->capacity, none_is_leaf);
        if (PYTREE__UNLIKELY((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) { return false; }
        n_leaves = (size_t)(seen.end - views);
    } else if (mode != PYTREE__COUNT_ALL) {
        if (PYTREE__UNLIKELY((type->validate(data) & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) { return false; }
    }
    s->n_leaves += n_leaves;
    if (mode == PYTREE__FILL) {
        pytree__layout_emit(&s->cache, layout, (const char *)data, s->nodes + s->n_nodes, &s->statics);
    }
    if (mode == PYTREE__COUNT_ALL) { s->statics.length += pytree__layout_bytes(&s->cache, layout, (const char *)data); }
    if (mode != PYTREE__LEAVES) { s->n_nodes += layout->n_nodes; }
    return true;
}

/* Emits the open node on top, all of whose children are done, and closes it. */
PYTREE__INLINE void pytree__flatten_end(struct pytree__flattener *s, const int mode)
{
    pytree__cursor *const c = &s->cursor;
    const pytree__frame *const f = &c->frames[c->n_frames - 1];
    if (mode != PYTREE__LEAVES) {
        pytree_node node;
        node.type = pytree__type_of_form(f->form, f->type);
        node.arity = (uint32_t)f->count;
        node.leaves = (uint32_t)(s->n_leaves - f->leaves);
        node.nodes = (uint32_t)(s->n_nodes - f->nodes + 1);
        node.meta = (uint32_t)s->statics.length;
        pytree__pack_node(&s->statics, c, f);
        if (f->form != PYTREE_FORM_STRUCT || !c->plain) { pytree__note_node(s, mode, f, node.type); }
        pytree__emit(s, mode, node);
    }
    pytree__close(c);
}

PYTREE__INLINE pytree_status pytree__flatten_pass(struct pytree__flattener *s, pytree t, const int mode)
{
    pytree__cursor *const c = &s->cursor;
    const pytree_leaf *value;
    bool taken = false;
    c->status = pytree__cursor_root(c, t);
    c->runs = c->plain && !c->making;
    s->n_nodes = s->n_leaves = s->n_orders = 0;
    s->statics.length = 0;
    s->space = NULL;
    while (c->status == PYTREE_OK) {
        switch (pytree__cursor_next(c, &value)) {
        case PYTREE__AT_LEAF: pytree__emit_leaf(s, mode, value); break;
        case PYTREE__AT_NONE: pytree__emit_none(s, mode); break;
        case PYTREE__AT_RUN:
            while (PYTREE__LAYOUTS && (taken = pytree__flatten_run(s, mode, value->type, value->data))
                   && pytree__run_follows(c)) {}
            if (PYTREE__LIKELY(taken)) { break; }
            /* fallthrough */
        case PYTREE__AT_NODE:
            c->status = pytree__open(c, value);
            if (c->status == PYTREE_OK) {
                c->frames[c->n_frames - 1].nodes = (uint32_t)s->n_nodes;
                c->frames[c->n_frames - 1].leaves = (uint32_t)s->n_leaves;
            }
            break;
        case PYTREE__AT_END: pytree__flatten_end(s, mode); break;
        default: return c->status;
        }
    }
    return c->status;
}

static pytree_status pytree__flatten_leaves(struct pytree__flattener *s, pytree t)
{
    return pytree__flatten_pass(s, t, PYTREE__LEAVES);
}


static pytree_status pytree__flatten_count(struct pytree__flattener *s, pytree t)
{
    return pytree__flatten_pass(s, t, PYTREE__COUNT_ALL);
}

static pytree_status pytree__flatten_fill(struct pytree__flattener *s, pytree t)
{
    return pytree__flatten_pass(s, t, PYTREE__FILL);
}


static void pytree__flattener_init(struct pytree__flattener *s, pytree_leaf *leaves, size_t capacity, const pytree_options *opt,
                                   pytree_error *err)
{
    pytree__cursor_init(&s->cursor, &s->stacks, opt, err);
    s->leaves = leaves;
    s->capacity = leaves == NULL ? 0 : capacity;
    s->nodes = NULL;
    s->statics.at = NULL;
    s->statics.room = 0;
    pytree__layout_cache_init(&s->cache, &s->layouts);
    s->orders = NULL;
}

/* Counts, allocates the block, and fills it. */
static pytree_status pytree__flatten(pytree t, bool making, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                     const pytree_options *opt, pytree_error *err)
{
    const bool own = leaves != NULL && *leaves == NULL;
    const struct pytree__block *block =
        !PYTREE__LAYOUTS || making || (leaves != NULL && !own) ? NULL : pytree__owned_block_of(t, opt);
    struct pytree__flattener s;
    pytree_status status;
    *def = NULL;
    if (block != NULL) {
        *def = pytree__def_block(block->n_nodes, block->n_statics, block->n_orders, NULL, own ? block->n_leaves : 0, opt, err);
        if (*def == NULL) { return PYTREE_NO_MEMORY; }
        (*def)->n_leaves = block->n_leaves;
        if (pytree__flatten_owned(block, t, *def, own ? pytree__def_leaves(*def) : NULL)) {
            if (own) { *leaves = pytree__def_leaves(*def); }
            return PYTREE_OK;
        }
        pytree_def_free(*def);
        *def = NULL;
    }
    pytree__flattener_init(&s, NULL, 0, opt, err);
    s.cursor.making = making;
    status = pytree__flatten_count(&s, t);
    if (status == PYTREE_OK && leaves != NULL && *leaves != NULL && s.n_leaves > capacity) {
        status = pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                             capacity, s.n_leaves);
    }
    if (status == PYTREE_OK) {
        *def = pytree__def_block(s.n_nodes, s.statics.length, s.n_orders, s.space,
                                 own ? pytree__plus(s.n_leaves, PYTREE__SPARE) : 0, opt,
                                 err);
        if (*def == NULL) {
            status = s.n_nodes > UINT32_MAX || s.statics.length > UINT32_MAX ? PYTREE_OVERFLOW : PYTREE_NO_MEMORY;
        } else {
            (*def)->n_leaves = s.n_leaves;
            s.nodes = (pytree_node *)(uintptr_t)(*def)->nodes;
            s.max_nodes = s.n_nodes;
            s.max_orders = s.n_orders;
            s.statics.at = (unsigned char *)(uintptr_t)(*def)->statics;
            s.statics.room = s.statics.length;
            s.orders = (uint32_t *)(uintptr_t)(*def)->orders;
            if (leaves != NULL) {
                s.leaves = own ? pytree__def_leaves(*def) : *leaves;
                s.capacity = own ? s.n_leaves + PYTREE__SPARE : capacity;
            }
            status = pytree__flatten_fill(&s, t);
            if (status == PYTREE_OK
                && (s.n_nodes != s.max_nodes || s.n_orders != s.max_orders || s.statics.length != s.statics.room
                    || s.n_leaves != (*def)->n_leaves)) {
                status = pytree__fail_unstable_callback(err);
            }
            if (status != PYTREE_OK) { pytree_def_free(*def); *def = NULL; }
            else if (own) { *leaves = s.leaves; }
            if (status == PYTREE_OK) { (*def)->of_flat = s.cursor.met_flat; }
        }
    }
    pytree__cursor_end(&s.cursor);
    return status;
}

pytree_status pytree_flatten(pytree t, pytree_leaf **leaves, size_t capacity, pytree_def **def, const pytree_options *opt,
                             pytree_error *err)
{
    if (leaves == NULL || def == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the leaves and the treedef, got NULL");
    }
    return pytree__flatten(t, false, leaves, capacity, def, opt, err);
}

pytree_def *pytree_structure(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def;
    return pytree__flatten(t, false, NULL, 0, &def, opt, err) == PYTREE_OK ? def : NULL;
}

/* Writes as many leaves as there is room for, and counts all. */
static pytree_status pytree__count_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count,
                                          const pytree_options *opt, pytree_error *err)
{
    struct pytree__flattener s;
    pytree_status status;
    pytree__flattener_init(&s, leaves, capacity, opt, err);
    status = pytree__flatten_leaves(&s, t);
    pytree__cursor_end(&s.cursor);
    *count = status == PYTREE_OK ? s.n_leaves : 0;
    return status;
}

pytree_status pytree_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count, const pytree_options *opt,
                            pytree_error *err)
{
    size_t n = 0;
    pytree_status status;
    if (leaves == NULL && capacity != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an array of %zu leaves, got NULL", capacity);
    }
    status = pytree__count_leaves(t, leaves, capacity, &n, opt, err);
    if (count != NULL) { *count = n; }
    if (status == PYTREE_OK && n > capacity) {
        status = pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                             capacity, n);
    }
    return status;
}

size_t pytree_num_leaves(pytree t, const pytree_options *opt, pytree_error *err)
{
    size_t n;
    return pytree__count_leaves(t, NULL, 0, &n, opt, err) == PYTREE_OK ? n : SIZE_MAX;
}
#endif
