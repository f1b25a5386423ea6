/* pytree/transform.h: transforms: functions made of functions. vmap, scan, loops, branches.
 *
 * **Literals end with their block.** Each macro gives a `const pytree_fn *` made of literals, which lives until the end of the
 * block that it stands in: a function that returns PYTREE_VMAP(…) returns a dangling pointer. To keep a transform longer, fill
 * in its struct, say a static pytree_vmap_of, and refer to it from a pytree_fn: { .kind = &pytree_vmap_kind, .context = &of }.
 *
 *     static const pytree_fn linear = { .name = "linear", .call = … };            // (Linear, f32[784]) -> f32[10]
 *     pytree_apply(PYTREE_VMAP(&linear, .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0))), 2,
 *                  (pytree[2]){ PYTREE(&layer), PYTREE_ARRAY(x[0], 32, 784) }, PYTREE_ARRAY(y[0], 32, 10), NULL, &err);
 *
 * Transforms nest in any order: PYTREE_VMAP(PYTREE_SCAN(&step)), PYTREE_SCAN(PYTREE_VMAP(&step, …)). What depends on
 * structure, types and shapes is checked before anything is called, with the path of each mismatch; a run allocates nothing.
 * A struct argument arrives as a struct: the caller's own where nothing in it is mapped or carried, otherwise one whose leaves
 * are set before each call (its DROP fields are zero).
 *
 * A transform knows its result if its function does (pytree_fn.shape). Otherwise it is what the caller's tree says.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "function.h"

#ifndef PYTREE_TRANSFORM_H
#define PYTREE_TRANSFORM_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pytree__fn_kind pytree_fn_kind;

/* ---- vmap ---------------------------------------------------------------------------------------------------------- */

/* Call a function for each element along an axis of its arguments: jax.vmap.
 *
 * in_axes: a prefix of the tuple of arguments. Its leaves are integers, negative from the end, or None: not mapped, each call
 * gets the whole. Left out: 0 for all. A list at the top counts as a tuple. out_axes: the same for the result; None: f must
 * give the same for all elements (PYTREE_VALUE if not). All mapped axes must have one size; axis_size says it where nothing is
 * mapped. f is called once for each element, with its number in at->index, or f's batch rule once for all. With 0 elements it
 * is not called. With an executor (pytree_fn_options), elements are divided among tasks, each with a pytree_call of its own.
 *
 * Errors: PYTREE_STRUCTURE if axes are no prefix, PYTREE_TYPE for an axis that is no integer, PYTREE_SHAPE for an axis that a
 * leaf does not have and for sizes that differ, PYTREE_ARGUMENT if there is no size. Elements along a first axis are views;
 * along other axes they are copied, a cache line at a time. */
typedef struct pytree_vmap_of {
    const pytree_fn *f;
    pytree in_axes, out_axes;
    size_t axis_size;
} pytree_vmap_of;
extern const pytree_fn_kind pytree_vmap_kind;
#define PYTREE_VMAP(...) PYTREE__TRANSFORM(pytree_vmap_kind, pytree_vmap_of, .f = __VA_ARGS__)

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

/* Carry a tree through the elements of others: jax.lax.scan, (carry, xs) -> (carry, ys) for f: (carry, x) -> (carry, y).
 *
 * xs are taken along the first axis of each leaf, the last first if `reverse`; ys get a first axis. xs may be None if `length`
 * says how many steps there are, and so may ys. The carry must keep its structure, types and shapes. Carries go back and forth
 * between the result and one copy. With in_place there is one carry, which f changes: at->res[0] is at->arg[0]. */
typedef struct pytree_scan_of {
    const pytree_fn *f;
    size_t length;                        /* 0: that of xs */
    bool reverse, in_place;
} pytree_scan_of;
extern const pytree_fn_kind pytree_scan_kind;
#define PYTREE_SCAN(...) PYTREE__TRANSFORM(pytree_scan_kind, pytree_scan_of, .f = __VA_ARGS__)

