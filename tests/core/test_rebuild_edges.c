/* Rebuild where what is given is nearly right: lists of other lengths in place, leaves that are none, nodes in stb_ds
 * arrays, callbacks that fail behind others, values that several members share. */
#include "support.h"
#include "pytree/graph.h"
#include "pytree/treedef.h"
#include "stb_ds.h"

/* ---- Nodes that callbacks make ------------------------------------------------------------------------------------------ */

typedef struct Early { pytree child; } Early;
static int made, released;
static bool fails;

static size_t node_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Early *)self)->child; }
    return 1;
}

static pytree_status node_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)n;
    (void)metadata;
    (void)bytes;
    ((Early *)self)->child = children[0];
    made++;
    return PYTREE_OK;
}

static pytree_status node_fails(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    return fails ? PYTREE_VALUE : node_rebuild(self, n, children, metadata, bytes);
}

static void node_release(void *self)
{
    (void)self;
    released++;
}

static const pytree_custom plain = { .children = node_children, .rebuild = node_rebuild };
static const pytree_custom failing = { .children = node_children, .rebuild = node_fails };
static const pytree_custom owning = { .children = node_children, .rebuild = node_rebuild, .release = node_release };

#define PYTREE_STRUCT Early
#define PYTREE_CUSTOM plain
#include "pytree_registry.h"

typedef struct Late { pytree child; } Late;
#define PYTREE_STRUCT Late
#define PYTREE_CUSTOM failing
#include "pytree_registry.h"

typedef struct Owner { pytree child; } Owner;
#define PYTREE_STRUCT Owner
#define PYTREE_CUSTOM owning
#include "pytree_registry.h"

typedef struct Owners { Owner *all; } Owners;
#define PYTREE_STRUCT Owners
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all, STB_ARRAY)
#include "pytree_registry.h"

static float numbers[4] = { 1, 2, 3, 4 };

/* Of two nodes the one that is rebuilt last fails; the other has nothing to release. */
static void a_callback_that_fails_behind_another(void **state)
{
    Early node = { PYTREE_ARRAY(numbers, 2) };
    Late late = { PYTREE_ARRAY(numbers, 2) };
    pytree_error error = { 0 };
    (void)state;
    fails = true;
    assert_null(pytree_clone(PYTREE_LIST(PYTREE(&node), PYTREE(&late)), NULL, &error).data);
    assert_error(error.status, PYTREE_VALUE, "[1]", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_clone(PYTREE_LIST(PYTREE(&late), PYTREE(&node)), NULL, &error).data);
    assert_error(error.status, PYTREE_VALUE, "[0]", &error);
    fails = false;
}

