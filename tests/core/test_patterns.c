/* Structs of a list that are like those before them are compared with those, and their views made of those views. A predicate
 * that stops nowhere makes every operation go the long way, node by node: both ways must agree, whatever is changed in one
 * struct of one tree, and where. */
#include "patterns_shared.h"

typedef struct Part {
    int8_t tag;
    int16_t kind;
    int32_t n, m;
    float *w, *bias;
    double x;
} Part;

#define PYTREE_STRUCT Part
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, tag)                                           \
    PYTREE_FIELD(STATIC, kind)                                          \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(STATIC, m)                                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->n, 2 * self->m + 1, self->n))     \
    PYTREE_FIELD(DATA, bias, ARRAY(self->m - self->tag), OPTIONAL)      \
    PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Block {
    Part first;
    int64_t k;
    Part last;
    float *v;
    int32_t c;
    float *u;
    int64_t steps;
} Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(DATA, first)                                           \
    PYTREE_FIELD(STATIC, k)                                             \
    PYTREE_FIELD(DATA, last)                                            \
    PYTREE_FIELD(DATA, v, ARRAY(self->k))                               \
    PYTREE_FIELD(STATIC, c)                                             \
    PYTREE_FIELD(DATA, u, ARRAY(self->c), OPTIONAL)                     \
    PYTREE_FIELD(DATA, steps)
#include "pytree_registry.h"

/* Extents that do not follow from static values alone. */
typedef struct Counted {
    int32_t n;
    float *w;
} Counted;

#define PYTREE_STRUCT Counted
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(DATA, n)                                               \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Asked {
    const int32_t *n;
    float *w;
} Asked;

static int asked_extent(const Asked *self);

#define PYTREE_STRUCT Asked
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(DROP, n)                                               \
    PYTREE_FIELD(DATA, w, ARRAY(asked_extent(self)))
#include "pytree_registry.h"

static int asked_extent(const Asked *self) { return self->n == NULL ? 1 : *self->n; }

typedef struct Dropped {
    int32_t n, scratch;
    float *w;
} Dropped;

#define PYTREE_STRUCT Dropped
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, n)                                             \
    PYTREE_FIELD(DROP, scratch)                                         \
    PYTREE_FIELD(DATA, w, ARRAY(self->n + self->scratch))
#include "pytree_registry.h"

enum { BLOCKS = 12, OTHERS = 9, TREES = 5 };

typedef struct Root {
    int32_t n_blocks, n_others;
    Block *blocks;
    Part *parts;
    Counted *counted;
    Asked *asked;
    Dropped *dropped;
} Root;

#define PYTREE_STRUCT Root
#define PYTREE_FIELDS                                                   \
    PYTREE_FIELD(STATIC, n_blocks)                                      \
    PYTREE_FIELD(STATIC, n_others)                                      \
    PYTREE_FIELD(DATA, blocks, LIST(self->n_blocks))                    \
    PYTREE_FIELD(DATA, parts, LIST(self->n_others))                     \
    PYTREE_FIELD(DATA, counted, LIST(self->n_others))                   \
    PYTREE_FIELD(DATA, asked, LIST(self->n_others))                     \
    PYTREE_FIELD(DATA, dropped, LIST(self->n_others))
#include "pytree_registry.h"

typedef struct Tree {
    Root root;
    Block blocks[BLOCKS];
    Part parts[OTHERS];
    Counted counted[OTHERS];
    Asked asked[OTHERS];
    Dropped dropped[OTHERS];
    int32_t extents[OTHERS];
    float memory[512];
    float *next;
} Tree;

static Tree trees[TREES];

static float *some(Tree *t)
{
    float *const p = t->next++;
    assert_true(p < t->memory + sizeof t->memory / sizeof t->memory[0]);
    return p;
}

/* Fills a part that is zero: its padding stays so, since trees are compared byte by byte. */
static void fill_part(Tree *t, Part *part, bool biased)
{
    part->tag = 1;
    part->kind = 2;
    part->n = 3;
    part->m = 2;
    part->x = 0.5;
    part->w = some(t);
    if (biased) { part->bias = some(t); }
}

