/* Structs of every kind of row, built from treedefs and leaves that do not belong there: each child replaced by each kind of
 * node with each kind of leaf. What comes of it is a tree, or an error, and never memory that is lost. */
#include "support.h"
#include "pytree/treedef.h"

typedef struct Wrap { pytree item; } Wrap;

static size_t wrap_children(const void *self, pytree *children, pytree_entry *keys)
{
    assert_null(keys);
    if (children != NULL) { children[0] = ((const Wrap *)self)->item; }
    return 1;
}

static pytree_status wrap_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)metadata;
    if (n != 1 || bytes != 0) { return PYTREE_STRUCTURE; }
    ((Wrap *)self)->item = children[0];
    return PYTREE_OK;
}

static const pytree_custom wrap_callbacks = { .children = wrap_children, .rebuild = wrap_rebuild };

#define PYTREE_STRUCT Wrap
#define PYTREE_CUSTOM wrap_callbacks
#include "pytree_registry.h"

typedef struct Token { unsigned char bytes[4]; } Token;

#define PYTREE_LEAF_TYPE Token
#include "pytree_registry.h"

typedef struct Sized { int n; double *x; } Sized;

#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Every {
    int n;
    double number;
    Token token;
    Point at, *far, pair[2], *list, *each[1];
    double *array, *only, *rows[1];
    pytree any, *values;
    pytree_leaf view, *views;
    double *heights;                      /* stb_ds array */
    Price *prices;                        /* stb_ds map */
    Wrap wrap, *wraps;
    Sized *sized;
    double *numbers;
} Every;

#define PYTREE_STRUCT Every
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, token) PYTREE_FIELD(DATA, at)                  \
    PYTREE_FIELD(DATA, far, OPTIONAL) PYTREE_FIELD(DATA, pair) PYTREE_FIELD(DATA, list, LIST(self->n))                   \
    PYTREE_FIELD(DATA, each, EACH()) PYTREE_FIELD(DATA, array, ARRAY(self->n)) PYTREE_FIELD(DATA, only, ARRAY(1), OPTIONAL) \
    PYTREE_FIELD(DATA, rows, EACH(ARRAY(1))) PYTREE_FIELD(DATA, any) PYTREE_FIELD(DATA, values, LIST(self->n))           \
    PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, views, LIST(self->n)) PYTREE_FIELD(DATA, heights, STB_ARRAY)             \
    PYTREE_FIELD(DATA, prices, STB_MAP) PYTREE_FIELD(DATA, wrap) PYTREE_FIELD(DATA, wraps, LIST(self->n))                \
    PYTREE_FIELD(DATA, sized, LIST(self->n)) PYTREE_FIELD(DATA, numbers, LIST(self->n))
#include "pytree_registry.h"

typedef struct Tagged { int kind; union { Point *path; double real; } as; } Tagged;

#define PYTREE_STRUCT Tagged
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, path, LIST(1)), CASE(1, real)))
#include "pytree_registry.h"

/* All of it lies in the struct, or is numbers behind a pointer. */
typedef struct Plain { double x; Point at; double *more; Point *far; } Plain;

#define PYTREE_STRUCT Plain
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, more, ARRAY(1)) PYTREE_FIELD(DATA, far, OPTIONAL)
#include "pytree_registry.h"

typedef struct Arrays { Wrap wrap; double *a, *b, *c; } Arrays;

#define PYTREE_STRUCT Arrays
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, wrap) PYTREE_FIELD(DATA, a, ARRAY(1)) PYTREE_FIELD(DATA, b, ARRAY(1)) PYTREE_FIELD(DATA, c, ARRAY(1))
#include "pytree_registry.h"

typedef struct Viewed { double *x; pytree_leaf view; } Viewed;

#define PYTREE_STRUCT Viewed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x, ARRAY(2)) PYTREE_FIELD(DATA, view)
#include "pytree_registry.h"

/* ---- What is put in place of a child ------------------------------------------------------------------------------------- */

