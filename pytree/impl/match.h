/* pytree/impl/match.h: matching the nodes of two trees, and the messages where they differ. */
#ifndef PYTREE_IMPL_MATCH_H
#define PYTREE_IMPL_MATCH_H

#include "flat.h"

/* ---- Words --------------------------------------------------------------------------------------------------------- */


/* Return the child of `at` that is `node` or has it below, and its index. */
static size_t pytree__alg_towards(const pytree_def *def, size_t at, size_t node, size_t *number)
{
    size_t child = at - 1;
    *number = def->nodes[at].arity - 1;
    while (node + def->nodes[child].nodes <= child) {
        child -= def->nodes[child].nodes;
        --*number;
    }
    return child;
}

/* Write the key path of a node, of a long one its beginning and its end. It needs no memory, because it serves error
 * messages. */
static void pytree__alg_put_path(struct pytree__text_writer *text, const pytree_def *def, size_t node)
{
    const size_t most = PYTREE__ALG_ENTRIES;
    size_t at, depth = 0, i = 0, number;
    for (at = def->n_nodes - 1; at != node; at = pytree__alg_towards(def, at, node, &number)) { depth++; }
    for (at = def->n_nodes - 1; at != node; i++) {
        size_t child = pytree__alg_towards(def, at, node, &number);
        if (i < most || i >= depth - most) {
            pytree_entry entry;
            pytree__def_entry_at(def, at, number, &entry);
            pytree__put_entry(text, &entry, NULL, i == 0);
        } else if (i == most) {
            pytree__text_put(text, "...", 3);
        }
        at = child;
    }
}

/* A cursor that writes the key paths of many nodes, one after another. Common ancestors stay open with their children listed,
 * so that a report costs as much as its paths are long, not as its nodes are wide. */
struct pytree__alg_step {                 /* an open node, its first child, its current child */
    size_t node, first, at;
};
struct pytree__alg_trail {
    const pytree_def *def;
    const pytree_options *opt;
    pytree_error *err;
    struct pytree__alg_step *steps;
    struct pytree__alg_child *children;
    size_t n_steps, max_steps, n_children, max_children;
};

static void pytree__alg_trail_begin(struct pytree__alg_trail *t, const pytree_def *def, const pytree_options *opt,
                                    pytree_error *err)
{
    memset(t, 0, sizeof *t);
    t->def = def;
    t->opt = opt;
    t->err = err;
}

static void pytree__alg_trail_end(struct pytree__alg_trail *t)
{
    pytree__array_free(t->steps, t->max_steps, sizeof *t->steps, pytree__allocator(t->opt));
    pytree__array_free(t->children, t->max_children, sizeof *t->children, pytree__allocator(t->opt));
}

static bool pytree__alg_step_into(struct pytree__alg_trail *t, size_t node)
{
    const size_t n = t->def->nodes[node].arity;
    void *grown = pytree__array_grow(t->steps, &t->max_steps, t->n_steps + 1, sizeof *t->steps, pytree__allocator(t->opt),
                                     t->err);
    if (grown == NULL) { return false; }
    t->steps = (struct pytree__alg_step *)grown;
    grown = pytree__array_grow(t->children, &t->max_children, t->n_children + n, sizeof *t->children,
                               pytree__allocator(t->opt), t->err);
    if (grown == NULL) { return false; }
    t->children = (struct pytree__alg_child *)grown;
    pytree__alg_list(t->def, node, t->def->nodes[node].leaves, t->children + t->n_children);
    t->steps[t->n_steps].node = node;
    t->steps[t->n_steps++].first = t->n_children;
    t->n_children += n;
    return true;
}

/* Open all nodes above a node. Return false if memory runs out. */
static bool pytree__alg_go_to(struct pytree__alg_trail *t, size_t node)
{
    size_t at = t->def->n_nodes - 1;
    while (t->n_steps != 0) {             /* back to an ancestor */
        const struct pytree__alg_step *last = &t->steps[t->n_steps - 1];
        if (node < last->node && last->node < node + t->def->nodes[last->node].nodes) { break; }
        t->n_children = last->first;
        t->n_steps--;
    }
    if (t->n_steps == 0 && at != node && !pytree__alg_step_into(t, at)) { return false; }
    while (at != node) {
        struct pytree__alg_step *last = &t->steps[t->n_steps - 1];
        size_t low = 0, high = t->def->nodes[last->node].arity - 1;
        while (low < high) {              /* the first child that does not end before it */
            const size_t middle = low + (high - low) / 2;
            if (t->children[last->first + middle].node < node) { low = middle + 1; } else { high = middle; }
        }
        last->at = low;
        at = t->children[last->first + low].node;
        if (at != node && !pytree__alg_step_into(t, at)) { return false; }
    }
    return true;
}

