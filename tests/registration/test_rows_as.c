/* Rows with AS: pointers to void, whose type is computed. */
#include "rows_shared.h"
#include "odd_nodes.h"
#include "pytree/graph.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"

typedef struct Dense { int n; float *w; } Dense;
typedef struct Scale { double factor; char letter; } Scale;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Scale
#define PYTREE_FIELDS PYTREE_FIELD(DATA, factor) PYTREE_FIELD(DATA, letter)
#include "pytree_registry.h"

typedef struct Later Later;
struct Later { float x; };

#define PYTREE_DECLARE Later
#include "pytree_registry.h"

enum { DENSE, SCALE, NUMBER, LATER, STRING, KINDS };

static const pytree_type *type_of(int kind)
{
    const pytree_type *const types[KINDS] = { PYTREE_TYPE(Dense), PYTREE_TYPE(Scale), PYTREE_TYPE(short), PYTREE_TYPE(Later),
                                              PYTREE_TYPE(char *) };
    return kind >= 0 && kind < KINDS ? types[kind] : kind == KINDS ? PYTREE_TYPE(pytree) : NULL;
}

typedef struct Layer {
    int kind, n;
    void *layer;
    pytree_dtype dtype;
    const void *table;
    void *scale;                          /* may be NULL */
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layer, AS(type_of(self->kind)))               \
    PYTREE_FIELD(STATIC, dtype) PYTREE_FIELD(DATA, table, AS(pytree_dtype_type(self->dtype), ARRAY(self->n, 2)))        \
    PYTREE_FIELD(DATA, scale, AS(PYTREE_TYPE(Scale)), OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_DEFINE Later
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Model { size_t n; Layer *layers; Layer first; } Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layers, LIST(self->n)) PYTREE_FIELD(DATA, first)
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Dense), PYTREE_TYPE(Scale), PYTREE_TYPE(Later), PYTREE_TYPE(Layer),
                                            PYTREE_TYPE(Model) };
static float weights[3] = { 1.0f, 2.0f, 3.0f };
static double table[KINDS][2][2] = { { { 4.0, 5.0 } } };
static Dense dense = { 3, weights };
static Scale scale = { 0.5, 'a' }, other = { 1.5, 'b' };
static short number = 7;
static Later later = { 8.0f };
static char *string = "string";

static Layer layer_make(int kind)
{
    void *const values[KINDS] = { &dense, &scale, &number, &later, &string };
    Layer made = { kind, 2, values[kind], kind % 2 == 0 ? PYTREE_F64 : PYTREE_F32, table[kind], NULL };
    if (kind == DENSE) { made.scale = &other; }
    return made;
}

static void a_pointer_leads_to_what_its_type_says(void **state)
{
    const char *const i_char = CHAR_MIN < 0 ? "i8" : "u8";
    char with_char[2][ROWS_TEXT];
    const char *const printed[KINDS] = {
        with_char[0], with_char[1], ".layer  i16 7\n.table  f64[2,2]\n", ".layer.x  f32 8.0\n.table  f32[2,2]\n",
        ".layer  str 'string'\n.table  f64[2,2]\n"
    };
    int kind;
    (void)state;
    snprintf(with_char[0], ROWS_TEXT, ".layer.w  f32[3]\n.table  f64[2,2]\n.scale.factor  f64 1.5\n.scale.letter  %s 98\n",
             i_char);
    snprintf(with_char[1], ROWS_TEXT, ".layer.factor  f64 0.5\n.layer.letter  %s 97\n.table  f32[2,2]\n", i_char);
    for (kind = 0; kind < KINDS; kind++) {
        Layer layer = layer_make(kind);
        char text[ROWS_TEXT];
        assert_string_equal(rows_printed(PYTREE(&layer), text), printed[kind]);
    }
}

static void whatever_is_made_equals_its_source(void **state)
{
    Layer layers[KINDS];
    Model model = { KINDS - 1, layers + 1, layer_make(DENSE) };
    int kind;
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        layers[kind] = layer_make(kind);
        rows_assert_round_trip(PYTREE(&layers[kind]), COUNT_OF(types), types);
    }
    rows_assert_round_trip(PYTREE(&model), COUNT_OF(types), types);
}