/* `odd`: structs from there on have other static values, and no bias. */
static void fill(Tree *t, int odd)
{
    int i;
    memset(t, 0, sizeof *t);
    t->next = t->memory;
    for (i = 0; i < BLOCKS; i++) {
        Block *const b = &t->blocks[i];
        fill_part(t, &b->first, i < odd);
        fill_part(t, &b->last, true);
        b->k = i < odd ? 4 : 5;
        b->v = some(t);
        b->c = 3;
        if (odd > 5) { b->u = some(t); }
        b->steps = i;
    }
    for (i = 0; i < OTHERS; i++) {
        fill_part(t, &t->parts[i], false);
        t->counted[i].n = 2;
        t->counted[i].w = some(t);
        t->extents[i] = 3;
        t->asked[i].n = NULL;
        t->asked[i].w = some(t);
        t->dropped[i].n = 2;
        t->dropped[i].w = some(t);
    }
    t->root.n_blocks = BLOCKS;
    t->root.n_others = OTHERS;
    t->root.blocks = t->blocks;
    t->root.parts = t->parts;
    t->root.counted = t->counted;
    t->root.asked = t->asked;
    t->root.dropped = t->dropped;
}

/* ---- What is changed in struct i of one tree ---------------------------------------------------------------------- */

enum { CHANGES = 20 };

static void change(Tree *t, int what, int i)
{
    Block *const b = &t->blocks[i];
    const int k = i % OTHERS;
    switch (what) {
    case 0: break;
    case 1: b->first.tag++; break;
    case 2: b->last.kind++; break;
    case 3: b->last.n++; break;
    case 4: b->first.m = -1; break;
    case 5: b->k += INT64_C(1) << 33; break;
    case 6: b->first.w = NULL; break;
    case 7: b->v = NULL; break;
    case 8: b->first.bias = b->first.bias == NULL ? some(t) : NULL; break;
    case 9: b->u = b->u == NULL ? some(t) : NULL; break;
    case 18: b->c++; break;
    case 10: b->last.x = 7; break;
    case 11: b->steps = 99; break;
    case 12: t->counted[k].n = 3; break;
    case 13: t->asked[k].n = &t->extents[k]; break;
    case 14: t->dropped[k].scratch = 1; break;
    case 15: t->parts[k].bias = some(t); break;
    case 16: t->parts[k].w = NULL; break;
    case 17: b->k = 0; b->v = NULL; break;
    default: b->last.bias = NULL; b->first.n = 0; b->first.w = NULL; break;
    }
}

/* ---- Both ways ---------------------------------------------------------------------------------------------------------- */

static pytree_status visit(void *context, const pytree_iter *it)
{
    Seen *const s = (Seen *)context;
    note_leaves(s, it);
    if (s->n == 9 && s->what != 0) { change(&trees[s->tree], s->what, s->at); }
    return PYTREE_OK;
}

static pytree_status map_trees(Seen *s, size_t n, bool out, bool plain, pytree_error *error)
{
    pytree all[TREES];
    size_t k;
    for (k = 0; k < n; k++) { all[k] = PYTREE(&trees[k].root); }
    return map_seen(visit, s, n, all, out, plain, error);
}

