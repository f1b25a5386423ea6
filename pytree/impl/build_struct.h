/* pytree/impl/build_struct.h: building structs from a treedef and its leaves. */
#ifndef PYTREE_IMPL_BUILD_STRUCT_H
#define PYTREE_IMPL_BUILD_STRUCT_H

#include "internal.h"

static const struct pytree__leaf_slot *pytree__leaf_slots_make(struct pytree__leaf_slots *s, const pytree__layout *layout)
{
    struct pytree__leaf_slot *const first = &s->slots[s->n_slots];
    struct pytree__leaf_slot *const end = pytree__leaf_slots_for(layout, layout->null_mask, first,
                                                                 s->slots + PYTREE__LEAF_SLOTS);
    if (end == NULL) { return NULL; }
    s->n_slots = (uint32_t)(end - s->slots);
    return first;
}

/* Find the slots of a layout's leaves, as its null mask is now. Returns NULL if there are more than fit. */
PYTREE__INLINE const struct pytree__leaf_slot *pytree__leaf_slots_of(struct pytree__builder *b, const pytree__layout *layout)
{
    struct pytree__leaf_slots *const s = &b->slots;
    struct pytree__slots_of *of;
    if (layout->slots != NULL && layout->null_mask == 0) { return layout->slots; }
    of = &s->of[layout - b->cache.layouts];
    if (PYTREE__LIKELY(of->type == layout->type && of->null_mask == layout->null_mask)) { return of->first; }
    of->first = pytree__leaf_slots_make(s, layout);
    if (of->first == NULL) {              /* perhaps there is room when the others are gone */
        pytree__clear(s, offsetof(struct pytree__leaf_slots, slots));
        of->first = pytree__leaf_slots_make(s, layout);
    }
    of->null_mask = layout->null_mask;
    of->type = of->first == NULL ? NULL : layout->type;
    return of->first;
}

/* Tell whether node n, a struct of that type, is counted as one that is inlined: it has a layout, of as many nodes. Returns the
 * layout, or NULL. */
PYTREE__INLINE pytree__layout *pytree__counted_layout(struct pytree__builder *b, const pytree_type *type, const pytree_node *n)
{
    pytree__layout *layout;
    if (!PYTREE__LAYOUTS || !pytree__contained(type) || pytree__shares(b)) { return NULL; }
    layout = pytree__layout_of(&b->cache, type);
    return layout->n_nodes == n->nodes && layout->trivial_statics ? layout : NULL;
}

/* Check the nodes of an inlined struct against its layout. */
static PYTREE__APART_CLANG bool pytree__build_same_nodes(const pytree__layout *layout, const pytree_node *theirs)
{
    const pytree__static_span *span = layout->spans, *const end = span + layout->n_spans;
    const pytree_node *const mine = layout->nodes;
    uint32_t meta = theirs[span->node].meta;
    for (; span != end; meta += span->bytes, span++) {
        const uint32_t node = span->node;
        if (node == UINT32_MAX) { continue; }
        if (!pytree__same_counts(&mine[node], &theirs[node]) || theirs[node].meta != meta) { return false; }
    }
    return true;
}

/* Find the layout that struct node n agrees with: where all nodes are as rows say, their number tells. Returns NULL if it
 * cannot be inlined. */
PYTREE__INLINE const pytree__layout *pytree__build_layout(struct pytree__builder *b, const pytree_type *type,
                                                          const pytree_node *n)
{
    const pytree__layout *layout = pytree__counted_layout(b, type, n);
    if (layout == NULL) { return NULL; }
    layout = pytree__layout_of_node(&b->cache, n);
    return layout == NULL || b->def->by_rows || pytree__build_same_nodes(layout, n + 1 - n->nodes) ? layout : NULL;
}

/* Begin an inlined struct: zeros, and its static values, which are bytes, with those of the structs in it. `alike`: the struct
 * behind it was built by the same layout; where that one has the same static values, the rest of it is overwritten. Return
 * whether it has. */
PYTREE__INLINE bool pytree__unpack_inlined(const struct pytree__builder *b, const pytree__layout *layout, char *self,
                                           const pytree_node *n, bool alike)
{
    const pytree__static_span *span = layout->spans, *const end = span + layout->n_spans;
    const unsigned char *at = b->def->statics + (n + 1 - layout->n_nodes)[span->node].meta;
    const size_t bytes = layout->n_statics, size = layout->type->size;
    if (alike && pytree__differ(at, at + bytes, bytes) == 0) {
        memcpy(self, self + size, size);
        return true;
    }
    memset(self, 0, size);
    for (; span != end; at += span->bytes, span++) { pytree__copy_few(self + span->at, at, span->bytes); }
    return false;
}

