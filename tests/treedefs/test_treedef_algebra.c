/* Treedefs without a value: pytree/treedef.h, pytree/treedef_io.h. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "support.h"
#include "treedefs.h"
#include <float.h>
#include <math.h>

/* ---- Structs whose fields hold any tree ----------------------------------------------------------------------------- */

typedef struct AnyLinear { long long din, dout; pytree w, b; } AnyLinear;
#define PYTREE_STRUCT AnyLinear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct AnyDC { pytree x, y; const char *op; } AnyDC;
#define PYTREE_STRUCT AnyDC
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(STATIC, op)
#include "pytree_registry.h"

typedef struct AnyMixed { pytree z; long long k; pytree a; const char *j; pytree m; } AnyMixed;
#define PYTREE_STRUCT AnyMixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, z) PYTREE_FIELD(STATIC, k) PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, j) PYTREE_FIELD(DATA, m)
#include "pytree_registry.h"

typedef struct AnyOnly1 { pytree v; } AnyOnly1;
#define PYTREE_STRUCT AnyOnly1
#define PYTREE_FIELDS PYTREE_FIELD(DATA, v)
#include "pytree_registry.h"

typedef struct AnyWrap { pytree value; const char *label; bool flag; double rate; } AnyWrap;
#define PYTREE_STRUCT AnyWrap
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, flag) PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

typedef struct AnyMaybe { pytree value; const char *hint; } AnyMaybe;
#define PYTREE_STRUCT AnyMaybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, hint)
#include "pytree_registry.h"

typedef struct AnyTag { const char *name; } AnyTag;
#define PYTREE_STRUCT AnyTag
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name)
#include "pytree_registry.h"

/* Static values of every kind. */
typedef struct Inner { short level; const char *word; } Inner;
#define PYTREE_STRUCT Inner
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, level) PYTREE_FIELD(STATIC, word)
#include "pytree_registry.h"

typedef struct Statics {
    bool truth;
    char letter;
    signed char i8;
    unsigned char u8;
    short i16;
    unsigned short u16;
    int i32;
    unsigned u32;
    long long i64;
    unsigned long long u64;
    float f32;
    double f64;
    long double wide;
    pytree_f16 half;
    pytree_bf16 brain;
    Color color;
    char code[4];
    int table[2][2];
    int one[1];
    const char *word, *nothing;
    const char *words[2];
    Inner inner, inners[2], last[1];
    double (*functions[2])(double);
    double (*function)(double);
    pytree tree;
} Statics;
#define PYTREE_STRUCT Statics
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, truth) PYTREE_FIELD(STATIC, letter) PYTREE_FIELD(STATIC, i8) PYTREE_FIELD(STATIC, u8)          \
    PYTREE_FIELD(STATIC, i16) PYTREE_FIELD(STATIC, u16) PYTREE_FIELD(STATIC, i32) PYTREE_FIELD(STATIC, u32)             \
    PYTREE_FIELD(STATIC, i64) PYTREE_FIELD(STATIC, u64) PYTREE_FIELD(STATIC, f32) PYTREE_FIELD(STATIC, f64)             \
    PYTREE_FIELD(STATIC, wide) PYTREE_FIELD(STATIC, half) PYTREE_FIELD(STATIC, brain) PYTREE_FIELD(STATIC, color)       \
    PYTREE_FIELD(STATIC, code) PYTREE_FIELD(STATIC, table) PYTREE_FIELD(STATIC, one) PYTREE_FIELD(STATIC, word)         \
    PYTREE_FIELD(STATIC, nothing) PYTREE_FIELD(STATIC, words) PYTREE_FIELD(STATIC, inner)                               \
    PYTREE_FIELD(STATIC, inners) PYTREE_FIELD(STATIC, last) PYTREE_FIELD(STATIC, functions)                             \
    PYTREE_FIELD(STATIC, function) PYTREE_FIELD(DATA, tree)
#include "pytree_registry.h"

/* Wrap as it was before a row changed its type. */
typedef struct OldWrap { pytree value; const char *label; bool flag; float rate; } OldWrap;
#define PYTREE_STRUCT OldWrap
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, flag) PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

/* The descriptors under the names that the texts have: Linear is also a struct of support.h. */
enum { KNOWN_STRUCTS = 7, KNOWN_TUPLES = 4, KNOWN_TYPES = KNOWN_STRUCTS + KNOWN_TUPLES };
static pytree_type known_structs[KNOWN_STRUCTS];
static const pytree_type *known_types[KNOWN_TYPES];

#define FIELD(text) { .name = text }
static const pytree_field point_fields[] = { FIELD("x"), FIELD("y") }, pair_fields[] = { FIELD("first"), FIELD("second") };
static const pytree_field quad_fields[] = { FIELD("d"), FIELD("c"), FIELD("b"), FIELD("a") };
static const pytree_type known_tuples[KNOWN_TUPLES] = {
    { .name = "Point", .kind = PYTREE_KIND_NAMEDTUPLE, .n_fields = 2, .fields = point_fields },
    { .name = "Pair", .kind = PYTREE_KIND_NAMEDTUPLE, .n_fields = 2, .fields = pair_fields },
    { .name = "Quad", .kind = PYTREE_KIND_NAMEDTUPLE, .n_fields = 4, .fields = quad_fields },
    { .name = "Nil", .kind = PYTREE_KIND_NAMEDTUPLE }
};

static int known_types_begin(void **state)
{
    const pytree_type *any[KNOWN_STRUCTS];
    size_t i, n = 0;
    (void)state;
    any[n++] = PYTREE_TYPE(AnyLinear);
    any[n++] = PYTREE_TYPE(AnyDC);
    any[n++] = PYTREE_TYPE(AnyMixed);
    any[n++] = PYTREE_TYPE(AnyOnly1);
    any[n++] = PYTREE_TYPE(AnyWrap);
    any[n++] = PYTREE_TYPE(AnyMaybe);
    any[n++] = PYTREE_TYPE(AnyTag);
    for (i = 0; i < n; i++) {
        known_structs[i] = *any[i];
        known_structs[i].name += 3;
        known_types[i] = &known_structs[i];
    }
    for (i = 0; i < KNOWN_TUPLES; i++) { known_types[KNOWN_STRUCTS + i] = &known_tuples[i]; }
    return n == KNOWN_STRUCTS ? 0 : -1;
}

static const pytree_type *known_type(const char *name)
{
    size_t i;
    for (i = 0; i < KNOWN_STRUCTS; i++) {
        if (strcmp(known_types[i]->name, name) == 0) { return known_types[i]; }
    }
    fail_msg("no struct %s", name);
    return NULL;
}

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

static void assert_def(const pytree_def *def, const char *expected)
{
    char *text;
    assert_non_null(def);
    text = def_text(def);
    assert_string_equal(text, expected);
    free(text);
}

/* The treedef obeys its own rules: counts that fit the arities, statics in order and used up. */
static void assert_sound(const pytree_def *def)
{
    size_t i, statics = 0, leaves = 0;
    for (i = 0; i < def->n_nodes; i++) {
        const pytree_node *node = &def->nodes[i];
        size_t child = i, sum = node->type == NULL;
        uint32_t k;
        for (k = 0; k < node->arity; k++) {
            sum += def->nodes[child - 1].leaves;
            child -= def->nodes[child - 1].nodes;
        }
        assert_int_equal(node->nodes, i + 1 - child);
        assert_int_equal(node->leaves, sum);
        assert_int_equal(node->meta, node->type == NULL || node->type->kind == PYTREE_KIND_NONE ? 0 : statics);
        statics += pytree__statics_size(def, i);
        leaves += node->type == NULL;
    }
    assert_int_equal(def->n_statics, statics);
    assert_int_equal(def->n_leaves, leaves);
    assert_int_equal(def->nodes[def->n_nodes - 1].nodes, def->n_nodes);
    for (i = def->n_orders, leaves = def->n_nodes; i > 0; leaves = def->orders[i - 1], i -= 1 + def->nodes[leaves].arity) {
        const uint32_t arity = def->nodes[def->orders[i - 1]].arity;
        uint32_t k, m;
        assert_true(def->orders[i - 1] < leaves && i > arity);
        for (k = 0; k < arity; k++) {
            assert_true(def->orders[i - 2 - k] < arity);
            for (m = 0; m < k; m++) { assert_int_not_equal(def->orders[i - 2 - k], def->orders[i - 2 - m]); }
        }
    }
}

/* Equal in every way, and made in the same form. */
static void assert_same_def(const pytree_def *a, const pytree_def *b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_sound(a);
    assert_sound(b);
    assert_true(pytree_def_equal(a, b));
    assert_int_equal(pytree_def_hash(a), pytree_def_hash(b));
    assert_int_equal(a->none_is_leaf, b->none_is_leaf);
    if (a->n_statics > 0) { assert_memory_equal(a->statics, b->statics, a->n_statics); }
}

static pytree_def *must_parse(const char *text)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse(text, known_types, KNOWN_TYPES, NULL, &error);
    if (def == NULL) { pytree_error_print(stderr, &error); }
    assert_ok(error.status, &error);
    assert_non_null(def);
    assert_sound(def);
    return def;
}

/* Text and bytes give the same treedef again. */
static void assert_round_trips(const pytree_def *def, const pytree_type *const *types, size_t n)
{
    pytree_error error = { 0 };
    char *text = def_text(def);
    size_t size;
    unsigned char *bytes = saved(def, &size);
    pytree_def *parsed = pytree_def_parse(text, types, n, NULL, &error), *loaded;
    assert_ok(error.status, &error);
    assert_same_def(def, parsed);
    loaded = pytree_def_load(bytes, size, types, n, NULL, &error);
    assert_ok(error.status, &error);
    assert_same_def(def, loaded);
    pytree_def_free(parsed);
    pytree_def_free(loaded);
    free(bytes);
    free(text);
}

