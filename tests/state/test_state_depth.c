/* Deep chains, for every call of graph.h, filter.h, state.h, object.h, record.h, display.h and optimizer.h that goes through a
 * tree: nothing recurses, and nothing takes time that grows faster than what it returns. Texts that are indented by depth grow
 * with its square; chains are shorter there.
 *
 * All runs on a stack of 512 KB, which 50,000 calls inside each other do not fit into, however little each takes (20,000, where
 * sanitizers add to it). For chains of a million levels, which takes minutes: PYTREE_TEST_LEVELS=1000000. */
#include <pthread.h>
#include "containers/containers_shared.h"
#include "pytree/display.h"
#include "pytree/object.h"
#include "pytree/optimizer.h"
#include "pytree/record.h"

/* A link of a chain: the last one has the value. */
typedef struct Link { int on; float *w; struct Link *next; pytree note; } Link;

#define PYTREE_STRUCT Link
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, on)                                                                                            \
    PYTREE_FIELD(DATA, w, ARRAY(2), OPTIONAL, ROLE(Param))                                                              \
    PYTREE_FIELD(DATA, next, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, note, ROLE(Intermediate))
#include "pytree_registry.h"

PYTREE_CLASS(Node, Module);

enum { LEVELS = 50000, STACK = 512 * 1024 };

static size_t levels(void)
{
    const char *const wanted = getenv("PYTREE_TEST_LEVELS");
    return wanted != NULL ? strtoul(wanted, NULL, 10) : under_valgrind() ? 1000 : SANITIZED || !OPTIMISED ? 10000 : LEVELS;
}

typedef struct Chain {
    Link *links;
    size_t n;
    float w[2];
    pytree t;
    pytree_error error;
} Chain;

static void chain_begin(Chain *c)
{
    size_t i;
    *c = (Chain){ .n = levels(), .w = { 1, 2 } };
    c->links = calloc(c->n, sizeof *c->links);
    assert_non_null(c->links);
    for (i = 0; i < c->n; i++) { c->links[i] = (Link){ 0, NULL, &c->links[i + 1], PYTREE_NONE }; }
    c->links[c->n - 1].next = NULL;
    c->links[c->n - 1].w = c->w;
    c->t = PYTREE(c->links);
}

/* Ends a test: no call has failed. */
static void chain_end(Chain *c)
{
    assert_ok(c->error.status, &c->error);
    free(c->links);
}

/* ---- Lists in lists -------------------------------------------------------------------------------------------------- */

typedef struct Lists { pytree *at; pytree_items *items; pytree t; } Lists;

static void lists_begin(Lists *l, size_t n, pytree last)
{
    size_t i;
    l->at = malloc((n + 1) * sizeof *l->at);
    l->items = calloc(n, sizeof *l->items);
    assert_non_null(l->at);
    assert_non_null(l->items);
    l->at[0] = last;
    for (i = 0; i < n; i++) {
        l->items[i].count = 1;
        l->items[i].items = &l->at[i];
        l->at[i + 1] = (pytree){ &pytree_types[PYTREE__T_list], &l->items[i] };
    }
    l->t = l->at[n];
}

static void lists_end(Lists *l)
{
    free(l->at);
    free(l->items);
}

/* ---- graph.h --------------------------------------------------------------------------------------------------------- */

static pytree_status count_places(void *context, const pytree_place *at)
{
    assert_non_null(at->view);
    ++*(size_t *)context;
    return PYTREE_OK;
}

static void graphs(void **state)
{
    Chain c;
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL, *again;
    pytree_duplicates *d;
    pytree copy;
    size_t n = 0;
    (void)state;
    chain_begin(&c);
    assert_ok(pytree_graph_flatten(c.t, &leaves, 0, &def, NULL, &c.error), &c.error);
    assert_int_equal(def->n_leaves, 1);
    again = pytree_graphdef(c.t, NULL, &c.error);
    assert_true(pytree_def_equal(def, again));
    pytree_def_free(def);
    pytree_def_free(again);
    copy = pytree_graph_clone(c.t, NULL, &c.error);
    assert_true(pytree_equal(copy, c.t, NULL, NULL, &c.error));
    pytree_free(copy);
    assert_ok(pytree_graph_walk(c.t, count_places, &n, NULL, &c.error), &c.error);
    assert_int_equal(n, c.n + 1);
    d = pytree_graph_duplicates(c.t, PYTREE_EVERYTHING, NULL, &c.error);
    assert_int_equal(d->n_groups, 0);
    pytree_duplicates_free(d);
    c.links[c.n - 1].next = c.links;      /* a cycle */
    def = pytree_graphdef(c.t, NULL, &c.error);
    assert_true(def->shares);
    pytree_def_free(def);
    chain_end(&c);
}

