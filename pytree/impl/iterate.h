/* pytree/impl/iterate.h: iterators over trees of equal structure. */
#ifndef PYTREE_IMPL_ITERATE_H
#define PYTREE_IMPL_ITERATE_H

#include "internal.h"

/* Share so many among few trees. It is mostly one, and a division takes as long as twenty other instructions. */
PYTREE__INLINE size_t pytree__share_of(size_t all, size_t n)
{
    return PYTREE__LAYOUTS && n == 1 ? all : (unsigned)all / (unsigned)n;
}

/* Prepares the cursors. Few trees share the iterator's frames and views; of more, each has as many, all in one block. */
static PYTREE__APART_CLANG pytree_status pytree__iter_cursors(pytree_iter *it, size_t n, const pytree_options *opt,
                                                              pytree_error *err)
{
    const size_t each = sizeof(pytree__cursor) + sizeof(pytree_leaf *) + sizeof it->own_frames + sizeof it->own_views;
    size_t frames = PYTREE__FRAMES, views = PYTREE__ITER_VIEWS, k;
    pytree__frame *frame = it->own_frames;
    pytree_leaf *view = it->own_views;
    if (n > PYTREE__TREES) {
        char *block = n > SIZE_MAX / each ? NULL : (char *)pytree__resize(it->allocator, NULL, 0, n * each);
        if (block == NULL) { return pytree__no_memory(err, pytree__times(n, each)); }
        it->block = n * each;
        it->cursors = (pytree__cursor *)(void *)block;
        frame = (pytree__frame *)(void *)(it->cursors + n);
        view = (pytree_leaf *)(void *)(frame + n * PYTREE__FRAMES);
        it->views = (const pytree_leaf **)(void *)(view + n * PYTREE__ITER_VIEWS);
        it->leaf = it->views;
    } else {
        frames = pytree__share_of(frames, n);
        views = pytree__share_of(views, n);
    }
    for (k = 0; k < n; k++) {
        pytree__cursor_begin(&it->cursors[k], frame + k * frames, frames, view + k * views, views, opt, err);
    }
    it->n_cursors = n;
    return PYTREE_OK;
}

/* Prepares an iterator over n trees, which may be any number; its cursors stand before the roots. */
static pytree_status pytree__iter_init(pytree_iter *it, size_t n, const pytree_options *opt, pytree_error *err)
{
    it->leaf = it->views = it->own_leaves;
    it->out = NULL;
    it->n = n;
    it->n_cursors = it->block = 0;
    it->index = SIZE_MAX;
    it->status = PYTREE_OK;
    it->cursors = it->own_cursors;
    it->checked = it->up_to = it->zipped = false;
    it->passed = 0;
    it->cursors[0].of.run_left = 0;
    it->allocator = pytree__allocator(opt);
    it->cache.layouts = it->own_layouts;
    it->cache.nodes = NULL;
    it->cache.spans = it->own_spans;
    it->cache.nullables = it->own_nullables;
    it->cache.max_layouts = PYTREE__ITER_LAYOUTS;
    it->cache.max_nodes = PYTREE__LAYOUT_NODES;
    it->cache.max_spans = PYTREE__ITER_SPANS;
    it->cache.max_nullables = PYTREE__ITER_NULLABLES;
    pytree__layout_clear(&it->cache);
    return n == 0 ? PYTREE_OK : pytree__iter_cursors(it, n, opt, err);
}

/* Puts each cursor before its tree's root. */
static pytree_status pytree__iter_roots(pytree_iter *it, const pytree *trees)
{
    size_t k;
    for (k = 0; k < it->n_cursors && it->status == PYTREE_OK; k++) {
        it->status = pytree__cursor_root(&it->cursors[k], trees[k]);
        if (PYTREE__DEVICES && PYTREE__UNLIKELY(it->cursors[k].met_device)) { pytree__meet_device(&it->cursors[0]); }
    }
    it->cursors[0].runs = it->cursors[0].plain && !it->cursors[0].none_is_leaf;
    return it->status;
}

