/* The headers rngs.h and metrics.h of examples/nnx_pytrees: random numbers with the bits of JAX, streams and metrics as Flax
 * NNX has them. */
#include <float.h>
#include "nnx_objects.h"
#include "nnx_checks.h"
#include "pytree/display.h"
#define Linear LinearLayer                /* golden.h has others */
#include "examples/nnx_pytrees/metrics.h"
#include "examples/nnx_pytrees/rngs.h"

static const cJSON *out(const Golden *g, const char *name) { return golden_at(golden_at(g->json, "outputs"), name); }

/* ---- Random numbers ---------------------------------------------------------------------------------------------------- */

/* Salmon et al., file kat_vectors of Random123, threefry2x32 of 20 rounds. */
static void test_threefry(void **state)
{
    static const uint32_t vectors[3][6] = {
        { 0, 0, 0, 0, 0x6b200159, 0x99ba4efe },
        { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7 },
        { 0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0 }
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(vectors); i++) {
        const uint32_t *v = vectors[i];
        const RandomKey got = threefry((RandomKey){ { v[0], v[1] } }, v[2], v[3]);
        assert_int_equal(got.word[0], v[4]);
        assert_int_equal(got.word[1], v[5]);
    }
}

/* The last digits of a float that is computed may differ where expressions have more digits than their types (x87), and where
 * logarithms are those of Windows. */
#if FLT_EVAL_METHOD == 0 && !defined(_WIN32)
enum { UNITS = 0 };
#else
enum { UNITS = 8 };
#endif
static const pytree_tolerance digits_of_floats = { .relative = UNITS * (double)FLT_EPSILON };

/* The floats have the bits of a record: eight digits for each. */
static void check_bits(Golden *g, const char *name, const cJSON *array, const float *got)
{
    const char *digits = golden_word(array, "bits");
    size_t different = 0, n = strlen(digits) / 8;
    char text[64];
    for (size_t i = 0; i < n; i++) {
        char word[9] = { 0 };
        uint32_t bits;
        int64_t units;
        memcpy(word, digits + 8 * i, 8);
        memcpy(&bits, &got[i], sizeof bits);
        units = (int64_t)bits - (int64_t)strtoul(word, NULL, 16);
        different += units < -UNITS || units > UNITS;
    }
    snprintf(text, sizeof text, "%d of %d differ", (int)different, (int)n);
    golden_verdict(g, name, n != 0 && different == 0, "the bits of the record", text);
}

static RandomKey next_key(pytree rngs, const char *name)
{
    RandomKey key = { { 0, 0 } };
    assert_int_equal(rngs_next(rngs, name, &key, NULL), PYTREE_OK);
    return key;
}

/* The page's models are made by nnx.Rngs(0), in the order of their constructors: each Linear and BatchNorm takes a key for each
 * of its two parameters, each Dropout forks the stream. */
static void seed_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree rngs = new_rngs(0, 0, NULL, &error);
    float numbers[400];
    char name[40];
    if (strcmp(g->id, "perturb_seed") == 0) {
        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "linear%d.kernel", i + 1);
            random_lecun_normal(next_key(rngs, "params"), numbers, i == 0 ? 2 : 3, i == 0 ? 3 : 4);
            check_bits(g, name, cJSON_GetObjectItem(golden_at(g->json, "params_before"), name), numbers);
            (void)next_key(rngs, "params");
        }
        random_uniform(next_key(rngs, "default"), numbers, 2);
        check_bits(g, "input", golden_at(g->json, "input"), numbers);
        random_uniform(next_key(rngs, "default"), numbers, 4);
        check_bits(g, "target", golden_at(g->json, "target"), numbers);
    } else {
        const cJSON *block = golden_at(golden_at(g->json, "calls")->child, "blocks")->child, *bit;
        for (int i = 0; i < 3; i++, block = block->next) {
            size_t k = 0;
            bool same = true;
            snprintf(name, sizeof name, "blocks.%d.linear.kernel", i);
            random_lecun_normal(next_key(rngs, "params"), numbers, 20, 20);
            check_bits(g, name, cJSON_GetObjectItem(golden_at(g->json, "state_before"), name), numbers);
            for (int skipped = 0; skipped < 3; skipped++) { (void)next_key(rngs, "params"); }
            random_uniform(random_fold_in(next_key(rngs, "dropout"), 0), numbers, 200);
            cJSON_ArrayForEach(bit, golden_at(golden_at(block, "mask"), "data")) {
                same = same && (numbers[k++] < 0.9f) == (golden_int(bit) != 0);
            }
            golden_check_bool(g, "mask", true, same && k == 200);
        }
    }
    golden_check_ok(g, "rngs", &error);
    pytree_container_free(rngs);
}

