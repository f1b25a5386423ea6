/* pytree/impl/containers.h: containers that grow: rows, making, freeing, values. */
#ifndef PYTREE_IMPL_CONTAINERS_H
#define PYTREE_IMPL_CONTAINERS_H

#include "internal.h"
#include "../containers.h"

/*     rows    ....[v0][v1][v2]........        owned   ....[0][1][0]........        order   1 0 2
 *             head count                              beside them                  of pairs: row numbers by key
 *
 * Rows may have room at both ends, so that a deque can grow at either. */
typedef struct pytree__container {
    pytree_items items;                   /* the part that walks read; must be the first member */
    struct pytree__container *owner;      /* the container that owns it; during a free, the next one to free */
    char *rows;                           /* stb_ds array of pytree, pytree_pair or pytree_int_pair: `step` bytes each */
    bool *owned;                          /* stb_ds array: whether the container owns the value */
    uint32_t *order;                      /* stb_ds array */
    uint32_t *index;                      /* of many keys: see containers_index.h */
    size_t index_slots;
    bool unsorted;                        /* the order of the keys is unknown; only with an index */
    size_t head;                          /* room before the first row */
    size_t step, value_at;                /* bytes of a row, and where its value is */
    size_t children;                      /* growing containers that it owns */
    const pytree_type *type;
    bool numbered;                        /* keys are numbers */
    pytree_options copying;               /* allocator and options for copies */
    size_t bytes;                         /* size of its block; names follow it */
} pytree__container;

enum pytree__ct_holding { PYTREE__CT_REFERENCE, PYTREE__CT_COPY, PYTREE__CT_OWN };

