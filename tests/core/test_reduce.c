/* Folds: from the left, balanced, and the ready-made ones over numbers. */
#include "support.h"
#include <float.h>
#include <math.h>

/* ---- A fold that shows its brackets ------------------------------------------------------------------------------------ */

typedef struct Text {
    char text[2400];
} Text;

typedef struct Fold {
    Text so_far;
    size_t leaves, joins;
    size_t fail_leaf, fail_join;          /* number of the call that fails; SIZE_MAX: none */
} Fold;

static void text_join(Text *a, const Text *b)
{
    Text joined;
    size_t n = strlen(a->text), m = strlen(b->text);
    assert_true(n + m + 3 <= sizeof joined.text);
    joined.text[0] = '(';
    memcpy(joined.text + 1, a->text, n);
    memcpy(joined.text + 1 + n, b->text, m);
    memcpy(joined.text + 1 + n + m, ")", 2);
    *a = joined;
}

static Text text_of_leaf(const pytree_leaf *leaf)
{
    Text text = { { 0 } };
    const char *s;
    assert_true(pytree_is_leaf(leaf));
    assert_int_equal(leaf->type->dtype, PYTREE_STRING);
    memcpy(&s, leaf->data, sizeof s);
    strcpy(text.text, s);
    return text;
}

static pytree_status left(void *context, const pytree_iter *at)
{
    Fold *fold = context;
    Text leaf = text_of_leaf(at->leaf[0]);
    assert_int_equal(at->index, fold->leaves);
    assert_int_equal(at->n, 1);
    if (fold->leaves++ == 0) {
        fold->so_far = leaf;
    } else {
        text_join(&fold->so_far, &leaf);
    }
    return fold->leaves == fold->fail_leaf ? PYTREE_STOPPED : PYTREE_OK;
}

static pytree_status fold_leaf(void *context, const pytree_iter *at, void *value)
{
    Fold *fold = context;
    assert_int_equal(at->index, fold->leaves);
    if (fold->leaves++ == fold->fail_leaf) {
        return PYTREE_VALUE;
    }
    *(Text *)value = text_of_leaf(at->leaf[0]);
    return PYTREE_OK;
}

static pytree_status fold_join(void *context, void *a, const void *b)
{
    Fold *fold = context;
    if (fold->joins++ == fold->fail_join) {
        return PYTREE_SHAPE;
    }
    text_join(a, b);
    return PYTREE_OK;
}

static Fold fold_begin(void)
{
    Fold fold = { { { 0 } }, 0, 0, SIZE_MAX, SIZE_MAX };
    return fold;
}

/* n strings a, b, …, z, a1, …, as a list; the caller frees all three. */
typedef struct Letters {
    char (*names)[8];
    const char **pointers;
    pytree *values;
    pytree_items items;
    pytree tree;
} Letters;

static void letters_make(Letters *letters, size_t n)
{
    size_t i;
    letters->names = malloc((n + 1) * sizeof *letters->names);
    letters->pointers = malloc((n + 1) * sizeof *letters->pointers);
    letters->values = malloc((n + 1) * sizeof *letters->values);
    assert_non_null(letters->names);
    assert_non_null(letters->pointers);
    assert_non_null(letters->values);
    for (i = 0; i < n; i++) {
        snprintf(letters->names[i], sizeof letters->names[i], i < 26 ? "%c" : "%c%d", (int)('a' + i % 26), (int)(i / 26));
        letters->pointers[i] = letters->names[i];
        letters->values[i] = PYTREE(&letters->pointers[i]);
    }
    memset(&letters->items, 0, sizeof letters->items);
    letters->items.count = n;
    letters->items.items = letters->values;
    letters->tree.type = &pytree_types[PYTREE__T_list];
    letters->tree.data = &letters->items;
}

static void letters_clear(Letters *letters)
{
    free(letters->names);
    free((void *)letters->pointers);
    free(letters->values);
}

/* ---- Left and balanced -------------------------------------------------------------------------------------------------- */

