/* Graphs: what several paths lead to is taken once, copied once, and cycles are no trouble: pytree/graph.h. */
#include "support.h"
#include "pytree/containers.h"
#include "pytree/graph.h"
#include "pytree/treedef_io.h"

typedef struct Shared { int n; float *x; } Shared;

#define PYTREE_STRUCT Shared
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->n), ROLE(Param))
#include "pytree_registry.h"

typedef struct Parent Parent;
struct Parent {
    int n;
    Shared *left, *right;
    float *tied;
    Parent *up;
    pytree any;
};

#define PYTREE_STRUCT Parent
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, left)                                                                                            \
    PYTREE_FIELD(DATA, right)                                                                                           \
    PYTREE_FIELD(DATA, tied, ARRAY(self->n), ROLE(Param))                                                               \
    PYTREE_FIELD(DATA, up, OPTIONAL)                                                                                    \
    PYTREE_FIELD(DATA, any)
#include "pytree_registry.h"

typedef struct Fixture {
    float x[3], y[3], z[3];
    Shared one, two;
    Parent p;
} Fixture;

static pytree fixture(Fixture *f)
{
    *f = (Fixture){ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 3, NULL }, { 3, NULL },
                    { 3, NULL, NULL, NULL, NULL, PYTREE_NONE } };
    f->one.x = f->x;
    f->two.x = f->y;
    f->p.left = &f->one;
    f->p.right = &f->two;
    f->p.tied = f->z;
    return PYTREE(&f->p);
}

/* The graphdef has that text; text and bytes give it back; a tree built of it has it again. Returns that tree. */
static pytree assert_graph(pytree t, const char *expected, size_t n_leaves)
{
    const pytree_type *types[] = { PYTREE_TYPE(Shared), PYTREE_TYPE(Parent) };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, *again = NULL;
    pytree_def *def = NULL, *other;
    char text[600], bytes[1000];
    size_t n;
    pytree made;
    assert_ok(pytree_graph_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    pytree_def_text(def, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(def->n_leaves, n_leaves);
    other = pytree_def_parse(text, types, COUNT_OF(types), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, other));
    pytree_def_free(other);
    n = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
    other = pytree_def_load(bytes, n, types, COUNT_OF(types), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, other));
    made = pytree_unflatten(other, n_leaves, leaves, NULL, &error);
    assert_ok(error.status, &error);
    pytree_def_free(other);
    other = NULL;
    assert_ok(pytree_graph_flatten(made, &again, 0, &other, NULL, &error), &error);
    assert_true(pytree_def_equal(def, other));
    assert_int_equal(pytree_def_hash(def), pytree_def_hash(other));
    for (n = 0; n < n_leaves; n++) { assert_ptr_equal(leaves[n].data, again[n].data); }
    pytree_def_free(other);
    pytree_def_free(def);
    return made;
}

#define ONE "CustomNode(Shared[(3,)], [*])"

static void a_tree_is_a_graph(void **state)
{
    Fixture f;
    pytree made = assert_graph(fixture(&f), "PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", " ONE ", *, None, None]))", 3);
    pytree_def *tree = pytree_structure(PYTREE(&f.p), NULL, NULL), *graph = pytree_graphdef(PYTREE(&f.p), NULL, NULL);
    (void)state;
    assert_true(pytree_def_equal(tree, graph));
    pytree_def_free(tree);
    pytree_def_free(graph);
    pytree_free(made);
}

static void what_two_pointers_lead_to_stands_once(void **state)
{
    Fixture f;
    pytree t = fixture(&f), made;
    const Parent *p;
    (void)state;
    f.p.right = &f.one;
    made = assert_graph(t, "PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", CustomNode(Same[1], []), *, None, None]))", 2);
    p = made.data;
    assert_ptr_equal(p->left, p->right);
    assert_ptr_equal(p->left->x, f.x);
    pytree_free(made);
    f.p.tied = f.x;
    made = assert_graph(t, "PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", CustomNode(Same[1], []), CustomNode(Same[3], []), "
                        "None, None]))", 1);
    p = made.data;
    assert_ptr_equal(p->tied, p->left->x);
    pytree_free(made);
    f.p.any = PYTREE(&f.one);                                  /* through a pytree */
    made = assert_graph(t, "PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", CustomNode(Same[1], []), CustomNode(Same[3], []), "
                        "None, CustomNode(Same[4], [])]))", 1);
    p = made.data;
    assert_ptr_equal(p->any.data, p->left);
    pytree_free(made);
}

