/* Pages of differences: pytree/html.h: marks, errors, trees of other structure; tolerances; memory that runs out. */
#include "html_shared.h"

#include "pytree/literal.h"

static cJSON *diff_of(pytree a, pytree b, const pytree_tolerance *tolerance)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = html_options(NULL, &io);
    pytree_error error = { 0 };
    cJSON *json;
    assert_ok(pytree_save_html_diff("page", a, b, tolerance, &opt, &error), &error);
    json = page_data(&file);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "diff")));
    pytree_memory_free(&file);
    return json;
}

static cJSON *diff_of_texts(const char *a, const char *b)
{
    pytree_error error = { 0 };
    pytree x = pytree_parse(a, NULL, &error), y = pytree_parse(b, NULL, &error);
    cJSON *json;
    assert_ok(error.status, &error);
    json = diff_of(x, y, NULL);
    pytree_free(x);
    pytree_free(y);
    return json;
}

/* The rows as "mark path-of-keys" words: depth, mark, key, type of a, type of b. */
static void assert_rows(const char *a, const char *b, const char *expected)
{
    cJSON *page = diff_of_texts(a, b);
    char text[2000] = "";
    size_t n = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows_of(page)) {
        const cJSON *sides[2] = { cJSON_GetObjectItem(row, "a"), cJSON_GetObjectItem(row, "b") };
        size_t i;
        n += (size_t)snprintf(text + n, sizeof text - n, "%d%s%s", (int)number_of(row, "d"), word_of(row, "m"),
                              word_of(row, "k"));
        for (i = 0; i < 2; i++) {
            const char *name = word_of(sides[i], "n");
            n += (size_t)snprintf(text + n, sizeof text - n, ":%s", name[0] != '\0' ? name : word_of(sides[i], "v"));
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
        assert_in_range(n, 0, sizeof text - 1);
    }
    assert_string_equal(text, expected);
    cJSON_Delete(page);
}

static void marks(void **state)
{
    (void)state;
    assert_rows("[1, 2.5]", "[1, 2.5]", "0:list:\n1[0]:1:\n1[1]:2.5:\n");
    assert_rows("{'a': 1, 'b': 2}", "{'b': 3, 'c': 4}", "0:dict:\n1-['a']:1:\n1!['b']:2:3\n1+['c']::4\n");
    assert_rows("[1]", "[1, [2, 3]]", "0:list:\n1[0]:1:\n1+[1]::list\n2+[0]::2\n2+[1]::3\n");
    assert_rows("[1, (2, 3)]", "[1]", "0:list:\n1[0]:1:\n1-[1]:tuple:\n2-[0]:2:\n2-[1]:3:\n");
    assert_rows("[[1], 5]", "[(2,), 5]", "0:list:\n1![0]:list:tuple\n2-[0]:1:\n2+[0]::2\n1[1]:5:\n");
    assert_rows("7", "{'x': 8}", "0!:7:dict\n1+['x']::8\n");
    assert_rows("{'x': 8}", "None", "0!:dict:None\n1-['x']:8:\n");
    assert_rows("OrderedDict([('p', 1), ('q', 2)])", "OrderedDict([('q', 2), ('p', 1)])",
                "0!:OrderedDict:OrderedDict\n1['p']:1:\n1['q']:2:\n");
    assert_rows("1", "1.0", "0!:1:1.0\n");
}

static const cJSON *errors_at(const cJSON *page, const char *path)
{
    const cJSON *found = cJSON_GetObjectItem(row_at(page, path), "e");
    assert_non_null(found);
    return found;
}

/* Largest errors of floats, among the finite ones, beside NaN and infinity; of integers that doubles cannot tell apart. */
static void errors(void **state)
{
    double a[2][3] = { { 1, 2, 4 }, { NAN, INFINITY, 100 } }, b[2][3] = { { 1, 3, 4.5 }, { NAN, 5, 98 } };
    int64_t i[2] = { INT64_MAX, 0 }, j[2] = { INT64_MAX - 1, 0 };
    const pytree_tolerance tolerance = { .absolute = 1.5, .nan_equal = true };
    const double third = 1.0 / 3;         /* rounded, where an expression has more digits */
    cJSON *page = diff_of(PYTREE_LIST(PYTREE_ARRAY(&a[0][0], 2, 3), PYTREE_ARRAY(i, 2)),
                          PYTREE_LIST(PYTREE_ARRAY(&b[0][0], 2, 3), PYTREE_ARRAY(j, 2)), NULL);
    const cJSON *e = errors_at(page, "[0]");
    (void)state;
    assert_int_equal((int)number_of(e, "differing"), 5);
    assert_int_equal((int)number_of(e, "not_finite"), 2);
    assert_int_equal((int)number_of(e, "first"), 1);
    assert_string_equal(word_of(e, "from"), "2.0");
    assert_string_equal(word_of(e, "to"), "3.0");
    assert_true(number_of(e, "absolute") == 2 && number_of(e, "absolute_at") == 5);
    assert_true(number_of(e, "relative") == third && number_of(e, "relative_at") == 1);
    assert_string_equal(word_of(cJSON_GetObjectItem(e, "h"), "cells"), "q/1!!A");      /* of b - a: 0 1 0.5 nan -inf -2 */
    e = errors_at(page, "[1]");
    assert_true(number_of(e, "differing") == 1 && number_of(e, "absolute") == 1 && number_of(e, "absolute_at") == 0);
    cJSON_Delete(page);
    page = diff_of(PYTREE_ARRAY(&a[0][0], 2, 3), PYTREE_ARRAY(&b[0][0], 2, 3), &tolerance);
    e = errors_at(page, "");
    assert_int_equal((int)number_of(e, "differing"), 2);                   /* infinity, and 100 for 98 */
    assert_int_equal((int)number_of(e, "first"), 4);
    cJSON_Delete(page);
}

