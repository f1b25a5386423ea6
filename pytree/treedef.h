/* pytree/treedef.h: treedefs without a value: built by hand, composed, compared.
 *
 * A treedef (pytree_def) is the structure of a tree. pytree.h makes one from a value; here it is also made
 *
 *     from parts      pytree_def_leaf, _none, _list, _tuple, _dict, _odict, _namedtuple, _struct
 *     from treedefs   pytree_def_compose, _transform, _common_suffix
 *     from text and bytes                  see pytree/treedef_io.h
 *
 * and asked without a value: pytree_def_is_prefix, _is_suffix, _errors, _paths, _leaf_path.
 *
 *     const pytree_def *layers[] = { linear, linear };
 *     pytree_def *model = pytree_def_list(2, layers, NULL, &err);          // PyTreeDef([CustomNode(Linear[…, [*, *]), …])
 *
 * Rules of pytree.h hold here too. Every treedef that is returned is one block, independent of its arguments, and is freed with
 * pytree_def_free. Functions that return one return NULL on failure. Treedefs that are passed must not be NULL, but for the
 * children of a container: there NULL is an error, so that a row of calls can be checked at its end. Two treedefs can only be
 * combined if None is a leaf in both or in neither (`none_is_leaf`); otherwise the error is PYTREE_ARGUMENT. A treedef has less
 * than 2^32 nodes and bytes of static values: PYTREE_OVERFLOW. Nothing recurses: depth is bounded by memory.
 *
 * The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in the same file.
 */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#elif !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED))
#include "../pytree.h"                    /* not there? include pytree.h first */
#endif

#ifndef PYTREE_TREEDEF_H
#define PYTREE_TREEDEF_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- By hand ------------------------------------------------------------------------------------------------------- */

