/* Optimizers: rules, gradients that do not fit, state that is saved and restored, memory that runs out. */
#include "support.h"
#include "pytree/optimizer.h"
#include "pytree/path.h"
#include <math.h>

typedef struct Model {
    int n;
    float *w;
    double bias[2];
    float mean[2];
} Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->n), ROLE(Param))                                                                  \
    PYTREE_FIELD(DATA, bias, ROLE(Param))                                                                               \
    PYTREE_FIELD(DATA, mean, ROLE(BatchStat))
#include "pytree_registry.h"

/* A model with memory of its own, and gradients of the same form. */
typedef struct Case { float w[3], dw[3]; Model model, grads; pytree_optimizer *o; pytree_error error; } Case;

static void begin(Case *c, pytree_rule rule)
{
    memset(c, 0, sizeof *c);
    c->w[0] = 1;
    c->w[1] = -2;
    c->dw[0] = 0.5f;
    c->dw[2] = -4;
    c->model = (Model){ .n = 3, .w = c->w, .bias = { 8, 0 }, .mean = { 7, 7 } };
    c->grads = (Model){ .n = 3, .w = c->dw, .bias = { 1, -1 }, .mean = { 5, 5 } };
    c->o = pytree_optimizer_new(PYTREE(&c->model), rule, PYTREE_OF(Param), NULL, &c->error);
    assert_ok(c->error.status, &c->error);
}

/* ---- Rules ----------------------------------------------------------------------------------------------------------- */

/* Floats and doubles, the formulas of optax; what the filter does not choose stays. */
static void rules(void **state)
{
    Case c;
    double m = 0, v = 0, w = 8;
    int k;
    (void)state;
    begin(&c, PYTREE_SGD(.rate = 0.5));
    assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
    assert_true(c.w[0] == 0.75f && c.w[1] == -2 && c.w[2] == 2 && c.model.bias[0] == 7.5 && c.model.bias[1] == 0.5);
    assert_true(c.model.mean[0] == 7);
    assert_int_equal(*c.o->step, 1);
    pytree_optimizer_free(c.o);

    begin(&c, PYTREE_ADAMW(.rate = 0.01, .decay = 0.1, .beta1 = 0.8));
    for (k = 1; k <= 5; k++) {
        assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
        m = 0.8 * m + 0.2;
        v = 0.999 * v + 0.001;
        w -= 0.01 * (m / (1 - pow(0.8, k)) / (sqrt(v / (1 - pow(0.999, k))) + 1e-8) + 0.1 * w);
        assert_true(fabs(c.model.bias[0] - w) < 1e-12);
    }
    assert_true(fabsf(c.w[2] - 0.05f) < 1e-3f);
    c.o->rule.rate = 0;                                        /* a schedule is the program's */
    w = c.model.bias[0];
    assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
    assert_true(c.model.bias[0] == w);
    pytree_optimizer_free(c.o);

    begin(&c, PYTREE_SGD(.rate = 0.5, .momentum = 0.5));
    for (k = 0; k < 2; k++) { assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error); }
    assert_true(c.w[0] == 0.375f && c.model.bias[0] == 6.75 && c.model.bias[1] == 1.25);
    pytree_optimizer_free(c.o);

    begin(&c, PYTREE_ADAM(.rate = 0.01, .beta2 = 0.9, .epsilon = 1e-3));
    for (k = 1, m = v = 0, w = 8; k <= 3; k++) {
        assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
        m = 0.9 * m + 0.1;
        v = 0.9 * v + 0.1;
        w -= 0.01 * m / (1 - pow(0.9, k)) / (sqrt(v / (1 - pow(0.9, k))) + 1e-3);
        assert_true(fabs(c.model.bias[0] - w) < 1e-12);
    }
    pytree_optimizer_free(c.o);
}

/* Its moments' names are not sorted, and one comes before 'count'. */
static void own_rule(const pytree_rule_call *at)
{
    const size_t n = pytree_leaf_count(at->param);
    size_t i;
    assert_string_equal(at->rule->context, "mine");
    for (i = 0; i < n; i++) {
        pytree_leaf_set(at->moment[0], i, pytree_leaf_get(at->moment[0], i) + pytree_leaf_get(at->grad, i));
        pytree_leaf_set(at->moment[1], i, at->step);
        pytree_leaf_set(at->param, i, pytree_leaf_get(at->param, i) - at->rule->rate * pytree_leaf_get(at->moment[0], i));
    }
}

/* A number of an optimizer's state. */
static double state_value(const pytree_optimizer *o, const char *path, size_t i)
{
    pytree_error error = { 0 };
    const pytree_leaf leaf = pytree_at(PYTREE(&o->state), path, NULL, &error);
    assert_ok(error.status, &error);
    return pytree_leaf_get(&leaf, i);
}

