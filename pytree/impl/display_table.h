/* pytree/impl/display_table.h: the table of a model: its calls, and what its parts hold by role. */
#ifndef PYTREE_IMPL_DISPLAY_TABLE_H
#define PYTREE_IMPL_DISPLAY_TABLE_H

#include "display_tree.h"

enum { PYTREE__DT_COLUMNS = 4 };           /* before those of the roles: path, type, inputs, outputs */
#define PYTREE__DT_SLASH '\x1f'            /* between the entries of a path, until it is written */

/* A call: who was called, and the texts of what went in and came out. */
struct pytree__dt_call {
    const void *module;
    const pytree_type *type;
    size_t inputs, outputs;               /* places in the text */
    size_t path, entries;                 /* in the text of a table that is being written; SIZE_MAX: not found yet */
};

struct pytree_table {
    struct pytree__vector calls, text;    /* of pytree__dt_call; of char, strings with their NUL */
    const pytree_allocator *allocator;
};

/* ---- Values as YAML -------------------------------------------------------------------------------------------------- */

/* A node that is being written: in a sequence each child has a dash, otherwise a key. */
struct pytree__dt_frame {
    size_t node, first, next, indent;     /* first: its first child on the stack of children */
    const unsigned char *key;
};

struct pytree__dt_yaml {
    const pytree_flat *flat;
    struct pytree__vector frames, children;                    /* children: of pytree__dp_child */
    pytree_error *err;
};

/* Write float32[2,3]. */
static void pytree__dt_put_array(struct pytree__display *d, const pytree_leaf *leaf)
{
    int i;
    pytree__dp_put_dtype(d, leaf->type);
    pytree__text_put(d->to, "[", 1);
    for (i = 0; i < leaf->ndim; i++) {
        if (i != 0) { pytree__text_put(d->to, ",", 1); }
        pytree__put_number(d->to, leaf->shape[i]);
    }
    pytree__text_put(d->to, "]", 1);
}

/* Write a value that takes no lines of its own. */
static void pytree__dt_put_flat(struct pytree__display *d, const struct pytree__dt_yaml *y, size_t node, size_t leaf_end)
{
    const pytree_node *n = &y->flat->def->nodes[node];
    const pytree_leaf *leaf = n->type != NULL ? NULL : &y->flat->leaves[leaf_end - 1];
    if (n->type != NULL && n->type->kind == PYTREE_KIND_NONE) { pytree__put_text(d->to, "None"); }
    else if (n->type != NULL) { pytree__put_text(d->to, pytree__keyed(n->type) ? "{}" : "[]"); }
    else if (!pytree__dp_plain(leaf)) { pytree__dt_put_array(d, leaf); }
    else { pytree__dp_put_leaf(d, leaf); }
}

static bool pytree__dt_is_sequence(const pytree_type *type)
{
    return type->kind == PYTREE_KIND_LIST || type->kind == PYTREE_KIND_TUPLE || type->kind == PYTREE_KIND_DEQUE;
}

/* Open a node whose children take lines of their own. */
static bool pytree__dt_open(struct pytree__dt_yaml *y, struct pytree__dp_child at, size_t indent)
{
    const pytree_def *def = y->flat->def;
    const size_t arity = def->nodes[at.node].arity, first = y->children.count;
    struct pytree__dp_child *child = (struct pytree__dp_child *)pytree__vector_add(&y->children, arity, y->err);
    struct pytree__dt_frame *f = child == NULL ? NULL : (struct pytree__dt_frame *)pytree__vector_add(&y->frames, 1, y->err);
    size_t i = arity, node = at.node - 1;
    if (f == NULL) { return false; }
    f->node = at.node;
    f->first = first;
    f->next = 0;
    f->indent = indent;
    f->key = pytree__first_key(def, at.node);
    while (i-- != 0) {
        child[i].node = node;
        child[i].leaf_end = at.leaf_end;
        at.leaf_end -= def->nodes[node].leaves;
        node -= def->nodes[node].nodes;
    }
    return true;
}

