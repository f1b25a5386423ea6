/* pytree/ops.h: array operations for traced functions (pytree/program.h), with derivatives of any order.
 *
 *     static pytree_value loss(pytree_trace *tr, pytree_value x, pytree_value y, pytree_value w, pytree_value b)
 *     {
 *         pytree_value h = pytree_op_tanh(tr, pytree_op_linear(tr, x, w, b));      // tanh(x w + b)
 *         return pytree_op_mean(tr, pytree_op_square(tr, pytree_op_sub(tr, h, y)));
 *     }
 *
 * Each function records one call, or a few, and returns its result; nothing is computed until the program runs. Operands are
 * float or double arrays (f32, f64), all of one call of the same element type: there is no promotion, pytree_op_convert
 * converts. Shapes broadcast as in NumPy where it says so. Negative axes count from the end.
 *
 * On failure (PYTREE_SHAPE, PYTREE_TYPE, PYTREE_ARGUMENT) the result is the value 0 and the error stays in the trace:
 * "loss: matmul: expected inner extents that agree, got f32[2,4] and f32[2,3]". Every function here is one of jax.numpy or
 * jax.nn of the same name, unless its comment says otherwise.
 *
 * An operation is a constant struct, pytree_op_…_op, so a program may take one over and replace a member: a BLAS is a copy of
 * pytree_op_matmul_op with another `run`, recorded by pytree_op_matmul_as.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h.
 */
#include "../pytree.h"
#include "program.h"

#ifndef PYTREE_OPS_H
#define PYTREE_OPS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Constants ----------------------------------------------------------------------------------------------------- */

/* Record an array of numbers that do not depend on the arguments: a copy of the leaf's elements. */
pytree_value pytree_op_constant(pytree_trace *tr, const pytree_leaf *leaf);

/* Record a scalar of the element type of `like`. */
pytree_value pytree_op_number(pytree_trace *tr, pytree_value like, double x);

/* Record zeros of the type and shape of `like`. jnp.zeros_like. */
pytree_value pytree_op_zeros_like(pytree_trace *tr, pytree_value like);

/* ---- Elementwise --------------------------------------------------------------------------------------------------- */

