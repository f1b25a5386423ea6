/* What the tests of functions and transforms share: functions to transform. */
#include "../support/support.h"
#include "pytree/cache.h"
#include "pytree/transform.h"

/* A layer with values in place, too. */
typedef struct Dense {
    int din, dout;
    float *w, *b;                         /* (din, dout), (dout,) */
    float scale;
    double shift[2];
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))                                                                 \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))                                                                            \
    PYTREE_FIELD(DATA, scale)                                                                                           \
    PYTREE_FIELD(DATA, shift)
#include "pytree_registry.h"

/* (Dense, x) -> y */
static inline pytree_status dense_call(void *context, const pytree_call *at)
{
    const Dense *layer = at->arg[0];
    const float *x = at->arg[1];
    float *y = at->res[0];
    if (context != NULL) { ++*(size_t *)context; }
    for (int j = 0; j < layer->dout; j++) {
        y[j] = layer->b[j] + (float)layer->shift[1];
        for (int i = 0; i < layer->din; i++) { y[j] += x[i] * layer->w[i * layer->dout + j]; }
        y[j] *= layer->scale;
    }
    return PYTREE_OK;
}

static inline pytree_status dense_shape(void *context, const pytree_call *at)
{
    const Dense *layer = at->arg[0];
    (void)context;
    return pytree_result_like(at, PYTREE_SHAPED(float, (size_t)layer->dout));
}

#define DENSE_TYPES PYTREE_TYPES(PYTREE_TYPE(Dense), PYTREE_TYPE(float))
static const pytree_fn dense = { .name = "dense", .call = dense_call, .shape = dense_shape, .takes = DENSE_TYPES };
static const pytree_fn dense_untold = { .name = "dense", .call = dense_call, .takes = DENSE_TYPES };   /* result not known */

/* The tuple of all arguments. */
static inline pytree_status identity_call(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_copy_into(at->result, at->all, at->opt, at->err);
}

static inline pytree_status identity_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, at->all);
}

static const pytree_fn identity = { .name = "identity", .call = identity_call, .shape = identity_shape };

/* Argument 0 as it is. */
static inline pytree_status first_call(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_copy_into(at->result, at->args[0], at->opt, at->err);
}

static const pytree_fn first = { .name = "first", .call = first_call, .shape = pytree_result_first };

/* (carry of two floats, x) -> (carry, y): Fibonacci's step, and the product with x. */
static inline pytree_status step_call(void *context, const pytree_call *at)
{
    const float *carry = at->arg[0], *x = at->arg[1];
    const float a = carry[0], b = carry[1];
    float *next = at->res[0], *y = at->res[1];
    (void)context;
    next[0] = b;
    next[1] = a + b;
    *y = next[1] * *x;
    return PYTREE_OK;
}

static inline pytree_status step_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], PYTREE_SHAPED(float)));
}

static const pytree_fn step = { .name = "step", .call = step_call, .shape = step_shape };

/* Dense -> Dense: biases one more, scale doubled. */
static inline pytree_status grow_call(void *context, const pytree_call *at)
{
    const Dense *from = at->arg[at->n_args - 1];
    Dense *to = at->res[0];
    (void)context;
    memmove(to->w, from->w, (size_t)(from->din * from->dout) * sizeof *to->w);
    for (int i = 0; i < from->dout; i++) { to->b[i] = from->b[i] + 1; }
    to->scale = from->scale * 2;
    memmove(to->shift, from->shift, sizeof to->shift);
    return PYTREE_OK;
}

static const pytree_fn grow = { .name = "grow", .call = grow_call, .takes = PYTREE_TYPES(PYTREE_TYPE(Dense)) };

static inline pytree_status small_call(void *context, const pytree_call *at)
{
    const Dense *layer = at->arg[0];
    (void)context;
    *(bool *)at->res[0] = layer->scale < 100;
    return PYTREE_OK;
}

static const pytree_fn small = { .name = "small", .call = small_call, .takes = PYTREE_TYPES(PYTREE_TYPE(Dense)) };

/* A layer of 2 to 3 over memory of its own. */
typedef struct Layer {
    Dense dense;
    float w[6], b[3];
} Layer;

static inline void layer_fill(Layer *layer, float scale)
{
    const float w[6] = { 1, 2, 3, 4, 5, 6 }, b[3] = { 1, 2, 3 };
    memcpy(layer->w, w, sizeof w);
    memcpy(layer->b, b, sizeof b);
    layer->dense = (Dense){ .din = 2, .dout = 3, .w = layer->w, .b = layer->b, .scale = scale, .shift = { 7, 0.5 } };
}

/* dense in C: one output. */
static inline float dense_by_hand(const Dense *layer, const float *x, int j)
{
    float y = layer->b[j] + (float)layer->shift[1];
    for (int i = 0; i < layer->din; i++) { y += x[i] * layer->w[i * layer->dout + j]; }
    return y * layer->scale;
}

/* The call fails in this way, at this place, with these words. */
#define REFUSES(call, wanted, path, text)                                                                               \
    do {                                                                                                                \
        error.status = PYTREE_OK;                                                                                       \
        assert_error(call, wanted, path, &error);                                                                       \
        assert_string_equal(error.message, text);                                                                       \
    } while (0)