/* Write the next child of a node, or what stands before it, and open it. */
static bool pytree__dt_put_child(struct pytree__display *d, struct pytree__dt_yaml *y, struct pytree__dt_frame *f)
{
    const pytree_def *def = y->flat->def;
    const struct pytree__dp_child child = ((const struct pytree__dp_child *)y->children.data)[f->first + f->next];
    const bool lines = def->nodes[child.node].arity != 0;
    pytree_entry key;
    d->indent = f->indent;
    if (f->next != 0) { pytree__dp_line(d); }
    f->key = pytree__next_key(&def->nodes[f->node], f->key, f->next++, &key);
    if (pytree__dt_is_sequence(def->nodes[f->node].type)) {
        pytree__text_put(d->to, "- ", 2);
        d->indent += 2;
    } else {
        if (key.name != NULL) { pytree__put_text(d->to, key.name); } else { pytree__put_integer(d->to, (int64_t)key.index); }
        pytree__put_text(d->to, lines ? ":" : ": ");
        d->indent += lines && pytree__dt_is_sequence(def->nodes[child.node].type) ? 0 : 2;
        if (lines) { pytree__dp_line(d); }
    }
    if (lines) { return pytree__dt_open(y, child, d->indent); }
    pytree__dt_put_flat(d, y, child.node, child.leaf_end);
    return true;
}

/* Write a tree in YAML's block style, each array as its type and shape; nothing for a container without values. */
static bool pytree__dt_put_yaml(struct pytree__text_writer *to, struct pytree__dt_yaml *y)
{
    const pytree_def *def = y->flat->def;
    struct pytree__display d = pytree__display_to(to);
    struct pytree__dp_child root;
    bool good = true;
    root.node = def->n_nodes - 1;
    root.leaf_end = def->n_leaves;
    if (def->nodes[root.node].arity != 0) { good = pytree__dt_open(y, root, 0); }
    else if (def->n_leaves != 0) { pytree__dt_put_flat(&d, y, root.node, root.leaf_end); }
    while (good && y->frames.count != 0) {
        struct pytree__dt_frame *f = (struct pytree__dt_frame *)y->frames.data + y->frames.count - 1;
        if (f->next < def->nodes[f->node].arity) { good = pytree__dt_put_child(&d, y, f); continue; }
        y->children.count = f->first;
        y->frames.count--;
    }
    return good;
}

/* ---- Recording calls -------------------------------------------------------------------------------------------------- */

/* Add room for a string of n bytes and its NUL to a text. Returns where it is, or SIZE_MAX. */
static size_t pytree__dt_room(struct pytree__vector *text, size_t n, pytree_error *err)
{
    const size_t at = text->count;
    char *room = (char *)pytree__vector_add(text, n + 1, err);
    if (room == NULL) { return SIZE_MAX; }
    room[n] = '\0';
    return at;
}

/* Add the text of a value. Returns where it is, or SIZE_MAX. */
static size_t pytree__dt_add_yaml(pytree_table *table, pytree value, pytree_error *err)
{
    struct pytree__text_writer count = { NULL, 0, 0, NULL }, to;
    struct pytree__dt_yaml y;
    pytree_flat flat;
    pytree_options opt;
    size_t at = SIZE_MAX;
    memset(&opt, 0, sizeof opt);
    opt.allocator = table->allocator;
    flat = pytree__state_flatten(value, &opt, err);
    if (flat.def == NULL) { return SIZE_MAX; }
    y.flat = &flat;
    y.err = err;
    y.frames = pytree__vector_of(sizeof(struct pytree__dt_frame), table->allocator);
    y.children = pytree__vector_of(sizeof(struct pytree__dp_child), table->allocator);
    if (pytree__dt_put_yaml(&count, &y)) { at = pytree__dt_room(&table->text, count.length, err); }
    if (at != SIZE_MAX) {
        to = pytree__text_to((char *)table->text.data + at, count.length + 1, NULL);
        (void)pytree__dt_put_yaml(&to, &y);                    /* which has its memory by now */
    }
    pytree__vector_free(&y.frames);
    pytree__vector_free(&y.children);
    pytree_def_free((pytree_def *)(uintptr_t)flat.def);
    return at;
}

pytree_table *pytree_table_new(const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *const a = pytree__allocator(opt);
    pytree_table *table = (pytree_table *)pytree__array_new(1, sizeof *table, a, err);
    if (table == NULL) { return NULL; }
    table->allocator = a;
    table->calls = pytree__vector_of(sizeof(struct pytree__dt_call), a);
    table->text = pytree__vector_of(1, a);
    return table;
}

