/* pytree/impl/build.h: building trees from the last node of a treedef to the first. */
#ifndef PYTREE_IMPL_BUILD_H
#define PYTREE_IMPL_BUILD_H

#include "internal.h"

/* Place a custom node: its children come first, in a row. In pytree_allocate it is the caller's, with all that it holds. */
static PYTREE__APART void pytree__build_custom(struct pytree__builder *b, size_t node, const pytree_type *type, char *self)
{
    const pytree_node *n = &b->def->nodes[node];
    struct pytree__custom_cleanup *cleanup;
    pytree *children;
    if (b->mode == PYTREE__ALLOCATE) { pytree__build_skip(b, node); return; }
    if (pytree__build_refuse(b, node)) { return; }
    if (PYTREE__DEVICES && b->mode != PYTREE__REFER && b->device_bytes != 0) {
        pytree__build_fail_node(b, node, "no custom node, which may read its children, in a tree on a device");
        return;
    }
    if (type->custom->rebuild == NULL && type->custom->make == NULL) {
        pytree__build_fail_node(b, node, "a type that can be rebuilt (its pytree_custom has no rebuild)");
        return;
    }
    if (type->custom->make != NULL && !b->keys_copied) { pytree__copy_keys(b); }
    children = (pytree *)(void *)pytree__bump_head(b, n->arity * sizeof *children);
    cleanup = (struct pytree__custom_cleanup *)(void *)pytree__bump_head(b, sizeof *cleanup);
    memset(self, 0, type->size);
    cleanup->self = self;
    cleanup->type = type;
    cleanup->children = children;
    cleanup->node = node;
    cleanup->before = b->custom_cleanups;
    cleanup->cell = 0;
    b->custom_cleanups = cleanup;
    pytree__build_push(b, NULL, (char *)pytree__build_chain(children, n->arity, NULL), 0, n->arity);
}

/* Call `make` of a custom node. Its keys are unpacked into `keys`. */
static PYTREE__APART_CLANG pytree_status pytree__make_custom(struct pytree__builder *b, struct pytree__custom_cleanup *at,
                                                             struct pytree__vector *keys, pytree_error *err)
{
    const pytree_node *n = &b->def->nodes[at->node];
    const unsigned char *metadata = b->statics + n->meta, *key;
    pytree_making from;
    pytree_entry *entry = NULL;
    size_t i;
    from.type = at->type;
    from.n = n->arity;
    from.children = at->children;
    from.metadata = metadata + sizeof(uint32_t);
    from.bytes = pytree__u32(metadata);
    from.opt = b->opt;
    from.cell = &at->cell;
    if (at->type->custom->keyed) {
        keys->count = 0;
        entry = (pytree_entry *)pytree__vector_add(keys, from.n, err);
        if (entry == NULL) { return PYTREE_NO_MEMORY; }
        key = pytree__first_key(b->def, at->node);
        for (i = 0; i < from.n; i++) {
            key = pytree__next_key(n, key, i, &entry[i]);
            if (entry[i].name != NULL) {  /* in the copy, which stays */
                entry[i].name = (const char *)b->statics + ((const unsigned char *)entry[i].name - b->def->statics);
            }
        }
    }
    from.keys = entry;
    return at->type->custom->make(at->self, &from, err);
}

/* Call `rebuild` or `make` of every custom node, those inside others first. After a failure those that were made are
 * released. */
static PYTREE__NOINLINE void pytree__rebuild_customs(struct pytree__builder *b)
{
    struct pytree__custom_cleanup *at, *done;
    struct pytree__vector keys = pytree__vector_of(sizeof(pytree_entry), pytree__allocator(b->opt));
    for (at = b->custom_cleanups; at != NULL && b->status == PYTREE_OK; at = at->before) {
        const pytree_node *n = &b->def->nodes[at->node];
        const unsigned char *metadata = b->def->statics + n->meta;
        pytree_error problem;
        problem.status = PYTREE_OK;
        problem.path[0] = '\0';
        b->status = at->type->custom->make != NULL ? pytree__make_custom(b, at, &keys, &problem)
            : at->type->custom->rebuild(at->self, n->arity, at->children, metadata + sizeof(uint32_t), pytree__u32(metadata));
        if (b->status != PYTREE_OK) {
            char path[PYTREE__PATH];
            pytree__node_path(b->def, at->node, path, sizeof path);
            if (problem.status != PYTREE_OK) {
                pytree_fail(b->err, b->status, path, "%s", problem.message);
            } else {
                pytree_fail(b->err, b->status, path, "expected the rebuild of %s to succeed, got %s", at->type->name,
                            pytree_status_name(b->status));
            }
            for (done = b->custom_cleanups; done != at; done = done->before) {
                if (done->type->custom->release != NULL) { done->type->custom->release(done->self); }
            }
        }
    }
    pytree__vector_free(&keys);
}

