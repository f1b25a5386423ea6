/* pytree/impl/checkpoint_wants.h: which arrays of a file a tree asks for. */
#ifndef PYTREE_IMPL_CHECKPOINT_WANTS_H
#define PYTREE_IMPL_CHECKPOINT_WANTS_H

#include "checkpoint_glob.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

/* For each array of a file: whether a leaf asks for it, or none does and may be so. */
enum { PYTREE__UNUSED, PYTREE__USED, PYTREE__UNNEEDED };

/* The leaves that ask for an array, with their names in the file; None and leaves that the file does not have are left out. */
typedef struct pytree__wanted {
    size_t n;
    size_t left_out;                      /* leaves that the callback says the file does not have */
    pytree_leaf *leaves;                  /* borrowed from the tree */
    const char **names;
    ptrdiff_t *slices;                    /* PYTREE_WHOLE, or index along the first axis */
    size_t *tensors;                      /* after pytree__match: the array of each */
    size_t *numbers;                      /* of the leaf in the tree */
    pytree tree;
    const pytree_checkpoint_options *opt;
    pytree_error *err;
    bool making;
    unsigned char *problems;              /* a bit for each kind */
    pytree__name_index by_name;
    void *block;
    size_t bytes;
    char *texts;
    size_t texts_bytes;
} pytree__wanted;

/* Collect the leaves of a tree and their names. `holds`: a bit (1u << dtype) for each element type of the format; other
 * leaves are PYTREE_TYPE. `making`: arrays may be NULL, as for pytree_allocate. Two leaves that ask for one name:
 * PYTREE_ARGUMENT. opt must not be NULL. Call pytree__wanted_end in any case. */
pytree_status pytree__wanted_begin(pytree__wanted *w, pytree t, uint32_t holds, bool making,
                                   const pytree_checkpoint_options *opt, pytree_error *err);
/* Match leaves and arrays: fill w->tensors, or set the error. The report is filled in in both cases. */
pytree_status pytree__match(pytree__wanted *w, const pytree_tensor *tensors, const pytree__name_index *by_name);
/* For saving, after begin: refuse leaves that share memory, or drop the later ones, as opt->shared says. */
pytree_status pytree__wanted_shared(pytree__wanted *w);
void pytree__wanted_end(pytree__wanted *w);
void pytree__no_controls(char *text);           /* control characters become '?' */

/* Convert n numbers between F16, BF16, F32 and F64. They may be misaligned, but must not overlap. */
void pytree__convert(pytree_dtype to_dtype, void *to, pytree_dtype from_dtype, const void *from, size_t n);
bool pytree__convertible(pytree_dtype dtype);

/* An iterator over the leaves that may ask for an array: all but None. */
struct pytree__seeker {
    pytree_iter it;
    const pytree_checkpoint_options *opt;
    const pytree__name_index *renames;
    pytree_entry few[PYTREE__FEW_ENTRIES], *entries;
    size_t max_entries;
    bool renamed;                         /* the name is not the prefix and the path */
    pytree_error *err;
};

static pytree_status pytree__seek_begin(struct pytree__seeker *s, const pytree__wanted *w, const pytree__name_index *renames);
static bool pytree__seek(struct pytree__seeker *s);                                      /* false: that was the last one */
static void pytree__seek_end(struct pytree__seeker *s);

/* A growing buffer of names, one after another. */
struct pytree__pile {
    char *text;
    size_t used, room;
    const pytree_allocator *allocator;
};

static bool pytree__pile_room(struct pytree__pile *p, size_t more, pytree_error *err);   /* room for so many bytes more */

static void pytree__put_shape(struct pytree__text_writer *to, size_t ndim, const uint64_t *shape);      /* "[2,3]" */

/* ---- Wanted arrays ------------------------------------------------------------------------------------------------- */

/* The lists of a report: the first PYTREE__PROBLEMS are mismatches, the others decisions. */
enum {
    PYTREE__MISSING, PYTREE__UNEXPECTED, PYTREE__WRONG_DTYPE, PYTREE__WRONG_SHAPE, PYTREE__AMBIGUOUS, PYTREE__PROBLEMS,
    PYTREE__RENAMED = PYTREE__PROBLEMS, PYTREE__SKIPPED, PYTREE__KEPT, PYTREE__LISTS
};
#define PYTREE__MISMATCHES ((1u << PYTREE__PROBLEMS) - 1)
static const char *const pytree__problem_names[PYTREE__LISTS] = {
    "missing", "unexpected", "wrong dtype", "wrong shape", "ambiguous", "renamed", "skipped", "kept"
};