/* One leaf, None: optree.treespec_leaf, treespec_none. Where opt->none_is_leaf is set, None is a leaf. */
pytree_def *pytree_def_leaf(const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_none(const pytree_options *opt, pytree_error *err);

/* A container of n children: optree.treespec_list and so on, jax.tree_util.treedef_tuple. opt->none_is_leaf must be what
 * the children have. Keys and names are copied. A dict's keys may come in any order and are sorted together with their
 * children; a key that comes twice is PYTREE_ARGUMENT. O(nodes). */
pytree_def *pytree_def_list(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_tuple(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_dict(size_t n, const char *const *keys, const pytree_def *const *children,
                            const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_odict(size_t n, const char *const *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_namedtuple(const char *name, size_t n, const char *const *fields, const pytree_def *const *children,
                                  const pytree_options *opt, pytree_error *err);

/* A registered struct: type and static values are those of *self (only its STATIC fields are read), the children are given, one
 * for each DATA field. pytree_def_struct(PYTREE((&(Linear){ .din = 2, .dout = 3 })), 2, children, NULL, &err). */
pytree_def *pytree_def_struct(pytree self, size_t n, const pytree_def *const *children,
                              const pytree_options *opt, pytree_error *err);

/* ---- From treedefs ------------------------------------------------------------------------------------------------- */

/* `outer` with `inner` in the place of each leaf: PyTreeDef.compose. */
pytree_def *pytree_def_compose(const pytree_def *outer, const pytree_def *inner, const pytree_options *opt, pytree_error *err);

/* What pytree_def_transform calls with a part of a treedef: a leaf, or a node whose children are all leaves. *result is
 * NULL at the call; leave it so to keep the part, or set it to a new treedef, which pytree_def_transform frees (with
 * pytree_def_free). Any return but PYTREE_OK stops, and becomes the status of the error. `err` is for a message. */
typedef pytree_status pytree_def_transform_fn(void *context, const pytree_def *part, pytree_def **result, pytree_error *err);

/* Each node and each leaf replaced by what a callback makes of it, children before parents: optree.treespec_transform.
 * `node` must give a node with as many leaves as children and nothing else, `leaf` may give any treedef; NULL changes
 * nothing. */
pytree_def *pytree_def_transform(const pytree_def *def, pytree_def_transform_fn *node, pytree_def_transform_fn *leaf,
                                 void *context, const pytree_options *opt, pytree_error *err);

/* The smallest treedef that both are prefixes of: optree's broadcast_to_common_suffix. Where one has a leaf the other's subtree
 * stands. A dict and an ordered dict with the same keys match; the result has the kind and order that `a` has. Otherwise
 * PYTREE_STRUCTURE with the path. */
pytree_def *pytree_def_common_suffix(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err);

/* ---- Comparison ---------------------------------------------------------------------------------------------------- */

/* Is `prefix` a prefix of `def`, so that its leaves may stand for whole subtrees there? `strict`: and not all of them for
 * leaves. optree.treespec_is_prefix, treespec_is_suffix. Dicts and ordered dicts with the same keys match in any order. If
 * not, the error says where and why; false with PYTREE_NO_MEMORY if memory ran out. O(nodes), one allocation for each of
 * the two treedefs. */
bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);
bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);

/* In what two nodes differ. */
typedef enum pytree_mismatch {
    PYTREE_DIFFERENT_TYPES,               /* another container, struct or namedtuple; leaf or None against a node */
    PYTREE_DIFFERENT_LENGTHS,             /* list or tuple with another number of children */
    PYTREE_DIFFERENT_KEYS,                /* dict with another set of keys */
    PYTREE_DIFFERENT_METADATA             /* static values, order of an ordered dict, the None switch */
} pytree_mismatch;

/* One difference between two treedefs, in words. */
typedef struct pytree_def_error {
    pytree_mismatch kind;
    const char *path;                     /* key path of the two nodes, empty for the roots */
    const char *a, *b;                    /* "list of length 2", "Linear[(784, 128)]", "dict with keys 'b', 'w'" */
    const char *missing, *extra;          /* keys of two dicts, only in a, only in b: "'b', 'w'"; otherwise empty */
} pytree_def_error;

typedef struct pytree_def_error_list {
    size_t n;                             /* 0: the treedefs are equal */
    const pytree_def_error *errors;       /* in visiting order */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_def_error_list;

/* Every difference: jax.tree_util.equality_errors_pytreedef. Below a node that differs nothing more is reported. NULL if memory
 * ran out; one block, freed with pytree_def_errors_free (NULL is fine). */
pytree_def_error_list *pytree_def_errors(const pytree_def *a, const pytree_def *b, const pytree_options *opt,
                                         pytree_error *err);
void pytree_def_errors_free(pytree_def_error_list *list);

/* "different types", "different lengths", … */
const char *pytree_mismatch_name(pytree_mismatch kind);

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* Key paths of all leaves as text: optree.treespec_paths, treespec_accessors. As pytree_paths in all else: one block of
 * *count texts, `separator` NULL for .layers[0].w or given for layers/0/w. NULL on error. Free with pytree_paths_free. */
const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count,
                              const pytree_options *opt, pytree_error *err);

/* Key path of one leaf as entries, borrowed from the treedef. Writes at most `capacity`, returns how many there are;
 * SIZE_MAX if there is no such leaf. No allocation. O(depth × children). */
size_t pytree_def_leaf_path(const pytree_def *def, size_t leaf, pytree_entry *entries, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__TREEDEF_BODIES)
#define PYTREE__TREEDEF_BODIES

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Growing memory ------------------------------------------------------------------------------------------------ */

static void pytree__td_free(const pytree_options *opt, void *p, size_t size)
{
    if (p != NULL) { (void)pytree__resize(opt == NULL ? NULL : opt->allocator, p, size, 0); }
}

/* n elements of `size` bytes, at least one byte; NULL and an error if there is no memory. */
static void *pytree__td_array(size_t n, size_t size, const pytree_options *opt, pytree_error *err)
{
    void *p = n > SIZE_MAX / 2 / size ? NULL : pytree__resize(opt == NULL ? NULL : opt->allocator, NULL, 0, n * size + 1);
    if (p == NULL) { pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected memory for %zu times %zu bytes, got none", n, size); }
    return p;
}

static void pytree__td_array_free(void *p, size_t n, size_t size, const pytree_options *opt)
{
    pytree__td_free(opt, p, n * size + 1);
}

/* An array that grows: room for `need` elements; the array where it is now, or NULL with an error and the old one as it was. */
static void *pytree__td_grow(void *p, size_t *capacity, size_t need, size_t size, const pytree_options *opt, pytree_error *err)
{
    size_t n = *capacity < 16 ? 32 : *capacity + *capacity / 2;
    void *grown;
    if (need <= *capacity && p != NULL) { return p; }
    if (n < need) { n = need; }
    grown = n > SIZE_MAX / 2 / size ? NULL : pytree__resize(opt == NULL ? NULL : opt->allocator, p, *capacity * size, n * size);
    if (grown == NULL) {
        pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected memory for %zu times %zu bytes, got none", n, size);
        return NULL;
    }
    *capacity = n;
    return grown;
}

typedef struct pytree__td_bytes {
    unsigned char *at;
    size_t n, max;
} pytree__td_bytes;

static bool pytree__td_add(pytree__td_bytes *b, const void *from, size_t n, const pytree_options *opt, pytree_error *err)
{
    void *grown;
    if (n > UINT32_MAX - b->n) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 bytes of keys and static values, got more");
        return false;
    }
    grown = pytree__td_grow(b->at, &b->max, b->n + n, 1, opt, err);
    if (grown == NULL) { return false; }
    b->at = (unsigned char *)grown;
    if (n > 0) { memcpy(b->at + b->n, from, n); }
    b->n += n;
    return true;
}

/* A text as static values have it: length + 1, bytes, NUL; 0 alone for NULL. */
static bool pytree__td_add_text(pytree__td_bytes *b, const char *text, size_t length, const pytree_options *opt,
                                pytree_error *err)
{
    uint32_t size = 0;
    if (text == NULL) { return pytree__td_add(b, &size, sizeof size, opt, err); }
    if (length >= UINT32_MAX) { length = UINT32_MAX - 1; }      /* more than can be added */
    size = (uint32_t)length + 1;
    return pytree__td_add(b, &size, sizeof size, opt, err) && pytree__td_add(b, text, length, opt, err)
        && pytree__td_add(b, "", 1, opt, err);
}

/* Bytes of the packed text at p. */
static size_t pytree__td_text_size(const unsigned char *p)
{
    uint32_t size;
    memcpy(&size, p, sizeof size);
    return sizeof size + size;
}

/* ---- Nodes --------------------------------------------------------------------------------------------------------- */

static pytree_kind pytree__td_kind(const pytree_node *node)
{
    return node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
}

static bool pytree__td_keyed(pytree_kind kind) { return kind == PYTREE_KIND_DICT || kind == PYTREE_KIND_ODICT; }

/* A leaf or None: nothing that could have static values, `meta` is 0. */
static bool pytree__td_plain(const pytree_node *node) { return node->type == NULL || node->type->kind == PYTREE_KIND_NONE; }

/* A type that was declared before it was defined stands for its definition. */
static const pytree_type *pytree__td_type(const pytree_type *type)
{
    return type != NULL && type->origin != NULL ? type->origin : type;
}

/* Where the statics of a node have its children's names. */
static const unsigned char *pytree__td_names(const pytree_def *def, size_t node)
{
    const unsigned char *p = def->statics + def->nodes[node].meta;
    return pytree__td_kind(&def->nodes[node]) == PYTREE_KIND_NAMEDTUPLE ? p + pytree__td_text_size(p) : p;
}

static bool pytree__td_same_none(const pytree_def *a, bool none_is_leaf, pytree_error *err)
{
    if (a->none_is_leaf == none_is_leaf) { return true; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef in which None is a %s, got one in which it is a %s",
                none_is_leaf ? "leaf" : "node", none_is_leaf ? "node" : "leaf");
    return false;
}

/* A treedef in the making. Nodes come in post-order with their counts, and their statics in the same order. */
typedef struct pytree__td_maker {
    const pytree_options *opt;
    pytree_error *err;
    pytree_node *nodes;
    size_t n_nodes, max_nodes;
    pytree__td_bytes statics;
} pytree__td_maker;

static void pytree__td_begin(pytree__td_maker *m, const pytree_options *opt, pytree_error *err)
{
    memset(m, 0, sizeof *m);
    m->opt = opt;
    m->err = err;
}

static bool pytree__td_reserve(pytree__td_maker *m, size_t n)
{
    void *grown;
    if (n > UINT32_MAX - m->n_nodes) {
        pytree_fail(m->err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 nodes, got more");
        return false;
    }
    grown = pytree__td_grow(m->nodes, &m->max_nodes, m->n_nodes + n, sizeof *m->nodes, m->opt, m->err);
    if (grown == NULL) { return false; }
    m->nodes = (pytree_node *)grown;
    return true;
}

/* A node whose children are the last ones made; its statics begin at `meta`. */
static bool pytree__td_push(pytree__td_maker *m, const pytree_type *type, size_t arity, size_t meta)
{
    size_t i, child = m->n_nodes, leaves = type == NULL;
    pytree_node *node;
    if (!pytree__td_reserve(m, 1)) { return false; }
    for (i = 0; i < arity; i++) {
        leaves += m->nodes[child - 1].leaves;
        child -= m->nodes[child - 1].nodes;
    }
    node = &m->nodes[m->n_nodes++];
    node->type = type;
    node->arity = (uint32_t)arity;
    node->leaves = (uint32_t)leaves;
    node->nodes = (uint32_t)(m->n_nodes - child);
    node->meta = pytree__td_plain(node) ? 0 : (uint32_t)meta;
    return true;
}

/* A node of another treedef, without its children: those are made already. */
static bool pytree__td_push_like(pytree__td_maker *m, const pytree_def *def, size_t node)
{
    const pytree_node *from = &def->nodes[node];
    size_t meta = m->statics.n, n = pytree__statics_size(def, node);
    return (n == 0 || pytree__td_add(&m->statics, def->statics + from->meta, n, m->opt, m->err))
        && pytree__td_push(m, from->type, from->arity, meta);
}

/* A whole subtree of another treedef: its nodes and its statics stand together there. */
static bool pytree__td_copy(pytree__td_maker *m, const pytree_def *def, size_t root)
{
    size_t i = root + 1 - def->nodes[root].nodes, begin = i, end;
    uint32_t to = (uint32_t)m->statics.n;
    if (!pytree__td_reserve(m, def->nodes[root].nodes)) { return false; }
    while (begin < root && pytree__td_plain(&def->nodes[begin])) { begin++; }
    begin = def->nodes[begin].meta;       /* of the first node that may have statics */
    end = pytree__td_plain(&def->nodes[root]) ? begin : def->nodes[root].meta + pytree__statics_size(def, root);
    for (; i <= root; i++) {
        pytree_node *node = &m->nodes[m->n_nodes++];
        *node = def->nodes[i];
        node->meta = pytree__td_plain(node) ? 0 : (uint32_t)(node->meta - begin + to);
    }
    return end == begin || pytree__td_add(&m->statics, def->statics + begin, end - begin, m->opt, m->err);
}

/* The treedef, or NULL if `good` is false or memory runs out; the maker is done in any case. */
static pytree_def *pytree__td_finish(pytree__td_maker *m, bool none_is_leaf, bool good)
{
    pytree_def *def = good ? pytree__def_new(m->n_nodes, m->statics.n, 0, m->opt, m->err) : NULL;
    if (def != NULL) {
        memcpy((void *)(uintptr_t)def->nodes, m->nodes, m->n_nodes * sizeof *m->nodes);
        if (m->statics.n > 0) { memcpy((void *)(uintptr_t)def->statics, m->statics.at, m->statics.n); }
        def->n_leaves = m->nodes[m->n_nodes - 1].leaves;
        def->none_is_leaf = none_is_leaf;
    }
    pytree__td_free(m->opt, m->nodes, m->max_nodes * sizeof *m->nodes);
    pytree__td_free(m->opt, m->statics.at, m->statics.max);
    return def;
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------- */

/* The n texts that are packed at p, and their order by strcmp: keys[order[0]] is the first. One block. */
typedef struct pytree__td_keys {
    const char **keys;
    uint32_t *order;
    size_t n;
} pytree__td_keys;

static void pytree__td_sift(pytree__td_keys *k, size_t at, size_t n)
{
    uint32_t moved = k->order[at];
    while (2 * at + 1 < n) {
        size_t child = 2 * at + 1;
        if (child + 1 < n && strcmp(k->keys[k->order[child]], k->keys[k->order[child + 1]]) < 0) { child++; }
        if (strcmp(k->keys[moved], k->keys[k->order[child]]) >= 0) { break; }
        k->order[at] = k->order[child];
        at = child;
    }
    k->order[at] = moved;
}

static bool pytree__td_sort(pytree__td_keys *k, const unsigned char *p, size_t n, const pytree_options *opt, pytree_error *err)
{
    size_t i;
    k->n = n;
    k->keys = (const char **)pytree__td_array(n, sizeof *k->keys + sizeof *k->order, opt, err);
    if (k->keys == NULL) { return false; }
    k->order = (uint32_t *)(void *)(k->keys + n);
    for (i = 0; i < n; i++) {
        k->keys[i] = (const char *)p + sizeof(uint32_t);
        k->order[i] = (uint32_t)i;
        p += pytree__td_text_size(p);
    }
    for (i = n / 2; i-- > 0;) { pytree__td_sift(k, i, n); }
    for (i = n; i-- > 1;) {
        uint32_t last = k->order[i];
        k->order[i] = k->order[0];
        k->order[0] = last;
        pytree__td_sift(k, 0, i);
    }
    return true;
}

static void pytree__td_sort_free(pytree__td_keys *k, const pytree_options *opt)
{
    if (k->keys != NULL) { pytree__td_array_free(k->keys, k->n, sizeof *k->keys + sizeof *k->order, opt); }
}

typedef struct pytree__td_place { uint32_t node, meta; } pytree__td_place;      /* where a child begins */

/* Puts the last n children, their statics and their names, packed at `names` to the end of the statics, into sorted order. */
static bool pytree__td_reorder(pytree__td_maker *m, size_t names, const pytree__td_keys *k)
{
    size_t i, at, total, size, text, first = m->n_nodes;
    pytree__td_place *parts;
    pytree_node *nodes;
    unsigned char *statics;
    for (i = 0; i < k->n; i++) { first -= m->nodes[first - 1].nodes; }
    for (at = first; at < m->n_nodes && pytree__td_plain(&m->nodes[at]); at++) {}
    text = at < m->n_nodes ? m->nodes[at].meta : names;
    total = m->n_nodes - first;
    size = total * sizeof *nodes + (k->n + 1) * sizeof *parts + m->statics.n - text;
    nodes = (pytree_node *)pytree__td_array(size, 1, m->opt, m->err);
    if (nodes == NULL) { return false; }
    memcpy(nodes, m->nodes + first, total * sizeof *nodes);
    parts = (pytree__td_place *)(void *)(nodes + total);
    statics = (unsigned char *)(parts + k->n + 1);
    memcpy(statics, m->statics.at + text, m->statics.n - text);
    parts[k->n].node = (uint32_t)total;
    parts[k->n].meta = (uint32_t)names;
    for (i = k->n; i-- > 0;) {
        parts[i].node = parts[i + 1].node - nodes[parts[i + 1].node - 1].nodes;
        for (at = parts[i].node; at < parts[i + 1].node && pytree__td_plain(&nodes[at]); at++) {}
        parts[i].meta = at < parts[i + 1].node ? nodes[at].meta : parts[i + 1].meta;
    }
    at = text;
    for (i = 0; i < k->n; i++) {
        const pytree__td_place *from = &parts[k->order[i]];
        size_t node, n = from[1].meta - from->meta;
        for (node = from->node; node < from[1].node; node++, first++) {
            m->nodes[first] = nodes[node];
            if (!pytree__td_plain(&nodes[node])) { m->nodes[first].meta = (uint32_t)(nodes[node].meta - from->meta + at); }
        }
        memcpy(m->statics.at + at, statics + (from->meta - text), n);
        at += n;
    }
    for (i = 0; i < k->n; i++) {
        const unsigned char *key = statics
            + ((size_t)((const unsigned char *)k->keys[k->order[i]] - m->statics.at) - sizeof(uint32_t) - text);
        memcpy(m->statics.at + at, key, pytree__td_text_size(key));
        at += pytree__td_text_size(key);
    }
    pytree__td_array_free(nodes, size, 1, m->opt);
    return true;
}

/* A node with names, which are packed at `names` to the end of the statics: they must be different, and a dict's are
 * brought into order. PYTREE_ARGUMENT, not yet reported, for a name that comes twice: *twice, which lies in the statics. */
static pytree_status pytree__td_push_named(pytree__td_maker *m, int id, size_t n, size_t meta, size_t names, const char **twice)
{
    const pytree_type *type = &pytree_types[id];
    const unsigned char *p = n == 0 ? NULL : m->statics.at + names;
    pytree_status status = PYTREE_OK;
    size_t i;
    bool sorted = true;
    for (i = 1; i < n && sorted; i++) {
        const unsigned char *next = p + pytree__td_text_size(p);
        sorted = strcmp((const char *)p + sizeof(uint32_t), (const char *)next + sizeof(uint32_t)) < 0;
        p = next;
    }
    if (!sorted) {
        pytree__td_keys k;
        if (!pytree__td_sort(&k, m->statics.at + names, n, m->opt, m->err)) { return PYTREE_NO_MEMORY; }
        for (i = 1; i < n && status == PYTREE_OK; i++) {
            if (strcmp(k.keys[k.order[i - 1]], k.keys[k.order[i]]) == 0) {
                *twice = k.keys[k.order[i]];
                status = PYTREE_ARGUMENT;
            }
        }
        if (status == PYTREE_OK && type->kind == PYTREE_KIND_DICT && !pytree__td_reorder(m, names, &k)) {
            status = PYTREE_NO_MEMORY;
        }
        pytree__td_sort_free(&k, m->opt);
    }
    if (status == PYTREE_OK && !pytree__td_push(m, type, n, meta)) { status = PYTREE_NO_MEMORY; }
    return status;
}

/* ---- By hand (bodies) ---------------------------------------------------------------------------------------------- */

static pytree_def *pytree__td_single(const pytree_type *type, const pytree_options *opt, pytree_error *err)
{
    pytree__td_maker m;
    bool none_is_leaf = opt != NULL && opt->none_is_leaf;
    pytree__td_begin(&m, opt, err);
    return pytree__td_finish(&m, none_is_leaf, pytree__td_push(&m, none_is_leaf ? NULL : type, 0, 0));
}

pytree_def *pytree_def_leaf(const pytree_options *opt, pytree_error *err) { return pytree__td_single(NULL, opt, err); }

pytree_def *pytree_def_none(const pytree_options *opt, pytree_error *err)
{
    return pytree__td_single(&pytree_types[PYTREE__T_none], opt, err);
}

static bool pytree__td_copy_all(pytree__td_maker *m, size_t n, const pytree_def *const *children)
{
    size_t i, total = 0;
    for (i = 0; i < n; i++) {
        if (children[i] == NULL) {
            pytree_fail(m->err, PYTREE_ARGUMENT, NULL, "expected a treedef for child %zu, got NULL", i);
            return false;
        }
        if (!pytree__td_same_none(children[i], m->opt != NULL && m->opt->none_is_leaf, m->err)) { return false; }
        total += total > UINT32_MAX ? 0 : children[i]->n_nodes;
    }
    if (!pytree__td_reserve(m, total) || !pytree__td_reserve(m, total + 1)) { return false; }
    for (i = 0; i < n; i++) {
        if (!pytree__td_copy(m, children[i], children[i]->n_nodes - 1)) { return false; }
    }
    return true;
}

static pytree_def *pytree__td_container(int id, const char *name, size_t n, const char *const *keys,
                                        const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    pytree__td_maker m;
    size_t i, meta, names;
    const char *twice = NULL;
    bool good, named = pytree__td_keyed(pytree_types[id].kind) || name != NULL;
    pytree__td_begin(&m, opt, err);
    good = pytree__td_copy_all(&m, n, children);
    meta = m.statics.n;
    good = good && (name == NULL || pytree__td_add_text(&m.statics, name, strlen(name), opt, err));
    names = m.statics.n;
    for (i = 0; i < n && good && named; i++) {
        if (keys == NULL || keys[i] == NULL) {
            pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a key for child %zu, got NULL", i);
            good = false;
        } else {
            good = pytree__td_add_text(&m.statics, keys[i], strlen(keys[i]), opt, err);
        }
    }
    if (good && named) {
        good = pytree__td_push_named(&m, id, n, meta, names, &twice) == PYTREE_OK;
        if (twice != NULL) { pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected different keys, got '%s' twice", twice); }
    } else if (good) {
        good = pytree__td_push(&m, &pytree_types[id], n, meta);
    }
    return pytree__td_finish(&m, opt != NULL && opt->none_is_leaf, good);
}

pytree_def *pytree_def_list(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    return pytree__td_container(PYTREE__T_list, NULL, n, NULL, children, opt, err);
}

pytree_def *pytree_def_tuple(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    return pytree__td_container(PYTREE__T_tuple, NULL, n, NULL, children, opt, err);
}

pytree_def *pytree_def_dict(size_t n, const char *const *keys, const pytree_def *const *children,
                            const pytree_options *opt, pytree_error *err)
{
    return pytree__td_container(PYTREE__T_dict, NULL, n, keys, children, opt, err);
}

pytree_def *pytree_def_odict(size_t n, const char *const *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err)
{
    return pytree__td_container(PYTREE__T_odict, NULL, n, keys, children, opt, err);
}

pytree_def *pytree_def_namedtuple(const char *name, size_t n, const char *const *fields, const pytree_def *const *children,
                                  const pytree_options *opt, pytree_error *err)
{
    if (name == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the name of a namedtuple, got NULL");
        return NULL;
    }
    return pytree__td_container(PYTREE__T_namedtuple, name, n, fields, children, opt, err);
}

pytree_def *pytree_def_struct(pytree self, size_t n, const pytree_def *const *children,
                              const pytree_options *opt, pytree_error *err)
{
    const pytree_type *type = pytree__td_type(self.type);
    pytree__td_maker m;
    pytree__statics packed;
    size_t meta;
    bool good;
    if (type == NULL || type->kind != PYTREE_KIND_STRUCT || type->flatten == NULL || self.data == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a registered struct, got %s",
                    type == NULL || self.data == NULL ? "NULL" : type->name);
        return NULL;
    }
    if (n != type->n_children) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %u children of %s, got %zu", type->n_children, type->name, n);
        return NULL;
    }
    pytree__td_begin(&m, opt, err);
    good = pytree__td_copy_all(&m, n, children);
    meta = m.statics.n;
    memset(&packed, 0, sizeof packed);
    (void)type->flatten(self.data, NULL, &packed);      /* measures */
    if (good && packed.length > 0) {
        void *grown = NULL;
        if (packed.length > UINT32_MAX - meta) {
            pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 bytes of static values, got more");
        } else {
            grown = pytree__td_grow(m.statics.at, &m.statics.max, meta + packed.length, 1, opt, err);
        }
        good = grown != NULL;
        if (good) {
            m.statics.at = (unsigned char *)grown;
            m.statics.n = meta + packed.length;
            packed.at = m.statics.at + meta;
            packed.length = 0;
            (void)type->flatten(self.data, NULL, &packed);
        }
    }
    good = good && pytree__td_push(&m, type, n, meta);
    return pytree__td_finish(&m, opt != NULL && opt->none_is_leaf, good);
}

/* ---- From treedefs (bodies) ---------------------------------------------------------------------------------------- */

pytree_def *pytree_def_compose(const pytree_def *outer, const pytree_def *inner, const pytree_options *opt, pytree_error *err)
{
    pytree__td_maker m;
    size_t i, inside = outer->n_nodes - outer->n_leaves;
    bool good = pytree__td_same_none(inner, outer->none_is_leaf, err);
    pytree__td_begin(&m, opt, err);
    if (good && outer->n_leaves > (UINT32_MAX - inside) / inner->n_nodes) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 nodes, got %zu and %zu times %zu", inside,
                    outer->n_leaves, inner->n_nodes);
        good = false;
    }
    good = good && pytree__td_reserve(&m, inside + outer->n_leaves * inner->n_nodes);
    for (i = 0; i < outer->n_nodes && good; i++) {
        good = outer->nodes[i].type == NULL ? pytree__td_copy(&m, inner, inner->n_nodes - 1)
            : pytree__td_push_like(&m, outer, i);
    }
    return pytree__td_finish(&m, outer->none_is_leaf, good);
}

/* One node of a treedef, with leaves for children. */
static pytree_def *pytree__td_part(const pytree_def *def, size_t node, const pytree_options *opt, pytree_error *err)
{
    pytree__td_maker m;
    uint32_t i, arity = def->nodes[node].arity;
    bool good;
    pytree__td_begin(&m, opt, err);
    good = pytree__td_reserve(&m, (size_t)arity + 1);
    for (i = 0; i < arity && good; i++) { good = pytree__td_push(&m, NULL, 0, 0); }
    good = good && pytree__td_push_like(&m, def, node);
    return pytree__td_finish(&m, def->none_is_leaf, good);
}

/* What the callback makes of a node, as the maker's next one. */
static bool pytree__td_push_transformed(pytree__td_maker *m, const pytree_def *def, size_t i, pytree_def_transform_fn *fn,
                                        void *context)
{
    pytree_def *part = pytree__td_part(def, i, m->opt, m->err), *result = NULL;
    const pytree_node *node = &def->nodes[i];
    pytree_error own;
    pytree_status status;
    bool good = false;
    if (part == NULL) { return false; }
    memset(&own, 0, sizeof own);
    status = fn(context, part, &result, &own);
    if (status != PYTREE_OK) {
        pytree_fail(m->err, status, own.path, "%s", own.status == PYTREE_OK ? "the callback stopped" : own.message);
    } else if (result == NULL) {
        good = pytree__td_push_like(m, def, i);
    } else if (pytree__td_same_none(result, def->none_is_leaf, m->err)) {
        if (node->type == NULL) {
            good = pytree__td_copy(m, result, result->n_nodes - 1);
        } else if (result->n_nodes != (size_t)node->arity + 1 || result->n_leaves != node->arity) {
            pytree_fail(m->err, PYTREE_STRUCTURE, NULL,
                        "expected a node of %u leaves in place of a %s, got %zu nodes and %zu leaves",
                        (unsigned)node->arity, pytree_def_type_name(part), result->n_nodes, result->n_leaves);
        } else {
            good = pytree__td_push_like(m, result, result->n_nodes - 1);
        }
    }
    pytree_def_free(result);
    pytree_def_free(part);
    return good;
}

pytree_def *pytree_def_transform(const pytree_def *def, pytree_def_transform_fn *node, pytree_def_transform_fn *leaf,
                                 void *context, const pytree_options *opt, pytree_error *err)
{
    pytree__td_maker m;
    size_t i;
    bool good = true;
    pytree__td_begin(&m, opt, err);
    for (i = 0; i < def->n_nodes && good; i++) {
        pytree_def_transform_fn *fn = def->nodes[i].type == NULL ? leaf : node;
        good = fn == NULL ? pytree__td_push_like(&m, def, i) : pytree__td_push_transformed(&m, def, i, fn, context);
    }
    return pytree__td_finish(&m, def->none_is_leaf, good);
}

/* ---- Walking ------------------------------------------------------------------------------------------------------- */

/* Post-order has the children of a node last to first; going through them first to last needs links. */
enum { PYTREE__TD_END, PYTREE__TD_VISIT, PYTREE__TD_LEAVE };
#define PYTREE__TD_NONE UINT32_MAX

typedef struct pytree__td_link { uint32_t first, next; } pytree__td_link;      /* child, sibling */

typedef struct pytree__td_frame {         /* an open node in one treedef, or a pair in two */
    uint32_t a, b, next_a, next_b;
    size_t child, name;                   /* which child it is at; where in the statics, or in which row, its name stands */
    size_t mark;                          /* the user's */
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
    pytree__td_link *links = (pytree__td_link *)pytree__td_array(def->n_nodes, sizeof *links, opt, err);
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
    if (w->links_a != NULL) { pytree__td_array_free(w->links_a, w->a->n_nodes, sizeof *w->links_a, w->opt); }
    if (w->links_b != NULL) { pytree__td_array_free(w->links_b, w->b->n_nodes, sizeof *w->links_b, w->opt); }
    pytree__td_free(w->opt, w->frames, w->max * sizeof *w->frames);
}

/* To be ended if it succeeded. */
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

/* Goes from name to name with the children of a node. */
static void pytree__td_next_name(const pytree_def *def, pytree__td_frame *f)
{
    const pytree_node *node = &def->nodes[f->a];
    bool first = f->child == 0;
    switch (pytree__td_kind(node)) {
    case PYTREE_KIND_DICT: case PYTREE_KIND_ODICT: case PYTREE_KIND_NAMEDTUPLE:
        f->name = first ? (size_t)(pytree__td_names(def, f->a) - def->statics) : f->name
            + pytree__td_text_size(def->statics + f->name);
        break;
    case PYTREE_KIND_STRUCT:
        f->name = first ? 0 : f->name + 1;
        while (node->type->fields[f->name].row != PYTREE_ROW_DATA) { f->name++; }
        break;
    default: break;
    }
}

/* The next event: a pair (at_a, at_b) that is met, a pair that is left after its children, the end. */
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
    f->child++;
    pytree__td_next_name(w->a, f);
    return PYTREE__TD_VISIT;
}

/* Opens the pair that is visited: its children come next. In two treedefs they must be equally many. */
static bool pytree__td_open(pytree__td_walk *w, size_t mark)
{
    pytree__td_frame *f;
    void *grown = pytree__td_grow(w->frames, &w->max, w->n + 1, sizeof *w->frames, w->opt, w->err);
    if (grown == NULL) { return false; }
    w->frames = (pytree__td_frame *)grown;
    f = &w->frames[w->n++];
    f->a = w->at_a;
    f->b = w->at_b;
    f->next_a = w->links_a[w->at_a].first;
    f->next_b = w->b == NULL ? PYTREE__TD_NONE : w->links_b[w->at_b].first;
    f->child = SIZE_MAX;                  /* before the first */
    f->name = 0;
    f->mark = mark;
    return true;
}

/* The key of the child that an open node is at. */
static pytree_entry pytree__td_entry(const pytree_def *def, const pytree__td_frame *f)
{
    const pytree_node *node = &def->nodes[f->a];
    pytree_entry entry;
    entry.name = NULL;
    entry.index = f->child;
    switch (pytree__td_kind(node)) {
    case PYTREE_KIND_DICT: case PYTREE_KIND_ODICT:
        entry.kind = PYTREE_KEY;
        entry.name = (const char *)def->statics + f->name + sizeof(uint32_t);
        break;
    case PYTREE_KIND_NAMEDTUPLE:
        entry.kind = PYTREE_ATTRIBUTE;
        entry.name = (const char *)def->statics + f->name + sizeof(uint32_t);
        break;
    case PYTREE_KIND_STRUCT:
        entry.kind = PYTREE_ATTRIBUTE;
        entry.name = node->type->fields[f->name].name;
        break;
    default:
        entry.kind = PYTREE_INDEX;
        break;
    }
    return entry;
}

/* ---- Comparison (bodies) ------------------------------------------------------------------------------------------- */

static struct pytree__text pytree__td_text(char *at, size_t room)
{
    struct pytree__text text;
    memset(&text, 0, sizeof text);
    text.at = at;
    text.room = room;
    return text;
}

/* Ends a text in a buffer of n bytes, of which the last was kept back. */
static void pytree__td_text_end(const struct pytree__text *text)
{
    text->at[text->length < text->room ? text->length : text->room] = '\0';
}

/* The keys that only `a` has as text, 'x', 'y'; how many there are. */
static size_t pytree__td_put_missing(struct pytree__text *text, const pytree__td_keys *a, const pytree__td_keys *b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; i < a->n; i++) {
        const char *key = a->keys[a->order[i]];
        while (j < b->n && strcmp(b->keys[b->order[j]], key) < 0) { j++; }
        if (j < b->n && strcmp(b->keys[b->order[j]], key) == 0) { continue; }
        if (text != NULL && n > 0) { pytree__put(text, ", ", 2); }
        if (text != NULL) { pytree__put_repr(text, key, strlen(key)); }
        n++;
    }
    return n;
}

