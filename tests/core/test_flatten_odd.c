/* Flatten at its edges: callbacks that answer each pass otherwise, text that has no end, keys without a name, containers that
 * are longer than they may be. */
#include "support.h"
#include "pytree/graph.h"

/* ---- A node that is another one each time --------------------------------------------------------------------------- */

typedef struct Shifty {
    pytree first, then;                   /* its child when it is opened for the first time, and later */
    size_t first_bytes, then_bytes;       /* of metadata */
    int opened;
} Shifty;

static size_t shifty_children(const void *self, pytree *children, pytree_entry *keys)
{
    Shifty *const s = (Shifty *)(uintptr_t)self;
    (void)keys;
    if (children == NULL) { s->opened++; }
    else { children[0] = s->opened == 1 ? s->first : s->then; }
    return 1;
}

static size_t shifty_metadata(const void *self, void *to)
{
    const Shifty *const s = (const Shifty *)self;
    const size_t n = s->opened == 1 ? s->first_bytes : s->then_bytes;
    if (to != NULL) { memset(to, 1, n); }
    return n;
}

static const pytree_custom shifty_callbacks = { .children = shifty_children, .metadata = shifty_metadata };

#define PYTREE_STRUCT Shifty
#define PYTREE_CUSTOM shifty_callbacks
#include "pytree_registry.h"

typedef struct Step { int64_t number; float x; } Step;
typedef struct Steps { Step *steps; } Steps;

enum { STEPS = 20 };

#define PYTREE_STRUCT Step
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, number) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define PYTREE_STRUCT Steps
#define PYTREE_FIELDS PYTREE_FIELD(DATA, steps, LIST(STEPS))
#include "pytree_registry.h"

/* The tree is too large for one pass, so that the node is opened twice: what does not fit what was counted is an error, and
 * nothing is written beyond it. */
static void assert_unstable(Shifty *shifty, pytree before)
{
    static Step all[STEPS];
    Steps steps = { all };
    const pytree tree = PYTREE_LIST(before, PYTREE(shifty), PYTREE(&steps));
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    shifty->opened = 0;
    assert_error(pytree_flatten(tree, &leaves, 0, &def, &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message,
                        "expected the same answers of is_leaf and custom nodes each time they are asked, got others");
    assert_int_equal(shifty->opened, 2);
    assert_null(def);
    assert_heap_clean(&heap);
    memset(&error, 0, sizeof error);
    shifty->opened = 5;                   /* from here on it stays what it is */
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, &opt, &error), &error);
    pytree_def_free(def);
    assert_heap_clean(&heap);
}

static void callbacks_that_answer_otherwise(void **state)
{
    static float x = 1;
    const pytree one = PYTREE(&x), sorted = PYTREE_DICT({ "a", one }, { "b", one });
    const pytree unsorted = PYTREE_DICT({ "b", one }, { "a", one });
    const pytree three = PYTREE_DICT({ "c", one }, { "b", one }, { "a", one });
    Shifty shifty = { one, PYTREE_NONE, 0, 0, 0 };
    (void)state;
    assert_unstable(&shifty, one);        /* a leaf less, as many nodes */
    shifty.then = one;
    shifty.then_bytes = 1;                /* the last struct's static values do not fit any more */
    assert_unstable(&shifty, one);
    shifty.then_bytes = 1000;             /* nor those of the first one */
    assert_unstable(&shifty, one);
    shifty.then_bytes = 0;
    shifty.first = sorted;
    shifty.then = unsorted;               /* an order where there was none, behind another one */
    assert_unstable(&shifty, three);
}

/* ---- Orders and shared values ----------------------------------------------------------------------------------------- */

enum { DICTS = 11 };                      /* of few nodes, and more numbers of their orders than are at hand */

