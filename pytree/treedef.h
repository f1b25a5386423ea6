/* pytree/treedef.h: treedefs without a value: built by hand, read from text and bytes, composed, compared.
 *
 * A treedef (pytree_def) is the structure of a tree. pytree.h makes one from a value; here it is also made
 *
 *     from parts      pytree_def_leaf, _none, _list, _tuple, _dict, _odict, _namedtuple, _struct
 *     from treedefs   pytree_def_compose, _transform, _common_suffix
 *     from text       pytree_def_parse      the inverse of pytree_def_text
 *     from bytes      pytree_def_load       the inverse of pytree_def_save
 *
 * and asked without a value: pytree_def_is_prefix, _is_suffix, _errors, _paths, _leaf_path.
 *
 *     const pytree_def *layers[] = { linear, linear };
 *     pytree_def *model = pytree_def_list(2, layers, NULL, &err);          // PyTreeDef([CustomNode(Linear[…, [*, *]), …])
 *
 * Rules of pytree.h hold here too. Every treedef that is returned is one block, independent of its arguments, and is freed with
 * pytree_def_free. Functions that return one return NULL on failure. Two treedefs can only be combined if None is a leaf in both
 * or in neither (`none_is_leaf`); otherwise the error is PYTREE_ARGUMENT. A treedef has less than 2^32 nodes and bytes of static
 * values: PYTREE_OVERFLOW. Nothing recurses: depth is bounded by memory.
 *
 * The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in the same file.
 */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#else
#include "../pytree.h"
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

/* A container of n children: optree.treespec_list and so on, jax.tree_util.treedef_tuple. opt->none_is_leaf must be what the
 * children have. Keys and names are copied. A dict's keys may come in any order and are sorted together with their children; a key
 * that comes twice is PYTREE_ARGUMENT. O(nodes). */
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

/* What pytree_def_transform calls with a part of a treedef: a leaf, or a node whose children are all leaves. *result is NULL at
 * the call; leave it so to keep the part, or set it to a new treedef, which pytree_def_transform frees (with pytree_def_free). Any
 * return but PYTREE_OK stops, and becomes the status of the error. `err` is for a message. */
typedef pytree_status pytree_def_transform_fn(void *context, const pytree_def *part, pytree_def **result, pytree_error *err);

/* Each node and each leaf replaced by what a callback makes of it, children before parents: optree.treespec_transform. `node` must
 * give a node with as many leaves as children and nothing else, `leaf` may give any treedef; NULL changes nothing. */
pytree_def *pytree_def_transform(const pytree_def *def, pytree_def_transform_fn *node, pytree_def_transform_fn *leaf,
                                 void *context, const pytree_options *opt, pytree_error *err);

/* The smallest treedef that both are prefixes of: optree's broadcast_to_common_suffix. Where one has a leaf the other's subtree
 * stands. A dict and an ordered dict with the same keys match; the result has the kind and order that `a` has. Otherwise
 * PYTREE_STRUCTURE with the path. */
pytree_def *pytree_def_common_suffix(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err);

/* ---- Comparison ---------------------------------------------------------------------------------------------------- */

/* Is `prefix` a prefix of `def`, so that its leaves may stand for whole subtrees there? `strict`: and not all of them for leaves.
 * optree.treespec_is_prefix, treespec_is_suffix. Dicts and ordered dicts with the same keys match in any order. If not, the error
 * says where and why; false with PYTREE_NO_MEMORY if memory ran out. O(nodes), one allocation for each of the two treedefs. */
bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt, pytree_error *err);
bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt, pytree_error *err);

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
    const char *a, *b;                    /* what is there: "list of length 2", "Linear[(784, 128)]", "dict with keys 'b', 'w'" */
    const char *missing, *extra;          /* of keys: only in a, only in b: "'b', 'w'"; otherwise empty */
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
pytree_def_error_list *pytree_def_errors(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err);
void pytree_def_errors_free(pytree_def_error_list *list);

/* "different types", "different lengths", … */
const char *pytree_mismatch_name(pytree_mismatch kind);

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* Key paths of all leaves as text: optree.treespec_paths, treespec_accessors. As pytree_paths in all else: one block of
 * *count texts, `separator` NULL for .layers[0].w or given for layers/0/w. NULL on error. Free with pytree_paths_free. */
const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count,
                              const pytree_options *opt, pytree_error *err);

/* Key path of one leaf as entries, borrowed from the treedef. Writes at most `capacity`, returns how many there are; SIZE_MAX if
 * there is no such leaf. No allocation. O(depth × children). */
size_t pytree_def_leaf_path(const pytree_def *def, size_t leaf, pytree_entry *entries, size_t capacity);

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* The treedef that pytree_def_text wrote. `types` are the n structs that may occur, PYTREE_TYPE(Linear) and so on. JAX's text of a
 * namedtuple does not have its field names: what stands in `types` for it says them (PYTREE_NAMEDTUPLE_TYPE).
 * Space and newlines are free between the words; dict keys may come in any order. Anything else is PYTREE_SYNTAX, and the message
 * gives line, column, what was expected and what is there. A struct that is not in `types` is PYTREE_NOT_FOUND. Any text is safe;
 * memory is bounded by its length. opt->none_is_leaf is not looked at: the text says it. */
pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err);

/* PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" }): for pytree_def_parse, a type that lives as long as the block. */
#define PYTREE_NAMEDTUPLE_TYPE(type_name, ...)                                                                          \
    (&(const pytree_type){ .name = (type_name), .kind = PYTREE_KIND_NAMEDTUPLE,                                         \
                           .n_fields = sizeof((const pytree_field[]){ __VA_ARGS__ }) / sizeof(pytree_field),            \
                           .fields = (const pytree_field[]){ __VA_ARGS__ } })

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* A treedef as bytes for a file: the same on every machine.
 *
 *     "pytreedf", u32 version (1), u32 flags (1: None is a leaf), u32 nodes, then the nodes in post-order:
 *     u8 kind: 0 leaf, 1 None, 2 list, 3 tuple, 4 dict, 5 odict, 6 namedtuple, 7 struct, 8 struct of a type that was not there yet
 *     list, tuple: u32 children;  dict, odict: u32 children, their keys;  namedtuple: name, u32 children, their names
 *     8: name of the type, u64 hash of its rows;  7: u32 which of the types so far;  both: static values in order
 *
 * Integers are little-endian. Numbers among the static values have their size in C (`long` that of the machine that wrote it),
 * long doubles 24 bytes. Texts are u32 length + 1 (0 for NULL) and the bytes. Addresses mean nothing elsewhere: one that is not NULL
 * is PYTREE_TYPE. Writes at most `capacity` bytes and returns how many there are; more than `capacity`: what was written is of no use.
 * SIZE_MAX on error. O(nodes); allocates only for more than 32 struct types. */
size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err);

