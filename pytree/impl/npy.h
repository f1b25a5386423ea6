/* pytree/impl/npy.h: saving, loading and reading .npy files. */
#ifndef PYTREE_IMPL_NPY_H
#define PYTREE_IMPL_NPY_H

#include "npy_format.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

static const pytree_io *pytree__npy_io(const pytree_checkpoint_options *opt);            /* NULL: the default */
static const pytree_options *pytree__npy_tree(const pytree_checkpoint_options *opt);
static pytree_status pytree__npy_write_file(void *context, const void *bytes, size_t n); /* context: a pytree__save */

/* ---- Files --------------------------------------------------------------------------------------------------------- */

static const pytree_io *pytree__npy_io(const pytree_checkpoint_options *opt) { return opt == NULL ? NULL : opt->io; }
static const pytree_options *pytree__npy_tree(const pytree_checkpoint_options *opt) { return opt == NULL ? NULL : &opt->tree; }

/* Get the only leaf of a tree, whose type the format must have. */
static pytree_status pytree__npy_one_leaf(pytree t, pytree_leaf *leaf, const pytree_checkpoint_options *opt, pytree_error *err)
{
    size_t n = 0;
    pytree_status status = pytree_leaves(t, leaf, 1, &n, pytree__npy_tree(opt), err);
    if (status != PYTREE_OK) { return status; }
    if (n == 0) { return pytree_fail(err, PYTREE_TOO_FEW_LEAVES, NULL, "expected a tree of one array, got no leaves"); }
    if (leaf->form == PYTREE_FORM_DEVICE) { return pytree__refuse_device(NULL, leaf, err); }
    if (leaf->form != PYTREE_FORM_LEAF || pytree__npy_word_of(leaf->type) == NULL) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected an element type that .npy has, got %s",
                           leaf->form == PYTREE_FORM_NONE ? "None" : pytree_dtype_name(leaf->type));
    }
    return PYTREE_OK;
}

static pytree_status pytree__npy_write_file(void *context, const void *bytes, size_t n)
{
    return pytree__save_write((pytree__save *)context, bytes, n);
}

pytree_status pytree_save_npy(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree__save save;
    pytree_leaf leaf;
    char head[PYTREE__NPY_HEAD];
    pytree_status status = pytree__npy_one_leaf(t, &leaf, opt, err);
    if (status != PYTREE_OK) { return status; }
    if (pytree__save_begin(&save, path, pytree__npy_io(opt), pytree__npy_tree(opt), err) == PYTREE_OK
        && pytree__save_write(&save, head, pytree__npy_put_head(head, &leaf)) == PYTREE_OK) {
        (void)pytree__npy_put_data(&leaf, pytree__npy_write_file, &save);
    }
    return pytree__save_end(&save);
}

static pytree_status pytree__npy_read_file(pytree__npy_source *from, void *to, size_t n)
{
    const pytree__file *file = (const pytree__file *)from->context;
    pytree_status status = pytree__file_read(file, file->size - from->left, to, n);
    from->left -= n;
    return status;
}

/* Open a file and read its header. After a failure nothing needs to be closed. */
static pytree_status pytree__npy_open(pytree__npy_source *from, pytree__file *file, pytree__npy_head *head, const char *path,
                                      const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_status status = pytree__file_open(file, path, pytree__npy_io(opt), err);
    if (status != PYTREE_OK) { return status; }
    from->read = pytree__npy_read_file;
    from->left = file->size;
    from->name = path;
    from->err = err;
    from->context = file;
    status = pytree__npy_read_head(from, head);
    if (status != PYTREE_OK) { pytree__file_close(file); }
    return status;
}

/* Check that the header fits the leaf. */
static pytree_status pytree__npy_fits(const pytree__npy_source *from, const pytree__npy_head *head, const pytree_leaf *leaf,
                                      bool convert)
{
    const pytree_leaf *array = &head->array;
    bool type = array->type->dtype == leaf->type->dtype
                || (convert && pytree__convertible(array->type->dtype) && pytree__convertible(leaf->type->dtype));
    bool shape = array->ndim == leaf->ndim
                 && memcmp(array->shape, leaf->shape, (size_t)leaf->ndim * sizeof leaf->shape[0]) == 0;
    char wanted[160], found[160];
    if (type && shape) { return PYTREE_OK; }
    pytree__npy_describe(wanted, sizeof wanted, leaf);
    pytree__npy_describe(found, sizeof found, array);
    return pytree__npy_fail(from, type ? PYTREE_SHAPE : PYTREE_TYPE, "expected %s, got %s", wanted, found);
}

