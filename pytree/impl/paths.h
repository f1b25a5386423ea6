/* pytree/impl/paths.h: all key paths of a tree in one block. */
#ifndef PYTREE_IMPL_PATHS_H
#define PYTREE_IMPL_PATHS_H

#include "internal.h"

size_t pytree_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree_status status = pytree__put_tree(&to, t, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : n == 0 ? to.length : pytree__end_text(&to, n);
}

/* The block of pytree_paths: this, then the pointers, then the strings. */
struct pytree__paths_block { const pytree_allocator *allocator; size_t bytes; };

/* Path suffixes of a struct type: for each leaf in it and in the structs inside it, the text behind the struct's own path,
 * with its NUL. Paths are written by concatenation, and no node is opened. A pointer to a struct has a suffix for NULL,
 * followed by those of that struct. If there may be other nodes, or there are too many suffixes, there is one for each
 * child. */
struct pytree__suffix_pointer {
    const pytree_type *type;
    size_t offset;                        /* of the pointer, in the outermost struct */
    size_t at, n;                         /* NULL's tail among the tails, and how many are behind it */
};

struct pytree__path_suffixes {
    const pytree_type *type;
    bool whole;                           /* false: one for each child */
    size_t n, n_pointers;                 /* n 0: there are none to be used */
    struct pytree__suffix_pointer *pointers;                   /* and one that is `at` none */
    uint16_t *at;                         /* where each begins in the text of all types, and where the last one ends */
};

/* Writes paths. The path of the open node on top stands in `prefix`; each frame remembers how much of it is its own (in
 * `nodes`), so that a leaf adds only its last entry. A path that is longer than the prefix is put together anew for each
 * leaf. */
enum { PYTREE__NO_PREFIX = 0x7FFFFFFF };

struct pytree__path_writer {
    struct pytree__text_writer to;        /* at NULL: lengths are added up, None counting as a leaf */
    const char **starts;
    size_t count, max;                    /* starts: how many; for how many there is room */
    const char *separator;
    bool none_is_leaf, full;              /* full: the suffixes that were made last did not fit */
    struct pytree__path_suffixes known[PYTREE__TAIL_TYPES];
    size_t n_at, n_pointers;              /* of all types together */
    struct pytree__suffix_pointer pointers[PYTREE__TAIL_POINTERS];
    uint16_t at[PYTREE__TAILS];
    char text[PYTREE__TAIL_TEXT + PYTREE__SLACK];
    char prefix[PYTREE__PREFIX + PYTREE__SLACK];
};

/* Returns false: there is no room for more suffixes. */
static bool pytree__suffixes_full(struct pytree__path_writer *w)
{
    w->full = true;
    return false;
}

static bool pytree__suffixes_add(struct pytree__path_writer *w, struct pytree__path_suffixes *to, const pytree_type *type,
                                 size_t offset, char path[UCHAR_MAX + 1], size_t n_path);

/* Adds the suffixes of a struct that a pointer at `offset` leads to, whose own suffix, for NULL, was added last. */
static PYTREE__APART_CLANG bool pytree__suffixes_add_pointer(struct pytree__path_writer *w, struct pytree__path_suffixes *to,
                                                             const pytree_type *type, size_t offset, char path[UCHAR_MAX + 1],
                                                             size_t n_path)
{
    struct pytree__suffix_pointer *const pointer = &to->pointers[to->n_pointers++];
    if (w->n_pointers + to->n_pointers == PYTREE__TAIL_POINTERS) { return pytree__suffixes_full(w); }
    pointer->type = type;
    pointer->offset = offset;
    pointer->at = to->n - 1;
    if (!pytree__suffixes_add(w, to, type, SIZE_MAX, path, n_path)) { return false; }
    pointer->n = to->n - 1 - pointer->at;
    return pointer->n != 0;
}

/* Adds the suffixes of a struct that lies `offset` bytes into the one they belong to (SIZE_MAX: a pointer leads to it) and is
 * reached by `path` from there. Returns false if there is no room (`full`) or, as a whole, there may be other nodes in it. */