static pytree pytree__ct_no_value(void)
{
    pytree none = { NULL, NULL };
    return none;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

/* Give an stb_ds array room for n elements. Return NULL on failure, with the array unchanged. stb_ds does not notice that
 * realloc failed, so its arrays grow here. */
static void *pytree__stb_reserve(void *array, size_t n, size_t size)
{
    stbds_array_header *head = array == NULL ? NULL : stbds_header(array);
    if (head != NULL && head->capacity >= n) { return array; }
    if (n > (PTRDIFF_MAX - sizeof *head) / size) { return NULL; }
    head = (stbds_array_header *)STBDS_REALLOC(NULL, head, n * size + sizeof *head);
    if (head == NULL) { return NULL; }
    if (array == NULL) { memset(head, 0, sizeof *head); }
    head->capacity = n;
    return head + 1;
}

/* Count the rows in use, those of removed pairs among them. */
static size_t pytree__ct_rows(const pytree__container *c) { return c->items.count + c->items.removed; }

static char *pytree__ct_row(const pytree__container *c, size_t i) { return c->rows + (c->head + i) * c->step; }
static pytree *pytree__ct_row_value(const pytree__container *c, size_t i)
{
    return (pytree *)(void *)(pytree__ct_row(c, i) + c->value_at);
}

/* Update the pointers that walks use after rows and order have moved. The member that the kind does not need points to the
 * container itself: see pytree__ct_growing. */
static void pytree__ct_show_rows(pytree__container *c)
{
    const void *rows = c->rows == NULL ? NULL : pytree__ct_row(c, 0);
    pytree_items *items = &c->items;
    if (!pytree__keyed(c->type)) {
        items->items = (const pytree *)rows;
        items->pairs = (const pytree_pair *)(const void *)c;
        return;
    }
    items->items = (const pytree *)(const void *)c;
    items->pairs = c->numbered ? NULL : (const pytree_pair *)rows;
    items->int_pairs = c->numbered ? (const pytree_int_pair *)rows : NULL;
    if (pytree__traits(c->type)->order == PYTREE__ORDER_SORTED) {
        items->order = c->unsorted ? NULL : c->order;
        items->sorted = !c->unsorted;
    }
}

/* Tell whether row i is nearer to the front, so that moving the rows before it is cheaper. */
static bool pytree__ct_near_front(const pytree__container *c, size_t i) { return i < pytree__ct_rows(c) - i; }

/* Give all arrays room for n rows. */
static bool pytree__ct_reserve_rows(pytree__container *c, size_t n)
{
    char *rows = (char *)pytree__stb_reserve(c->rows, n, c->step);
    bool *owned;
    if (rows == NULL) { return false; }
    c->rows = rows;
    pytree__ct_show_rows(c);
    if (pytree__keyed(c->type)) {
        uint32_t *order = (uint32_t *)pytree__stb_reserve(c->order, n, sizeof *order);
        if (order == NULL) { return false; }
        c->order = order;
        pytree__ct_show_rows(c);
    }
    owned = (bool *)pytree__stb_reserve(c->owned, n, sizeof *owned);      /* the last one, so that its capacity holds for all */
    if (owned == NULL) { return false; }
    c->owned = owned;
    return true;
}

/* Make room for one more row before row i. Whenever rows have to be moved, more than half of the room is free, and both ends
 * get a share of it once both are in use: so each row moves O(1) times, amortized. */
static pytree_status pytree__ct_row_room(pytree__container *c, size_t i, pytree_error *err)
{
    const bool front = pytree__ct_near_front(c, i);
    const size_t n = pytree__ct_rows(c);
    size_t room = c->owned == NULL ? 0 : stbds_header(c->owned)->capacity, head;
    if (front ? c->head != 0 : c->head + n < room) { return PYTREE_OK; }
    if (room - n <= n) {
        room = pytree__plus(pytree__times(n, 2), 8);
        if (!pytree__ct_reserve_rows(c, room)) { return pytree__no_memory(err, pytree__times(room, c->step)); }
    }
    head = front ? (room - n + 1) / 2 : c->head / 2;
    if (head != c->head) {
        memmove(c->rows + head * c->step, pytree__ct_row(c, 0), n * c->step);
        memmove(c->owned + head, c->owned + c->head, n * sizeof *c->owned);
        c->head = head;
        pytree__ct_show_rows(c);
    }
    return PYTREE_OK;
}

/* Move n rows from row i on by one place to the front or back. */
static void pytree__ct_shift_rows(pytree__container *c, size_t i, size_t n, int by)
{
    char *from = pytree__ct_row(c, i);
    bool *owned = c->owned + c->head + i;
    if (n == 0) { return; }               /* at the end: the usual case */
    memmove(by < 0 ? from - c->step : from + c->step, from, n * c->step);
    memmove(owned + by, owned, n * sizeof *owned);
}

/* Open a row before row i, for which there is room; the caller sets value and key. */
static void pytree__ct_open_row(pytree__container *c, size_t i)
{
    if (pytree__ct_near_front(c, i)) {
        pytree__ct_shift_rows(c, 0, i, -1);
        c->head--;
    } else {
        pytree__ct_shift_rows(c, i, pytree__ct_rows(c) - i, 1);
    }
    c->items.count++;
    pytree__ct_show_rows(c);
}

static void pytree__ct_close_row(pytree__container *c, size_t i)
{
    if (pytree__ct_near_front(c, i + 1)) {
        pytree__ct_shift_rows(c, 0, i, 1);
        c->head++;
    } else {
        pytree__ct_shift_rows(c, i + 1, c->items.count - i - 1, -1);
    }
    c->items.count--;
    pytree__ct_show_rows(c);
}

/* ---- Make and free ------------------------------------------------------------------------------------------------- */

/* Return the items of a container of pytrees, growing or not; NULL for anything else. */
static const pytree_items *pytree__ct_items_of(pytree t)
{
    const bool yes = pytree__traits(t.type)->form == PYTREE_FORM_ITEMS;
    return yes ? (const pytree_items *)t.data : NULL;
}

/* Return the growing container behind a pytree, or NULL. It refers to itself through the member that its kind does not need;
 * literals and rebuilt trees have NULL there, and a copy of its bytes has another address. */
static pytree__container *pytree__ct_growing(pytree t)
{
    const pytree_items *items = pytree__ct_items_of(t);
    const void *mark = items == NULL ? NULL : pytree__keyed(t.type) ? (const void *)items->items : (const void *)items->pairs;
    return mark != NULL && mark == t.data ? (pytree__container *)t.data : NULL;
}

/* Return the growing container of a call that changes it; NULL with an error if it is of another kind. */
static pytree__container *pytree__ct_to_change(pytree t, bool keyed, pytree_error *err)
{
    pytree__container *c = pytree__ct_growing(t);
    if (c != NULL && pytree__keyed(c->type) == keyed) { return c; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a growing %s, got %s%s",
                keyed ? "dict or namedtuple" : "list, tuple or deque",
                t.type == NULL ? "no value" : t.type->name, c == NULL && t.data != NULL ? " that does not grow" : "");
    return NULL;
}

static void pytree__ct_number_keys(pytree__container *c, bool numbered)
{
    c->numbered = numbered;
    c->step = numbered ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
    c->value_at = numbered ? offsetof(pytree_int_pair, value) : offsetof(pytree_pair, value);
}

static pytree pytree__ct_new(int type, const char *name, size_t maxlen, const pytree_options *opt, pytree_error *err)
{
    const char *space = opt == NULL ? NULL : opt->space;
    const size_t name_bytes = name == NULL ? 0 : strlen(name) + 1, space_bytes = space == NULL ? 0 : strlen(space) + 1;
    const size_t bytes = sizeof(pytree__container) + name_bytes + space_bytes;
    pytree__container *c = (pytree__container *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    pytree t = pytree__ct_no_value();
    char *names;
    if (c == NULL) { pytree__no_memory(err, bytes); return t; }
    memset(c, 0, sizeof *c);
    names = (char *)(c + 1);
    c->bytes = bytes;
    c->type = &pytree_types[type];
    c->items.maxlen = maxlen;
    if (name != NULL) { c->items.name = (const char *)memcpy(names, name, name_bytes); }
    if (opt != NULL) { c->copying.allocator = opt->allocator; c->copying.alignment = opt->alignment; }
    if (space != NULL) { c->copying.space = (const char *)memcpy(names + name_bytes, space, space_bytes); }
    c->step = sizeof(pytree);
    if (pytree__keyed(c->type)) { pytree__ct_number_keys(c, false); }
    pytree__ct_show_rows(c);
    t.type = c->type;
    t.data = c;
    return t;
}

pytree pytree_new_list(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_list, NULL, 0, opt, err);
}
pytree pytree_new_tuple(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_tuple, NULL, 0, opt, err);
}
pytree pytree_new_dict(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_dict, NULL, 0, opt, err);
}
pytree pytree_new_odict(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_odict, NULL, 0, opt, err);
}
pytree pytree_new_defaultdict(const char *factory, const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_defaultdict, factory, 0, opt, err);
}
pytree pytree_new_namedtuple(const char *name, const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_namedtuple, name, 0, opt, err);
}
pytree pytree_new_deque(size_t maxlen, const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_deque, NULL, maxlen, opt, err);
}

