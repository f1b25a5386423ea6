/* Flatten at its limits: deep and large trees, cycles, NULL, counts and sizes that cannot be. */
#include "flatten_shared.h"

/* ---- Of every size ------------------------------------------------------------------------------------------------------- */

typedef struct Cell {
    int width;
    float *weights;
    Point at;
    const char *name;
    short kind;
    float *bias;                          /* NULL: none */
    Point *far;                           /* NULL: none; otherwise the cell cannot be handled at once */
} Cell;

#define PYTREE_STRUCT Cell
#define PYTREE_FIELDS                                        \
    PYTREE_FIELD(STATIC, width)                              \
    PYTREE_FIELD(DATA, weights, ARRAY(self->width))          \
    PYTREE_FIELD(DATA, at)                                   \
    PYTREE_FIELD(STATIC, name)                               \
    PYTREE_FIELD(STATIC, kind)                               \
    PYTREE_FIELD(DATA, bias, ARRAY(self->width), OPTIONAL)   \
    PYTREE_FIELD(DATA, far, OPTIONAL)
#include "pytree_registry.h"

typedef struct Grid { size_t n; Cell first; Cell *cells; } Grid;
#define PYTREE_STRUCT Grid
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, cells, LIST(self->n))
#include "pytree_registry.h"

/* Small trees are flattened in one pass, large ones in two, and at some size the first pass ends in the middle of a struct.
 * Each time the result is put together from those of the cells. `shift` decides which cells have which parts. */
static void assert_grid(Grid *grid, size_t shift, const pytree_options *opt)
{
    static char expected[64 * 1024], got[64 * 1024];
    static float weights[4];
    static Point points[2];
    static pytree_leaf parts[1024];
    const char *const end = opt != NULL ? ", NoneIsLeaf)" : ")";
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *structure;
    size_t i, n = 0, count, length;
    for (i = 0; i <= grid->n; i++) {
        Cell *const cell = i == 0 ? &grid->first : &grid->cells[i - 1];
        const size_t kind = (i + shift) % 7;
        memset(cell, 0, sizeof *cell);
        cell->width = (int)(i % 4);
        cell->weights = weights;
        cell->name = kind % 2 == 0 ? "even" : "odd";
        cell->kind = (short)(i * 3);
        cell->bias = kind < 3 ? weights : NULL;
        cell->far = kind == 5 ? points : NULL;
    }
    length = (size_t)snprintf(expected, sizeof expected, "PyTreeDef(CustomNode(Grid[(%zu,)], [", grid->n);
    for (i = 0; i <= grid->n; i++) {
        const pytree cell = PYTREE(i == 0 ? &grid->first : &grid->cells[i - 1]);
        char text[1000];
        def = pytree_structure(cell, opt, &error);
        assert_ok(error.status, &error);
        assert_true(pytree_def_text(def, text, sizeof text) < sizeof text);
        pytree_def_free(def);
        assert_memory_equal(text, "PyTreeDef(", 10);
        text[strlen(text) - strlen(end)] = '\0';
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%s%s%s",
                                   i == 1 ? "[" : "", text + 10, i == grid->n ? "" : ", ");
        assert_ok(pytree_leaves(cell, parts + n, COUNT_OF(parts) - n, &count, opt, &error), &error);
        n += count;
    }
    snprintf(expected + length, sizeof expected - length, "%s])%s", grid->n == 0 ? ", []" : "]", end);
    assert_ok(pytree_flatten(PYTREE(grid), &leaves, 0, &def, opt, &error), &error);
    structure = pytree_structure(PYTREE(grid), opt, &error);
    assert_true(pytree_def_text(def, got, sizeof got) < sizeof got);
    assert_string_equal(got, expected);
    assert_true(pytree_def_equal(def, structure));
    assert_int_equal(pytree_def_num_leaves(def), n);
    for (i = 0; i < n; i++) {
        assert_ptr_equal(leaves[i].data, parts[i].data);
        assert_ptr_equal(leaves[i].type, parts[i].type);
        assert_int_equal(leaves[i].form, parts[i].form);
        assert_int_equal(leaves[i].ndim, parts[i].ndim);
        if (parts[i].ndim != 0) { assert_int_equal(leaves[i].shape[0], parts[i].shape[0]); }
    }
    pytree_def_free(structure);
    pytree_def_free(def);
}

