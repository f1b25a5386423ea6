/* Texts: golden/seeds/text.jsonl; what Flax NNX prints of states and models: the group `print` of golden/seeds/nnx.jsonl. */
#include "nnx_objects.h"
#include "pytree/display.h"

/* The first n characters, in the case's memory. */
static const char *golden_part(Golden *g, const char *text, size_t n)
{
    GoldenText to = { g, NULL, 0, 0 };
    golden_put(&to, text, n);
    return to.at;
}

/* ---- Arrays and sizes ------------------------------------------------------------------------------------------------ */

static void array_case(Golden *g)
{
    const cJSON *array = golden_at(golden_at(g->json, "value"), "array");
    const pytree_leaf *leaf;
    char text[2000];
    leaf = array_of(g, array).data;
    assert_true(pytree_array_text(leaf, text, sizeof text) < sizeof text);
    if (golden_get(array, "weak") != NULL) {                   /* types of C are never weak: the rest of the text is the same */
        const size_t n = strlen(text) - 1;
        golden_check_text(g, "end", ", weak_type=True)", golden_word(g->json, "text") + n);
        golden_check_text(g, "text", golden_part(g, golden_word(g->json, "text"), n), golden_part(g, text, n));
        return;
    }
    golden_check_text(g, "text", golden_word(g->json, "text"), text);
}

static void size_case(Golden *g)
{
    const cJSON *value = golden_at(g->json, "value");
    char text[64];
    (void)pytree_size_text((uint64_t)golden_int(golden_at(value, "elements")), (uint64_t)golden_int(golden_at(value, "bytes")),
                           text, sizeof text);
    golden_check_text(g, "text", golden_word(g->json, "text"), text);
}

/* ---- Static values --------------------------------------------------------------------------------------------------- */

/* A struct for each type of static value: the class Foo of the records. */
typedef struct FooText { const char *c; float a; } FooText;
typedef struct FooInt { int64_t c; float a; } FooInt;
typedef struct FooBool { bool c; float a; } FooBool;
typedef struct FooFloat { double c; float a; } FooFloat;
#if !defined(__TINYC__)                   /* has no complex numbers */
typedef struct FooComplex { double _Complex c; float a; } FooComplex;
#endif
typedef struct FooOne { int64_t c[1]; float a; } FooOne;
typedef struct FooBytes { uint8_t c[3]; float a; } FooBytes;

#define PYTREE_STRUCT FooText
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"
#define PYTREE_STRUCT FooInt
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"
#define PYTREE_STRUCT FooBool
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"
#define PYTREE_STRUCT FooFloat
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"
#if !defined(__TINYC__)
#define PYTREE_STRUCT FooComplex
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"
#endif
#define PYTREE_STRUCT FooOne
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"
#define PYTREE_STRUCT FooBytes
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"

#define MAKE(Type, ...) (made = golden_alloc(g, 1, sizeof(Type)), *(Type *)made = (Type){ __VA_ARGS__ }, PYTREE((Type *)made))

static pytree foo_of(Golden *g, const cJSON *value)
{
    const cJSON *tuple = golden_get(value, "tuple"), *parts = golden_get(value, "complex");
    const char *digits = golden_marked(value);
    void *made;
    if (cJSON_IsNull(value)) { return MAKE(FooText, NULL, 0); }
    if (cJSON_IsBool(value)) { return MAKE(FooBool, cJSON_IsTrue(value) != 0, 0); }
    if (golden_get(value, "float") != NULL || (digits != NULL && strpbrk(digits, ".e") != NULL)) {
        return MAKE(FooFloat, nnx_double(value), 0);
    }
    if (cJSON_IsNumber(value)) { return MAKE(FooInt, golden_int(value), 0); }
    if (cJSON_IsString(value)) { return MAKE(FooText, golden_string(value), 0); }
#if !defined(__TINYC__)
    if (parts != NULL) {
        pytree foo = MAKE(FooComplex, 0, 0);
        ((double *)foo.data)[0] = golden_double(parts->child);
        ((double *)foo.data)[1] = golden_double(parts->child->next);
        return foo;
    }
#else
    if (parts != NULL) { return PYTREE_NONE; }
#endif
    if (tuple != NULL && cJSON_GetArraySize(tuple) == 1) { return MAKE(FooOne, { golden_int(tuple->child) }, 0); }
    return PYTREE_NONE;                   /* bytes, an empty tuple and one of several types: no member of a struct is one */
}