/* Build a struct that is inlined: its leaves and static values, and those of the structs in it, in one go. With `has_values` it
 * keeps what it has. `before`: the layout of the struct behind it in a list, which was built in this way, or NULL. Returns the
 * layout; NULL if it must be built node by node. */
PYTREE__INLINE const pytree__layout *pytree__build_inlined(struct pytree__builder *b, size_t node, const pytree_type *type,
                                                           char *self, bool has_values, const pytree__layout *before)
{
    const pytree_node *const n = &b->def->nodes[node];
    const pytree_leaf *const leaf = &b->leaves[b->leaf - n->leaves];
    const uint64_t null_mask = before == NULL ? 0 : before->null_mask;
    const pytree__layout *const layout = pytree__build_layout(b, type, n);
    bool alike;
    if (layout == NULL) {
        if (!b->measured && pytree__counted_layout(b, type, n) != NULL) { b->miscounted = true; }
        return NULL;
    }
    alike = !has_values && layout == before && layout->null_mask == null_mask;
    if (!has_values) { alike = pytree__unpack_inlined(b, layout, self, n, alike); }
    if (PYTREE__UNLIKELY(!(b->mode == PYTREE__REFER ? pytree__refer_inlined(b, layout, self, leaf, alike)
                                                    : pytree__own_inlined(b, layout, self, leaf)))) { return NULL; }
    b->leaf -= n->leaves;
    b->next = node + 1 - n->nodes;
    return layout;
}

/* Build a struct at `self`, or push a frame for its children. `has_values`: pytree_allocate, whose structs begin as those that
 * are there; all others begin as zeros and the treedef's static values. */
static void pytree__build_struct(struct pytree__builder *b, size_t node, const pytree_type *type, char *self, bool has_values)
{
    const pytree_node *n = &b->def->nodes[node];
    if (n->type != type && (n->type == NULL || !pytree__same_struct(n->type, type))) {
        pytree__build_fail_node(b, node, type->name);
        return;
    }
    type = pytree__origin(n->type);       /* as the treedef's namespace sees it */
    if (PYTREE__CONTAINERS && type->kind == PYTREE_KIND_CUSTOM) { pytree__build_custom(b, node, type, self); return; }
    if (PYTREE__MORE_ROWS && has_values && b->def->given != NULL) {
        pytree__unpack(b, type, self, b->def->statics + n->meta, false);
    }
    if (pytree__build_inlined(b, node, type, self, has_values, NULL) != NULL) { return; }
    if (b->miscounted) { return; }
    if (!has_values) {
        memset(self, 0, type->size);
        pytree__unpack(b, type, self, b->def->statics + n->meta, true);
    }
    pytree__build_open(b, type, self, node);
}

/* Make the pytree that a leaf becomes in a container: arrays get a view in the block. A subtree that was given as a leaf is
 * referred to as it is. */
static PYTREE__APART pytree pytree__build_leaf_value(struct pytree__builder *b)
{
    const pytree_leaf *from = &b->leaves[--b->leaf];
    pytree t = { &pytree_types[PYTREE__T_none], NULL };
    if (!pytree__build_validate_leaves(b)) { return t; }
    if (from->form == PYTREE_FORM_LEAF) {
        t.type = pytree__origin(from->type);
        t.data = pytree__build_item(b, from);
        if (from->ndim != 0) {
            pytree_leaf *view = (pytree_leaf *)(void *)pytree__bump_head(b, sizeof *view);
            pytree__clear(view, sizeof *view);
            pytree__copy_view(view, from);
            view->type = t.type;
            view->data = t.data;
            if (PYTREE__DEVICES && PYTREE__UNLIKELY(b->special)) { pytree__mark_device_view(b, view); }
            t.type = &pytree_types[PYTREE__T_view];
            t.data = view;
        }
    } else if (from->form == PYTREE_FORM_STRUCT || from->form == PYTREE_FORM_ITEMS) {
        t.type = pytree__origin(from->type);
        t.data = from->data;
        b->has_subtrees = true;
    } else if (from->form != PYTREE_FORM_NONE) {
        pytree_leaf *view = (pytree_leaf *)(void *)pytree__bump_head(b, sizeof *view);
        *view = *from;
        t = pytree_of_view(view);
        b->has_subtrees = b->has_subtrees || !PYTREE__DEVICES || from->form != PYTREE_FORM_DEVICE;
    }
    return t;
}

