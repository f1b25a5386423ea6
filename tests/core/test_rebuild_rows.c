/* Rebuild where rows read through other fields: pointers to structs, arrays, lists, structs in place. Results that keep nothing
 * of the tree that they were made from. Subtrees as leaves. */
#include "support.h"

/* ---- Structs whose extents depend on their children -------------------------------------------------------------------- */

typedef struct Shape { int n; float *y; } Shape;

#define PYTREE_STRUCT Shape
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, y, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Holder { Shape *shape; } Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, shape)
#include "pytree_registry.h"

/* A child of each kind comes before the rows that read through it, and one behind them. */
typedef struct Reader {
    Shape *shape, inside, *list;
    Holder *holder;
    Shape *elements;
    float *through_pointer, *through_struct, *through_list, *through_two, *through_later;
    Shape *later;
} Reader;

#define PYTREE_STRUCT Reader
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, shape)                                                                                           \
    PYTREE_FIELD(DATA, inside)                                                                                          \
    PYTREE_FIELD(DATA, list, LIST(2))                                                                                   \
    PYTREE_FIELD(DATA, holder)                                                                                          \
    PYTREE_FIELD(DATA, elements, LIST(self->shape->n))                                                                  \
    PYTREE_FIELD(DATA, through_pointer, ARRAY(self->shape->n))                                                          \
    PYTREE_FIELD(DATA, through_struct, ARRAY(self->inside.n))                                                           \
    PYTREE_FIELD(DATA, through_list, ARRAY(self->list == NULL ? 0 : self->list[1].n))                                   \
    PYTREE_FIELD(DATA, through_two, ARRAY(self->holder->shape == NULL ? 0 : self->holder->shape->n))                    \
    PYTREE_FIELD(DATA, through_later, ARRAY(self->later->n))                                                            \
    PYTREE_FIELD(DATA, later)
#include "pytree_registry.h"

/* An extent behind two pointers, and a list that may be empty, of which the row asks. */
typedef struct Beyond { Holder *holder; float *through; int n; Shape *list; float *asked; } Beyond;

#define PYTREE_STRUCT Beyond
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, holder)                                                                                          \
    PYTREE_FIELD(DATA, through, ARRAY(self->holder->shape->n))                                                          \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, list, LIST(self->n))                                                                             \
    PYTREE_FIELD(DATA, asked, ARRAY(self->list == NULL ? 2 : self->list[0].n))
#include "pytree_registry.h"

/* Extents that are numbers of the tree; the struct itself has nothing but leaves. */
typedef struct Ragged { int *lengths; float *first, *second; } Ragged;

#define PYTREE_STRUCT Ragged
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, lengths, ARRAY(2))                                                                               \
    PYTREE_FIELD(DATA, first, ARRAY(self->lengths[0]))                                                                  \
    PYTREE_FIELD(DATA, second, ARRAY(self->lengths[1]))
#include "pytree_registry.h"

typedef struct Pair { Shape both[2]; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, both)
#include "pytree_registry.h"

typedef struct Entry { char *key; Shape value; } Entry;
typedef struct Index { Shape *shape; Entry *map; float *x; } Index;

#define PYTREE_STRUCT Index
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, shape)                                                                                           \
    PYTREE_FIELD(DATA, map, STB_MAP)                                                                                    \
    PYTREE_FIELD(DATA, x, ARRAY(self->shape->n))
#include "pytree_registry.h"

/* Structs in a row that have the same static values; an extent is a number of the tree. */
typedef struct Counted { int width, count; float *x, *y; int pair[2]; } Counted;

#define PYTREE_STRUCT Counted
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, width)                                                                                         \
    PYTREE_FIELD(DATA, count)                                                                                           \
    PYTREE_FIELD(DATA, x, ARRAY(self->width, 2))                                                                        \
    PYTREE_FIELD(DATA, y, ARRAY(self->count), OPTIONAL)                                                                 \
    PYTREE_FIELD(DATA, pair)
#include "pytree_registry.h"

