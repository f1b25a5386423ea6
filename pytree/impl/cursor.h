/* pytree/impl/cursor.h: the cursor: opening a value, going to its next child, closing it. */
#ifndef PYTREE_IMPL_CURSOR_H
#define PYTREE_IMPL_CURSOR_H

#include "internal.h"

/* Checks that the walk's namespace is that of a registration in the file that registered this type. A file without any may have
 * its types in namespaces that others ask for. */
static PYTREE__APART_CLANG pytree_status pytree__check_space(pytree__cursor *c, const pytree_type *type)
{
    const char *const space = c->opt->space;
    const pytree_type *next = type->namespaces;
    if (space == NULL || *space == '\0' || type->space != NULL || next == NULL || next->name == NULL) { return PYTREE_OK; }
    for (; next->name != NULL; next = next->namespaces) {      /* the last one has no name */
        if (strcmp(next->space, space) == 0) { return PYTREE_OK; }
    }
    return pytree__fail_at(c, PYTREE_ARGUMENT,
                           "expected a namespace such as %.60s, which the file that registers %.60s has, got %.60s",
                           type->namespaces->space, type->name, space);
}

/* Puts the cursor before the tree: its root is the next value. */
static pytree_status pytree__cursor_root(pytree__cursor *c, pytree t)
{
    pytree_status status;
    c->n_frames = c->n_views = 0;
    c->begun = false;
    if (t.type == NULL) { return pytree_fail(c->err, PYTREE_ARGUMENT, NULL, "expected a tree, got a pytree without a type"); }
    pytree__view(&c->root, pytree__origin(t.type), t.data);
    status = pytree__resolve_view(c, &c->root);
    if (status != PYTREE_OK) { return status; }
    if (c->root.form == PYTREE_FORM_STRUCT) {
        c->root.type = pytree__origin(c->root.type);
        if (!c->plain) { status = pytree__check_space(c, c->root.type); }
    }
    if (PYTREE__DEVICES && PYTREE__UNLIKELY(t.type->origin != NULL)) { pytree__meet_tree(c, &c->root, t.type); }
    return status;
}

/* Opens a custom node: asks its callbacks for children, keys and metadata, which come to lie on the view stack. */
static PYTREE__APART pytree_status pytree__open_custom(pytree__cursor *c, pytree__frame *f)
{
    const pytree_custom *custom = f->type->custom;
    const size_t n = custom->children == NULL ? 0 : custom->children(f->self, NULL, NULL);
    const size_t each = sizeof(pytree) + (custom->keyed ? sizeof(pytree_entry) : 0);
    const size_t metadata = custom->metadata == NULL ? 0 : custom->metadata(f->self, NULL);
    const size_t bytes = pytree__plus(pytree__times(n, each), metadata);
    const size_t slots = bytes == SIZE_MAX ? SIZE_MAX : bytes / sizeof(pytree_leaf) + 1;
    pytree *children;
    size_t i, got;
    f->form = PYTREE_FORM_CUSTOM;
    f->from = PYTREE__FROM_HELD;
    f->shape[0] = metadata;
    f->count = 0;
    if (custom->children == NULL) {
        return pytree__fail_at(c, PYTREE_ARGUMENT, "expected a children callback for %s, got NULL", f->type->name);
    }
    if (n > UINT32_MAX) {
        return pytree__fail_at(c, PYTREE_BAD_COUNT, "expected at most %lu children of %s, got %zu", (unsigned long)UINT32_MAX,
                               f->type->name, n);
    }
    if (metadata == SIZE_MAX) {
        return pytree__fail_at(c, PYTREE_TYPE, "expected a %s that can be written as text, got one that cannot", f->type->name);
    }
    if (metadata >= UINT32_MAX) {
        return pytree__fail_at(c, PYTREE_OVERFLOW, "expected metadata of less than 4 GiB, got %zu bytes", metadata);
    }
    children = (pytree *)(void *)pytree__room(c, slots);
    if (children == NULL) { return PYTREE_NO_MEMORY; }
    got = custom->children(f->self, children, custom->keyed ? (pytree_entry *)(void *)(children + n) : NULL);
    if (got != n || (metadata != 0 && custom->metadata(f->self, (char *)children + n * each) != metadata)) {
        return pytree__fail_at(c, PYTREE_BAD_COUNT,
                               "expected the callbacks of %s to answer twice the same, got %zu and %zu children",
                               f->type->name, n, got);
    }
    for (i = 0; custom->keyed && i < n; i++) {
        const pytree_entry *key = (const pytree_entry *)(const void *)(children + n) + i;
        if ((unsigned)key->kind > PYTREE_INT_KEY) {
            return pytree__fail_at(c, PYTREE_ARGUMENT, "expected a kind of key for each child of %s, got %d for number %zu",
                                   f->type->name, (int)key->kind, i);
        }
        if ((key->kind == PYTREE_ATTRIBUTE || key->kind == PYTREE_KEY) && key->name == NULL) {
            return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a name for each child of %s, got NULL for number %zu",
                                   f->type->name, i);
        }
    }
    f->count = n;
    c->n_views += slots;
    return PYTREE_OK;
}

