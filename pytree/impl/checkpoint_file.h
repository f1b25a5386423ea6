/* pytree/impl/checkpoint_file.h: checkpoint files of any format: opened, mapped, closed. */
#ifndef PYTREE_IMPL_CHECKPOINT_FILE_H
#define PYTREE_IMPL_CHECKPOINT_FILE_H

#include "internal.h"
#include "../checkpoint_file.h"
#include "checkpoint_wants.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

enum { PYTREE__CK_DIMS = 64, PYTREE__CK_SCRATCH = 1 << 18 };

/* One of the files. */
struct pytree__ck_file {
    pytree__file file;
    char *path;
    size_t path_bytes;
    char *header;                         /* names and metadata point into it */
    size_t header_bytes;
    struct pytree__vector shapes;         /* uint64_t; strides, too */
    uint64_t data;                        /* offset of the data */
    const void *bytes;                    /* the whole file in memory, or NULL */
    bool mapped;                          /* by the table of I/O */
};

struct pytree__ck_loader;

struct pytree__ck {
    pytree_checkpoint shown;              /* first */
    const pytree_allocator *allocator;
    struct pytree__ck_file *files;
    const char **paths;
    size_t n_files;                       /* there is room for; shown.n_files are open */
    struct pytree__vector tensors, metadata;
    struct pytree__vector entries;        /* of the format: shards of an index, keys of GGUF's metadata, storages of .pt */
    pytree__name_index by_name;
    char *text;                           /* of the format: an index, names */
    size_t text_bytes;
    void *copies;                         /* of data that cannot be used in place */
    size_t copies_bytes;
    uint32_t holds;                       /* a bit for each element type of the format */
    bool big;                             /* its numbers are big-endian */
    const pytree_items *tree;             /* GGUF's metadata, in `text` */
    /* Check what lies in the file beside the n leaves that a load asks for, such as checksums of .pt. NULL: nothing does. */
    pytree_status (*verify)(struct pytree__ck_loader *l, size_t n);
    pytree_error *err;
};

/* Element types that most formats have. */
#define PYTREE__CK_NUMBERS                                                                                              \
    (1u << PYTREE_BOOL8 | 1u << PYTREE_I8 | 1u << PYTREE_I16 | 1u << PYTREE_I32 | 1u << PYTREE_I64 | 1u << PYTREE_U8      \
     | 1u << PYTREE_U16 | 1u << PYTREE_U32 | 1u << PYTREE_U64 | 1u << PYTREE_F16 | 1u << PYTREE_BF16 | 1u << PYTREE_F32   \
     | 1u << PYTREE_F64)

/* Return a type of C with these elements, or NULL. */
const pytree_type *pytree__ck_type(pytree_dtype dtype);

