/* The other file: registers the same structs, has no bodies. */
#include "model.h"
#include "two_files.h"

static float w0[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, b0[3] = { 1, 2, 3 };
static float w1[6] = { 1, 2, 3, 4, 5, 6 }, b1[2] = { 1, 2 };
static Linear layers[2] = { { 4, 3, w0, b0 }, { 3, 2, w1, b1 } };
static MLP model = { 2, layers, NULL, { { 1.0f, 2.0f, 3.0f }, { 4.0f, 5.0f, 6.0f } } };

typedef struct Rows {
    int n, m, tag;
    Linear **layers;
    float **rows;
    Linear *heads[2];
    Linear grid[1][2], inner;
    void *any;
    volatile float rate;
    unsigned bits : 3;
    char name[8];
    int *handle;
    union { float *numbers; double number; } as;
} Rows;

static int handles;

static pytree_status handle_clone(int **to, int *const *from)
{
    *to = *from;
    handles++;
    return PYTREE_OK;
}

static void handle_free(int **handle)
{
    (void)handle;
    handles--;
}

#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(STATIC, tag)                                           \
    PYTREE_FIELD(DATA, layers, LIST(self->n, EACH())) PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(self->m))))     \
    PYTREE_FIELD(DATA, heads, EACH(OPTIONAL)) PYTREE_FIELD(DATA, grid, EACH())                                          \
    PYTREE_FIELD(DATA, inner, WITH(din, self->n, dout, self->m)) PYTREE_FIELD(DATA, any, AS(PYTREE_TYPE(Linear)))       \
    PYTREE_FIELD(DATA, rate) PYTREE_FIELD(STATIC, bits, BITS) PYTREE_FIELD(DATA, name, STRING)                          \
    PYTREE_FIELD(DROP, handle, HANDLE(handle_clone, handle_free))                                                       \
    PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(0, number), CASE(1, numbers, ARRAY(self->n))))
#include "pytree_registry.h"

pytree other_rows(void)
{
    static Rows rows = { .n = 2, .m = 3, .tag = 1, .rate = 0.5f, .bits = 5, .name = "rows", .heads = { PYTREE_WANTED } };
    return PYTREE(&rows);
}

int other_handles(void)
{
    return handles;
}

pytree other_tree(void)
{
    return PYTREE(&model);
}

pytree_def *other_structure(pytree_error *err)
{
    return pytree_structure(PYTREE(&model), NULL, err);
}

const pytree_type *other_type(void)
{
    return PYTREE_TYPE(MLP);
}

int other_visits(pytree t, double *sum)
{
    pytree_iter it;
    int n = 0;
    if (pytree_iter_begin(&it, 1, &t, NULL, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            size_t i;
            for (i = 0; i < pytree_leaf_count(it.leaf[0]); i++) {
                *sum += pytree_leaf_get(it.leaf[0], i);
            }
            n++;
        }
    }
    pytree_iter_end(&it);
    return n;
}
