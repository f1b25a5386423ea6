/* Literals and memory, and JSON. */
#include "literal_shared.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status parse_all_kinds(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree t = pytree_parse(context, opt, err);
    pytree_status status = t.data == NULL ? err->status : PYTREE_OK;
    pytree_free(t);
    return status;
}

static pytree_status text_of_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    char text[20] = "before";
    if (pytree_literal_text(*(const pytree *)context, text, sizeof text, opt, err) == SIZE_MAX) {
        assert_string_equal(text, "");
        return err->status;
    }
    return PYTREE_OK;
}

static pytree_status print_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    FILE *file = tmpfile();
    pytree_status status;
    assert_non_null(file);
    status = pytree_literal_print(file, *(const pytree *)context, opt, err);
    fclose(file);
    return status;
}

static void test_allocations(void **state)
{
    char *deep = repeated("[", "", "]", 100);
    char *long_text = repeated("['a', 1, {2: 1, 1: 2}, f32([1]), P(b=1, a=2)],", "", "", 60);
    char *list = malloc(strlen(long_text) + 3), *deepest = repeated("[", "", "]", 5000);
    MLP model = mlp_make(1, true);
    pytree_error error = { 0 };
    pytree t = pytree_parse(deep, NULL, &error), structs = PYTREE(&model);
    (void)state;
    assert_non_null(list);
    sprintf(list, "[%s]", long_text);
    assert_in_range(sweep_allocations(parse_all_kinds, (void *)(uintptr_t)all_kinds), 4, 10);
    assert_in_range(sweep_allocations(parse_all_kinds, list), 5, 20);
    assert_int_equal(sweep_allocations(parse_all_kinds, (char[]){ "1" }), 1);         /* the tree itself */
    assert_in_range(sweep_allocations(parse_all_kinds, deepest), 15, 50);             /* a stack that is trimmed */
    assert_true(sweep_allocations(text_of_tree, &t) > 0);
    assert_true(sweep_allocations(text_of_tree, &structs) > 0);
    assert_true(sweep_allocations(print_tree, &t) > 0);
    pytree_free(t);
    mlp_clear(&model);
    free(deep);
    free(long_text);
    free(list);
    free(deepest);
}

/* Arrays are aligned as asked for, numbers as their types need it, and the tree can be freed when the text is gone. */
static void test_alignment(void **state)
{
    static const size_t alignments[] = { 0, 1, 16, 64, 4096 };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(alignments); i++) {
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree t, copy;
        const pytree_items *items;
        size_t wanted = alignments[i] == 0 ? 64 : alignments[i];
        opt.alignment = alignments[i];
        t = pytree_parse("[u8([1]), f32([1]), 'a', f64([]), (1+2j), i8([1, 2, 3]), clongdouble(1j), str(['a', 'b'])]", &opt,
                         &error);
        assert_ok(error.status, &error);
        items = t.data;
        for (k = 0; k < items->count; k++) {
            if (items->items[k].type->kind == PYTREE_KIND_VIEW) {
                assert_int_equal((uintptr_t)((const pytree_leaf *)items->items[k].data)->data % wanted, 0);
            } else {
                assert_int_equal((uintptr_t)items->items[k].data % items->items[k].type->align, 0);
            }
        }
        copy = pytree_clone(t, &opt, &error);
        assert_true(pytree_equal(t, copy, NULL, NULL, &error));
        pytree_free(copy);
        pytree_free(t);
    }
}

/* A parsed tree is as good as any: it can be changed in place, used as axes, rebuilt. */
static void test_is_a_tree(void **state)
{
    pytree_error error = { 0 };
    pytree t = pytree_parse("{'w': f32([1, 2]), 'n': 3}", NULL, &error), u, none;
    pytree_leaf leaves[2];
    size_t n;
    (void)state;
    assert_ok(pytree_leaves(t, leaves, 2, &n, NULL, &error), &error);
    assert_int_equal(n, 2);
    ((float *)leaves[1].data)[1] = 7.5f;
    *(int64_t *)leaves[0].data = -1;
    assert_literal(t, "{'w': f32([1.0, 7.5]), 'n': -1}");
    u = pytree_zeros_like(t, NULL, &error);
    assert_literal(u, "{'w': f32([0.0, 0.0]), 'n': 0}");
    assert_ok(pytree_copy_into(u, t, NULL, &error), &error);
    assert_true(pytree_equal(t, u, NULL, NULL, &error));
    none = pytree_parse("None", NULL, &error);
    assert_non_null(none.data);
    assert_int_equal(pytree_num_leaves(none, NULL, &error), 0);
    pytree_free(none);
    pytree_free(u);
    pytree_free(t);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------------- */

static void assert_same_json(const cJSON *json, pytree t)
{
    const pytree_items *items = t.data;
    const cJSON *child;
    size_t i = 0;
    if (cJSON_IsNull(json)) {
        assert_int_equal(t.type->kind, PYTREE_KIND_NONE);
    } else if (cJSON_IsBool(json)) {
        assert_int_equal(t.type->dtype, PYTREE_BOOL8);
        assert_int_equal(*(const bool *)t.data, cJSON_IsTrue(json));
    } else if (cJSON_IsString(json)) {
        assert_string_equal(*(char **)t.data, json->valuestring);
    } else if (cJSON_IsNumber(json)) {
        double v = t.type->dtype == PYTREE_F64 ? *(const double *)t.data : (double)*(const int64_t *)t.data;
        assert_true(v == json->valuedouble);
    } else {
        assert_int_equal(t.type->kind, cJSON_IsArray(json) ? PYTREE_KIND_LIST : PYTREE_KIND_DICT);
        cJSON_ArrayForEach(child, json) {
            assert_true(i < items->count);
            if (cJSON_IsObject(json)) { assert_string_equal(items->pairs[i].key, child->string); }
            assert_same_json(child, cJSON_IsObject(json) ? items->pairs[i].value : items->items[i]);
            i++;
        }
        assert_int_equal(i, items->count);
    }
}

/* JSON means what another parser says it does; and what cJSON writes is read back. */
static void test_json(void **state)
{
    static const char *const cases[] = {
        "[]", "{}", "null", " [ 1 , -2.5e-3 , true , false , null , \"\\u0041\\ud83d\\ude00\\/\\\"\" ] ",
        "{\"b\": {\"z\": [1, 2, {\"k\": []}], \"a\": \"\xE2\x82\xAC\"}, \"a\": [[[]], {}], \"\": 0}",
        "[0, -0, 1E5, 1e+5, 0.1, 123456789, 1.5e308, 4.9e-324, 0.30000000000000004]",
    };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        cJSON *json = cJSON_Parse(cases[i]);
        char *texts[3];
        assert_non_null(json);
        texts[1] = cJSON_Print(json);
        texts[2] = cJSON_PrintUnformatted(json);
        for (k = 0; k < 3; k++) {
            pytree_error error = { 0 };
            const char *text = k == 0 ? cases[i] : texts[k];
            cJSON *again = cJSON_Parse(text);        /* it writes fewer digits than it reads */
            pytree t = pytree_parse(text, NULL, &error);
            assert_ok(error.status, &error);
            assert_same_json(again, t);
            pytree_free(t);
            cJSON_Delete(again);
        }
        cJSON_free(texts[1]);
        cJSON_free(texts[2]);
        cJSON_Delete(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_is_a_tree),
        cmocka_unit_test(test_json)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
