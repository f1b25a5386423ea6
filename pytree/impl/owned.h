/* pytree/impl/owned.h: freeing what the library allocated. */
#ifndef PYTREE_IMPL_OWNED_H
#define PYTREE_IMPL_OWNED_H

#include "internal.h"

/* Tell whether a row is a custom node, which pytree_allocate leaves to the caller. */
static bool pytree__caller_owned(const pytree_field *row)
{
    return row->form == PYTREE_FORM_STRUCT && row->type->kind == PYTREE_KIND_CUSTOM;
}

/* Find the first pointer of a struct that pytree_allocate has set. Returns NULL if there is none. Sets *array if it leads to an
 * array. */
static char *pytree__find_block_pointer(const pytree_type *type, const char *self, bool *array)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        pytree_field own;
        const pytree_field *row = pytree__given_row(&type->fields[i], self, &own);
        char *p = NULL;
        if (row == NULL || row->row != PYTREE_ROW_DATA || row->place == PYTREE_STB || pytree__caller_owned(row)) { continue; }
        if (row->place == PYTREE_POINTER) {
            memcpy(&p, self + row->offset, sizeof p);
            *array = row->form == PYTREE_FORM_LEAF && row->ndim != 0;
        } else if (row->form == PYTREE_FORM_STRUCT) {
            p = pytree__find_block_pointer(row->type, self + row->offset, array);
        } else if (row->form == PYTREE_FORM_TUPLE) {
            for (k = 0; p == NULL && k < row->size; k += row->inner) {
                p = pytree__find_block_pointer(row->type, self + row->offset + k, array);
            }
        } else if (row->form == PYTREE_FORM_VIEW) {
            pytree_leaf view;
            memcpy(&view, self + row->offset, sizeof view);
            p = (char *)view.data;
            *array = view.ndim != 0;
        }
        if (p != NULL && p != (const char *)PYTREE_WANTED) { return p; }
    }
    return NULL;
}

/* Set n strings that lie in the block to NULL. */
static void pytree__clear_strings(const struct pytree__block *block, char *at, size_t n)
{
    const char *const base = (const char *)block->base;
    for (; n != 0; n--, at += sizeof base) {
        const char *s;
        memcpy(&s, at, sizeof s);
        if ((uintptr_t)s - (uintptr_t)base < block->bytes) { memset(at, 0, sizeof s); }
    }
}

struct pytree__clearing { const struct pytree__block *block; char *self; };

static PYTREE__APART_CLANG bool pytree__clear_static(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    const struct pytree__clearing *const c = (const struct pytree__clearing *)context;
    if (row->form == PYTREE__PACK_TEXT) { pytree__clear_strings(c->block, c->self + at, bytes / sizeof(char *)); }
    return true;
}

/* Set every pointer of a struct that leads into the block to NULL. */
static void pytree__clear_pointers(const struct pytree__block *block, const pytree_type *type, char *self)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    if (PYTREE__MORE_ROWS && !type->trivial_statics) {
        struct pytree__clearing c;
        c.block = block;
        c.self = self;
        (void)pytree__visit_statics(type, 0, pytree__clear_static, &c);
    }
    for (i = 0; i < type->n_fields; i++) {
        pytree_field own;
        const pytree_field *row = pytree__given_row(&type->fields[i], self, &own);
        if (row == NULL || row->row != PYTREE_ROW_DATA || row->place == PYTREE_STB || pytree__caller_owned(row)) { continue; }
        if (row->place == PYTREE_POINTER) { memset(self + row->offset, 0, sizeof(void *)); }
        else if (row->form == PYTREE_FORM_STRUCT) { pytree__clear_pointers(block, row->type, self + row->offset); }
        else if (row->form == PYTREE_FORM_TUPLE) {
            for (k = 0; k < row->size; k += row->inner) { pytree__clear_pointers(block, row->type, self + row->offset + k); }
        }
        else if (row->form == PYTREE_FORM_VIEW) { memset(self + row->offset + offsetof(pytree_leaf, data), 0, sizeof(void *)); }
        else if (PYTREE__MORE_ROWS && row->form == PYTREE_FORM_LEAF && row->type->dtype == PYTREE_STRING) {
            pytree__clear_strings(block, self + row->offset, row->size / sizeof(char *));
        }
    }
}

