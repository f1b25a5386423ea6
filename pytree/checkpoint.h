/* pytree/checkpoint.h: the leaves of a tree and the named arrays of a file: which belongs to which, and all that does not fit.
 *
 * What pytree/safetensors.h and pytree/npy.h have in common: options, and the report on a file that is not what the tree asks
 * for. The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h.
 *
 *     pytree_report report = { 0 };
 *     pytree_checkpoint_options opt = { .prefix = "model.", .ignore_unexpected = true, .report = &report };
 *     if (pytree_load_safetensors("model.safetensors", PYTREE(&model), &opt, &err) != PYTREE_OK) {
 *         pytree_report_print(stderr, &report);
 *     }
 *     pytree_report_free(&report);
 *
 * A leaf asks for the array that has its name: the key path in the simple form (encoder.layers.0.w), behind the prefix, or what
 * a table or a callback says. Names are compared byte for byte. Rules as in pytree.h.
 */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#elif !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED))
#include "../pytree.h"                    /* not there? include pytree.h first */
#endif
#include "io.h"

#ifndef PYTREE_CHECKPOINT_H
#define PYTREE_CHECKPOINT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The report ----------------------------------------------------------------------------------------------------- */

/* One thing that does not fit. Texts are the report's. */
typedef struct pytree_misfit {
    const char *name;                     /* in the file */
    const char *path;                     /* key path of the leaf that asks for it, .layers[0].w; NULL: none does */
    const char *wanted;                   /* by the leaf: "f32[2,3]"; NULL: nothing */
    const char *found;                    /* in the file: "f64[2,3]"; NULL: nothing */
} pytree_misfit;

typedef struct pytree_misfits {
    size_t count;                         /* exact */
    size_t n_entries;                     /* that are listed: the first ones */
    const pytree_misfit *entries;
} pytree_misfits;

/* All that does not fit, at once. Zero-initialise it, point the options at it, and free it after the call, whatever that
 * returned. A leaf of the wrong type and shape is in both lists. */
typedef struct pytree_report {
    pytree_misfits missing;            /* a leaf asks for it, the file does not have it */
    pytree_misfits unexpected;         /* the file has it, no leaf asks for it; listed even where that is allowed */
    pytree_misfits wrong_dtype;
    pytree_misfits wrong_shape;
    pytree_misfits ambiguous;          /* two leaves ask for one name; then nothing else has been looked at */
    /* private */
    const pytree_allocator *allocator;
    void *block;
    size_t bytes;
} pytree_report;

/* Gives back what a call put into the report and zeroes it. NULL is fine. */
void pytree_report_free(pytree_report *report);

/* A line for each entry: "missing     encoder.w       .encoder.w  expected f32[2,3]"; none for NULL. PYTREE_IO if the file
 * takes no more. */
pytree_status pytree_report_print(FILE *file, const pytree_report *report, pytree_error *err);

/* ---- Options -------------------------------------------------------------------------------------------------------- */

/* The leaf of simple path `from` has the name `to` in the file. */
typedef struct pytree_rename {
    const char *from, *to;
} pytree_rename;

/* A file's own remarks: texts by key. */
typedef struct pytree_metadata {
    const char *key, *text;
} pytree_metadata;

/* What a leaf that is no slice has for one. */
enum { PYTREE_WHOLE = -1 };

/* The name that the file has for the leaf of simple path `leaf`: written into `text` like snprintf, its length returned. If
 * the leaf is one slice of a larger array (layer 3 of all layers' weights), *slice is set to its index along the array's first
 * axis; before it is PYTREE_WHOLE. SIZE_MAX: the file does not have this leaf, and it stays as it is. Asked more than once
 * about a leaf. */
typedef size_t pytree_rename_fn(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice);

/* What saving does with leaves that are the same memory. */
typedef enum pytree_shared {
    PYTREE_SHARED_REFUSED,                /* PYTREE_SHARED, with both paths */
    PYTREE_SHARED_ONCE,                   /* under the name of the first. Loading: a name that is missing is made good by a leaf
                                           * of the same memory, type and shape */
    PYTREE_SHARED_EACH                    /* under each name */
} pytree_shared;

/* Zero-initialised means the defaults. */
typedef struct pytree_checkpoint_options {
    pytree_options tree;                  /* allocator, is_leaf, … */
    const pytree_io *io;                  /* NULL: pytree_io_system */
    const char *separator;                /* between the entries of a name; NULL: "." */
    /* A leaf's name in the file: from the table if it has it, otherwise from the callback if there is one, otherwise the prefix
     * and its simple path. */
    const pytree_rename *renames;
    size_t n_renames;
    pytree_rename_fn *rename;
    void *rename_context;
    const char *prefix;                   /* NULL: "" */
    /* Loading */
    bool ignore_unexpected;               /* what nobody asks for is no error */
    bool convert;                         /* F16, BF16, F32 and F64 serve for one another, rounded to nearest even */
    pytree_report *report;                /* NULL: not wanted */
    size_t max_listed;                    /* entries in each of its lists; 0: 1000 */
    /* Saving */
    pytree_shared shared;
    const pytree_metadata *metadata;      /* safetensors: in this order */
    size_t n_metadata;
    int compress;                         /* npz: deflate, level 1 to 9; 0: stored */
} pytree_checkpoint_options;