pytree_status pytree_iter_begin(pytree_iter *it, size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    const pytree_status status = pytree__iter_init(it, trees == NULL ? 0 : n, opt, err);
    if (n == 0 || trees == NULL) {
        return pytree__iter_fail(it, pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at least one tree, got none"));
    }
    return status == PYTREE_OK ? pytree__iter_roots(it, trees) : pytree__iter_fail(it, status);
}

/* Begins with more views than an iterator has: half of the trees share these, the others share the iterator's own. */
static pytree_status pytree__iter_start(pytree_iter *it, pytree_leaf views[PYTREE__MORE_VIEWS], size_t n, const pytree *trees,
                                        const pytree_options *opt, pytree_error *err)
{
    const pytree_status status = pytree__iter_init(it, n, opt, err);
    if (status != PYTREE_OK) { return pytree__iter_fail(it, status); }
    if (n > 1 && n <= PYTREE__TREES) {
        const size_t first = (n + 1) / 2, mine = pytree__share_of(PYTREE__ITER_VIEWS, first);
        const size_t share = pytree__share_of(PYTREE__MORE_VIEWS, n - first);
        size_t k;
        for (k = 0; k < n; k++) {
            pytree__cursor *const c = &it->cursors[k];
            c->max_views = k < first ? mine : share;
            c->views = c->own_views = k < first ? it->own_views + k * mine : views + (k - first) * share;
        }
    }
    return pytree__iter_roots(it, trees);
}

/* Begins once more over trees that were gone over already, in the memory that the cursors have grown to. */
static pytree_status pytree__iter_again(pytree_iter *it, const pytree *trees)
{
    const pytree_options *const opt = it->cursors[0].opt;
    size_t k;
    it->checked = opt == NULL || opt->is_leaf == NULL;         /* who knows what a predicate says the next time */
    it->index = SIZE_MAX;
    it->cursors[0].of.run_left = 0;
    if (!PYTREE__LAYOUTS || !it->cursors[0].plain) { return pytree__iter_roots(it, trees); }
    for (k = 0; k < it->n_cursors; k++) {                      /* their roots are as they were */
        it->cursors[k].n_frames = it->cursors[k].n_views = 0;
        it->cursors[k].begun = false;
    }
    return PYTREE_OK;
}

void pytree_iter_end(pytree_iter *it)
{
    size_t k;
    for (k = 0; k < it->n_cursors; k++) { pytree__cursor_end(&it->cursors[k]); }
    if (it->block != 0) {                 /* of cursors, or of few cursors' views */
        void *const block = it->cursors != it->own_cursors ? (void *)it->cursors : it->cursors->own_views;
        pytree__resize(it->allocator, block, it->block, 0);
    }
    it->n_cursors = it->block = 0;
}

/* Returns the name of an open namedtuple's type or default dict's factory. */
static const char *pytree__frame_name(const pytree__frame *f)
{
    const char *name = pytree__items_name(f);
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        name = pytree__string_at(flat->def->statics + flat->def->nodes[f->shape[0]].meta, NULL);
    }
    name = pytree__name_of(f->type, name);
    return name != NULL ? name : "None";
}

/* Returns the metadata of an open custom node. */
static PYTREE__APART_CLANG const unsigned char *pytree__frame_metadata(const pytree__cursor *c, const pytree__frame *f,
                                                                       size_t *bytes)
{
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        const unsigned char *at = flat->def->statics + flat->def->nodes[f->shape[0]].meta;
        *bytes = pytree__u32(at);
        return at + sizeof(uint32_t);
    }
    *bytes = f->shape[0];
    return pytree__held_metadata(c, f);
}

/* Returns the maximum length of an open deque. */
static size_t pytree__frame_maxlen(const pytree__frame *f)
{
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        return pytree__maxlen(flat->def->statics + flat->def->nodes[f->shape[0]].meta);
    }
    return f->shape[0];
}

