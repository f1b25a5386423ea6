/* Iterators and maps: over one tree and several, in place and into others, and all the ways in which trees can differ. */
#include "support.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static pytree_def *def_of(pytree tree)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, NULL, &error);
    assert_ok(error.status, &error);
    return def;
}

static void assert_error_says(const pytree_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# no '%s' in: %s\n", words, error->message);
        fail();
    }
}

static double first_of(const pytree_leaf *leaf)
{
    return pytree_leaf_get(leaf, 0);
}

/* A callback that only counts, and keeps the number of its last call. */
typedef struct Count {
    size_t calls;
    size_t stop_at;                       /* this call stops the map; 0: none does */
} Count;

static pytree_status count_leaves(void *context, const pytree_iter *at)
{
    Count *count = context;
    (void)at;
    return ++count->calls == count->stop_at ? PYTREE_STOPPED : PYTREE_OK;
}

/* ---- One tree ------------------------------------------------------------------------------------------------------------ */

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
    size_t n = under_valgrind() ? 20000 : 300000, seen = 0;
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

/* ---- Several trees ------------------------------------------------------------------------------------------------------ */

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

/* ---- Maps --------------------------------------------------------------------------------------------------------------- */

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

static pytree_status add_all(void *context, const pytree_iter *at)
{
    size_t *calls = context, i, k;
    assert_int_equal(at->index, *calls);
    ++*calls;
    for (i = 0; i < pytree_leaf_count(at->leaf[0]); i++) {
        float sum = 0.0f;
        for (k = 0; k < at->n; k++) {
            sum += ((const float *)at->leaf[k]->data)[i];
        }
        ((float *)(at->out != NULL ? at->out : at->leaf[0])->data)[i] = sum;
    }
    return PYTREE_OK;
}

static void assert_sum(pytree tree, double expected)
{
    double sum;
    pytree_error error = { 0 };
    assert_ok(pytree_sum(tree, &sum, NULL, &error), &error);
    assert_true(sum == expected);
}

