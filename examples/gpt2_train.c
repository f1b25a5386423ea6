/* gpt2_train.c: train a small GPT-2 on text, byte by byte.
 *
 *     examples/run gpt2_train                                   install what is missing, build and run
 *     examples/run gpt2_train --text FILE --steps 1000          other text, longer
 *     examples/run gpt2_train --save run.safetensors --stop 100 stop after step 100 of 400 ...
 *     examples/run gpt2_train --resume run.safetensors          ... and go on: the same bits as without the stop
 *     examples/run gpt2_train --check                           all gradients of a tiny model beside differences
 *
 * The model is GPT-2's: embeddings of tokens and positions, blocks of layer norm, attention and GELU, and a head that is the
 * transpose of the embedding. It is smaller, 5 blocks of 128 channels with about 1 M parameters, and its tokens are bytes. The
 * default text is a collection of quotations in Debian's package fortunes; its last tenth is not trained on.
 *
 * The fields of the model are listed once, beside its structs. The rest follows from the lists: memory of parameters, gradients
 * and moments, initialisation and weight decay by key path (the table in gpt2_train_run.h), the norm of the gradient, the
 * optimizer, the checkpoint, the comparison of gradients. Only the mathematics of a layer names its arrays again:
 * gpt2_train_layers.h. gpt2_train_model.h has the structs, training_tools.h the product of matrices.
 *
 * With one thread and a fixed order of additions, a seed always gives the same result on the same machine and compiler.
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -I. examples/gpt2_train.c -lm
 * For --check in double precision: add -DREAL=double
 */
#define PYTREE_IMPLEMENTATION
#include "gpt2_train_run.h"

#include "pytree/deviation.h"

typedef struct Options {
    const char *text, *save, *resume;     /* NULL: not wanted */
    int stop;                             /* 0: with the last step */
    int sample;                           /* characters to write at the end */
    Real until;                           /* stop when ten steps have this mean loss */
    bool check;
    Settings settings;
} Options;

/* ---- Gradients beside differences ---------------------------------------------------------------------------------- */

static double loss_of(const GPT *model, Pass *pass)
{
    forward(model, pass);
    return loss_and_gradient(pass);
}

/* Move all numbers of a leaf away from where training begins, so that no gradient is nearly 0: for pytree_map. */
static pytree_status disturb(void *random_state, const pytree_iter *at)
{
    Real *w = at->leaf[0]->data;
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) { w[i] += (Real)0.5 * random_normal(random_state); }
    return PYTREE_OK;
}

/* What difference() needs to change the model. */
typedef struct Probe {
    const GPT *model;
    Pass *pass;
} Probe;

/* Write the central differences of all numbers of a leaf: for pytree_map. */
static pytree_status difference(void *context, const pytree_iter *at)
{
    const Probe *probe = context;
    const Real step = sizeof(Real) == sizeof(double) ? (Real)1e-5 : (Real)1e-2;
    Real *w = at->leaf[0]->data, *d = at->leaf[1]->data;
    for (size_t i = 0, n = pytree_leaf_count(at->leaf[0]); i < n; i++) {
        const Real kept = w[i], high = kept + step, low = kept - step;
        w[i] = high;
        const double above = loss_of(probe->model, probe->pass);
        w[i] = low;
        const double below = loss_of(probe->model, probe->pass);
        w[i] = kept;
        d[i] = (Real)((above - below) / (double)(high - low));
    }
    return PYTREE_OK;
}

