/* pytree/impl/checkpoint_sizes.h: sizes of a struct's arrays from the file. */
#ifndef PYTREE_IMPL_CHECKPOINT_SIZES_H
#define PYTREE_IMPL_CHECKPOINT_SIZES_H

#include "checkpoint_load.h"

/* ---- Sizes from the file ------------------------------------------------------------------------------------------- */

enum {
    PYTREE__CK_NESTED = 1000,             /* levels of structs: of a type that contains itself, the file decides how many */
    PYTREE__CK_UNKNOWN = 16,              /* unknown sizes in one struct */
    PYTREE__CK_BEYOND = 64                /* elements, for each byte of the file, of arrays that the file does not have */
};

/* A struct whose sizes are being found, and the prefix of its tensors' names. */
struct pytree__ck_site {
    const pytree_type *type;
    char *self;
    size_t parent;                        /* length of the name of the enclosing struct */
    const char *field;                    /* of the enclosing struct; NULL: the root */
    size_t index;                         /* of a list element; SIZE_MAX: not an element */
    unsigned level;
};

/* A block of templates, kept until everything is allocated. */
struct pytree__ck_block {
    struct pytree__ck_block *next;
    size_t bytes;
};

struct pytree__ck_sizer {
    const pytree_checkpoint *file;
    const pytree_allocator *allocator;
    const char *separator;
    size_t prefix;                        /* bytes */
    pytree_error *err;
    size_t *order, order_bytes;           /* tensors sorted by name; room for the sort after them */
    struct pytree__vector sites;
    struct pytree__pile name;
    pytree_leaf *views;                   /* of one struct, twice */
    size_t max_views;
    struct pytree__ck_block *blocks;
    uint64_t left;                        /* elements that arrays may still have without having them in the file */
};

static int pytree__ck_by_name(const void *context, size_t a, size_t b)
{
    const pytree_tensor *t = (const pytree_tensor *)context;
    return strcmp(t[a].name, t[b].name);
}

/* Append the name of a field (NULL: of element `index`) to the first `parent` bytes of z->name. Return the length, or
 * SIZE_MAX. */
static size_t pytree__ck_name(struct pytree__ck_sizer *z, size_t parent, const char *field, size_t index)
{
    const char *separator = parent == z->prefix ? "" : z->separator;
    char number[24];
    size_t n;
    (void)snprintf(number, sizeof number, "%zu", index);
    if (field == NULL) { field = number; }
    n = parent + strlen(separator) + strlen(field);
    /* with room for a separator after it */
    if (n + strlen(z->separator) >= z->name.room && !pytree__pile_room(&z->name, n + strlen(z->separator) + 1, z->err)) {
        return SIZE_MAX;
    }
    memcpy(z->name.text + parent, separator, strlen(separator));
    memcpy(z->name.text + n - strlen(field), field, strlen(field) + 1);
    return n;
}

/* Tell whether the file has a tensor named by the n bytes in z->name, or one below that name. */
static bool pytree__ck_there(struct pytree__ck_sizer *z, size_t n)
{
    size_t low = 0, high = z->file->n_tensors, all = n + strlen(z->separator);
    bool below;
    if (pytree_checkpoint_find(z->file, z->name.text) != NULL) { return true; }
    memcpy(z->name.text + n, z->separator, all - n + 1);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(z->file->tensors[z->order[middle]].name, z->name.text) < 0) { low = middle + 1; } else { high = middle; }
    }
    below = low < z->file->n_tensors && strncmp(z->file->tensors[z->order[low]].name, z->name.text, all) == 0;
    z->name.text[n] = '\0';
    return below;
}

/* Allocate n template elements: copies of those at `from`, or zeros. */
static char *pytree__ck_template(struct pytree__ck_sizer *z, const void *from, size_t n, size_t size)
{
    size_t head = pytree__round(sizeof(struct pytree__ck_block), 16), bytes = pytree__plus(pytree__times(n, size), head);
    struct pytree__ck_block *block = (struct pytree__ck_block *)pytree__resize(z->allocator, NULL, 0, bytes);
    if (block == NULL) { (void)pytree__no_memory(z->err, bytes); return NULL; }
    block->next = z->blocks;
    block->bytes = bytes;
    z->blocks = block;
    if (from != NULL) { memcpy((char *)block + head, from, n * size); }
    else { memset((char *)block + head, 0, n * size); }
    return (char *)block + head;
}

