/* A struct is walked at once with the structs that lie in it, where nothing in them leads elsewhere. A predicate that stops
 * nowhere makes every operation go the long way, node by node: both ways must agree, on trees and on pairs that differ. */
#include "deep_shared.h"

/* ---- Tests ------------------------------------------------------------------------------------------------------------- */

static Tree trees[4];
static Tree *const likes[4] = { &trees[0], &trees[1], &trees[2], &trees[3] };

static void equal_trees(void **state)
{
    const int rounds = under_valgrind() ? 3 : SANITIZED ? 4 : OPTIMISED ? 60 : 15;
    int round, k;
    (void)state;
    seed = 1;
    for (round = 0; round < rounds; round++) {
        fill_tree(&trees[0]);
        for (k = 1; k < 4; k++) { copy_tree(&trees[k], &trees[0]); }
        check(likes);
    }
}

static void trees_that_differ(void **state)
{
    const int rounds = slow_here() ? 1 : 12;
    uint32_t what;
    int round, k, spoilt = 0;
    (void)state;
    seed = 2;
    for (round = 0; round < rounds; round++) {
        for (what = 0; what <= 15; what++) {
            fill_tree(&trees[0]);
            for (k = 1; k < 4; k++) { copy_tree(&trees[k], &trees[0]); }
            spoilt += spoil(&trees[what % 2 == 0 ? 3 : (uint32_t)round % 4], what);
            check(likes);
        }
    }
    assert_true(spoilt >= rounds * 10);
}

/* In `first`, `tag` and `last` nothing is said by address: paths of all leaves of a struct that is seen at once. */
static void paths_within(void **state)
{
    static const char *const paths[] = { ".first.a", ".first.s", ".last.a", ".last.b", ".last.s" };
    float a[4] = { 0 };
    Middle middle = { { 1, NULL, NULL, 1.0 }, { 3 }, NULL, { 1, NULL, NULL, 2.0 } };
    pytree tree = PYTREE(&middle);
    pytree_error error = { 0 };
    pytree_iter it;
    size_t n = 0;
    (void)state;
    middle.first.a = middle.last.a = middle.last.b = a;        /* the same memory: only the place tells them apart */
    assert_ok(pytree_iter_begin(&it, 1, &tree, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        char text[20];
        assert_int_equal(pytree_iter_path_text(&it, text, sizeof text), strlen(paths[n]));
        assert_string_equal(text, paths[n]);
        n++;
    }
    assert_int_equal(n, 5);
    pytree_iter_end(&it);
}

/* None in each place of a struct with many children: the treedef says where. */
static void none_among_many(void **state)
{
    enum { N = sizeof(Long) / sizeof(float *) };
    pytree_options slow = { 0 };
    pytree_error error = { 0 };
    float value = 1;
    size_t i, k;
    (void)state;
    slow.is_leaf = stops_nowhere;
    for (i = 0; i < N; i++) {
        Long many;
        float **field = &many.a0;
        pytree_def *quick, *long_way;
        for (k = 0; k < N; k++) { field[k] = k == i ? NULL : &value; }
        quick = pytree_structure(PYTREE(&many), NULL, &error);
        long_way = pytree_structure(PYTREE(&many), &slow, &error);
        assert_non_null(quick);
        assert_non_null(long_way);
        assert_int_equal(pytree_def_num_leaves(quick), N - 1);
        assert_true(pytree_def_equal(quick, long_way));
        pytree_def_free(quick);
        pytree_def_free(long_way);
    }
}

typedef struct Edge {                     /* leaves behind structs in it */
    Eight x, y;
    float *after;
    Tag tag;
    Small z;
    float *last;
} Edge;

#define PYTREE_STRUCT Edge
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)                                  \
    PYTREE_FIELD(DATA, y)                                  \
    PYTREE_FIELD(DATA, after, ARRAY(4))                    \
    PYTREE_FIELD(DATA, tag)                                \
    PYTREE_FIELD(DATA, z)                                  \
    PYTREE_FIELD(DATA, last, ARRAY(4), OPTIONAL)
#include "pytree_registry.h"

/* The first `nones` of what may be None is. */
static void fill_edge(Edge *edge, float *value, size_t nones)
{
    Small *small = &edge->x.a;
    size_t i;
    memset(edge, 0, sizeof *edge);
    for (i = 0; i < 16; i++) { small[i] = (Small){ 1, value, i < nones ? NULL : value, 3 }; }
    edge->after = value;
    edge->z = (Small){ 1, value, value, 3 };
    edge->last = nones > 16 ? NULL : value;
}

