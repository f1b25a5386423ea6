/* Assignment of values of every form to places of every form: what fits, and the words for what does not. */
#include "assign_shared.h"
#include <float.h>
#include <math.h>

/* ---- Places -------------------------------------------------------------------------------------------------------- */

typedef struct Blob { unsigned char bytes[4]; } Blob;
typedef struct Other { unsigned char bytes[4]; } Other;

#define PYTREE_LEAF_TYPE Blob
#include "pytree_registry.h"
#define PYTREE_LEAF_TYPE Other
#include "pytree_registry.h"

/* A node whose children have the keys that it is given, of any kinds. */
typedef struct Keyed {
    size_t n;
    pytree_entry keys[3];
    int numbers[3];
} Keyed;

static size_t keyed_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Keyed *keyed = self;
    size_t i;
    for (i = 0; children != NULL && i < keyed->n; i++) {
        children[i] = PYTREE((int *)(uintptr_t)&keyed->numbers[i]);
        keys[i] = keyed->keys[i];
    }
    return keyed->n;
}

static const pytree_custom keyed_callbacks = { .children = keyed_children, .keyed = true };

#define PYTREE_STRUCT Keyed
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

typedef struct Spot { float x; const char *name; } Spot;

#define PYTREE_STRUCT Spot
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, x) PYTREE_FIELD(STATIC, name)
#include "pytree_registry.h"

typedef struct Task { Rule *rule; int rank; } Task;

#define PYTREE_STRUCT Task
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rule, OPTIONAL) PYTREE_FIELD(DATA, rank)
#include "pytree_registry.h"

typedef struct Plan { Task *tasks; Keyed *nodes; const char **tags; } Plan;

#define PYTREE_STRUCT Plan
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, tasks, STB_ARRAY) PYTREE_FIELD(DATA, nodes, STB_ARRAY) PYTREE_FIELD(DATA, tags, STB_ARRAY)
#include "pytree_registry.h"

typedef struct Places {
    char form[4];
    int version, sizes[2];
    const char *author, *nobody;
    Spot point;
    int n, number, numbers[2], table[2][2];
    Mode modes[2];
    char *names[2], *maybe;
    Blob blob;
    Keyed keyed;
    int *list;
    Window *windows;
    Task pair[2];
} Places;

#define PYTREE_STRUCT Places
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, form, STRING) PYTREE_FIELD(STATIC, version)                      \
    PYTREE_FIELD(STATIC, sizes) PYTREE_FIELD(STATIC, author) PYTREE_FIELD(STATIC, nobody) PYTREE_FIELD(STATIC, point)   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, numbers) PYTREE_FIELD(DATA, table)            \
    PYTREE_FIELD(DATA, modes, ENUM(Mode)) PYTREE_FIELD(DATA, names) PYTREE_FIELD(DATA, maybe, OPTIONAL)                 \
    PYTREE_FIELD(DATA, blob) PYTREE_FIELD(DATA, keyed) PYTREE_FIELD(DATA, list, ARRAY(self->n))                         \
    PYTREE_FIELD(DATA, windows, LIST(self->n)) PYTREE_FIELD(DATA, pair)
#include "pytree_registry.h"

static int three[3] = { 1, 2, 3 };
static char one_name[] = "one", two_name[] = "two";

