/* pytree/impl/text.h: writing text into a buffer or a file: integers, strings as Python quotes them, key path entries. */
#ifndef PYTREE_IMPL_TEXT_H
#define PYTREE_IMPL_TEXT_H

#include "internal.h"

/* Writes to a file. The first write to a terminal sets errno though it succeeds: no function of the library does. */
static PYTREE__APART_CLANG bool pytree__file_put(FILE *file, const char *s, size_t n)
{
    const int before = PYTREE__GET_ERRNO();
    const bool written = fwrite(s, 1, n, file) == n;
    PYTREE__SET_ERRNO(before);
    return written;
}

PYTREE__APART void pytree__text_put(struct pytree__text_writer *to, const char *s, size_t n)
{
    if (to->file != NULL) {
        to->file->write(to->file->file, s, n);
    } else if (to->length < to->room) {
        size_t left = to->room - to->length;
        memcpy(to->at + to->length, s, n < left ? n : left);
    }
    to->length += n;
}

/* Puts a few bytes, without a call where they fit. */
PYTREE__INLINE void pytree__text_put_small(struct pytree__text_writer *to, const char *s, size_t n)
{
    if (PYTREE__LIKELY(to->at != NULL && to->length <= to->room && n <= to->room - to->length)) {
        memcpy(to->at + to->length, s, n);
        to->length += n;
    } else {
        pytree__text_put(to, s, n);
    }
}

PYTREE__APART void pytree__put_text(struct pytree__text_writer *to, const char *s) { pytree__text_put(to, s, strlen(s)); }

/* Divides by ten, 16 bits at a time: processors without 64-bit division need a large function for it. Returns the remainder. */
static uint32_t pytree__divide_by_ten(uint64_t *n)
{
    uint64_t quotient = 0;
    uint32_t rest = 0;
    int shift;
    for (shift = 48; shift >= 0; shift -= 16) {
        rest = rest << 16 | (uint32_t)(*n >> shift & 0xFFFF);
        quotient = quotient << 16 | rest / 10;
        rest %= 10;
    }
    *n = quotient;
    return rest;
}

PYTREE__APART_CLANG void pytree__put_number(struct pytree__text_writer *to, uint64_t n)
{
    char digits[20];
    size_t i = sizeof digits;
    if (PYTREE__TABLES && n < 10) { digits[0] = (char)('0' + n); pytree__text_put_small(to, digits, 1); return; }
    while (n > UINT32_MAX) {
        if (!PYTREE__TABLES) { digits[--i] = (char)('0' + pytree__divide_by_ten(&n)); continue; }
        digits[--i] = (char)('0' + n % 10);
        n /= 10;
    }
    {
        uint32_t m = (uint32_t)n;         /* whose divisions are cheap */
        do { digits[--i] = (char)('0' + m % 10); m /= 10; } while (m != 0);
    }
    pytree__text_put(to, digits + i, sizeof digits - i);
}

/* Puts a number with commas: 1,234,567. */
static inline void pytree__put_grouped(struct pytree__text_writer *to, uint64_t n)
{
    char text[27];
    size_t i = sizeof text, digits = 0;
    do {
        if (digits != 0 && digits % 3 == 0) { text[--i] = ','; }
        text[--i] = (char)('0' + n % 10);
        digits++;
        n /= 10;
    } while (n != 0);
    pytree__text_put(to, text + i, sizeof text - i);
}

