/* rows_every.h: structs that between them have every row, each filled. It needs nothing but the library, and is C and C++. */
#ifndef ROWS_EVERY_H
#define ROWS_EVERY_H

#include "pytree.h"
#include <string.h>

#if defined(__cplusplus)                  /* flexible arrays and unnamed structs are extensions there */
#include <atomic>
#define EVERY_ATOMIC(T) std::atomic<T>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#elif defined(__TINYC__)                  /* has no atomics */
#define EVERY_ATOMIC(T) T
#else
#define EVERY_ATOMIC(T) _Atomic(T)
#endif

typedef enum EveryMode { EVERY_FAST, EVERY_SAFE } EveryMode;

#define PYTREE_ENUM EveryMode
#define PYTREE_CONSTANTS PYTREE_CONSTANT(EVERY_FAST, "fast") PYTREE_CONSTANT(EVERY_SAFE, "safe")
#include "pytree_registry.h"

typedef struct EverySpot { float x, y; } EverySpot;
typedef struct EveryVec { int n; double *at; } EveryVec;

#define PYTREE_STRUCT EverySpot
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

#define PYTREE_STRUCT EveryVec
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, at, ARRAY(self->n))
#include "pytree_registry.h"

/* The rows of the README's table. */
typedef struct EveryPlain {
    size_t n;
    const char *title;
    int sizes[2];
    bool ready;
    short few[2];
    double table[2][3];
    float cube[2][1][2], *bias, *none;
    EveryVec *vecs, inner, *spare, *missing;
    void *scratch;
    unsigned char pad[3];
} EveryPlain;

#define PYTREE_STRUCT EveryPlain
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, title) PYTREE_FIELD(STATIC, sizes) PYTREE_FIELD(DATA, ready)           \
    PYTREE_FIELD(DATA, few) PYTREE_FIELD(DATA, table) PYTREE_FIELD(DATA, cube, RANK(3))                                 \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n, self->sizes[0])) PYTREE_FIELD(DATA, none, ARRAY(self->n), OPTIONAL)         \
    PYTREE_FIELD(DATA, vecs, LIST(self->n)) PYTREE_FIELD(DATA, inner) PYTREE_FIELD(DATA, spare, OPTIONAL)               \
    PYTREE_FIELD(DATA, missing, OPTIONAL) PYTREE_FIELD(DROP, scratch) PYTREE_FIELD(DROP, pad)
#include "pytree_registry.h"

typedef struct EveryBits { unsigned version : 4; signed offset : 6; unsigned cached : 1; float load; } EveryBits;

#define PYTREE_STRUCT EveryBits
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, version, BITS) PYTREE_FIELD(STATIC, offset, BITS) PYTREE_FIELD(DROP, cached, BITS)             \
    PYTREE_FIELD(DATA, load)
#include "pytree_registry.h"

typedef enum EveryTag { EVERY_NOTHING, EVERY_PLACE, EVERY_PATH, EVERY_LIST, EVERY_NAME, EVERY_NUMBER, EVERY_BOX, EVERY_FAR,
                        EVERY_TAGS } EveryTag;

typedef struct EveryUnion {
    EveryTag tag;
    int n;
    union {
        EverySpot place;
        float *path;
        EveryVec *list;
        char name[8];
        long number;
        double box[2][2];
        EverySpot *far;
    } as;
    float after;
} EveryUnion;

#define PYTREE_STRUCT EveryUnion
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, tag) PYTREE_FIELD(STATIC, n)                                                                   \
    PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(EVERY_NOTHING), CASE(EVERY_PLACE, place),                              \
                                 CASE(EVERY_PATH, path, ARRAY(self->n, 2)), CASE(EVERY_LIST, list, LIST(self->n)),      \
                                 CASE(EVERY_NAME, name, STRING), CASE(EVERY_NUMBER, number), CASE(EVERY_BOX, box),      \
                                 CASE(EVERY_FAR, far, OPTIONAL)))                                                       \
    PYTREE_FIELD(DATA, after)
