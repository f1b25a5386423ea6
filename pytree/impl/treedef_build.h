/* pytree/impl/treedef_build.h: treedefs made without a value, and from other treedefs. */
#ifndef PYTREE_IMPL_TREEDEF_BUILD_H
#define PYTREE_IMPL_TREEDEF_BUILD_H

#include "treedef_nodes.h"

/* ---- From parts ---------------------------------------------------------------------------------------------------- */

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
    const bool none_is_leaf = m->opt != NULL && m->opt->none_is_leaf;
    size_t i, total = 0;
    for (i = 0; i < n; i++) {
        if (children == NULL || children[i] == NULL) {
            pytree_fail(m->err, PYTREE_ARGUMENT, NULL, "expected a treedef for child %zu, got NULL", i);
            return false;
        }
        if (!pytree__td_same_none(children[i], none_is_leaf, m->err)
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

/* Pack a key: the string if there is one, otherwise the number. */
static bool pytree__td_add_key(pytree__td_maker *m, const char *key, const int64_t *number)
{
    const uint32_t mark = PYTREE__NUMBER_KEY;
    return key != NULL ? pytree__td_add_text(&m->statics, key, strlen(key), m->opt, m->err)
        : pytree__td_add(&m->statics, &mark, sizeof mark, m->opt, m->err)
            && pytree__td_add(&m->statics, number, sizeof *number, m->opt, m->err);
}

/* Report a repeated key. */
static void pytree__td_twice(const unsigned char *packed, pytree_error *err)
{
    char text[100];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    pytree_entry key;
    size_t length = 0;
    pytree__key_at(packed, &key, &length);
    pytree__put_key(&to, &key, length);
    pytree__end_text(&to, sizeof text);
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected different keys, got %s twice", text);
}

static bool pytree__td_add_meta(pytree__td_bytes *b, const pytree_type *type, const pytree_items *like,
                                const pytree_options *opt, pytree_error *err)
{
    unsigned char maxlen[sizeof(uint64_t)];
    pytree__statics packed = { NULL, 0, 0 };
    packed.at = maxlen;
    packed.room = sizeof maxlen;
    if (pytree__is_named(type)) {
        return pytree__td_add_text(b, like->name, like->name == NULL ? 0 : strlen(like->name), opt, err);
    }
    pytree__pack_meta(&packed, type, NULL, like->maxlen);
    return pytree__td_add(b, maxlen, packed.length, opt, err);
}

/* Build a container. `like` has its name, maximum length and number of children. */
static pytree_def *pytree__td_container(int id, const pytree_items *like, const char *const *keys, const int64_t *numbers,
                                        const pytree_def *const *children, const pytree_options *opt, pytree_error *err)
{
    const pytree_type *type = &pytree_types[id];
    const size_t n = like->count;
    const unsigned char *twice = NULL;
    pytree__td_maker m;
    size_t i, meta, names;
    bool good;
    pytree__td_begin(&m, opt, err);
    good = pytree__td_copy_all(&m, n, children);
    meta = m.statics.n;
    good = good && pytree__td_add_meta(&m.statics, type, like, opt, err);
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

/* Pack the static values of a struct, or metadata and keys of a custom node: measure if packed->at is NULL, then write. */
static void pytree__td_pack(const pytree__cursor *c, pytree self, const pytree_type *type, pytree__statics *packed)
{
    packed->length = 0;
    if (type->custom == NULL) {
        pytree__pack_struct(packed, type, self.data);
    } else {
        pytree__pack_node(packed, c, &c->frames[0]);
    }
}

/* Pack the node at the end of the static bytes. A custom node is open in the cursor. */
static bool pytree__td_pack_self(pytree__td_maker *m, const pytree__cursor *c, pytree self, const pytree_type *type)
{
    const size_t meta = m->statics.n;
    pytree__statics packed = { NULL, 0, 0 };
    void *grown;
    pytree__td_pack(c, self, type, &packed);
    if (packed.length > UINT32_MAX - meta) {
        pytree_fail(m->err, PYTREE_OVERFLOW, NULL, "expected fewer than 2^32 bytes of static values, got more");
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
    pytree__cursor_space stacks;
    pytree__td_maker m;
    bool good = true;
    if (type == NULL || self.data == NULL
        || (!pytree__has_rows(type) && type->kind != PYTREE_KIND_CUSTOM)) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a registered struct, got %s",
                    type == NULL || self.data == NULL ? "NULL" : type->name);
        return NULL;
    }
    pytree__cursor_init(&c, &stacks, opt, err);
    wanted = type->n_children;
    if (type->custom != NULL) {           /* its callbacks give the number of children and their keys */
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
    good = good && pytree__td_pack_self(&m, &c, self, type);
    if (good) { (void)pytree__td_push(&m, type, n, meta); }    /* copy_all has reserved the node */
    pytree__cursor_end(&c);
    return pytree__td_finish(&m, opt != NULL && opt->none_is_leaf, good);
}

/* ---- From treedefs ------------------------------------------------------------------------------------------------- */

pytree_def *pytree_def_compose(const pytree_def *outer, const pytree_def *inner, const pytree_options *opt, pytree_error *err)
{
    if (outer == NULL || inner == NULL) { return (pytree_def *)pytree__no_def(err); }
    pytree__td_maker m;
    pytree__td_orders orders;
    size_t i, inside = outer->n_nodes - outer->n_leaves;
    bool good = pytree__td_same_none(inner, outer->none_is_leaf, err);
    if (good && outer->n_leaves > (UINT32_MAX - inside) / inner->n_nodes) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected fewer than 2^32 nodes, got %zu and %zu times %zu", inside,
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

/* Make a treedef of one node, with leaves for children. */
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

/* Append the result of the callback for a node. */
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

#include "treedef_compare.h"
#endif
