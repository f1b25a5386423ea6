/* Texts: golden/seeds/text.jsonl; what Flax NNX prints of states and models: the group `print` of golden/seeds/nnx.jsonl. */
#include "nnx_values.h"
#include "pytree/display.h"

/* ---- Arrays and sizes ------------------------------------------------------------------------------------------------ */

static void array_case(Golden *g)
{
    const cJSON *array = golden_at(golden_at(g->json, "value"), "array");
    const pytree_leaf *leaf;
    char text[2000];
    if (golden_get(array, "weak") != NULL) { golden_no_counterpart(g); return; }       /* types of C are never weak */
    leaf = array_of(g, array).data;
    assert_true(pytree_array_text(leaf, text, sizeof text) < sizeof text);
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
    return PYTREE_NONE;                   /* bytes, an empty tuple and one of several types are no types of C */
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
    if (foo.type == PYTREE_NONE.type) { golden_no_counterpart(g); return; }
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
    case 3: put_model(&got, PYTREE(&(Head){ .w = true }), "Head"); break;
    case 4: put_model(&got, PYTREE(&(Cell){ &shared, &shared }), "Cell"); break;
    case 5: put_model(&got, PYTREE(&(Small){ .w1 = { { 0 } } }), "Stem"); break;
    case 6: put_model(&got, PYTREE(&large), "Stem"); break;
    case 7: put_state(&got, golden_at(inputs, "m")); printed = strstr(printed, "State("); break;
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

/* ---- Running --------------------------------------------------------------------------------------------------------- */

static void arrays(void **state)
{
    (void)state;
    golden_run("seeds/text", "\"group\": \"array\"", array_case, NULL);
}

static void sizes(void **state)
{
    (void)state;
    golden_run("seeds/text", "\"group\": \"size\"", size_case, NULL);
}

static void static_values(void **state)
{
    (void)state;
    golden_run("seeds/text", "\"group\": \"static\"", static_case, NULL);
}

static void prints(void **state)
{
    (void)state;
    golden_run("seeds/nnx", "\"group\": \"print\"", print_case, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),
        cmocka_unit_test(sizes),
        cmocka_unit_test(static_values),
        cmocka_unit_test(prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