static void trees_of_every_size(void **state)
{
    enum { MOST = 40 };
    static Cell cells[MOST];
    pytree_options none_is_leaf = { 0 };
    Grid grid;
    size_t shift;
    (void)state;
    none_is_leaf.none_is_leaf = true;
    grid.cells = cells;
    for (grid.n = 0; grid.n <= MOST; grid.n++) {
        for (shift = 0; shift < 7; shift++) {
            assert_grid(&grid, shift, NULL);
            assert_grid(&grid, shift, &none_is_leaf);
        }
    }
}

/* ---- Deep and large ---------------------------------------------------------------------------------------------------- */

/* What the thread of `a_chain_on_a_small_stack` found. It cannot use cmocka's assertions itself. */
typedef struct Deep {
    size_t n, counted, leaves, nodes;
    pytree_error error;
    bool flattened, equal, hashed, in_place, rebuilt, cloned, copied;
} Deep;

static bool chain_is(const Node *node, size_t n, double offset)
{
    size_t i;
    for (i = 0; node != NULL; node = node->next, i++) {
        if (i == n || node->value != (double)i + offset) {
            return false;
        }
    }
    return i == n;
}

static void *walk_deep(void *context)
{
    Deep *deep = context;
    Node *chain = malloc(deep->n * sizeof *chain);
    double *values = malloc(deep->n * sizeof *values);
    pytree_leaf *leaves = malloc(deep->n * sizeof *leaves), *own = NULL;
    pytree_def *def, *other = NULL;
    pytree rebuilt = { NULL, NULL }, clone = { NULL, NULL };
    size_t i;
    for (i = 0; i < deep->n; i++) {
        chain[i].value = (double)i;
        chain[i].next = i + 1 < deep->n ? &chain[i + 1] : NULL;
    }
    deep->counted = pytree_num_leaves(PYTREE(chain), NULL, &deep->error);
    def = pytree_structure(PYTREE(chain), NULL, &deep->error);
    if (def != NULL && pytree_leaves(PYTREE(chain), leaves, deep->n, NULL, NULL, &deep->error) == PYTREE_OK) {
        deep->leaves = pytree_def_num_leaves(def);
        deep->nodes = pytree_def_num_nodes(def);
        deep->flattened = true;
        for (i = 0; i < deep->n; i++) {
            deep->flattened = deep->flattened && leaves[i].data == &chain[i].value;
            values[i] = (double)i + 0.5;
            leaves[i].data = &values[i];
        }
        if (pytree_flatten(PYTREE(chain), &own, 0, &other, NULL, &deep->error) == PYTREE_OK) {
            deep->flattened = deep->flattened && own[deep->n - 1].data == &chain[deep->n - 1].value;
            deep->equal = pytree_def_equal(def, other);
            deep->hashed = pytree_def_hash(def) == pytree_def_hash(other);
        }
        rebuilt = pytree_unflatten(def, deep->n, leaves, NULL, &deep->error);
        deep->rebuilt = rebuilt.data != NULL && chain_is(rebuilt.data, deep->n, 0.5);
        deep->in_place = pytree_unflatten_into(def, deep->n, leaves, PYTREE(chain), NULL, &deep->error) == PYTREE_OK
            && chain_is(chain, deep->n, 0.5);
        clone = pytree_zeros_like(PYTREE(chain), NULL, &deep->error);
        deep->copied = clone.data != NULL && pytree_copy_into(clone, rebuilt, NULL, &deep->error) == PYTREE_OK
            && chain_is(clone.data, deep->n, 0.5);
        pytree_free(clone);
        clone = pytree_clone(rebuilt, NULL, &deep->error);
        deep->cloned = clone.data != NULL && chain_is(clone.data, deep->n, 0.5);
    }
    pytree_free(clone);
    pytree_free(rebuilt);
    pytree_def_free(other);
    pytree_def_free(def);
    free(leaves);
    free(values);
    free(chain);
    return NULL;
}