/* Record a function of each element. The derivatives of abs and relu at 0 are 0. */
pytree_value pytree_op_neg(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_exp(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_log(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_sqrt(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_tanh(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_sin(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_cos(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_abs(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_relu(pytree_trace *tr, pytree_value x);

/* x * factor, x + summand, x to the power n. */
pytree_value pytree_op_scale(pytree_trace *tr, pytree_value x, double factor);
pytree_value pytree_op_shift(pytree_trace *tr, pytree_value x, double summand);
pytree_value pytree_op_power(pytree_trace *tr, pytree_value x, int n);

/* Convert numbers, also integers and bool, to another element type: PYTREE_F32, PYTREE_F64, PYTREE_I32, PYTREE_I64 or
 * PYTREE_BOOL8 (true unless 0). Derivatives flow between f32 and f64. */
pytree_value pytree_op_convert(pytree_trace *tr, pytree_value x, pytree_dtype to);

/* x, through which no derivative flows. jax.lax.stop_gradient. */
pytree_value pytree_op_stop_gradient(pytree_trace *tr, pytree_value x);

/* Two operands, which broadcast. Where max has equal operands each gets half of the derivative. */
pytree_value pytree_op_add(pytree_trace *tr, pytree_value a, pytree_value b);
pytree_value pytree_op_sub(pytree_trace *tr, pytree_value a, pytree_value b);
pytree_value pytree_op_mul(pytree_trace *tr, pytree_value a, pytree_value b);
pytree_value pytree_op_div(pytree_trace *tr, pytree_value a, pytree_value b);
pytree_value pytree_op_max(pytree_trace *tr, pytree_value a, pytree_value b);

/* a > b as bool; the operands broadcast. */
pytree_value pytree_op_greater(pytree_trace *tr, pytree_value a, pytree_value b);

/* Element by element yes where `which` (bool) is true, otherwise no; the three broadcast. jnp.where. */
pytree_value pytree_op_select(pytree_trace *tr, pytree_value which, pytree_value yes, pytree_value no);

/* In rules: the sum of two derivatives, either of which may be 0. */
pytree_value pytree_op_plus(pytree_trace *tr, pytree_value a, pytree_value b);

/* ---- Sums and maxima ----------------------------------------------------------------------------------------------- */

/* Sum or maximum over axes, which vanish: pytree_op_sum(tr, x, 1, (int[]){ -1 }). n_axes 0: over all. An empty maximum is
 * minus infinity. Where a maximum is attained several times, its derivative is shared equally. */
pytree_value pytree_op_sum(pytree_trace *tr, pytree_value x, size_t n_axes, const int *axes);
pytree_value pytree_op_max_of(pytree_trace *tr, pytree_value x, size_t n_axes, const int *axes);

/* ---- Shape --------------------------------------------------------------------------------------------------------- */

/* Repeat x to a shape to which it broadcasts; give its elements, in order, another shape. */
pytree_value pytree_op_broadcast(pytree_trace *tr, pytree_value x, int ndim, const size_t *shape);
pytree_value pytree_op_reshape(pytree_trace *tr, pytree_value x, int ndim, const size_t *shape);

/* Permute the axes: axis i of the result is axes[i] of x. NULL: in reverse order. */
pytree_value pytree_op_transpose(pytree_trace *tr, pytree_value x, const int *axes);

/* Elements from … to-1 along an axis. jax.lax.slice_in_dim. */
pytree_value pytree_op_slice(pytree_trace *tr, pytree_value x, int axis, size_t from, size_t to);

/* Put arrays one after the other along an axis. jnp.concatenate. */
pytree_value pytree_op_concat(pytree_trace *tr, int axis, size_t n, const pytree_value *x);

/* Rows (elements along axis 0) of x by their numbers: result[i …] = x[at[i …]], of shape at.shape + x.shape[1:]. A number that
 * is none of a row is PYTREE_VALUE when the program runs. jnp.take(x, at, axis=0). */
pytree_value pytree_op_take(pytree_trace *tr, pytree_value x, pytree_value at);

/* The opposite of take: n rows of zeros to which rows are added: result[at[i …]] += x[i …]. */
pytree_value pytree_op_put(pytree_trace *tr, pytree_value x, pytree_value at, size_t n);

/* ---- Linear algebra ------------------------------------------------------------------------------------------------ */

/* Matrix product over the last two axes; leading axes must be equal, or one operand has none: then it serves for all of the
 * other's. The flags multiply by the transposed matrix without copying it. f32 sums are f32 sums. */
enum { PYTREE_TRANSPOSE_A = 1, PYTREE_TRANSPOSE_B = 2 };
extern const pytree_op pytree_op_matmul_op;
pytree_value pytree_op_matmul(pytree_trace *tr, pytree_value a, pytree_value b);
pytree_value pytree_op_matmul_t(pytree_trace *tr, pytree_value a, pytree_value b, unsigned flags);

/* The same with another operation, a copy of pytree_op_matmul_op with a `run` of the user's (a BLAS), which its derivatives
 * use, too. `run` finds the flags in *(const unsigned *)c->params. */
pytree_value pytree_op_matmul_as(pytree_trace *tr, const pytree_op *op, pytree_value a, pytree_value b, unsigned flags);

/* ---- Composed of the above ----------------------------------------------------------------------------------------- */

/* Record the function of jax.numpy or jax.nn of that name: mean over all elements, gelu by tanh, softmax and log_softmax over
 * the last axis. */
pytree_value pytree_op_square(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_mean(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_sigmoid(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_gelu(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_softmax(pytree_trace *tr, pytree_value x);
pytree_value pytree_op_log_softmax(pytree_trace *tr, pytree_value x);

/* Integers as rows of zeros with a one: of shape at.shape + (n,), of the element type of `like`. jax.nn.one_hot; a number that
 * is not 0 … n-1 is a row of zeros. */
pytree_value pytree_op_one_hot(pytree_trace *tr, pytree_value at, size_t n, pytree_value like);

/* Mean over all rows of -sum(labels * log_softmax(scores)). `labels`: probabilities of the shape of the scores, or integers of
 * the shape without the last axis. optax.softmax_cross_entropy(…).mean(). */
pytree_value pytree_op_cross_entropy(pytree_trace *tr, pytree_value scores, pytree_value labels);

/* x w + b with x [..., din], w [din, dout], b [dout]. */
pytree_value pytree_op_linear(pytree_trace *tr, pytree_value x, pytree_value w, pytree_value b);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/ops_strided.h"      /* the first of its rooms; each includes the next */
#endif
