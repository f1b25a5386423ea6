/* pytree/impl/literal_parser.h: parsing literals: the two passes, errors, white space. */
#ifndef PYTREE_IMPL_LITERAL_PARSER_H
#define PYTREE_IMPL_LITERAL_PARSER_H

#include "internal.h"
#include "../literal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>


/* ---- Types --------------------------------------------------------------------------------------------------------- */

/* Places in pytree_types, in the order of pytree_dtype. */
static const unsigned char pytree__lit_types[] = {
    PYTREE__T_none, PYTREE__T_bool_, PYTREE__T_schar, PYTREE__T_short_, PYTREE__T_int_, PYTREE__T_INT64, PYTREE__T_uchar,
    PYTREE__T_ushort, PYTREE__T_uint, PYTREE__T_UINT64, PYTREE__T_f16, PYTREE__T_bf16, PYTREE__T_float_, PYTREE__T_double_,
    PYTREE__T_ldouble, PYTREE__T_cfloat, PYTREE__T_cdouble, PYTREE__T_cldouble, PYTREE__T_string
};

static const char *pytree__lit_type_name(const pytree_type *type)
{
    return type->dtype == PYTREE_FLONG ? "longdouble" : type->dtype == PYTREE_CLONG ? "clongdouble" : pytree_dtype_name(type);
}

static bool pytree__lit_same(const char *word, size_t n, const char *other)
{
    return strlen(other) == n && memcmp(word, other, n) == 0;
}

static bool pytree__lit_is(const char *word, size_t n, const char *python, const char *json)
{
    return pytree__lit_same(word, n, python) || pytree__lit_same(word, n, json);
}

/* Find an element type by name. Return its place in pytree_types, or 0. */
static int pytree__lit_type_of(const char *word, size_t n)
{
    size_t i;
    for (i = 1; i < sizeof pytree__lit_types; i++) {
        const int id = pytree__lit_types[i];
        const char *name = pytree__lit_type_name(&pytree_types[id]);
        if (*name == *word && pytree__lit_same(word, n, name)) { return id; }
    }
    return 0;
}

static bool pytree__lit_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool pytree__lit_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- Parse: two passes ------------------------------------------------------------------------------------------------
 *
 * The text is read twice by the same functions. The first pass checks the notation and counts; the second writes the tree into
 * one block of exactly the size that was counted, so that nothing but the containers that are open lies beside it:
 *
 *     {'a': [1, 2.0]}   =>   counts: 1, 2      1 pair, 2 items, 2 cells, 2 bytes of strings
 *
 *     [containers] [pairs, items, orders, cells] [views of arrays] [strings] [pytree__block] [arrays]
 *
 * A container needs its count when it opens. The first pass notes the counts, and the second finds them at the end of the place
 * for the containers: a pytree_items is longer than a count, so that it never reaches those of containers that follow.
 *
 * Keys that are repeated, and floats out of the range of their type, are found by the second pass. A third looks for the place
 * of a repeated key, which is needed for the message alone. */

enum { PYTREE__LIT_COUNT, PYTREE__LIT_MAKE, PYTREE__LIT_SEEK };
enum { PYTREE__LIT_ITEMS, PYTREE__LIT_BRACES, PYTREE__LIT_PAIRS, PYTREE__LIT_FIELDS };
#define PYTREE__LIT_NONE SIZE_MAX

typedef struct pytree__lit_open {         /* a container that is being read */
    size_t container;                     /* its number, in the order in which they open */
    size_t count;                         /* of items so far */
    char *slot;                           /* of the next item or pair, in the second pass */
    unsigned char type, form;
    char close;
    bool wrapped;                         /* one parenthesis more follows */
    bool numbered;                        /* keys are integers */
} pytree__lit_open;
typedef char pytree__lit_types_fit[(int)PYTREE__T_count <= UCHAR_MAX ? 1 : -1];

typedef struct pytree__lit_bytes {
    char *at;
    size_t n, max;
} pytree__lit_bytes;

