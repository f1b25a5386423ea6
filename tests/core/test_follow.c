/* Runs that go on behind optional pointers to structs: that they are taken at once, with leaves in the order of the rows, and
 * what is refused. (That they agree with the long way is test_deep.c's.) */
#include "deep_shared.h"

typedef struct Twin { Small *left; Middle near; Tag *mark; double one; Middle *deep; Small last; } Twin;

#define PYTREE_STRUCT Twin
#define PYTREE_FIELDS FAR_ROWS
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

/* Is the node that an iterator has just come to a run, of which this many leaves are left? */
static void assert_run(const pytree_iter *it, size_t left)
{
    const pytree__cursor *const c = it->cursors;
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

enum { LISTED = 70, SEEN = LISTED * 24 };

typedef struct Seen { const void *data[2 * SEEN]; size_t n; } Seen;

typedef struct Listed { Middle all[LISTED]; } Listed;

#define PYTREE_STRUCT Listed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all)
#include "pytree_registry.h"

static pytree_status see(void *context, const pytree_iter *at)
{
    Seen *const seen = (Seen *)context;
    size_t k;
    for (k = 0; k < at->n; k++) { seen->data[seen->n++] = at->leaf[k]->data; }
    return PYTREE_OK;
}

/* Do two trees agree, at once and node by node: in a map, and where the leaves of one are put into the other? */
static void assert_agree(pytree a, pytree b)
{
    static pytree_leaf leaves[SEEN], mine[SEEN];
    static Seen quick, slow;
    const pytree both[2] = { a, b };
    pytree_options options = { 0 };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(a, NULL, NULL);
    size_t n, i;
    quick.n = slow.n = 0;
    options.is_leaf = stops_nowhere;
    assert_ok(pytree_map(see, &quick, NULL, 2, both, NULL, &error), &error);
    assert_ok(pytree_map(see, &slow, NULL, 2, both, &options, &error), &error);
    assert_int_equal(pytree_leaves(b, leaves, SEEN, &n, NULL, NULL), PYTREE_OK);
    assert_int_equal(quick.n, 2 * n);
    assert_int_equal(slow.n, 2 * n);
    assert_memory_equal(quick.data, slow.data, 2 * n * sizeof *slow.data);
    assert_ok(pytree_unflatten_into(def, n, leaves, a, NULL, &error), &error);
    assert_int_equal(pytree_leaves(a, mine, SEEN, &n, NULL, NULL), PYTREE_OK);
    for (i = 0; i < n; i++) {
        if (mine[i].ndim != 0) { assert_ptr_equal(mine[i].data, leaves[i].data); }
        else { assert_memory_equal(mine[i].data, leaves[i].data, sizeof(double)); }
    }
    pytree_def_free(def);
}

/* Alike structs in a list, all or some of which go on behind a pointer: more than what is to be stored can be noted. */
static void in_a_list(void **state)
{
    static Listed lists[2];
    static Small more[2][LISTED];
    static float values[2 * LISTED * 3][6];
    int odd;
    size_t k, i;
    (void)state;
    for (odd = -1; odd < LISTED; odd += odd < 12 ? 1 : 19) {
        for (k = 0; k < 2; k++) for (i = 0; i < LISTED; i++) {
            Middle *const middle = &lists[k].all[i];
            small_make(&middle->first, values[(k * LISTED + i) * 3]);
            small_make(&middle->last, values[(k * LISTED + i) * 3 + 1]);
            small_make(&more[k][i], values[(k * LISTED + i) * 3 + 2]);
            middle->more = (int)i == odd ? NULL : &more[k][i];
            more[k][i].s = (double)k;
        }
        assert_agree(PYTREE(&lists[0]), PYTREE(&lists[1]));
        for (i = 0; i < LISTED; i++) {
            assert_ptr_equal(lists[0].all[i].last.a, lists[1].all[i].last.a);
            assert_ptr_equal(more[0][i].a, (int)i == odd ? values[i * 3 + 2] : more[1][i].a);
        }
    }
}

/* A list as long as one likes: leaves are put into it without a function that calls itself for each struct. */
static void a_long_chain(void **state)
{
    const size_t length = slow_here() ? 20000 : 200000;
    Node *const chain = chain_make(length), *const other = chain_make(length);
    pytree_error error = { 0 };
    pytree_leaf *const leaves = malloc(length * sizeof *leaves);
    pytree_def *const def = pytree_structure(PYTREE(chain), NULL, &error);
    size_t n, i;
    (void)state;
    assert_non_null(leaves);
    for (i = 0; i < length; i++) { other[i].value += 0.5; }
    assert_ok(pytree_leaves(PYTREE(other), leaves, length, &n, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, n, leaves, PYTREE(chain), NULL, &error), &error);
    for (i = 0; i < length; i++) { assert_true(chain[i].value == (double)i + 0.5); }
    pytree_def_free(def);
    free(leaves);
    free(other);
    free(chain);
}

/* ---- Structs for which there is no layout, or no room for another -------------------------------------------------------- */

typedef struct Large { Eight a, b, c; Small *small; Big *big; } Large;         /* with more nodes than a layout has room for */

#define PYTREE_STRUCT Large
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, a)                                  \
    PYTREE_FIELD(DATA, b)                                  \
    PYTREE_FIELD(DATA, c)                                  \
    PYTREE_FIELD(DATA, small, OPTIONAL)                    \
    PYTREE_FIELD(DATA, big, OPTIONAL)
