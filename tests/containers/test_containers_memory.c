/* Containers that grow: what they own, random changes beside a plain model, large ones, memory that runs out. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "containers_shared.h"

/* ---- Who owns what ----------------------------------------------------------------------------------------------------- */

static void test_cycles(void **state)
{
    pytree_error error = { 0 };
    pytree a = pytree_new_list(NULL, &error), b = pytree_new_dict(NULL, &error), c = pytree_new_list(NULL, &error);
    (void)state;
    /* By reference they are found by those who walk. */
    assert_ok(pytree_list_append(a, a, &error), &error);
    assert_int_equal(pytree_num_leaves(a, NULL, &error), SIZE_MAX);
    assert_int_equal(error.status, PYTREE_CYCLE);
    memset(&error, 0, sizeof error);
    assert_error(pytree_list_append_copy(c, a, &error), PYTREE_CYCLE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_list_remove(a, 0, &error), &error);
    assert_ok(pytree_list_append(a, b, &error), &error);
    assert_ok(pytree_dict_put(b, "a", a, &error), &error);
    assert_null(pytree_structure(a, NULL, &error));
    assert_int_equal(error.status, PYTREE_CYCLE);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_container_clear(a, &error), &error);
    assert_ok(pytree_container_clear(b, &error), &error);

    /* By ownership they are refused. */
    assert_refused(pytree_list_append_own(a, a, err), PYTREE_CYCLE,
                   "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_ok(pytree_list_append_own(a, b, &error), &error);
    assert_refused(pytree_dict_put_own(b, "a", a, err), PYTREE_CYCLE,
                   "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_ok(pytree_dict_put_own(b, "c", c, &error), &error);
    assert_refused(pytree_list_append_own(c, a, err), PYTREE_CYCLE,
                   "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_refused(pytree_list_append_own(a, c, err), PYTREE_SHARED,
                   "expected a container that belongs to no other, got a list that does");
    assert_ok(pytree_list_append(a, c, &error), &error);             /* to be referred to twice is no cycle */
    assert_def_text(a, "PyTreeDef([{'c': []}, []])", NULL);
    /* What belongs to another is not freed. */
    pytree_container_free(c);
    pytree_container_free(b);
    assert_def_text(a, "PyTreeDef([{'c': []}, []])", NULL);
    pytree_container_free(a);
}

/* A list that owns as many as it says, in memory that counts. */
static pytree counted_list(const pytree_options *opt, size_t owned)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(opt, &error);
    while (owned-- != 0) { assert_ok(pytree_list_append_copy(list, PYTREE_STR("1"), &error), &error); }
    return list;
}

/* While this is 0 nobody has to look for cycles. */
static size_t children_of(pytree t)
{
    return ((const pytree__container *)t.data)->children;
}