/* A chain on a stack of 256 KB: what recurses crashes here. */
static void a_chain_on_a_small_stack(void **state)
{
    static Deep deep;
    pthread_t thread;
    pthread_attr_t attributes;
    (void)state;
    memset(&deep, 0, sizeof deep);
    deep.n = slow_here() ? 30000 : 100000;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, walk_deep, &deep), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_ok(deep.error.status, &deep.error);
    assert_int_equal(deep.counted, deep.n);
    assert_int_equal(deep.leaves, deep.n);
    assert_int_equal(deep.nodes, 2 * deep.n + 1);              /* a struct and a leaf each, None at the end */
    assert_true(deep.flattened);
    assert_true(deep.equal);
    assert_true(deep.hashed);
    assert_true(deep.rebuilt);
    assert_true(deep.in_place);
    assert_true(deep.copied);
    assert_true(deep.cloned);
}

/* Lists in lists in lists, where no struct is. */
static void deeply_nested_lists(void **state)
{
    enum { DEPTH = 20000 };
    static pytree_items items[DEPTH];
    static pytree trees[DEPTH + 1];
    pytree_leaf leaf;
    pytree_error error = { 0 };
    pytree_def *def;
    int number = 1;
    size_t i, n;
    (void)state;
    trees[0] = PYTREE(&number);
    for (i = 0; i < DEPTH; i++) {
        items[i].count = 1;
        items[i].items = &trees[i];
        trees[i + 1].type = i % 2 == 0 ? PYTREE_LIST().type : PYTREE_TUPLE().type;
        trees[i + 1].data = &items[i];
    }
    assert_ok(pytree_leaves(trees[DEPTH], &leaf, 1, &n, NULL, &error), &error);
    assert_true(leaf.data == &number);
    def = pytree_structure(trees[DEPTH], NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_nodes(def), DEPTH + 1);
    assert_int_equal(pytree_def_num_leaves(def), 1);
    pytree_def_free(def);
}

typedef struct Series {
    size_t n;
    float *values;
} Series;

#define PYTREE_STRUCT Series
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, values, LIST(self->n))
#include "pytree_registry.h"

/* A list of ten million scalars is ten million leaves. */
static void a_list_of_ten_million_scalars(void **state)
{
    Series series;
    pytree_error error = { 0 };
    pytree_def *def;
    (void)state;
    series.n = slow_here() || !OPTIMISED ? 20000 : 10000000;
    series.values = test_floats(series.n, 0.0f);
    assert_int_equal(pytree_num_leaves(PYTREE(&series), NULL, &error), series.n);
    def = pytree_structure(PYTREE(&series), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_leaves(def), series.n);
    assert_int_equal(pytree_def_num_nodes(def), series.n + 2);
    pytree_def_free(def);
    free(series.values);
}

/* ---- Cycles ------------------------------------------------------------------------------------------------------------ */

typedef struct Loop {                     /* nothing but the way on, in its first member */
    struct Loop *next;
} Loop;

#define PYTREE_STRUCT Loop
#define PYTREE_FIELDS PYTREE_FIELD(DATA, next)
#include "pytree_registry.h"

typedef struct Kids {
    size_t n;
    struct Kids *kids;
    float weight;
} Kids;

#define PYTREE_STRUCT Kids
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, kids, LIST(self->n)) PYTREE_FIELD(DATA, weight)
#include "pytree_registry.h"

/* The error's path is so many times `step`; where it was cut there is no telling. Returns how many. */
static size_t steps_of(const char *path, const char *step)
{
    size_t n = 0;
    for (; strncmp(path, step, strlen(step)) == 0; path += strlen(step)) {
        n++;
    }
    assert_true(path[0] == '\0' || strncmp(path, "...", 3) == 0);
    return n;
}

/* How far above the value is that it is the same as, according to the message. */
static unsigned long levels_above(const pytree_error *error)
{
    const char *at = strstr(error->message, "levels above");
    assert_non_null(at);
    assert_true(at - error->message > 12);
    for (at -= 2; at > error->message && at[-1] != ' '; at--) {}
    return strtoul(at, NULL, 10);
}

