/* Arguments that are mistakes: NULL, nothing, types that were promised and never defined, numbers that cannot be. Each is an
 * error in words, and none a crash. */
#include "support.h"
#include "pytree/algebra.h"
#include "pytree/npy.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"
#include "pytree/treedef.h"
#include "pytree/treedef_io.h"

/* Takes the error of the call that was just made: that status, and these words in the message. */
#define assert_says(error, status, words) test_assert_says((error), (status), (words), __LINE__)
static void test_assert_says(pytree_error *error, pytree_status status, const char *words, int line)
{
    test_assert_status(error->status, status, NULL, error, __FILE__, line);
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(__FILE__, line);
    }
    memset(error, 0, sizeof *error);
}

static const pytree_options uneven = { .alignment = 3 }, unnamed = { .space = "" };

static void no_treedef(void **state)
{
    pytree_error error = { 0 };
    pytree_entry entry;
    const pytree_def *const children[1] = { NULL };
    (void)state;
    assert_null(pytree_def_copy(NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "expected a treedef, got NULL");
    assert_null(pytree_def_child(NULL, 0, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "expected a treedef, got NULL");
    pytree_def_entry(NULL, 0, &entry, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a treedef, got NULL");
    pytree_def_print(stdout, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "a treedef, got NULL");
    assert_null(pytree_def_list(1, children, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "child 0");
    assert_null(pytree_def_list(1, NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "child 0");
}

static void no_treedef_elsewhere(void **state)
{
    static const char words[] = "expected a treedef, got NULL";
    pytree_error error = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, &error);
    float value = 0;
    pytree_leaf view;
    size_t n;
    (void)state;
    assert_null(pytree_def_compose(leaf, NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_def_transform(NULL, NULL, NULL, NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_def_common_suffix(NULL, leaf, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_false(pytree_def_is_prefix(leaf, NULL, false, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_false(pytree_def_is_suffix(leaf, NULL, false, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_def_differences(leaf, NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_def_paths(NULL, NULL, &n, NULL, &error));
    assert_int_equal(n, 0);
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_true(pytree_def_save(NULL, NULL, 0, NULL, &error) == SIZE_MAX);
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_broadcast_prefix(PYTREE(&value), NULL, NULL, NULL, &error).def);
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_int_equal(pytree_broadcast_leaves(PYTREE(&value), NULL, &view, 1, NULL, NULL, &error), PYTREE_ARGUMENT);
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_int_equal(pytree_flatten_up_to(NULL, PYTREE(&value), &view, 1, NULL, &error), PYTREE_ARGUMENT);
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_prefix_errors(PYTREE(&value), NULL, NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_transpose(NULL, NULL, PYTREE(&value), NULL, &error).def);
    assert_says(&error, PYTREE_ARGUMENT, words);
    pytree_def_free(leaf);
}

static void no_file(void **state)
{
    pytree_error error = { 0 };
    pytree_path root = { 0, NULL };
    pytree_def *leaf = pytree_def_leaf(NULL, &error);
    pytree_report report = { 0 };
    float value = 0;
    (void)state;
    pytree_print(NULL, PYTREE(&value), NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a file, got NULL");
    pytree_path_print(NULL, &root, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a file, got NULL");
    pytree_def_print(NULL, leaf, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a file and a treedef, got NULL");
    pytree_report_print(NULL, &report, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a file, got NULL");
    assert_ok(pytree_report_print(stdout, NULL, &error), &error);
    pytree_def_free(leaf);
    pytree_memory_free(NULL);
    pytree_npy_free(NULL);
    assert_null(pytree_safetensors_find(NULL, "w"));
    pytree_safetensors_read(NULL, NULL, &value, sizeof value, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a file");
    pytree_safetensors_load(NULL, PYTREE(&value), NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a file, got NULL");
}

static void no_text(void **state)
{
    pytree_error error = { 0 };
    float value = 0;
    (void)state;
    assert_null(pytree_path_parse(NULL, NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "expected a string, got NULL");
    assert_null(pytree_path_parse(NULL, "/", NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "expected a string, got NULL");
    assert_false(pytree_path_match(NULL, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "expected a string, got NULL");
    assert_null(pytree_at(PYTREE(&value), NULL, NULL, &error).type);
    assert_says(&error, PYTREE_ARGUMENT, "expected a string, got NULL");
    assert_string_equal(pytree_dtype_name(NULL), "no type");
}

static pytree_status take_leaf(void *context, const pytree_iter *at, void *value)
{
    (void)context;
    *(float *)value = *(const float *)at->leaf[0]->data;
    return PYTREE_OK;
}
static pytree_status add(void *context, void *a, const void *b)
{
    (void)context;
    *(float *)a += *(const float *)b;
    return PYTREE_OK;
}

static void no_function_or_place(void **state)
{
    float values[2] = { 1, 2 }, sum = 0;
    const pytree t = PYTREE_LIST(PYTREE(&values[0]), PYTREE(&values[1]));
    const pytree_leaf vector = PYTREE_VECTOR(values, 2);
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_reduce_pairwise(take_leaf, add, NULL, sizeof sum, &sum, t, NULL, &error), &error);
    assert_true(sum == 3);
    pytree_reduce_pairwise(NULL, add, NULL, sizeof sum, &sum, t, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "got NULL or 0");
    pytree_reduce_pairwise(take_leaf, NULL, NULL, sizeof sum, &sum, t, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "got NULL or 0");
    pytree_reduce_pairwise(take_leaf, add, NULL, sizeof sum, NULL, t, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "got NULL or 0");
    pytree_reduce_pairwise(take_leaf, add, NULL, 0, &sum, t, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "got NULL or 0");
    pytree_walk(t, NULL, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a visitor, got NULL");
    pytree_ravel_shape(t, NULL, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a place for the vector, got NULL");
    pytree_unravel_views(&vector, t, NULL, 2, NULL, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected an array of 2 leaves, got NULL");
}

static void leaves_without_a_type(void **state)
{
    Linear layer = linear_make(2, 3, 1);
    pytree_error error = { 0 };
    pytree_leaf leaves[2];
    pytree_def *def = pytree_structure(PYTREE(&layer), NULL, &error);
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&layer), leaves, 2, NULL, NULL, &error), &error);
    leaves[1].ndim = PYTREE_MAX_DIMS + 1;
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_says(&error, PYTREE_ARGUMENT, "expected a type and 0 to 8 dimensions for leaf 1, got float and 9");
    leaves[0].ndim = -1;
    pytree_unflatten_into(def, 2, leaves, PYTREE(&layer), NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "leaf 0, got float and -1");
    leaves[0].type = NULL;
    assert_null(pytree_unflatten(def, 2, leaves, NULL, &error).data);
    assert_says(&error, PYTREE_ARGUMENT, "leaf 0, got no type and -1");
    pytree_def_free(def);
    linear_clear(&layer);
}

/* ---- Types that were promised ------------------------------------------------------------------------------------------ */

typedef struct Ghost { int x; } Ghost;

#define PYTREE_DECLARE Ghost
#include "pytree_registry.h"

typedef struct House { Ghost *ghost; } House;

#define PYTREE_STRUCT House
#define PYTREE_FIELDS PYTREE_FIELD(DATA, ghost, OPTIONAL)
#include "pytree_registry.h"

static void declared_and_never_defined(void **state)
{
    static const char words[] = "got Ghost, which was declared and never defined";
    const pytree_type *types[] = { NULL, PYTREE_TYPE(Ghost) };
    Ghost ghost = { 1 };
    House house = { &ghost };
    pytree_error error = { 0 };
    (void)state;
    assert_null(pytree_structure(PYTREE(&house), NULL, &error));
    assert_string_equal(error.path, ".ghost");
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_clone(PYTREE(&ghost), NULL, &error).data);
    assert_says(&error, PYTREE_ARGUMENT, words);
    pytree_allocate(PYTREE(&ghost), NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, words);
    house.ghost = PYTREE_WANTED;
    pytree_allocate(PYTREE(&house), NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, words);
    assert_null(pytree_def_parse("PyTreeDef(CustomNode(Ghost[()], []))", types, 2, NULL, &error));
    assert_says(&error, PYTREE_NOT_FOUND, "Ghost");
    assert_null(pytree_def_parse("PyTreeDef(CustomNode(Ghost[()], []))", NULL, 2, NULL, &error));
    assert_says(&error, PYTREE_NOT_FOUND, "Ghost");
}

/* A descriptor that no registration makes: it has rows, and nothing that evaluates their extents. */
static void rows_without_what_is_generated(void **state)
{
    pytree_type bare = *PYTREE_TYPE(Linear);
    Linear layer = { .din = 2, .dout = 3 };
    pytree tree = PYTREE(&layer);
    pytree_error error = { 0 };
    (void)state;
    bare.views = NULL;
    bare.noted = NULL;
    tree.type = &bare;
    assert_null(pytree_structure(tree, NULL, &error));
    assert_says(&error, PYTREE_ARGUMENT, "got Linear, which was declared and never defined");
}

/* ---- Numbers and names ------------------------------------------------------------------------------------------------- */

static void absurd_numbers(void **state)
{
    MLP model = { 0 };
    Linear layer = { .din = 2, .dout = 3 };
    float value = 1;
    const pytree array = PYTREE_ARRAY(&value, 1);
    pytree_leaf vector = { 0 };
    pytree_error error = { 0 };
    (void)state;
    model.n_layers = (size_t)1 << (sizeof(size_t) * CHAR_BIT - 8);         /* would fit a size_t; to go over them takes years */
    assert_error(pytree_allocate(PYTREE(&model), NULL, &error),            /* with 32 bits they are only too many */
                 sizeof(size_t) < 8 ? PYTREE_NO_MEMORY : PYTREE_BAD_COUNT, sizeof(size_t) < 8 ? NULL : ".layers", &error);
    memset(&error, 0, sizeof error);
    pytree_allocate(PYTREE(&layer), &uneven, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a power of two for the alignment, got 3");
    assert_null(pytree_stack(1, &array, &uneven, &error).def);
    assert_says(&error, PYTREE_ARGUMENT, "expected a power of two for the alignment, got 3");
    pytree_ravel(array, &vector, &(pytree_ravel_options){ .tree = uneven }, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a power of two for the alignment, got 3");
    pytree_allocate((pytree){ PYTREE_TYPE(Linear), NULL }, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a struct to allocate for, got NULL");
}

static void fields_that_are_numbers(void **state)
{
    int value = 1;
    const pytree_int_pair pairs[1] = { { 7, PYTREE(&value) } };
    pytree_items items = { .count = 1, .int_pairs = pairs };
    const pytree t = { PYTREE_NAMEDTUPLE("Point").type, &items };
    pytree_error error = { 0 };
    (void)state;
    pytree_text(PYTREE_LIST(t), NULL, 0, NULL, &error);
    assert_string_equal(error.path, "[0]");
    assert_says(&error, PYTREE_ARGUMENT, "expected the names of a namedtuple's fields, got numbers");
}

/* The namespace "" is none, as in optree. */
static void the_empty_namespace(void **state)
{
    Linear layer = linear_make(2, 3, 1);
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&layer), NULL, &error);
    pytree_def *same = pytree_structure(PYTREE(&layer), &unnamed, &error);
    pytree_def *list = pytree_def_list(1, (const pytree_def *[]){ same }, &unnamed, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_null(same->space);
    assert_null(list->space);
    assert_true(pytree_def_equal(def, same));
    assert_int_equal(pytree_def_hash(def), pytree_def_hash(same));
    pytree_def_free(list);
    pytree_def_free(same);
    pytree_def_free(def);
    linear_clear(&layer);
}

/* A predicate and a custom node that answer by the bits of a number, each time another one. */
static uint32_t fickle;
static bool next_bit(void)
{
    fickle = fickle >> 1 | (fickle & 1) << 15;
    return (fickle & 1) != 0;
}
static bool by_bits(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return next_bit();
}

typedef struct Fickle { float values[6]; } Fickle;
static size_t fickle_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Fickle *node = (const Fickle *)self;
    size_t i, n = next_bit() ? 2 : 3;
    (void)keys;
    for (i = 0; children != NULL && i < n; i++) { children[i] = PYTREE((float *)(uintptr_t)&node->values[i]); }
    return n;
}
static const pytree_custom fickle_callbacks = { .children = fickle_children };
#define PYTREE_STRUCT Fickle
#define PYTREE_CUSTOM fickle_callbacks
#include "pytree_registry.h"

typedef struct Pair { float x, y; } Pair;
#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Moody { Pair a, b; Fickle fickle, other; Pair c; } Moody;
#define PYTREE_STRUCT Moody
#define PYTREE_FIELDS                                                                                                     \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, fickle) PYTREE_FIELD(DATA, other) PYTREE_FIELD(DATA, c)
#include "pytree_registry.h"

static pytree_status touch(void *context, const pytree_iter *at)
{
    size_t k;
    for (k = 0; k < at->n; k++) { *(const void **)context = at->leaf[k]->data; }
    return PYTREE_OK;
}

/* Callbacks that answer otherwise each time: nothing is written where it was not counted. Either all answers happened to agree,
 * or it is an error. Of a list that is too large to be flattened in one pass, too. */
static void answers_that_change(void **state)
{
    enum { MANY = 6 };
    Moody moody[2] = { { { 0, 0 }, { 0, 0 }, { { 0 } }, { { 0 } }, { 0, 0 } } };
    pytree trees[2], elements[MANY], list = { &pytree_types[PYTREE__T_list], NULL };
    pytree_items items = { 0 };
    pytree_options options = { 0 };
    size_t failed = 0, made = 0;
    uint32_t bits, k;
    (void)state;
    moody[1] = moody[0];
    trees[0] = PYTREE(&moody[0]);
    trees[1] = PYTREE(&moody[1]);
    for (k = 0; k < MANY; k++) { elements[k] = trees[0]; }
    items.items = elements;
    items.count = MANY;
    list.data = &items;
    for (bits = 0; bits < 65536; bits += 7) {
        const pytree_options *opt = bits % 2 != 0 ? &options : NULL;
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL, few[12];
        const char **paths;
        const void *seen;
        pytree_def *def;
        size_t n;
        options.is_leaf = by_bits;
        fickle = bits;
        for (k = 0; k < 2; k++) {
            leaves = NULL;
            memset(&error, 0, sizeof error);
            if (pytree_flatten(k == 0 ? trees[0] : list, &leaves, 0, &def, opt, &error) == PYTREE_OK) {
                assert_true(pytree_def_num_leaves(def) <= (k == 0 ? 12 : MANY * 12));
                pytree_def_free(def);
                made++;
            } else {
                assert_non_null(strstr(error.message, "the same"));
                failed += error.status == PYTREE_ARGUMENT;
            }
        }
        leaves = few;
        if (pytree_flatten(trees[0], &leaves, 12, &def, opt, &error) == PYTREE_OK) { pytree_def_free(def); }
        memset(&error, 0, sizeof error);
        paths = pytree_paths(trees[0], NULL, &n, opt, &error);
        if (paths != NULL) { assert_true(n <= 12 && strlen(paths[n - 1]) < 20); }
        else { assert_non_null(strstr(error.message, "the same")); }
        pytree_paths_free(paths);
        pytree_map(touch, (void *)&seen, NULL, 2, trees, opt, NULL);
        pytree_equal(trees[0], trees[1], NULL, opt, NULL);
        pytree_check(trees[0], NULL, NULL, opt, NULL);
        pytree_free(pytree_clone(trees[0], opt, NULL));
    }
    assert_true(failed > 100 && made > 100);
}

/* Views and flat trees that nobody could have made. */
static void values_that_are_none(void **state)
{
    const pytree no_flat = { PYTREE_TYPE(pytree_flat), NULL };
    float x = 1.0f;
    pytree_leaf view = { &x, PYTREE_TYPE(float), 0, PYTREE_FORM_CUSTOM, { 0 } };
    pytree_flat flat = { NULL, NULL };
    pytree_error error = { 0 };
    pytree_def *def;
    (void)state;
    assert_int_equal(pytree_num_leaves(pytree_of_view(&view), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_num_leaves(no_flat, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
    memset(&error, 0, sizeof error);
    def = pytree_structure(PYTREE_LIST(PYTREE_NONE), NULL, &error);
    flat.def = def;
    assert_int_equal(pytree_num_leaves(PYTREE(&flat), NULL, &error), 0);       /* there are no leaves to be NULL */
    pytree_def_free(def);
    def = pytree_structure(PYTREE_LIST(PYTREE(&x)), NULL, &error);
    flat.def = def;
    assert_int_equal(pytree_num_leaves(PYTREE(&flat), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_def_print(NULL, def, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_def_print(stdout, NULL, &error), PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
}

/* A message that the C library cannot write is empty: no locale has this character. */
static void messages_that_cannot_be_written(void **state)
{
    const wchar_t half[2] = { 0xDFFF, 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pytree_fail(&error, PYTREE_VALUE, "a", "got %ls", half), PYTREE_VALUE);
    assert_int_equal(error.status, PYTREE_VALUE);
    assert_string_equal(error.path, "a");
    assert_string_equal(error.message, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_treedef),
        cmocka_unit_test(no_treedef_elsewhere),
        cmocka_unit_test(no_file),
        cmocka_unit_test(no_text),
        cmocka_unit_test(no_function_or_place),
        cmocka_unit_test(leaves_without_a_type),
        cmocka_unit_test(declared_and_never_defined),
        cmocka_unit_test(rows_without_what_is_generated),
        cmocka_unit_test(absurd_numbers),
        cmocka_unit_test(fields_that_are_numbers),
        cmocka_unit_test(the_empty_namespace),
        cmocka_unit_test(answers_that_change),
        cmocka_unit_test(values_that_are_none),
        cmocka_unit_test(messages_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