/* Compares the static values of a struct that tree 0 and tree k have just opened; one of them may be a node of a
 * pytree_flat. */
static PYTREE__APART_CLANG bool pytree__frame_statics_equal(const pytree__frame *f, const pytree__frame *g)
{
    const pytree__frame *const s = f->form == PYTREE_FORM_STRUCT ? f : g, *const p = s == f ? g : f;
    const pytree_flat *const x = (const pytree_flat *)p->self, *y;
    const unsigned char *packed;
    size_t n;
    if (!PYTREE__CONTAINERS || p->form == PYTREE_FORM_STRUCT) {
        return f->self == g->self || pytree__same_statics(f->type, (const char *)f->self, (const char *)g->self);
    }
    packed = x->def->statics + x->def->nodes[p->shape[0]].meta;
    if (s->form == PYTREE_FORM_STRUCT) { return pytree__match_packed(s->type, (const char *)s->self, packed) != NULL; }
    y = (const pytree_flat *)s->self;
    n = pytree__statics_size(x->def, p->shape[0]);
    return n == pytree__statics_size(y->def, s->shape[0])
        && memcmp(packed, y->def->statics + y->def->nodes[s->shape[0]].meta, n) == 0;
}

/* Compares the keys of the nodes that tree 0 and tree k have just opened. */
static PYTREE__APART pytree_status pytree__keys_equal(pytree_iter *it, size_t k)
{
    const pytree__cursor *a = &it->cursors[0], *b = &it->cursors[k];
    const pytree__frame *f = &a->frames[a->n_frames - 1], *g = &b->frames[b->n_frames - 1];
    pytree_entry x, y;
    size_t i;
    if (pytree__in_row(f) && pytree__in_row(g)) { return PYTREE_OK; }
    for (i = 0; i < f->count; i++) {
        pytree__frame_entry(a, f, i, &x);
        pytree__frame_entry(b, g, i, &y);
        if (!pytree__same_entry(&x, &y)) { return pytree__fail_key(it, k, &x, &y); }
    }
    return PYTREE_OK;
}

/* Compares the nodes that tree 0 and tree k have just opened: number of children, metadata and keys. Their types are equal. */
PYTREE__NOINLINE_CLANG pytree_status pytree__nodes_equal(pytree_iter *it, size_t k)
{
    const pytree__cursor *a = &it->cursors[0], *b = &it->cursors[k];
    const pytree__frame *f = &a->frames[a->n_frames - 1], *g = &b->frames[b->n_frames - 1];
    const pytree_type *node;              /* a list's frame has its elements' type */
    if (PYTREE__DEVICES && PYTREE__UNLIKELY(b->met_device)) { pytree__meet_device(&it->cursors[0]); }
    if (f->count != g->count) {
        return pytree__iter_fail(it, pytree__fail_at(&it->cursors[0], PYTREE_STRUCTURE,
                                                     "expected %zu children as in the first tree, got %zu in tree %zu",
                                                     f->count, g->count, k));
    }
    if (f->form == PYTREE_FORM_STRUCT || g->form == PYTREE_FORM_STRUCT
        || (f->type->kind == PYTREE_KIND_STRUCT && f->form == PYTREE_FORM_FLAT)) {
        return pytree__frame_statics_equal(f, g) ? PYTREE_OK
             : PYTREE__MESSAGES ? pytree__fail_struct_statics(it, k) : pytree__fail_statics(it, k);
    }
    if (!PYTREE__CONTAINERS) { return PYTREE_OK; }
    node = pytree__type_of_form(f->form, f->type);
    if (pytree__traits(node)->meta == PYTREE__META_MAXLEN && !it->up_to) {
        const size_t maxlen[2] = { pytree__frame_maxlen(f), pytree__frame_maxlen(g) };
        if (maxlen[0] != maxlen[1]) { return pytree__fail_maxlen(it, k, maxlen); }
    }
    if (pytree__traits(node)->meta == PYTREE__META_BYTES) {
        size_t m, n;
        const unsigned char *x = pytree__frame_metadata(a, f, &m), *y = pytree__frame_metadata(b, g, &n);
        if (m != n || memcmp(x, y, n) != 0) { return pytree__fail_statics(it, k); }
    }
    if (pytree__is_named(node)) {
        const char *x = pytree__frame_name(f), *y = pytree__frame_name(g);
        if (strcmp(x, y) != 0) {
            return pytree__iter_fail(it,
                                     pytree__fail_at(&it->cursors[0], PYTREE_STRUCTURE,
                                                     "expected %.60s as in the first tree, got %.60s in tree %zu", x, y, k));
        }
    }
    return pytree__keys_equal(it, k);
}

