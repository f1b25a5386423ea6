/* pytree/impl/build_same.h: building trees in which several pointers lead to one value.
 *
 * Nodes are built from the last to the first, so a pytree_same comes before what it stands for, unless that is an ancestor.
 * Both are noted when their place is known, and connected when everything is in its place.
 */
#ifndef PYTREE_IMPL_BUILD_SAME_H
#define PYTREE_IMPL_BUILD_SAME_H

#include "internal.h"

static size_t pytree__same_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return 0;
}

static size_t pytree__same_metadata(const void *self, void *to)
{
    if (to != NULL) { memcpy(to, self, sizeof(int32_t)); }
    return sizeof(int32_t);
}

/* Returns how many nodes back the other one is. */
static PYTREE__APART_CLANG int64_t pytree__same_distance(const unsigned char *metadata)
{
    const uint64_t back = pytree__number_at(metadata, sizeof(int32_t));
    return (int64_t)back - (back > INT32_MAX ? INT64_C(4294967296) : 0);
}

static size_t pytree__same_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    if (bytes == sizeof(int32_t)) { pytree__put_integer(&to, pytree__same_distance((const unsigned char *)metadata)); }
    return pytree__end_text(&to, n);
}

static const pytree_custom pytree__same_node_type = {
    pytree__same_children, false, pytree__same_metadata, pytree__same_print, NULL, NULL, NULL, NULL, NULL
};

/* Its size is that of a view, which is made where a container shares an array. */
const pytree_type pytree_same = {
    "Same", sizeof(pytree_leaf), sizeof(void *), PYTREE_KIND_CUSTOM, PYTREE_NO_DTYPE, 0, 0, false, false, false, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, &pytree__same_node_type, NULL, NULL, NULL, NULL
    PYTREE__NOTED_AT(NULL)
};

/* ---- Note places --------------------------------------------------------------------------------------------------- */

/* Finds the node that a pytree_same stands for. Returns SIZE_MAX if there is none. */
static PYTREE__APART_CLANG size_t pytree__same_target(const pytree_def *def, size_t node)
{
    const unsigned char *const packed = def->statics + def->nodes[node].meta;
    const pytree_type *type;
    int64_t at;
    if (def->nodes[node].arity != 0 || pytree__u32(packed) != sizeof(int32_t)) { return SIZE_MAX; }
    at = (int64_t)node - pytree__same_distance(packed + sizeof(uint32_t));
    if (at < 0 || (uint64_t)at >= def->n_nodes) { return SIZE_MAX; }
    type = def->nodes[at].type;
    return type != NULL && (type == &pytree_same || type->kind == PYTREE_KIND_NONE) ? SIZE_MAX : (size_t)at;
}

static int pytree__by_node(const void *a, const void *b)
{
    const uint32_t x = ((const struct pytree__build_link *)a)->node, y = ((const struct pytree__build_link *)b)->node;
    return x < y ? -1 : x > y;
}

/* Lists the nodes pytree_same of a treedef, and what they stand for. */
static PYTREE__APART pytree_status pytree__links_begin(struct pytree__builder *b, struct pytree__build_links *l)
{
    const pytree_def *const def = b->def;
    const pytree_allocator *const a = pytree__allocator(b->opt);
    size_t i, n = 0;
    memset(l, 0, sizeof *l);
    for (i = 0; i < def->n_nodes; i++) { n += def->nodes[i].type == &pytree_same; }
    if (n == 0) { return PYTREE_OK; }
    l->sames = (struct pytree__build_link *)pytree__array_new(n, 2 * sizeof *l->sames, a, b->err);
    if (l->sames == NULL) { return PYTREE_NO_MEMORY; }
    l->values = l->sames + n;
    l->n = n;
    b->links = l;
    memset(l->sames, 0, 2 * n * sizeof *l->sames);
    for (i = n = 0; i < def->n_nodes; i++) {
        size_t target;
        if (def->nodes[i].type != &pytree_same) { continue; }
        target = pytree__same_target(def, i);
        if (target == SIZE_MAX) {
            pytree__build_fail_node(b, i, "a pytree_same that leads to a value of this treedef");
            return b->status;
        }
        l->sames[n].node = (uint32_t)i;
        l->sames[n].of = target;
        l->values[n++].node = (uint32_t)target;
    }
    qsort(l->values, n, sizeof *l->values, pytree__by_node);
    for (i = 0; i < n; i++) {
        if (l->n_values != 0 && l->values[l->n_values - 1].node == l->values[i].node) { continue; }
        l->values[l->n_values++] = l->values[i];
    }
    l->values_left = l->n_values;
    l->sames_left = l->n;
    return PYTREE_OK;
}