/* jax.tree_util.tree_reduce_associative of that many leaves. */
static const struct {
    size_t n;
    const char *text;
} balanced[] = {
    { 1, "a" },
    { 2, "(ab)" },
    { 3, "(a(bc))" },
    { 4, "((ab)(cd))" },
    { 5, "((ab)(c(de)))" },
    { 6, "((a(bc))(d(ef)))" },
    { 7, "((a(bc))((de)(fg)))" },
    { 8, "(((ab)(cd))((ef)(gh)))" },
    { 9, "(((ab)(cd))((ef)(g(hi))))" },
    { 10, "(((ab)(c(de)))((fg)(h(ij))))" },
    { 11, "(((ab)(c(de)))((f(gh))(i(jk))))" },
    { 12, "(((a(bc))(d(ef)))((g(hi))(j(kl))))" },
    { 13, "(((a(bc))(d(ef)))((g(hi))((jk)(lm))))" },
    { 14, "(((a(bc))((de)(fg)))((h(ij))((kl)(mn))))" },
    { 15, "(((a(bc))((de)(fg)))(((hi)(jk))((lm)(no))))" },
    { 16, "((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))" },
    { 17, "((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(o(pq)))))" },
    { 31, "((((a(bc))((de)(fg)))(((hi)(jk))((lm)(no))))((((pq)(rs))((tu)(vw)))(((xy)(za1))((b1c1)(d1e1)))))" },
    { 32, "(((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))((((qr)(st))((uv)(wx)))(((yz)(a1b1))((c1d1)(e1f1)))))" },
    { 33, "(((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))((((qr)(st))((uv)(wx)))(((yz)(a1b1))((c1d1)(e1(f1g1))))))" },
    { 64, "((((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))((((qr)(st))((uv)(wx)))(((yz)(a1b1))((c1d1)(e1f1)))))"
          "(((((g1h1)(i1j1))((k1l1)(m1n1)))(((o1p1)(q1r1))((s1t1)(u1v1))))((((w1x1)(y1z1))((a2b2)(c2d2)))(((e2f2)(g2h2))"
          "((i2j2)(k2l2))))))" },
    { 100, "((((((a(bc))(d(ef)))((g(hi))(j(kl))))(((m(no))(p(qr)))((s(tu))((vw)(xy)))))((((z(a1b1))(c1(d1e1)))((f1(g1h1))"
           "(i1(j1k1))))(((l1(m1n1))(o1(p1q1)))((r1(s1t1))((u1v1)(w1x1))))))(((((y1(z1a2))(b2(c2d2)))((e2(f2g2))(h2(i2j2))))"
           "(((k2(l2m2))(n2(o2p2)))((q2(r2s2))((t2u2)(v2w2)))))((((x2(y2z2))(a3(b3c3)))((d3(e3f3))(g3(h3i3))))(((j3(k3l3))"
           "(m3(n3o3)))((p3(q3r3))((s3t3)(u3v3)))))))" },
};

/* The same rule said again: the first half has n / 2 leaves, rounded down. */
static Text balanced_by_rule(const Letters *letters, size_t from, size_t n)
{
    Text a = { { 0 } }, b;
    if (n == 1) {
        strcpy(a.text, letters->names[from]);
        return a;
    }
    a = balanced_by_rule(letters, from, n / 2);
    b = balanced_by_rule(letters, from + n / 2, n - n / 2);
    text_join(&a, &b);
    return a;
}

static void assert_balanced(size_t n, const char *expected)
{
    Letters letters;
    Fold fold = fold_begin();
    Text result, rule;
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    letters_make(&letters, n);
    assert_ok(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, &opt, &error), &error);
    assert_heap_clean(&heap);
    assert_int_equal(heap.calls, 1);
    assert_int_equal(fold.leaves, n);
    assert_int_equal(fold.joins, n - 1);
    rule = balanced_by_rule(&letters, 0, n);
    assert_string_equal(result.text, rule.text);
    if (expected != NULL) {
        assert_string_equal(result.text, expected);
    }
    letters_clear(&letters);
}

