/* models.h: the two models of the guide: an MLP of blocks whose activations are recorded, and a model with a perturbation. */
#ifndef NNX_MODELS_H
#define NNX_MODELS_H

#include "layers.h"
#include "pytree/record.h"

enum { MOST_VALUES = 512, MOST_BLOCKS = 4 };                   /* numbers of an activation; blocks */

/* ---- Blocks: relu(dropout(bn(linear(x)))) ----------------------------------------------------------------------------- */

typedef struct Block {
    Linear    linear;
    BatchNorm bn;
    Dropout   dropout;
    pytree    y_mean;                     /* recorded: a tuple of the means of the block's outputs; PYTREE_NONE at first */
} Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, linear)                                                                                          \
    PYTREE_FIELD(DATA, bn)                                                                                              \
    PYTREE_FIELD(DATA, dropout)                                                                                         \
    PYTREE_FIELD(DATA, y_mean, ROLE(Intermediate))
#include "pytree_registry.h"

typedef struct MLP {
    size_t n;
    Block *blocks;
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, blocks, LIST(self->n))
#include "pytree_registry.h"

/* What a forward pass keeps of a block. */
typedef struct BlockValues {
    float x[MOST_VALUES], linear[MOST_VALUES], bn[MOST_VALUES], dropout[MOST_VALUES], out[MOST_VALUES];
    const bool *mask;
    Normed normed;
} BlockValues;

/* Run the blocks on rows of x; masks[i] is that of block i where dropout is not deterministic. The output is that of the last
 * block. Each block sows its mean. */
static inline pytree_status mlp(MLP *m, const float *x, int rows, const bool *const *masks, BlockValues values[MOST_BLOCKS],
                                pytree_error *err)
{
    pytree_status status = PYTREE_OK;
    for (size_t i = 0; i < m->n && status == PYTREE_OK; i++) {
        Block *b = &m->blocks[i];
        BlockValues *v = &values[i];
        const int n = rows * b->linear.dout;
        float mean;
        memcpy(v->x, i == 0 ? x : values[i - 1].out, sizeof(float) * (size_t)(rows * b->linear.din));
        v->mask = masks == NULL ? NULL : masks[i];
        linear(&b->linear, v->x, v->linear, rows);
        batch_norm(&b->bn, v->linear, v->bn, rows, &v->normed);
        dropout(&b->dropout, v->mask, v->bn, v->dropout, n);
        relu(v->dropout, v->out, n);
        mean = mean_of(v->out, n);
        status = pytree_sow(PYTREE(b), &pytree_role_Intermediate, "y_mean", PYTREE_SCALAR(&mean), NULL, err);
    }
    return status;
}

/* Add the gradients of the parameters, from that of the output, which is overwritten. */
static inline void mlp_back(const MLP *m, MLP *grad, float *dy, int rows, const BlockValues values[MOST_BLOCKS])
{
    for (size_t i = m->n; i-- != 0; ) {
        const Block *b = &m->blocks[i];
        const BlockValues *v = &values[i];
        float dbn[MOST_VALUES], dlinear[MOST_VALUES];
        const int n = rows * b->linear.dout;
        relu_back(v->dropout, dy, dbn, n);
        dropout(&b->dropout, v->mask, dbn, dbn, n);
        batch_norm_back(&b->bn, &grad->blocks[i].bn, v->linear, dbn, dlinear, rows, &v->normed);
        linear_back(&b->linear, &grad->blocks[i].linear, v->x, dlinear, dy, rows);
    }
}

/* ---- A perturbation between two layers: linear2(gelu(linear1(x)) + xgrad) ---------------------------------------------- */

typedef struct Model {
    Linear linear1, linear2;
    int    rows;
    float *xgrad;                         /* (rows, linear1.dout) zeros; their gradient is that of the value in between */
} Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, linear1)                                                                                         \
    PYTREE_FIELD(DATA, linear2)                                                                                         \
    PYTREE_FIELD(STATIC, rows)                                                                                          \
    PYTREE_FIELD(DATA, xgrad, ARRAY(self->rows, self->linear1.dout), ROLE(Perturbation))
#include "pytree_registry.h"

typedef struct ModelValues { float hidden[MOST_VALUES], between[MOST_VALUES], out[MOST_VALUES]; } ModelValues;

static inline void model_forward(const Model *m, const float *x, ModelValues *v)
{
    linear(&m->linear1, x, v->hidden, m->rows);
    gelu(v->hidden, v->between, m->rows * m->linear1.dout);
    for (int i = 0; i < m->rows * m->linear1.dout; i++) { v->between[i] += m->xgrad[i]; }
    linear(&m->linear2, v->between, v->out, m->rows);
}

/* Compute the loss and the gradients of everything, into a Model of zeros. */
static inline float model_back(const Model *m, Model *grad, const float *x, const float *target)
{
    ModelValues v;
    float dout[MOST_VALUES], dhidden[MOST_VALUES], loss;
    model_forward(m, x, &v);
    loss = mean_squared_error(v.out, target, dout, m->rows * m->linear2.dout);
    linear_back(&m->linear2, &grad->linear2, v.between, dout, grad->xgrad, m->rows);
    gelu_back(v.hidden, grad->xgrad, dhidden, m->rows * m->linear1.dout);
    linear_back(&m->linear1, &grad->linear1, x, dhidden, NULL, m->rows);
    return loss;
}
#endif