static Places places(Window windows[2])
{
    Places p = { .form = "ini", .version = 2, .sizes = { 3, 4 }, .author = "me", .point = { 1.5f, "m" }, .n = 2,
                 .names = { one_name, two_name }, .list = three,
                 .keyed = { 2, { { .kind = PYTREE_ATTRIBUTE, .name = "a" }, { .kind = PYTREE_INT_KEY, .index = 7 } }, { 0 } } };
    p.windows = windows;
    windows[0].title = windows[1].title = one_name;
    return p;
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static int ints[3] = { 1, 2, 3 }, table[3][2];
static double doubles[2] = { 1, 2 };
static char texts[2][4] = { "ab", "c" };
static const char *strings[2] = { "a", "b" };
static Blob blob = { { 1, 2, 3, 4 } };
static Other other;
static Keyed mixed = { 2, { { .kind = PYTREE_KEY, .name = "number" }, { .kind = PYTREE_INDEX, .index = 1 } }, { 5, 6 } };
static Keyed indexed = { 1, { { .kind = PYTREE_INT_KEY, .index = 7 } }, { 8 } };

static pytree array_of(const pytree_type *type, void *data, int ndim, size_t n, size_t m)
{
    static pytree_leaf leaves[16];
    static size_t next;
    pytree_leaf *leaf = &leaves[next++ % COUNT_OF(leaves)];
    memset(leaf, 0, sizeof *leaf);
    leaf->data = data;
    leaf->type = type;
    leaf->ndim = ndim;
    leaf->shape[0] = n;
    leaf->shape[1] = m;
    return pytree_of_view(leaf);
}

static pytree text_of(char *text, size_t n) { return array_of(&pytree_types[PYTREE__T_text], text, 1, n, 0); }
static pytree texts_of(void) { return array_of(&pytree_types[PYTREE__T_text], texts, 2, 2, 4); }
static pytree strings_of(void) { return array_of(&pytree_types[PYTREE__T_string], strings, 1, 2, 0); }

/* The assignment is refused with these words. */
static void refused(pytree t, const char *path, pytree from, pytree_status status, const char *where, const char *words)
{
    pytree_error error = { 0 };
    assert_error(pytree_assign_at(t, path, from, NULL, &error), status, where, &error);
    assert_string_equal(error.message, words);
}

static void accepted(pytree t, const char *path, pytree from)
{
    pytree_error error = { 0 };
    assert_ok(pytree_assign_at(t, path, from, NULL, &error), &error);
}

/* ---- Data ---------------------------------------------------------------------------------------------------------- */

static void arrays_of_others(void **state)
{
    Window windows[2] = { { 0 } };
    Places p = places(windows);
    Plan plan = { NULL, NULL, NULL };
    pytree t = PYTREE(&p);
    (void)state;
    refused(t, ".names", PYTREE_ARRAY(doubles, 2), PYTREE_TYPE, ".names[0]",
            "expected str, got 1.0; .names[1]: expected str, got 2.0");
    refused(t, ".numbers", strings_of(), PYTREE_TYPE, ".numbers[0]",
        "expected i32, got 'a'; .numbers[1]: expected i32, got 'b'");
    refused(t, ".numbers", texts_of(), PYTREE_TYPE, ".numbers[0]",
        "expected i32, got 'ab'; .numbers[1]: expected i32, got 'c'");
    refused(t, ".table", array_of(PYTREE_TYPE(int), table, 2, 3, 2), PYTREE_SHAPE, ".table", "expected i32[2,2], got i32[3,2]");
    refused(t, ".number", texts_of(), PYTREE_TYPE, ".number", "expected i32, got text[2,4]");
    refused(t, ".names", PYTREE_STR("a"), PYTREE_TYPE, ".names", "expected str[2], got 'a'");
    refused(PYTREE(&plan), ".tags", PYTREE_STR("a"), PYTREE_TYPE, ".tags", "expected a list, got 'a'");
    refused(t, ".modes", PYTREE_STR("fast"), PYTREE_TYPE, ".modes", "expected Mode[2], got 'fast'");
    refused(t, ".modes", PYTREE_INT(1), PYTREE_SHAPE, ".modes", "expected Mode[2], got 1");
    refused(t, ".maybe", PYTREE_INT(1), PYTREE_TYPE, ".maybe", "expected str, got 1");
    refused(t, ".number", PYTREE(&blob), PYTREE_TYPE, ".number", "expected i32, got <Blob>");
    refused(t, ".blob", PYTREE_INT(1), PYTREE_TYPE, ".blob", "expected Blob, got 1");
    refused(t, ".blob", PYTREE(&other), PYTREE_TYPE, ".blob", "expected Blob, got <Other>");
    refused(t, ".maybe", text_of(NULL, 0), PYTREE_TYPE, ".maybe", "expected str, got text[0]");
    accepted(t, ".blob", PYTREE(&blob));
    assert_memory_equal(&p.blob, &blob, sizeof blob);
    accepted(t, ".numbers", PYTREE_ARRAY(doubles, 2));
    assert_true(p.numbers[0] == 1 && p.numbers[1] == 2);
}

/* A union takes what fits its active member, if there is one; a member that is no part of the tree takes nothing. */
typedef struct Choice {
    int kind;
    union { float real; int whole; } as;
    int left_out, kept;
} Choice;

#define PYTREE_STRUCT Choice
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, real), CASE(1, whole)))                 \
    PYTREE_FIELD(DROP, left_out) PYTREE_FIELD(DATA, kept)
