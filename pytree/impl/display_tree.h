/* pytree/impl/display_tree.h: states and models as text. */
#ifndef PYTREE_IMPL_DISPLAY_TREE_H
#define PYTREE_IMPL_DISPLAY_TREE_H

#include "display_array.h"

/* ---- Sizes by role --------------------------------------------------------------------------------------------------- */

/* A value with a role: how much it has. */
struct pytree__dp_size {
    const pytree_type *role;
    uint64_t elements, bytes;
};

/* Of a node: which of the sizes, in the order of a state, are those of values in it. */
struct pytree__dp_range { size_t first, n; };

struct pytree__dp_sizes {
    struct pytree__vector sizes;          /* of pytree__dp_size */
    struct pytree__dp_range *of;          /* for each node */
    size_t n_nodes;
    const pytree_allocator *allocator;
};

static void pytree__dp_add(struct pytree__dp_size *to, const struct pytree__dp_size *more)
{
    to->elements += more->elements;
    to->bytes += more->bytes;
}

static bool pytree__dp_same_role(const pytree_type *a, const pytree_type *b) { return a == b || strcmp(a->name, b->name) == 0; }

static void pytree__dp_add_leaves(struct pytree__dp_size *to, const pytree_leaf *leaves, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (pytree_is_leaf(&leaves[i]) && !pytree__dp_plain(&leaves[i])) {
            to->elements += pytree_leaf_count(&leaves[i]);
            to->bytes += pytree_leaf_bytes(&leaves[i]);
        }
    }
}

/* Spread the ranges of children over their parents, which come after them. */
static void pytree__dp_spread(const pytree_def *def, struct pytree__dp_range *of)
{
    size_t i, k, child;
    for (i = 0; i < def->n_nodes; i++) {
        child = i - 1;
        for (k = def->nodes[i].arity; k != 0; k--) {
            if (of[child].n != 0) {
                if (of[i].n == 0 || of[child].first < of[i].first) { of[i].first = of[child].first; }
                of[i].n += of[child].n;
            }
            child -= def->nodes[child].nodes;
        }
    }
}

static bool pytree__dp_sizes_begin(struct pytree__dp_sizes *s, const pytree_flat *flat, const pytree_options *opt,
                                   pytree_error *err)
{
    const pytree_def *def = flat->def;
    struct pytree__places p;
    bool good = true;
    s->allocator = pytree__allocator(opt);
    s->sizes = pytree__vector_of(sizeof(struct pytree__dp_size), s->allocator);
    s->n_nodes = def->n_nodes;
    s->of = (struct pytree__dp_range *)pytree__array_new(def->n_nodes, sizeof *s->of, s->allocator, err);
    if (s->of == NULL) { return false; }
    memset(s->of, 0, def->n_nodes * sizeof *s->of);
    pytree__places_begin(&p, flat, false, opt, err);
    while (pytree__places_next(&p)) {
        const size_t n = def->nodes[p.node].leaves;
        struct pytree__dp_size *size;
        struct pytree__dp_size here = { p.at.role, 0, 0 };
        pytree__dp_add_leaves(&here, flat->leaves + p.leaf_end - n, n);
        if (here.role == NULL || here.elements == 0) { continue; }
        if (pytree_role_is(here.role, &pytree_role_RngState)) { here.role = &pytree_role_RngState; }   /* counted together */
        size = (struct pytree__dp_size *)pytree__vector_add(&s->sizes, 1, err);
        if (size == NULL) { good = false; break; }
        *size = here;
        s->of[p.node].first = s->sizes.count - 1;
        s->of[p.node].n = 1;
    }
    good = good && p.status == PYTREE_OK;
    pytree__places_end(&p);
    if (good) { pytree__dp_spread(def, s->of); }
    return good;
}

static void pytree__dp_sizes_end(struct pytree__dp_sizes *s)
{
    pytree__vector_free(&s->sizes);
    pytree__array_free(s->of, s->n_nodes, sizeof *s->of, s->allocator);
}