static void pytree__alg_put_trail(struct pytree__text_writer *text, const struct pytree__alg_trail *t, size_t most)
{
    size_t i;
    for (i = 0; i < t->n_steps; i++) {
        const struct pytree__alg_step *step = &t->steps[i];
        pytree_entry entry = t->children[step->first + step->at].key;
        if (t->n_steps > 2 * most && i == most) {
            pytree__text_put(text, "...", 3);
            i = t->n_steps - most - 1;
            continue;
        }
        if (!pytree__alg_keyed(&t->def->nodes[step->node])) { pytree__def_entry_at(t->def, step->node, step->at, &entry); }
        pytree__put_entry(text, &entry, NULL, i == 0);
    }
}

/* Write key number i of a dict in a list such as: 'a', 'b' and 12 more. */
static void pytree__alg_put_key(struct pytree__text_writer *text, const pytree_entry *key, size_t i)
{
    if (i < PYTREE__ALG_KEYS) {
        if (i != 0) { pytree__text_put(text, ", ", 2); }
        pytree__put_key(text, key, key->kind == PYTREE_KEY ? strlen(key->name) : 0);
    }
}
static void pytree__alg_put_more(struct pytree__text_writer *text, size_t n)
{
    if (n > PYTREE__ALG_KEYS) {
        pytree__put_text(text, " and ");
        pytree__put_number(text, n - PYTREE__ALG_KEYS);
        pytree__put_text(text, " more");
    }
}

static void pytree__alg_put_keys(struct pytree__text_writer *text, const pytree_def *def, size_t node)
{
    const unsigned char *at = pytree__keys_of(def, node);
    size_t i, n = def->nodes[node].arity;
    pytree__put_text(text, n == 0 ? " without keys" : " with keys ");
    for (i = 0; i < n && i < PYTREE__ALG_KEYS; i++) {
        pytree_entry key;
        at = pytree__key_at(at, &key, NULL);
        pytree__alg_put_key(text, &key, i);
    }
    pytree__alg_put_more(text, n);
}

/* Write a string, shortened in the middle if it is long. */
static void pytree__alg_put_cut(struct pytree__text_writer *text, const char *words)
{
    char cut[PYTREE__ALG_WORDS];
    pytree__shorten_middle(cut, sizeof cut, words);
    pytree__put_text(text, cut);
}

/* Describe a node for people, without its children. */
static void pytree__alg_put_node(struct pytree__text_writer *text, const pytree_def *def, size_t i)
{
    const pytree_node *node = &def->nodes[i];
    const unsigned meta = pytree__traits(node->type)->meta;
    char words[1000];
    struct pytree__text_writer to = pytree__text_to(words, sizeof words, NULL);
    pytree_entry entry;
    uint32_t k;
    if (node->type == NULL) { pytree__put_text(text, "leaf"); return; }
    if (node->type->kind == PYTREE_KIND_NONE) { pytree__put_text(text, "None"); return; }
    if (pytree__is_dict(node->type)) {
        pytree__put_text(text, node->type->name);
        if (meta == PYTREE__META_FACTORY) {
            pytree__text_put(text, "(", 1);
            pytree__put_factory(text, def, i);
            pytree__text_put(text, ")", 1);
        }
        pytree__alg_put_keys(text, def, i);
        return;
    }
    if (meta == PYTREE__META_NAME) {
        pytree__put_text(&to, pytree__string_at(def->statics + node->meta, NULL));
        pytree__text_put(&to, "(", 1);
        for (k = 0; k < node->arity && k < PYTREE__ALG_KEYS; k++) {
            pytree__def_entry_at(def, i, k, &entry);
            if (k != 0) { pytree__text_put(&to, ", ", 2); }
            pytree__put_text(&to, entry.name);
        }
        pytree__alg_put_more(&to, node->arity);
        pytree__text_put(&to, ")", 1);
    } else {
        pytree__put_text(&to, pytree__origin(node->type)->name);
        if (meta == PYTREE__META_STATICS || meta == PYTREE__META_BYTES) {
            pytree__text_put(&to, "[", 1);
            pytree__put_meta(&to, def, i);
            pytree__text_put(&to, "]", 1);
        }
        if (meta == PYTREE__META_BYTES && node->arity != 0 && pytree__origin(node->type)->custom->keyed) {
            for (k = 0; k < node->arity && k < PYTREE__ALG_KEYS; k++) {
                pytree__def_entry_at(def, i, k, &entry);
                pytree__put_text(&to, k == 0 ? " with " : ", ");
                pytree__put_entry(&to, &entry, NULL, true);
            }
            pytree__alg_put_more(&to, node->arity);
        } else if (meta != PYTREE__META_STATICS) {
            pytree__put_text(&to, " of length ");
            pytree__put_number(&to, node->arity);
        }
        if (meta == PYTREE__META_MAXLEN && pytree__maxlen(def->statics + node->meta) != PYTREE_UNBOUNDED) {
            pytree__put_text(&to, ", at most ");
            pytree__put_number(&to, pytree__maxlen(def->statics + node->meta));
        }
    }
    pytree__end_text(&to, sizeof words);
    pytree__alg_put_cut(text, words);
}

