/* Optimizers: the group `optimizer` of golden/seeds/nnx.jsonl. Its class Layer is a struct here. */
#include "nnx_values.h"
#include "pytree/display.h"
#include "pytree/optimizer.h"

typedef struct Layer { float right[2], scale, left[2]; int x; } Layer;
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, right, ROLE(Param)) PYTREE_FIELD(DATA, scale, ROLE(Param))                                       \
    PYTREE_FIELD(DATA, left, ROLE(BatchStat)) PYTREE_FIELD(STATIC, x)
#include "pytree_registry.h"

/* The values of an object of the class. */
static Layer layer_of(Golden *g, const cJSON *object)
{
    Layer layer = { .x = 2 };
    pytree_flat state = pytree_state(value_of(g, object), PYTREE_EVERYTHING, NULL, NULL);
    pytree_error error = { 0 };
    (void)pytree_update(PYTREE(&layer), 1, (pytree[1]){ PYTREE(&state) }, NULL, &error);
    (void)golden_check_ok(g, "layer", &error);
    pytree_flat_free(&state);
    return layer;
}

static void check_layer(Golden *g, const char *name, const cJSON *expected, Layer *got)
{
    Layer layer = layer_of(g, expected);
    pytree_error error = { 0 };
    const bool same = pytree_equal(PYTREE(&layer), PYTREE(got), NULL, NULL, &error);
    golden_verdict(g, name, same, "the same values", error.path);
}

/* What each record makes. */
static pytree_optimizer *optimizer_of(Golden *g, int number, Layer *m, pytree_error *error)
{
    const pytree_filter filter = number == 2 ? PYTREE_PATH_HAS("right") : number == 3 ? PYTREE_OF(BatchStat) : PYTREE_OF(Param);
    const pytree_rule rule = number == 7 ? PYTREE_ADAM(.rate = 0.1)
        : number == 8 ? PYTREE_SGD(.rate = 0.125, .momentum = 0.5)
        : number == 10 ? PYTREE_SGD(.rate = 0.1) : PYTREE_SGD(.rate = 0.125);
    pytree_optimizer *o = pytree_optimizer_new(PYTREE(m), rule, filter, NULL, error);
    assert_non_null(golden_get(g->json, "inputs.m"));
    return o;
}

static void optimizer_case(Golden *g)
{
    const int number = atoi(strrchr(g->id, '.') + 1), updates = number == 7 ? 0 : number == 2 || number == 8 ? 2 : 1;
    const cJSON *outputs = golden_get(g->json, "outputs"), *given = golden_get(g->json, "inputs.grads");
    pytree_error error = { 0 };
    pytree_optimizer *o;
    Layer m;
    pytree grads;
    char text[2000];
    int i;
    if (number >= 4 && number <= 6) { golden_no_counterpart(g); return; }  /* missing arguments, a removed name */
    m = layer_of(g, golden_at(golden_at(g->json, "inputs"), "m"));
    o = optimizer_of(g, number, &m, &error);
    if (!golden_check_ok(g, "new", &error)) { return; }
    grads = number == 7 ? PYTREE_NONE : value_of(g, number == 9 ? golden_at(outputs, "grads") : given);
    for (i = 0; i < updates; i++) {
        (void)pytree_optimizer_update(o, grads, &error);
        if (i == 0 && golden_get(outputs, "after1") != NULL) { check_layer(g, "after1", golden_at(outputs, "after1"), &m); }
    }
    if (number == 10) {
        golden_check_bool(g, "error", true, error.status == PYTREE_NOT_FOUND && strcmp(error.path, ".scale") == 0);
        golden_check_bool(g, "unchanged", true, *o->step == 0 && m.right[0] == -3.25f);
    } else {
        golden_check_ok(g, "update", &error);
        if (golden_get(outputs, "m") != NULL) { check_layer(g, "m", golden_at(outputs, "m"), &m); }
        if (golden_get(outputs, "step") != NULL) {
            golden_check_bool(g, "step", true, golden_int(golden_get(outputs, "step.array.data")->child) == *o->step);
        }
        if (golden_get(outputs, "state") != NULL) {
            const bool same = pytree_equal(value_of(g, golden_at(outputs, "state")), PYTREE(&o->state), NULL, NULL, &error);
            golden_verdict(g, "state", same, "the same state", error.path);
        }
        if (golden_get(g->json, "printed") != NULL) {
            (void)pytree_state_text(PYTREE(&o->state), text, sizeof text - 1, NULL, &error);
            golden_check_text(g, "printed", golden_word(g->json, "printed"), strcat(text, "\n"));
        }
    }
    pytree_optimizer_free(o);
}

static void optimizers(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"optimizer\"", optimizer_case, 7, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(optimizers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