/* ---- Arrays of a file ----------------------------------------------------------------------------------------------- */

typedef struct pytree_tensor {
    const char *name;                     /* UTF-8. First member: names are found through it */
    const char *dtype;                    /* the file's word for its element type: "F32", "<f4" */
    const pytree_type *type;              /* element type in C; NULL: C has none */
    size_t ndim;
    const uint64_t *shape;
    uint64_t offset, bytes;               /* of its data, in its file */
    const void *data;                     /* where it is in memory if the file is mapped, aligned or not; otherwise NULL */
    size_t file;                          /* number of its file; 0 but in sharded checkpoints */
} pytree_tensor;

/* ---- Private, for the headers of file formats ----------------------------------------------------------------------- */

/* Names in order of hash, then text: found in log n steps whatever names a hostile file chooses. The first member of each of
 * the n elements of `stride` bytes at `base` is a `const char *`. */
typedef struct pytree__name_index {
    const char *base;
    size_t stride, n;
    uint64_t *hashes;
    size_t *order;
    const pytree_allocator *allocator;
    size_t bytes;
} pytree__name_index;
pytree_status pytree__name_index_init(pytree__name_index *names, const void *base, size_t stride, size_t n,
                                      const pytree_allocator *a, pytree_error *err);
size_t pytree__name_index_find(const pytree__name_index *names, const char *name);       /* SIZE_MAX: not there */
size_t pytree__name_index_twice(const pytree__name_index *names);                        /* one that comes twice, or SIZE_MAX */
void pytree__name_index_end(pytree__name_index *names);

/* Sorts order[0 … n-1], numbers in any order; room for n more behind them. Stable, n log n for any input. */
typedef int pytree__order_fn(const void *context, size_t a, size_t b);
void pytree__sort_numbers(size_t *order, size_t n, pytree__order_fn *compare, const void *context);

/* Leaves that ask, with their names in the file; None and leaves that are not in the file are left out. */
typedef struct pytree__wanted {
    size_t n;
    pytree_leaf *leaves;                  /* borrow from the tree */
    const char **names;
    ptrdiff_t *slices;                    /* PYTREE_WHOLE, or index along the first axis */
    size_t *tensors;                      /* after pytree__match: which answers */
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

/* `holds`: a bit (1u << dtype) for each element type that the format has; another leaf is PYTREE_TYPE. `making`: arrays may be
 * NULL, as for pytree_allocate. Two leaves that ask for one name: PYTREE_ARGUMENT. opt must not be NULL. End it in any case. */
pytree_status pytree__wanted_begin(pytree__wanted *w, pytree t, uint32_t holds, bool making,
                                   const pytree_checkpoint_options *opt, pytree_error *err);
/* Fills w->tensors, or sets the error and, in both cases, the report. */
pytree_status pytree__match(pytree__wanted *w, const pytree_tensor *tensors, const pytree__name_index *by_name);
/* For saving, after begin: leaves of shared memory are refused, or the later ones dropped, as opt->shared says. */
pytree_status pytree__wanted_shared(pytree__wanted *w);
void pytree__wanted_end(pytree__wanted *w);
void pytree__no_controls(char *text);           /* control characters become '?' */

/* n numbers of F16, BF16, F32 or F64, aligned or not, into numbers of another of these. The memory does not overlap. */
void pytree__convert(pytree_dtype to_dtype, void *to, pytree_dtype from_dtype, const void *from, size_t n);
bool pytree__convertible(pytree_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__CHECKPOINT_BODIES)
#define PYTREE__CHECKPOINT_BODIES

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sorted numbers and names (bodies) ------------------------------------------------------------------------------ */

/* Merges from the bottom up; qsort may take quadratic time and may allocate. */
void pytree__sort_numbers(size_t *order, size_t n, pytree__order_fn *compare, const void *context)
{
    size_t *from = order, *to, *swap, width, i, a, b, a_end, b_end;
    if (n < 2) { return; }
    to = order + n;
    for (width = 1; width < n; width *= 2) {
        for (i = 0; i < n;) {
            a = i;
            a_end = b = n - i > width ? i + width : n;
            b_end = n - b > width ? b + width : n;
            if (b < b_end && compare(context, from[b - 1], from[b]) <= 0) {        /* in order already */
                memcpy(to + i, from + i, (b_end - i) * sizeof *to);
                i = b_end;
                continue;
            }
            while (a < a_end && b < b_end) { to[i++] = compare(context, from[b], from[a]) < 0 ? from[b++] : from[a++]; }
            while (a < a_end) { to[i++] = from[a++]; }
            while (b < b_end) { to[i++] = from[b++]; }
        }
        swap = from;
        from = to;
        to = swap;
        if (width > n / 2) { break; }
    }
    if (from != order) { memcpy(order, from, n * sizeof *order); }
}

static const char *pytree__name_at(const pytree__name_index *names, size_t i)
{
    const char *name;
    memcpy(&name, names->base + i * names->stride, sizeof name);
    return name;
}

static int pytree__by_hash_and_name(const void *context, size_t a, size_t b)
{
    const pytree__name_index *names = (const pytree__name_index *)context;
    if (names->hashes[a] != names->hashes[b]) { return names->hashes[a] < names->hashes[b] ? -1 : 1; }
    return strcmp(pytree__name_at(names, a), pytree__name_at(names, b));
}

/* Only a number to sort by: whoever chooses names with equal ones gains nothing. */
static uint64_t pytree__name_hash(const char *name)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (; *name != '\0'; name++) { h = (h ^ (unsigned char)*name) * 0x100000001B3u; }
    return h;
}

