/* Which rows make a struct one that is opened node by node: those that may read through a pointer, told from their text and
 * from what the struct has. Others are written as one run. */
#include "contained.h"

typedef struct Size { int n; } Size;
typedef struct Held { int *count; } Held;
typedef struct Sized { Size *size; } Sized;

#define PYTREE_STRUCT Size
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"
#define PYTREE_STRUCT Held
#define PYTREE_FIELDS PYTREE_FIELD(DROP, count)
#include "pytree_registry.h"
#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS PYTREE_FIELD(DATA, size)
#include "pytree_registry.h"

/* An array in the struct that extents are read from: nothing else can be behind the index, unless there is a pointer. */
typedef struct Shaped { int shape[2]; char pad[4]; double *x; } Shaped;
typedef struct Pointed { int shape[2]; int *more[1]; double *x; } Pointed;
typedef struct Counted { int shape[2]; int *counts; double *x; } Counted;
typedef struct Described { int shape[2]; const char *name; double *x; } Described;
typedef struct Nested { Held held; int shape[2]; double *x; } Nested;
#define PYTREE_STRUCT Shaped
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DROP, pad) PYTREE_FIELD(DATA, x, ARRAY(self->shape[0], self->shape[1]))
#include "pytree_registry.h"
#define PYTREE_STRUCT Pointed
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DROP, more) PYTREE_FIELD(DATA, x, ARRAY(self->shape[0]))
#include "pytree_registry.h"
#define PYTREE_STRUCT Counted
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DATA, counts, ARRAY(1)) PYTREE_FIELD(DATA, x, ARRAY(self->shape[0]))
#include "pytree_registry.h"
#define PYTREE_STRUCT Described
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x, ARRAY(self->shape[0]))
#include "pytree_registry.h"
#define PYTREE_STRUCT Nested
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, held) PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DATA, x, ARRAY(self->shape[0] + 0 * self->held.count[0]))
#include "pytree_registry.h"

/* A struct whose own rows read nothing, in which lies one whose rows may. */
typedef struct Around { double y; Pointed inner; } Around;
#define PYTREE_STRUCT Around
#define PYTREE_FIELDS PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, inner)
#include "pytree_registry.h"

/* A > that compares, a * that multiplies, and an arrow from a pointer that is no member: likewise. */
#define LARGER_OF(a, b) ((a) > (b) ? (a) : (b))
#define SQUARE(x) ((x)*(x))
typedef struct Pair { int n, m; double *x; } Pair;
typedef struct Squared { int n, m; double *x; } Squared;
typedef struct Product { int n, m; double *x; } Product;
typedef struct Global { int n, m; double *x; } Global;
typedef struct Multiplied { int n, m; void *cache; double *x; } Multiplied;
static Size any_size = { 2 };
static const Size *const size_of_all = &any_size;
#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, x, ARRAY(LARGER_OF(self->n, self->m)))
#include "pytree_registry.h"
#define PYTREE_STRUCT Squared
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, x, ARRAY(SQUARE(self->n)))
#include "pytree_registry.h"
#define PYTREE_STRUCT Product
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, x, ARRAY(2*self->n*self->m))
#include "pytree_registry.h"
#define PYTREE_STRUCT Global
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, x, ARRAY(size_of_all->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT Multiplied
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DROP, cache)                                           \
    PYTREE_FIELD(DATA, x, ARRAY(2 * self->n * self->m))
#include "pytree_registry.h"

/* Words that are not self: pointers that are no members, and a number behind a star; and a product with a parenthesis. */
typedef struct Seen { int n; void *cache; double *x; } Seen;
typedef struct Sold { int n; void *cache; double *x; } Sold;
typedef struct Selfish { int n; void *cache; double *x; } Selfish;
typedef struct Grouped { int n; void *cache; double *x; } Grouped;
static const Size *const seen = &any_size, *const sell = &any_size;
enum { selfish = 2 };
#define PYTREE_STRUCT Seen
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(self->n, seen->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT Sold
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(self->n, sell->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT Selfish
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(self->n*selfish))
#include "pytree_registry.h"
#define PYTREE_STRUCT Grouped
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(2*(self->n + 1)))
#include "pytree_registry.h"

/* A row that asks whether a pointer is NULL, and reads nothing through it. */
typedef struct Asking { void *cache; double *x; } Asking;
#define PYTREE_STRUCT Asking
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, cache) PYTREE_FIELD(DATA, x, ARRAY(self->cache == NULL))
#include "pytree_registry.h"