void pytree_table_free(pytree_table *table)
{
    if (table == NULL) { return; }
    pytree__vector_free(&table->calls);
    pytree__vector_free(&table->text);
    pytree__array_free(table, 1, sizeof *table, table->allocator);
}

pytree_status pytree_table_call(pytree_table *table, pytree module, pytree inputs, pytree outputs, pytree_error *err)
{
    struct pytree__dt_call call, *to = NULL;
    pytree_error problem;
    size_t before;
    if (table == NULL) { return PYTREE_OK; }
    if (module.type == NULL || module.data == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a module that is called, got NULL");
    }
    problem.status = PYTREE_OK;
    memset(&call, 0, sizeof call);
    before = table->text.count;
    call.module = module.data;
    call.type = pytree__origin(module.type);
    call.inputs = pytree__dt_add_yaml(table, inputs, &problem);
    call.outputs = call.inputs == SIZE_MAX ? SIZE_MAX : pytree__dt_add_yaml(table, outputs, &problem);
    if (call.outputs != SIZE_MAX) { to = (struct pytree__dt_call *)pytree__vector_add(&table->calls, 1, &problem); }
    if (to != NULL) { *to = call; } else { table->text.count = before; }
    return pytree__alg_status(&problem, err);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

/* A value with a role: its path, and how much of that is the path of its owner. */
struct pytree__dt_value {
    struct pytree__dp_size size;
    size_t path, owner, name;             /* in the text; bytes of the owner's path; where the last entry begins */
    const pytree_leaf *array;             /* NULL: it is no single array */
};

/* A table that is being written. Its cells are strings of the text, row by row: heads, calls, totals. */
struct pytree__dt_writer {
    const pytree_table *table;
    pytree_flat flat;
    struct pytree__vector values, roles, calls, cells, text;   /* of dt_value, of pytree_type *, dt_call, size_t, char */
    size_t n_columns;
    const char *title;
    pytree_error *err;
};

static const char *pytree__dt_text(const struct pytree__dt_writer *w, size_t at) { return (const char *)w->text.data + at; }

/* Add the text of a path, its entries separated. Returns where it is, or SIZE_MAX. */
static size_t pytree__dt_add_path(struct pytree__dt_writer *w, const pytree_path *path, size_t *last)
{
    const char slash = PYTREE__DT_SLASH;
    struct pytree__text_writer to = { NULL, 0, 0, NULL };
    size_t at = SIZE_MAX, i;
    int pass;
    *last = 0;
    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < path->n; i++) {
            if (i != 0) { pytree__text_put(&to, &slash, 1); }
            *last = to.length;
            if (path->entries[i].name != NULL) { pytree__put_text(&to, path->entries[i].name); }
            else { pytree__put_integer(&to, (int64_t)path->entries[i].index); }
        }
        if (pass == 0) {
            at = pytree__dt_room(&w->text, to.length, w->err);
            if (at == SIZE_MAX) { return SIZE_MAX; }
            to = pytree__text_to((char *)w->text.data + at, to.length + 1, NULL);
        }
    }
    return at;
}

/* Find or add the column of a role. */
static bool pytree__dt_add_role(struct pytree__dt_writer *w, const pytree_type *role)
{
    const pytree_type **roles = (const pytree_type **)w->roles.data;
    size_t i;
    for (i = 0; i < w->roles.count && strcmp(roles[i]->name, role->name) < 0; i++) {}
    if (i < w->roles.count && strcmp(roles[i]->name, role->name) == 0) { return true; }
    roles = (const pytree_type **)pytree__vector_add(&w->roles, 1, w->err);
    if (roles == NULL) { return false; }
    roles = (const pytree_type **)w->roles.data;
    memmove((void *)(roles + i + 1), (const void *)(roles + i), (w->roles.count - 1 - i) * sizeof *roles);
    roles[i] = role;
    return true;
}

