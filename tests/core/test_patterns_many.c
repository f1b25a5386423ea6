/* Many lists of structs that are alike, of types that take turns: more than the first pass over the trees can note for the
 * second one, and more leaves than can be noted before they are stored. A predicate that stops nowhere makes every operation go
 * the long way: both ways must agree. */
#include "patterns_shared.h"

typedef struct Layer {
    int32_t n;
    float *w, *bias;
    double x;
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))                               \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n), OPTIONAL)                  \
    PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Scale { float *by; int16_t steps; } Scale;

#define PYTREE_STRUCT Scale
#define PYTREE_FIELDS PYTREE_FIELD(DATA, by, ARRAY(2)) PYTREE_FIELD(DATA, steps)
#include "pytree_registry.h"

typedef struct Empty { int32_t n; } Empty;                     /* a struct without leaves */

#define PYTREE_STRUCT Empty
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

typedef struct Count { long whole; float *w; } Count;          /* a number of a type that others may be equal to */

#define PYTREE_STRUCT Count
#define PYTREE_FIELDS PYTREE_FIELD(DATA, whole) PYTREE_FIELD(DATA, w, ARRAY(1))
#include "pytree_registry.h"

typedef struct Counts { Count *all; } Counts;

#define PYTREE_STRUCT Counts
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all, LIST(8))
#include "pytree_registry.h"

enum { GROUPS = 20, LEN = 8, TREES = 4 };

typedef struct Group {
    int32_t n;
    Layer *layers;
    Empty *empty;
    Scale *scales;
} Group;

#define PYTREE_STRUCT Group
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(DATA, layers, LIST(self->n))                           \
    PYTREE_FIELD(DATA, empty, LIST(self->n))                            \
    PYTREE_FIELD(DATA, scales, LIST(self->n))
#include "pytree_registry.h"

typedef struct Root { Group *groups; } Root;

#define PYTREE_STRUCT Root
#define PYTREE_FIELDS PYTREE_FIELD(DATA, groups, LIST(GROUPS))
#include "pytree_registry.h"

typedef struct Tree {
    Root root;
    Group groups[GROUPS];
    Layer layers[GROUPS][LEN];
    Empty empty[GROUPS][LEN];
    Scale scales[GROUPS][LEN];
    float memory[GROUPS * LEN * 8], *next;
} Tree;

static Tree trees[TREES];

static float *some(Tree *t, size_t n)
{
    t->next += n;
    return t->next - n;
}

/* Fills a tree in which a bias is None in every struct of group `bare`. */
static void fill(Tree *t, size_t bare)
{
    size_t g, i;
    memset(t, 0, sizeof *t);
    t->next = t->memory;
    t->root.groups = t->groups;
    for (g = 0; g < GROUPS; g++) {
        t->groups[g].n = LEN;
        t->groups[g].layers = t->layers[g];
        t->groups[g].empty = t->empty[g];
        t->groups[g].scales = t->scales[g];
        for (i = 0; i < LEN; i++) {
            t->layers[g][i].n = 3;
            t->layers[g][i].w = some(t, 3);
            t->layers[g][i].bias = g == bare ? NULL : some(t, 3);
            t->layers[g][i].x = (double)(g * LEN + i);
            t->scales[g][i].by = some(t, 2);
        }
    }
}

static pytree_status visit(void *context, const pytree_iter *it)
{
    Seen *const s = (Seen *)context;
    char path[80];
    size_t k;
    note_leaves(s, it);
    pytree_iter_path_text(it, path, sizeof path);
    for (k = 0; path[k] != '\0'; k++) { note(s, (unsigned char)path[k]); }
    return PYTREE_OK;
}

static Seen map_trees(size_t n, bool plain, pytree_status wanted)
{
    pytree_error error;
    Seen seen = { 0 };
    pytree all[TREES];
    size_t k;
    for (k = 0; k < n; k++) { all[k] = PYTREE(&trees[k].root); }
    assert_int_equal(map_seen(visit, &seen, n, all, false, plain, &error), wanted);
    return seen;
}

static void map_over_many_lists(void **state)
{
    const size_t leaves = GROUPS * LEN * 5 - LEN;
    size_t bare, n, k;
    (void)state;
    for (bare = 0; bare < GROUPS; bare += 7) {
        for (n = 1; n <= TREES; n++) {
            Seen quick, slow;
            for (k = 0; k < TREES; k++) { fill(&trees[k], bare); }
            quick = map_trees(n, true, PYTREE_OK);
            slow = map_trees(n, false, PYTREE_OK);
            assert_int_equal(quick.n, leaves);
            assert_int_equal(slow.n, leaves);
            assert_true(quick.hash == slow.hash);
            trees[n - 1].layers[GROUPS - 1][LEN - 1].n = 2;    /* nothing is called before everything was compared */
            assert_int_equal(map_trees(n, true, n == 1 ? PYTREE_OK : PYTREE_STRUCTURE).n, n == 1 ? leaves : 0);
        }
    }
}

