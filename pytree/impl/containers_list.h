/* pytree/impl/containers_list.h: lists, tuples and deques that grow. */
#ifndef PYTREE_IMPL_CONTAINERS_LIST_H
#define PYTREE_IMPL_CONTAINERS_LIST_H

#include "containers_chunks.h"

/* ---- Lists, tuples, deques ----------------------------------------------------------------------------------------- */

/* Return the place of index i, which may count from the end; SIZE_MAX with an error if there is none. */
static size_t pytree__ct_list_place(ptrdiff_t i, size_t count, const pytree_type *type, pytree_error *err)
{
    const size_t place = i >= 0 ? (size_t)i : count - ((size_t)0 - (size_t)i);
    if (place < count) { return place; }
    pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected an index in a %s of length %zu, got %td", type->name, count, i);
    return SIZE_MAX;
}

/* Insert a value before place i. `drop`: the place that a full deque gives up for it. */
static pytree_status pytree__ct_add(pytree__container *c, size_t i, size_t drop, pytree value, int how, pytree_error *err)
{
    const bool full = pytree__traits(c->type)->meta == PYTREE__META_MAXLEN && c->items.count == c->items.maxlen;
    const pytree_entry key = { PYTREE_INDEX, NULL, i };
    pytree dropped = value;
    bool owned = false;
    unsigned char flags;
    pytree_status status = pytree__ct_arrange(c, i, err);
    if (status == PYTREE_OK) { status = pytree__ct_place_room(c, i, err); }
    if (status == PYTREE_OK) { status = pytree__ct_let_in(c, &key, -1, &value, &flags, err); }
    if (full && c->items.maxlen == 0 && how == PYTREE__CT_COPY) { how = PYTREE__CT_REFERENCE; }
    if (status == PYTREE_OK) { status = pytree__ct_hold(c, &value, how, &flags, err); }
    if (status != PYTREE_OK) { return status; }
    if (full && c->items.maxlen == 0) {
        pytree__ct_discard(value, how == PYTREE__CT_OWN);
        return PYTREE_OK;
    }
    if (full) {
        dropped = pytree__ct_empty_row(c, pytree__ct_row_at(c, drop), &owned);
        pytree__ct_close_place(c, drop);
        if (i > drop) { i--; }
    }
    pytree__ct_fill_row(c, pytree__ct_open_place(c, i), value, flags);
    pytree__ct_discard(dropped, owned);
    return PYTREE_OK;
}

