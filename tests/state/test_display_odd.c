/* Text of odd values: infinities, arrays that are long in one direction, texts and complex numbers, nodes of other
 * kinds; tables with them; what fails without room for text: pytree/display.h. */
#include "support.h"
#include "odd_nodes.h"
#include "pytree/display.h"
#include "pytree/containers.h"
#include "pytree/object.h"
#include "pytree/ravel.h"
#include <math.h>

PYTREE_CLASS(Net, Module);

static float numbers[] = { 1, 2, 3, 4 };

static void assert_text(size_t n, const char *text, const char *expected)
{
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
}

static void arrays(void **state)
{
    float special[3] = { -INFINITY, INFINITY, -INFINITY }, many[2][600] = { { 0 } };
    pytree_leaf array = { .data = special, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
    char text[400];
    (void)state;
    assert_text(pytree_array_text(&array, text, sizeof text), text, "Array([-inf,  inf, -inf], dtype=float32)");
    for (int i = 0; i < 1200; i++) { many[i / 600][i % 600] = (float)i; }
    array = (pytree_leaf){ .data = many, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 600 } };
    assert_text(pytree_array_text(&array, text, sizeof text), text,
                "Array([[0.000e+00, 1.000e+00, 2.000e+00, ..., 5.970e+02, 5.980e+02,\n"
                "        5.990e+02],\n"
                "       [6.000e+02, 6.010e+02, 6.020e+02, ..., 1.197e+03, 1.198e+03,\n"
                "        1.199e+03]], dtype=float32)");
}

/* The last axis of texts is their letters: one text stands where another array has a number. */
static void arrays_of_texts(void **state)
{
    char words[3][6] = { "one", "three", "" }, tables[2][2][4] = { { "a", "bc" }, { "def", "" } }, none[2][1] = { "", "" };
    const pytree_type *const type = &pytree_types[PYTREE__T_text];
    pytree_leaf array = { .data = words, .type = type, .ndim = 2, .shape = { 3, 6 } };
    char text[100];
    (void)state;
    assert_text(pytree_array_text(&array, text, sizeof text), text, "Array(['one', 'three', ''], dtype=text)");
    array = (pytree_leaf){ .data = tables, .type = type, .ndim = 3, .shape = { 2, 2, 4 } };
    assert_text(pytree_array_text(&array, text, sizeof text), text,
                "Array([['a', 'bc'],\n       ['def', '']], dtype=text)");
    array = (pytree_leaf){ .data = none, .type = type, .ndim = 2, .shape = { 2, 1 } };
    assert_text(pytree_array_text(&array, text, sizeof text), text, "Array(['', ''], dtype=text)");
    array.shape[1] = 0;
    assert_text(pytree_array_text(&array, text, sizeof text), text, "Array([], shape=(2, 0), dtype=text)");
}

/* A node without children that its type prints, and one that has it at an index. */
typedef struct Badge { unsigned char n; } Badge;
typedef struct Box { Badge *badge; } Box;

static size_t badge_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    assert_int_equal(bytes, 1);
    return (size_t)snprintf(text, n, "badge %d", *(const unsigned char *)metadata);
}
static const pytree_custom badge_callbacks = { .children = no_children, .metadata = mark_metadata, .print = badge_print };
#define PYTREE_STRUCT Badge
#define PYTREE_CUSTOM badge_callbacks
#include "pytree_registry.h"

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    if (children != NULL) { children[0] = PYTREE(((const Box *)self)->badge); }
    if (keys != NULL) { keys[0] = (pytree_entry){ PYTREE_FLAT_INDEX, NULL, 0 }; }
    return 1;
}
static const pytree_custom box_callbacks = { .children = box_children };
#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef enum Hue { BLACK, WHITE } Hue;
#define PYTREE_ENUM Hue
#define PYTREE_CONSTANTS PYTREE_CONSTANT(BLACK) PYTREE_CONSTANT(WHITE)
#include "pytree_registry.h"

typedef struct Paint { Hue hue, hues[2]; } Paint;
#define PYTREE_STRUCT Paint
#define PYTREE_FIELDS PYTREE_FIELD(DATA, hue, ENUM(Hue)) PYTREE_FIELD(DATA, hues, ENUM(Hue))
#include "pytree_registry.h"