typedef struct Counts { Counted *items; } Counts;

#define PYTREE_STRUCT Counts
#define PYTREE_FIELDS PYTREE_FIELD(DATA, items, LIST(4))
#include "pytree_registry.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

typedef struct Reading {
    float numbers[8];
    Shape shapes[9];
    Holder holder;
    Reader reader;
} Reading;

static void reading_make(Reading *r)
{
    static const int n[9] = { 2, 4, 3, 1, 5, 0, 2, 6, 1 };
    size_t i;
    for (i = 0; i < COUNT_OF(r->numbers); i++) { r->numbers[i] = (float)i + 0.5f; }
    for (i = 0; i < COUNT_OF(r->shapes); i++) {
        r->shapes[i].n = n[i];
        r->shapes[i].y = r->numbers;
    }
    r->holder.shape = &r->shapes[4];
    r->reader.shape = &r->shapes[0];
    r->reader.inside = r->shapes[1];
    r->reader.list = &r->shapes[2];
    r->reader.holder = &r->holder;
    r->reader.elements = &r->shapes[5];
    r->reader.later = &r->shapes[7];
    r->reader.through_pointer = r->reader.through_struct = r->reader.through_list = r->numbers;
    r->reader.through_two = r->reader.through_later = r->numbers;
}

static void assert_same(pytree a, pytree b)
{
    pytree_error error = { 0 };
    if (!pytree_equal(a, b, NULL, NULL, &error)) {
        print_error("# not equal at '%s': %s\n", error.path, error.message);
        fail();
    }
}

/* Each way to make a tree like t. `zeros`: with every number zero its extents stay what they are. */
static void rebuild_all_ways(pytree t, bool zeros)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *other;
    pytree made;
    assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    made = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(made, t);
    other = pytree_structure(made, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, other));
    pytree_def_free(other);
    assert_ok(pytree_unflatten_into(def, pytree_def_num_leaves(def), leaves, t, NULL, &error), &error);
    pytree_free(made);
    made = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(made, t);
    pytree_free(made);
    made = pytree_zeros_like(t, NULL, &error);
    if (zeros) {
        assert_ok(error.status, &error);
        other = pytree_structure(made, NULL, &error);
        assert_true(pytree_def_equal(def, other));
        pytree_def_free(other);
    } else {
        assert_int_equal(error.status, PYTREE_SHAPE);
    }
    pytree_free(made);
    pytree_def_free(def);
}

/* ---- Rows that read through children ------------------------------------------------------------------------------------- */

static void rows_may_read_through_pointers(void **state)
{
    Reading reading;
    (void)state;
    reading_make(&reading);
    rebuild_all_ways(PYTREE(&reading.reader), true);
}

static pytree_status touch(void *context, const pytree_iter *at)
{
    *(const void **)context = at->leaf[0]->data;
    return PYTREE_OK;
}
static int enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)path;
    *(const void **)context = value->data;
    return PYTREE_WALK_ON;
}
static void count_problem(void *context, const pytree_error *problem)
{
    (void)problem;
    ++*(size_t *)context;
}

