/* pytree/optimizer.h: SGD, Adam, AdamW and rules of the program's own over the parameters of a model: nnx.Optimizer, optax.
 *
 *     pytree_rule rule = PYTREE_ADAMW(.rate = 1e-3, .decay = 0.01);
 *     pytree_optimizer *adamw = pytree_optimizer_new(PYTREE(&model), rule, PYTREE_OF(Param), NULL, &err);
 *     for (;;) {
 *         backward(&model, grads);                                  // grads: a pytree, of a Model or a state
 *         pytree_optimizer_update(adamw, grads, &err);              // changes the parameters in place
 *     }
 *     pytree_optimizer_free(adamw);
 *
 * What an optimizer remembers, its step and its moments, is a state like any other, PYTREE(&adamw->state): it prints, saves and
 * loads as one, and pytree_update(PYTREE(&adamw->state), 1, &loaded, …) restores it. Its names are those of Flax and optax:
 *
 *     State({ 'opt_state': { 0: { 'count': OptArray(...), 'mu': { 'kernel': OptVariable(...) }, 'nu': {...} } },
 *             'step': OptState(...) })
 *
 * The rules of pytree.h hold. Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file
 * compiles the functions.
 */
#include "../pytree.h"
#include "state.h"

#ifndef PYTREE_OPTIMIZER_H
#define PYTREE_OPTIMIZER_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rules --------------------------------------------------------------------------------------------------------- */

#define PYTREE_MAX_MOMENTS 4

typedef struct pytree_rule pytree_rule;

/* One parameter in one step: what a rule sees. Everything is borrowed for the call. All views have the same type, float or
 * double, and the same shape. */
typedef struct pytree_rule_call {
    const pytree_rule *rule;              /* of the optimizer, with the values that 0 stands for */
    uint32_t step;                        /* 1 in the first step */
    double correction[2];                 /* 1 / (1 - beta1^step), 1 / (1 - beta2^step) */
    const pytree_leaf *param, *grad;      /* the gradient is not changed */
    const pytree_leaf *moment[PYTREE_MAX_MOMENTS];             /* in the order of rule->moments */
} pytree_rule_call;

/* Change one parameter and its moments. */
typedef void pytree_rule_fn(const pytree_rule_call *at);

/* How parameters are changed. The macros below make the usual ones; a program's own rule is a function with the names of the
 * arrays that it keeps for each parameter, which begin as zeros:
 *
 *     static void lion(const pytree_rule_call *at) { float *w = at->param->data, *m = at->moment[0]->data; … }
 *     pytree_rule rule = { .apply = lion, .moments = { "mu" }, .rate = 1e-4 };
 */
struct pytree_rule {
    pytree_rule_fn *apply;
    const char *moments[PYTREE_MAX_MOMENTS];                   /* up to the first NULL */
    bool counts;                          /* the state has a 'count' of its own beside them, as optax's Adam */
    double rate;                          /* may be changed between steps: optimizer->rule.rate */
    double momentum, decay;
    double beta1, beta2, epsilon;         /* 0: 0.9, 0.999, 1e-8 */
    void *context;
};

/* w -= rate g; with momentum m: t = g + m t, w -= rate t: optax.sgd. */
#define PYTREE_SGD(...) ((pytree_rule){ .apply = pytree_sgd, .moments = { "trace" }, __VA_ARGS__ })

/* m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g g, w -= rate m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) +
 * epsilon): optax.adam. AdamW also subtracts rate decay w: optax.adamw. */
#define PYTREE_ADAM(...) ((pytree_rule){ .apply = pytree_adam, .moments = { "mu", "nu" }, .counts = true, __VA_ARGS__ })
#define PYTREE_ADAMW(...) PYTREE_ADAM(__VA_ARGS__)

pytree_rule_fn pytree_sgd, pytree_adam;   /* the rules of the macros, also for calls from rules of the program's own */

/* ---- Optimizers ---------------------------------------------------------------------------------------------------- */

typedef struct pytree_optimizer {
    pytree_rule rule;
    pytree_flat params;                   /* what it changes: views of the model's memory */
    pytree_flat state;                    /* what it remembers; it owns the arrays */
    uint32_t *step;                       /* in `state`: steps made so far */
    const pytree_leaf **grads;            /* private: of the current step */
    pytree_options opt;
} pytree_optimizer;

/* Make an optimizer of the values that a filter chooses: nnx.Optimizer(model, tx, wrt=filter). Returns it, to be freed with
 * pytree_optimizer_free; NULL on error. A value that is neither float nor double is PYTREE_TYPE with its path. The model's
 * memory must stay where it is and outlive the optimizer; so must an allocator in the options. */
pytree_optimizer *pytree_optimizer_new(pytree model, pytree_rule rule, pytree_filter wrt, const pytree_options *opt,
                                       pytree_error *err);
void pytree_optimizer_free(pytree_optimizer *o);               /* NULL is fine */

/* Make one step: optimizer.update(model, grads). `grads` is a state, or a struct of the model's type; other values in it are
 * left alone. A parameter without a gradient is PYTREE_NOT_FOUND with its path, one of another type or shape PYTREE_TYPE or
 * PYTREE_SHAPE. All is checked before anything is changed. A state with the treedef of o->params, such as
 * pytree_state_zeros_like makes of it, is taken as it is, without an allocation; otherwise values are found by their paths.
 * Threads: none; different optimizers may run at once. */
pytree_status pytree_optimizer_update(pytree_optimizer *o, pytree grads, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_OPTIMIZER_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/optimizer.h"
#endif