static void cycles_are_closed_again(void **state)
{
    Fixture f;
    pytree t = fixture(&f), made;
    const Parent *p;
    const pytree_items *items;
    (void)state;
    f.p.up = &f.p;
    made = assert_graph(t, "PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", " ONE ", *, CustomNode(Same[-2], []), None]))", 3);
    p = made.data;
    assert_ptr_equal(p->up, p);
    pytree_free(made);
    f.p.any = PYTREE_LIST(PYTREE(&f.one), PYTREE(&f.two), PYTREE(&f.p));
    made = assert_graph(t, "PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", " ONE ", *, CustomNode(Same[-5], []), "
                        "[CustomNode(Same[5], []), CustomNode(Same[4], []), CustomNode(Same[-2], [])]]))", 3);
    p = made.data;
    items = p->any.data;
    assert_ptr_equal(items->items[0].data, p->left);
    assert_ptr_equal(items->items[1].data, p->right);
    assert_ptr_equal(items->items[2].data, p);
    pytree_free(made);
}

static void copies_keep_what_is_shared(void **state)
{
    Fixture f;
    pytree t = fixture(&f), copy;
    pytree_error error = { 0 };
    const Parent *p;
    const pytree_variable *v;
    (void)state;
    f.p.right = &f.one;
    f.p.up = &f.p;
    f.p.any = PYTREE_DICT({ "b", PYTREE_VARIABLE(Param, PYTREE_ARRAY(f.z, 3)) }, { "a", PYTREE_LIST(PYTREE(&f.p)) });
    copy = pytree_graph_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    p = copy.data;
    assert_ptr_not_equal(p, &f.p);
    assert_ptr_not_equal(p->left, &f.one);
    assert_ptr_not_equal(p->left->x, f.x);
    assert_ptr_equal(p->left, p->right);
    assert_ptr_equal(p->up, p);
    v = ((const pytree_items *)p->any.data)->pairs[0].value.data;
    assert_ptr_equal(((const pytree_leaf *)v->value.data)->data, p->tied);
    assert_true(p->left->x[2] == 3 && p->tied[1] == 8);
    pytree_free(copy);
    f = (Fixture){ .one = { 0 } };                             /* a copy of a tree that shares nothing */
    copy = pytree_graph_clone(fixture(&f), NULL, &error);
    assert_true(pytree_equal(copy, PYTREE(&f.p), NULL, NULL, &error));
    pytree_free(copy);
}

/* ---- Rows of other kinds ------------------------------------------------------------------------------------------- */

typedef struct Cell { double weight; float *row; } Cell;

#define PYTREE_STRUCT Cell
#define PYTREE_FIELDS PYTREE_FIELD(DATA, weight) PYTREE_FIELD(DATA, row, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

typedef struct Grid {
    Cell *first;                          /* comes before the value it leads to */
    size_t n;
    Cell *cells, *others;
    Cell fixed[2], own;
    Cell *last;
    double *weight;
    pytree_leaf view;
    pytree *trees;
} Grid;

#define PYTREE_STRUCT Grid
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, OPTIONAL)                                                                                 \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, cells, LIST(self->n))                                                                            \
    PYTREE_FIELD(DATA, others, LIST(self->n))                                                                           \
    PYTREE_FIELD(DATA, fixed)                                                                                           \
    PYTREE_FIELD(DATA, own)                                                                                             \
    PYTREE_FIELD(DATA, last)                                                                                            \
    PYTREE_FIELD(DATA, weight, ARRAY(1), OPTIONAL)                                                                      \
    PYTREE_FIELD(DATA, view)                                                                                            \
    PYTREE_FIELD(DATA, trees, LIST(self->n + 1))
#include "pytree_registry.h"

