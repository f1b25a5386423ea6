/* pytree/impl/pt.h: opening .pt files: the archive, the pickle, and names for what it holds. */
#ifndef PYTREE_IMPL_PT_H
#define PYTREE_IMPL_PT_H

#include "pt_pickle.h"

/* ---- Names of what was saved --------------------------------------------------------------------------------------- */

/* An open container of the walk. */
struct pytree__pt_frame {
    uint32_t link;                        /* the next item; 0: none */
    bool keyed;
    uint64_t index;
    size_t name;                          /* bytes of the container's name */
};

struct pytree__pt_walk {
    struct pytree__pt *p;
    struct pytree__pt_frame frames[PYTREE__PT_LEVELS];
    size_t n_frames;
    struct pytree__pile name, texts;      /* of the current value; of all, with NULs */
    const char *separator;
    size_t most;                          /* bytes in texts */
};

/* Append to the name of a container: a separator, and the key or index of the item. */
static bool pytree__pt_name(struct pytree__pt_walk *w, const struct pytree__pt_frame *f, const struct pytree__pt_link *link)
{
    const struct pytree__pt_value *key = f->keyed ? pytree__pt_at(w->p, link->key) : NULL;
    struct pytree__text_writer to;
    const bool text = key != NULL && key->kind == PYTREE__PT_TEXT;
    size_t n = f->name + strlen(w->separator) + (text ? key->n : 24) + 1;
    w->name.used = 0;
    if (n > w->name.room && !pytree__pile_room(&w->name, n, w->p->err)) { return false; }
    to = pytree__text_to(w->name.text + f->name, w->name.room - f->name, NULL);
    if (f->name != 0) { pytree__put_text(&to, w->separator); }
    if (text) { pytree__text_put(&to, pytree__pt_text(w->p, key), key->n); }
    else if (key != NULL) { pytree__put_integer(&to, key->of.integer); }
    else { pytree__put_number(&to, f->index); }
    w->name.used = f->name + pytree__end_text(&to, w->name.room - f->name);
    return true;
}

/* Keep a string; *at is its place in w->texts. */
static bool pytree__pt_keep(struct pytree__pt_walk *w, const char *text, size_t n, size_t *at)
{
    if (n + 1 > w->most - w->texts.used) {
        return pytree__pt_wrong(w->p, "names of at most 16 times the bytes of the pickle", "longer ones");
    }
    if (n + 1 > w->texts.room - w->texts.used && !pytree__pile_room(&w->texts, n + 1, w->p->err)) { return false; }
    *at = w->texts.used;
    if (n != 0) { memcpy(w->texts.text + w->texts.used, text, n); }
    w->texts.text[w->texts.used + n] = '\0';
    w->texts.used += n + 1;
    return true;
}

/* Places of strings are kept as pointers from NULL on until all strings are there. */
static const char *pytree__pt_later(size_t at) { return (const char *)(uintptr_t)at; }

static bool pytree__pt_list_tensor(struct pytree__pt_walk *w, const struct pytree__pt_value *v)
{
    struct pytree__pt *p = w->p;
    const struct pytree__pt_tensor *from = (const struct pytree__pt_tensor *)p->tensors.data + v->of.at;
    const struct pytree__pt_dtype *dtype = &pytree__pt_dtypes[from->dtype];
    const uint64_t *shape = (const uint64_t *)p->ck->files[0].shapes.data + from->shape;
    pytree_tensor *t;
    size_t at;
    if (!pytree__pt_keep(w, w->name.text, w->name.used, &at)) { return false; }
    t = (pytree_tensor *)pytree__vector_add(&p->ck->tensors, 1, p->err);
    if (t == NULL) { return false; }
    memset(t, 0, sizeof *t);
    t->name = pytree__pt_later(at);
    t->dtype = dtype->name;
    t->type = dtype->dtype == PYTREE_NO_DTYPE ? NULL : pytree__ck_type(dtype->dtype);
    t->ndim = from->ndim;
    t->shape = shape;
    t->strides = from->strided ? shape + from->ndim : NULL;
    t->offset = from->offset;
    t->bytes = from->bytes;
    if (t->strides != NULL && t->type == NULL) {
        return pytree__pt_wrong(p, "row-major order of an element type that C does not have", dtype->name);
    }
    return true;
}

