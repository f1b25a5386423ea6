/* Products in row expressions that are too large for the type in which C computes them, told from their text. */
#include "support.h"

#define NUMBERS(name) typedef struct name { int a, b; unsigned u; short c; size_t n; float *w; } name
#define STATICS                                                                                                         \
    PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(STATIC, u) PYTREE_FIELD(STATIC, c) PYTREE_FIELD(STATIC, n)
NUMBERS(OfInts);
NUMBERS(OfUnsigned);
NUMBERS(OfThree);
NUMBERS(OfSizes);
NUMBERS(OfCast);
NUMBERS(OfNumber);
NUMBERS(Guarded);
typedef struct OfLists { int n; OfInts *all; } OfLists;

#define PYTREE_STRUCT OfInts
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY(2, self->a * self->b))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfUnsigned
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY(3 + (self->u*self->u)))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfThree
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY(self->c * self -> a * self->b))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfSizes
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY(self->n * self->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfCast
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY((size_t)self->a * (size_t)self->b))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfNumber
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY(self->a * 65537))
#include "pytree_registry.h"
#define PYTREE_STRUCT Guarded
#define PYTREE_FIELDS STATICS PYTREE_FIELD(DATA, w, ARRAY(self->a > 1000 ? 0 : self->a * self->b))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfLists
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n))
#include "pytree_registry.h"

#define LARGE { .a = 65536, .b = 65537, .u = 65536, .c = 3, .n = 65536 }

static void assert_allocates(pytree t, pytree_status wanted, const char *path, const char *words)
{
    pytree_error error = { 0 };
    Heap heap;
    const pytree_options opt = { .allocator = &heap.allocator };
    heap_init(&heap, 0);                  /* no test has memory for what is right */
    assert_error(pytree_allocate(t, &opt, &error), wanted, path, &error);
    if (words != NULL) { assert_string_equal(error.message, words); }
    assert_heap_clean(&heap);
}

static void products_do_not_wrap(void **state)
{
    OfInts ints = LARGE, small = { .a = 46340, .b = 46340 }, all[2] = { { .a = 2, .b = 3 }, LARGE };
    OfUnsigned of_unsigned = LARGE;
    OfThree three = LARGE;
    OfLists lists = { 2, all };
    OfNumber number = LARGE;
    Guarded guarded = LARGE;
    pytree_error error = { 0 };
    (void)state;
    assert_allocates(PYTREE(&ints), PYTREE_OVERFLOW, ".w", "expected a product that fits the type of self->a * self->b, got "
                     "4295032832 (write each factor as an extent, or cast the first one to size_t)");
    assert_allocates(PYTREE(&of_unsigned), PYTREE_OVERFLOW, ".w", "expected a product that fits the type of self->u*self->u, "
                     "got 4294967296 (write each factor as an extent, or cast the first one to size_t)");
    three.b = 10923;
    assert_allocates(PYTREE(&three), PYTREE_OVERFLOW, ".w", "expected a product that fits the type of self->c * self -> a * "
                     "self->b, got 2147549184 (write each factor as an extent, or cast the first one to size_t)");
    assert_allocates(PYTREE(&lists), PYTREE_OVERFLOW, ".all[1].w", NULL);
    assert_allocates(PYTREE(&number), PYTREE_OVERFLOW, ".w", "expected a product that fits the type of self->a * 65537, got "
                     "4295032832 (write each factor as an extent, or cast the first one to size_t)");
    if (sizeof(size_t) == 8) {
        OfSizes sizes = LARGE;
        OfCast cast = LARGE;
        assert_allocates(PYTREE(&small), PYTREE_NO_MEMORY, NULL, NULL);    /* the largest square that an int holds */
        assert_allocates(PYTREE(&sizes), PYTREE_NO_MEMORY, NULL, NULL);
        assert_allocates(PYTREE(&cast), PYTREE_NO_MEMORY, NULL, NULL);
    }
    assert_ok(pytree_allocate(PYTREE(&guarded), NULL, &error), &error);
    pytree_free(PYTREE(&guarded));
}

/* Integers of fewer bits than an int are ints in a product. */
typedef struct Narrow { int large; int8_t i8; uint8_t u8; uint16_t u16; float *w; } Narrow;

