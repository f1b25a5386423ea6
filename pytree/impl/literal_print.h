/* pytree/impl/literal_print.h: printing trees as literals. */
#ifndef PYTREE_IMPL_LITERAL_PRINT_H
#define PYTREE_IMPL_LITERAL_PRINT_H

#include "literal_tree.h"

/* ---- Print --------------------------------------------------------------------------------------------------------- */

typedef struct pytree__lit_writer {
    struct pytree__text_writer to;        /* the caller's buffer, or `buffer` */
    struct pytree__text_writer direct;    /* the file, for output longer than `buffer` */
    bool dry;                             /* check only, write nothing */
    unsigned char *packed;                /* static values of the current struct */
    size_t max_packed;
    pytree__cursor cursor;
    pytree__cursor_space stacks;
    char buffer[PYTREE__PIECE];
} pytree__lit_writer;

/* Write what the buffer holds to the file. */
static void pytree__lit_flush(pytree__lit_writer *w)
{
    if (w->to.length != 0) {
        w->direct.file->write(w->direct.file->file, w->buffer, w->to.length);
        w->to.length = 0;
    }
}

/* Return the writer for the next output of at most n bytes. */
PYTREE__INLINE struct pytree__text_writer *pytree__lit_to(pytree__lit_writer *w, size_t n)
{
    if (w->direct.file == NULL || n <= w->to.room - w->to.length) { return &w->to; }
    pytree__lit_flush(w);
    return n <= w->to.room ? &w->to : &w->direct;
}

static void pytree__lit_put(pytree__lit_writer *w, const char *s)
{
    size_t n = strlen(s);
    if (!w->dry) { pytree__text_put(pytree__lit_to(w, n), s, n); }
}

static void pytree__lit_put_repr(pytree__lit_writer *w, const char *s, size_t n)
{
    if (!w->dry) { pytree__put_repr(pytree__lit_to(w, pytree__plus(pytree__times(n, 6), 2)), s, n); }
}

/* Write an element, without its type. */
static void pytree__lit_put_element(pytree__lit_writer *w, const pytree_leaf *leaf, size_t i)
{
    const char *at = (const char *)leaf->data + i * leaf->type->size;
    const char *s = pytree__constant_name(leaf->type, at);
    if (w->dry) { return; }
    if (s != NULL || leaf->type->dtype == PYTREE_STRING) {
        if (s == NULL) { memcpy(&s, at, sizeof s); }
        if (s == NULL) { pytree__lit_put(w, "None"); } else { pytree__lit_put_repr(w, s, strlen(s)); }
        return;
    }
    pytree__put_packed(pytree__lit_to(w, 200), pytree__origin(leaf->type), (const unsigned char *)at);
}

/* Write [[1.0, 2.0], [3.0, 4.0]], or [], shape=(0, 3). */
static void pytree__lit_put_array(pytree__lit_writer *w, const pytree_leaf *leaf)
{
    const size_t count = pytree_leaf_count(leaf);
    size_t index[PYTREE_MAX_DIMS] = { 0 }, i;
    int d, open = leaf->ndim;
    if (w->dry) { return; }
    if (count == 0) {
        pytree__lit_put(w, leaf->ndim > 1 ? "[], shape=(" : "[]");
        for (d = 0; leaf->ndim > 1 && d < leaf->ndim; d++) {
            pytree__put_number(pytree__lit_to(w, 20), leaf->shape[d]);
            pytree__lit_put(w, d + 1 < leaf->ndim ? ", " : ")");
        }
        return;
    }
    for (i = 0; i < count; i++) {
        if (i != 0) { pytree__lit_put(w, ", "); }
        for (; open > 0; open--) { pytree__lit_put(w, "["); }
        pytree__lit_put_element(w, leaf, i);
        for (d = leaf->ndim; d > 0 && ++index[d - 1] == leaf->shape[d - 1]; d--) {
            index[d - 1] = 0;
            pytree__lit_put(w, "]");
            open++;
        }
    }
}

static pytree_status pytree__lit_unwritable(const pytree__lit_writer *w, const char *what, const char *name)
{
    return pytree__fail_at(&w->cursor, PYTREE_TYPE, "expected a tree that a literal can express, got %s '%s'", what, name);
}

