/* Rows for flexible array members: room for them in every tree that is made. */
#include "contained.h"
#include "rows_shared.h"

typedef struct Vector {
    int n;
    float at[];
} Vector;

#define PYTREE_STRUCT Vector
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

typedef struct Padded {                   /* the array begins in what would be padding */
    double scale;
    char n, m;
    signed char at[];
} Padded;

#define PYTREE_STRUCT Padded
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, scale) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m)                                           \
    PYTREE_FIELD(DATA, at, ARRAY(self->n, self->m), FLEXIBLE)
#include "pytree_registry.h"

typedef struct Corner { float x, y; float *tags; } Corner;

#define PYTREE_STRUCT Corner
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, tags, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

typedef struct Polygon {
    size_t n;
    const char *name;
    Corner corners[];
} Polygon;

#define PYTREE_STRUCT Polygon
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, corners, LIST(self->n), FLEXIBLE)
#include "pytree_registry.h"

typedef struct Scene {
    int n_names;
    Vector *weights;
    Polygon *shape, *other;
    Padded *padded;
    float *after;
    const char *names[];
} Scene;

#define PYTREE_STRUCT Scene
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_names) PYTREE_FIELD(DATA, weights) PYTREE_FIELD(DATA, shape)                                 \
    PYTREE_FIELD(DATA, other, OPTIONAL) PYTREE_FIELD(DATA, padded) PYTREE_FIELD(DATA, after, ARRAY(3))                  \
    PYTREE_FIELD(DATA, names, LIST(self->n_names), FLEXIBLE)
#include "pytree_registry.h"

typedef struct Glyph {                    /* behind members that take several numbers each */
    float box[4];
    Corner origin;
    int n;
    float at[];
} Glyph;

#define PYTREE_STRUCT Glyph
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, box) PYTREE_FIELD(DATA, origin) PYTREE_FIELD(STATIC, n)                                          \
    PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Vector), PYTREE_TYPE(Padded), PYTREE_TYPE(Corner), PYTREE_TYPE(Polygon),
                                            PYTREE_TYPE(Scene) };

static Vector *vector_make(int n)
{
    Vector *v = malloc(sizeof *v + (size_t)n * sizeof v->at[0]);
    assert_non_null(v);
    v->n = n;
    for (int i = 0; i < n; i++) { v->at[i] = (float)i + 0.5f; }
    return v;
}

static Padded *padded_make(void)
{
    Padded *p = malloc(sizeof *p + 6);
    assert_non_null(p);
    memset(p, 0, sizeof *p + 6);
    p->scale = 1.5;
    p->n = 2;
    p->m = 3;
    for (int i = 0; i < 6; i++) { p->at[i] = (signed char)(i + 1); }
    return p;
}

static float tags[2][2] = { { 7.0f, 8.0f }, { 9.0f, 10.0f } };

static Polygon *polygon_make(size_t n)
{
    Polygon *p = malloc(sizeof *p + n * sizeof p->corners[0]);
    assert_non_null(p);
    p->n = n;
    p->name = "polygon";
    for (size_t i = 0; i < n; i++) {
        p->corners[i].x = (float)i;
        p->corners[i].y = (float)(2 * i);
        p->corners[i].tags = i % 2 == 0 && i < 4 ? tags[i / 2] : NULL;
    }
    return p;
}

static float after[3] = { 1.0f, 2.0f, 3.0f };

static Scene *scene_make(void)
{
    Scene *s = calloc(1, sizeof *s + 2 * sizeof s->names[0]);
    assert_non_null(s);
    s->n_names = 2;
    s->weights = vector_make(5);
    s->shape = polygon_make(3);
    s->padded = padded_make();
    s->after = after;
    s->names[0] = "first";
    s->names[1] = "second";
    return s;
}

static void scene_free(Scene *s)
{
    free(s->weights);
    free(s->shape);
    free(s->other);
    free(s->padded);
    free(s);
}

static void a_flexible_array_is_a_leaf(void **state)
{
    Vector *v = vector_make(3);
    pytree_leaf leaf;
    pytree_error error = { 0 };
    size_t n;
    char text[ROWS_TEXT];
    (void)state;
    assert_ok(pytree_leaves(PYTREE(v), &leaf, 1, &n, NULL, &error), &error);
    assert_ptr_equal(leaf.data, v->at);
    assert_int_equal(leaf.shape[0], 3);
    assert_string_equal(rows_printed(PYTREE(v), text), ".at  f32[3]\n");
    assert_def_text(PYTREE(v), "PyTreeDef(CustomNode(Vector[(3,)], [*]))", NULL);
    free(v);
}

