/* States of Flax NNX updated, joined, made flat and pure: golden/seeds/nnx.jsonl. */
#include "nnx_checks.h"

static void update_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree t = input(g, "m"), states[2];
    size_t n = 0;
    /* values of other shapes, new names, static attributes, metadata, the length of lists: arrays are copied into arrays */
    static const char *const others[] = { "001", "002", "003", "004", "005", "007", "008", "009", "010", "012", "013" };
    for (n = 0; n < COUNT_OF(others); n++) {
        if (strcmp(g->id + strlen("nnx.update."), others[n]) == 0) { golden_no_counterpart(g); return; }
    }
    n = 0;
    if (id_is(g, "nnx.update.015")) {
        pytree_flat state = whole(g, t);
        scale(g, PYTREE(&state), 2, 0);
        check_output(g, "m", t);
        pytree_flat_free(&state);
        return;
    }
    if (golden_get(g->json, "inputs.new") != NULL) { states[n++] = input(g, "new"); }
    if (golden_get(g->json, "inputs.one") != NULL) { states[n++] = input(g, "one"); states[n++] = input(g, "two"); }
    (void)pytree_update(t, n, states, NULL, &error);
    if (golden_get(g->json, "error") != NULL) { golden_check_bool(g, "error", true, error.status == PYTREE_STRUCTURE); return; }
    if (golden_check_ok(g, "update", &error)) { check_output(g, "m", t); }
}

static void state_case(Golden *g)
{
    pytree t = input(g, "m");
    pytree_error error = { 0 };
    pytree_flat all = whole(g, t), states[4] = { { NULL, NULL } };
    pytree_filter of[4], param = PYTREE_OF(Param);
    size_t i;
    if (id_is(g, "nnx.state.001")) {
        (void)pytree_states(t, filters_in(g, "nnx.state(", of), of, states, NULL, &error);
        check_output(g, "s1", PYTREE(&states[0]));
        check_output(g, "s2", PYTREE(&states[1]));
    } else if (id_is(g, "nnx.state.002")) {
        states[0] = pytree_state(t, (pytree_filter){ .kind = PYTREE_FILTER_NOT, .n = 1, .of = &param }, NULL, &error);
        check_output(g, "s1", PYTREE(&states[0]));
    } else if (id_is(g, "nnx.state.004") || id_is(g, "nnx.state.007")) {
        check_paths(g, id_is(g, "nnx.state.007") ? "paths" : "none", t);
        check_leaves(g, "leaves", PYTREE(&all));
        check_leaves(g, "values", PYTREE(&all));
    } else {                              /* variables that are objects; a part of a model, which is any tree; keys() */
        golden_no_counterpart(g);
    }
    golden_check_ok(g, "state", &error);
    pytree_flat_free(&all);
    for (i = 0; i < COUNT_OF(states); i++) { pytree_flat_free(&states[i]); }
}

