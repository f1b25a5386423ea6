/* What an operation makes of owned values needs none of them any more; memory of stb_ds that runs out while it is made. */
#include "containers_shared.h"
#include "pytree/algebra.h"
#include "pytree/literal.h"
#include "pytree/ravel.h"
#include "pytree/treedef.h"

/* ---- Owned values ------------------------------------------------------------------------------------------------------ */

enum { FREED_BY_FREE, FREED_BY_CONTAINER, FREED_AS_FLAT };

/* A value that owns its memory, and how it is freed. */
typedef struct Owned {
    pytree tree;
    pytree_flat flat;
    int how;
} Owned;

static void owned_free(Owned *owned)
{
    if (owned->how == FREED_BY_FREE) { pytree_free(owned->tree); }
    if (owned->how == FREED_BY_CONTAINER) { pytree_container_free(owned->tree); }
    if (owned->how == FREED_AS_FLAT) { pytree_flat_free(&owned->flat); }
}

enum { SOURCES = 12 };

/* Source number `i`, from numbers, arrays, strings, structs and containers of them. */
static pytree source(size_t i)
{
    static int64_t number = 7;
    static float array[3] = { 1, 2, 3 };
    static char *text = (char *)(uintptr_t)"text";
    static Linear layer = { 1, 3, array, array };
    static pytree_leaf view;
    static pytree item;
    static pytree_pair pair;
    static pytree_items items;
    static Shelf shelf;
    memset(&items, 0, sizeof items);
    items.count = 1;
    items.items = &item;
    item.type = PYTREE_TYPE(int64_t);
    item.data = &number;
    pair.key = "key";
    pair.value = item;
    memset(&view, 0, sizeof view);
    view.data = array;
    view.type = PYTREE_TYPE(float);
    view.ndim = 1;
    view.shape[0] = 3;
    switch (i) {
    case 0: return PYTREE(&number);
    case 1: return PYTREE(&view);
    case 2: return PYTREE(&layer);
    case 3: return (pytree){ &pytree_types[PYTREE__T_list], &items };
    case 4: return PYTREE(&text);
    case 5: items.items = NULL; items.pairs = &pair; return (pytree){ &pytree_types[PYTREE__T_dict], &items };
    case 6: return PYTREE_NONE;
    case 7:
        items.items = NULL;
        items.pairs = &pair;
        items.name = "Point";
        return (pytree){ &pytree_types[PYTREE__T_namedtuple], &items };
    case 8: item = PYTREE(&text); return (pytree){ &pytree_types[PYTREE__T_list], &items };
    case 9: item = PYTREE(&layer); return (pytree){ &pytree_types[PYTREE__T_tuple], &items };
    case 10: items.maxlen = 3; item = PYTREE(&view); return (pytree){ &pytree_types[PYTREE__T_deque], &items };
    default: return PYTREE(&shelf);
    }
}

enum { OWNERS = 6 };

/* An owned copy of a source, made in one of the ways there are. */
static Owned owned_copy(pytree from, int way)
{
    Owned owned = { .how = way < 3 ? FREED_BY_FREE : way < 5 ? FREED_BY_CONTAINER : FREED_AS_FLAT };
    pytree_error error = { 0 };
    pytree first = pytree_clone(from, NULL, &error);
    char text[2000];
    assert_ok(error.status, &error);
    switch (way) {
    case 0: owned.tree = pytree_clone(first, NULL, &error); break;
    case 1: owned.tree = pytree_zeros_like(first, NULL, &error); break;
    case 2:
        if (pytree_literal_text(first, text, sizeof text, NULL, NULL) == SIZE_MAX || strstr(text, "(") != NULL) {
            owned.tree = pytree_clone(first, NULL, &error);
        } else {
            owned.tree = pytree_parse(text, NULL, &error);
        }
        break;
    case 3:
        owned.tree = pytree_new_list(NULL, &error);
        assert_ok(pytree_list_append_copy(owned.tree, first, &error), &error);
        break;
    case 4:
        owned.tree = pytree_new_dict(NULL, &error);
        assert_ok(pytree_dict_put_copy(owned.tree, "value", first, &error), &error);
        break;
    default: owned.flat = pytree_stack(1, &first, NULL, &error);
    }
    pytree_free(first);
    assert_ok(error.status, &error);
    return owned;
}

