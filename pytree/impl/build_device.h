/* pytree/impl/build_device.h: building trees whose arrays of numbers lie on a device, or come from one.
 *
 * Only the tail of the block lies elsewhere then. What is bumped there has an address that nothing here reads or writes. */
#ifndef PYTREE_IMPL_BUILD_DEVICE_H
#define PYTREE_IMPL_BUILD_DEVICE_H

#include "internal.h"

/* Looks at a leaf on a device, number i of a tree that is copied or made like another. From here on it is a leaf like others:
 * the device copies, from wherever. */
static PYTREE__NOINLINE void pytree__measure_device_leaf(struct pytree__builder *b, size_t i)
{
    pytree_leaf *const leaf = (pytree_leaf *)(uintptr_t)&b->leaves[i];
    char got[PYTREE__SIDE], path[PYTREE__PATH];
    if (b->mode == PYTREE__COPY && (b->memory == NULL || b->memory->copy == NULL) && b->status == PYTREE_OK) {
        pytree__leaf_text(got, sizeof got, leaf);
        pytree__node_path(b->def, pytree__node_of_leaf(b->def, i), path, sizeof path);
        b->status = pytree_fail(b->err, PYTREE_ARGUMENT, path, "expected opt->memory with `copy` for %s, got none", got);
    }
    leaf->form = PYTREE_FORM_LEAF;
}

/* Gets the memory of the tail, which is to lie on a device, all of it zero: sums over the whole of it may include the gaps.
 * Returns false and an error if there is none. */
static PYTREE__NOINLINE bool pytree__device_begin(struct pytree__builder *b)
{
    const pytree_device *const memory = b->memory;
    if (memory->release == NULL || memory->copy == NULL || memory->zero == NULL) {
        b->status = pytree_fail(b->err, PYTREE_ARGUMENT, NULL, "expected the functions allocate, release, copy and zero in "
                                "opt->memory, got NULL for one");
        return false;
    }
    if (b->tail_bytes == SIZE_MAX) { b->status = pytree__no_memory(b->err, b->tail_bytes); return false; }
    if (b->tail_bytes == 0) { return true; }
    b->device = (char *)memory->allocate(memory->context, b->tail_bytes, b->align);
    if (b->device == NULL) {
        b->status = pytree_fail(b->err, PYTREE_NO_MEMORY, NULL, "expected %zu bytes on the device, got none", b->tail_bytes);
        return false;
    }
    b->device_bytes = b->tail_bytes;
    if (!memory->zero(memory->context, b->device, b->device_bytes)) {
        b->status = pytree_fail(b->err, PYTREE_IO, NULL, "expected %zu bytes on the device to be set to zero, got a failure",
                                b->device_bytes);
    }
    b->tail_end = b->device + b->device_bytes;
    return b->status == PYTREE_OK;
}

/* Notes in the block's header where its arrays are. */
static PYTREE__NOINLINE void pytree__device_finish(const struct pytree__builder *b, struct pytree__block *block)
{
    block->device = b->device;
    block->device_bytes = b->device_bytes;
    block->memory = NULL;
    if (b->mode != PYTREE__REFER) {
        pytree_device *const memory = (pytree_device *)(void *)(block + 1);
        *memory = *b->memory;
        block->memory = memory;
    }
}

/* Writes an array to its place, or from a device; scalars lie in the head, in place. Returns false if its elements are bytes of
 * the host, for the host. */
static PYTREE__NOINLINE bool pytree__build_on_device(struct pytree__builder *b, char *to, const pytree_leaf *leaf,
                                                     size_t bytes)
{
    const pytree_device *const memory = b->memory;
    if (memory == NULL || memory->copy == NULL || leaf->type->dtype >= PYTREE_STRING) { return false; }
    if (b->mode == PYTREE__ZERO) { return b->device_bytes != 0; }
    if (b->status == PYTREE_OK && !memory->copy(memory->context, to, leaf->data, bytes)) {
        b->status = pytree_fail(b->err, PYTREE_IO, NULL, "expected %zu bytes to be copied, got a failure of opt->memory",
                                bytes);
    }
    return true;
}

/* Marks the view of a leaf, which may be an array there, that a container of the new tree holds. */
static PYTREE__NOINLINE void pytree__mark_device_view(const struct pytree__builder *b, pytree_leaf *view)
{
    if (b->device_bytes != 0 && view->ndim != 0 && view->type->dtype < PYTREE_STRING) {
        view->form = PYTREE_FORM_DEVICE;
    }
}

/* Widens the range of arrays on a device by one that the new tree refers to. */
static PYTREE__NOINLINE void pytree__refer_to_device(struct pytree__builder *b, const pytree_leaf *leaf)
{
    const uintptr_t from = (uintptr_t)leaf->data, end = from + pytree_leaf_bytes(leaf), old = (uintptr_t)b->device;
    const bool first = b->device_bytes == 0;
    const uintptr_t low = first || from < old ? from : old, old_end = old + b->device_bytes;
    if (from == end) { return; }
    if (low == from) { b->device = (char *)leaf->data; }
    b->device_bytes = (size_t)((first || end > old_end ? end : old_end) - low);
}
#endif