/* ---- Matching ---------------------------------------------------------------------------------------------------------
 *
 * Two treedefs are compared node by node from the root, which is the last node, to the first. Post-order read backwards visits
 * parents before children, so as long as nodes match, both positions advance in step. Where the prefix has a leaf, or where
 * nodes differ, the whole subtree is skipped. Only if children are in another order on the two sides (`loose`) is a stack of
 * tasks needed.
 */
struct pytree__alg_task {                 /* nodes of the prefix from `p` back to `stop`, beside those of full up to `f` */
    size_t p, f, stop;
    size_t leaf_p, leaf_f;                /* leaves up to there */
};

struct pytree__alg_wrong {
    pytree_mismatch kind;
    size_t p, f;                          /* the two nodes */
};

struct pytree__alg_match {
    const pytree_def *prefix, *full;
    const pytree_leaf *from;              /* the prefix's leaves */
    pytree_leaf *to;                      /* one for each leaf of full; NULL: only compare */
    const pytree_flat *flat;              /* full with its leaves, if `subtrees` is wanted */
    pytree_leaf *subtrees;                /* a view of the subtree at each leaf of the prefix */
    size_t orders;                        /* of flat's treedef, up to the current node */
    bool loose;                           /* dicts of any kind match, in any order of their keys */
    const pytree_options *opt;
    pytree_error *err;
    struct pytree__alg_wrong *wrong;      /* mismatches, in visiting order */
    size_t n_wrong, max_wrong;
    struct pytree__alg_task *tasks;
    size_t n_tasks, max_tasks;
};

enum { PYTREE__ALG_SAME = -1, PYTREE__ALG_MOVED = -2, PYTREE__ALG_FAILED = -3 };

static void pytree__alg_match_init(struct pytree__alg_match *m, const pytree_def *prefix, const pytree_def *full,
                                   const pytree_options *opt, pytree_error *err)
{
    memset(m, 0, sizeof *m);
    m->prefix = prefix;
    m->full = full;
    m->opt = opt;
    m->err = err;
}

static void pytree__alg_match_end(struct pytree__alg_match *m)
{
    pytree__array_free(m->wrong, m->max_wrong, sizeof *m->wrong, pytree__allocator(m->opt));
    pytree__array_free(m->tasks, m->max_tasks, sizeof *m->tasks, pytree__allocator(m->opt));
}

/* Return how two nodes differ: a pytree_mismatch, or one of the values above. */
static int pytree__alg_differ(const struct pytree__alg_match *m, size_t i, size_t j)
{
    const pytree_def *a = m->prefix, *b = m->full;
    const pytree_node *x = &a->nodes[i], *y = &b->nodes[j];
    struct pytree__alg_both both;
    bool same;
    if (y->type == NULL) { return PYTREE_DIFFERENT_TYPES; }    /* a leaf of the prefix differs from nothing */
    if (!pytree_type_equal(x->type, y->type)) {
        if (!m->loose || !pytree__alg_keyed(x) || !pytree__alg_keyed(y)) { return PYTREE_DIFFERENT_TYPES; }
    } else if (x->arity == y->arity && pytree__alg_same_statics(a, i, b, j)) {
        return PYTREE__ALG_SAME;
    }
    if (pytree__traits(x->type)->meta == PYTREE__META_NAME) { return PYTREE_DIFFERENT_TYPES; }
    if (!pytree__alg_keyed(x)) { return x->arity != y->arity ? PYTREE_DIFFERENT_LENGTHS : PYTREE_DIFFERENT_METADATA; }
    if (!pytree__alg_both_children(&both, a, i, x->leaves, b, j, y->leaves, m->opt, m->err)) { return PYTREE__ALG_FAILED; }
    same = pytree__alg_same_keys(&both);
    pytree__alg_both_free(&both, m->opt);
    return !same ? (int)PYTREE_DIFFERENT_KEYS : m->loose ? (int)PYTREE__ALG_MOVED : (int)PYTREE_DIFFERENT_METADATA;
}

