/* pytree/impl/state_repeat.h: parts of states that come again: a layer like an earlier one is copied. */
#ifndef PYTREE_IMPL_STATE_REPEAT_H
#define PYTREE_IMPL_STATE_REPEAT_H

#include "state_builder.h"

/* Most nodes of a model are structs or objects of few types, alike but for their memory. If filters ask for roles only, two
 * that have the same structure give each state the same nodes, keys and order of leaves. So a visit notes what the last one of
 * each type gave, and where one comes that is like it, that is copied:
 *
 *     treedef   … BatchNorm …… BatchNorm            state   … {bias, weight} ……
 *                 noted        the same nodes                 `--- copied ---> {bias, weight} */

/* Where a state stood: nodes, bytes of statics, leaves, and values that are no leaves. */
struct pytree__state_mark { size_t nodes, statics, leaves, subtrees; };

/* The last node of a type: one of the treedef, and per state what it gave, from one mark to the other. */
struct pytree__state_noted {
    const pytree_type *type;              /* NULL: none so far */
    size_t node, leaf_end;
    bool whole;                           /* it can be copied */
};

/* A node that is open and will be noted. It has no role, nor has what is above it: a value that has one is not opened. */
struct pytree__state_noting { size_t node, leaf_end; };

struct pytree__state_repeat {
    struct pytree__places_watch watch;
    struct pytree__state_builder *states;
    size_t n;
    struct pytree__state_noted noted[PYTREE__TYPE_SLOTS];
    struct pytree__state_mark *marks;     /* 2 n of each slot */
    struct pytree__vector open, begun;    /* of pytree__state_noting; of marks, n for each of them */
    const pytree_allocator *allocator;
    pytree_error *err;
};

/* Tell whether a filter asks for nothing but roles; one in very many filters is not asked. */
static bool pytree__asks_roles(const pytree_filter *filter)
{
    struct pytree__filter_stack s;
    pytree__filter_begin(&s);
    while (filter != NULL) {
        if (pytree__filter_nests(filter)) {
            if (s.n == PYTREE__FILTER_FRAMES) { return false; }
            (void)pytree__filter_open(&s, filter, NULL);
        } else if (filter->kind > PYTREE_FILTER_ROLE) {        /* NOTHING, EVERYTHING, REST and ROLE come first */
            return false;
        }
        filter = NULL;
        while (filter == NULL && s.n != 0) {
            struct pytree__filter_frame *const f = &s.frames[s.n - 1];
            if (f->next == f->filter->n) { s.n--; } else { filter = &f->filter->of[f->next++]; }
        }
    }
    return true;
}

static struct pytree__state_mark pytree__state_marked(const struct pytree__state_builder *b)
{
    struct pytree__state_mark mark;
    mark.nodes = b->nodes.n_nodes;
    mark.statics = b->nodes.statics.n;
    mark.leaves = b->leaves.count;
    mark.subtrees = b->subtrees;
    return mark;
}

/* Tell whether the states ask for the keys of a node: those of structs are rows, and what has no children is in no state. */
static bool pytree__has_place_keys(const pytree_node *n) { return n->arity != 0 && n->type->kind != PYTREE_KIND_STRUCT; }

/* Tell whether two nodes of a treedef have the same nodes and keys below them. What structs and static attributes hold besides
 * is in no state. The static values of a node end where those of the next one begin. */
