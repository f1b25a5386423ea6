/* Copies and zeros of whole trees. */
#include "rebuild_shared.h"

/* ---- Copies ------------------------------------------------------------------------------------------------------------ */

static void a_clone_is_independent(void **state)
{
    Everything all = everything_make(true), *copy;
    char title[] = "a title";
    pytree_error error = { 0 };
    pytree clone, zeros;
    Heap heap;
    pytree_options opt = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    all.title = title;
    all.scratch = &all;
    clone = pytree_clone(PYTREE(&all), &opt, &error);
    zeros = pytree_zeros_like(PYTREE(&all), &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(heap.blocks, 2);     /* one each */
    copy = clone.data;
    assert_string_equal(copy->title, "a title");
    assert_true(copy->title != title);
    assert_true(copy->name != all.name);
    assert_string_equal(copy->name, "owned");
    assert_true(copy->kind != all.kind);
    assert_true(copy->weights != all.weights);
    assert_memory_equal(copy->weights, all.weights, 6 * sizeof(double));
    assert_int_equal((uintptr_t)copy->weights % 64, 0);
    assert_int_equal((uintptr_t)copy->bias % 64, 0);
    assert_null(copy->scratch);
    title[0] = 'A';
    assert_string_equal(copy->title, "a title");
    copy = zeros.data;
    assert_string_equal(copy->name, "owned");                  /* strings and metadata are no numbers */
    assert_string_equal(copy->kind, "a kind");
    assert_int_equal(copy->config.width, 64);
    assert_true(copy->function == test_half_of);
    assert_int_equal(copy->i32, 0);
    assert_false(copy->flag);
    assert_int_equal(copy->color, 0);
    assert_int_equal(copy->half.bits, 0);
    assert_int_equal(copy->code[0], 0);
    assert_true(copy->weights[5] == 0.0);
    everything_clear(&all);               /* neither needs the original */
    copy = clone.data;
    assert_string_equal(copy->name, "owned");
    assert_true(copy->points[2].x == 22.0f);
    assert_int_equal(pytree_num_leaves(clone, NULL, NULL), EVERYTHING_LEAVES);
    pytree_free(clone);
    pytree_free(zeros);
    assert_heap_clean(&heap);
    pytree_free(PYTREE_NONE);
    {
        pytree nothing = { NULL, NULL };
        pytree_free(nothing);
    }
}

static void opaque_leaves_are_kept(void **state)
{
    Handle handle = { 7, 'h' };
    Wishes wishes;
    float required[1] = { 5.0f };
    Row row = { 0, NULL, NULL }, rows[2] = { { 0, NULL, NULL }, { 0, NULL, NULL } };
    pytree_error error = { 0 };
    pytree made[2];
    size_t i;
    (void)state;
    memset(&wishes, 0, sizeof wishes);
    wishes.n = 1;
    wishes.handle = &handle;
    wishes.required = required;
    wishes.row = &row;
    wishes.rows = rows;
    wishes.view.type = PYTREE_TYPE(Handle);
    wishes.view.data = &handle;
    wishes.name = "name";
    check_all_ways(PYTREE(&wishes));
    check_all_ways(PYTREE(&handle));
    made[0] = pytree_clone(PYTREE(&wishes), NULL, &error);
    made[1] = pytree_zeros_like(PYTREE(&wishes), NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < 2; i++) {
        const Wishes *copy = made[i].data;
        assert_true(copy->handle != &handle);
        assert_int_equal(copy->handle->number, 7);
        assert_int_equal(copy->handle->kind, 'h');
        assert_int_equal(((const Handle *)copy->view.data)->number, 7);
        assert_true(copy->required[0] == (i == 0 ? 5.0f : 0.0f));
        pytree_free(made[i]);
    }
}

/* Fields that are stb_ds containers are so in a copy, with all that stb_ds can do with them. */
static void stb_containers_are_real(void **state)
{
    Shelf shelf = shelf_make(), *copy;
    Parts parts = parts_of(PYTREE(&shelf), NULL);
    pytree_error error = { 0 };
    pytree made[3];
    Point point = { 1.0f, 2.0f };
    size_t i, k;
    char name[16];
    (void)state;
    made[0] = pytree_clone(PYTREE(&shelf), NULL, &error);
    made[1] = pytree_zeros_like(PYTREE(&shelf), NULL, &error);
    made[2] = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < 3; i++) {
        bool zero = i == 1;
        copy = made[i].data;
        assert_true(copy->heights != shelf.heights);
        assert_true(copy->prices != shelf.prices);
        assert_int_equal(stbds_arrlen(copy->heights), 3);
        assert_true(copy->heights[2] == (zero ? 0.0f : 4.5f));
        assert_int_equal(stbds_arrlen(copy->spots), 2);
        assert_true(copy->spots[1].y == (zero ? 0.0f : 10.0f));
        assert_int_equal(stbds_shlen(copy->prices), 3);
        assert_true(stbds_shget(copy->prices, "apple") == (zero ? 0.0 : 0.5));
        assert_int_equal(stbds_shgeti(copy->prices, "plum"), -1);
        assert_true(stbds_shget(copy->places, "here").y == (zero ? 0.0f : 9.0f));
        for (k = 0; k < 100; k++) {       /* they grow, the map with keys of its own */
            stbds_arrput(copy->heights, (float)k);
            stbds_arrput(copy->spots, point);
            snprintf(name, sizeof name, "plum %u", (unsigned)k);
            stbds_shput(copy->prices, name, (double)k);
            stbds_shput(copy->places, name, point);
        }
        (void)stbds_shdel(copy->prices, "apple");
        assert_int_equal(stbds_arrlen(copy->heights), 103);
        assert_true(stbds_shget(copy->prices, "plum 42") == 42.0);
        assert_int_equal(stbds_shgeti(copy->prices, "apple"), -1);
        assert_int_equal(pytree_num_leaves(made[i], NULL, NULL), 103 + 2 * 102 + 102 + 2 * 102);
        pytree_free(made[i]);
    }
    assert_int_equal(stbds_arrlen(shelf.heights), 3);
    pytree_def_free(parts.def);
    shelf_clear(&shelf);
}

