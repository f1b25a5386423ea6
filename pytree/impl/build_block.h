/* pytree/impl/build_block.h: building trees: the block that a tree lies in. */
#ifndef PYTREE_IMPL_BUILD_BLOCK_H
#define PYTREE_IMPL_BUILD_BLOCK_H

#include "internal.h"

/* Find out whether anything that pytree_free must release lies outside the block: it must walk the tree to find it. */
static PYTREE__APART bool pytree__has_outside_cleanups(const struct pytree__builder *b, const char *begin, size_t bytes)
{
    const struct pytree__custom_cleanup *custom;
    const struct pytree__stb_cleanup *stb;
    for (custom = b->custom_cleanups; custom != NULL; custom = custom->before) {
        if ((uintptr_t)custom->self - (uintptr_t)begin >= bytes) { return true; }
    }
    for (stb = b->stb_cleanups; stb != NULL; stb = stb->before) {
        if ((uintptr_t)stb->field - (uintptr_t)begin >= bytes) { return true; }
    }
    return false;
}

/* Begin to build a tree of the treedef's structure. Fails if the alignment that the options ask for is none. */
static pytree_status pytree__builder_init(struct pytree__builder *b, const pytree_def *def, const pytree_leaf *leaves, int mode,
                                          const pytree_options *opt, pytree_error *err)
{
    pytree__clear(b, offsetof(struct pytree__builder, cache));
    b->frames = b->own_frames;
    b->max_frames = PYTREE__FRAMES;
    b->views = b->own_views;
    b->max_views = sizeof b->own_views / sizeof b->own_views[0];
    b->opt = opt;
    b->err = err;
    b->def = def;
    b->leaves = leaves != NULL ? leaves : b->own_views;        /* there are none, yet pointers to where they end */
    b->mode = mode;
    b->prefix = mode == PYTREE__REFER ? 0 : 16;
    b->leaves_validated = mode != PYTREE__REFER;
    b->verified = mode != PYTREE__ALLOCATE && (mode != PYTREE__COPY || def->of_flat);
    if (PYTREE__LAYOUTS) { b->special = mode == PYTREE__ALLOCATE; }
    if (PYTREE__DEVICES && opt != NULL && opt->memory != NULL && (mode == PYTREE__COPY || mode == PYTREE__ZERO)) {
        b->memory = opt->memory;
        b->special = true;
    }
    b->status = pytree__new_alignment(opt, &b->align, err);
    if (b->status != PYTREE_OK) { return b->status; }
    pytree__layout_cache_init(&b->cache, &b->layouts);
    pytree__clear(&b->slots, offsetof(struct pytree__leaf_slots, slots));
    return PYTREE_OK;
}

/* Fill in the block's header after everything was placed. A second one stands right before the first array, where pytree_free
 * looks for it if an array is all that it has; what was reserved for arrays and not needed lies between the two. */
static PYTREE__APART void pytree__finish_block(struct pytree__builder *b, void *base, size_t bytes, const pytree *made)
{
    struct pytree__block *const block = (struct pytree__block *)(void *)(b->base + b->header);
    const pytree_def *const def = b->def;
    block->magic = PYTREE__MAGIC;
    block->base = base;
    block->bytes = bytes;
    block->allocator = pytree__allocator(b->opt);
    block->root = b->mode == PYTREE__ALLOCATE || pytree__in_struct(b) ? NULL : made->data;
    block->made = b->stb_cleanups;
    block->customs = b->custom_cleanups;
    block->nested = pytree__has_outside_cleanups(b, (const char *)base, bytes);
    block->attached = NULL;
    block->next = NULL;
    block->n_nodes = b->only_containers && (!PYTREE__DEVICES || b->device_bytes == 0) ? def->n_nodes : 0;
    block->n_leaves = def->n_leaves;
    block->n_statics = def->n_statics;
    block->n_orders = def->n_orders;
    block->type = *made->type;
    block->type.origin = pytree__origin(made->type);
    if (PYTREE__DEVICES) { block->device_bytes = 0; }
    if (PYTREE__DEVICES && PYTREE__UNLIKELY(b->device_bytes != 0)) { pytree__device_finish(b, block); }
    else if (b->prefix != 0) { memcpy(b->tail_end - b->tail - sizeof *block, block, sizeof *block); }
}

