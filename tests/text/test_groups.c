/* Settings by key path: pytree/groups.h: which pattern decides, leaves without one, use in maps; memory that runs out. */
#include "support.h"

#include "pytree/groups.h"

typedef struct Settings {
    float rate, decay;
} Settings;

static const Settings plain = { 1, 0 }, decayed = { 1, 0.5f }, frozen = { 0, 0 };

static void first_match_wins(void **state)
{
    MLP model = mlp_make(2, true);
    const pytree_group table[] = { { ".head**", &frozen }, { "**.w", &decayed }, { "nothing", &frozen }, { "**", &plain } };
    const uint32_t expected[] = { 1, 3, 1, 3, 0, 0, 3 };
    pytree_error error = { 0 };
    pytree_groups *groups;
    (void)state;
    groups = pytree_groups_new(2, table, PYTREE(&model), NULL, &error);
    assert_null(groups);
    assert_error(error.status, PYTREE_NOT_FOUND, ".layers[0].b", &error);
    assert_non_null(strstr(error.message, "expected one of 2 patterns to match this leaf, got none"));
    memset(&error, 0, sizeof error);
    groups = pytree_groups_new(COUNT_OF(table), table, PYTREE(&model), NULL, &error);
    assert_null(groups);                  /* "nothing" is no pattern */
    assert_int_equal(error.status, PYTREE_SYNTAX);
    memset(&error, 0, sizeof error);
    {
        pytree_group mended[COUNT_OF(table)];
        memcpy(mended, table, sizeof table);
        mended[2].pattern = ".nothing";
        groups = pytree_groups_new(COUNT_OF(mended), mended, PYTREE(&model), NULL, &error);
    }
    assert_ok(error.status, &error);
    assert_non_null(groups);
    assert_int_equal(groups->n_leaves, COUNT_OF(expected));
    assert_int_equal(groups->n_groups, 4);
    assert_memory_equal(groups->of, expected, sizeof expected);
    assert_int_equal(groups->leaves[0], 2);
    assert_int_equal(groups->leaves[2], 0);
    assert_int_equal(groups->elements[1], 4 * 3 + 3 * 2);
    assert_int_equal(groups->elements[3], 3 + 2 + 6);
    pytree_groups_free(groups);
    mlp_clear(&model);
}

/* One step: w -= rate * (g + decay * w), with what the leaf's group says. */
static pytree_status step(void *context, const pytree_iter *at)
{
    const Settings *s = (const Settings *)pytree_group_of(context, at);
    float *w = at->leaf[0]->data;
    const float *g = at->leaf[1]->data;
    size_t i;
    assert_non_null(s);
    for (i = 0; i < pytree_leaf_count(at->leaf[0]); i++) { w[i] -= s->rate * (g[i] + s->decay * w[i]); }
    return PYTREE_OK;
}

static void settings_in_a_map(void **state)
{
    MLP model = mlp_make(1, true), was = mlp_make(1, true);
    Settings scheduled = { 0.5f, 0 };
    const pytree_group table[] = { { ".head**", &frozen }, { "**.w", &decayed }, { "**", &scheduled } };
    pytree trees[2] = { PYTREE(&model), pytree_clone(PYTREE(&model), NULL, NULL) };
    pytree_groups *groups = pytree_groups_new(3, table, PYTREE(&model), NULL, NULL);
    (void)state;
    assert_non_null(groups);
    scheduled.rate = 0.25f;               /* settings may change */
    assert_int_equal(pytree_map(step, groups, NULL, 2, trees, NULL, NULL), PYTREE_OK);
    assert_true(model.layers[0].w[3] == was.layers[0].w[3] * -0.5f);
    assert_true(model.layers[0].b[1] == was.layers[0].b[1] * 0.75f);
    assert_true(model.scale[1][2] == was.scale[1][2] * 0.75f);
    assert_true(model.head->w[0] == was.head->w[0]);
    pytree_groups_free(groups);
    pytree_free(trees[1]);
    mlp_clear(&model);
    mlp_clear(&was);
}

static bool changes_its_mind(void *context, const pytree_leaf *value, const pytree_path *path)
{
    int *calls = context;
    (void)path;
    return value->form == PYTREE_FORM_ITEMS && (*calls)++ == 0;
}

