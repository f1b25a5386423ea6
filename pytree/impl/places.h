/* pytree/impl/places.h: the places of a treedef, in the order of a state: children by key. */
#ifndef PYTREE_IMPL_PLACES_H
#define PYTREE_IMPL_PLACES_H

#include "internal.h"
#include "../state.h"
#include "diff.h"                         /* flats */
#include "filter.h"

/* A child of an open node, as it will be visited. */
struct pytree__place_child {
    pytree_entry key;
    const pytree_type *role;              /* of the row that holds it, or of a node above */
    size_t node, leaf_end;                /* of the treedef; one past its last leaf */
};

/* A visit of all places. With `deep` it goes on into values with a role, and each of their leaves is a place with that role. */
struct pytree__places {
    const pytree_def *def;
    bool deep;
    struct pytree__vector children, frames, path;              /* of pytree__place_child; of size_t: next child; of entries */
    pytree_place at;
    size_t node, leaf_end;                /* of the current place */
    size_t variable;                      /* the variable that holds it; SIZE_MAX: a row with a role does, or nothing */
    pytree__td_orders orders;             /* of the treedef's dicts, for copies of subtrees */
    const pytree_options *opt;
    bool begun;
    pytree_status status;
    pytree_error *err;
};

static void pytree__places_begin(struct pytree__places *p, const pytree_def *def, bool deep, const pytree_options *opt,
                                 pytree_error *err)
{
    const pytree_allocator *a = pytree__allocator(opt);
    memset(p, 0, sizeof *p);
    p->def = def;
    p->deep = deep;
    p->opt = opt;
    p->err = err;
    if (!pytree__td_orders_begin(&p->orders, def, opt, err)) { p->status = PYTREE_NO_MEMORY; }
    p->children = pytree__vector_of(sizeof(struct pytree__place_child), a);
    p->frames = pytree__vector_of(2 * sizeof(size_t), a);
    p->path = pytree__vector_of(sizeof(pytree_entry), a);
}

static void pytree__places_end(struct pytree__places *p)
{
    pytree__vector_free(&p->children);
    pytree__vector_free(&p->frames);
    pytree__vector_free(&p->path);
    pytree__td_orders_end(&p->orders, p->opt);
}

/* Compare keys: numbers come before names. */
static int pytree__key_compare(const pytree_entry *a, const pytree_entry *b)
{
    if (a->name == NULL || b->name == NULL) {
        const int64_t x = (int64_t)a->index, y = (int64_t)b->index;
        if (a->name != b->name) { return a->name == NULL ? -1 : 1; }
        return x < y ? -1 : x > y;
    }
    return a->name == b->name ? 0 : strcmp(a->name, b->name);
}

static int pytree__by_place_key(const void *a, const void *b)
{
    return pytree__key_compare(&((const struct pytree__place_child *)a)->key, &((const struct pytree__place_child *)b)->key);
}

/* Sort children; most are few, or sorted already. */
static void pytree__sort_children(struct pytree__place_child *child, size_t n)
{
    size_t i, k;
    for (i = 1; i < n && pytree__by_place_key(&child[i - 1], &child[i]) <= 0; i++) {}
    if (i >= n) { return; }
    if (n > 32) { qsort(child, n, sizeof *child, pytree__by_place_key); return; }
    for (; i < n; i++) {
        const struct pytree__place_child moved = child[i];
        for (k = i; k != 0 && pytree__by_place_key(&child[k - 1], &moved) > 0; k--) { child[k] = child[k - 1]; }
        child[k] = moved;
    }
}

/* Note the children of a node, sorted by key. */
static bool pytree__places_open(struct pytree__places *p, size_t node, size_t leaf_end, const pytree_type *role)
{
    const pytree_node *n = &p->def->nodes[node];
    const size_t first = p->children.count;
    const pytree_field *row = n->type->kind == PYTREE_KIND_STRUCT ? pytree__origin(n->type)->fields : NULL;
    const unsigned char *key = pytree__first_key(p->def, node);
    struct pytree__place_child *child = (struct pytree__place_child *)pytree__vector_add(&p->children, n->arity, p->err);
    size_t *frame = child == NULL ? NULL : (size_t *)pytree__vector_add(&p->frames, 1, p->err);
    size_t i, at = node - 1;
    if (frame == NULL || pytree__vector_add(&p->path, 1, p->err) == NULL) { p->status = PYTREE_NO_MEMORY; return false; }
    frame[0] = first;
    frame[1] = first;
    for (i = 0; i < n->arity; i++) {
        child[i].role = role;
        key = pytree__next_key(n, key, i, &child[i].key);
        if (row != NULL) {
            while (row->row != PYTREE_ROW_DATA) { row++; }
            child[i].key.name = row->name;
            if (role == NULL) { child[i].role = row->role; }
            row++;
        }
        child[i].key.kind = child[i].key.name != NULL ? PYTREE_ATTRIBUTE : PYTREE_INDEX;
        if (child[i].key.name != NULL) { child[i].key.index = SIZE_MAX; }      /* pytree_get takes it for a key, too */
    }
    for (i = n->arity; i-- != 0; ) {
        child[i].node = at;
        child[i].leaf_end = leaf_end;
        leaf_end -= p->def->nodes[at].leaves;
        at -= p->def->nodes[at].nodes;
    }
    pytree__sort_children(child, n->arity);
    return true;
}

/* Take a value: it is a place, or it is opened, or it holds nothing and is left out. Returns whether it is a place. */
static bool pytree__places_take(struct pytree__places *p, size_t node, size_t leaf_end, const pytree_type *role)
{
    const pytree_node *n = &p->def->nodes[node];
    p->variable = SIZE_MAX;
    if (n->type != NULL && n->type->custom == &pytree_variable_node) {
        if (role == NULL) {
            role = n->type;
            p->variable = node;
        }
        n = &p->def->nodes[--node];
    }
    if (n->type != NULL && n->arity == 0) { return false; }    /* None, and what holds nothing */
    if (n->type != NULL && (role == NULL || p->deep)) { (void)pytree__places_open(p, node, leaf_end, role); return false; }
    p->at.path.n = p->path.count;
    p->at.path.entries = (const pytree_entry *)p->path.data;
    p->at.role = role;
    p->at.type = n->type;
    p->node = node;
    p->leaf_end = leaf_end;
    return true;
}

/* Go to the next place. Returns false at the end, or if memory runs out: see p->status. */
static bool pytree__places_next(struct pytree__places *p)
{
    if (!p->begun) {
        p->begun = true;
        if (p->status == PYTREE_OK && pytree__places_take(p, p->def->n_nodes - 1, p->def->n_leaves, NULL)) { return true; }
    }
    while (p->status == PYTREE_OK && p->frames.count != 0) {
        size_t *frame = (size_t *)p->frames.data + 2 * (p->frames.count - 1);
        struct pytree__place_child child;
        const size_t end = p->children.count;
        if (frame[0] == end) {
            p->children.count = frame[1];
            p->frames.count--;
            p->path.count--;
            continue;
        }
        child = ((const struct pytree__place_child *)p->children.data)[frame[0]++];
        ((pytree_entry *)p->path.data)[p->path.count - 1] = child.key;
        if (pytree__places_take(p, child.node, child.leaf_end, child.role)) { return true; }
    }
    return false;
}

#include "state_builder.h"
#endif
