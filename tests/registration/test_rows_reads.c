/* What rows read through, told from their text: each way of writing it, with the pointer NULL and with what it leads to. */
#include "support.h"

typedef struct Size { int n_all, n; } Size;
typedef struct Sized { Size *size; int n; } Sized;
typedef struct Large { char room[5000]; int n; } Large;

#define PYTREE_STRUCT Size
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n_all) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS PYTREE_FIELD(DATA, size) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

#define PYTREE_STRUCT Large
#define PYTREE_FIELDS PYTREE_FIELD(DROP, room) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

/* A struct whose members are known to C, and not to the registration. */
typedef struct Veiled { Size *size; } Veiled;
#define PYTREE_DECLARE Veiled
#include "pytree_registry.h"
typedef struct Unveiled { Veiled *to; double *none; double *x; } Unveiled;
#define PYTREE_STRUCT Unveiled
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, to) PYTREE_FIELD(DATA, none, ARRAY(1), OPTIONAL) PYTREE_FIELD(DATA, x, ARRAY(self->to->size->n))
#include "pytree_registry.h"

/* Its rows come to be evaluated although the pointer that each of them reads through is NULL, unless the text tells. */
typedef struct Spaced { Size *size; double *x; } Spaced;
typedef struct Starred { int *count; double *x; } Starred;
typedef struct Cast { int *count; double *x; } Cast;
typedef struct Stacked { Size *sizes; double *x; } Stacked;
typedef struct Listed { Size *sizes; double *x; } Listed;
typedef struct Second { Size *sizes; double *x; } Second;
typedef struct Inside { Sized at; double *x; } Inside;
typedef struct Hidden { Size *size; Size *data; double *x; } Hidden;
typedef struct Roomy { Large *large; double *x; } Roomy;
typedef struct Pointing { Size **sizes; double *x; } Pointing;
typedef struct Numbers { int **numbers; double *x; } Numbers;
typedef struct Foreign { Size *size; int less; double *selfless; } Foreign;
typedef struct Remote { int n; } Remote;
typedef struct Held { int *count; } Held;
typedef struct Dropped {
    int *count, *ptrs[1];
    Remote *other;
    size_t n;
    Held held;
    int pair[2];
    double *a, *b, *c, *d, *e, *f;
} Dropped;
typedef struct Called { int n; Size *size; double *x; } Called;

static Size global = { 0, 2 }, *itself = &global;

static int two_of(const void *self) { return self == NULL ? 0 : 2; }
static int less_one(const Called *c) { return c->n - 1; }

/* A bit-field has no address, and its struct may end before a pointer would: nothing is read behind it. */
typedef struct Tiny { unsigned mode : 3; } Tiny;
typedef struct Beside { Size *sizes; int n; Tiny tiny; } Beside;

#define PYTREE_STRUCT Tiny
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, mode, BITS)
#include "pytree_registry.h"

#define PYTREE_STRUCT Beside
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, LIST(self->n)) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, tiny)
#include "pytree_registry.h"

#define PYTREE_STRUCT Spaced
#define PYTREE_FIELDS PYTREE_FIELD(DATA, size) PYTREE_FIELD(DATA, x, ARRAY(( self -> size ) -> n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Starred
#define PYTREE_FIELDS PYTREE_FIELD(DATA, count, ARRAY(1)) PYTREE_FIELD(DATA, x, ARRAY(( *self->count)))
#include "pytree_registry.h"

#define PYTREE_STRUCT Cast
#define PYTREE_FIELDS PYTREE_FIELD(DATA, count, ARRAY(1)) PYTREE_FIELD(DATA, x, ARRAY((int)*self->count))
#include "pytree_registry.h"

