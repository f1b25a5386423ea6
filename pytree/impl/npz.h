/* pytree/impl/npz.h: reading .npz files. */
#ifndef PYTREE_IMPL_NPZ_H
#define PYTREE_IMPL_NPZ_H

#include "zip_member.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

/* Strip the ending of arrays. */
static void pytree__npz_names(pytree__npz *z)
{
    size_t i;
    for (i = 0; i < z->n; i++) {
        char *name = z->texts + z->members[i].text;
        size_t n = strlen(name);
        z->members[i].array = n >= 4 && strcmp(name + n - 4, ".npy") == 0;
        if (z->members[i].array) { name[n - 4] = '\0'; }
    }
}

/* Open an archive: read its directory and the header of each array. Close it in any case. */
static pytree_status pytree__npz_open(pytree__npz *z, const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_status status;
    size_t i;
    memset(z, 0, sizeof *z);
    status = pytree__file_open(&z->file, path, pytree__npy_io(opt), err);
    if (status == PYTREE_OK) { status = pytree__npz_begin(z, pytree__allocator(pytree__npy_tree(opt))); }
    if (status == PYTREE_OK) { pytree__npz_names(z); }
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        if (z->members[i].array) { status = pytree__npz_read_head(z, &z->members[i]); }
    }
    return status;
}

/* The arrays of an archive as tensors that leaves can ask for, and the staging memory for their data. */
typedef struct pytree__npz_arrays {
    pytree_tensor *tensors;
    size_t n, bytes;
    char *stage;
    size_t stage_bytes;
} pytree__npz_arrays;

static pytree_status pytree__npz_list(pytree__npz_arrays *arrays, const pytree__npz *z)
{
    size_t i;
    memset(arrays, 0, sizeof *arrays);
    arrays->bytes = pytree__times(z->n + 1, sizeof *arrays->tensors);
    arrays->tensors = (pytree_tensor *)pytree__resize(z->allocator, NULL, 0, arrays->bytes);
    if (arrays->tensors == NULL) { return pytree__no_memory(z->err, arrays->bytes); }
    memset(arrays->tensors, 0, arrays->bytes);
    for (i = 0; i < z->n; i++) {
        const pytree__npz_member *m = &z->members[i];
        pytree_tensor *tensor = &arrays->tensors[arrays->n];
        if (!m->array) { continue; }
        tensor->name = m->name;
        tensor->dtype = m->head.descr;
        tensor->type = m->head.array.type;
        tensor->ndim = (size_t)m->head.array.ndim;
        tensor->shape = m->shape;
        tensor->bytes = m->head.bytes;
        tensor->offset = SIZE_MAX;        /* not staged: no leaf asks for it */
        arrays->n++;
    }
    return PYTREE_OK;
}

/* Allocate staging memory for each array that a leaf asks for. */
static pytree_status pytree__npz_stage(pytree__npz_arrays *arrays, const pytree__wanted *w, const pytree__npz *z)
{
    size_t i, total = 0;
    for (i = 0; i < w->n; i++) {
        pytree_tensor *tensor;
        if (w->tensors[i] == SIZE_MAX) { continue; }
        tensor = &arrays->tensors[w->tensors[i]];
        if (tensor->offset != SIZE_MAX) { continue; }
        tensor->offset = total;
        total = pytree__round(pytree__plus(total, (size_t)tensor->bytes), sizeof(pytree__npz_block));
    }
    if (total == 0) { return PYTREE_OK; }
    arrays->stage = (char *)pytree__resize(z->allocator, NULL, 0, total);
    if (arrays->stage == NULL) { return pytree__no_memory(z->err, total); }
    arrays->stage_bytes = total;
    return PYTREE_OK;
}

/* Read every member; those that no leaf asks for are only checked. */
static pytree_status pytree__npz_fill(pytree__npz *z, const pytree__npz_arrays *arrays)
{
    pytree_status status = PYTREE_OK;
    size_t i, k = 0;
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        const pytree__npz_member *m = &z->members[i];
        const pytree_tensor *tensor = m->array ? &arrays->tensors[k++] : NULL;
        bool wanted = tensor != NULL && tensor->offset != SIZE_MAX && arrays->stage != NULL;
        status = pytree__npz_read_member(z, m, wanted ? arrays->stage + tensor->offset : NULL);
    }
    return status;
}

/* Copy the staged data into the leaves. This cannot fail. */
static void pytree__npz_hand_out(const pytree__wanted *w, const pytree__npz_arrays *arrays)
{
    size_t i;
    for (i = 0; i < w->n; i++) {
        const pytree_tensor *tensor;
        const pytree_leaf *leaf = &w->leaves[i];
        size_t count = pytree_leaf_count(leaf), bytes;
        const char *from;
        if (w->tensors[i] == SIZE_MAX || count == 0) { continue; }
        tensor = &arrays->tensors[w->tensors[i]];
        bytes = count * tensor->type->size;
        from = arrays->stage + tensor->offset + (w->slices[i] == PYTREE_WHOLE ? 0 : (size_t)w->slices[i] * bytes);
        if (tensor->type->dtype == leaf->type->dtype) {
            memcpy(leaf->data, from, bytes);
        } else {
            pytree__convert(leaf->type->dtype, leaf->data, tensor->type->dtype, from, count);
        }
    }
}

