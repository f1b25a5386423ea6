/* pytree/impl/record_set.h: attributes of objects and metadata of variables, set by filter. */
#ifndef PYTREE_IMPL_RECORD_SET_H
#define PYTREE_IMPL_RECORD_SET_H

#include "record_update.h"

/* A value that is prepared for the row of a container. */
struct pytree__set_row {
    pytree__container *c;
    size_t row;
    pytree value;
    unsigned char flags;
    bool added;                           /* the row is new, and has its value already */
};

struct pytree__object_setting {
    struct pytree__setting structs;
    pytree value;
    struct pytree__vector rows;           /* of pytree__set_row */
};

/* Put all values, or give them up. */
static void pytree__set_rows_end(struct pytree__vector *rows, bool good)
{
    struct pytree__set_row *at = (struct pytree__set_row *)rows->data;
    size_t i;
    bool owned;
    for (i = 0; i < rows->count; i++) {
        if (at[i].added) {
            if (!good) { pytree__ov_clear(at[i].c); }
        } else if (good) {
            const pytree old = pytree__ct_empty_row(at[i].c, at[i].row, &owned);
            pytree__ct_fill_row(at[i].c, at[i].row, at[i].value, at[i].flags);
            pytree__ct_discard(old, owned);
        } else {
            pytree__ct_discard(at[i].value, true);
        }
    }
    pytree__vector_free(rows);
}

/* Fail with the path of a place, if nothing below it is named. */
static pytree_status pytree__set_fail(const pytree_place *at, const char *name, const pytree_error *own, pytree_error *err)
{
    char where[2 * PYTREE_ERROR_PATH];
    struct pytree__text_writer to = pytree__text_to(where, sizeof where, NULL);
    size_t i;
    for (i = 0; i < at->path.n; i++) { pytree__put_entry(&to, &at->path.entries[i], NULL, false); }
    if (own->path[0] != '\0') { pytree__put_text(&to, own->path); }
    else if (name != NULL) {
        pytree__put_text(&to, ".");
        pytree__put_text(&to, name);
    }
    (void)pytree__end_text(&to, sizeof where);
    return pytree_fail(err, own->status, where, "%s", own->message);
}

/* ---- Attributes ---------------------------------------------------------------------------------------------------- */

/* Prepare the attribute of an object. */
static pytree_status pytree__set_prepare(struct pytree__object_setting *s, pytree__container *c, size_t row, pytree_error *err)
{
    const pytree_entry key = { PYTREE_ATTRIBUTE, s->structs.name, SIZE_MAX };
    struct pytree__set_row item, *to;
    pytree_status status = pytree__ct_on_level(c->copying.level, c->depth, c->type, err);
    memset(&item, 0, sizeof item);
    item.c = c;
    item.row = row;
    item.value = s->value;
    if (status == PYTREE_OK) { status = pytree__ct_let_in(c, &key, c->flags[c->head + row], &item.value, &item.flags, err); }
    if (status == PYTREE_OK) { status = pytree__ct_hold(c, &item.value, PYTREE__CT_COPY, &item.flags, err); }
    if (status != PYTREE_OK) { return status; }
    to = (struct pytree__set_row *)pytree__vector_add(&s->rows, 1, err);
    if (to == NULL) { pytree__ct_discard(item.value, true); return PYTREE_NO_MEMORY; }
    *to = item;
    return PYTREE_OK;
}

/* Look at one node: an object, or a struct. */
static pytree_status pytree__set_any_attribute(void *context, const pytree_place *at)
{
    struct pytree__object_setting *const s = (struct pytree__object_setting *)context;
    const pytree__ct_key key = pytree__ct_string_key(s->structs.name);
    const pytree node = { at->type, at->view->data };
    pytree__container *c;
    pytree_error own;
    size_t row, place;
    if (at->type->custom != &pytree_object_node || at->view->form != PYTREE_FORM_STRUCT) {
        return pytree__set_attribute(&s->structs, at);
    }
    c = pytree__ct_of_node(node);
    if (c == NULL || !c->keyed || !pytree__ct_find_row(c, &key, &row, &place)) { return PYTREE_OK; }
    if (!pytree_filter_match(s->structs.nodes, at, s->structs.err)) { return s->structs.err->status; }
    own.status = PYTREE_OK;
    if (pytree__set_prepare(s, c, row, &own) == PYTREE_OK) { return PYTREE_OK; }
    return pytree__set_fail(at, s->structs.name, &own, s->structs.err);
}