/* ---- filter.h -------------------------------------------------------------------------------------------------------- */

static pytree_status note_role(void *context, const pytree_iter *at)
{
    *(const pytree_type **)context = pytree_iter_role(at);
    return PYTREE_OK;
}

/* Filters in filters: Any(Not(Any(… OfType(Param) …)), Nothing()), so that each Any has a part behind the deep one. */
static void filters(void **state)
{
    const size_t n = levels();
    pytree_filter *of = calloc(2 * n + 2, sizeof *of);
    char *text = malloc(30 * n);
    const pytree_place place = { .role = &pytree_role_Param };
    Chain c;
    pytree_flat parts[2];
    size_t i;
    (void)state;
    assert_non_null(of);
    assert_non_null(text);
    of[2 * n] = PYTREE_OF(Param);
    for (i = n; i-- != 0; ) {
        const bool any = i % 2 == 0;
        of[2 * i].kind = any ? PYTREE_FILTER_ANY : PYTREE_FILTER_NOT;
        of[2 * i].n = any ? 2 : 1;
        of[2 * i].of = &of[2 * i + 2];
    }
    chain_begin(&c);
    assert_int_equal(pytree_filter_match(&of[0], &place, &c.error), n / 2 % 2 == 0);
    i = pytree_filter_text(&of[0], text, 30 * n);
    assert_true(i > 4 * n && i < 30 * n);
    assert_memory_equal(text, "Any(Not(Any(", 12);
    assert_ok(pytree_split(c.t, PYTREE_FILTERS(of[0], PYTREE_REST), NULL, parts, NULL, &c.error), &c.error);
    assert_int_equal(parts[n / 2 % 2].def->n_leaves, 1);
    pytree_flat_free(&parts[0]);
    pytree_flat_free(&parts[1]);
    chain_end(&c);
    free(text);
    free(of);
}

static void roles(void **state)
{
    const size_t n = levels();
    pytree_type *bases = malloc(n * sizeof *bases);
    const pytree_type *role = NULL;
    Chain c;
    size_t i;
    (void)state;
    assert_non_null(bases);
    for (i = 0; i < n; i++) {
        memcpy(&bases[i], &pytree_role_Variable, sizeof *bases);
        bases[i].name = "derived";
        bases[i].base = i + 1 < n ? &bases[i + 1] : &pytree_role_Param;
    }
    assert_true(pytree_role_is(bases, &pytree_role_Param));
    assert_false(pytree_role_is(bases, &pytree_role_Cache));
    assert_string_equal(pytree_role_collection(bases), "params");
    chain_begin(&c);
    assert_ok(pytree_map(note_role, &role, NULL, 1, &c.t, NULL, &c.error), &c.error);
    assert_ptr_equal(role, &pytree_role_Param);
    chain_end(&c);
    free(bases);
}

/* ---- state.h --------------------------------------------------------------------------------------------------------- */

static void states_taken_and_put_back(void **state)
{
    Chain c;
    pytree_def *graphdef = NULL;
    pytree_flat parts[2], one, pure, zeros;
    pytree model, both[2];
    (void)state;
    chain_begin(&c);
    assert_ok(pytree_split(c.t, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &graphdef, parts, NULL, &c.error), &c.error);
    both[0] = PYTREE(&parts[0]);
    both[1] = PYTREE(&parts[1]);
    model = pytree_merge(graphdef, 2, both, NULL, &c.error);
    assert_true(pytree_equal(model, c.t, NULL, NULL, &c.error));
    pytree_free(model);
    pytree_def_free(graphdef);
    one = pytree_state(c.t, PYTREE_EVERYTHING, NULL, &c.error);
    pure = pytree_pure(PYTREE(&one), NULL, &c.error);
    assert_int_equal(pure.def->n_nodes + 1, one.def->n_nodes);
    zeros = pytree_state_zeros_like(PYTREE(&pure), NULL, &c.error);
    both[0] = PYTREE(&zeros);
    assert_ok(pytree_update(c.t, 1, both, NULL, &c.error), &c.error);
    assert_true(c.w[1] == 0);
    pytree_flat_free(&zeros);
    pytree_flat_free(&parts[1]);
    assert_ok(pytree_states(c.t, PYTREE_FILTERS(PYTREE_OF(Cache)), &parts[1], NULL, &c.error), &c.error);
    assert_int_equal(parts[1].def->n_leaves, 0);
    pytree_flat_free(&parts[0]);
    pytree_flat_free(&parts[1]);
    pytree_flat_free(&one);
    pytree_flat_free(&pure);
    chain_end(&c);
}

