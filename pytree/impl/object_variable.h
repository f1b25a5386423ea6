/* pytree/impl/object_variable.h: variables made at run time, and their metadata. */
#ifndef PYTREE_IMPL_OBJECT_VARIABLE_H
#define PYTREE_IMPL_OBJECT_VARIABLE_H

#include "object.h"

/* The container of a variable has its value, and behind it, if there is metadata, its literal as a string. A variable that was
 * rebuilt gets a container when it is first changed. */
enum { PYTREE__OV_VALUE, PYTREE__OV_METADATA };

static pytree_variable *pytree__ov_of(pytree t)
{
    return t.type != NULL && t.type->custom == &pytree_variable_node ? (pytree_variable *)t.data : NULL;
}

/* Put a value in a row of a variable's container. */
static pytree_status pytree__ov_put(pytree__container *c, size_t row, pytree value, int how, pytree_error *err)
{
    const pytree_entry key = { PYTREE_ATTRIBUTE, "value", 0 };
    return row < c->items.count ? pytree__ct_replace(c, row, &key, value, how, err)
                                : pytree__ct_add(c, row, 0, value, how, err);
}

static void pytree__ov_release(void *self) { pytree__object_release(self); }

/* Give a variable that was rebuilt its container. */
static pytree_status pytree__ov_grow(const pytree_type *type, pytree_variable *v, pytree_error *err)
{
    const char *text = v->metadata;
    pytree_options opt;
    pytree__container *c;
    pytree metadata;
    memset(&opt, 0, sizeof opt);
    opt.allocator = v->allocator;
    opt.level = v->level;
    c = (pytree__container *)pytree__ct_make(pytree__origin(type), 0, false, NULL, 0, &opt, err).data;
    if (c == NULL) { return PYTREE_NO_MEMORY; }
    metadata.type = &pytree_types[PYTREE__T_string];
    metadata.data = &text;
    c->fixed = true;
    c->depth = v->depth;
    if (pytree__ov_put(c, PYTREE__OV_VALUE, v->value, PYTREE__CT_REFERENCE, err) != PYTREE_OK
        || (text != NULL && pytree__ov_put(c, PYTREE__OV_METADATA, metadata, PYTREE__CT_COPY, err) != PYTREE_OK)) {
        pytree__ct_free_all(c);
        return PYTREE_NO_MEMORY;
    }
    c->in_block = true;
    v->container = c;
    v->release = pytree__ov_release;
    return PYTREE_OK;
}

/* Find the container of a variable that is to be changed. */
static pytree_status pytree__ov_to_change(pytree t, pytree__container **c, pytree_error *err)
{
    pytree_variable *v = pytree__ov_of(t);
    pytree_status status;
    if (v == NULL || (v->container == NULL && !v->rebuilt)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a variable that pytree_new_variable made, got %s%s",
                           v == NULL ? "" : "a literal ", t.type == NULL ? "nothing" : t.type->name);
    }
    *c = (pytree__container *)v->container;
    status = *c == NULL ? pytree__ct_on_level(v->level, v->depth, t.type, err)
                        : pytree__ct_on_level((*c)->copying.level, (*c)->depth, t.type, err);
    if (status == PYTREE_OK && *c == NULL) { status = pytree__ov_grow(t.type, v, err); }
    *c = (pytree__container *)v->container;
    return status;
}

pytree pytree_new_variable(const pytree_type *role, pytree value, const pytree_options *opt, pytree_error *err)
{
    const size_t more = pytree__object_bytes(1, sizeof(pytree), 0);
    pytree__container *c;
    pytree t;
    if (role == NULL || role->custom != &pytree_variable_node) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a role, got %s", role == NULL ? "NULL" : role->name);
        return pytree__ct_no_value();
    }
    t = pytree__ct_make(role, sizeof(pytree_variable), false, NULL, more, opt, err);
    c = pytree__ct_of_node(t);
    if (c == NULL) { return t; }
    c->fixed = true;
    (void)pytree__object_lay_rows(c, 1, more);
    if (pytree__ov_put(c, PYTREE__OV_VALUE, value, PYTREE__CT_COPY, err) == PYTREE_OK) { return t; }
    pytree__ct_free_all(c);
    return pytree__ct_no_value();
}