static void dicts_in_dicts(void **state)
{
    static float x = 1;
    pytree_pair pairs[DICTS][2];
    pytree_items items[DICTS];
    pytree tree = PYTREE(&x);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made, at;
    char text[400];
    size_t i;
    (void)state;
    memset(items, 0, sizeof items);
    for (i = 0; i < DICTS; i++) {
        pairs[i][0].key = "b";
        pairs[i][0].value = PYTREE(&x);
        pairs[i][1].key = "a";
        pairs[i][1].value = tree;
        items[i].count = 2;
        items[i].pairs = pairs[i];
        tree.type = PYTREE_DICT({ "a", tree }).type;
        tree.data = &items[i];
    }
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_nodes, 2 * DICTS + 1);
    assert_int_equal(def->n_orders, 3 * DICTS);
    made = pytree_unflatten(def, DICTS + 1, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(made, tree, NULL, NULL, &error));
    for (i = 0, at = made; i < DICTS; i++) {                   /* pairs lie as they did */
        const pytree_items *const dict = (const pytree_items *)at.data;
        assert_string_equal(dict->pairs[0].key, "b");
        assert_string_equal(dict->pairs[1].key, "a");
        at = dict->pairs[1].value;
    }
    pytree_free(made);
    pytree_def_text(def, text, sizeof text);
    assert_memory_equal(text, "PyTreeDef({'a': {'a': ", 22);
    pytree_def_free(def);
}

/* A treedef in which values are shared hands that on to those that it becomes part of. */
static void flats_that_share(void **state)
{
    static float numbers[2] = { 1, 2 };
    const pytree array = PYTREE_ARRAY(numbers, 2);
    Step step = { 1, 2 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, *more = NULL;
    pytree_def *shared, *apart, *def;
    pytree_flat first, second;
    pytree made;
    const pytree_items *items;
    (void)state;
    assert_ok(pytree_graph_flatten(PYTREE_LIST(array, array), &leaves, 0, &shared, NULL, &error), &error);
    assert_ok(pytree_flatten(PYTREE(&step), &more, 0, &apart, NULL, &error), &error);
    assert_true(shared->shares && !apart->shares);
    first.def = shared;
    first.leaves = leaves;
    second.def = apart;
    second.leaves = more;
    def = pytree_structure(PYTREE_LIST(PYTREE(&second), PYTREE(&second)), NULL, &error);
    assert_ok(error.status, &error);
    assert_false(def->shares);
    pytree_def_free(def);
    def = pytree_structure(PYTREE_LIST(PYTREE(&first), PYTREE(&second)), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(def->shares);
    pytree_def_free(def);
    made = pytree_clone(PYTREE(&first), NULL, &error);
    assert_ok(error.status, &error);
    items = (const pytree_items *)made.data;
    assert_ptr_equal(((const pytree_leaf *)items->items[0].data)->data, ((const pytree_leaf *)items->items[1].data)->data);
    pytree_free(made);
    pytree_def_free(apart);
    pytree_def_free(shared);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------------- */

typedef struct Keyed {
    pytree child;
    pytree_entry key;
} Keyed;

static size_t keyed_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Keyed *const k = (const Keyed *)self;
    if (children != NULL) {
        children[0] = k->child;
        keys[0] = k->key;
    }
    return 1;
}

static const pytree_custom keyed_callbacks = { .children = keyed_children, .keyed = true };

#define PYTREE_STRUCT Keyed
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

static void keys_without_a_name(void **state)
{
    static float x = 1;
    Keyed keyed = { PYTREE(&x), { 0 } };
    pytree_error error = { 0 };
    int kind;
    (void)state;
    for (kind = PYTREE_ATTRIBUTE; kind <= PYTREE_INT_KEY; kind++) {
        memset(&error, 0, sizeof error);
        keyed.key.kind = (pytree_entry_kind)kind;
        keyed.key.name = NULL;
        if (kind == PYTREE_ATTRIBUTE || kind == PYTREE_KEY) {
            assert_int_equal(pytree_num_leaves(PYTREE(&keyed), NULL, &error), SIZE_MAX);
            assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
            assert_string_equal(error.message, "expected a name for each child of Keyed, got NULL for number 0");
            keyed.key.name = "name";
            memset(&error, 0, sizeof error);
        }
        assert_int_equal(pytree_num_leaves(PYTREE(&keyed), NULL, &error), 1);
        assert_ok(error.status, &error);
    }
}

/* ---- Text and containers ---------------------------------------------------------------------------------------------- */

typedef struct Titled { int n; char title[4]; float *w; } Titled;

#define PYTREE_STRUCT Titled
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, title, STRING) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

/* A string without end is none, also where memory is made beside it. */
static void text_in_a_struct_that_is_made(void **state)
{
    Titled titled = { 2, "abc", NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&titled), NULL, &error), &error);
    assert_string_equal(titled.title, "abc");
    titled.w[1] = 1;
    pytree_free(PYTREE(&titled));
    assert_null(titled.w);
    titled.title[3] = 'd';
    assert_error(pytree_allocate(PYTREE(&titled), NULL, &error), PYTREE_VALUE, ".title", &error);
    assert_string_equal(error.message, "expected a string that ends within its 4 bytes, got one without end");
    assert_null(titled.w);
}