/* Maps over one to five trees, of which tree `which` was changed (all of them: TREES). */
static int map_both_ways(size_t which)
{
    pytree_error error, other;
    Seen a = { 0, 0, 0, 0, 0 }, b = a;
    size_t n;
    int refused = 0;
    for (n = which < TREES ? which + 1 : 1; n <= TREES; n++) {
        const pytree_status status = map_trees(&a, n, n > 1 && n % 2 == 0, true, &error);
        assert_int_equal(status, map_trees(&b, n, n > 1 && n % 2 == 0, false, &other));
        assert_same(&a, &b, &error, &other);
        refused += status != PYTREE_OK;
    }
    return refused;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------- */

static void map_over_changed_trees(void **state)
{
    const int step = slow_here() ? 11 : 1;
    int what, i, odd, refused = 0;
    size_t which, k;
    (void)state;
    for (odd = 0; odd <= BLOCKS; odd += slow_here() ? 10 : 5) {
        for (what = 0; what < CHANGES; what++) {
            for (i = 0; i < BLOCKS; i += step) {
                for (which = 0; which <= TREES; which += 1) {
                    for (k = 0; k < TREES; k++) {
                        fill(&trees[k], odd);
                        if (k == which || which == TREES) { change(&trees[k], what, i); }
                    }
                    refused += map_both_ways(which);
                }
            }
        }
    }
    assert_true(refused > 1000 || step != 1);
}

/* A callback must not change a struct that comes later. Where it does, views show what the struct was or has become, and no
 * more leaves than there are. */
static void map_that_changes_a_tree(void **state)
{
    const int step = slow_here() ? 4 : 1;
    int what, i;
    (void)state;
    for (what = 1; what < CHANGES; what++) {
        for (i = 3; i < BLOCKS; i += step) {
            size_t n, k, way;
            /* tree 1 of two to four, tree 2 or 3 of four; in the first one only what must not be NULL */
            for (way = 0; way < (what == 6 || what == 7 ? 6 : 5); way++) {
                pytree_error error, other;
                Seen a = { 0, 0, 0, 0, 0 }, b = a;
                pytree_status status;
                n = way < 3 ? way + 2 : 4;
                a.tree = b.tree = way < 3 ? 1 : way == 5 ? 0 : (int)way - 1;
                a.what = b.what = what;
                a.at = b.at = i;
                for (k = 0; k < TREES; k++) { fill(&trees[k], BLOCKS); }
                status = map_trees(&a, n, false, true, &error);
                for (k = 0; k < TREES; k++) { fill(&trees[k], BLOCKS); }
                (void)map_trees(&b, n, false, false, &other);
                if (status == PYTREE_OK && other.status == PYTREE_OK) { assert_same(&a, &b, &error, &other); }
                else { assert_true(a.n < 400 && b.n < 400); }
            }
        }
    }
}

/* Leaves into a tree: of one that was changed before or after it was flattened, with leaves that were changed. */
static int into_both_ways(const pytree_def *def, const pytree_leaf *leaves)
{
    const pytree_options opt = options(false);
    static Tree first, before;
    pytree_error error = { 0 }, other = { 0 };
    pytree_status status;
    memcpy(&before, &trees[1], sizeof before);
    status = pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&trees[1].root), NULL, &error);
    memcpy(&first, &trees[1], sizeof first);
    memcpy(&trees[1], &before, sizeof before);
    assert_int_equal(status, pytree_unflatten_into(def, def->n_leaves, leaves, PYTREE(&trees[1].root), &opt, &other));
    assert_int_equal(error.status, other.status);
    assert_string_equal(error.path, other.path);
    assert_string_equal(error.message, other.message);
    assert_memory_equal(&first, &trees[1], sizeof first);
    if (status != PYTREE_OK) { assert_memory_equal(&before, &trees[1], sizeof before); }
    return status != PYTREE_OK;
}

static void leaves_into_changed_trees(void **state)
{
    const int step = slow_here() ? 11 : 1;
    int what, i, odd, refused = 0;
    (void)state;
    for (odd = 0; odd <= BLOCKS; odd += 5) {
        for (what = 0; what < CHANGES; what++) {
            for (i = 0; i < BLOCKS; i += step) {
                int which;
                for (which = 0; which < 3; which++) {          /* in the source, the destination, both */
                    pytree_error error = { 0 };
                    pytree_leaf *leaves = NULL;
                    pytree_def *def;
                    fill(&trees[0], odd);
                    fill(&trees[1], odd);
                    if (which != 1) { change(&trees[0], what, i); }
                    if (which != 0) { change(&trees[1], what, i); }
                    if (pytree_flatten(PYTREE(&trees[0].root), &leaves, 0, &def, NULL, &error) != PYTREE_OK) { continue; }
                    refused += into_both_ways(def, leaves);
                    pytree_def_free(def);
                }
            }
        }
    }
    assert_true(refused > 300 || step != 1);
}

static void changed_leaves(void **state)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t k;
    int what, refused = 0;
    (void)state;
    fill(&trees[0], BLOCKS);
    assert_ok(pytree_flatten(PYTREE(&trees[0].root), &leaves, 0, &def, NULL, &error), &error);
    for (k = 0; k < def->n_leaves; k++) {
        for (what = 0; what < 7; what++) {
            const pytree_leaf before = leaves[k];
            fill(&trees[1], BLOCKS);
            switch (what) {
            case 0: leaves[k].data = NULL; break;
            case 1: leaves[k].type = PYTREE_TYPE(int32_t); break;
            case 2: leaves[k].ndim = leaves[k].ndim == 0 ? 1 : 0; leaves[k].shape[0] = 1; break;
            case 3: leaves[k].shape[0]++; break;
            case 4: leaves[k].shape[1]++; break;
            case 5: leaves[k].shape[2]++; break;
            default: leaves[k].form = PYTREE_FORM_NONE; break;
            }
            refused += into_both_ways(def, leaves);
            leaves[k] = before;
        }
    }
    assert_true((size_t)refused > 3 * def->n_leaves);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_over_changed_trees),
        cmocka_unit_test(map_that_changes_a_tree),
        cmocka_unit_test(leaves_into_changed_trees),
        cmocka_unit_test(changed_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
