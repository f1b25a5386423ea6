/* The numeric programs of golden/seeds/numeric.jsonl: forward passes, gradients and optimizers over the example headers, beside
 * the numbers of Flax and optax at the tolerance of each record. */
#include "nnx_values.h"
#include "pytree/algebra.h"
#include "pytree/optimizer.h"
#include "pytree/path.h"
#define Linear LinearLayer                /* golden.h has others */
#define MLP BlocksModel
#include "examples/nnx_pytrees/models.h"

/* ---- Reading and comparing -------------------------------------------------------------------------------------------- */

/* The path of "blocks.0.bn.mean": .blocks[0].bn.mean. */
static void path_of(const char *name, char path[200])
{
    size_t n = 0;
    for (const char *at = name; *at != '\0'; ) {
        const size_t length = strcspn(at, ".");
        n += (size_t)snprintf(path + n, 200 - n, at[0] >= '0' && at[0] <= '9' ? "[%.*s]" : ".%.*s", (int)length, at);
        at += length + (at[length] == '.');
    }
}

static size_t read_floats(const cJSON *array, float *to)
{
    const cJSON *number;
    size_t n = 0;
    cJSON_ArrayForEach(number, golden_at(array, "data")) {
        assert_true(n < MOST_VALUES);
        to[n++] = (float)golden_double(number);
    }
    return n;
}

/* The numbers differ by at most `bound`; 0: the record's tolerance times the largest of them. */
static void check_numbers(Golden *g, const char *name, const cJSON *expected, const float *got, double bound)
{
    float wanted[MOST_VALUES], largest = 0, worst = 0;
    const size_t n = read_floats(expected, wanted);
    char text[100];
    for (size_t i = 0; i < n; i++) {
        largest = fmaxf(largest, fabsf(wanted[i]));
        worst = fmaxf(worst, fabsf(wanted[i] - got[i]));
        if (got[i] != got[i]) { worst = INFINITY; }
    }
    if (bound == 0) { bound = golden_double(golden_at(g->json, "tolerance")) * (double)largest; }
    snprintf(text, sizeof text, "differs by %g of %g", (double)worst, (double)largest);
    golden_verdict(g, name, (double)worst <= bound, "the same numbers", text);
}

/* Gives the values at named paths of a tree to `fn`. */
static void each_value(Golden *g, const cJSON *values, pytree t,
                       void fn(Golden *g, const cJSON *value, const pytree_leaf *leaf))
{
    const cJSON *value;
    cJSON_ArrayForEach(value, values) {
        pytree_error error = { 0 };
        char path[200];
        pytree_leaf leaf;
        path_of(value->string, path);
        leaf = pytree_at(t, path, NULL, &error);
        if (golden_check_ok(g, value->string, &error)) { fn(g, value, &leaf); }
    }
}

static void set_value(Golden *g, const cJSON *value, const pytree_leaf *leaf)
{
    (void)g;
    assert_int_equal(read_floats(value, leaf->data), pytree_leaf_count(leaf));
}

static void check_value(Golden *g, const cJSON *value, const pytree_leaf *leaf)
{
    check_numbers(g, value->string, value, leaf->data, 0);
}

static int extent(const cJSON *array, int i) { return (int)golden_int(cJSON_GetArrayItem(golden_at(array, "shape"), i)); }

/* ---- Models with a perturbation --------------------------------------------------------------------------------------- */

/* A number of a text such as "adamw(learning_rate=0.01, weight_decay=0.1)"; 0 if it is not there. */
static double number_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at == NULL ? 0 : strtod(at + strlen(name), NULL);
}

static pytree_rule rule_of(const Golden *g)
{
    const char *text = golden_word(g->json, "optimizer");
    pytree_rule rule = PYTREE_SGD(.momentum = number_of(text, "momentum="));
    if (strncmp(text, "adam", 4) == 0) { rule = PYTREE_ADAMW(.decay = number_of(text, "weight_decay=")); }
    rule.rate = number_of(text, "learning_rate=");
    return rule;
}

