/* pytree/impl/describe.h: trees, treedefs and types as JSON. */
#ifndef PYTREE_IMPL_DESCRIBE_H
#define PYTREE_IMPL_DESCRIBE_H

#include "describe_types.h"

/* ---- Static values ------------------------------------------------------------------------------------------------- */

/* Put one packed element: a number or a truth value; what JSON cannot say, such as NaN, complex and wide numbers and addresses,
 * as {"text":"nan"}, in the words of a treedef's text. */
static void pytree__describe_element(struct pytree__describer *w, const pytree_type *type, const unsigned char *at)
{
    char text[200];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    size_t first;
    pytree__put_packed(&to, pytree__origin(type), at);
    pytree__end_text(&to, sizeof text);
    first = text[0] == '-' ? 1 : 0;
    if (type->dtype == PYTREE_BOOL8) {
        pytree__put_text(&w->to, text[0] == 'T' ? "true" : "false");
    } else if (text[first] >= '0' && text[first] <= '9' && pytree__real(type) && type->dtype != PYTREE_FLONG) {
        pytree__put_text(&w->to, text);
    } else {
        pytree__put_text(&w->to, "{\"text\":");
        pytree__describe_word(w, text);
        pytree__text_put(&w->to, "}", 1);
    }
}

static const unsigned char *pytree__describe_static(struct pytree__describer *w, const pytree_field *row,
                                                    const unsigned char *at);

/* Put the packed static values of a struct as an array, or with their names. Returns where they end. Structs lie in one another
 * by value, so the depth of the recursion is bounded by the program's types. */
static const unsigned char *pytree__describe_statics(struct pytree__describer *w, const pytree_type *type,
                                                     const unsigned char *at, bool named)
{
    unsigned i, n = 0;
    type = pytree__origin(type);
    pytree__text_put(&w->to, named ? "{" : "[", 1);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (n++ != 0) { pytree__text_put(&w->to, ",", 1); }
        if (named) {
            pytree__describe_word(w, row->name);
            pytree__text_put(&w->to, ":", 1);
        }
        at = pytree__describe_static(w, row, at);
    }
    pytree__text_put(&w->to, named ? "}" : "]", 1);
    return at;
}

/* Put the packed value of a row, of an array all elements in one. Returns where it ends. */
static const unsigned char *pytree__describe_static(struct pytree__describer *w, const pytree_field *row,
                                                    const unsigned char *at)
{
    const size_t step = row->type->size, n = row->size / step;
    size_t i, length;
    if (row->form == PYTREE__PACK_CHARS) {
        pytree__put_json(&w->to, (const char *)at, pytree__text_length((const char *)at, row->size));
        return at + row->size;
    }
    if (row->ndim != 0) { pytree__text_put(&w->to, "[", 1); }
    for (i = 0; i < n; i++) {
        if (i != 0) { pytree__text_put(&w->to, ",", 1); }
        if (row->form == PYTREE__PACK_STRUCT) {
            at = pytree__describe_statics(w, row->type, at, true);
        } else if (row->form == PYTREE__PACK_TEXT) {
            const char *const s = pytree__string_at(at, &length);
            if (s == NULL) { pytree__put_text(&w->to, "null"); } else { pytree__put_json(&w->to, s, length); }
            at = pytree__skip_strings(at, 1);
        } else {
            pytree__describe_element(w, row->type, at);
            at += step;
        }
    }
    if (row->ndim != 0) { pytree__text_put(&w->to, "]", 1); }
    return at;
}

/* ---- Nodes --------------------------------------------------------------------------------------------------------- */

/* Put the keys of a dict or namedtuple, ["a","b",3], or those of a custom node, each with its kind. */
static void pytree__describe_keys(struct pytree__describer *w, const pytree_def *def, const pytree_node *node)
{
    static const char *const kinds[] = { "{\"attribute\":", "{\"index\":", "{\"key\":", "{\"flat\":", "{\"key\":" };
    const unsigned char *at = pytree__first_key(def, (size_t)(node - def->nodes));
    const bool custom = node->type->kind == PYTREE_KIND_CUSTOM;
    uint32_t i;
    if (at == NULL) { return; }
    pytree__put_text(&w->to, ",\"keys\":[");
    for (i = 0; i < node->arity; i++) {
        const unsigned kind = custom ? *at++ : (unsigned)PYTREE_KEY;
        size_t length = 0;
        pytree_entry key;
        at = pytree__key_at(at, &key, &length);
        if (i != 0) { pytree__text_put(&w->to, ",", 1); }
        if (custom) { pytree__put_text(&w->to, kinds[kind]); }
        if (key.name != NULL) { pytree__put_json(&w->to, key.name, length); }
        else if (kind == PYTREE_INDEX || kind == PYTREE_FLAT_INDEX) { pytree__put_number(&w->to, key.index); }
        else { pytree__put_integer(&w->to, (int64_t)key.index); }
        if (custom) { pytree__text_put(&w->to, "}", 1); }
    }
    pytree__text_put(&w->to, "]", 1);
}

