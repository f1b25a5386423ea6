/* Rows with EACH: lists and arrays whose elements are pointers or arrays. */
#include "rows_shared.h"
#include "pytree/path.h"
#include "pytree/safetensors.h"

typedef struct Spot { float x, y; } Spot;
typedef struct Layer { int n; float *w; } Layer;

#define PYTREE_STRUCT Spot
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Pointers {
    int n, m;
    Layer **layers;                      /* n pointers, each to one struct */
    float **rows;                         /* n pointers, each to m x 2 numbers */
    Layer *heads[3];                     /* each may be NULL */
    Spot **paths;                        /* n pointers, each to m structs */
} Pointers;

#define PYTREE_STRUCT Pointers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m)                                                                     \
    PYTREE_FIELD(DATA, layers, LIST(self->n, EACH()))                                                                   \
    PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(self->m, 2))))                                                    \
    PYTREE_FIELD(DATA, heads, EACH(OPTIONAL))                                                                           \
    PYTREE_FIELD(DATA, paths, LIST(self->n, EACH(LIST(self->m), OPTIONAL)), OPTIONAL)
#include "pytree_registry.h"

typedef struct Grid {
    int m;
    Spot grid[2][3];
    double *columns[2];
    float (*table)[4];                    /* two rows of four numbers */
    Layer layers[1][2];
} Grid;

#define PYTREE_STRUCT Grid
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, grid, EACH()) PYTREE_FIELD(DATA, columns, EACH(ARRAY(self->m)))          \
    PYTREE_FIELD(DATA, table, LIST(2, EACH())) PYTREE_FIELD(DATA, layers, EACH())
#include "pytree_registry.h"

typedef struct Both { Grid grid; Pointers *pointers; } Both;

#define PYTREE_STRUCT Both
#define PYTREE_FIELDS PYTREE_FIELD(DATA, grid) PYTREE_FIELD(DATA, pointers)
#include "pytree_registry.h"

typedef struct Values { int n; pytree *values; } Values;

#define PYTREE_STRUCT Values
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, values, LIST(self->n))
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Spot), PYTREE_TYPE(Layer), PYTREE_TYPE(Pointers), PYTREE_TYPE(Grid),
                                            PYTREE_TYPE(Both) };

static float weights[5] = { 1.0f, 2.0f, 3.0f, 4.0f, 5.0f }, numbers[8] = { 9.0f, 8.0f, 7.0f }, table[2][4] = { { 6.0f } };
static float biases[2] = { 0.25f, 0.5f };
static double columns[2][2] = { { 1.5, 2.5 }, { 3.5, 4.5 } };
static Spot points[2] = { { 10.0f, 11.0f }, { 12.0f, 13.0f } };
static Layer linear[3];
static Layer *layers[2] = { &linear[1], &linear[0] };
static float *rows[2] = { numbers + 4, numbers };
static Spot *paths[2] = { NULL, points };

static Pointers pointers_make(void)
{
    const Pointers made = { 2, 2, layers, rows, { NULL, &linear[2], NULL }, paths };
    linear[0] = (Layer){ 2, weights };
    linear[1] = (Layer){ 3, weights + 2 };
    linear[2] = (Layer){ 0, NULL };
    return made;
}

static Grid grid_make(void)
{
    Grid made = { 2, { { { 1.0f, 2.0f } } }, { columns[0], columns[1] }, table, { { { 1, biases }, { 1, biases + 1 } } } };
    made.grid[1][2].y = 5.0f;
    return made;
}

