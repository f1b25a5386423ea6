/* fashion_mnist.c: train a multilayer perceptron (784-256-128-10) on Fashion-MNIST with AdamW.
 *
 *     examples/run --epochs 20 --seed 1                         install what is missing, build and run
 *     examples/run --save run.safetensors                       write a checkpoint after each epoch
 *     examples/run --save run.safetensors --resume run.safetensors
 *
 * The fields of the model are listed once, beside its struct. The rest follows from this list: memory, initialisation and
 * weight decay by key path, gradients, optimizer moments, gradient norm and clipping, the parameter table, the check before
 * training, the copy of the best model, the checkpoint. Only the mathematics of a layer names its arrays again.
 *
 * The whole state of a training run is one struct, so saving and resuming take one call each. A run that is stopped at any
 * moment and resumed ends with the same weights, bit for bit, as an uninterrupted run.
 *
 * The last 5000 training images select the best model; the test images are used once, at the end. With one thread and a fixed
 * order of additions, a seed always gives the same result on the same machine and compiler.
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -I. examples/fashion_mnist.c -lz -lm
 */
#define PYTREE_IMPLEMENTATION
#include "pytree/safetensors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { SIDE = 28, CLASSES = 10, VALIDATION = 5000, MOST_IMAGES = 1000000 };

static const char *const class_names[CLASSES] = {
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"
};

/* ---- The model ----------------------------------------------------------------------------------------------------- */

typedef struct Linear {
    int din, dout;
    float *w;                             /* (din, dout) */
    float *b;                             /* (dout,) */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct MLP {
    int n_layers;
    Linear *layers;                       /* n_layers of them, with a ReLU between two layers */
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))
#include "pytree_registry.h"

/* ---- The state of a training run, and its settings ------------------------------------------------------------------- */

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

/* ---- What else needs memory: images, and a minibatch on its way through the layers ---------------------------------- */

typedef struct Images {
    int n;
    unsigned char *pixels;                /* (n, SIDE, SIDE) */
    unsigned char *labels;                /* (n,) below CLASSES */
} Images;

#define PYTREE_STRUCT Images
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, pixels, ARRAY(self->n, SIDE, SIDE)) \
    PYTREE_FIELD(DATA, labels, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Signal {                   /* the results of a layer for each image of a minibatch */
    int size, din, dout;
    float *y;                             /* (size, dout) its output, after the ReLU, if any */
    float *dy;                            /* (size, dout) the gradient of the loss */
    float *wt;                            /* (dout, din) its weights transposed; the first layer needs none */
} Signal;

#define PYTREE_STRUCT Signal
#define PYTREE_FIELDS                                                 \
    PYTREE_FIELD(STATIC, size)                                        \
    PYTREE_FIELD(STATIC, din)                                         \
    PYTREE_FIELD(STATIC, dout)                                        \
    PYTREE_FIELD(DATA, y, ARRAY(self->size, self->dout))              \
    PYTREE_FIELD(DATA, dy, ARRAY(self->size, self->dout))             \
    PYTREE_FIELD(DATA, wt, OPTIONAL, ARRAY(self->dout, self->din))
#include "pytree_registry.h"

typedef struct Batch {
    int size;                             /* capacity in images */
    int n_layers;
    float scale, shift;                   /* pixel * scale + shift has mean 0 and deviation 1 */
    float *x;                             /* (size, SIDE * SIDE) */
    unsigned char *labels;                /* (size,) */
    Signal *signals;                      /* n_layers of them */
} Batch;

#define PYTREE_STRUCT Batch
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, size)                             \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(STATIC, scale)                            \
    PYTREE_FIELD(STATIC, shift)                            \
    PYTREE_FIELD(DATA, x, ARRAY(self->size, SIDE * SIDE))  \
    PYTREE_FIELD(DATA, labels, ARRAY(self->size))          \
    PYTREE_FIELD(DATA, signals, LIST(self->n_layers))
