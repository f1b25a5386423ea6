/* pytree/impl/object_level.h: levels and seals. */
#ifndef PYTREE_IMPL_OBJECT_LEVEL_H
#define PYTREE_IMPL_OBJECT_LEVEL_H

#include "object_variable.h"

void pytree_level_enter(pytree_level *level)
{
    if (level != NULL) { level->depth++; }
}

void pytree_level_leave(pytree_level *level)
{
    if (level != NULL && level->depth != 0) { level->depth--; }
}

/* ---- Seals --------------------------------------------------------------------------------------------------------- */

struct pytree_seal {
    pytree_def *def;                      /* its leaves and their hashes are beside it */
    pytree_leaf *leaves;
    uint64_t *hashes;
    const pytree_allocator *allocator;
};

static uint64_t pytree__seal_bytes(uint64_t h, const unsigned char *p, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { h = (h ^ p[i]) * UINT64_C(0x100000001B3); }
    return h;
}

/* Hash type, shape and elements of a leaf; of strings the characters. */
static uint64_t pytree__seal_hash(const pytree_leaf *leaf)
{
    const size_t n = pytree_leaf_count(leaf);
    uint64_t h = UINT64_C(0xCBF29CE484222325) ^ (uint64_t)leaf->type->dtype;
    size_t i;
    h = pytree__seal_bytes(h, (const unsigned char *)leaf->shape, (size_t)leaf->ndim * sizeof leaf->shape[0]);
    if (leaf->type->dtype != PYTREE_STRING) {
        return pytree__seal_bytes(h, (const unsigned char *)leaf->data, pytree_leaf_bytes(leaf));
    }
    for (i = 0; i < n; i++) {
        const char *s = ((const char *const *)leaf->data)[i];
        h = pytree__seal_bytes(h + (s != NULL), (const unsigned char *)s, s == NULL ? 0 : strlen(s) + 1);
    }
    return h;
}

pytree_seal *pytree_seal_new(pytree t, const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *a = pytree__allocator(opt);
    pytree_seal *seal = (pytree_seal *)pytree__array_new(1, sizeof *seal, a, err);
    size_t i;
    if (seal == NULL) { return NULL; }
    memset(seal, 0, sizeof *seal);
    seal->allocator = a;
    if (pytree_flatten(t, &seal->leaves, 0, &seal->def, opt, err) == PYTREE_OK) {
        seal->hashes = (uint64_t *)pytree__array_new(seal->def->n_leaves, sizeof *seal->hashes, a, err);
    }
    if (seal->hashes == NULL) { pytree_seal_free(seal); return NULL; }
    for (i = 0; i < seal->def->n_leaves; i++) { seal->hashes[i] = pytree__seal_hash(&seal->leaves[i]); }
    return seal;
}

pytree_status pytree_seal_check(const pytree_seal *seal, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_status status;
    size_t i, n;
    char path[PYTREE_ERROR_PATH];
    if (seal == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a seal, got NULL"); }
    status = pytree_flatten(t, &leaves, 0, &def, opt, err);
    if (status != PYTREE_OK) { return status; }
    if (!pytree_def_equal(seal->def, def)) {
        status = pytree_fail(err, PYTREE_FROZEN, NULL, "expected the structure that was sealed, got another one");
    }
    n = seal->def->n_leaves;
    for (i = 0; status == PYTREE_OK && i < n && pytree__seal_hash(&leaves[i]) == seal->hashes[i]; i++) {}
    if (status == PYTREE_OK && i < n) {
        char leaf[80];
        pytree__node_path(def, pytree__node_of_leaf(def, i), path, sizeof path);
        pytree__leaf_text(leaf, sizeof leaf, &leaves[i]);
        status = pytree_fail(err, PYTREE_FROZEN, path, "expected the %s that was sealed, got other values", leaf);
    }
    pytree_def_free(def);
    return status;
}

void pytree_seal_free(pytree_seal *seal)
{
    if (seal == NULL) { return; }
    pytree__array_free(seal->hashes, seal->def == NULL ? 0 : seal->def->n_leaves, sizeof *seal->hashes, seal->allocator);
    pytree_def_free(seal->def);
    pytree__array_free(seal, 1, sizeof *seal, seal->allocator);
}
#endif