static void stateop_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree_flat one = { NULL, NULL }, two = one, states[3] = { { NULL, NULL } };
    pytree_filter of[4];
    pytree s[2], t;
    size_t i, n;
    if (id_is(g, "nnx.stateop.003")) { golden_no_counterpart(g); return; }     /* numbers of Python as leaves */
    if (golden_get(g->json, "inputs.s1") != NULL) {
        s[0] = input(g, "s1");
        s[1] = input(g, "s2");
        if (output(g, "ab") != NULL) {
            one = pytree_state_merge(2, s, NULL, &error);
            two = pytree_state_merge(2, (pytree[2]){ s[1], s[0] }, NULL, &error);
            check_output(g, "ab", PYTREE(&one));
            check_output(g, "or_", PYTREE(&one));
            check_output(g, "ba", PYTREE(&two));
        } else if (output(g, "rest") != NULL) {
            one = pytree_state_minus(s[0], s[1], NULL, &error);
            check_output(g, "rest", PYTREE(&one));
        } else if (golden_get(g->json, "error") != NULL) {
            one = pytree_state_merge(2, s, NULL, &error);
            golden_check_bool(g, "error", true, error.status == PYTREE_STRUCTURE);
            return;
        } else {
            pytree_def *d1 = pytree_structure(s[0], NULL, &error), *d2 = pytree_structure(s[1], NULL, &error);
            pytree_def *d3 = pytree_structure(input(g, "s3"), NULL, &error);
            const cJSON *equal = golden_get(output(g, "equal"), "list")->child;
            golden_check_bool(g, "d1 == d2", cJSON_IsTrue(equal) != 0, pytree_def_equal(d1, d2));
            golden_check_bool(g, "d1 == d3", cJSON_IsTrue(equal->next) != 0, pytree_def_equal(d1, d3));
            pytree_def_free(d1);
            pytree_def_free(d2);
            pytree_def_free(d3);
        }
    } else if (strstr(golden_word(g->json, "run"), "nnx.split_state") != NULL || id_is(g, "nnx.stateop.005")) {
        const bool all = !id_is(g, "nnx.stateop.005");
        t = input(g, "m");
        one = whole(g, t);
        n = filters_in(g, all ? "split_state(" : "filter_state(", of);
        (void)(all ? pytree_split(PYTREE(&one), n, of, NULL, states, NULL, &error)
                   : pytree_states(PYTREE(&one), n, of, states, NULL, &error));
        if (golden_get(g->json, "error") != NULL) {
            golden_check_bool(g, "error", true, error.status == PYTREE_FILTER);
            pytree_flat_free(&one);
            return;
        }
        check_output(g, "p", PYTREE(&states[0]));
        check_output(g, "b", PYTREE(&states[1]));
        check_output(g, "one", PYTREE(&states[1]));
        if (n == 3) {
            check_output(g, "r", PYTREE(&states[2]));
            two = pytree_state_merge(3, (pytree[3]){ PYTREE(&states[2]), PYTREE(&states[0]), PYTREE(&states[1]) }, NULL,
                                     &error);
            check_output(g, "whole", PYTREE(&two));
            golden_check_bool(g, "same", true, pytree_def_equal(one.def, two.def));
        }
    } else {
        golden_no_counterpart(g);
    }
    golden_check_ok(g, "state", &error);
    pytree_flat_free(&one);
    pytree_flat_free(&two);
    for (i = 0; i < COUNT_OF(states); i++) { pytree_flat_free(&states[i]); }
}

static void flat_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree_flat all, states[2] = { { NULL, NULL } }, joined;
    pytree_place_list *list;
    pytree t;
    if (golden_get(g->json, "inputs.m") == NULL || id_is(g, "nnx.flat.002")) {                 /* numbers of Python; slices */
        golden_no_counterpart(g);
        return;
    }
    t = input(g, "m");
    all = whole(g, t);
    check_paths(g, "paths", t);
    check_leaves(g, "leaves", PYTREE(&all));
    list = pytree_places(t, PYTREE_EVERYTHING, NULL, &error);
    joined = pytree_of_places(list->n, list->places, NULL, &error);
    check_output(g, "back", PYTREE(&joined));
    golden_check_bool(g, "there and back", true, pytree_def_equal(joined.def, all.def));
    pytree_flat_free(&joined);
    pytree_places_free(list);
    if (golden_get(g->json, "error") != NULL) {
        (void)pytree_split(PYTREE(&all), PYTREE_FILTERS(PYTREE_OF(BatchStat)), NULL, states, NULL, &error);
        golden_check_bool(g, "error", true, error.status == PYTREE_FILTER);
        error = (pytree_error){ 0 };
    }
    if (output(g, "p") != NULL) {
        (void)pytree_split(PYTREE(&all), PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), NULL, states, NULL, &error);
        check_flat_state(g, "p", PYTREE(&states[0]));
        check_flat_state(g, "rest", PYTREE(&states[1]));
        joined = pytree_state_merge(2, (pytree[2]){ PYTREE(&states[1]), PYTREE(&states[0]) }, NULL, &error);
        check_flat_state(g, "whole", PYTREE(&joined));
        pytree_flat_free(&joined);
        joined = pytree_state(PYTREE(&all), PYTREE_OF(BatchStat), NULL, &error);
        check_flat_state(g, "only", PYTREE(&joined));
        pytree_flat_free(&joined);
    }
    if (output(g, "neg") != NULL) {
        scale(g, PYTREE(&all), -1, 0);
        check_flat_state(g, "neg", PYTREE(&all));
    }
    golden_check_ok(g, "flat", &error);
    pytree_flat_free(&all);
    pytree_flat_free(&states[0]);
    pytree_flat_free(&states[1]);
}