/* Give back what an attempt to build has taken. */
static PYTREE__APART_CLANG void pytree__build_undo(struct pytree__builder *b, void *base, size_t bytes)
{
    for (; b->stb_cleanups != NULL; b->stb_cleanups = b->stb_cleanups->before) {
        b->stb_cleanups->row->functions->release(b->stb_cleanups->field, b->stb_cleanups->row);
    }
    pytree__resize(pytree__allocator(b->opt), base, bytes, 0);
    if (PYTREE__DEVICES && b->device_bytes != 0 && b->mode != PYTREE__REFER) {
        b->memory->release(b->memory->context, b->device, b->device_bytes);
    }
    if (PYTREE__DEVICES) { b->device_bytes = 0; }
    b->custom_cleanups = NULL;
    b->handles = NULL;
    b->n_frames = 0;
    b->head = b->tail = 0;
    b->cell = NULL;
    b->keys_copied = false;
}

/* Tell whether nothing was made for a struct of the caller's but the struct itself, of `shadow` bytes: pytree_free will not
 * find the block. Fails where strings were made, and no pointer beside them: a string does not tell whose it is. */
static PYTREE__APART bool pytree__build_made_nothing(struct pytree__builder *b, const pytree *made, size_t shadow)
{
    const bool nothing = b->head == shadow && b->tail == 0;
    const char *first;
    bool array;
    if (!pytree__in_struct(b)) { return nothing; }
    first = pytree__find_block_pointer(made->type, (const char *)made->data, &array);
    if ((uintptr_t)first - (uintptr_t)b->base - 1 < b->head_bytes + b->tail_bytes) { return false; }
    if (!nothing) {
        b->status = pytree_fail(b->err, PYTREE_TYPE, NULL, "expected a struct with a pointer to an array, list or struct, by "
                                "which pytree_free finds its memory, got %s with strings only", made->type->name);
    }
    return true;
}

/* Get a block of the bytes that the head, with its headers, and the tail need. Returns it as the allocator gave it; NULL and an
 * error if there is no memory. */
PYTREE__INLINE char *pytree__block_memory(struct pytree__builder *b, size_t headers, size_t *bytes)
{
    const pytree_allocator *const a = pytree__allocator(b->opt);
    const bool device = PYTREE__DEVICES && b->memory != NULL && b->memory->allocate != NULL;
    const size_t tail = device ? 0 : b->tail_bytes, spare = tail < 65536 ? 0 : 16 * 192;
    size_t shift;
    char *base;
    b->head_bytes = pytree__align(pytree__plus(b->head_bytes, headers), b->align);
    *bytes = pytree__plus(pytree__plus(b->head_bytes, tail), b->align + spare);
    b->zeroed = a == NULL && (b->mode == PYTREE__ZERO || b->mode == PYTREE__ALLOCATE);
    if (b->zeroed) {
        const int before = PYTREE__GET_ERRNO();
        base = *bytes == SIZE_MAX ? NULL : (char *)calloc(1, *bytes);
        PYTREE__SET_ERRNO(before);
    } else {
        base = (char *)pytree__resize(a, NULL, 0, *bytes);
    }
    if (base == NULL) { b->status = pytree__no_memory(b->err, *bytes); return NULL; }
    shift = spare == 0 ? 0 : (size_t)(((uint64_t)(uintptr_t)base >> 12) * UINT64_C(0x9E3779B97F4A7C15) >> 60) * 192;
    b->base = (char *)(((uintptr_t)base + shift + b->align - 1) & ~(uintptr_t)(b->align - 1));
    b->tail_end = b->base + b->head_bytes + tail;
    if (device && !pytree__device_begin(b)) {
        pytree__build_undo(b, base, *bytes);
        return NULL;
    }
    return base;
}