/* Write " # Param: 9 (36 B), BatchStat: 6 (24 B), Total: 15 (60 B)" for a node; nothing if it has no values with a role. */
static void pytree__dp_put_sizes(struct pytree__display *d, const struct pytree__dp_sizes *s, size_t node)
{
    const struct pytree__dp_range range = s->of[node];
    const struct pytree__dp_size *size = range.n == 0 ? NULL : (const struct pytree__dp_size *)s->sizes.data + range.first;
    struct pytree__dp_size total = { NULL, 0, 0 };
    size_t i, k, roles = 0;
    for (i = 0; i < range.n; i++) {
        struct pytree__dp_size sum = size[i];
        for (k = 0; !pytree__dp_same_role(size[k].role, sum.role); k++) {}
        if (k < i) { continue; }          /* it is in an earlier sum */
        for (k = i + 1; k < range.n; k++) {
            if (pytree__dp_same_role(size[k].role, sum.role)) { pytree__dp_add(&sum, &size[k]); }
        }
        pytree__put_text(d->to, roles++ == 0 ? " # " : ", ");
        pytree__put_text(d->to, sum.role->name);
        pytree__put_text(d->to, ": ");
        pytree__dp_put_size(d->to, sum.elements, sum.bytes);
        pytree__dp_add(&total, &sum);
    }
    if (roles < 2) { return; }
    pytree__put_text(d->to, ", Total: ");
    pytree__dp_put_size(d->to, total.elements, total.bytes);
}

/* ---- Nodes ----------------------------------------------------------------------------------------------------------- */

/* How a node is written. The first four take a line for each child. */
enum { PYTREE__DP_STATE, PYTREE__DP_FIELDS, PYTREE__DP_VARIABLE, PYTREE__DP_LIST, PYTREE__DP_INLINE };

/* What a value stands in: a state, whose dicts take several lines; a struct, whose arrays are written without values, and
 * whose lists take several lines; deeper in a struct; anything else. */
enum { PYTREE__DP_IN_STATE, PYTREE__DP_IN_FIELD, PYTREE__DP_IN_FIELDS, PYTREE__DP_IN_VALUE };

struct pytree__dp_child { size_t node, leaf_end; };

/* A node that is being written. */
struct pytree__dp_frame {
    size_t node, first;                   /* its first child on the stack of children */
    size_t next, arity;
    int form, inside;                     /* how it is written; what its children stand in */
    bool any;                             /* something has been written in it */
    const pytree_field *row;              /* of a struct: the next one */
    const unsigned char *packed, *key;    /* its next static value; the next key of another node */
    const char *close;
};

struct pytree__dp_writer {
    struct pytree__display d;
    const pytree_flat *flat;
    struct pytree__dp_sizes sizes;
    struct pytree__vector frames, children;
    pytree_error *err;
};

/* Begin the next line of a node that takes several, or separate two children in one. */
static void pytree__dp_separate(struct pytree__dp_writer *w, struct pytree__dp_frame *f)
{
    if (f->form == PYTREE__DP_INLINE) {
        if (f->any) { pytree__text_put(w->d.to, ", ", 2); }
    } else if (f->any) {
        pytree__text_put(w->d.to, ",", 1);
        pytree__dp_line(&w->d);
    } else {
        if (f->form == PYTREE__DP_FIELDS) { pytree__dp_put_sizes(&w->d, &w->sizes, f->node); }
        w->d.indent += 2;
        pytree__dp_line(&w->d);
    }
    f->any = true;
}

