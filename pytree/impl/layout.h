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
    p->max_spans = PYTREE__LAYOUT_SPANS;
    p->max_nullables = PYTREE__LAYOUT_NULLABLES;
    pytree__layout_clear(p);
}

/* Returns false: there is no room for more. */
static PYTREE__APART_CLANG bool pytree__layout_full(pytree__layout_cache *p)
{
    p->full = true;
    return false;
}

/* Adds a struct's static values: bytes that follow one another are one span. There is at least one, which begins the node. */
static bool pytree__layout_add_statics(pytree__layout_cache *p, pytree__layout *layout, const pytree_type *type, size_t offset,
                                       uint32_t node)
{
    const pytree_field *row = type->fields;
    pytree__static_span *span = &p->spans[p->n_spans], *const last = p->spans + p->max_spans;
    uint32_t from = 0, to = 0;            /* bytes that follow one another, up to here */
    unsigned left = type->n_fields - type->n_children;         /* STATIC and DROP rows that still come */
    if (span == last) { return pytree__layout_full(p); }
    span->row = NULL;
    span->node = node;
    for (; left != 0; row++) {
        const uint32_t at = (uint32_t)(offset + row->offset), size = (uint32_t)row->size;
        const bool bytes = row->form == PYTREE__PACK_BYTES;
        if (row->row == PYTREE_ROW_DATA) { continue; }
        left--;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (bytes) { layout->n_statics += size; } else { layout->trivial_statics = false; }
        if (bytes && at == to && from != to) {
            to += size;
            continue;
        }
        if (from != to || span->row != NULL) {
            span->at = from;
            span->bytes = to - from;
            if (++span == last) { return pytree__layout_full(p); }
            span->node = UINT32_MAX;
        }
        from = at;
        to = bytes ? at + size : at;
        span->row = bytes ? NULL : row;
    }
    span->at = from;
    span->bytes = to - from;
    p->n_spans = (uint32_t)(span - p->spans) + 1;
    return true;
}

/* Counts the leaves that a struct has if it is a run and nothing in it is None. It calls itself for structs that lie in
 * structs: no deeper than C's declarations. */
static uint32_t pytree__most_leaves(const pytree_type *type)
{
    uint32_t n = 0;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        n += row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE ? pytree__most_leaves(row->type) : 1;
    }
    return n;
}

/* Adds a pointer that may be NULL, whose node is the layout's number `node`. Returns false if there is no room. */
static bool pytree__layout_add_nullable(pytree__layout_cache *p, pytree__layout *layout, const pytree_field *row,
                                        size_t offset, uint32_t node)
{
    pytree__nullable *const nullable = &p->nullables[p->n_nullables];
    if (p->n_nullables == p->max_nullables) { return pytree__layout_full(p); }
    p->n_nullables++;
    nullable->at = (uint32_t)(offset + row->offset);
    nullable->node = (uint16_t)node;
    nullable->is_struct = row->place == PYTREE_POINTER && row->ndim == 0;
    if (nullable->is_struct) { layout->n_pointed += pytree__most_leaves(row->type); }
    return true;
}

/* Adds a struct at `offset`, whose type has a layout already, as nodes from `node` on. Returns false if it has none, or there
 * is no room. */
static bool pytree__layout_add_known(pytree__layout_cache *p, pytree__layout *layout, const pytree_type *type,
                                     size_t offset, uint32_t node)
{
    const pytree__layout *const known = &p->layouts[pytree__type_slot(type) & (p->max_layouts - 1)];
    pytree__static_span *span = &p->spans[p->n_spans];
    pytree__nullable *nullable = &p->nullables[p->n_nullables];
    uint32_t i;
    if (known->type != type || known->n_nodes == 0 || known->null_mask != 0
        || known->n_nodes > PYTREE__LAYOUT_NODES - node || known->n_spans > p->max_spans - p->n_spans
        || known->n_nullables > p->max_nullables - p->n_nullables) {
        return false;
    }
    if (p->nodes != NULL) { memcpy(&p->nodes[node], &p->nodes[known->nodes], known->n_nodes * sizeof *p->nodes); }
    node -= layout->nodes;
    for (i = 0; i < known->n_spans; i++, span++) {
        *span = p->spans[known->spans + i];
        span->at += (uint32_t)offset;
        if (span->node != UINT32_MAX) { span->node += node; }
    }
    for (i = 0; i < known->n_nullables; i++, nullable++) {
        *nullable = p->nullables[known->nullables + i];
        nullable->at += (uint32_t)offset;
        nullable->node = (uint16_t)(nullable->node + node);
    }
    p->n_nodes += known->n_nodes;
    p->n_spans += known->n_spans;
    p->n_nullables += known->n_nullables;
    layout->n_leaves = known->n_leaves;
    layout->n_statics += known->n_statics;
    layout->n_pointed += known->n_pointed;
    if (!known->trivial_statics) { layout->trivial_statics = false; }
    return true;
}

/* Adds the rows of a struct that lies at `offset` of the layout's. Returns false if such structs are no runs, or there is no
 * room. It calls itself for structs that lie in structs: no deeper than C's declarations. */
