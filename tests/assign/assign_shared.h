/* assign_shared.h: a program's settings, shared by the themes of pytree/assign.h. */
#ifndef ASSIGN_SHARED_H
#define ASSIGN_SHARED_H

#include "support.h"
#include "pytree/assign.h"

typedef enum Mode { MODE_FAST, MODE_SAFE, MODE_SLOW = 7 } Mode;

#define PYTREE_ENUM Mode
#define PYTREE_CONSTANTS                                                                                                \
    PYTREE_CONSTANT(MODE_FAST, "fast")                                                                                  \
    PYTREE_CONSTANT(MODE_SAFE, "safe")                                                                                  \
    PYTREE_CONSTANT(MODE_SLOW)
#include "pytree_registry.h"

typedef struct Window {
    char *title;
    int size[2];
    bool full;
} Window;

#define PYTREE_STRUCT Window
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, title)                                                                                           \
    PYTREE_FIELD(DATA, size)                                                                                            \
    PYTREE_FIELD(DATA, full)
#include "pytree_registry.h"

typedef struct Rule {
    char *name;
    double *weights;                      /* stb_ds array */
    int hits;
} Rule;

#define PYTREE_STRUCT Rule
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, name)                                                                                            \
    PYTREE_FIELD(DATA, weights, STB_ARRAY)                                                                              \
    PYTREE_FIELD(DATA, hits)
#include "pytree_registry.h"

typedef struct Log {
    const char *file;
    const char *prefix;
    unsigned char level;
    Rule *rules;                          /* stb_ds array */
} Log;

#define PYTREE_STRUCT Log
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, file)                                                                                            \
    PYTREE_FIELD(DATA, prefix, OPTIONAL)                                                                                \
    PYTREE_FIELD(DATA, level)                                                                                           \
    PYTREE_FIELD(DATA, rules, STB_ARRAY)
#include "pytree_registry.h"

typedef struct Limit {
    char *key;
    double value;
} Limit;

typedef struct Settings {
    int version;
    unsigned small : 3;
    char form[8];
    Window window;
    Mode mode, modes[2];
    Log *log;                             /* NULL when nothing is logged */
    float gamma;
    float *curve;                         /* stb_ds array */
    Limit *limits;                        /* stb_ds map */
    float matrix[2][3];
    char code[6], label[8];
    int *ids;                             /* n_ids of them */
    size_t n_ids;
} Settings;

#define PYTREE_STRUCT Settings
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, version)                                                                                       \
    PYTREE_FIELD(STATIC, small, BITS)                                                                                   \
    PYTREE_FIELD(STATIC, form, STRING)                                                                                  \
    PYTREE_FIELD(DATA, window)                                                                                          \
    PYTREE_FIELD(DATA, mode, ENUM(Mode))                                                                                \
    PYTREE_FIELD(DATA, modes, ENUM(Mode))                                                                               \
    PYTREE_FIELD(DATA, log, OPTIONAL)                                                                                   \
    PYTREE_FIELD(DATA, gamma)                                                                                           \
    PYTREE_FIELD(DATA, curve, STB_ARRAY)                                                                                \
    PYTREE_FIELD(DATA, limits, STB_MAP)                                                                                 \
    PYTREE_FIELD(DATA, matrix)                                                                                          \
    PYTREE_FIELD(DATA, code)                                                                                            \
    PYTREE_FIELD(DATA, label, STRING)                                                                                   \
    PYTREE_FIELD(DATA, ids, ARRAY(self->n_ids))                                                                         \
    PYTREE_FIELD(STATIC, n_ids)
#include "pytree_registry.h"

static int no_ids[3] = { 1, 2, 3 };

/* Settings to begin with; what they refer to is constant. */
static inline Settings defaults(void)
{
    Settings c = { .version = 2, .small = 5, .form = "ini", .window = { .size = { 640, 480 } }, .mode = MODE_SAFE, .gamma = 1,
                   .ids = no_ids, .n_ids = 3, .code = "abc" };
    c.window.title = (char *)(uintptr_t)"Untitled";
    return c;
}

/* A copy of the settings to begin with, which owns itself. */
static inline pytree new_settings(const pytree_options *opt)
{
    Settings c = defaults();
    return pytree_clone(PYTREE(&c), opt, NULL);
}

/* The tree's literal is as it was. */
static inline char *literal_of(pytree t)
{
    const size_t n = pytree_literal_text(t, NULL, 0, NULL, NULL);
    char *text = malloc(n + 1);
    assert_true(n != SIZE_MAX);
    assert_non_null(text);
    pytree_literal_text(t, text, n + 1, NULL, NULL);
    return text;
}

#endif
