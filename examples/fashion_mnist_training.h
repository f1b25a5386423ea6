/* fashion_mnist_training.h: the state of a training run, the functions that pytree_map and pytree_reduce call at every leaf
 * (initialisation, clipping, AdamW), the training loop, and saving and resuming a run. */
#ifndef FASHION_MNIST_TRAINING_H
#define FASHION_MNIST_TRAINING_H

#include "fashion_mnist_network.h"

#include "pytree/safetensors.h"

#include <stdlib.h>

/* ---- The state of a training run, and its settings ----------------------------------------------------------------- */

typedef struct Settings {
    uint64_t seed;
    int epochs, batch;
    float rate, decay;
} Settings;

#define PYTREE_STRUCT Settings
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, seed)                               \
    PYTREE_FIELD(DATA, epochs)                             \
    PYTREE_FIELD(DATA, batch)                              \
    PYTREE_FIELD(DATA, rate)                               \
    PYTREE_FIELD(DATA, decay)
#include "pytree_registry.h"

typedef struct Training {
    Settings settings;
    MLP model, m, v;                      /* parameters and their moments */
    MLP best;                             /* the best parameters so far, and their accuracy */
    double best_accuracy;
    uint64_t random_state;
    int step;                             /* minibatches processed */
    int n;
    int *order;                           /* (n,) the order of the images */
} Training;

#define PYTREE_STRUCT Training
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, settings)                           \
    PYTREE_FIELD(DATA, model)                              \
    PYTREE_FIELD(DATA, m)                                  \
    PYTREE_FIELD(DATA, v)                                  \
    PYTREE_FIELD(DATA, best)                               \
    PYTREE_FIELD(DATA, best_accuracy)                      \
    PYTREE_FIELD(DATA, random_state)                       \
    PYTREE_FIELD(DATA, step)                               \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, order, ARRAY(self->n))
#include "pytree_registry.h"

/* ---- Random numbers ------------------------------------------------------------------------------------------------ */

static void shuffle(int *order, int n, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(random_bits(state) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* ---- Functions for pytree_map and pytree_reduce, called at every leaf ---------------------------------------------- */

static bool path_ends_with(const pytree_iter *at, const char *end)
{
    char path[128];
    size_t length = pytree_iter_path_text(at, path, sizeof path), n = strlen(end);
    return length < sizeof path && length >= n && strcmp(path + length - n, end) == 0;
}

static pytree_status count_elements(void *context, const pytree_iter *at)
{
    *(size_t *)context += pytree_leaf_count(at->leaf[0]);
    return PYTREE_OK;
}

/* Initialise weights (din, dout) as He et al. do; everything else stays zero. */
static pytree_status initialise(void *random_state, const pytree_iter *at)
{
    float *w = at->leaf[0]->data;
    if (path_ends_with(at, ".w")) {
        float bound = sqrtf(6 / (float)at->leaf[0]->shape[0]);
        for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) {
            w[i] = random_uniform(random_state, -bound, bound);
        }
    }
    return PYTREE_OK;
}

/* Select the leaves that decay: weights, not biases. */
static pytree_status mask_decay(void *mask, const pytree_iter *at)
{
    ((bool *)mask)[at->index] = path_ends_with(at, ".w");
    return PYTREE_OK;
}

static pytree_status scale(void *factor, const pytree_iter *at)
{
    float *x = at->leaf[0]->data, by = *(const float *)factor;
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) { x[i] *= by; }
    return PYTREE_OK;
}

static pytree_status add_squares(void *sum, const pytree_iter *at)
{
    enum { LANES = 32 };                  /* independent sums, one for each lane of a vector */
    const float *x = at->leaf[0]->data;
    float lanes[LANES] = { 0 };
    size_t i = 0, n = pytree_leaf_count(at->leaf[0]);
    for (; i + LANES <= n; i += LANES) {
        for (size_t j = 0; j < LANES; j++) { lanes[j] += x[i + j] * x[i + j]; }
    }
    for (size_t j = 0; i + j < n; j++) { lanes[j] += x[i + j] * x[i + j]; }
    for (size_t j = 0; j < LANES; j++) { *(double *)sum += (double)lanes[j]; }
    return PYTREE_OK;
}

typedef struct AdamW {
    float rate, beta1, beta2, epsilon, decay;
    float correction1, correction2;       /* 1 / (1 - beta^step) */
    const bool *decays;                   /* leaf by leaf */
} AdamW;

