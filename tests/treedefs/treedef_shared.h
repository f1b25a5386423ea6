/* treedef_shared.h: shared by test_treedef.c and test_treedef_objects.c. */
#ifndef TREEDEF_SHARED_H
#define TREEDEF_SHARED_H

#include "support.h"
#include <float.h>
#include <math.h>

/* ---- Structs with static values of every kind -------------------------------------------------------------------------- */

typedef struct Double {
    double rate;
} Double;

#define PYTREE_STRUCT Double
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

typedef struct Named {
    const char *name;
    float x;
} Named;

#define PYTREE_STRUCT Named
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Arrays {
    int one[1];
    int three[3];
    double two[2];
    bool flags[2];
    const char *words[3];
    const char *word[1];
} Arrays;

#define PYTREE_STRUCT Arrays
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, one) PYTREE_FIELD(STATIC, three) PYTREE_FIELD(STATIC, two) PYTREE_FIELD(STATIC, flags)         \
    PYTREE_FIELD(STATIC, words) PYTREE_FIELD(STATIC, word)
#include "pytree_registry.h"

typedef struct Inner {
    const char *label;
    Config config;
} Inner;

#define PYTREE_STRUCT Inner
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, config)
#include "pytree_registry.h"

typedef struct Nested {
    Inner inner;
    int last;
    float x;
} Nested;

#define PYTREE_STRUCT Nested
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, inner) PYTREE_FIELD(STATIC, last) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static inline pytree_def *def_of(pytree tree, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(def);
    return def;
}

#endif
