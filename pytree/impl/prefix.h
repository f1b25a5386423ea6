/* pytree/impl/prefix.h: prefix trees: broadcast, flatten_up_to, prefix errors. */
#ifndef PYTREE_IMPL_PREFIX_H
#define PYTREE_IMPL_PREFIX_H

#include "match.h"

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

pytree_flat pytree_broadcast_prefix(pytree prefix, const pytree_def *full, const char *label, const pytree_options *opt,
                                    pytree_error *err)
{
    if (full == NULL) { return pytree__alg_flat((pytree_def *)pytree__no_def(err), NULL); }
    pytree_flat small = pytree__alg_flatten(prefix, opt, err), flat = pytree__alg_flat(NULL, NULL);
    struct pytree__alg_match m;
    pytree_def *def;
    if (small.def == NULL) { return flat; }
    pytree__alg_match_init(&m, small.def, full, opt, err);
    m.from = small.leaves;
    def = pytree__alg_copy(full, 0, &m.to, opt, err);
    if (def != NULL) {
        if (pytree__alg_go_over(&m) && pytree__alg_verdict(&m, label == NULL ? "prefix" : label) == PYTREE_OK) {
            flat = pytree__alg_flat(def, m.to);
        } else {
            pytree_def_free(def);
        }
        pytree__alg_match_end(&m);
    }
    pytree_flat_free(&small);
    return flat;
}

/* Check that the caller's array has room for a treedef's leaves. */
static pytree_status pytree__alg_room(const pytree_def *def, const pytree_leaf *leaves, size_t capacity, pytree_error *err)
{
    if (def->n_leaves != 0 && leaves == NULL) { return pytree__alg_argument("an array for the leaves", err); }
    if (def->n_leaves <= capacity) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                       capacity,
                       def->n_leaves);
}

pytree_status pytree_broadcast_leaves(pytree prefix, const pytree_def *full, pytree_leaf *leaves, size_t capacity,
                                      const char *label, const pytree_options *opt, pytree_error *err)
{
    if (full == NULL) { (void)pytree__no_def(err); return PYTREE_ARGUMENT; }
    pytree_status status = pytree__alg_room(full, leaves, capacity, err);
    pytree_error own;
    pytree_flat small;
    struct pytree__alg_match m;
    if (status != PYTREE_OK) { return status; }
    own.status = PYTREE_OK;
    small = pytree__alg_flatten(prefix, opt, &own);
    if (small.def == NULL) { return pytree__alg_status(&own, err); }
    pytree__alg_match_init(&m, small.def, full, opt, &own);
    m.from = small.leaves;
    if (pytree__alg_go_over(&m) && pytree__alg_verdict(&m, label == NULL ? "prefix" : label) == PYTREE_OK) {
        m.to = leaves;                    /* everything fits: this pass cannot fail */
        (void)pytree__alg_go_over(&m);
    }
    pytree__alg_match_end(&m);
    pytree_flat_free(&small);
    return pytree__alg_status(&own, err);
}

/* Write the view of the value at a leaf of the treedef. */
PYTREE__INLINE void pytree__alg_subtree(pytree_leaf *to, const pytree_leaf *value)
{
    if (PYTREE__UNLIKELY(value->form == PYTREE_FORM_NONE)) {
        pytree__none_view(to);
    } else {
        pytree__copy_view(to, value);
    }
}

/* Write the leaves of a struct without opening it, if the treedef has the same nodes all the way down. Returns false if the
 * struct must be opened, also to find the error. */
PYTREE__INLINE bool pytree__alg_closed(pytree__cursor *c, pytree__layout_cache *cache, const pytree_leaf *value,
                                       const pytree_def *def,
                                       size_t j, pytree_leaf *to, size_t room)
{
    const pytree_type *const type = value->type;
    const pytree_node *const node = &def->nodes[j];
    const bool none_is_leaf = c->opt->none_is_leaf;
    pytree__layout *layout;
    if (type != node->type || !pytree__contained(type) || c->opt->space != NULL || node->leaves > room) { return false; }
    layout = pytree__layout_of(cache, type);
    if (PYTREE__UNLIKELY(layout->n_nodes == 0 || layout->n_nodes != node->nodes)
        || !pytree__layout_matches_instance(layout, (const char *)value->data, def, node + 1 - layout->n_nodes)) {
        return false;
    }
    return (pytree__leaf_views(type, value->data, to, to + room, none_is_leaf).flags
            & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) == 0;
}

/* Walk a tree along a treedef and collect the subtrees. Return PYTREE_STRUCTURE, not reported yet, if a node does not match;
 * other errors are reported. */