static void structs_and_arrays_in_front(void **state)
{
    Glyph *const glyph = calloc(1, sizeof *glyph + 2 * sizeof(float)), *copy;
    pytree_error error = { 0 };
    char text[ROWS_TEXT];
    pytree t;
    (void)state;
    assert_non_null(glyph);
    glyph->n = 2;
    glyph->origin.x = 1;
    glyph->box[3] = 4;
    glyph->at[1] = 7;
    assert_string_equal(rows_printed(PYTREE(glyph), text),
                        ".box  f32[4]\n.origin.x  f32 1.0\n.origin.y  f32 0.0\n.at  f32[2]\n");
    t = pytree_clone(PYTREE(glyph), NULL, &error);
    assert_ok(error.status, &error);
    copy = t.data;
    assert_true(copy->origin.x == 1 && copy->box[3] == 4 && copy->at[0] == 0 && copy->at[1] == 7);
    pytree_free(t);
    free(glyph);
}

static void flexible_arrays_are_rebuilt(void **state)
{
    int n;
    Padded *padded = padded_make();
    (void)state;
    for (n = 0; n < 600; n = 3 * n + 13) {
        Vector *v = vector_make(n);
        rows_assert_round_trip(PYTREE(v), COUNT_OF(types), types);
        free(v);
    }
    rows_assert_round_trip(PYTREE(padded), COUNT_OF(types), types);
    free(padded);
}

static void flexible_lists_are_rebuilt(void **state)
{
    Polygon *none = polygon_make(0), *three = polygon_make(3);
    pytree list = PYTREE_LIST(PYTREE(three), PYTREE(none));
    (void)state;
    rows_assert_round_trip(PYTREE(none), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(three), COUNT_OF(types), types);
    assert_true(sweep_allocations(rows_clone, &list) >= 1);
    free(none);
    free(three);
}

static void structs_lead_to_flexible_ones(void **state)
{
    Scene *scene = scene_make(), *made;
    pytree_error error = { 0 };
    pytree copy;
    char text[ROWS_TEXT];
    (void)state;
    rows_assert_round_trip(PYTREE(scene), COUNT_OF(types), types);
    assert_string_equal(rows_printed(PYTREE(scene), text),
                        ".weights.at  f32[5]\n.shape.name  str 'polygon'\n.shape.corners[0].x  f32 0.0\n"
                        ".shape.corners[0].y  f32 0.0\n.shape.corners[0].tags  f32[2]\n.shape.corners[1].x  f32 1.0\n"
                        ".shape.corners[1].y  f32 2.0\n.shape.corners[2].x  f32 2.0\n.shape.corners[2].y  f32 4.0\n"
                        ".shape.corners[2].tags  f32[2]\n.padded.scale  f64 1.5\n.padded.at  i8[2,3]\n.after  f32[3]\n"
                        ".names[0]  str 'first'\n.names[1]  str 'second'\n");
    copy = pytree_clone(PYTREE(scene), NULL, &error);
    assert_ok(error.status, &error);
    made = copy.data;
    assert_ptr_not_equal(made->shape, scene->shape);
    assert_true(made->shape->corners[2].y == 4.0f && made->shape->corners[2].tags[1] == 10.0f);
    assert_int_equal(made->padded->at[5], 6);
    assert_string_equal(made->names[1], "second");
    assert_ptr_not_equal(made->names[1], scene->names[1]);
    pytree_free(copy);
    scene_free(scene);
}

static void values_are_put_in_place(void **state)
{
    Vector *v = vector_make(3);
    float others[4] = { 9.0f, 8.0f, 7.0f, 6.0f };
    pytree_leaf leaf;
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(v), NULL, &error);
    pytree made;
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(v), &leaf, 1, &n, NULL, &error), &error);
    leaf.data = others;
    made = pytree_unflatten(def, 1, &leaf, NULL, &error);
    assert_ok(error.status, &error);
    assert_memory_equal(((Vector *)made.data)->at, others, 3 * sizeof(float));
    assert_ptr_not_equal(((Vector *)made.data)->at, others);               /* behind the struct, so copied */
    pytree_free(made);
    assert_ok(pytree_unflatten_into(def, 1, &leaf, PYTREE(v), NULL, &error), &error);
    assert_memory_equal(v->at, others, 3 * sizeof(float));
    leaf.shape[0] = 4;
    assert_null(pytree_unflatten(def, 1, &leaf, NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, ".at", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, 1, &leaf, PYTREE(v), NULL, &error), PYTREE_SHAPE, ".at", &error);
    memset(&error, 0, sizeof error);
    leaf.shape[0] = 3;
    leaf.type = PYTREE_TYPE(double);
    assert_null(pytree_unflatten(def, 1, &leaf, NULL, &error).data);
    assert_error(error.status, PYTREE_TYPE, ".at", &error);
    pytree_def_free(def);
    free(v);
}

