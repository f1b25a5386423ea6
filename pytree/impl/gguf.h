/* pytree/impl/gguf.h: reading GGUF files. */
#ifndef PYTREE_IMPL_GGUF_H
#define PYTREE_IMPL_GGUF_H

#include "gguf_types.h"

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* A key of the metadata, and where its value is. */
struct pytree__gguf_entry {
    size_t key, value;                    /* offsets; value: of the first element, which for a string begins with its length */
    uint64_t n;                           /* elements; 1 unless it is an array */
    unsigned char type;                   /* of the value, or of the elements */
    bool array;
};

/* The reader of a header, which is read as far as it is asked for. */
struct pytree__gguf {
    struct pytree__ck *ck;
    struct pytree__ck_file *f;
    size_t at, have;                      /* bytes parsed, bytes read into f->header */
    uint64_t alignment;
    pytree_error *err;
};

static bool pytree__gguf_wrong(const struct pytree__gguf *g, const char *expected, const char *got)
{
    (void)pytree_fail(g->err, PYTREE_SYNTAX, NULL, "expected %s, got %.100s at byte %zu of '%s'", expected, got, g->at,
                      g->f->path);
    return false;
}

/* Read on until n bytes can be parsed. */
static bool pytree__gguf_need(struct pytree__gguf *g, uint64_t n)
{
    size_t room;
    char *grown;
    if (n <= g->have - g->at) { return true; }
    if (n > g->f->file.size - g->at) { return pytree__gguf_wrong(g, "a complete file", "its end"); }
    room = g->have < 32768 ? 65536 : 2 * g->have;
    room = room < g->at + n ? (size_t)(g->at + n) : room;
    room = room > g->f->file.size ? (size_t)g->f->file.size : room;
    grown = (char *)pytree__resize(g->ck->allocator, g->f->header, g->f->header_bytes, room);
    if (grown == NULL) { (void)pytree__no_memory(g->err, room); return false; }
    g->f->header = grown;
    g->f->header_bytes = room;
    if (pytree__file_read(&g->f->file, g->have, grown + g->have, room - g->have) != PYTREE_OK) { return false; }
    g->have = room;
    return true;
}

static bool pytree__gguf_number(struct pytree__gguf *g, size_t bytes, uint64_t *value)
{
    if (!pytree__gguf_need(g, bytes)) { return false; }
    *value = pytree__number_at((const unsigned char *)g->f->header + g->at, bytes);
    g->at += bytes;
    return true;
}

/* Parse a string: its length, then its bytes. Sets the offset of its bytes. */
static bool pytree__gguf_string(struct pytree__gguf *g, size_t *at, uint64_t *n)
{
    const char *text;
    if (!pytree__gguf_number(g, 8, n) || !pytree__gguf_need(g, *n)) { return false; }
    text = g->f->header + g->at;
    if (memchr(text, 0, (size_t)*n) != NULL || !pytree__is_utf8(text, (size_t)*n)) {
        return pytree__gguf_wrong(g, "strings in UTF-8 without U+0000", "other bytes");
    }
    *at = g->at;
    g->at += (size_t)*n;
    return true;
}

/* Put a NUL behind a parsed string, which moves into its length for that. */
static char *pytree__gguf_text(const struct pytree__gguf *g, size_t at, size_t n)
{
    char *text = g->f->header + at - 1;
    memmove(text, text + 1, n);
    text[n] = '\0';
    return text;
}

/* ---- Metadata ------------------------------------------------------------------------------------------------------ */

/* Parse n values of a type. */
static bool pytree__gguf_parse_values(struct pytree__gguf *g, unsigned type, uint64_t n)
{
    uint64_t i, length, bytes = pytree__gguf_values[type].bytes;
    size_t at;
    if (type == PYTREE__GGUF_STRING) {
        for (i = 0; i < n && pytree__gguf_string(g, &at, &length); i++) {}
        return i == n;
    }
    if (n > g->f->file.size / bytes || !pytree__gguf_need(g, n * bytes)) {
        return n > g->f->file.size / bytes ? pytree__gguf_wrong(g, "a complete file", "its end") : false;
    }
    for (i = 0; type == PYTREE__GGUF_BOOL && i < n; i++) {
        if ((unsigned char)g->f->header[g->at + i] > 1) { return pytree__gguf_wrong(g, "bools of 0 and 1", "another byte"); }
    }
    g->at += (size_t)(n * bytes);
    return true;
}