#include "pytree_registry.h"

typedef struct EveryTail { int n; float at[]; } EveryTail;
typedef struct EveryTailOfStructs { int n; double scale; EverySpot at[]; } EveryTailOfStructs;

#define PYTREE_STRUCT EveryTail
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

#define PYTREE_STRUCT EveryTailOfStructs
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, scale) PYTREE_FIELD(DATA, at, LIST(self->n), FLEXIBLE)
#include "pytree_registry.h"

typedef struct EveryStrings { const char *label, *none; char name[8], lines[2][6], unit[4]; } EveryStrings;

#define PYTREE_STRUCT EveryStrings
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, label) PYTREE_FIELD(DATA, none, OPTIONAL) PYTREE_FIELD(DATA, name, STRING)                       \
    PYTREE_FIELD(DATA, lines, STRING) PYTREE_FIELD(STATIC, unit, STRING)
#include "pytree_registry.h"

typedef struct EveryEach {
    int n, m;
    EveryVec **vecs;
    float **rows, **tables;
    EverySpot *heads[3], **paths, grid[2][3];
    EveryVec square[1][2];
    double *columns[2];
} EveryEach;

#define PYTREE_STRUCT EveryEach
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, vecs, LIST(self->n, EACH()))                     \
    PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(self->m))))                                                       \
    PYTREE_FIELD(DATA, tables, LIST(self->n, EACH(ARRAY(self->m, 2), OPTIONAL)), OPTIONAL)                              \
    PYTREE_FIELD(DATA, heads, EACH(OPTIONAL)) PYTREE_FIELD(DATA, paths, LIST(1, EACH(LIST(self->n))))                   \
    PYTREE_FIELD(DATA, grid, EACH()) PYTREE_FIELD(DATA, square, EACH()) PYTREE_FIELD(DATA, columns, EACH(ARRAY(self->m)))
#include "pytree_registry.h"

static const pytree_type *every_type(int kind)
{
    return kind == 0 ? PYTREE_TYPE(EveryVec) : kind == 1 ? PYTREE_TYPE(EverySpot) : kind == 2 ? PYTREE_TYPE(short) : NULL;
}

typedef struct EveryAs { int kind, n; void *one, *table, *none; } EveryAs;

#define PYTREE_STRUCT EveryAs
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, one, AS(every_type(self->kind)))              \
    PYTREE_FIELD(DATA, table, AS(PYTREE_TYPE(short), ARRAY(self->n, 2)))                                                \
    PYTREE_FIELD(DATA, none, AS(every_type(self->kind)), OPTIONAL)
#include "pytree_registry.h"

typedef struct EveryUnnamed {
    struct { double speed, load; };
    struct { float x; int n; } inner;
} EveryUnnamed;
typedef __typeof__(((EveryUnnamed *)0)->inner) EveryInner;

#define PYTREE_STRUCT EveryInner
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

#define PYTREE_STRUCT EveryUnnamed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, speed) PYTREE_FIELD(DATA, load) PYTREE_FIELD(DATA, inner)
#include "pytree_registry.h"

typedef struct EveryQualified {
    EVERY_ATOMIC(int) hits;
    EVERY_ATOMIC(unsigned) users;
    EVERY_ATOMIC(long) total;
    volatile float rate;
    volatile short tries;
    const int version;
    float *volatile weights;
    EverySpot *const first;
} EveryQualified;

#define PYTREE_STRUCT EveryQualified
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, hits, ATOMIC) PYTREE_FIELD(DROP, users, ATOMIC) PYTREE_FIELD(STATIC, total, ATOMIC)              \
    PYTREE_FIELD(DATA, rate) PYTREE_FIELD(STATIC, tries) PYTREE_FIELD(STATIC, version)                                  \
    PYTREE_FIELD(DATA, weights, ARRAY(self->tries)) PYTREE_FIELD(DATA, first)
#include "pytree_registry.h"

static int every_handles;                 /* that live in clones */

static pytree_status every_handle_clone(int *to, const int *from)
{
    *to = *from;
    every_handles += *to != 0;
    return PYTREE_OK;
}

