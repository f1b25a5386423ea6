/* Lists of alike structs from which no pattern can be made, or one with places of its own: extents spelt otherwise, structs of
 * many types, static values and leaves beyond what a pattern lists; and maps over treedefs with leaves. */
#include "support.h"

enum { MANY = 12, some_size = 2 };

/* ---- Structs ----------------------------------------------------------------------------------------------------------- */

typedef struct F0 { float x; } F0;
typedef struct F1 { float x; } F1;
typedef struct F2 { float x; } F2;
typedef struct F3 { float x; } F3;
typedef struct F4 { float x; } F4;
typedef struct F5 { float x; } F5;
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#define PYTREE_STRUCT F0
#include "pytree_registry.h"
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#define PYTREE_STRUCT F1
#include "pytree_registry.h"
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#define PYTREE_STRUCT F2
#include "pytree_registry.h"
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#define PYTREE_STRUCT F3
#include "pytree_registry.h"
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#define PYTREE_STRUCT F4
#include "pytree_registry.h"
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#define PYTREE_STRUCT F5
#include "pytree_registry.h"

/* More struct types in a struct than are remembered. */
typedef struct Nests { F0 a; F1 b; F2 c; F3 d; F4 e; F5 f; } Nests;
#define PYTREE_STRUCT Nests
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, e)        \
    PYTREE_FIELD(DATA, f)
#include "pytree_registry.h"

/* An extent that is no member, though it begins with an s; a modifier in front of ARRAY; quotients. */
typedef struct Sized { float *x; } Sized;
#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x, ARRAY(some_size))
#include "pytree_registry.h"

typedef struct Maybe { float *x; } Maybe;
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x, OPTIONAL, ARRAY(2))
#include "pytree_registry.h"

typedef struct Parts { int n; float *x; } Parts;
#define PYTREE_STRUCT Parts
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->n / 2, self->n % 3))
#include "pytree_registry.h"

/* A pointer to one value, which must not be NULL; and a struct with a string, in another. */
typedef struct Token { float bits; } Token;
#define PYTREE_LEAF_TYPE Token
#include "pytree_registry.h"

typedef struct Number { Token *x; } Number;
#define PYTREE_STRUCT Number
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Word { char *text; } Word;
#define PYTREE_STRUCT Word
#define PYTREE_FIELDS PYTREE_FIELD(DATA, text)
#include "pytree_registry.h"

typedef struct Titled { Word word; float x; } Titled;
#define PYTREE_STRUCT Titled
#define PYTREE_FIELDS PYTREE_FIELD(DATA, word) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* More static words, and more leaves, than a pattern lists. */
typedef struct Table { double table[PYTREE_STACK_PATTERN_PLACES + 8]; float x; } Table;
#define PYTREE_STRUCT Table
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, table) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define EIGHT(f) f##0, f##1, f##2, f##3, f##4, f##5, f##6, f##7
#define EIGHT_ROWS(f)                                                                                                   \
    PYTREE_FIELD(DATA, f##0) PYTREE_FIELD(DATA, f##1) PYTREE_FIELD(DATA, f##2) PYTREE_FIELD(DATA, f##3)                 \
    PYTREE_FIELD(DATA, f##4) PYTREE_FIELD(DATA, f##5) PYTREE_FIELD(DATA, f##6) PYTREE_FIELD(DATA, f##7)
typedef struct Wide { float EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e); } Wide;
#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS EIGHT_ROWS(a) EIGHT_ROWS(b) EIGHT_ROWS(c) EIGHT_ROWS(d) EIGHT_ROWS(e)
#include "pytree_registry.h"

typedef struct All {
    int n;
    Nests *nests;
    Sized *sized;
    Maybe *maybe;
    Parts *parts;
    Number *number;
    Titled *titled;
    Table *table;
    Wide *wide;
} All;
#define LISTED(name) PYTREE_FIELD(DATA, name, LIST(self->n))
#define PYTREE_STRUCT All
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) LISTED(nests) LISTED(sized) LISTED(maybe) LISTED(parts) LISTED(number) LISTED(titled)        \
    LISTED(table) LISTED(wide)
#include "pytree_registry.h"

static float numbers[MANY][8];
static Nests nests[MANY];
static Sized sized[MANY];
static Maybe maybe[MANY];
static Parts parts[MANY];
static Number number[MANY];
static Token tokens[MANY];
static Titled titled[MANY];
static Table table[MANY];
static Wide wide[MANY];

static pytree_status count(void *context, const pytree_iter *it)
{
    (void)it;
    ++*(size_t *)context;
    return PYTREE_OK;
}