static pytree_status pytree__seek_begin(struct pytree__seeker *s, const pytree__wanted *w, const pytree__name_index *renames)
{
    pytree_status status = pytree_iter_begin(&s->it, 1, &w->tree, &w->opt->tree, w->err);
    s->it.cursors[0].making = w->making;
    s->opt = w->opt;
    s->renames = renames;
    s->entries = s->few;
    s->max_entries = PYTREE__FEW_ENTRIES;
    s->err = w->err;
    return status;
}

static void pytree__seek_end(struct pytree__seeker *s)
{
    if (s->entries != s->few) {
        (void)pytree__resize(s->opt->tree.allocator, s->entries, s->max_entries * sizeof *s->entries, 0);
    }
    pytree_iter_end(&s->it);
}

static bool pytree__seek(struct pytree__seeker *s)
{
    bool found;
    while ((found = pytree_iter_next(&s->it)) && s->it.leaf[0]->form == PYTREE_FORM_NONE) {}
    return found;
}

/* Write the leaf's simple path, at most n bytes. Return its length, or SIZE_MAX if memory runs out. */
static size_t pytree__seek_path(struct pytree__seeker *s, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    size_t depth = pytree_iter_path(&s->it, s->entries, s->max_entries), i;
    if (depth > s->max_entries) {
        size_t bytes = pytree__times(depth, 2 * sizeof *s->entries);
        bool own = s->entries != s->few;
        pytree_entry *grown = (pytree_entry *)pytree__resize(s->opt->tree.allocator, own ? s->entries : NULL,
                                                             own ? s->max_entries * sizeof *s->entries : 0, bytes);
        if (grown == NULL) { (void)pytree__no_memory(s->err, bytes); return SIZE_MAX; }
        s->entries = grown;
        s->max_entries = depth * 2;
        (void)pytree_iter_path(&s->it, s->entries, s->max_entries);
    }
    for (i = 0; i < depth; i++) {
        pytree__put_entry(&to, &s->entries[i], s->opt->separator == NULL ? "." : s->opt->separator, i == 0);
    }
    return pytree__end_text(&to, n);
}

/* Where a name comes from: the path, or the table or the callback, which may say that the file does not have the leaf. */
enum pytree__name_origin { PYTREE__NAME_PATH, PYTREE__NAME_RENAMED, PYTREE__NAME_NONE };

/* Ask the table, then the callback, for the name of the leaf of this path. Writes at most n bytes with the NUL. */
static enum pytree__name_origin pytree__seek_rename(const struct pytree__seeker *s, const char *path, char *text, size_t n,
                                                    size_t *length, ptrdiff_t *slice)
{
    const pytree_checkpoint_options *opt = s->opt;
    const char *separator = opt->separator == NULL ? "." : opt->separator;
    struct pytree__glob_stars stars;
    size_t i = s->renames->n == 0 ? SIZE_MAX : pytree__name_index_find(s->renames, path);
    stars.n = 0;
    if (i == SIZE_MAX) {
        for (i = 0; i < opt->n_renames && (strchr(opt->renames[i].from, '*') == NULL
                                           || !pytree__glob_match(opt->renames[i].from, path, separator, &stars)); i++) {}
    }
    if (i < opt->n_renames) {
        *length = pytree__glob_fill(opt->renames[i].to, separator, &stars, text, n);
        return PYTREE__NAME_RENAMED;
    }
    if (opt->rename == NULL) { return PYTREE__NAME_PATH; }
    *length = opt->rename(opt->rename_context, path, text, n, slice);
    return *length == SIZE_MAX ? PYTREE__NAME_NONE : PYTREE__NAME_RENAMED;
}

/* Write the leaf's name in the file, at most n bytes with the NUL; *length is the length it needs. Return false if the file
 * does not have the leaf. If the name is made from the path, the path is written after the prefix. */