/* A number with a name is its name; many of them are numbers. A text without an end of its own is a letter that ends it. */
static void names_and_letters(void **state)
{
    Paint paint = { WHITE, { BLACK, WHITE } };
    char end = '\0', text[200], expected[200];
    pytree_leaf letter = { .data = &end, .type = &pytree_types[PYTREE__T_text] };
    pytree_error error = { 0 };
    (void)state;
    (void)snprintf(expected, sizeof expected,
                   "Paint(\n"
                   "  hue=WHITE,\n"
                   "  hues=Array(shape=(2,), dtype=dtype('uint%d'))\n"
                   ")", (int)sizeof(Hue) * CHAR_BIT);         /* 8 with -fshort-enums */
    assert_text(pytree_display_text(PYTREE(&paint), text, sizeof text, NULL, &error), text, expected);
    assert_text(pytree_array_text(&letter, text, sizeof text), text, "Array('', dtype=text)");
}

/* Many brain floats in a struct are their shape, and the type is no string there. */
static void brain_floats_in_an_object(void **state)
{
    uint16_t bits[2] = { 0x3f80, 0x4000 };
    const pytree_leaf few = { .data = bits, .type = pytree_dtype_type(PYTREE_BF16), .ndim = 1, .shape = { 2 } };
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
    char text[200];
    (void)state;
    assert_ok(pytree_object_put_copy(net, "w", PYTREE_AS_DATA(pytree_of_view(&few)), &error), &error);
    assert_text(pytree_display_text(net, text, sizeof text, NULL, &error), text,
                "Net(\n"
                "  w=Array(shape=(2,), dtype=dtype(bfloat16))\n"
                ")");
    pytree_container_free(net);
}

/* A pytree_same that leads to nothing is only named. */
static void sames_of_nothing(void **state)
{
    unsigned char back[4] = { 0 };
    const pytree same = { &pytree_same, back };
    pytree_error error = { 0 };
    char text[100];
    (void)state;
    assert_text(pytree_display_text(PYTREE_LIST(PYTREE_INT(1), same), text, sizeof text, NULL, &error), text, "[1, Same(...)]");
    assert_ok(error.status, &error);
}

/* In a state, dicts have lines of their own and lists have not; a variable that two paths lead to is written twice. */
static void lists_in_states(void **state)
{
    const pytree variable = PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2));
    const pytree list = PYTREE_LIST(PYTREE_INT(1), PYTREE_DICT({ "k", PYTREE_INT(2) }));
    char text[400];
    pytree_error error = { 0 };
    (void)state;
    assert_text(pytree_state_text(PYTREE_DICT({ "l", list }), text, sizeof text, NULL, &error), text,
                "State({\n"
                "  'l': [1, {\n"
                "    'k': 2\n"
                "  }]\n"
                "})");
    assert_text(pytree_display_text(PYTREE_LIST(variable, variable), text, sizeof text, NULL, &error), text,
                "[Param( # 2 (8 B)\n"
                "  value=Array([1., 2.], dtype=float32)\n"
                "), Param( # 2 (8 B)\n"
                "  value=Array([1., 2.], dtype=float32)\n"
                ")]");
    assert_ok(error.status, &error);
}

static void nodes_of_other_kinds(void **state)
{
    Empty empty = { 1 };
    Mark mark = { 7 };
    Badge badge = { 7 };
    Box box = { &badge };
    Everything all = everything_make(true);
    pytree shared = PYTREE_LIST(PYTREE_INT(1));
    pytree_error error = { 0 };
    char text[4000], texts[300], letters[4] = "one";
    pytree_leaf word = { .data = letters, .type = &pytree_types[PYTREE__T_text], .ndim = 1, .shape = { 4 } };
    double parts[4] = { 1, 2, 3, 4 };
    pytree_leaf complex = { .data = parts, .type = &pytree_types[PYTREE__T_cdouble] }, complexes = complex;
    pytree both = PYTREE_LIST(PYTREE(&empty), PYTREE(&mark), shared, shared);
    (void)state;
    assert_text(pytree_display_text(PYTREE(&box), text, sizeof text, NULL, &error), text, "Box(\n  badge 7\n)");
    complexes.ndim = 1;
    complexes.shape[0] = 2;
    assert_text(pytree_display_text(both, text, sizeof text, NULL, &error), text, "[Empty(), Mark(), [1], list(...)]");
    assert_true(pytree_display_text(PYTREE(&all), text, sizeof text, NULL, &error) < sizeof text);
    both = PYTREE_LIST(pytree_of_view(&word), pytree_of_view(&complex), pytree_of_view(&complexes));
    assert_text(pytree_display_text(both, texts, sizeof texts, NULL, &error), texts,
                "['one', (1+2j), Array([1.+2.j, 3.+4.j], dtype=complex128)]");
    assert_non_null(strstr(text, "  name='owned',\n"));
    assert_ok(error.status, &error);
    everything_clear(&all);
}

