/* Errors as values: each status provoked, the first one kept, NULL in place of the error object, texts that are cut. */
#include "support.h"

/* ---- Each status, through the public interface ------------------------------------------------------------------------ */

typedef struct Fixture {
    MLP model, other;
    pytree_def *def;
    pytree_leaf leaves[8];
    size_t n;
} Fixture;

/* In place: one of the leaves lies in the model itself. */
static void fixture_make(Fixture *f)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = f->leaves;
    memset(f, 0, sizeof *f);
    f->model = mlp_make(2, true);
    f->other = mlp_make(2, true);
    assert_ok(pytree_flatten(PYTREE(&f->model), &leaves, 8, &f->def, NULL, &error), &error);
    f->n = pytree_def_num_leaves(f->def);
    assert_int_equal(f->n, 7);
}

static void fixture_clear(Fixture *f)
{
    pytree_def_free(f->def);
    mlp_clear(&f->model);
    mlp_clear(&f->other);
}

/* An operation on sound trees that fails in its own way. */
typedef pytree_status provoke(Fixture *f, pytree_error *err);

static pytree_status no_memory(Fixture *f, pytree_error *err)
{
    Heap heap;
    pytree_options opt = { 0 };
    pytree_def *def;
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    def = pytree_structure(PYTREE(&f->model), &opt, err);
    assert_null(def);
    assert_heap_clean(&heap);
    return PYTREE_NO_MEMORY;
}

static pytree_status no_memory_for_a_walk(Fixture *f, pytree_error *err)
{
    Heap heap;
    pytree_options opt = { 0 };
    Node *chain = chain_make(100);
    pytree_leaf leaves[100];
    pytree_status status;
    (void)f;
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    status = pytree_leaves(PYTREE(chain), leaves, 100, NULL, &opt, err);
    assert_heap_clean(&heap);
    free(chain);
    return status;
}

static pytree_status null_pointer(Fixture *f, pytree_error *err)
{
    float *w = f->model.layers[1].w;
    pytree_leaf leaves[7];
    pytree_status status;
    f->model.layers[1].w = NULL;
    status = pytree_leaves(PYTREE(&f->model), leaves, 7, NULL, NULL, err);
    f->model.layers[1].w = w;
    return status;
}

static pytree_status bad_count(Fixture *f, pytree_error *err)
{
    pytree_leaf leaves[7];
    pytree_status status;
    f->model.layers[1].dout = -2;
    status = pytree_leaves(PYTREE(&f->model), leaves, 7, NULL, NULL, err);
    f->model.layers[1].dout = 2;
    return status;
}

static pytree_status overflow(Fixture *f, pytree_error *err)
{
    float x = 0.0f;
    pytree_leaf leaf;
    (void)f;
    return pytree_leaves(PYTREE_LIST(PYTREE_ARRAY(&x, PTRDIFF_MAX / 2, 8)), &leaf, 1, NULL, NULL, err);
}

static pytree_status cycle(Fixture *f, pytree_error *err)
{
    Node node = { 1.0, NULL };
    pytree_leaf leaves[8];
    (void)f;
    node.next = &node;
    return pytree_leaves(PYTREE(&node), leaves, 8, NULL, NULL, err);
}

static pytree_status too_few_leaves(Fixture *f, pytree_error *err)
{
    return pytree_unflatten_into(f->def, f->n - 1, f->leaves, PYTREE(&f->other), NULL, err);
}

static pytree_status too_many_leaves(Fixture *f, pytree_error *err)
{
    return pytree_unflatten_into(f->def, f->n + 1, f->leaves, PYTREE(&f->other), NULL, err);
}

static pytree_status too_small_an_array(Fixture *f, pytree_error *err)
{
    pytree_leaf leaves[6];
    return pytree_leaves(PYTREE(&f->model), leaves, 6, NULL, NULL, err);
}

static pytree_status structure(Fixture *f, pytree_error *err)
{
    pytree_status status;
    f->other.layers[1].din = 1;
    status = pytree_copy_into(PYTREE(&f->other), PYTREE(&f->model), NULL, err);
    f->other.layers[1].din = 3;
    return status;
}