#include "pytree_registry.h"

/* ---- Random numbers and time --------------------------------------------------------------------------------------- */

/* splitmix64: 64 bits of state, and every seed is valid. */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static float random_uniform(uint64_t *state, float low, float high)
{
    return low + (high - low) * ((float)(random_bits(state) >> 40) * 0x1p-24f);
}

static void shuffle(int *order, int n, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(random_bits(state) % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Reading the images: gzip'd IDX files -------------------------------------------------------------------------- */

typedef struct Idx {
    char path[1024];
    FILE *file;
    z_stream stream;
    bool ended;                           /* the gzip data ended, with the right checksum */
    unsigned char input[1 << 15];
} Idx;

/* Inflate n bytes, or fewer at the end of the gzip data. (gzread is simpler, but misses a file truncated in its checksum.) */
static pytree_status idx_inflate(Idx *idx, void *bytes, unsigned n, unsigned *got, const char *what, pytree_error *err)
{
    z_stream *z = &idx->stream;
    z->next_out = bytes;
    z->avail_out = n;
    while (z->avail_out > 0 && !idx->ended) {
        if (z->avail_in == 0) {
            z->next_in = idx->input;
            z->avail_in = (unsigned)fread(idx->input, 1, sizeof idx->input, idx->file);
            if (z->avail_in == 0) {
                return pytree_fail(err, PYTREE_IO, idx->path, "expected %u bytes of %s, got %u: %s", n, what, n - z->avail_out,
                                   ferror(idx->file) ? strerror(errno) : "the file is truncated");
            }
        }
        int code = inflate(z, Z_NO_FLUSH);
        idx->ended = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END) {
            return pytree_fail(err, PYTREE_IO, idx->path, "expected %u bytes of %s, got damaged gzip data: %s", n, what,
                               z->msg != NULL ? z->msg : zError(code));
        }
    }
    *got = n - z->avail_out;
    return PYTREE_OK;
}

/* Read n bytes. The error of a short file names them as `what`. */
static pytree_status idx_read(Idx *idx, void *bytes, unsigned n, const char *what, pytree_error *err)
{
    unsigned got;
    pytree_status status = idx_inflate(idx, bytes, n, &got, what, err);
    if (status != PYTREE_OK || got == n) { return status; }
    return pytree_fail(err, PYTREE_IO, idx->path, "expected %u bytes of %s, got %u: the data is truncated", n, what, got);
}

/* Check that only the checksum follows. */
static pytree_status idx_end(Idx *idx, pytree_error *err)
{
    unsigned char more;
    unsigned got = 0;
    pytree_status status = idx_inflate(idx, &more, 1, &got, "checksum", NULL);
    if (status == PYTREE_OK && got == 0) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_IO, idx->path, "expected a checksum and the end after the last element, got %s",
                       got > 0 ? "more data" : "a truncated file or a wrong checksum");
}