/* Make the pytree for a node; what it contains gets a frame. */
static pytree pytree__build_value(struct pytree__builder *b, size_t node)
{
    const pytree_node *n = &b->def->nodes[node];
    pytree t = { &pytree_types[PYTREE__T_none], NULL };
    if (pytree__build_refuse(b, node)) { return t; }
    if (n->type == NULL) { return pytree__build_leaf_value(b); }
    if (n->type->kind == PYTREE_KIND_NONE) { return t; }
    if (PYTREE__CONTAINERS && n->type->kind != PYTREE_KIND_STRUCT && n->type->kind != PYTREE_KIND_CUSTOM) {
        return pytree__build_container(b, node);
    }
    t.type = pytree__origin(n->type);
    t.data = pytree__bump_head(b, pytree__build_bytes_of(b, node, b->leaf));
    pytree__build_struct(b, node, t.type, (char *)t.data, false);
    return t;
}

/* Write a leaf to a field that holds a pytree_leaf. */
static PYTREE__APART void pytree__build_view(struct pytree__builder *b, char *field, const pytree_leaf *leaf)
{
    pytree_leaf view;
    memset(&view, 0, sizeof view);
    pytree__copy_view(&view, leaf);
    if (leaf->form == PYTREE_FORM_LEAF) {
        view.type = pytree__origin(leaf->type);
        view.data = pytree__build_array(b, leaf);
        if (PYTREE__DEVICES && b->special) { pytree__mark_device_view(b, &view); }
    }
    memcpy(field, &view, sizeof view);
}

/* Write a subtree that was given as a leaf to a place of that kind: pointers lead to it, what lies in place is copied. Returns
 * false if it is of another kind. Pointers to arrays may lead to a device. */
static PYTREE__APART bool pytree__build_subtree(struct pytree__builder *b, const pytree_leaf *leaf, const pytree_type *type,
                                                unsigned form, bool pointer, char *at, size_t size)
{
    const size_t n = form == PYTREE_FORM_STRUCT ? 1 : leaf->shape[0];
    if (PYTREE__DEVICES && leaf->form == PYTREE_FORM_DEVICE && form == PYTREE_FORM_LEAF && pointer) {
        memcpy(at, &leaf->data, sizeof leaf->data);            /* what does not fit is found when the struct is verified */
        pytree__refer_to_device(b, leaf);
        return true;
    }
    if (leaf->form != form || leaf->data == NULL || !pytree__same_held(form, leaf->type, type)) { return false; }
    if (pointer) { memcpy(at, &leaf->data, sizeof leaf->data); }
    else if (n == size / type->size) { memcpy(at, leaf->data, size); }
    else { return false; }
    b->has_subtrees = true;
    return true;
}

/* Write a leaf to a row of a struct. One that the row cannot hold is left out, and found when the struct is verified: until
 * then a pointer leads to zeros, because other rows may read through it. */
static PYTREE__APART_CLANG void pytree__build_leaf(struct pytree__builder *b, const pytree_field *row, char *field, size_t node)
{
    const pytree_leaf *leaf = &b->leaves[--b->leaf];
    void *p = leaf->data;
    const size_t size = !PYTREE__MORE_ROWS || row->place != PYTREE_FLEXIBLE ? row->size
        : leaf->form == PYTREE_FORM_LEAF ? pytree_leaf_bytes(leaf) : leaf->shape[0] * row->type->size;
    bool fits;
    if (b->mode == PYTREE__ALLOCATE && p != NULL
        && (row->form == PYTREE_FORM_VIEW || (row->place == PYTREE_POINTER && p != PYTREE_WANTED))) {
        pytree__build_fail_set(b, node);
        return;
    }
    if (row->form == PYTREE_FORM_VIEW) { pytree__build_view(b, field, leaf); return; }
    if (leaf->form == PYTREE_FORM_NONE && row->optional) { return; }
    if (leaf->form != PYTREE_FORM_LEAF && row->form <= PYTREE_FORM_TUPLE && row->place != PYTREE_STB
        && pytree__build_subtree(b, leaf, row->type, row->form, row->place == PYTREE_POINTER, field, size)) {
        return;
    }
    fits = row->form == PYTREE_FORM_LEAF && leaf->form == PYTREE_FORM_LEAF && leaf->ndim == row->ndim
        && (leaf->type == row->type || pytree_type_equal(leaf->type, row->type));
    if (row->place == PYTREE_POINTER) {
        if (fits && pytree__stays_null(b, p, pytree_leaf_bytes(leaf), row->optional != 0)) { return; }
        if (!fits || (p == NULL && b->mode != PYTREE__ALLOCATE)) { p = pytree__zeros(); }
        else { p = pytree__build_array(b, leaf); }
        memcpy(field, &p, sizeof p);
    } else if (fits && p != NULL && pytree_leaf_bytes(leaf) == size) {
        pytree__build_bytes(b, field, leaf, size, true);
    }
}

