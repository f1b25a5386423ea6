/* pytree/impl/containers_dict.h: dicts and namedtuples that grow. */
#ifndef PYTREE_IMPL_CONTAINERS_DICT_H
#define PYTREE_IMPL_CONTAINERS_DICT_H

#include "containers_index.h"

/* ---- Dicts, ordered dicts, default dicts, namedtuples -------------------------------------------------------------- */

/* Find the place of a key in `order`, or where it would be; without an order, the number of the pair. Keys are often inserted
 * in order, so the last one is compared first. */
static bool pytree__ct_find_key(const pytree_items *items, const uint32_t *order, const pytree__ct_key *key, size_t *place)
{
    size_t from = 0, to = items->count;
    *place = 0;
    if (to == 0 || key->numbered != (items->int_pairs != NULL)) { return false; }
    if (!key->numbered && (key->name == NULL || items->pairs == NULL)) { return false; }
    if (order == NULL) {
        while (from < to && pytree__ct_compare_key(items, from, key) != 0) { from++; }
        *place = from;
        return from < to;
    }
    if (pytree__ct_compare_key(items, order[to - 1], key) > 0) { *place = to; return false; }
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int side = pytree__ct_compare_key(items, order[middle], key);
        *place = middle;
        if (side == 0) { return true; }
        if (side < 0) { to = middle; } else { from = middle + 1; }
    }
    *place = from;
    return false;
}

/* Find the row of a key; also its place in the order, where the order is kept. */
static bool pytree__ct_find_row(const pytree__container *c, const pytree__ct_key *key, size_t *row, size_t *place)
{
    if (c->index != NULL) { return pytree__ct_find_indexed(c, key, row); }
    if (!pytree__ct_find_key(&c->items, c->order, key, place)) { return false; }
    *row = c->order[*place];
    return true;
}

static pytree_status pytree__ct_key_error(pytree_status status, const char *expected, const pytree__ct_key *key,
                                          pytree_error *err)
{
    char text[120];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    pytree_entry entry = { PYTREE_KEY, NULL, 0 };
    if (key->numbered) {
        snprintf(text, sizeof text, "%lld", (long long)key->number);
    } else if (key->name == NULL) {
        snprintf(text, sizeof text, "NULL");
    } else {
        entry.name = key->name;
        pytree__put_key(&to, &entry, strlen(key->name));
        pytree__end_text(&to, sizeof text);
    }
    return pytree_fail(err, status, NULL, "expected %s, got %s", expected, text);
}

/* Check that a key is of the container's kind. An empty dict accepts either. */
static pytree_status pytree__ct_accept_key(pytree__container *c, const pytree__ct_key *key, pytree_error *err)
{
    const bool numbered = key->numbered;
    if (!numbered && key->name == NULL) { return pytree__ct_key_error(PYTREE_NULL_POINTER, "a key", key, err); }
    if (numbered && (c->type->kind == PYTREE_KIND_CUSTOM || pytree__traits(c->type)->entry == PYTREE_ATTRIBUTE)) {
        return pytree__ct_key_error(PYTREE_ARGUMENT, "the name of a field", key, err);
    }
    if (c->items.count != 0 && numbered != c->numbered) {
        return pytree__ct_key_error(PYTREE_ARGUMENT,
                                    c->numbered ? "a number, as the other keys" : "a string, as the other keys", key, err);
    }
    if (numbered != c->numbered) {
        stbds_arrfree(c->flags);          /* rows for the other kind of keys: start over */
        stbds_arrfree(c->rows);
        pytree__ct_number_keys(c, numbered);
        pytree__ct_show_rows(c);
    }
    return PYTREE_OK;
}

/* Append a pair; `place` is the place of its key in the order. */
static pytree_status pytree__ct_add_pair(pytree__container *c, size_t place, const pytree__ct_key *key, pytree value, int how,
                                      pytree_error *err)
{
    const size_t bytes = c->numbered ? 0 : strlen(key->name) + 1;
    const pytree_entry at = { PYTREE_ATTRIBUTE, key->name, 0 };
    char *name = NULL;
    size_t n;
    unsigned char flags;
    pytree_status status;
    if (pytree__ct_rows(c) >= UINT32_MAX) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected a %s of at most %lu keys, got one more", c->type->name,
                           (unsigned long)UINT32_MAX);
    }
    status = pytree__ct_index_room(c, err);
    n = pytree__ct_rows(c);
    if (status == PYTREE_OK) { status = pytree__ct_row_room(c, n, err); }
    if (status != PYTREE_OK) { return status; }
    if (!c->numbered) {
        name = (char *)pytree__resize(c->copying.allocator, NULL, 0, bytes);
        if (name == NULL) { return pytree__no_memory(err, bytes); }
        memcpy(name, key->name, bytes);
    }
    status = pytree__ct_let_in(c, &at, -1, &value, &flags, err);
    if (status == PYTREE_OK) { status = pytree__ct_hold(c, &value, how, &flags, err); }
    if (status != PYTREE_OK) {
        if (name != NULL) { pytree__resize(c->copying.allocator, name, bytes, 0); }
        return status;
    }
    pytree__ct_open_row(c, n);
    if (c->numbered) { memcpy(pytree__ct_row(c, n), &key->number, sizeof key->number); }
    else { memcpy(pytree__ct_row(c, n), &name, sizeof name); }
    pytree__ct_fill_row(c, n, value, flags);
    if (c->index != NULL) { pytree__ct_index_last(c); return PYTREE_OK; }
    memmove(c->order + place + 1, c->order + place, (n - place) * sizeof *c->order);
    c->order[place] = (uint32_t)n;
    return PYTREE_OK;
}

