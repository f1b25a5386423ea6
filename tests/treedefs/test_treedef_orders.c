/* Treedefs without a value: orders of dicts, comparison, namespaces, paths, many trees at random, memory. */
#define TEST_PRIVATE                       /* sizes of static values, entries as text */
#include "treedef_kinds_shared.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

/* The order in which a dict that was rebuilt from the treedef has its pairs: "c a b". */
static void assert_filled(const pytree_def *def, const char *expected)
{
    pytree_error error = { 0 };
    static double numbers[16];
    pytree_leaf leaves[16];
    char text[200] = "";
    const pytree_items *items;
    pytree tree;
    size_t i;
    memset(leaves, 0, sizeof leaves);
    for (i = 0; i < 16; i++) {
        leaves[i].data = &numbers[i];
        leaves[i].type = PYTREE_TYPE(double);
    }
    tree = pytree_unflatten(def, def->n_leaves, leaves, NULL, &error);
    assert_ok(error.status, &error);
    items = tree.data;
    for (i = 0; i < items->count; i++) {
        size_t n = strlen(text);
        if (items->int_pairs != NULL) {
            snprintf(text + n, sizeof text - n, "%s%lld", i == 0 ? "" : " ", (long long)items->int_pairs[i].key);
        } else {
            snprintf(text + n, sizeof text - n, "%s%s", i == 0 ? "" : " ", items->pairs[i].key);
        }
    }
    assert_string_equal(text, expected);
    pytree_free(tree);
}

/* ---- Orders ------------------------------------------------------------------------------------------------------------ */

static void orders_are_kept(void **state)
{
    pytree_def *abc = structure(PYTREE_DICT({ "c", X }, { "a", X }, { "b", X }), NULL);
    pytree_def *numbers = structure(PYTREE_IDICT({ 5, X }, { -5, X }), NULL), *made, *child, *parse;
    const pytree_def *children[2];
    pytree_error error = { 0 };
    (void)state;
    assert_filled(abc, "c a b");
    assert_filled(numbers, "5 -5");
    made = pytree_def_compose(abc, numbers, NULL, &error);
    assert_ok(error.status, &error);
    assert_filled(made, "c a b");
    child = pytree_def_child(made, 2, NULL, &error);
    assert_same(child, numbers);
    pytree_def_free(child);
    children[0] = made;
    children[1] = abc;
    child = pytree_def_list(2, children, NULL, &error);
    pytree_def_free(made);
    made = pytree_def_child(child, -1, NULL, &error);
    assert_same(made, abc);
    pytree_def_free(made);
    pytree_def_free(child);
    parse = parsed("PyTreeDef({'b': {2: *, 1: *}, 'a': {'z': *, 'x': *, 'y': *}})");
    assert_filled(parse, "b a");
    child = pytree_def_child(parse, 0, NULL, &error);
    assert_filled(child, "z x y");
    pytree_def_free(child);
    child = pytree_def_child(parse, 1, NULL, &error);
    assert_filled(child, "2 1");
    pytree_def_free(child);
    made = pytree_def_transform(parse, NULL, NULL, NULL, NULL, &error);
    assert_same(made, parse);
    pytree_def_free(made);
    pytree_def_free(parse);
    pytree_def_free(numbers);
    pytree_def_free(abc);
}