/* Does a struct have DROP rows, or one that lies in it? They are zero in a copy. */
static bool pytree__has_drops(const pytree_type *type)
{
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        if (row->row == PYTREE_ROW_DROP) { return true; }
        if (row->row == PYTREE_ROW_DATA && row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE
            && pytree__has_drops(row->type)) {
            return true;
        }
    }
    return false;
}

/* Are structs of a type checked against the leaves they get? In a copy, which gets its own, those whose extents may have been
 * computed from what a copy does not have. */
static bool pytree__is_verified(struct pytree__builder *b, const pytree_type *type)
{
    if (b->verified || b->mode != PYTREE__COPY) { return b->verified; }
    if (b->dropping != type) {
        b->dropping = type;
        b->drops = pytree__has_drops(type);
    }
    return b->drops;
}

/* Compare the extents that a finished struct's rows ask for with those of the n leaves that are in it. */
PYTREE__INLINE bool pytree__inlined_extents_match(struct pytree__builder *b, const pytree_type *type, const char *self,
                                                  size_t n, const pytree_leaf *leaf)
{
    const pytree_leaf *view = b->views;
    const pytree__flatten_result seen = pytree__leaf_views(type, self, b->views, b->views + b->max_views, false);
    size_t differ = 0;
    if (PYTREE__UNLIKELY((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0 || seen.end != view + n)) {
        return false;
    }
    for (; view != seen.end; view++, leaf++) { differ |= pytree__other_extents(view, leaf); }
    return differ == 0;
}

/* Check a leaf that is not of the slot's very type: of an equal one, with data. */
static PYTREE__APART_CLANG bool pytree__slot_fits(const struct pytree__leaf_slot *slot, const pytree_leaf *leaf)
{
    uint64_t dims;
    memcpy(&dims, &leaf->ndim, sizeof dims);
    return leaf->data != NULL && leaf->type != NULL && dims == slot->dims && pytree_type_equal(leaf->type, slot->type);
}

/* Store leaves in an inlined struct, zeroed but for its static values, which then refers to them. Its rows are evaluated only
 * when all its pointers are set, since they may read through them. `alike`: it has the static values of the struct behind it,
 * which was built by the same layout; where it has the same numbers, too, its rows ask for the same extents, for rows of what
 * is self-contained read nothing else. Returns false if a leaf does not fit. */
PYTREE__INLINE bool pytree__refer_inlined(struct pytree__builder *b, const pytree__layout *layout, char *self,
                                          const pytree_leaf *leaf, bool alike)
{
    const struct pytree__leaf_slot *slot = pytree__leaf_slots_of(b, layout), *end;
    const pytree_leaf *from = leaf, *next = leaf + layout->n_leaves;
    uint64_t differ = !alike;
    if (PYTREE__UNLIKELY(slot == NULL)) { return false; }
    for (end = slot + layout->n_leaves; slot != end; slot++, from++, next++) {
        if (PYTREE__UNLIKELY(from->data == NULL || memcmp(&from->type, slot, PYTREE__KIND_BYTES) != 0)
            && !pytree__slot_fits(slot, from)) {
            return false;
        }
        if (alike) { differ |= pytree__other_extents(from, next); }
        if (PYTREE__LIKELY(slot->bytes == 0)) {
            memcpy(self + slot->at, &from->data, sizeof from->data);
        } else {
            if (from->ndim != 0 && pytree_leaf_bytes(from) != slot->bytes) { return false; }
            pytree__copy_few(self + slot->at, from->data, slot->bytes);
            if (alike) { differ |= pytree__differ(self + slot->at, self + layout->type->size + slot->at, slot->bytes); }
        }
    }
    return differ == 0 || pytree__inlined_extents_match(b, layout->type, self, layout->n_leaves, leaf);
}

/* The same where the new tree owns its leaves. */
static PYTREE__APART_CLANG bool pytree__own_inlined(struct pytree__builder *b, const pytree__layout *layout, char *self,
                                                    const pytree_leaf *leaf)
{
    const struct pytree__leaf_slot *const first = pytree__leaf_slots_of(b, layout), *slot, *end;
    const size_t head = b->head, tail = b->tail;
    if (PYTREE__UNLIKELY(first == NULL)) { return false; }
    end = first + layout->n_leaves;
    for (slot = first; slot != end && b->def->of_flat; slot++) {
        const pytree_leaf *const given = leaf + (slot - first);
        if (!pytree__slot_fits(slot, given) || (slot->bytes != 0 && pytree_leaf_bytes(given) != slot->bytes)) { return false; }
    }
    for (slot = first; slot != end && b->special; slot++) {
        void *p;
        memcpy(&p, self + slot->at, sizeof p);
        if (slot->bytes != 0) { continue; }
        if (b->mode != PYTREE__ALLOCATE ? slot->type->dtype >= PYTREE_STRING : p != NULL && p != PYTREE_WANTED) {
            return false;
        }
    }
    for (slot = end; slot != first; ) {
        const pytree_leaf *const last = leaf + (--slot - first);
        const size_t bytes = slot->bytes != 0 ? slot->bytes : pytree_leaf_bytes(last);
        if (slot->bytes == 0) {
            char *const to = pytree__stays_null(b, last->data, bytes, false) ? NULL : pytree__bump_tail(b, bytes);
            pytree__build_bytes(b, to, last, bytes, false);
            memcpy(self + slot->at, &to, sizeof to);
        } else {
            pytree__build_bytes(b, self + slot->at, last, bytes, true);
        }
    }
    if (!pytree__is_verified(b, layout->type) || pytree__inlined_extents_match(b, layout->type, self, layout->n_leaves, leaf)) {
        return true;
    }
    b->head = head;
    b->tail = tail;
    return false;
}

/* Count the handles of a struct. */
static size_t pytree__count_handles(const pytree_type *type)
{
    size_t n = 0;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) { n += type->fields[i].functions != NULL && type->fields[i].functions->clone != NULL; }
    return n;
}