/* Update the leaf w from its gradient g and its moments m and v. */
static pytree_status adamw(void *context, const pytree_iter *at)
{
    const AdamW o = *(const AdamW *)context;
    float *restrict w = at->leaf[0]->data, *restrict m = at->leaf[2]->data, *restrict v = at->leaf[3]->data;
    const float *restrict g = at->leaf[1]->data;
    float keep = o.decays[at->index] ? 1 - o.rate * o.decay : 1;
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) {
        m[i] = o.beta1 * m[i] + (1 - o.beta1) * g[i];
        v[i] = o.beta2 * v[i] + (1 - o.beta2) * g[i] * g[i];
        w[i] = keep * w[i] - o.rate * (m[i] * o.correction1) / (sqrtf(v[i] * o.correction2) + o.epsilon);
    }
    return PYTREE_OK;
}

/* How gradients are computed: by hand (fashion_mnist.c), by the library (fashion_mnist_traced.c), or on several machines
 * (fashion_mnist_mpi.c). */
typedef struct Derivative {
    /* Compute the scores of the first n images of a batch (the y of its last signal), the sum of their losses, and the
     * gradients of its mean. */
    pytree_status (*compute)(void *context, const MLP *model, pytree gradients, Batch *batch, int n, double *loss,
                             pytree_error *err);
    void *context;
    /* Called once with the state that the run begins with. NULL: nothing is to be done. */
    pytree_status (*begin)(void *context, pytree training, pytree_error *err);
} Derivative;

/* ---- Training ------------------------------------------------------------------------------------------------------ */

/* Return the accuracy on the images from ... to - 1. counts (may be NULL): row label, column prediction. */
static double evaluate(const MLP *model, Batch *batch, const Images *images, int from, int to, int (*counts)[CLASSES])
{
    int right = 0;
    for (int at = from; at < to; at += batch->size) {
        int n = to - at < batch->size ? to - at : batch->size;
        gather(batch, images, NULL, at, n);
        forward(model, batch, n);
        for (int i = 0; i < n; i++) {
            right += guess(batch, i) == batch->labels[i];
            if (counts != NULL) { counts[batch->labels[i]][guess(batch, i)]++; }
        }
    }
    return (double)right / (double)(to - from);
}

/* Return the learning-rate factor: a linear warm-up over the first twentieth, then a cosine from 1 to 0. */
static float schedule(int step, int steps)
{
    const double pi = 3.14159265358979323846;
    int rise = steps / 20 + 1;
    return step < rise ? (float)(step + 1) / (float)rise : (float)(0.5 + 0.5 * cos(pi * (step - rise) / (steps - rise)));
}

static int batches_per_epoch(const Training *training)
{
    return (training->n + training->settings.batch - 1) / training->settings.batch;
}

/* Train on all training images once, in random order, and print a line. */
static pytree_status train_epoch(Training *training, const Derivative *derivative, pytree gradients, AdamW *optimizer,
                                 Batch *batch, const Images *images, pytree_error *err)
{
    const float clip = 1;
    const Settings *settings = &training->settings;
    const pytree trees[4] = { PYTREE(&training->model), gradients, PYTREE(&training->m), PYTREE(&training->v) };
    int n_train = training->n, n_batches = batches_per_epoch(training), epoch = training->step / n_batches + 1, right = 0;
    double loss = 0, norms = 0, start = seconds();
    shuffle(training->order, n_train, &training->random_state);
    for (int k = 0; k < n_batches; k++) {
        int n = n_train - k * batch->size < batch->size ? n_train - k * batch->size : batch->size;
        gather(batch, images, training->order, k * batch->size, n);
        double squares = 0, sum = 0;
        if (derivative->compute(derivative->context, &training->model, gradients, batch, n, &sum, err) != PYTREE_OK) {
            return err->status;
        }
        for (int i = 0; i < n; i++) { right += guess(batch, i) == batch->labels[i]; }
        loss += sum;

        if (pytree_reduce(add_squares, &squares, gradients, NULL, err) != PYTREE_OK) { return err->status; }
        float norm = (float)sqrt(squares), factor = clip / norm;
        if (norm > clip && pytree_map(scale, &factor, NULL, 1, &gradients, NULL, err) != PYTREE_OK) { return err->status; }
        norms += (double)norm;

        optimizer->rate = settings->rate * schedule(training->step, settings->epochs * n_batches);
        training->step++;
        optimizer->correction1 = 1 / (1 - powf(optimizer->beta1, (float)training->step));
        optimizer->correction2 = 1 / (1 - powf(optimizer->beta2, (float)training->step));
        if (pytree_map(adamw, optimizer, NULL, 4, trees, NULL, err) != PYTREE_OK) { return err->status; }
    }
    double time = seconds() - start, accuracy = evaluate(&training->model, batch, images, n_train, images->n, NULL);
    printf("epoch %2d/%d  loss %.6f  train %.2f %%  validation %.2f %%%s  |gradient| %.2f  %.2f s  %.0f images/s\n", epoch,
           settings->epochs, loss / n_train, 100.0 * right / n_train, 100 * accuracy,
           accuracy > training->best_accuracy ? " *" : "  ", norms / n_batches, time, n_train / time);
    fflush(stdout);
    if (!isfinite(loss)) {
        return pytree_fail(err, PYTREE_VALUE, "", "expected a finite loss, got %g in epoch %d: try a lower --rate", loss,
                           epoch);
    }
    if (accuracy > training->best_accuracy) {
        training->best_accuracy = accuracy;
        return pytree_copy_into(PYTREE(&training->best), PYTREE(&training->model), NULL, err);
    }
    return PYTREE_OK;
}

