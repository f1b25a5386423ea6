/* pytree/impl/state_builder.h: building a state from places that come in order. */
#ifndef PYTREE_IMPL_STATE_BUILDER_H
#define PYTREE_IMPL_STATE_BUILDER_H

#include "places.h"

/* An open dict: where its keys begin on the stack of keys. */
struct pytree__state_builder {
    pytree__td_maker nodes;
    struct pytree__vector keys, opened;   /* keys of finished children (pytree_entry); of size_t: an open dict's first key */
    struct pytree__vector path;           /* of the last place */
    struct pytree__vector leaves;         /* const pytree_leaf *: of all places */
    const pytree_options *opt;
    pytree_error *err;
    size_t subtrees;                      /* values that are no leaves */
    size_t kept;                          /* entries of the last place's path that the places since then have in common */
    unsigned char value[24];              /* of a variable, packed: no metadata; keyed: `.value` */
    size_t value_bytes;
    bool pure;                            /* roles are left out */
    bool good, any;
};

static void pytree__state_begin(struct pytree__state_builder *b, bool pure, const pytree_options *opt, pytree_error *err)
{
    static const unsigned char no_metadata[] = { 0, 0, 0, 0, 1, PYTREE_ATTRIBUTE };
    const pytree_allocator *a = pytree__allocator(opt);
    pytree__statics packed = { NULL, 0, 0 };
    memset(b, 0, sizeof *b);
    packed.at = b->value;
    packed.room = sizeof b->value;
    pytree__pack_bytes(&packed, no_metadata, sizeof no_metadata);
    pytree__pack_string(&packed, "value");
    b->value_bytes = packed.length;
    pytree__td_begin(&b->nodes, opt, err);
    b->keys = pytree__vector_of(sizeof(pytree_entry), a);
    b->opened = pytree__vector_of(sizeof(size_t), a);
    b->path = pytree__vector_of(sizeof(pytree_entry), a);
    b->leaves = pytree__vector_of(sizeof(const pytree_leaf *), a);
    b->opt = opt;
    b->err = err;
    b->pure = pure;
    b->good = true;
}

/* Add a key to the dict that is open on top. */
static void pytree__state_key(struct pytree__state_builder *b, const pytree_entry *key)
{
    pytree_entry *to = (pytree_entry *)pytree__vector_add(&b->keys, 1, b->err);
    if (to == NULL) { b->good = false; return; }
    *to = *key;
}

/* Emit the dict on top, whose children are finished, and add its key to the one below. */
static void pytree__state_close(struct pytree__state_builder *b)
{
    const size_t first = ((const size_t *)b->opened.data)[--b->opened.count], n = b->keys.count - first;
    const pytree_entry *key = n == 0 ? NULL : (const pytree_entry *)b->keys.data + first;
    const size_t meta = b->nodes.statics.n;
    size_t i;
    for (i = 0; i < n && b->good; i++) {
        const int64_t number = (int64_t)key[i].index;
        b->good = pytree__td_add_key(&b->nodes, key[i].name, key[i].name == NULL ? &number : NULL);
    }
    b->good = b->good && pytree__td_push(&b->nodes, &pytree_types[PYTREE__T_dict], n, meta);
    b->keys.count = first;
    if (b->opened.count != 0) { pytree__state_key(b, (const pytree_entry *)b->path.data + b->opened.count - 1); }
}

static void pytree__state_open(struct pytree__state_builder *b)
{
    size_t *first = (size_t *)pytree__vector_add(&b->opened, 1, b->err);
    if (first == NULL) { b->good = false; return; }
    *first = b->keys.count;
}

/* Check that nothing in a value stands for something outside of it, which may be in another state. */
static bool pytree__state_is_apart(const struct pytree__places *from, pytree_error *err)
{
    const size_t first = from->node + 1 - from->def->nodes[from->node].nodes;
    char where[PYTREE_ERROR_PATH];
    size_t i;
    for (i = first; i < from->node; i++) {
        if (from->def->nodes[i].type != &pytree_same) { continue; }
        if (pytree__same_target(from->def, i) - first > from->node - first) { break; }
    }
    if (i >= from->node) { return true; }
    pytree_path_text(&from->at.path, where, sizeof where);
    pytree_fail(err, PYTREE_SHARED, where, "expected a value that shares nothing with others, got one that does");
    return false;
}

