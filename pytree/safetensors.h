/* pytree/safetensors.h: trees in .safetensors files, the format of PyTorch's and JAX's checkpoints.
 *
 *     pytree_load_safetensors("model.safetensors", PYTREE(&model), NULL, &err);      // fills the arrays that are there
 *     pytree_save_safetensors("model.safetensors", PYTREE(&model), NULL, &err);
 *
 * A leaf asks for the tensor that has the name of its key path: `.layers[0].w` for "layers.0.w". Options (pytree/checkpoint.h)
 * give a prefix, a table or a callback for files with other names. What does not fit is reported all at once, and the tree then
 * is as it was. A path that ends in ".index.json" is a sharded checkpoint: the index, and beside it the files it names.
 *
 * The file:    8 bytes: N, little-endian     N bytes: header, a JSON object     the rest: data, tensor after tensor
 *
 *     {"__metadata__":{"format":"pt"},"layers.0.w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, …}
 *
 * Reading is strict: a file that breaks the format anywhere is refused before a leaf is touched, with PYTREE_SYNTAX. Refused
 * too, though Python's reader takes them: names, keys and fields that come twice, U+0000 in names and metadata, metadata that
 * is null, nesting over 64 levels. A tensor may have up to 64 dimensions. Memory that is asked for never exceeds a small
 * multiple of the file's length, time grows as n log n.
 *
 * Element types: BOOL, I8 … I64, U8 … U64, F16 (pytree_f16), BF16 (pytree_bf16), F32, F64, C64 (float complex). Tensors of
 * other types (F8 and smaller) are listed and can be read as bytes. Data is little-endian; on other machines loading, mapping
 * and saving are PYTREE_ARGUMENT.
 *
 * Rules as in pytree.h; `opt` here is a pytree_checkpoint_options. I/O goes through the table in the options. The bodies stand
 * where PYTREE_IMPLEMENTATION is defined.
 */
#include "checkpoint.h"

#ifndef PYTREE_SAFETENSORS_H
#define PYTREE_SAFETENSORS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Load and save -------------------------------------------------------------------------------------------------- */

/* Reads a file into the leaves of a tree: each asks for one tensor, and its element type and shape must be the tensor's; None
 * asks for nothing. jax.tree.map over safetensors.numpy.load_file. The data goes straight into the leaves. PYTREE_NOT_FOUND,
 * _STRUCTURE, _TYPE, _SHAPE: tensors are missing, unexpected, of the wrong type, of the wrong shape; the message has the first
 * of each and how many there are, opt->report all. PYTREE_VALUE: a byte other than 0 and 1 for a bool. PYTREE_TYPE also for a
 * leaf that the format cannot hold.
 *
 * A failed load leaves the tree as it was: everything is checked, and all data brought into the system's memory, before the
 * first leaf is written. (What can still go wrong then: another process shortens the file in between, or the system drops what
 * it has just read and cannot read it again. It is PYTREE_IO, and leaves that were filled by then keep the new values.) */
pytree_status pytree_load_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Writes a tree's leaves, in the order and the bytes of the reference writer, with opt->metadata. Written straight from the
 * leaves into a file beside it that then takes its place (pytree/io.h): at no time is there less than a whole file, and if
 * anything fails the old one stays. So one may save over a file that is mapped: the mapping keeps the old values.
 * Leaves of the same memory are PYTREE_SHARED with both paths, unless opt->shared says otherwise. Slices (opt->rename) are put
 * together to one tensor. Strings and other leaves that are no numbers are PYTREE_TYPE, two leaves of one name
 * PYTREE_ARGUMENT. */
pytree_status pytree_save_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* pytree_allocate for a tree whose sizes only the file knows. `t` is a registered struct; static integers that are 0 and
 * pointers that are NULL are filled in from names and shapes, then memory is allocated as by pytree_allocate (pytree_free gives
 * it back) and left zero: load next. The rule, for each struct from the root down:
 *
 * - LIST(self->n): where self->n is 0, it becomes the number of elements in the file: the first i for which no tensor's name
 *   begins with that of element i.
 * - ARRAY(self->n, self->m): a static integer that is 0 and is an extent by itself becomes the tensor's extent there.
 *   What follows from it (ARRAY(3 * self->n)) must agree; the load checks that.
 * - OPTIONAL pointers that are NULL are made where the file has a tensor of that name or below it, otherwise stay NULL.
 * - Numbers that are not 0, and lists that are there, are as they are: a template.
 *
 * Names are those of the simple path behind the prefix; with opt->renames or opt->rename it is PYTREE_ARGUMENT. On an error
 * everything is as before. */
pytree_status pytree_allocate_from_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                               pytree_error *err);

/* ---- Files ---------------------------------------------------------------------------------------------------------- */

/* A file that is open, and what is in it. Everything it points at is its own. Reading it is safe in many threads at once,
 * pytree_safetensors_read only if the table of I/O is (pytree_io_system's is not). */
typedef struct pytree_safetensors {
    size_t n_tensors;
    const pytree_tensor *tensors;         /* in order of their data */
    size_t n_metadata;
    const pytree_metadata *metadata;      /* in the header's order; of a sharded checkpoint: the first shard's */
    uint64_t data_offset;                 /* where the data begins; of the first shard */
    size_t n_files;
    const char *const *files;             /* path of each: the file, or the shards */
} pytree_safetensors;

/* Opens and checks a file, without its data; NULL on error. opt: allocator and I/O. pytree_safetensors_close it. */
pytree_safetensors *pytree_safetensors_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* The same with the data in memory: each tensor's `data` points into a read-only mapping of the file (or, where there is no
 * mapping, into memory that it was read into), aligned as it happens to lie. O(header): no data is read yet. Should the file
 * be shortened by another program while it is mapped, reading what is gone ends the process (SIGBUS); changed bytes show.
 * Saving with pytree_save_safetensors does neither, since it replaces files and never changes one. */
pytree_safetensors *pytree_safetensors_map(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Maps a file and points a tree's arrays into it: no data is read before it is used, and many processes share one copy. The
 * arrays are read-only (writing to them ends the process). Array pointers may be NULL before; lists and structs must be there.
 * Values in place (scalars, fixed arrays) are copied, and so is what cannot be used where it lies: data that is not aligned
 * for its type, conversions. Matching and errors as in pytree_load_safetensors. The tree may be used until the result is
 * closed, which is the owner of all of it; the pointers are yours to forget. */
pytree_safetensors *pytree_map_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* The tensor of that name, or NULL; that too where file or name are NULL. O(log n). */
const pytree_tensor *pytree_safetensors_find(const pytree_safetensors *file, const char *name);

/* Reads a tensor's bytes, all of them (tensor->bytes), into memory of that size. PYTREE_OVERFLOW if `size` is another. */
pytree_status pytree_safetensors_read(const pytree_safetensors *file, const pytree_tensor *tensor, void *to, size_t size,
                                      pytree_error *err);

/* Fills a tree from a file that is open, as pytree_load_safetensors. opt->io and opt->tree.allocator may be others. */
pytree_status pytree_safetensors_load(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err);

/* Closes the file, unmaps it, frees the list. NULL is fine. */
void pytree_safetensors_close(pytree_safetensors *file);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__SAFETENSORS_BODIES)
#define PYTREE__SAFETENSORS_BODIES