static pytree_status pytree__lit_put_leaf(pytree__lit_writer *w, const pytree_leaf *leaf)
{
    const pytree_type *type = pytree__origin(leaf->type);
    const bool plain = type->constants != NULL || (leaf->ndim == 0
        && (type->dtype == PYTREE_BOOL8 || type->dtype == PYTREE_I64 || type->dtype == PYTREE_F64 || type->dtype == PYTREE_C128
            || type->dtype == PYTREE_STRING));
    if (type->dtype == PYTREE_OPAQUE) { return pytree__lit_unwritable(w, "a leaf of the opaque type", type->name); }
    if (type->dtype == PYTREE_TEXT) {
        if (leaf->ndim != 1) { return pytree__lit_unwritable(w, "several strings in one array of", type->name); }
        pytree__lit_put_repr(w, (const char *)leaf->data, pytree__text_length((const char *)leaf->data, leaf->shape[0]));
        return PYTREE_OK;
    }
    if (!plain) {
        pytree__lit_put(w, pytree__lit_type_name(type));
        pytree__lit_put(w, "(");
    }
    if (leaf->ndim != 0) { pytree__lit_put_array(w, leaf); } else { pytree__lit_put_element(w, leaf, 0); }
    if (!plain) { pytree__lit_put(w, ")"); }
    return PYTREE_OK;
}

/* Write packed static values with their names: din=2, size=(3, 4). Return false for an address. Structs among static values
 * are nested by value, so C's declarations bound the recursion. */
static bool pytree__lit_put_statics(pytree__lit_writer *w, const pytree_type *type, const unsigned char **at, bool *any)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        const bool address = row->type == NULL || row->type->dtype == PYTREE_OPAQUE
            || (row->type->dtype == PYTREE_NO_DTYPE && row->form != PYTREE__PACK_STRUCT);
        const size_t step = address ? 1 : row->type->size;
        pytree_leaf leaf;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (*any) { pytree__lit_put(w, ", "); }
        *any = true;
        pytree__lit_put(w, row->name);
        if (row->form == PYTREE__PACK_CHARS) {
            pytree__lit_put(w, "=");
            pytree__lit_put_repr(w, (const char *)*at, pytree__text_length((const char *)*at, row->size));
            *at += row->size;
            continue;
        }
        pytree__lit_put(w, row->ndim != 0 ? "=(" : "=");
        for (k = 0; k < row->size; k += step) {
            if (k != 0 && !address) { pytree__lit_put(w, ", "); }
            if (address) {                /* NULL needs no entry */
                if (*(*at)++ != 0) { return false; }
                if ((k + 1) % sizeof(void *) == 0) { pytree__lit_put(w, k + 1 == row->size ? "None" : "None, "); }
            } else if (row->form == PYTREE__PACK_STRUCT) {
                bool inner = false;
                pytree__lit_put(w, row->type->name);
                pytree__lit_put(w, "(");
                if (!pytree__lit_put_statics(w, row->type, at, &inner)) { return false; }
                pytree__lit_put(w, ")");
            } else if (row->form == PYTREE__PACK_TEXT) {
                size_t n;
                const char *s = pytree__string_at(*at, &n);
                if (s == NULL) { pytree__lit_put(w, "None"); } else { pytree__lit_put_repr(w, s, n); }
                *at = pytree__skip_strings(*at, 1);
            } else {
                memset(&leaf, 0, sizeof leaf);
                leaf.type = row->type;
                leaf.data = (void *)(uintptr_t)*at;
                pytree__lit_put_element(w, &leaf, 0);
                *at += step;
            }
        }
        if (row->ndim != 0) { pytree__lit_put(w, row->size / (address ? sizeof(void *) : step) == 1 ? ",)" : ")"); }
    }
    return true;
}

/* Pack the static values of an open struct. Return NULL with an error if memory runs out. */
static const unsigned char *pytree__lit_packed(pytree__lit_writer *w, const pytree__frame *f)
{
    static const unsigned char nothing[1] = { 0 };
    pytree__statics statics = { NULL, 0, 0 };
    void *grown;
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        return flat->def->statics + flat->def->nodes[f->shape[0]].meta;
    }
    pytree__pack_struct(&statics, f->type, f->self);
    if (statics.length == 0) { return nothing; }
    grown = pytree__array_grow(w->packed, &w->max_packed, statics.length, 1, pytree__allocator(w->cursor.opt), w->cursor.err);
    if (grown == NULL) { return NULL; }
    statics.at = w->packed = (unsigned char *)grown;
    statics.room = statics.length;
    statics.length = 0;
    pytree__pack_struct(&statics, f->type, f->self);
    return w->packed;
}

