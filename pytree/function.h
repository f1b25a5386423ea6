/* pytree/function.h: functions from trees to trees as values, called with checks.
 *
 * **Literals end with their block.** PYTREE_TYPES at the top of a file lives as long as the program; in a function it lives
 * until the end of the block it stands in, and so do the transforms of pytree/transform.h. A prepared function borrows the
 * function that it was made of: never return a pointer to such a literal, and free what was prepared before its block ends.
 *
 *     static pytree_status forward(void *context, const pytree_call *at)             // (Linear, x) -> y
 *     {
 *         const Linear *layer = at->arg[0];                                          // structs arrive as structs,
 *         const float *x = at->arg[1];                                               // arrays as their first element
 *         float *y = at->res[0];
 *         …
 *     }
 *     static const pytree_fn linear = {
 *         .name = "linear", .call = forward, .takes = PYTREE_TYPES(PYTREE_TYPE(Linear), PYTREE_TYPE(float)) };
 *
 *     pytree_apply(&linear, 2, (pytree[2]){ PYTREE(&layer), PYTREE_ARRAY(x, 784) }, PYTREE_ARRAY(y, 10), NULL, …);
 *
 * A *function* (pytree_fn) is a callback with a context, and what is known about it: the types it takes and gives, the
 * structure of its result, its rules for derivatives and batches. A *transform* makes a function of a function. One call runs
 * either of them, and there are three ways to call:
 *
 *     pytree_apply               checks everything and calls, into a tree that exists
 *     pytree_apply_new           the same, into new memory
 *     pytree_prepare, _run       checks once, runs often: a run costs a few nanoseconds and allocates nothing
 *
 * The trees that a function takes and gives are made of leaves (numbers, arrays, strings) in any containers and structs. None
 * is a node without leaves. Of pytree_options the allocator, the alignment and the namespace are used. The rules of pytree.h
 * hold. Functions may be called from many threads if their callbacks may; a prepared function serves one thread at a time.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "algebra.h"                      /* pytree_flat_free, prefixes of axes */

#ifndef PYTREE_FUNCTION_H
#define PYTREE_FUNCTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions ----------------------------------------------------------------------------------------------------- */

/* The arguments and the memory for the result, as a callback is given them. Pointers and views are valid during the call. */
typedef struct pytree_call {
    /* Argument k, and part k of the result (a tuple has its children for parts, any other result is one part): the struct
     * itself, or the first element of an array or scalar. NULL for any other tree: see in, out, args. What is written to a
     * struct of the result is written to its leaves, and the other way round. */
    void *const *arg, *const *res;
    const pytree_leaf *in, *out;          /* each leaf of all arguments, of the result, in order */
    const size_t *in_first, *out_first;   /* where those of argument k, of part k begin; one more entry at the end */
    const pytree *args;                   /* the arguments as trees, for functions that take trees */
    pytree all;                           /* all arguments as one tuple */
    pytree result;                        /* the result as a tree */
    size_t n_args, n_res, n_in, n_out;
    size_t index;                         /* of the element, step or iteration; 0 elsewhere */
    const bool *mapped;                   /* in a batch rule: which of `in` have a first axis (`size` long) more, or NULL */
    size_t size;
    const bool *wanted;                   /* in a vjp rule: which of `out` are wanted, or NULL: all. Memory is there for each */
    const pytree_options *opt;            /* to be handed on to tree functions, */
    pytree_error *err;                    /* as is this; a failure that sets no error gets the name of its status */
    struct pytree__fn_bound *bound;       /* private */
} pytree_call;

/* Compute at->out from at->in. Returns PYTREE_OK; any other status ends the whole call and becomes its result. */
typedef pytree_status pytree_call_fn(void *context, const pytree_call *at);

/* A function from trees to a tree. Plain data: name the members (.call = f), the rest is zero; `static const` or a literal. All
 * that is made of it borrows it. */
typedef struct pytree_fn {
    const char *name;                     /* in messages, and the key of PYTREE_SELECT; NULL: "function" */
    pytree_call_fn *call;
    void *context;
    /* Types of the arguments, and of the parts of the result: a registered struct, or the element type of an array or scalar.
     * PYTREE_ANY: any tree, which is never made a struct. NULL: nothing is checked. Otherwise there is one for each, checked
     * before anything is called. */
    const pytree_type *const *takes, *const *gives;
    /* Say what the result is: `return pytree_result_like(at, tree)`. Only structure, types and shapes of at->in may be looked
     * at; their data is NULL. NULL: callers must give a tree to write into. jax.eval_shape. */
    pytree_call_fn *shape;
    /* Rules; NULL: none. They are functions, and may have rules themselves.
     *   jvp    (arguments ..., result, tangents of the arguments ...) -> tangent of the result            jax.custom_jvp
     *   vjp    (arguments ..., result, cotangent of the result) -> cotangents of the arguments, a tuple   jax.custom_vjp
     *   batch  (arguments ...), of which at->mapped have a first axis -> result with a first axis: one call for all elements
     * autoform's set_pushforward, set_pullback, set_batch. */
    const struct pytree_fn *jvp, *vjp, *batch;
    const struct pytree__fn_kind *kind;   /* private: of transforms and traced functions */
} pytree_fn;

/* List types for takes and gives: PYTREE_TYPES(PYTREE_TYPE(Linear), PYTREE_TYPE(float)). */
#define PYTREE_TYPES(...) ((const pytree_type *const[]){ __VA_ARGS__, NULL })

/* Any tree, in takes and gives. */
#define PYTREE_ANY ((const pytree_type *)(const void *)pytree_any_tree)
extern const char pytree_any_tree[1];

