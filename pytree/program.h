/* pytree/program.h: traced functions: C functions that are called once for each structure and record operations.
 *
 * **Literals end with their block.** A function made by PYTREE_TRACED lives as long as the block it stands in, and whatever is
 * made of it borrows it: do not return it from a function, and do not store it in a struct that lives longer.
 *
 *     static pytree_status loss(void *context, pytree_trace *tr)             // (Linear, x) -> mean of the squares of x w + b
 *     {
 *         const Linear *l = tr->arg[0];
 *         pytree_value w = pytree_value_of(tr, l->w), b = pytree_value_of(tr, l->b), x = pytree_value_of(tr, tr->arg[1]);
 *         pytree_value y = pytree_op_add(tr, pytree_op_matmul(tr, x, w), b);
 *         return pytree_return(tr, PYTREE_V(pytree_op_mean(tr, pytree_op_square(tr, y))));
 *     }
 *     …
 *     pytree_apply(PYTREE_TRACED(loss), 2, (pytree[]){ PYTREE(&layer), x }, PYTREE(&result), NULL, &err);
 *
 * What a body records is a *program*: a list of calls of operations on values, as data. It can be printed, pruned and
 * differentiated (pytree/derive.h); the array operations are in pytree/ops.h, and users' own are structs of the same kind.
 *
 * Numbers must not be read while tracing: `if (l->scale > 0)` would be decided once for all values. Pointers in the arguments
 * of a body lead to memory that holds no data, and floating-point numbers in place are NaN. Static fields are real, and a
 * function is traced anew for other static values.
 *
 * The rules of pytree.h hold. Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h.
 */
#include "../pytree.h"
#include "function.h"

#ifndef PYTREE_PROGRAM_H
#define PYTREE_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values and traces --------------------------------------------------------------------------------------------- */

/* One array of a program. 0 stands for the result of a call that failed, on which later calls do nothing; in rules of
 * operations it also stands for a derivative that is zero. */
typedef struct pytree_value {
    uint32_t id;
} pytree_value;

/* The type of values as leaves of a tree. */
extern const pytree_type pytree_value_type;

/* Make a tree of one value, for results: PYTREE_TUPLE(PYTREE_V(a), PYTREE_NONE). It lives as long as the enclosing block. */
#define PYTREE_V(v) ((pytree){ &pytree_value_type, &(pytree_value){ (v).id } })

/* What a body gets, and what it records calls in. Valid until the body returns. The first error stays in *err, and ends the
 * body at pytree_return, so a body need not check each call. */
typedef struct pytree_trace {
    void *const *arg;                     /* argument k: the struct itself, or the address of an array or a scalar; NULL for any
                                             other tree. Only addresses, shapes and static fields mean something */
    const pytree *tree;                   /* argument k as a tree of values */
    size_t n_args;
    pytree_error *err;
    struct pytree__recorder *recorder;    /* private */
} pytree_trace;

/* Get the value at the address of an argument's leaf: l->w, &l->scale, tr->arg[1]. Returns 0 and PYTREE_NOT_FOUND if no leaf
 * has that address. O(log leaves). */
pytree_value pytree_value_of(pytree_trace *tr, const void *address);

/* Get leaf i of a tree of values, such as tr->tree[k]. Returns 0 and PYTREE_NOT_FOUND if there is no such leaf, PYTREE_TYPE if
 * it is not a value. O(leaves). */
pytree_value pytree_value_at(pytree_trace *tr, pytree of_values, size_t i);

/* Look at the element type and the shape of a value. Returns a view without data, which lives as long as the program; NULL for
 * the value 0. */
const pytree_leaf *pytree_value_shape(const pytree_trace *tr, pytree_value v);

/* End a body with its result, a tree of PYTREE_V. Returns PYTREE_OK, or the first error of the body. The same value may stand
 * at several leaves. */
pytree_status pytree_return(pytree_trace *tr, pytree result);

