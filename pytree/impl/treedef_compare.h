/* pytree/impl/treedef_compare.h: comparing treedefs: prefix, common suffix, differences. */
#ifndef PYTREE_IMPL_TREEDEF_COMPARE_H
#define PYTREE_IMPL_TREEDEF_COMPARE_H

#include "treedef_build.h"

/* ---- Walking ------------------------------------------------------------------------------------------------------- */

/* Walks over one treedef or over two in parallel. Post-order reaches the children of a node last to first; links allow
 * visiting them first to last. */
enum { PYTREE__TD_END, PYTREE__TD_VISIT, PYTREE__TD_LEAVE };
#define PYTREE__TD_NONE UINT32_MAX

typedef struct pytree__td_link { uint32_t first, next; } pytree__td_link;      /* child, sibling */

typedef struct pytree__td_frame {         /* an open node in one treedef, or a pair in two */
    uint32_t a, b, next_a, next_b;
    size_t child, row;                    /* the current child; the struct's row after it */
    const unsigned char *key;             /* key of the next child */
    pytree_entry entry;                   /* of the current child */
    size_t mark;                          /* for the caller */
} pytree__td_frame;

typedef struct pytree__td_walk {
    const pytree_def *a, *b;              /* b may be NULL */
    const pytree_options *opt;
    pytree_error *err;
    pytree__td_link *links_a, *links_b;
    pytree__td_frame *frames;
    size_t n, max;
    uint32_t at_a, at_b;
    bool begun;
} pytree__td_walk;

static pytree__td_link *pytree__td_links(const pytree_def *def, const pytree_options *opt, pytree_error *err)
{
    pytree__td_link *links = (pytree__td_link *)pytree__array_new(def->n_nodes, sizeof *links, pytree__allocator(opt), err);
    size_t i;
    uint32_t k;
    if (links == NULL) { return NULL; }
    for (i = 0; i < def->n_nodes; i++) {
        size_t child = i;
        links[i].first = links[i].next = PYTREE__TD_NONE;
        for (k = 0; k < def->nodes[i].arity; k++) {
            links[child - 1].next = links[i].first;
            links[i].first = (uint32_t)(child - 1);
            child -= def->nodes[child - 1].nodes;
        }
    }
    return links;
}

static void pytree__td_walk_end(pytree__td_walk *w)
{
    if (w->links_a != NULL) { pytree__array_free(w->links_a, w->a->n_nodes, sizeof *w->links_a, pytree__allocator(w->opt)); }
    if (w->links_b != NULL) { pytree__array_free(w->links_b, w->b->n_nodes, sizeof *w->links_b, pytree__allocator(w->opt)); }
    pytree__array_free(w->frames, w->max, sizeof *w->frames, pytree__allocator(w->opt));
    w->links_a = w->links_b = NULL;
    w->frames = NULL;
}

/* Begin a walk. It must be ended if this succeeds. */
static bool pytree__td_walk_begin(pytree__td_walk *w, const pytree_def *a, const pytree_def *b, const pytree_options *opt,
                                  pytree_error *err)
{
    memset(w, 0, sizeof *w);
    w->a = a;
    w->b = b;
    w->opt = opt;
    w->err = err;
    w->links_a = pytree__td_links(a, opt, err);
    w->links_b = b == NULL || w->links_a == NULL ? NULL : pytree__td_links(b, opt, err);
    if (w->links_a != NULL && (b == NULL || w->links_b != NULL)) { return true; }
    pytree__td_walk_end(w);
    return false;
}

/* Advance to the key of the next child. */
static void pytree__td_next_entry(const pytree_def *def, pytree__td_frame *f)
{
    const pytree_type *type = def->nodes[f->a].type;
    f->child++;
    f->key = pytree__next_key(&def->nodes[f->a], f->key, f->child, &f->entry);
    if (pytree__traits(type)->keys == PYTREE__KEYS_ROWS) {
        while (type->fields[f->row].row != PYTREE_ROW_DATA) { f->row++; }
        f->entry.name = type->fields[f->row++].name;
    }
}