static double sum_of(pytree tree)
{
    double sum = 0.0;
    pytree_error error = { 0 };
    assert_ok(pytree_sum(tree, &sum, NULL, &error), &error);
    return sum;
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

/* ---- Later trees that are deeper ---------------------------------------------------------------------------------------- */

typedef struct Deeper {
    size_t calls;
    double sums[16];
    size_t leaves[16];
    bool is_leaf[16];
    char names[16][24];
} Deeper;

static pytree_status look_deeper(void *context, const pytree_iter *at)
{
    Deeper *deeper = context;
    const pytree_leaf *view = at->leaf[1];
    pytree_error error = { 0 };
    pytree_leaf copy = *view;             /* a view may be kept */
    pytree_def *def = def_of(pytree_of_view(&copy));
    double sum = 0.0;
    assert_true(deeper->calls < 16);
    assert_ok(pytree_sum(pytree_of_view(view), &sum, NULL, &error), &error);
    deeper->sums[deeper->calls] = sum;
    deeper->leaves[deeper->calls] = pytree_def_num_leaves(def);
    deeper->is_leaf[deeper->calls] = pytree_is_leaf(view);
    snprintf(deeper->names[deeper->calls], sizeof deeper->names[0], "%s", pytree_def_type_name(def));
    pytree_def_free(def);
    deeper->calls++;
    return PYTREE_OK;
}

static void assert_deeper(pytree shallow, pytree deep, size_t n, const char *const *names, const size_t *leaves,
                          const double *sums)
{
    Deeper deeper;
    pytree trees[2];
    pytree_error error = { 0 };
    size_t i;
    memset(&deeper, 0, sizeof deeper);
    trees[0] = shallow;
    trees[1] = deep;
    assert_ok(pytree_map(look_deeper, &deeper, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(deeper.calls, n);
    for (i = 0; i < n; i++) {
        assert_string_equal(deeper.names[i], names[i]);
        assert_int_equal(deeper.leaves[i], leaves[i]);
        assert_int_equal(deeper.is_leaf[i], strcmp(names[i], "*") == 0);
        assert_true(deeper.sums[i] == sums[i]);
    }
}

static void deeper_trees_come_as_subtrees(void **state)
{
    static const char *const names[] = { "*", "Linear", "None", "list", "dict", "Shelf", "tuple", "OrderedDict" };
    static const size_t leaves[] = { 1, 2, 0, 2, 1, SHELF_LEAVES, 4, 2 };
    static const char *const shelf_names[] = { "list", "list", "dict", "dict" };
    static const size_t shelf_leaves[] = { 3, 4, 3, 4 };
    static const double shelf_sums[] = { 9.0, 11.0, 1.5, 32.0 };
    MLP model = mlp_make(2, true);
    Shelf shelf = shelf_make();
    Point points[2] = { { 1.0f, 2.0f }, { 3.0f, 4.0f } };
    double sums[8];
    int x = 5;
    pytree a = PYTREE(&x);
    pytree shallow = PYTREE_LIST(a, a, a, a, a, a, a, a);
    pytree deep = PYTREE_LIST(a, PYTREE(model.head), PYTREE_NONE, PYTREE_LIST(a, a), PYTREE_DICT({ "k", a }), PYTREE(&shelf),
                              PYTREE_TUPLE(PYTREE(&points[0]), PYTREE(&points[1])), PYTREE_ODICT({ "z", a }, { "y", a }));
    pytree_def *def;
    pytree_leaf *views = NULL;
    pytree_flat flat;
    pytree_error error = { 0 };
    (void)state;
    sums[0] = 5.0;
    sums[1] = sum_of(PYTREE(model.head));
    sums[2] = 0.0;
    sums[3] = 10.0;
    sums[4] = 5.0;
    sums[5] = 53.5;
    sums[6] = 10.0;
    sums[7] = 10.0;
    assert_deeper(shallow, deep, 8, names, leaves, sums);
    /* the same from a treedef and leaves: subtrees of it can be walked just so */
    assert_ok(pytree_flatten(deep, &views, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = views;
    assert_deeper(shallow, PYTREE(&flat), 8, names, leaves, sums);
    pytree_def_free(def);
    assert_deeper(PYTREE(&shelf), PYTREE(&shelf), SHELF_LEAVES,
                  (const char *const[SHELF_LEAVES]){ "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*" },
                  (const size_t[SHELF_LEAVES]){ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
                  (const double[SHELF_LEAVES]){ 1.5, 3.0, 4.5, 0.0, 0.0, 1.0, 10.0, 0.5, 0.75, 0.25, 8.0, 9.0, 7.0, 8.0 });
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&shelf), PYTREE(&shelf)), (views = NULL, &views), 0, &def, NULL, &error),
              &error);
    flat.def = def;
    flat.leaves = views;
    assert_deeper(PYTREE_LIST(a, a), PYTREE(&flat), 2, (const char *const[2]){ "Shelf", "Shelf" },
                  (const size_t[2]){ SHELF_LEAVES, SHELF_LEAVES }, (const double[2]){ 53.5, 53.5 });
    pytree_def_free(def);
    /* children of a struct that are containers of the program */
    {
        pytree_leaf children[4];
        size_t n, i;
        assert_ok(pytree_children(PYTREE(&shelf), children, NULL, 4, &n, NULL, &error), &error);
        for (i = 0; i < 4; i++) {
            assert_deeper(PYTREE_TUPLE(a), PYTREE_TUPLE(pytree_of_view(&children[i])), 1, &shelf_names[i], &shelf_leaves[i],
                          &shelf_sums[i]);
        }
    }
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static bool stops_at_struct_members(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 1;
}

static pytree_status look_at_both(void *context, const pytree_iter *at)
{
    size_t *calls = context;
    assert_int_equal(at->leaf[0]->form, at->leaf[1]->form);
    assert_true(sum_of(pytree_of_view(at->leaf[0])) == sum_of(pytree_of_view(at->leaf[1])));
    ++*calls;
    return PYTREE_OK;
}

static void a_predicate_stops_at_subtrees(void **state)
{
    MLP a = mlp_make(2, false), b = mlp_make(2, false);
    Shelf c = shelf_make(), d = shelf_make();
    pytree trees[2];
    pytree_options opt = { .is_leaf = stops_at_struct_members };
    pytree_error error = { 0 };
    size_t calls = 0;
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_ok(pytree_map(look_at_both, &calls, NULL, 2, trees, &opt, &error), &error);
    assert_int_equal(calls, 3);           /* layers, head (None), scale */
    trees[0] = PYTREE(&c);
    trees[1] = PYTREE(&d);
    calls = 0;
    assert_ok(pytree_map(look_at_both, &calls, NULL, 2, trees, &opt, &error), &error);
    assert_int_equal(calls, 4);
    mlp_clear(&a);
    mlp_clear(&b);
    shelf_clear(&c);
    shelf_clear(&d);
}

static pytree_status count_none(void *context, const pytree_iter *at)
{
    size_t *nones = context;
    *nones += at->leaf[0]->form == PYTREE_FORM_NONE;
    if (at->n > 1) {
        nones[1] += at->leaf[1]->form == PYTREE_FORM_NONE;
    }
    return PYTREE_OK;
}

static void none_as_a_leaf(void **state)
{
    MLP a = mlp_make(2, false), b = mlp_make(2, true);
    pytree trees[2];
    pytree_options opt = { .none_is_leaf = true };
    pytree_error error = { 0 };
    size_t nones[2] = { 0, 0 };
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_ok(pytree_map(count_none, nones, NULL, 2, trees, &opt, &error), &error);      /* b's head is a subtree there */
    assert_int_equal(nones[0], 1);
    assert_int_equal(nones[1], 0);
    assert_error(pytree_map(count_none, nones, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, ".head", &error);
    memset(&error, 0, sizeof error);
    trees[0] = PYTREE(&b);
    trees[1] = PYTREE(&a);
    assert_error(pytree_map(count_none, nones, NULL, 2, trees, &opt, &error), PYTREE_STRUCTURE, ".head", &error);
    assert_int_equal(nones[0], 1);
    mlp_clear(&a);
    mlp_clear(&b);
}

/* ---- Trees that do not fit ---------------------------------------------------------------------------------------------- */

/* At that path, with both sides in the message and the number of the tree; nothing has been called. */
static void assert_unlike(pytree first, pytree other, const char *path, const char *expected, const char *got)
{
    pytree trees[3], list[3];
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    char words[80], below[60];
    trees[0] = trees[1] = first;
    trees[2] = other;
    assert_error(pytree_map(count_leaves, &count, NULL, 3, trees, NULL, &error), PYTREE_STRUCTURE, path, &error);
    snprintf(words, sizeof words, "expected %s", expected);
    assert_error_says(&error, words);
    snprintf(words, sizeof words, ", got %s", got);
    assert_error_says(&error, words);
    assert_error_says(&error, "tree 2");
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 3, trees, NULL, NULL), PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    trees[1] = other;                     /* the first that differs is named */
    assert_error(pytree_map(count_leaves, &count, NULL, 3, trees, NULL, &error), PYTREE_STRUCTURE, path, &error);
    assert_error_says(&error, "tree 1");
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, &other, 1, trees, NULL, &error), PYTREE_STRUCTURE, path, &error);
    /* further down, behind leaves that are fine */
    list[0] = PYTREE_LIST(PYTREE_INT(1), PYTREE_DICT({ "k", first }));
    list[1] = PYTREE_LIST(PYTREE_INT(2), PYTREE_DICT({ "k", other }));
    snprintf(below, sizeof below, "[1]['k']%s", path);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, NULL, 2, list, NULL, &error), PYTREE_STRUCTURE, below, &error);
    assert_int_equal(count.calls, 0);
}

