/* Settings from text and memory: each allocation failing once, with nothing written and nothing left then; deep trees. */
#include "assign_shared.h"

/* Everything that takes memory: strings, a struct, lists that grow and shrink, lists of structs with lists, a map, an array
 * that is converted. */
static const char all_of_it[] =
    "{'window': {'title': 'Hello', 'size': [1, 2]}, 'gamma': 0.5, 'mode': 'fast', 'curve': [1, 2, 3],"
    " 'limits': {'a': 1, 'b': 2}, 'matrix': f64([[1, 2, 3], [4, 5, 6]]), 'code': 'xyz', 'ids': i64([1, 2, 3]),"
    " 'log': {'file': 'f', 'prefix': 'p', 'rules': [{'name': 'a', 'weights': [1]}, {'name': 'b', 'weights': [1, 2]}]}}";
static const char again[] =
    "{'window': {'title': 'Again'}, 'curve': [4], 'limits': {'c': 3},"
    " 'log': {'rules': [{'weights': [7, 8, 9]}]}}";

static pytree_status assign_all(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree t = *(const pytree *)context;
    pytree_assign_options options = { .tree = *opt };
    pytree made;
    pytree_status status;
    if (t.data == NULL) {                 /* the tree's own memory fails, too */
        Settings c = defaults();
        made = pytree_clone(PYTREE(&c), opt, err);
        if (made.data == NULL) { return err->status; }
        status = pytree_assign_text(made, "", all_of_it, &options, err);
        if (status == PYTREE_OK) { status = pytree_assign_text(made, "", again, &options, err); }
        if (status == PYTREE_OK) { status = pytree_assign_setting(made, "log.rules[1]={'name': 'z'}", &options, err); }
        if (status == PYTREE_OK) { status = pytree_assign_text(made, ".log", "None", &options, err); }
        pytree_free(made);
        return status;
    }
    return pytree_assign_text(t, "", again, &options, err);
}

static void sweeps(void **state)
{
    pytree none = { NULL, NULL }, t = new_settings(NULL);
    pytree_error error = { 0 };
    (void)state;
    assert_true(sweep_allocations(assign_all, &none) > 20);
    assert_ok(pytree_assign_text(t, "", all_of_it, NULL, &error), &error);
    assert_true(sweep_allocations(assign_all, &t) > 5);
    pytree_free(t);
}

/* The memory of stb_ds runs out: each time the tree is as it was. */
static void sweep_containers(void **state)
{
    pytree t = new_settings(NULL);
    pytree_error error = { 0 };
    size_t n;
    (void)state;
    assert_ok(pytree_assign_text(t, "", all_of_it, NULL, &error), &error);
    for (n = 0;; n++) {
        char *before = literal_of(t), *after;
        pytree_status status;
        memset(&error, 0, sizeof error);
        stb_calls = 0;
        stb_fail_at = n;
        status = pytree_assign_text(t, "", again, NULL, &error);
        stb_fail_at = SIZE_MAX;
        after = literal_of(t);
        if (status == PYTREE_OK) { assert_string_not_equal(before, after); } else { assert_string_equal(before, after); }
        free(before);
        free(after);
        if (status == PYTREE_OK) { break; }
        assert_error(status, PYTREE_NO_MEMORY, NULL, &error);
    }
    assert_true(n >= 4);
    pytree_free(t);
}

/* ---- Depth --------------------------------------------------------------------------------------------------------------- */

typedef struct Chain Chain;
struct Chain {
    int value;
    Chain *next;
};

#define PYTREE_STRUCT Chain
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, value)                                                                                           \
    PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

static void deep_trees(void **state)
{
    enum { DEPTH = 20000 };
    Chain first = { 1, NULL };
    const Chain *at;
    pytree t = pytree_clone(PYTREE(&first), NULL, NULL);
    pytree_error error = { 0 };
    char *text = malloc(DEPTH * 40), *to = text;
    size_t i;
    (void)state;
    assert_non_null(text);
    for (i = 0; i < DEPTH; i++) { to += sprintf(to, "{'value': %d, 'next': ", (int)i); }
    to += sprintf(to, "None");
    for (i = 0; i < DEPTH; i++) { *to++ = '}'; }
    *to = '\0';
    assert_ok(pytree_assign_text(t, "", text, NULL, &error), &error);
    for (i = 0, at = t.data; at != NULL; at = at->next) { assert_int_equal(at->value, i++); }
    assert_int_equal(i, DEPTH);
    free(text);
    pytree_free(t);
}

/* ---- Depth and memory ---------------------------------------------------------------------------------------------------- */

enum { LEVELS = 70 };

/* A list around `inside`, around that another one, … */
static pytree nested(pytree inside, pytree values[LEVELS], pytree_items items[LEVELS], size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        values[i] = inside;
        items[i] = (pytree_items){ .count = 1, .items = &values[i] };
        inside = (pytree){ &pytree_types[PYTREE__T_list], &items[i] };
    }
    return inside;
}

static pytree_status assign_pair(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *const trees = context;
    const pytree_assign_options options = { .tree = *opt };
    return pytree_assign(trees[0], trees[1], &options, err);
}

static pytree_status assign_section(void *context, const pytree_options *opt, pytree_error *err)
{
    Settings c = defaults();
    const pytree t = pytree_clone(PYTREE(&c), opt, err);
    const pytree_assign_options options = { .tree = *opt };
    pytree_status status;
    if (t.data == NULL) { return err->status; }
    status = pytree_assign_at(t, ".log", *(const pytree *)context, &options, err);
    pytree_free(t);
    return status;
}

/* An array for lists, at every depth: whatever grows when either side is opened fails once. */
static void sweep_depths(void **state)
{
    static pytree values[2][LEVELS];
    static pytree_items items[2][LEVELS];
    static float numbers[2][2] = { { 1, 2 }, { 3, 4 } };
    float a, b, c, d;
    pytree rows = PYTREE_LIST(PYTREE_LIST(PYTREE(&a), PYTREE(&b)), PYTREE_LIST(PYTREE(&c), PYTREE(&d)));
    pytree section = PYTREE_DICT({ "file", PYTREE_STR("f") });
    size_t n;
    (void)state;
    for (n = 0; n < LEVELS; n++) {
        pytree trees[2];
        trees[0] = nested(rows, values[0], items[0], n);
        trees[1] = nested(PYTREE_ARRAY(&numbers[0][0], 2, 2), values[1], items[1], n);
        a = b = c = d = 0;
        (void)sweep_allocations(assign_pair, trees);
        assert_true(a == 1 && b == 2 && c == 3 && d == 4);
    }
    assert_true(sweep_allocations(assign_section, &section) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps),
        cmocka_unit_test(sweep_containers),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(sweep_depths)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