/* Note a struct whose handles, if it has some, are to be cloned. */
static void pytree__build_note_handles(struct pytree__builder *b, const pytree_type *type, char *self, size_t node)
{
    const size_t n = pytree__count_handles(type);
    struct pytree__handles *handles;
    if (n == 0) { return; }
    handles = (struct pytree__handles *)(void *)pytree__bump_head(b, sizeof *handles + n * sizeof(struct pytree__stb_cleanup));
    handles->self = self;
    handles->type = type;
    handles->node = node;
    handles->next = b->handles;
    b->handles = handles;
}

/* Push a frame for a struct's children. */
PYTREE__INLINE void pytree__build_open(struct pytree__builder *b, const pytree_type *type, char *self, size_t node)
{
    struct pytree__build_frame *frame;
    if (PYTREE__MORE_ROWS && PYTREE__UNLIKELY(b->has_handles)) { pytree__build_note_handles(b, type, self, node); }
    frame = pytree__build_push(b, type, self, 0, type->n_children);
    if (frame != NULL) {
        frame->rows = type->n_fields;
        frame->is_struct = true;
        frame->node = node;
        frame->leaf = b->leaf;
    }
}

/* Compare a child of a finished struct, node n of the treedef, with the view that the struct's row gives of it. */
static PYTREE__APART_CLANG pytree_status pytree__build_compare(const pytree_field *row, pytree_leaf *view, const pytree_node *n,
                                                               const pytree_leaf *leaf)
{
    if (n->type == NULL && row->form != PYTREE_FORM_VIEW && row->form != PYTREE_FORM_REF) {
        const unsigned form = view->form;
        pytree_status status;
        if (leaf->form == PYTREE_FORM_NONE && row->optional) { return PYTREE_OK; }
        if (leaf->form == form && form != PYTREE_FORM_LEAF && view->data != pytree__zeros()
            && pytree__same_held(form, leaf->type, view->type)) {
            return form == PYTREE_FORM_STRUCT || view->shape[0] == leaf->shape[0] ? PYTREE_OK : PYTREE_SHAPE;
        }
        view->form = PYTREE_FORM_LEAF;
        if (PYTREE__DEVICES && leaf->form == PYTREE_FORM_DEVICE && row->place == PYTREE_POINTER) { view->form = leaf->form; }
        status = row->form == PYTREE_FORM_LEAF ? pytree__fits(view, leaf) : PYTREE_STRUCTURE;
        if (row->form != PYTREE_FORM_LEAF) { view->form = form; }
        return status == PYTREE_OK && leaf->data == NULL && pytree_leaf_count(leaf) != 0 ? PYTREE_NULL_POINTER : status;
    }
    /* a tuple is as long as its member, or was refused */
    return row->form == PYTREE_FORM_LIST && row->place != PYTREE_STB && n->type->kind != PYTREE_KIND_NONE
            && view->shape[0] != n->arity ? PYTREE_STRUCTURE : PYTREE_OK;
}