/* Note all values with a role. */
static bool pytree__dt_take_values(struct pytree__dt_writer *w, const pytree_options *opt)
{
    struct pytree__places p;
    bool good = true;
    pytree__places_begin(&p, &w->flat, false, opt, w->err);
    while (good && pytree__places_next(&p)) {
        const size_t n = w->flat.def->nodes[p.node].leaves;
        struct pytree__dt_value *value;
        if (p.at.role == NULL) { continue; }
        value = (struct pytree__dt_value *)pytree__vector_add(&w->values, 1, w->err);
        if (value == NULL) { good = false; break; }
        memset(value, 0, sizeof *value);
        value->size.role = pytree_role_is(p.at.role, &pytree_role_RngState) ? &pytree_role_RngState : p.at.role;
        pytree__dp_add_leaves(&value->size, w->flat.leaves + p.leaf_end - n, n);
        value->array = pytree_is_leaf(p.at.view) && !pytree__dp_plain(p.at.view) ? p.at.view : NULL;
        value->path = pytree__dt_add_path(w, &p.at.path, &value->name);
        value->owner = value->name == 0 ? 0 : value->name - 1;
        good = value->path != SIZE_MAX && pytree__dt_add_role(w, value->size.role);
    }
    good = good && p.status == PYTREE_OK;
    pytree__places_end(&p);
    return good;
}

/* Give the calls of a node its path. */
static pytree_status pytree__dt_find_call(void *context, const pytree_place *at)
{
    struct pytree__dt_writer *w = (struct pytree__dt_writer *)context;
    struct pytree__dt_call *call = (struct pytree__dt_call *)w->calls.data;
    size_t i, path = SIZE_MAX, last;
    for (i = 0; i < w->calls.count; i++) {
        if (call[i].module != at->view->data || call[i].path != SIZE_MAX) { continue; }
        if (!pytree_type_equal(call[i].type, pytree__origin(at->view->type))) { continue; }
        if (path == SIZE_MAX) { path = pytree__dt_add_path(w, &at->path, &last); }
        if (path == SIZE_MAX) { return PYTREE_NO_MEMORY; }
        call[i].path = path;
        call[i].entries = at->path.n;
    }
    return PYTREE_OK;
}

/* Copy the calls, and find out where their modules are. */
static bool pytree__dt_take_calls(struct pytree__dt_writer *w, pytree t, const pytree_options *opt)
{
    const size_t n = w->table == NULL ? 0 : w->table->calls.count;
    struct pytree__dt_call *call = (struct pytree__dt_call *)pytree__vector_add(&w->calls, n, w->err);
    size_t i;
    if (call == NULL) { return false; }
    if (n != 0) { memcpy(call, w->table->calls.data, n * sizeof *call); }
    for (i = 0; i < n; i++) { call[i].path = SIZE_MAX; }
    if (pytree_graph_walk(t, pytree__dt_find_call, w, opt, w->err) != PYTREE_OK) { return false; }
    for (i = 0; i < n; i++) {
        if (call[i].path == SIZE_MAX) {
            pytree_fail(w->err, PYTREE_NOT_FOUND, NULL, "expected calls of nodes of the tree, got one of a %s that is not in "
                        "it", call[i].type->name);
            return false;
        }
    }
    return true;
}

/* ---- Cells ------------------------------------------------------------------------------------------------------------ */

static bool pytree__dt_add_cell(struct pytree__dt_writer *w, const char *text)
{
    const size_t n = strlen(text), at = pytree__dt_room(&w->text, n, w->err);
    size_t *cell = at == SIZE_MAX ? NULL : (size_t *)pytree__vector_add(&w->cells, 1, w->err);
    if (cell == NULL) { return false; }
    memcpy((char *)w->text.data + at, text, n);
    *cell = at;
    return true;
}

