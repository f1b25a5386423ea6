/* pytree/impl/walk.h: walking a tree with callbacks, and the children of its root. */
#ifndef PYTREE_IMPL_WALK_H
#define PYTREE_IMPL_WALK_H

#include "internal.h"

/* A walk and the path of the value at hand: an entry for each open node, of which only the last one changes from child to
 * child. `entries` grows with the depth. */
struct pytree__visit_state {
    pytree__cursor cursor;
    pytree__cursor_space stacks;
    const pytree_visitor *visitor;
    pytree_entry few[PYTREE__FRAMES], *entries;
    size_t max;
    size_t stopped;                       /* where a walk ended in a run: entries of the path; 0: not in one */
};

/* Makes room for the entries of a path through that many nodes. */
static pytree_status pytree__visit_grow(struct pytree__visit_state *w, size_t depth)
{
    const pytree_allocator *a = pytree__allocator(w->cursor.opt);
    const size_t max = pytree__times(2, depth), bytes = pytree__times(max, sizeof *w->entries);
    const bool own = w->entries == w->few;
    pytree_entry *grown = (pytree_entry *)pytree__resize(a, own ? NULL : w->entries, own ? 0 : w->max * sizeof *grown, bytes);
    if (grown == NULL) { return pytree__no_memory(w->cursor.err, bytes); }
    if (own) { memcpy(grown, w->few, sizeof w->few); }
    w->entries = grown;
    w->max = max;
    return PYTREE_OK;
}

/* Writes the entry of the child that the open node on top gave last. */
PYTREE__INLINE void pytree__visit_entry(struct pytree__visit_state *w)
{
    const pytree__cursor *const c = &w->cursor;
    pytree__frame *const f = &c->frames[c->n_frames - 1];
    pytree_entry *const entry = &w->entries[c->n_frames - 1];
    if (f->form == PYTREE_FORM_STRUCT) {  /* f->nodes: the row behind that of the child before */
        const pytree_field *row = f->type->fields + f->nodes;
        while (row->row != PYTREE_ROW_DATA) { row++; }
        f->nodes = (uint32_t)(row + 1 - f->type->fields);
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = row->name;
        entry->index = f->next - 1;
    } else {
        pytree__frame_entry(c, f, f->next - 1, entry);
    }
}

/* Calls back with a value that `depth` open nodes lead to. Returns the answer. */
static int pytree__visit(struct pytree__visit_state *w, int (*fn)(void *, const pytree_leaf *, const pytree_path *),
                         const pytree_leaf *value, size_t depth)
{
    pytree_path path;
    if (fn == NULL) { return PYTREE_WALK_ON; }
    path.n = depth;
    path.entries = w->entries;
    return fn(w->visitor->context, value, &path);
}

/* Makes a view of an open node once more. */
static void pytree__frame_view(const pytree__frame *f, pytree_leaf *node)
{
    node->data = (void *)(uintptr_t)f->self;
    node->type = f->type;
    node->form = pytree__form_in(f);
    node->ndim = f->form == PYTREE_FORM_LIST || f->form == PYTREE_FORM_TUPLE;
    memset(node->shape, 0, sizeof node->shape);
    if (f->form == PYTREE_FORM_MAP || f->form == PYTREE_FORM_FLAT || f->type->kind == PYTREE_KIND_ROW) {
        memcpy(node->shape, f->shape, sizeof f->shape);
    } else {
        node->shape[0] = f->count;
    }
}

/* Leaves the open node on top, which becomes a view once more, and closes it. Returns the callback's answer. */
static PYTREE__APART_CLANG int pytree__visit_end(struct pytree__visit_state *w)
{
    const pytree__frame *const f = &w->cursor.frames[w->cursor.n_frames - 1];
    pytree_leaf node;
    int answer;
    if (w->visitor->leave == NULL) {
        pytree__close(&w->cursor);
        return PYTREE_WALK_ON;
    }
    pytree__frame_view(f, &node);
    answer = pytree__visit(w, w->visitor->leave, &node, w->cursor.n_frames - 1);
    pytree__close(&w->cursor);
    return answer;
}