typedef struct pytree__lit_parser {
    const char *text, *at, *end;
    const pytree_options *opt;
    pytree_error *err;
    int pass;
    pytree__lit_bytes open, counts, sorting;
    size_t most_open;                     /* of `open`, in bytes */
    size_t align;
    size_t n_cells, n_items, n_pairs;     /* numbers and strings; items and pairs of containers */
    size_t n_places;                      /* of orders, for each dict an even number */
    size_t n_containers, n_views;         /* in each pass, so far: they are numbers of the next */
    size_t n_texts, n_arrays;             /* likewise, in bytes */
    /* For the second pass. */
    char *base;                           /* the block that it writes */
    size_t bytes;
    pytree_items *items;
    const char *counted;                  /* the counts */
    char *pieces;                         /* what is next of these */
    pytree_leaf *views;
    char *texts, *arrays;
    pytree root, *slot;                   /* where the next value goes */
    /* For the third: what it looks for. */
    bool repeats;
    size_t repeats_in, repeated;          /* number of the container, and of the pair in it */
    const char *word;                     /* before the last parenthesis */
    size_t word_bytes;
    int word_type;
    char unused[32];                      /* elements of arrays, in the first and third pass */
} pytree__lit_parser;

static bool pytree__lit_grow(pytree__lit_parser *p, pytree__lit_bytes *b, size_t n)
{
    const size_t need = pytree__plus(b->n, n);
    char *grown = (char *)pytree__array_grow(b->at, &b->max, need < 512 ? 512 : need, 1, pytree__allocator(p->opt), p->err);
    if (grown == NULL) { return false; }
    b->at = grown;
    return true;
}

/* Append n bytes. Return where they begin; NULL with an error if memory runs out. */
PYTREE__INLINE void *pytree__lit_more(pytree__lit_parser *p, pytree__lit_bytes *b, size_t n)
{
    if (PYTREE__UNLIKELY(n > b->max - b->n) && !pytree__lit_grow(p, b, n)) { return NULL; }
    b->n += n;
    return b->at + b->n - n;
}

/* Go on to the next item of the innermost container, which has no keys. */
PYTREE__INLINE void pytree__lit_next_item(pytree__lit_parser *p, pytree__lit_open *o)
{
    if (p->pass == PYTREE__LIT_MAKE) {
        p->slot = (pytree *)(void *)o->slot;
        o->slot += sizeof(pytree);
    }
    o->count++;
}

/* Write a value of at most eight bytes, or count it. */
PYTREE__INLINE void pytree__lit_cell(pytree__lit_parser *p, int type, const void *value, size_t size)
{
    if (p->pass != PYTREE__LIT_MAKE) {
        p->n_cells++;
    } else {
        char *at = p->pieces;
        memcpy(at, value, size);
        if (size < sizeof(uint64_t)) { memset(at + size, 0, sizeof(uint64_t) - size); }
        p->slot->type = &pytree_types[type];
        p->slot->data = at;
        p->pieces = at + sizeof(uint64_t);
    }
}

/* Append bytes to the strings, or count them. */
PYTREE__INLINE void pytree__lit_keep(pytree__lit_parser *p, const char *s, size_t n)
{
    if (p->pass == PYTREE__LIT_MAKE) { memcpy(p->texts + p->n_texts, s, n); }
    p->n_texts += n;
}

/* Find the type of a word before a parenthesis. Return its place in pytree_types; 0 for the name of a namedtuple. One word is
 * often like the last. */
static int pytree__lit_type_before(pytree__lit_parser *p, const char *word, size_t n)
{
    if (p->word_bytes != n || memcmp(p->word, word, n) != 0) {
        const pytree_type *container = pytree__type_of_word(word, n);
        p->word_type = container != NULL ? (int)(container - pytree_types) : pytree__lit_type_of(word, n);
        p->word = word;
        p->word_bytes = n;
    }
    return p->word_type;
}