static void test_owned_values_are_freed(void **state)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree list, dict, deque, value;
    size_t i;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = pytree_new_list(&opt, &error);
    dict = pytree_new_dict(&opt, &error);
    deque = pytree_new_deque(2, &opt, &error);
    assert_int_equal(heap.blocks, 3);

    assert_ok(pytree_list_append_own(list, counted_list(&opt, 2), &error), &error);
    assert_ok(pytree_list_append_own(list, pytree_clone(PYTREE_DICT({ "k", PYTREE_STR("1") }), &opt, &error), &error), &error);
    assert_ok(pytree_list_insert_copy(list, 0, PYTREE_STR("text"), &error), &error);
    assert_int_equal(heap.blocks, 3 + 3 + 1 + 1);
    assert_ok(pytree_list_set_own(list, 1, counted_list(&opt, 1), &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 1 + 1);
    value = pytree_list_get(list, 1, &error);                        /* in its own place, as what it is: nothing happens */
    assert_ok(pytree_list_set(list, 1, value, &error), &error);
    assert_ok(pytree_list_set_own(list, 1, value, &error), &error);
    assert_int_equal(pytree_container_length(pytree_list_get(list, 1, &error)), 1);
    assert_ok(pytree_list_set_copy(list, 1, value, &error), &error); /* a copy of it takes its place */
    assert_int_equal(heap.blocks, 3 + 1 + 1 + 1);
    assert_string_equal(*(char **)pytree_list_get(pytree_list_get(list, 1, &error), 0, &error).data, "1");
    assert_ok(pytree_list_set(list, 1, PYTREE_NONE, &error), &error);
    assert_int_equal(heap.blocks, 3 + 1 + 1);
    value = pytree_list_take(list, -1, &error);                      /* the clone is handed out */
    assert_int_equal(heap.blocks, 3 + 1 + 1);
    assert_ok(pytree_list_append(list, value, &error), &error);
    assert_ok(pytree_list_set_own(list, -1, value, &error), &error); /* referred to before, belongs to it now */
    assert_ok(pytree_list_remove(list, -1, &error), &error);
    assert_int_equal(heap.blocks, 3 + 1);
    assert_ok(pytree_container_clear(list, &error), &error);
    assert_int_equal(heap.blocks, 3);

    assert_ok(pytree_dict_put_own(dict, "a", counted_list(&opt, 1), &error), &error);
    assert_ok(pytree_dict_put_copy(dict, "b", PYTREE_STR("1"), &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 1 + 2);
    assert_ok(pytree_dict_put(dict, "b", PYTREE_NONE, &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 2);
    value = pytree_dict_take(dict, "a", &error);
    assert_int_equal(heap.blocks, 3 + 2 + 1);
    assert_ok(pytree_list_append_own(list, value, &error), &error);  /* may belong to another now */
    assert_ok(pytree_dict_remove(dict, "b", &error), &error);
    assert_int_equal(heap.blocks, 3 + 2);
    assert_ok(pytree_dict_put_int_own(dict, 4, counted_list(&opt, 0), &error), &error);
    assert_ok(pytree_dict_put_int_copy(dict, 3, PYTREE_STR("1"), &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 2);
    pytree_container_free(pytree_dict_take_int(dict, 4, &error));
    assert_ok(pytree_dict_remove_int(dict, 3, &error), &error);
    assert_int_equal(heap.blocks, 3 + 2);

    for (i = 0; i < 5; i++) {             /* dropped at one end and the other */
        assert_ok(pytree_list_append_own(deque, counted_list(&opt, 1), &error), &error);
        assert_ok(pytree_deque_append_left_copy(deque, PYTREE_STR("1"), &error), &error);
        assert_ok(pytree_deque_append_left_own(deque, counted_list(&opt, 1), &error), &error);
    }
    assert_int_equal(heap.blocks, 3 + 2 + 2 + 1);
    assert_int_equal(children_of(list), 1);
    assert_int_equal(children_of(dict), 0);
    assert_int_equal(children_of(deque), 1);
    assert_ok(pytree_container_clear(deque, &error), &error);
    assert_int_equal(children_of(deque), 0);
    pytree_container_free(list);
    pytree_container_free(dict);
    pytree_container_free(deque);
    assert_heap_clean(&heap);
}

/* Bytes that a growing container takes for each number that it owns, and that a list of them and its clone take. */
static void test_numbers_are_small(void **state)
{
    enum { N = 10000 };
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree list, clone;
    double number;
    size_t i, before;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = pytree_new_list(&opt, &error);
    for (i = 0; i < N; i++) {
        number = (double)i;
        assert_ok(pytree_list_append_copy(list, PYTREE(&number), &error), &error);
    }
    assert_in_range(heap.bytes + stbds_header(((const pytree__container *)list.data)->rows)->capacity * 17, N, 48 * N);
    before = heap.bytes;
    clone = pytree_clone(list, &opt, &error);
    assert_ok(error.status, &error);
    assert_in_range(heap.bytes - before, N, 25 * N);
    assert_true(pytree_equal(list, clone, NULL, NULL, &error));
    pytree_free(clone);
    before = heap.bytes;
    for (i = 0; i < 3 * N; i++) {         /* cells are used again */
        number = -(double)i;
        assert_ok(pytree_list_set_copy(list, (ptrdiff_t)(i % N), PYTREE(&number), &error), &error);
        assert_ok(pytree_list_remove(list, -1, &error), &error);
        assert_ok(pytree_list_append_copy(list, PYTREE_INT(7), &error), &error);
    }
    assert_in_range(heap.bytes, 0, before + 2048 * sizeof(uint64_t) + 16);
    assert_int_equal(number_of(pytree_list_get(list, -1, &error)), 7);
    pytree_container_free(list);
    assert_heap_clean(&heap);
}

/* A number that is taken out lives on, whatever becomes of its container. */
static void test_numbers_leave(void **state)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error), dict = pytree_new_dict(NULL, &error), a, b, c;
    (void)state;
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(5), &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(6), &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(7), &error), &error);
    c = pytree_list_take(list, 1, &error);                           /* from between others, whose cells stay theirs */
    assert_int_equal(number_of(pytree_list_get(list, 1, &error)), 7);
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(8), &error), &error);
    assert_int_equal(number_of(c), 6);
    pytree_free(c);
    assert_ok(pytree_list_set(list, 0, pytree_list_get(list, 0, &error), &error), &error);           /* stays what it is */
    assert_error(pytree_dict_put_own(dict, "a", pytree_list_get(list, 0, NULL), &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_dict_put_copy(dict, "a", pytree_list_get(list, 0, &error), &error), &error);
    assert_ok(pytree_dict_put_copy(dict, "a", pytree_dict_get(dict, "a", &error), &error), &error);  /* a copy of itself */
    a = pytree_list_take(list, 0, &error);
    b = pytree_dict_take(dict, "a", &error);
    pytree_container_free(list);
    pytree_container_free(dict);
    assert_int_equal(number_of(a), 5);
    assert_int_equal(number_of(b), 5);
    pytree_free(a);
    pytree_free(b);
}

