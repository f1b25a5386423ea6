/* metrics.h: the metrics of Flax NNX as structs whose rows have the role MetricState: Average, Accuracy, Welford; and
 * MultiMetric, an object of any of them. What is measured comes as a dict, as keyword arguments do in Python:
 *
 *     Average average = new_average("loss");
 *     average_update(&average, PYTREE_DICT({ "loss", PYTREE_ARRAY(losses, 4) }), &err);
 *     printf("%g\n", average_compute(&average));                // NaN before the first value */
#ifndef NNX_METRICS_H
#define NNX_METRICS_H

#include "pytree/object.h"
#include "pytree/path.h"

#include <math.h>
#include <string.h>

/* Get an array that an update was given. */
static inline pytree_status metric_argument(pytree arguments, const char *name, pytree_leaf *to, pytree_error *err)
{
    const pytree_entry key = { .kind = PYTREE_KEY, .name = name, .index = SIZE_MAX };
    pytree_error missing = { 0 };
    *to = pytree_get(arguments, &(pytree_path){ 1, &key }, NULL, &missing);
    if (to->data != NULL && to->form == PYTREE_FORM_LEAF) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected an array '%s' among the arguments, got none", name);
}

/* ---- nnx.metrics.Average ------------------------------------------------------------------------------------------------ */

typedef struct Average {
    const char *argname;
    float       total;
    int32_t     count;
} Average;

#define PYTREE_STRUCT Average
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, argname)                                                                                       \
    PYTREE_FIELD(DATA, total, ROLE(MetricState))                                                                        \
    PYTREE_FIELD(DATA, count, ROLE(MetricState))
#include "pytree_registry.h"

static inline Average new_average(const char *argname) { return (Average){ argname, 0, 0 }; }
static inline float average_compute(const Average *m) { return m->count == 0 ? NAN : m->total / (float)m->count; }
static inline void average_reset(Average *m) { *m = new_average(m->argname); }

static inline pytree_status average_update(Average *m, pytree arguments, pytree_error *err)
{
    pytree_leaf values;
    if (metric_argument(arguments, m->argname, &values, err) != PYTREE_OK) { return PYTREE_NOT_FOUND; }
    for (size_t i = 0; i < pytree_leaf_count(&values); i++) { m->total += (float)pytree_leaf_get(&values, i); }
    m->count += (int32_t)pytree_leaf_count(&values);
    return PYTREE_OK;
}

/* Update with the values whose mask is set. */
static inline pytree_status average_update_masked(Average *m, pytree arguments, pytree_error *err)
{
    pytree_leaf values, mask;
    if (metric_argument(arguments, m->argname, &values, err) != PYTREE_OK
        || metric_argument(arguments, "mask", &mask, err) != PYTREE_OK) { return PYTREE_NOT_FOUND; }
    if (pytree_leaf_count(&values) != pytree_leaf_count(&mask)) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a mask of %zu, got one of %zu", pytree_leaf_count(&values),
                           pytree_leaf_count(&mask));
    }
    for (size_t i = 0; i < pytree_leaf_count(&values); i++) {
        if (pytree_leaf_get(&mask, i) == 0) { continue; }
        m->total += (float)pytree_leaf_get(&values, i);
        m->count++;
    }
    return PYTREE_OK;
}

/* ---- nnx.metrics.Accuracy ----------------------------------------------------------------------------------------------- */

typedef struct Accuracy {
    float       threshold;                /* NaN: none, the classes are the last axis of the logits */
    const char *argname;
    float       total;
    int32_t     count;
} Accuracy;

#define PYTREE_STRUCT Accuracy
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, threshold)                                                                                     \
    PYTREE_FIELD(STATIC, argname)                                                                                       \
    PYTREE_FIELD(DATA, total, ROLE(MetricState))                                                                        \
    PYTREE_FIELD(DATA, count, ROLE(MetricState))
#include "pytree_registry.h"

static inline Accuracy new_accuracy(void) { return (Accuracy){ .threshold = NAN, .argname = "values" }; }
static inline float accuracy_compute(const Accuracy *m) { return m->count == 0 ? NAN : m->total / (float)m->count; }
static inline void accuracy_reset(Accuracy *m) { m->total = 0; m->count = 0; }