static bool pytree__seek_name(struct pytree__seeker *s, char *text, size_t n, size_t *length, ptrdiff_t *slice, bool *failed)
{
    const pytree_checkpoint_options *opt = s->opt;
    size_t head = opt->prefix == NULL ? 0 : strlen(opt->prefix), path;
    const char *leaf = text;
    enum pytree__name_origin origin;
    *slice = PYTREE_WHOLE;
    s->renamed = false;
    if (opt->rename == NULL && opt->n_renames == 0) {
        if (head < n) { memcpy(text, opt->prefix == NULL ? "" : opt->prefix, head); }
        path = pytree__seek_path(s, head < n ? text + head : NULL, head < n ? n - head : 0);
        *failed = path == SIZE_MAX;
        *length = pytree__plus(head, path);
        return true;
    }
    path = pytree__seek_path(s, text, n);
    *failed = path == SIZE_MAX;
    *length = path;
    if (path >= n) { return true; }       /* it failed, or more room is needed to ask */
    origin = pytree__seek_rename(s, leaf, text + path + 1, n - path - 1, length, slice);
    if (origin == PYTREE__NAME_NONE) { return false; }
    if (origin == PYTREE__NAME_PATH) {
        *length = head + path;
        if (*length < n) {
            memmove(text + head, text, path + 1);
            if (head != 0) { memcpy(text, opt->prefix, head); }
        }
        return true;
    }
    if (*length >= n - path - 1) { *length += path + 1; return true; }
    s->renamed = *length != head + path || strcmp(leaf + path + 1 + head, leaf) != 0
                 || (head != 0 && memcmp(leaf + path + 1, opt->prefix, head) != 0);
    memmove(text, text + path + 1, *length + 1);
    return true;
}

static pytree_status pytree__seek_fail(struct pytree__seeker *s, pytree_status status, const char *format, const char *text)
{
    return pytree__fail_at(&s->it.cursors[0], status, format, text);
}

static bool pytree__pile_room(struct pytree__pile *p, size_t more, pytree_error *err)
{
    char *grown = (char *)pytree__array_grow(p->text, &p->room, pytree__plus(p->used, more), 1, p->allocator, err);
    if (grown == NULL) { return false; }
    p->text = grown;
    return true;
}

/* Append a leaf's name to the buffer. *asks: the file has the leaf. */
static bool pytree__seek_put(struct pytree__seeker *s, struct pytree__pile *pile, ptrdiff_t *slice, bool *asks)
{
    for (;;) {
        size_t length = 0, room = pile->room - pile->used;
        bool failed = false;
        *asks = pytree__seek_name(s, pile->text + pile->used, room, &length, slice, &failed);
        if (failed) { return false; }
        if (!*asks) { return true; }
        if (length < room) { pile->used += length + 1; return true; }
        if (!pytree__pile_room(pile, pytree__plus(length, 64), s->err)) { return false; }
    }
}

static int pytree__by_name_and_slice(const void *context, size_t a, size_t b)
{
    const pytree__wanted *w = (const pytree__wanted *)context;
    int side = pytree__by_hash_and_name(&w->by_name, a, b);
    if (side != 0) { return side; }
    return w->slices[a] < w->slices[b] ? -1 : w->slices[a] > w->slices[b];
}

/* Walk the tree once and record names and views of the leaves that ask. */
static pytree_status pytree__wanted_fill(pytree__wanted *w, struct pytree__pile *pile, const pytree__name_index *renames,
                                         size_t n, uint32_t holds)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, w, renames);
    while (status == PYTREE_OK && pytree__seek(&s)) {
        const pytree_leaf *leaf = s.it.leaf[0];
        bool asks;
        size_t at = pile->used;
        if (w->n == n) { status = pytree__fail_unstable_callback(w->err); break; }
        if (leaf->form == PYTREE_FORM_LEAF) { w->leaves[w->n] = *leaf; }
        if (!pytree__seek_put(&s, pile, &w->slices[w->n], &asks)) { status = PYTREE_NO_MEMORY; break; }
        if (!asks) { w->left_out++; continue; }
        w->problems[w->n] = (unsigned char)(s.renamed ? 1u << PYTREE__RENAMED : 0);
        if (leaf->form != PYTREE_FORM_LEAF || (holds >> leaf->type->dtype & 1u) == 0) {
            status =
                pytree__seek_fail(&s, PYTREE_TYPE, "expected numbers of a type that the file's format has, got %s",
                                  leaf->form != PYTREE_FORM_LEAF ? pytree__view_name(leaf) : pytree_dtype_name(leaf->type));
            break;
        }
        if (w->slices[w->n] < PYTREE_WHOLE) {
            status = pytree__seek_fail(&s, PYTREE_ARGUMENT, "expected a slice from 0 on for '%s', got less", pile->text + at);
            break;
        }
        w->numbers[w->n] = s.it.index;
        w->tensors[w->n++] = at;
    }
    if (status == PYTREE_OK) { status = s.it.status; }
    pytree__seek_end(&s);
    return status;
}

