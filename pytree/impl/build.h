/* pytree/impl/build.h: building trees: unflatten, clone, zeros_like, allocate. */
#ifndef PYTREE_IMPL_BUILD_H
#define PYTREE_IMPL_BUILD_H

#include "internal.h"

/* A custom node: its children first, in a row. In pytree_allocate it is the caller's, with all that it holds. */
static void pytree__make_custom(struct pytree__builder *m, size_t node, const pytree_type *type, char *self, size_t *next,
                                size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    struct pytree__custom_cleanup *made;
    char *children;
    if (m->mode == PYTREE__ALLOCATE) {
        *next = node + 1 - n->nodes;
        *leaf -= n->leaves;
        return;
    }
    if (type->custom->rebuild == NULL) {
        pytree__make_wrong(m, node, "a type that can be rebuilt (its pytree_custom has no rebuild)");
        return;
    }
    children = pytree__bump_head(m, pytree__times(n->arity, sizeof(pytree)));
    made = (struct pytree__custom_cleanup *)(void *)pytree__bump_head(m, sizeof *made);
    if (!m->dry) {
        memset(self, 0, type->size);
        made->self = self;
        made->type = type;
        made->children = (const pytree *)(void *)children;
        made->node = node;
        made->before = m->customs;
        m->customs = made;
    }
    pytree__make_push(m, NULL, m->dry ? NULL : (char *)pytree__make_chain((pytree *)(void *)children, n->arity, NULL), NULL, 0,
                      n->arity, 0);
}

/* Calls `rebuild` of every custom node, those inside others first. After a failure those that were made are released. */
static void pytree__make_customs(struct pytree__builder *m)
{
    struct pytree__custom_cleanup *at, *done;
    for (at = m->customs; at != NULL && m->status == PYTREE_OK; at = at->before) {
        const pytree_node *n = &m->def->nodes[at->node];
        const unsigned char *metadata = m->def->statics + n->meta;
        m->status = at->type->custom->rebuild(at->self, n->arity, at->children, metadata + sizeof(uint32_t),
                                              pytree__u32(metadata));
        if (m->status != PYTREE_OK) {
            char path[PYTREE__PATH];
            pytree__node_path(m->def, at->node, path, sizeof path);
            pytree_fail(m->cursor.err, m->status, path, "expected the rebuild of %s to succeed, got %s", at->type->name,
                        pytree_status_name(m->status));
            for (done = m->customs; done != at; done = done->before) {
                if (done->type->custom->release != NULL) { done->type->custom->release(done->self); }
            }
        }
    }
}

/* `from`: the bytes it begins with in pytree_allocate (itself: they are there); NULL: zeros and the treedef's static values.
 * `inside`: it lies in a struct, and so is zero already. */
static void pytree__make_struct(struct pytree__builder *m, size_t node, const pytree_type *type, char *self, const char *from,
                                bool inside, size_t *next, size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    if (n->type != type && (n->type == NULL || !pytree__same_struct(n->type, type))) {
        pytree__make_wrong(m, node, type->name);
        return;
    }
    type = pytree__origin(n->type);       /* as the treedef's namespace sees it */
    if (type->kind == PYTREE_KIND_CUSTOM) { pytree__make_custom(m, node, type, self, next, leaf); return; }
    if (from != NULL) {
        if (from != self) { memcpy(self, from, type->size); }
    } else if (!m->dry || m->mode != PYTREE__ALLOCATE) {
        if (!m->dry && !inside) { memset(self, 0, type->size); }
        if (!m->dry && m->mode == PYTREE__REFER && type->self_contained
            && pytree__make_planned(m, type, self, n, &m->leaves[*leaf - n->leaves])) {
            *leaf -= n->leaves;
            *next = node + 1 - n->nodes;
            return;
        }
        if (!m->dry || !type->trivial_statics) { pytree__unpack(m, type, self, m->def->statics + n->meta); }
    }
    pytree__make_open(m, type, self);
}