#include "pytree_registry.h"

static void unions_and_members_that_are_none(void **state)
{
    Choice choice = { .kind = 1, .as = { .whole = 5 }, .left_out = 2, .kept = 3 };
    const pytree t = PYTREE(&choice);
    (void)state;
    accepted(t, ".as", PYTREE_INT(4));
    assert_int_equal(choice.as.whole, 4);
    accepted(t, ".kept", PYTREE_INT(6));
    refused(t, ".left_out", PYTREE_INT(1), PYTREE_NOT_FOUND, "", "expected .kind, .as, .kept, got ['left_out']");
    assert_true(choice.left_out == 2 && choice.kept == 6);
    choice.kind = 7;
    refused(t, ".as", PYTREE_INT(1), PYTREE_VALUE, ".as", "expected a tag that a CASE of the union has, got 7");
    refused(t, ".kept", PYTREE_INT(1), PYTREE_VALUE, ".as", "expected a tag that a CASE of the union has, got 7");
    assert_int_equal(choice.as.whole, 4);
}

/* A struct that is made for the occasion, whose tag is a leaf: no value of the tag but those of a CASE is left in it. */
typedef struct Tagged { int tag; union { float real; int whole; } value; } Tagged;

#define PYTREE_STRUCT Tagged
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tag) PYTREE_FIELD(DATA, value, UNION(self->tag, CASE(0, real), CASE(1, whole)))
#include "pytree_registry.h"

typedef struct Holder { Tagged *tagged; } Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tagged, OPTIONAL)
#include "pytree_registry.h"

static void unions_that_are_made(void **state)
{
    static const char *const refused_texts[] = { "{'tagged': {'tag': 7, 'value': 5}}", "{'tagged': {'value': 5, 'tag': 7}}" };
    Holder holder = { NULL };
    const pytree t = pytree_clone(PYTREE(&holder), NULL, NULL);
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(refused_texts); i++) {
        memset(&error, 0, sizeof error);
        assert_error(pytree_assign_text(t, "", refused_texts[i], NULL, &error), PYTREE_VALUE, ".tagged.value", &error);
        assert_string_equal(error.message, "expected a tag that a CASE of the union has, got 7");
        assert_null(((const Holder *)t.data)->tagged);
    }
    memset(&error, 0, sizeof error);
    assert_ok(pytree_assign_text(t, "", "{'tagged': {'value': 5}}", NULL, &error), &error);
    assert_true(((const Holder *)t.data)->tagged->value.real == 5);
    pytree_free(t);
}

