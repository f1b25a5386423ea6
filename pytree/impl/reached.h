/* pytree/impl/reached.h: values by address, type and form: which were reached before. */
#ifndef PYTREE_IMPL_REACHED_H
#define PYTREE_IMPL_REACHED_H

#include "internal.h"

static size_t pytree__reached_slot(const struct pytree__reached_set *a, const void *data)
{
    return (size_t)pytree__mix(0, (uint64_t)(uintptr_t)data) & (a->max - 1);
}

/* Doubles the table. Returns false if memory runs out. */
static PYTREE__APART_CLANG bool pytree__reached_grow(struct pytree__reached_set *a)
{
    struct pytree__reached_set grown = *a;
    size_t i, k;
    grown.max = a->max == 0 ? 64 : 2 * a->max;
    grown.at = (struct pytree__reached *)pytree__array_new(grown.max, sizeof *grown.at, a->allocator, NULL);
    if (grown.at == NULL) { return false; }
    for (i = 0; i < grown.max; i++) { grown.at[i].data = NULL; }
    for (k = 0; k < a->max; k++) {
        if (a->at[k].data == NULL) { continue; }
        for (i = pytree__reached_slot(&grown, a->at[k].data); grown.at[i].data != NULL; i = (i + 1) & (grown.max - 1)) {}
        grown.at[i] = a->at[k];
    }
    pytree__reached_free(a);
    *a = grown;
    return true;
}

/* Finds a value, or adds it: then *is_new is set, and its `number` is 0. Types count: a struct and its first member begin at
 * one address. Returns NULL if memory runs out; otherwise an entry that is valid until the next one is added. */
static PYTREE__APART_CLANG struct pytree__reached *pytree__reach(struct pytree__reached_set *a, const pytree_leaf *v,
                                                                 bool *is_new)
{
    const pytree_type *const type = pytree__node_type(v);
    struct pytree__reached *at;
    size_t i;
    if (2 * (a->n + 1) > a->max && !pytree__reached_grow(a)) { return NULL; }
    for (i = pytree__reached_slot(a, v->data); a->at[i].data != NULL; i = (i + 1) & (a->max - 1)) {
        at = &a->at[i];
        if (at->data != v->data || at->form != v->form) { continue; }
        if (at->type == type || pytree_type_equal(at->type, type)) { return at; }
    }
    at = &a->at[i];
    at->data = v->data;
    at->type = type;
    at->form = v->form;
    at->number = 0;
    a->n++;
    *is_new = true;
    return at;
}

static void pytree__reached_free(struct pytree__reached_set *a)
{
    pytree__array_free(a->at, a->max, sizeof *a->at, a->allocator);
    a->at = NULL;
    a->n = a->max = 0;
}
#endif