/* Gives the children of b's node the order that a's keys have. */
static bool pytree__td_relink(pytree__td_walk *w, const pytree__td_keys *a, const pytree__td_keys *b)
{
    uint32_t *map = (uint32_t *)pytree__td_array(2 * a->n, sizeof *map, w->opt, w->err), *child, at;
    size_t i;
    if (map == NULL) { return false; }
    child = map + a->n;
    for (i = 0, at = w->links_b[w->at_b].first; i < a->n; i++, at = w->links_b[at].next) { child[i] = at; }
    for (i = 0; i < a->n; i++) { map[a->order[i]] = child[b->order[i]]; }
    w->links_b[w->at_b].first = map[0];
    for (i = 0; i < a->n; i++) { w->links_b[map[i]].next = i + 1 < a->n ? map[i + 1] : PYTREE__TD_NONE; }
    pytree__td_array_free(map, 2 * a->n, sizeof *map, w->opt);
    return true;
}

#define PYTREE__TD_SAME (-1)
#define PYTREE__TD_FAILED (-2)

/* How the two nodes that are visited differ, their children aside: a pytree_mismatch, or one of the above. `loose`: dicts and
 * ordered dicts match in any order, and the walk of b follows that of a. */
static int pytree__td_mismatch(pytree__td_walk *w, bool loose)
{
    const pytree_def *a = w->a, *b = w->b;
    const pytree_node *x = &a->nodes[w->at_a], *y = &b->nodes[w->at_b];
    pytree_kind kind = pytree__td_kind(x);
    pytree__td_keys keys_a, keys_b;
    size_t n;
    int result;
    if (x->type == NULL || y->type == NULL) { return x->type == y->type ? PYTREE__TD_SAME : PYTREE_DIFFERENT_TYPES; }
    if (!(loose && pytree__td_keyed(kind) && pytree__td_keyed(pytree__td_kind(y))) && !pytree_type_equal(x->type, y->type)) {
        return PYTREE_DIFFERENT_TYPES;
    }
    if (kind == PYTREE_KIND_LIST || kind == PYTREE_KIND_TUPLE) {
        return x->arity == y->arity ? PYTREE__TD_SAME : PYTREE_DIFFERENT_LENGTHS;
    }
    n = pytree__statics_size(a, w->at_a);
    if (x->arity == y->arity && n == pytree__statics_size(b, w->at_b)
        && (n == 0 || memcmp(a->statics + x->meta, b->statics + y->meta, n) == 0)) {
        return PYTREE__TD_SAME;
    }
    if (kind == PYTREE_KIND_NAMEDTUPLE) { return PYTREE_DIFFERENT_TYPES; }
    if (!pytree__td_keyed(kind)) { return PYTREE_DIFFERENT_METADATA; }
    if (!pytree__td_sort(&keys_a, pytree__td_names(a, w->at_a), x->arity, w->opt, w->err)) { return PYTREE__TD_FAILED; }
    if (!pytree__td_sort(&keys_b, pytree__td_names(b, w->at_b), y->arity, w->opt, w->err)) {
        pytree__td_sort_free(&keys_a, w->opt);
        return PYTREE__TD_FAILED;
    }
    if (x->arity != y->arity || pytree__td_put_missing(NULL, &keys_a, &keys_b) > 0) {
        result = PYTREE_DIFFERENT_KEYS;
    } else if (!loose) {
        result = PYTREE_DIFFERENT_METADATA;
    } else {
        result = pytree__td_relink(w, &keys_a, &keys_b) ? PYTREE__TD_SAME : PYTREE__TD_FAILED;
    }
    pytree__td_sort_free(&keys_a, w->opt);
    pytree__td_sort_free(&keys_b, w->opt);
    return result;
}