static void other_types_and_shapes(void **state)
{
    float f[4] = { 1, 2, 3, 4 };
    double d[4] = { 1, 2, 3, 5 };
    cJSON *page = diff_of(PYTREE_LIST(PYTREE_ARRAY(f, 4), PYTREE_ARRAY(f, 2, 2), PYTREE_STR("a")),
                          PYTREE_LIST(PYTREE_ARRAY(d, 4), PYTREE_ARRAY(f, 4), PYTREE_STR("b")), NULL);
    (void)state;
    assert_true(number_of(errors_at(page, "[0]"), "absolute") == 1);       /* of another type, compared all the same */
    assert_string_equal(word_of(side_at(page, "[0]", "b"), "y"), "f64");
    assert_string_equal(word_of(row_at(page, "[1]"), "m"), "!");
    assert_null(cJSON_GetObjectItem(row_at(page, "[1]"), "e"));
    assert_string_equal(word_of(side_at(page, "[1]", "b"), "s"), "4");
    assert_string_equal(word_of(row_at(page, "[2]"), "m"), "!");
    assert_null(cJSON_GetObjectItem(row_at(page, "[2]"), "e"));
    cJSON_Delete(page);
}

/* Shapes without data, None as a leaf, complex numbers beside real ones, values without elements. */
static void leaves_of_other_kinds(void **state)
{
    const pytree_options none = { .none_is_leaf = true };
    float f[4] = { 1, 2, 3, 4 }, g[4] = { 1, 2, 3, 5 };
    const pytree_leaf two = { .data = f, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
    const pytree_leaf four = { .data = f, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 4 } };
    const pytree_leaf complex = { .data = g, .type = &pytree_types[PYTREE__T_cfloat], .ndim = 1, .shape = { 2 } };
    const pytree_leaf shape = { .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 4 } };
    const pytree_leaf first[5] = { two, four, shape, shape, complex }, second[5] = { complex, shape, four, shape, complex };
    const pytree one = PYTREE_INT(1), list = PYTREE_LIST(one, one, one, one, one);
    pytree_def *def = pytree_structure(list, NULL, NULL);
    const pytree_flat a = { def, first }, b = { def, second };
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = html_options(&none, &io);
    pytree_error error = { 0 };
    cJSON *page = diff_of(PYTREE(&a), PYTREE(&b), NULL);
    (void)state;
    assert_string_equal(word_of(row_at(page, "[0]"), "m"), "!");
    assert_string_equal(word_of(side_at(page, "[0]", "b"), "y"), "c64");
    assert_string_equal(word_of(row_at(page, "[1]"), "m"), "!");           /* data in one of them */
    assert_null(cJSON_GetObjectItem(row_at(page, "[1]"), "e"));
    assert_string_equal(word_of(row_at(page, "[2]"), "m"), "!");
    assert_string_equal(word_of(row_at(page, "[3]"), "m"), "");
    assert_string_equal(word_of(row_at(page, "[4]"), "m"), "");
    cJSON_Delete(page);
    assert_ok(pytree_save_html_diff("page", PYTREE_LIST(PYTREE_NONE, PYTREE_SCALAR(f), PYTREE_NONE),
                                    PYTREE_LIST(PYTREE_SCALAR(f), PYTREE_NONE, PYTREE_NONE), NULL, &opt, &error), &error);
    page = page_data(&file);
    assert_string_equal(word_of(row_at(page, "[0]"), "m"), "!");
    assert_string_equal(word_of(row_at(page, "[1]"), "m"), "!");
    assert_string_equal(word_of(row_at(page, "[2]"), "m"), "");
    assert_string_equal(word_of(side_at(page, "[2]", "a"), "y"), "None");
    cJSON_Delete(page);
    pytree_def_free(def);
    pytree_memory_free(&file);
}

