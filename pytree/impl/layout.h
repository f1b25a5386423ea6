/* pytree/impl/layout.h: layouts: per struct type, the template of its nodes, where static bytes lie, which pointers may be
 * NULL. */
#ifndef PYTREE_IMPL_LAYOUT_H
#define PYTREE_IMPL_LAYOUT_H

#include "internal.h"

/* Forgets all layouts. */
static void pytree__layout_clear(pytree__layout_cache *p)
{
    size_t i;
    p->n_nodes = p->n_spans = p->n_nullables = 0;
    p->last = p->layouts;
    for (i = 0; i < p->max_layouts; i++) { p->layouts[i].type = NULL; }
}

static PYTREE__APART void pytree__layout_cache_init(pytree__layout_cache *p, pytree__layout_space *space)
{
    p->layouts = space->layouts;
    p->nodes = space->nodes;
    p->spans = space->spans;
    p->nullables = space->nullables;
    p->max_layouts = PYTREE__MAX_LAYOUTS;
    p->max_nodes = PYTREE__LAYOUT_NODES;
    p->max_spans = PYTREE__LAYOUT_SPANS;
    p->max_nullables = PYTREE__LAYOUT_NULLABLES;
    pytree__layout_clear(p);
}

/* In the place of a layout, where there is none. */
static const pytree__layout pytree__no_layout = { NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, true, false };

/* A cache without memory of its own: it has only layouts that are kept. */
static PYTREE__APART void pytree__layout_cache_bare(pytree__layout_cache *p)
{
    memset(p, 0, sizeof *p);
    p->layouts = p->last = (pytree__layout *)(uintptr_t)&pytree__no_layout;
    p->max_layouts = 1;
}

/* ---- Layouts that are kept ---------------------------------------------------------------------------------------------
 *
 * A type's layout does not change. The first call that asks for it makes it in static memory and writes where it is beside the
 * type's descriptor; from then on every thread reads it. While one thread makes a layout, and where there is no room for more,
 * the others make theirs for their call, as do compilers without atomic operations (PYTREE__KEEPS).
 */
#if PYTREE__KEEPS
static struct {
    pytree__layout_cache made;            /* which is never cleared */
    pytree__layout layouts[PYTREE__KEPT_LAYOUTS];
    pytree_node nodes[PYTREE__KEPT_NODES];
    pytree__static_span spans[PYTREE__KEPT_SPANS];
    pytree__nullable nullables[PYTREE__KEPT_NULLABLES];
    struct pytree__leaf_slot slots[PYTREE__KEPT_LEAVES];
    uint32_t n_layouts, n_slots;
    int busy;                             /* a thread makes a layout */
} pytree__kept;
static pytree__layout pytree__not_kept;   /* in the place of a layout for which there was no room */

/* Make a type's layout in static memory. Returns where it is, &pytree__not_kept if there is no room, or such structs are no
 * runs. */
static pytree__layout *pytree__kept_make(const pytree_type *type)
{
    pytree__layout_cache *const p = &pytree__kept.made;
    pytree__layout *const layout = &pytree__kept.layouts[pytree__kept.n_layouts];
    const struct pytree__leaf_slot *const slots = pytree__kept.slots + pytree__kept.n_slots, *end;
    struct pytree__static_types known = { { NULL, NULL, NULL, NULL }, 0 };
    uint64_t null_mask = 0;
    if (pytree__kept.n_layouts == PYTREE__KEPT_LAYOUTS) { return &pytree__not_kept; }
    p->layouts = pytree__kept.layouts;
    p->nodes = pytree__kept.nodes;
    p->spans = pytree__kept.spans;
    p->nullables = pytree__kept.nullables;
    p->max_layouts = 1;
    p->max_nodes = PYTREE__KEPT_NODES;
    p->max_spans = PYTREE__KEPT_SPANS;
    p->max_nullables = PYTREE__KEPT_NULLABLES;
    if (p->max_nullables - p->n_nullables > PYTREE__LAYOUT_NULLABLES) {
        p->max_nullables = p->n_nullables + PYTREE__LAYOUT_NULLABLES;
    }
    if (!pytree__layout_make(p, layout, type)) { return &pytree__not_kept; }
    end = pytree__leaf_slots_add(pytree__kept.slots + pytree__kept.n_slots, pytree__kept.slots + PYTREE__KEPT_LEAVES, type, 0,
                                 &null_mask);
    if (end == NULL) {
        p->n_nodes -= layout->n_nodes;
        p->n_spans -= layout->n_spans;
        p->n_nullables -= layout->n_nullables;
        return &pytree__not_kept;
    }
    layout->slots = slots;
    layout->n_slots = (uint16_t)(end - slots);
    layout->static_views = layout->trivial_statics && pytree__views_are_static(type, &known);
    pytree__kept.n_slots += layout->n_slots;
    pytree__kept.n_layouts++;
    return layout;
}