PYTREE_CLASS(Foo, Module);

/* A static value that no member of a struct can be, as literal: a tuple, whose values are of several types or none. */
static pytree tuple_of(Golden *g, const cJSON *value)
{
    const cJSON *tuple = golden_get(value, "tuple"), *item;
    pytree_items *items;
    pytree *at;
    if (tuple == NULL) { return cJSON_IsNull(value) ? PYTREE_NONE : nnx_scalar(g, value); }
    items = golden_alloc(g, 1, sizeof *items);
    items->items = at = golden_alloc(g, (size_t)cJSON_GetArraySize(tuple) + 1, sizeof *at);
    cJSON_ArrayForEach(item, tuple) { at[items->count++] = tuple_of(g, item); }
    return (pytree){ &pytree_types[PYTREE__T_tuple], items };
}

/* An object has them: its treedef shows a static attribute as a node of its own, after the names. */
static void static_object_case(Golden *g, const char *expected)
{
    const cJSON *value = golden_at(g->json, "value");
    GoldenText wanted = { g, NULL, 0, 0 };
    pytree_error error = { 0 };
    float a = 0;
    pytree foo = pytree_new_object(&pytree_class_Foo, NULL, &error);
    pytree_def *def;
    char got[300];
    pytree_object_put(foo, "a", PYTREE_SCALAR(&a), &error);
    pytree_object_put_copy(foo, "c", PYTREE_AS_STATIC(tuple_of(g, value)), &error);
    def = pytree_structure(foo, NULL, &error);
    if (golden_check_ok(g, "object", &error)) {
        const char *from = strstr(expected, "[(") + 2;         /* "PyTreeDef(CustomNode(Foo[(" text ",)], [*]))" */
        golden_puts(&wanted, "PyTreeDef(CustomNode(Foo[None], [*, CustomNode(static[");
        golden_put(&wanted, from, strlen(from) - strlen(",)], [*]))"));
        golden_puts(&wanted, "], [])]))");
        (void)pytree_def_text(def, got, sizeof got);
        golden_check_text(g, "text", wanted.at, got);
    }
    pytree_def_free(def);
    pytree_container_free(foo);
}

/* Bytes are an array of numbers in C, which is written as a tuple of them. */
static void static_bytes_case(Golden *g)
{
    const FooBytes foo = { { 'a', 'b', 0 }, 0 };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&foo), NULL, &error);
    char got[300];
    if (!golden_check_ok(g, "structure", &error)) { return; }
    assert_non_null(strstr(golden_word(g->json, "text"), "b'ab\\x00'"));
    (void)pytree_def_text(def, got, sizeof got);
    golden_check_text(g, "text", "PyTreeDef(CustomNode(FooBytes[((97, 98, 0),)], [*]))", got);
    pytree_def_free(def);
}

/* The treedef of a Foo, in which the class has the name of the struct. */
static void static_case(Golden *g)
{
    const char *text = golden_word(g->json, "text"), *name = strstr(text, "Foo");
    const pytree foo = foo_of(g, golden_at(g->json, "value"));
    GoldenText expected = { g, NULL, 0, 0 };
    pytree_error error = { 0 };
    pytree_def *def;
    char got[300];
    if (foo.type == PYTREE_NONE.type) {
        if (golden_get(golden_at(g->json, "value"), "tuple") != NULL) { static_object_case(g, text); }
        else if (golden_get(golden_at(g->json, "value"), "bytes") != NULL) { static_bytes_case(g); }
        else { golden_no_counterpart(g); }                     /* a complex number under tcc, which has none */
        return;
    }
    golden_put(&expected, text, (size_t)(name - text));
    golden_puts(&expected, foo.type->name);
    golden_puts(&expected, name + 3);
    def = pytree_structure(foo, NULL, &error);
    if (!golden_check_ok(g, "structure", &error)) { return; }
    (void)pytree_def_text(def, got, sizeof got);
    pytree_def_free(def);
    golden_check_text(g, "text", expected.at, got);
}