/* List another value as metadata: its name, and what Python prints. */
static bool pytree__pt_list_value(struct pytree__pt_walk *w, const struct pytree__pt_value *v)
{
    char number[64];
    struct pytree__text_writer to = pytree__text_to(number, sizeof number, NULL);
    const char *text = number;
    pytree_metadata *m;
    size_t key, value, n;
    switch (v->kind) {
    case PYTREE__PT_NONE: pytree__put_text(&to, "None"); break;
    case PYTREE__PT_FALSE: pytree__put_text(&to, "False"); break;
    case PYTREE__PT_TRUE: pytree__put_text(&to, "True"); break;
    case PYTREE__PT_INT: pytree__put_integer(&to, v->of.integer); break;
    case PYTREE__PT_FLOAT: pytree__put_float(&to, (long double)v->of.real, 'd'); break;
    case PYTREE__PT_TEXT: text = pytree__pt_text(w->p, v); break;
    default: return pytree__pt_wrong(w->p, "tensors, strings and numbers to be saved", "a storage or a name");
    }
    n = v->kind == PYTREE__PT_TEXT ? v->n : pytree__end_text(&to, sizeof number);
    if (!pytree__pt_keep(w, w->name.text, w->name.used, &key) || !pytree__pt_keep(w, text, n, &value)) { return false; }
    m = (pytree_metadata *)pytree__vector_add(&w->p->ck->metadata, 1, w->p->err);
    if (m == NULL) { return false; }
    m->key = pytree__pt_later(key);
    m->text = pytree__pt_later(value);
    return true;
}

/* Open a container, or list a value. */
static bool pytree__pt_visit(struct pytree__pt_walk *w, uint32_t number)
{
    const struct pytree__pt_value *v = pytree__pt_at(w->p, number);
    struct pytree__pt_frame *f;
    if (v->kind == PYTREE__PT_EMPTY) { return true; }
    if (v->kind == PYTREE__PT_TENSOR) { return pytree__pt_list_tensor(w, v); }
    if (v->kind != PYTREE__PT_TUPLE && v->kind != PYTREE__PT_LIST && v->kind != PYTREE__PT_DICT) {
        return pytree__pt_list_value(w, v);
    }
    if (w->n_frames == PYTREE__PT_LEVELS) { return pytree__pt_wrong(w->p, "at most 64 levels", "more"); }
    if (w->most == w->texts.used) { return pytree__pt_wrong(w->p, "fewer values than bytes of the pickle", "more"); }
    w->most--;                            /* so that empty containers, shared by each other, come to an end, too */
    f = &w->frames[w->n_frames++];
    f->link = v->of.items.first;
    f->keyed = v->kind == PYTREE__PT_DICT;
    f->index = 0;
    f->name = w->name.used;
    return true;
}

static bool pytree__pt_walk_all(struct pytree__pt_walk *w, uint32_t root)
{
    if (!pytree__pt_visit(w, root)) { return false; }
    while (w->n_frames != 0) {
        struct pytree__pt_frame *f = &w->frames[w->n_frames - 1];
        struct pytree__pt_link link;
        if (f->link == 0) {
            w->n_frames--;
            continue;
        }
        link = *pytree__pt_item(w->p, f->link);
        if (!pytree__pt_name(w, f, &link)) { return false; }
        f->link = link.next;
        f->index++;
        if (!pytree__pt_visit(w, link.value)) { return false; }
    }
    return true;
}

/* Check that no two values have one name, once all names are there. */
static pytree_status pytree__pt_unique(struct pytree__pt *p)
{
    pytree__name_index names;
    size_t twice;
    pytree_status status = pytree__name_index_init(&names, p->ck->metadata.data, sizeof(pytree_metadata), p->ck->metadata.count,
                                                   p->ck->allocator, p->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&names);
    pytree__name_index_end(&names);
    return twice == SIZE_MAX ? PYTREE_OK
           : pytree__pt_fail(p, PYTREE_SYNTAX, "each name once", ((pytree_metadata *)p->ck->metadata.data)[twice].key);
}

