/* pytree/impl/graph.h: structure, copies and duplicates of graphs. */
#ifndef PYTREE_IMPL_GRAPH_H
#define PYTREE_IMPL_GRAPH_H

#include "graph_grown.h"

/* ---- Flatten ------------------------------------------------------------------------------------------------------- */

/* A node pytree_same, and the value that it stands for. */
struct pytree__graph_same { uint32_t node, number; };

struct pytree__graph_maker {
    struct pytree__graph graph;
    pytree__td_maker nodes;
    struct pytree__vector leaves, sames;  /* views; of pytree__graph_same */
    bool good;
};

static bool pytree__graph_push_leaf(struct pytree__graph_maker *m, pytree_error *err)
{
    pytree_leaf *const leaf = (pytree_leaf *)pytree__vector_add(&m->leaves, 1, err);
    if (leaf == NULL) { return false; }
    pytree__copy_view(leaf, m->graph.value);
    return pytree__td_push(&m->nodes, NULL, 0, 0);
}

/* Appends a pytree_same; its distance comes when that of the other node is known. */
static bool pytree__graph_push_same(struct pytree__graph_maker *m, const pytree_options *opt, pytree_error *err)
{
    static const unsigned char packed[] = { 0, 0, 0, 0, 0 };   /* the distance; not keyed */
    const uint32_t bytes = sizeof(int32_t);
    const size_t meta = m->nodes.statics.n;
    struct pytree__graph_same *const same = (struct pytree__graph_same *)pytree__vector_add(&m->sames, 1, err);
    if (same == NULL) { return false; }
    same->node = (uint32_t)m->nodes.n_nodes;
    same->number = m->graph.number;
    return pytree__td_add(&m->nodes.statics, &bytes, sizeof bytes, opt, err)
        && pytree__td_add(&m->nodes.statics, packed, sizeof packed, opt, err)
        && pytree__td_push(&m->nodes, &pytree_same, 0, meta);
}

/* Packs what the open node on top has besides its children at the end of the static bytes. */
static bool pytree__graph_pack(pytree__td_maker *m, const pytree__cursor *c, const pytree__frame *f)
{
    pytree__statics packed = { NULL, 0, 0 };
    void *grown;
    pytree__pack_node(&packed, c, f);
    if (packed.length > UINT32_MAX - m->statics.n) {
        pytree_fail(m->err, PYTREE_OVERFLOW, NULL, "expected fewer than 2^32 bytes of static values, got more");
        return false;
    }
    grown = pytree__array_grow(m->statics.at, &m->statics.max, m->statics.n + packed.length, 1, pytree__allocator(m->opt),
                               m->err);
    if (grown == NULL) { return false; }
    m->statics.at = (unsigned char *)grown;
    packed.at = m->statics.at + m->statics.n;
    packed.room = packed.length;
    packed.length = 0;
    pytree__pack_node(&packed, c, f);
    m->statics.n += packed.length;
    return true;
}

/* Appends the open node on top. */
static bool pytree__graph_push_node(struct pytree__graph_maker *m, const pytree_options *opt)
{
    const pytree__cursor *const c = &m->graph.cursor;
    const pytree__frame *const f = &c->frames[c->n_frames - 1];
    const uint32_t *order = f->ordered ? pytree__found_order(c, f) : f->order;
    const size_t meta = m->nodes.statics.n;
    const char *space = opt == NULL ? NULL : opt->space;
    const pytree_type *const type =
        f->form == PYTREE_FORM_FLAT ? f->type : pytree__type_of_form(f->form, f->type);
    size_t i;
    for (i = 0; order != NULL && i < f->count && order[i] == i; i++) {}
    if (i == f->count) { order = NULL; }
    if (f->form == PYTREE_FORM_FLAT) { space = ((const pytree_flat *)f->self)->def->space; }
    return pytree__td_use_space(&m->nodes, space) && pytree__graph_pack(&m->nodes, c, f)
        && pytree__td_add_order(&m->nodes, order, f->count) && pytree__td_push(&m->nodes, type, f->count, meta);
}