static pytree pytree__make_value(struct pytree__builder *m, size_t node, size_t *next, size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    pytree t;
    t.type = &pytree_types[PYTREE__T_none];
    t.data = NULL;
    if (n->type == NULL) {
        const pytree_leaf *from = &m->leaves[--*leaf];
        if (!pytree__make_given(m)) { return t; }
        if (from->form == PYTREE_FORM_LEAF) {
            t.type = from->type;
            t.data = pytree__make_array(m, from);
            if (from->ndim != 0) {
                pytree_leaf *view = (pytree_leaf *)(void *)pytree__bump_head(m, sizeof *view);
                if (view != NULL) {
                    memset(view, 0, sizeof *view);
                    pytree__copy_view(view, from);
                    view->data = t.data;
                }
                t.type = &pytree_types[PYTREE__T_view];
                t.data = view;
            }
        } else if (from->form != PYTREE_FORM_NONE) {
            m->status =
                pytree_fail(m->cursor.err, PYTREE_TYPE, NULL, "expected leaves, got a %s as leaf %zu", from->type->name, *leaf);
        }
    } else if (n->type->kind == PYTREE_KIND_STRUCT || n->type->kind == PYTREE_KIND_CUSTOM) {
        const pytree_type *type = pytree__origin(n->type);
        t.type = type;
        t.data = pytree__bump_head(m, type->size);
        pytree__make_struct(m, node, type, (char *)t.data, NULL, false, next, leaf);
    } else if (n->type->kind != PYTREE_KIND_NONE) {
        t = pytree__make_container(m, node);
    }
    return t;
}

/* A leaf into a row of a struct. */
static void pytree__make_leaf(struct pytree__builder *m, const struct pytree__build_frame *task, const pytree_field *row,
                              pytree_leaf *view, size_t k, size_t node)
{
    const pytree_leaf *leaf = &m->leaves[k];
    char *field = m->dry ? NULL : task->at + row->offset;
    if (row->form == PYTREE_FORM_VIEW) {
        pytree_leaf copy;
        memset(&copy, 0, sizeof copy);
        pytree__copy_view(&copy, leaf);
        if (leaf->form == PYTREE_FORM_LEAF && m->mode == PYTREE__ALLOCATE && leaf->data != NULL) {
            pytree__make_lost(m, node);
            return;
        }
        if (leaf->form == PYTREE_FORM_LEAF) { copy.data = pytree__make_array(m, leaf); }
        if (!m->dry) { memcpy(field, &copy, sizeof copy); }
        return;
    }
    if (!m->dry) {
        pytree_status status;
        unsigned form = view->form;
        if (leaf->form == PYTREE_FORM_NONE && row->optional) { return; }
        view->form = PYTREE_FORM_LEAF;
        status = row->form == PYTREE_FORM_LEAF ? pytree__fits(view, leaf) : PYTREE_STRUCTURE;
        if (status == PYTREE_OK && leaf->data == NULL && m->mode != PYTREE__ALLOCATE && pytree_leaf_count(leaf) != 0) {
            status = PYTREE_NULL_POINTER;
        }
        if (status != PYTREE_OK) {
            if (row->form != PYTREE_FORM_LEAF) { view->form = form; }
            pytree__make_misfit(m, status, node, view, leaf);
            return;
        }
    } else if (row->form != PYTREE_FORM_LEAF || leaf->form != PYTREE_FORM_LEAF) {
        return;
    }
    if (row->place == PYTREE_POINTER) {
        void *p = leaf->data;
        if (m->mode == PYTREE__ALLOCATE && p != NULL && p != PYTREE_WANTED) {
            pytree__make_lost(m, node);
            return;
        }
        p = pytree__make_array(m, leaf);
        if (!m->dry) { memcpy(field, &p, sizeof p); }
    } else {
        pytree__make_bytes(m, field, leaf, true);
    }
}

static const char *const *pytree__make_keys(struct pytree__builder *m, const pytree_node *n, const uint32_t *order)
{
    const char **keys = (const char **)(void *)pytree__bump_head(m, pytree__times(n->arity, sizeof(char *)));
    const unsigned char *at = m->def->statics + n->meta;
    size_t i;
    for (i = 0; keys != NULL && i < n->arity; i++, at = pytree__skip_strings(at, 1)) {
        keys[order == NULL ? i : order[i]] = pytree__string_at(at, 0, NULL);
    }
    return (const char *const *)keys;
}

