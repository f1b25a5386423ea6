/* pytree/impl/path_text.h: key paths as text, both ways. */
#ifndef PYTREE_IMPL_PATH_TEXT_H
#define PYTREE_IMPL_PATH_TEXT_H

#include "internal.h"
#include "../path.h"

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static size_t pytree__path_length(const pytree_path *path) { return path == NULL ? 0 : path->n; }

static void pytree__path_put(struct pytree__text_writer *sink, const pytree_path *path, size_t from, size_t to,
                             const char *separator)
{
    size_t i;
    for (i = from; i < to; i++) { pytree__put_entry(sink, &path->entries[i], separator, i == 0); }
}

size_t pytree_path_text(const pytree_path *path, char *text, size_t n)
{
    return pytree_path_simple_text(path, NULL, text, n);
}

size_t pytree_path_simple_text(const pytree_path *path, const char *separator, char *text, size_t n)
{
    struct pytree__text_writer sink = pytree__text_to(text, n, NULL);
    pytree__path_put(&sink, path, 0, pytree__path_length(path), separator);
    return pytree__end_text(&sink, n);
}

pytree_status pytree_path_print(FILE *file, const pytree_path *path, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer sink = pytree__text_to(NULL, 0, &out);
    pytree__path_put(&sink, path, 0, pytree__path_length(path), NULL);
    return pytree__written(file, err);
}

/* Return the largest length up to n, which is at least 4, that does not split a character. */
static size_t pytree__path_whole(const char *text, size_t n)
{
    size_t begin = n;
    uint32_t character;
    while (n - begin < 3 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80) { begin--; }
    if (((unsigned char)text[begin - 1] & 0x80) != 0) { begin--; }
    return begin < n && pytree__utf8(text + begin, n - begin, &character) == n - begin ? n : begin;
}

/* Write entries [0, n) into out for messages; of a long path the beginning and the last entries, with "..." between. */
static void pytree__path_where(const pytree_path *path, size_t n, char out[PYTREE__PATH_WHERE])
{
    struct pytree__text_writer sink = pytree__text_to(out, PYTREE__PATH_WHERE, NULL), tail;
    size_t from = n, kept;
    pytree__path_put(&sink, path, 0, n, NULL);
    if (pytree__end_text(&sink, PYTREE__PATH_WHERE) < PYTREE__PATH_WHERE) { return; }
    kept = pytree__path_whole(out, PYTREE__PATH_WHERE_HEAD);
    memcpy(out + kept, "...", 3);
    tail = pytree__text_to(NULL, 0, NULL);
    do {
        from--;
        pytree__path_put(&tail, path, from, from + 1, NULL);
    } while (from > 0 && tail.length < PYTREE__PATH_WHERE_HEAD);
    if (tail.length >= PYTREE__PATH_WHERE - kept - 3) { from++; }                       /* even that one entry was too long */
    tail = pytree__text_to(out + kept + 3, PYTREE__PATH_WHERE - kept - 3, NULL);
    pytree__path_put(&tail, path, from, n, NULL);
    pytree__end_text(&tail, PYTREE__PATH_WHERE - kept - 3);
}

/* ---- Parse --------------------------------------------------------------------------------------------------------- */

/* Kinds of entries in a text or pattern, besides those of pytree_entry_kind. */
enum {
    PYTREE__PATH_ANY = PYTREE_INT_KEY + 1,
    PYTREE__PATH_ANY_ATTRIBUTE,
    PYTREE__PATH_ANY_IN_BRACKETS,
    PYTREE__PATH_ANY_NUMBER
};

#define PYTREE__NO_INDEX ((pytree_key_index)-1)

/* An entry in a text: its name is a slice of that text, with its escapes. */
struct pytree__path_step {
    int kind;                             /* pytree_entry_kind or PYTREE__PATH_ANY… */
    bool escaped;                         /* the name has escapes */
    pytree_key_index index;               /* PYTREE__NO_INDEX: a piece of the simple form that is no number */
    const char *name;
    size_t bytes;
};

struct pytree__path_reader {
    const char *text;
    size_t at, end;
    const char *separator;                /* NULL: the text form */
    bool pattern;
    bool done;                            /* simple form: the last piece has been read */
    int last;                             /* kind of the entry before, -1 at the beginning */
    pytree_status status;
    pytree_error *err;
};