static bool pytree__suffixes_add(struct pytree__path_writer *w, struct pytree__path_suffixes *to, const pytree_type *type,
                                 size_t offset, char path[UCHAR_MAX + 1], size_t n_path)
{
    const char *const separator = w->separator == NULL ? "." : w->separator;
    const size_t n_separator = strlen(separator);
    unsigned i;
    if (!pytree__has_rows(type)) { return false; }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        const pytree_type *const inner = to->whole && row->form == PYTREE_FORM_STRUCT ? pytree__origin(row->type) : NULL;
        const size_t n_name = strlen(row->name), n = n_path + n_separator + n_name;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (n >= UCHAR_MAX) { return false; }
        pytree__copy_few(path + n_path, separator, n_separator);   /* for a memcpy this short gcc writes rep movs */
        pytree__copy_few(path + n_path + n_separator, row->name, n_name + 1);
        if (inner == NULL || row->place != PYTREE_IN_PLACE) {
            const size_t at = to->at[to->n];
            if (to->whole && inner == NULL && row->form != PYTREE_FORM_LEAF) { return false; }
            if (w->n_at + to->n + 2 > PYTREE__TAILS || n >= PYTREE__TAIL_TEXT - at) { return pytree__suffixes_full(w); }
            pytree__copy_few(w->text + at, path, n + 1);
            to->at[++to->n] = (uint16_t)(at + n + 1);
        }
        if (inner == NULL) { continue; }
        if (row->place == PYTREE_IN_PLACE) {
            if (!pytree__suffixes_add(w, to, inner, offset == SIZE_MAX ? offset : offset + row->offset, path, n)) {
                return false;
            }
        } else if (offset == SIZE_MAX || !pytree__suffixes_add_pointer(w, to, inner, offset + row->offset, path, n)) {
            return false;
        }
    }
    return true;
}

/* Makes the suffixes of a type behind those of the others: as a whole, or of its children. Returns false if there are none. */
static PYTREE__APART_CLANG bool pytree__suffixes_make(struct pytree__path_writer *w, struct pytree__path_suffixes *to,
                                                      bool whole)
{
    char path[UCHAR_MAX + 1];
    w->full = w->n_at + 1 >= PYTREE__TAILS || w->n_pointers + 1 >= PYTREE__TAIL_POINTERS;
    if (w->full) { return false; }
    to->whole = whole;
    to->n = to->n_pointers = 0;
    to->at = w->at + w->n_at;
    to->at[0] = w->n_at == 0 ? 0 : w->at[w->n_at - 1];
    to->pointers = w->pointers + w->n_pointers;
    if (!pytree__suffixes_add(w, to, to->type, 0, path, 0)) { return false; }
    to->pointers[to->n_pointers].at = SIZE_MAX;
    w->n_at += to->n + 1;
    w->n_pointers += to->n_pointers + 1;
    return true;
}

static void pytree__suffixes_clear(struct pytree__path_writer *w)
{
    size_t i;
    for (i = 0; i < PYTREE__TAIL_TYPES; i++) { w->known[i].type = NULL; }
    w->n_at = w->n_pointers = 0;
}

/* Finds or makes the suffixes of a type, valid until the next ones are asked for. */
PYTREE__INLINE const struct pytree__path_suffixes *pytree__suffixes_of(struct pytree__path_writer *w, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    struct pytree__path_suffixes *tails;
    size_t i;
    int way;
    for (i = 0; i < PYTREE__TAIL_TYPES; i++) { /* there, or in one of the next places */
        tails = &w->known[(slot + i) % PYTREE__TAIL_TYPES];
        if (PYTREE__LIKELY(tails->type == type)) { return tails; }
        if (tails->type == NULL) { break; }
    }
    if (i == PYTREE__TAIL_TYPES) { pytree__suffixes_clear(w); }
    tails = &w->known[(slot + i) % PYTREE__TAIL_TYPES];
    for (way = 0; way < 2; way++) {
        tails->type = type;
        if (pytree__suffixes_make(w, tails, way == 0)) { return tails; }
        if (w->full && w->n_at != 0) {                         /* perhaps there is room when the others are gone */
            pytree__suffixes_clear(w);
            tails->type = type;
            if (pytree__suffixes_make(w, tails, way == 0)) { return tails; }
        }
    }
    tails->n = tails->n_pointers = 0;
    return tails;
}