/* Whether the leaves of a stack have an axis more than the fields of its structs. */
static bool has_structs(const pytree_def *def)
{
    size_t i;
    for (i = 0; i < def->n_nodes; i++) {
        if (def->nodes[i].type != NULL && def->nodes[i].type->kind == PYTREE_KIND_STRUCT) { return true; }
    }
    return false;
}

enum { OPERATIONS = 10 };

/* Does one operation on a list of the owned value twice. Frees that value, then reads the whole result and frees it. */
static void operate(Owned *owned, int operation)
{
    pytree tree = owned->how == FREED_AS_FLAT ? PYTREE(&owned->flat) : owned->tree;
    pytree list = PYTREE_LIST(tree, tree), both[2] = { list, list };
    Owned made = { .how = FREED_BY_FREE };
    pytree_error error = { 0 };
    pytree_def *def = NULL, *part;
    pytree_leaf vector = { 0 };
    bool numbers = true;
    switch (operation) {
    case 0: made.tree = pytree_clone(list, NULL, &error); break;
    case 1: made.tree = pytree_zeros_like(list, NULL, &error); break;
    case 2: def = pytree_structure(list, NULL, &error); break;
    case 3: made.how = FREED_AS_FLAT; made.flat = pytree_stack(2, both, NULL, &error); break;
    case 4: numbers = pytree_ravel(list, &vector, NULL, NULL) == PYTREE_OK; break;
    case 5:
        made.how = FREED_BY_CONTAINER;
        made.tree = pytree_new_list(NULL, &error);
        assert_ok(pytree_list_append_copy(made.tree, list, &error), &error);
        break;
    case 6:
        part = pytree_structure(list, NULL, &error);
        def = pytree_def_compose(part, part, NULL, &error);
        pytree_def_free(part);
        break;
    case 7:
        part = pytree_structure(list, NULL, &error);
        def = pytree_def_child(part, 1, NULL, &error);
        pytree_def_free(part);
        break;
    case 8:
        numbers = pytree_ravel(list, &vector, NULL, NULL) == PYTREE_OK;
        if (numbers) { made.tree = pytree_unravel_like(&vector, list, NULL, &error); }
        break;
    default:
        part = pytree_structure(list, NULL, &error);
        def = pytree_def_copy(part, NULL, &error);
        pytree_def_free(part);
    }
    assert_ok(error.status, &error);
    owned_free(owned);
    if (made.how == FREED_AS_FLAT) { made.tree = PYTREE(&made.flat); }
    if (made.tree.data != NULL) {
        char text[3000];
        const bool fits = made.how != FREED_AS_FLAT || !has_structs(made.flat.def);
        pytree copy = pytree_clone(fits ? made.tree : PYTREE_NONE, NULL, &error);
        assert_ok(error.status, &error);
        assert_in_range(pytree_text(made.tree, text, sizeof text, NULL, &error), 0, sizeof text - 1);
        (void)pytree_literal_text(made.tree, text, sizeof text, NULL, NULL);
        if (fits) { assert_true(pytree_equal(made.tree, copy, NULL, NULL, &error)); }
        pytree_free(copy);
        owned_free(&made);
    }
    if (def != NULL) {
        char text[3000];
        pytree_def *copy = pytree_def_copy(def, NULL, &error);
        assert_in_range(pytree_def_text(def, text, sizeof text), 1, sizeof text - 1);
        assert_true(pytree_def_equal(def, copy));
        assert_true(pytree_def_hash(def) == pytree_def_hash(copy));
        pytree_def_free(def);
        pytree_def_free(copy);
    }
    if (vector.data != NULL) { pytree_ravel_free(&vector); }
}

/* Every operation, on every kind of owned value, however that came to be. ASan sees pointers into a value that is gone. */
static void results_refer_to_nothing_owned(void **state)
{
    size_t i;
    int way, operation;
    (void)state;
    for (i = 0; i < SOURCES; i++) {
        for (way = 0; way < OWNERS; way++) {
            for (operation = 0; operation < OPERATIONS; operation++) {
                Owned owned = owned_copy(source(i), way);
                const bool stacked = owned.how == FREED_AS_FLAT && has_structs(owned.flat.def);
                if (stacked && operation != 2) { owned_free(&owned); }     /* see fields_do_not_get_other_leaves */
                else { operate(&owned, operation); }
            }
        }
    }
}

