/* gpt2_train_run.h: the state of a training run, its steps, saving and resuming, and text that the model writes. */
#ifndef GPT2_TRAIN_RUN_H
#define GPT2_TRAIN_RUN_H

#include "gpt2_train_layers.h"

#include "pytree/groups.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"

enum { VOCABULARY = 256 };                /* a token is a byte */

/* ---- State --------------------------------------------------------------------------------------------------------- */

typedef struct Settings {
    uint64_t seed;
    int steps, batch;
    Real rate;
} Settings;

#define PYTREE_STRUCT Settings
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, seed)                               \
    PYTREE_FIELD(DATA, steps)                              \
    PYTREE_FIELD(DATA, batch)                              \
    PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"

/* All that a checkpoint holds. */
typedef struct Training {
    Settings settings;
    GPT model, m, v;                      /* parameters and their moments */
    uint64_t random_state;
    int step;                             /* steps made */
} Training;

#define PYTREE_STRUCT Training
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, settings)                           \
    PYTREE_FIELD(DATA, model)                              \
    PYTREE_FIELD(DATA, m)                                  \
    PYTREE_FIELD(DATA, v)                                  \
    PYTREE_FIELD(DATA, random_state)                       \
    PYTREE_FIELD(DATA, step)
#include "pytree_registry.h"

/* A run: its state, and what it can do without. */
typedef struct Run {
    Training training;
    GPT gradients;
    Pass pass;
    pytree_groups *groups;                /* of the parameters: settings by path */
    const unsigned char *text;
    size_t n_train, n;                    /* bytes of the text to train on; of all */
} Run;

/* ---- Parameter groups ---------------------------------------------------------------------------------------------- */

/* How parameters begin, and whether they decay. */
typedef struct Group {
    Real constant, deviation;             /* normal random numbers, or a constant */
    bool residual;                        /* smaller by sqrt(2 layers): what the blocks add to their input */
    Real decay;
} Group;

static const Group biases = { 0, 0, false, 0 }, scales = { 1, 0, false, 0 };
static const Group outputs = { 0, (Real)0.02, true, (Real)0.1 }, matrices = { 0, (Real)0.02, false, (Real)0.1 };
static const pytree_group parameter_groups[] = {
    { "**.bias", &biases },
    { ".h[*].ln_1.weight", &scales }, { ".h[*].ln_2.weight", &scales }, { ".ln_f.weight", &scales },
    { "**.c_proj.weight", &outputs },
    { "**.weight", &matrices },           /* of other linear layers, and the embeddings */
};
enum { GROUPS = sizeof parameter_groups / sizeof parameter_groups[0] };

static void print_groups(const pytree_groups *groups)
{
    for (size_t i = 0; i < groups->n_groups; i++) {
        const Group *group = groups->groups[i].settings;
        printf("%-18s %3zu arrays %8zu parameters  decay %g\n", groups->groups[i].pattern, groups->leaves[i],
               groups->elements[i], (double)group->decay);
    }
}

/* ---- Functions for pytree_map -------------------------------------------------------------------------------------- */

/* A normal random number, by Box and Muller. */
static Real random_normal(uint64_t *state)
{
    const double u = 1 - (double)random_uniform(state, 0, 1), angle = 6.283185307179586 * (double)random_uniform(state, 0, 1);
    return (Real)(sqrt(-2 * log(u)) * cos(angle));
}

static pytree_status initialise(void *context, const pytree_iter *at)
{
    Run *run = context;
    const Group *group = pytree_group_of(run->groups, at);
    const Real deviation = group->residual ? group->deviation / sqrt(2 * (Real)run->training.model.n_layer) : group->deviation;
    Real *w = at->leaf[0]->data;
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) {
        w[i] = deviation > 0 ? deviation * random_normal(&run->training.random_state) : group->constant;
    }
    return PYTREE_OK;
}

typedef struct AdamW {
    const pytree_groups *groups;
    Real rate, correction1, correction2;  /* 1 / (1 - beta^step) */
} AdamW;