/* A count of trees that no memory holds, also where the output makes it wrap. */
static void absurd_counts_of_trees(void **state)
{
    int x = 1;
    pytree tree = PYTREE(&x);
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_map(count_leaves, &count, NULL, SIZE_MAX, &tree, NULL, &error), PYTREE_NO_MEMORY, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, &tree, SIZE_MAX, &tree, NULL, &error), PYTREE_NO_MEMORY, "", &error);
    assert_int_equal(count.calls, 0);
}

static void structures_that_differ(void **state)
{
    int x = 1;
    float f = 2.0f;
    pytree a = PYTREE(&x), b = PYTREE(&f);
    Point point = { 1.0f, 2.0f };
    Linear linear = linear_make(2, 2, 0.0f);
    Node node = { 1.0, NULL };
    (void)state;
    assert_unlike(PYTREE_LIST(a, a), PYTREE_LIST(a, a, a), "", "2 children", "3");
    assert_unlike(PYTREE_LIST(a, a), PYTREE_LIST(a), "", "2 children", "1");
    assert_unlike(PYTREE_LIST(), PYTREE_LIST(a), "", "0 children", "1");
    assert_unlike(PYTREE_LIST(a), PYTREE_LIST(), "", "1 children", "0");
    assert_unlike(PYTREE_LIST(a, PYTREE_TUPLE(a)), PYTREE_LIST(a, PYTREE_TUPLE(a, a)), "[1]", "1 children", "2");
    assert_unlike(PYTREE_LIST(a), PYTREE_TUPLE(a), "", "list", "tuple");
    assert_unlike(PYTREE_TUPLE(a), PYTREE_LIST(a), "", "tuple", "list");
    assert_unlike(PYTREE_LIST(a), a, "", "list", "i32");
    assert_unlike(PYTREE_LIST(b), PYTREE_NONE, "", "list", "None");
    assert_unlike(PYTREE_NONE, PYTREE_LIST(), "", "None", "list");
    assert_unlike(PYTREE_LIST(b, PYTREE_NONE), PYTREE_LIST(a, b), "[1]", "None", "f32");
    assert_unlike(PYTREE_DICT({ "a", a }), PYTREE_ODICT({ "a", a }), "", "dict", "OrderedDict");
    assert_unlike(PYTREE_DICT({ "a", a }, { "b", a }), PYTREE_DICT({ "c", a }, { "a", a }), "", "key 'b'", "'c'");
    assert_unlike(PYTREE_DICT({ "a", a }), PYTREE_DICT({ "a", a }, { "b", a }), "", "1 children", "2");
    assert_unlike(PYTREE_ODICT({ "a", a }, { "b", a }), PYTREE_ODICT({ "b", a }, { "a", a }), "", "key 'a'", "'b'");
    assert_unlike(PYTREE_NAMEDTUPLE("P", { "x", a }), PYTREE_NAMEDTUPLE("P", { "y", a }), "", "key 'x'", "'y'");
    assert_unlike(PYTREE_NAMEDTUPLE("P", { "x", a }), PYTREE_NAMEDTUPLE("Q", { "x", a }), "", "P", "Q");
    assert_unlike(PYTREE_NAMEDTUPLE("P"), PYTREE_NAMEDTUPLE("Q"), "", "P", "Q");
    assert_unlike(PYTREE_NAMEDTUPLE("P", { "x", a }), PYTREE_TUPLE(a), "", "", "tuple");
    assert_unlike(PYTREE(&point), PYTREE(&linear), "", "Point", "Linear");
    assert_unlike(PYTREE(&point), PYTREE_NAMEDTUPLE("Point", { "x", a }, { "y", a }), "", "Point", "");
    assert_unlike(PYTREE(&node), PYTREE_NONE, "", "Node", "None");
    linear_clear(&linear);
}

static void structs_that_differ(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    Everything c = everything_make(true), d = everything_make(true);
    Shelf e = shelf_make(), f = shelf_make();
    Linear *head = b.head;
    (void)state;
    b.layers[1].din = 9;
    b.layers[1].dout = 1;
    assert_unlike(PYTREE(&a), PYTREE(&b), ".layers[1]", "Linear", "others");
    b.layers[1].din = 3;
    b.layers[1].dout = 2;
    b.n_layers = 1;
    assert_unlike(PYTREE(&a), PYTREE(&b), "", "MLP", "others");
    b.n_layers = 2;
    b.head = NULL;
    assert_unlike(PYTREE(&a), PYTREE(&b), ".head", "Linear", "None");
    assert_unlike(PYTREE(&b), PYTREE(&a), ".head", "None", "Linear");
    b.head = head;
    d.kind = "another kind";
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything", "others");
    d.kind = "a kind";
    d.config.rates[1] = 0.02;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything", "others");
    d.config.rates[1] = 0.01;
    d.config.activation = NULL;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything", "others");
    assert_unlike(PYTREE(&d), PYTREE(&c), "", "Everything", "others");
    d.config.activation = "relu";
    d.epsilon = 0.25L;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything", "others");
    d.epsilon = c.epsilon;
    d.function = NULL;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything", "others");
    stbds_arrput(f.heights, 1.0f);
    assert_unlike(PYTREE(&e), PYTREE(&f), ".heights", "3 children", "4");
    (void)stbds_arrpop(f.heights);
    (void)stbds_shdel(f.prices, "fig");
    assert_unlike(PYTREE(&e), PYTREE(&f), ".prices", "3 children", "2");
    stbds_shput(f.prices, "kiwi", 1.0);
    assert_unlike(PYTREE(&e), PYTREE(&f), ".prices", "key 'fig'", "'kiwi'");
    mlp_clear(&a);
    mlp_clear(&b);
    everything_clear(&c);
    everything_clear(&d);
    shelf_clear(&e);
    shelf_clear(&f);
}