/* Opens a node of a pytree_flat: finds its children from the last to the first. */
static PYTREE__APART pytree_status pytree__open_flat(pytree__cursor *c, pytree__frame *f, const size_t *shape)
{
    const pytree_flat *flat = (const pytree_flat *)f->self;
    const pytree_node *node = &flat->def->nodes[shape[0]];
    const uint32_t *orders = flat->def->orders;
    size_t at = shape[0], leaf = shape[1] + node->leaves, i = node->arity, end = shape[2];
    unsigned forms = 0;
    pytree_leaf *views = pytree__room(c, i);
    if (views == NULL) { return PYTREE_NO_MEMORY; }
    f->type = node->type;
    f->count = i;
    if (end != 0 && orders[end - 1] == at) {
        end -= 1 + i;
        f->order = orders + end;
    }
    while (i-- != 0) {
        const pytree_node *child = &flat->def->nodes[--at];
        leaf -= child->leaves;
        if (child->type == NULL) {
            pytree__copy_view(&views[i], &flat->leaves[leaf]);
            forms |= views[i].form;
        } else if (child->type->kind == PYTREE_KIND_NONE) {
            pytree__none_view(&views[i]);
        } else {
            views[i].data = f->data;
            views[i].type = child->type;
            views[i].ndim = 0;
            views[i].form = PYTREE_FORM_FLAT;
            views[i].shape[0] = at;
            views[i].shape[1] = leaf;
            views[i].shape[2] = end;
        }
        at -= child->nodes - 1;
        while (end != 0 && orders[end - 1] >= at) { end -= 1 + flat->def->nodes[orders[end - 1]].arity; }
    }
    c->n_views += node->arity;
    if (PYTREE__DEVICES && PYTREE__UNLIKELY((forms & PYTREE_FORM_DEVICE) != 0)) { pytree__meet_device(c); }
    return PYTREE_OK;
}

/* Replaces the type of a struct or an opaque leaf by its registration in the walk's namespace, if there is one. */
static PYTREE__APART void pytree__apply_namespace(const pytree__cursor *c, pytree_leaf *v)
{
    const pytree_type *type = v->type;
    if (v->form != PYTREE_FORM_STRUCT && (v->form != PYTREE_FORM_LEAF || v->ndim != 0 || type->dtype != PYTREE_OPAQUE)) {
        return;
    }
    type = pytree__in_space(type, c->opt->space);
    if (type != v->type) {
        v->type = type;
        v->form = PYTREE_FORM_STRUCT;
    }
}

/* Tells whether the node on top is in containers only. */
static bool pytree__is_outermost(const pytree__cursor *c)
{
    size_t i = c->n_frames - 1;
    while (i != 0 && c->frames[i - 1].form > PYTREE_FORM_STRUCT && c->frames[i - 1].form != PYTREE_FORM_CUSTOM) { i--; }
    return i == 0;
}