/* ---- States and models ----------------------------------------------------------------------------------------------- */

typedef struct Body { float c[3], w[1][3]; } Body;
#define PYTREE_STRUCT Body
#define PYTREE_FIELDS PYTREE_FIELD(DATA, c, ROLE(Param)) PYTREE_FIELD(DATA, w, ROLE(BatchStat))
#include "pytree_registry.h"

typedef struct Head { float w10[3][1]; Body b; float right[3]; bool w; float Z[3][2]; } Head;
#define PYTREE_STRUCT Head
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, w10) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, right, ROLE(BatchStat)) PYTREE_FIELD(STATIC, w)    \
    PYTREE_FIELD(DATA, Z, ROLE(Param))
#include "pytree_registry.h"

typedef struct Baz { float y[2]; } Baz;
#define PYTREE_STRUCT Baz
#define PYTREE_FIELDS PYTREE_FIELD(DATA, y, ROLE(Param))
#include "pytree_registry.h"

typedef struct Cell { Baz *left, *w; } Cell;
#define PYTREE_STRUCT Cell
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, w)
#include "pytree_registry.h"

typedef struct Small { float w1[3][2]; int32_t w10[2]; pytree_f16 aux[2]; } Small;
#define PYTREE_STRUCT Small
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, w1, ROLE(Param)) PYTREE_FIELD(DATA, w10, ROLE(Param)) PYTREE_FIELD(DATA, aux, ROLE(Param))
#include "pytree_registry.h"

typedef struct Large { float w1[100][100], w10[250], aux[251]; } Large;
#define PYTREE_STRUCT Large
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, w1, ROLE(Param)) PYTREE_FIELD(DATA, w10, ROLE(BatchStat)) PYTREE_FIELD(DATA, aux, ROLE(Cache))
#include "pytree_registry.h"

static Large large;

/* The text of a tree behind what there is, with the end of a line. */
static void put_display(GoldenText *to, bool as_state, pytree t, const char *name)
{
    pytree_error error = { 0 };
    char *text = golden_alloc(to->golden, 4000, 1);
    const size_t n = (as_state ? pytree_state_text : pytree_display_text)(t, text, 4000, NULL, &error);
    if (!golden_check_ok(to->golden, name, &error)) { return; }
    assert_true(n < 4000);
    golden_puts(to, text);
    golden_puts(to, "\n");
}

/* The text of a model's state. */
static void put_state(GoldenText *to, const cJSON *model)
{
    pytree_error error = { 0 };
    pytree_flat state = pytree_state(value_of(to->golden, model), PYTREE_EVERYTHING, NULL, &error);
    if (golden_check_ok(to->golden, "state", &error)) { put_display(to, true, PYTREE(&state), "text"); }
    pytree_flat_free(&state);
}

/* Puts a text whose lines behind the first stand further to the right. */
static void put_indented(GoldenText *to, const char *text)
{
    for (; *text != '\0'; text++) {
        golden_put(to, text, 1);
        if (*text == '\n') { golden_puts(to, "  "); }
    }
}

/* The places of a model one by one, as NNX prints a flat state: the path as a tuple of Python, then the value. */
static void put_places(GoldenText *to, const cJSON *model)
{
    Golden *const g = to->golden;
    pytree_error error = { 0 };
    pytree_place_list *list = pytree_places(value_of(g, model), PYTREE_EVERYTHING, NULL, &error);
    char *text = golden_alloc(g, 4000, 1);
    size_t i, k;
    if (!golden_check_ok(g, "places", &error)) { return; }
    golden_puts(to, "FlatState([\n");
    for (i = 0; i < list->n; i++) {
        const pytree_place *at = &list->places[i];
        pytree value = pytree_of_view(at->view);
        pytree_variable variable = { .value = value };
        if (at->role != NULL) { value = (pytree){ at->role, &variable }; }
        golden_puts(to, "  ((");
        for (k = 0; k < at->path.n; k++) {
            golden_puts(to, k == 0 ? "'" : " '");
            golden_puts(to, at->path.entries[k].name);
            golden_puts(to, k == 0 || k + 1 < at->path.n ? "'," : "'");
        }
        golden_puts(to, "), ");
        assert_true(pytree_display_text(value, text, 4000, NULL, &error) < 4000);
        put_indented(to, text);
        golden_puts(to, i + 1 < list->n ? "),\n" : ")\n");
    }
    golden_puts(to, "])\n");
    golden_check_ok(g, "text", &error);
    pytree_places_free(list);
}