static bool pytree__alg_note(struct pytree__alg_match *m, int kind, size_t p, size_t f)
{
    void *grown = pytree__array_grow(m->wrong, &m->max_wrong, m->n_wrong + 1, sizeof *m->wrong, pytree__allocator(m->opt),
                                     m->err);
    if (grown == NULL) { return false; }
    m->wrong = (struct pytree__alg_wrong *)grown;
    m->wrong[m->n_wrong].kind = (pytree_mismatch)kind;
    m->wrong[m->n_wrong].p = p;
    m->wrong[m->n_wrong++].f = f;
    return true;
}

/* Push a task for each pair of children of two dicts with the same keys in different order, and move t past both dicts. */
static bool pytree__alg_split(struct pytree__alg_match *m, struct pytree__alg_task *t)
{
    const pytree_node *x = &m->prefix->nodes[t->p - 1], *y = &m->full->nodes[t->f - 1];
    struct pytree__alg_both both;
    size_t i;
    void *grown = pytree__array_grow(m->tasks, &m->max_tasks, m->n_tasks + x->arity + 1, sizeof *m->tasks,
                                     pytree__allocator(m->opt), m->err);
    if (grown == NULL) { return false; }
    m->tasks = (struct pytree__alg_task *)grown;
    if (!pytree__alg_both_children(&both, m->prefix, t->p - 1, t->leaf_p, m->full, t->f - 1, t->leaf_f, m->opt, m->err)) {
        return false;
    }
    for (i = 0; i < both.n_a; i++) {
        struct pytree__alg_task *child = &m->tasks[m->n_tasks++];
        child->p = both.a[i].node + 1;
        child->f = both.b[i].node + 1;
        child->stop = child->p - m->prefix->nodes[both.a[i].node].nodes;
        child->leaf_p = both.a[i].leaf;
        child->leaf_f = both.b[i].leaf;
    }
    pytree__alg_both_free(&both, m->opt);
    t->p -= x->nodes;
    t->f -= y->nodes;
    t->leaf_p -= x->leaves;
    t->leaf_f -= y->leaves;
    return true;
}

/* Make a view of a node of the flat, whose first leaf is number `leaf`. Nodes are visited from the last to the first, so the
 * end of the node's dict orders, which the view also holds, only moves backwards. */
static void pytree__alg_part(struct pytree__alg_match *m, pytree_leaf *to, size_t node, size_t leaf)
{
    const pytree_def *def = m->flat->def;
    const pytree_type *type = def->nodes[node].type;
    while (m->orders != 0 && def->orders[m->orders - 1] > node) {
        m->orders -= 1 + (size_t)def->nodes[def->orders[m->orders - 1]].arity;
    }
    if (type == NULL) {
        pytree__copy_view(to, &m->flat->leaves[leaf]);
    } else if (type->kind == PYTREE_KIND_NONE) {
        pytree__none_view(to);
    } else {
        to->data = (void *)(uintptr_t)m->flat;
        to->type = type;
        to->ndim = 0;
        to->form = PYTREE_FORM_FLAT;
        to->shape[0] = node;
        to->shape[1] = leaf;
        to->shape[2] = m->orders;
    }
}

/* Pass over a leaf of the prefix and the subtree beside it, and write its entries of `to` and `subtrees`. */
PYTREE__INLINE void pytree__alg_match_leaf(struct pytree__alg_match *m, struct pytree__alg_task *t)
{
    const pytree_node *y = &m->full->nodes[t->f - 1];
    t->leaf_p--;
    t->leaf_f -= y->leaves;
    if (m->flat != NULL) { pytree__alg_part(m, &m->subtrees[t->leaf_p], t->f - 1, t->leaf_f); }
    if (m->to != NULL) { pytree__alg_fill(m->to + t->leaf_f, y->leaves, &m->from[t->leaf_p]); }
    t->p--;
    t->f -= y->nodes;
}

/* Pass over two nodes that may differ: over the nodes if they match, otherwise over their subtrees, recording a mismatch.
 * Return false if memory runs out. */
