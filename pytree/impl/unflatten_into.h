/* pytree/impl/unflatten_into.h: rebuild in place: leaves into an existing tree. */
#ifndef PYTREE_IMPL_UNFLATTEN_INTO_H
#define PYTREE_IMPL_UNFLATTEN_INTO_H

#include "internal.h"

/* Return the treedef's node whose place is that of the open node on top, all of whose children were found, before node j; or j
 * where the treedef has another one just like it there, whose children are elsewhere. */
static PYTREE__APART_CLANG size_t pytree__into_place(const pytree__cursor *c, const pytree_def *def, size_t j,
                                                     const pytree_node *mine)
{
    size_t around = 0, first = j, k;      /* nodes that begin there or before, the outermost last; the first one in it */
    for (k = 0; k < mine->arity; k++) { first -= def->nodes[first - 1].nodes; }
    for (k = first; k < def->n_nodes; k++) { around += k + 1 - def->nodes[k].nodes <= first; }
    for (k = first; k < def->n_nodes; k++) {
        around -= k + 1 - def->nodes[k].nodes <= first;
        if (around == c->n_frames - 1) { return pytree__same_node(mine, &def->nodes[k]) ? j : k; }
    }
    return j;
}

/* Fail because dst has another node than the treedef's node j. */
static PYTREE__NOINLINE pytree_status pytree__into_fail(pytree__cursor *c, const pytree_def *def, size_t j,
                                                        const pytree_node *mine, bool same)
{
    struct pytree__text_writer to;
    if (pytree__fail_begin(c, PYTREE_STRUCTURE, &to)) {
        pytree__put_text(&to, "expected ");
        if (j < def->n_nodes) { pytree__node_text(&to, def, &def->nodes[j]); } else { pytree__put_text(&to, "the end"); }
        pytree__put_text(&to, ", got ");
        pytree__node_text(&to, NULL, mine);
        if (!same) { pytree__put_text(&to, " with other static values or keys"); }
        pytree__fail_end(c, &to);
    }
    return PYTREE_STRUCTURE;
}

/* Fail because the open struct on top has not the static values of the treedef's node j. */
static PYTREE__NOINLINE pytree_status pytree__into_fail_statics(pytree__cursor *c, const pytree_def *def, size_t j)
{
    struct pytree__static_side sides[2] = { { NULL, NULL }, { NULL, NULL } };
    struct pytree__text_writer to;
    if (pytree__fail_begin(c, PYTREE_STRUCTURE, &to)) {
        sides[0].packed = def->statics + def->nodes[j].meta;
        sides[1] = pytree__static_side_of(&c->frames[c->n_frames - 1]);
        pytree__put_text(&to, "expected ");
        pytree__put_sides(&to, def->nodes[j].type, sides, ", got ");
        pytree__fail_end(c, &to);
    }
    return PYTREE_STRUCTURE;
}

/* Compares a leaf or None of dst with the treedef's node j. */
static PYTREE__APART_CLANG pytree_status pytree__match_node(pytree__cursor *c, const pytree_def *def, size_t j,
                                                            const pytree_type *type)
{
    pytree_node mine;
    mine.type = type;
    mine.arity = 0;
    if (j < def->n_nodes && pytree__same_node(&mine, &def->nodes[j])) { return PYTREE_OK; }
    return pytree__into_fail(c, def, j, &mine, true);
}

