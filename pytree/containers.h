/* pytree/containers.h: lists, dicts and other containers that grow while the program runs.
 *
 * PYTREE_LIST(…) and its kin are literals: their shape is fixed in the source. These containers are for trees whose shape is
 * known only at run time.
 *
 *     pytree model = pytree_new_dict(NULL, &err), layers = pytree_new_list(NULL, &err);
 *     pytree_dict_put_own(model, "layers", layers, &err);          // model frees it from here on
 *     for (i = 0; i < n; i++) { pytree_list_append(layers, PYTREE(&layer[i]), &err); }
 *     pytree_dict_put_copy(model, "step", PYTREE_INT(0), &err);    // the literal need not live on
 *     pytree_print(stdout, model, NULL, &err);
 *     pytree_container_free(model);
 *
 * A growing container is a `pytree` of the built-in type (list, tuple, dict, OrderedDict, namedtuple, defaultdict, deque), so
 * that every operation works on it as on a literal. It is passed by value: copies of the `pytree` refer to the same
 * container.
 *
 * The function that inserts a value decides who owns it:
 *
 *     pytree_list_append         the container only refers to the value, which must outlive its place there; PYTREE_INT(3) and
 *                                other literals end with the block in which they stand
 *     pytree_list_append_copy    the container owns a deep copy (pytree_clone)
 *     pytree_list_append_own     the container owns the value from then on: a growing container, or a tree returned by
 *                                pytree_clone, pytree_unflatten or the like. If the call fails, the caller still owns it
 *
 * A container frees the values that it owns when they are replaced, removed or dropped, and when it is cleared or freed;
 * values that it refers to are left alone. A value that has been freed must not be used. A container that refers to itself is
 * found by the walks over it (PYTREE_CYCLE); one that would own itself is refused.
 *
 * The rules of pytree.h hold: `err` may be NULL and the first error stays; after a failure container and value are unchanged.
 * A container of another kind (a literal, a clone, NULL because pytree_new_… failed) is PYTREE_ARGUMENT, except for the
 * functions that only read. Several threads may read one container at once; a thread that changes it needs exclusive access
 * and must not be iterating over it, because values move.
 *
 * Memory: the arrays are stb_ds arrays, allocated with STBDS_REALLOC and STBDS_FREE. The rest (container, keys, copies) comes
 * from opt->allocator of pytree_new_…, which the container remembers and which must outlive it, together with the alignment
 * and the namespace for copies. A copy of a number takes eight bytes in a slab that the container keeps until it is cleared;
 * pytree_list_take and pytree_dict_take give it a block of its own, for which there must be memory. A value takes one byte more
 * than its pytree or pair, in a dict four more, in one of many keys up to 24 more; in a list of chunks, which may be half
 * empty, one more and its share of a chunk's index of 96 bytes.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_CONTAINERS_H
#define PYTREE_CONTAINERS_H

#if !PYTREE__HAS_STB
#error "pytree/containers.h needs stb_ds.h: install libstb-dev (Debian, Ubuntu), stb-devel (Fedora), or copy stb_ds.h beside \
pytree.h. A compiler without __has_include must be told of it: define PYTREE_STB_DS."
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Make and free ------------------------------------------------------------------------------------------------- */

/* Make an empty container. Returns it, freed with pytree_container_free; data NULL if memory runs out. The options give
 * allocator, alignment and namespace. Names are copied and may be NULL: a namedtuple without a name, a default dict with the
 * factory None (it is only a name: lookups make no values). A deque keeps at most `maxlen` values (PYTREE_UNBOUNDED: all).
 * One allocation. */
pytree pytree_new_list(const pytree_options *opt, pytree_error *err);
pytree pytree_new_tuple(const pytree_options *opt, pytree_error *err);
pytree pytree_new_dict(const pytree_options *opt, pytree_error *err);
pytree pytree_new_odict(const pytree_options *opt, pytree_error *err);
pytree pytree_new_defaultdict(const char *factory, const pytree_options *opt, pytree_error *err);
pytree pytree_new_namedtuple(const char *name, const pytree_options *opt, pytree_error *err);
pytree pytree_new_deque(size_t maxlen, const pytree_options *opt, pytree_error *err);

/* Free a growing container, its keys and the values it owns, however deep; nothing recurses, nothing is allocated. A
 * container that another one owns is left alone, since its owner frees it; so is anything that is no growing container, which
 * pytree_free frees, as it does these. NULL data is fine. */
void pytree_container_free(pytree t);

/* Remove all values: clear() in Python. The container keeps its capacity. */
pytree_status pytree_container_clear(pytree t, pytree_error *err);

/* Count the values of a list, tuple, deque, dict or namedtuple, growing or not; 0 for anything else. O(1). */
size_t pytree_container_length(pytree t);