static pytree_status pytree__alg_up_to(pytree__cursor *c, const pytree_def *def, uint32_t *stack, pytree t,
                                       pytree_leaf *subtrees, size_t room)
{
    pytree__layout_cache cache;
    pytree__layout_space layouts;
    size_t n = 1, leaf = 0, i;
    const pytree_leaf *value = &c->root;
    pytree_status status = pytree__cursor_root(c, t);
    pytree__layout_cache_init(&cache, &layouts);
    stack[0] = (uint32_t)(def->n_nodes - 1);
    while (status == PYTREE_OK) {
        const size_t j = stack[--n];
        const pytree_node *node = &def->nodes[j];
        if (PYTREE__UNLIKELY(c->opt->space != NULL)) { pytree__apply_namespace(c, (pytree_leaf *)(uintptr_t)value); }
        if (PYTREE__UNLIKELY(c->met_device)) { pytree__see_device(c, (pytree_leaf *)(uintptr_t)value); }
        if (node->type == NULL) {
            pytree__alg_subtree(&subtrees[leaf++], value);
        } else if (value->form == PYTREE_FORM_STRUCT && !c->met_device
                   && pytree__alg_closed(c, &cache, value, def, j, subtrees + leaf, room - leaf)) {
            leaf += node->leaves;
        } else if (node->type->kind == PYTREE_KIND_NONE || pytree_is_leaf(value) || value->form == PYTREE_FORM_NONE) {
            if (node->type->kind != PYTREE_KIND_NONE || value->form != PYTREE_FORM_NONE) { return PYTREE_STRUCTURE; }
        } else {
            const pytree__frame *f;
            size_t child = j - 1;
            if (!pytree_type_equal(pytree__node_type(value), node->type)) { return PYTREE_STRUCTURE; }
            status = pytree__open(c, value);
            if (status != PYTREE_OK) { return status; }
            f = &c->frames[c->n_frames - 1];
            if (f->count != node->arity
                || (pytree__traits(node->type)->meta != PYTREE__META_MAXLEN && !pytree__same_meta(c, f, def, j))) {
                return PYTREE_STRUCTURE;
            }
            for (i = 0; i < node->arity; i++) {                /* the first child ends on top */
                stack[n++] = (uint32_t)child;
                child -= def->nodes[child].nodes;
            }
        }
        while (c->n_frames != 0 && c->frames[c->n_frames - 1].next == c->frames[c->n_frames - 1].count) { pytree__close(c); }
        if (n == 0) { break; }
        status = pytree__take(c, &value);
    }
    return status;
}

/* Collect the subtrees of a pytree_flat by comparing treedefs, without a walk. *matches is false if that is not possible; the
 * walk then finds the reason. */
static pytree_status pytree__alg_flat_up_to(const pytree_def *def, const pytree_flat *flat, pytree_leaf *subtrees,
                                            bool *matches, const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_match m;
    pytree_status status;
    pytree__alg_match_init(&m, def, flat->def, opt, err);
    m.flat = flat;
    m.subtrees = subtrees;
    m.orders = flat->def->n_orders;
    status = pytree__alg_go_over(&m) ? PYTREE_OK : PYTREE_NO_MEMORY;
    *matches = m.n_wrong == 0;
    pytree__alg_match_end(&m);
    return status;
}

/* Report where a tree differs from a treedef, by comparing its own treedef. */
static pytree_status pytree__alg_explain(const pytree_def *def, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_match m;
    pytree_error own;
    pytree_def *full;
    own.status = PYTREE_OK;
    full = pytree_structure(t, opt, &own);
    if (full != NULL) {
        pytree__alg_match_init(&m, def, full, opt, &own);
        if (pytree__alg_go_over(&m)) { (void)pytree__alg_verdict(&m, NULL); }
        pytree__alg_match_end(&m);
        pytree_def_free(full);
        pytree_fail(&own, PYTREE_STRUCTURE, NULL, "expected the treedef's nodes, got others");
    }
    return pytree__alg_status(&own, err);
}

