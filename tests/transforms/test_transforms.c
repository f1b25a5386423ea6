/* Transforms: vmap along any axis, loops, branches, batches, each in each other. */
#include "transforms_shared.h"

#define ONLY_X PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0))

static void vmap_of_a_layer(void **state)
{
    pytree_error error = { 0 };
    float x[4][2] = { { 1, 1 }, { 2, 3 }, { -1, 0 }, { 0, 5 } }, y[4][3];
    Layer layer;
    (void)state;
    layer_fill(&layer, 2);
    assert_ok(pytree_apply(PYTREE_VMAP(&dense, .in_axes = ONLY_X), 2, (pytree[2]){ PYTREE(&layer.dense),
                           PYTREE_ARRAY(x[0], 4, 2) }, PYTREE_ARRAY(y[0], 4, 3), NULL, &error), &error);
    for (int i = 0; i < 12; i++) { assert_true(y[i / 3][i % 3] == dense_by_hand(&layer.dense, x[i / 3], i % 3)); }
    memset(y, 0, sizeof y);
    assert_ok(pytree_apply(PYTREE_VMAP(&dense_untold, .in_axes = ONLY_X), 2, (pytree[2]){ PYTREE(&layer.dense),
                           PYTREE_ARRAY(x[0], 4, 2) }, PYTREE_ARRAY(y[0], 4, 3), NULL, &error), &error);
    assert_true(y[3][2] == dense_by_hand(&layer.dense, x[3], 2));
}

/* Four layers as one struct of arrays: each call gets a layer. */
static void vmap_of_layers(void **state)
{
    pytree_error error = { 0 };
    float x[4][2] = { { 1, 1 }, { 2, 3 }, { -1, 0 }, { 0, 5 } };
    Layer layers[4];
    pytree trees[4];
    pytree_flat many, out;
    (void)state;
    for (int i = 0; i < 4; i++) {
        layer_fill(&layers[i], (float)(i + 1));
        layers[i].w[0] = (float)-i;
        layers[i].dense.shift[1] = i;
        trees[i] = PYTREE(&layers[i].dense);
    }
    many = pytree_stack(4, trees, NULL, &error);
    out = pytree_apply_new(PYTREE_VMAP(&dense), 2, (pytree[2]){ PYTREE(&many), PYTREE_ARRAY(x[0], 4, 2) }, NULL, &error);
    assert_ok(error.status, &error);
    for (int i = 0; i < 12; i++) {
        assert_true(((const float *)out.leaves[0].data)[i] == dense_by_hand(&layers[i / 3].dense, x[i / 3], i % 3));
    }
    pytree_flat_free(&out);
    pytree_flat_free(&many);
}

/* A struct of pointers that are mapped, another that is not, and one that is mapped in part: what a callback finds at arg and
 * res is what its views say, in each call. */
typedef struct Two { float *p, *q; } Two;
#define PYTREE_STRUCT Two
#define PYTREE_FIELDS PYTREE_FIELD(DATA, p, ARRAY(2)) PYTREE_FIELD(DATA, q, ARRAY(2))
#include "pytree_registry.h"