/* The treedef that pytree_def_save wrote, with the n structs of `types` for those named in it. Static values are checked against
 * the struct's rows by the hash: PYTREE_TYPE if the struct has changed, PYTREE_NOT_FOUND if it is not among them. All other faults
 * are PYTREE_SYNTAX and give the offset. Any bytes are safe; memory is bounded by 64 times their number. */
pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__TREEDEF_BODIES)
#define PYTREE__TREEDEF_BODIES

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

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
static bool pytree__td_add_text(pytree__td_bytes *b, const char *text, size_t length, const pytree_options *opt, pytree_error *err)
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

/* Turns the order of bytes between the machine's and little-endian. */
static void pytree__td_little(unsigned char *p, size_t n)
{
    const uint16_t one = 1;
    unsigned char low;
    size_t i;
    memcpy(&low, &one, 1);
    for (i = 0; i < n / 2 && low == 0; i++) {
        unsigned char b = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = b;
    }
}

static void pytree__td_number(unsigned char *p, uint64_t v, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { p[i] = (unsigned char)(v >> 8 * i); }
}

static uint64_t pytree__td_number_at(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0) { v = v << 8 | p[n]; }
    return v;
}

/* Bytes of a long double that mean something. */
#define PYTREE__TD_WIDE (LDBL_MANT_DIG == 64 && sizeof(long double) > 10 ? 10 : sizeof(long double))

/* ---- Nodes --------------------------------------------------------------------------------------------------------- */

static pytree_kind pytree__td_kind(const pytree_node *node)
{
    return node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
}

static bool pytree__td_keyed(pytree_kind kind) { return kind == PYTREE_KIND_DICT || kind == PYTREE_KIND_ODICT; }

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
    node->meta = type == NULL ? 0 : (uint32_t)meta;
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
    size_t i = root + 1 - def->nodes[root].nodes, begin, end = def->nodes[root].meta + pytree__statics_size(def, root);
    uint32_t to = (uint32_t)m->statics.n;
    if (!pytree__td_reserve(m, def->nodes[root].nodes)) { return false; }
    for (; i < root && def->nodes[i].type == NULL; i++) { m->nodes[m->n_nodes++] = def->nodes[i]; }
    begin = def->nodes[i].meta;
    for (; i <= root; i++) {
        pytree_node *node = &m->nodes[m->n_nodes++];
        *node = def->nodes[i];
        if (node->type != NULL) { node->meta = (uint32_t)(node->meta - begin + to); }
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

/* Puts the last n children and their names, packed at `names` to the end of the statics, into sorted order. */
static bool pytree__td_reorder(pytree__td_maker *m, size_t names, const pytree__td_keys *k)
{
    size_t i, child = m->n_nodes, text = m->statics.n - names, total, size;
    unsigned char *block, *text_at;
    const pytree_node *old;
    uint32_t *start;
    for (i = 0; i < k->n; i++) { child -= m->nodes[child - 1].nodes; }
    total = m->n_nodes - child;
    size = total * sizeof *old + (k->n + 1) * sizeof *start + text;
    block = (unsigned char *)pytree__td_array(size, 1, m->opt, m->err);
    if (block == NULL) { return false; }
    old = (const pytree_node *)memcpy(block, m->nodes + child, total * sizeof *old);
    start = (uint32_t *)(void *)(block + total * sizeof *old);
    text_at = (unsigned char *)memcpy(start + k->n + 1, m->statics.at + names, text);
    start[k->n] = (uint32_t)total;
    for (i = k->n; i-- > 0;) { start[i] = start[i + 1] - old[start[i + 1] - 1].nodes; }
    text = names;
    for (i = 0; i < k->n; i++) {
        uint32_t from = k->order[i], n = start[from + 1] - start[from];
        const unsigned char *key = text_at + ((const unsigned char *)k->keys[from] - sizeof(uint32_t) - (m->statics.at + names));
        memcpy(m->nodes + child, old + start[from], n * sizeof *old);
        memcpy(m->statics.at + text, key, pytree__td_text_size(key));
        text += pytree__td_text_size(key);
        child += n;
    }
    pytree__td_array_free(block, size, 1, m->opt);
    return true;
}

/* A node with names, which are packed at `names` to the end of the statics: they must be different, and a dict's are brought into
 * order. PYTREE_ARGUMENT, not yet reported, for a name that comes twice: *twice, which lies in the statics. */
static pytree_status pytree__td_push_named(pytree__td_maker *m, int id, size_t n, size_t meta, size_t names, const char **twice)
{
    const pytree_type *type = &pytree_types[id];
    const unsigned char *p = m->statics.at + names;
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
        if (status == PYTREE_OK && type->kind == PYTREE_KIND_DICT && !pytree__td_reorder(m, names, &k)) { status = PYTREE_NO_MEMORY; }
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
        good = outer->nodes[i].type == NULL ? pytree__td_copy(&m, inner, inner->n_nodes - 1) : pytree__td_push_like(&m, outer, i);
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
static bool pytree__td_push_transformed(pytree__td_maker *m, const pytree_def *def, size_t i, pytree_def_transform_fn *fn, void *context)
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
            pytree_fail(m->err, PYTREE_STRUCTURE, NULL, "expected a node of %u leaves in place of a %s, got %zu nodes and %zu leaves",
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
static bool pytree__td_walk_begin(pytree__td_walk *w, const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err)
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
        f->name = first ? (size_t)(pytree__td_names(def, f->a) - def->statics) : f->name + pytree__td_text_size(def->statics + f->name);
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

enum { PYTREE__TD_SAME = -1, PYTREE__TD_FAILED = -2 };

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
    if (kind == PYTREE_KIND_LIST || kind == PYTREE_KIND_TUPLE) { return x->arity == y->arity ? PYTREE__TD_SAME : PYTREE_DIFFERENT_LENGTHS; }
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
    pytree_fail(w->err, PYTREE_STRUCTURE, path, "%s: expected %s, got %s", pytree_mismatch_name((pytree_mismatch)mismatch), expected, got);
}

bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt, pytree_error *err)
{
    pytree__td_walk w;
    bool good = true, deeper = false;
    int event;
    if (!pytree__td_same_none(def, prefix->none_is_leaf, err) || !pytree__td_walk_begin(&w, prefix, def, opt, err)) { return false; }
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

bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt, pytree_error *err)
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
static bool pytree__td_add_words(pytree__td_bytes *texts, const pytree__td_walk *w, const pytree__td_keys *keys_a, const pytree__td_keys *keys_b)
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
    if (good && mismatch == PYTREE_DIFFERENT_KEYS) {
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
    static const char leaf_node[] = "\0None is a leaf\0None is a node\0\0", node_leaf[] = "\0None is a node\0None is a leaf\0\0";
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

const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count, const pytree_options *opt, pytree_error *err)
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

/* ---- Text (bodies) ------------------------------------------------------------------------------------------------- */

typedef struct pytree__td_opened {        /* a node whose children are being read */
    const pytree_type *type;
    size_t held;                          /* where its statics begin, in pytree__td_parser.held */
    size_t count, wanted;                 /* children so far; SIZE_MAX: any number */
    char close;
    bool custom;                          /* CustomNode(… [*]): one parenthesis more */
} pytree__td_opened;

typedef struct pytree__td_parser {
    pytree__td_maker m;
    const char *text, *at;
    const char *none;                     /* the first None */
    const pytree_type *const *types;
    size_t n_types;
    pytree__td_bytes held;                /* statics of the open nodes, which come after those of their children */
    pytree__td_opened *open;
    size_t n, max;
} pytree__td_parser;

/* Fails at a place in the text. */
static bool pytree__td_expected(const pytree__td_parser *p, const char *at, pytree_status status, const char *expected)
{
    size_t line = 1, column = 1;
    char got[32];
    const char *c;
    for (c = p->text; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) {
            column++;
        }
    }
    if (*at == '\0') {
        (void)snprintf(got, sizeof got, "the end");
    } else if (*at >= ' ' && *at <= '~') {
        size_t n = strspn(at, "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        (void)snprintf(got, sizeof got, n > 20 ? "'%.*s...'" : "'%.*s'", n > 20 ? 20 : n > 0 ? (int)n : 1, at);
    } else {
        (void)snprintf(got, sizeof got, "byte 0x%02x", (unsigned)(unsigned char)*at);
    }
    pytree_fail(p->m.err, status, NULL, "line %zu, column %zu: expected %s, got %s", line, column, expected, got);
    return false;
}

static bool pytree__td_unexpected(const pytree__td_parser *p, const char *expected)
{
    return pytree__td_expected(p, p->at, PYTREE_SYNTAX, expected);
}

static void pytree__td_space(pytree__td_parser *p) { p->at += strspn(p->at, " \t\r\n"); }

static bool pytree__td_skip(pytree__td_parser *p, const char *word)
{
    size_t n = strlen(word);
    pytree__td_space(p);
    if (strncmp(p->at, word, n) != 0) { return false; }
    p->at += n;
    return true;
}

static bool pytree__td_need(pytree__td_parser *p, const char *word)
{
    char expected[32];
    if (pytree__td_skip(p, word)) { return true; }
    (void)snprintf(expected, sizeof expected, "'%s'", word);
    return pytree__td_unexpected(p, expected);
}

static bool pytree__td_hold(pytree__td_parser *p, const void *bytes, size_t n)
{
    return pytree__td_add(&p->held, bytes, n, p->m.opt, p->m.err);
}

/* What follows a backslash: its bytes, and how many; 0 and an error if it is none of Python's. */
static size_t pytree__td_escape(pytree__td_parser *p, char *out)
{
    static const char plain[] = "\\'\"abfnrtv", meant[] = "\\'\"\a\b\f\n\r\t\v", hex[] = "0123456789abcdefABCDEF";
    const char *at = p->at + 1, *found = *at == '\0' ? NULL : strchr(plain, *at);
    int digits = *at == 'x' ? 2 : *at == 'u' ? 4 : *at == 'U' ? 8 : 0, i;
    uint32_t c = 0;
    if (found != NULL) {
        out[0] = meant[found - plain];
        p->at += 2;
        return 1;
    }
    for (i = 1; i <= digits; i++) {
        const char *digit = at[i] == '\0' ? NULL : strchr(hex, at[i]);
        if (digit == NULL) { break; }
        c = c << 4 | (uint32_t)(digit - hex < 16 ? digit - hex : digit - hex - 6);
    }
    if (digits == 0 || i <= digits || c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF && (c < 0xDC80 || c > 0xDCFF))) {
        (void)pytree__td_unexpected(p, "an escape such as \\n, \\x1b or \\u200b, and not NUL");
        return 0;
    }
    p->at += 2 + digits;
    if (c >= 0xDC80 && c <= 0xDCFF) { c -= 0xDC00; digits = 0; }      /* a byte that is not UTF-8 */
    if (c < 0x80 || digits == 0) {
        out[0] = (char)c;
        return 1;
    }
    i = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (digits = i - 1; digits > 0; digits--, c >>= 6) { out[digits] = (char)(0x80 | (c & 0x3F)); }
    out[0] = (char)((i == 2 ? 0xC0 : i == 3 ? 0xE0 : 0xF0) | c);
    return (size_t)i;
}