/* Makes a view of a struct: as it is entered, or as it is left. */
PYTREE__INLINE void pytree__struct_view(pytree_leaf *view, const pytree_type *type, const void *self)
{
    view->data = (void *)(uintptr_t)self;
    view->type = type;
    view->ndim = 0;
    view->form = PYTREE_FORM_STRUCT;
}

PYTREE__INLINE void pytree__left_view(pytree_leaf *view, const pytree_type *type, const void *self)
{
    pytree__struct_view(view, type, self);
    memset(view->shape, 0, sizeof view->shape);
    view->shape[0] = type->n_children;
}

/* Visits what is in a struct that `depth` nodes lead to, itself among them, and that is a run or lies in one: the views of its
 * leaves come at *leaf. Returns an answer that ends the walk, or PYTREE_WALK_ON; w->stopped: how many entries the path of the
 * value then has. It calls itself for structs that lie in structs: no deeper than C's declarations. */
static int pytree__visit_run(struct pytree__visit_state *w, const pytree_type *type, const char *self, size_t depth,
                             const pytree_leaf **leaf)
{
    const pytree_visitor *const visitor = w->visitor;
    const pytree_field *row = type->fields;
    size_t child = 0;
    pytree_leaf view;
    if (PYTREE__UNLIKELY(depth > w->max) && pytree__visit_grow(w, depth) != PYTREE_OK) { return PYTREE_NO_MEMORY; }
    for (; child < type->n_children; row++) {
        pytree_entry *const entry = &w->entries[depth - 1];
        const char *const at = self + row->offset;
        const void *p = at;
        int answer;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = row->name;
        entry->index = child++;
        if (row->optional != 0) { memcpy(&p, at, sizeof p); }
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
            pytree__struct_view(&view, row->type, at);
            answer = pytree__visit(w, visitor->enter, &view, depth);
            if (answer == PYTREE_WALK_ON) {
                answer = pytree__visit_run(w, row->type, at, depth + 1, leaf);
                if (answer > 0) { return answer; }
                pytree__left_view(&view, row->type, at);
                answer = pytree__visit(w, visitor->leave, &view, depth);
            } else {
                *leaf += pytree__deep_leaves(row->type, at);
            }
        } else if (p == NULL) {
            view.data = NULL;
            view.type = row->type;
            view.ndim = row->ndim;
            view.form = PYTREE_FORM_NONE;
            answer = pytree__visit(w, visitor->enter, &view, depth);
            if (answer == PYTREE_WALK_ON) { answer = pytree__visit(w, visitor->leave, &view, depth); }
        } else {
            answer = pytree__visit(w, visitor->enter, (*leaf)++, depth);
        }
        if (PYTREE__UNLIKELY(answer > 0)) {
            w->stopped = depth;
            return answer;
        }
    }
    return PYTREE_WALK_ON;
}

/* Fails at a value in a run, which is opened along the entries of its path. */
static PYTREE__APART_CLANG pytree_status pytree__visit_stop(struct pytree__visit_state *w, const pytree_leaf *value, int answer)
{
    pytree__cursor *const c = &w->cursor;
    while (c->n_frames < w->stopped) {
        const size_t child = (size_t)w->entries[c->n_frames].index;
        const pytree_status status = pytree__open(c, value);
        pytree__frame *f;
        if (status != PYTREE_OK) { return status; }
        f = &c->frames[c->n_frames - 1];
        f->next = child + 1;
        value = &c->views[f->views + child];
    }
    return pytree__fail_at(c, (pytree_status)answer, "stopped by the callback");
}