typedef struct Library {                  /* containers in containers */
    Shelf main;
    Shelf *shelves;                       /* stb_ds array */
    size_t n;
    Shelf *more;
} Library;

#define PYTREE_STRUCT Library
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, main) PYTREE_FIELD(DATA, shelves, STB_ARRAY) PYTREE_FIELD(STATIC, n)                             \
    PYTREE_FIELD(DATA, more, LIST(self->n))
#include "pytree_registry.h"

static void stb_containers_in_stb_containers(void **state)
{
    Library library;
    Shelf more[2];
    (void)state;
    memset(&library, 0, sizeof library);
    check_all_ways(PYTREE(&library));
    library.main = shelf_make();
    more[0] = shelf_make();
    memset(&more[1], 0, sizeof more[1]);
    stbds_arrput(library.shelves, shelf_make());
    stbds_arrput(library.shelves, more[1]);
    library.n = 2;
    library.more = more;
    check_all_ways(PYTREE(&library));
    shelf_clear(&library.main);
    shelf_clear(&library.shelves[0]);
    shelf_clear(&more[0]);
    stbds_arrfree(library.shelves);
}

/* pytree_allocate and pytree_free leave stb_ds containers alone: they are the caller's. */
static void allocate_leaves_stb_containers_alone(void **state)
{
    Library library;
    Shelf more[1];
    float *heights;
    pytree_error error = { 0 };
    (void)state;
    memset(&library, 0, sizeof library);
    library.main = shelf_make();
    heights = library.main.heights;
    more[0] = shelf_make();
    library.n = 1;
    library.more = more;
    assert_ok(pytree_allocate(PYTREE(&library), NULL, &error), &error);
    assert_true(library.main.heights == heights);
    assert_true(library.more != more);
    assert_true(library.more[0].heights == more[0].heights);
    assert_true(stbds_shget(library.main.prices, "fig") == 0.75);
    pytree_free(PYTREE(&library));
    assert_true(library.main.heights == heights);
    assert_true(heights[2] == 4.5f);
    assert_null(library.more);
    shelf_clear(&library.main);
    shelf_clear(&more[0]);
}

typedef struct Part {                     /* what is no number: metadata with strings, scratch space, a tree of its own */
    const char *label;
    size_t n;
    double *values;
    double rate;
    const char *text;
    void *scratch;
    pytree extra;
} Part;

#define PYTREE_STRUCT Part
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, values, ARRAY(self->n))                      \
    PYTREE_FIELD(DATA, rate) PYTREE_FIELD(DATA, text) PYTREE_FIELD(DROP, scratch) PYTREE_FIELD(DATA, extra)
#include "pytree_registry.h"

typedef struct Whole {
    Part part;
    Part parts[2];
    int n;
    Part *list;
    Part *one;
} Whole;

