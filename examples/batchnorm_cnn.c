/* batchnorm_cnn.c: train a convolutional network with batch normalisation and dropout on Fashion-MNIST.
 *
 *     examples/run batchnorm_cnn                                install what is missing, build and run: 90 % and more
 *     examples/run batchnorm_cnn --save run.safetensors         write a checkpoint after each epoch
 *     examples/run batchnorm_cnn --save run.safetensors --stop 2              stop after the second of six epochs
 *     examples/run batchnorm_cnn --save run.safetensors --resume run.safetensors
 *
 * The values of the model have roles: parameters, batch statistics, keys and counts of random streams, activations that the
 * forward pass leaves behind. The program takes them apart by role:
 *
 *     - the optimizer changes the parameters and nothing else;
 *     - a moving average of the parameters is a state like theirs, and is put into the model for the test;
 *     - in evaluation mode batch statistics are used and stay, and dropout does nothing;
 *     - a checkpoint is one tree: model, average, optimizer, epoch. A run that is stopped and resumed ends with the same bits.
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -fopenmp -I. examples/batchnorm_cnn.c -lz -lm
 */
#define PYTREE_IMPLEMENTATION
#include "fashion_mnist_data.h"
#include "batchnorm_cnn_layers.h"
#include "pytree/display.h"
#include "pytree/optimizer.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"

#include <stdlib.h>
#include <time.h>

enum { BATCH = 128, S1 = SIDE, S2 = SIDE / 2, S3 = SIDE / 4, FEATURES = S3 * S3 * C2 };

typedef struct CNN {
    Conv      conv1, conv2;
    BatchNorm bn1, bn2;
    Dropout   dropout;
    Stream    stream;                     /* of the dropout's masks */
    Linear    head;
    float     active[2];                  /* of the last minibatch: how much of each block is not 0 */
} CNN;

#define PYTREE_STRUCT CNN
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, conv1)                                                                                           \
    PYTREE_FIELD(DATA, conv2)                                                                                           \
    PYTREE_FIELD(DATA, bn1)                                                                                             \
    PYTREE_FIELD(DATA, bn2)                                                                                             \
    PYTREE_FIELD(DATA, dropout)                                                                                         \
    PYTREE_FIELD(DATA, stream)                                                                                          \
    PYTREE_FIELD(DATA, head)                                                                                            \
    PYTREE_FIELD(DATA, active, ROLE(Intermediate))
#include "pytree_registry.h"

/* A minibatch on its way through the layers, and the gradients on their way back. */
typedef struct Pass {
    float x[BATCH * S1 * S1], labels[BATCH];
    float conv1[BATCH * S1 * S1 * C1], bn1[BATCH * S1 * S1 * C1], pool1[BATCH * S2 * S2 * C1];
    float conv2[BATCH * S2 * S2 * C2], bn2[BATCH * S2 * S2 * C2], pool2[BATCH * FEATURES];
    float mask[BATCH * FEATURES], scores[BATCH * CLASSES];
    float dlarge[BATCH * S1 * S1 * C1], dmiddle[BATCH * S2 * S2 * C2], dsmall[BATCH * FEATURES];
    Normed normed1, normed2;
} Pass;

static Pass pass;

/* ---- Forward and backward -------------------------------------------------------------------------------------------- */

static float active_part(const float *y, size_t n)
{
    size_t active = 0;
    for (size_t i = 0; i < n; i++) { active += y[i] > 0; }
    return (float)active / (float)n;
}

static void forward(CNN *m, int n)
{
    const float keep = m->dropout.deterministic ? 1 : 1 - m->dropout.rate;
    const uint64_t stream = mixed(m->stream.key + m->stream.count);
    convolve(m->conv1.kernel, pass.x, pass.conv1, n, S1, 1, C1);
    normalise(&m->bn1, pass.conv1, pass.bn1, (size_t)n * S1 * S1, &pass.normed1);
    pool(pass.bn1, pass.pool1, n, S1, C1);
    convolve(m->conv2.kernel, pass.pool1, pass.conv2, n, S2, C1, C2);
    normalise(&m->bn2, pass.conv2, pass.bn2, (size_t)n * S2 * S2, &pass.normed2);
    pool(pass.bn2, pass.pool2, n, S2, C2);
    EACH_CHUNK(c) {
        for (size_t image = FIRST(c, n); image < FIRST(c + 1, n); image++) {
            float *scores = pass.scores + image * CLASSES;
            memcpy(scores, m->head.bias, sizeof(float) * CLASSES);
            for (size_t i = image * FEATURES; i < (image + 1) * FEATURES; i++) {
                const float *w = m->head.kernel + (i - image * FEATURES) * CLASSES;
                pass.mask[i] = keep == 1 || uniform(stream, i) < keep ? 1 / keep : 0;
                for (int k = 0; k < CLASSES; k++) { scores[k] += pass.pool2[i] * pass.mask[i] * w[k]; }
            }
        }
    }
    if (!m->dropout.deterministic) {
        m->stream.count++;
        m->active[0] = active_part(pass.bn1, (size_t)n * S1 * S1 * C1);
        m->active[1] = active_part(pass.bn2, (size_t)n * S2 * S2 * C2);
    }
}

