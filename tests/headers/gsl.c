/* The GNU Scientific Library's vectors, matrices, histograms and parameters, unchanged. */
#include "headers_shared.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_histogram.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_monte_vegas.h>
#include <gsl/gsl_vector.h>

/* A vector that owns its numbers has them in a block, too: a clone has its numbers, no block, and must not be freed by GSL. */
#define PYTREE_STRUCT gsl_vector
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, size) PYTREE_FIELD(STATIC, stride) PYTREE_FIELD(DATA, data, ARRAY(self->size * self->stride))  \
    PYTREE_FIELD(DROP, block) PYTREE_FIELD(DROP, owner)
#include "pytree_registry.h"

#define PYTREE_STRUCT gsl_matrix
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, size1) PYTREE_FIELD(STATIC, size2) PYTREE_FIELD(STATIC, tda)                                   \
    PYTREE_FIELD(DATA, data, ARRAY(self->size1, self->tda)) PYTREE_FIELD(DROP, block) PYTREE_FIELD(DROP, owner)
#include "pytree_registry.h"

#define PYTREE_STRUCT gsl_histogram
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, range, ARRAY(self->n + 1)) PYTREE_FIELD(DATA, bin, ARRAY(self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT gsl_monte_vegas_params
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, alpha) PYTREE_FIELD(STATIC, iterations) PYTREE_FIELD(STATIC, stage) PYTREE_FIELD(STATIC, mode)   \
    PYTREE_FIELD(STATIC, verbose) PYTREE_FIELD(DROP, ostream)
#include "pytree_registry.h"

static void a_matrix_and_its_product(void **state)
{
    gsl_matrix *a = gsl_matrix_alloc(2, 3);
    gsl_vector *x = gsl_vector_alloc(3), *y = gsl_vector_calloc(2);
    pytree_error error = { 0 };
    pytree copy;
    size_t i;
    (void)state;
    for (i = 0; i < 6; i++) { gsl_matrix_set(a, i / 3, i % 3, (double)i); }
    gsl_vector_set_all(x, 2.0);
    copy = pytree_clone(PYTREE(a), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(a), copy, NULL, NULL, &error));
    headers_assert_printed(PYTREE_LIST(copy, PYTREE(x)), "\n[0].data  f64[2,3]\n[1].data  f64[3]\n");
    assert_int_equal(gsl_blas_dgemv(CblasNoTrans, 1.0, copy.data, x, 0.0, y), 0);       /* GSL computes with the clone */
    assert_true(gsl_vector_get(y, 0) == 6.0 && gsl_vector_get(y, 1) == 24.0);
    gsl_matrix_set(a, 1, 2, -1.0);
    assert_false(pytree_equal(PYTREE(a), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".data", &error);
    assert_string_equal(error.message, "expected -1.0, got 5.0 at element 5");
    pytree_free(copy);
    gsl_matrix_free(a);
    gsl_vector_free(x);
    gsl_vector_free(y);
}

static void memory_for_a_vector(void **state)
{
    gsl_vector v = { .size = 4, .stride = 1 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&v), NULL, &error), &error);
    gsl_vector_set_all(&v, 0.5);
    assert_true(gsl_blas_dasum(&v) == 2.0);
    pytree_free(PYTREE(&v));
}

static void a_histogram(void **state)
{
    gsl_histogram *h = gsl_histogram_calloc_uniform(3, 0.0, 3.0);
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    gsl_histogram_increment(h, 1.5);
    copy = pytree_clone(PYTREE(h), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(gsl_histogram_sum(copy.data) == 1.0 && gsl_histogram_mean(copy.data) == 1.5);
    gsl_histogram_increment(h, 1.5);
    assert_false(pytree_equal(PYTREE(h), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".bin", &error);
    pytree_free(copy);
    gsl_histogram_free(h);
}

static void parameters(void **state)
{
    gsl_monte_vegas_state *s = gsl_monte_vegas_alloc(2);
    gsl_monte_vegas_params p;
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    gsl_monte_vegas_params_get(s, &p);
    p.iterations = 7;
    copy = pytree_clone(PYTREE(&p), NULL, &error);
    assert_ok(error.status, &error);
    assert_null(((gsl_monte_vegas_params *)copy.data)->ostream);
    assert_int_equal(((gsl_monte_vegas_params *)copy.data)->iterations, 7);
    headers_assert_printed(copy, "\n.alpha  f64 1.5\n");
    pytree_free(copy);
    gsl_monte_vegas_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_and_its_product),
        cmocka_unit_test(memory_for_a_vector),
        cmocka_unit_test(a_histogram),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