/* Return the next event: a pair (at_a, at_b) is visited, a pair is left after its children, or the end. */
static int pytree__td_step(pytree__td_walk *w)
{
    pytree__td_frame *f;
    if (!w->begun) {
        w->begun = true;
        w->at_a = (uint32_t)(w->a->n_nodes - 1);
        w->at_b = w->b == NULL ? 0 : (uint32_t)(w->b->n_nodes - 1);
        return PYTREE__TD_VISIT;
    }
    if (w->n == 0) { return PYTREE__TD_END; }
    f = &w->frames[w->n - 1];
    if (f->next_a == PYTREE__TD_NONE) {
        w->at_a = f->a;
        w->at_b = f->b;
        w->n--;
        return PYTREE__TD_LEAVE;
    }
    w->at_a = f->next_a;
    f->next_a = w->links_a[w->at_a].next;
    if (w->b != NULL) {
        w->at_b = f->next_b;
        f->next_b = w->links_b[w->at_b].next;
    }
    pytree__td_next_entry(w->a, f);
    return PYTREE__TD_VISIT;
}

/* Open the visited pair: its children come next. In two treedefs they must be equal in number. */
static bool pytree__td_open(pytree__td_walk *w, size_t mark)
{
    pytree__td_frame *f;
    void *grown = pytree__array_grow(w->frames, &w->max, w->n + 1, sizeof *w->frames, pytree__allocator(w->opt), w->err);
    if (grown == NULL) { return false; }
    w->frames = (pytree__td_frame *)grown;
    f = &w->frames[w->n++];
    f->a = w->at_a;
    f->b = w->at_b;
    f->next_a = w->links_a[w->at_a].first;
    f->next_b = w->b == NULL ? PYTREE__TD_NONE : w->links_b[w->at_b].first;
    f->child = SIZE_MAX;                  /* before the first */
    f->row = 0;
    f->key = w->links_a[w->at_a].first == PYTREE__TD_NONE ? NULL : pytree__first_key(w->a, w->at_a);
    f->mark = mark;
    return true;
}

/* ---- Comparison ---------------------------------------------------------------------------------------------------- */

/* Write the keys that only `a` has: 'x', 'y'. Return their number. */
static size_t pytree__td_put_missing(struct pytree__text_writer *text, const pytree__td_keys *a, const pytree__td_keys *b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; i < a->n; i++) {
        const struct pytree__sorting *key = &a->keys[i];
        pytree_entry entry;
        while (j < b->n && pytree__td_compare(&b->keys[j], key) < 0) { j++; }
        if (j < b->n && pytree__td_compare(&b->keys[j], key) == 0) { continue; }
        n++;
        if (text == NULL) { continue; }
        if (n > 1) { pytree__text_put(text, ", ", 2); }
        entry.kind = key->key == NULL ? PYTREE_INT_KEY : PYTREE_KEY;
        entry.name = key->key;
        entry.index = (pytree_key_index)(key->rank ^ UINT64_C(1) << 63);
        pytree__put_key(text, &entry, key->key == NULL ? 0 : strlen(key->key));
    }
    return n;
}

/* Link the children of b's node in the order of a's keys. */
static bool pytree__td_relink(pytree__td_walk *w, const pytree__td_keys *a, const pytree__td_keys *b)
{
    uint32_t *map = (uint32_t *)pytree__array_new(2 * a->n, sizeof *map, pytree__allocator(w->opt), w->err), *child, at;
    size_t i;
    if (map == NULL) { return false; }
    child = map + a->n;
    for (i = 0, at = w->links_b[w->at_b].first; i < a->n; i++, at = w->links_b[at].next) { child[i] = at; }
    for (i = 0; i < a->n; i++) { map[a->keys[i].at] = child[b->keys[i].at]; }
    if (a->n != 0) { w->links_b[w->at_b].first = map[0]; }
    for (i = 0; i < a->n; i++) { w->links_b[map[i]].next = i + 1 < a->n ? map[i + 1] : PYTREE__TD_NONE; }
    pytree__array_free(map, 2 * a->n, sizeof *map, pytree__allocator(w->opt));
    return true;
}