static bool pytree__gguf_type(struct pytree__gguf *g, bool may_be_array, unsigned char *type)
{
    uint64_t code;
    if (!pytree__gguf_number(g, 4, &code)) { return false; }
    if (code >= PYTREE__GGUF_VALUES || (code == PYTREE__GGUF_ARRAY && !may_be_array)) {
        return pytree__gguf_wrong(g, "a type of metadata", code == PYTREE__GGUF_ARRAY ? "an array in an array" : "another");
    }
    *type = (unsigned char)code;
    return true;
}

static bool pytree__gguf_parse_entry(struct pytree__gguf *g)
{
    struct pytree__gguf_entry e, *to;
    uint64_t n;
    memset(&e, 0, sizeof e);
    if (!pytree__gguf_string(g, &e.key, &n)) { return false; }
    e.value = (size_t)n;                  /* of the key, for now */
    if (!pytree__gguf_type(g, true, &e.type)) { return false; }
    e.array = e.type == PYTREE__GGUF_ARRAY;
    e.n = 1;
    if (e.array && (!pytree__gguf_type(g, false, &e.type) || !pytree__gguf_number(g, 8, &e.n))) { return false; }
    if (n == 17 && memcmp(g->f->header + e.key, "general.alignment", 17) == 0) {
        if (e.array || e.type != 4) { return pytree__gguf_wrong(g, "a u32 as alignment", "another type"); }
        if (!pytree__gguf_need(g, 4)) { return false; }
        g->alignment = pytree__number_at((const unsigned char *)g->f->header + g->at, 4);
        if (g->alignment == 0 || (g->alignment & (g->alignment - 1)) != 0) {
            return pytree__gguf_wrong(g, "a power of two as alignment", "another number");
        }
    }
    e.value = g->at;
    if (!pytree__gguf_parse_values(g, e.type, e.n)) { return false; }
    (void)pytree__gguf_text(g, e.key, (size_t)n);              /* the type behind the key is parsed */
    e.key--;
    to = (struct pytree__gguf_entry *)pytree__vector_add(&g->ck->entries, 1, g->err);
    if (to == NULL) { return false; }
    *to = e;
    return true;
}

/* Return the bytes of an entry in the tree: an array with its view, or a number or pointer. */
static size_t pytree__gguf_entry_bytes(const struct pytree__gguf_entry *e)
{
    const size_t each = e->type == PYTREE__GGUF_STRING ? sizeof(char *) : pytree__gguf_values[e->type].bytes;
    const size_t data = pytree__round(pytree__times((size_t)e->n, each), sizeof(max_align_t));
    return pytree__plus(e->array ? pytree__round(sizeof(pytree_leaf), sizeof(max_align_t)) : 0, data);
}

/* Fill n elements of C from those of the file. */
static void pytree__gguf_fill(const struct pytree__gguf *g, const struct pytree__gguf_entry *e, const pytree_type *type,
                              void *to)
{
    const size_t n = (size_t)e->n;
    size_t i, at = e->value;
    if (e->type != PYTREE__GGUF_STRING) {
        if (n != 0) { memcpy(to, g->f->header + at, n * type->size); }
        pytree__ck_swap(false, type, to, n * type->size);
        return;
    }
    for (i = 0; i < n; i++) {
        const size_t bytes = (size_t)pytree__number_at((const unsigned char *)g->f->header + at, 8);
        ((char **)to)[i] = pytree__gguf_text(g, at + 8, bytes);
        at += 8 + bytes;
    }
}

enum { PYTREE__GGUF_TEXT = 32 };          /* bytes of a number or of "u64[18446744073709551615]" */