static void a_loop_through_the_first_member(void **state)
{
    Loop loop, pair[2];
    (void)state;
    loop.next = &loop;
    assert_refused(PYTREE(&loop), PYTREE_CYCLE, ".next", "Loop");
    pair[0].next = &pair[1];
    pair[1].next = &pair[0];
    assert_refused(PYTREE(&pair[0]), PYTREE_CYCLE, NULL, "Loop");
}

static void loops_of_every_length(void **state)
{
    enum { MOST = 70 };
    Node nodes[2 * MOST];
    size_t length, before, i;
    (void)state;
    for (length = 1; length <= MOST; length += length < 10 ? 1 : 20) {
        for (before = 0; before <= MOST; before += before < 10 ? 1 : 20) {     /* nodes that lead into the loop */
            pytree_error error = { 0 };
            pytree_def *def;
            size_t steps;
            for (i = 0; i < before + length; i++) {
                nodes[i].value = 0.0;
                nodes[i].next = &nodes[i + 1];
            }
            nodes[before + length - 1].next = &nodes[before];
            def = pytree_structure(PYTREE(&nodes[0]), NULL, &error);
            assert_null(def);
            assert_error(error.status, PYTREE_CYCLE, NULL, &error);
            steps = steps_of(error.path, ".next");
            assert_true(steps >= 1);
            assert_int_equal(levels_above(&error) % length, 0);
            assert_true(levels_above(&error) >= length);
        }
    }
}

static void other_cycles(void **state)
{
    Member member = { 0.5f, NULL };
    Team team = { 7, NULL };
    Kids kids = { 1, NULL, 1.0f }, pair[2] = { { 0, NULL, 1.0f }, { 0, NULL, 2.0f } };
    pytree self, list[1], through[2];
    pytree_items items = { 0 }, items_too = { 0 };
    pytree_leaf view = { 0 };
    (void)state;
    member.team = &team;
    team.lead = &member;
    assert_refused(PYTREE(&member), PYTREE_CYCLE, NULL, "above");
    assert_refused(PYTREE(&team), PYTREE_CYCLE, NULL, "above");

    kids.kids = &kids;
    assert_refused(PYTREE(&kids), PYTREE_CYCLE, NULL, "above");
    pair[0].n = 2;
    pair[0].kids = pair;
    assert_refused(PYTREE(&pair[0]), PYTREE_CYCLE, NULL, "above");

    self.type = PYTREE_TYPE(pytree);
    self.data = &self;
    assert_refused(PYTREE_LIST(self), PYTREE_CYCLE, "[0]", "itself");
    view.type = PYTREE_TYPE(pytree_leaf);
    view.data = &view;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_CYCLE, "[0]", "itself");

    items.count = 1;
    items.items = list;
    list[0].type = PYTREE_LIST().type;
    list[0].data = &items;
    assert_refused(list[0], PYTREE_CYCLE, NULL, "above");

    items_too.count = 1;                  /* a list that holds a dict that holds the list */
    items_too.pairs = &(const pytree_pair){ "k", { PYTREE_LIST().type, &items } };
    through[0].type = PYTREE_DICT().type;
    through[0].data = &items_too;
    items.items = through;
    assert_refused(through[0], PYTREE_CYCLE, NULL, "above");
}

/* The same value twice is no cycle; nor is a struct at the address of the one it begins. */
static void what_only_looks_like_a_cycle(void **state)
{
    Node shared = { 1.0, NULL }, first = { 0.0, NULL };
    Kids inner = { 0, NULL, 1.0f }, middle = { 1, NULL, 2.0f }, outer = { 1, NULL, 3.0f };
    pytree one, nested, hops[50];
    size_t i;
    int number = 0;
    (void)state;
    first.next = &shared;
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(PYTREE(&first), PYTREE(&shared), PYTREE(&first)), NULL, NULL), 5);
    middle.kids = &inner;
    outer.kids = &middle;
    assert_int_equal(pytree_num_leaves(PYTREE(&outer), NULL, NULL), 3);
    one = PYTREE(&number);
    nested = PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_TUPLE(one, one), one), one), one);
    assert_int_equal(pytree_num_leaves(nested, NULL, NULL), 5);
    for (i = 0; i < COUNT_OF(hops); i++) {             /* references to references are followed */
        hops[i] = one;
        one = PYTREE(&hops[i]);
        assert_int_equal(pytree_num_leaves(one, NULL, NULL), 1);
    }
}