/* Write the static fields of a struct up to its next data field. */
static void pytree__dp_put_statics(struct pytree__dp_writer *w, struct pytree__dp_frame *f, const pytree_field *end)
{
    for (; f->row < end && f->row->row != PYTREE_ROW_DATA; f->row++) {
        struct pytree__text_writer count = { NULL, 0, 0, NULL };
        if (f->row->row != PYTREE_ROW_STATIC) { continue; }
        if (f->row->name[0] == '_') { f->packed = pytree__put_row(&count, f->row, f->packed); continue; }
        pytree__dp_separate(w, f);
        pytree__put_text(w->d.to, f->row->name);
        pytree__text_put(w->d.to, "=", 1);
        f->packed = pytree__put_row(w->d.to, f->row, f->packed);
    }
}

/* Is it a class of that name, or one derived from it? */
static bool pytree__dp_is(const pytree_type *type, const char *name)
{
    for (; type != NULL && strcmp(type->name, name) != 0; type = type->base) {}
    return type != NULL;
}

/* Is it a value that is all metadata, as a static attribute of an object? */
static bool pytree__dp_is_static(const pytree_node *n)
{
    return n->type != NULL && n->type->kind == PYTREE_KIND_CUSTOM && n->arity == 0 && n->type != &pytree_same
        && pytree__origin(n->type)->custom->metadata != NULL && pytree__origin(n->type)->custom->print != NULL;
}

/* Write such a value as its type prints it. */
static bool pytree__dp_put_static(struct pytree__dp_writer *w, size_t node)
{
    const pytree_def *def = w->flat->def;
    const pytree_custom *custom = pytree__origin(def->nodes[node].type)->custom;
    const unsigned char *metadata = def->statics + def->nodes[node].meta;
    const size_t bytes = pytree__u32(metadata);
    char few[256], *text = few;
    const size_t n = custom->print(metadata + sizeof(uint32_t), bytes, few, sizeof few);
    if (n >= sizeof few) {
        text = (char *)pytree__array_new(n + 1, 1, w->sizes.allocator, w->err);
        if (text == NULL) { return false; }
        (void)custom->print(metadata + sizeof(uint32_t), bytes, text, n + 1);
    }
    pytree__text_put(w->d.to, text, n);
    if (text != few) { pytree__array_free(text, n + 1, 1, w->sizes.allocator); }
    return true;
}

static const pytree_field *pytree__dp_rows_end(const pytree_type *type) { return type->fields + type->n_fields; }

/* Open a struct or an object; of the classes of pytree/object.h, List and Dict are written as containers. */
static void pytree__dp_open_fields(struct pytree__dp_writer *w, struct pytree__dp_frame *f)
{
    const pytree_node *n = &w->flat->def->nodes[f->node];
    const pytree_type *type = pytree__origin(n->type);
    const bool custom = type->kind == PYTREE_KIND_CUSTOM, list = custom && pytree__dp_is(type, "List");
    f->form = PYTREE__DP_FIELDS;
    f->inside = PYTREE__DP_IN_FIELD;
    f->row = custom ? NULL : type->fields;
    f->packed = w->flat->def->statics + n->meta;
    pytree__put_text(w->d.to, type->name);
    pytree__text_put(w->d.to, "(", 1);
    if (list || (custom && pytree__dp_is(type, "Dict"))) {
        f->form = PYTREE__DP_LIST;
        f->inside = PYTREE__DP_IN_VALUE;
        f->close = list ? "])" : "})";
        pytree__text_put(w->d.to, list ? "[" : "{", 1);
    }
}