/* Write what a node has of a role: the values that are its own, and the size of those and of all below. */
static void pytree__dt_put_holding(struct pytree__dt_writer *w, struct pytree__text_writer *to, const char *path,
                                   const pytree_type *role)
{
    const struct pytree__dt_value *value = (const struct pytree__dt_value *)w->values.data;
    struct pytree__dp_size sum = { NULL, 0, 0 };
    struct pytree__display d = pytree__display_to(to);
    const size_t n = strlen(path);
    size_t i;
    bool any = false;
    for (i = 0; i < w->values.count; i++) {
        const char *own = pytree__dt_text(w, value[i].path);
        if (!pytree__dp_same_role(value[i].size.role, role) || value[i].owner < n || memcmp(own, path, n) != 0
            || (n != 0 && own[n] != PYTREE__DT_SLASH)) { continue; }
        pytree__dp_add(&sum, &value[i].size);
        if (value[i].owner != n || value[i].array == NULL) { continue; }
        pytree__put_text(to, own + value[i].name);
        pytree__text_put(to, ": ", 2);
        pytree__dt_put_array(&d, value[i].array);
        pytree__text_put(to, "\n", 1);
        any = true;
    }
    if (any) { pytree__text_put(to, "\n", 1); }
    if (sum.elements != 0) { pytree__dp_put_size(to, sum.elements, sum.bytes); }
}

/* Add the cells of a node's roles. */
static bool pytree__dt_add_holdings(struct pytree__dt_writer *w, size_t path)
{
    size_t i;
    for (i = 0; i < w->roles.count; i++) {
        const pytree_type *role = ((const pytree_type *const *)w->roles.data)[i];
        struct pytree__text_writer to = { NULL, 0, 0, NULL };
        size_t at, *cell;
        pytree__dt_put_holding(w, &to, pytree__dt_text(w, path), role);
        at = pytree__dt_room(&w->text, to.length, w->err);
        cell = at == SIZE_MAX ? NULL : (size_t *)pytree__vector_add(&w->cells, 1, w->err);
        if (cell == NULL) { return false; }
        *cell = at;
        to = pytree__text_to((char *)w->text.data + at, to.length + 1, NULL);
        pytree__dt_put_holding(w, &to, pytree__dt_text(w, path), role);
    }
    return true;
}

/* Sum the values of a role; NULL: of all. */
static struct pytree__dp_size pytree__dt_total(const struct pytree__dt_writer *w, const pytree_type *role)
{
    const struct pytree__dt_value *value = (const struct pytree__dt_value *)w->values.data;
    struct pytree__dp_size sum = { NULL, 0, 0 };
    size_t i;
    for (i = 0; i < w->values.count; i++) {
        if (role == NULL || pytree__dp_same_role(value[i].size.role, role)) { pytree__dp_add(&sum, &value[i].size); }
    }
    return sum;
}

static bool pytree__dt_add_cells(struct pytree__dt_writer *w, size_t depth)
{
    static const char *const heads[PYTREE__DT_COLUMNS] = { "path", "type", "inputs", "outputs" };
    static const char *const totals[PYTREE__DT_COLUMNS] = { "", "", "", "Total" };
    const pytree_type *const *roles = (const pytree_type *const *)w->roles.data;
    const struct pytree__dt_call *call = (const struct pytree__dt_call *)w->calls.data;
    size_t i;
    bool good = true;
    for (i = 0; good && i < PYTREE__DT_COLUMNS; i++) { good = pytree__dt_add_cell(w, heads[i]); }
    for (i = 0; good && i < w->roles.count; i++) { good = pytree__dt_add_cell(w, roles[i]->name); }
    for (i = 0; good && i < w->calls.count; i++) {
        const char *own = (const char *)w->table->text.data;   /* the calls are the table's */
        size_t *path;
        if (depth != 0 && call[i].entries > depth) { continue; }
        path = (size_t *)pytree__vector_add(&w->cells, 1, w->err);
        if (path == NULL) { return false; }
        *path = call[i].path;
        good = pytree__dt_add_cell(w, call[i].type->name) && pytree__dt_add_cell(w, own + call[i].inputs)
            && pytree__dt_add_cell(w, own + call[i].outputs) && pytree__dt_add_holdings(w, call[i].path);
    }
    for (i = 0; good && i < PYTREE__DT_COLUMNS; i++) { good = pytree__dt_add_cell(w, totals[i]); }
    for (i = 0; good && i < w->roles.count; i++) {
        const struct pytree__dp_size sum = pytree__dt_total(w, roles[i]);
        char text[64];
        (void)pytree_size_text(sum.elements, sum.bytes, text, sizeof text);
        good = pytree__dt_add_cell(w, text);
    }
    return good;
}

#include "display_table_print.h"
#endif
