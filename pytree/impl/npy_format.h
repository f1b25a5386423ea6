/* pytree/impl/npy_format.h: the .npy format: element types, headers, data. */
#ifndef PYTREE_IMPL_NPY_FORMAT_H
#define PYTREE_IMPL_NPY_FORMAT_H

#include "internal.h"
#include "../npy.h"
#include "checkpoint_wants.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

/* A source of bytes: a file, or a member of an archive. */
typedef struct pytree__npy_source pytree__npy_source;
struct pytree__npy_source {
    pytree_status (*read)(pytree__npy_source *from, void *to, size_t n);     /* all n, at most `left`, or an error */
    uint64_t left;                        /* bytes that are still to come */
    const char *name;                     /* for messages */
    pytree_error *err;
    void *context;
};

/* The contents of a header. */
typedef struct pytree__npy_head {
    pytree_leaf array;                    /* type and shape; no data */
    char descr[5];
    bool big_endian, columns;             /* columns: column-major */
    size_t bytes;
} pytree__npy_head;

enum { PYTREE__NPY_HEAD = 1024 };         /* room for any header that is written here */
#define PYTREE__NPY_HOLDS                                                                                               \
    (1u << PYTREE_BOOL8 | 1u << PYTREE_I8 | 1u << PYTREE_I16 | 1u << PYTREE_I32 | 1u << PYTREE_I64 | 1u << PYTREE_U8     \
     | 1u << PYTREE_U16 | 1u << PYTREE_U32 | 1u << PYTREE_U64 | 1u << PYTREE_F16 | 1u << PYTREE_F32 | 1u << PYTREE_F64    \
     | 1u << PYTREE_C64 | 1u << PYTREE_C128)

/* Read the header. The bytes left are then exactly the data. */
pytree_status pytree__npy_read_head(pytree__npy_source *from, pytree__npy_head *head);
/* Read the data into head->bytes bytes, row-major, in the byte order of this machine. */
pytree_status pytree__npy_read_data(pytree__npy_source *from, const pytree__npy_head *head, void *to);
/* Write magic bytes and header of a leaf's file. Return their length. */
size_t pytree__npy_put_head(char to[PYTREE__NPY_HEAD], const pytree_leaf *leaf);
/* Write the leaf's data in the file's order, piece by piece. */
typedef pytree_status pytree__npy_write_fn(void *context, const void *bytes, size_t n);
pytree_status pytree__npy_put_data(const pytree_leaf *leaf, pytree__npy_write_fn *write, void *context);
pytree_status pytree__npy_fail(const pytree__npy_source *from, pytree_status status, const char *format, ...)
#if defined(__GNUC__) && !defined(__TINYC__)
    __attribute__((format(PYTREE__PRINTF, 3, 4)))
#endif
    ;

#include <stdarg.h>


/* ---- Element types ------------------------------------------------------------------------------------------------- */

/* numpy's names of element types, without the byte order; the size is that of a part that is swapped as one. */
static const struct pytree__npy_word {
    char word[4];
    unsigned char dtype, parts, size;
} pytree__npy_words[] = {
    { "b1", PYTREE_BOOL8, 1, 1 }, { "i1", PYTREE_I8, 1, 1 }, { "i2", PYTREE_I16, 1, 2 }, { "i4", PYTREE_I32, 1, 4 },
    { "i8", PYTREE_I64, 1, 8 }, { "u1", PYTREE_U8, 1, 1 }, { "u2", PYTREE_U16, 1, 2 }, { "u4", PYTREE_U32, 1, 4 },
    { "u8", PYTREE_U64, 1, 8 }, { "f2", PYTREE_F16, 1, 2 }, { "f4", PYTREE_F32, 1, 4 }, { "f8", PYTREE_F64, 1, 8 },
    { "c8", PYTREE_C64, 2, 4 }, { "c16", PYTREE_C128, 2, 8 }
};
enum { PYTREE__NPY_WORDS = sizeof pytree__npy_words / sizeof pytree__npy_words[0] };

/* Find the name of an element type. Return NULL if .npy has no such type, or this machine has it in another size. */
static const struct pytree__npy_word *pytree__npy_word_of(const pytree_type *type)
{
    size_t i;
    for (i = 0; i < PYTREE__NPY_WORDS; i++) {
        const struct pytree__npy_word *w = &pytree__npy_words[i];
        if (w->dtype == type->dtype) { return type->size == (size_t)w->parts * w->size ? w : NULL; }
    }
    return NULL;
}

