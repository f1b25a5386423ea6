/* pytree/impl/describe_types.h: types as JSON: which ones a description needs, and their rows. */
#ifndef PYTREE_IMPL_DESCRIBE_TYPES_H
#define PYTREE_IMPL_DESCRIBE_TYPES_H

#include "internal.h"
#include "../layout.h"
#include "json_text.h"

/* A description that is being written. Types have numbers in the order in which they were found. */
struct pytree__describer {
    struct pytree__text_writer to;
    pytree_error *err;
    bool failed;
    struct pytree__vector types;          /* of const pytree_type * */
    struct pytree__reached_set numbers;   /* of descriptors; those of one type in two files have one number */
    struct pytree__vector text;           /* of char: what must be written before it can be escaped */
};

static void pytree__describe_word(struct pytree__describer *w, const char *s) { pytree__put_json(&w->to, s, strlen(s)); }

/* Put ,"name": and a number. */
static void pytree__describe_number(struct pytree__describer *w, const char *name, uint64_t n)
{
    pytree__put_text(&w->to, name);
    pytree__put_number(&w->to, n);
}

/* Get the number of a type, which is added if it is new. Returns 0 if memory runs out. */
static uint32_t pytree__describe_type(struct pytree__describer *w, const pytree_type *type)
{
    struct pytree__reached *at;
    const pytree_type **list;
    pytree_leaf view;
    bool is_new = false;
    uint32_t i;
    if (w->failed) { return 0; }
    type = pytree__origin(type);
    pytree__view(&view, type, (void *)(uintptr_t)type);
    view.form = PYTREE_FORM_LEAF;
    at = pytree__reach(&w->numbers, &view, &is_new);
    if (at == NULL) {
        (void)pytree__no_memory(w->err, 2 * w->numbers.max * sizeof *at);
        w->failed = true;
        return 0;
    }
    if (!is_new) { return at->number; }
    list = (const pytree_type **)w->types.data;
    for (i = 0; i < w->types.count && !pytree_type_equal(list[i], type); i++) {}
    at->number = i;
    if (i == w->types.count) {
        list = (const pytree_type **)pytree__vector_add(&w->types, 1, w->err);
        w->failed = list == NULL;
        if (list != NULL) { *list = type; }
    }
    return i;
}

/* Get the members of a union that a row may hold. Returns their number, 0 for any other row. */
static size_t pytree__describe_cases(const pytree_field *row)
{
    size_t n = 0;
    if (row->functions == NULL || row->functions->cases == NULL) { return 0; }
    while (row->functions->cases[n].name != NULL) { n++; }
    return n;
}

/* Add the types that those in the list lead to, and those of these. */
static void pytree__describe_reached(struct pytree__describer *w)
{
    size_t i, k, c;
    for (i = 0; i < w->types.count && !w->failed; i++) {
        const pytree_type *const type = ((const pytree_type *const *)w->types.data)[i];
        for (k = 0; k < type->n_fields; k++) {
            const pytree_field *const row = &type->fields[k];
            const size_t cases = pytree__describe_cases(row);
            if (row->type != NULL) { (void)pytree__describe_type(w, row->type); }
            for (c = 0; c < cases; c++) { (void)pytree__describe_type(w, row->functions->cases[c].type); }
        }
    }
}

static void pytree__describe_rows(struct pytree__describer *w, const pytree_field *row, size_t n, bool text);

/* Put what is known of a DATA row besides where it lies: the extents of a fixed array; what the row was written as, such as
 * ARRAY(self->din, self->dout); its role and the bases of that. */
static void pytree__describe_data(struct pytree__describer *w, const pytree_field *row, bool text)
{
    static const char *const places[] = { "in place", "pointer", "stb", "flexible" };
    static const char *const forms[] = { "leaf", "none", "struct", "list", "tuple", "map", "items", "custom", "flat", "view",
                                         "ref" };
    const size_t cases = pytree__describe_cases(row);
    const pytree_type *role = row->role;
    pytree__put_text(&w->to, ",\"place\":");
    pytree__describe_word(w, places[row->place]);
    pytree__put_text(&w->to, ",\"form\":");
    pytree__describe_word(w, cases != 0 ? "union" : forms[row->form]);
    if (row->ndim != 0) { pytree__describe_number(w, ",\"ndim\":", (uint64_t)row->ndim); }
    if (row->optional != 0) { pytree__put_text(&w->to, ",\"optional\":true"); }
    if (cases != 0) { pytree__describe_rows(w, row->functions->cases, cases, false); }
    if (text && PYTREE__MORE_ROWS) {
        const char *written = strchr(row->name + strlen(row->name) + 1, ',');
        if (written != NULL) {
            written += 1 + strspn(written + 1, " ");
            pytree__put_text(&w->to, ",\"written\":");
            pytree__describe_word(w, written);
        }
    }
    if (role == NULL) { return; }
    pytree__put_text(&w->to, ",\"role\":[");
    for (; role != NULL; role = role->base) {
        if (role != row->role) { pytree__text_put(&w->to, ",", 1); }
        pytree__describe_word(w, role->name);
    }
    pytree__text_put(&w->to, "]", 1);
}