static void seeds(void **state)
{
    (void)state;
    golden_run("seeds/numeric", "\"id\": \"perturb_seed\"", seed_case, NULL);
    golden_run("seeds/numeric", "\"id\": \"sow_seed\"", seed_case, NULL);
}

/* Block 1 of the page: normal((2, 3)) and uniform((5, 2)) of nnx.Rngs(0). */
static void page_case(Golden *g)
{
    const cJSON *values = golden_at(g->json, "values");
    pytree rngs = new_rngs(0, 0, NULL, NULL);
    pytree_leaf leaf = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 3 } };
    float numbers[10];
    leaf.data = numbers;
    random_normal(next_key(rngs, "default"), numbers, 6);
    check_close(g, "kernel", value_of(g, golden_at(values, "kernel")), pytree_of_view(&leaf), &digits_of_floats);
    random_uniform(next_key(rngs, "default"), numbers, 10);
    leaf.shape[0] = 5;
    leaf.shape[1] = 2;
    check_same(g, "x", value_of(g, golden_at(values, "x")), pytree_of_view(&leaf));
    pytree_container_free(rngs);
}

static void page(void **state)
{
    (void)state;
    golden_run("seeds/nnx_examples", "\"id\": \"nnx-01\"", page_case, NULL);
}

/* ---- Streams ------------------------------------------------------------------------------------------------------------ */

/* Make the streams of a record's "nnx.Rngs(7, dropout=4, init=8)". */
static pytree rngs_of(Golden *g, pytree_error *err)
{
    const char *at = strstr(golden_word(g->json, "setup"), "nnx.Rngs(") + strlen("nnx.Rngs(");
    Seed named[4];
    uint32_t seed = 0;
    bool has_default = false;
    size_t n = 0;
    pytree rngs;
    while (*at != ')') {
        char *name = golden_alloc(g, 20, 1);
        const size_t length = strcspn(at, "=,)");
        if (at[length] == '=') {
            memcpy(name, at, length);
            named[n++] = (Seed){ name, (uint32_t)strtol(at + length + 1, NULL, 10) };
        } else {
            seed = (uint32_t)strtol(at, NULL, 10);
            has_default = true;
        }
        at += strcspn(at, ",)");
        at += strspn(at, ", ");
    }
    rngs = new_rngs(seed, n, named, err);
    if (!has_default) { pytree_object_remove(rngs, "default", err); }
    return rngs;
}

static uint32_t count_of(pytree rngs, const char *name)
{
    return *stream_words(pytree_object_get(rngs, name, NULL), "count", NULL);
}

/* The names of the streams, in their order, and how often each was called. */
static void check_counts(Golden *g, const char *output_name, pytree rngs)
{
    const cJSON *pair;
    pytree_attribute at = { 0 };
    size_t i = 0;
    cJSON_ArrayForEach(pair, golden_at(out(g, output_name), "dict")) {
        golden_check_bool(g, "stream", true, pytree_object_attribute(rngs, i++, &at, NULL) == PYTREE_OK);
        golden_check_text(g, "name", golden_string(pair->child), at.name);
        golden_check_count(g, output_name, pair->child->next, count_of(rngs, at.name));
    }
    golden_check_bool(g, "streams", true, pytree_object_length(rngs) == i);
}

static void check_shapes(Golden *g, const char *output_name, pytree rngs, const char *part, size_t first)
{
    const cJSON *pair, *extent;
    cJSON_ArrayForEach(pair, golden_at(out(g, output_name), "dict")) {
        pytree stream = pytree_object_get(rngs, golden_string(pair->child), NULL);
        const pytree_leaf *leaf = pytree_variable_value(pytree_object_get(stream, part, NULL)).data;
        size_t i = 0;
        cJSON_ArrayForEach(extent, golden_at(pair->child->next, "tuple")) {
            golden_check_count(g, output_name, extent, leaf->shape[i++]);
        }
        golden_check_bool(g, "dimensions", true, (size_t)leaf->ndim == i + first);
    }
}

/* The paths of a state: tuples. */
static void check_list(Golden *g, const char *name, const cJSON *paths, const pytree_place_list *list)
{
    const cJSON *path;
    char text[100];
    size_t i = 0;
    cJSON_ArrayForEach(path, golden_at(paths, "list")) {
        if (i == list->n) { break; }
        pytree_path_text(&list->places[i++].path, text, sizeof text);
        golden_check_text(g, name, path_of(g, golden_get(path, "tuple")), text);
    }
    golden_check_bool(g, name, true, list->n == i && path == NULL);
}