/* Compares an open node's static values or keys with those of the treedef's node j, which has the same type. */
static PYTREE__APART_CLANG bool pytree__same_meta(const pytree__cursor *c, const pytree__frame *f, const pytree_def *def,
                                                  size_t j)
{
    const unsigned char *at = def->statics + def->nodes[j].meta, *keys = NULL;
    size_t i, n;
    if (f->form == PYTREE_FORM_STRUCT) { return pytree__match_packed(f->type, (const char *)f->self, at) != NULL; }
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        n = pytree__statics_size(flat->def, f->shape[0]);
        return n == pytree__statics_size(def, j) && memcmp(flat->def->statics + flat->def->nodes[f->shape[0]].meta, at, n) == 0;
    }
    if (f->form == PYTREE_FORM_CUSTOM) {
        if (pytree__u32(at) != f->shape[0] || memcmp(at + sizeof(uint32_t), pytree__held_metadata(c, f), f->shape[0]) != 0) {
            return false;
        }
    } else if (!pytree__match_meta(def->nodes[j].type, pytree__items_name(f), f->shape[0], at)) {
        return false;
    }
    if (f->from == PYTREE__FROM_PAIRS || f->form == PYTREE_FORM_CUSTOM) { keys = pytree__first_key(def, j); }
    for (i = 0; (f->from == PYTREE__FROM_PAIRS || f->form == PYTREE_FORM_CUSTOM) && i < f->count; i++) {
        pytree_entry mine, theirs;
        pytree__frame_entry(c, f, i, &mine);
        keys = pytree__next_key(&def->nodes[j], keys, i, &theirs);
        if (!pytree__same_entry(&mine, &theirs)) { return false; }
    }
    return true;
}

/* Store a leaf in its row of *self: a pointer takes the view's data, a value in place is copied. */
static void pytree__store_child(const pytree_field *row, void *self, const pytree_leaf *leaf)
{
    char *at = (char *)self + row->offset;
    if (PYTREE__MORE_ROWS && row->place == PYTREE_FLEXIBLE) {
        const size_t bytes = pytree_leaf_bytes(leaf);
        if (bytes != 0) { memmove(at, leaf->data, bytes); }    /* else there may be no data */
    } else if (row->place != PYTREE_IN_PLACE) {
        void *p = leaf->form == PYTREE_FORM_NONE ? NULL : leaf->data;
        memcpy(at, &p, sizeof p);
    } else if (leaf->form == PYTREE_FORM_NONE) {
        memset(at, 0, row->size);
    } else if (leaf->data != (void *)at) {
        memcpy(at, leaf->data, row->size);
    }
}

/* Calls itself for structs that lie in structs, no deeper than C's declarations, and for one behind a pointer, none of whose
 * own pointers lead to a struct. */
const pytree_leaf *pytree__store_row(const pytree_field *row, void *self, const pytree_leaf *leaf)
{
    unsigned i;
    void *p;                              /* the leaves fit: each was compared before any is stored */
    if (row->form == PYTREE_FORM_STRUCT) {
        char *const at = (char *)(uintptr_t)pytree__struct_of(row, (const char *)self);
        if (at == NULL) { return leaf; }
        if (!pytree__has_rows(row->type)) { return NULL; }
        if (row->place != PYTREE_IN_PLACE) { return pytree__store_leaves(row->type, at, leaf); }
        for (i = 0; i < row->type->n_fields && leaf != NULL; i++) {
            const pytree_field *const inner = &row->type->fields[i];
            if (inner->row == PYTREE_ROW_DATA) { leaf = pytree__store_row(inner, at, leaf); }
        }
        return leaf;
    }
    if (row->optional != 0) {
        memcpy(&p, (char *)self + row->offset, sizeof p);
        if (p == NULL) { return leaf; }
    }
    if (leaf->data == NULL) { return NULL; }
    pytree__store_child(row, self, leaf);
    return leaf + 1;
}

/* Store the leaves of a struct that is a run, row by row. */
static PYTREE__NOINLINE const pytree_leaf *pytree__store_rows(const pytree_type *type, void *self, const pytree_leaf *leaf)
{
    pytree_field whole;
    memset(&whole, 0, sizeof whole);
    whole.type = type;
    whole.form = PYTREE_FORM_STRUCT;
    whole.place = PYTREE_IN_PLACE;
    return pytree__store_row(&whole, self, leaf);
}

/* Store the leaves of a struct that is a run. Returns those that follow; NULL if it is none. The function of the type does not
 * take a leaf whose type is equal to the row's and not the very same. */
PYTREE__INLINE const pytree_leaf *pytree__store_leaves(const pytree_type *type, void *self, const pytree_leaf *leaf)
{
    const pytree_leaf *const end = type->store_leaves == NULL ? NULL : type->store_leaves(self, leaf);
    return PYTREE__LIKELY(end != NULL) ? end : pytree__store_rows(type, self, leaf);
}