/* Repeat while a condition holds: jax.lax.while_loop, carry -> carry. cond: carry -> one bool; body: carry -> carry. After
 * max_iters steps it ends in any case (0: no limit). autoform.while_loop. */
typedef struct pytree_while_of {
    const pytree_fn *cond, *body;
    size_t max_iters;
    bool in_place;
} pytree_while_of;
extern const pytree_fn_kind pytree_while_kind;
#define PYTREE_WHILE(condition, ...)                                                                                    \
    PYTREE__TRANSFORM(pytree_while_kind, pytree_while_of, .cond = condition, .body = __VA_ARGS__)

/* Repeat for i from `from` up to, but without, `to`: jax.lax.fori_loop, carry -> carry. body: (i, carry) -> carry, i an
 * int64_t. */
typedef struct pytree_fori_of {
    const pytree_fn *body;
    int64_t from, to;
    bool in_place;
} pytree_fori_of;
extern const pytree_fn_kind pytree_fori_kind;
#define PYTREE_FORI(...) PYTREE__TRANSFORM(pytree_fori_kind, pytree_fori_of, .body = __VA_ARGS__)

/* ---- Branches ------------------------------------------------------------------------------------------------------ */

/* Call one of n functions with the remaining arguments: (which, operands …) -> its result. The results of functions that know
 * theirs must be alike.
 *
 *     PYTREE_COND(&yes, &no)             which: one bool or number, yes if it is not 0                      jax.lax.cond
 *     PYTREE_SWITCH(&a, &b, &c)          which: one integer, clamped to 0 … n-1                             jax.lax.switch
 *     PYTREE_SELECT(&a, &b, &c)          which: one string, the name of a function (PYTREE_NOT_FOUND)         autoform.switch
 */
typedef struct pytree_switch_of {
    const pytree_fn *const *branches;
    size_t n;
} pytree_switch_of;
extern const pytree_fn_kind pytree_cond_kind, pytree_switch_kind, pytree_select_kind;
#define PYTREE_COND(yes, no) PYTREE__BRANCHES(pytree_cond_kind, no, yes)
#define PYTREE_SWITCH(...) PYTREE__BRANCHES(pytree_switch_kind, __VA_ARGS__)
#define PYTREE_SELECT(...) PYTREE__BRANCHES(pytree_select_kind, __VA_ARGS__)

/* ---- Batches of containers ----------------------------------------------------------------------------------------- */

/* Call a function for each element of containers: autoform.batch. Where f has a leaf, the batched arguments have a list, tuple
 * or other container with a leaf for each element, all of one kind and length; so has the result, a list if nothing but the
 * size is known. in_axes: a prefix of booleans, which leaves are batched (left out: all). like: the structure of one
 * element's arguments as a tuple; NULL: that of the batched ones without their innermost containers. */
typedef struct pytree_batch_of {
    const pytree_fn *f;
    const pytree_def *like;
    pytree in_axes;
} pytree_batch_of;
extern const pytree_fn_kind pytree_batch_kind;
#define PYTREE_BATCH(...) PYTREE__TRANSFORM(pytree_batch_kind, pytree_batch_of, .f = __VA_ARGS__)

/* A function of a kind, with the literal of its struct:
 *
 *     PYTREE_VMAP(&f)   =>   (&(const pytree_fn){ .kind = &pytree_vmap_kind, .context = &(pytree_vmap_of){ .f = &f } })
 */
#define PYTREE__TRANSFORM(k, T, ...) (&(const pytree_fn){ .kind = &k, .context = &(T){ __VA_ARGS__ } })
#define PYTREE__BRANCHES(k, ...)                                                                                        \
    PYTREE__TRANSFORM(k, pytree_switch_of, .branches = (const pytree_fn *const[]){ __VA_ARGS__ },                       \
                      .n = sizeof((const pytree_fn *const[]){ __VA_ARGS__ }) / sizeof(pytree_fn *))

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/transform_axes.h"    /* the first of its rooms; each includes the next */
#endif