/* ---- By hand -------------------------------------------------------------------------------------------------------- */

static void builders_refuse(void **state)
{
    static const char *const twice[] = { "b", "a", "b" }, *const hole[] = { "a", NULL, "c" };
    pytree_options nil = { 0 };
    pytree_error error = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL);
    const pytree_def *leaves[3], *missing[2];
    AnyTag tag = { "t" };
    int number = 0;
    pytree nothing = { NULL, NULL }, no_struct = PYTREE(&number), named;
    (void)state;
    leaves[0] = leaves[1] = leaves[2] = leaf;
    missing[0] = leaf;
    missing[1] = NULL;
    nil.none_is_leaf = true;
    assert_null(pytree_def_dict(3, twice, leaves, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected different keys, got 'b' twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_odict(3, twice, leaves, NULL, &error));
    assert_string_equal(error.message, "expected different keys, got 'b' twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_namedtuple("T", 3, twice, leaves, NULL, &error));
    assert_string_equal(error.message, "expected different keys, got 'b' twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_dict(3, hole, leaves, NULL, &error));
    assert_string_equal(error.message, "expected a key for child 1, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_odict(1, NULL, leaves, NULL, &error));
    assert_string_equal(error.message, "expected a key for child 0, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_namedtuple(NULL, 0, NULL, NULL, NULL, &error));
    assert_string_equal(error.message, "expected the name of a namedtuple, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_list(2, missing, NULL, &error));
    assert_string_equal(error.message, "expected a treedef for child 1, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_list(2, leaves, &nil, &error));
    assert_string_equal(error.message, "expected a treedef in which None is a leaf, got one in which it is a node");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_struct(PYTREE(&tag), 1, leaves, NULL, &error));
    assert_string_equal(error.message, "expected 0 children of AnyTag, got 1");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_struct(nothing, 0, NULL, NULL, &error));
    assert_string_equal(error.message, "expected a registered struct, got NULL");
    memset(&error, 0, sizeof error);
    named = no_struct;
    assert_null(pytree_def_struct(named, 0, NULL, NULL, &error));
    assert_string_equal(error.message, "expected a registered struct, got int");
    assert_null(pytree_def_list(2, missing, NULL, NULL));
    pytree_def_free(leaf);
}

static void builders_need_no_children(void **state)
{
    pytree_options nil = { 0 };
    pytree_def *def;
    (void)state;
    nil.none_is_leaf = true;
    assert_def(def = pytree_def_list(0, NULL, NULL, NULL), "PyTreeDef([])");
    pytree_def_free(def);
    assert_def(def = pytree_def_tuple(0, NULL, &nil, NULL), "PyTreeDef((), NoneIsLeaf)");
    pytree_def_free(def);
    assert_def(def = pytree_def_dict(0, NULL, NULL, NULL, NULL), "PyTreeDef({})");
    pytree_def_free(def);
    assert_def(def = pytree_def_odict(0, NULL, NULL, NULL, NULL), "PyTreeDef(CustomNode(OrderedDict[()], []))");
    pytree_def_free(def);
    assert_def(def = pytree_def_namedtuple("Nil", 0, NULL, NULL, NULL, NULL), "PyTreeDef(CustomNode(namedtuple[Nil], []))");
    assert_round_trips(def, known_types, KNOWN_TYPES);
    pytree_def_free(def);
    assert_def(def = pytree_def_leaf(&nil, NULL), "PyTreeDef(*, NoneIsLeaf)");
    pytree_def_free(def);
    assert_def(def = pytree_def_none(&nil, NULL), "PyTreeDef(*, NoneIsLeaf)");
    pytree_def_free(def);
    assert_def(def = pytree_def_none(NULL, NULL), "PyTreeDef(None)");
    pytree_def_free(def);
}

/* Keys in every order with children that can be told apart: the treedef of the dict that has them. */
static void dicts_sort_children_with_keys(void **state)
{
    enum { N = 41 };
    char texts[N][8];
    const char *keys[N];
    const pytree_def *children[N];
    pytree_def *parts[3], *def;
    size_t i, k, begin;
    (void)state;
    parts[0] = must_parse("PyTreeDef(*)");
    parts[1] = must_parse("PyTreeDef({'x': [*, None]})");
    parts[2] = must_parse("PyTreeDef(CustomNode(Tag[('t',)], []))");
    for (k = 1; k < N; k++) {             /* i -> k i mod 41 goes through all */
        for (i = 0; i < N; i++) {
            size_t number = i * k % N;
            snprintf(texts[i], sizeof texts[i], "k%02u", (unsigned)number);
            keys[i] = texts[i];
            children[i] = parts[number % 3];
        }
        def = pytree_def_dict(N, keys, children, NULL, NULL);
        assert_non_null(def);
        assert_sound(def);
        for (i = 0, begin = 0; i < N; i++) {
            pytree_entry entry;
            pytree_def *child = pytree_def_child(def, (ptrdiff_t)i, NULL, NULL);
            char key[8];
            snprintf(key, sizeof key, "k%02u", (unsigned)i);
            assert_int_equal(pytree_def_entry(def, (ptrdiff_t)i, &entry, NULL), PYTREE_OK);
            assert_string_equal(entry.name, key);
            assert_same_def(child, parts[i % 3]);
            begin += child->n_nodes;
            pytree_def_free(child);
        }
        assert_int_equal(begin + 1, def->n_nodes);
        pytree_def_free(def);
    }
    for (i = 0; i < 3; i++) { pytree_def_free(parts[i]); }
}

static void structs_take_their_static_values(void **state)
{
    Linear layer = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *def;
    const pytree_def *leaves[2];
    (void)state;
    layer.din = 784;
    layer.dout = 10;
    leaves[0] = leaves[1] = leaf;
    def = pytree_def_struct(PYTREE(&layer), 2, leaves, NULL, NULL);
    assert_def(def, "PyTreeDef(CustomNode(Linear[(784, 10)], [*, *]))");
    pytree_def_free(def);
    pytree_def_free(leaf);
}

/* ---- Transform ------------------------------------------------------------------------------------------------------ */

typedef struct Log { char text[400]; } Log;

static pytree_status log_part(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    Log *log = context;
    char *text = def_text(part);
    (void)err;
    assert_null(*result);
    assert_true(strlen(log->text) + strlen(text) < sizeof log->text);
    strcat(log->text, text + strlen("PyTreeDef"));
    free(text);
    return PYTREE_OK;
}

static pytree_status to_pair(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)context;
    (void)part;
    (void)err;
    *result = must_parse("PyTreeDef((*, {'b': *}))");
    return PYTREE_OK;
}

static pytree_status lists_to_tuples(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)context;
    if (pytree_def_kind(part) == PYTREE_KIND_LIST) {
        const pytree_def *leaves[8];
        size_t i, n = pytree_def_num_children(part);
        pytree_def *leaf = pytree_def_leaf(NULL, err);
        assert_true(n <= 8);
        for (i = 0; i < n; i++) { leaves[i] = leaf; }
        *result = pytree_def_tuple(n, leaves, NULL, err);
        pytree_def_free(leaf);
        return *result == NULL ? err->status : PYTREE_OK;
    }
    return PYTREE_OK;
}

static pytree_status refuse(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)part;
    *result = must_parse("PyTreeDef(*)");            /* is freed all the same */
    return context == NULL ? PYTREE_STOPPED : pytree_fail(err, PYTREE_VALUE, ".here", "no %s", (const char *)context);
}

static void transform_replaces_nodes_and_leaves(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([*, {'k': [None, *]}, CustomNode(DC[('op',)], [*, []])])"), *made;
    Log log = { { 0 } };
    (void)state;
    made = pytree_def_transform(def, log_part, log_part, &log, NULL, NULL);
    assert_string_equal(log.text, "(*)(None)(*)([*, *])({'k': *})(*)([])(CustomNode(DC[('op',)], [*, *]))([*, *, *])");
    assert_same_def(made, def);
    pytree_def_free(made);
    made = pytree_def_transform(def, NULL, NULL, NULL, NULL, NULL);
    assert_same_def(made, def);
    pytree_def_free(made);
    made = pytree_def_transform(def, lists_to_tuples, NULL, NULL, NULL, NULL);
    assert_def(made, "PyTreeDef((*, {'k': (None, *)}, CustomNode(DC[('op',)], [*, ()])))");
    assert_sound(made);
    pytree_def_free(made);
    made = pytree_def_transform(def, lists_to_tuples, to_pair, NULL, NULL, NULL);
    assert_def(made, "PyTreeDef(((*, {'b': *}), {'k': (None, (*, {'b': *}))}, CustomNode(DC[('op',)], [(*, {'b': *}), ()])))");
    assert_sound(made);
    pytree_def_free(made);
    pytree_def_free(def);
}

static void transform_checks_results(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([*, (*,)])");
    pytree_options nil = { 0 };
    pytree_error error = { 0 };
    char word[] = "reason";
    (void)state;
    nil.none_is_leaf = true;
    assert_null(pytree_def_transform(def, to_pair, NULL, NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected a node of 1 leaves in place of a tuple, got 4 nodes and 2 leaves");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_transform(def, NULL, refuse, NULL, NULL, &error));
    assert_error(error.status, PYTREE_STOPPED, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_transform(def, refuse, NULL, word, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".here", &error);
    assert_string_equal(error.message, "no reason");
    memset(&error, 0, sizeof error);
    pytree_def_free(def);
    def = pytree_def_leaf(&nil, NULL);
    assert_null(pytree_def_transform(def, NULL, to_pair, NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
}

static void combinations_refuse_other_switches(void **state)
{
    pytree_options nil = { 0 };
    pytree_def *a = pytree_def_leaf(NULL, NULL), *b;
    pytree_error error = { 0 };
    pytree_def_error_list *list;
    (void)state;
    nil.none_is_leaf = true;
    b = pytree_def_leaf(&nil, NULL);
    assert_null(pytree_def_compose(a, b, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_common_suffix(a, b, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_def_is_prefix(a, b, false, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    list = pytree_def_differences(a, b, NULL, NULL);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->errors[0].kind, PYTREE_DIFFERENT_METADATA);
    assert_string_equal(list->errors[0].path, "");
    assert_string_equal(list->errors[0].a, "None is a node");
    assert_string_equal(list->errors[0].b, "None is a leaf");
    assert_string_equal(list->errors[0].missing, "");
    assert_string_equal(list->errors[0].extra, "");
    pytree_def_errors_free(list);
    list = pytree_def_differences(b, a, NULL, NULL);
    assert_string_equal(list->errors[0].a, "None is a leaf");
    assert_string_equal(list->errors[0].b, "None is a node");
    pytree_def_errors_free(list);
    pytree_def_errors_free(NULL);
    pytree_def_free(a);
    pytree_def_free(b);
}

/* 2^16 leaves, each to be replaced by 2^16: the count is known before there is memory for it. */
static void compose_checks_the_size(void **state)
{
    enum { N = 1 << 16 };
    const pytree_def **leaves = malloc(N * sizeof *leaves);
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *wide;
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    size_t i;
    (void)state;
    assert_non_null(leaves);
    for (i = 0; i < N; i++) { leaves[i] = leaf; }
    wide = pytree_def_tuple(N, leaves, NULL, NULL);
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_null(pytree_def_compose(wide, wide, &opt, &error));
    assert_error(error.status, PYTREE_OVERFLOW, "", &error);
    assert_int_equal(heap.calls, 0);
    pytree_def_free(wide);
    pytree_def_free(leaf);
    free(leaves);
}

/* ---- Comparison ----------------------------------------------------------------------------------------------------- */

static void errors_in_words(void **state)
{
    static const struct { pytree_mismatch kind; const char *path, *a, *b, *missing, *extra; } expected[] = {
        { PYTREE_DIFFERENT_TYPES, "[0]", "leaf", "None", "", "" },
        { PYTREE_DIFFERENT_LENGTHS, "[1]['k']", "list of length 1", "list of length 2", "", "" },
        { PYTREE_DIFFERENT_METADATA, "[2]", "DC[('a',)]", "DC[('b',)]", "", "" },
        { PYTREE_DIFFERENT_KEYS, "[3]", "dict with keys 'b', \"it's\"", "dict with keys 'a', 'b'", "\"it's\"", "'a'" },
        { PYTREE_DIFFERENT_METADATA, "[4]", "OrderedDict with keys 'b', 'a'", "OrderedDict with keys 'a', 'b'", "", "" },
        { PYTREE_DIFFERENT_TYPES, "[5].x", "Point(x, y)", "Pair(first, second)", "", "" },
        { PYTREE_DIFFERENT_TYPES, "[5].y", "dict without keys", "tuple of length 0", "", "" },
        { PYTREE_DIFFERENT_TYPES, "[6].x", "Tag[('t',)]", "leaf", "", "" },
        { PYTREE_DIFFERENT_KEYS, "[7]", "OrderedDict without keys", "OrderedDict with keys 'z'", "", "'z'" }
    };
    pytree_def *a = must_parse("PyTreeDef([*, {'k': [*]}, CustomNode(DC[('a',)], [*, *]), {'b': *, \"it's\": [*]}, "
                               "CustomNode(OrderedDict[('b', 'a')], [*, *]), CustomNode(namedtuple[Point], "
                               "[CustomNode(namedtuple[Point], [*, *]), {}]), "
                               "CustomNode(DC[('c',)], [CustomNode(Tag[('t',)], []), *]), CustomNode(OrderedDict[()], [])])");
    pytree_def *b = must_parse("PyTreeDef([None, {'k': [*, *]}, CustomNode(DC[('b',)], [*, [*]]), {'a': *, 'b': *}, "
                               "CustomNode(OrderedDict[('a', 'b')], [*, *]), CustomNode(namedtuple[Point], "
                               "[CustomNode(namedtuple[Pair], [*, *]), ()]), "
                               "CustomNode(DC[('c',)], [*, *]), CustomNode(OrderedDict[('z',)], [*])])");
    pytree_def_error_list *list = pytree_def_differences(a, b, NULL, NULL);
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_non_null(list);
    assert_int_equal(list->n, COUNT_OF(expected));
    for (i = 0; i < list->n; i++) {
        assert_int_equal(list->errors[i].kind, expected[i].kind);
        assert_string_equal(list->errors[i].path, expected[i].path);
        assert_string_equal(list->errors[i].a, expected[i].a);
        assert_string_equal(list->errors[i].b, expected[i].b);
        assert_string_equal(list->errors[i].missing, expected[i].missing);
        assert_string_equal(list->errors[i].extra, expected[i].extra);
    }
    pytree_def_errors_free(list);
    assert_false(pytree_def_is_prefix(a, b, false, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[1]['k']", &error);
    assert_string_equal(error.message, "different lengths: expected list of length 1, got list of length 2");
    list = pytree_def_differences(a, a, NULL, NULL);
    assert_int_equal(list->n, 0);
    pytree_def_errors_free(list);
    assert_string_equal(pytree_mismatch_name((pytree_mismatch)99), "unknown");
    pytree_def_free(a);
    pytree_def_free(b);
}

/* Namedtuples of one name with other fields are other types. */
static void namedtuples_compare_by_fields(void **state)
{
    static const char *const xy[] = { "x", "y" }, *const yx[] = { "y", "x" };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *a, *b;
    pytree_def_error_list *list;
    const pytree_def *leaves[2];
    (void)state;
    leaves[0] = leaves[1] = leaf;
    a = pytree_def_namedtuple("P", 2, xy, leaves, NULL, NULL);
    b = pytree_def_namedtuple("P", 2, yx, leaves, NULL, NULL);
    list = pytree_def_differences(a, b, NULL, NULL);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->errors[0].kind, PYTREE_DIFFERENT_TYPES);
    assert_string_equal(list->errors[0].a, "P(x, y)");
    assert_string_equal(list->errors[0].b, "P(y, x)");
    assert_false(pytree_def_is_prefix(a, b, false, NULL, NULL));
    pytree_def_errors_free(list);
    pytree_def_free(a);
    pytree_def_free(b);
    pytree_def_free(leaf);
}

static void dicts_match_in_any_order(void **state)
{
    pytree_def *dict = must_parse("PyTreeDef([{'a': *, 'b': [*], 'c': *}])");
    pytree_def *ordered = must_parse("PyTreeDef([CustomNode(OrderedDict[('c', 'a', 'b')], [(*, *), {'z': *}, [*]])])");
    pytree_def *other = must_parse("PyTreeDef([CustomNode(OrderedDict[('b', 'c', 'a')], [*, *, None])])"), *common;
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_def_is_prefix(dict, ordered, true, NULL, NULL));
    assert_false(pytree_def_is_prefix(ordered, dict, false, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[0]['c']", &error);
    assert_true(pytree_def_is_suffix(ordered, dict, false, NULL, NULL));
    common = pytree_def_common_suffix(dict, ordered, NULL, NULL);
    assert_def(common, "PyTreeDef([{'a': {'z': *}, 'b': [*], 'c': (*, *)}])");
    assert_sound(common);
    pytree_def_free(common);
    common = pytree_def_common_suffix(ordered, dict, NULL, NULL);
    assert_same_def(common, ordered);
    pytree_def_free(common);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_common_suffix(ordered, other, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[0]['a']", &error);
    assert_string_equal(error.message, "different types: expected dict with keys 'z', got None");
    pytree_def_free(dict);
    pytree_def_free(ordered);
    pytree_def_free(other);
}

/* ---- Paths ----------------------------------------------------------------------------------------------------------- */

static void leaf_paths_are_those_of_the_texts(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([*, {'a': (*, None, *), 'b': []}, CustomNode(Mixed[(1, 'j')], [*, "
                                 "CustomNode(namedtuple[Quad], "
                                 "[*, *, [[*]], *]), *]), CustomNode(OrderedDict[('y', 'x')], [*, *])])");
    size_t count, i, k;
    const char **paths = pytree_def_paths(def, NULL, &count, NULL, NULL);
    pytree_entry entries[8];
    (void)state;
    assert_int_equal(count, def->n_leaves);
    for (i = 0; i < count; i++) {
        char text[200];
        struct pytree__text_writer to = { text, sizeof text - 1, 0, NULL };
        size_t n = pytree_def_leaf_path(def, i, entries, COUNT_OF(entries));
        assert_in_range(n, 1, COUNT_OF(entries));
        assert_int_equal(pytree_def_leaf_path(def, i, NULL, 0), n);
        for (k = 0; k < n; k++) { pytree__put_entry(&to, &entries[k], NULL, k == 0); }
        text[to.length] = '\0';
        assert_string_equal(text, paths[i]);
    }
    assert_string_equal(paths[6], "[2].a.b[0][0]");
    assert_string_equal(paths[count - 1], "[3]['x']");
    assert_int_equal(pytree_def_leaf_path(def, count, entries, COUNT_OF(entries)), SIZE_MAX);
    pytree_paths_free(paths);
    pytree_def_free(def);
    def = pytree_def_leaf(NULL, NULL);
    assert_int_equal(pytree_def_leaf_path(def, 0, entries, COUNT_OF(entries)), 0);
    pytree_def_free(def);
    def = pytree_def_none(NULL, NULL);
    paths = pytree_def_paths(def, NULL, &count, NULL, NULL);
    assert_non_null(paths);
    assert_int_equal(count, 0);
    pytree_paths_free(paths);
    pytree_def_free(def);
}

/* The same texts as from the value. */
static void paths_are_those_of_the_value(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, NULL);
    size_t i, n, m;
    const char **of_def = pytree_def_paths(def, NULL, &n, NULL, NULL), **of_value =
        pytree_paths(PYTREE(&model), NULL, &m, NULL, NULL);
    (void)state;
    assert_int_equal(n, m);
    for (i = 0; i < n; i++) { assert_string_equal(of_def[i], of_value[i]); }
    pytree_paths_free(of_def);
    pytree_paths_free(of_value);
    pytree_def_free(def);
    mlp_clear(&model);
}

/* ---- Text ------------------------------------------------------------------------------------------------------------ */

static void parse_takes_space_and_any_key_order(void **state)
{
    pytree_def *a = must_parse(" PyTreeDef (\n  [ * ,\t{ 'b' : * , 'a' : [ ] } , ( * , ) ,\r\n CustomNode( Linear[ (1 ,2) ] , "
                               "[ *, * ] ) ] , NoneIsLeaf ) \n");
    pytree_def *b = must_parse("PyTreeDef([*, {'a': [], 'b': *}, (*,), CustomNode(Linear[(1, 2)], [*, *])], NoneIsLeaf)");
    (void)state;
    assert_same_def(a, b);
    assert_true(a->none_is_leaf);
    pytree_def_free(a);
    pytree_def_free(b);
}

static void parse_reads_escapes(void **state)
{
    pytree_def *def = must_parse("PyTreeDef(CustomNode(OrderedDict[('\\x41', \"\\u00e9'\", '\\U0001f600', "
                                 "'\\a\\b\\f\\v\\'\\\"\\\\', '\\udcff')], [*, *, *, *, *]))");
    static const char *const keys[] = { "A", "\xC3\xA9'", "\xF0\x9F\x98\x80", "\a\b\f\v'\"\\", "\xFF" };
    pytree_entry entry;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(keys); i++) {
        assert_int_equal(pytree_def_entry(def, (ptrdiff_t)i, &entry, NULL), PYTREE_OK);
        assert_string_equal(entry.name, keys[i]);
    }
    assert_round_trips(def, NULL, 0);
    pytree_def_free(def);
}

static void parse_says_where_and_what(void **state)
{
    static const struct { const char *text; pytree_status status; const char *message; } cases[] = {
        { "", PYTREE_SYNTAX, "line 1, column 1: expected 'PyTreeDef', got the end" },
        { "PyTreeDef", PYTREE_SYNTAX, "line 1, column 10: expected '(', got the end" },
        { "PyTreeDef(", PYTREE_SYNTAX, "line 1, column 11: expected *, None, [, (, { or CustomNode(, got the end" },
        { "PyTreeDef()", PYTREE_SYNTAX, "line 1, column 11: expected *, None, [, (, { or CustomNode(, got ')'" },
        { "PyTreeDef(*", PYTREE_SYNTAX, "line 1, column 12: expected ')', got the end" },
        { "PyTreeDef(*) *", PYTREE_SYNTAX, "line 1, column 14: expected the end, got '*'" },
        { "PyTreeDef(*, Nothing)", PYTREE_SYNTAX, "line 1, column 14: expected 'NoneIsLeaf', got 'Nothing'" },
        { "PyTreeDef([\n  *,\n  None], NoneIsLeaf)", PYTREE_SYNTAX,
          "line 3, column 3: expected * (with NoneIsLeaf, None is a leaf), got 'None'" },
        { "PyTreeDef([*)", PYTREE_SYNTAX, "line 1, column 13: expected ',' or ']', got ')'" },
        { "PyTreeDef([*,])", PYTREE_SYNTAX, "line 1, column 14: expected *, None, [, (, { or CustomNode(, got ']'" },
        { "PyTreeDef((*))", PYTREE_SYNTAX, "line 1, column 13: expected ',', got ')'" },
        { "PyTreeDef((*, *,))", PYTREE_SYNTAX, "line 1, column 17: expected *, None, [, (, { or CustomNode(, got ')'" },
        { "PyTreeDef((, *))", PYTREE_SYNTAX, "line 1, column 12: expected *, None, [, (, { or CustomNode(, got ','" },
        { "PyTreeDef({*})", PYTREE_SYNTAX, "line 1, column 12: expected a key in quotes or '}', got '*'" },
        { "PyTreeDef({'a': *, })", PYTREE_SYNTAX, "line 1, column 20: expected a key in quotes, got '}'" },
        { "PyTreeDef({'a' *})", PYTREE_SYNTAX, "line 1, column 16: expected ':', got '*'" },
        { "PyTreeDef({'a': *, 'b': *, 'a': *})", PYTREE_SYNTAX,
          "line 1, column 34: expected different keys before this, got '}'" },
        { "PyTreeDef({'a: *})", PYTREE_SYNTAX, "line 1, column 19: expected the closing ', got the end" },
        { "PyTreeDef({\"a\n\": *})", PYTREE_SYNTAX, "line 1, column 14: expected the closing \", got byte 0x0a" },
        { "PyTreeDef({'\\q': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\x0': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\x00': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\ud800': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\U00110000': *})", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\\", PYTREE_SYNTAX,
          "line 1, column 13: expected an escape such as \\n, \\x1b or \\u200b, and not NUL, got '\\'" },
        { "PyTreeDef({'\xC3\xA9': *, 1: *})", PYTREE_SYNTAX, "line 1, column 20: expected a key in quotes, got '1'" },
        { "PyTreeDef(\x01)", PYTREE_SYNTAX, "line 1, column 11: expected *, None, [, (, { or CustomNode(, got byte 0x01" },
        { "PyTreeDef(aVeryLongWordThatGoesOnAndOn)", PYTREE_SYNTAX,
          "line 1, column 11: expected *, None, [, (, { or CustomNode(, got 'aVeryLongWordThatGoe...'" },
        { "PyTreeDef(CustomNode([", PYTREE_SYNTAX, "line 1, column 22: expected the name of a type, got '['" },
        { "PyTreeDef(CustomNode(Foo[()], []))", PYTREE_NOT_FOUND,
          "line 1, column 22: expected OrderedDict, defaultdict, namedtuple or one of the given structs, got 'Foo'" },
        { "PyTreeDef(CustomNode(namedtuple[Foo], []))", PYTREE_NOT_FOUND,
          "line 1, column 33: expected one of the given namedtuples, got 'Foo'" },
        { "PyTreeDef(CustomNode(namedtuple[Point], [*]))", PYTREE_SYNTAX,
          "line 1, column 43: expected 2 children, after 1, got ']'" },
        { "PyTreeDef(CustomNode(DC[('a',)], [*, *, *]))", PYTREE_SYNTAX,
          "line 1, column 42: expected 2 children, after 3, got ']'" },
        { "PyTreeDef(CustomNode(DC[('a',)], [*, *])", PYTREE_SYNTAX, "line 1, column 41: expected ')', got the end" },
        { "PyTreeDef(CustomNode(DC[('a')], [*, *]))", PYTREE_SYNTAX, "line 1, column 29: expected ',)', got ')'" },
        { "PyTreeDef(CustomNode(DC[(1,)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 26: expected a text in quotes or None, got '1'" },
        { "PyTreeSpec(Point(x=*, \xE3\x86=*))", PYTREE_SYNTAX,
          "line 1, column 23: expected the name of a field, got byte 0xe3" },
        { "PyTreeSpec(Point(x=*, y\xFF=*))", PYTREE_SYNTAX, "line 1, column 24: expected '=', got byte 0xff" },
        { "PyTreeDef(CustomNode(Linear[(1,)], [*, *]))", PYTREE_SYNTAX, "line 1, column 32: expected an integer, got ')'" },
        { "PyTreeDef(CustomNode(Linear[(1, 9223372036854775808)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 33: expected an integer that fits i64, got '9223372036854775808'" },
        { "PyTreeDef(CustomNode(Linear[(1, 99999999999999999999999999999)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 33: expected an integer that fits i64, got '99999999999999999999...'" },
        { "PyTreeDef(CustomNode(Linear[(1, -9223372036854775809)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 33: expected an integer that fits i64, got '-'" },
        { "PyTreeDef(CustomNode(Wrap[('a', true, 1.0)], [*]))", PYTREE_SYNTAX,
          "line 1, column 33: expected True or False, got 'true'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, .5)], [*]))", PYTREE_SYNTAX, "line 1, column 39: expected a number, got '.'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 1.e5)], [*]))", PYTREE_SYNTAX,
          "line 1, column 39: expected a number, got '1'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 1e)], [*]))", PYTREE_SYNTAX,
          "line 1, column 39: expected a number, got '1e'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 0x1p3)], [*]))", PYTREE_SYNTAX,
          "line 1, column 40: expected ')', got 'x1p3'" },
        { "PyTreeDef(CustomNode(Wrap[('a', True, 1e999)], [*]))", PYTREE_SYNTAX,
          "line 1, column 39: expected a number that f64 has, got '1e999'" },
        { "PyTreeDef(CustomNode(OrderedDict[('a', 'b')], [*]))", PYTREE_SYNTAX,
          "line 1, column 49: expected 2 children, after 1, got ']'" },
        { "PyTreeDef(CustomNode(OrderedDict[('a', 'a')], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 52: expected different keys before this, got ']'" },
        { "PyTreeDef(CustomNode(OrderedDict[('a', 'b',)], [*, *]))", PYTREE_SYNTAX,
          "line 1, column 44: expected a key in quotes, got ')'" },
        { "PyTreeDef(CustomNode(OrderedDict['a'], [*]))", PYTREE_SYNTAX, "line 1, column 34: expected '(', got '''" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        Heap heap;
        pytree_options opt = { 0 };
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_null(pytree_def_parse(cases[i].text, known_types, KNOWN_TYPES, &opt, &error));
        assert_string_equal(error.message, cases[i].message);
        assert_error(error.status, cases[i].status, "", &error);
        assert_heap_clean(&heap);
    }
    {
        pytree_error error = { 0 };
        assert_null(pytree_def_parse(NULL, NULL, 0, NULL, &error));
        assert_error(error.status, PYTREE_ARGUMENT, "", &error);
        assert_null(pytree_def_parse("PyTreeDef(", NULL, 0, NULL, NULL));
    }
}

static const char sample_text[] =
    "PyTreeDef([CustomNode(Wrap[('it\\'s \"\\u200b\"', True, -1.5e-07)], [{'a': *, 'b': (None, (*,))}]), "
    "CustomNode(OrderedDict[('z', 'y')], "
    "[CustomNode(namedtuple[Point], [*, []]), CustomNode(Linear[(-7, 784)], [*, *])]), CustomNode(Maybe[(None,)], "
    "[CustomNode(Linear[(1, 2)], [*, {}])])])";

/* Every beginning of a text, and every text with one byte changed, is refused or read as a sound treedef. */
static void parse_survives_broken_text(void **state)
{
    static const char bytes[] = "*()[]{},:'\"\\None0-\x01\xFF";
    char text[sizeof sample_text];
    size_t i, k;
    (void)state;
    for (i = 0; i + 1 < sizeof sample_text; i++) {
        pytree_error error = { 0 };
        memcpy(text, sample_text, i);
        text[i] = '\0';
        assert_null(pytree_def_parse(text, known_types, KNOWN_TYPES, NULL, &error));
        assert_int_not_equal(error.status, PYTREE_OK);
    }
    for (i = 0; i + 1 < sizeof sample_text; i++) {
        for (k = 0; k + 1 < sizeof bytes; k++) {
            pytree_error error = { 0 };
            pytree_def *def;
            memcpy(text, sample_text, sizeof text);
            text[i] = bytes[k];
            def = pytree_def_parse(text, known_types, KNOWN_TYPES, NULL, &error);
            assert_int_equal(def == NULL, error.status != PYTREE_OK);
            if (def != NULL) {
                assert_sound(def);
                assert_round_trips(def, known_types, KNOWN_TYPES);
                pytree_def_free(def);
            }
        }
    }
}

/* ---- Static values of every kind -------------------------------------------------------------------------------------- */

static Statics statics_make(void)
{
    Statics s;
    memset(&s, 0, sizeof s);
    s.truth = true;
    s.letter = 'Q';
    s.i8 = SCHAR_MIN;
    s.u8 = UCHAR_MAX;
    s.i16 = SHRT_MIN;
    s.u16 = USHRT_MAX;
    s.i32 = INT_MIN;
    s.u32 = UINT_MAX;
    s.i64 = LLONG_MIN;
    s.u64 = ULLONG_MAX;
    s.f32 = 0.1f;
    s.f64 = -1.0 / 3.0;
    s.wide = 0.375L;
    s.half.bits = 0xB555;
    s.brain.bits = 0x3F9E;
    s.color = BLUE;
    memcpy(s.code, "ab\0d", 4);
    s.table[0][0] = 1;
    s.table[0][1] = -2;
    s.table[1][0] = 3;
    s.table[1][1] = -4;
    s.one[0] = 5;
    s.word = "caf\xC3\xA9 \"'\n";
    s.words[0] = "";
    s.words[1] = NULL;
    s.inner.level = -3;
    s.inner.word = "deep";
    s.inners[0].level = 1;
    s.inners[1].level = 2;
    s.inners[1].word = "deeper";
    s.tree = PYTREE_NONE;
    return s;
}

static pytree_def *statics_def(const Statics *s, pytree_error *err)
{
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *def;
    const pytree_def *children[1];
    children[0] = leaf;
    def = pytree_def_struct(PYTREE(s), 1, children, NULL, err);
    pytree_def_free(leaf);
    return def;
}

static void static_values_of_every_kind_round_trip(void **state)
{
    const double floats[] = { 0.0, -0.0, 1e16, 123456789012345680.0, 5e-324, 1.7976931348623157e308, 0.1, 1e-5, HUGE_VAL,
                              -HUGE_VAL };
    const pytree_type *types[1];
    Statics s = statics_make();
    pytree_def *def;
    size_t i;
    uint32_t bits;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    def = statics_def(&s, NULL);
    assert_non_null(def);
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
    for (i = 0; i < COUNT_OF(floats); i++) {
        s.f64 = floats[i];
        s.f32 = floats[i] > 1e38 ? HUGE_VALF : (float)floats[i];
        if (!under_valgrind()) { s.wide = (long double)floats[i]; }
        def = statics_def(&s, NULL);
        assert_round_trips(def, types, 1);
        pytree_def_free(def);
    }
    for (bits = 0; bits < 0x10000; bits += 37) {      /* 16-bit floats that are numbers */
        s.half.bits = (bits & 0x7C00) == 0x7C00 ? 0x7C00 : (uint16_t)bits;
        s.brain.bits = (bits & 0x7F80) == 0x7F80 ? 0xFF80 : (uint16_t)bits;
        def = statics_def(&s, NULL);
        assert_round_trips(def, types, 1);
        pytree_def_free(def);
    }
    s.half.bits = 0x7E00;
    s.brain.bits = 0x7FC0;
    s.f32 = strtof("nan", NULL);          /* without a sign, which NAN has with some compilers */
    s.f64 = strtod("nan", NULL);
    s.wide = strtold("nan", NULL);
    def = statics_def(&s, NULL);
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
}

#if TEST_HAS_COMPLEX
typedef struct Phases {
    float _Complex c64;
    double _Complex pair[2];
    long double _Complex wide;
} Phases;
#define PYTREE_STRUCT Phases
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, c64) PYTREE_FIELD(STATIC, pair) PYTREE_FIELD(STATIC, wide)
#include "pytree_registry.h"

static void complex_static_values_round_trip(void **state)
{
    static const float c64[] = { 1.5f, -0.1f };
    static const double pair[] = { -0.0, 1e300, 3.0, -4.0 };
    static const long double wide[] = { 0.5L, -2.25L };
    const pytree_type *types[1];
    Phases phases;
    pytree_def *def;
    pytree_error error = { 0 };
    (void)state;
    memset(&phases, 0, sizeof phases);
    memcpy(&phases.c64, c64, sizeof c64);
    memcpy(phases.pair, pair, sizeof pair);
    memcpy(&phases.wide, wide, sizeof wide);
    types[0] = PYTREE_TYPE(Phases);
    def = pytree_def_struct(PYTREE(&phases), 0, NULL, NULL, NULL);
    assert_def(def, "PyTreeDef(CustomNode(Phases[((1.5-0.1j), ((-0+1e+300j), (3-4j)), (0.5-2.25j))], []))");
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
    memset(&phases, 0, sizeof phases);                          /* without a real part: no parentheses */
    memcpy(phases.pair, (const double[]){ 0.0, 1.0, 0.0, -3.5 }, sizeof phases.pair);
    def = pytree_def_struct(PYTREE(&phases), 0, NULL, NULL, NULL);
    assert_def(def, "PyTreeDef(CustomNode(Phases[(0j, (1j, -3.5j), 0j)], []))");
    assert_round_trips(def, types, 1);
    pytree_def_free(def);
    assert_null(pytree_def_parse("PyTreeDef(CustomNode(Phases[((1.5), 1, 2)], []))", types, 1, NULL, &error));
    assert_string_equal(error.message, "line 1, column 34: expected '+', got ')'");
}
#endif

/* Digits of a long double that no double has are kept in bytes. */
static void long_doubles_keep_their_digits_in_bytes(void **state)
{
    const long double values[] = { 1.0L / 3.0L, -LDBL_MAX, LDBL_MIN, LDBL_MIN * LDBL_EPSILON, -0.0L, 1.0L + LDBL_EPSILON };
    const pytree_type *types[1];
    size_t i, size;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    if (under_valgrind()) { return; }
    for (i = 0; i < COUNT_OF(values); i++) {
        Statics s = statics_make();
        pytree_def *def, *loaded;
        unsigned char *bytes;
        s.wide = values[i];
        def = statics_def(&s, NULL);
        bytes = saved(def, &size);
        loaded = pytree_def_load(bytes, size, types, 1, NULL, NULL);
        assert_same_def(def, loaded);
        pytree_def_free(def);
        pytree_def_free(loaded);
        free(bytes);
    }
}

static void addresses_stay_in_the_process(void **state)
{
    const pytree_type *types[1];
    Statics s = statics_make();
    pytree_error error = { 0 };
    pytree_def *def;
    char *text;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    s.function = fabs;
    def = statics_def(&s, NULL);
    assert_int_equal(pytree_def_save(def, NULL, 0, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    text = def_text(def);
    assert_null(pytree_def_parse(text, types, 1, NULL, &error));
    assert_error(error.status, PYTREE_SYNTAX, "", &error);
    assert_non_null(strstr(error.message, "no other address can be read back"));
    free(text);
    pytree_def_free(def);
}

/* Text of one wrong static value at a time. */
static void static_values_must_fit(void **state)
{
    static const struct { const char *right, *wrong, *expected; } cases[] = {
        { "-128", "-129", "an integer that fits i8" }, { "-128", "128", "an integer that fits i8" },
        { "255", "256", "an integer that fits u8" }, { "255", "-1", "an integer that fits u8" },
        { "-32768", "32768", "an integer that fits i16" }, { "65535", "65536", "an integer that fits u16" },
        { "-2147483648", "2147483648", "an integer that fits i32" }, { "4294967295", "4294967296", "an integer that fits u32" },
        { "18446744073709551615", "18446744073709551616", "an integer that fits u64" },
        { "0.1,", "1e39,", "a number that f32 has" }, { "(1, -2, 3, -4)", "(1, -2, 3)", "','" },
            { "(1, -2, 3, -4)", "[1, -2, 3, -4]", "'('" },
        { "(5,)", "(5)", "',)'" }, { "Inner(level=-3", "Inner(word=-3", "'level'" }, { "Inner(", "Outer(", "'Inner'" },
        { "<address 0x0>", "<address 0x10>", "<address 0x0>" }, { "True", "1", "True or False" }
    };
    Statics s = statics_make();
    const pytree_type *types[1];
    pytree_def *def = statics_def(&s, NULL);
    char *text = def_text(def), *wrong = malloc(strlen(text) + 100);
    size_t i;
    (void)state;
    types[0] = PYTREE_TYPE(Statics);
    assert_non_null(wrong);
    for (i = 0; i < COUNT_OF(cases); i++) {
        const char *at = strstr(text, cases[i].right);
        pytree_error error = { 0 };
        assert_non_null(at);
        memcpy(wrong, text, (size_t)(at - text));
        strcpy(wrong + (at - text), cases[i].wrong);
        strcat(wrong, at + strlen(cases[i].right));
        assert_null(pytree_def_parse(wrong, types, 1, NULL, &error));
        assert_int_equal(error.status, PYTREE_SYNTAX);
        if (strstr(error.message, cases[i].expected) == NULL) {
            fail_msg("'%s' in place of '%s': %s", cases[i].wrong, cases[i].right, error.message);
        }
    }
    free(wrong);
    free(text);
    pytree_def_free(def);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------------ */

/* The format is what files have: it must not change. */
static void the_format_is_what_it_was(void **state)
{
    static const unsigned char expected[] = {
        'p', 'y', 't', 'r', 'e', 'e', 'd', 'f', 2, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0,
        0, 1, 4, 2, 0, 0, 0, 2, 0, 0, 0, 'a', 2, 0, 0, 0, 'b',                                  /* {'a': *, 'b': None} */
        0, 3, 1, 0, 0, 0,                                                                       /* (*,) */
        0, 5, 1, 0, 0, 0, 1, 0, 0, 0,                                                           /* an ordered dict, key '' */
        8, 4, 0, 0, 0, 'T', 'a', 'g', 16, 0, 0, 0, 's', 't', 'a', 't', 'i', 'c', ' ', 'n', 'a', 'm', 'e', ' ', 's', 't', 'r',
        3, 0, 0, 0, 'h', 'i',
        7, 0, 0, 0, 0, 0, 0, 0, 0,                                                              /* name NULL */
        6, 4, 0, 0, 0, 'N', 'i', 'l', 0, 0, 0, 0,
        2, 6, 0, 0, 0
    };
    pytree_def *def = must_parse("PyTreeDef([{'a': *, 'b': None}, (*,), CustomNode(OrderedDict[('',)], [*]), "
                                 "CustomNode(Tag[('hi',)], []), "
                                 "CustomNode(Tag[(None,)], []), CustomNode(namedtuple[Nil], [])])");
    size_t size;
    unsigned char *bytes = saved(def, &size), *some;
    (void)state;
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    some = malloc(size + 1);
    assert_non_null(some);
    some[size - 1] = 0x5A;                /* what does not fit is not written */
    assert_int_equal(pytree_def_save(def, some, size - 1, NULL, NULL), size);
    assert_int_equal(some[size - 1], 0x5A);
    free(some);
    free(bytes);
    pytree_def_free(def);
}

/* Numbers in little-endian order, floats as IEEE 754 has them, long doubles in 24 bytes. */
static void numbers_are_saved_in_one_order(void **state)
{
    static const unsigned char truth_to_u16[] = { 1, 'Q', 0x80, 0xFF, 0x00, 0x80, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x80 };
    static const unsigned char wide[] = { 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const unsigned char one_and_half[] = { 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0 };
    Statics s = statics_make();
    pytree_def *def;
    unsigned char *bytes;
    size_t size, at = 20 + 1 + 1 + 4 + strlen("Statics");
    (void)wide;
    (void)state;
    s.wide = -1.5L;
    s.f64 = 1.0;
    def = statics_def(&s, NULL);
    bytes = saved(def, &size);
    assert_int_equal(bytes[at + 2] | bytes[at + 3], 0);
    at += 4 + (size_t)(bytes[at] | bytes[at + 1] << 8) - 1;        /* the rows as text */
    assert_memory_equal(bytes + at, truth_to_u16, sizeof truth_to_u16);
    at += 1 + 1 + 1 + 1 + 2 + 2 + 4 + 4 + 8 + 8 + 4;
    assert_memory_equal(bytes + at, "\0\0\0\0\0\0\xF0\x3F", 8);
    assert_memory_equal(bytes + at + 8, one_and_half, sizeof one_and_half);
    assert_memory_equal(bytes + at + 8 + 24, "\x55\xB5\x9E\x3F", 4);
    free(bytes);
    pytree_def_free(def);
}

static void load_knows_the_structs(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([CustomNode(Wrap[('a', True, 0.5)], [*])])");
    pytree_type old = *PYTREE_TYPE(OldWrap);
    const pytree_type *types[2];
    pytree_error error = { 0 };
    size_t size;
    unsigned char *bytes = saved(def, &size);
    (void)state;
    old.name += 3;
    types[0] = known_type("Tag");
    types[1] = &old;
    assert_error(load_status(bytes, size, types, 1, &error), PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected struct Wrap among the 1 given types, got no such type");
    memset(&error, 0, sizeof error);
    assert_error(load_status(bytes, size, types, 2, &error), PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected Wrap with the rows that it had when it was saved (static rate f64), "
                        "got other rows (static rate f32)");
    memset(&error, 0, sizeof error);
    types[1] = known_type("Wrap");
    assert_ok(load_status(bytes, size, types, 2, &error), &error);
    free(bytes);
    pytree_def_free(def);
}

/* Many struct types in one treedef, each announced once. */
static void many_structs_are_announced_once(void **state)
{
    enum { N = 70 };
    pytree_type many[N];
    const pytree_type *types[N];
    const pytree_def *children[2 * N];
    AnyTag tag = { "t" };
    char names[N][8];
    pytree_def *def, *loaded;
    pytree_error error = { 0 };
    unsigned char *bytes;
    size_t i, size;
    (void)state;
    for (i = 0; i < N; i++) {
        many[i] = *PYTREE_TYPE(AnyTag);
        snprintf(names[i], sizeof names[i], "T%u", (unsigned)i);
        many[i].name = names[i];
        types[i] = &many[i];
    }
    for (i = 0; i < 2 * N; i++) {
        pytree self;
        self.type = &many[i * 3 % N];
        self.data = &tag;
        children[i] = pytree_def_struct(self, 0, NULL, NULL, NULL);
    }
    def = pytree_def_list(2 * N, children, NULL, NULL);
    bytes = saved(def, &size);
    assert_int_equal(size, 20 + N * (1 + 4 + 4 + 15 + 5) + 2 * 10 + 3 * (N - 10) + N * (1 + 4 + 5) + 5);
    loaded = pytree_def_load(bytes, size, types, N, NULL, &error);
    assert_ok(error.status, &error);
    assert_same_def(def, loaded);
    for (i = 0; i < 2 * N; i++) { pytree_def_free((pytree_def *)(uintptr_t)children[i]); }
    pytree_def_free(def);
    pytree_def_free(loaded);
    free(bytes);
}

static void load_says_where(void **state)
{
#define HEAD(flags, nodes) "pytreedf\2\0\0\0" flags "\0\0\0" nodes "\0\0\0"
    static const struct { const char *bytes; size_t size; const char *message; } cases[] = {
        { "", 0, "byte 0: expected a saved treedef, got the end" },
        { "pytreedx\1\0\0\0", 12, "byte 0: expected a saved treedef, got something else" },
        { "pytreedf\1\0\0\0\0\0\0\0\1\0\0\0\0", 21, "byte 8: expected version 2, got something else" },
        { "pytreedf\2\0\0", 11, "byte 11: expected the version, got the end" },
        { HEAD("\10", "\1") "\0", 21, "byte 12: expected known flags, got something else" },
        { HEAD("\0", "\0"), 20, "byte 20: expected one root, got the end" },
        { HEAD("\0", "\2") "\0", 21, "byte 21: expected as many nodes as it says, got the end" },
        { "pytreedf\2\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\0", 21, "byte 21: expected as many nodes as it says, got the end" },
        { HEAD("\0", "\2") "\0\0", 22, "byte 22: expected one root, got the end" },
        { HEAD("\0", "\1") "\0\0", 22, "byte 21: expected the end, got something else" },
        { HEAD("\0", "\1") "\13", 21, "byte 20: expected the kind of a node, got something else" },
        { HEAD("\1", "\1") "\1", 21, "byte 20: expected the kind of a node, got something else" },
        { HEAD("\0", "\1") "\2\1\0\0\0", 25,
          "byte 20: expected a node that has as many children as there are, got something else" },
        { HEAD("\0", "\1") "\2\xFF\xFF\xFF\xFF", 25,
          "byte 20: expected a node that has as many children as there are, got something else" },
        { HEAD("\0", "\1") "\2\1\0\0", 24, "byte 24: expected the number of children, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0", 26, "byte 26: expected the length of a text, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\0\0\0\0", 30, "byte 26: expected a text, got something else" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\3\0\0\0a", 31, "byte 31: expected the bytes of a text, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\xFE\xFF\xFF\xFF" "a", 31, "byte 31: expected the bytes of a text, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\3\0\0\0a\0", 32, "byte 30: expected a text without NUL, got something else" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\2\0\0\0a\2\0\0\0a", 37, "byte 22: expected different keys, got something else" },
        { HEAD("\0", "\1") "\7\0\0\0\0", 25, "byte 21: expected the number of a type that was there, got something else" },
        { HEAD("\0", "\1") "\10\0\0\0\0", 25, "byte 25: expected the name of a type, got the end" },
        { HEAD("\0", "\1") "\10\4\0\0\0Tag", 28, "byte 28: expected the length of a type's rows, got the end" },
        { HEAD("\0", "\1") "\10\4\0\0\0Tag\5\0\0\0abc", 35, "byte 35: expected the rows of a type, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\xFF\xFF\xFF\xFF" "\1\0\0\0", 34, "byte 34: expected a number for a key, got the end" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\2\0\0\0b\2\0\0\0a", 37, "byte 22: expected sorted keys, got something else" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\xFF\xFF\xFF\xFF" "\1\0\0\0\0\0\0\0\2\0\0\0a", 44,
          "byte 39: expected a number for a key, got something else" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\2\0\0\0a\xFF\xFF\xFF\xFF" "\1\0\0\0\0\0\0\0", 44,
          "byte 32: expected a text for a key, got something else" },
        { HEAD("\0", "\2") "\0\6\2\0\0\0N\1\0\0\0\xFF\xFF\xFF\xFF" "\1\0\0\0\0\0\0\0", 43,
          "byte 31: expected a text for a key, got something else" },
        { HEAD("\0", "\2") "\0\12\1\0\0\0\0\0\0\0\0\0\0\0", 34,
          "byte 21: expected a deque that is no longer than it may be, got something else" },
        { HEAD("\0", "\2") "\0\12\1\0\0\0\0\0\0\0", 30, "byte 30: expected a maximum length, got the end" },
        { HEAD("\2", "\1") "\0", 21, "byte 21: expected the length of a text, got the end" },
        { HEAD("\2", "\1") "\0\0\0\0\0", 25, "byte 20: expected a text, got something else" },
        { HEAD("\4", "\1") "\0", 21, "byte 21: expected the number of orders, got the end" },
        { HEAD("\4", "\1") "\0\1\0\0\0\0\0\0\0", 29, "byte 25: expected the number of a later dict, got something else" },
        { HEAD("\4", "\1") "\0\1\0\0\0\7\0\0\0", 29, "byte 25: expected the number of a later dict, got something else" },
        { HEAD("\4", "\1") "\0\xFF\xFF\xFF\xFF", 25, "byte 25: expected the number of a node, got the end" },
        { HEAD("\4", "\2") "\0\4\1\0\0\0\2\0\0\0a\1\0\0\0\1\0\0\0", 39, "byte 39: expected an order, got the end" },
        { HEAD("\4", "\2") "\0\4\1\0\0\0\2\0\0\0a\1\0\0\0\1\0\0\0\1\0\0\0", 43,
          "byte 39: expected each place in an order once, got something else" },
        { HEAD("\4", "\3") "\0\0\4\2\0\0\0\2\0\0\0a\2\0\0\0b\1\0\0\0\2\0\0\0\1\0\0\0\1\0\0\0", 53,
          "byte 49: expected each place in an order once, got something else" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        unsigned char *bytes = malloc(cases[i].size + 1);     /* so that reading on is noticed */
        assert_non_null(bytes);
        memcpy(bytes + 1, cases[i].bytes, cases[i].size);
        assert_int_equal(load_status(bytes + 1, cases[i].size, known_types, KNOWN_TYPES, &error), PYTREE_SYNTAX);
        assert_string_equal(error.message, cases[i].message);
        free(bytes);
    }
    {
        pytree_error error = { 0 };
        assert_int_equal(load_status(NULL, 0, NULL, 0, &error), PYTREE_SYNTAX);
    }
}

/* How much memory is live at most. */
typedef struct Peak { pytree_allocator allocator; size_t live, peak; } Peak;

static void *peak_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Peak *peak = context;
    peak->live += new_size - old_size;
    if (peak->live > peak->peak) { peak->peak = peak->live; }
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_size);
}

/* Loads; what is accepted must be sound. */
static bool survives(const unsigned char *bytes, size_t size, const pytree_type *const *types, size_t n)
{
    Peak peak = { { peak_resize, NULL }, 0, 0 };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_def *def;
    bool accepted;
    peak.allocator.context = &peak;
    opt.allocator = &peak.allocator;
    def = pytree_def_load(bytes, size, types, n, &opt, &error);
    accepted = def != NULL;
    assert_int_equal(accepted, error.status == PYTREE_OK);
    if (accepted) {
        char *text;
        assert_sound(def);
        text = def_text(def);
        free(text);
    }
    pytree_def_free(def);
    assert_int_equal(peak.live, 0);
    assert_true(peak.peak <= 64 * size + 4096);
    return accepted;
}

/* Every beginning, every byte changed to several others, and parts exchanged at random. */
static void load_survives_broken_bytes(void **state)
{
    static const unsigned char values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x20, 0x7F, 0x80, 0xFE, 0xFF };
    const pytree_type *types[KNOWN_TYPES + 1];
    Statics s = statics_make();
    pytree_def *sample = must_parse(sample_text), *fixed = statics_def(&s, NULL), *both;
    const pytree_def *children[2];
    unsigned char *bytes, *broken;
    size_t size, i, k, accepted = 0;
    uint64_t random = 88172645463325252u;
    (void)state;
    memcpy(types, known_types, sizeof known_types);
    types[KNOWN_TYPES] = PYTREE_TYPE(Statics);
    children[0] = sample;
    children[1] = fixed;
    both = pytree_def_list(2, children, NULL, NULL);
    bytes = saved(both, &size);
    assert_true(survives(bytes, size, types, COUNT_OF(types)));
    for (i = 0; i < size; i++) {
        broken = malloc(i + 1);           /* exactly that much, so that reading on is noticed */
        assert_non_null(broken);
        memcpy(broken + 1, bytes, i);
        assert_false(survives(broken + 1, i, types, COUNT_OF(types)));
        free(broken);
    }
    broken = malloc(size);
    assert_non_null(broken);
    for (i = 0; i < size; i++) {
        memcpy(broken, bytes, size);
        for (k = 0; k < COUNT_OF(values); k++) {
            broken[i] = values[k];
            accepted += survives(broken, size, types, COUNT_OF(types));
        }
    }
    assert_in_range(accepted, 100, size * COUNT_OF(values));  /* texts and numbers may have many values */
    for (i = 0; i < (under_valgrind() ? 300u : 20000u); i++) {
        memcpy(broken, bytes, size);
        move_about(broken, size, &random);
        (void)survives(broken, size, types, COUNT_OF(types));
    }
    free(broken);
    free(bytes);
    pytree_def_free(both);
    pytree_def_free(fixed);
    pytree_def_free(sample);
}

/* ---- Depth ------------------------------------------------------------------------------------------------------------ */

/* Text of n nodes inside one another, of every kind in turn, with a leaf or None at the bottom. */
static char *deep_text(size_t n, const char *bottom)
{
    static const char *const open[] = { "[", "(", "{'k': ", "CustomNode(Only1[()], [", "CustomNode(OrderedDict[('o',)], [" };
    static const char *const close[] = { "]", ",)", "}", "])", "])" };
    char *text = malloc(n * 40 + 100), *at = text;
    size_t i;
    assert_non_null(text);
    at += sprintf(at, "PyTreeDef(");
    for (i = 0; i < n; i++) { at += sprintf(at, "%s", open[i % 5]); }
    at += sprintf(at, "%s", bottom);
    for (i = n; i-- > 0;) { at += sprintf(at, "%s", close[i % 5]); }
    strcpy(at, ")");
    return text;
}

static pytree_status keep(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    size_t *calls = context;
    (void)result;
    (void)err;
    assert_in_range(pytree_def_num_nodes(part), 1, 2);
    ++*calls;
    return PYTREE_OK;
}

static void a_million_nodes_deep(void **state)
{
    const size_t n = under_valgrind() ? 50000 : 1000000;
    char *text = deep_text(n, "*"), *other_text = deep_text(n, "None");
    pytree_def *def = must_parse(text), *other = must_parse(other_text), *leaf = pytree_def_leaf(NULL, NULL), *made;
    const pytree_def *children[2];
    static const char *const keys[] = { "b", "a" };
    pytree_def_error_list *list;
    pytree_error error = { 0 };
    const char **paths;
    size_t count, calls = 0, length = n / 5 * (3 + 3 + 5 + 2 + 5);
    (void)state;
    assert_int_equal(def->n_nodes, n + 1);
    assert_def(def, text);
    assert_round_trips(def, known_types, KNOWN_TYPES);
    assert_same_def(made = pytree_def_compose(def, leaf, NULL, NULL), def);
    pytree_def_free(made);
    assert_same_def(made = pytree_def_compose(leaf, def, NULL, NULL), def);
    pytree_def_free(made);
    made = pytree_def_compose(def, other, NULL, NULL);
    assert_int_equal(made->n_nodes, 2 * n + 1);
    pytree_def_free(made);
    assert_same_def(made = pytree_def_common_suffix(def, other, NULL, NULL), other);
    pytree_def_free(made);
    assert_same_def(made = pytree_def_transform(def, keep, keep, &calls, NULL, NULL), def);
    assert_int_equal(calls, n + 1);
    pytree_def_free(made);
    children[0] = def;
    children[1] = other;
    made = pytree_def_dict(2, keys, children, NULL, NULL);
    assert_sound(made);
    assert_int_equal(made->n_nodes, 2 * n + 3);
    pytree_def_free(made);
    assert_true(pytree_def_is_prefix(def, other, true, NULL, NULL));
    assert_true(pytree_def_is_suffix(other, def, true, NULL, NULL));
    assert_false(pytree_def_is_prefix(other, def, false, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, NULL, &error);
    assert_non_null(strstr(error.path, "..."));
    list = pytree_def_differences(def, other, NULL, NULL);
    assert_int_equal(list->n, 1);
    assert_int_equal(strlen(list->errors[0].path), length);
    pytree_def_errors_free(list);
    paths = pytree_def_paths(def, NULL, &count, NULL, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(strlen(paths[0]), length);
    pytree_paths_free(paths);
    assert_int_equal(pytree_def_leaf_path(def, 0, NULL, 0), n);
    pytree_def_free(leaf);
    pytree_def_free(def);
    pytree_def_free(other);
    free(text);
    free(other_text);
}

/* Nodes that are opened and never closed. */
static void depth_bombs_end_in_an_error(void **state)
{
    const size_t n = under_valgrind() ? 50000 : 1000000;
    static const char *const bombs[] = { "[", "(", "{'':", "CustomNode(OrderedDict[('',)],[" };
    size_t b;
    (void)state;
    for (b = 0; b < COUNT_OF(bombs); b++) {
        size_t length = strlen(bombs[b]), i;
        char *text = malloc(10 + n * length + 1), expected[60];
        pytree_error error = { 0 };
        assert_non_null(text);
        memcpy(text, "PyTreeDef(", 10);
        for (i = 0; i < n; i++) { memcpy(text + 10 + i * length, bombs[b], length); }
        text[10 + n * length] = '\0';
        assert_null(pytree_def_parse(text, NULL, 0, NULL, &error));
        snprintf(expected, sizeof expected, "line 1, column %zu: ", 10 + n * length + 1);
        assert_int_equal(error.status, PYTREE_SYNTAX);
        assert_memory_equal(error.message, expected, strlen(expected));
        free(text);
    }
}

/* ---- Memory that runs out --------------------------------------------------------------------------------------------- */

typedef struct Inputs {
    pytree_def *a, *b, *c;
    unsigned char *bytes;
    size_t size;
} Inputs;

static pytree_status made(pytree_def *def, const pytree_error *err)
{
    if (def == NULL) { return err->status; }
    assert_sound(def);
    pytree_def_free(def);
    return PYTREE_OK;
}

static pytree_status parse_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return made(pytree_def_parse(sample_text, known_types, KNOWN_TYPES, opt, err), err);
}

static pytree_status parse_unsorted_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return made(pytree_def_parse("PyTreeDef({'b': {'y': *, 'x': *}, 'a': *})", NULL, 0, opt, err), err);
}

static pytree_status save_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return pytree_def_save(in->a, NULL, 0, opt, err) == SIZE_MAX ? err->status : PYTREE_OK;
}

static pytree_status load_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_load(in->bytes, in->size, known_types, KNOWN_TYPES, opt, err), err);
}

static pytree_status compose_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_compose(in->a, in->b, opt, err), err);
}

static pytree_status transform_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_transform(in->a, lists_to_tuples, to_pair, NULL, opt, err), err);
}

static pytree_status common_suffix_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_common_suffix(in->b, in->c, opt, err), err);
}

static pytree_status prefix_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return pytree_def_is_prefix(in->b, in->c, false, opt, err) ? PYTREE_OK : err->status;
}

static pytree_status errors_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    pytree_def_error_list *list = pytree_def_differences(in->c, in->a, opt, err);
    if (list == NULL) { return err->status; }
    assert_int_equal(list->n, 3);
    pytree_def_errors_free(list);
    return PYTREE_OK;
}

static pytree_status paths_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    size_t count = 99;
    const char **paths = pytree_def_paths(in->a, NULL, &count, opt, err);
    assert_int_equal(count, paths == NULL ? 0 : in->a->n_leaves);
    if (paths == NULL) { return err->status; }
    pytree_paths_free(paths);
    return PYTREE_OK;
}

static pytree_status build_body(void *context, const pytree_options *opt, pytree_error *err)
{
    static const char *const keys[] = { "z", "y" };
    AnyDC dc = { PYTREE_NONE, PYTREE_NONE, "an operation" };
    pytree_def *leaf = pytree_def_leaf(opt, err), *none = pytree_def_none(opt, err), *node = NULL, *odict = NULL, *dict =
        NULL, *tuple = NULL;
    const pytree_def *children[2];
    pytree_status status;
    (void)context;
    dc.x = dc.y = PYTREE_NONE;
    children[0] = leaf;
    children[1] = none;
    if (leaf != NULL && none != NULL) { node = pytree_def_struct(PYTREE(&dc), 2, children, opt, err); }
    children[0] = node;
    if (node != NULL) { odict = pytree_def_odict(2, keys, children, opt, err); }
    if (odict != NULL) { dict = pytree_def_dict(2, keys, children, opt, err); }
    if (dict != NULL) { tuple = pytree_def_namedtuple("Named", 2, keys, children, opt, err); }
    status = tuple == NULL ? err->status : PYTREE_OK;
    pytree_def_free(leaf);
    pytree_def_free(none);
    pytree_def_free(node);
    pytree_def_free(odict);
    pytree_def_free(dict);
    pytree_def_free(tuple);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static sweep_body *const bodies[] = { parse_body, parse_unsorted_body, save_body, load_body, compose_body, transform_body,
                                          common_suffix_body, prefix_body, errors_body, paths_body, build_body };
    Inputs in;
    size_t i;
    (void)state;
    in.a = must_parse("PyTreeDef([{'a': *, 'c': [*]}, CustomNode(Tag[('t',)], []), CustomNode(OrderedDict[('z',)], [None])])");
    in.b = must_parse("PyTreeDef([{'a': *, 'b': *}, *, *])");
    in.c = must_parse("PyTreeDef([CustomNode(OrderedDict[('b', 'a')], [(*,), *]), *, CustomNode(OrderedDict[('y',)], [*])])");
    in.bytes = saved(in.a, &in.size);
    for (i = 0; i < COUNT_OF(bodies); i++) { assert_in_range(sweep_allocations(bodies[i], &in), 1, 1000); }
    free(in.bytes);
    pytree_def_free(in.a);
    pytree_def_free(in.b);
    pytree_def_free(in.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builders_refuse), cmocka_unit_test(builders_need_no_children),
        cmocka_unit_test(dicts_sort_children_with_keys), cmocka_unit_test(structs_take_their_static_values),
        cmocka_unit_test(transform_replaces_nodes_and_leaves), cmocka_unit_test(transform_checks_results),
        cmocka_unit_test(combinations_refuse_other_switches), cmocka_unit_test(compose_checks_the_size),
        cmocka_unit_test(errors_in_words), cmocka_unit_test(namedtuples_compare_by_fields),
            cmocka_unit_test(dicts_match_in_any_order),
        cmocka_unit_test(leaf_paths_are_those_of_the_texts), cmocka_unit_test(paths_are_those_of_the_value),
        cmocka_unit_test(parse_takes_space_and_any_key_order), cmocka_unit_test(parse_reads_escapes),
        cmocka_unit_test(parse_says_where_and_what), cmocka_unit_test(parse_survives_broken_text),
        cmocka_unit_test(static_values_of_every_kind_round_trip), cmocka_unit_test(long_doubles_keep_their_digits_in_bytes),
#if TEST_HAS_COMPLEX
        cmocka_unit_test(complex_static_values_round_trip),
#endif
        cmocka_unit_test(addresses_stay_in_the_process), cmocka_unit_test(static_values_must_fit),
        cmocka_unit_test(the_format_is_what_it_was), cmocka_unit_test(numbers_are_saved_in_one_order),
        cmocka_unit_test(load_knows_the_structs), cmocka_unit_test(many_structs_are_announced_once),
            cmocka_unit_test(load_says_where),
        cmocka_unit_test(load_survives_broken_bytes), cmocka_unit_test(a_million_nodes_deep),
        cmocka_unit_test(depth_bombs_end_in_an_error), cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, known_types_begin, NULL);
}