pytree_status pytree_flatten_up_to(const pytree_def *def, pytree t, pytree_leaf *subtrees, size_t capacity,
                                   const pytree_options *opt, pytree_error *err)
{
    if (def == NULL) { (void)pytree__no_def(err); return PYTREE_ARGUMENT; }
    pytree_options mine = pytree__alg_options(opt, def->none_is_leaf);
    uint32_t few[256], *stack = few;
    struct pytree__alg_nones nones;
    const pytree_flat *flat;
    pytree__cursor c;
    pytree__cursor_space stacks;
    bool matches;
    pytree_status status = pytree__alg_room(def, subtrees, capacity, err);
    mine.is_leaf = NULL;
    if (mine.space == NULL) { mine.space = def->space; }
    if (status != PYTREE_OK) { return status; }
    flat = pytree__alg_as_flat(t, &mine, &nones);
    if (flat != NULL) {
        status = pytree__alg_flat_up_to(def, flat, subtrees, &matches, &mine, err);
        if (matches || status != PYTREE_OK) { return status; }
    }
    if (def->n_nodes > 256) {
        stack = (uint32_t *)pytree__array_new(def->n_nodes, sizeof *stack, pytree__allocator(opt), err);
        if (stack == NULL) { return PYTREE_NO_MEMORY; }
    }
    pytree__cursor_init(&c, &stacks, &mine, err);
    status = pytree__alg_up_to(&c, def, stack, t, subtrees, def->n_leaves);
    pytree__cursor_end(&c);
    if (stack != few) { pytree__array_free(stack, def->n_nodes, sizeof *stack, pytree__allocator(opt)); }
    return status == PYTREE_STRUCTURE ? pytree__alg_explain(def, t, &mine, err) : status;
}

/* ---- Reports ------------------------------------------------------------------------------------------------------- */

/* Strings and entries of a report: counted in a first pass, written into its block in a second. */
struct pytree__alg_sink {
    struct pytree__text_writer text;
    pytree_entry *entries;
    size_t n_entries;
};

static const char *pytree__alg_begin(const struct pytree__alg_sink *sink)
{
    return sink->text.at == NULL ? NULL : sink->text.at + sink->text.length;
}

static void pytree__alg_finish(struct pytree__alg_sink *sink) { pytree__text_put(&sink->text, "", 1); }

/* Add the keys that only a has as entries with copied names. Return their number. */
static size_t pytree__alg_put_only(struct pytree__alg_sink *sink, const struct pytree__alg_child *a, size_t n_a,
                                   const struct pytree__alg_child *b, size_t n_b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; pytree__alg_only(a, n_a, b, n_b, &i, &j); i++, n++) {
        if (sink->entries != NULL) {
            sink->entries[sink->n_entries] = a[i].key;
            if (a[i].key.kind == PYTREE_KEY) { sink->entries[sink->n_entries].name = pytree__alg_begin(sink); }
        }
        sink->n_entries++;
        if (a[i].key.kind == PYTREE_KEY) { pytree__text_put(&sink->text, a[i].key.name, strlen(a[i].key.name) + 1); }
    }
    return n;
}

static void pytree__alg_put_only_text(struct pytree__text_writer *text, const char *lead, const struct pytree__alg_child *a,
                                      size_t n_a, const struct pytree__alg_child *b, size_t n_b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; pytree__alg_only(a, n_a, b, n_b, &i, &j); i++, n++) {
        if (n == 0) { pytree__put_text(text, lead); }
        pytree__alg_put_key(text, &a[i].key, n);
    }
    pytree__alg_put_more(text, n);
}

/* Write one mismatch with all its strings. Return false if memory runs out. */
static bool pytree__alg_put_error(struct pytree__alg_sink *sink, const struct pytree__alg_match *m,
                                  struct pytree__alg_trail *trail, const char *label, const struct pytree__alg_wrong *wrong,
                                  pytree_prefix_error *error)
{
    struct pytree__alg_both both;
    const bool keys = wrong->kind == PYTREE_DIFFERENT_KEYS;
    memset(&both, 0, sizeof both);
    if (!pytree__alg_go_to(trail, wrong->p)) { return false; }
    if (keys && !pytree__alg_both_children(&both, m->prefix, wrong->p, m->prefix->nodes[wrong->p].leaves, m->full, wrong->f,
                                           m->full->nodes[wrong->f].leaves, m->opt, m->err)) {
        return false;
    }
    error->kind = wrong->kind;
    error->path = pytree__alg_begin(sink);
    pytree__alg_put_trail(&sink->text, trail, SIZE_MAX / 2);
    pytree__alg_finish(sink);
    error->prefix = pytree__alg_begin(sink);
    pytree__alg_put_node(&sink->text, m->prefix, wrong->p);
    pytree__alg_finish(sink);
    error->full = pytree__alg_begin(sink);
    pytree__alg_put_node(&sink->text, m->full, wrong->f);
    pytree__alg_finish(sink);
    error->missing = sink->entries == NULL ? NULL : sink->entries + sink->n_entries;
    error->n_missing = pytree__alg_put_only(sink, both.a, both.n_a, both.b, both.n_b);
    error->extra = sink->entries == NULL ? NULL : sink->entries + sink->n_entries;
    error->n_extra = pytree__alg_put_only(sink, both.b, both.n_b, both.a, both.n_a);
    error->message = pytree__alg_begin(sink);
    pytree__put_text(&sink->text, label);
    pytree__alg_put_trail(&sink->text, trail, PYTREE__ALG_ENTRIES);
    pytree__put_text(&sink->text, ": ");
    pytree__put_text(&sink->text, pytree_mismatch_name(wrong->kind));
    pytree__put_text(&sink->text, ": expected ");
    pytree__alg_put_node(&sink->text, m->prefix, wrong->p);
    pytree__put_text(&sink->text, ", got ");
    pytree__alg_put_node(&sink->text, m->full, wrong->f);
    if (keys) {
        pytree__put_text(&sink->text, " (");
        pytree__alg_put_only_text(&sink->text, "missing ", both.a, both.n_a, both.b, both.n_b);
        if (error->n_missing != 0 && error->n_extra != 0) { pytree__put_text(&sink->text, "; "); }
        pytree__alg_put_only_text(&sink->text, "extra ", both.b, both.n_b, both.a, both.n_a);
        pytree__put_text(&sink->text, ")");
    }
    pytree__alg_finish(sink);
    pytree__alg_both_free(&both, m->opt);
    return true;
}