static void values_in_place_are_where_they_lie(void **state)
{
    float row[2] = { 1, 2 };
    Cell cells[2] = { { 1, row }, { 2, NULL } };
    Cell apart = { 6, NULL };
    pytree trees[3] = { PYTREE_ARRAY(row, 2), PYTREE_NONE, PYTREE_NONE };
    Grid g = { NULL, 2, cells, cells, { { 3, row }, { 4, NULL } }, { 5, NULL }, &cells[1], NULL,
               { .data = row, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } }, trees };
    pytree_error error = { 0 };
    pytree copy;
    const Grid *c;
    (void)state;
    trees[1] = PYTREE(&g.own);
    trees[2] = PYTREE(&apart);
    g.first = &g.fixed[1];
    for (int both = 0; both < 2; both++) {
        pytree_leaf *leaves = NULL;
        pytree_def *def = NULL;
        assert_ok(pytree_graph_flatten(PYTREE(&g), &leaves, 0, &def, NULL, &error), &error);
        assert_int_equal(def->n_leaves, 7);                    /* six weights and one row */
        copy = both == 0 ? pytree_unflatten(def, 7, leaves, NULL, &error) : pytree_graph_clone(PYTREE(&g), NULL, &error);
        assert_ok(error.status, &error);
        c = copy.data;
        assert_ptr_equal(c->first, &c->fixed[1]);
        assert_ptr_equal(c->cells, c->others);
        assert_ptr_equal(c->last, &c->cells[1]);
        assert_ptr_equal(c->fixed[0].row, c->cells[0].row);
        assert_ptr_equal(c->view.data, c->cells[0].row);
        assert_ptr_equal(((const pytree_leaf *)c->trees[0].data)->data, c->cells[0].row);
        assert_ptr_equal(c->trees[1].data, &c->own);
        assert_true(((const Cell *)c->trees[2].data)->weight == 6);
        assert_true((c->cells[0].row == row) == (both == 0));
        assert_true(c->first->weight == 4 && c->own.weight == 5 && c->last->weight == 2);
        pytree_free(copy);
        pytree_def_free(def);
    }
}

/* ---- Variables and duplicates -------------------------------------------------------------------------------------- */

static void one_memory_has_one_shape_and_one_role(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    float x[6] = { 0 };
    pytree_error error = { 0 };
    pytree both = PYTREE_LIST(PYTREE_VARIABLE(Param, PYTREE_ARRAY(x, 6)), PYTREE_DICT({ "b", PYTREE_ARRAY(x, 2, 3) }));
    (void)state;
    assert_null(pytree_graphdef(both, NULL, &error));
    assert_error(error.status, PYTREE_SHARED, "[1]['b']", &error);
    assert_string_equal(error.message, "expected f32[6] in the role Param as at [0].value, got f32[2,3] in no role");
    error = (pytree_error){ 0 };
    f.p.any = PYTREE_VARIABLE(BatchStat, PYTREE_ARRAY(f.x, 3));
    assert_null(pytree_graphdef(t, NULL, &error));
    assert_error(error.status, PYTREE_SHARED, ".any.value", &error);
    assert_string_equal(error.message, "expected f32[3] in the role Param as at .left.x, got f32[3] in the role BatchStat");
    error = (pytree_error){ 0 };
    {
        pytree v = PYTREE_VARIABLE(Param, PYTREE_ARRAY(f.y, 3));
        pytree_def *def = pytree_graphdef(PYTREE_LIST(v, v), NULL, &error);
        char text[200];
        assert_ok(error.status, &error);
        pytree_def_text(def, text, sizeof text);
        assert_string_equal(text, "PyTreeDef([CustomNode(Param[None], [*]), CustomNode(Same[1], [])])");
        pytree_def_free(def);
    }
}

static pytree_status note_place(void *context, const pytree_place *at)
{
    char path[100];
    pytree_path_text(&at->path, path, sizeof path);
    strcat(strcat(context, path), at->role == NULL ? " " : "! ");
    if (at->type == PYTREE_TYPE(Parent)) { assert_int_equal(((Parent *)at->view->data)->n, 3); }
    return strcmp(path, ".right") == 0 ? PYTREE_STOPPED : PYTREE_OK;
}

