/* Rows for unions with a tag: the active member is the child, the tag is structure. */
#include "rows_shared.h"

typedef enum Kind { EMPTY, CIRCLE, NUMBER, WEIGHTS, PATH, NAME, BOX, FAR, KINDS } Kind;
typedef struct Circle { float x, y, radius; } Circle;
typedef struct Corner { float x; double *tags; } Corner;

#define PYTREE_STRUCT Circle
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, radius)
#include "pytree_registry.h"

#define PYTREE_STRUCT Corner
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, tags, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

typedef struct Shape {
    Kind kind;
    int n;
    union {
        Circle circle;
        long number;
        double *weights;
        Corner *path;
        char name[12];
        float box[2][2];
        Circle *far;
    } as;
    float *after;
} Shape;

#define PYTREE_STRUCT Shape
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind)                                                                                          \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(CIRCLE, circle), CASE(NUMBER, number), CASE(EMPTY),                   \
                                 CASE(WEIGHTS, weights, ARRAY(self->n, 2)), CASE(PATH, path, LIST(self->n)),            \
                                 CASE(NAME, name, STRING), CASE(BOX, box), CASE(FAR, far, OPTIONAL)))                   \
    PYTREE_FIELD(DATA, after, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Drawing {
    size_t n;
    Shape *shapes;
    Shape first;
} Drawing;

#define PYTREE_STRUCT Drawing
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, shapes, LIST(self->n)) PYTREE_FIELD(DATA, first)
#include "pytree_registry.h"

/* A union without a name, in front and in the middle; two tags may have one member. */
typedef struct Value {
    union { double real; char letters[5]; float *numbers; };
    unsigned char kind;
    union { Circle circle; short *counts; };
    char last;
    int n;
} Value;

enum { REAL, LETTERS, NUMBERS, REAL_TOO, NOTHING, VALUES };

#define PYTREE_STRUCT Value
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, real, UNNAMED_UNION(self->kind, CASE(REAL, real), CASE(LETTERS, letters, STRING),                \
                                           CASE(NUMBERS, numbers, ARRAY(self->n)), CASE(REAL_TOO, real),                \
                                           CASE(NOTHING)))                                                              \
    PYTREE_FIELD(STATIC, kind)                                                                                          \
    PYTREE_FIELD(DATA, circle, UNNAMED_UNION(self->kind == REAL, CASE(1, circle), CASE(0, counts, ARRAY(2), OPTIONAL))) \
    PYTREE_FIELD(DATA, last)                                                                                            \
    PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Circle), PYTREE_TYPE(Corner), PYTREE_TYPE(Shape),
                                            PYTREE_TYPE(Drawing), PYTREE_TYPE(Value) };

static float after[KINDS][2];
static double weights[4] = { 1.0, 2.0, 3.0, 4.0 }, tags[2] = { 5.0, 6.0 };
static Corner path[2] = { { 1.5f, NULL }, { 2.5f, tags } };
static Circle far = { 7.0f, 8.0f, 9.0f };

static Shape shape_make(Kind kind)
{
    Shape s;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.n = 2;
    s.after = after[kind];
    switch (kind) {
    case CIRCLE: s.as.circle = (Circle){ 1.0f, 2.0f, 3.0f }; break;
    case NUMBER: s.as.number = 42; break;
    case WEIGHTS: s.as.weights = weights; break;
    case PATH: s.as.path = path; break;
    case NAME: strcpy(s.as.name, "square"); break;
    case BOX: s.as.box[1][0] = 1.0f; break;
    case FAR: s.as.far = &far; break;
    default: break;
    }
    return s;
}

static void the_active_member_is_the_child(void **state)
{
    static const char *const printed[KINDS] = {
        [EMPTY] = "",
        [CIRCLE] = ".as.x  f32 1.0\n.as.y  f32 2.0\n.as.radius  f32 3.0\n",
        [NUMBER] = ".as  i64 42\n",
        [WEIGHTS] = ".as  f64[2,2]\n",
        [PATH] = ".as[0].x  f32 1.5\n.as[1].x  f32 2.5\n.as[1].tags  f64[2]\n",
        [NAME] = ".as  text[12] 'square'\n",
        [BOX] = ".as  f32[2,2]\n",
        [FAR] = ".as.x  f32 7.0\n.as.y  f32 8.0\n.as.radius  f32 9.0\n",
    };
    int kind;
    (void)state;
    for (kind = EMPTY; kind < KINDS; kind++) {
        Shape s = shape_make((Kind)kind);
        char text[ROWS_TEXT], expected[ROWS_TEXT];
        if (kind == NUMBER && sizeof(long) != 8) { continue; }
        snprintf(expected, sizeof expected, "%s.after  f32[2]\n", printed[kind]);
        assert_string_equal(rows_printed(PYTREE(&s), text), expected);
    }
}