/* Walks to the end. Returns whether all went well. */
static bool pytree__graph_run(struct pytree__graph_maker *m, const pytree_options *opt, pytree_error *err)
{
    struct pytree__graph *const g = &m->graph;
    bool good = true;
    for (;;) {
        const int at = pytree__graph_next(g);
        switch (at) {
        case PYTREE__AT_LEAF: good = pytree__graph_push_leaf(m, err); break;
        case PYTREE__AT_NONE: good = pytree__td_push(&m->nodes, &pytree_types[PYTREE__T_none], 0, 0); break;
        case PYTREE__AT_SAME: good = pytree__graph_push_same(m, opt, err); break;
        case PYTREE__AT_END: good = pytree__graph_push_node(m, opt); break;
        case PYTREE__AT_NODE: continue;
        default: return at == PYTREE__DONE;
        }
        if (!good) { return false; }
        if (at != PYTREE__AT_SAME && g->number != 0) {
            pytree__graph_value_at(g, g->number)->node = (uint32_t)m->nodes.n_nodes - 1;
        }
    }
}

/* Fills in how far the nodes pytree_same are from the others. */
static bool pytree__graph_distances(struct pytree__graph_maker *m, pytree_error *err)
{
    const struct pytree__graph_same *const same = (const struct pytree__graph_same *)m->sames.data;
    size_t i;
    for (i = 0; i < m->sames.count; i++) {
        unsigned char *const to = m->nodes.statics.at + m->nodes.nodes[same[i].node].meta + sizeof(uint32_t);
        const int64_t back = (int64_t)same[i].node - (int64_t)pytree__graph_value_at(&m->graph, same[i].number)->node;
        unsigned k;
        if (back > INT32_MAX || back < INT32_MIN) {
            pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected what is shared within 2^31 nodes, got %lld", (long long)back);
            return false;
        }
        for (k = 0; k < sizeof(int32_t); k++) { to[k] = (unsigned char)((uint64_t)back >> 8 * k); }
    }
    return true;
}

static void pytree__graph_maker_begin(struct pytree__graph_maker *m, const pytree_options *opt, pytree_error *err)
{
    pytree__td_begin(&m->nodes, opt, err);
    m->leaves.count = m->sames.count = 0;
}

/* Flattens a graph in which something is shared. */
static pytree_flat pytree__graph_make(pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__graph_maker m;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    bool good;
    m.leaves = pytree__vector_of(sizeof(pytree_leaf), pytree__allocator(opt));
    m.sames = pytree__vector_of(sizeof(struct pytree__graph_same), pytree__allocator(opt));
    pytree__graph_begin(&m.graph, t, opt, err);
    pytree__graph_maker_begin(&m, opt, err);
    good = pytree__graph_run(&m, opt, err);
    if (good && m.graph.again) {
        (void)pytree__td_finish(&m.nodes, false, false);
        pytree__graph_maker_begin(&m, opt, err);
        pytree__graph_restart(&m.graph);
        good = pytree__graph_run(&m, opt, err);
    }
    good = good && pytree__graph_distances(&m, err);
    def = pytree__td_finish_with(&m.nodes, opt != NULL && opt->none_is_leaf, m.leaves.count, good);
    if (def != NULL) {
        leaves = pytree__def_leaves(def);
        if (m.leaves.count != 0) { memcpy(leaves, m.leaves.data, m.leaves.count * sizeof *leaves); }
        def->of_flat = m.graph.cursor.met_flat;
        if (PYTREE__DEVICES && pytree__hides_device(&m.graph.cursor) && pytree__need_leaves(def, leaves, err) != PYTREE_OK) {
            pytree_def_free(def);
            def = NULL;
        }
    }
    pytree__graph_end(&m.graph);
    pytree__vector_free(&m.leaves);
    pytree__vector_free(&m.sames);
    return pytree__alg_flat(def, leaves);
}

/* Flattens a graph into one block: most share nothing, and are trees. */
static pytree_flat pytree__graph_flat(pytree t, const pytree_options *opt, pytree_error *err)
{
    bool owned;
    const pytree_flat grown = pytree__grown_flat(t, &owned, opt, err);
    const pytree_status status = owned || t.type == NULL ? PYTREE_OK : pytree__is_distinct(t, false, opt);
    if (owned) { return grown; }
    if (status == PYTREE_OK) { return pytree__alg_flatten(t, opt, err); }
    if (status != PYTREE_NO_MEMORY) { return pytree__graph_make(t, opt, err); }
    (void)pytree__no_memory(err, sizeof(struct pytree__extent));
    return pytree__alg_flat(NULL, NULL);
}

