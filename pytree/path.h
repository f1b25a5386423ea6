/* pytree/path.h: key paths as values.
 *
 * Write a path as text, read it back, compare and match paths, and get or set what is at one.
 *
 *     #define PYTREE_IMPLEMENTATION            // in exactly one file of the program
 *     #include "pytree/path.h"
 *
 *     pytree_leaf w = pytree_at(PYTREE(&model), ".layers[0].w", NULL, &err);
 *     if (w.type != NULL) { printf("%zu numbers at %p\n", pytree_leaf_count(&w), w.data); }
 *
 * A path is a pytree_path: entries from the root, borrowed. An array of the caller's is one, as in
 *
 *     pytree_path p = { 2, (pytree_entry[]){ { PYTREE_ATTRIBUTE, "layers", 0 }, { PYTREE_INDEX, NULL, 0 } } };
 *
 * and pytree_iter_path fills one. There are two ways to write it:
 *
 *     text     .layers[0].w   ['key']   [-3]   [<flat index 0>]      each entry says what it is; reads back to the same path
 *     simple   layers/0/w     key       -3     0                     for people and file names; any separator
 *
 * One thing the text does not say: [3] is an index or a dict's key that is a number. It reads back as an index, and where a
 * path is looked up or matched an index reaches that key as well.
 *
 * Grammar of the text; there is no white space between its parts:
 *
 *     path   = entry*                                         the empty text is the root
 *     entry  = '.' name | '[' index ']' | '[' negative ']' | '[' quoted ']' | '[<flat index ' index '>]'
 *     name   = one or more characters but . [ ] ' " * \ white space and control characters
 *     index  = '0' | a digit other than 0, then digits
 *     negative = '-' and an index other than 0, of 64 bits: a dict's key
 *     quoted = '…' or "…" in UTF-8, with Python's escapes \\ \' \" \a \b \f \n \r \t \v \xNN \uNNNN \UNNNNNNNN
 *              (\udc80 to \udcff is a byte, 0x80 to 0xff, that is not UTF-8)
 *
 * Rules as in pytree.h. Where a `const pytree_path *` is asked for, NULL is the root's path. Texts, patterns and the names of
 * attributes and keys are not NULL. Nothing recurses: a path may have a million entries. Everything here may run in many
 * threads at once, pytree_set as long as nobody reads what it writes.
 *
 * Language: C11 (gcc, clang, tcc); compiles as C++17. Needs: pytree.h.
 */
/* Outside the guard, so that the bodies of both come where PYTREE_IMPLEMENTATION is defined, be it after the first include. */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* installed apart, or all in one directory */
#endif
#else
#include "../pytree.h"
#endif

#ifndef PYTREE_PATH_H
#define PYTREE_PATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* The path as text: jax.tree_util.keystr. Keys are quoted and escaped like Python's repr. Like snprintf: writes at most n
 * bytes with the NUL (n 0: text may be NULL) and returns the length needed without it. O(length), no allocation. */
size_t pytree_path_text(const pytree_path *path, char *text, size_t n);

/* The simple form, keystr(simple=True, separator=…): names and numbers as they are, `separator` (NULL: the text form) between
 * them. Like snprintf. */
size_t pytree_path_simple_text(const pytree_path *path, const char *separator, char *text, size_t n);

/* pytree_path_text into a file. PYTREE_IO if the file takes no more. */
pytree_status pytree_path_print(FILE *file, const pytree_path *path, pytree_error *err);

/* Reads a path. `separator` NULL: the text form; otherwise the simple form. One block, which owns its names; free it with
 * pytree_path_free. NULL on error: PYTREE_SYNTAX says what was expected at which byte (the first is 0) and what is there;
 * PYTREE_ARGUMENT is an empty separator. O(length), one allocation.
 *
 * The simple form does not say what an entry is. Digits are read as an index and other text as an attribute, or as a key where
 * it is no identifier; pytree_get takes such an entry for whatever has that name or number where it looks. (Seen in the entry:
 * an index has its digits as `name` too, an attribute or key the index SIZE_MAX.) In both forms the empty text is the root. */