static pytree_status sum_twos(void *context, const pytree_call *at)        /* (Two, Two, Two, x[2]) -> (Two, y) */
{
    const size_t *calls = context;
    const Two *t[4] = { at->arg[0], at->arg[1], at->arg[2], at->res[0] };
    const float *x = at->arg[3];
    for (size_t k = 0; k < 3; k++) {
        assert_ptr_equal(t[k]->p, at->in[2 * k].data);
        assert_ptr_equal(t[k]->q, at->in[2 * k + 1].data);
    }
    assert_ptr_equal(x, at->in[6].data);
    assert_ptr_equal(t[3]->p, at->out[0].data);
    assert_ptr_equal(t[3]->q, at->out[1].data);
    assert_ptr_equal(at->res[1], at->out[2].data);
    for (int i = 0; i < 2; i++) {
        t[3]->p[i] = t[0]->p[i] + t[1]->p[i] + t[2]->p[i] + x[i];
        t[3]->q[i] = t[0]->q[i] + t[1]->q[i] + t[2]->q[i];
    }
    *(float *)at->res[1] = x[0];
    return at->index == *calls ? PYTREE_STOPPED : PYTREE_OK;
}
static void pointers_and_views_move_together(void **state)
{
    enum { N = 6 };
    size_t stop = N;
    const pytree_fn f = { .name = "sum", .call = sum_twos, .context = &stop,
                          .takes = PYTREE_TYPES(PYTREE_TYPE(Two), PYTREE_TYPE(Two), PYTREE_TYPE(Two), PYTREE_TYPE(float)),
                          .gives = PYTREE_TYPES(PYTREE_TYPE(Two), PYTREE_TYPE(float)) };
    float data[7][N][2], p[N][2], q[N][2], y[N];
    float *const columns[6] = { data[0][0], data[1][0], data[4][0], data[5][0], p[0], q[0] };
    Two fixed = { data[2][0], data[3][0] };
    int zero = 0;
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&fixed), NULL, &error);
    pytree_leaf views[6], axes[2] = { { .data = &zero, .type = PYTREE_TYPE(int) }, { .form = PYTREE_FORM_NONE } };
    pytree_flat mapped = { def, views }, partly = { def, views + 2 }, result = { def, views + 4 }, first_alone = { def, axes };
    const pytree args[4] = { PYTREE(&mapped), PYTREE(&fixed), PYTREE(&partly), PYTREE_ARRAY(data[6][0], N, 2) };
    const pytree out = PYTREE_TUPLE(PYTREE(&result), PYTREE_ARRAY(y, N));
    const pytree_fn *each = PYTREE_VMAP(&f, .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE, PYTREE(&first_alone),
                                                                    PYTREE_INT(0)));
    (void)state;
    for (int k = 0; k < 7 * N * 2; k++) { data[k / (2 * N)][k / 2 % N][k % 2] = (float)k; }
    for (int k = 0; k < 6; k++) {
        views[k] = (pytree_leaf){ .data = columns[k], .type = PYTREE_TYPE(float), .ndim = 2, .shape = { N, 2 } };
    }
    views[3] = (pytree_leaf){ .data = data[5], .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
    assert_ok(pytree_apply(each, 4, args, out, NULL, &error), &error);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 2; j++) {
            assert_true(p[i][j] == data[0][i][j] + data[2][0][j] + data[4][i][j] + data[6][i][j]);
            assert_true(q[i][j] == data[1][i][j] + data[3][0][j] + data[5][0][j]);
        }
        assert_true(y[i] == data[6][i][0]);
    }
    stop = 4;
    y[5] = -1;
    assert_error(pytree_apply(each, 4, args, out, NULL, &error), PYTREE_STOPPED, NULL, &error);
    assert_true(y[5] == -1);
    pytree_def_free(def);
}

/* All pairs of axes of an array of three dimensions: out[.., i, ..] == in[.., i, ..]. */
static void any_axis_to_any_axis(void **state)
{
    enum { A = 3, B = 18, C = 5 };
    static float in[A][B][C], out[A * B * C];
    const size_t shape[3] = { A, B, C };
    pytree_error error = { 0 };
    (void)state;
    for (int i = 0; i < A * B * C; i++) { in[i / (B * C)][i / C % B][i % C] = (float)i; }
    for (int from = -3; from < 3; from++) {
        for (int to = -3; to < 3; to++) {
            const int f = from < 0 ? from + 3 : from, t = to < 0 ? to + 3 : to;
            size_t rest[2], whole[3], r = 0;
            pytree_leaf view = { .data = out, .type = PYTREE_TYPE(float), .ndim = 3 };
            for (int k = 0; k < 3; k++) { if (k != f) { rest[r++] = shape[k]; } }
            r = 0;
            for (int k = 0; k < 3; k++) { view.shape[k] = whole[k] = k == t ? shape[f] : rest[r++]; }
            assert_ok(pytree_apply(PYTREE_VMAP(&first, .in_axes = PYTREE_INT(from), .out_axes = PYTREE_INT(to)), 1,
                                   (pytree[1]){ PYTREE_ARRAY(in[0][0], A, B, C) }, PYTREE(&view), NULL, &error), &error);
            for (size_t i = 0; i < A * B * C; i++) {
                size_t at[3] = { i / (whole[1] * whole[2]), i / whole[2] % whole[1], i % whole[2] }, source[3];
                r = 0;
                for (int k = 0; k < 3; k++) { if (k != t) { rest[r++] = at[k]; } }
                r = 0;
                for (int k = 0; k < 3; k++) { source[k] = k == f ? at[t] : rest[r++]; }
                assert_true(out[i] == in[source[0]][source[1]][source[2]]);
            }
        }
    }
}