/* Copies are made with the options that the container got, which need not outlive the call. */
static void test_options_are_remembered(void **state)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree list;
    float x[3] = { 1.0f, 2.0f, 3.0f };
    pytree_leaf leaf;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    {
        pytree_options opt = { 0 };
        char space[] = "train";
        opt.allocator = &heap.allocator;
        opt.alignment = 1024;
        opt.space = space;
        list = pytree_new_list(&opt, &error);
        space[0] = '?';
    }
    assert_ok(pytree_list_append_copy(list, PYTREE_ARRAY(x, 3), &error), &error);
    assert_ok(pytree_leaves(list, &leaf, 1, NULL, NULL, &error), &error);
    assert_int_equal((uintptr_t)leaf.data % 1024, 0);
    assert_string_equal(((const pytree__container *)list.data)->copying.space, "train");
    assert_int_equal(heap.blocks, 2);
    pytree_container_free(list);
    assert_heap_clean(&heap);
}

/* ---- A plain model, and random changes to both ------------------------------------------------------------------------- */

static uint32_t random_state;

static size_t random_below(size_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (size_t)(random_state >> 8) % n;
}

enum { MODEL_MOST = 60, MODEL_NUMBERS = 5000 };
static int64_t model_numbers[MODEL_NUMBERS];

static void assert_list_is(pytree list, const int64_t *model, size_t n)
{
    const pytree_items *items = list.data;
    size_t i;
    assert_int_equal(pytree_container_length(list), n);
    for (i = 0; i < n; i++) { assert_int_equal(number_of(items->items[i]), model[i]); }
}

/* A value in a way chosen at random; what is owned is taken from `opt`. */
static pytree_status random_append(pytree list, size_t number, bool left, const pytree_options *opt, pytree_error *err)
{
    const pytree value = PYTREE(&model_numbers[number]);
    switch (random_below(3)) {
    case 0: return (left ? pytree_deque_append_left : pytree_list_append)(list, value, err);
    case 1: return (left ? pytree_deque_append_left_copy : pytree_list_append_copy)(list, value, err);
    default: return (left ? pytree_deque_append_left_own : pytree_list_append_own)(list, pytree_clone(value, opt, err), err);
    }
}

static pytree_status random_insert(pytree list, size_t at, size_t number, const pytree_options *opt, pytree_error *err)
{
    const pytree value = PYTREE(&model_numbers[number]);
    switch (random_below(3)) {
    case 0: return pytree_list_insert(list, (ptrdiff_t)at, value, err);
    case 1: return pytree_list_insert_copy(list, (ptrdiff_t)at, value, err);
    default: return pytree_list_insert_own(list, (ptrdiff_t)at, pytree_clone(value, opt, err), err);
    }
}

