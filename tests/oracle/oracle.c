/* oracle.c: the library as a program that answers requests, one after another, for tests/oracle/oracle.py.
 *
 *     ('flatten', {'nil': True}, {'b': 1, 'a': None})   =>   {'leaves': [None, 1], 'text': …}
 *
 * A request is a line with its number of bytes, then those; an answer likewise. Both are literals in Python's notation, read by
 * pytree_parse and written by pytree_literal_text; a request is the operation's name, options, arguments. A namedtuple that has
 * the name of a registered type becomes one. What a literal cannot show is written as a call that oracle.py knows:
 * Error(status, path, message), Made(tree, the same rebuilt), Flat(treedef's text, [leaves]) for a tree with custom nodes.
 *
 * Every allocation of the library goes through a counter: 'lost' in an answer says how many were not given back. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pytree/algebra.h"
#include "pytree/literal.h"
#include "pytree/path.h"
#include "pytree/treedef_io.h"

/* A custom node's metadata is a text here. */
static size_t custom_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    if (n != 0) { snprintf(text, n, "%.*s", (int)bytes, (const char *)metadata); }
    return bytes;
}

#include "../golden/types.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Types --------------------------------------------------------------------------------------------------------- */

static const pytree_type *const registered[] = {
    PYTREE_TYPE(DC), PYTREE_TYPE(Mixed), PYTREE_TYPE(Trio), PYTREE_TYPE(Wrap), PYTREE_TYPE(Maybe), PYTREE_TYPE(Tag),
    PYTREE_TYPE(Empty), PYTREE_TYPE(Box), PYTREE_TYPE(Bag)
};

static const pytree_type *registered_type(const char *name)
{
    size_t i;
    for (i = 0; i < COUNT_OF(registered); i++) {
        if (strcmp(registered[i]->name, name) == 0) { return registered[i]; }
    }
    return NULL;
}

/* ---- A case -------------------------------------------------------------------------------------------------------- */

typedef struct Chunk {
    struct Chunk *next;
    max_align_t room[1];
} Chunk;

typedef struct Case {
    const pytree *arg;                    /* behind the operation's name and the options */
    size_t n;
    pytree_options opt;
    pytree_allocator allocator;
    bool bare;                            /* dicts as literals in C are: without an order that was found before */
    size_t live;                          /* allocations of the library that are not given back */
    Chunk *chunks;                        /* memory of the case */
    char *text;                           /* the answer */
    size_t length, room;
} Case;

static void *counted(void *context, void *p, size_t old_size, size_t new_size)
{
    size_t *live = context;
    void *q;
    (void)old_size;
    if (new_size == 0) {
        *live -= p != NULL;
        free(p);
        return NULL;
    }
    q = realloc(p, new_size);
    *live += p == NULL && q != NULL;
    return q;
}

/* Zeroed; given back when the case ends. */
static void *take_memory(Case *c, size_t n, size_t size)
{
    Chunk *chunk = calloc(1, sizeof *chunk + n * size);
    if (chunk == NULL) { abort(); }
    chunk->next = c->chunks;
    c->chunks = chunk;
    return chunk->room;
}

/* ---- Namedtuples to structs ---------------------------------------------------------------------------------------- */

static const char *text_of(pytree t)
{
    const char *text = NULL;
    if (t.type->kind == PYTREE_KIND_LEAF && t.type->dtype == PYTREE_STRING) { memcpy(&text, t.data, sizeof text); }
    return text;
}

static pytree field_of(const pytree_items *items, const char *name)
{
    size_t i;
    for (i = 0; i < items->count; i++) {
        if (strcmp(items->pairs[i].key, name) == 0) { return items->pairs[i].value; }
    }
    fprintf(stderr, "oracle.c: no field %s\n", name);
    abort();
}

static void adopt(Case *c, pytree *t);

static void adopt_struct(Case *c, pytree *t, const pytree_type *type)
{
    const pytree_items *items = t->data;
    char *self = take_memory(c, 1, type->size);
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        pytree value;
        if (row->row == PYTREE_ROW_DROP) { continue; }
        value = field_of(items, row->name);
        if (row->row == PYTREE_ROW_DATA) {
            adopt(c, &value);
            memcpy(self + row->offset, &value, sizeof value);
        } else if (row->type->dtype == PYTREE_STRING) {
            const char *text = text_of(value);
            memcpy(self + row->offset, &text, sizeof text);
        } else {
            memcpy(self + row->offset, value.data, row->size);
        }
    }
    t->type = type;
    t->data = self;
}

static void adopt_custom(Case *c, pytree *t, const pytree_type *type)
{
    pytree children = field_of(t->data, "children");
    Custom *self = take_memory(c, 1, sizeof *self);
    const char *meta = text_of(field_of(t->data, "meta"));
    adopt(c, &children);
    self->meta = take_memory(c, strlen(meta) + 1, 1);
    strcpy(self->meta, meta);
    self->n = ((const pytree_items *)children.data)->count;
    self->children = (pytree *)(uintptr_t)((const pytree_items *)children.data)->items;
    t->type = type;
    t->data = self;
}

/* A parsed tree, in whose memory it writes. */
static void adopt(Case *c, pytree *t)
{
    pytree_items *items = t->data;
    const pytree_type *type;
    size_t i;
    if (t->type->kind == PYTREE_KIND_LEAF || t->type->kind == PYTREE_KIND_NONE) { return; }
    type = t->type->kind == PYTREE_KIND_NAMEDTUPLE ? registered_type(items->name) : NULL;
    if (type != NULL && type->custom != NULL) { adopt_custom(c, t, type); return; }
    if (type != NULL) { adopt_struct(c, t, type); return; }
    if (c->bare) {
        items->order = NULL;
        items->packed = NULL;
        items->packed_bytes = 0;
    }
    for (i = 0; i < items->count; i++) {
        adopt(c, (pytree *)(uintptr_t)(items->int_pairs != NULL ? &items->int_pairs[i].value
                                       : items->pairs != NULL ? &items->pairs[i].value : &items->items[i]));
    }
}