static bool pytree__layout_add_rows(pytree__layout_cache *p, pytree__layout *layout, const pytree_type *type, size_t offset)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 };
    const uint32_t first = p->n_nodes;
    const pytree_field *row = type->fields;
    uint32_t n = first, n_leaves = 0, left = type->n_children;             /* nodes; leaves in this struct; rows that come */
    if (type->views == NULL || !type->self_contained || type->size > UINT32_MAX) { return false; }
    for (; left != 0; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        left--;
        if (row->place == PYTREE_IN_PLACE && row->form == PYTREE_FORM_STRUCT) {
            p->n_nodes = n;
            layout->n_leaves = 0;
            if (!pytree__layout_add_known(p, layout, row->type, offset + row->offset, n)
                && !pytree__layout_add_rows(p, layout, row->type, offset + row->offset)) {
                return false;
            }
            n = p->n_nodes;
            n_leaves += layout->n_leaves;
            continue;
        }
        if (n == PYTREE__LAYOUT_NODES) { return pytree__layout_full(p); }
        if (row->optional != 0) {
            if (!pytree__layout_add_nullable(p, layout, row, offset, n - layout->nodes)) { return false; }
        }
        if (p->nodes != NULL) { p->nodes[n] = leaf; }
        n++;
        n_leaves++;
    }
    if (n == PYTREE__LAYOUT_NODES) { return pytree__layout_full(p); }
    if (!pytree__layout_add_statics(p, layout, type, offset, n - layout->nodes)) { return false; }
    p->n_nodes = n + 1;
    layout->n_leaves = n_leaves;
    if (p->nodes != NULL) {
        pytree_node *const node = &p->nodes[n];
        node->type = type;
        node->arity = type->n_children;
        node->leaves = n_leaves;
        node->nodes = n + 1 - first;
        node->meta = 0;
    }
    return true;
}

/* Finds or makes the layout of a type, which stands in the place that is the type's own or in one of those behind it. */
static pytree__layout *pytree__layout_find(pytree__layout_cache *p, const pytree_type *type)
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
        layout->type = type;
        layout->nodes = p->n_nodes;
        layout->spans = p->n_spans;
        layout->nullables = p->n_nullables;
        layout->n_leaves = layout->n_statics = layout->n_pointed = 0;
        layout->null_mask = 0;
        layout->trivial_statics = true;
        if (pytree__layout_add_rows(p, layout, type, 0)) {
            layout->n_nodes = p->n_nodes - layout->nodes;
            layout->n_spans = p->n_spans - layout->spans;
            layout->n_nullables = p->n_nullables - layout->nullables;
            return layout;
        }
        if (p->full && !empty) { pytree__layout_clear(p); }    /* perhaps there is room when the others are gone */
    } while (p->full && !empty);
    p->n_nodes = layout->nodes;
    p->n_spans = layout->spans;
    p->n_nullables = layout->nullables;
    layout->n_nodes = 0;
    return layout;
}

/* Returns the layout of a type, valid until the next one is asked for. */
PYTREE__INLINE pytree__layout *pytree__layout_of(pytree__layout_cache *p, const pytree_type *type)
{
    static const pytree__layout none = { NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, 0 };
    if (!PYTREE__LAYOUTS) { return (pytree__layout *)(uintptr_t)&none; }
    if (PYTREE__UNLIKELY(p->last->type != type)) {
        pytree__layout *const first = &p->layouts[pytree__type_slot(type) & (p->max_layouts - 1)];
        p->last = PYTREE__LIKELY(first->type == type) ? first : pytree__layout_find(p, type);
    }
    return p->last;
}

/* Finds which of a struct's nullables are NULL. Returns false if one leads to a struct, so that this one is no run. */
PYTREE__INLINE bool pytree__layout_view(const pytree__layout_cache *p, const pytree__layout *layout, const void *self,
                                        uint64_t *null_mask)
{
    const pytree__nullable *nullable = &p->nullables[layout->nullables], *const end = nullable + layout->n_nullables;
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

/* Makes the nodes those of a struct in which these nullables are None: changes those that were not, or were, and counts their
 * leaves in the structs around them. */
static PYTREE__APART void pytree__layout_specialize(pytree__layout_cache *p, pytree__layout *layout, uint64_t null_mask)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 }, none = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    const pytree__nullable *nullable = &p->nullables[layout->nullables];
    pytree_node *const nodes = &p->nodes[layout->nodes];
    uint64_t changed = layout->null_mask ^ null_mask;
    layout->null_mask = null_mask;
    for (; changed != 0; nullable++, changed >>= 1, null_mask >>= 1) {
        const bool is_none = (null_mask & 1) != 0;
        uint32_t i = nullable->node;
        if ((changed & 1) == 0) { continue; }
        nodes[i] = is_none ? none : leaf;
        layout->n_leaves += is_none ? UINT32_MAX : 1;
        for (i++; i < layout->n_nodes; i++) {
            if (nodes[i].nodes > i - nullable->node) { nodes[i].leaves += is_none ? UINT32_MAX : 1; }
        }
    }
}

