/* Arrays to one vector and back, and the element types in which others meet: golden/ravel.jsonl. */
#include "golden.h"
#include "pytree/ravel.h"

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

static const char *const parts[] = { "jax_x32", "jax_x64", "numpy" };

static pytree_ravel_options options_of(const char *part)
{
    pytree_ravel_options opt = { 0 };
    opt.promotion = strcmp(part, "jax_x32") == 0 ? PYTREE_PROMOTE_JAX_X32 : strcmp(part, "jax_x64") == 0 ? PYTREE_PROMOTE_JAX
                                                                                                    : PYTREE_PROMOTE_NUMPY;
    opt.loss = PYTREE_LOSS_ALLOWED;
    return opt;
}

static cJSON *array_json(const char *dtype, cJSON *value)
{
    cJSON *array = golden_object("dtype", cJSON_CreateString(dtype)), *values;
    cJSON_AddItemToObject(array, "shape", cJSON_CreateArray());
    values = cJSON_AddArrayToObject(array, "values");
    cJSON_AddItemToArray(values, value);
    return array;
}

/* Numbers become arrays without dimensions: the packages give those back. */
static cJSON *as_arrays(cJSON *json)
{
    static const char *const numbers[][2] = { { "int", "int64" }, { "float", "float64" }, { "bool", "bool" } };
    cJSON *child;
    size_t i;
    for (i = 0; i < COUNT_OF(numbers); i++) {
        if (cJSON_IsObject(json) && json->child != NULL && strcmp(json->child->string, numbers[i][0]) == 0) {
            cJSON *value = cJSON_DetachItemFromObjectCaseSensitive(json, numbers[i][0]);
            cJSON_AddItemToObject(json, "array", array_json(numbers[i][1], value));
            return json;
        }
    }
    cJSON_ArrayForEach(child, json) { as_arrays(child); }
    return json;
}

/* Where JAX has no types of 64 bits its arrays were of 32 bits before: the leaves as those would hold them. */
static cJSON *narrowed(cJSON *json)
{
    static const char *const wide[][2] = { { "int64", "int32" }, { "uint64", "uint32" }, { "float64", "float32" } };
    cJSON *dtype = cJSON_GetObjectItemCaseSensitive(json, "dtype"), *values = cJSON_GetObjectItemCaseSensitive(json, "values");
    cJSON *child;
    size_t i;
    for (i = 0; i < COUNT_OF(wide); i++) {
        cJSON *narrow, *value;
        if (dtype == NULL || strcmp(dtype->valuestring, wide[i][0]) != 0) { continue; }
        narrow = cJSON_CreateArray();
        cJSON_ArrayForEach(value, values) {
            const char *digits = golden_marked(value);
            uint64_t bits = digits != NULL ? strtoull(digits, NULL, 10) : (uint64_t)golden_int(value);
            cJSON_AddItemToArray(narrow, cJSON_IsString(value) && digits == NULL ? cJSON_Duplicate(value, true)      /* inf */
                                         : i == 0 ? golden_json_int((int32_t)(uint32_t)bits)
                                         : i == 1 ? golden_json_int((uint32_t)bits)
                                         : golden_json_double((float)golden_double(value)));
        }
        cJSON_ReplaceItemInObjectCaseSensitive(json, "values", narrow);
        cJSON_ReplaceItemInObjectCaseSensitive(json, "dtype", cJSON_CreateString(wide[i][1]));
        return json;
    }
    cJSON_ArrayForEach(child, json) { narrowed(child); }
    return json;
}

static cJSON *leaves_json(const char *part, pytree tree)
{
    cJSON *json = as_arrays(golden_json(tree));
    return strcmp(part, "jax_x32") == 0 ? narrowed(json) : json;
}

/* "dtype" and "size" of a vector. */
static void check_shape(Golden *g, const char *part, const cJSON *answer, const pytree_leaf *vector)
{
    golden_check_text(g, golden_name(g, part, "dtype"), golden_word(answer, "dtype"), golden_dtype_name(vector->type));
    golden_check_count(g, golden_name(g, part, "size"), golden_at(answer, "size"), vector->shape[0]);
}

/* ---- Operations ---------------------------------------------------------------------------------------------------- */

static void ravel_part(Golden *g, const char *part, const cJSON *answer)
{
    pytree_ravel_options opt = options_of(part);
    pytree_error error = { 0 };
    pytree_leaf vector = { 0 };
    pytree tree = golden_tree(g, golden_at(g->json, "tree")), back;
    const pytree_status status = pytree_ravel(tree, &vector, &opt, &error);
    cJSON *values, *sorted;
    size_t i;
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, golden_name(g, part, "error"), "types differ", pytree_status_name(status));
        pytree_ravel_free(&vector);
        return;
    }
    if (!golden_check_ok(g, golden_name(g, part, "ravel"), &error)) { return; }
    check_shape(g, part, answer, &vector);
    values = cJSON_CreateArray();
    for (i = 0; i < vector.shape[0]; i++) { cJSON_AddItemToArray(values, golden_json_number(&vector, i)); }
    golden_check_json(g, golden_name(g, part, "values"), golden_at(answer, "values"), values);
    if (golden_get(answer, "back.unspecified") == NULL) {
        back = pytree_unravel_like(&vector, tree, &opt, &error);
        if (golden_check_ok(g, golden_name(g, part, "unravel"), &error)) {
            sorted = golden_sorted(cJSON_Duplicate(golden_at(answer, "back"), true));
            golden_check_json(g, golden_name(g, part, "back"), sorted, golden_sorted(leaves_json(part, back)));
            cJSON_Delete(sorted);
        }
        pytree_free(back);
    }
    pytree_ravel_free(&vector);
}

