/* support.h: what every test program starts with.
 *
 *     #include "support.h"         // first: brings cmocka, the library with its bodies, and what stands here
 *
 * - assert_ok, assert_error: a call went well, or failed in this way at this path.
 * - Heap: an allocator that counts what is live, notices wrong sizes and overruns, and can fail at its n-th call.
 * - sweep_allocations: runs an operation again and again with one allocation after the other failing.
 * - registered structs that between them have every kind of row, with functions that fill and clear them.
 *
 * The bodies come with it, unless the build defines TEST_BODIES_APART and links bodies.c, which spares their compilation in
 * each program. Before the include, a program defines TEST_PRIVATE for what impl/types.h declares, TEST_WATCHED_BODIES for the
 * bodies of watched.h, and TEST_OWN_BODIES if it calls functions that are static or steers the bodies with other macros; one of
 * several files defines TEST_SECOND_FILE in all but one. */
#ifndef SUPPORT_H
#define SUPPORT_H

#if defined(TEST_WATCHED_BODIES) && !defined(TEST_WATCHED_APART)
#define TEST_OWN_BODIES
#endif
#if !defined(TEST_SECOND_FILE) && (!defined(TEST_BODIES_APART) || defined(TEST_OWN_BODIES))
#if defined(PYTREE_H) || defined(INCLUDE_STB_DS_H)
#error "Include support.h before pytree.h and stb_ds.h: it brings their bodies."
#endif
#if !defined(PYTREE_IMPLEMENTATION)
#define PYTREE_IMPLEMENTATION
#endif
#if !defined(STB_DS_IMPLEMENTATION)
#define STB_DS_IMPLEMENTATION
#endif
#endif

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#if defined(TEST_WATCHED_BODIES)
#include "watched.h"
#endif
#include "stb_memory.h"
#include "pytree.h"
#if defined(TEST_PRIVATE)
#if !defined(PYTREE_IMPLEMENTATION)
#define PYTREE__DECLARATIONS_ONLY
#endif
#include "pytree/impl/internal.h"
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Is this compiled with an address sanitizer, or for Windows, whose heap under Wine is slow? Then what is large or deep takes
 * several times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(_WIN32)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* Is it optimised? Otherwise what is large takes several times as long, too. */
#if defined(__OPTIMIZE__)
#define OPTIMISED true
#else
#define OPTIMISED false
#endif

/* Valgrind computes long double in 64 bits and is slow: tests may say less there. The runner sets the variable. */
static inline bool under_valgrind(void)
{
    return getenv("PYTREE_TEST_VALGRIND") != NULL;
}

/* Tests may be smaller there, too. */
static inline bool slow_here(void)
{
    return SANITIZED || under_valgrind();
}

/* Levels at which a function that calls itself needs more than a stack of 8 MB, with as little as 32 bytes for each call. */
enum { DEEPER_THAN_A_STACK = 300000 };

/* The order of the bytes of this machine's numbers: files are little-endian. */
static inline bool little_endian(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

/* ---- Assertions ---------------------------------------------------------------------------------------------------- */

/* The call succeeded and left the error object alone. */
#define assert_ok(call, error) test_assert_status((call), PYTREE_OK, NULL, (error), __FILE__, __LINE__)

/* The call failed with that status, at that key path (NULL: wherever), and the error object says the same. */
#define assert_error(call, status, path, error) test_assert_status((call), (status), (path), (error), __FILE__, __LINE__)

static inline void test_assert_status(pytree_status got, pytree_status wanted, const char *path, const pytree_error *error,
                                      const char *file, int line)
{
    if (got != wanted || error->status != wanted || (path != NULL && strcmp(error->path, path) != 0)) {
        print_error("# expected: %s at '%s'\n# returned: %s\n# error:    %s at '%s': %s\n", pytree_status_name(wanted),
                    path == NULL ? "(anywhere)" : path, pytree_status_name(got), pytree_status_name(error->status), error->path,
                    error->message);
        _fail(file, line);
    }
    if (wanted != PYTREE_OK && error->message[0] == '\0') {
        print_error("# an error without words: %s\n", pytree_status_name(wanted));
        _fail(file, line);
    }
}

/* The tree's treedef prints as that text, and pytree_def_text agrees with itself about the length. */
static inline void assert_def_text(pytree tree, const char *expected, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, opt, &error);
    size_t length;
    char *text;
    assert_ok(error.status, &error);
    assert_non_null(def);
    length = pytree_def_text(def, NULL, 0);
    text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(pytree_def_text(def, text, length + 1), length);
    assert_string_equal(text, expected);
    free(text);
    pytree_def_free(def);
}