/* Opens the node at hand in every tree. Fails for a tree that has something else there. */
static pytree_status pytree__iter_open(pytree_iter *it, size_t n, const pytree_leaf **values, bool check)
{
    const pytree_type *type;
    size_t k;
    if (PYTREE__LAYOUTS && n == 1) { return it->status = pytree__open(it->cursors, values[0]); }
    type = pytree__node_type(values[0]);
    /* Opening may move a tree's views, so that values[k] must not be looked at after tree k is open: its frame tells. */
    for (k = 1; k < n; k++) {
        const pytree_type *mine = pytree__node_type(values[k]);
        if (PYTREE__UNLIKELY(values[k]->form == PYTREE_FORM_LEAF || values[k]->form == PYTREE_FORM_NONE
                             || (mine != type && !pytree_type_equal(mine, type)))) {
            return pytree__fail_structure(it, k, values[0], values[k]);
        }
    }
    for (k = 0; k < n && it->status == PYTREE_OK; k++) { it->status = pytree__open(&it->cursors[k], values[k]); }
    check = check || type->kind == PYTREE_KIND_CUSTOM;         /* whose callbacks are asked anew each time */
    for (k = 1; check && k < n && it->status == PYTREE_OK; k++) { pytree__nodes_equal(it, k); }
    return it->status;
}

/* Make room for n more views in each tree: in one block the first time. This may move those that are there, the values at hand
 * among them. */
static PYTREE__NOINLINE bool pytree__iter_grow(pytree_iter *it, const pytree_leaf **values, size_t n)
{
    const size_t n_trees = it->n_cursors;
    size_t most = 0, k;
    for (k = 0; k < n_trees; k++) {
        const size_t used = it->cursors[k].n_views;
        if (most < used) { most = used; }
    }
    if (it->block == 0) {
        const size_t bytes = pytree__times(n_trees, pytree__times(most += n, sizeof(pytree_leaf)));
        pytree_leaf *views = (pytree_leaf *)pytree__resize(it->allocator, NULL, 0, bytes);
        if (views == NULL) { (void)pytree__no_memory(it->cursors[0].err, bytes); return false; }
        it->block = bytes;
        for (k = 0; k < n_trees; k++, views += most) {
            pytree__cursor *const c = &it->cursors[k];
            memcpy(views, c->views, c->n_views * sizeof *views);
            if (c->views != c->own_views) { pytree__array_free(c->views, c->max_views, sizeof *c->views, it->allocator); }
            c->views = c->own_views = views;
            c->max_views = most;
        }
    }
    for (k = 0; k < n_trees; k++) {
        pytree__cursor *const c = &it->cursors[k];
        const pytree__frame *const f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
        if (pytree__room(c, n) == NULL) { return false; }
        if (f != NULL && f->from == PYTREE__FROM_VIEWS) { values[k] = &c->views[f->views + f->next - 1]; }
    }
    return true;
}

/* Tells whether the structs at hand, one in each tree, are of one type. Notes whether they lie in rows. Makes room for the
 * views of several: there may be little of it for each tree. */