static void check_filtered(Golden *g, const char *name, const cJSON *paths, pytree rngs, pytree_filter filter)
{
    pytree_error error = { 0 };
    pytree_place_list *list = pytree_places(rngs, filter, NULL, &error);
    if (golden_check_ok(g, name, &error)) { check_list(g, name, paths, list); }
    pytree_places_free(list);
}

static void rngs_names(Golden *g, pytree rngs)
{
    const cJSON *kind = golden_at(out(g, "kinds"), "list")->child, *name;
    pytree_place_list *list = pytree_places(rngs, PYTREE_EVERYTHING, NULL, NULL);
    pytree_attribute at = { 0 };
    size_t k = 0;
    check_list(g, "paths", out(g, "paths"), list);
    for (size_t i = 0; i < list->n; i++, kind = kind->next) {
        golden_check_text(g, "kind", golden_string(kind), list->places[i].role->name);
    }
    cJSON_ArrayForEach(name, golden_at(out(g, "names"), "list")) {
        golden_check_bool(g, "name", true, pytree_object_attribute(rngs, k++, &at, NULL) == PYTREE_OK);
        golden_check_text(g, "name", golden_string(name), at.name);
    }
    golden_check_count(g, "length", out(g, "length"), pytree_object_length(rngs));
    pytree_places_free(list);
}

static void rngs_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree rngs, forked;
    RandomKey key;
    if (id_is(g, "nnx.rngs.010")) { golden_no_counterpart(g); return; }        /* a seed of another type: a compile error */
    rngs = rngs_of(g, &error);
    if (id_is(g, "nnx.rngs.001")) {
        static const char *const calls[] = { "dropout", "dropout", "init", "default" };
        for (size_t i = 0; i < COUNT_OF(calls); i++) { rngs_next(rngs, calls[i], &key, &error); }
        check_counts(g, "counts", rngs);
    } else if (id_is(g, "nnx.rngs.002")) {
        const cJSON *has = golden_at(out(g, "has"), "list")->child;
        static const char *const names[] = { "dropout", "noise", "default" };
        pytree stream = rngs_stream(rngs, "noise", &error);
        golden_check_text(g, "name", golden_string(out(g, "name")),
                          *(const char *const *)pytree_object_get(stream, "tag", &error).data);
        rngs_next(rngs, "noise", &key, &error);
        check_counts(g, "counts", rngs);
        for (size_t i = 0; i < COUNT_OF(names); i++, has = has->next) {
            golden_check_bool(g, names[i], cJSON_IsTrue(has) != 0, pytree_object_get(rngs, names[i], NULL).type != NULL);
        }
    } else if (id_is(g, "nnx.rngs.003")) {
        golden_check_bool(g, "error", true, rngs_next(rngs, "noise", &key, &error) == PYTREE_NOT_FOUND);
        golden_check_bool(g, "message", true, error.status == PYTREE_NOT_FOUND);
        error = (pytree_error){ 0 };
    } else if (id_is(g, "nnx.rngs.004")) {
        rngs_names(g, rngs);
    } else if (id_is(g, "nnx.rngs.005")) {
        pytree_flat counts = pytree_state(rngs, PYTREE_OF(RngCount), NULL, &error), pure;
        pure = pytree_pure(PYTREE(&counts), NULL, &error);
        check_filtered(g, "keys", out(g, "keys"), rngs, PYTREE_OF(RngKey));
        check_same(g, "counts", value_of(g, out(g, "counts")), PYTREE(&pure));
        pytree_flat_free(&pure);
        pytree_flat_free(&counts);
    } else if (id_is(g, "nnx.rngs.006") || id_is(g, "nnx.rngs.007")) {
        const bool split = id_is(g, "nnx.rngs.006");
        if (!split) { rngs_next(rngs, "dropout", &key, &error); }
        forked = rngs_fork(rngs, split ? 4 : 0, &error);
        check_shapes(g, "shapes", forked, "key", 1);           /* a key is two words here */
        check_counts(g, "counts", rngs);
        if (split) { check_shapes(g, "forked_counts", forked, "count", 0); } else { check_counts(g, "forked_counts", forked); }
        pytree_container_free(forked);
    } else if (id_is(g, "nnx.rngs.008")) {
        RandomKey dropout;
        rngs_next(rngs, "dropout", &dropout, &error);          /* nnx.Dropout forks its stream */
        rngs_next(rngs, "default", &key, &error);
        rngs_next(rngs, "other", &key, &error);
        rngs_next(rngs, "dropout", &key, &error);
        stream_reseed(rngs_stream(rngs, "other", &error), 7, &error);
        check_counts(g, "counts", rngs);
        rngs_next(rngs, "other", &key, &error);
        golden_check_bool(g, "seed", true, key.word[0] == random_fold_in(random_key(7), 0).word[0]);
    } else {
        const cJSON *paths = golden_at(out(g, "paths"), "list")->child;
        check_filtered(g, "s1", paths, rngs, PYTREE_TAG("dropout"));
        check_filtered(g, "s2", paths->next, rngs, PYTREE_NOT(PYTREE_TAG("dropout")));
    }
    golden_check_ok(g, "calls", &error);
    pytree_container_free(rngs);
}