#include "pytree_registry.h"

/* With as many as there is room for, but for what a pointer leads to. */
typedef struct Near { Eight a, b; Eight *c; Big *big; Small *small; } Near;

#define PYTREE_STRUCT Near
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, a)                                  \
    PYTREE_FIELD(DATA, b)                                  \
    PYTREE_FIELD(DATA, c, OPTIONAL)                        \
    PYTREE_FIELD(DATA, big, OPTIONAL)                      \
    PYTREE_FIELD(DATA, small, OPTIONAL)
#include "pytree_registry.h"

/* With more places of static values than an iterator has room for. */
typedef struct Tags { double first; Tag a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r; Small *small; } Tags;

#define PYTREE_STRUCT Tags
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, first)                              \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, e) \
    PYTREE_FIELD(DATA, f) PYTREE_FIELD(DATA, g) PYTREE_FIELD(DATA, h) PYTREE_FIELD(DATA, i) PYTREE_FIELD(DATA, j) \
    PYTREE_FIELD(DATA, k) PYTREE_FIELD(DATA, l) PYTREE_FIELD(DATA, m) PYTREE_FIELD(DATA, n) PYTREE_FIELD(DATA, o) \
    PYTREE_FIELD(DATA, p) PYTREE_FIELD(DATA, q) PYTREE_FIELD(DATA, r) PYTREE_FIELD(DATA, small, OPTIONAL)
#include "pytree_registry.h"

typedef struct Tagged { Small first; Tags *tags; } Tagged;

#define PYTREE_STRUCT Tagged
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, tags, OPTIONAL)
#include "pytree_registry.h"

typedef struct Room {
    Tags tags;
    Tagged tagged;
    Large large;
    Near near;
    Wide wide;
    Eight eights[3];
    Big big;
    Small small;
    float value[16];
} Room;

static void room_make(Room *room)
{
    Small *const all[] = { &room->large.a.a, &room->near.a.a, &room->eights[0].a, &room->big.x.a, &room->small,
                           &room->tagged.first };
    static const size_t counts[] = { 24, 16, 24, 32, 1, 1 };
    size_t i, k;
    memset(room, 0, sizeof *room);
    room->wide.n = 2;
    for (i = 0; i < COUNT_OF(all); i++) {
        for (k = 0; k < counts[i]; k++) { small_make(all[i] + k, room->value); }
    }
}

static void structs_that_are_too_large(void **state)
{
    static Room rooms[2];
    size_t what, k;
    (void)state;
    for (what = 0; what < 8; what++) {
        pytree all[2];
        for (k = 0; k < 2; k++) {
            Room *const room = &rooms[k];
            room_make(room);
            switch (what) {
            case 0: room->large.small = &room->small; all[k] = PYTREE(&room->large); break;
            case 1: room->large.big = &room->big; all[k] = PYTREE(&room->large); break;
            case 2: room->near.c = &room->eights[0]; all[k] = PYTREE(&room->near); break;
            case 3: room->near.big = &room->big; all[k] = PYTREE(&room->near); break;
            case 4: room->near.small = &room->small; all[k] = PYTREE(&room->near); break;
            case 5: room->tags.small = &room->small; all[k] = PYTREE(&room->tags); break;
            case 6: room->tagged.tags = &room->tags; all[k] = PYTREE(&room->tagged); break;
            default: room->wide.small = &room->small; all[k] = PYTREE(&room->wide);
            }
        }
        assert_agree(all[0], all[1]);
    }
}