PYTREE__INLINE bool pytree__runs_begin(pytree_iter *it, const size_t n, const pytree_leaf **values)
{
    const pytree_type *const type = values[0]->type;
    const pytree__layout *layout;
    size_t n_leaves, k;
    for (k = 1; k < n; k++) {
        if (PYTREE__UNLIKELY(values[k]->form != PYTREE_FORM_STRUCT || values[k]->type != type)) { return false; }
    }
    if (n != 1 && it->cursors->n_frames != 0) {
        pytree__frame *const f = &it->cursors->frames[it->cursors->n_frames - 1];
        bool rows = f->from == PYTREE__FROM_ROW;
        for (k = 1; k < n && rows; k++) {
            rows = it->cursors[k].frames[it->cursors[k].n_frames - 1].from == PYTREE__FROM_ROW;
        }
        f->rows = rows;
    }
    if (n == 1 || it->checked) { return true; }
    layout = pytree__layout_of(&it->cache, type);
    n_leaves = layout->n_leaves + layout->n_pointed;
    for (k = 0; k < n && n_leaves <= it->cursors[k].max_views - it->cursors[k].n_views; k++) {}
    if (PYTREE__LIKELY(k == n) || pytree__iter_grow(it, values, n_leaves)) { return true; }
    it->status = PYTREE_NO_MEMORY;
    return false;
}

/* Goes from runs that were consumed to the structs behind them, if they lie in a row in every tree. */
PYTREE__INLINE bool pytree__runs_follow(pytree_iter *it, const size_t n, const pytree_leaf **values)
{
    pytree__cursor *const c = it->cursors;
    pytree__frame *f;
    size_t k;
    if (c->n_frames == 0) { return false; }
    f = &c->frames[c->n_frames - 1];
    if ((n == 1 ? f->from != PYTREE__FROM_ROW : !f->rows) || f->next == f->count) { return false; }
    f->next++;                            /* the other trees' frames follow where one is opened */
    for (k = 0; k < n; k++) {
        c[k].child.data = (char *)c[k].child.data + f->type->size;
        values[k] = &c[k].child;
    }
    return true;
}