static void run_list_model(size_t most, size_t steps)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    int64_t model[MODEL_MOST + 1];
    size_t n = 0, step, at, i;
    pytree list;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = most == MODEL_MOST ? pytree_new_list(&opt, &error) : pytree_new_deque(most, &opt, &error);
    for (i = 0; i < MODEL_NUMBERS; i++) { model_numbers[i] = (int64_t)i; }
    for (step = 0; step < steps; step++) {
        const size_t number = random_below(MODEL_NUMBERS);
        const size_t what = random_below(8);
        if (what < 2 && (n < most || most != MODEL_MOST)) {
            assert_ok(random_append(list, number, false, &opt, &error), &error);
            if (n == most) { memmove(model, model + 1, --n * sizeof *model); }
            model[n++] = (int64_t)number;
        } else if (what < 4 && most != MODEL_MOST) {
            assert_ok(random_append(list, number, true, &opt, &error), &error);
            if (n == most) { n--; }
            memmove(model + 1, model, n++ * sizeof *model);
            model[0] = (int64_t)number;
        } else if (what < 5 && n < most) {
            at = random_below(n + 1);
            assert_ok(random_insert(list, at, number, &opt, &error), &error);
            memmove(model + at + 1, model + at, (n++ - at) * sizeof *model);
            model[at] = (int64_t)number;
        } else if (what == 5 && n != 0) {
            at = random_below(n);
            assert_ok(pytree_list_set(list, (ptrdiff_t)at - (ptrdiff_t)n, PYTREE(&model_numbers[number]), &error), &error);
            model[at] = (int64_t)number;
        } else if (what >= 6 && n != 0) {
            at = random_below(4) != 0 ? random_below(n) : random_below(2) * (n - 1);
            assert_ok(pytree_list_remove(list, (ptrdiff_t)at, &error), &error);
            memmove(model + at, model + at + 1, (--n - at) * sizeof *model);
        } else if (random_below(50) == 0) {
            assert_ok(pytree_container_clear(list, &error), &error);
            n = 0;
        }
        assert_list_is(list, model, n);
    }
    pytree_container_free(list);
    assert_heap_clean(&heap);
}

static void test_lists_against_a_model(void **state)
{
    const size_t steps = under_valgrind() ? 500 : 6000;
    size_t most;
    (void)state;
    random_state = 1;
    for (most = 1; most < 9; most++) { run_list_model(most, steps); }
    run_list_model(MODEL_MOST, steps);
}

/* Keys in the order of their coming; to be compared with pairs, with the order, and with the literal's treedef. */
typedef struct DictModel {
    size_t n;
    int64_t keys[MODEL_MOST], values[MODEL_MOST];
} DictModel;

static void key_text(char text[16], int64_t key)
{
    snprintf(text, 16, "k%d", (int)key);
}

static void assert_dict_is(pytree dict, const DictModel *model, bool numbered)
{
    const pytree_items *items = dict.data;
    pytree_error error = { 0 };
    pytree_items plain;
    pytree other = { NULL, NULL };
    pytree_def *def, *expected;
    size_t i;
    char text[16];
    assert_int_equal(items->count, model->n);
    for (i = 0; i < model->n; i++) {
        key_text(text, model->keys[i]);
        if (numbered) {
            assert_int_equal(items->int_pairs[i].key, model->keys[i]);
            assert_int_equal(number_of(items->int_pairs[i].value), model->values[i]);
            assert_int_equal(number_of(pytree_dict_get_int(dict, model->keys[i], NULL)), model->values[i]);
        } else {
            assert_string_equal(items->pairs[i].key, text);
            assert_int_equal(number_of(items->pairs[i].value), model->values[i]);
            assert_int_equal(number_of(pytree_dict_get(dict, text, NULL)), model->values[i]);
        }
    }
    memcpy(&plain, items, sizeof plain);                    /* the same without an order: found by sorting */
    plain.order = NULL;
    other.type = dict.type;
    other.data = &plain;
    def = pytree_structure(dict, NULL, &error);
    expected = pytree_structure(other, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, expected));
    assert_true(pytree_equal(dict, other, NULL, NULL, &error));
    pytree_def_free(def);
    pytree_def_free(expected);
}