pytree pytree_variable_value(pytree variable)
{
    pytree value = pytree__ct_no_value();
    if (pytree__ov_of(variable) != NULL) { (void)pytree__variable_children(variable.data, &value, NULL); }
    return value;
}

pytree_status pytree_variable_set(pytree variable, pytree value, pytree_error *err)
{
    pytree__container *c = NULL;
    const pytree_status status = pytree__ov_to_change(variable, &c, err);
    return status != PYTREE_OK ? status : pytree__ov_put(c, PYTREE__OV_VALUE, value, PYTREE__CT_COPY, err);
}

/* ---- Metadata ------------------------------------------------------------------------------------------------------ */

static pytree_status pytree__ov_no_metadata(pytree t, const char *name, pytree_error *err)
{
    return pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected metadata of a %s, got none of the name %s%.60s%s",
                       t.type == NULL ? "variable" : t.type->name, name == NULL ? "" : "'", name == NULL ? "NULL" : name,
                       name == NULL ? "" : "'");
}

/* Read the literal of a variable's metadata, which may come from a treedef that was loaded: it must be a dict whose keys are
 * strings. */
static pytree_status pytree__ov_read(pytree variable, const char *text, const pytree_options *opt, pytree *all,
                                     pytree_error *err)
{
    pytree_error own;
    const pytree_items *items;
    own.status = PYTREE_OK;
    *all = pytree_parse(text, opt, &own);
    items = (const pytree_items *)all->data;
    if (own.status != PYTREE_OK) { return pytree_fail(err, own.status, own.path, "%s", own.message); }
    if (all->type->kind == PYTREE_KIND_DICT && items->pairs != NULL) { return PYTREE_OK; }
    pytree_free(*all);
    *all = pytree__ct_no_value();
    return pytree_fail(err, PYTREE_VALUE, NULL, "expected the metadata of a %s as a dict with names for keys, got '%.60s'",
                       variable.type->name, text);
}

pytree pytree_variable_metadata(pytree variable, const char *name, const pytree_options *opt, pytree_error *err)
{
    const pytree_variable *v = pytree__ov_of(variable);
    const char *text = v == NULL ? NULL : pytree__variable_text(v);
    pytree all = pytree__ct_no_value(), one = all;
    if (text != NULL) {
        if (pytree__ov_read(variable, text, opt, &all, err) != PYTREE_OK) { return all; }
        if (name != NULL) { one = pytree_dict_get(all, name, NULL); }
    }
    if (one.type == NULL) { pytree__ov_no_metadata(variable, name, err); } else { one = pytree_clone(one, opt, err); }
    pytree_free(all);
    return one;
}

/* Write the literal of pairs to a variable's container, or give it to `prepared`, as a string to be freed with pytree_free. err
 * is not NULL. */
static pytree_status pytree__ov_write(pytree__container *c, const pytree_pair *pairs, size_t n, pytree *prepared,
                                      pytree_error *err)
{
    const pytree_allocator *const a = c->copying.allocator;
    pytree_options opt;
    pytree_items items;
    pytree dict, string;
    size_t bytes;
    char *text;
    pytree_status status = PYTREE_OK;
    memset(&opt, 0, sizeof opt);
    opt.allocator = a;
    memset(&items, 0, sizeof items);
    items.pairs = pairs;
    items.count = n;
    dict.type = &pytree_types[PYTREE__T_dict];
    dict.data = &items;
    bytes = pytree_literal_text(dict, NULL, 0, &opt, err);
    if (bytes == SIZE_MAX) { return err->status; }
    text = (char *)pytree__array_new(bytes + 1, 1, a, err);
    if (text == NULL) { return PYTREE_NO_MEMORY; }
    string.type = &pytree_types[PYTREE__T_string];
    string.data = &text;
    if (pytree_literal_text(dict, text, bytes + 1, &opt, err) == SIZE_MAX) { status = err->status; }
    else if (prepared == NULL) { status = pytree__ov_put(c, PYTREE__OV_METADATA, string, PYTREE__CT_COPY, err); }
    else { *prepared = pytree_clone(string, &c->copying, err); }
    pytree__array_free(text, bytes + 1, 1, a);
    return prepared != NULL && prepared->data == NULL ? PYTREE_NO_MEMORY : status;
}