/* ---- Writing the answer -------------------------------------------------------------------------------------------- */

static char *reserve(Case *c, size_t n)
{
    if (c->room - c->length <= n) {
        c->room = 2 * (c->length + n) + 256;
        c->text = realloc(c->text, c->room);
        if (c->text == NULL) { abort(); }
    }
    return c->text + c->length;
}

static void put(Case *c, const char *text)
{
    const size_t n = strlen(text);
    memcpy(reserve(c, n), text, n + 1);
    c->length += n;
}

static void put_format(Case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c->length += (size_t)vsnprintf(reserve(c, 256), 256, format, arguments);
    va_end(arguments);
}

/* A text as a literal, and NULL as None. */
static void put_quoted(Case *c, const char *text)
{
    if (text == NULL) { put(c, "None"); return; }
    put(c, "'");
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\' || (unsigned char)*text < ' ') {
            put_format(c, "\\x%02x", (unsigned)*text);
        } else {
            *reserve(c, 1) = *text;
            c->length++;
        }
    }
    put(c, "'");
}

static void put_name(Case *c, const char *name) { put_format(c, "'%s': ", name); }

static void put_error(Case *c, const pytree_error *err)
{
    put(c, "Error(");
    put_quoted(c, pytree_status_name(err->status));
    put(c, ", ");
    put_quoted(c, err->path);
    put(c, ", ");
    put_quoted(c, err->message);
    put(c, ")");
}

static void put_views(Case *c, size_t n, const pytree_leaf *views);

static void put_def_text(Case *c, const pytree_def *def)
{
    const size_t n = pytree_def_text(def, NULL, 0);
    char *text = take_memory(c, n + 1, 1);
    pytree_def_text(def, text, n + 1);
    put_quoted(c, text);
}

static void put_flat(Case *c, pytree t)
{
    pytree_error err = { 0 };
    pytree_options opt = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    opt.allocator = &c->allocator;
    if (pytree_flatten(t, &leaves, 0, &def, &opt, &err) != PYTREE_OK) { put_error(c, &err); return; }
    put(c, "Flat(");
    put_def_text(c, def);
    put(c, ", ");
    put_views(c, def->n_leaves, leaves);
    put(c, ")");
    pytree_def_free(def);
}

static void put_tree(Case *c, pytree t)
{
    pytree_error err = { 0 };
    pytree_options opt = { 0 };
    size_t n;
    opt.allocator = &c->allocator;
    n = pytree_literal_text(t, NULL, 0, &opt, &err);
    if (n != SIZE_MAX) {
        pytree_literal_text(t, reserve(c, n), n + 1, &opt, &err);
        c->length += n;
    } else if (err.status == PYTREE_TYPE) {
        put_flat(c, t);
    } else {
        put_error(c, &err);
    }
}

static void put_views(Case *c, size_t n, const pytree_leaf *views)
{
    size_t i;
    put(c, "[");
    for (i = 0; i < n; i++) {
        put_tree(c, pytree_of_view(&views[i]));
        put(c, ", ");
    }
    put(c, "]");
}

/* ---- Members of the answer: 'name': value, ---- */

static void say_number(Case *c, const char *name, size_t number) { put_format(c, "'%s': %zu, ", name, number); }
static void say_bool(Case *c, const char *name, bool truth) { put_format(c, "'%s': %s, ", name, truth ? "True" : "False"); }

static void say_error(Case *c, const char *name, const pytree_error *err)
{
    put_name(c, name);
    put_error(c, err);
    put(c, ", ");
}

static void say_tree(Case *c, const char *name, pytree t)
{
    put_name(c, name);
    put_tree(c, t);
    put(c, ", ");
}

static void say_views(Case *c, const char *name, size_t n, const pytree_leaf *views)
{
    put_name(c, name);
    put_views(c, n, views);
    put(c, ", ");
}

/* An owned tree, or the error; frees it. */
static void say_own(Case *c, const char *name, pytree t, const pytree_error *err)
{
    if (err->status != PYTREE_OK) { say_error(c, name, err); return; }
    say_tree(c, name, t);
    pytree_free(t);
}

/* Made(the tree, and rebuilt if its leaves are no subtrees), or the error; frees it. */
static void say_flat(Case *c, const char *name, pytree_flat *flat, const pytree_error *err)
{
    pytree_error rebuilt = { 0 };
    pytree_options opt = { 0 };
    pytree t;
    if (flat->def == NULL) { say_error(c, name, err); return; }
    opt.allocator = &c->allocator;
    put_name(c, name);
    put(c, "Made(");
    put_tree(c, PYTREE(flat));
    t = pytree_unflatten(flat->def, flat->def->n_leaves, flat->leaves, &opt, &rebuilt);
    if (rebuilt.status == PYTREE_OK) {
        put(c, ", ");
        put_tree(c, t);
        pytree_free(t);
    }
    put(c, "), ");
    pytree_flat_free(flat);
}

/* The tree that a treedef makes of 0, 1, 2, … */
static void put_counted(Case *c, const pytree_def *def)
{
    pytree_error err = { 0 };
    pytree_options opt = { 0 };
    pytree_leaf *leaves = take_memory(c, def->n_leaves, sizeof *leaves);
    int64_t *numbers = take_memory(c, def->n_leaves, sizeof *numbers);
    size_t i;
    pytree t;
    opt.allocator = &c->allocator;
    for (i = 0; i < def->n_leaves; i++) {
        numbers[i] = (int64_t)i;
        leaves[i].data = &numbers[i];
        leaves[i].type = PYTREE_TYPE(int64_t);
    }
    t = pytree_unflatten(def, def->n_leaves, leaves, &opt, &err);
    if (err.status != PYTREE_OK) { put_error(c, &err); return; }
    put_tree(c, t);
    pytree_free(t);
}