static pytree_status type(Fixture *f, pytree_error *err)
{
    double d[4] = { 0.0 };
    pytree_leaf leaves[7];
    memcpy(leaves, f->leaves, sizeof leaves);
    leaves[4].type = PYTREE_TYPE(double);
    leaves[4].data = d;
    return pytree_unflatten_into(f->def, f->n, leaves, PYTREE(&f->other), NULL, err);
}

static pytree_status shape(Fixture *f, pytree_error *err)
{
    pytree_leaf leaves[7];
    memcpy(leaves, f->leaves, sizeof leaves);
    leaves[4].shape[0] = 1;
    return pytree_unflatten_into(f->def, f->n, leaves, PYTREE(&f->other), NULL, err);
}

static pytree_status value(Fixture *f, pytree_error *err)
{
    float old = f->other.layers[1].b[1];
    bool equal;
    f->other.layers[1].b[1] = 77.0f;
    equal = pytree_equal(PYTREE(&f->model), PYTREE(&f->other), NULL, NULL, err);
    f->other.layers[1].b[1] = old;
    assert_false(equal);
    return PYTREE_VALUE;
}

static pytree_status shared(Fixture *f, pytree_error *err)
{
    float *b = f->model.layers[1].b;
    pytree_status status;
    f->model.layers[1].b = f->model.layers[0].b;
    status = pytree_check(PYTREE(&f->model), NULL, NULL, NULL, err);
    f->model.layers[1].b = b;
    return status;
}

static pytree_status empty(Fixture *f, pytree_error *err)
{
    double result = 0.5;
    pytree_status status = pytree_max(PYTREE_LIST(), &result, NULL, err);
    (void)f;
    assert_true(result == 0.5);
    return status;
}

static pytree_status argument(Fixture *f, pytree_error *err)
{
    pytree_def *child = pytree_def_child(f->def, 3, NULL, err);
    assert_null(child);
    return PYTREE_ARGUMENT;
}

static pytree_status io(Fixture *f, pytree_error *err)
{
    FILE *file = fopen("/dev/full", "w");
    pytree_status status;
    if (file == NULL) {                   /* a system without one */
        return pytree_fail(err, PYTREE_IO, NULL, "expected /dev/full, got nothing");
    }
    setvbuf(file, NULL, _IONBF, 0);
    status = pytree_def_print(file, f->def, err);
    fclose(file);
    return status;
}

static pytree_status stops(void *context, const pytree_iter *at)
{
    (void)context;
    return at->index == 3 ? PYTREE_STOPPED : PYTREE_OK;
}

static pytree_status stopped(Fixture *f, pytree_error *err)
{
    pytree tree = PYTREE(&f->model);
    return pytree_map(stops, NULL, NULL, 1, &tree, NULL, err);
}

static const struct {
    provoke *provoke;
    pytree_status status;
    const char *path, *words;
} cases[] = {
    { no_memory, PYTREE_NO_MEMORY, "", "bytes of memory, got none" },
    { no_memory_for_a_walk, PYTREE_NO_MEMORY, "", "bytes of memory, got none" },
    { null_pointer, PYTREE_NULL_POINTER, ".layers[1].w", "expected 6 elements of float, got NULL" },
    { bad_count, PYTREE_BAD_COUNT, ".layers[1].w", "got -2" },
    { overflow, PYTREE_OVERFLOW, "[0]", "expected" },
    { cycle, PYTREE_CYCLE, NULL, "cycle" },
    { too_few_leaves, PYTREE_TOO_FEW_LEAVES, "", "expected 7 leaves, got 6" },
    { too_many_leaves, PYTREE_TOO_MANY_LEAVES, "", "expected 7 leaves, got 8" },
    { too_small_an_array, PYTREE_TOO_MANY_LEAVES, "", "expected at most 6 leaves (the array's capacity), got 7" },
    { structure, PYTREE_STRUCTURE, ".layers[1]", "expected" },
    { type, PYTREE_TYPE, ".head.w", "expected f32[2,2], got f64[2,2]" },
    { shape, PYTREE_SHAPE, ".head.w", "expected f32[2,2], got f32[1,2]" },
    { value, PYTREE_VALUE, ".layers[1].b", "got 77.0 at element 1" },
    { shared, PYTREE_SHARED, ".layers[1].b", ".layers[0].b" },
    { empty, PYTREE_EMPTY, "", "expected at least one element, got none" },
    { argument, PYTREE_ARGUMENT, "", "expected the number of one of 3 children, got 3" },
    { io, PYTREE_IO, "", "expected" },
    { stopped, PYTREE_STOPPED, ".layers[1].b", "callback" },
};