/* The message on static values says which values they are, of both sides. */
static void static_values_are_named(void **state)
{
    Linear a = linear_make(4, 3, 0.0f), b = linear_make(4, 2, 0.0f);
    pytree trees[2];
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_error(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_error_says(&error, "static values");
    assert_error_says(&error, "tree 1");
    linear_clear(&a);
    linear_clear(&b);
}

static void scratch_fields_and_paddings_do_not_count(void **state)
{
    Everything a = everything_make(true), b = everything_make(true);
    char title[] = "a title", kind[] = "a kind";
    pytree trees[2];
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    b.scratch = &b;
    b.title = title;
    b.kind = kind;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_ok(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(count.calls, EVERYTHING_LEAVES);
    everything_clear(&a);
    everything_clear(&b);
}

/* Nothing is called although only the last tree differs, at its last node. */
static void all_is_checked_before_the_first_call(void **state)
{
    MLP models[6];
    pytree trees[6], lists[6];
    Count count = { 0, 0 };
    size_t n, k;
    (void)state;
    for (k = 0; k < 6; k++) {
        models[k] = mlp_make(2, true);
        trees[k] = PYTREE(&models[k]);
    }
    for (n = 2; n <= 6; n++) {
        pytree_error error = { 0 };
        pytree_items items[6];
        pytree elements[6][2];
        for (k = 0; k < n; k++) {
            memset(&items[k], 0, sizeof items[k]);
            items[k].count = 2;
            items[k].items = elements[k];
            elements[k][0] = trees[k];
            elements[k][1] = k == n - 1 ? PYTREE_NONE : PYTREE_TUPLE();
            lists[k].type = &pytree_types[PYTREE__T_list];
            lists[k].data = &items[k];
        }
        assert_error(pytree_map(count_leaves, &count, NULL, n, lists, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
        assert_int_equal(count.calls, 0);
    }
    for (k = 0; k < 6; k++) {
        mlp_clear(&models[k]);
    }
}

static void outputs_that_do_not_fit(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x), list = PYTREE_LIST(a, a), deep = PYTREE_LIST(a, PYTREE_LIST(a)), other = PYTREE_TUPLE(a, a);
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_error(pytree_map(count_leaves, &count, &deep, 1, &list, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, &other, 1, &list, NULL, &error), PYTREE_STRUCTURE, "", &error);
    memset(&error, 0, sizeof error);
    deep = PYTREE_LIST(a, PYTREE_NONE);
    assert_error(pytree_map(count_leaves, &count, &deep, 1, &list, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
    assert_int_equal(pytree_map(count_leaves, &count, &deep, 1, &list, NULL, NULL), PYTREE_STRUCTURE);
    assert_int_equal(count.calls, 0);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_map(count_leaves, &count, &deep, 1, &deep, &none, &error), &error);
    assert_int_equal(count.calls, 2);
}

static void maps_that_cannot_begin(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x), untyped = { NULL, NULL };
    Point *nowhere = NULL;
    pytree missing = PYTREE_LIST(a, PYTREE(nowhere));
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_map(NULL, NULL, NULL, 1, &a, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 0, &a, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 1, NULL, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 1, &untyped, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(count_leaves, &count, &untyped, 1, &a, NULL, NULL), PYTREE_ARGUMENT);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, NULL, 1, &missing, NULL, &error), PYTREE_NULL_POINTER, "[1]", &error);
    assert_int_equal(count.calls, 0);
}

/* ---- Callbacks that stop ------------------------------------------------------------------------------------------------ */

static pytree_status fails_in_words(void *context, const pytree_iter *at)
{
    pytree_error *error = context;
    return at->index == 3 ? pytree_fail(error, PYTREE_SHAPE, "own path", "expected this, got that") : PYTREE_OK;
}

static pytree_status fails_with(void *context, const pytree_iter *at)
{
    (void)at;
    return *(const pytree_status *)context;
}

static void callbacks_stop_a_map(void **state)
{
    static const char *const paths[] = { ".layers[0].w", ".layers[0].b", ".layers[1].w", ".layers[1].b", ".head.w", ".head.b",
                                         ".scale" };
    MLP model = mlp_make(2, true);
    pytree tree = PYTREE(&model);
    size_t i;
    pytree_status status;
    pytree_error error = { 0 };
    (void)state;
    for (i = 1; i <= 7; i++) {
        Count count = { 0, 0 };
        count.stop_at = i;
        memset(&error, 0, sizeof error);
        assert_error(pytree_map(count_leaves, &count, NULL, 1, &tree, NULL, &error), PYTREE_STOPPED, paths[i - 1], &error);
        assert_int_equal(count.calls, i);
        count.calls = 0;
        assert_int_equal(pytree_map(count_leaves, &count, NULL, 1, &tree, NULL, NULL), PYTREE_STOPPED);
        assert_int_equal(count.calls, i);
    }
    for (status = PYTREE_NO_MEMORY; status <= PYTREE_STOPPED; status++) {
        memset(&error, 0, sizeof error);
        assert_error(pytree_map(fails_with, &status, NULL, 1, &tree, NULL, &error), status, ".layers[0].w", &error);
    }
    memset(&error, 0, sizeof error);      /* the callback's own words stay */
    assert_error(pytree_map(fails_in_words, &error, NULL, 1, &tree, NULL, &error), PYTREE_SHAPE, "own path", &error);
    assert_string_equal(error.message, "expected this, got that");
    mlp_clear(&model);
}

/* ---- Treedef and leaves as a tree --------------------------------------------------------------------------------------- */

static void flat_trees_beside_structs(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    pytree_leaf *views = NULL, flags[7];
    static int numbers[7];
    pytree_def *def, *again;
    pytree_flat flat, other;
    pytree trees[3];
    double sum = sum_of(PYTREE(&a));
    size_t calls = 0, i, n = 0;
    char one[600], two[600];
    pytree_error error = { 0 };
    pytree_iter it;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&b), &views, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = views;
    /* mapped, both ways round */
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&flat);
    assert_ok(pytree_map(add_all, &calls, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(calls, 7);
    assert_sum(PYTREE(&a), 2.0 * sum);
    trees[0] = PYTREE(&flat);
    trees[1] = trees[2] = PYTREE(&a);
    calls = 0;
    assert_ok(pytree_map(add_all, &calls, NULL, 3, trees, NULL, &error), &error);
    assert_sum(PYTREE(&b), 5.0 * sum);
    calls = 0;
    assert_ok(pytree_map(add_all, &calls, &trees[0], 1, &trees[1], NULL, &error), &error);     /* and as the output */
    assert_sum(PYTREE(&b), 2.0 * sum);
    /* printed, compared, counted */
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&flat), NULL, NULL, &error));
    assert_true(pytree_equal(PYTREE(&flat), PYTREE(&b), NULL, NULL, &error));
    assert_ok(error.status, &error);
    assert_true(pytree_text(PYTREE(&flat), one, sizeof one, NULL, &error) == pytree_text(PYTREE(&b), two, sizeof two, NULL,
                                                                                         &error));
    assert_string_equal(one, two);
    assert_int_equal(pytree_num_leaves(PYTREE(&flat), NULL, &error), 7);
    again = def_of(PYTREE(&flat));
    assert_true(pytree_def_equal(def, again));
    assert_true(pytree_def_hash(def) == pytree_def_hash(again));
    pytree_def_free(again);
    /* leaves of another type than the struct could hold */
    memset(flags, 0, sizeof flags);
    for (i = 0; i < 7; i++) {
        numbers[i] = (int)i * 10;
        flags[i].data = &numbers[i];
        flags[i].type = PYTREE_TYPE(int);
    }
    other.def = def;
    other.leaves = flags;
    trees[0] = PYTREE(&b);
    trees[1] = PYTREE(&other);
    trees[2] = PYTREE(&flat);
    assert_ok(pytree_iter_begin(&it, 3, trees, NULL, &error), &error);
    for (; pytree_iter_next(&it); n++) {
        assert_ptr_equal(it.leaf[1]->data, &numbers[n]);
        assert_ptr_equal(it.leaf[0]->data, it.leaf[2]->data);
    }
    assert_int_equal(n, 7);
    assert_int_equal(it.status, PYTREE_OK);
    pytree_iter_end(&it);
    pytree_text(PYTREE(&other), one, sizeof one, NULL, &error);
    assert_string_equal(one, ".layers[0].w  i32 0\n.layers[0].b  i32 10\n.layers[1].w  i32 20\n.layers[1].b  i32 30\n"
                        ".head.w  i32 40\n.head.b  i32 50\n.scale  i32 60\n");
    /* static values of a struct against those of a treedef */
    a.layers[1].din = 1;
    assert_unlike(PYTREE(&a), PYTREE(&flat), ".layers[1]", "Linear", "others");
    assert_unlike(PYTREE(&flat), PYTREE(&a), ".layers[1]", "Linear", "others");
    again = def_of(PYTREE(&a));
    other.def = again;
    assert_unlike(PYTREE(&other), PYTREE(&flat), ".layers[1]", "Linear", "others");
    pytree_def_free(again);
    a.layers[1].din = 3;
    pytree_def_free(def);
    mlp_clear(&a);
    mlp_clear(&b);
}