/* Through a block of its own: what fails half-way must not have touched the leaf. */
static pytree_status pytree__npy_load(pytree__npy_source *from, const pytree__npy_head *head, const pytree_leaf *leaf,
                                      const pytree_checkpoint_options *opt)
{
    const pytree_allocator *a = pytree__allocator(pytree__npy_tree(opt));
    void *block;
    pytree_status status = pytree__npy_fits(from, head, leaf, opt != NULL && opt->convert);
    if (status != PYTREE_OK || head->bytes == 0) { return status; }
    block = pytree__resize(a, NULL, 0, head->bytes);
    if (block == NULL) { return pytree__no_memory(from->err, head->bytes); }
    status = pytree__npy_read_data(from, head, block);
    if (status == PYTREE_OK) {
        if (head->array.type->dtype == leaf->type->dtype) {
            memcpy(leaf->data, block, head->bytes);
        } else {
            pytree__convert(leaf->type->dtype, leaf->data, head->array.type->dtype, block, pytree_leaf_count(leaf));
        }
    }
    (void)pytree__resize(a, block, head->bytes, 0);
    return status;
}

pytree_status pytree_load_npy(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree__npy_source from;
    pytree__npy_head head;
    pytree__file file;
    pytree_leaf leaf;
    pytree_status status = pytree__npy_one_leaf(t, &leaf, opt, err);
    if (status == PYTREE_OK) { status = pytree__npy_open(&from, &file, &head, path, opt, err); }
    if (status != PYTREE_OK) { return status; }
    status = pytree__npy_load(&from, &head, &leaf, opt);
    pytree__file_close(&file);
    return status;
}

/* ---- New arrays ---------------------------------------------------------------------------------------------------- */

/* The header of an array that pytree_read_npy allocated, before its data. */
typedef struct pytree__npy_owner {
    const pytree_allocator *allocator;
    void *block;
    size_t bytes;
} pytree__npy_owner;

/* A block with the owner, and room for the data at the alignment that the options ask for. */
static pytree_status pytree__npy_new(pytree_leaf *array, size_t bytes, const pytree_options *opt, pytree_error *err)
{
    size_t align, room;
    pytree__npy_owner owner;
    char *block, *data;
    const pytree_status status = pytree__new_alignment(opt, &align, err);
    if (status != PYTREE_OK) { return status; }
    room = pytree__plus(sizeof owner, pytree__plus(align, bytes));
    block = (char *)pytree__resize(pytree__allocator(opt), NULL, 0, room);
    if (block == NULL) { return pytree__no_memory(err, room); }
    data = block + sizeof owner;
    data += (align - (uintptr_t)data % align) % align;
    owner.allocator = pytree__allocator(opt);
    owner.block = block;
    owner.bytes = room;
    memcpy(data - sizeof owner, &owner, sizeof owner);
    array->data = data;
    return PYTREE_OK;
}

void pytree_npy_free(pytree_leaf *array)
{
    if (array == NULL) { return; }
    if (array->data != NULL) {
        pytree__npy_owner owner;
        memcpy(&owner, (char *)array->data - sizeof owner, sizeof owner);
        (void)pytree__resize(owner.allocator, owner.block, owner.bytes, 0);
    }
    memset(array, 0, sizeof *array);
}

pytree_status pytree_read_npy(const char *path, pytree_leaf *array, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree__npy_source from;
    pytree__npy_head head;
    pytree__file file;
    pytree_status status;
    memset(array, 0, sizeof *array);
    status = pytree__npy_open(&from, &file, &head, path, opt, err);
    if (status != PYTREE_OK) { return status; }
    status = pytree__npy_new(&head.array, head.bytes, pytree__npy_tree(opt), err);
    if (status == PYTREE_OK) {
        *array = head.array;
        status = pytree__npy_read_data(&from, &head, array->data);
        if (status != PYTREE_OK) { pytree_npy_free(array); }
    }
    pytree__file_close(&file);
    return status;
}

#endif