static void the_tag_is_structure(void **state)
{
    Shape empty = shape_make(EMPTY), circle = shape_make(CIRCLE), number = shape_make(NUMBER);
    pytree_error error = { 0 };
    (void)state;
    assert_def_text(PYTREE(&empty), "PyTreeDef(CustomNode(Shape[(0, 2)], [None, *]))", NULL);
    assert_def_text(PYTREE(&number), "PyTreeDef(CustomNode(Shape[(2, 2)], [*, *]))", NULL);
    assert_def_text(PYTREE(&circle), "PyTreeDef(CustomNode(Shape[(1, 2)], [CustomNode(Circle[()], [*, *, *]), *]))", NULL);
    assert_false(pytree_equal(PYTREE(&circle), PYTREE(&number), NULL, NULL, &error));
    assert_int_equal(error.status, PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    assert_error(pytree_copy_into(PYTREE(&circle), PYTREE(&empty), NULL, &error), PYTREE_STRUCTURE, NULL, &error);
}

static void every_member_is_rebuilt(void **state)
{
    Shape all[KINDS];
    Drawing drawing = { KINDS, all, shape_make(NUMBER) };
    int kind;
    (void)state;
    for (kind = EMPTY; kind < KINDS; kind++) {
        all[kind] = shape_make((Kind)kind);
        rows_assert_round_trip(PYTREE(&all[kind]), COUNT_OF(types), types);
    }
    all[FAR].as.far = NULL;
    rows_assert_round_trip(PYTREE(&all[FAR]), COUNT_OF(types), types);
    drawing.first.after = (float[2]){ 1.0f, 2.0f };
    rows_assert_round_trip(PYTREE(&drawing), COUNT_OF(types), types);
}

static void a_rebuilt_union_has_tag_and_member(void **state)
{
    Shape s = shape_make(PATH);
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(&s), NULL, &error);
    const Shape *made = copy.data;
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(made->kind, PATH);
    assert_ptr_not_equal(made->as.path, path);
    assert_true(made->as.path[1].tags[1] == 6.0 && made->as.path[0].tags == NULL);
    pytree_free(copy);
    s = shape_make(NAME);
    copy = pytree_clone(PYTREE(&s), NULL, &error);
    assert_string_equal(((Shape *)copy.data)->as.name, "square");
    pytree_free(copy);
}

static void leaves_go_into_the_active_member(void **state)
{
    Shape s = shape_make(WEIGHTS);
    double others[4] = { 9.0, 8.0, 7.0, 6.0 };
    pytree_leaf leaves[2];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&s), NULL, &error);
    pytree made;
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&s), leaves, 2, &n, NULL, &error), &error);
    leaves[0].data = others;
    assert_ok(pytree_unflatten_into(def, 2, leaves, PYTREE(&s), NULL, &error), &error);
    assert_ptr_equal(s.as.weights, others);
    made = pytree_unflatten(def, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(((Shape *)made.data)->as.weights, others);
    assert_int_equal(((Shape *)made.data)->kind, WEIGHTS);
    pytree_free(made);
    leaves[0].shape[1] = 3;
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, ".as", &error);
    pytree_def_free(def);
}

static void a_tag_without_a_case_is_an_error(void **state)
{
    Shape all[2] = { shape_make(CIRCLE), shape_make(NUMBER) };
    Drawing drawing = { 2, all, shape_make(BOX) };
    static const pytree_type *const shape[] = { PYTREE_TYPE(Shape) };
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse("PyTreeDef(CustomNode(Shape[(77, 2)], [*, *]))", shape, 1, NULL, &error);
    pytree_leaf leaves[2];
    size_t n;
    (void)state;
    assert_ok(error.status, &error);
    all[1].kind = (Kind)77;
    assert_int_equal(pytree_num_leaves(PYTREE(&drawing), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_VALUE, ".shapes[1].as", &error);
    assert_string_equal(error.message, "expected a tag that a CASE of the union has, got 77");
    memset(&error, 0, sizeof error);
    assert_null(pytree_clone(PYTREE(&drawing), NULL, &error).data);
    assert_error(error.status, PYTREE_VALUE, ".shapes[1].as", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_check(PYTREE(&drawing), NULL, NULL, NULL, &error), PYTREE_VALUE, ".shapes[1].as", &error);
    all[1].kind = NUMBER;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_leaves(PYTREE(&all[1]), leaves, 2, &n, NULL, &error), &error);
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".as", &error);
    pytree_def_free(def);
}

