/* Iterators and maps over other forms of trees: treedef and leaves, structs of many sizes; memory that runs out. */
#include "iterate_shared.h"

/* ---- Treedef and leaves as a tree -------------------------------------------------------------------------------------- */

static void flat_trees_beside_structs(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    pytree_leaf *views = NULL, flags[7];
    static int numbers[7];
    pytree_def *def, *again;
    pytree_flat flat, other;
    pytree trees[3];
    double sum = sum_of(PYTREE(&a));
    size_t calls = 0, i, n = 0;
    char one[600], two[600];
    pytree_error error = { 0 };
    pytree_iter it;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&b), &views, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = views;
    /* mapped, both ways round */
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&flat);
    assert_ok(pytree_map(add_all, &calls, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(calls, 7);
    assert_sum(PYTREE(&a), 2.0 * sum);
    trees[0] = PYTREE(&flat);
    trees[1] = trees[2] = PYTREE(&a);
    calls = 0;
    assert_ok(pytree_map(add_all, &calls, NULL, 3, trees, NULL, &error), &error);
    assert_sum(PYTREE(&b), 5.0 * sum);
    calls = 0;
    assert_ok(pytree_map(add_all, &calls, &trees[0], 1, &trees[1], NULL, &error), &error);     /* and as the output */
    assert_sum(PYTREE(&b), 2.0 * sum);
    /* printed, compared, counted */
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&flat), NULL, NULL, &error));
    assert_true(pytree_equal(PYTREE(&flat), PYTREE(&b), NULL, NULL, &error));
    assert_ok(error.status, &error);
    assert_true(pytree_text(PYTREE(&flat), one, sizeof one, NULL, &error) == pytree_text(PYTREE(&b), two, sizeof two, NULL,
                                                                                         &error));
    assert_string_equal(one, two);
    assert_int_equal(pytree_num_leaves(PYTREE(&flat), NULL, &error), 7);
    again = def_of(PYTREE(&flat));
    assert_true(pytree_def_equal(def, again));
    assert_true(pytree_def_hash(def) == pytree_def_hash(again));
    pytree_def_free(again);
    /* leaves of another type than the struct could hold */
    memset(flags, 0, sizeof flags);
    for (i = 0; i < 7; i++) {
        numbers[i] = (int)i * 10;
        flags[i].data = &numbers[i];
        flags[i].type = PYTREE_TYPE(int);
    }
    other.def = def;
    other.leaves = flags;
    trees[0] = PYTREE(&b);
    trees[1] = PYTREE(&other);
    trees[2] = PYTREE(&flat);
    assert_ok(pytree_iter_begin(&it, 3, trees, NULL, &error), &error);
    for (; pytree_iter_next(&it); n++) {
        assert_ptr_equal(it.leaf[1]->data, &numbers[n]);
        assert_ptr_equal(it.leaf[0]->data, it.leaf[2]->data);
    }
    assert_int_equal(n, 7);
    assert_int_equal(it.status, PYTREE_OK);
    pytree_iter_end(&it);
    pytree_text(PYTREE(&other), one, sizeof one, NULL, &error);
    assert_string_equal(one, ".layers[0].w  i32 0\n.layers[0].b  i32 10\n.layers[1].w  i32 20\n.layers[1].b  i32 30\n"
                        ".head.w  i32 40\n.head.b  i32 50\n.scale  i32 60\n");
    /* static values of a struct against those of a treedef */
    a.layers[1].din = 1;
    assert_unlike(PYTREE(&a), PYTREE(&flat), ".layers[1]", "Linear with din=1 ", "3 in");
    assert_unlike(PYTREE(&flat), PYTREE(&a), ".layers[1]", "Linear with din=3 ", "1 in");
    again = def_of(PYTREE(&a));
    other.def = again;
    assert_unlike(PYTREE(&other), PYTREE(&flat), ".layers[1]", "Linear with din=1 ", "3 in");
    pytree_def_free(again);
    a.layers[1].din = 3;
    pytree_def_free(def);
    mlp_clear(&a);
    mlp_clear(&b);
}