static void balanced_as_jax_does(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(balanced); i++) {
        assert_balanced(balanced[i].n, balanced[i].text);
    }
    for (i = 1; i < 140; i++) {
        assert_balanced(i, NULL);
    }
}

static void left_to_right(void **state)
{
    static const char *const expected[] = { "", "a", "(ab)", "((ab)c)", "(((ab)c)d)", "((((ab)c)d)e)", "(((((ab)c)d)e)f)" };
    size_t n;
    (void)state;
    for (n = 0; n < COUNT_OF(expected); n++) {
        Letters letters;
        Fold fold = fold_begin();
        pytree_error error = { 0 };
        letters_make(&letters, n);
        assert_ok(pytree_reduce(left, &fold, letters.tree, NULL, &error), &error);
        assert_int_equal(fold.leaves, n);
        assert_string_equal(fold.so_far.text, expected[n]);
        letters_clear(&letters);
    }
}

static void nested_trees_fold_in_order(void **state)
{
    const char *s[6] = { "a", "b", "c", "d", "e", "f" };
    pytree tree = PYTREE_LIST(PYTREE_TUPLE(PYTREE(&s[0]), PYTREE_NONE, PYTREE(&s[1])), PYTREE_LIST(),
                              PYTREE_DICT({ "z", PYTREE(&s[4]) }, { "y", PYTREE_LIST(PYTREE(&s[2]), PYTREE(&s[3])) }),
                              PYTREE(&s[5]));
    Fold fold = fold_begin();
    Text result;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_reduce(left, &fold, tree, NULL, &error), &error);
    assert_string_equal(fold.so_far.text, "(((((ab)c)d)e)f)");
    fold = fold_begin();
    assert_ok(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, tree, NULL, &error), &error);
    assert_string_equal(result.text, "((a(bc))(d(ef)))");
}

static void callbacks_stop_a_fold(void **state)
{
    Letters letters;
    Text result;
    size_t i;
    (void)state;
    strcpy(result.text, "untouched");
    letters_make(&letters, 7);
    for (i = 0; i < 7; i++) {
        Fold fold = fold_begin();
        pytree_error error = { 0 };
        char path[16];
        snprintf(path, sizeof path, "[%d]", (int)i);
        fold.fail_leaf = i;
        assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, NULL, &error),
                     PYTREE_VALUE, path, &error);
        assert_int_equal(fold.leaves, i + 1);
        fold = fold_begin();
        fold.fail_leaf = i + 1;
        memset(&error, 0, sizeof error);
        assert_error(pytree_reduce(left, &fold, letters.tree, NULL, &error), PYTREE_STOPPED, path, &error);
        assert_int_equal(fold.leaves, i + 1);
    }
    for (i = 0; i < 6; i++) {
        Fold fold = fold_begin();
        pytree_error error = { 0 };
        fold.fail_join = i;
        assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, NULL, &error),
                     PYTREE_SHAPE, NULL, &error);
        assert_int_equal(fold.joins, i + 1);
        fold = fold_begin();
        fold.fail_join = i;
        assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, NULL, NULL),
                         PYTREE_SHAPE);
    }
    assert_string_equal(result.text, "untouched");
    letters_clear(&letters);
}

