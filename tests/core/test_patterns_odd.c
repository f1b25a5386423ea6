/* Structs of a list whose views do not follow from the struct before them, or only where one looks closely: extents that are
 * spelt in other ways, strings, pointers to structs, more pointers than a pattern has places for, structs without a layout.
 * What is not seen here is that such structs are compared one by one; what is seen is that nothing else comes of them. */
#include "patterns_shared.h"

enum { LEN = 9, TREES = 5 };

/* An array that no extent is read from, and a name that begins like another. */
typedef struct Spelt {
    int32_t shape[2], n, nn;
    float *a, *b, *c;
} Spelt;

#define PYTREE_STRUCT Spelt
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, shape)                                         \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(STATIC, nn)                                            \
    PYTREE_FIELD(DATA, a, ARRAY(self->nn, self->n))                     \
    PYTREE_FIELD(DATA, b, ARRAY(2 * self->n))                           \
    PYTREE_FIELD(DATA, c, ARRAY((self->nn - self->n) + 1))
#include "pytree_registry.h"

/* An operator that patterns do not know. */
typedef struct Masked {
    int32_t n;
    float *w;
} Masked;

#define PYTREE_STRUCT Masked
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n & 3))
#include "pytree_registry.h"

/* An extent behind an address that is static: structs with equal static values, one after the other, may have others. */
typedef struct Linked {
    int32_t **link;
    float *w;
} Linked;

#define PYTREE_STRUCT Linked
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, link) PYTREE_FIELD(DATA, w, ARRAY(2 * **self->link))
#include "pytree_registry.h"

typedef struct Labelled {
    int32_t n;
    char *label;
} Labelled;

#define PYTREE_STRUCT Labelled
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, label)
#include "pytree_registry.h"

typedef struct Titled {
    char title[8];
    int32_t n;
} Titled;

#define PYTREE_STRUCT Titled
#define PYTREE_FIELDS PYTREE_FIELD(DATA, title, STRING) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

typedef struct Called {
    const char *name;
    float *w;
} Called;

#define PYTREE_STRUCT Called
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, w, ARRAY(2))
#include "pytree_registry.h"

typedef struct Chained {
    int32_t n;
    Masked *next;
    float x[3];
} Chained;

#define PYTREE_STRUCT Chained
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, next, OPTIONAL) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define NINE(f) f##0, *f##1, *f##2, *f##3, *f##4, *f##5, *f##6, *f##7, *f##8
#define MAYBE(f) PYTREE_FIELD(DATA, f, ARRAY(1), OPTIONAL)
#define NINE_ROWS(f)                                                                                                    \
    MAYBE(f##0) MAYBE(f##1) MAYBE(f##2) MAYBE(f##3) MAYBE(f##4) MAYBE(f##5) MAYBE(f##6) MAYBE(f##7) MAYBE(f##8)

typedef struct Many { float *NINE(a), *NINE(b); } Many;        /* more that may be None than a pattern has places for */

#define PYTREE_STRUCT Many
#define PYTREE_FIELDS NINE_ROWS(a) NINE_ROWS(b)
#include "pytree_registry.h"

typedef struct Long { float *NINE(a), *NINE(b), *NINE(c), *NINE(d); } Long;    /* more than a layout has */

#define PYTREE_STRUCT Long
#define PYTREE_FIELDS NINE_ROWS(a) NINE_ROWS(b) NINE_ROWS(c) NINE_ROWS(d)
#include "pytree_registry.h"

/* A struct among whose nodes others of its type may stand, and one whose static values lie in two places. */
typedef struct Twig Twig;
struct Twig { Twig *left, *right; };

#define PYTREE_STRUCT Twig
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left, OPTIONAL) PYTREE_FIELD(DATA, right, OPTIONAL)
#include "pytree_registry.h"

typedef struct Parted { int32_t n; float x; int32_t m; } Parted;

#define PYTREE_STRUCT Parted
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x) PYTREE_FIELD(STATIC, m)
#include "pytree_registry.h"

enum { SPELT, MASKED, LINKED, LABELLED, TITLED, CALLED, CHAINED, MANY, LONG, TWIGS, PARTED, KINDS };

