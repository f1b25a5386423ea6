/* literal_shared.h: shared by test_literal.c, test_literal_values.c and test_literal_memory.c. */
#ifndef LITERAL_SHARED_H
#define LITERAL_SHARED_H

#include "support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <cjson/cJSON.h>

#include "pytree/literal.h"

/* A value of each kind. */
static const char all_kinds[] =
    "{'a': [1, -2.5, 1e-07, True, None, 'x\\u00e9\\ud83d\\ude00\\'', \"it's\"], 'b': (1, (2,), ()), 'c': {3: 1, -4: 2, 0: 3},\n"
    " 'd': OrderedDict([('z', 1), ('y', OrderedDict({'k': 2}))]), 'e': defaultdict(<class 'int'>, {'q': 1, 'p': 2}), "
    "'f': deque([1, 2], maxlen=3), 'g': Point(x=1, y=f32([[1.5, 2.5], [0.1, inf]])), 'h': [u8(3), f16(0.1), c64((1-2j)), "
    "(1+2j), 3j, longdouble(0.1)], 'i': str(['a', None, 'b']), 'j': i64([], shape=(0, 2)), 'k': 18446744073709551615}";

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static const pytree_tolerance as_bits = { 0, 0, true };        /* NaN equals NaN */

/* The literal of a tree; free it. */
static inline char *literal_of(pytree tree, const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n = pytree_literal_text(tree, NULL, 0, opt, &error);
    char *text;
    assert_ok(error.status, &error);
    text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(pytree_literal_text(tree, text, n + 1, opt, &error), n);
    assert_int_equal(strlen(text), n);
    return text;
}

/* A text with nothing behind its last byte, so that whoever reads on is found out. */
static inline pytree parse_exactly(const char *text, size_t n, const pytree_options *opt, pytree_error *error)
{
    char *copy = malloc(n == 0 ? 1 : n);
    pytree t;
    assert_non_null(copy);
    memcpy(copy, text, n);
    t = pytree_parse_n(copy, n, opt, error);
    free(copy);
    return t;
}

/* The tree prints as that text, and the text parses as that tree. */
static inline void assert_literal(pytree tree, const char *expected)
{
    pytree_error error = { 0 };
    char *text = literal_of(tree, NULL);
    pytree again;
    assert_string_equal(text, expected);
    again = pytree_parse(text, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(tree, again, &as_bits, NULL, &error));
    assert_ok(pytree_check(again, NULL, NULL, NULL, &error), &error);
    pytree_free(again);
    free(text);
}

/* A text parses, and the tree prints so (NULL: as it was); that again is a fixed point. */
static inline void assert_parses(const char *text, const char *canonical)
{
    pytree_error error = { 0 };
    pytree t = parse_exactly(text, strlen(text), NULL, &error);
    assert_ok(error.status, &error);
    assert_literal(t, canonical == NULL ? text : canonical);
    pytree_free(t);
}

static inline void assert_refused(const char *text, size_t n, const char *message)
{
    pytree_error error = { 0 };
    pytree t = parse_exactly(text, n, NULL, &error);
    assert_null(t.data);
    assert_error(error.status, PYTREE_SYNTAX, "", &error);
    assert_string_equal(error.message, message);
    t = parse_exactly(text, n, NULL, NULL);          /* nobody wants to know why */
    assert_null(t.data);
}

static uint64_t random_state = 1;

static inline uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

/* ---- The notation ------------------------------------------------------------------------------------------------------ */

/* A dict of many keys, in an order that is far from sorted. */
static inline void test_many_keys(void **state)
{
    enum { N = 1000 };
    char *text = malloc(N * 20 + 3), *at = text;
    pytree_error error = { 0 };
    pytree t;
    const pytree_items *items;
    size_t i;
    (void)state;
    assert_non_null(text);
    *at++ = '{';
    for (i = 0; i < N; i++) { at += sprintf(at, "'%s%u': %u, ", i % 2 == 0 ? "k" : "", (unsigned)(i * 7919 % N), (unsigned)i); }
    strcpy(at, "}");
    t = pytree_parse(text, NULL, &error);
    assert_ok(error.status, &error);
    items = t.data;
    for (i = 1; i < N; i++) {
        assert_true(strcmp(items->pairs[items->order[i - 1]].key, items->pairs[items->order[i]].key) < 0);
    }
    pytree_free(t);
    strcpy(at, "'k0': 1}");
    t = pytree_parse(text, NULL, &error);
    assert_null(t.data);
    assert_non_null(strstr(error.message, "expected each key once, got 'k0'"));
    free(text);
}

/* ---- Hostile text ------------------------------------------------------------------------------------------------------ */