/* Names that are numbers become indices: a format that has only text for keys has lost the difference. */
static pytree_flat with_indices(Golden *g, pytree t)
{
    pytree_error error = { 0 };
    pytree_place_list *list = pytree_places(t, PYTREE_EVERYTHING, NULL, &error);
    pytree_place *places = golden_alloc(g, list->n + 1, sizeof *places);
    pytree_flat made;
    size_t i, k;
    for (i = 0; i < list->n; i++) {
        pytree_entry *entries = golden_alloc(g, list->places[i].path.n + 1, sizeof *entries);
        places[i] = list->places[i];
        for (k = 0; k < places[i].path.n; k++) {
            const char *name = places[i].path.entries[k].name;
            char *end = NULL;
            const unsigned long number = name == NULL ? 0 : strtoul(name, &end, 10);
            entries[k] = places[i].path.entries[k];
            if (end != NULL && end != name && *end == '\0') {
                entries[k] = (pytree_entry){ .kind = PYTREE_INDEX, .index = (pytree_key_index)number };
            }
        }
        places[i].path.entries = entries;
    }
    made = pytree_of_places(list->n, places, NULL, &error);
    golden_check_ok(g, "indices", &error);
    pytree_places_free(list);
    return made;
}

static void pure_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree t, change;
    pytree_flat pure = { NULL, NULL }, state;
    if (golden_get(g->json, "inputs.m") == NULL || id_is(g, "nnx.pure.002")) {
        golden_no_counterpart(g);
        return;
    }
    t = input(g, "m");
    state = whole(g, t);
    if (golden_get(g->json, "inputs.pure") != NULL) {
        change = input(g, "pure");
        if (output(g, "fixed") != NULL) {
            pure = with_indices(g, change);                    /* the update needs no such help */
            check_output(g, "fixed", PYTREE(&pure));
        }
        (void)pytree_update(PYTREE(&state), 1, &change, NULL, &error);
        if (golden_get(g->json, "error") != NULL) {
            golden_check_bool(g, "error", true, error.status == PYTREE_NOT_FOUND);
            error = (pytree_error){ 0 };
        }
        check_output(g, "state", PYTREE(&state));
    } else {
        pure = pytree_pure(PYTREE(&state), NULL, &error);
        check_output(g, "pure", PYTREE(&pure));
    }
    golden_check_ok(g, "pure", &error);
    pytree_flat_free(&pure);
    pytree_flat_free(&state);
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

/* Each group, how many of its cases are asked, and how many are not: docs/semantics.md says why. */
#define GROUP(name, asked, without)                                                                                     \
    static void name##_cases(void **state)                                                                              \
    {                                                                                                                   \
        (void)state;                                                                                                    \
        golden_run_exactly("seeds/nnx", "\"group\": \"" #name "\"", name##_case, asked, without);                       \
    }
GROUP(update, 4, 11)
GROUP(state, 4, 3)
GROUP(stateop, 6, 5)
GROUP(flat, 4, 5)
GROUP(pure, 5, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update_cases), cmocka_unit_test(state_cases), cmocka_unit_test(stateop_cases),
        cmocka_unit_test(flat_cases),   cmocka_unit_test(pure_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