#define PYTREE_STRUCT Narrow
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, large) PYTREE_FIELD(STATIC, i8) PYTREE_FIELD(STATIC, u8) PYTREE_FIELD(STATIC, u16)              \
    PYTREE_FIELD(DATA, w, ARRAY(self->large * self->i8 * self->u8 * self->u16))
#include "pytree_registry.h"

static void products_of_narrow_integers(void **state)
{
    Narrow narrow = { .large = 2, .i8 = 127, .u8 = 255, .u16 = 65535 };
    (void)state;
    assert_allocates(PYTREE(&narrow), PYTREE_OVERFLOW, ".w", "expected a product that fits the type of self->large * self->i8 "
                     "* self->u8 * self->u16, got 4244701950 (write each factor as an extent, or cast the first one to "
                     "size_t)");
    narrow.large = 1;
    if (sizeof(size_t) == 8) { assert_allocates(PYTREE(&narrow), PYTREE_NO_MEMORY, NULL, NULL); }
}

/* What is no product of ints, although it looks like one: each row but the last is right, or of another member of a union. Were
 * it read as a product, that would be too large. */
#define another large                     /* the text of a row has the name as it is written there */
typedef struct Odd {
    int two, large, index, less;
    unsigned bits : 3;
    int dims[2], dropped, factor;
    unsigned kind, u;
    union { float *none; float *some; } as;
    float *w1, *w2, *w3, *w4, *w5, *w6, *w7, *w8, *w9, *w10, *w11, *w12, *last;
} Odd;

static const int table[4] = { 2, 2, 2, 1 };

static int twice(int n) { return 2 * n; }
static int large_of(const Odd *odd) { return odd->large; }

#define PYTREE_STRUCT Odd
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, two) PYTREE_FIELD(STATIC, large) PYTREE_FIELD(STATIC, index) PYTREE_FIELD(STATIC, less)         \
    PYTREE_FIELD(STATIC, bits, BITS) PYTREE_FIELD(STATIC, dims) PYTREE_FIELD(DROP, dropped)                             \
    PYTREE_FIELD(STATIC, factor)                                                                                        \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, u)                                                                  \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, none, ARRAY(self->u * self->u)), CASE(1, some, ARRAY(1))))          \
    PYTREE_FIELD(DATA, w1, ARRAY(self->large * 65537LL)) PYTREE_FIELD(DATA, w2, ARRAY(self->large * 0x10001LL))          \
    PYTREE_FIELD(DATA, w3, ARRAY(self->two * 1000000000)) PYTREE_FIELD(DATA, w4, ARRAY((size_t)(self->large * 65537.0)))  \
    PYTREE_FIELD(DATA, w5, ARRAY(self->dims[1] * self->large)) PYTREE_FIELD(DATA, w6, ARRAY(self->bits * self->two))     \
    PYTREE_FIELD(DATA, w7, ARRAY(self->dropped * self->two)) PYTREE_FIELD(DATA, w8, ARRAY(self->less * self->less))      \
    PYTREE_FIELD(DATA, w9, ARRAY(self->large * self->index[table])) PYTREE_FIELD(DATA, w10, ARRAY(large_of(self) * 1))    \
    PYTREE_FIELD(DATA, w11, ARRAY(large_of(self) - 1 * 2)) PYTREE_FIELD(DATA, w12, ARRAY(self->another * twice(2)))      \
    PYTREE_FIELD(DATA, last, ARRAY(self->large * self->factor))
#include "pytree_registry.h"

static void other_products_are_left_to_c(void **state)
{
    Odd odd = { .two = 2, .large = 65536, .index = 3, .less = -3, .bits = 5, .dims = { 65537, 2 }, .dropped = 2,
                .factor = 65536, .kind = 1, .u = 65536 };
    (void)state;
    assert_allocates(PYTREE(&odd), PYTREE_OVERFLOW, ".last", "expected a product that fits the type of self->large * "
                     "self->factor, got 4294967296 (write each factor as an extent, or cast the first one to size_t)");
    odd.factor = 3;
    if (sizeof(size_t) == 8) { assert_allocates(PYTREE(&odd), PYTREE_NO_MEMORY, NULL, NULL); }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_do_not_wrap),
        cmocka_unit_test(products_of_narrow_integers),
        cmocka_unit_test(other_products_are_left_to_c)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
