/* Treedefs at their edges: of nodes that cannot be opened, of structs that were never defined, in which values are shared; each
 * allocation failing wherever text and keys end; names and static values that text is not made of at once. */
#include "support.h"
#include "treedefs.h"
#include "pytree/graph.h"

typedef struct Pair { float a, b; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

typedef struct Ghost { int x; } Ghost;

#define PYTREE_DECLARE Ghost
#include "pytree_registry.h"

/* A node with keys and as much metadata as one likes; it may answer otherwise when it is asked again. */
typedef struct Keyed { pytree child; size_t bytes; bool lies; } Keyed;

static size_t keyed_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Keyed *const k = (const Keyed *)self;
    if (children == NULL) { return 1; }
    children[0] = k->child;
    keys[0].kind = PYTREE_KEY;
    keys[0].name = "key";
    keys[0].index = 0;
    return k->lies ? 2 : 1;
}

static size_t keyed_metadata(const void *self, void *to)
{
    const Keyed *const k = (const Keyed *)self;
    if (to != NULL) { memset(to, 'm', k->bytes); }
    return k->bytes;
}

static const pytree_custom keyed_callbacks = { .children = keyed_children, .keyed = true, .metadata = keyed_metadata };

#define PYTREE_STRUCT Keyed
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

/* ---- Nodes of a value ------------------------------------------------------------------------------------------------ */

static void nodes_that_cannot_be_made(void **state)
{
    const pytree_options other = { .space = "other" };
    static float x = 1;
    Ghost ghost = { 1 };
    Keyed keyed = { PYTREE(&x), 3, false };
    pytree_error error = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, &error), *def;
    const pytree_def *const children[2] = { leaf, leaf };
    unsigned char back[4] = { 1 };        /* the number of nodes back, the lowest byte first */
    const pytree same = { &pytree_same, back }, undefined = PYTREE(&ghost), node = PYTREE(&keyed);
    char text[60];
    (void)state;
    REFUSED(pytree_def_struct(undefined, 0, NULL, NULL, &error), PYTREE_ARGUMENT,
            "expected a registered struct, got Ghost");
    REFUSED(pytree_def_struct(node, 1, children, &other, &error), PYTREE_ARGUMENT,
            "expected a namespace such as train, which the file that registers Keyed has, got other");
    REFUSED(pytree_def_struct(node, 2, children, NULL, &error), PYTREE_ARGUMENT,
            "expected 1 children of Keyed, got 2");
    keyed.lies = true;
    REFUSED(pytree_def_struct(node, 2, children, NULL, &error), PYTREE_BAD_COUNT,
            "expected the callbacks of Keyed to answer twice the same, got 1 and 2 children");
    keyed.lies = false;
    memset(&error, 0, sizeof error);
    def = pytree_def_struct(PYTREE(&keyed), 1, children, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(def->n_leaves, 1);
    pytree_def_free(def);
    def = pytree_def_struct(same, 0, NULL, NULL, &error);      /* whose type has callbacks, and is no registration */
    assert_ok(error.status, &error);
    (void)pytree_def_text(def, text, sizeof text);
    assert_string_equal(text, "PyTreeDef(CustomNode(Same[1], []))");
    pytree_def_free(def);
    pytree_def_free(leaf);
}