static void untouched(const pytree_leaf *from, unsigned char mark)
{
    const unsigned char *at = (const unsigned char *)from;
    size_t i;
    for (i = 0; i < 4 * sizeof *from; i++) { assert_int_equal(at[i], mark); }
}

/* However little room there is, none is written beyond it, and all that fits is written. */
static void room_for_some(void **state)
{
    static pytree_leaf all[EDGE_LEAVES], some[EDGE_LEAVES + 4];
    float value[4] = { 0 };
    size_t nones, capacity, n, i;
    (void)state;
    for (nones = 0; nones <= 17; nones++) {
        Edge edge;
        fill_edge(&edge, value, nones);
        assert_int_equal(pytree_leaves(PYTREE(&edge), all, EDGE_LEAVES, &n, NULL, NULL), PYTREE_OK);
        assert_int_equal(n, EDGE_LEAVES - nones);
        for (capacity = 0; capacity <= EDGE_LEAVES; capacity++) {
            const pytree_status expected = capacity < n ? PYTREE_TOO_MANY_LEAVES : PYTREE_OK;
            pytree_leaf *given = some;
            pytree_def *def;
            size_t count;
            memset(some, 0xA5, sizeof some);
            assert_int_equal(pytree_leaves(PYTREE(&edge), some, capacity, &count, NULL, NULL), expected);
            untouched(some + capacity, 0xA5);
            assert_int_equal(count, n);
            for (i = 0; i < n && i < capacity; i++) {
                assert_ptr_equal(some[i].data, all[i].data);
                assert_ptr_equal(some[i].type, all[i].type);
            }
            memset(some, 0xA5, sizeof some);
            assert_int_equal(pytree_flatten(PYTREE(&edge), &given, capacity, &def, NULL, NULL), expected);
            untouched(some + capacity, 0xA5);
            for (i = 0; i < n && expected == PYTREE_OK; i++) { assert_ptr_equal(some[i].data, all[i].data); }
            pytree_def_free(def);
        }
    }
}

typedef struct Seen { const pytree_leaf *all[3]; size_t n; } Seen;

static pytree_status see_each(void *context, const pytree_iter *at)
{
    Seen *seen = (Seen *)context;
    size_t k;
    for (k = 0; k < 3; k++) {
        assert_ptr_equal(at->leaf[k]->data, seen->all[k][seen->n].data);
        assert_int_equal(at->leaf[k]->ndim, seen->all[k][seen->n].ndim);
    }
    seen->n++;
    return PYTREE_OK;
}

/* As many leaves as there are views in a cursor, one fewer, one more: in a map over three trees, and put back. */
static void as_many_as_views(void **state)
{
    static Edge edges[3];
    static pytree_leaf leaves[3][EDGE_LEAVES];
    float values[3][4] = { { 0 } };
    size_t nones, k;
    (void)state;
    for (nones = 0; nones <= 17; nones++) {
        const size_t n = EDGE_LEAVES - nones;
        pytree three[3];
        pytree_def *def;
        Seen seen = { { leaves[0], leaves[1], leaves[2] }, 0 };
        for (k = 0; k < 3; k++) {
            fill_edge(&edges[k], values[k], nones);
            three[k] = PYTREE(&edges[k]);
            assert_int_equal(pytree_leaves(three[k], leaves[k], EDGE_LEAVES, NULL, NULL, NULL), PYTREE_OK);
        }
        assert_int_equal(pytree_map(see_each, &seen, NULL, 3, three, NULL, NULL), PYTREE_OK);
        assert_int_equal(seen.n, n);
        def = pytree_structure(three[0], NULL, NULL);
        assert_int_equal(pytree_unflatten_into(def, n, leaves[1], three[0], NULL, NULL), PYTREE_OK);
        assert_ptr_equal(edges[0].after, values[1]);
        assert_ptr_equal(edges[0].x.a.a, values[1]);
        assert_ptr_equal(edges[0].z.b, values[1]);
        assert_ptr_equal(edges[0].last, nones > 16 ? NULL : values[1]);
        pytree_def_free(def);
    }
}

typedef struct Twin { Small x; Tag tag; Small y; } Twin;

#define PYTREE_STRUCT Twin
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)                                  \
    PYTREE_FIELD(DATA, tag)                                \
    PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