/* Every operation refuses the tree, which lacks what is required there, and names the place. */
static void assert_all_refuse(pytree t, pytree sound, const pytree_def *def, const pytree_leaf *given, const char *path)
{
    const pytree both[2] = { sound, t };
    const void *seen = NULL;
    const pytree_visitor visitor = { enter, NULL, &seen };
    size_t n, way, problems = 0;
    for (way = 0; way < 14; way++) {
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL, few[64];
        char text[400];
        pytree_def *made = NULL;
        double sum;
        switch (way) {
        case 0: pytree_flatten(t, &leaves, 0, &made, NULL, &error); break;
        case 1: pytree_leaves(t, few, COUNT_OF(few), &n, NULL, &error); break;
        case 2: pytree_num_leaves(t, NULL, &error); break;
        case 3: pytree_structure(t, NULL, &error); break;
        case 4: pytree_unflatten_into(def, pytree_def_num_leaves(def), given, t, NULL, &error); break;
        case 5: pytree_map(touch, (void *)&seen, NULL, 1, &t, NULL, &error); break;
        case 6: pytree_map(touch, (void *)&seen, NULL, 2, both, NULL, &error); break;
        case 7: pytree_walk(t, &visitor, NULL, &error); break;
        case 8: pytree_paths(t, NULL, &n, NULL, &error); break;
        case 9: pytree_text(t, text, sizeof text, NULL, &error); break;
        case 10: pytree_sum(t, &sum, NULL, &error); break;
        case 11: pytree_clone(t, NULL, &error); break;
        case 12: pytree_copy_into(sound, t, NULL, &error); break;
        default: pytree_children(t, few, NULL, COUNT_OF(few), &n, NULL, &error); break;
        }
        assert_null(made);
        assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    }
    assert_int_equal(pytree_check(t, count_problem, &problems, NULL, NULL), PYTREE_NULL_POINTER);
    assert_true(problems >= 1);
}

static void null_where_rows_read_through(void **state)
{
    static const char *const paths[] = { ".shape", ".list", ".holder", ".later" };
    Reading reading, sound;
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t i;
    (void)state;
    reading_make(&sound);
    assert_ok(pytree_flatten(PYTREE(&sound.reader), &leaves, 0, &def, NULL, &error), &error);
    for (i = 0; i < COUNT_OF(paths); i++) {
        reading_make(&reading);
        switch (i) {
        case 0: reading.reader.shape = NULL; break;
        case 1: reading.reader.list = NULL; break;
        case 2: reading.reader.holder = NULL; break;
        default: reading.reader.later = NULL; break;
        }
        assert_all_refuse(PYTREE(&reading.reader), PYTREE(&sound.reader), def, leaves, paths[i]);
    }
    pytree_def_free(def);
}

static void null_behind_a_pointer(void **state)
{
    float x[3] = { 1, 2, 3 };
    Shape shape = { 3, x };
    Holder holder = { &shape }, empty = { NULL };
    Beyond sound = { &holder, x, 0, NULL, x }, broken = sound;
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&sound), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(pytree_def_num_leaves(def), 3);
    assert_int_equal(leaves[2].shape[0], 2);                   /* asked: what the row says of an empty list */
    broken.holder = &empty;
    assert_all_refuse(PYTREE(&broken), PYTREE(&sound), def, leaves, ".holder.shape");
    broken.holder = NULL;
    assert_all_refuse(PYTREE(&broken), PYTREE(&sound), def, leaves, ".holder");
    broken = sound;
    broken.n = 1;
    assert_all_refuse(PYTREE(&broken), PYTREE(&sound), def, leaves, ".list");
    pytree_def_free(def);
}

static void rows_may_read_numbers(void **state)
{
    int lengths[2] = { 3, 1 };
    float x[3] = { 1, 2, 3 };
    Ragged ragged = { lengths, x, x };
    (void)state;
    rebuild_all_ways(PYTREE(&ragged), false);
    lengths[0] = lengths[1] = 0;
    rebuild_all_ways(PYTREE(&ragged), true);
}