/* A list, tuple or dict into a row of a struct. */
static void pytree__make_list(struct pytree__builder *m, const struct pytree__build_frame *task, const pytree_field *row,
                              size_t child,
                              size_t node, size_t *next, size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    const pytree_leaf *view = m->dry ? NULL : &m->cursor.views[task->views + child];
    bool map = row->form == PYTREE_FORM_MAP, fits = map ? n->type->kind == PYTREE_KIND_DICT : row->form == PYTREE_FORM_TUPLE
        ? n->type->kind == PYTREE_KIND_TUPLE : row->form == PYTREE_FORM_LIST && n->type->kind == PYTREE_KIND_LIST;
    size_t step = row->form == PYTREE_FORM_TUPLE ? row->inner : map ? row->inner : row->type->size;
    char *field = m->dry ? NULL : task->at + row->offset, *at = field;
    const pytree_type *type = row->type, *of = task->type;
    const char *from = m->mode == PYTREE__ALLOCATE ? at : NULL;
    const uint32_t *order = NULL;
    size_t views = task->views;
    if (!fits || (!m->dry && row->place != PYTREE_STB && view->shape[0] != n->arity)) {
        char expected[PYTREE__SIDE];
        if (!PYTREE__MESSAGES) { pytree__make_wrong(m, node, ""); return; }
        snprintf(expected, sizeof expected,
                 row->form == PYTREE_FORM_LIST || row->form == PYTREE_FORM_TUPLE || map ? "a %s of %zu" : "a %s",
                 map                               ? "dict"
                 : row->form == PYTREE_FORM_TUPLE  ? "tuple"
                 : row->form == PYTREE_FORM_LIST   ? "list"
                 : row->form == PYTREE_FORM_STRUCT ? row->type->name
                                                   : "leaf",
                 m->dry || row->place == PYTREE_STB ? (size_t)n->arity : view->shape[0]);
        pytree__make_wrong(m, node, expected);
        return;
    }
    if (row->place == PYTREE_STB) {
        const char *const *keys;
        struct pytree__stb_cleanup *made;
        if (m->mode == PYTREE__ALLOCATE) {                     /* theirs: left as it is, with all that it holds */
            *next = node + 1 - n->nodes;
            *leaf -= n->leaves;
            return;
        }
        made = (struct pytree__stb_cleanup *)(void *)pytree__bump_head(m, sizeof *made);
        if (map && n->arity != 0 && pytree__u32(m->def->statics + n->meta) == PYTREE__NUMBER_KEY) {
            pytree__make_wrong(m, node, "a dict whose keys are strings");
            return;
        }
        order = map ? pytree__make_order(m, node) : NULL;
        keys = map ? pytree__make_keys(m, n, order) : NULL;
        if (!m->dry) {
            if (n->arity != 0) { m->status = row->resize(field, n->arity, keys, row); }
            if (m->status != PYTREE_OK) { pytree__no_memory(m->cursor.err, n->arity * row->inner); return; }
            made->field = field;
            made->row = row;
            made->before = m->made;
            m->made = made;
            memcpy(&at, field, sizeof at);
            if (map) {
                of->children(task->at, m->cursor.views + views);
                if (at != NULL) { at += m->cursor.views[views + child].shape[2]; }
            }
        }
    } else if (row->place == PYTREE_POINTER) {
        if (from != NULL) { memcpy(&from, field, sizeof from); }
        at = pytree__bump_head(m, pytree__times(n->arity, step));
        if (!m->dry) { memcpy(field, &at, sizeof at); }
    }
    pytree__make_push(m, type, at, from, step, n->arity, 0);
    if (order != NULL && m->status == PYTREE_OK) { m->tasks[m->n_tasks - 1].order = order; }
}

