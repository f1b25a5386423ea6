/* pytree/impl/record_update.h: states put back into objects, which take other shapes and new names; capture. */
#ifndef PYTREE_IMPL_RECORD_UPDATE_H
#define PYTREE_IMPL_RECORD_UPDATE_H

#include "record_pop.h"

/* A value of a state and where it goes: into a variable, into the row of a growing container, or over a leaf that stays. */
struct pytree__put_back {
    pytree variable, holder;              /* type NULL: none */
    pytree_entry key;                     /* in the holder */
    pytree_leaf to;                       /* the leaf that stays; type NULL: none */
    pytree_leaf from;                     /* the leaf of the state; type NULL: a node */
    pytree copy, metadata;                /* prepared, or what was replaced by it, to be freed; type NULL: none */
    bool added;                           /* the name is new, and has its value already */
    bool replaced;                        /* a leaf, by a variable */
    bool described;                       /* the variable takes the metadata of the state's, or has none any more */
};

struct pytree__putting {
    pytree t;
    struct pytree__vector items;
    struct pytree__vector holders;        /* of pytree: the objects and containers that the last path led through */
    bool altered;                         /* an item gives a variable another value or other metadata */
    const pytree_options *opt;
    pytree_error *err;
};

/* Get the leaf that a value is. Returns false if it is a node. */
static bool pytree__put_leaf(pytree value, pytree_leaf *leaf)
{
    const pytree_path root = { 0, NULL };
    *leaf = pytree_get(value, &root, NULL, NULL);
    return leaf->type != NULL && leaf->form == PYTREE_FORM_LEAF;
}

/* Make the copy a variable, if the state has one. */
static pytree_status pytree__put_as_variable(struct pytree__putting *p, const pytree_place *at, struct pytree__put_back *item)
{
    pytree variable;
    pytree__container *v;
    if (at->role == NULL) { return PYTREE_OK; }
    variable = pytree__pop_variable(at->role, item->copy, p->opt, p->err);
    v = pytree__ct_of_node(variable);
    if (v == NULL) { return PYTREE_NO_MEMORY; }
    if (item->metadata.type != NULL
        && pytree__ov_put(v, PYTREE__OV_METADATA, item->metadata, PYTREE__CT_COPY, p->err) != PYTREE_OK) {
        pytree_container_free(variable);
        return PYTREE_NO_MEMORY;
    }
    pytree__pop_adopt(v, PYTREE__OV_VALUE);
    item->copy = variable;
    return PYTREE_OK;
}

/* Add a new name to a growing container. */
static pytree_status pytree__put_add(struct pytree__putting *p, const pytree_place *at, struct pytree__put_back *item)
{
    pytree__container *const c = pytree__ct_growing(item->holder);
    const bool annotated = at->role == NULL && item->holder.type->custom != NULL;
    pytree held;
    pytree_status status;
    if (!c->keyed && item->key.name != NULL) {
        return pytree_fail(p->err, PYTREE_ARGUMENT, NULL, "expected an index of a list of %zu, got '%.60s'", c->items.count,
                           item->key.name);
    }
    status = pytree__put_as_variable(p, at, item);
    held = item->copy;
    if (annotated) { held.type = &pytree_data_type; held.data = &item->copy; }
    if (status == PYTREE_OK) {
        status = c->keyed ? pytree__ct_put_pair(item->holder, pytree__ct_entry_key(&item->key), held, PYTREE__CT_OWN, p->err)
                          : pytree_list_append_own(item->holder, held, p->err);
    }
    if (status != PYTREE_OK) { return status; }
    item->copy.type = NULL;
    item->added = true;
    if (!c->keyed) { item->key.index = c->items.count - 1; }
    return PYTREE_OK;
}

/* ---- Values that fit ----------------------------------------------------------------------------------------------- */

/* Get the value of a row of a growing object or container; type NULL if there is none, or it is static. */
static pytree pytree__put_attribute(pytree holder, const pytree_entry *key)
{
    const pytree__container *const c = pytree__ct_growing(holder);
    size_t row;
    if (c == NULL || c->fixed || !pytree__ct_entry_row(c, key, &row) || (c->flags[c->head + row] & PYTREE__CT_STATIC) != 0) {
        return pytree__ct_no_value();
    }
    return *pytree__ct_row_value(c, row);
}