static void every_handle_free(int *handle)
{
    every_handles -= *handle != 0;
}

typedef struct EveryHandle { float rate; int handle; } EveryHandle;

#define PYTREE_STRUCT EveryHandle
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rate) PYTREE_FIELD(DROP, handle, HANDLE(every_handle_clone, every_handle_free))
#include "pytree_registry.h"

typedef struct EveryGiven { int rows; short columns; float *w; } EveryGiven;
typedef struct EveryWith { int rows, columns, n; EveryGiven one, *far, *none, two[2], *list; } EveryWith;

#define PYTREE_STRUCT EveryGiven
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, rows) PYTREE_FIELD(STATIC, columns) PYTREE_FIELD(DATA, w, ARRAY(self->rows, self->columns))
#include "pytree_registry.h"

#define PYTREE_STRUCT EveryWith
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, rows) PYTREE_FIELD(STATIC, columns) PYTREE_FIELD(STATIC, n)                                    \
    PYTREE_FIELD(DATA, one, WITH(rows, self->rows, columns, self->columns))                                             \
    PYTREE_FIELD(DATA, far, WITH(rows, self->rows)) PYTREE_FIELD(DATA, none, WITH(rows, self->rows), OPTIONAL)          \
    PYTREE_FIELD(DATA, two, WITH(rows, self->rows)) PYTREE_FIELD(DATA, list, LIST(self->n, WITH(rows, self->rows)))
#include "pytree_registry.h"

typedef struct EveryEnum { EveryMode mode, modes[2]; } EveryEnum;

#define PYTREE_STRUCT EveryEnum
#define PYTREE_FIELDS PYTREE_FIELD(DATA, mode, ENUM(EveryMode)) PYTREE_FIELD(DATA, modes, ENUM(EveryMode))
#include "pytree_registry.h"

typedef struct EveryBoxed { int n; pytree any, *many; } EveryBoxed;

#define PYTREE_STRUCT EveryBoxed
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, any) PYTREE_FIELD(DATA, many, LIST(self->n))
#include "pytree_registry.h"

/* One of each in one struct; flexible ones are pointed to. */
typedef struct EveryAll {
    EveryPlain plain;
    EveryBits bits[2];
    EveryUnion unions[EVERY_TAGS];
    EveryTail *tail;
    EveryTailOfStructs *structs;
    EveryEach each;
    EveryAs as;
    EveryUnnamed unnamed;
    EveryQualified *qualified;
    EveryHandle handle;
    EveryWith with;
    EveryEnum enums;
} EveryAll;

#define PYTREE_STRUCT EveryAll
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, plain) PYTREE_FIELD(DATA, bits) PYTREE_FIELD(DATA, unions) PYTREE_FIELD(DATA, tail)              \
    PYTREE_FIELD(DATA, structs) PYTREE_FIELD(DATA, each) PYTREE_FIELD(DATA, as) PYTREE_FIELD(DATA, unnamed)             \
    PYTREE_FIELD(DATA, qualified) PYTREE_FIELD(DATA, handle) PYTREE_FIELD(DATA, with) PYTREE_FIELD(DATA, enums)
#include "pytree_registry.h"

static const pytree_type *const every_types[] = {
    PYTREE_TYPE(EverySpot), PYTREE_TYPE(EveryVec), PYTREE_TYPE(EveryPlain), PYTREE_TYPE(EveryBits), PYTREE_TYPE(EveryUnion),
    PYTREE_TYPE(EveryTail), PYTREE_TYPE(EveryTailOfStructs), PYTREE_TYPE(EveryStrings), PYTREE_TYPE(EveryEach),
    PYTREE_TYPE(EveryAs), PYTREE_TYPE(EveryInner), PYTREE_TYPE(EveryUnnamed), PYTREE_TYPE(EveryQualified),
    PYTREE_TYPE(EveryHandle), PYTREE_TYPE(EveryGiven), PYTREE_TYPE(EveryWith), PYTREE_TYPE(EveryEnum), PYTREE_TYPE(EveryBoxed),
    PYTREE_TYPE(EveryAll)
};
enum { EVERY_TYPES = sizeof every_types / sizeof every_types[0] };