/* Open folder/name and read its header: a magic number, for unsigned bytes in n_extents dimensions, and the extents. */
static pytree_status idx_open(Idx *idx, const char *folder, const char *name, int n_extents, int *extents, pytree_error *err)
{
    unsigned char head[16] = { 0 };
    int length = snprintf(idx->path, sizeof idx->path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof idx->path) {
        return pytree_fail(err, PYTREE_ARGUMENT, name, "expected a shorter folder name, got %zu bytes", strlen(folder));
    }
    idx->file = fopen(idx->path, "rb");
    if (idx->file == NULL) {
        return pytree_fail(err, PYTREE_IO, idx->path,
                           "expected a gzip'd IDX file (package dataset-fashion-mnist, or --data), got: %s", strerror(errno));
    }
    size_t n = fread(head, 1, 2, idx->file);
    if (ferror(idx->file)) {
        return pytree_fail(err, PYTREE_IO, idx->path, "expected a gzip'd IDX file, got: %s", strerror(errno));
    }
    if (n < 2) { return pytree_fail(err, PYTREE_IO, idx->path, "expected a gzip'd IDX file, got one of %zu bytes", n); }
    if (head[0] != 0x1f || head[1] != 0x8b) {
        return pytree_fail(err, PYTREE_IO, idx->path, "expected gzip data, which begins with the bytes 1f 8b, got %02x %02x",
                           head[0], head[1]);
    }
    rewind(idx->file);
    if (inflateInit2(&idx->stream, 16 + MAX_WBITS) != Z_OK) {          /* 16: gzip instead of zlib's own format */
        return pytree_fail(err, PYTREE_NO_MEMORY, idx->path, "expected memory for zlib, got none");
    }
    if (idx_read(idx, head, 4 + 4 * (unsigned)n_extents, "header", err) != PYTREE_OK) { return PYTREE_IO; }
    const unsigned magic = 0x800u + (unsigned)n_extents;
    for (int i = 0; i <= n_extents; i++) {
        const unsigned char *b = head + 4 * i;
        unsigned long word = (unsigned long)b[0] << 24 | (unsigned long)b[1] << 16 | (unsigned long)b[2] << 8 | b[3];
        if (i == 0 && word != magic) {
            return pytree_fail(err, PYTREE_IO, idx->path,
                               "expected the magic number 0x%08x (bytes, %d dimensions), got 0x%08lx", magic, n_extents, word);
        }
        if (i > 0 && (word == 0 || word > MOST_IMAGES)) {
            return pytree_fail(err, PYTREE_IO, idx->path, "expected an extent from 1 to %d, got %lu", (int)MOST_IMAGES, word);
        }
        if (i > 0) { extents[i - 1] = (int)word; }
    }
    return PYTREE_OK;
}

static void idx_close(Idx *idx)
{
    inflateEnd(&idx->stream);             /* allowed even if inflateInit2 was not called */
    if (idx->file != NULL) { fclose(idx->file); }
}

/* Read <name>-images-idx3-ubyte.gz and <name>-labels-idx1-ubyte.gz. */
static pytree_status read_images(Images *images, const char *folder, const char *name, pytree_error *err)
{
    Idx pictures = { .file = NULL }, labels = { .file = NULL };
    int extents[3], n_labels;
    char file[64];
    snprintf(file, sizeof file, "%s-images-idx3-ubyte.gz", name);
    pytree_status status = idx_open(&pictures, folder, file, 3, extents, err);
    if (status == PYTREE_OK && (extents[1] != SIDE || extents[2] != SIDE)) {
        status = pytree_fail(err, PYTREE_IO, pictures.path, "expected images of %d x %d, got %d x %d", SIDE, SIDE,
                             extents[1], extents[2]);
    }
    if (status == PYTREE_OK) {
        snprintf(file, sizeof file, "%s-labels-idx1-ubyte.gz", name);
        status = idx_open(&labels, folder, file, 1, &n_labels, err);
    }
    if (status == PYTREE_OK && n_labels != extents[0]) {
        status = pytree_fail(err, PYTREE_IO, labels.path, "expected %d labels, one for each image, got %d", extents[0],
                             n_labels);
    }
    if (status == PYTREE_OK) {
        images->n = n_labels;
        status = pytree_allocate(PYTREE(images), NULL, err);
    }
    if (status == PYTREE_OK) { status = idx_read(&pictures, images->pixels, (unsigned)images->n * SIDE * SIDE, "pixels", err); }
    if (status == PYTREE_OK) { status = idx_end(&pictures, err); }
    if (status == PYTREE_OK) { status = idx_read(&labels, images->labels, (unsigned)images->n, "labels", err); }
    if (status == PYTREE_OK) { status = idx_end(&labels, err); }
    for (int i = 0; status == PYTREE_OK && i < images->n; i++) {
        if (images->labels[i] >= CLASSES) {
            status = pytree_fail(err, PYTREE_IO, labels.path, "expected labels below %d, got %d for image %d", CLASSES,
                                 images->labels[i], i);
        }
    }
    idx_close(&pictures);
    idx_close(&labels);
    return status;
}