static void flat_trees_of_every_kind(void **state)
{
    Shelf shelf = shelf_make();
    Everything all = everything_make(true);
    int x = 1;
    pytree a = PYTREE(&x), trees[7];
    size_t i, k;
    (void)state;
    trees[0] = a;
    trees[1] = PYTREE_NONE;
    trees[2] = PYTREE(&shelf);
    trees[3] = PYTREE(&all);
    trees[4] = PYTREE_NAMEDTUPLE("P", { "x", a }, { "y", PYTREE_LIST(a, PYTREE_NONE, a) });
    trees[5] = PYTREE_ODICT({ "z", a }, { "a", PYTREE_DICT({ "k", a }, { "", PYTREE_TUPLE() }) });
    trees[6] = PYTREE_LIST(PYTREE(&shelf), PYTREE(&all), PYTREE_NAMEDTUPLE("Q"));
    for (i = 0; i < 7; i++) {
        pytree_leaf *views = NULL;
        pytree_def *def;
        pytree_flat flat;
        pytree pair[2];
        Count count = { 0, 0 };
        pytree_error error = { 0 };
        assert_ok(pytree_flatten(trees[i], &views, 0, &def, NULL, &error), &error);
        flat.def = def;
        flat.leaves = views;
        for (k = 0; k < 2; k++) {
            pair[k] = trees[i];
            pair[1 - k] = PYTREE(&flat);
            assert_ok(pytree_map(count_leaves, &count, NULL, 2, pair, NULL, &error), &error);
            pytree_equal(pair[0], pair[1], NULL, NULL, &error);
            assert_ok(error.status, &error);
        }
        assert_int_equal(count.calls, 2 * pytree_def_num_leaves(def));
        for (k = 0; k < 7; k++) {
            pair[0] = PYTREE(&flat);
            pair[1] = trees[k];
            count.calls = 0;
            if (k != i && i != 0) {
                assert_int_equal(pytree_map(count_leaves, &count, NULL, 2, pair, NULL, NULL), PYTREE_STRUCTURE);
                assert_int_equal(count.calls, 0);
            }
        }
        pytree_def_free(def);
    }
    shelf_clear(&shelf);
    everything_clear(&all);
}