static bool pytree__alg_match_node(struct pytree__alg_match *m, struct pytree__alg_task *t)
{
    const pytree_node *x = &m->prefix->nodes[t->p - 1], *y = &m->full->nodes[t->f - 1];
    const int differ = pytree__alg_differ(m, t->p - 1, t->f - 1);
    switch (differ) {
    case PYTREE__ALG_FAILED: return false;
    case PYTREE__ALG_MOVED: return pytree__alg_split(m, t);
    case PYTREE__ALG_SAME: t->p--; t->f--; return true;
    default: break;
    }
    if (!pytree__alg_note(m, differ, t->p - 1, t->f - 1)) { return false; }
    t->leaf_p -= x->leaves;
    t->leaf_f -= y->leaves;
    t->p -= x->nodes;
    t->f -= y->nodes;
    return true;
}

/* Compare the two treedefs and collect all mismatches. Return false if memory runs out. */
static bool pytree__alg_go_over(struct pytree__alg_match *m)
{
    const pytree_def *const prefix = m->prefix, *const full = m->full;
    const bool same_bytes = prefix->n_statics == full->n_statics
        && memcmp(prefix->statics, full->statics, full->n_statics) == 0;
    struct pytree__alg_task t;
    size_t i;
    if (!m->loose && m->flat == NULL && pytree_def_equal(prefix, full)) {
        for (i = 0; m->to != NULL && i < full->n_leaves; i++) { pytree__copy_view(&m->to[i], &m->from[i]); }
        return true;
    }
    t.p = prefix->n_nodes;
    t.f = full->n_nodes;
    t.stop = 0;
    t.leaf_p = prefix->n_leaves;
    t.leaf_f = full->n_leaves;
    for (;;) {
        while (t.p > t.stop) {
            const pytree_node *x = &prefix->nodes[t.p - 1], *y = &full->nodes[t.f - 1];
            if (x->type == NULL) {
                pytree__alg_match_leaf(m, &t);
            } else if (x->type == y->type && x->arity == y->arity
                       && ((same_bytes && x->meta == y->meta) || pytree__alg_same_statics(prefix, t.p - 1, full, t.f - 1))) {
                t.p--;
                t.f--;
            } else if (!pytree__alg_match_node(m, &t)) {
                return false;
            }
        }
        if (m->n_tasks == 0) { break; }
        t = m->tasks[--m->n_tasks];
    }
    for (i = 0; i < m->n_wrong / 2; i++) {                     /* found from the last to the first */
        struct pytree__alg_wrong first = m->wrong[i];
        m->wrong[i] = m->wrong[m->n_wrong - 1 - i];
        m->wrong[m->n_wrong - 1 - i] = first;
    }
    return true;
}

/* Report the first mismatch as an error. Return PYTREE_OK if there is none. */
static pytree_status pytree__alg_verdict(const struct pytree__alg_match *m, const char *label)
{
    char sides[2][1000], cut[2][PYTREE__ALG_WORDS], path[1000], more[48];
    struct pytree__text_writer text;
    const struct pytree__alg_wrong *wrong = m->wrong;
    int k;
    if (m->n_wrong == 0) { return PYTREE_OK; }
    if (m->err == NULL) { return PYTREE_STRUCTURE; }
    for (k = 0; k < 2; k++) {
        text = pytree__text_to(sides[k], sizeof sides[k], NULL);
        pytree__alg_put_node(&text, k == 0 ? m->prefix : m->full, k == 0 ? wrong->p : wrong->f);
        pytree__end_text(&text, sizeof sides[k]);
        pytree__shorten_middle(cut[k], k == 0 ? 80 : 90, sides[k]);
    }
    text = pytree__text_to(path, sizeof path, NULL);
    pytree__alg_put_path(&text, m->prefix, wrong->p);
    pytree__end_text(&text, sizeof path);
    more[0] = '\0';
    if (m->n_wrong > 1) { snprintf(more, sizeof more, " (and %zu more mismatches)", m->n_wrong - 1); }
    return pytree_fail(m->err, PYTREE_STRUCTURE, path, "%.30s%s%s: expected %s, got %s%s", label == NULL ? "" : label,
                       label == NULL ? "" : ": ", pytree_mismatch_name(wrong->kind), cut[0], cut[1], more);
}

/* Pass an error on to the caller, who may not want it. Return its status. */
static pytree_status pytree__alg_status(const pytree_error *own, pytree_error *err)
{
    if (own->status != PYTREE_OK && err != NULL && err->status == PYTREE_OK) { *err = *own; }
    return own->status;
}

#include "prefix.h"
#endif