static bool pytree__same_below(const pytree_def *def, size_t a, size_t b)
{
    const size_t n = def->nodes[a].nodes;
    const pytree_node *x = &def->nodes[a + 1 - n], *y = &def->nodes[b + 1 - def->nodes[b].nodes];
    const pytree_node *keyed = NULL, *other = NULL;            /* the last nodes that have keys */
    if (def->nodes[b].nodes != n || def->nodes[b].leaves != def->nodes[a].leaves) { return false; }
    for (; x <= &def->nodes[a]; x++, y++) {
        if (x->type != y->type || x->arity != y->arity) { return false; }
        if (pytree__td_plain(x)) { continue; }
        if (keyed != NULL) {
            const size_t bytes = x->meta - keyed->meta;
            if (y->meta - other->meta != bytes) { return false; }
            if (memcmp(def->statics + keyed->meta, def->statics + other->meta, bytes) != 0) { return false; }
        }
        keyed = pytree__has_place_keys(x) ? x : NULL;
        other = y;
    }
    return keyed == NULL || pytree__alg_same_statics(def, a, def, b);
}

/* Copy what a noted node gave a state, which stands where it goes. */
static bool pytree__state_copy(struct pytree__state_builder *b, const struct pytree__state_mark *mark, ptrdiff_t leaves)
{
    const size_t n = mark[1].nodes - mark[0].nodes, bytes = mark[1].statics - mark[0].statics;
    const size_t n_leaves = mark[1].leaves - mark[0].leaves, moved = b->nodes.statics.n - mark[0].statics;
    const pytree_leaf **to = (const pytree_leaf **)pytree__vector_add(&b->leaves, n_leaves, b->err);
    const pytree_leaf *const *from;
    unsigned char *statics;
    pytree_node *node;
    size_t i;
    if (to == NULL || !pytree__td_reserve(&b->nodes, n)) { return false; }
    statics = pytree__td_room(&b->nodes.statics, bytes, b->opt, b->err);
    if (statics == NULL) { return false; }
    memcpy(statics, b->nodes.statics.at + mark[0].statics, bytes);
    node = b->nodes.nodes + b->nodes.n_nodes;
    memcpy(node, b->nodes.nodes + mark[0].nodes, n * sizeof *node);
    for (i = 0; i < n; i++) {
        if (!pytree__td_plain(&node[i])) { node[i].meta += (uint32_t)moved; }
    }
    b->nodes.n_nodes += n;
    from = (const pytree_leaf *const *)b->leaves.data + mark[0].leaves;
    for (i = 0; i < n_leaves; i++) { to[i] = from[i] + leaves; }
    return true;
}

/* Give all states what a node like this one gave them. */
static void pytree__state_give(struct pytree__state_repeat *r, struct pytree__places *p,
                               const struct pytree__state_mark *mark, ptrdiff_t leaves)
{
    pytree_path path;
    size_t i;
    path.n = p->path.count;
    path.entries = (const pytree_entry *)p->path.data;
    for (i = 0; i < r->n; i++, mark += 2) {
        struct pytree__state_builder *const b = &r->states[i];
        if (p->kept < b->kept) { b->kept = p->kept; }
        if (mark[0].nodes == mark[1].nodes) { continue; }
        pytree__state_go(b, &path, b->kept);
        b->good = b->good && pytree__state_copy(b, mark, leaves);
        if (b->good) { pytree__state_key(b, &path.entries[path.n - 1]); }
        if (!b->good) { p->status = PYTREE_NO_MEMORY; }
    }
    p->kept = path.n;
}

/* Find the slot of a type, or an empty one; NULL if all are taken. */
static struct pytree__state_noted *pytree__state_slot(struct pytree__state_repeat *r, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    size_t i;
    for (i = 0; i < PYTREE__TYPE_SLOTS; i++) {
        struct pytree__state_noted *const at = &r->noted[(slot + i) % PYTREE__TYPE_SLOTS];
        if (at->type == type || at->type == NULL) { return at; }
    }
    return NULL;
}