/* Returns the layout as it is for this struct; NULL if it is no run. */
PYTREE__INLINE pytree__layout *pytree__layout_for(pytree__layout_cache *p, const pytree_type *type, const void *self,
                                                  bool none_is_leaf)
{
    pytree__layout *const layout = pytree__layout_of(p, type);
    uint64_t null_mask;
    if (PYTREE__UNLIKELY(layout->n_nodes == 0) || !pytree__layout_view(p, layout, self, &null_mask)) { return NULL; }
    if (null_mask != layout->null_mask && !none_is_leaf) { pytree__layout_specialize(p, layout, null_mask); }
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
PYTREE__INLINE bool pytree__layout_few_equal(const pytree__layout_cache *p, const pytree__layout *layout,
                                             const char *const self[4], const bool pair)
{
    const pytree__nullable *nullable = &p->nullables[layout->nullables], *const nullables_end = nullable + layout->n_nullables;
    const pytree__static_span *span = &p->spans[layout->spans], *const spans_end = span + layout->n_spans;
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
PYTREE__INLINE bool pytree__layout_instances_equal(const pytree__layout_cache *p, const pytree__layout *layout, size_t n,
                                                   const pytree_leaf **structs)
{
    const char *self[4];
    size_t k;
    self[0] = (const char *)structs[0]->data;
    self[1] = (const char *)structs[1]->data;
    if (n == 2) { return pytree__layout_few_equal(p, layout, self, true); }
    for (k = 1; k < n; k += 3) {          /* three others at a time, the last one more than once */
        self[1] = (const char *)structs[k]->data;
        self[2] = (const char *)structs[k + 1 < n ? k + 1 : n - 1]->data;
        self[3] = (const char *)structs[k + 2 < n ? k + 2 : n - 1]->data;
        if (!pytree__layout_few_equal(p, layout, self, false)) { return false; }
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
PYTREE__INLINE bool pytree__layout_same_nulls(pytree__layout_cache *p, pytree__layout *layout, const char *self,
                                              const pytree_def *def, const pytree_node *theirs)
{
    const pytree__nullable *nullable = &p->nullables[layout->nullables], *const end = nullable + layout->n_nullables;
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
    if (!def->by_rows && null_mask != layout->null_mask) { pytree__layout_specialize(p, layout, null_mask); }
    return true;
}

/* Tells whether the treedef's nodes from `theirs` on are those of the layout's struct *self, and have its static values. Where
 * all nodes are as rows say, the topmost one tells that the others are. */
PYTREE__INLINE bool pytree__layout_matches_instance(pytree__layout_cache *p, pytree__layout *layout, const char *self,
                                                    const pytree_def *def, const pytree_node *theirs)
{
    const pytree__static_span *span = &p->spans[layout->spans], *const end = span + layout->n_spans;
    const bool by_rows = def->by_rows;
    const pytree_node *const mine = by_rows ? NULL : &p->nodes[layout->nodes], *const top = &theirs[layout->n_nodes - 1];
    const unsigned char *at = def->statics + theirs[span->node].meta;
    uint64_t differ = 0;
    if (PYTREE__UNLIKELY(top->type != layout->type || top->nodes != layout->n_nodes)
        || !pytree__layout_same_nulls(p, layout, self, def, theirs)) {
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
    const pytree__nullable *const nullable = &p->nullables[layout->nullables];
    const pytree_node *theirs;
    uint64_t null_mask = 0;
    uint32_t i;
    theirs = n + 1 - layout->n_nodes;
    for (i = 0; i < layout->n_nullables; i++) {
        const bool none = theirs[nullable[i].node].type == &pytree_types[PYTREE__T_none];
        null_mask |= (uint64_t)none << i;
        if (PYTREE__UNLIKELY(nullable[i].is_struct && !none)) { return NULL; }
    }
    if (PYTREE__UNLIKELY(null_mask != layout->null_mask)) { pytree__layout_specialize(p, layout, null_mask); }
    return layout;
}

/* Writes a struct's nodes and static values behind those that are there. */
PYTREE__INLINE void pytree__layout_emit(const pytree__layout_cache *p, const pytree__layout *layout, const char *self,
                                        pytree_node *nodes, pytree__statics *to)
{
    const pytree__static_span *span = &p->spans[layout->spans], *const end = span + layout->n_spans;
    unsigned char *const at = to->at;     /* bytes that are written might be these, for all that a compiler knows */
    size_t length = to->length;
    memcpy(nodes, &p->nodes[layout->nodes], layout->n_nodes * sizeof *nodes);
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
PYTREE__INLINE size_t pytree__layout_bytes(const pytree__layout_cache *p, const pytree__layout *layout, const char *self)
{
    pytree__statics to = { NULL, 0, 0 };
    uint32_t i;
    if (PYTREE__LIKELY(layout->trivial_statics)) { return layout->n_statics; }
    for (i = layout->spans; i < layout->spans + layout->n_spans; i++) {
        if (p->spans[i].row != NULL) { pytree__pack(&to, p->spans[i].row, self + p->spans[i].at); }
    }
    return layout->n_statics + to.length;
}
#endif