static bool pytree__ck_push(struct pytree__ck_sizer *z, const pytree_type *type, char *self, size_t parent, const char *field,
                            size_t index, unsigned level)
{
    struct pytree__ck_site *site;
    if (level > PYTREE__CK_NESTED) {
        (void)pytree_fail(z->err, PYTREE_OVERFLOW, NULL, "expected at most %d structs inside one another, got more in '%.100s'",
                          (int)PYTREE__CK_NESTED, z->name.text);
        return false;
    }
    site = (struct pytree__ck_site *)pytree__vector_add(&z->sites, 1, z->err);
    if (site == NULL) { return false; }
    site->type = type;
    site->self = self;
    site->parent = parent;
    site->field = field;
    site->index = index;
    site->level = level;
    return true;
}

/* A static integer that is 0, and its value from the file. */
struct pytree__ck_unknown {
    const pytree_field *row;
    uint64_t value;
};

static bool pytree__ck_is_zero(const char *at, size_t n)
{
    while (n != 0 && at[n - 1] == 0) { n--; }
    return n == 0;
}

/* Write an integer of any type. Return false if it does not fit. */
static bool pytree__ck_set(const pytree_type *type, char *at, uint64_t value)
{
    bool is_signed = type->dtype <= PYTREE_I64;
    unsigned bits = (unsigned)(8 * type->size - is_signed);
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    if (bits < 64 && value >> bits != 0) { return false; }
    memcpy(at, (const char *)&value + (low == 1 ? 0 : 8 - type->size), type->size);
    return true;
}

static size_t pytree__ck_unknowns(const struct pytree__ck_site *site, struct pytree__ck_unknown *unknown)
{
    size_t n = 0;
    unsigned i;
    for (i = 0; i < site->type->n_fields && n < PYTREE__CK_UNKNOWN; i++) {
        const pytree_field *row = &site->type->fields[i];
        if (row->row == PYTREE_ROW_STATIC && row->ndim == 0 && row->form == PYTREE__PACK_BYTES
            && row->type->dtype >= PYTREE_I8 && row->type->dtype <= PYTREE_U64
            && pytree__ck_is_zero(site->self + row->offset, row->size)) {
            unknown[n].row = row;
            unknown[n++].value = 0;
        }
    }
    return n;
}

/* Find the extents that are unknown integers by themselves. All unknowns are set, twice, to numbers of which no two have the
 * same difference both times and none is a multiple of another: an extent that equals an unknown both times is that unknown,
 * and not, say, its double or successor. No unknown is 0 meanwhile, since an extent might divide by it. */
static void pytree__ck_probe(struct pytree__ck_sizer *z, const struct pytree__ck_site *site, struct pytree__ck_unknown *unknown,
                             size_t n, bool second)
{
    static const unsigned char rising[PYTREE__CK_UNKNOWN] = { 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59 };
    static const unsigned char falling[PYTREE__CK_UNKNOWN] = { 127, 113, 109, 107, 103, 101, 97, 89,
                                                               83,  79,  73,  71,  67,  61,  59, 2 };
    size_t i;
    for (i = 0; i < n; i++) {
        unknown[i].value = second ? falling[i] : rising[i];
        (void)pytree__ck_set(unknown[i].row->type, site->self + unknown[i].row->offset, unknown[i].value);
    }
    (void)pytree__child_views(site->type, site->self, z->views + (second ? site->type->n_children : 0));
}