#ifdef __cplusplus
extern "C" {
#endif

enum { PYTREE__ST_HEADER = 100000000, PYTREE__ST_LEVELS = 64, PYTREE__ST_DIMS = 64, PYTREE__ST_SCRATCH = 1 << 18 };

/* ---- Element types -------------------------------------------------------------------------------------------------- */

/* In the order in which writers put them. PYTREE__T_none: C has no such type. */
struct pytree__st_dtype {
    const char *name;
    unsigned bits;
    int type;
};
static const struct pytree__st_dtype pytree__st_dtypes[] = {
    { "U64", 64, PYTREE__T_none },        { "I64", 64, PYTREE__T_none },    { "F64", 64, PYTREE__T_double_ },
    { "C64", 64, PYTREE__T_cfloat },      { "F32", 32, PYTREE__T_float_ },  { "U32", 32, PYTREE__T_uint },
    { "I32", 32, PYTREE__T_int_ },        { "BF16", 16, PYTREE__T_bf16 },   { "F16", 16, PYTREE__T_f16 },
    { "U16", 16, PYTREE__T_ushort },      { "I16", 16, PYTREE__T_short_ },  { "F8_E5M2FNUZ", 8, PYTREE__T_none },
    { "F8_E4M3FNUZ", 8, PYTREE__T_none }, { "F8_E8M0", 8, PYTREE__T_none }, { "F8_E4M3", 8, PYTREE__T_none },
    { "F8_E5M2", 8, PYTREE__T_none },     { "I8", 8, PYTREE__T_schar },     { "U8", 8, PYTREE__T_uchar },
    { "F6_E3M2", 6, PYTREE__T_none },     { "F6_E2M3", 6, PYTREE__T_none }, { "F4", 4, PYTREE__T_none },
    { "BOOL", 8, PYTREE__T_bool_ }
};
enum { PYTREE__ST_DTYPES = sizeof pytree__st_dtypes / sizeof pytree__st_dtypes[0] };

/* What a leaf may be. */
#define PYTREE__ST_HOLDS                                                                                                \
    (1u << PYTREE_BOOL8 | 1u << PYTREE_I8 | 1u << PYTREE_I16 | 1u << PYTREE_I32 | 1u << PYTREE_I64 | 1u << PYTREE_U8      \
     | 1u << PYTREE_U16 | 1u << PYTREE_U32 | 1u << PYTREE_U64 | 1u << PYTREE_F16 | 1u << PYTREE_BF16 | 1u << PYTREE_F32   \
     | 1u << PYTREE_F64 | 1u << PYTREE_C64)

/* 64-bit integers are called long here and long long there. */
static const pytree_type *pytree__st_type(size_t dtype)
{
    const char *name = pytree__st_dtypes[dtype].name;
    bool is_signed = name[0] == 'I';
    if (strcmp(name + 1, "64") == 0 && (is_signed || name[0] == 'U')) {
        return &pytree_types[sizeof(long) == 8 ? (is_signed ? PYTREE__T_long_ : PYTREE__T_ulong)
                                               : (is_signed ? PYTREE__T_llong : PYTREE__T_ullong)];
    }
    return pytree__st_dtypes[dtype].type == PYTREE__T_none ? NULL : &pytree_types[pytree__st_dtypes[dtype].type];
}

static size_t pytree__st_dtype_named(const char *name)
{
    size_t i;
    for (i = 0; i < PYTREE__ST_DTYPES && strcmp(name, pytree__st_dtypes[i].name) != 0; i++) {}
    return i;
}

static size_t pytree__st_dtype_of(pytree_dtype dtype)
{
    size_t i;
    for (i = 0; i < PYTREE__ST_DTYPES; i++) {
        const pytree_type *type = pytree__st_type(i);
        if (type != NULL && type->dtype == dtype) { break; }
    }
    return i;
}

static pytree_status pytree__st_endian(pytree_error *err)
{
    return pytree__little_endian() ? PYTREE_OK
        : pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a little-endian machine, got a big-endian one");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------
 *
 * Not a library's: those at hand keep the first or the last of two equal keys, or read integers as doubles, or recurse, or hold
 * a header as a tree of values that is many times as large; and a program that copies headers would have to link it. What is
 * needed of JSON is small: an object of objects with three known fields, numbers of digits alone, and skipping what is not
 * known. Strings are unescaped where they stand, since the text never grows, and end in a NUL in place of the quote.
 */
struct pytree__json {
    char *at, *end;
    const char *begin, *what, *path;      /* what: "header", "index" */
    pytree_error *err;
    bool nul;                             /* the last string has a U+0000 in it */
};

static bool pytree__js_fail(struct pytree__json *j, const char *expected)
{
    char got[32];
    unsigned char c = j->at < j->end ? (unsigned char)*j->at : 0;
    if (j->at >= j->end) { (void)snprintf(got, sizeof got, "the end"); }
    else if (c > 0x20 && c < 0x7F) { (void)snprintf(got, sizeof got, "'%c'", (char)c); }
    else { (void)snprintf(got, sizeof got, "0x%02x", c); }
    (void)pytree_fail(j->err, PYTREE_SYNTAX, NULL, "expected %s, got %s at byte %zu of the %s of '%s'", expected, got,
                      (size_t)(j->at - j->begin), j->what, j->path);
    return false;
}

/* Something is wrong with what has been read. */
static bool pytree__js_wrong(struct pytree__json *j, const char *expected, const char *got)
{
    (void)pytree_fail(j->err, PYTREE_SYNTAX, NULL, "expected %s, got '%.100s' before byte %zu of the %s of '%s'", expected, got,
                      (size_t)(j->at - j->begin), j->what, j->path);
    return false;
}

static char pytree__js_peek(struct pytree__json *j)           /* NUL at the end; in a text it is no token */
{
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r')) { j->at++; }
    return j->at < j->end ? *j->at : '\0';
}

static bool pytree__js_take(struct pytree__json *j, char c)
{
    char expected[] = "'?'";
    if (pytree__js_peek(j) == c) { j->at++; return true; }
    expected[1] = c;
    return pytree__js_fail(j, expected);
}

/* Is there another member before the closing bracket, which is taken if not? *good becomes false if neither is there. */
static bool pytree__js_more(struct pytree__json *j, char close, bool *first, bool *good)
{
    char c = pytree__js_peek(j);
    if (!*good) { return false; }
    if (c == close) { j->at++; return false; }
    if (!*first) { *good = pytree__js_take(j, ','); }
    *first = false;
    return *good;
}

static bool pytree__js_hex(struct pytree__json *j, uint32_t *value)
{
    int i;
    for (*value = 0, i = 0; i < 4; i++, j->at++) {
        char c = j->at < j->end ? *j->at : '\0';
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10 : 16;
        if (digit == 16) { return pytree__js_fail(j, "four hexadecimal digits"); }
        *value = *value << 4 | digit;
    }
    return true;
}

/* Behind "\u": the character as UTF-8. */
static bool pytree__js_unicode(struct pytree__json *j, char **to)
{
    uint32_t c, low;
    if (!pytree__js_hex(j, &c)) { return false; }
    if (c >= 0xDC00 && c <= 0xDFFF) { return pytree__js_fail(j, "no low surrogate on its own before this"); }
    if (c >= 0xD800 && c <= 0xDBFF) {
        if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u') { return pytree__js_fail(j, "a low surrogate"); }
        j->at += 2;
        if (!pytree__js_hex(j, &low)) { return false; }
        if (low < 0xDC00 || low > 0xDFFF) { return pytree__js_fail(j, "a low surrogate before this"); }
        c = 0x10000 + ((c - 0xD800) << 10 | (low - 0xDC00));
    }
    if (c == 0) { j->nul = true; }
    *to += pytree__to_utf8(*to, c);
    return true;
}

static bool pytree__js_string(struct pytree__json *j, char **text)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char *to;
    if (pytree__js_peek(j) != '"') { return pytree__js_fail(j, "a string"); }
    *text = to = ++j->at;
    j->nul = false;
    for (;;) {
        unsigned char c = j->at < j->end ? (unsigned char)*j->at : 0;
        if (c < 0x20) { return pytree__js_fail(j, "the end of a string"); }
        j->at++;
        if (c == '"') { break; }
        if (c != '\\') { *to++ = (char)c; continue; }
        c = j->at < j->end ? (unsigned char)*j->at : 0;
        if (c == 'u') {
            j->at++;
            if (!pytree__js_unicode(j, &to)) { return false; }
        } else {
            const char *e = escapes;
            while (*e != '\0' && *e != (char)c) { e += 2; }
            if (c == 0 || *e == '\0') { return pytree__js_fail(j, "an escape"); }
            *to++ = e[1];
            j->at++;
        }
    }
    *to = '\0';
    return true;
}

/* A string that is to be a C string. */
static bool pytree__js_text(struct pytree__json *j, char **text)
{
    if (!pytree__js_string(j, text)) { return false; }
    return j->nul ? pytree__js_wrong(j, "no U+0000 in names and metadata", *text) : true;
}

static bool pytree__js_key(struct pytree__json *j, char **text)
{
    return pytree__js_string(j, text) && pytree__js_take(j, ':');
}

/* Digits alone, exact: sizes must not go through a double. */
static bool pytree__js_size(struct pytree__json *j, uint64_t *value)
{
    char c = pytree__js_peek(j);
    if (c < '0' || c > '9') { return pytree__js_fail(j, "digits"); }
    *value = 0;
    if (c == '0') { j->at++; return true; }                    /* no other digit may follow; then what must follow is missing */
    for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
        uint64_t digit = (uint64_t)(*j->at - '0');
        if (*value > (UINT64_MAX - digit) / 10) { return pytree__js_fail(j, "a number below 2^64"); }
        *value = *value * 10 + digit;
    }
    return true;
}

static bool pytree__js_digits(struct pytree__json *j)
{
    const char *from = j->at;
    while (j->at < j->end && *j->at >= '0' && *j->at <= '9') { j->at++; }
    return j->at != from ? true : pytree__js_fail(j, "digits");
}

static bool pytree__js_scalar(struct pytree__json *j)
{
    static const char *const words[] = { "true", "false", "null" };
    char *text, c = pytree__js_peek(j);
    size_t i;
    if (c == '"') { return pytree__js_string(j, &text); }
    for (i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(j->end - j->at) >= n && memcmp(j->at, words[i], n) == 0) { j->at += n; return true; }
    }
    if (c != '-' && (c < '0' || c > '9')) { return pytree__js_fail(j, "a value"); }
    if (c == '-') { j->at++; }
    if (j->at < j->end && *j->at == '0') { j->at++; }
    else if (!pytree__js_digits(j)) { return false; }
    if (j->at < j->end && *j->at == '.') {
        j->at++;
        if (!pytree__js_digits(j)) { return false; }
    }
    if (j->at < j->end && (*j->at == 'e' || *j->at == 'E')) {
        j->at++;
        if (j->at < j->end && (*j->at == '+' || *j->at == '-')) { j->at++; }
        if (!pytree__js_digits(j)) { return false; }
    }
    return true;
}

/* Any value, inside `level` objects. A bit for each level says which bracket closes it: nothing recurses. */
static bool pytree__js_skip(struct pytree__json *j, unsigned level)
{
    const unsigned outside = level;
    uint64_t objects = 0;
    bool first = true, good = true;
    char *key;
    do {
        char c = pytree__js_peek(j);
        if (c == '{' || c == '[') {
            if (level == PYTREE__ST_LEVELS) { return pytree__js_fail(j, "at most 64 levels"); }
            objects = objects << 1 | (c == '{');
            level++;
            j->at++;
            first = true;
        } else {
            if (!pytree__js_scalar(j)) { return false; }
            first = false;
        }
        while (level > outside && !pytree__js_more(j, (objects & 1) != 0 ? '}' : ']', &first, &good)) {
            if (!good) { return false; }
            objects >>= 1;
            level--;
            first = false;
        }
        if (level > outside && (objects & 1) != 0 && !pytree__js_key(j, &key)) { return false; }
    } while (level > outside);
    return true;
}

/* Is all of it UTF-8? */
static bool pytree__js_utf8(struct pytree__json *j)
{
    const char *at = j->at, *end = j->end;
    while (at < end) {
        uint64_t eight;
        uint32_t c;
        unsigned n;
        if (end - at >= 8) {
            memcpy(&eight, at, 8);
            if ((eight & UINT64_C(0x8080808080808080)) == 0) { at += 8; continue; }
        }
        n = pytree__utf8(at, (size_t)(end - at), &c);
        if (n == 0) {
            j->at += at - j->at;
            return pytree__js_fail(j, "UTF-8");
        }
        at += n;
    }
    return true;
}

/* ---- What is in a file ---------------------------------------------------------------------------------------------- */

/* An array that grows. */
struct pytree__st_array {
    void *at;
    size_t n, max, size;                  /* elements, and bytes of one */
};

static void *pytree__st_append(struct pytree__st_array *a, const pytree_allocator *allocator, pytree_error *err)
{
    void *grown = pytree__array_grow(a->at, &a->max, a->n + 1, a->size, allocator, err);
    if (grown == NULL) { return NULL; }
    a->at = grown;
    return (char *)a->at + a->n++ * a->size;
}

static void pytree__st_array_end(struct pytree__st_array *a, const pytree_allocator *allocator)
{
    pytree__array_free(a->at, a->max, a->size, allocator);
    memset(a, 0, sizeof *a);
}

/* One of the files. */
struct pytree__st_file {
    pytree__file file;
    char *path;
    size_t path_bytes;
    char *header;                         /* names and metadata point into it */
    size_t header_bytes;
    struct pytree__st_array shapes;       /* uint64_t */
    uint64_t data;                        /* where it begins */
    const void *bytes;                    /* all of it, in memory */
    bool mapped;                          /* by the table of I/O */
};