static PYTREE__APART_CLANG void pytree__put_integer(struct pytree__text_writer *to, int64_t n)
{
    if (n < 0) { pytree__text_put(to, "-", 1); }
    pytree__put_number(to, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* Returns a writer of the next of several pieces of a message, which share the room that is left but for `rest` bytes. */
static PYTREE__APART_CLANG struct pytree__text_writer pytree__part_of(const struct pytree__text_writer *to, size_t pieces,
                                                                      size_t rest)
{
    struct pytree__text_writer part = *to;
    const size_t at = to->length < to->room ? to->length : to->room, left = to->room - at;
    part.room = at + (left < rest ? 0 : (left - rest) / pieces);
    return part;
}

/* Goes on behind a piece; where it was cut off, after dots. It is cut between characters; a message begins with a word. */
static PYTREE__APART_CLANG void pytree__put_part(struct pytree__text_writer *to, const struct pytree__text_writer *part)
{
    to->length = part->length;
    if (part->length <= part->room) { return; }
    to->length = part->room;
    while (((unsigned char)to->at[to->length - 1] & 0xC0) == 0x80) { to->length--; }
    to->length -= (unsigned char)to->at[to->length - 1] >= 0xC0;
    pytree__text_put(to, "...", 3);
}

/* Terminates the string in a buffer of n bytes. Returns its full length, as snprintf does. */
static PYTREE__APART size_t pytree__end_text(const struct pytree__text_writer *to, size_t n)
{
    if (n != 0) { to->at[to->length < n ? to->length : n - 1] = '\0'; }
    return to->length;
}

static PYTREE__APART struct pytree__text_writer pytree__text_to(char *at, size_t n, const struct pytree__text_file *file)
{
    struct pytree__text_writer to;
    to.at = at;
    to.room = n == 0 ? 0 : n - 1;
    to.length = 0;
    to.file = file;
    return to;
}

static void pytree__write_file(FILE *file, const char *s, size_t n)
{
    if (file != NULL) { (void)pytree__file_put(file, s, n); }  /* NULL is found at the end: pytree__written */
}

static struct pytree__text_file pytree__file_sink(FILE *file)
{
    struct pytree__text_file to;
    to.file = file;
    to.write = pytree__write_file;
    return to;
}

/* Puts Python's repr of a string: in single quotes unless it has a ' and no ". Characters that are not printable are escaped,
 * so that the text parses back; bytes that are not UTF-8 as surrogates, \udc80 to \udcff: \x80 would be U+0080. */
void pytree__put_repr(struct pytree__text_writer *text, const char *utf8, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    const char quote = memchr(utf8, '\'', bytes) != NULL && memchr(utf8, '"', bytes) == NULL ? '"' : '\'';
    size_t from = 0, at = 0;              /* [from, at) is printable and not put yet */
    pytree__text_put(text, &quote, 1);
    while (at < bytes) {
        uint32_t c = (unsigned char)utf8[at];
        unsigned size = 1;
        size_t n = 0;
        char escape[10];
        if (c >= 0x80) {
            size = pytree__utf8(utf8 + at, bytes - at, &c);
            if (size == 0) {
                size = 1;
                c += 0xDC00;
            }
        }
        if (c != (unsigned char)quote && c != '\\' && pytree__printable(c)) {
            at += size;
            continue;
        }
        escape[n++] = '\\';
        if (c == (unsigned char)quote || c == '\\') {
            escape[n++] = (char)c;
        } else if (c == '\n' || c == '\r' || c == '\t') {
            escape[n++] = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
        } else {
            unsigned shift = c < 0x100 ? 8 : c < 0x10000 ? 16 : 32;
            escape[n++] = shift == 8 ? 'x' : shift == 16 ? 'u' : 'U';
            while (shift > 0) {
                shift -= 4;
                escape[n++] = digits[c >> shift & 15];
            }
        }
        pytree__text_put(text, utf8 + from, at - from);
        pytree__text_put(text, escape, n);
        at += size;
        from = at;
    }
    pytree__text_put(text, utf8 + from, at - from);
    pytree__text_put(text, &quote, 1);
}

PYTREE__APART_CLANG pytree_status pytree__written(FILE *file, pytree_error *err)
{
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    return ferror(file) ? pytree_fail(err, PYTREE_IO, NULL, "expected the text to be written, got a write error") : PYTREE_OK;
}

size_t pytree__word(const char *s, size_t n)
{
    size_t i = 0, size;
    uint32_t character;
    while (i < n) {
        const char c = s[i];
        if ((unsigned char)c < 0x80) {
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i > 0 && c >= '0' && c <= '9'))) { break; }
            i++;
        } else {
            size = pytree__utf8(s + i, n - i, &character);
            if (size == 0) { break; }
            i += size;
        }
    }
    return i;
}

