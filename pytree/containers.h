/* pytree/containers.h: lists, dicts and the like that grow while the program runs.
 *
 * PYTREE_LIST(…) and its kin are literals: their shape stands in the source. These are for trees whose shape only the program
 * knows.
 *
 *     pytree model = pytree_new_dict(NULL, &err), layers = pytree_new_list(NULL, &err);
 *     pytree_dict_put_own(model, "layers", layers, &err);          // model frees it from here on
 *     for (i = 0; i < n; i++) { pytree_list_append(layers, PYTREE(&layer[i]), &err); }
 *     pytree_dict_put_copy(model, "step", PYTREE_INT(0), &err);    // the literal need not live on
 *     pytree_print(stdout, model, NULL);
 *     pytree_container_free(model);
 *
 * A growing container is a `pytree` of the built-in type (list, tuple, dict, OrderedDict, namedtuple, defaultdict, deque), so
 * that every operation works on it as on a literal. It is passed by value and grows behind it: copies of the `pytree` are the
 * same container.
 *
 * How a value is held is chosen where it is put in:
 *
 *     pytree_list_append         the value is referred to and must outlive its place in the container; PYTREE_INT(3) and other
 *                                literals end with the block that they stand in
 *     pytree_list_append_copy    a deep copy is made (pytree_clone) and belongs to the container
 *     pytree_list_append_own     the value itself belongs to the container from then on: a growing container, or a tree that
 *                                pytree_clone, pytree_unflatten or the like returned. If the call fails it is still yours
 *
 * What belongs to a container is freed when it is replaced, removed, dropped, cleared, or the container freed; what was
 * referred to is left alone. A reference to what has been freed must not be used. That a container refers to itself is found by
 * whoever walks it (PYTREE_CYCLE); that it would own itself is refused.
 *
 * Rules of pytree.h hold here too: `err` may be NULL and the first error stays; after a failure container and value are as
 * before. A container that is not one of these (a literal, a clone, NULL because pytree_new_… failed) is PYTREE_ARGUMENT, but
 * for the functions that only look. Threads may read one container side by side; who changes it must be alone with it, and not
 * be walking it: values move.
 *
 * Memory: the arrays are stb_ds arrays, so theirs is that of STBDS_REALLOC and STBDS_FREE. The rest (the container, keys,
 * copies) is that of opt->allocator at pytree_new_…, which is remembered and must outlive the container, as are the alignment
 * and the namespace that copies are made with. A value takes a byte more than its pytree or pair, and a dict's four more.
 *
 * The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in the same file.
 */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#elif !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED))
#include "../pytree.h"                    /* not there? include pytree.h first */
#endif

#ifndef PYTREE_CONTAINERS_H
#define PYTREE_CONTAINERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Make and free ------------------------------------------------------------------------------------------------- */

/* An empty container; data NULL if there is no memory. Of the options it takes allocator, alignment and namespace. Names are
 * copied and may be NULL: a namedtuple without a name of its own, a default dict whose factory is None (it is only a name:
 * looking up makes no values). A deque keeps at most `maxlen` values (PYTREE_UNBOUNDED: all). One allocation. */
pytree pytree_new_list(const pytree_options *opt, pytree_error *err);
pytree pytree_new_tuple(const pytree_options *opt, pytree_error *err);
pytree pytree_new_dict(const pytree_options *opt, pytree_error *err);
pytree pytree_new_odict(const pytree_options *opt, pytree_error *err);
pytree pytree_new_defaultdict(const char *factory, const pytree_options *opt, pytree_error *err);
pytree pytree_new_namedtuple(const char *name, const pytree_options *opt, pytree_error *err);
pytree pytree_new_deque(size_t maxlen, const pytree_options *opt, pytree_error *err);

/* Frees a growing container, its keys, and what belongs to it, however deep (nothing recurses, nothing is allocated for it).
 * One that belongs to another is left alone: its owner frees it. So is all that is no growing container; NULL data is fine. */
void pytree_container_free(pytree t);

/* Removes all values, as Python's clear(). The room is kept for those to come. */
pytree_status pytree_container_clear(pytree t, pytree_error *err);