/* A pointer of a struct in the struct, which an address or an array leads to. */
typedef struct ByAddress { Sized at; int n; double *x; } ByAddress;
typedef struct ByName { Sized at[1]; int n; double *x; } ByName;
#define PYTREE_STRUCT ByAddress
#define PYTREE_FIELDS PYTREE_FIELD(DATA, at) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY((&self->at)->size->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT ByName
#define PYTREE_FIELDS PYTREE_FIELD(DATA, at) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->at->size->n))
#include "pytree_registry.h"

/* Lists of structs, whose rows read nothing through a pointer; and a pointer that must lead to a struct. */
typedef struct Listing { int n; Size *sizes; } Listing;
typedef struct Optional { Size *size; } Optional;
#define PYTREE_STRUCT Listing
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, sizes, LIST(self->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT Optional
#define PYTREE_FIELDS PYTREE_FIELD(DATA, size, OPTIONAL)
#include "pytree_registry.h"

/* Structs in a list: rows that only look as if they read through the pointer that is NULL, and rows that do. */
typedef struct Cached { int shape[2]; void *cache; double *x; } Cached;
typedef struct Watched { int *count; void *cache; double *x; } Watched;
typedef struct Caches { Cached *all; } Caches;
typedef struct Watches { Watched *all; } Watches;
#define PYTREE_STRUCT Cached
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(self->shape[0], self->shape[1]))
#include "pytree_registry.h"
#define PYTREE_STRUCT Watched
#define PYTREE_FIELDS PYTREE_FIELD(DROP, count) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(*self->count))
#include "pytree_registry.h"
#define PYTREE_STRUCT Caches
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all, LIST(3))
#include "pytree_registry.h"
#define PYTREE_STRUCT Watches
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all, LIST(3))
#include "pytree_registry.h"

/* The first element of an array in the struct, and of a list, without an index. */
typedef struct First { Size *sizes[2]; double *x; } First;
typedef struct Front { Size **sizes; double *x; } Front;
#define PYTREE_STRUCT First
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, EACH(OPTIONAL)) PYTREE_FIELD(DATA, x, ARRAY((*self->sizes)->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT Front
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, LIST(1, EACH(OPTIONAL))) PYTREE_FIELD(DATA, x, ARRAY((*self->sizes)->n))
#include "pytree_registry.h"

/* Structs that are opened node by node anyway, whose rows are written so that the registration does not see the read. */
typedef struct Apart { Size *sizes; int *count; double *x; } Apart;
typedef struct Late { int n; Size *sizes; Size *size; double *x; } Late;
#define PYTREE_STRUCT Apart
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, sizes, LIST(0)) PYTREE_FIELD(DROP, count) PYTREE_FIELD(DATA, x, ARRAY(1 + * self->count))
#include "pytree_registry.h"
#define PYTREE_STRUCT Late
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, sizes, LIST(0)) PYTREE_FIELD(DROP, size)                                 \
    PYTREE_FIELD(DATA, x, ARRAY(self->n + self->n + self->n + self->n + self->size->n))
#include "pytree_registry.h"

/* A mask is no condition; conditions are. */
typedef struct Masked { Size *size; double *x; } Masked;
typedef struct Guarded { Size *size; double *x, *y, *z; } Guarded;
#define PYTREE_STRUCT Masked
#define PYTREE_FIELDS PYTREE_FIELD(DROP, size) PYTREE_FIELD(DATA, x, ARRAY((self->size->n & 3) | 1))
#include "pytree_registry.h"
#define PYTREE_STRUCT Guarded
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, size)                                                                                            \
    PYTREE_FIELD(DATA, x, ARRAY(self->size && self->size->n))                                                           \
    PYTREE_FIELD(DATA, y, ARRAY(self->size == NULL || self->size->n))                                                   \
    PYTREE_FIELD(DATA, z, ARRAY(self->size ? self->size->n : 0))
#include "pytree_registry.h"

static double numbers[8] = { 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5 };

/* The tree has one leaf of so many numbers. */
static void assert_numbers(pytree t, size_t count)
{
    pytree_leaf leaf;
    pytree_error error = { 0 };
    size_t got;
    assert_ok(pytree_leaves(t, &leaf, 1, &got, NULL, &error), &error);
    assert_int_equal(got, 1);
    assert_int_equal(pytree_leaf_count(&leaf), count);
}