/* Text with the name of a struct in place of the class's. */
static void put_model(GoldenText *to, pytree model, const char *class_name)
{
    GoldenText own = { to->golden, NULL, 0, 0 };
    put_display(&own, false, model, "model");
    assert_memory_equal(own.at, model.type->name, strlen(model.type->name));
    golden_puts(to, class_name);
    golden_puts(to, own.at + strlen(model.type->name));
}

static void print_case(Golden *g)
{
    const char *number = strrchr(g->id, '.') + 1, *printed = golden_word(g->json, "printed");
    const cJSON *inputs = golden_at(g->json, "inputs");
    GoldenText got = { g, NULL, 0, 0 };
    Baz shared = { { 0 } };
    golden_puts(&got, "");
    switch (atoi(number)) {
    case 1: put_state(&got, golden_at(inputs, "m")); break;
    case 2: put_places(&got, golden_at(inputs, "m")); break;
    case 3: put_model(&got, PYTREE(&(Head){ .w = true }), "Head"); break;
    case 4: put_model(&got, PYTREE(&(Cell){ &shared, &shared }), "Cell"); break;
    case 5: put_model(&got, PYTREE(&(Small){ .w1 = { { 0 } } }), "Stem"); break;
    case 6: put_model(&got, PYTREE(&large), "Stem"); break;
    case 8:
        put_display(&got, false, value_of(g, golden_at(inputs, "t")), "t");
        put_display(&got, false, value_of(g, golden_at(inputs, "d")), "d");
        put_display(&got, false, value_of(g, golden_at(inputs, "i")), "i");
        printed = strstr(printed, "Intermediate(");
        break;
    default: golden_no_counterpart(g); return;
    }
    golden_check_text(g, "printed", printed, got.at);
}

/* ---- Tables ---------------------------------------------------------------------------------------------------------- */

/* Zeros of a shape. */
static pytree zeros(Golden *g, const pytree_type *type, int ndim, size_t rows, size_t columns)
{
    pytree_leaf *leaf = golden_alloc(g, 1, sizeof *leaf);
    *leaf = (pytree_leaf){ .type = type, .ndim = ndim, .shape = { rows, columns } };
    leaf->data = golden_alloc(g, pytree_leaf_count(leaf) + 1, type->size);
    return pytree_of_view(leaf);
}

static void put_variable(pytree module, const char *name, const pytree_type *role, pytree value)
{
    pytree_object_put_own(module, name, pytree_new_variable(role, value, NULL, NULL), NULL);
}

static pytree module_of(Golden *g, const char *name) { return pytree_new_object(nnx_class(g, name, false), NULL, NULL); }

static pytree linear_of(Golden *g, size_t din, size_t dout)
{
    pytree m = module_of(g, "Linear");
    put_variable(m, "kernel", &pytree_role_Param, zeros(g, PYTREE_TYPE(float), 2, din, dout));
    put_variable(m, "bias", &pytree_role_Param, zeros(g, PYTREE_TYPE(float), 1, dout, 0));
    return m;
}

/* The class Cell of the records: Linear and BatchNorm. */
static pytree cell_of(Golden *g, size_t din, size_t dout)
{
    static const char *const names[] = { "scale", "bias", "mean", "var" };
    pytree m = module_of(g, "Cell"), norm = module_of(g, "BatchNorm");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        put_variable(norm, names[i], i < 2 ? &pytree_role_Param : &pytree_role_BatchStat,
                     zeros(g, PYTREE_TYPE(float), 1, dout, 0));
    }
    pytree_object_put_own(m, "Z", linear_of(g, din, dout), NULL);
    pytree_object_put_own(m, "x", norm, NULL);
    return m;
}

