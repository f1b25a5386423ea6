/* pytree/impl/json_text.h: strings as JSON, for headers that write it. */
#ifndef PYTREE_IMPL_JSON_TEXT_H
#define PYTREE_IMPL_JSON_TEXT_H

#include "internal.h"

/* Put a string of n bytes in quotes. A byte that is not UTF-8 becomes a lone surrogate, \udc80 to \udcff: Python's
 * surrogateescape. */
static void pytree__put_json(struct pytree__text_writer *to, const char *s, size_t n)
{
    static const char escaped[] = "\"\"\\\\\bb\ff\nn\rr\tt", hex[] = "0123456789abcdef";
    size_t i = 0, from = 0;
    pytree__text_put(to, "\"", 1);
    while (i < n) {
        const unsigned char c = (unsigned char)s[i];
        const char *simple;
        char code[] = "\\u00xx";
        uint32_t character;
        const unsigned size = c < 0x80 ? 1 : pytree__utf8(s + i, n - i, &character);
        if (size > 1 || (size == 1 && c >= 0x20 && c != '"' && c != '\\')) {
            i += size;
            continue;
        }
        pytree__text_put(to, s + from, i - from);
        for (simple = escaped; *simple != '\0' && *simple != s[i]; simple += 2) {}
        if (*simple != '\0') {
            pytree__text_put(to, "\\", 1);
            pytree__text_put(to, simple + 1, 1);
        } else {
            if (size == 0) { memcpy(code + 2, "dc", 2); }
            code[4] = hex[c >> 4];
            code[5] = hex[c & 15];
            pytree__text_put(to, code, 6);
        }
        from = ++i;
    }
    pytree__text_put(to, s + from, n - from);
    pytree__text_put(to, "\"", 1);
}
#endif