/* Turn the scores into the gradient of the mean cross-entropy. Returns the sum of that over the images. */
static double loss_of(int n)
{
    double loss = 0;
    for (int i = 0; i < n; i++) {
        float *score = pass.scores + i * CLASSES, high = score[0], sum = 0;
        const int label = (int)pass.labels[i];
        for (int k = 1; k < CLASSES; k++) { high = fmaxf(high, score[k]); }
        for (int k = 0; k < CLASSES; k++) { sum += expf(score[k] - high); }
        loss += (double)(logf(sum) + high - score[label]);
        for (int k = 0; k < CLASSES; k++) { score[k] = (expf(score[k] - high) / sum - (float)(k == label)) / (float)n; }
    }
    return loss;
}

/* Add the gradients of all parameters. */
static void backward(const CNN *m, CNN *g, int n)
{
    for (int image = 0; image < n; image++) {
        const float *d = pass.scores + image * CLASSES;
        for (int k = 0; k < CLASSES; k++) { g->head.bias[k] += d[k]; }
        for (int i = 0; i < FEATURES; i++) {
            const size_t at = (size_t)image * FEATURES + (size_t)i;
            float sum = 0;
            for (int k = 0; k < CLASSES; k++) {
                g->head.kernel[i * CLASSES + k] += pass.pool2[at] * pass.mask[at] * d[k];
                sum += m->head.kernel[i * CLASSES + k] * d[k];
            }
            pass.dsmall[at] = sum * pass.mask[at];
        }
    }
    pool_back(pass.bn2, pass.pool2, pass.dmiddle, pass.dsmall, n, S2, C2);
    normalise_back(&m->bn2, &g->bn2, pass.conv2, pass.bn2, pass.dmiddle, (size_t)n * S2 * S2, &pass.normed2);
    convolve_kernel(g->conv2.kernel, pass.pool1, pass.dmiddle, n, S2, C1, C2);
    convolve_input(m->conv2.kernel, pass.conv2, pass.dmiddle, n, S2, C1, C2);      /* conv2 is no longer needed */
    pool_back(pass.bn1, pass.pool1, pass.dlarge, pass.conv2, n, S1, C1);
    normalise_back(&m->bn1, &g->bn1, pass.conv1, pass.bn1, pass.dlarge, (size_t)n * S1 * S1, &pass.normed1);
    convolve_kernel(g->conv1.kernel, pass.x, pass.dlarge, n, S1, 1, C1);
}

/* ---- Training --------------------------------------------------------------------------------------------------------- */

/* A run. `all` is what a checkpoint holds. */
typedef struct Run {
    CNN      model;
    uint64_t epoch, seed;
    int      epochs, stop, limit;         /* in all; after which to stop; images of an epoch */
    pytree   grads;
    pytree_flat params, average, spare;   /* states of the parameters: the model's own memory, their average, room for a copy */
    pytree_optimizer *optimizer;
} Run;

static void evaluation(CNN *m, bool on)
{
    m->bn1.use_running_average = m->bn2.use_running_average = m->dropout.deterministic = on;
}

static pytree_status fill(void *context, const pytree_iter *at)        /* He's initialisation of kernels */
{
    const pytree_leaf *leaf = at->leaf[0];
    const size_t n = pytree_leaf_count(leaf), fan_in = n / leaf->shape[leaf->ndim - 1];
    const uint64_t stream = mixed(*(const uint64_t *)context + n);
    for (size_t i = 0; i < n; i++) {
        ((float *)leaf->data)[i] = (uniform(stream, i) - 0.5f) * sqrtf(24.0f / (float)fan_in);
    }
    return PYTREE_OK;
}