/* Returns how much of a suffix to leave out: the root's children have no separator. */
PYTREE__INLINE size_t pytree__suffix_skip(const struct pytree__path_writer *w, size_t n_prefix)
{
    return n_prefix == 0 && w->separator != NULL ? strlen(w->separator) : 0;
}

/* Writes the prefix and a suffix of n bytes, in copies of fixed size: what is copied too far is overwritten, or lies in the
 * slack behind the text. Returns the end. */
PYTREE__INLINE char *pytree__append_suffix(const struct pytree__path_writer *w, char *at, size_t n_prefix, const char *tail,
                                           size_t n)
{
    size_t i;
    memcpy(at, w->prefix, PYTREE__SLACK);
    for (i = PYTREE__SLACK; i < n_prefix; i += 16) { memcpy(at + i, w->prefix + i, 16); }
    at += n_prefix;
    memcpy(at, tail, PYTREE__SLACK);
    if (PYTREE__UNLIKELY(n > PYTREE__SLACK)) { memcpy(at + PYTREE__SLACK, tail + PYTREE__SLACK, n - PYTREE__SLACK); }
    return at + n;
}

/* Writes the paths below a whole struct. Its views lie above those of the open nodes, an inner struct's behind those of the
 * outer one. Returns false, with nothing written, if a value needs a check or there is no room. */
static bool pytree__put_suffixes(struct pytree__path_writer *w, const pytree__cursor *c,
                                 const struct pytree__path_suffixes *tails,
                                 const void *self, size_t n_prefix, size_t skip)
{
    struct { pytree_leaf *view, *end; } outer[PYTREE__TAIL_DEPTH];           /* what comes next in the structs around it */
    const struct pytree__suffix_pointer *pointer = tails->pointers;
    const pytree_type *type = tails->type;
    const char **start = w->starts + w->count;
    char *at = w->to.at + w->to.length;
    pytree_leaf *view = NULL, *end = c->views + c->n_views, *const room = c->views + c->max_views;
    size_t k = 0;
    unsigned depth = 0;
    for (;;) {
        outer[depth].view = view;
        outer[depth].end = end;
        view = end;
        if (type->n_children > (size_t)(room - view) || (pytree__may_lack(type) && pytree__lacks(type, self, false, NULL) != 0)
            || (pytree__child_views(type, self, view) & PYTREE__NEEDS_CHECK) != 0) {
            return false;
        }
        end = view + type->n_children;
        for (;; view++) {
            while (view == end) {
                view = outer[depth].view;
                end = outer[depth].end;
                if (depth-- == 0) {
                    w->count = (size_t)(start - w->starts);
                    w->to.length = (size_t)(at - w->to.at);
                    return true;
                }
            }
            if (view->form == PYTREE_FORM_STRUCT) { break; }
            if (view->form == PYTREE_FORM_LEAF || w->none_is_leaf) {
                const size_t begin = tails->at[k] + skip;
                *start++ = at;
                at = pytree__append_suffix(w, at, n_prefix, w->text + begin, tails->at[k + 1] - begin);
            }
            if (PYTREE__UNLIKELY(k == pointer->at)) { k += pointer++->n; }   /* it is NULL */
            k++;
        }
        type = pytree__origin(view->type);
        if (k == pointer->at && type == pointer->type) {       /* pointed to: one that lies here would have tail k itself */
            k++;
            pointer++;
        }
        self = view->data;
        view++;
        if (++depth == PYTREE__TAIL_DEPTH) { return false; }
    }
}