#define PYTREE_STRUCT Dropped
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, count) PYTREE_FIELD(DROP, ptrs) PYTREE_FIELD(STATIC, other) PYTREE_FIELD(DROP, n)                \
    PYTREE_FIELD(DROP, held) PYTREE_FIELD(STATIC, pair)                                                                 \
    PYTREE_FIELD(DATA, a, ARRAY(2 * *self->count)) PYTREE_FIELD(DATA, b, ARRAY(1 + (*self->other).n))                   \
    PYTREE_FIELD(DATA, c, ARRAY(*self->ptrs[0])) PYTREE_FIELD(DATA, d, ARRAY(*self->held.count))                        \
    PYTREE_FIELD(DATA, e, ARRAY(*self->pair, 2 * self->n)) PYTREE_FIELD(DATA, f, ARRAY((2) * self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Stacked
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, STB_ARRAY) PYTREE_FIELD(DATA, x, ARRAY(self->sizes[0].n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Listed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, LIST(1)) PYTREE_FIELD(DATA, x, ARRAY(self->sizes[0].n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Second
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, LIST(2)) PYTREE_FIELD(DATA, x, ARRAY(self->sizes[0 + 1].n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Inside
#define PYTREE_FIELDS PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, x, ARRAY(self->at.size->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Hidden
#define PYTREE_FIELDS PYTREE_FIELD(DROP, size) PYTREE_FIELD(DATA, data) PYTREE_FIELD(DATA, x, ARRAY(self->size->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Roomy
#define PYTREE_FIELDS PYTREE_FIELD(DATA, large) PYTREE_FIELD(DATA, x, ARRAY(self->large->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Pointing
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, LIST(1, EACH())) PYTREE_FIELD(DATA, x, ARRAY(self->sizes[0]->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Numbers
#define PYTREE_FIELDS PYTREE_FIELD(DATA, numbers, LIST(1, EACH(ARRAY(2)))) PYTREE_FIELD(DATA, x, ARRAY(self->numbers[0][1]))
#include "pytree_registry.h"

/* "self" at the end of another name, and at the beginning of the row's own */
#define PYTREE_STRUCT Foreign
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, size, OPTIONAL) PYTREE_FIELD(STATIC, less) PYTREE_FIELD(DATA, selfless, ARRAY(itself->n + self->less))
#include "pytree_registry.h"

/* A whole struct handed to a function, and a member with a minus behind it */
#define PYTREE_STRUCT Called
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, size, OPTIONAL) PYTREE_FIELD(DATA, x, ARRAY(less_one(self) - 1 + self->n - 2))
#include "pytree_registry.h"

/* The same where nothing has to be NULL but `other`, which no row reads through. */
typedef struct Prefixed { Size *size_all, *size; double *other, *x; } Prefixed;
typedef struct Wide { int n, more[5]; } Wide;
typedef struct WideStack { Wide *wide; double *x; } WideStack;
typedef struct Other { Size *sizes; int (*rows)[2]; int *count; double *begin, *end; Size size; double *other, *x, *y; } Other;

#define OTHER PYTREE_FIELD(DATA, other, OPTIONAL, ARRAY(1))

#define PYTREE_STRUCT Prefixed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, size_all) PYTREE_FIELD(DATA, size) OTHER PYTREE_FIELD(DATA, x, ARRAY(self->size->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, more)
#include "pytree_registry.h"

#define PYTREE_STRUCT WideStack
#define PYTREE_FIELDS PYTREE_FIELD(DATA, wide, STB_ARRAY) PYTREE_FIELD(DATA, x, ARRAY(self->wide[0].n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Other
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, sizes, LIST(2)) PYTREE_FIELD(DATA, rows, LIST(1, EACH())) PYTREE_FIELD(DATA, count, ARRAY(1))     \
    PYTREE_FIELD(DATA, begin, ARRAY(1), OPTIONAL) PYTREE_FIELD(DATA, end, ARRAY(1), OPTIONAL) PYTREE_FIELD(STATIC, size) \
    OTHER PYTREE_FIELD(DATA, x, ARRAY(self->sizes[0 + 1].n, self->rows[0][1], *self->count))                            \
    PYTREE_FIELD(DATA, y, ARRAY(self->end - self->begin + two_of(self), self->size.n))
#include "pytree_registry.h"

/* Structs that one of their structs leads on from, and rows that read through both. */
typedef struct Deep { Sized *maybe, *first, *sized; double *x; } Deep;
typedef struct Deeper { Large *large; Sized *sized; double y; } Deeper;

#define PYTREE_STRUCT Deep
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, maybe, OPTIONAL) PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, sized)                             \
    PYTREE_FIELD(DATA, x, ARRAY(self->sized->size->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Deeper
#define PYTREE_FIELDS PYTREE_FIELD(DATA, large) PYTREE_FIELD(DATA, sized) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

/* Structs in place: with an address that is static, and a number as large as one. */
typedef struct Global { Size **at; } Global;
typedef struct Counter { size_t n; } Counter;
typedef struct Around { Global global; Counter counter; double *x; } Around;

#define PYTREE_STRUCT Global
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, at)
#include "pytree_registry.h"

#define PYTREE_STRUCT Counter
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

#define PYTREE_STRUCT Around
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, global) PYTREE_FIELD(DATA, counter) PYTREE_FIELD(DATA, x, ARRAY((*self->global.at)->n))
#include "pytree_registry.h"

/* Pointers that are no children, each read in one way. */
#define PEERS Size *size, *myself; int *count, pair[2]; double *x;
typedef struct ByMacro { PEERS } ByMacro;
typedef struct ByName { PEERS } ByName;
typedef struct ByIndex { PEERS } ByIndex;
typedef struct ByParentheses { PEERS } ByParentheses;
typedef struct ByCast { PEERS } ByCast;
typedef struct BehindCast { PEERS } BehindCast;
#define PEER_ROWS(n)                                                                                                    \
    PYTREE_FIELD(DROP, SIZE) PYTREE_FIELD(DROP, myself) PYTREE_FIELD(DROP, count) PYTREE_FIELD(DROP, pair)              \
    PYTREE_FIELD(DATA, x, ARRAY(n))
#define SIZE size
#define N_OF(from) ((from)->SIZE->n)

#define PYTREE_STRUCT ByMacro
#define PYTREE_FIELDS PEER_ROWS(N_OF(self))
#include "pytree_registry.h"

#define PYTREE_STRUCT ByName
#define PYTREE_FIELDS PEER_ROWS(self->myself->n)
#include "pytree_registry.h"

#define PYTREE_STRUCT ByIndex
#define PYTREE_FIELDS PEER_ROWS(self->count[0] + 0 * self->pair[0])
#include "pytree_registry.h"

#define PYTREE_STRUCT ByParentheses
#define PYTREE_FIELDS PEER_ROWS(*(self->count) + *(self->pair))
#include "pytree_registry.h"

#define PYTREE_STRUCT ByCast
#define PYTREE_FIELDS PEER_ROWS(*(const int *)self->count + (int)self->pair[1])
#include "pytree_registry.h"

#define PYTREE_STRUCT BehindCast
#define PYTREE_FIELDS PEER_ROWS((int)*self->count + 2 * (int)self->pair[1])
#include "pytree_registry.h"

/* A string that is metadata */
typedef struct Named { const char *name; double *x; } Named;
#define PYTREE_STRUCT Named
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x, ARRAY(self->name[0] - '0'))
#include "pytree_registry.h"