/* Free a value that a container owned or was to own: growing containers are only put on the list of those to free. */
static void pytree__ct_let_go(pytree value, pytree__container **to_free)
{
    pytree__container *child = pytree__ct_growing(value);
    if (child == NULL) {
        pytree_free(value);
    } else {
        child->owner = *to_free;
        *to_free = child;
    }
}

static void pytree__ct_free_key(pytree__container *c, size_t i)
{
    if (pytree__keyed(c->type) && !c->numbered) {
        char *key;
        memcpy(&key, pytree__ct_row(c, i), sizeof key);
        pytree__resize(c->copying.allocator, key, strlen(key) + 1, 0);
    }
}

static void pytree__ct_drop_index(pytree__container *c);

static void pytree__ct_empty(pytree__container *c, pytree__container **to_free)
{
    const size_t rows = pytree__ct_rows(c);
    size_t i;
    for (i = 0; i < rows; i++) {
        if (c->owned[c->head + i]) { pytree__ct_let_go(*pytree__ct_row_value(c, i), to_free); }
        pytree__ct_free_key(c, i);
    }
    c->items.count = c->items.removed = c->head = c->children = 0;
    pytree__ct_drop_index(c);
    c->unsorted = false;
    pytree__ct_show_rows(c);
}

static void pytree__ct_free_all(pytree__container *to_free)
{
    while (to_free != NULL) {
        pytree__container *c = to_free;
        to_free = c->owner;
        pytree__ct_empty(c, &to_free);
        stbds_arrfree(c->rows);
        stbds_arrfree(c->owned);
        stbds_arrfree(c->order);
        pytree__resize(c->copying.allocator, c, c->bytes, 0);
    }
}

void pytree_container_free(pytree t)
{
    pytree__container *c = pytree__ct_growing(t);
    if (c != NULL && c->owner == NULL) { pytree__ct_free_all(c); }
}