/* Opens a struct: its children's views come to lie on the view stack. */
static pytree_status pytree__open_struct(pytree__cursor *c, pytree__frame *f)
{
    const pytree_type *const type = f->type;
    pytree_leaf *views;
    pytree_status status = PYTREE_OK;
    size_t flags = PYTREE__NEEDS_CHECK, i;
    int lacks = PYTREE__LACKS_NOTHING;
    f->count = type->n_children;
    if (PYTREE__CONTAINERS && !c->plain && c->root.form > PYTREE_FORM_STRUCT && pytree__is_outermost(c)) {
        status = pytree__check_space(c, type);
        if (status != PYTREE_OK) { f->count = 0; return status; }
    }
    if (PYTREE__UNLIKELY(!pytree__has_rows(type))) {
        if (PYTREE__CONTAINERS && type->custom != NULL) { return pytree__open_custom(c, f); }
        return pytree__fail_at(c, PYTREE_ARGUMENT,
                               "expected a registered struct, got %s, which was declared and never defined", type->name);
    }
    views = pytree__room(c, f->count);
    if (PYTREE__UNLIKELY(views == NULL)) { return PYTREE_NO_MEMORY; }
    if (pytree__may_lack(type) && (PYTREE__MORE_ROWS || !c->making)) {
        lacks = pytree__lacks(type, f->self, c->making, f != c->frames && f[-1].from == PYTREE__FROM_ROW ? f - 1 : NULL);
    }
    if (PYTREE__MORE_ROWS && lacks > PYTREE__LACKS_STRUCT && pytree__fails_read(c, f, lacks, &status)) { return status; }
    if (PYTREE__UNLIKELY(c->making)) {
        status = pytree__views_to_make(c, f, views);
        if (status != PYTREE_OK) { return status; }
    } else {
        flags = PYTREE__LIKELY(lacks == PYTREE__LACKS_NOTHING)
            ? pytree__child_views(type, f->self, views)
            : pytree__views_lacking(c, type, (const char *)f->self, views, lacks);
        if (flags == SIZE_MAX) { return PYTREE_NO_MEMORY; }
    }
    c->n_views += f->count;
    if (PYTREE__MORE_ROWS && PYTREE__UNLIKELY(lacks == PYTREE__LACKS_BEYOND)) {
        status = pytree__fail_beyond(c);
        if (status != PYTREE_OK) { return status; }
    }
    if (PYTREE__UNLIKELY((flags & PYTREE__NEEDS_CHECK) != 0)) {
        if (PYTREE__MORE_ROWS && c->making == PYTREE__GIVING) { status = pytree__give(c, f); }
        for (i = 0; i < f->count && status == PYTREE_OK; i++) {
            f->next = i + 1;
            status = pytree__resolve_view(c, &c->views[f->views + i]);
        }
        if (status == PYTREE_OK) {
            f->next = 0;
            if (PYTREE__MORE_ROWS && !c->making) { status = pytree__give(c, f); }
            if (PYTREE__MORE_ROWS && status == PYTREE_OK && !type->trivial_statics) { status = pytree__check_statics(c, f); }
        }
    } else if (flags != 0 && c->none_is_leaf) {
        for (i = 0; i < f->count; i++) {
            if (views[i].form == PYTREE_FORM_NONE) { pytree__none_view(&views[i]); }
        }
    }
    return status;
}

/* The same of a struct whose leaves will be written: fails if one of its children is const. */
static PYTREE__NOINLINE pytree_status pytree__open_written(pytree__cursor *c, pytree__frame *f)
{
    const size_t child = !PYTREE__MORE_ROWS || pytree__contained(f->type) ? SIZE_MAX : pytree__constant_child(f->type);
    pytree_status status;
    if (child == SIZE_MAX) { return pytree__open_struct(c, f); }
    f->next = child + 1;
    status = pytree__fail_at(c, PYTREE_TYPE, "expected a member that can be written in place, got one that is const");
    f->next = f->count = 0;
    return status;
}