/* 'text' or "text", held packed. */
static bool pytree__td_parse_string(pytree__td_parser *p, const char *expected)
{
    size_t start = p->held.n;
    uint32_t size = 0;
    char quote[4], bytes[4];
    pytree__td_space(p);
    if (*p->at != '\'' && *p->at != '"') { return pytree__td_unexpected(p, expected); }
    if (!pytree__td_hold(p, &size, sizeof size)) { return false; }
    quote[0] = *p->at++;
    memcpy(quote + 1, "\\\n", 3);
    for (;;) {
        size_t n = strcspn(p->at, quote);
        if (n > 0 && !pytree__td_hold(p, p->at, n)) { return false; }
        p->at += n;
        if (*p->at == quote[0]) { break; }
        if (*p->at != '\\') { return pytree__td_unexpected(p, quote[0] == '"' ? "the closing \"" : "the closing '"); }
        n = pytree__td_escape(p, bytes);
        if (n == 0 || !pytree__td_hold(p, bytes, n)) { return false; }
    }
    p->at++;
    if (!pytree__td_hold(p, "", 1)) { return false; }
    size = (uint32_t)(p->held.n - start - sizeof size);
    memcpy(p->held.at + start, &size, sizeof size);
    return true;
}

static bool pytree__td_parse_integer(pytree__td_parser *p, const pytree_type *type)
{
    const char *start = p->at;
    bool is_signed = type->dtype <= PYTREE_I64, minus = *start == '-', fits = true;
    uint64_t v = 0, most = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * type->size);
    unsigned char bytes[8];
    char expected[48];
    const char *at = start + minus;
    if (minus && is_signed) { most++; }
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        fits = fits && v <= UINT64_MAX / 10 && v * 10 <= UINT64_MAX - digit && v * 10 + digit <= most;
        v = v * 10 + digit;
    }
    fits = fits && (!minus || is_signed || v == 0);
    (void)snprintf(expected, sizeof expected, "an integer%s%s", at == start + minus ? "" : " that fits ",
                   at == start + minus ? "" : pytree_dtype_name(type));
    if (at == start + minus || !fits) { return pytree__td_unexpected(p, expected); }
    p->at = at;
    pytree__td_number(bytes, minus ? 0 - v : v, type->size);
    pytree__td_little(bytes, type->size);
    return pytree__td_hold(p, bytes, type->size);
}