static pytree_status pytree__wanted_count(pytree__wanted *w, size_t *n)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, w, NULL);
    *n = 0;
    while (status == PYTREE_OK && pytree__seek(&s)) { ++*n; }
    if (status == PYTREE_OK) { status = s.it.status; }
    pytree__seek_end(&s);
    return status;
}

static pytree_status pytree__report_all(pytree__wanted *w, const pytree_tensor *tensors, size_t n_tensors,
                                        const unsigned char *uses);

/* Report two leaves that ask for one name, unless they are different slices of it. Of a name, what asks for the whole comes
 * first. */
static pytree_status pytree__wanted_ambiguous(pytree__wanted *w)
{
    bool any = false;
    size_t i;
    for (i = 1; i < w->by_name.n; i++) {
        size_t a = w->by_name.order[i - 1], b = w->by_name.order[i];
        if (pytree__by_hash_and_name(&w->by_name, a, b) == 0
            && (w->slices[a] == w->slices[b] || w->slices[a] == PYTREE_WHOLE)) {
            any = true;
            w->problems[a] = w->problems[b] = 1u << PYTREE__AMBIGUOUS;
        }
    }
    return any ? pytree__report_all(w, NULL, 0, NULL) : PYTREE_OK;
}

pytree_status pytree__wanted_begin(pytree__wanted *w, pytree t, uint32_t holds, bool making,
                                   const pytree_checkpoint_options *opt, pytree_error *err)
{
    struct pytree__pile pile = { NULL, 0, 0, NULL };
    pytree__name_index renames;
    pytree_status status;
    size_t n = 0, i;
    memset(w, 0, sizeof *w);
    memset(&renames, 0, sizeof renames);
    w->tree = t;
    w->opt = opt;
    w->err = err;
    w->making = making;
    pile.allocator = opt->tree.allocator;
    status = pytree__glob_check(opt, err);
    if (status == PYTREE_OK) { status = pytree__wanted_count(w, &n); }
    if (status == PYTREE_OK && opt->n_renames != 0) {
        status = pytree__name_index_init(&renames, opt->renames, sizeof *opt->renames, opt->n_renames, pile.allocator, err);
    }
    if (status == PYTREE_OK) {
        size_t each = sizeof *w->leaves + sizeof *w->slices + 2 * sizeof *w->tensors + sizeof *w->names + 1;
        w->bytes = pytree__plus(pytree__times(n, each), 1);
        w->block = pytree__resize(pile.allocator, NULL, 0, w->bytes);
        if (w->block == NULL) { status = pytree__no_memory(err, w->bytes); }
        else if (!pytree__pile_room(&pile, pytree__plus(pytree__times(n, 32), 64), err)) { status = PYTREE_NO_MEMORY; }
    }
    if (status == PYTREE_OK) {
        w->leaves = (pytree_leaf *)w->block;
        w->slices = (ptrdiff_t *)(void *)(w->leaves + n);
        w->tensors = (size_t *)(void *)(w->slices + n);
        w->numbers = w->tensors + n;
        w->names = (const char **)(void *)(w->numbers + n);
        w->problems = (unsigned char *)(w->names + n);
        memset(w->problems, 0, n + 1);
        status = pytree__wanted_fill(w, &pile, &renames, n, holds);
    }
    w->texts = pile.text;
    w->texts_bytes = pile.room;
    if (status == PYTREE_OK) {
        for (i = 0; i < w->n; i++) { w->names[i] = pile.text + w->tensors[i]; }
        status = pytree__name_index_init(&w->by_name, w->names, sizeof *w->names, w->n, pile.allocator, err);
    }
    if (status == PYTREE_OK) {
        pytree__sort_numbers(w->by_name.order, w->by_name.n, pytree__by_name_and_slice, w);
        status = pytree__wanted_ambiguous(w);
    }
    pytree__name_index_end(&renames);
    return status;
}

void pytree__wanted_end(pytree__wanted *w)
{
    if (w->opt == NULL) { return; }
    pytree__name_index_end(&w->by_name);
    if (w->texts != NULL) { (void)pytree__resize(w->opt->tree.allocator, w->texts, w->texts_bytes, 0); }
    if (w->block != NULL) { (void)pytree__resize(w->opt->tree.allocator, w->block, w->bytes, 0); }
    memset(w, 0, sizeof *w);
}

#include "checkpoint_report.h"
#endif
