/* Treedefs of every kind of node without a value: dicts with numbers for keys, default dicts, deques, custom nodes, as text
 * and as bytes. */
#include "treedef_kinds_shared.h"

/* ---- Text and bytes ---------------------------------------------------------------------------------------------------- */

/* The tree's treedef has that text; bytes give it back, and so does the text unless it does not say all. */
static void check_round_trips(pytree t, const pytree_options *opt, const char *expected, bool from_text)
{
    pytree_def *def = structure(t, opt), *back;
    pytree_error error = { 0 };
    char *text = def_text(def);
    size_t size;
    unsigned char *bytes = saved(def, &size);
    assert_string_equal(text, expected);
    back = pytree_def_load(bytes, size, types, TYPES, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(def, back);
    pytree_def_free(back);
    back = pytree_def_parse(text, types, TYPES, NULL, &error);
    if (from_text) {
        assert_ok(error.status, &error);
        assert_true(pytree_def_equal(def, back));
        assert_int_equal(pytree_def_hash(def), pytree_def_hash(back));
        pytree_def_free(back);
    } else {
        assert_null(back);
        assert_error(error.status, PYTREE_TYPE, "", &error);
    }
    free(bytes);
    free(text);
    pytree_def_free(def);
}

static pytree odict_of_numbers(void)
{
    static int64_t one = 1;
    static pytree_int_pair pairs[2];
    static pytree_items items = { .count = 2, .int_pairs = pairs };
    pytree t;
    pairs[0].key = 9;
    pairs[1].key = -9;
    pairs[0].value.type = pairs[1].value.type = PYTREE_TYPE(int64_t);
    pairs[0].value.data = pairs[1].value.data = &one;
    t.type = &pytree_types[PYTREE__T_odict];
    t.data = &items;
    return t;
}

static void round_trips(void **state)
{
    Bag bag = { 2, { { 0 } }, 3, { 0, 'a', 0xFF } }, empty = { 0 };
    Crate crate = { { 3, { { 0 } }, 2, { 'h', 'i' } } };
    Bare bare = { { 1, { { 0 } }, 0, { 0 } } };
    Cell cell = { 1, 2 };
    (void)state;
    bag.items[0] = bag.items[1] = bare.bag.items[0] = X;
    crate.bag.items[0] = crate.bag.items[2] = X;
    crate.bag.items[1] = PYTREE_NONE;
    check_round_trips(PYTREE_IDICT({ 30, X }, { -2, X }, { 4, PYTREE_LIST(X) }), NULL,
                      "PyTreeDef({-2: *, 4: [*], 30: *})", true);
    check_round_trips(PYTREE_IDICT({ INT64_MAX, X }, { INT64_MIN, X }, { 0, X }), NULL,
                      "PyTreeDef({-9223372036854775808: *, 0: *, 9223372036854775807: *})", true);
    check_round_trips(PYTREE_IDICT(), NULL, "PyTreeDef({})", true);
    check_round_trips(odict_of_numbers(), NULL, "PyTreeDef(CustomNode(OrderedDict[(9, -9)], [*, *]))", true);
    check_round_trips(PYTREE_DEFAULTDICT("int", { "b", X }, { "a", PYTREE_NONE }), NULL,
                      "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a', 'b'))], [None, *]))", true);
    check_round_trips(PYTREE_DEFAULTDICT(NULL, { "a", X }), NULL,
                      "PyTreeDef(CustomNode(defaultdict[(None, ('a',))], [*]))", true);
    check_round_trips(PYTREE_DEFAULTDICT("<function f at 0x1>"), NULL,
                      "PyTreeDef(CustomNode(defaultdict[(<function f at 0x1>, ())], []))", true);
    check_round_trips(PYTREE_DEQUE(3, X, X), NULL, "PyTreeDef(deque([*, *], maxlen=3))", true);
    check_round_trips(PYTREE_DEQUE(PYTREE_UNBOUNDED, X, PYTREE_DEQUE(0)), NULL,
                      "PyTreeDef(deque([*, deque(maxlen=0)]))", true);
    check_round_trips(PYTREE_DEQUE(PYTREE_UNBOUNDED), NULL, "PyTreeDef(deque())", true);
    check_round_trips(PYTREE(&bag), NULL, "PyTreeDef(CustomNode(Bag[b'\\x00\\x61\\xff'], [*, *]))", true);
    check_round_trips(PYTREE(&empty), NULL, "PyTreeDef(CustomNode(Bag[b''], []))", true);
    check_round_trips(PYTREE(&bare), NULL, "PyTreeDef(CustomNode(Bare[None], [*]))", true);
    check_round_trips(PYTREE(&crate), NULL, "PyTreeDef(CustomNode(Crate[hi], [*, None, *]))", false);
    check_round_trips(PYTREE_TUPLE(PYTREE(&crate)), NULL, "PyTreeDef((CustomNode(Crate[hi], [*, None, *]),))", false);
    check_round_trips(PYTREE_LIST(PYTREE(&cell), PYTREE(&cell)), &train,
                      "PyTreeDef([CustomNode(Cell[(2,)], [*]), CustomNode(Cell[(2,)], [*])], namespace='train')", true);
    check_round_trips(PYTREE_LIST(PYTREE(&cell)), &test, "PyTreeDef([CustomNode(Cell[(1,)], [*])], namespace='test')", true);
    check_round_trips(PYTREE_DICT({ "z", PYTREE_DEFAULTDICT("int", { "q", X }, { "p", X }) },
                                  { "y", PYTREE_IDICT({ 2, X }, { 1, X }) }, { "x", PYTREE(&bag) }), NULL,
                      "PyTreeDef({'x': CustomNode(Bag[b'\\x00\\x61\\xff'], [*, *]), 'y': {1: *, 2: *}, "
                      "'z': CustomNode(defaultdict[(<class 'int'>, ('p', 'q'))], [*, *])})", true);
    {
        pytree_options nil = { .none_is_leaf = true, .space = "train" };
        check_round_trips(PYTREE_TUPLE(PYTREE(&cell), PYTREE_NONE), &nil,
                          "PyTreeDef((CustomNode(Cell[(2,)], [*]), *), NoneIsLeaf, namespace='train')", true);
    }
}

/* What may be written in another way than the library writes it, or comes from optree. */
static void other_notations(void **state)
{
    static const struct { const char *text, *means; } cases[] = {
        { "PyTreeSpec(*)", "PyTreeDef(*)" },
        { "PyTreeSpec(OrderedDict())", "PyTreeDef(CustomNode(OrderedDict[()], []))" },
        { "PyTreeSpec(OrderedDict({'b': *, 'a': (*,)}))", "PyTreeDef(CustomNode(OrderedDict[('b', 'a')], [*, (*,)]))" },
        { "PyTreeSpec(OrderedDict({5: *}))", "PyTreeDef(CustomNode(OrderedDict[(5,)], [*]))" },
        { "PyTreeSpec(defaultdict(<class 'int'>, {'b': *, 'a': None}))",
          "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a', 'b'))], [None, *]))" },
        { "PyTreeSpec(defaultdict(None, {}))", "PyTreeDef(CustomNode(defaultdict[(None, ())], []))" },
        { "PyTreeSpec([Point(x=*, y=Nil()), Point(x=[], y=*)])",
          "PyTreeDef([CustomNode(namedtuple[Point], [*, CustomNode(namedtuple[Nil], [])]), CustomNode(namedtuple[Point], [[], "
          "*])])" },
        { "PyTreeSpec(CustomTreeNode(Linear[(('din', 2), ('dout', 3))], [*, *]))",
          "PyTreeDef(CustomNode(Linear[(2, 3)], [*, *]))" },
        { "PyTreeSpec(CustomTreeNode(Config[(('width', 2), ('activation', 'a'), ('rates', (0.5, 1.0)))], []))",
          "PyTreeDef(CustomNode(Config[(2, 'a', (0.5, 1.0))], []))" },
        { "PyTreeSpec(CustomTreeNode(Bare[None], [*]), NoneIsLeaf)", "PyTreeDef(CustomNode(Bare[None], [*]), NoneIsLeaf)" },
        { "PyTreeSpec([deque([]), deque([], maxlen=4), deque( )])", "PyTreeDef([deque(), deque(maxlen=4), deque()])" },
        { "PyTreeSpec( deque( [ * ] , maxlen = 2 ) )", "PyTreeDef(deque([*], maxlen=2))" },
        { "PyTreeDef({3: *, -1: *, 2: *})", "PyTreeDef({-1: *, 2: *, 3: *})" },
        { "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('b', 'a'))], [[*], (*,)]))",
          "PyTreeDef(CustomNode(defaultdict[(<class 'int'>, ('a', 'b'))], [(*,), [*]]))" },
        { "PyTreeDef([CustomNode(Cell[(7,)], [*])], namespace=\"train\")\n",
          "PyTreeDef([CustomNode(Cell[(7,)], [*])], namespace='train')" },
        /* keys that look like the end */
        { "PyTreeDef({\", namespace='x')\": *})", "PyTreeDef({\", namespace='x')\": *})" },
        { "PyTreeDef({\", namespace='x')\": CustomNode(Cell[(7,)], [*])}, namespace='test')",
          "PyTreeDef({\", namespace='x')\": CustomNode(Cell[(7,)], [*])}, namespace='test')" },
        { "PyTreeDef([*], namespace='train')", "PyTreeDef([*])" }          /* nothing there that it could change */
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) { assert_def(parsed(cases[i].text), cases[i].means); }
}

static void parse_says_where(void **state)
{
    static const struct { const char *text; pytree_status status; const char *message; } cases[] = {
        { "PyTreeDef({3: *, 'a': *})", PYTREE_SYNTAX, "line 1, column 18: expected a number like the keys before, got '''" },
        { "PyTreeDef({'a': *, 3: *})", PYTREE_SYNTAX, "line 1, column 20: expected a key in quotes, got '3'" },
        { "PyTreeDef({3: *, 3: *})", PYTREE_SYNTAX, "line 1, column 22: expected different keys before this, got '}'" },
        { "PyTreeDef({9223372036854775808: *})", PYTREE_SYNTAX, "line 1, column 12: expected an integer that fits i64, "
          "got '9223372036854775808'" },
        { "PyTreeDef({-9223372036854775809: *})", PYTREE_SYNTAX,
          "line 1, column 12: expected an integer that fits i64, got '-'" },
        { "PyTreeDef({-: *})", PYTREE_SYNTAX, "line 1, column 12: expected an integer, got '-'" },
        { "PyTreeDef(CustomNode(OrderedDict[(3, 'a')], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 38: expected a number like the keys before, got '''" },
        { "PyTreeDef(deque([*, *], maxlen=1))", PYTREE_SYNTAX,
          "line 1, column 32: expected a maximum length that the children do not exceed, got '1'" },
        { "PyTreeDef(deque([*], maxlen=-1))", PYTREE_SYNTAX, "line 1, column 29: expected an integer that fits u64, got '-'" },
        { "PyTreeDef(deque([*], minlen=1))", PYTREE_SYNTAX, "line 1, column 22: expected 'maxlen', got 'minlen'" },
        { "PyTreeDef(deque([*])", PYTREE_SYNTAX, "line 1, column 21: expected ')', got the end" },
        { "PyTreeDef(CustomNode(defaultdict[(int, ())], []))", PYTREE_SYNTAX,
          "line 1, column 35: expected None, or a factory such as <class 'int'>, got 'int'" },
        { "PyTreeDef(CustomNode(defaultdict[(<class 'int', ())], []))", PYTREE_SYNTAX,
          "line 1, column 43: expected None, or a factory such as <class 'int'>, got 'int'" },
        { "PyTreeDef(CustomNode(Bag[b'\\x0'], []))", PYTREE_SYNTAX,
          "line 1, column 28: expected a byte such as \\x1f, or ', got '\\'" },
        { "PyTreeDef(CustomNode(Bag['a'], []))", PYTREE_SYNTAX, "line 1, column 26: expected 'b'', got '''" },
        { "PyTreeDef(CustomNode(Bare[1], []))", PYTREE_SYNTAX, "line 1, column 27: expected 'None', got '1'" },
        { "PyTreeDef([CustomNode(Crate[hi], [])])", PYTREE_TYPE,
          "line 1, column 23: expected a type whose text says all of it (one that prints its metadata, or has keys, can only "
          "be "
          "loaded), got 'Crate'" },
        { "PyTreeDef(CustomNode(Cell[(7,)], [*]))", PYTREE_NOT_FOUND,
          "line 1, column 22: expected OrderedDict, defaultdict, namedtuple or one of the given structs, got 'Cell'" },
        { "PyTreeDef(CustomNode(Cell[(7,)], [*]), namespace='nobody')", PYTREE_NOT_FOUND,
          "line 1, column 22: expected OrderedDict, defaultdict, namedtuple or one of the given structs, got 'Cell'" },
        { "PyTreeDef(*, namespace='a)", PYTREE_SYNTAX, "line 1, column 14: expected 'NoneIsLeaf', got 'namespace'" },
        { "PyTreeDef(*, namespace='a', NoneIsLeaf)", PYTREE_SYNTAX,
          "line 1, column 14: expected 'NoneIsLeaf', got 'namespace'" },
        { "PyTreeSpec(Point(x=*, x=*))", PYTREE_SYNTAX, "line 1, column 26: expected different keys before this, got ')'" },
        { "PyTreeSpec(Point(*, *))", PYTREE_SYNTAX, "line 1, column 18: expected the name of a field, got '*'" },
        { "PyTreeSpec(CustomTreeNode(Linear[(('din', 2), ('d', 3))], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 48: expected 'dout' in quotes, got '''" },
        { "PyTreeSpec(CustomTreeNode(Linear[(2, 3)], [*, *]))", PYTREE_SYNTAX, "line 1, column 35: expected '(', got '2'" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        assert_null(pytree_def_parse(cases[i].text, types, TYPES, NULL, &error));
        assert_error(error.status, cases[i].status, "", &error);
        assert_string_equal(error.message, cases[i].message);
    }
}

/* The format is what files have: it must not change. */
static void the_format_is_what_it_was(void **state)
{
    static const unsigned char expected[] = {
        'p', 'y', 't', 'r', 'e', 'e', 'd', 'f', 2, 0, 0, 0, 6, 0, 0, 0, 9, 0, 0, 0,
        6, 0, 0, 0, 't', 'r', 'a', 'i', 'n',
        0, 0, 4, 2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0,                                         /* {-2: *, 3: *} */
        1, 9, 4, 0, 0, 0, 'i', 'n', 't', 1, 0, 0, 0, 2, 0, 0, 0, 'k',                           /* defaultdict */
        10, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,                                                 /* deque([], maxlen=5) */
        0, 8, 6, 0, 0, 0, 'C', 'r', 'a', 't', 'e', 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'h', 'i',
        1, 2, 5, 0, 0, 0, 'l', 'e', 'f', 't',                                                   /* CustomNode(Crate[hi], [*]) */
        2, 4, 0, 0, 0,
        1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0                                          /* the dict: 3 came first */
    };
    Crate crate = { { 1, { { 0 } }, 2, { 'h', 'i' } } };
    pytree_error error = { 0 };
    pytree_def *def, *back;
    unsigned char *bytes, *some;
    size_t size;
    (void)state;
    crate.bag.items[0] = X;
    def = structure(PYTREE_LIST(PYTREE_IDICT({ 3, X }, { -2, X }), PYTREE_DEFAULTDICT("int", { "k", PYTREE_NONE }),
        PYTREE_DEQUE(5),
                                PYTREE(&crate)), &train);
    bytes = saved(def, &size);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    some = malloc(size + 1);
    assert_non_null(some);
    some[size - 1] = 0x5A;                /* what does not fit is not written */
    assert_int_equal(pytree_def_save(def, some, size - 1, NULL, NULL), size);
    assert_int_equal(some[size - 1], 0x5A);
    back = pytree_def_load(expected, sizeof expected, types, TYPES, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(def, back);
    pytree_def_free(back);
    free(some);
    free(bytes);
    pytree_def_free(def);
}

/* A program whose types have changed is told what has. */
static void load_knows_the_types(void **state)
{
    static const struct { const char *from, *to, *message; } rows[] = {
        { "din", "n", "expected Linear with the rows that it had when it was saved (static din i32), got other rows (static n "
          "i32)" },
        { "b", NULL, "expected Linear with the rows that it had when it was saved (data b f32), got other rows (no more)" }
    };
    Linear linear = { 1, 1, (float[1]){ 0 }, (float[1]){ 0 } };
    Bag bag = { 1, { { 0 } }, 0, { 0 } };
    Cell cell = { 1, 2 };
    pytree_def *def = structure(PYTREE(&linear), NULL);
    pytree_type changed = *PYTREE_TYPE(Linear);
    pytree_custom keyed = bag_callbacks;
    pytree_field fields[8];
    const pytree_type *among[1];
    unsigned char *bytes;
    size_t i, k, size;
    (void)state;
    among[0] = &changed;
    bytes = saved(def, &size);
    for (i = 0; i < COUNT_OF(rows); i++) {
        pytree_error error = { 0 };
        memcpy(fields, PYTREE_TYPE(Linear)->fields, PYTREE_TYPE(Linear)->n_fields * sizeof *fields);
        changed = *PYTREE_TYPE(Linear);
        changed.fields = fields;
        for (k = 0; strcmp(fields[k].name, rows[i].from) != 0; k++) {}
        if (rows[i].to == NULL) { changed.n_fields = (unsigned)k; } else { fields[k].name = rows[i].to; }
        assert_error(load_status(bytes, size, among, 1, &error), PYTREE_TYPE, "", &error);
        assert_string_equal(error.message, rows[i].message);
    }
    {                                     /* one row more than there was */
        pytree_def *less;
        pytree_error error = { 0 };
        pytree self;
        unsigned char *fewer;
        const pytree_def *leaf = pytree_def_leaf(NULL, NULL);
        changed.n_children = 1;
        self.type = &changed;
        self.data = &linear;
        less = pytree_def_struct(self, 1, &leaf, NULL, &error);
        assert_ok(error.status, &error);
        fewer = saved(less, &k);
        among[0] = PYTREE_TYPE(Linear);
        assert_error(load_status(fewer, k, among, 1, &error), PYTREE_TYPE, "", &error);
        assert_string_equal(error.message, "expected Linear with the rows that it had when it was saved (no more), "
                            "got other rows (data b f32)");
        free(fewer);
        pytree_def_free(less);
        pytree_def_free((pytree_def *)(uintptr_t)leaf);
    }
    free(bytes);
    pytree_def_free(def);
    bag.items[0] = X;                     /* custom types */
    def = structure(PYTREE(&bag), NULL);
    bytes = saved(def, &size);
    among[0] = &changed;
    {
        pytree_error error = { 0 };
        changed = *PYTREE_TYPE(Linear);
        changed.name = "Bag";
        assert_error(load_status(bytes, size, among, 1, &error), PYTREE_TYPE, "", &error);
        assert_string_equal(error.message, "expected Bag to be a custom type, as when it was saved, got a struct");
    }
    {
        pytree_error error = { 0 };
        keyed.keyed = true;
        changed = *PYTREE_TYPE(Bag);
        changed.custom = &keyed;
        assert_error(load_status(bytes, size, among, 1, &error), PYTREE_TYPE, "", &error);
        assert_string_equal(error.message, "expected Bag without keys, as when it was saved, got it with");
    }
    {
        pytree_error error = { 0 };
        assert_error(load_status(bytes, size, NULL, 0, &error), PYTREE_NOT_FOUND, "", &error);
    }
    free(bytes);
    pytree_def_free(def);
    def = structure(PYTREE(&cell), &train);       /* the same name is another struct in another namespace */
    bytes = saved(def, &size);
    {
        pytree_error error = { 0 };
        memcpy(bytes + 24, "nobody", 5);
        assert_error(load_status(bytes, size, types, TYPES, &error), PYTREE_NOT_FOUND, "", &error);
    }
    free(bytes);
    pytree_def_free(def);
}

/* What a changed or cut file is loaded as, if it is, prints, saves and rebuilds orders without harm. */
static void load_survives_broken_bytes(void **state)
{
    static const unsigned char values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x20, 0x7F, 0x80, 0xFE, 0xFF };
    Crate crate = { { 3, { { 0 } }, 2, { 'h', 'i' } } };
    Bag bag = { 2, { { 0 } }, 3, { 1, 2, 3 } };
    pytree_def *def;
    unsigned char *bytes, *broken;
    size_t size, i, k, accepted = 0;
    uint64_t random = 88172645463325252u;
    (void)state;
    crate.bag.items[0] = crate.bag.items[1] = crate.bag.items[2] = bag.items[0] = bag.items[1] = X;
    def = structure(PYTREE_LIST(PYTREE_IDICT({ 3, X }, { -2, PYTREE_DEQUE(2, X) }, { 1, X }), PYTREE(&crate), PYTREE(&bag),
                                PYTREE_DEFAULTDICT("int", { "b", X }, { "a", PYTREE_DICT({ "d", X }, { "c", X }) }),
                                odict_of_numbers()), &train);
    bytes = saved(def, &size);
    for (i = 0; i <= size; i++) {
        pytree_error error = { 0 };
        broken = malloc(i + 1);           /* exactly that much, so that reading on is noticed */
        assert_non_null(broken);
        memcpy(broken + 1, bytes, i);
        assert_int_equal(load_status(broken + 1, i, types, TYPES, &error) == PYTREE_OK, i == size);
        free(broken);
    }
    broken = malloc(size);
    assert_non_null(broken);
    for (i = 0; i < size * COUNT_OF(values) + (under_valgrind() ? 300u : 20000u); i++) {
        pytree_error error = { 0 };
        pytree_def *loaded;
        memcpy(broken, bytes, size);
        if (i < size * COUNT_OF(values)) {
            broken[i / COUNT_OF(values)] = values[i % COUNT_OF(values)];
        } else {
            move_about(broken, size, &random);
        }
        loaded = pytree_def_load(broken, size, types, TYPES, NULL, &error);
        assert_int_equal(loaded == NULL, error.status != PYTREE_OK);
        if (loaded != NULL) {
            pytree_leaf *leaves = NULL;
            pytree_def *again = NULL;
            pytree_flat flat;
            pytree_options opt = { 0 };
            unsigned char *twice;
            size_t n;
            char *text = def_text(loaded);
            accepted++;
            free(text);
            twice = saved(loaded, &n);
            again = pytree_def_load(twice, n, types, TYPES, NULL, &error);
            assert_ok(error.status, &error);
            assert_same(loaded, again);
            free(twice);
            pytree_def_free(again);
            leaves = calloc(loaded->n_leaves + 1, sizeof *leaves);
            assert_non_null(leaves);
            for (k = 0; k < loaded->n_leaves; k++) {
                static double zero;
                leaves[k].type = PYTREE_TYPE(double);
                leaves[k].data = &zero;
            }
            flat.def = loaded;
            flat.leaves = leaves;
            opt.none_is_leaf = loaded->none_is_leaf;
            again = structure(PYTREE(&flat), &opt);       /* goes over the orders */
            assert_true(pytree_def_equal(again, loaded));
            pytree_def_free(again);
            free(leaves);
        }
        pytree_def_free(loaded);
    }
    assert_true(accepted > 100);
    free(broken);
    free(bytes);
    pytree_def_free(def);
}

/* Every beginning of a text, every character changed, and pieces moved about: what is read is a treedef whose text reads
 * back. */
static void parse_survives_broken_texts(void **state)
{
    static const char sample[] =
        "PyTreeSpec({3: deque([*], maxlen=2), -1: CustomNode(Bag[b'\\x01'], [{'b': *, 'a': OrderedDict({'z': *})}]), "
        "2: CustomNode(Cell[(7,)], [Point(x=defaultdict(<class 'int'>, {'k': *}), y=deque(maxlen=1))]), "
        "0: CustomNode(defaultdict[(None, (5,))], [*]), 9: CustomTreeNode(Linear[(('din', 2), ('dout', 3))], [*, None])}, "
        "namespace='train')";
    static const char characters[] = "()[]{}<>'\"\\,:=-*bN0";
    const size_t n = strlen(sample);
    char text[2 * sizeof sample];
    uint64_t random = 88172645463325252u;
    size_t i, k, accepted = 0;
    (void)state;
    for (i = 0; i < n * sizeof characters + (under_valgrind() ? 300u : 20000u); i++) {
        pytree_error error = { 0 };
        pytree_def *def;
        memcpy(text, sample, sizeof sample);
        if (i < n * sizeof characters) {
            text[i / sizeof characters] = characters[i % sizeof characters];      /* its NUL is one: a beginning */
        } else {
            for (k = 0; k < 2; k++) {
                size_t from, to, length;
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                from = (size_t)(random % n);
                to = (size_t)((random >> 20) % n);
                length = (size_t)((random >> 40) % 20);
                if (from + length <= n && to + length <= n) { memmove(text + to, text + from, length); }
            }
        }
        def = pytree_def_parse(text, types, TYPES, NULL, &error);
        assert_int_equal(def == NULL, error.status != PYTREE_OK);
        if (def != NULL) {
            char *canonical = def_text(def);
            pytree_def *again;
            accepted++;
            again = pytree_def_parse(canonical, types, TYPES, NULL, &error);
            if (again == NULL) {          /* the fields of a namedtuple with another name */
                assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
            } else if (strstr(text, "Point(x=") != NULL && strstr(text, ", y=") != NULL) {
                assert_true(pytree_def_equal(def, again));
            }
            pytree_def_free(again);
            free(canonical);
        }
        pytree_def_free(def);
    }
    assert_true(accepted > 100);
}

/* ---- By hand ----------------------------------------------------------------------------------------------------------- */

/* By hand as from a tree, the orders included. */
static void by_hand(void **state)
{
    static const int64_t numbers[] = { 7, INT64_MIN, -1 };
    static const char *const keys[] = { "c", "a", "b" };
    Bag bag = { 2, { { 0 } }, 1, { 'b' } };
    Crate crate = { { 3, { { 0 } }, 1, { 'c' } } };
    Cell cell = { 5, 6 };
    pytree_error error = { 0 };
    const pytree_def *children[3];
    pytree_def *made, *def;
    pytree two = PYTREE_DICT({ "z", X }, { "y", X });
    size_t i;
    (void)state;
    bag.items[0] = crate.bag.items[0] = two;
    bag.items[1] = crate.bag.items[1] = X;
    crate.bag.items[2] = PYTREE_NONE;
    children[0] = structure(two, NULL);
    children[1] = pytree_def_leaf(NULL, NULL);
    children[2] = pytree_def_none(NULL, NULL);
#define CHECK(by_hand_made, tree)                                                                                       \
    made = (by_hand_made);                                                                                              \
    assert_ok(error.status, &error);                                                                                    \
    def = structure(tree, NULL);                                                                                        \
    assert_same(made, def);                                                                                             \
    pytree_def_free(made);                                                                                              \
    pytree_def_free(def)
    CHECK(pytree_def_idict(3, numbers, children, NULL, &error), PYTREE_IDICT({ 7, two }, { INT64_MIN, X }, { -1,
        PYTREE_NONE }));
    CHECK(pytree_def_dict(3, keys, children, NULL, &error), PYTREE_DICT({ "c", two }, { "a", X }, { "b", PYTREE_NONE }));
    CHECK(pytree_def_odict(3, keys, children, NULL, &error), PYTREE_ODICT({ "c", two }, { "a", X }, { "b", PYTREE_NONE }));
    CHECK(pytree_def_defaultdict("int", 3, keys, children, NULL, &error),
          PYTREE_DEFAULTDICT("int", { "c", two }, { "a", X }, { "b", PYTREE_NONE }));
    CHECK(pytree_def_defaultdict(NULL, 0, NULL, NULL, NULL, &error), PYTREE_DEFAULTDICT(NULL));
    CHECK(pytree_def_deque(3, 3, children, NULL, &error), PYTREE_DEQUE(3, two, X, PYTREE_NONE));
    CHECK(pytree_def_deque(PYTREE_UNBOUNDED, 1, children, NULL, &error), PYTREE_DEQUE(PYTREE_UNBOUNDED, two));
    CHECK(pytree_def_list(3, children, NULL, &error), PYTREE_LIST(two, X, PYTREE_NONE));
    CHECK(pytree_def_struct(PYTREE(&bag), 2, children, NULL, &error), PYTREE(&bag));
    CHECK(pytree_def_struct(PYTREE(&crate), 3, children, NULL, &error), PYTREE(&crate));
#undef CHECK
    made = pytree_def_struct(PYTREE(&cell), 1, &children[1], &test, &error);
    def = structure(PYTREE(&cell), &test);
    assert_same(made, def);
    pytree_def_free(made);
    pytree_def_free(def);
    assert_null(pytree_def_struct(PYTREE(&cell), 1, &children[1], NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a registered struct, got Cell");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_struct(PYTREE(&crate), 2, children, NULL, &error));
    assert_string_equal(error.message, "expected 3 children of Crate, got 2");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_deque(2, 3, children, NULL, &error));
    assert_error(error.status, PYTREE_BAD_COUNT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_idict(3, (const int64_t[]){ 4, -1, 4 }, children, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected different keys, got 4 twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_idict(1, NULL, children, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    for (i = 0; i < 3; i++) { pytree_def_free((pytree_def *)(uintptr_t)children[i]); }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips), cmocka_unit_test(other_notations), cmocka_unit_test(parse_says_where),
        cmocka_unit_test(parse_survives_broken_texts),
        cmocka_unit_test(the_format_is_what_it_was), cmocka_unit_test(load_knows_the_types),
        cmocka_unit_test(load_survives_broken_bytes), cmocka_unit_test(by_hand)
    };
    return cmocka_run_group_tests(tests, types_begin, NULL);
}