static void pytree__ov_clear(pytree__container *c)
{
    bool owned;
    pytree old;
    if (c->items.count <= PYTREE__OV_METADATA) { return; }
    old = pytree__ct_empty_row(c, PYTREE__OV_METADATA, &owned);
    pytree__ct_close_row(c, PYTREE__OV_METADATA);
    pytree__ct_discard(old, owned);
}

/* Exchange the metadata of a name: by a value, or (type NULL) by nothing. Pairs stay sorted by name, so that equal metadata has
 * equal text. With `prepared` the variable stays as it is, and its new metadata is given there. */
static pytree_status pytree__ov_change(pytree variable, const char *name, pytree value, pytree *prepared, pytree_error *err)
{
    pytree__container *c;
    pytree_options opt;
    pytree_status status = pytree__ov_to_change(variable, &c, err);
    const char *text = status == PYTREE_OK ? pytree__variable_text((const pytree_variable *)variable.data) : NULL;
    pytree all = pytree__ct_no_value();
    const pytree_items *had;
    pytree_pair *pairs;
    size_t i, n = 0, count;
    bool found = false;
    if (status != PYTREE_OK) { return status; }
    memset(&opt, 0, sizeof opt);
    opt.allocator = c->copying.allocator;
    if (text != NULL) {
        status = pytree__ov_read(variable, text, &opt, &all, err);
        if (status != PYTREE_OK) { return status; }
    }
    had = (const pytree_items *)all.data;
    count = had == NULL ? 0 : had->count;
    pairs = (pytree_pair *)pytree__array_new(count + 1, sizeof *pairs, opt.allocator, err);
    if (pairs == NULL) { pytree_free(all); return PYTREE_NO_MEMORY; }
    for (i = 0; i <= count; i++) {        /* in the order of their names, which may have been written in another one */
        const pytree_pair *const pair = i == count ? NULL : &had->pairs[had->order[i]];
        const int order = pair == NULL ? 1 : strcmp(pair->key, name);
        if (order >= 0 && !found) {       /* here it belongs */
            found = true;
            if (value.type != NULL) { pairs[n].key = name; pairs[n++].value = value; }
            else if (order != 0) { status = pytree__ov_no_metadata(variable, name, err); }
        }
        if (pair != NULL && order != 0) { pairs[n++] = *pair; }
    }
    if (status == PYTREE_OK && n == 0) { pytree__ov_clear(c); }
    else if (status == PYTREE_OK) { status = pytree__ov_write(c, pairs, n, prepared, err); }
    pytree__array_free(pairs, count + 1, sizeof *pairs, opt.allocator);
    pytree_free(all);
    return status;
}

pytree_status pytree_variable_put_metadata(pytree variable, const char *name, pytree value, pytree_error *err)
{
    pytree_error problem;
    problem.status = PYTREE_OK;
    if (name == NULL || value.type == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a name and a value of metadata, got %s",
                           name == NULL ? "NULL" : "no value");
    }
    if (pytree_has_data(value, &problem)) { return pytree_fail(err, problem.status, problem.path, "%s", problem.message); }
    problem.status = PYTREE_OK;
    (void)pytree__ov_change(variable, name, value, NULL, &problem);
    return problem.status == PYTREE_OK ? PYTREE_OK : pytree_fail(err, problem.status, problem.path, "%s", problem.message);
}

pytree_status pytree_variable_remove_metadata(pytree variable, const char *name, pytree_error *err)
{
    pytree__container *c = NULL;
    pytree_error problem;
    problem.status = PYTREE_OK;
    if (name != NULL) { (void)pytree__ov_change(variable, name, pytree__ct_no_value(), NULL, &problem); }
    else if (pytree__ov_to_change(variable, &c, &problem) == PYTREE_OK) { pytree__ov_clear(c); }
    return problem.status == PYTREE_OK ? PYTREE_OK : pytree_fail(err, problem.status, problem.path, "%s", problem.message);
}

#include "object_level.h"
#endif
