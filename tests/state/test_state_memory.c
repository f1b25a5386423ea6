/* Allocations of calls on states, objects and displays that other themes do not fail: those of calls that write files, of paths
 * inside maps, of single attributes, and those that go to the C library because a call has no options. */
#define TEST_WATCHED_BODIES                /* the C library's realloc fails at its n-th call */
#include "support.h"
#include "pytree/display.h"
#include "pytree/object.h"

typedef struct Pair { float *w, *m; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2), ROLE(Param)) PYTREE_FIELD(DATA, m, ARRAY(2), ROLE(BatchStat))
#include "pytree_registry.h"

PYTREE_CLASS(Foo, Module);

static float numbers[4] = { 1, 2, 3, 4 };

enum { DEEP = 200 };
static pytree deep_at[DEEP + 1];
static pytree_items deep_items[DEEP];

static pytree deep_list(pytree last)
{
    size_t i;
    deep_at[0] = last;
    for (i = 0; i < DEEP; i++) {
        deep_items[i] = (pytree_items){ .count = 1, .items = &deep_at[i] };
        deep_at[i + 1] = (pytree){ &pytree_types[PYTREE__T_list], &deep_items[i] };
    }
    return deep_at[DEEP];
}

/* ---- With options ---------------------------------------------------------------------------------------------------- */

typedef pytree_status writes(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);

static pytree_status write_table(FILE *file, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_table *table = pytree_table_new(opt, err);
    if (table == NULL) { return err->status; }
    if (pytree_table_call(table, t, PYTREE_INT(1), PYTREE_TUPLE(), err) == PYTREE_OK) {
        (void)pytree_tabulate(file, t, table, 0, opt, err);
    }
    pytree_table_free(table);
    return err->status;
}

/* After an error nothing has been written. */
static pytree_status sweep_files(void *context, const pytree_options *opt, pytree_error *err)
{
    writes *const all[] = { pytree_display, pytree_state_print, write_table };
    Pair two = { numbers, numbers + 2 };
    FILE *const file = context;
    size_t i;
    const pytree trees[3] = { PYTREE(&two), PYTREE_DICT({ "b", PYTREE(&two) }, { "a", PYTREE_INT(1) }), PYTREE(&numbers[0]) };
    for (i = 0; i < COUNT_OF(all) * COUNT_OF(trees) && err->status == PYTREE_OK; i++) {
        rewind(file);
        (void)all[i % COUNT_OF(all)](file, trees[i / COUNT_OF(all)], opt, err);
        assert_int_equal(ftell(file) == 0, err->status != PYTREE_OK);
    }
    return err->status;
}

static pytree_status note_role(void *context, const pytree_iter *at)
{
    const pytree_type *const role = pytree_iter_role(at);
    if (role != NULL) { ++*(size_t *)context; }
    return PYTREE_OK;
}

/* The first leaf of a state has its role below so many dicts that the way there does not fit on the stack. */
static pytree_status sweep_roles(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree state = *(const pytree *)context;
    size_t n = 0;
    if (pytree_map(note_role, &n, NULL, 1, &state, opt, err) == PYTREE_OK) { assert_int_equal(n, 1); }
    return err->status;
}