static void a_leaf_goes_behind_the_pointer(void **state)
{
    Layer layer = layer_make(SCALE);
    float given[4] = { 9.0f };
    pytree_leaf leaves[3];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&layer), NULL, &error);
    pytree made;
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&layer), leaves, 3, &n, NULL, &error), &error);
    leaves[2].data = given;
    assert_ok(pytree_unflatten_into(def, n, leaves, PYTREE(&layer), NULL, &error), &error);
    assert_ptr_equal(layer.table, given);
    made = pytree_unflatten(def, n, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(((Layer *)made.data)->table, given);
    assert_true(((Scale *)((Layer *)made.data)->layer)->factor == 0.5);
    pytree_free(made);
    leaves[2].type = PYTREE_TYPE(int);
    assert_null(pytree_unflatten(def, n, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_TYPE, ".table", &error);
    pytree_def_free(def);
}

static void another_type_is_refused(void **state)
{
    static const struct { const char *text, *path; } wrong[] = {
        { "PyTreeDef(CustomNode(Layer[(1, 0, 12)], [CustomNode(Dense[(0,)], [*]), *, None]))", ".layer" },
        { "PyTreeDef(CustomNode(Layer[(2, 0, 12)], [CustomNode(Dense[(0,)], [*]), *, None]))", ".layer" },
        { "PyTreeDef(CustomNode(Layer[(9, 0, 12)], [*, *, None]))", ".layer" },
        { "PyTreeDef(CustomNode(Layer[(1, 0, 12)], [*, *, None]))", ".layer" },
        { "PyTreeDef(CustomNode(Layer[(2, 0, 12)], [*, [*], None]))", ".table" },
    };
    Layer layer = layer_make(NUMBER);
    pytree_leaf leaves[3];
    size_t i;
    (void)state;
    assert_int_equal(PYTREE_F32, 12);
    for (i = 0; i < COUNT_OF(wrong); i++) {
        pytree_error error = { 0 };
        pytree_def *def = pytree_def_parse(wrong[i].text, types, COUNT_OF(types), NULL, &error);
        assert_ok(error.status, &error);
        leaves[0] = (pytree_leaf){ .data = weights, .type = PYTREE_TYPE(short) };
        leaves[1] = leaves[2] = (pytree_leaf){ .data = weights, .type = PYTREE_TYPE(float), .ndim = 2 };
        assert_null(pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error).data);
        assert_string_equal(error.path, wrong[i].path);
        pytree_def_free(def);
    }
    for (i = KINDS; i < KINDS + 2; i++) {
        pytree_error error = { 0 };
        layer.kind = (int)i;
        assert_null(pytree_clone(PYTREE(&layer), NULL, &error).data);
        assert_error(error.status, PYTREE_TYPE, ".layer", &error);
    }
}

/* A custom node may be behind the pointer; in a row there are numbers only. */
typedef struct Any { int kind, kinds; void *value, *values; } Any;

static const pytree_type *any_of(int kind)
{
    return kind == 0 ? PYTREE_TYPE(Mark) : kind == 1 ? PYTREE_TYPE(Scale) : PYTREE_TYPE(short);
}

#define PYTREE_STRUCT Any
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, kinds) PYTREE_FIELD(DATA, value, AS(any_of(self->kind)))            \
    PYTREE_FIELD(DATA, values, AS(any_of(self->kinds), ARRAY(2)))
#include "pytree_registry.h"