/* Writes or counts the paths below a struct without opening it. Returns false if it must be opened. */
static bool pytree__put_struct_paths(struct pytree__path_writer *w, const pytree__cursor *c, const pytree_leaf *value,
                                     uint32_t n_prefix)
{
    const struct pytree__path_suffixes *tails;
    size_t n, bytes, skip, i;
    if (value->form != PYTREE_FORM_STRUCT || n_prefix == PYTREE__NO_PREFIX) { return false; }
    tails = pytree__suffixes_of(w, pytree__origin(value->type));
    if (!tails->whole || tails->n == 0) { return false; }
    n = tails->n;
    bytes = tails->at[n];
    for (i = 0; i < tails->n_pointers; i++) {
        const struct pytree__suffix_pointer *pointer = &tails->pointers[i];
        const uint16_t *null = &tails->at[pointer->at];
        const void *p;
        memcpy(&p, (const char *)value->data + pointer->offset, sizeof p);
        n -= p == NULL ? pointer->n : 1;
        bytes -= p == NULL ? (size_t)(null[pointer->n + 1] - null[1]) : (size_t)(null[1] - null[0]);
    }
    skip = pytree__suffix_skip(w, n_prefix);
    bytes += n * (n_prefix - skip);
    if (w->to.at != NULL) {
        return w->to.length + bytes <= w->to.room && w->count + n <= w->max
               && pytree__put_suffixes(w, c, tails, value->data, n_prefix, skip);
    }
    w->count += n;
    w->to.length += bytes;
    return true;
}

/* Writes the paths of the open struct's children that are leaves. Returns the first child that is a node, or NULL at the
 * end. */
static const pytree_leaf *pytree__put_child_paths(struct pytree__path_writer *w, const pytree__cursor *c, pytree__frame *f,
                                                  const struct pytree__path_suffixes *tails)
{
    const size_t n_prefix = f->nodes, skip = pytree__suffix_skip(w, n_prefix);
    while (f->next < f->count) {
        const pytree_leaf *view = &c->views[f->views + f->next];
        const size_t begin = tails->at[f->next] + skip, n = tails->at[f->next + 1] - begin;
        f->next++;
        if (view->form != PYTREE_FORM_LEAF && view->form != PYTREE_FORM_NONE) { return view; }
        if (view->form == PYTREE_FORM_NONE && !w->none_is_leaf) { continue; }
        if (w->count < w->max) { w->starts[w->count] = w->to.at + w->to.length; }
        w->count++;
        if (w->to.length <= w->to.room && w->to.room - w->to.length >= n_prefix + n) {
            pytree__append_suffix(w, w->to.at + w->to.length, n_prefix, w->text + begin, n);
            w->to.length += n_prefix + n;
        } else {
            pytree__text_put(&w->to, w->prefix, n_prefix);
            pytree__text_put(&w->to, w->text + begin, n);
        }
    }
    return NULL;
}

/* Makes the path of the child at hand the prefix. Returns its length, or PYTREE__NO_PREFIX if it is too long. */
static uint32_t pytree__prefix(struct pytree__path_writer *w, const pytree__cursor *c)
{
    const pytree__frame *f;
    struct pytree__text_writer to;
    pytree_entry entry;
    if (c->n_frames == 0) { return 0; }
    f = &c->frames[c->n_frames - 1];
    if (f->nodes == PYTREE__NO_PREFIX) { return PYTREE__NO_PREFIX; }
    to = pytree__text_to(w->prefix, PYTREE__PREFIX + 1, NULL);
    to.length = f->nodes;
    pytree__frame_entry(c, f, f->next - 1, &entry);
    pytree__put_entry(&to, &entry, w->separator, c->n_frames == 1);
    if (to.length == 0) { return PYTREE__NO_PREFIX; }          /* an empty key, which is not the same as no entry */
    return (uint32_t)(to.length > PYTREE__PREFIX ? (size_t)PYTREE__NO_PREFIX : to.length);
}