/* Give the tensors and the metadata of a pickle their names. */
static pytree_status pytree__pt_list(struct pytree__pt *p, uint32_t root, const char *separator)
{
    struct pytree__pt_walk w;
    size_t i, most = (size_t)(p->end - p->begin);
    bool good;
    memset(&w, 0, sizeof w);
    w.p = p;
    w.separator = separator;
    w.most = PYTREE__PT_NAMES * most;
    w.name.allocator = w.texts.allocator = p->ck->allocator;
    good = pytree__pile_room(&w.name, 64, p->err) && pytree__pt_walk_all(&w, root);
    p->ck->text = w.texts.text;
    p->ck->text_bytes = w.texts.room;
    for (i = 0; good && i < p->ck->tensors.count; i++) {
        pytree_tensor *t = (pytree_tensor *)p->ck->tensors.data + i;
        t->name = p->ck->text + (uintptr_t)t->name;
    }
    for (i = 0; good && i < p->ck->metadata.count; i++) {
        pytree_metadata *m = (pytree_metadata *)p->ck->metadata.data + i;
        m->key = p->ck->text + (uintptr_t)m->key;
        m->text = p->ck->text + (uintptr_t)m->text;
    }
    if (w.name.text != NULL) { (void)pytree__resize(p->ck->allocator, w.name.text, w.name.room, 0); }
    if (!good) {                          /* the names are not pointers yet */
        p->ck->tensors.count = p->ck->metadata.count = 0;
        return p->err->status;
    }
    return pytree__pt_unique(p);
}

/* ---- The archive --------------------------------------------------------------------------------------------------- */

/* Read a whole member into memory of its size. */
static pytree_status pytree__pt_read_member(struct pytree__pt *p, const pytree__npz_member *m, void *to)
{
    pytree__npz_stream s;
    pytree_status status = pytree__npz_open_member(&s, &p->zip, m);
    if (status != PYTREE_OK) { return status; }
    status = s.source.read(&s.source, to, (size_t)m->size);
    if (status == PYTREE_OK) { status = pytree__npz_check_end(&s); }
    pytree__npz_close_member(&s);
    return status;
}

/* Find the folder of the archive: the members that are read have names below it. */
static pytree_status pytree__pt_root(struct pytree__pt *p)
{
    static const char pickle[] = "/data.pkl";
    size_t i;
    for (i = 0; i < p->zip.n; i++) {
        const char *name = p->zip.members[i].name, *slash = strchr(name, '/');
        if (slash != NULL && strcmp(slash, pickle) == 0) {
            p->root = name;
            p->root_bytes = (size_t)(slash - name);
        }
    }
    if (p->root == NULL) {
        return pytree_fail(p->err, PYTREE_SYNTAX, NULL, "expected an archive of torch.save, got one without data.pkl in '%s'",
                           p->zip.file.path);
    }
    if (p->root_bytes > PYTREE__PT_ROOT) {
        return pytree_fail(p->err, PYTREE_SYNTAX, NULL, "expected an archive whose folder has a name of at most %d bytes, "
                           "got more in '%s'", (int)PYTREE__PT_ROOT, p->zip.file.path);
    }
    if (pytree__pt_member(p, "constants.pkl") != NULL) {
        return pytree_fail(p->err, PYTREE_TYPE, NULL, "expected a file of torch.save, got TorchScript in '%s' (in Python: "
                           "torch.save(torch.jit.load(path).state_dict(), path))", p->zip.file.path);
    }
    return PYTREE_OK;
}

/* Read the byte order. Files of old versions do not have it and are little-endian. */
static pytree_status pytree__pt_order(struct pytree__pt *p)
{
    const pytree__npz_member *m = pytree__pt_member(p, "byteorder");
    char text[8] = "";
    pytree_status status = PYTREE_OK;
    if (m == NULL) { return PYTREE_OK; }
    if (m->size < sizeof text) { status = pytree__pt_read_member(p, m, text); }
    if (status != PYTREE_OK) { return status; }
    p->ck->big = strcmp(text, "big") == 0;
    return p->ck->big || strcmp(text, "little") == 0 ? PYTREE_OK
           : pytree_fail(p->err, PYTREE_SYNTAX, NULL, "expected the byte order 'little' or 'big', got '%s' in '%s'", text,
                         p->zip.file.path);
}