/* The 16-bit float whose value this is: those that are not negative are ordered as their bits are. */
static bool pytree__td_half(const pytree_type *type, double v, uint16_t *bits)
{
    uint16_t low = 0, high = type->dtype == PYTREE_F16 ? 0x7C00 : 0x7F80, sign = signbit(v) ? 0x8000 : 0;
    uint16_t found;
    pytree_leaf leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.type = type;
    leaf.data = &found;
    if (v != v) {
        *bits = type->dtype == PYTREE_F16 ? 0x7E00 : 0x7FC0;
        return true;
    }
    v = sign != 0 ? -v : v;
    while (low < high) {
        found = (uint16_t)((low + high) / 2);
        if (pytree_leaf_get(&leaf, 0) < v) { low = (uint16_t)(found + 1); } else { high = found; }
    }
    found = low;
    *bits = (uint16_t)(low | sign);
    return pytree_leaf_get(&leaf, 0) == v;
}

/* A float as Python writes it. strtod wants the decimal point of the locale, which is what printf makes of 0.5; errno is left alone. */
static bool pytree__td_parse_float(pytree__td_parser *p, const pytree_type *type)
{
    char number[400], point[16], expected[48];
    const char *at = p->at + (*p->at == '-');
    bool word = strncmp(at, "inf", 3) == 0 || strncmp(at, "nan", 3) == 0, good = true;
    unsigned char bytes[sizeof(long double)];
    size_t n = word ? 3 : strspn(at, "0123456789"), i, length = 0;
    int before = errno;
    double v = 0;
    good = n > 0;
    if (!word && good && at[n] == '.') {
        size_t digits = strspn(at + n + 1, "0123456789");
        good = digits > 0;
        n += 1 + digits;
    }
    if (!word && good && (at[n] == 'e' || at[n] == 'E')) {
        size_t digits;
        n += at[n + 1] == '-' || at[n + 1] == '+' ? 2 : 1;
        digits = strspn(at + n, "0123456789");
        good = digits > 0;
        n += digits;
    }
    n += (size_t)(at - p->at);
    if (!good || n > sizeof number - sizeof point) { return pytree__td_unexpected(p, "a number"); }
    (void)snprintf(point, sizeof point, "%.1f", 0.5);
    point[strlen(point) - 1] = '\0';
    for (i = 0; i < n; i++) {
        if (p->at[i] == '.') {
            memcpy(number + length, point + 1, strlen(point + 1));
            length += strlen(point + 1);
        } else {
            number[length++] = p->at[i];
        }
    }
    number[length] = '\0';
    memset(bytes, 0, sizeof bytes);
    if (type->dtype == PYTREE_F32) {
        float f = strtof(number, NULL);
        v = (double)f;
        memcpy(bytes, &f, sizeof f);
    } else if (type->dtype == PYTREE_FLONG) {
        long double wide = strtold(number, NULL);
        v = wide > LDBL_MAX || wide < -LDBL_MAX ? (double)wide : 0;
        memcpy(bytes, &wide, PYTREE__TD_WIDE);
    } else {
        v = strtod(number, NULL);
        memcpy(bytes, &v, sizeof v);
    }
    errno = before;
    good = word || (v <= DBL_MAX && v >= -DBL_MAX);
    if (type->dtype == PYTREE_F16 || type->dtype == PYTREE_BF16) {
        uint16_t half = 0;
        good = good && pytree__td_half(type, v, &half);
        memcpy(bytes, &half, sizeof half);
    }
    (void)snprintf(expected, sizeof expected, "a number that %s has", pytree_dtype_name(type));
    if (!good) { return pytree__td_unexpected(p, expected); }
    p->at += n;
    return pytree__td_hold(p, bytes, type->size);
}

/* One static value of a type that is no struct; `size` bytes if it is an address. */
static bool pytree__td_parse_element(pytree__td_parser *p, const pytree_type *type, size_t size)
{
    unsigned char truth;
    pytree__td_space(p);
    switch (type->dtype) {
    case PYTREE_BOOL8:
        truth = pytree__td_skip(p, "True");
        if (truth == 0 && !pytree__td_skip(p, "False")) { return pytree__td_unexpected(p, "True or False"); }
        return pytree__td_hold(p, &truth, 1);
    case PYTREE_STRING:
        if (pytree__td_skip(p, "None")) {
            const uint32_t none = 0;
            return pytree__td_hold(p, &none, sizeof none);
        }
        return pytree__td_parse_string(p, "a text in quotes or None");
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64: case PYTREE_FLONG:
        return pytree__td_parse_float(p, type);
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG: {
        const pytree_type *part = &pytree_types[type->dtype == PYTREE_C64 ? PYTREE__T_float_
                                                : type->dtype == PYTREE_C128 ? PYTREE__T_double_ : PYTREE__T_ldouble];
        return pytree__td_need(p, "(") && pytree__td_parse_float(p, part) && pytree__td_need(p, "+")
            && pytree__td_parse_float(p, part) && pytree__td_need(p, "j)");
    }
    case PYTREE_NO_DTYPE: case PYTREE_OPAQUE:
        for (truth = 0; size > 0 && pytree__td_hold(p, &truth, 1); size--) {}
        return size == 0 && (pytree__td_skip(p, "<address 0x0>")
                             || pytree__td_unexpected(p, "<address 0x0> (no other address can be read back)"));
    default: return pytree__td_parse_integer(p, type);
    }
}

/* (1, 'a') or, for a struct within a struct, Config(rate=0.5, name='a'). The recursion ends with C's declarations. */
static bool pytree__td_parse_statics(pytree__td_parser *p, const pytree_type *owner, bool named)
{
    unsigned i, n = 0;
    if ((named && !pytree__td_need(p, owner->name)) || !pytree__td_need(p, "(")) { return false; }
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        bool nested = type != NULL && type->kind == PYTREE_KIND_STRUCT;
        size_t k, step = type == NULL || type->size == 0 ? row->size : type->size;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (n++ > 0 && !pytree__td_need(p, ",")) { return false; }
        if (named && (!pytree__td_need(p, row->name) || !pytree__td_need(p, "="))) { return false; }
        if (row->ndim != 0 && !pytree__td_need(p, "(")) { return false; }
        for (k = 0; k < row->size / step; k++) {
            if (k > 0 && !pytree__td_need(p, ",")) { return false; }
            if (nested ? !pytree__td_parse_statics(p, type, true)
                : !pytree__td_parse_element(p, type == NULL ? &pytree_types[PYTREE__T_none] : type, step)) { return false; }
        }
        if (row->ndim != 0 && !pytree__td_need(p, k == 1 ? ",)" : ")")) { return false; }
    }
    return pytree__td_need(p, n == 1 && !named ? ",)" : ")");
}

static pytree__td_opened *pytree__td_parse_open(pytree__td_parser *p, const pytree_type *type, char close)
{
    pytree__td_opened *o;
    void *grown = pytree__td_grow(p->open, &p->max, p->n + 1, sizeof *p->open, p->m.opt, p->m.err);
    if (grown == NULL) { return NULL; }
    p->open = (pytree__td_opened *)grown;
    o = &p->open[p->n++];
    o->type = type;
    o->held = p->held.n;
    o->count = 0;
    o->wanted = SIZE_MAX;
    o->close = close;
    o->custom = false;
    return o;
}

