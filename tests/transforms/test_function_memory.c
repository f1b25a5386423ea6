/* The memory in which a call prepares its function: pieces of all sizes, in chunks that are no multiple of what pieces are
 * aligned to. */
#define TEST_OWN_BODIES
#define PYTREE_FUNCTION_CHUNK 1000
#include "../support/support.h"
#include "pytree/function.h"

/* Takes pieces, lets some grow and shrink from number `steady` on, and looks at them all in the end. */
static void check_pieces(struct pytree__fn_plan *plan, size_t steady)
{
    enum { PIECES = 600 };
    static unsigned char *pieces[PIECES];
    static size_t bytes[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        bytes[i] = 1 + i % 7;
        pieces[i] = pytree__resize(&plan->arena, NULL, 0, bytes[i]);
        memset(pieces[i], (int)(i % 251), bytes[i]);
        if (i >= steady && i % 20 == 19) {      /* the last piece, in its place or not */
            pieces[i] = pytree__resize(&plan->arena, pieces[i], bytes[i], 300);
            memset(pieces[i] + bytes[i], (int)(i % 251), 300 - bytes[i]);
            bytes[i] = 300;
        }
        if (i >= steady && i % 50 == 49) {      /* not the last piece */
            const size_t now = i % 100 == 49 ? 200 : 1;
            pieces[i - 1] = pytree__resize(&plan->arena, pieces[i - 1], bytes[i - 1], now);
            if (now == 200) { memset(pieces[i - 1] + bytes[i - 1], (int)((i - 1) % 251), now - bytes[i - 1]); }
            bytes[i - 1] = now;
        }
    }
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < bytes[i]; k++) { assert_int_equal(pieces[i][k], i % 251); }
    }
}

static void pieces_of_all_sizes(void **state)
{
    Heap heap;
    pytree_fn_options options = { 0 };
    struct pytree__fn_plan plan;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    options.tree.allocator = &heap.allocator;
    for (int way = 0; way < 4; way++) {
        union pytree__fn_start start;
        if (way % 2 != 0) {
            pytree__fn_plan_on_stack(&plan, &start, &options);
        } else {
            pytree__fn_plan_begin(&plan, NULL, &options);
        }
        check_pieces(&plan, way / 2 == 0 ? 100 : 0);
        pytree__fn_plan_end(&plan);
        assert_heap_clean(&heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pieces_of_all_sizes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