pytree_status pytree__name_index_init(pytree__name_index *names, const void *base, size_t stride, size_t n,
                                      const pytree_allocator *a, pytree_error *err)
{
    size_t i;
    memset(names, 0, sizeof *names);
    names->base = (const char *)base;
    names->stride = stride;
    names->n = n;
    names->allocator = a;
    if (n == 0) { return PYTREE_OK; }
    names->bytes = pytree__times(n, sizeof(uint64_t) + 2 * sizeof(size_t));
    names->hashes = (uint64_t *)pytree__resize(a, NULL, 0, names->bytes);
    if (names->hashes == NULL) {
        size_t bytes = names->bytes;
        memset(names, 0, sizeof *names);
        return pytree__no_memory(err, bytes);
    }
    names->order = (size_t *)(void *)(names->hashes + n);
    for (i = 0; i < n; i++) {
        names->hashes[i] = pytree__name_hash(pytree__name_at(names, i));
        names->order[i] = i;
    }
    pytree__sort_numbers(names->order, n, pytree__by_hash_and_name, names);
    return PYTREE_OK;
}

size_t pytree__name_index_find(const pytree__name_index *names, const char *name)
{
    uint64_t h = pytree__name_hash(name);
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2, i = names->order[middle];
        int side = h != names->hashes[i] ? (h < names->hashes[i] ? -1 : 1) : strcmp(name, pytree__name_at(names, i));
        if (side == 0) { return i; }
        if (side < 0) { high = middle; } else { low = middle + 1; }
    }
    return SIZE_MAX;
}

size_t pytree__name_index_twice(const pytree__name_index *names)
{
    size_t i;
    for (i = 1; i < names->n; i++) {
        if (pytree__by_hash_and_name(names, names->order[i - 1], names->order[i]) == 0) { return names->order[i]; }
    }
    return SIZE_MAX;
}

void pytree__name_index_end(pytree__name_index *names)
{
    if (names->hashes != NULL) { (void)pytree__resize(names->allocator, names->hashes, names->bytes, 0); }
    memset(names, 0, sizeof *names);
}

/* ---- What a tree asks for (bodies) ---------------------------------------------------------------------------------- */

enum { PYTREE__MISSING, PYTREE__UNEXPECTED, PYTREE__WRONG_DTYPE, PYTREE__WRONG_SHAPE, PYTREE__AMBIGUOUS, PYTREE__PROBLEMS };
static const char *const pytree__problem_names[PYTREE__PROBLEMS] = {
    "missing", "unexpected", "wrong dtype", "wrong shape", "ambiguous"
};

/* Goes through the leaves that may ask: None does not. */
struct pytree__seeker {
    pytree_iter it;
    const pytree_checkpoint_options *opt;
    const pytree__name_index *renames;
    pytree_entry few[64], *entries;
    size_t max_entries;
    pytree_error *err;
};

static pytree_status pytree__seek_begin(struct pytree__seeker *s, const pytree__wanted *w, const pytree__name_index *renames)
{
    pytree_status status = pytree_iter_begin(&s->it, 1, &w->tree, &w->opt->tree, w->err);
    s->it.cursors[0].making = w->making;
    s->opt = w->opt;
    s->renames = renames;
    s->entries = s->few;
    s->max_entries = 64;
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
    while ((found = pytree_next(&s->it)) && s->it.leaf[0]->form == PYTREE_FORM_NONE) {}
    return found;
}

/* The leaf's simple path in at most n bytes; its length, or SIZE_MAX if memory runs out. */
static size_t pytree__seek_path(struct pytree__seeker *s, char *text, size_t n)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
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

/* The leaf's name in the file, of at most n bytes with the NUL; *length is what it needs. False: the file does not have it.
 * A name that is to be made from the path has the path behind it, in what is left of n. */
static bool pytree__seek_name(struct pytree__seeker *s, char *text, size_t n, size_t *length, ptrdiff_t *slice, bool *failed)
{
    const pytree_checkpoint_options *opt = s->opt;
    size_t head = opt->prefix == NULL ? 0 : strlen(opt->prefix), path, table;
    *slice = PYTREE_WHOLE;
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
    if (*failed || path >= n) { return true; }                 /* more room is needed to ask */
    table = s->renames->n == 0 ? SIZE_MAX : pytree__name_index_find(s->renames, text);
    if (table == SIZE_MAX && opt->rename == NULL) {
        *length = head + path;
        if (*length < n) {
            memmove(text + head, text, path + 1);
            if (head != 0) { memcpy(text, opt->prefix, head); }
        }
        return true;
    }
    text += path + 1;
    n -= path + 1;
    if (table != SIZE_MAX) {
        *length = strlen(opt->renames[table].to);
        if (*length < n) { memcpy(text, opt->renames[table].to, *length + 1); }
    } else {
        *length = opt->rename(opt->rename_context, text - path - 1, text, n, slice);
        if (*length == SIZE_MAX) { return false; }
    }
    if (*length < n) { memmove(text - path - 1, text, *length + 1); }
    else { *length += path + 1; }
    return true;
}