static void each_status_provoked(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Fixture f;
        pytree_error error = { 0 };
        fixture_make(&f);
        assert_error(cases[i].provoke(&f, &error), cases[i].status, cases[i].path, &error);
        if (strstr(error.message, cases[i].words) == NULL) {
            print_error("# no '%s' in: %s\n", cases[i].words, error.message);
            fail();
        }
        assert_true(pytree_equal(PYTREE(&f.model), PYTREE(&f.other), NULL, NULL, NULL));      /* inputs are as before */
        fixture_clear(&f);
    }
}

static void without_an_error_object(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Fixture f;
        fixture_make(&f);
        assert_int_equal(cases[i].provoke(&f, NULL), cases[i].status);
        fixture_clear(&f);
    }
}

/* Whatever went wrong first stays; calls say of themselves what went wrong with them, and work where nothing does. */
static void the_first_error_stays(void **state)
{
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Fixture f;
        pytree_error error = { 0 }, copy;
        pytree_leaf leaves[7];
        pytree_def *def;
        fixture_make(&f);
        cases[i].provoke(&f, &error);
        copy = error;
        for (k = 0; k < COUNT_OF(cases); k++) {
            assert_int_equal(cases[k].provoke(&f, &error), cases[k].status);
            assert_memory_equal(&error, &copy, sizeof error);
        }
        assert_int_equal(pytree_leaves(PYTREE(&f.model), leaves, 7, NULL, NULL, &error), PYTREE_OK);
        assert_int_equal(pytree_copy_into(PYTREE(&f.other), PYTREE(&f.model), NULL, &error), PYTREE_OK);
        assert_true(pytree_equal(PYTREE(&f.other), PYTREE(&f.model), NULL, NULL, &error));
        assert_int_equal(pytree_check(PYTREE(&f.model), NULL, NULL, NULL, &error), PYTREE_OK);
        assert_int_equal(pytree_num_leaves(PYTREE(&f.model), NULL, &error), 7);
        def = pytree_structure(PYTREE(&f.model), NULL, &error);
        assert_non_null(def);
        pytree_def_free(def);
        assert_memory_equal(&error, &copy, sizeof error);
        fixture_clear(&f);
    }
}

/* ---- Every operation that takes one, without one ------------------------------------------------------------------------- */

static pytree_status ignore(void *context, const pytree_iter *at)
{
    (void)context;
    (void)at;
    return PYTREE_OK;
}

static pytree_status ignore_leaf(void *context, const pytree_iter *at, void *value)
{
    (void)context;
    (void)at;
    *(int *)value = 1;
    return PYTREE_OK;
}

static pytree_status ignore_join(void *context, void *a, const void *b)
{
    (void)context;
    *(int *)a += *(const int *)b;
    return PYTREE_OK;
}