typedef struct Core { float value; } Core;

#define PYTREE_STRUCT Core
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value)
#include "pytree_registry.h"

typedef struct Shell { Core core[1]; } Shell;

#define PYTREE_STRUCT Shell
#define PYTREE_FIELDS PYTREE_FIELD(DATA, core)
#include "pytree_registry.h"

typedef struct Husk { Shell shell; struct Husk *next; } Husk;

#define PYTREE_STRUCT Husk
#define PYTREE_FIELDS PYTREE_FIELD(DATA, shell) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

static void first_members_share_their_structs_address(void **state)
{
    Husk husks[3];
    (void)state;
    memset(husks, 0, sizeof husks);
    husks[0].next = &husks[1];
    husks[1].next = &husks[2];
    assert_paths(PYTREE(&husks[0]), ".shell.core[0].value .next.shell.core[0].value .next.next.shell.core[0].value", NULL);
}

/* ---- NULL, counts, sizes ----------------------------------------------------------------------------------------------- */

typedef struct Needs {
    Point *point;
    float *array;
    Point *list;
    const char *text;
    double *numbers;
} Needs;

#define PYTREE_STRUCT Needs
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, point) PYTREE_FIELD(DATA, array, ARRAY(2, 3)) PYTREE_FIELD(DATA, list, LIST(2))                  \
    PYTREE_FIELD(DATA, text) PYTREE_FIELD(DATA, numbers, LIST(1))
#include "pytree_registry.h"

static void null_where_data_is_required(void **state)
{
    Point points[2] = { { 1.0f, 2.0f }, { 3.0f, 4.0f } };
    float array[6] = { 0 };
    double numbers[1] = { 1.0 };
    Needs needs, whole;
    const char *missing = NULL;
    pytree root = { NULL, NULL };
    pytree_leaf view = { 0 };
    pytree_flat flat = { NULL, NULL };
    (void)state;
    whole.point = points;
    whole.array = array;
    whole.list = points;
    whole.text = "text";
    whole.numbers = numbers;
    assert_int_equal(pytree_num_leaves(PYTREE(&whole), NULL, NULL), 9);
    needs = whole, needs.point = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".point", "expected a Point, got NULL");
    needs = whole, needs.array = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".array", "expected 6 elements of float, got NULL");
    needs = whole, needs.list = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".list", "expected a list of 2 Point, got NULL");
    needs = whole, needs.text = NULL;
    assert_refused(PYTREE(&needs), PYTREE_NULL_POINTER, ".text", "expected a string, got NULL");
    needs = whole, needs.numbers = NULL;
    assert_refused(PYTREE_LIST(PYTREE(&whole), PYTREE(&needs)), PYTREE_NULL_POINTER, "[1].numbers", "got NULL");
    assert_refused(PYTREE(&missing), PYTREE_NULL_POINTER, "", "got NULL");
    root.type = PYTREE_TYPE(Needs);
    assert_refused(root, PYTREE_NULL_POINTER, "", "expected a Needs, got NULL");
    root.type = PYTREE_TYPE(double);
    assert_refused(root, PYTREE_NULL_POINTER, "", "got NULL");
    view.type = PYTREE_TYPE(float);
    view.ndim = 1;
    view.shape[0] = 3;
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_NULL_POINTER, "[0]", "expected 3 elements of float, got NULL");
    assert_refused(PYTREE_TUPLE(PYTREE(&flat)), PYTREE_NULL_POINTER, "[0]", "got NULL");
}

static void views_that_are_none(void **state)
{
    float data[1] = { 0 };
    pytree_leaf view = { 0 };
    (void)state;
    view.data = data;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "no type");
    view.type = PYTREE_TYPE(float);
    view.ndim = PYTREE_MAX_DIMS + 1;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "dimensions");
    view.ndim = -1;
    assert_refused(PYTREE_LIST(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "-1");
}

typedef struct Sized {
    long long rows, columns, count;
    signed char small;
    float *grid;
    Point *list;
    double *numbers;
    short *few;
} Sized;

