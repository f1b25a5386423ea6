/* pytree/impl/follow.h: runs that go on behind a pointer: structs with optional pointers, some of which lead to a struct that
 * is a run in turn. Its leaves and nodes stand where the row does. The pointers of that struct are not followed. */
#ifndef PYTREE_IMPL_FOLLOW_H
#define PYTREE_IMPL_FOLLOW_H

#include "internal.h"

/* Tell by the flags of a struct's views whether all that makes it no run are pointers that lead to structs. */
PYTREE__INLINE bool pytree__may_follow(size_t flags)
{
    return (flags & ~(size_t)PYTREE__HAS_NONE) == PYTREE__HAS_POINTED;
}

/* Replace the view of each struct that a pointer leads to by the views of its leaves. Return where the views end, and flags:
 * not 0 if such a struct is no run or there is no room, and then the views are of no use. */
static PYTREE__NOINLINE pytree__flatten_result pytree__follow_views(pytree_leaf *view, pytree_leaf *end, pytree_leaf *room_end)
{
    pytree__flatten_result seen;
    seen.end = end;
    for (seen.flags = 0; view != seen.end && seen.flags == 0; ) {
        const pytree_type *const type = view->type;
        const size_t behind = (size_t)(seen.end - view) - 1;   /* none behind a struct's last row */
        if (view->form != PYTREE_FORM_STRUCT) { view++; continue; }
        if (!pytree__has_rows(type)) { seen.flags = PYTREE__NOT_INLINABLE; break; }
        if (behind != 0) { memmove(room_end - behind, view + 1, behind * sizeof *view); }     /* out of the way */
        seen = pytree__leaf_views(type, view->data, view, room_end - behind, false);
        seen.flags &= PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE;
        if (behind != 0) { memmove(seen.end, room_end - behind, behind * sizeof *view); }
        view = seen.end;
        seen.end += behind;
    }
    return seen;
}

/* Return the type of the struct that a pointer leads to, which lies at `at` in a struct, perhaps in one within it. */
static const pytree_type *pytree__pointed_type(const pytree_type *type, size_t at)
{
    const pytree_field *row = type->fields;
    for (;;) {
        while (row->row != PYTREE_ROW_DATA || at - row->offset >= row->size) { row++; }
        if (row->place == PYTREE_POINTER) { return row->type; }
        at -= row->offset;                /* it lies in this struct */
        row = row->type->fields;
    }
}

/* Compare the structs that pointers of structs of n trees lead to; the structs themselves are equal. Return whether those are
 * runs, and equal. */
static PYTREE__NOINLINE bool pytree__follow_equal(pytree_iter *it, size_t n, const pytree_leaf **structs)
{
    const pytree__cursor *const c = it->cursors;
    const pytree_type *const type = structs[0]->type;
    pytree__layout_cache *const cache = &it->cache;
    pytree_leaf pointed[PYTREE__TREES];
    const pytree_leaf *all[PYTREE__TREES];
    uint32_t i;
    size_t k;
    if (n > PYTREE__TREES) { return false; }
    for (i = 0;; i++) {
        const pytree__layout *const layout = pytree__layout_of(cache, type);   /* it may have been made anew */
        pytree__nullable nullable;
        const pytree_type *inner;
        if (layout->n_nodes == 0) { return false; }
        if (i == layout->n_nullables) { return true; }
        nullable = layout->nullables[i];
        memcpy(&pointed[0].data, (const char *)structs[0]->data + nullable.at, sizeof pointed[0].data);
        if (!nullable.is_struct || pointed[0].data == NULL) { continue; }
        inner = pytree__pointed_type(type, nullable.at);
        if (!pytree__has_rows(inner)) { return false; }
        for (k = 0; k < n; k++) {
            size_t flags;
            memcpy(&pointed[k].data, (const char *)structs[k]->data + nullable.at, sizeof pointed[k].data);
            all[k] = &pointed[k];
            flags = pytree__validate(inner, pointed[k].data, c->views + c->n_views, c->views + c->max_views);
            if ((flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0) { return false; }
        }
        if (n == 1) { continue; }
        (void)pytree__layout_of(cache, inner);
        if (cache->last->n_nodes == 0 || !pytree__layout_instances_equal(cache->last, n, all)) { return false; }
    }
}

/* Compare a struct's static values in spans that begin with a node, before those of node `until`, with packed ones. Return the
 * span behind them; NULL if they differ. */
static const pytree__static_span *pytree__match_spans(const pytree__static_span *span, const pytree__static_span *end,
                                                      uint32_t until, const char *self, const unsigned char *at)
{
    uint64_t differ = 0;
    for (; span != end && span->node + 1 <= until; span++) {   /* UINT32_MAX + 1: of the same node as the one before it */
        if (PYTREE__LIKELY(span->row == NULL)) {
            differ |= pytree__differ(self + span->at, at, span->bytes);
            at += span->bytes;
        } else {
            at = pytree__match_row(span->row, self + span->at, at);
            if (at == NULL) { return NULL; }
        }
    }
    return differ == 0 ? span : NULL;
}

/* Compare a struct, and those that its pointers lead to, with a treedef's nodes, of which there are `left`; the treedef is by
 * rows. Return how many nodes they take; 0 if they differ, or a pointer leads to a struct that is no run. */
static PYTREE__NOINLINE size_t pytree__follow_matches(pytree__layout_cache *cache, const pytree_type *type, const char *self,
                                                      const pytree_def *def, const pytree_node *theirs, size_t left)
{
    const pytree__layout *const layout = pytree__layout_of(cache, type);
    const pytree__static_span *span = layout->spans, *const spans_end = span + layout->n_spans;
    const pytree__nullable *nullable = layout->nullables, *const end = nullable + layout->n_nullables;
    size_t more = 0;                      /* nodes of structs that pointers led to, less the layout's one for each */
    for (;; nullable++) {
        const bool last = nullable == end;
        const size_t node = (last ? layout->n_nodes - 1 : nullable->node) + more;
        const void *pointer = NULL;
        pytree__layout *inner;
        if (node >= left) { return 0; }
        if (!last) { memcpy(&pointer, self + nullable->at, sizeof pointer); }
        if (!last && (pointer == NULL || !nullable->is_struct)) {
            if ((pointer == NULL) != (theirs[node].type == &pytree_types[PYTREE__T_none])) { return 0; }
            continue;
        }
        if (last || span->node < nullable->node) {             /* the struct's own span is behind all of its pointers */
            span = pytree__match_spans(span, spans_end, last ? UINT32_MAX : nullable->node, self,
                                       def->statics + theirs[span->node + more].meta);
            if (span == NULL) { return 0; }
        }
        if (last) { return theirs[node].type == type ? theirs[node].nodes : 0; }
        inner = pytree__layout_of(cache, pytree__pointed_type(type, nullable->at));
        if (layout->type != type || inner->n_nodes == 0 || inner->n_nodes > left - node    /* no longer there */
            || !pytree__layout_matches_instance(inner, (const char *)pointer, def, &theirs[node])) {
            return 0;
        }
        more += inner->n_nodes - 1;
    }
}
#endif
