/* fuzz_types.h: the structs that treedefs in the corpora name, with static values of every kind. */
#ifndef FUZZ_TYPES_H
#define FUZZ_TYPES_H

#include "fuzz.h"
#include "pytree/treedef_io.h"

typedef struct Leafy {
    float x, *y;
} Leafy;

#define PYTREE_STRUCT Leafy
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y, ARRAY(3))
#include "pytree_registry.h"

typedef struct Config {
    int width;
    const char *name;
    double rates[2];
} Config;

#define PYTREE_STRUCT Config
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, width) PYTREE_FIELD(STATIC, name) PYTREE_FIELD(STATIC, rates)
#include "pytree_registry.h"

typedef struct Layer {
    bool on;
    signed char a;
    unsigned short b;
    long long c;
    float d;
    long double e;
    pytree_f16 f;
    pytree_bf16 g;
    Config config;
    void (*call)(void);
    float w;
    struct Layer *next;
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, on) PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(STATIC, c)                    \
    PYTREE_FIELD(STATIC, d) PYTREE_FIELD(STATIC, e) PYTREE_FIELD(STATIC, f) PYTREE_FIELD(STATIC, g)                     \
    PYTREE_FIELD(STATIC, config) PYTREE_FIELD(STATIC, call) PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

enum { FUZZ_TYPES = 4 };
#define FUZZ_TYPES_TO(array)                                                                                            \
    const pytree_type *array[FUZZ_TYPES] = { PYTREE_TYPE(Leafy), PYTREE_TYPE(Config), PYTREE_TYPE(Layer),               \
                                             PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" }) }

/* The treedef's text; free it. */
static inline char *fuzz_def_text(const pytree_def *def)
{
    size_t n = pytree_def_text(def, NULL, 0);
    char *text = malloc(n + 1);
    REQUIRE(text != NULL && pytree_def_text(def, text, n + 1) == n);
    return text;
}

/* The treedef's bytes, *n of them; free them. NULL if it has an address, which has none. */
static inline unsigned char *fuzz_def_bytes(const pytree_def *def, size_t *n)
{
    pytree_error err = { 0 };
    unsigned char *bytes;
    *n = pytree_def_save(def, NULL, 0, NULL, &err);
    fuzz_check_error(*n != SIZE_MAX, &err);
    if (*n == SIZE_MAX) { return NULL; }
    bytes = malloc(*n);
    REQUIRE(bytes != NULL && pytree_def_save(def, bytes, *n, NULL, &err) == *n);
    return bytes;
}

#endif