static void states_of_states(void **state)
{
    Chain c;
    pytree_flat one, made, axes;
    pytree both[2], values[1] = { PYTREE_INT(0) };
    pytree_place_list *list;
    size_t found = 0;
    (void)state;
    chain_begin(&c);
    one = pytree_state(c.t, PYTREE_EVERYTHING, NULL, &c.error);
    both[0] = both[1] = PYTREE(&one);
    made = pytree_state_zeros_like(both[0], NULL, &c.error);
    assert_true(pytree_def_equal(made.def, one.def) && ((float *)made.leaves[0].data)[1] == 0);
    pytree_flat_free(&made);
    made = pytree_state_merge(2, both, NULL, &c.error);
    assert_true(pytree_def_equal(made.def, one.def));
    pytree_flat_free(&made);
    made = pytree_state_minus(both[0], both[1], NULL, &c.error);
    assert_int_equal(made.def->n_leaves, 0);
    pytree_flat_free(&made);
    list = pytree_places(c.t, PYTREE_EVERYTHING, NULL, &c.error);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->places[0].path.n, c.n);
    made = pytree_of_places(list->n, list->places, NULL, &c.error);
    assert_true(pytree_def_equal(made.def, one.def));
    pytree_flat_free(&made);
    pytree_places_free(list);
    axes = pytree_prefix(c.t, PYTREE_FILTERS(PYTREE_REST), values, "chain", NULL, &c.error);
    assert_int_equal(axes.def->n_leaves, 2 * c.n + 1);         /* None is a leaf there */
    pytree_flat_free(&axes);
    assert_ok(pytree_set_attributes(c.t, PYTREE_EVERYTHING, "on", PYTREE_INT(1), &found, NULL, &c.error), &c.error);
    assert_true(found == c.n && c.links[c.n - 1].on == 1);
    pytree_flat_free(&one);
    chain_end(&c);
}

/* ---- object.h -------------------------------------------------------------------------------------------------------- */

static void values_of_objects(void **state)
{
    pytree_error error = { 0 }, where = { 0 };
    float x = 1;
    Lists lists, data;
    pytree object = pytree_new_object(&pytree_class_Node, NULL, &error), v, got;
    pytree_attribute at;
    (void)state;
    lists_begin(&lists, levels(), PYTREE_INT(5));
    lists_begin(&data, levels(), PYTREE_SCALAR(&x));
    assert_false(pytree_has_data(lists.t, &where));
    assert_true(pytree_has_data(data.t, &where));
    assert_false(pytree_is_data(data.t));
    pytree_object_put(object, "a", lists.t, &error);
    pytree_object_put_copy(object, "b", lists.t, &error);
    pytree_object_put_own(object, "c", pytree_clone(lists.t, NULL, &error), &error);
    pytree_object_put_copy(object, "d", PYTREE_AS_DATA(data.t), &error);
    assert_true(pytree_equal(pytree_object_get(object, "b", &error), lists.t, NULL, NULL, &error));
    assert_ok(pytree_object_attribute(object, 3, &at, &error), &error);
    assert_true(at.is_data && pytree_object_length(object) == 4);
    assert_error(pytree_object_put(object, "e", PYTREE_AS_STATIC(data.t), &where), PYTREE_STATIC, NULL, &where);
    assert_ok(pytree_check(object, NULL, NULL, NULL, &error), &error);
    v = pytree_new_variable(&pytree_role_Cache, data.t, NULL, &error);
    assert_ok(pytree_variable_set(v, lists.t, &error), &error);
    assert_true(pytree_equal(pytree_variable_value(v), lists.t, NULL, NULL, &error));
    assert_ok(pytree_variable_put_metadata(v, "deep", lists.t, &error), &error);
    got = pytree_variable_metadata(v, "deep", NULL, &error);
    assert_int_equal(pytree_num_leaves(got, NULL, &error), 1);
    pytree_free(got);
    assert_ok(pytree_variable_remove_metadata(v, "deep", &error), &error);
    assert_ok(pytree_object_remove(object, "b", &error), &error);
    assert_ok(error.status, &error);
    pytree_container_free(v);
    pytree_container_free(object);
    lists_end(&lists);
    lists_end(&data);
}

static void seals(void **state)
{
    Chain c;
    pytree_seal *seal;
    pytree_error changed = { 0 };
    (void)state;
    chain_begin(&c);
    seal = pytree_seal_new(c.t, NULL, &c.error);
    assert_ok(pytree_seal_check(seal, c.t, NULL, &c.error), &c.error);
    c.w[1] = 7;
    assert_error(pytree_seal_check(seal, c.t, NULL, &changed), PYTREE_FROZEN, NULL, &changed);
    pytree_seal_free(seal);
    chain_end(&c);
}

