/* pytree/impl/places.h: the places of a treedef, in the order of a state: children by key. */
#ifndef PYTREE_IMPL_PLACES_H
#define PYTREE_IMPL_PLACES_H

#include "internal.h"
#include "../state.h"
#include "diff.h"                         /* flats */
#include "filter.h"
#include "graph_walk.h"

/* A child of an open node, as it will be visited. */
struct pytree__place_child {
    pytree_entry key;
    const pytree_type *role;              /* of the row that holds it, or of a node above */
    size_t node, leaf_end;                /* of the treedef; one past its last leaf */
};

/* An open node: its next child and its first one among those; where it is in the treedef, and one past its last leaf. */
struct pytree__place_frame { size_t next, first, node, leaf_end; bool noted; };

/* A DATA row of a struct: which of them it is by name. The rows of a type are sorted once for a visit. */
struct pytree__place_row { const pytree_field *row; size_t to; };
struct pytree__place_rows { const pytree_type *type; size_t first; };

struct pytree__places;

/* Who is told when a visit comes to a node that it opens, and when it leaves one that `enter` noted. */
struct pytree__places_watch {
    int (*enter)(struct pytree__places *p, size_t node, size_t leaf_end);
    void (*leave)(struct pytree__places *p);
    void *context;
};
enum { PYTREE__PLACES_OPEN, PYTREE__PLACES_NOTED, PYTREE__PLACES_DONE };     /* answers of `enter` */

/* A visit of all places. With `deep` it goes on into values with a role, and each of their leaves is a place with that role. */
struct pytree__places {
    const pytree_flat *flat;              /* its leaves may be NULL: places then have no view */
    const pytree_def *def;
    bool deep, repeats;                   /* `repeats`: a variable is a place at each path that leads to it */
    bool distinct;                        /* a node in which two children have one key is an error */
    struct pytree__vector children, frames, path;              /* of pytree__place_child; pytree__place_frame; of entries */
    const struct pytree__places_watch *watch;                  /* NULL: nobody */
    struct pytree__vector rows;           /* of pytree__place_row */
    struct pytree__place_rows sorted[PYTREE__TYPE_SLOTS];      /* types whose rows are there */
    pytree_place at;
    pytree_leaf view;                     /* of a place that is a node */
    size_t kept;                          /* entries of the path that are those of the place before */
    size_t node, leaf_end;                /* of the current place */
    pytree__td_orders orders;             /* of the treedef's dicts, for copies of subtrees */
    const pytree_options *opt;
    bool begun;
    pytree_status status;
    pytree_error *err;
};

static void pytree__places_begin(struct pytree__places *p, const pytree_flat *flat, bool deep, const pytree_options *opt,
                                 pytree_error *err)
{
    const pytree_allocator *a = pytree__allocator(opt);
    memset(p, 0, sizeof *p);
    p->flat = flat;
    p->def = flat->def;
    p->deep = deep;
    p->opt = opt;
    p->err = err;
    if (!pytree__td_orders_begin(&p->orders, p->def, opt, err)) { p->status = PYTREE_NO_MEMORY; }
    p->children = pytree__vector_of(sizeof(struct pytree__place_child), a);
    p->frames = pytree__vector_of(sizeof(struct pytree__place_frame), a);
    p->path = pytree__vector_of(sizeof(pytree_entry), a);
    p->rows = pytree__vector_of(sizeof(struct pytree__place_row), a);
}