static void rules_of_the_program(void **state)
{
    char mine[] = "mine";
    const pytree_rule rule = { .apply = own_rule, .moments = { "sum", "age" }, .counts = true, .rate = 1, .context = mine };
    Case c;
    (void)state;
    begin(&c, rule);
    assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
    assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
    assert_true(c.w[0] == -0.5f && c.w[2] == 12 && c.model.bias[0] == 5);
    assert_true(state_value(c.o, "['opt_state'][0]['sum']['w'].value", 2) == -8);
    assert_true(state_value(c.o, "['opt_state'][0]['age']['bias'].value", 1) == 2);
    assert_true(state_value(c.o, "['opt_state'][0]['count'].value", 0) == 2);
    pytree_optimizer_free(c.o);
}

/* ---- Gradients ------------------------------------------------------------------------------------------------------- */

/* A struct, a state of it, zeros like the parameters, a dict without roles: the same step. */
static void forms(void **state)
{
    int form;
    (void)state;
    for (form = 0; form < 4; form++) {
        pytree_flat flat = { NULL, NULL };
        Case c;
        pytree grads = PYTREE(&c.grads);
        const pytree dict = PYTREE_DICT({ "bias", PYTREE_ARRAY(c.grads.bias, 2) }, { "w", PYTREE_ARRAY(c.dw, 3) });
        begin(&c, PYTREE_SGD(.rate = 1));
        if (form == 1) { flat = pytree_state(grads, PYTREE_EVERYTHING, NULL, &c.error); }
        if (form == 2) {
            flat = pytree_state_zeros_like(PYTREE(&c.o->params), NULL, &c.error);
            assert_ok(pytree_update(PYTREE(&flat), 1, &dict, NULL, &c.error), &c.error);
        }
        if (form != 0) { grads = form == 3 ? dict : PYTREE(&flat); }
        assert_ok(pytree_optimizer_update(c.o, grads, &c.error), &c.error);
        assert_true(c.w[0] == 0.5f && c.w[2] == 4 && c.model.bias[1] == 1);
        pytree_flat_free(&flat);
        pytree_optimizer_free(c.o);
    }
}