#endif

/* Returns the layout that was kept for a type; NULL if none was. Another copy of the library in the program, perhaps in a
 * module that is gone by now, may have kept its own: that is not looked at. */
PYTREE__INLINE pytree__layout *pytree__layout_was_kept(const pytree_type *type)
{
#if PYTREE__KEEPS
    pytree__layout *const layout = type->noted == NULL ? NULL : __atomic_load_n(&type->noted->layout, __ATOMIC_ACQUIRE);
    const bool mine = (uintptr_t)layout - (uintptr_t)pytree__kept.layouts < sizeof pytree__kept.layouts;
    return mine && layout->type == type ? layout : NULL;
#else
    (void)type;
    return NULL;
#endif
}

#if PYTREE__KEEPS
/* Keep a type's layout from now on. Returns NULL if it is not kept. */
static PYTREE__NOINLINE pytree__layout *pytree__layout_keep(const pytree_type *type)
{
    if (type->noted == NULL || __atomic_load_n(&type->noted->layout, __ATOMIC_RELAXED) != NULL) { return NULL; }
    if (__atomic_exchange_n(&pytree__kept.busy, 1, __ATOMIC_ACQUIRE) != 0) { return NULL; }
    /* If another thread has just done so it is made twice, which does no harm. The descriptor may be a copy in a tree. */
    __atomic_store_n(&type->noted->layout, pytree__kept_make(pytree__origin(type)), __ATOMIC_RELEASE);
    __atomic_store_n(&pytree__kept.busy, 0, __ATOMIC_RELEASE);
    return pytree__layout_was_kept(type);
}
#endif

/* Returns the layout that is kept for a type, from now on if not before; NULL if none is. */
PYTREE__INLINE pytree__layout *pytree__layout_kept(const pytree_type *type)
{
    pytree__layout *layout = pytree__layout_was_kept(type);
#if PYTREE__KEEPS
    if (PYTREE__UNLIKELY(layout == NULL)) { layout = pytree__layout_keep(type); }
#endif
    return layout;
}

/* ---- Find layouts ---------------------------------------------------------------------------------------------------- */

/* Copies a layout that is kept, so that its nodes can be changed. Returns false if there is no room. */
static bool pytree__layout_copy(pytree__layout_cache *p, pytree__layout *layout, const pytree__layout *kept)
{
    if (kept->n_nodes > p->max_nodes - p->n_nodes) { return pytree__layout_full(p); }
    *layout = *kept;
    layout->nodes = p->nodes + p->n_nodes;
    p->n_nodes += kept->n_nodes;
    memcpy(layout->nodes, kept->nodes, kept->n_nodes * sizeof *kept->nodes);
    return true;
}

/* Makes the layout of a type, in the place that is the type's or in one of those behind it; or copies the one that is kept. */
static PYTREE__NOINLINE pytree__layout *pytree__layout_own(pytree__layout_cache *p, const pytree_type *type,
                                                           const pytree__layout *kept)
{
    const size_t slot = pytree__type_slot(type);
    pytree__layout *layout = &p->layouts[slot & (p->max_layouts - 1)];
    size_t i;
    bool empty;
    for (i = 1; layout->type != type && layout->type != NULL && i < p->max_layouts; i++) {
        layout = &p->layouts[(slot + i) & (p->max_layouts - 1)];
    }
    if (layout->type == type) { return layout; }
    if (layout->type != NULL) { pytree__layout_clear(p); }
    do {
        empty = p->n_nodes + p->n_spans + p->n_nullables == 0;
        p->full = false;
        if (kept != NULL ? pytree__layout_copy(p, layout, kept) : pytree__layout_make(p, layout, type)) { return layout; }
        if (p->full && !empty) { pytree__layout_clear(p); }    /* perhaps there is room when the others are gone */
    } while (p->full && !empty);
    layout->type = type;
    layout->n_nodes = 0;
    return layout;
}