/* A node in words. */
static void pytree__td_put_node(struct pytree__text *text, const pytree_def *def, size_t i)
{
    static const char *const words[] = { "leaf", "None", "", "list of length ", "tuple of length ", "dict", "OrderedDict" };
    const pytree_node *node = &def->nodes[i];
    pytree_kind kind = pytree__td_kind(node);
    const unsigned char *p;
    char number[24];
    uint32_t k;
    if (kind <= PYTREE_KIND_ODICT && kind != PYTREE_KIND_STRUCT) { pytree__put(text, words[kind], strlen(words[kind])); }
    if (kind == PYTREE_KIND_STRUCT) {
        pytree__put(text, node->type->name, strlen(node->type->name));
        pytree__put(text, "[", 1);
        pytree__put_statics(text, def, i);
        pytree__put(text, "]", 1);
    } else if (kind == PYTREE_KIND_LIST || kind == PYTREE_KIND_TUPLE) {
        pytree__put(text, number, (size_t)snprintf(number, sizeof number, "%u", (unsigned)node->arity));
    } else if (pytree__td_keyed(kind)) {
        const char *lead = node->arity == 0 ? " without keys" : " with keys ";
        pytree__put(text, lead, strlen(lead));
        for (k = 0, p = pytree__td_names(def, i); k < node->arity; k++, p += pytree__td_text_size(p)) {
            if (k > 0) { pytree__put(text, ", ", 2); }
            pytree__put_repr(text, (const char *)p + sizeof(uint32_t), pytree__td_text_size(p) - sizeof(uint32_t) - 1);
        }
    } else if (kind == PYTREE_KIND_NAMEDTUPLE) {
        p = def->statics + node->meta;
        pytree__put(text, (const char *)p + sizeof(uint32_t), pytree__td_text_size(p) - sizeof(uint32_t) - 1);
        pytree__put(text, "(", 1);
        for (k = 0, p = pytree__td_names(def, i); k < node->arity; k++, p += pytree__td_text_size(p)) {
            if (k > 0) { pytree__put(text, ", ", 2); }
            pytree__put(text, (const char *)p + sizeof(uint32_t), pytree__td_text_size(p) - sizeof(uint32_t) - 1);
        }
        pytree__put(text, ")", 1);
    }
}

