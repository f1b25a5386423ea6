/* Alignment of new arrays: as the options ask for, at least that of every number, whoever makes them; never something else than
 * a power of two. */
#include "../support/support.h"
#include "pytree/algebra.h"
#include "pytree/literal.h"
#include "pytree/npy.h"
#include "pytree/npz.h"
#include "pytree/ravel.h"
#include "pytree/state.h"
#include "pytree/transform.h"

static signed char small[3] = { 1, 2, 3 }, other[3] = { 6, 7, 8 };
static double large[2] = { 4, 5 };

#define TREE PYTREE_DICT({ "a", PYTREE_ARRAY(small, 3) }, { "b", PYTREE_ARRAY(large, 2) }, { "c", PYTREE_ARRAY(other, 3) })

static void assert_aligned(pytree t, const pytree_options *opt)
{
    const size_t wanted = opt->alignment == 0 ? 64 : opt->alignment < 16 ? 16 : opt->alignment;
    pytree_leaf leaves[8];
    size_t n, i;
    assert_int_equal(pytree_leaves(t, leaves, 8, &n, NULL, NULL), PYTREE_OK);
    assert_true(n != 0);
    for (i = 0; i < n; i++) { assert_int_equal((uintptr_t)leaves[i].data % wanted, 0); }
}

static pytree_status assert_flat(pytree_flat flat, const pytree_options *opt, const pytree_error *error)
{
    if (flat.def != NULL) { assert_aligned(PYTREE(&flat), opt); }
    pytree_flat_free(&flat);
    return error->status;
}

/* ---- Whoever makes arrays ------------------------------------------------------------------------------------------------ */

static pytree_status clones(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree made = pytree_clone(*(const pytree *)context, opt, error);
    if (made.data != NULL) { assert_aligned(made, opt); }
    pytree_free(made);
    return error->status;
}

static pytree_status parses(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree made = pytree_parse("[i8([1, 2, 3]), f64([4, 5])]", opt, error);
    (void)context;
    if (made.data != NULL) { assert_aligned(made, opt); }
    pytree_free(made);
    return error->status;
}

static pytree_status stacks(void *context, const pytree_options *opt, pytree_error *error)
{
    return assert_flat(pytree_stack(1, context, opt, error), opt, error);
}

static pytree_status makes_zeros(void *context, const pytree_options *opt, pytree_error *error)
{
    return assert_flat(pytree_state_zeros_like(*(const pytree *)context, opt, error), opt, error);
}

static pytree_status ravels(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_ravel_options options = { .tree = *opt };
    pytree_leaf vector = { 0 };
    if (pytree_ravel(*(const pytree *)context, &vector, &options, error) == PYTREE_OK) { assert_aligned(PYTREE(&vector), opt); }
    pytree_ravel_free(&vector);
    return error->status;
}

static pytree_status reads_an_array(void *context, const pytree_options *opt, pytree_error *error)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    const pytree_checkpoint_options saving = { .io = &io }, reading = { .tree = *opt, .io = &io };
    pytree_leaf array = { 0 };
    (void)context;
    assert_ok(pytree_save_npy("x", PYTREE_ARRAY(large, 2), &saving, error), error);
    if (pytree_read_npy("x", &array, &reading, error) == PYTREE_OK) { assert_aligned(PYTREE(&array), opt); }
    pytree_npy_free(&array);
    pytree_memory_free(&memory);
    return error->status;
}

static pytree_status reads_arrays(void *context, const pytree_options *opt, pytree_error *error)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    const pytree_checkpoint_options saving = { .io = &io }, reading = { .tree = *opt, .io = &io };
    pytree arrays = { 0 };
    assert_ok(pytree_save_npz("t", *(const pytree *)context, &saving, error), error);
    if (pytree_read_npz("t", &arrays, &reading, error) == PYTREE_OK) { assert_aligned(arrays, opt); }
    pytree_npz_free(arrays);
    pytree_memory_free(&memory);
    return error->status;
}

static pytree_status last_call(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_copy_into(at->result, at->args[at->n_args - 1], at->opt, at->err);
}

static pytree_status like_last(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, at->args[at->n_args - 1]);
}

/* A loop has memory between its steps, too. */
static pytree_status calls(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree_fn last = { .name = "last", .call = last_call, .shape = like_last };
    const pytree_fn_options options = { .tree = *opt };
    pytree_flat shape = pytree_eval_shape(&last, 1, context, &options, error);
    pytree_flat_free(&shape);
    if (error->status != PYTREE_OK) { return error->status; }
    assert_flat(pytree_apply_new(&last, 1, context, &options, error), opt, error);
    return assert_flat(pytree_apply_new(PYTREE_FORI(&last, .to = 3), 1, context, &options, error), opt, error);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------------- */

static sweep_body *const makers[] = { clones, parses, stacks, makes_zeros, ravels, reads_an_array, reads_arrays, calls };

static void arrays_are_aligned_for_every_number(void **state)
{
    static const size_t alignments[] = { 0, 1, 2, 8, 16, 32, 256, 4096 };
    pytree t = TREE;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        const pytree_options opt = { .alignment = alignments[i] };
        for (size_t k = 0; k < COUNT_OF(makers); k++) { sweep_allocations_with(&opt, makers[k], &t); }
    }
}

static void other_alignments_are_refused(void **state)
{
    static const size_t alignments[] = { 3, 24, 48, SIZE_MAX };
    pytree t = TREE;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        const pytree_options opt = { .alignment = alignments[i] };
        char words[100];
        (void)snprintf(words, sizeof words, "expected a power of two for the alignment, got %zu", alignments[i]);
        for (size_t k = 0; k < COUNT_OF(makers); k++) {
            pytree_error error = { 0 };
            assert_int_equal(makers[k](&t, &opt, &error), PYTREE_ARGUMENT);
            assert_string_equal(error.message, words);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_aligned_for_every_number), cmocka_unit_test(other_alignments_are_refused)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
