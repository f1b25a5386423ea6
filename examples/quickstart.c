#define PYTREE_IMPLEMENTATION                              /* in exactly one file of a program */
#include "pytree.h"
#include <math.h>

typedef struct Linear {
    int    din, dout;
    float *w;                                              /* (din, dout) */
    float *b;                                              /* (dout,)     */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct MLP {
    size_t  n_layers;
    Linear *layers;                                        /* n_layers of them */
    Linear *head;                                          /* NULL when there is none */
    float   scale[2][3];                                   /* the compiler knows the shape of a C array */
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))       \
    PYTREE_FIELD(DATA, head, OPTIONAL)                     \
    PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

typedef struct AdamW { float rate, decay, beta1, beta2, step; } AdamW;

static pytree_status adamw(void *context, const pytree_iter *at)   /* called for each leaf: weight, gradient, two moments */
{
    const AdamW o = *(const AdamW *)context;
    float *w = at->leaf[0]->data, *g = at->leaf[1]->data, *m = at->leaf[2]->data, *v = at->leaf[3]->data;
    float c1 = 1 - powf(o.beta1, o.step), c2 = 1 - powf(o.beta2, o.step);
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) {
        m[i] += (1 - o.beta1) * (g[i] - m[i]);
        v[i] += (1 - o.beta2) * (g[i] * g[i] - v[i]);
        w[i] -= o.rate * (m[i] / c1 / (sqrtf(v[i] / c2) + 1e-8f) + o.decay * w[i]);
    }
    return PYTREE_OK;
}

int main(void)
{
    Linear layers[] = { { .din = 784, .dout = 128 }, { .din = 128, .dout = 10 } };
    MLP model = { .n_layers = 2, .layers = layers };
    AdamW opt = { .rate = 0.001f, .decay = 0.01f, .beta1 = 0.9f, .beta2 = 0.999f, .step = 1 };
    pytree_error err = { 0 };                              /* keeps the first error of all calls below */
    pytree t = PYTREE(&model);

    if (pytree_allocate(t, NULL, &err) == PYTREE_OK) {     /* all arrays, in one zeroed block */
        pytree grads = pytree_zeros_like(t, NULL, &err);   /* trees of the same structure: gradients and moments */
        pytree m = pytree_zeros_like(t, NULL, &err), v = pytree_zeros_like(t, NULL, &err);
        pytree_def *def = pytree_structure(t, NULL, &err);
        if (err.status == PYTREE_OK) {
            MLP *g = grads.data;                           /* the data of a tree is an ordinary struct */
            g->layers[0].w[0] = 3;
            g->scale[1][2] = -5;

            pytree_def_print(stdout, def, &err);
            pytree_print(stdout, t, NULL, &err);
            pytree_map(adamw, &opt, NULL, 4, (pytree[4]){ t, grads, m, v }, NULL, &err);
            printf("after a step: %g %g\n", (double)model.layers[0].w[0], (double)model.scale[1][2]);
        }
        pytree_def_free(def);
        pytree_free(v);
        pytree_free(m);
        pytree_free(grads);
        pytree_free(t);
    }
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
