/* pytree/treedef.h: treedefs without a value: built by hand, composed, compared.
 *
 * A treedef (pytree_def) is the structure of a tree. pytree.h makes one from a value; here it is also made
 *
 *     from parts      pytree_def_leaf, _none, _list, _tuple, _deque, _dict, _idict, _odict, _defaultdict, _namedtuple, _struct
 *     from treedefs   pytree_def_compose, _transform, _common_suffix
 *     from text and bytes                  see pytree/treedef_io.h
 *
 * and asked without a value: pytree_def_is_prefix, _is_suffix, _errors, _paths, _leaf_path.
 *
 *     const pytree_def *layers[] = { linear, linear };
 *     pytree_def *model = pytree_def_list(2, layers, NULL, &err);          // PyTreeDef([CustomNode(Linear[…, [*, *]), …])
 *
 * Rules of pytree.h hold here too. Every treedef that is returned is one block, independent of its arguments, and is freed
 * with pytree_def_free. Functions that return one return NULL on failure. A treedef that is NULL is PYTREE_ARGUMENT, so that a
 * row of calls can be checked at its end. Two treedefs can only be combined if None is a leaf in both or in neither
 * (`none_is_leaf`), and if they are of one namespace or one of them of none; otherwise the error is PYTREE_ARGUMENT, as it is
 * where a type has another registration in the namespace that comes out. A treedef has less than 2^32 nodes and bytes of
 * static values: PYTREE_OVERFLOW. Nothing recurses: depth is bounded by memory.
 *
 * A treedef remembers in which order the pairs of its dicts were put in, for a rebuild: what is made of parts or of treedefs
 * does so too. That order is no part of the structure: it is not compared.
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
 * the children have, opt->space that of those that have one. Keys and names are copied. A dict's keys may come in any order and
 * are sorted together with their children; a key that comes twice is PYTREE_ARGUMENT. A deque's maxlen may be PYTREE_UNBOUNDED;
 * more children than that are PYTREE_BAD_COUNT. A default dict's factory is its name, "int"; NULL: None. O(nodes). */
