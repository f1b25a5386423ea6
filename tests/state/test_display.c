/* States and models as text: what stands where, numbers in columns, errors, depth, memory that runs out. */
#include "support.h"
#include "pytree/display.h"
#include "pytree/object.h"

PYTREE_ROLE(Frozen, Param);

typedef struct Dense {
    int din, _seed;
    float *kernel, *bias;
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, _seed)                                                                                         \
    PYTREE_FIELD(DATA, kernel, ARRAY(self->din, 2), ROLE(Param))                                                        \
    PYTREE_FIELD(DATA, bias, ARRAY(2), OPTIONAL, ROLE(Frozen))
#include "pytree_registry.h"

typedef struct Net {
    size_t n;
    Dense *layers;
    Dense *head;
    float mean[3], scale;
    Dense cache;
    uint32_t key[2], count;
    pytree extra;
    const char *name;
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, layers, LIST(self->n))                                                                           \
    PYTREE_FIELD(DATA, head, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, mean)                                                                                            \
    PYTREE_FIELD(DATA, scale, ROLE(BatchStat))                                                                          \
    PYTREE_FIELD(DATA, cache, ROLE(Cache))                                                                              \
    PYTREE_FIELD(DATA, key, ROLE(RngKey))                                                                               \
    PYTREE_FIELD(DATA, count, ROLE(RngCount))                                                                           \
    PYTREE_FIELD(DATA, extra)                                                                                           \
    PYTREE_FIELD(STATIC, name)
#include "pytree_registry.h"

static float numbers[4] = { 1, 2.5f, -3, 4 };
static Dense one = { 1, 7, numbers, NULL }, two = { 2, 7, numbers, numbers };

static void assert_text(size_t n, const char *text, const char *expected)
{
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
}

/* ---- Models ---------------------------------------------------------------------------------------------------------- */

/* Static fields, shapes for arrays of several elements, None, no line for what begins with _. */
static void structs(void **state)
{
    pytree_error error = { 0 };
    char text[1000];
    (void)state;
    assert_text(pytree_display_text(PYTREE(&one), text, sizeof text, NULL, &error), text,
        "Dense( # Param: 2 (8 B)\n"
        "  din=1,\n"
        "  kernel=Param( # 2 (8 B)\n"
        "    value=Array(shape=(1, 2), dtype=dtype('float32'))\n"
        "  ),\n"
        "  bias=None\n"
        ")");
    assert_ok(error.status, &error);
}

/* Lists of structs, roles of whole structs, roles of the program's own, random streams counted together, Python's literals. */
static void nested(void **state)
{
    Dense layers[1] = { one };
    Net net = { .n = 1, .layers = layers, .head = &two, .scale = 0.5f, .cache = one, .name = "it's",
                .extra = PYTREE_TUPLE(PYTREE_INT(3), PYTREE_DICT({ "x", PYTREE_ARRAY(numbers, 4) })) };
    pytree_error error = { 0 };
    char text[2500];
    (void)state;
    assert_text(pytree_display_text(PYTREE(&net), text, sizeof text, NULL, &error), text,
        "Net( # Cache: 2 (8 B), RngState: 3 (12 B), Frozen: 2 (8 B), Param: 6 (24 B), BatchStat: 1 (4 B), Total: 14 (56 B)\n"
        "  n=1,\n"
        "  layers=List([\n"
        "    Dense( # Param: 2 (8 B)\n"
        "      din=1,\n"
        "      kernel=Param( # 2 (8 B)\n"
        "        value=Array(shape=(1, 2), dtype=dtype('float32'))\n"
        "      ),\n"
        "      bias=None\n"
        "    )\n"
        "  ]),\n"
        "  head=Dense( # Frozen: 2 (8 B), Param: 4 (16 B), Total: 6 (24 B)\n"
        "    din=2,\n"
        "    kernel=Param( # 4 (16 B)\n"
        "      value=Array(shape=(2, 2), dtype=dtype('float32'))\n"
        "    ),\n"
        "    bias=Frozen( # 2 (8 B)\n"
        "      value=Array(shape=(2,), dtype=dtype('float32'))\n"
        "    )\n"
        "  ),\n"
        "  mean=Array(shape=(3,), dtype=dtype('float32')),\n"
        "  scale=BatchStat( # 1 (4 B)\n"
        "    value=Array(0.5, dtype=float32)\n"
        "  ),\n"
        "  cache=Cache( # 2 (8 B)\n"
        "    value=Dense( # Cache: 2 (8 B)\n"
        "      din=1,\n"
        "      kernel=Param(\n"
        "        value=Array(shape=(1, 2), dtype=dtype('float32'))\n"
        "      ),\n"
        "      bias=None\n"
        "    )\n"
        "  ),\n"
        "  key=RngKey( # 2 (8 B)\n"
        "    value=Array(shape=(2,), dtype=dtype('uint32'))\n"
        "  ),\n"
        "  count=RngCount( # 1 (4 B)\n"
        "    value=Array(0, dtype=uint32)\n"
        "  ),\n"
        "  extra=(3, {'x': Array(shape=(4,), dtype=dtype('float32'))}),\n"
        "  name=\"it's\"\n"
        ")");
    assert_ok(error.status, &error);
}