/* A treedef's text and the tree that it makes of 0, 1, 2, …, or the error; frees it. */
static void say_def(Case *c, const char *name, pytree_def *def, const pytree_error *err)
{
    if (def == NULL) { say_error(c, name, err); return; }
    put_name(c, name);
    put_def_text(c, def);
    put(c, ", 'counted': ");
    put_counted(c, def);
    put(c, ", ");
    pytree_def_free(def);
}

static void say_texts(Case *c, const char *name, const char **texts, size_t n, const pytree_error *err)
{
    size_t i;
    if (texts == NULL) { say_error(c, name, err); return; }
    put_name(c, name);
    put(c, "[");
    for (i = 0; i < n; i++) {
        put_quoted(c, texts[i]);
        put(c, ", ");
    }
    put(c, "], ");
    pytree_paths_free(texts);
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------- */

static const pytree_items *items_of(const Case *c, size_t i) { return c->arg[i].data; }
static const char *text_at(const Case *c, size_t i) { return text_of(c->arg[i]); }

/* None as a node, whatever the case says. */
static pytree_options plain(const Case *c)
{
    pytree_options opt = { 0 };
    opt.allocator = &c->allocator;
    return opt;
}

static pytree_def *def_of(const Case *c, size_t i, const pytree_options *opt)
{
    pytree_error err = { 0 };
    pytree_def *def = pytree_structure(c->arg[i], opt, &err);
    if (def == NULL) {
        fprintf(stderr, "oracle.c: argument %zu has no structure: %s\n", i, err.message);
        abort();
    }
    return def;
}

/* ---- Predicates and filters ---------------------------------------------------------------------------------------- */

/* Children of a container; SIZE_MAX of anything else. */
static size_t length_of(const pytree_leaf *value)
{
    return value->form == PYTREE_FORM_ITEMS ? ((const pytree_items *)value->data)->count : SIZE_MAX;
}

static bool has_key(const pytree_leaf *value, const char *key)
{
    const pytree_items *items = value->data;
    size_t i;
    if (value->form != PYTREE_FORM_ITEMS || value->type->kind == PYTREE_KIND_NAMEDTUPLE) { return false; }
    if (items->pairs == NULL) { return false; }
    for (i = 0; i < items->count; i++) {
        if (strcmp(items->pairs[i].key, key) == 0) { return true; }
    }
    return false;
}

/* An is_leaf whose context is the predicate's text. */
static bool predicate(void *context, const pytree_leaf *value, const pytree_path *path)
{
    const char *word = context;
    const bool items = value->form == PYTREE_FORM_ITEMS;
    const size_t length = length_of(value);
    if (strcmp(word, "is_none") == 0) { return value->form == PYTREE_FORM_NONE; }
    if (strcmp(word, "is_list") == 0) { return items && value->type->kind == PYTREE_KIND_LIST; }
    if (strcmp(word, "is_tuple") == 0) { return items && value->type->kind == PYTREE_KIND_TUPLE; }
    if (strcmp(word, "is_dict") == 0) { return items && value->type->kind == PYTREE_KIND_DICT; }
    if (strcmp(word, "is_struct") == 0) { return value->form == PYTREE_FORM_STRUCT && value->type->kind == PYTREE_KIND_STRUCT; }
    if (strcmp(word, "is_custom") == 0) { return value->type != NULL && value->type->kind == PYTREE_KIND_CUSTOM; }
    if (strcmp(word, "depth_ge_2") == 0) { return path->n >= 2; }
    if (strcmp(word, "not_root") == 0) { return path->n >= 1; }
    if (strncmp(word, "has_key:", 8) == 0) { return has_key(value, word + 8); }
    if (strncmp(word, "len_ge:", 7) == 0) { return length != SIZE_MAX && length >= strtoul(word + 7, NULL, 10); }
    return strcmp(word, "always") == 0;
}

static int64_t number_of(const pytree_leaf *leaf)
{
    int64_t number;
    memcpy(&number, leaf->data, sizeof number);
    return number;
}

static bool passes(void *context, const pytree_iter *at)
{
    const char *word = context;
    const pytree_leaf *leaf = at->leaf[0];
    const bool is_leaf = pytree_is_leaf(leaf);
    const pytree_dtype dtype = is_leaf ? leaf->type->dtype : PYTREE_NO_DTYPE;
    const bool integer = dtype >= PYTREE_I8 && dtype <= PYTREE_U64, number = integer || dtype == PYTREE_F64;
    if (strcmp(word, "int_even") == 0) { return integer && number_of(leaf) % 2 == 0; }
    if (strcmp(word, "gt:10") == 0) { return number && pytree_leaf_get(leaf, 0) > 10; }
    if (strcmp(word, "is_str") == 0) { return dtype == PYTREE_STRING; }
    if (strcmp(word, "is_number") == 0) { return number; }
    return strcmp(word, "always") == 0;
}

/* ---- Operations: one tree ------------------------------------------------------------------------------------------ */

static void say_iterated(Case *c, pytree t)
{
    pytree_error err = { 0 };
    pytree_iter it;
    put_name(c, "iterated");
    put(c, "[");
    if (pytree_iter_begin(&it, 1, &t, &c->opt, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const size_t n = pytree_iter_path_text(&it, NULL, 0);
            char *path = take_memory(c, n + 1, 1);
            pytree_iter_path_text(&it, path, n + 1);
            put(c, "(");
            put_quoted(c, path);
            put(c, ", ");
            put_tree(c, pytree_of_view(it.leaf[0]));
            put(c, "), ");
        }
    }
    pytree_iter_end(&it);
    if (err.status != PYTREE_OK) { put_error(c, &err); }
    put(c, "], ");
}

/* Saved, loaded, saved again: equal, the same bytes, the same tree when it is rebuilt. */
static void say_loaded(Case *c, const pytree_def *def, const pytree_leaf *leaves)
{
    pytree_error err = { 0 };
    pytree_options opt = plain(c);
    const size_t n = pytree_def_save(def, NULL, 0, &opt, &err);
    unsigned char *bytes, *again;
    pytree_def *loaded;
    if (n == SIZE_MAX) { say_error(c, "loaded", &err); return; }
    bytes = take_memory(c, n, 1);
    again = take_memory(c, n, 1);
    pytree_def_save(def, bytes, n, &opt, &err);
    loaded = pytree_def_load(bytes, n, registered, COUNT_OF(registered), &opt, &err);
    if (loaded == NULL) { say_error(c, "loaded", &err); return; }
    say_bool(c, "loaded", pytree_def_equal(def, loaded) && pytree_def_hash(def) == pytree_def_hash(loaded)
                          && pytree_def_save(loaded, again, n, &opt, &err) == n && memcmp(bytes, again, n) == 0);
    say_own(c, "rebuilt_loaded", pytree_unflatten(loaded, def->n_leaves, leaves, &opt, &err), &err);
    pytree_def_free(loaded);
}

static void op_flatten(Case *c)
{
    const pytree t = c->arg[0];
    pytree_error err = { 0 };
    pytree_leaf *leaves = NULL, *own;
    pytree_def *def = NULL, *structure, *copy;
    size_t n = 0;
    const char **texts;
    if (pytree_flatten(t, &leaves, 0, &def, &c->opt, &err) != PYTREE_OK) { say_error(c, "leaves", &err); return; }
    say_views(c, "leaves", def->n_leaves, leaves);
    put_name(c, "text");
    put_def_text(c, def);
    put(c, ", ");
    say_number(c, "num_leaves", pytree_def_num_leaves(def));
    say_number(c, "num_nodes", pytree_def_num_nodes(def));
    say_number(c, "num_children", pytree_def_num_children(def));
    say_bool(c, "is_leaf", pytree_def_is_leaf(def));
    say_number(c, "count", pytree_num_leaves(t, &c->opt, &err));
    own = take_memory(c, def->n_leaves, sizeof *own);
    pytree_leaves(t, own, def->n_leaves, &n, &c->opt, &err);
    say_views(c, "leaves_alone", n, own);
    texts = pytree_paths(t, NULL, &n, &c->opt, &err);
    say_texts(c, "keystr", texts, n, &err);
    texts = pytree_paths(t, "/", &n, &c->opt, &err);
    say_texts(c, "simple", texts, n, &err);
    texts = pytree_def_paths(def, NULL, &n, &c->opt, &err);
    say_texts(c, "def_keystr", texts, n, &err);
    say_iterated(c, t);
    structure = pytree_structure(t, &c->opt, &err);
    copy = pytree_def_copy(def, &c->opt, &err);
    say_bool(c, "same_structure", structure != NULL && copy != NULL && pytree_def_equal(def, structure)
                                  && pytree_def_hash(def) == pytree_def_hash(structure) && pytree_def_equal(copy, def));
    pytree_def_free(structure);
    pytree_def_free(copy);
    say_own(c, "rebuilt", pytree_unflatten(def, def->n_leaves, leaves, &c->opt, &err), &err);
    say_loaded(c, def, leaves);
    pytree_def_free(def);
    memset(&err, 0, sizeof err);
    say_own(c, "clone", pytree_clone(t, &c->opt, &err), &err);
}

/* (tree, [leaves]) */
static void op_unflatten(Case *c)
{
    const pytree_items *list = items_of(c, 1);
    pytree_leaf *leaves = take_memory(c, list->count, sizeof *leaves);
    pytree_error err = { 0 };
    pytree_def *def = def_of(c, 0, &c->opt);
    size_t i, n;
    pytree_options opt = c->opt;
    opt.none_is_leaf = true;
    for (i = 0; i < list->count; i++) { pytree_leaves(list->items[i], &leaves[i], 1, &n, &opt, &err); }
    say_own(c, "rebuilt", pytree_unflatten(def, list->count, leaves, &c->opt, &err), &err);
    pytree_def_free(def);
}

/* (tree, [paths of its leaves], [those in the simple form]) */
static void op_paths(Case *c)
{
    static const char *const names[] = { "values", "simple_values" };
    const pytree_items *list;
    size_t i, k;
    put_name(c, "texts");
    put(c, "[");
    for (list = items_of(c, 1), i = 0; i < list->count; i++) {
        pytree_error err = { 0 };
        pytree_path *path = pytree_path_parse(text_of(list->items[i]), NULL, &c->opt, &err);
        if (path == NULL) {
            put_error(c, &err);
        } else {
            const size_t n = pytree_path_text(path, NULL, 0);
            char *text = take_memory(c, n + 1, 1);
            pytree_path_text(path, text, n + 1);
            put_quoted(c, text);
        }
        pytree_path_free(path);
        put(c, ", ");
    }
    put(c, "], ");
    for (k = 0; k < 2; k++) {
        put_name(c, names[k]);
        put(c, "[");
        for (list = items_of(c, 1 + k), i = 0; i < list->count; i++) {
            pytree_error err = { 0 };
            pytree_path *path = pytree_path_parse(text_of(list->items[i]), k == 0 ? NULL : "/", &c->opt, &err);
            pytree_leaf leaf = { 0 };
            if (path != NULL) { leaf = pytree_get(c->arg[0], path, &c->opt, &err); }
            if (err.status == PYTREE_OK) { put_tree(c, pytree_of_view(&leaf)); } else { put_error(c, &err); }
            pytree_path_free(path);
            put(c, ", ");
        }
        put(c, "], ");
    }
}

static void op_children(Case *c)
{
    pytree_def *def = def_of(c, 0, &c->opt);
    const ptrdiff_t n = (ptrdiff_t)pytree_def_num_children(def);
    ptrdiff_t i;
    put_name(c, "type");
    put_quoted(c, pytree_def_type_name(def));
    put(c, ", 'children': [");
    for (i = -n; i < n; i++) {
        pytree_error err = { 0 };
        pytree_entry entry;
        pytree_def *child = pytree_def_child(def, i, &c->opt, &err);
        char text[400];
        pytree_path path = { 1, &entry };
        if (child == NULL || pytree_def_entry(def, i, &entry, &err) != PYTREE_OK) {
            put_error(c, &err);
        } else {
            put(c, "(");
            pytree_path_text(&path, text, sizeof text);
            put_quoted(c, text);
            put(c, ", ");
            put_def_text(c, child);
            put(c, ", ");
            put_counted(c, child);
            put(c, ")");
        }
        pytree_def_free(child);
        put(c, ", ");
    }
    put(c, "], ");
    {
        pytree_error err = { 0 };
        say_def(c, "beyond", pytree_def_child(def, n, &c->opt, &err), &err);
    }
    pytree_def_free(def);
}

static void op_one_level(Case *c)
{
    pytree_error err = { 0 };
    size_t n = 0, i;
    pytree_leaf *children;
    pytree_entry *keys;
    if (pytree_children(c->arg[0], NULL, NULL, 0, &n, &c->opt, &err) == PYTREE_ARGUMENT) {
        say_error(c, "children", &err);
        return;
    }
    children = take_memory(c, n, sizeof *children);
    keys = take_memory(c, n, sizeof *keys);
    memset(&err, 0, sizeof err);
    if (pytree_children(c->arg[0], children, keys, n, &n, &c->opt, &err) != PYTREE_OK) {
        say_error(c, "children", &err);
        return;
    }
    say_views(c, "children", n, children);
    put(c, "'keys': [");
    for (i = 0; i < n; i++) {
        char text[400];
        pytree_path path;
        path.n = 1;
        path.entries = &keys[i];
        pytree_path_text(&path, text, sizeof text);
        put_quoted(c, text);
        put(c, ", ");
    }
    put(c, "], ");
}

/* Leaves, and of nodes how many children they have, in post-order. */
static int enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Case *c = context;
    (void)path;
    if (pytree_is_leaf(value) || (value->form == PYTREE_FORM_NONE && c->opt.none_is_leaf)) {
        put(c, "('leaf', ");
        put_tree(c, pytree_of_view(value));
        put(c, "), ");
    } else if (value->form == PYTREE_FORM_NONE) {              /* there is nothing to leave */
        put(c, "('node', 0), ");
    }
    return PYTREE_WALK_ON;
}