/* Return the type that an open node is written as. */
static const pytree_type *pytree__lit_written_as(const pytree__frame *f)
{
    return pytree__origin(pytree__type_of_form(f->form, f->type));
}

static bool pytree__lit_has_statics(const pytree_type *type)
{
    unsigned i;
    for (i = 0; i < type->n_fields && type->fields[i].row != PYTREE_ROW_STATIC; i++) {}
    return i < type->n_fields;
}

/* Write the name of a node that has one, if the notation allows it. */
static pytree_status pytree__lit_put_name(pytree__lit_writer *w, const char *name)
{
    const size_t n = strlen(name);
    if (pytree__type_of_word(name, n) != NULL || n == 0 || pytree__word(name, n) != n || pytree__lit_type_of(name, n) != 0) {
        return pytree__lit_unwritable(w, "a namedtuple or struct with the name", name);
    }
    pytree__lit_put(w, name);
    return PYTREE_OK;
}

static void pytree__lit_put_factory(pytree__lit_writer *w, const pytree__frame *f)
{
    const char *name = pytree__items_name(f);
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        name = pytree__string_at(flat->def->statics + flat->def->nodes[f->shape[0]].meta, NULL);
    }
    if (name == NULL) { pytree__lit_put(w, "None"); return; }
    pytree__lit_put(w, "<class ");
    pytree__lit_put_repr(w, name, strlen(name));
    pytree__lit_put(w, ">");
}

static pytree_status pytree__lit_put_meta(pytree__lit_writer *w, const pytree__frame *f)
{
    const unsigned char *packed;
    bool any = false;
    switch (pytree__traits(pytree__lit_written_as(f))->meta) {
    case PYTREE__META_NAME: return pytree__lit_put_name(w, pytree__frame_name(f));
    case PYTREE__META_FACTORY: pytree__lit_put_factory(w, f); break;
    case PYTREE__META_MAXLEN:
        if (!w->dry) { pytree__put_maxlen(pytree__lit_to(w, 32), pytree__frame_maxlen(f), true); }
        break;
    default:                              /* static values: nodes of other kinds have no place for such words */
        packed = pytree__lit_packed(w, f);
        if (packed == NULL) { return PYTREE_NO_MEMORY; }
        if (!pytree__lit_put_statics(w, f->type, &packed, &any)) {
            return pytree__lit_unwritable(w, "an address among the static values of", f->type->name);
        }
        break;
    }
    return PYTREE_OK;
}

/* Write an opening or closing of the table of kinds, with the placeholders filled in for the open node: see kind.h. */
static pytree_status pytree__lit_put_pattern(pytree__lit_writer *w, const pytree__frame *f, const char *pattern)
{
    pytree_status status = PYTREE_OK;
    char text[32];
    for (; *pattern != '\0' && status == PYTREE_OK;) {
        const size_t n = strcspn(pattern, "%");
        memcpy(text, pattern, n);
        text[n] = '\0';
        pytree__lit_put(w, text);
        pattern += n;
        if (*pattern == '%') {
            status = pattern[1] == 't' ? pytree__lit_put_name(w, f->type->name) : pytree__lit_put_meta(w, f);
            pattern += 2;
        }
    }
    return status;
}

/* Write the opening of the node that was just opened. */
static pytree_status pytree__lit_put_begin(pytree__lit_writer *w)
{
    pytree__frame *f = &w->cursor.frames[w->cursor.n_frames - 1];
    const struct pytree__notation *notation = pytree__literal_text(pytree__lit_written_as(f));
    if (f->from == PYTREE__FROM_PAIRS) {      /* checked already: in their own order */
        f->order = NULL;
        f->ordered = false;
    }
    if (notation->open == NULL) { return pytree__lit_unwritable(w, "the custom node", f->type->name); }
    return pytree__lit_put_pattern(w, f, pytree__opening(notation, f->count));
}