/* ---- Filled ------------------------------------------------------------------------------------------------------------ */

static EverySpot every_spots[8];
static double every_doubles[24];
static float every_floats[40];
static short every_shorts[4] = { 1, -2, 3, -4 };
static EveryVec every_vecs[12];

/* Give each value memory of its own: what is shared is not saved twice. */
static void every_numbers(void)
{
    int i;
    for (i = 0; i < 8; i++) { every_spots[i].x = (float)i; every_spots[i].y = -(float)i; }
    for (i = 0; i < 24; i++) { every_doubles[i] = 100.5 + i; }
    for (i = 0; i < 40; i++) { every_floats[i] = 0.5f * (float)i; }
    for (i = 0; i < 12; i++) { every_vecs[i].n = 1 + i % 2; every_vecs[i].at = every_doubles + 2 * i; }
}

static EveryPlain every_plain(void)
{
    EveryPlain p = { 2, "plain", { 3, 4 }, true, { 7, -8 }, { { 1.5, 2.5, 3.5 }, { 4.5, 5.5, 6.5 } },
                     { { { 1, 2 } }, { { 3, 4 } } }, NULL, NULL, NULL, { 0, NULL }, NULL, NULL, NULL, { 1, 2, 3 } };
    p.bias = every_floats;
    p.vecs = every_vecs;
    p.inner = every_vecs[2];
    p.spare = &every_vecs[3];
    return p;
}

static EveryBits every_bits(void)
{
    EveryBits b;
    memset(&b, 0, sizeof b);
    b.version = 11;
    b.offset = -32;
    b.cached = 1;
    b.load = 0.5f;
    return b;
}

static EveryUnion every_union(EveryTag tag)
{
    EveryUnion u;
    memset(&u, 0, sizeof u);
    u.tag = tag;
    u.n = 2;
    u.after = 3.5f;
    switch (tag) {
    case EVERY_PLACE: u.as.place = every_spots[0]; break;
    case EVERY_PATH: u.as.path = every_floats + 6; break;
    case EVERY_LIST: u.as.list = every_vecs + 4; break;
    case EVERY_NAME: strcpy(u.as.name, "square"); break;
    case EVERY_NUMBER: u.as.number = -42; break;
    case EVERY_BOX: u.as.box[1][0] = 2.25; break;
    case EVERY_FAR: u.as.far = &every_spots[1]; break;
    default: break;
    }
    return u;
}

static EveryTail *every_tail(void)
{
    static union { EveryTail tail; char room[sizeof(EveryTail) + 3 * sizeof(float)]; } memory;
    memory.tail.n = 3;
    memcpy(memory.room + offsetof(EveryTail, at), every_floats + 10, 3 * sizeof(float));
    return &memory.tail;
}

static EveryTailOfStructs *every_tail_of_structs(void)
{
    static union { EveryTailOfStructs tail; char room[sizeof(EveryTailOfStructs) + 2 * sizeof(EverySpot)]; } memory;
    memory.tail.n = 2;
    memory.tail.scale = 0.125;
    memcpy(memory.room + offsetof(EveryTailOfStructs, at), every_spots, 2 * sizeof(EverySpot));
    return &memory.tail;
}

static EveryStrings every_strings(void)
{
    const EveryStrings s = { "label's \"own\"", NULL, "seven77", { "one", "two" }, "mV" };
    return s;
}

