/* Runs that go on behind optional pointers to structs: that they are taken at once, with leaves in the order of the rows, and
 * what is refused. (That they agree with the long way is test_deep.c's.) */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "deep_shared.h"

typedef struct Twin { Small *left; Middle near; Tag *mark; double one; Middle *deep; Small last; } Twin;

#define PYTREE_STRUCT Twin                 /* rows as Far's */
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, left, OPTIONAL)                     \
    PYTREE_FIELD(DATA, near)                               \
    PYTREE_FIELD(DATA, mark, OPTIONAL)                     \
    PYTREE_FIELD(DATA, one)                                \
    PYTREE_FIELD(DATA, deep, OPTIONAL)                     \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

/* More leaves behind a pointer than an iterator over several trees has room for. */
typedef struct Wide { int n; Eight *eight; Small *small; } Wide;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, eight, OPTIONAL)                    \
    PYTREE_FIELD(DATA, small, OPTIONAL)
#include "pytree_registry.h"

/* A struct with a pointer first, one in a struct in it, and two in the middle, all of which lead to structs. */
typedef struct World {
    Far far;
    Small left, more, other;
    Middle deep;
    Tag mark;
    float values[64];
} World;

static void small_make(Small *s, float *value) { *s = (Small){ 2, value, value + 4, 1.5 }; }

static void world_make(World *w)
{
    memset(w, 0, sizeof *w);
    small_make(&w->left, w->values);
    small_make(&w->more, w->values + 6);
    small_make(&w->far.near.first, w->values + 12);
    small_make(&w->far.near.last, w->values + 18);
    small_make(&w->deep.first, w->values + 24);
    small_make(&w->deep.last, w->values + 30);
    small_make(&w->far.last, w->values + 36);
    small_make(&w->other, w->values + 42);
    w->far.left = &w->left;
    w->far.near.more = &w->more;
    w->far.mark = &w->mark;
    w->far.deep = &w->deep;
}

enum { WORLD_LEAVES = 7 * 3 + 1 };

static const char *const world_paths[WORLD_LEAVES] = {
    ".left.a", ".left.b", ".left.s", ".near.first.a", ".near.first.b", ".near.first.s", ".near.more.a", ".near.more.b",
    ".near.more.s", ".near.last.a", ".near.last.b", ".near.last.s", ".one", ".deep.first.a", ".deep.first.b", ".deep.first.s",
    ".deep.last.a", ".deep.last.b", ".deep.last.s", ".last.a", ".last.b", ".last.s"
};

/* tcc cannot tell by the text of rows what they read: no struct with such pointers is a run there. */
#if defined(__TINYC__)
enum { FOLLOWED = 0 };
#else
enum { FOLLOWED = 1 };
#endif

/* Is the node that an iterator has just come to a run, of which this many leaves are left? */
static void assert_run(const pytree_iter *it, size_t left)
{
    const pytree__cursor *const c = it->cursors;
    if (!FOLLOWED) { return; }
    assert_int_equal(c->n_frames, 1);
    assert_true(c->frames[0].run);
    assert_int_equal(c->of.run_left, left);
}

static void all_leaves_at_once(void **state)
{
    static World worlds[4];
    pytree all[4];
    size_t k, n, i;
    (void)state;
    for (k = 0; k < 4; k++) { world_make(&worlds[k]); all[k] = PYTREE(&worlds[k].far); }
    for (n = 1; n <= 4; n++) {
        pytree_error error = { 0 };
        pytree_iter it;
        assert_ok(pytree_iter_begin(&it, n, all, NULL, &error), &error);
        for (i = 0; pytree_iter_next(&it); i++) {
            char path[40];
            if (i == 0) { assert_run(&it, WORLD_LEAVES - 1); }
            (void)pytree_iter_path_text(&it, path, sizeof path);
            assert_string_equal(path, world_paths[i]);
            for (k = 0; k < n; k++) {
                assert_ptr_equal((const char *)it.leaf[k]->data - (const char *)&worlds[k],
                                 (const char *)it.leaf[0]->data - (const char *)&worlds[0]);
            }
        }
        assert_int_equal(i, WORLD_LEAVES);
        assert_ok(it.status, &error);
        pytree_iter_end(&it);
    }
}