/* ---- An allocator that can fail ------------------------------------------------------------------------------------ */

/* Counts live blocks and bytes. Call number `fail_at` (from 0, frees not counted) and that one alone gives NULL. Every block is
 * followed by bytes that must stay as they are, and a block that is resized always moves, so that what kept the old address is
 * found out. */
typedef struct Heap {
    pytree_allocator allocator;
    size_t fail_at;
    size_t calls;                         /* that asked for memory */
    size_t blocks, bytes;                 /* live */
    size_t mistakes;                      /* wrong old sizes, overruns */
} Heap;

typedef union HeapHead {
    size_t size;
    max_align_t align;
} HeapHead;

enum { HEAP_GUARD = 16, HEAP_GUARD_BYTE = 0xA5, HEAP_FREED_BYTE = 0xDD, HEAP_FRESH_BYTE = 0xCD };
#define HEAP_NEVER_FAILS SIZE_MAX

static inline void heap_discard(Heap *heap, void *p, size_t size)
{
    HeapHead *head = (HeapHead *)p - 1;
    const unsigned char *guard = (const unsigned char *)p + head->size;
    size_t i;
    if (head->size != size) {
        print_error("# allocator: old size given as %lu, but it is %lu\n", (unsigned long)size, (unsigned long)head->size);
        heap->mistakes++;
    }
    for (i = 0; i < HEAP_GUARD; i++) {
        if (guard[i] != HEAP_GUARD_BYTE) {
            print_error("# allocator: a block of %lu bytes was overrun\n", (unsigned long)head->size);
            heap->mistakes++;
            break;
        }
    }
    heap->blocks--;
    heap->bytes -= head->size;
    memset(p, HEAP_FREED_BYTE, head->size);
    free(head);
}

static inline void *heap_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Heap *heap = context;
    HeapHead *head;
    unsigned char *fresh;
    if (new_size == 0) {
        if (p != NULL) {
            heap_discard(heap, p, old_size);
        }
        return NULL;
    }
    if (p == NULL && old_size != 0) {
        print_error("# allocator: a new block was said to have had %lu bytes\n", (unsigned long)old_size);
        heap->mistakes++;
    }
    if (heap->calls++ == heap->fail_at || new_size > PTRDIFF_MAX - sizeof *head - HEAP_GUARD) {
        return NULL;
    }
    head = malloc(sizeof *head + new_size + HEAP_GUARD);
    if (head == NULL) {
        return NULL;
    }
    head->size = new_size;
    fresh = (unsigned char *)(head + 1);
    memset(fresh, HEAP_FRESH_BYTE, new_size);
    memset(fresh + new_size, HEAP_GUARD_BYTE, HEAP_GUARD);
    heap->blocks++;
    heap->bytes += new_size;
    if (p != NULL) {
        memcpy(fresh, p, old_size < new_size ? old_size : new_size);
        heap_discard(heap, p, old_size);
    }
    return fresh;
}

/* Ready for use; it must stay where it is. HEAP_NEVER_FAILS for one that only counts. */
static inline void heap_init(Heap *heap, size_t fail_at)
{
    memset(heap, 0, sizeof *heap);
    heap->allocator.resize = heap_resize;
    heap->allocator.context = heap;
    heap->fail_at = fail_at;
}

/* Nothing is live and nothing went wrong. */
static inline void assert_heap_clean(const Heap *heap)
{
    assert_int_equal(heap->mistakes, 0);
    assert_int_equal(heap->blocks, 0);
    assert_int_equal(heap->bytes, 0);
}

/* ---- All allocations, one after the other -------------------------------------------------------------------------- */