static pytree_status pytree__ct_put_pair(pytree dict, pytree__ct_key key, pytree value, int how, pytree_error *err)
{
    const pytree_entry at = { PYTREE_ATTRIBUTE, key.name, 0 };
    pytree__container *c;
    pytree_status status = pytree__ct_to_change(dict, true, &c, err);
    size_t row, place = 0;
    if (status == PYTREE_OK) { status = pytree__ct_accept_key(c, &key, err); }
    if (status != PYTREE_OK) { return status; }
    if (pytree__ct_find_row(c, &key, &row, &place)) { return pytree__ct_replace(c, row, &at, value, how, err); }
    return pytree__ct_add_pair(c, place, &key, value, how, err);
}
pytree_status pytree_dict_put(pytree dict, const char *key, pytree value, pytree_error *err)
{
    return pytree__ct_put_pair(dict, pytree__ct_string_key(key), value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_dict_put_copy(pytree dict, const char *key, pytree value, pytree_error *err)
{
    return pytree__ct_put_pair(dict, pytree__ct_string_key(key), value, PYTREE__CT_COPY, err);
}
pytree_status pytree_dict_put_own(pytree dict, const char *key, pytree value, pytree_error *err)
{
    return pytree__ct_put_pair(dict, pytree__ct_string_key(key), value, PYTREE__CT_OWN, err);
}
pytree_status pytree_dict_put_int(pytree dict, int64_t key, pytree value, pytree_error *err)
{
    return pytree__ct_put_pair(dict, pytree__ct_int_key(key), value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_dict_put_int_copy(pytree dict, int64_t key, pytree value, pytree_error *err)
{
    return pytree__ct_put_pair(dict, pytree__ct_int_key(key), value, PYTREE__CT_COPY, err);
}
pytree_status pytree_dict_put_int_own(pytree dict, int64_t key, pytree value, pytree_error *err)
{
    return pytree__ct_put_pair(dict, pytree__ct_int_key(key), value, PYTREE__CT_OWN, err);
}

static pytree pytree__ct_get_pair(pytree dict, pytree__ct_key key, pytree_error *err)
{
    const pytree_items *items = pytree__ct_items_of(dict);
    const pytree__container *c = pytree__ct_growing(dict);
    const uint32_t *order = c != NULL ? c->order : items == NULL ? NULL : items->order;
    size_t place = 0;
    bool found;
    if (items == NULL || !pytree__ct_is_keyed(dict)) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a dict or namedtuple, got %s",
                    dict.type == NULL ? "no value" : dict.type->name);
        return pytree__ct_no_value();
    }
    found = c != NULL && c->index != NULL ? pytree__ct_find_indexed(c, &key, &place)
                                          : pytree__ct_find_key(items, order, &key, &place);
    if (!found) {
        pytree__ct_key_error(PYTREE_NOT_FOUND, "an existing key", &key, err);
        return pytree__ct_no_value();
    }
    if (order != NULL && (c == NULL || c->index == NULL)) { place = order[place]; }
    return items->int_pairs != NULL ? items->int_pairs[place].value : items->pairs[place].value;
}
pytree pytree_dict_get(pytree dict, const char *key, pytree_error *err)
{
    return pytree__ct_get_pair(dict, pytree__ct_string_key(key), err);
}
pytree pytree_dict_get_int(pytree dict, int64_t key, pytree_error *err)
{
    return pytree__ct_get_pair(dict, pytree__ct_int_key(key), err);
}

/* Take a value out of a dict. With `leaves`, it is to live on: then it must not be in a cell. */
static pytree_status pytree__ct_take_pair(pytree dict, pytree__ct_key key, bool leaves, pytree *value, bool *owned,
                                          pytree_error *err)
{
    pytree__container *c;
    pytree_status status = pytree__ct_to_change(dict, true, &c, err);
    size_t place = 0, row, i;
    if (status != PYTREE_OK) { return status; }
    if (!pytree__ct_find_row(c, &key, &row, &place)) {
        return pytree__ct_key_error(PYTREE_NOT_FOUND, "an existing key", &key, err);
    }
    if (leaves) { status = pytree__ct_leave_cell(c, row, err); }
    if (status != PYTREE_OK) { return status; }
    if (c->index != NULL) {
        *value = pytree__ct_empty_row(c, row, owned);
        pytree__ct_index_remove(c, row);
        return PYTREE_OK;
    }
    memmove(c->order + place, c->order + place + 1, (c->items.count - place - 1) * sizeof *c->order);
    for (i = 0; row + 1 < c->items.count && i < c->items.count - 1; i++) { c->order[i] -= c->order[i] > row; }
    *value = pytree__ct_empty_row(c, row, owned);
    pytree__ct_free_key(c, row);
    pytree__ct_close_row(c, row);
    return PYTREE_OK;
}

static pytree_status pytree__ct_remove_pair(pytree dict, pytree__ct_key key, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned = false;
    const pytree_status status = pytree__ct_take_pair(dict, key, false, &value, &owned, err);
    pytree__ct_discard(value, owned);
    return status;
}
pytree_status pytree_dict_remove(pytree dict, const char *key, pytree_error *err)
{
    return pytree__ct_remove_pair(dict, pytree__ct_string_key(key), err);
}
pytree_status pytree_dict_remove_int(pytree dict, int64_t key, pytree_error *err)
{
    return pytree__ct_remove_pair(dict, pytree__ct_int_key(key), err);
}

pytree pytree_dict_take(pytree dict, const char *key, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned;
    pytree__ct_take_pair(dict, pytree__ct_string_key(key), true, &value, &owned, err);
    return value;
}
pytree pytree_dict_take_int(pytree dict, int64_t key, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned;
    pytree__ct_take_pair(dict, pytree__ct_int_key(key), true, &value, &owned, err);
    return value;
}

#endif