/* Put the metadata of a custom node, as a treedef's text has it. */
static void pytree__describe_metadata(struct pytree__describer *w, const pytree_def *def, size_t node)
{
    struct pytree__text_writer to = pytree__text_to(NULL, 0, NULL);
    char *text;
    pytree__put_meta(&to, def, node);
    w->text.count = 0;
    text = (char *)pytree__vector_add(&w->text, pytree__plus(to.length, 2), w->err);   /* a callback ends it with a NUL */
    if (text == NULL) { w->failed = true; return; }
    to = pytree__text_to(text, to.length + 2, NULL);
    pytree__put_meta(&to, def, node);
    pytree__put_text(&w->to, ",\"metadata\":");
    pytree__put_json(&w->to, text, to.length);
}

/* Put what a node has besides its type and the number of its children. */
static void pytree__describe_meta(struct pytree__describer *w, const pytree_def *def, size_t at)
{
    const pytree_node *const node = &def->nodes[at];
    const unsigned char *const meta = def->statics + node->meta;
    const unsigned kind = pytree__traits(node->type)->meta;
    size_t length = 0;
    const char *s;
    switch (kind) {
    case PYTREE__META_STATICS:
        pytree__put_text(&w->to, ",\"statics\":");
        (void)pytree__describe_statics(w, node->type, meta, false);
        break;
    case PYTREE__META_NAME:
    case PYTREE__META_FACTORY:
        s = pytree__string_at(meta, &length);
        pytree__put_text(&w->to, kind == PYTREE__META_NAME ? ",\"name\":" : ",\"factory\":");
        if (s == NULL) { pytree__put_text(&w->to, "null"); } else { pytree__put_json(&w->to, s, length); }
        break;
    case PYTREE__META_MAXLEN:
        if (pytree__maxlen(meta) != PYTREE_UNBOUNDED) { pytree__describe_number(w, ",\"maxlen\":", pytree__maxlen(meta)); }
        break;
    case PYTREE__META_BYTES: pytree__describe_metadata(w, def, at); break;
    default: break;
    }
    pytree__describe_keys(w, def, node);
}

/* Put a leaf: shape and address; of a None or a subtree that counts as a leaf only the type. */
static void pytree__describe_leaf(struct pytree__describer *w, const pytree_leaf *leaf)
{
    int i;
    pytree__describe_number(w, "{\"type\":", pytree__describe_type(w, pytree__node_type(leaf)));
    if (leaf->form == PYTREE_FORM_LEAF) {
        pytree__put_text(&w->to, ",\"shape\":[");
        for (i = 0; i < leaf->ndim; i++) { pytree__describe_number(w, i == 0 ? "" : ",", leaf->shape[i]); }
        pytree__put_text(&w->to, "],\"address\":");
        if (leaf->data == NULL) { pytree__put_text(&w->to, "null"); }
        else { pytree__put_number(&w->to, (uint64_t)(uintptr_t)leaf->data); }
    }
    pytree__text_put(&w->to, "}", 1);
}

/* Put all nodes in post-order: "nodes":[…]. `leaves`: NULL for a treedef. */
static void pytree__describe_nodes(struct pytree__describer *w, const pytree_def *def, const pytree_leaf *leaves)
{
    size_t i;
    pytree__put_text(&w->to, ",\"nodes\":[");
    for (i = 0; i < def->n_nodes && !w->failed; i++) {
        const pytree_node *const node = &def->nodes[i];
        if (i != 0) { pytree__text_put(&w->to, ",", 1); }
        if (node->type == NULL) {
            if (leaves == NULL) { pytree__put_text(&w->to, "{\"type\":null}"); } else { pytree__describe_leaf(w, leaves++); }
            continue;
        }
        pytree__describe_number(w, "{\"type\":", pytree__describe_type(w, node->type));
        pytree__describe_number(w, ",\"children\":", node->arity);
        pytree__describe_meta(w, def, i);
        pytree__text_put(&w->to, "}", 1);
    }
    pytree__text_put(&w->to, "]", 1);
}

/* ---- Descriptions -------------------------------------------------------------------------------------------------- */

