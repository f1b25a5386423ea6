/* pytree/impl/html_json.h: the file of a page: JSON as it may stand in HTML, written in pieces. */
#ifndef PYTREE_IMPL_HTML_JSON_H
#define PYTREE_IMPL_HTML_JSON_H

#include "internal.h"
#include "../html.h"
#include "diff.h"
#include "io.h"

enum {
    PYTREE__HTML_BUFFER = 1 << 14,        /* bytes that are written at a time */
    PYTREE__HTML_TEXT = 4096,             /* most bytes of a row's values */
    PYTREE__HTML_BARS = 32                /* of a histogram */
};

/* One side of a row: a node or leaf of a tree. */
struct pytree__html_side {
    const pytree_flat *flat;
    size_t node, leaf;                    /* leaf: one past the last one of the node */
    const pytree_type *role;
};

/* The memory of a leaf, and the row that shows it. */
struct pytree__html_extent {
    uintptr_t from, to;
    size_t row;
};

/* A row that is still to be written. `kind` is PYTREE_CHANGED for a pair; of the others one side is unused. */
struct pytree__html_row {
    pytree_change kind;
    pytree_entry key;
    size_t depth;
    struct pytree__html_side a, b;
};

/* A page that is being written. */
struct pytree__html {
    pytree__save save;
    struct pytree__alg_diff diff;         /* the trees; b.def is NULL for a page of one */
    const pytree_html_options *opt;
    pytree_options tree;
    pytree_error *err;
    size_t most, share, rows;             /* share: cells for one heat map */
    struct pytree__vector open;           /* of pytree__html_row, the next one last */
    struct pytree__vector extents[2];     /* of pytree__html_extent, by side */
    struct pytree__vector text;           /* of char: a string before it is escaped */
    struct pytree__vector cells;          /* of double */
    size_t used;
    char buffer[PYTREE__HTML_BUFFER];
};

static void pytree__html_flush(struct pytree__html *w)
{
    (void)pytree__save_write(&w->save, w->buffer, w->used);
    w->used = 0;
}

static void pytree__html_put(struct pytree__html *w, const char *s, size_t n)
{
    while (n > sizeof w->buffer - w->used) {
        const size_t part = sizeof w->buffer - w->used;
        memcpy(w->buffer + w->used, s, part);
        w->used += part;
        s += part;
        n -= part;
        pytree__html_flush(w);
    }
    memcpy(w->buffer + w->used, s, n);
    w->used += n;
}

static void pytree__html_word(struct pytree__html *w, const char *s) { pytree__html_put(w, s, strlen(s)); }

static void pytree__html_number(struct pytree__html *w, uint64_t n)
{
    char digits[24];
    struct pytree__text_writer to = pytree__text_to(digits, sizeof digits, NULL);
    pytree__put_number(&to, n);
    pytree__html_put(w, digits, to.length);
}

/* Write a finite number. */
static void pytree__html_float(struct pytree__html *w, double v)
{
    char digits[64];
    struct pytree__text_writer to = pytree__text_to(digits, sizeof digits, NULL);
    pytree__put_float(&to, (long double)v, 'd');
    pytree__html_put(w, digits, to.length);
}

/* Write a string. Besides what JSON wants escaped, '<' is, so that no text ends the script element; a byte that is not UTF-8
 * becomes the text \udc80 to \udcff, as in key paths. */
static void pytree__html_string(struct pytree__html *w, const char *s, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    size_t i = 0, from = 0;
    pytree__html_put(w, "\"", 1);
    while (i < n) {
        const unsigned char c = (unsigned char)s[i];
        uint32_t character;
        const unsigned size = c < 0x80 ? 1 : pytree__utf8(s + i, n - i, &character);
        char escape[8] = "\\u00";
        if (size > 1 || (size == 1 && c >= 0x20 && c != 0x7F && c != '"' && c != '\\' && c != '<')) {
            i += size;
            continue;
        }
        pytree__html_put(w, s + from, i - from);
        if (size == 0) { pytree__html_put(w, "\\\\udc", 5); }
        else if (c == '"' || c == '\\') { pytree__html_put(w, "\\", 1); }
        else { pytree__html_put(w, escape, 4); }
        escape[0] = hex[c >> 4];
        escape[1] = hex[c & 15];
        if (size != 0 && (c == '"' || c == '\\')) { pytree__html_put(w, s + i, 1); } else { pytree__html_put(w, escape, 2); }
        from = ++i;
    }
    pytree__html_put(w, s + from, n - from);
    pytree__html_put(w, "\"", 1);
}

/* Write ,"name": or, of the first member of an object, "name": without the comma. */
static void pytree__html_member(struct pytree__html *w, const char *name)
{
    if (w->buffer[w->used - 1] != '{') { pytree__html_put(w, ",", 1); }
    pytree__html_put(w, "\"", 1);
    pytree__html_word(w, name);
    pytree__html_put(w, "\":", 2);
}

/* Text of unknown length. To be used in a loop, because it may have to be written again in more memory:
 *
 *     do { to = pytree__html_text(w); pytree__put_entry(&to, …); } while (!pytree__html_text_done(w, &to));
 */
static struct pytree__text_writer pytree__html_text(struct pytree__html *w)
{
    return pytree__text_to((char *)w->text.data, w->text.capacity, NULL);
}

static bool pytree__html_text_done(struct pytree__html *w, const struct pytree__text_writer *to)
{
    if (to->length >= w->text.capacity) {
        if (pytree__vector_grow(&w->text, pytree__plus(to->length, 1), w->err)) { return false; }
        w->save.status = PYTREE_NO_MEMORY;
        return true;
    }
    pytree__html_string(w, (const char *)w->text.data, to->length);
    return true;
}

/* Write a string of at most PYTREE__HTML_TEXT bytes; "..." stands for the rest of a longer one. */
static void pytree__html_text_cut(struct pytree__html *w, const struct pytree__text_writer *to)
{
    char *const text = (char *)w->text.data;
    size_t n = to->length;
    if (n >= PYTREE__HTML_TEXT) {
        n = PYTREE__HTML_TEXT - 4;
        while (n > PYTREE__HTML_TEXT - 7 && ((unsigned char)text[n] & 0xC0) == 0x80) { n--; }
        memcpy(text + n, "...", 3);
        n += 3;
    }
    pytree__html_string(w, text, n);
}

#include "html_numbers.h"
#endif