/* Open a node: write what stands before its children, and push it. `node` may be the value of a variable, with a role. */
static bool pytree__dp_open(struct pytree__dp_writer *w, size_t node, size_t leaf_end, const pytree_type *role, int inside)
{
    const pytree_def *def = w->flat->def;
    const pytree_node *n = &def->nodes[node];
    const size_t first = w->children.count, arity = role != NULL ? 1 : n->arity;
    struct pytree__dp_child *child = (struct pytree__dp_child *)pytree__vector_add(&w->children, arity, w->err);
    struct pytree__dp_frame *f = child == NULL ? NULL : (struct pytree__dp_frame *)pytree__vector_add(&w->frames, 1, w->err);
    const struct pytree__notation *notation = pytree__literal_text(n->type);
    size_t i, at = node - 1;
    if (f == NULL) { return false; }
    memset(f, 0, sizeof *f);
    f->node = node;
    f->first = first;
    f->arity = arity;
    f->inside = inside == PYTREE__DP_IN_FIELD ? PYTREE__DP_IN_FIELDS : inside;
    f->close = ")";
    if (role != NULL) {
        f->form = PYTREE__DP_VARIABLE;
        if (inside == PYTREE__DP_IN_STATE) { f->inside = PYTREE__DP_IN_VALUE; }
        child->node = node;
        child->leaf_end = leaf_end;
        pytree__put_text(w->d.to, role->name);
        pytree__text_put(w->d.to, "(", 1);
        return true;
    }
    for (i = arity; i-- != 0; ) {
        child[i].node = at;
        child[i].leaf_end = leaf_end;
        leaf_end -= def->nodes[at].leaves;
        at -= def->nodes[at].nodes;
    }
    f->key = pytree__first_key(def, node);
    if (n->type->kind == PYTREE_KIND_STRUCT || notation->open == NULL) {
        pytree__dp_open_fields(w, f);
    } else if (inside == PYTREE__DP_IN_STATE && pytree__is_dict(n->type)) {
        f->form = PYTREE__DP_STATE;
        f->close = w->frames.count == 1 ? "})" : "}";
        pytree__put_text(w->d.to, w->frames.count == 1 ? "State({" : "{");
    } else if (inside == PYTREE__DP_IN_FIELD && (n->type->kind == PYTREE_KIND_LIST || n->type->kind == PYTREE_KIND_DICT)) {
        f->form = PYTREE__DP_LIST;
        f->inside = PYTREE__DP_IN_VALUE;
        f->close = n->type->kind == PYTREE_KIND_LIST ? "])" : "})";
        pytree__put_text(w->d.to, n->type->kind == PYTREE_KIND_LIST ? "List([" : "Dict({");
    } else {
        f->form = PYTREE__DP_INLINE;
        f->close = pytree__closing(notation, n->arity);
        pytree__put_pattern(w->d.to, def, node, pytree__opening(notation, n->arity));
    }
    return true;
}

/* What stood before, as nodes pytree_same say: a variable or an array is written again, a node only named. Return the node to
 * write; the node itself if nothing is to be written but its name. */
static size_t pytree__dp_resolve(const pytree_def *def, size_t node, size_t *leaf_end)
{
    const size_t target = def->nodes[node].type == &pytree_same ? pytree__same_target(def, node) : SIZE_MAX;
    const pytree_type *type = target == SIZE_MAX ? NULL : def->nodes[target].type;
    size_t i;
    if (target == SIZE_MAX || target > node || (type != NULL && type->custom != &pytree_variable_node)) { return node; }
    for (i = *leaf_end = 0; i <= target; i++) { *leaf_end += def->nodes[i].type == NULL; }
    return target;
}

/* Write a value, or open it. */
static bool pytree__dp_value_of(struct pytree__dp_writer *w, size_t node, size_t leaf_end, const pytree_type *role, int inside)
{
    const pytree_def *def = w->flat->def;
    const pytree_node *n;
    const pytree_leaf *leaf;
    node = pytree__dp_resolve(def, node, &leaf_end);
    n = &def->nodes[node];
    if (pytree__dp_is_static(n)) { return pytree__dp_put_static(w, node); }
    if (n->type == &pytree_same) {
        const size_t target = pytree__same_target(def, node);
        pytree__put_text(w->d.to, pytree__origin(def->nodes[target == SIZE_MAX ? node : target].type)->name);
        pytree__put_text(w->d.to, "(...)");
        return true;
    }
    if (n->type != NULL && n->type->custom == &pytree_variable_node) {
        return pytree__dp_open(w, node - 1, leaf_end, n->type, inside);
    }
    if (role != NULL && (n->type == NULL || n->arity != 0)) { return pytree__dp_open(w, node, leaf_end, role, inside); }
    if (n->type != NULL && n->type->kind != PYTREE_KIND_NONE) { return pytree__dp_open(w, node, leaf_end, NULL, inside); }
    if (n->type != NULL) { pytree__put_text(w->d.to, "None"); return true; }
    leaf = &w->flat->leaves[leaf_end - 1];
    if ((inside == PYTREE__DP_IN_FIELD || inside == PYTREE__DP_IN_FIELDS) && leaf->form == PYTREE_FORM_LEAF
        && !pytree__dp_plain(leaf) && pytree_leaf_count(leaf) > 1) {
        pytree__dp_put_extents(&w->d, leaf);
    } else {
        pytree__dp_put_leaf(&w->d, leaf);
    }
    return true;
}