/* ---- Lists, tuples, deques ----------------------------------------------------------------------------------------- */

/* Append a value: list.append. A full deque drops its first value. O(1) amortized: the capacity doubles.
 *
 * Indices count from 0, or back from the end from -1, as in Python. An index out of range is PYTREE_NOT_FOUND. */
pytree_status pytree_list_append(pytree list, pytree value, pytree_error *err);
pytree_status pytree_list_append_copy(pytree list, pytree value, pytree_error *err);
pytree_status pytree_list_append_own(pytree list, pytree value, pytree_error *err);

/* Insert a value at the front of a deque: deque.appendleft. A full one drops its last value. O(1) amortized. */
pytree_status pytree_deque_append_left(pytree deque, pytree value, pytree_error *err);
pytree_status pytree_deque_append_left_copy(pytree deque, pytree value, pytree_error *err);
pytree_status pytree_deque_append_left_own(pytree deque, pytree value, pytree_error *err);

/* Insert a value before index i (the length: at the end): list.insert, but with a range check. A full deque is
 * PYTREE_ARGUMENT. O(log n) expected, amortized: a list moves at most 16 * PYTREE_CHUNK_ROWS values (2,048) for one that comes
 * or goes; a longer one, changed far from both ends, becomes chunks with an index. Walks and pytree_list_get follow that. */
pytree_status pytree_list_insert(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_insert_copy(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_insert_own(pytree list, ptrdiff_t i, pytree value, pytree_error *err);

/* Replace value i: list[i] = value. Setting the value that is already there keeps its owner. O(1), in chunks O(log n). */
pytree_status pytree_list_set(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_set_copy(pytree list, ptrdiff_t i, pytree value, pytree_error *err);
pytree_status pytree_list_set_own(pytree list, ptrdiff_t i, pytree value, pytree_error *err);

/* Get value i of any list, tuple or deque, growing or not. Returns it borrowed; type NULL if there is none. O(1), in
 * chunks O(log n). */
pytree pytree_list_get(pytree list, ptrdiff_t i, pytree_error *err);

/* Remove value i: del list[i]; _take returns it: list.pop(i), deque.popleft() for 0. The caller then owns what the list
 * owned. Type NULL on failure. Cost as of pytree_list_insert. */
pytree_status pytree_list_remove(pytree list, ptrdiff_t i, pytree_error *err);
pytree pytree_list_take(pytree list, ptrdiff_t i, pytree_error *err);

/* ---- Dicts, ordered dicts, default dicts, namedtuples ----------------------------------------------------------------- */

/* Set the value of a key, at the end if the key is new: dict[key] = value. Keys are strings or numbers, all of one kind as
 * long as there are any (PYTREE_ARGUMENT), and are copied. The keys of a namedtuple are its fields, which are strings. Values
 * keep the order in which their keys were first inserted; a dict also maintains the sorted order, so that walks need not
 * sort. O(log n) amortized. At most 2^32 - 1 keys: PYTREE_OVERFLOW.
 *
 * Up to PYTREE_SORTED_KEYS keys (32,768) the sorted order is always known, for which a key moves four bytes for each greater
 * one. Beyond, keys are in a hash table; after keys out of order and removals each walk sorts them, until the table grows. */
pytree_status pytree_dict_put(pytree dict, const char *key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_copy(pytree dict, const char *key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_own(pytree dict, const char *key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_int(pytree dict, int64_t key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_int_copy(pytree dict, int64_t key, pytree value, pytree_error *err);
pytree_status pytree_dict_put_int_own(pytree dict, int64_t key, pytree value, pytree_error *err);

/* Get the value of a key of any dict or namedtuple, growing or not. Returns it borrowed; type NULL and PYTREE_NOT_FOUND if
 * the key is missing. At most O(log n); O(n) if no order is kept (literals; ordered dicts and namedtuples that do not
 * grow). */
pytree pytree_dict_get(pytree dict, const char *key, pytree_error *err);
pytree pytree_dict_get_int(pytree dict, int64_t key, pytree_error *err);

/* Remove a key: del dict[key]; _take returns its value: dict.pop(key). The caller then owns what the dict owned. Type NULL on
 * failure, PYTREE_NOT_FOUND if the key is missing. The other keys keep their order. O(log n) amortized; up to
 * PYTREE_SORTED_KEYS keys O(n). */
pytree_status pytree_dict_remove(pytree dict, const char *key, pytree_error *err);
pytree_status pytree_dict_remove_int(pytree dict, int64_t key, pytree_error *err);
pytree pytree_dict_take(pytree dict, const char *key, pytree_error *err);
pytree pytree_dict_take_int(pytree dict, int64_t key, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/containers.h"    /* the first of its rooms; each includes the next */
#endif