/* ---- The mathematics of the layers --------------------------------------------------------------------------------- */

/* Compute c (m, n) += a (m, k) b (k, n). Element (i, l) of a is a[i * rows + l * columns], so transposing a is free. Tiles of c
 * stay in registers while the inner loop goes along rows of b, so it vectorises without reordering any sum. */
static void multiply_add(float *restrict c, const float *restrict a, int rows, int columns, const float *restrict b,
                         int m, int k, int n)
{
    enum { HIGH = 8, WIDE = 32 };
    for (int j0 = 0; j0 < n; j0 += WIDE) {
        for (int i0 = 0; i0 < m; i0 += HIGH) {
            float sum[HIGH][WIDE] = { { 0 } };
            int high = m - i0 < HIGH ? m - i0 : HIGH, wide = n - j0 < WIDE ? n - j0 : WIDE;
            const float *at = a + (ptrdiff_t)i0 * rows, *bt = b + j0;
            if (high == HIGH && wide == WIDE) {
                for (int l = 0; l < k; l++) {
                    for (int i = 0; i < HIGH; i++) {
                        float x = at[(ptrdiff_t)i * rows + (ptrdiff_t)l * columns];
                        for (int j = 0; j < WIDE; j++) { sum[i][j] += x * bt[(ptrdiff_t)l * n + j]; }
                    }
                }
            } else {
                for (int l = 0; l < k; l++) {
                    for (int i = 0; i < high; i++) {
                        float x = at[(ptrdiff_t)i * rows + (ptrdiff_t)l * columns];
                        for (int j = 0; j < wide; j++) { sum[i][j] += x * bt[(ptrdiff_t)l * n + j]; }
                    }
                }
            }
            for (int i = 0; i < high; i++) {
                for (int j = 0; j < wide; j++) { c[(ptrdiff_t)(i0 + i) * n + j0 + j] += sum[i][j]; }
            }
        }
    }
}

/* Copy images[order[from ... from + n - 1]] to the batch; order NULL: in their own order. */
static void gather(Batch *batch, const Images *images, const int *order, int from, int n)
{
    enum { PIXELS = SIDE * SIDE };
    for (int i = 0; i < n; i++) {
        int image = order != NULL ? order[from + i] : from + i;
        const unsigned char *pixels = images->pixels + (ptrdiff_t)image * PIXELS;
        float *x = batch->x + (ptrdiff_t)i * PIXELS;
        for (int p = 0; p < PIXELS; p++) { x[p] = (float)pixels[p] * batch->scale + batch->shift; }
        batch->labels[i] = images->labels[image];
    }
}

static void forward(const MLP *model, Batch *batch, int n)
{
    const float *x = batch->x;
    for (int l = 0; l < model->n_layers; l++) {
        const Linear *layer = &model->layers[l];
        float *y = batch->signals[l].y;
        for (int i = 0; i < n; i++) { memcpy(y + (ptrdiff_t)i * layer->dout, layer->b, (size_t)layer->dout * sizeof *y); }
        multiply_add(y, x, layer->din, 1, layer->w, n, layer->din, layer->dout);
        if (l + 1 < model->n_layers) {
            for (int i = 0; i < n * layer->dout; i++) { y[i] = y[i] > 0 ? y[i] : 0; }
        }
        x = y;
    }
}

/* Return the class with the highest score for image i. */
static int guess(const Batch *batch, int i)
{
    const float *y = batch->signals[batch->n_layers - 1].y + (ptrdiff_t)i * CLASSES;
    int best = 0;
    for (int j = 1; j < CLASSES; j++) { best = y[j] > y[best] ? j : best; }
    return best;
}