/* Collect the keys of a map, in the order of its pairs. */
static PYTREE__APART_CLANG const char *const *pytree__build_keys(struct pytree__builder *b, const pytree_node *n,
                                                                 const uint32_t *order)
{
    const char **keys = (const char **)(void *)pytree__bump_head(b, n->arity * sizeof *keys);
    const unsigned char *at = b->def->statics + n->meta;
    size_t i;
    for (i = 0; i < n->arity; i++, at = pytree__skip_strings(at, 1)) {
        keys[order == NULL ? i : order[i]] = pytree__string_at(at, NULL);
    }
    return (const char *const *)keys;
}

/* Evaluate the rows of a struct that is not finished. Pointers that are not set yet lead to zeros for as long as that takes,
 * because rows may read through them. Returns the view of the child that is built, or NULL if memory runs out. */
static PYTREE__APART const pytree_leaf *pytree__build_preview(struct pytree__builder *b, const struct pytree__build_frame *of)
{
    const pytree_type *const type = of->type;
    pytree_leaf *const views = pytree__build_views(b, type->n_children);
    const pytree_field *at, *const row = type->fields + of->rows, *const end = type->fields + type->n_fields;
    void *const zeros = pytree__zeros(), *p;
    size_t child = 0;
    if (views == NULL) { return NULL; }
    for (at = type->fields; at != end; at++) {
        if (at->row != PYTREE_ROW_DATA || at->place != PYTREE_POINTER) { continue; }
        memcpy(&p, of->at + at->offset, sizeof p);
        if (p == NULL) { memcpy(of->at + at->offset, &zeros, sizeof zeros); }
    }
    pytree__child_views(type, of->at, views);
    for (at = type->fields; at != end; at++) {
        if (at->row != PYTREE_ROW_DATA) { continue; }
        if (at < row) { child++; }
        if (at->place != PYTREE_POINTER) { continue; }
        memcpy(&p, of->at + at->offset, sizeof p);
        if (p == zeros) { memset(of->at + at->offset, 0, sizeof p); }
    }
    return &views[child];
}

/* Make an stb_ds array or map of a struct as long as its node says, and push a frame for its elements. In pytree_allocate it is
 * the caller's, with all that it holds. */
static PYTREE__APART void pytree__build_stb(struct pytree__builder *b, const struct pytree__build_frame *of,
                                            const pytree_field *row, size_t node)
{
    const pytree_node *n = &b->def->nodes[node];
    const bool map = PYTREE__CONTAINERS && row->form == PYTREE_FORM_MAP;
    char *const field = of->at + row->offset, *at;
    const char *const *keys = NULL;
    const uint32_t *order = NULL;
    struct pytree__stb_cleanup *cleanup;
    struct pytree__build_frame *frame;
    if (b->mode == PYTREE__ALLOCATE) { pytree__build_skip(b, node); return; }
    if (pytree__build_refuse(b, node)) { return; }
    cleanup = (struct pytree__stb_cleanup *)(void *)pytree__bump_head(b, sizeof *cleanup);
    if (map && n->arity != 0 && pytree__u32(b->def->statics + n->meta) == PYTREE__NUMBER_KEY) {
        pytree__build_fail_node(b, node, "a dict whose keys are strings");
        return;
    }
    if (map) {
        order = pytree__build_order(b, node);
        keys = pytree__build_keys(b, n, order);
    }
    if (n->arity != 0) { b->status = row->functions->resize(field, n->arity, keys, row); }
    if (b->status != PYTREE_OK) { pytree__no_memory(b->err, n->arity * row->inner); return; }
    cleanup->field = field;
    cleanup->row = row;
    cleanup->before = b->stb_cleanups;
    b->stb_cleanups = cleanup;
    memcpy(&at, field, sizeof at);
    if (map && at != NULL) {              /* where values lie in the entries only the generated function knows */
        const pytree_leaf *view = pytree__build_preview(b, of);
        if (view == NULL) { return; }
        at += view->shape[2];
    }
    frame = pytree__build_push(b, row->type, at, map ? row->inner : row->type->size, n->arity);
    if (frame != NULL) { frame->order = order; }
}