static void run_dict_model(pytree (*make)(const pytree_options *, pytree_error *), bool numbered, size_t steps)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    DictModel model = { 0 };
    size_t step, i;
    pytree dict;
    char text[16];
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    dict = make(&opt, &error);
    for (step = 0; step < steps; step++) {
        const int64_t key = (int64_t)random_below(MODEL_MOST) - 30;
        const size_t number = random_below(MODEL_NUMBERS);
        const pytree value = PYTREE(&model_numbers[number]);
        model_numbers[number] = (int64_t)number;
        key_text(text, key);
        for (i = 0; i < model.n && model.keys[i] != key; i++) {}
        if (random_below(5) < 3) {
            switch (random_below(3)) {
            case 0: assert_ok(numbered ? pytree_dict_put_int(dict, key, value, &error)
                                       : pytree_dict_put(dict, text, value, &error), &error); break;
            case 1: assert_ok(numbered ? pytree_dict_put_int_copy(dict, key, value, &error)
                                       : pytree_dict_put_copy(dict, text, value, &error), &error); break;
            default: {
                const pytree own = pytree_clone(value, &opt, &error);
                assert_ok(numbered ? pytree_dict_put_int_own(dict, key, own, &error)
                                   : pytree_dict_put_own(dict, text, own, &error), &error);
            }
            }
            model.keys[i] = key;
            model.values[i] = (int64_t)number;
            model.n += i == model.n;
        } else {
            const pytree_status status =
                numbered ? pytree_dict_remove_int(dict, key, NULL) : pytree_dict_remove(dict, text, NULL);
            assert_int_equal(status, i == model.n ? PYTREE_NOT_FOUND : PYTREE_OK);
            if (i < model.n) {
                model.n--;
                memmove(model.keys + i, model.keys + i + 1, (model.n - i) * sizeof *model.keys);
                memmove(model.values + i, model.values + i + 1, (model.n - i) * sizeof *model.values);
            }
        }
        assert_dict_is(dict, &model, numbered);
    }
    pytree_container_free(dict);
    assert_heap_clean(&heap);
}

static void test_dicts_against_a_model(void **state)
{
    const size_t steps = under_valgrind() ? 200 : 2000;
    (void)state;
    random_state = 7;
    run_dict_model(pytree_new_dict, false, steps);
    run_dict_model(pytree_new_dict, true, steps);
    run_dict_model(pytree_new_odict, false, steps);
    run_dict_model(pytree_new_odict, true, steps);
}

/* ---- Large, deep ------------------------------------------------------------------------------------------------------- */

static void test_ten_million_leaves(void **state)
{
    const size_t n = slow_here() || !OPTIMISED ? 100000 : 10000000;
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error);
    double *x = malloc(n * sizeof *x), sum;
    size_t i;
    (void)state;
    assert_non_null(x);
    for (i = 0; i < n; i++) {
        x[i] = 1.0;
        if (pytree_list_append(list, PYTREE(&x[i]), &error) != PYTREE_OK) { break; }
    }
    assert_ok(error.status, &error);
    assert_int_equal(pytree_container_length(list), n);
    assert_int_equal(pytree_num_leaves(list, NULL, &error), n);
    assert_ok(pytree_sum(list, &sum, NULL, &error), &error);
    assert_true(sum == (double)n);
    assert_true(pytree_list_get(list, -1, &error).data == (void *)&x[n - 1]);
    pytree_container_free(list);
    free(x);
}

/* From the inside out, and from the outside in. */
static void test_deep_chains(void **state)
{
    const size_t n = slow_here() ? 20000 : DEEPER_THAN_A_STACK;
    pytree_error error = { 0 };
    pytree inner = pytree_new_list(NULL, &error), outer, root;
    size_t i;
    (void)state;
    assert_ok(pytree_list_append_copy(inner, PYTREE_INT(1), &error), &error);
    for (i = 0; i < n; i++) {
        outer = pytree_new_list(NULL, &error);
        assert_ok(pytree_list_append_own(outer, inner, &error), &error);
        inner = outer;
    }
    assert_int_equal(pytree_num_leaves(inner, NULL, &error), 1);
    pytree_container_free(inner);

    root = outer = pytree_new_dict(NULL, &error);
    for (i = 0; i < n; i++) {
        inner = pytree_new_dict(NULL, &error);
        assert_ok(pytree_dict_put_own(outer, "k", inner, &error), &error);
        outer = inner;
    }
    assert_ok(pytree_container_clear(root, &error), &error);
    pytree_container_free(root);
}