/* Finds the layout of a type: one of the call's own, one that is kept, or one that is made. */
static PYTREE__NOINLINE pytree__layout *pytree__layout_find(pytree__layout_cache *p, const pytree_type *type)
{
    pytree__layout *const own = &p->layouts[pytree__type_slot(type) & (p->max_layouts - 1)], *kept;
    if (own->type == type) { return own; }
    kept = pytree__layout_kept(type);
    if (kept != NULL && (kept->n_nullables == 0 || p->nodes == NULL)) { return kept; }
    return p->max_nodes == 0 ? p->layouts : pytree__layout_own(p, type, kept);
}

/* Returns the layout of a type, valid until the next one is asked for. */
PYTREE__INLINE pytree__layout *pytree__layout_of(pytree__layout_cache *p, const pytree_type *type)
{
    if (!PYTREE__LAYOUTS) { return (pytree__layout *)(uintptr_t)&pytree__no_layout; }
    if (PYTREE__UNLIKELY(p->last->type != type)) { p->last = pytree__layout_find(p, type); }
    return p->last;
}

/* Finds which of a struct's nullables are NULL. Returns false if one leads to a struct, so that this one is no run. */
PYTREE__INLINE bool pytree__layout_view(const pytree__layout *layout, const void *self, uint64_t *null_mask)
{
    const pytree__nullable *nullable = layout->nullables, *const end = nullable + layout->n_nullables;
    uint64_t bit = 1, found = 0;
    const void *pointer;
    for (; nullable != end; nullable++, bit <<= 1) {
        memcpy(&pointer, (const char *)self + nullable->at, sizeof pointer);
        if (pointer == NULL) { found |= bit; }
        else if (PYTREE__UNLIKELY(nullable->is_struct)) { return false; }
    }
    *null_mask = found;
    return true;
}

/* Makes a layout's nodes, which have so many leaves, those of a struct in which these nullables are None: changes those that
 * were not, or were, and counts their leaves in the structs around them. Returns how many leaves there are then. */
static PYTREE__APART uint32_t pytree__layout_adapt(const pytree__layout *layout, pytree_node *nodes, uint32_t n_leaves,
                                                   uint64_t changed, uint64_t null_mask)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 }, none = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    const pytree__nullable *nullable = layout->nullables;
    for (; changed != 0; nullable++, changed >>= 1, null_mask >>= 1) {
        const bool is_none = (null_mask & 1) != 0;
        uint32_t i = nullable->node;
        if ((changed & 1) == 0) { continue; }
        nodes[i] = is_none ? none : leaf;
        n_leaves += is_none ? UINT32_MAX : 1;
        for (i++; i < layout->n_nodes; i++) {
            if (nodes[i].nodes > i - nullable->node) { nodes[i].leaves += is_none ? UINT32_MAX : 1; }
        }
    }
    return n_leaves;
}

/* Makes the nodes of one of the call's own layouts so. */
PYTREE__INLINE void pytree__layout_specialize(pytree__layout *layout, uint64_t null_mask)
{
    layout->n_leaves = pytree__layout_adapt(layout, layout->nodes, layout->n_leaves, layout->null_mask ^ null_mask, null_mask);
    layout->null_mask = null_mask;
}

/* Returns the layout of a struct, and which of its nullables are None; NULL if it is no run. The layout's nodes are as they are
 * for this struct, unless the cache has none. */
PYTREE__INLINE pytree__layout *pytree__layout_for(pytree__layout_cache *p, const pytree_type *type, const void *self,
                                                  bool none_is_leaf, uint64_t *null_mask)
{
    pytree__layout *const layout = pytree__layout_of(p, type);
    if (PYTREE__UNLIKELY(layout->n_nodes == 0) || !pytree__layout_view(layout, self, null_mask)) { return NULL; }
    if (none_is_leaf) { *null_mask = 0; }
    if (*null_mask != layout->null_mask && p->nodes != NULL) { pytree__layout_specialize(layout, *null_mask); }
    return layout;
}

/* Compares the words at `at` of two structs, or (not `pair`) of four. Returns 0 if they are equal. */
PYTREE__INLINE uint64_t pytree__words_differ(const char *const self[4], size_t at, const bool pair)
{
    uint64_t a, b, c, d;
    memcpy(&a, self[0] + at, sizeof a);
    memcpy(&b, self[1] + at, sizeof b);
    if (pair) { return a ^ b; }
    memcpy(&c, self[2] + at, sizeof c);
    memcpy(&d, self[3] + at, sizeof d);
    return (a ^ b) | (a ^ c) | (a ^ d);
}