/* Write a value as text: a string is the text itself. */
static const char *pytree__gguf_show(const struct pytree__gguf_entry *e, const pytree_type *type, const void *value, char *text)
{
    struct pytree__text_writer to = pytree__text_to(text, PYTREE__GGUF_TEXT, NULL);
    pytree_leaf leaf;
    if (!e->array && e->type == PYTREE__GGUF_STRING) { return *(char *const *)value; }
    if (e->array) {
        pytree__put_text(&to, pytree_dtype_name(type));
        pytree__put_shape(&to, 1, &e->n);
    } else {
        memset(&leaf, 0, sizeof leaf);
        leaf.data = (void *)(uintptr_t)value;
        leaf.type = type;
        pytree__put_value(&to, &leaf, 0);
    }
    (void)pytree__end_text(&to, PYTREE__GGUF_TEXT);
    return text;
}

/* Build the tree of the metadata, in one block: the items, the pairs, the texts, then the values. */
static pytree_status pytree__gguf_tree(struct pytree__gguf *g)
{
    const struct pytree__gguf_entry *entries = (const struct pytree__gguf_entry *)g->ck->entries.data;
    const size_t n = g->ck->entries.count;
    size_t bytes = pytree__round(sizeof(pytree_items) + n * (sizeof(pytree_pair) + PYTREE__GGUF_TEXT), sizeof(max_align_t)), i;
    pytree_items *items;
    pytree_pair *pairs;
    pytree_metadata *m;
    char *texts, *next;
    next = (char *)(uintptr_t)bytes;
    for (i = 0; i < n; i++) { bytes = pytree__plus(bytes, pytree__gguf_entry_bytes(&entries[i])); }
    g->ck->text = (char *)pytree__resize(g->ck->allocator, NULL, 0, bytes);
    if (g->ck->text == NULL) { return pytree__no_memory(g->err, bytes); }
    g->ck->text_bytes = bytes;
    m = (pytree_metadata *)pytree__vector_add(&g->ck->metadata, n + 1, g->err);
    if (m == NULL) { return PYTREE_NO_MEMORY; }
    g->ck->metadata.count = n;
    items = (pytree_items *)(void *)g->ck->text;
    memset(items, 0, sizeof *items);
    items->count = n;
    items->pairs = pairs = (pytree_pair *)(items + 1);
    texts = (char *)(pairs + n);
    next = g->ck->text + (uintptr_t)next;
    for (i = 0; i < n; i++, texts += PYTREE__GGUF_TEXT) {
        const struct pytree__gguf_entry *e = &entries[i];
        const pytree_type *type = e->type == PYTREE__GGUF_STRING ? &pytree_types[PYTREE__T_string]
                                                                 : pytree__ck_type(pytree__gguf_values[e->type].dtype);
        pytree_leaf *view = (pytree_leaf *)(void *)next;
        char *to = next + (e->array ? pytree__round(sizeof *view, sizeof(max_align_t)) : 0);
        pytree__gguf_fill(g, e, type, to);
        pairs[i].key = m[i].key = g->f->header + e->key;
        pairs[i].value.type = type;
        pairs[i].value.data = to;
        m[i].text = pytree__gguf_show(e, type, to, texts);
        if (e->array) {
            memset(view, 0, sizeof *view);
            view->type = type;
            view->data = to;
            view->ndim = 1;
            view->shape[0] = (size_t)e->n;
            pairs[i].value = pytree_of_view(view);
        }
        next += pytree__gguf_entry_bytes(e);
    }
    g->ck->tree = items;
    return PYTREE_OK;
}

/* ---- Tensors ------------------------------------------------------------------------------------------------------- */

/* Set what a type's code says of a tensor. Returns false if it is unknown. */
static bool pytree__gguf_tensor_type(pytree_tensor *t, uint64_t code, unsigned *numbers, unsigned *bytes)
{
    size_t i;
    for (i = 0; i < PYTREE__GGUF_PLAIN; i++) {
        if (pytree__gguf_plain[i].code != code) { continue; }
        t->dtype = pytree__gguf_plain[i].name;
        t->type = pytree__ck_type(pytree__gguf_plain[i].dtype);
        *numbers = 1;
        *bytes = pytree__gguf_plain[i].bytes;
        return true;
    }
    for (i = 0; i < PYTREE__GGUF_PACKINGS; i++) {
        const pytree_packing *packing = &pytree__gguf_packings[i];
        if (packing->code != code) { continue; }
        t->dtype = packing->name;
        t->packing = packing;
        t->type = packing->unpack == NULL ? NULL : &pytree_types[PYTREE__T_float_];
        *numbers = packing->numbers;
        *bytes = packing->bytes;
        return true;
    }
    return false;
}