static void flat_trees_of_every_kind(void **state)
{
    Shelf shelf = shelf_make();
    Everything all = everything_make(true);
    int x = 1;
    pytree a = PYTREE(&x), trees[7];
    size_t i, k;
    (void)state;
    trees[0] = a;
    trees[1] = PYTREE_NONE;
    trees[2] = PYTREE(&shelf);
    trees[3] = PYTREE(&all);
    trees[4] = PYTREE_NAMEDTUPLE("P", { "x", a }, { "y", PYTREE_LIST(a, PYTREE_NONE, a) });
    trees[5] = PYTREE_ODICT({ "z", a }, { "a", PYTREE_DICT({ "k", a }, { "", PYTREE_TUPLE() }) });
    trees[6] = PYTREE_LIST(PYTREE(&shelf), PYTREE(&all), PYTREE_NAMEDTUPLE("Q"));
    for (i = 0; i < 7; i++) {
        pytree_leaf *views = NULL;
        pytree_def *def;
        pytree_flat flat;
        pytree pair[2];
        Count count = { 0, 0 };
        pytree_error error = { 0 };
        assert_ok(pytree_flatten(trees[i], &views, 0, &def, NULL, &error), &error);
        flat.def = def;
        flat.leaves = views;
        for (k = 0; k < 2; k++) {
            pair[k] = trees[i];
            pair[1 - k] = PYTREE(&flat);
            assert_ok(pytree_map(count_leaves, &count, NULL, 2, pair, NULL, &error), &error);
            pytree_equal(pair[0], pair[1], NULL, NULL, &error);
            assert_ok(error.status, &error);
        }
        assert_int_equal(count.calls, 2 * pytree_def_num_leaves(def));
        for (k = 0; k < 7; k++) {
            pair[0] = PYTREE(&flat);
            pair[1] = trees[k];
            count.calls = 0;
            if (k != i && i != 0) {
                assert_int_equal(pytree_map(count_leaves, &count, NULL, 2, pair, NULL, NULL), PYTREE_STRUCTURE);
                assert_int_equal(count.calls, 0);
            }
        }
        pytree_def_free(def);
    }
    shelf_clear(&shelf);
    everything_clear(&all);
}

/* ---- Structs of many sizes --------------------------------------------------------------------------------------------- */

#define BYTES(n) typedef struct Bytes##n { float before; unsigned char bytes[n]; unsigned char after; } Bytes##n;

BYTES(1) BYTES(3) BYTES(4) BYTES(5) BYTES(7) BYTES(8) BYTES(9) BYTES(12) BYTES(15) BYTES(16) BYTES(17) BYTES(31)
#define BYTES_FIELDS PYTREE_FIELD(DATA, before) PYTREE_FIELD(STATIC, bytes) PYTREE_FIELD(DATA, after)
#define PYTREE_STRUCT Bytes1
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes3
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes4
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes5
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes7
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes8
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes9
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes12
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes15
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes16
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes17
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"
#define PYTREE_STRUCT Bytes31
#define PYTREE_FIELDS BYTES_FIELDS
#include "pytree_registry.h"

/* The trees' bytes, n of them each, are equal: they stay so whatever lies beside them, and no byte of them may differ. */
static void assert_each_byte_counts(pytree a, pytree b, unsigned char *bytes, size_t n)
{
    pytree trees[2];
    Count count = { 0, 0 };
    size_t i;
    pytree_error error = { 0 };
    pytree_def *def = def_of(a), *other;
    trees[0] = a;
    trees[1] = b;
    assert_ok(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(count.calls, 2);
    for (i = 0; i < n; i++) {
        bytes[i] ^= 0x10;
        other = def_of(b);
        assert_false(pytree_def_equal(def, other));
        assert_int_equal(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, NULL), PYTREE_STRUCTURE);
        pytree_def_free(other);
        bytes[i] ^= 0x10;
    }
    other = def_of(b);
    assert_true(pytree_def_equal(def, other));
    pytree_def_free(other);
    pytree_def_free(def);
    assert_int_equal(count.calls, 2);
}

#define ASSERT_BYTES(T)                                                                                                 \
    do {                                                                                                                \
        T a, b;                                                                                                         \
        memset(&a, 0x00, sizeof a);                                                                                     \
        memset(&b, 0xFF, sizeof b);                                                                                     \
        memset(a.bytes, 0x33, sizeof a.bytes);                                                                          \
        memset(b.bytes, 0x33, sizeof b.bytes);                                                                          \
        assert_each_byte_counts(PYTREE(&a), PYTREE(&b), b.bytes, sizeof b.bytes);                                       \
    } while (0)