/* ---- record.h -------------------------------------------------------------------------------------------------------- */

static pytree_status sow_last(void *context, pytree t, pytree_error *err)
{
    const Chain *c = context;
    (void)t;
    return pytree_sow(PYTREE(&c->links[c->n - 1]), &pytree_role_Intermediate, "note", PYTREE_INT(1), NULL, err);
}

static void recorded_in_structs(void **state)
{
    Chain c;
    Lists lists;
    pytree taken, nothing = { NULL, NULL }, change;
    pytree_flat one, zeros;
    (void)state;
    chain_begin(&c);
    lists_begin(&lists, c.n, PYTREE_INT(5));
    assert_ok(pytree_sow(PYTREE(c.links), &pytree_role_Intermediate, "note", lists.t, NULL, &c.error), &c.error);
    assert_ok(sow_last(&c, c.t, &c.error), &c.error);
    assert_ok(pytree_pop(c.t, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &c.error), &c.error);
    assert_int_equal(pytree_num_leaves(taken, NULL, &c.error), 2);
    pytree_container_free(taken);
    one = pytree_state(c.t, PYTREE_EVERYTHING, NULL, &c.error);
    zeros = pytree_state_zeros_like(PYTREE(&one), NULL, &c.error);
    change = PYTREE(&zeros);
    assert_ok(pytree_object_update(c.t, 1, &change, NULL, &c.error), &c.error);
    assert_true(c.w[1] == 0);
    pytree_flat_free(&zeros);
    assert_ok(pytree_capture(c.t, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, sow_last, &c, &taken, NULL, &c.error),
              &c.error);
    assert_int_equal(pytree_num_leaves(taken, NULL, &c.error), 1);
    pytree_container_free(taken);
    pytree_flat_free(&one);
    lists_end(&lists);
    chain_end(&c);
}

