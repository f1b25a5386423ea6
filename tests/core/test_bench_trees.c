/* The eleven model trees: node and leaf counts, the treedef's text and all key paths are those that JAX gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#if !defined(TEST_BODIES_APART)           /* bodies.c has them */
#define PYTREE_IMPLEMENTATION
#endif
#include "bench/trees_build.h"

/* Whole texts of the smaller trees, so that a difference can be seen and not only detected. */
static const struct { size_t model; const char *treedef, *first, *last; } texts[] = {
    { BENCH_TINY_MLP,
      "PyTreeDef(CustomNode(TinyMLP[()], [CustomNode(Linear[(1, 1)], [*, *]), "
      "CustomNode(BatchNorm[(1,)], [*, *, *, *, *]), CustomNode(Linear[(1, 1)], [*, None])]))",
      ".fc1.weight f32[1,1]", ".fc2.weight f32[1,1]" },
    { BENCH_ALEXNET,
      "PyTreeDef(CustomNode(AlexNet[(5, 3)], [[CustomNode(Conv2d[(3, 64, 11, 4, 2)], [*, *]), "
      "CustomNode(Conv2d[(64, 192, 5, 1, 2)], [*, *]), CustomNode(Conv2d[(192, 384, 3, 1, 1)], [*, *]), "
      "CustomNode(Conv2d[(384, 256, 3, 1, 1)], [*, *]), CustomNode(Conv2d[(256, 256, 3, 1, 1)], [*, *])], "
      "[CustomNode(Linear[(9216, 4096)], [*, *]), CustomNode(Linear[(4096, 4096)], [*, *]), "
      "CustomNode(Linear[(4096, 1000)], [*, *])]]))",
      ".features[0].weight f32[64,3,11,11]", ".classifier[2].bias f32[1000]" },
    { BENCH_GPT2_LLMC,
      "PyTreeDef(CustomNode(GPT2[(1024, 50257, 12, 12, 768)], [*, *, *, *, *, *, *, *, *, *, *, *, *, *, *, *]))",
      ".wte f32[50257,768]", ".lnfb f32[768]" },
};

static BenchBuilder builder;
static float floats[4];
static int64_t integers[4];

static pytree build(const BenchModel *model)
{
    memset(&builder, 0, sizeof builder);
    builder.floats = builder.wanted = floats;
    builder.integers = integers;
    return model->build(&builder);
}

/* A line of a leaf listing, without its newline; returns its length. */
static size_t list_leaf(char *line, size_t size, const char *path, const pytree_leaf *leaf)
{
    int n = snprintf(line, size, "%s %s[", path, pytree_dtype_name(leaf->type)), i;
    for (i = 0; i < leaf->ndim; i++) {
        n += snprintf(line + n, size - (size_t)n, i == 0 ? "%zu" : ",%zu", leaf->shape[i]);
    }
    n += snprintf(line + n, size - (size_t)n, "]");
    assert_true(n > 0 && (size_t)n < size);
    return (size_t)n;
}

static void test_counts_and_treedef(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < BENCH_MODELS; i++) {
        const BenchModel *model = &bench_models[i];
        pytree_error err = { 0 };
        pytree t = build(model);
        pytree_def *def = pytree_structure(t, NULL, &err);
        char *text;
        size_t length;
        print_message("%s\n", model->name);
        assert_non_null(def);
        assert_int_equal(pytree_def_num_nodes(def), model->nodes);
        assert_int_equal(pytree_def_num_leaves(def), model->leaves);
        assert_int_equal(pytree_num_leaves(t, NULL, &err), model->leaves);
        length = pytree_def_text(def, NULL, 0);
        assert_int_equal(length, model->treedef_bytes);
        text = malloc(length + 1);
        assert_non_null(text);
        assert_int_equal(pytree_def_text(def, text, length + 1), length);
        assert_int_equal(strlen(text), length);
        assert_true(bench_fnv1a64(BENCH_FNV1A64_START, text, length) == model->treedef_hash);
        assert_int_equal(err.status, PYTREE_OK);
        free(text);
        pytree_def_free(def);
    }
}

