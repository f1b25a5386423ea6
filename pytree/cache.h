/* pytree/cache.h: values kept by structure: workspaces, plans, generated code, prepared functions.
 *
 * **Literals end with their block.** A pytree_jit borrows its function until it is freed: one of PYTREE_VMAP(…) or another
 * literal must not outlive the block that the literal stands in.
 *
 *     static pytree_status make_plan(void *context, const pytree_flat *key, void **value, pytree_error *err)
 *     {
 *         *value = …;                                                              // a plan for key->leaves[0].shape[0]
 *         return *value != NULL ? PYTREE_OK : pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected a plan, got none");
 *     }
 *     pytree_cache *plans = pytree_cache_new(&(pytree_cache_options){ .capacity = 16, .release = free_plan }, &err);
 *     fft_run(pytree_cache_get(plans, PYTREE_ARRAY(x, n), make_plan, NULL, &err), x);
 *
 * The key of a value is a tree's structure with its static fields, and the element types and shapes of its leaves; what the
 * leaves hold does not matter. That is what keys jax.jit. To key by more, put it into the tree: PYTREE_TUPLE(model,
 * PYTREE(&settings)), where the settings are a struct of STATIC rows.
 *
 * A cache and a pytree_jit serve one thread at a time. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "function.h"

#ifndef PYTREE_CACHE_H
#define PYTREE_CACHE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Caches -------------------------------------------------------------------------------------------------------- */

typedef struct pytree_cache pytree_cache;

/* Options of a cache. NULL or zero: the defaults. */
typedef struct pytree_cache_options {
    pytree_options tree;                  /* of the keys, as everywhere; allocator also of the cache */
    size_t capacity;                      /* most values; the least recently used makes room. 0: no limit */
    void (*release)(void *context, void *value);               /* is given each value that goes; NULL: nothing is done */
    void *context;
} pytree_cache_options;

/* How a cache was used. */
typedef struct pytree_cache_stats {
    size_t hits, misses, evictions, entries;
} pytree_cache_stats;

/* Make the value for a key that has none. Returns PYTREE_OK and the value in *value, which must not be NULL; another status
 * leaves the cache as it is. The key's leaves are shapes: their data is NULL. They are valid during the call. */
typedef pytree_status pytree_make_fn(void *context, const pytree_flat *key, void **value, pytree_error *err);

/* Make an empty cache. Returns it, to be freed with pytree_cache_free, or NULL on error. The options are copied. */
pytree_cache *pytree_cache_new(const pytree_cache_options *opt, pytree_error *err);

/* Free a cache; each of its values is released. NULL is fine. */
void pytree_cache_free(pytree_cache *cache);

/* Get the value of a tree's structure, types and shapes. Returns it: one that is there (a hit), or the one that `make` makes (a
 * miss); NULL on error. It is the cache's, and stays until it has to make room for others. A hit allocates nothing, unless the
 * tree is larger than those before it. O(nodes). */
void *pytree_cache_get(pytree_cache *cache, pytree key, pytree_make_fn *make, void *context, pytree_error *err);

/* Find the value of a tree's structure, types and shapes. Returns it, or NULL: then there is none, or *err says why. Counts as
 * a hit or a miss. */
void *pytree_cache_find(pytree_cache *cache, pytree key, pytree_error *err);

/* Count how the cache was used. Returns zeros for NULL. */
pytree_cache_stats pytree_cache_count(const pytree_cache *cache);

/* ---- Functions prepared once for each structure -------------------------------------------------------------------- */

typedef struct pytree_jit pytree_jit;

/* Make a function that is prepared once for each structure it is called with: jax.jit. Returns it, to be freed with
 * pytree_jit_free, or NULL on error. `f` with its literals must outlive it. At most `capacity` prepared functions are kept (0:
 * no limit). The options are those of pytree_prepare. */
pytree_jit *pytree_jit_new(const pytree_fn *f, size_t capacity, const pytree_fn_options *opt, pytree_error *err);

/* Call it like pytree_apply. Returns PYTREE_OK. A call with structures, types and shapes that it has been called with before
 * checks nothing but that the result shares no memory with the arguments, and allocates nothing. Structs are given to callbacks
 * as structs that are built when the function is prepared: their DROP fields are zero. */
pytree_status pytree_jit_call(pytree_jit *jit, size_t n, const pytree *args, pytree out, pytree_error *err);

/* Count how it was used: `misses` is how often the function was prepared, or traced. Returns zeros for NULL. */
pytree_cache_stats pytree_jit_count(const pytree_jit *jit);

/* Free it with all that was prepared. NULL is fine. */
void pytree_jit_free(pytree_jit *jit);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/cache.h"    /* the first of its rooms; each includes the next */
#endif
