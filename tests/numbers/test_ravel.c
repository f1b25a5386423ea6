/* One vector and back: pytree_ravel, pytree_unravel, runs without a copy. */
#include "ravel_shared.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static const pytree_ravel_options lossy = { .loss = PYTREE_LOSS_ALLOWED };

/* ---- Ravel ------------------------------------------------------------------------------------------------------------- */

static void ravel_into_new_memory(void **state)
{
    MLP model = mlp_make(2, false);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 }, shape;
    pytree_ravel_options opt = { 0 };
    Heap heap;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.tree.allocator = &heap.allocator;
    opt.tree.alignment = 256;
    assert_ok(pytree_ravel_shape(PYTREE(&model), &shape, NULL, &error), &error);
    assert_null(shape.data);
    assert_int_equal(shape.shape[0], 12 + 3 + 6 + 2 + 6);
    assert_ok(pytree_ravel(PYTREE(&model), &v, &opt, &error), &error);
    assert_int_equal(heap.calls, 1);
    assert_int_equal((uintptr_t)v.data % 256, 0);
    assert_ptr_equal(v.type, PYTREE_TYPE(float));
    assert_int_equal(v.ndim, 1);
    assert_int_equal(v.form, PYTREE_FORM_LEAF);
    assert_int_equal(v.shape[0], 29);
    assert_memory_equal(v.data, model.layers[0].w, 12 * sizeof(float));
    assert_memory_equal((float *)v.data + 12, model.layers[0].b, 3 * sizeof(float));
    assert_memory_equal((float *)v.data + 15, model.layers[1].w, 6 * sizeof(float));
    assert_memory_equal((float *)v.data + 21, model.layers[1].b, 2 * sizeof(float));
    assert_memory_equal((float *)v.data + 23, model.scale, 6 * sizeof(float));
    pytree_ravel_free(&v);
    assert_null(v.data);
    pytree_ravel_free(&v);
    pytree_ravel_free(NULL);
    assert_heap_clean(&heap);
    assert_ok(pytree_ravel(PYTREE(&model), &v, NULL, &error), &error);
    assert_int_equal((uintptr_t)v.data % 64, 0);
    pytree_ravel_free(&v);
    opt.tree.alignment = 48;
    assert_error(pytree_ravel(PYTREE(&model), &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_null(v.data);
    mlp_clear(&model);
}

static void ravel_into_memory_of_the_callers(void **state)
{
    MLP model = mlp_make(1, false);
    float buffer[30];
    double wide[30];
    pytree_error error = { 0 };
    pytree_leaf v = PYTREE_VECTOR(buffer, 30), w = PYTREE_VECTOR(wide, 30);
    pytree_ravel_options opt = { 0 };
    Heap heap;
    size_t i;
    (void)state;
    heap_init(&heap, 0);
    opt.tree.allocator = &heap.allocator;
    buffer[21] = -7;
    assert_ok(pytree_ravel(PYTREE(&model), &v, &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    assert_ptr_equal(v.data, buffer);
    assert_int_equal(v.shape[0], 21);
    assert_memory_equal(buffer, model.layers[0].w, 12 * sizeof(float));
    assert_memory_equal(buffer + 15, model.scale, sizeof model.scale);
    assert_true(buffer[21] == -7);
    assert_error(pytree_ravel(PYTREE(&model), &w, &opt, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "expected a vector of f32, got one of f64");
    opt.dtype = PYTREE_F64;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_ravel(PYTREE(&model), &w, &opt, &error), &error);
    for (i = 0; i < 21; i++) { assert_true(wide[i] == (double)buffer[i]); }
    v.shape[0] = 20;
    assert_error(pytree_ravel(PYTREE(&model), &v, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_says(&error, "expected room for 21 elements, got 20");
    assert_int_equal(v.shape[0], 20);
    mlp_clear(&model);
}

static void ravel_meets_in_one_type(void **state)
{
    int32_t whole[2] = { 1, 2 };
    float half[1] = { 0.5f };
    int64_t count = 16777217;
    pytree t = PYTREE_TUPLE(PYTREE_ARRAY(whole, 2), PYTREE_ARRAY(half, 1));
    pytree with_count = PYTREE_DICT({ "w", PYTREE_ARRAY(half, 1) }, { "n", PYTREE(&count) });
    pytree_ravel_options numpy = { .promotion = PYTREE_PROMOTE_NUMPY };
    pytree_ravel_options small = { .promotion = PYTREE_PROMOTE_JAX_X32 };
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    (void)state;
    assert_ok(pytree_ravel(t, &v, NULL, &error), &error);
    assert_int_equal(v.type->dtype, PYTREE_F32);
    assert_true(((float *)v.data)[0] == 1 && ((float *)v.data)[1] == 2 && ((float *)v.data)[2] == 0.5f);
    pytree_ravel_free(&v);
    assert_error(pytree_ravel(with_count, &v, NULL, &error), PYTREE_VALUE, "['n']", &error);
    assert_says(&error, "expected numbers that f32 has, got 16777217 at element 0");
    assert_null(v.data);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_ravel(with_count, &v, &lossy, &error), &error);
    assert_true(((float *)v.data)[0] == 16777216.0f && ((float *)v.data)[1] == 0.5f);
    pytree_ravel_free(&v);
    assert_ok(pytree_ravel(with_count, &v, &numpy, &error), &error);
    assert_int_equal(v.type->dtype, PYTREE_F64);
    assert_true(((double *)v.data)[0] == 16777217.0);
    pytree_ravel_free(&v);
    assert_ok(pytree_ravel(PYTREE(&count), &v, &small, &error), &error);
    assert_int_equal(v.type->dtype, PYTREE_I32);
    pytree_ravel_free(&v);
    count = INT64_C(1) << 32;
    assert_error(pytree_ravel(PYTREE(&count), &v, &small, &error), PYTREE_VALUE, "", &error);
}

static void ravel_no_common_type(void **state)
{
    pytree_f16 half = { 0x3C00 };
    pytree_bf16 brain = { 0x3F80 };
    pytree t = PYTREE_TUPLE(PYTREE(&half), PYTREE(&brain));
    pytree_ravel_options opt = { .promotion = PYTREE_PROMOTE_NUMPY };
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    (void)state;
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "got f16, bf16");
    opt.dtype = PYTREE_F16;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_ravel(t, &v, &opt, &error), &error);
    assert_true(((uint16_t *)v.data)[0] == 0x3C00 && ((uint16_t *)v.data)[1] == 0x3C00);
    pytree_ravel_free(&v);
    opt.dtype = PYTREE_STRING;
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_ARGUMENT, "", &error);
}

/* No leaves, and leaves without elements, whose type counts too. */
static void ravel_of_nothing(void **state)
{
    float none[1] = { 1 };
    int8_t two[2] = { 1, 2 };
    pytree empty = PYTREE_ARRAY(none, 0, 3);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    (void)state;
    assert_ok(pytree_ravel(PYTREE_LIST(PYTREE_NONE), &v, NULL, &error), &error);
    assert_int_equal(v.shape[0], 0);
    assert_int_equal(v.type->dtype, PYTREE_F32);
    assert_ok(pytree_unravel(&v, PYTREE_LIST(), NULL, &error), &error);
    pytree_ravel_free(&v);
    assert_ok(pytree_ravel(PYTREE_LIST(empty, PYTREE_ARRAY(two, 2)), &v, NULL, &error), &error);
    assert_int_equal(v.shape[0], 2);
    assert_int_equal(v.type->dtype, PYTREE_F32);
    assert_true(((float *)v.data)[1] == 2);
    pytree_ravel_free(&v);
}

static void only_numbers(void **state)
{
    Everything all = everything_make(false);
    int n = 1;
    void *address = &n;
    pytree_leaf opaque = { 0 }, v = { 0 };
    pytree inner = PYTREE_LIST(PYTREE_INT(1));
    pytree t = PYTREE_DICT({ "a", PYTREE_INT(1) }, { "b", inner });
    pytree_ravel_options opt = { 0 };
    pytree_error error = { 0 };
    double sum = -1;
    (void)state;
    assert_error(pytree_ravel(PYTREE(&all), &v, &lossy, &error), PYTREE_TYPE, ".name", &error);
    assert_says(&error, "expected numbers, got str");
    memset(&error, 0, sizeof error);
    opaque.data = &address;
    opaque.type = &pytree_types[PYTREE__T_address];
    assert_error(pytree_ravel(PYTREE_LIST(PYTREE(&opaque)), &v, NULL, &error), PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    opt.tree.none_is_leaf = true;
    assert_error(pytree_ravel(PYTREE_LIST(PYTREE(&n), PYTREE_NONE), &v, &opt, &error), PYTREE_TYPE, "[1]", &error);
    assert_says(&error, "None");
    memset(&error, 0, sizeof error);
    opt.tree.none_is_leaf = false;
    opt.tree.is_leaf = is_a_list;
    assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "['b']", &error);
    assert_says(&error, "a list");
    memset(&error, 0, sizeof error);
    assert_error(pytree_dot(t, t, &sum, &opt.tree, &error), PYTREE_TYPE, "['a']", &error);
    assert_true(sum == -1);
    assert_null(v.data);
    everything_clear(&all);
}

static void bad_vectors(void **state)
{
    float numbers[4] = { 0 };
    pytree t = PYTREE_ARRAY(numbers, 4);
    pytree_leaf v = PYTREE_VECTOR(numbers, 4), views[1];
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_ravel(t, NULL, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(NULL, t, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    v.type = NULL;
    assert_error(pytree_ravel(t, &v, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    v = PYTREE_VECTOR(numbers, 4);
    v.ndim = 2;
    v.shape[1] = 1;
    assert_error(pytree_unravel(&v, t, NULL, &error), PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel_views(&v, t, views, 1, NULL, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_int_equal(pytree_ravel(t, NULL, NULL, NULL), PYTREE_ARGUMENT);
}

/* Counts that no memory could have: two leaves that lie nowhere. */
static void too_many_elements(void **state)
{
    char byte = 0;
    pytree_leaf huge = { 0 }, v = { 0 };
    pytree_error error = { 0 };
    (void)state;
    huge.data = &byte;
    huge.type = PYTREE_TYPE(char);
    huge.ndim = 1;
    huge.shape[0] = PTRDIFF_MAX;
    assert_error(pytree_ravel(PYTREE_LIST(PYTREE(&huge), PYTREE(&huge), PYTREE(&huge)), &v, &lossy, &error), PYTREE_OVERFLOW,
                 "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_ravel_shape(PYTREE(&huge), &v, NULL, &error), PYTREE_OVERFLOW, "", &error);
}

/* ---- Unravel ----------------------------------------------------------------------------------------------------------- */

static void there_and_back(void **state)
{
    MLP model = mlp_make(2, true), other = mlp_make(2, true);
    pytree_error error = { 0 };
    pytree_leaf v = { 0 };
    pytree fresh;
    size_t i;
    (void)state;
    assert_ok(pytree_ravel(PYTREE(&model), &v, NULL, &error), &error);
    for (i = 0; i < v.shape[0]; i++) { ((float *)v.data)[i] = -1.0f - (float)i; }
    assert_ok(pytree_unravel(&v, PYTREE(&other), NULL, &error), &error);
    assert_true(other.layers[0].w[0] == -1 && other.layers[0].b[0] == -13 && other.scale[1][2] == -(float)v.shape[0]);
    assert_false(pytree_equal(PYTREE(&model), PYTREE(&other), NULL, NULL, NULL));
    fresh = pytree_unravel_like(&v, PYTREE(&model), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(fresh, PYTREE(&other), NULL, NULL, &error));
    assert_true(model.layers[0].w[0] == 100);
    pytree_free(fresh);
    pytree_ravel_free(&v);
    mlp_clear(&model);
    mlp_clear(&other);
}

static void unravel_checks_the_length(void **state)
{
    float numbers[2] = { 1, 2 }, vector[3] = { 7, 8, 9 };
    pytree_leaf v = PYTREE_VECTOR(vector, 3);
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unravel(&v, PYTREE_ARRAY(numbers, 2), NULL, &error), PYTREE_SHAPE, "", &error);
    assert_says(&error, "expected a vector of 2 elements, got 3");
    v.shape[0] = 1;
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(&v, PYTREE_ARRAY(numbers, 2), NULL, &error), PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(&v, PYTREE_LIST(), NULL, &error), PYTREE_SHAPE, "", &error);
    assert_true(numbers[0] == 1 && numbers[1] == 2);
    memset(&error, 0, sizeof error);
    assert_null(pytree_unravel_like(&v, PYTREE_ARRAY(numbers, 2), NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, "", &error);
}

static void unravel_checks_the_type(void **state)
{
    float real[1] = { 1 };
    int32_t whole[2] = { 2, 3 }, other[3] = { 4, 5, 6 };
    float vector[3] = { 4.5f, 5.5f, -6.5f };
    double wide[3] = { 0.5, 6, 7 };
    pytree mixed = PYTREE_LIST(PYTREE_ARRAY(real, 1), PYTREE_ARRAY(whole, 2));
    pytree_leaf v = PYTREE_VECTOR(vector, 3), w = PYTREE_VECTOR(other, 3), d = PYTREE_VECTOR(wide, 3);
    pytree_ravel_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unravel(&w, mixed, NULL, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "expected a vector of f32, got one of i32");
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel(&v, mixed, NULL, &error), PYTREE_VALUE, "[1]", &error);
    assert_says(&error, "expected numbers that i32 has, got 5.5 at element 0");
    assert_true(real[0] == 1 && whole[0] == 2 && whole[1] == 3);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_unravel(&v, mixed, &lossy, &error), &error);
    assert_true(real[0] == 4.5f && whole[0] == 5 && whole[1] == -6);
    opt.dtype = PYTREE_F64;
    assert_ok(pytree_unravel(&d, mixed, &opt, &error), &error);
    assert_true(real[0] == 0.5f && whole[0] == 6 && whole[1] == 7);
    opt.loss = PYTREE_LOSS_REFUSED_BY_TYPE;
    assert_error(pytree_unravel(&d, mixed, &opt, &error), PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    w.shape[0] = 1;                       /* all leaves of one type: a vector of any type, unless the options name one */
    assert_ok(pytree_unravel(&w, PYTREE_ARRAY(real, 1), NULL, &error), &error);
    assert_true(real[0] == 4);
    opt.loss = PYTREE_LOSS_REFUSED;
    assert_error(pytree_unravel(&w, PYTREE_ARRAY(real, 1), &opt, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    w.type = &pytree_types[PYTREE__T_string];
    assert_error(pytree_unravel(&w, PYTREE_ARRAY(real, 1), NULL, &error), PYTREE_TYPE, "", &error);
}

static void views_into_the_vector(void **state)
{
    Linear layer = linear_make(2, 3, 1), *made;
    double wide[9];
    float narrow[9];
    pytree_leaf v = PYTREE_VECTOR(narrow, 9), w = PYTREE_VECTOR(wide, 9), views[2] = { { 0 } };
    pytree_leaf *structure_only = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree t;
    pytree_error error = { 0 };
    size_t count = 0, i;
    (void)state;
    for (i = 0; i < 9; i++) { wide[i] = narrow[i] = (float)i; }
    assert_ok(pytree_unravel_views(&v, PYTREE(&layer), views, 2, &count, NULL, &error), &error);
    assert_int_equal(count, 2);
    assert_ptr_equal(views[0].data, narrow);
    assert_ptr_equal(views[1].data, narrow + 6);
    assert_int_equal(views[0].ndim, 2);
    assert_int_equal(views[0].shape[1], 3);
    assert_ok(pytree_flatten(PYTREE(&layer), &structure_only, 0, &def, NULL, &error), &error);
    t = pytree_unflatten(def, 2, views, NULL, &error);
    assert_ok(error.status, &error);
    made = t.data;
    assert_ptr_equal(made->b, narrow + 6);
    assert_int_equal(made->din, 2);
    pytree_free(t);
    assert_ok(pytree_unravel_views(&w, PYTREE(&layer), views, 2, NULL, NULL, &error), &error);      /* another type */
    flat.def = def;
    flat.leaves = views;
    assert_true(pytree_contiguous(PYTREE(&flat), 0, &v, NULL, &error));
    assert_ptr_equal(v.data, wide);
    assert_int_equal(v.type->dtype, PYTREE_F64);
    views[0].data = NULL;
    assert_error(pytree_unravel_views(&w, PYTREE(&layer), views, 1, &count, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
    assert_int_equal(count, 2);
    assert_null(views[0].data);
    memset(&error, 0, sizeof error);
    w.shape[0] = 8;
    assert_error(pytree_unravel_views(&w, PYTREE(&layer), views, 2, NULL, NULL, &error), PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unravel_views(&w, PYTREE_LIST(PYTREE_INT(1), PYTREE_FLOAT(1)), views, 2, NULL, NULL, &error),
                 PYTREE_TYPE, "", &error);
    assert_says(&error, "expected leaves of one element type, got i64, f64");
    pytree_def_free(def);
    linear_clear(&layer);
}

/* ---- Contiguous -------------------------------------------------------------------------------------------------------- */

static void runs_in_allocated_trees(void **state)
{
    Linear even = { .din = 4, .dout = 16 }, odd = { .din = 3, .dout = 3 };
    pytree_error error = { 0 };
    pytree_leaf run = { 0 }, other;
    pytree moments;
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&even), NULL, &error), &error);
    assert_true(pytree_contiguous(PYTREE(&even), 0, &run, NULL, &error));
    assert_ptr_equal(run.data, even.w);
    assert_int_equal(run.shape[0], 80);
    assert_ptr_equal(run.type, PYTREE_TYPE(float));
    pytree_free(PYTREE(&even));
    assert_ok(pytree_allocate(PYTREE(&odd), NULL, &error), &error);
    run.shape[0] = 12345;
    assert_false(pytree_contiguous(PYTREE(&odd), 0, &run, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".b", &error);
    assert_says(&error, "a gap of 28 bytes");
    assert_int_equal(run.shape[0], 12345);
    memset(&error, 0, sizeof error);
    assert_true(pytree_contiguous(PYTREE(&odd), 64, &run, NULL, &error));
    assert_ptr_equal(run.data, odd.w);
    assert_int_equal(run.shape[0], 16 + 3);
    moments = pytree_zeros_like(PYTREE(&odd), NULL, &error);
    assert_true(pytree_contiguous(moments, 64, &other, NULL, &error));
    assert_int_equal(other.shape[0], run.shape[0]);
    assert_int_equal((char *)((Linear *)moments.data)->b - (char *)other.data, (char *)odd.b - (char *)run.data);
    assert_false(pytree_contiguous(PYTREE(&odd), 16, NULL, NULL, NULL));     /* b does not begin at the next multiple of 16 */
    assert_false(pytree_contiguous(PYTREE(&odd), 48, NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_free(moments);
    pytree_free(PYTREE(&odd));
}

static void runs_elsewhere(void **state)
{
    float block[8] = { 0 }, room[48];
    float *even = (float *)(((uintptr_t)room + 63) / 64 * 64);
    int32_t whole[2] = { 0 };
    pytree_leaf run = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(even, 3), PYTREE_ARRAY(even + 16, 2)), 64, &run, NULL, &error));
    assert_int_equal(run.shape[0], 18);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(even, 3), PYTREE_ARRAY(even + 4, 2)), 64, NULL, NULL, NULL));
    assert_true(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block, 2, 2), PYTREE(&block[4]), PYTREE_ARRAY(block, 0),
                                              PYTREE_ARRAY(block + 5, 3)), 0, &run, NULL, &error));
    assert_ptr_equal(run.data, block);
    assert_int_equal(run.shape[0], 8);
    assert_int_equal(run.ndim, 1);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block + 4, 4), PYTREE_ARRAY(block, 4)), 64, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, "[1]", &error);
    assert_says(&error, "a step back of 32 bytes");
    memset(&error, 0, sizeof error);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block, 2), PYTREE_ARRAY(block, 2)), 0, NULL, NULL, NULL));
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_ARRAY(block, 2), PYTREE_ARRAY(whole, 2)), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE_STR("a")), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    assert_true(pytree_contiguous(PYTREE_NONE, 0, &run, NULL, &error));
    assert_null(run.data);
    assert_int_equal(run.shape[0], 0);
    assert_int_equal(run.type->dtype, PYTREE_F32);
}