/* Place a list, tuple or dict of a struct, and push a frame for its elements. */
static PYTREE__APART void pytree__build_list(struct pytree__builder *b, const struct pytree__build_frame *of,
                                             const pytree_field *row, size_t node)
{
    const pytree_node *n = &b->def->nodes[node];
    const pytree_kind kind = row->form == PYTREE_FORM_MAP ? PYTREE_KIND_DICT
        : row->form == PYTREE_FORM_TUPLE                  ? PYTREE_KIND_TUPLE
        : row->form == PYTREE_FORM_LIST                   ? PYTREE_KIND_LIST : PYTREE_KIND_LEAF;
    const size_t step = row->form == PYTREE_FORM_TUPLE ? row->inner : row->type->size;
    char *field = of->at + row->offset, *at = field;
    const char *from = b->mode == PYTREE__ALLOCATE ? at : NULL;
    struct pytree__build_frame *frame;
    if (n->type->kind != kind || (!PYTREE__CONTAINERS && row->place == PYTREE_STB)
        || (row->place == PYTREE_IN_PLACE && row->size / step != n->arity)) {
        const bool known = row->place != PYTREE_STB && pytree__has_rows(of->type);
        const pytree_leaf *view = known ? pytree__build_preview(b, of) : NULL;
        char expected[PYTREE__SIDE];
        if (view == NULL && b->status != PYTREE_OK) { return; }
        if (!PYTREE__MESSAGES) { pytree__build_fail_node(b, node, ""); return; }
        snprintf(expected, sizeof expected, kind != PYTREE_KIND_LEAF ? "a %s of %zu" : "a %s",
                 kind == PYTREE_KIND_DICT             ? "dict"
                 : kind == PYTREE_KIND_TUPLE          ? "tuple"
                 : kind == PYTREE_KIND_LIST           ? "list"
                 : row->form == PYTREE_FORM_STRUCT    ? row->type->name : "leaf",
                 view == NULL ? (size_t)n->arity : view->shape[0]);
        pytree__build_fail_node(b, node, expected);
        return;
    }
    if (PYTREE__CONTAINERS && row->place == PYTREE_STB) { pytree__build_stb(b, of, row, node); return; }
    if (row->place == PYTREE_POINTER) {
        if (from != NULL) { memcpy(&from, field, sizeof from); }
        if (from == (const char *)PYTREE_WANTED) { from = NULL; }
        if (pytree__stays_null(b, from, n->arity, row->optional != 0)) { return; }
        at = pytree__bump_head(b, n->arity * step);
        memcpy(field, &at, sizeof at);
    }
    frame = pytree__build_push(b, row->type, at, step, n->arity);
    if (frame != NULL) { frame->from = from; }
}

/* Build a struct that lies in another one, or that it leads to. */
static PYTREE__APART void pytree__build_member(struct pytree__builder *b, const pytree_field *row, char *field, size_t node)
{
    bool has_values = b->mode == PYTREE__ALLOCATE;
    char *at = field;
    if (row->place == PYTREE_POINTER) {
        char *from;
        if (has_values && row->type->kind == PYTREE_KIND_CUSTOM) { pytree__build_skip(b, node); return; }
        size_t bytes;
        memcpy(&from, field, sizeof from);
        bytes = pytree__build_bytes_of(b, node, b->leaf);
        at = pytree__bump_head(b, bytes);
        memcpy(field, &at, sizeof at);
        has_values = has_values && from != NULL && from != (const char *)PYTREE_WANTED;
        if (has_values) { memcpy(at, from, bytes); }
    } else if (pytree__is_flexible(row->type)) {
        pytree__build_fail_node(b, node, "a struct of fixed size: one with a flexible array lies behind a pointer");
        return;
    }
    pytree__build_struct(b, node, row->type, at, has_values);
}

