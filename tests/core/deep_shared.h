/* deep_shared.h: structs, trees and helpers of test_deep.c. */
#ifndef DEEP_SHARED_H
#define DEEP_SHARED_H

#include "support.h"

#include "pytree/treedef_io.h"

/* ---- Structs ----------------------------------------------------------------------------------------------------------- */

typedef struct Small {
    int n;
    float *a, *b;                         /* b may be NULL */
    double s;
} Small;

#define PYTREE_STRUCT Small
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, a, ARRAY(self->n, 2))               \
    PYTREE_FIELD(DATA, b, ARRAY(self->n), OPTIONAL)        \
    PYTREE_FIELD(DATA, s)
#include "pytree_registry.h"

typedef struct Tag { int tag; } Tag;      /* a node without children */

#define PYTREE_STRUCT Tag
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, tag)
#include "pytree_registry.h"

typedef struct Named {
    signed char blob[600];                       /* many static bytes */
    const char *name;
    float *w;
    const char *label;                    /* may be NULL */
} Named;

#define PYTREE_STRUCT Named
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, blob)                             \
    PYTREE_FIELD(STATIC, name)                             \
    PYTREE_FIELD(DATA, w, ARRAY(3))                        \
    PYTREE_FIELD(DATA, label, OPTIONAL)
#include "pytree_registry.h"

typedef struct Middle {
    Small first;
    Tag tag;
    Small *more;                          /* may be NULL: a node of its own */
    Small last;
} Middle;

#define PYTREE_STRUCT Middle
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, first)                              \
    PYTREE_FIELD(DATA, tag)                                \
    PYTREE_FIELD(DATA, more, OPTIONAL)                     \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

typedef struct Eight { Small a, b, c, d, e, f, g, h; } Eight;

#define PYTREE_STRUCT Eight
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, a)                                  \
    PYTREE_FIELD(DATA, b)                                  \
    PYTREE_FIELD(DATA, c)                                  \
    PYTREE_FIELD(DATA, d)                                  \
    PYTREE_FIELD(DATA, e)                                  \
    PYTREE_FIELD(DATA, f)                                  \
    PYTREE_FIELD(DATA, g)                                  \
    PYTREE_FIELD(DATA, h)
#include "pytree_registry.h"

typedef struct Big { Eight x, y, z, u; } Big;                  /* more leaves than there are bits or views */

#define PYTREE_STRUCT Big
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)                                  \
    PYTREE_FIELD(DATA, y)                                  \
    PYTREE_FIELD(DATA, z)                                  \
    PYTREE_FIELD(DATA, u)
#include "pytree_registry.h"

/* More children that may be None than a plan has bits for. */
#define TEN(f) f##0, *f##1, *f##2, *f##3, *f##4, *f##5, *f##6, *f##7, *f##8, *f##9

#define MAYBE(f) PYTREE_FIELD(DATA, f, ARRAY(1), OPTIONAL)

#define TEN_ROWS(f)                                                                                                     \
    MAYBE(f##0) MAYBE(f##1) MAYBE(f##2) MAYBE(f##3) MAYBE(f##4) MAYBE(f##5) MAYBE(f##6) MAYBE(f##7) MAYBE(f##8) MAYBE(f##9)

typedef struct Long { float *TEN(a), *TEN(b), *TEN(c), *TEN(d), *TEN(e), *TEN(f), *TEN(g), *TEN(h); } Long;

#define PYTREE_STRUCT Long
#define PYTREE_FIELDS                                                                                                   \
    TEN_ROWS(a) TEN_ROWS(b) TEN_ROWS(c) TEN_ROWS(d) TEN_ROWS(e) TEN_ROWS(f) TEN_ROWS(g) TEN_ROWS(h)
#include "pytree_registry.h"

enum { LIST = 9, FLOATS = 4096, SMALL = 64, FARS = 3 };

typedef struct Far {                      /* pointers in several places, to structs that may have such pointers in turn */
    Small *left;
    Middle near;
    Tag *mark;
    double one;
    Middle *deep;
    Small last;
} Far;

#define FAR_ROWS                                           \
    PYTREE_FIELD(DATA, left, OPTIONAL)                     \
    PYTREE_FIELD(DATA, near)                               \
    PYTREE_FIELD(DATA, mark, OPTIONAL)                     \
    PYTREE_FIELD(DATA, one)                                \
    PYTREE_FIELD(DATA, deep, OPTIONAL)                     \
    PYTREE_FIELD(DATA, last)

#define PYTREE_STRUCT Far
#define PYTREE_FIELDS FAR_ROWS
#include "pytree_registry.h"

typedef struct Whole {
    Middle middle;
    size_t n;
    Middle *list;
    Named named;
    Big big;
    Middle pair[2];
    Far far[FARS];
} Whole;

#define PYTREE_STRUCT Whole
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, middle)                             \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, list, LIST(self->n))                \
    PYTREE_FIELD(DATA, named)                              \
    PYTREE_FIELD(DATA, big)                                \
    PYTREE_FIELD(DATA, pair)                               \
    PYTREE_FIELD(DATA, far)