static void walks_come_to_each_value_once(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    char text[500] = "";
    (void)state;
    f.p.right = &f.one;
    f.p.up = &f.p;
    f.p.any = PYTREE_LIST(PYTREE_VARIABLE(Cache, PYTREE_INT(1)), PYTREE_INT(2));
    assert_ok(pytree_graph_walk(t, note_place, text, NULL, &error), &error);
    assert_string_equal(text, ".left.x! .left .tied! .any[0]! .any[0]! .any[1] .any  ");
    *text = '\0';
    t = fixture(&f);
    assert_error(pytree_graph_walk(t, note_place, text, NULL, &error), PYTREE_STOPPED, NULL, &error);
    assert_string_equal(text, ".left.x! .left .right.x! .right ");
    error = (pytree_error){ 0 };
    assert_error(pytree_graph_walk(t, NULL, NULL, NULL, &error), PYTREE_ARGUMENT, NULL, &error);
}

static void duplicates_are_groups_of_paths(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_duplicates *d = pytree_graph_duplicates(t, PYTREE_EVERYTHING, NULL, &error);
    (void)state;
    assert_int_equal(d->n_groups, 0);
    pytree_duplicates_free(d);
    f.p.right = &f.one;
    f.p.any = PYTREE_LIST(PYTREE(&f.p), PYTREE(&f.one));
    f.p.tied = f.x;
    d = pytree_graph_duplicates(t, PYTREE_EVERYTHING, NULL, &error);
    assert_int_equal(d->n_groups, 3);
    assert_int_equal(d->counts[0], 2);
    assert_string_equal(d->paths[0][0], "");
    assert_string_equal(d->paths[0][1], ".any[0]");
    assert_int_equal(d->counts[1], 3);
    assert_string_equal(d->paths[1][0], ".left");
    assert_string_equal(d->paths[1][2], ".any[1]");
    assert_string_equal(d->paths[2][1], ".tied");
    pytree_duplicates_free(d);
    d = pytree_graph_duplicates(t, PYTREE_OF(Param), NULL, &error);
    assert_int_equal(d->n_groups, 1);
    assert_string_equal(d->paths[0][0], ".left.x");
    pytree_duplicates_free(d);
    d = pytree_graph_duplicates(t, PYTREE_OF_TYPE(PYTREE_TYPE(Shared)), NULL, &error);
    assert_int_equal(d->n_groups, 1);
    assert_string_equal(d->paths[0][1], ".right");
    pytree_duplicates_free(d);
    assert_null(pytree_graph_duplicates(t, PYTREE_PATH("["), NULL, &error));
    assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
}

/* ---- What cannot be ------------------------------------------------------------------------------------------------ */

static void assert_not_built(const char *text, size_t n, const char *path)
{
    const pytree_type *types[] = { PYTREE_TYPE(Shared), PYTREE_TYPE(Parent), PYTREE_TYPE(Cell), PYTREE_TYPE(Grid) };
    float x[3] = { 0 };
    pytree_leaf leaves[2] = { { .data = x, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } } };
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse(text, types, COUNT_OF(types), NULL, &error);
    assert_ok(error.status, &error);
    leaves[1] = leaves[0];
    assert_null(pytree_unflatten(def, n, leaves, NULL, &error).data);
    assert_true(error.status == PYTREE_STRUCTURE || error.status == PYTREE_SHAPE);
    assert_string_equal(error.path, path);
    pytree_def_free(def);
}

#define SAME(n) "CustomNode(Same[" #n "], [])"

static void treedefs_that_lead_astray(void **state)
{
    (void)state;
    assert_not_built("PyTreeDef(" SAME(0) ")", 0, "");
    assert_not_built("PyTreeDef([*, " SAME(2) "])", 1, "[1]");
    assert_not_built("PyTreeDef([*, " SAME(-2) "])", 1, "[1]");
    assert_not_built("PyTreeDef([" SAME(-1) ", " SAME(1) "])", 0, "[0]");
    assert_not_built("PyTreeDef([None, " SAME(1) "])", 0, "[1]");
    /* a list for an array, another struct, another extent, a value in place */
    assert_not_built("PyTreeDef([[*], CustomNode(Shared[(3,)], [" SAME(1) "])])", 1, "[1].x");
    assert_not_built("PyTreeDef(CustomNode(Parent[(3,)], [" ONE ", " SAME(-3) ", *, None, None]))", 2, ".right");
    assert_not_built("PyTreeDef([*, CustomNode(Shared[(2,)], [" SAME(1) "])])", 1, "[1].x");
    assert_not_built("PyTreeDef([*, CustomNode(Cell[()], [" SAME(1) ", None])])", 1, "[1].weight");
}