typedef struct Larges { Large all[21]; } Larges;

#define PYTREE_STRUCT Larges
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all)
#include "pytree_registry.h"

/* So many that what is to be stored cannot be noted. */
static void many_structs_that_are_too_large(void **state)
{
    static Larges both[2];
    static Small more[2];
    static float values[2][8];
    size_t i, k, s;
    (void)state;
    memset(both, 0, sizeof both);
    for (k = 0; k < 2; k++) {
        small_make(&more[k], values[k]);
        for (i = 0; i < COUNT_OF(both[k].all); i++) {
            for (s = 0; s < 24; s++) { small_make(&both[k].all[i].a.a + s, values[k]); }
            both[k].all[i].small = i % 2 == 0 ? &more[k] : NULL;
        }
    }
    assert_agree(PYTREE(&both[0]), PYTREE(&both[1]));
    assert_ptr_equal(both[0].all[20].a.a.a, values[1]);
    assert_ptr_equal(more[0].a, values[1]);
}

/* What is wrong behind a pointer is found before the first leaf is mapped, also where there is no layout. */
static void nothing_is_mapped_before_all_is_checked(void **state)
{
    static Room room;
    static Seen seen;
    const pytree all[3] = { PYTREE(&room.large), PYTREE(&room.tags), PYTREE(&room.near) };
    size_t i;
    (void)state;
    room_make(&room);
    room.large.small = room.tags.small = room.near.small = &room.small;
    room.small.a = NULL;
    for (i = 0; i < COUNT_OF(all); i++) {
        pytree_error error = { 0 };
        seen.n = 0;
        assert_error(pytree_map(see, &seen, NULL, 1, &all[i], NULL, &error), PYTREE_NULL_POINTER, ".small.a", &error);
        assert_int_equal(seen.n, 0);
    }
}

/* ---- Structs in structs, whose layouts are copied ----------------------------------------------------------------------- */

typedef struct Gap { int m; double s; int n; } Gap;            /* static values in two places */

#define PYTREE_STRUCT Gap
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, s) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

typedef struct Label { const char *label; double s; } Label;

#define PYTREE_STRUCT Label
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, label) PYTREE_FIELD(DATA, s)
#include "pytree_registry.h"

typedef struct Ten { float *TEN(p); } Ten;

#define PYTREE_STRUCT Ten
#define PYTREE_FIELDS TEN_ROWS(p)
#include "pytree_registry.h"

typedef struct TwoGaps { Gap first, second; } TwoGaps;
typedef struct TwoLabels { Label first, second; } TwoLabels;
typedef struct TwoTens { Ten first, second; } TwoTens;

#define PYTREE_STRUCT TwoGaps
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

#define PYTREE_STRUCT TwoLabels
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

#define PYTREE_STRUCT TwoTens
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

typedef struct BigAndMore { Big big; double more; } BigAndMore;

#define PYTREE_STRUCT BigAndMore
#define PYTREE_FIELDS PYTREE_FIELD(DATA, big) PYTREE_FIELD(DATA, more)
#include "pytree_registry.h"

/* Each kind of struct for itself, and then in another one. */
typedef struct Kinds {
    Gap gap; TwoGaps gaps;
    Label label; TwoLabels labels;
    Ten ten; TwoTens tens;
    Big big; BigAndMore more;
} Kinds;

static void kinds_make(Kinds *kinds, float *value)
{
    Small *const smalls[2] = { &kinds->big.x.a, &kinds->more.big.x.a };
    Label *const labels[3] = { &kinds->label, &kinds->labels.first, &kinds->labels.second };
    Ten *const tens[3] = { &kinds->ten, &kinds->tens.first, &kinds->tens.second };
    size_t i;
    memset(kinds, 0, sizeof *kinds);
    kinds->gaps.second.m = 3;
    kinds->gaps.second.n = 5;
    for (i = 0; i < 32; i++) { small_make(smalls[0] + i, value); small_make(smalls[1] + i, value); }
    for (i = 0; i < 3; i++) { labels[i]->label = "label"; tens[i]->p2 = tens[i]->p9 = value; }
}

