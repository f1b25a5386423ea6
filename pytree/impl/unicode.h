/* pytree/impl/unicode.h: UTF-8 decoding, and which characters are printable. */
#ifndef PYTREE_IMPL_UNICODE_H
#define PYTREE_IMPL_UNICODE_H

#include "internal.h"
#include "unicode_table.h"

/* Decodes the first character of s[0 … n-1], n > 0. Returns its length; 0 if it is not UTF-8: cut short, overlong, a surrogate,
 * beyond U+10FFFF. */
static PYTREE__APART_CLANG unsigned pytree__utf8(const char *s, size_t n, uint32_t *character)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned size, i;
    uint32_t c = u[0];
    if (c < 0x80) {
        *character = c;
        return 1;
    }
    if (c < 0xC2 || c > 0xF4) { return 0; }
    size = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (n < size) { return 0; }
    c &= 0x7Fu >> size;
    for (i = 1; i < size; i++) {
        if ((u[i] & 0xC0) != 0x80) { return 0; }
        c = c << 6 | (u[i] & 0x3Fu);
    }
    if (size == 3 && (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))) { return 0; }
    if (size == 4 && (c < 0x10000 || c > 0x10FFFF)) { return 0; }
    *character = c;
    return size;
}

/* Does Python print this character as it is? As str.isprintable of Python 3.13 (Unicode 15.1), for every code point. */
static bool pytree__printable(uint32_t character)
{
    uint32_t end = 0xA0;
    size_t i;
    if (character < end) { return character >= 0x20 && character < 0x7F; }
    if (!PYTREE__TABLES) { return true; }
    for (i = 0; i < sizeof pytree__stretches / sizeof *pytree__stretches; i++) {
        end += pytree__stretches[i];
        if (character < end) { return i % 2 == 1; }
    }
    return character >= 0xE0100 && character <= 0xE01EF;
}
#endif