/* Where there are no elements there need be no data. */
static void no_values_are_put_in_place(void **state)
{
    Vector *v = vector_make(0);
    pytree_leaf leaf;
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(v), NULL, &error);
    pytree made;
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(v), &leaf, 1, &n, NULL, &error), &error);
    assert_int_equal(n, 1);
    leaf.data = NULL;
    assert_ok(pytree_unflatten_into(def, 1, &leaf, PYTREE(v), NULL, &error), &error);
    made = pytree_unflatten(def, 1, &leaf, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(made, PYTREE(v), NULL, NULL, &error));
    pytree_free(made);
    pytree_def_free(def);
    free(v);
}

static bool is_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_LIST;
}

static void a_subtree_as_a_leaf(void **state)
{
    Polygon *p = polygon_make(3);
    pytree_options lists = { .is_leaf = is_list };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(p), &leaves, 0, &def, &lists, &error), &error);
    assert_int_equal(pytree_def_num_leaves(def), 2);
    made = pytree_unflatten(def, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(p), made, NULL, NULL, &error));
    pytree_free(made);
    leaves[1].shape[0] = 2;
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, ".corners", &error);
    pytree_def_free(def);
    free(p);
}

static void counts_are_checked(void **state)
{
    Vector *v = vector_make(2);
    pytree_error error = { 0 };
    (void)state;
    v->n = -1;
    assert_int_equal(pytree_num_leaves(PYTREE(v), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_BAD_COUNT, ".at", &error);
    free(v);
}

static void allocate_leaves_the_callers_array_alone(void **state)
{
    Scene *scene = scene_make();
    pytree_error error = { 0 };
    const Scene before = { .weights = scene->weights, .shape = scene->shape, .padded = scene->padded };
    (void)state;
    scene->after = NULL;
    scene->shape->corners[0].tags = scene->shape->corners[2].tags = NULL;
    scene->shape->corners[1].tags = PYTREE_WANTED;                     /* in an array that is not the caller's struct's own */
    assert_ok(pytree_allocate(PYTREE(scene), NULL, &error), &error);
    assert_string_equal(scene->names[1], "second");
    assert_ptr_not_equal(scene->weights, before.weights);             /* the template stays with the caller */
    assert_int_equal(scene->weights->n, 5);
    assert_int_equal(scene->shape->n, 3);
    assert_true(scene->after[2] == 0.0f && scene->shape->corners[1].y == 2.0f);
    assert_ptr_not_equal(scene->shape->corners[1].tags, PYTREE_WANTED);
    assert_true(scene->shape->corners[1].tags[1] == 0.0f);
    scene->weights->at[4] = 1.0f;
    assert_true(pytree_num_leaves(PYTREE(scene), NULL, &error) == 14);
    pytree_free(PYTREE(scene));
    assert_null(scene->weights);
    free(before.weights);
    free(before.shape);
    free(before.padded);
    free(scene);
}

static void what_the_descriptor_says(void **state)
{
    const pytree_field *row = &PYTREE_TYPE(Padded)->fields[3];
    (void)state;
    assert_int_equal(row->place, PYTREE_FLEXIBLE);
    assert_int_equal(row->offset, offsetof(Padded, at));
    assert_int_equal(row->size, 0);
    assert_false(is_contained(PYTREE_TYPE(Padded)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flexible_array_is_a_leaf), cmocka_unit_test(structs_and_arrays_in_front),
        cmocka_unit_test(flexible_arrays_are_rebuilt),
        cmocka_unit_test(flexible_lists_are_rebuilt),
        cmocka_unit_test(structs_lead_to_flexible_ones),
        cmocka_unit_test(values_are_put_in_place),
        cmocka_unit_test(no_values_are_put_in_place),
        cmocka_unit_test(a_subtree_as_a_leaf),
        cmocka_unit_test(counts_are_checked),
        cmocka_unit_test(allocate_leaves_the_callers_array_alone),
        cmocka_unit_test(what_the_descriptor_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