static void unmapped_results(void **state)
{
    pytree_error error = { 0 };
    float x[3] = { 5, 5, 5 }, y[2] = { 1, 2 }, out_x, out_y[2][3], zero;
    pytree args[2] = { PYTREE_ARRAY(x, 3), PYTREE_ARRAY(y, 2) };
    const pytree_fn *f = PYTREE_VMAP(&identity, .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE),
                                     .out_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(1)));
    (void)state;
    assert_ok(pytree_apply(f, 2, args, PYTREE_TUPLE(PYTREE(&out_x), PYTREE_ARRAY(out_y[0], 2, 3)), NULL, &error), &error);
    assert_true(out_x == 5 && out_y[0][2] == 1 && out_y[1][0] == 2);
    x[2] = 6;
    REFUSES(pytree_apply(f, 2, args, PYTREE_TUPLE(PYTREE(&out_x), PYTREE_ARRAY(out_y[0], 2, 3)), NULL, &error), PYTREE_VALUE,
            "[0]", "vmap of identity: expected one result for all elements (out_axes is None), got another for element 2");
    error.status = PYTREE_OK;
    zero = 3;
    assert_ok(pytree_apply(PYTREE_VMAP(&first, .out_axes = PYTREE_NONE), 1, (pytree[1]){ PYTREE_ARRAY(x, 0) }, PYTREE(&zero),
                           NULL, &error), &error);
    assert_true(zero == 0);
    assert_ok(pytree_apply(PYTREE_VMAP(&first, .in_axes = PYTREE_NONE, .axis_size = 3), 1, (pytree[1]){ PYTREE(&y[1]) },
                           PYTREE_ARRAY(x, 3), NULL, &error), &error);
    assert_true(x[0] == 2 && x[2] == 2);
}

/* Leaves that a struct holds as trees and views: in a field, in a list and in a dict. */
typedef struct Boxes {
    pytree any;
    pytree_leaf view;
    int n;
    Point *points;
} Boxes;

#define PYTREE_STRUCT Boxes
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, any)                                                                                             \
    PYTREE_FIELD(DATA, view)                                                                                            \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, points, LIST(self->n))
#include "pytree_registry.h"

static pytree_status boxes_call(void *context, const pytree_call *at)
{
    const Boxes *boxes = at->arg[0];
    double sum = 0;
    pytree_status status = pytree_sum(boxes->any, &sum, NULL, at->err);
    (void)context;
    *(double *)at->res[0] = sum + pytree_leaf_get(&boxes->view, 1) + (double)boxes->points[1].y;
    return status;
}