/* Parse the extents, the fastest of which is first in the file, and count the elements. */
static bool pytree__gguf_extents(struct pytree__gguf *g, pytree_tensor *t, uint64_t *count)
{
    uint64_t ndim, *shape, extent;
    size_t d;
    if (!pytree__gguf_number(g, 4, &ndim)) { return false; }
    if (ndim > PYTREE__GGUF_DIMS) { return pytree__gguf_wrong(g, "at most 4 dimensions", "more"); }
    shape = (uint64_t *)pytree__vector_add(&g->f->shapes, PYTREE__GGUF_DIMS, g->err);
    if (shape == NULL) { return false; }
    t->ndim = (size_t)ndim;
    for (*count = 1, d = t->ndim; d-- > 0;) {
        if (!pytree__gguf_number(g, 8, &extent)) { return false; }
        if (extent > INT64_MAX || (extent != 0 && *count > (uint64_t)INT64_MAX / 8 / extent)) {
            return pytree__gguf_wrong(g, "extents whose product fits 60 bits", "larger ones");
        }
        *count *= shape[d] = extent;
    }
    return true;
}

/* Parse a tensor's entry; its data begins `at` bytes into the data. */
static bool pytree__gguf_parse_tensor(struct pytree__gguf *g, uint64_t *at)
{
    pytree_tensor *t = (pytree_tensor *)pytree__vector_add(&g->ck->tensors, 1, g->err);
    const uint64_t *shape;
    uint64_t n, code, count = 0;
    size_t name;
    unsigned numbers = 1, bytes = 1;
    if (t == NULL) { return false; }
    memset(t, 0, sizeof *t);
    if (!pytree__gguf_string(g, &name, &n)) { return false; }
    if (n > PYTREE__GGUF_NAME) { return pytree__gguf_wrong(g, "a name of at most 64 bytes", "a longer one"); }
    if (!pytree__gguf_extents(g, t, &count) || !pytree__gguf_number(g, 4, &code)) { return false; }
    if (!pytree__gguf_tensor_type(t, code, &numbers, &bytes)) { return pytree__gguf_wrong(g, "a type of tensors", "another"); }
    shape = (const uint64_t *)g->f->shapes.data + (g->f->shapes.count - PYTREE__GGUF_DIMS);
    if (numbers != 1 && (t->ndim == 0 || shape[t->ndim - 1] % numbers != 0)) {
        return pytree__gguf_wrong(g, "rows of whole blocks", "others");
    }
    if (!pytree__gguf_number(g, 8, &t->offset)) { return false; }
    t->bytes = count / numbers * bytes;   /* less than 2^63 */
    if (t->offset != *at) { return pytree__gguf_wrong(g, "data where that of the tensor before ends", "another offset"); }
    if (t->bytes > g->f->file.size) { return pytree__gguf_wrong(g, "data within the file", "more"); }
    *at += t->bytes + (0 - t->bytes) % g->alignment;
    if (*at > INT64_MAX) { return pytree__gguf_wrong(g, "data within the file", "more"); }
    (void)pytree__gguf_text(g, name, (size_t)n);
    t->name = (const char *)(uintptr_t)(name - 1);             /* until the header no longer moves */
    return true;
}

/* Check that the data ends with the file, with or without the padding of the last tensor, and finish the list. */
static bool pytree__gguf_layout(struct pytree__gguf *g, uint64_t padded)
{
    pytree_tensor *t = (pytree_tensor *)g->ck->tensors.data;
    const size_t n = g->ck->tensors.count;
    const uint64_t begin = g->at + (0 - (uint64_t)g->at) % g->alignment;
    const uint64_t least = n == 0 ? g->at : begin + t[n - 1].offset + t[n - 1].bytes;
    size_t i;
    for (i = 0; i < n; i++) {
        t[i].name = g->f->header + (uintptr_t)t[i].name;
        t[i].shape = (const uint64_t *)g->f->shapes.data + PYTREE__GGUF_DIMS * i;
        t[i].offset += begin;
    }
    if (g->f->file.size < least || g->f->file.size > begin + padded) {
        return pytree__gguf_wrong(g, "a file that ends where the data does",
                                  g->f->file.size < least ? "a shorter one" : "a longer one");
    }
    g->f->data = begin;
    return true;
}