/* Release custom nodes, stb_ds containers and handles of an owned tree, those inside others first. They are where they were
 * made. */
static void pytree__release(const struct pytree__block *block)
{
    const struct pytree__custom_cleanup *custom;
    const struct pytree__stb_cleanup *made;
    for (custom = block->customs; custom != NULL; custom = custom->before) {
        if (custom->type->custom->release != NULL) { custom->type->custom->release(custom->self); }
    }
    for (made = block->made; made != NULL; made = made->before) { made->row->functions->release(made->field, made->row); }
}

/* Do the same where stb_ds containers hold some of them: they may have moved, so the tree is walked. A tree deeper than
 * PYTREE__FRAMES needs memory for that; without it, what is deeper is not released. */
static PYTREE__APART_CLANG void pytree__release_walking(pytree t, const pytree_allocator *a)
{
    pytree_options opt;
    pytree__cursor c;
    pytree__cursor_space stacks;
    const pytree_leaf *value;
    pytree_status status;
    memset(&opt, 0, sizeof opt);
    opt.allocator = a;
    pytree__cursor_init(&c, &stacks, &opt, NULL);
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK) {
        int at = pytree__cursor_next(&c, &value);
        if (at >= PYTREE__DONE) { break; }
        if (at == PYTREE__AT_NODE) { status = pytree__open(&c, value); }
        if (at == PYTREE__AT_END) {
            const pytree__frame *f = &c.frames[c.n_frames - 1];
            unsigned i;
            for (i = 0; f->form == PYTREE_FORM_STRUCT && i < f->type->n_fields; i++) {
                const pytree_field *row = &f->type->fields[i];
                if (row->functions != NULL && row->functions->release != NULL) {
                    row->functions->release((char *)(uintptr_t)f->self + row->offset, row);
                }
            }
            if (f->form == PYTREE_FORM_CUSTOM && f->type->custom->release != NULL) {
                f->type->custom->release((void *)(uintptr_t)f->self);
            }
            pytree__close(&c);
        }
    }
    pytree__cursor_end(&c);
}

/* Finds the block of a tree that the library built and returned: its root's type lies in the block. NULL: it is none. */
static struct pytree__block *pytree__block_of_root(pytree t)
{
    struct pytree__block *block;
    if (t.type == NULL || t.data == NULL || t.type->origin == NULL
        || t.type->fields != t.type->origin->fields || t.type->name != t.type->origin->name
        || (t.type->kind == PYTREE_KIND_STRUCT && !pytree__has_rows(t.type))) {
        return NULL;
    }
    block = (struct pytree__block *)(void *)((char *)(uintptr_t)t.type - offsetof(struct pytree__block, type));
    return block->magic == PYTREE__MAGIC ? block : NULL;
}

/* Frees what pytree_assign has attached, from the last piece back to `until`, which stays. */
static void pytree__free_attached(struct pytree__attached *last, const struct pytree__attached *until,
                                  const pytree_allocator *a)
{
    while (last != until) {
        struct pytree__attached *const before = last->before;
        pytree__resize(a, last, last->bytes, 0);
        last = before;
    }
}

/* Finds the block of a tree that the library built, or of a struct that pytree_allocate filled. NULL, or a block without its
 * magic number: there is none. */