/* Numbers as large as pointers, and a child, that are multiplied. */
typedef struct Scaled { size_t n; int pair[2]; double scale; Size *size; double *x; } Scaled;
#define PYTREE_STRUCT Scaled
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, pair) PYTREE_FIELD(DATA, scale) PYTREE_FIELD(DATA, size, OPTIONAL)     \
    PYTREE_FIELD(DATA, x, ARRAY(2 * self->n + (size_t)(2 * self->scale) + (size_t)self->pair[0] + self->n - 0))
#include "pytree_registry.h"

/* A product with a member that has no row of its name. */
typedef struct Either { int kind, n; union { float a; int b; }; double *x; } Either;
#define PYTREE_STRUCT Either
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, n)                                                                  \
    PYTREE_FIELD(DATA, a, UNNAMED_UNION(self->kind, CASE(0, a), CASE(1, b))) PYTREE_FIELD(DATA, x, ARRAY(self->b * self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Held
#define PYTREE_FIELDS PYTREE_FIELD(DROP, count)
#include "pytree_registry.h"

/* Elements that are pointers, of arrays in the struct and of lists. */
typedef struct Heads { Size *heads[2]; double *x; } Heads;
typedef struct Parts { Size **parts; double *x; } Parts;
typedef struct Handed { Size **parts; double *x; } Handed;
typedef struct Far { Size *sizes; double *x; } Far;
typedef struct Grid { int n, **rows; double *x, *y; } Grid;

#define PYTREE_STRUCT Heads
#define PYTREE_FIELDS PYTREE_FIELD(DATA, heads, EACH(OPTIONAL)) PYTREE_FIELD(DATA, x, ARRAY((self->heads[1])->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Parts
#define PYTREE_FIELDS PYTREE_FIELD(DATA, parts, LIST(2, EACH(OPTIONAL))) PYTREE_FIELD(DATA, x, ARRAY(self->parts[1]->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Handed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, parts, LIST(1, EACH(OPTIONAL))) PYTREE_FIELD(DATA, x, ARRAY(two_of(self->parts[0])))
#include "pytree_registry.h"

#define PYTREE_STRUCT Far
#define PYTREE_FIELDS PYTREE_FIELD(DATA, sizes, LIST(1)) PYTREE_FIELD(DATA, x, ARRAY(self->sizes[2000].n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Grid
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(2), OPTIONAL)))                           \
    PYTREE_FIELD(DATA, x, ARRAY(self->rows[0][1])) PYTREE_FIELD(DATA, y, ARRAY(*self->rows[1]))