/* Update the parameters w from their gradients g and moments m and v. */
static pytree_status adamw(void *context, const pytree_iter *at)
{
    const AdamW *o = context;
    const Group *group = pytree_group_of(o->groups, at);
    const Real beta1 = (Real)0.9, beta2 = (Real)0.95, keep = 1 - o->rate * group->decay;
    Real *restrict w = at->leaf[0]->data, *restrict m = at->leaf[2]->data, *restrict v = at->leaf[3]->data;
    const Real *restrict g = at->leaf[1]->data;
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) {
        m[i] = beta1 * m[i] + (1 - beta1) * g[i];
        v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
        w[i] = keep * w[i] - o->rate * m[i] * o->correction1 / (sqrt(v[i] * o->correction2) + (Real)1e-8);
    }
    return PYTREE_OK;
}

/* ---- Steps --------------------------------------------------------------------------------------------------------- */

/* Copy pass->sequences pieces of the text to the pass, each from a random place on. */
static void gather(Pass *pass, const unsigned char *text, size_t n, uint64_t *state)
{
    const size_t length = (size_t)pass->length;
    for (int i = 0; i < pass->sequences; i++) {
        const unsigned char *from = text + random_bits(state) % (n - length);
        for (int j = 0; j < pass->length; j++) {
            pass->tokens[i * pass->length + j] = from[j];
            pass->targets[i * pass->length + j] = from[j + 1];
        }
    }
}

/* Compute loss and gradients. */
static pytree_status compute(const GPT *model, GPT *gradients, Pass *pass, double *loss, pytree_error *err)
{
    forward(model, pass);
    *loss = loss_and_gradient(pass);
    if (pytree_zero(PYTREE(gradients), NULL, err) != PYTREE_OK) { return err->status; }
    backward(model, gradients, pass);
    return PYTREE_OK;
}

/* Return the learning-rate factor: a linear warm-up of 20 steps, then a cosine from 1 to 0.1. */
static double schedule(int step, int steps)
{
    const double pi = 3.14159265358979323846;
    const int rise = 20;
    return step < rise ? (step + 1) / (double)rise : 0.55 + 0.45 * cos(pi * (step - rise) / (steps > rise ? steps - rise : 1));
}

/* Make one step and print a line. */
static pytree_status train_step(Run *run, double *loss, pytree_error *err)
{
    const double clip = 1, start = seconds();
    Training *t = &run->training;
    const pytree gradients = PYTREE(&run->gradients);
    const pytree trees[4] = { PYTREE(&t->model), gradients, PYTREE(&t->m), PYTREE(&t->v) };
    AdamW optimizer = { .groups = run->groups, .rate = t->settings.rate * (Real)schedule(t->step, t->settings.steps) };
    double norm = 0;
    gather(&run->pass, run->text, run->n_train, &t->random_state);
    if (compute(&t->model, &run->gradients, &run->pass, loss, err) != PYTREE_OK
        || pytree_norm(gradients, &norm, NULL, err) != PYTREE_OK
        || (norm > clip && pytree_scale(clip / norm, gradients, NULL, err) != PYTREE_OK)) {
        return err->status;
    }
    t->step++;
    optimizer.correction1 = (Real)(1 / (1 - pow(0.9, t->step)));
    optimizer.correction2 = (Real)(1 / (1 - pow(0.95, t->step)));
    if (pytree_map(adamw, &optimizer, NULL, 4, trees, NULL, err) != PYTREE_OK) { return err->status; }
    printf("step %4d/%d  loss %.4f  |gradient| %.3f  rate %.5f  %.2f s\n", t->step, t->settings.steps, *loss, norm,
           (double)optimizer.rate, seconds() - start);
    fflush(stdout);
    return isfinite(*loss) ? PYTREE_OK
           : pytree_fail(err, PYTREE_VALUE, "", "expected a finite loss, got %g: try a lower --rate", *loss);
}