/* The tree has three leaves of so many numbers. */
static void assert_extents(pytree t, size_t x, size_t y, size_t z)
{
    const size_t wanted[3] = { x, y, z };
    pytree_leaf leaves[3];
    pytree_error error = { 0 };
    size_t got, i;
    assert_ok(pytree_leaves(t, leaves, 3, &got, NULL, &error), &error);
    assert_int_equal(got, 3);
    for (i = 0; i < 3; i++) { assert_int_equal(pytree_leaf_count(&leaves[i]), wanted[i]); }
}

/* Reading it fails at that path, because what a row reads through, behind "self->", is NULL. */
static void assert_refused_at(pytree t, const char *path, const char *pointer)
{
    pytree_error error = { 0 };
    char message[100];
    snprintf(message, sizeof message, "expected a pointer in self->%s, which this row reads through, got NULL", pointer);
    assert_int_equal(pytree_num_leaves(t, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    assert_string_equal(error.message, message);
}

static void assert_refused(pytree t, const char *pointer) { assert_refused_at(t, ".x", pointer); }

static void arrays_in_the_struct(void **state)
{
    Shaped shaped = { { 2, 2 }, "", numbers };
    Nested nested = { { NULL }, { 2, 0 }, numbers };
    (void)state;
    assert_true(is_contained(PYTREE_TYPE(Shaped)));
    assert_false(is_contained(PYTREE_TYPE(Pointed)));
    assert_false(is_contained(PYTREE_TYPE(Counted)));
    assert_false(is_contained(PYTREE_TYPE(Described)));
    assert_false(is_contained(PYTREE_TYPE(Nested)));
    assert_numbers(PYTREE(&shaped), 4);
    assert_refused(PYTREE(&nested), "held.count");
}

static void structs_around_others(void **state)
{
    Around around = { 0.25, { { 2, 3 }, { NULL }, numbers } };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    assert_true(is_contained(PYTREE_TYPE(Around)));
    assert_ok(pytree_check(PYTREE(&around), NULL, NULL, NULL, &error), &error);
    assert_int_equal(pytree_num_leaves(PYTREE(&around), NULL, &error), 2);
    copy = pytree_clone(PYTREE(&around), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(copy, PYTREE(&around), NULL, NULL, &error));
    pytree_free(copy);
    around.inner.x = NULL;
    assert_error(pytree_check(PYTREE(&around), NULL, NULL, NULL, &error), PYTREE_NULL_POINTER, ".inner.x", &error);
}

static void products_and_comparisons(void **state)
{
    Pair pair = { 2, 3, numbers };
    Squared squared = { 2, 3, numbers };
    Product product = { 2, 1, numbers };
    Global global = { 0, 0, numbers };
    Multiplied multiplied = { 1, 3, NULL, numbers };
    (void)state;
    assert_true(is_contained(PYTREE_TYPE(Pair)));
    assert_true(is_contained(PYTREE_TYPE(Squared)));
    assert_true(is_contained(PYTREE_TYPE(Product)));
    assert_true(is_contained(PYTREE_TYPE(Global)));
    assert_true(is_contained(PYTREE_TYPE(Multiplied)));
    assert_numbers(PYTREE(&pair), 3);
    assert_numbers(PYTREE(&squared), 4);
    assert_numbers(PYTREE(&product), 4);
    assert_numbers(PYTREE(&global), 2);
    assert_numbers(PYTREE(&multiplied), 6);
}

static void words_that_are_not_self(void **state)
{
    Seen looks = { 2, NULL, numbers };
    Sold sold = { 1, NULL, numbers };
    Selfish product = { 3, NULL, numbers };
    Grouped grouped = { 2, NULL, numbers };
    (void)state;
    assert_false(is_contained(PYTREE_TYPE(Seen)));
    assert_false(is_contained(PYTREE_TYPE(Sold)));
    assert_true(is_contained(PYTREE_TYPE(Selfish)));
    assert_false(is_contained(PYTREE_TYPE(Grouped)));
    assert_numbers(PYTREE(&looks), 4);
    assert_numbers(PYTREE(&sold), 2);
    assert_numbers(PYTREE(&product), 6);
    assert_numbers(PYTREE(&grouped), 6);
}

static void pointers_that_rows_ask_for(void **state)
{
    Asking asking = { NULL, numbers };
    pytree_error error = { 0 };
    pytree_def *def;
    int i;
    (void)state;
    assert_true(is_contained(PYTREE_TYPE(Asking)));
    for (i = 0; i < 2; i++) {             /* what a layout keeps of the first is not what the second is like */
        pytree_leaf *leaves = NULL;
        asking.cache = i == 0 ? NULL : numbers;
        assert_ok(pytree_flatten(PYTREE(&asking), &leaves, 0, &def, NULL, &error), &error);
        assert_int_equal(leaves[0].shape[0], 1 - i);
        pytree_def_free(def);
    }
}

static void structs_that_addresses_lead_to(void **state)
{
    Size size = { 3 };
    ByAddress by_address = { { NULL }, 0, numbers };
    ByName by_name = { { { NULL } }, 0, numbers };
    (void)state;
    assert_false(is_contained(PYTREE_TYPE(ByAddress)));
    assert_refused(PYTREE(&by_address), "at)->size");
    by_address.at.size = &size;
    assert_numbers(PYTREE(&by_address), 3);
    assert_refused(PYTREE(&by_name), "at->size");
    by_name.at[0].size = &size;
    assert_numbers(PYTREE(&by_name), 3);
}

/* Does the library look for what a struct lacks, before rows are evaluated? A descriptor, or what was found of it, says so. */
static bool may_lack(const pytree_type *type)
{
    (void)is_contained(type);     /* which finds it */
    return type->may_lack && (type->noted->rows & PYTREE__ROWS_LACK_NOTHING) == 0;
}

/* Where no row reads through a pointer, and no struct must be there, nothing is looked for before rows are evaluated. */
static void structs_that_lack_nothing(void **state)
{
    (void)state;
    assert_false(may_lack(PYTREE_TYPE(Listing)));
    assert_false(may_lack(PYTREE_TYPE(Optional)));
    assert_false(may_lack(PYTREE_TYPE(Shaped)));
    assert_true(may_lack(PYTREE_TYPE(Sized)));
    assert_true(may_lack(PYTREE_TYPE(Pointed)));
}

/* What the first struct of a list tells of its rows holds for the others, and what its pointers tell does not. */
static void structs_in_lists(void **state)
{
    int count = 2;
    Cached cached[3] = { { { 1, 2 }, NULL, numbers }, { { 2, 2 }, NULL, numbers }, { { 1, 1 }, &count, numbers } };
    Watched watched[3] = { { &count, NULL, numbers }, { &count, NULL, numbers }, { NULL, NULL, numbers } };
    Caches caches = { cached };
    Watches watches = { watched };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(&caches), NULL, &error), 3);
    assert_refused_at(PYTREE(&watches), ".all[2].x", "count");
    watched[2].count = &count;
    assert_int_equal(pytree_num_leaves(PYTREE(&watches), NULL, &error), 3);
}