#define PYTREE_STRUCT Whole
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, part) PYTREE_FIELD(DATA, parts) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))  \
    PYTREE_FIELD(DATA, one)
#include "pytree_registry.h"

static void assert_part(const Part *part, const Part *as)
{
    assert_string_equal(part->label, as->label);
    assert_int_equal(part->n, as->n);
    assert_true(part->rate == as->rate);
    assert_string_equal(part->text, as->text);
    assert_true(part->extra.type == as->extra.type);
    assert_true(part->extra.data == as->extra.data);
}

/* pytree_allocate sets pointers that were NULL, and leaves all else in a struct as it is, in what lies in it by value too;
 * templates are copied with all that they hold. */
static void allocate_changes_nothing_but_pointers(void **state)
{
    int number = 1, mark = 2;
    Part part, list[2];
    Whole whole, before;
    pytree_error error = { 0 };
    size_t i;
    int round;
    (void)state;
    memset(&part, 0, sizeof part);
    part.label = "label";
    part.n = 3;
    part.rate = 0.5;
    part.text = "text";
    part.scratch = &mark;
    part.extra = PYTREE(&number);
    memset(&whole, 0, sizeof whole);
    whole.part = whole.parts[0] = whole.parts[1] = list[0] = list[1] = part;
    whole.parts[1].label = NULL;
    whole.parts[1].n = 0;
    list[1].label = "other";
    whole.n = 2;
    for (round = 0; round < 2; round++) {
        whole.list = list;
        whole.one = &part;
        before = whole;
        assert_ok(pytree_allocate(PYTREE(&whole), NULL, &error), &error);
        assert_part(&whole.part, &part);
        assert_true(whole.part.label == before.part.label);
        assert_true(whole.part.scratch == &mark);
        assert_part(&whole.parts[0], &part);
        assert_null(whole.parts[1].label);
        assert_true(whole.parts[1].scratch == &mark);
        for (i = 0; i < 2; i++) {
            assert_part(&whole.list[i], &list[i]);
            assert_null(list[i].values);
        }
        assert_part(whole.one, &part);
        assert_true(whole.one != &part);
        assert_true(whole.part.values[2] == 0.0);
        assert_true(whole.list[1].values[2] == 0.0);
        assert_true(whole.one->values[2] == 0.0);
        assert_int_equal(number, 1);
        pytree_free(PYTREE(&whole));
        assert_null(whole.part.values);   /* what it was, with NULL for the pointers, and no string of a freed block */
        assert_true(whole.part.label == before.part.label);
        assert_true(whole.part.text == before.part.text);
        assert_true(whole.parts[0].label == before.parts[0].label);
        assert_true(whole.parts[0].scratch == &mark);
        assert_null(whole.list);
        assert_null(whole.one);
    }
}

/* Fields that hold trees of their own are copied with them. */
typedef struct Carrier {
    pytree tree;
    pytree_leaf view;
    int number;
} Carrier;

#define PYTREE_STRUCT Carrier
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tree) PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

static void fields_that_hold_trees(void **state)
{
    MLP model = mlp_make(1, false);
    short cells[4] = { 1, 2, 3, 4 };
    double scalar = 5.0;
    Carrier carrier;
    pytree_error error = { 0 };
    pytree clone;
    const Carrier *copy;
    (void)state;
    memset(&carrier, 0, sizeof carrier);
    carrier.tree = PYTREE(&model);
    carrier.view.data = cells;
    carrier.view.type = PYTREE_TYPE(short);
    carrier.view.ndim = 2;
    carrier.view.shape[0] = carrier.view.shape[1] = 2;
    carrier.number = 7;
    check_all_ways(PYTREE(&carrier));
    clone = pytree_clone(PYTREE(&carrier), NULL, &error);
    assert_ok(error.status, &error);
    copy = clone.data;
    assert_true(copy->view.data != cells);
    assert_int_equal(((const short *)copy->view.data)[3], 4);
    assert_true(copy->tree.data != &model);
    assert_same(copy->tree, PYTREE(&model));
    pytree_free(clone);
    carrier.tree = PYTREE_LIST(PYTREE(&scalar), PYTREE_DICT({ "k", PYTREE_NONE }));
    carrier.view.ndim = 0;
    check_all_ways(PYTREE(&carrier));
    carrier.tree = PYTREE_NONE;
    check_all_ways(PYTREE(&carrier));
    carrier.tree = PYTREE(&scalar);
    check_all_ways(PYTREE(&carrier));
    mlp_clear(&model);
}