/* Return the built-in type of a name. `char` may be signed: the types after it are unambiguous. */
static const pytree_type *pytree__npy_type(const struct pytree__npy_word *word)
{
    int i;
    for (i = PYTREE__T_bool_; i <= PYTREE__T_cldouble; i++) {
        const pytree_type *type = &pytree_types[i];
        if (i != PYTREE__T_char_ && type->dtype == word->dtype) { return pytree__npy_word_of(type) == NULL ? NULL : type; }
    }
    return NULL;
}

/* Describe a leaf for messages: "f32[2,3]". */
static void pytree__npy_describe(char *text, size_t n, const pytree_leaf *leaf)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    int i;
    pytree__put_text(&to, pytree_dtype_name(leaf->type));
    for (i = 0; i < leaf->ndim; i++) {
        pytree__put_text(&to, i == 0 ? "[" : ",");
        pytree__put_number(&to, leaf->shape[i]);
    }
    if (leaf->ndim != 0) { pytree__put_text(&to, "]"); }
    pytree__end_text(&to, n);
}

/* ---- Headers ------------------------------------------------------------------------------------------------------- */

pytree_status pytree__npy_fail(const pytree__npy_source *from, pytree_status status, const char *format, ...)
{
    char text[400], name[200];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) { text[0] = '\0'; }
    va_end(arguments);
    pytree__shorten_middle(name, sizeof name, from->name);
    pytree__no_controls(text);
    pytree__no_controls(name);
    return pytree_fail(from->err, status, NULL, "%s in '%s'", text, name);
}

enum { PYTREE__NPY_LONGEST = 10000 };     /* header, in bytes; numpy's own limit */

/* The reader of a header. A header is ASCII: other characters could occur only in unknown keys or types. */
typedef struct pytree__npy_text {
    const char *start, *at, *end;
    bool python2;                         /* "3L" is a number */
    const pytree__npy_source *from;
    pytree_status status;
} pytree__npy_text;

static bool pytree__npy_expected(pytree__npy_text *r, const char *expected)
{
    char got[24];
    if (r->at == r->end) {
        (void)snprintf(got, sizeof got, "its end");
    } else {
        (void)snprintf(got, sizeof got, *r->at >= ' ' && *r->at <= '~' ? "'%c'" : "byte 0x%02x", (unsigned char)*r->at);
    }
    r->status = pytree__npy_fail(r->from, PYTREE_SYNTAX, "expected %s at byte %zu of the header, got %s", expected,
                                 (size_t)(r->at - r->start), got);
    return false;
}

static void pytree__npy_space(pytree__npy_text *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) { r->at++; }
}

/* Skip a word. Return false if it is not there. */
static bool pytree__npy_skip(pytree__npy_text *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) { return false; }
    r->at += n;
    return true;
}

/* Skip a word and white space around it. Fail if it is not there. */
static bool pytree__npy_need(pytree__npy_text *r, const char *word, const char *expected)
{
    pytree__npy_space(r);
    if (!pytree__npy_skip(r, word)) { return pytree__npy_expected(r, expected); }
    pytree__npy_space(r);
    return true;
}

/* Read a string without escapes: its place and length. */
static bool pytree__npy_string(pytree__npy_text *r, const char **string, size_t *length, const char *expected)
{
    const char *at = r->at, *close;
    *string = at;                         /* for compilers: it is not used after an error */
    *length = 0;
    if (at == r->end || (*at != '\'' && *at != '"')) { return pytree__npy_expected(r, expected); }
    close = (const char *)memchr(at + 1, *at, (size_t)(r->end - at - 1));
    if (close == NULL) { return pytree__npy_expected(r, "a string that ends"); }
    *string = at + 1;
    *length = (size_t)(close - at - 1);
    r->at = close + 1;
    return true;
}