static void sound_calls_without_an_error_object(void **state)
{
    Fixture f;
    pytree t = PYTREE(&f.model), clone;
    pytree_leaf leaves[8], *own = NULL;
    pytree_def *def;
    pytree_iter it;
    pytree_visitor visitor = { NULL, NULL, NULL };
    pytree_duplicates *d;
    pytree_entry entry;
    const char **paths;
    FILE *file = tmpfile();
    double number;
    bool flag;
    size_t n;
    int sum = 0;
    (void)state;
    fixture_make(&f);
    assert_non_null(file);
    assert_int_equal(pytree_flatten(t, &own, 0, &def, NULL, NULL), PYTREE_OK);
    pytree_def_free(def);
    assert_int_equal(pytree_leaves(t, leaves, 8, &n, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_num_leaves(t, NULL, NULL), 7);
    clone = pytree_unflatten(f.def, 7, f.leaves, NULL, NULL);
    assert_non_null(clone.data);
    pytree_free(clone);
    assert_int_equal(pytree_unflatten_into(f.def, 7, f.leaves, t, NULL, NULL), PYTREE_OK);
    clone = pytree_clone(t, NULL, NULL);
    assert_non_null(clone.data);
    assert_int_equal(pytree_copy_into(clone, t, NULL, NULL), PYTREE_OK);
    pytree_free(clone);
    clone = pytree_zeros_like(t, NULL, NULL);
    assert_non_null(clone.data);
    pytree_free(clone);
    assert_int_equal(pytree_iter_begin(&it, 1, &t, NULL, NULL), PYTREE_OK);
    while (pytree_iter_next(&it)) {
    }
    pytree_iter_end(&it);
    assert_int_equal(pytree_map(ignore, NULL, NULL, 1, &t, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_reduce(ignore, NULL, t, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_reduce_pairwise(ignore_leaf, ignore_join, NULL, sizeof sum, &sum, t, NULL, NULL), PYTREE_OK);
    assert_int_equal(sum, 7);
    assert_int_equal(pytree_all(t, &flag, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_any(t, &flag, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_sum(t, &number, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_max(t, &number, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_min(t, &number, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_walk(t, &visitor, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_children(t, leaves, NULL, 8, &n, NULL, NULL), PYTREE_OK);
    assert_true(pytree_equal(t, t, NULL, NULL, NULL));
    assert_int_equal(pytree_check(t, NULL, NULL, NULL, NULL), PYTREE_OK);
    d = pytree_find_duplicates(t, NULL, NULL);
    assert_non_null(d);
    pytree_duplicates_free(d);
    assert_int_equal(pytree_print(file, t, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_def_print(file, f.def, NULL), PYTREE_OK);
    fclose(file);
    assert_in_range(pytree_text(t, NULL, 0, NULL, NULL), 20, 500);
    paths = pytree_paths(t, NULL, NULL, NULL, NULL);
    assert_non_null(paths);
    pytree_paths_free(paths);
    def = pytree_def_copy(f.def, NULL, NULL);
    assert_non_null(def);
    pytree_def_free(def);
    def = pytree_def_child(f.def, 0, NULL, NULL);
    assert_non_null(def);
    pytree_def_free(def);
    assert_int_equal(pytree_def_entry(f.def, 0, &entry, NULL), PYTREE_OK);
    fixture_clear(&f);
}

/* A tree without a type is refused by every operation. */
static void trees_without_a_type(void **state)
{
    pytree none = { NULL, NULL };
    pytree_leaf leaves[2], *own = NULL;
    pytree_def *def = NULL;
    double number;
    bool flag;
    size_t n;
    pytree_visitor visitor = { NULL, NULL, NULL };
    int result = 0;
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    assert_int_equal(pytree_flatten(none, &own, 0, &def, NULL, NULL), PYTREE_ARGUMENT);
    assert_null(own);
    assert_null(def);
    assert_int_equal(pytree_leaves(none, leaves, 2, &n, NULL, NULL), PYTREE_ARGUMENT);
    assert_null(pytree_structure(none, NULL, NULL));
    assert_true(pytree_num_leaves(none, NULL, NULL) == SIZE_MAX);
    assert_int_equal(pytree_allocate(none, NULL, NULL), PYTREE_ARGUMENT);
    assert_null(pytree_clone(none, NULL, NULL).data);
    assert_null(pytree_zeros_like(none, NULL, NULL).data);
    assert_int_equal(pytree_copy_into(none, none, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(ignore, NULL, NULL, 1, &none, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_reduce(ignore, NULL, none, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_reduce_pairwise(ignore_leaf, ignore_join, NULL, sizeof result, &result, none, NULL, NULL),
                     PYTREE_ARGUMENT);
    assert_int_equal(pytree_all(none, &flag, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_sum(none, &number, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_walk(none, &visitor, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_children(none, leaves, NULL, 2, &n, NULL, NULL), PYTREE_ARGUMENT);
    assert_false(pytree_equal(none, none, NULL, NULL, NULL));
    assert_int_equal(pytree_check(none, NULL, NULL, NULL, NULL), PYTREE_ARGUMENT);
    assert_null(pytree_find_duplicates(none, NULL, NULL));
    assert_int_equal(pytree_print(file, none, NULL, NULL), PYTREE_ARGUMENT);
    assert_true(pytree_text(none, NULL, 0, NULL, NULL) == SIZE_MAX);
    assert_null(pytree_paths(none, NULL, NULL, NULL, NULL));
    pytree_free(none);
    fclose(file);
}

/* Values that a program has put together wrongly, one in a list each. */
static void malformed_values(void **state)
{
    float x = 1.0f;
    pytree untyped = { NULL, NULL };
    pytree_leaf no_type = { .data = &x }, dimensions = { .data = &x, .type = PYTREE_TYPE(float), .ndim = PYTREE_MAX_DIMS + 1 };
    pytree_leaf negative = { .data = &x, .type = PYTREE_TYPE(float), .ndim = -1 }, no_data = { .type = PYTREE_TYPE(float) };
    pytree_leaf form = { .data = &x, .type = PYTREE_TYPE(float), .form = 99 };
    pytree_leaf extent = { .data = &x, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { SIZE_MAX } };
    pytree_flat flat = { NULL, NULL }, no_leaves = { NULL, NULL };
    pytree_items nothing = { .count = 3 };
    pytree list = { &pytree_types[PYTREE__T_list], NULL }, nowhere = { &pytree_types[PYTREE__T_tuple], NULL };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&x), NULL, &error);
    struct {
        pytree tree;
        pytree_status status;
    } values[12];
    size_t i, n = 0;
    (void)state;
    assert_non_null(def);
    list.data = &nothing;
    no_leaves.def = def;
#define VALUE(t, s) (values[n].tree = (t), values[n].status = (s), n++)
    VALUE(untyped, PYTREE_NULL_POINTER);
    VALUE(PYTREE(&no_type), PYTREE_ARGUMENT);
    VALUE(PYTREE(&dimensions), PYTREE_ARGUMENT);
    VALUE(PYTREE(&negative), PYTREE_ARGUMENT);
    VALUE(PYTREE(&form), PYTREE_ARGUMENT);
    VALUE(PYTREE(&no_data), PYTREE_NULL_POINTER);
    VALUE(PYTREE(&extent), PYTREE_BAD_COUNT);
    VALUE(PYTREE(&flat), PYTREE_NULL_POINTER);
    VALUE(PYTREE(&no_leaves), PYTREE_NULL_POINTER);
    VALUE(list, PYTREE_NULL_POINTER);
    VALUE(nowhere, PYTREE_NULL_POINTER);
    VALUE(PYTREE(&untyped), PYTREE_NULL_POINTER);
#undef VALUE
    for (i = 0; i < n; i++) {
        pytree in_list = PYTREE_LIST(PYTREE(&x), values[i].tree), in_dict = PYTREE_DICT({ "k", values[i].tree });
        pytree_iter it;
        memset(&error, 0, sizeof error);
        assert_true(pytree_num_leaves(in_list, NULL, &error) == SIZE_MAX);
        assert_error(error.status, values[i].status, "[1]", &error);
        memset(&error, 0, sizeof error);
        assert_true(pytree_num_leaves(in_dict, NULL, &error) == SIZE_MAX);
        assert_true(error.status != PYTREE_OK && error.message[0] != '\0');
        assert_null(pytree_structure(in_list, NULL, NULL));
        assert_null(pytree_clone(in_list, NULL, NULL).data);
        assert_int_equal(pytree_check(in_list, NULL, NULL, NULL, NULL), values[i].status);
        memset(&error, 0, sizeof error);
        if (pytree_iter_begin(&it, 1, &in_list, NULL, &error) == PYTREE_OK) {
            assert_true(pytree_iter_next(&it));
            assert_false(pytree_iter_next(&it));
        }
        pytree_iter_end(&it);
        assert_error(it.status, values[i].status, "[1]", &error);
    }
    pytree_def_free(def);
}

/* ---- Words -------------------------------------------------------------------------------------------------------------- */

static void names_of_statuses(void **state)
{
    int i, k;
    (void)state;
    assert_string_equal(pytree_status_name(PYTREE_OK), "ok");
    assert_string_equal(pytree_status_name(PYTREE_NO_MEMORY), "out of memory");
    assert_string_equal(pytree_status_name(PYTREE_STOPPED), "stopped by the callback");
    assert_int_equal(PYTREE_OK, 0);
    for (i = PYTREE_OK; i <= PYTREE_FROZEN; i++) {
        assert_in_range(strlen(pytree_status_name((pytree_status)i)), 2, 60);
        for (k = PYTREE_OK; k < i; k++) {
            assert_string_not_equal(pytree_status_name((pytree_status)i), pytree_status_name((pytree_status)k));
        }
    }
    assert_non_null(pytree_status_name((pytree_status)1000));
    assert_non_null(pytree_status_name((pytree_status)-1));
}

static void assert_error_printed(const pytree_error *error, const char *expected)
{
    char read[1000];
    FILE *file = tmpfile();
    size_t n;
    assert_non_null(file);
    pytree_error_print(file, error);
    rewind(file);
    n = fread(read, 1, sizeof read - 1, file);
    read[n] = '\0';
    assert_string_equal(read, expected);
    fclose(file);
}

static void printed_on_one_line(void **state)
{
    pytree_error error = { 0 };
    (void)state;
    assert_error_printed(NULL, "");
    assert_error_printed(&error, "");
    assert_int_equal(pytree_fail(&error, PYTREE_SHAPE, ".layers[0].w", "expected %s[%d], got %s", "f32", 3, "f32"),
                     PYTREE_SHAPE);
    assert_error_printed(&error, ".layers[0].w: expected f32[3], got f32 (shapes differ)\n");
    memset(&error, 0, sizeof error);
    pytree_fail(&error, PYTREE_EMPTY, NULL, "expected some, got none");
    assert_string_equal(error.path, "");
    assert_error_printed(&error, "expected some, got none (no leaves)\n");
    memset(&error, 0, sizeof error);
    pytree_fail(&error, PYTREE_EMPTY, "", "expected 100%%, got %d%%", 99);
    assert_error_printed(&error, "expected 100%, got 99% (no leaves)\n");
    assert_int_equal(pytree_fail(NULL, PYTREE_IO, NULL, "expected this, got that"), PYTREE_IO);
    assert_int_equal(pytree_fail(&error, PYTREE_IO, "later", "expected this, got that"), PYTREE_IO);
    assert_int_equal(error.status, PYTREE_EMPTY);
    assert_string_equal(error.message, "expected 100%, got 99%");
}

/* Cut in the middle: it begins and ends as the whole does, with "..." between and all the room used. */
static void assert_cut(const char *kept, size_t room, const char *whole)
{
    size_t length = strlen(kept), n = strlen(whole);
    const char *dots;
    bool found = false;
    if (n < room) {
        assert_string_equal(kept, whole);
        return;
    }
    assert_int_equal(length, room - 1);
    /* a dot may stand before them */
    for (dots = strstr(kept, "..."); dots != NULL && !found; dots = strstr(dots + 1, "...")) {
        size_t head = (size_t)(dots - kept), tail = length - head - 3;
        found = head > length / 2 - 5 && head < length / 2 + 5 && memcmp(kept, whole, head) == 0
            && strcmp(dots + 3, whole + n - tail) == 0;
    }
    if (!found) {
        print_error("# not the beginning and the end of: %s\n# but: %s\n", whole, kept);
        fail();
    }
}

static void long_texts_are_cut_in_the_middle(void **state)
{
    char text[900], path[900];
    size_t n, i;
    pytree_error error;
    (void)state;
    for (n = 200; n < sizeof text; n++) {
        for (i = 0; i < n; i++) {
            text[i] = (char)('a' + i * 7 % 26);
            path[i] = (char)('A' + i * 5 % 26);
        }
        text[n] = path[n] = '\0';
        memset(&error, 0, sizeof error);
        pytree_fail(&error, PYTREE_VALUE, path, "%s", text);
        assert_cut(error.message, sizeof error.message, text);
        assert_cut(error.path, sizeof error.path, path);
    }
}

typedef struct Long {
    struct Long *a_field_whose_name_alone_fills_a_good_part_of_a_line;
    float *missing;
} Long;

#define PYTREE_STRUCT Long
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a_field_whose_name_alone_fills_a_good_part_of_a_line, OPTIONAL) PYTREE_FIELD(DATA, missing, ARRAY(3))
#include "pytree_registry.h"

/* n levels down, in steps of `.next`: the path's beginning and end are there. */
static void deep_paths_are_cut_in_the_middle(void **state)
{
    static const unsigned short depths[] = { 10, 40, 60, 63, 64, 65, 66, 67, 100, 1000, 10000 };
    size_t d, i;
    (void)state;
    for (d = 0; d < COUNT_OF(depths); d++) {
        size_t n = depths[d];
        Node *chain = chain_make(n + 1);
        char *whole = malloc(5 * n + 1);
        pytree trees[2];
        pytree_def *def;
        pytree_error error = { 0 };
        assert_non_null(whole);
        for (i = 0; i < n; i++) {
            memcpy(whole + 5 * i, ".next", 6);
        }
        whole[5 * n] = '\0';
        /* another tree that ends one level earlier */
        trees[0] = PYTREE(&chain[0]);
        trees[1] = PYTREE(&chain[1]);
        assert_error(pytree_map(ignore, NULL, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
        assert_cut(error.path, sizeof error.path, whole);
        /* a cycle at the end of it */
        chain[n].next = &chain[n];
        memset(&error, 0, sizeof error);
        def = pytree_structure(trees[0], NULL, &error);
        assert_null(def);
        assert_int_equal(error.status, PYTREE_CYCLE);
        assert_int_equal(strncmp(error.path, ".next.next", 10), 0);
        assert_string_equal(error.path + strlen(error.path) - 10, ".next.next");
        assert_int_equal(strstr(error.path, "...") != NULL, strlen(error.path) == sizeof error.path - 1);
        free(whole);
        free(chain);
    }
}

/* Names so long that not even the ends of the path fit whole. */
static void paths_of_long_names(void **state)
{
    enum { N = 80 };
    Long links[N];
    char whole[N * 60];
    float three[3] = { 0.0f };
    pytree_leaf leaves[N];
    size_t n, i, length;
    (void)state;
    for (n = 1; n <= N; n++) {
        pytree_error error = { 0 };
        memset(links, 0, sizeof links);
        length = 0;
        for (i = 0; i < n; i++) {
            links[i].a_field_whose_name_alone_fills_a_good_part_of_a_line = i + 1 < n ? &links[i + 1] : NULL;
            links[i].missing = i + 1 < n ? three : NULL;
            length += (size_t)snprintf(whole + length, sizeof whole - length, "%s",
                                       i + 1 < n ? ".a_field_whose_name_alone_fills_a_good_part_of_a_line" : ".missing");
        }
        assert_error(pytree_leaves(PYTREE(&links[0]), leaves, N, NULL, NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
        assert_cut(error.path, sizeof error.path, whole);
    }
}

/* Long names in messages are no danger either. */
static void messages_of_long_keys(void **state)
{
    char key[3000];
    int x = 1;
    pytree trees[2];
    pytree_error error = { 0 };
    (void)state;
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    trees[0] = PYTREE_DICT({ key, PYTREE(&x) });
    trees[1] = PYTREE_DICT({ "other", PYTREE(&x) });
    assert_error(pytree_map(ignore, NULL, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_non_null(strstr(error.message, "'other'"));
    memset(&error, 0, sizeof error);
    trees[1] = PYTREE_DICT({ key, PYTREE_NONE });
    trees[0] = PYTREE_DICT({ key, PYTREE_LIST(PYTREE(&x)) });
    assert_error(pytree_map(ignore, NULL, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
    assert_int_equal(strncmp(error.path, "['kkkk", 6), 0);
    assert_string_equal(error.path + strlen(error.path) - 6, "kkkk']");
    assert_non_null(strstr(error.path, "..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_status_provoked),
        cmocka_unit_test(without_an_error_object),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(sound_calls_without_an_error_object),
        cmocka_unit_test(trees_without_a_type),
        cmocka_unit_test(malformed_values),
        cmocka_unit_test(names_of_statuses),
        cmocka_unit_test(printed_on_one_line),
        cmocka_unit_test(long_texts_are_cut_in_the_middle),
        cmocka_unit_test(deep_paths_are_cut_in_the_middle),
        cmocka_unit_test(paths_of_long_names),
        cmocka_unit_test(messages_of_long_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
