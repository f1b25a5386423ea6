/* pytree/impl/build_place.h: building trees: places in the block, strings, frames, errors. */
#ifndef PYTREE_IMPL_BUILD_PLACE_H
#define PYTREE_IMPL_BUILD_PLACE_H

#include "internal.h"

/* Take `bytes` from the head. In front of each piece of a tree that owns its leaves stands the distance to the block's header,
 * by which pytree_free finds it. */
PYTREE__INLINE char *pytree__bump_head(struct pytree__builder *b, size_t bytes)
{
    char *const at = b->base + b->head + b->prefix;
    b->head += b->prefix + ((bytes + 15) & ~(size_t)15);
    if (b->prefix != 0) {
        const uint64_t distance = (uint64_t)((b->base + b->header) - at);
        memcpy(at - 16, &distance, sizeof distance);
    }
    return at;
}

/* Take `bytes` from the tail. Arrays come from the last to the first; the first one begins where the head ends. */
PYTREE__INLINE char *pytree__bump_tail(struct pytree__builder *b, size_t bytes)
{
    b->tail += (bytes + b->align - 1) & ~(b->align - 1);
    return b->tail_end - b->tail;
}

/* Static values on their way from their packed form into a struct; strings are copied into the block. */
struct pytree__unpacking { struct pytree__builder *b; char *self; const unsigned char *at; bool strings; };

static bool pytree__unpack_piece(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    struct pytree__unpacking *u = (struct pytree__unpacking *)context;
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_BITS) {
        int64_t number;
        memcpy(&number, u->at, sizeof number);
        row->functions->write(u->self + at, number);
        u->at += sizeof number;
        return true;
    }
    if (row->form == PYTREE__PACK_TEXT) {
        size_t n;
        const char *s = pytree__string_at(u->at, &n);
        char *copy = NULL;
        u->at = pytree__skip_strings(u->at, 1);
        if (PYTREE__MORE_ROWS && !u->strings) { return true; }
        if (s != NULL) {
            copy = pytree__bump_head(u->b, n + 1);
            memcpy(copy, s, n + 1);
        }
        memcpy(u->self + at, &copy, sizeof copy);
        return true;
    }
    if (bytes <= 32) { pytree__copy_few(u->self + at, u->at, bytes); }
    else { memcpy(u->self + at, u->at, bytes); }
    u->at += bytes;
    return true;
}

/* Restore static values of a struct from their packed form: all, or all but strings. */
static void pytree__unpack(struct pytree__builder *b, const pytree_type *type, char *self, const unsigned char *at,
                           bool strings)
{
    struct pytree__unpacking u;
    u.b = b;
    u.self = self;
    u.at = at;
    if (PYTREE__MORE_ROWS) { u.strings = strings; }
    (void)pytree__visit_statics(type, 0, pytree__unpack_piece, &u);
}

static bool pytree__grow_frames(struct pytree__builder *b)
{
    void *frames = pytree__stack_grow(b->frames, b->own_frames, &b->max_frames, b->n_frames + 1, sizeof *b->frames,
                                      pytree__allocator(b->opt), b->err);
    if (frames == NULL) { b->status = PYTREE_NO_MEMORY; return false; }
    b->frames = (struct pytree__build_frame *)frames;
    return true;
}

/* Push a frame for n children; none if n is 0. Returns it, or NULL. */
PYTREE__INLINE struct pytree__build_frame *pytree__build_push(struct pytree__builder *b, const pytree_type *type, char *at,
                                                              size_t step, size_t n)
{
    struct pytree__build_frame *frame;
    if (n == 0 || (PYTREE__UNLIKELY(b->n_frames == b->max_frames) && !pytree__grow_frames(b))) { return NULL; }
    frame = &b->frames[b->n_frames++];
    frame->type = type;
    frame->at = at;
    frame->from = NULL;
    frame->step = step;
    frame->left = n;
    frame->order = NULL;
    frame->rows = 0;
    frame->is_struct = false;
    return frame;
}

/* Make room for n views that are needed for a moment. Returns them, or NULL if memory runs out. */
static pytree_leaf *pytree__build_views(struct pytree__builder *b, size_t n)
{
    void *views = pytree__stack_grow(b->views, b->own_views, &b->max_views, n, sizeof *b->views, pytree__allocator(b->opt),
                                     b->err);
    if (views == NULL) { b->status = PYTREE_NO_MEMORY; return NULL; }
    b->views = (pytree_leaf *)views;
    return b->views;
}

/* Put n slots in front of a chain of slots that are still to be filled. Returns the new front. */
PYTREE__INLINE pytree *pytree__build_chain(pytree *at, size_t n, pytree *chain)
{
    size_t i;
    for (i = 0; i < n; i++) {
        at[i].data = chain;
        chain = &at[i];
    }
    return chain;
}

/* Find the order of a dict's pairs. Returns NULL if the treedef has none for that node. Nodes come from the last to the
 * first. */