static void elements_are_what_their_pointers_lead_to(void **state)
{
    Pointers p = pointers_make();
    char text[ROWS_TEXT];
    (void)state;
    assert_string_equal(rows_printed(PYTREE(&p), text),
                        ".layers[0].w  f32[3]\n.layers[1].w  f32[2]\n.rows[0]  f32[2,2]\n.rows[1]  f32[2,2]\n"
                        ".heads[1].w  f32[0]\n.paths[1][0].x  f32 10.0\n.paths[1][0].y  f32 11.0\n"
                        ".paths[1][1].x  f32 12.0\n.paths[1][1].y  f32 13.0\n");
    assert_def_text(PYTREE(&p),
                    "PyTreeDef(CustomNode(Pointers[(2, 2)], [[CustomNode(Layer[(3,)], [*]), CustomNode(Layer[(2,)], [*])], "
                    "[*, *], (None, CustomNode(Layer[(0,)], [*]), None), "
                    "[None, [CustomNode(Spot[()], [*, *]), CustomNode(Spot[()], [*, *])]]]))", NULL);
    p.paths = NULL;
    assert_def_text(PYTREE(&p),
                    "PyTreeDef(CustomNode(Pointers[(2, 2)], [[CustomNode(Layer[(3,)], [*]), CustomNode(Layer[(2,)], [*])], "
                    "[*, *], (None, CustomNode(Layer[(0,)], [*]), None), None]))", NULL);
}

static void arrays_of_arrays_are_tuples_of_tuples(void **state)
{
    Grid g = grid_make();
    char text[ROWS_TEXT];
    (void)state;
    assert_string_equal(rows_printed(PYTREE(&g), text),
                        ".grid[0][0].x  f32 1.0\n.grid[0][0].y  f32 2.0\n.grid[0][1].x  f32 0.0\n.grid[0][1].y  f32 0.0\n"
                        ".grid[0][2].x  f32 0.0\n.grid[0][2].y  f32 0.0\n.grid[1][0].x  f32 0.0\n.grid[1][0].y  f32 0.0\n"
                        ".grid[1][1].x  f32 0.0\n.grid[1][1].y  f32 0.0\n.grid[1][2].x  f32 0.0\n.grid[1][2].y  f32 5.0\n"
                        ".columns[0]  f64[2]\n.columns[1]  f64[2]\n.table[0]  f32[4]\n.table[1]  f32[4]\n"
                        ".layers[0][0].w  f32[1]\n.layers[0][1].w  f32[1]\n");
}

static void whatever_is_made_equals_its_source(void **state)
{
    Pointers p = pointers_make();
    Both both = { grid_make(), &p };
    Layer extra = { 0, NULL };
    (void)state;
    rows_assert_round_trip(PYTREE(&p), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&both.grid), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&both), COUNT_OF(types), types);
    p.paths = NULL;
    p.heads[0] = &extra;
    rows_assert_round_trip(PYTREE(&both), COUNT_OF(types), types);
    p.n = 0;
    rows_assert_round_trip(PYTREE(&both), COUNT_OF(types), types);
}

static void a_clone_has_pointers_of_its_own(void **state)
{
    Pointers p = pointers_make();
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(&p), NULL, &error);
    const Pointers *made = copy.data;
    (void)state;
    assert_ok(error.status, &error);
    assert_ptr_not_equal(made->layers, p.layers);
    assert_ptr_not_equal(made->layers[0], p.layers[0]);
    assert_true(made->layers[0]->n == 3 && made->layers[0]->w[2] == 5.0f);
    assert_true(made->rows[0] != p.rows[0] && made->rows[1][1] == 8.0f);
    assert_true(made->heads[0] == NULL && made->heads[1] != NULL && made->heads[2] == NULL);
    assert_true(made->paths[0] == NULL && made->paths[1][1].y == 13.0f);
    pytree_free(copy);
}