/* Allocate and initialise a run. */
static pytree_status run_begin(Run *run, pytree_error *err)
{
    pytree_filter kernels = PYTREE_PATH("**.kernel");
    pytree_flat state;
    CNN *m = &run->model;
    *m = (CNN){ .conv1 = { 1, C1, NULL }, .conv2 = { C1, C2, NULL }, .bn1 = { .n = C1 }, .bn2 = { .n = C2 },
                .dropout = { .rate = 0.25f }, .stream = { .key = mixed(run->seed) },
                .head = { FEATURES, CLASSES, NULL, PYTREE_WANTED } };
    if (pytree_allocate(PYTREE(m), NULL, err) != PYTREE_OK) { return err->status; }
    for (int k = 0; k < C1; k++) { m->bn1.scale[k] = m->bn1.var[k] = 1; }
    for (int k = 0; k < C2; k++) { m->bn2.scale[k] = m->bn2.var[k] = 1; }
    state = pytree_state(PYTREE(m), kernels, NULL, err);
    if (state.def != NULL) { pytree_map(fill, &run->seed, NULL, 1, &(pytree){ PYTREE(&state).type, &state }, NULL, err); }
    pytree_flat_free(&state);

    run->grads = pytree_zeros_like(PYTREE(m), NULL, err);
    run->params = pytree_state(PYTREE(m), PYTREE_OF(Param), NULL, err);
    if (err->status != PYTREE_OK) { return err->status; }
    run->average = pytree_state_zeros_like(PYTREE(&run->params), NULL, err);
    run->spare = pytree_state_zeros_like(PYTREE(&run->params), NULL, err);
    run->optimizer = pytree_optimizer_new(PYTREE(m), PYTREE_ADAMW(.rate = 3e-3, .decay = 1e-2), PYTREE_OF(Param), NULL, err);
    if (err->status != PYTREE_OK) { return err->status; }
    return pytree_copy_into(PYTREE(&run->average), PYTREE(&run->params), NULL, err);
}

static void run_end(Run *run)
{
    pytree_optimizer_free(run->optimizer);
    pytree_flat_free(&run->spare);
    pytree_flat_free(&run->average);
    pytree_flat_free(&run->params);
    pytree_free(run->grads);
    pytree_free(PYTREE(&run->model));
}

/* Save a run, or load it. */
static pytree_status checkpoint(Run *run, const char *path, bool save, pytree_error *err)
{
    pytree all = PYTREE_DICT({ "model", PYTREE(&run->model) }, { "average", PYTREE(&run->average) },
                             { "optimizer", PYTREE(&run->optimizer->state) }, { "epoch", PYTREE(&run->epoch) });
    return save ? pytree_save_safetensors(path, all, NULL, err) : pytree_load_safetensors(path, all, NULL, err);
}

static void gather(const Images *images, const int *order, int from, int n)
{
    for (int i = 0; i < n; i++) {
        const int image = order == NULL ? from + i : order[from + i];
        pass.labels[i] = images->labels[image];
        for (int p = 0; p < SIDE * SIDE; p++) {
            const float grey = (float)images->pixels[(size_t)image * SIDE * SIDE + (size_t)p] / 255;
            pass.x[i * SIDE * SIDE + p] = (grey - 0.286f) / 0.353f;
        }
    }
}

static pytree_status clear(void *context, const pytree_iter *at)
{
    (void)context;
    memset(at->leaf[0]->data, 0, pytree_leaf_bytes(at->leaf[0]));
    return PYTREE_OK;
}

/* One epoch. Returns the mean loss. */
static double train(Run *run, const Images *images, int *order, pytree_error *err)
{
    const int steps = run->limit / BATCH;
    const uint64_t stream = mixed(run->seed + run->epoch);
    double loss = 0;
    for (int i = images->n - 1; i > 0; i--) {
        const int k = (int)(mixed(stream ^ (uint64_t)i) % (uint64_t)(i + 1)), moved = order[i];
        order[i] = order[k];
        order[k] = moved;
    }
    for (int step = 0; step < steps && err->status == PYTREE_OK; step++) {
        const double part = ((double)run->epoch * steps + step) / ((double)run->epochs * steps);
        gather(images, order, step * BATCH, BATCH);
        forward(&run->model, BATCH);
        loss += loss_of(BATCH);
        pytree_map(clear, NULL, NULL, 1, &run->grads, NULL, err);
        backward(&run->model, run->grads.data, BATCH);
        run->optimizer->rule.rate = 3e-3 * 0.5 * (1 + cos(3.14159265358979 * part));
        pytree_optimizer_update(run->optimizer, run->grads, err);
        pytree_lerp(0.01, PYTREE(&run->params), PYTREE(&run->average), NULL, err);
    }
    return loss / (double)(steps * BATCH);
}