/* Those behind the pointers of a struct that a pointer leads to are not followed. */
static void one_step_only(void **state)
{
    World world;
    pytree tree = PYTREE(&world.far);
    pytree_iter it;
    size_t i;
    (void)state;
    world_make(&world);
    world.deep.more = &world.other;
    assert_int_equal(pytree_iter_begin(&it, 1, &tree, NULL, NULL), PYTREE_OK);
    for (i = 0; pytree_iter_next(&it); i++) {
        if (i == 0) { assert_false(it.cursors[0].frames[0].run); }
    }
    assert_int_equal(i, WORLD_LEAVES + 3);
    pytree_iter_end(&it);
}

typedef struct Pair { float *p, *q; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, p, ARRAY(2), OPTIONAL) PYTREE_FIELD(DATA, q, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

typedef struct Holder { Pair pair; Small *small; } Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, pair) PYTREE_FIELD(DATA, small, OPTIONAL)
#include "pytree_registry.h"

typedef struct Seen { const void *data[2 * 12 * 9]; size_t n; } Seen;

static pytree_status see(void *context, const pytree_iter *at)
{
    Seen *const seen = (Seen *)context;
    size_t k;
    for (k = 0; k < at->n; k++) { seen->data[seen->n++] = at->leaf[k]->data; }
    return PYTREE_OK;
}

enum { LISTED = 12 };

typedef struct Listed { Middle all[LISTED]; } Listed;

#define PYTREE_STRUCT Listed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all)
#include "pytree_registry.h"

/* Alike structs in a list, all or some of which go on behind a pointer. */
static void in_a_list(void **state)
{
    static Listed lists[2];
    static Small more[2][LISTED];
    static float values[2 * LISTED * 3][6];
    pytree both[2];
    int odd;
    size_t k, i, n;
    (void)state;
    for (odd = -1; odd < LISTED; odd++) {
        Seen quick = { { NULL }, 0 }, slow = { { NULL }, 0 };
        pytree_options options = { 0 };
        pytree_error error = { 0 };
        pytree_leaf leaves[LISTED * 9];
        pytree_def *def;
        for (k = 0; k < 2; k++) for (i = 0; i < LISTED; i++) {
            Middle *const middle = &lists[k].all[i];
            small_make(&middle->first, values[(k * LISTED + i) * 3]);
            small_make(&middle->last, values[(k * LISTED + i) * 3 + 1]);
            small_make(&more[k][i], values[(k * LISTED + i) * 3 + 2]);
            middle->more = (int)i == odd ? NULL : &more[k][i];
            both[k] = PYTREE(&lists[k]);
        }
        options.is_leaf = stops_nowhere;
        assert_ok(pytree_map(see, &quick, NULL, 2, both, NULL, &error), &error);
        assert_ok(pytree_map(see, &slow, NULL, 2, both, &options, &error), &error);
        assert_int_equal(quick.n, 2 * (LISTED * 9 - (odd < 0 ? 0 : 3)));
        assert_int_equal(quick.n, slow.n);
        assert_memory_equal(quick.data, slow.data, sizeof quick.data);
        def = pytree_structure(both[0], NULL, NULL);
        assert_int_equal(pytree_leaves(both[1], leaves, LISTED * 9, &n, NULL, NULL), PYTREE_OK);
        assert_ok(pytree_unflatten_into(def, n, leaves, both[0], NULL, &error), &error);
        for (i = 0; i < LISTED; i++) {
            assert_ptr_equal(lists[0].all[i].last.a, lists[1].all[i].last.a);
            assert_ptr_equal(more[0][i].a, (int)i == odd ? values[i * 3 + 2] : more[1][i].a);
        }
        pytree_def_free(def);
    }
}