static pytree_status pytree__seek_fail(struct pytree__seeker *s, pytree_status status, const char *format, const char *text)
{
    return pytree__problem(&s->it.cursors[0], status, format, text);
}

/* Text that grows, for one name after the other. */
struct pytree__pile {
    char *text;
    size_t used, room;
    const pytree_allocator *allocator;
};

static bool pytree__pile_room(struct pytree__pile *p, size_t more, pytree_error *err)
{
    char *grown = (char *)pytree__array_grow(p->text, &p->room, pytree__plus(p->used, more), 1, p->allocator, err);
    if (grown == NULL) { return false; }
    p->text = grown;
    return true;
}

/* One leaf's name behind those before it. *asks: whether the file has it. */
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

/* One walk: names and views of the leaves that ask. */
static pytree_status pytree__wanted_fill(pytree__wanted *w, struct pytree__pile *pile, const pytree__name_index *renames,
                                         size_t n, uint32_t holds)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, w, renames);
    while (status == PYTREE_OK && pytree__seek(&s)) {
        const pytree_leaf *leaf = s.it.leaf[0];
        bool asks;
        size_t at = pile->used;
        if (w->n == n) { break; }
        if (leaf->form == PYTREE_FORM_LEAF) { w->leaves[w->n] = *leaf; }
        if (!pytree__seek_put(&s, pile, &w->slices[w->n], &asks)) { status = PYTREE_NO_MEMORY; break; }
        if (!asks) { continue; }
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

static pytree_status pytree__report_all(pytree__wanted *w, const pytree_tensor *tensors, size_t n_tensors, const bool *taken);

/* Two that ask for one name, unless they are different slices of it. */
static pytree_status pytree__wanted_ambiguous(pytree__wanted *w)
{
    bool any = false;
    size_t i;
    for (i = 1; i < w->by_name.n; i++) {
        size_t a = w->by_name.order[i - 1], b = w->by_name.order[i];
        if (pytree__by_hash_and_name(&w->by_name, a, b) == 0
            && (w->slices[a] == w->slices[b] || w->slices[a] == PYTREE_WHOLE || w->slices[b] == PYTREE_WHOLE)) {
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
    status = pytree__wanted_count(w, &n);
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

/* ---- The report (bodies) -------------------------------------------------------------------------------------------- */

static pytree_misfits *pytree__report_list(pytree_report *report, int kind)
{
    switch (kind) {
    case PYTREE__MISSING: return &report->missing;
    case PYTREE__UNEXPECTED: return &report->unexpected;
    case PYTREE__WRONG_DTYPE: return &report->wrong_dtype;
    case PYTREE__WRONG_SHAPE: return &report->wrong_shape;
    default: return &report->ambiguous;
    }
}

void pytree_report_free(pytree_report *report)
{
    if (report == NULL) { return; }
    if (report->block != NULL) { (void)pytree__resize(report->allocator, report->block, report->bytes, 0); }
    memset(report, 0, sizeof *report);
}

pytree_status pytree_report_print(FILE *file, const pytree_report *report, pytree_error *err)
{
    int kind;
    size_t i;
    bool good = true;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    for (kind = 0; kind < PYTREE__PROBLEMS && report != NULL; kind++) {
        const pytree_misfits *list = pytree__report_list((pytree_report *)(uintptr_t)report, kind);
        for (i = 0; i < list->n_entries; i++) {
            const pytree_misfit *m = &list->entries[i];
            good &= fprintf(file, "%-11s  %s", pytree__problem_names[kind], m->name) >= 0;
            if (m->path != NULL) { good &= fprintf(file, "  (%s)", m->path) >= 0; }
            if (m->wanted != NULL) { good &= fprintf(file, "  expected %s", m->wanted) >= 0; }
            if (m->found != NULL) { good &= fprintf(file, "%s %s", m->wanted != NULL ? ", got" : "  is", m->found) >= 0; }
            good &= fputc('\n', file) != EOF;
        }
        if (list->count > list->n_entries) {
            good &= fprintf(file, "%-11s  and %zu more\n", pytree__problem_names[kind], list->count - list->n_entries) >= 0;
        }
    }
    return good ? PYTREE_OK : pytree_fail(err, PYTREE_IO, NULL, "expected to write the report, got an error of the file");
}

/* Runs twice: to measure, and to write. */
struct pytree__reporter {
    pytree_report *report;
    size_t most;
    struct pytree__text text;
    pytree_misfit *entries[PYTREE__PROBLEMS];               /* NULL while it measures */
    size_t n_entries[PYTREE__PROBLEMS];
};

static void pytree__put_nul(struct pytree__text *to) { pytree__put(to, "", 1); }

static void pytree__put_shape(struct pytree__text *to, size_t ndim, const uint64_t *shape)
{
    size_t i;
    pytree__put(to, "[", 1);
    for (i = 0; i < ndim; i++) {
        if (i != 0) { pytree__put(to, ",", 1); }
        pytree__put_number(to, shape[i]);
    }
    pytree__put(to, "]", 1);
}

/* As pytree_print writes a leaf: "f32[2,3]", "f32" for a scalar. */
static void pytree__put_array(struct pytree__text *to, const char *dtype, size_t ndim, const uint64_t *shape)
{
    pytree__put_text(to, dtype);
    if (ndim != 0) { pytree__put_shape(to, ndim, shape); }
    pytree__put_nul(to);
}

static void pytree__put_tensor(struct pytree__text *to, const pytree_tensor *tensor)
{
    pytree__put_array(to, tensor->type != NULL ? pytree_dtype_name(tensor->type) : tensor->dtype, tensor->ndim, tensor->shape);
}

/* Leaves that ask for the tensor of leaf i, in w->by_name.order: how many slices it would need. */
static size_t pytree__slices_of(const pytree__wanted *w, const char *name)
{
    size_t i = pytree__name_index_find(&w->by_name, name), n = 0, k;
    for (k = 0; k < w->by_name.n && w->by_name.order[k] != i; k++) {}
    while (k > 0 && strcmp(w->names[w->by_name.order[k - 1]], name) == 0) { k--; }
    for (; k < w->by_name.n && strcmp(w->names[w->by_name.order[k]], name) == 0; k++) { n++; }
    return n;
}

static void pytree__put_wanted(struct pytree__text *to, const pytree__wanted *w, size_t i)
{
    const pytree_leaf *leaf = &w->leaves[i];
    uint64_t shape[PYTREE_MAX_DIMS + 1];
    size_t n = 0;
    int k;
    if (w->slices[i] != PYTREE_WHOLE) { shape[n++] = pytree__slices_of(w, w->names[i]); }
    for (k = 0; k < leaf->ndim; k++) { shape[n++] = leaf->shape[k]; }
    pytree__put_array(to, pytree_dtype_name(leaf->type), n, shape);
}

static const char *pytree__report_text(const struct pytree__reporter *r)
{
    return r->text.at == NULL ? NULL : r->text.at + r->text.length;
}

/* An entry, unless the list is full. NULL while it measures. */
static bool pytree__report_entry(struct pytree__reporter *r, int kind, pytree_misfit **entry)
{
    if (r->n_entries[kind] == r->most) { return false; }
    *entry = r->entries[kind] == NULL ? NULL : &r->entries[kind][r->n_entries[kind]];
    r->n_entries[kind]++;
    return true;
}

static void pytree__report_leaf(struct pytree__reporter *r, int kind, const pytree__wanted *w, size_t i,
                                struct pytree__seeker *s, const pytree_tensor *tensors)
{
    pytree_misfit entry, *at;
    memset(&entry, 0, sizeof entry);
    if (!pytree__report_entry(r, kind, &at)) { return; }
    entry.name = pytree__report_text(r);
    pytree__put_text(&r->text, w->names[i]);
    pytree__put_nul(&r->text);
    entry.path = pytree__report_text(r);
    pytree__cursor_text(&s->it.cursors[0], &r->text, SIZE_MAX);
    pytree__put_nul(&r->text);
    entry.wanted = pytree__report_text(r);
    pytree__put_wanted(&r->text, w, i);
    if (kind == PYTREE__WRONG_DTYPE || kind == PYTREE__WRONG_SHAPE) {
        entry.found = pytree__report_text(r);
        pytree__put_tensor(&r->text, &tensors[w->tensors[i]]);
    }
    if (at != NULL) { *at = entry; }
}

static void pytree__report_tensor(struct pytree__reporter *r, const pytree_tensor *tensor)
{
    pytree_misfit entry, *at;
    memset(&entry, 0, sizeof entry);
    if (!pytree__report_entry(r, PYTREE__UNEXPECTED, &at)) { return; }
    entry.name = pytree__report_text(r);
    pytree__put_text(&r->text, tensor->name);
    pytree__put_nul(&r->text);
    entry.found = pytree__report_text(r);
    pytree__put_tensor(&r->text, tensor);
    if (at != NULL) { *at = entry; }
}

/* Goes over all problems once more; only the walk knows the paths. */
static pytree_status pytree__report_run(struct pytree__reporter *r, const pytree__wanted *w, const pytree_tensor *tensors,
                                        size_t n_tensors, const bool *taken)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, w, NULL);
    size_t i = 0, t;
    int kind;
    memset(r->n_entries, 0, sizeof r->n_entries);
    while (status == PYTREE_OK && i < w->n && pytree__seek(&s)) {
        if (s.it.index != w->numbers[i]) { continue; }
        for (kind = 0; kind < PYTREE__PROBLEMS; kind++) {
            if ((w->problems[i] >> kind & 1) != 0) { pytree__report_leaf(r, kind, w, i, &s, tensors); }
        }
        i++;
    }
    if (status == PYTREE_OK) { status = s.it.status; }
    pytree__seek_end(&s);
    for (t = 0; t < n_tensors; t++) {
        if (!taken[t]) { pytree__report_tensor(r, &tensors[t]); }
    }
    return status;
}

/* Counts are in the report already. */
static pytree_status pytree__report_make(pytree_report *report, size_t most, const pytree__wanted *w,
                                         const pytree_tensor *tensors, size_t n_tensors, const bool *taken)
{
    struct pytree__reporter r;
    pytree_status status;
    pytree_misfit *next;
    int kind;
    size_t entries = 0;
    memset(&r, 0, sizeof r);
    r.most = most;
    status = pytree__report_run(&r, w, tensors, n_tensors, taken);
    for (kind = 0; kind < PYTREE__PROBLEMS; kind++) { entries += r.n_entries[kind]; }
    if (status != PYTREE_OK || entries == 0) { return status; }
    report->allocator = w->opt->tree.allocator;
    report->bytes = entries * sizeof(pytree_misfit) + r.text.length + 1;
    report->block = pytree__resize(report->allocator, NULL, 0, report->bytes);
    if (report->block == NULL) { return pytree__no_memory(w->err, report->bytes); }
    next = (pytree_misfit *)report->block;
    for (kind = 0; kind < PYTREE__PROBLEMS; kind++) {
        pytree_misfits *list = pytree__report_list(report, kind);
        r.entries[kind] = next;
        list->entries = next;
        list->n_entries = r.n_entries[kind];
        next += r.n_entries[kind];
    }
    r.text = pytree__text_to((char *)next, r.text.length + 1, NULL);
    return pytree__report_run(&r, w, tensors, n_tensors, taken);
}

/* A message with names from a file goes to terminals: no control characters. */
void pytree__no_controls(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7F) { *text = '?'; }
    }
}