#include "pytree_registry.h"

typedef struct Tree {
    Whole whole;
    Middle list[LIST];
    Small more[SMALL];
    Middle deep[FARS];
    Tag marks[FARS];
    float floats[FLOATS];
    size_t n_more, n_floats;
} Tree;

/* ---- Trees by chance --------------------------------------------------------------------------------------------------- */

static uint32_t seed;

static inline uint32_t chance(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % n;
}

static inline float *floats(Tree *t, size_t n)
{
    float *p = t->floats + t->n_floats;
    t->n_floats += n;
    assert_true(t->n_floats <= FLOATS);
    return p;
}

static inline void fill_small(Tree *t, Small *s)
{
    s->n = 1 + (int)chance(2);
    s->a = floats(t, (size_t)s->n * 2);
    s->b = chance(2) != 0 ? floats(t, (size_t)s->n) : NULL;
    s->s = chance(100);
}

static inline void fill_middle(Tree *t, Middle *m)
{
    fill_small(t, &m->first);
    fill_small(t, &m->last);
    m->tag.tag = (int)chance(3);
    m->more = NULL;
    if (chance(3) == 0) {
        m->more = &t->more[t->n_more++];
        fill_small(t, m->more);
    }
}

/* Number i of the tree's structs with pointers. Most have one or two pointers that are set. */
static inline void fill_far(Tree *t, Far *far, size_t i)
{
    memset(far, 0, sizeof *far);
    fill_middle(t, &far->near);
    fill_small(t, &far->last);
    if (chance(4) == 0) { far->left = &t->more[t->n_more++]; fill_small(t, far->left); }
    if (chance(3) == 0) { far->mark = &t->marks[i]; far->mark->tag = (int)chance(3); }
    if (chance(3) == 0) { far->deep = &t->deep[i]; fill_middle(t, far->deep); }
}

static inline void fill_tree(Tree *t)
{
    Small *small = &t->whole.big.x.a;
    size_t i;
    memset(t, 0, sizeof *t);
    fill_middle(t, &t->whole.middle);
    fill_middle(t, &t->whole.pair[0]);
    fill_middle(t, &t->whole.pair[1]);
    t->whole.n = chance(LIST + 1);
    t->whole.list = t->list;
    for (i = 0; i < t->whole.n; i++) { fill_middle(t, &t->list[i]); }
    for (i = 0; i < sizeof(Big) / sizeof(Small); i++) { fill_small(t, small + i); }
    for (i = 0; i < FARS; i++) { fill_far(t, &t->whole.far[i], i); }
    t->whole.named.name = chance(2) != 0 ? "one" : "other";
    t->whole.named.w = floats(t, 3);
    t->whole.named.label = chance(2) != 0 ? "label" : NULL;
}

/* Changes what a pointer leads to. False: it leads nowhere. */
static inline bool spoil_far(Far *far, uint32_t what, float *value)
{
    Small *const pointed[] = { far->left, far->near.more, far->deep == NULL ? NULL : &far->deep->last };
    Small *small = pointed[chance(3)];
    if (what == 11) { if (far->mark != NULL) { far->mark->tag += 1; } return far->mark != NULL; }
    if (small == NULL) { return false; }
    switch (what) {
    case 12: small->n += 1; return true;
    case 13: small->b = small->b == NULL ? value : NULL; return true;
    case 14: small->a = NULL; return true;
    case 15: small->n = -1; return true;
    default: return false;
    }
}