/* Padding that is no whole number of elements leaves a gap. */
static void padding_of_half_an_element(void **state)
{
    static double block[40];
    double *const even = block + (64 - (uintptr_t)block % 64) % 64 / sizeof *block;
    pytree_leaf a = { .data = even + 5, .type = pytree_dtype_type(PYTREE_C128) }, b = a, c = a;
    pytree_error error = { 0 };
    (void)state;
    b.data = even + 8;
    assert_false(pytree_contiguous(PYTREE_LIST(PYTREE(&a), PYTREE(&b)), 64, NULL, NULL, &error));
    assert_int_equal(error.status, PYTREE_VALUE);
    c.data = even + 4;
    memset(&error, 0, sizeof error);
    assert_true(pytree_contiguous(PYTREE_LIST(PYTREE(&c), PYTREE(&b)), 64, NULL, NULL, &error));
}

/* Answers that the list is a leaf when it is asked about it for the n-th time. */
static bool a_leaf_once(void *context, const pytree_leaf *value, const pytree_path *path)
{
    int *left = context;
    (void)path;
    return value->form != PYTREE_FORM_LEAF && value->type == PYTREE_LIST().type && (*left)-- == 0;
}

/* A predicate that answers otherwise when it is asked again. */
static void answers_that_change(void **state)
{
    float x[2] = { 1, 2 };
    const pytree t = PYTREE_TUPLE(PYTREE(&x[0]), PYTREE_LIST(PYTREE(&x[1])));
    (void)state;
    for (int left = 0; left < 4; left++) {
        int n = left;
        pytree_error error = { 0 };
        const pytree_ravel_options opt = { .tree = { .is_leaf = a_leaf_once, .is_leaf_context = &n } };
        float out[2] = { 0, 0 };
        pytree_leaf v = { .data = out, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
        if (left < 2) {
            assert_error(pytree_ravel(t, &v, &opt, &error), PYTREE_TYPE, "[1]", &error);
            assert_string_equal(error.message, "expected numbers, got a list");
            assert_true(out[0] == 0 && out[1] == 0);
        } else {
            assert_ok(pytree_ravel(t, &v, &opt, &error), &error);
            assert_true(out[0] == 1 && out[1] == 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_that_change),
        cmocka_unit_test(padding_of_half_an_element),
        cmocka_unit_test(ravel_into_new_memory),
        cmocka_unit_test(ravel_into_memory_of_the_callers),
        cmocka_unit_test(ravel_meets_in_one_type),
        cmocka_unit_test(ravel_no_common_type),
        cmocka_unit_test(ravel_of_nothing),
        cmocka_unit_test(only_numbers),
        cmocka_unit_test(bad_vectors),
        cmocka_unit_test(too_many_elements),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(unravel_checks_the_length),
        cmocka_unit_test(unravel_checks_the_type),
        cmocka_unit_test(views_into_the_vector),
        cmocka_unit_test(runs_in_allocated_trees),
        cmocka_unit_test(runs_elsewhere)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