#define PYTREE__TD_SAME (-1)
#define PYTREE__TD_FAILED (-2)

/* Return how two dicts of different kinds or with different keys differ. */
static int pytree__td_mismatched_keys(pytree__td_walk *w, bool loose)
{
    const uint32_t m = w->a->nodes[w->at_a].arity, n = w->b->nodes[w->at_b].arity;
    pytree__td_keys a, b;
    int result = PYTREE__TD_FAILED;
    if (!pytree__td_sort(&a, pytree__keys_of(w->a, w->at_a), m, w->opt, w->err)) { return PYTREE__TD_FAILED; }
    if (pytree__td_sort(&b, pytree__keys_of(w->b, w->at_b), n, w->opt, w->err)) {
        if (m != n || pytree__td_put_missing(NULL, &a, &b) > 0) {
            result = PYTREE_DIFFERENT_KEYS;
        } else if (!loose) {
            result = PYTREE_DIFFERENT_METADATA;
        } else if (pytree__td_relink(w, &a, &b)) {
            result = PYTREE__TD_SAME;
        }
    }
    pytree__td_sort_free(&a, w->opt);
    pytree__td_sort_free(&b, w->opt);
    return result;
}

/* Return how the two visited nodes differ, apart from their children: a pytree_mismatch, or one of the values above. `loose`
 * follows optree's rules for prefixes: dicts of all kinds match in any order, with b walked in the order of a, and maximum
 * lengths of deques are ignored. */
static int pytree__td_mismatch(pytree__td_walk *w, bool loose)
{
    const pytree_def *a = w->a, *b = w->b;
    const pytree_node *x = &a->nodes[w->at_a], *y = &b->nodes[w->at_b];
    const struct pytree__kind_traits *const traits = pytree__traits(x->type);
    size_t n;
    if (x->type == NULL || y->type == NULL) { return x->type == y->type ? PYTREE__TD_SAME : PYTREE_DIFFERENT_TYPES; }
    if ((!loose || !pytree__is_dict(x->type) || !pytree__is_dict(y->type)) && !pytree_type_equal(x->type, y->type)) {
        return PYTREE_DIFFERENT_TYPES;
    }
    if (traits->keys == PYTREE__KEYS_NONE) {
        if (x->arity != y->arity) { return PYTREE_DIFFERENT_LENGTHS; }
        if (traits->meta != PYTREE__META_MAXLEN || loose) { return PYTREE__TD_SAME; }
    }
    n = pytree__statics_size(a, w->at_a);
    if (x->arity == y->arity && n == pytree__statics_size(b, w->at_b) && y->type->kind == x->type->kind
        && (n == 0 || memcmp(a->statics + x->meta, b->statics + y->meta, n) == 0)) {
        return PYTREE__TD_SAME;
    }
    if (pytree__is_dict(x->type)) { return pytree__td_mismatched_keys(w, loose); }
    if (traits->keys == PYTREE__KEYS_CUSTOM && x->arity != y->arity) { return PYTREE_DIFFERENT_LENGTHS; }
    return traits->meta == PYTREE__META_NAME ? PYTREE_DIFFERENT_TYPES : PYTREE_DIFFERENT_METADATA;
}

/* Write the keys of a dict or the field names of a namedtuple. */
static void pytree__td_put_keys(struct pytree__text_writer *text, const pytree_def *def, size_t i, bool quoted)
{
    const unsigned char *at = pytree__keys_of(def, i);
    uint32_t k;
    for (k = 0; k < def->nodes[i].arity; k++) {
        pytree_entry key;
        size_t length = 0;
        if (k > 0) { pytree__text_put(text, ", ", 2); }
        at = pytree__key_at(at, &key, &length);
        if (quoted) { pytree__put_key(text, &key, length); } else { pytree__text_put(text, key.name, length); }
    }
}