/* Return the sum over n images of the cross-entropy of softmax(scores), and store the gradient of the mean in the last dy. */
static double loss_and_gradient(Batch *batch, int n)
{
    Signal *last = &batch->signals[batch->n_layers - 1];
    double loss = 0;
    for (int i = 0; i < n; i++) {
        const float *y = last->y + (ptrdiff_t)i * CLASSES;
        float *dy = last->dy + (ptrdiff_t)i * CLASSES, high = y[guess(batch, i)], sum = 0;
        for (int j = 0; j < CLASSES; j++) { sum += dy[j] = expf(y[j] - high); }
        for (int j = 0; j < CLASSES; j++) { dy[j] /= sum * (float)n; }
        dy[batch->labels[i]] -= 1 / (float)n;
        loss += (double)(logf(sum) + high - y[batch->labels[i]]);
    }
    return loss;
}

/* Add to the gradients, from the last layer's dy down to the first layer. */
static void backward(const MLP *model, MLP *gradients, Batch *batch, int n)
{
    for (int l = model->n_layers - 1; l >= 0; l--) {
        const Linear *layer = &model->layers[l];
        Linear *gradient = &gradients->layers[l];
        Signal *signal = &batch->signals[l];
        int din = layer->din, dout = layer->dout;
        multiply_add(gradient->w, l > 0 ? signal[-1].y : batch->x, 1, din, signal->dy, din, n, dout);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < dout; j++) { gradient->b[j] += signal->dy[(ptrdiff_t)i * dout + j]; }
        }
        if (l > 0) {
            float *dx = signal[-1].dy;
            const float *x = signal[-1].y;
            for (int i = 0; i < din; i++) {
                for (int j = 0; j < dout; j++) { signal->wt[(ptrdiff_t)j * din + i] = layer->w[(ptrdiff_t)i * dout + j]; }
            }
            memset(dx, 0, (size_t)n * (size_t)din * sizeof *dx);
            multiply_add(dx, signal->dy, dout, 1, signal->wt, n, dout, din);
            for (int i = 0; i < n * din; i++) { dx[i] = x[i] > 0 ? dx[i] : 0; }
        }
    }
}

/* ---- What happens to every leaf: for pytree_map and pytree_reduce --------------------------------------------------- */

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

static pytree_status clear(void *context, const pytree_iter *at)
{
    (void)context;
    memset(at->leaf[0]->data, 0, pytree_leaf_bytes(at->leaf[0]));
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

/* ---- Training ------------------------------------------------------------------------------------------------------ */

typedef struct Options {
    const char *data, *save, *resume, *export;       /* NULL: not wanted */
    Settings settings;
} Options;

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
static pytree_status train_epoch(Training *training, pytree gradients, AdamW *optimizer, Batch *batch, const Images *images,
                                 pytree_error *err)
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
        forward(&training->model, batch, n);
        for (int i = 0; i < n; i++) { right += guess(batch, i) == batch->labels[i]; }
        loss += loss_and_gradient(batch, n);

        double squares = 0;
        if (pytree_map(clear, NULL, NULL, 1, &gradients, NULL, err) != PYTREE_OK) { return err->status; }
        backward(&training->model, gradients.data, batch, n);
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
    printf("epoch %2d/%d  loss %.4f  train %.2f %%  validation %.2f %%%s  |gradient| %.2f  %.2f s  %.0f images/s\n", epoch,
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

static pytree_status train(Training *training, pytree gradients, Batch *batch, const Images *images, const char *save,
                           pytree_error *err)
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
        status = train_epoch(training, gradients, &optimizer, batch, images, err);
    }
    free(decays);
    return status;
}

/* ---- The program --------------------------------------------------------------------------------------------------- */

/* Normalise the pixels: mean 0 and deviation 1 over the first n images. */
static void standardise(Batch *batch, const Images *images, int n)
{
    uint64_t sum = 0, squares = 0;
    size_t count = (size_t)n * SIDE * SIDE;
    for (size_t i = 0; i < count; i++) {
        unsigned p = images->pixels[i];
        sum += p;
        squares += p * p;
    }
    double mean = (double)sum / (double)count, variance = (double)squares / (double)count - mean * mean;
    batch->scale = variance > 0 ? (float)(1 / sqrt(variance)) : 1;
    batch->shift = (float)-mean * batch->scale;
}

