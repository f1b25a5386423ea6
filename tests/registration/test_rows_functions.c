/* Every row in objects, variables and growing containers, and through functions: applied, prepared, cached, traced, mapped. */
#include "rows_subject.h"
#include "pytree/algebra.h"
#include "pytree/cache.h"
#include "pytree/containers.h"
#include "pytree/derive.h"
#include "pytree/graph.h"
#include "pytree/record.h"
#include "pytree/state.h"
#include "pytree/transform.h"

PYTREE_CLASS(Box, Object);

/* A copy equals what it is a copy of. */
static void assert_copied(pytree copy, pytree t)
{
    if (copy.data == NULL) { return; }
    assert_true(pytree_equal(copy, t, NULL, NULL, NULL));
    pytree_free(copy);
}

/* ---- Objects ----------------------------------------------------------------------------------------------------------- */

static pytree_status in_an_object(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree box = pytree_new_object(&pytree_class_Box, opt, error);
    if (box.data == NULL) { return error->status; }
    if (pytree_object_put_copy(box, "x", PYTREE_AS_DATA(s->t), error) == PYTREE_OK
        && pytree_object_put(box, "y", PYTREE_AS_DATA(s->equal), error) == PYTREE_OK
        && pytree_object_put(box, "again", PYTREE_AS_DATA(s->equal), error) == PYTREE_OK) {
        assert_made(s, pytree_object_get(box, "x", error), error);
        assert_copied(pytree_clone(box, opt, error), box);
        if (error->status == PYTREE_OK) { assert_copied(pytree_graph_clone(box, opt, error), box); }
        if (error->status == PYTREE_OK && pytree_object_put_copy(box, "x", PYTREE_AS_DATA(s->zeros), error) == PYTREE_OK) {
            pytree_object_remove(box, "x", error);
        }
    }
    pytree_container_free(box);
    return error->status;
}

static pytree_status split_in_an_object(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_filter rest = PYTREE_REST;
    const pytree box = pytree_new_object(&pytree_class_Box, opt, error);
    pytree_def *graphdef = NULL;
    pytree_flat state = { 0 };
    if (box.data == NULL) { return error->status; }
    if (pytree_object_put_copy(box, "x", PYTREE_AS_DATA(s->t), error) == PYTREE_OK
        && pytree_split(box, 1, &rest, &graphdef, &state, opt, error) == PYTREE_OK) {
        const pytree states[1] = { PYTREE(&state) };
        assert_copied(pytree_merge(graphdef, 1, states, opt, error), box);
        if (error->status == PYTREE_OK) { pytree_object_update(box, 1, states, opt, error); }
        if (error->status == PYTREE_OK) { assert_made(s, pytree_object_get(box, "x", error), error); }
    }
    pytree_def_free(graphdef);
    pytree_flat_free(&state);
    pytree_container_free(box);
    return error->status;
}

static pytree_status in_a_variable(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree variable = pytree_new_variable(&pytree_role_Param, s->t, opt, error);
    if (variable.data == NULL) { return error->status; }
    if (pytree_variable_set(variable, s->zeros, error) == PYTREE_OK
        && pytree_variable_set(variable, s->equal, error) == PYTREE_OK
        && pytree_variable_put_metadata(variable, "k", PYTREE_INT(3), error) == PYTREE_OK) {
        assert_made(s, pytree_variable_value(variable), error);
        assert_copied(pytree_clone(variable, opt, error), variable);
    }
    pytree_container_free(variable);
    return error->status;
}

static pytree_status sown(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_filter only[1] = { PYTREE_OF(Intermediate) };
    const pytree box = pytree_new_object(&pytree_class_Box, opt, error);
    pytree taken[1] = { { 0 } };
    if (box.data == NULL) { return error->status; }
    if (pytree_sow(box, &pytree_role_Intermediate, "seen", s->t, NULL, error) == PYTREE_OK
        && pytree_sow(box, &pytree_role_Intermediate, "seen", s->zeros, NULL, error) == PYTREE_OK
        && pytree_pop(box, 1, only, taken, opt, error) == PYTREE_OK) {
        assert_int_equal(pytree_num_leaves(taken[0], NULL, NULL), 2 * s->n);
        pytree_container_free(taken[0]);
    }
    pytree_container_free(box);
    return error->status;
}

static pytree_status in_containers(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree list = pytree_new_list(opt, error);
    pytree dict = { 0 };
    if (list.data != NULL) { dict = pytree_new_dict(opt, error); }
    if (dict.data != NULL && pytree_list_append_copy(list, s->t, error) == PYTREE_OK
        && pytree_list_append(list, s->equal, error) == PYTREE_OK && pytree_dict_put_copy(dict, "k", list, error) == PYTREE_OK
        && pytree_dict_put(dict, "j", s->t, error) == PYTREE_OK) {
        assert_copied(pytree_clone(dict, opt, error), dict);
    }
    pytree_container_free(dict);
    pytree_container_free(list);
    return error->status;
}

/* ---- Functions ----------------------------------------------------------------------------------------------------------- */