/* Write what stands before the next child of a node: its key. Returns the role of its row. */
static const pytree_type *pytree__dp_lead(struct pytree__dp_writer *w, struct pytree__dp_frame *f)
{
    const pytree_node *n = &w->flat->def->nodes[f->node];
    const struct pytree__dp_range *range = &w->sizes.of[f->node];
    const pytree_type *role = NULL;
    pytree_entry key;
    if (f->form == PYTREE__DP_VARIABLE) {
        if (range->n == 1) {
            const struct pytree__dp_size *size = (const struct pytree__dp_size *)w->sizes.sizes.data + range->first;
            pytree__put_text(w->d.to, " # ");
            pytree__dp_put_size(w->d.to, size->elements, size->bytes);
        }
        pytree__dp_separate(w, f);
        pytree__put_text(w->d.to, "value=");
        return NULL;
    }
    if (f->row != NULL) { pytree__dp_put_statics(w, f, pytree__dp_rows_end(pytree__origin(n->type))); }
    pytree__dp_separate(w, f);
    f->key = pytree__next_key(n, f->key, f->next, &key);
    if (f->row != NULL) {
        role = f->row->role;
        pytree__put_text(w->d.to, f->row++->name);
        pytree__text_put(w->d.to, "=", 1);
    } else if (key.kind == PYTREE_ATTRIBUTE && f->form == PYTREE__DP_LIST) {
        pytree__put_repr(w->d.to, key.name, strlen(key.name));
        pytree__text_put(w->d.to, ": ", 2);
    } else if (key.kind == PYTREE_ATTRIBUTE) {
        pytree__put_text(w->d.to, key.name);
        pytree__text_put(w->d.to, "=", 1);
    } else if (key.kind == PYTREE_KEY || key.kind == PYTREE_INT_KEY) {
        pytree__put_key(w->d.to, &key, key.name == NULL ? 0 : strlen(key.name));
        pytree__text_put(w->d.to, ": ", 2);
    }
    return role;
}

/* Write the rest of a node. */
static void pytree__dp_close(struct pytree__dp_writer *w, struct pytree__dp_frame *f)
{
    if (f->row != NULL) {
        pytree__dp_put_statics(w, f, pytree__dp_rows_end(pytree__origin(w->flat->def->nodes[f->node].type)));
    }
    if (f->form != PYTREE__DP_INLINE && f->any) {
        w->d.indent -= 2;
        pytree__dp_line(&w->d);
    }
    pytree__put_pattern(w->d.to, w->flat->def, f->node, f->close);
}

/* Pass over a static attribute of an object whose name begins with _: like such a member of a struct, it is not shown. */
static bool pytree__dp_skip(const struct pytree__dp_writer *w, struct pytree__dp_frame *f, const struct pytree__dp_child *child)
{
    const pytree_def *def = w->flat->def;
    const unsigned char *next;
    pytree_entry key;
    if (f->form != PYTREE__DP_FIELDS || f->row != NULL || !pytree__dp_is_static(&def->nodes[child->node])) { return false; }
    next = pytree__next_key(&def->nodes[f->node], f->key, f->next, &key);
    if (key.name == NULL || key.name[0] != '_') { return false; }
    f->key = next;
    f->next++;
    return true;
}