typedef struct Ring {
    float *w;
    struct Ring *next;
} Ring;

#define PYTREE_STRUCT Ring
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2), ROLE(Param)) PYTREE_FIELD(DATA, next)
#include "pytree_registry.h"

/* A cycle ends at what stood before; an array that is shared is counted once, and written again. */
static void cycles(void **state)
{
    Ring a = { numbers, NULL }, b = { numbers, &a };
    pytree_error error = { 0 };
    char text[600];
    (void)state;
    a.next = &b;
    assert_text(pytree_display_text(PYTREE(&a), text, sizeof text, NULL, &error), text,
        "Ring( # Param: 2 (8 B)\n"
        "  w=Param( # 2 (8 B)\n"
        "    value=Array(shape=(2,), dtype=dtype('float32'))\n"
        "  ),\n"
        "  next=Ring(\n"
        "    w=Param( # 2 (8 B)\n"
        "      value=Array(shape=(2,), dtype=dtype('float32'))\n"
        "    ),\n"
        "    next=Ring(...)\n"
        "  )\n"
        ")");
    assert_ok(error.status, &error);
}

PYTREE_CLASS(Stem, Module);

/* Objects: static attributes, the classes List and Dict, whose arrays are written with their values. */
static void objects(void **state)
{
    pytree_error error = { 0 };
    pytree stem = pytree_new_object(&pytree_class_Stem, NULL, &error), list, dict;
    char text[700];
    (void)state;
    list = pytree_new_object(&pytree_class_List, NULL, &error);
    dict = pytree_new_object(&pytree_class_Dict, NULL, &error);
    pytree_list_append_copy(list, PYTREE_ARRAY(numbers, 2), &error);
    pytree_list_append_own(list, pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 2), NULL, &error), &error);
    pytree_object_put_own(dict, "u", pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 1), NULL, &error), &error);
    pytree_object_put_copy(stem, "w", PYTREE_BOOL(true), &error);
    pytree_object_put_copy(stem, "k", PYTREE_ARRAY(numbers, 4), &error);
    pytree_object_put_own(stem, "aux", list, &error);
    pytree_object_put_own(stem, "bias", dict, &error);
    assert_ok(error.status, &error);
    assert_text(pytree_display_text(stem, text, sizeof text, NULL, &error), text,
        "Stem( # Param: 3 (12 B)\n"
        "  aux=List([\n"
        "    Array([1. , 2.5], dtype=float32),\n"
        "    Param( # 2 (8 B)\n"
        "      value=Array([1. , 2.5], dtype=float32)\n"
        "    )\n"
        "  ]),\n"
        "  bias=Dict({\n"
        "    'u': Param( # 1 (4 B)\n"
        "      value=Array([1.], dtype=float32)\n"
        "    )\n"
        "  }),\n"
        "  k=Array(shape=(4,), dtype=dtype('float32')),\n"
        "  w=True\n"
        ")");
    assert_ok(error.status, &error);
    pytree_container_free(stem);
}

/* ---- States ---------------------------------------------------------------------------------------------------------- */