static pytree_status sweep_attributes(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree foo = pytree_new_object(&pytree_class_Foo, opt, err), got;
    pytree_attribute at;
    (void)context;
    if (err->status == PYTREE_OK) { pytree_object_put(foo, "w", PYTREE_ARRAY(numbers, 2), err); }
    if (err->status == PYTREE_OK) { pytree_object_put(foo, "rate", PYTREE_AS_DATA(PYTREE_FLOAT(1)), err); }
    if (err->status == PYTREE_OK) { pytree_object_put_copy(foo, "sizes", PYTREE_LIST(PYTREE_INT(1), PYTREE_STR("two")), err); }
    if (err->status == PYTREE_OK) { pytree_object_put_copy(foo, "fixed", PYTREE_AS_STATIC(PYTREE_TUPLE()), err); }
    if (err->status == PYTREE_OK) {
        got = pytree_object_get(foo, "sizes", err);
        assert_int_equal(pytree_num_leaves(got, NULL, NULL), 2);
    }
    if (err->status == PYTREE_OK) { pytree_object_remove(foo, "w", err); }
    if (err->status == PYTREE_OK) { pytree_object_attribute(foo, 0, &at, err); }
    if (foo.data != NULL) { pytree_container_free(foo); }
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    FILE *const file = tmpfile();
    pytree_error error = { 0 };
    pytree t = deep_list(PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)));
    pytree_flat flat = pytree_state(t, PYTREE_EVERYTHING, NULL, &error);
    (void)state;
    assert_non_null(file);
    assert_ok(error.status, &error);
    t = PYTREE(&flat);
    assert_in_range(sweep_allocations(sweep_files, file), 5, 300);
    assert_in_range(sweep_allocations(sweep_roles, &t), 1, 30);
    assert_in_range(sweep_allocations(sweep_attributes, NULL), 3, 100);
    pytree_flat_free(&flat);
    fclose(file);
}

/* ---- Without options ------------------------------------------------------------------------------------------------- */

/* Not(Not(… OfType(Param) …)), of more than are on the stack of a call. */
static const pytree_filter *deep_filter(pytree_filter of[DEEP + 1])
{
    size_t i;
    of[DEEP] = PYTREE_OF(Param);
    for (i = 0; i < DEEP; i++) { of[i] = (pytree_filter){ .kind = PYTREE_FILTER_NOT, .n = 1, .of = &of[i + 1] }; }
    return of;
}

static bool fails_to_match(pytree_error *err)
{
    pytree_filter of[DEEP + 1];
    const pytree_place place = { .role = &pytree_role_Param };
    const bool answer = pytree_filter_match(deep_filter(of), &place, err);
    assert_int_equal(answer, err->status == PYTREE_OK);
    return err->status == PYTREE_NO_MEMORY;
}

static bool fails_to_write(pytree_error *err)
{
    pytree_filter of[DEEP + 1];
    char text[8 * DEEP] = "before";
    const size_t n = pytree_filter_text(deep_filter(of), text, sizeof text);
    (void)err;
    if (n != SIZE_MAX) { assert_int_equal(n, strlen(text)); } else { assert_string_equal(text, ""); }
    return n == SIZE_MAX;
}

static bool fails_to_measure(pytree_error *err)
{
    pytree_filter of[DEEP + 1];
    (void)err;
    return pytree_filter_text(deep_filter(of), NULL, 0) == SIZE_MAX;
}

static bool fails_to_look(pytree_error *err)
{
    const bool has = pytree_has_data(deep_list(PYTREE_INT(1)), err);           /* which it says if it cannot tell */
    assert_int_equal(has, err->status == PYTREE_NO_MEMORY);
    return has;
}

/* A split by a filter that is too deep. */
static bool fails_to_split(pytree_error *err)
{
    pytree_filter of[DEEP + 1];
    Pair two = { numbers, numbers + 2 };
    pytree_flat states[2];
    (void)pytree_split(PYTREE(&two), PYTREE_FILTERS(*deep_filter(of), PYTREE_REST), NULL, states, NULL, err);
    if (err->status != PYTREE_OK) { assert_null(states[0].def); assert_null(states[1].def); }
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
    return err->status == PYTREE_NO_MEMORY;
}

static void the_library_runs_out(void **state)
{
    bool (*const all[])(pytree_error *err) = {
        fails_to_match, fails_to_write, fails_to_measure, fails_to_look, fails_to_split
    };
    size_t i, n;
    (void)state;
    for (i = 0; i < COUNT_OF(all); i++) {
        for (n = 0;; n++) {
            pytree_error error = { 0 };
            bool failed;
            library_calls = 0;
            library_fail_at = n;
            failed = all[i](&error);
            library_fail_at = SIZE_MAX;
            if (library_calls <= n) { assert_false(failed); break; }
            assert_true(failed);
        }
        assert_in_range(n, 1, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail), cmocka_unit_test(the_library_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