pytree_status pytree_graph_flatten(pytree t, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                   const pytree_options *opt, pytree_error *err)
{
    pytree_error problem;
    pytree_flat flat;
    problem.status = PYTREE_OK;
    if (leaves == NULL || def == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the leaves and the treedef, got NULL");
    }
    *def = NULL;
    flat = pytree__graph_flat(t, opt, &problem);
    if (flat.def != NULL && *leaves != NULL && flat.def->n_leaves > capacity) {
        pytree_fail(&problem, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                    capacity, flat.def->n_leaves);
    }
    if (problem.status != PYTREE_OK) {
        pytree_flat_free(&flat);
        return pytree__alg_status(&problem, err);
    }
    if (*leaves == NULL) { *leaves = (pytree_leaf *)(uintptr_t)flat.leaves; }
    else if (flat.def->n_leaves != 0) { memcpy(*leaves, flat.leaves, flat.def->n_leaves * sizeof **leaves); }
    *def = (pytree_def *)(uintptr_t)flat.def;
    return PYTREE_OK;
}

pytree_def *pytree_graphdef(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    (void)pytree_graph_flatten(t, &leaves, 0, &def, opt, err);
    return def;
}

/* Goes over a source that is a graph as it was flattened, and clones the handles of each struct that has some. */
static pytree_status pytree__clone_handles_of_graph(struct pytree__builder *b)
{
    struct pytree__graph g;
    size_t node = 0;
    int at;
    pytree__graph_begin(&g, b->source->t, b->opt, b->err);
    at = pytree__graph_survey(&g) ? pytree__graph_next(&g) : PYTREE__FAILED;
    for (; at != PYTREE__DONE && at != PYTREE__FAILED && b->handles != NULL; at = pytree__graph_next(&g)) {
        if (at == PYTREE__AT_END) { g.cursor.status = pytree__clone_handles_at(b, &g.cursor, node); }
        node += at != PYTREE__AT_NODE;
    }
    pytree__graph_end(&g);
    return g.cursor.status;
}

pytree pytree_graph_clone(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made = { NULL, NULL };
    struct pytree__source source;
    pytree_options own;
    pytree_flat flat;
    source.t = t;
    source.clone_handles = pytree__clone_handles_of_graph;
    memset(&own, 0, sizeof own);
    if (opt != NULL) { own.allocator = opt->allocator; own.alignment = opt->alignment; own.space = opt->space; }
    flat = pytree__graph_flat(t, &own, err);
    if (flat.def != NULL) { (void)pytree__build_tree(&made, flat.def, flat.leaves, PYTREE__COPY, &source, &own, err); }
    pytree_flat_free(&flat);
    return made;
}

/* ---- Walk ---------------------------------------------------------------------------------------------------------- */

/* Begins a walk whose steps are reported. Returns false on an error. */
static bool pytree__graph_report(struct pytree__graph *g, pytree t, const pytree_options *opt, pytree_error *err)
{
    const pytree_status status = t.type == NULL ? PYTREE_OK : pytree__is_distinct(t, false, opt);
    pytree__graph_begin(g, t, opt, err);
    g->distinct = status == PYTREE_OK;
    if (status == PYTREE_NO_MEMORY) { g->cursor.status = pytree__no_memory(err, sizeof(struct pytree__extent)); }
    return g->cursor.status == PYTREE_OK && (g->distinct || pytree__graph_survey(g));
}

