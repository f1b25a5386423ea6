/* pytree/impl/state_places.h: lists of places, and states made of them. */
#ifndef PYTREE_IMPL_STATE_PLACES_H
#define PYTREE_IMPL_STATE_PLACES_H

#include "state_update.h"

/* ---- List ---------------------------------------------------------------------------------------------------------- */

/* What a list takes, and where the next of it goes. */
struct pytree__place_room {
    size_t n, n_entries, n_views;
    pytree_place *places;                 /* NULL: only count */
    pytree_entry *entries;
    pytree_leaf *views;                   /* of places that are nodes */
};

/* Visit the places that a filter chooses, and count them or write them. Returns false on an error. */
static bool pytree__list_places(const pytree_flat *flat, const pytree_filter *filter, struct pytree__place_room *room,
                                const pytree_options *opt, pytree_error *err)
{
    struct pytree__places p;
    room->n = room->n_entries = room->n_views = 0;
    pytree__places_begin(&p, flat, false, opt, err);
    while (err->status == PYTREE_OK && pytree__places_next(&p)) {
        const bool node = p.at.view == &p.view;
        if (!pytree_filter_match(filter, &p.at, err)) { continue; }
        if (room->places != NULL) {
            pytree_place *const to = &room->places[room->n];
            *to = p.at;
            to->path.entries = room->entries + room->n_entries;
            if (p.at.path.n != 0) {       /* the root's path may have none at all */
                memcpy(room->entries + room->n_entries, p.at.path.entries, p.at.path.n * sizeof *room->entries);
            }
            if (node) {
                room->views[room->n_views] = p.view;
                to->view = &room->views[room->n_views];
            }
        }
        room->n++;
        room->n_entries += p.at.path.n;
        room->n_views += node;
    }
    pytree__places_end(&p);
    return err->status == PYTREE_OK;
}

pytree_place_list *pytree_places(pytree t, pytree_filter filter, const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *const a = pytree__allocator(opt);
    pytree_place_list *list = NULL;
    struct pytree__place_room room;
    pytree_error problem;
    pytree_flat flat;
    size_t bytes = 0;
    problem.status = PYTREE_OK;
    memset(&room, 0, sizeof room);
    flat = pytree__model_flatten(t, opt, &problem);
    if (flat.def != NULL && pytree__list_places(&flat, &filter, &room, opt, &problem)) {
        bytes = sizeof *list + room.n * sizeof *room.places + room.n_views * sizeof *room.views
            + room.n_entries * sizeof *room.entries;
        list = (pytree_place_list *)pytree__array_new(bytes, 1, a, &problem);
    }
    if (list != NULL) {
        list->flat = flat;
        list->allocator = a;
        list->bytes = bytes;
        room.places = (pytree_place *)(void *)(list + 1);
        room.views = (pytree_leaf *)(void *)(room.places + room.n);
        room.entries = (pytree_entry *)(void *)(room.views + room.n_views);
        list->places = room.places;
        if (pytree__list_places(&list->flat, &filter, &room, opt, &problem)) { list->n = room.n; return list; }
        pytree__array_free(list, bytes, 1, a);
    }
    pytree_flat_free(&flat);
    (void)pytree__alg_status(&problem, err);
    return NULL;
}

void pytree_places_free(pytree_place_list *list)
{
    if (list == NULL) { return; }
    pytree_flat_free(&list->flat);
    pytree__array_free(list, list->bytes, 1, list->allocator);
}

/* ---- A state of places --------------------------------------------------------------------------------------------- */

static int pytree__by_place_path(const void *a, const void *b)
{
    const pytree_place *const *x = (const pytree_place *const *)a, *const *y = (const pytree_place *const *)b;
    size_t equal = 0;
    return pytree__place_compare(&(*x)->path, &(*y)->path, &equal);
}

/* Add a place's value to a state. */
static void pytree__add_place(struct pytree__state_builder *b, const pytree_place *at, const pytree_options *opt,
                              pytree_error *err)
{
    static const pytree_node leaf = { NULL, 0, 1, 1, 0 };
    const size_t common = pytree__state_common(b, &at->path);
    struct pytree__places from;
    pytree_flat one;
    pytree_def def;
    memset(&from, 0, sizeof from);
    memset(&def, 0, sizeof def);
    def.n_nodes = def.n_leaves = 1;
    def.nodes = &leaf;
    one.def = &def;
    one.leaves = at->view;
    from.at = *at;
    from.flat = &one;
    from.leaf_end = 1;
    if (at->view != NULL && at->view->form == PYTREE_FORM_FLAT) {
        from.flat = (const pytree_flat *)at->view->data;
        from.node = at->view->shape[0];
        from.leaf_end = at->view->shape[1] + from.flat->def->nodes[from.node].leaves;
    } else if (at->view == NULL || at->view->form != PYTREE_FORM_LEAF) {
        char where[PYTREE_ERROR_PATH];
        pytree_path_text(&at->path, where, sizeof where);
        pytree_fail(err, PYTREE_TYPE, where, "expected a leaf or a node of a place list, got %s",
                    at->view == NULL ? "NULL" : at->view->form == PYTREE_FORM_NONE ? "None" : pytree__view_name(at->view));
        return;
    }
    from.def = from.flat->def;
    if (!pytree__td_orders_begin(&from.orders, from.def, opt, err)) { return; }
    pytree__state_add(b, &from, common);
    pytree__td_orders_end(&from.orders, opt);
}

pytree_flat pytree_of_places(size_t n, const pytree_place *places, const pytree_options *opt, pytree_error *err)
{
    struct pytree__state_builder b;
    const pytree_place **sorted = NULL;
    pytree_error problem;
    pytree_flat state;
    size_t i;
    problem.status = PYTREE_OK;
    pytree__state_begin(&b, false, opt, &problem);
    if (places == NULL && n != 0) { pytree_fail(&problem, PYTREE_ARGUMENT, NULL, "expected %zu places, got NULL", n); }
    if (problem.status == PYTREE_OK) {
        sorted = (const pytree_place **)pytree__array_new(n, sizeof *sorted, pytree__allocator(opt), &problem);
    }
    for (i = 0; i < n && sorted != NULL; i++) { sorted[i] = &places[i]; }
    if (sorted != NULL && n != 0) { qsort((void *)sorted, n, sizeof *sorted, pytree__by_place_path); }
    for (i = 0; i < n && problem.status == PYTREE_OK; i++) { pytree__add_place(&b, sorted[i], opt, &problem); }
    state = pytree__state_finish(&b, problem.status == PYTREE_OK);
    pytree__array_free((void *)sorted, n, sizeof *sorted, pytree__allocator(opt));
    (void)pytree__alg_status(&problem, err);
    return state;
}

#include "state_filter.h"
#endif