/* A number that the place cannot hold is refused; one that is rounded is not. */
static void numbers_that_do_not_fit(void **state)
{
    static const struct { long double from; bool half, narrow; } reals[] = {
        { 1.0L / 3, true, true }, { (long double)NAN, true, true }, { (long double)INFINITY, true, true },
        { 1e300L, false, false }, { -1e300L, false, false }, { LDBL_MAX, false, false }, { 70000.0L, false, true }
    };
    static const double wholes[] = { 1.5, -1.5, -1, 18446744073709551616.0, 0.25 };
    pytree_f16 half = { 0 };
    pytree_bf16 narrow = { 0 };
    uint64_t whole = 7;
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(reals); i++) {
        const pytree from = PYTREE(&reals[i].from);
        if (under_valgrind() && reals[i].from > DBL_MAX && !reals[i].half) { continue; }           /* which has no more */
        assert_int_equal(pytree_assign(PYTREE(&half), from, NULL, NULL), reals[i].half ? PYTREE_OK : PYTREE_VALUE);
        assert_int_equal(pytree_assign(PYTREE(&narrow), from, NULL, NULL), reals[i].narrow ? PYTREE_OK : PYTREE_VALUE);
    }
    for (i = 0; i < COUNT_OF(wholes); i++) {
        memset(&error, 0, sizeof error);
        assert_error(pytree_assign(PYTREE(&whole), PYTREE(&wholes[i]), NULL, &error), PYTREE_VALUE, "", &error);
        assert_int_equal(whole, 7);
    }
    accepted(PYTREE(&whole), "", PYTREE_FLOAT(9223372036854775808.0));
    assert_true(whole == UINT64_C(9223372036854775808));
}

/* Numbers are no letters. */
static void numbers_for_texts(void **state)
{
    Settings c = defaults();
    const int letters[8] = { 0 };
    (void)state;
    refused(PYTREE(&c), ".label", PYTREE_ARRAY(ints, 2), PYTREE_TYPE, ".label", "expected text[8], got i32[2]");
    refused(PYTREE(&c), ".label", PYTREE_ARRAY(letters, 8), PYTREE_TYPE, ".label", "expected text[8], got i32[8]");
    refused(PYTREE(&c), ".label", PYTREE_LIST(PYTREE_INT(65)), PYTREE_TYPE, ".label", "expected text[8], got a list");
    refused(PYTREE(&c), ".label[0]", PYTREE_STR("x"), PYTREE_TYPE, ".label", "expected text[8], got a dict");
    refused(PYTREE(&c), ".label[0]", PYTREE_STR(""), PYTREE_TYPE, ".label", "expected text[8], got a dict");
    assert_string_equal(c.label, "");
}

/* Arrays and lists that have no memory take nothing, unless they have no element. */
static void arrays_without_memory(void **state)
{
    Window windows[2] = { { 0 } };
    Places p = places(windows);
    pytree t = PYTREE(&p);
    pytree_error error = { 0 };
    pytree_items none = { 0 };
    (void)state;
    p.list = NULL;
    refused(t, ".list", PYTREE_ARRAY(ints, 2), PYTREE_NULL_POINTER, ".list", "expected an array with memory, got NULL");
    refused(t, ".list", PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), PYTREE_NULL_POINTER, ".list",
            "expected an array with memory, got NULL");
    p.windows = NULL;
    refused(t, ".windows", PYTREE_LIST(PYTREE_INT(1)), PYTREE_NULL_POINTER, ".windows",
        "expected a list with memory, got NULL");
    p.n = 0;
    accepted(t, ".list", PYTREE_ARRAY(ints, 0));
    accepted(t, ".list", (pytree){ &pytree_types[PYTREE__T_list], &none });
    assert_error(pytree_assign((pytree){ PYTREE_TYPE(Places), NULL }, t, NULL, &error), PYTREE_ARGUMENT, "", &error);
}

