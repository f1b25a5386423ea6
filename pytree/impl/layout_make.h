/* pytree/impl/layout_make.h: make the layout of a struct type from its rows: nodes, where static bytes lie, which pointers may
 * be NULL, where leaves are, and whether their views follow from static values. */
#ifndef PYTREE_IMPL_LAYOUT_MAKE_H
#define PYTREE_IMPL_LAYOUT_MAKE_H

#include "internal.h"

/* ---- Nodes, static bytes and pointers -------------------------------------------------------------------------------- */

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

/* Adds a struct at `offset`, whose type has a layout already, which is kept or of the same cache, as nodes from `node` on.
 * Returns false if it has none, or there is no room. */
static bool pytree__layout_add_known(pytree__layout_cache *p, pytree__layout *layout, const pytree_type *type,
                                     size_t offset, uint32_t node)
{
    const pytree__layout *const kept = pytree__layout_was_kept(type);
    const pytree__layout *const known = kept != NULL ? kept : &p->layouts[pytree__type_slot(type) & (p->max_layouts - 1)];
    pytree__static_span *span = &p->spans[p->n_spans];
    pytree__nullable *nullable = &p->nullables[p->n_nullables];
    uint32_t i;
    if (known->type != type || known->n_nodes == 0 || known->null_mask != 0
        || known->n_nodes > p->max_nodes - node || known->n_spans > p->max_spans - p->n_spans
        || known->n_nullables > p->max_nullables - p->n_nullables) {
        return false;
    }
    if (p->nodes != NULL) { memcpy(&p->nodes[node], known->nodes, known->n_nodes * sizeof *p->nodes); }
    node -= p->first_node;
    for (i = 0; i < known->n_spans; i++, span++) {
        *span = known->spans[i];
        span->at += (uint32_t)offset;
        if (span->node != UINT32_MAX) { span->node += node; }
    }
    for (i = 0; i < known->n_nullables; i++, nullable++) {
        *nullable = known->nullables[i];
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
    if (!pytree__has_rows(type) || !pytree__contained(type) || type->size > UINT32_MAX) { return false; }
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
        if (n == p->max_nodes) { return pytree__layout_full(p); }
        if (row->optional != 0) {
            if (!pytree__layout_add_nullable(p, layout, row, offset, n - p->first_node)) { return false; }
        }
        if (p->nodes != NULL) { p->nodes[n] = leaf; }
        n++;
        n_leaves++;
    }
    if (n == p->max_nodes) { return pytree__layout_full(p); }
    if (!pytree__layout_add_statics(p, layout, type, offset, n - p->first_node)) { return false; }
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

/* Makes the layout of a type, in a struct that is not one yet. Returns false if such structs are no runs, or (p->full) there is
 * no room. */
static bool pytree__layout_make(pytree__layout_cache *p, pytree__layout *layout, const pytree_type *type)
{
    const uint32_t nodes = p->n_nodes, spans = p->n_spans, nullables = p->n_nullables;
    memset(layout, 0, sizeof *layout);
    layout->type = type;
    layout->nodes = p->nodes == NULL ? NULL : p->nodes + nodes;
    layout->spans = p->spans + spans;
    layout->nullables = p->nullables + nullables;
    layout->trivial_statics = true;
    p->first_node = nodes;
    p->full = false;
    if (pytree__layout_add_rows(p, layout, type, 0)) {
        layout->n_nodes = (uint16_t)(p->n_nodes - nodes);
        layout->n_spans = (uint16_t)(p->n_spans - spans);
        layout->n_nullables = (uint16_t)(p->n_nullables - nullables);
        return true;
    }
    p->n_nodes = nodes;
    p->n_spans = spans;
    p->n_nullables = nullables;
    return false;
}

/* ---- Where leaves are ------------------------------------------------------------------------------------------------ */

/* Write how many dimensions a leaf has, and that it is a leaf, as the word that pytree_leaf has them in. */
PYTREE__INLINE uint64_t pytree__dims_word(int ndim)
{
    const struct { int ndim; unsigned form; } dims = { ndim, PYTREE_FORM_LEAF };
    uint64_t word;
    memcpy(&word, &dims, sizeof word);
    return word;
}

/* Write a slot for each leaf of a struct at `offset` of the one that is inlined. `null_mask` has a bit for each nullable
 * pointer that still comes. Returns what follows the last slot; NULL if there is no room. */
static struct pytree__leaf_slot *pytree__leaf_slots_add(struct pytree__leaf_slot *slot, const struct pytree__leaf_slot *end,
                                                        const pytree_type *type, size_t offset, uint64_t *null_mask)
{
    const pytree_field *row = type->fields;
    unsigned left = type->n_children;
    for (; left != 0 && slot != NULL; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        left--;
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
            slot = pytree__leaf_slots_add(slot, end, row->type, offset + row->offset, null_mask);
            continue;
        }
        if (row->optional != 0) {
            const bool none = (*null_mask & 1) != 0;
            *null_mask >>= 1;
            if (none) { continue; }
        }
        if (slot == end) { return NULL; }
        slot->type = row->type;
        slot->dims = pytree__dims_word(row->ndim);
        slot->at = (uint32_t)(offset + row->offset);
        slot->bytes = row->place == PYTREE_POINTER ? 0 : (uint32_t)row->size;
        slot++;
    }
    return slot;
}

