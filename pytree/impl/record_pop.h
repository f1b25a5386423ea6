/* pytree/impl/record_pop.h: variables taken out of a tree. */
#ifndef PYTREE_IMPL_RECORD_POP_H
#define PYTREE_IMPL_RECORD_POP_H

#include "record.h"

/* A place that is to be taken: a row of a growing container, or a member of a struct. Its entry in the result refers to the
 * value until all are known to succeed. */
struct pytree__pop_item {
    pytree holder;                        /* growing container; type NULL: a member */
    pytree_entry key;                     /* in the holder, and in the result */
    pytree *member;
    const void *value;                    /* what stood there */
    pytree parent;                        /* the dict of the result that has it */
    pytree variable;                      /* made for a member */
};

struct pytree__pop {
    pytree t;
    pytree *taken;
    struct pytree__vector items;
    const pytree_options *opt;
    pytree_error *err;
};

/* Get the struct, object or container that the first n entries of a path lead to; type NULL for anything else. */
static pytree pytree__pop_get(pytree t, const pytree_path *path, size_t n, const pytree_options *opt, pytree_error *err)
{
    pytree_path start;
    pytree_leaf found;
    pytree value = t;
    start.n = n;
    start.entries = path->entries;
    if (n == 0) { return t; }
    found = pytree_get(t, &start, opt, err);
    if (found.form != PYTREE_FORM_STRUCT && found.form != PYTREE_FORM_ITEMS) { return pytree__ct_no_value(); }
    value.type = found.type;
    value.data = found.data;
    return value;
}

/* Get the dict of a result that is to have the last entry of a path; dicts on the way are made. */
static pytree_status pytree__pop_parent(struct pytree__pop *p, pytree *root, const pytree_path *path, pytree *parent)
{
    size_t i;
    *parent = *root;
    for (i = 0; i + 1 < path->n; i++) {
        const pytree__ct_key key = pytree__ct_entry_key(&path->entries[i]);
        pytree next = pytree__ct_get_pair(*parent, key, NULL);
        if (next.type == NULL) {
            pytree_status status;
            next = pytree_new_dict(p->opt, p->err);
            if (next.type == NULL) { return PYTREE_NO_MEMORY; }
            status = pytree__ct_put_pair(*parent, key, next, PYTREE__CT_OWN, p->err);
            if (status != PYTREE_OK) { pytree_container_free(next); return status; }
        }
        *parent = next;
    }
    return PYTREE_OK;
}

/* Say that a place cannot be taken out. */
static pytree_status pytree__pop_refuse(const struct pytree__pop *p, const pytree_path *path, pytree holder)
{
    char where[PYTREE_ERROR_PATH];
    pytree_path_text(path, where, sizeof where);
    return pytree_fail(p->err, PYTREE_TYPE, where, "expected an attribute, an item or a member of type pytree, got a value of "
                       "%s %s that stays where it is", holder.type == NULL ? "the" : pytree__article(holder.type->name),
                       holder.type == NULL ? "tree itself" : holder.type->name);
}

/* Find the member of type pytree that an entry stands for. */
static pytree *pytree__pop_member(pytree holder, const pytree_entry *entry)
{
    const pytree_type *const type = holder.type == NULL ? NULL : pytree__origin(holder.type);
    unsigned i;
    for (i = 0; type != NULL && type->kind == PYTREE_KIND_STRUCT && entry->name != NULL && i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row == PYTREE_ROW_DATA && row->form == PYTREE_FORM_REF && row->place == PYTREE_IN_PLACE
            && strcmp(row->name, entry->name) == 0) {
            return (pytree *)(void *)((char *)holder.data + row->offset);
        }
    }
    return NULL;
}

/* Tell whether a member, or (NULL) a value, is to be taken already: it stands in two places. */
static bool pytree__pop_has(const struct pytree__pop *p, const pytree *member, const void *value)
{
    const struct pytree__pop_item *item = (const struct pytree__pop_item *)p->items.data;
    size_t i;
    for (i = 0; i < p->items.count && (member != NULL ? item[i].member != member : item[i].value != value); i++) {}
    return i < p->items.count;
}

/* Make a variable that refers to a value. */
static pytree pytree__pop_variable(const pytree_type *role, pytree value, const pytree_options *opt, pytree_error *err)
{
    const pytree none = { &pytree_types[PYTREE__T_none], NULL };
    pytree v = pytree_new_variable(role == NULL ? &pytree_role_Variable : role, none, opt, err);
    pytree__container *c = pytree__ct_of_node(v);
    if (c != NULL) { (void)pytree__ov_put(c, PYTREE__OV_VALUE, value, PYTREE__CT_REFERENCE, NULL); }
    return v;
}