/* Store leaves in a struct, and those behind them in structs that follow it and are like it. */
static PYTREE__APART_CLANG void pytree__store_structs(const struct pytree__store *store, const struct pytree__pattern *p,
                                                      const pytree_leaf *leaf)
{
    const pytree_type *const type = (const pytree_type *)store->what;
    char *self = store->to;
    uint32_t i = store->like;
    if (p->type == type && pytree__pattern_suits(p, self)) {
        pytree__pattern_store(p, self, leaf, i);
        return;
    }
    for (; i != 0; i--) {                 /* their pattern is that of other structs by now */
        self += type->size;
        leaf = pytree__store_leaves(type, self, leaf);
    }
}

/* Stores what was noted. */
PYTREE__INLINE void pytree__store_noted(const struct pytree__store *store, const struct pytree__pattern *p)
{
    const pytree_leaf *leaf = store->leaf;
    switch (store->kind) {
    case PYTREE__STORE_STRUCT:
        leaf = pytree__store_leaves((const pytree_type *)store->what, store->to, leaf);
        if (store->like != 0) { pytree__store_structs(store, p, leaf); }
        break;
    case PYTREE__STORE_ROW: pytree__store_child((const pytree_field *)store->what, store->to, leaf); break;
    case PYTREE__STORE_VIEW: ((pytree_leaf *)(void *)store->to)->data = leaf->data; break;
    default: memmove(store->to, leaf->data, pytree_leaf_bytes(leaf));
    }
}

/* Return where to note what is to be stored in a struct, a view and the like; NULL if there is no room. */
PYTREE__INLINE struct pytree__store *pytree__stores_add(struct pytree__stores *stores)
{
    if (stores->n == PYTREE__STORES) { stores->full = true; return NULL; }
    return &stores->of[stores->n++];
}

PYTREE__INLINE void pytree__store_set(struct pytree__store *store, unsigned kind, const void *what, const void *to,
                                      const pytree_leaf *leaf)
{
    store->what = what;
    store->to = (char *)(uintptr_t)to;
    store->leaf = leaf;
    store->like = 0;
    store->kind = kind;
}

/* Find where a leaf is stored, for which dst has this value. Returns false if it is there already, or is no leaf. */
static PYTREE__APART_CLANG bool pytree__store_of(struct pytree__store *store, const pytree__cursor *c, const pytree_leaf *value,
                                                 const pytree_leaf *leaf)
{
    const char *self;
    const pytree_field *const row = pytree__row_at(c, &self);
    if (row != NULL && row->form == PYTREE_FORM_LEAF) {
        pytree__store_set(store, PYTREE__STORE_ROW, row, self, leaf);
        return true;
    }
    if (row != NULL && row->form == PYTREE_FORM_VIEW) {
        pytree__store_set(store, PYTREE__STORE_VIEW, row, self + row->offset, leaf);
        return true;
    }
    pytree__store_set(store, PYTREE__STORE_ELEMENTS, NULL, value->data, leaf);
    return value->form == PYTREE_FORM_LEAF && leaf->data != value->data && pytree_leaf_bytes(value) != 0;
}

/* Stores a leaf for which a tree has this value. */
static PYTREE__APART_CLANG void pytree__store_leaf(const pytree__cursor *c, const pytree_leaf *value, const pytree_leaf *leaf)
{
    struct pytree__store store;
    if (pytree__store_of(&store, c, value, leaf)) { pytree__store_noted(&store, NULL); }
}

/* Stores all that was noted. */
static PYTREE__NOINLINE void pytree__stores_do(const struct pytree__stores *stores, const struct pytree__pattern *p)
{
    const struct pytree__store *store = stores->of, *const end = store + stores->n;
    for (; store != end; store++) { pytree__store_noted(store, p); }
}