/* ---- Structs of many sizes ----------------------------------------------------------------------------------------------- */

#define BYTES(n) typedef struct Bytes##n { float before; unsigned char bytes[n]; unsigned char after; } Bytes##n;
BYTES(1) BYTES(3) BYTES(4) BYTES(5) BYTES(7) BYTES(8) BYTES(9) BYTES(12) BYTES(15) BYTES(16) BYTES(17) BYTES(31)
#define BYTES_FIELDS PYTREE_FIELD(DATA, before) PYTREE_FIELD(STATIC, bytes) PYTREE_FIELD(DATA, after)
#define PYTREE_STRUCT Bytes1
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes3
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes4
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes5
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes7
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes8
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes9
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes12
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes15
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes16
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes17
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes31
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"

/* The trees' bytes, n of them each, are equal: they stay so whatever lies beside them, and no byte of them may differ. */
static void assert_each_byte_counts(pytree a, pytree b, unsigned char *bytes, size_t n)
{
    pytree trees[2];
    Count count = { 0, 0 };
    size_t i;
    pytree_error error = { 0 };
    pytree_def *def = def_of(a), *other;
    trees[0] = a;
    trees[1] = b;
    assert_ok(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(count.calls, 2);
    for (i = 0; i < n; i++) {
        bytes[i] ^= 0x10;
        other = def_of(b);
        assert_false(pytree_def_equal(def, other));
        assert_int_equal(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, NULL), PYTREE_STRUCTURE);
        pytree_def_free(other);
        bytes[i] ^= 0x10;
    }
    other = def_of(b);
    assert_true(pytree_def_equal(def, other));
    pytree_def_free(other);
    pytree_def_free(def);
    assert_int_equal(count.calls, 2);
}

#define ASSERT_BYTES(T)                                                                                                 \
    do {                                                                                                                \
        T a, b;                                                                                                         \
        memset(&a, 0x00, sizeof a);                                                                                     \
        memset(&b, 0xFF, sizeof b);                                                                                     \
        memset(a.bytes, 0x33, sizeof a.bytes);                                                                          \
        memset(b.bytes, 0x33, sizeof b.bytes);                                                                          \
        assert_each_byte_counts(PYTREE(&a), PYTREE(&b), b.bytes, sizeof b.bytes);                                       \
    } while (0)

static void each_static_byte_counts(void **state)
{
    (void)state;
    ASSERT_BYTES(Bytes1);
    ASSERT_BYTES(Bytes3);
    ASSERT_BYTES(Bytes4);
    ASSERT_BYTES(Bytes5);
    ASSERT_BYTES(Bytes7);
    ASSERT_BYTES(Bytes8);
    ASSERT_BYTES(Bytes9);
    ASSERT_BYTES(Bytes12);
    ASSERT_BYTES(Bytes15);
    ASSERT_BYTES(Bytes16);
    ASSERT_BYTES(Bytes17);
    ASSERT_BYTES(Bytes31);
}

typedef struct Maybe {                    /* leaves alone, or None */
    int n;
    float *a, *b;
    char *text;
    float c;
} Maybe;

#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a, OPTIONAL, ARRAY(self->n)) PYTREE_FIELD(DATA, b, ARRAY(self->n), OPTIONAL) \
    PYTREE_FIELD(DATA, text, OPTIONAL) PYTREE_FIELD(DATA, c)
#include "pytree_registry.h"

static pytree_status note_data(void *context, const pytree_iter *at)
{
    const void ***to = context;
    size_t k;
    char path[20];
    pytree_iter_path_text(at, path, sizeof path);
    *(*to)++ = at->leaf[0]->form == PYTREE_FORM_NONE ? NULL : at->leaf[0]->data;
    for (k = 1; k < at->n; k++) {         /* where the first has a leaf the others may have None, not the other way round */
        assert_true(at->leaf[0]->form != PYTREE_FORM_NONE || at->leaf[k]->form == PYTREE_FORM_NONE);
    }
    if (pytree_is_leaf(at->leaf[0]) && at->leaf[0]->type->dtype == PYTREE_STRING) {
        assert_non_null(strstr(path, ".text"));
    }
    return PYTREE_OK;
}