/* Opens a list of values that lie in a row. */
static pytree_status pytree__open_row(pytree__cursor *c, pytree__frame *f, const size_t shape[3])
{
    const pytree_type *const type = f->type;
    const size_t count = shape[0];
    f->element = type->kind == PYTREE_KIND_STRUCT ? PYTREE_FORM_STRUCT : PYTREE_FORM_LEAF;
    f->from = type->kind <= PYTREE_KIND_STRUCT && type->dtype != PYTREE_STRING ? PYTREE__FROM_ROW : PYTREE__FROM_BOXED;
    f->count = count;
    if (PYTREE__MORE_ROWS && type->kind == PYTREE_KIND_ROW) { memcpy(f->shape, shape, sizeof f->shape); }
    if (count == 0 || (f->data != NULL && f->data != (const char *)PYTREE_WANTED)) { return PYTREE_OK; }
    if (count > UINT32_MAX) {
        return pytree__fail_at(c, PYTREE_BAD_COUNT, "expected at most %lu elements to make, got %zu", (unsigned long)UINT32_MAX,
                               count);
    }
    f->from = PYTREE__FROM_ZEROS;
    return pytree__template(c, type);
}

/* Opens a container of pytrees. */
static PYTREE__APART_CLANG pytree_status pytree__open_items(pytree__cursor *c, pytree__frame *f)
{
    const pytree_items *const items = (const pytree_items *)f->self;
    f->count = items->count;
    f->shape[0] = items->maxlen;
    if (pytree__keyed(f->type)) { return pytree__open_pairs(c, f); }
    f->from = PYTREE__FROM_ITEMS;
    f->data = (char *)(uintptr_t)items->items;
    if (pytree__traits(f->type)->meta == PYTREE__META_MAXLEN && f->count > items->maxlen) {
        f->count = 0;
        return pytree__fail_at(c, PYTREE_BAD_COUNT, "expected at most %zu items in a %s of that length, got %zu", items->maxlen,
                               pytree__origin(f->type)->name, items->count);
    }
    if (f->data == NULL && f->count != 0) {
        f->count = 0;
        return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected %zu items, got NULL", items->count);
    }
    f->shape[1] = sizeof(pytree);         /* pytree__pair finds them */
    f->shape[2] = 0;
    if (PYTREE__UNLIKELY(items->removed != 0)) {
        f->from = PYTREE__FROM_CHUNKS;
        return pytree__skip_removed(c, f, items);
    }
    return PYTREE_OK;
}

/* Compares a node about to be opened with the ancestor at the largest power of two of the depth, which an endless path must
 * meet again (Brent 1980). */
PYTREE__INLINE pytree_status pytree__check_cycle(pytree__cursor *c, const pytree_type *type, const void *data, unsigned form)
{
    const pytree__frame *f;
    size_t mark = c->n_frames;
    while ((mark & (mark - 1)) != 0) { mark &= mark - 1; }
    f = &c->frames[mark - 1];
    if (PYTREE__LIKELY(f->self != data || pytree__form_in(f) != form || f->type != type || form == PYTREE_FORM_FLAT)) {
        return PYTREE_OK;
    }
    return pytree__fail_at(c, PYTREE_CYCLE, "expected a tree, got a cycle: this %s is the one %zu levels above it", type->name,
                           c->n_frames - (mark - 1));
}