/* The next child of the task at hand, which is node `node`. */
static void pytree__make_child(struct pytree__builder *m, size_t node, size_t *leaf, size_t *next)
{
    struct pytree__build_frame *top = &m->tasks[m->n_tasks - 1], task;
    const pytree_node *n = &m->def->nodes[node];
    size_t child = --top->left;
    pytree value;
    if (n->type == NULL && !pytree__make_given(m)) { return; }
    if (top->order != NULL) { child = top->order[child]; }
    if (top->type == NULL) {                                   /* an item of a container */
        pytree *at = (pytree *)(void *)top->at;
        if (!m->dry) { top->at = (char *)at->data; }
        value = pytree__make_value(m, node, next, leaf);
        if (!m->dry) { *at = value; }
        return;
    }
    task = *top;
    if (task.rows == 0) {                                      /* an element of a list */
        char *at = m->dry ? NULL : task.at + child * task.step;
        if (task.type->kind == PYTREE_KIND_STRUCT || task.type->kind == PYTREE_KIND_CUSTOM
            || (n->type != NULL && pytree__namespaced(n))) {
            pytree__make_struct(m, node, task.type, at, m->dry || task.from == NULL ? NULL : task.from + child * task.step,
                                false, next, leaf);
        } else if (task.type->kind == PYTREE_KIND_REF) {
            value = pytree__make_value(m, node, next, leaf);
            if (!m->dry) { memcpy(at, &value, sizeof value); }
        } else if (task.type->kind == PYTREE_KIND_VIEW && n->type == NULL) {
            pytree_leaf copy;
            memset(&copy, 0, sizeof copy);
            pytree__copy_view(&copy, &m->leaves[--*leaf]);
            if (copy.form == PYTREE_FORM_LEAF) { copy.data = pytree__make_array(m, &m->leaves[*leaf]); }
            if (!m->dry) { memcpy(at, &copy, sizeof copy); }
        } else if (task.type->kind == PYTREE_KIND_LEAF && n->type == NULL) {
            const pytree_leaf *from = &m->leaves[--*leaf];
            if (from->form != PYTREE_FORM_LEAF || from->ndim != 0 || !pytree_type_equal(from->type, task.type)) {
                pytree_leaf wanted;
                pytree__view(&wanted, task.type, NULL);
                pytree__make_misfit(
                    m,
                    from->form == PYTREE_FORM_LEAF && from->ndim != 0 && pytree_type_equal(from->type, task.type) ? PYTREE_SHAPE
                                                                                                                  : PYTREE_TYPE,
                    node, &wanted, from);
                return;
            }
            pytree__make_bytes(m, at, from, true);
        } else {
            pytree__make_wrong(m, node, task.type->name);
        }
        return;
    }
    {
        const pytree_field *row;
        do { row = &task.type->fields[--top->rows]; } while (row->row != PYTREE_ROW_DATA);
        if (row->form == PYTREE_FORM_REF && m->mode == PYTREE__ALLOCATE) {     /* theirs, like an stb_ds container */
            *next = node + 1 - n->nodes;
            *leaf -= n->leaves;
        } else if (row->form == PYTREE_FORM_REF) {
            value = pytree__make_value(m, node, next, leaf);
            if (!m->dry) { memcpy(task.at + row->offset, &value, sizeof value); }
        } else if (n->type == NULL) {
            --*leaf;
            pytree__make_leaf(m, &task, row, m->dry ? NULL : &m->cursor.views[task.views + child], *leaf, node);
        } else if (n->type->kind == PYTREE_KIND_NONE) {
            if (row->form == PYTREE_FORM_VIEW) {
                if (!m->dry) { pytree__none_view((pytree_leaf *)(void *)(task.at + row->offset)); }
            } else if (!row->optional) {
                pytree__make_wrong(m, node, row->type->name);
            }
        } else if (pytree__namespaced(n)
                   && (row->form == PYTREE_FORM_STRUCT
                       || (row->form == PYTREE_FORM_LEAF && row->ndim == 0 && row->type->dtype == PYTREE_OPAQUE))) {
            char *at = m->dry ? NULL : task.at + row->offset;
            const char *from = m->mode == PYTREE__ALLOCATE ? at : NULL;
            if (row->place == PYTREE_POINTER) {
                char *p;
                if (m->mode == PYTREE__ALLOCATE && row->type->kind == PYTREE_KIND_CUSTOM) {
                    *next = node + 1 - n->nodes;
                    *leaf -= n->leaves;
                    return;
                }
                p = pytree__bump_head(m, row->type->size);
                if (from != NULL) {
                    memcpy(&from, at, sizeof from);
                    if (from == (const char *)PYTREE_WANTED) { from = NULL; }
                }
                if (!m->dry) { memcpy(at, &p, sizeof p); }
                at = p;
            }
            pytree__make_struct(m, node, row->type, at, from, row->place == PYTREE_IN_PLACE, next, leaf);
        } else {
            pytree__make_list(m, &task, row, child, node, next, leaf);
        }
    }
}

