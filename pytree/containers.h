/* pytree/containers.h: lists, dicts and the like that grow while the program runs.
 *
 * PYTREE_LIST(…) and its kin are literals: their shape stands in the source. These are for trees whose shape only the program
 * knows.
 *
 *     pytree model = pytree_new_dict(NULL, &err), layers = pytree_new_list(NULL, &err);
 *     pytree_dict_put_own(model, "layers", layers, &err);          // model frees it from here on
 *     for (i = 0; i < n; i++) { pytree_list_append(layers, PYTREE(&layer[i]), &err); }
 *     pytree_dict_put_copy(model, "step", PYTREE_INT(0), &err);    // the literal need not live on
 *     pytree_print(stdout, model, NULL, NULL);
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

/* ---- Dicts, ordered dicts, default dicts, namedtuples -------------------------------------------------------------- */

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

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/containers.h"                          /* and from there containers_list.h, containers_dict.h */
#endif