/* A window that moves along does not grow, and seldom has to be moved back to where there is room. */
static void test_windows_keep_their_room(void **state)
{
    pytree_error error = { 0 };
    pytree window = pytree_new_deque(100, NULL, &error);
    const pytree__container *c = window.data;
    const pytree *before = NULL;
    size_t i, moves = 0;
    (void)state;
    for (i = 0; i < 10000; i++) {
        const bool left = i >= 5000;
        assert_ok((left ? pytree_deque_append_left : pytree_list_append)(window, PYTREE_NONE, &error), &error);
        if (i % 5000 > 200) { moves += left ? c->items.items > before : c->items.items < before; }
        before = c->items.items;
    }
    assert_in_range(moves, 1, 10000 / 50);
    assert_int_equal(pytree_container_length(window), 100);
    assert_in_range(stbds_header(c->rows)->capacity, 100, 300);
    pytree_container_free(window);
}

/* What is added or removed near one end leaves those at the other where they are. */
static void test_ends_leave_each_other_alone(void **state)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error);
    const pytree_items *items = list.data;
    const pytree *first;
    int i;
    (void)state;
    for (i = 0; i < 100; i++) { assert_ok(pytree_list_append(list, PYTREE_NONE, &error), &error); }
    first = items->items;
    assert_ok(pytree_list_remove(list, 1, &error), &error);
    assert_true(items->items == first + 1);
    assert_ok(pytree_list_insert(list, 0, PYTREE_NONE, &error), &error);
    assert_true(items->items == first);
    assert_ok(pytree_list_remove(list, -2, &error), &error);
    assert_ok(pytree_list_insert(list, -1, PYTREE_NONE, &error), &error);
    assert_true(items->items == first);
    pytree_container_free(list);
}

/* The arrays are what stb_ds takes for its own. */
static void test_arrays_are_those_of_stb_ds(void **state)
{
    int *array = pytree__stb_reserve(NULL, 3, sizeof *array), *grown;
    const size_t calls = stb_calls;
    int i;
    (void)state;
    assert_non_null(array);
    assert_int_equal(stbds_arrlen(array), 0);
    for (i = 0; i < 3; i++) { stbds_arrput(array, i); }
    assert_int_equal(stb_calls, calls);
    assert_null(pytree__stb_reserve(array, SIZE_MAX / 2, sizeof *array));
    assert_null(pytree__stb_reserve(NULL, SIZE_MAX / sizeof *array - 1, sizeof *array));
    assert_int_equal(stb_calls, calls);
    grown = pytree__stb_reserve(array, 100, sizeof *array);
    assert_non_null(grown);
    assert_int_equal(stbds_arrlen(grown), 3);
    assert_int_equal(stbds_arrcap(grown), 100);
    for (i = 0; i < 3; i++) { assert_int_equal(grown[i], i); }
    stbds_arrfree(grown);
}

/* ---- Memory runs out --------------------------------------------------------------------------------------------------- */