/* Tells whether the structs at hand are sound and have the same None and the same static values. */
PYTREE__INLINE bool pytree__instances_equal(pytree_iter *it, const size_t n, const pytree_leaf **values)
{
    const pytree_type *const type = values[0]->type;
    const pytree__layout *layout;
    bool follows = false;
    size_t k;
    for (k = 0; k < n; k++) {
        const pytree__cursor *const c = &it->cursors[k];
        const size_t flags = pytree__validate(type, values[k]->data, c->views + c->n_views, c->views + c->max_views);
        if (PYTREE__UNLIKELY((flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) {
            if (!pytree__may_follow(flags)) { return false; }
            follows = true;
        }
    }
    if (n != 1) {
        layout = pytree__layout_of(&it->cache, type);
        if (PYTREE__UNLIKELY(layout->n_nodes == 0) || !pytree__layout_instances_equal(layout, n, values)) {
            return false;
        }
    }
    return PYTREE__LIKELY(!follows) || pytree__follow_equal(it, n, values);
}

/* Lists the structs at hand, of which there are two to four: the last one more than once if there are fewer than four. */
PYTREE__INLINE void pytree__pattern_structs(const size_t n, const pytree_leaf **values, const char *self[4])
{
    self[0] = (const char *)values[0]->data;
    self[1] = (const char *)values[1]->data;
    self[2] = (const char *)values[n > 2 ? 2 : n - 1]->data;
    self[3] = (const char *)values[n > 3 ? 3 : n - 1]->data;
}

/* Learns from structs at hand that were taken row by row and lie in rows. Where only structure is checked, those that follow
 * and are like them are passed over at once; afterwards they can be taken without a check. */
static PYTREE__NOINLINE void pytree__iter_learn(pytree_iter *it, size_t n, const pytree_leaf **values, bool checking,
                                                struct pytree__pattern *p)
{
    pytree__cursor *const c = it->cursors;
    pytree__frame *const f = &c->frames[c->n_frames - 1];
    const pytree_type *const type = values[0]->type;
    const char *self[4];
    size_t like, k;
    pytree__pattern_structs(n, values, self);
    if (!checking) {
        p->left = pytree__pattern_recall(p, &it->cache, type, self, n, f->count - f->next);
        return;
    }
    if (!pytree__pattern_learn(p, pytree__layout_of(&it->cache, type), self, n, f->count - f->next)) { return; }
    like = pytree__pattern_count_four(p, self, f->count - f->next);
    pytree__pattern_note(p, self[0], like);
    f->next += like;
    for (k = 0; k < n; k++) { c[k].child.data = (char *)c[k].child.data + like * type->size; }
}

/* Goes from a run that is done to the structs behind it, which are like it: the views of their leaves differ in addresses only.
 * Returns false if that is no longer so. */
PYTREE__INLINE bool pytree__iter_stretch(pytree_iter *it, const size_t n, struct pytree__pattern *p)
{
    pytree__cursor *const c = it->cursors;
    pytree__frame *const f = &c->frames[c->n_frames - 1], *const row = f - 1;
    const size_t third = n > 2 ? 2 : 1, fourth = n > 3 ? 3 : third;
    const size_t size = p->type->size;
    const char *self[4];
    pytree_leaf *views[4];
    size_t k;
    self[0] = (const char *)c->child.data + size;
    self[1] = (const char *)c[1].child.data + size;
    self[2] = (const char *)c[third].child.data + size;
    self[3] = (const char *)c[fourth].child.data + size;
    views[0] = c->views + f->views;
    views[1] = c[1].views + c[1].n_views;
    views[2] = c[third].views + c[third].n_views;
    views[3] = c[fourth].views + c[fourth].n_views;
    if (row->next == row->count || !pytree__pattern_take(p, self, views)) { p->left = 0; return false; }
    p->left--;
    row->next++;
    f->self = self[0];
    c->of.run_left = f->count - 1;
    for (k = 0; k < n; k++) {
        c[k].child.data = (char *)c[k].child.data + size;
        it->views[k] = views[k];
    }
    return true;
}

/* Makes views of the leaves of structs at hand. Returns false if one is not sound, or they have not equally many. */
PYTREE__INLINE bool pytree__iter_views(const pytree_iter *it, const size_t n, const pytree_leaf **values, size_t *n_leaves)
{
    const pytree__cursor *const c = it->cursors;
    size_t k, bytes = 0;
    for (k = 0; k < n; k++) {
        pytree_leaf *const views = c[k].views + c[k].n_views;
        pytree_leaf *const end = c[k].views + c[k].max_views;
        pytree__flatten_result seen = pytree__leaf_views(values[0]->type, values[k]->data, views, end, false);
        size_t mine;
        if (PYTREE__UNLIKELY((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0)) {
            if (!pytree__may_follow(seen.flags)) { return false; }
            seen = pytree__follow_views(views, seen.end, end);
            if (seen.flags != 0) { return false; }
        }
        mine = (size_t)((const char *)seen.end - (const char *)views);
        if (k == 0) { bytes = mine; }
        /* None where the first tree has a leaf is a deeper tree; the other way round was found to be wrong before */
        if (PYTREE__UNLIKELY(mine != bytes)) { return false; }
    }
    *n_leaves = bytes / sizeof(pytree_leaf);
    return true;
}

/* Takes a struct that is a run in every tree. Only the first tree's cursor gets a frame, for paths. AT_LEAF: its first leaf
 * is at hand, and more may follow side by side (run_left). AT_END: it is done with. AT_NODE: it must be opened. */
PYTREE__INLINE int pytree__iter_run(pytree_iter *it, const size_t n, const pytree_leaf **values, const bool checking,
                                    struct pytree__pattern *pattern)
{
    const pytree_type *const type = values[0]->type;
    pytree__cursor *const c = it->cursors;
    const pytree__frame *const row = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const void *const self = values[0]->data;
    pytree__frame *f;
    size_t k, n_leaves = 0;
    if (PYTREE__UNLIKELY(!checking && c->n_frames == c->max_frames)) { return PYTREE__AT_NODE; }
    if ((checking || (n > 1 && !it->checked)) && !pytree__instances_equal(it, n, values)) { return PYTREE__AT_NODE; }
    if (!checking && !pytree__iter_views(it, n, values, &n_leaves)) { return PYTREE__AT_NODE; }
    if (pattern != NULL && row != NULL && row->rows
        && (checking ? pytree__pattern_pays(pattern, type, row->count - row->next)
            : n_leaves != 0 && pytree__pattern_may_recall(pattern, type, (const char *)self, row->count - row->next))) {
        pytree__iter_learn(it, n, values, checking, pattern);
    }
    if (checking) { return PYTREE__AT_END; }
    if (n_leaves == 0) { return PYTREE__AT_END; }
    for (k = 0; k < n; k++) { values[k] = c[k].views + c[k].n_views; }
    f = &c->frames[c->n_frames++];
    f->type = type;
    f->self = self;
    f->next = f->count = n_leaves;        /* of which run_left are still to come */
    f->views = (uint32_t)c->n_views;
    f->form = PYTREE_FORM_STRUCT;
    f->from = PYTREE__FROM_VIEWS;
    f->run = true;
    f->ordered = f->numbered = f->sparse = false;
    c->n_views += f->count;
    c->of.run_left = f->count - 1;
    return PYTREE__AT_LEAF;
}

/* Goes on to the next leaf of a run. */
PYTREE__INLINE void pytree__run_next(pytree_iter *it, const size_t n)
{
    const pytree_leaf **values = it->views;
    size_t k;
    it->index++;
    switch (n) {
    case 1: values[0]++; break;
    case 4: values[3]++;                  /* fallthrough */
    case 3: values[2]++;                  /* fallthrough */
    case 2: values[1]++; values[0]++; break;
    default:
        PYTREE__FEW_STEPS
        for (k = 0; k < n; k++) { values[k]++; }
    }
}

/* Takes the next child in every tree. AT_LEAF and the like tell what it is in the first one. */
PYTREE__INLINE int pytree__iter_children(pytree_iter *it, const size_t n, const pytree_leaf **values)
{
    pytree__cursor *const c = it->cursors;
    size_t k;
    int at;
    for (k = 0; k < n; k++) {
        if (PYTREE__UNLIKELY(!c->begun)) {
            values[k] = &c[k].root;
        } else if (PYTREE__UNLIKELY(!pytree__cursor_child(&c[k], &c[k].frames[c[k].n_frames - 1], &values[k]))) {
            it->status = c[k].status;
            return PYTREE__FAILED;
        }
    }
    c->begun = true;
    if (PYTREE__UNLIKELY(!c->plain)) {
        for (k = 1; k < n; k++) {
            pytree_leaf *const value = (pytree_leaf *)(uintptr_t)values[k];
            if (c->opt->space != NULL) { pytree__apply_namespace(&c[k], value); }
            if (PYTREE__DEVICES && c[k].met_device) { pytree__see_device(&c[k], value); }
        }
    }
    at = pytree__classify(c, values[0]);
    if (PYTREE__LAYOUTS && at == PYTREE__AT_RUN && !pytree__runs_begin(it, n, values)) {
        return it->status == PYTREE_OK ? PYTREE__AT_NODE : PYTREE__FAILED;
    }
    if (at == PYTREE__FAILED) { it->status = c->status; }
    return at;
}

/* Goes on to the next leaf. The views of a run's leaves lie side by side: those come without looking (run_left), and are passed
 * over where only structure is checked. Returns false at the end and on an error. */
PYTREE__INLINE bool pytree__advance(pytree_iter *it, const size_t n, const bool checking, struct pytree__pattern *pattern)
{
    pytree__cursor *const c = it->cursors;
    const pytree_leaf **const values = it->views;
    size_t k;
    if (PYTREE__UNLIKELY(it->status != PYTREE_OK || n == 0)) { return false; }
    if (PYTREE__LAYOUTS && !checking && pattern != NULL && pattern->left != 0 && pytree__iter_stretch(it, n, pattern)) {
        it->index++;
        return true;
    }
    for (;;) {
        const pytree__frame *const top = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
        int at = PYTREE__AT_RUN;
        if (top != NULL && top->next == top->count) {
            const bool run = PYTREE__LAYOUTS && top->run;
            for (k = run ? 1 : n; k-- != 0;) { pytree__close(&c[k]); }
            if (!run || !pytree__runs_follow(it, n, values)) { continue; }
        } else if (top != NULL || !c->begun) {
            at = pytree__iter_children(it, n, values);
        } else {
            return false;
        }
        if (PYTREE__LAYOUTS && at == PYTREE__AT_RUN) {
            do {
                at = pytree__iter_run(it, n, values, checking, pattern);
            } while (at == PYTREE__AT_END && pytree__runs_follow(it, n, values));
            if (at == PYTREE__AT_END) { continue; }
            for (k = 1; at == PYTREE__AT_NODE && c->n_frames != 0 && k < n; k++) {
                c[k].frames[c[k].n_frames - 1].next = c->frames[c->n_frames - 1].next;
            }
        }
        if (at == PYTREE__AT_LEAF) {
            it->index++;
            return true;
        }
        if (PYTREE__UNLIKELY(at == PYTREE__FAILED)) { return false; }
        if (at == PYTREE__AT_NONE) {
            for (k = 1; k < n; k++) {
                if (values[k]->form != PYTREE_FORM_NONE) {
                    pytree__fail_structure(it, k, values[0], values[k]);
                    return false;
                }
            }
        } else if (pytree__iter_open(it, n, values, checking || !it->checked) != PYTREE_OK) {
            return false;
        }
    }
}

/* Goes on in either pass of a map over any number of trees. */
static PYTREE__APART bool pytree__advance_some(pytree_iter *it, bool checking, struct pytree__pattern *pattern)
{
    return pytree__advance(it, it->n_cursors, checking, pattern);
}

/* Goes on to a leaf that is not the next one of a run. */
static PYTREE__NOINLINE bool pytree__iter_next_run(pytree_iter *it) { return pytree__advance(it, it->n_cursors, false, NULL); }

PYTREE__APART_CLANG bool pytree_iter_next(pytree_iter *it)
{
    if (!PYTREE__LAYOUTS || it->cursors[0].of.run_left == 0) { return pytree__iter_next_run(it); }
    it->cursors[0].of.run_left--;
    pytree__run_next(it, it->n_cursors);
    return true;
}

/* Brings the first cursor of a zipped iteration to the leaf at hand. If memory runs out on the way, that is its status. */
static PYTREE__APART void pytree__iter_seek(const pytree_iter *at)
{
    pytree_iter *const it = (pytree_iter *)(uintptr_t)at;
    pytree__cursor *const c = it->cursors;
    while (PYTREE__CONTAINERS && it->zipped && it->passed <= it->index && c->status == PYTREE_OK) {
        const pytree_leaf *value;
        const int what = pytree__cursor_next(c, &value);
        if (what == PYTREE__AT_LEAF) { it->passed++; }
        if (what == PYTREE__AT_NODE) { c->status = pytree__open(c, value); }
        if (what == PYTREE__AT_END) { pytree__close(c); }
        if (what >= PYTREE__DONE) { return; }
    }
}

size_t pytree_iter_path_text(const pytree_iter *it, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__iter_seek(it);
    pytree__cursor_text(&it->cursors[0], &to);
    return pytree__end_text(&to, n);
}

size_t pytree_iter_path(const pytree_iter *it, pytree_entry *entries, size_t capacity)
{
    pytree__iter_seek(it);
    return pytree__cursor_path(&it->cursors[0], entries, capacity);
}
#endif