/* The name of a type, and the type of that kind that has it; NULL and an error if none has. */
static const pytree_type *pytree__td_parse_type(pytree__td_parser *p, pytree_kind kind)
{
    size_t i, n;
    pytree__td_space(p);
    n = strcspn(p->at, "[]()'\" \t\r\n");
    if (n == 0) {
        (void)pytree__td_unexpected(p, "the name of a type");
        return NULL;
    }
    for (i = 0; i < p->n_types; i++) {
        const pytree_type *type = pytree__td_type(p->types[i]);
        if (type->kind == kind && strlen(type->name) == n && memcmp(type->name, p->at, n) == 0) {
            p->at += n;
            return type;
        }
    }
    (void)pytree__td_expected(p, p->at, PYTREE_NOT_FOUND, kind == PYTREE_KIND_STRUCT ? "OrderedDict, namedtuple or one of the given structs"
                              : "one of the given namedtuples");
    return NULL;
}

/* What comes after CustomNode( and before the children: OrderedDict[('b', 'a')], namedtuple[Point], Linear[(2, 3)]. */
static bool pytree__td_parse_custom(pytree__td_parser *p)
{
    pytree__td_opened *o = pytree__td_parse_open(p, NULL, ']');
    const pytree_type *type;
    size_t i;
    if (o == NULL) { return false; }
    o->custom = true;
    if (pytree__td_skip(p, "OrderedDict[")) {
        o->type = &pytree_types[PYTREE__T_odict];
        if (!pytree__td_need(p, "(")) { return false; }
        for (o->wanted = 0; !pytree__td_skip(p, ")"); o->wanted++) {
            if (o->wanted > 0 && !pytree__td_need(p, ",")) { return false; }
            if (o->wanted == 1 && pytree__td_skip(p, ")")) { break; }
            if (!pytree__td_parse_string(p, "a key in quotes")) { return false; }
        }
    } else if (pytree__td_skip(p, "namedtuple[")) {
        o->type = &pytree_types[PYTREE__T_namedtuple];
        type = pytree__td_parse_type(p, PYTREE_KIND_NAMEDTUPLE);
        if (type == NULL || !pytree__td_add_text(&p->held, type->name, strlen(type->name), p->m.opt, p->m.err)) { return false; }
        o->wanted = type->n_fields;
        for (i = 0; i < o->wanted; i++) {
            const char *name = type->fields[i].name;
            if (!pytree__td_add_text(&p->held, name, strlen(name), p->m.opt, p->m.err)) { return false; }
        }
    } else {
        type = pytree__td_parse_type(p, PYTREE_KIND_STRUCT);
        if (type == NULL) { return false; }
        o->type = type;
        o->wanted = type->n_children;
        if (!pytree__td_need(p, "[") || !pytree__td_parse_statics(p, type, false)) { return false; }
    }
    return pytree__td_need(p, "]") && pytree__td_need(p, ",") && pytree__td_need(p, "[");
}

/* All children are there: the node. `at`: where it ends. */
static bool pytree__td_parse_close(pytree__td_parser *p, const char *at)
{
    const pytree__td_opened *o = &p->open[--p->n];
    size_t meta = p->m.statics.n, names = meta, n = p->held.n - o->held;
    const char *twice = NULL;
    pytree_kind kind = o->type->kind;
    if (o->wanted != SIZE_MAX && o->count != o->wanted) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%zu children, after %zu", o->wanted, o->count);
        return pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
    }
    if (n > 0 && !pytree__td_add(&p->m.statics, p->held.at + o->held, n, p->m.opt, p->m.err)) { return false; }
    p->held.n = o->held;
    if (!pytree__td_keyed(kind) && kind != PYTREE_KIND_NAMEDTUPLE) { return pytree__td_push(&p->m, o->type, o->count, meta); }
    if (kind == PYTREE_KIND_NAMEDTUPLE) { names += pytree__td_text_size(p->m.statics.at + names); }
    if (pytree__td_push_named(&p->m, (int)(o->type - pytree_types), o->count, meta, names, &twice) == PYTREE_OK) { return true; }
    return twice == NULL ? false : pytree__td_expected(p, at, PYTREE_SYNTAX, "different keys before this");
}

enum { PYTREE__TD_WRONG, PYTREE__TD_VALUE, PYTREE__TD_DONE };

/* Between the children of the innermost open node: a value comes next, or the node has ended. */
static int pytree__td_parse_between(pytree__td_parser *p)
{
    pytree__td_opened *o = &p->open[p->n - 1];
    bool tuple = o->close == ')', first = o->count == 0, comma = !first && pytree__td_skip(p, ",");
    char expected[24];
    pytree__td_space(p);
    if (*p->at == o->close && (first || !comma || (tuple && o->count == 1)) && (comma || !tuple || o->count != 1)) {
        const char *at = p->at++;
        if (o->custom && !pytree__td_need(p, ")")) { return PYTREE__TD_WRONG; }
        return pytree__td_parse_close(p, at) ? PYTREE__TD_DONE : PYTREE__TD_WRONG;
    }
    if (!first && !comma) {
        (void)snprintf(expected, sizeof expected, tuple && o->count == 1 ? "','" : "',' or '%c'", o->close);
        (void)pytree__td_unexpected(p, expected);
        return PYTREE__TD_WRONG;
    }
    if (o->close == '}' && (!pytree__td_parse_string(p, first ? "a key in quotes or '}'" : "a key in quotes") || !pytree__td_need(p, ":"))) {
        return PYTREE__TD_WRONG;
    }
    o->count++;
    return PYTREE__TD_VALUE;
}

/* A leaf or None, or the beginning of a node. */
static bool pytree__td_parse_value(pytree__td_parser *p)
{
    const pytree_type *type;
    pytree__td_space(p);
    if (pytree__td_skip(p, "CustomNode(")) { return pytree__td_parse_custom(p); }
    if (*p->at == '[' || *p->at == '(' || *p->at == '{') {
        char c = *p->at++;
        type = &pytree_types[c == '[' ? PYTREE__T_list : c == '(' ? PYTREE__T_tuple : PYTREE__T_dict];
        return pytree__td_parse_open(p, type, c == '[' ? ']' : c == '(' ? ')' : '}') != NULL;
    }
    if (pytree__td_skip(p, "*")) { return pytree__td_push(&p->m, NULL, 0, 0); }
    if (strncmp(p->at, "None", 4) == 0) {
        if (p->none == NULL) { p->none = p->at; }
        p->at += 4;
        return pytree__td_push(&p->m, &pytree_types[PYTREE__T_none], 0, p->m.statics.n);
    }
    return pytree__td_unexpected(p, "*, None, [, (, { or CustomNode(");
}