static void put_dtypes(const cJSON *json, cJSON *to)
{
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(json, "dtype"), *child;
    if (cJSON_IsString(dtype)) { cJSON_AddItemToArray(to, cJSON_CreateString(dtype->valuestring)); return; }
    cJSON_ArrayForEach(child, json) { put_dtypes(child, to); }
}

/* Leaves of one type take a vector of another as it is: in C as views into it. */
static pytree views_of(Golden *g, const pytree_leaf *vector, pytree tree, pytree_def *def, pytree_flat *flat, pytree_error *err)
{
    const size_t n = pytree_def_num_leaves(def);
    pytree_leaf *leaves = golden_alloc(g, n, sizeof *leaves);
    pytree_unravel_views(vector, tree, leaves, n, NULL, NULL, err);
    flat->def = def;
    flat->leaves = leaves;
    return PYTREE(flat);
}

/* Are all leaves of one type, as the package of that part holds them? */
static bool one_type(const char *part, pytree tree)
{
    cJSON *json = leaves_json(part, tree), *all = cJSON_CreateArray(), *leaf;
    bool one = true;
    put_dtypes(json, all);
    cJSON_ArrayForEach(leaf, all) { one = one && strcmp(leaf->valuestring, all->child->valuestring) == 0; }
    one = one && all->child != NULL;
    cJSON_Delete(all);
    cJSON_Delete(json);
    return one;
}

static void unravel_part(Golden *g, const char *part, const cJSON *answer)
{
    pytree_ravel_options opt = options_of(part);
    pytree_error error = { 0 };
    pytree_leaf shape = { 0 };
    pytree tree = golden_tree(g, golden_at(g->json, "tree")), result;
    const pytree_leaf *vector = golden_tree(g, golden_at(g->json, "vector")).data;
    const cJSON *kind = golden_get(answer, "result.error.kind");
    pytree_def *def = pytree_structure(tree, NULL, &error);
    pytree_flat flat;
    bool views;
    pytree_ravel_shape(tree, &shape, &opt, &error);
    if (!golden_check_ok(g, golden_name(g, part, "shape"), &error)) { return; }
    check_shape(g, part, answer, &shape);
    views = one_type(part, tree);      /* all leaves are of one: the packages then take a vector of any */
    result = views ? views_of(g, vector, tree, def, &flat, &error) : pytree_unravel_like(vector, tree, &opt, &error);
    if (kind != NULL) {
        golden_check_text(g, golden_name(g, part, "result"),
                          strcmp(golden_string(kind), "dtype") == 0 ? "types differ" : "shapes differ",
                          pytree_status_name(error.status));
    } else {
        golden_check_json(g, golden_name(g, part, "result"), golden_at(answer, "result"),
                          error.status == PYTREE_OK ? leaves_json(part, result) : cJSON_CreateString(error.message));
    }
    if (!views) { pytree_free(result); }
    pytree_def_free(def);
}

static void promote_part(Golden *g, const char *part, const cJSON *answer)
{
    const cJSON *dtypes = golden_at(g->json, "dtypes"), *dtype;
    pytree_dtype codes[8], got;
    size_t n = 0;
    cJSON_ArrayForEach(dtype, dtypes) { codes[n++] = golden_dtype(golden_string(dtype))->dtype; }
    got = pytree_promote(n, codes, options_of(part).promotion);
    golden_check_text(g, golden_name(g, part, "dtype"),
                      golden_get(answer, "error") != NULL ? "none" : golden_word(answer, "dtype"),
                      got == PYTREE_NO_DTYPE ? "none" : golden_dtype_name(pytree_dtype_type(got)));
}

/* ---- The file ------------------------------------------------------------------------------------------------------ */

static void each_part(Golden *g, void (*check)(Golden *g, const char *part, const cJSON *answer))
{
    size_t i;
    for (i = 0; i < COUNT_OF(parts); i++) { check(g, parts[i], golden_at(g->json, parts[i])); }
}

static void check_ravel(Golden *g) { each_part(g, ravel_part); }
static void check_unravel(Golden *g) { each_part(g, unravel_part); }
static void check_promote(Golden *g) { each_part(g, promote_part); }

static void ravel(void **state)
{
    (void)state;
    golden_run("ravel", "ravel", check_ravel, NULL);
}

static void unravel(void **state)
{
    static const GoldenDecision decisions[] = {
        { "no leaves, some numbers", "numpy", "jax_x32.result jax_x64.result", "ravel-00219", NULL,
          "\"expected a vector of 0 elements, got 1\"", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("ravel", "unravel", check_unravel, decisions);
}

static void promote(void **state)
{
    (void)state;
    golden_run("ravel", "promote", check_promote, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ravel), cmocka_unit_test(unravel), cmocka_unit_test(promote) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