static void custom_nodes_and_rows(void **state)
{
    Mark mark = { 7 };
    short numbers[2] = { 1, 2 };
    Scale scales[2] = { { 0 } };
    Any any = { 0, 2, &mark, numbers };
    pytree_error error = { 0 };
    (void)state;
    assert_def_text(PYTREE(&any), "PyTreeDef(CustomNode(Any[(0, 2)], [CustomNode(Mark[b'\\x07'], []), *]))", NULL);
    any.values = scales;
    any.kinds = 1;
    assert_int_equal(pytree_num_leaves(PYTREE(&any), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, ".values", &error);
    assert_string_equal(error.message,
                        "expected AS to give a registered type (of an array, one of numbers), got another or NULL");
    memset(&error, 0, sizeof error);
    any.kinds = 0;
    assert_int_equal(pytree_num_leaves(PYTREE(&any), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, ".values", &error);
}

static pytree_status allocate(void *context, const pytree_options *opt, pytree_error *error)
{
    int kind;
    (void)context;
    for (kind = 0; kind < STRING; kind++) {
        Layer layer = { .kind = kind, .n = 3, .dtype = PYTREE_F64, .scale = PYTREE_WANTED };
        if (pytree_allocate(PYTREE(&layer), opt, error) != PYTREE_OK) {
            assert_true(layer.layer == NULL && layer.table == NULL && layer.scale == PYTREE_WANTED);
            return error->status;
        }
        assert_true(layer.layer != NULL && ((const double *)layer.table)[5] == 0.0 && ((Scale *)layer.scale)->factor == 0.0);
        pytree_free(PYTREE(&layer));
        assert_true(layer.layer == NULL && layer.table == NULL && layer.scale == NULL);
    }
    return PYTREE_OK;
}

static void memory_is_allocated(void **state)
{
    (void)state;
    assert_true(sweep_allocations(allocate, NULL) >= 4);
}

/* What several such pointers lead to is one thing in a graph's copy, too. */
static void pointers_share_what_they_lead_to(void **state)
{
    static const int kinds[] = { DENSE, NUMBER, LATER };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(kinds); i++) {
        Layer layers[2] = { layer_make(kinds[i]), layer_make(kinds[i]) };
        Model model = { 2, layers, layer_make(kinds[i]) };
        const pytree copy = pytree_graph_clone(PYTREE(&model), NULL, &error);
        const Model *const made = copy.data;
        pytree_def *def = pytree_graphdef(PYTREE(&model), NULL, &error), *again = pytree_graphdef(copy, NULL, &error);
        assert_ok(error.status, &error);
        assert_true(pytree_def_equal(def, again));
        assert_ptr_equal(made->layers[0].layer, made->layers[1].layer);
        assert_ptr_equal(made->layers[0].layer, made->first.layer);
        assert_ptr_not_equal(made->first.layer, model.first.layer);
        assert_ptr_equal(made->layers[0].table, made->layers[1].table);
        assert_ptr_equal(made->layers[1].table, made->first.table);
        assert_ptr_equal(made->layers[0].scale, made->first.scale);
        assert_true(made->first.scale == NULL || ((const Scale *)made->first.scale)->letter == 'b');
        pytree_free(copy);
        pytree_def_free(again);
        pytree_def_free(def);
    }
}

static void pointers_do_not_share_another_type(void **state)
{
    Layer layer = layer_make(DENSE);
    Model model = { 1, &layer, layer };
    char text[400], *kind = text, *next;
    pytree_leaf *leaves = NULL;
    pytree_error error = { 0 };
    pytree_def *def, *wrong;
    size_t n;
    (void)state;
    assert_ok(pytree_graph_flatten(PYTREE(&model), &leaves, 0, &def, NULL, &error), &error);
    n = def->n_leaves;
    assert_in_range(pytree_def_text(def, text, sizeof text), 1, sizeof text - 1);
    while ((next = strstr(kind + 1, "Layer[(")) != NULL) { kind = next; }
    kind[sizeof "Layer[(" - 1] = '0' + SCALE;
    wrong = pytree_def_parse(text, types, COUNT_OF(types), NULL, &error);
    assert_ok(error.status, &error);
    assert_null(pytree_unflatten(wrong, n, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".first.layer", &error);
    assert_non_null(strstr(error.message, "expected Scale"));
    pytree_def_free(wrong);
    pytree_def_free(def);
}

static void files_hold_what_pointers_lead_to(void **state)
{
    Layer layers[2] = { layer_make(DENSE), layer_make(SCALE) };
    Model model = { 2, layers, layer_make(NUMBER) };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    layers[1].layer = &other;
    layers[0].scale = NULL;
    assert_ok(pytree_save_safetensors("f", PYTREE(&model), &opt, &error), &error);
    copy = pytree_zeros_like(PYTREE(&model), NULL, &error);
    assert_false(pytree_equal(copy, PYTREE(&model), NULL, NULL, NULL));
    assert_ok(pytree_load_safetensors("f", copy, &opt, &error), &error);
    assert_true(pytree_equal(copy, PYTREE(&model), NULL, NULL, &error));
    pytree_free(copy);
    pytree_memory_free(&memory);
}

/* A type that is computed from a pointer: there is one while that is still to be set, and none any more when all is there. */
typedef struct Fickle { float *first; void *x; } Fickle;
#define PYTREE_STRUCT Fickle
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, ARRAY(1), OPTIONAL) PYTREE_FIELD(DATA, x, AS(self->first == NULL ? PYTREE_TYPE(Dense) : NULL))
#include "pytree_registry.h"

typedef struct Number { float *first; void *x; } Number;
#define PYTREE_STRUCT Number
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, ARRAY(1), OPTIONAL) PYTREE_FIELD(DATA, x, AS(self->first == NULL ? PYTREE_TYPE(float) : NULL))
#include "pytree_registry.h"

static void types_that_are_lost(void **state)
{
    static const pytree_type *const known[] = { PYTREE_TYPE(Fickle), PYTREE_TYPE(Dense), PYTREE_TYPE(Number) };
    pytree_error error = { 0 };
    Fickle fickle = { NULL, &dense };
    pytree_leaf leaves[2] = { { weights, PYTREE_TYPE(float), 1, PYTREE_FORM_LEAF, { 1 } } };
    pytree_def *def;
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(&fickle), NULL, &error), 1);
    def = pytree_def_parse("PyTreeDef(CustomNode(Fickle[()], [*, CustomNode(Dense[(3,)], [*])]))", known, COUNT_OF(known), NULL,
                           &error);
    assert_ok(error.status, &error);
    leaves[1] = leaves[0];
    leaves[1].shape[0] = 3;
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".x", &error);
    assert_string_equal(error.message, "expected a type that its row gives, got Dense");
    pytree_def_free(def);
    error = (pytree_error){ 0 };
    def = pytree_def_parse("PyTreeDef(CustomNode(Number[()], [*, *]))", known, COUNT_OF(known), NULL, &error);
    assert_ok(error.status, &error);
    leaves[1].ndim = 0;
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".x", &error);
    assert_string_equal(error.message, "expected a type that its row gives, got a leaf");
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pointer_leads_to_what_its_type_says),
        cmocka_unit_test(whatever_is_made_equals_its_source),
        cmocka_unit_test(a_leaf_goes_behind_the_pointer),
        cmocka_unit_test(another_type_is_refused),
        cmocka_unit_test(custom_nodes_and_rows),
        cmocka_unit_test(memory_is_allocated),
        cmocka_unit_test(pointers_share_what_they_lead_to),
        cmocka_unit_test(pointers_do_not_share_another_type),
        cmocka_unit_test(files_hold_what_pointers_lead_to),
        cmocka_unit_test(types_that_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
