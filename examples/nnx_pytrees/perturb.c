/* perturb.c: the gradient of a value between two layers, and two steps of SGD. The weights and the numbers are those that the
 * page's generator of random numbers gives. Blocks 23 and 24. */
#define PYTREE_IMPLEMENTATION
#include "models.h"
#include "pytree/optimizer.h"
#include "show.h"

int main(void)
{
    float kernel1[6] = { 0.7567299f, -0.68570054f, -0.5688337f, -0.8757605f, -0.65994275f, 0.44935086f }, bias1[3] = { 0 };
    float kernel2[12] = { 0.7849591f, 0.81752163f, -0.25595918f, -0.47885877f, 0.23813176f, 0.011833864f,
                          0.35809416f, -0.46755627f, 0.1440836f, -0.8888034f, -0.5646415f, 1.0222695f };
    float bias2[4] = { 0 }, xgrad[3] = { 0 };
    const float x[2] = { 0.15365434f, 0.72900534f }, y[4] = { 0.73806036f, 0.62536097f, 0.8977374f, 0.91742027f };
    Model model = { .linear1 = { 2, 3, kernel1, bias1 }, .linear2 = { 3, 4, kernel2, bias2 }, .rows = 1, .xgrad = xgrad };
    pytree_error err = { 0 };
    pytree_optimizer *optimizer = pytree_optimizer_new(PYTREE(&model), PYTREE_SGD(.rate = 0.1), PYTREE_OF(Param), NULL, &err);
    pytree_flat perturbations = pytree_state(PYTREE(&model), PYTREE_OF(Perturbation), NULL, &err);

    printf("nnx.state(model, nnx.Perturbation) = ");
    if (perturbations.def != NULL) { pytree_state_print(stdout, PYTREE(&perturbations), NULL, &err); }
    pytree_flat_free(&perturbations);

    for (int step = 0; step < 2 && optimizer != NULL; step++) {
        pytree grads = pytree_zeros_like(PYTREE(&model), NULL, &err);       /* a Model, with a gradient in each place */
        pytree_flat between;
        float loss;
        if (grads.data == NULL) { break; }
        loss = model_back(&model, grads.data, x, y);
        pytree_optimizer_update(optimizer, grads, &err);
        between = pytree_state(grads, PYTREE_OF(Perturbation), NULL, &err);
        printf("step = %d, loss = ", step);
        show(PYTREE(&loss), &err);
        printf(", iterm_grads = ");
        if (between.def != NULL) { pytree_state_print(stdout, PYTREE(&between), NULL, &err); }
        pytree_flat_free(&between);
        pytree_free(grads);
    }
    pytree_optimizer_free(optimizer);
    return finish(&err);
}