static void depth_needs_only_memory(void **state)
{
    const size_t depth = slow_here() ? 20000 : DEEPER_THAN_A_STACK;
    Parent *chain = calloc(depth, sizeof *chain);
    float x[1] = { 1 };
    Shared one = { 1, x };
    pytree_error error = { 0 };
    pytree copy;
    const Parent *p;
    size_t i;
    (void)state;
    assert_non_null(chain);
    for (i = 0; i < depth; i++) { chain[i] = (Parent){ 1, &one, &one, x, i + 1 < depth ? &chain[i + 1] : chain, PYTREE_NONE }; }
    copy = pytree_graph_clone(PYTREE(chain), NULL, &error);
    assert_ok(error.status, &error);
    p = copy.data;
    for (i = 0; i + 1 < depth; i++) {
        assert_true(p->left == ((const Parent *)copy.data)->left && p->left == p->right && p->tied == p->left->x);
        p = p->up;
    }
    assert_ptr_equal(p->up, copy.data);
    pytree_free(copy);
    free(chain);
}

/* Two pointers a level: as a tree it would have 2^100 leaves. */
static void sharing_costs_nothing(void **state)
{
    enum { DEPTH = 100 };
    pytree pairs[DEPTH][2], t = PYTREE_INT(1);
    pytree_items items[DEPTH];
    pytree_error error = { 0 };
    pytree_def *def;
    size_t i;
    (void)state;
    for (i = 0; i < DEPTH; i++) {
        pairs[i][0] = pairs[i][1] = t;
        items[i] = (pytree_items){ .count = 2, .items = pairs[i] };
        t = (pytree){ &pytree_types[PYTREE__T_list], &items[i] };
    }
    def = pytree_graphdef(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(def->n_nodes, 2 * DEPTH + 1);
    assert_int_equal(def->n_leaves, 1);
    pytree_def_free(def);
}

static pytree_status sweep_graphs(void *context, const pytree_options *opt, pytree_error *err)
{
    Fixture *f = (Fixture *)context;
    pytree t = fixture(f), copy;
    pytree_def *def;
    pytree_duplicates *d;
    char text[300] = "";
    f->p.right = &f->one;
    f->p.up = &f->p;
    f->p.any = PYTREE_DICT({ "b", PYTREE_VARIABLE(Param, PYTREE_ARRAY(f->z, 3)) },
                           { "a", PYTREE_LIST(PYTREE(&f->p), PYTREE(&f->one)) });
    def = pytree_graphdef(t, opt, err);
    pytree_def_free(def);
    if (err->status == PYTREE_OK) {
        copy = pytree_graph_clone(t, opt, err);
        pytree_free(copy);
    }
    if (err->status == PYTREE_OK) {
        pytree_leaf *leaves = NULL;
        def = NULL;
        pytree_graph_flatten(t, &leaves, 0, &def, opt, err);
        pytree_def_free(def);
    }
    if (err->status == PYTREE_OK) { pytree_graph_walk(t, note_place, text, opt, err); }
    if (err->status == PYTREE_OK) {
        d = pytree_graph_duplicates(t, PYTREE_EVERYTHING, opt, err);
        pytree_duplicates_free(d);
    }
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    Fixture f;
    (void)state;
    assert_true(sweep_allocations(sweep_graphs, &f) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_a_graph),
        cmocka_unit_test(what_two_pointers_lead_to_stands_once),
        cmocka_unit_test(cycles_are_closed_again),
        cmocka_unit_test(copies_keep_what_is_shared),
        cmocka_unit_test(values_in_place_are_where_they_lie),
        cmocka_unit_test(one_memory_has_one_shape_and_one_role),
        cmocka_unit_test(walks_come_to_each_value_once),
        cmocka_unit_test(duplicates_are_groups_of_paths),
        cmocka_unit_test(treedefs_that_lead_astray),
        cmocka_unit_test(depth_needs_only_memory),
        cmocka_unit_test(sharing_costs_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