static void attributes_of_objects(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), list = pytree_new_object(&pytree_class_List, NULL, &error);
    char text[400];
    (void)state;
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(1), &error), &error);
    assert_ok(pytree_object_put_copy(net, "d", PYTREE_AS_DATA(PYTREE_DICT({ "k", PYTREE_SCALAR(numbers) })), &error), &error);
    assert_ok(pytree_object_put_copy(net, "l", PYTREE_AS_DATA(PYTREE_LIST(PYTREE_SCALAR(numbers))), &error), &error);
    assert_ok(pytree_object_put_copy(net, "_hidden", PYTREE_INT(1), &error), &error);
    assert_ok(pytree_object_put_own(net, "of", list, &error), &error);
    assert_text(pytree_display_text(net, text, sizeof text, NULL, &error), text,
                "Net(\n"
                "  d=Dict({\n"
                "    'k': Array(1., dtype=float32)\n"
                "  }),\n"
                "  l=List([\n"
                "    Array(1., dtype=float32)\n"
                "  ]),\n"
                "  of=List([\n"
                "    1\n"
                "  ])\n"
                ")");
    pytree_container_free(net);
}

/* ---- Roles and tables ---------------------------------------------------------------------------------------------- */

static void roles_are_counted_by_name(void **state)
{
    pytree_type other = pytree_role_Param;
    pytree_variable v = { .value = PYTREE_ARRAY(numbers, 2) }, w = { .value = PYTREE_ARRAY(numbers + 2, 2) };
    pytree one = { &pytree_role_Param, &v }, two = { &other, &w };
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
    char text[400];
    (void)state;
    assert_ok(pytree_object_put(net, "x", one, &error), &error);
    assert_ok(pytree_object_put(net, "y", two, &error), &error);
    assert_text(pytree_display_text(net, text, sizeof text, NULL, &error), text,
                "Net( # Param: 4 (16 B)\n"
                "  x=Param( # 2 (8 B)\n"
                "    value=Array(shape=(2,), dtype=dtype('float32'))\n"
                "  ),\n"
                "  y=Param( # 2 (8 B)\n"
                "    value=Array(shape=(2,), dtype=dtype('float32'))\n"
                "  )\n"
                ")");
    pytree_container_free(net);
    assert_ok(error.status, &error);
}

typedef struct Part { float w[2]; double scale; } Part;
#define PYTREE_STRUCT Part
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ROLE(Param)) PYTREE_FIELD(DATA, scale, ROLE(Param))
#include "pytree_registry.h"

typedef struct Parts { Part a, ab; } Parts;
#define PYTREE_STRUCT Parts
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, ab)
#include "pytree_registry.h"