/* All eight ways of what is there and what is None, against all eight. */
static void structs_of_leaves_and_none(void **state)
{
    float numbers[2] = { 1.0f, 2.0f };
    char text[] = "text";
    pytree_options none = { .none_is_leaf = true };
    unsigned i, k, list;
    (void)state;
    for (i = 0; i < 8; i++) {
        for (k = 0; k < 8; k++) {
            Maybe x = { 2, NULL, NULL, NULL, 1.0f }, y = { 2, NULL, NULL, NULL, 2.0f };
            static const char *const paths[] = { ".a", ".b", ".text" };
            pytree_def *dx, *dy;
            x.a = (i & 1) != 0 ? numbers : NULL;
            x.b = (i & 2) != 0 ? numbers : NULL;
            x.text = (i & 4) != 0 ? text : NULL;
            y.a = (k & 1) != 0 ? numbers : NULL;
            y.b = (k & 2) != 0 ? numbers : NULL;
            y.text = (k & 4) != 0 ? text : NULL;
            dx = def_of(PYTREE(&x));
            dy = def_of(PYTREE(&y));
            assert_int_equal(pytree_def_equal(dx, dy), i == k);
            for (list = 0; list < 2; list++) {
                const void *data[16] = { NULL }, **to = data;
                pytree trees[3];
                char path[20];
                pytree_error error = { 0 };
                pytree_status status;
                unsigned more = k & ~i, first = (more & 1) != 0 ? 0 : (more & 2) != 0 ? 1 : 2;
                trees[0] = list ? PYTREE_LIST(PYTREE(&numbers[0]), PYTREE(&x)) : PYTREE(&x);
                trees[1] = trees[0];
                trees[2] = list ? PYTREE_LIST(PYTREE(&numbers[1]), PYTREE(&y)) : PYTREE(&y);
                status = pytree_map(note_data, &to, NULL, 3, trees, NULL, &error);
                if (more != 0) {
                    snprintf(path, sizeof path, "%s%s", list ? "[1]" : "", paths[first]);
                    assert_error(status, PYTREE_STRUCTURE, path, &error);
                    assert_ptr_equal(to, data);
                    continue;
                }
                assert_ok(status, &error);
                assert_int_equal(to - data, 1 + (int)list + ((i & 1) != 0) + ((i & 2) != 0) + ((i & 4) != 0));
                assert_ptr_equal(to[-1], &x.c);
                to = data;
                assert_ok(pytree_map(note_data, &to, i == k ? &trees[2] : NULL, 2, trees, &none, &error), &error);
                assert_int_equal(to - data, 4 + (int)list);
                assert_true((to[-2] != NULL) == ((i & 4) != 0) && (to[-3] != NULL) == ((i & 2) != 0));
                assert_true(pytree_equal(trees[0], trees[1], NULL, NULL, &error));
                y.c = x.c;
                assert_int_equal(pytree_equal(list ? PYTREE(&x) : trees[0], PYTREE(&y), NULL, NULL, NULL), i == k);
            }
            pytree_def_free(dx);
            pytree_def_free(dy);
        }
    }
}

typedef struct Wide {                     /* more leaves than fit where no memory is needed */
    float a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
    float c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
    float d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9;
    float f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
} Wide;