/* The same layouts where they are copied: a static value that differs is found in each place. */
static void layouts_in_layouts(void **state)
{
    static Kinds kinds[2];
    static float values[2][8];
    static Seen seen;
    size_t i, which;
    (void)state;
    for (i = 0; i < 6; i++) for (which = 0; which < 4; which++) {
        static const size_t differs[] = { 4, 0, 0, 1, 2, 3 };
        pytree both[2];
        pytree_error error = { 0 };
        pytree pairs[2][2];
        size_t k;
        kinds_make(&kinds[0], values[0]);
        kinds_make(&kinds[1], values[1]);
        if (i == 1) { kinds[1].gaps.second.n = 6; }
        if (i == 2) { kinds[1].gaps.first.m = 6; }
        if (i == 3) { kinds[1].labels.second.label = "other"; }
        if (i == 4) { kinds[0].tens.second.p9 = NULL; }       /* the other way round, a map gives None as the value */
        if (i == 5) { kinds[1].more.big.u.h.n = 1; }
        for (k = 0; k < 2; k++) {
            Kinds *const kind = &kinds[k];
            pairs[k][0] = which == 0 ? PYTREE(&kind->gap) : which == 1 ? PYTREE(&kind->label) : which == 2 ? PYTREE(&kind->ten)
                                                                                                : PYTREE(&kind->big);
            pairs[k][1] = which == 0 ? PYTREE(&kind->gaps) : which == 1 ? PYTREE(&kind->labels)
                : which == 2 ? PYTREE(&kind->tens) : PYTREE(&kind->more);
        }
        both[0] = PYTREE_TUPLE(pairs[0][0], pairs[0][1]);
        both[1] = PYTREE_TUPLE(pairs[1][0], pairs[1][1]);
        if (differs[i] != which) { assert_agree(both[0], both[1]); continue; }
        seen.n = 0;
        assert_int_equal(pytree_map(see, &seen, NULL, 2, both, NULL, &error), PYTREE_STRUCTURE);
        assert_int_equal(seen.n, 0);
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

/* Put the leaves of one world into another, at once or (`slow`) node by node. */
static void put(const World *from, World *to, bool slow, pytree_error *error)
{
    const pytree tree = PYTREE((Far *)(uintptr_t)&from->far);
    pytree_options options = { 0 };
    pytree_leaf leaves[WORLD_LEAVES + 3];
    pytree_leaf *all = leaves;
    pytree_def *def;
    assert_int_equal(pytree_flatten(tree, &all, COUNT_OF(leaves), &def, NULL, NULL), PYTREE_OK);
    memset(error, 0, sizeof *error);
    if (slow) { options.is_leaf = stops_nowhere; }
    (void)pytree_unflatten_into(def, pytree_def_num_leaves(def), leaves, PYTREE(&to->far), &options, error);
    pytree_def_free(def);
}

static void leaves_are_put_back(void **state)
{
    static World from, to;
    pytree_error error;
    (void)state;
    world_make(&from);
    world_make(&to);
    from.left.s = from.more.s = from.deep.last.s = from.far.one = 7;
    put(&from, &to, false, &error);
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
    case 12: to->far.near.first.a = NULL; return true;         /* before the first of them */
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
        put(&from, &to, false, &quick);
        assert_int_not_equal(quick.status, PYTREE_OK);
        assert_memory_equal(&to, &before, sizeof before);
        put(&from, &to, true, &slow);
        assert_int_equal(quick.status, slow.status);
        assert_string_equal(quick.path, slow.path);
        assert_string_equal(quick.message, slow.message);
    }
    assert_int_equal(what, 13);
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
        cmocka_unit_test(in_a_list), cmocka_unit_test(a_long_chain), cmocka_unit_test(structs_that_are_too_large),
        cmocka_unit_test(many_structs_that_are_too_large),
        cmocka_unit_test(nothing_is_mapped_before_all_is_checked), cmocka_unit_test(layouts_in_layouts)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