static pytree_status same_call(void *context, const pytree_call *at)
{
    (void)context;
    for (size_t i = 0; i < at->n_in; i++) {
        const size_t bytes = pytree_leaf_bytes(&at->in[i]);
        if (bytes != 0) { memcpy(at->out[i].data, at->in[i].data, bytes); }
    }
    return PYTREE_OK;
}

static const pytree_fn same = { .name = "same", .call = same_call, .shape = pytree_result_first };

static pytree_status same_body(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, tr->tree[0]);
}

static pytree_status applied(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_fn_options options = { .tree = *opt };
    pytree_flat made = { 0 };
    if (pytree_apply(&same, 1, &s->t, s->zeros, &options, error) != PYTREE_OK) { return error->status; }
    assert_made(s, s->zeros, error);
    made = pytree_apply_new(&same, 1, &s->t, &options, error);
    assert_made(s, PYTREE(&made), error);
    pytree_flat_free(&made);
    if (error->status != PYTREE_OK) { return error->status; }
    made = pytree_eval_shape(&same, 1, &s->t, &options, error);
    if (error->status == PYTREE_OK) { assert_int_equal(pytree_def_num_leaves(made.def), s->n); }
    pytree_flat_free(&made);
    return error->status;
}

static pytree_status prepared(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_fn_options options = { .tree = *opt };
    pytree_prepared *const p = pytree_prepare(&same, 1, &s->t, s->zeros, &options, error);
    if (p == NULL) { return error->status; }
    if (pytree_run(p, error) == PYTREE_OK) { assert_made(s, s->zeros, error); }
    if (error->status == PYTREE_OK && pytree_run_on(p, 1, &s->equal, s->zeros, error) == PYTREE_OK) {
        assert_made(s, s->zeros, error);
    }
    pytree_prepared_free(p);
    return error->status;
}

static pytree_status jitted(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_fn_options options = { .tree = *opt };
    pytree_jit *const jit = pytree_jit_new(&same, 0, &options, error);
    if (jit == NULL) { return error->status; }
    if (pytree_jit_call(jit, 1, &s->t, s->zeros, error) == PYTREE_OK
        && pytree_jit_call(jit, 1, &s->equal, s->zeros, error) == PYTREE_OK) {
        assert_int_equal(pytree_jit_count(jit).misses, 1);
        assert_made(s, s->zeros, error);
    }
    pytree_jit_free(jit);
    return error->status;
}

static pytree_status makes(void *context, const pytree_flat *key, void **value, pytree_error *error)
{
    (void)key;
    (void)error;
    *value = context;
    return PYTREE_OK;
}

static pytree_status cached(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_cache_options options = { .tree = *opt };
    pytree_cache *const cache = pytree_cache_new(&options, error);
    if (cache == NULL) { return error->status; }
    if (pytree_cache_get(cache, s->t, makes, context, error) != NULL) {
        const void *const found = pytree_cache_find(cache, s->equal, error);
        if (error->status == PYTREE_OK) { assert_ptr_equal(found, context); }
    }
    pytree_cache_free(cache);
    return error->status;
}

static pytree_status traced(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_fn_options options = { .tree = *opt };
    pytree_program *const p = pytree_program_new(PYTREE_TRACED(same_body, NULL), 1, &s->t, &options, error);
    pytree_program *forward = NULL, *back = NULL;
    if (p != NULL && pytree_apply(PYTREE_PROGRAM(p), 1, &s->t, s->zeros, &options, error) == PYTREE_OK) {
        assert_made(s, s->zeros, error);
        forward = pytree_pushforward(p, error);
        back = forward == NULL ? NULL : pytree_pullback(p, error);
    }
    pytree_program_free(back);
    pytree_program_free(forward);
    pytree_program_free(p);
    return error->status;
}

static pytree_status mapped(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_fn_options options = { .tree = *opt };
    const pytree both[2] = { s->zeros, s->equal };
    pytree_flat stack = pytree_stack(2, both, opt, error), made = { 0 }, slice = { 0 };
    if (error->status == PYTREE_OK) {
        made = pytree_apply_new(PYTREE_VMAP(&same), 1, (pytree[1]){ PYTREE(&stack) }, &options, error);
    }
    if (error->status == PYTREE_OK) {
        slice = pytree_slice(PYTREE(&made), 1, opt, error);
        assert_made(s, PYTREE(&slice), error);
    }
    pytree_flat_free(&slice);
    pytree_flat_free(&made);
    pytree_flat_free(&stack);
    return error->status;
}

/* ---- The table --------------------------------------------------------------------------------------------------------- */

static const EveryOperation operations[] = {
    { "object", in_an_object }, { "split object", split_in_an_object }, { "variable", in_a_variable }, { "sow", sown },
    { "containers", in_containers }, { "apply", applied }, { "prepare", prepared }, { "jit", jitted }, { "cache", cached },
    { "trace", traced }, { "vmap", mapped }
};

static void every_row_goes_through_objects_and_functions(void **state)
{
    (void)state;
    every_sweep(COUNT_OF(operations), operations, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_goes_through_objects_and_functions)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