static void vmap_of_boxed_leaves(void **state)
{
    const pytree_fn f = { .name = "boxes", .call = boxes_call, .shape = pytree_result_f64,
                          .takes = PYTREE_TYPES(PYTREE_TYPE(Boxes)) };
    pytree_error error = { 0 };
    float a[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    const pytree many = PYTREE_TUPLE(PYTREE_FLOAT(100), PYTREE_DICT({ "k", PYTREE_ARRAY(a[0], 2) }, { "b", PYTREE_INT(7) }));
    Point points[2] = { { 1, 2 }, { 3, 4 } };
    Boxes one = { .any = many, .view = { .data = a[1], .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } }, .n = 2,
                  .points = points };
    double sums[2];
    pytree_flat stacked = pytree_stack(2, (pytree[2]){ PYTREE(&one), PYTREE(&one) }, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    ((float *)stacked.leaves[3].data)[3] = 40;                 /* view[1] of the second, behind the three leaves of `any` */
    assert_ok(pytree_apply(PYTREE_VMAP(&f), 1, (pytree[1]){ PYTREE(&stacked) }, PYTREE_ARRAY(sums, 2), NULL, &error), &error);
    pytree_flat_free(&stacked);
    assert_true(sums[0] == 100 + 1 + 2 + 7 + 4 + 4);
    assert_true(sums[1] == sums[0] + 36);
}

/* ---- Batch rules and executors --------------------------------------------------------------------------------------- */

typedef struct Counted {
    size_t calls, size;
    bool mapped[3];
} Counted;

/* a + b for arrays of one dimension or of two, as `mapped` says. */
static pytree_status add_batch_call(void *context, const pytree_call *at)
{
    Counted *counted = context;
    const size_t n = at->size, m = at->out[0].shape[1];
    const float *a = at->arg[0], *b = at->arg[1];
    float *y = at->res[0];
    counted->calls++;
    counted->size = at->size;
    memcpy(counted->mapped, at->mapped, 2 * sizeof *at->mapped);
    for (size_t i = 0; i < n * m; i++) { y[i] = a[at->mapped[0] ? i : i % m] + b[at->mapped[1] ? i : i % m]; }
    return PYTREE_OK;
}

static pytree_status add_call(void *context, const pytree_call *at)
{
    (void)context;
    for (size_t i = 0; i < at->in[0].shape[0]; i++) {
        ((float *)at->res[0])[i] = ((float *)at->arg[0])[i] + ((float *)at->arg[1])[i];
    }
    return PYTREE_OK;
}

static void batch_rules_are_called_once(void **state)
{
    Counted counted = { 0 };
    const pytree_fn rule = { .name = "add_batch", .call = add_batch_call, .context = &counted };
    const pytree_fn add = { .name = "add", .call = add_call, .shape = pytree_result_first, .batch = &rule };
    pytree_error error = { 0 };
    float a[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, b[3] = { 10, 20, 30 }, y[3][2], yt[2][3], same[2];
    (void)state;
    assert_ok(pytree_apply(PYTREE_VMAP(&add, .in_axes = ONLY_X), 2, (pytree[2]){ PYTREE_ARRAY(b, 2), PYTREE_ARRAY(a[0], 3, 2) },
                           PYTREE_ARRAY(y[0], 3, 2), NULL, &error), &error);
    assert_int_equal(counted.calls, 1);
    assert_int_equal(counted.size, 3);
    assert_true(!counted.mapped[0] && counted.mapped[1]);
    assert_true(y[0][0] == 11 && y[2][1] == 26);
    assert_ok(pytree_apply(PYTREE_VMAP(&add, .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(1)), .out_axes = PYTREE_INT(0)), 2,
                           (pytree[2]){ PYTREE_ARRAY(b, 3), PYTREE_ARRAY(a[0], 3, 2) }, PYTREE_ARRAY(yt[0], 2, 3), NULL,
                                   &error),
              &error);
    assert_int_equal(counted.calls, 2);
    assert_true(yt[0][0] == 11 && yt[1][2] == 36 && yt[0][2] == 35);
    REFUSES(pytree_apply(PYTREE_VMAP(&add, .in_axes = ONLY_X, .out_axes = PYTREE_NONE), 2,
                         (pytree[2]){ PYTREE_ARRAY(b, 2), PYTREE_ARRAY(a[0], 3, 2) }, PYTREE_ARRAY(same, 2), NULL, &error),
            PYTREE_VALUE, "",
                    "vmap of add: expected one result for all elements (out_axes is None), got another for element 1");
}

/* Runs tasks from the last to the first. */
static void run_backwards(void *context, size_t n, void (*task)(void *arg, size_t i), void *arg)
{
    *(size_t *)context = n;
    while (n-- != 0) { task(arg, n); }
}

static pytree_status fail_from(void *context, const pytree_call *at)
{
    if (at->index < *(size_t *)context) { return first_call(NULL, at); }
    return pytree_fail(at->err, PYTREE_VALUE, NULL, "element %zu", at->index);
}

static void executors_divide_the_elements(void **state)
{
    size_t tasks = 0, limit = 7;
    const pytree_executor executor = { run_backwards, &tasks, 4 };
    const pytree_fn_options options = { .executor = &executor };
    const pytree_fn failing = { .name = "failing", .call = fail_from, .context = &limit };
    pytree_error error = { 0 };
    float x[10][2], y[10][3], z[10], one;
    Layer layer;
    (void)state;
    layer_fill(&layer, 2);
    for (int i = 0; i < 20; i++) { x[i / 2][i % 2] = (float)(i * i); }
    assert_ok(pytree_apply(PYTREE_VMAP(&dense, .in_axes = ONLY_X), 2, (pytree[2]){ PYTREE(&layer.dense),
                           PYTREE_ARRAY(x[0], 10, 2) }, PYTREE_ARRAY(y[0], 10, 3), &options, &error), &error);
    assert_int_equal(tasks, 4);
    for (int i = 0; i < 30; i++) { assert_true(y[i / 3][i % 3] == dense_by_hand(&layer.dense, x[i / 3], i % 3)); }
    tasks = 0;                                                 /* inside a task, no task of its own */
    assert_ok(pytree_apply(PYTREE_VMAP(PYTREE_VMAP(&first)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 10) },
                           PYTREE_ARRAY(y[0], 2, 10), &options, &error), &error);
    assert_int_equal(tasks, 2);
    assert_memory_equal(x, y, sizeof x);
    REFUSES(pytree_apply(PYTREE_VMAP(&failing), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 10) }, PYTREE_ARRAY(z, 10), &options,
            &error),
            PYTREE_VALUE, "", "element 7");
    for (int i = 0; i < 10; i++) { z[i] = i == 9 ? 1.0f : 2.0f; }
    REFUSES(pytree_apply(PYTREE_VMAP(&first, .out_axes = PYTREE_NONE), 1, (pytree[1]){ PYTREE_ARRAY(z, 10) }, PYTREE(&one),
                         &options, &error),
            PYTREE_VALUE, "",
                    "vmap of first: expected one result for all elements (out_axes is None), got another for element 9");
}

/* ---- Loops ------------------------------------------------------------------------------------------------------------- */