/* ---- Metrics ------------------------------------------------------------------------------------------------------------ */

/* The arguments of an update: the arrays of the inputs by name. */
static pytree arguments_of(Golden *g)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree_pair *pairs = golden_alloc(g, 8, sizeof *pairs);
    const cJSON *one;
    cJSON_ArrayForEach(one, golden_at(g->json, "inputs")) {
        if (golden_get(one, "array") == NULL) { continue; }
        pairs[items->count].key = one->string;
        pairs[items->count++].value = value_of(g, one);
    }
    items->pairs = pairs;
    return (pytree){ &pytree_types[PYTREE__T_dict], items };
}

static void check_number(Golden *g, const char *name, const cJSON *expected, float got)
{
    const float wanted = (float)nnx_double(golden_get(expected, "array.data")->child);
    char a[32], b[32];
    snprintf(a, sizeof a, "%.9g", (double)wanted);
    snprintf(b, sizeof b, "%.9g", (double)got);
    golden_verdict(g, name, isnan(wanted) ? isnan(got) : fabsf(wanted - got) <= 1e-6f * fabsf(wanted), a, b);
}

static void check_metric(Golden *g, const char *name, pytree metric)
{
    pytree_flat state = whole(g, metric);
    check_same(g, name, value_of(g, out(g, name)), PYTREE(&state));
    pytree_flat_free(&state);
}

static void average_case(Golden *g, Average *m)
{
    pytree_error error = { 0 };
    const cJSON *batch, *expected;
    if (id_is(g, "nnx.metric.001")) {
        expected = golden_at(out(g, "out"), "list")->child;
        check_number(g, "empty", out(g, "empty"), average_compute(m));
        cJSON_ArrayForEach(batch, golden_at(golden_get(g->json, "inputs.batches"), "list")) {
            average_update(m, PYTREE_DICT({ "values", value_of(g, batch) }), &error);
            check_number(g, "out", expected, average_compute(m));
            expected = expected->next;
        }
        average_reset(m);                 /* the record's state is that of the variables, which reset clears */
        check_metric(g, "state", PYTREE(m));
        check_number(g, "again", out(g, "again"), average_compute(m));
    } else if (id_is(g, "nnx.metric.002")) {
        m->argname = "w";
        average_update(m, PYTREE_DICT({ "w", PYTREE_SCALAR(&(float){ 2.25f }) }), &error);
        average_update(m, PYTREE_DICT({ "w", PYTREE_SCALAR(&(float){ 79 }) }), &error);
        check_number(g, "out", out(g, "out"), average_compute(m));
        check_model(g, "m", out(g, "m"), PYTREE(m));
    } else if (id_is(g, "nnx.metric.003")) {
        average_update_masked(m, PYTREE_DICT({ "values", input(g, "v") }, { "mask", input(g, "mask") }), &error);
        check_number(g, "out", out(g, "out"), average_compute(m));
        check_metric(g, "state", PYTREE(m));
    } else if (id_is(g, "nnx.metric.004")) {
        m->argname = "w";
        average_update(m, PYTREE_DICT({ "values", PYTREE_SCALAR(&(float){ -2 }) }), &error);
        golden_check_bool(g, "error", true, error.status == PYTREE_NOT_FOUND);
        error = (pytree_error){ 0 };
    } else {
        pytree_place_list *list = pytree_places(PYTREE(m), PYTREE_EVERYTHING, NULL, &error);
        const cJSON *path = golden_at(out(g, "paths"), "list")->child;
        for (size_t i = 0; i < list->n; i++, path = path->next) {              /* a struct's have no ".value" */
            char text[40];
            pytree_path_text(&list->places[i].path, text, sizeof text);
            golden_check_text(g, "path", golden_string(path), strcat(text, ".value"));
        }
        pytree_places_free(list);
        check_metric(g, "state", PYTREE(m));
    }
    golden_check_ok(g, "calls", &error);
}