/* Treedefs with as many nodes, and others in places: what does not fit is found, and nothing is changed by it. */
static void nodes_in_other_places(void **state)
{
    static const struct { const char *small; size_t leaves; bool fits, none; } kinds[] = {
        { "[*, *, *]", 3, true, false }, { "[*, None, *]", 2, true, true },    { "[None, *, *]", 2, false, false },
        { "[*, (), *]", 2, false, false }, { "[(), *, *]", 2, false, false },  { "[*, *, None]", 2, false, false },
        { "[None, None, *]", 1, false, true }, { "[*, None, []]", 1, false, true }
    };
    static const char *const tags[] = { "CustomNode(Tag[(3,)], [])", "*", "None", "()" };
    const pytree_type *types[] = { PYTREE_TYPE(Twin), PYTREE_TYPE(Small), PYTREE_TYPE(Tag) };
    float mine[2] = { 1, 2 }, theirs[2] = { 3, 4 };
    double mine_s = 1, theirs_s = 2;
    size_t x, y, tag, none;
    (void)state;
    for (x = 0; x < 8; x++) for (y = 0; y < 8; y++) for (tag = 0; tag < 4; tag++) for (none = 0; none < 2; none++) {
        const bool fits = kinds[x].fits && kinds[y].fits && tag == 0;
        const bool here = fits && kinds[x].none == (none != 0) && !kinds[y].none;
        Twin twin, before;
        pytree_leaf leaves[7];
        pytree_error error = { 0 };
        size_t n = 0, k, i;
        char text[300];
        pytree_def *def;
        pytree tree;
        memset(leaves, 0, sizeof leaves);
        memset(&twin, 0, sizeof twin);    /* the padding is compared too */
        twin.x.n = twin.y.n = 1;
        twin.x.a = twin.y.a = twin.y.b = mine;
        twin.x.b = none != 0 ? NULL : mine;
        twin.x.s = twin.y.s = mine_s;
        twin.tag.tag = 3;
        memcpy(&before, &twin, sizeof twin);
        for (i = 0; i < 2; i++) {
            const size_t kind = i == 0 ? x : y;
            const char *at = kinds[kind].small;
            for (k = 0; k < 3; k++) {
                at += strcspn(at, "*N()[") + (k == 0);
                if (*at == '*') {
                    leaves[n++] = (pytree_leaf){ .data = k == 2 ? (void *)&theirs_s : theirs,
                                                 .type = k == 2 ? PYTREE_TYPE(double) : PYTREE_TYPE(float),
                                                 .ndim = k == 0 ? 2 : k == 1 ? 1 : 0, .shape = { 1, 2 } };
                }
                at += strcspn(at, ",");
            }
            if (i == 0 && tag == 1) { leaves[n++] = (pytree_leaf){ .data = &theirs_s, .type = PYTREE_TYPE(double) }; }
        }
        snprintf(text, sizeof text,
                 "PyTreeDef(CustomNode(Twin[()], [CustomNode(Small[(1,)], %s), %s, CustomNode(Small[(1,)], %s)]))",
                 kinds[x].small, tags[tag], kinds[y].small);
        def = pytree_def_parse(text, types, 3, NULL, &error);
        assert_non_null(def);
        assert_int_equal(pytree_def_num_leaves(def), n);
        tree = pytree_unflatten(def, n, leaves, NULL, &error);
        assert_int_equal(tree.data != NULL, fits);
        if (fits) {
            const Twin *made = (const Twin *)tree.data;
            assert_ptr_equal(made->x.a, theirs);
            assert_ptr_equal(made->x.b, kinds[x].none ? NULL : theirs);
            assert_ptr_equal(made->y.b, kinds[y].none ? NULL : theirs);
            assert_true(made->x.s == theirs_s && made->y.s == theirs_s && made->tag.tag == 3 && made->x.n == 1);
            pytree_free(tree);
        } else {
            assert_int_not_equal(error.status, PYTREE_OK);
        }
        error.status = PYTREE_OK;
        assert_int_equal(pytree_unflatten_into(def, n, leaves, PYTREE(&twin), NULL, &error) == PYTREE_OK, here);
        if (here) { assert_ptr_equal(twin.y.b, theirs); }
        else { assert_memory_equal(&twin, &before, sizeof twin); }
        pytree_def_free(def);
    }
}

typedef struct Smalls { size_t n; Small *list; } Smalls;

#define PYTREE_STRUCT Smalls
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