static void scans(void **state)
{
    pytree_error error = { 0 };
    float carry[2] = { 0, 1 }, xs[6] = { 1, 2, 3, 4, 5, 6 }, last[2], ys[6];
    pytree args[2] = { PYTREE_ARRAY(carry, 2), PYTREE_ARRAY(xs, 6) }, out = PYTREE_TUPLE(PYTREE_ARRAY(last, 2),
                                                                                       PYTREE_ARRAY(ys, 6));
    const float fibonacci[6] = { 0, 1, 1, 2, 3, 5 };
    const float forward[6] = { 1, 4, 9, 20, 40, 78 }, backward[6] = { 13, 16, 15, 12, 10, 6 };
    (void)state;
    assert_ok(pytree_apply(PYTREE_SCAN(&step), 2, args, out, NULL, &error), &error);
    assert_true(last[0] == 8 && last[1] == 13);
    assert_memory_equal(ys, forward, sizeof ys);
    assert_true(carry[0] == 0 && carry[1] == 1);
    assert_ok(pytree_apply(PYTREE_SCAN(&step, .reverse = true), 2, args, out, NULL, &error), &error);
    assert_true(last[0] == 8 && last[1] == 13);
    assert_memory_equal(ys, backward, sizeof ys);
    memset(last, 0, sizeof last);
    assert_ok(pytree_apply(PYTREE_SCAN(&step, .in_place = true), 2, args, out, NULL, &error), &error);
    assert_true(last[0] == 8 && last[1] == 13 && carry[1] == 1);
    assert_memory_equal(ys, forward, sizeof ys);
    for (size_t n = 0; n < 6; n++) {                           /* an odd and an even number of steps, none */
        float few[6];
        assert_ok(pytree_apply(PYTREE_SCAN(&step), 2, (pytree[2]){ args[0], PYTREE_ARRAY(xs, n) },
                               PYTREE_TUPLE(PYTREE_ARRAY(last, 2), PYTREE_ARRAY(few, n)), NULL, &error), &error);
        assert_true(last[0] == fibonacci[n]);
    }
}

static pytree_status double_call(void *context, const pytree_call *at)
{
    (void)context;
    *(int *)at->res[0] = 2 * *(const int *)at->arg[0];
    return PYTREE_OK;
}

static pytree_status pair_with_none(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], PYTREE_NONE));
}

static void scan_without_xs_or_ys(void **state)
{
    const pytree_fn twice = { .name = "twice", .call = double_call, .shape = pair_with_none };
    pytree_error error = { 0 };
    int one = 1, result = 0;
    (void)state;
    assert_ok(pytree_apply(PYTREE_SCAN(&twice, .length = 10), 2, (pytree[2]){ PYTREE(&one), PYTREE_NONE },
                           PYTREE_TUPLE(PYTREE(&result), PYTREE_NONE), NULL, &error), &error);
    assert_int_equal(result, 1024);
}

static void whiles_of_structs(void **state)
{
    pytree_error error = { 0 };
    Layer from, to;
    (void)state;
    layer_fill(&from, 3);
    for (int in_place = 0; in_place < 2; in_place++) {
        for (size_t most = 0; most < 5; most++) {
            const int steps = most == 0 ? 6 : (int)most;
            layer_fill(&to, 0);
            memset(to.w, 0, sizeof to.w);
            assert_ok(pytree_apply(PYTREE_WHILE(&small, &grow, .max_iters = most, .in_place = in_place != 0), 1,
                                   (pytree[1]){ PYTREE(&from.dense) }, PYTREE(&to.dense), NULL, &error), &error);
            assert_true(to.dense.scale == 3 * (float)(1 << steps));
            assert_true(to.b[0] == 1 + (float)steps && to.w[5] == 6 && to.dense.shift[0] == 7);
            assert_true(from.dense.scale == 3 && from.b[0] == 1);
        }
    }
    from.dense.scale = 1000;                                   /* no step */
    assert_ok(pytree_apply(PYTREE_WHILE(&small, &grow), 1, (pytree[1]){ PYTREE(&from.dense) }, PYTREE(&to.dense), NULL, &error),
              &error);
    assert_true(to.dense.scale == 1000 && to.b[0] == 1);
}

/* (i, carry) -> carry: 10 carry + i */
static pytree_status digits_call(void *context, const pytree_call *at)
{
    (void)context;
    assert_true((int64_t)at->index + 3 == *(const int64_t *)at->arg[0]);
    *(double *)at->res[0] = 10 * *(const double *)at->arg[1] + (double)*(const int64_t *)at->arg[0];
    return PYTREE_OK;
}