/* Opens the value at hand, which is a node other than None: its frame comes to stand on top. */
static pytree_status pytree__open(pytree__cursor *c, const pytree_leaf *value)
{
    const pytree_type *const type = value->form == PYTREE_FORM_STRUCT ? pytree__origin(value->type) : value->type;
    void *const data = value->data;
    const unsigned form = value->form;
    const size_t shape[3] = { value->shape[0], value->shape[1], value->shape[2] };
    pytree__frame *f;
    if (!PYTREE__CONTAINERS && (form < PYTREE_FORM_STRUCT || form > PYTREE_FORM_TUPLE)) {
        return pytree__fail_at(c, PYTREE_TYPE, "expected no %s, which PYTREE_SMALL leaves out, got one", type->name);
    }
    if (c->n_frames != 0) {
        const pytree_status status = pytree__check_cycle(c, type, data, form);
        if (PYTREE__UNLIKELY(status != PYTREE_OK)) { return status; }
        /* Drop views that nothing comes back to: a chain through last fields takes only frames. */
        f = &c->frames[c->n_frames - 1];
        if (f->next == f->count && f->form == PYTREE_FORM_STRUCT) { c->n_views = f->views; }
    }
    if (PYTREE__UNLIKELY(c->n_frames == c->max_frames)) {
        void *grown = pytree__stack_grow(c->frames, c->own_frames, &c->max_frames, c->n_frames + 1, sizeof *c->frames,
                                         pytree__allocator(c->opt), c->err);
        if (grown == NULL) { return PYTREE_NO_MEMORY; }
        c->frames = (pytree__frame *)grown;
    }
    f = &c->frames[c->n_frames++];
    f->type = type;
    f->self = data;
    f->data = (char *)data;
    f->next = 0;
    f->views = (uint32_t)c->n_views;
    f->form = (uint8_t)form;
    f->from = PYTREE__FROM_VIEWS;
    f->order = NULL;
    f->ordered = f->numbered = f->sparse = f->run = f->rows = f->harmless = false;
    switch (form) {
    case PYTREE_FORM_STRUCT:
        return PYTREE__MORE_ROWS && PYTREE__UNLIKELY(c->writes) ? pytree__open_written(c, f) : pytree__open_struct(c, f);
    case PYTREE_FORM_LIST:
    case PYTREE_FORM_TUPLE: return pytree__open_row(c, f, shape);
    case PYTREE_FORM_MAP:
        memcpy(f->shape, shape, sizeof shape);
        f->count = shape[0];
        return pytree__open_pairs(c, f);
    case PYTREE_FORM_FLAT:
        c->met_flat = true;
        memcpy(f->shape, shape, sizeof shape);
        return pytree__open_flat(c, f, shape);
    default: return pytree__open_items(c, f);
    }
}

/* Tells whether an item of a container is a leaf held as a view that needs no further check. */
PYTREE__INLINE bool pytree__boxed_leaf(const pytree *item)
{
    const pytree_leaf *const view = (const pytree_leaf *)item->data;
    return item->type->kind == PYTREE_KIND_VIEW && view->form == PYTREE_FORM_LEAF && view->type != NULL
        && view->type->kind == PYTREE_KIND_LEAF && pytree__view_is_valid(view);
}

/* Takes an item of a container: None, a sound boxed leaf as it lies, or a node that is there. Anything else is followed to what
 * stands behind it, and checked. */
PYTREE__INLINE pytree_status pytree__take_item(pytree__cursor *c, const pytree *item, const pytree_leaf **value)
{
    const pytree_type *const type = item->type;
    if (c->plain && type != NULL) {
        if (type->kind == PYTREE_KIND_NONE) {
            pytree__none_view(&c->child);
            return PYTREE_OK;
        }
        if (item->data != NULL && pytree__boxed_leaf(item)) {
            *value = (const pytree_leaf *)item->data;
            return PYTREE_OK;
        }
        if (item->data != NULL
            && (type->kind == PYTREE_KIND_LEAF
                    ? type->dtype != PYTREE_STRING
                    : type->kind <= PYTREE_KIND_DEQUE && !c->making
                          && (!PYTREE__DEVICES || type->origin == NULL))) {
            pytree__view(&c->child, pytree__origin(type), item->data);
            return PYTREE_OK;
        }
    }
    c->child.form = PYTREE_FORM_REF;
    c->child.data = (void *)(uintptr_t)item;
    return pytree__resolve_view(c, &c->child);
}