#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, rows) PYTREE_FIELD(STATIC, columns) PYTREE_FIELD(STATIC, count) PYTREE_FIELD(STATIC, small)    \
    PYTREE_FIELD(DATA, grid, ARRAY(self->rows, self->columns)) PYTREE_FIELD(DATA, list, LIST(self->count))              \
    PYTREE_FIELD(DATA, numbers, LIST(self->count)) PYTREE_FIELD(DATA, few, ARRAY(self->small))
#include "pytree_registry.h"

/* Where a size_t has fewer bits than an extent, one that does not fit is reported as -1. */
#define NARROW (sizeof(size_t) < sizeof(long long))

static void bad_counts_and_sizes(void **state)
{
    static float room[4];
    static Point points[1];
    static double numbers[1];
    static short few[1];
    Sized good, bad;
    (void)state;
    memset(&good, 0, sizeof good);
    good.rows = good.columns = 2;
    good.count = 1;
    good.small = 1;
    good.grid = room;
    good.list = points;
    good.numbers = numbers;
    good.few = few;
    assert_int_equal(pytree_num_leaves(PYTREE(&good), NULL, NULL), 1 + 2 + 1 + 1);
    bad = good, bad.rows = -1;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "got -1");
    bad = good, bad.columns = LLONG_MIN;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "dimension 1");
    bad = good, bad.rows = 0, bad.columns = -7;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "got -7");
    bad = good, bad.count = -5;
    assert_refused(PYTREE_LIST(PYTREE(&good), PYTREE(&bad)), PYTREE_BAD_COUNT, "[1].list", "got -5");
    bad = good, bad.count = LLONG_MAX;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".list", NARROW ? "got -1" : "got 9223372036854775807");
    bad = good, bad.small = -128;
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".few", "got -128");
    bad = good, bad.rows = bad.columns = 1LL << 40;
    assert_refused(PYTREE(&bad), NARROW ? PYTREE_BAD_COUNT : PYTREE_OVERFLOW, ".grid",
                   NARROW ? "got -1" : "1099511627776 x 1099511627776");
    bad = good, bad.rows = LLONG_MAX / 2;          /* as elements they are few enough, as bytes they are not */
    bad.columns = 1;
    assert_refused(PYTREE(&bad), NARROW ? PYTREE_BAD_COUNT : PYTREE_OVERFLOW, ".grid", NARROW ? "got -1" : "of 4 bytes");
    bad = good, bad.rows = LLONG_MAX / 8, bad.columns = 5;
    assert_refused(PYTREE(&bad), NARROW ? PYTREE_BAD_COUNT : PYTREE_OVERFLOW, ".grid", NARROW ? "got -1" : "x 5");
    bad = good, bad.rows = -1, bad.grid = NULL;    /* a bad count is one with NULL too */
    assert_refused(PYTREE(&bad), PYTREE_BAD_COUNT, ".grid", "got -1");
}

/* Extents that overflow although one of them is zero, views of absurd shapes. */
static void absurd_views(void **state)
{
    static float room[1];
    static char key[] = "a";
    Price price = { key, 1 };
    pytree_leaf view = { 0 };
    int i;
    (void)state;
    view.data = room;
    view.type = PYTREE_TYPE(float);
    view.ndim = PYTREE_MAX_DIMS;
    for (i = 0; i < PYTREE_MAX_DIMS; i++) {
        view.shape[i] = 1000000;
    }
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_OVERFLOW, "[0]", "1000000 x 1000000");
    view.ndim = 1;
    view.shape[0] = SIZE_MAX;
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_BAD_COUNT, "[0]", "got -1");
    view = (pytree_leaf){ &price, PYTREE_TYPE(double), 1, PYTREE_FORM_MAP, { 3, 0, offsetof(Price, value) } };
    assert_refused(PYTREE_TUPLE(PYTREE(&view)), PYTREE_ARGUMENT, "[0]", "each dict key once");    /* entries of no bytes */
}