/* An operation to be swept: does its work with `opt` (whose allocator may fail), gives back all it got, whether it succeeded or
 * not, and returns the first status that was not PYTREE_OK. What must hold after a failure it asserts itself. */
typedef pytree_status sweep_body(void *context, const pytree_options *opt, pytree_error *err);

/* Runs the body with allocation 0 failing, then `step`, 2 * step, … until it gets through; `base` (may be NULL) gives the other
 * options. Every run before must end with PYTREE_NO_MEMORY, in the error object too, and none may leave memory behind. Returns
 * how many allocations the body makes. */
static inline size_t sweep_allocations_by(size_t step, const pytree_options *base, sweep_body *body, void *context)
{
    size_t n;
    for (n = 0;; n += step) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_status status;
        if (base != NULL) {
            opt = *base;
        }
        heap_init(&heap, n);
        opt.allocator = &heap.allocator;
        status = body(context, &opt, &error);
        assert_heap_clean(&heap);
        if (heap.calls <= n) {
            assert_ok(status, &error);
            assert_in_range(heap.calls, n < step ? 0 : n - step + 1, n);
            return heap.calls;
        }
        assert_error(status, PYTREE_NO_MEMORY, NULL, &error);
    }
}

/* Each allocation fails once. */
static inline size_t sweep_allocations_with(const pytree_options *base, sweep_body *body, void *context)
{
    return sweep_allocations_by(1, base, body, context);
}

static inline size_t sweep_allocations(sweep_body *body, void *context)
{
    return sweep_allocations_with(NULL, body, context);
}

/* ---- Structs: a layer and a model ---------------------------------------------------------------------------------- */