static bool pytree__td_parse_all(pytree__td_parser *p, bool *none_is_leaf)
{
    int next = PYTREE__TD_VALUE;
    if (!pytree__td_need(p, "PyTreeDef") || !pytree__td_need(p, "(")) { return false; }
    while (next == PYTREE__TD_VALUE) {
        if (!pytree__td_parse_value(p)) { return false; }
        for (next = PYTREE__TD_DONE; p->n > 0 && next == PYTREE__TD_DONE;) { next = pytree__td_parse_between(p); }
        if (next == PYTREE__TD_WRONG) { return false; }
    }
    if (pytree__td_skip(p, ",")) {
        if (!pytree__td_need(p, "NoneIsLeaf")) { return false; }
        *none_is_leaf = true;
        if (p->none != NULL) { return pytree__td_expected(p, p->none, PYTREE_SYNTAX, "* (with NoneIsLeaf, None is a leaf)"); }
    }
    if (!pytree__td_need(p, ")")) { return false; }
    pytree__td_space(p);
    return *p->at == '\0' || pytree__td_unexpected(p, "the end");
}

pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err)
{
    pytree__td_parser p;
    bool good, none_is_leaf = false;
    if (text == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a text, got NULL");
        return NULL;
    }
    memset(&p, 0, sizeof p);
    pytree__td_begin(&p.m, opt, err);
    p.text = p.at = text;
    p.types = types;
    p.n_types = n;
    good = pytree__td_parse_all(&p, &none_is_leaf);
    pytree__td_free(opt, p.held.at, p.held.max);
    pytree__td_free(opt, p.open, p.max * sizeof *p.open);
    return pytree__td_finish(&p.m, none_is_leaf, good);
}

/* ---- Bytes (bodies) ------------------------------------------------------------------------------------------------ */

/* Calls fn for the static values of a struct in packed order, nested ones in their place: n of a type, or n bytes of addresses
 * (NULL). Structs that are static values hold each other by value, so the recursion ends with C's declarations. */
typedef bool pytree__td_value_fn(void *context, const pytree_type *type, size_t n);

static bool pytree__td_values(const pytree_type *owner, pytree__td_value_fn *fn, void *context)
{
    unsigned i;
    bool good = true;
    for (i = 0; i < owner->n_fields && good; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (type != NULL && type->kind == PYTREE_KIND_STRUCT) {
            size_t k;
            for (k = 0; k < row->size / type->size && good; k++) { good = pytree__td_values(type, fn, context); }
        } else if (type == NULL || type->dtype == PYTREE_NO_DTYPE || type->dtype == PYTREE_OPAQUE) {
            good = fn(context, NULL, row->size);
        } else {
            good = fn(context, type, row->size / type->size);
        }
    }
    return good;
}

static uint64_t pytree__td_mix(uint64_t h, const char *text)
{
    do { h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211); } while (*text++ != '\0');
    return h;
}

/* Hash of what the static values and children of a struct are: FNV-1a over names, rows and types. */
static uint64_t pytree__td_schema(const pytree_type *owner, uint64_t h)
{
    unsigned i;
    h = pytree__td_mix(h, owner->name);
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        char number[24];
        bool nested = type != NULL && type->kind == PYTREE_KIND_STRUCT;
        if (row->row == PYTREE_ROW_DROP) { continue; }
        h = pytree__td_mix(pytree__td_mix(h, row->name), row->row == PYTREE_ROW_STATIC ? "static" : "data");
        if (row->row != PYTREE_ROW_STATIC) {
            h = pytree__td_mix(h, row->form == PYTREE_FORM_LEAF ? pytree_dtype_name(type) : nested ? type->name : "tree");
            continue;
        }
        (void)snprintf(number, sizeof number, "%zu", type == NULL || type->size == 0 ? row->size : row->size / type->size);
        h = pytree__td_mix(h, number);
        if (nested) {
            h = pytree__td_schema(type, h);
        } else {
            h = pytree__td_mix(h, type == NULL || type->dtype == PYTREE_NO_DTYPE || type->dtype == PYTREE_OPAQUE ? "address" : pytree_dtype_name(type));
        }
    }
    return h;
}
#define PYTREE__TD_SEED UINT64_C(14695981039346656037)

/* Bytes of the numbers that a number consists of: their order is the machine's. */
static size_t pytree__td_width(const pytree_type *type)
{
    switch (type->dtype) {
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG: return type->size / 2;
    default: return type->size;
    }
}

/* A long double as 24 bytes: u32 class (0 finite, 1 infinite, 2 not a number; 256: negative), u32 exponent in two's complement, and
 * 128 bits of the fraction. */
static void pytree__td_wide_save(unsigned char *to, const unsigned char *from)
{
    long double v, m;
    uint64_t high = 0, low = 0;
    uint32_t what;
    int e = 0;
    memcpy(&v, from, sizeof v);
    what = signbit(v) ? 256 : 0;
    if (v != v) {
        what += 2;
    } else if (v > LDBL_MAX || v < -LDBL_MAX) {
        what += 1;
    } else {
        m = ldexpl(frexpl(v < 0 ? -v : v, &e), 64);
        high = (uint64_t)m;
        low = (uint64_t)ldexpl(m - (long double)high, 64);
    }
    pytree__td_number(to, what, 4);
    pytree__td_number(to + 4, (uint32_t)e, 4);
    pytree__td_number(to + 8, high, 8);
    pytree__td_number(to + 16, low, 8);
}

/* The same back, without padding bits; false for bytes that are no long double here. */
static bool pytree__td_wide_load(unsigned char *to, const unsigned char *from)
{
    unsigned char again[24];
    uint32_t what = (uint32_t)pytree__td_number_at(from, 4);
    int64_t e = (int64_t)pytree__td_number_at(from + 4, 4);
    long double v;
    if (e > INT32_MAX) { e -= INT64_C(4294967296); }
    if (e > 1 << 20 || e < -(1 << 20)) { return false; }
    v = ldexpl((long double)pytree__td_number_at(from + 8, 8), (int)e - 64)
        + ldexpl((long double)pytree__td_number_at(from + 16, 8), (int)e - 128);
    if ((what & 255) == 1) { v = HUGE_VALL; }
    if ((what & 255) == 2) { v = HUGE_VALL - HUGE_VALL; }
    if (signbit(v) ? what < 256 : what >= 256) { v = -v; }
    memset(to, 0, sizeof v);
    memcpy(to, &v, PYTREE__TD_WIDE);
    pytree__td_wide_save(again, to);
    return memcmp(again, from, sizeof again) == 0;
}

typedef struct pytree__td_saver {
    unsigned char *to;
    size_t room, n;
    const unsigned char *packed;          /* next static value */
    const char *owner;                    /* whose they are */
    pytree_error *err;
} pytree__td_saver;

static void pytree__td_save_bytes(pytree__td_saver *s, const void *p, size_t n)
{
    if (s->n <= s->room && n <= s->room - s->n && n > 0) { memcpy(s->to + s->n, p, n); }
    s->n += n;
}

static void pytree__td_save_number(pytree__td_saver *s, uint64_t v, size_t n)
{
    unsigned char b[8];
    pytree__td_number(b, v, n);
    pytree__td_save_bytes(s, b, n);
}