static void nothing_needs_no_memory(void **state)
{
    Sized none;
    pytree_leaf leaves[3];
    pytree_error error = { 0 };
    size_t n;
    (void)state;
    memset(&none, 0, sizeof none);
    assert_ok(pytree_leaves(PYTREE(&none), leaves, 3, &n, NULL, &error), &error);
    assert_int_equal(n, 2);
    assert_null(leaves[0].data);
    assert_int_equal(leaves[0].ndim, 2);
    assert_int_equal(leaves[0].shape[0], 0);
    assert_int_equal(leaves[0].shape[1], 0);
    assert_null(leaves[1].data);
    assert_int_equal(pytree_leaf_bytes(&leaves[1]), 0);
    none.columns = 5;
    assert_def_text(PYTREE(&none), "PyTreeDef(CustomNode(Sized[(0, 5, 0, 0)], [*, [], [], *]))", NULL);
}

/* A treedef has at most 2^32 - 1 nodes, and as many bytes of static values. None of the elements but the first is looked at:
 * there are no others. */
typedef struct Billions { size_t n; Point *points; } Billions;
typedef struct Layers { size_t n; Linear *layers; } Layers;

#define PYTREE_STRUCT Billions
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, points, LIST(self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Layers
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layers, LIST(self->n))
#include "pytree_registry.h"

static void more_nodes_than_a_treedef_has(void **state)
{
#if SIZE_MAX > 0xFFFFFFFF
    Point point = { 0.0f, 0.0f };
    Linear layer;
    Billions billions = { (size_t)1 << 31, NULL };
    Layers layers = { (size_t)1 << 30, NULL };
    pytree_error error = { 0 };
    (void)state;
    layer = linear_make(1, 1, 0.0f);
    billions.points = &point;
    assert_null(pytree_structure(PYTREE(&billions), NULL, &error));
    assert_error(error.status, PYTREE_OVERFLOW, "", &error);
    memset(&error, 0, sizeof error);
    layers.layers = &layer;
    assert_null(pytree_structure(PYTREE(&layers), NULL, &error));
    assert_error(error.status, PYTREE_OVERFLOW, "", &error);
    linear_clear(&layer);
#else
    (void)state;
#endif
}

/* A struct of more than 4 GiB is visited by its rows. Of its memory, which is only reserved, a page is touched. Without
 * optimisation gcc keeps the zeros that the registration measures, which are as large: no program can have them. */
#if SIZE_MAX > UINT32_MAX && !defined(__TINYC__) && !defined(_WIN32) && (defined(__clang__) || defined(__OPTIMIZE__))
#define HAS_VAST
typedef struct Vast { float *weights; char room[UINT32_MAX + (size_t)17]; } Vast;
#define PYTREE_STRUCT Vast
#define PYTREE_FIELDS PYTREE_FIELD(DATA, weights, ARRAY(2)) PYTREE_FIELD(DROP, room)
#include "pytree_registry.h"
#endif

static void a_struct_of_four_gib(void **state)
{
    (void)state;
#if defined(HAS_VAST)
    Vast *const vast = under_valgrind() ? NULL : calloc(1, sizeof *vast);
    float weights[2] = { 1, 2 };
    Point points[40] = { { 0 } };
    pytree_leaf all = { points, PYTREE_TYPE(Point), 1, PYTREE_FORM_LIST, { 40 } };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_error error = { 0 };
    if (vast == NULL) { skip(); }
    vast->weights = weights;
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&all), PYTREE(vast)), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_leaves, 81);
    assert_ptr_equal(leaves[80].data, weights);
    pytree_def_free(def);
    free(vast);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_every_size),
        cmocka_unit_test(a_chain_on_a_small_stack),
        cmocka_unit_test(deeply_nested_lists),
        cmocka_unit_test(a_list_of_ten_million_scalars),
        cmocka_unit_test(a_loop_through_the_first_member),
        cmocka_unit_test(loops_of_every_length),
        cmocka_unit_test(other_cycles),
        cmocka_unit_test(what_only_looks_like_a_cycle),
        cmocka_unit_test(first_members_share_their_structs_address),
        cmocka_unit_test(null_where_data_is_required),
        cmocka_unit_test(views_that_are_none),
        cmocka_unit_test(bad_counts_and_sizes),
        cmocka_unit_test(absurd_views),
        cmocka_unit_test(nothing_needs_no_memory),
        cmocka_unit_test(more_nodes_than_a_treedef_has),
        cmocka_unit_test(a_struct_of_four_gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