static void print_confusion(int (*counts)[CLASSES])
{
    printf("\ntest images: a row for each label, a column for each guess\n%-9s", "");
    for (int j = 0; j < CLASSES; j++) { printf("%9s", class_names[j]); }
    printf("%9s\n", "right");
    for (int i = 0; i < CLASSES; i++) {
        int total = 0;
        printf("%-9s", class_names[i]);
        for (int j = 0; j < CLASSES; j++) {
            total += counts[i][j];
            printf("%9d", counts[i][j]);
        }
        printf("%7.1f %%\n", total > 0 ? 100.0 * counts[i][i] / total : 0.0);
    }
}

static pytree_status run(const Options *options, pytree_error *err)
{
    enum { LAYERS = 3 };
    Linear layers[LAYERS] = {
        { .din = SIDE * SIDE, .dout = 256 }, { .din = 256, .dout = 128 }, { .din = 128, .dout = CLASSES }
    };
    const MLP sizes = { .n_layers = LAYERS, .layers = layers };
    const Settings *settings = &options->settings;
    Training training = { .model = sizes, .m = sizes, .v = sizes, .best = sizes };
    Signal signals[LAYERS];
    Batch batch = { .size = settings->batch, .n_layers = LAYERS, .signals = signals };
    Images images = { 0 }, test = { 0 };
    pytree batch_tree = { NULL, NULL }, training_tree = { NULL, NULL }, gradients = { NULL, NULL };
    int counts[CLASSES][CLASSES] = { { 0 } };
    double start = seconds();

    for (int l = 0; l < LAYERS; l++) {
        signals[l] = (Signal){ .size = batch.size, .din = layers[l].din, .dout = layers[l].dout,
                               .wt = l > 0 ? PYTREE_WANTED : NULL };
    }
    pytree_status status = read_images(&images, options->data, "train", err);
    if (status == PYTREE_OK) { status = read_images(&test, options->data, "t10k", err); }
    if (status == PYTREE_OK && images.n <= VALIDATION) {
        status = pytree_fail(err, PYTREE_IO, options->data, "expected more than %d training images, got %d", VALIDATION,
                             images.n);
    }
    if (status == PYTREE_OK) {
        training.n = images.n - VALIDATION;
        standardise(&batch, &images, training.n);
        status = pytree_allocate(PYTREE(&batch), NULL, err);
    }
    if (status == PYTREE_OK) {
        batch_tree = PYTREE(&batch);
        status = pytree_allocate(PYTREE(&training), NULL, err);
    }
    if (status == PYTREE_OK) {
        training_tree = PYTREE(&training);
        gradients = pytree_zeros_like(PYTREE(&training.model), NULL, err);
        status = err->status;
    }
    if (status == PYTREE_OK) {
        printf("%d training, %d validation, %d test images from %s\n", training.n, VALIDATION, test.n, options->data);
        status = options->resume != NULL ? resume(&training, settings, options->resume, err) : begin(&training, settings, err);
    }
    if (status == PYTREE_OK) { status = train(&training, gradients, &batch, &images, options->save, err); }
    if (status == PYTREE_OK && options->export != NULL) {
        status = pytree_save_safetensors(options->export, PYTREE(&training.best), NULL, err);
    }
    if (status == PYTREE_OK) {
        double accuracy = evaluate(&training.best, &batch, &test, 0, test.n, counts);
        print_confusion(counts);
        printf("\n%.1f seconds in all\ntest accuracy: %.2f %%\n", seconds() - start, 100 * accuracy);
    }
    pytree_free(gradients);
    pytree_free(training_tree);
    pytree_free(batch_tree);
    pytree_free(PYTREE(&test));
    pytree_free(PYTREE(&images));
    return status;
}