/* Structs that are like the one behind them are checked like others: each leaf of each in turn does not fit, or is None. */
static void structs_like_the_next_are_checked(void **state)
{
    static const char *const names[4] = { "count", "x", "y", "pair" };
    float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    Counted items[4];
    Counts counts = { items };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, *own;
    pytree_def *def = NULL;
    pytree copy;
    size_t i;
    int three = 3;
    (void)state;
    for (i = 0; i < 4; i++) { items[i] = (Counted){ 3, 2, x, x, { 4, 5 } }; }
    assert_ok(pytree_flatten(PYTREE(&counts), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(pytree_def_num_leaves(def), 16);
    own = (pytree_leaf *)malloc(16 * sizeof *own);
    for (i = 0; i < 64; i++) {
        const size_t k = i % 16, how = i / 16;
        char path[32];
        memcpy(own, leaves, 16 * sizeof *own);
        if (own[k].ndim != 0 && how < 2) {
            own[k].shape[own[k].ndim - 1] += how == 0 ? 1 : (size_t)-1;
        } else if (how < 3) {
            own[k].type = PYTREE_TYPE(double);
        } else {
            own[k].data = NULL;
        }
        snprintf(path, sizeof path, ".items[%zu].%s", k / 4, names[k % 4]);
        copy = pytree_unflatten(def, 16, own, NULL, &error);
        assert_null(copy.data);
        assert_string_equal(error.path, path);
        error = (pytree_error){ 0 };
    }
    for (i = 0; i < 4; i++) {             /* a number that is an extent, and the array with it */
        memcpy(own, leaves, 16 * sizeof *own);
        own[4 * i].data = &three;
        copy = pytree_unflatten(def, 16, own, NULL, &error);
        assert_null(copy.data);
        assert_int_equal(error.status, PYTREE_SHAPE);
        error = (pytree_error){ 0 };
        own[4 * i + 2].shape[0] = 3;
        copy = pytree_unflatten(def, 16, own, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(((Counts *)copy.data)->items[i].count, 3);
        assert_ptr_equal(((Counts *)copy.data)->items[i].y, x);
        assert_int_equal(((Counts *)copy.data)->items[(i + 1) % 4].count, 2);
        pytree_free(copy);
    }
    free(own);
    pytree_def_free(def);
}

static void rows_beside_a_map_may_read_through_pointers(void **state)
{
    float x[3] = { 1, 2, 3 };
    Shape shape = { 3, x };
    Index index = { &shape, NULL, x };
    Shape value = { 2, x };
    (void)state;
    sh_new_strdup(index.map);
    shput(index.map, "b", value);
    value.n = 1;
    shput(index.map, "a", value);
    rebuild_all_ways(PYTREE(&index), true);
    shfree(index.map);
}

/* Every leaf in turn is of another type, without data, of another shape, None: each is refused at its own path, and nothing is
 * read that is not there. */
static void leaves_that_rows_read_through_are_checked(void **state)
{
    Reading reading;
    int lengths[2] = { 3, 1 };
    float x[3] = { 1, 2, 3 }, one = 1.0f;
    Ragged ragged = { lengths, x, x };
    pytree trees[2];
    size_t t, k, how;
    (void)state;
    reading_make(&reading);
    trees[0] = PYTREE(&reading.reader);
    trees[1] = PYTREE(&ragged);
    for (t = 0; t < 2; t++) {
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        const char **paths;
        pytree_def *def;
        size_t n;
        assert_ok(pytree_flatten(trees[t], &leaves, 0, &def, NULL, &error), &error);
        paths = pytree_paths(trees[t], NULL, &n, NULL, &error);
        assert_ok(error.status, &error);
        for (k = 0; k < n; k++) {
            const pytree_leaf kept = leaves[k];
            if (pytree_leaf_count(&kept) == 0) { continue; }
            for (how = 0; how < 4; how++) {
                pytree made;
                memset(&error, 0, sizeof error);
                if (how == 0) { leaves[k].data = &one; leaves[k].type = PYTREE_TYPE(float); leaves[k].ndim = 0; }
                if (how == 1) { leaves[k].data = NULL; }
                if (how == 2) { leaves[k].shape[0] = 99; }
                if (how == 3) { leaves[k].form = PYTREE_FORM_NONE; }
                made = pytree_unflatten(def, n, leaves, NULL, &error);
                assert_null(made.data);
                assert_int_equal(error.status, how == 0 ? (kept.type == PYTREE_TYPE(float) ? PYTREE_SHAPE : PYTREE_TYPE)
                                               : how == 1 ? PYTREE_NULL_POINTER
                                               : how == 2 ? PYTREE_SHAPE : PYTREE_TYPE);
                leaves[k] = kept;
                assert_string_equal(error.path, paths[k]);
            }
        }
        pytree_paths_free(paths);
        pytree_def_free(def);
    }
}

/* What a row reads through is NULL as yet: zeros in its place. */
static void allocate_where_rows_read_through_pointers(void **state)
{
    Reader reader;
    Ragged ragged = { NULL, NULL, NULL };
    Shape shape = { 3, NULL }, later = { 2, NULL };
    Holder holder = { &shape };
    pytree_error error = { 0 };
    (void)state;
    memset(&reader, 0, sizeof reader);
    assert_ok(pytree_allocate(PYTREE(&reader), NULL, &error), &error);
    assert_int_equal(reader.shape->n, 0);
    assert_non_null(reader.holder->shape);
    pytree_free(PYTREE(&reader));
    assert_null(reader.shape);
    reader.shape = &shape;
    reader.inside.n = 4;
    reader.later = &later;
    reader.holder = &holder;
    assert_ok(pytree_allocate(PYTREE(&reader), NULL, &error), &error);
    assert_true(reader.shape != &shape);
    assert_int_equal(reader.shape->n, 3);
    memset(reader.through_pointer, 1, 3 * sizeof(float));
    memset(reader.through_struct, 1, 4 * sizeof(float));
    memset(reader.through_two, 1, 3 * sizeof(float));
    memset(reader.through_later, 1, 2 * sizeof(float));
    assert_int_equal(reader.elements[2].n, 0);
    assert_int_equal(reader.holder->shape->n, 3);
    assert_ok(pytree_check(PYTREE(&reader), NULL, NULL, NULL, &error), &error);
    pytree_free(PYTREE(&reader));
    assert_ok(pytree_allocate(PYTREE(&ragged), NULL, &error), &error);
    assert_int_equal(ragged.lengths[0], 0);
    pytree_free(PYTREE(&ragged));
}

/* ---- Types that results refer to ----------------------------------------------------------------------------------------- */

/* An owned scalar's type lies in its block. No result may keep a pointer to it. */
static void copies_of_copies_are_independent(void **state)
{
    int64_t x = 7;
    float y[3] = { 1, 2, 3 };
    char *word = "word";
    float w[2] = { 4, 5 };
    Shape shape = { 2, w };
    pytree roots[7];
    size_t i;
    (void)state;
    roots[0] = PYTREE(&x);
    roots[1] = PYTREE_ARRAY(y, 3);
    roots[2] = PYTREE(&word);
    roots[3] = PYTREE_LIST(PYTREE(&x), PYTREE_ARRAY(y, 3));
    roots[4] = PYTREE_DICT({ "a", PYTREE(&x) });
    roots[5] = PYTREE_NONE;
    roots[6] = PYTREE(&shape);
    for (i = 0; i < COUNT_OF(roots); i++) {
        pytree_error error = { 0 };
        pytree owned = pytree_clone(roots[i], NULL, &error);
        pytree list = PYTREE_LIST(owned, PYTREE_DICT({ "k", owned })), copy, zeros, rebuilt, want;
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        char text[200];
        copy = pytree_clone(list, NULL, &error);
        zeros = pytree_zeros_like(list, NULL, &error);
        assert_ok(pytree_flatten(list, &leaves, 0, &def, NULL, &error), &error);
        rebuilt = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
        assert_ok(error.status, &error);
        want = pytree_clone(rebuilt, NULL, &error);
        pytree_free(rebuilt);
        pytree_def_free(def);
        def = pytree_structure(list, NULL, &error);
        pytree_free(owned);               /* none of the others must care */
        assert_ok(error.status, &error);
        assert_true(pytree_def_text(def, text, sizeof text) < sizeof text);
        pytree_def_free(def);
        assert_same(copy, want);
        def = pytree_structure(zeros, NULL, &error);
        assert_ok(error.status, &error);
        pytree_def_free(def);
        assert_same(copy, PYTREE_LIST(roots[i], PYTREE_DICT({ "k", roots[i] })));
        pytree_free(copy);
        pytree_free(zeros);
        pytree_free(want);
    }
}

/* ---- Subtrees as leaves ------------------------------------------------------------------------------------------------ */

static bool is_shape(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    (void)path;
    return view->form == PYTREE_FORM_STRUCT && pytree_type_equal(view->type, PYTREE_TYPE(Shape));
}

static bool is_tuple(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    (void)path;
    return view->form == PYTREE_FORM_TUPLE;
}

static bool is_list(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    (void)path;
    return view->form == PYTREE_FORM_LIST || (view->form == PYTREE_FORM_ITEMS && view->type->kind == PYTREE_KIND_LIST);
}

static bool is_anything(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    (void)path;
    (void)view;
    return true;
}

/* What flatten gives with a predicate is rebuilt with those subtrees: they are referred to. */
static void subtrees_are_leaves_too(void **state)
{
    bool (*const predicates[])(void *, const pytree_leaf *, const pytree_path *) = { is_shape, is_list, is_tuple, is_anything };
    Reading reading;
    Pair pair;
    pytree trees[5];
    size_t t, i;
    (void)state;
    reading_make(&reading);
    memcpy(pair.both, reading.shapes, sizeof pair.both);
    trees[0] = PYTREE(&reading.reader);
    trees[1] = PYTREE_LIST(PYTREE(&reading.reader), PYTREE_TUPLE(PYTREE(&reading.shapes[0]), PYTREE_LIST(PYTREE_INT(1))));
    trees[2] = PYTREE_DICT({ "a", PYTREE_LIST(PYTREE_INT(1)) }, { "b", PYTREE(&reading.holder) });
    trees[3] = PYTREE(&pair);
    trees[4] = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(1));
    for (t = 0; t < COUNT_OF(trees); t++) {
        for (i = 0; i < COUNT_OF(predicates); i++) {
            pytree_options opt = { .is_leaf = predicates[i] };
            pytree_error error = { 0 };
            pytree_leaf *leaves = NULL;
            pytree_def *def;
            pytree made, copy;
            assert_ok(pytree_flatten(trees[t], &leaves, 0, &def, &opt, &error), &error);
            made = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
            assert_ok(error.status, &error);
            pytree_def_free(def);
            assert_same(made, trees[t]);
            copy = pytree_clone(made, NULL, &error);
            assert_ok(error.status, &error);
            pytree_free(made);
            assert_same(copy, trees[t]);
            pytree_free(copy);
        }
    }
}

/* A subtree that a place cannot hold is refused. */
static void other_subtrees_are_refused(void **state)
{
    Reading reading;
    Pair pair;
    pytree_options opt = { .is_leaf = is_shape };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, other, holder;
    pytree_def *def;
    size_t n, k;
    (void)state;
    reading_make(&reading);
    memcpy(pair.both, reading.shapes, sizeof pair.both);
    memset(&holder, 0, sizeof holder);
    holder.type = PYTREE_TYPE(Holder);
    holder.data = &reading.holder;
    holder.form = PYTREE_FORM_STRUCT;
    assert_ok(pytree_flatten(PYTREE(&reading.reader), &leaves, 0, &def, &opt, &error), &error);
    n = pytree_def_num_leaves(def);
    for (k = 0; k < n; k++) {
        other = leaves[k];
        leaves[k] = holder;
        memset(&error, 0, sizeof error);
        assert_null(pytree_unflatten(def, n, leaves, NULL, &error).data);
        assert_true(error.status == PYTREE_STRUCTURE || error.status == PYTREE_TYPE || error.status == PYTREE_SHAPE);
        leaves[k] = other;
    }
    pytree_def_free(def);
}

/* ---- Lists of trees ---------------------------------------------------------------------------------------------------- */

typedef struct Trees { int n; pytree *list; } Trees;

#define PYTREE_STRUCT Trees
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

static void lists_of_trees_have_structs(void **state)
{
    enum { N = 1000 };
    static Holder holders[N];
    static pytree list[N];
    float y[1] = { 2 };
    Shape shape = { 1, y };
    Trees trees = { N, list };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        holders[i].shape = &shape;
        list[i] = PYTREE(&holders[i]);
    }
    copy = pytree_clone(PYTREE(&trees), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&trees), copy, NULL, NULL, &error));
    pytree_free(copy);
}