static struct pytree__path_reader pytree__path_read_begin(const char *text, const char *separator, bool pattern,
                                                          pytree_error *err)
{
    struct pytree__path_reader r;
    r.text = text;
    r.at = 0;
    r.end = text == NULL ? 0 : strlen(text);
    r.separator = separator;
    r.pattern = pattern;
    r.done = r.end == 0;
    r.last = -1;
    r.status = text != NULL ? PYTREE_OK : pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a string, got NULL");
    r.err = err;
    return r;
}

static bool pytree__path_read_fail(struct pytree__path_reader *r, size_t at, const char *expected)
{
    char got[32];
    struct pytree__text_writer sink = pytree__text_to(got, sizeof(got), NULL);
    uint32_t character;
    if (at == r->end) {
        pytree__put_text(&sink, "the end");
    } else {
        unsigned size = pytree__utf8(r->text + at, r->end - at, &character);
        pytree__put_repr(&sink, r->text + at, size == 0 ? 1 : size);
    }
    pytree__end_text(&sink, sizeof(got));
    r->status = pytree_fail(r->err, PYTREE_SYNTAX, r->text, "expected %s at byte %zu, got %s", expected, at, got);
    return false;
}

/* Read a number without leading zeros from s[0 … n-1]. Return its number of digits, 0 if there is none or it does not fit. */
static size_t pytree__path_read_digits(const char *s, size_t n, pytree_key_index *value)
{
    pytree_key_index v = 0;
    size_t i;
    for (i = 0; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
        const pytree_key_index digit = (pytree_key_index)(s[i] - '0');
        if (v > (PYTREE__NO_INDEX - digit) / 10) { return 0; }
        if (i == 1 && s[0] == '0') { break; }
        v = v * 10 + digit;
    }
    *value = v;
    return i;
}

static bool pytree__path_read_quoted(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    const char quote = r->text[r->at++];
    uint32_t character;
    char bytes[4];
    step->kind = PYTREE_KEY;
    step->name = r->text + r->at;
    while (r->at < r->end && r->text[r->at] != quote) {
        const char *s = r->text + r->at;
        size_t n = r->end - r->at, size, unused;
        if (*s == '\\') {
            size = pytree__read_escape(s, n, bytes, &unused);
            if (size == 0) {
                return pytree__path_read_fail(r, r->at, "an escape such as \\n, \\' or \\x41 (no NUL, no surrogate)");
            }
            step->escaped = true;
        } else {
            if (*s == '\n' || *s == '\r') { return pytree__path_read_fail(r, r->at, "\\n or \\r for a line end"); }
            size = pytree__utf8(s, n, &character);
            if (size == 0) { return pytree__path_read_fail(r, r->at, "UTF-8"); }
        }
        r->at += size;
    }
    if (r->at == r->end) { return pytree__path_read_fail(r, r->at, quote == '"' ? "a closing \"" : "a closing '"); }
    step->bytes = (size_t)(r->text + r->at - step->name);
    r->at++;
    return true;
}

static bool pytree__path_read_brackets(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    static const char flat[] = "<flat index ";
    const char *s = r->text + ++r->at;
    const bool minus = *s == '-';
    size_t size;
    if (*s == '\'' || *s == '"') {
        if (!pytree__path_read_quoted(r, step)) { return false; }
    } else if (r->pattern && *s == '*') {
        step->kind = PYTREE__PATH_ANY_IN_BRACKETS;
        r->at++;
    } else {
        step->kind = minus ? PYTREE_INT_KEY : PYTREE_INDEX;
        if (strncmp(s, flat, sizeof(flat) - 1) == 0) {
            step->kind = PYTREE_FLAT_INDEX;
            r->at += sizeof(flat) - 1;
        }
        r->at += minus;
        size = pytree__path_read_digits(r->text + r->at, r->end - r->at, &step->index);
        if (minus && (step->index == 0 || step->index > (uint64_t)INT64_MAX + 1)) { size = 0; }
        if (size == 0) {
            return pytree__path_read_fail(r, r->at, minus ? "the digits of a key from -9223372036854775808 to -1" :
                                     step->kind == PYTREE_FLAT_INDEX ? "an index that fits size_t" :
                                     r->pattern ? "an index that fits size_t, a quoted key or *" :
                                                  "an index that fits size_t or a quoted key");
        }
        r->at += size;
        if (minus) { step->index = 0 - step->index; }
        if (step->kind == PYTREE_FLAT_INDEX) {
            if (r->text[r->at] != '>') { return pytree__path_read_fail(r, r->at, "'>'"); }
            r->at++;
        }
    }
    if (r->text[r->at] != ']') { return pytree__path_read_fail(r, r->at, "']'"); }
    r->at++;
    return true;
}

