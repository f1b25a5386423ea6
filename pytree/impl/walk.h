/* pytree/impl/walk.h: walking a tree with callbacks, and the children of its root. */
#ifndef PYTREE_IMPL_WALK_H
#define PYTREE_IMPL_WALK_H

#include "internal.h"

/* A callback with its value and path; the path's entries are `room`, which grows with the depth. */
struct pytree__path_room { pytree_entry few[64], *entries; size_t max; };

static pytree_status pytree__call(pytree__cursor *c, struct pytree__path_room *room,
                                  int (*fn)(void *, const pytree_leaf *, const pytree_path *), void *context,
                                  const pytree_leaf *value, size_t depth, int *answer)
{
    pytree_path path;
    size_t n;
    if (depth > room->max) {
        const pytree_allocator *a = pytree__allocator(c->opt);
        size_t bytes = pytree__times(2 * depth, sizeof *room->entries);
        pytree_entry *grown = (pytree_entry *)pytree__resize(a, room->entries == room->few ? NULL : room->entries,
                                                             room->entries == room->few ? 0 : room->max * sizeof *grown, bytes);
        if (grown == NULL) { return pytree__no_memory(c->err, bytes); }
        room->entries = grown;
        room->max = 2 * depth;
    }
    n = pytree__cursor_path(c, room->entries, depth);
    path.n = n < depth ? n : depth;
    path.entries = room->entries;
    *answer = fn(context, value, &path);
    return PYTREE_OK;
}

pytree_status pytree_walk(pytree t, const pytree_visitor *visitor, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    struct pytree__path_room room;
    const pytree_leaf *value;
    pytree_status status;
    if (visitor == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a visitor, got NULL"); }
    room.entries = room.few;
    room.max = 64;
    pytree__cursor_init(&c, opt, err);
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK) {
        int at = pytree__cursor_next(&c, &value), answer = PYTREE_WALK_ON;
        if (at == PYTREE__FAILED) { status = c.status; }
        if (at == PYTREE__DONE || at == PYTREE__FAILED) { break; }
        if (at == PYTREE__AT_END) {
            const pytree__frame *f = &c.frames[c.n_frames - 1];
            pytree_leaf node;
            memset(&node, 0, sizeof node);
            node.data = (void *)(uintptr_t)f->self;
            node.type = f->type;
            node.form = pytree__form_in(f);
            node.ndim = f->form == PYTREE_FORM_LIST || f->form == PYTREE_FORM_TUPLE;
            node.shape[0] = f->count;
            if (f->form == PYTREE_FORM_MAP || f->form == PYTREE_FORM_FLAT) { memcpy(node.shape, f->shape, sizeof f->shape); }
            if (visitor->leave != NULL) {
                status = pytree__call(&c, &room, visitor->leave, visitor->context, &node, c.n_frames - 1, &answer);
            }
            pytree__close(&c);
        } else {
            if (visitor->enter != NULL) {
                status = pytree__call(&c, &room, visitor->enter, visitor->context, value, c.n_frames, &answer);
            }
            if (status == PYTREE_OK && answer == PYTREE_WALK_ON && at == PYTREE__AT_NODE) { status = pytree__open(&c, value); }
            if (status == PYTREE_OK && answer == PYTREE_WALK_ON && at == PYTREE__AT_NONE && visitor->leave != NULL) {
                status = pytree__call(&c, &room, visitor->leave, visitor->context, value, c.n_frames, &answer);
            }
        }
        if (status == PYTREE_OK && answer > 0) {
            status = pytree__fail_at(&c, (pytree_status)answer, "stopped by the callback");
        }
    }
    if (room.entries != room.few) { pytree__resize(pytree__allocator(opt), room.entries, room.max * sizeof *room.entries, 0); }
    pytree__cursor_end(&c);
    return status;
}

pytree_status pytree_children(pytree t, pytree_leaf *children, pytree_entry *keys, size_t capacity, size_t *count,
                              const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree_status status;
    size_t i, unwanted;
    if (count == NULL) { count = &unwanted; }
    *count = 0;
    pytree__cursor_init(&c, opt, err);
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