/* Build the child of a struct, or of an element of a list, that `row` describes. */
static void pytree__build_child(struct pytree__builder *b, const struct pytree__build_frame *of, const pytree_field *row,
                                size_t node)
{
    const pytree_node *const n = &b->def->nodes[node];
    char *const field = of->at + row->offset;
    if (row->form == PYTREE_FORM_REF) {                        /* in pytree_allocate the caller's, like an stb_ds container */
        pytree value;
        if (b->mode == PYTREE__ALLOCATE) { pytree__build_skip(b, node); return; }
        value = pytree__build_value(b, node);
        memcpy(field, &value, sizeof value);
    } else if (n->type == NULL) {
        if (pytree__build_validate_leaves(b)) { pytree__build_leaf(b, row, field, node); }
    } else if (n->type->kind == PYTREE_KIND_NONE) {
        if (row->form == PYTREE_FORM_VIEW) { pytree__none_view((pytree_leaf *)(void *)field); }
        else if (!row->optional) { pytree__build_fail_node(b, node, row->type->name); }
    } else if (pytree__namespaced(n)
               && (row->form == PYTREE_FORM_STRUCT
                   || (row->form == PYTREE_FORM_LEAF && row->ndim == 0 && row->type->dtype == PYTREE_OPAQUE))) {
        pytree__build_member(b, row, field, node);
    } else {
        pytree__build_list(b, of, row, node);
    }
}

/* Build structs of a list, the last one first, as long as they are inlined. */
static void pytree__build_inlined_elements(struct pytree__builder *b)
{
    struct pytree__build_frame *const top = &b->frames[b->n_frames - 1];
    const pytree_type *const type = top->type;
    const pytree__layout *layout = NULL;
    while (top->left != 0) {
        const size_t node = b->next - 1;
        char *const at = top->at + (top->left - 1) * top->step;
        if (b->def->nodes[node].type != type) { return; }
        layout = pytree__build_inlined(b, node, type, at, false, b->mode == PYTREE__ALLOCATE ? NULL : layout);
        if (layout == NULL) { return; }
        top->left--;
    }
}

/* Build the next element of a list. */
static PYTREE__APART_CLANG void pytree__build_element(struct pytree__builder *b, size_t node)
{
    struct pytree__build_frame *const top = &b->frames[b->n_frames - 1];
    const pytree_node *const n = &b->def->nodes[node];
    const pytree_type *const type = top->type;
    const size_t child = top->order == NULL ? --top->left : top->order[--top->left];
    char *const at = top->at + child * top->step;
    if (pytree__shares(b) && pytree__link_element(b, node, at, type)) { return; }
    if (n->type == NULL && (type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM)
        && pytree__build_validate_leaves(b)
        && pytree__build_subtree(b, &b->leaves[b->leaf - 1], type, PYTREE_FORM_STRUCT, false, at, type->size)) {
        b->leaf--;
    } else if (PYTREE__MORE_ROWS && type->kind == PYTREE_KIND_ROW) {
        struct pytree__build_frame of;
        if (top->from == NULL) { memset(at, 0, type->size); }
        else if (top->from + child * top->step != at) { memcpy(at, top->from + child * top->step, type->size); }
        of = *top;
        of.at = at;
        pytree__build_child(b, &of, type->fields, node);
    } else if (type->kind == PYTREE_KIND_REF) {
        const pytree value = pytree__build_value(b, node);
        memcpy(at, &value, sizeof value);
    } else if (type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM
               || (n->type != NULL && pytree__namespaced(n))) {
        const char *const from = top->from == NULL ? NULL : top->from + child * top->step;
        if (pytree__is_flexible(type)) {
            pytree__build_fail_node(b, node, "structs of fixed size: one with a flexible array lies behind a pointer");
            return;
        }
        if (from != NULL && from != at) { memcpy(at, from, type->size); }
        pytree__build_struct(b, node, type, at, from != NULL);
    } else if (n->type != NULL || (type->kind != PYTREE_KIND_VIEW && type->kind != PYTREE_KIND_LEAF)) {
        pytree__build_fail_node(b, node, type->name);
    } else {
        const pytree_leaf *leaf = &b->leaves[--b->leaf];
        if (!pytree__build_validate_leaves(b)) { return; }
        if (type->kind == PYTREE_KIND_VIEW) {
            pytree__build_view(b, at, leaf);
        } else if (leaf->form == PYTREE_FORM_LEAF && leaf->ndim == 0 && pytree_type_equal(leaf->type, type)) {
            pytree__build_bytes(b, at, leaf, type->size, true);
        } else {
            pytree_leaf wanted;
            pytree__view(&wanted, type, NULL);
            pytree__build_fail_leaf(b, leaf->form == PYTREE_FORM_LEAF && pytree_type_equal(leaf->type, type) ? PYTREE_SHAPE
                                                                                                            : PYTREE_TYPE,
                                    node, &wanted, leaf);
        }
    }
}