/* Plan to take a place for a result; `repeated`: it may have been taken at another path. */
static pytree_status pytree__pop_plan(struct pytree__pop *p, const pytree_place *at, bool repeated, pytree *root)
{
    const pytree_path *path = &at->path;
    const pytree_entry *last = path->n == 0 ? NULL : &path->entries[path->n - 1];
    pytree holder = path->n == 0 ? pytree__ct_no_value() : pytree__pop_get(p->t, path, path->n - 1, p->opt, p->err);
    pytree__container *c = holder.type == NULL ? NULL : pytree__ct_growing(holder);
    struct pytree__pop_item item, *to;
    size_t row = 0;
    pytree value;
    pytree_status status;
    memset(&item, 0, sizeof item);
    if (p->err->status != PYTREE_OK) { return p->err->status; }
    item.member = c == NULL && last != NULL ? pytree__pop_member(holder, last) : NULL;
    if (item.member == NULL && (c == NULL || c->fixed || !pytree__ct_entry_row(c, last, &row))) {
        return pytree__pop_refuse(p, path, holder);
    }
    if (c != NULL) {
        status = pytree__ct_on_level(c->copying.level, c->depth, c->type, p->err);
        if (status != PYTREE_OK || (c->flags[c->head + row] & PYTREE__CT_TAKEN) != 0) { return status; }
        status = pytree__ct_leave_cell(c, row, p->err);
        if (status != PYTREE_OK) { return status; }
        item.holder = holder;
        value = *pytree__ct_row_value(c, row);
        if (repeated && pytree__pop_has(p, NULL, value.data)) { return PYTREE_OK; }
    } else {
        if (pytree__pop_has(p, item.member, NULL)) { return PYTREE_OK; }
        value = item.variable = pytree__pop_variable(at->role, *item.member, p->opt, p->err);
        if (value.type == NULL) { return PYTREE_NO_MEMORY; }
    }
    item.key = *last;
    item.value = value.data;
    to = (struct pytree__pop_item *)pytree__vector_add(&p->items, 1, p->err);
    status = to == NULL ? PYTREE_NO_MEMORY : pytree__pop_parent(p, root, path, &item.parent);
    if (status == PYTREE_OK) {
        status = pytree__ct_put_pair(item.parent, pytree__ct_entry_key(last), value,
                                     c == NULL ? PYTREE__CT_OWN : PYTREE__CT_REFERENCE, p->err);
    }
    if (status != PYTREE_OK) {
        p->items.count -= to != NULL;
        if (item.variable.type != NULL) { pytree_container_free(item.variable); }
        return status;
    }
    *to = item;
    if (c != NULL) { c->flags[c->head + row] |= PYTREE__CT_TAKEN; }
    return PYTREE_OK;
}

/* Make a container own the value of a row that it referred to. */
static void pytree__pop_adopt(pytree__container *c, size_t row)
{
    pytree__ct_fill_row(c, row, *pytree__ct_row_value(c, row), PYTREE__CT_OWNED);
}

/* Move a planned value to the result, from the last one to the first, so that places in lists stay valid. */
static void pytree__pop_move(const struct pytree__pop_item *item)
{
    pytree__container *c = pytree__ct_growing(item->holder), *to;
    pytree value = pytree__ct_no_value();
    bool owned = false;
    size_t row = 0;
    if (item->member != NULL) {
        pytree__container *v = pytree__ct_of_node(item->variable);
        value = *item->member;
        if (pytree__ct_may_own(v, value, NULL) == PYTREE_OK) { pytree__pop_adopt(v, PYTREE__OV_VALUE); }
        item->member->type = &pytree_types[PYTREE__T_none];
        item->member->data = NULL;
        return;
    }
    if (c->keyed) {
        (void)pytree__ct_take_pair(item->holder, pytree__ct_entry_key(&item->key), false, &value, &owned, NULL);
    } else {
        (void)pytree__ct_list_take(item->holder, (ptrdiff_t)item->key.index, false, &value, &owned, NULL);
    }
    to = pytree__ct_growing(item->parent);
    (void)pytree__ct_entry_row(to, &item->key, &row);
    if (owned) { pytree__pop_adopt(to, row); }
}

static void pytree__pop_finish(struct pytree__pop *p, size_t n)
{
    size_t i;
    for (i = p->items.count; i-- != 0; ) {
        const struct pytree__pop_item *item = (const struct pytree__pop_item *)p->items.data + i;
        pytree__container *c = pytree__ct_growing(item->holder);
        size_t row;
        if (p->err->status == PYTREE_OK) { pytree__pop_move(item); }
        else if (c != NULL && pytree__ct_entry_row(c, &item->key, &row)) {
            c->flags[c->head + row] &= (unsigned char)~PYTREE__CT_TAKEN;
        }
    }
    for (i = 0; i < n && p->err->status != PYTREE_OK; i++) {
        pytree_container_free(p->taken[i]);
        p->taken[i] = pytree__ct_no_value();
    }
    pytree__vector_free(&p->items);
}

/* ---- Where to look ------------------------------------------------------------------------------------------------- */

/* Filters that ask for roles cannot take anything from most parts of a tree, which are left out: a node is opened only if it,
 * or one below it, has such a role. */
struct pytree__pop_parts {
    struct pytree__places_watch watch;
    struct pytree__vector nodes;          /* of uint32_t: those that have one, in order */
    const pytree_type *asked[PYTREE__TYPE_SLOTS];              /* types, and what was found out about them */
    bool takes[PYTREE__TYPE_SLOTS];
};