typedef struct Linear {
    int din, dout;
    float *w;                             /* (din, dout) */
    float *b;                             /* (dout,) */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))                                                                 \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct MLP {
    size_t n_layers;
    Linear *layers;
    Linear *head;                         /* NULL when there is none */
    float scale[2][3];
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_layers)                                                                                      \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))                                                                    \
    PYTREE_FIELD(DATA, head, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

/* n numbers from the heap: first, first + 1, … */
static inline float *test_floats(size_t n, float first)
{
    float *numbers = malloc((n == 0 ? 1 : n) * sizeof *numbers);
    size_t i;
    assert_non_null(numbers);
    for (i = 0; i < n; i++) {
        numbers[i] = first + (float)i;
    }
    return numbers;
}

/* A layer whose weights count up from `first`, and whose biases count up from -first. */
static inline Linear linear_make(int din, int dout, float first)
{
    Linear layer = { 0 };
    layer.din = din;
    layer.dout = dout;
    layer.w = test_floats((size_t)din * (size_t)dout, first);
    layer.b = test_floats((size_t)dout, -first);
    return layer;
}

static inline void linear_clear(Linear *layer)
{
    free(layer->w);
    free(layer->b);
    memset(layer, 0, sizeof *layer);
}

/* Layers 4 to 3, 3 to 2, 2 to 1, … with distinct numbers (at most three layers), and if wanted a head of 2 to 2. */
static inline MLP mlp_make(size_t n_layers, bool with_head)
{
    MLP model = { 0 };
    size_t i;
    assert_in_range(n_layers, 0, 3);
    model.n_layers = n_layers;
    model.layers = malloc((n_layers + 1) * sizeof *model.layers);
    assert_non_null(model.layers);
    for (i = 0; i < n_layers; i++) {
        model.layers[i] = linear_make(4 - (int)i, 3 - (int)i, (float)(100 * (i + 1)));
    }
    if (with_head) {
        model.head = malloc(sizeof *model.head);
        assert_non_null(model.head);
        *model.head = linear_make(2, 2, 1000.0f);
    }
    for (i = 0; i < 6; i++) {
        model.scale[i / 3][i % 3] = 0.5f + (float)i;
    }
    return model;
}

static inline void mlp_clear(MLP *model)
{
    size_t i;
    for (i = 0; i < model->n_layers; i++) {
        linear_clear(&model->layers[i]);
    }
    if (model->head != NULL) {
        linear_clear(model->head);
    }
    free(model->layers);
    free(model->head);
    memset(model, 0, sizeof *model);
}

/* The treedef of mlp_make(2, true). */
#define MLP_2_HEAD_TEXT                                                                                                 \
    "PyTreeDef(CustomNode(MLP[(2,)], [[CustomNode(Linear[(4, 3)], [*, *]), CustomNode(Linear[(3, 2)], [*, *])], "        \
    "CustomNode(Linear[(2, 2)], [*, *]), *]))"

/* ---- Structs: every kind of row ------------------------------------------------------------------------------------ */

#include "everything.h"

/* Leaves of everything_make(true): the rows up to `cube` one each, at 2, corners 4, far 2, weights, bias, points 3 * 2. */
enum { EVERYTHING_LEAVES = 26 + 2 + 4 + 2 + 1 + 1 + 6 };

static inline double test_half_of(double x)
{
    return x / 2.0;
}

/* Every field with a value of its own; with or without what is OPTIONAL. */
static inline Everything everything_make(bool with_optional)
{
    Everything all;
    size_t i;
    memset(&all, 0, sizeof all);
    all.flag = true;
    all.letter = 'A';
    all.i8 = -8;
    all.u8 = 200;
    all.i16 = -1600;
    all.u16 = 60000;
    all.i32 = -320000;
    all.u32 = 4000000000u;
    all.i_long = LONG_MIN;
    all.u_long = ULONG_MAX;
    all.i64 = LLONG_MIN;
    all.u64 = ULLONG_MAX;
    all.f32 = 0.5f;
    all.f64 = -0.25;
    all.f_long = 1.0L / 8.0L;
    all.half.bits = 0x3C00;               /* 1.0 */
    all.brain.bits = 0xC000;              /* -2.0 */
    all.color = BLUE;
    all.name = malloc(6);
    assert_non_null(all.name);
    memcpy(all.name, "owned", 6);
    all.title = "a title";
    all.note = with_optional ? "a note" : NULL;
    memcpy(all.code, "C11\0\0\0\0z", 8);
    all.mask[1] = true;
    for (i = 0; i < 3; i++) {
        all.vector[i] = (float)i + 0.5f;
    }
    for (i = 0; i < 6; i++) {
        all.matrix[i / 3][i % 3] = 10.0 * (double)i;
    }
    for (i = 0; i < 24; i++) {
        all.cube[i / 12][i / 4 % 3][i % 4] = (int)i;
    }
    all.at.x = 1.0f;
    all.at.y = 2.0f;
    for (i = 0; i < 2; i++) {
        all.corners[i].x = (float)i + 3.0f;
        all.corners[i].y = (float)i + 5.0f;
    }
    all.rows = 2;
    all.columns = 3;
    all.n_points = 3;
    all.weights = malloc(6 * sizeof *all.weights);
    all.points = malloc(3 * sizeof *all.points);
    assert_non_null(all.weights);
    assert_non_null(all.points);
    for (i = 0; i < 6; i++) {
        all.weights[i] = 0.125 * (double)i;
    }
    for (i = 0; i < 3; i++) {
        all.points[i].x = (float)i + 20.0f;
        all.points[i].y = (float)i + 30.0f;
    }
    if (with_optional) {
        all.far = malloc(sizeof *all.far);
        assert_non_null(all.far);
        all.far->x = -1.0f;
        all.far->y = -2.0f;
        all.bias = test_floats(3, 7.0f);
    }
    all.config.width = 64;
    all.config.activation = "relu";
    all.config.rates[0] = 0.1;
    all.config.rates[1] = 0.01;
    all.kind = "a kind";
    all.function = test_half_of;
    all.mode = GREEN;
    for (i = 0; i < 3; i++) {
        all.version[i] = (int)i + 1;
    }
    all.epsilon = 1.0L / 1024.0L;
    return all;
}

static inline void everything_clear(Everything *all)
{
    free(all->name);
    free(all->far);
    free(all->weights);
    free(all->bias);
    free(all->points);
    memset(all, 0, sizeof *all);
}

#if !defined(__STDC_NO_COMPLEX__) && !defined(__TINYC__)
#define TEST_HAS_COMPLEX 1
typedef struct Waves {
    float _Complex c64;
    double _Complex c128;
    long double _Complex c_long;
    float _Complex pair[2];
} Waves;

#define PYTREE_STRUCT Waves
#define PYTREE_FIELDS PYTREE_FIELD(DATA, c64) PYTREE_FIELD(DATA, c128) PYTREE_FIELD(DATA, c_long) PYTREE_FIELD(DATA, pair)
#include "pytree_registry.h"
#endif

/* ---- Structs: chains, and two that refer to each other -------------------------------------------------------------- */

typedef struct Node {
    double value;
    struct Node *next;                    /* NULL at the end */
} Node;

#define PYTREE_STRUCT Node
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

/* n nodes in one block, values 0, 1, …; the first is the chain. Free it with free. */
static inline Node *chain_make(size_t n)
{
    Node *nodes = malloc(n * sizeof *nodes);
    size_t i;
    assert_non_null(nodes);
    for (i = 0; i < n; i++) {
        nodes[i].value = (double)i;
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : NULL;
    }
    return nodes;
}

struct Team;
typedef struct Member {
    float share;
    struct Team *team;                    /* NULL for one who is in none */
} Member;

typedef struct Team {
    int id;
    Member *lead;                         /* NULL when nobody leads */
} Team;

#define PYTREE_DECLARE Team
#include "pytree_registry.h"

#define PYTREE_STRUCT Member
#define PYTREE_FIELDS PYTREE_FIELD(DATA, share) PYTREE_FIELD(DATA, team, OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_DEFINE Team
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, id) PYTREE_FIELD(DATA, lead, OPTIONAL)
#include "pytree_registry.h"