/* Describe a node for people. */
static void pytree__td_put_node(struct pytree__text_writer *text, const pytree_def *def, size_t i)
{
    const pytree_node *node = &def->nodes[i];
    const unsigned meta = pytree__traits(node->type)->meta;
    size_t length;
    const char *name;
    if (node->type == NULL) {
        pytree__put_text(text, "leaf");
    } else if (meta == PYTREE__META_NAME) {
        name = pytree__string_at(def->statics + node->meta, &length);
        pytree__text_put(text, name, length);
        pytree__text_put(text, "(", 1);
        pytree__td_put_keys(text, def, i, false);
        pytree__text_put(text, ")", 1);
    } else {
        pytree__put_text(text, node->type->name);
    }
    if (meta == PYTREE__META_STATICS || meta == PYTREE__META_BYTES) {
        pytree__text_put(text, "[", 1);
        pytree__put_meta(text, def, i);
        pytree__text_put(text, "]", 1);
    }
    if (meta == PYTREE__META_FACTORY) {
        pytree__put_text(text, " of ");
        pytree__put_factory(text, def, i);
    }
    if (pytree__is_dict(node->type)) {
        pytree__put_text(text, node->arity == 0 ? " without keys" : " with keys ");
        pytree__td_put_keys(text, def, i, true);
    } else if (!pytree__td_plain(node) && meta != PYTREE__META_STATICS && meta != PYTREE__META_NAME) {
        pytree__put_text(text, " of length ");
        pytree__put_number(text, node->arity);
    }
    if (meta == PYTREE__META_MAXLEN && pytree__maxlen(def->statics + node->meta) != PYTREE_UNBOUNDED) {
        pytree__put_text(text, ", maxlen ");
        pytree__put_number(text, pytree__maxlen(def->statics + node->meta));
    }
}

static const char *pytree__td_space_text(const char *space, char *to, size_t n)
{
    struct pytree__text_writer text = pytree__text_to(to, n, NULL);
    pytree__put_text(&text, space == NULL ? "no namespace" : "namespace ");
    if (space != NULL) { pytree__put_repr(&text, space, strlen(space)); }
    pytree__end_text(&text, n);
    return to;
}

static void pytree__td_tell_apart(char *a, const pytree_type *x, char *b, const pytree_type *y, size_t n)
{
    const char *const spaces[2] = { x == NULL ? NULL : x->space, y == NULL ? NULL : y->space };
    size_t k;
    if (strcmp(a, b) != 0 || pytree__same_string(spaces[0], spaces[1])) { return; }
    for (k = 0; k < 2; k++) {
        char *const to = k == 0 ? a : b, space[40];
        const size_t length = strlen(to), used = length < n / 2 ? length : n / 2;
        (void)snprintf(to + used, n - used, " of %s", pytree__td_space_text(spaces[k], space, sizeof space));
    }
}

/* Write the key path of the visited pair; of a long one, `most` entries from both ends. */
static void pytree__td_put_path(struct pytree__text_writer *text, const pytree__td_walk *w, size_t most)
{
    size_t i;
    for (i = 0; i < w->n; i++) {
        pytree__put_entry(text, &w->frames[i].entry, NULL, i == 0);
        if (i + 1 == most && w->n > 2 * most) {
            pytree__text_put(text, "...", 3);
            i = w->n - most - 1;
        }
    }
}