/* ---- What is no tree of the library, or no longer what it was ------------------------------------------------------------ */

typedef struct Choice { double *first; int tag; union { float *numbers; int other; } as; char *names[2]; } Choice;

#define PYTREE_STRUCT Choice
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first, ARRAY(3))                                                                                 \
    PYTREE_FIELD(STATIC, tag)                                                                                           \
    PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(0, numbers, ARRAY(2)), CASE(1, other)))                                 \
    PYTREE_FIELD(DATA, names)
#include "pytree_registry.h"

static void freeing_what_the_library_did_not_make(void **state)
{
    static const pytree nothing = { NULL, NULL };
    const pytree without_data = { PYTREE_TYPE(MLP), NULL };
    struct { double before[64]; double numbers[3]; } memory = { { 0.0 }, { 1.0, 2.0, 3.0 } };
    char *word = NULL;
    Choice choice = { memory.numbers, 1, { NULL }, { NULL, NULL } };
    MLP model = { 0 };
    size_t bytes = 1;
    (void)state;
    pytree_free(nothing);
    pytree_free(without_data);
    pytree_free(PYTREE(&model));          /* no pointer leads anywhere */
    assert_null(pytree_arrays(PYTREE(&model), &bytes));
    assert_int_equal(bytes, 0);
    pytree_free(PYTREE(&choice));         /* one leads to memory of the caller's */
    assert_true(choice.first == memory.numbers && memory.numbers[2] == 3.0);
    assert_null(pytree_arrays(PYTREE(&choice), &bytes));
    pytree_free(PYTREE(&word));
    assert_null(pytree_arrays(PYTREE(&word), NULL));
}

/* What was filled in may have been changed before it is freed: the tag of a union, strings. */
static void freeing_a_struct_that_has_changed(void **state)
{
    char low[] = "low", *const high = malloc(5);
    Choice choice = { NULL, 0, { NULL }, { NULL, NULL } };
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(high);
    memcpy(high, "high", 5);
    assert_ok(pytree_allocate(PYTREE(&choice), NULL, &error), &error);
    assert_non_null(choice.as.numbers);
    choice.tag = 9;                       /* no CASE has it */
    choice.names[0] = low;
    choice.names[1] = high;
    pytree_free(PYTREE(&choice));
    assert_null(choice.first);
    assert_ptr_equal(choice.names[0], low);
    assert_ptr_equal(choice.names[1], high);
    free(high);
}

/* The range of all arrays begins with the first that has elements and ends behind the last; strings and single numbers lie
 * elsewhere. */
static void the_range_of_all_arrays(void **state)
{
    double few[3] = { 1.0, 2.0, 3.0 }, x = 4.0;
    float more[5] = { 5.0f, 6.0f, 7.0f, 8.0f, 9.0f };
    const char *words[2] = { "a", "b" };
    pytree_error error = { 0 };
    pytree made, shared;
    const pytree_leaf *first, *last;
    size_t bytes;
    char *all;
    (void)state;
    made = pytree_clone(PYTREE_LIST(PYTREE_ARRAY(words, 2), PYTREE_ARRAY(few, 0), PYTREE_ARRAY(few, 3), PYTREE(&x),
                                    PYTREE_ARRAY(more, 5), PYTREE_ARRAY(words, 2)), NULL, &error);
    assert_ok(error.status, &error);
    first = ((const pytree_items *)made.data)->items[2].data;
    last = ((const pytree_items *)made.data)->items[4].data;
    all = pytree_arrays(made, &bytes);
    assert_ptr_equal(all, first->data);
    assert_ptr_equal(all + bytes, (char *)last->data + sizeof more);
    shared = PYTREE_LIST(pytree_of_view(last), pytree_of_view(first));
    assert_null(pytree_arrays(shared, &bytes));                /* which the library has not made */
    ((pytree_items *)made.data)->count = 3;
    assert_ptr_equal(pytree_arrays(made, &bytes), first->data);
    assert_int_equal(bytes, sizeof few);
    ((pytree_items *)made.data)->count = 2;                    /* strings, and nothing */
    assert_null(pytree_arrays(made, &bytes));
    assert_int_equal(bytes, 0);
    ((pytree_items *)made.data)->count = 6;
    ((pytree_leaf *)(uintptr_t)last)->shape[0] = SIZE_MAX;     /* a tree that is sound no longer */
    assert_null(pytree_arrays(made, &bytes));
    assert_int_equal(bytes, 0);
    pytree_free(made);
}

