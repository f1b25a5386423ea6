/* comments.h: what the examples in the comments of the headers refer to. comments.py includes it before each; OWN_NAME says
 * that an example has a struct of that name itself. */
#include HEADER
#include <stdlib.h>
#include "pytree/npy.h"
#include "pytree/safetensors.h"

#ifndef OWN_Linear
typedef struct Linear { int din, dout; float *w, *b; } Linear;
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

#ifndef OWN_MLP
typedef struct MLP { size_t n_layers; Linear *layers; } MLP;
#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))
#include "pytree_registry.h"

static MLP model, old, fresh;
static Linear layer[3];
#endif
#endif

typedef struct Config { int n; } Config;
#define PYTREE_STRUCT Config
#define PYTREE_FIELDS PYTREE_FIELD(DATA, n)
#include "pytree_registry.h"
static Config defaults;
static const char *text;
static void run(const Config *config) { (void)config; }

typedef struct Box { int n; } Box;
static const pytree_custom box_callbacks;

static pytree metadata, params, grads, axes, argument, o;
static float w[6], rate;
static const pytree_def *linear;
static pytree_leaf entries[16];
static float matrix, buffer[10];
static unsigned char bytes[10];
static size_t i, n, room;
static pytree_error err;
static void use(const pytree_leaf *a, const pytree_leaf *b) { (void)a; (void)b; }
static void backward(const void *of, pytree into) { (void)of; (void)into; }
static void optimize(float *x, size_t size) { (void)x; (void)size; }