static void what_is_refused(void **state)
{
    const pytree_group bad[] = { { "**", &plain }, { ".a*", &plain } }, none[] = { { NULL, &plain } };
    const pytree_group all[] = { { "**", NULL } };
    int calls = 0;
    const pytree_options unsteady = { .is_leaf = changes_its_mind, .is_leaf_context = &calls };
    Node *chain = chain_make(2);
    pytree_error error = { 0 };
    pytree_groups *groups;
    (void)state;
    assert_null(pytree_groups_new(2, bad, PYTREE_LIST(), NULL, &error));       /* found though no leaf needs it */
    assert_int_equal(error.status, PYTREE_SYNTAX);
    memset(&error, 0, sizeof error);
    assert_null(pytree_groups_new(1, none, PYTREE_LIST(), NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_groups_new(1, NULL, PYTREE_LIST(), NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_groups_new(1, all, PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2))), &unsteady, &error));
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
    memset(&error, 0, sizeof error);
    chain[1].next = chain;
    assert_null(pytree_groups_new(1, all, PYTREE(chain), NULL, &error));
    assert_int_equal(error.status, PYTREE_CYCLE);
    assert_null(pytree_groups_new(0, NULL, PYTREE_INT(1), NULL, NULL));
    groups = pytree_groups_new(0, NULL, PYTREE_LIST(), NULL, NULL);            /* no leaves need no patterns */
    assert_non_null(groups);
    assert_int_equal(groups->n_leaves, 0);
    pytree_groups_free(groups);
    pytree_groups_free(NULL);
    free(chain);
}

static pytree_status groups_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_group table[] = { { "**.value", &plain } };
    pytree_groups *groups = pytree_groups_new(1, table, PYTREE((Node *)context), opt, err);
    const pytree_status status = groups == NULL ? err->status : PYTREE_OK;
    pytree_groups_free(groups);
    return status;
}

/* A predicate that answers otherwise when it is asked again, so that there are more leaves, or fewer. */
typedef struct Fickle { size_t asked, from; } Fickle;

static bool stops_from(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Fickle *fickle = context;
    (void)path;
    return value->form != PYTREE_FORM_LEAF && fickle->asked++ >= fickle->from;
}

static void predicates_that_change_their_mind(void **state)
{
    float x = 1, y = 2;
    const pytree pair = PYTREE_LIST(PYTREE(&x), PYTREE(&y)), t = PYTREE_LIST(pair, pair);
    const pytree_group table[] = { { "**", &plain } };
    size_t from, unstable = 0;
    (void)state;
    for (from = 0; from < 8; from++) {
        Fickle fickle = { 0, from };
        const pytree_options opt = { .is_leaf = stops_from, .is_leaf_context = &fickle };
        pytree_error error = { 0 };
        pytree_groups *groups = pytree_groups_new(1, table, t, &opt, &error);
        if (groups == NULL) {
            assert_int_equal(error.status, PYTREE_ARGUMENT);
            unstable++;
        }
        pytree_groups_free(groups);
    }
    assert_in_range(unstable, 1, 7);
}

static void no_table_and_errors_before(void **state)
{
    static const pytree_group table[] = { { "**", &plain }, { NULL, NULL } };
    pytree_error error = { 0 };
    float x = 1;
    pytree_groups *groups = pytree_groups_new(0, NULL, PYTREE_LIST(PYTREE_NONE), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(groups->n_leaves, 0);
    pytree_groups_free(groups);
#if SIZE_MAX > UINT32_MAX
    assert_null(pytree_groups_new((size_t)UINT32_MAX + 1, table, PYTREE(&x), NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
#endif
    assert_null(pytree_groups_new(2, table, PYTREE(&x), NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_null(pytree_groups_new(1, table, PYTREE_LIST((pytree){ NULL, NULL }), NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);   /* the first error stays */
}

static void allocations(void **state)
{
    Node *chain = chain_make(40);         /* deeper than what stands on the stack */
    (void)state;
    assert_in_range(sweep_allocations(groups_body, chain), 5, 60);
    free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_match_wins), cmocka_unit_test(settings_in_a_map), cmocka_unit_test(what_is_refused),
        cmocka_unit_test(predicates_that_change_their_mind), cmocka_unit_test(no_table_and_errors_before),
        cmocka_unit_test(allocations)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