static bool pytree__ck_learn(struct pytree__ck_sizer *z, const struct pytree__ck_site *site, size_t name,
                             struct pytree__ck_unknown *unknown, size_t n)
{
    uint64_t first[PYTREE__CK_UNKNOWN], second[PYTREE__CK_UNKNOWN];
    const pytree_leaf *a = z->views, *b = z->views + site->type->n_children;
    size_t i, k;
    unsigned f;
    pytree__ck_probe(z, site, unknown, n, false);
    for (i = 0; i < n; i++) { first[i] = unknown[i].value; }
    pytree__ck_probe(z, site, unknown, n, true);
    for (i = 0; i < n; i++) {
        second[i] = unknown[i].value;
        unknown[i].value = 0;
    }
    for (f = 0, k = 0; f < site->type->n_fields; f++) {
        const pytree_field *row = &site->type->fields[f];
        const pytree_tensor *t = NULL;
        size_t there, d;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        k++;
        if (row->place != PYTREE_POINTER || (row->form != PYTREE_FORM_LEAF && row->form != PYTREE_FORM_LIST)) { continue; }
        there = pytree__ck_name(z, name, row->name, 0);
        if (there == SIZE_MAX) { return false; }
        if (row->form == PYTREE_FORM_LEAF) { t = pytree_checkpoint_find(z->file, z->name.text); }
        for (d = 0; d < (row->form == PYTREE_FORM_LIST ? 1 : (size_t)a[k - 1].ndim); d++) {
            for (i = 0; i < n && (a[k - 1].shape[d] != first[i] || b[k - 1].shape[d] != second[i]); i++) {}
            if (i == n || unknown[i].value != 0) { continue; }
            if (t != NULL && t->ndim == (size_t)a[k - 1].ndim) { unknown[i].value = t->shape[d]; }
            if (row->form == PYTREE_FORM_LIST) {
                for (;; unknown[i].value++) {
                    const size_t length = pytree__ck_name(z, there, NULL, (size_t)unknown[i].value);
                    if (length == SIZE_MAX) { return false; }
                    if (!pytree__ck_there(z, length)) { break; }
                }
            }
        }
    }
    return true;
}

/* Mark the OPTIONAL pointers that the file has tensors for. */
static bool pytree__ck_wish(struct pytree__ck_sizer *z, const struct pytree__ck_site *site, size_t name)
{
    void *wanted = PYTREE_WANTED;
    unsigned f;
    for (f = 0; f < site->type->n_fields; f++) {
        const pytree_field *row = &site->type->fields[f];
        size_t there;
        if (row->row != PYTREE_ROW_DATA || row->place != PYTREE_POINTER || !row->optional
            || !pytree__ck_is_zero(site->self + row->offset, sizeof(void *))) {
            continue;
        }
        there = pytree__ck_name(z, name, row->name, 0);
        if (there == SIZE_MAX) { return false; }
        if (pytree__ck_there(z, there)) { memcpy(site->self + row->offset, &wanted, sizeof wanted); }
    }
    return true;
}

/* Bound what the file makes the caller allocate. A file of a few bytes may state any extent, of a tensor without elements, and
 * that extent may be one of another array, too. An extent that is the same in the second probe does not come from the file. */
static bool pytree__ck_bound(struct pytree__ck_sizer *z, const struct pytree__ck_site *site, size_t name)
{
    const pytree_leaf *view = z->views, *probe = z->views + site->type->n_children;
    unsigned f;
    for (f = 0; f < site->type->n_fields; f++) {
        const pytree_field *row = &site->type->fields[f];
        const pytree_tensor *t;
        uint64_t n, there = 0;
        int d, ndim;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        ndim = row->form == PYTREE_FORM_LIST ? 1 : view->ndim;
        for (d = 0; d < ndim && view->shape[d] == probe->shape[d]; d++) {}
        n = row->form == PYTREE_FORM_LIST ? view->shape[0] : pytree_leaf_count(view);
        view++;
        probe++;
        if (row->place != PYTREE_POINTER || (row->form != PYTREE_FORM_LEAF && row->form != PYTREE_FORM_LIST) || d == ndim) {
            continue;
        }
        (void)pytree__ck_name(z, name, row->name, 0);          /* pytree__ck_learn has made room for it */
        t = pytree_checkpoint_find(z->file, z->name.text);
        if (t != NULL && t->strides != NULL) { t = NULL; }     /* it may repeat what the file has once */
        for (d = 0; t != NULL && d < (int)t->ndim; d++) { there = d == 0 ? t->shape[0] : there * t->shape[d]; }
        if (n > there && n - there > z->left) {
            (void)pytree_fail(z->err, PYTREE_OVERFLOW, NULL, "expected an array that the file can hold, got %llu elements for "
                              "'%.100s', of which the file has %llu", (unsigned long long)n, z->name.text,
                              (unsigned long long)there);
            return false;
        }
        z->left -= n > there ? n - there : 0;
    }
    return true;
}