static int leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Case *c = context;
    size_t n = 0;
    (void)path;
    if (pytree_is_leaf(value) || value->form == PYTREE_FORM_NONE) { return PYTREE_WALK_ON; }
    pytree_children(pytree_of_view(value), NULL, NULL, 0, &n, &c->opt, NULL);
    put_format(c, "('node', %zu), ", n);
    return PYTREE_WALK_ON;
}

static void op_walk(Case *c)
{
    pytree_error err = { 0 };
    pytree_visitor visitor = { enter, leave, NULL };
    visitor.context = c;
    put(c, "'events': [");
    pytree_walk(c->arg[0], &visitor, &c->opt, &err);
    if (err.status != PYTREE_OK) { put_error(c, &err); }
    put(c, "], ");
}

/* ---- Operations: folds --------------------------------------------------------------------------------------------- */

/* "(ab)" of two texts, in the case's memory. */
static char *bracket(Case *c, const char *a, const char *b)
{
    char *text = take_memory(c, strlen(a) + strlen(b) + 3, 1);
    sprintf(text, "(%s%s)", a, b);
    return text;
}

typedef struct Fold {
    Case *c;
    const char *value;                    /* NULL: nothing yet */
} Fold;

static pytree_status fold_left(void *context, const pytree_iter *at)
{
    Fold *fold = context;
    const char *leaf = text_of(pytree_of_view(at->leaf[0]));
    memcpy(&leaf, at->leaf[0]->data, sizeof leaf);
    fold->value = fold->value == NULL ? leaf : bracket(fold->c, fold->value, leaf);
    return PYTREE_OK;
}