/* Get the value of a variable that may be changed, and whose metadata is `text`. */
static pytree pytree__put_held(pytree value, const char *text)
{
    const pytree_variable *const v = pytree__ov_of(value);
    const pytree__container *const c = v == NULL ? NULL : (const pytree__container *)v->container;
    const pytree_level *const level = c == NULL ? NULL : c->copying.level;
    const char *has;
    if (c == NULL || (level != NULL && level->depth != c->depth)) { return pytree__ct_no_value(); }
    has = pytree__variable_text(v);
    if (text != has && (text == NULL || has == NULL || strcmp(text, has) != 0)) { return pytree__ct_no_value(); }
    return c->items.items[0];
}

/* Plan to write a leaf of a state over one that it fits, in a variable whose metadata is the same: most are so. Returns false
 * if it must be looked at more closely. */
static bool pytree__put_fits(struct pytree__putting *p, const struct pytree__places *places)
{
    const pytree_place *at = &places->at;
    const pytree_leaf *leaf = at->view;
    struct pytree__put_back *item;
    pytree holder, held;
    pytree_leaf own;
    if (p->altered || at->role == NULL || at->path.n == 0 || leaf->form != PYTREE_FORM_LEAF) { return false; }
    holder = pytree__update_seek(&p->holders, places, pytree__put_attribute, p->err);
    if (holder.type == NULL) { return false; }
    held = pytree__put_held(pytree__put_attribute(holder, &at->path.entries[at->path.n - 1]), at->metadata);
    if (held.type == NULL) { return false; }
    if (held.type->kind == PYTREE_KIND_LEAF) {
        pytree__view(&own, pytree__origin(held.type), held.data);
        leaf = &own;
    } else {
        leaf = held.type->kind == PYTREE_KIND_VIEW ? (const pytree_leaf *)held.data : NULL;
    }
    if (leaf == NULL || leaf->form != PYTREE_FORM_LEAF || pytree__fits(leaf, at->view) != PYTREE_OK) { return false; }
    if (leaf->data == at->view->data) { return true; }
    item = (struct pytree__put_back *)pytree__vector_add(&p->items, 1, p->err);
    if (item == NULL) { return true; }
    memset(item, 0, sizeof *item);
    item->to = *leaf;
    item->from = *at->view;
    return true;
}

/* Find where a value goes that has a place in the tree already. */
static pytree_status pytree__put_find(struct pytree__putting *p, const pytree_place *at, const pytree_leaf *found,
                                      struct pytree__put_back *item)
{
    const pytree there = { found->type, found->data };
    pytree_variable *const v = found->form == PYTREE_FORM_STRUCT ? pytree__ov_of(there) : NULL;
    pytree__container *c;
    if (v != NULL && (v->container != NULL || v->rebuilt)) {
        pytree_status status = pytree__ov_to_change(there, &c, p->err);
        item->variable = there;
        if (status == PYTREE_OK && item->metadata.type != NULL && c->items.count <= PYTREE__OV_METADATA) {
            status = pytree__ct_row_room(c, PYTREE__OV_METADATA, p->err);
        }
        return status;
    }
    if (v != NULL ? pytree__put_leaf(v->value, &item->to) : found->form == PYTREE_FORM_LEAF) {
        if (v == NULL) { item->to = *found; }
        c = v != NULL || item->holder.type == NULL ? NULL : pytree__ct_growing(item->holder);
        if (c != NULL) {
            pytree_status status = pytree__ct_on_level(c->copying.level, c->depth, c->type, p->err);
            if (status == PYTREE_OK) { status = pytree__put_as_variable(p, at, item); }
            item->replaced = at->role != NULL;
            return status;
        }
        item->holder.type = NULL;
        if (item->from.type != NULL) {
            return pytree__check_target(&item->to, &item->from, &at->path, p->err) ? PYTREE_OK : p->err->status;
        }
    }
    if (found->form == PYTREE_FORM_STRUCT && pytree__origin(found->type) == &pytree_static_type) {
        return pytree_fail(p->err, PYTREE_STATIC, NULL, "expected a static value for the static attribute of %s %s, got a %s",
                           pytree__article(item->holder.type->name), item->holder.type->name,
                           at->role == NULL ? "leaf" : at->role->name);
    }
    if (found->form == PYTREE_FORM_NONE) {
        return pytree_fail(p->err, PYTREE_STRUCTURE, NULL, "expected nothing for None, got a %s",
                           at->role == NULL ? "leaf" : at->role->name);
    }
    return pytree_fail(p->err, PYTREE_STRUCTURE, NULL, "expected a state for a %s, got a %s", pytree__view_name(found),
                       at->role == NULL ? "leaf" : at->role->name);
}