static void fori_counts(void **state)
{
    const pytree_fn digits = { .name = "digits", .call = digits_call };
    pytree_error error = { 0 };
    double none = 0, result = 0;
    pytree_prepared *p;
    (void)state;
    for (int in_place = 0; in_place < 2; in_place++) {
        p = pytree_prepare(PYTREE_FORI(&digits, .from = 3, .to = 7, .in_place = in_place != 0), 1, (pytree[1]){ PYTREE(&none) },
                           PYTREE(&result), NULL, &error);
        assert_ok(error.status, &error);
        for (int i = 0; i < 2; i++) {
            result = -1;
            assert_ok(pytree_run(p, &error), &error);
            assert_true(result == 3456);
        }
        pytree_prepared_free(p);
    }
    assert_ok(pytree_apply(PYTREE_FORI(&digits, .from = 3, .to = 3), 1, (pytree[1]){ PYTREE(&none) }, PYTREE(&result), NULL,
                           &error), &error);
    assert_true(result == 0);
}

/* ---- Branches ---------------------------------------------------------------------------------------------------------- */

static pytree_status constant_call(void *context, const pytree_call *at)
{
    *(float *)at->res[0] = *(const float *)context + *(const float *)at->arg[0];
    return PYTREE_OK;
}

static void branches(void **state)
{
    static const float tens[3] = { 10, 20, 30 };
    const pytree_fn a = { .name = "a", .call = constant_call, .context = (void *)&tens[0] };
    const pytree_fn b = { .name = "b", .call = constant_call, .context = (void *)&tens[1], .shape = pytree_result_f32 };
    const pytree_fn c = { .name = "c", .call = constant_call, .context = (void *)&tens[2] };
    const int64_t numbers[5] = { -1, 0, 1, 2, 7 };
    const float expected[5] = { 11, 11, 21, 31, 31 };
    pytree_error error = { 0 };
    float x = 1, y = 0;
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_ok(pytree_apply(PYTREE_SWITCH(&a, &b, &c), 2, (pytree[2]){ PYTREE(&numbers[i]), PYTREE(&x) }, PYTREE(&y), NULL,
                               &error), &error);
        assert_true(y == expected[i]);
    }
    assert_ok(pytree_apply(PYTREE_COND(&a, &b), 2, (pytree[2]){ PYTREE_BOOL(true), PYTREE(&x) }, PYTREE(&y), NULL, &error),
              &error);
    assert_true(y == 11);
    assert_ok(pytree_apply(PYTREE_COND(&a, &b), 2, (pytree[2]){ PYTREE_FLOAT(0), PYTREE(&x) }, PYTREE(&y), NULL, &error),
            &error);
    assert_true(y == 21);
    assert_ok(pytree_apply(PYTREE_SELECT(&a, &b, &c), 2, (pytree[2]){ PYTREE_STR("c"), PYTREE(&x) }, PYTREE(&y), NULL, &error),
              &error);
    assert_true(y == 31);
    {                                                          /* each element has its own branch */
        const int which[4] = { 2, 0, 1, 9 };
        const float xs[4] = { 1, 2, 3, 4 };
        float ys[4];
        assert_ok(pytree_apply(PYTREE_VMAP(PYTREE_SWITCH(&a, &b, &c)), 2, (pytree[2]){ PYTREE_ARRAY(which, 4),
                               PYTREE_ARRAY(xs, 4) }, PYTREE_ARRAY(ys, 4), NULL, &error), &error);
        assert_true(ys[0] == 31 && ys[1] == 12 && ys[2] == 23 && ys[3] == 34);
    }
}

/* ---- Nesting ----------------------------------------------------------------------------------------------------------- */

static void transforms_nest(void **state)
{
    pytree_error error = { 0 };
    float carry[2][2] = { { 0, 1 }, { 1, 1 } }, xs[2][3] = { { 1, 2, 3 }, { 1, 1, 1 } }, last[2][2], ys[2][3], yt[3][2];
    (void)state;
    assert_ok(pytree_apply(PYTREE_VMAP(PYTREE_SCAN(&step)), 2,
                           (pytree[2]){ PYTREE_ARRAY(carry[0], 2, 2), PYTREE_ARRAY(xs[0], 2, 3) },
                           PYTREE_TUPLE(PYTREE_ARRAY(last[0], 2, 2), PYTREE_ARRAY(ys[0], 2, 3)), NULL, &error), &error);
    assert_true(last[0][1] == 3 && last[1][1] == 5 && ys[0][2] == 9 && ys[1][2] == 5);
    memset(last, 0, sizeof last);                              /* scan over the second axis of all, vmap inside */
    assert_ok(pytree_apply(PYTREE_SCAN(PYTREE_VMAP(&step)), 2,
                           (pytree[2]){ PYTREE_ARRAY(carry[0], 2, 2), PYTREE_ARRAY(((float[3][2]){ { 1, 1 }, { 2, 1 }, { 3,
                                   1 } }
                                                                                  )[0], 3, 2) },
                           PYTREE_TUPLE(PYTREE_ARRAY(last[0], 2, 2), PYTREE_ARRAY(yt[0], 3, 2)), NULL, &error), &error);
    assert_true(last[0][1] == 3 && last[1][1] == 5 && yt[2][0] == 9 && yt[2][1] == 5);
    {
        pytree_flat pairs = pytree_apply_new(
            PYTREE_VMAP(PYTREE_VMAP(&identity, .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0))),
                        .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE)), 2,
            (pytree[2]){ PYTREE_ARRAY(carry[0], 2, 2), PYTREE_ARRAY(xs[0], 2, 3) }, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(pairs.leaves[0].ndim, 3);             /* [2, 2] copies of 2 numbers */
        assert_int_equal(pairs.leaves[1].ndim, 3);
        assert_true(((const float *)pairs.leaves[0].data)[4] == 1 && ((const float *)pairs.leaves[1].data)[5] == 1);
        pytree_flat_free(&pairs);
    }
}