static void counts(void **state)
{
    Window windows[2] = { { 0 } };
    Places p = places(windows);
    int a = 0, b = 0;
    pytree tuple = PYTREE_TUPLE(PYTREE(&a), PYTREE(&b)), list = PYTREE_LIST(PYTREE(&a), PYTREE(&b));
    pytree_int_pair pairs[] = { { 4, PYTREE(&a) }, { 9, PYTREE(&b) } };
    pytree_items items = { .int_pairs = pairs, .count = 2 }, none = { 0 };
    pytree dict = { &pytree_types[PYTREE__T_dict], &items };
    pytree_leaf view = { .data = windows, .type = PYTREE_TYPE(Window), .form = PYTREE_FORM_LIST, .ndim = 1, .shape = { 2 } };
    (void)state;
    refused(tuple, "", PYTREE_LIST(PYTREE_INT(1)), PYTREE_SHAPE, "", "expected a tuple, got 1 element");
    refused(tuple, "", PYTREE_INT(1), PYTREE_TYPE, "", "expected a tuple, got 1");
    refused(PYTREE(&p), ".pair", PYTREE_LIST(PYTREE_INT(1)), PYTREE_SHAPE, ".pair", "expected a tuple of 2, got 1 element");
    refused(list, "", PYTREE_INT(1), PYTREE_TYPE, "", "expected a list, got 1");
    refused(pytree_of_view(&view), "", PYTREE_INT(1), PYTREE_TYPE, "", "expected a list, got 1");
    refused(dict, "", PYTREE_INT(1), PYTREE_TYPE, "", "expected a dict, got 1");
    refused(list, "[1]", PYTREE_NONE, PYTREE_TYPE, "[1]", "expected i32, got None");
    refused(dict, "[5]", PYTREE_INT(1), PYTREE_NOT_FOUND, "", "expected [4], [9], got [5]");
    refused(PYTREE(&p), ".windows", PYTREE_LIST(PYTREE_INT(1)), PYTREE_SHAPE, ".windows",
        "expected a list of 2, got 1 element");
    accepted(dict, "[9]", PYTREE_INT(3));
    assert_true(a == 0 && b == 3);
    accepted(PYTREE(&windows[0]), "", (pytree){ &pytree_types[PYTREE__T_list], &none });          /* nothing for no name */
    accepted(list, "", (pytree){ &pytree_types[PYTREE__T_dict], &none });
}

/* Keys that are names and numbers in one node, on either side. */
static void mixed_keys(void **state)
{
    Window windows[2] = { { 0 } };
    Places p = places(windows);
    pytree t = PYTREE(&p);
    (void)state;
    refused(t, "", PYTREE(&mixed), PYTREE_NOT_FOUND, "",

            "expected .form, .version, .sizes, .author, .nobody, .point, .n, .number, .numbers, .table, .modes, .names, "
            ".maybe, .blob, .keyed, .list, .windows, .pair, got [1]");
    accepted(t, ".keyed", PYTREE(&p.keyed));
    refused(t, ".keyed", PYTREE(&mixed), PYTREE_NOT_FOUND, ".keyed",
        "expected .a, [7], got ['number']; .keyed: expected .a, [7], got [1]");
    refused(t, ".keyed", PYTREE(&indexed), PYTREE_TYPE, ".keyed", "expected a Keyed, got a Keyed");
    p.keyed.keys[0] = (pytree_entry){ .kind = PYTREE_INT_KEY, .index = 3 };
    p.keyed.keys[1] = (pytree_entry){ .kind = PYTREE_KEY, .name = "b" };
    p.keyed.keys[2] = (pytree_entry){ .kind = PYTREE_INT_KEY, .index = 7 };
    p.keyed.n = 3;
    accepted(t, ".keyed", PYTREE(&indexed));
    assert_int_equal(p.keyed.numbers[2], 8);
}

/* ---- Static members ------------------------------------------------------------------------------------------------ */

