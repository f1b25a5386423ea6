/* Strings in programs: those that operations make, those beside them, and derivatives that are strings. */
#define TEST_WATCHED_BODIES
#include "derive_shared.h"

/* Copies a string with '!' behind it; *(size_t *)params bytes more are taken, too. */
static pytree_status shout_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status shout_run(const pytree_op_call *c, pytree_error *err)
{
    const char *from = *(char *const *)c->in[0]->data;
    const size_t n = strlen(from), more = *(const size_t *)c->params;
    char *to = (char *)pytree_op_memory(c, n + 2, err);
    if (to == NULL || (more != 0 && pytree_op_memory(c, more, err) == NULL)) { return PYTREE_NO_MEMORY; }
    memcpy(to, from, n);
    memcpy(to + n, "!", 2);
    *(char **)c->out[0]->data = to;
    return PYTREE_OK;
}
static const pytree_op shout = { .name = "shout", .params = sizeof(size_t), .n_out = 1, .shape = shout_shape,
                                 .run = shout_run };

static pytree_status shouted(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &shout, context, 1, &a, NULL)));
}
BODY(as_it_is, a)

static pytree_status sweep_shouts(void *context, const pytree_options *opt, pytree_error *err)
{
    const char *word = "word";
    pytree_flat out = pytree_apply_new(PYTREE_TRACED(shouted, .context = context), 1, (pytree[1]){ PYTREE(&word) },
                                       &(pytree_fn_options){ .tree = *opt }, err);
    if (out.def != NULL) { assert_string_equal(*(const char *const *)out.leaves[0].data, "word!"); }
    pytree_flat_free(&out);
    return err->status;
}

static void strings_that_operations_make(void **state)
{
    size_t more[] = { 0, 5000, SIZE_MAX - 1000, SIZE_MAX / 2 + 100 };
    const char *word = "word", *got = "";
    pytree_error error = { 0 };
    (void)state;
    apply(PYTREE_TRACED(as_it_is), 1, (pytree[1]){ PYTREE(&word) }, PYTREE(&got));
    assert_ptr_equal(got, word);
    assert_error(pytree_apply(PYTREE_TRACED(shouted, .context = &more[0]), 1, (pytree[1]){ PYTREE(&word) }, PYTREE(&got), NULL,
                              &error), PYTREE_ARGUMENT, "", &error);
    assert_non_null(strstr(error.message, "which keep the strings that operations make, got pytree_apply"));
    assert_string_equal(got, "");
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        pytree_flat out;
        error.status = PYTREE_OK;
        out = pytree_apply_new(PYTREE_TRACED(shouted, .context = &more[i]), 1, (pytree[1]){ PYTREE(&word) }, NULL, &error);
        if (i < 2) {
            assert_ok(error.status, &error);
            assert_string_equal(*(const char *const *)out.leaves[0].data, "word!");
        } else {
            assert_error(error.status, PYTREE_NO_MEMORY, NULL, &error);
        }
        pytree_flat_free(&out);
    }
    assert_true(sweep_allocations(sweep_shouts, &more[1]) > 5);
}

/* An allocator that gives what lies between two other parts of one array, and never takes anything back. */
typedef struct Middle { char low[32]; max_align_t memory[2000]; char high[32]; size_t used; } Middle;

static void *middle_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Middle *m = context;
    const size_t n = (new_size + sizeof *m->memory - 1) / sizeof *m->memory;
    void *made = &m->memory[m->used];
    if (new_size == 0 || n > COUNT_OF(m->memory) - m->used) { return NULL; }
    m->used += n;
    if (p != NULL) { memcpy(made, p, old_size < new_size ? old_size : new_size); }
    return made;
}

static const pytree_op shout_at_once = { .name = "shout", .params = sizeof(size_t), .n_out = 1, .shape = shout_shape,
                                         .run = shout_run, .effect = true };

static pytree_status shouts_besides(void *context, pytree_trace *tr)           /* (words, word) -> words */
{
    const pytree_value b = V(tr->arg[1]);
    (void)pytree_record(tr, &shout_at_once, context, 1, &b, NULL);
    return pytree_return(tr, tr->tree[0]);
}