/* Write a value with all that is below it. */
static bool pytree__dp_put_value(struct pytree__dp_writer *w, size_t node, size_t leaf_end, int inside)
{
    bool good = pytree__dp_value_of(w, node, leaf_end, NULL, inside);
    while (good && w->frames.count != 0) {
        struct pytree__dp_frame *f = (struct pytree__dp_frame *)w->frames.data + w->frames.count - 1;
        if (f->next < f->arity) {
            const struct pytree__dp_child child = ((const struct pytree__dp_child *)w->children.data)[f->first + f->next];
            const pytree_type *role;
            if (pytree__dp_skip(w, f, &child)) { continue; }
            role = pytree__dp_lead(w, f);
            f->next++;
            good = pytree__dp_value_of(w, child.node, child.leaf_end, role, f->inside);
        } else {
            pytree__dp_close(w, f);
            w->children.count = f->first;
            w->frames.count--;
        }
    }
    return good;
}

/* ---- Trees ---------------------------------------------------------------------------------------------------------- */

static pytree_status pytree__dp_write(struct pytree__text_writer *to, pytree t, int inside, const pytree_options *opt,
                                      pytree_error *err)
{
    struct pytree__dp_writer w;
    pytree_error problem;
    pytree_flat flat;
    bool good;
    problem.status = PYTREE_OK;
    flat = inside == PYTREE__DP_IN_STATE ? pytree__state_flatten(t, opt, &problem) : pytree__model_flatten(t, opt, &problem);
    if (problem.status == PYTREE_SHARED) {                     /* one memory with several extents or roles: shown as a tree */
        problem.status = PYTREE_OK;
        flat = pytree__state_flatten(t, opt, &problem);
    }
    if (flat.def == NULL) { return pytree__alg_status(&problem, err); }
    memset(&w, 0, sizeof w);
    w.d = pytree__display_to(to);
    w.flat = &flat;
    w.err = err;
    w.frames = pytree__vector_of(sizeof(struct pytree__dp_frame), pytree__allocator(opt));
    w.children = pytree__vector_of(sizeof(struct pytree__dp_child), pytree__allocator(opt));
    good = pytree__dp_sizes_begin(&w.sizes, &flat, opt, err)
        && pytree__dp_put_value(&w, flat.def->n_nodes - 1, flat.def->n_leaves, inside);
    pytree__dp_sizes_end(&w.sizes);
    pytree__vector_free(&w.frames);
    pytree__vector_free(&w.children);
    pytree_def_free((pytree_def *)(uintptr_t)flat.def);
    return good ? PYTREE_OK : PYTREE_NO_MEMORY;
}

static pytree_status pytree__dp_print(FILE *file, pytree t, int inside, const pytree_options *opt, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    status = pytree__dp_write(&to, t, inside, opt, err);
    if (status != PYTREE_OK) { return status; }
    pytree__text_put(&to, "\n", 1);
    return pytree__written(file, err);
}

static size_t pytree__dp_text(pytree t, int inside, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    const pytree_status status = pytree__dp_write(&to, t, inside, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : pytree__end_text(&to, n);
}

pytree_status pytree_state_print(FILE *file, pytree state, const pytree_options *opt, pytree_error *err)
{
    return pytree__dp_print(file, state, PYTREE__DP_IN_STATE, opt, err);
}

size_t pytree_state_text(pytree state, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    return pytree__dp_text(state, PYTREE__DP_IN_STATE, text, n, opt, err);
}

pytree_status pytree_display(FILE *file, pytree t, const pytree_options *opt, pytree_error *err)
{
    return pytree__dp_print(file, t, PYTREE__DP_IN_VALUE, opt, err);
}

size_t pytree_display_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    return pytree__dp_text(t, PYTREE__DP_IN_VALUE, text, n, opt, err);
}

#include "display_table.h"
#endif