static int pytree__state_enter(struct pytree__places *p, size_t node, size_t leaf_end)
{
    struct pytree__state_repeat *const r = (struct pytree__state_repeat *)p->watch->context;
    const pytree_type *const type = p->def->nodes[node].type;
    const bool one = type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM;
    struct pytree__state_noted *const at = one && p->path.count != 0 ? pytree__state_slot(r, type) : NULL;
    struct pytree__state_noting *noting;
    struct pytree__state_mark *mark;
    size_t i;
    if (at == NULL) { return PYTREE__PLACES_OPEN; }
    if (at->whole && pytree__same_below(p->def, at->node, node)) {
        pytree__state_give(r, p, r->marks + 2 * r->n * (size_t)(at - r->noted),
                           (ptrdiff_t)leaf_end - (ptrdiff_t)at->leaf_end);
        return PYTREE__PLACES_DONE;
    }
    noting = (struct pytree__state_noting *)pytree__vector_add(&r->open, 1, r->err);
    mark = noting == NULL ? NULL : (struct pytree__state_mark *)pytree__vector_add(&r->begun, r->n, r->err);
    if (mark == NULL) { p->status = PYTREE_NO_MEMORY; return PYTREE__PLACES_DONE; }
    noting->node = node;
    noting->leaf_end = leaf_end;
    for (i = 0; i < r->n; i++) {
        struct pytree__state_builder *const b = &r->states[i];
        const size_t common = b->kept < p->kept ? b->kept : p->kept;           /* what is behind them has been left */
        while (b->good && b->any && b->opened.count > common + 1) { pytree__state_close(b); }
        mark[i] = pytree__state_marked(b);
    }
    return PYTREE__PLACES_NOTED;
}

/* Note what the node that is left has given. */
static void pytree__state_leave(struct pytree__places *p)
{
    struct pytree__state_repeat *const r = (struct pytree__state_repeat *)p->watch->context;
    const struct pytree__state_noting *const noting = (const struct pytree__state_noting *)r->open.data + --r->open.count;
    const pytree_type *const type = p->def->nodes[noting->node].type;
    struct pytree__state_noted *const at = pytree__state_slot(r, type);
    const struct pytree__state_mark *begun;
    size_t i;
    r->begun.count -= r->n;
    if (at == NULL) { return; }
    begun = (const struct pytree__state_mark *)r->begun.data + r->begun.count;
    at->type = type;
    at->node = noting->node;
    at->leaf_end = noting->leaf_end;
    at->whole = true;
    for (i = 0; i < r->n; i++) {
        struct pytree__state_mark *const mark = r->marks + 2 * (r->n * (size_t)(at - r->noted) + i);
        while (r->states[i].good && r->states[i].opened.count > p->path.count) { pytree__state_close(&r->states[i]); }
        mark[0] = begun[i];
        mark[1] = pytree__state_marked(&r->states[i]);
        if (mark[0].subtrees != mark[1].subtrees) { at->whole = false; }
    }
}

/* Watch a visit. Returns false if memory runs out. */
static bool pytree__state_repeat_begin(struct pytree__state_repeat *r, struct pytree__places *p, size_t n,
                                       struct pytree__state_builder *states, pytree_error *err)
{
    r->watch.enter = pytree__state_enter;
    r->watch.leave = pytree__state_leave;
    r->watch.context = r;
    r->states = states;
    r->n = n;
    memset(r->noted, 0, sizeof r->noted);
    r->allocator = pytree__allocator(p->opt);
    r->err = err;
    r->open = pytree__vector_of(sizeof(struct pytree__state_noting), r->allocator);
    r->begun = pytree__vector_of(sizeof(struct pytree__state_mark), r->allocator);
    r->marks = (struct pytree__state_mark *)pytree__array_new(2 * PYTREE__TYPE_SLOTS * n, sizeof *r->marks, r->allocator, err);
    p->watch = &r->watch;
    return r->marks != NULL;
}

static void pytree__state_repeat_end(struct pytree__state_repeat *r)
{
    pytree__vector_free(&r->open);
    pytree__vector_free(&r->begun);
    pytree__array_free(r->marks, 2 * PYTREE__TYPE_SLOTS * r->n, sizeof *r->marks, r->allocator);
}

#include "state.h"
#endif