static pytree_status pytree__npz_load(pytree__npz *z, pytree__wanted *w)
{
    pytree__npz_arrays arrays;
    pytree__name_index names;
    pytree_status status = pytree__npz_list(&arrays, z);
    if (status != PYTREE_OK) { return status; }
    status = pytree__name_index_init(&names, arrays.tensors, sizeof *arrays.tensors, arrays.n, z->allocator, z->err);
    if (status == PYTREE_OK) { status = pytree__match(w, arrays.tensors, &names); }
    pytree__name_index_end(&names);
    if (status == PYTREE_OK) { status = pytree__npz_stage(&arrays, w, z); }
    if (status == PYTREE_OK) { status = pytree__npz_fill(z, &arrays); }
    if (status == PYTREE_OK) { pytree__npz_hand_out(w, &arrays); }
    if (arrays.stage != NULL) { (void)pytree__resize(z->allocator, arrays.stage, arrays.stage_bytes, 0); }
    (void)pytree__resize(z->allocator, arrays.tensors, arrays.bytes, 0);
    return status;
}

pytree_status pytree_load_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options own;
    pytree__wanted w;
    pytree_status status;
    memset(&own, 0, sizeof own);
    if (opt == NULL) { opt = &own; }
    status = pytree__wanted_begin(&w, t, PYTREE__NPY_HOLDS | (opt->convert ? 1u << PYTREE_BF16 : 0u), false, opt, err);
    if (status == PYTREE_OK) {
        pytree__npz z;
        status = pytree__npz_open(&z, path, opt, err);
        if (status == PYTREE_OK) { status = pytree__npz_load(&z, &w); }
        pytree__npz_close(&z);
    }
    pytree__wanted_end(&w);
    return status;
}

/* ---- New arrays ---------------------------------------------------------------------------------------------------- */

/* The block of pytree_read_npz: this, then the pairs, the views, the names, the arrays. */
typedef struct pytree__npz_owner {
    pytree_items items;
    const pytree_allocator *allocator;
    size_t bytes;
} pytree__npz_owner;

void pytree_npz_free(pytree arrays)
{
    pytree__npz_owner *owner = (pytree__npz_owner *)arrays.data;
    if (owner != NULL) { (void)pytree__resize(owner->allocator, owner, owner->bytes, 0); }
}

/* Where the parts of that block begin; its last part, the arrays, is aligned to `align`. */
typedef struct pytree__npz_plan {
    size_t n, pairs, leaves, names, arrays, bytes;
} pytree__npz_plan;

static void pytree__npz_make_plan(pytree__npz_plan *plan, const pytree__npz *z, size_t align)
{
    size_t i;
    memset(plan, 0, sizeof *plan);
    for (i = 0; i < z->n; i++) {
        if (!z->members[i].array) { continue; }
        plan->n++;
        plan->bytes = pytree__round(pytree__plus(plan->bytes, z->members[i].head.bytes), align);
    }
    plan->pairs = pytree__round(sizeof(pytree__npz_owner), sizeof(pytree__npz_block));
    plan->leaves = pytree__plus(plan->pairs, pytree__times(plan->n, sizeof(pytree_pair)));
    plan->names = pytree__plus(plan->leaves, pytree__times(plan->n, sizeof(pytree_leaf)));
    plan->arrays = pytree__plus(plan->names, z->n_texts);
    plan->bytes = pytree__plus(plan->bytes, pytree__plus(plan->arrays, align));
}

/* Read every member, and make a dict of the arrays in the block. */
static pytree_status pytree__npz_fill_block(pytree__npz *z, const pytree__npz_plan *plan, char *block, size_t align)
{
    pytree_pair *pair = (pytree_pair *)(void *)(block + plan->pairs);
    pytree_leaf *leaf = (pytree_leaf *)(void *)(block + plan->leaves);
    char *data = block + plan->arrays;
    pytree_items *items = &((pytree__npz_owner *)(void *)block)->items;
    pytree_status status = PYTREE_OK;
    size_t i;
    data += (align - (uintptr_t)data % align) % align;
    if (z->n_texts != 0) { memcpy(block + plan->names, z->texts, z->n_texts); }
    items->count = plan->n;
    items->pairs = pair;
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        const pytree__npz_member *m = &z->members[i];
        status = pytree__npz_read_member(z, m, m->array ? data : NULL);
        if (!m->array) { continue; }
        *leaf = m->head.array;
        leaf->data = data;
        pair->key = block + plan->names + m->text;
        pair->value = pytree_of_view(leaf);
        data += pytree__round(m->head.bytes, align);
        pair++;
        leaf++;
    }
    return status;
}

static pytree_status pytree__npz_read_all(pytree__npz *z, pytree *arrays, const pytree_options *opt)
{
    size_t align;
    pytree__npz_plan plan;
    pytree__npz_owner *owner;
    pytree_status status = pytree__new_alignment(opt, &align, z->err);
    if (status != PYTREE_OK) { return status; }
    pytree__npz_make_plan(&plan, z, align);
    owner = (pytree__npz_owner *)pytree__resize(z->allocator, NULL, 0, plan.bytes);
    if (owner == NULL) { return pytree__no_memory(z->err, plan.bytes); }
    memset(owner, 0, sizeof *owner);
    owner->allocator = z->allocator;
    owner->bytes = plan.bytes;
    arrays->type = &pytree_types[PYTREE__T_dict];
    arrays->data = owner;
    status = pytree__npz_fill_block(z, &plan, (char *)owner, align);
    if (status != PYTREE_OK) {
        pytree_npz_free(*arrays);
        arrays->data = NULL;
    }
    return status;
}

pytree_status pytree_read_npz(const char *path, pytree *arrays, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree__npz z;
    pytree_status status;
    memset(arrays, 0, sizeof *arrays);
    status = pytree__npz_open(&z, path, opt, err);
    if (status == PYTREE_OK) { status = pytree__npz_read_all(&z, arrays, pytree__npy_tree(opt)); }
    pytree__npz_close(&z);
    return status;
}

#include "npz_save.h"
#endif