static EveryEach every_each(void)
{
    static EveryVec *vecs[2];
    static float *rows[2], *tables[2];
    static EverySpot *paths[1];
    EveryEach e;
    memset(&e, 0, sizeof e);
    vecs[0] = &every_vecs[7];
    vecs[1] = &every_vecs[6];
    rows[0] = every_floats + 14;
    rows[1] = every_floats + 16;
    tables[1] = every_floats + 18;
    paths[0] = every_spots + 2;
    e.n = e.m = 2;
    e.vecs = vecs;
    e.rows = rows;
    e.tables = tables;
    e.heads[1] = &every_spots[4];
    e.paths = paths;
    e.grid[1][2].y = 5.0f;
    e.square[0][0] = every_vecs[8];
    e.square[0][1] = every_vecs[9];
    e.columns[0] = every_doubles + 20;
    e.columns[1] = every_doubles + 22;
    return e;
}

static EveryAs every_as(void)
{
    EveryAs a;
    memset(&a, 0, sizeof a);
    a.kind = 1;
    a.n = 2;
    a.one = &every_spots[5];
    a.table = every_shorts;
    return a;
}

static EveryUnnamed every_unnamed(void)
{
    EveryUnnamed u;
    memset(&u, 0, sizeof u);
    u.speed = 1;
    u.load = 2;
    u.inner.x = 3;
    u.inner.n = 4;
    return u;
}

static EveryQualified *every_qualified(void)
{
    static EveryQualified q = { 3, 7, 5, 0.5f, 2, 9, every_floats + 22, &every_spots[6] };
    return &q;
}

static EveryHandle every_handle(void)
{
    const EveryHandle h = { 0.25f, 17 };
    return h;
}

static EveryWith every_with(void)
{
    static EveryGiven far = { 2, 1, every_floats + 26 }, list[1] = { { 2, 1, every_floats + 32 } };
    EveryWith w = { 2, 1, 1, { 2, 1, NULL }, &far, NULL, { { 2, 1, NULL }, { 2, 1, NULL } }, list };
    w.one.w = every_floats + 24;
    w.two[0].w = every_floats + 28;
    w.two[1].w = every_floats + 30;
    return w;
}

static EveryEnum every_enum(void)
{
    const EveryEnum e = { EVERY_SAFE, { EVERY_FAST, EVERY_SAFE } };
    return e;
}

static EveryBoxed every_boxed(void)
{
    static pytree many[2];
    EveryBoxed b;
    memset(&b, 0, sizeof b);
    many[0] = PYTREE(&every_doubles[10]);
    many[1] = PYTREE(&every_vecs[10]);
    b.n = 2;
    b.any = PYTREE(&every_spots[7]);
    b.many = many;
    return b;
}

static EveryAll every_all(void)
{
    EveryAll a;
    int i;
    memset(&a, 0, sizeof a);
    a.plain = every_plain();
    a.bits[0] = a.bits[1] = every_bits();
    for (i = 0; i < EVERY_TAGS; i++) { a.unions[i] = every_union(i == EVERY_NAME ? EVERY_NOTHING : (EveryTag)i); }
    a.tail = every_tail();
    a.structs = every_tail_of_structs();
    a.each = every_each();
    a.as = every_as();
    a.unnamed = every_unnamed();
    a.qualified = every_qualified();
    a.handle = every_handle();
    a.with = every_with();
    a.enums = every_enum();
    return a;
}

/* ---- All of them ----------------------------------------------------------------------------------------------------- */

enum { EVERY_TREES = EVERY_TAGS + 14 };