/* "[0].mu['linear1']['bias']" in the state of an optimizer. */
static void check_optimizer(Golden *g, const cJSON *expected, const pytree_optimizer *o)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, expected) {
        const char *name = value->string + strlen("[0]."), *rest = strchr(name, '[');
        pytree_error error = { 0 };
        char path[200];
        pytree_leaf leaf;
        snprintf(path, sizeof path, "['opt_state'][0]['%.*s']%s.value", (int)strcspn(name, "["), name,
                 rest == NULL ? "" : rest);
        leaf = pytree_at(PYTREE(&o->state), path, NULL, &error);
        if (!golden_check_ok(g, value->string, &error)) { continue; }
        if (rest == NULL) {
            golden_check_bool(g, "count", true, *(int32_t *)leaf.data == golden_int(golden_at(value, "data")->child));
        } else {
            check_value(g, value, &leaf);
        }
    }
}

static void perturb_case(Golden *g)
{
    const cJSON *params = golden_at(g->json, "params_before"), *input = golden_at(g->json, "input"), *step;
    const bool part = strcmp(g->id, "perturb_wrt_part") == 0;
    const pytree_filter linear2 = PYTREE_ALL_OF(PYTREE_OF(Param), PYTREE_PATH_HAS("linear2"));
    const cJSON *kernel1 = cJSON_GetObjectItem(params, "linear1.kernel");
    const cJSON *kernel2 = cJSON_GetObjectItem(params, "linear2.kernel");
    pytree_error error = { 0 };
    pytree_optimizer *o;
    ModelValues values;
    float x[MOST_VALUES], target[MOST_VALUES];
    Model m = { .linear1 = { extent(kernel1, 0), extent(kernel1, 1), NULL, PYTREE_WANTED },
                .linear2 = { extent(kernel2, 0), extent(kernel2, 1), NULL, PYTREE_WANTED }, .rows = extent(input, 0) };
    assert_int_equal(pytree_allocate(PYTREE(&m), NULL, &error), PYTREE_OK);
    each_value(g, params, PYTREE(&m), set_value);
    (void)read_floats(input, x);
    (void)read_floats(golden_at(g->json, "target"), target);
    model_forward(&m, x, &values);
    check_numbers(g, "first_output", golden_at(g->json, "first_output"), values.out, 0);
    o = pytree_optimizer_new(PYTREE(&m), rule_of(g), part ? linear2 : PYTREE_OF(Param), NULL, &error);
    assert_non_null(o);
    cJSON_ArrayForEach(step, golden_at(g->json, "steps")) {
        pytree grads = pytree_zeros_like(PYTREE(&m), NULL, &error);
        const float loss = model_back(&m, grads.data, x, target);
        check_numbers(g, "loss", golden_at(step, "loss"), &loss, 0);
        each_value(g, golden_at(step, "gradients"), grads, check_value);
        each_value(g, golden_at(step, "perturbation_gradients"), grads, check_value);
        golden_check_ok(g, "update", (pytree_optimizer_update(o, grads, &error), &error));
        each_value(g, golden_at(step, "params_after"), PYTREE(&m), check_value);
        check_optimizer(g, golden_get(step, "optimizer_state_after"), o);
        golden_check_bool(g, "step", true, *o->step == golden_int(golden_at(step, "optimizer_step")));
        pytree_free(grads);
    }
    pytree_optimizer_free(o);
    pytree_free(PYTREE(&m));
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------------- */

/* Masks of the blocks, as numbers; NULL where the record has none. */
static const bool *mask_of(Golden *g, const cJSON *mask)
{
    const cJSON *number;
    bool *to;
    size_t n = 0;
    if (mask == NULL) { return NULL; }
    to = golden_alloc(g, MOST_VALUES, sizeof *to);
    cJSON_ArrayForEach(number, golden_at(mask, "data")) { to[n++] = cJSON_IsTrue(number) || golden_int(number) != 0; }
    return to;
}

static MLP mlp_of(Golden *g, Block blocks[MOST_BLOCKS])
{
    const cJSON *layers = golden_at(g->json, "layers");
    const cJSON *norm = golden_at(layers, "batch_norm"), *drop = golden_at(layers, "dropout");
    const int dim = (int)golden_int(golden_at(layers, "dim"));
    MLP m = { (size_t)golden_int(golden_at(layers, "blocks")), blocks };
    pytree_error error = { 0 };
    for (size_t i = 0; i < m.n; i++) {
        blocks[i] = (Block){ .linear = { dim, dim, NULL, PYTREE_WANTED },
                             .bn = { .n = dim, .use_running_average = golden_true(norm, "use_running_average") },
                             .dropout = { (float)golden_double(golden_at(drop, "rate")), golden_true(drop, "deterministic") },
                             .y_mean = PYTREE_NONE };
    }
    assert_int_equal(pytree_allocate(PYTREE(&m), NULL, &error), PYTREE_OK);
    each_value(g, golden_at(g->json, "state_before"), PYTREE(&m), set_value);
    return m;
}

/* The means that the blocks have recorded, from call to call: tuples. */
static void check_means(Golden *g, const cJSON *intermediates, const MLP *m)
{
    size_t i = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, intermediates) {
        const pytree means = m->blocks[i++].y_mean;
        const cJSON *mean = golden_at(one, "tuple")->child;
        const size_t calls = (size_t)cJSON_GetArraySize(golden_at(one, "tuple"));
        golden_check_bool(g, "calls", true, pytree_container_length(means) == calls);
        for (ptrdiff_t k = 0; mean != NULL; k++, mean = mean->next) {
            const pytree got = pytree_list_get(means, k, NULL);
            check_numbers(g, one->string, mean, ((const pytree_leaf *)got.data)->data, 0);
        }
    }
    golden_check_bool(g, "each block has means", true, i == m->n);
}