/* Visits what is in the run at hand. Returns false if it must be opened node by node. */
PYTREE__INLINE bool pytree__visit_as_run(struct pytree__visit_state *w, const pytree_leaf *value)
{
    pytree__cursor *const c = &w->cursor;
    const pytree_leaf *leaf = c->views + c->n_views;
    pytree_leaf node;
    int answer;
    const pytree__flatten_result seen =
        pytree__leaf_views(value->type, value->data, c->views + c->n_views, c->views + c->max_views, false);
    if (PYTREE__UNLIKELY((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) { return false; }
    answer = pytree__visit_run(w, value->type, (const char *)value->data, c->n_frames + 1, &leaf);
    if (answer <= 0 && w->visitor->leave != NULL) {
        pytree__left_view(&node, value->type, value->data);
        answer = pytree__visit(w, w->visitor->leave, &node, c->n_frames);
    }
    if (PYTREE__UNLIKELY(answer > 0)) { c->status = pytree__visit_stop(w, value, answer); }
    return true;
}

/* Goes one step on. Returns false at the end and on an error. */
PYTREE__INLINE bool pytree__visit_next(struct pytree__visit_state *w)
{
    pytree__cursor *const c = &w->cursor;
    const pytree_leaf *value;
    const int at = pytree__cursor_next(c, &value);
    int answer;
    if (at >= PYTREE__DONE) { return false; }
    if (at == PYTREE__AT_END) {
        answer = pytree__visit_end(w);
    } else {
        if (c->n_frames != 0) { pytree__visit_entry(w); }
        answer = pytree__visit(w, w->visitor->enter, value, c->n_frames);
        if (answer == PYTREE_WALK_ON && at == PYTREE__AT_NONE) {
            answer = pytree__visit(w, w->visitor->leave, value, c->n_frames);
        } else if (answer == PYTREE_WALK_ON && at != PYTREE__AT_LEAF
                   && (!PYTREE__LAYOUTS || at != PYTREE__AT_RUN || !pytree__visit_as_run(w, value))) {
            c->status = pytree__open(c, value);
            if (c->status == PYTREE_OK) { c->frames[c->n_frames - 1].nodes = 0; }
            if (PYTREE__UNLIKELY(c->n_frames > w->max) && c->status == PYTREE_OK) {
                c->status = pytree__visit_grow(w, c->n_frames);
            }
        }
    }
    if (PYTREE__UNLIKELY(answer > 0)) { c->status = pytree__fail_at(c, (pytree_status)answer, "stopped by the callback"); }
    return c->status == PYTREE_OK;
}

pytree_status pytree_walk(pytree t, const pytree_visitor *visitor, const pytree_options *opt, pytree_error *err)
{
    struct pytree__visit_state w;
    if (visitor == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a visitor, got NULL"); }
    w.visitor = visitor;
    w.entries = w.few;
    w.max = sizeof w.few / sizeof w.few[0];
    w.stopped = 0;
    pytree__cursor_init(&w.cursor, &w.stacks, opt, err);
    w.cursor.status = pytree__cursor_root(&w.cursor, t);
    w.cursor.runs = w.cursor.plain && !w.cursor.none_is_leaf;
    while (w.cursor.status == PYTREE_OK && pytree__visit_next(&w)) {}
    if (w.entries != w.few) { pytree__resize(pytree__allocator(opt), w.entries, w.max * sizeof *w.entries, 0); }
    pytree__cursor_end(&w.cursor);
    return w.cursor.status;
}

pytree_status pytree_children(pytree t, pytree_leaf *children, pytree_entry *keys, size_t capacity, size_t *count,
                              const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree__cursor_space stacks;
    pytree_status status;
    size_t i, unwanted;
    if (count == NULL) { count = &unwanted; }
    *count = 0;
    pytree__cursor_init(&c, &stacks, opt, err);
    status = pytree__cursor_root(&c, t);
    if (status == PYTREE_OK) {
        int sort;
        sort = pytree__classify(&c, &c.root);
        if (sort == PYTREE__AT_LEAF) {
            status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a node, got a leaf (%s)", c.root.type->name);
        } else if (sort == PYTREE__AT_NODE) {
            status = pytree__open(&c, &c.root);
            if (status == PYTREE_OK) { *count = c.frames[0].count; }
            for (i = 0; status == PYTREE_OK && i < *count && i < capacity; i++) {
                const pytree_leaf *value;
                status = pytree__take(&c, &value);
                if (status != PYTREE_OK) { break; }
                if (children != NULL) {
                    pytree__clear(&children[i], sizeof children[i]);
                    pytree__copy_view(&children[i], value);
                }
                if (keys != NULL) {
                    pytree__frame_entry(&c, &c.frames[0], i, &keys[i]);
                    /* the keys' texts stay the tree's own: their pointers are what is copied */
                }
            }
        }
    }
    pytree__cursor_end(&c);
    return status;
}
#endif