/* One run over the treedef. `root`: where the root struct is to be (pytree_allocate), or NULL. */
static pytree pytree__make_run(struct pytree__builder *m, char *root)
{
    size_t next = m->def->n_nodes - 1, leaf = m->def->n_leaves;
    pytree t;
    m->structs = m->arrays = 0;
    m->n_tasks = 0;
    m->n_orders = m->def->n_orders;
    m->kept = false;
    m->cursor.n_views = 0;
    if (m->in_place) {
        t.type = m->def->nodes[next].type;
        t.data = root;
        pytree__make_struct(m, next, t.type, root, root, false, &next, &leaf);
    } else {
        t = pytree__make_value(m, next, &next, &leaf);
    }
    while (m->n_tasks != 0 && m->status == PYTREE_OK) {
        struct pytree__build_frame *top = &m->tasks[m->n_tasks - 1];
        if (m->mode == PYTREE__REFER && !m->dry) {
            if (top->type == NULL) {
                pytree__make_containers(m, &next, &leaf);
                if (m->status != PYTREE_OK) { break; }
            } else if (top->type->kind == PYTREE_KIND_STRUCT && top->order == NULL) {
                if (pytree__make_children(m, &next, &leaf)) { continue; }
            }
        }
        if (top->left == 0) {
            m->cursor.n_views = top->views;
            m->n_tasks--;
        } else {
            size_t node = --next;
            pytree__make_child(m, node, &leaf, &next);
        }
    }
    return t;
}

/* Does anything that is to be released lie outside the block? */
static bool pytree__is_nested(const struct pytree__block *block)
{
    const char *begin = (const char *)block->base, *end = begin + block->bytes;
    const struct pytree__custom_cleanup *custom;
    const struct pytree__stb_cleanup *made;
    for (custom = block->customs; custom != NULL; custom = custom->before) {
        if ((const char *)custom->self < begin || (const char *)custom->self >= end) { return true; }
    }
    for (made = block->made; made != NULL; made = made->before) {
        if ((const char *)made->field < begin || (const char *)made->field >= end) { return true; }
    }
    return false;
}

/* Both runs. On success `t` is the tree; its block is not the caller's to see. */
static pytree_status pytree__make(pytree *t, const pytree_def *def, const pytree_leaf *leaves, int mode, pytree *in_place,
                                  const pytree_options *opt, pytree_error *err)
{
    struct pytree__builder m;
    const pytree_allocator *a = pytree__allocator(opt);
    size_t align = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment, head, bytes, spare, shift;
    char *base, *root = NULL;
    struct pytree__block *block;
    bool only_containers;
    pytree made;
    t->type = NULL;
    t->data = NULL;
    if ((align & (align - 1)) != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", align);
    }
    if (align < 16) { align = 16; }
    memset(&m, 0, offsetof(struct pytree__builder, cursor));
    m.tasks = m.few;
    m.max_tasks = PYTREE__FRAMES;
    pytree__cursor_init(&m.cursor, &m.stacks, opt, err);
    pytree__layout_cache_init(&m.plans, &m.layouts);
    m.status = PYTREE_OK;
    m.def = def;
    m.leaves = leaves != NULL ? leaves : m.cursor.views;       /* there are none, yet pointers to where they end */
    m.mode = mode;
    m.align = align;
    m.dry = true;
    m.given = mode != PYTREE__REFER;
    m.in_place = in_place != NULL;
    if (m.in_place) { pytree__bump_head(&m, in_place->type->size); }       /* a shadow, so that nothing is half-written */
    head = m.structs;
    m.structs = pytree__bound(&m, &only_containers);
    if (mode != PYTREE__REFER) { m.structs = SIZE_MAX; }
    if (m.structs == SIZE_MAX) { pytree__make_run(&m, NULL); }
    m.structs = pytree__plus(m.structs, head);
    m.all_arrays = m.arrays;
    m.all_structs = pytree__round(pytree__plus(m.structs, sizeof *block), align);
    spare = m.all_arrays < 65536 ? 0 : 16 * 192;
    bytes = pytree__plus(pytree__plus(m.all_structs, m.all_arrays), align + spare);
    if (m.in_place && m.structs == head && m.arrays == 0) {
        *t = *in_place;                   /* nothing to make: no block, which nothing would lead to */
    } else if (m.status == PYTREE_OK) {
        m.zeroed = a == NULL && (mode == PYTREE__ZERO || mode == PYTREE__ALLOCATE);
        base = bytes == SIZE_MAX ? NULL : m.zeroed ? (char *)calloc(1, bytes) : (char *)pytree__resize(a, NULL, 0, bytes);
        if (base == NULL) { m.status = pytree__no_memory(err, bytes); }
        else {
            shift = spare == 0 ? 0 : (size_t)(((uint64_t)(uintptr_t)base >> 12) * UINT64_C(0x9E3779B97F4A7C15) >> 60) * 192;
            m.base = (char *)(((uintptr_t)base + shift + align - 1) & ~(uintptr_t)(align - 1));
            m.dry = false;
            block = (struct pytree__block *)(void *)(m.base + m.all_structs) - 1;
            if (m.in_place) {
                m.structs = 0;
                root = pytree__bump_head(&m, in_place->type->size);
                memcpy(root, in_place->data, in_place->type->size);
                m.base += m.structs;
                m.all_structs -= m.structs;
            }
            made = pytree__make_run(&m, root);
            if (m.status == PYTREE_OK) { pytree__make_customs(&m); }
            block->magic = PYTREE__MAGIC;
            block->base = base;
            block->bytes = bytes;
            block->allocator = a;
            if (m.status == PYTREE_OK) {
                block->root = m.in_place ? NULL : made.data;
                block->made = m.made;
                block->customs = m.customs;
                block->nested = pytree__is_nested(block);
                block->n_nodes = only_containers ? def->n_nodes : 0;
                block->n_leaves = def->n_leaves;
                block->n_statics = def->n_statics;
                block->n_orders = def->n_orders;
                block->type = *made.type;
                block->type.origin = pytree__origin(made.type);
                t->type = &block->type;
                t->data = made.data;
                if (made.data == NULL) { t->data = block; }                 /* None: still a block to be freed */
                if (m.in_place) { memcpy(in_place->data, root, in_place->type->size); *t = *in_place; }
            } else {
                for (; m.made != NULL; m.made = m.made->before) { m.made->row->release(m.made->field, m.made->row); }
                pytree__resize(a, base, bytes, 0);
            }
        }
    }
    if (m.tasks != m.few) { pytree__resize(a, m.tasks, m.max_tasks * sizeof *m.tasks, 0); }
    pytree__cursor_end(&m.cursor);
    return m.status;
}