/* Make a leaf without data, for shapes: PYTREE_SHAPED(float, 2, 3); without extents a scalar, PYTREE_SHAPED(float). It can be
 * printed, flattened and passed to pytree_eval_shape; its elements cannot be read. It lives as long as the enclosing block.
 * jax.ShapeDtypeStruct. */
#define PYTREE_SHAPED(...)                                                                                              \
    PYTREE__SHAPED_PICK(__VA_ARGS__, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, ARRAY,       \
        ARRAY, ARRAY, ARRAY, ARRAY, ARRAY, SCALAR, 0)(__VA_ARGS__)
#define PYTREE__SHAPED_PICK(T, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, name, ...) PYTREE__SHAPED_##name
#define PYTREE__SHAPED_SCALAR(T) PYTREE__SHAPED(.type = PYTREE_TYPE(T))
#define PYTREE__SHAPED_ARRAY(T, ...)                                                                                    \
    PYTREE__SHAPED(.type = PYTREE_TYPE(T), .shape = { __VA_ARGS__ },                                                    \
        .ndim = (int)(sizeof((const size_t[]){ __VA_ARGS__ }) / sizeof(size_t)))
#define PYTREE__SHAPED(...)                                                                                             \
    ((pytree){ &pytree_types[PYTREE__T_flat],                                                                           \
               &(pytree_flat){ .def = &pytree_leaf_def, .leaves = &(pytree_leaf){ __VA_ARGS__ } } })
extern const pytree_def pytree_leaf_def;                       /* the structure of one leaf */

/* Say, in a shape callback, that the result has the structure, types and shapes of a tree, whose values do not matter and may
 * be missing. Returns PYTREE_OK; the tree is needed only during the call. */
pytree_status pytree_result_like(const pytree_call *at, pytree like);

/* Ready-made shape callbacks: the result is like argument 0; one float; one double. */
pytree_status pytree_result_first(void *context, const pytree_call *at);
pytree_status pytree_result_f32(void *context, const pytree_call *at);
pytree_status pytree_result_f64(void *context, const pytree_call *at);

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* Who calls tasks 0 ... n-1, in any order or at once, and returns when all are done; n is at most `workers`. With OpenMP it is
 * a `parallel for` around task(arg, i). The library starts no threads. */
typedef struct pytree_executor {
    void (*run)(void *context, size_t n, void (*task)(void *arg, size_t i), void *arg);
    void *context;
    size_t workers;
} pytree_executor;

/* Options of a call. NULL or zero: the defaults. */
typedef struct pytree_fn_options {
    pytree_options tree;                  /* allocator, alignment of new arrays, namespace */
    const pytree_executor *executor;      /* of PYTREE_VMAP; NULL: one element after another */
    pytree_report_fn *report;             /* gets every mismatch, not only the first; NULL: nobody does */
    void *report_context;
} pytree_fn_options;

/* ---- Calls --------------------------------------------------------------------------------------------------------- */

/* Call f with n arguments and write the result into a tree that exists: f(*args). Returns PYTREE_OK. Everything is checked
 * before anything is called or written: structures, types, shapes (PYTREE_STRUCTURE, _TYPE, _SHAPE with the path), and that the
 * result shares no memory with the arguments or itself (PYTREE_SHARED). If f itself fails, its status is returned and the
 * result holds what was written by then. `out` PYTREE_NONE: f gives nothing. At most 3 allocations, and the scratch memory of
 * transforms. */
pytree_status pytree_apply(const pytree_fn *f, size_t n, const pytree *args, pytree out, const pytree_fn_options *opt,
                           pytree_error *err);

/* Call f and make its result: a treedef, and leaves with data of their own (strings, too), in one block to be freed with
 * pytree_flat_free; `def` is NULL on error. f must say what it gives: by `shape`, or because it is a transform of such a
 * function; otherwise PYTREE_ARGUMENT. */
pytree_flat pytree_apply_new(const pytree_fn *f, size_t n, const pytree *args, const pytree_fn_options *opt, pytree_error *err);

/* Find out what f gives, without calling it: jax.eval_shape. Returns structure, types and shapes of the result, as views whose
 * data is NULL, to be freed with pytree_flat_free; `def` is NULL on error. Arguments may be without data (PYTREE_SHAPED, the
 * result of another pytree_eval_shape). pytree_print shows it. */
pytree_flat pytree_eval_shape(const pytree_fn *f, size_t n, const pytree *args, const pytree_fn_options *opt,
                              pytree_error *err);

/* A function with all that does not depend on values done: checks, prefixes, scratch memory, traces. */
typedef struct pytree_prepared pytree_prepared;

/* Prepare a call of f. Returns it, to be freed with pytree_prepared_free, or NULL on error. Borrows f with its literals, and
 * the memory of the arguments' and the result's leaves, until then; structs that contain them must not move, either. One thread
 * at a time may run it. */
pytree_prepared *pytree_prepare(const pytree_fn *f, size_t n, const pytree *args, pytree out, const pytree_fn_options *opt,
                                pytree_error *err);

/* Run a prepared function on what its arguments' memory holds now. Returns PYTREE_OK or the status of what failed. No
 * allocation, unless operations make strings: those live until the next run. */
pytree_status pytree_run(pytree_prepared *p, pytree_error *err);

/* Run a prepared function on other trees, whose structure, types and shapes must be equal to those it was prepared with
 * (PYTREE_STRUCTURE, _TYPE, _SHAPE with the path), and then keep to these: pytree_run works on them next. Allocates only where
 * the trees are deeper than 24 levels. */
pytree_status pytree_run_on(pytree_prepared *p, size_t n, const pytree *args, pytree out, pytree_error *err);

/* Free a prepared function. NULL is fine. */
void pytree_prepared_free(pytree_prepared *p);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/function_plan.h"    /* the first of its rooms; each includes the next */
#endif