pytree_status pytree_container_clear(pytree t, pytree_error *err)
{
    pytree__container *c = pytree__ct_growing(t), *to_free = NULL;
    if (c == NULL) { pytree__ct_to_change(t, t.type != NULL && pytree__keyed(t.type), err); return PYTREE_ARGUMENT; }
    pytree__ct_empty(c, &to_free);
    pytree__ct_free_all(to_free);
    return PYTREE_OK;
}

size_t pytree_container_length(pytree t)
{
    const pytree_items *items = pytree__ct_items_of(t);
    return items == NULL ? 0 : items->count;
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/* Check that c may own a value: it has no other owner and does not own c. A value that owns no container cannot own c. */
static pytree_status pytree__ct_may_own(const pytree__container *c, pytree value, pytree_error *err)
{
    const pytree__container *child = pytree__ct_growing(value);
    if (child == NULL) {
        if (value.type->origin != NULL && value.type->origin != value.type) { return PYTREE_OK; }
        return pytree_fail(err, PYTREE_ARGUMENT, NULL,
                           "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got %s",
                           value.type->name);
    }
    if (child->owner != NULL) {
        return pytree_fail(err, PYTREE_SHARED, NULL, "expected a container that belongs to no other, got a %s that does",
                           child->type->name);
    }
    while (c != NULL && c != child) { c = child->children == 0 ? NULL : c->owner; }
    if (c == NULL) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_CYCLE, NULL,
                       "expected a value that can belong to the container, got the %s that it is, or that it belongs to",
                       child->type->name);
}

static pytree_status pytree__ct_copy_value(const pytree__container *c, pytree *value, pytree_error *err)
{
    pytree_error own = { PYTREE_OK, "", "" };
    const pytree copy = pytree_clone(*value, &c->copying, &own);
    if (own.status != PYTREE_OK) { return pytree_fail(err, own.status, own.path, "%s", own.message); }
    *value = copy;
    return PYTREE_OK;
}

/* Check or copy a value, as the call asks. */
static pytree_status pytree__ct_hold(const pytree__container *c, pytree *value, int how, pytree_error *err)
{
    if (value->type == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a value, got a pytree without a type");
    }
    if (how == PYTREE__CT_OWN) { return pytree__ct_may_own(c, *value, err); }
    return how == PYTREE__CT_COPY ? pytree__ct_copy_value(c, value, err) : PYTREE_OK;
}

/* Store a value that pytree__ct_hold has passed in an empty row. */
static void pytree__ct_fill_row(pytree__container *c, size_t i, pytree value, int how)
{
    pytree__container *child = how == PYTREE__CT_OWN ? pytree__ct_growing(value) : NULL;
    *pytree__ct_row_value(c, i) = value;
    c->owned[c->head + i] = how != PYTREE__CT_REFERENCE;
    if (child != NULL) {
        child->owner = c;
        c->children++;
    }
}

/* Take the value out of a row, which must then be filled or closed. *owned: the container owned it. */
static pytree pytree__ct_empty_row(pytree__container *c, size_t i, bool *owned)
{
    const pytree value = *pytree__ct_row_value(c, i);
    pytree__container *child;
    *owned = c->owned[c->head + i];
    child = *owned ? pytree__ct_growing(value) : NULL;
    if (child != NULL) {
        child->owner = NULL;
        c->children--;
    }
    return value;
}

static void pytree__ct_discard(pytree value, bool owned)
{
    pytree__container *to_free = NULL;
    if (owned) {
        pytree__ct_let_go(value, &to_free);
        pytree__ct_free_all(to_free);
    }
}

static pytree_status pytree__ct_replace(pytree__container *c, size_t i, pytree value, int how, pytree_error *err)
{
    pytree old = *pytree__ct_row_value(c, i);
    bool owned = c->owned[c->head + i];
    pytree_status status;
    if (how != PYTREE__CT_COPY && old.type == value.type && old.data == value.data
        && (owned || how == PYTREE__CT_REFERENCE)) {
        return PYTREE_OK;                 /* it would be freed to make room for itself */
    }
    status = pytree__ct_hold(c, &value, how, err);
    if (status != PYTREE_OK) { return status; }
    old = pytree__ct_empty_row(c, i, &owned);
    pytree__ct_fill_row(c, i, value, how);
    pytree__ct_discard(old, owned);
    return PYTREE_OK;
}

#include "containers_list.h"
#endif