/* Make a tree of argument k's structure of n values in the order of its leaves: for results that contain a struct, such as
 * the carry of a scan. Returns it, to be used before the body returns; its data is NULL on error. PYTREE_TOO_FEW_LEAVES or
 * PYTREE_TOO_MANY_LEAVES if n is not the number of its leaves, PYTREE_ARGUMENT if there is no such argument. */
pytree pytree_values_like(pytree_trace *tr, size_t k, size_t n, const pytree_value *leaves);

/* End a body with a result of argument k's structure, of n values in the order of its leaves: for bodies that give a struct.
 * PYTREE_TOO_FEW_LEAVES or PYTREE_TOO_MANY_LEAVES if n is not the number of its leaves. */
pytree_status pytree_return_like(pytree_trace *tr, size_t k, size_t n, const pytree_value *leaves);

/* ---- Operations ---------------------------------------------------------------------------------------------------- */

/* The operands, results and parameters of a call. In `shape` views have no data. */
typedef struct pytree_op_call {
    const pytree_leaf *const *in;
    pytree_leaf *const *out;
    size_t n_in, n_out;
    const void *params;
    void *memory;                         /* private: of operations of the library */
    struct pytree__fn_strings *strings;   /* private: of pytree_op_memory */
} pytree_op_call;

/* Take memory in `run` for what a result's elements refer to, such as the characters of strings. Returns it, not zeroed, or
 * NULL with an error if there is none. It stays as it is until the next run of the function that was prepared or jitted.
 * pytree_apply_new copies strings; pytree_apply, which has nowhere to keep them, fails with PYTREE_ARGUMENT if a result has
 * some. Memory of earlier runs is used again. */
void *pytree_op_memory(const pytree_op_call *c, size_t bytes, pytree_error *err);

/* A recorded call. Its operands come before it in the program; none is 0. */
typedef struct pytree_eqn {
    const struct pytree_op *op;
    const void *params;
    size_t n_in, n_out;
    const pytree_value *in, *out;
} pytree_eqn;

/* An operation. All operations are structs like this, `static const`, with the members after `run` NULL where there is nothing
 * to say. This is a whole one, with both derivatives:
 *
 *     static pytree_status twice_shape(const pytree_op_call *c, pytree_error *err)
 *     {
 *         (void)err;
 *         *c->out[0] = *c->in[0];
 *         return PYTREE_OK;
 *     }
 *     static pytree_status twice_run(const pytree_op_call *c, pytree_error *err)
 *     {
 *         const float *x = c->in[0]->data;
 *         float *y = c->out[0]->data;
 *         (void)err;
 *         for (size_t i = 0, n = pytree_leaf_count(c->in[0]); i < n; i++) { y[i] = 2 * x[i]; }
 *         return PYTREE_OK;
 *     }
 *     static void twice_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
 *     {
 *         out[0] = pytree_record(tr, e->op, NULL, 1, t, NULL);          // linear: both derivatives are the operation itself
 *     }
 *     static const pytree_op twice = { .name = "twice", .shape = twice_shape, .run = twice_run, .jvp = twice_rule,
 *                                      .vjp = twice_rule };
 */
typedef struct pytree_op {
    const char *name;
    size_t params;                        /* bytes that a call copies; without pointers to what may vanish */
    size_t n_out;                         /* results; 0: one */
    /* Say the types and shapes of the results, whose views are zero, from those of the operands. A failure needs no more than
     * pytree_fail(err, PYTREE_SHAPE, NULL, "expected …, got …"): the names of function and operation are put before it. */
    pytree_status (*shape)(const pytree_op_call *c, pytree_error *err);
    /* Compute the results. Operands and results do not overlap. */
    pytree_status (*run)(const pytree_op_call *c, pytree_error *err);
    /* Rules. They record calls on e's operands and results, so that derivatives are programs again. A derivative that is zero
     * is the value 0, and a call on it gives 0; pytree_op_plus (pytree/ops.h) adds two. NULL: no derivative flows.
     *   jvp   t: tangents of the operands; set out_t, those of the results
     *   vjp   ct: cotangents of the results; set in_ct, those of the operands */
    void (*jvp)(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t);
    void (*vjp)(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct);
    const struct pytree__op_hooks *hooks; /* private: of operations that contain programs */
    bool effect;                          /* a call stays even if nothing needs its results: it does something besides */
} pytree_op;