/* Key path of the pair that is visited; of a long one, `most` entries from both ends. */
static void pytree__td_put_path(struct pytree__text *text, const pytree__td_walk *w, size_t most)
{
    size_t i;
    for (i = 0; i < w->n; i++) {
        pytree_entry entry = pytree__td_entry(w->a, &w->frames[i]);
        pytree__put_entry(text, &entry, NULL, i == 0);
        if (i + 1 == most && w->n > 2 * most) {
            pytree__put(text, "...", 3);
            i = w->n - most - 1;
        }
    }
}

/* "expected dict with keys 'a', got None" at the pair that is visited; long texts are cut. */
static void pytree__td_report(const pytree__td_walk *w, int mismatch)
{
    char expected[100], got[100], path[1000];
    struct pytree__text text;
    if (mismatch == PYTREE__TD_FAILED || w->err == NULL) { return; }
    text = pytree__td_text(expected, sizeof expected - 1);
    pytree__td_put_node(&text, w->a, w->at_a);
    pytree__td_text_end(&text);
    text = pytree__td_text(got, sizeof got - 1);
    pytree__td_put_node(&text, w->b, w->at_b);
    pytree__td_text_end(&text);
    text = pytree__td_text(path, sizeof path - 1);
    pytree__td_put_path(&text, w, 40);
    pytree__td_text_end(&text);
    pytree_fail(w->err, PYTREE_STRUCTURE, path, "%s: expected %s, got %s", pytree_mismatch_name((pytree_mismatch)mismatch),
                expected, got);
}

bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err)
{
    pytree__td_walk w;
    bool good = true, deeper = false;
    int event;
    if (!pytree__td_same_none(def, prefix->none_is_leaf, err) || !pytree__td_walk_begin(&w, prefix, def, opt, err)) {
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
    pytree__td_walk w;
    pytree__td_maker m;
    bool good = true;
    int event;
    if (!pytree__td_same_none(b, a->none_is_leaf, err) || !pytree__td_walk_begin(&w, a, b, opt, err)) { return NULL; }
    pytree__td_begin(&m, opt, err);
    while (good && (event = pytree__td_step(&w)) != PYTREE__TD_END) {
        if (event == PYTREE__TD_LEAVE) {
            good = pytree__td_push_like(&m, a, w.at_a);
        } else if (a->nodes[w.at_a].type == NULL) {
            good = pytree__td_copy(&m, b, w.at_b);
        } else if (b->nodes[w.at_b].type == NULL) {
            good = pytree__td_copy(&m, a, w.at_a);
        } else {
            int mismatch = pytree__td_mismatch(&w, true);
            good = mismatch == PYTREE__TD_SAME && pytree__td_open(&w, 0);
            if (mismatch != PYTREE__TD_SAME) { pytree__td_report(&w, mismatch); }
        }
    }
    pytree__td_walk_end(&w);
    return pytree__td_finish(&m, a->none_is_leaf, good);
}

const char *pytree_mismatch_name(pytree_mismatch kind)
{
    static const char *const names[] = { "different types", "different lengths", "different keys", "different metadata" };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

enum { PYTREE__TD_PATH, PYTREE__TD_A, PYTREE__TD_B, PYTREE__TD_MISSING, PYTREE__TD_EXTRA, PYTREE__TD_WORDS };

/* Adds all texts of a difference at the pair that is visited, each with a NUL. */
static bool pytree__td_add_words(pytree__td_bytes *texts, const pytree__td_walk *w, const pytree__td_keys *keys_a,
                                 const pytree__td_keys *keys_b)
{
    int i;
    for (i = 0; i < 2 * PYTREE__TD_WORDS; i++) {            /* each is measured, then written */
        struct pytree__text text = pytree__td_text(NULL, 0);
        if (i % 2 == 1) { text = pytree__td_text((char *)texts->at + texts->n, texts->max - texts->n); }
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
            void *grown = pytree__td_grow(texts->at, &texts->max, texts->n + text.length + 1, 1, w->opt, w->err);
            if (grown == NULL) { return false; }
            texts->at = (unsigned char *)grown;
        }
    }
    return true;
}

/* Adds a difference; its kind goes to `kinds`. */
static bool pytree__td_add_error(pytree__td_bytes *kinds, pytree__td_bytes *texts, const pytree__td_walk *w, int mismatch)
{
    pytree__td_keys a, b;
    unsigned char kind = (unsigned char)mismatch;
    bool good = pytree__td_add(kinds, &kind, 1, w->opt, w->err);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    if (good && pytree__td_keyed(pytree__td_kind(&w->a->nodes[w->at_a]))
        && pytree__td_keyed(pytree__td_kind(&w->b->nodes[w->at_b]))) {
        good = pytree__td_sort(&a, pytree__td_names(w->a, w->at_a), w->a->nodes[w->at_a].arity, w->opt, w->err)
            && pytree__td_sort(&b, pytree__td_names(w->b, w->at_b), w->b->nodes[w->at_b].arity, w->opt, w->err);
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
    pytree_def_error_list *list = (pytree_def_error_list *)pytree__td_array(size, 1, opt, err);
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
    list->bytes = size + 1;
    return list;
}

pytree_def_error_list *pytree_def_errors(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err)
{
    static const char leaf_node[] = "\0None is a leaf\0None is a node\0\0", node_leaf[] =
        "\0None is a node\0None is a leaf\0\0";
    pytree_def_error_list *list = NULL;
    pytree__td_bytes kinds, texts;
    pytree__td_walk w;
    bool good = true;
    int event;
    if (!pytree__td_walk_begin(&w, a, b, opt, err)) { return NULL; }
    memset(&kinds, 0, sizeof kinds);
    memset(&texts, 0, sizeof texts);
    if (a->none_is_leaf != b->none_is_leaf) {
        unsigned char kind = PYTREE_DIFFERENT_METADATA;
        good = pytree__td_add(&kinds, &kind, 1, opt, err)
            && pytree__td_add(&texts, a->none_is_leaf ? leaf_node : node_leaf, sizeof leaf_node, opt, err);
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
    pytree__td_free(opt, kinds.at, kinds.max);
    pytree__td_free(opt, texts.at, texts.max);
    return list;
}

void pytree_def_errors_free(pytree_def_error_list *list)
{
    pytree_options opt;
    if (list == NULL) { return; }
    memset(&opt, 0, sizeof opt);
    opt.allocator = list->allocator;
    pytree__td_free(&opt, list, list->bytes);
}

/* ---- Paths (bodies) ------------------------------------------------------------------------------------------------ */

size_t pytree_def_leaf_path(const pytree_def *def, size_t leaf, pytree_entry *entries, size_t capacity)
{
    size_t n = 0, node = def->n_nodes - 1, end = def->n_leaves;      /* `end`: leaves up to the end of `node` */
    if (leaf >= def->n_leaves) { return SIZE_MAX; }
    while (def->nodes[node].type != NULL) {
        size_t child = node, index = def->nodes[node].arity;
        do {                                                         /* from the last child back to the one with the leaf */
            if (child != node) {
                end -= def->nodes[child].leaves;
                child -= def->nodes[child].nodes;
            } else {
                child--;
            }
            index--;
        } while (leaf < end - def->nodes[child].leaves);
        if (n < capacity) { pytree__def_entry_at(def, node, index, &entries[n]); }
        n++;
        node = child;
    }
    return n;
}

/* The path of each leaf: measured (paths NULL), or written to `at` with the help of `prefix`, where the path so far stands. */
static bool pytree__td_all_paths(const pytree_def *def, const char *separator, const char **paths, char *at, char *prefix,
                                 size_t *bytes, size_t *longest, const pytree_options *opt, pytree_error *err)
{
    pytree__td_walk w;
    size_t leaf = 0;
    bool good = true;
    int event;
    if (!pytree__td_walk_begin(&w, def, NULL, opt, err)) { return false; }
    *bytes = 0;
    *longest = 1;
    while (good && (event = pytree__td_step(&w)) != PYTREE__TD_END) {
        size_t length = w.n == 0 ? 0 : w.frames[w.n - 1].mark;
        if (event == PYTREE__TD_LEAVE) { continue; }
        if (w.n > 0) {
            struct pytree__text text = pytree__td_text(prefix == NULL ? NULL : prefix + length, prefix == NULL ? 0 : SIZE_MAX);
            pytree_entry entry = pytree__td_entry(def, &w.frames[w.n - 1]);
            pytree__put_entry(&text, &entry, separator, w.n == 1);
            length += text.length;
        }
        if (*longest < length + 1) { *longest = length + 1; }
        if (def->nodes[w.at_a].type != NULL) {
            good = pytree__td_open(&w, length);
        } else {
            if (paths != NULL) {
                paths[leaf++] = (const char *)memcpy(at + *bytes, prefix, length);
                at[*bytes + length] = '\0';
            }
            *bytes += length + 1;
        }
    }
    pytree__td_walk_end(&w);
    return good;
}

const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count, const pytree_options *opt,
                              pytree_error *err)
{
    const char **paths = NULL;
    struct pytree__paths *head;
    char *prefix;
    size_t bytes, longest, size, prefix_size;
    if (count != NULL) { *count = 0; }
    if (!pytree__td_all_paths(def, separator, NULL, NULL, NULL, &bytes, &longest, opt, err)) { return NULL; }
    prefix_size = longest;
    prefix = (char *)pytree__td_array(longest, 1, opt, err);
    if (prefix == NULL) { return NULL; }
    size = sizeof *head + def->n_leaves * sizeof *paths + bytes;
    head = (struct pytree__paths *)pytree__td_array(size, 1, opt, err);
    if (head != NULL) {
        head->allocator = opt == NULL ? NULL : opt->allocator;
        head->bytes = size + 1;
        paths = (const char **)(void *)(head + 1);
        if (!pytree__td_all_paths(def, separator, paths, (char *)(paths + def->n_leaves), prefix, &bytes, &longest, opt, err)) {
            pytree_paths_free(paths);
            paths = NULL;
        }
    }
    if (paths != NULL && count != NULL) { *count = def->n_leaves; }
    pytree__td_array_free(prefix, prefix_size, 1, opt);
    return paths;
}

#ifdef __cplusplus
}
#endif
#endif
