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
};

/* Writes the entry of the child that the open node on top gave last. */
static pytree_status pytree__visit_entry(struct pytree__visit_state *w)
{
    const pytree__cursor *const c = &w->cursor;
    const size_t depth = c->n_frames;
    pytree__frame *const f = &c->frames[depth - 1];
    if (PYTREE__UNLIKELY(depth > w->max)) {
        const pytree_allocator *a = pytree__allocator(c->opt);
        const size_t bytes = pytree__times(2 * depth, sizeof *w->entries);
        const bool own = w->entries == w->few;
        pytree_entry *grown =
            (pytree_entry *)pytree__resize(a, own ? NULL : w->entries, own ? 0 : w->max * sizeof *grown, bytes);
        if (grown == NULL) { return pytree__no_memory(c->err, bytes); }
        if (own) { memcpy(grown, w->few, sizeof w->few); }
        w->entries = grown;
        w->max = 2 * depth;
    }
    if (f->form == PYTREE_FORM_STRUCT) {  /* f->nodes: the row behind that of the child before */
        const pytree_field *row = f->type->fields + f->nodes;
        while (row->row != PYTREE_ROW_DATA) { row++; }
        f->nodes = (uint32_t)(row + 1 - f->type->fields);
        w->entries[depth - 1].kind = PYTREE_ATTRIBUTE;
        w->entries[depth - 1].name = row->name;
        w->entries[depth - 1].index = f->next - 1;
    } else {
        pytree__frame_entry(c, f, f->next - 1, &w->entries[depth - 1]);
    }
    return PYTREE_OK;
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

/* Leaves the open node on top, which becomes a view once more, and closes it. Returns the callback's answer. */
static int pytree__visit_end(struct pytree__visit_state *w)
{
    const pytree__frame *const f = &w->cursor.frames[w->cursor.n_frames - 1];
    pytree_leaf node;
    int answer;
    if (w->visitor->leave == NULL) {
        pytree__close(&w->cursor);
        return PYTREE_WALK_ON;
    }
    node.data = (void *)(uintptr_t)f->self;
    node.type = f->type;
    node.form = pytree__form_in(f);
    node.ndim = f->form == PYTREE_FORM_LIST || f->form == PYTREE_FORM_TUPLE;
    memset(node.shape, 0, sizeof node.shape);
    if (f->form == PYTREE_FORM_MAP || f->form == PYTREE_FORM_FLAT) {
        memcpy(node.shape, f->shape, sizeof f->shape);
    } else {
        node.shape[0] = f->count;
    }
    answer = pytree__visit(w, w->visitor->leave, &node, w->cursor.n_frames - 1);
    pytree__close(&w->cursor);
    return answer;
}

/* Goes one step on. Returns false at the end and on an error. */
PYTREE__INLINE bool pytree__visit_next(struct pytree__visit_state *w)
{
    pytree__cursor *const c = &w->cursor;
    const pytree_leaf *value;
    const int at = pytree__cursor_next(c, &value);
    int answer;
    if (at == PYTREE__DONE || at == PYTREE__FAILED) { return false; }
    if (at == PYTREE__AT_END) {
        answer = pytree__visit_end(w);
    } else {
        if (c->n_frames != 0) {
            const pytree_status status = pytree__visit_entry(w);
            if (PYTREE__UNLIKELY(status != PYTREE_OK)) { c->status = status; return false; }
        }
        answer = pytree__visit(w, w->visitor->enter, value, c->n_frames);
        if (answer == PYTREE_WALK_ON && at == PYTREE__AT_NODE) {
            c->status = pytree__open(c, value);
            if (c->status == PYTREE_OK) { c->frames[c->n_frames - 1].nodes = 0; }
        } else if (answer == PYTREE_WALK_ON && at == PYTREE__AT_NONE) {
            answer = pytree__visit(w, w->visitor->leave, value, c->n_frames);
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
    pytree__cursor_init(&w.cursor, &w.stacks, opt, err);
    w.cursor.status = pytree__cursor_root(&w.cursor, t);
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
            status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a node, got a leaf (%s)",
                                 c.root.type == NULL ? "None" : c.root.type->name);
        } else if (sort == PYTREE__FAILED) {
            status = PYTREE_NO_MEMORY;
        } else if (sort == PYTREE__AT_NODE) {
            status = pytree__open(&c, &c.root);
            if (status == PYTREE_OK) { *count = c.frames[0].count; }
            for (i = 0; status == PYTREE_OK && i < *count && i < capacity; i++) {
                const pytree_leaf *value;
                status = pytree__take(&c, &value);
                if (status != PYTREE_OK) { break; }
                if (children != NULL) { memset(&children[i], 0, sizeof children[i]); pytree__copy_view(&children[i], value); }
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