/* Read the pickle into memory that the file owns until it is closed. */
static pytree_status pytree__pt_read_pickle(struct pytree__pt *p)
{
    const pytree__npz_member *m = pytree__pt_member(p, "data.pkl");
    struct pytree__ck_file *f = &p->ck->files[0];
    if (m->size > PYTREE__PT_PICKLE) {                          /* it is there: pytree__pt_root has seen it */
        return pytree_fail(p->err, PYTREE_SYNTAX, NULL, "expected a data.pkl of at most %d bytes, got more in '%s'",
                           (int)PYTREE__PT_PICKLE, f->path);
    }
    f->header_bytes = (size_t)m->size + 1;
    f->header = (char *)pytree__resize(p->ck->allocator, NULL, 0, f->header_bytes);
    if (f->header == NULL) { return pytree__no_memory(p->err, f->header_bytes); }
    p->begin = p->at = (const unsigned char *)f->header;
    p->end = p->begin + m->size;
    return pytree__pt_read_member(p, m, f->header);
}

/* Tell files of before 1.6 apart, which begin with a pickle. */
static pytree_status pytree__pt_begin(struct pytree__pt *p)
{
    unsigned char first[2] = { 0, 0 };
    pytree_status status = PYTREE_OK;
    if (p->zip.file.size >= sizeof first) { status = pytree__file_read(&p->zip.file, 0, first, sizeof first); }
    if (status != PYTREE_OK) { return status; }
    if (first[0] == 0x80) {
        return pytree_fail(p->err, PYTREE_TYPE, NULL, "expected a zip archive, as torch.save writes it since version 1.6, "
                           "got a pickle in '%s' (in Python: torch.save(torch.load(path), path))", p->zip.file.path);
    }
    return pytree__npz_begin(&p->zip, p->ck->allocator);
}

/* ---- Checksums ----------------------------------------------------------------------------------------------------- */

/* A member of the archive that may be a storage. */
struct pytree__pt_sum {
    uint64_t at, bytes;
    uint32_t crc;
};

static int pytree__pt_by_place(const void *a, const void *b)
{
    const uint64_t x = ((const struct pytree__pt_sum *)a)->at, y = ((const struct pytree__pt_sum *)b)->at;
    return x < y ? -1 : x > y;
}

/* Keep the checksums of members, by their places, until the file is closed. */
static pytree_status pytree__pt_keep_sums(struct pytree__pt *p)
{
    struct pytree__vector *const sums = &p->ck->entries;
    size_t i;
    *sums = pytree__vector_of(sizeof(struct pytree__pt_sum), p->ck->allocator);
    for (i = 0; i < p->zip.n; i++) {
        const pytree__npz_member *const m = &p->zip.members[i];
        struct pytree__pt_sum *sum;
        if (m->method != PYTREE__NPZ_STORED || m->size == 0) { continue; }
        sum = (struct pytree__pt_sum *)pytree__vector_add(sums, 1, p->err);
        if (sum == NULL) { return PYTREE_NO_MEMORY; }
        sum->at = m->data;
        sum->bytes = m->size;
        sum->crc = m->crc;
    }
    if (sums->count != 0) { qsort(sums->data, sums->count, sizeof(struct pytree__pt_sum), pytree__pt_by_place); }
    return PYTREE_OK;
}

/* Read a storage and compare its checksum. */
static pytree_status pytree__pt_check_sum(struct pytree__ck_loader *l, const struct pytree__pt_sum *sum, const char *name)
{
    uint64_t done;
    uint32_t crc = 0;
    size_t n;
    for (done = 0; done < sum->bytes; done += n) {
        const char *piece;
        n = sum->bytes - done < PYTREE__CK_SCRATCH ? (size_t)(sum->bytes - done) : (size_t)PYTREE__CK_SCRATCH;
        piece = pytree__ck_piece(l, 0, sum->at + done, n);
        if (piece == NULL) { return PYTREE_IO; }
        crc = pytree__npz_sum(crc, piece, n);
    }
    if (crc == sum->crc) { return PYTREE_OK; }
    return pytree_fail(l->err, PYTREE_SYNTAX, NULL, "expected the checksum %08lx for the storage of '%.100s', got %08lx",
                       (unsigned long)sum->crc, name, (unsigned long)crc);
}