size_t pytree__to_utf8(char to[4], uint32_t c)
{
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    size_t i;
    for (i = n - 1; i > 0; i--, c >>= 6) { to[i] = (char)(0x80 | (c & 0x3F)); }
    to[0] = (char)(n == 1 ? c : (0xF00u >> n & 0xF0) | c);
    return n;
}

size_t pytree__read_escape(const char *s, size_t n, char out[4], size_t *bytes)
{
    static const char simple[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v", hex[] = "0123456789abcdefABCDEF";
    uint32_t c = 0;
    size_t i, digits;
    *bytes = 1;
    if (n < 2) { return 0; }
    for (i = 0; simple[i] != '\0'; i += 2) {
        if (s[1] == simple[i]) {
            out[0] = simple[i + 1];
            return 2;
        }
    }
    digits = s[1] == 'x' ? 2 : s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0;
    if (digits == 0 || n < 2 + digits) { return 0; }
    for (i = 0; i < digits; i++) {
        const char *digit = s[2 + i] == '\0' ? NULL : strchr(hex, s[2 + i]);
        if (digit == NULL) { return 0; }
        c = c << 4 | (uint32_t)(digit - hex < 16 ? digit - hex : digit - hex - 6);
    }
    if (c >= 0xDC80 && c <= 0xDCFF) {     /* a byte that is not UTF-8 */
        out[0] = (char)(c & 0xFF);
        return 2 + digits;
    }
    if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) { return 0; }
    *bytes = pytree__to_utf8(out, c);
    return 2 + digits;
}

pytree_status pytree__fail_in(pytree_error *err, pytree_status status, const char *text, const char *at, const char *expected,
                              const char *got)
{
    size_t line = 1, column = 1;
    for (; text < at; text++) {
        if (*text == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*text & 0xC0) != 0x80) {
            column++;
        }
    }
    return pytree_fail(err, status, NULL, "line %zu, column %zu: expected %s, got %s", line, column, expected, got);
}

PYTREE__APART_CLANG void pytree__put_key(struct pytree__text_writer *to, const pytree_entry *key, size_t length)
{
    if (key->kind == PYTREE_INT_KEY) {
        pytree__put_integer(to, (int64_t)key->index);
    } else {
        pytree__put_repr(to, key->name, length);
    }
}

void pytree__put_entry(struct pytree__text_writer *to, const pytree_entry *entry, const char *separator, bool first)
{
    if (separator != NULL) {
        if (!first) { pytree__put_text(to, separator); }
        if (entry->kind == PYTREE_ATTRIBUTE || entry->kind == PYTREE_KEY) { pytree__put_text(to, entry->name); }
        else if (entry->kind == PYTREE_INT_KEY) { pytree__put_integer(to, (int64_t)entry->index); }
        else { pytree__put_number(to, entry->index); }
        return;
    }
    switch (entry->kind) {
    case PYTREE_ATTRIBUTE: pytree__text_put(to, ".", 1); pytree__put_text(to, entry->name); break;
    case PYTREE_INDEX: {
        char text[22];                    /* quick, because paths are full of these; in a small program, put_number will do */
        pytree_key_index n = entry->index;
        size_t i = sizeof text;
        if (!PYTREE__TABLES) {
            pytree__text_put(to, "[", 1);
            pytree__put_number(to, n);
            pytree__text_put(to, "]", 1);
            break;
        }
        text[--i] = ']';
        do { text[--i] = (char)('0' + n % 10); n /= 10; } while (n != 0);
        text[--i] = '[';
        pytree__text_put_small(to, text + i, sizeof text - i);
        break;
    }
    case PYTREE_KEY:
    case PYTREE_INT_KEY:
        if (!PYTREE__CONTAINERS) { break; }
        pytree__text_put(to, "[", 1);
        pytree__put_key(to, entry, entry->kind == PYTREE_KEY ? strlen(entry->name) : 0);
        pytree__text_put(to, "]", 1);
        break;
    case PYTREE_FLAT_INDEX:
        if (!PYTREE__CONTAINERS) { break; }
        pytree__put_text(to, "[<flat index ");
        pytree__put_number(to, entry->index);
        pytree__put_text(to, ">]");
        break;
    }
}
#endif