static void tables(void **state)
{
    Parts parts = { { { 1, 2 }, 3 }, { { 4, 5 }, 6 } };
    pytree_error error = { 0 };
    pytree_table *table = pytree_table_new(NULL, &error);
    char text[6000];
    (void)state;
    assert_ok(pytree_table_call(table, PYTREE(&parts), PYTREE_DEQUE(3, PYTREE_INT(1)), PYTREE_NONE, &error), &error);
    assert_ok(pytree_table_call(table, PYTREE(&parts.a), PYTREE_NONE, PYTREE_NONE, &error), &error);
    assert_error(pytree_table_call(table, (pytree){ PYTREE_TYPE(Parts), NULL }, PYTREE_NONE, PYTREE_NONE, &error),
                 PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_true(pytree_tabulate_text(PYTREE(&parts), table, 0, text, sizeof text, NULL, &error) < sizeof text);
    assert_ok(error.status, &error);
    assert_non_null(strstr(text, "│      │ Parts │ - 1    │         │ 4 (16 B)      │\n"));
    assert_non_null(strstr(text, "│ a    │ Part  │        │         │ w: float32[2] │\n"
                                 "│      │       │        │         │               │\n"
                                 "│      │       │        │         │ 2 (8 B)       │\n"));
    pytree_table_free(table);
}

/* A value of several arrays is counted in its column, without their names. */
static void values_that_are_trees(void **state)
{
    const float w[4] = { 0 };
    const pytree value = PYTREE_DICT({ "k", PYTREE_ARRAY(numbers, 2) }, { "l", PYTREE_ARRAY(numbers + 2, 2) });
    const pytree tree = PYTREE_DICT({ "c", PYTREE_VARIABLE(Cache, value) },
                                    { "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(w, 4)) });
    pytree_error error = { 0 };
    pytree_table *table = pytree_table_new(NULL, &error);
    char text[2000];
    (void)state;
    assert_ok(pytree_table_call(table, tree, PYTREE_NONE, PYTREE_NONE, &error), &error);
    (void)pytree_tabulate_text(tree, table, 0, text, sizeof text, NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(strstr(text, "│      │ dict │        │         │ 4 (16 B) │ w: float32[4] │\n"));
    pytree_table_free(table);
}

/* Keys that are numbers: of inputs, and on the way to a value with a role. */
static void numbers_for_keys(void **state)
{
    const pytree tree = PYTREE_LIST(PYTREE_NONE, PYTREE_IDICT({ -3, PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)) }));
    pytree_error error = { 0 };
    pytree_table *table = pytree_table_new(NULL, &error);
    char text[2000];
    (void)state;
    assert_ok(pytree_table_call(table, tree, PYTREE_IDICT({ 7, PYTREE_INT(1) }, { -2, PYTREE_LIST(PYTREE_INT(3)) }),
                                PYTREE_NONE, &error), &error);
    assert_true(pytree_tabulate_text(tree, table, 0, text, sizeof text, NULL, &error) < sizeof text);
    assert_ok(error.status, &error);
    assert_non_null(strstr(text, "│      │ list │ -2:    │         │ 2 (8 B) │\n"
                                 "│      │      │ - 3    │         │         │\n"
                                 "│      │      │ 7: 1   │         │         │\n"));
    pytree_table_free(table);
}

/* A table that is narrower than its title: that begins with the line. */
typedef struct AStructWhoseNameIsWiderThanItsTable { int n; } AStructWhoseNameIsWiderThanItsTable;
#define PYTREE_STRUCT AStructWhoseNameIsWiderThanItsTable
#define PYTREE_FIELDS PYTREE_FIELD(DATA, n)
#include "pytree_registry.h"

static void long_titles(void **state)
{
    AStructWhoseNameIsWiderThanItsTable wide = { 1 };
    static const char title[] = "AStructWhoseNameIsWiderThanItsTable Summary\n┏━━";
    pytree_error error = { 0 };
    char text[2000];
    (void)state;
    assert_true(pytree_tabulate_text(PYTREE(&wide), NULL, 0, text, sizeof text, NULL, &error) < sizeof text);
    assert_ok(error.status, &error);
    assert_memory_equal(text, title, strlen(title));
}

static pytree_status calls_without_roles_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree tree = PYTREE_LIST(PYTREE_INT(1));
    pytree_table *table = pytree_table_new(opt, err);
    char text[9000];
    size_t i;
    for (i = 0; err->status == PYTREE_OK && i < *(const size_t *)context; i++) {
        (void)pytree_table_call(table, tree, PYTREE_NONE, PYTREE_NONE, err);
    }
    if (err->status == PYTREE_OK && pytree_tabulate_text(tree, table, 0, text, sizeof text, opt, err) == SIZE_MAX) {
        assert_string_equal(text, "");
    }
    pytree_table_free(table);
    return err->status;
}

static pytree_status many_calls_body(void *context, const pytree_options *opt, pytree_error *err)
{
    Parts parts = { { { 1, 2 }, 3 }, { { 4, 5 }, 6 } };
    pytree_table *table = pytree_table_new(opt, err);
    char text[20000];
    size_t i, n;
    for (i = 0; err->status == PYTREE_OK && i < *(const size_t *)context; i++) {
        (void)pytree_table_call(table, PYTREE(&parts), PYTREE_INT(1), PYTREE_INT(2), err);
    }
    if (err->status == PYTREE_OK) {
        n = pytree_tabulate_text(PYTREE(&parts), table, 0, text, sizeof text, opt, err);
        assert_true(err->status == PYTREE_OK ? n < sizeof text : n == SIZE_MAX && text[0] == '\0');
    }
    pytree_table_free(table);
    return err->status;
}

/* Each allocation fails once, in tables of so many rows that their memory grows in each column. */
static void tables_and_memory(void **state)
{
    size_t n;
    (void)state;
    for (n = 0; n < 12; n++) { assert_in_range(sweep_allocations(many_calls_body, &n), 4, 200); }
    for (n = 0; n < 12; n++) {            /* rows of four cells: memory grows in their first column */
        assert_in_range(sweep_allocations(calls_without_roles_body, &n), 4, 200);
    }
}

static pytree_status long_text_body(void *context, const pytree_options *opt, pytree_error *err)
{
    char text[1000];
    const size_t n = pytree_display_text(*(const pytree *)context, text, sizeof text, opt, err);
    assert_true(err->status == PYTREE_OK ? n > 300 && n < sizeof text : n == SIZE_MAX && text[0] == '\0');
    return err->status;
}

/* A static text that is longer than what is at hand without memory takes an allocation, which fails once. */
static void long_texts_and_memory(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error);
    char name[301];
    (void)state;
    memset(name, 'x', 300);
    name[300] = '\0';
    assert_ok(pytree_object_put_copy(net, "w", PYTREE_STR(name), &error), &error);
    assert_in_range(sweep_allocations(long_text_body, &net), 4, 20);
    pytree_container_free(net);
}