static void each_static_byte_counts(void **state)
{
    (void)state;
    ASSERT_BYTES(Bytes1);
    ASSERT_BYTES(Bytes3);
    ASSERT_BYTES(Bytes4);
    ASSERT_BYTES(Bytes5);
    ASSERT_BYTES(Bytes7);
    ASSERT_BYTES(Bytes8);
    ASSERT_BYTES(Bytes9);
    ASSERT_BYTES(Bytes12);
    ASSERT_BYTES(Bytes15);
    ASSERT_BYTES(Bytes16);
    ASSERT_BYTES(Bytes17);
    ASSERT_BYTES(Bytes31);
}

typedef struct Maybe {                    /* leaves alone, or None */
    int n;
    float *a, *b;
    char *text;
    float c;
} Maybe;

#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a, OPTIONAL, ARRAY(self->n)) PYTREE_FIELD(DATA, b, ARRAY(self->n), OPTIONAL) \
    PYTREE_FIELD(DATA, text, OPTIONAL) PYTREE_FIELD(DATA, c)
#include "pytree_registry.h"

static pytree_status note_data(void *context, const pytree_iter *at)
{
    const void ***to = context;
    size_t k;
    char path[20];
    pytree_iter_path_text(at, path, sizeof path);
    *(*to)++ = at->leaf[0]->form == PYTREE_FORM_NONE ? NULL : at->leaf[0]->data;
    for (k = 1; k < at->n; k++) {         /* where the first has a leaf the others may have None, not the other way round */
        assert_true(at->leaf[0]->form != PYTREE_FORM_NONE || at->leaf[k]->form == PYTREE_FORM_NONE);
    }
    if (pytree_is_leaf(at->leaf[0]) && at->leaf[0]->type->dtype == PYTREE_STRING) {
        assert_non_null(strstr(path, ".text"));
    }
    return PYTREE_OK;
}

/* All eight ways of what is there and what is None, against all eight. */
static void structs_of_leaves_and_none(void **state)
{
    float numbers[2] = { 1.0f, 2.0f };
    char text[] = "text";
    pytree_options none = { .none_is_leaf = true };
    unsigned i, k, list;
    (void)state;
    for (i = 0; i < 8; i++) {
        for (k = 0; k < 8; k++) {
            Maybe x = { 2, NULL, NULL, NULL, 1.0f }, y = { 2, NULL, NULL, NULL, 2.0f };
            static const char *const paths[] = { ".a", ".b", ".text" };
            pytree_def *dx, *dy;
            x.a = (i & 1) != 0 ? numbers : NULL;
            x.b = (i & 2) != 0 ? numbers : NULL;
            x.text = (i & 4) != 0 ? text : NULL;
            y.a = (k & 1) != 0 ? numbers : NULL;
            y.b = (k & 2) != 0 ? numbers : NULL;
            y.text = (k & 4) != 0 ? text : NULL;
            dx = def_of(PYTREE(&x));
            dy = def_of(PYTREE(&y));
            assert_int_equal(pytree_def_equal(dx, dy), i == k);
            for (list = 0; list < 2; list++) {
                const void *data[16] = { NULL }, **to = data;
                pytree trees[3];
                char path[20];
                pytree_error error = { 0 };
                pytree_status status;
                unsigned more = k & ~i, first = (more & 1) != 0 ? 0 : (more & 2) != 0 ? 1 : 2;
                trees[0] = list ? PYTREE_LIST(PYTREE(&numbers[0]), PYTREE(&x)) : PYTREE(&x);
                trees[1] = trees[0];
                trees[2] = list ? PYTREE_LIST(PYTREE(&numbers[1]), PYTREE(&y)) : PYTREE(&y);
                status = pytree_map(note_data, &to, NULL, 3, trees, NULL, &error);
                if (more != 0) {
                    snprintf(path, sizeof path, "%s%s", list ? "[1]" : "", paths[first]);
                    assert_error(status, PYTREE_STRUCTURE, path, &error);
                    assert_ptr_equal(to, data);
                    continue;
                }
                assert_ok(status, &error);
                assert_int_equal(to - data, 1 + (int)list + ((i & 1) != 0) + ((i & 2) != 0) + ((i & 4) != 0));
                assert_ptr_equal(to[-1], &x.c);
                to = data;
                assert_ok(pytree_map(note_data, &to, i == k ? &trees[2] : NULL, 2, trees, &none, &error), &error);
                assert_int_equal(to - data, 4 + (int)list);
                assert_true((to[-2] != NULL) == ((i & 4) != 0) && (to[-3] != NULL) == ((i & 2) != 0));
                assert_true(pytree_equal(trees[0], trees[1], NULL, NULL, &error));
                y.c = x.c;
                assert_int_equal(pytree_equal(list ? PYTREE(&x) : trees[0], PYTREE(&y), NULL, NULL, NULL), i == k);
            }
            pytree_def_free(dx);
            pytree_def_free(dy);
        }
    }
}