struct pytree__st {
    pytree_safetensors shown;             /* first */
    const pytree_allocator *allocator;
    struct pytree__st_file *files;
    const char **paths;
    size_t n_files;                       /* there is room for; shown.n_files are open */
    struct pytree__st_array tensors, metadata, shards;
    pytree__name_index by_name;
    char *index;                          /* of a sharded checkpoint */
    size_t index_bytes;
    void *copies;                         /* of what cannot be used in place */
    size_t copies_bytes;
    pytree_error *err;
};

static struct pytree__st *pytree__st_of(const pytree_safetensors *file) { return (struct pytree__st *)(uintptr_t)file; }

static bool pytree__st_shape(struct pytree__st *st, struct pytree__json *j, struct pytree__st_file *f, pytree_tensor *t)
{
    bool first = true, good = pytree__js_take(j, '[');
    t->ndim = 0;
    while (pytree__js_more(j, ']', &first, &good)) {
        uint64_t *extent;
        if (t->ndim == PYTREE__ST_DIMS) { return pytree__js_fail(j, "at most 64 dimensions"); }
        extent = (uint64_t *)pytree__st_append(&f->shapes, st->allocator, st->err);
        if (extent == NULL || !pytree__js_size(j, extent)) { return false; }
        t->ndim++;
    }
    return good;
}

/* Leaves begin and end in offset and bytes. */
static bool pytree__st_offsets(struct pytree__json *j, pytree_tensor *t)
{
    uint64_t end;
    if (!pytree__js_take(j, '[') || !pytree__js_size(j, &t->offset) || !pytree__js_take(j, ',') || !pytree__js_size(j, &end)
        || !pytree__js_take(j, ']')) {
        return false;
    }
    if (end < t->offset) { return pytree__js_fail(j, "data_offsets in order before this"); }
    t->bytes = end - t->offset;
    return true;
}

static bool pytree__st_dtype_field(struct pytree__json *j, pytree_tensor *t)
{
    char *text;
    size_t dtype;
    if (!pytree__js_string(j, &text)) { return false; }
    dtype = pytree__st_dtype_named(text);
    if (j->nul || dtype == PYTREE__ST_DTYPES) { return pytree__js_wrong(j, "a dtype", text); }
    t->dtype = pytree__st_dtypes[dtype].name;
    t->type = pytree__st_type(dtype);
    return true;
}

/* {"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, and fields that nobody knows. */
static bool pytree__st_entry(struct pytree__st *st, struct pytree__json *j, struct pytree__st_file *f, pytree_tensor *t)
{
    static const char *const fields[] = { "dtype", "shape", "data_offsets" };
    bool first = true, good = pytree__js_take(j, '{');
    unsigned seen = 0;
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key;
        unsigned k;
        if (!pytree__js_key(j, &key)) { return false; }
        for (k = 0; k < 3 && (j->nul || strcmp(key, fields[k]) != 0); k++) {}
        if (k < 3 && (seen >> k & 1) != 0) { return pytree__js_wrong(j, "each field once", key); }
        seen |= 1u << k;
        if (!(k == 0 ? pytree__st_dtype_field(j, t) : k == 1 ? pytree__st_shape(st, j, f, t) : k == 2 ? pytree__st_offsets(j, t)
              : pytree__js_skip(j, 2))) {
            return false;
        }
    }
    if (good && (seen & 7) != 7) { return pytree__js_wrong(j, "dtype, shape and data_offsets", t->name); }
    return good;
}

static bool pytree__st_remarks(struct pytree__st *st, struct pytree__json *j, struct pytree__st_array *to)
{
    pytree__name_index by_key;
    size_t twice, from = to->n;
    bool first = true, good = pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key, *text;
        pytree_metadata *m;
        if (!pytree__js_text(j, &key) || !pytree__js_take(j, ':') || !pytree__js_text(j, &text)) { return false; }
        m = (pytree_metadata *)pytree__st_append(to, st->allocator, st->err);
        if (m == NULL) { return false; }
        m->key = key;
        m->text = text;
    }
    if (!good || to->n == from) { return good; }
    if (pytree__name_index_init(&by_key, (pytree_metadata *)to->at + from, sizeof(pytree_metadata), to->n - from, st->allocator,
                                st->err)
        != PYTREE_OK) {
        return false;
    }
    twice = pytree__name_index_twice(&by_key);
    pytree__name_index_end(&by_key);
    return twice == SIZE_MAX ? true : pytree__js_wrong(j, "each key once", ((pytree_metadata *)to->at)[from + twice].key);
}

static bool pytree__st_header(struct pytree__st *st, struct pytree__json *j, struct pytree__st_file *f, size_t number)
{
    struct pytree__st_array remarks = { NULL, 0, 0, sizeof(pytree_metadata) };
    bool first = true, good, any = false;
    good = pytree__js_utf8(j) && pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        pytree_tensor *t;
        char *name;
        good = pytree__js_text(j, &name) && pytree__js_take(j, ':');
        if (!good) { break; }
        if (strcmp(name, "__metadata__") == 0) {
            good = any ? pytree__js_wrong(j, "__metadata__ once", name)
                       : pytree__st_remarks(st, j, number == 0 ? &st->metadata : &remarks);
            any = true;
            continue;
        }
        t = (pytree_tensor *)pytree__st_append(&st->tensors, st->allocator, st->err);
        if (t == NULL) { good = false; break; }
        memset(t, 0, sizeof *t);
        t->name = name;
        t->file = number;
        good = pytree__st_entry(st, j, f, t);
    }
    if (good && (pytree__js_peek(j) != '\0' || j->at != j->end)) { good = pytree__js_fail(j, "the end"); }
    pytree__st_array_end(&remarks, st->allocator);
    return good;
}

/* By where they begin; then empty ones first. */
static int pytree__st_by_offset(const void *context, size_t a, size_t b)
{
    const pytree_tensor *t = (const pytree_tensor *)context, *x = &t[a], *y = &t[b];
    if (x->offset != y->offset) { return x->offset < y->offset ? -1 : 1; }
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static pytree_status pytree__st_sort(struct pytree__st *st, pytree_tensor *tensors, size_t n)
{
    size_t i, bytes, *order;
    pytree_tensor *sorted;
    for (i = 1; i < n && pytree__st_by_offset(tensors, i - 1, i) <= 0; i++) {}
    if (i >= n) { return PYTREE_OK; }                          /* as writers do */
    bytes = pytree__times(n, sizeof *sorted + 2 * sizeof *order);
    sorted = (pytree_tensor *)pytree__resize(st->allocator, NULL, 0, bytes);
    if (sorted == NULL) { return pytree__no_memory(st->err, bytes); }
    order = (size_t *)(void *)(sorted + n);
    for (i = 0; i < n; i++) { order[i] = i; }
    pytree__sort_numbers(order, n, pytree__st_by_offset, tensors);
    for (i = 0; i < n; i++) { sorted[i] = tensors[order[i]]; }
    memcpy(tensors, sorted, n * sizeof *sorted);
    (void)pytree__resize(st->allocator, sorted, bytes, 0);
    return PYTREE_OK;
}

/* Bytes that the shape asks for. False: 64 bits do not hold them, or they are no whole number. */
static bool pytree__st_bytes(const pytree_tensor *t, uint64_t *bytes)
{
    uint64_t bits = pytree__st_dtypes[pytree__st_dtype_named(t->dtype)].bits, n = 1;
    size_t i;
    for (i = 0; i < t->ndim; i++) {
        if (t->shape[i] != 0 && n > UINT64_MAX / t->shape[i]) { return false; }
        n *= t->shape[i];
    }
    if (n > UINT64_MAX / bits || n * bits % 8 != 0) { return false; }
    *bytes = n * bits / 8;
    return true;
}

/* The tensors of a file fill its data without overlap, hole or rest, and each has the bytes of its shape. */
static pytree_status pytree__st_layout(struct pytree__st *st, struct pytree__st_file *f, size_t from)
{
    pytree_tensor *t = (pytree_tensor *)st->tensors.at;
    const uint64_t *shape = (const uint64_t *)f->shapes.at;
    uint64_t at = 0, bytes, all = f->file.size - f->data;
    size_t i;
    for (i = from; i < st->tensors.n; i++) {                   /* in the order of the header, as the shapes are */
        t[i].shape = shape;
        if (t[i].ndim != 0) { shape += t[i].ndim; }
    }
    if (st->tensors.n != from && pytree__st_sort(st, t + from, st->tensors.n - from) != PYTREE_OK) { return PYTREE_NO_MEMORY; }
    for (i = from; i < st->tensors.n; i++) {
        if (t[i].offset != at) {
            return pytree_fail(st->err, PYTREE_SYNTAX, NULL,
                               "expected data of '%.100s' at offset %llu, where that before it ends, got "
                               "%llu in '%s'",
                               t[i].name, (unsigned long long)at, (unsigned long long)t[i].offset, f->path);
        }
        if (!pytree__st_bytes(&t[i], &bytes) || bytes != t[i].bytes) {
            return pytree_fail(st->err, PYTREE_SYNTAX, NULL,
                               "expected as many bytes for '%.100s' as its dtype and shape need, got %llu in "
                               "'%s'",
                               t[i].name, (unsigned long long)t[i].bytes, f->path);
        }
        at += bytes;                      /* cannot wrap: offset + bytes was the end */
        t[i].offset += f->data;
    }
    if (at != all) {
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected %llu bytes of data behind the header, got %llu in '%s'",
                           (unsigned long long)at, (unsigned long long)all, f->path);
    }
    return PYTREE_OK;
}