/* Compare the checksums of the storages that leaves ask for. Leaves and storages are in the order of the file, and storages
 * do not overlap. */
static pytree_status pytree__pt_verify(struct pytree__ck_loader *l, size_t n)
{
    const struct pytree__pt_sum *sum = (const struct pytree__pt_sum *)l->ck->entries.data;
    const struct pytree__pt_sum *const end = sum + l->ck->entries.count;
    pytree_status status = PYTREE_OK;
    size_t k;
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        const struct pytree__ck_part part = pytree__ck_leaf_part(l, l->order[k]);
        if (part.bytes == 0) { continue; }
        while (sum != end && sum->at + sum->bytes <= part.at) { sum++; }
        if (sum != end && sum->at <= part.at) { status = pytree__pt_check_sum(l, sum++, part.tensor->name); }
    }
    return status;
}

/* ---- Contents ------------------------------------------------------------------------------------------------------ */

static pytree_status pytree__pt_read(struct pytree__pt *p, const char *separator)
{
    uint32_t root = 0;
    pytree_status status = pytree__pt_begin(p);
    if (status == PYTREE_OK) {
        status = pytree__name_index_init(&p->members, p->zip.members, sizeof *p->zip.members, p->zip.n, p->ck->allocator,
                                         p->err);
    }
    if (status == PYTREE_OK) { status = pytree__pt_root(p); }
    if (status == PYTREE_OK) { status = pytree__pt_order(p); }
    if (status == PYTREE_OK) { status = pytree__pt_read_pickle(p); }
    if (status == PYTREE_OK) { status = pytree__pt_keep_sums(p); }
    if (status != PYTREE_OK) { return status; }
    p->ck->verify = pytree__pt_verify;
    return pytree__pt_run(p, &root) ? pytree__pt_list(p, root, separator) : p->err->status;
}

/* Read the contents of an open file. */
static pytree_status pytree__pt_contents(struct pytree__ck *ck, const char *separator)
{
    struct pytree__pt p;
    struct pytree__vector *const vectors[] = { &p.values, &p.links, &p.stack, &p.marks, &p.memo, &p.storages, &p.tensors };
    static const size_t sizes[] = {
        sizeof(struct pytree__pt_value), sizeof(struct pytree__pt_link), sizeof(uint32_t), sizeof(uint32_t), sizeof(uint32_t),
        sizeof(struct pytree__pt_storage), sizeof(struct pytree__pt_tensor)
    };
    pytree_status status;
    size_t i;
    memset(&p, 0, sizeof p);
    p.ck = ck;
    p.err = ck->err;
    p.zip.file = ck->files[0].file;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) { *vectors[i] = pytree__vector_of(sizes[i], ck->allocator); }
    status = pytree__pt_read(&p, separator);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) { pytree__vector_free(vectors[i]); }
    pytree__name_index_end(&p.members);
    p.zip.file.handle = NULL;             /* it stays open */
    p.zip.allocator = ck->allocator;
    pytree__npz_close(&p.zip);
    return status;
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

pytree_checkpoint *pytree_pt_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    pytree_error own;
    struct pytree__ck *ck;
    pytree_status status;
    opt = pytree__ck_options(opt, &none);
    ck = pytree__ck_new(path, opt, PYTREE__PT_HOLDS, err);
    if (ck == NULL) { return NULL; }
    memset(&own, 0, sizeof own);
    ck->err = &own;
    status = pytree__ck_room(ck, 1);
    if (status == PYTREE_OK) { status = pytree__ck_open_file(ck, 0, path, 0, path, opt->io); }
    if (status == PYTREE_OK) { status = pytree__pt_contents(ck, opt->separator == NULL ? "." : opt->separator); }
    if (status == PYTREE_OK) { status = pytree__ck_finish(ck); }
    return pytree__ck_hand_over(ck, status, &own, err);
}

pytree_status pytree_load_pt(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_load_path(pytree_pt_open, path, t, opt, err);
}

pytree_checkpoint *pytree_mmap_pt(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_mmap_path(pytree_pt_open, path, t, opt, err);
}

pytree_status pytree_allocate_from_pt(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_allocate_path(pytree_pt_open, path, t, opt, err);
}

#endif