static pytree_status pytree__ct_append(pytree list, pytree value, int how, pytree_error *err)
{
    pytree__container *c;
    const pytree_status status = pytree__ct_to_change(list, false, &c, err);
    return status != PYTREE_OK ? status : pytree__ct_add(c, c->items.count, 0, value, how, err);
}
pytree_status pytree_list_append(pytree list, pytree value, pytree_error *err)
{
    return pytree__ct_append(list, value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_list_append_copy(pytree list, pytree value, pytree_error *err)
{
    return pytree__ct_append(list, value, PYTREE__CT_COPY, err);
}
pytree_status pytree_list_append_own(pytree list, pytree value, pytree_error *err)
{
    return pytree__ct_append(list, value, PYTREE__CT_OWN, err);
}

static pytree_status pytree__ct_append_left(pytree deque, pytree value, int how, pytree_error *err)
{
    pytree__container *c;
    const pytree_status status = pytree__ct_to_change(deque, false, &c, err);
    if (status != PYTREE_OK) { return status; }
    if (c->type->kind != PYTREE_KIND_DEQUE) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a deque, got a %s", c->type->name);
    }
    return pytree__ct_add(c, 0, c->items.count - 1, value, how, err);
}
pytree_status pytree_deque_append_left(pytree deque, pytree value, pytree_error *err)
{
    return pytree__ct_append_left(deque, value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_deque_append_left_copy(pytree deque, pytree value, pytree_error *err)
{
    return pytree__ct_append_left(deque, value, PYTREE__CT_COPY, err);
}
pytree_status pytree_deque_append_left_own(pytree deque, pytree value, pytree_error *err)
{
    return pytree__ct_append_left(deque, value, PYTREE__CT_OWN, err);
}

static pytree_status pytree__ct_insert(pytree list, ptrdiff_t i, pytree value, int how, pytree_error *err)
{
    pytree__container *c;
    const pytree_status status = pytree__ct_to_change(list, false, &c, err);
    size_t place;
    if (status != PYTREE_OK) { return status; }
    if (pytree__traits(c->type)->meta == PYTREE__META_MAXLEN && c->items.count == c->items.maxlen) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a deque of less than its %zu values, got a full one",
                           c->items.maxlen);
    }
    place = i >= 0 && (size_t)i == c->items.count ? c->items.count : pytree__ct_list_place(i, c->items.count, c->type, err);
    return place == SIZE_MAX ? PYTREE_NOT_FOUND : pytree__ct_add(c, place, 0, value, how, err);
}
pytree_status pytree_list_insert(pytree list, ptrdiff_t i, pytree value, pytree_error *err)
{
    return pytree__ct_insert(list, i, value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_list_insert_copy(pytree list, ptrdiff_t i, pytree value, pytree_error *err)
{
    return pytree__ct_insert(list, i, value, PYTREE__CT_COPY, err);
}
pytree_status pytree_list_insert_own(pytree list, ptrdiff_t i, pytree value, pytree_error *err)
{
    return pytree__ct_insert(list, i, value, PYTREE__CT_OWN, err);
}

static pytree_status pytree__ct_set(pytree list, ptrdiff_t i, pytree value, int how, pytree_error *err)
{
    pytree__container *c;
    const pytree_status status = pytree__ct_to_change(list, false, &c, err);
    pytree_entry key = { PYTREE_INDEX, NULL, 0 };
    size_t place;
    if (status != PYTREE_OK) { return status; }
    place = pytree__ct_list_place(i, c->items.count, c->type, err);
    key.index = place;
    return place == SIZE_MAX ? PYTREE_NOT_FOUND : pytree__ct_replace(c, pytree__ct_row_at(c, place), &key, value, how, err);
}
pytree_status pytree_list_set(pytree list, ptrdiff_t i, pytree value, pytree_error *err)
{
    return pytree__ct_set(list, i, value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_list_set_copy(pytree list, ptrdiff_t i, pytree value, pytree_error *err)
{
    return pytree__ct_set(list, i, value, PYTREE__CT_COPY, err);
}
pytree_status pytree_list_set_own(pytree list, ptrdiff_t i, pytree value, pytree_error *err)
{
    return pytree__ct_set(list, i, value, PYTREE__CT_OWN, err);
}

pytree pytree_list_get(pytree list, ptrdiff_t i, pytree_error *err)
{
    const pytree_items *items = pytree__ct_items_of(list);
    size_t place;
    if (items == NULL || pytree__ct_is_keyed(list)) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a list, tuple or deque, got %s",
                    list.type == NULL ? "no value" : list.type->name);
        return pytree__ct_no_value();
    }
    if (items->items == NULL && items->count != 0) {
        pytree_fail(err, PYTREE_NULL_POINTER, NULL, "expected %zu items, got NULL", items->count);
        return pytree__ct_no_value();
    }
    place = pytree__ct_list_place(i, items->count, list.type, err);
    return place == SIZE_MAX ? pytree__ct_no_value() : pytree__ct_item(items, place);
}

/* Take a value out of a list. With `leaves`, it is to live on: then it must not be in a cell. */
static pytree_status pytree__ct_list_take(pytree list, ptrdiff_t i, bool leaves, pytree *value, bool *owned,
                                          pytree_error *err)
{
    pytree__container *c;
    pytree_status status = pytree__ct_to_change(list, false, &c, err);
    size_t place;
    if (status != PYTREE_OK) { return status; }
    place = pytree__ct_list_place(i, c->items.count, c->type, err);
    if (place == SIZE_MAX) { return PYTREE_NOT_FOUND; }
    if (leaves) { status = pytree__ct_leave_cell(c, pytree__ct_row_at(c, place), err); }
    if (status != PYTREE_OK) { return status; }
    (void)pytree__ct_arrange(c, place, NULL);
    *value = pytree__ct_empty_row(c, pytree__ct_row_at(c, place), owned);
    pytree__ct_close_place(c, place);
    return PYTREE_OK;
}

pytree_status pytree_list_remove(pytree list, ptrdiff_t i, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned = false;
    const pytree_status status = pytree__ct_list_take(list, i, false, &value, &owned, err);
    pytree__ct_discard(value, owned);
    return status;
}

pytree pytree_list_take(pytree list, ptrdiff_t i, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned;
    pytree__ct_list_take(list, i, true, &value, &owned, err);
    return value;
}

#include "containers_index.h"
#endif