/* Dicts and values with a role over several lines; what is in such a value as Python writes it. */
static void states(void **state)
{
    pytree value = PYTREE_DICT({ "k", PYTREE_ARRAY(numbers, 2, 2) }, { "n", PYTREE_NONE });
    pytree tree = PYTREE_DICT({ "b", PYTREE_VARIABLE(Cache, value) }, { "a", PYTREE_DICT() },
                              { "c", PYTREE_IDICT({ 7, PYTREE_STR("x") }) });
    pytree_error error = { 0 };
    char text[1000], few[20];
    size_t n;
    (void)state;
    n = pytree_state_text(tree, text, sizeof text, NULL, &error);
    assert_text(n, text,
        "State({\n"
        "  'a': {},\n"
        "  'b': Cache( # 4 (16 B)\n"
        "    value={'k': Array([[ 1. ,  2.5],\n"
        "           [-3. ,  4. ]], dtype=float32), 'n': None}\n"
        "  ),\n"
        "  'c': {\n"
        "    7: 'x'\n"
        "  }\n"
        "})");
    assert_int_equal(pytree_state_text(tree, few, sizeof few, NULL, &error), n);       /* cut, like snprintf's */
    assert_memory_equal(few, text, sizeof few - 1);
    assert_int_equal(few[sizeof few - 1], '\0');
    assert_text(pytree_state_text(PYTREE_DICT(), text, sizeof text, NULL, &error), text, "State({})");
    assert_text(pytree_state_text(PYTREE_VARIABLE(Param, PYTREE_INT(4)), text, sizeof text, NULL, &error), text,
                "Param(\n  value=4\n)");
    assert_ok(error.status, &error);
}

/* Other containers as Python writes them; a shape without data as JAX does. */
static void containers(void **state)
{
    pytree_leaf shape = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 3 } };
    pytree_error error = { 0 };
    char text[300];
    const pytree point = PYTREE_NAMEDTUPLE("Point", { "x", PYTREE_INT(1) }, { "y", PYTREE_NONE });
    const pytree dict = PYTREE_ODICT({ "k", PYTREE_FLOAT(1) });
    const pytree all = PYTREE_LIST(PYTREE_TUPLE(PYTREE_BOOL(true)), dict, point, PYTREE_TUPLE());
    (void)state;
    assert_text(pytree_display_text(all, text, sizeof text, NULL, &error), text,
                "[(True,), OrderedDict({'k': 1.0}), Point(x=1, y=None), ()]");
    assert_text(pytree_array_text(&shape, text, sizeof text), text,
                "ShapeDtypeStruct(shape=(2, 3), dtype=float32)");
    assert_ok(error.status, &error);
}

/* ---- Printing -------------------------------------------------------------------------------------------------------- */

static void files(void **state)
{
    FILE *file = tmpfile();
    pytree_error error = { 0 };
    pytree stem = pytree_new_object(&pytree_class_Stem, NULL, &error);
    char text[500], name[301], expected[500];
    size_t n;
    (void)state;
    memset(name, 'x', 300);               /* longer than what is at hand without memory */
    name[300] = '\0';
    pytree_object_put_copy(stem, "w", PYTREE_STR(name), &error);
    assert_non_null(file);
    assert_ok(pytree_state_print(file, PYTREE_DICT({ "a", PYTREE_INT(1) }), NULL, &error), &error);
    assert_ok(pytree_display(file, PYTREE_LIST(PYTREE_INT(1)), NULL, &error), &error);
    assert_ok(pytree_display(file, stem, NULL, &error), &error);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    snprintf(expected, sizeof expected, "State({\n  'a': 1\n})\n[1]\nStem(\n  w='%s'\n)\n", name);
    assert_string_equal(text, expected);
    fclose(file);
    pytree_container_free(stem);
}