/* Write a slot for each leaf of structs in which these nullable pointers are NULL: of all leaves that the layout has, if it is
 * kept, those that are not None. Returns what follows the last slot; NULL if there is no room. */
static struct pytree__leaf_slot *pytree__leaf_slots_for(const pytree__layout *layout, uint64_t null_mask,
                                                        struct pytree__leaf_slot *slot, const struct pytree__leaf_slot *end)
{
    const struct pytree__leaf_slot *from = layout->slots;
    const pytree__nullable *nullable = layout->nullables, *const nullables_end = nullable + layout->n_nullables;
    uint32_t left = layout->n_slots;
    if (from == NULL) { return pytree__leaf_slots_add(slot, end, layout->type, 0, &null_mask); }
    for (; left != 0; left--, from++) {
        if (nullable != nullables_end && nullable->at == from->at) {
            const bool none = (null_mask & 1) != 0;
            null_mask >>= 1;
            nullable++;
            if (none) { continue; }
        }
        if (slot == end) { return NULL; }
        *slot++ = *from;
    }
    return slot;
}

/* ---- What extents are computed from ----------------------------------------------------------------------------------- */

/* Tell whether a text begins with "self->n", where n is a static integer of the struct, whose static values are all bytes.
 * Return what follows, or NULL. */
static const char *pytree__behind_static(const pytree_type *type, const char *text)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    if (strncmp(text, "self->", 6) != 0) { return NULL; }
    for (text += 6; row != end; row++) {
        const char *name = row->name, *at = text;
        if (row->row != PYTREE_ROW_STATIC || row->ndim != 0) { continue; }
        while (*name != '\0' && *name == *at) { name++; at++; }
        if (*name == '\0' && (*at == ',' || *at == ')' || *at == ' ')) {
            return row->type->dtype <= PYTREE_U64 ? at : NULL; /* the text may read through an address */
        }
    }
    return NULL;
}

/* Tell whether the extents of an array are computed from numbers and static integers of the struct alone, by the text of its
 * row. A function or a macro may read anything. */
static PYTREE__APART_CLANG bool pytree__extents_are_static(const pytree_type *type, const char *text)
{
    int depth = 1;
    if (strncmp(text, ", ARRAY(", 8) != 0) { return false; }
    for (text += 8; depth != 0 && text != NULL; ) {
        switch (*text) {
        case 's': text = pytree__behind_static(type, text); continue;
        case '(': depth++; break;
        case ')': depth--; break;
        case ' ': case ',': case '+': case '-': case '*': case '/': case '%': break;
        default: if (*text < '0' || *text > '9') { return false; }
        }
        text++;
    }
    return text != NULL;
}

/* Tell whether the views of a struct's leaves follow from its static values, from where it is and from its pointers. Strings
 * are looked at themselves. The struct is self-contained: its rows have no functions, lie in it or behind one pointer, and are
 * leaves but for structs. It calls itself for structs that lie in structs: no deeper than C's declarations. */
static bool pytree__views_are_static(const pytree_type *type, struct pytree__static_types *known)
{
    const char *text = "";
    unsigned i;
    for (i = 0; i < known->n; i++) {
        if (known->of[i] == type) { return true; }
    }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->place == PYTREE_IN_PLACE && row->form == PYTREE_FORM_STRUCT) {
            if (!pytree__views_are_static(row->type, known)) { return false; }
            continue;
        }
        if (row->place == PYTREE_POINTER && row->ndim == 0) {
            if (row->optional == 0) { return false; }          /* of which a pattern has only those that are NULL */
        } else if (row->type->dtype == PYTREE_STRING || row->type->dtype == PYTREE_TEXT) {
            return false;
        } else if (row->place == PYTREE_POINTER) {
            const size_t name = strlen(row->name);
            const char *const mine = row->name + name + 1 + name;                  /* behind "w\0w" */
            if (strcmp(mine, text) != 0 && !pytree__extents_are_static(type, mine)) { return false; }
            text = mine;                  /* arrays of a struct are often as long as the one before them */
        }
    }
    if (known->n < sizeof known->of / sizeof known->of[0]) { known->of[known->n++] = type; }
    return true;
}
#endif