/* Nothing is allocated before its size has been compared with the file's. */
static pytree_status pytree__st_read_header(struct pytree__st *st, struct pytree__st_file *f, size_t number)
{
    const uint64_t most = PYTREE__ST_HEADER;
    unsigned char length[8];
    uint64_t n;
    size_t from = st->tensors.n;
    struct pytree__json j;
    if (f->file.size < 8) {
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected 8 bytes or more, got %llu in '%s'",
                           (unsigned long long)f->file.size, f->path);
    }
    if (pytree__file_read(&f->file, 0, length, 8) != PYTREE_OK) { return PYTREE_IO; }
    n = pytree__number_at(length, sizeof length);
    if (n > most || n > f->file.size - 8) {
        return pytree_fail(
            st->err, PYTREE_SYNTAX, NULL, "expected a header of at most %llu bytes, got a length of %llu in '%s'",
            (unsigned long long)(f->file.size - 8 < most ? f->file.size - 8 : most), (unsigned long long)n, f->path);
    }
    f->header_bytes = (size_t)n + 1;
    f->header = (char *)pytree__resize(st->allocator, NULL, 0, f->header_bytes);
    if (f->header == NULL) { return pytree__no_memory(st->err, f->header_bytes); }
    if (pytree__file_read(&f->file, 8, f->header, (size_t)n) != PYTREE_OK) { return PYTREE_IO; }
    memset(&j, 0, sizeof j);
    j.begin = j.at = f->header;
    j.end = f->header + (size_t)n;
    j.what = "header";
    j.path = f->path;
    j.err = st->err;
    f->data = 8 + n;
    if (!pytree__st_header(st, &j, f, number)) { return PYTREE_SYNTAX; }
    return pytree__st_layout(st, f, from);
}

/* ---- Open and close ------------------------------------------------------------------------------------------------- */

void pytree_safetensors_close(pytree_safetensors *file)
{
    struct pytree__st *st = pytree__st_of(file);
    const pytree_allocator *a;
    size_t i;
    if (st == NULL) { return; }
    a = st->allocator;
    for (i = 0; i < st->n_files; i++) {
        struct pytree__st_file *f = &st->files[i];
        if (f->mapped) { f->file.io->unmap(f->file.io->context, f->bytes, f->file.size); }
        else if (f->bytes != NULL) { (void)pytree__resize(a, (void *)(uintptr_t)f->bytes, (size_t)f->file.size, 0); }
        pytree__file_close(&f->file);
        pytree__st_array_end(&f->shapes, a);
        if (f->header != NULL) { (void)pytree__resize(a, f->header, f->header_bytes, 0); }
        if (f->path != NULL) { (void)pytree__resize(a, f->path, f->path_bytes, 0); }
    }
    if (st->files != NULL) { (void)pytree__resize(a, st->files, st->n_files * (sizeof *st->files + sizeof *st->paths), 0); }
    if (st->index != NULL) { (void)pytree__resize(a, st->index, st->index_bytes, 0); }
    if (st->copies != NULL) { (void)pytree__resize(a, st->copies, st->copies_bytes, 0); }
    pytree__name_index_end(&st->by_name);
    pytree__st_array_end(&st->tensors, a);
    pytree__st_array_end(&st->metadata, a);
    pytree__st_array_end(&st->shards, a);
    (void)pytree__resize(a, st, sizeof *st, 0);
}

static pytree_status pytree__st_room(struct pytree__st *st, size_t n_files)
{
    size_t bytes = pytree__times(n_files, sizeof *st->files + sizeof *st->paths), i;
    st->files = (struct pytree__st_file *)pytree__resize(st->allocator, NULL, 0, bytes);
    if (st->files == NULL) { return pytree__no_memory(st->err, bytes); }
    memset(st->files, 0, bytes);
    st->paths = (const char **)(void *)(st->files + n_files);
    st->n_files = n_files;
    for (i = 0; i < n_files; i++) { st->files[i].shapes.size = sizeof(uint64_t); }
    return PYTREE_OK;
}

/* Opens file number i: `folder` bytes of the path, then the name. */
static pytree_status pytree__st_open_file(struct pytree__st *st, size_t i, const char *path, size_t folder, const char *name,
                                          const pytree_io *io)
{
    struct pytree__st_file *f = &st->files[i];
    pytree_status status;
    f->path_bytes = folder + strlen(name) + 1;
    f->path = (char *)pytree__resize(st->allocator, NULL, 0, f->path_bytes);
    if (f->path == NULL) { return pytree__no_memory(st->err, f->path_bytes); }
    memcpy(f->path, path, folder);
    memcpy(f->path + folder, name, strlen(name) + 1);
    st->paths[i] = f->path;
    status = pytree__file_open(&f->file, f->path, io, st->err);
    if (status == PYTREE_OK) { status = pytree__st_read_header(st, f, i); }
    return status;
}

/* What one reads of a header is the same for all ways to open. */
static pytree_status pytree__st_finish(struct pytree__st *st)
{
    size_t twice;
    pytree_status status =
        pytree__name_index_init(&st->by_name, st->tensors.at, sizeof(pytree_tensor), st->tensors.n, st->allocator, st->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&st->by_name);
    if (twice != SIZE_MAX) {
        const pytree_tensor *t = (const pytree_tensor *)st->tensors.at + twice;
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected each name once, got '%.100s' twice in '%s'", t->name,
                           st->files[t->file].path);
    }
    st->shown.n_tensors = st->tensors.n;
    st->shown.tensors = (const pytree_tensor *)st->tensors.at;
    st->shown.n_metadata = st->metadata.n;
    st->shown.metadata = (const pytree_metadata *)st->metadata.at;
    st->shown.n_files = st->n_files;
    st->shown.files = st->paths;
    st->shown.data_offset = st->n_files == 0 ? 0 : st->files[0].data;
    return PYTREE_OK;
}

/* ---- Sharded checkpoints -------------------------------------------------------------------------------------------- */

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
        s = (struct pytree__st_shard *)pytree__st_append(&st->shards, st->allocator, st->err);
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

/* Numbers the files in the order of their first mention. *first[k]: an entry that names file k. */
static pytree_status pytree__st_number_files(struct pytree__st *st, size_t *n_files)
{
    struct pytree__st_shard *s = (struct pytree__st_shard *)st->shards.at;
    pytree__name_index names, files;
    size_t i, twice;
    pytree_status status = pytree__name_index_init(&names, s, sizeof *s, st->shards.n, st->allocator, st->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&names);
    pytree__name_index_end(&names);
    if (twice != SIZE_MAX) {
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected each name once in weight_map, got '%.100s' twice",
                           s[twice].name);
    }
    status =
        pytree__name_index_init(&files, st->shards.n == 0 ? NULL : &s[0].file, sizeof *s, st->shards.n, st->allocator, st->err);
    if (status != PYTREE_OK) { return status; }
    for (*n_files = 0, i = 0; i < st->shards.n; i++) { s[i].number = SIZE_MAX; }
    for (i = 0; i < st->shards.n; i++) {
        size_t same = pytree__name_index_find(&files, s[i].file);              /* always the same one of those that name it */
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
    s = (const struct pytree__st_shard *)st->shards.at;
    for (i = 0; status == PYTREE_OK && i < st->shards.n; i++) {
        if (s[i].number != opened) { continue; }
        status = pytree__st_open_file(st, opened++, path, slash == NULL ? 0 : (size_t)(slash - path) + 1, s[i].file, io);
    }
    if (status == PYTREE_OK) { status = pytree__st_finish(st); }
    for (i = 0; status == PYTREE_OK && i < st->shards.n; i++) {
        size_t t = pytree__name_index_find(&st->by_name, s[i].name);
        if (t == SIZE_MAX || st->shown.tensors[t].file != s[i].number) {
            status =
                pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected '%.100s' in '%s', as the index says, got a file without it",
                            s[i].name, st->paths[s[i].number]);
        }
    }
    if (status == PYTREE_OK && st->shown.n_tensors != st->shards.n) {
        status = pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected the %zu tensors of the index '%s', got %zu in its files",
                             st->shards.n, path, st->shown.n_tensors);
    }
    return status;
}

static bool pytree__st_sharded(const char *path)
{
    static const char ending[] = ".index.json";
    size_t n = strlen(path);
    return n >= sizeof ending - 1 && strcmp(path + n - (sizeof ending - 1), ending) == 0;
}

/* The options, or the defaults in *none. */
static const pytree_checkpoint_options *pytree__st_options(const pytree_checkpoint_options *opt,
                                                           pytree_checkpoint_options *none)
{
    memset(none, 0, sizeof *none);
    return opt == NULL ? none : opt;
}

/* Work is done with an error object of its own, so that it knows what went wrong even if the caller does not want to or knows
 * of an error already. */
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
    st->tensors.size = sizeof(pytree_tensor);
    st->metadata.size = sizeof(pytree_metadata);
    st->shards.size = sizeof(struct pytree__st_shard);
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
    pytree__file f;
    if (file == NULL || tensor == NULL || to == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, a tensor of it and memory for its data, got NULL");
    }
    f = pytree__st_reader(pytree__st_of(file), tensor->file, err);
    if (tensor->bytes != size) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected memory for the %llu bytes of '%.100s', got %zu",
                           (unsigned long long)tensor->bytes, tensor->name, size);
    }
    if (tensor->data != NULL) { memcpy(to, tensor->data, size); return PYTREE_OK; }
    return pytree__file_read(&f, tensor->offset, to, size);
}

/* The whole file in memory: mapped, or where that does not go, read. */
static pytree_status pytree__st_map_file(struct pytree__st *st, struct pytree__st_file *f, pytree_error *err)
{
    const pytree_io *io = f->file.io;
    pytree__file reader = f->file;
    void *bytes;
    reader.err = err;
    if (io->map != NULL && io->map(io->context, f->file.handle, f->file.size, &f->bytes) == 0) {
        f->mapped = true;
        return PYTREE_OK;
    }
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
        pytree_tensor *t = (pytree_tensor *)st->tensors.at + i;
        t->data = (const char *)st->files[t->file].bytes + t->offset;
    }
    return file;
}

/* ---- Load ----------------------------------------------------------------------------------------------------------- */

struct pytree__st_loader {
    const struct pytree__st *st;
    const pytree_tensor *tensors;
    pytree__wanted w;
    pytree_error *err;
    size_t *order;                        /* leaves by where their data lies; room behind it */
    size_t order_bytes;
    char *scratch;                        /* a piece of a file: `n` bytes of file `file` from `at` on */
    size_t file, n;
    uint64_t at;
};

static bool pytree__st_asks(const struct pytree__st_loader *l, size_t i) { return l->w.tensors[i] != SIZE_MAX; }

static const pytree_tensor *pytree__st_tensor(const struct pytree__st_loader *l, size_t i)
{
    return &l->tensors[l->w.tensors[i]];
}

/* Bytes of leaf i in its file, and where they begin. */
static uint64_t pytree__st_part(const struct pytree__st_loader *l, size_t i, uint64_t *at)
{
    const pytree_tensor *t = pytree__st_tensor(l, i);
    uint64_t bytes = t->bytes;
    if (l->w.slices[i] != PYTREE_WHOLE) { bytes /= t->shape[0]; }
    *at = t->offset + (l->w.slices[i] == PYTREE_WHOLE ? 0 : bytes * (uint64_t)l->w.slices[i]);
    return bytes;
}

