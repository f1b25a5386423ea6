/* fashion_mnist_run.h: the command line and the run of the programs that train on Fashion-MNIST. They differ in how gradients
 * are computed (Derivative in fashion_mnist_training.h). */
#ifndef FASHION_MNIST_RUN_H
#define FASHION_MNIST_RUN_H

#include "fashion_mnist_training.h"

enum { VALIDATION = 5000 };               /* the last training images, which select the best model */

static const char *const class_names[CLASSES] = {
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"
};

typedef struct Options {
    const char *data, *save, *resume, *export;       /* NULL: not wanted */
    Settings settings;
} Options;

/* ---- The run ------------------------------------------------------------------------------------------------------- */

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

static pytree_status run(const Options *options, const Derivative *derivative, pytree_error *err)
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
    if (status == PYTREE_OK && derivative->begin != NULL) {
        status = derivative->begin(derivative->context, training_tree, err);
    }
    if (status == PYTREE_OK) { status = train(&training, derivative, gradients, &batch, &images, options->save, err); }
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

/* ---- The command line ---------------------------------------------------------------------------------------------- */

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

/* Be the program: read the options and train. */
static int run_program(const Derivative *derivative, int argc, char **argv)
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
    if (read_options(&options, argc, argv, &err) == PYTREE_OK && run(&options, derivative, &err) == PYTREE_OK
        && fflush(stdout) != 0) {
        pytree_fail(&err, PYTREE_IO, "standard output", "expected it to take the results, got: %s", strerror(errno));
    }
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
