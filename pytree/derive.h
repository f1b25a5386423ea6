/* pytree/derive.h: derivatives: jvp, vjp, gradients, Jacobians, Hessians; by rules, by differences, and checks of one by the
 * other.
 *
 * **Literals end with their block.** Each macro gives a `const pytree_fn *` made of literals, which lives until the end of the
 * block that it stands in: do not return it, and free what was prepared from it before the block ends.
 *
 *     const pytree_fn *f = PYTREE_TRACED(loss);                                  // (MLP, x, y) -> one number
 *     pytree_prepared *step = pytree_prepare(PYTREE_VALUE_AND_GRAD(f), 3, (pytree[]){ PYTREE(&model), x, y },
 *                                            PYTREE_TUPLE(PYTREE(&value), gradients), NULL, &err);
 *     for (…) { pytree_run(step, &err); pytree_axpy(-0.1, gradients, PYTREE(&model), NULL, &err); }
 *
 * A derivative is a function like any other: it can be applied, prepared, mapped (per-example gradients are
 * PYTREE_VMAP(PYTREE_GRAD(f))), and differentiated again.
 *
 * What has derivatives:
 *   traced functions          of any order, by the rules of their operations (pytree/program.h)
 *   vmap, scan, fori, cond,   of any order, if what they are made of has; the reverse derivative of while needs max_iters.
 *   switch, select, while,    That of a scan keeps the carry of each step, and computes the rest of it again on the way
 *   batch                     back
 *   callbacks                 by their rules (pytree_fn.jvp, pytree_fn.vjp), and what those rules have
 *   PYTREE_NUMERIC(f)         any f, by differences: first derivatives
 * Any other function is PYTREE_ARGUMENT: "jvp of simulate: expected a rule (pytree_fn.jvp) or PYTREE_NUMERIC, got neither".
 *
 * Derivatives flow through f32 and f64 leaves. Tangents and cotangents have the structure, types and shapes of what they belong
 * to; those of integers and bool are not read, and are written as zeros.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h.
 */
#include "../pytree.h"
#include "ops.h"
#include "transform.h"

#ifndef PYTREE_DERIVE_H
#define PYTREE_DERIVE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Products with the Jacobian ------------------------------------------------------------------------------------- */

/* What PYTREE_JVP and PYTREE_VJP make a function of. */
typedef struct pytree_derivative_of {
    const pytree_fn *f;
} pytree_derivative_of;
extern const pytree_fn_kind pytree_jvp_kind, pytree_vjp_kind;

/* Push tangents forward: (arguments as a tuple, tangents as a tuple) -> (result, its tangent). jax.jvp, autoform.pushforward;
 * prepared, it is jax.linearize. */
#define PYTREE_JVP(...) PYTREE__TRANSFORM(pytree_jvp_kind, pytree_derivative_of, .f = __VA_ARGS__)

/* Pull a cotangent back: (arguments as a tuple, cotangent of the result) -> (result, cotangents as a tuple). jax.vjp,
 * autoform.pullback. */
#define PYTREE_VJP(...) PYTREE__TRANSFORM(pytree_vjp_kind, pytree_derivative_of, .f = __VA_ARGS__)

/* ---- Gradients ----------------------------------------------------------------------------------------------------- */

/* Numbers of arguments, negative from the end: PYTREE_ARGNUMS(2, 0). Left out: argument 0, and the derivative is no tuple. */
typedef struct pytree_argnums {
    size_t n;
    const int *at;
} pytree_argnums;
#define PYTREE_ARGNUMS(...)                                                                                             \
    ((pytree_argnums){ sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), (const int[]){ __VA_ARGS__ } })

/* The gradient of a function with one number for its result: (arguments …) -> gradient with respect to an argument, or to
 * several of them as a tuple. jax.grad, jax.value_and_grad, whose result is (value, gradient).
 *
 * has_aux: f gives (value, aux), and the result is (gradient, aux), or ((value, aux), gradient). allow_int: the gradient of
 * integers is zeros instead of PYTREE_TYPE. */
typedef struct pytree_grad_of {
    const pytree_fn *f;
    pytree_argnums argnums;
    bool has_aux, allow_int;
} pytree_grad_of;
extern const pytree_fn_kind pytree_grad_kind, pytree_value_and_grad_kind;
#define PYTREE_GRAD(...) PYTREE__TRANSFORM(pytree_grad_kind, pytree_grad_of, .f = __VA_ARGS__)
#define PYTREE_VALUE_AND_GRAD(...) PYTREE__TRANSFORM(pytree_value_and_grad_kind, pytree_grad_of, .f = __VA_ARGS__)

/* ---- Jacobians ----------------------------------------------------------------------------------------------------- */

/* How a Jacobian is computed: one column after the other, or one row after the other. */
enum { PYTREE_FORWARD = 1, PYTREE_REVERSE = 2 };

/* All derivatives: (arguments …) -> a tree of trees, the result's structure outside and the argument's inside; the shape of a
 * leaf is that of the result's leaf followed by that of the argument's. mode: PYTREE_FORWARD (jax.jacfwd), PYTREE_REVERSE
 * (jax.jacrev), 0: what takes fewer runs. has_aux: f gives (value, aux), and the result is (Jacobian, aux). No constructor
 * and no rebuild callback of the trees is called. */
typedef struct pytree_jacobian_of {
    const pytree_fn *f;
    pytree_argnums argnums;
    int mode;
    bool has_aux;
} pytree_jacobian_of;
extern const pytree_fn_kind pytree_jacobian_kind;
#define PYTREE_JACOBIAN(...) PYTREE__TRANSFORM(pytree_jacobian_kind, pytree_jacobian_of, .f = __VA_ARGS__)