/* Return the innermost open container. */
PYTREE__INLINE pytree__lit_open *pytree__lit_top(const pytree__lit_parser *p)
{
    return (pytree__lit_open *)(void *)(p->open.at + p->open.n) - 1;
}

/* ---- Parse: errors and space --------------------------------------------------------------------------------------- */

/* Describe what stands at a place, for a message: a word, a string, a character. */
static void pytree__lit_got(const pytree__lit_parser *p, const char *at, char *got, size_t room)
{
    size_t n = 1, left = (size_t)(p->end - at);
    if (at == p->end) {
        (void)snprintf(got, room, "the end");
    } else if (*at < ' ' || *at > '~') {
        (void)snprintf(got, room, "byte 0x%02x", (unsigned)(unsigned char)*at);
    } else if (*at == '\'' || *at == '"') {
        while (n < left && n < 24 && at[n] >= ' ' && at[n] <= '~' && at[n] != *at) { n++; }
        (void)snprintf(got, room, n < left && at[n] == *at ? "%.*s%c" : "%.*s...", (int)n, at, *at);
    } else {
        if (*at == '-' || pytree__lit_letter(*at) || pytree__lit_digit(*at)) {
            while (n < left && n < 24 && (pytree__lit_letter(at[n]) || pytree__lit_digit(at[n]) || at[n] == '.')) { n++; }
        }
        (void)snprintf(got, room, n == 24 ? "'%.*s...'" : "'%.*s'", (int)n, at);
    }
}

/* Fail at a place in the text. Lines and columns count from 1; columns are characters, not bytes. */
static bool pytree__lit_expected(const pytree__lit_parser *p, const char *at, const char *expected)
{
    char got[40];
    pytree__lit_got(p, at, got, sizeof got);
    (void)pytree__fail_in(p->err, PYTREE_SYNTAX, p->text, at, expected, got);
    return false;
}

/* Skip white space. Return the character after it, NUL at the end. */
static PYTREE__NOINLINE char pytree__lit_skip_space(pytree__lit_parser *p)
{
    const char *at = p->at, *const end = p->end;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) {
        const bool line = *at++ == '\n';
        while (line && end - at >= 4 && memcmp(at, "    ", 4) == 0) { at += 4; }          /* lines are indented */
    }
    p->at = at;
    return at < end ? *at : '\0';
}

/* The same, where there is mostly none or a single space. */
PYTREE__INLINE char pytree__lit_peek(pytree__lit_parser *p)
{
    const char *at = p->at, *const end = p->end;
    if (PYTREE__LIKELY(at < end && *at > ' ')) { return *at; }
    if (PYTREE__LIKELY(end - at > 1 && *at == ' ' && at[1] > ' ')) {
        p->at = at + 1;
        return at[1];
    }
    return pytree__lit_skip_space(p);
}

PYTREE__INLINE bool pytree__lit_skip(pytree__lit_parser *p, char c)
{
    if (p->at == p->end || pytree__lit_peek(p) != c) { return false; }
    p->at++;
    return true;
}

static PYTREE__NOINLINE bool pytree__lit_lacks(const pytree__lit_parser *p, char c)
{
    char expected[4] = { '\'', '\0', '\'', '\0' };
    expected[1] = c;
    return pytree__lit_expected(p, p->at, expected);
}

PYTREE__INLINE bool pytree__lit_need(pytree__lit_parser *p, char c)
{
    if (pytree__lit_skip(p, c)) { return true; }
    return pytree__lit_lacks(p, c);
}

/* Skip a whole word: `None`, but not the beginning of `Nonesuch`. */
static bool pytree__lit_skip_word(pytree__lit_parser *p, const char *word)
{
    size_t n = strlen(word);
    (void)pytree__lit_peek(p);
    if (pytree__word(p->at, (size_t)(p->end - p->at)) != n || memcmp(p->at, word, n) != 0) { return false; }
    p->at += n;
    return true;
}

#include "literal_number.h"
#endif