static void folds_that_cannot_begin(void **state)
{
    Fold fold = fold_begin();
    Text result;
    Point *nowhere = NULL;
    pytree_error error = { 0 };
    pytree untyped = { NULL, NULL };
    (void)state;
    strcpy(result.text, "untouched");
    assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE_LIST(PYTREE_NONE), NULL,
                                        &error),
                 PYTREE_EMPTY, "", &error);
    assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE_LIST(), NULL, NULL),
                     PYTREE_EMPTY);
    memset(&error, 0, sizeof error);
    assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE_LIST(PYTREE(nowhere)), NULL,
                                        &error),
                 PYTREE_NULL_POINTER, "[0]", &error);
    assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE(nowhere), NULL, NULL),
                     PYTREE_NULL_POINTER);
    memset(&error, 0, sizeof error);
    assert_error(pytree_reduce(left, &fold, untyped, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_reduce(NULL, &fold, PYTREE_LIST(), NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(fold.leaves, 0);
    assert_string_equal(result.text, "untouched");
}

/* An error that stands from before stays, and what is returned is this call's own. */
static void an_earlier_error_stays(void **state)
{
    Fold fold = fold_begin();
    Text result;
    Point *nowhere = NULL;
    pytree_error error = { 0 };
    (void)state;
    pytree_fail(&error, PYTREE_SHAPE, ".before", "expected this, got that");
    assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE(nowhere), NULL, &error),
                     PYTREE_NULL_POINTER);
    assert_int_equal(error.status, PYTREE_SHAPE);
    assert_string_equal(error.path, ".before");
}

typedef struct Sums {
    double value;
    float values[3];
} Sums;

static pytree_status sums_leaf(void *context, const pytree_iter *at, void *value)
{
    Sums *sums = value;
    (void)context;
    sums->value = pytree_leaf_get(at->leaf[0], 0);
    sums->values[2] = 1.0f;
    return PYTREE_OK;
}

static pytree_status sums_join(void *context, void *a, const void *b)
{
    (void)context;
    ((Sums *)a)->value += ((const Sums *)b)->value;
    ((Sums *)a)->values[2] += ((const Sums *)b)->values[2];
    return PYTREE_OK;
}

static pytree_status sweep_pairwise(void *context, const pytree_options *opt, pytree_error *err)
{
    Sums sums = { -1.0, { 0.0f } };
    pytree_status status = pytree_reduce_pairwise(sums_leaf, sums_join, NULL, sizeof sums, &sums, *(const pytree *)context,
                                                  opt, err);
    if (status != PYTREE_OK) {
        assert_true(sums.value == -1.0);
    } else {
        assert_true(sums.value == 499.0 * 500.0 / 2.0);
        assert_true(sums.values[2] == 500.0f);
    }
    return status;
}

static pytree_status sweep_sum(void *context, const pytree_options *opt, pytree_error *err)
{
    double sum = -1.0;
    pytree_status status = pytree_sum(*(const pytree *)context, &sum, opt, err);
    assert_true(sum == (status == PYTREE_OK ? 499.0 * 500.0 / 2.0 : -1.0));
    return status;
}