/* A map over four trees, each tree's leaves stored into the other, and a tree's into itself. */
static void every_way(void **state)
{
    static char word[] = "word";
    All all = { MANY, nests, sized, maybe, parts, number, titled, table, wide };
    const pytree t = PYTREE(&all);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree copy, four[4];
    size_t n = 0, i;
    (void)state;
    for (i = 0; i < MANY; i++) {
        sized[i].x = numbers[i];
        number[i].x = &tokens[i];
        maybe[i].x = i % 5 == 4 ? NULL : numbers[i] + 1;
        parts[i] = (Parts){ 5, numbers[i] + 2 };
        titled[i].word.text = word;
        wide[i].e7 = nests[i].f.x = (float)i;
    }
    copy = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < 4; i++) { four[i] = i % 2 == 0 ? t : copy; }
    assert_ok(pytree_map(count, &n, NULL, 4, four, NULL, &error), &error);
    assert_int_equal(n, pytree_num_leaves(t, NULL, &error));
    assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, n, leaves, t, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, n, leaves, copy, NULL, &error), &error);
    assert_true(pytree_equal(t, copy, NULL, NULL, &error));
    assert_true(((const All *)copy.data)->wide[7].e7 == 7 && ((const All *)copy.data)->nests[7].f.x == 7);
    pytree_def_free(def);
    pytree_free(copy);
}

/* Leaves that lie where they are to be stored stay there. */
typedef struct Only { int n; Nests *nests; } Only;
#define PYTREE_STRUCT Only
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) LISTED(nests)
#include "pytree_registry.h"

static void into_itself(void **state)
{
    Only only = { MANY, nests };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    size_t i;
    (void)state;
    for (i = 0; i < MANY; i++) { nests[i].a.x = nests[i].f.x = (float)i; }
    assert_ok(pytree_flatten(PYTREE(&only), &leaves, 0, &def, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, 6 * MANY, leaves, PYTREE(&only), NULL, &error), &error);
    for (i = 0; i < MANY; i++) { assert_true(nests[i].a.x == (float)i && nests[i].f.x == (float)i); }
    pytree_def_free(def);
}

/* ---- Maps over treedefs with leaves ---------------------------------------------------------------------------------- */

static void treedefs_of_any_number(void **state)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat;
    pytree four[4];
    size_t n = 0, i;
    (void)state;
    assert_ok(pytree_flatten(PYTREE_LIST(), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    for (i = 0; i < 4; i++) { four[i] = PYTREE(&flat); }
    assert_ok(pytree_map(count, &n, NULL, 2, four, NULL, &error), &error);
    assert_int_equal(n, 0);
    pytree_def_free(def);
    leaves = NULL;
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_ok(pytree_map(count, &n, NULL, 4, four, NULL, &error), &error);
    assert_int_equal(n, 2);
    pytree_def_free(def);
}

static pytree_status stop(void *context, const pytree_iter *it)
{
    (void)context;
    (void)it;
    return PYTREE_VALUE;
}

/* The path at which a map stops is found in the treedef, which takes memory in a deep one. */
static pytree_status sweep_stop(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_status status = pytree_map(stop, NULL, NULL, 1, (const pytree *)context, opt, err);
    if (status != PYTREE_VALUE) { return status; }
    assert_non_null(strstr(err->path, "[0][0][0][0]"));
    *err = (pytree_error){ 0 };
    return PYTREE_OK;
}

static void stopped_in_a_deep_treedef(void **state)
{
    enum { DEEP = 60 };
    static pytree_items lists[DEEP];
    static pytree trees[DEEP + 1];
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat;
    pytree t;
    size_t i;
    (void)state;
    trees[DEEP] = PYTREE_INT(1);
    for (i = DEEP; i-- != 0;) {
        lists[i].items = &trees[i + 1];
        lists[i].count = 1;
        trees[i] = (pytree){ PYTREE_LIST().type, &lists[i] };
    }
    assert_ok(pytree_flatten(trees[0], &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    t = PYTREE(&flat);
    assert_true(sweep_allocations(sweep_stop, &t) != 0);
    pytree_def_free(def);
}

/* ---- Into trees that are none ---------------------------------------------------------------------------------------- */

static void into_what_is_no_tree(void **state)
{
    const pytree_options none = { .none_is_leaf = true };
    const pytree missing = { NULL, NULL }, whole = PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2));
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    (void)state;
    assert_ok(pytree_flatten(whole, &leaves, 0, &def, NULL, &error), &error);
    assert_error(pytree_unflatten_into(def, 2, leaves, PYTREE_LIST(PYTREE_INT(1), missing), NULL, &error), PYTREE_NULL_POINTER,
                 "[1]", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, 2, leaves, whole, &none, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected none_is_leaf as in the treedef (false), got the other");
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),
        cmocka_unit_test(into_itself),
        cmocka_unit_test(treedefs_of_any_number),
        cmocka_unit_test(stopped_in_a_deep_treedef),
        cmocka_unit_test(into_what_is_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
