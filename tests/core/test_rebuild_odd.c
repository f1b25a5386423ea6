/* Rebuild at its edges: subtrees and shared values beside containers that have memory of their own, structs that are counted as
 * what they turn out not to be, lists of trees, leaves that a union or a list cannot hold. */
#include "../support/fake_device.h"

#include "pytree/graph.h"
#include "pytree/treedef_io.h"

/* ---- Structs ----------------------------------------------------------------------------------------------------------- */

/* A container in the memory of another one. */
typedef struct Nest { float *xs; } Nest;
typedef struct Nests { Nest *nests; Point *point; } Nests;

#define PYTREE_STRUCT Nest
#define PYTREE_FIELDS PYTREE_FIELD(DATA, xs, STB_ARRAY)
#include "pytree_registry.h"

#define PYTREE_STRUCT Nests
#define PYTREE_FIELDS PYTREE_FIELD(DATA, nests, STB_ARRAY) PYTREE_FIELD(DATA, point)
#include "pytree_registry.h"

/* A struct of as many nodes with a tag as without, which is counted as one that has none. */
typedef struct Tag { int number; } Tag;
typedef struct Tagged { Tag *tag; float x; } Tagged;
typedef struct Tags { Tagged *all; } Tags;

#define PYTREE_STRUCT Tag
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, number)
#include "pytree_registry.h"

#define PYTREE_STRUCT Tagged
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tag, OPTIONAL) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define PYTREE_STRUCT Tags
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all, LIST(3))
#include "pytree_registry.h"

typedef struct Flats { pytree_flat *flats; pytree_leaf *views; } Flats;

#define PYTREE_STRUCT Flats
#define PYTREE_FIELDS PYTREE_FIELD(DATA, flats, LIST(1)) PYTREE_FIELD(DATA, views, LIST(1))
#include "pytree_registry.h"

typedef struct Space { float room[64]; } Space;
typedef struct Either { int kind; int n; union { Space *spaces; Point *points; float x; } as; } Either;

#define PYTREE_STRUCT Space
#define PYTREE_FIELDS PYTREE_FIELD(DATA, room)
#include "pytree_registry.h"

#define PYTREE_STRUCT Either
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind)                                                                                          \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, spaces, LIST(self->n)), CASE(1, points, LIST(self->n)), CASE(2, x)))
#include "pytree_registry.h"

typedef struct Tail { int n; float x[]; } Tail;

#define PYTREE_STRUCT Tail
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

/* A list of pointers twice: in a graph both lead to one. */
typedef struct Pair { Point **first, **second; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first, LIST(2, EACH())) PYTREE_FIELD(DATA, second, LIST(2, EACH()))
#include "pytree_registry.h"

typedef struct Words { int n; char **words; } Words;

#define PYTREE_STRUCT Words
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, words, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Viewing { pytree_leaf view; } Viewing;

#define PYTREE_STRUCT Viewing
#define PYTREE_FIELDS PYTREE_FIELD(DATA, view)
#include "pytree_registry.h"

/* More children than views are at hand for, the last of them a list. */
#define SIXTEEN(f) f##0, f##1, f##2, f##3, f##4, f##5, f##6, f##7, f##8, f##9, f##a, f##b, f##c, f##d, f##e, f##f
#define ROW(f) PYTREE_FIELD(DATA, f)
#define SIXTEEN_ROWS(f)                                                                                                 \
    ROW(f##0) ROW(f##1) ROW(f##2) ROW(f##3) ROW(f##4) ROW(f##5) ROW(f##6) ROW(f##7)                                     \
    ROW(f##8) ROW(f##9) ROW(f##a) ROW(f##b) ROW(f##c) ROW(f##d) ROW(f##e) ROW(f##f)

typedef struct Wide { float SIXTEEN(r), SIXTEEN(s), SIXTEEN(t), SIXTEEN(u); Point *list; } Wide;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS                                                                                                   \
    SIXTEEN_ROWS(r) SIXTEEN_ROWS(s) SIXTEEN_ROWS(t) SIXTEEN_ROWS(u) PYTREE_FIELD(DATA, list, LIST(2))
#include "pytree_registry.h"

/* A node with one child, made by callbacks. */
typedef struct Box { pytree child; } Box;

static int boxes;                         /* rebuilt and not released */

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Box *)self)->child; }
    return 1;
}