/* Makes a view of what a row describes at `at`; `shape` has the extents that it gives. */
static PYTREE__APART_CLANG void pytree__row_view(pytree_leaf *v, const pytree_field *row, const char *at, const size_t *shape)
{
    void *p = (void *)(uintptr_t)at;
    if (row->place == PYTREE_POINTER) { memcpy(&p, at, sizeof p); }
    if (p == NULL && row->optional != 0) { pytree__none_view(v); return; }
    v->data = p;
    v->type = row->type;
    v->ndim = row->ndim;
    v->form = row->form;
    v->shape[0] = row->place == PYTREE_POINTER ? shape[0] : row->size / (row->inner == 0 ? 1 : row->inner);
    v->shape[1] = row->place == PYTREE_POINTER ? shape[1] : row->inner / row->type->size;
}

/* Takes an element that is there, or that pytree_allocate will make. What is a pointer or an array is seen as its row says. */
static PYTREE__APART_CLANG pytree_status pytree__take_element(pytree__cursor *c, const pytree__frame *f, char *at)
{
    if (PYTREE__MORE_ROWS && f->type->kind == PYTREE_KIND_ROW) {
        pytree__row_view(&c->child, f->type->fields, at, f->shape + 1);
        return pytree__resolve_view(c, &c->child);
    }
    pytree__view(&c->child, f->type, at);
    return f->from == PYTREE__FROM_ZEROS ? PYTREE_OK : pytree__resolve_view(c, &c->child);
}

/* Takes the next child of the open node on top, of which there must be one. */
static pytree_status pytree__take(pytree__cursor *c, const pytree_leaf **value)
{
    pytree__frame *f = &c->frames[c->n_frames - 1];
    size_t i = f->next++;
    const void *at;
    *value = &c->child;
    if (!PYTREE__CONTAINERS && f->from > PYTREE__FROM_ZEROS) { return PYTREE_TYPE; }           /* was not opened */
    switch (f->from) {
    case PYTREE__FROM_VIEWS: *value = &c->views[f->views + i]; return PYTREE_OK;
    case PYTREE__FROM_ROW: pytree__view(&c->child, f->type, f->data + i * f->type->size); return PYTREE_OK;
    case PYTREE__FROM_BOXED: return pytree__take_element(c, f, f->data + i * f->type->size);
    case PYTREE__FROM_ZEROS: return pytree__take_element(c, f, (char *)pytree__zeros());
    case PYTREE__FROM_HELD: at = pytree__held(c, f) + i; break;
    default: at = pytree__pair(c, f, i) + f->shape[2]; break;
    }
    if (PYTREE__LIKELY(f->form != PYTREE_FORM_MAP)) { return pytree__take_item(c, (const pytree *)at, value); }
    pytree__view(&c->child, f->type, (void *)(uintptr_t)at);
    return pytree__resolve_view(c, &c->child);
}

static void pytree__close(pytree__cursor *c)
{
    c->n_views = c->frames[--c->n_frames].views;
}

/* Asks the predicate. Returns its answer, or -1 if there is no memory for the path. */
static PYTREE__APART_CLANG int pytree__is_leaf_answer(pytree__cursor *c, const pytree_leaf *value)
{
    pytree_entry few[PYTREE__FEW_ENTRIES], *entries = few;
    pytree_path path;
    path.n = c->n_frames;
    if (path.n > PYTREE__FEW_ENTRIES) {
        entries = (pytree_entry *)pytree__scratch(c, path.n * sizeof *entries);
        if (entries == NULL) { return -1; }
    }
    pytree__cursor_path(c, entries, path.n);
    path.entries = entries;
    return c->opt->is_leaf(c->opt->is_leaf_context, value, &path);
}

/* Classifies a value in a walk with a predicate or a namespace, or one that met a device. */
static int pytree__classify_asking(pytree__cursor *c, const pytree_leaf *value)
{
    if (PYTREE__DEVICES && c->met_device) { pytree__see_device(c, (pytree_leaf *)(uintptr_t)value); }
    if (c->opt->space != NULL) { pytree__apply_namespace(c, (pytree_leaf *)(uintptr_t)value); }
    if (c->opt->is_leaf != NULL) {
        int answer = pytree__is_leaf_answer(c, value);
        if (answer < 0) { c->status = PYTREE_NO_MEMORY; return PYTREE__FAILED; }
        if (answer != 0) { return PYTREE__AT_LEAF; }
    }
    if (pytree_is_leaf(value) || (value->form == PYTREE_FORM_NONE && c->none_is_leaf)) { return PYTREE__AT_LEAF; }
    return value->form == PYTREE_FORM_NONE ? PYTREE__AT_NONE : PYTREE__AT_NODE;
}

