/* pytree/impl/literal_tape.h: parsing literals: the tape, errors, white space. */
#ifndef PYTREE_IMPL_LITERAL_TAPE_H
#define PYTREE_IMPL_LITERAL_TAPE_H

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
        if (pytree__lit_same(word, n, pytree__lit_type_name(&pytree_types[id]))) { return id; }
    }
    return 0;
}

static bool pytree__lit_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool pytree__lit_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- Parse: the tape --------------------------------------------------------------------------------------------------
 *
 * Parsing writes a tape: a token for each value and each key, a container before its contents. Strings, arrays and the
 * details of containers are stored beside it. Once the text is known to be valid, and the size of the tree is known, the tree
 * is built from the tape into one block:
 *
 *     {'a': [1, 2.0]}   =>   dict #0, 'a', list #1, 1, 2.0        strings: a      containers: {1 pair}, {2 items}
 *
 *     [containers] [pairs, items, orders, numbers] [views of arrays] [strings] [pytree__block] [arrays]
 */

typedef struct pytree__lit_token {
    unsigned type;                        /* place in pytree_types; a key: PYTREE__T_none */
    bool wide;                            /* a number that lies among the arrays */
    uint64_t value;                       /* its bytes; place of a string or wide number; number of a container or array */
} pytree__lit_token;

/* On the tape: a byte with the type, whether it is wide, and how many bytes of the value follow: 1, 2, 4 or 8. So the tape is
 * not much longer than the text. */
enum { PYTREE__LIT_WIDE = 32, PYTREE__LIT_SIZE = 6, PYTREE__LIT_TOKEN = 1 + 8 };
typedef char pytree__lit_types_fit[(int)PYTREE__T_view < (int)PYTREE__LIT_WIDE ? 1 : -1];

typedef struct pytree__lit_container {
    size_t count, maxlen;
    size_t name;                          /* place of the name of a namedtuple or default dict; PYTREE__LIT_NONE */
    size_t order;                         /* place of a dict's order; PYTREE__LIT_NONE: none is needed */
    bool numbered;
} pytree__lit_container;
#define PYTREE__LIT_NONE SIZE_MAX

typedef struct pytree__lit_key {
    const char *at;                       /* in the text */
    size_t name;                          /* among the strings */
    int64_t number;
} pytree__lit_key;

enum { PYTREE__LIT_ITEMS, PYTREE__LIT_BRACES, PYTREE__LIT_PAIRS, PYTREE__LIT_FIELDS };

typedef struct pytree__lit_open {         /* a container that is being read */
    size_t container, count;
    size_t keys;                          /* where its keys begin among those of all open ones, in bytes */
    uint32_t type;
    char close;
    unsigned char form;
    bool wrapped;                         /* one parenthesis more follows */
} pytree__lit_open;

typedef struct pytree__lit_bytes {
    char *at;
    size_t n, max;
} pytree__lit_bytes;

typedef struct pytree__lit_parser {
    const char *text, *at, *end;
    const pytree_options *opt;
    pytree_error *err;
    pytree__lit_bytes tape, texts, containers, orders, views, arrays;
    pytree__lit_bytes open, keys, sorting;
    size_t n_cells, n_items, n_pairs;     /* numbers; items and pairs of containers */
    size_t n_places;                      /* of orders, for each dict an even number */
    size_t most_open;                     /* of `open`, in bytes */
    size_t align;
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

/* Write a token, whose type may be with PYTREE__LIT_WIDE. */
PYTREE__INLINE bool pytree__lit_push(pytree__lit_parser *p, int type, uint64_t value)
{
    const unsigned size = value <= UINT8_MAX ? 0 : value <= UINT16_MAX ? 1 : value <= UINT32_MAX ? 2 : 3;
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    unsigned char *at;
    if (PYTREE__UNLIKELY(PYTREE__LIT_TOKEN > p->tape.max - p->tape.n) && !pytree__lit_grow(p, &p->tape, PYTREE__LIT_TOKEN)) {
        return false;
    }
    at = (unsigned char *)p->tape.at + p->tape.n;
    at[0] = (unsigned char)((unsigned)type | size << PYTREE__LIT_SIZE);
    switch (size) {
    case 0: at[1] = one; break;
    case 1: memcpy(at + 1, &two, sizeof two); break;
    case 2: memcpy(at + 1, &four, sizeof four); break;
    default: memcpy(at + 1, &value, sizeof value); break;
    }
    p->tape.n += 1 + ((size_t)1 << size);
    return true;
}

/* Read the token at a place of the tape. Return the place after it. */
PYTREE__INLINE const unsigned char *pytree__lit_read(const unsigned char *at, pytree__lit_token *token)
{
    const unsigned size = (unsigned)*at >> PYTREE__LIT_SIZE;
    uint16_t two;
    uint32_t four;
    token->type = *at & (PYTREE__LIT_WIDE - 1);
    token->wide = (*at & PYTREE__LIT_WIDE) != 0;
    switch (size) {
    case 0: token->value = at[1]; break;
    case 1: memcpy(&two, at + 1, sizeof two); token->value = two; break;
    case 2: memcpy(&four, at + 1, sizeof four); token->value = four; break;
    default: memcpy(&token->value, at + 1, sizeof token->value); break;
    }
    return at + 1 + ((size_t)1 << size);
}

static pytree__lit_container *pytree__lit_container_at(const pytree__lit_parser *p, size_t i)
{
    return (pytree__lit_container *)(void *)p->containers.at + i;
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
PYTREE__INLINE char pytree__lit_peek(pytree__lit_parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) { p->at++; }
    return p->at < p->end ? *p->at : '\0';
}

static bool pytree__lit_skip(pytree__lit_parser *p, char c)
{
    if (p->at == p->end || pytree__lit_peek(p) != c) { return false; }
    p->at++;
    return true;
}

static bool pytree__lit_need(pytree__lit_parser *p, char c)
{
    char expected[4] = { '\'', '\0', '\'', '\0' };
    expected[1] = c;
    if (pytree__lit_skip(p, c)) { return true; }
    return pytree__lit_expected(p, p->at, expected);
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