static void deques_that_are_too_long(void **state)
{
    static float x = 1;
    const pytree one = PYTREE(&x);
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE_DEQUE(2, one, one), NULL, &error), 2);
    assert_int_equal(pytree_num_leaves(PYTREE_DEQUE(1, one, one), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_BAD_COUNT, "", &error);
    assert_string_equal(error.message, "expected at most 1 items in a deque of that length, got 2");
}

/* An ordered dict may have a pair without a key, which is as one with an empty key. */
static void keys_that_are_null(void **state)
{
    static float x = 1;
    pytree_pair pairs[2] = { { "b", PYTREE(&x) }, { NULL, PYTREE_NONE } };
    pytree_items items = { 0 };
    pytree tree = { PYTREE_ODICT({ "k", PYTREE_NONE }).type, &items };
    pytree_error error = { 0 };
    (void)state;
    items.count = 2;
    items.pairs = pairs;
    assert_def_text(tree, "PyTreeDef(CustomNode(OrderedDict[('b', '')], [*, None]))", NULL);
    pairs[1].value.type = PYTREE(&x).type;                     /* a number that is not there */
    assert_int_equal(pytree_num_leaves(tree, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, "['']", &error);
}

/* Extents of one dimension, and arrays that fit memory one by one. */
static void arrays_beyond_memory(void **state)
{
    static uint8_t byte;
    const pytree_leaf doubles = { .data = &byte, .type = PYTREE_TYPE(double), .ndim = 1, .shape = { SIZE_MAX / 4 } };
    const pytree_leaf bytes = { .data = &byte, .type = PYTREE_TYPE(uint8_t), .ndim = 1, .shape = { PTRDIFF_MAX } };
    pytree_error error = { 0 };
    char text[128];
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(pytree_of_view(&doubles)), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_OVERFLOW, "[0]", &error);
    snprintf(text, sizeof text, "expected an array that fits memory, got extents %zu x 1 ... of 8 bytes each", SIZE_MAX / 4);
    assert_string_equal(error.message, text);
    memset(&error, 0, sizeof error);
    assert_null(pytree_zeros_like(PYTREE_LIST(pytree_of_view(&bytes), pytree_of_view(&bytes), pytree_of_view(&bytes)), NULL,
                                  &error).data);
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
}

/* ---- Where static values lie ---------------------------------------------------------------------------------------- */

typedef struct Pair { int low; float x; } Pair;
typedef struct Above { int top; Pair pair; } Above;            /* static values in front, then a struct with its own */
typedef struct Around { int a; Pair one; int b; Pair two; int c; } Around;                /* static values between structs */

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, low) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"
#define PYTREE_STRUCT Above
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, top) PYTREE_FIELD(DATA, pair)
#include "pytree_registry.h"
#define PYTREE_STRUCT Around
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, one) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(DATA, two) PYTREE_FIELD(STATIC, c)
#include "pytree_registry.h"