/* Record a call. Returns its first result, and all results in out[0 … n_out-1] if `out` is not NULL. Copies the parameters.
 * On failure the results are 0, and the error's message begins with the names of the function and the operation. An operand 0
 * is PYTREE_ARGUMENT unless an error came before; in a rule it makes the results 0. */
pytree_value pytree_record(pytree_trace *tr, const pytree_op *op, const void *params, size_t n_in, const pytree_value *in,
                           pytree_value *out);

/* ---- Traced functions ---------------------------------------------------------------------------------------------- */

/* A body: it records what the function does, and ends with pytree_return. */
typedef pytree_status pytree_body_fn(void *context, pytree_trace *tr);

/* What PYTREE_TRACED makes a function of. Members after `body` may be left out.
 *   takes     types of the arguments, checked with the path (PYTREE_TYPES)
 *   name      in messages; NULL: that of the body
 *   plus      the operation that adds two derivatives where a value is used twice; NULL: add (pytree/ops.h)
 *   memoize   record the same operation on the same values once */
typedef struct pytree_traced_of {
    pytree_body_fn *body;
    void *context;
    const pytree_type *const *takes;
    const char *name;
    const pytree_op *plus;
    bool memoize;
} pytree_traced_of;
extern const struct pytree__fn_kind pytree_traced_kind;

/* Make a function of a body: PYTREE_TRACED(loss, .takes = PYTREE_TYPES(PYTREE_TYPE(Linear), PYTREE_TYPE(float))). The body runs
 * once when the function is prepared, not when it runs. The function knows its result, and its derivatives of any order. It
 * lives as long as the enclosing block. */
#define PYTREE_TRACED(...)                                                                                              \
    (&(const pytree_fn){ .name = PYTREE__TRACED_NAME(__VA_ARGS__, ), .kind = &pytree_traced_kind,                       \
                         .context = &(pytree_traced_of){ .body = __VA_ARGS__ } })
#define PYTREE__TRACED_NAME(body, ...) #body

/* ---- Programs as data ---------------------------------------------------------------------------------------------- */

/* A program: jax.make_jaxpr, autoform.trace. Values 1 … n_in are the leaves of the arguments. */
typedef struct pytree_program {
    size_t n_in, n_out, n_eqns;
    const pytree_eqn *eqns;
    const pytree_value *out;              /* the leaves of the result; 0: zeros */
    const pytree_def *in_def, *out_def;   /* the arguments as a tuple; the result */
    /* private */
    const pytree_leaf *const *values;     /* by id: type and shape; constants have data */
    const pytree_leaf *const *out_views;
    size_t n_values;
    const char *name;
    const pytree_op *plus;
    bool effect;                          /* one of its calls has an effect */
    struct pytree__fn_plan *arena;        /* its memory */
} pytree_program;

/* Write a program as text, a line for each call. pytree_program_text works like snprintf and returns the full length without
 * the NUL. pytree_program_print returns PYTREE_OK.
 *
 *     { f32[3] %1, f32[] %2 ->
 *       %3 = f32[3] mul %1 %2
 *       return %3 } */
size_t pytree_program_text(const pytree_program *p, char *text, size_t n);
pytree_status pytree_program_print(FILE *file, const pytree_program *p, pytree_error *err);

/* Count the calls of a program, those in the programs of its scans, maps and branches included. */
size_t pytree_program_count(const pytree_program *p);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/program_record.h"   /* the first of its rooms; each includes the next */
#endif