typedef struct Pair {                     /* not self-contained: its rows are built one by one */
    Linear layer;
    float *weights;
    pytree extra;
} Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, layer) PYTREE_FIELD(DATA, weights, ARRAY(self->layer.din)) PYTREE_FIELD(DATA, extra)
#include "pytree_registry.h"

/* A flat may have leaves that the fields of its structs cannot hold. Structs made of it would reach beyond them. */
static void fields_do_not_get_other_leaves(void **state)
{
    float numbers[6] = { 1, 2, 3, 4, 5, 6 };
    double wide[6] = { 0 };
    signed char narrow[6] = { 0 };
    Linear layer = { 2, 3, numbers, numbers };
    Point point = { 1, 2 }, *points = &point;
    Pair pair = { layer, numbers, PYTREE_NONE };
    pytree trees[4] = { PYTREE(&layer), PYTREE(&pair), PYTREE_LIST(PYTREE(&layer), PYTREE_INT(3)), PYTREE(points) };
    size_t i, way;
    (void)state;
    for (i = 0; i < 4; i++) {
        for (way = 0; way < 8; way++) {
            pytree_error error = { 0 };
            pytree_leaf leaves[8], *at = &leaves[i == 3];
            pytree_flat flat = { 0 };
            pytree_def *def;
            pytree list, made;
            pytree_leaf *given = leaves;
            pytree_status expected = way / 2 < 2 ? PYTREE_TYPE : PYTREE_SHAPE;
            assert_ok(pytree_flatten(trees[i], &given, 8, &def, NULL, &error), &error);
            if (way / 2 == 0) { at->type = PYTREE_TYPE(signed char); at->data = narrow; }
            if (way / 2 == 1) { at->type = PYTREE_TYPE(double); at->data = wide; }
            if (way / 2 == 2) { at->ndim = 1; at->shape[0] = 2; }
            if (way / 2 == 3) { at->ndim = 2; at->shape[0] = 1; at->shape[1] = 3; }
            flat.def = def;
            flat.leaves = leaves;
            list = PYTREE_LIST(PYTREE(&flat));
            made = way % 2 == 0 ? pytree_clone(list, NULL, &error) : pytree_zeros_like(PYTREE(&flat), NULL, &error);
            assert_null(made.data);
            assert_error(error.status, expected, NULL, &error);
            pytree_def_free(def);
        }
    }
}

static void a_stack_owns_its_strings(void **state)
{
    char first[] = "first", second[] = "the second", *texts[2] = { first, NULL };
    char *other[2] = { second, first };
    pytree_error error = { 0 };
    pytree trees[2] = { PYTREE_LIST(PYTREE_ARRAY(texts, 2)), PYTREE_LIST(PYTREE_ARRAY(other, 2)) };
    pytree_flat stack = pytree_stack(2, trees, NULL, &error);
    char **got;
    (void)state;
    assert_ok(error.status, &error);
    memset(first, 'x', sizeof first - 1);
    memset(second, 'x', sizeof second - 1);
    got = stack.leaves[0].data;
    assert_string_equal(got[0], "first");
    assert_null(got[1]);
    assert_string_equal(got[2], "the second");
    assert_string_equal(got[3], "first");
    pytree_flat_free(&stack);
}

/* ---- Memory of stb_ds --------------------------------------------------------------------------------------------------- */