static bool pytree__path_read_attribute(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    uint32_t character;
    step->name = r->text + ++r->at;
    if (r->pattern && *step->name == '*') {
        step->kind = PYTREE__PATH_ANY_ATTRIBUTE;
        r->at++;
        return true;
    }
    step->kind = PYTREE_ATTRIBUTE;
    while (r->at < r->end) {
        unsigned char c = (unsigned char)r->text[r->at];
        unsigned size = 1;
        if (c <= ' ' || c == 0x7F || strchr(".[]'\"*\\", c) != NULL) { break; }
        if (c >= 0x80) { size = pytree__utf8(r->text + r->at, r->end - r->at, &character); }
        if (size == 0) { return pytree__path_read_fail(r, r->at, "UTF-8"); }
        r->at += size;
    }
    step->bytes = (size_t)(r->text + r->at - step->name);
    if (step->bytes == 0) { return pytree__path_read_fail(r, r->at, "a name"); }
    return true;
}

/* Read a piece of the simple form, up to the next separator. */
static bool pytree__path_read_piece(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    const char *s = r->text + r->at, *next = strstr(s, r->separator);
    size_t i;
    step->name = s;
    step->bytes = next == NULL ? r->end - r->at : (size_t)(next - s);
    r->at += step->bytes + (next == NULL ? 0 : strlen(r->separator));
    r->done = next == NULL;
    if (pytree__path_read_digits(s, step->bytes, &step->index) == step->bytes && step->bytes > 0) {
        step->kind = PYTREE_INDEX;
        return true;
    }
    step->index = PYTREE__NO_INDEX;
    step->kind = step->bytes == 0 || (*s >= '0' && *s <= '9') ? PYTREE_KEY : PYTREE_ATTRIBUTE;
    for (i = 0; i < step->bytes; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c < 0x80 && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) {
            step->kind = PYTREE_KEY;
        }
    }
    return true;
}

static bool pytree__path_read_entry(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    const char c = r->text[r->at];
    if (c == '.') { return pytree__path_read_attribute(r, step); }
    if (c == '[') { return pytree__path_read_brackets(r, step); }
    if (r->pattern && c == '*') {
        bool number = r->text[r->at + 1] == '*';
        if (r->last == PYTREE__PATH_ANY_ATTRIBUTE || (r->last == PYTREE_ATTRIBUTE && !number)) {
            return pytree__path_read_fail(r, r->at, "'.', '[' or the end");        /* .w* would look like a prefix match */
        }
        step->kind = number ? PYTREE__PATH_ANY_NUMBER : PYTREE__PATH_ANY;
        r->at += number ? 2 : 1;
        return true;
    }
    return pytree__path_read_fail(r, r->at, r->pattern ? "'.', '[', '*' or the end" : "'.', '[' or the end");
}

/* Read the next entry. Return false at the end and on an error, which r->status tells apart. */
static bool pytree__path_read_step(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    bool read;
    step->kind = -1;
    step->escaped = false;
    step->index = step->bytes = 0;
    step->name = NULL;
    if (r->separator != NULL) { return r->done ? false : pytree__path_read_piece(r, step); }
    read = r->at < r->end && pytree__path_read_entry(r, step);
    r->last = step->kind;
    return read;
}