typedef pytree_checkpoint *pytree__ck_open_fn(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

struct pytree__ck *pytree__ck_of(const pytree_checkpoint *file);
/* Return the options, or the defaults in *none. */
const pytree_checkpoint_options *pytree__ck_options(const pytree_checkpoint_options *opt, pytree_checkpoint_options *none);
/* Make a file without contents, for a path that must not be NULL. Returns NULL on error. */
struct pytree__ck *pytree__ck_new(const char *path, const pytree_checkpoint_options *opt, uint32_t holds, pytree_error *err);
pytree_status pytree__ck_room(struct pytree__ck *ck, size_t n_files);
/* Open file number i. Its path: the first `folder` bytes of `path`, then the name. */
pytree_status pytree__ck_open_file(struct pytree__ck *ck, size_t i, const char *path, size_t folder, const char *name,
                                   const pytree_io *io);
/* Complete the public part of an opened file, whichever way it was opened. */
pytree_status pytree__ck_finish(struct pytree__ck *ck);
/* Hand an opened file to the caller, or close it and pass on the error in *own. */
pytree_checkpoint *pytree__ck_hand_over(struct pytree__ck *ck, pytree_status status, pytree_error *own, pytree_error *err);
/* Pass an error on to the caller. The work uses an error object of its own, so that it knows the status even if the caller
 * passed NULL or an error that is already set. */
pytree_status pytree__ck_pass_on(pytree_error *own, pytree_error *err);
pytree__file pytree__ck_reader(const struct pytree__ck *ck, size_t number, pytree_error *err);

/* Convert n bytes of elements between the byte order of the machine and that of the file. */
void pytree__ck_swap(bool big, const pytree_type *type, void *elements, size_t n);

/* Hand the elements of a leaf over in little-endian order: at once, or on a big-endian machine piece by piece. */
typedef void pytree__ck_put_fn(void *context, const void *bytes, size_t n);
void pytree__ck_put(const pytree_leaf *leaf, pytree__ck_put_fn *put, void *context);

/* What a path's file is opened for; it is closed again, except by the second. */
pytree_status pytree__ck_load_path(pytree__ck_open_fn *open, const char *path, pytree t, const pytree_checkpoint_options *opt,
                                   pytree_error *err);
pytree_checkpoint *pytree__ck_mmap_path(pytree__ck_open_fn *open, const char *path, pytree t,
                                        const pytree_checkpoint_options *opt, pytree_error *err);
pytree_status pytree__ck_allocate_path(pytree__ck_open_fn *open, const char *path, pytree t,
                                       const pytree_checkpoint_options *opt, pytree_error *err);

/* ---- Open and close ------------------------------------------------------------------------------------------------ */

const pytree_type *pytree__ck_type(pytree_dtype dtype)
{
    static const int types[] = {
        PYTREE__T_bool_, PYTREE__T_schar, PYTREE__T_short_, PYTREE__T_int_, PYTREE__T_long_, PYTREE__T_llong, PYTREE__T_uchar,
        PYTREE__T_ushort, PYTREE__T_uint, PYTREE__T_ulong, PYTREE__T_ullong, PYTREE__T_f16, PYTREE__T_bf16, PYTREE__T_float_,
        PYTREE__T_double_, PYTREE__T_cfloat, PYTREE__T_cdouble
    };
    size_t i;
    for (i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (pytree_types[types[i]].dtype == dtype) { return &pytree_types[types[i]]; }
    }
    return NULL;
}

struct pytree__ck *pytree__ck_of(const pytree_checkpoint *file) { return (struct pytree__ck *)(uintptr_t)file; }

const pytree_checkpoint_options *pytree__ck_options(const pytree_checkpoint_options *opt, pytree_checkpoint_options *none)
{
    memset(none, 0, sizeof *none);
    return opt == NULL ? none : opt;
}

pytree_status pytree__ck_pass_on(pytree_error *own, pytree_error *err)
{
    pytree__no_controls(own->message);
    if (err != NULL && err->status == PYTREE_OK) { *err = *own; }
    return own->status;
}

void pytree__ck_swap(bool big, const pytree_type *type, void *elements, size_t n)
{
    const bool parts = type->dtype == PYTREE_C64 || type->dtype == PYTREE_C128;
    const size_t word = parts ? type->size / 2 : type->size;
    if (word > 1 && big == pytree__little_endian()) { pytree__swap(elements, word, n / word); }
}

void pytree__ck_put(const pytree_leaf *leaf, pytree__ck_put_fn *put, void *context)
{
    const char *from = (const char *)leaf->data;
    size_t left = pytree_leaf_bytes(leaf), n;
    char piece[1024];                     /* a whole number of elements of any type */
    if (leaf->type->size == 1 || pytree__little_endian()) { put(context, from, left); return; }
    for (; left != 0; left -= n, from += n) {
        n = left < sizeof piece ? left : sizeof piece;
        memcpy(piece, from, n);
        pytree__ck_swap(false, leaf->type, piece, n);
        put(context, piece, n);
    }
}

struct pytree__ck *pytree__ck_new(const char *path, const pytree_checkpoint_options *opt, uint32_t holds, pytree_error *err)
{
    struct pytree__ck *ck;
    if (path == NULL) {
        (void)pytree_fail(err, PYTREE_NULL_POINTER, NULL, "expected the path of a file, got NULL");
        return NULL;
    }
    ck = (struct pytree__ck *)pytree__resize(opt->tree.allocator, NULL, 0, sizeof *ck);
    if (ck == NULL) { (void)pytree__no_memory(err, sizeof *ck); return NULL; }
    memset(ck, 0, sizeof *ck);
    ck->allocator = opt->tree.allocator;
    ck->holds = holds;
    ck->tensors = pytree__vector_of(sizeof(pytree_tensor), ck->allocator);
    ck->metadata = pytree__vector_of(sizeof(pytree_metadata), ck->allocator);
    return ck;
}

void pytree_checkpoint_close(pytree_checkpoint *file)
{
    struct pytree__ck *ck = pytree__ck_of(file);
    const pytree_allocator *a;
    size_t i;
    if (ck == NULL) { return; }
    a = ck->allocator;
    for (i = 0; i < ck->n_files; i++) {
        struct pytree__ck_file *f = &ck->files[i];
        if (f->mapped) { f->file.io->unmap(f->file.io->context, f->bytes, f->file.size); }
        else if (f->bytes != NULL) { (void)pytree__resize(a, (void *)(uintptr_t)f->bytes, (size_t)f->file.size, 0); }
        pytree__file_close(&f->file);
        pytree__vector_free(&f->shapes);
        if (f->header != NULL) { (void)pytree__resize(a, f->header, f->header_bytes, 0); }
        if (f->path != NULL) { (void)pytree__resize(a, f->path, f->path_bytes, 0); }
    }
    if (ck->files != NULL) { (void)pytree__resize(a, ck->files, ck->n_files * (sizeof *ck->files + sizeof *ck->paths), 0); }
    if (ck->text != NULL) { (void)pytree__resize(a, ck->text, ck->text_bytes, 0); }
    if (ck->copies != NULL) { (void)pytree__resize(a, ck->copies, ck->copies_bytes, 0); }
    pytree__name_index_end(&ck->by_name);
    pytree__vector_free(&ck->tensors);
    pytree__vector_free(&ck->metadata);
    pytree__vector_free(&ck->entries);
    (void)pytree__resize(a, ck, sizeof *ck, 0);
}

pytree_status pytree__ck_room(struct pytree__ck *ck, size_t n_files)
{
    size_t bytes = pytree__times(n_files, sizeof *ck->files + sizeof *ck->paths), i;
    ck->files = (struct pytree__ck_file *)pytree__resize(ck->allocator, NULL, 0, bytes);
    if (ck->files == NULL) { return pytree__no_memory(ck->err, bytes); }
    memset(ck->files, 0, bytes);
    ck->paths = (const char **)(void *)(ck->files + n_files);
    ck->n_files = n_files;
    for (i = 0; i < n_files; i++) { ck->files[i].shapes = pytree__vector_of(sizeof(uint64_t), ck->allocator); }
    return PYTREE_OK;
}

pytree_status pytree__ck_open_file(struct pytree__ck *ck, size_t i, const char *path, size_t folder, const char *name,
                                   const pytree_io *io)
{
    struct pytree__ck_file *f = &ck->files[i];
    f->path_bytes = folder + strlen(name) + 1;
    f->path = (char *)pytree__resize(ck->allocator, NULL, 0, f->path_bytes);
    if (f->path == NULL) { return pytree__no_memory(ck->err, f->path_bytes); }
    memcpy(f->path, path, folder);
    memcpy(f->path + folder, name, strlen(name) + 1);
    ck->paths[i] = f->path;
    return pytree__file_open(&f->file, f->path, io, ck->err);
}

pytree_status pytree__ck_finish(struct pytree__ck *ck)
{
    size_t twice;
    pytree_status status =
        pytree__name_index_init(&ck->by_name, ck->tensors.data, sizeof(pytree_tensor), ck->tensors.count, ck->allocator,
                                ck->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&ck->by_name);
    if (twice != SIZE_MAX) {
        const pytree_tensor *t = (const pytree_tensor *)ck->tensors.data + twice;
        return pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected each name once, got '%.100s' twice in '%s'", t->name,
                           ck->files[t->file].path);
    }
    ck->shown.n_tensors = ck->tensors.count;
    ck->shown.tensors = (const pytree_tensor *)ck->tensors.data;
    ck->shown.n_metadata = ck->metadata.count;
    ck->shown.metadata = (const pytree_metadata *)ck->metadata.data;
    ck->shown.n_files = ck->n_files;
    ck->shown.files = ck->paths;
    ck->shown.swapped = ck->big == pytree__little_endian();
    ck->shown.data_offset = ck->n_files == 0 ? 0 : ck->files[0].data;
    return PYTREE_OK;
}