static void none_is_a_leaf_of_a_struct(void **state)
{
    const pytree_options none = { .none_is_leaf = true }, plain = { 0 };
    Pair pair = { 1, 2 };
    pytree_error error = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, &error), *none_leaf = pytree_def_leaf(&none, &error), *def;
    const pytree_def *const children[2] = { leaf, leaf }, *const others[2] = { none_leaf, none_leaf };
    (void)state;
    def = pytree_def_struct(PYTREE(&pair), 2, children, &plain, &error);
    assert_ok(error.status, &error);
    assert_false(def->none_is_leaf);
    pytree_def_free(def);
    def = pytree_def_struct(PYTREE(&pair), 2, others, &none, &error);
    assert_ok(error.status, &error);
    assert_true(def->none_is_leaf);
    pytree_def_free(def);
    assert_null(pytree_def_struct(PYTREE(&pair), 2, others, &plain, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(leaf);
    pytree_def_free(none_leaf);
}

/* ---- Namespaces and shared values ------------------------------------------------------------------------------------ */

/* [Pair] as a treedef of that namespace. */
static pytree_def *in_space(const char *space)
{
    const pytree_options opt = { .space = space };
    Pair pair = { 1, 2 };
    pytree_def *const inner = pytree_structure(PYTREE(&pair), NULL, NULL);
    const pytree_def *const children[1] = { inner };
    pytree_def *const def = pytree_def_list(1, children, &opt, NULL);
    assert_non_null(def);
    pytree_def_free(inner);
    return def;
}

static void prefixes_and_namespaces(void **state)
{
    pytree_def *none = in_space(NULL), *north = in_space("north"), *again = in_space("north"), *south = in_space("south");
    pytree_def *leaf = pytree_def_leaf(NULL, NULL);
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_def_is_prefix(none, north, false, NULL, &error));
    assert_true(pytree_def_is_prefix(north, none, false, NULL, &error));
    assert_true(pytree_def_is_prefix(north, again, false, NULL, &error));
    assert_true(pytree_def_is_prefix(leaf, north, true, NULL, &error));
    assert_ok(error.status, &error);
    REFUSED((void *)(uintptr_t)pytree_def_is_prefix(north, south, false, NULL, &error), PYTREE_ARGUMENT,
            "expected a treedef of namespace 'north', got one of 'south'");
    REFUSED((void *)(uintptr_t)pytree_def_is_prefix(north, again, true, NULL, &error), PYTREE_STRUCTURE,
            "expected a strict prefix, got one whose leaves all stand for leaves");
    REFUSED((void *)(uintptr_t)pytree_def_is_prefix(north, leaf, true, NULL, &error), PYTREE_STRUCTURE,
            "different types: expected list of length 1, got leaf");
    pytree_def_free(none);
    pytree_def_free(north);
    pytree_def_free(again);
    pytree_def_free(south);
    pytree_def_free(leaf);
}

/* In a namespace it has another child, but the same static values. */
typedef struct Sided { char text[100]; float a, b; } Sided;