/* Compares a span of bytes in the same way. */
PYTREE__INLINE uint64_t pytree__spans_differ(const char *const self[4], size_t at, size_t n, const bool pair)
{
    uint64_t differ = 0;
    uint32_t a, b, c, d;
    size_t i;
    if (n >= sizeof differ) {             /* the last word overlaps the one before it */
        PYTREE__FEW_STEPS
        for (i = 0; i < n - sizeof differ; i += sizeof differ) { differ |= pytree__words_differ(self, at + i, pair); }
        return differ | pytree__words_differ(self, at + n - sizeof differ, pair);
    }
    if (n == sizeof a) {
        memcpy(&a, self[0] + at, sizeof a);
        memcpy(&b, self[1] + at, sizeof b);
        if (pair) { return a ^ b; }
        memcpy(&c, self[2] + at, sizeof c);
        memcpy(&d, self[3] + at, sizeof d);
        return (a ^ b) | (a ^ c) | (a ^ d);
    }
    for (i = 1; i < (pair ? 2 : 4) && n != 0; i++) { differ |= pytree__differ(self[0] + at, self[i] + at, n); }
    return differ;
}

/* Tells whether two structs of the layout's type, or (not `pair`) four, have the same None and the same static values. */
PYTREE__INLINE bool pytree__layout_few_equal(const pytree__layout *layout, const char *const self[4], const bool pair)
{
    const pytree__nullable *nullable = layout->nullables, *const nullables_end = nullable + layout->n_nullables;
    const pytree__static_span *span = layout->spans, *const spans_end = span + layout->n_spans;
    uint64_t none[4] = { 0, 0, 0, 0 }, differ;
    const void *pointer;
    size_t k;
    for (; nullable != nullables_end; nullable++) {
        memcpy(&pointer, self[0] + nullable->at, sizeof pointer);
        none[0] += none[0] + (pointer == NULL);
        memcpy(&pointer, self[1] + nullable->at, sizeof pointer);
        none[1] += none[1] + (pointer == NULL);
        if (pair) { continue; }
        memcpy(&pointer, self[2] + nullable->at, sizeof pointer);
        none[2] += none[2] + (pointer == NULL);
        memcpy(&pointer, self[3] + nullable->at, sizeof pointer);
        none[3] += none[3] + (pointer == NULL);
    }
    differ = (none[0] ^ none[1]) | (pair ? 0 : (none[0] ^ none[2]) | (none[0] ^ none[3]));
    for (; span != spans_end; span++) {
        if (PYTREE__LIKELY(span->row == NULL)) {
            differ |= pytree__spans_differ(self, span->at, span->bytes, pair);
            continue;
        }
        for (k = 1; k < (pair ? 2 : 4); k++) {
            if (!pytree__same_row(span->row, self[0] + span->at, self[k] + span->at)) { return false; }
        }
    }
    return differ == 0;
}

/* Tells whether n structs of the layout's type have the same None and the same static values. */
PYTREE__INLINE bool pytree__layout_instances_equal(const pytree__layout *layout, size_t n, const pytree_leaf **structs)
{
    const char *self[4];
    size_t k;
    self[0] = (const char *)structs[0]->data;
    self[1] = (const char *)structs[1]->data;
    if (n == 2) { return pytree__layout_few_equal(layout, self, true); }
    for (k = 1; k < n; k += 3) {          /* three others at a time, the last one more than once */
        self[1] = (const char *)structs[k]->data;
        self[2] = (const char *)structs[k + 1 < n ? k + 1 : n - 1]->data;
        self[3] = (const char *)structs[k + 2 < n ? k + 2 : n - 1]->data;
        if (!pytree__layout_few_equal(layout, self, false)) { return false; }
    }
    return true;
}

/* Compares type and counts of two nodes. Where all structs inside a struct have the layout's counts, and its nullables are
 * None as in the layout, everything else can only be leaves. */
PYTREE__INLINE bool pytree__same_counts(const pytree_node *a, const pytree_node *b)
{
    return a->type == b->type && memcmp(&a->leaves, &b->leaves, sizeof a->leaves + sizeof a->nodes) == 0;
}

/* Tells whether a struct has the same None as a treedef's nodes, and puts those into the layout unless the treedef has no other
 * nodes than rows say. */