/* Get a block, and build the tree in it. */
static PYTREE__APART pytree_status pytree__build_in_block(struct pytree__builder *b, pytree *t, const pytree *in_place)
{
    const pytree_allocator *const a = pytree__allocator(b->opt);
    const size_t shadow = in_place == NULL ? 0 : b->prefix + pytree__round(in_place->type->size, 16);
    const size_t headers = (b->prefix == 0 ? 1 : 2) * sizeof(struct pytree__block);
    size_t bytes;
    char *const base = pytree__block_memory(b, shadow + headers, &bytes), *root = NULL;
    bool nothing = false;
    pytree made;
    if (base == NULL) { return b->status; }
    b->header = b->head_bytes - headers;
    if (in_place != NULL) {               /* a shadow, so that the caller's struct is never half-written */
        root = pytree__bump_head(b, in_place->type->size);
        memcpy(root, in_place->data, in_place->type->size);
    }
    made = pytree__build_run(b, in_place, root);
    if (pytree__shares(b) && b->status == PYTREE_OK) { pytree__build_shares(b); }
    if (b->status == PYTREE_OK && !b->miscounted && (b->has_subtrees || pytree__shares(b))
        && pytree__has_outside_cleanups(b, base, bytes)) {
        b->status = pytree_fail(b->err, PYTREE_TYPE, NULL, "expected leaves only, because nodes in stb_ds containers have "
                                "memory of their own, got %s", b->has_subtrees ? "a subtree as a leaf" : "shared values");
    }
    if (PYTREE__CONTAINERS && b->custom_cleanups != NULL && b->status == PYTREE_OK && !b->miscounted) {
        pytree__rebuild_customs(b);
    }
    if (PYTREE__MORE_ROWS && b->status == PYTREE_OK && b->handles != NULL) { pytree__clone_handles(b); }
    if (in_place != NULL && b->status == PYTREE_OK) { nothing = pytree__build_made_nothing(b, &made, shadow); }
    if (b->status != PYTREE_OK || b->miscounted) {
        pytree__build_undo(b, base, bytes);
        return b->status;
    }
    if (in_place != NULL && (pytree__in_struct(b) || !nothing)) { memcpy(in_place->data, root, in_place->type->size); }
    if (nothing) {
        pytree__resize(a, base, bytes, 0);
        return PYTREE_OK;
    }
    pytree__finish_block(b, base, bytes, &made);
    if (in_place == NULL) {
        t->type = &((struct pytree__block *)(void *)(b->base + b->header))->type;
        t->data = made.data != NULL ? made.data : b->base + b->header;         /* None: still a block to be freed */
    }
    return PYTREE_OK;
}

/* Build the tree in one block; head and tail have the bytes of the leaves. `in_place`: the struct that is filled, or NULL.
 * Inlined structs of a tree that refers to its leaves are counted without a look at the nodes below them; only if one of those
 * turns out not to be the layout's, all are looked at, and the tree is built once more. */
static pytree_status pytree__build(struct pytree__builder *b, pytree *t, const pytree *in_place)
{
    const size_t head = b->head_bytes, tail = b->tail_bytes;
    pytree_status status;
    do {
        b->measured = b->prefix != 0 || b->miscounted;         /* arrays are counted from the nodes, too */
        b->miscounted = false;
        b->head_bytes = head;
        b->tail_bytes = tail;
        pytree__bound_head(b);            /* fails where it needs a leaf that is none */
        if (PYTREE__MORE_ROWS && b->status != PYTREE_OK) { return b->status; }
        status = pytree__build_in_block(b, t, in_place);
    } while (b->miscounted);
    return status;
}

static void pytree__builder_end(struct pytree__builder *b)
{
    const pytree_allocator *const a = pytree__allocator(b->opt);
    if (b->frames != b->own_frames) { pytree__array_free(b->frames, b->max_frames, sizeof *b->frames, a); }
    if (b->views != b->own_views) { pytree__array_free(b->views, b->max_views, sizeof *b->views, a); }
}

/* Build a tree from a treedef and leaves, as the mode says: in the struct *t, if that has data; otherwise *t is set. `source`:
 * what they are of, unless the new tree refers to them. The builder is on this function's stack only. */
static pytree_status pytree__build_tree(pytree *t, const pytree_def *def, const pytree_leaf *leaves, int mode,
                                        const struct pytree__source *source, const pytree_options *opt, pytree_error *err)
{
    struct pytree__builder b;
    struct pytree__build_links links;
    pytree_status status = pytree__builder_init(&b, def, leaves, mode, opt, err);
    if (status != PYTREE_OK) { return status; }
    if (mode == PYTREE__REFER) { b.n_arrays = def->n_leaves; } else { pytree__measure_leaves(&b); }
    b.source = source;
    if (PYTREE__MORE_ROWS) { b.in_struct = mode != PYTREE__ALLOCATE && t->data != NULL; }
    if (PYTREE__DEVICES) { status = b.status; }
    if (PYTREE__CONTAINERS && PYTREE__UNLIKELY(def->shares) && status == PYTREE_OK) {
        status = pytree__links_begin(&b, &links);
    }
    if (status == PYTREE_OK) { status = pytree__build(&b, t, t->data != NULL ? t : NULL); }
    if (pytree__shares(&b)) { pytree__links_end(&b); }
    pytree__builder_end(&b);
    return status;
}
#endif
