/* pytree/impl/safetensors_shards.h: sharded checkpoints. */
#ifndef PYTREE_IMPL_SAFETENSORS_SHARDS_H
#define PYTREE_IMPL_SAFETENSORS_SHARDS_H

#include "safetensors_file.h"

/* ---- Sharded checkpoints ------------------------------------------------------------------------------------------- */

/* An entry of weight_map. */
struct pytree__st_shard {
    const char *name, *file;
    size_t number;
};

static bool pytree__st_plain(const char *file)
{
    return file[0] != '\0' && strcmp(file, ".") != 0 && strcmp(file, "..") != 0 && strpbrk(file, "/\\") == NULL;
}

static bool pytree__st_weight_map(struct pytree__st *st, struct pytree__json *j)
{
    bool first = true, good = pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        struct pytree__st_shard *s;
        char *name, *file;
        if (!pytree__js_text(j, &name) || !pytree__js_take(j, ':') || !pytree__js_text(j, &file)) { return false; }
        if (!pytree__st_plain(file)) { return pytree__js_wrong(j, "the plain name of a file beside the index", file); }
        s = (struct pytree__st_shard *)pytree__vector_add(&st->shards, 1, st->err);
        if (s == NULL) { return false; }
        s->name = name;
        s->file = file;
    }
    return good;
}

static bool pytree__st_index(struct pytree__st *st, struct pytree__json *j)
{
    bool first = true, good, any = false;
    good = pytree__js_utf8(j) && pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key;
        good = pytree__js_key(j, &key);
        if (!good) { break; }
        if (j->nul || strcmp(key, "weight_map") != 0) { good = pytree__js_skip(j, 1); continue; }
        good = any ? pytree__js_wrong(j, "one weight_map", key) : pytree__st_weight_map(st, j);
        any = true;
    }
    if (good && (pytree__js_peek(j) != '\0' || j->at != j->end)) { good = pytree__js_fail(j, "the end"); }
    if (good && !any) { good = pytree__js_wrong(j, "a weight_map", "none"); }
    return good;
}

static pytree_status pytree__st_read_index(struct pytree__st *st, const char *path, const pytree_io *io)
{
    pytree__file file;
    struct pytree__json j;
    pytree_status status = pytree__file_open(&file, path, io, st->err);
    if (status != PYTREE_OK) { return status; }
    if (file.size > PYTREE__ST_HEADER) {
        status = pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected an index of at most %d bytes, got %llu in '%s'",
                             (int)PYTREE__ST_HEADER, (unsigned long long)file.size, path);
    } else {
        st->index_bytes = (size_t)file.size + 1;
        st->index = (char *)pytree__resize(st->allocator, NULL, 0, st->index_bytes);
        status = st->index == NULL ? pytree__no_memory(st->err, st->index_bytes)
                                   : pytree__file_read(&file, 0, st->index, st->index_bytes - 1);
    }
    pytree__file_close(&file);
    if (status != PYTREE_OK) { return status; }
    memset(&j, 0, sizeof j);
    j.begin = j.at = st->index;
    j.end = st->index + st->index_bytes - 1;
    j.what = "index";
    j.path = path;
    j.err = st->err;
    return pytree__st_index(st, &j) ? PYTREE_OK : PYTREE_SYNTAX;
}

/* Number the files in the order of their first mention. *first[k]: an entry that names file k. */
static pytree_status pytree__st_number_files(struct pytree__st *st, size_t *n_files)
{
    struct pytree__st_shard *s = (struct pytree__st_shard *)st->shards.data;
    pytree__name_index names, files;
    size_t i, twice;
    pytree_status status = pytree__name_index_init(&names, s, sizeof *s, st->shards.count, st->allocator, st->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&names);
    pytree__name_index_end(&names);
    if (twice != SIZE_MAX) {
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected each name once in weight_map, got '%.100s' twice",
                           s[twice].name);
    }
    status =
        pytree__name_index_init(&files, st->shards.count == 0 ? NULL : &s[0].file, sizeof *s, st->shards.count, st->allocator,
                                st->err);
    if (status != PYTREE_OK) { return status; }
    for (*n_files = 0, i = 0; i < st->shards.count; i++) { s[i].number = SIZE_MAX; }
    for (i = 0; i < st->shards.count; i++) {
        size_t same = pytree__name_index_find(&files, s[i].file);              /* always the same entry for one file name */
        if (s[same].number == SIZE_MAX) { s[same].number = (*n_files)++; }
        s[i].number = s[same].number;
    }
    pytree__name_index_end(&files);
    return PYTREE_OK;
}

static pytree_status pytree__st_open_shards(struct pytree__st *st, const char *path, const pytree_io *io)
{
    const char *slash = strrchr(path, '/');
    const struct pytree__st_shard *s;
    size_t i, n_files = 0, opened = 0;
    pytree_status status = pytree__st_read_index(st, path, io);
    if (status == PYTREE_OK) { status = pytree__st_number_files(st, &n_files); }
    if (status == PYTREE_OK && n_files != 0) { status = pytree__st_room(st, n_files); }
    s = (const struct pytree__st_shard *)st->shards.data;
    for (i = 0; status == PYTREE_OK && i < st->shards.count; i++) {
        if (s[i].number != opened) { continue; }
        status = pytree__st_open_file(st, opened++, path, slash == NULL ? 0 : (size_t)(slash - path) + 1, s[i].file, io);
    }
    if (status == PYTREE_OK) { status = pytree__st_finish(st); }
    for (i = 0; status == PYTREE_OK && i < st->shards.count; i++) {
        size_t t = pytree__name_index_find(&st->by_name, s[i].name);
        if (t == SIZE_MAX || st->shown.tensors[t].file != s[i].number) {
            status =
                pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected '%.100s' in '%s', as the index says, got a file without it",
                            s[i].name, st->paths[s[i].number]);
        }
    }
    if (status == PYTREE_OK && st->shown.n_tensors != st->shards.count) {
        status = pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected the %zu tensors of the index '%s', got %zu in its files",
                             st->shards.count, path, st->shown.n_tensors);
    }
    return status;
}