pytree_path *pytree_path_parse(const char *text, const char *separator, const pytree_options *opt, pytree_error *err);

/* a's entries, then b's, with names of its own: one block, freed with pytree_path_free; NULL if memory runs out. Join with NULL
 * to copy a path that is to outlive its tree. */
pytree_path *pytree_path_join(const pytree_path *a, const pytree_path *b, const pytree_options *opt, pytree_error *err);

/* Frees what pytree_path_parse or _join returned. NULL is fine. The allocator of that call must still be there. */
void pytree_path_free(pytree_path *path);

/* ---- Compare ------------------------------------------------------------------------------------------------------- */

/* Same entries? Kinds, and names or numbers. */
bool pytree_path_equal(const pytree_path *a, const pytree_path *b);

/* Equal paths have equal hashes, in every run. */
uint64_t pytree_path_hash(const pytree_path *path);

/* -1, 0 or 1: a total order, 0 for equal paths alone. Entry by entry: by kind (in the order of pytree_entry_kind), then by name
 * (code points) or number (keys with their sign); a path comes before those that it begins. */
int pytree_path_compare(const pytree_path *a, const pytree_path *b);

/* Is `prefix` the beginning of `path` (or all of it)? */
bool pytree_path_starts_with(const pytree_path *path, const pytree_path *prefix);

/* Does the whole path fit the pattern? A pattern is the text form, in which `.*` stands for one attribute, `[*]` for one entry
 * in brackets, `*` for one entry of any kind (not directly behind a name or `.*`), `**` for any number of entries or none:
 *
 *     .layers[*].w     .layers[0].w, .layers[7].w
 *     **.b             every path that ends with .b
 *     ['a']**          ['a'] and what is below it
 *     ***              one entry or more (stars are read in pairs from the left)
 *     [3]              index 3, and the key 3 of a dict
 *
 * false with PYTREE_SYNTAX for a pattern that cannot be read, whatever the path. No allocation. Cost: both lengths
 * together with one `**`; with more at most their product. */
bool pytree_path_match(const pytree_path *path, const char *pattern, pytree_error *err);

/* The same for the leaf that an iterator stands at, so that callbacks of pytree_map can tell leaves apart: "**.b". Allocates
 * (and frees) where the leaf lies deeper than 32 entries; PYTREE_NO_MEMORY then is possible. */
bool pytree_iter_path_match(const pytree_iter *it, const char *pattern, pytree_error *err);

/* ---- Get and set --------------------------------------------------------------------------------------------------- */

/* The value at a path: a view of a leaf, or of a node for pytree_of_view. Borrowed from the tree. On error its type is NULL and
 * its data too: PYTREE_NOT_FOUND names the first entry that is missing and what is there instead ("expected .wx, got a Linear
 * with .w, .b"); the error's path is where. Of the options, is_leaf is not asked: what lies below such a leaf is reached. In a
 * namespace (opt->space) its registrations say what there is.
 * Cost: the path's length; in nodes other than lists and tuples also their children. Allocates (and frees) only to open a node
 * with more than 48 children or a dict with more than 16. */
pytree_leaf pytree_get(pytree t, const pytree_path *path, const pytree_options *opt, pytree_error *err);

/* The same with the path as text. */
pytree_leaf pytree_at(pytree t, const char *text, const pytree_options *opt, pytree_error *err);

/* Copies a value into the tree at a path. For a leaf: element type and shape must be the same (PYTREE_TYPE, PYTREE_SHAPE), then
 * its elements are copied; of strings, the pointers. The memory may be the same or overlap. A view of a node is copied leaf by
 * leaf if the structures are equal, as pytree_copy_into does. Nothing is written on an error. A value without a type, which
 * pytree_at returns on errors, is PYTREE_ARGUMENT. */
pytree_status pytree_set(pytree t, const pytree_path *path, const pytree_leaf *value,
                         const pytree_options *opt, pytree_error *err);