/* The message has the count of the active member, behind which other rows of the table may stand. */
static void a_tuple_for_the_list_of_a_union(void **state)
{
    static const pytree_type *const known[] = { PYTREE_TYPE(Corner), PYTREE_TYPE(Shape) };
    Shape s = shape_make(PATH);
    pytree_leaf leaves[4];
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse("PyTreeDef(CustomNode(Shape[(4, 2)], [(CustomNode(Corner[()], [*, None]),"
                                       " CustomNode(Corner[()], [*, *])), *]))", known, 2, NULL, &error);
    size_t n;
    (void)state;
    assert_ok(error.status, &error);
    assert_ok(pytree_leaves(PYTREE(&s), leaves, COUNT_OF(leaves), &n, NULL, &error), &error);
    assert_null(pytree_unflatten(def, n, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".as", &error);
    assert_string_equal(error.message, "expected a list of 2, got tuple of 2");
    pytree_def_free(def);
}

static void memory_is_allocated_for_the_active_member(void **state)
{
    Shape s = { .kind = WEIGHTS, .n = 3 }, far_away = { .kind = FAR, .n = 1 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&s), NULL, &error), &error);
    assert_non_null(s.as.weights);
    s.as.weights[5] = 1.0;
    s.after[2] = 1.0f;
    pytree_free(PYTREE(&s));
    assert_null(s.as.weights);
    assert_null(s.after);
    s.kind = PATH;
    assert_ok(pytree_allocate(PYTREE(&s), NULL, &error), &error);
    s.as.path[2].x = 1.0f;
    assert_null(s.as.path[2].tags);
    pytree_free(PYTREE(&s));
    assert_null(s.as.path);
    far_away.as.far = PYTREE_WANTED;
    assert_ok(pytree_allocate(PYTREE(&far_away), NULL, &error), &error);
    far_away.as.far->radius = 2.0f;
    pytree_free(PYTREE(&far_away));
    assert_null(far_away.as.far);
}

static void no_member_no_memory(void **state)
{
    Shape s = { .kind = EMPTY, .n = 3 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&s), NULL, &error), &error);
    assert_non_null(s.after);
    assert_null(s.as.weights);
    s.kind = (Kind)77;                    /* what is there is found behind it */
    pytree_free(PYTREE(&s));
    assert_null(s.after);
    assert_error(pytree_allocate(PYTREE(&s), NULL, &error), PYTREE_VALUE, ".as", &error);
    assert_string_equal(error.message, "expected a tag that a CASE of the union has, got 77");
    assert_null(s.after);
}

static void a_union_without_a_name_has_that_of_its_row(void **state)
{
    static const char *const printed[VALUES] = {
        ".real  f64 1.5\n.circle.x  f32 1.0\n.circle.y  f32 2.0\n.circle.radius  f32 3.0\n", ".real  text[5] 'four'\n",
        ".real  f32[2]\n.circle  i16[2]\n", ".real  f64 2.5\n", "",
    };
    float numbers[2] = { 1.0f, 2.0f };
    short counts[2] = { 3, 4 };
    pytree_error error = { 0 };
    int kind;
    (void)state;
    for (kind = REAL; kind < VALUES; kind++) {
        Value v;
        char text[ROWS_TEXT], expected[ROWS_TEXT];
        memset(&v, 0, sizeof v);
        v.kind = (unsigned char)kind;
        v.n = 2;
        v.last = 'z';
        if (kind == REAL) { v.circle = (Circle){ 1.0f, 2.0f, 3.0f }; }
        if (kind == REAL || kind == REAL_TOO) { v.real = kind == REAL ? 1.5 : 2.5; }
        if (kind == LETTERS) { strcpy(v.letters, "four"); }
        if (kind == NUMBERS) { v.numbers = numbers; v.counts = counts; }
        snprintf(expected, sizeof expected, "%s.last  %s 122\n", printed[kind], CHAR_MIN < 0 ? "i8" : "u8");
        assert_string_equal(rows_printed(PYTREE(&v), text), expected);
        rows_assert_round_trip(PYTREE(&v), COUNT_OF(types), types);
        if (kind == NOTHING) {
            v.kind = VALUES;
            assert_int_equal(pytree_num_leaves(PYTREE(&v), NULL, &error), SIZE_MAX);
            assert_error(error.status, PYTREE_VALUE, ".real", &error);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_active_member_is_the_child),
        cmocka_unit_test(the_tag_is_structure),
        cmocka_unit_test(every_member_is_rebuilt),
        cmocka_unit_test(a_rebuilt_union_has_tag_and_member),
        cmocka_unit_test(leaves_go_into_the_active_member),
        cmocka_unit_test(a_tag_without_a_case_is_an_error),
        cmocka_unit_test(a_tuple_for_the_list_of_a_union),
        cmocka_unit_test(memory_is_allocated_for_the_active_member),
        cmocka_unit_test(no_member_no_memory),
        cmocka_unit_test(a_union_without_a_name_has_that_of_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