/* Stores in a tree what was flattened from another one; `wrong`: the last leaf is of another type, and nothing is stored. */
static void store(bool plain, bool wrong, size_t bare)
{
    const pytree_options opt = options(plain);
    static Tree before;
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t g, i;
    fill(&trees[0], bare);
    fill(&trees[1], bare);
    for (g = 0; g < GROUPS; g++) {
        for (i = 0; i < LEN; i++) {
            trees[0].layers[g][i].x = -1.0 - (double)(g * LEN + i);
            trees[0].scales[g][i].steps = (int16_t)(g + i);
        }
    }
    before = trees[1];
    assert_ok(pytree_flatten(PYTREE(&trees[0].root), &leaves, 0, &def, NULL, &error), &error);
    if (wrong) { leaves[def->n_leaves - 1].type = PYTREE_TYPE(uint16_t); }
    assert_int_equal(pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&trees[1].root), &opt, &error),
                     wrong ? PYTREE_TYPE : PYTREE_OK);
    if (wrong) {
        assert_memory_equal(&before, &trees[1], sizeof before);
    } else {
        assert_memory_equal(trees[0].layers, trees[1].layers, sizeof before.layers);           /* pointers, too */
        assert_memory_equal(trees[0].scales, trees[1].scales, sizeof before.scales);
        assert_memory_equal(&before.root, &trees[1].root, sizeof before.root);
    }
    pytree_def_free(def);
}

static void leaves_into_many_lists(void **state)
{
    size_t bare;
    (void)state;
    for (bare = 0; bare <= GROUPS; bare += 4) {
        store(true, false, bare);
        store(false, false, bare);
        store(true, true, bare);
        store(false, true, bare);
    }
}

/* Few lists, so that all is noted: the pattern of the first one's structs is gone when they are stored. */
static void leaves_into_few_lists(void **state)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t k;
    (void)state;
    for (k = 0; k < 2; k++) { fill(&trees[k], 1); }
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&trees[0].groups[0]), PYTREE(&trees[0].groups[1])), &leaves, 0, &def,
                             NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, def->n_leaves, leaves,
                                    PYTREE_LIST(PYTREE(&trees[1].groups[0]), PYTREE(&trees[1].groups[1])), NULL, &error),
              &error);
    for (k = 0; k < 2; k++) {
        assert_memory_equal(trees[0].layers[k], trees[1].layers[k], sizeof trees[0].layers[k]);
        assert_memory_equal(trees[0].scales[k], trees[1].scales[k], sizeof trees[0].scales[k]);
    }
    pytree_def_free(def);
}

/* An array without elements needs no data: the pointer to it is stored as it is given, and all that is behind it. */
static void leaves_without_data(void **state)
{
    bool plain = false;
    (void)state;
    do {
        const pytree_options opt = options(plain);
        Layer *const from = &trees[0].layers[GROUPS - 2][3], *const to = &trees[1].layers[GROUPS - 2][3];
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        size_t k;
        for (k = 0; k < 2; k++) { fill(&trees[k], 1); }
        from->n = to->n = 0;
        from->x = -1;
        from[1].x = -2;
        assert_ok(pytree_flatten(PYTREE(&trees[0].root), &leaves, 0, &def, NULL, &error), &error);
        for (k = 0; leaves[k].data != from->w; k++) {}
        assert_int_equal(pytree_leaf_count(&leaves[k]), 0);
        leaves[k].data = NULL;
        assert_ok(pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&trees[1].root), &opt, &error), &error);
        assert_null(to->w);
        from->w = NULL;
        assert_memory_equal(trees[0].layers, trees[1].layers, sizeof trees[0].layers);
        assert_memory_equal(trees[0].scales, trees[1].scales, sizeof trees[0].scales);
        pytree_def_free(def);
        plain = !plain;
    } while (plain);
}

/* Leaves fit whose types are equal and not the very same: of all structs, of the first, of one that is compared with it. */
static void leaves_of_equal_types(void **state)
{
    const bool alike = pytree_type_equal(PYTREE_TYPE(long), PYTREE_TYPE(long long));
    float x[2] = { 1, 2 };
    int which;
    (void)state;
    for (which = -1; which < LEN; which++) {
        long long numbers[LEN];
        Count from[LEN], to[LEN];
        Counts source = { from }, target = { to };
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        int i;
        for (i = 0; i < LEN; i++) {
            from[i] = (Count){ i, &x[0] };
            to[i] = (Count){ -1, &x[1] };
            numbers[i] = 100 + i;
        }
        assert_ok(pytree_flatten(PYTREE(&source), &leaves, 0, &def, NULL, &error), &error);
        for (i = 0; i < LEN; i++) {
            if (which != -1 && which != i) { continue; }
            leaves[2 * i].type = PYTREE_TYPE(long long);
            leaves[2 * i].data = &numbers[i];
        }
        assert_int_equal(pytree_unflatten_into(def, 2 * LEN, leaves, PYTREE(&target), NULL, &error),
                         alike ? PYTREE_OK : PYTREE_TYPE);
        for (i = 0; alike && i < LEN; i++) {
            assert_int_equal(to[i].whole, which == -1 || which == i ? 100 + i : i);
            assert_ptr_equal(to[i].w, &x[0]);
        }
        pytree_def_free(def);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_over_many_lists),
        cmocka_unit_test(leaves_into_many_lists),
        cmocka_unit_test(leaves_into_few_lists),
        cmocka_unit_test(leaves_without_data),
        cmocka_unit_test(leaves_of_equal_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
