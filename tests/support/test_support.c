/* The tools of support.h do what the other tests rely on, and its structs are the trees that they are said to be. */
#include "support.h"

/* ---- The allocator ------------------------------------------------------------------------------------------------- */

static void heap_counts(void **state)
{
    Heap heap;
    char *a, *b;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    a = heap.allocator.resize(heap.allocator.context, NULL, 0, 10);
    assert_non_null(a);
    memset(a, 'a', 10);
    b = heap.allocator.resize(heap.allocator.context, NULL, 0, 5);
    assert_non_null(b);
    assert_int_equal(heap.blocks, 2);
    assert_int_equal(heap.bytes, 15);
    b = heap.allocator.resize(heap.allocator.context, b, 5, 500);
    assert_int_equal(heap.bytes, 510);
    a = heap.allocator.resize(heap.allocator.context, a, 10, 4);
    assert_memory_equal(a, "aaaa", 4);
    assert_int_equal((uintptr_t)a % _Alignof(max_align_t), 0);
    assert_null(heap.allocator.resize(heap.allocator.context, a, 4, 0));
    assert_null(heap.allocator.resize(heap.allocator.context, b, 500, 0));
    assert_null(heap.allocator.resize(heap.allocator.context, NULL, 0, 0));
    assert_int_equal(heap.calls, 4);
    assert_heap_clean(&heap);
}

static void heap_fails_once(void **state)
{
    Heap heap;
    char *a, *b;
    (void)state;
    heap_init(&heap, 1);
    a = heap.allocator.resize(&heap, NULL, 0, 8);
    memcpy(a, "unharmed", 8);
    assert_null(heap.allocator.resize(&heap, a, 8, 16));
    assert_memory_equal(a, "unharmed", 8);
    b = heap.allocator.resize(&heap, NULL, 0, 8);
    assert_non_null(b);
    heap.allocator.resize(&heap, a, 8, 0);
    heap.allocator.resize(&heap, b, 8, 0);
    assert_heap_clean(&heap);
    assert_null(heap.allocator.resize(&heap, NULL, 0, SIZE_MAX));
    assert_heap_clean(&heap);
}

static void heap_notices_mistakes(void **state)
{
    Heap heap;
    volatile unsigned char *a;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    a = heap.allocator.resize(&heap, NULL, 0, 8);
    heap.allocator.resize(&heap, (void *)(uintptr_t)a, 7, 0);
    assert_int_equal(heap.mistakes, 1);
    a = heap.allocator.resize(&heap, NULL, 0, 8);
    a[8] = 0;                             /* the guard, which is ours: no sanitizer minds */
    heap.allocator.resize(&heap, (void *)(uintptr_t)a, 8, 0);
    assert_int_equal(heap.mistakes, 2);
    assert_int_equal(heap.blocks, 0);
}

/* Asks for as many blocks as the context says. */
static pytree_status take_blocks(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t *wanted = context;
    void *blocks[8] = { NULL };
    pytree_status status = PYTREE_OK;
    size_t i;
    for (i = 0; i < *wanted && status == PYTREE_OK; i++) {
        blocks[i] = opt->allocator->resize(opt->allocator->context, NULL, 0, 16 + i);
        if (blocks[i] == NULL) {
            status = pytree_fail(err, PYTREE_NO_MEMORY, "", "expected %u bytes, got none", (unsigned)(16 + i));
        }
    }
    for (i = 0; i < *wanted && blocks[i] != NULL; i++) {
        opt->allocator->resize(opt->allocator->context, blocks[i], 16 + i, 0);
    }
    return status;
}

static void sweep_counts(void **state)
{
    size_t n;
    (void)state;
    for (n = 0; n < 8; n++) {
        assert_int_equal(sweep_allocations(take_blocks, &n), n);
    }
}

/* ---- The structs --------------------------------------------------------------------------------------------------- */

static void layers_and_models(void **state)
{
    MLP model = mlp_make(2, true), small = mlp_make(1, false), none = mlp_make(0, false);
    (void)state;
    assert_def_text(PYTREE(&model), MLP_2_HEAD_TEXT, NULL);
    assert_def_text(PYTREE(&small), "PyTreeDef(CustomNode(MLP[(1,)], [[CustomNode(Linear[(4, 3)], [*, *])], None, *]))", NULL);
    assert_def_text(PYTREE(&none), "PyTreeDef(CustomNode(MLP[(0,)], [[], None, *]))", NULL);
    mlp_clear(&model);
    mlp_clear(&small);
    mlp_clear(&none);
}

static void every_row(void **state)
{
    Everything all = everything_make(true), bare = everything_make(false);
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(&all), NULL, NULL), EVERYTHING_LEAVES);
    /* without note, bias, far.x, far.y */
    assert_int_equal(pytree_num_leaves(PYTREE(&bare), NULL, NULL), EVERYTHING_LEAVES - 4);
    everything_clear(&all);
    everything_clear(&bare);
}

static void chains_and_rings(void **state)
{
    Node *chain = chain_make(100);
    Member member = { 0.5f, NULL };
    Team team = { 7, NULL };
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(chain), NULL, NULL), 100);
    free(chain);
    member.team = &team;
    assert_def_text(PYTREE(&member), "PyTreeDef(CustomNode(Member[()], [*, CustomNode(Team[(7,)], [None])]))", NULL);
}

static void containers(void **state)
{
    Shelf shelf = shelf_make(), empty = { 0 };
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(&shelf), NULL, NULL), SHELF_LEAVES);
    assert_def_text(PYTREE(&shelf),
                    "PyTreeDef(CustomNode(Shelf[()], [[*, *, *], "
                    "[CustomNode(Point[()], [*, *]), CustomNode(Point[()], [*, *])], "
                    "{'apple': *, 'fig': *, 'pear': *}, "
                    "{'here': CustomNode(Point[()], [*, *]), 'there': CustomNode(Point[()], [*, *])}]))", NULL);
    assert_def_text(PYTREE(&empty), "PyTreeDef(CustomNode(Shelf[()], [[], [], {}, {}]))", NULL);
    shelf_clear(&shelf);
}

/* ---- Both together -------------------------------------------------------------------------------------------------- */

static pytree_status clone_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *tree = context;
    pytree copy = pytree_clone(*tree, opt, err);
    if (copy.data != NULL) {
        assert_true(pytree_equal(*tree, copy, NULL, opt, NULL));
    }
    pytree_free(copy);
    return err->status;
}

static void sweep_a_clone(void **state)
{
    MLP model = mlp_make(2, true);
    pytree tree = PYTREE(&model);
    (void)state;
    assert_in_range(sweep_allocations(clone_tree, &tree), 1, 8);
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_counts),
        cmocka_unit_test(heap_fails_once),
        cmocka_unit_test(heap_notices_mistakes),
        cmocka_unit_test(sweep_counts),
        cmocka_unit_test(layers_and_models),
        cmocka_unit_test(every_row),
        cmocka_unit_test(chains_and_rings),
        cmocka_unit_test(containers),
        cmocka_unit_test(sweep_a_clone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