/* The report in a line: "expected what the tree asks for, got 2 missing (a, …), 1 unexpected (b)". */
static pytree_status pytree__report_error(const pytree_report *report, bool ignore_unexpected, pytree_error *err)
{
    static const pytree_status statuses[PYTREE__PROBLEMS] = {
        PYTREE_NOT_FOUND, PYTREE_STRUCTURE, PYTREE_TYPE, PYTREE_SHAPE, PYTREE_ARGUMENT
    };
    static const int order[PYTREE__PROBLEMS] = {
        PYTREE__AMBIGUOUS, PYTREE__MISSING, PYTREE__WRONG_DTYPE, PYTREE__WRONG_SHAPE, PYTREE__UNEXPECTED
    };
    char text[600];
    struct pytree__text to = pytree__text_to(text, sizeof text, NULL);
    pytree_status status = PYTREE_OK;
    const char *path = NULL;
    int k;
    for (k = 0; k < PYTREE__PROBLEMS; k++) {
        const pytree_misfits *list = pytree__report_list((pytree_report *)(uintptr_t)report, order[k]);
        if (list->count == 0 || (order[k] == PYTREE__UNEXPECTED && ignore_unexpected)) { continue; }
        if (status == PYTREE_OK) { status = statuses[order[k]]; }
        else { pytree__put_text(&to, ", "); }
        pytree__put_number(&to, list->count);
        pytree__put_text(&to, " ");
        pytree__put_text(&to, pytree__problem_names[order[k]]);
        if (list->n_entries != 0) {
            const pytree_misfit *m = &list->entries[0];
            if (path == NULL) { path = m->path; }
            pytree__put_text(&to, " (");
            pytree__put_text(&to, m->name);
            if (m->wanted != NULL && m->found != NULL) {
                pytree__put_text(&to, ": ");
                pytree__put_text(&to, m->found);
                pytree__put_text(&to, " for ");
                pytree__put_text(&to, m->wanted);
            }
            pytree__put_text(&to, list->count > 1 ? ", ...)" : ")");
        }
    }
    pytree__end_text(&to, sizeof text);
    pytree__no_controls(text);
    return status == PYTREE_OK ? status : pytree_fail(err, status, path, "expected what the tree asks for, got %s", text);
}