/* Tell whether filters that ask for roles take a place of this role. */
static bool pytree__pop_takes(size_t n, const pytree_filter *filters, const pytree_type *role)
{
    pytree_place at;
    size_t i;
    memset(&at, 0, sizeof at);
    at.role = role;
    for (i = 0; i < n && !pytree_filter_match(&filters[i], &at, NULL); i++) {}
    return i < n;
}

/* Tell whether they may take a node of this type, or a child of it for its row's role; or what it stands for. */
static bool pytree__pop_asks(struct pytree__pop_parts *parts, size_t n, const pytree_filter *filters, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    const pytree_type *const own = pytree__origin(type);
    unsigned i;
    if (parts->asked[slot] == type) { return parts->takes[slot]; }
    parts->asked[slot] = type;
    parts->takes[slot] = type == &pytree_same || (pytree__is_variable(type) && pytree__pop_takes(n, filters, type));
    for (i = 0; i < own->n_fields && !parts->takes[slot]; i++) {
        const pytree_type *const role = own->fields[i].role;
        parts->takes[slot] = role != NULL && pytree__pop_takes(n, filters, role);
    }
    return parts->takes[slot];
}

static int pytree__pop_enter(struct pytree__places *p, size_t node, size_t leaf_end)
{
    const struct pytree__pop_parts *const parts = (const struct pytree__pop_parts *)p->watch->context;
    const uint32_t *const at = (const uint32_t *)parts->nodes.data;
    size_t from = 0, to = parts->nodes.count;
    (void)leaf_end;
    while (from < to) {                   /* the first one that is not behind the node's beginning */
        const size_t middle = from + (to - from) / 2;
        if (at[middle] + p->def->nodes[node].nodes > node) { to = middle; } else { from = middle + 1; }
    }
    return from < parts->nodes.count && at[from] <= node ? PYTREE__PLACES_OPEN : PYTREE__PLACES_DONE;
}

/* Let a visit leave out what filters cannot take, if they ask for roles. */
static void pytree__pop_look(struct pytree__pop_parts *parts, struct pytree__places *p, size_t n, const pytree_filter *filters,
                             pytree_error *err)
{
    const pytree_def *const def = p->def;
    size_t i;
    for (i = 0; i < n && pytree__asks_roles(&filters[i]); i++) {}
    if (i < n || pytree__pop_takes(n, filters, NULL)) { return; }
    memset(parts->asked, 0, sizeof parts->asked);
    for (i = 0; i < def->n_nodes; i++) {
        uint32_t *found;
        if (def->nodes[i].type == NULL || !pytree__pop_asks(parts, n, filters, def->nodes[i].type)) { continue; }
        found = (uint32_t *)pytree__vector_add(&parts->nodes, 1, err);
        if (found == NULL) { return; }
        *found = (uint32_t)i;
    }
    parts->watch.enter = pytree__pop_enter;
    parts->watch.leave = NULL;            /* nothing is noted */
    parts->watch.context = parts;
    p->watch = &parts->watch;
}

pytree_status pytree_pop(pytree t, size_t n, const pytree_filter *filters, pytree *taken, const pytree_options *opt,
                         pytree_error *err)
{
    struct pytree__pop p;
    struct pytree__places places;
    struct pytree__pop_parts parts;
    pytree_error problem;
    pytree_flat flat;
    size_t i;
    if (n == 0 || filters == NULL || taken == NULL) {
        return pytree_fail(err, n == 0 ? PYTREE_FILTER : PYTREE_ARGUMENT, NULL, "expected at least one filter and a place "
                           "for the result, got %s", n == 0 ? "none" : "NULL");
    }
    problem.status = PYTREE_OK;
    p.t = t;
    p.taken = taken;
    p.opt = opt;
    p.err = &problem;
    p.items = pytree__vector_of(sizeof(struct pytree__pop_item), pytree__allocator(opt));
    for (i = 0; i < n; i++) { taken[i] = problem.status == PYTREE_OK ? pytree_new_dict(opt, &problem) : pytree__ct_no_value(); }
    flat = pytree__model_flatten(t, opt, &problem);
    if (flat.def != NULL) {
        pytree__places_begin(&places, &flat, false, opt, &problem);
        places.repeats = flat.def->shares;
        parts.nodes = pytree__vector_of(sizeof(uint32_t), pytree__allocator(opt));
        pytree__pop_look(&parts, &places, n, filters, &problem);
        while (problem.status == PYTREE_OK && pytree__places_next(&places)) {
            for (i = 0; i < n && !pytree_filter_match(&filters[i], &places.at, &problem); i++) {}
            if (problem.status == PYTREE_OK && i < n) { (void)pytree__pop_plan(&p, &places.at, flat.def->shares, &taken[i]); }
        }
        pytree__places_end(&places);
        pytree__vector_free(&parts.nodes);
    }
    pytree__pop_finish(&p, n);
    pytree_flat_free(&flat);
    return pytree__alg_status(&problem, err);
}

#include "record_update.h"
#endif