/* The same with the path as text. */
pytree_status pytree_set_at(pytree t, const char *text, const pytree_leaf *value, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_PATH_H */

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__PATH_IMPLEMENTED)
#define PYTREE__PATH_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static size_t pytree__path_length(const pytree_path *path) { return path == NULL ? 0 : path->n; }

static void pytree__path_put(struct pytree__text *sink, const pytree_path *path, size_t from, size_t to, const char *separator)
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
    struct pytree__text sink = pytree__text_to(text, n, NULL);
    pytree__path_put(&sink, path, 0, pytree__path_length(path), separator);
    return pytree__end_text(&sink, n);
}

pytree_status pytree_path_print(FILE *file, const pytree_path *path, pytree_error *err)
{
    struct pytree__text sink = pytree__text_to(NULL, 0, file);
    pytree__path_put(&sink, path, 0, pytree__path_length(path), NULL);
    return pytree__written(file, err);
}

/* At most n bytes of a longer text, without a part of a character at the end. */
static size_t pytree__path_whole(const char *text, size_t n)
{
    size_t begin = n;
    uint32_t character;
    while (begin > 0 && n - begin < 3 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80) { begin--; }
    if (begin > 0 && ((unsigned char)text[begin - 1] & 0x80) != 0) { begin--; }
    return begin < n && pytree__utf8(text + begin, n - begin, &character) == n - begin ? n : begin;
}

/* Text of entries [0, n) in out, for messages: where it is too long, its beginning and its last entries with "..." between. */
enum { PYTREE__PATH_WHERE = 256, PYTREE__PATH_WHERE_HEAD = 120 };
static void pytree__path_where(const pytree_path *path, size_t n, char out[PYTREE__PATH_WHERE])
{
    struct pytree__text sink = pytree__text_to(out, PYTREE__PATH_WHERE, NULL), tail;
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
    if (tail.length >= PYTREE__PATH_WHERE - kept - 3) { from++; }                       /* that entry alone was too long */
    tail = pytree__text_to(out + kept + 3, PYTREE__PATH_WHERE - kept - 3, NULL);
    pytree__path_put(&tail, path, from, n, NULL);
    pytree__end_text(&tail, PYTREE__PATH_WHERE - kept - 3);
}

/* ---- Read text ----------------------------------------------------------------------------------------------------- */

/* What an entry of a text or pattern may be beside the kinds that entries have. */
enum {
    PYTREE__PATH_ANY = PYTREE_INT_KEY + 1,
    PYTREE__PATH_ANY_ATTRIBUTE,
    PYTREE__PATH_ANY_IN_BRACKETS,
    PYTREE__PATH_ANY_NUMBER
};

/* An entry as it stands in a text: its name is a stretch of that text, with its escapes. */
struct pytree__path_step {
    int kind;                             /* pytree_entry_kind or PYTREE__PATH_ANY… */
    bool escaped;                         /* the name has escapes */
    size_t index;
    const char *name;
    size_t bytes;
};

struct pytree__path_reader {
    const char *text;
    size_t at, end;
    const char *separator;                /* NULL: the text form */
    bool pattern;
    bool done;                            /* simple form: its last piece was read */
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
    r.status = text != NULL ? PYTREE_OK : pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a text, got NULL");
    r.err = err;
    return r;
}

static bool pytree__path_read_fail(struct pytree__path_reader *r, size_t at, const char *expected)
{
    char got[32];
    struct pytree__text sink = pytree__text_to(got, sizeof(got), NULL);
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

/* Digits of a number without leading zeros from s[0 … n-1]: how many, 0 if there is none or it does not fit. */
static size_t pytree__path_read_digits(const char *s, size_t n, size_t *value)
{
    size_t i, v = 0;
    for (i = 0; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
        size_t digit = (size_t)(s[i] - '0');
        if (v > (SIZE_MAX - digit) / 10) { return 0; }
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
    return step->bytes > 0 || pytree__path_read_fail(r, r->at, "a name");
}

/* The simple form: what stands up to the next separator. */
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
    step->index = SIZE_MAX;
    step->kind = step->bytes == 0 || (*s >= '0' && *s <= '9') ? PYTREE_KEY : PYTREE_ATTRIBUTE;
    for (i = 0; i < step->bytes; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c < 0x80 && c != '_' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z')) {
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
            return pytree__path_read_fail(r, r->at, "'.', '[' or the end");        /* .w* would seem to ask for beginnings */
        }
        step->kind = number ? PYTREE__PATH_ANY_NUMBER : PYTREE__PATH_ANY;
        r->at += number ? 2 : 1;
        return true;
    }
    return pytree__path_read_fail(r, r->at, r->pattern ? "'.', '[', '*' or the end" : "'.', '[' or the end");
}

