/* sow.c: values that the blocks of a model record while it runs, taken out afterwards. Weights and masks are those of Rngs(0).
 * Its rows are equal, so that batch normalisation leaves nothing but rounding errors, which differ from machine to machine.
 * Block 22. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "models.h"
#include "rngs.h"
#include "show.h"

enum { LAYERS = 3, DIM = 20, ROWS = 10 };

/* As the constructors do: a key for each parameter of a Linear and of a BatchNorm; a Dropout forks its stream. */
static void initialise(MLP *m, pytree rngs, RandomKey dropout[LAYERS], pytree_error *err)
{
    for (int i = 0; i < LAYERS; i++) {
        Block *b = &m->blocks[i];
        RandomKey keys[5];
        for (int k = 0; k < 5; k++) { rngs_next(rngs, "params", &keys[k], err); }
        random_lecun_normal(keys[0], b->linear.kernel, DIM, DIM);
        dropout[i] = keys[4];
        for (int k = 0; k < DIM; k++) { b->bn.scale[k] = b->bn.var[k] = 1; }
    }
}

int main(void)
{
    static BlockValues values[MOST_BLOCKS];
    static bool masks[LAYERS][ROWS * DIM];
    const bool *mask_of[LAYERS];
    Block blocks[LAYERS];
    MLP model = { LAYERS, blocks };
    RandomKey dropout[LAYERS] = { { { 0, 0 } } };
    float x[ROWS * DIM], numbers[ROWS * DIM];
    pytree_error err = { 0 };
    pytree rngs = new_rngs(0, 0, NULL, &err), intermediates = { NULL, NULL };

    for (int i = 0; i < LAYERS; i++) {
        blocks[i] = (Block){ .linear = { DIM, DIM, NULL, PYTREE_WANTED }, .bn = { .n = DIM }, .dropout = { 0.1f, false },
                             .y_mean = PYTREE_NONE };
    }
    if (pytree_allocate(PYTREE(&model), NULL, &err) == PYTREE_OK) {
        initialise(&model, rngs, dropout, &err);
        for (int i = 0; i < LAYERS; i++) {
            random_uniform(random_fold_in(dropout[i], 0), numbers, ROWS * DIM);
            for (int k = 0; k < ROWS * DIM; k++) { masks[i][k] = numbers[k] < 0.9f; }
            mask_of[i] = masks[i];
        }
        for (int k = 0; k < ROWS * DIM; k++) { x[k] = 1; }
        mlp(&model, x, ROWS, mask_of, values, &err);
        if (pytree_pop(PYTREE(&model), PYTREE_FILTERS(PYTREE_OF(Intermediate)), &intermediates, NULL, &err) == PYTREE_OK) {
            pytree_state_print(stdout, intermediates, NULL, &err);
            pytree_container_free(intermediates);
        }
        pytree_free(PYTREE(&model));
    }
    pytree_container_free(rngs);
    return finish(&err);
}