static void accuracy_case(Golden *g)
{
    const char *threshold = strstr(golden_word(g->json, "setup"), "threshold=");
    pytree_error error = { 0 };
    Accuracy m = new_accuracy();
    if (threshold != NULL) { m.threshold = strtof(threshold + strlen("threshold="), NULL); }
    if (id_is(g, "nnx.metric.008")) {
        const float zeros[12] = { 0 };
        accuracy_update(&m, PYTREE_DICT({ "logits", PYTREE_ARRAY(zeros, 6, 2) }, { "labels", PYTREE_ARRAY(zeros, 6) }), &error);
    } else {
        accuracy_update(&m, arguments_of(g), &error);
    }
    if (golden_get(g->json, "error") != NULL) {
        const pytree_status wanted = id_is(g, "nnx.metric.008") ? PYTREE_TYPE : PYTREE_SHAPE;
        golden_check_text(g, "error", pytree_status_name(wanted), pytree_status_name(error.status));
        return;
    }
    check_number(g, "out", out(g, "out"), accuracy_compute(&m));
    if (golden_get(g->json, "outputs.state") != NULL) { check_metric(g, "state", PYTREE(&m)); }
    golden_check_ok(g, "calls", &error);
}

static void welford_case(Golden *g)
{
    const cJSON *batch, *expected = golden_at(out(g, "out"), "list")->child;
    pytree_error error = { 0 };
    Welford m = new_welford("values");
    cJSON_ArrayForEach(batch, golden_at(golden_get(g->json, "inputs.batches"), "list")) {
        const cJSON *number = golden_at(expected, "list")->child;
        Statistics s;
        welford_update(&m, PYTREE_DICT({ "values", value_of(g, batch) }), &error);
        s = welford_compute(&m);
        check_number(g, "mean", number, s.mean);
        check_number(g, "standard error", number->next, s.standard_error_of_mean);
        check_number(g, "deviation", number->next->next, s.standard_deviation);
        expected = expected->next;
    }
    golden_check_ok(g, "calls", &error);
}

static void check_results(Golden *g, const char *name, pytree metrics)
{
    pytree_error error = { 0 };
    pytree results = multi_metric_compute(metrics, &error);
    const cJSON *pair;
    cJSON_ArrayForEach(pair, golden_at(out(g, name), "dict")) {
        const pytree value = pytree_dict_get(results, golden_string(pair->child), &error);
        check_number(g, name, pair->child->next, *(const float *)((const pytree_leaf *)value.data)->data);
    }
    golden_check_ok(g, name, &error);
    pytree_container_free(results);
}

static void multi_metric_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree metrics = pytree_new_object(&pytree_class_MultiMetric, NULL, &error);
    Accuracy b = new_accuracy();
    Average outer = new_average("values");
    char text[1000], *nan_text;
    pytree_object_put(metrics, "b", PYTREE(&b), &error);
    pytree_object_put(metrics, "outer", PYTREE(&outer), &error);
    multi_metric_update(metrics, arguments_of(g), &error);
    check_results(g, "out", metrics);
    (void)pytree_display_text(metrics, text, sizeof text - 1, NULL, &error);
    nan_text = strstr(text, "nan");       /* a float that is None in Python: see metrics.h */
    assert_non_null(nan_text);
    memmove(nan_text + 1, nan_text, strlen(nan_text) + 1);
    memcpy(nan_text, "None", 4);
    golden_check_text(g, "printed", golden_word(g->json, "printed"), strcat(text, "\n"));
    multi_metric_reset(metrics);
    check_results(g, "again", metrics);
    golden_check_ok(g, "calls", &error);
    pytree_container_free(metrics);
}

static void metric_case(Golden *g)
{
    const char *setup = golden_word(g->json, "setup");
    Average average = new_average("values");
    if (strstr(setup, "MultiMetric") != NULL) { multi_metric_case(g); }
    else if (strstr(setup, "Accuracy") != NULL) { accuracy_case(g); }
    else if (strstr(setup, "Welford") != NULL) { welford_case(g); }
    else { average_case(g, &average); }
}

/* ---- Running ------------------------------------------------------------------------------------------------------------ */

/* Each group, how many of its cases are asked, and how many are not: docs/semantics.md says why. */
#define GROUP(name, asked, without)                                                                                     \
    static void name##_cases(void **state)                                                                              \
    {                                                                                                                   \
        (void)state;                                                                                                    \
        golden_run_exactly("seeds/nnx", "\"group\": \"" #name "\"", name##_case, asked, without);                       \
    }
GROUP(rngs, 9, 1)
GROUP(metric, 11, 0)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threefry), cmocka_unit_test(seeds), cmocka_unit_test(page), cmocka_unit_test(rngs_cases),
        cmocka_unit_test(metric_cases)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