static bool pytree__npy_descr(pytree__npy_text *r, pytree__npy_head *head)
{
    const char *s;
    char got[41];
    size_t n, i;
    if (!pytree__npy_string(r, &s, &n, "a type such as '<f4'; objects and structures are refused")) { return false; }
    for (i = 0; i < PYTREE__NPY_WORDS && n >= 3; i++) {
        const struct pytree__npy_word *w = &pytree__npy_words[i];
        if (n != strlen(w->word) + 1 || memcmp(s + 1, w->word, n - 1) != 0) { continue; }
        if (*s != '<' && *s != '>' && (*s != '|' || w->size != 1)) { continue; }
        head->array.type = pytree__npy_type(w);
        head->big_endian = *s == '>';
        memcpy(head->descr, s, n);
        if (head->array.type != NULL) { return true; }
    }
    for (i = 0; i < n && i < sizeof got - 1; i++) { got[i] = s[i] >= ' ' && s[i] <= '~' ? s[i] : '?'; }
    got[i] = '\0';
    r->status = pytree__npy_fail(r->from, PYTREE_TYPE, "expected an element type that C has, such as |b1, <i4, >f8, got '%s'",
                                 got);
    return false;
}

static bool pytree__npy_order(pytree__npy_text *r, pytree__npy_head *head)
{
    head->columns = pytree__npy_skip(r, "True");
    if (head->columns || pytree__npy_skip(r, "False")) { return true; }
    return pytree__npy_expected(r, "True or False");
}

/* Read one dimension. */
static bool pytree__npy_extent(pytree__npy_text *r, size_t *extent)
{
    const char *start = r->at;
    uint64_t v = 0;
    bool fits = true;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        unsigned digit = (unsigned)(*r->at - '0');
        fits = fits && v <= ((uint64_t)INT64_MAX - digit) / 10;
        v = v * 10 + digit;
    }
    if (r->at == start) { return pytree__npy_expected(r, "a dimension, in digits"); }
    if (*start == '0' && r->at != start + 1) {
        r->at = start;
        return pytree__npy_expected(r, "a dimension without leading zeros");
    }
    if (!fits || v > SIZE_MAX) {
        r->status = pytree__npy_fail(r->from, PYTREE_OVERFLOW, "expected dimensions that fit 63 bits and this machine, got one "
                                     "of %zu digits", (size_t)(r->at - start));
        return false;
    }
    if (r->python2) { (void)pytree__npy_skip(r, "L"); }
    *extent = (size_t)v;
    return true;
}

static bool pytree__npy_shape(pytree__npy_text *r, pytree__npy_head *head)
{
    bool comma = true;
    int n = 0;
    size_t extent = 0;
    if (!pytree__npy_need(r, "(", "a tuple of dimensions")) { return false; }
    while (!pytree__npy_skip(r, ")")) {
        if (!comma) { return pytree__npy_expected(r, "a comma or a closing parenthesis"); }
        if (!pytree__npy_extent(r, &extent)) { return false; }
        if (n == PYTREE_MAX_DIMS) {
            r->status = pytree__npy_fail(r->from, PYTREE_SHAPE, "expected at most %d dimensions, got more", PYTREE_MAX_DIMS);
            return false;
        }
        head->array.shape[n++] = extent;
        pytree__npy_space(r);
        comma = pytree__npy_skip(r, ",");
        pytree__npy_space(r);
    }
    head->array.ndim = n;
    if (n != 1 || comma) { return true; }
    r->at--;
    return pytree__npy_expected(r, "a comma after the only dimension");
}

/* Read a whole header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */
static bool pytree__npy_dictionary(pytree__npy_text *r, pytree__npy_head *head)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    static bool (*const values[])(pytree__npy_text *, pytree__npy_head *) = {
        pytree__npy_descr, pytree__npy_order, pytree__npy_shape
    };
    bool seen[3] = { false, false, false }, comma = true;
    unsigned i, n = 0;
    if (!pytree__npy_need(r, "{", "a dictionary")) { return false; }
    while (n == 0 || !pytree__npy_skip(r, "}")) {
        const char *start = r->at, *key;
        size_t length;
        if (!comma) { return pytree__npy_expected(r, "a comma or a closing brace"); }
        if (!pytree__npy_string(r, &key, &length, "a key in quotes")) { return false; }
        for (i = 0; i < 3 && (length != strlen(keys[i]) || memcmp(key, keys[i], length) != 0); i++) { }
        if (i == 3 || seen[i]) {
            r->at = start;
            return pytree__npy_expected(r, "one of the keys 'descr', 'fortran_order', 'shape', each once");
        }
        seen[i] = true;
        n++;
        if (!pytree__npy_need(r, ":", "a colon") || !values[i](r, head)) { return false; }
        pytree__npy_space(r);
        comma = pytree__npy_skip(r, ",");
        pytree__npy_space(r);
    }
    pytree__npy_space(r);
    if (n != 3) {
        r->at--;
        return pytree__npy_expected(r, "the keys 'descr', 'fortran_order', 'shape'");
    }
    if (r->at == r->end) { return true; }
    return pytree__npy_expected(r, "nothing after the dictionary");
}

