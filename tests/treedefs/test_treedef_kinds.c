/* Treedefs of every kind of node without a value: dicts with numbers for keys, default dicts, deques, custom nodes, namespaces,
 * and the order in which a dict's pairs were put in, which a treedef keeps beside its structure. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "support.h"
#include "treedefs.h"

/* ---- Types ---------------------------------------------------------------------------------------------------------- */

typedef struct Bag { size_t n; pytree items[3]; size_t bytes; unsigned char tag[4]; } Bag;

static size_t bag_children(const void *self, pytree *children, pytree_entry *keys)
{
    static const pytree_entry all[] = { { PYTREE_KEY, "left", 0 }, { PYTREE_INT_KEY, NULL, (size_t)-7 },
                                        { PYTREE_ATTRIBUTE, "right", 0 } };
    const Bag *bag = self;
    size_t i;
    for (i = 0; i < bag->n && children != NULL; i++) { children[i] = bag->items[i]; }
    for (i = 0; i < bag->n && keys != NULL; i++) { keys[i] = all[i]; }
    return bag->n;
}
static size_t bag_metadata(const void *self, void *to)
{
    const Bag *bag = self;
    if (to != NULL) { memcpy(to, bag->tag, bag->bytes); }
    return bag->bytes;
}
static size_t bag_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    return (size_t)snprintf(text, n, "%.*s", (int)bytes, (const char *)metadata);
}
static const pytree_custom bag_callbacks = { bag_children, false, bag_metadata, NULL, NULL, NULL };
#define PYTREE_STRUCT Bag
#define PYTREE_CUSTOM bag_callbacks
#include "pytree_registry.h"

typedef struct Crate { Bag bag; } Crate;            /* children with keys, metadata with words */
static const pytree_custom crate_callbacks = { bag_children, true, bag_metadata, bag_print, NULL, NULL };
#define PYTREE_STRUCT Crate
#define PYTREE_CUSTOM crate_callbacks
#include "pytree_registry.h"

typedef struct Bare { Bag bag; } Bare;              /* no metadata */
static const pytree_custom bare_callbacks = { bag_children, false, NULL, NULL, NULL, NULL };
#define PYTREE_STRUCT Bare
#define PYTREE_CUSTOM bare_callbacks
#include "pytree_registry.h"

typedef struct Cell { long long a, b; } Cell;       /* a leaf, but in two namespaces */
#define PYTREE_LEAF_TYPE Cell
#include "pytree_registry.h"
#define PYTREE_STRUCT Cell
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"
#define PYTREE_STRUCT Cell
#define PYTREE_NAMESPACE test
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct Pair { long long a, b; } Pair;       /* a struct everywhere, and another one in a namespace */
#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"
#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

static const pytree_options train = { .space = "train" }, test = { .space = "test" };

enum { TYPES = 8 };
static const pytree_type *types[TYPES];
static const pytree_field xy[] = { { .name = "x" }, { .name = "y" } };
static const pytree_type point_tuple = { .name = "Point", .kind = PYTREE_KIND_NAMEDTUPLE, .n_fields = 2, .fields = xy };

static int types_begin(void **state)
{
    (void)state;
    types[0] = PYTREE_TYPE(Bag);
    types[1] = PYTREE_TYPE(Crate);
    types[2] = PYTREE_TYPE(Bare);
    types[3] = PYTREE_TYPE(Cell);
    types[4] = PYTREE_TYPE(Pair);
    types[5] = PYTREE_TYPE(Linear);
    types[6] = PYTREE_TYPE(Config);
    types[7] = &point_tuple;
    return 0;
}

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

static pytree_def *structure(pytree t, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(def);
    return def;
}

static pytree_def *parsed(const char *text)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse(text, types, TYPES, NULL, &error);
    if (def == NULL) { print_error("# %s\n", text); }
    assert_ok(error.status, &error);
    return def;
}

static void assert_def(pytree_def *def, const char *expected)
{
    char *text;
    assert_non_null(def);
    text = def_text(def);
    assert_string_equal(text, expected);
    free(text);
    pytree_def_free(def);
}

/* Equal, and the same beside the structure: namespace, orders. */
static void assert_same(const pytree_def *a, const pytree_def *b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_true(pytree_def_equal(a, b));
    assert_int_equal(pytree_def_hash(a), pytree_def_hash(b));
    assert_int_equal(a->space == NULL, b->space == NULL);
    if (a->space != NULL) { assert_string_equal(a->space, b->space); }
    assert_int_equal(a->n_orders, b->n_orders);
    if (a->n_orders > 0) { assert_memory_equal(a->orders, b->orders, a->n_orders * sizeof *a->orders); }
}

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

#define X PYTREE_INT(1)

/* ---- Text and bytes -------------------------------------------------------------------------------------------------- */

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

/* ---- By hand --------------------------------------------------------------------------------------------------------- */

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

/* ---- Orders ---------------------------------------------------------------------------------------------------------- */

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

/* ---- Comparison ------------------------------------------------------------------------------------------------------- */

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

/* ---- Namespaces ------------------------------------------------------------------------------------------------------- */

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

/* ---- Paths ------------------------------------------------------------------------------------------------------------ */

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
        struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
        size_t k, depth = pytree_def_leaf_path(def, i, entries, 8);
        assert_string_equal(all[i], expected[i]);
        for (k = 0; k < depth; k++) { pytree__put_entry(&to, &entries[k], NULL, k == 0); }
        pytree__end_text(&to, sizeof text);
        assert_string_equal(text, expected[i]);
    }
    pytree_paths_free(all);
    pytree_paths_free(simple);
    pytree_def_free(def);
}

/* ---- Many trees ------------------------------------------------------------------------------------------------------- */

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

/* ---- Memory ----------------------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(round_trips), cmocka_unit_test(other_notations), cmocka_unit_test(parse_says_where),
            cmocka_unit_test(parse_survives_broken_texts),
        cmocka_unit_test(the_format_is_what_it_was), cmocka_unit_test(load_knows_the_types),
        cmocka_unit_test(load_survives_broken_bytes), cmocka_unit_test(by_hand), cmocka_unit_test(orders_are_kept),
        cmocka_unit_test(orders_of_the_common_suffix), cmocka_unit_test(prefixes), cmocka_unit_test(differences),
        cmocka_unit_test(namespaces), cmocka_unit_test(transforms), cmocka_unit_test(paths), cmocka_unit_test(random_treedefs),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, types_begin, NULL);
}
