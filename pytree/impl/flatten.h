/* pytree/impl/flatten.h: flatten: leaves and treedef of a tree. */
#ifndef PYTREE_IMPL_FLATTEN_H
#define PYTREE_IMPL_FLATTEN_H

#include "internal.h"

PYTREE__INLINE void pytree__emit(struct pytree__flattener *s, const int mode, const pytree_node node)
{
    if (mode == PYTREE__FILL) {
        if (PYTREE__LIKELY(s->n_nodes < s->max_nodes)) { s->nodes[s->n_nodes] = node; }
        else if (PYTREE__LAYOUTS) { s->full = true; }
    }
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

static PYTREE__APART_CLANG void pytree__pack_key(pytree__statics *to, const pytree_entry *key)
{
    if (key->kind == PYTREE_ATTRIBUTE || key->kind == PYTREE_KEY) {
        pytree__pack_string(to, key->name);
    } else {
        pytree__pack_number(to, (int64_t)key->index);
    }
}

/* Packs the keys of a container in the order of a walk (NULL: as they lie). */
static PYTREE__APART_CLANG void pytree__pack_keys(pytree__statics *to, const pytree_items *items, const uint32_t *order)
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
static PYTREE__APART void pytree__pack_node(pytree__statics *to, const pytree__cursor *c, const pytree__frame *f)
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
        if (f->form == PYTREE_FORM_ITEMS && f->from == PYTREE__FROM_PAIRS && !f->sparse) {
            pytree__pack_keys(to, (const pytree_items *)f->self, f->ordered ? pytree__found_order(c, f) : f->order);
            return;
        }
        for (i = 0; f->from == PYTREE__FROM_PAIRS && i < f->count; i++) {
            pytree__frame_entry(c, f, i, &entry);
            pytree__pack_key(to, &entry);
        }
    }
}

/* Records the order of a dict's pairs, unless they lie in it. */
static PYTREE__APART_CLANG void pytree__note_order(struct pytree__flattener *s, const int mode, const uint32_t *order, size_t n)
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

/* Records what a treedef in a pytree_flat, of which a node comes, hands on. */
static void pytree__note_flat(struct pytree__flattener *s, const pytree_def *def)
{
    s->space = def->space;
    s->shares = s->shares || def->shares;
}

/* Records what a node adds to the treedef besides itself: a namespace that could change it, the order of its pairs. */
static void pytree__note_node(struct pytree__flattener *s, const int mode, const pytree__frame *f, const pytree_type *type)
{
    if (type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM) {
        if (f->form == PYTREE_FORM_FLAT) { pytree__note_flat(s, ((const pytree_flat *)f->self)->def); }
        else if (s->cursor.opt != NULL) { s->space = s->cursor.opt->space; }
    } else if (!PYTREE__CONTAINERS) {
        return;
    } else if (f->ordered) {
        pytree__note_order(s, mode, pytree__found_order(&s->cursor, f), f->count);
    } else if (f->order != NULL) {
        pytree__note_order(s, mode, f->order, f->count);
    }
}

/* Emits a run without pushing a frame. Returns false if the struct must be walked node by node instead: a value needs a
 * check, a pointer leads to a node, or there is no room for its views; or, in a first pass, for its nodes (`full`). */
