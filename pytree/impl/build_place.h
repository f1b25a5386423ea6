/* pytree/impl/build_place.h: building trees: places in the block, arrays and strings. */
#ifndef PYTREE_IMPL_BUILD_PLACE_H
#define PYTREE_IMPL_BUILD_PLACE_H

#include "internal.h"

/* A piece among the structs. Before each that pytree_allocate hands out stands how far it is to the block's head, so that
 * pytree_free can find that. */
PYTREE__INLINE char *pytree__bump_head(struct pytree__builder *m, size_t bytes)
{
    const size_t prefix = m->mode == PYTREE__REFER ? 0 : 16;
    char *at = m->dry ? NULL : m->base + m->structs + prefix;
    m->structs = pytree__plus(m->structs, pytree__plus(pytree__round(bytes, 16), prefix));
    if (!m->dry && prefix != 0) {
        uint64_t distance = (uint64_t)((m->base + m->all_structs - sizeof(struct pytree__block)) - at);
        memcpy(at - 16, &distance, sizeof distance);
    }
    return at;
}

/* Arrays are placed from the last to the first; the first begins where the head ends. */
static char *pytree__bump_tail(struct pytree__builder *m, size_t bytes)
{
    m->arrays = pytree__plus(m->arrays, pytree__round(bytes, m->align));
    return m->dry ? NULL : m->base + m->all_structs + (m->all_arrays - m->arrays);
}

/* Static values from their packed form into *self, which is NULL while the block is measured. Strings are copied into it. */
struct pytree__unpacking { struct pytree__builder *m; char *self; const unsigned char *at; };

static bool pytree__unpack_piece(void *context, unsigned pack, size_t at, size_t bytes)
{
    struct pytree__unpacking *u = (struct pytree__unpacking *)context;
    if (pack == PYTREE__PACK_TEXT) {
        size_t n;
        const char *s = pytree__string_at(u->at, 0, &n);
        char *copy = s == NULL ? NULL : pytree__bump_head(u->m, n + 1);
        u->at = pytree__skip_strings(u->at, 1);
        if (u->m->dry) { return true; }
        if (s != NULL) { memcpy(copy, s, n + 1); }
        memcpy(u->self + at, &copy, sizeof copy);
        return true;
    }
    if (u->self != NULL && bytes <= 32) { pytree__copy_few(u->self + at, u->at, bytes); }
    else if (u->self != NULL) { memcpy(u->self + at, u->at, bytes); }
    u->at += bytes;
    return true;
}

static const unsigned char *pytree__unpack(struct pytree__builder *m, const pytree_type *type, char *self,
                                           const unsigned char *at)
{
    struct pytree__unpacking u;
    u.m = m;
    u.self = self;
    u.at = at;
    (void)pytree__visit_statics(type, 0, pytree__unpack_piece, &u);
    return u.at;
}

static bool pytree__more_tasks(struct pytree__builder *m)
{
    const pytree_allocator *a = pytree__allocator(m->cursor.opt);
    size_t max = 2 * m->max_tasks, bytes = pytree__times(max, sizeof *m->tasks);
    bool own = m->tasks == m->few;
    struct pytree__build_frame *tasks =
        (struct pytree__build_frame *)pytree__resize(a, own ? NULL : m->tasks, own ? 0 : m->max_tasks * sizeof *tasks, bytes);
    if (tasks == NULL) { m->status = pytree__no_memory(m->cursor.err, bytes); return false; }
    if (own) { memcpy(tasks, m->few, sizeof m->few); }
    m->tasks = tasks;
    m->max_tasks = max;
    return true;
}

PYTREE__INLINE void pytree__make_push(struct pytree__builder *m, const pytree_type *type, char *at, const char *from,
                                      size_t step,
                                      size_t n, unsigned rows)
{
    struct pytree__build_frame *task;
    if (n == 0 || (PYTREE__UNLIKELY(m->n_tasks == m->max_tasks) && !pytree__more_tasks(m))) { return; }
    task = &m->tasks[m->n_tasks++];
    task->type = type;
    task->at = at;
    task->from = from;
    task->step = step;
    task->left = n;
    task->order = NULL;
    task->views = m->cursor.n_views;
    task->rows = rows;
}

/* The places of n pytrees in a row, in front of a chain. */
PYTREE__INLINE pytree *pytree__make_chain(pytree *at, size_t n, pytree *chain)
{
    size_t i;
    for (i = 0; i < n; i++) {
        at[i].data = chain;
        chain = &at[i];
    }
    return chain;
}

/* The order of a dict's pairs, if the treedef has one for that node. Nodes come from the last to the first. */
PYTREE__INLINE const uint32_t *pytree__make_order(struct pytree__builder *m, size_t node)
{
    const pytree_node *const nodes = m->def->nodes;
    const uint32_t *const orders = m->def->orders;
    size_t n = m->n_orders;
    bool given;
    while (n != 0 && orders[n - 1] > node) { n -= 1 + nodes[orders[n - 1]].arity; }
    given = n != 0 && orders[n - 1] == node;
    if (given) { n -= 1 + nodes[node].arity; }
    m->n_orders = n;
    return given ? orders + n : NULL;
}