/* The same tree in memory of its own, but for one thing, by chance. False: nothing was changed. */
static inline bool spoil(Tree *t, uint32_t what)
{
    Small *small = &t->whole.big.x.a;
    switch (what) {
    case 0: small[chance(32)].n += 1; return true;
    case 1: small += chance(32); small->b = small->b == NULL ? t->floats : NULL; return true;
    case 2: t->whole.middle.last.n += 1; return true;
    case 3: t->whole.middle.tag.tag += 1; return true;
    case 4: t->whole.middle.more = t->whole.middle.more == NULL ? &t->more[SMALL - 1] : NULL; return true;
    case 5: t->whole.named.blob[599] = 1; return true;
    case 6: t->whole.named.name = "a third"; return true;
    case 7: t->whole.named.label = t->whole.named.label == NULL ? "label" : NULL; return true;
    case 8: t->whole.pair[1].first.a = NULL; return true;
    case 9: small[chance(32)].n = -1; return true;
    case 10:
        if (t->whole.n == 0) { return false; }
        t->list[t->whole.n - 1].last.b = t->list[t->whole.n - 1].last.b == NULL ? t->floats : NULL;
        return true;
    default: return spoil_far(&t->whole.far[chance(FARS)], what, t->floats);
    }
}

static inline bool stops_nowhere(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

/* ---- What an operation did, as text ------------------------------------------------------------------------------------ */

typedef struct Account {
    char text[1 << 18];
    size_t length;
} Account;

static inline void say(Account *account, const char *format, ...)
{
    va_list arguments;
    int n;
    va_start(arguments, format);
    n = vsnprintf(account->text + account->length, sizeof account->text - account->length, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && account->length + (size_t)n < sizeof account->text);
    account->length += (size_t)n;
}

static inline void say_view(Account *account, const pytree_leaf *view)
{
    int i;
    say(account, " %u %s %p", view->form, view->form == PYTREE_FORM_NONE ? "None" : view->type->name, view->data);
    for (i = 0; view->form == PYTREE_FORM_LEAF && i < view->ndim; i++) { say(account, "/%zu", view->shape[i]); }
}

static inline void say_leaf(Account *account, const pytree_iter *at)
{
    char path[200];
    pytree_entry entries[8];
    size_t k, n = pytree_iter_path(at, entries, 8), length = pytree_iter_path_text(at, path, sizeof path);
    say(account, "%zu %s(%zu, %zu)", at->index, path, length, n);
    for (k = 0; k < n; k++) { say(account, " %d", entries[k].kind); }
    for (k = 0; k < at->n; k++) { say_view(account, at->leaf[k]); }
    say(account, "\n");
}

static inline pytree_status say_each(void *context, const pytree_iter *at)
{
    say_leaf(context, at);
    return at->index == 60 && at->n == 3 ? PYTREE_STOPPED : PYTREE_OK;
}

/* Everything that goes through the walker, over t and its likes. */
static inline void operate(Account *account, Tree *const trees[4], bool none_is_leaf, bool deep)
{
    static pytree_leaf leaves[512], few[8];
    pytree_options options = { 0 };
    pytree all[4];
    pytree_error error = { 0 };
    pytree_leaf *own = NULL;
    pytree_def *def = NULL;
    pytree_iter it;
    static Tree copy, before;
    static char text[16384];
    size_t n, i, k;
    account->length = 0;
    options.none_is_leaf = none_is_leaf;
    if (!deep) { options.is_leaf = stops_nowhere; }
    for (k = 0; k < 4; k++) { all[k] = PYTREE(&trees[k]->whole); }

    say(account, "leaves %d", pytree_leaves(all[0], leaves, 512, &n, &options, &error));
    say(account, " of %zu %s\n", n, error.message);
    for (i = 0; i < n && error.status == PYTREE_OK; i++) { say_view(account, &leaves[i]); }
    say(account, "too few %d %zu\n", pytree_leaves(all[0], few, 8, &i, &options, NULL), i);
    for (i = 0; i < 8 && error.status == PYTREE_OK; i++) { say_view(account, &few[i]); }
    error.status = PYTREE_OK;
    if (pytree_flatten(all[0], &own, 0, &def, &options, &error) == PYTREE_OK) {
        assert_true(pytree_def_text(def, text, sizeof text) < sizeof text);
        say(account, "%s %zu %zu\n", text, pytree_def_num_nodes(def), pytree_def_num_leaves(def));
        assert_int_equal(pytree_def_num_leaves(def), n);
        for (i = 0; i < n; i++) { assert_memory_equal(&own[i], &leaves[i], offsetof(pytree_leaf, ndim)); }
        copy = before = *trees[3];        /* pointers lead to the original's structs */
        say(account, "into %d", pytree_unflatten_into(def, n, own, PYTREE(&copy.whole), &options, &error));
        say(account, " %s %s\n", error.path, error.message);
        if (error.status == PYTREE_OK) {
            assert_ok(pytree_iter_begin(&it, 1, (pytree[]){ PYTREE(&copy.whole) }, &options, &error), &error);
            for (i = 0; pytree_iter_next(&it); i++) {
                if (it.leaf[0]->form != PYTREE_FORM_LEAF || it.leaf[0]->ndim == 0) { continue; }
                assert_ptr_equal(it.leaf[0]->data, own[i].data);
            }
            pytree_iter_end(&it);
        } else {
            assert_memory_equal(&copy.whole, &before.whole, sizeof copy.whole);
            assert_memory_equal(trees[3], &before, sizeof before);
        }
        pytree_def_free(def);
    } else {
        say(account, "flatten %d %s %s\n", error.status, error.path, error.message);
    }
    for (k = 1; k <= 4; k++) {
        error.status = PYTREE_OK;
        say(account, "iterate %zu\n", k);
        if (pytree_iter_begin(&it, k, all, &options, &error) == PYTREE_OK) {
            while (pytree_iter_next(&it)) { say_leaf(account, &it); }
        }
        say(account, "%d %s %s\n", it.status, error.status == PYTREE_OK ? "" : error.path,
            error.status == PYTREE_OK ? "" : error.message);
        pytree_iter_end(&it);
        error.status = PYTREE_OK;
        say(account, "map %d", pytree_map(say_each, account, NULL, k, all, &options, &error));
        say(account, " %s %s\n", error.status == PYTREE_OK ? "" : error.path, error.status == PYTREE_OK ? "" : error.message);
    }
}

static inline void check(Tree *const trees[4])
{
    static Account quick, slow;
    int none_is_leaf;
    for (none_is_leaf = 0; none_is_leaf < 2; none_is_leaf++) {
        operate(&quick, trees, none_is_leaf != 0, true);
        operate(&slow, trees, none_is_leaf != 0, false);
        assert_string_equal(quick.text, slow.text);
    }
}

/* The same tree again: pointers into the tree's own memory go into the copy's. */
static inline void *moved(const void *p, const Tree *from, Tree *to)
{
    return p == NULL ? NULL : (char *)to + ((const char *)p - (const char *)from);
}

static inline void move_small(Small *s, const Tree *from, Tree *to)
{
    s->a = moved(s->a, from, to);
    s->b = moved(s->b, from, to);
}

static inline void move_middle(Middle *m, const Tree *from, Tree *to)
{
    move_small(&m->first, from, to);
    move_small(&m->last, from, to);
    m->more = moved(m->more, from, to);
}

static inline void move_far(Far *far, const Tree *from, Tree *to)
{
    move_middle(&far->near, from, to);
    move_small(&far->last, from, to);
    far->left = moved(far->left, from, to);
    far->mark = moved(far->mark, from, to);
    far->deep = moved(far->deep, from, to);
}

static inline void copy_tree(Tree *to, const Tree *from)
{
    Small *small = &to->whole.big.x.a;
    size_t i;
    *to = *from;
    move_middle(&to->whole.middle, from, to);
    move_middle(&to->whole.pair[0], from, to);
    move_middle(&to->whole.pair[1], from, to);
    for (i = 0; i < to->whole.n; i++) { move_middle(&to->list[i], from, to); }
    for (i = 0; i < to->n_more; i++) { move_small(&to->more[i], from, to); }
    for (i = 0; i < sizeof(Big) / sizeof(Small); i++) { move_small(small + i, from, to); }
    for (i = 0; i < FARS; i++) { move_far(&to->whole.far[i], from, to); move_middle(&to->deep[i], from, to); }
    to->whole.list = to->list;
    to->whole.named.w = moved(to->whole.named.w, from, to);
    fill_small(to, &to->more[SMALL - 1]);
}

enum { EDGE_LEAVES = 17 * 3 + 2 };

#endif