/* Report a mismatch at the visited pair: "expected dict with keys 'a', got None". Long strings are shortened. */
static void pytree__td_report(const pytree__td_walk *w, int mismatch)
{
    char expected[100], got[100], path[1000];
    struct pytree__text_writer text;
    if (mismatch == PYTREE__TD_FAILED || w->err == NULL) { return; }
    text = pytree__text_to(expected, sizeof expected, NULL);
    pytree__td_put_node(&text, w->a, w->at_a);
    (void)pytree__end_text(&text, sizeof expected);
    text = pytree__text_to(got, sizeof got, NULL);
    pytree__td_put_node(&text, w->b, w->at_b);
    (void)pytree__end_text(&text, sizeof got);
    pytree__td_tell_apart(expected, w->a->nodes[w->at_a].type, got, w->b->nodes[w->at_b].type, sizeof got);
    text = pytree__text_to(path, sizeof path, NULL);
    pytree__td_put_path(&text, w, 40);
    (void)pytree__end_text(&text, sizeof path);
    pytree_fail(w->err, PYTREE_STRUCTURE, path, "%s: expected %s, got %s", pytree_mismatch_name((pytree_mismatch)mismatch),
                expected, got);
}

/* Check the namespaces of two treedefs: two different ones never match, none matches any. */
static bool pytree__td_same_space(const pytree_def *a, const pytree_def *b, pytree_error *err)
{
    if (a->space == NULL || b->space == NULL || strcmp(a->space, b->space) == 0) { return true; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef of namespace '%.60s', got one of '%.60s'", a->space, b->space);
    return false;
}

bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err)
{
    if (prefix == NULL || def == NULL) { return pytree__no_def(err) != NULL; }
    pytree__td_walk w;
    bool good = true, deeper = false;
    int event;
    if (!pytree__td_same_none(def, prefix->none_is_leaf, err) || !pytree__td_same_space(prefix, def, err)
        || !pytree__td_walk_begin(&w, prefix, def, opt, err)) {
        return false;
    }
    while (good && (event = pytree__td_step(&w)) != PYTREE__TD_END) {
        if (event == PYTREE__TD_LEAVE) { continue; }
        if (prefix->nodes[w.at_a].type == NULL) {
            deeper = deeper || def->nodes[w.at_b].type != NULL;
        } else {
            int mismatch = pytree__td_mismatch(&w, true);
            good = mismatch == PYTREE__TD_SAME && pytree__td_open(&w, 0);
            if (mismatch != PYTREE__TD_SAME) { pytree__td_report(&w, mismatch); }
        }
    }
    pytree__td_walk_end(&w);
    if (good && strict && !deeper) {
        pytree_fail(err, PYTREE_STRUCTURE, NULL, "expected a strict prefix, got one whose leaves all stand for leaves");
        return false;
    }
    return good;
}

bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err)
{
    return pytree_def_is_prefix(def, suffix, strict, opt, err);
}

pytree_def *pytree_def_common_suffix(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err)
{
    if (a == NULL || b == NULL) { return (pytree_def *)pytree__no_def(err); }
    pytree__td_orders orders_a, orders_b;
    pytree__td_walk w;
    pytree__td_maker m;
    bool good = true;
    int event;
    if (!pytree__td_same_none(b, a->none_is_leaf, err) || !pytree__td_orders_begin(&orders_a, a, opt, err)) { return NULL; }
    orders_b.at = NULL;
    pytree__td_begin(&m, opt, err);
    memset(&w, 0, sizeof w);
    w.opt = opt;
    good = pytree__td_orders_begin(&orders_b, b, opt, err) && pytree__td_use_space(&m, a->space)
        && pytree__td_use_space(&m, b->space) && pytree__td_walk_begin(&w, a, b, opt, err);
    while (good && (event = pytree__td_step(&w)) != PYTREE__TD_END) {
        if (event == PYTREE__TD_LEAVE) {
            good = pytree__td_push_like(&m, a, w.at_a, pytree__td_order(&orders_a, w.at_a));
        } else if (a->nodes[w.at_a].type == NULL) {
            good = pytree__td_copy(&m, b, w.at_b, &orders_b);
        } else if (b->nodes[w.at_b].type == NULL) {
            good = pytree__td_copy(&m, a, w.at_a, &orders_a);
        } else {
            int mismatch = pytree__td_mismatch(&w, true);
            good = mismatch == PYTREE__TD_SAME && pytree__td_open(&w, 0);
            if (mismatch != PYTREE__TD_SAME) { pytree__td_report(&w, mismatch); }
        }
    }
    pytree__td_walk_end(&w);
    pytree__td_orders_end(&orders_a, opt);
    pytree__td_orders_end(&orders_b, opt);
    return pytree__td_finish(&m, a->none_is_leaf, good);
}