static int pytree__st_by_place(const void *context, size_t a, size_t b)
{
    const struct pytree__st_loader *l = (const struct pytree__st_loader *)context;
    uint64_t x, y;
    if (!pytree__st_asks(l, a) || !pytree__st_asks(l, b)) { return pytree__st_asks(l, b) - pytree__st_asks(l, a); }
    if (pytree__st_tensor(l, a)->file != pytree__st_tensor(l, b)->file) {
        return pytree__st_tensor(l, a)->file < pytree__st_tensor(l, b)->file ? -1 : 1;
    }
    (void)pytree__st_part(l, a, &x);
    (void)pytree__st_part(l, b, &y);
    return x < y ? -1 : x > y;
}

/* Through the scratch space: another type, or bytes that must be looked at. */
static bool pytree__st_indirect(const struct pytree__st_loader *l, size_t i)
{
    pytree_dtype dtype = l->w.leaves[i].type->dtype;
    return dtype == PYTREE_BOOL8 || dtype != pytree__st_tensor(l, i)->type->dtype;
}

static pytree_status pytree__st_bools(const struct pytree__st_loader *l, size_t i, const unsigned char *bytes, size_t n)
{
    size_t k;
    for (k = 0; k < n; k++) {
        if (bytes[k] > 1) {
            return pytree_fail(l->err, PYTREE_VALUE, NULL, "expected bytes of 0 and 1 for the bools of '%.100s', got %d",
                               l->w.names[i], bytes[k]);
        }
    }
    return PYTREE_OK;
}

/* n elements of leaf i, as they are in the file, to where they belong (NULL: only looked at). */
static pytree_status pytree__st_take(const struct pytree__st_loader *l, size_t i, const void *from, char *to, size_t n)
{
    const pytree_type *type = l->w.leaves[i].type, *has = pytree__st_tensor(l, i)->type;
    if (type->dtype == PYTREE_BOOL8) {
        pytree_status status = pytree__st_bools(l, i, (const unsigned char *)from, n);
        if (status != PYTREE_OK) { return status; }
    }
    if (to == NULL) { return PYTREE_OK; }
    if (type->dtype == has->dtype) { memcpy(to, from, n * type->size); }
    else { pytree__convert(type->dtype, to, has->dtype, from, n); }
    return PYTREE_OK;
}

static bool pytree__st_at_hand(const struct pytree__st_loader *l, size_t file, uint64_t at, size_t n)
{
    return l->file == file && at >= l->at && at - l->at <= l->n && n <= l->n - (size_t)(at - l->at);
}

/* n bytes of a file, no more than the scratch space has. What follows comes with them: small tensors stand close together. */
static const char *pytree__st_piece(struct pytree__st_loader *l, size_t file, uint64_t at, size_t n)
{
    pytree__file f = pytree__st_reader(l->st, file, l->err);
    if (!pytree__st_at_hand(l, file, at, n)) {
        l->n = PYTREE__ST_SCRATCH;
        if (f.size - at < l->n) { l->n = (size_t)(f.size - at); }
        l->file = file;
        l->at = at;
        if (pytree__file_read(&f, at, l->scratch, l->n) != PYTREE_OK) { l->n = 0; return NULL; }
    }
    return l->scratch + (at - l->at);
}

/* A leaf from its file; `put`: into its place, otherwise only looked at. What is large and needs no look goes straight. */
static pytree_status pytree__st_read_leaf(struct pytree__st_loader *l, size_t i, bool put)
{
    const pytree_tensor *t = pytree__st_tensor(l, i);
    const size_t to_size = l->w.leaves[i].type->size, size = t->type->size, most = PYTREE__ST_SCRATCH / 4 / size;
    char *to = put ? (char *)l->w.leaves[i].data : NULL;
    uint64_t at, bytes = pytree__st_part(l, i, &at);
    pytree_status status = PYTREE_OK;
    if (put && bytes > PYTREE__ST_SCRATCH / 4 && !pytree__st_indirect(l, i)
        && !pytree__st_at_hand(l, t->file, at, (size_t)bytes)) {
        pytree__file f = pytree__st_reader(l->st, t->file, l->err);
        return pytree__file_read(&f, at, to, (size_t)bytes);
    }
    while (bytes != 0 && status == PYTREE_OK) {
        size_t n = bytes / size < most ? (size_t)(bytes / size) : most;
        const char *piece = pytree__st_piece(l, t->file, at, n * size);
        status = piece == NULL ? PYTREE_IO : pytree__st_take(l, i, piece, to, n);
        if (to != NULL) { to += n * to_size; }
        at += n * size;
        bytes -= n * size;
    }
    return status;
}

/* Can these bytes be read? The table's own check only speaks for its own read: one with another read is read twice. */
static pytree_status pytree__st_readable(struct pytree__st_loader *l, size_t file, uint64_t at, uint64_t n)
{
    pytree__file f = pytree__st_reader(l->st, file, l->err);
    pytree_io io = *f.io;
    if (io.read != pytree_io_system.read) { io.check = NULL; }
    f.io = &io;
    return pytree__file_check(&f, at, n, l->scratch, PYTREE__ST_SCRATCH);
}

/* Can everything be read that will be? What fits the scratch space is read, once and for all; otherwise neighbours are asked
 * for at once. */
static pytree_status pytree__st_check(struct pytree__st_loader *l, size_t n)
{
    pytree_status status = PYTREE_OK;
    size_t k = 0, from, file;
    while (k < n && status == PYTREE_OK) {
        uint64_t at, end, next, bytes;
        from = k;
        file = pytree__st_tensor(l, l->order[k])->file;
        end = pytree__st_part(l, l->order[k], &at);
        end += at;
        for (k++; k < n && pytree__st_tensor(l, l->order[k])->file == file; k++) {
            bytes = pytree__st_part(l, l->order[k], &next);
            if (next > end) { break; }
            if (next + bytes > end) { end = next + bytes; }
        }
        if (from == 0 && k == n && end - at <= PYTREE__ST_SCRATCH) {
            status = pytree__st_piece(l, file, at, (size_t)(end - at)) == NULL ? PYTREE_IO : PYTREE_OK;
        } else {
            status = pytree__st_readable(l, file, at, end - at);
            l->n = 0;                     /* bytes of the scratch space */
        }
    }
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        if (l->w.leaves[l->order[k]].type->dtype == PYTREE_BOOL8) { status = pytree__st_read_leaf(l, l->order[k], false); }
    }
    return status;
}

/* What loading and mapping begin with: who asks for what, in the order of the file. *n of them do. */
static pytree_status pytree__st_begin(struct pytree__st_loader *l, const pytree_safetensors *file, pytree t, bool making,
                                      const pytree_checkpoint_options *opt, pytree_error *err, size_t *n)
{
    pytree_status status = pytree__st_endian(err);
    size_t i;
    memset(l, 0, sizeof *l);
    l->st = pytree__st_of(file);
    l->tensors = file->tensors;
    l->err = err;
    if (status == PYTREE_OK) { status = pytree__wanted_begin(&l->w, t, PYTREE__ST_HOLDS, making, opt, err); }
    if (status == PYTREE_OK) { status = pytree__match(&l->w, file->tensors, &l->st->by_name); }
    if (status != PYTREE_OK) { return status; }
    l->order_bytes = pytree__plus(pytree__times(l->w.n, 2 * sizeof *l->order), PYTREE__ST_SCRATCH);
    l->scratch = (char *)pytree__resize(opt->tree.allocator, NULL, 0, l->order_bytes);
    if (l->scratch == NULL) { return pytree__no_memory(err, l->order_bytes); }
    l->order = (size_t *)(void *)(l->scratch + PYTREE__ST_SCRATCH);
    for (i = 0; i < l->w.n; i++) { l->order[i] = i; }
    pytree__sort_numbers(l->order, l->w.n, pytree__st_by_place, l);
    for (*n = 0; *n < l->w.n && pytree__st_asks(l, l->order[*n]); ++*n) {}
    return PYTREE_OK;
}

static void pytree__st_end(struct pytree__st_loader *l, const pytree_checkpoint_options *opt)
{
    if (l->scratch != NULL) { (void)pytree__resize(opt->tree.allocator, l->scratch, l->order_bytes, 0); }
    pytree__wanted_end(&l->w);
}

pytree_status pytree_safetensors_load(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__st_loader l;
    size_t n = 0, k;
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    opt = pytree__st_options(opt, &none);
    status = pytree__st_begin(&l, file, t, false, opt, err, &n);
    if (status == PYTREE_OK) { status = pytree__st_check(&l, n); }
    for (k = 0; k < n && status == PYTREE_OK; k++) { status = pytree__st_read_leaf(&l, l.order[k], true); }
    pytree__st_end(&l, opt);
    return status;
}

pytree_status pytree_load_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_error own;
    pytree_safetensors *file;
    memset(&own, 0, sizeof own);
    file = pytree_safetensors_open(path, opt, &own);
    if (file != NULL) { (void)pytree_safetensors_load(file, t, opt, &own); }
    pytree_safetensors_close(file);
    return pytree__st_pass_on(&own, err);
}

/* ---- Map ------------------------------------------------------------------------------------------------------------ */

/* Leaf i's bytes, as they lie in memory. */
static const char *pytree__st_mapped(const struct pytree__st_loader *l, size_t i, size_t *bytes)
{
    uint64_t at;
    *bytes = (size_t)pytree__st_part(l, i, &at);
    return (const char *)pytree__st_tensor(l, i)->data + (at - pytree__st_tensor(l, i)->offset);
}

static bool pytree__st_in_place(const struct pytree__st_loader *l, size_t i)
{
    const pytree_type *type = l->w.leaves[i].type;
    size_t bytes;
    return type->dtype == pytree__st_tensor(l, i)->type->dtype && (uintptr_t)pytree__st_mapped(l, i, &bytes) % type->align == 0;
}

