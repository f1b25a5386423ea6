/* A program's settings: defaults, a file, environment variables, the command line, and what has changed.
 *
 *     examples/run config                                          nothing has
 *     examples/run config FILE --set .window.size[0]=800           FILE: {'window': {'title': 'Hello'}, 'mode': 'safe'}
 *     APP_TITLE=Hello examples/run config
 */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/assign.h"
#include "pytree/algebra.h"

#include <stdlib.h>

/* ---- The settings -------------------------------------------------------------------------------------------------------- */

typedef enum Mode { MODE_FAST, MODE_SAFE } Mode;

#define PYTREE_ENUM Mode
#define PYTREE_CONSTANTS PYTREE_CONSTANT(MODE_FAST, "fast") PYTREE_CONSTANT(MODE_SAFE, "safe")
#include "pytree_registry.h"

typedef struct Window { char *title; int size[2]; bool full; } Window;

#define PYTREE_STRUCT Window
#define PYTREE_FIELDS PYTREE_FIELD(DATA, title) PYTREE_FIELD(DATA, size) PYTREE_FIELD(DATA, full)
#include "pytree_registry.h"

typedef struct Log { char *file; int level; } Log;

#define PYTREE_STRUCT Log
#define PYTREE_FIELDS PYTREE_FIELD(DATA, file) PYTREE_FIELD(DATA, level)
#include "pytree_registry.h"

typedef struct Limit { char *key; double value; } Limit;

typedef struct Config {
    Window window;
    Mode mode;
    float gamma, *curve;                  /* curve: an stb_ds array */
    Limit *limits;                        /* an stb_ds map */
    Log *log;                             /* NULL: nothing is logged */
} Config;

#define PYTREE_STRUCT Config
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, window)                             \
    PYTREE_FIELD(DATA, mode, ENUM(Mode))                   \
    PYTREE_FIELD(DATA, gamma)                              \
    PYTREE_FIELD(DATA, curve, STB_ARRAY)                   \
    PYTREE_FIELD(DATA, limits, STB_MAP)                    \
    PYTREE_FIELD(DATA, log, OPTIONAL)
#include "pytree_registry.h"

static Config defaults = { .window = { .title = "Untitled", .size = { 640, 480 } }, .gamma = 2.2f };

/* ---- The program --------------------------------------------------------------------------------------------------------- */

/* Assign one source after the other: a later one takes precedence. */
static pytree_status configure(pytree config, int argc, char **argv, pytree_error *err)
{
    int i;
    for (i = 1; i < argc && argv[i][0] != '-'; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) { return pytree_fail(err, PYTREE_IO, NULL, "expected to open %s", argv[i]); }
        (void)pytree_assign_file(config, file, NULL, err);
        fclose(file);
    }
    (void)pytree_assign_text(config, ".window.title", getenv("APP_TITLE"), NULL, err);
    (void)pytree_assign_text(config, ".mode", getenv("APP_MODE"), NULL, err);
    for (; i < argc; i += 2) {
        if (strcmp(argv[i], "--set") != 0 || i + 1 == argc) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected [FILE] [--set PATH=VALUE]..., got %s", argv[i]);
        }
        (void)pytree_assign_setting(config, argv[i + 1], NULL, err);
    }
    return err->status;
}

int main(int argc, char **argv)
{
    pytree_error err = { 0 };                              /* keeps the first error of all calls below */
    pytree tree = pytree_clone(PYTREE(&defaults), NULL, &err);

    if (tree.data != NULL && configure(tree, argc, argv, &err) == PYTREE_OK) {
        const Config *config = tree.data;                  /* an ordinary struct */
        pytree_difference_list *changes = pytree_diff(PYTREE(&defaults), tree, NULL, NULL, &err);
        pytree_print(stdout, tree, &(pytree_options){ .print_values = 8 }, &err);
        printf("%d pixels; changed:\n", config->window.size[0] * config->window.size[1]);
        pytree_diff_print(stdout, changes, &err);
        pytree_diff_free(changes);
    }
    pytree_free(tree);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
