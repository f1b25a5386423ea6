/* oracle_case.h: a case: its memory, arguments and predicates, and how its answer is written. Included by oracle.c. */
#ifndef ORACLE_CASE_H
#define ORACLE_CASE_H

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

#endif