static PYTREE__APART_CLANG struct pytree__block *pytree__block_of(pytree t)
{
    struct pytree__block *block = pytree__block_of_root(t);
    bool array = false;
    char *first;
    uint64_t distance;
    if (block != NULL || t.type == NULL || t.data == NULL || t.type->kind != PYTREE_KIND_STRUCT) { return block; }
    first = pytree__find_block_pointer(t.type, (const char *)t.data, &array);
    if (first == NULL) { return NULL; }
    if (array) { block = (struct pytree__block *)(void *)first - 1; }
    else {
        memcpy(&distance, first - 16, sizeof distance);
        block = (struct pytree__block *)(void *)(first + distance);
    }
    return block;
}

#if !defined(PYTREE_SMALL)
void *pytree_arrays(pytree t, size_t *bytes)
{
    const struct pytree__block *const block = pytree__block_of(t);
    char *first = NULL, *end = NULL;
    uintptr_t behind;
    size_t own;
    pytree_iter it;
    if (bytes == NULL) { bytes = &own; }
    *bytes = 0;
    if (block == NULL || block->magic != PYTREE__MAGIC) { return NULL; }
    if (PYTREE__DEVICES && block->device_bytes != 0) {
        *bytes = block->memory == NULL ? 0 : block->device_bytes;
        return block->memory == NULL ? NULL : block->device;
    }
    behind = (uintptr_t)block->base + block->bytes - (uintptr_t)block;
    (void)pytree_iter_begin(&it, 1, &t, NULL, NULL);
    while (pytree_iter_next(&it)) {                        /* arrays of the block stand behind its header */
        const pytree_leaf *const leaf = it.leaf[0];
        char *const at = (char *)leaf->data;
        const size_t n = leaf->ndim != 0 && leaf->type->dtype < PYTREE_STRING ? pytree_leaf_bytes(leaf) : 0;
        if (n == 0 || (uintptr_t)at - (uintptr_t)block >= behind) { continue; }
        if (first == NULL || (uintptr_t)at < (uintptr_t)first) { first = at; }       /* a program may have swapped two */
        if ((uintptr_t)at + n > (uintptr_t)end) { end = at + n; }
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK) { *bytes = (uintptr_t)end - (uintptr_t)first; }
    return *bytes == 0 ? NULL : first;
}
#endif

/* Find the growing container behind a tree; NULL: it is none. One refers to itself through the member that its kind does not
 * need, where literals and rebuilt trees have NULL; a copy of its bytes has another address. A node that grows begins with a
 * pointer to one, which is NULL in a literal. */
static PYTREE__APART_CLANG void *pytree__growing_of(pytree t)
{
    const pytree_items *items;
    if (!PYTREE__CONTAINERS || t.type == NULL || t.data == NULL) { return NULL; }
    if (t.type->custom != NULL) { return t.type->custom->growing == NULL ? NULL : *(void *const *)t.data; }
    if (pytree__traits(t.type)->form != PYTREE_FORM_ITEMS) { return NULL; }
    items = (const pytree_items *)t.data;
    return (pytree__keyed(t.type) ? (const void *)items->items : (const void *)items->pairs) == t.data ? t.data : NULL;
}

void pytree_free(pytree t)
{
    struct pytree__block *const block = pytree__block_of(t);
    if (block == NULL || block->magic != PYTREE__MAGIC) {
        const char *const grown = (const char *)pytree__growing_of(t);
        pytree__grown_free_fn *release;
        if (grown != NULL) {
            memcpy(&release, grown + sizeof(pytree_items), sizeof release);
            release(t);
        }
        return;
    }
    if (block->root == NULL) { pytree__clear_pointers(block, t.type, (char *)t.data); }
    else if (!PYTREE__CONTAINERS) {}
    else if (block->nested) { pytree__release_walking(t, block->allocator); }
    else { pytree__release(block); }
    block->magic = 0;
    if (PYTREE__DEVICES && block->device_bytes != 0 && block->memory != NULL) {
        block->memory->release(block->memory->context, block->device, block->device_bytes);
    }
    pytree__free_attached(block->attached, NULL, block->allocator);
    pytree__resize(block->allocator, block->base, block->bytes, 0);
}
#endif