static void reads_that_are_hidden(void **state)
{
    Apart apart = { NULL, NULL, numbers };
    Late late = { 0, NULL, NULL, numbers };
    (void)state;
    assert_refused(PYTREE(&apart), "count");
    assert_refused(PYTREE(&late), "size");
}

static void first_elements(void **state)
{
    Size size = { 2 }, *sizes[1] = { NULL };
    First first = { { NULL, NULL }, numbers };
    Front front = { sizes, numbers };
    (void)state;
    assert_refused(PYTREE(&first), "sizes");
    first.sizes[0] = &size;
    assert_numbers(PYTREE(&first), 2);
    assert_refused(PYTREE(&front), "sizes");
    sizes[0] = &size;
    assert_numbers(PYTREE(&front), 2);
}

static void masks_and_conditions(void **state)
{
    Size size = { 4 };
    Masked masked = { NULL, numbers };
    Guarded guarded = { NULL, numbers, numbers, numbers };
    (void)state;
    assert_refused(PYTREE(&masked), "size");
    masked.size = &size;
    assert_numbers(PYTREE(&masked), 1);
    assert_extents(PYTREE(&guarded), 0, 1, 0);
    guarded.size = &size;
    assert_extents(PYTREE(&guarded), 1, 1, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_in_the_struct),
        cmocka_unit_test(structs_around_others),
        cmocka_unit_test(products_and_comparisons),
        cmocka_unit_test(words_that_are_not_self),
        cmocka_unit_test(pointers_that_rows_ask_for),
        cmocka_unit_test(structs_that_addresses_lead_to),
        cmocka_unit_test(structs_that_lack_nothing),
        cmocka_unit_test(structs_in_lists),
        cmocka_unit_test(reads_that_are_hidden),
        cmocka_unit_test(first_elements),
        cmocka_unit_test(masks_and_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