/* Check that no key is there twice. */
static bool pytree__gguf_unique(struct pytree__gguf *g)
{
    pytree__name_index names;
    size_t twice;
    if (pytree__name_index_init(&names, g->ck->metadata.data, sizeof(pytree_metadata), g->ck->metadata.count, g->ck->allocator,
                                g->err) != PYTREE_OK) {
        return false;
    }
    twice = pytree__name_index_twice(&names);
    pytree__name_index_end(&names);
    return twice == SIZE_MAX ? true
           : pytree__gguf_wrong(g, "each key once", ((const pytree_metadata *)g->ck->metadata.data)[twice].key);
}

static bool pytree__gguf_parse(struct pytree__gguf *g)
{
    uint64_t magic, version, n_tensors, n_entries, i, at = 0;
    if (!pytree__gguf_number(g, 4, &magic) || !pytree__gguf_number(g, 4, &version)) { return false; }
    if (magic != 0x46554747u) { return pytree__gguf_wrong(g, "a file that begins with GGUF", "another"); }
    if ((version & 0xFFFF) == 0 && version != 0) {
        return pytree__gguf_wrong(g, "a file of a little-endian machine", "one of a big-endian machine");
    }
    if (version != 2 && version != 3) {
        return pytree__gguf_wrong(g, "version 2 or 3 (convert an older file with llama.cpp)",
                                  version == 1 ? "version 1" : "another");
    }
    if (!pytree__gguf_number(g, 8, &n_tensors) || !pytree__gguf_number(g, 8, &n_entries)) { return false; }
    for (i = 0; i < n_entries; i++) {
        if (!pytree__gguf_parse_entry(g)) { return false; }
    }
    for (i = 0; i < n_tensors; i++) {
        if (!pytree__gguf_parse_tensor(g, &at)) { return false; }
    }
    return pytree__gguf_layout(g, at) && pytree__gguf_tree(g) == PYTREE_OK && pytree__gguf_unique(g);
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

pytree_checkpoint *pytree_gguf_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    pytree_error own;
    struct pytree__gguf g;
    struct pytree__ck *ck;
    pytree_status status;
    opt = pytree__ck_options(opt, &none);
    ck = pytree__ck_new(path, opt, PYTREE__GGUF_HOLDS, err);
    if (ck == NULL) { return NULL; }
    memset(&own, 0, sizeof own);
    memset(&g, 0, sizeof g);
    g.ck = ck;
    g.err = ck->err = &own;
    g.alignment = PYTREE__GGUF_ALIGNMENT;
    ck->entries = pytree__vector_of(sizeof(struct pytree__gguf_entry), ck->allocator);
    status = pytree__ck_room(ck, 1);
    if (status == PYTREE_OK) { status = pytree__ck_open_file(ck, 0, path, 0, path, opt->io); }
    if (status == PYTREE_OK) {
        g.f = &ck->files[0];
        status = pytree__gguf_parse(&g) ? PYTREE_OK : own.status;
    }
    if (status == PYTREE_OK) { status = pytree__ck_finish(ck); }
    return pytree__ck_hand_over(ck, status, &own, err);
}

pytree pytree_gguf_metadata(const pytree_checkpoint *file)
{
    pytree t = { NULL, NULL };
    if (file != NULL && pytree__ck_of(file)->tree != NULL) {
        t.type = &pytree_types[PYTREE__T_odict];
        t.data = (void *)(uintptr_t)pytree__ck_of(file)->tree;
    }
    return t;
}

pytree_status pytree_load_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_load_path(pytree_gguf_open, path, t, opt, err);
}

pytree_checkpoint *pytree_mmap_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_mmap_path(pytree_gguf_open, path, t, opt, err);
}

pytree_status pytree_allocate_from_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree__ck_allocate_path(pytree_gguf_open, path, t, opt, err);
}

#include "gguf_save.h"
#endif