/* The first child of a finished struct that is not what its row asks for. */
struct pytree__build_difference {
    pytree_status status;
    size_t node;
    pytree_leaf view;
    const pytree_leaf *given;
    bool lost;                            /* its row gives no type any more */
};

/* Compare node `node`, whose leaves end before leaf `leaf`, with the view that its row (NULL: no CASE has the tag) gives of it;
 * and, where that is a list of pointers or arrays, its elements. EACH is not nested, so that this calls itself once. */
static void pytree__build_differ(struct pytree__builder *b, const pytree_field *row, pytree_leaf *view, size_t node,
                                 size_t leaf, struct pytree__build_difference *to)
{
    const struct pytree__build_link *const same =
        pytree__shares(b) && b->def->nodes[node].type == &pytree_same ? pytree__linked(b, node) : NULL;
    const pytree_node *const n = &b->def->nodes[same == NULL ? node : same->node];
    const pytree_leaf *const given = &b->leaves[(same == NULL ? leaf : same->of) - n->leaves];
    const pytree_status status = row == NULL ? PYTREE_STRUCTURE : pytree__build_compare(row, view, n, given);
    size_t i = n->arity;
    pytree_leaf element;
    if (status != PYTREE_OK) {
        to->status = status;
        to->node = node;
        to->view = *view;
        to->given = given;
        if (PYTREE__MORE_ROWS) { to->lost = row == NULL; }
        return;
    }
    if (!PYTREE__MORE_ROWS || row->type->kind != PYTREE_KIND_ROW || n->type == NULL || view->data == NULL || same != NULL) {
        return;
    }
    for (node--; i-- != 0; ) {
        pytree__row_view(&element, row->type->fields, (const char *)view->data + i * row->type->size, view->shape + 1);
        pytree__build_differ(b, row->type->fields, &element, node, leaf, to);
        leaf -= b->def->nodes[node].leaves;
        node -= b->def->nodes[node].nodes;
    }
}

/* Check a struct when all its children are there: only then may its rows be evaluated, since they may read through pointers.
 * The extents that they ask for must be those of the leaves and lists that it got. The first child that differs is reported:
 * extents of later ones may depend on it. */
static PYTREE__NOINLINE void pytree__build_verify(struct pytree__builder *b, const struct pytree__build_frame *frame)
{
    const pytree_type *const type = frame->type;
    pytree_leaf *const views = pytree__build_views(b, type->n_children);
    const pytree_field *row = type->fields + type->n_fields;
    pytree_field own;
    size_t node = frame->node, leaf = frame->leaf, i;
    struct pytree__build_difference first;
    if (views == NULL) { return; }
    first.status = PYTREE_OK;
    if (PYTREE__MORE_ROWS && pytree__may_lack(type) && pytree__lacks(type, frame->at, false, NULL) == PYTREE__LACKS_READ) {
        pytree__build_fail_node(b, frame->node, "a struct whose rows read through no DROP member, which is NULL here");
        return;
    }
    pytree__child_views(type, frame->at, views);
    for (i = type->n_children; i-- != 0; ) {
        const pytree_node *const n = &b->def->nodes[--node];
        do { row--; } while (row->row != PYTREE_ROW_DATA);
        pytree__build_differ(b, pytree__given_row(row, frame->at, &own), &views[i], node, leaf, &first);
        if (PYTREE__MORE_ROWS && row->functions != NULL && row->functions->with != NULL
            && pytree__other_given(row, frame->at, &views[i], false) != NULL) {
            pytree__build_fail_node(b, node, "structs with the static values that WITH gives them");
            return;
        }
        leaf -= n->leaves;
        node -= n->nodes - 1;
    }
    if (first.status == PYTREE_OK) { return; }
    if (PYTREE__MORE_ROWS && first.lost) {
        pytree__build_fail_node(b, first.node, "a type that its row gives");
    } else if (b->def->nodes[first.node].type == NULL) {
        pytree__build_fail_leaf(b, first.status, first.node, &first.view, first.given);
    } else {
        char expected[60] = "";
        if (PYTREE__MESSAGES) {
            snprintf(expected, sizeof expected, "a list of %zu%s", first.view.shape[0],
                     first.view.shape[0] == 0 ? " (is its count STATIC?)" : "");
        }
        pytree__build_fail_node(b, first.node, expected);
    }
}
#endif