/* The views' data: in the mapping, or a copy where it cannot be used there. */
static pytree_status pytree__st_views(struct pytree__st_loader *l, struct pytree__st *st, size_t n)
{
    pytree_status status = PYTREE_OK;
    size_t k, i, bytes, total = 0;
    char *next;
    for (k = 0; k < n; k++) {
        if (!pytree__st_in_place(l, l->order[k])) {
            total = pytree__plus(total, pytree__round(pytree_leaf_bytes(&l->w.leaves[l->order[k]]), 16));
        }
    }
    if (total != 0) {
        st->copies = pytree__resize(st->allocator, NULL, 0, total);
        if (st->copies == NULL) { return pytree__no_memory(l->err, total); }
        st->copies_bytes = total;
    }
    next = (char *)st->copies;
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        const char *at;
        i = l->order[k];
        at = pytree__st_mapped(l, i, &bytes);
        if (pytree__st_in_place(l, i)) {
            if (l->w.leaves[i].type->dtype == PYTREE_BOOL8) {
                status = pytree__st_bools(l, i, (const unsigned char *)at, bytes);
            }
            l->w.leaves[i].data = (void *)(uintptr_t)at;
        } else {
            status = pytree__st_take(l, i, at, next, bytes / pytree__st_tensor(l, i)->type->size);
            l->w.leaves[i].data = next;
            next += pytree__round(pytree_leaf_bytes(&l->w.leaves[i]), 16);
        }
    }
    return status;
}

/* Is there a place for the leaf at hand: a pointer in a struct that is there, or memory to copy to? */
static pytree_status pytree__st_place(const pytree__cursor *c, const pytree_leaf *value)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const char *holder;
    const pytree_field *row = pytree__row_at(c, &holder);
    uintptr_t zeros = (uintptr_t)pytree__zeros(), self = row != NULL ? (uintptr_t)holder : f == NULL ? 0 : (uintptr_t)f->self;
    bool pointer = row != NULL && (row->place == PYTREE_POINTER || row->form == PYTREE_FORM_VIEW);
    if (self - zeros < 4096 || (!pointer && value->data == NULL && pytree_leaf_count(value) != 0)) {
        return pytree__problem(c, PYTREE_NULL_POINTER, "expected lists and structs to be there, got NULL%s", "");
    }
    return PYTREE_OK;
}

/* The walk from its beginning once more, in the memory that is there. */
static pytree_status pytree__st_again(struct pytree__seeker *s, const pytree__wanted *w)
{
    s->it.index = SIZE_MAX;
    s->it.begun = false;
    s->it.cursors[0].run = 0;
    return s->it.status = pytree__cursor_root(&s->it.cursors[0], w->tree);
}

/* Lets the tree's pointers lead to the views' data. The first walk sees whether that is possible; the second one needs no
 * memory that it does not have already. */
static pytree_status pytree__st_point(struct pytree__st_loader *l)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, &l->w, NULL);
    int put;
    for (put = 0; put < 2 && status == PYTREE_OK; put++) {
        size_t i = 0;
        if (put != 0) { status = pytree__st_again(&s, &l->w); }
        while (status == PYTREE_OK && i < l->w.n && pytree__seek(&s)) {
            if (s.it.index != l->w.numbers[i]) { continue; }
            if (put == 0) {
                status = pytree__st_place(&s.it.cursors[0], s.it.leaf[0]);
            } else if (pytree__st_asks(l, i)) {
                status = pytree__into_leaf(&s.it.cursors[0], s.it.leaf[0], &l->w.leaves[i], i, true);
            }
            i++;
        }
        if (status == PYTREE_OK) { status = s.it.status; }
    }
    pytree__seek_end(&s);
    return status;
}

pytree_safetensors *pytree_map_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__st_loader l;
    size_t n = 0;
    pytree_status status;
    pytree_safetensors *file = pytree_safetensors_map(path, opt, err);
    if (file == NULL) { return NULL; }
    opt = pytree__st_options(opt, &none);
    status = pytree__st_begin(&l, file, t, true, opt, err, &n);
    if (status == PYTREE_OK) { status = pytree__st_views(&l, pytree__st_of(file), n); }
    if (status == PYTREE_OK) { status = pytree__st_point(&l); }
    pytree__st_end(&l, opt);
    if (status == PYTREE_OK) { return file; }
    pytree_safetensors_close(file);
    return NULL;
}

/* ---- Save ----------------------------------------------------------------------------------------------------------- */

static void pytree__st_put_string(struct pytree__text *to, const char *s)
{
    static const char escaped[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    const char *e;
    char code[8];
    size_t n;
    pytree__put(to, "\"", 1);
    for (; *s != '\0'; s += n) {
        for (n = 0; (unsigned char)s[n] >= 0x20 && s[n] != '"' && s[n] != '\\'; n++) {}
        pytree__put(to, s, n);
        if (s[n] == '\0') { break; }
        for (e = escaped; *e != '\0' && *e != s[n]; e += 2) {}
        if (*e != '\0') { (void)snprintf(code, sizeof code, "\\%c", e[1]); }
        else { (void)snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)s[n]); }
        pytree__put_text(to, code);
        n++;
    }
    pytree__put(to, "\"", 1);
}

static bool pytree__st_utf8(const char *s)
{
    size_t left = strlen(s);
    uint32_t c;
    while (left != 0) {
        unsigned n = pytree__utf8(s, left, &c);
        if (n == 0) { return false; }
        s += n;
        left -= n;
    }
    return true;
}

struct pytree__st_saver {
    pytree__wanted w;
    const pytree_checkpoint_options *opt;
    pytree_error *err;
    size_t *order;                        /* leaves as they stand in the file; room behind it */
    char *buffer;                         /* for what is small */
    size_t used, bytes;
};

static size_t pytree__st_rank(const struct pytree__st_saver *s, size_t i)
{
    return pytree__st_dtype_of(s->w.leaves[i].type->dtype);
}

static int pytree__st_by_rank(const void *context, size_t a, size_t b)
{
    const struct pytree__st_saver *s = (const struct pytree__st_saver *)context;
    size_t x = pytree__st_rank(s, a), y = pytree__st_rank(s, b);
    int side;
    if (x != y) { return x < y ? -1 : 1; }
    side = strcmp(s->w.names[a], s->w.names[b]);
    return side != 0 ? side : s->w.slices[a] < s->w.slices[b] ? -1 : s->w.slices[a] > s->w.slices[b];
}

/* Leaves from place k of the order on that are slices of one tensor; 1 for one that is a tensor itself. */
static size_t pytree__st_slices(const struct pytree__st_saver *s, size_t k)
{
    size_t n = 1;
    const char *name = s->w.names[s->order[k]];
    if (s->w.slices[s->order[k]] == PYTREE_WHOLE) { return 1; }
    while (k + n < s->w.n && strcmp(s->w.names[s->order[k + n]], name) == 0) { n++; }
    return n;
}

/* Can this be said in a header? Slices must be there from 0 on, and be alike. */
static pytree_status pytree__st_savable(const struct pytree__st_saver *s)
{
    size_t k, i, n;
    for (k = 0; k < s->opt->n_metadata; k++) {
        const pytree_metadata *m = &s->opt->metadata[k];
        if (m->key == NULL || m->text == NULL || !pytree__st_utf8(m->key) || !pytree__st_utf8(m->text)) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected metadata in UTF-8, got NULL or other bytes");
        }
        for (i = 0; i < k; i++) {
            if (strcmp(m->key, s->opt->metadata[i].key) == 0) {
                return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected each metadata key once, got '%.100s' twice",
                                   m->key);
            }
        }
    }
    for (k = 0; k < s->w.n; k += n) {
        const char *name = s->w.names[s->order[k]];
        n = pytree__st_slices(s, k);
        if (!pytree__st_utf8(name) || strcmp(name, "__metadata__") == 0) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected a name in UTF-8 that is not __metadata__, got '%.100s'",
                               name);
        }
        for (i = k; i < k + n && s->w.slices[s->order[i]] != PYTREE_WHOLE; i++) {
            if ((size_t)s->w.slices[s->order[i]] != i - k
                || pytree__fits(&s->w.leaves[s->order[k]], &s->w.leaves[s->order[i]]) != PYTREE_OK) {
                return pytree_fail(s->err, PYTREE_ARGUMENT, NULL,
                                   "expected slice %zu of '%.100s' with the type and shape of the first, "
                                   "got slice %td",
                                   i - k, name, s->w.slices[s->order[i]]);
            }
        }
        if (k + n < s->w.n && strcmp(name, s->w.names[s->order[k + n]]) == 0) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected slices of '%.100s' of one type, got several", name);
        }
    }
    return PYTREE_OK;
}

static void pytree__st_put_header(const struct pytree__st_saver *s, struct pytree__text *to)
{
    uint64_t at = 0, shape[PYTREE_MAX_DIMS + 1];
    const char *comma = "";
    size_t k, n;
    pytree__put(to, "{", 1);
    if (s->opt->n_metadata != 0) {
        pytree__put_text(to, "\"__metadata__\":{");
        for (k = 0; k < s->opt->n_metadata; k++) {
            if (k != 0) { pytree__put(to, ",", 1); }
            pytree__st_put_string(to, s->opt->metadata[k].key);
            pytree__put(to, ":", 1);
            pytree__st_put_string(to, s->opt->metadata[k].text);
        }
        pytree__put(to, "}", 1);
        comma = ",";
    }
    for (k = 0; k < s->w.n; k += n) {
        const pytree_leaf *leaf = &s->w.leaves[s->order[k]];
        size_t ndim = 0;
        int d;
        n = pytree__st_slices(s, k);
        if (s->w.slices[s->order[k]] != PYTREE_WHOLE) { shape[ndim++] = n; }
        for (d = 0; d < leaf->ndim; d++) { shape[ndim++] = leaf->shape[d]; }
        pytree__put_text(to, comma);
        pytree__st_put_string(to, s->w.names[s->order[k]]);
        pytree__put_text(to, ":{\"dtype\":\"");
        pytree__put_text(to, pytree__st_dtypes[pytree__st_rank(s, s->order[k])].name);
        pytree__put_text(to, "\",\"shape\":");
        pytree__put_shape(to, ndim, shape);
        pytree__put_text(to, ",\"data_offsets\":[");
        pytree__put_number(to, at);
        at += (uint64_t)pytree_leaf_bytes(leaf) * n;
        pytree__put(to, ",", 1);
        pytree__put_number(to, at);
        pytree__put_text(to, "]}");
        comma = ",";
    }
    pytree__put(to, "}", 1);
    while (to->length % 8 != 0) { pytree__put(to, " ", 1); }
}

