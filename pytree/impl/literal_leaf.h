/* pytree/impl/literal_leaf.h: parsing literals: strings, and numbers and arrays with a type. */
#ifndef PYTREE_IMPL_LITERAL_LEAF_H
#define PYTREE_IMPL_LITERAL_LEAF_H

#include "literal_number.h"

/* ---- Parse: strings ------------------------------------------------------------------------------------------------ */

/* Read n hexadecimal digits. Return false if there are fewer. */
static bool pytree__lit_hex(const pytree__lit_parser *p, const char *at, int n, uint32_t *value)
{
    for (*value = 0; n > 0; n--, at++) {
        char c = at < p->end ? *at : '\0';
        int digit = c - '0';
        if (!pytree__lit_digit(c)) {
            c = (char)(c | ('a' ^ 'A'));
            if (c < 'a' || c > 'f') { return false; }
            digit = c - 'a' + 10;
        }
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* Return what a letter after a backslash stands for; NUL if it needs digits, or is none. */
PYTREE__INLINE char pytree__lit_meant(char c)
{
    switch (c) {
    case '\\': case '\'': case '"': case '/': return c;
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return '\0';
    }
}

/* Parse an escape. Return its number of bytes; 0 with an error if it is invalid. */
static size_t pytree__lit_escape(pytree__lit_parser *p, char *out)
{
    const char c = p->at + 1 < p->end ? p->at[1] : '\0', meant = pytree__lit_meant(c);
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0, second = 0;
    if (meant != '\0') {
        out[0] = meant;
        p->at += 2;
        return 1;
    }
    if (digits == 0 || !pytree__lit_hex(p, p->at + 2, digits, &code) || code > 0x10FFFF) {
        (void)pytree__lit_expected(p, p->at, c == '0' ? "an escape other than NUL" : "an escape such as \\n, \\x1b or \\u200b");
        return 0;
    }
    if (code == 0) {
        (void)pytree__lit_expected(p, p->at, "an escape other than NUL");
        return 0;
    }
    if (code >= 0xD800 && code <= 0xDBFF && digits == 4 && p->end - p->at >= 12 && p->at[6] == '\\' && p->at[7] == 'u'
        && pytree__lit_hex(p, p->at + 8, 4, &second) && second >= 0xDC00 && second <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);          /* a surrogate pair, as in JSON */
        p->at += 6;
    }
    if (code >= 0xD800 && code <= 0xDFFF && (code < 0xDC80 || code > 0xDCFF)) {
        (void)pytree__lit_expected(p, p->at, "a character, or both halves of one");
        return 0;
    }
    p->at += 2 + digits;
    if (code >= 0xDC80 && code <= 0xDCFF) {          /* a byte that is not UTF-8 */
        out[0] = (char)(code - 0xDC00);
        return 1;
    }
    return pytree__to_utf8(out, code);
}

/* Parse the rest of 'text' or "text" and append it to the strings. */
static PYTREE__NOINLINE bool pytree__lit_long_string(pytree__lit_parser *p, char quote)
{
    const char *const end = p->end;
    char escaped[4];
    for (;;) {
        const char *at = p->at;
        size_t n;
        if (p->pass == PYTREE__LIT_MAKE) {
            char *to = p->texts + p->n_texts;
            while (*at != quote && *at != '\\') { *to++ = *at++; }
        } else {
            while (at < end && *at != quote && *at != '\\' && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80) { at++; }
        }
        p->n_texts += (size_t)(at - p->at);
        p->at = at;
        if (at < end && *at == quote) { break; }
        if (at < end && *at == '\\') {
            n = pytree__lit_escape(p, escaped);
            if (n == 0) { return false; }
            pytree__lit_keep(p, escaped, n);
        } else if (at == end || *at == '\n' || *at == '\r' || *at == '\0') {
            return pytree__lit_expected(p, at, quote == '"' ? "the closing \"" : "the closing '");
        } else {
            uint32_t c;
            n = pytree__utf8(at, (size_t)(end - at), &c);
            if (n == 0) { return pytree__lit_expected(p, at, "UTF-8"); }
            pytree__lit_keep(p, at, n);
            p->at += n;
        }
    }
    pytree__lit_keep(p, "", 1);
    p->at++;
    return true;
}

/* The same, at once for a string of plain characters; *where is its place. */
PYTREE__INLINE bool pytree__lit_string(pytree__lit_parser *p, size_t *where)
{
    const char *const from = p->at, quote = *from, *at = from + 1, *const end = p->end;
    *where = p->n_texts;
    if (p->pass != PYTREE__LIT_MAKE) {
        while (at < end && *at != quote && *at != '\\' && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80) { at++; }
    } else {
        char *to = p->texts + p->n_texts;                    /* the first pass has seen the closing quote, and UTF-8 */
        while (*at != quote && *at != '\\') { *to++ = *at++; }
        *to = '\0';
    }
    p->n_texts += (size_t)(at - from) - 1;
    p->at = at;
    if (PYTREE__UNLIKELY(at == end || *at != quote)) { return pytree__lit_long_string(p, quote); }
    p->n_texts++;
    p->at++;
    return true;
}

static bool pytree__lit_is_quote(char c) { return c == '\'' || c == '"'; }

/* Append an identifier to the strings. Return its place. */
static size_t pytree__lit_name(pytree__lit_parser *p, const char *name, size_t n)
{
    const size_t where = p->n_texts;
    pytree__lit_keep(p, name, n);
    pytree__lit_keep(p, "", 1);
    return where;
}

/* ---- Parse: numbers and arrays with a type ------------------------------------------------------------------------- */

/* Return the string at a place. */
static const char *pytree__lit_text(const pytree__lit_parser *p, size_t where)
{
    return p->pass == PYTREE__LIT_MAKE ? p->texts + where : NULL;
}

/* Parse one element into `to`. */
static bool pytree__lit_element(pytree__lit_parser *p, int id, char *to)
{
    const pytree_type *type = &pytree_types[id];
    char c = pytree__lit_peek(p);
    const char *s = NULL;
    size_t where;
    switch (type->dtype) {
    case PYTREE_BOOL8:
        *to = (char)(pytree__lit_skip_word(p, "True") || pytree__lit_skip_word(p, "true"));
        if (*to != 0 || pytree__lit_skip_word(p, "False") || pytree__lit_skip_word(p, "false")) { return true; }
        return pytree__lit_expected(p, p->at, "True or False");
    case PYTREE_STRING:
        if (pytree__lit_is_quote(c)) {
            if (!pytree__lit_string(p, &where)) { return false; }
            s = pytree__lit_text(p, where);
        } else if (!pytree__lit_skip_word(p, "None") && !pytree__lit_skip_word(p, "null")) {
            return pytree__lit_expected(p, p->at, "a string in quotes or None");
        }
        memcpy(to, &s, sizeof s);
        return true;
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64: case PYTREE_FLONG:
        return pytree__lit_real(p, type, to);
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG:
        return pytree__lit_complex(p, type, to);
    default: return pytree__lit_integer(p, type, to);
    }
}

/* Parse the short numbers that follow an element of a row with a comma and at most a space between them. Return how many there
 * are. */
static size_t pytree__lit_row(pytree__lit_parser *p, const pytree_type *type)
{
    const size_t size = type->size;
    const bool real = type->dtype >= PYTREE_F16;
    size_t n = 0;
    if (type->dtype <= PYTREE_BOOL8 || type->dtype > PYTREE_F64) { return 0; }
    for (;; n++) {
        const char *const comma = p->at;
        char *to;
        if (p->end - comma < 3 || *comma != ',') { return n; }
        p->at += 1 + (comma[1] == ' ');
        to = pytree__lit_array_room(p, size);
        if (real ? !pytree__lit_short_real(p, type, to) : !pytree__lit_short_integer(p, type, to)) {
            p->n_arrays -= size;
            p->at = comma;
            return n;
        }
    }
}

/* Parse [[1.0, 2.0], [3.0, 4.0]] into the arrays, and its shape into the view. */
static bool pytree__lit_elements(pytree__lit_parser *p, int id, pytree_leaf *view)
{
    const size_t size = pytree_types[id].size;
    size_t count[PYTREE_MAX_DIMS] = { 0 };
    bool known[PYTREE_MAX_DIMS] = { false };
    int level = 0, ndim = 0;              /* 0: not known yet */
    char expected[64], c;
    for (;;) {
        c = pytree__lit_peek(p);
        if (c == '[') {
            if (ndim != 0 && level == ndim) { return pytree__lit_expected(p, p->at, "an element"); }
            if (level == PYTREE_MAX_DIMS) {
                (void)snprintf(expected, sizeof expected, "at most %d dimensions", PYTREE_MAX_DIMS);
                return pytree__lit_expected(p, p->at, expected);
            }
            p->at++;
            count[level++] = 0;
            continue;
        }
        if (c != ']') {
            if (ndim != 0 && level != ndim) { return pytree__lit_expected(p, p->at, "'['"); }
            ndim = level;
            if (!pytree__lit_element(p, id, pytree__lit_array_room(p, size))) { return false; }
            count[level - 1] += 1 + pytree__lit_row(p, &pytree_types[id]);
        }
        for (;;) {                        /* after an element, or at the end of an empty list */
            bool comma = count[level - 1] != 0 && pytree__lit_skip(p, ',');
            if (comma && pytree__lit_peek(p) != ']') { break; }
            if (pytree__lit_peek(p) != ']') {
                return pytree__lit_expected(p, p->at, "',' or ']'");
            }
            if (ndim == 0) { ndim = level; }
            if (known[level - 1] && count[level - 1] != view->shape[level - 1]) {
                (void)snprintf(expected, sizeof expected, "%zu items as in the list before, after %zu",
                               view->shape[level - 1], count[level - 1]);
                return pytree__lit_expected(p, p->at, expected);
            }
            known[level - 1] = true;
            view->shape[level - 1] = count[level - 1];
            p->at++;
            if (--level == 0) {
                view->ndim = ndim;
                return true;
            }
            count[level - 1]++;
        }
    }
}

/* Parse , shape=(0, 3) after elements in one row. */
static bool pytree__lit_shape(pytree__lit_parser *p, pytree_leaf *view)
{
    const char *start = p->at;
    const size_t count = view->shape[0];
    uint64_t extent;
    if (view->ndim != 1) { return pytree__lit_expected(p, start, "')' (the shape is that of the lists)"); }
    if (!pytree__lit_skip_word(p, "shape")) { return pytree__lit_expected(p, p->at, "shape= or ')'"); }
    if (!pytree__lit_need(p, '=') || !pytree__lit_need(p, '(')) { return false; }
    view->ndim = 0;
    do {
        if (pytree__lit_peek(p) == ')' && view->ndim > 0) { break; }
        if (view->ndim == PYTREE_MAX_DIMS) { return pytree__lit_expected(p, p->at, "')' (no more dimensions)"); }
        if (!pytree__lit_integer(p, &pytree_types[PYTREE__T_UINT64], &extent)) { return false; }
        if (extent > PTRDIFF_MAX) { return pytree__lit_expected(p, start, "extents that fit memory"); }
        view->shape[view->ndim++] = (size_t)extent;
    } while (pytree__lit_skip(p, ','));
    if (!pytree__lit_need(p, ')')) { return false; }
    if (pytree_leaf_count(view) == count) { return true; }
    return pytree__lit_expected(p, start, "a shape of as many elements as there are");
}

static bool pytree__lit_array(pytree__lit_parser *p, int id)
{
    pytree_leaf counted, *view = &counted;
    if (p->pass == PYTREE__LIT_MAKE) {
        view = p->views + p->n_views;
        p->slot->type = &pytree_types[PYTREE__T_view];
        p->slot->data = view;
    }
    memset(view, 0, sizeof *view);
    view->type = &pytree_types[id];
    pytree__lit_align(p, p->align);
    view->data = pytree__lit_array_room(p, 0);
    p->n_views++;
    if (!pytree__lit_elements(p, id, view)) { return false; }
    if (pytree__lit_skip(p, ',') && pytree__lit_peek(p) != ')') {
        if (!pytree__lit_shape(p, view)) { return false; }
        (void)pytree__lit_skip(p, ',');
    }
    return pytree__lit_need(p, ')');
}

/* Parse the rest of f32( … ) and the like. */
static bool pytree__lit_typed(pytree__lit_parser *p, int id)
{
    const size_t size = pytree_types[id].size;
    const bool wide = size > sizeof(uint64_t);
    char cell[8], *at = cell;
    if (pytree__lit_peek(p) == '[') { return pytree__lit_array(p, id); }
    if (id == PYTREE__T_string && !pytree__lit_is_quote(pytree__lit_peek(p))) {
        return pytree__lit_expected(p, p->at, "a string in quotes or '['");
    }
    if (wide) { at = pytree__lit_wide(p, id); }
    if (!pytree__lit_element(p, id, at)) { return false; }
    if (!wide) { pytree__lit_cell(p, id, cell, size); }
    (void)pytree__lit_skip(p, ',');
    return pytree__lit_need(p, ')');
}

#include "literal_container.h"
#endif