static void test_leaf_listing(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < BENCH_MODELS; i++) {
        const BenchModel *model = &bench_models[i];
        pytree_error err = { 0 };
        pytree t = build(model);
        pytree_iter it;
        uint64_t hash = BENCH_FNV1A64_START;
        size_t bytes = 0, listed = 0, count = 0;
        const char **paths = pytree_paths(t, NULL, &count, NULL, &err);
        print_message("%s\n", model->name);
        assert_non_null(paths);
        assert_int_equal(count, model->leaves);
        assert_int_equal(pytree_iter_begin(&it, 1, &t, NULL, &err), PYTREE_OK);
        while (pytree_iter_next(&it)) {
            char path[128], line[192];
            size_t n = pytree_iter_path_text(&it, path, sizeof path);
            assert_true(n < sizeof path);
            assert_int_equal(n, strlen(path));
            assert_string_equal(path, paths[it.index]);
            n = list_leaf(line, sizeof line, path, it.leaf[0]);
            line[n++] = '\n';
            hash = bench_fnv1a64(hash, line, n);
            listed += n;
            bytes += pytree_leaf_bytes(it.leaf[0]);
        }
        assert_int_equal(it.status, PYTREE_OK);
        pytree_iter_end(&it);
        assert_int_equal(listed, model->listing_bytes);
        assert_true(bytes == model->bytes);
        assert_true(hash == model->listing_hash);
        assert_int_equal(err.status, PYTREE_OK);
        pytree_paths_free(paths);
    }
}

static void test_texts(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const BenchModel *model = &bench_models[texts[i].model];
        pytree_error err = { 0 };
        pytree t = build(model);
        pytree_def *def = pytree_structure(t, NULL, &err);
        pytree_leaf leaves[16];
        size_t count = 0;
        const char **paths = pytree_paths(t, NULL, &count, NULL, &err);
        char text[512];
        assert_non_null(def);
        assert_non_null(paths);
        assert_true(pytree_def_text(def, text, sizeof text) < sizeof text);
        assert_string_equal(text, texts[i].treedef);
        assert_int_equal(pytree_leaves(t, leaves, 16, &count, NULL, &err), PYTREE_OK);
        assert_int_equal(count, model->leaves);
        list_leaf(text, sizeof text, paths[0], &leaves[0]);
        assert_string_equal(text, texts[i].first);
        list_leaf(text, sizeof text, paths[count - 1], &leaves[count - 1]);
        assert_string_equal(text, texts[i].last);
        pytree_paths_free(paths);
        pytree_def_free(def);
    }
}

/* Neighbours with equal shapes and another static value are of another structure. */
static void test_statics_are_structure(void **state)
{
    pytree_error err = { 0 };
    SwinTransformer *swin = build(&bench_models[BENCH_SWIN_B]).data;
    pytree_def *even = pytree_structure(PYTREE(&swin->stages[0].blocks[0]), NULL, &err);
    pytree_def *odd = pytree_structure(PYTREE(&swin->stages[0].blocks[1]), NULL, &err);
    (void)state;
    assert_non_null(even);
    assert_non_null(odd);
    assert_int_equal(pytree_def_num_nodes(even), pytree_def_num_nodes(odd));
    assert_false(pytree_def_equal(even, odd));
    pytree_def_free(odd);
    swin->stages[0].blocks[1].shift = swin->stages[0].blocks[0].shift;
    odd = pytree_structure(PYTREE(&swin->stages[0].blocks[1]), NULL, &err);
    assert_non_null(odd);
    assert_true(pytree_def_equal(even, odd));
    assert_true(pytree_def_hash(even) == pytree_def_hash(odd));
    pytree_def_free(odd);
    pytree_def_free(even);
}

/* The same nodes when every extent is 1, allocated in one block. */
static void test_small(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < BENCH_MODELS; i++) {
        const BenchModel *model = &bench_models[i];
        pytree_error err = { 0 };
        pytree t;
        pytree_def *def;
        memset(&builder, 0, sizeof builder);
        builder.wanted = PYTREE_WANTED;
        builder.small = true;
        t = model->build(&builder);
        assert_int_equal(pytree_allocate(t, NULL, &err), PYTREE_OK);
        def = pytree_structure(t, NULL, &err);
        assert_non_null(def);
        assert_int_equal(pytree_def_num_nodes(def), model->nodes);
        assert_int_equal(pytree_def_num_leaves(def), model->leaves);
        assert_int_equal(pytree_check(t, NULL, NULL, NULL, &err), PYTREE_OK);
        pytree_def_free(def);
        pytree_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_treedef),
        cmocka_unit_test(test_leaf_listing),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_statics_are_structure),
        cmocka_unit_test(test_small),
    };
    return cmocka_run_group_tests_name("bench trees", tests, NULL, NULL);
}