static void leaves_go_where_pointers_lead_to(void **state)
{
    Pointers p = pointers_make();
    float others[4] = { 0 }, *mine[2] = { numbers + 4, numbers };
    pytree_leaf leaves[ROWS_LEAVES];
    pytree_error error = { 0 };
    pytree_def *def;
    pytree made;
    size_t n;
    (void)state;
    p.rows = mine;
    def = pytree_structure(PYTREE(&p), NULL, &error);
    assert_ok(pytree_leaves(PYTREE(&p), leaves, ROWS_LEAVES, &n, NULL, &error), &error);
    leaves[3].data = others;
    assert_ok(pytree_unflatten_into(def, n, leaves, PYTREE(&p), NULL, &error), &error);
    assert_ptr_equal(p.rows[1], others);
    assert_ptr_equal(p.rows[0], numbers + 4);
    made = pytree_unflatten(def, n, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(((Pointers *)made.data)->rows[1], others);
    assert_true(((Pointers *)made.data)->paths[0] == NULL && ((Pointers *)made.data)->paths[1][0].x == 10.0f);
    pytree_free(made);
    leaves[3].shape[1] = 3;
    assert_null(pytree_unflatten(def, n, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, ".rows[1]", &error);
    assert_string_equal(error.message, "expected f32[2,2], got f32[2,3]");
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, n, leaves, PYTREE(&p), NULL, &error), PYTREE_SHAPE, ".rows[1]", &error);
    pytree_def_free(def);
}

static void a_treedef_that_does_not_fit_is_refused(void **state)
{
    static const struct { const char *text, *path; pytree_status status; } wrong[] = {
        { "PyTreeDef(CustomNode(Pointers[(1, 2)], [[CustomNode(Layer[(1,)], [*])], [*], (None, None, None), "
          "[[CustomNode(Spot[()], [*, *])]]]))", ".paths[0]", PYTREE_STRUCTURE },
        { "PyTreeDef(CustomNode(Pointers[(1, 2)], [[None], [*], (None, None, None), None]))", ".layers[0]", PYTREE_STRUCTURE },
        { "PyTreeDef(CustomNode(Pointers[(1, 2)], [[CustomNode(Spot[()], [*, *])], [*], (None, None, None), None]))",
          ".layers[0]", PYTREE_STRUCTURE },
        { "PyTreeDef(CustomNode(Pointers[(1, 2)], [[CustomNode(Layer[(1,)], [*])], [[*]], (None, None, None), None]))",
          ".rows[0]", PYTREE_STRUCTURE },
        { "PyTreeDef(CustomNode(Pointers[(1, 2)], [[CustomNode(Layer[(1,)], [*])], [*], (None, None), None]))", ".heads",
          PYTREE_STRUCTURE },
        { "PyTreeDef(CustomNode(Pointers[(2, 2)], [[CustomNode(Layer[(1,)], [*])], [*, *], (None, None, None), None]))",
          ".layers", PYTREE_STRUCTURE },
    };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(wrong); i++) {
        pytree_error error = { 0 };
        pytree_def *def = pytree_def_parse(wrong[i].text, types, COUNT_OF(types), NULL, &error);
        pytree_leaf leaves[8];
        assert_ok(error.status, &error);
        for (k = 0; k < 8; k++) {
            leaves[k] = (pytree_leaf){ .data = weights, .type = PYTREE_TYPE(float) };
            leaves[k].ndim = k == 1 ? 2 : k == 0;
            leaves[k].shape[0] = k == 1 ? 2 : 1;
            leaves[k].shape[1] = 2;
        }
        assert_null(pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error).data);
        assert_error(error.status, wrong[i].status, wrong[i].path, &error);
        pytree_def_free(def);
    }
}