static void nodes_in_an_stb_array(void **state)
{
    Owners owners = { NULL };
    const Owner one = { PYTREE_ARRAY(numbers, 2) };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    stbds_arrput(owners.all, one);
    stbds_arrput(owners.all, one);
    made = released = 0;
    copy = pytree_clone(PYTREE(&owners), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(made, 2);
    pytree_free(copy);
    assert_int_equal(released, 2);
    stbds_arrfree(owners.all);
}

/* A struct of the caller's cannot have a node: pytree_free would not release it. */
typedef struct Holds { Early node; float *x; } Holds;
#define PYTREE_STRUCT Holds
#define PYTREE_FIELDS PYTREE_FIELD(DATA, node) PYTREE_FIELD(DATA, x, ARRAY(2))
#include "pytree_registry.h"

static void a_node_in_a_struct_of_the_callers(void **state)
{
    Holds holds = { { PYTREE_ARRAY(numbers, 2) }, numbers }, empty = { { { NULL, NULL } }, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_allocate_like(PYTREE(&empty), PYTREE(&holds), NULL, &error), PYTREE_STRUCTURE, ".node", &error);
    assert_null(empty.x);
}

/* More children than views are at hand for, the last of them a map: they take memory, more than once. */
#define EIGHT(f) f##0, f##1, f##2, f##3, f##4, f##5, f##6, f##7
#define EIGHT_ROWS(f)                                                                                                   \
    PYTREE_FIELD(DATA, f##0) PYTREE_FIELD(DATA, f##1) PYTREE_FIELD(DATA, f##2) PYTREE_FIELD(DATA, f##3)                 \
    PYTREE_FIELD(DATA, f##4) PYTREE_FIELD(DATA, f##5) PYTREE_FIELD(DATA, f##6) PYTREE_FIELD(DATA, f##7)
typedef struct Wide {
    double table[8];
    float EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f), EIGHT(g), EIGHT(h), EIGHT(i), EIGHT(j);
    Price *prices;
} Wide;
#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, table) EIGHT_ROWS(a) EIGHT_ROWS(b) EIGHT_ROWS(c) EIGHT_ROWS(d) EIGHT_ROWS(e) EIGHT_ROWS(f)      \
    EIGHT_ROWS(g) EIGHT_ROWS(h) EIGHT_ROWS(i) EIGHT_ROWS(j) PYTREE_FIELD(DATA, prices, STB_MAP)
#include "pytree_registry.h"

/* And an array whose extent is read through another child: it is looked at when all is there. */
typedef struct Long {
    float EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f), EIGHT(g), EIGHT(h), EIGHT(i), EIGHT(j);
    Linear *shape;
    float *x;
} Long;
#define PYTREE_STRUCT Long
#define PYTREE_FIELDS                                                                                                   \
    EIGHT_ROWS(a) EIGHT_ROWS(b) EIGHT_ROWS(c) EIGHT_ROWS(d) EIGHT_ROWS(e) EIGHT_ROWS(f) EIGHT_ROWS(g) EIGHT_ROWS(h)      \
    EIGHT_ROWS(i) EIGHT_ROWS(j) PYTREE_FIELD(DATA, shape) PYTREE_FIELD(DATA, x, ARRAY(self->shape->dout))
#include "pytree_registry.h"

static pytree_status rebuild_long(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_flat *const flat = (const pytree_flat *)context;
    pytree copy = pytree_unflatten(flat->def, flat->def->n_leaves, flat->leaves, opt, err);
    if (err->status == PYTREE_OK) { assert_true(((const Long *)copy.data)->x[1] == 2); }
    pytree_free(copy);
    return err->status;
}

static void a_wide_struct_that_reads(void **state)
{
    static Long wide;
    Linear shape = { 2, 2, numbers, numbers };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat;
    (void)state;
    wide.shape = &shape;
    wide.x = numbers;
    assert_ok(pytree_flatten(PYTREE(&wide), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ .def = def, .leaves = leaves };
    assert_true(sweep_allocations(rebuild_long, &flat) != 0);
    pytree_def_free(def);
}

static pytree_status clone_wide(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree copy = pytree_clone(*(const pytree *)context, opt, err);
    if (err->status == PYTREE_OK) { assert_true(((const Wide *)copy.data)->table[7] == 7); }
    pytree_free(copy);
    return err->status;
}

static void a_wide_struct_with_a_map(void **state)
{
    static Wide wide;
    const pytree t = PYTREE(&wide);
    (void)state;
    wide.table[7] = 7;
    stbds_shput(wide.prices, "one", 1);
    assert_true(sweep_allocations(clone_wide, (void *)(uintptr_t)&t) != 0);
    stbds_shfree(wide.prices);
}

/* ---- Leaves and subtrees ------------------------------------------------------------------------------------------------ */

typedef struct Places { Point two[2]; } Places;
#define PYTREE_STRUCT Places
#define PYTREE_FIELDS PYTREE_FIELD(DATA, two)
#include "pytree_registry.h"

static bool is_child(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 1;
}

static void a_list_of_another_length(void **state)
{
    static Point three[3];
    const pytree_options opt = { .is_leaf = is_child };
    Places places = { { { 1, 2 }, { 3, 4 } } };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&places), &leaves, 0, &def, &opt, &error), &error);
    leaves[0].data = three;
    leaves[0].shape[0] = 3;
    assert_null(pytree_unflatten(def, 1, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, ".two", &error);
    pytree_def_free(def);
}