/* Compares leaf k, which is given, with the one that dst has, and notes where it is stored. */
static PYTREE__APART_CLANG pytree_status pytree__into_leaf(pytree__cursor *c, struct pytree__stores *stores,
                                                           const pytree_leaf *value, const pytree_leaf *leaf, size_t k)
{
    const pytree_status status = pytree__fits(value, leaf);
    struct pytree__store *store;
    if (status != PYTREE_OK) { return pytree__fail_misfit(c, status, value, leaf); }
    if (PYTREE__DEVICES && value->form == PYTREE_FORM_DEVICE) { return pytree__fail_device(c, value); }
    if (leaf->data == NULL && leaf->form == PYTREE_FORM_LEAF && pytree_leaf_count(leaf) != 0) {
        return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected data for leaf %zu, got NULL", k);
    }
    store = pytree__stores_add(stores);
    if (store != NULL && !pytree__store_of(store, c, value, leaf)) { stores->n--; }
    return PYTREE_OK;
}

/* Counts nodes of a treedef, of at most n, that are `step` behind one another and have the type of this one. */
static size_t pytree__same_types(const pytree_node *node, size_t step, size_t n)
{
    const pytree_type *const type = node->type;
    size_t i;
    for (i = 0; i < n && (node += step)->type == type; i++) {}
    return i;
}

/* Compares runs that follow in a list by the one that was compared last, whose nodes end at *j and leaves at *behind. Where the
 * treedef has the same nodes and static values for them, and they have those of that run, the given leaves need only be
 * compared with those of that run. The cursor goes behind those that are like it. Return how many those are. */
static PYTREE__NOINLINE size_t pytree__into_pattern(pytree__cursor *c, const pytree__layout *layout, struct pytree__pattern *p,
                                                    const char *self, const pytree_def *def, size_t *j,
                                                    const pytree_leaf **behind)
{
    const pytree__nullable *nullable = layout->nullables, *const end = nullable + layout->n_nullables;
    const size_t step = layout->n_nodes, bytes = layout->n_statics;
    const bool some_none = p->n_nulls != 0 && p->n_sets != 0;  /* or def->by_rows and the number of leaves tell what is None */
    const pytree_node *const first = &def->nodes[*j - step], *const top = &def->nodes[*j - 1];
    const unsigned char *const at = def->statics + first[layout->spans->node].meta;
    pytree__frame *const f = &c->frames[c->n_frames - 1];
    const size_t left = f->count - f->next, nodes = (def->n_nodes - *j) / step, most = nodes < UINT32_MAX ? nodes : UINT32_MAX;
    size_t n = left < most ? left : most, i;
    for (i = 0; i < n && pytree__same_counts(top, &top[(i + 1) * step]); i++) {}
    n = i;
    for (; some_none && nullable != end; nullable++) { n = pytree__same_types(&first[nullable->node], step, n); }
    if (bytes != 0 && memcmp(at, at + bytes, n * bytes) != 0) {
        for (i = 0; memcmp(at, at + (i + 1) * bytes, bytes) == 0; i++) {}
        n = i;
    }
    n = pytree__pattern_count_one(p, self, n);
    n = pytree__pattern_fit(p, *behind - p->n_leaves, n);
    *j += n * step;
    *behind += n * p->n_leaves;
    f->next += n;
    c->child.data = (char *)c->child.data + n * layout->type->size;
    return n;
}

/* Compares a struct that is a run but for pointers to structs with the treedef's nodes from *j on and the leaves from *next on,
 * and notes where they are stored. Returns false if it must be walked node by node. */
static PYTREE__NOINLINE bool pytree__into_following(pytree__cursor *c, pytree__layout_cache *cache,
                                                    struct pytree__stores *stores, const pytree_type *type, void *self,
                                                    const pytree_def *def, size_t *j, const pytree_leaf **next)
{
    pytree_leaf *const views = c->views + c->n_views, *const end = c->views + c->max_views;
    const size_t n = !def->by_rows ? 0 : pytree__follow_matches(cache, type, (const char *)self, def, &def->nodes[*j],
                                                                def->n_nodes - *j);
    struct pytree__store *store;
    pytree__flatten_result seen;
    if (n == 0) { return false; }
    seen = pytree__leaf_views(type, self, views, end, false);
    if (!pytree__may_follow(seen.flags)) { return false; }
    seen = pytree__follow_views(views, seen.end, end);
    if (seen.flags != 0 || !pytree__fit(views, seen.end, *next)) { return false; }
    store = pytree__stores_add(stores);
    if (store != NULL) { pytree__store_set(store, PYTREE__STORE_STRUCT, type, self, *next); }
    *j += n;
    *next += seen.end - views;
    return true;
}