static pytree_status fold_leaf(void *context, const pytree_iter *at, void *value)
{
    (void)context;
    memcpy(value, at->leaf[0]->data, sizeof(char *));
    return PYTREE_OK;
}

static pytree_status fold_join(void *context, void *a, const void *b)
{
    Fold *fold = context;
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x = bracket(fold->c, x, y);
    memcpy(a, &x, sizeof x);
    return PYTREE_OK;
}

/* (tree of texts, text to begin with or None) */
static void op_reduce(Case *c)
{
    pytree_error err = { 0 };
    Fold fold = { NULL, NULL };
    const char *result = NULL;
    fold.c = c;
    fold.value = text_at(c, 1);
    pytree_reduce(fold_left, &fold, c->arg[0], &c->opt, &err);
    put_name(c, "left");
    if (err.status == PYTREE_OK) { put_quoted(c, fold.value); } else { put_error(c, &err); }
    memset(&err, 0, sizeof err);
    pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof result, &result, c->arg[0], &c->opt, &err);
    put(c, ", 'balanced': ");
    if (err.status == PYTREE_OK) { put_quoted(c, result); } else { put_error(c, &err); }
    put(c, ", ");
}

static void op_fold(Case *c)
{
    static const struct {
        const char *name;
        pytree_status (*fold)(pytree t, double *result, const pytree_options *opt, pytree_error *err);
    } numbers[] = { { "sum", pytree_sum }, { "max", pytree_max }, { "min", pytree_min } };
    static const struct {
        const char *name;
        pytree_status (*fold)(pytree t, bool *result, const pytree_options *opt, pytree_error *err);
    } truths[] = { { "all", pytree_all }, { "any", pytree_any } };
    size_t i;
    for (i = 0; i < COUNT_OF(numbers); i++) {
        pytree_error err = { 0 };
        double result = 0;
        if (numbers[i].fold(c->arg[0], &result, &c->opt, &err) != PYTREE_OK) { say_error(c, numbers[i].name, &err); }
        else { say_tree(c, numbers[i].name, PYTREE(&result)); }
    }
    for (i = 0; i < COUNT_OF(truths); i++) {
        pytree_error err = { 0 };
        bool result = false;
        if (truths[i].fold(c->arg[0], &result, &c->opt, &err) != PYTREE_OK) { say_error(c, truths[i].name, &err); }
        else { say_bool(c, truths[i].name, result); }
    }
}