/* A scan whose carry is a struct, over layers as xs. */
static pytree_status through_call(void *context, const pytree_call *at)
{
    const Dense *layer = at->arg[1];
    const float *x = at->arg[0];
    float *y = at->res[0];
    (void)context;
    for (int j = 0; j < 2; j++) { y[j] = layer->scale * (x[0] * layer->w[j] + x[1] * layer->w[2 + j]) + layer->b[j]; }
    return PYTREE_OK;
}

static void scan_over_layers(void **state)
{
    const pytree_fn through = { .name = "through", .call = through_call, .shape = pair_with_none,
                                .takes = PYTREE_TYPES(PYTREE_TYPE(float), PYTREE_TYPE(Dense)) };
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, y[2], expected[2] = { 1, 2 };
    float w[3][4], b[3][2];
    Dense layers[3];
    pytree trees[3];
    pytree_flat many;
    (void)state;
    for (int i = 0; i < 3; i++) {
        float next[2];
        for (int k = 0; k < 4; k++) { w[i][k] = (float)(i + k); }
        for (int k = 0; k < 2; k++) { b[i][k] = (float)(i - k); }
        layers[i] = (Dense){ .din = 2, .dout = 2, .w = w[i], .b = b[i], .scale = (float)(i + 1) };
        trees[i] = PYTREE(&layers[i]);
        for (int j = 0; j < 2; j++) {
            next[j] = layers[i].scale * (expected[0] * w[i][j] + expected[1] * w[i][2 + j]) + b[i][j];
        }
        memcpy(expected, next, sizeof next);
    }
    many = pytree_stack(3, trees, NULL, &error);
    assert_ok(pytree_apply(PYTREE_SCAN(&through), 2, (pytree[2]){ PYTREE_ARRAY(x, 2), PYTREE(&many) },
                           PYTREE_TUPLE(PYTREE_ARRAY(y, 2), PYTREE_NONE), NULL, &error), &error);
    assert_memory_equal(y, expected, sizeof y);
    pytree_flat_free(&many);
}

/* ---- Batches of containers --------------------------------------------------------------------------------------------- */