/* Take out what the blocks have recorded, and free it. */
static void pop_means(MLP *m)
{
    pytree taken = { NULL, NULL };
    assert_int_equal(pytree_pop(PYTREE(m), PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_num_leaves(PYTREE(m), NULL, NULL), m->n * 6);
    pytree_container_free(taken);
}

static void sow_case(Golden *g)
{
    const cJSON *input = golden_at(g->json, "input"), *call;
    const bool seed = strcmp(g->id, "sow_seed") == 0;          /* its variances are 0: only the first linear layer counts */
    const int rows = extent(input, 0);
    static BlockValues values[MOST_BLOCKS];
    Block blocks[MOST_BLOCKS];
    float x[MOST_VALUES];
    pytree_error error = { 0 };
    MLP m = mlp_of(g, blocks);
    (void)read_floats(input, x);
    cJSON_ArrayForEach(call, golden_at(g->json, "calls")) {
        const cJSON *block;
        const bool *masks[MOST_BLOCKS] = { NULL };
        size_t i = 0;
        cJSON_ArrayForEach(block, golden_at(call, "blocks")) { masks[i++] = mask_of(g, golden_get(block, "mask")); }
        golden_check_bool(g, "blocks", true, i == m.n);
        golden_check_ok(g, "mlp", (mlp(&m, x, rows, masks, values, &error), &error));
        i = 0;
        cJSON_ArrayForEach(block, golden_at(call, "blocks")) {
            const BlockValues *v = &values[i++];
            if (seed) { check_numbers(g, "linear", golden_at(block, "linear"), v->linear, 1e-5); break; }
            check_numbers(g, "linear", golden_at(block, "linear"), v->linear, 0);
            check_numbers(g, "bn", golden_at(block, "bn"), v->bn, 0);
            check_numbers(g, "dropout", golden_at(block, "dropout"), v->dropout, 0);
            check_numbers(g, "out", golden_at(block, "out"), v->out, 0);
        }
        if (seed) { continue; }
        check_numbers(g, "output", golden_at(call, "output"), values[m.n - 1].out, 0);
        check_means(g, golden_at(call, "intermediates"), &m);
        each_value(g, golden_at(call, "batch_stats_after"), PYTREE(&m), check_value);
    }
    pop_means(&m);
    pytree_free(PYTREE(&m));
}

/* The gradient of a bias in front of a batch norm is 0 but for rounding: it is compared with the largest of its block. */
static void check_gradients(Golden *g, const cJSON *gradients, pytree grads)
{
    const cJSON *value;
    float largest[MOST_BLOCKS] = { 0 }, numbers[MOST_VALUES];
    cJSON_ArrayForEach(value, gradients) {
        const size_t block = (size_t)atoi(value->string + strlen("blocks."));
        for (size_t i = read_floats(value, numbers); i-- != 0; ) {
            largest[block] = fmaxf(largest[block], fabsf(numbers[i]));
        }
    }
    cJSON_ArrayForEach(value, gradients) {
        pytree_error error = { 0 };
        char path[200];
        pytree_leaf leaf;
        path_of(value->string, path);
        leaf = pytree_at(grads, path, NULL, &error);
        check_numbers(g, value->string, value, leaf.data, strstr(path, ".linear.bias") == NULL ? 0
                      : 1e-5 * (double)largest[atoi(value->string + strlen("blocks."))]);
    }
}

static void train_case(Golden *g)
{
    const cJSON *input = golden_at(g->json, "input"), *step, *mask;
    const int rows = extent(input, 0), n = rows * extent(input, 1);
    static BlockValues values[MOST_BLOCKS];
    Block blocks[MOST_BLOCKS];
    float x[MOST_VALUES], target[MOST_VALUES], dy[MOST_VALUES];
    pytree_error error = { 0 };
    MLP m = mlp_of(g, blocks);
    pytree_optimizer *o = pytree_optimizer_new(PYTREE(&m), PYTREE_SGD(.rate = 0.1), PYTREE_OF(Param), NULL, &error);
    assert_non_null(o);
    (void)read_floats(input, x);
    (void)read_floats(golden_at(g->json, "target"), target);
    cJSON_ArrayForEach(step, golden_at(g->json, "steps")) {
        pytree grads = pytree_zeros_like(PYTREE(&m), NULL, &error);
        const bool *masks[MOST_BLOCKS] = { NULL };
        size_t i = 0;
        float loss;
        cJSON_ArrayForEach(mask, golden_get(step, "masks")) { masks[i++] = mask_of(g, cJSON_IsNull(mask) ? NULL : mask); }
        golden_check_ok(g, "mlp", (mlp(&m, x, rows, masks, values, &error), &error));
        loss = mean_squared_error(values[m.n - 1].out, target, dy, n);
        check_numbers(g, "loss", golden_at(step, "loss"), &loss, 0);
        mlp_back(&m, grads.data, dy, rows, values);
        check_gradients(g, golden_at(step, "gradients"), grads);
        check_means(g, golden_at(step, "intermediates"), &m);
        pop_means(&m);
        golden_check_ok(g, "update", (pytree_optimizer_update(o, grads, &error), &error));
        each_value(g, golden_at(step, "batch_stats_after"), PYTREE(&m), check_value);
        each_value(g, golden_at(step, "params_after"), PYTREE(&m), check_value);
        pytree_free(grads);
    }
    pytree_optimizer_free(o);
    pytree_free(PYTREE(&m));
}

/* ---- Running --------------------------------------------------------------------------------------------------------- */

static void perturbations(void **state)
{
    (void)state;
    golden_run("seeds/numeric", "\"id\": \"perturb", perturb_case, NULL);
}

static void recordings(void **state)
{
    (void)state;
    golden_run("seeds/numeric", "\"id\": \"sow", sow_case, NULL);
}

static void training(void **state)
{
    (void)state;
    golden_run("seeds/numeric", "\"id\": \"train", train_case, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perturbations), cmocka_unit_test(recordings), cmocka_unit_test(training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