/* A tree that is not valid is refused with its path, and nothing is written. */
static void refused(void **state)
{
    Dense wrong = { .din = -1, .kernel = numbers };
    pytree_error error = { 0 };
    char text[20] = "before";
    (void)state;
    assert_int_equal(pytree_display_text(PYTREE(&wrong), text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_BAD_COUNT, ".kernel", &error);
    assert_string_equal(text, "");
    assert_int_equal(pytree_state_text(PYTREE(&wrong), text, sizeof text, NULL, NULL), SIZE_MAX);
    memset(&error, 0, sizeof error);
    assert_error(pytree_display(NULL, PYTREE(&one), NULL, &error), PYTREE_ARGUMENT, NULL, &error);
}

/* A hundred thousand lists in one another. */
static void deep(void **state)
{
    enum { DEPTH = 100000 };
    pytree *at = calloc(DEPTH + 1, sizeof *at);
    pytree_items *items = calloc(DEPTH, sizeof *items);
    char *text = malloc(2 * DEPTH + 2);
    pytree_error error = { 0 };
    pytree_table *table;
    size_t i;
    (void)state;
    assert_non_null(at);
    assert_non_null(items);
    assert_non_null(text);
    at[0] = PYTREE_INT(5);
    for (i = 0; i < DEPTH; i++) {
        items[i].count = 1;
        items[i].items = &at[i];
        at[i + 1] = (pytree){ &pytree_types[PYTREE__T_list], &items[i] };
    }
    assert_int_equal(pytree_display_text(at[DEPTH], text, 2 * DEPTH + 2, NULL, &error), 2 * DEPTH + 1);
    assert_int_equal(text[DEPTH - 1], '[');
    assert_int_equal(text[DEPTH], '5');
    assert_int_equal(text[DEPTH + 1], ']');
    table = pytree_table_new(NULL, &error);
    assert_ok(pytree_table_call(table, PYTREE(&one), at[1000], at[1000], &error), &error);
    pytree_table_free(table);
    free(at);
    free(items);
    free(text);
}

/* ---- Tables ---------------------------------------------------------------------------------------------------------- */

typedef struct Tower {
    Dense *left, *right;
    Dense in_place;
    uint32_t key[2], count;
} Tower;

#define PYTREE_STRUCT Tower
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, left)                                                                                            \
    PYTREE_FIELD(DATA, right)                                                                                           \
    PYTREE_FIELD(DATA, in_place)                                                                                        \
    PYTREE_FIELD(DATA, key, ROLE(RngKey))                                                                               \
    PYTREE_FIELD(DATA, count, ROLE(RngCount))
#include "pytree_registry.h"

static float weights[4], bias[2];
static Dense shared_dense = { 2, 0, weights, bias };
static Tower tower = { &shared_dense, &shared_dense, { 1, 0, weights + 2, NULL }, { 0, 0 }, 0 };

/* A row for each call, in their order; what is shared stands at its first path and counts once; a struct in place has the
 * address of nothing else but its own type. */
static pytree_table *calls_of_tower(const pytree_options *opt, pytree_error *err)
{
    pytree_table *table = pytree_table_new(opt, err);
    const float x[2] = { 0 };
    const pytree in = PYTREE_ARRAY(x, 1, 2);
    if (table == NULL) { return NULL; }
    pytree_table_call(table, PYTREE(&tower), PYTREE_TUPLE(in, PYTREE_INT(3), PYTREE_STR("gelu")),
                      PYTREE_DICT({ "a", PYTREE_LIST(PYTREE_LIST(in, PYTREE_NONE), PYTREE_LIST()) },
                                  { "b", PYTREE_DICT({ "c", in }, { "d", PYTREE_DICT() }) }), err);
    pytree_table_call(table, PYTREE(&shared_dense), in, PYTREE_LIST(PYTREE_DICT({ "y", in }, { "z", in })), err);
    pytree_table_call(table, PYTREE(&tower.in_place), PYTREE_TUPLE(), in, err);
    return table;
}

static const char *const table_of_tower[] = {
    "┃ path     ┃ type  ┃ inputs         ┃ outputs           ┃ Frozen           ┃ Param                ┃ RngState        ┃\n",
    "│          │ Tower │ - float32[1,2] │ a:                │ 2 (8 B)          │ 6 (24 B)             │ count: uint32[] │\n",
    "│          │       │ - 3            │ - - float32[1,2]  │                  │                      │ key: uint32[2]  │\n",
    "│          │       │ - 'gelu'       │   - None          │                  │                      │                 │\n",
    "│          │       │                │ - []              │                  │                      │ 3 (12 B)        │\n",
    "│          │       │                │ b:                │                  │                      │                 │\n",
    "│          │       │                │   c: float32[1,2] │                  │                      │                 │\n",
    "│          │       │                │   d: {}           │                  │                      │                 │\n",
    "│ left     │ Dense │ float32[1,2]   │ - y: float32[1,2] │ bias: float32[2] │ kernel: float32[2,2] │                 │\n",
    "│          │       │                │   z: float32[1,2] │                  │                      │                 │\n",
    "│ in_place │ Dense │                │ float32[1,2]      │                  │ kernel: float32[1,2] │                 │\n",
    "│          │       │                │             Total │ 2 (8 B)          │ 6 (24 B)             │ 3 (12 B)        │\n",
    "Total Parameters: 11 (44 B)\n",
};