/* A packed text; the NUL is left out. */
static void pytree__td_save_text(pytree__td_saver *s)
{
    size_t n = pytree__td_text_size(s->packed) - sizeof(uint32_t);
    pytree__td_save_number(s, n, 4);
    if (n > 0) { pytree__td_save_bytes(s, s->packed + sizeof(uint32_t), n - 1); }
    s->packed += sizeof(uint32_t) + n;
}

static bool pytree__td_save_value(void *context, const pytree_type *type, size_t n)
{
    pytree__td_saver *s = (pytree__td_saver *)context;
    unsigned char b[24];
    size_t i, width;
    for (i = 0; type == NULL && i < n; i++) {
        if (s->packed[i] != 0) {
            pytree_fail(s->err, PYTREE_TYPE, NULL, "expected static values that can be read back, got an address in %s", s->owner);
            return false;
        }
    }
    if (type == NULL) {
        pytree__td_save_bytes(s, s->packed, n);
        s->packed += n;
        return true;
    }
    for (i = 0; i < n && type->dtype == PYTREE_STRING; i++) { pytree__td_save_text(s); }
    if (type->dtype == PYTREE_STRING) { return true; }
    width = pytree__td_width(type);
    for (i = 0; i < n * (type->size / width); i++, s->packed += width) {
        if (type->dtype == PYTREE_FLONG || type->dtype == PYTREE_CLONG) {
            pytree__td_wide_save(b, s->packed);
            pytree__td_save_bytes(s, b, sizeof b);
        } else {
            memcpy(b, s->packed, width);
            pytree__td_little(b, width);
            pytree__td_save_bytes(s, b, width);
        }
    }
    return true;
}

/* Structs that were met, each once. */
typedef struct pytree__td_table {
    const pytree_type **types;
    size_t n, max;
} pytree__td_table;

static bool pytree__td_table_add(pytree__td_table *t, const pytree_type *type, const pytree_options *opt, pytree_error *err)
{
    void *grown = pytree__td_grow((void *)t->types, &t->max, t->n + 1, sizeof *t->types, opt, err);
    if (grown == NULL) { return false; }
    t->types = (const pytree_type **)grown;
    t->types[t->n++] = type;
    return true;
}

/* A node: its number in the format is its kind's, save that an eight announces a new struct. */
static bool pytree__td_save_node(pytree__td_saver *s, const pytree_def *def, size_t i, pytree__td_table *table,
                                 const pytree_options *opt)
{
    static const unsigned char codes[] = { 0, 1, 7, 2, 3, 4, 5, 6 };          /* by pytree_kind */
    const pytree_node *node = &def->nodes[i];
    pytree_kind kind = pytree__td_kind(node);
    size_t k = table->n;
    s->packed = def->statics + node->meta;
    if (kind == PYTREE_KIND_STRUCT) {
        while (k > 0 && table->types[k - 1] != node->type) { k--; }
        for (k = k > 0 ? k : table->n; k > 0 && !pytree_type_equal(table->types[k - 1], node->type); k--) {}
        s->owner = node->type->name;
        pytree__td_save_number(s, k == 0 ? 8 : 7, 1);
        if (k > 0) {
            pytree__td_save_number(s, k - 1, 4);
        } else {
            if (!pytree__td_table_add(table, node->type, opt, s->err)) { return false; }
            pytree__td_save_number(s, strlen(s->owner) + 1, 4);
            pytree__td_save_bytes(s, s->owner, strlen(s->owner));
            pytree__td_save_number(s, pytree__td_schema(node->type, PYTREE__TD_SEED), 8);
        }
        return pytree__td_values(node->type, pytree__td_save_value, s);
    }
    pytree__td_save_number(s, codes[kind], 1);
    if (kind == PYTREE_KIND_NAMEDTUPLE) { pytree__td_save_text(s); }
    if (kind != PYTREE_KIND_LEAF && kind != PYTREE_KIND_NONE) { pytree__td_save_number(s, node->arity, 4); }
    for (k = 0; k < node->arity && (pytree__td_keyed(kind) || kind == PYTREE_KIND_NAMEDTUPLE); k++) { pytree__td_save_text(s); }
    return true;
}

size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err)
{
    pytree__td_saver s;
    pytree__td_table table;
    size_t i;
    bool good = true;
    memset(&s, 0, sizeof s);
    memset(&table, 0, sizeof table);
    s.to = (unsigned char *)bytes;
    s.room = bytes == NULL ? 0 : capacity;
    s.err = err;
    pytree__td_save_bytes(&s, "pytreedf", 8);
    pytree__td_save_number(&s, 1, 4);
    pytree__td_save_number(&s, def->none_is_leaf, 4);
    pytree__td_save_number(&s, def->n_nodes, 4);
    for (i = 0; i < def->n_nodes && good; i++) { good = pytree__td_save_node(&s, def, i, &table, opt); }
    pytree__td_free(opt, (void *)table.types, table.max * sizeof *table.types);
    return good ? s.n : SIZE_MAX;
}

typedef struct pytree__td_loader {
    pytree__td_maker m;
    const unsigned char *start, *at, *end;
    const pytree_type *const *types;
    size_t n_types;
    pytree__td_table table;
} pytree__td_loader;

static bool pytree__td_bad(pytree__td_loader *l, const unsigned char *at, const char *expected)
{
    pytree_fail(l->m.err, PYTREE_SYNTAX, NULL, "byte %zu: expected %s, got %s", (size_t)(at - l->start), expected,
                at >= l->end ? "the end" : "something else");
    return false;
}

/* The next n bytes; NULL and an error if there are not as many. */
static const unsigned char *pytree__td_take(pytree__td_loader *l, size_t n, const char *what)
{
    const unsigned char *p = l->at;
    if ((size_t)(l->end - p) < n) {
        (void)pytree__td_bad(l, l->end, what);
        return NULL;
    }
    l->at += n;
    return p;
}

static bool pytree__td_load_number(pytree__td_loader *l, size_t n, uint64_t *v, const char *what)
{
    const unsigned char *p = pytree__td_take(l, n, what);
    if (p != NULL) { *v = pytree__td_number_at(p, n); }
    return p != NULL;
}

static bool pytree__td_load_text(pytree__td_loader *l, bool or_null)
{
    const unsigned char *p = l->at;
    uint64_t n;
    if (!pytree__td_load_number(l, 4, &n, "the length of a text")) { return false; }
    if (n == 0) { return or_null ? pytree__td_add_text(&l->m.statics, NULL, 0, l->m.opt, l->m.err) : pytree__td_bad(l, p, "a text"); }
    p = pytree__td_take(l, (size_t)n - 1, "the bytes of a text");
    if (p == NULL) { return false; }
    if (memchr(p, 0, (size_t)n - 1) != NULL) { return pytree__td_bad(l, p, "a text without NUL"); }
    return pytree__td_add_text(&l->m.statics, (const char *)p, (size_t)n - 1, l->m.opt, l->m.err);
}