/* Each allocation of an stb_ds field fails once, the one inside a map's table too. */
static void memory_of_fields_runs_out(void **state)
{
    Shelf shelf = shelf_make();
    pytree_def *def;
    pytree_leaf *leaves = NULL;
    pytree_error error = { 0 };
    size_t way, n, before;
    int i;
    (void)state;
    for (i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "fruit %d", i);
        stbds_shput(shelf.prices, name, i);
    }
    assert_ok(pytree_flatten(PYTREE(&shelf), &leaves, 0, &def, NULL, &error), &error);
    before = stb_blocks;
    for (way = 0; way < 3; way++) {
        for (n = 0;; n++) {
            pytree made;
            memset(&error, 0, sizeof error);
            stb_calls = 0;
            stb_fail_at = n;
            made = way == 0   ? pytree_clone(PYTREE(&shelf), NULL, &error)
                   : way == 1 ? pytree_zeros_like(PYTREE(&shelf), NULL, &error)
                              : pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
            stb_fail_at = SIZE_MAX;
            if (made.data != NULL) {
                assert_true(stb_calls <= n);
                assert_int_equal(stbds_shlen(((Shelf *)made.data)->prices), 43);
                assert_int_equal(stbds_shgeti(((Shelf *)made.data)->prices, "fruit 39"), 42);
                pytree_free(made);
                assert_int_equal(stb_blocks, before);
                break;
            }
            assert_error(error.status, PYTREE_NO_MEMORY, NULL, &error);
            assert_int_equal(stb_blocks, before);
        }
        assert_int_equal(n, 2 + 2 * 2 + 43 + 2);  /* two arrays; of each map the entries, the table and the keys */
    }
    pytree_def_free(def);
    shelf_clear(&shelf);
}

/* ---- One way to free ---------------------------------------------------------------------------------------------------- */

/* An empty growing container of each kind. */
static pytree new_container(size_t kind, const pytree_options *opt, pytree_error *error)
{
    switch (kind) {
    case 0: return pytree_new_list(opt, error);
    case 1: return pytree_new_tuple(opt, error);
    case 2: return pytree_new_deque(PYTREE_UNBOUNDED, opt, error);
    case 3: return pytree_new_dict(opt, error);
    case 4: return pytree_new_odict(opt, error);
    case 5: return pytree_new_defaultdict("int", opt, error);
    default: return pytree_new_namedtuple("Point", opt, error);
    }
}

enum { CONTAINERS = 7, LISTS = 3 };

static void pytree_free_frees_what_grows(void **state)
{
    Heap heap;
    const pytree_options opt = { .allocator = &heap.allocator };
    pytree_error error = { 0 };
    float numbers[] = { 1, 2, 3 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    for (size_t outer = 0; outer < CONTAINERS; outer++) {
        for (size_t inner = 0; inner < CONTAINERS; inner++) {
            const pytree t = new_container(outer, &opt, &error), child = new_container(inner, &opt, &error);
            const pytree copy = pytree_clone(PYTREE_ARRAY(numbers, 3), &opt, &error);
            assert_ok(inner < LISTS ? pytree_list_append_own(child, copy, &error)
                                    : pytree_dict_put_own(child, "x", copy, &error), &error);
            assert_ok(outer < LISTS ? pytree_list_append_own(t, child, &error)
                                    : pytree_dict_put_own(t, "child", child, &error), &error);
            pytree_free(child);                                /* t owns it, as it does what that owns: nothing happens */
            assert_int_equal(pytree_num_leaves(t, NULL, &error), 1);
            pytree_free(t);
            assert_int_equal(heap.blocks, 0);
        }
    }
    assert_heap_clean(&heap);
}

/* What does not grow is left alone: literals, the caller's items, bytes of a container that were copied. */
static void pytree_free_leaves_what_does_not_grow(void **state)
{
    pytree_error error = { 0 };
    double number = 1;
    pytree list = pytree_new_list(NULL, &error);
    pytree_items bytes;
    (void)state;
    assert_ok(pytree_list_append(list, PYTREE(&number), &error), &error);
    memcpy(&bytes, list.data, sizeof bytes);
    pytree_free((pytree){ list.type, &bytes });
    pytree_free(PYTREE_LIST(PYTREE(&number), list));
    pytree_free(PYTREE_DICT({ "list", list }));
    pytree_free(PYTREE(&number));
    pytree_free(PYTREE_NONE);
    pytree_free((pytree){ list.type, NULL });
    assert_int_equal(pytree_container_length(list), 1);
    pytree_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pytree_free_frees_what_grows, nothing_left),
        cmocka_unit_test_teardown(pytree_free_leaves_what_does_not_grow, nothing_left),
        cmocka_unit_test_teardown(results_refer_to_nothing_owned, nothing_left),
        cmocka_unit_test_teardown(fields_do_not_get_other_leaves, nothing_left),
        cmocka_unit_test_teardown(a_stack_owns_its_strings, nothing_left),
        cmocka_unit_test_teardown(memory_of_fields_runs_out, nothing_left)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