static void tables(void **state)
{
    pytree_error error = { 0 };
    pytree_table *table = calls_of_tower(NULL, &error);
    FILE *file = tmpfile();
    char text[9000], again[9000];
    const char *at = text;
    size_t n;
    (void)state;
    assert_non_null(file);
    assert_ok(pytree_tabulate(file, PYTREE(&tower), table, 0, NULL, &error), &error);
    rewind(file);
    n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    for (size_t i = 0; i < COUNT_OF(table_of_tower); i++) {
        at = strstr(at, table_of_tower[i]);
        if (at == NULL) { fail_msg("expected behind the lines before it\n%sgot\n%s", table_of_tower[i], text); }
        at += strlen(table_of_tower[i]);
    }
    assert_int_equal(pytree_tabulate_text(PYTREE(&tower), table, 0, again, sizeof again, NULL, &error) + 1, n);
    text[n - 1] = '\0';
    assert_string_equal(again, text);
    assert_true(pytree_tabulate_text(PYTREE(&tower), table, 1, again, 10, NULL, &error) > 10);   /* cut */
    pytree_table_free(table);
    assert_true(pytree_tabulate_text(PYTREE(&tower), NULL, 0, again, sizeof again, NULL, &error) < sizeof again);
    assert_null(strstr(again, "Dense"));
    assert_non_null(strstr(again, "Total Parameters: 11 (44 B)"));
    fclose(file);
    assert_ok(error.status, &error);
}

static void tables_refused(void **state)
{
    Dense stranger = { 2, 0, weights, NULL };
    pytree_error error = { 0 };
    pytree_table *table = pytree_table_new(NULL, &error);
    char text[200] = "before";
    (void)state;
    assert_ok(pytree_table_call(NULL, PYTREE(&tower), PYTREE_TUPLE(), PYTREE_TUPLE(), &error), &error);
    assert_error(pytree_table_call(table, (pytree){ NULL, NULL }, PYTREE_TUPLE(), PYTREE_TUPLE(), &error), PYTREE_ARGUMENT,
                 NULL, &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_table_call(table, PYTREE(&stranger), PYTREE_TUPLE(), PYTREE_TUPLE(), &error), &error);
    assert_int_equal(pytree_tabulate_text(PYTREE(&tower), table, 0, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
    assert_string_equal(error.message, "expected calls of nodes of the tree, got one of a Dense that is not in it");
    assert_string_equal(text, "");
    memset(&error, 0, sizeof error);
    assert_error(pytree_tabulate(NULL, PYTREE(&tower), table, 0, NULL, &error), PYTREE_ARGUMENT, NULL, &error);
    pytree_table_free(table);
    pytree_table_free(NULL);
}

static pytree_status tabulate_body(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_table *table = calls_of_tower(opt, err);
    char text[9000];
    (void)context;
    if (err->status == PYTREE_OK && pytree_tabulate_text(PYTREE(&tower), table, 0, text, sizeof text, opt, err) == SIZE_MAX) {
        assert_string_equal(text, "");
    }
    pytree_table_free(table);
    return err->status;
}

static void table_memory(void **state)
{
    (void)state;
    assert_true(sweep_allocations(tabulate_body, NULL) > 10);
}

static pytree_status display_body(void *context, const pytree_options *opt, pytree_error *err)
{
    char text[2500];
    (void)context;
    if (pytree_display_text(PYTREE(&two), text, sizeof text, opt, err) == SIZE_MAX) {
        assert_string_equal(text, "");
        return err->status;
    }
    (void)pytree_state_text(PYTREE_DICT({ "k", PYTREE(&two) }), text, sizeof text, opt, err);
    return err->status;
}

static void memory(void **state)
{
    (void)state;
    assert_true(sweep_allocations(display_body, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs), cmocka_unit_test(nested), cmocka_unit_test(cycles), cmocka_unit_test(objects),
        cmocka_unit_test(states), cmocka_unit_test(containers), cmocka_unit_test(files), cmocka_unit_test(refused),
        cmocka_unit_test(deep), cmocka_unit_test(memory), cmocka_unit_test(tables), cmocka_unit_test(tables_refused),
        cmocka_unit_test(table_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