/* The user's report, or one only to have its words. */
static pytree_status pytree__report_all(pytree__wanted *w, const pytree_tensor *tensors, size_t n_tensors, const bool *taken)
{
    pytree_report own, *report = w->opt->report != NULL ? w->opt->report : &own;
    size_t i, most = w->opt->report == NULL ? 1 : w->opt->max_listed != 0 ? w->opt->max_listed : 1000;
    pytree_status status;
    int kind;
    memset(&own, 0, sizeof own);
    pytree_report_free(w->opt->report);
    for (i = 0; i < w->n; i++) {
        for (kind = 0; kind < PYTREE__PROBLEMS; kind++) {
            pytree__report_list(report, kind)->count += (w->problems[i] & 1u << kind) != 0;
        }
    }
    for (i = 0; i < n_tensors; i++) { report->unexpected.count += !taken[i]; }
    status = pytree__report_make(report, most, w, tensors, n_tensors, taken);
    if (status == PYTREE_OK) { status = pytree__report_error(report, w->opt->ignore_unexpected, w->err); }
    else { pytree_report_free(report); }
    pytree_report_free(&own);
    return status;
}

/* ---- Leaves and arrays (bodies) ------------------------------------------------------------------------------------- */

bool pytree__convertible(pytree_dtype dtype)
{
    return dtype == PYTREE_F16 || dtype == PYTREE_BF16 || dtype == PYTREE_F32 || dtype == PYTREE_F64;
}