static void recorded_in_objects(void **state)
{
    const size_t n = levels();
    pytree_error error = { 0 };
    pytree first = pytree_new_object(&pytree_class_Node, NULL, &error), top = first, taken, change;
    pytree_flat one, zeros;
    float w[2] = { 1, 2 };
    pytree_leaf x = { .data = w, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
    size_t found = 0;
    (void)state;
    assert_ok(pytree_perturb(first, "shift", &x, &error), &error);
    pytree_object_put_copy(first, "on", PYTREE_INT(0), &error);
    for (size_t i = 0; i < n; i++) {
        pytree next = pytree_new_object(&pytree_class_Node, NULL, &error);
        pytree_object_put_own(next, "next", top, &error);
        top = next;
    }
    one = pytree_state(top, PYTREE_OF(Perturbation), NULL, &error);
    zeros = pytree_state_zeros_like(PYTREE(&one), NULL, &error);
    change = PYTREE(&zeros);
    assert_ok(pytree_object_update(top, 1, &change, NULL, &error), &error);
    ((float *)zeros.leaves[0].data)[1] = 5;
    assert_ok(pytree_update(top, 1, &change, NULL, &error), &error);
    assert_ok(pytree_object_set_attributes(top, PYTREE_EVERYTHING, "on", PYTREE_INT(1), &found, NULL, &error), &error);
    assert_int_equal(found, 1);
    assert_ok(pytree_set_metadata(top, PYTREE_OF(Perturbation), "tag", PYTREE_STR("deep"), &found, NULL, &error), &error);
    assert_int_equal(found, 1);
    assert_ok(pytree_pop(top, PYTREE_FILTERS(PYTREE_OF(Perturbation)), &taken, NULL, &error), &error);
    pytree_flat_free(&one);
    one = pytree_state(taken, PYTREE_EVERYTHING, NULL, &error);
    assert_true(((const float *)one.leaves[0].data)[1] == 5);
    assert_ok(error.status, &error);
    pytree_flat_free(&one);
    pytree_flat_free(&zeros);
    pytree_container_free(taken);
    pytree_container_free(top);
}

/* ---- display.h ------------------------------------------------------------------------------------------------------- */

static void texts(void **state)
{
    const size_t n = levels();
    pytree_error error = { 0 };
    Lists lists;
    char *text = malloc(2 * n + 2);
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(text);
    assert_non_null(file);
    lists_begin(&lists, n, PYTREE_INT(5));
    assert_int_equal(pytree_display_text(lists.t, text, 2 * n + 2, NULL, &error), 2 * n + 1);
    assert_true(text[n - 1] == '[' && text[n] == '5' && text[n + 1] == ']');
    assert_int_equal(pytree_state_text(lists.t, text, 2 * n + 2, NULL, &error), 2 * n + 1);
    assert_ok(pytree_display(file, lists.t, NULL, &error), &error);
    assert_ok(pytree_state_print(file, lists.t, NULL, &error), &error);
    assert_int_equal(ftell(file), 2 * (2 * n + 2));            /* each with the end of its line */
    fclose(file);
    free(text);
    lists_end(&lists);
}

/* What is indented by its depth has a text that grows with the square of it. */
static void texts_with_indents(void **state)
{
    enum { DEPTH = 900 };
    Chain c;
    pytree_flat one;
    pytree_table *table;
    Lists lists;
    size_t n;
    (void)state;
    chain_begin(&c);
    c.links[DEPTH - 1].next = NULL;
    c.links[DEPTH - 1].w = c.w;
    n = pytree_display_text(c.t, NULL, 0, NULL, &c.error);
    assert_in_range(n, (size_t)DEPTH * DEPTH, (size_t)20 * DEPTH * DEPTH);
    one = pytree_state(c.t, PYTREE_EVERYTHING, NULL, &c.error);
    n = pytree_state_text(PYTREE(&one), NULL, 0, NULL, &c.error);
    assert_in_range(n, (size_t)DEPTH * DEPTH, (size_t)20 * DEPTH * DEPTH);
    lists_begin(&lists, DEPTH / 2, PYTREE_INT(5));
    table = pytree_table_new(NULL, &c.error);
    assert_ok(pytree_table_call(table, PYTREE(&c.links[DEPTH - 1]), lists.t, lists.t, &c.error), &c.error);
    n = pytree_tabulate_text(c.t, table, 0, NULL, 0, NULL, &c.error);
    assert_in_range(n, DEPTH, SIZE_MAX - 1);
    pytree_table_free(table);
    pytree_flat_free(&one);
    lists_end(&lists);
    chain_end(&c);
}

/* A table is as wide as its widest path. */
static void tables(void **state)
{
    Chain c;
    pytree_table *table;
    (void)state;
    chain_begin(&c);
    table = pytree_table_new(NULL, &c.error);
    assert_ok(pytree_table_call(table, PYTREE(&c.links[c.n - 1]), PYTREE_TUPLE(), PYTREE_TUPLE(), &c.error), &c.error);
    assert_in_range(pytree_tabulate_text(c.t, table, 0, NULL, 0, NULL, &c.error), c.n, SIZE_MAX - 1);
    pytree_table_free(table);
    chain_end(&c);
}

/* ---- optimizer.h ----------------------------------------------------------------------------------------------------- */

static void optimizers(void **state)
{
    Chain c;
    pytree_flat grads;
    pytree_optimizer *o;
    (void)state;
    chain_begin(&c);
    o = pytree_optimizer_new(c.t, PYTREE_ADAM(.rate = 1), PYTREE_OF(Param), NULL, &c.error);
    assert_non_null(o);
    grads = pytree_state_zeros_like(PYTREE(&o->params), NULL, &c.error);
    ((float *)grads.leaves[0].data)[0] = 1;
    assert_ok(pytree_optimizer_update(o, PYTREE(&grads), &c.error), &c.error);
    assert_true(c.w[0] < 1e-6f && c.w[1] == 2);
    assert_ok(pytree_optimizer_update(o, c.t, &c.error), &c.error);            /* found by their paths: itself */
    pytree_optimizer_free(o);
    pytree_flat_free(&grads);
    chain_end(&c);
}

static void *run(void *failed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs), cmocka_unit_test(filters), cmocka_unit_test(roles),
        cmocka_unit_test(states_taken_and_put_back), cmocka_unit_test(states_of_states), cmocka_unit_test(values_of_objects),
        cmocka_unit_test(seals), cmocka_unit_test(recorded_in_structs), cmocka_unit_test(recorded_in_objects),
        cmocka_unit_test(texts), cmocka_unit_test(texts_with_indents), cmocka_unit_test(tables), cmocka_unit_test(optimizers),
    };
    *(int *)failed = cmocka_run_group_tests(tests, NULL, NULL);
    return NULL;
}

int main(void)
{
    pthread_attr_t small;
    pthread_t thread;
    int failed = 1;
    if (pthread_attr_init(&small) != 0 || pthread_attr_setstacksize(&small, STACK) != 0) { return 1; }
    if (pthread_create(&thread, &small, run, &failed) != 0 || pthread_join(thread, NULL) != 0) { return 1; }
    pthread_attr_destroy(&small);
    return failed;
}