/* Compute the bytes of the array, checking each product. */
static pytree_status pytree__npy_size(const pytree__npy_source *from, pytree__npy_head *head)
{
    uint64_t n = 1, size = head->array.type->size;
    int i;
    for (i = 0; i < head->array.ndim; i++) {
        size_t extent = head->array.shape[i];
        if (n != 0 && extent > (uint64_t)INT64_MAX / n) { break; }
        n *= extent;
    }
    if (i < head->array.ndim || n > (uint64_t)INT64_MAX / size || n * size > SIZE_MAX / 2) {
        return pytree__npy_fail(from, PYTREE_OVERFLOW, "expected a size that fits 63 bits and this machine, got more");
    }
    head->bytes = (size_t)(n * size);
    if (from->left != head->bytes) {
        return pytree__npy_fail(from, PYTREE_SYNTAX, "expected exactly %zu bytes of data, got %llu", head->bytes,
                                (unsigned long long)from->left);
    }
    return PYTREE_OK;
}

pytree_status pytree__npy_read_head(pytree__npy_source *from, pytree__npy_head *head)
{
    unsigned char start[12];
    char text[PYTREE__NPY_LONGEST];
    pytree__npy_text r;
    pytree_status status;
    size_t length, n = 10;
    memset(head, 0, sizeof *head);
    if (from->left < n) {
        return pytree__npy_fail(from, PYTREE_SYNTAX, "expected an array in numpy's format, got %u bytes", (unsigned)from->left);
    }
    status = from->read(from, start, n);
    if (status != PYTREE_OK) { return status; }
    if (memcmp(start, "\x93NUMPY", 6) != 0) {
        return pytree__npy_fail(from, PYTREE_SYNTAX, "expected an array in numpy's format, got other bytes at the start");
    }
    if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
        return pytree__npy_fail(from, PYTREE_SYNTAX, "expected version 1.0, 2.0 or 3.0, got %u.%u", start[6], start[7]);
    }
    length = start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {                   /* four bytes of length */
        if (from->left < 2) { return pytree__npy_fail(from, PYTREE_SYNTAX, "expected the length of a header, got its half"); }
        status = from->read(from, start + 10, 2);
        if (status != PYTREE_OK) { return status; }
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (length > PYTREE__NPY_LONGEST || length > from->left) {
        return pytree__npy_fail(from, PYTREE_SYNTAX, "expected a header of at most %d bytes within %llu, got a longer one",
                                (int)PYTREE__NPY_LONGEST, (unsigned long long)from->left);
    }
    status = from->read(from, text, length);
    if (status != PYTREE_OK) { return status; }
    memset(&r, 0, sizeof r);
    r.start = r.at = text;
    r.end = text + length;
    r.python2 = start[6] < 3;
    r.from = from;
    return pytree__npy_dictionary(&r, head) ? pytree__npy_size(from, head) : r.status;
}

/* ---- Data ---------------------------------------------------------------------------------------------------------- */

/* Convert bytes of the file to values of this machine, in place. */
static pytree_status pytree__npy_settle(const pytree__npy_source *from, const pytree__npy_head *head, unsigned char *p,
                                        size_t bytes)
{
    const struct pytree__npy_word *word = pytree__npy_word_of(head->array.type);
    size_t i;
    if (word->size > 1 && head->big_endian == pytree__little_endian()) {
        pytree__swap(p, word->size, bytes / word->size);
    }
    for (i = 0; word->dtype == PYTREE_BOOL8 && i < bytes; i++) {
        if (p[i] > 1) { return pytree__npy_fail(from, PYTREE_VALUE, "expected bools of 0 or 1, got %u", p[i]); }
    }
    return PYTREE_OK;
}