const char *pytree_mismatch_name(pytree_mismatch kind)
{
    static const char *const names[] = { "different types", "different lengths", "different keys", "different metadata" };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

enum { PYTREE__TD_PATH, PYTREE__TD_A, PYTREE__TD_B, PYTREE__TD_MISSING, PYTREE__TD_EXTRA, PYTREE__TD_WORDS };

/* Append all strings of a difference at the visited pair, each with a NUL. */
static bool pytree__td_add_words(pytree__td_bytes *texts, const pytree__td_walk *w, const pytree__td_keys *keys_a,
                                 const pytree__td_keys *keys_b)
{
    int i;
    for (i = 0; i < 2 * PYTREE__TD_WORDS; i++) {            /* each is measured, then written */
        struct pytree__text_writer text = pytree__text_to(NULL, 0, NULL);
        if (i % 2 == 1) { text = pytree__text_to((char *)texts->at + texts->n, texts->max - texts->n, NULL); }
        switch (i / 2) {
        case PYTREE__TD_PATH: pytree__td_put_path(&text, w, SIZE_MAX / 2); break;
        case PYTREE__TD_A: pytree__td_put_node(&text, w->a, w->at_a); break;
        case PYTREE__TD_B: pytree__td_put_node(&text, w->b, w->at_b); break;
        case PYTREE__TD_MISSING: (void)pytree__td_put_missing(&text, keys_a, keys_b); break;
        default: (void)pytree__td_put_missing(&text, keys_b, keys_a); break;
        }
        if (i % 2 == 1) {
            texts->n += text.length + 1;
            texts->at[texts->n - 1] = '\0';
        } else {
            void *grown = pytree__array_grow(texts->at, &texts->max, texts->n + text.length + 1, 1, pytree__allocator(w->opt),
                                             w->err);
            if (grown == NULL) { return false; }
            texts->at = (unsigned char *)grown;
        }
    }
    return true;
}

/* Append a difference; its kind goes to `kinds`. */
static bool pytree__td_add_error(pytree__td_bytes *kinds, pytree__td_bytes *texts, const pytree__td_walk *w, int mismatch)
{
    pytree__td_keys a, b;
    unsigned char kind = (unsigned char)mismatch;
    bool good = pytree__td_add(kinds, &kind, 1, w->opt, w->err);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    if (good && pytree__is_dict(w->a->nodes[w->at_a].type)
        && pytree__is_dict(w->b->nodes[w->at_b].type)) {
        good = pytree__td_sort(&a, pytree__keys_of(w->a, w->at_a), w->a->nodes[w->at_a].arity, w->opt, w->err)
            && pytree__td_sort(&b, pytree__keys_of(w->b, w->at_b), w->b->nodes[w->at_b].arity, w->opt, w->err);
    }
    good = good && pytree__td_add_words(texts, w, &a, &b);
    pytree__td_sort_free(&a, w->opt);
    pytree__td_sort_free(&b, w->opt);
    return good;
}

static pytree_def_error_list *pytree__td_error_list(const pytree__td_bytes *kinds, const pytree__td_bytes *texts,
                                                    const pytree_options *opt, pytree_error *err)
{
    size_t i, size = sizeof(pytree_def_error_list) + kinds->n * sizeof(pytree_def_error) + texts->n;
    pytree_def_error_list *list = (pytree_def_error_list *)pytree__array_new(size, 1, pytree__allocator(opt), err);
    pytree_def_error *errors;
    const char *text;
    if (list == NULL) { return NULL; }
    errors = (pytree_def_error *)(void *)(list + 1);
    text = (const char *)(errors + kinds->n);
    if (texts->n > 0) { memcpy(errors + kinds->n, texts->at, texts->n); }
    for (i = 0; i < kinds->n; i++) {
        const char **words[PYTREE__TD_WORDS];
        int k;
        errors[i].kind = (pytree_mismatch)kinds->at[i];
        words[0] = &errors[i].path;
        words[1] = &errors[i].a;
        words[2] = &errors[i].b;
        words[3] = &errors[i].missing;
        words[4] = &errors[i].extra;
        for (k = 0; k < PYTREE__TD_WORDS; k++, text += strlen(text) + 1) { *words[k] = text; }
    }
    list->n = kinds->n;
    list->errors = errors;
    list->allocator = opt == NULL ? NULL : opt->allocator;
    list->bytes = size;
    return list;
}

/* Append a difference between two whole treedefs. */
static bool pytree__td_add_switch(pytree__td_bytes *kinds, pytree__td_bytes *texts, const char *a, const char *b,
                                  const pytree_options *opt, pytree_error *err)
{
    const unsigned char kind = PYTREE_DIFFERENT_METADATA;
    return pytree__td_add(kinds, &kind, 1, opt, err) && pytree__td_add(texts, "", 1, opt, err)
        && pytree__td_add(texts, a, strlen(a) + 1, opt, err) && pytree__td_add(texts, b, strlen(b) + 1, opt, err)
        && pytree__td_add(texts, "\0", 2, opt, err);
}

pytree_def_error_list *pytree_def_differences(const pytree_def *a, const pytree_def *b, const pytree_options *opt,
                                              pytree_error *err)
{
    if (a == NULL || b == NULL) { return (pytree_def_error_list *)pytree__no_def(err); }
    static const char *const none[] = { "None is a node", "None is a leaf" };
    pytree_def_error_list *list = NULL;
    pytree__td_bytes kinds, texts;
    pytree__td_walk w;
    char spaces[2][100];
    bool good = true;
    int event;
    if (!pytree__td_walk_begin(&w, a, b, opt, err)) { return NULL; }
    memset(&kinds, 0, sizeof kinds);
    memset(&texts, 0, sizeof texts);
    if (a->none_is_leaf != b->none_is_leaf) {
        good = pytree__td_add_switch(&kinds, &texts, none[a->none_is_leaf], none[b->none_is_leaf], opt, err);
    }
    if (good && !pytree__same_string(a->space, b->space)) {
        good = pytree__td_add_switch(&kinds, &texts, pytree__td_space_text(a->space, spaces[0], sizeof spaces[0]),
                                     pytree__td_space_text(b->space, spaces[1], sizeof spaces[1]), opt, err);
    }
    while (good && (event = pytree__td_step(&w)) != PYTREE__TD_END) {
        if (event == PYTREE__TD_VISIT) {
            int mismatch = pytree__td_mismatch(&w, false);
            good = mismatch == PYTREE__TD_SAME ? pytree__td_open(&w, 0)
                 : mismatch != PYTREE__TD_FAILED && pytree__td_add_error(&kinds, &texts, &w, mismatch);
        }
    }
    pytree__td_walk_end(&w);
    if (good) { list = pytree__td_error_list(&kinds, &texts, opt, err); }
    pytree__array_free(kinds.at, kinds.max, 1, pytree__allocator(opt));
    pytree__array_free(texts.at, texts.max, 1, pytree__allocator(opt));
    return list;
}

void pytree_def_errors_free(pytree_def_error_list *list)
{
    if (list != NULL) { (void)pytree__resize(list->allocator, list, list->bytes, 0); }
}

#include "treedef_paths.h"
#endif