/* ---- Operations: two treedefs -------------------------------------------------------------------------------------- */

static void op_equality(Case *c)
{
    pytree_def *a = def_of(c, 0, &c->opt), *b = def_of(c, 1, &c->opt), *switched;
    pytree_options other = c->opt;
    pytree_error err = { 0 };
    pytree_def_error_list *list;
    size_t i;
    other.none_is_leaf = !c->opt.none_is_leaf;
    switched = def_of(c, 1, &other);
    say_bool(c, "equal_switched", pytree_def_equal(a, switched));
    pytree_def_free(switched);
    say_bool(c, "equal", pytree_def_equal(a, b));
    say_bool(c, "hash_equal", pytree_def_hash(a) == pytree_def_hash(b));
    say_bool(c, "is_prefix", pytree_def_is_prefix(a, b, false, &c->opt, NULL));
    say_bool(c, "is_prefix_strict", pytree_def_is_prefix(a, b, true, &c->opt, NULL));
    say_bool(c, "is_suffix", pytree_def_is_suffix(a, b, false, &c->opt, NULL));
    say_bool(c, "is_suffix_strict", pytree_def_is_suffix(a, b, true, &c->opt, NULL));
    say_bool(c, "trees_equal", pytree_equal(c->arg[0], c->arg[1], NULL, &c->opt, NULL));
    list = pytree_def_differences(a, b, &c->opt, &err);
    if (list == NULL) {
        say_error(c, "differences", &err);
    } else {
        put(c, "'differences': [");
        for (i = 0; i < list->n; i++) {
            put(c, "(");
            put_quoted(c, list->errors[i].path);
            put_format(c, ", '%s'), ", pytree_mismatch_name(list->errors[i].kind));
        }
        put(c, "], ");
        pytree_def_errors_free(list);
    }
    pytree_def_free(a);
    pytree_def_free(b);
}