typedef struct Root {
    int32_t n[KINDS];
    Spelt *spelt;
    Masked *masked;
    Linked *linked;
    Labelled *labelled;
    Titled *titled;
    Called *called;
    Chained *chained;
    Many *many;
    Long *longs;
    Twig *twigs;
    Parted *parted;
} Root;

#define PYTREE_STRUCT Root
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(DATA, spelt, LIST(self->n[SPELT]))                     \
    PYTREE_FIELD(DATA, masked, LIST(self->n[MASKED]))                   \
    PYTREE_FIELD(DATA, linked, LIST(self->n[LINKED]))                   \
    PYTREE_FIELD(DATA, labelled, LIST(self->n[LABELLED]))               \
    PYTREE_FIELD(DATA, titled, LIST(self->n[TITLED]))                   \
    PYTREE_FIELD(DATA, called, LIST(self->n[CALLED]))                   \
    PYTREE_FIELD(DATA, chained, LIST(self->n[CHAINED]))                 \
    PYTREE_FIELD(DATA, many, LIST(self->n[MANY]))                       \
    PYTREE_FIELD(DATA, longs, LIST(self->n[LONG]))                      \
    PYTREE_FIELD(DATA, twigs, LIST(self->n[TWIGS]))                     \
    PYTREE_FIELD(DATA, parted, LIST(self->n[PARTED]))
#include "pytree_registry.h"

typedef struct Tree {
    Root root;
    union {
        Spelt spelt[LEN];
        Masked masked[LEN];
        Linked linked[LEN];
        Labelled labelled[LEN];
        Titled titled[LEN];
        Called called[LEN];
        Chained chained[LEN];
        Many many[LEN];
        Long longs[LEN];
        Twig twigs[LEN];
        Parted parted[LEN];
    } of;
    Masked behind;
    Twig small[2], larger;                /* of 3 nodes each, and of 5 */
    float floats[16];
} Tree;

static Tree trees[TREES];
static int32_t one, two, *to_one = &one, *to_two = &two;
static char text[8] = "text", other[8] = "other";

/* One kind of struct alone, so that what is tried with others counts for nothing. */
static void fill(Tree *t, int kind)
{
    int i;
    memset(t, 0, sizeof *t);
    one = 1;
    two = 2;
    t->root.n[kind] = LEN;
    switch (kind) {
    case SPELT: t->root.spelt = t->of.spelt; break;
    case MASKED: t->root.masked = t->of.masked; break;
    case LINKED: t->root.linked = t->of.linked; break;
    case LABELLED: t->root.labelled = t->of.labelled; break;
    case TITLED: t->root.titled = t->of.titled; break;
    case CALLED: t->root.called = t->of.called; break;
    case CHAINED: t->root.chained = t->of.chained; break;
    case MANY: t->root.many = t->of.many; break;
    case TWIGS: t->root.twigs = t->of.twigs; break;
    case PARTED: t->root.parted = t->of.parted; break;
    default: t->root.longs = t->of.longs; break;
    }
    t->larger.left = &t->small[1];
    t->behind.n = 1;
    t->behind.w = t->floats;
    for (i = 0; i < LEN; i++) {
        switch (kind) {
        case SPELT:
            t->of.spelt[i].n = 2;
            t->of.spelt[i].nn = 3;
            t->of.spelt[i].a = t->of.spelt[i].b = t->of.spelt[i].c = t->floats;
            break;
        case MASKED:
            t->of.masked[i].n = 5;
            t->of.masked[i].w = t->floats + i % 2;
            break;
        case LINKED:
            t->of.linked[i].link = &to_one;
            t->of.linked[i].w = t->floats + i % 2;
            break;
        case LABELLED:
            t->of.labelled[i].n = 1;
            t->of.labelled[i].label = text;
            break;
        case TITLED: memcpy(t->of.titled[i].title, text, sizeof text); break;
        case CALLED:
            t->of.called[i].name = "name";
            t->of.called[i].w = t->floats + i % 2;
            break;
        case CHAINED:
            t->of.chained[i].n = 3;
            t->of.chained[i].x[1] = (float)i;
            break;
        case TWIGS: break;
        case PARTED:
            t->of.parted[i].n = 1;
            t->of.parted[i].m = 2;
            break;
        case MANY:
            t->of.many[i].a0 = t->of.many[i].b7 = t->floats + i % 2;
            break;
        default:
            t->of.longs[i].a1 = t->of.longs[i].d8 = t->floats + i % 2;
            break;
        }
    }
}