/* Write the closing of a node. */
static pytree_status pytree__lit_put_end(pytree__lit_writer *w, const pytree__frame *f)
{
    return pytree__lit_put_pattern(w, f, pytree__closing(pytree__literal_text(pytree__lit_written_as(f)), f->count));
}

/* Write the comma and the key before a child. */
static pytree_status pytree__lit_put_lead(pytree__lit_writer *w)
{
    const pytree__cursor *c = &w->cursor;
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const pytree_type *type;
    const char *behind;
    pytree_entry entry;
    size_t n;
    if (f == NULL) { return PYTREE_OK; }
    type = pytree__lit_written_as(f);
    behind = pytree__literal_text(type)->key;
    if (f->next > 1 || (pytree__traits(type)->meta == PYTREE__META_STATICS && pytree__lit_has_statics(type))) {
        pytree__lit_put(w, ", ");
    }
    if (behind == NULL) { return PYTREE_OK; }
    pytree__frame_entry(c, f, f->next - 1, &entry);
    if (pytree__traits(type)->entry == PYTREE_ATTRIBUTE) {
        n = strlen(entry.name);
        if (n == 0 || pytree__word(entry.name, n) != n) {
            return pytree__lit_unwritable(w, "a field with the name", entry.name);
        }
        pytree__lit_put(w, entry.name);
        pytree__lit_put(w, behind);
        return PYTREE_OK;
    }
    n = entry.kind == PYTREE_KEY ? strlen(entry.name) : 0;
    if (!w->dry) { pytree__put_key(pytree__lit_to(w, pytree__plus(pytree__times(n, 6), 24)), &entry, n); }
    pytree__lit_put(w, behind);
    return PYTREE_OK;
}

static pytree_status pytree__lit_write(pytree__lit_writer *w, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_options own;
    const pytree_leaf *value;
    pytree_status status;
    memset(&own, 0, sizeof own);
    own.allocator = pytree__allocator(opt);
    own.space = opt == NULL ? NULL : opt->space;
    w->packed = NULL;
    w->max_packed = 0;
    pytree__cursor_init(&w->cursor, &w->stacks, &own, err);
    status = pytree__cursor_root(&w->cursor, t);
    while (status == PYTREE_OK) {
        int at = pytree__cursor_next(&w->cursor, &value);
        if (at == PYTREE__DONE) { break; }
        if (at == PYTREE__FAILED) {
            status = w->cursor.status;
            break;
        }
        if (at == PYTREE__AT_END) {
            status = pytree__lit_put_end(w, &w->cursor.frames[w->cursor.n_frames - 1]);
            pytree__close(&w->cursor);
            continue;
        }
        status = pytree__lit_put_lead(w);
        if (status != PYTREE_OK) { break; }
        if (at == PYTREE__AT_LEAF) {
            status = value->form != PYTREE_FORM_DEVICE ? pytree__lit_put_leaf(w, value)
                                                       : pytree__fail_device(&w->cursor, value);
        } else if (at == PYTREE__AT_NONE) {
            pytree__lit_put(w, "None");
        } else {
            status = pytree__open(&w->cursor, value);
            if (status == PYTREE_OK) { status = pytree__lit_put_begin(w); }
        }
    }
    if (w->packed != NULL) { (void)pytree__resize(own.allocator, w->packed, w->max_packed, 0); }
    pytree__cursor_end(&w->cursor);
    return status;
}

pytree_status pytree_literal_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    pytree__lit_writer w;
    pytree_status status;
    w.to = pytree__text_to(w.buffer, sizeof w.buffer, NULL);
    w.direct = pytree__text_to(NULL, 0, &out);
    w.dry = true;
    status = pytree__lit_write(&w, t, opt, err);
    if (status != PYTREE_OK) { return status; }                 /* and nothing is written */
    w.dry = false;
    status = pytree__lit_write(&w, t, opt, err);
    if (status != PYTREE_OK) { return status; }
    pytree__lit_put(&w, "\n");
    pytree__lit_flush(&w);
    return pytree__written(file, err);
}

size_t pytree_literal_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    pytree__lit_writer w;
    pytree_status status;
    w.to = pytree__text_to(text, n, NULL);
    w.direct = pytree__text_to(NULL, 0, NULL);
    w.dry = false;
    status = pytree__lit_write(&w, t, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : pytree__end_text(&w.to, n);
}

#endif