static void refused(void **state)
{
    struct { pytree grads; pytree_status status; const char *path; } wrong[3];
    pytree_error error = { 0 };
    int numbers[2] = { 1, 2 };
    size_t i;
    Case c;
    (void)state;
    begin(&c, PYTREE_ADAM(.rate = 1));
    wrong[0].grads = PYTREE_DICT({ "bias", PYTREE_ARRAY(c.grads.bias, 2) });
    wrong[0].status = PYTREE_NOT_FOUND;
    wrong[0].path = ".w";
    wrong[1].grads = PYTREE_DICT({ "bias", PYTREE_ARRAY(c.grads.bias, 2) }, { "w", PYTREE_ARRAY(c.dw, 1, 3) });
    wrong[1].status = PYTREE_SHAPE;
    wrong[1].path = ".w";
    wrong[2].grads = PYTREE_DICT({ "bias", PYTREE_ARRAY(c.dw, 2) }, { "w", PYTREE_ARRAY(c.dw, 3) });
    wrong[2].status = PYTREE_TYPE;
    wrong[2].path = ".bias";
    for (i = 0; i < 3; i++) {
        memset(&error, 0, sizeof error);
        assert_error(pytree_optimizer_update(c.o, wrong[i].grads, &error), wrong[i].status, wrong[i].path, &error);
        assert_true(c.w[0] == 1 && c.model.bias[0] == 8 && *c.o->step == 0);
    }
    pytree_optimizer_free(c.o);
    memset(&error, 0, sizeof error);
    assert_null(pytree_optimizer_new(PYTREE_DICT({ "a", PYTREE_ARRAY(numbers, 2) }), PYTREE_SGD(.rate = 1), PYTREE_EVERYTHING,
                                     NULL, &error));
    assert_error(error.status, PYTREE_TYPE, ".a", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_optimizer_new(PYTREE(&c.model), (pytree_rule){ .rate = 1 }, PYTREE_EVERYTHING, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
    pytree_optimizer_free(NULL);
}

/* ---- State ----------------------------------------------------------------------------------------------------------- */

/* A copy of the state that is put into another optimizer continues with the same bits. */
static void restored(void **state)
{
    Case a, b;
    pytree saved;
    (void)state;
    begin(&a, PYTREE_ADAMW(.rate = 0.1, .decay = 0.01));
    begin(&b, PYTREE_ADAMW(.rate = 0.1, .decay = 0.01));
    assert_ok(pytree_optimizer_update(a.o, PYTREE(&a.grads), &a.error), &a.error);
    assert_ok(pytree_optimizer_update(a.o, PYTREE(&a.grads), &a.error), &a.error);
    saved = pytree_clone(PYTREE(&a.o->state), NULL, &a.error);
    assert_ok(pytree_update(PYTREE(&b.o->state), 1, &saved, NULL, &b.error), &b.error);
    assert_ok(pytree_copy_into(PYTREE(&b.model), PYTREE(&a.model), NULL, &b.error), &b.error);
    pytree_free(saved);
    assert_int_equal(*b.o->step, 2);
    assert_ok(pytree_optimizer_update(a.o, PYTREE(&a.grads), &a.error), &a.error);
    assert_ok(pytree_optimizer_update(b.o, PYTREE(&b.grads), &b.error), &b.error);
    assert_true(pytree_equal(PYTREE(&a.model), PYTREE(&b.model), NULL, NULL, NULL));
    assert_true(pytree_equal(PYTREE(&a.o->state), PYTREE(&b.o->state), NULL, NULL, NULL));
    pytree_optimizer_free(a.o);
    pytree_optimizer_free(b.o);
}

static pytree_status memory_body(void *context, const pytree_options *opt, pytree_error *err)
{
    Case c;
    pytree_optimizer *o;
    float before;
    (void)context;
    begin(&c, PYTREE_SGD(.rate = 1));
    pytree_optimizer_free(c.o);
    before = c.w[0];
    o = pytree_optimizer_new(PYTREE(&c.model), PYTREE_ADAM(.rate = 1), PYTREE_OF(Param), opt, err);
    if (o == NULL) { return err->status; }
    if (pytree_optimizer_update(o, PYTREE(&c.grads), err) != PYTREE_OK) { assert_true(c.w[0] == before); }
    pytree_optimizer_free(o);
    return err->status;
}

/* Gradients that no parameter asks for are passed over: their long paths take memory. */
static pytree_status deep_body(void *context, const pytree_options *opt, pytree_error *err)
{
    enum { DEEP = 70 };
    pytree_pair pairs[DEEP];
    pytree_items dicts[DEEP];
    const pytree number = PYTREE_FLOAT(1);
    pytree t = number;
    pytree_optimizer *o;
    Case c;
    size_t i;
    (void)context;
    begin(&c, PYTREE_SGD(.rate = 1));
    pytree_optimizer_free(c.o);
    for (i = 0; i < DEEP; i++) {
        pairs[i] = (pytree_pair){ "a", t };
        dicts[i] = (pytree_items){ .pairs = &pairs[i], .count = 1 };
        t = (pytree){ PYTREE_DICT().type, &dicts[i] };
    }
    o = pytree_optimizer_new(PYTREE(&c.model), PYTREE_SGD(.rate = 1), PYTREE_OF(Param), opt, err);
    if (o == NULL) { return err->status; }
    (void)pytree_optimizer_update(o, PYTREE_DICT({ "a", number }, { "a0", t }, { "bias", PYTREE_ARRAY(c.grads.bias, 2) },
                                                 { "w", PYTREE_ARRAY(c.dw, 3) }), err);
    pytree_optimizer_free(o);
    return err->status;
}

static void memory(void **state)
{
    (void)state;
    assert_true(sweep_allocations(deep_body, NULL) > 6);
    assert_true(sweep_allocations(memory_body, NULL) > 6);
}

static void stays(const pytree_rule_call *at) { *(float *)at->moment[3]->data += 1; }

/* As many moments as there can be; gradients of which one is missing, or one has another type. */
static void corners(void **state)
{
    const pytree_rule four = { .apply = stays, .moments = { "a", "b", "c", "d" }, .rate = 1 };
    pytree_leaf leaves[2];
    pytree_flat grads, wrong;
    int whole[3] = { 0, 0, 0 };
    Case c;
    (void)state;
    begin(&c, four);
    assert_int_equal(c.o->state.def->n_leaves, 1 + 4 * 2);
    assert_ok(pytree_optimizer_update(c.o, PYTREE(&c.grads), &c.error), &c.error);
    assert_true(c.w[0] == 1 && *c.o->step == 1);
    assert_error(pytree_optimizer_update(c.o, PYTREE_DICT({ "w", PYTREE_ARRAY(c.dw, 3) }), &c.error), PYTREE_NOT_FOUND, ".bias",
                 &c.error);
    grads = pytree_state(PYTREE(&c.grads), PYTREE_OF(Param), NULL, NULL);
    assert_int_equal(grads.def->n_leaves, 2);
    memset(&c.error, 0, sizeof c.error);
    assert_ok(pytree_optimizer_update(c.o, PYTREE(&grads), &c.error), &c.error);
    memcpy(leaves, grads.leaves, sizeof leaves);
    for (int i = 0; i < 2; i++) {
        if (leaves[i].type == PYTREE_TYPE(float)) { leaves[i].type = PYTREE_TYPE(int); leaves[i].data = whole; }
    }
    wrong = (pytree_flat){ grads.def, leaves };
    assert_error(pytree_optimizer_update(c.o, PYTREE(&wrong), &c.error), PYTREE_TYPE, ".w", &c.error);
    assert_int_equal(*c.o->step, 2);
    pytree_flat_free(&grads);
    pytree_optimizer_free(c.o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners),
        cmocka_unit_test(rules), cmocka_unit_test(rules_of_the_program), cmocka_unit_test(forms), cmocka_unit_test(refused),
        cmocka_unit_test(restored), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