static void pytree__places_end(struct pytree__places *p)
{
    pytree__vector_free(&p->children);
    pytree__vector_free(&p->frames);
    pytree__vector_free(&p->path);
    pytree__vector_free(&p->rows);
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

/* Sort children; most are few, or sorted already. Return a key that is there twice, or NULL. */
static const pytree_entry *pytree__sort_children(struct pytree__place_child *child, size_t n)
{
    size_t i, k;
    for (i = 1; i < n && pytree__by_place_key(&child[i - 1], &child[i]) < 0; i++) {}
    if (i >= n) { return NULL; }
    if (n > 32) { qsort(child, n, sizeof *child, pytree__by_place_key); }
    for (; i < n && n <= 32; i++) {
        const struct pytree__place_child moved = child[i];
        for (k = i; k != 0 && pytree__by_place_key(&child[k - 1], &moved) > 0; k--) { child[k] = child[k - 1]; }
        child[k] = moved;
    }
    for (i = 1; i < n && pytree__by_place_key(&child[i - 1], &child[i]) != 0; i++) {}
    return i < n ? &child[i].key : NULL;
}

static int pytree__by_row_name(const void *a, const void *b)
{
    return strcmp(((const struct pytree__place_row *)a)->row->name, ((const struct pytree__place_row *)b)->row->name);
}

/* Find the slot of a type among those whose rows are sorted, or an empty one. If there is none, all begin anew. */
static struct pytree__place_rows *pytree__places_type(struct pytree__places *p, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    size_t i;
    for (i = 0; i < PYTREE__TYPE_SLOTS; i++) {
        struct pytree__place_rows *const of = &p->sorted[(slot + i) % PYTREE__TYPE_SLOTS];
        if (of->type == type || of->type == NULL) { return of; }
    }
    memset(p->sorted, 0, sizeof p->sorted);
    p->rows.count = 0;
    return &p->sorted[slot];
}

/* Return the DATA rows of a struct, in their own order; NULL if memory runs out. */
static const struct pytree__place_row *pytree__places_rows(struct pytree__places *p, const pytree_type *type)
{
    struct pytree__place_rows *const of = pytree__places_type(p, type);
    struct pytree__place_row *row;
    const pytree_field *field = type->fields;
    size_t i, n = type->n_children;
    if (of->type == type) { return (const struct pytree__place_row *)p->rows.data + of->first; }
    row = (struct pytree__place_row *)pytree__vector_add(&p->rows, 2 * n, p->err);
    if (row == NULL) { return NULL; }
    of->type = type;
    of->first = p->rows.count - 2 * n;
    for (i = 0; i < n; i++, field++) {
        while (field->row != PYTREE_ROW_DATA) { field++; }
        row[i].row = row[n + i].row = field;
        row[n + i].to = i;
    }
    qsort(row + n, n, sizeof *row, pytree__by_row_name);
    for (i = 0; i < n; i++) { row[row[n + i].to].to = i; }
    p->rows.count -= n;                   /* the sorted copy is no longer needed */
    return row;
}

/* Note the children of a struct, sorted by name. */
static bool pytree__places_open_struct(struct pytree__places *p, const pytree_type *type, struct pytree__place_child *child,
                                       size_t at, size_t leaf_end, const pytree_type *role)
{
    const struct pytree__place_row *const row = pytree__places_rows(p, type);
    size_t i;
    for (i = type->n_children; i-- != 0 && row != NULL; ) {
        struct pytree__place_child *const to = &child[row[i].to];
        to->key.kind = PYTREE_ATTRIBUTE;
        to->key.name = row[i].row->name;
        to->key.index = (pytree_key_index)-1;         /* pytree_get takes it for a key, too */
        to->role = role != NULL ? role : row[i].row->role;
        to->node = at;
        to->leaf_end = leaf_end;
        leaf_end -= p->def->nodes[at].leaves;
        at -= p->def->nodes[at].nodes;
    }
    return row != NULL;
}

/* Report that the node at the end of the path, which it does not have yet, has a key twice. */
static PYTREE__NOINLINE void pytree__places_fail_twice(struct pytree__places *p, const pytree_entry *key)
{
    char where[PYTREE_ERROR_PATH], text[100];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    pytree_path path;
    path.n = p->path.count - 1;
    path.entries = (const pytree_entry *)p->path.data;
    pytree_path_text(&path, where, sizeof where);
    pytree__put_entry(&to, key, NULL, true);
    pytree__end_text(&to, sizeof text);
    p->status = pytree_fail(p->err, PYTREE_STRUCTURE, where, "expected different keys, got %s twice", text);
}

/* Note the children of another node, sorted by key. */
static void pytree__places_open_keyed(struct pytree__places *p, size_t node, struct pytree__place_child *child,
                                      size_t leaf_end, const pytree_type *role)
{
    const pytree_node *n = &p->def->nodes[node];
    const unsigned char *key = pytree__first_key(p->def, node);
    const pytree_entry *twice;
    size_t i, at = node - 1;
    for (i = 0; i < n->arity; i++) {
        child[i].role = role;
        key = pytree__next_key(n, key, i, &child[i].key);
        child[i].key.kind = child[i].key.name != NULL ? PYTREE_ATTRIBUTE : PYTREE_INDEX;
        if (child[i].key.name != NULL) { child[i].key.index = (pytree_key_index)-1; }
    }
    for (i = n->arity; i-- != 0; ) {
        child[i].node = at;
        child[i].leaf_end = leaf_end;
        leaf_end -= p->def->nodes[at].leaves;
        at -= p->def->nodes[at].nodes;
    }
    twice = pytree__sort_children(child, n->arity);
    if (twice != NULL && p->distinct) { pytree__places_fail_twice(p, twice); }
}

/* Note the children of a node, sorted by key; unless it is told that all below it is done. It stands apart, so that what is
 * called for each place is short. */
static PYTREE__NOINLINE void pytree__places_open(struct pytree__places *p, size_t node, size_t leaf_end,
                                                 const pytree_type *role)
{
    const pytree_node *n = &p->def->nodes[node];
    const size_t first = p->children.count;
    const int told = p->watch == NULL ? PYTREE__PLACES_OPEN : p->watch->enter(p, node, leaf_end);
    struct pytree__place_child *child;
    struct pytree__place_frame *frame;
    bool good;
    if (told == PYTREE__PLACES_DONE) { return; }
    child = (struct pytree__place_child *)pytree__vector_add(&p->children, n->arity, p->err);
    frame = child == NULL ? NULL : (struct pytree__place_frame *)pytree__vector_add(&p->frames, 1, p->err);
    good = frame != NULL && pytree__vector_add(&p->path, 1, p->err) != NULL;
    if (good) {
        frame->next = frame->first = first;
        frame->node = node;
        frame->leaf_end = leaf_end;
        frame->noted = told == PYTREE__PLACES_NOTED;
    }
    if (good && n->type->kind == PYTREE_KIND_STRUCT) {
        good = pytree__places_open_struct(p, pytree__origin(n->type), child, node - 1, leaf_end, role);
    } else if (good) {
        pytree__places_open_keyed(p, node, child, leaf_end, role);
    }
    if (!good) { p->status = PYTREE_NO_MEMORY; }
}

/* Return the text of a variable's metadata, as a treedef holds it; NULL if there is none. */
static const char *pytree__metadata_text(const unsigned char *packed)
{
    const uint32_t bytes = pytree__u32(packed);
    const char *const text = (const char *)packed + sizeof bytes;
    return bytes != 0 && text[bytes - 1] == '\0' ? text : NULL;
}

/* Take a variable that stands elsewhere in the treedef. Returns whether it is one. */
static PYTREE__NOINLINE bool pytree__places_repeat(struct pytree__places *p, size_t node)
{
    const pytree_def *def = p->def;
    const size_t target = pytree__same_target(def, node);
    size_t i, leaves = 0;
    if (target >= def->n_nodes || !pytree__is_variable(def->nodes[target].type)) { return false; }
    for (i = 0; i < target; i++) { leaves += def->nodes[i].type == NULL; }
    p->node = target;
    p->leaf_end = leaves;
    p->at.path.n = p->path.count;
    p->at.path.entries = (const pytree_entry *)p->path.data;
    p->at.role = def->nodes[target].type;
    p->at.type = def->nodes[target - 1].type;
    p->at.view = NULL;
    if (p->at.type == NULL) {             /* what is visited so has leaves: see pytree_pop */
        p->at.view = &p->flat->leaves[leaves - 1];
        p->at.type = p->at.view->type;
    }
    return true;
}

/* Take a value: it is a place, or it is opened, or it holds nothing, or what stands elsewhere, and is left out. Returns whether
 * it is a place. */
static bool pytree__places_take(struct pytree__places *p, size_t node, size_t leaf_end, const pytree_type *role)
{
    const pytree_node *n = &p->def->nodes[node];
    p->at.metadata = NULL;
    if (n->type != NULL && n->type->custom == &pytree_variable_node) {
        if (role == NULL) {
            role = n->type;
            p->at.metadata = pytree__metadata_text(p->def->statics + n->meta);
        }
        n = &p->def->nodes[--node];
    }
    if (p->repeats && n->type == &pytree_same) { return pytree__places_repeat(p, node); }
    if (n->type != NULL && n->arity == 0) { return false; }    /* None, pytree_same, and what holds nothing */
    if (n->type != NULL && (role == NULL || p->deep)) { pytree__places_open(p, node, leaf_end, role); return false; }
    p->at.path.n = p->path.count;
    p->at.path.entries = (const pytree_entry *)p->path.data;
    p->at.role = role;
    p->at.type = n->type;
    p->node = node;
    p->leaf_end = leaf_end;
    if (p->flat->leaves == NULL) { return true; }
    if (n->type == NULL) {
        p->at.view = &p->flat->leaves[leaf_end - 1];
        p->at.type = p->at.view->type;
    } else {
        p->view.data = (void *)(uintptr_t)p->flat;
        p->view.type = n->type;
        p->view.form = PYTREE_FORM_FLAT;
        p->view.shape[0] = node;
        p->view.shape[1] = leaf_end - n->leaves;
        p->view.shape[2] = p->orders.at == NULL ? 0 : p->orders.at[node + 1];
        p->at.view = &p->view;
    }
    return true;
}

/* Go to the next place. Returns false at the end, or if memory runs out: see p->status. */
static bool pytree__places_next(struct pytree__places *p)
{
    p->kept = p->at.path.n;
    if (!p->begun) {
        p->begun = true;
        if (p->status == PYTREE_OK && pytree__places_take(p, p->def->n_nodes - 1, p->def->n_leaves, NULL)) { return true; }
    }
    while (p->status == PYTREE_OK && p->frames.count != 0) {
        struct pytree__place_frame *frame = (struct pytree__place_frame *)p->frames.data + (p->frames.count - 1);
        const struct pytree__place_child *child = (const struct pytree__place_child *)p->children.data + frame->next;
        if (frame->next == p->children.count) {
            p->children.count = frame->first;
            p->frames.count--;
            p->path.count--;
            if (frame->noted) { p->watch->leave(p); }
            continue;
        }
        frame->next++;
        ((pytree_entry *)p->path.data)[p->path.count - 1] = child->key;
        if (p->path.count <= p->kept) { p->kept = p->path.count - 1; }
        if (pytree__places_take(p, child->node, child->leaf_end, child->role)) { return true; }
    }
    return false;
}

/* Leave the open node of depth n, and all below it. */
static void pytree__places_leave(struct pytree__places *p, size_t n)
{
    p->children.count = ((const struct pytree__place_frame *)p->frames.data)[n].first;
    p->frames.count = p->path.count = n;
}

#include "state_builder.h"
#endif