/* What a container holds, before and after a call that failed. */
static size_t print_of(pytree t, char *text, size_t n)
{
    pytree_error error = { 0 };
    const size_t length = pytree_text(t, text, n, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(length < n);
    return length;
}

/* A call that may fail; if it does the tree prints as before. */
#define STEP(tree, call)                                                                                                \
    do {                                                                                                                \
        char before[2000], after[2000];                                                                                 \
        print_of((tree), before, sizeof before);                                                                        \
        status = (call);                                                                                                \
        if (status != PYTREE_OK) {                                                                                      \
            print_of((tree), after, sizeof after);                                                                      \
            assert_string_equal(before, after);                                                                         \
            goto end;                                                                                                   \
        }                                                                                                               \
    } while (0)

static pytree_status build_everything(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_status status;
    const pytree nothing = { NULL, NULL };
    pytree root = pytree_new_dict(opt, err), list = nothing, deque = nothing, copy = nothing;
    char key[16];
    int i;
    (void)context;
    if (root.data == NULL) { return err->status; }
    list = pytree_new_namedtuple("Point", opt, err);
    if (list.data == NULL) { goto end; }
    STEP(root, pytree_dict_put_own(root, "point", list, err));
    for (i = 0; i < 12; i++) {
        key_text(key, 5 - i);
        STEP(root, pytree_dict_put_copy(list, key, PYTREE_STR("text"), err));
    }
    STEP(root, pytree_dict_put_copy(list, key, PYTREE_INT(2), err));
    list = pytree_new_list(opt, err);
    if (list.data == NULL) { goto end; }
    STEP(root, pytree_dict_put_own(root, "list", list, err));
    for (i = 0; i < 20; i++) { STEP(root, pytree_list_insert_copy(list, i / 2, PYTREE_INT(i), err)); }
    STEP(root, pytree_list_set_copy(list, 3, PYTREE_LIST(PYTREE_INT(3), PYTREE_NONE), err));
    copy = pytree_clone(PYTREE_TUPLE(PYTREE_INT(1)), opt, err);
    if (copy.data == NULL) { goto end; }
    STEP(root, pytree_list_append_own(list, copy, err));
    copy = nothing;
    deque = pytree_new_deque(9, opt, err);
    if (deque.data == NULL) { goto end; }
    for (i = 0; i < 30; i++) {
        STEP(deque, pytree_list_append_copy(deque, PYTREE_INT(i), err));
        STEP(deque, pytree_deque_append_left_copy(deque, PYTREE_INT(-i), err));
    }
    STEP(root, pytree_dict_put_own(root, "deque", deque, err));
    deque = nothing;
    STEP(root, pytree_dict_put(root, "numbers", PYTREE_NONE, err));
    deque = pytree_new_dict(opt, err);
    if (deque.data == NULL) { goto end; }
    for (i = 0; i < 10; i++) { STEP(deque, pytree_dict_put_int_copy(deque, 5 - i, PYTREE_INT(i), err)); }
    STEP(root, pytree_dict_put_own(root, "numbers", deque, err));
    deque = nothing;
end:
    if (list.data != NULL && pytree__ct_growing(list)->owner == NULL) { pytree_container_free(list); }
    pytree_free(copy);
    pytree_container_free(deque);
    pytree_container_free(root);
    return err->status;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(build_everything, NULL), 50, 1000);
}

/* The same for the memory of stb_ds. */
static void test_memory_of_arrays_runs_out(void **state)
{
    size_t n;
    (void)state;
    for (n = 0;; n++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_status status;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        stb_calls = 0;
        stb_fail_at = n;
        status = build_everything(NULL, &opt, &error);
        stb_fail_at = SIZE_MAX;
        assert_heap_clean(&heap);
        assert_int_equal(stb_blocks, 0);
        if (stb_calls <= n) {
            assert_ok(status, &error);
            break;
        }
        assert_error(status, PYTREE_NO_MEMORY, "", &error);
    }
    assert_in_range(n, 15, 100);
}

/* The limit is not reached by any test: the count is made to say so. */
static void test_too_many_keys(void **state)
{
    pytree_error error = { 0 };
    pytree dict = pytree_new_dict(NULL, &error);
    pytree__container *c = dict.data;
    const pytree__ct_key key = pytree__ct_string_key("b");
    (void)state;
    assert_ok(pytree_dict_put_copy(dict, "a", PYTREE_INT(1), &error), &error);
    c->items.count = UINT32_MAX;
    assert_error(pytree__ct_add_pair(c, 0, &key, PYTREE_INT(1), PYTREE__CT_REFERENCE, &error), PYTREE_OVERFLOW, "", &error);
    c->items.count = 1;
    pytree_container_free(dict);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)
    const struct CMUnitTest tests[] = {
        TEST(test_cycles),
        TEST(test_owned_values_are_freed),
        TEST(test_numbers_are_small),
        TEST(test_numbers_leave),
        TEST(test_options_are_remembered),
        TEST(test_lists_against_a_model),
        TEST(test_dicts_against_a_model),
        TEST(test_ten_million_leaves),
        TEST(test_deep_chains),
        TEST(test_windows_keep_their_room),
        TEST(test_ends_leave_each_other_alone),
        TEST(test_arrays_are_those_of_stb_ds),
        TEST(test_too_many_keys),
        TEST(test_memory_runs_out),
        TEST(test_memory_of_arrays_runs_out)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