/* ---- Leaves of other descriptors ----------------------------------------------------------------------------------------- */

typedef struct Boxed { long whole; float three[3]; double *x; } Boxed;

#define PYTREE_STRUCT Boxed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, whole) PYTREE_FIELD(DATA, three) PYTREE_FIELD(DATA, x, ARRAY(1), OPTIONAL)
#include "pytree_registry.h"

/* A leaf fits whose type is equal and not the very same; one of another shape does not, whichever way it comes. */
static void leaves_of_equal_types(void **state)
{
    const bool alike = pytree_type_equal(PYTREE_TYPE(long), PYTREE_TYPE(long long));
    double x = 0.5;
    Boxed boxed = { 1, { 1.0f, 2.0f, 3.0f }, &x }, other = { 2, { 4.0f, 5.0f, 6.0f }, &x };
    long long number = 7;
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_flat flat;
    pytree_def *def;
    pytree made;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&boxed), &leaves, 0, &def, NULL, &error), &error);
    leaves[0].data = &number;
    leaves[0].type = PYTREE_TYPE(long long);
    made = pytree_unflatten(def, 3, leaves, NULL, &error);
    assert_int_equal(error.status, alike ? PYTREE_OK : PYTREE_TYPE);
    if (alike) {
        assert_int_equal(((Boxed *)made.data)->whole, 7);
        assert_ok(pytree_unflatten_into(def, 3, leaves, PYTREE(&other), NULL, &error), &error);
        assert_int_equal(other.whole, 7);
    }
    pytree_free(made);
    memset(&error, 0, sizeof error);
    leaves[0].data = &boxed.whole;
    leaves[0].type = PYTREE_TYPE(float);
    made = pytree_unflatten(def, 3, leaves, NULL, &error);
    assert_null(made.type);
    assert_error(error.status, PYTREE_TYPE, ".whole", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, 3, leaves, PYTREE(&other), NULL, &error), PYTREE_TYPE, ".whole", &error);
    leaves[0].type = PYTREE_TYPE(long);
    leaves[1].shape[0] = 2;               /* an array that lies in the struct */
    memset(&error, 0, sizeof error);
    made = pytree_unflatten(def, 3, leaves, NULL, &error);
    assert_null(made.type);
    assert_error(error.status, PYTREE_SHAPE, ".three", &error);
    flat.def = def;
    flat.leaves = leaves;
    memset(&error, 0, sizeof error);
    made = pytree_clone(PYTREE(&flat), NULL, &error);
    assert_null(made.type);
    assert_error(error.status, PYTREE_SHAPE, ".three", &error);
    leaves[1].shape[0] = 3;
    memset(&error, 0, sizeof error);
    made = pytree_clone(PYTREE(&flat), NULL, &error);
    assert_ok(error.status, &error);
    assert_same(made, PYTREE(&boxed));
    pytree_free(made);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_may_read_through_pointers),
        cmocka_unit_test(null_where_rows_read_through),
        cmocka_unit_test(null_behind_a_pointer),
        cmocka_unit_test(rows_may_read_numbers),
        cmocka_unit_test(structs_like_the_next_are_checked),
        cmocka_unit_test(rows_beside_a_map_may_read_through_pointers),
        cmocka_unit_test(leaves_that_rows_read_through_are_checked),
        cmocka_unit_test(allocate_where_rows_read_through_pointers),
        cmocka_unit_test(copies_of_copies_are_independent),
        cmocka_unit_test(subtrees_are_leaves_too),
        cmocka_unit_test(other_subtrees_are_refused),
        cmocka_unit_test(lists_of_trees_have_structs),
        cmocka_unit_test(leaves_of_equal_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