/* Into the buffer if it is small, otherwise straight from where it is. */
static void pytree__st_write(struct pytree__st_saver *s, pytree__save *to, const void *from, size_t n)
{
    if (n == 0) { return; }
    if (n > PYTREE__ST_SCRATCH - s->used) {
        (void)pytree__save_write(to, s->buffer, s->used);
        s->used = 0;
    }
    if (n > PYTREE__ST_SCRATCH / 4) {
        (void)pytree__save_write(to, s->buffer, s->used);
        s->used = 0;
        (void)pytree__save_write(to, from, n);
    } else {
        memcpy(s->buffer + s->used, from, n);
        s->used += n;
    }
}

static void pytree__st_write_all(struct pytree__st_saver *s, pytree__save *to, const char *header, size_t length)
{
    unsigned char n[8];
    size_t i;
    for (i = 0; i < 8; i++) { n[i] = (unsigned char)((uint64_t)length >> 8 * i & 0xFF); }
    pytree__st_write(s, to, n, 8);
    pytree__st_write(s, to, header, length);
    for (i = 0; i < s->w.n && to->status == PYTREE_OK; i++) {
        const pytree_leaf *leaf = &s->w.leaves[s->order[i]];
        pytree__st_write(s, to, leaf->data, pytree_leaf_bytes(leaf));
    }
    (void)pytree__save_write(to, s->buffer, s->used);
}

static pytree_status pytree__st_save(struct pytree__st_saver *s, const char *path)
{
    const pytree_allocator *a = s->opt->tree.allocator;
    struct pytree__text text = pytree__text_to(NULL, 0, NULL);
    pytree__save to;
    pytree_status status;
    size_t length;
    char *header;
    pytree__st_put_header(s, &text);
    length = text.length;
    if (length > PYTREE__ST_HEADER) {
        return pytree_fail(s->err, PYTREE_OVERFLOW, NULL, "expected a header of at most %d bytes, got %zu",
                           (int)PYTREE__ST_HEADER, length);
    }
    header = (char *)pytree__resize(a, NULL, 0, length + 1);
    if (header == NULL) { return pytree__no_memory(s->err, length + 1); }
    text = pytree__text_to(header, length + 1, NULL);
    pytree__st_put_header(s, &text);
    status = pytree__save_begin(&to, path, s->opt->io, &s->opt->tree, s->err);
    if (status == PYTREE_OK) { pytree__st_write_all(s, &to, header, length); }
    status = pytree__save_end(&to);
    (void)pytree__resize(a, header, length + 1, 0);
    return status;
}

pytree_status pytree_save_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__st_saver s;
    pytree_status status = pytree__st_endian(err);
    size_t i;
    memset(&s, 0, sizeof s);
    s.opt = opt = pytree__st_options(opt, &none);
    s.err = err;
    if (status == PYTREE_OK) { status = pytree__wanted_begin(&s.w, t, PYTREE__ST_HOLDS, false, opt, err); }
    if (status == PYTREE_OK) { status = pytree__wanted_shared(&s.w); }
    if (status == PYTREE_OK) {
        s.bytes = pytree__plus(pytree__times(s.w.n, 2 * sizeof *s.order), PYTREE__ST_SCRATCH);
        s.buffer = (char *)pytree__resize(opt->tree.allocator, NULL, 0, s.bytes);
        if (s.buffer == NULL) { status = pytree__no_memory(err, s.bytes); }
    }
    if (status == PYTREE_OK) {
        s.order = (size_t *)(void *)(s.buffer + PYTREE__ST_SCRATCH);
        for (i = 0; i < s.w.n; i++) { s.order[i] = i; }
        pytree__sort_numbers(s.order, s.w.n, pytree__st_by_rank, &s);
        status = pytree__st_savable(&s);
    }
    if (status == PYTREE_OK) { status = pytree__st_save(&s, path); }
    if (s.buffer != NULL) { (void)pytree__resize(opt->tree.allocator, s.buffer, s.bytes, 0); }
    pytree__wanted_end(&s.w);
    return status;
}

/* ---- Sizes from the file -------------------------------------------------------------------------------------------- */

enum {
    PYTREE__ST_NESTED = 1000,             /* levels of structs: a type may contain itself, and then the file says how often */
    PYTREE__ST_UNKNOWN = 16               /* sizes of one struct that are found out */
};

/* A struct that is being sized, and what its tensors' names begin with. */
struct pytree__st_site {
    const pytree_type *type;
    char *self;
    size_t parent;                        /* bytes of the name of the struct that it is in */
    const char *field;                    /* of that struct; NULL: this is the root */
    size_t index;                         /* of an element; SIZE_MAX: it is none */
    unsigned level;
};

/* Memory for templates, kept until all is allocated. */
struct pytree__st_block {
    struct pytree__st_block *next;
    size_t bytes;
};

struct pytree__st_sizer {
    const pytree_safetensors *file;
    const pytree_allocator *allocator;
    const char *separator;
    size_t prefix;                        /* bytes */
    pytree_error *err;
    size_t *order, order_bytes;           /* tensors by the bytes of their names; room behind it */
    struct pytree__st_array sites;
    struct pytree__pile name;
    pytree_leaf *views;                   /* of one struct, twice */
    size_t max_views;
    struct pytree__st_block *blocks;
};

static int pytree__st_by_name(const void *context, size_t a, size_t b)
{
    const pytree_tensor *t = (const pytree_tensor *)context;
    return strcmp(t[a].name, t[b].name);
}

/* The name of a field (or, NULL, of element `index`) behind the first `parent` bytes of z->name; its length, or SIZE_MAX. */
static size_t pytree__st_name(struct pytree__st_sizer *z, size_t parent, const char *field, size_t index)
{
    const char *separator = parent == z->prefix ? "" : z->separator;
    char number[24];
    size_t n;
    (void)snprintf(number, sizeof number, "%zu", index);
    if (field == NULL) { field = number; }
    n = parent + strlen(separator) + strlen(field);
    /* with room for a separator behind it */
    if (n + strlen(z->separator) >= z->name.room && !pytree__pile_room(&z->name, n + strlen(z->separator) + 1, z->err)) {
        return SIZE_MAX;
    }
    memcpy(z->name.text + parent, separator, strlen(separator));
    memcpy(z->name.text + n - strlen(field), field, strlen(field) + 1);
    return n;
}

/* Is there a tensor of the name in z->name, of n bytes, or one below it? */
static bool pytree__st_there(struct pytree__st_sizer *z, size_t n)
{
    size_t low = 0, high = z->file->n_tensors, all = n + strlen(z->separator);
    bool below;
    if (pytree_safetensors_find(z->file, z->name.text) != NULL) { return true; }
    memcpy(z->name.text + n, z->separator, all - n + 1);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(z->file->tensors[z->order[middle]].name, z->name.text) < 0) { low = middle + 1; } else { high = middle; }
    }
    below = low < z->file->n_tensors && strncmp(z->file->tensors[z->order[low]].name, z->name.text, all) == 0;
    z->name.text[n] = '\0';
    return below;
}

/* Memory for n elements that are templates: copies of those at `from`, or zeros. */
static char *pytree__st_template(struct pytree__st_sizer *z, const void *from, size_t n, size_t size)
{
    size_t head = pytree__round(sizeof(struct pytree__st_block), 16), bytes = pytree__plus(pytree__times(n, size), head);
    struct pytree__st_block *block = (struct pytree__st_block *)pytree__resize(z->allocator, NULL, 0, bytes);
    if (block == NULL) { (void)pytree__no_memory(z->err, bytes); return NULL; }
    block->next = z->blocks;
    block->bytes = bytes;
    z->blocks = block;
    if (from != NULL) { memcpy((char *)block + head, from, n * size); }
    else { memset((char *)block + head, 0, n * size); }
    return (char *)block + head;
}

static bool pytree__st_push(struct pytree__st_sizer *z, const pytree_type *type, char *self, size_t parent, const char *field,
                            size_t index, unsigned level)
{
    struct pytree__st_site *site;
    if (level > PYTREE__ST_NESTED) {
        (void)pytree_fail(z->err, PYTREE_OVERFLOW, NULL, "expected at most %d structs inside one another, got more in '%.100s'",
                          (int)PYTREE__ST_NESTED, z->name.text);
        return false;
    }
    site = (struct pytree__st_site *)pytree__st_append(&z->sites, z->allocator, z->err);
    if (site == NULL) { return false; }
    site->type = type;
    site->self = self;
    site->parent = parent;
    site->field = field;
    site->index = index;
    site->level = level;
    return true;
}

/* Static integers that are 0, and what they turn out to be. */
struct pytree__st_unknown {
    const pytree_field *row;
    uint64_t value;
};

static bool pytree__st_is_zero(const char *at, size_t n)
{
    while (n != 0 && at[n - 1] == 0) { n--; }
    return n == 0;
}

/* Writes an integer of any type; false if it does not fit. */
static bool pytree__st_set(const pytree_type *type, char *at, uint64_t value)
{
    bool is_signed = type->dtype >= PYTREE_I8 && type->dtype <= PYTREE_I64;
    unsigned bits = (unsigned)(8 * type->size - is_signed);
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    if (bits < 64 && value >> bits != 0) { return false; }
    memcpy(at, (const char *)&value + (low == 1 ? 0 : 8 - type->size), type->size);
    return true;
}

static size_t pytree__st_unknowns(const struct pytree__st_site *site, struct pytree__st_unknown *unknown)
{
    size_t n = 0;
    unsigned i;
    for (i = 0; i < site->type->n_fields && n < PYTREE__ST_UNKNOWN; i++) {
        const pytree_field *row = &site->type->fields[i];
        if (row->row == PYTREE_ROW_STATIC && row->type != NULL && row->type->kind == PYTREE_KIND_LEAF && row->ndim == 0
            && row->type->dtype >= PYTREE_I8 && row->type->dtype <= PYTREE_U64 && row->size == row->type->size
            && pytree__st_is_zero(site->self + row->offset, row->size)) {
            unknown[n].row = row;
            unknown[n++].value = 0;
        }
    }
    return n;
}

/* Which extents are unknown numbers by themselves? All are set, twice, to numbers of which no two are as far apart both times
 * and none is a multiple of another: an extent that is one of them both times is that one, and not twice or one more. No
 * number is 0 in between, by which an extent might divide. */
static void pytree__st_probe(struct pytree__st_sizer *z, const struct pytree__st_site *site, struct pytree__st_unknown *unknown,
                             size_t n, bool second)
{
    static const unsigned char rising[PYTREE__ST_UNKNOWN] = { 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59 };
    static const unsigned char falling[PYTREE__ST_UNKNOWN] = { 127, 113, 109, 107, 103, 101, 97, 89,
                                                               83,  79,  73,  71,  67,  61,  59, 2 };
    size_t i;
    for (i = 0; i < n; i++) {
        unknown[i].value = second ? falling[i] : rising[i];
        (void)pytree__st_set(unknown[i].row->type, site->self + unknown[i].row->offset, unknown[i].value);
    }
    (void)pytree__look(site->type, site->self, z->views + (second ? site->type->n_children : 0));
}