/* What is changed in a struct, and what a map over a tree and the changed one says then: None in place of a leaf is a value. */
static const struct Change {
    int kind;
    pytree_status status;
    const char *path;                     /* behind that of the struct */
} changes[] = {
    { SPELT, PYTREE_OK, "" }, { SPELT, PYTREE_STRUCTURE, "" }, { SPELT, PYTREE_STRUCTURE, "" }, { SPELT, PYTREE_STRUCTURE, "" },
    { SPELT, PYTREE_NULL_POINTER, ".b" },
    { MASKED, PYTREE_OK, "" }, { MASKED, PYTREE_STRUCTURE, "" }, { MASKED, PYTREE_NULL_POINTER, ".w" },
    { LINKED, PYTREE_OK, "" }, { LINKED, PYTREE_STRUCTURE, "" },
    { LABELLED, PYTREE_OK, "" }, { LABELLED, PYTREE_OK, "" }, { LABELLED, PYTREE_NULL_POINTER, ".label" },
    { TITLED, PYTREE_OK, "" }, { TITLED, PYTREE_OK, "" }, { TITLED, PYTREE_VALUE, ".title" },
    { CALLED, PYTREE_OK, "" }, { CALLED, PYTREE_STRUCTURE, "" },
    { CHAINED, PYTREE_OK, "" }, { CHAINED, PYTREE_STRUCTURE, ".next" }, { CHAINED, PYTREE_STRUCTURE, "" },
    { MANY, PYTREE_OK, "" }, { MANY, PYTREE_OK, "" }, { MANY, PYTREE_STRUCTURE, ".b8" },
    { LONG, PYTREE_OK, "" }, { LONG, PYTREE_OK, "" }, { LONG, PYTREE_STRUCTURE, ".d0" },
    { TWIGS, PYTREE_OK, "" }, { TWIGS, PYTREE_STRUCTURE, ".left" }, { TWIGS, PYTREE_STRUCTURE, ".right" },
    { PARTED, PYTREE_OK, "" }, { PARTED, PYTREE_STRUCTURE, "" }, { PARTED, PYTREE_STRUCTURE, "" },
};

static void change(Tree *t, size_t c, int i)
{
    size_t what = 0;
    while (what < c && changes[c - what - 1].kind == changes[c].kind) { what++; }
    if (what == 0) { return; }
    switch (changes[c].kind) {
    case SPELT:
        if (what == 1) { t->of.spelt[i].n++; }
        else if (what == 2) { t->of.spelt[i].nn++; }
        else if (what == 3) { t->of.spelt[i].shape[1]++; }
        else { t->of.spelt[i].b = NULL; }
        break;
    case MASKED:
        if (what == 1) { t->of.masked[i].n = 6; } else { t->of.masked[i].w = NULL; }
        break;
    case LINKED: t->of.linked[i].link = &to_two; break;
    case LABELLED: t->of.labelled[i].label = what == 1 ? other : NULL; break;
    case TITLED:
        if (what == 1) { memcpy(t->of.titled[i].title, other, sizeof other); }
        else { memset(t->of.titled[i].title, 'x', sizeof t->of.titled[i].title); }
        break;
    case CALLED: t->of.called[i].name = "another name"; break;
    case CHAINED:
        if (what == 1) { t->of.chained[i].next = &t->behind; } else { t->of.chained[i].n++; }
        break;
    case TWIGS:                           /* of 9 nodes, as many as three have */
        if (what == 1) { t->of.twigs[i].left = &t->small[0]; }
        t->of.twigs[i].right = &t->larger;
        break;
    case PARTED:
        if (what == 1) { t->of.parted[i].n++; } else { t->of.parted[i].m++; }
        break;
    case MANY:
        if (what == 1) { t->of.many[i].a0 = NULL; } else { t->of.many[i].b8 = t->floats; }
        break;
    default:
        if (what == 1) { t->of.longs[i].a1 = NULL; } else { t->of.longs[i].d0 = t->floats; }
        break;
    }
}