static void batches(void **state)
{
    pytree_error error = { 0 };
    pytree texts = PYTREE_DICT({ "a", PYTREE_LIST(PYTREE_STR("x"), PYTREE_STR("y")) },
                               { "b", PYTREE_LIST(PYTREE_STR("p"), PYTREE_STR("q")) });
    pytree args[2] = { texts, PYTREE_INT(7) };
    pytree_flat out;
    char text[300];
    (void)state;
    out = pytree_apply_new(PYTREE_BATCH(&identity, .in_axes = PYTREE_TUPLE(PYTREE_BOOL(true), PYTREE_BOOL(false))), 2, args,
                           NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_text(PYTREE(&out), text, sizeof text, NULL, &error) != SIZE_MAX);
    assert_string_equal(text, "[0]['a'][0]  str 'x'\n[0]['a'][1]  str 'y'\n[0]['b'][0]  str 'p'\n[0]['b'][1]  str 'q'\n"
                              "[1][0]  i64 7\n[1][1]  i64 7\n");
    pytree_flat_free(&out);
    out = pytree_apply_new(PYTREE_BATCH(&first), 1, (pytree[1]){ PYTREE_DICT({ "k", PYTREE_FLOAT(1) }, { "l",
            PYTREE_FLOAT(2) }) },
                           NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_text(PYTREE(&out), text, sizeof text, NULL, &error) != SIZE_MAX);
    assert_string_equal(text, "['k']  f64 1.0\n['l']  f64 2.0\n");
    pytree_flat_free(&out);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status run_all(const pytree_fn_options *options, pytree_error *error)
{
    const pytree_fn *each[3] = { PYTREE_SCAN(PYTREE_VMAP(&step)), PYTREE_VMAP(PYTREE_SCAN(&step)),
                                 PYTREE_VMAP(&identity, .in_axes = PYTREE_INT(1)) };
    float carry[2][2] = { { 0, 1 }, { 1, 1 } }, xs[2][2] = { { 1, 2 }, { 3, 4 } };
    pytree args[2] = { PYTREE_ARRAY(carry[0], 2, 2), PYTREE_ARRAY(xs[0], 2, 2) };
    Layer from, to;
    for (int i = 0; i < 3; i++) {
        pytree_flat out = pytree_apply_new(each[i], 2, args, options, error);
        pytree_flat_free(&out);
        if (error->status != PYTREE_OK) { return error->status; }
    }
    layer_fill(&from, 3);
    layer_fill(&to, 0);
    return pytree_apply(PYTREE_WHILE(&small, &grow), 1, (pytree[1]){ PYTREE(&from.dense) }, PYTREE(&to.dense), options, error);
}

static pytree_status body_transforms(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    (void)context;
    return run_all(&options, error);
}

static pytree_status body_executor(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_executor executor = { run_backwards, context, 2 };
    const pytree_fn_options options = { .tree = *opt, .executor = &executor };
    return run_all(&options, error);
}

static pytree_status body_branches(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn_options options = { .tree = *opt };
    pytree_flat out = pytree_apply_new(PYTREE_COND(&first, &first), 2, (pytree[2]){ PYTREE_BOOL(true),
            PYTREE_LIST(PYTREE_INT(1)) },
                                       &options, error);
    pytree_flat_free(&out);
    if (error->status != PYTREE_OK) { return error->status; }
    out = pytree_apply_new(PYTREE_BATCH(&first), 1, context, &options, error);
    pytree_flat_free(&out);
    return error->status;
}

static void memory_runs_out(void **state)
{
    size_t tasks;
    pytree args[1] = { PYTREE_LIST(PYTREE_STR("x"), PYTREE_STR("y")) };
    (void)state;
    assert_true(sweep_allocations(body_transforms, NULL) > 3);
    assert_true(sweep_allocations(body_executor, &tasks) > 3);
    assert_true(sweep_allocations(body_branches, args) > 1);
}

static void runs_allocate_nothing(void **state)
{
    const pytree_fn *each[4] = { PYTREE_SCAN(PYTREE_VMAP(&step)), PYTREE_VMAP(PYTREE_SCAN(&step)), PYTREE_VMAP(&identity),
                                 PYTREE_VMAP(&identity, .in_axes = PYTREE_INT(1)) };
    float carry[2][2] = { { 0, 1 }, { 1, 1 } }, xs[2][2] = { { 1, 2 }, { 3, 4 } }, a[2][2], b[2][2];
    pytree args[2] = { PYTREE_ARRAY(carry[0], 2, 2), PYTREE_ARRAY(xs[0], 2, 2) };
    pytree_error error = { 0 };
    (void)state;
    for (int i = 0; i < 4; i++) {
        Heap heap;
        pytree_fn_options options = { 0 };
        pytree_prepared *p;
        size_t calls;
        heap_init(&heap, HEAP_NEVER_FAILS);
        options.tree.allocator = &heap.allocator;
        p = pytree_prepare(each[i], 2, args, PYTREE_TUPLE(PYTREE_ARRAY(a[0], 2, 2), PYTREE_ARRAY(b[0], 2, 2)), &options,
                &error);
        assert_ok(error.status, &error);
        calls = heap.calls;
        assert_ok(pytree_run(p, &error), &error);
        assert_ok(pytree_run(p, &error), &error);
        assert_int_equal(heap.calls, calls);
        pytree_prepared_free(p);
        assert_heap_clean(&heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vmap_of_a_layer), cmocka_unit_test(vmap_of_layers), cmocka_unit_test(vmap_of_boxed_leaves),
        cmocka_unit_test(pointers_and_views_move_together),
                cmocka_unit_test(any_axis_to_any_axis),
        cmocka_unit_test(unmapped_results), cmocka_unit_test(batch_rules_are_called_once),
        cmocka_unit_test(executors_divide_the_elements), cmocka_unit_test(scans), cmocka_unit_test(scan_without_xs_or_ys),
        cmocka_unit_test(whiles_of_structs), cmocka_unit_test(fori_counts), cmocka_unit_test(branches),
        cmocka_unit_test(transforms_nest), cmocka_unit_test(scan_over_layers), cmocka_unit_test(batches),
        cmocka_unit_test(memory_runs_out), cmocka_unit_test(runs_allocate_nothing)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