/* Plan where a place of a state goes. */
static pytree_status pytree__put_plan(struct pytree__putting *p, const pytree_place *at)
{
    const pytree_path *path = &at->path;
    const char *text = at->metadata;
    struct pytree__put_back item, *to;
    pytree_error missing, own;
    pytree_leaf found;
    pytree metadata;
    pytree_status status = PYTREE_OK;
    char where[PYTREE_ERROR_PATH];
    memset(&item, 0, sizeof item);
    missing.status = own.status = PYTREE_OK;
    found = pytree_get(p->t, path, p->opt, &missing);
    if (path->n != 0) {
        item.holder = pytree__pop_get(p->t, path, path->n - 1, p->opt, NULL);
        item.key = path->entries[path->n - 1];
    }
    if (at->view->form == PYTREE_FORM_LEAF) { item.from = *at->view; }
    item.described = at->role != NULL;
    to = (struct pytree__put_back *)pytree__vector_add(&p->items, 1, p->err);
    if (to == NULL) { return PYTREE_NO_MEMORY; }
    item.copy = pytree_clone(pytree_of_view(at->view), p->opt, p->err);
    if (text != NULL && item.copy.type != NULL) {
        metadata.type = &pytree_types[PYTREE__T_string];
        metadata.data = (void *)(uintptr_t)&text;
        item.metadata = pytree_clone(metadata, p->opt, p->err);
    }
    if (p->err->status == PYTREE_OK) {
        struct pytree__putting mine = *p;
        const pytree__container *c = item.holder.type == NULL ? NULL : pytree__ct_growing(item.holder);
        mine.err = &own;
        if (missing.status == PYTREE_OK) { status = pytree__put_find(&mine, at, &found, &item); }
        else if (missing.status == PYTREE_NOT_FOUND && c != NULL && !c->fixed) { status = pytree__put_add(&mine, at, &item); }
        else { status = pytree_fail(p->err, missing.status, missing.path, "%s", missing.message); }
        if (own.status != PYTREE_OK) {
            pytree_path_text(path, where, sizeof where);
            pytree_fail(p->err, own.status, own.path[0] == '\0' ? where : own.path, "%s", own.message);
        }
    }
    p->altered = true;
    *to = item;
    return status;
}

/* Put a value where it goes; nothing fails any more. What it replaces is freed when all are put: a later one may go there. */
static void pytree__put_now(struct pytree__put_back *item)
{
    pytree__container *c = pytree__ct_growing(item->variable.type != NULL ? item->variable : item->holder);
    pytree_leaf to = item->to;
    size_t row = 0;
    bool owned, fits = true;
    pytree old;
    if (item->added) { return; }
    if (c != NULL) {
        if (item->variable.type == NULL && !pytree__ct_entry_row(c, &item->key, &row)) { return; }
        fits = item->from.type != NULL && !item->replaced && pytree__put_leaf(*pytree__ct_row_value(c, row), &to)
            && pytree__fits(&to, &item->from) == PYTREE_OK;
    }
    if (fits) {
        const size_t bytes = pytree_leaf_bytes(&item->from);
        if (to.data != item->from.data && bytes != 0) { memmove(to.data, item->from.data, bytes); }
    } else {
        old = pytree__ct_empty_row(c, row, &owned);
        pytree__ct_fill_row(c, row, item->copy, PYTREE__CT_OWNED);
        item->copy = owned ? old : pytree__ct_no_value();
    }
    if (item->variable.type == NULL || !item->described) { return; }
    if (item->metadata.type == NULL) { pytree__ov_clear(c); return; }
    (void)pytree__ov_put(c, PYTREE__OV_METADATA, item->metadata, PYTREE__CT_OWN, NULL);          /* there is room for them */
    item->metadata.type = NULL;
}