static pytree_status visit(void *context, const pytree_iter *it)
{
    Seen *const s = (Seen *)context;
    note_leaves(s, it);
    if (s->n == 4 && s->what != 0) { one = s->what; }
    return PYTREE_OK;
}

static pytree_status map_trees(Seen *s, size_t n, bool out, bool plain, pytree_error *error)
{
    pytree all[TREES];
    size_t k;
    for (k = 0; k < n; k++) { all[k] = PYTREE(&trees[k].root); }
    return map_seen(visit, s, n, all, out, plain, error);
}

static void map_both_ways(size_t n, bool out, pytree_error *error)
{
    pytree_error other_way;
    Seen a = { 0, 0, 0, 0, 0 }, b = a;
    const pytree_status status = map_trees(&a, n, out, true, error);
    assert_int_equal(status, map_trees(&b, n, out, false, &other_way));
    assert_same(&a, &b, error, &other_way);
}

/* `plain`: the treedef has no other nodes than rows say, and is known to. */
static void into_both_ways(bool plain)
{
    const pytree_options opt = options(false), flat = options(plain);
    static Tree first, before;
    pytree_error error = { 0 }, other_way = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    if (pytree_flatten(PYTREE(&trees[0].root), &leaves, 0, &def, &flat, &error) != PYTREE_OK) { return; }
    memcpy(&before, &trees[1], sizeof before);
    pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&trees[1].root), NULL, &error);
    memcpy(&first, &trees[1], sizeof first);
    memcpy(&trees[1], &before, sizeof before);
    pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&trees[1].root), &opt, &other_way);
    assert_int_equal(error.status, other_way.status);
    assert_string_equal(error.path, other_way.path);
    assert_string_equal(error.message, other_way.message);
    assert_memory_equal(&first, &trees[1], sizeof first);
    pytree_def_free(def);
}

static void make(size_t which, size_t c, int i)
{
    size_t k;
    for (k = 0; k < TREES; k++) {
        fill(&trees[k], changes[c].kind);
        if (k == which) { change(&trees[k], c, i); }
    }
}

static void structs_with_no_pattern(void **state)
{
    static const char *const names[KINDS] = {
        "spelt", "masked", "linked", "labelled", "titled", "called", "chained", "many", "longs", "twigs", "parted",
    };
    const int step = slow_here() ? 3 : 1;
    size_t c, which, n;
    int i;
    (void)state;
    for (c = 0; c < COUNT_OF(changes); c++) {
        for (i = 0; i < LEN; i += step) {
            for (which = 0; which < TREES; which++) {
                pytree_error error;
                make(which, c, i);
                for (n = which + 1; n <= TREES; n++) {
                    map_both_ways(n, false, &error);
                    if (n == 2 && which == 1) {
                        char path[60];
                        snprintf(path, sizeof path, ".%s[%d]%s", names[changes[c].kind], i, changes[c].path);
                        assert_error(error.status, changes[c].status, changes[c].status == PYTREE_OK ? "" : path, &error);
                    }
                    if (n > 1) { map_both_ways(n, true, &error); }
                }
                if (which < 2) { into_both_ways(true); }
                if (which < 2) { into_both_ways(false); }
            }
        }
    }
}

/* A callback changes an extent that structs with equal static values read: those that come later have the new one. */
static void extents_behind_an_address(void **state)
{
    size_t n;
    (void)state;
    for (n = 1; n <= 4; n++) {
        pytree_error error, other_way;
        Seen a = { 0, 0, 3, 0, 0 }, b = a;
        make(TREES, 8, 0);                /* Linked */
        assert_ok(map_trees(&a, n, false, true, &error), &error);
        one = 1;
        assert_ok(map_trees(&b, n, false, false, &other_way), &other_way);
        assert_int_equal(a.n, LEN);
        assert_same(&a, &b, &error, &other_way);
    }
}

/* ---- More than the first pass can note ------------------------------------------------------------------------------- */

enum { GROUPS = 40, EACH = 3 };

typedef struct Lists {
    int32_t n;
    Parted *groups;                       /* each of three alike */
    Long *longs;                          /* without a layout */
    Parted *few;
} Lists;

