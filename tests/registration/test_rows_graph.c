/* Every row in a graph: a struct beside a copy of its bytes, whose pointers lead to the same. */
#include "rows_shared.h"
#include "rows_every.h"
#include "pytree/graph.h"

static bool has_tail(const pytree_type *type)
{
    return type->n_fields != 0 && type->fields[type->n_fields - 1].place == PYTREE_FLEXIBLE;
}

static pytree_status clones_a_graph(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree graph = *(const pytree *)context;
    const pytree made = pytree_graph_clone(graph, opt, error);
    pytree_def *def, *again;
    if (made.data == NULL) { return error->status; }
    def = pytree_graphdef(graph, opt, error);
    again = def == NULL ? NULL : pytree_graphdef(made, opt, error);
    if (again != NULL) {
        assert_true(pytree_def_equal(def, again));
        assert_true(pytree_equal(graph, made, NULL, NULL, NULL));
    }
    pytree_def_free(again);
    pytree_def_free(def);
    pytree_free(made);
    return error->status;
}

static void every_row_shares_what_it_leads_to(void **state)
{
    size_t tree, shared = 0;
    (void)state;
    for (tree = 0; tree < EVERY_TREES; tree++) {
        const char *name;
        const pytree t = every_tree(tree, &name);
        pytree twin = t, graph;
        pytree_error error = { 0 };
        pytree_def *def;
        size_t i;
        if (!has_tail(t.type)) {          /* else it is the struct itself that is shared */
            twin.data = malloc(t.type->size);
            assert_non_null(twin.data);
            memcpy(twin.data, t.data, t.type->size);
        }
        graph = PYTREE_LIST(t, twin, t);
        def = pytree_graphdef(graph, NULL, &error);
        assert_ok(error.status, &error);
        for (i = 0; i < def->n_nodes; i++) { shared += def->nodes[i].type == &pytree_same; }
        pytree_def_free(def);
        sweep_allocations(clones_a_graph, &graph);
        assert_int_equal(every_handles, 0);
        if (twin.data != t.data) { free(twin.data); }
    }
    assert_in_range(shared, EVERY_TREES + 10, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_shares_what_it_leads_to)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