/* Push the structs below this one: in place, or as templates. */
static bool pytree__ck_descend(struct pytree__ck_sizer *z, const struct pytree__ck_site *site, size_t name)
{
    unsigned f;
    size_t k = 0, i;
    for (f = 0; f < site->type->n_fields; f++) {
        const pytree_field *row = &site->type->fields[f];
        char *at = site->self + row->offset, *to;
        void *p;
        size_t n = 1, size;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        k++;
        if (row->place == PYTREE_STB || row->type->kind != PYTREE_KIND_STRUCT) { continue; }
        size = row->type->size;
        if (row->form == PYTREE_FORM_LIST) { n = z->views[k - 1].shape[0]; }
        if (row->form == PYTREE_FORM_TUPLE) { n = row->inner == 0 ? 0 : row->size / row->inner; }
        to = at;
        if (row->place == PYTREE_POINTER) {
            memcpy(&p, at, sizeof p);
            if ((p == NULL && row->optional) || n == 0) { continue; }
            to = pytree__ck_template(z, p == PYTREE_WANTED ? NULL : p, n, size);
            if (to == NULL) { return false; }
            memcpy(at, &to, sizeof to);
        } else if (row->form == PYTREE_FORM_TUPLE) {
            size = row->inner;
        }
        for (i = 0; i < n; i++) {
            if (!pytree__ck_push(z, row->type, to + i * size, name, row->name, row->form == PYTREE_FORM_STRUCT ? SIZE_MAX : i,
                                 site->level + 1)) {
                return false;
            }
        }
    }
    return true;
}

static bool pytree__ck_size_one(struct pytree__ck_sizer *z, struct pytree__ck_site site)
{
    struct pytree__ck_unknown unknown[PYTREE__CK_UNKNOWN];
    size_t name = z->prefix, views, n, i;
    void *grown;
    if (site.field != NULL) { name = pytree__ck_name(z, site.parent, site.field, 0); }
    if (name == SIZE_MAX) { return false; }
    if (site.index != SIZE_MAX) { name = pytree__ck_name(z, name, NULL, site.index); }
    if (name == SIZE_MAX) { return false; }
    if (site.type->n_children == 0) { return true; }
    views = 2 * (size_t)site.type->n_children;
    grown = pytree__array_grow(z->views, &z->max_views, views, sizeof *z->views, z->allocator, z->err);
    if (grown == NULL) { return false; }
    z->views = (pytree_leaf *)grown;
    memset(z->views, 0, views * sizeof *z->views);
    n = pytree__ck_unknowns(&site, unknown);
    if (!pytree__ck_wish(z, &site, name) || !pytree__ck_learn(z, &site, name, unknown, n)) { return false; }
    for (i = 0; i < n; i++) {
        if (!pytree__ck_set(unknown[i].row->type, site.self + unknown[i].row->offset, unknown[i].value)) {
            (void)pytree__ck_name(z, name, unknown[i].row->name, 0);
            (void)pytree_fail(z->err, PYTREE_OVERFLOW, NULL, "expected a size that fits the %s '%.100s', got %llu",
                              unknown[i].row->type->name, z->name.text, (unsigned long long)unknown[i].value);
            return false;
        }
    }
    (void)pytree__child_views(site.type, site.self, z->views);
    return (n == 0 || pytree__ck_bound(z, &site, name)) && pytree__ck_descend(z, &site, name);
}

