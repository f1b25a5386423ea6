/* npz_shared.h: shared by test_npz.c and test_npz_trees.c. */
#ifndef NPZ_SHARED_H
#define NPZ_SHARED_H

#include "support.h"

#include "golden_files.h"
#include "pytree/npz.h"

/* ---- What the tests say ------------------------------------------------------------------------------------------------ */

/* A file in memory and options that lead to it. It must stay where it is. */
typedef struct Archive {
    pytree_memory file;
    pytree_io io;
    pytree_checkpoint_options opt;
} Archive;

static inline void archive_init(Archive *p, const void *bytes, size_t size, const pytree_allocator *allocator)
{
    memset(p, 0, sizeof *p);
    p->file.bytes = bytes;
    p->file.size = size;
    p->file.allocator = allocator;
    p->io = pytree_memory_io(&p->file);
    p->opt.io = &p->io;
    p->opt.tree.allocator = allocator;
}

/* The array of a name among those that were read; NULL: there is none. */
static inline const pytree_leaf *array_of(pytree arrays, const char *name)
{
    const pytree_items *items = arrays.data;
    size_t i;
    for (i = 0; i < items->count; i++) {
        if (strcmp(items->pairs[i].key, name) == 0) { return items->pairs[i].value.data; }
    }
    return NULL;
}

/* Room for names, pairs and views of a dict that a test makes. */
typedef struct Dict {
    pytree_items items;
    pytree_pair *pairs;
    pytree_leaf *leaves;
    char (*names)[32];
    double *numbers;
} Dict;

/* n scalars: n0, n1, … with values 0.5, 1.5, … */
static inline pytree dict_begin(Dict *d, size_t n)
{
    pytree t;
    size_t i;
    d->pairs = calloc(n + 1, sizeof *d->pairs);
    d->leaves = calloc(n + 1, sizeof *d->leaves);
    d->names = calloc(n + 1, sizeof *d->names);
    d->numbers = calloc(n + 1, sizeof *d->numbers);
    assert_true(d->pairs != NULL && d->leaves != NULL && d->names != NULL && d->numbers != NULL);
    for (i = 0; i < n; i++) {
        snprintf(d->names[i], sizeof d->names[i], "n%lu", (unsigned long)i);
        d->numbers[i] = (double)i + 0.5;
        d->leaves[i].data = &d->numbers[i];
        d->leaves[i].type = PYTREE_TYPE(double);
        d->pairs[i].key = d->names[i];
        d->pairs[i].value = pytree_of_view(&d->leaves[i]);
    }
    memset(&d->items, 0, sizeof d->items);
    d->items.count = n;
    d->items.pairs = d->pairs;
    t.type = &pytree_types[PYTREE__T_dict];
    t.data = &d->items;
    return t;
}

static inline void dict_end(Dict *d)
{
    free(d->pairs);
    free(d->leaves);
    free(d->names);
    free(d->numbers);
}

/* ---- Failing systems --------------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 3000 };

#endif