PYTREE__INLINE const uint32_t *pytree__build_order(struct pytree__builder *b, size_t node)
{
    const pytree_node *const nodes = b->def->nodes;
    const uint32_t *const orders = b->def->orders;
    size_t n = b->n_orders;
    bool given;
    while (n != 0 && orders[n - 1] > node) { n -= 1 + nodes[orders[n - 1]].arity; }
    given = n != 0 && orders[n - 1] == node;
    if (given) { n -= 1 + nodes[node].arity; }
    b->n_orders = n;
    return given ? orders + n : NULL;
}

static PYTREE__APART_CLANG void pytree__build_fail_node(struct pytree__builder *b, size_t node, const char *expected)
{
    char got[PYTREE__SIDE], path[PYTREE__PATH];
    if (PYTREE__MESSAGES) {
        struct pytree__text_writer to = pytree__text_to(got, sizeof got, NULL);
        pytree__node_text(&to, b->def, &b->def->nodes[node]);
        pytree__end_text(&to, sizeof got);
    }
    pytree__node_path(b->def, node, path, sizeof path);
    b->status = pytree_fail(b->err, PYTREE_STRUCTURE, path, "expected %s, got %s", expected, got);
}

/* Fail because a field cannot hold the leaf that was given for it. */
static void pytree__build_fail_leaf(struct pytree__builder *b, pytree_status status, size_t node, const pytree_leaf *wanted,
                                    const pytree_leaf *got)
{
    char expected[PYTREE__SIDE], found[PYTREE__SIDE], path[PYTREE__PATH];
    if (PYTREE__MESSAGES) {
        pytree__leaf_text(expected, sizeof expected, wanted);
        pytree__leaf_text(found, sizeof found, got);
    }
    pytree__node_path(b->def, node, path, sizeof path);
    if (status == PYTREE_NULL_POINTER) {
        b->status = pytree_fail(b->err, status, path, "expected data for a leaf of %s, got NULL", expected);
    } else {
        b->status = pytree_fail(b->err, status, path, "expected %s, got %s%s", expected, found,
                                status == PYTREE_SHAPE && pytree_leaf_count(wanted) == 0
                                    ? "; are the fields that its extents come from STATIC?" : "");
    }
}

/* Fail because pytree_allocate would overwrite a pointer to an array. */
static PYTREE__APART_CLANG void pytree__build_fail_set(struct pytree__builder *b, size_t node)
{
    char path[PYTREE__PATH];
    pytree__node_path(b->def, node, path, sizeof path);
    b->status = pytree_fail(b->err, PYTREE_ARGUMENT, path,
                            "expected NULL for an array to allocate, got a pointer (it would be lost)");
}

/* Check once, before the first leaf is looked at, that the given array is one of leaves. */
PYTREE__INLINE bool pytree__build_validate_leaves(struct pytree__builder *b)
{
    if (PYTREE__UNLIKELY(!b->leaves_validated)) { b->status = pytree__given_leaves(b->def->n_leaves, b->leaves, b->err); }
    b->leaves_validated = true;
    return b->status == PYTREE_OK;
}

/* Copy n strings into the block, and pointers to the copies to `to`. */
static PYTREE__APART_CLANG void pytree__build_strings(struct pytree__builder *b, char *to, const char *from, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const char *s;
        memcpy(&s, from + i * sizeof s, sizeof s);
        if (s != NULL) {
            const size_t bytes = strlen(s) + 1;
            char *copy = pytree__bump_head(b, bytes);
            memcpy(copy, s, bytes);
            s = copy;
        }
        memcpy(to + i * sizeof s, &s, sizeof s);
    }
}

/* Write what is not only copied or zeroed: strings are copied into the block and opaque values kept, also in a tree of zeros;
 * arrays on a device are its own. */
static void pytree__build_special(struct pytree__builder *b, void *to, const pytree_leaf *leaf, size_t bytes, bool in_place)
{
    const pytree_dtype dtype = leaf->type->dtype;
    bool copied = leaf->data != NULL && leaf->data != PYTREE_WANTED && b->mode != PYTREE__ZERO;
    if (PYTREE__DEVICES && !in_place && pytree__build_on_device(b, (char *)to, leaf, bytes)) { return; }
    if (leaf->data == NULL || leaf->data == PYTREE_WANTED) {}
    else if (b->mode == PYTREE__ALLOCATE || dtype >= PYTREE_OPAQUE) { copied = true; }         /* a pointer is NULL there */
    else if (dtype == PYTREE_STRING && b->mode != PYTREE__REFER) {
        pytree__build_strings(b, (char *)to, (const char *)leaf->data, bytes / sizeof(char *));
        return;
    }
    if (copied) { memcpy(to, leaf->data, bytes); }
    else if (in_place || !b->zeroed) { memset(to, 0, bytes); }
}