static void leaves_that_are_none(void **state)
{
    pytree_error error = { 0 };
    Point point = { 1, 2 };
    Early node = { PYTREE_INT(1) };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE(&point), PYTREE_INT(2)), NULL, &error);
    pytree_leaf leaves[3] = { { numbers, PYTREE_TYPE(float), 0, PYTREE_FORM_LEAF, { 0 } },
                              { numbers, PYTREE_TYPE(float), 0, PYTREE_FORM_LEAF, { 0 } },
                              { numbers, PYTREE_TYPE(float), -1, PYTREE_FORM_LEAF, { 2 } } };
    (void)state;
    assert_null(pytree_unflatten(def, 3, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a type and 0 to 8 dimensions for leaf 2, got float and -1");
    pytree_def_free(def);
    memset(&error, 0, sizeof error);
    def = pytree_structure(PYTREE(&node), NULL, &error);
    assert_null(pytree_unflatten(def, 1, leaves + 2, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
    memset(&error, 0, sizeof error);
    def = pytree_structure(PYTREE_INT(1), NULL, &error);
    assert_null(pytree_unflatten(def, 1, leaves + 2, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
}

/* Structs whose static values lie apart, from a treedef that was made with a predicate. */
typedef struct Apart { int a; float x; int b; float y; } Apart;
#define PYTREE_STRUCT Apart
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, x) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

static bool never(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

static void statics_that_lie_apart(void **state)
{
    const pytree_options opt = { .is_leaf = never };
    Apart apart[3] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 1, 2, 3, 4 } };
    const pytree t = PYTREE_LIST(PYTREE(&apart[0]), PYTREE(&apart[1]), PYTREE(&apart[2]));
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree copy;
    (void)state;
    assert_ok(pytree_flatten(t, &leaves, 0, &def, &opt, &error), &error);
    copy = pytree_unflatten(def, 6, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(copy, t, NULL, NULL, &error));
    pytree_free(copy);
    pytree_def_free(def);
}

/* A tag that no CASE has, in static values that were overwritten. */
typedef struct Either { int kind; union { float x; double y; } as; } Either;
#define PYTREE_STRUCT Either
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, x), CASE(1, y)))
#include "pytree_registry.h"

static void a_tag_without_a_case(void **state)
{
    Either either = { 1, { .y = 5 } };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&either), &leaves, 0, &def, NULL, &error), &error);
    either.kind = 9;
    memcpy((void *)(uintptr_t)(def->statics + def->nodes[def->n_nodes - 1].meta), &either.kind, sizeof either.kind);
    assert_null(pytree_unflatten(def, 1, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".as", &error);
    pytree_def_free(def);
}

/* Fewer bytes than the struct has without its array: what pads it counts. */
typedef struct Padded { double d; uint8_t n; uint8_t x[]; } Padded;
#define PYTREE_STRUCT Padded
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, d) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