/* Return the mean loss on pieces of the text that were not trained on. */
static double validate(Run *run)
{
    enum { BATCHES = 8 };
    uint64_t state = 1;
    double sum = 0;
    for (int i = 0; i < BATCHES; i++) {
        gather(&run->pass, run->text + run->n_train, run->n - run->n_train, &state);
        forward(&run->training.model, &run->pass);
        sum += loss_and_gradient(&run->pass);
    }
    return sum / BATCHES;
}

/* ---- Saving and resuming ------------------------------------------------------------------------------------------- */

/* Allocate a run for a model of these sizes. end_run frees it, also after a failure. */
static pytree_status make_run(Run *run, const Sizes *sizes, const Settings *settings, pytree_error *err)
{
    Training *t = &run->training;
    const pytree model = PYTREE(&t->model);
    t->settings = *settings;
    if (make_model(&t->model, sizes, err) != PYTREE_OK || make_pass(&run->pass, sizes, settings->batch, err) != PYTREE_OK
        || pytree_allocate_like(PYTREE(&t->m), model, NULL, err) != PYTREE_OK
        || pytree_allocate_like(PYTREE(&t->v), model, NULL, err) != PYTREE_OK
        || pytree_allocate_like(PYTREE(&run->gradients), model, NULL, err) != PYTREE_OK) {
        return err->status;
    }
    run->groups = pytree_groups_new(GROUPS, parameter_groups, model, NULL, err);
    t->random_state = settings->seed;
    return run->groups == NULL ? err->status : pytree_map(initialise, run, NULL, 1, &model, NULL, err);
}

static void end_run(Run *run)
{
    pytree_groups_free(run->groups);
    pytree_free(PYTREE(&run->gradients));
    pytree_free(PYTREE(&run->training.v));
    pytree_free(PYTREE(&run->training.m));
    pytree_free(PYTREE(&run->pass));
    pytree_free(PYTREE(&run->training.model));
}

/* Load the state of a run with the same settings. */
static pytree_status resume(Training *training, const char *path, pytree_error *err)
{
    const Settings settings = training->settings;
    if (pytree_load_safetensors(path, PYTREE(training), NULL, err) != PYTREE_OK
        || !pytree_equal(PYTREE(&settings), PYTREE(&training->settings), NULL, NULL, err)) {
        return err->status;
    }
    if (training->step < 0 || training->step > settings.steps) {
        return pytree_fail(err, PYTREE_VALUE, path, "expected a step from 0 to %d, got %d", settings.steps, training->step);
    }
    printf("%s: after step %d\n", path, training->step);
    return PYTREE_OK;
}

/* ---- Samples ------------------------------------------------------------------------------------------------------- */

/* Draw a token with the probabilities of its scores, sharpened by a temperature of 0.8. */
static int draw(Real *scores, uint64_t *state)
{
    Real u = random_uniform(state, 0, 1);
    int token = 0;
    for (int i = 0; i < VOCABULARY; i++) { scores[i] /= (Real)0.8; }
    softmax(scores, VOCABULARY);
    for (; token + 1 < VOCABULARY && u >= scores[token]; token++) { u -= scores[token]; }
    return token;
}

/* Print n characters that the model writes after an empty line. */
static void write_text(Run *run, int n)
{
    Pass *pass = &run->pass;
    uint64_t state = run->training.settings.seed;
    pass->sequences = 1;
    pass->length = 1;
    pass->tokens[0] = '\n';
    for (int i = 0; i < n; i++) {
        forward(&run->training.model, pass);
        const int token = draw(pass->scores + (ptrdiff_t)(pass->length - 1) * VOCABULARY, &state);
        putchar(token == '\n' || (token >= ' ' && token < 127) ? token : '?');
        if (pass->length == pass->context) {
            memmove(pass->tokens, pass->tokens + 1, (size_t)(pass->context - 1) * sizeof *pass->tokens);
        } else {
            pass->length++;
        }
        pass->tokens[pass->length - 1] = token;
    }
    putchar('\n');
    pass->sequences = pass->batch;
    pass->length = pass->context;
}

#endif