/* As many leaves, all of which fit, but None in another place. */
static void none_beside_a_leaf(void **state)
{
    World world;
    Holder from = { { world.values, NULL }, &world.left }, to = { { NULL, world.values }, &world.left };
    pytree_error error = { 0 };
    pytree_leaf leaves[4];
    pytree_def *def;
    size_t n;
    (void)state;
    world_make(&world);
    def = pytree_structure(PYTREE(&from), NULL, NULL);
    assert_int_equal(pytree_leaves(PYTREE(&from), leaves, 4, &n, NULL, NULL), PYTREE_OK);
    assert_int_equal(n, 4);
    assert_error(pytree_unflatten_into(def, n, leaves, PYTREE(&to), NULL, &error), PYTREE_STRUCTURE, ".pair.p", &error);
    assert_true(to.pair.p == NULL && to.pair.q == world.values);
    pytree_def_free(def);
}

/* More leaves behind a pointer than there is room for at first: several trees share it. */
static void more_than_there_is_room_for(void **state)
{
    static Eight eights[3];
    Wide wides[3];
    float value[8] = { 0 };
    pytree all[3];
    pytree_iter it;
    size_t k, i, n = sizeof(Eight) / sizeof(Small);
    (void)state;
    for (k = 0; k < 3; k++) {
        for (i = 0; i < n; i++) { small_make(&eights[k].a + i, value); }
        wides[k] = (Wide){ 1, &eights[k], NULL };
        all[k] = PYTREE(&wides[k]);
    }
    assert_int_equal(pytree_iter_begin(&it, 3, all, NULL, NULL), PYTREE_OK);
    for (i = 0; pytree_iter_next(&it); i++) {
        if (i == 0) { assert_run(&it, 3 * n - 1); }
    }
    assert_int_equal(i, 3 * n);
    pytree_iter_end(&it);
}

/* Put the leaves of one world into another, at once and (`slow`) node by node. Return how many nodes were compared at once. */
static size_t put(const World *from, World *to, bool slow, pytree_error *error)
{
    const pytree tree = PYTREE((Far *)(uintptr_t)&from->far);
    pytree__layout_cache cache;
    pytree__layout_space layouts;
    pytree_options options = { 0 };
    pytree_leaf leaves[WORLD_LEAVES + 3];
    pytree_leaf *all = leaves;
    pytree_def *def;
    size_t n, least;
    assert_int_equal(pytree_flatten(tree, &all, COUNT_OF(leaves), &def, NULL, NULL), PYTREE_OK);
    pytree__layout_cache_init(&cache, &layouts);
    n = pytree__follow_matches(&cache, PYTREE_TYPE(Far), (const char *)&to->far, def, def->nodes, def->n_nodes);
    assert_true(n == 0 || n == def->n_nodes);
    for (least = 0; least < n; least++) { /* no more is looked at than there is */
        assert_int_equal(pytree__follow_matches(&cache, PYTREE_TYPE(Far), (const char *)&to->far, def, def->nodes, least), 0);
    }
    memset(error, 0, sizeof *error);
    if (slow) { options.is_leaf = stops_nowhere; }
    (void)pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&to->far), &options, error);
    pytree_def_free(def);
    return n;
}

static void leaves_are_put_back(void **state)
{
    static World from, to;
    pytree_error error;
    (void)state;
    world_make(&from);
    world_make(&to);
    from.left.s = from.more.s = from.deep.last.s = from.far.one = 7;
    assert_int_equal(put(&from, &to, false, &error), 36 * FOLLOWED);
    assert_ok(error.status, &error);
    assert_ptr_equal(to.left.a, from.left.a);
    assert_ptr_equal(to.more.b, from.more.b);
    assert_ptr_equal(to.deep.first.a, from.deep.first.a);
    assert_ptr_equal(to.far.last.b, from.far.last.b);
    assert_true(to.left.s == 7 && to.more.s == 7 && to.deep.last.s == 7 && to.far.one == 7);
    assert_true(to.far.left == &to.left && to.far.deep == &to.deep);           /* those pointers stay */
}