/* Classifies a value: AT_LEAF, AT_NONE, AT_RUN, AT_NODE or FAILED. */
PYTREE__INLINE int pytree__classify(pytree__cursor *c, const pytree_leaf *value)
{
    if (PYTREE__UNLIKELY(!c->plain)) { return pytree__classify_asking(c, value); }
    if (value->form == PYTREE_FORM_LEAF) { return PYTREE__AT_LEAF; }
    if (value->form == PYTREE_FORM_NONE) { return c->none_is_leaf ? PYTREE__AT_LEAF : PYTREE__AT_NONE; }
    return PYTREE__LAYOUTS && c->runs && value->form == PYTREE_FORM_STRUCT && pytree__contained(value->type) ? PYTREE__AT_RUN
                                                                                                          : PYTREE__AT_NODE;
}

/* Takes the next child of the open node on top, of which there is one. Returns false on an error (c->status). */
PYTREE__INLINE bool pytree__cursor_child(pytree__cursor *c, pytree__frame *f, const pytree_leaf **value)
{
    if (f->from == PYTREE__FROM_VIEWS) {
        *value = &c->views[f->views + f->next++];
    } else if (f->from == PYTREE__FROM_ROW) {
        c->child.data = f->data + f->next++ * f->type->size;
        c->child.type = f->type;
        c->child.ndim = 0;
        c->child.form = f->element;
        *value = &c->child;
    } else {
        c->status = pytree__take(c, value);
        return c->status == PYTREE_OK;
    }
    return true;
}

/* Goes one step on. Returns what is there: PYTREE__AT_LEAF and the like. */
PYTREE__INLINE int pytree__cursor_next(pytree__cursor *c, const pytree_leaf **value)
{
    if (PYTREE__UNLIKELY(!c->begun)) {
        c->begun = true;
        *value = &c->root;
    } else if (PYTREE__UNLIKELY(c->n_frames == 0)) {
        return PYTREE__DONE;
    } else {
        pytree__frame *const f = &c->frames[c->n_frames - 1];
        if (f->next == f->count) { return PYTREE__AT_END; }
        if (PYTREE__UNLIKELY(!pytree__cursor_child(c, f, value))) { return PYTREE__FAILED; }
    }
    return pytree__classify(c, *value);
}

/* Goes from a leaf in a container to the leaf behind it. Returns NULL if what follows is something else. */
PYTREE__INLINE const pytree_leaf *pytree__leaf_follows(pytree__cursor *c)
{
    pytree__frame *f;
    const pytree *item;
    if (c->n_frames == 0) { return NULL; }
    f = &c->frames[c->n_frames - 1];
    if (f->form != PYTREE_FORM_ITEMS || f->next == f->count || !c->plain) { return NULL; }
    item = (const pytree *)(const void *)(pytree__pair(c, f, f->next) + f->shape[2]);
    if (item->type == NULL || item->data == NULL || !pytree__boxed_leaf(item)) { return NULL; }
    f->next++;
    return (const pytree_leaf *)item->data;
}

/* Goes from a run that was consumed to the struct behind it in the same row. Returns false if there is none. */
PYTREE__INLINE bool pytree__run_follows(pytree__cursor *c)
{
    pytree__frame *f;
    if (c->n_frames == 0) { return false; }
    f = &c->frames[c->n_frames - 1];
    if (f->from != PYTREE__FROM_ROW || f->next == f->count) { return false; }
    f->next++;
    c->child.data = (char *)c->child.data + f->type->size;
    return true;
}

/* Goes back before the value that was taken last, which will be taken again. */
PYTREE__INLINE void pytree__cursor_back(pytree__cursor *c)
{
    if (c->n_frames == 0) { c->begun = false; } else { c->frames[c->n_frames - 1].next--; }
}
#endif