static bool pytree__td_load_value(void *context, const pytree_type *type, size_t n)
{
    pytree__td_loader *l = (pytree__td_loader *)context;
    unsigned char b[sizeof(long double) > 8 ? sizeof(long double) : 8];
    size_t i, width = type == NULL ? 1 : pytree__td_width(type);
    bool good = true, wide = type != NULL && (type->dtype == PYTREE_FLONG || type->dtype == PYTREE_CLONG);
    memset(b, 0, sizeof b);
    for (i = 0; type == NULL && i < n && good; i++) {
        const unsigned char *p = pytree__td_take(l, 1, "an address");
        good = p != NULL && (*p == 0 || pytree__td_bad(l, p, "an address of NULL")) && pytree__td_add(&l->m.statics, b, 1, l->m.opt, l->m.err);
    }
    if (type == NULL) { return good; }
    for (i = 0; i < n && type->dtype == PYTREE_STRING && good; i++) { good = pytree__td_load_text(l, true); }
    if (type->dtype == PYTREE_STRING) { return good; }
    for (i = 0; i < n * (type->size / width) && good; i++) {
        const unsigned char *p = pytree__td_take(l, wide ? 24 : width, "a static value");
        if (p == NULL) { return false; }
        if (wide) {
            if (!pytree__td_wide_load(b, p)) { return pytree__td_bad(l, p, "a long double that this machine has"); }
        } else {
            memcpy(b, p, width);
            pytree__td_little(b, width);
        }
        if (type->dtype == PYTREE_BOOL8 && *p > 1) { return pytree__td_bad(l, p, "a truth value of 0 or 1"); }
        good = pytree__td_add(&l->m.statics, b, width, l->m.opt, l->m.err);
    }
    return good;
}

/* A struct that comes for the first time: the one of that name, if its rows are what they were. */
static bool pytree__td_load_type(pytree__td_loader *l)
{
    uint64_t n, hash;
    const unsigned char *name;
    size_t i;
    if (!pytree__td_load_number(l, 4, &n, "the length of a type's name")) { return false; }
    name = pytree__td_take(l, n == 0 ? SIZE_MAX : (size_t)n - 1, "the name of a type");
    if (name == NULL || !pytree__td_load_number(l, 8, &hash, "the hash of a type")) { return false; }
    for (i = 0; i < l->n_types; i++) {
        const pytree_type *type = pytree__td_type(l->types[i]);
        if (type->kind != PYTREE_KIND_STRUCT || strlen(type->name) != n - 1 || memcmp(type->name, name, (size_t)n - 1) != 0) { continue; }
        if (pytree__td_schema(type, PYTREE__TD_SEED) == hash) { return pytree__td_table_add(&l->table, type, l->m.opt, l->m.err); }
        pytree_fail(l->m.err, PYTREE_TYPE, NULL, "expected %s with the rows that it had when it was saved, got other rows", type->name);
        return false;
    }
    pytree_fail(l->m.err, PYTREE_NOT_FOUND, NULL, "expected struct %.*s among the %zu given types, got no such type",
                (int)(n - 1 < 100 ? n - 1 : 100), (const char *)name, l->n_types);
    return false;
}

/* One node; *roots: subtrees that are complete and have no parent yet. */
static bool pytree__td_load_node(pytree__td_loader *l, bool none_is_leaf, size_t *roots)
{
    static const int ids[] = { 0, PYTREE__T_none, PYTREE__T_list, PYTREE__T_tuple, PYTREE__T_dict, PYTREE__T_odict, PYTREE__T_namedtuple };
    const unsigned char *p = l->at;
    const pytree_type *type = NULL;
    size_t meta = l->m.statics.n, names, i;
    uint64_t code = 0, n = 0;
    const char *twice = NULL;
    if (!pytree__td_load_number(l, 1, &code, "a node")) { return false; }
    if (code > 8 || (code == 1 && none_is_leaf)) { return pytree__td_bad(l, p, "the kind of a node"); }
    if (code >= 7) {
        n = l->table.n;
        if (code == 7 ? !pytree__td_load_number(l, 4, &n, "the number of a type") : !pytree__td_load_type(l)) { return false; }
        if (n >= l->table.n) { return pytree__td_bad(l, p + 1, "the number of a type that was there"); }
        type = l->table.types[n];
        n = type->n_children;
    } else if (code > 0) {
        type = &pytree_types[ids[code]];
        if (code == 6 && !pytree__td_load_text(l, false)) { return false; }
        if (code > 1 && !pytree__td_load_number(l, 4, &n, "the number of children")) { return false; }
    }
    if (n > *roots) { return pytree__td_bad(l, p, "a node that has as many children as there are"); }
    *roots -= (size_t)n;
    ++*roots;
    names = l->m.statics.n;
    if (code >= 7) { return pytree__td_values(type, pytree__td_load_value, l) && pytree__td_push(&l->m, type, (size_t)n, meta); }
    if (code < 4) { return pytree__td_push(&l->m, type, (size_t)n, meta); }
    for (i = 0; i < n; i++) {
        if (!pytree__td_load_text(l, false)) { return false; }
    }
    if (pytree__td_push_named(&l->m, ids[code], (size_t)n, meta, names, &twice) == PYTREE_OK) { return true; }
    return twice == NULL ? false : pytree__td_bad(l, p, "different keys");
}

pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err)
{
    pytree__td_loader l;
    const unsigned char *head;
    uint64_t version = 0, flags = 0, nodes = 0, i;
    size_t roots = 0;
    bool good;
    memset(&l, 0, sizeof l);
    pytree__td_begin(&l.m, opt, err);
    l.start = l.at = (const unsigned char *)bytes;
    l.end = l.at + size;
    l.types = types;
    l.n_types = n;
    head = pytree__td_take(&l, 8, "a saved treedef");
    good = head != NULL && (memcmp(head, "pytreedf", 8) == 0 || pytree__td_bad(&l, head, "a saved treedef"))
        && pytree__td_load_number(&l, 4, &version, "the version") && (version == 1 || pytree__td_bad(&l, l.at - 4, "version 1"))
        && pytree__td_load_number(&l, 4, &flags, "the flags") && (flags <= 1 || pytree__td_bad(&l, l.at - 4, "known flags"))
        && pytree__td_load_number(&l, 4, &nodes, "the number of nodes")
        && (nodes <= (size_t)(l.end - l.at) || pytree__td_bad(&l, l.end, "as many nodes as it says")) && pytree__td_reserve(&l.m, (size_t)nodes);
    for (i = 0; i < nodes && good; i++) { good = pytree__td_load_node(&l, flags == 1, &roots); }
    good = good && (l.at == l.end || pytree__td_bad(&l, l.at, "the end"))
        && (roots == 1 || pytree__td_bad(&l, l.end, "one root"));
    pytree__td_free(opt, (void *)l.table.types, l.table.max * sizeof *l.table.types);
    return pytree__td_finish(&l.m, flags == 1, good);
}

#ifdef __cplusplus
}
#endif
#endif