#define WIDE_TEN(x)                                                                                                     \
    PYTREE_FIELD(DATA, x##0) PYTREE_FIELD(DATA, x##1) PYTREE_FIELD(DATA, x##2) PYTREE_FIELD(DATA, x##3)              \
    PYTREE_FIELD(DATA, x##4) PYTREE_FIELD(DATA, x##5) PYTREE_FIELD(DATA, x##6) PYTREE_FIELD(DATA, x##7)                 \
    PYTREE_FIELD(DATA, x##8) PYTREE_FIELD(DATA, x##9)
#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS WIDE_TEN(a) WIDE_TEN(b) WIDE_TEN(c) WIDE_TEN(d) WIDE_TEN(e) WIDE_TEN(f)
#include "pytree_registry.h"

/* At every depth around that from which on memory is needed, a struct of a few leaves and one of many lie in lists of lists. */
static void structs_at_every_depth(void **state)
{
    enum { DEEPEST = 60 };
    Wide wide[2];
    Linear linear[2] = { linear_make(2, 2, 1.0f), linear_make(2, 2, 1.0f) };
    pytree nested[2][DEEPEST + 1], elements[2][DEEPEST + 1][3];
    pytree_items lists[2][DEEPEST + 1];
    int x = 1;
    size_t depth, k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 60; i++) {
            float number = (float)i;
            memcpy((char *)&wide[k] + i * sizeof number, &number, sizeof number);
        }
        elements[k][0][0] = PYTREE(&wide[k]);
        elements[k][0][1] = PYTREE(&linear[k]);
        elements[k][0][2] = PYTREE_NONE;
        nested[k][0].type = &pytree_types[PYTREE__T_tuple];
        for (i = 0; i <= DEEPEST; i++) {
            memset(&lists[k][i], 0, sizeof lists[k][i]);
            lists[k][i].count = 3;
            lists[k][i].items = elements[k][i];
            nested[k][i].data = &lists[k][i];
        }
    }
    for (depth = 0; depth < DEEPEST; depth++) {
        size_t leaves = 60 + 2 + depth, n = 0;
        pytree trees[3];
        pytree_error error = { 0 };
        pytree_iter it;
        const char **paths;
        char prefix[4 * DEEPEST + 8] = "", expected[4 * DEEPEST + 16];
        for (i = 0; i < depth; i++) {
            strcat(prefix, "[0]");
        }
        trees[0] = trees[2] = nested[0][depth];
        trees[1] = nested[1][depth];
        paths = pytree_paths(trees[0], NULL, &n, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(n, leaves);
        assert_ok(pytree_iter_begin(&it, 3, trees, NULL, &error), &error);
        for (i = 0; pytree_iter_next(&it); i++) {
            char path[4 * DEEPEST + 16];
            if (i < 60) {
                snprintf(expected, sizeof expected, "%s[0].%c%c", prefix, (int)('a' + i / 10), (int)('0' + i % 10));
                assert_true(first_of(it.leaf[0]) == (double)i);
            } else if (i < 62) {
                snprintf(expected, sizeof expected, "%s[1].%s", prefix, i == 60 ? "w" : "b");
            } else {
                snprintf(expected, sizeof expected, "%.*s[1]", (int)(3 * (depth - 1 - (i - 62))), prefix);
            }
            pytree_iter_path_text(&it, path, sizeof path);
            assert_string_equal(path, expected);
            assert_string_equal(paths[i], expected);
            assert_true(first_of(it.leaf[0]) == first_of(it.leaf[1]) && it.leaf[0]->data == it.leaf[2]->data);
        }
        assert_int_equal(it.status, PYTREE_OK);
        assert_int_equal(i, leaves);
        pytree_iter_end(&it);
        pytree_paths_free(paths);
        assert_true(pytree_equal(trees[0], trees[1], NULL, NULL, &error));
        for (k = 0; k < 2; k++) {
            elements[k][depth + 1][0] = nested[k][depth];
            elements[k][depth + 1][1] = PYTREE(&x);
            elements[k][depth + 1][2] = PYTREE_NONE;
            nested[k][depth + 1].type = &pytree_types[PYTREE__T_list];
        }
    }
    linear_clear(&linear[0]);
    linear_clear(&linear[1]);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

typedef struct Sweep {
    pytree trees[6];
    size_t n;
    bool out;
} Sweep;

static pytree_status sweep_map(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *sweep = context;
    Count count = { 0, 0 };
    pytree_status status = pytree_map(count_leaves, &count, sweep->out ? &sweep->trees[5] : NULL, sweep->n, sweep->trees, opt,
                                      err);
    if (status == PYTREE_OK) {
        assert_int_equal(count.calls, pytree_num_leaves(sweep->trees[0], NULL, NULL));
    }
    return status;
}

static pytree_status sweep_iterate(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *sweep = context;
    pytree_iter it;
    if (pytree_iter_begin(&it, sweep->n, sweep->trees, opt, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

/* Stops nowhere; a path that is not that of the value would be found out. */
static bool looks_at_the_path(void *context, const pytree_leaf *value, const pytree_path *path)
{
    const Node *chain = context;
    const char *at = value->data;
    size_t n = path->n;
    if (value->form == PYTREE_FORM_STRUCT) {
        assert_ptr_equal(at, &chain[n]);
    } else if (value->form == PYTREE_FORM_LEAF) {
        assert_ptr_equal(at, &chain[n - 1].value);
    }
    if (n != 0) {
        assert_int_equal(path->entries[n - 1].kind, PYTREE_ATTRIBUTE);
        assert_string_equal(path->entries[n - 1].name, value->form == PYTREE_FORM_LEAF ? "value" : "next");
        assert_true(n == 1 || strcmp(path->entries[0].name, "next") == 0);
    }
    return false;
}

static pytree_status sweep_num_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    size_t n = pytree_num_leaves(PYTREE((const Node *)context), opt, err);
    assert_true(n == (err->status == PYTREE_OK ? 150 : SIZE_MAX));
    return err->status;
}

static void predicates_of_deep_trees(void **state)
{
    Node *chain = chain_make(150);
    Sweep sweep;
    pytree_options opt = { .is_leaf = looks_at_the_path };
    (void)state;
    opt.is_leaf_context = chain;
    sweep.out = false;
    sweep.n = 2;
    sweep.trees[0] = sweep.trees[1] = PYTREE(chain);
    assert_in_range(sweep_allocations_with(&opt, sweep_num_leaves, chain), 3, 1000);
    assert_in_range(sweep_allocations_with(&opt, sweep_iterate, &sweep), 3, 1000);
    assert_in_range(sweep_allocations_with(&opt, sweep_map, &sweep), 3, 2000);
    free(chain);
}

static void sweeps(void **state)
{
    MLP model = mlp_make(2, true);
    Node *chain = chain_make(150);
    Sweep sweep;
    size_t k;
    (void)state;
    sweep.out = false;
    for (k = 0; k < 6; k++) {
        sweep.trees[k] = PYTREE(&model);
    }
    for (sweep.n = 1; sweep.n <= 4; sweep.n++) {
        assert_int_equal(sweep_allocations(sweep_map, &sweep), 0);
        assert_int_equal(sweep_allocations(sweep_iterate, &sweep), 0);
    }
    for (; sweep.n <= 6; sweep.n++) {
        assert_int_equal(sweep_allocations(sweep_iterate, &sweep), 1);
        assert_in_range(sweep_allocations(sweep_map, &sweep), 2, 4);
    }
    sweep.out = true;
    sweep.n = 3;
    assert_int_equal(sweep_allocations(sweep_map, &sweep), 0);
    sweep.n = 4;
    assert_in_range(sweep_allocations(sweep_map, &sweep), 1, 4);
    for (k = 0; k < 6; k++) {
        sweep.trees[k] = PYTREE(chain);
    }
    for (sweep.n = 1; sweep.n <= 5; sweep.n += 2) {
        assert_in_range(sweep_allocations(sweep_iterate, &sweep), sweep.n, 12 * sweep.n);
        assert_in_range(sweep_allocations(sweep_map, &sweep), 2 * sweep.n, 24 * sweep.n + 24);
    }
    free(chain);
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
        cmocka_unit_test(maps_know_their_paths),
        cmocka_unit_test(deeper_trees_come_as_subtrees),
        cmocka_unit_test(a_predicate_stops_at_subtrees),
        cmocka_unit_test(none_as_a_leaf),
        cmocka_unit_test(absurd_counts_of_trees),
        cmocka_unit_test(structures_that_differ),
        cmocka_unit_test(structs_that_differ),
        cmocka_unit_test(static_values_are_named),
        cmocka_unit_test(scratch_fields_and_paddings_do_not_count),
        cmocka_unit_test(all_is_checked_before_the_first_call),
        cmocka_unit_test(outputs_that_do_not_fit),
        cmocka_unit_test(maps_that_cannot_begin),
        cmocka_unit_test(callbacks_stop_a_map),
        cmocka_unit_test(flat_trees_beside_structs),
        cmocka_unit_test(flat_trees_of_every_kind),
        cmocka_unit_test(each_static_byte_counts),
        cmocka_unit_test(structs_of_leaves_and_none),
        cmocka_unit_test(structs_at_every_depth),
        cmocka_unit_test(predicates_of_deep_trees),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