/* Reads the next entry; false at the end and on an error, which is r->status. */
static bool pytree__path_read_step(struct pytree__path_reader *r, struct pytree__path_step *step)
{
    bool read;
    step->kind = -1;
    step->escaped = false;
    step->index = step->bytes = 0;
    step->name = NULL;
    if (r->separator != NULL) { return !r->done && pytree__path_read_piece(r, step); }
    read = r->at < r->end && pytree__path_read_entry(r, step);
    r->last = step->kind;
    return read;
}

/* The step's name without its escapes, in `to` unless that is NULL; returns its bytes. */
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

/* The path, then its entries, then their names. */
struct pytree__path_block {
    pytree_path path;
    const pytree_allocator *allocator;
    size_t bytes;
};

/* Where a short path is read without an allocation. */
enum { PYTREE__PATH_ENTRIES = 16, PYTREE__PATH_NAMES = 240 };
struct pytree__path_scratch {
    struct pytree__path_block block;
    pytree_entry entries[PYTREE__PATH_ENTRIES];
    char names[PYTREE__PATH_NAMES];
};

/* A block for n entries and the bytes of their names, in `room` if that is not NULL and they fit; NULL if memory runs out. */
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
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a separator (or NULL), got the empty text");
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

/* A block is given back as its first member, the path. */
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

/* ---- Compare ------------------------------------------------------------------------------------------------------- */

static bool pytree__path_named(const pytree_entry *e) { return e->kind == PYTREE_ATTRIBUTE || e->kind == PYTREE_KEY; }