static pytree_status box_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)metadata;
    (void)bytes;
    assert_int_equal(n, 1);
    ((Box *)self)->child = children[0];
    boxes++;
    return PYTREE_OK;
}

static void box_release(void *self)
{
    (void)self;
    boxes--;
}

static const pytree_custom box_callbacks = { .children = box_children, .rebuild = box_rebuild, .release = box_release };
static const pytree_custom sealed_callbacks = { .children = box_children };

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef struct Sealed { pytree child; } Sealed;                /* cannot be rebuilt */

#define PYTREE_STRUCT Sealed
#define PYTREE_CUSTOM sealed_callbacks
#include "pytree_registry.h"

/* ---- Containers in containers ---------------------------------------------------------------------------------------- */

static bool is_point(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && value->type == PYTREE_TYPE(Point);
}

static void nests_make(Nests *n, Point *point, bool inner)
{
    Nest nest = { NULL };
    memset(n, 0, sizeof *n);
    n->point = point;
    if (inner) { stbds_arrput(nest.xs, 1.5f); }
    stbds_arrput(n->nests, nest);
}

static void nests_clear(Nests *n)
{
    stbds_arrfree(n->nests[0].xs);
    stbds_arrfree(n->nests);
}

static void a_subtree_beside_a_container_in_a_container(void **state)
{
    Point point = { 1, 2 };
    Heap heap;
    pytree_options opt = { .is_leaf = is_point };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    Nests nests;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    nests_make(&nests, &point, true);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_flatten(PYTREE(&nests), &leaves, 0, &def, &opt, &error), &error);
    assert_int_equal(def->n_leaves, 2);
    assert_null(pytree_unflatten(def, 2, leaves, &opt, &error).data);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected leaves only, because nodes in stb_ds containers have memory of their own, "
                        "got a subtree as a leaf");
    pytree_def_free(def);
    nests_clear(&nests);
    assert_heap_clean(&heap);
    memset(&error, 0, sizeof error);

    opt.is_leaf = NULL;                   /* without the subtree it can be built */
    leaves = NULL;
    nests_make(&nests, &point, true);
    assert_ok(pytree_flatten(PYTREE(&nests), &leaves, 0, &def, &opt, &error), &error);
    made = pytree_unflatten(def, 3, leaves, &opt, &error);
    assert_ok(error.status, &error);
    assert_true(((const Nests *)made.data)->nests[0].xs[0] == 1.5f);
    pytree_free(made);
    pytree_def_free(def);
    nests_clear(&nests);
    assert_heap_clean(&heap);
}

static void shared_values_beside_a_container_in_a_container(void **state)
{
    static float numbers[2] = { 1, 2 };
    Point point = { 1, 2 };
    Nests nests;
    pytree_error error = { 0 };
    const pytree_items *items;
    pytree made;
    (void)state;
    nests_make(&nests, &point, true);
    made = pytree_graph_clone(PYTREE_LIST(PYTREE(&nests), PYTREE_ARRAY(numbers, 2), PYTREE_ARRAY(numbers, 2)), NULL, &error);
    assert_null(made.data);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected leaves only, because nodes in stb_ds containers have memory of their own, "
                        "got shared values");
    nests_clear(&nests);
    memset(&error, 0, sizeof error);
    made = pytree_graph_clone(PYTREE_LIST(PYTREE_ARRAY(numbers, 2), PYTREE_ARRAY(numbers, 2)), NULL, &error);
    assert_ok(error.status, &error);
    items = (const pytree_items *)made.data;
    assert_ptr_equal(((const pytree_leaf *)items->items[0].data)->data, ((const pytree_leaf *)items->items[1].data)->data);
    pytree_free(made);
}

/* What owns memory is released in a walk where containers hold some of it: only what has a function for that. */
typedef struct Mode { unsigned bits : 3; float x; } Mode;
typedef struct Crate { pytree child; } Crate;

#define PYTREE_STRUCT Mode
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, bits, BITS) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static pytree_status crate_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)n;
    (void)metadata;
    (void)bytes;
    ((Crate *)self)->child = children[0];
    return PYTREE_OK;
}

static const pytree_custom crate_callbacks = { .children = box_children, .rebuild = crate_rebuild };

#define PYTREE_STRUCT Crate
#define PYTREE_CUSTOM crate_callbacks
#include "pytree_registry.h"