static void an_array_in_what_pads_its_struct(void **state)
{
    union { Padded padded; char room[sizeof(Padded) + 8]; } from = { .padded = { .d = 1, .n = 2 } };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    from.room[offsetof(Padded, x)] = 5;
    from.room[offsetof(Padded, x) + 1] = 6;
    copy = pytree_clone(PYTREE(&from.padded), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(((const Padded *)copy.data)->x[1], 6);
    pytree_free(copy);
}

/* A list of structs each of which may be followed by its array: there is no room for one in a new list. */
typedef struct Rows { int n; Padded *all; } Rows;
#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n))
#include "pytree_registry.h"

static void a_list_of_structs_with_flexible_arrays(void **state)
{
    Rows rows = { 2, calloc(2, sizeof(Padded)) };
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(rows.all);
    assert_int_equal(pytree_num_leaves(PYTREE(&rows), NULL, &error), 2);
    assert_null(pytree_clone(PYTREE(&rows), NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".all[1]", &error);
    assert_non_null(strstr(error.message, "one with a flexible array lies behind a pointer"));
    free(rows.all);
}

/* ---- What is shared ------------------------------------------------------------------------------------------------------ */

typedef struct Shares { int n; Point *first[2], *second[2]; pytree_leaf view, *views; float *x; } Shares;
#define PYTREE_STRUCT Shares
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, first, EACH()) PYTREE_FIELD(DATA, second, EACH())                         \
    PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, views, LIST(self->n)) PYTREE_FIELD(DATA, x, ARRAY(4))
#include "pytree_registry.h"

static pytree_status share(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree copy = pytree_graph_clone(*(const pytree *)context, opt, err);
    if (err->status == PYTREE_OK) {
        const Shares *const s = (const Shares *)copy.data;
        assert_true(s->first[0] == s->second[1] && s->first[1] == s->first[0] && s->second[0] != s->first[0]);
        assert_true(s->view.data == (void *)s->x && s->views[0].data == (void *)s->x && s->views[1].data == (void *)s->x);
    }
    pytree_free(copy);
    return err->status;
}

static void lists_and_views_that_share(void **state)
{
    Point point = { 1, 2 }, other = { 3, 4 };
    pytree_leaf views[2] = { { numbers, PYTREE_TYPE(float), 1, PYTREE_FORM_LEAF, { 4 } },
                             { numbers, PYTREE_TYPE(float), 1, PYTREE_FORM_LEAF, { 4 } } };
    Shares shares = { 2, { &point, &point }, { &other, &point }, views[0], views, numbers };
    const pytree t = PYTREE(&shares);
    (void)state;
    assert_true(sweep_allocations(share, (void *)(uintptr_t)&t) != 0);
}

/* A struct whose extents are read through what it shares is looked at when that is there. */
typedef struct Two { Point *a, *b; Linear *shape; float *x; } Two;
#define PYTREE_STRUCT Two
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, shape) PYTREE_FIELD(DATA, x, ARRAY(self->shape->dout))
#include "pytree_registry.h"

static pytree_status share_two(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_flat *const flat = (const pytree_flat *)context;
    pytree copy = pytree_unflatten(flat->def, flat->def->n_leaves, flat->leaves, opt, err);
    if (err->status == PYTREE_OK) { assert_true(((const Two *)copy.data)->a == ((const Two *)copy.data)->b); }
    pytree_free(copy);
    return err->status;
}