static void statics(void **state)
{
    Window windows[2] = { { 0 } };
    Places p = places(windows);
    pytree t = PYTREE(&p);
    char same[8] = "ini", longer[8] = "inis", differs[4] = "inx";
    (void)state;
    accepted(t, ".form", text_of(same, sizeof same));
    accepted(t, ".nobody", PYTREE_NONE);
    accepted(t, ".version", PYTREE_FLOAT(2));
    refused(t, ".form", text_of(longer, sizeof longer), PYTREE_STRUCTURE, ".form",
        "expected 'ini' (STATIC: it is structure), got 'inis'");
    refused(t, ".form", PYTREE_STR(differs), PYTREE_STRUCTURE, ".form", "expected 'ini' (STATIC: it is structure), got 'inx'");
    refused(t, ".form", PYTREE_INT(3), PYTREE_STRUCTURE, ".form", "expected 'ini' (STATIC: it is structure), got 3");
    refused(t, ".form", strings_of(), PYTREE_STRUCTURE, ".form", "expected 'ini' (STATIC: it is structure), got str[2]");
    refused(t, ".version", PYTREE_NONE, PYTREE_STRUCTURE, ".version", "expected 2 (STATIC: it is structure), got None");
    refused(t, ".version", PYTREE_ARRAY(ints, 2), PYTREE_STRUCTURE, ".version",
        "expected 2 (STATIC: it is structure), got i32[2]");
    refused(t, ".version", PYTREE_STR("2"), PYTREE_STRUCTURE, ".version", "expected 2 (STATIC: it is structure), got '2'");
    refused(t, ".version", PYTREE_FLOAT(2.5), PYTREE_STRUCTURE, ".version", "expected 2 (STATIC: it is structure), got 2.5");
    refused(t, ".sizes", PYTREE_NONE, PYTREE_STRUCTURE, ".sizes", "expected i32[2] (STATIC: it is structure), got None");
    refused(t, ".author", PYTREE_NONE, PYTREE_STRUCTURE, ".author", "expected 'me' (STATIC: it is structure), got None");
    refused(t, ".author", PYTREE_INT(3), PYTREE_STRUCTURE, ".author", "expected 'me' (STATIC: it is structure), got 3");
    refused(t, ".point", PYTREE_INT(3), PYTREE_STRUCTURE, ".point", "expected a Spot (STATIC: it is structure), got 3");
}

/* ---- Structs that are dropped -------------------------------------------------------------------------------------- */

/* None for a pointer: of the caller's tree, and of elements that a longer list has taken over. */
static void dropped(void **state)
{
    Settings c = defaults();
    Log log = { 0 };
    Plan plan = { NULL, NULL, NULL };
    pytree t = pytree_clone(PYTREE(&plan), NULL, NULL);
    Plan *made = t.data;
    pytree_error error = { 0 };
    (void)state;
    c.log = &log;
    log.file = "f";
    accepted(PYTREE(&c), ".log", PYTREE_NONE);
    assert_null(c.log);
    assert_ok(pytree_assign_text(t, ".tasks", "[{'rule': {'name': 'r', 'weights': [1, 2, 3]}}]", NULL, &error), &error);
    assert_true(made->tasks[0].rule->weights[2] == 3);
    assert_ok(pytree_assign_text(t, ".tasks", "[{'rule': None}, {'rank': 1}]", NULL, &error), &error);
    assert_null(made->tasks[0].rule);
    assert_ok(pytree_assign_text(t, ".tasks", "[{}, {'rule': {'name': 'q', 'weights': [4]}}]", NULL, &error), &error);
    assert_ok(pytree_assign_text(t, ".tasks", "[{}]", NULL, &error), &error);
    pytree_free(t);
}

/* A custom node that a list makes is zeros: it has no children, and needs none. */
static void custom_elements(void **state)
{
    Plan plan = { NULL, NULL, NULL };
    pytree_items none = { 0 };
    const pytree empty = { &pytree_types[PYTREE__T_list], &none };
    (void)state;
    accepted(PYTREE(&plan), ".nodes", PYTREE_LIST(empty));
    assert_int_equal(stbds_arrlen(plan.nodes), 1);
    assert_int_equal(plan.nodes[0].n, 0);
    stbds_arrfree(plan.nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_others), cmocka_unit_test(unions_and_members_that_are_none),
        cmocka_unit_test(unions_that_are_made), cmocka_unit_test(numbers_that_do_not_fit),
        cmocka_unit_test(numbers_for_texts), cmocka_unit_test(arrays_without_memory),
        cmocka_unit_test(counts),
        cmocka_unit_test(mixed_keys), cmocka_unit_test(statics), cmocka_unit_test(dropped), cmocka_unit_test(custom_elements)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