static bool is_part(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->type == PYTREE_TYPE(Part);
}

/* Structs that are leaves are named, and have no size. */
static void structs_as_leaves(void **state)
{
    Parts parts = { { { 1, 2 }, 3 }, { { 4, 5 }, 6 } };
    const pytree_options opt = { .is_leaf = is_part };
    pytree_error error = { 0 };
    const pytree_leaf leaf = { .data = &parts.a, .type = PYTREE_TYPE(Part), .form = PYTREE_FORM_STRUCT };
    char text[2000];
    (void)state;
    assert_text(pytree_display_text(PYTREE_LIST(PYTREE(&parts)), text, sizeof text, &opt, &error), text,
                "[Parts(\n"
                "  a=<Part>,\n"
                "  ab=<Part>\n"
                ")]");
    assert_text(pytree_array_text(&leaf, text, sizeof text), text, "<Part>");
    (void)pytree_tabulate_text(PYTREE(&parts), NULL, 0, text, sizeof text, &opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(strstr(text, "Total Parameters: 0 (0 B)"));
}

static void failures_without_room(void **state)
{
    const pytree nothing = { NULL, NULL };
    pytree_error error = { 0 };
    char text[8] = "before";
    (void)state;
    assert_int_equal(pytree_display_text(nothing, text, 0, NULL, &error), SIZE_MAX);
    assert_int_equal(error.status, PYTREE_ARGUMENT);
    assert_int_equal(pytree_tabulate_text(nothing, NULL, 0, text, 0, NULL, NULL), SIZE_MAX);
    assert_string_equal(text, "before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays), cmocka_unit_test(arrays_of_texts),
        cmocka_unit_test(nodes_of_other_kinds),
        cmocka_unit_test(attributes_of_objects),
        cmocka_unit_test(roles_are_counted_by_name),
        cmocka_unit_test(tables),
        cmocka_unit_test(names_and_letters), cmocka_unit_test(brain_floats_in_an_object), cmocka_unit_test(sames_of_nothing),
        cmocka_unit_test(lists_in_states), cmocka_unit_test(values_that_are_trees),
        cmocka_unit_test(numbers_for_keys), cmocka_unit_test(long_titles),
        cmocka_unit_test(tables_and_memory), cmocka_unit_test(long_texts_and_memory), cmocka_unit_test(structs_as_leaves),
        cmocka_unit_test(failures_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