static inline char *repeated(const char *before, const char *middle, const char *behind, size_t n)
{
    size_t a = strlen(before), b = strlen(behind), i;
    char *text = malloc(n * (a + b) + strlen(middle) + 1), *at = text;
    assert_non_null(text);
    for (i = 0; i < n; i++, at += a) { memcpy(at, before, a); }
    strcpy(at, middle);
    at += strlen(middle);
    for (i = 0; i < n; i++, at += b) { memcpy(at, behind, b); }
    *at = '\0';
    return text;
}

/* Memory for the work and the tree is in proportion to the text, whatever it says. */
static inline void test_memory_is_bounded(void **state)
{
    static const char *const cases[] = { "[", "[1,", "{'a':", "f32([],shape=(0,", "''", "[],", "f32([]),", "{},", "(1+" };
    enum { N = 2000 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        char *text = repeated(cases[i], "", "", N);
        char *list = malloc(strlen(text) + 3);
        pytree_error error = { 0 };
        pytree_options opt = { 0 };
        Heap heap;
        pytree t;
        assert_non_null(list);
        sprintf(list, "[%s]", text);
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        t = pytree_parse(text, &opt, NULL);
        assert_null(t.data);
        assert_heap_clean(&heap);
        t = pytree_parse(list, &opt, &error);
        if (t.data != NULL) {
            assert_int_equal(heap.blocks, 1);            /* the tree, and nothing else */
            assert_true(heap.bytes < 100 * strlen(list));
            pytree_free(t);
        }
        assert_heap_clean(&heap);
        free(list);
        free(text);
    }
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------------- */

/* No decimal of fewer digits reads back. */
static inline void assert_shortest(const char *text, double v, bool is_float)
{
    char fewer[64];
    int n = 0, zeros = 0;
    for (text += *text == '-'; *text == '.' || (*text >= '0' && *text <= '9'); text++) {
        if (*text == '.' || (n == 0 && *text == '0')) { continue; }
        n++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    n -= zeros;
    if (n < 2) { return; }
    (void)snprintf(fewer, sizeof fewer, "%.*e", n - 2, v);
    assert_true(is_float ? strtof(fewer, NULL) != (float)v : strtod(fewer, NULL) != v);
}

/* Numbers of any bits come back bit for bit, and the digits are the fewest. */
static inline void test_random_numbers(void **state)
{
    enum { N = 8000 };
    double *doubles = malloc(N * sizeof *doubles);
    float *floats = malloc(N * sizeof *floats);
    size_t i, n = under_valgrind() ? 50 : N;
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(doubles);
    assert_non_null(floats);
    for (i = 0; i < n; i++) {
        const uint64_t bits = random_bits();
        const double tens[] = { 1, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e12 };
        const double number = (double)(int64_t)(bits >> (bits % 50 + 11)) / tens[bits % 8];
        memcpy(&doubles[i], &bits, sizeof bits);
        memcpy(&floats[i], &bits, sizeof *floats);
        if (i % 2 == 0 || doubles[i] != doubles[i]) { doubles[i] = bits % 3 == 0 ? number : -number; }
        if (i % 2 == 0 || floats[i] != floats[i]) { floats[i] = (float)number; }
        if (i % 8 == 1) { floats[i] = ldexpf(1.0f, (int)(bits % 60) - 30); }
        if (i % 4 == 1) { doubles[i] = ldexp((double)(bits >> 11), (int)(bits % 70) - 67 - 13 * (i % 3 == 0)); }
        if (i % 8 == 2) { floats[i] = (float)(1e-4 + 1e-3 * ldexp((double)(bits >> 11), -53)); }
        if (i % 8 == 6) { floats[i] = (float)((double)(bits % 100000) * 1e-8); }
        if (i % 32 == 5) { doubles[i] = nextafter(pow(10, (double)(bits % 20) - 4), (double)(i % 64) - 30); }
        if (i % 32 == 9) { doubles[i] = ldexp(1, (int)(bits % 70) - 20); }
        {
            char *f64 = literal_of(PYTREE(&doubles[i]), NULL), *f32 = literal_of(PYTREE(&floats[i]), NULL);
            assert_shortest(f64, doubles[i], false);
            assert_shortest(f32 + strlen("f32("), (double)floats[i], true);
            free(f64);
            free(f32);
        }
    }
    {
        char *text = literal_of(PYTREE_TUPLE(PYTREE_ARRAY(doubles, n), PYTREE_ARRAY(floats, n)), NULL);
        pytree t = pytree_parse(text, NULL, &error);
        const pytree_items *items = t.data;
        assert_ok(error.status, &error);
        assert_memory_equal(((const pytree_leaf *)items->items[0].data)->data, doubles, n * sizeof *doubles);
        assert_memory_equal(((const pytree_leaf *)items->items[1].data)->data, floats, n * sizeof *floats);
        pytree_free(t);
        free(text);
    }
    free(doubles);
    free(floats);
}

#endif