static bool read_whole(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;
    if (text == NULL || *text < '0' || *text > '9') { return false; }
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *value >= low && *value <= high;
}

static bool read_real(const char *text, double low, double high, float *value)
{
    char *end;
    if (text == NULL || *text == '\0') { return false; }
    double x = strtod(text, &end);
    *value = (float)x;
    return *end == '\0' && x >= low && x <= high;
}

static pytree_status read_option(Options *options, const char *name, const char *text, pytree_error *err)
{
    Settings *settings = &options->settings;
    const char *expected = NULL, **path = NULL;
    uint64_t whole = 0;
    if (strcmp(name, "--data") == 0) {
        path = &options->data;
    } else if (strcmp(name, "--save") == 0) {
        path = &options->save;
    } else if (strcmp(name, "--resume") == 0) {
        path = &options->resume;
    } else if (strcmp(name, "--export") == 0) {
        path = &options->export;
    } else if (strcmp(name, "--epochs") == 0) {
        expected = read_whole(text, 1, 1000, &whole) ? NULL : "a number from 1 to 1000";
        settings->epochs = (int)whole;
    } else if (strcmp(name, "--batch") == 0) {
        expected = read_whole(text, 1, 4096, &whole) ? NULL : "a number from 1 to 4096";
        settings->batch = (int)whole;
    } else if (strcmp(name, "--seed") == 0) {
        expected = read_whole(text, 0, UINT64_MAX, &settings->seed) ? NULL : "a whole number";
    } else if (strcmp(name, "--rate") == 0) {
        expected = read_real(text, 0, 1, &settings->rate) ? NULL : "a number from 0 to 1";
    } else if (strcmp(name, "--decay") == 0) {
        expected = read_real(text, 0, 100, &settings->decay) ? NULL : "a number from 0 to 100";
    } else {
        return pytree_fail(err, PYTREE_ARGUMENT, name,
                           "expected --data, --epochs, --seed, --batch, --rate, --decay, --save, --resume, --export or --help");
    }
    if (path != NULL) {
        *path = text;
        expected = text != NULL ? NULL : "a path";
    }
    if (expected == NULL) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_ARGUMENT, name, "expected %s, got %s", expected, text != NULL ? text : "nothing");
}

static pytree_status read_options(Options *options, int argc, char **argv, pytree_error *err)
{
    pytree_status status = PYTREE_OK;
    for (int i = 1; i < argc && status == PYTREE_OK; i += 2) {
        status = read_option(options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, err);
    }
    return status;
}

int main(int argc, char **argv)
{
    Options options = {
        .data = "/usr/share/datasets/fashion-mnist",
        .settings = { .epochs = 20, .batch = 128, .seed = 1, .rate = 1e-3f, .decay = 0.1f },
    };
    const Settings *settings = &options.settings;
    pytree_error err = { 0 };
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: fashion_mnist [option value]...\n"
               "  --data    folder with the four .gz files   %s\n"
               "  --epochs  passes over the training images  %d\n"
               "  --seed    of all random numbers            %d\n"
               "  --batch   images per step                  %d\n"
               "  --rate    highest learning rate            %g\n"
               "  --decay   of the weights                   %g\n"
               "  --save    file for the state, replaced before the first epoch and after each\n"
               "  --resume  such a file: goes on where it stopped; the other options must be as they were\n"
               "  --export  file for the best model's parameters\n",
               options.data, settings->epochs, (int)settings->seed, settings->batch, (double)settings->rate,
               (double)settings->decay);
        return EXIT_SUCCESS;
    }
    if (read_options(&options, argc, argv, &err) == PYTREE_OK && run(&options, &err) == PYTREE_OK && fflush(stdout) != 0) {
        pytree_fail(&err, PYTREE_IO, "standard output", "expected it to take the results, got: %s", strerror(errno));
    }
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
