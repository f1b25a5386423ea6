/* forward.c: a module is a tree that functions take. Block 01. */
#define PYTREE_IMPLEMENTATION
#include "layers.h"
#include "show.h"

int main(void)
{
    Linear weights = { .din = 2, .dout = 3 };
    float x[5 * 2] = { 0.5f, 0.25f }, y[5 * 3];
    pytree_error err = { 0 };

    if (pytree_allocate(PYTREE(&weights), NULL, &err) == PYTREE_OK) {
        for (int i = 0; i < 6; i++) { weights.kernel[i] = 0.25f * (float)(i - 2); }
        linear(&weights, x, y, 5);
        printf("y.shape = (5, %d)\n", weights.dout);
        pytree_free(PYTREE(&weights));
    }
    return finish(&err);
}