static PYTREE__APART_CLANG void pytree__links_end(struct pytree__builder *b)
{
    struct pytree__build_links *const l = b->links;
    const pytree_allocator *const a = pytree__allocator(b->opt);
    pytree__array_free(l->sames, l->n, 2 * sizeof *l->sames, a);
    pytree__array_free(l->finished, l->max_finished, sizeof *l->finished, a);
}

/* Notes where a node's value is put. Returns whether it is a pytree_same, for which nothing is to be built. What was passed
 * over since the last node, because pytree_allocate leaves it to the caller, has no place. */
static PYTREE__APART_CLANG bool pytree__link(struct pytree__builder *b, size_t node, void *at, unsigned place,
                                             const pytree_field *row)
{
    struct pytree__build_links *const l = b->links;
    const bool same = b->def->nodes[node].type == &pytree_same;
    struct pytree__build_link *link = NULL;
    while (l->values_left != 0 && l->values[l->values_left - 1].node > node) { l->values_left--; }
    if (same) {
        do { link = &l->sames[--l->sames_left]; } while (link->node != node);
    } else if (l->values_left != 0 && l->values[l->values_left - 1].node == node) {
        link = &l->values[--l->values_left];
        link->of = b->leaf;
    }
    if (link == NULL) { return false; }
    link->at = at;
    link->place = (unsigned char)place;
    if (row != NULL) {
        link->type = row->type;
        link->form = row->form;
        link->ndim = row->ndim;
    }
    return same;
}

static PYTREE__APART bool pytree__link_row(struct pytree__builder *b, size_t node, void *at, const pytree_field *row)
{
    return pytree__link(b, node, at,
                        row->form == PYTREE_FORM_REF                                          ? PYTREE__LINK_PYTREE
                        : row->form == PYTREE_FORM_VIEW                                       ? PYTREE__LINK_VIEW
                        : row->place == PYTREE_POINTER || row->place == PYTREE_STB ? PYTREE__LINK_POINTER
                                                                                              : PYTREE__LINK_VALUE,
                        row);
}

static PYTREE__APART bool pytree__link_element(struct pytree__builder *b, size_t node, char *at, const pytree_type *type)
{
    if (type->kind == PYTREE_KIND_ROW) {
        if (b->def->nodes[node].type == &pytree_same) { memset(at, 0, type->size); }
        return pytree__link_row(b, node, at, type->fields);
    }
    return pytree__link(b, node, at, type->kind == PYTREE_KIND_REF ? PYTREE__LINK_PYTREE : type->kind == PYTREE_KIND_VIEW
                        ? PYTREE__LINK_VIEW : PYTREE__LINK_VALUE, NULL);
}

/* Keeps a struct that is to be verified until its pointers are set. */
static PYTREE__APART void pytree__link_finished(struct pytree__builder *b, const struct pytree__build_frame *frame)
{
    struct pytree__build_links *const l = b->links;
    void *grown = pytree__array_grow(l->finished, &l->max_finished, l->n_finished + 1, sizeof *l->finished,
                                     pytree__allocator(b->opt), b->err);
    if (grown == NULL) { b->status = PYTREE_NO_MEMORY; return; }
    l->finished = (struct pytree__build_frame *)grown;
    l->finished[l->n_finished++] = *frame;
}

/* ---- Connect ------------------------------------------------------------------------------------------------------- */

/* Finds the value that a pytree_same, node number `node`, stands for: one of those that were listed. */
static PYTREE__APART_CLANG const struct pytree__build_link *pytree__linked(const struct pytree__builder *b, size_t node)
{
    struct pytree__build_link key;
    key.node = (uint32_t)pytree__same_target(b->def, node);
    return (const struct pytree__build_link *)bsearch(&key, b->links->values, b->links->n_values, sizeof key, pytree__by_node);
}

