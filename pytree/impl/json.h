/* pytree/impl/json.h: reading JSON, as the header of a safetensors file has it. */
#ifndef PYTREE_IMPL_JSON_H
#define PYTREE_IMPL_JSON_H

#include "safetensors_dtype.h"

/* ---- JSON -------------------------------------------------------------------------------------------------------------
 *
 * No JSON library is used: common ones keep the first or the last of two equal keys, read integers as doubles, recurse, or
 * build a tree of values many times the size of a header; and a program that copies headers would have to link it. Little of
 * JSON is needed: an object of objects with three known fields, integers, and skipping unknown fields. Strings are unescaped
 * in place, since that never makes them longer, and end in a NUL in place of the quote.
 */
struct pytree__json {
    char *at, *end;
    const char *begin, *what, *path;      /* what: "header", "index" */
    pytree_error *err;
    bool nul;                             /* the last string contains U+0000 */
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

/* Report an error in a value that has been read. */
static bool pytree__js_wrong(struct pytree__json *j, const char *expected, const char *got)
{
    (void)pytree_fail(j->err, PYTREE_SYNTAX, NULL, "expected %s, got '%.100s' before byte %zu of the %s of '%s'", expected, got,
                      (size_t)(j->at - j->begin), j->what, j->path);
    return false;
}

static char pytree__js_peek(struct pytree__json *j)           /* NUL at the end; a NUL in the text is no token either */
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

/* Tell whether another member follows; if not, skip the closing bracket. *good becomes false if neither is there. */
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

/* Read the digits after "\u". Write the character as UTF-8. */
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
            if (*e == '\0') { return pytree__js_fail(j, "an escape"); }
            *to++ = e[1];
            j->at++;
        }
    }
    *to = '\0';
    return true;
}

/* Read a string that must be a C string. */
static bool pytree__js_text(struct pytree__json *j, char **text)
{
    if (!pytree__js_string(j, text)) { return false; }
    return j->nul ? pytree__js_wrong(j, "no U+0000 in names and metadata", *text) : true;
}

static bool pytree__js_key(struct pytree__json *j, char **text)
{
    return pytree__js_string(j, text) && pytree__js_take(j, ':');
}

/* Read an integer exactly: sizes must not go through a double. */
static bool pytree__js_size(struct pytree__json *j, uint64_t *value)
{
    char c = pytree__js_peek(j);
    if (c < '0' || c > '9') { return pytree__js_fail(j, "digits"); }
    *value = 0;
    if (c == '0') { j->at++; return true; }                    /* a digit after it fails as a missing separator */
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
    if (j->at == from) { return pytree__js_fail(j, "digits"); }
    return true;
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

/* Skip any value, inside `level` objects. One bit for each level is the kind of its bracket: nothing recurses. */
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

/* Check that the whole text is UTF-8. */
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

#include "safetensors_file.h"
#endif