static bool pytree__st_learn(struct pytree__st_sizer *z, const struct pytree__st_site *site, size_t name,
                             struct pytree__st_unknown *unknown, size_t n)
{
    uint64_t first[PYTREE__ST_UNKNOWN], second[PYTREE__ST_UNKNOWN];
    const pytree_leaf *a = z->views, *b = z->views + site->type->n_children;
    bool good = true;
    size_t i, k;
    unsigned f;
    pytree__st_probe(z, site, unknown, n, false);
    for (i = 0; i < n; i++) { first[i] = unknown[i].value; }
    pytree__st_probe(z, site, unknown, n, true);
    for (i = 0; i < n; i++) {
        second[i] = unknown[i].value;
        unknown[i].value = 0;
    }
    for (f = 0, k = 0; f < site->type->n_fields && good; f++) {
        const pytree_field *row = &site->type->fields[f];
        const pytree_tensor *t = NULL;
        size_t there, d;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        k++;
        if (row->place != PYTREE_POINTER || (row->form != PYTREE_FORM_LEAF && row->form != PYTREE_FORM_LIST)) { continue; }
        there = pytree__st_name(z, name, row->name, 0);
        if (there == SIZE_MAX) { return false; }
        if (row->form == PYTREE_FORM_LEAF) { t = pytree_safetensors_find(z->file, z->name.text); }
        for (d = 0; d < (row->form == PYTREE_FORM_LIST ? 1 : (size_t)a[k - 1].ndim); d++) {
            for (i = 0; i < n && (a[k - 1].shape[d] != first[i] || b[k - 1].shape[d] != second[i]); i++) {}
            if (i == n || unknown[i].value != 0) { continue; }
            if (t != NULL && t->ndim == (size_t)a[k - 1].ndim) { unknown[i].value = t->shape[d]; }
            if (row->form == PYTREE_FORM_LIST) {
                size_t length;
                for (; (length = pytree__st_name(z, there, NULL, (size_t)unknown[i].value)) != SIZE_MAX
                       && pytree__st_there(z, length);
                     unknown[i].value++) {}
                good = good && length != SIZE_MAX;
            }
        }
    }
    return good;
}

/* OPTIONAL pointers that the file has something for. */
static bool pytree__st_wish(struct pytree__st_sizer *z, const struct pytree__st_site *site, size_t name)
{
    void *wanted = PYTREE_WANTED;
    unsigned f;
    for (f = 0; f < site->type->n_fields; f++) {
        const pytree_field *row = &site->type->fields[f];
        size_t there;
        if (row->row != PYTREE_ROW_DATA || row->place != PYTREE_POINTER || !row->optional
            || !pytree__st_is_zero(site->self + row->offset, sizeof(void *))) {
            continue;
        }
        there = pytree__st_name(z, name, row->name, 0);
        if (there == SIZE_MAX) { return false; }
        if (pytree__st_there(z, there)) { memcpy(site->self + row->offset, &wanted, sizeof wanted); }
    }
    return true;
}

/* Structs below this one: in place, or as templates. */
static bool pytree__st_descend(struct pytree__st_sizer *z, const struct pytree__st_site *site, size_t name)
{
    unsigned f;
    size_t k = 0, i;
    (void)pytree__look(site->type, site->self, z->views);
    for (f = 0; f < site->type->n_fields; f++) {
        const pytree_field *row = &site->type->fields[f];
        char *at = site->self + row->offset, *to;
        void *p;
        size_t n = 1, size;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        k++;
        if (row->place == PYTREE_STB || row->type == NULL || row->type->kind != PYTREE_KIND_STRUCT
            || (row->form != PYTREE_FORM_STRUCT && row->form != PYTREE_FORM_LIST && row->form != PYTREE_FORM_TUPLE)) {
            continue;
        }
        size = row->type->size;
        if (row->form == PYTREE_FORM_LIST) { n = z->views[k - 1].form == PYTREE_FORM_NONE ? 0 : z->views[k - 1].shape[0]; }
        if (row->form == PYTREE_FORM_TUPLE) { n = row->inner == 0 ? 0 : row->size / row->inner; }
        to = at;
        if (row->place == PYTREE_POINTER) {
            memcpy(&p, at, sizeof p);
            if ((p == NULL && row->optional) || n == 0) { continue; }
            to = pytree__st_template(z, p == PYTREE_WANTED ? NULL : p, n, size);
            if (to == NULL) { return false; }
            memcpy(at, &to, sizeof to);
        } else if (row->form == PYTREE_FORM_TUPLE) {
            size = row->inner;
        }
        for (i = 0; i < n; i++) {
            if (!pytree__st_push(z, row->type, to + i * size, name, row->name, row->form == PYTREE_FORM_STRUCT ? SIZE_MAX : i,
                                 site->level + 1)) {
                return false;
            }
        }
    }
    return true;
}

static bool pytree__st_size_one(struct pytree__st_sizer *z, struct pytree__st_site site)
{
    struct pytree__st_unknown unknown[PYTREE__ST_UNKNOWN];
    size_t name = z->prefix, views, n, i;
    void *grown;
    if (site.field != NULL) { name = pytree__st_name(z, site.parent, site.field, 0); }
    if (name != SIZE_MAX && site.index != SIZE_MAX) { name = pytree__st_name(z, name, NULL, site.index); }
    if (name == SIZE_MAX || site.type->flatten == NULL || site.type->n_children == 0) { return name != SIZE_MAX; }
    views = 2 * (size_t)site.type->n_children;
    grown = pytree__array_grow(z->views, &z->max_views, views, sizeof *z->views, z->allocator, z->err);
    if (grown == NULL) { return false; }
    z->views = (pytree_leaf *)grown;
    memset(z->views, 0, views * sizeof *z->views);
    n = pytree__st_unknowns(&site, unknown);
    if (!pytree__st_wish(z, &site, name) || !pytree__st_learn(z, &site, name, unknown, n)) { return false; }
    for (i = 0; i < n; i++) {
        if (!pytree__st_set(unknown[i].row->type, site.self + unknown[i].row->offset, unknown[i].value)) {
            (void)pytree__st_name(z, name, unknown[i].row->name, 0);
            (void)pytree_fail(z->err, PYTREE_OVERFLOW, NULL, "expected a size that fits the %s '%.100s', got %llu",
                              unknown[i].row->type->name, z->name.text, (unsigned long long)unknown[i].value);
            return false;
        }
    }
    return pytree__st_descend(z, &site, name);
}

static bool pytree__st_size_all(struct pytree__st_sizer *z, pytree t, const char *prefix)
{
    size_t n = z->file->n_tensors, i;
    z->order_bytes = pytree__plus(pytree__times(n, 2 * sizeof *z->order), 1);
    z->order = (size_t *)pytree__resize(z->allocator, NULL, 0, z->order_bytes);
    if (z->order == NULL) { (void)pytree__no_memory(z->err, z->order_bytes); return false; }
    for (i = 0; i < n; i++) { z->order[i] = i; }
    pytree__sort_numbers(z->order, n, pytree__st_by_name, z->file->tensors);
    if (!pytree__pile_room(&z->name, z->prefix + 64, z->err)) { return false; }
    memcpy(z->name.text, prefix, z->prefix + 1);
    if (!pytree__st_push(z, pytree__origin(t.type), (char *)t.data, 0, NULL, SIZE_MAX, 1)) { return false; }
    while (z->sites.n != 0) { /* the last first, so that z->name still begins with its parent's */
        if (!pytree__st_size_one(z, ((struct pytree__st_site *)z->sites.at)[--z->sites.n])) { return false; }
    }
    return true;
}

static void pytree__st_sizer_end(struct pytree__st_sizer *z)
{
    while (z->blocks != NULL) {
        struct pytree__st_block *block = z->blocks;
        z->blocks = block->next;
        (void)pytree__resize(z->allocator, block, block->bytes, 0);
    }
    pytree__array_free(z->views, z->max_views, sizeof *z->views, z->allocator);
    if (z->name.text != NULL) { (void)pytree__resize(z->allocator, z->name.text, z->name.room, 0); }
    if (z->order != NULL) { (void)pytree__resize(z->allocator, z->order, z->order_bytes, 0); }
    pytree__st_array_end(&z->sites, z->allocator);
}

static void pytree__st_allocate(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                pytree_error *err)
{
    struct pytree__st_sizer z;
    const char *prefix = opt->prefix == NULL ? "" : opt->prefix;
    size_t size = pytree__origin(t.type)->size;
    char *before = (char *)pytree__resize(opt->tree.allocator, NULL, 0, size);
    if (before == NULL) { (void)pytree__no_memory(err, size); return; }
    memcpy(before, t.data, size);
    memset(&z, 0, sizeof z);
    z.file = file;
    z.allocator = z.name.allocator = opt->tree.allocator;
    z.separator = opt->separator == NULL ? "." : opt->separator;
    z.prefix = strlen(prefix);
    z.err = err;
    z.sites.size = sizeof(struct pytree__st_site);
    if (!pytree__st_size_all(&z, t, prefix) || pytree_allocate(t, &opt->tree, err) != PYTREE_OK) {
        memcpy(t.data, before, size);
    }
    pytree__st_sizer_end(&z);
    (void)pytree__resize(opt->tree.allocator, before, size, 0);
}

pytree_status pytree_allocate_from_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                               pytree_error *err)
{
    pytree_checkpoint_options none;
    pytree_error own;
    pytree_safetensors *file;
    memset(&own, 0, sizeof own);
    opt = pytree__st_options(opt, &none);
    if (t.type == NULL || t.type->kind != PYTREE_KIND_STRUCT || t.data == NULL || opt->rename != NULL || opt->n_renames != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct, and names without renaming, to allocate for, got %s",
                           t.type == NULL ? "nothing" : t.data == NULL ? "NULL" : t.type->name);
    }
    file = pytree_safetensors_open(path, opt, &own);
    if (file != NULL) { pytree__st_allocate(file, t, opt, &own); }
    pytree_safetensors_close(file);
    return pytree__st_pass_on(&own, err);
}

#ifdef __cplusplus
}
#endif
#endif