/* Write the step's name without escapes to `to`, unless that is NULL. Return its length. */
static size_t pytree__path_step_name(const struct pytree__path_step *step, char *to)
{
    size_t from = 0, n = 0, bytes;
    char out[4];
    if (!step->escaped) {
        if (to != NULL && step->bytes > 0) { memcpy(to, step->name, step->bytes); }
        return step->bytes;
    }
    while (from < step->bytes) {
        if (step->name[from] == '\\') {
            from += pytree__read_escape(step->name + from, step->bytes - from, out, &bytes);
        } else {
            out[0] = step->name[from++];
            bytes = 1;
        }
        if (to != NULL) { memcpy(to + n, out, bytes); }
        n += bytes;
    }
    return n;
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------- */

/* The block of a path: the path, then its entries, then their names. */
struct pytree__path_block {
    pytree_path path;
    const pytree_allocator *allocator;
    size_t bytes;
};

/* Room for a short path, which then needs no allocation. */
struct pytree__path_scratch {
    struct pytree__path_block block;
    pytree_entry entries[PYTREE__PATH_ENTRIES];
    char names[PYTREE__PATH_NAMES];
};

/* Make a block for n entries and the bytes of their names, in `room` if that is not NULL and large enough. Return NULL if
 * memory runs out. */
static struct pytree__path_block *pytree__path_make(size_t n, size_t names, struct pytree__path_scratch *room,
                                                    pytree_entry **entries, char **name,
                                                    const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *allocator = opt == NULL ? NULL : opt->allocator;
    struct pytree__path_block *block = NULL;
    size_t bytes = sizeof(*block);
    if (room != NULL && n <= PYTREE__PATH_ENTRIES && names <= PYTREE__PATH_NAMES) {
        room->block.bytes = 0;
        room->block.allocator = NULL;
        room->block.path.n = n;
        room->block.path.entries = *entries = room->entries;
        *name = room->names;
        return &room->block;
    }
    if (n <= (SIZE_MAX - bytes) / sizeof(pytree_entry) && names <= SIZE_MAX - bytes - n * sizeof(pytree_entry)) {
        bytes += n * sizeof(pytree_entry) + names;
        block = (struct pytree__path_block *)pytree__resize(allocator, NULL, 0, bytes);
    }
    if (block == NULL) {
        pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected room for a path of %zu entries, got none", n);
        return NULL;
    }
    block->allocator = allocator;
    block->bytes = bytes;
    block->path.n = n;
    block->path.entries = *entries = (pytree_entry *)(void *)(block + 1);
    *name = (char *)(*entries + n);
    return block;
}

static pytree_path *pytree__path_read(const char *text, const char *separator, struct pytree__path_scratch *room,
                                      const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_reader count = pytree__path_read_begin(text, separator, false, err), r = count;
    struct pytree__path_block *block;
    struct pytree__path_step step;
    pytree_entry *entries;
    char *name;
    size_t n = 0, names = 0;
    if (separator != NULL && *separator == '\0') {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a separator (or NULL), got the empty string");
        return NULL;
    }
    for (; pytree__path_read_step(&count, &step); n++) {
        if (step.name != NULL) { names += pytree__path_step_name(&step, NULL) + 1; }
    }
    if (count.status != PYTREE_OK) { return NULL; }
    block = pytree__path_make(n, names, room, &entries, &name, opt, err);
    if (block == NULL) { return NULL; }
    for (; pytree__path_read_step(&r, &step); entries++) {
        entries->kind = (pytree_entry_kind)step.kind;
        entries->index = step.index;
        entries->name = NULL;
        if (step.name != NULL) {
            entries->name = name;
            name += pytree__path_step_name(&step, name);
            *name++ = '\0';
        }
    }
    return &block->path;
}

pytree_path *pytree_path_parse(const char *text, const char *separator, const pytree_options *opt, pytree_error *err)
{
    return pytree__path_read(text, separator, NULL, opt, err);
}

/* Free a path; it is the first member of its block. */
void pytree_path_free(pytree_path *path)
{
    struct pytree__path_block *block = (struct pytree__path_block *)(void *)path;
    if (block != NULL && block->bytes > 0) { pytree__resize(block->allocator, block, block->bytes, 0); }
}

pytree_path *pytree_path_join(const pytree_path *a, const pytree_path *b, const pytree_options *opt, pytree_error *err)
{
    const size_t from_a = pytree__path_length(a), n = from_a + pytree__path_length(b);
    struct pytree__path_block *block;
    pytree_entry *entries;
    char *name;
    size_t i, names = 0;
    for (i = 0; i < n; i++) {
        const pytree_entry *e = i < from_a ? &a->entries[i] : &b->entries[i - from_a];
        if (e->name != NULL) { names += strlen(e->name) + 1; }
    }
    block = pytree__path_make(n, names, NULL, &entries, &name, opt, err);
    if (block == NULL) { return NULL; }
    for (i = 0; i < n; i++) {
        entries[i] = i < from_a ? a->entries[i] : b->entries[i - from_a];
        if (entries[i].name != NULL) {
            size_t bytes = strlen(entries[i].name) + 1;
            memcpy(name, entries[i].name, bytes);
            entries[i].name = name;
            name += bytes;
        }
    }
    return &block->path;
}

#include "path_match.h"
#endif