static void sweeps(void **state)
{
    Node *chain = chain_make(500);
    pytree tree = PYTREE(chain);
    (void)state;
    assert_in_range(sweep_allocations(sweep_pairwise, &tree), 2, 60);
    assert_in_range(sweep_allocations(sweep_sum, &tree), 1, 60);
    free(chain);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------------ */

typedef struct Folded {
    bool all, any;
    double sum, max, min;
} Folded;

static Folded folded(pytree tree)
{
    Folded f = { false, false, NAN, NAN, NAN };
    pytree_error error = { 0 };
    assert_ok(pytree_all(tree, &f.all, NULL, &error), &error);
    assert_ok(pytree_any(tree, &f.any, NULL, &error), &error);
    assert_ok(pytree_sum(tree, &f.sum, NULL, &error), &error);
    assert_ok(pytree_max(tree, &f.max, NULL, &error), &error);
    assert_ok(pytree_min(tree, &f.min, NULL, &error), &error);
    return f;
}

static void assert_folded(pytree tree, bool all, bool any, double sum, double max, double min)
{
    Folded f = folded(tree);
    assert_int_equal(f.all, all);
    assert_int_equal(f.any, any);
    assert_true(f.sum == sum);
    assert_true(f.max == max);
    assert_true(f.min == min);
}

#define ASSERT_SIGNED(T, low, high)                                                                                     \
    do {                                                                                                                \
        T some[4] = { 3, 0, -5, 7 }, none[2] = { 0, 0 }, every[2] = { 2, 1 }, ends[2] = { (low), (high) };              \
        assert_folded(PYTREE_ARRAY(some, 4), false, true, 5.0, 7.0, -5.0);                                              \
        assert_folded(PYTREE_ARRAY(none, 2), false, false, 0.0, 0.0, 0.0);                                              \
        assert_folded(PYTREE_ARRAY(every, 2), true, true, 3.0, 2.0, 1.0);                                               \
        assert_folded(PYTREE_ARRAY(ends, 2), true, true, (double)(low) + (double)(high), (double)(high), (double)(low)); \
        assert_folded(PYTREE(&some[2]), true, true, -5.0, -5.0, -5.0);                                                  \
    } while (0)
#define ASSERT_UNSIGNED(T, high)                                                                                        \
    do {                                                                                                                \
        T some[4] = { 3, 0, 5, 7 }, none[2] = { 0, 0 }, every[2] = { 2, 1 }, ends[2] = { 0, (high) };                   \
        assert_folded(PYTREE_ARRAY(some, 4), false, true, 15.0, 7.0, 0.0);                                              \
        assert_folded(PYTREE_ARRAY(none, 2), false, false, 0.0, 0.0, 0.0);                                              \
        assert_folded(PYTREE_ARRAY(every, 2), true, true, 3.0, 2.0, 1.0);                                               \
        assert_folded(PYTREE_ARRAY(ends, 2), false, true, (double)(high), (double)(high), 0.0);                         \
    } while (0)

static void every_integer_type(void **state)
{
    bool flags[3] = { true, false, true }, set[2] = { true, true }, unset[1] = { false };
    char letters[2] = { 'a', '\0' };
    Color colors[2] = { GREEN, BLUE };
    (void)state;
    ASSERT_SIGNED(signed char, SCHAR_MIN, SCHAR_MAX);
    ASSERT_SIGNED(short, SHRT_MIN, SHRT_MAX);
    ASSERT_SIGNED(int, INT_MIN, INT_MAX);
    ASSERT_SIGNED(long, LONG_MIN, LONG_MAX);
    ASSERT_SIGNED(long long, LLONG_MIN, LLONG_MAX);
    ASSERT_UNSIGNED(unsigned char, UCHAR_MAX);
    ASSERT_UNSIGNED(unsigned short, USHRT_MAX);
    ASSERT_UNSIGNED(unsigned, UINT_MAX);
    ASSERT_UNSIGNED(unsigned long, ULONG_MAX);
    ASSERT_UNSIGNED(unsigned long long, ULLONG_MAX);
    assert_folded(PYTREE_ARRAY(flags, 3), false, true, 2.0, 1.0, 0.0);
    assert_folded(PYTREE_ARRAY(set, 2), true, true, 2.0, 1.0, 1.0);
    assert_folded(PYTREE_ARRAY(unset, 1), false, false, 0.0, 0.0, 0.0);
    assert_folded(PYTREE_ARRAY(letters, 2), false, true, (double)'a', (double)'a', 0.0);
    assert_folded(PYTREE_ARRAY(colors, 2), true, true, 3.0, 2.0, 1.0);
}

static void every_float_type(void **state)
{
    float f[4] = { 0.5f, -2.0f, 0.0f, 3.25f };
    double d[4] = { 0.5, -2.0, 0.0, 3.25 };
    long double l[4] = { 0.5L, -2.0L, 0.0L, 3.25L };
    pytree_f16 h[4] = { { 0x3800 }, { 0xC000 }, { 0x0000 }, { 0x4280 } };
    pytree_bf16 b[4] = { { 0x3F00 }, { 0xC000 }, { 0x8000 }, { 0x4050 } };
    (void)state;
    assert_folded(PYTREE_ARRAY(f, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(d, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(l, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(h, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(b, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(f, 2), true, true, -1.5, 0.5, -2.0);
    assert_folded(PYTREE_ARRAY(h, 2), true, true, -1.5, 0.5, -2.0);
    assert_folded(PYTREE_ARRAY(b, 2), true, true, -1.5, 0.5, -2.0);
    assert_folded(PYTREE(&h[2]), false, false, 0.0, 0.0, 0.0);
    assert_folded(PYTREE(&b[2]), false, false, 0.0, 0.0, 0.0);
}

static double half_value(unsigned bits)
{
    pytree_f16 half = { (uint16_t)bits };
    pytree_leaf leaf = { .data = &half, .type = PYTREE_TYPE(pytree_f16) };
    return pytree_leaf_get(&leaf, 0);
}

static double brain_value(unsigned bits)
{
    pytree_bf16 brain = { (uint16_t)bits };
    pytree_leaf leaf = { .data = &brain, .type = PYTREE_TYPE(pytree_bf16) };
    return pytree_leaf_get(&leaf, 0);
}

static void half_precision(void **state)
{
    static const struct {
        unsigned bits;
        double value;
    } halves[] = {
        { 0x0000, 0.0 }, { 0x0001, 0x1p-24 }, { 0x0002, 0x1p-23 }, { 0x03FF, 0x1.ff8p-15 }, { 0x0400, 0x1p-14 },
        { 0x3555, 0.333251953125 },
        { 0x3C00, 1.0 }, { 0x3C01, 1.0009765625 }, { 0x4000, 2.0 }, { 0x7BFF, 65504.0 }, { 0xBC00, -1.0 }, { 0xFBFF, -65504.0 },
        { 0x8001, -0x1p-24 },
    }, brains[] = {
        { 0x0000, 0.0 }, { 0x0001, 0x1p-133 }, { 0x3F80, 1.0 }, { 0x3F81, 1.0078125 }, { 0x4049, 3.140625 },
        { 0x7F7F, 0x1.fep127 },
        { 0xBF80, -1.0 },
    };
    size_t i;
    unsigned bits;
    (void)state;
    for (i = 0; i < COUNT_OF(halves); i++) {
        assert_true(half_value(halves[i].bits) == halves[i].value);
    }
    for (i = 0; i < COUNT_OF(brains); i++) {
        assert_true(brain_value(brains[i].bits) == brains[i].value);
    }
    assert_true(signbit(half_value(0x8000)) && half_value(0x8000) == 0.0);
    assert_true(signbit(brain_value(0x8000)) && brain_value(0x8000) == 0.0);
    assert_true(half_value(0x7C00) == HUGE_VAL && half_value(0xFC00) == -HUGE_VAL);
    assert_true(brain_value(0x7F80) == HUGE_VAL && brain_value(0xFF80) == -HUGE_VAL);
    assert_true(isnan(half_value(0x7C01)) && isnan(half_value(0x7E00)) && isnan(half_value(0xFE00)));
    assert_true(isnan(brain_value(0x7F81)) && isnan(brain_value(0x7FC0)) && isnan(brain_value(0xFFC0)));
    for (bits = 0; bits < 0x7C00; bits++) {                       /* growing, and odd */
        assert_true(half_value(bits) < half_value(bits + 1));
        assert_true(half_value(bits | 0x8000) == -half_value(bits));
    }
    for (bits = 0; bits < 0x7F80; bits++) {
        assert_true(brain_value(bits) < brain_value(bits + 1));
    }
}

static void not_a_number(void **state)
{
    double nan[3] = { 1.0, NAN, 2.0 }, first[2] = { NAN, 5.0 }, more[2] = { 9.0, -9.0 };
    float f = 3.0f;
    Folded a = folded(PYTREE_ARRAY(nan, 3)), b = folded(PYTREE_LIST(PYTREE_ARRAY(first, 2), PYTREE_ARRAY(more, 2), PYTREE(&f)));
    Folded c = folded(PYTREE_TUPLE(PYTREE(&f), PYTREE_ARRAY(more, 2), PYTREE(&nan[1])));
    double infinite[3] = { -HUGE_VAL, 0.0, HUGE_VAL };
    Folded d = folded(PYTREE_ARRAY(infinite, 3));
    (void)state;
    assert_true(isnan(a.sum) && isnan(a.max) && isnan(a.min) && a.all && a.any);
    assert_true(isnan(b.sum) && isnan(b.max) && isnan(b.min) && b.all && b.any);
    assert_true(isnan(c.sum) && isnan(c.max) && isnan(c.min) && c.all && c.any);
    assert_true(isnan(d.sum) && d.max == HUGE_VAL && d.min == -HUGE_VAL);
    assert_folded(PYTREE(&infinite[0]), true, true, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
}

static void no_elements(void **state)
{
    pytree empty[4];
    float f = 0.0f;
    size_t i;
    (void)state;
    empty[0] = PYTREE_LIST();
    empty[1] = PYTREE_NONE;
    empty[2] = PYTREE_DICT({ "a", PYTREE_TUPLE() }, { "b", PYTREE_NONE });
    empty[3] = PYTREE_LIST(PYTREE_ARRAY(&f, 0), PYTREE_ARRAY(&f, 3, 0, 2));
    for (i = 0; i < 4; i++) {
        bool all = false, any = true;
        double sum = 1.0, max = 1.0, min = 1.0;
        pytree_error error = { 0 };
        assert_ok(pytree_all(empty[i], &all, NULL, &error), &error);
        assert_ok(pytree_any(empty[i], &any, NULL, &error), &error);
        assert_ok(pytree_sum(empty[i], &sum, NULL, &error), &error);
        assert_true(all && !any && sum == 0.0);
        assert_error(pytree_max(empty[i], &max, NULL, &error), PYTREE_EMPTY, "", &error);
        memset(&error, 0, sizeof error);
        assert_error(pytree_min(empty[i], &min, NULL, &error), PYTREE_EMPTY, "", &error);
        assert_true(max == 1.0 && min == 1.0);
        assert_int_equal(pytree_max(empty[i], &max, NULL, NULL), PYTREE_EMPTY);
    }
}

typedef struct Handle {
    int number;
} Handle;

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

/* Neither to be added nor to be compared; nor, unless it has a truth of its own, to be asked for it. */
static void assert_no_numbers(pytree tree, const char *path, const char *word, bool truth, const pytree_options *opt)
{
    bool flag = true;
    double number = 1.5;
    int i;
    for (i = 0; i < 10; i++) {
        pytree_error error = { 0 };
        pytree_error *err = i < 5 ? &error : NULL;
        if (truth && i % 5 < 2) { continue; }
        pytree_status status = i % 5 == 0 ? pytree_all(tree, &flag, opt, err) : i % 5 == 1 ? pytree_any(tree, &flag, opt, err)
            : i % 5 == 2 ? pytree_sum(tree, &number, opt, err) : i % 5 == 3 ? pytree_max(tree, &number, opt, err)
            : pytree_min(tree, &number, opt, err);
        if (err == NULL) {
            assert_int_equal(status, PYTREE_TYPE);
        } else {
            assert_error(status, PYTREE_TYPE, path, &error);
            assert_non_null(strstr(error.message, word));
        }
    }
    assert_true(flag && number == 1.5);
}

static void what_is_no_number(void **state)
{
    float f = 1.0f;
    const char *s = "text";
    Handle handle = { 1 };
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_no_numbers(PYTREE(&s), "", "str", true, NULL);
    assert_no_numbers(PYTREE_LIST(PYTREE(&f), PYTREE_DICT({ "k", PYTREE(&s) })), "[1]['k']", "str", true, NULL);
    assert_no_numbers(PYTREE_TUPLE(PYTREE(&f), PYTREE(&handle)), "[1]", "Handle", false, NULL);
    assert_no_numbers(PYTREE_TUPLE(PYTREE(&f), PYTREE_NONE), "[1]", "None", true, &none);
#if defined(TEST_HAS_COMPLEX)
    {
        Waves waves = { 0 };
        assert_no_numbers(PYTREE(&waves), ".c64", "c64", false, NULL);
    }
#endif
}

static void texts_and_none_have_a_truth(void **state)
{
    const char *text = "False", *empty = "", *both[] = { "a", "" };
    bool flag;
    pytree_options none = { .none_is_leaf = true };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_all(PYTREE_LIST(PYTREE(&text), PYTREE_INT(1)), &flag, NULL, &error), &error);
    assert_true(flag);
    assert_ok(pytree_all(PYTREE_LIST(PYTREE(&text), PYTREE(&empty)), &flag, NULL, &error), &error);
    assert_false(flag);
    assert_ok(pytree_any(PYTREE_LIST(PYTREE(&empty), PYTREE_NONE), &flag, &none, &error), &error);
    assert_false(flag);
    assert_ok(pytree_any(PYTREE_ARRAY(both, 2), &flag, NULL, &error), &error);
    assert_true(flag);
    assert_ok(pytree_all(PYTREE_ARRAY(both, 2), &flag, NULL, &error), &error);
    assert_false(flag);
    assert_ok(pytree_all(PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE), &flag, &none, &error), &error);
    assert_false(flag);
    assert_ok(pytree_all(PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE), &flag, NULL, &error), &error);
    assert_true(flag);
}

static void structs_and_subtrees(void **state)
{
    MLP model = mlp_make(2, true);
    double expected = 0.0, highest = -HUGE_VAL, lowest = HUGE_VAL, got;
    pytree_leaf leaves[7];
    size_t n, i, k;
    bool flag;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&model), leaves, 7, &n, NULL, &error), &error);
    for (i = 0; i < n; i++) {
        for (k = 0; k < pytree_leaf_count(&leaves[i]); k++) {
            double v = pytree_leaf_get(&leaves[i], k);
            expected += v;
            highest = v > highest ? v : highest;
            lowest = v < lowest ? v : lowest;
        }
    }
    assert_ok(pytree_sum(PYTREE(&model), &got, NULL, &error), &error);
    assert_true(got == expected);
    assert_ok(pytree_max(PYTREE(&model), &got, NULL, &error), &error);
    assert_true(got == highest && highest == 1003.0);
    assert_ok(pytree_min(PYTREE(&model), &got, NULL, &error), &error);
    assert_true(got == lowest);
    assert_ok(pytree_all(PYTREE(&model), &flag, NULL, &error), &error);
    assert_true(flag);
    model.scale[1][1] = 0.0f;
    assert_ok(pytree_all(PYTREE(&model), &flag, NULL, &error), &error);
    assert_false(flag);
    mlp_clear(&model);
}

/* A plain loop over a million times 0.1 is wrong in the eleventh digit. */
static void long_arrays_keep_their_digits(void **state)
{
    enum { N = 1000000 };
    double *d = malloc(N * sizeof *d), sum, naive = 0.0;
    float *f = malloc(N * sizeof *f);
    size_t i;
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(d);
    assert_non_null(f);
    for (i = 0; i < N; i++) {
        d[i] = 0.1;
        f[i] = 0.1f;
        naive += d[i];
    }
    assert_true(fabs(naive - 1e5) > 1e-7);
    assert_ok(pytree_sum(PYTREE_ARRAY(d, N), &sum, NULL, &error), &error);
    assert_true(fabs(sum - 1e5) < 1e-9);
    assert_ok(pytree_sum(PYTREE_ARRAY(f, 1000, N / 1000), &sum, NULL, &error), &error);
    assert_true(fabs(sum - (double)0.1f * 1e6) < 1e-9);
    free(d);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balanced_as_jax_does),
        cmocka_unit_test(left_to_right),
        cmocka_unit_test(nested_trees_fold_in_order),
        cmocka_unit_test(callbacks_stop_a_fold),
        cmocka_unit_test(folds_that_cannot_begin),
        cmocka_unit_test(an_earlier_error_stays),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(every_integer_type),
        cmocka_unit_test(every_float_type),
        cmocka_unit_test(half_precision),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(no_elements),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(texts_and_none_have_a_truth),
        cmocka_unit_test(structs_and_subtrees),
        cmocka_unit_test(long_arrays_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