pytree_status pytree_graph_walk(pytree t, pytree_place_fn *fn, void *context, const pytree_options *opt, pytree_error *err)
{
    struct pytree__graph g;
    pytree_status status = PYTREE_OK;
    int at = PYTREE__FAILED;
    if (fn == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a callback, got NULL"); }
    if (pytree__graph_report(&g, t, opt, err)) { at = pytree__graph_next(&g); }
    for (; at != PYTREE__DONE && at != PYTREE__FAILED && status == PYTREE_OK; at = pytree__graph_next(&g)) {
        pytree_leaf view;
        pytree_place place;
        if (at != PYTREE__AT_LEAF && at != PYTREE__AT_END) { continue; }
        place = pytree__graph_place(&g, &view);
        status = fn(context, &place);
    }
    if (status == PYTREE_OK) { status = g.cursor.status; }
    pytree__graph_end(&g);
    if (status != PYTREE_OK) { pytree_fail(err, status, NULL, "%s", pytree_status_name(status)); }
    return status;
}

/* ---- Duplicates ---------------------------------------------------------------------------------------------------- */

/* A path that leads to a value which others lead to, too. */
struct pytree__graph_path { uint32_t number; size_t text; };

struct pytree__graph_paths {
    struct pytree__vector list, texts;    /* of pytree__graph_path, in order of visit; of char */
};

static bool pytree__graph_note_path(struct pytree__graph_paths *p, const struct pytree__graph *g)
{
    struct pytree__text_writer to = { NULL, 0, 0, NULL };
    struct pytree__graph_path *path;
    pytree__cursor_text(&g->cursor, &to);
    path = (struct pytree__graph_path *)pytree__vector_add(&p->list, 1, g->err);
    if (path == NULL) { return false; }
    path->number = g->number;
    path->text = p->texts.count;
    to.room = to.length + 1;
    to.at = (char *)pytree__vector_add(&p->texts, to.room, g->err);
    to.length = 0;
    if (to.at == NULL) { return false; }
    pytree__cursor_text(&g->cursor, &to);
    pytree__end_text(&to, to.room);
    return true;
}

/* Walks to the end, and notes the paths that a filter chooses to values with several paths. */
static void pytree__graph_note_paths(struct pytree__graph_paths *p, struct pytree__graph *g, const pytree_filter *only,
                                     pytree_error *err)
{
    int at = pytree__graph_next(g);
    for (; at != PYTREE__DONE && at != PYTREE__FAILED; at = pytree__graph_next(g)) {
        pytree_leaf view;
        pytree_place place;
        if (g->number == 0 || at == PYTREE__AT_END || pytree__graph_value_at(g, g->number)->paths < 2) { continue; }
        place = pytree__graph_place(g, &view);
        if (pytree_filter_match(only, &place, err) && !pytree__graph_note_path(p, g)) { return; }
        if (err->status != PYTREE_OK) { return; }
    }
}

static int pytree__by_number(const void *a, const void *b)
{
    const struct pytree__graph_path *x = (const struct pytree__graph_path *)a, *y = (const struct pytree__graph_path *)b;
    return x->number < y->number ? -1 : x->number > y->number ? 1 : x->text < y->text ? -1 : x->text > y->text;
}

/* Finds the end of the group that begins at path i. */
static size_t pytree__graph_group(const struct pytree__graph_path *path, size_t i, size_t n)
{
    size_t k = i;
    while (k < n && path[k].number == path[i].number) { k++; }
    return k;
}

static pytree_duplicates *pytree__graph_groups(struct pytree__graph_paths *p, const pytree_options *opt, pytree_error *err)
{
    struct pytree__graph_path *const path = (struct pytree__graph_path *)p->list.data;
    const pytree_allocator *const a = pytree__allocator(opt);
    size_t i, k, groups = 0, n = p->list.count, bytes;
    pytree_duplicates *d;
    const char *const **lists, **to;
    size_t *counts;
    char *texts;
    if (n != 0) { qsort(path, n, sizeof *path, pytree__by_number); }
    for (i = 0; i < n; i = k) {
        k = pytree__graph_group(path, i, n);
        groups += k - i > 1;
    }
    bytes = sizeof *d + groups * (sizeof *counts + sizeof *lists) + n * sizeof *to + p->texts.count;
    d = (pytree_duplicates *)pytree__resize(a, NULL, 0, bytes);
    if (d == NULL) { pytree__no_memory(err, bytes); return NULL; }
    counts = (size_t *)(void *)(d + 1);
    lists = (const char *const **)(void *)(counts + groups);
    to = (const char **)(void *)(lists + groups);
    texts = (char *)(to + n);
    if (p->texts.count != 0) { memcpy(texts, p->texts.data, p->texts.count); }
    d->n_groups = groups;
    d->counts = counts;
    d->paths = (const char *const *const *)lists;
    d->allocator = a;
    d->bytes = bytes;
    for (i = 0; i < n; i = k) {
        k = pytree__graph_group(path, i, n);
        if (k - i < 2) { continue; }
        *counts++ = k - i;
        *lists++ = (const char *const *)to;
        for (; i < k; i++) { *to++ = texts + path[i].text; }
    }
    return d;
}

pytree_duplicates *pytree_graph_duplicates(pytree t, pytree_filter only, const pytree_options *opt, pytree_error *err)
{
    struct pytree__graph g;
    struct pytree__graph_paths p;
    pytree_duplicates *d = NULL;
    pytree_error problem;
    problem.status = PYTREE_OK;
    p.list = pytree__vector_of(sizeof(struct pytree__graph_path), pytree__allocator(opt));
    p.texts = pytree__vector_of(1, pytree__allocator(opt));
    if (pytree__graph_report(&g, t, opt, &problem) && !g.distinct) { pytree__graph_note_paths(&p, &g, &only, &problem); }
    pytree__graph_end(&g);
    if (problem.status == PYTREE_OK) { d = pytree__graph_groups(&p, opt, &problem); }
    pytree__vector_free(&p.list);
    pytree__vector_free(&p.texts);
    (void)pytree__alg_status(&problem, err);
    return d;
}
#endif