/* Put the rows of a struct, the cases of a union, or the one row that says what an element is. `text`: what they were written
 * as stands behind their names. */
static void pytree__describe_rows(struct pytree__describer *w, const pytree_field *row, size_t n, bool text)
{
    static const char *const rows[] = { "data", "static", "drop" };
    size_t i;
    pytree__put_text(&w->to, text ? ",\"fields\":[" : ",\"cases\":[");
    for (i = 0; i < n; i++, row++) {
        const bool has_address = row->functions == NULL || row->functions->read == NULL;
        pytree__put_text(&w->to, i == 0 ? "{\"name\":" : ",{\"name\":");
        pytree__describe_word(w, row->name);
        pytree__put_text(&w->to, ",\"row\":");
        pytree__describe_word(w, rows[row->row]);
        if (row->type != NULL) { pytree__describe_number(w, ",\"type\":", pytree__describe_type(w, row->type)); }
        if (has_address && (row->size != 0 || row->row != PYTREE_ROW_DROP)) {  /* a bit-field has none */
            pytree__describe_number(w, ",\"offset\":", row->offset);
            pytree__describe_number(w, ",\"size\":", row->size);
        }
        if (row->row != PYTREE_ROW_DROP && row->place == PYTREE_IN_PLACE && row->ndim != 0 && row->ndim <= 2
            && row->inner != 0) {
            pytree__describe_number(w, ",\"shape\":[", row->size / row->inner);
            if (row->ndim == 2) { pytree__describe_number(w, ",", row->inner / row->type->size); }
            pytree__text_put(&w->to, "]", 1);
        }
        if (row->row == PYTREE_ROW_DATA) { pytree__describe_data(w, row, text); }
        pytree__text_put(&w->to, "}", 1);
    }
    pytree__text_put(&w->to, "]", 1);
}

/* Put the name of an element type, of an enum that of its numbers. */
static void pytree__describe_dtype(struct pytree__describer *w, const pytree_type *type)
{
    pytree_type plain = *type;
    plain.constants = NULL;
    pytree__put_text(&w->to, ",\"dtype\":");
    pytree__describe_word(w, type->dtype == PYTREE_OPAQUE ? "opaque" : pytree_dtype_name(&plain));
}

/* Put all types, which have been found: "types":[…]. */
static void pytree__describe_types(struct pytree__describer *w)
{
    static const char *const kinds[] = { "leaf", "none", "struct", "list", "tuple", "dict", "odict", "namedtuple",
                                         "defaultdict", "deque", "custom", "view", "ref", "flat", "row" };
    size_t i;
    pytree__put_text(&w->to, ",\"types\":[");
    for (i = 0; i < w->types.count; i++) {
        const pytree_type *const type = ((const pytree_type *const *)w->types.data)[i];
        const struct pytree_constant *constant = type->constants;
        pytree__put_text(&w->to, i == 0 ? "{\"name\":" : ",{\"name\":");
        pytree__describe_word(w, type->name);
        pytree__put_text(&w->to, ",\"kind\":");
        pytree__describe_word(w, kinds[type->kind]);
        pytree__describe_number(w, ",\"size\":", type->size);
        pytree__describe_number(w, ",\"align\":", type->align);
        if (type->kind == PYTREE_KIND_LEAF) { pytree__describe_dtype(w, type); }
        if (type->space != NULL) {
            pytree__put_text(&w->to, ",\"space\":");
            pytree__describe_word(w, type->space);
        }
        for (; constant != NULL && constant->name != NULL; constant++) {
            pytree__put_text(&w->to, constant == type->constants ? ",\"constants\":{" : ",");
            pytree__describe_word(w, constant->name);
            pytree__text_put(&w->to, ":", 1);
            pytree__put_integer(&w->to, constant->value);
        }
        if (type->constants != NULL) { pytree__text_put(&w->to, "}", 1); }
        if (type->kind == PYTREE_KIND_STRUCT) {
            pytree__describe_rows(w, type->fields, type->n_fields, true);
        } else if (type->kind == PYTREE_KIND_ROW) {
            pytree__describe_rows(w, type->fields, 1, false);
        }
        pytree__text_put(&w->to, "}", 1);
    }
    pytree__text_put(&w->to, "]", 1);
}

#include "describe.h"
#endif