/* Compares a run with the treedef's nodes from *j on and the leaves from *next on, and notes where they are stored; or, in the
 * second pass, stores them. Returns false if the struct must be walked node by node, which also finds the error. */
PYTREE__INLINE bool pytree__into_run(pytree__cursor *c, pytree__layout_cache *cache, struct pytree__pattern *pattern,
                                     struct pytree__stores *stores, const pytree_type *type, void *self,
                                     const pytree_def *def, size_t *j, const pytree_leaf **next, bool put)
{
    pytree_leaf *const views = c->views + c->n_views;
    const pytree_leaf *leaf = *next;
    pytree__layout *const layout = pytree__layout_of(cache, type);
    struct pytree__store *store;
    pytree__flatten_result seen;
    uint64_t null_mask;
    if (put) {                            /* where it turns out to be no run the same leaves are stored again */
        if (layout->n_nodes == 0 || !pytree__layout_view(layout, self, &null_mask)) { return false; }
        leaf = pytree__store_leaves(type, self, leaf);
        if (leaf == NULL) { return false; }
        *next = leaf;
        return true;
    }
    if (PYTREE__UNLIKELY(layout->n_nodes == 0 || layout->n_nodes > def->n_nodes - *j)) { return false; }
    if (!pytree__layout_matches_instance(layout, (const char *)self, def, &def->nodes[*j])) {
        return layout->n_nullables != 0 && pytree__into_following(c, cache, stores, type, self, def, j, next);
    }
    seen = pytree__leaf_views(type, self, views, c->views + c->max_views, false);
    if (PYTREE__UNLIKELY((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0
                         || !pytree__fit(views, seen.end, leaf))) {
        return false;
    }
    store = pytree__stores_add(stores);
    if (store != NULL) { pytree__store_set(store, PYTREE__STORE_STRUCT, type, self, leaf); }
    *j += layout->n_nodes;
    *next = leaf + (seen.end - views);
    if (def->by_rows && c->n_frames != 0 && c->frames[c->n_frames - 1].from == PYTREE__FROM_ROW) {
        const pytree__frame *const f = &c->frames[c->n_frames - 1];
        const char *const one = (const char *)self;
        const size_t left = f->count - f->next;                /* of which a single one is compared as quickly by itself */
        if (left > 1 && pytree__pattern_pays(pattern, type, left)
            && pytree__pattern_learn(pattern, layout, &one, 1, left)) {
            const uint32_t like = (uint32_t)pytree__into_pattern(c, layout, pattern, one, def, j, next);
            if (store != NULL) { store->like = like; }
        }
    }
    return true;
}

/* Compares the open node on top, all of whose children are done, with the treedef's node j. */
static PYTREE__APART_CLANG pytree_status pytree__into_end(pytree__cursor *c, const pytree_def *def, size_t j)
{
    pytree__frame *const f = &c->frames[c->n_frames - 1];
    const size_t next = f->next;
    pytree_status status = PYTREE_OK;
    pytree_node mine;
    mine.type = pytree__type_of_form(f->form, f->type);
    mine.arity = (uint32_t)f->count;
    f->next = 0;                          /* an error here is the node's own */
    if (j >= def->n_nodes || !pytree__same_node(&mine, &def->nodes[j])) {
        status = pytree__into_fail(c, def, pytree__into_place(c, def, j, &mine), &mine, true);
    } else if (!pytree__same_meta(c, f, def, j)) {
        status = mine.type->kind == PYTREE_KIND_STRUCT ? pytree__into_fail_statics(c, def, j)
                                                       : pytree__into_fail(c, def, j, &mine, false);
    }
    f->next = next;
    return status;
}

/* Goes over the tree and the treedef side by side: compares them and notes what is to be stored, or (`put`) stores leaves. */
PYTREE__INLINE pytree_status pytree__into(pytree__cursor *c, pytree__layout_cache *cache, struct pytree__pattern *pattern,
                                          struct pytree__stores *stores, const pytree_def *def, const pytree_leaf *leaves,
                                          pytree dst, const bool put)
{
    const pytree_leaf *value, *leaf = leaves;
    bool given = put, taken;
    size_t j = 0;
    c->status = pytree__cursor_root(c, dst);
    c->runs = c->plain && !c->none_is_leaf;
    while (c->status == PYTREE_OK) {
        switch (pytree__cursor_next(c, &value)) {
        case PYTREE__AT_LEAF:
            if (!given) { c->status = pytree__given_leaves(def->n_leaves, leaves, c->err); }
            given = true;
            if (!put && c->status == PYTREE_OK) { c->status = pytree__match_node(c, def, j, NULL); }
            if (put) {
                pytree__store_leaf(c, value, leaf);
            } else if (c->status == PYTREE_OK) {
                c->status = pytree__into_leaf(c, stores, value, leaf, (size_t)(leaf - leaves));
            }
            j++;
            leaf++;
            break;
        case PYTREE__AT_NONE:
            if (!put) { c->status = pytree__match_node(c, def, j, &pytree_types[PYTREE__T_none]); }
            j++;
            break;
        case PYTREE__AT_RUN:
            while ((taken = pytree__into_run(c, cache, pattern, stores, value->type, value->data, def, &j, &leaf, put))
                   && pytree__run_follows(c)) {}
            if (PYTREE__LIKELY(taken)) { break; }
            /* fallthrough */
        case PYTREE__AT_NODE:
            c->status = pytree__open(c, value);
            /* the children that a custom node gives may be gone when it is closed */
            if (PYTREE__CONTAINERS && c->frames[c->n_frames - 1].form == PYTREE_FORM_CUSTOM) { stores->full = true; }
            break;
        case PYTREE__AT_END:
            if (!put) { c->status = pytree__into_end(c, def, j); }
            pytree__close(c);
            j++;
            break;
        case PYTREE__DONE:
            if (!put && j != def->n_nodes) {
                c->status = pytree_fail(c->err, PYTREE_STRUCTURE, NULL, "expected %zu nodes, got %zu", def->n_nodes, j);
            }
            return c->status;
        default: return c->status;
        }
    }
    return c->status;
}

pytree_status pytree_unflatten_into(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree dst,
                                    const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree__cursor_space stacks;
    pytree__layout_cache cache;
    pytree__layout_space layouts;
    struct pytree__pattern pattern;
    struct pytree__stores stores;
    pytree_options own;
    pytree_status status = pytree__leaf_counts(def, n, leaves, err);
    if (status != PYTREE_OK) { return status; }
    if (def->space != NULL && (opt == NULL || opt->space == NULL)) {
        memset(&own, 0, sizeof own);
        if (opt != NULL) { own = *opt; }
        own.space = def->space;
        opt = &own;
    }
    if (def->none_is_leaf != (opt != NULL && opt->none_is_leaf)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected none_is_leaf as in the treedef (%s), got the other",
                           def->none_is_leaf ? "true" : "false");
    }
    pytree__cursor_init(&c, &stacks, opt, err);
    c.writes = PYTREE__MORE_ROWS;
    pytree__layout_cache_init(&cache, &layouts);
    if (def->by_rows) { cache.nodes = NULL; }                  /* of which none would be looked at */
    pytree__pattern_init(&pattern);
    stores.n = 0;
    stores.full = false;
    status = pytree__into(&c, &cache, &pattern, &stores, def, leaves, dst, false);
    if (status == PYTREE_OK && stores.full) {
        status = pytree__into(&c, &cache, &pattern, &stores, def, leaves, dst, true);
    } else if (status == PYTREE_OK) {
        pytree__stores_do(&stores, &pattern);
    }
    pytree__cursor_end(&c);
    return status;
}
#endif