/* Emit a place's value: its subtree, and around it the node of its role. */
static void pytree__state_value(struct pytree__state_builder *b, const struct pytree__places *from)
{
    const pytree_node *n = &from->def->nodes[from->node];
    const pytree_leaf **to = (const pytree_leaf **)pytree__vector_add(&b->leaves, n->leaves, b->err);
    size_t i, meta;
    if (to == NULL) { b->good = false; return; }
    for (i = 0; i < n->leaves; i++) { to[i] = &from->flat->leaves[from->leaf_end - n->leaves + i]; }
    if (n->type == NULL) {
        b->good = pytree__td_push(&b->nodes, NULL, 0, 0);
    } else {
        b->subtrees++;
        b->good = (!from->def->shares || pytree__state_is_apart(from, b->err))
            && pytree__td_use_space(&b->nodes, from->def->space)
            && pytree__td_copy(&b->nodes, from->def, from->node, &from->orders);
    }
    meta = b->nodes.statics.n;
    if (!b->good || b->pure || from->at.role == NULL) { return; }
    if (from->at.metadata != NULL) {
        b->good = pytree__td_add_text(&b->nodes.statics, from->at.metadata, strlen(from->at.metadata), b->opt, b->err)
            && pytree__td_add(&b->nodes.statics, b->value + sizeof(uint32_t), b->value_bytes - sizeof(uint32_t), b->opt,
                              b->err);
    } else {
        b->good = pytree__td_add(&b->nodes.statics, b->value, b->value_bytes, b->opt, b->err);
    }
    b->good = b->good && pytree__td_push(&b->nodes, from->at.role, 1, meta);
}

/* Count the entries that a path has in common with that of the last place. */
static size_t pytree__state_common(const struct pytree__state_builder *b, const pytree_path *path)
{
    const pytree_entry *old = (const pytree_entry *)b->path.data;
    size_t i;
    for (i = 0; i < path->n && i < b->path.count && pytree__key_compare(&old[i], &path->entries[i]) == 0; i++) {}
    return i;
}

/* Open the dicts that a path leads through, `common` of whose entries are the last place's. */
static void pytree__state_go(struct pytree__state_builder *b, const pytree_path *path, size_t common)
{
    pytree_entry *to;
    if (b->any && common == b->path.count) {                   /* what comes later is never shorter */
        char where[256];
        pytree_path_text(path, where, sizeof where);
        pytree_fail(b->err, PYTREE_STRUCTURE, where, "expected a value or a node, got both");
        b->good = false;
    }
    while (b->good && b->opened.count > common + 1) { pytree__state_close(b); }
    b->path.count = common;
    while (b->good && b->opened.count < path->n) { pytree__state_open(b); }
    to = b->good && path->n != common ? (pytree_entry *)pytree__vector_add(&b->path, path->n - common, b->err) : NULL;
    if (path->n != common && to == NULL) { b->good = false; }
    if (!b->good) { return; }
    if (to != NULL) { memcpy(to, path->entries + common, (path->n - common) * sizeof *to); }
    b->any = true;
    b->kept = path->n;
}

/* Add the current place of `from`, which comes after all that were added before; `common` entries of its path are the last
 * one's. */
static void pytree__state_add(struct pytree__state_builder *b, const struct pytree__places *from, size_t common)
{
    const pytree_path *path = &from->at.path;
    pytree__state_go(b, path, common);
    if (b->good) { pytree__state_value(b, from); }
    if (b->good && path->n != 0) { pytree__state_key(b, &path->entries[path->n - 1]); }
}

/* Finish the state and free the builder; without a place it is an empty dict. Its leaves stand behind the treedef. */
static pytree_flat pytree__state_finish(struct pytree__state_builder *b, bool good)
{
    const pytree_leaf *const *from;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t i;
    b->good = b->good && good;
    if (b->good && !b->any) { pytree__state_open(b); }
    while (b->good && b->opened.count != 0) { pytree__state_close(b); }
    def = pytree__td_finish_with(&b->nodes, false, b->leaves.count, b->good);
    from = (const pytree_leaf *const *)b->leaves.data;
    if (def != NULL) { leaves = pytree__def_leaves(def); }
    for (i = 0; def != NULL && i < def->n_leaves; i++) { pytree__copy_view(&leaves[i], from[i]); }
    pytree__vector_free(&b->keys);
    pytree__vector_free(&b->opened);
    pytree__vector_free(&b->path);
    pytree__vector_free(&b->leaves);
    return pytree__alg_flat(def, leaves);
}

#include "state_repeat.h"
#endif