/* The part of the images that the averaged parameters recognise. */
static double test(Run *run, const Images *images, pytree_error *err)
{
    int right = 0;
    pytree_copy_into(PYTREE(&run->spare), PYTREE(&run->params), NULL, err);
    pytree_update(PYTREE(&run->model), 1, &(pytree){ PYTREE(&run->average).type, &run->average }, NULL, err);
    evaluation(&run->model, true);
    for (int from = 0; from < images->n; from += BATCH) {
        const int n = images->n - from < BATCH ? images->n - from : BATCH;
        gather(images, NULL, from, n);
        forward(&run->model, n);
        for (int i = 0; i < n; i++) {
            const float *score = pass.scores + i * CLASSES;
            int best = 0;
            for (int k = 1; k < CLASSES; k++) { best = score[k] > score[best] ? k : best; }
            right += best == (int)pass.labels[i];
        }
    }
    evaluation(&run->model, false);
    pytree_copy_into(PYTREE(&run->params), PYTREE(&run->spare), NULL, err);
    return (double)right / images->n;
}

/* A hash of all values, which tells whether two runs ended with the same bits. */
static uint64_t bits_of(Run *run, pytree_error *err)
{
    uint64_t hash = 0;
    pytree_iter it;
    if (pytree_iter_begin(&it, 2, (pytree[2]){ PYTREE(&run->params), PYTREE(&run->average) }, NULL, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            for (size_t t = 0; t < 2; t++) {
                for (size_t i = 0; i < pytree_leaf_count(it.leaf[t]); i++) {
                    uint32_t bits;
                    memcpy(&bits, (const float *)it.leaf[t]->data + i, sizeof bits);
                    hash = mixed(hash ^ bits);
                }
            }
        }
    }
    pytree_iter_end(&it);
    return hash;
}

/* Train the epochs that are left, then test. */
static pytree_status run_all(Run *run, const Images *images, const Images *tests, const char *save, pytree_error *err)
{
    const clock_t start = clock();
    int *order = malloc(sizeof *order * (size_t)images->n);
    pytree_flat sown;
    double right = -1;
    if (order == NULL) { return pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected memory for %d images", images->n); }
    while (run->epoch < (uint64_t)run->epochs && run->epoch < (uint64_t)run->stop && err->status == PYTREE_OK) {
        double loss;
        for (int i = 0; i < images->n; i++) { order[i] = i; }
        loss = train(run, images, order, err);
        right = test(run, tests, err);
        run->epoch++;
        printf("epoch %d: loss %.4f, test accuracy of the average %.2f %%\n", (int)run->epoch, loss, 100 * right);
        fflush(stdout);
        if (save != NULL) { checkpoint(run, save, true, err); }
    }
    free(order);
    sown = pytree_state(PYTREE(&run->model), PYTREE_OF(Intermediate), NULL, err);
    if (sown.def != NULL) { pytree_state_print(stdout, PYTREE(&sown), NULL, err); }
    pytree_flat_free(&sown);
    printf("%.0f seconds of processors, bits %016llx\n", (double)(clock() - start) / CLOCKS_PER_SEC,
           (unsigned long long)bits_of(run, err));
    printf("test accuracy: %.2f %%\n", 100 * (right < 0 ? test(run, tests, err) : right));
    return err->status;
}

/* ---- The command line ------------------------------------------------------------------------------------------------- */

static int usage(void)
{
    puts("usage: batchnorm_cnn [--epochs N] [--stop N] [--images N] [--seed N] [--data FOLDER] [--save FILE] [--resume FILE]");
    return 2;
}

int main(int argc, char **argv)
{
    static Run run = { .epochs = 6, .stop = INT_MAX, .limit = INT_MAX };
    const char *data = "/usr/share/datasets/fashion-mnist", *save = NULL, *resume = NULL;
    Images images = { 0 }, tests = { 0 };
    pytree_error err = { 0 };
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) { return usage(); }
        if (strcmp(argv[i], "--epochs") == 0) { run.epochs = atoi(argv[i + 1]); }
        else if (strcmp(argv[i], "--stop") == 0) { run.stop = atoi(argv[i + 1]); }
        else if (strcmp(argv[i], "--images") == 0) { run.limit = atoi(argv[i + 1]); }
        else if (strcmp(argv[i], "--seed") == 0) { run.seed = strtoull(argv[i + 1], NULL, 10); }
        else if (strcmp(argv[i], "--data") == 0) { data = argv[i + 1]; }
        else if (strcmp(argv[i], "--save") == 0) { save = argv[i + 1]; }
        else if (strcmp(argv[i], "--resume") == 0) { resume = argv[i + 1]; }
        else { return usage(); }
    }
    if (read_images(&images, data, "train", &err) == PYTREE_OK && read_images(&tests, data, "t10k", &err) == PYTREE_OK
        && run_begin(&run, &err) == PYTREE_OK) {
        if (run.limit > images.n) { run.limit = images.n; }
        if (resume != NULL) { checkpoint(&run, resume, false, &err); }
        if (err.status == PYTREE_OK) { run_all(&run, &images, &tests, save, &err); }
    }
    run_end(&run);
    pytree_free(PYTREE(&tests));
    pytree_free(PYTREE(&images));
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