pytree_def *pytree_def_list(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_tuple(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_deque(size_t maxlen, size_t n, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_dict(size_t n, const char *const *keys, const pytree_def *const *children,
                            const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_idict(size_t n, const int64_t *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_odict(size_t n, const char *const *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_defaultdict(const char *factory, size_t n, const char *const *keys, const pytree_def *const *children,
                                   const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_namedtuple(const char *name, size_t n, const char *const *fields, const pytree_def *const *children,
                                  const pytree_options *opt, pytree_error *err);

/* A registered struct: type and static values are those of *self (only its STATIC fields are read), the children are given,
 * one for each DATA field. pytree_def_struct(PYTREE((&(Linear){ .din = 2, .dout = 3 })), 2, children, NULL, &err). Or a custom
 * node: its callbacks give metadata and keys, and as many children as they count. The registration is that of opt->space. */
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

/* The smallest treedef that both are prefixes of: optree's broadcast_to_common_suffix. Where one has a leaf the other's
 * subtree stands. Dicts of any kinds with the same keys match, and so do deques of other maximum lengths; the result has kind,
 * order and length that `a` has. Otherwise PYTREE_STRUCTURE with the path. */
pytree_def *pytree_def_common_suffix(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err);

/* ---- Comparison ---------------------------------------------------------------------------------------------------- */

/* Is `prefix` a prefix of `def`, so that its leaves may stand for whole subtrees there? `strict`: and not all of them for
 * leaves. optree.treespec_is_prefix, treespec_is_suffix. Dicts, ordered dicts and default dicts with the same keys match
 * in any order, deques whatever their maximum lengths; a namespace matches itself and none. If not, the error says where and
 * why; false with PYTREE_NO_MEMORY if memory ran out. O(nodes), one allocation for each of the two treedefs. */
bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);
bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);

/* In what two nodes differ. */
typedef enum pytree_mismatch {
    PYTREE_DIFFERENT_TYPES,               /* another container, struct or namedtuple; leaf or None against a node */
    PYTREE_DIFFERENT_LENGTHS,             /* list, tuple, deque or custom node with another number of children */
    PYTREE_DIFFERENT_KEYS,                /* dict with another set of keys */
    PYTREE_DIFFERENT_METADATA             /* static values, order of an ordered dict, factory, maxlen, None switch, namespace */
} pytree_mismatch;

/* One difference between two treedefs, in words. */
typedef struct pytree_def_error {
    pytree_mismatch kind;
    const char *path;                     /* key path of the two nodes, empty for the roots */
    const char *a, *b;                    /* "list of length 2", "Linear[(784, 128)]", "dict with keys 'b', 'w'" */
    const char *missing, *extra;          /* keys of two dicts, only in a, only in b: "'b', 'w'", "-3, 7"; otherwise empty */
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

/* ---- Growing bytes -------------------------------------------------------------------------------------------------- */

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
    grown = pytree__array_grow(b->at, &b->max, b->n + n, 1, pytree__allocator(opt), err);
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

/* ---- Nodes --------------------------------------------------------------------------------------------------------- */

static pytree_kind pytree__td_kind(const pytree_node *node)
{
    return node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
}

/* Dicts of all kinds: their keys are a set, and match one another where order and kind do not count. */
static bool pytree__td_dict(pytree_kind kind)
{
    return kind == PYTREE_KIND_DICT || kind == PYTREE_KIND_ODICT || kind == PYTREE_KIND_DEFAULTDICT;
}

/* A leaf or None: nothing that could have static values, `meta` is 0. */
static bool pytree__td_plain(const pytree_node *node) { return node->type == NULL || node->type->kind == PYTREE_KIND_NONE; }

static bool pytree__td_same_none(const pytree_def *a, bool none_is_leaf, pytree_error *err)
{
    if (a->none_is_leaf == none_is_leaf) { return true; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef in which None is a %s, got one in which it is a %s",
                none_is_leaf ? "leaf" : "node", none_is_leaf ? "node" : "leaf");
    return false;
}

/* A treedef in the making. Nodes come in post-order with their counts, and their statics and orders in the same order. */
typedef struct pytree__td_maker {
    const pytree_options *opt;
    pytree_error *err;
    pytree_node *nodes;
    size_t n_nodes, max_nodes;
    pytree__td_bytes statics;
    pytree__td_bytes orders;              /* of dicts: see pytree_def */
    pytree__td_bytes space;               /* the namespace with its NUL; nothing: none so far */
} pytree__td_maker;

static void pytree__td_begin(pytree__td_maker *m, const pytree_options *opt, pytree_error *err)
{
    memset(m, 0, sizeof *m);
    m->opt = opt;
    m->err = err;
}

/* What is made has parts from this namespace (NULL: from none): all of them must be from one. */
static bool pytree__td_use_space(pytree__td_maker *m, const char *space)
{
    if (space == NULL || *space == '\0') { return true; }
    if (m->space.n == 0) { return pytree__td_add(&m->space, space, strlen(space) + 1, m->opt, m->err); }
    if (strcmp((const char *)m->space.at, space) == 0) { return true; }
    pytree_fail(m->err, PYTREE_ARGUMENT, NULL, "expected treedefs of one namespace, got '%.60s' and '%.60s'",
                (const char *)m->space.at, space);
    return false;
}

static bool pytree__td_reserve(pytree__td_maker *m, size_t n)
{
    void *grown;
    if (n > UINT32_MAX - m->n_nodes) {
        pytree_fail(m->err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 nodes, got more");
        return false;
    }
    grown = pytree__array_grow(m->nodes, &m->max_nodes, m->n_nodes + n, sizeof *m->nodes, pytree__allocator(m->opt), m->err);
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

/* Where in def->orders those of the nodes from number i on begin, for each i up to n_nodes: NULL where there are none. */
typedef struct pytree__td_orders {
    const pytree_def *def;
    size_t *at;
} pytree__td_orders;

static bool pytree__td_orders_begin(pytree__td_orders *o, const pytree_def *def, const pytree_options *opt, pytree_error *err)
{
    size_t i = def->n_nodes, end = def->n_orders;
    o->def = def;
    o->at = NULL;
    if (end == 0) { return true; }
    o->at = (size_t *)pytree__array_new(i + 1, sizeof *o->at, pytree__allocator(opt), err);
    if (o->at == NULL) { return false; }
    o->at[i] = end;
    while (i-- != 0) {
        if (end != 0 && def->orders[end - 1] == i) { end -= 1 + (size_t)def->nodes[i].arity; }
        o->at[i] = end;
    }
    return true;
}

static void pytree__td_orders_end(pytree__td_orders *o, const pytree_options *opt)
{
    if (o->at != NULL) { pytree__array_free(o->at, o->def->n_nodes + 1, sizeof *o->at, pytree__allocator(opt)); }
}

/* The order of one node's children; NULL if they were put in as they are visited. */
static const uint32_t *pytree__td_order(const pytree__td_orders *o, size_t node)
{
    return o->at == NULL || o->at[node] == o->at[node + 1] ? NULL : o->def->orders + o->at[node];
}

/* Adds the order of a node that is about to be made. NULL: nothing. */
static bool pytree__td_add_order(pytree__td_maker *m, const uint32_t *order, size_t arity)
{
    const uint32_t node = (uint32_t)m->n_nodes;
    return order == NULL || (pytree__td_add(&m->orders, order, arity * sizeof *order, m->opt, m->err)
                             && pytree__td_add(&m->orders, &node, sizeof node, m->opt, m->err));
}

/* A node of another treedef, without its children: those are made already. `order`: that of its pairs, or NULL. */
static bool pytree__td_push_like(pytree__td_maker *m, const pytree_def *def, size_t node, const uint32_t *order)
{
    const pytree_node *from = &def->nodes[node];
    size_t meta = m->statics.n, n = pytree__statics_size(def, node);
    return (n == 0 || pytree__td_add(&m->statics, def->statics + from->meta, n, m->opt, m->err))
        && pytree__td_add_order(m, order, from->arity) && pytree__td_push(m, from->type, from->arity, meta);
}

/* A whole subtree of another treedef: its nodes stand together there, its statics and its orders too. */
static bool pytree__td_copy(pytree__td_maker *m, const pytree_def *def, size_t root, const pytree__td_orders *table)
{
    const size_t first = root + 1 - def->nodes[root].nodes, made = m->n_nodes;
    size_t i = first, begin = first, end, n_orders = 0;
    uint32_t to = (uint32_t)m->statics.n;
    const uint32_t *orders = def->orders;
    if (!pytree__td_reserve(m, def->nodes[root].nodes)) { return false; }
    while (begin < root && pytree__td_plain(&def->nodes[begin])) { begin++; }
    begin = def->nodes[begin].meta;       /* of the first node that may have statics */
    end = pytree__td_plain(&def->nodes[root]) ? begin : def->nodes[root].meta + pytree__statics_size(def, root);
    for (; i <= root; i++) {
        pytree_node *node = &m->nodes[m->n_nodes++];
        *node = def->nodes[i];
        node->meta = pytree__td_plain(node) ? 0 : (uint32_t)(node->meta - begin + to);
    }
    if (root + 1 == def->n_nodes && first == 0) {
        n_orders = def->n_orders;
    } else if (table->at != NULL) {
        orders += table->at[first];
        n_orders = table->at[root + 1] - table->at[first];
    }
    if (n_orders != 0) {
        const size_t bytes = n_orders * sizeof *orders;
        void *grown = pytree__array_grow(m->orders.at, &m->orders.max, m->orders.n + bytes, 1, pytree__allocator(m->opt),
                                         m->err);
        if (grown == NULL) { return false; }
        m->orders.at = (unsigned char *)grown;
        pytree__move_orders((uint32_t *)(void *)(m->orders.at + m->orders.n), m->nodes, orders, n_orders,
                            (uint32_t)(first - made));
        m->orders.n += bytes;
    }
    return end == begin || pytree__td_add(&m->statics, def->statics + begin, end - begin, m->opt, m->err);
}

/* The treedef, or NULL if `good` is false or memory runs out; the maker is done in any case. */
static pytree_def *pytree__td_finish(pytree__td_maker *m, bool none_is_leaf, bool good)
{
    const char *space = m->space.n == 0 ? NULL : (const char *)m->space.at, *used = NULL;
    pytree_def *def = NULL;
    size_t i;
    for (i = 0; i < m->n_nodes && space != NULL && good; i++) {      /* it is told where it could make a difference */
        const pytree_type *type = m->nodes[i].type;
        if (!pytree__spaced(&m->nodes[i])) { continue; }
        used = space;
        if (!pytree_type_equal(pytree__in_space(type, space), type)) {
            pytree_fail(m->err, PYTREE_ARGUMENT, NULL,
                        "expected %.60s as it is registered in namespace '%.60s', got another registration", type->name, space);
            good = false;
        }
    }
    if (good) {
        def = pytree__def_block(m->n_nodes, m->statics.n, m->orders.n / sizeof(uint32_t), used, 0, m->opt, m->err);
    }
    if (def != NULL) {
        memcpy((void *)(uintptr_t)def->nodes, m->nodes, m->n_nodes * sizeof *m->nodes);
        if (m->statics.n > 0) { memcpy((void *)(uintptr_t)def->statics, m->statics.at, m->statics.n); }
        if (m->orders.n > 0) { memcpy((void *)(uintptr_t)def->orders, m->orders.at, m->orders.n); }
        def->n_leaves = m->nodes[m->n_nodes - 1].leaves;
        def->none_is_leaf = none_is_leaf;
    }
    pytree__array_free(m->nodes, m->max_nodes, sizeof *m->nodes, pytree__allocator(m->opt));
    pytree__array_free(m->statics.at, m->statics.max, 1, pytree__allocator(m->opt));
    pytree__array_free(m->orders.at, m->orders.max, 1, pytree__allocator(m->opt));
    pytree__array_free(m->space.at, m->space.max, 1, pytree__allocator(m->opt));
    return def;
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------- */

/* Packed keys in order: keys[i].at is the number that the i-th has where they are packed. */
typedef struct pytree__td_keys {
    struct pytree__sorting *keys;
    size_t n;
} pytree__td_keys;

/* Numbers come before texts, where one dict has these and another one those. */
static int pytree__td_compare(const struct pytree__sorting *a, const struct pytree__sorting *b)
{
    return (a->key == NULL) == (b->key == NULL) ? pytree__by_key(a, b) : a->key == NULL ? -1 : 1;
}

static bool pytree__td_sort(pytree__td_keys *k, const unsigned char *packed, size_t n, const pytree_options *opt,
                            pytree_error *err)
{
    pytree_entry key;
    size_t i;
    k->n = n;
    k->keys = (struct pytree__sorting *)pytree__array_new(n, sizeof *k->keys, pytree__allocator(opt), err);
    if (k->keys == NULL) { return false; }
    for (i = 0; i < n; i++) {
        packed = pytree__key_at(packed, &key, NULL);
        k->keys[i].key = key.name;
        k->keys[i].rank = key.name == NULL ? (uint64_t)(int64_t)key.index ^ UINT64_C(1) << 63 : pytree__rank(key.name);
        k->keys[i].at = (uint32_t)i;
    }
    pytree__sort_keys(k->keys, n);
    return true;
}

static void pytree__td_sort_free(pytree__td_keys *k, const pytree_options *opt)
{
    if (k->keys != NULL) { pytree__array_free(k->keys, k->n, sizeof *k->keys, pytree__allocator(opt)); }
}

/* Where a child, its static values, its orders and its key begin. */
typedef struct pytree__td_place { size_t node, meta, order, key; } pytree__td_place;

/* The places of the last n children, and where they all end: their static values at `meta`, their keys, which stand at `names`,
 * with the statics. */
static void pytree__td_places(const pytree__td_maker *m, size_t meta, size_t names, size_t n, pytree__td_place *places)
{
    const uint32_t *orders = (const uint32_t *)(const void *)m->orders.at;
    size_t i, at;
    places[n].node = m->n_nodes;
    places[n].meta = meta;
    places[n].order = m->orders.n / sizeof *orders;
    places[n].key = m->statics.n;
    for (i = n; i-- > 0;) {
        pytree__td_place *place = &places[i];
        *place = places[i + 1];
        place->node -= m->nodes[place->node - 1].nodes;
        for (at = place->node; at < place[1].node && pytree__td_plain(&m->nodes[at]); at++) {}
        if (at < place[1].node) { place->meta = m->nodes[at].meta; }
        while (place->order != 0 && orders[place->order - 1] >= place->node) {
            place->order -= 1 + (size_t)m->nodes[orders[place->order - 1]].arity;
        }
    }
    for (i = 0, at = names; i < n; i++) {
        places[i].key = at;
        at = (size_t)(pytree__skip_keys(m->statics.at + at, 1) - m->statics.at);
    }
}

/* Puts the last children into the order of their keys; `old` has room for a copy of all that moves. */
static void pytree__td_move(pytree__td_maker *m, const pytree__td_keys *k, const pytree__td_place *places, unsigned char *old)
{
    const pytree__td_place *begin = &places[0], *end = &places[k->n];
    pytree_node *nodes = (pytree_node *)(void *)old;
    uint32_t *orders = (uint32_t *)(void *)(nodes + (end->node - begin->node)), *all = (uint32_t *)(void *)m->orders.at;
    unsigned char *statics = (unsigned char *)(orders + (end->order - begin->order));
    pytree__td_place to = *begin;
    size_t i, node;
    memcpy(nodes, m->nodes + begin->node, (end->node - begin->node) * sizeof *nodes);
    memcpy(statics, m->statics.at + begin->meta, end->key - begin->meta);
    if (end->order != begin->order) { memcpy(orders, all + begin->order, (end->order - begin->order) * sizeof *orders); }
    for (i = 0; i < k->n; i++) {
        const pytree__td_place *from = &places[k->keys[i].at], *next = from + 1;
        const size_t size = next->meta - from->meta, n_orders = next->order - from->order;
        const size_t key = next->key - from->key;
        for (node = from->node; node < next->node; node++) {
            pytree_node *moved = &m->nodes[to.node + (node - from->node)];
            *moved = nodes[node - begin->node];
            if (!pytree__td_plain(moved)) { moved->meta = (uint32_t)(moved->meta - from->meta + to.meta); }
        }
        if (n_orders != 0) {
            pytree__move_orders(all + to.order, m->nodes, orders + (from->order - begin->order), n_orders,
                                (uint32_t)(from->node - to.node));
        }
        memcpy(m->statics.at + to.meta, statics + (from->meta - begin->meta), size);
        memcpy(m->statics.at + to.key, statics + (from->key - begin->meta), key);
        to.node += next->node - from->node;
        to.meta += size;
        to.order += n_orders;
        to.key += key;
    }
}

/* Sorts the last n children by their keys, which are packed at `names` to the end of the statics, and remembers in which order
 * they came. */
static bool pytree__td_reorder(pytree__td_maker *m, size_t meta, size_t names, const pytree__td_keys *k)
{
    const size_t n = k->n;
    pytree__td_place *places = (pytree__td_place *)pytree__array_new(n + 1, sizeof *places, pytree__allocator(m->opt), m->err);
    const uint32_t node = (uint32_t)m->n_nodes;
    unsigned char *old = NULL;
    size_t i, size = 0;
    if (places != NULL) {
        pytree__td_places(m, meta, names, n, places);
        size = (places[n].node - places[0].node) * sizeof(pytree_node) + (places[n].order - places[0].order) * sizeof(uint32_t)
            + places[n].key - places[0].meta;
        old = (unsigned char *)pytree__array_new(size, 1, pytree__allocator(m->opt), m->err);
    }
    if (old != NULL) { pytree__td_move(m, k, places, old); }
    if (places != NULL) { pytree__array_free(places, n + 1, sizeof *places, pytree__allocator(m->opt)); }
    if (old == NULL) { return false; }
    pytree__array_free(old, size, 1, pytree__allocator(m->opt));
    for (i = 0; i < n; i++) {
        if (!pytree__td_add(&m->orders, &k->keys[i].at, sizeof k->keys[i].at, m->opt, m->err)) { return false; }
    }
    return pytree__td_add(&m->orders, &node, sizeof node, m->opt, m->err);
}

/* A node with keys, which are packed at `names` to the end of the statics: they must be different, and those of a dict are
 * brought into order. PYTREE_ARGUMENT, not yet reported, for a key that comes twice: *twice, which lies in the statics. */
static pytree_status pytree__td_push_named(pytree__td_maker *m, const pytree_type *type, size_t n, size_t meta, size_t names,
                                           const unsigned char **twice)
{
    const unsigned char *at = n == 0 ? NULL : m->statics.at + names, *next;
    pytree_status status = PYTREE_OK;
    pytree_entry last, key;
    size_t i;
    bool sorted = true;
    for (i = 0; i < n && sorted; i++, at = next) {
        next = pytree__key_at(at, &key, NULL);
        sorted = i == 0 || (key.name == NULL ? (int64_t)last.index < (int64_t)key.index : strcmp(last.name, key.name) < 0);
        last = key;
    }
    if (!sorted) {
        pytree__td_keys k;
        if (!pytree__td_sort(&k, m->statics.at + names, n, m->opt, m->err)) { return PYTREE_NO_MEMORY; }
        for (i = 1; i < n && status == PYTREE_OK; i++) {
            if (pytree__by_key(&k.keys[i - 1], &k.keys[i]) == 0) {
                *twice = pytree__skip_keys(m->statics.at + names, k.keys[i].at);
                status = PYTREE_ARGUMENT;
            }
        }
        if (status == PYTREE_OK && (type->kind == PYTREE_KIND_DICT || type->kind == PYTREE_KIND_DEFAULTDICT)
            && !pytree__td_reorder(m, meta, names, &k)) {
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
        if (children == NULL || children[i] == NULL) {
            pytree_fail(m->err, PYTREE_ARGUMENT, NULL, "expected a treedef for child %zu, got NULL", i);
            return false;
        }
        if (!pytree__td_same_none(children[i], m->opt != NULL && m->opt->none_is_leaf, m->err)
            || !pytree__td_use_space(m, children[i]->space)) {
            return false;
        }
        total += total > UINT32_MAX ? 0 : children[i]->n_nodes;
    }
    if (!pytree__td_use_space(m, m->opt == NULL ? NULL : m->opt->space) || !pytree__td_reserve(m, total)
        || !pytree__td_reserve(m, total + 1)) {
        return false;
    }
    for (i = 0; i < n; i++) {
        if (!pytree__td_copy(m, children[i], children[i]->n_nodes - 1, NULL)) { return false; }
    }
    return true;
}

/* A key: a number if that is given. */
static bool pytree__td_add_key(pytree__td_maker *m, const char *key, const int64_t *number)
{
    const uint32_t mark = PYTREE__NUMBER_KEY;
    return number == NULL ? pytree__td_add_text(&m->statics, key, strlen(key), m->opt, m->err)
        : pytree__td_add(&m->statics, &mark, sizeof mark, m->opt, m->err)
            && pytree__td_add(&m->statics, number, sizeof *number, m->opt, m->err);
}

/* The error for a key that comes twice. */
static void pytree__td_twice(const unsigned char *packed, pytree_error *err)
{
    char text[100];
    struct pytree__text to = pytree__text_to(text, sizeof text, NULL);
    pytree_entry key;
    size_t length = 0;
    pytree__key_at(packed, &key, &length);
    pytree__put_key(&to, &key, length);
    pytree__end_text(&to, sizeof text);
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected different keys, got %s twice", text);
}

/* A container: `like` has its keys, its name, its maximum length. */
static pytree_def *pytree__td_container(int id, const pytree_items *like, const char *const *keys, const int64_t *numbers,
                                        const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    const pytree_type *type = &pytree_types[id];
    const uint64_t maxlen = like->maxlen == PYTREE_UNBOUNDED ? UINT64_MAX : like->maxlen;
    const size_t n = like->count;
    const unsigned char *twice = NULL;
    pytree__td_maker m;
    size_t i, meta, names;
    bool good;
    pytree__td_begin(&m, opt, err);
    good = pytree__td_copy_all(&m, n, children);
    meta = m.statics.n;
    if (type->kind == PYTREE_KIND_NAMEDTUPLE || type->kind == PYTREE_KIND_DEFAULTDICT) {
        good = good && pytree__td_add_text(&m.statics, like->name, like->name == NULL ? 0 : strlen(like->name), opt, err);
    } else if (type->kind == PYTREE_KIND_DEQUE) {
        good = good && pytree__td_add(&m.statics, &maxlen, sizeof maxlen, opt, err);
    }
    names = m.statics.n;
    for (i = 0; i < n && good && pytree__keyed(type); i++) {
        if (numbers == NULL && (keys == NULL || keys[i] == NULL)) {
            pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a key for child %zu, got NULL", i);
            good = false;
        } else {
            good = pytree__td_add_key(&m, numbers == NULL ? keys[i] : NULL, numbers == NULL ? NULL : &numbers[i]);
        }
    }
    if (good && pytree__keyed(type)) {
        good = pytree__td_push_named(&m, type, n, meta, names, &twice) == PYTREE_OK;
        if (twice != NULL) { pytree__td_twice(twice, err); }
    } else if (good) {
        good = pytree__td_push(&m, type, n, meta);
    }
    return pytree__td_finish(&m, opt != NULL && opt->none_is_leaf, good);
}

static pytree_def *pytree__td_plain_container(int id, size_t n, const char *const *keys, const int64_t *numbers,
                                              const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    pytree_items like;
    memset(&like, 0, sizeof like);
    like.count = n;
    return pytree__td_container(id, &like, keys, numbers, children, opt, err);
}

pytree_def *pytree_def_list(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    return pytree__td_plain_container(PYTREE__T_list, n, NULL, NULL, children, opt, err);
}

pytree_def *pytree_def_tuple(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    return pytree__td_plain_container(PYTREE__T_tuple, n, NULL, NULL, children, opt, err);
}

pytree_def *pytree_def_deque(size_t maxlen, size_t n, const pytree_def *const *children, const pytree_options *opt,
                             pytree_error *err)
{
    pytree_items like;
    memset(&like, 0, sizeof like);
    like.count = n;
    like.maxlen = maxlen;
    if (n > maxlen) {
        pytree_fail(err, PYTREE_BAD_COUNT, NULL, "expected at most %zu children in a deque of that length, got %zu", maxlen, n);
        return NULL;
    }
    return pytree__td_container(PYTREE__T_deque, &like, NULL, NULL, children, opt, err);
}

pytree_def *pytree_def_dict(size_t n, const char *const *keys, const pytree_def *const *children,
                            const pytree_options *opt, pytree_error *err)
{
    return pytree__td_plain_container(PYTREE__T_dict, n, keys, NULL, children, opt, err);
}

pytree_def *pytree_def_idict(size_t n, const int64_t *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err)
{
    return pytree__td_plain_container(PYTREE__T_dict, n, NULL, keys, children, opt, err);
}

pytree_def *pytree_def_odict(size_t n, const char *const *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err)
{
    return pytree__td_plain_container(PYTREE__T_odict, n, keys, NULL, children, opt, err);
}

pytree_def *pytree_def_defaultdict(const char *factory, size_t n, const char *const *keys, const pytree_def *const *children,
                                   const pytree_options *opt, pytree_error *err)
{
    pytree_items like;
    memset(&like, 0, sizeof like);
    like.count = n;
    like.name = factory;
    return pytree__td_container(PYTREE__T_defaultdict, &like, keys, NULL, children, opt, err);
}

pytree_def *pytree_def_namedtuple(const char *name, size_t n, const char *const *fields, const pytree_def *const *children,
                                  const pytree_options *opt, pytree_error *err)
{
    pytree_items like;
    memset(&like, 0, sizeof like);
    like.count = n;
    like.name = name;
    if (name == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the name of a namedtuple, got NULL");
        return NULL;
    }
    return pytree__td_container(PYTREE__T_namedtuple, &like, fields, NULL, children, opt, err);
}

/* Packs what a struct or custom node has besides its children: measured if packed->at is NULL, then written. */
static void pytree__td_pack(const pytree__cursor *c, pytree self, const pytree_type *type, pytree__statics *packed)
{
    packed->length = 0;
    if (type->custom == NULL) {
        pytree__pack_struct(packed, type, self.data);
    } else {
        pytree__pack_node(packed, c, &c->frames[0]);
    }
}

/* The same at the end of what is made. A custom node is open in the cursor. */
static bool pytree__td_pack_self(pytree__td_maker *m, const pytree__cursor *c, pytree self, const pytree_type *type)
{
    const size_t meta = m->statics.n;
    pytree__statics packed = { NULL, 0, 0 };
    void *grown;
    pytree__td_pack(c, self, type, &packed);
    if (packed.length > UINT32_MAX - meta) {
        pytree_fail(m->err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 bytes of static values, got more");
        return false;
    }
    grown = pytree__array_grow(m->statics.at, &m->statics.max, meta + packed.length, 1, pytree__allocator(m->opt), m->err);
    if (grown == NULL) { return false; }
    m->statics.at = (unsigned char *)grown;
    m->statics.n = meta + packed.length;
    packed.at = m->statics.at + meta;
    packed.room = packed.length;
    pytree__td_pack(c, self, type, &packed);
    return true;
}

pytree_def *pytree_def_struct(pytree self, size_t n, const pytree_def *const *children,
                              const pytree_options *opt, pytree_error *err)
{
    const pytree_type *type = self.type == NULL ? NULL
        : pytree__in_space(pytree__origin(self.type), opt == NULL ? NULL : opt->space);
    size_t meta, wanted;
    pytree__cursor c;
    pytree__td_maker m;
    bool good = true;
    if (type == NULL || (type->kind != PYTREE_KIND_STRUCT && type->kind != PYTREE_KIND_CUSTOM)
        || (type->flatten == NULL && type->custom == NULL) || self.data == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a registered struct, got %s",
                    type == NULL || self.data == NULL ? "NULL" : type->name);
        return NULL;
    }
    pytree__cursor_init(&c, opt, err);
    wanted = type->n_children;
    if (type->custom != NULL) {           /* its callbacks say how many, with which keys */
        self.type = type;
        good = pytree__cursor_root(&c, self) == PYTREE_OK && pytree__open(&c, &c.root) == PYTREE_OK;
        wanted = good ? c.frames[0].count : n;
    }
    if (good && n != wanted) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %zu children of %s, got %zu", wanted, type->name, n);
        good = false;
    }
    pytree__td_begin(&m, opt, err);
    good = good && pytree__td_copy_all(&m, n, children);
    meta = m.statics.n;
    good = good && pytree__td_pack_self(&m, &c, self, type) && pytree__td_push(&m, type, n, meta);
    pytree__cursor_end(&c);
    return pytree__td_finish(&m, opt != NULL && opt->none_is_leaf, good);
}

/* ---- From treedefs (bodies) ---------------------------------------------------------------------------------------- */

pytree_def *pytree_def_compose(const pytree_def *outer, const pytree_def *inner, const pytree_options *opt, pytree_error *err)
{
    if (outer == NULL || inner == NULL) { return (pytree_def *)pytree__no_def(err); }
    pytree__td_maker m;
    pytree__td_orders orders;
    size_t i, inside = outer->n_nodes - outer->n_leaves;
    bool good = pytree__td_same_none(inner, outer->none_is_leaf, err);
    if (good && outer->n_leaves > (UINT32_MAX - inside) / inner->n_nodes) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected less than 2^32 nodes, got %zu and %zu times %zu", inside,
                    outer->n_leaves, inner->n_nodes);
        good = false;
    }
    if (!good || !pytree__td_orders_begin(&orders, outer, opt, err)) { return NULL; }
    pytree__td_begin(&m, opt, err);
    good = pytree__td_use_space(&m, outer->space) && pytree__td_use_space(&m, inner->space)
        && pytree__td_reserve(&m, inside + outer->n_leaves * inner->n_nodes);
    for (i = 0; i < outer->n_nodes && good; i++) {
        good = outer->nodes[i].type == NULL ? pytree__td_copy(&m, inner, inner->n_nodes - 1, NULL)
            : pytree__td_push_like(&m, outer, i, pytree__td_order(&orders, i));
    }
    pytree__td_orders_end(&orders, opt);
    return pytree__td_finish(&m, outer->none_is_leaf, good);
}

/* One node of a treedef, with leaves for children. */
static pytree_def *pytree__td_part(const pytree_def *def, size_t node, const uint32_t *order, const pytree_options *opt,
                                   pytree_error *err)
{
    pytree__td_maker m;
    uint32_t i, arity = def->nodes[node].arity;
    bool good;
    pytree__td_begin(&m, opt, err);
    good = pytree__td_use_space(&m, def->space) && pytree__td_reserve(&m, (size_t)arity + 1);
    for (i = 0; i < arity && good; i++) { good = pytree__td_push(&m, NULL, 0, 0); }
    good = good && pytree__td_push_like(&m, def, node, order);
    return pytree__td_finish(&m, def->none_is_leaf, good);
}

/* What the callback makes of a node, as the maker's next one. */
static bool pytree__td_push_transformed(pytree__td_maker *m, const pytree_def *def, size_t i, const uint32_t *order,
                                        pytree_def_transform_fn *fn, void *context)
{
    pytree_def *part = pytree__td_part(def, i, order, m->opt, m->err), *result = NULL;
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
        good = pytree__td_push_like(m, def, i, order);
    } else if (pytree__td_same_none(result, def->none_is_leaf, m->err) && pytree__td_use_space(m, result->space)) {
        if (node->type == NULL) {
            good = pytree__td_copy(m, result, result->n_nodes - 1, NULL);
        } else if (result->n_nodes != (size_t)node->arity + 1 || result->n_leaves != node->arity) {
            pytree_fail(m->err, PYTREE_STRUCTURE, NULL,
                        "expected a node of %u leaves in place of a %s, got %zu nodes and %zu leaves",
                        (unsigned)node->arity, pytree_def_type_name(part), result->n_nodes, result->n_leaves);
        } else {
            good = pytree__td_push_like(m, result, result->n_nodes - 1, result->n_orders == 0 ? NULL : result->orders);
        }
    }
    pytree_def_free(result);
    pytree_def_free(part);
    return good;
}

pytree_def *pytree_def_transform(const pytree_def *def, pytree_def_transform_fn *node, pytree_def_transform_fn *leaf,
                                 void *context, const pytree_options *opt, pytree_error *err)
{
    if (def == NULL) { return (pytree_def *)pytree__no_def(err); }
    pytree__td_maker m;
    pytree__td_orders orders;
    size_t i;
    bool good;
    if (!pytree__td_orders_begin(&orders, def, opt, err)) { return NULL; }
    pytree__td_begin(&m, opt, err);
    good = pytree__td_use_space(&m, def->space);
    for (i = 0; i < def->n_nodes && good; i++) {
        pytree_def_transform_fn *fn = def->nodes[i].type == NULL ? leaf : node;
        const uint32_t *order = pytree__td_order(&orders, i);
        good = fn == NULL ? pytree__td_push_like(&m, def, i, order)
            : pytree__td_push_transformed(&m, def, i, order, fn, context);
    }
    pytree__td_orders_end(&orders, opt);
    return pytree__td_finish(&m, def->none_is_leaf, good);
}

/* ---- Walking ------------------------------------------------------------------------------------------------------- */

/* Post-order has the children of a node last to first; going through them first to last needs links. */
enum { PYTREE__TD_END, PYTREE__TD_VISIT, PYTREE__TD_LEAVE };
#define PYTREE__TD_NONE UINT32_MAX

typedef struct pytree__td_link { uint32_t first, next; } pytree__td_link;      /* child, sibling */

typedef struct pytree__td_frame {         /* an open node in one treedef, or a pair in two */
    uint32_t a, b, next_a, next_b;
    size_t child, row;                    /* which child it is at; a struct's row after that */
    const unsigned char *key;             /* the next child's */
    pytree_entry entry;                   /* of the child it is at */
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

/* Goes on to the next child's key. */
static void pytree__td_next_entry(const pytree_def *def, pytree__td_frame *f)
{
    const pytree_type *type = def->nodes[f->a].type;
    f->child++;
    f->entry.kind = PYTREE_INDEX;
    f->entry.name = NULL;
    f->entry.index = f->child;
    if (type->kind == PYTREE_KIND_STRUCT) {
        while (type->fields[f->row].row != PYTREE_ROW_DATA) { f->row++; }
        f->entry.kind = PYTREE_ATTRIBUTE;
        f->entry.name = type->fields[f->row++].name;
    } else if (pytree__keyed(type) || type->kind == PYTREE_KIND_CUSTOM) {
        f->key = pytree__next_key(&def->nodes[f->a], f->key, f->child, &f->entry);
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
    pytree__td_next_entry(w->a, f);
    return PYTREE__TD_VISIT;
}

/* Opens the pair that is visited: its children come next. In two treedefs they must be equally many. */
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

/* ---- Comparison (bodies) ------------------------------------------------------------------------------------------- */

/* The keys that only `a` has as text, 'x', 'y'; how many there are. */
static size_t pytree__td_put_missing(struct pytree__text *text, const pytree__td_keys *a, const pytree__td_keys *b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; i < a->n; i++) {
        const struct pytree__sorting *key = &a->keys[i];
        pytree_entry entry;
        while (j < b->n && pytree__td_compare(&b->keys[j], key) < 0) { j++; }
        if (j < b->n && pytree__td_compare(&b->keys[j], key) == 0) { continue; }
        n++;
        if (text == NULL) { continue; }
        if (n > 1) { pytree__put(text, ", ", 2); }
        entry.kind = key->key == NULL ? PYTREE_INT_KEY : PYTREE_KEY;
        entry.name = key->key;
        entry.index = (size_t)(key->rank ^ UINT64_C(1) << 63);
        pytree__put_key(text, &entry, key->key == NULL ? 0 : strlen(key->key));
    }
    return n;
}

/* Gives the children of b's node the order that a's keys have. */
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

/* How two dicts differ, whose kinds or keys are not the same. */
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

/* How the two nodes that are visited differ, their children aside: a pytree_mismatch, or one of the above. `loose`: what optree
 * asks of a prefix. Dicts of all kinds match in any order, and the walk of b follows that of a; how long a deque may become
 * does not count. */
static int pytree__td_mismatch(pytree__td_walk *w, bool loose)
{
    const pytree_def *a = w->a, *b = w->b;
    const pytree_node *x = &a->nodes[w->at_a], *y = &b->nodes[w->at_b];
    const pytree_kind kind = pytree__td_kind(x);
    size_t n;
    if (x->type == NULL || y->type == NULL) { return x->type == y->type ? PYTREE__TD_SAME : PYTREE_DIFFERENT_TYPES; }
    if (!(loose && pytree__td_dict(kind) && pytree__td_dict(pytree__td_kind(y))) && !pytree_type_equal(x->type, y->type)) {
        return PYTREE_DIFFERENT_TYPES;
    }
    if (kind == PYTREE_KIND_LIST || kind == PYTREE_KIND_TUPLE || kind == PYTREE_KIND_DEQUE) {
        if (x->arity != y->arity) { return PYTREE_DIFFERENT_LENGTHS; }
        if (kind != PYTREE_KIND_DEQUE || loose) { return PYTREE__TD_SAME; }
    }
    n = pytree__statics_size(a, w->at_a);
    if (x->arity == y->arity && n == pytree__statics_size(b, w->at_b) && pytree__td_kind(y) == kind
        && (n == 0 || memcmp(a->statics + x->meta, b->statics + y->meta, n) == 0)) {
        return PYTREE__TD_SAME;
    }
    if (pytree__td_dict(kind)) { return pytree__td_mismatched_keys(w, loose); }
    if (kind == PYTREE_KIND_CUSTOM && x->arity != y->arity) { return PYTREE_DIFFERENT_LENGTHS; }
    return kind == PYTREE_KIND_NAMEDTUPLE ? PYTREE_DIFFERENT_TYPES : PYTREE_DIFFERENT_METADATA;
}

/* The keys of a dict, the names of a namedtuple. */
static void pytree__td_put_keys(struct pytree__text *text, const pytree_def *def, size_t i, bool quoted)
{
    const unsigned char *at = pytree__keys_of(def, i);
    uint32_t k;
    for (k = 0; k < def->nodes[i].arity; k++) {
        pytree_entry key;
        size_t length = 0;
        if (k > 0) { pytree__put(text, ", ", 2); }
        at = pytree__key_at(at, &key, &length);
        if (quoted) { pytree__put_key(text, &key, length); } else { pytree__put(text, key.name, length); }
    }
}

/* A node in words. */
static void pytree__td_put_node(struct pytree__text *text, const pytree_def *def, size_t i)
{
    const pytree_node *node = &def->nodes[i];
    const pytree_kind kind = pytree__td_kind(node);
    size_t length;
    const char *name;
    if (node->type == NULL) {
        pytree__put_text(text, "leaf");
    } else if (kind == PYTREE_KIND_NAMEDTUPLE) {
        name = pytree__string_at(def->statics + node->meta, 0, &length);
        pytree__put(text, name, length);
        pytree__put(text, "(", 1);
        pytree__td_put_keys(text, def, i, false);
        pytree__put(text, ")", 1);
    } else {
        pytree__put_text(text, node->type->name);
    }
    if (kind == PYTREE_KIND_STRUCT || kind == PYTREE_KIND_CUSTOM) {
        pytree__put(text, "[", 1);
        if (kind == PYTREE_KIND_STRUCT) { pytree__put_statics(text, def, i); } else { pytree__put_metadata(text, def, i); }
        pytree__put(text, "]", 1);
    }
    if (kind == PYTREE_KIND_DEFAULTDICT) {
        pytree__put_text(text, " of ");
        pytree__put_factory(text, def, i);
    }
    if (pytree__td_dict(kind)) {
        pytree__put_text(text, node->arity == 0 ? " without keys" : " with keys ");
        pytree__td_put_keys(text, def, i, true);
    } else if (node->type != NULL && kind != PYTREE_KIND_NONE && kind != PYTREE_KIND_STRUCT && kind != PYTREE_KIND_NAMEDTUPLE) {
        pytree__put_text(text, " of length ");
        pytree__put_number(text, node->arity);
    }
    if (kind == PYTREE_KIND_DEQUE && pytree__maxlen(def->statics + node->meta) != PYTREE_UNBOUNDED) {
        pytree__put_text(text, ", maxlen ");
        pytree__put_number(text, pytree__maxlen(def->statics + node->meta));
    }
}

/* Key path of the pair that is visited; of a long one, `most` entries from both ends. */
static void pytree__td_put_path(struct pytree__text *text, const pytree__td_walk *w, size_t most)
{
    size_t i;
    for (i = 0; i < w->n; i++) {
        pytree__put_entry(text, &w->frames[i].entry, NULL, i == 0);
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
    text = pytree__text_to(expected, sizeof expected, NULL);
    pytree__td_put_node(&text, w->a, w->at_a);
    (void)pytree__end_text(&text, sizeof expected);
    text = pytree__text_to(got, sizeof got, NULL);
    pytree__td_put_node(&text, w->b, w->at_b);
    (void)pytree__end_text(&text, sizeof got);
    text = pytree__text_to(path, sizeof path, NULL);
    pytree__td_put_path(&text, w, 40);
    (void)pytree__end_text(&text, sizeof path);
    pytree_fail(w->err, PYTREE_STRUCTURE, path, "%s: expected %s, got %s", pytree_mismatch_name((pytree_mismatch)mismatch),
                expected, got);
}

/* Of two namespaces nothing can match; none is as good as any. */
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

/* Adds all texts of a difference at the pair that is visited, each with a NUL. */
static bool pytree__td_add_words(pytree__td_bytes *texts, const pytree__td_walk *w, const pytree__td_keys *keys_a,
                                 const pytree__td_keys *keys_b)
{
    int i;
    for (i = 0; i < 2 * PYTREE__TD_WORDS; i++) {            /* each is measured, then written */
        struct pytree__text text = pytree__text_to(NULL, 0, NULL);
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

/* Adds a difference; its kind goes to `kinds`. */
static bool pytree__td_add_error(pytree__td_bytes *kinds, pytree__td_bytes *texts, const pytree__td_walk *w, int mismatch)
{
    pytree__td_keys a, b;
    unsigned char kind = (unsigned char)mismatch;
    bool good = pytree__td_add(kinds, &kind, 1, w->opt, w->err);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    if (good && pytree__td_dict(pytree__td_kind(&w->a->nodes[w->at_a]))
        && pytree__td_dict(pytree__td_kind(&w->b->nodes[w->at_b]))) {
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

/* Adds a difference of two whole treedefs. */
static bool pytree__td_add_switch(pytree__td_bytes *kinds, pytree__td_bytes *texts, const char *a, const char *b,
                                  const pytree_options *opt, pytree_error *err)
{
    const unsigned char kind = PYTREE_DIFFERENT_METADATA;
    return pytree__td_add(kinds, &kind, 1, opt, err) && pytree__td_add(texts, "", 1, opt, err)
        && pytree__td_add(texts, a, strlen(a) + 1, opt, err) && pytree__td_add(texts, b, strlen(b) + 1, opt, err)
        && pytree__td_add(texts, "\0", 2, opt, err);
}

/* "namespace 'train'" */
static const char *pytree__td_space_text(const pytree_def *def, char *to, size_t n)
{
    struct pytree__text text = pytree__text_to(to, n, NULL);
    pytree__put_text(&text, def->space == NULL ? "no namespace" : "namespace ");
    if (def->space != NULL) { pytree__put_repr(&text, def->space, strlen(def->space)); }
    pytree__end_text(&text, n);
    return to;
}

pytree_def_error_list *pytree_def_errors(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err)
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
    if (good && !pytree__same_space(a->space, b->space)) {
        good = pytree__td_add_switch(&kinds, &texts, pytree__td_space_text(a, spaces[0], sizeof spaces[0]),
                                     pytree__td_space_text(b, spaces[1], sizeof spaces[1]), opt, err);
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
            struct pytree__text text = pytree__text_to(prefix == NULL ? NULL : prefix + length, prefix == NULL ? 0 : SIZE_MAX,
                                                       NULL);
            pytree__put_entry(&text, &w.frames[w.n - 1].entry, separator, w.n == 1);
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
    if (def == NULL) { return (const char **)pytree__no_def(err); }
    if (!pytree__td_all_paths(def, separator, NULL, NULL, NULL, &bytes, &longest, opt, err)) { return NULL; }
    prefix_size = longest;
    prefix = (char *)pytree__array_new(longest, 1, pytree__allocator(opt), err);
    if (prefix == NULL) { return NULL; }
    size = sizeof *head + def->n_leaves * sizeof *paths + bytes;
    head = (struct pytree__paths *)pytree__array_new(size, 1, pytree__allocator(opt), err);
    if (head != NULL) {
        head->allocator = opt == NULL ? NULL : opt->allocator;
        head->bytes = size;
        paths = (const char **)(void *)(head + 1);
        if (!pytree__td_all_paths(def, separator, paths, (char *)(paths + def->n_leaves), prefix, &bytes, &longest, opt, err)) {
            pytree_paths_free(paths);
            paths = NULL;
        }
    }
    if (paths != NULL && count != NULL) { *count = def->n_leaves; }
    pytree__array_free(prefix, prefix_size, 1, pytree__allocator(opt));
    return paths;
}

#ifdef __cplusplus
}
#endif
#endif