static int pytree__path_order(const pytree_entry *a, const pytree_entry *b)
{
    if (a->kind != b->kind) { return a->kind < b->kind ? -1 : 1; }
    if (pytree__path_named(a)) {
        int order = strcmp(a->name, b->name);
        return order < 0 ? -1 : order > 0;
    }
    if (a->kind == PYTREE_INT_KEY) { return (int64_t)a->index < (int64_t)b->index ? -1 : a->index != b->index; }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Is an entry what [index] in a text stands for? */
static bool pytree__path_is_index(const pytree_entry *e, size_t index)
{
    return e->index == index && (e->kind == PYTREE_INDEX || (e->kind == PYTREE_INT_KEY && (int64_t)index >= 0));
}

bool pytree_path_starts_with(const pytree_path *path, const pytree_path *prefix)
{
    const size_t n = pytree__path_length(prefix);
    size_t i;
    if (n > pytree__path_length(path)) { return false; }
    for (i = 0; i < n; i++) {
        if (pytree__path_order(&path->entries[i], &prefix->entries[i]) != 0) { return false; }
    }
    return true;
}

bool pytree_path_equal(const pytree_path *a, const pytree_path *b)
{
    return pytree__path_length(a) == pytree__path_length(b) && pytree_path_starts_with(a, b);
}

int pytree_path_compare(const pytree_path *a, const pytree_path *b)
{
    const size_t na = pytree__path_length(a), nb = pytree__path_length(b);
    size_t i;
    for (i = 0; i < na && i < nb; i++) {
        int order = pytree__path_order(&a->entries[i], &b->entries[i]);
        if (order != 0) { return order; }
    }
    return na < nb ? -1 : na > nb;
}

/* FNV-1a over kinds, names with their NUL, and numbers by bytes, lowest first; then mixed so that every bit depends on all. */
uint64_t pytree_path_hash(const pytree_path *path)
{
    const uint64_t prime = 0x100000001B3u;
    const size_t n = pytree__path_length(path);
    uint64_t hash = 0xCBF29CE484222325u;
    size_t i;
    for (i = 0; i < n; i++) {
        const pytree_entry *e = &path->entries[i];
        hash = (hash ^ (unsigned)e->kind) * prime;
        if (pytree__path_named(e)) {
            const char *s = e->name;
            do { hash = (hash ^ (unsigned char)*s) * prime; } while (*s++ != '\0');
        } else {
            uint64_t index = e->index;
            int byte;
            for (byte = 0; byte < 8; byte++, index >>= 8) { hash = (hash ^ (index & 0xFF)) * prime; }
        }
    }
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 32;
}

/* ---- Match --------------------------------------------------------------------------------------------------------- */

static bool pytree__path_step_named(const struct pytree__path_step *step, const char *name)
{
    size_t from = 0, bytes;
    char out[4];
    if (!step->escaped) { return strncmp(step->name, name, step->bytes) == 0 && name[step->bytes] == '\0'; }
    while (from < step->bytes) {
        out[0] = step->name[from];
        bytes = 1;
        from += out[0] == '\\' ? pytree__read_escape(step->name + from, step->bytes - from, out, &bytes) : 1;
        if (strncmp(name, out, bytes) != 0) { return false; }
        name += bytes;
    }
    return *name == '\0';
}

static bool pytree__path_step_fits(const struct pytree__path_step *step, const pytree_entry *e)
{
    switch (step->kind) {
    case PYTREE__PATH_ANY: return true;
    case PYTREE__PATH_ANY_ATTRIBUTE: return e->kind == PYTREE_ATTRIBUTE;
    case PYTREE__PATH_ANY_IN_BRACKETS: return e->kind != PYTREE_ATTRIBUTE;
    default: break;
    }
    if (step->kind == PYTREE_INDEX) { return pytree__path_is_index(e, step->index); }
    if (step->kind != (int)e->kind) { return false; }
    return pytree__path_named(e) ? pytree__path_step_named(step, e->name) : step->index == e->index;
}

/* After a mismatch only the `**` met last need try again, one entry further on. What follows the pattern's last one has a fixed
 * number of entries, so it is compared once, with the path's end. */
bool pytree_path_match(const pytree_path *path, const char *pattern, pytree_error *err)
{
    const size_t n = pytree__path_length(path);
    struct pytree__path_reader r = pytree__path_read_begin(pattern, NULL, true, err), again = r, check = r;
    struct pytree__path_step step;
    size_t i = 0, again_i = 0, stars = 0, steps = 0, tail = 0;
    bool have_again = false;
    while (pytree__path_read_step(&check, &step)) {
        bool star = step.kind == PYTREE__PATH_ANY_NUMBER;
        stars += star;
        steps += !star;
        tail = star ? 0 : tail + 1;
    }
    if (check.status != PYTREE_OK || n < steps || (stars == 0 && n != steps)) { return false; }
    for (;;) {
        if (!pytree__path_read_step(&r, &step)) {
            if (i == n) { return true; }
        } else if (step.kind == PYTREE__PATH_ANY_NUMBER) {
            if (--stars == 0) {
                if (n - i < tail) { return false; }
                i = n - tail;
                have_again = false;
            } else {
                again = r;
                again_i = i;
                have_again = true;
            }
            continue;
        } else if (i < n && pytree__path_step_fits(&step, &path->entries[i])) {
            i++;
            continue;
        }
        if (!have_again || again_i == n) { return false; }
        r = again;
        i = ++again_i;
    }
}

bool pytree_iter_path_match(const pytree_iter *it, const char *pattern, pytree_error *err)
{
    enum { SHORT = 32 };
    pytree_entry short_entries[SHORT], *entries = short_entries;
    pytree_path path;
    bool fits;
    path.n = pytree_iter_path(it, entries, SHORT);
    if (path.n > SHORT) {
        entries = (pytree_entry *)pytree__resize(it->allocator, NULL, 0, path.n * sizeof(*entries));
        if (entries == NULL) {
            pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected room for a path of %zu entries, got none", path.n);
            return false;
        }
        pytree_iter_path(it, entries, path.n);
    }
    path.entries = entries;
    fits = pytree_path_match(&path, pattern, err);
    if (entries != short_entries) { pytree__resize(it->allocator, entries, path.n * sizeof(*entries), 0); }
    return fits;
}

/* ---- Get and set --------------------------------------------------------------------------------------------------- */

/* Is this how a number is written? */
static bool pytree__path_spells(const char *text, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    return strcmp(text, digits) == 0;
}

/* Does a child's key answer to what the path asks for? What the simple form left open fits by its name or number alone. */
static bool pytree__path_answers(const pytree_entry *key, const pytree_entry *wanted)
{
    const bool open = pytree__path_named(wanted) ? wanted->index == SIZE_MAX : wanted->name != NULL;
    if (wanted->kind == PYTREE_INDEX && pytree__path_is_index(key, wanted->index)) { return true; }
    if (key->kind != wanted->kind && !open) { return false; }
    if (pytree__path_named(key)) { return strcmp(key->name, wanted->name) == 0; }
    if (pytree__path_named(wanted)) {
        return key->kind == PYTREE_INT_KEY && pytree__path_spells(wanted->name, (int64_t)key->index);
    }
    return key->index == wanted->index && (key->kind != PYTREE_INT_KEY || wanted->kind == PYTREE_INT_KEY);
}

/* "f32[4,3]" */
static void pytree__path_put_type(struct pytree__text *sink, const pytree_leaf *leaf)
{
    int i;
    pytree__put_text(sink, pytree_dtype_name(leaf->type));
    for (i = 0; i < leaf->ndim; i++) {
        pytree__put_text(sink, i == 0 ? "[" : ",");
        pytree__put_number(sink, leaf->shape[i]);
    }
    if (leaf->ndim > 0) { pytree__put_text(sink, "]"); }
}

/* "a Linear with .w, .b": what stands where an entry is missing. A node is open in the cursor. */
static void pytree__path_describe(const pytree_leaf *view, const pytree__cursor *c, char *text, size_t n)
{
    struct pytree__text sink = pytree__text_to(text, n, NULL);
    if (view->form == PYTREE_FORM_LEAF) {
        pytree__put_text(&sink, "a leaf ");
        pytree__path_put_type(&sink, view);
    } else if (view->form == PYTREE_FORM_NONE) {
        pytree__put_text(&sink, "None");
    } else {
        const pytree_type *type = view->form == PYTREE_FORM_FLAT ? c->frames[0].type : pytree__node_type(view);
        const bool counted = type->kind == PYTREE_KIND_LIST || type->kind == PYTREE_KIND_TUPLE
            || type->kind == PYTREE_KIND_DEQUE;
        const size_t count = c->frames[0].count;
        const char *name = type->name;
        char all[48];
        size_t i;
        if (view->form == PYTREE_FORM_ITEMS && type->kind == PYTREE_KIND_NAMEDTUPLE && c->frames[0].name != NULL) {
            name = c->frames[0].name;
        }
        pytree__put_text(&sink, count == 0 ? "an empty " : strchr("AEIOUaeiou", *name) != NULL ? "an " : "a ");
        pytree__put_text(&sink, name);
        if (count > 0) { pytree__put_text(&sink, counted ? " of " : " with "); }
        if (count > 0 && counted) { pytree__put_number(&sink, count); }
        snprintf(all, sizeof(all), "... (%zu in all)", count);
        for (i = 0; i < count && !counted; i++) {
            struct pytree__text next = pytree__text_to(NULL, 0, NULL);
            pytree_entry entry;
            pytree__frame_entry(c, &c->frames[0], i, &entry);
            pytree__put_entry(&next, &entry, NULL, true);
            if (sink.length + next.length + 2 + strlen(all) > sink.room) {
                pytree__put_text(&sink, all);
                break;
            }
            pytree__put_entry(&sink, &entry, NULL, true);
            if (i + 1 < count) { pytree__put_text(&sink, ", "); }
        }
    }
    pytree__end_text(&sink, n);
}

/* The error for path->entries[n], which is not among the children of what stands before it. */
static pytree_status pytree__path_missing(const pytree_path *path, size_t n, const pytree_leaf *at, const pytree__cursor *c,
                                          pytree_error *err)
{
    char where[PYTREE__PATH_WHERE], wanted[80], there[140];
    struct pytree__text sink = pytree__text_to(wanted, sizeof(wanted) - 3, NULL);
    if (err == NULL) { return PYTREE_NOT_FOUND; }
    pytree__put_entry(&sink, &path->entries[n], NULL, true);
    pytree__end_text(&sink, sizeof(wanted) - 3);
    if (sink.length > sink.room) { strcpy(wanted + pytree__path_whole(wanted, sink.room), "..."); }
    pytree__path_where(path, n, where);
    pytree__path_describe(at, c, there, sizeof(there));
    return pytree_fail(err, PYTREE_NOT_FOUND, where, "expected %s, got %s", wanted, there);
}

/* Which child of the open node answers to an entry? Its count if none does. */
static size_t pytree__path_child(const pytree__cursor *c, const pytree_entry *wanted)
{
    const pytree__frame *f = &c->frames[0];
    const bool in_row = f->from == PYTREE__FROM_ROW || f->from == PYTREE__FROM_ITEMS;      /* keys are 0, 1, 2, … */
    pytree_entry key;
    size_t k;
    if (!pytree__path_named(wanted) && wanted->index < f->count) {                 /* lists are long */
        pytree__frame_entry(c, f, wanted->index, &key);
        if (pytree__path_answers(&key, wanted)) { return wanted->index; }
    }
    for (k = in_row ? f->count : 0; k < f->count; k++) {
        pytree__frame_entry(c, f, k, &key);
        if (pytree__path_answers(&key, wanted)) { break; }
    }
    return k;
}

/* An error of the walker or of pytree_copy_into, whose path begins after the first n entries of this one. */
static pytree_status pytree__path_fail(const pytree_path *path, size_t n, const pytree_error *problem, pytree_error *err)
{
    char where[PYTREE__PATH_WHERE + sizeof(problem->path)];
    pytree__path_where(path, n, where);
    strcat(where, problem->path);
    return pytree_fail(err, problem->status, where, "%s", problem->message);
}

/* Makes a value the one that is stood at, as it is in the namespace. */
static void pytree__path_stand(const pytree__cursor *c, pytree_leaf *at, const pytree_leaf *value)
{
    pytree__copy_view(at, value);
    if (c->opt != NULL && c->opt->space != NULL) { pytree__respace(c, at); }
}

/* Goes down level by level: opens a node, takes the child that answers, closes the node. */
static pytree_status pytree__path_find(pytree t, const pytree_path *path, pytree_leaf *found, const pytree_options *opt,
                                       pytree_error *err)
{
    const size_t n = pytree__path_length(path);
    pytree__cursor c;
    pytree_error problem;
    pytree_leaf at;
    pytree_status status;
    size_t i = 0;
    memset(&problem, 0, sizeof(problem));
    memset(&at, 0, sizeof(at));
    pytree__cursor_init(&c, opt, &problem);
    status = pytree__cursor_root(&c, t);
    if (status == PYTREE_OK) { pytree__path_stand(&c, &at, &c.root); }
    for (; status == PYTREE_OK && i < n; i++) {
        const bool opens = at.form != PYTREE_FORM_LEAF && at.form != PYTREE_FORM_NONE;
        const pytree_leaf *child;
        size_t k;
        if (opens) { status = pytree__open(&c, &at); }
        if (status != PYTREE_OK) { break; }
        k = opens ? pytree__path_child(&c, &path->entries[i]) : 0;
        if (!opens || k == c.frames[0].count) {
            status = pytree__path_missing(path, i, &at, &c, err);
            break;
        }
        c.frames[0].next = k;
        status = pytree__take(&c, &child);
        if (status != PYTREE_OK) { break; }
        pytree__path_stand(&c, &at, child);
        pytree__close(&c);
    }
    pytree__cursor_end(&c);
    if (problem.status != PYTREE_OK) { return pytree__path_fail(path, i, &problem, err); }
    if (status == PYTREE_OK) { *found = at; }
    return status;
}

pytree_leaf pytree_get(pytree t, const pytree_path *path, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf found;
    memset(&found, 0, sizeof(found));
    pytree__path_find(t, path, &found, opt, err);
    return found;
}

pytree_leaf pytree_at(pytree t, const char *text, const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_scratch room;
    pytree_path *path = pytree__path_read(text, NULL, &room, opt, err);
    pytree_leaf found;
    memset(&found, 0, sizeof(found));
    if (path != NULL) { pytree__path_find(t, path, &found, opt, err); }
    pytree_path_free(path);
    return found;
}

pytree_status pytree_set(pytree t, const pytree_path *path, const pytree_leaf *value,
                         const pytree_options *opt, pytree_error *err)
{
    char where[PYTREE__PATH_WHERE], texts[2][96];
    const pytree_leaf *sides[2];
    pytree_leaf to;
    pytree_error problem;
    pytree_status status = pytree__path_find(t, path, &to, opt, err);
    bool same_type;
    size_t bytes;
    int i;
    if (status != PYTREE_OK) { return status; }
    if (value == NULL || value->type == NULL || value->ndim < 0 || value->ndim > PYTREE_MAX_DIMS) {
        pytree__path_where(path, pytree__path_length(path), where);
        return pytree_fail(err, PYTREE_ARGUMENT, where, "expected a value with a type and 0 to %d dimensions, got %s",
                           PYTREE_MAX_DIMS, value == NULL ? "NULL" : value->type == NULL ? "no type" : "others");
    }
    if (!pytree_is_leaf(&to) || !pytree_is_leaf(value) || value->type->kind != PYTREE_KIND_LEAF) {
        memset(&problem, 0, sizeof(problem));
        status = pytree_copy_into(pytree_of_view(&to), pytree_of_view(value), opt, &problem);
        return status == PYTREE_OK ? status : pytree__path_fail(path, pytree__path_length(path), &problem, err);
    }
    pytree__path_where(path, pytree__path_length(path), where);
    same_type = pytree_type_equal(to.type, value->type);
    if (!same_type || to.ndim != value->ndim || memcmp(to.shape, value->shape, (size_t)to.ndim * sizeof(to.shape[0])) != 0) {
        sides[0] = &to;
        sides[1] = value;
        for (i = 0; i < 2; i++) {
            struct pytree__text sink = pytree__text_to(texts[i], sizeof(texts[i]), NULL);
            pytree__path_put_type(&sink, sides[i]);
            pytree__end_text(&sink, sizeof(texts[i]));
        }
        return pytree_fail(err, same_type ? PYTREE_SHAPE : PYTREE_TYPE, where, "expected %s, got %s", texts[0], texts[1]);
    }
    bytes = pytree_leaf_bytes(&to);
    if (bytes == 0) { return PYTREE_OK; }
    if (value->data == NULL) { return pytree_fail(err, PYTREE_NULL_POINTER, where, "expected values to set, got NULL"); }
    memmove(to.data, value->data, bytes);
    return PYTREE_OK;
}

pytree_status pytree_set_at(pytree t, const char *text, const pytree_leaf *value, const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_scratch room;
    pytree_error problem;
    pytree_status status;
    pytree_path *path;
    memset(&problem, 0, sizeof(problem));
    path = pytree__path_read(text, NULL, &room, opt, &problem);
    if (path == NULL) { return pytree_fail(err, problem.status, problem.path, "%s", problem.message); }
    status = pytree_set(t, path, value, opt, err);
    pytree_path_free(path);
    return status;
}

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_IMPLEMENTATION */