static void op_compose(Case *c)
{
    pytree_def *outer = def_of(c, 0, &c->opt), *inner = def_of(c, 1, &c->opt), *def;
    pytree_error err = { 0 };
    def = pytree_def_compose(outer, inner, &c->opt, &err);
    if (def != NULL) {
        say_number(c, "num_leaves", pytree_def_num_leaves(def));
        say_number(c, "num_nodes", pytree_def_num_nodes(def));
    }
    say_def(c, "text", def, &err);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

static void op_tuple(Case *c)
{
    const pytree_def **defs = take_memory(c, c->n, sizeof *defs);
    pytree_error err = { 0 };
    size_t i;
    for (i = 0; i < c->n; i++) { defs[i] = def_of(c, i, &c->opt); }
    say_def(c, "text", pytree_def_tuple(c->n, defs, &c->opt, &err), &err);
    for (i = 0; i < c->n; i++) { pytree_def_free((pytree_def *)(uintptr_t)defs[i]); }
}

/* (tree, text of its treedef, …): does each text read as the treedef? */
static void op_def_parse(Case *c)
{
    const pytree_type *types[COUNT_OF(registered) + 5];
    pytree_def *def = def_of(c, 0, &c->opt);
    size_t i;
    memcpy(types, registered, sizeof registered);
    types[COUNT_OF(registered)] = PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" });
    types[COUNT_OF(registered) + 1] = PYTREE_NAMEDTUPLE_TYPE("Pair", { .name = "first" }, { .name = "second" });
    types[COUNT_OF(registered) + 2] = PYTREE_NAMEDTUPLE_TYPE("Only", { .name = "value" });
    types[COUNT_OF(registered) + 3] = PYTREE_NAMEDTUPLE_TYPE("Quad", { .name = "d" }, { .name = "c" }, { .name = "b" },
                                                             { .name = "a" });
    types[COUNT_OF(registered) + 4] = &(const pytree_type){ .name = "Nil", .kind = PYTREE_KIND_NAMEDTUPLE };
    put(c, "'equal': [");
    for (i = 1; i < c->n; i++) {
        pytree_error err = { 0 };
        pytree_def *parsed = pytree_def_parse(text_at(c, i), types, COUNT_OF(types), &c->opt, &err);
        if (parsed == NULL) { put_error(c, &err); } else { put(c, pytree_def_equal(def, parsed) ? "True" : "False"); }
        pytree_def_free(parsed);
        put(c, ", ");
    }
    put(c, "], ");
    pytree_def_free(def);
}

/* ---- Operations: prefixes ------------------------------------------------------------------------------------------ */

static void say_up_to(Case *c, const pytree_def *def, pytree t)
{
    pytree_error err = { 0 };
    pytree_leaf *subtrees = take_memory(c, def->n_leaves, sizeof *subtrees);
    if (pytree_flatten_up_to(def, t, subtrees, def->n_leaves, &c->opt, &err) != PYTREE_OK) { say_error(c, "up_to", &err); }
    else { say_views(c, "up_to", def->n_leaves, subtrees); }
}

static void put_entries(Case *c, size_t n, const pytree_entry *entries)
{
    size_t i;
    put(c, "[");
    for (i = 0; i < n; i++) {
        if (entries[i].kind == PYTREE_KEY) { put_quoted(c, entries[i].name); }
        else { put_format(c, "%lld", (long long)(int64_t)entries[i].index); }
        put(c, ", ");
    }
    put(c, "]");
}

static void say_mismatches(Case *c, pytree prefix, const pytree_def *full)
{
    pytree_error err = { 0 };
    pytree_prefix_error_list *list = pytree_prefix_errors(prefix, full, "prefix", &c->opt, &err);
    size_t i;
    if (list == NULL) { say_error(c, "mismatches", &err); return; }
    put(c, "'mismatches': [");
    for (i = 0; i < list->n; i++) {
        const pytree_prefix_error *one = &list->errors[i];
        put(c, "(");
        put_quoted(c, one->path);
        put_format(c, ", '%s', ", pytree_mismatch_name(one->kind));
        put_entries(c, one->n_missing, one->missing);
        put(c, ", ");
        put_entries(c, one->n_extra, one->extra);
        put(c, "), ");
    }
    put(c, "], ");
    pytree_prefix_errors_free(list);
}

/* One entry for each leaf. */
static void say_broadcast(Case *c, pytree prefix, const pytree_def *full)
{
    pytree_error err = { 0 };
    pytree_leaf *leaves = take_memory(c, full->n_leaves, sizeof *leaves);
    if (pytree_broadcast_leaves(prefix, full, leaves, full->n_leaves, "prefix", &c->opt, &err) != PYTREE_OK) {
        say_error(c, "flat", &err);
    } else {
        say_views(c, "flat", full->n_leaves, leaves);
    }
}

/* (prefix, full tree) */
static void op_prefix(Case *c)
{
    pytree_error err = { 0 };
    pytree_def *prefix = def_of(c, 0, &c->opt), *full = def_of(c, 1, &c->opt);
    pytree_flat flat = pytree_broadcast_prefix(c->arg[0], full, "prefix", &c->opt, &err);
    say_flat(c, "broadcast", &flat, &err);
    say_broadcast(c, c->arg[0], full);
    say_mismatches(c, c->arg[0], full);
    say_up_to(c, prefix, c->arg[1]);
    pytree_def_free(prefix);
    pytree_def_free(full);
}

/* (axes, argument): None is an entry of the axes and a node of the argument. */
static void op_axes(Case *c)
{
    const pytree_options opt = plain(c);
    pytree_def *full = def_of(c, 1, &opt);
    c->opt.none_is_leaf = true;
    say_broadcast(c, c->arg[0], full);
    pytree_def_free(full);
}

/* ---- Operations: map ----------------------------------------------------------------------------------------------- */

/* What the function received, and the tuples that it returned. */
typedef struct Calls {
    Case *c;
    pytree_leaf *results;
    size_t n, capacity;
} Calls;

static pytree_status called(void *context, const pytree_iter *at)
{
    Calls *calls = context;
    pytree_leaf *views = take_memory(calls->c, at->n, sizeof *views), *result;
    pytree *values = take_memory(calls->c, at->n, sizeof *values);
    pytree_items *tuple = take_memory(calls->c, 1, sizeof *tuple);
    size_t i;
    if (calls->n == calls->capacity) {
        const size_t capacity = 2 * calls->capacity + 64;
        pytree_leaf *grown = take_memory(calls->c, capacity, sizeof *grown);
        if (calls->n != 0) { memcpy(grown, calls->results, calls->n * sizeof *grown); }
        calls->results = grown;
        calls->capacity = capacity;
    }
    for (i = 0; i < at->n; i++) {
        views[i] = *at->leaf[i];
        values[i] = pytree_of_view(&views[i]);
    }
    tuple->count = at->n;
    tuple->items = values;
    result = &calls->results[calls->n++];
    result->data = tuple;
    result->type = &pytree_types[PYTREE__T_tuple];
    result->form = PYTREE_FORM_ITEMS;
    return PYTREE_OK;
}

static void say_calls(Case *c, const Calls *calls, const pytree_error *err)
{
    if (err->status != PYTREE_OK) { say_error(c, "calls", err); } else { say_views(c, "calls", calls->n, calls->results); }
    say_number(c, "n_calls", calls->n);
}

static void op_map(Case *c)
{
    pytree_error err = { 0 };
    Calls calls = { NULL, NULL, 0, 0 };
    pytree_flat result;
    calls.c = c;
    pytree_map(called, &calls, NULL, c->n, c->arg, &c->opt, &err);
    say_calls(c, &calls, &err);
    if (err.status == PYTREE_OK) {
        pytree_def *def = def_of(c, 0, &c->opt);
        result.def = def;
        result.leaves = calls.results;
        say_tree(c, "result", PYTREE(&result));
        pytree_def_free(def);
    }
}

static void op_common(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat a = { NULL, NULL }, b = { NULL, NULL };
    pytree_def *x = def_of(c, 0, &c->opt), *y = def_of(c, 1, &c->opt);
    Calls calls = { NULL, NULL, 0, 0 };
    calls.c = c;
    pytree_broadcast_common(c->arg[0], c->arg[1], &a, &b, &c->opt, &err);
    say_flat(c, "a", &a, &err);
    say_flat(c, "b", &b, &err);
    memset(&err, 0, sizeof err);
    say_def(c, "suffix", pytree_def_common_suffix(x, y, &c->opt, &err), &err);
    pytree_def_free(x);
    pytree_def_free(y);
    memset(&err, 0, sizeof err);
    pytree_broadcast_map(called, &calls, NULL, c->n, c->arg, &c->opt, &err);
    say_calls(c, &calls, &err);
}

/* ---- Operations: turned over, parts -------------------------------------------------------------------------------- */

/* (outer, inner or the text 'inferred', tree) */
static void op_transpose(Case *c)
{
    pytree_error err = { 0 };
    const char *word = text_at(c, 1);
    pytree_def *outer = def_of(c, 0, &c->opt), *inner = NULL;
    pytree_flat result;
    if (word == NULL || strcmp(word, "inferred") != 0) { inner = def_of(c, 1, &c->opt); }
    result = pytree_transpose(outer, inner, c->arg[2], &c->opt, &err);
    say_flat(c, "result", &result, &err);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

/* x => (x, {'k': x}) */
static pytree_status give_two(void *context, const pytree_iter *at, pytree_taker *to)
{
    Case *c = context;
    pytree_leaf *view = take_memory(c, 1, sizeof *view);
    *view = *at->leaf[0];
    return pytree_give(to, PYTREE_TUPLE(pytree_of_view(view), PYTREE_DICT({ "k", pytree_of_view(view) })));
}

static void op_transpose_map(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat result = pytree_transpose_map(give_two, c, NULL, 1, c->arg, &c->opt, &err);
    say_flat(c, "result", &result, &err);
}

/* (tree, filter's name, what stands in the holes) */
static void op_partition(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat passing = { NULL, NULL }, failing = { NULL, NULL }, both = { NULL, NULL };
    pytree parts[2];
    pytree_partition(c->arg[0], passes, (void *)(uintptr_t)text_at(c, 1), c->arg[2], &passing, &failing, &c->opt, &err);
    if (err.status == PYTREE_OK) {
        parts[0] = PYTREE(&passing);
        parts[1] = PYTREE(&failing);
        both = pytree_combine(2, parts, &c->opt, &err);
    }
    say_flat(c, "combined", &both, &err);
    say_flat(c, "passing", &passing, &err);
    say_flat(c, "failing", &failing, &err);
}

/* (tree, what stands in place of None) */
static void op_replace_none(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat result = pytree_replace_none(c->arg[0], c->arg[1], &c->opt, &err);
    say_flat(c, "result", &result, &err);
}

/* ---- Operations: literals ------------------------------------------------------------------------------------------ */

/* (literal, …): each parsed and printed, and that once more. */
static void op_literal(Case *c)
{
    pytree_options opt = plain(c);
    size_t i;
    put(c, "'trees': [");
    for (i = 0; i < c->n; i++) {
        pytree_error err = { 0 };
        pytree t = pytree_parse(text_at(c, i), &opt, &err), again;
        const size_t start = c->length;
        size_t length;
        if (err.status != PYTREE_OK) {
            put_error(c, &err);
        } else {
            put_tree(c, t);
            pytree_free(t);
            length = c->length - start;
            again = pytree_parse_n(c->text + start, length, &opt, &err);
            if (err.status != PYTREE_OK) {
                put_error(c, &err);
            } else {
                char *first = take_memory(c, length + 1, 1);
                memcpy(first, c->text + start, length);
                c->length = start;
                put_tree(c, again);
                if (c->length - start != length || memcmp(first, c->text + start, length) != 0) {
                    put(c, " == 'printed otherwise'");
                }
                pytree_free(again);
            }
        }
        put(c, ", ");
    }
    put(c, "], ");
}

/* ---- Requests --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(Case *c);
} operations[] = {
    { "flatten", op_flatten }, { "unflatten", op_unflatten }, { "paths", op_paths }, { "children", op_children },
    { "one_level", op_one_level }, { "walk", op_walk }, { "reduce", op_reduce }, { "fold", op_fold },
    { "equality", op_equality }, { "compose", op_compose }, { "tuple", op_tuple }, { "def_parse", op_def_parse },
    { "prefix", op_prefix }, { "axes", op_axes }, { "map", op_map }, { "common", op_common }, { "transpose", op_transpose },
    { "transpose_map", op_transpose_map }, { "partition", op_partition }, { "replace_none", op_replace_none },
    { "literal", op_literal }
};

static void read_options(Case *c, const pytree_items *options)
{
    size_t i;
    c->opt.allocator = &c->allocator;
    for (i = 0; i < options->count; i++) {
        const char *name = options->pairs[i].key;
        const pytree value = options->pairs[i].value;
        if (strcmp(name, "nil") == 0) {
            memcpy(&c->opt.none_is_leaf, value.data, sizeof c->opt.none_is_leaf);
        } else if (strcmp(name, "bare") == 0) {
            memcpy(&c->bare, value.data, sizeof c->bare);
        } else {
            c->opt.is_leaf = predicate;
            c->opt.is_leaf_context = (void *)(uintptr_t)text_of(value);
        }
    }
}

/* To be freed. */
static char *answer(const char *request, size_t n)
{
    Case c = { 0 };
    pytree_error err = { 0 };
    pytree t;
    size_t i;
    c.allocator.resize = counted;
    c.allocator.context = &c.live;
    c.opt.allocator = &c.allocator;
    t = pytree_parse_n(request, n, &c.opt, &err);
    if (err.status != PYTREE_OK) {
        put_error(&c, &err);
    } else {
        const pytree_items *items = t.data;
        read_options(&c, items->items[1].data);
        c.arg = items->items + 2;
        c.n = items->count - 2;
        adopt(&c, &t);
        put(&c, "{");
        for (i = 0; i < COUNT_OF(operations); i++) {
            if (strcmp(operations[i].name, text_of(items->items[0])) == 0) { operations[i].run(&c); }
        }
        pytree_free(t);
        say_number(&c, "lost", c.live);
        put(&c, "}");
    }
    while (c.chunks != NULL) {
        Chunk *next = c.chunks->next;
        free(c.chunks);
        c.chunks = next;
    }
    return c.text;
}

int main(void)
{
    unsigned long n;
    while (scanf("%lu", &n) == 1 && getchar() == '\n') {
        char *request = malloc(n + 1), *text;
        if (request == NULL || fread(request, 1, n, stdin) != n) { return 1; }
        text = answer(request, n);
        printf("%zu\n%s", strlen(text), text);
        fflush(stdout);
        free(request);
        free(text);
    }
    return 0;
}