/* ---- Structs: stb_ds containers -------------------------------------------------------------------------------------- */

typedef struct Price {
    char *key;
    double value;
} Price;

typedef struct Place {
    char *key;
    Point value;
} Place;

typedef struct Shelf {
    float *heights;                       /* stb_ds array */
    Point *spots;                         /* stb_ds array */
    Price *prices;                        /* stb_ds string map */
    Place *places;                        /* stb_ds string map */
} Shelf;

#define PYTREE_STRUCT Shelf
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, heights, STB_ARRAY)                                                                              \
    PYTREE_FIELD(DATA, spots, STB_ARRAY)                                                                                \
    PYTREE_FIELD(DATA, prices, STB_MAP)                                                                                 \
    PYTREE_FIELD(DATA, places, STB_MAP)
#include "pytree_registry.h"

/* Three heights, two spots, prices of pear, apple and fig (entered in that order), places there and here. The maps own their
 * keys. */
static inline Shelf shelf_make(void)
{
    static const char *const fruits[] = { "pear", "apple", "fig" };
    static const char *const names[] = { "there", "here" };
    Shelf shelf = { 0 };
    int i;
    for (i = 0; i < 3; i++) {
        stbds_arrput(shelf.heights, 1.5f * (float)(i + 1));
    }
    for (i = 0; i < 2; i++) {
        Point spot;
        spot.x = (float)i;
        spot.y = (float)(10 * i);
        stbds_arrput(shelf.spots, spot);
    }
    stbds_sh_new_strdup(shelf.prices);
    for (i = 0; i < 3; i++) {
        stbds_shput(shelf.prices, fruits[i], 0.25 * (double)(i + 1));
    }
    stbds_sh_new_strdup(shelf.places);
    for (i = 0; i < 2; i++) {
        Point spot;
        spot.x = (float)(i + 7);
        spot.y = (float)(i + 8);
        stbds_shput(shelf.places, names[i], spot);
    }
    return shelf;
}

static inline void shelf_clear(Shelf *shelf)
{
    stbds_arrfree(shelf->heights);
    stbds_arrfree(shelf->spots);
    stbds_shfree(shelf->prices);
    stbds_shfree(shelf->places);
    memset(shelf, 0, sizeof *shelf);
}

/* Leaves of shelf_make: 3 heights, 2 * 2 of spots, 2 * 2 of places, 3 prices. */
enum { SHELF_LEAVES = 3 + 4 + 3 + 4 };

#endif