static void pytree__make_wrong(struct pytree__builder *m, size_t node, const char *expected)
{
    char got[PYTREE__SIDE], path[PYTREE__PATH];
    if (PYTREE__MESSAGES) {
        struct pytree__text_writer to = pytree__text_to(got, sizeof got, NULL);
        pytree__node_text(&to, m->def, &m->def->nodes[node]);
        pytree__end_text(&to, sizeof got);
    }
    pytree__node_path(m->def, node, path, sizeof path);
    m->status = pytree_fail(m->cursor.err, PYTREE_STRUCTURE, path, "expected %s, got %s", expected, got);
}

/* A leaf that its place cannot hold. */
static void pytree__make_misfit(struct pytree__builder *m, pytree_status status, size_t node, const pytree_leaf *wanted,
                                const pytree_leaf *got)
{
    char a[PYTREE__SIDE], b[PYTREE__SIDE], path[PYTREE__PATH];
    if (PYTREE__MESSAGES) {
        pytree__leaf_text(a, sizeof a, wanted);
        pytree__leaf_text(b, sizeof b, got);
    }
    pytree__node_path(m->def, node, path, sizeof path);
    if (status == PYTREE_NULL_POINTER) {
        m->status = pytree_fail(m->cursor.err, status, path, "expected data for a leaf of %s, got NULL", a);
    } else {
        m->status = pytree_fail(m->cursor.err, status, path, "expected %s, got %s", a, b);
    }
}

static void pytree__make_lost(struct pytree__builder *m, size_t node)
{
    char path[PYTREE__PATH];
    pytree__node_path(m->def, node, path, sizeof path);
    m->status = pytree_fail(m->cursor.err, PYTREE_ARGUMENT, path,
                            "expected NULL for an array that is to be allocated, got a pointer (it would be lost)");
}

/* False: what was given as leaves is something else. */
PYTREE__INLINE bool pytree__make_given(struct pytree__builder *m)
{
    if (PYTREE__UNLIKELY(!m->given)) { m->status = pytree__given_leaves(m->def->n_leaves, m->leaves, m->cursor.err); }
    m->given = true;
    return m->status == PYTREE_OK;
}

static const char *pytree__make_string(struct pytree__builder *m, const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = pytree__bump_head(m, n);
    if (copy != NULL) { memcpy(copy, s, n); }
    return copy;
}

/* The bytes of one leaf to `to`: as the mode says. Strings are copied where the leaf is. `fixed`: not an array of its own. */
static void pytree__make_bytes(struct pytree__builder *m, void *to, const pytree_leaf *leaf, bool fixed)
{
    size_t n = pytree_leaf_count(leaf), i;
    bool kept = leaf->data != NULL && leaf->data != PYTREE_WANTED
        && (m->mode == PYTREE__COPY || m->mode == PYTREE__REFER || (m->mode == PYTREE__ALLOCATE && fixed)
            || leaf->type->dtype == PYTREE_OPAQUE || (leaf->type->dtype == PYTREE_STRING && m->mode != PYTREE__ALLOCATE));
    if (leaf->type->dtype == PYTREE_STRING && kept && m->mode != PYTREE__REFER && m->mode != PYTREE__ALLOCATE) {
        for (i = 0; i < n; i++) {
            const char *s;
            memcpy(&s, (const char *)leaf->data + i * sizeof s, sizeof s);
            if (s != NULL) { s = pytree__make_string(m, s); }
            if (!m->dry) { memcpy((char *)to + i * sizeof s, &s, sizeof s); }
        }
    } else if (!m->dry && n != 0) {
        if (kept) {
            memcpy(to, leaf->data, n * leaf->type->size);
        } else if (!m->zeroed || fixed) {
            memset(to, 0, n * leaf->type->size);
        }
    }
}

/* Where a leaf's elements will be: those given, or their own place. */
static void *pytree__make_array(struct pytree__builder *m, const pytree_leaf *leaf)
{
    size_t bytes = pytree_leaf_bytes(leaf);
    void *at;
    if (m->mode == PYTREE__REFER) { return leaf->data; }
    at = leaf->ndim == 0 ? pytree__bump_head(m, bytes) : pytree__bump_tail(m, bytes);
    pytree__make_bytes(m, at, leaf, leaf->ndim == 0);
    return at;
}

/* A struct's children come next. */
static void pytree__make_open(struct pytree__builder *m, const pytree_type *type, char *self)
{
    pytree_leaf *views;
    if (m->dry) { pytree__make_push(m, type, NULL, NULL, 0, type->n_children, type->n_fields); return; }
    views = pytree__room(&m->cursor, type->n_children);
    if (views == NULL) { m->status = PYTREE_NO_MEMORY; return; }
    type->children(self, views);
    pytree__make_push(m, type, self, NULL, 0, type->n_children, type->n_fields);
    if (type->n_children != 0) { m->cursor.n_views += type->n_children; }
}
#endif
