/* treedef_algebra_shared.h: shared by test_treedef_algebra.c, test_treedef_text.c and test_treedef_bytes.c. */
#ifndef TREEDEF_ALGEBRA_SHARED_H
#define TREEDEF_ALGEBRA_SHARED_H

#include "support.h"
#include "treedefs.h"
#include <float.h>
#include <math.h>

/* ---- Structs whose fields hold any tree -------------------------------------------------------------------------------- */

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
    signed char code[4];
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

static inline int known_types_begin(void **state)
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

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

static inline void assert_def(const pytree_def *def, const char *expected)
{
    char *text;
    assert_non_null(def);
    text = def_text(def);
    assert_string_equal(text, expected);
    free(text);
}

/* The treedef obeys its own rules: counts that fit the arities, statics in order and used up. */
static inline void assert_sound(const pytree_def *def)
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
static inline void assert_same_def(const pytree_def *a, const pytree_def *b)
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

static inline pytree_def *must_parse(const char *text)
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
static inline void assert_round_trips(const pytree_def *def, const pytree_type *const *types, size_t n)
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

/* ---- By hand ----------------------------------------------------------------------------------------------------------- */

/* Keys in every order with children that can be told apart: the treedef of the dict that has them. */
static inline void dicts_sort_children_with_keys(void **state)
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

/* ---- Transform --------------------------------------------------------------------------------------------------------- */

static inline pytree_status to_pair(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)context;
    (void)part;
    (void)err;
    *result = must_parse("PyTreeDef((*, {'b': *}))");
    return PYTREE_OK;
}

static inline pytree_status lists_to_tuples(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
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

/* 2^16 leaves, each to be replaced by 2^16: the count is known before there is memory for it. */
static inline void compose_checks_the_size(void **state)
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

/* ---- Text -------------------------------------------------------------------------------------------------------------- */

static const char sample_text[] =
    "PyTreeDef([CustomNode(Wrap[('it\\'s \"\\u200b\"', True, -1.5e-07)], [{'a': *, 'b': (None, (*,))}]), "
    "CustomNode(OrderedDict[('z', 'y')], "
    "[CustomNode(namedtuple[Point], [*, []]), CustomNode(Linear[(-7, 784)], [*, *])]), CustomNode(Maybe[(None,)], "
    "[CustomNode(Linear[(1, 2)], [*, {}])])])";

/* ---- Static values of every kind --------------------------------------------------------------------------------------- */

static inline Statics statics_make(void)
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

static inline pytree_def *statics_def(const Statics *s, pytree_error *err)
{
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *def;
    const pytree_def *children[1];
    children[0] = leaf;
    def = pytree_def_struct(PYTREE(s), 1, children, NULL, err);
    pytree_def_free(leaf);
    return def;
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------------- */

/* Many struct types in one treedef, each announced once. */
static inline void many_structs_are_announced_once(void **state)
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

/* ---- Memory that runs out ---------------------------------------------------------------------------------------------- */

static inline pytree_status made(pytree_def *def, const pytree_error *err)
{
    if (def == NULL) { return err->status; }
    assert_sound(def);
    pytree_def_free(def);
    return PYTREE_OK;
}

#endif