static void report(void *context, const pytree_error *problem)
{
    pytree_error_print(context, problem);
}

/* Make the state before the first step. */
static pytree_status begin(Training *training, const Settings *settings, pytree_error *err)
{
    training->settings = *settings;
    training->random_state = settings->seed;
    training->best_accuracy = -1;
    for (int i = 0; i < training->n; i++) { training->order[i] = i; }
    return pytree_map(initialise, &training->random_state, NULL, 1, (pytree[1]){ PYTREE(&training->model) }, NULL, err);
}

/* Load the state of a run with these settings. The file is not trusted: no index from it leads outside an array. */
static pytree_status resume(Training *training, const Settings *settings, const char *path, pytree_error *err)
{
    if (pytree_load_safetensors(path, PYTREE(training), NULL, err) != PYTREE_OK
        || !pytree_equal(PYTREE(settings), PYTREE(&training->settings), NULL, NULL, err)) {
        return err->status;
    }
    int n_batches = batches_per_epoch(training), epoch = training->step / n_batches;
    if (training->step < 0 || training->step % n_batches != 0 || epoch > settings->epochs) {
        return pytree_fail(err, PYTREE_VALUE, path, "expected a whole number of %d epochs, got step %d of %d in each",
                           settings->epochs, training->step, n_batches);
    }
    for (int i = 0; i < training->n; i++) {
        if (training->order[i] < 0 || training->order[i] >= training->n) {
            return pytree_fail(err, PYTREE_VALUE, path, "expected images below %d, got %d", training->n, training->order[i]);
        }
    }
    printf("%s: after epoch %d\n", path, epoch);
    return PYTREE_OK;
}

static pytree_status train(Training *training, const Derivative *derivative, pytree gradients, Batch *batch,
                           const Images *images, const char *save, pytree_error *err)
{
    pytree model = PYTREE(&training->model);
    int steps = training->settings.epochs * batches_per_epoch(training);
    size_t parameters = 0, leaves = pytree_num_leaves(model, NULL, err);
    AdamW optimizer = { .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f, .decay = training->settings.decay };
    bool *decays = leaves != SIZE_MAX ? calloc(leaves, sizeof *decays) : NULL;
    pytree_status status = decays != NULL ? PYTREE_OK : pytree_fail(err, PYTREE_NO_MEMORY, "", "expected %zu bytes", leaves);
    optimizer.decays = decays;
    if (status == PYTREE_OK) { status = pytree_map(mask_decay, decays, NULL, 1, &model, NULL, err); }
    if (status == PYTREE_OK) { status = pytree_check(model, report, stderr, NULL, err); }
    if (status == PYTREE_OK) { status = pytree_reduce(count_elements, &parameters, model, NULL, err); }
    if (status == PYTREE_OK) { status = pytree_print(stdout, model, NULL, err); }
    if (status == PYTREE_OK) { printf("%zu parameters\n\n", parameters); }
    while (status == PYTREE_OK) {
        if (save != NULL) { status = pytree_save_safetensors(save, PYTREE(training), NULL, err); }
        if (status != PYTREE_OK || training->step >= steps) { break; }
        status = train_epoch(training, derivative, gradients, &optimizer, batch, images, err);
    }
    free(decays);
    return status;
}

#endif