static void structs_that_share(void **state)
{
    Point point = { 1, 2 };
    float w[4] = { 1, 2, 3, 4 }, bias[2] = { 5, 6 };
    Linear shape = { 2, 2, w, bias };
    Two two = { &point, &point, &shape, numbers };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat;
    (void)state;
    assert_ok(pytree_graph_flatten(PYTREE(&two), &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ .def = def, .leaves = leaves };
    assert_true(sweep_allocations(share_two, &flat) != 0);
    pytree_def_free(def);
}

/* A part of a treedef in which values are shared, which has none of them. */
static void a_part_that_shares_nothing(void **state)
{
    const pytree array = PYTREE_ARRAY(numbers, 2);
    pytree_error error = { 0 };
    pytree_def *def = pytree_graphdef(PYTREE_LIST(PYTREE_LIST(array, PYTREE_INT(1)), array), NULL, &error), *part;
    pytree_leaf leaves[2] = { { numbers, PYTREE_TYPE(float), 1, PYTREE_FORM_LEAF, { 2 } },
                              { numbers, PYTREE_TYPE(float), 0, PYTREE_FORM_LEAF, { 0 } } };
    pytree t;
    (void)state;
    assert_ok(error.status, &error);
    part = pytree_def_child(def, 0, NULL, &error);
    t = pytree_unflatten(part, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_def_text(t, "PyTreeDef([*, *])", NULL);
    pytree_free(t);
    pytree_def_free(part);
    pytree_def_free(def);
}

static void shared_values_in_texts(void **state)
{
    char text[8] = "before";
    (void)state;
    assert_int_equal(pytree_same.custom->print("abc", 3, text, sizeof text), 0);
    assert_string_equal(text, "");
}

/* A dict whose order the caller has given may have a key twice, which only sorting would tell: a map keeps one of them. */
typedef struct Priced { Price *prices; } Priced;
#define PYTREE_STRUCT Priced
#define PYTREE_FIELDS PYTREE_FIELD(DATA, prices, STB_MAP)
#include "pytree_registry.h"

static void a_map_with_a_key_twice(void **state)
{
    static const uint32_t order[2] = { 0, 1 };
    double x[2] = { 1, 2 };
    const pytree_pair pairs[2] = { { "a", PYTREE(&x[0]) }, { "a", PYTREE(&x[1]) } };
    pytree_items items = { .count = 2, .pairs = pairs, .order = order };
    const pytree dict = { PYTREE_DICT().type, &items };
    const pytree_leaf leaves[2] = { { &x[0], PYTREE_TYPE(double), 0, 0, { 0 } }, { &x[1], PYTREE_TYPE(double), 0, 0, { 0 } } };
    Priced none = { NULL };
    pytree_error error = { 0 };
    pytree_def *inner = pytree_structure(dict, NULL, &error);
    const pytree_def *const child[1] = { inner };
    pytree_def *def = pytree_def_struct(PYTREE(&none), 1, child, NULL, &error);
    pytree t = pytree_unflatten(def, 2, leaves, NULL, &error);
    const size_t blocks = stb_blocks;
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(shlen(((Priced *)t.data)->prices), 1);
    assert_string_equal(((Priced *)t.data)->prices[0].key, "a");
    pytree_free(t);
    assert_true(stb_blocks < blocks);
    assert_int_equal(stb_blocks, 0);
    pytree_def_free(def);
    pytree_def_free(inner);
}

/* A list whose count is in a DROP row, which is zero in a copy. */
typedef struct Loose { size_t n; Point *points; } Loose;
#define PYTREE_STRUCT Loose
#define PYTREE_FIELDS PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, points, LIST(self->n))
#include "pytree_registry.h"

static void a_list_whose_count_is_dropped(void **state)
{
    Point points[2] = { { 0 } };
    Loose loose = { 2, points };
    pytree_error error = { 0 };
    (void)state;
    assert_null(pytree_clone(PYTREE(&loose), NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".points", &error);
    assert_string_equal(error.message, "expected a list of 0 (is its count STATIC?), got list of 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_that_fails_behind_another),
        cmocka_unit_test(nodes_in_an_stb_array),
        cmocka_unit_test(a_node_in_a_struct_of_the_callers),
        cmocka_unit_test(a_wide_struct_with_a_map),
        cmocka_unit_test(a_wide_struct_that_reads),
        cmocka_unit_test(a_list_of_another_length),
        cmocka_unit_test(statics_that_lie_apart),
        cmocka_unit_test(a_tag_without_a_case),
        cmocka_unit_test(leaves_that_are_none),
        cmocka_unit_test(an_array_in_what_pads_its_struct),
        cmocka_unit_test(a_list_of_structs_with_flexible_arrays),
        cmocka_unit_test(lists_and_views_that_share),
        cmocka_unit_test(structs_that_share),
        cmocka_unit_test(a_part_that_shares_nothing),
        cmocka_unit_test(shared_values_in_texts),
        cmocka_unit_test(a_map_with_a_key_twice),
        cmocka_unit_test(a_list_whose_count_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