PYTREE__INLINE bool pytree__layout_same_nulls(pytree__layout *layout, const char *self, const pytree_def *def,
                                              const pytree_node *theirs)
{
    const pytree__nullable *nullable = layout->nullables, *const end = nullable + layout->n_nullables;
    uint64_t bit = 1, null_mask = 0;
    const void *pointer;
    for (; nullable != end; nullable++, bit <<= 1) {
        const bool none = theirs[nullable->node].type == &pytree_types[PYTREE__T_none];
        bool is_none;
        memcpy(&pointer, self + nullable->at, sizeof pointer);
        is_none = pointer == NULL && !def->none_is_leaf;
        if (PYTREE__UNLIKELY(none != is_none || (pointer != NULL && nullable->is_struct))) {
            return false;
        }
        if (none) { null_mask |= bit; }
    }
    if (!def->by_rows && null_mask != layout->null_mask) { pytree__layout_specialize(layout, null_mask); }
    return true;
}

/* Tells whether the treedef's nodes from `theirs` on are those of the layout's struct *self, and have its static values. Where
 * all nodes are as rows say, the topmost one tells that the others are. */
PYTREE__INLINE bool pytree__layout_matches_instance(pytree__layout *layout, const char *self, const pytree_def *def,
                                                    const pytree_node *theirs)
{
    const pytree__static_span *span = layout->spans, *const end = span + layout->n_spans;
    const bool by_rows = def->by_rows;
    const pytree_node *const mine = by_rows ? NULL : layout->nodes, *const top = &theirs[layout->n_nodes - 1];
    const unsigned char *at = def->statics + theirs[span->node].meta;
    uint64_t differ = 0;
    if (PYTREE__UNLIKELY(top->type != layout->type || top->nodes != layout->n_nodes)
        || !pytree__layout_same_nulls(layout, self, def, theirs)) {
        return false;
    }
    for (; span != end; span++) {
        if (PYTREE__UNLIKELY(!by_rows) && span->node != UINT32_MAX) {
            if (!pytree__same_counts(&mine[span->node], &theirs[span->node])) { return false; }
            at = def->statics + theirs[span->node].meta;
        }
        if (PYTREE__LIKELY(span->row == NULL)) {
            differ |= pytree__differ(self + span->at, at, span->bytes);
            at += span->bytes;
        } else {
            at = pytree__match_row(span->row, self + span->at, at);
            if (at == NULL) { return false; }
        }
    }
    return differ == 0;
}

/* Returns the layout as it is for a treedef's struct node, which has as many nodes; NULL if that is no run. */
PYTREE__INLINE pytree__layout *pytree__layout_of_node(pytree__layout_cache *p, const pytree_node *n)
{
    pytree__layout *const layout = pytree__layout_of(p, n->type);
    const pytree__nullable *const nullable = layout->nullables;
    const pytree_node *theirs;
    uint64_t null_mask = 0;
    uint32_t i;
    theirs = n + 1 - layout->n_nodes;
    for (i = 0; i < layout->n_nullables; i++) {
        const bool none = theirs[nullable[i].node].type == &pytree_types[PYTREE__T_none];
        null_mask |= (uint64_t)none << i;
        if (PYTREE__UNLIKELY(nullable[i].is_struct && !none)) { return NULL; }
    }
    if (PYTREE__UNLIKELY(null_mask != layout->null_mask)) { pytree__layout_specialize(layout, null_mask); }
    return layout;
}

/* Writes a struct's nodes and static values behind those that are there. */
PYTREE__INLINE void pytree__layout_emit(const pytree__layout *layout, const char *self, pytree_node *nodes,
                                        pytree__statics *to)
{
    const pytree__static_span *span = layout->spans, *const end = span + layout->n_spans;
    unsigned char *const at = to->at;     /* bytes that are written might be these, for all that a compiler knows */
    size_t length = to->length;
    memcpy(nodes, layout->nodes, layout->n_nodes * sizeof *nodes);
    for (; span != end; span++) {
        if (span->node != UINT32_MAX) { nodes[span->node].meta = (uint32_t)length; }
        if (PYTREE__LIKELY(span->row == NULL)) {
            if (span->bytes != 0) { pytree__copy_few(at + length, self + span->at, span->bytes); }
            length += span->bytes;
        } else {
            to->length = length;
            pytree__pack(to, span->row, self + span->at);
            length = to->length;
        }
    }
    to->length = length;
}

/* Returns how many static bytes a struct has. */
PYTREE__INLINE size_t pytree__layout_bytes(const pytree__layout *layout, const char *self)
{
    pytree__statics to = { NULL, 0, 0 };
    uint32_t i;
    if (PYTREE__LIKELY(layout->trivial_statics)) { return layout->n_statics; }
    for (i = 0; i < layout->n_spans; i++) {
        const pytree__static_span *const span = &layout->spans[i];
        if (span->row != NULL) { pytree__pack(&to, span->row, self + span->at); }
    }
    return layout->n_statics + to.length;
}
#endif