PYTREE__INLINE bool pytree__flatten_run(struct pytree__flattener *s, const int mode, const pytree_type *type, const void *data)
{
    const bool direct = mode != PYTREE__COUNT_ALL && s->n_leaves < s->capacity;
    const pytree__layout *layout = NULL;
    uint64_t null_mask = 0;
    size_t n_leaves = 0;
    if (mode != PYTREE__LEAVES || !direct) {
        layout = pytree__layout_for(&s->cache, type, data, s->cursor.none_is_leaf, &null_mask);
        if (layout == NULL) { return false; }
        n_leaves = layout->n_leaves;
    }
    if (mode == PYTREE__FILL
        && PYTREE__UNLIKELY(layout->n_nodes > s->max_nodes - s->n_nodes || s->statics.length > s->statics.room
                            || layout->n_statics > s->statics.room - s->statics.length
                            || (!layout->trivial_statics && s->first_pass
                                && pytree__layout_bytes(layout, (const char *)data) > s->statics.room - s->statics.length))) {
        s->full = s->first_pass;
        return false;
    }
    if (direct) {
        pytree_leaf *const views = s->leaves + s->n_leaves;
        const pytree__flatten_result seen = pytree__leaf_views(type, data, views, s->leaves + s->capacity,
                                                               s->cursor.none_is_leaf);
        if (PYTREE__UNLIKELY((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) { return false; }
        n_leaves = (size_t)(seen.end - views);
    } else if (mode != PYTREE__COUNT_ALL) {
        const pytree__cursor *const c = &s->cursor;
        const size_t flags = pytree__validate(type, data, c->views + c->n_views, c->views + c->max_views);
        if (PYTREE__UNLIKELY((flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) { return false; }
    }
    if (mode == PYTREE__FILL) {
        pytree_node *const nodes = s->nodes + s->n_nodes;
        pytree__layout_emit(layout, (const char *)data, nodes, &s->statics);
        if (PYTREE__UNLIKELY(null_mask != layout->null_mask)) {
            n_leaves = pytree__layout_adapt(layout, nodes, layout->n_leaves, null_mask, null_mask);
        }
    }
    s->n_leaves += n_leaves;
    if (mode == PYTREE__COUNT_ALL) { s->statics.length += pytree__layout_bytes(layout, (const char *)data); }
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

/* Puts the cursor before the root, and the counts to nothing. */
PYTREE__INLINE void pytree__flatten_begin(struct pytree__flattener *s, pytree t)
{
    pytree__cursor *const c = &s->cursor;
    c->status = pytree__cursor_root(c, t);
    c->runs = c->plain && !c->making;
    s->n_nodes = s->n_leaves = s->n_orders = 0;
    s->statics.length = 0;
    s->space = NULL;
    s->full = false;
}

/* Counts nodes that a value has at least: its own, those of its children, and of structs that lie in it. It calls itself for
 * these: no deeper than C's declarations. Children are often the last rows. */
static size_t pytree__least_nodes(const pytree_type *type)
{
    size_t n = 1, left = type->n_children, i = type->n_fields;
    while (left != 0) {
        const pytree_field *const row = &type->fields[--i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        left--;
        n += row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE ? pytree__least_nodes(row->type) : 1;
    }
    return n;
}

/* Tells whether the node that was opened last has more nodes below it than there is room for: a first pass may end there. */
static PYTREE__APART_CLANG bool pytree__exceeds_room(const struct pytree__flattener *s)
{
    const pytree__frame *const f = &s->cursor.frames[s->cursor.n_frames - 1];
    const size_t room = s->max_nodes - s->n_nodes;
    size_t n = f->count, i;
    if (f->form == PYTREE_FORM_LIST) {
        n = pytree__times(n, (size_t)f->type->n_children + 1); /* what lies deeper was counted with the struct above */
    } else if (f->form == PYTREE_FORM_STRUCT) {
        for (i = 0; i < f->count && n <= room; i++) {
            const pytree_leaf *const view = &s->cursor.views[f->views + i];
            const size_t many = view->form == PYTREE_FORM_LIST ? view->shape[0] : 1;
            if (view->form < PYTREE_FORM_STRUCT) { continue; }
            if (many > room || many * ((size_t)view->type->n_children + 1) > room) { return true; }
            n += many * pytree__least_nodes(view->type);
        }
    }
    return n > room;
}

/* Counts the elements of a list that follow the one that was counted last, if all have as many nodes and static values. */
PYTREE__INLINE void pytree__count_alike(struct pytree__flattener *s)
{
    pytree__cursor *const c = &s->cursor;
    pytree__frame *const f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const pytree__layout *layout;
    size_t n;
    if (f == NULL || f->from != PYTREE__FROM_ROW || f->next == f->count) { return; }
    layout = pytree__layout_of(&s->cache, f->type);
    if (layout->n_nullables != 0 || !layout->trivial_statics) { return; }
    n = f->count - f->next;
    s->n_leaves += n * layout->n_leaves;
    s->n_nodes += n * layout->n_nodes;
    s->statics.length += n * layout->n_statics;
    f->next = f->count;
    c->child.data = (char *)c->child.data + n * f->type->size;
}

/* Goes from the root of a tree, or (NULL) from where the cursor is, to the end, or until there is no room for a node. */
PYTREE__INLINE pytree_status pytree__flatten_pass(struct pytree__flattener *s, const pytree *t, const int mode)
{
    pytree__cursor *const c = &s->cursor;
    const pytree_leaf *value;
    bool taken = false;
    if (t != NULL) { pytree__flatten_begin(s, *t); }
    while (c->status == PYTREE_OK && (!PYTREE__LAYOUTS || mode != PYTREE__FILL || !s->full)) {
        switch (pytree__cursor_next(c, &value)) {
        case PYTREE__AT_LEAF:
            do { pytree__emit_leaf(s, mode, value); } while (PYTREE__CONTAINERS && (value = pytree__leaf_follows(c)) != NULL);
            break;
        case PYTREE__AT_NONE: pytree__emit_none(s, mode); break;
        case PYTREE__AT_RUN:
            while (PYTREE__LAYOUTS && (taken = pytree__flatten_run(s, mode, value->type, value->data))) {
                if (mode == PYTREE__COUNT_ALL) { pytree__count_alike(s); }
                if (!pytree__run_follows(c)) { break; }
            }
            if (PYTREE__LIKELY(taken)) { break; }
            if (PYTREE__LAYOUTS && mode == PYTREE__FILL && s->full) {
                pytree__cursor_back(c);
                break;
            }
            /* fallthrough */
        case PYTREE__AT_NODE:
            c->status = pytree__open(c, value);
            if (c->status == PYTREE_OK) {
                c->frames[c->n_frames - 1].nodes = (uint32_t)s->n_nodes;
                c->frames[c->n_frames - 1].leaves = (uint32_t)s->n_leaves;
                if (PYTREE__LAYOUTS && mode == PYTREE__FILL && s->first_pass) { s->full = pytree__exceeds_room(s); }
            }
            break;
        case PYTREE__AT_END: pytree__flatten_end(s, mode); break;
        default: return c->status;
        }
    }
    return c->status;
}

static pytree_status pytree__flatten_leaves(struct pytree__flattener *s, const pytree *t)
{
    return pytree__flatten_pass(s, t, PYTREE__LEAVES);
}
static PYTREE__APART_CLANG pytree_status pytree__flatten_count(struct pytree__flattener *s, const pytree *t)
{
    return pytree__flatten_pass(s, t, PYTREE__COUNT_ALL);
}
static pytree_status pytree__flatten_fill(struct pytree__flattener *s, const pytree *t)
{
    return pytree__flatten_pass(s, t, PYTREE__FILL);
}

static void pytree__flattener_init(struct pytree__flattener *s, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor_init(&s->cursor, &s->stacks, opt, err);
    s->leaves = NULL;
    s->capacity = s->statics.room = 0;
    s->first_pass = s->full = s->shares = false;
}

/* Counts a tree. A small one is written at once, into room.first: then *whole is set. */
static PYTREE__APART_CLANG pytree_status pytree__flatten_first(struct pytree__flattener *s, pytree t, bool leaves, bool *whole)
{
    pytree_status status;
    *whole = false;
    if (!PYTREE__LAYOUTS) { return pytree__flatten_count(s, &t); }
    s->first_pass = true;
    s->nodes = s->room.first.nodes;
    s->max_nodes = PYTREE__FIRST_NODES;
    s->orders = s->room.first.orders;
    s->max_orders = PYTREE__FIRST_ORDERS;
    s->statics.at = s->room.first.statics;
    s->statics.room = PYTREE__FIRST_STATICS;
    s->leaves = s->room.first.leaves;
    s->capacity = leaves ? PYTREE__FIRST_LEAVES : 0;
    pytree__layout_cache_bare(&s->cache);
    status = pytree__flatten_fill(s, &t);
    s->first_pass = false;
    *whole = !s->full && s->n_orders <= s->max_orders && s->statics.length <= s->statics.room
          && (!leaves || s->n_leaves <= s->capacity);
    if (status != PYTREE_OK || *whole) { return status; }
    s->capacity = s->statics.room = 0;    /* only counted from here on: layouts take the memory */
    pytree__layout_cache_init(&s->cache, &s->room.layouts);
    return pytree__flatten_count(s, NULL);
}

/* Fills a treedef's block, and the leaves, if they are wanted. */
static pytree_status pytree__flatten_into(struct pytree__flattener *s, pytree t, bool whole, pytree_def *def,
                                          pytree_leaf *leaves, size_t capacity)
{
    pytree_node *const nodes = (pytree_node *)(uintptr_t)def->nodes;
    unsigned char *const statics = (unsigned char *)(uintptr_t)def->statics;
    uint32_t *const orders = (uint32_t *)(uintptr_t)def->orders;
    pytree_status status;
    def->n_leaves = s->n_leaves;
    if (whole) {
        memcpy(nodes, s->room.first.nodes, s->n_nodes * sizeof *nodes);
        memcpy(statics, s->room.first.statics, s->statics.length);
        memcpy(orders, s->room.first.orders, s->n_orders * sizeof *orders);
        if (leaves != NULL) { memcpy(leaves, s->room.first.leaves, s->n_leaves * sizeof *leaves); }
        return PYTREE_OK;
    }
    s->nodes = nodes;
    s->max_nodes = s->n_nodes;
    s->orders = orders;
    s->max_orders = s->n_orders;
    s->statics.at = statics;
    s->statics.room = s->statics.length;
    s->leaves = leaves;
    s->capacity = capacity;
    status = pytree__flatten_fill(s, &t);
    if (status == PYTREE_OK
        && (s->n_nodes != s->max_nodes || s->n_orders != s->max_orders || s->statics.length != s->statics.room
            || s->n_leaves != def->n_leaves)) {
        status = pytree__fail_unstable_callback(s->cursor.err);
    }
    return status;
}

/* Flattens a tree that the library made in one block; *def stays NULL if it is none, or must be flattened as others are. */
static PYTREE__APART_CLANG pytree_status pytree__flatten_block(pytree t, pytree_leaf **leaves, pytree_def **def,
                                                               const pytree_options *opt, pytree_error *err)
{
    const struct pytree__block *const block = pytree__owned_block_of(t, opt);
    if (block == NULL) { return PYTREE_OK; }
    *def = pytree__def_block(block->n_nodes, block->n_statics, block->n_orders, NULL, leaves != NULL ? block->n_leaves : 0, opt,
                             err);
    if (*def == NULL) { return PYTREE_NO_MEMORY; }
    (*def)->n_leaves = block->n_leaves;
    if (pytree__flatten_owned(block, t, *def, leaves != NULL ? pytree__def_leaves(*def) : NULL)) {
        if (leaves != NULL) { *leaves = pytree__def_leaves(*def); }
    } else {
        pytree_def_free(*def);
        *def = NULL;
    }
    return PYTREE_OK;
}

/* Counts, allocates the block, and fills it. */
static pytree_status pytree__flatten(pytree t, bool making, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                     const pytree_options *opt, pytree_error *err)
{
    const bool own = leaves != NULL && *leaves == NULL;
    struct pytree__flattener s;
    pytree_status status = PYTREE_OK;
    bool whole;
    *def = NULL;
    if (PYTREE__LAYOUTS && !making && (leaves == NULL || own)) {
        status = pytree__flatten_block(t, leaves, def, opt, err);
        if (status != PYTREE_OK || *def != NULL) { return status; }
    }
    pytree__flattener_init(&s, opt, err);
    s.cursor.making = making;
    if (PYTREE__MORE_ROWS && making) {
        s.cursor.making = PYTREE__GIVING;
        s.cursor.of.given = NULL;
    }
    status = pytree__flatten_first(&s, t, leaves != NULL, &whole);
    if (status == PYTREE_OK && leaves != NULL && !own && s.n_leaves > capacity) {
        status = pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                             capacity, s.n_leaves);
    }
    if (status == PYTREE_OK) {
        const size_t room = own ? pytree__plus(s.n_leaves, PYTREE__SPARE) : 0;
        *def = pytree__def_block(s.n_nodes, s.statics.length, s.n_orders, s.space, room, opt, err);
        if (*def == NULL) {
            status = s.n_nodes > UINT32_MAX || s.statics.length > UINT32_MAX ? PYTREE_OVERFLOW : PYTREE_NO_MEMORY;
        } else {
            pytree_leaf *const to = own ? pytree__def_leaves(*def) : leaves != NULL ? *leaves : NULL;
            status = pytree__flatten_into(&s, t, whole, *def, to, own ? room : leaves != NULL ? capacity : 0);
            if (PYTREE__DEVICES && to != NULL && status == PYTREE_OK && pytree__hides_device(&s.cursor)) {
                status = pytree__need_leaves(*def, to, err);
            }
            if (status != PYTREE_OK) { pytree_def_free(*def); *def = NULL; }
            else if (own) { *leaves = to; }
            if (status == PYTREE_OK) {
                (*def)->of_flat = s.cursor.met_flat;
                (*def)->shares = s.shares;
                (*def)->by_rows = PYTREE__LAYOUTS && s.cursor.plain && !s.cursor.met_flat;         /* only a flat shares */
            }
            if (PYTREE__MORE_ROWS && making && status == PYTREE_OK) {
                (*def)->given = s.cursor.of.given;
                s.cursor.of.given = NULL;
            }
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
    const struct pytree__block *const block = PYTREE__LAYOUTS ? pytree__owned_block_of(t, opt) : NULL;
    struct pytree__flattener s;
    pytree_status status;
    if (block != NULL && (leaves == NULL || block->n_leaves <= capacity) && pytree__flatten_owned(block, t, NULL, leaves)) {
        *count = block->n_leaves;
        return PYTREE_OK;
    }
    pytree__flattener_init(&s, opt, err);
    pytree__layout_cache_init(&s.cache, &s.room.layouts);
    s.leaves = leaves;
    s.capacity = leaves == NULL ? 0 : capacity;
    status = pytree__flatten_leaves(&s, &t);
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