/* Makes a view of a value that was built. */
static PYTREE__APART_CLANG void pytree__link_view(const struct pytree__builder *b, const struct pytree__build_link *value,
                                                  pytree_leaf *view)
{
    const pytree_node *const n = &b->def->nodes[value->node];
    void *data = value->at;
    pytree t;
    if (value->place == PYTREE__LINK_VIEW) { memcpy(view, value->at, sizeof *view); return; }
    if (value->place == PYTREE__LINK_POINTER) { memcpy(&data, value->at, sizeof data); }
    if (value->place == PYTREE__LINK_PYTREE) {
        memcpy(&t, value->at, sizeof t);
        if (t.type == &pytree_types[PYTREE__T_view]) { pytree__copy_view(view, (const pytree_leaf *)t.data); return; }
        data = t.data;
    }
    if (n->type == NULL) {
        pytree__copy_view(view, &b->leaves[value->of - 1]);
        view->type = pytree__origin(view->type);
        view->data = data;
    } else if (value->type != NULL && value->form != PYTREE_FORM_STRUCT && value->place != PYTREE__LINK_PYTREE
               && !pytree__namespaced(n)) {                    /* a list, a tuple, a map */
        pytree__view(view, value->type, data);
        view->form = value->form;
        view->shape[0] = n->arity;
    } else {
        pytree__view(view, pytree__origin(n->type), data);
    }
}

/* Tells whether a pointer that is linked may lead to a value. */
static PYTREE__APART_CLANG bool pytree__link_fits(const struct pytree__build_link *link, const pytree_leaf *view)
{
    if (link->form != view->form) {       /* an opaque leaf that is a struct in the treedef's namespace */
        return link->form == PYTREE_FORM_LEAF && view->form == PYTREE_FORM_STRUCT
            && pytree__same_struct(view->type, link->type);
    }
    return (link->form != PYTREE_FORM_LEAF || link->ndim == view->ndim)
        && pytree__same_held(link->form, view->type, link->type);
}

/* Puts what a pytree_same stands for where it belongs. */
static PYTREE__APART_CLANG void pytree__connect(struct pytree__builder *b, const struct pytree__build_link *same)
{
    const struct pytree__build_link *const value = pytree__linked(b, same->node);
    pytree_leaf view;
    pytree t;
    pytree__clear(&view, sizeof view);
    if (value->at != NULL) { pytree__link_view(b, value, &view); }
    if (view.type == NULL || same->place == PYTREE__LINK_VALUE
        || (same->place == PYTREE__LINK_VIEW && view.form != PYTREE_FORM_LEAF)
        || (same->place == PYTREE__LINK_POINTER && !pytree__link_fits(same, &view))) {
        pytree__build_fail_node(b, same->node, same->type == NULL ? "a value" : same->type->name);
    } else if (same->place == PYTREE__LINK_POINTER) {
        memcpy(same->at, &view.data, sizeof view.data);
    } else if (same->place == PYTREE__LINK_VIEW) {
        memcpy(same->at, &view, sizeof view);
    } else {
        t.type = view.type;
        t.data = view.data;
        if (view.form == PYTREE_FORM_LIST || view.form == PYTREE_FORM_TUPLE || view.ndim != 0) {
            t.type = &pytree_types[PYTREE__T_view];
            t.data = pytree__bump_head(b, sizeof view);
            memcpy(t.data, &view, sizeof view);
        }
        memcpy(same->at, &t, sizeof t);
    }
}

/* Connects all that is shared, and verifies the structs, whose rows may read through those pointers. */
static PYTREE__APART void pytree__build_shares(struct pytree__builder *b)
{
    struct pytree__build_links *const l = b->links;
    size_t i;
    for (i = 0; i < l->n && b->status == PYTREE_OK; i++) {
        if (l->sames[i].at != NULL) { pytree__connect(b, &l->sames[i]); }
    }
    for (i = 0; i < l->n_finished && b->status == PYTREE_OK; i++) { pytree__build_verify(b, &l->finished[i]); }
}
#endif