/* One of alike structs in a treedef made by hand has as many leaves as the others, but None in another place. */
static void none_elsewhere_in_a_list(void **state)
{
    enum { N = 8 };
    static const char *const odd[] = { "[*, None, *]", "[None, *, *]" };
    const pytree_type *types[] = { PYTREE_TYPE(Smalls), PYTREE_TYPE(Small) };
    float mine[N][2], theirs[N][2];
    Small list[N], before[N];
    Smalls smalls = { N, list };
    pytree_leaf leaves[2 * N];
    size_t which, place, i, n;
    (void)state;
    for (which = 0; which < 2; which++) for (place = 1; place < N; place++) {
        pytree_error error = { 0 };
        char text[800] = "PyTreeDef(CustomNode(Smalls[(8,)], [[";
        pytree_def *def;
        memset(list, 0, sizeof list);     /* the padding is compared too */
        for (i = 0; i < N; i++) {
            list[i].n = 1;
            list[i].a = mine[i];
            snprintf(text + strlen(text), sizeof text - strlen(text), "%sCustomNode(Small[(1,)], %s)", i == 0 ? "" : ", ",
                     odd[i == place ? which : 0]);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "]]))");
        memcpy(before, list, sizeof list);
        def = pytree_def_parse(text, types, 2, NULL, &error);
        assert_non_null(def);
        assert_int_equal(pytree_leaves(PYTREE(&smalls), leaves, 2 * N, &n, NULL, &error), PYTREE_OK);
        assert_int_equal(n, pytree_def_num_leaves(def));
        for (i = 0; i < N; i++) { leaves[2 * i].data = theirs[i]; }
        if (which == 0) {
            assert_ok(pytree_unflatten_into(def, n, leaves, PYTREE(&smalls), NULL, &error), &error);
            for (i = 0; i < N; i++) { assert_ptr_equal(list[i].a, theirs[i]); }
        } else {
            assert_int_equal(pytree_unflatten_into(def, n, leaves, PYTREE(&smalls), NULL, &error), PYTREE_STRUCTURE);
            assert_memory_equal(list, before, sizeof list);
        }
        pytree_def_free(def);
    }
}

/* More types than there are plans, each twice; the list keeps the whole from being seen at once. */
typedef struct T0 { int n; float *a, *b; } T0;

#define PYTREE_STRUCT T0
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a, ARRAY(2)) PYTREE_FIELD(DATA, b, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

#define WRAP(outer, inner) typedef struct outer { inner in; float *c; } outer
#define WRAPPED PYTREE_FIELD(DATA, in) PYTREE_FIELD(DATA, c, ARRAY(1), OPTIONAL)
WRAP(T1, T0);

#define PYTREE_STRUCT T1
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T2, T0);

#define PYTREE_STRUCT T2
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T3, T0);

#define PYTREE_STRUCT T3
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T4, T0);

#define PYTREE_STRUCT T4
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T5, T0);

#define PYTREE_STRUCT T5
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T6, T0);

#define PYTREE_STRUCT T6
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T7, T0);

#define PYTREE_STRUCT T7
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T8, T0);

#define PYTREE_STRUCT T8
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

WRAP(T9, T0);

#define PYTREE_STRUCT T9
#define PYTREE_FIELDS WRAPPED
#include "pytree_registry.h"

typedef struct Ten { T0 a; T1 b; T2 c; T3 d; T4 e; T5 f; T6 g; T7 h; T8 i; T9 j; size_t n; float *none; } Ten;

#define TEN_OF(a, b, c, d, e, f, g, h, i, j)                                                                            \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, e)       \
    PYTREE_FIELD(DATA, f) PYTREE_FIELD(DATA, g) PYTREE_FIELD(DATA, h) PYTREE_FIELD(DATA, i) PYTREE_FIELD(DATA, j)

#define PYTREE_STRUCT Ten
#define PYTREE_FIELDS                                                                                                    \
    TEN_OF(a, b, c, d, e, f, g, h, i, j) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, none, LIST(self->n))
#include "pytree_registry.h"

typedef struct Types {
    Ten one;
    Small small;
    Tag tag;
    Eight eight;
    Edge edge;
    Twin twin;
    Middle middle;
    Big big;
    Ten two;
} Types;

#define PYTREE_STRUCT Types
#define PYTREE_FIELDS                                                                                                    \
    PYTREE_FIELD(DATA, one) PYTREE_FIELD(DATA, small) PYTREE_FIELD(DATA, tag) PYTREE_FIELD(DATA, eight)                  \
    PYTREE_FIELD(DATA, edge) PYTREE_FIELD(DATA, twin) PYTREE_FIELD(DATA, middle) PYTREE_FIELD(DATA, big)                 \
    PYTREE_FIELD(DATA, two)