/* Numbers in a struct are not part of the range, and two arrays that the program has swapped are. */
typedef struct Pairs { double rate; int n; float *a, *b; } Pairs;

#define PYTREE_STRUCT Pairs
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, rate) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a, ARRAY(self->n)) PYTREE_FIELD(DATA, b, ARRAY(self->n))
#include "pytree_registry.h"

static void the_range_of_a_struct_that_has_changed(void **state)
{
    float x[40] = { 1.0f };
    Pairs pairs = { 0.5, 40, x, x }, *mine;
    pytree_error error = { 0 };
    const pytree made = pytree_clone(PYTREE(&pairs), NULL, &error);
    size_t bytes, after;
    void *all;
    float *a;
    (void)state;
    assert_ok(error.status, &error);
    mine = (Pairs *)made.data;
    a = mine->a;
    all = pytree_arrays(made, &bytes);
    assert_ptr_equal(all, a < mine->b ? a : mine->b);
    mine->a = mine->b;
    mine->b = a;
    assert_ptr_equal(pytree_arrays(made, &after), all);
    assert_int_equal(after, bytes);
    pytree_free(made);
}

/* Optional arrays of strings that are wanted have none at first, from whichever memory they come. */
typedef struct Label { int n; char **words; float *empty; } Label;
#define PYTREE_STRUCT Label
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, words, ARRAY(self->n), OPTIONAL)                                         \
    PYTREE_FIELD(DATA, empty, ARRAY(self->n - 2), OPTIONAL)
#include "pytree_registry.h"

static void strings_that_are_wanted(void **state)
{
    int own;
    (void)state;
    for (own = 0; own < 2; own++) {
        Label label = { 2, PYTREE_WANTED, NULL };
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        Heap heap;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = own != 0 ? &heap.allocator : NULL;
        assert_ok(pytree_allocate(PYTREE(&label), &opt, &error), &error);
        assert_true(label.words[0] == NULL && label.words[1] == NULL);
        pytree_free(PYTREE(&label));
        assert_heap_clean(&heap);
    }
}

/* An empty array without data for an optional pointer leads somewhere, because NULL would be None. */
static void empty_arrays_of_optional_rows(void **state)
{
    char *words[2] = { NULL, NULL };
    float x = 0.0f;
    Label label = { 2, words, &x };
    Parts parts = parts_of(PYTREE(&label), NULL);
    pytree_error error = { 0 };
    pytree made;
    (void)state;
    assert_int_equal(parts.n, 2);
    parts.leaves[1].data = NULL;
    made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(((const Label *)made.data)->empty);
    assert_same(made, PYTREE(&label));
    pytree_free(made);
    pytree_def_free(parts.def);
}

static bool is_below_the_root(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 1;
}

/* A predicate that makes leaves of subtrees changes nothing about what is copied. */
static void values_below_leaves_are_copied(void **state)
{
    const pytree_options whole = { .is_leaf = is_below_the_root };
    float from[4] = { 1, 2, 3, 4 }, to[4] = { 0 };
    const pytree src = PYTREE_LIST(PYTREE_LIST(PYTREE_ARRAY(from, 2)), PYTREE_DICT({ "x", PYTREE_SCALAR(&from[2]) }));
    const pytree dst = PYTREE_LIST(PYTREE_LIST(PYTREE_ARRAY(to, 2)), PYTREE_DICT({ "x", PYTREE_SCALAR(&to[2]) }));
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_copy_into(dst, src, &whole, &error), &error);
    assert_true(to[0] == 1 && to[1] == 2 && to[2] == 3 && to[3] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_below_leaves_are_copied),
        cmocka_unit_test(a_clone_is_independent),
        cmocka_unit_test(opaque_leaves_are_kept),
        cmocka_unit_test(stb_containers_are_real),
        cmocka_unit_test(stb_containers_in_stb_containers),
        cmocka_unit_test(allocate_leaves_stb_containers_alone),
        cmocka_unit_test(allocate_changes_nothing_but_pointers),
        cmocka_unit_test(fields_that_hold_trees),
        cmocka_unit_test(freeing_what_the_library_did_not_make),
        cmocka_unit_test(freeing_a_struct_that_has_changed),
        cmocka_unit_test(the_range_of_all_arrays),
        cmocka_unit_test(the_range_of_a_struct_that_has_changed),
        cmocka_unit_test(strings_that_are_wanted),
        cmocka_unit_test(empty_arrays_of_optional_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