/* Make the report, one block: the list, its errors, their entries, their strings. */
static pytree_prefix_error_list *pytree__alg_errors(const struct pytree__alg_match *m, const char *label)
{
    struct pytree__alg_sink sink;
    struct pytree__alg_trail trail;
    pytree_prefix_error_list *list = NULL;
    pytree_prefix_error one, *errors = NULL;
    size_t i, pass, bytes = 0;
    bool good = true;
    memset(&sink, 0, sizeof sink);
    pytree__alg_trail_begin(&trail, m->prefix, m->opt, m->err);
    for (pass = 0; pass < 2 && good; pass++) {
        for (i = 0; i < m->n_wrong && good; i++) {
            good = pytree__alg_put_error(&sink, m, &trail, label, &m->wrong[i], pass == 0 ? &one : &errors[i]);
        }
        if (pass == 1 || !good) { continue; }
        bytes = sizeof *list + m->n_wrong * sizeof *errors + sink.n_entries * sizeof *sink.entries + sink.text.length;
        list = (pytree_prefix_error_list *)pytree__array_new(bytes, 1, pytree__allocator(m->opt), m->err);
        good = list != NULL;
        if (good) {
            errors = (pytree_prefix_error *)(void *)(list + 1);
            list->n = m->n_wrong;
            list->errors = errors;
            list->allocator = pytree__allocator(m->opt);
            list->bytes = bytes;
            sink.entries = (pytree_entry *)(void *)(errors + m->n_wrong);
            sink.text.at = (char *)(sink.entries + sink.n_entries);
            sink.text.room = sink.text.length;
            sink.n_entries = sink.text.length = 0;
        }
    }
    pytree__alg_trail_end(&trail);
    if (!good) {
        pytree_prefix_errors_free(list);
        list = NULL;
    }
    return list;
}

pytree_prefix_error_list *pytree_prefix_errors(pytree prefix, const pytree_def *full, const char *label,
                                               const pytree_options *opt, pytree_error *err)
{
    if (full == NULL) { return (pytree_prefix_error_list *)pytree__no_def(err); }
    pytree_prefix_error_list *list = NULL;
    struct pytree__alg_match m;
    pytree_def *small = pytree_structure(prefix, opt, err);
    if (small == NULL) { return NULL; }
    pytree__alg_match_init(&m, small, full, opt, err);
    if (pytree__alg_go_over(&m)) { list = pytree__alg_errors(&m, label == NULL ? "prefix" : label); }
    pytree__alg_match_end(&m);
    pytree_def_free(small);
    return list;
}

void pytree_prefix_errors_free(pytree_prefix_error_list *list)
{
    if (list != NULL) { (void)pytree__resize(list->allocator, list, list->bytes, 0); }
}

static void pytree__alg_put_errors(struct pytree__text_writer *text, const pytree_prefix_error_list *list)
{
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {
        pytree__put_text(text, list->errors[i].message);
        pytree__text_put(text, "\n", 1);
    }
}

size_t pytree_prefix_errors_text(const pytree_prefix_error_list *list, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__alg_put_errors(&to, list);
    return pytree__end_text(&to, n);
}

pytree_status pytree_prefix_errors_print(FILE *file, const pytree_prefix_error_list *list, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree__alg_put_errors(&to, list);
    return pytree__written(file, err);
}

#include "broadcast.h"
#endif