static void call_cell(Golden *g, pytree_table *table, pytree cell, size_t din, size_t dout)
{
    const pytree x = zeros(g, PYTREE_TYPE(float), 2, 3, din), y = zeros(g, PYTREE_TYPE(float), 2, 3, dout);
    pytree_table_call(table, cell, x, y, NULL);
    pytree_table_call(table, pytree_object_get(cell, "Z", NULL), x, y, NULL);
    pytree_table_call(table, pytree_object_get(cell, "x", NULL), y, y, NULL);
}

/* The model of a record; its calls are in the table. */
static pytree model_of(Golden *g, int number, pytree_table *table)
{
    const size_t dout = number == 3 ? 3 : 6;
    pytree m = number == 5 ? linear_of(g, 128, 10) : module_of(g, "Foo"), scale, right;
    if (number == 5) {
        pytree_table_call(table, m, zeros(g, PYTREE_TYPE(float), 2, 1, 128), zeros(g, PYTREE_TYPE(float), 2, 1, 10), NULL);
        return m;
    }
    if (number == 4) {
        const pytree x = zeros(g, PYTREE_TYPE(float), 2, 2, 3), y = zeros(g, PYTREE_TYPE(int32_t), 1, 3, 0);
        put_variable(m, "Z", &pytree_role_Param, zeros(g, PYTREE_TYPE(float), 2, 3, 6));
        put_variable(m, "x", role_of(g, "Stat"), zeros(g, PYTREE_TYPE(int32_t), 1, 6, 0));
        put_variable(m, "scale", &pytree_role_Cache, zeros(g, PYTREE_TYPE(pytree_f16), 0, 0, 0));
        pytree_table_call(table, m, PYTREE_TUPLE(x, y),
                          PYTREE_DICT({ "u", zeros(g, PYTREE_TYPE(float), 2, 2, 6) }, { "v", PYTREE_TUPLE(y, x) }), NULL);
        return m;
    }
    scale = cell_of(g, 3, dout);
    right = number == 3 ? scale : cell_of(g, 6, 6);
    pytree_object_put_own(m, "scale", scale, NULL);
    if (number == 3) { pytree_object_put(m, "right", right, NULL); } else { pytree_object_put_own(m, "right", right, NULL); }
    pytree_table_call(table, m, zeros(g, PYTREE_TYPE(float), 2, 3, 3), zeros(g, PYTREE_TYPE(float), 2, 3, dout), NULL);
    call_cell(g, table, scale, 3, dout);
    if (number != 3) { call_cell(g, table, right, 6, 6); }     /* what is called twice with the same shapes is traced once */
    return m;
}

static void tabulate_case(Golden *g)
{
    const int number = atoi(strrchr(g->id, '.') + 1);
    pytree_error error = { 0 };
    pytree_table *table = pytree_table_new(NULL, &error);
    pytree m = model_of(g, number, table);
    char *text = golden_alloc(g, 20000, 1);
    const size_t n = pytree_tabulate_text(m, table, number == 2 ? 1 : 0, text, 20000, NULL, &error);
    assert_true(n < 19999);
    strcat(text, "\n");
    golden_check_ok(g, "tabulate", &error);
    golden_check_text(g, "printed", golden_word(g->json, "printed"), text);
    pytree_table_free(table);
    pytree_container_free(m);
}

/* ---- Running --------------------------------------------------------------------------------------------------------- */

#if defined(__TINYC__)
enum { NO_COMPLEX = 1 };
#else
enum { NO_COMPLEX = 0 };
#endif

static void arrays(void **state)
{
    (void)state;
    golden_run_exactly("seeds/text", "\"group\": \"array\"", array_case, 53, 0);
}

static void sizes(void **state)
{
    (void)state;
    golden_run_exactly("seeds/text", "\"group\": \"size\"", size_case, 26, 0);
}

static void static_values(void **state)
{
    (void)state;
    golden_run_exactly("seeds/text", "\"group\": \"static\"", static_case, 32 - NO_COMPLEX, NO_COMPLEX);
}

static void prints(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"print\"", print_case, 7, 2);
}

static void tables(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"tabulate\"", tabulate_case, 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),
        cmocka_unit_test(sizes),
        cmocka_unit_test(static_values),
        cmocka_unit_test(prints),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