/* Second derivatives of a function with one number for its result, forward over reverse: jax.hessian. */
#define PYTREE_HESSIAN(...) PYTREE_JACOBIAN(PYTREE_GRAD(__VA_ARGS__), .mode = PYTREE_FORWARD)

/* ---- Derivatives without rules ------------------------------------------------------------------------------------- */

/* f, with derivatives by central differences. step: relative to max(1, |x|); 0: the cube root of the element type's epsilon. A
 * jvp calls f twice, a vjp twice for each number. f must say what it gives (pytree_fn.shape). First derivatives only. */
typedef struct pytree_numeric_of {
    const pytree_fn *f;
    double step;
} pytree_numeric_of;
extern const pytree_fn_kind pytree_numeric_kind;
#define PYTREE_NUMERIC(...) PYTREE__TRANSFORM(pytree_numeric_kind, pytree_numeric_of, .f = __VA_ARGS__)

/* f over f64 leaves, with derivatives by a complex step: `twin` is the same function with C128 for each f64, and analytic.
 * Exact to rounding; a jvp calls the twin once, a vjp once for each number. First derivatives only. */
typedef struct pytree_complex_step_of {
    const pytree_fn *f, *twin;
} pytree_complex_step_of;
extern const pytree_fn_kind pytree_complex_step_kind;
#define PYTREE_COMPLEX_STEP(...) PYTREE__TRANSFORM(pytree_complex_step_kind, pytree_complex_step_of, __VA_ARGS__)

/* ---- Functions in bodies ------------------------------------------------------------------------------------------- */

/* Call any function from a traced body: with n trees of values (tr->arg is for pytree_value_of; these are made of PYTREE_V, or
 * tr->tree[k]). Returns the result as a tree of values, whose leaves pytree_value_at gets, and which lives as long as the
 * program; its data is NULL on error. What f is made of is recorded: scans and maps as one call, traced functions as theirs. */
pytree pytree_op_apply(pytree_trace *tr, const pytree_fn *f, size_t n, const pytree *args);

/* ---- Programs of functions ----------------------------------------------------------------------------------------- */

/* Trace a function for arguments, whose values do not matter and may be missing: jax.make_jaxpr, autoform.trace. Returns its
 * program, to be freed with pytree_program_free, or NULL on error. It has all that a traced body recorded; what runs, and what
 * is derived, is without the calls that no result needs. It borrows nothing of the arguments; of the function it borrows the
 * contexts of the callbacks that it calls. */
pytree_program *pytree_program_new(const pytree_fn *f, size_t n, const pytree *args, const pytree_fn_options *opt,
                                   pytree_error *err);

/* Free a program. Programs that are made of one another are freed once each, in any order, by one thread at a time. NULL is
 * fine. */
void pytree_program_free(pytree_program *p);

/* Make a function of a program, for arguments of the structure, types and shapes that it was traced for: PYTREE_PROGRAM(p) can
 * be applied, mapped and differentiated like any other. It lives as long as the enclosing block, and borrows p, as whatever is
 * prepared from it does. autoform's ir.call, jax.core.jaxpr_as_fun. */
typedef struct pytree_program_of {
    const pytree_program *p;
} pytree_program_of;
extern const pytree_fn_kind pytree_program_kind;
#define PYTREE_PROGRAM(...) PYTREE__TRANSFORM(pytree_program_kind, pytree_program_of, .p = __VA_ARGS__)

/* Make the program of the derivatives of a program: that of PYTREE_JVP, (arguments as a tuple, tangents as a tuple) -> (result,
 * its tangent), and that of PYTREE_VJP, (arguments as a tuple, cotangent of the result) -> (result, cotangents as a tuple).
 * autoform.pushforward, pullback. Returns it, or NULL on error. */
pytree_program *pytree_pushforward(const pytree_program *p, pytree_error *err);
pytree_program *pytree_pullback(const pytree_program *p, pytree_error *err);

/* Make a program without the calls that the wanted results do not need. `out_used`: a tree of booleans, a prefix of the result;
 * what is false becomes None, unless it is an argument, which needs no call. PYTREE_NONE: all are wanted. The arguments stay.
 * Operations with an effect (pytree_op.effect) stay, too. Returns the program, or NULL on error. autoform.dce. */
pytree_program *pytree_dce(const pytree_program *p, pytree out_used, pytree_error *err);

/* ---- Checks -------------------------------------------------------------------------------------------------------- */

/* Options of pytree_check_grads. NULL or zero: the defaults.
 *   tolerance      0: relative and absolute 1e-2 for f32 leaves, 1e-5 for f64
 *   step           of differences, as PYTREE_NUMERIC has it
 *   n_directions   0: 2
 *   modes          PYTREE_FORWARD, PYTREE_REVERSE, or both; 0: both */
typedef struct pytree_check_grads_options {
    pytree_fn_options fn;
    pytree_tolerance tolerance;
    double step;
    size_t n_directions;
    unsigned modes;
} pytree_check_grads_options;

/* Compare the derivatives of f with differences at the given arguments: jax.test_util.check_grads. Returns PYTREE_OK, or
 * PYTREE_VALUE with the key path of the worst element: "jvp: expected 0.52310 (differences), got 0.51020 at element 3" at a
 * leaf of the result, "vjp: …" at a leaf of the arguments, as "[0].layers[1].b". f must say what it gives. It is called twice
 * for each direction, and after a mismatch of the vjp twice for each number. Allocates temporary memory. */
pytree_status pytree_check_grads(const pytree_fn *f, size_t n, const pytree *args, const pytree_check_grads_options *opt,
                                 pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/derive_rules.h"     /* the first of its rooms; each includes the next */
#endif