#define PYTREE_STRUCT Lists
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(DATA, groups, LIST(self->n))                           \
    PYTREE_FIELD(DATA, longs, LIST(LEN))                                \
    PYTREE_FIELD(DATA, few, LIST(2))
#include "pytree_registry.h"

static Parted groups[2][GROUPS * EACH], few[2];
static Long longs[2][LEN];
static Lists lists[2];

static void fill_lists(void)
{
    static float x;
    int i, k;
    for (k = 0; k < 2; k++) {
        for (i = 0; i < GROUPS * EACH; i++) {
            groups[k][i].n = i / EACH;
            groups[k][i].m = 2;
        }
        for (i = 0; i < LEN; i++) { longs[k][i].b3 = &x; }
        lists[k].n = GROUPS * EACH;
        lists[k].groups = groups[k];
        lists[k].longs = longs[k];
        lists[k].few = few;
    }
}

/* At its first leaf the callback makes the lists shorter, which were found to be alike. */
static pytree_status shorten(void *context, const pytree_iter *it)
{
    Seen *const s = (Seen *)context;
    size_t k;
    if (s->n++ == 0 && s->what != 0) { lists[0].n = lists[1].n = s->what; }
    for (k = 0; k < it->n; k++) { note_leaf(s, it->leaf[k]); }
    return PYTREE_OK;
}

static void more_stretches_than_are_noted(void **state)
{
    int what;
    (void)state;
    for (what = 0; what < 12; what++) {
        static float first = 1;
        pytree both[2];
        const pytree_options opt = options(false);
        pytree_error error = { 0 }, other_way = { 0 };
        Seen a = { 0, 0, 0, 0, 0 }, b = a;
        both[0] = PYTREE_LIST(PYTREE(&first), PYTREE(&lists[0]));
        both[1] = PYTREE_LIST(PYTREE(&first), PYTREE(&lists[1]));
        a.what = b.what = what;
        fill_lists();
        assert_ok(pytree_map(shorten, &a, NULL, 2, both, NULL, &error), &error);
        fill_lists();
        assert_ok(pytree_map(shorten, &b, NULL, 2, both, &opt, &other_way), &other_way);
        assert_same(&a, &b, &error, &other_way);
        assert_int_equal(a.n, 1 + (what == 0 ? GROUPS * EACH : what) + LEN + 2);
    }
}

/* Arrays that may be NULL are as long as a function says, which no text of a row tells. */
typedef struct Loose { const int32_t *n; float *w; } Loose;
typedef struct Loosely { int32_t n; Loose *list; } Loosely;

static int loose_extent(const Loose *self);

#define PYTREE_STRUCT Loose
#define PYTREE_FIELDS PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, w, ARRAY(loose_extent(self)), OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_STRUCT Loosely
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

static int loose_extent(const Loose *self) { return self->n == NULL ? 1 : *self->n; }

static pytree_status add_extents(void *context, const pytree_iter *it)
{
    *(size_t *)context = *(size_t *)context * 3 + it->leaf[0]->shape[0];
    assert_int_equal(it->leaf[0]->shape[0], it->leaf[1]->shape[0]);
    return PYTREE_OK;
}

static void lengths_that_a_function_gives(void **state)
{
    enum { N = 12 };
    static float values[3];
    int32_t lengths[N];
    Loose loose[2][N];
    const Loosely both[2] = { { N, loose[0] }, { N, loose[1] } };
    const pytree loosely[2] = { PYTREE(&both[0]), PYTREE(&both[1]) };
    pytree_error error = { 0 };
    size_t seen = 0, expected = 0, i;
    (void)state;
    for (i = 0; i < N; i++) {
        lengths[i] = (int32_t)(i % 3) + 1;
        loose[0][i].n = loose[1][i].n = &lengths[i];
        loose[0][i].w = loose[1][i].w = values;
        expected = expected * 3 + i % 3 + 1;
    }
    assert_ok(pytree_map(add_extents, &seen, NULL, 2, loosely, NULL, &error), &error);
    assert_int_equal(seen, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_with_no_pattern),
        cmocka_unit_test(extents_behind_an_address),
        cmocka_unit_test(more_stretches_than_are_noted),
        cmocka_unit_test(lengths_that_a_function_gives)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