#define PYTREE_STRUCT Sided
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, text, STRING) PYTREE_FIELD(DATA, a) PYTREE_FIELD(DROP, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Sided
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, text, STRING) PYTREE_FIELD(DROP, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

/* Two nodes that read the same are told apart by the namespaces of their types, also where the text is long. */
static void nodes_of_two_namespaces(void **state)
{
    static const struct { const char *text, *message; } cases[] = {
        { "hi", "different types: expected Sided[('hi',)] of no namespace, got Sided[('hi',)] of namespace 'train'" },
        { "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", "different types: expected "
          "Sided[('abcdefghijklmnopqrstuvwxyzabcdefghijklmnop of no namespace, got "
          "Sided[('abcdefghijklmnopqrstuvwxyzabcdefghijklmnop of namespace 'train'" }
    };
    const pytree_options train = { .space = "train" };
    Sided one = { "", 1, 2 }, other;
    pytree_error problem = { 0 };
    pytree_def *first, *second;
    size_t i;
    (void)state;
    memset(one.text, 'c', sizeof one.text - 1);                /* these differ where they have been cut */
    other = one;
    other.text[sizeof other.text - 2] = 'd';
    first = pytree_structure(PYTREE(&one), NULL, &problem);
    second = pytree_structure(PYTREE(&other), NULL, &problem);
    assert_ok(problem.status, &problem);
    assert_false(pytree_def_is_prefix(first, second, false, NULL, &problem));
    assert_error(problem.status, PYTREE_STRUCTURE, "", &problem);
    assert_null(strstr(problem.message, "namespace"));
    pytree_def_free(first);
    pytree_def_free(second);
    for (i = 0; i < COUNT_OF(cases); i++) {
        Sided sided = { "", 1, 2 };
        pytree_error error = { 0 };
        pytree_def *all, *some;
        strcpy(sided.text, cases[i].text);
        all = pytree_structure(PYTREE(&sided), NULL, &error);
        some = pytree_structure(PYTREE(&sided), &train, &error);
        assert_ok(error.status, &error);
        REFUSED((void *)(uintptr_t)pytree_def_is_prefix(all, some, false, NULL, &error), PYTREE_STRUCTURE, cases[i].message);
        pytree_def_free(all);
        pytree_def_free(some);
    }
}

/* What is shared in one part is shared in the whole, wherever that stands. */
static void parts_that_share(void **state)
{
    static float numbers[2] = { 1, 2 };
    pytree_error error = { 0 };
    pytree_def *shared = pytree_graphdef(PYTREE_LIST(PYTREE_ARRAY(numbers, 2), PYTREE_ARRAY(numbers, 2)), NULL, &error);
    pytree_def *leaf = pytree_def_leaf(NULL, &error);
    int first, second;
    (void)state;
    assert_ok(error.status, &error);
    for (first = 0; first < 2; first++) {
        for (second = 0; second < 2; second++) {
            const pytree_def *const both[2] = { first != 0 ? shared : leaf, second != 0 ? shared : leaf };
            pytree_def *def = pytree_def_list(2, both, NULL, &error);
            assert_ok(error.status, &error);
            assert_int_equal(def->shares, first != 0 || second != 0);
            pytree_def_free(def);
        }
    }
    pytree_def_free(leaf);
    pytree_def_free(shared);
}

/* ---- Memory ---------------------------------------------------------------------------------------------------------- */

static pytree_status differ(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *const *const defs = (pytree_def *const *)context;
    pytree_def_error_list *const list = pytree_def_differences(defs[0], defs[1], opt, err);
    if (list != NULL) { assert_int_equal(list->n, 1); }
    pytree_def_errors_free(list);
    return err->status;
}

/* Namespaces of every length, so that memory has to grow behind each of the texts. */
static void differences_of_namespaces(void **state)
{
    char name[100];
    size_t n;
    (void)state;
    for (n = 1; n < sizeof name - 1; n++) {
        pytree_def *defs[2];
        memset(name, 'n', n);
        name[n] = '\0';
        defs[0] = in_space(name);
        defs[1] = in_space("other");
        assert_in_range(sweep_allocations(differ, defs), 3, 9);
        pytree_def_free(defs[0]);
        pytree_def_free(defs[1]);
    }
}

typedef struct Saved { const void *bytes; size_t size; } Saved;

static pytree_status load(void *context, const pytree_options *opt, pytree_error *err)
{
    static const pytree_type *const types[] = { PYTREE_TYPE(Keyed) };
    const Saved *const saved = (const Saved *)context;
    pytree_def *def = pytree_def_load(saved->bytes, saved->size, types, 1, opt, err);
    pytree_def_free(def);
    return err->status;
}

/* The same behind metadata of every length. */
static void keys_behind_metadata(void **state)
{
    static float x = 1;
    Keyed keyed = { PYTREE(&x), 0, false };
    (void)state;
    for (keyed.bytes = 0; keyed.bytes < 150; keyed.bytes++) {
        char bytes[400];
        pytree_error error = { 0 };
        pytree_def *def = pytree_structure(PYTREE(&keyed), NULL, &error);
        Saved saved;
        assert_ok(error.status, &error);
        saved.size = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
        assert_in_range(saved.size, 1, sizeof bytes);
        saved.bytes = bytes;
        assert_in_range(sweep_allocations(load, &saved), 2, 9);
        pytree_def_free(def);
    }
}

/* ---- Text ------------------------------------------------------------------------------------------------------------ */

typedef struct Four { int n; } Four;
typedef struct Held { Four four; float x; } Held;
typedef struct Plain { int n; float x; } Plain;

#define PYTREE_STRUCT Four
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

#define PYTREE_STRUCT Held
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, four) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define PYTREE_STRUCT Plain
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* The tree's treedef prints as that text, also where there is more room than it needs. */
static void assert_text(pytree tree, const char *expected)
{
    char text[2000];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_text(def, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    pytree_def_free(def);
    assert_def_text(tree, expected, NULL);
}

/* Structs of one static value of four bytes: a number, a struct of one; and a name of any length. */
static void texts_of_structs(void **state)
{
    Plain plain = { 7, 1 };
    Held held = { { 7 }, 1 };
    char name[301], expected[400];
    pytree_type type = *PYTREE(&plain).type;
    pytree tree = { &type, &plain };
    size_t n;
    (void)state;
    assert_text(PYTREE(&plain), "PyTreeDef(CustomNode(Plain[(7,)], [*]))");
    assert_text(PYTREE(&held), "PyTreeDef(CustomNode(Held[(Four(n=7),)], [*]))");
    for (n = 120; n < sizeof name; n++) {
        memset(name, 'N', n);
        name[n] = '\0';
        type.name = name;
        snprintf(expected, sizeof expected, "PyTreeDef(CustomNode(%s[(7,)], [*]))", name);
        assert_text(tree, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_cannot_be_made),
        cmocka_unit_test(none_is_a_leaf_of_a_struct),
        cmocka_unit_test(prefixes_and_namespaces),
        cmocka_unit_test(nodes_of_two_namespaces),
        cmocka_unit_test(parts_that_share),
        cmocka_unit_test(differences_of_namespaces),
        cmocka_unit_test(keys_behind_metadata),
        cmocka_unit_test(texts_of_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