static inline pytree_status accuracy_update(Accuracy *m, pytree arguments, pytree_error *err)
{
    const bool binary = !isnan(m->threshold);
    pytree_leaf logits, labels;
    size_t n, classes;
    if (metric_argument(arguments, "logits", &logits, err) != PYTREE_OK
        || metric_argument(arguments, "labels", &labels, err) != PYTREE_OK) { return PYTREE_NOT_FOUND; }
    if (logits.ndim != (binary ? labels.ndim : labels.ndim + 1)) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected logits with %s axes than labels have, got %d and %d",
                           binary ? "no more" : "one more", (int)logits.ndim, (int)labels.ndim);
    }
    if (labels.type != PYTREE_TYPE(int32_t)) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected labels of type i32, got %s", pytree_dtype_name(labels.type));
    }
    n = pytree_leaf_count(&labels);
    classes = binary ? 1 : logits.shape[logits.ndim - 1];
    for (size_t i = 0; i < n; i++) {
        size_t best = 0;
        for (size_t k = 1; k < classes; k++) {
            if (pytree_leaf_get(&logits, i * classes + k) > pytree_leaf_get(&logits, i * classes + best)) { best = k; }
        }
        m->total += binary ? (pytree_leaf_get(&logits, i) >= (double)m->threshold) == (pytree_leaf_get(&labels, i) > 0)
            : (double)best == pytree_leaf_get(&labels, i);
    }
    m->count += (int32_t)n;
    return PYTREE_OK;
}

/* ---- nnx.metrics.Welford ------------------------------------------------------------------------------------------------ */

typedef struct Welford {
    const char *argname;
    int32_t     count;
    float       mean, m2;                 /* m2: the sum of squared distances from the mean */
} Welford;

#define PYTREE_STRUCT Welford
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, argname)                                                                                       \
    PYTREE_FIELD(DATA, count, ROLE(MetricState))                                                                        \
    PYTREE_FIELD(DATA, mean, ROLE(MetricState))                                                                         \
    PYTREE_FIELD(DATA, m2, ROLE(MetricState))
#include "pytree_registry.h"

typedef struct Statistics { float mean, standard_error_of_mean, standard_deviation; } Statistics;

static inline Welford new_welford(const char *argname) { return (Welford){ .argname = argname }; }
static inline void welford_reset(Welford *m) { *m = new_welford(m->argname); }

static inline pytree_status welford_update(Welford *m, pytree arguments, pytree_error *err)
{
    pytree_leaf values;
    float n, before = (float)m->count, sum = 0, squares = 0, delta;
    if (metric_argument(arguments, m->argname, &values, err) != PYTREE_OK) { return PYTREE_NOT_FOUND; }
    n = (float)pytree_leaf_count(&values);
    if (n == 0) { return PYTREE_OK; }
    for (size_t i = 0; i < pytree_leaf_count(&values); i++) { sum += (float)pytree_leaf_get(&values, i); }
    for (size_t i = 0; i < pytree_leaf_count(&values); i++) {
        const float off = (float)pytree_leaf_get(&values, i) - sum / n;
        squares += off * off;
    }
    m->count += (int32_t)pytree_leaf_count(&values);
    delta = sum / n - m->mean;
    m->mean += delta * n / (float)m->count;
    m->m2 += squares + delta * delta * n * before / (float)m->count;
    return PYTREE_OK;
}

static inline Statistics welford_compute(const Welford *m)
{
    const float deviation = m->count == 0 ? NAN : sqrtf(m->m2 / (float)m->count);
    return (Statistics){ m->mean, deviation / sqrtf((float)m->count), deviation };
}

/* ---- nnx.MultiMetric: an object whose attributes are Averages and Accuracies --------------------------------------------- */

PYTREE_CLASS(MultiMetric, Pytree);

/* Each metric takes what it needs of the arguments. */
static inline pytree_status multi_metric_update(pytree metrics, pytree arguments, pytree_error *err)
{
    pytree_attribute at;
    pytree_status status = PYTREE_OK;
    for (size_t i = 0; status == PYTREE_OK && pytree_object_attribute(metrics, i, &at, NULL) == PYTREE_OK; i++) {
        if (pytree_type_equal(at.value.type, PYTREE_TYPE(Average))) { status = average_update(at.value.data, arguments, err); }
        else { status = accuracy_update(at.value.data, arguments, err); }
    }
    return status;
}

/* Make a dict of what the metrics have measured: to be freed with pytree_container_free. */
static inline pytree multi_metric_compute(pytree metrics, pytree_error *err)
{
    pytree results = pytree_new_dict(NULL, err);
    pytree_attribute at;
    for (size_t i = 0; pytree_object_attribute(metrics, i, &at, NULL) == PYTREE_OK; i++) {
        const float value = pytree_type_equal(at.value.type, PYTREE_TYPE(Average)) ? average_compute(at.value.data)
            : accuracy_compute(at.value.data);
        pytree_dict_put_copy(results, at.name, PYTREE_SCALAR(&value), err);
    }
    return results;
}

static inline void multi_metric_reset(pytree metrics)
{
    pytree_attribute at;
    for (size_t i = 0; pytree_object_attribute(metrics, i, &at, NULL) == PYTREE_OK; i++) {
        if (pytree_type_equal(at.value.type, PYTREE_TYPE(Average))) { average_reset(at.value.data); }
        else { accuracy_reset(at.value.data); }
    }
}
#endif
