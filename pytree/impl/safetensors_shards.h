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

/* Open file number i and read its header. */
static pytree_status pytree__st_open_file(struct pytree__ck *ck, size_t i, const char *path, size_t folder, const char *name,
                                          const pytree_io *io)
{
    pytree_status status = pytree__ck_open_file(ck, i, path, folder, name, io);
    return status == PYTREE_OK ? pytree__st_read_header(ck, &ck->files[i], i) : status;
}

static bool pytree__st_plain(const char *file)
{
    return file[0] != '\0' && strcmp(file, ".") != 0 && strcmp(file, "..") != 0 && strpbrk(file, "/\\") == NULL;
}

static bool pytree__st_weight_map(struct pytree__ck *ck, struct pytree__json *j)
{
    bool first = true, good = pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        struct pytree__st_shard *s;
        char *name, *file;
        if (!pytree__js_text(j, &name) || !pytree__js_take(j, ':') || !pytree__js_text(j, &file)) { return false; }
        if (!pytree__st_plain(file)) { return pytree__js_wrong(j, "the plain name of a file beside the index", file); }
        s = (struct pytree__st_shard *)pytree__vector_add(&ck->entries, 1, ck->err);
        if (s == NULL) { return false; }
        s->name = name;
        s->file = file;
    }
    return good;
}

static bool pytree__st_index(struct pytree__ck *ck, struct pytree__json *j)
{
    bool first = true, good, any = false;
    good = pytree__js_utf8(j) && pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key;
        good = pytree__js_key(j, &key);
        if (!good) { break; }
        if (j->nul || strcmp(key, "weight_map") != 0) { good = pytree__js_skip(j, 1); continue; }
        good = any ? pytree__js_wrong(j, "one weight_map", key) : pytree__st_weight_map(ck, j);
        any = true;
    }
    if (good && (pytree__js_peek(j) != '\0' || j->at != j->end)) { good = pytree__js_fail(j, "the end"); }
    if (good && !any) { good = pytree__js_wrong(j, "a weight_map", "none"); }
    return good;
}

static pytree_status pytree__st_read_index(struct pytree__ck *ck, const char *path, const pytree_io *io)
{
    pytree__file file;
    struct pytree__json j;
    pytree_status status = pytree__file_open(&file, path, io, ck->err);
    if (status != PYTREE_OK) { return status; }
    if (file.size > PYTREE__ST_HEADER) {
        status = pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected an index of at most %d bytes, got %llu in '%s'",
                             (int)PYTREE__ST_HEADER, (unsigned long long)file.size, path);
    } else {
        ck->text_bytes = (size_t)file.size + 1;
        ck->text = (char *)pytree__resize(ck->allocator, NULL, 0, ck->text_bytes);
        status = ck->text == NULL ? pytree__no_memory(ck->err, ck->text_bytes)
                                   : pytree__file_read(&file, 0, ck->text, ck->text_bytes - 1);
    }
    pytree__file_close(&file);
    if (status != PYTREE_OK) { return status; }
    memset(&j, 0, sizeof j);
    j.begin = j.at = ck->text;
    j.end = ck->text + ck->text_bytes - 1;
    j.what = "index";
    j.path = path;
    j.err = ck->err;
    return pytree__st_index(ck, &j) ? PYTREE_OK : PYTREE_SYNTAX;
}

/* Number the files in the order of their first mention. *first[k]: an entry that names file k. */
static pytree_status pytree__st_number_files(struct pytree__ck *ck, size_t *n_files)
{
    struct pytree__st_shard *s = (struct pytree__st_shard *)ck->entries.data;
    pytree__name_index names, files;
    size_t i, twice;
    pytree_status status = pytree__name_index_init(&names, s, sizeof *s, ck->entries.count, ck->allocator, ck->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&names);
    pytree__name_index_end(&names);
    if (twice != SIZE_MAX) {
        return pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected each name once in weight_map, got '%.100s' twice",
                           s[twice].name);
    }
    status =
        pytree__name_index_init(&files, ck->entries.count == 0 ? NULL : &s[0].file, sizeof *s, ck->entries.count, ck->allocator,
                                ck->err);
    if (status != PYTREE_OK) { return status; }
    for (*n_files = 0, i = 0; i < ck->entries.count; i++) { s[i].number = SIZE_MAX; }
    for (i = 0; i < ck->entries.count; i++) {
        size_t same = pytree__name_index_find(&files, s[i].file);              /* always the same entry for one file name */
        if (s[same].number == SIZE_MAX) { s[same].number = (*n_files)++; }
        s[i].number = s[same].number;
    }
    pytree__name_index_end(&files);
    return PYTREE_OK;
}