/* Small trees, whose structs follow one another: a struct's static values are its own, wherever they lie. */
static void static_values_of_structs_in_structs(void **state)
{
    Above above[2] = { { 1, { 2, 0 } }, { 3, { 4, 0 } } };
    Around around[2] = { { 1, { 2, 0 }, 3, { 4, 0 }, 5 }, { 6, { 7, 0 }, 8, { 9, 0 }, 10 } };
    (void)state;
    assert_def_text(PYTREE_LIST(PYTREE(&above[0]), PYTREE(&above[1])),
                    "PyTreeDef([CustomNode(Above[(1,)], [CustomNode(Pair[(2,)], [*])]), "
                    "CustomNode(Above[(3,)], [CustomNode(Pair[(4,)], [*])])])", NULL);
    assert_def_text(PYTREE_LIST(PYTREE(&around[0]), PYTREE(&around[1])),
                    "PyTreeDef([CustomNode(Around[(1, 3, 5)], [CustomNode(Pair[(2,)], [*]), CustomNode(Pair[(4,)], [*])]), "
                    "CustomNode(Around[(6, 8, 10)], [CustomNode(Pair[(7,)], [*]), CustomNode(Pair[(9,)], [*])])])", NULL);
}

/* ---- Without views ------------------------------------------------------------------------------------------------------ */

typedef struct Trio { int n; float *a, *b, *c; } Trio;
typedef struct Trios { Trio of[3]; } Trios;

#define PYTREE_STRUCT Trio
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a, ARRAY(self->n, 2)) PYTREE_FIELD(DATA, b, ARRAY(self->n)) \
    PYTREE_FIELD(DATA, c, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_STRUCT Trios
#define PYTREE_FIELDS PYTREE_FIELD(DATA, of)
#include "pytree_registry.h"

static pytree_status touch(void *context, const pytree_iter *at)
{
    (void)at;
    ++*(size_t *)context;
    return PYTREE_OK;
}

/* Where no views are needed, structs are checked without writing them: a missing array and a negative length are found there,
 * too. */
static void assert_refused(const Trios *sound, const Trios *broken, pytree_status status, const char *path)
{
    pytree trees[2];
    pytree_error of_def = { 0 }, of_count = { 0 }, of_map = { 0 };
    size_t touched = 0;
    trees[0] = PYTREE((Trios *)(uintptr_t)sound);
    trees[1] = PYTREE((Trios *)(uintptr_t)broken);
    assert_null(pytree_structure(trees[1], NULL, &of_def));
    assert_error(of_def.status, status, path, &of_def);
    assert_true(pytree_num_leaves(trees[1], NULL, &of_count) == SIZE_MAX);
    assert_error(of_count.status, status, path, &of_count);
    assert_error(pytree_map(touch, &touched, NULL, 2, trees, NULL, &of_map), status, path, &of_map);
    assert_int_equal(touched, 0);         /* all trees are checked before the first call */
}

static void what_is_missing_without_views(void **state)
{
    float numbers[4] = { 0 };
    const Trio trio = { 2, numbers, numbers, NULL };
    const Trios sound = { { trio, trio, trio } };
    Trios broken = sound;
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(&broken), NULL, NULL), 6);
    broken.of[1].a = NULL;
    assert_refused(&sound, &broken, PYTREE_NULL_POINTER, ".of[1].a");
    broken.of[1] = trio;
    broken.of[1].b = NULL;
    assert_refused(&sound, &broken, PYTREE_NULL_POINTER, ".of[1].b");
    broken.of[1] = trio;
    broken.of[1].n = -2;
    assert_refused(&sound, &broken, PYTREE_BAD_COUNT, ".of[1].a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_that_answer_otherwise),
        cmocka_unit_test(dicts_in_dicts),
        cmocka_unit_test(flats_that_share),
        cmocka_unit_test(keys_without_a_name),
        cmocka_unit_test(text_in_a_struct_that_is_made),
        cmocka_unit_test(deques_that_are_too_long),
        cmocka_unit_test(keys_that_are_null),
        cmocka_unit_test(arrays_beyond_memory),
        cmocka_unit_test(static_values_of_structs_in_structs),
        cmocka_unit_test(what_is_missing_without_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