static void a_pointer_that_is_missing_is_an_error(void **state)
{
    Pointers p = pointers_make();
    Layer *mine[2] = { &linear[0], NULL };
    float *none[2] = { NULL, numbers };
    pytree_error error = { 0 };
    (void)state;
    p.layers = mine;
    assert_int_equal(pytree_num_leaves(PYTREE(&p), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, ".layers[1]", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_clone(PYTREE(&p), NULL, &error).data);
    assert_error(error.status, PYTREE_NULL_POINTER, ".layers[1]", &error);
    p = pointers_make();
    p.rows = none;
    memset(&error, 0, sizeof error);
    assert_error(pytree_check(PYTREE(&p), NULL, NULL, NULL, &error), PYTREE_NULL_POINTER, ".rows[0]", &error);
    p.m = -1;
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_num_leaves(PYTREE(&p), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_BAD_COUNT, ".rows[0]", &error);
}

static pytree_status allocate(void *context, const pytree_options *opt, pytree_error *error)
{
    Both both = { { .m = 3, .layers = { { { .n = 4 }, { .n = 5 } } } }, PYTREE_WANTED };
    Pointers p = { .n = 2, .m = 3, .heads = { NULL, PYTREE_WANTED, NULL }, .paths = PYTREE_WANTED };
    const pytree_status status = pytree_allocate(PYTREE(&p), opt, error);
    (void)context;
    if (status != PYTREE_OK) {
        assert_true(p.layers == NULL && p.rows == NULL && p.heads[1] == PYTREE_WANTED);
        return status;
    }
    assert_true(p.layers[0] != NULL && p.layers[0]->w != NULL && p.layers[0] != p.layers[1] && p.heads[1] != NULL);
    assert_true(p.heads[0] == NULL && p.paths[0] == NULL && p.paths[1] == NULL);
    p.rows[0][5] = p.rows[1][0] = 1.0f;
    pytree_free(PYTREE(&p));
    assert_true(p.layers == NULL && p.rows == NULL && p.heads[1] == NULL && p.paths == NULL);
    p.layers = layers;                    /* there already: its structs are copied, and stay the caller's */
    p.n = 2;
    linear[0] = linear[1] = (Layer){ 3, NULL };
    if (pytree_allocate(PYTREE(&p), opt, error) != PYTREE_OK) { return error->status; }
    assert_true(p.layers != layers && p.layers[0] != layers[0] && p.layers[1]->n == 3);
    p.layers[1]->w[2] = 1.0f;
    pytree_free(PYTREE(&p));
    if (pytree_allocate(PYTREE(&both.grid), opt, error) != PYTREE_OK) { return error->status; }
    both.grid.columns[1][2] = both.grid.columns[0][0] = 1.0;
    both.grid.table[1][3] = 1.0f;
    both.grid.layers[0][1].w[4] = both.grid.layers[0][0].w[0] = 1.0f;
    pytree_free(PYTREE(&both.grid));
    assert_true(both.grid.columns[0] == NULL && both.grid.table == NULL && both.grid.layers[0][1].w == NULL);
    return PYTREE_OK;
}

static void memory_is_allocated_behind_pointers(void **state)
{
    (void)state;
    assert_true(sweep_allocations(allocate, NULL) >= 3);
}

static bool is_a_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_LIST;
}

static void lists_can_be_leaves(void **state)
{
    Pointers p = pointers_make();
    pytree_options opt = { .is_leaf = is_a_list };
    pytree_leaf *leaves = NULL;
    pytree_error error = { 0 };
    pytree_def *def;
    pytree made, whole;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&p), &leaves, 0, &def, &opt, &error), &error);
    assert_int_equal(pytree_def_num_leaves(def), 4);
    assert_int_equal(pytree_num_leaves(pytree_of_view(&leaves[1]), NULL, &error), 2);
    whole = pytree_clone(pytree_of_view(&leaves[1]), NULL, &error);
    assert_def_text(whole, "PyTreeDef([*, *])", NULL);
    pytree_free(whole);
    made = pytree_unflatten(def, 4, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(made, PYTREE(&p), NULL, NULL, &error));
    pytree_free(made);
    leaves[0] = leaves[1];                /* pointers to numbers in the place of pointers to structs */
    assert_null(pytree_unflatten(def, 4, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".layers", &error);
    pytree_def_free(def);
}