/* Namedtuples are of one type if their names are; nodes and leaves are not. */
static void nodes_of_other_kinds(void **state)
{
    pytree one = PYTREE_INT(1);
    pytree p = PYTREE_NAMEDTUPLE("P", { "x", one }), q = PYTREE_NAMEDTUPLE("Q", { "x", one });
    cJSON *page = diff_of(PYTREE_LIST(p, p, p, one), PYTREE_LIST(p, q, one, p), NULL);
    (void)state;
    assert_string_equal(word_of(row_at(page, "[0]"), "m"), "");
    assert_string_equal(word_of(row_at(page, "[1]"), "m"), "!");
    assert_string_equal(word_of(side_at(page, "[1]", "b"), "n"), "Q");
    assert_string_equal(word_of(row_at(page, "[2]"), "m"), "!");
    assert_string_equal(word_of(row_at(page, "[3]"), "m"), "!");
    cJSON_Delete(page);
}

/* Structs: other static values mark the node; lists of other lengths have rows of one side. */
static void structs(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(3, false);
    cJSON *page;
    const cJSON *shared;
    (void)state;
    b.layers[0].w[5] += 1;
    b.scale[1][1] = NAN;
    page = diff_of(PYTREE(&a), PYTREE(&b), NULL);
    assert_string_equal(word_of(row_at(page, ""), "m"), "!");              /* n_layers */
    assert_string_equal(word_of(row_at(page, ".layers[0]"), "m"), "");
    assert_string_equal(word_of(row_at(page, ".layers[0].w"), "m"), "!");
    assert_string_equal(word_of(row_at(page, ".layers[0].b"), "m"), "");
    assert_string_equal(word_of(row_at(page, ".layers[2].b"), "m"), "+");
    assert_string_equal(word_of(row_at(page, ".head"), "m"), "!");
    assert_string_equal(word_of(row_at(page, ".head.w"), "m"), "-");
    assert_int_equal((int)number_of(errors_at(page, ".scale"), "not_finite"), 1);
    cJSON_Delete(page);
    page = diff_of(PYTREE(&a), PYTREE(&a), NULL);                          /* with itself: no marks, nothing shared */
    assert_null(cJSON_GetObjectItem(row_at(page, ".layers[0].w"), "b"));
    shared = cJSON_GetObjectItem(cJSON_GetObjectItem(page, "shared"), "a");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(shared, "groups")), 0);
    cJSON_Delete(page);
    mlp_clear(&a);
    mlp_clear(&b);
}

static void deep(void **state)
{
    const int n = under_valgrind() ? 1000 : SANITIZED ? 20000 : 100000;
    Node *a = chain_make((size_t)n), *b = chain_make((size_t)n + 2);
    cJSON *page;
    (void)state;
    b[n - 1].value = 0.5;
    page = diff_of(PYTREE(a), PYTREE(b), NULL);
    assert_int_equal(cJSON_GetArraySize(rows_of(page)), 2 * (n + 2) + 1);
    assert_string_equal(word_of(cJSON_GetArrayItem(rows_of(page), 2 * n - 1), "m"), "!");
    assert_string_equal(word_of(cJSON_GetArrayItem(rows_of(page), 2 * n + 1), "m"), "+");
    cJSON_Delete(page);
    free(a);
    free(b);
}

typedef struct Two {
    pytree a, b;
} Two;

static pytree_status diff_body(void *context, const pytree_options *tree, pytree_error *err)
{
    const Two *two = context;
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = html_options(tree, &io);
    const pytree_status status = pytree_save_html_diff("page", two->a, two->b, NULL, &opt, err);
    assert_true((file.bytes != NULL) == (status == PYTREE_OK));
    pytree_memory_free(&file);
    return status;
}

static void what_fails(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(3, false);
    Two two = { PYTREE_DICT({ "k", PYTREE(&a) }, { "l", PYTREE_LIST(PYTREE_INT(1)) }),
                PYTREE_DICT({ "k", PYTREE(&b) }, { "l", PYTREE_TUPLE(PYTREE_INT(1)) }) };
    Node *chain = chain_make(2);
    const pytree number = PYTREE_INT(1);
    pytree items[100];
    pytree_items many = { .count = COUNT_OF(items), .items = items };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_in_range(sweep_allocations(diff_body, &two), 15, 80);
    for (i = 0; i < COUNT_OF(items); i++) { items[i] = number; }
    two = (Two){ { &pytree_types[PYTREE__T_list], &many }, { &pytree_types[PYTREE__T_list], &many } };
    assert_in_range(sweep_allocations(diff_body, &two), 10, 80);
    chain[1].next = chain;
    assert_error(pytree_save_html_diff("page", PYTREE(&a), PYTREE(chain), NULL, NULL, &error), PYTREE_CYCLE, NULL, &error);
    free(chain);
    mlp_clear(&a);
    mlp_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks), cmocka_unit_test(errors), cmocka_unit_test(other_types_and_shapes), cmocka_unit_test(structs),
        cmocka_unit_test(leaves_of_other_kinds), cmocka_unit_test(nodes_of_other_kinds),
        cmocka_unit_test(deep), cmocka_unit_test(what_fails)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