/* The common suffix has the first one's kinds and orders, and where it has leaves the second one's. */
static void orders_of_the_common_suffix(void **state)
{
    static const struct { const char *a, *b, *expected, *filled; } cases[] = {
        { "PyTreeDef({'b': *, 'a': {'y': *, 'x': *}})", "PyTreeDef({'a': *, 'b': {2: *, 1: *}})",
          "PyTreeDef({'a': {'x': *, 'y': *}, 'b': {1: *, 2: *}})", "b a" },
        { "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('b', 'a'))], [*, (*,)]))",
          "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [[*], *]))",
          "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a', 'b'))], [(*,), [*]]))", "b a" },
        { "PyTreeDef({'a': *, 'b': *})", "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('b', 'a'))], [[*], *]))",
          "PyTreeDef({'a': *, 'b': [*]})", "a b" },
        { "PyTreeDef({2: *, 1: {5: *, 4: *}})", "PyTreeDef(CustomNode(OrderedDict[(2, 1)], [[*], *]))",
          "PyTreeDef({1: {4: *, 5: *}, 2: [*]})", "2 1" },
        { "PyTreeDef(*)", "PyTreeDef({'b': *, 'a': *})", "PyTreeDef({'a': *, 'b': *})", "b a" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_def *a = parsed(cases[i].a), *b = parsed(cases[i].b);
        pytree_error error = { 0 };
        pytree_def *both = pytree_def_common_suffix(a, b, NULL, &error);
        assert_ok(error.status, &error);
        assert_filled(both, cases[i].filled);
        assert_def(both, cases[i].expected);
        pytree_def_free(a);
        pytree_def_free(b);
    }
}

/* ---- Comparison -------------------------------------------------------------------------------------------------------- */

static void prefixes(void **state)
{
    static const struct { const char *a, *b; bool yes; const char *message; } cases[] = {
        { "PyTreeDef({'a': *, 'b': *})", "PyTreeDef(CustomNode(defaultdict[(None, ('a', 'b'))], [*, [*]]))", true, NULL },
        { "PyTreeDef(CustomNode(defaultdict[(None, ('a', 'b'))], [*, [*]]))",
          "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a', 'b'))], [(), [*]]))", true, NULL },
        { "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [(*,), [*]]))",
          "PyTreeDef(CustomNode(defaultdict[(None, ('a', 'b'))], [[*], (*,)]))", true, NULL },
        { "PyTreeDef(CustomNode(OrderedDict[(3, -3)], [(*,), [*]]))", "PyTreeDef({-3: [*], 3: (*,)})", true, NULL },
        { "PyTreeDef(CustomNode(OrderedDict[()], []))", "PyTreeDef(CustomNode(defaultdict[(None, ())], []))", true, NULL },
        { "PyTreeDef({1: *})", "PyTreeDef({'1': *})", false, "different keys: expected dict with keys 1, got dict with keys "
          "'1'" },
        { "PyTreeDef({1: *})", "PyTreeDef({2: *})", false, "different keys: expected dict with keys 1, got dict with keys 2" },
        { "PyTreeDef(deque([*, *], maxlen=2))", "PyTreeDef(deque([*, *]))", true, NULL },
        { "PyTreeDef(deque([*, *], maxlen=2))", "PyTreeDef(deque([*]))", false,
          "different lengths: expected deque of length 2, maxlen 2, got deque of length 1" },
        { "PyTreeDef(deque([*]))", "PyTreeDef([*])", false, "different types: expected deque of length 1, got list of length "
          "1" },
        { "PyTreeDef(CustomNode(Bag[b'\\x01'], [*]))", "PyTreeDef(CustomNode(Bag[b'\\x01'], [[*]]))", true, NULL },
        { "PyTreeDef(CustomNode(Bag[b'\\x01'], [*]))", "PyTreeDef(CustomNode(Bag[b'\\x02'], [*]))", false,
          "different metadata: expected Bag[b'\\x01'] of length 1, got Bag[b'\\x02'] of length 1" },
        { "PyTreeDef(CustomNode(Bag[b'\\x01'], [*]))", "PyTreeDef(CustomNode(Bag[b'\\x01'], [*, *]))", false,
          "different lengths: expected Bag[b'\\x01'] of length 1, got Bag[b'\\x01'] of length 2" },
        { "PyTreeDef(CustomNode(Bag[b''], []))", "PyTreeDef(CustomNode(Bare[None], []))", false,
          "different types: expected Bag[b''] of length 0, got Bare[None] of length 0" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_def *a = parsed(cases[i].a), *b = parsed(cases[i].b);
        pytree_error error = { 0 };
        assert_int_equal(pytree_def_is_prefix(a, b, false, NULL, &error), cases[i].yes);
        assert_int_equal(pytree_def_is_suffix(b, a, false, NULL, NULL), cases[i].yes);
        if (cases[i].yes) {
            assert_ok(error.status, &error);
        } else {
            assert_error(error.status, PYTREE_STRUCTURE, "", &error);
            assert_string_equal(error.message, cases[i].message);
        }
        pytree_def_free(a);
        pytree_def_free(b);
    }
}

static void differences(void **state)
{
    static const struct { const char *a, *b; pytree_mismatch kind; const char *path, *in_a, *in_b, *missing,
        *extra; } cases[] = {
        { "PyTreeDef([{-3: *, 7: *, 8: *}])", "PyTreeDef([{7: *, 9: *}])", PYTREE_DIFFERENT_KEYS, "[0]",
          "dict with keys -3, 7, 8",
          "dict with keys 7, 9", "-3, 8", "9" },
        { "PyTreeDef([{7: *}])", "PyTreeDef([{'7': *}])", PYTREE_DIFFERENT_KEYS, "[0]", "dict with keys 7",
          "dict with keys '7'",
          "7", "'7'" },
        { "PyTreeDef({-3: [*]})", "PyTreeDef({-3: (*,)})", PYTREE_DIFFERENT_TYPES, "[-3]", "list of length 1",
          "tuple of length 1",
          "", "" },
        { "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a',))], [*]))",
          "PyTreeDef(CustomNode(defaultdict[(None, ('a',))], [*]))",
          PYTREE_DIFFERENT_METADATA, "", "defaultdict of <class 'int'> with keys 'a'", "defaultdict of None with keys 'a'", "",
          "" },
        { "PyTreeDef(CustomNode(defaultdict[(None, ('a',))], [*]))", "PyTreeDef({'a': *})", PYTREE_DIFFERENT_TYPES, "",
          "defaultdict of None with keys 'a'", "dict with keys 'a'", "", "" },
        { "PyTreeDef(CustomNode(OrderedDict[(3, -3)], [*, *]))", "PyTreeDef(CustomNode(OrderedDict[(-3, 3)], [*, *]))",
          PYTREE_DIFFERENT_METADATA, "", "OrderedDict with keys 3, -3", "OrderedDict with keys -3, 3", "", "" },
        { "PyTreeDef(deque([*], maxlen=3))", "PyTreeDef(deque([*]))", PYTREE_DIFFERENT_METADATA, "",
          "deque of length 1, maxlen 3",
          "deque of length 1", "", "" },
        { "PyTreeDef(deque([*], maxlen=3))", "PyTreeDef(deque([], maxlen=3))", PYTREE_DIFFERENT_LENGTHS, "",
          "deque of length 1, maxlen 3", "deque of length 0, maxlen 3", "", "" },
        { "PyTreeDef(CustomNode(Bag[b'\\x01'], [*]))", "PyTreeDef(CustomNode(Bag[b''], [*]))", PYTREE_DIFFERENT_METADATA, "",
          "Bag[b'\\x01'] of length 1", "Bag[b''] of length 1", "", "" },
        { "PyTreeDef(CustomNode(Bag[b'\\x01'], [*, [*]]))", "PyTreeDef(CustomNode(Bag[b'\\x01'], [*, *]))",
          PYTREE_DIFFERENT_TYPES,
          "[<flat index 1>]", "list of length 1", "leaf", "", "" },
        { "PyTreeDef(CustomNode(Cell[(1,)], [*]), namespace='train')", "PyTreeDef(*)", PYTREE_DIFFERENT_METADATA, "",
          "namespace 'train'", "no namespace", "", "" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_def *a = parsed(cases[i].a), *b = parsed(cases[i].b);
        pytree_error error = { 0 };
        pytree_def_error_list *list = pytree_def_differences(a, b, NULL, &error);
        assert_ok(error.status, &error);
        assert_false(pytree_def_equal(a, b));
        assert_in_range(list->n, 1, 2);
        assert_int_equal(list->errors[0].kind, cases[i].kind);
        assert_string_equal(list->errors[0].path, cases[i].path);
        assert_string_equal(list->errors[0].a, cases[i].in_a);
        assert_string_equal(list->errors[0].b, cases[i].in_b);
        assert_string_equal(list->errors[0].missing, cases[i].missing);
        assert_string_equal(list->errors[0].extra, cases[i].extra);
        pytree_def_errors_free(list);
        list = pytree_def_differences(a, a, NULL, &error);
        assert_int_equal(list->n, 0);
        pytree_def_errors_free(list);
        pytree_def_free(a);
        pytree_def_free(b);
    }
}

/* ---- Namespaces -------------------------------------------------------------------------------------------------------- */

static void namespaces(void **state)
{
    Cell cell = { 1, 2 };
    Pair pair = { 1, 2 };
    pytree_def *in_train = structure(PYTREE_LIST(PYTREE(&cell)), &train), *in_test = structure(PYTREE_LIST(PYTREE(&cell)),
        &test);
    pytree_def *plain = structure(PYTREE_TUPLE(X), NULL), *global = structure(PYTREE_TUPLE(PYTREE(&pair)), NULL), *made;
    pytree_def *other = structure(PYTREE_TUPLE(PYTREE(&pair)), &test);
    const pytree_def *children[2];
    pytree_error error = { 0 };
    (void)state;
    assert_def(pytree_def_compose(plain, in_train, NULL, &error),
        "PyTreeDef(([CustomNode(Cell[(2,)], [*])],), namespace='train')");
    assert_def(pytree_def_compose(in_train, plain, NULL, &error),
        "PyTreeDef([CustomNode(Cell[(2,)], [(*,)])], namespace='train')");
    assert_def(pytree_def_compose(global, in_test, NULL, &error),
               "PyTreeDef((CustomNode(Pair[()], [[CustomNode(Cell[(1,)], [*])], [CustomNode(Cell[(1,)], [*])]]),), "
               "namespace='test')");
    assert_ok(error.status, &error);
    assert_null(pytree_def_compose(in_train, in_test, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected treedefs of one namespace, got 'train' and 'test'");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_compose(global, in_train, NULL, &error));      /* there Pair is another struct */
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected Pair as it is registered in namespace 'train', got another registration");
    memset(&error, 0, sizeof error);
    children[0] = in_train;
    children[1] = plain;
    assert_def(pytree_def_list(2, children, NULL, &error), "PyTreeDef([[CustomNode(Cell[(2,)], [*])], (*,)], "
        "namespace='train')");
    assert_def(pytree_def_list(2, children, &train, &error), "PyTreeDef([[CustomNode(Cell[(2,)], [*])], (*,)], "
        "namespace='train')");
    assert_ok(error.status, &error);
    assert_null(pytree_def_list(2, children, &test, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    children[1] = in_test;
    assert_null(pytree_def_list(2, children, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_def_is_prefix(in_train, in_test, false, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_true(pytree_def_is_prefix(global, other, false, NULL, &error));        /* of no namespace, and of one */
    assert_false(pytree_def_equal(global, other));
    assert_null(pytree_def_common_suffix(in_train, in_test, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    made = pytree_def_transform(in_train, NULL, NULL, NULL, NULL, &error);
    assert_same(made, in_train);
    pytree_def_free(made);
    pytree_def_free(in_train);
    pytree_def_free(in_test);
    pytree_def_free(plain);
    pytree_def_free(global);
    pytree_def_free(other);
}

/* A callback's result comes with its namespace; and one that leaves nothing of the namespace leaves it. */
static pytree_status cell_for_leaf(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)part;
    *result = pytree_def_copy(context, NULL, err);
    return *result == NULL ? PYTREE_NO_MEMORY : PYTREE_OK;
}

static pytree_status list_for_node(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    const pytree_def *children[4] = { NULL };
    size_t i;
    (void)context;
    for (i = 0; i < pytree_def_num_children(part); i++) { children[i] = pytree_def_child(part, (ptrdiff_t)i, NULL, err); }
    *result = pytree_def_list(i, children, NULL, err);
    while (i-- > 0) { pytree_def_free((pytree_def *)(uintptr_t)children[i]); }
    return *result == NULL ? PYTREE_NO_MEMORY : PYTREE_OK;
}

static void transforms(void **state)
{
    Cell cell = { 1, 2 };
    pytree_def *in_train = structure(PYTREE(&cell), &train), *in_test = structure(PYTREE(&cell), &test);
    pytree_def *dict = parsed("PyTreeDef({'b': *, 'a': [*]})");
    pytree_error error = { 0 };
    (void)state;
    assert_def(pytree_def_transform(dict, NULL, cell_for_leaf, in_train, NULL, &error),
               "PyTreeDef({'a': [CustomNode(Cell[(2,)], [*])], 'b': CustomNode(Cell[(2,)], [*])}, namespace='train')");
    assert_def(pytree_def_transform(in_train, list_for_node, NULL, NULL, NULL, &error), "PyTreeDef([*])");
    assert_ok(error.status, &error);
    assert_null(pytree_def_transform(in_test, NULL, cell_for_leaf, in_train, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(in_train);
    pytree_def_free(in_test);
    pytree_def_free(dict);
}

/* ---- Paths ------------------------------------------------------------------------------------------------------------- */

static void paths(void **state)
{
    static const char *const expected[] = { "[-7][0]", "[3]['b']", "[3]['c']", "[4][<flat index 0>]", "[5]['left']",
        "[5][-7].a",
                                            "[5].right", "[6]" };
    Crate crate = { { 3, { { 0 } }, 0, { 0 } } };
    Bag bag = { 1, { { 0 } }, 0, { 0 } };
    Cell cell = { 1, 2 };
    pytree_error error = { 0 };
    const char **all, **simple;
    pytree_def *def;
    size_t i, n;
    (void)state;
    crate.bag.items[0] = crate.bag.items[2] = bag.items[0] = X;
    crate.bag.items[1] = PYTREE(&cell);
    def = structure(PYTREE_IDICT({ 6, X }, { 5, PYTREE(&crate) }, { 4, PYTREE(&bag) },
                                 { 3, PYTREE_DEFAULTDICT("int", { "c", X }, { "b", X }) }, { -7, PYTREE_DEQUE(1, X) }), &train);
    all = pytree_def_paths(def, NULL, &n, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(n, COUNT_OF(expected));
    simple = pytree_def_paths(def, "/", NULL, NULL, &error);
    assert_string_equal(simple[3], "4/0");
    assert_string_equal(simple[5], "5/-7/a");
    for (i = 0; i < n; i++) {
        pytree_entry entries[8];
        char text[100] = "";
        struct pytree__text_writer to = { text, sizeof text - 1, 0, NULL };
        size_t k, depth = pytree_def_leaf_path(def, i, entries, 8);
        assert_string_equal(all[i], expected[i]);
        for (k = 0; k < depth; k++) { pytree__put_entry(&to, &entries[k], NULL, k == 0); }
        text[to.length] = '\0';
        assert_string_equal(text, expected[i]);
    }
    pytree_paths_free(all);
    pytree_paths_free(simple);
    pytree_def_free(def);
}

/* ---- Many trees -------------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static size_t random_below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)((random_state >> 11) % n);
}

/* A treedef of up to `most` levels, of all kinds. */
static pytree_def *random_def(int most)
{
    static const char *const names[] = { "c", "a", "", "b c", "\xC3\xA9", "z" };
    const pytree_def *children[3];
    const char *keys[3];
    int64_t numbers[3];
    Bag bag = { 0 };
    Crate crate;
    pytree_error error = { 0 };
    pytree_def *def = NULL;
    size_t n = random_below(4), first = random_below(6), kind = random_below(11), i;
    if (most == 0 || kind == 0) { return random_below(4) == 0 ? pytree_def_none(NULL, &error) : pytree_def_leaf(NULL, &error); }
    for (i = 0; i < n; i++) {
        children[i] = random_def(most - 1);
        keys[i] = names[(first + i * 5) % 6];
        numbers[i] = (int64_t)((first + i * 5) % 6) - 3;
        bag.items[i] = X;
    }
    bag.n = n;
    bag.bytes = random_below(4);
    memcpy(bag.tag, "tag", 4);
    crate.bag = bag;
    switch (kind) {
    case 1: def = pytree_def_list(n, children, NULL, &error); break;
    case 2: def = pytree_def_tuple(n, children, NULL, &error); break;
    case 3: def = pytree_def_deque(random_below(2) == 0 ? 5 : PYTREE_UNBOUNDED, n, children, NULL, &error); break;
    case 4: case 5: def = pytree_def_dict(n, keys, children, NULL, &error); break;
    case 6: def = pytree_def_idict(n, numbers, children, NULL, &error); break;
    case 7: def = pytree_def_odict(n, keys, children, NULL, &error); break;
    case 8: def = pytree_def_defaultdict(random_below(2) == 0 ? "int" : NULL, n, keys, children, NULL, &error); break;
    case 9: def = pytree_def_struct(PYTREE(&bag), n, children, NULL, &error); break;
    default: def = pytree_def_struct(PYTREE(&crate), n, children, NULL, &error); break;
    }
    assert_ok(error.status, &error);
    for (i = 0; i < n; i++) { pytree_def_free((pytree_def *)(uintptr_t)children[i]); }
    return def;
}

static void random_treedefs(void **state)
{
    size_t round, rounds = under_valgrind() ? 50 : 2000;
    pytree_def *leaf = pytree_def_leaf(NULL, NULL);
    (void)state;
    random_state = 88172645463325252u;
    for (round = 0; round < rounds; round++) {
        pytree_def *def = random_def(4), *inner = random_def(2), *made;
        pytree_error error = { 0 };
        pytree_leaf *leaves = calloc(def->n_leaves + 1, sizeof *leaves);
        pytree_flat flat;
        size_t size, i;
        unsigned char *bytes = saved(def, &size);
        assert_non_null(leaves);
        made = pytree_def_load(bytes, size, types, TYPES, NULL, &error);
        assert_ok(error.status, &error);
        assert_same(made, def);
        free(bytes);
        pytree_def_free(made);
        made = pytree_def_compose(def, leaf, NULL, &error);
        assert_same(made, def);
        pytree_def_free(made);
        made = pytree_def_compose(leaf, def, NULL, &error);
        assert_same(made, def);
        pytree_def_free(made);
        made = pytree_def_common_suffix(def, def, NULL, &error);
        assert_same(made, def);
        pytree_def_free(made);
        made = pytree_def_common_suffix(leaf, def, NULL, &error);
        assert_same(made, def);
        pytree_def_free(made);
        made = pytree_def_compose(def, inner, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(made->n_leaves, def->n_leaves * inner->n_leaves);
        assert_true(pytree_def_is_prefix(def, made, false, NULL, &error));
        {
            pytree_def *both = pytree_def_common_suffix(def, made, NULL, &error);
            assert_same(both, made);
            pytree_def_free(both);
        }
        pytree_def_free(made);
        for (i = 0; i < def->n_leaves; i++) {
            static double zero;
            leaves[i].type = PYTREE_TYPE(double);
            leaves[i].data = &zero;
        }
        flat.def = def;
        flat.leaves = leaves;
        made = structure(PYTREE(&flat), NULL);        /* what a walk sees is what is there */
        assert_same(made, def);
        for (i = 0; i < pytree_def_num_children(def); i++) {
            pytree_def *a = pytree_def_child(def, (ptrdiff_t)i, NULL, &error), *b = pytree_def_child(made, (ptrdiff_t)i, NULL,
                &error);
            assert_same(a, b);
            pytree_def_free(a);
            pytree_def_free(b);
        }
        pytree_def_free(made);
        free(leaves);
        pytree_def_free(def);
        pytree_def_free(inner);
    }
    pytree_def_free(leaf);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_def *sweep_a, *sweep_b, *sweep_space;
static unsigned char *sweep_bytes;
static size_t sweep_size;

static pytree_status done(pytree_def *def, const pytree_error *err)
{
    pytree_def_free(def);
    return err->status;
}

static pytree_status compose_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return done(pytree_def_compose(sweep_a, sweep_space, opt, err), err);
}

static pytree_status transform_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return done(pytree_def_transform(sweep_a, NULL, cell_for_leaf, sweep_space, opt, err), err);
}

static pytree_status suffix_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return done(pytree_def_common_suffix(sweep_a, sweep_b, opt, err), err);
}

static pytree_status hand_body(void *context, const pytree_options *opt, pytree_error *err)
{
    static const int64_t numbers[] = { 7, -1, 3 };
    const pytree_def *children[3] = { sweep_a, sweep_b, sweep_space };
    (void)context;
    return done(pytree_def_idict(3, numbers, children, opt, err), err);
}

static pytree_status custom_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_def *children[3] = { sweep_a, sweep_b, sweep_space };
    (void)context;
    {
        Crate crate = { { 3, { { 0 } }, 2, { 'h', 'i' } } };
        crate.bag.items[0] = crate.bag.items[1] = crate.bag.items[2] = X;
        return done(pytree_def_struct(PYTREE(&crate), 3, children, opt, err), err);
    }
}

static pytree_status parse_body(void *context, const pytree_options *opt, pytree_error *err)
{
    return done(pytree_def_parse(context, types, TYPES, opt, err), err);
}

static pytree_status save_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return pytree_def_save(sweep_a, NULL, 0, opt, err) == SIZE_MAX ? err->status : PYTREE_OK;
}

static pytree_status load_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return done(pytree_def_load(sweep_bytes, sweep_size, types, TYPES, opt, err), err);
}

static pytree_status errors_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    pytree_def_errors_free(pytree_def_differences(sweep_a, sweep_space, opt, err));
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    static sweep_body *const bodies[] = { compose_body, transform_body, suffix_body, hand_body, custom_body, save_body,
        load_body,
                                          errors_body };
    static char text[] = "PyTreeSpec({3: deque([*], maxlen=2), 1: CustomNode(Bag[b'\\x01'], [{'b': *, 'a': OrderedDict({'z': "
        "*})}]), "
        "2: CustomNode(Cell[(7,)], [Point(x=defaultdict(<class 'int'>, {'k': *, 'j': *}), y=*)])}, namespace='train')";
    Cell cell = { 1, 2 };
    size_t i;
    (void)state;
    sweep_a = parsed("PyTreeDef({3: {'d': *, 'c': *}, 1: CustomNode(defaultdict[(None, ('b', 'a'))], [*, (*,)]), "
                     "2: CustomNode(Bag[b'\\x01'], [*])})");
    sweep_b = parsed("PyTreeDef(CustomNode(OrderedDict[(3, 2, 1)], [*, *, {'a': *, 'b': {2: *, 1: *}}]))");
    sweep_space = structure(PYTREE_DICT({ "b", PYTREE(&cell) }, { "a", PYTREE(&cell) }), &train);
    {
        const pytree_def *children[2] = { sweep_a, sweep_space };
        pytree_def *both = pytree_def_tuple(2, children, NULL, NULL);
        sweep_bytes = saved(both, &sweep_size);
        pytree_def_free(both);
    }
    for (i = 0; i < COUNT_OF(bodies); i++) { assert_true(sweep_allocations(bodies[i], NULL) > 0); }
    assert_true(sweep_allocations(parse_body, text) > 5);
    free(sweep_bytes);
    pytree_def_free(sweep_a);
    pytree_def_free(sweep_b);
    pytree_def_free(sweep_space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_kept),
        cmocka_unit_test(orders_of_the_common_suffix), cmocka_unit_test(prefixes), cmocka_unit_test(differences),
        cmocka_unit_test(namespaces), cmocka_unit_test(transforms), cmocka_unit_test(paths), cmocka_unit_test(random_treedefs),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, types_begin, NULL);
}