static int leaves_below(void *context, const pytree_leaf *node, const pytree_path *path)
{
    size_t *n = context;
    (void)path;
    *n += node->form == PYTREE_FORM_LIST ? pytree_num_leaves(pytree_of_view(node), NULL, NULL) : 0;
    return PYTREE_WALK_ON;
}

static void a_walk_leaves_lists_as_it_enters_them(void **state)
{
    Pointers p = pointers_make();
    size_t n = 0;
    pytree_visitor visitor = { .leave = leaves_below, .context = &n };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_walk(PYTREE(&p), &visitor, NULL, &error), &error);
    assert_int_equal(n, 2 + 2 + 4 + 4);
}

static void a_struct_that_is_reached_twice_is_found(void **state)
{
    Pointers p = pointers_make();
    Layer *same[2] = { &linear[0], &linear[0] };
    pytree_error error = { 0 };
    pytree_duplicates *found;
    (void)state;
    found = pytree_find_duplicates(PYTREE(&p), NULL, &error);
    assert_int_equal(found->n_groups, 0);
    pytree_duplicates_free(found);
    p.layers = same;
    found = pytree_find_duplicates(PYTREE(&p), NULL, &error);
    assert_true(found->n_groups > 0);
    pytree_duplicates_free(found);
}

static void an_element_is_found_by_its_path(void **state)
{
    Pointers p = pointers_make();
    pytree_leaf found;
    pytree_error error = { 0 };
    (void)state;
    found = pytree_at(PYTREE(&p), ".rows[1]", NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(found.data, numbers);
    found = pytree_at(PYTREE(&p), ".paths[1][1].y", NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(found.data, &points[1].y);
}

static void values_in_lists_that_are_structs_are_visited_one_by_one(void **state)
{
    pytree values[3] = { PYTREE(&points[0]), PYTREE(&points[1]), PYTREE(&points[0]) };
    Values v = { 3, values };
    char text[ROWS_TEXT];
    (void)state;
    assert_string_equal(rows_printed(PYTREE(&v), text),
                        ".values[0].x  f32 10.0\n.values[0].y  f32 11.0\n.values[1].x  f32 12.0\n.values[1].y  f32 13.0\n"
                        ".values[2].x  f32 10.0\n.values[2].y  f32 11.0\n");
}

static void files_hold_what_pointers_lead_to(void **state)
{
    Pointers p = pointers_make();
    Both both = { grid_make(), &p };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    assert_ok(pytree_save_safetensors("f", PYTREE(&both), &opt, &error), &error);
    copy = pytree_zeros_like(PYTREE(&both), NULL, &error);
    assert_false(pytree_equal(copy, PYTREE(&both), NULL, NULL, NULL));
    assert_ok(pytree_load_safetensors("f", copy, &opt, &error), &error);
    assert_true(pytree_equal(copy, PYTREE(&both), NULL, NULL, &error));
    pytree_free(copy);
    pytree_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_what_their_pointers_lead_to),
        cmocka_unit_test(arrays_of_arrays_are_tuples_of_tuples),
        cmocka_unit_test(whatever_is_made_equals_its_source),
        cmocka_unit_test(a_clone_has_pointers_of_its_own),
        cmocka_unit_test(leaves_go_where_pointers_lead_to),
        cmocka_unit_test(a_treedef_that_does_not_fit_is_refused),
        cmocka_unit_test(a_pointer_that_is_missing_is_an_error),
        cmocka_unit_test(memory_is_allocated_behind_pointers),
        cmocka_unit_test(lists_can_be_leaves),
        cmocka_unit_test(a_walk_leaves_lists_as_it_enters_them),
        cmocka_unit_test(a_struct_that_is_reached_twice_is_found),
        cmocka_unit_test(an_element_is_found_by_its_path),
        cmocka_unit_test(values_in_lists_that_are_structs_are_visited_one_by_one),
        cmocka_unit_test(files_hold_what_pointers_lead_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