static void pytree__describe_version(struct pytree__text_writer *to)
{
    pytree__put_text(to, "{\"format\":");
    pytree__put_number(to, PYTREE_LAYOUT_FORMAT);
    pytree__put_text(to, ",\"version\":\"" PYTREE_VERSION "\"");
}

static struct pytree__describer pytree__describer_of(char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *const a = pytree__allocator(opt);
    struct pytree__describer w;
    memset(&w, 0, sizeof w);
    w.to = pytree__text_to(text, n, NULL);
    w.err = err;
    w.types = pytree__vector_of(sizeof(const pytree_type *), a);
    w.text = pytree__vector_of(1, a);
    w.numbers.allocator = a;
    return w;
}

/* Write the types that have been found, and the nodes of a treedef unless it is NULL. Returns the length of the text. */
static size_t pytree__describe_all(struct pytree__describer *w, const pytree_def *def, const pytree_leaf *leaves, char *text,
                                   size_t n)
{
    size_t length;
    pytree__describe_version(&w->to);
    if (def != NULL) {
        pytree__put_text(&w->to, def->none_is_leaf ? ",\"none_is_leaf\":true" : ",\"none_is_leaf\":false");
        pytree__put_text(&w->to, ",\"space\":");
        if (def->space == NULL) { pytree__put_text(&w->to, "null"); } else { pytree__describe_word(w, def->space); }
    }
    pytree__describe_reached(w);
    if (!w->failed) { pytree__describe_types(w); }
    if (!w->failed && def != NULL) { pytree__describe_nodes(w, def, leaves); }
    pytree__text_put(&w->to, "}", 1);
    pytree__vector_free(&w->types);
    pytree__vector_free(&w->text);
    pytree__reached_free(&w->numbers);
    length = n == 0 ? w->to.length : pytree__end_text(&w->to, n);
    if (!w->failed) { return length; }
    if (n != 0) { text[0] = '\0'; }
    return SIZE_MAX;
}

/* Describe a treedef, and its leaves unless they are NULL. */
static size_t pytree__describe_flat(const pytree_def *def, const pytree_leaf *leaves, char *text, size_t n,
                                    const pytree_options *opt, pytree_error *err)
{
    struct pytree__describer w = pytree__describer_of(text, n, opt, err);
    size_t i;
    for (i = 0; i < def->n_nodes; i++) {
        if (def->nodes[i].type != NULL) { (void)pytree__describe_type(&w, def->nodes[i].type); }
    }
    for (i = 0; leaves != NULL && i < def->n_leaves; i++) { (void)pytree__describe_type(&w, pytree__node_type(&leaves[i])); }
    return pytree__describe_all(&w, def, leaves, text, n);
}

size_t pytree_layout_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    size_t length = SIZE_MAX;
    if (n != 0) { text[0] = '\0'; }
    if (pytree_flatten(t, &leaves, 0, &def, opt, err) == PYTREE_OK) {
        length = pytree__describe_flat(def, leaves, text, n, opt, err);
    }
    pytree_def_free(def);
    return length;
}

size_t pytree_layout_def_text(const pytree_def *def, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    if (n != 0) { text[0] = '\0'; }
    if (def == NULL) { (void)pytree__no_def(err); return SIZE_MAX; }
    return pytree__describe_flat(def, NULL, text, n, opt, err);
}

size_t pytree_layout_type_text(const pytree_type *type, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    struct pytree__describer w;
    if (n != 0) { text[0] = '\0'; }
    if (type == NULL) { (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a type, got NULL"); return SIZE_MAX; }
    w = pytree__describer_of(text, n, opt, err);
    (void)pytree__describe_type(&w, type);
    return pytree__describe_all(&w, NULL, NULL, text, n);
}

size_t pytree_layout_abi(char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__describe_version(&to);
    pytree__put_text(&to, ",\"pointer\":");
    pytree__put_number(&to, sizeof(void *));
    pytree__put_text(&to, pytree__little_endian() ? ",\"byte_order\":\"little\"" : ",\"byte_order\":\"big\"");
    pytree__put_text(&to, ",\"error\":{\"size\":");
    pytree__put_number(&to, sizeof(pytree_error));
    pytree__put_text(&to, ",\"status\":");
    pytree__put_number(&to, offsetof(pytree_error, status));
    pytree__put_text(&to, ",\"message\":");
    pytree__put_number(&to, offsetof(pytree_error, message));
    pytree__put_text(&to, ",\"path\":");
    pytree__put_number(&to, offsetof(pytree_error, path));
    pytree__put_text(&to, "}}");
    return n == 0 ? to.length : pytree__end_text(&to, n);
}
#endif