pytree_status pytree_object_set_attributes(pytree t, pytree_filter nodes, const char *name, pytree value, size_t *found,
                                           const pytree_options *opt, pytree_error *err)
{
    struct pytree__object_setting s;
    pytree_error problem;
    pytree_leaf leaf;
    problem.status = PYTREE_OK;
    s.value = value;
    s.rows = pytree__vector_of(sizeof(struct pytree__set_row), pytree__allocator(opt));
    pytree__set_begin(&s.structs, &nodes, name, &value, &leaf, opt, &problem);
    if (problem.status == PYTREE_OK) { (void)pytree_graph_walk(t, pytree__set_any_attribute, &s, opt, &problem); }
    pytree__set_count(name, s.rows.count + s.structs.members.count, found, &problem);
    pytree__set_end(&s.structs);
    pytree__set_rows_end(&s.rows, problem.status == PYTREE_OK);
    return pytree__alg_status(&problem, err);
}

/* ---- Metadata ------------------------------------------------------------------------------------------------------ */

/* Prepare the metadata of a variable. */
static pytree_status pytree__set_metadata_of(struct pytree__object_setting *s, pytree variable, pytree_error *err)
{
    struct pytree__set_row *to = (struct pytree__set_row *)pytree__vector_add(&s->rows, 1, err);
    pytree__container *c;
    pytree_status status;
    if (to == NULL) { return PYTREE_NO_MEMORY; }
    memset(to, 0, sizeof *to);
    status = pytree__ov_change(variable, s->structs.name, s->value, &to->value, err);
    if (status == PYTREE_OK) {
        c = pytree__ct_of_node(variable); /* by now it has one, on this level */
        to->c = c;
        to->row = PYTREE__OV_METADATA;
        to->flags = PYTREE__CT_OWNED;
        to->added = c->items.count <= PYTREE__OV_METADATA;
        if (to->added) { status = pytree__ov_put(c, PYTREE__OV_METADATA, to->value, PYTREE__CT_OWN, err); }
        if (status != PYTREE_OK) { pytree_free(to->value); }
    }
    if (status != PYTREE_OK) { s->rows.count--; }
    return status;
}

/* Look at one variable. */
static pytree_status pytree__set_any_metadata(void *context, const pytree_place *at)
{
    struct pytree__object_setting *const s = (struct pytree__object_setting *)context;
    const pytree node = { at->type, at->view->data };
    pytree_error own;
    if (at->type->custom != &pytree_variable_node || at->view->form != PYTREE_FORM_STRUCT) { return PYTREE_OK; }
    if (!pytree_filter_match(s->structs.nodes, at, s->structs.err)) { return s->structs.err->status; }
    own.status = PYTREE_OK;
    if (pytree__set_metadata_of(s, node, &own) == PYTREE_OK) { return PYTREE_OK; }
    return pytree__set_fail(at, NULL, &own, s->structs.err);
}

pytree_status pytree_set_metadata(pytree t, pytree_filter only, const char *name, pytree value, size_t *found,
                                  const pytree_options *opt, pytree_error *err)
{
    struct pytree__object_setting s;
    pytree_error problem;
    problem.status = PYTREE_OK;
    memset(&s, 0, sizeof s);
    s.value = value;
    s.structs.nodes = &only;
    s.structs.name = name;
    s.structs.err = &problem;
    s.rows = pytree__vector_of(sizeof(struct pytree__set_row), pytree__allocator(opt));
    if (name == NULL || value.type == NULL) {
        pytree_fail(&problem, PYTREE_ARGUMENT, NULL, "expected a name and a value of metadata, got %s",
                    name == NULL ? "NULL" : "no value");
    } else if (!pytree_has_data(value, &problem)) {
        (void)pytree_graph_walk(t, pytree__set_any_metadata, &s, opt, &problem);
    }
    if (problem.status == PYTREE_OK && s.rows.count == 0 && found == NULL) {
        pytree_fail(&problem, PYTREE_NOT_FOUND, NULL, "expected a variable for '%s', got none", name);
    }
    if (found != NULL) { *found = problem.status == PYTREE_OK ? s.rows.count : 0; }
    pytree__set_rows_end(&s.rows, problem.status == PYTREE_OK);
    return pytree__alg_status(&problem, err);
}
#endif