static void releases_beside_a_container_in_a_container(void **state)
{
    Point point = { 1, 2 };
    Mode mode = { 5, 1 };
    Box box = { PYTREE(&point) };
    Crate crate = { PYTREE(&point) };
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Nests nests;
    pytree tree, made;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    nests_make(&nests, &point, true);
    tree = PYTREE_LIST(PYTREE(&nests), PYTREE(&mode), PYTREE(&box), PYTREE(&crate));
    made = pytree_clone(tree, &opt, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(made, tree, NULL, NULL, &error));
    assert_int_equal(boxes, 1);
    pytree_free(made);
    assert_int_equal(boxes, 0);
    assert_heap_clean(&heap);
    nests_clear(&nests);
}

/* What fails before anything is connected, and before anything is built. */
static void shared_values_that_are_not_reached(void **state)
{
    static float numbers[2] = { 1, 2 };
    Sealed sealed = { PYTREE_ARRAY(numbers, 2) };
    FakeDevice device = { 0 };
    const pytree_device memory = fake_memory(&device);
    pytree_options there = { .memory = &memory };
    pytree_error error = { 0 };
    pytree array;
    (void)state;
    assert_null(pytree_graph_clone(PYTREE_LIST(PYTREE_ARRAY(numbers, 2), PYTREE(&sealed)), NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, "[1]", &error);
    memset(&error, 0, sizeof error);
    array = pytree_clone(PYTREE_ARRAY(numbers, 2), &there, &error);
    assert_ok(error.status, &error);
    assert_null(pytree_graph_clone(PYTREE_LIST(array, array), NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "[0]", &error);
    pytree_free(array);
}

/* Without memory for the walk, pytree_free releases what it reaches: this many nodes deep it needs some. */
static void releases_that_need_memory(void **state)
{
    enum { DEEP = 60 };
    static pytree_items lists[DEEP];
    static pytree trees[DEEP + 1];
    Point point = { 1, 2 };
    Box box = { PYTREE(&point) };
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Nests nests;
    pytree made;
    size_t i, live;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    nests_make(&nests, &point, true);
    trees[DEEP] = PYTREE(&box);
    for (i = DEEP; i-- != 0;) {
        lists[i].items = &trees[i + 1];
        lists[i].count = 1;
        trees[i] = (pytree){ &pytree_types[PYTREE__T_list], &lists[i] };
    }
    live = stb_blocks;
    made = pytree_clone(PYTREE_LIST(PYTREE(&nests), trees[0]), &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(boxes, 1);
    assert_true(stb_blocks > live);
    heap.fail_at = heap.calls;
    pytree_free(made);
    assert_int_equal(boxes, 1);           /* was not reached */
    assert_int_equal(stb_blocks, live);
    assert_heap_clean(&heap);
    boxes = 0;
    nests_clear(&nests);
}

/* ---- Counted as what it is not --------------------------------------------------------------------------------------- */

static void structs_that_are_not_what_they_were_counted_as(void **state)
{
    Tag tag = { 7 };
    Tagged all[3] = { { NULL, 1 }, { &tag, 2 }, { NULL, 3 } };
    Tags tags = { all };
    static float numbers[2] = { 1, 2 };
    Box box = { PYTREE_ARRAY(numbers, 2) };
    pytree tree = PYTREE_LIST(PYTREE(&tags), PYTREE(&box));
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_leaves, 4);
    made = pytree_unflatten(def, 4, leaves, &opt, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(made, tree, NULL, NULL, &error));
    assert_int_equal(boxes, 1);           /* rebuilt once, although all was built twice */
    assert_int_equal(heap.calls, 2);
    pytree_free(made);
    assert_int_equal(boxes, 0);
    assert_heap_clean(&heap);
    pytree_def_free(def);
}

/* ---- Lists and unions ------------------------------------------------------------------------------------------------ */

static void lists_of_flats(void **state)
{
    static float numbers[2] = { 1, 2 };
    pytree_error error = { 0 };
    pytree_leaf *one = NULL, *leaves = NULL;
    pytree_def *leaf, *def;
    pytree_flat flat;
    Flats flats = { &flat, NULL };
    pytree_leaf view = { .data = numbers, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
    (void)state;
    flats.views = &view;
    assert_ok(pytree_flatten(PYTREE_ARRAY(numbers, 2), &one, 0, &leaf, NULL, &error), &error);
    flat.def = leaf;
    flat.leaves = one;
    assert_ok(pytree_flatten(PYTREE(&flats), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_leaves, 2);
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".flats[0]", &error);
    pytree_def_free(def);
    pytree_def_free(leaf);
}

/* Room is made for the larger of a union's lists, whichever comes first. */
static void lists_in_unions(void **state)
{
    Space spaces[2];
    Point points[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    Either either = { 1, 3, { NULL } };
    pytree_error error = { 0 };
    pytree made;
    (void)state;
    memset(spaces, 0, sizeof spaces);
    spaces[1].room[63] = 7;
    either.as.points = points;
    made = pytree_clone(PYTREE(&either), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((const Either *)made.data)->as.points[2].y == 6);
    pytree_free(made);
    either.kind = 0;
    either.n = 2;
    either.as.spaces = spaces;
    made = pytree_clone(PYTREE(&either), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((const Either *)made.data)->as.spaces[1].room[63] == 7);
    pytree_free(made);
}

static void no_leaves_for_a_flexible_struct(void **state)
{
    Tail *const tail = (Tail *)calloc(1, sizeof *tail + 2 * sizeof(float));
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    (void)state;
    tail->n = 2;
    tail->x[1] = 3;
    assert_ok(pytree_flatten(PYTREE(tail), &leaves, 0, &def, NULL, &error), &error);
    made = pytree_unflatten(def, 1, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((const Tail *)made.data)->x[1] == 3);
    pytree_free(made);
    leaves[0].type = NULL;
    assert_null(pytree_unflatten(def, 1, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
    pytree_def_free(def);
    free(tail);
}

/* One list of pointers behind two members: its elements are compared once. */
static void lists_of_pointers_that_are_shared(void **state)
{
    Point points[2] = { { 1, 2 }, { 3, 4 } };
    Point *all[2] = { &points[0], &points[1] };
    Pair pair = { all, all };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    const Pair *copy;
    pytree made;
    (void)state;
    made = pytree_graph_clone(PYTREE(&pair), NULL, &error);
    assert_ok(error.status, &error);
    copy = (const Pair *)made.data;
    assert_ptr_equal(copy->first, copy->second);
    assert_ptr_not_equal(copy->first, all);
    assert_true(copy->second[1]->y == 4);
    pytree_free(made);
    assert_ok(pytree_graph_flatten(PYTREE(&pair), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_leaves, 4);
    made = pytree_unflatten(def, 4, leaves, NULL, &error);
    assert_ok(error.status, &error);
    copy = (const Pair *)made.data;
    assert_ptr_equal(copy->first, copy->second);
    assert_true(copy->second[1]->y == 4);
    pytree_free(made);
    pytree_def_free(def);
}

/* Nothing is copied to an array without elements, wherever it is; a view takes the other's address. */
static void arrays_of_nothing(void **state)
{
    static float here[2] = { 1, 2 }, there[2] = { 3, 4 };
    pytree_leaf view = { .data = here, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
    const pytree to = PYTREE_LIST(PYTREE_ARRAY(here, 0), PYTREE_ARRAY(here, 2));
    const pytree from = PYTREE_LIST(PYTREE_ARRAY(there, 0), PYTREE_ARRAY(there, 2));
    Viewing viewing = { view };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, one = view;
    pytree_def *def;
    (void)state;
    assert_ok(pytree_flatten(from, &leaves, 0, &def, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, 2, leaves, to, NULL, &error), &error);
    assert_true(here[0] == 3 && here[1] == 4);
    pytree_def_free(def);
    def = pytree_structure(PYTREE(&viewing), NULL, &error);
    one.data = there;
    assert_ok(pytree_unflatten_into(def, 1, &one, PYTREE(&viewing), NULL, &error), &error);
    assert_ptr_equal(viewing.view.data, there);
    pytree_def_free(def);
}

/* No strings where there is room for some: nothing is read. */
static void arrays_of_no_strings(void **state)
{
    Words words = { 0, NULL };
    pytree_error error = { 0 };
    pytree made;
    (void)state;
    made = pytree_clone(PYTREE(&words), NULL, &error);
    assert_ok(error.status, &error);
    assert_null(((const Words *)made.data)->words);
    pytree_free(made);
}

/* A message about a list needs views of its struct: without memory for those that is the error. */
static void a_list_that_is_none_in_a_wide_struct(void **state)
{
    Point points[2] = { { 1, 2 }, { 3, 4 } };
    Wide wide;
    pytree_error error = { 0 };
    const pytree_type *const types[] = { PYTREE_TYPE(Wide), PYTREE_TYPE(Point) };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *other;
    char text[1000], *at;
    size_t n;
    int refused = 0;
    (void)state;
    memset(&wide, 0, sizeof wide);
    wide.list = points;
    assert_ok(pytree_flatten(PYTREE(&wide), &leaves, 0, &def, NULL, &error), &error);
    assert_true(pytree_def_text(def, text, sizeof text) < sizeof text);
    at = strstr(text, ", [CustomNode(Point");
    assert_non_null(at);
    at[2] = '(';                          /* a tuple in its place */
    at = strrchr(text, ']');              /* of Wide */
    assert_non_null(at);
    while (*--at != ']') {}
    *at = ')';
    other = pytree_def_parse(text, types, 2, NULL, &error);
    assert_ok(error.status, &error);
    for (n = 0;; n++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error failure = { 0 };
        heap_init(&heap, n);
        opt.allocator = &heap.allocator;
        assert_null(pytree_unflatten(other, def->n_leaves, leaves, &opt, &failure).data);
        assert_heap_clean(&heap);
        if (heap.calls <= n) {
            assert_error(failure.status, PYTREE_STRUCTURE, ".list", &failure);
            assert_string_equal(failure.message, "expected a list of 2, got tuple of 2");
            break;
        }
        assert_error(failure.status, PYTREE_NO_MEMORY, NULL, &failure);
        refused++;
    }
    assert_int_equal(refused, 2);         /* the block, the views */
    pytree_def_free(other);
    pytree_def_free(def);
}

/* ---- A device ------------------------------------------------------------------------------------------------------- */

/* A tree that refers to its leaves lies on the host, whatever memory there is. */
static void leaves_are_referred_to_without_a_device(void **state)
{
    static float numbers[2] = { 1, 2 };
    pytree array = PYTREE_ARRAY(numbers, 2);
    FakeDevice device = { 0 };
    const pytree_device memory = fake_memory(&device);
    pytree_options there = { .memory = &memory };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    (void)state;
    assert_ok(pytree_flatten(array, &leaves, 0, &def, NULL, &error), &error);
    made = pytree_unflatten(def, 1, leaves, &there, &error);
    assert_ok(error.status, &error);
    assert_int_equal(device.calls, 0);
    assert_true(pytree_equal(made, array, NULL, NULL, &error));
    pytree_free(made);
    pytree_def_free(def);
}

/* A treedef of one leaf stands for that leaf, wherever that lies. */
static void a_flat_of_one_array_there(void **state)
{
    static float numbers[2] = { 1, 2 };
    FakeDevice device = { 0 };
    const pytree_device memory = fake_memory(&device), download = fake_download(&device);
    pytree_options there = { .memory = &memory }, here = { .memory = &download };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_flat flat;
    pytree_def *def;
    pytree array, back;
    (void)state;
    array = pytree_clone(PYTREE_ARRAY(numbers, 2), &there, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_flatten(array, &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    back = pytree_clone(PYTREE(&flat), &here, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(back, PYTREE_ARRAY(numbers, 2), NULL, NULL, &error));
    pytree_free(back);
    assert_null(pytree_clone(PYTREE(&flat), NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
    pytree_free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_subtree_beside_a_container_in_a_container),
        cmocka_unit_test(shared_values_beside_a_container_in_a_container),
        cmocka_unit_test(releases_beside_a_container_in_a_container),
        cmocka_unit_test(releases_that_need_memory),
        cmocka_unit_test(shared_values_that_are_not_reached),
        cmocka_unit_test(structs_that_are_not_what_they_were_counted_as),
        cmocka_unit_test(lists_of_flats),
        cmocka_unit_test(lists_in_unions),
        cmocka_unit_test(no_leaves_for_a_flexible_struct),
        cmocka_unit_test(lists_of_pointers_that_are_shared),
        cmocka_unit_test(arrays_of_nothing),
        cmocka_unit_test(arrays_of_no_strings),
        cmocka_unit_test(a_list_that_is_none_in_a_wide_struct),
        cmocka_unit_test(leaves_are_referred_to_without_a_device),
        cmocka_unit_test(a_flat_of_one_array_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