#include "pytree_registry.h"

static double numbers[4] = { 0.5, 1.5, 2.5, 3.5 };

/* The tree has so many leaves, the last of them so many numbers. */
static void assert_leaves(pytree t, size_t n, size_t count)
{
    pytree_leaf leaves[8];
    pytree_error error = { 0 };
    size_t got;
    assert_ok(pytree_leaves(t, leaves, COUNT_OF(leaves), &got, NULL, &error), &error);
    assert_int_equal(got, n);
    assert_int_equal(pytree_leaf_count(&leaves[n - 1]), count);
}

/* Reading it fails at that path, and says that. */
static void assert_refused(pytree t, const char *path, const char *message)
{
    pytree_error error = { 0 };
    assert_int_equal(pytree_num_leaves(t, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    if (strcmp(error.message, message) != 0) { fail_msg("expected '%s', got '%s'", message, error.message); }
}

#define READ_THROUGH(member) "expected a pointer in " member ", which this row reads through, got NULL"

static void one_pointer(void **state)
{
    Size size = { 9, 2 };
    int count = 3;
    Spaced spaced = { NULL, numbers };
    Starred starred = { NULL, numbers };
    Cast cast = { NULL, numbers };
    (void)state;
    assert_refused(PYTREE(&cast), ".x", READ_THROUGH("self->count"));         /* a pointer is no operand of a product */
    assert_refused(PYTREE(&spaced), ".size", "expected a Size, got NULL (OPTIONAL allows it)");
    spaced.size = &size;
    assert_leaves(PYTREE(&spaced), 1, 2);                      /* n, not n_all, which comes before it */
    assert_refused(PYTREE(&starred), ".x", READ_THROUGH("self->count"));
    starred.count = &count;
    assert_leaves(PYTREE(&starred), 2, 3);
}

static void elements(void **state)
{
    Size sizes[2] = { { 9, 1 }, { 9, 4 } }, *first = NULL, *stacked = NULL;
    int two[2] = { 0, 3 }, *row = NULL;
    Stacked stack = { NULL, numbers };
    Listed list = { NULL, numbers };
    Second second = { NULL, numbers };
    Pointing pointing = { NULL, numbers };
    Numbers table = { NULL, numbers };
    (void)state;
    assert_refused(PYTREE(&stack), ".x", READ_THROUGH("self->sizes"));
    stbds_arrput(stacked, sizes[1]);
    stack.sizes = stacked;
    assert_leaves(PYTREE(&stack), 1, 4);
    stbds_arrfree(stacked);
    assert_refused(PYTREE(&list), ".x", READ_THROUGH("self->sizes"));
    list.sizes = sizes;
    assert_leaves(PYTREE(&list), 1, 1);
    second.sizes = sizes;                 /* another element than the first, which must be there */
    assert_leaves(PYTREE(&second), 1, 4);
    assert_refused(PYTREE(&pointing), ".x", READ_THROUGH("self->sizes"));
    pointing.sizes = &first;
    assert_refused(PYTREE(&pointing), ".x", READ_THROUGH("self->sizes[0]"));
    first = sizes;
    assert_leaves(PYTREE(&pointing), 1, 1);
    assert_refused(PYTREE(&table), ".x", READ_THROUGH("self->numbers"));
    row = two;
    table.numbers = &row;
    assert_leaves(PYTREE(&table), 2, 3);
}

static void elements_that_are_pointers(void **state)
{
    Size size = { 9, 2 }, *parts[2] = { NULL, NULL }, *none = NULL;
    int two[2] = { 3, 4 }, *rows[2] = { NULL, NULL };
    Heads heads = { { NULL, NULL }, numbers };
    Parts list = { parts, numbers };
    Handed handed = { &none, numbers };
    Grid grid = { 2, rows, numbers, numbers };
    (void)state;
    assert_refused(PYTREE(&heads), ".x", READ_THROUGH("self->heads[1]"));
    heads.heads[1] = &size;
    assert_leaves(PYTREE(&heads), 1, 2);
    assert_refused(PYTREE(&list), ".x", READ_THROUGH("self->parts[1]"));
    parts[1] = &size;
    assert_leaves(PYTREE(&list), 1, 2);
    assert_refused(PYTREE(&grid), ".x", READ_THROUGH("self->rows[0]"));
    rows[0] = two;
    assert_refused(PYTREE(&grid), ".y", READ_THROUGH("self->rows[1]"));
    rows[1] = two;
    assert_leaves(PYTREE(&grid), 4, 3);
    assert_leaves(PYTREE(&handed), 1, 0);                      /* not read here */
}

static void structs_in_place_and_members_that_are_not_data(void **state)
{
    Size size = { 9, 2 };
    Inside inside = { { NULL, 1 }, numbers };
    Hidden hidden = { NULL, NULL, numbers };
    (void)state;
    assert_refused(PYTREE(&inside), ".x", READ_THROUGH("self->at.size"));
    inside.at.size = &size;
    assert_leaves(PYTREE(&inside), 1, 2);
    hidden.data = &size;
    assert_refused(PYTREE(&hidden), ".x", READ_THROUGH("self->size"));
    hidden.data = NULL;                   /* which must not be NULL either: what is read through comes first */
    assert_refused(PYTREE(&hidden), ".x", READ_THROUGH("self->size"));
    hidden.data = hidden.size = &size;
    assert_leaves(PYTREE(&hidden), 1, 2);
}

/* Macros are expanded before a row is looked at; an array of the struct is no pointer, however it is read. */
static void pointers_that_are_not_data(void **state)
{
    Size size = { 9, 2 };
    int count = 3;
    ByMacro by_macro = { NULL, NULL, NULL, { 0, 0 }, numbers };
    ByName by_name = { NULL, NULL, NULL, { 0, 0 }, numbers };
    ByIndex by_index = { NULL, NULL, NULL, { 0, 0 }, numbers };
    ByParentheses by_parentheses = { NULL, NULL, NULL, { 0, 0 }, numbers };
    ByCast by_cast = { NULL, NULL, NULL, { 0, 0 }, numbers };
    Named named = { NULL, numbers };
    BehindCast behind_cast = { NULL, NULL, NULL, { 0, 0 }, numbers };
    (void)state;
    assert_refused(PYTREE(&by_macro), ".x", READ_THROUGH("self->size"));
    by_macro.size = &size;
    assert_leaves(PYTREE(&by_macro), 1, 2);
    assert_refused(PYTREE(&by_name), ".x", READ_THROUGH("self->myself"));
    by_name.myself = &size;
    assert_leaves(PYTREE(&by_name), 1, 2);
    assert_refused(PYTREE(&by_index), ".x", READ_THROUGH("self->count"));
    by_index.count = &count;
    assert_leaves(PYTREE(&by_index), 1, 3);
    assert_refused(PYTREE(&by_parentheses), ".x", READ_THROUGH("self->count"));
    by_parentheses.count = &count;
    assert_leaves(PYTREE(&by_parentheses), 1, 3);
    assert_refused(PYTREE(&by_cast), ".x", READ_THROUGH("self->count"));
    by_cast.count = &count;
    assert_leaves(PYTREE(&by_cast), 1, 3);
    assert_refused(PYTREE(&behind_cast), ".x", READ_THROUGH("self->count"));
    behind_cast.count = &count;
    assert_refused(PYTREE(&named), ".x", READ_THROUGH("self->name"));
    named.name = "2";
    assert_leaves(PYTREE(&named), 1, 2);
    assert_leaves(PYTREE(&behind_cast), 1, 3);
}

/* A star that dereferences a member which is no child; one of a product does not, nor does an array lead anywhere. */
static void stars(void **state)
{
    int count = 3;
    Remote other = { 1 };
    Dropped dropped = { &count, { &count }, &other, 0, { &count }, { 0, 0 }, numbers, numbers, numbers, numbers, NULL, NULL };
    (void)state;
    assert_leaves(PYTREE(&dropped), 6, 0);
    dropped.count = NULL;
    assert_refused(PYTREE(&dropped), ".a", READ_THROUGH("self->count"));
    dropped.count = &count;
    dropped.other = NULL;
    assert_refused(PYTREE(&dropped), ".b", READ_THROUGH("self->other"));
}

/* What is only alike does not count. */
static void other_words(void **state)
{
    Foreign foreign = { NULL, 1, numbers };
    Called called = { 3, NULL, numbers };
    (void)state;
    assert_leaves(PYTREE(&foreign), 1, 3);
    assert_leaves(PYTREE(&called), 1, 2);
}

/* A struct that pytree_allocate makes: what is NULL is taken for zeros, unless it is too large for that. */
static void structs_that_are_made(void **state)
{
    Hidden hidden = { NULL, NULL, NULL };
    Roomy roomy = { NULL, NULL };
    Far far = { NULL, NULL };
    Either either = { 1, 2, { 0 }, NULL };
    Spaced spaced = { NULL, NULL };
    Stacked stacked = { NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_allocate(PYTREE(&hidden), NULL, &error), PYTREE_NULL_POINTER, ".x", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate(PYTREE(&roomy), NULL, &error), PYTREE_NULL_POINTER, ".x", &error);
    assert_string_equal(error.message, READ_THROUGH("self->large"));
    memset(&error, 0, sizeof error);
    roomy.large = (Large *)PYTREE_WANTED;
    assert_error(pytree_allocate(PYTREE(&roomy), NULL, &error), PYTREE_NULL_POINTER, ".x", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate(PYTREE(&stacked), NULL, &error), PYTREE_NULL_POINTER, ".x", &error);
    assert_string_equal(error.message, READ_THROUGH("self->sizes"));
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate(PYTREE(&far), NULL, &error), PYTREE_NULL_POINTER, ".x", &error);
    assert_string_equal(error.message, READ_THROUGH("self->sizes[2000]"));
    memset(&error, 0, sizeof error);
    either.b = 3;
    assert_ok(pytree_allocate(PYTREE(&either), NULL, &error), &error);
    assert_leaves(PYTREE(&either), 2, 6);
    pytree_free(PYTREE(&either));
    assert_ok(pytree_allocate(PYTREE(&spaced), NULL, &error), &error);
    assert_non_null(spaced.size);
    assert_int_equal(spaced.size->n, 0);
    pytree_free(PYTREE(&spaced));
}

/* Some pointer is NULL, so that rows are looked at, but not one that they read through. */
static void other_pointers_that_are_null(void **state)
{
    Size sizes[2] = { { 9, 1 }, { 9, 2 } };
    Wide *wide = NULL;
    Wide element = { 3, { 0 } };
    int rows[1][2] = { { 5, 1 } }, count = 2;
    Scaled scaled = { 0, { 2, 0 }, 1.5, NULL, numbers };
    Prefixed prefixed = { &sizes[0], &sizes[1], NULL, numbers };
    WideStack stack = { NULL, numbers };
    Other other = { sizes, rows, &count, numbers, numbers, { 9, 2 }, NULL, numbers, numbers };
    (void)state;
    assert_leaves(PYTREE(&prefixed), 1, 2);
    prefixed.size = NULL;
    assert_refused(PYTREE(&prefixed), ".size", "expected a Size, got NULL (OPTIONAL allows it)");
    assert_refused(PYTREE(&stack), ".x", READ_THROUGH("self->wide"));
    stbds_arrput(wide, element);
    stack.wide = wide;
    assert_leaves(PYTREE(&stack), 1, 3);
    stbds_arrfree(wide);
    assert_leaves(PYTREE(&other), 6, 4);
    other.begin = other.end = NULL;
    assert_leaves(PYTREE(&other), 4, 4);                       /* their difference is 0 */
    assert_leaves(PYTREE(&scaled), 2, 5);
    other.count = NULL;
    assert_refused(PYTREE(&other), ".x", READ_THROUGH("self->count"));
}

static bool nowhere(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

static bool at_structs(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    return value->form == PYTREE_FORM_STRUCT && path->n != 0;
}

static void count_problem(void *context, const pytree_error *problem)
{
    (void)problem;
    ++*(size_t *)context;
}

/* Reading it with a predicate fails at that path. */
static void assert_refused_there(pytree t, bool (*is_leaf)(void *, const pytree_leaf *, const pytree_path *), const char *path)
{
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    opt.is_leaf = is_leaf;
    assert_int_equal(pytree_num_leaves(t, &opt, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
}

/* Where a struct that one of its structs must have is NULL, that comes first; where a predicate may stop before it, the row
 * that reads through it does. */
static void structs_behind_structs(void **state)
{
    Size size = { 9, 2 };
    Sized sound = { &size, 1 }, broken = { NULL, 1 };
    Large large = { { 0 }, 1 };
    Deep deep = { NULL, &sound, &sound, numbers };
    Deeper deeper = { &large, &sound, 0.5 };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    size_t problems = 0;
    (void)state;
    assert_leaves(PYTREE(&deep), 1, 2);
    deep.sized = &broken;
    assert_refused(PYTREE(&deep), ".sized.size", "expected a Size, got NULL (OPTIONAL allows it)");
    assert_error(pytree_check(PYTREE(&deep), count_problem, &problems, NULL, &error), PYTREE_NULL_POINTER, ".sized.size",
                 &error);
    assert_int_equal(problems, 1);
    deep.maybe = &sound;
    assert_refused(PYTREE(&deep), ".sized.size", "expected a Size, got NULL (OPTIONAL allows it)");
    assert_refused_there(PYTREE(&deep), nowhere, ".x");
    assert_refused_there(PYTREE(&deep), at_structs, ".x");
    deep.first = NULL;                    /* that no row reads through, and comes first */
    assert_refused(PYTREE(&deep), ".first", "expected a Sized, got NULL (OPTIONAL allows it)");
    assert_refused_there(PYTREE(&deep), nowhere, ".first");
    deep.first = &sound;
    deep.sized = NULL;
    assert_refused(PYTREE(&deep), ".sized", "expected a Sized, got NULL (OPTIONAL allows it)");
    assert_refused_there(PYTREE(&deep), nowhere, ".sized");
    deeper.large = NULL;                  /* too large for zeros in its place */
    assert_refused(PYTREE(&deeper), ".large", "expected a Large, got NULL (OPTIONAL allows it)");
    assert_refused_there(PYTREE(&deeper), nowhere, ".large");
    deeper.large = &large;
    deeper.sized = &broken;
    assert_refused_there(PYTREE(&deeper), nowhere, ".sized.size");
    memset(&error, 0, sizeof error);
    opt.is_leaf = at_structs;             /* a leaf, of which nothing is known */
    assert_int_equal(pytree_num_leaves(PYTREE(&deeper), &opt, &error), 3);
    assert_ok(error.status, &error);
}

static void static_addresses_in_place(void **state)
{
    Around around = { { &itself }, { 0 }, numbers };
    (void)state;
    assert_leaves(PYTREE(&around), 1, 2);                      /* a count of 0 is not NULL */
    around.global.at = NULL;
    assert_refused(PYTREE(&around), ".x", READ_THROUGH("self->global.at"));
}

static void bit_fields_at_the_end(void **state)
{
    Beside *const beside = (Beside *)calloc(1, sizeof *beside);
    (void)state;
    assert_int_equal(sizeof *beside, sizeof(void *) + 2 * sizeof(int));
    beside->tiny.mode = 5;
    assert_def_text(PYTREE(beside), "PyTreeDef(CustomNode(Beside[(0,)], [[], CustomNode(Tiny[(5,)], [])]))", NULL);
    free(beside);
}

/* What a row reads through in a struct without rows is not known; its rows are what is missing then. */
static void structs_that_are_never_registered(void **state)
{
    Size size = { 0, 1 };
    Veiled veiled = { &size };
    double x = 1;
    Unveiled unveiled = { &veiled, NULL, &x };
    pytree_error error = { 0 };
    (void)state;
    (void)pytree_num_leaves(PYTREE(&unveiled), NULL, &error);
    assert_error(error.status, PYTREE_ARGUMENT, ".to", &error);
    assert_string_equal(error.message, "expected a registered struct, got Veiled, which was declared and never defined");
    unveiled.to = NULL;
    assert_refused(PYTREE(&unveiled), ".x", READ_THROUGH("self->to->size"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pointer),
        cmocka_unit_test(elements),
        cmocka_unit_test(elements_that_are_pointers),
        cmocka_unit_test(structs_in_place_and_members_that_are_not_data),
        cmocka_unit_test(pointers_that_are_not_data),
        cmocka_unit_test(stars), cmocka_unit_test(other_words),
        cmocka_unit_test(structs_that_are_made),
        cmocka_unit_test(other_pointers_that_are_null),
        cmocka_unit_test(structs_behind_structs),
        cmocka_unit_test(static_addresses_in_place),
        cmocka_unit_test(bit_fields_at_the_end),
        cmocka_unit_test(structs_that_are_never_registered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