/* Build the next child of a struct. */
static void pytree__build_row(struct pytree__builder *b, size_t node)
{
    struct pytree__build_frame *const top = &b->frames[b->n_frames - 1];
    const pytree_field *row;
    pytree_field own;
    top->left--;
    do { row = &top->type->fields[--top->rows]; } while (row->row != PYTREE_ROW_DATA);
    row = pytree__given_row(row, top->at, &own);
    if (row == NULL) { pytree__build_fail_node(b, node, "a tag that a CASE of the union has, or a type from AS"); return; }
    if (pytree__shares(b) && pytree__link_row(b, node, top->at + row->offset, row)) { return; }
    if (PYTREE__MORE_ROWS && row->place == PYTREE_FLEXIBLE && b->mode == PYTREE__ALLOCATE && top == b->frames) {
        pytree__build_skip(b, node);      /* it lies in the caller's memory, which cannot grow */
        return;
    }
    pytree__build_child(b, top, row, node);
}

/* Fill the next slot of a container. */
static PYTREE__APART_CLANG void pytree__build_slot(struct pytree__builder *b, struct pytree__build_frame *top)
{
    pytree *const slot = (pytree *)(void *)top->at;
    const size_t node = --b->next;
    pytree value = { &pytree_types[PYTREE__T_none], NULL };
    top->left--;
    top->at = (char *)slot->data;
    if (!pytree__shares(b) || !pytree__link(b, node, slot, PYTREE__LINK_PYTREE, NULL)) {
        value = pytree__build_value(b, node);
    }
    *slot = value;
}

/* Verify a struct whose children are all there; where some are shared, when everything is. */
static void pytree__build_finished(struct pytree__builder *b, const struct pytree__build_frame *frame)
{
    if (pytree__shares(b)) { pytree__link_finished(b, frame); } else { pytree__build_verify(b, frame); }
}

/* Build the tree. `in_place`: the struct of pytree_allocate or pytree_allocate_like, which is built at `root`; or NULL. Returns
 * the tree, which is finished if the status is OK. */
static PYTREE__APART_CLANG pytree pytree__build_run(struct pytree__builder *b, const pytree *in_place, char *root)
{
    size_t node = b->def->n_nodes - 1;
    pytree t;
    b->next = node;
    b->leaf = b->def->n_leaves;
    b->n_orders = b->def->n_orders;
    if (in_place != NULL) {
        t.type = in_place->type;
        t.data = root;
        pytree__build_struct(b, node, t.type, root, b->mode == PYTREE__ALLOCATE);
    } else {
        if (pytree__shares(b)) { (void)pytree__link(b, node, &b->root, PYTREE__LINK_PYTREE, NULL); }
        b->root = t = pytree__build_value(b, node);
    }
    while (b->n_frames != 0 && b->status == PYTREE_OK && !b->miscounted) {
        struct pytree__build_frame *const top = &b->frames[b->n_frames - 1];
        if (PYTREE__CONTAINERS && top->type == NULL) {
            if (b->mode == PYTREE__REFER && !pytree__shares(b)) { pytree__refer_items(b); }
        } else if (PYTREE__LAYOUTS && !top->is_struct && top->order == NULL && top->from == NULL
                   && pytree__contained(top->type)) {
            pytree__build_inlined_elements(b);
        }
        if (b->status != PYTREE_OK || b->miscounted) { break; }
        if (top->left == 0) {
            if (top->is_struct && pytree__is_verified(b, top->type)) { pytree__build_finished(b, top); }
            b->n_frames--;
        } else if (top->is_struct) {
            node = --b->next;
            pytree__build_row(b, node);
        } else if (!PYTREE__CONTAINERS || top->type != NULL) {
            node = --b->next;
            pytree__build_element(b, node);
        } else {
            pytree__build_slot(b, top);
        }
    }
    return t;
}
#endif