/* Does the tensor's shape fit the leaf? `slices`: leaves that ask for a slice of it. */
static bool pytree__shape_fits(const pytree_leaf *leaf, ptrdiff_t slice, size_t slices, const pytree_tensor *tensor)
{
    size_t skip = slice == PYTREE_WHOLE ? 0 : 1, i;
    if (tensor->ndim != (size_t)leaf->ndim + skip) { return false; }
    if (skip != 0 && (tensor->shape[0] != slices || (uint64_t)slice >= tensor->shape[0])) { return false; }
    for (i = 0; i < (size_t)leaf->ndim; i++) {
        if (tensor->shape[i + skip] != leaf->shape[i]) { return false; }
    }
    return true;
}

static unsigned pytree__compare_leaf(const pytree__wanted *w, size_t i, size_t slices, const pytree_tensor *tensor)
{
    const pytree_leaf *leaf = &w->leaves[i];
    pytree_dtype has = tensor->type == NULL ? PYTREE_NO_DTYPE : tensor->type->dtype, wants = leaf->type->dtype;
    bool fits = has == wants || (w->opt->convert && pytree__convertible(has) && pytree__convertible(wants));
    return (fits ? 0 : 1u << PYTREE__WRONG_DTYPE)
           | (pytree__shape_fits(leaf, w->slices[i], slices, tensor) ? 0 : 1u << PYTREE__WRONG_SHAPE);
}

/* Leaves by where they begin, empty ones last, the first in the tree before others; w->n numbers, with room behind them. */
static int pytree__by_memory(const void *context, size_t a, size_t b)
{
    const pytree_leaf *leaves = ((const pytree__wanted *)context)->leaves;
    uintptr_t x = (uintptr_t)leaves[a].data, y = (uintptr_t)leaves[b].data;
    bool no_x = pytree_leaf_bytes(&leaves[a]) == 0, no_y = pytree_leaf_bytes(&leaves[b]) == 0;
    if (no_x != no_y) { return no_x ? 1 : -1; }
    return x < y ? -1 : x > y;
}

static size_t *pytree__memory_order(const pytree__wanted *w, size_t *bytes)
{
    size_t *order, i;
    *bytes = pytree__plus(pytree__times(w->n, 2 * sizeof *order), 1);
    order = (size_t *)pytree__resize(w->opt->tree.allocator, NULL, 0, *bytes);
    if (order == NULL) { (void)pytree__no_memory(w->err, *bytes); return NULL; }
    for (i = 0; i < w->n; i++) { order[i] = i; }
    pytree__sort_numbers(order, w->n, pytree__by_memory, w);
    return order;
}

/* Leaves that are one array: one of them is enough. */
static bool pytree__same_memory(const pytree_leaf *a, const pytree_leaf *b)
{
    return a->data == b->data && a->data != NULL && pytree_leaf_bytes(a) != 0 && pytree__fits(a, b) == PYTREE_OK;
}

/* A missing name is no problem where another leaf of the same memory has one that is there. */
static pytree_status pytree__excuse_shared(pytree__wanted *w)
{
    size_t bytes, i, first = 0, found;
    size_t *order = pytree__memory_order(w, &bytes);
    if (order == NULL) { return PYTREE_NO_MEMORY; }
    for (; first < w->n; first = i) {                          /* leaves that begin in one place */
        const void *data = w->leaves[order[first]].data;
        for (found = first; found < w->n && w->leaves[order[found]].data == data && w->problems[order[found]] != 0; found++) {}
        for (i = first; i < w->n && w->leaves[order[i]].data == data; i++) {
            if (found < w->n && w->problems[order[i]] == 1u << PYTREE__MISSING
                && pytree__same_memory(&w->leaves[order[found]], &w->leaves[order[i]])) {
                w->problems[order[i]] = 0;
            }
        }
    }
    (void)pytree__resize(w->opt->tree.allocator, order, bytes, 0);
    return PYTREE_OK;
}

static pytree_status pytree__refuse_shared(pytree__wanted *w, size_t a, size_t b)
{
    struct pytree__seeker s;
    char first[200] = "";
    size_t low = a < b ? a : b, high = a < b ? b : a;
    pytree_status status = pytree__seek_begin(&s, w, NULL);
    while (status == PYTREE_OK && pytree__seek(&s)) {
        if (s.it.index == w->numbers[low]) { (void)pytree_iter_path_text(&s.it, first, sizeof first); }
        if (s.it.index == w->numbers[high]) {
            status = pytree__problem(&s.it.cursors[0], PYTREE_SHARED, "expected memory of its own, got %s that of %s",
                                     pytree__same_memory(&w->leaves[a], &w->leaves[b]) ? "all of" : "some of", first);
        }
    }
    pytree__seek_end(&s);
    return status;
}