/* Compare the gradients of a tiny model with differences, and print the largest errors of each array. */
static pytree_status check_gradients(const Settings *settings, pytree_error *err)
{
    const Sizes sizes = { .vocabulary = 11, .context = 7, .layers = 2, .heads = 2, .channels = 8 };
    const bool exact = sizeof(Real) == sizeof(double);
    const pytree_tolerance near = { .relative = exact ? 1e-6 : 2e-2, .absolute = exact ? 1e-9 : 2e-3 };
    const pytree_group tolerances[] = { { "**", &near } };
    Settings tiny = { .seed = settings->seed, .steps = 1, .batch = 3, .rate = 1 };
    Run run = { .n = 0 };
    GPT differences = { .n_layer = 0 };
    pytree_deviation_list *list = NULL;
    double loss;
    pytree_status status = make_run(&run, &sizes, &tiny, err);
    const pytree model = PYTREE(&run.training.model);
    if (status == PYTREE_OK) { status = pytree_map(disturb, &run.training.random_state, NULL, 1, &model, NULL, err); }
    if (status == PYTREE_OK) { status = pytree_allocate_like(PYTREE(&differences), PYTREE(&run.gradients), NULL, err); }
    for (int i = 0; status == PYTREE_OK && i < run.pass.batch * run.pass.context; i++) {
        run.pass.tokens[i] = (int)(random_bits(&run.training.random_state) % (uint64_t)sizes.vocabulary);
        run.pass.targets[i] = (int)(random_bits(&run.training.random_state) % (uint64_t)sizes.vocabulary);
    }
    if (status == PYTREE_OK) { status = compute(&run.training.model, &run.gradients, &run.pass, &loss, err); }
    if (status == PYTREE_OK) {
        Probe probe = { &run.training.model, &run.pass };
        status = pytree_map(difference, &probe, NULL, 2, (pytree[2]){ model, PYTREE(&differences) }, NULL, err);
    }
    if (status == PYTREE_OK) {
        list = pytree_deviations(PYTREE(&run.gradients), PYTREE(&differences), 1, tolerances, NULL, err);
        status = err->status;
    }
    if (status == PYTREE_OK) { status = pytree_deviation_print(stdout, list, err); }
    if (status == PYTREE_OK && list->n_differing != 0) {
        status = pytree_fail(err, PYTREE_VALUE, "", "expected gradients like the differences, got others in %zu arrays of %zu",
                             list->n_differing, list->n);
    }
    if (status == PYTREE_OK) { printf("the gradients of %zu arrays agree with differences\n", list->n); }
    pytree_deviation_free(list);
    pytree_free(PYTREE(&differences));
    end_run(&run);
    return status;
}

/* ---- The run ------------------------------------------------------------------------------------------------------- */