/* Put all values, or take back what was added; free what was prepared. */
static void pytree__put_finish(struct pytree__putting *p)
{
    struct pytree__put_back *item = (struct pytree__put_back *)p->items.data;
    const bool good = p->err->status == PYTREE_OK;
    size_t i;
    for (i = 0; i < p->items.count && good; i++) { pytree__put_now(&item[i]); }
    for (i = p->items.count; i-- != 0; ) {
        if (!good && item[i].added) {
            if (item[i].key.name != NULL) { pytree_dict_remove(item[i].holder, item[i].key.name, NULL); }
            else if (pytree__ct_is_keyed(item[i].holder)) {
                pytree_dict_remove_int(item[i].holder, (int64_t)item[i].key.index, NULL);
            } else { pytree_list_remove(item[i].holder, (ptrdiff_t)item[i].key.index, NULL); }
        }
        pytree__ct_discard(item[i].copy, item[i].copy.type != NULL);
        pytree__ct_discard(item[i].metadata, item[i].metadata.type != NULL);
    }
    pytree__vector_free(&p->items);
}

/* Plan where all places of a state go. */
static void pytree__put_state(struct pytree__putting *p, const pytree_flat *flat)
{
    struct pytree__places places;
    pytree__places_begin(&places, flat, false, p->opt, p->err);
    pytree__update_from(&p->holders, p->t, p->err);
    while (p->err->status == PYTREE_OK && pytree__places_next(&places)) {
        if (!pytree__put_fits(p, &places) && p->err->status == PYTREE_OK) { (void)pytree__put_plan(p, &places.at); }
    }
    pytree__places_end(&places);
}

pytree_status pytree_object_update(pytree t, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *const a = pytree__allocator(opt);
    struct pytree__putting p;
    pytree_error problem;
    pytree_flat *flats;
    size_t i, made = 0;
    if (states == NULL && n != 0) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %zu states, got NULL", n); }
    flats = (pytree_flat *)pytree__array_new(n, sizeof *flats, a, err);
    if (flats == NULL) { return PYTREE_NO_MEMORY; }
    problem.status = PYTREE_OK;
    p.t = t;
    p.opt = opt;
    p.err = &problem;
    p.items = pytree__vector_of(sizeof(struct pytree__put_back), a);
    p.holders = pytree__vector_of(sizeof(pytree), a);
    p.altered = false;
    for (; made < n && problem.status == PYTREE_OK; made++) {
        flats[made] = pytree__state_flatten(states[made], opt, &problem);
        if (flats[made].def != NULL) { pytree__put_state(&p, &flats[made]); }
    }
    pytree__put_finish(&p);
    pytree__vector_free(&p.holders);
    for (i = 0; i < made; i++) { pytree_flat_free(&flats[i]); }
    pytree__array_free(flats, n, sizeof *flats, a);
    return pytree__alg_status(&problem, err);
}

/* ---- Capture ------------------------------------------------------------------------------------------------------- */

pytree_status pytree_capture(pytree t, size_t n, const pytree_filter *filters, pytree init, pytree_capture_fn *fn,
                             void *context, pytree *captured, const pytree_options *opt, pytree_error *err)
{
    pytree_error problem;
    pytree_status status;
    size_t i;
    if (fn == NULL || n == 0 || filters == NULL || captured == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a function, filters and a place for the result, got NULL or "
                           "none");
    }
    problem.status = PYTREE_OK;
    status = init.type == NULL ? PYTREE_OK : pytree_object_update(t, 1, &init, opt, &problem);
    if (status == PYTREE_OK) {
        pytree_error popping;
        popping.status = PYTREE_OK;
        status = fn(context, t, &problem);
        if (status != PYTREE_OK) { pytree_fail(&problem, status, NULL, "expected the function to succeed, got %s",
                                               pytree_status_name(status)); }
        if (pytree_pop(t, n, filters, captured, opt, &popping) != PYTREE_OK) {
            pytree_fail(&problem, popping.status, popping.path, "%s", popping.message);
        }
    } else {
        for (i = 0; i < n; i++) { captured[i] = pytree__ct_no_value(); }
    }
    for (i = 0; i < n && problem.status != PYTREE_OK; i++) {
        if (captured[i].type != NULL) { pytree_container_free(captured[i]); }
        captured[i] = pytree__ct_no_value();
    }
    return pytree__alg_status(&problem, err);
}

#include "record_set.h"
#endif