pytree_status pytree__wanted_shared(pytree__wanted *w)
{
    size_t bytes, i, k, first = 0, *order;
    pytree_status status = PYTREE_OK;
    if (w->opt->shared == PYTREE_SHARED_EACH || w->n == 0) { return PYTREE_OK; }
    order = pytree__memory_order(w, &bytes);
    if (order == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 1; i < w->n && status == PYTREE_OK && pytree_leaf_bytes(&w->leaves[order[i]]) != 0; i++) {
        const pytree_leaf *a = &w->leaves[order[first]], *b = &w->leaves[order[i]];
        if ((uintptr_t)b->data - (uintptr_t)a->data >= pytree_leaf_bytes(a)) { first = i; continue; }
        if (w->opt->shared == PYTREE_SHARED_REFUSED) { status = pytree__refuse_shared(w, order[first], order[i]); }
        else if (pytree__same_memory(a, b)) { w->names[order[i]] = NULL; }         /* parts of others keep names of their own */
    }
    for (i = k = 0; i < w->n; i++) {
        if (w->names[i] == NULL) { continue; }
        w->leaves[k] = w->leaves[i];
        w->names[k] = w->names[i];
        w->slices[k] = w->slices[i];
        w->numbers[k++] = w->numbers[i];
    }
    w->n = k;
    (void)pytree__resize(w->opt->tree.allocator, order, bytes, 0);
    return status;
}

pytree_status pytree__match(pytree__wanted *w, const pytree_tensor *tensors, const pytree__name_index *by_name)
{
    const pytree_allocator *a = w->opt->tree.allocator;
    size_t k, next, slices, t, n_missing = 0;
    bool *taken = (bool *)pytree__resize(a, NULL, 0, by_name->n + 1), fits = true;
    pytree_status status = PYTREE_OK;
    if (taken == NULL) { return pytree__no_memory(w->err, by_name->n + 1); }
    memset(taken, 0, by_name->n + 1);
    for (k = 0; k < w->n; k = next) {                          /* leaves that ask for one name stand together */
        const char *name = w->names[w->by_name.order[k]];
        for (next = k + 1; next < w->n && strcmp(w->names[w->by_name.order[next]], name) == 0; next++) {}
        slices = next - k;
        t = pytree__name_index_find(by_name, name);
        if (t != SIZE_MAX) { taken[t] = true; }
        for (; k < next; k++) {
            size_t i = w->by_name.order[k];
            w->tensors[i] = t;
            w->problems[i] = (unsigned char)(t == SIZE_MAX ? 1u << PYTREE__MISSING
                                                           : pytree__compare_leaf(w, i, slices, &tensors[t]));
            n_missing += t == SIZE_MAX;
            fits = fits && w->problems[i] == 0;
        }
    }
    if (n_missing != 0 && w->opt->shared == PYTREE_SHARED_ONCE) {
        status = pytree__excuse_shared(w);
        for (fits = true, k = 0; k < w->n; k++) { fits = fits && w->problems[k] == 0; }
    }
    for (k = 0; k < by_name->n; k++) { fits = fits && taken[k]; }
    if (status == PYTREE_OK && w->opt->report != NULL && fits) { pytree_report_free(w->opt->report); }
    if (status == PYTREE_OK && !fits) { status = pytree__report_all(w, tensors, by_name->n, taken); }
    (void)pytree__resize(a, taken, by_name->n + 1, 0);
    return status;
}

/* ---- Conversion (bodies) -------------------------------------------------------------------------------------------- */

static double pytree__widen(pytree_dtype dtype, const char *at)
{
    uint16_t half;
    float single;
    double value;
    switch (dtype) {
    case PYTREE_F16: memcpy(&half, at, sizeof half); return pytree__of_f16(half);
    case PYTREE_BF16: memcpy(&half, at, sizeof half); return pytree__of_bf16(half);
    case PYTREE_F32: memcpy(&single, at, sizeof single); return (double)single;
    default: memcpy(&value, at, sizeof value); return value;
    }
}

void pytree__convert(pytree_dtype to_dtype, void *to, pytree_dtype from_dtype, const void *from, size_t n)
{
    const size_t size = from_dtype == PYTREE_F64 ? 8 : from_dtype == PYTREE_F32 ? 4 : 2;
    const char *at = (const char *)from;
    size_t i;
    for (i = 0; i < n; i++, at += size) {
        double v = pytree__widen(from_dtype, at);
        switch (to_dtype) {
        case PYTREE_F16: ((pytree_f16 *)to)[i].bits = pytree__to_half(v, 10); break;
        case PYTREE_BF16: ((pytree_bf16 *)to)[i].bits = pytree__to_half(v, 7); break;
        case PYTREE_F32: ((float *)to)[i] = (float)v; break;
        default: ((double *)to)[i] = v; break;
        }
    }
}

#ifdef __cplusplus
}
#endif
#endif