static bool pytree__ck_size_all(struct pytree__ck_sizer *z, pytree t, const char *prefix)
{
    size_t n = z->file->n_tensors, i;
    z->order_bytes = pytree__plus(pytree__times(n, 2 * sizeof *z->order), 1);
    z->order = (size_t *)pytree__resize(z->allocator, NULL, 0, z->order_bytes);
    if (z->order == NULL) { (void)pytree__no_memory(z->err, z->order_bytes); return false; }
    for (i = 0; i < n; i++) { z->order[i] = i; }
    pytree__sort_numbers(z->order, n, pytree__ck_by_name, z->file->tensors);
    if (!pytree__pile_room(&z->name, z->prefix + 64, z->err)) { return false; }
    memcpy(z->name.text, prefix, z->prefix + 1);
    if (!pytree__ck_push(z, pytree__origin(t.type), (char *)t.data, 0, NULL, SIZE_MAX, 1)) { return false; }
    while (z->sites.count != 0) { /* last in, first out: z->name still begins with the parent's name */
        if (!pytree__ck_size_one(z, ((struct pytree__ck_site *)z->sites.data)[--z->sites.count])) { return false; }
    }
    return true;
}

static void pytree__ck_sizer_end(struct pytree__ck_sizer *z)
{
    while (z->blocks != NULL) {
        struct pytree__ck_block *block = z->blocks;
        z->blocks = block->next;
        (void)pytree__resize(z->allocator, block, block->bytes, 0);
    }
    pytree__array_free(z->views, z->max_views, sizeof *z->views, z->allocator);
    if (z->name.text != NULL) { (void)pytree__resize(z->allocator, z->name.text, z->name.room, 0); }
    if (z->order != NULL) { (void)pytree__resize(z->allocator, z->order, z->order_bytes, 0); }
    pytree__vector_free(&z->sites);
}

static void pytree__ck_allocate(const pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                pytree_error *err)
{
    struct pytree__ck_sizer z;
    const char *prefix = opt->prefix == NULL ? "" : opt->prefix;
    size_t size = pytree__origin(t.type)->size, i;
    char *before = (char *)pytree__resize(opt->tree.allocator, NULL, 0, size);
    if (before == NULL) { (void)pytree__no_memory(err, size); return; }
    memcpy(before, t.data, size);
    memset(&z, 0, sizeof z);
    z.file = file;
    z.allocator = z.name.allocator = opt->tree.allocator;
    z.separator = opt->separator == NULL ? "." : opt->separator;
    z.prefix = strlen(prefix);
    z.err = err;
    for (i = 0; i < file->n_files; i++) { z.left += PYTREE__CK_BEYOND * pytree__ck_of(file)->files[i].file.size; }
    z.sites = pytree__vector_of(sizeof(struct pytree__ck_site), z.allocator);
    if (!pytree__ck_size_all(&z, t, prefix) || pytree_allocate(t, &opt->tree, err) != PYTREE_OK) {
        memcpy(t.data, before, size);
    }
    pytree__ck_sizer_end(&z);
    (void)pytree__resize(opt->tree.allocator, before, size, 0);
}

pytree_status pytree_checkpoint_allocate(const pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                         pytree_error *err)
{
    pytree_checkpoint_options none;
    pytree_error own;
    memset(&own, 0, sizeof own);
    opt = pytree__ck_options(opt, &none);
    if (t.type == NULL || t.type->kind != PYTREE_KIND_STRUCT || t.data == NULL || opt->rename != NULL || opt->n_renames != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct, and names without renaming, to allocate for, got %s",
                           t.type == NULL ? "nothing" : t.data == NULL ? "NULL" : t.type->name);
    }
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    pytree__ck_allocate(file, t, opt, &own);
    return pytree__ck_pass_on(&own, err);
}

pytree_status pytree__ck_allocate_path(pytree__ck_open_fn *open, const char *path, pytree t,
                                       const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_error own;
    pytree_checkpoint *file;
    memset(&own, 0, sizeof own);
    file = open(path, opt, &own);
    if (file != NULL) { (void)pytree_checkpoint_allocate(file, t, opt, &own); }
    pytree_checkpoint_close(file);
    return pytree__ck_pass_on(&own, err);
}

#endif
