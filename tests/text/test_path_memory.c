/* Key paths in deep and wide trees, and memory that runs out. */
#include "path_shared.h"

/* ---- Depth and width --------------------------------------------------------------------------------------------------- */

static void a_million_entries(void **state)
{
    const size_t n = under_valgrind() ? 20000 : SANITIZED ? 200000 : 1000000;
    pytree_entry *entries = malloc(n * sizeof(*entries));
    pytree_path path = { n, entries }, shorter = { n - 1, entries }, *back, *joined;
    pytree_error error = { 0 };
    char *text;
    size_t i;
    (void)state;
    assert_non_null(entries);
    for (i = 0; i < n; i++) { entries[i] = i % 3 == 0 ? attribute("next") : i % 3 == 1 ? at_index(i) : key("k\n"); }
    text = text_of(&path, NULL);
    back = parsed(text);
    assert_true(pytree_path_equal(&path, back));
    assert_true(pytree_path_hash(&path) == pytree_path_hash(back));
    assert_int_equal(pytree_path_compare(&path, &shorter), 1);
    assert_true(pytree_path_starts_with(back, &shorter));
    assert_true(pytree_path_match(back, text, &error));
    assert_true(pytree_path_match(back, ".next**[1]**['k\\n']**", &error));
    assert_false(pytree_path_match(back, "**.next**[2]**", &error));
    joined = pytree_path_join(back, &path, NULL, NULL);
    assert_int_equal(joined->n, 2 * n);
    pytree_path_free(joined);
    pytree_path_free(back);
    free(text);
    free(entries);
}

static void a_million_levels(void **state)
{
    const size_t n = under_valgrind() ? 5000 : SANITIZED ? 200000 : 1000000;
    Node *chain = chain_make(n);
    pytree_entry *entries = malloc(n * sizeof(*entries));
    pytree_path path = { n, entries };
    pytree_error error = { 0 };
    pytree_leaf view;
    size_t i;
    (void)state;
    assert_non_null(entries);
    for (i = 0; i + 1 < n; i++) { entries[i] = attribute("next"); }
    entries[n - 1] = attribute("value");
    view = pytree_get(PYTREE(chain), &path, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, &chain[n - 1].value);
    entries[n - 1] = attribute("val");
    view = pytree_get(PYTREE(chain), &path, NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
    assert_string_equal(error.message, "expected .val, got a Node with .value, .next");
    free(entries);
    free(chain);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status parse_and_join(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_path *a = pytree_path_parse(".layers[0]['it\\'s']", NULL, opt, err), *b = NULL, *both = NULL;
    (void)context;
    if (a != NULL) { b = pytree_path_parse("x/y/0", "/", opt, err); }
    if (b != NULL) { both = pytree_path_join(a, b, opt, err); }
    pytree_path_free(a);
    pytree_path_free(b);
    pytree_path_free(both);
    return err->status;
}

static pytree_status get_and_set(void *context, const pytree_options *opt, pytree_error *err)
{
    Everything *all = context;
    static const char name[] = "a key that is too long for what is kept on the stack: two hundred bytes and some more, so that "
                               "the text of this path is read into a block from the allocator; without it the sweep would see "
                               "only the views of the node with more than sixteen children fail, and not the path";
    const pytree box = PYTREE_DICT({ name, PYTREE(all) });
    const pytree_entry entry = key(name);
    const pytree_path path = { 1, &entry };
    char text[1024] = "";
    float one = 1.0f;
    pytree_leaf value = { .data = &one, .type = PYTREE_TYPE(float) }, view;
    pytree_path_text(&path, text, sizeof(text));
    strcat(text, ".points[2].x");
    view = pytree_at(box, text, opt, err);
    if (view.type == NULL) {
        assert_null(view.data);
        return err->status;
    }
    return pytree_set_at(box, text, &value, opt, err);
}

static pytree_status match_deep_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree t = PYTREE((Node *)context);
    pytree_iter it;
    pytree_status status = pytree_iter_begin(&it, 1, &t, opt, err);
    size_t deep = 0, values = 0;
    while (status == PYTREE_OK && pytree_iter_next(&it)) {
        deep += pytree_iter_path_match(&it, "**.next.next.next.next.next.next.next.next**", err);
        values += pytree_iter_path_match(&it, "**.value", err);
        status = err->status;
    }
    if (status == PYTREE_OK) { status = it.status; }
    if (status == PYTREE_OK) {
        assert_int_equal(deep, 40 - 8);
        assert_int_equal(values, 40);
    }
    pytree_iter_end(&it);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    Everything all = everything_make(true);
    Node *chain = chain_make(40);
    float before, number = 1.0f;
    (void)state;
    assert_true(sweep_allocations(get_from_wide_nodes, &number) >= 1);
    assert_int_equal(sweep_allocations(parse_and_join, NULL), 3);
    before = all.points[2].x;
    assert_true(before != 1.0f);
    assert_true(sweep_allocations(get_and_set, &all) >= 2);
    assert_true(all.points[2].x == 1.0f);
    assert_true(sweep_allocations(match_deep_leaves, chain) >= 8);
    free(chain);
    everything_clear(&all);
}

static void short_paths_allocate_nothing(void **state)
{
    MLP model = mlp_make(2, true);
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf value;
    (void)state;
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    value = pytree_at(PYTREE(&model), ".layers[1].w", &opt, &error);
    assert_ok(pytree_set_at(PYTREE(&model), ".layers[1].w", &value, &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    mlp_clear(&model);
}

/* Messages and paths that are too long are cut between characters; where the bytes are no characters, wherever that is. */
static void long_texts_are_cut_between_characters(void **state)
{
    static const char *const units[3] = { "\xc3\xa9", "\xe2\x82\xac", "\x80" };
    size_t u, i, k;
    (void)state;
    for (u = 0; u < COUNT_OF(units); u++) {
        const size_t bytes = strlen(units[u]);
        for (k = 0; k < bytes; k++) {     /* so that each byte of a character comes to lie there */
            char text[900] = "xyz", key[400] = "xyz";
            pytree_error error = { 0 }, other = { 0 };
            const char *dots;
            size_t head;
            for (i = k; i < sizeof text - bytes; i += bytes) { memcpy(text + i, units[u], bytes + 1); }
            for (i = k; i < sizeof key - bytes; i += bytes) { memcpy(key + i, units[u], bytes + 1); }
            pytree_fail(&error, PYTREE_VALUE, NULL, "%s", text);
            dots = strstr(error.message, "...");
            assert_non_null(dots);
            head = (size_t)(dots - error.message);
            assert_int_equal(head, u == 2 ? 0 : k + (head - k) / bytes * bytes);
            assert_memory_equal(error.message, text, head);
            assert_string_equal(dots + 3, text + strlen(text) - strlen(dots + 3));
            assert_int_equal(pytree_num_leaves(PYTREE_DICT({ key, { NULL, NULL } }), NULL, &other), SIZE_MAX);
            assert_error(other.status, PYTREE_NULL_POINTER, NULL, &other);
            dots = strstr(other.path, "...");
            assert_non_null(dots);
            if (u < 2) { assert_int_equal(((size_t)(dots - other.path) - 2 - k) % bytes, 0); }
            assert_string_equal(other.path + strlen(other.path) - 2, "']");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_entries),
        cmocka_unit_test(a_million_levels),
        cmocka_unit_test(wide_nodes),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(short_paths_allocate_nothing),
        cmocka_unit_test(long_texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