static bool pytree__st_sharded(const char *path)
{
    static const char ending[] = ".index.json";
    size_t n = strlen(path);
    return n >= sizeof ending - 1 && strcmp(path + n - (sizeof ending - 1), ending) == 0;
}

/* Return the options, or the defaults in *none. */
static const pytree_checkpoint_options *pytree__st_options(const pytree_checkpoint_options *opt,
                                                           pytree_checkpoint_options *none)
{
    memset(none, 0, sizeof *none);
    return opt == NULL ? none : opt;
}

/* Pass an error on to the caller. The work uses an error object of its own, so that it knows the status even if the caller
 * passed NULL or an error that is already set. */
static pytree_status pytree__st_pass_on(pytree_error *own, pytree_error *err)
{
    pytree__no_controls(own->message);
    if (err != NULL && err->status == PYTREE_OK) { *err = *own; }
    return own->status;
}

pytree_safetensors *pytree_safetensors_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    pytree_error own;
    struct pytree__st *st;
    pytree_status status;
    opt = pytree__st_options(opt, &none);
    if (path == NULL) {
        (void)pytree_fail(err, PYTREE_NULL_POINTER, NULL, "expected the path of a file, got NULL");
        return NULL;
    }
    st = (struct pytree__st *)pytree__resize(opt->tree.allocator, NULL, 0, sizeof *st);
    if (st == NULL) { (void)pytree__no_memory(err, sizeof *st); return NULL; }
    memset(st, 0, sizeof *st);
    memset(&own, 0, sizeof own);
    st->allocator = opt->tree.allocator;
    st->err = &own;
    st->tensors = pytree__vector_of(sizeof(pytree_tensor), st->allocator);
    st->metadata = pytree__vector_of(sizeof(pytree_metadata), st->allocator);
    st->shards = pytree__vector_of(sizeof(struct pytree__st_shard), st->allocator);
    if (pytree__st_sharded(path)) {
        status = pytree__st_open_shards(st, path, opt->io);
    } else {
        status = pytree__st_room(st, 1);
        if (status == PYTREE_OK) { status = pytree__st_open_file(st, 0, path, 0, path, opt->io); }
        if (status == PYTREE_OK) { status = pytree__st_finish(st); }
    }
    st->err = NULL;
    if (status == PYTREE_OK) { return &st->shown; }
    (void)pytree__st_pass_on(&own, err);
    pytree_safetensors_close(&st->shown);
    return NULL;
}

const pytree_tensor *pytree_safetensors_find(const pytree_safetensors *file, const char *name)
{
    size_t i = file == NULL || name == NULL ? SIZE_MAX : pytree__name_index_find(&pytree__st_of(file)->by_name, name);
    return i == SIZE_MAX ? NULL : &file->tensors[i];
}

static pytree__file pytree__st_reader(const struct pytree__st *st, size_t number, pytree_error *err)
{
    pytree__file f = st->files[number].file;
    f.err = err;
    return f;
}

pytree_status pytree_safetensors_read(const pytree_safetensors *file, const pytree_tensor *tensor, void *to, size_t size,
                                      pytree_error *err)
{
    pytree_status status = PYTREE_OK;
    pytree__file f;
    if (file == NULL || tensor == NULL || to == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, a tensor of it and memory for its data, got NULL");
    }
    f = pytree__st_reader(pytree__st_of(file), tensor->file, err);
    if (tensor->bytes != size) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected memory for the %llu bytes of '%.100s', got %zu",
                           (unsigned long long)tensor->bytes, tensor->name, size);
    }
    if (tensor->data != NULL) { memcpy(to, tensor->data, size); }
    else { status = pytree__file_read(&f, tensor->offset, to, size); }
    if (status == PYTREE_OK && tensor->type != NULL) { pytree__st_swap(tensor->type, to, size); }
    return status;
}

/* Bring a whole file into memory: map it, or read it where mapping is not possible. */
static pytree_status pytree__st_map_file(struct pytree__st *st, struct pytree__st_file *f, pytree_error *err)
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
    bytes = f->file.size >= SIZE_MAX ? NULL : pytree__resize(st->allocator, NULL, 0, (size_t)f->file.size);
    if (bytes == NULL) { return pytree__no_memory(err, f->file.size < SIZE_MAX ? (size_t)f->file.size : SIZE_MAX); }
    f->bytes = bytes;
    return pytree__file_read(&reader, 0, bytes, (size_t)f->file.size);
}

pytree_safetensors *pytree_safetensors_map(const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_safetensors *file = pytree_safetensors_open(path, opt, err);
    struct pytree__st *st = pytree__st_of(file);
    pytree_status status = PYTREE_OK;
    size_t i;
    if (file == NULL) { return NULL; }
    for (i = 0; i < file->n_files && status == PYTREE_OK; i++) { status = pytree__st_map_file(st, &st->files[i], err); }
    if (status != PYTREE_OK) { pytree_safetensors_close(file); return NULL; }
    for (i = 0; i < file->n_tensors; i++) {
        pytree_tensor *t = (pytree_tensor *)st->tensors.data + i;
        t->data = (const char *)st->files[t->file].bytes + t->offset;
    }
    return file;
}

#include "safetensors_load.h"
#endif