/* Changes that make two worlds differ: of what is put in, of where it is put, or of both. */
static bool differ(World *from, World *to, int what)
{
    switch (what) {
    case 0: to->left.n = 1; return true;
    case 1: to->mark.tag = 1; return true;
    case 2: to->far.last.n = 1; return true;          /* behind all of them */
    case 3: to->more.b = from->deep.last.b = NULL; return true;                /* None in another place */
    case 4: to->far.near.last.b = from->far.last.b = NULL; return true;
    case 5: to->far.deep = NULL; return true;
    case 6: from->far.deep = NULL; return true;
    case 7: to->deep.last.a = NULL; return true;      /* is no None */
    case 8: to->deep.last.n = -1; return true;
    case 9: to->deep.more = &to->other; return true;
    case 10: from->deep.tag.tag = 9; return true;
    case 11: to->far.mark = NULL; from->far.left = NULL; return true;
    default: return false;
    }
}

static void what_differs_is_found(void **state)
{
    static World from, to, before;
    pytree_error quick, slow;
    int what;
    (void)state;
    for (what = 0;; what++) {
        world_make(&from);
        world_make(&to);
        if (!differ(&from, &to, what)) { break; }
        before = to;
        (void)put(&from, &to, false, &quick);
        assert_int_not_equal(quick.status, PYTREE_OK);
        assert_memory_equal(&to, &before, sizeof before);
        (void)put(&from, &to, true, &slow);
        assert_int_equal(quick.status, slow.status);
        assert_string_equal(quick.path, slow.path);
        assert_string_equal(quick.message, slow.message);
    }
    assert_int_equal(what, 12);
}

/* A treedef whose struct has another type, all of whose nodes are alike. */
static void another_type(void **state)
{
    static World world;
    pytree_error error = { 0 };
    pytree_leaf leaves[WORLD_LEAVES];
    Twin twin;
    Far before;
    pytree_def *def;
    size_t n;
    (void)state;
    world_make(&world);
    memcpy(&twin, &world.far, sizeof twin);
    memcpy(&before, &world.far, sizeof before);
    def = pytree_structure(PYTREE(&twin), NULL, NULL);
    assert_int_equal(pytree_leaves(PYTREE(&twin), leaves, WORLD_LEAVES, &n, NULL, NULL), PYTREE_OK);
    for (n = 0; n < WORLD_LEAVES; n += 3) { leaves[n].data = world.values; }
    assert_error(pytree_unflatten_into(def, WORLD_LEAVES, leaves, PYTREE(&world.far), NULL, &error), PYTREE_STRUCTURE, "",
                 &error);
    assert_memory_equal(&world.far, &before, sizeof before);
    pytree_def_free(def);
}

/* Leaves that do not fit behind a pointer: nothing is stored. */
static void leaves_that_do_not_fit(void **state)
{
    static World world, before;
    pytree_error error = { 0 };
    pytree_leaf leaves[WORLD_LEAVES];
    pytree_def *def;
    size_t n, i;
    (void)state;
    world_make(&world);
    def = pytree_structure(PYTREE(&world.far), NULL, NULL);
    for (i = 0; i < WORLD_LEAVES; i++) {
        assert_int_equal(pytree_leaves(PYTREE(&world.far), leaves, WORLD_LEAVES, &n, NULL, NULL), PYTREE_OK);
        if (leaves[i].ndim == 0) { leaves[i].type = PYTREE_TYPE(float); } else { leaves[i].shape[0] = 1; }
        before = world;
        error.status = PYTREE_OK;
        assert_int_not_equal(pytree_unflatten_into(def, n, leaves, PYTREE(&world.far), NULL, &error), PYTREE_OK);
        assert_string_equal(error.path, world_paths[i]);
        assert_memory_equal(&world, &before, sizeof world);
    }
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_leaves_at_once), cmocka_unit_test(one_step_only), cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(leaves_are_put_back), cmocka_unit_test(what_differs_is_found), cmocka_unit_test(another_type),
        cmocka_unit_test(leaves_that_do_not_fit), cmocka_unit_test(none_beside_a_leaf),
        cmocka_unit_test(in_a_list)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