/* Write a leaf's elements to `to`: copies, or zeros. Values that pytree_allocate finds `in_place` stay. */
PYTREE__INLINE void pytree__build_bytes(struct pytree__builder *b, void *to, const pytree_leaf *leaf, size_t bytes,
                                        bool in_place)
{
    if (bytes == 0) { return; }
    if (PYTREE__UNLIKELY(leaf->type->dtype >= PYTREE_STRING || (PYTREE__DEVICES && !in_place && b->memory != NULL))) {
        pytree__build_special(b, to, leaf, bytes, in_place);
    } else if (leaf->data != NULL && (b->mode == PYTREE__COPY || b->mode == PYTREE__REFER
                                      || (in_place && b->mode == PYTREE__ALLOCATE))) {
        memcpy(to, leaf->data, bytes);
    } else if (in_place || !b->zeroed) {
        memset(to, 0, bytes);
    }
}

/* Tell whether a pointer to nothing is NULL in the new tree, because rows may ask whether it is. That of pytree_allocate
 * leads to the block. */
PYTREE__INLINE bool pytree__stays_null(const struct pytree__builder *b, const void *p, size_t n, bool optional)
{
    return PYTREE__MORE_ROWS && n == 0 && p == NULL && !optional && b->mode != PYTREE__ALLOCATE;
}

/* Tell whether the elements of a leaf lie in the head: all but arrays; where those lie on a device, also arrays of what is no
 * number. */
PYTREE__INLINE bool pytree__in_head(const struct pytree__builder *b, const pytree_type *type, int ndim)
{
    return ndim == 0 || (PYTREE__DEVICES && type->dtype >= PYTREE_STRING && b->memory != NULL);
}

/* Find the place of a leaf's elements: where they were given, or a place in the block, which is filled. */
static void *pytree__build_array(struct pytree__builder *b, const pytree_leaf *leaf)
{
    size_t bytes;
    void *at;
    if (b->mode == PYTREE__REFER) { return leaf->data; }
    bytes = pytree_leaf_bytes(leaf);
    at = pytree__in_head(b, leaf->type, leaf->ndim) ? pytree__bump_head(b, bytes) : pytree__bump_tail(b, bytes);
    pytree__build_bytes(b, at, leaf, bytes, leaf->ndim == 0);
    return at;
}

/* Is a leaf a number that fits a cell of eight bytes? */
static bool pytree__in_cell(const pytree_leaf *leaf)
{
    return PYTREE__CONTAINERS && leaf->ndim == 0 && leaf->type->dtype < PYTREE_STRING && leaf->type->size <= 8;
}

/* Find the place of a leaf of a container. Only that leads to a number, so that no distance stands before it: two numbers share
 * a piece. */
static PYTREE__APART_CLANG void *pytree__build_item(struct pytree__builder *b, const pytree_leaf *leaf)
{
    char *at = b->cell;
    if (b->mode == PYTREE__REFER || !pytree__in_cell(leaf)) { return pytree__build_array(b, leaf); }
    b->cell = NULL;
    if (at == NULL) {
        at = b->base + b->head;
        b->head += 16;
        b->cell = at + 8;
    }
    pytree__build_bytes(b, at, leaf, leaf->type->size, true);
    return at;
}

/* Tell whether the last member of a struct is a flexible array, which lies behind it in the same memory. */
static bool pytree__is_flexible(const pytree_type *type)
{
    return PYTREE__MORE_ROWS && type->n_fields != 0 && type->fields[type->n_fields - 1].place == PYTREE_FLEXIBLE;
}

/* Compute the bytes of the struct that is node `node`, whose leaves end before leaf `leaf`: with what its flexible array holds,
 * which is its last child. Returns SIZE_MAX if they overflow. */
static size_t pytree__build_bytes_of(const struct pytree__builder *b, size_t node, size_t leaf)
{
    const pytree_type *const type = pytree__origin(b->def->nodes[node].type);
    const pytree_field *row;
    const pytree_node *child;
    size_t bytes = 0;
    if (!pytree__is_flexible(type)) { return type->size; }
    row = &type->fields[type->n_fields - 1];
    child = &b->def->nodes[node - 1];
    if (child->type != NULL) {
        bytes = pytree__times(child->arity, row->type->size);
    } else {
        const pytree_leaf *const last = &b->leaves[leaf - 1];
        if (last->form == PYTREE_FORM_LEAF) { bytes = pytree_leaf_bytes(last); }
        if (last->form == PYTREE_FORM_LIST) { bytes = pytree__times(last->shape[0], row->type->size); }
    }
    bytes = pytree__plus(row->offset, bytes);
    return bytes < type->size ? type->size : bytes;
}

/* Leave what a node has to the caller of pytree_allocate, with all that it holds. */
static PYTREE__APART void pytree__build_skip(struct pytree__builder *b, size_t node)
{
    b->next = node + 1 - b->def->nodes[node].nodes;
    b->leaf -= b->def->nodes[node].leaves;
}

/* Fail where a node would have to be released, which pytree_free does not do for a struct of the caller's. Returns whether it
 * failed. */
static PYTREE__APART bool pytree__build_refuse(struct pytree__builder *b, size_t node)
{
    if (!pytree__in_struct(b)) { return false; }
    pytree__build_fail_node(b, node, "numbers, arrays, strings, lists and structs, which a struct of the caller's may have");
    return true;
}
#endif