pytree pytree_unflatten(const pytree_def *def, size_t n, const pytree_leaf *leaves, const pytree_options *opt,
                        pytree_error *err)
{
    pytree t = { NULL, NULL };
    if (pytree__leaf_counts(def, n, leaves, err) == PYTREE_OK) { pytree__make(&t, def, leaves, PYTREE__REFER, NULL, opt, err); }
    return t;
}

/* Structure and leaves, which a predicate of the caller's has no say in, and from them the new tree. */
static pytree_status pytree__remake(pytree *made, pytree from, int mode, const pytree_options *opt, pytree_error *err)
{
    pytree_options own;
    pytree_def *def;
    pytree_leaf *leaves = NULL;
    pytree_status status;
    memset(&own, 0, sizeof own);
    if (opt != NULL) { own.allocator = opt->allocator; own.alignment = opt->alignment; own.space = opt->space; }
    made->type = NULL;
    made->data = NULL;
    status = pytree__flatten(from, mode == PYTREE__ALLOCATE, &leaves, 0, &def, &own, err);
    if (status == PYTREE_OK) {
        status = pytree__make(made, def, leaves, mode, mode == PYTREE__ALLOCATE ? &from : NULL, &own, err);
        if (status == PYTREE_OK && mode != PYTREE__ALLOCATE) {
            ((struct pytree__block *)(void *)((char *)(uintptr_t)made->type - offsetof(struct pytree__block, type)))
                ->allocator = pytree__allocator(opt);
        }
        pytree_def_free(def);
    }
    return status;
}

pytree pytree_clone(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    pytree__remake(&made, t, PYTREE__COPY, opt, err);
    return made;
}

pytree pytree_zeros_like(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    pytree__remake(&made, t, PYTREE__ZERO, opt, err);
    return made;
}

pytree_status pytree_allocate(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    if (t.type == NULL || t.type->kind != PYTREE_KIND_STRUCT || t.data == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct to allocate for, got %s",
                           t.type == NULL ? "nothing" : t.data == NULL ? "NULL" : t.type->name);
    }
    t.type = pytree__origin(t.type);
    return pytree__remake(&made, t, PYTREE__ALLOCATE, opt, err);
}
#endif