/* Read column-major data: each element goes to its place as it comes. The first index varies fastest in the file. */
static pytree_status pytree__npy_read_columns(pytree__npy_source *from, const pytree__npy_head *head, char *to)
{
    unsigned char piece[PYTREE__PIECE];     /* a whole number of elements of any type */
    size_t size = head->array.type->size, stride[PYTREE_MAX_DIMS], index[PYTREE_MAX_DIMS] = { 0 };
    size_t at = 0, left = head->bytes, i;
    int d, ndim = head->array.ndim;
    stride[ndim - 1] = size;
    for (d = ndim - 1; d > 0; d--) { stride[d - 1] = stride[d] * head->array.shape[d]; }
    while (left != 0) {
        size_t n = left < sizeof piece ? left : sizeof piece;
        pytree_status status = from->read(from, piece, n);
        if (status == PYTREE_OK) { status = pytree__npy_settle(from, head, piece, n); }
        if (status != PYTREE_OK) { return status; }
        for (i = 0; i < n; i += size) {
            memcpy(to + at, piece + i, size);
            for (d = 0; d < ndim; d++) {
                at += stride[d];
                if (++index[d] < head->array.shape[d]) { break; }
                at -= stride[d] * index[d];
                index[d] = 0;
            }
        }
        left -= n;
    }
    return PYTREE_OK;
}

pytree_status pytree__npy_read_data(pytree__npy_source *from, const pytree__npy_head *head, void *to)
{
    pytree_status status;
    if (head->bytes == 0) { return PYTREE_OK; }
    if (head->columns && head->array.ndim > 1) { return pytree__npy_read_columns(from, head, (char *)to); }
    status = from->read(from, to, head->bytes);
    return status != PYTREE_OK ? status : pytree__npy_settle(from, head, (unsigned char *)to, head->bytes);
}

/* Write magic bytes and header like numpy, which leaves room for the first dimension to grow to 21 digits and then pads to a
 * multiple of 64, by at least one byte, the newline included. */
size_t pytree__npy_put_head(char to[PYTREE__NPY_HEAD], const pytree_leaf *leaf)
{
    const struct pytree__npy_word *word = pytree__npy_word_of(leaf->type);
    struct pytree__text_writer text = pytree__text_to(to + 10, PYTREE__NPY_HEAD - 10, NULL);
    size_t n, digits;
    int i;
    pytree__put_text(&text, word->size > 1 ? "{'descr': '<" : "{'descr': '|");
    pytree__put_text(&text, word->word);
    pytree__put_text(&text, "', 'fortran_order': False, 'shape': (");
    for (i = 0, digits = 21; i < leaf->ndim; i++) {
        n = text.length;
        pytree__put_number(&text, leaf->shape[i]);
        if (i == 0) { digits = text.length - n; }
        pytree__put_text(&text, i + 1 < leaf->ndim ? ", " : leaf->ndim == 1 ? "," : "");
    }
    pytree__put_text(&text, "), }");
    n = 10 + text.length + (21 - digits);
    memset(to + 10 + text.length, ' ', PYTREE__NPY_HEAD - 10 - text.length);
    n += 64 - (n + 1) % 64;
    to[n++] = '\n';
    memcpy(to, "\x93NUMPY\x01", 8);
    to[8] = (char)((n - 10) & 0xFF);
    to[9] = (char)((n - 10) >> 8);
    return n;
}

pytree_status pytree__npy_put_data(const pytree_leaf *leaf, pytree__npy_write_fn *write, void *context)
{
    const struct pytree__npy_word *word = pytree__npy_word_of(leaf->type);
    const unsigned char *data = (const unsigned char *)leaf->data;
    size_t left = pytree_leaf_bytes(leaf);
    unsigned char piece[PYTREE__PIECE];
    pytree_status status = PYTREE_OK;
    if (word->size == 1 || pytree__little_endian()) { return left == 0 ? PYTREE_OK : write(context, data, left); }
    while (left != 0 && status == PYTREE_OK) {
        size_t n = left < sizeof piece ? left : sizeof piece;
        memcpy(piece, data, n);
        pytree__swap(piece, word->size, n / word->size);
        status = write(context, piece, n);
        data += n;
        left -= n;
    }
    return status;
}

#include "npy.h"
#endif