/* Values in a list, tuple, deque, dict or namedtuple, growing or not; 0 for everything else. O(1). */
size_t pytree_container_length(pytree t);

/* ---- Lists, tuples, deques ----------------------------------------------------------------------------------------- */

/* Places count from 0, or back from the end from -1, as in Python. A place that is not there is PYTREE_NOT_FOUND.
 *
 * At the end: list.append. A deque that is full drops its first value. O(1) on average; doubles its room when it must. */
pytree_status pytree_list_append(pytree list, pytree value, pytree_error *err);
pytree_status pytree_list_append_copy(pytree list, pytree value, pytree_error *err);
pytree_status pytree_list_append_own(pytree list, pytree value, pytree_error *err);

/* At the front of a deque: deque.appendleft. One that is full drops its last value. O(1) on average. */
pytree_status pytree_deque_append_left(pytree deque, pytree value, pytree_error *err);
pytree_status pytree_deque_append_left_copy(pytree deque, pytree value, pytree_error *err);
pytree_status pytree_deque_append_left_own(pytree deque, pytree value, pytree_error *err);

/* Before the value at place i (the length: at the end): list.insert, but with a check. A full deque is PYTREE_ARGUMENT.
 * O(values from there to the nearer end). */
pytree_status pytree_list_insert(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_insert_copy(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_insert_own(pytree list, ptrdiff_t i, pytree value, pytree_error *err);

/* In the place of value i: list[i] = value. The one that is there already stays as it is held. O(1). */
pytree_status pytree_list_set(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_set_copy(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_set_own(pytree list, ptrdiff_t i, pytree value, pytree_error *err);

/* Value i, borrowed; of any list, tuple or deque, growing or not. Type NULL if there is none. O(1). */
pytree pytree_list_get(pytree list, ptrdiff_t i, pytree_error *err);

/* Without value i: del list[i]; and the same handing the value out: list.pop(i), deque.popleft() for 0. What belonged to the
 * list belongs to the caller then. Type NULL on failure. O(values from there to the nearer end). */
pytree_status pytree_list_remove(pytree list, ptrdiff_t i, pytree_error *err);
pytree pytree_list_take(pytree list, ptrdiff_t i, pytree_error *err);

/* ---- Dicts, ordered dicts, default dicts, namedtuples ----------------------------------------------------------------- */

/* The value under a key, added at the end or in the place of the one that is there: dict[key] = value. Keys are strings or
 * numbers, all of one kind while there are any (PYTREE_ARGUMENT), and are copied. A namedtuple's keys are its fields, strings.
 * Values stay in the order in which their keys came first; a dict also knows its order by key, so that a walk need not
 * sort. O(log n) and four bytes moved for each key that is greater. At most 2^32 - 1 keys: PYTREE_OVERFLOW. */
pytree_status pytree_dict_put(pytree dict, const char *key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_copy(pytree dict, const char *key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_own(pytree dict, const char *key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_int(pytree dict, int64_t key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_int_copy(pytree dict, int64_t key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_int_own(pytree dict, int64_t key, pytree value, pytree_error *err);

/* The value under a key, borrowed; of any dict or namedtuple, growing or not. Without that key: type NULL and PYTREE_NOT_FOUND.
 * O(log n); O(n) where no order is kept (literals; ordered dicts and namedtuples that do not grow). */
pytree pytree_dict_get(pytree dict, const char *key, pytree_error *err);
pytree pytree_dict_get_int(pytree dict, int64_t key, pytree_error *err);

/* Without that key: del dict[key]; and the same handing the value out: dict.pop(key). What belonged to the dict belongs to the
 * caller then. Type NULL on failure, PYTREE_NOT_FOUND without that key. The others keep their order. O(n). */
pytree_status pytree_dict_remove(pytree dict, const char *key, pytree_error *err);
pytree_status pytree_dict_remove_int(pytree dict, int64_t key, pytree_error *err);
pytree pytree_dict_take(pytree dict, const char *key, pytree_error *err);
pytree pytree_dict_take_int(pytree dict, int64_t key, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__CONTAINERS_BODIES)
#define PYTREE__CONTAINERS_BODIES

#ifdef __cplusplus
extern "C" {
#endif

/*     rows    ....[v0][v1][v2]........        owned   ....[0][1][0]........        order   1 0 2
 *             head count                              beside them                  of pairs: row numbers by key
 *
 * Rows may have room at both ends, so that a deque can grow at either. */
typedef struct pytree__container {
    pytree_items items;                   /* what a walk sees; must come first */
    struct pytree__container *owner;      /* whom it belongs to; while it is freed, the next one to be freed */
    char *rows;                           /* stb_ds array of pytree, pytree_pair or pytree_int_pair: `step` bytes each */
    bool *owned;                          /* stb_ds array: does the value belong to the container? */
    uint32_t *order;                      /* stb_ds array */
    size_t head;                          /* room before the first row */
    size_t step, value_at;                /* bytes of a row, and where its value is */
    size_t children;                      /* growing containers that belong to it */
    const pytree_type *type;
    bool numbered;                        /* keys are numbers */
    pytree_options copying;               /* the allocator, and what copies are made with */
    size_t bytes;                         /* of its own block; names stand behind it */
} pytree__container;

enum pytree__ct_holding { PYTREE__CT_REFERENCE, PYTREE__CT_COPY, PYTREE__CT_OWN };

static pytree pytree__ct_no_value(void)
{
    pytree none = { NULL, NULL };
    return none;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

/* An stb_ds array with room for n elements, or NULL, and then it is as before. stb_ds would not notice that realloc failed, so
 * its arrays are made to grow here. */
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

static char *pytree__ct_row(const pytree__container *c, size_t i) { return c->rows + (c->head + i) * c->step; }
static pytree *pytree__ct_row_value(const pytree__container *c, size_t i)
{
    return (pytree *)(void *)(pytree__ct_row(c, i) + c->value_at);
}

/* Where a walk finds rows and order, after they moved. The member that the kind has no use for leads to the container itself:
 * see pytree__ct_growing. */
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
    if (c->type->kind == PYTREE_KIND_DICT || c->type->kind == PYTREE_KIND_DEFAULTDICT) {
        items->order = c->order;
        items->sorted = true;
    }
}

/* Is row i nearer to the front, so that rows before it are to be moved and not those behind? */
static bool pytree__ct_near_front(const pytree__container *c, size_t i) { return i < c->items.count - i; }

/* All arrays with room for n rows. */
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
    owned = (bool *)pytree__stb_reserve(c->owned, n, sizeof *owned);      /* the last: its capacity is that of all */
    if (owned == NULL) { return false; }
    c->owned = owned;
    return true;
}

/* Room for one more row before row i. More than half of the room is free whenever rows have to be moved, and both ends get a
 * share of it once both are in use: so each is moved a few times, however many are added and dropped. */
static pytree_status pytree__ct_row_room(pytree__container *c, size_t i, pytree_error *err)
{
    const bool front = pytree__ct_near_front(c, i);
    const size_t n = c->items.count;
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

/* `n` rows from row i on, one place to the front or back. */
static void pytree__ct_shift_rows(pytree__container *c, size_t i, size_t n, int by)
{
    char *from = pytree__ct_row(c, i);
    bool *owned = c->owned + c->head + i;
    if (n == 0) { return; }               /* at the end, as most: worth not asking memmove */
    memmove(by < 0 ? from - c->step : from + c->step, from, n * c->step);
    memmove(owned + by, owned, n * sizeof *owned);
}

/* A row before row i, for which there is room; its value and key are the caller's to set. */
static void pytree__ct_open_row(pytree__container *c, size_t i)
{
    if (pytree__ct_near_front(c, i)) {
        pytree__ct_shift_rows(c, 0, i, -1);
        c->head--;
    } else {
        pytree__ct_shift_rows(c, i, c->items.count - i, 1);
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

/* Is it a container of pytrees, growing or not? */
static const pytree_items *pytree__ct_items_of(pytree t)
{
    const bool yes = t.type != NULL && t.type->kind >= PYTREE_KIND_LIST && t.type->kind <= PYTREE_KIND_DEQUE;
    return yes ? (const pytree_items *)t.data : NULL;
}

/* A growing container refers to itself through the one member that its kind has no use for. Literals and rebuilt trees have
 * NULL there, a copy of its bytes has another address. */
static pytree__container *pytree__ct_growing(pytree t)
{
    const pytree_items *items = pytree__ct_items_of(t);
    const void *mark = items == NULL ? NULL : pytree__keyed(t.type) ? (const void *)items->items : (const void *)items->pairs;
    return mark != NULL && mark == t.data ? (pytree__container *)t.data : NULL;
}

/* Of the kind that a call is for; otherwise NULL and an error. */
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

/* What belonged to a container, or was to belong to it: growing containers onto the list of those to be freed. */
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

static void pytree__ct_empty(pytree__container *c, pytree__container **to_free)
{
    size_t i;
    for (i = 0; i < c->items.count; i++) {
        if (c->owned[c->head + i]) { pytree__ct_let_go(*pytree__ct_row_value(c, i), to_free); }
        pytree__ct_free_key(c, i);
    }
    c->items.count = c->head = c->children = 0;
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

/* May the value belong to c? It must be free to be given away, and must not own c. Who owns no container cannot own c. */
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

/* The value as it is to be held: checked, or a copy. */
static pytree_status pytree__ct_hold(const pytree__container *c, pytree *value, int how, pytree_error *err)
{
    if (value->type == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a value, got a pytree without a type");
    }
    if (how == PYTREE__CT_OWN) { return pytree__ct_may_own(c, *value, err); }
    return how == PYTREE__CT_COPY ? pytree__ct_copy_value(c, value, err) : PYTREE_OK;
}

/* A value that pytree__ct_hold has passed, into a row that holds none. */
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

/* The value of a row, which must be filled or closed then. Belongs to nobody; `owned` says whether it did. */
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
        return PYTREE_OK;                 /* it would be freed to make place for itself */
    }
    status = pytree__ct_hold(c, &value, how, err);
    if (status != PYTREE_OK) { return status; }
    old = pytree__ct_empty_row(c, i, &owned);
    pytree__ct_fill_row(c, i, value, how);
    pytree__ct_discard(old, owned);
    return PYTREE_OK;
}

/* ---- Lists, tuples, deques ------------------------------------------------------------------------------------------- */

/* Place i of `count`, from the front or the end; SIZE_MAX and an error if there is none. */
static size_t pytree__ct_list_place(ptrdiff_t i, size_t count, const pytree_type *type, pytree_error *err)
{
    const size_t place = i >= 0 ? (size_t)i : count - ((size_t)0 - (size_t)i);
    if (place < count) { return place; }
    pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected a place in a %s with %zu, got %td", type->name, count, i);
    return SIZE_MAX;
}

/* `drop`: the value that a full deque gives up for it. */
static pytree_status pytree__ct_add(pytree__container *c, size_t i, size_t drop, pytree value, int how, pytree_error *err)
{
    const bool full = c->type->kind == PYTREE_KIND_DEQUE && c->items.count == c->items.maxlen;
    pytree dropped = value;
    bool owned = false;
    pytree_status status = pytree__ct_row_room(c, i, err);
    if (status == PYTREE_OK) { status = pytree__ct_hold(c, &value, how, err); }
    if (status != PYTREE_OK) { return status; }
    if (full && c->items.maxlen == 0) {
        pytree__ct_discard(value, how != PYTREE__CT_REFERENCE);
        return PYTREE_OK;
    }
    if (full) {
        dropped = pytree__ct_empty_row(c, drop, &owned);
        pytree__ct_close_row(c, drop);
        if (i > drop) { i--; }
    }
    pytree__ct_open_row(c, i);
    pytree__ct_fill_row(c, i, value, how);
    pytree__ct_discard(dropped, owned);
    return PYTREE_OK;
}

static pytree_status pytree__ct_append(pytree list, pytree value, int how, pytree_error *err)
{
    pytree__container *c = pytree__ct_to_change(list, false, err);
    return c == NULL ? PYTREE_ARGUMENT : pytree__ct_add(c, c->items.count, 0, value, how, err);
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
    pytree__container *c = pytree__ct_to_change(deque, false, err);
    if (c == NULL) { return PYTREE_ARGUMENT; }
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
    pytree__container *c = pytree__ct_to_change(list, false, err);
    size_t place;
    if (c == NULL) { return PYTREE_ARGUMENT; }
    if (c->type->kind == PYTREE_KIND_DEQUE && c->items.count == c->items.maxlen) {
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
    pytree__container *c = pytree__ct_to_change(list, false, err);
    size_t place;
    if (c == NULL) { return PYTREE_ARGUMENT; }
    place = pytree__ct_list_place(i, c->items.count, c->type, err);
    return place == SIZE_MAX ? PYTREE_NOT_FOUND : pytree__ct_replace(c, place, value, how, err);
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
    if (items == NULL || pytree__keyed(list.type)) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a list, tuple or deque, got %s",
                    list.type == NULL ? "no value" : list.type->name);
        return pytree__ct_no_value();
    }
    if (items->items == NULL && items->count != 0) {
        pytree_fail(err, PYTREE_NULL_POINTER, NULL, "expected %zu items, got NULL", items->count);
        return pytree__ct_no_value();
    }
    place = pytree__ct_list_place(i, items->count, list.type, err);
    return place == SIZE_MAX ? pytree__ct_no_value() : items->items[place];
}

static pytree_status pytree__ct_list_take(pytree list, ptrdiff_t i, pytree *value, bool *owned, pytree_error *err)
{
    pytree__container *c = pytree__ct_to_change(list, false, err);
    size_t place;
    if (c == NULL) { return PYTREE_ARGUMENT; }
    place = pytree__ct_list_place(i, c->items.count, c->type, err);
    if (place == SIZE_MAX) { return PYTREE_NOT_FOUND; }
    *value = pytree__ct_empty_row(c, place, owned);
    pytree__ct_close_row(c, place);
    return PYTREE_OK;
}

pytree_status pytree_list_remove(pytree list, ptrdiff_t i, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned = false;
    const pytree_status status = pytree__ct_list_take(list, i, &value, &owned, err);
    pytree__ct_discard(value, owned);
    return status;
}

pytree pytree_list_take(pytree list, ptrdiff_t i, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned;
    pytree__ct_list_take(list, i, &value, &owned, err);
    return value;
}

/* ---- Dicts, ordered dicts, default dicts, namedtuples ----------------------------------------------------------------- */

typedef struct pytree__ct_key {
    const char *name;                     /* NULL where numbered */
    int64_t number;
    bool numbered;
} pytree__ct_key;

static pytree__ct_key pytree__ct_string_key(const char *name)
{
    pytree__ct_key key = { NULL, 0, false };
    key.name = name;
    return key;
}
static pytree__ct_key pytree__ct_int_key(int64_t number)
{
    pytree__ct_key key = { NULL, 0, true };
    key.number = number;
    return key;
}

/* The key against that of a pair, in the order of a walk; one that an order promises and that is not there comes before. */
static int pytree__ct_compare_key(const pytree_items *items, size_t pair, const pytree__ct_key *key)
{
    const char *name;
    if (pair >= items->count) { return 1; }
    if (key->numbered) {
        const int64_t number = items->int_pairs[pair].key;
        return key->number < number ? -1 : key->number > number;
    }
    name = items->pairs[pair].key;
    return name == NULL ? 1 : strcmp(key->name, name);
}

/* Where in `order` the pair with that key is, or would be; without an order, which pair it is. Keys often come sorted: the last
 * one is looked at first. */
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

static pytree_status pytree__ct_key_error(pytree_status status, const char *expected, const pytree__ct_key *key,
                                          pytree_error *err)
{
    char text[120];
    struct pytree__text to = pytree__text_to(text, sizeof text, NULL);
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

/* Is the key of the kind that the container's keys are? An empty dict takes either. */
static pytree_status pytree__ct_accept_key(pytree__container *c, const pytree__ct_key *key, pytree_error *err)
{
    const bool numbered = key->numbered;
    if (!numbered && key->name == NULL) { return pytree__ct_key_error(PYTREE_NULL_POINTER, "a key", key, err); }
    if (numbered && c->type->kind == PYTREE_KIND_NAMEDTUPLE) {
        return pytree__ct_key_error(PYTREE_ARGUMENT, "the name of a field", key, err);
    }
    if (c->items.count != 0 && numbered != c->numbered) {
        return pytree__ct_key_error(PYTREE_ARGUMENT,
                                    c->numbered ? "a number, as the other keys" : "a string, as the other keys", key, err);
    }
    if (numbered != c->numbered) {
        stbds_arrfree(c->owned);          /* rows of the other kind of pairs: as if there were none yet */
        stbds_arrfree(c->rows);
        pytree__ct_number_keys(c, numbered);
        pytree__ct_show_rows(c);
    }
    return PYTREE_OK;
}

/* A new pair at the end; `place` is its key's in the order. */
static pytree_status pytree__ct_add_pair(pytree__container *c, size_t place, const pytree__ct_key *key, pytree value, int how,
                                      pytree_error *err)
{
    const size_t n = c->items.count, bytes = c->numbered ? 0 : strlen(key->name) + 1;
    char *name = NULL;
    pytree_status status;
    if (n >= UINT32_MAX) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected a %s of at most %lu keys, got one more", c->type->name,
                           (unsigned long)UINT32_MAX);
    }
    status = pytree__ct_row_room(c, n, err);
    if (status != PYTREE_OK) { return status; }
    if (!c->numbered) {
        name = (char *)pytree__resize(c->copying.allocator, NULL, 0, bytes);
        if (name == NULL) { return pytree__no_memory(err, bytes); }
        memcpy(name, key->name, bytes);
    }
    status = pytree__ct_hold(c, &value, how, err);
    if (status != PYTREE_OK) {
        if (name != NULL) { pytree__resize(c->copying.allocator, name, bytes, 0); }
        return status;
    }
    pytree__ct_open_row(c, n);
    if (c->numbered) { memcpy(pytree__ct_row(c, n), &key->number, sizeof key->number); }
    else { memcpy(pytree__ct_row(c, n), &name, sizeof name); }
    pytree__ct_fill_row(c, n, value, how);
    memmove(c->order + place + 1, c->order + place, (n - place) * sizeof *c->order);
    c->order[place] = (uint32_t)n;
    return PYTREE_OK;
}

static pytree_status pytree__ct_put_pair(pytree dict, pytree__ct_key key, pytree value, int how, pytree_error *err)
{
    pytree__container *c = pytree__ct_to_change(dict, true, err);
    pytree_status status = c == NULL ? PYTREE_ARGUMENT : pytree__ct_accept_key(c, &key, err);
    size_t place;
    if (status != PYTREE_OK) { return status; }
    if (pytree__ct_find_key(&c->items, c->order, &key, &place)) {
        return pytree__ct_replace(c, c->order[place], value, how, err);
    }
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
    size_t place;
    if (items == NULL || !pytree__keyed(dict.type)) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a dict or namedtuple, got %s",
                    dict.type == NULL ? "no value" : dict.type->name);
        return pytree__ct_no_value();
    }
    if (!pytree__ct_find_key(items, order, &key, &place)) {
        pytree__ct_key_error(PYTREE_NOT_FOUND, "a key that is there", &key, err);
        return pytree__ct_no_value();
    }
    if (order != NULL) { place = order[place]; }
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

static pytree_status pytree__ct_take_pair(pytree dict, pytree__ct_key key, pytree *value, bool *owned, pytree_error *err)
{
    pytree__container *c = pytree__ct_to_change(dict, true, err);
    size_t place, row, i;
    if (c == NULL) { return PYTREE_ARGUMENT; }
    if (!pytree__ct_find_key(&c->items, c->order, &key, &place)) {
        return pytree__ct_key_error(PYTREE_NOT_FOUND, "a key that is there", &key, err);
    }
    row = c->order[place];
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
    const pytree_status status = pytree__ct_take_pair(dict, key, &value, &owned, err);
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
    pytree__ct_take_pair(dict, pytree__ct_string_key(key), &value, &owned, err);
    return value;
}
pytree pytree_dict_take_int(pytree dict, int64_t key, pytree_error *err)
{
    pytree value = pytree__ct_no_value();
    bool owned;
    pytree__ct_take_pair(dict, pytree__ct_int_key(key), &value, &owned, err);
    return value;
}

#ifdef __cplusplus
}
#endif
#endif