static double numbers[4] = { 0.5, 1.5, 2.5, 3.5 };
static Point points[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
static Sized sized = { 1, numbers };
static Token token = { { 1, 2, 3, 4 } };
static Wrap wrap;
static const char *word = "word";
static pytree one_item;
static pytree_items one = { .count = 1, .items = &one_item };

static void leaves_make(pytree_leaf *leaf, size_t *n)
{
    const pytree_leaf all[] = {
        { numbers, PYTREE_TYPE(double), 0, PYTREE_FORM_LEAF, { 0 } },
        { numbers, PYTREE_TYPE(double), 1, PYTREE_FORM_LEAF, { 1 } },
        { numbers, PYTREE_TYPE(double), 1, PYTREE_FORM_LEAF, { 2 } },
        { &token, PYTREE_TYPE(Token), 0, PYTREE_FORM_LEAF, { 0 } },
        { &word, PYTREE_TYPE(char *), 0, PYTREE_FORM_LEAF, { 0 } },
        { NULL, PYTREE_NONE.type, 0, PYTREE_FORM_NONE, { 0 } },
        { points, PYTREE_TYPE(Point), 0, PYTREE_FORM_STRUCT, { 0 } },
        { &sized, PYTREE_TYPE(Sized), 0, PYTREE_FORM_STRUCT, { 0 } },
        { &wrap, PYTREE_TYPE(Wrap), 0, PYTREE_FORM_STRUCT, { 0 } },
        { points, PYTREE_TYPE(Point), 1, PYTREE_FORM_LIST, { 1 } },
        { points, PYTREE_TYPE(Point), 1, PYTREE_FORM_TUPLE, { 2 } },
        { points, PYTREE_TYPE(Point), 1, PYTREE_FORM_LIST, { 3 } },
        { numbers, PYTREE_TYPE(double), 1, PYTREE_FORM_LIST, { 1 } },
        { &one, PYTREE_LIST().type, 0, PYTREE_FORM_ITEMS, { 0 } },
        { numbers, PYTREE_TYPE(double), 1, PYTREE_FORM_DEVICE, { 1 } },
        { NULL, PYTREE_TYPE(double), 0, PYTREE_FORM_LEAF, { 0 } },
        { NULL, PYTREE_TYPE(double), 1, PYTREE_FORM_LEAF, { 1 } },
        { NULL, PYTREE_TYPE(Point), 0, PYTREE_FORM_STRUCT, { 0 } },
        { NULL, PYTREE_TYPE(Point), 1, PYTREE_FORM_LIST, { 1 } },
        { NULL, PYTREE_TYPE(double), -1, PYTREE_FORM_LEAF, { 1 } },
    };
    one_item = PYTREE(&numbers[3]);
    wrap.item = PYTREE(&numbers[0]);
    memcpy(leaf, all, sizeof all);
    *n = COUNT_OF(all);
}

enum { BASES = 11, NODES = 3 * BASES };

/* A leaf, None, containers of each kind, structs; each of these in a list, and twice in a tuple. To be freed. */
static void nodes_make(pytree_def **node)
{
    static const int64_t number = 3;
    const char *const key = "a";
    const Tagged tagged = { 1, { .real = 2 } };
    pytree_error error = { 0 };
    const pytree_def *leaf, *two[2];
    size_t i;
    leaf = node[0] = pytree_def_leaf(NULL, &error);
    node[1] = pytree_def_none(NULL, &error);
    node[2] = pytree_def_list(0, NULL, NULL, &error);
    node[3] = pytree_def_list(1, &leaf, NULL, &error);
    node[4] = pytree_def_deque(4, 1, &leaf, NULL, &error);
    node[5] = pytree_def_dict(1, &key, &leaf, NULL, &error);
    node[6] = pytree_def_idict(1, &number, &leaf, NULL, &error);
    node[7] = pytree_structure(PYTREE(&points[0]), NULL, &error);
    node[8] = pytree_structure(PYTREE(&sized), NULL, &error);
    node[9] = pytree_structure(PYTREE(&wrap), NULL, &error);
    node[10] = pytree_structure(PYTREE(&tagged), NULL, &error);
    for (i = 0; i < BASES; i++) {
        two[0] = two[1] = node[i];
        node[BASES + i] = pytree_def_list(1, two, NULL, &error);
        node[2 * BASES + i] = pytree_def_tuple(2, two, NULL, &error);
    }
    assert_ok(error.status, &error);
}

/* ---- Each in the place of each ------------------------------------------------------------------------------------------- */

static size_t succeeded, failed;

/* A tree that refers to leaves without data (`data`: there is none of these) says so when it is read. */
static void assert_made(pytree made, bool data, const pytree_options *opt, pytree_error *error)
{
    if (made.data == NULL) {
        assert_int_not_equal(error->status, PYTREE_OK);
        assert_memory_equal(error->message, "expected ", 9);
        failed++;
    } else {
        assert_ok(error->status, error);
        if (pytree_num_leaves(made, opt, error) == SIZE_MAX) {
            assert_false(data);
            assert_error(error->status, PYTREE_NULL_POINTER, NULL, error);
        }
        pytree_free(made);
        succeeded++;
    }
}

/* Builds it in each of the ways that there are, and twice in a list. */
static void build(const pytree_def *def, const pytree_leaf *leaves)
{
    const pytree_def *const both[2] = { def, def };
    pytree_leaf twice[128];
    pytree_def *list;
    Heap heap;
    const pytree_options opt = { .allocator = &heap.allocator };
    const pytree_flat flat = { def, leaves };
    pytree_error error[4] = { { PYTREE_OK, "", "" }, { PYTREE_OK, "", "" }, { PYTREE_OK, "", "" }, { PYTREE_OK, "", "" } };
    bool data;
    size_t i;
    heap_init(&heap, HEAP_NEVER_FAILS);
    for (i = 0; i < def->n_leaves && (leaves[i].data != NULL || leaves[i].form == PYTREE_FORM_NONE); i++) {}
    data = i == def->n_leaves;
    assert_made(pytree_unflatten(def, def->n_leaves, leaves, &opt, &error[0]), data, &opt, &error[0]);
    memcpy(twice, leaves, def->n_leaves * sizeof *twice);
    memcpy(twice + def->n_leaves, leaves, def->n_leaves * sizeof *twice);
    list = pytree_def_list(2, both, NULL, &error[3]);
    assert_made(pytree_unflatten(list, list->n_leaves, twice, &opt, &error[3]), data, &opt, &error[3]);
    pytree_def_free(list);
    if (data) {                           /* the leaves of a flat must have data */
        assert_made(pytree_clone(PYTREE(&flat), &opt, &error[1]), data, &opt, &error[1]);
        assert_made(pytree_zeros_like(PYTREE(&flat), &opt, &error[2]), data, &opt, &error[2]);
    }
    assert_heap_clean(&heap);
}

/* Puts each node, with each kind of leaf, in the place of each child of a struct. */
static void replace_each(pytree t)
{
    pytree_def *node[NODES], *child[32], *def, *other;
    pytree_leaf kinds[32], *leaves = NULL, mine[64];
    pytree_error error = { 0 };
    size_t n_kinds, i, k, r, v, before = 0, n;
    leaves_make(kinds, &n_kinds);
    nodes_make(node);
    assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    n = def->nodes[def->n_nodes - 1].arity;
    for (i = 0; i < n; i++) { child[i] = pytree_def_child(def, (ptrdiff_t)i, NULL, &error); }
    for (k = 0; k < n; k++) {
        pytree_def *const own = child[k];
        for (r = 0; r < NODES; r++) {
            child[k] = node[r];
            other = pytree_def_struct(t, n, (const pytree_def *const *)child, NULL, &error);
            assert_ok(error.status, &error);
            memcpy(mine, leaves, before * sizeof *mine);
            memcpy(mine + before + node[r]->n_leaves, leaves + before + own->n_leaves,
                   (def->n_leaves - before - own->n_leaves) * sizeof *mine);
            for (v = 0; v < n_kinds; v++) {
                for (i = 0; i < node[r]->n_leaves; i++) { mine[before + i] = kinds[v]; }
                build(other, mine);
                if (node[r]->n_leaves == 0) { break; }
            }
            pytree_def_free(other);
        }
        child[k] = own;
        before += own->n_leaves;
    }
    for (i = 0; i < n; i++) { pytree_def_free(child[i]); }
    for (i = 0; i < NODES; i++) { pytree_def_free(node[i]); }
    pytree_def_free(def);
}

static void every_row(void **state)
{
    Every all = { .n = 1, .number = 1, .token = { { 9, 9, 9, 9 } }, .far = points, .list = points, .each = { points },
                  .array = numbers, .rows = { numbers }, .wraps = &wrap, .sized = &sized, .numbers = numbers };
    pytree value = PYTREE(&numbers[1]);
    pytree_leaf view = { numbers, PYTREE_TYPE(double), 1, PYTREE_FORM_LEAF, { 2 } };
    (void)state;
    wrap.item = PYTREE(&numbers[0]);
    all.wrap.item = PYTREE(&numbers[2]);
    all.any = value;
    all.values = &value;
    all.view = view;
    all.views = &view;
    stbds_arrput(all.heights, 1.5);
    stbds_sh_new_strdup(all.prices);
    stbds_shput(all.prices, "fig", 2.5);
    succeeded = failed = 0;
    replace_each(PYTREE(&all));
    assert_in_range(succeeded, 100, 100000);
    assert_in_range(failed, 1000, 100000);
    stbds_arrfree(all.heights);
    stbds_shfree(all.prices);
}

static void unions_and_plain_structs(void **state)
{
    Plain plain = { 1, { 2, 3 }, numbers, points };
    Tagged path = { 0, { .path = points } }, real = { 1, { .real = 3 } };
    (void)state;
    wrap.item = PYTREE(&numbers[0]);
    replace_each(PYTREE(&path));
    replace_each(PYTREE(&plain));
    replace_each(PYTREE(&real));
}

/* ---- Single cases -------------------------------------------------------------------------------------------------------- */

/* Arrays on a device in any order beside a custom node, to which a rebuilt struct refers. */
static void arrays_on_a_device(void **state)
{
    Arrays arrays = { { PYTREE(&numbers[0]) }, numbers + 1, numbers + 1, numbers + 1 };
    const size_t at[] = { 3, 1, 2 };
    pytree_error error = { 0 };
    pytree_leaf leaves[4], got[4], point = { points, PYTREE_TYPE(Point), 1, PYTREE_FORM_DEVICE, { 1 } };
    pytree_def *const def = pytree_structure(PYTREE(&arrays), NULL, &error);
    pytree made;
    size_t n, i;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&arrays), leaves, 4, &n, NULL, &error), &error);
    assert_int_equal(n, 4);
    for (i = 1; i < 4; i++) {
        leaves[i].form = PYTREE_FORM_DEVICE;
        leaves[i].data = numbers + at[i - 1];
    }
    made = pytree_unflatten(def, 4, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_leaves(made, got, 4, &n, NULL, &error), &error);
    assert_int_equal(got[0].form, PYTREE_FORM_LEAF);
    for (i = 1; i < 4; i++) {
        assert_int_equal(got[i].form, PYTREE_FORM_DEVICE);
        assert_ptr_equal(got[i].data, leaves[i].data);
    }
    pytree_free(made);
    pytree_def_free(def);
    assert_int_equal(pytree_num_leaves(PYTREE(&point), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected an array of numbers on a device, got one of Point");
}

/* A type that is equal, but another object: that of a tree that the library made. */
static void a_type_that_is_equal(void **state)
{
    Plain plain = { 1, { 2, 3 }, numbers, NULL };
    pytree_error error = { 0 };
    const pytree number = pytree_clone(PYTREE(&numbers[2]), NULL, &error);
    pytree_leaf leaves[4];
    pytree_def *const def = pytree_structure(PYTREE(&plain), NULL, &error);
    pytree made;
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&plain), leaves, 4, &n, NULL, &error), &error);
    assert_ptr_not_equal(number.type, leaves[0].type);
    leaves[0].type = number.type;
    leaves[0].data = number.data;
    made = pytree_unflatten(def, n, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((const Plain *)made.data)->x == 2.5);
    pytree_free(made);
    pytree_free(number);
    pytree_def_free(def);
}

/* What pytree_allocate would overwrite: a view that has data. */
static void views_that_are_set(void **state)
{
    Viewed viewed = { NULL, { numbers, PYTREE_TYPE(double), 1, PYTREE_FORM_LEAF, { 2 } } };
    pytree_error error = { 0 };
    (void)state;
    assert_int_not_equal(pytree_allocate(PYTREE(&viewed), NULL, &error), PYTREE_OK);
    assert_string_equal(error.path, ".view");
    assert_null(viewed.x);
    assert_ptr_equal(viewed.view.data, numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(unions_and_plain_structs),
        cmocka_unit_test(arrays_on_a_device),
        cmocka_unit_test(a_type_that_is_equal),
        cmocka_unit_test(views_that_are_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