/* Read a whole file. free() the result. */
static unsigned char *read_text(const char *path, size_t *n, pytree_error *err)
{
    FILE *file = fopen(path, "rb");
    unsigned char *text = NULL;
    size_t room = 0;
    *n = 0;
    while (file != NULL && !feof(file) && !ferror(file)) {
        room += 1 << 20;
        unsigned char *grown = realloc(text, room);
        if (grown == NULL) {
            pytree_fail(err, PYTREE_NO_MEMORY, path, "expected %zu bytes of memory, got none", room);
            break;
        }
        text = grown;
        *n += fread(text + *n, 1, room - *n, file);
    }
    if (file == NULL || ferror(file)) {
        pytree_fail(err, PYTREE_IO, path, "expected a text (Debian's package fortunes has one, or --text), got: %s",
                    strerror(errno));
    }
    if (file != NULL) { fclose(file); }
    if (err->status == PYTREE_OK && *n < 4096) {
        pytree_fail(err, PYTREE_IO, path, "expected a text of at least 4096 bytes, got %zu", *n);
    }
    if (err->status != PYTREE_OK) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Train until the options say so. */
static pytree_status train(Run *run, const Options *options, pytree_error *err)
{
    enum { WINDOW = 10 };
    Training *t = &run->training;
    double recent[WINDOW], mean = 0;
    int last = options->stop > 0 && options->stop < t->settings.steps ? options->stop : t->settings.steps, n = 0;
    pytree_status status = PYTREE_OK;
    while (status == PYTREE_OK && t->step < last) {
        status = train_step(run, &recent[n++ % WINDOW], err);
        mean = 0;
        for (int i = 0; i < WINDOW; i++) { mean += n >= WINDOW ? recent[i] / WINDOW : 0; }
        if (n >= WINDOW && mean <= (double)options->until) { break; }
    }
    if (status == PYTREE_OK && n >= WINDOW) {
        printf("\nthe loss of a random model is ln %d = %.4f; of the last %d steps the mean is %.4f\n", VOCABULARY,
               log((double)VOCABULARY), WINDOW, mean);
    }
    if (status == PYTREE_OK && options->save != NULL) {
        status = pytree_save_safetensors(options->save, PYTREE(t), NULL, err);
    }
    return status;
}

static pytree_status run_training(const Options *options, pytree_error *err)
{
    const Sizes sizes = { .vocabulary = VOCABULARY, .context = 64, .layers = 5, .heads = 4, .channels = 128 };
    Run run = { .n = 0 };
    unsigned char *text = read_text(options->text, &run.n, err);
    pytree_status status = err->status;
    run.text = text;
    run.n_train = run.n - run.n / 10;
    if (status == PYTREE_OK) { status = make_run(&run, &sizes, &options->settings, err); }
    if (status == PYTREE_OK) { status = pytree_check(PYTREE(&run.training.model), NULL, NULL, NULL, err); }
    if (status == PYTREE_OK) { print_groups(run.groups); }
    if (status == PYTREE_OK && options->resume != NULL) { status = resume(&run.training, options->resume, err); }
    if (status == PYTREE_OK) { status = train(&run, options, err); }
    if (status == PYTREE_OK) {
        printf("validation loss %.4f; %.1f seconds of the processor in all\n\n", validate(&run),
               (double)clock() / CLOCKS_PER_SEC);
        write_text(&run, options->sample);
    }
    end_run(&run);
    free(text);
    return status;
}

/* ---- The command line ---------------------------------------------------------------------------------------------- */

static pytree_status read_option(Options *options, const char *name, const char *text, pytree_error *err)
{
    Settings *settings = &options->settings;
    const char **path = strcmp(name, "--text") == 0 ? &options->text
                        : strcmp(name, "--save") == 0 ? &options->save
                        : strcmp(name, "--resume") == 0 ? &options->resume : NULL;
    int *number = strcmp(name, "--steps") == 0 ? &settings->steps
                  : strcmp(name, "--batch") == 0 ? &settings->batch
                  : strcmp(name, "--stop") == 0 ? &options->stop
                  : strcmp(name, "--sample") == 0 ? &options->sample : NULL;
    Real *real = strcmp(name, "--rate") == 0 ? &settings->rate : strcmp(name, "--until") == 0 ? &options->until : NULL;
    const char *expected = NULL;
    uint64_t whole;
    if (path != NULL) {
        *path = text;
        expected = text != NULL ? NULL : "a path";
    } else if (number != NULL) {
        expected = read_whole(text, 1, 100000, &whole) ? NULL : "a number from 1 to 100000";
        if (expected == NULL) { *number = (int)whole; }
    } else if (real != NULL) {
        expected = read_real(text, 0, 10, real) ? NULL : "a number from 0 to 10";
    } else if (strcmp(name, "--seed") == 0) {
        expected = read_whole(text, 0, UINT64_MAX, &settings->seed) ? NULL : "a whole number";
    } else {
        return pytree_fail(err, PYTREE_ARGUMENT, name, "expected --text, --steps, --batch, --seed, --rate, --save, --resume, "
                           "--stop, --until, --sample, --check or --help");
    }
    if (expected == NULL) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_ARGUMENT, name, "expected %s, got %s", expected, text != NULL ? text : "nothing");
}

int main(int argc, char **argv)
{
    Options options = { .text = "/usr/share/games/fortunes/science", .sample = 400,
                        .settings = { .seed = 1, .steps = 400, .batch = 8, .rate = (Real)2e-3 } };
    const Settings *settings = &options.settings;
    pytree_error err = { 0 };
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: gpt2_train [--check] [option value]...\n"
               "  --text    file to train on        %s\n"
               "  --steps   of the optimizer        %d\n"
               "  --batch   pieces of text per step %d\n"
               "  --seed    of all random numbers   %d\n"
               "  --rate    highest learning rate   %g\n"
               "  --save    file for the state at the end\n"
               "  --resume  such a file: goes on where it stopped; --steps, --batch, --seed and --rate must be as they were\n"
               "  --stop    after this step\n"
               "  --until   the mean loss of ten steps is as low as this\n"
               "  --sample  characters to write at the end, %d\n"
               "  --check   compares the gradients of a tiny model with differences\n",
               options.text, settings->steps, settings->batch, (int)settings->seed, (double)settings->rate, options.sample);
        return EXIT_SUCCESS;
    }
    for (int i = 1; i < argc && err.status == PYTREE_OK; i++) {
        if (strcmp(argv[i], "--check") == 0) { options.check = true; continue; }
        read_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &err);
        i++;
    }
    if (err.status == PYTREE_OK && options.check) { check_gradients(settings, &err); }
    else if (err.status == PYTREE_OK) { run_training(&options, &err); }
    if (err.status == PYTREE_OK && fflush(stdout) != 0) {
        pytree_fail(&err, PYTREE_IO, "standard output", "expected it to take the results, got: %s", strerror(errno));
    }
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