#include "pytree_registry.h"

static void fill_ten(Ten *ten, float *value)
{
    size_t i;
    ten->a = (T0){ 1, value, NULL };
    for (i = 0; i < 9; i++) {             /* they are all laid out alike */
        const T1 each = { { (int)i, value, i % 2 != 0 ? value : NULL }, i % 3 != 0 ? value : NULL };
        memcpy((char *)&ten->b + i * sizeof each, &each, sizeof each);
    }
}

static void more_types_than_plans(void **state)
{
    static Types types, other;
    static pytree_leaf leaves[400];
    float value[8] = { 0 };
    Small *small = &types.big.x.a;
    pytree_options slow = { 0 };
    pytree_def *quick, *long_way;
    pytree two[2], made;
    size_t i, n;
    (void)state;
    memset(&types, 0, sizeof types);
    fill_ten(&types.one, value);
    fill_ten(&types.two, value);
    for (i = 0; i < sizeof(Big) / sizeof(Small); i++) { small[i] = (Small){ 1, value, i % 2 != 0 ? value : NULL, 1 }; }
    memcpy(&types.eight, &types.big.y, sizeof types.eight);
    fill_edge(&types.edge, value, 5);
    types.small = types.twin.x = types.twin.y = types.middle.first = types.middle.last = small[1];
    memcpy(&other, &types, sizeof types);
    two[0] = PYTREE(&types);
    two[1] = PYTREE(&other);
    slow.is_leaf = stops_nowhere;
    quick = pytree_structure(two[0], NULL, NULL);
    long_way = pytree_structure(two[0], &slow, NULL);
    assert_non_null(quick);
    assert_true(pytree_def_equal(quick, long_way));
    assert_int_equal(pytree_leaves(two[0], leaves, 400, &n, NULL, NULL), PYTREE_OK);
    assert_int_equal(n, pytree_def_num_leaves(quick));
    assert_int_equal(pytree_unflatten_into(quick, n, leaves, two[1], NULL, NULL), PYTREE_OK);
    made = pytree_unflatten(quick, n, leaves, NULL, NULL);
    assert_non_null(made.data);
    assert_true(pytree_equal(made, two[0], NULL, NULL, NULL));
    assert_true(pytree_equal(two[1], two[0], NULL, NULL, NULL));
    pytree_free(made);
    other.two.j.in.n += 1;
    assert_false(pytree_equal(two[1], two[0], NULL, NULL, NULL));
    assert_int_equal(pytree_unflatten_into(quick, n, leaves, two[1], NULL, NULL), PYTREE_STRUCTURE);
    pytree_def_free(quick);
    pytree_def_free(long_way);
}

/* A struct whose only children are structs that have lists: it seems to be one of leaves until those are looked at. */
typedef struct Pair { MLP left, right; } Pair;
typedef struct Pairs { int n; Pair *list; } Pairs;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, right)
#include "pytree_registry.h"

#define PYTREE_STRUCT Pairs
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

static void lists_far_within(void **state)
{
    enum { N = 100, LEAVES = 2 * (2 * 2 + 1) };                /* two layers and the scale, twice */
    static Pair list[N];
    MLP model = mlp_make(2, false);
    Pairs pairs = { N, list };
    pytree_leaf *leaves = NULL;
    pytree_error error = { 0 };
    pytree_def *def;
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) { list[i].left = list[i].right = model; }
    assert_int_equal(pytree_num_leaves(PYTREE(&pairs), NULL, &error), N * LEAVES);
    assert_ok(pytree_flatten(PYTREE(&pairs), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(def->n_leaves, N * LEAVES);
    assert_int_equal(def->n_nodes, N * (LEAVES + 2 * (2 + 1 + 1 + 1) + 1) + 2);    /* layers, their list, None, the model */
    for (i = 0; i < N * LEAVES; i++) { assert_int_equal(leaves[i].form, PYTREE_FORM_LEAF); }
    assert_ptr_equal(leaves[N * LEAVES - 1].data, list[N - 1].right.scale);
    pytree_def_free(def);
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_trees),
        cmocka_unit_test(trees_that_differ),
        cmocka_unit_test(paths_within),
        cmocka_unit_test(none_among_many),
        cmocka_unit_test(room_for_some),
        cmocka_unit_test(as_many_as_views),
        cmocka_unit_test(nodes_in_other_places),
        cmocka_unit_test(none_elsewhere_in_a_list),
        cmocka_unit_test(more_types_than_plans),
        cmocka_unit_test(lists_far_within)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