static pytree_status pytree__st_open_shards(struct pytree__ck *ck, const char *path, const pytree_io *io)
{
    const char *slash = strrchr(path, '/');
    const struct pytree__st_shard *s;
    size_t i, n_files = 0, opened = 0;
    pytree_status status = pytree__st_read_index(ck, path, io);
    if (status == PYTREE_OK) { status = pytree__st_number_files(ck, &n_files); }
    if (status == PYTREE_OK && n_files != 0) { status = pytree__ck_room(ck, n_files); }
    s = (const struct pytree__st_shard *)ck->entries.data;
    for (i = 0; status == PYTREE_OK && i < ck->entries.count; i++) {
        if (s[i].number != opened) { continue; }
        status = pytree__st_open_file(ck, opened++, path, slash == NULL ? 0 : (size_t)(slash - path) + 1, s[i].file, io);
    }
    if (status == PYTREE_OK) { status = pytree__ck_finish(ck); }
    for (i = 0; status == PYTREE_OK && i < ck->entries.count; i++) {
        size_t t = pytree__name_index_find(&ck->by_name, s[i].name);
        if (t == SIZE_MAX || ck->shown.tensors[t].file != s[i].number) {
            status =
                pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected '%.100s' in '%s', as the index says, got a file without it",
                            s[i].name, ck->paths[s[i].number]);
        }
    }
    if (status == PYTREE_OK && ck->shown.n_tensors != ck->entries.count) {
        status = pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected the %zu tensors of the index '%s', got %zu in its files",
                             ck->entries.count, path, ck->shown.n_tensors);
    }
    return status;
}

static bool pytree__st_sharded(const char *path)
{
    static const char ending[] = ".index.json";
    size_t n = strlen(path);
    return n >= sizeof ending - 1 && strcmp(path + n - (sizeof ending - 1), ending) == 0;
}

pytree_safetensors *pytree_safetensors_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    pytree_error own;
    struct pytree__ck *ck;
    pytree_status status;
    opt = pytree__ck_options(opt, &none);
    ck = pytree__ck_new(path, opt, PYTREE__ST_HOLDS, err);
    if (ck == NULL) { return NULL; }
    memset(&own, 0, sizeof own);
    ck->err = &own;
    ck->entries = pytree__vector_of(sizeof(struct pytree__st_shard), ck->allocator);
    if (pytree__st_sharded(path)) {
        status = pytree__st_open_shards(ck, path, opt->io);
    } else {
        status = pytree__ck_room(ck, 1);
        if (status == PYTREE_OK) { status = pytree__st_open_file(ck, 0, path, 0, path, opt->io); }
        if (status == PYTREE_OK) { status = pytree__ck_finish(ck); }
    }
    return pytree__ck_hand_over(ck, status, &own, err);
}

const pytree_tensor *pytree_safetensors_find(const pytree_safetensors *file, const char *name)
{
    return pytree_checkpoint_find(file, name);
}

pytree_status pytree_safetensors_read(const pytree_safetensors *file, const pytree_tensor *tensor, void *to, size_t size,
                                      pytree_error *err)
{
    return pytree_checkpoint_read(file, tensor, to, size, err);
}

pytree_safetensors *pytree_safetensors_map(const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_safetensors *file = pytree_safetensors_open(path, opt, err);
    if (file == NULL || pytree_checkpoint_map(file, err) == PYTREE_OK) { return file; }
    pytree_checkpoint_close(file);
    return NULL;
}

pytree_status pytree_safetensors_load(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err)
{
    return pytree_checkpoint_load(file, t, opt, err);
}

pytree_status pytree_load_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_load_path(pytree_safetensors_open, path, t, opt, err);
}

pytree_safetensors *pytree_mmap_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_mmap_path(pytree_safetensors_open, path, t, opt, err);
}

pytree_status pytree_allocate_from_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                               pytree_error *err)
{
    return pytree__ck_allocate_path(pytree_safetensors_open, path, t, opt, err);
}

void pytree_safetensors_close(pytree_safetensors *file) { pytree_checkpoint_close(file); }

#include "safetensors_save.h"
#endif
