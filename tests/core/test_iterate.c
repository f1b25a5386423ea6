/* Iterators and maps: over one tree and several, in place and into others. */
#include "iterate_shared.h"

/* ---- One tree ---------------------------------------------------------------------------------------------------------- */

static void one_tree_leaf_by_leaf(void **state)
{
    static const char *const paths[] = { ".layers[0].w", ".layers[0].b", ".layers[1].w", ".layers[1].b", ".head.w", ".head.b",
                                         ".scale" };
    MLP model = mlp_make(2, true);
    void *data[7];
    pytree tree = PYTREE(&model);
    pytree_error error = { 0 };
    pytree_iter it;
    size_t n = 0;
    (void)state;
    data[0] = model.layers[0].w;
    data[1] = model.layers[0].b;
    data[2] = model.layers[1].w;
    data[3] = model.layers[1].b;
    data[4] = model.head->w;
    data[5] = model.head->b;
    data[6] = model.scale;
    assert_ok(pytree_iter_begin(&it, 1, &tree, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        char path[40];
        assert_int_equal(it.index, n);
        assert_int_equal(it.n, 1);
        assert_null(it.out);
        assert_true(pytree_is_leaf(it.leaf[0]));
        assert_ptr_equal(it.leaf[0]->data, data[n]);
        assert_int_equal(pytree_iter_path_text(&it, path, sizeof path), strlen(paths[n]));
        assert_string_equal(path, paths[n]);
        n++;
    }
    assert_int_equal(n, 7);
    assert_int_equal(it.status, PYTREE_OK);
    assert_false(pytree_iter_next(&it));  /* the end stays the end */
    assert_int_equal(it.status, PYTREE_OK);
    pytree_iter_end(&it);
    assert_false(pytree_iter_next(&it));
    mlp_clear(&model);
}

static void roots_and_empty_trees(void **state)
{
    int x = 7;
    pytree trees[5];
    static const size_t leaves[5] = { 1, 0, 0, 0, 0 };
    size_t i;
    (void)state;
    trees[0] = PYTREE(&x);
    trees[1] = PYTREE_NONE;
    trees[2] = PYTREE_LIST();
    trees[3] = PYTREE_TUPLE(PYTREE_NONE, PYTREE_DICT());
    trees[4] = PYTREE_DICT({ "a", PYTREE_ODICT() });
    for (i = 0; i < 5; i++) {
        pytree_error error = { 0 };
        pytree_iter it;
        size_t n = 0;
        char path[4] = "ZZZ";
        assert_ok(pytree_iter_begin(&it, 1, &trees[i], NULL, &error), &error);
        for (; pytree_iter_next(&it); n++) {
            assert_int_equal(pytree_iter_path_text(&it, path, sizeof path), 0);
            assert_string_equal(path, "");
            assert_int_equal(pytree_iter_path(&it, NULL, 0), 0);
        }
        assert_int_equal(n, leaves[i]);
        pytree_iter_end(&it);
    }
}

static void paths_as_text_and_as_entries(void **state)
{
    int x = 1;
    MLP model = mlp_make(2, false);
    pytree tree = PYTREE_DICT({ "it's", PYTREE_LIST(PYTREE(&x), PYTREE_NAMEDTUPLE("P", { "field", PYTREE(&model) })) });
    pytree_error error = { 0 };
    pytree_iter it;
    const char *expected = "[\"it's\"][1].field.layers[1].b";
    bool found = false;
    (void)state;
    assert_ok(pytree_iter_begin(&it, 1, &tree, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        char text[60];
        size_t length = pytree_iter_path_text(&it, text, sizeof text), n;
        pytree_entry entries[8];
        if (strcmp(text, expected) != 0) {
            continue;
        }
        found = true;
        for (n = 0; n <= length + 1; n++) {
            char part[60];
            memset(part, 'Z', sizeof part);
            assert_int_equal(pytree_iter_path_text(&it, part, n), length);
            if (n != 0) {
                assert_int_equal(strlen(part), n - 1 < length ? n - 1 : length);
                assert_memory_equal(part, expected, n - 1 < length ? n - 1 : length);
            }
            assert_int_equal(part[n], 'Z');
        }
        memset(entries, 0x5A, sizeof entries);
        assert_int_equal(pytree_iter_path(&it, entries, 2), 6);
        assert_int_equal(entries[0].kind, PYTREE_KEY);
        assert_string_equal(entries[0].name, "it's");
        assert_int_equal(entries[1].kind, PYTREE_INDEX);
        assert_int_equal(entries[1].index, 1);
        assert_int_equal(*(unsigned char *)&entries[2], 0x5A);
        assert_int_equal(pytree_iter_path(&it, entries, 8), 6);
        assert_int_equal(entries[2].kind, PYTREE_ATTRIBUTE);
        assert_string_equal(entries[2].name, "field");
        assert_string_equal(entries[3].name, "layers");
        assert_int_equal(entries[4].index, 1);
        assert_string_equal(entries[5].name, "b");
    }
    assert_true(found);
    pytree_iter_end(&it);
    mlp_clear(&model);
}

static void deep_trees(void **state)
{
    size_t n = under_valgrind() ? 20000 : SANITIZED ? 100000 : 300000, seen = 0;
    Node *chain = chain_make(n);
    pytree trees[2];
    pytree_error error = { 0 };
    pytree_iter it;
    (void)state;
    trees[0] = trees[1] = PYTREE(chain);
    assert_ok(pytree_iter_begin(&it, 2, trees, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        assert_true(it.leaf[0]->data == &chain[seen].value && it.leaf[1]->data == it.leaf[0]->data);
        seen++;
    }
    assert_int_equal(seen, n);
    assert_int_equal(it.status, PYTREE_OK);
    pytree_iter_end(&it);
    free(chain);
}

/* ---- Several trees ----------------------------------------------------------------------------------------------------- */

static void one_to_nine_trees(void **state)
{
    MLP models[9];
    pytree trees[9];
    size_t n, k;
    (void)state;
    for (k = 0; k < 9; k++) {
        models[k] = mlp_make(2, true);
        models[k].layers[1].b[0] = (float)(100 + k);
        trees[k] = PYTREE(&models[k]);
    }
    for (n = 1; n <= 9; n++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_iter it;
        size_t seen = 0;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_ok(pytree_iter_begin(&it, n, trees, &opt, &error), &error);
        assert_int_equal(it.n, n);
        for (; pytree_iter_next(&it); seen++) {
            assert_int_equal(it.index, seen);
            if (seen == 3) {
                for (k = 0; k < n; k++) {
                    assert_true(first_of(it.leaf[k]) == (double)(100 + k));
                    assert_ptr_equal(it.leaf[k]->data, models[k].layers[1].b);
                }
            }
        }
        assert_int_equal(seen, 7);
        assert_int_equal(heap.calls, n > 4);
        pytree_iter_end(&it);
        assert_heap_clean(&heap);
    }
    for (k = 0; k < 9; k++) {
        mlp_clear(&models[k]);
    }
}

static void early_exits_leak_nothing(void **state)
{
    Node *chain = chain_make(200);
    pytree trees[6];
    size_t stop, k;
    (void)state;
    for (k = 0; k < 6; k++) {
        trees[k] = PYTREE(chain);
    }
    for (stop = 0; stop < 200; stop += 37) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_iter it;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_ok(pytree_iter_begin(&it, 6, trees, &opt, &error), &error);
        for (k = 0; k < stop; k++) {
            assert_true(pytree_iter_next(&it));
        }
        pytree_iter_end(&it);
        assert_heap_clean(&heap);
        pytree_iter_end(&it);             /* once more does no harm */
        assert_heap_clean(&heap);
    }
    free(chain);
}

static void begins_that_fail(void **state)
{
    int x = 1;
    Point *nowhere = NULL;
    pytree trees[6], untyped = { NULL, NULL };
    pytree_iter it;
    Heap heap;
    pytree_options opt = { 0 };
    size_t k;
    pytree_error error = { 0 };
    (void)state;
    for (k = 0; k < 6; k++) {
        trees[k] = PYTREE(&x);
    }
    assert_error(pytree_iter_begin(&it, 0, trees, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(it.status, PYTREE_ARGUMENT);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
    assert_int_equal(pytree_iter_begin(&it, 2, NULL, NULL, NULL), PYTREE_ARGUMENT);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
    memset(&error, 0, sizeof error);
    trees[1] = untyped;
    assert_error(pytree_iter_begin(&it, 2, trees, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
    memset(&error, 0, sizeof error);
    trees[1] = PYTREE(nowhere);
    assert_error(pytree_iter_begin(&it, 2, trees, NULL, &error), PYTREE_NULL_POINTER, "", &error);
    pytree_iter_end(&it);
    trees[1] = PYTREE(&x);
    trees[5] = PYTREE(nowhere);
    memset(&error, 0, sizeof error);
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_error(pytree_iter_begin(&it, 6, trees, &opt, &error), PYTREE_NULL_POINTER, "", &error);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
    assert_heap_clean(&heap);
    memset(&error, 0, sizeof error);
    heap_init(&heap, 0);
    assert_error(pytree_iter_begin(&it, 6, trees, &opt, &error), PYTREE_NO_MEMORY, "", &error);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
    assert_heap_clean(&heap);
}

static void an_error_ends_the_iteration(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    float *w = b.layers[1].w;
    pytree trees[2];
    pytree_error error = { 0 };
    pytree_iter it;
    size_t n = 0;
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    b.layers[1].w = NULL;
    assert_ok(pytree_iter_begin(&it, 2, trees, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        n++;
    }
    assert_int_equal(n, 2);
    assert_int_equal(it.status, PYTREE_NULL_POINTER);
    assert_error(it.status, PYTREE_NULL_POINTER, ".layers[1].w", &error);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
    b.layers[1].w = w;
    mlp_clear(&a);
    mlp_clear(&b);
}

/* ---- Maps -------------------------------------------------------------------------------------------------------------- */

static pytree_status twice(void *context, const pytree_iter *at)
{
    const pytree_leaf *leaf = at->leaf[0], *out = at->out != NULL ? at->out : leaf;
    size_t i;
    (void)context;
    for (i = 0; i < pytree_leaf_count(leaf); i++) {
        ((float *)out->data)[i] = 2.0f * ((const float *)leaf->data)[i];
    }
    return PYTREE_OK;
}

static void maps_in_place_and_into_another(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    pytree ta = PYTREE(&a), tb = PYTREE(&b);
    double sum = sum_of(ta);
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_map(twice, NULL, NULL, 1, &ta, NULL, &error), &error);
    assert_sum(ta, 2.0 * sum);
    assert_ok(pytree_map(twice, NULL, &ta, 1, &ta, NULL, &error), &error);   /* out is the input */
    assert_sum(ta, 4.0 * sum);
    assert_ok(pytree_map(twice, NULL, &tb, 1, &ta, NULL, &error), &error);
    assert_sum(ta, 4.0 * sum);
    assert_sum(tb, 8.0 * sum);
    mlp_clear(&a);
    mlp_clear(&b);
}

static void maps_over_one_to_nine_trees(void **state)
{
    MLP models[10];
    pytree trees[9], out;
    double sum;
    size_t n, k;
    (void)state;
    for (k = 0; k < 10; k++) {
        models[k] = mlp_make(2, true);
        if (k < 9) {
            trees[k] = PYTREE(&models[k]);
        }
    }
    out = PYTREE(&models[9]);
    sum = sum_of(trees[0]);
    for (n = 1; n <= 9; n++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        size_t calls = 0;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_ok(pytree_map(add_all, &calls, &out, n, trees, &opt, &error), &error);
        assert_int_equal(calls, 7);
        assert_sum(out, (double)n * sum);
        assert_heap_clean(&heap);
        if (n < 4) {
            assert_int_equal(heap.calls, 0);
        }
        heap_init(&heap, n <= 4 ? 0 : HEAP_NEVER_FAILS);
        calls = 0;
        assert_ok(pytree_map(add_all, &calls, NULL, n, trees, &opt, &error), &error);     /* into the first */
        assert_sum(trees[0], (double)n * sum);
        assert_heap_clean(&heap);
        mlp_clear(&models[0]);
        models[0] = mlp_make(2, true);
        assert_ok(pytree_map(add_all, &(size_t){ 0 }, &trees[n - 1], n, trees, NULL, &error), &error);     /* into the last */
        assert_sum(trees[n - 1], (double)n * sum);
        mlp_clear(&models[n - 1]);
        models[n - 1] = mlp_make(2, true);
    }
    for (k = 0; k < 10; k++) {
        mlp_clear(&models[k]);
    }
}

static pytree_status note_paths(void *context, const pytree_iter *at)
{
    char *text = context, path[60];
    pytree_iter_path_text(at, path, sizeof path);
    assert_true(strlen(text) + strlen(path) + 2 < 400);
    strcat(text, path);
    strcat(text, "\n");
    return PYTREE_OK;
}

static void maps_know_their_paths(void **state)
{
    MLP model = mlp_make(1, true);
    int x = 1;
    pytree trees[2];
    char text[400] = "";
    pytree_error error = { 0 };
    (void)state;
    trees[0] = trees[1] = PYTREE_TUPLE(PYTREE(&model), PYTREE_DICT({ "b", PYTREE(&x) }, { "a", PYTREE_NONE }, { "",
                                                                                                                PYTREE(&x) }));
    assert_ok(pytree_map(note_paths, text, NULL, 2, trees, NULL, &error), &error);
    assert_string_equal(text, "[0].layers[0].w\n[0].layers[0].b\n[0].head.w\n[0].head.b\n[0].scale\n[1]['']\n[1]['b']\n");
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tree_leaf_by_leaf),
        cmocka_unit_test(roots_and_empty_trees),
        cmocka_unit_test(paths_as_text_and_as_entries),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(one_to_nine_trees),
        cmocka_unit_test(early_exits_leak_nothing),
        cmocka_unit_test(begins_that_fail),
        cmocka_unit_test(an_error_ends_the_iteration),
        cmocka_unit_test(maps_in_place_and_into_another),
        cmocka_unit_test(maps_over_one_to_nine_trees),
        cmocka_unit_test(maps_know_their_paths)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