pytree_checkpoint *pytree__ck_hand_over(struct pytree__ck *ck, pytree_status status, pytree_error *own, pytree_error *err)
{
    ck->err = NULL;
    if (status == PYTREE_OK) { return &ck->shown; }
    (void)pytree__ck_pass_on(own, err);
    pytree_checkpoint_close(&ck->shown);
    return NULL;
}

/* ---- Tensors ------------------------------------------------------------------------------------------------------- */

const pytree_tensor *pytree_checkpoint_find(const pytree_checkpoint *file, const char *name)
{
    size_t i = file == NULL || name == NULL ? SIZE_MAX : pytree__name_index_find(&pytree__ck_of(file)->by_name, name);
    return i == SIZE_MAX ? NULL : &file->tensors[i];
}

pytree__file pytree__ck_reader(const struct pytree__ck *ck, size_t number, pytree_error *err)
{
    pytree__file f = ck->files[number].file;
    f.err = err;
    return f;
}

/* Bring a whole file into memory: map it, or read it where mapping is not possible. */
static pytree_status pytree__ck_map_file(struct pytree__ck *ck, struct pytree__ck_file *f, pytree_error *err)
{
    const pytree_io *io = f->file.io;
    const int before = PYTREE__GET_ERRNO();
    pytree__file reader = f->file;
    void *bytes;
    reader.err = err;
    f->mapped = io->map != NULL && io->map(io->context, f->file.handle, f->file.size, &f->bytes) == 0;
    PYTREE__SET_ERRNO(before);
    if (f->mapped) { return PYTREE_OK; }
    f->bytes = NULL;
    bytes = f->file.size >= SIZE_MAX ? NULL : pytree__resize(ck->allocator, NULL, 0, (size_t)f->file.size);
    if (bytes == NULL) { return pytree__no_memory(err, f->file.size < SIZE_MAX ? (size_t)f->file.size : SIZE_MAX); }
    f->bytes = bytes;
    return pytree__file_read(&reader, 0, bytes, (size_t)f->file.size);
}

pytree_status pytree_checkpoint_map(pytree_checkpoint *file, pytree_error *err)
{
    struct pytree__ck *ck = pytree__ck_of(file);
    size_t i;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    for (i = 0; i < file->n_files; i++) {
        const pytree_status status = ck->files[i].bytes == NULL ? pytree__ck_map_file(ck, &ck->files[i], err) : PYTREE_OK;
        if (status != PYTREE_OK) { return status; }
    }
    for (i = 0; i < file->n_tensors; i++) {
        pytree_tensor *t = (pytree_tensor *)ck->tensors.data + i;
        t->data = (const char *)ck->files[t->file].bytes + t->offset;
    }
    return PYTREE_OK;
}

#include "checkpoint_load.h"
#endif