typedef struct Wide {                     /* more leaves than fit where no memory is needed */
    float a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
    float c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
    float d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9;
    float f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
} Wide;

#define WIDE_TEN(x)                                                                                                     \
    PYTREE_FIELD(DATA, x##0) PYTREE_FIELD(DATA, x##1) PYTREE_FIELD(DATA, x##2) PYTREE_FIELD(DATA, x##3)              \
    PYTREE_FIELD(DATA, x##4) PYTREE_FIELD(DATA, x##5) PYTREE_FIELD(DATA, x##6) PYTREE_FIELD(DATA, x##7)                 \
    PYTREE_FIELD(DATA, x##8) PYTREE_FIELD(DATA, x##9)

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS WIDE_TEN(a) WIDE_TEN(b) WIDE_TEN(c) WIDE_TEN(d) WIDE_TEN(e) WIDE_TEN(f)
#include "pytree_registry.h"

/* At every depth around that from which on memory is needed, a struct of a few leaves and one of many lie in lists of lists. */
static void structs_at_every_depth(void **state)
{
    enum { DEEPEST = 60 };
    Wide wide[2];
    Linear linear[2] = { linear_make(2, 2, 1.0f), linear_make(2, 2, 1.0f) };
    pytree nested[2][DEEPEST + 1], elements[2][DEEPEST + 1][3];
    pytree_items lists[2][DEEPEST + 1];
    int x = 1;
    size_t depth, k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        for (i = 0; i < 60; i++) {
            float number = (float)i;
            memcpy((char *)&wide[k] + i * sizeof number, &number, sizeof number);
        }
        elements[k][0][0] = PYTREE(&wide[k]);
        elements[k][0][1] = PYTREE(&linear[k]);
        elements[k][0][2] = PYTREE_NONE;
        nested[k][0].type = &pytree_types[PYTREE__T_tuple];
        for (i = 0; i <= DEEPEST; i++) {
            memset(&lists[k][i], 0, sizeof lists[k][i]);
            lists[k][i].count = 3;
            lists[k][i].items = elements[k][i];
            nested[k][i].data = &lists[k][i];
        }
    }
    for (depth = 0; depth < DEEPEST; depth++) {
        size_t leaves = 60 + 2 + depth, n = 0;
        pytree trees[3];
        pytree_error error = { 0 };
        pytree_iter it;
        const char **paths;
        char prefix[4 * DEEPEST + 8] = "", expected[4 * DEEPEST + 16];
        for (i = 0; i < depth; i++) {
            strcat(prefix, "[0]");
        }
        trees[0] = trees[2] = nested[0][depth];
        trees[1] = nested[1][depth];
        paths = pytree_paths(trees[0], NULL, &n, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(n, leaves);
        assert_ok(pytree_iter_begin(&it, 3, trees, NULL, &error), &error);
        for (i = 0; pytree_iter_next(&it); i++) {
            char path[4 * DEEPEST + 16];
            if (i < 60) {
                snprintf(expected, sizeof expected, "%s[0].%c%c", prefix, (int)('a' + i / 10), (int)('0' + i % 10));
                assert_true(first_of(it.leaf[0]) == (double)i);
            } else if (i < 62) {
                snprintf(expected, sizeof expected, "%s[1].%s", prefix, i == 60 ? "w" : "b");
            } else {
                snprintf(expected, sizeof expected, "%.*s[1]", (int)(3 * (depth - 1 - (i - 62))), prefix);
            }
            pytree_iter_path_text(&it, path, sizeof path);
            assert_string_equal(path, expected);
            assert_string_equal(paths[i], expected);
            assert_true(first_of(it.leaf[0]) == first_of(it.leaf[1]) && it.leaf[0]->data == it.leaf[2]->data);
        }
        assert_int_equal(it.status, PYTREE_OK);
        assert_int_equal(i, leaves);
        pytree_iter_end(&it);
        pytree_paths_free(paths);
        assert_true(pytree_equal(trees[0], trees[1], NULL, NULL, &error));
        for (k = 0; k < 2; k++) {
            elements[k][depth + 1][0] = nested[k][depth];
            elements[k][depth + 1][1] = PYTREE(&x);
            elements[k][depth + 1][2] = PYTREE_NONE;
            nested[k][depth + 1].type = &pytree_types[PYTREE__T_list];
        }
    }
    linear_clear(&linear[0]);
    linear_clear(&linear[1]);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

typedef struct Sweep {
    pytree trees[6];
    size_t n;
    bool out;
} Sweep;

static pytree_status sweep_map(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *sweep = context;
    Count count = { 0, 0 };
    pytree_status status = pytree_map(count_leaves, &count, sweep->out ? &sweep->trees[5] : NULL, sweep->n, sweep->trees, opt,
                                      err);
    if (status == PYTREE_OK) {
        assert_int_equal(count.calls, pytree_num_leaves(sweep->trees[0], NULL, NULL));
    }
    return status;
}

static pytree_status sweep_iterate(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *sweep = context;
    pytree_iter it;
    if (pytree_iter_begin(&it, sweep->n, sweep->trees, opt, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

/* Stops nowhere; a path that is not that of the value would be found out. */
static bool looks_at_the_path(void *context, const pytree_leaf *value, const pytree_path *path)
{
    const Node *chain = context;
    const char *at = value->data;
    size_t n = path->n;
    if (value->form == PYTREE_FORM_STRUCT) {
        assert_ptr_equal(at, &chain[n]);
    } else if (value->form == PYTREE_FORM_LEAF) {
        assert_ptr_equal(at, &chain[n - 1].value);
    }
    if (n != 0) {
        assert_int_equal(path->entries[n - 1].kind, PYTREE_ATTRIBUTE);
        assert_string_equal(path->entries[n - 1].name, value->form == PYTREE_FORM_LEAF ? "value" : "next");
        assert_true(n == 1 || strcmp(path->entries[0].name, "next") == 0);
    }
    return false;
}

static pytree_status sweep_num_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    size_t n = pytree_num_leaves(PYTREE((const Node *)context), opt, err);
    assert_true(n == (err->status == PYTREE_OK ? 150 : SIZE_MAX));
    return err->status;
}

static void predicates_of_deep_trees(void **state)
{
    Node *chain = chain_make(150);
    Sweep sweep;
    pytree_options opt = { .is_leaf = looks_at_the_path };
    (void)state;
    opt.is_leaf_context = chain;
    sweep.out = false;
    sweep.n = 2;
    sweep.trees[0] = sweep.trees[1] = PYTREE(chain);
    assert_in_range(sweep_allocations_with(&opt, sweep_num_leaves, chain), 3, 1000);
    assert_in_range(sweep_allocations_with(&opt, sweep_iterate, &sweep), 3, 1000);
    assert_in_range(sweep_allocations_with(&opt, sweep_map, &sweep), 3, 2000);
    free(chain);
}

static void sweeps(void **state)
{
    MLP model = mlp_make(2, true);
    Node *chain = chain_make(150);
    Sweep sweep;
    size_t k;
    (void)state;
    sweep.out = false;
    for (k = 0; k < 6; k++) {
        sweep.trees[k] = PYTREE(&model);
    }
    for (sweep.n = 1; sweep.n <= 4; sweep.n++) {
        assert_int_equal(sweep_allocations(sweep_map, &sweep), 0);
        assert_int_equal(sweep_allocations(sweep_iterate, &sweep), 0);
    }
    for (; sweep.n <= 6; sweep.n++) {
        assert_int_equal(sweep_allocations(sweep_iterate, &sweep), 1);
        assert_in_range(sweep_allocations(sweep_map, &sweep), 2, 4);
    }
    sweep.out = true;
    sweep.n = 3;
    assert_int_equal(sweep_allocations(sweep_map, &sweep), 0);
    sweep.n = 4;
    assert_in_range(sweep_allocations(sweep_map, &sweep), 1, 4);
    for (k = 0; k < 6; k++) {
        sweep.trees[k] = PYTREE(chain);
    }
    for (sweep.n = 1; sweep.n <= 5; sweep.n += 2) {
        assert_in_range(sweep_allocations(sweep_iterate, &sweep), sweep.n, 12 * sweep.n);
        assert_in_range(sweep_allocations(sweep_map, &sweep), 2 * sweep.n, 24 * sweep.n + 24);
    }
    free(chain);
    mlp_clear(&model);
}

/* ---- Flats side by side ------------------------------------------------------------------------------------------------ */

typedef struct Zip { const char *const *paths; size_t calls, every, stop; } Zip;

/* Asks for the path of every so many leaves. */
static pytree_status zip_leaf(void *context, const pytree_iter *at)
{
    Zip *zip = context;
    char path[64];
    assert_int_equal(at->index, zip->calls);
    assert_ptr_not_equal(at->leaf[0], at->leaf[1]);
    assert_ptr_equal(at->out->data, at->leaf[0]->data);
    if (zip->calls % zip->every == 0) {
        assert_int_equal(pytree_iter_path_text(at, path, sizeof path), strlen(zip->paths[zip->calls]));
        assert_string_equal(path, zip->paths[zip->calls]);
        pytree_iter_path_text(at, path, sizeof path);          /* again */
        assert_string_equal(path, zip->paths[zip->calls]);
    }
    return zip->calls++ == zip->stop ? PYTREE_STOPPED : PYTREE_OK;
}

static void flats_side_by_side(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    pytree_leaf *x = NULL, *y = NULL, text[7];
    pytree_def *one, *two;
    pytree_flat flats[2];
    pytree trees[2];
    pytree_error error = { 0 };
    const char *word = "word", **paths;
    double sum;
    Zip zip = { NULL, 0, 1, SIZE_MAX };
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&a), &x, 0, &one, NULL, &error), &error);
    assert_ok(pytree_flatten(PYTREE(&b), &y, 0, &two, NULL, &error), &error);
    flats[0] = (pytree_flat){ one, x };
    flats[1] = (pytree_flat){ two, y };
    trees[0] = PYTREE(&flats[0]);
    trees[1] = PYTREE(&flats[1]);
    zip.paths = paths = pytree_paths(PYTREE(&a), NULL, NULL, NULL, &error);
    for (zip.every = 1; zip.every < 5; zip.every++) {
        zip.calls = 0;
        assert_ok(pytree_map(zip_leaf, &zip, &trees[0], 2, trees, NULL, &error), &error);
        assert_int_equal(zip.calls, 7);
    }
    zip.calls = 0;
    zip.stop = 4;
    assert_error(pytree_map(zip_leaf, &zip, &trees[0], 2, trees, NULL, &error), PYTREE_STOPPED, paths[4], &error);
    error = (pytree_error){ 0 };
    memcpy(text, x, sizeof text);                              /* an error of the library's own knows the path, too */
    text[5] = (pytree_leaf){ .data = &word, .type = &pytree_types[PYTREE__T_string] };
    flats[0].leaves = text;
    assert_error(pytree_sum(trees[0], &sum, NULL, &error), PYTREE_TYPE, paths[5], &error);
    pytree_paths_free(paths);
    pytree_def_free(one);
    pytree_def_free(two);
    mlp_clear(&a);
    mlp_clear(&b);
}

/* Where None is a leaf, and where nobody asks why a map stopped. */
static void flats_with_none_and_without_an_error(void **state)
{
    int x = 1;
    Count all = { 0, 0 }, some = { 0, 2 };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_flat flat;
    pytree_def *def;
    pytree trees[2];
    (void)state;
    opt.none_is_leaf = true;
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&x), PYTREE_NONE, PYTREE(&x)), &leaves, 0, &def, &opt, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    trees[0] = trees[1] = PYTREE(&flat);
    assert_ok(pytree_map(count_leaves, &all, NULL, 2, trees, &opt, &error), &error);
    assert_int_equal(all.calls, 3);
    pytree_def_free(def);
    leaves = NULL;
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&x), PYTREE(&x), PYTREE(&x)), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_int_equal(pytree_map(count_leaves, &some, NULL, 2, trees, NULL, NULL), PYTREE_STOPPED);
    assert_int_equal(some.calls, 2);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_trees_beside_structs),
        cmocka_unit_test(flat_trees_of_every_kind),
        cmocka_unit_test(each_static_byte_counts),
        cmocka_unit_test(structs_of_leaves_and_none),
        cmocka_unit_test(structs_at_every_depth),
        cmocka_unit_test(predicates_of_deep_trees),
        cmocka_unit_test(flats_side_by_side),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(flats_with_none_and_without_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