/* Writes all paths, one after another, each with its NUL; notes in `starts` where each begins. */
static pytree_status pytree__put_paths(struct pytree__path_writer *w, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__text_writer *const to = &w->to;
    pytree__cursor c;
    pytree__cursor_space stacks;
    const pytree_leaf *value;
    const bool quick = pytree__plain_walk(opt);
    pytree_status status;
    size_t i;
    w->count = 0;
    pytree__cursor_init(&c, &stacks, opt, err);
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK) {
        pytree__frame *f = c.n_frames == 0 ? NULL : &c.frames[c.n_frames - 1];
        const struct pytree__path_suffixes *tails = NULL;
        int at;
        if (quick && f != NULL && f->form == PYTREE_FORM_STRUCT && f->nodes != PYTREE__NO_PREFIX) {
            tails = pytree__suffixes_of(w, f->type);
        }
        if (tails != NULL && !tails->whole && tails->n != 0) {
            value = pytree__put_child_paths(w, &c, f, tails);
            at = value == NULL ? PYTREE__AT_END : PYTREE__AT_NODE;
        } else {
            at = pytree__cursor_next(&c, &value);
            if (at == PYTREE__FAILED) { status = c.status; }
        }
        if (at >= PYTREE__DONE) { break; }
        if (at == PYTREE__AT_END) {
            pytree__close(&c);
        } else if (at == PYTREE__AT_NODE) {
            uint32_t prefix = pytree__prefix(w, &c);
            if (quick && pytree__put_struct_paths(w, &c, value, prefix)) { continue; }
            status = pytree__open(&c, value);
            if (status == PYTREE_OK) { c.frames[c.n_frames - 1].nodes = prefix; }
        } else if (at == PYTREE__AT_LEAF) {
            size_t n = c.n_frames;
            if (w->count < w->max) { w->starts[w->count] = to->at + to->length; }
            w->count++;
            i = n != 0 && c.frames[n - 1].nodes != PYTREE__NO_PREFIX ? n - 1 : 0;
            if (i != 0) { pytree__text_put_small(to, w->prefix, c.frames[i].nodes); }
            for (; i < n; i++) {
                pytree_entry entry;
                pytree__frame_entry(&c, &c.frames[i], c.frames[i].next - 1, &entry);
                pytree__put_entry(to, &entry, w->separator, i == 0);
            }
            pytree__text_put_small(to, "", 1);
        }
    }
    pytree__cursor_end(&c);
    return status;
}

const char **pytree_paths(pytree t, const char *separator, size_t *count, const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_writer w;
    struct pytree__paths_block *head;
    pytree_status status;
    size_t bytes;
    if (count != NULL) { *count = 0; }
    w.to = pytree__text_to(NULL, 0, NULL);
    w.starts = NULL;
    w.max = 0;
    w.separator = separator;
    w.none_is_leaf = opt != NULL && opt->none_is_leaf;
    pytree__suffixes_clear(&w);
    if (pytree__put_paths(&w, t, opt, err) != PYTREE_OK) { return NULL; }
    bytes = pytree__plus(pytree__plus(sizeof *head + PYTREE__SLACK, pytree__times(w.count, sizeof(char *))), w.to.length);
    head = bytes == SIZE_MAX ? NULL : (struct pytree__paths_block *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (head == NULL) { pytree__no_memory(err, bytes); return NULL; }
    head->allocator = pytree__allocator(opt);
    head->bytes = bytes;
    w.starts = (const char **)(void *)(head + 1);
    w.to.at = (char *)(w.starts + w.count);
    w.to.room = w.to.length;
    w.max = w.count;
    w.to.length = 0;
    status = pytree__put_paths(&w, t, opt, err);
    if (w.count > w.max || w.to.length > w.to.room) { status = pytree__fail_unstable_callback(err); }
    if (status != PYTREE_OK) {
        pytree__resize(head->allocator, head, bytes, 0);
        return NULL;
    }
    if (count != NULL) { *count = w.count; }
    return w.starts;
}

void pytree_paths_free(const char **paths)
{
    if (paths != NULL) {
        struct pytree__paths_block *head = (struct pytree__paths_block *)(void *)paths - 1;
        pytree__resize(head->allocator, head, head->bytes, 0);
    }
}
#endif