/* Fill tree number i. Returns it; it is in static memory, the same for each call. */
static inline pytree every_tree(size_t i, const char **name)
{
    static struct {
        EveryPlain plain; EveryBits bits; EveryUnion as[EVERY_TAGS]; EveryStrings strings; EveryEach each; EveryAs any;
        EveryUnnamed unnamed; EveryHandle handle; EveryWith with; EveryEnum enums; EveryBoxed boxed; EveryAll all;
    } s;
    every_numbers();
    *name = i == EVERY_NAME ? "union of a string" : "union";
    if (i < EVERY_TAGS) { s.as[i] = every_union((EveryTag)i); return PYTREE(&s.as[i]); }
    switch (i - EVERY_TAGS) {
    case 0: *name = "plain"; s.plain = every_plain(); return PYTREE(&s.plain);
    case 1: *name = "bits"; s.bits = every_bits(); return PYTREE(&s.bits);
    case 2: *name = "flexible array"; return PYTREE(every_tail());
    case 3: *name = "flexible list"; return PYTREE(every_tail_of_structs());
    case 4: *name = "strings"; s.strings = every_strings(); return PYTREE(&s.strings);
    case 5: *name = "each"; s.each = every_each(); return PYTREE(&s.each);
    case 6: *name = "as"; s.any = every_as(); return PYTREE(&s.any);
    case 7: *name = "unnamed"; s.unnamed = every_unnamed(); return PYTREE(&s.unnamed);
    case 8: *name = "qualified"; return PYTREE(every_qualified());
    case 9: *name = "handle"; s.handle = every_handle(); return PYTREE(&s.handle);
    case 10: *name = "with"; s.with = every_with(); return PYTREE(&s.with);
    case 11: *name = "enum"; s.enums = every_enum(); return PYTREE(&s.enums);
    case 12: *name = "boxed"; s.boxed = every_boxed(); return PYTREE(&s.boxed);
    default: *name = "all"; s.all = every_all(); return PYTREE(&s.all);
    }
}

/* Take away the memory of tree number i that pytree_allocate makes: required pointers are NULL, others wanted. Returns the
 * tree: a struct in static memory; None where nothing is to be made. */
static inline pytree every_bare(size_t i)
{
    static EveryUnion as;
    static EveryPlain plain;
    static EveryEach each;
    static EveryAs any;
    static EveryQualified qualified = { 3, 7, 5, 0.5f, 2, 9, NULL, NULL };
    static EveryWith with;
    static EveryAll all;
    int k;
    const char *name;
    const pytree t = every_tree(i, &name);
    const EveryGiven given = { 0, 0, NULL };
    if (i < EVERY_TAGS) {
        as = *(EveryUnion *)t.data;
        if (i == EVERY_PATH) { as.as.path = NULL; }
        if (i == EVERY_LIST) { as.as.list = NULL; }
        if (i == EVERY_FAR) { as.as.far = (EverySpot *)PYTREE_WANTED; }
        return PYTREE(&as);
    }
    plain = every_plain();
    plain.bias = NULL;
    plain.none = (float *)PYTREE_WANTED;
    plain.vecs = NULL;
    plain.inner.at = NULL;
    plain.spare = (EveryVec *)PYTREE_WANTED;
    each = every_each();
    each.vecs = NULL;
    each.rows = NULL;
    each.tables = (float **)PYTREE_WANTED;
    each.heads[1] = (EverySpot *)PYTREE_WANTED;
    each.paths = NULL;
    each.square[0][0].at = each.square[0][1].at = each.columns[0] = each.columns[1] = NULL;
    any = every_as();
    any.one = any.table = NULL;
    with = every_with();
    with.one = with.two[0] = with.two[1] = given;
    with.far = with.list = NULL;
    with.none = (EveryGiven *)PYTREE_WANTED;
    all = every_all();
    all.plain = plain;
    all.each = each;
    all.as = any;
    all.with = with;
    all.tail = (EveryTail *)PYTREE_WANTED;
    all.structs = NULL;
    all.qualified = NULL;
    for (k = 0; k < EVERY_TAGS; k++) {
        all.unions[k] = every_union(k == EVERY_FAR ? EVERY_NOTHING : (EveryTag)k);
        if (k == EVERY_PATH) { all.unions[k].as.path = NULL; }
        if (k == EVERY_LIST) { all.unions[k].as.list = NULL; }
    }
    switch (i - EVERY_TAGS) {
    case 0: return PYTREE(&plain);
    case 2:
    case 3: return t;                     /* what lies behind the struct is the caller's, and stays */
    case 5: return PYTREE(&each);
    case 6: return PYTREE(&any);
    case 8: return PYTREE(&qualified);
    case 10: return PYTREE(&with);
    case (int)EVERY_TREES - (int)EVERY_TAGS - 1: return PYTREE(&all);
    default: return PYTREE_NONE;
    }
}

#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
#endif