/* Strings of the arguments are kept by pytree_apply wherever they lie beside those that an operation has made. */
static void strings_beside_those_that_are_made(void **state)
{
    static Middle middle = { .low = "low", .high = "high" };
    const pytree_allocator allocator = { middle_resize, &middle };
    const pytree_fn_options opt = { .tree = { .allocator = &allocator } };
    const char *words[2] = { middle.low, middle.high }, *word = "word", *got[2] = { "", "" };
    size_t more = 0;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_apply(PYTREE_TRACED(shouts_besides, .context = &more), 2,
                           (pytree[2]){ PYTREE_ARRAY(words, 2), PYTREE(&word) }, PYTREE_ARRAY(got, 2), &opt, &error), &error);
    assert_true(got[0] == middle.low && got[1] == middle.high);
    assert_true(middle.used != 0);
    assert_error(pytree_apply(PYTREE_TRACED(shouted, .context = &more), 1, (pytree[1]){ PYTREE(&word) }, PYTREE(&got[0]), &opt,
                              &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(got[0], "");
}

/* Strings, one by one: those of the first array with those of the second one behind them; three characters are too many. */
static pytree_status join_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status join_run(const pytree_op_call *c, pytree_error *err)
{
    const char *const *a = c->in[0]->data, *const *b = c->in[1]->data;
    for (size_t i = 0, n = pytree_leaf_count(c->in[0]); i < n; i++) {
        const size_t k = strlen(a[i]), m = strlen(b[i]);
        char *to = k + m > 2 ? NULL : pytree_op_memory(c, k + m + 1, err);
        if (to == NULL) { return pytree_fail(err, PYTREE_VALUE, NULL, "expected at most two characters, got %zu", k + m); }
        memcpy(to, a[i], k);
        memcpy(to + k, b[i], m + 1);
        ((char **)c->out[0]->data)[i] = to;
    }
    return PYTREE_OK;
}
static void join_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    (void)tr;
    (void)e;
    in_ct[0] = in_ct[1] = ct[0];
}
static const pytree_op join = { .name = "join", .shape = join_shape, .run = join_run, .vjp = join_vjp };
static pytree_status joined(void *context, pytree_trace *tr)
{
    const pytree_value ab[2] = { V(tr->arg[0]), V(tr->arg[1]) };
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &join, NULL, 2, ab, NULL)));
}

/* What is said about each element is added by an operation, which may fail, and has nothing to do for arrays of nothing. */
static void derivatives_that_an_operation_adds(void **state)
{
    const char *a[1] = { "" }, *b[3] = { "", "", "" }, *said[3] = { "p", "q", "r" };
    const pytree_fn *const f = PYTREE_VMAP(PYTREE_TRACED(joined, .plus = &join), .in_axes = PYTREE_TUPLE(PYTREE_NONE,
                                                                                                        PYTREE_INT(0)));
    (void)state;
    for (size_t n = 2; n < 4; n++) {
        for (size_t k = 0; k < 2; k++) {
            const pytree args[2] = { PYTREE_TUPLE(PYTREE_ARRAY(a, k), PYTREE_ARRAY(b, n, k)), PYTREE_ARRAY(said, n, k) };
            pytree_error error = { 0 };
            pytree_flat out = pytree_apply_new(PYTREE_VJP(f), 2, args, NULL, &error);
            if (n == 3 && k == 1) {
                assert_null(out.def);
                assert_error(error.status, PYTREE_VALUE, "", &error);
                assert_non_null(strstr(error.message, "expected at most two characters, got 3"));
                continue;
            }
            assert_ok(error.status, &error);
            assert_int_equal(pytree_leaf_count(&out.leaves[1]), k);
            if (k == 1) { assert_string_equal(*(char **)out.leaves[1].data, "pq"); }
            pytree_flat_free(&out);
        }
    }
}

static pytree_status mute_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(char **)c->out[0]->data = NULL;
    return PYTREE_OK;
}
static const pytree_op mute = { .name = "mute", .n_out = 1, .shape = shout_shape, .run = mute_run };

/* The first argument, made NULL, names the branch that gets the second. */
static pytree_status branch_of_no_name(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    const pytree args[2] = { PYTREE_V(pytree_record(tr, &mute, NULL, 1, &a, NULL)), tr->tree[1] };
    return pytree_return(tr, pytree_op_apply(tr, context, 2, args));
}

static void names_that_are_null(void **state)
{
    const char *word = "word";
    double x = 1, y = 0;
    const pytree_fn *const chosen = PYTREE_SELECT(PYTREE_TRACED(as_it_is), PYTREE_TRACED(as_it_is, .name = "other"));
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_apply(PYTREE_TRACED(branch_of_no_name, .context = (void *)(uintptr_t)chosen), 2,
                              (pytree[2]){ PYTREE(&word), PYTREE(&x) }, PYTREE(&y), NULL, &error),
                 PYTREE_NOT_FOUND, "[0]", &error);
    assert_non_null(strstr(error.message, "select: expected 'as_it_is' or 'other', got ''"));
    assert_true(y == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_that_operations_make), cmocka_unit_test(strings_beside_those_that_are_made),
        cmocka_unit_test(derivatives_that_an_operation_adds), cmocka_unit_test(names_that_are_null)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
