/* structs.c: nodes with data and static fields, in lists; dataclasses. In C a struct with rows is all three. Blocks 05, 09 and
 * 10. */
#define PYTREE_IMPLEMENTATION
#include "show.h"

typedef struct Layer {
    int    din, dout;
    float *b, *w;                         /* (dout,), (din, dout) */
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))                                                                            \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#include "pytree_registry.h"

typedef struct MLP {
    int    num_layers;
    Layer *layers;
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, num_layers) PYTREE_FIELD(DATA, layers, LIST(self->num_layers))
#include "pytree_registry.h"

typedef struct Item {
    int64_t     i;
    int32_t     x;
    int64_t     a;
    const char *s;
} Item;

#define PYTREE_STRUCT Item
#define PYTREE_FIELDS PYTREE_FIELD(DATA, i) PYTREE_FIELD(DATA, x) PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, s)
#include "pytree_registry.h"

typedef struct Items {
    size_t n;
    Item  *ls;
    int    shapes[3];
} Items;

#define PYTREE_STRUCT Items
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, ls, LIST(self->n)) PYTREE_FIELD(STATIC, shapes)
#include "pytree_registry.h"

typedef struct Bar {
    int64_t     a;
    const char *b;
} Bar;

#define PYTREE_STRUCT Bar
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

int main(void)
{
    Layer layers[2] = { { .din = 1, .dout = 1 }, { .din = 1, .dout = 1 } };
    MLP mlp = { 2, layers };
    Item items[2] = { { 0, 0, 0, "hi" }, { 1, 42, 1, "hi" } };
    Items all = { 2, items, { 8, 16, 32 } };
    Bar bar = { 10, "hello" };
    pytree_error err = { 0 };

    if (pytree_allocate(PYTREE(&mlp), NULL, &err) == PYTREE_OK) {           /* zeros */
        for (int i = 0; i < 2; i++) { mlp.layers[i].w[0] = 1; }
        show_structure("pytree structure", PYTREE(&mlp), &err);
        pytree_free(PYTREE(&mlp));
    }
    show_structure("pytree structure", PYTREE(&all), &err);
    show_structure("dataclass pytree structure", PYTREE(&bar), &err);
    return finish(&err);
}
