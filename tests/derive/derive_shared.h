/* derive_shared.h: a layer, traced bodies, and short ways to call for the tests of derivatives. */
#ifndef DERIVE_SHARED_H
#define DERIVE_SHARED_H

#include "support.h"

#include "pytree/derive.h"

#include <math.h>

#define V(p) pytree_value_of(tr, p)

/* A traced body with the values of two arguments, a and b, that returns one value. */
#define BODY(name, value)                                                                                               \
    static pytree_status name(void *context, pytree_trace *tr)                                                          \
    {                                                                                                                   \
        const pytree_value a = V(tr->arg[0]), b = tr->n_args > 1 ? V(tr->arg[1]) : a;                                   \
        (void)context;                                                                                                  \
        (void)b;                                                                                                        \
        return pytree_return(tr, PYTREE_V(value));                                                                      \
    }

static inline void assert_close(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance * fmax(1, fabs(expected)))) {
        fail_msg("expected %.12g, got %.12g", expected, got);
    }
}

static inline void apply(const pytree_fn *f, size_t n, const pytree *args, pytree out)
{
    pytree_error error = { 0 };
    assert_ok(pytree_apply(f, n, args, out, NULL, &error), &error);
}

static inline void assert_grads(const pytree_fn *f, size_t n, const pytree *args)
{
    pytree_error error = { 0 };
    assert_ok(pytree_check_grads(f, n, args, NULL, &error), &error);
}

#endif
