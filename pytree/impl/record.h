/* pytree/impl/record.h: values recorded by name, in objects and in members of structs. */
#ifndef PYTREE_IMPL_RECORD_H
#define PYTREE_IMPL_RECORD_H

#include "internal.h"
#include "../record.h"
#include "object_data.h"
#include "places.h"

/* ---- Where a name is recorded -------------------------------------------------------------------------------------- */

/* Where values of a name are: an attribute of an object, or a member of a struct. */
struct pytree__record {
    pytree object;
    pytree *member;                       /* NULL: it is an object */
    pytree_options options;
    const char *name;
    pytree variable;                      /* of the object; type NULL: none yet */
};

/* Is a member empty? A struct that was filled with zeros has no type there. */
static bool pytree__record_is_empty(const pytree *member)
{
    return member->type == NULL || member->type->kind == PYTREE_KIND_NONE;
}

static const char *pytree__article(const char *name) { return strchr("AEIOUaeiou", *name) != NULL ? "an" : "a"; }

/* Check that an attribute is a variable of the role. */
static pytree_status pytree__record_role(const pytree__container *c, const char *name, size_t row, const pytree_type *role,
                                         pytree_error *err)
{
    const pytree value = *pytree__ct_row_value(c, row);
    const bool is_static = (c->flags[c->head + row] & PYTREE__CT_STATIC) != 0;
    char path[PYTREE_ERROR_PATH], what[100];
    if (pytree__ov_of(value) != NULL && pytree_role_is(value.type, role)) { return PYTREE_OK; }
    snprintf(path, sizeof path, ".%s", name);
    if (pytree__ov_of(value) != NULL) {
        return pytree_fail(err, PYTREE_TYPE, path, "expected %s %s, got %s %s", pytree__article(role->name), role->name,
                           pytree__article(value.type->name), value.type->name);
    }
    if (is_static) {
        snprintf(what, sizeof what, "a static %.60s",
                 value.type->kind == PYTREE_KIND_LEAF ? pytree_dtype_name(value.type) : value.type->name);
    } else {
        pytree__od_describe(value, what, sizeof what);
    }
    return pytree_fail(err, PYTREE_TYPE, path, "expected a variable, got %s", what);
}

/* Find the member of a struct that records a name. */
static pytree *pytree__record_member(pytree t, const pytree_type *role, const char *name, pytree_error *err)
{
    const pytree_type *const type = pytree__origin(t.type);
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row == PYTREE_ROW_DATA && row->form == PYTREE_FORM_REF && row->place == PYTREE_IN_PLACE
            && strcmp(row->name, name) == 0 && pytree_role_is(row->role, role)) {
            return (pytree *)(void *)((char *)t.data + row->offset);
        }
    }
    pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected a member '%.60s' of type pytree with ROLE(%s) in %s, got none", name,
                role->name, type->name);
    return NULL;
}

/* Find where a name is recorded in a module. */
static pytree_status pytree__record_find(pytree module, const pytree_type *role, const char *name, struct pytree__record *r,
                                         pytree_error *err)
{
    const pytree__container *c = NULL;
    pytree__ct_key key;
    size_t row, place = 0;
    memset(r, 0, sizeof *r);
    r->name = name;
    r->object = module;
    if (name == NULL || role == NULL || role->custom != &pytree_variable_node || module.type == NULL || module.data == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a module, a role and a name, got %s",
                           module.type == NULL || module.data == NULL ? "no module" : name == NULL ? "no name" : "no role");
    }
    if (module.type->kind == PYTREE_KIND_STRUCT) {
        r->member = pytree__record_member(module, role, name, err);
        return r->member == NULL ? PYTREE_NOT_FOUND : PYTREE_OK;
    }
    c = pytree__object_of(module, err);
    if (c == NULL) { return PYTREE_ARGUMENT; }
    r->options = c->copying;
    key = pytree__ct_string_key(name);
    if (!pytree__ct_find_row(c, &key, &row, &place)) {
        return pytree__ct_on_level(c->copying.level, c->depth, c->type, err);
    }
    r->variable = *pytree__ct_row_value(c, row);
    return pytree__record_role(c, name, row, role, err);
}

/* Get what is recorded so far; type NULL if there is nothing. */
static pytree pytree__record_value(const struct pytree__record *r)
{
    if (r->member == NULL) { return pytree_variable_value(r->variable); }
    return pytree__record_is_empty(r->member) ? pytree__ct_no_value() : *r->member;
}

/* Put a tree in place of what is recorded. It belongs to the record from then on, and is freed if the call fails. */
static pytree_status pytree__record_own(const struct pytree__record *r, const pytree_type *role, pytree value,
                                        pytree_error *err)
{
    const pytree none = { &pytree_types[PYTREE__T_none], NULL };
    pytree variable = r->variable;
    pytree__container *c;
    pytree_status status;
    if (r->member != NULL) { *r->member = value; return PYTREE_OK; }
    if (variable.type == NULL) { variable = pytree_new_variable(role, none, &r->options, err); }
    status = variable.type == NULL ? PYTREE_NO_MEMORY : pytree__ov_to_change(variable, &c, err);
    if (status == PYTREE_OK) { status = pytree__ov_put(c, PYTREE__OV_VALUE, value, PYTREE__CT_OWN, err); }
    if (status != PYTREE_OK) { pytree__ct_discard(value, true); return status; }
    if (r->variable.type != NULL) { return PYTREE_OK; }
    status = pytree_object_put_own(r->object, r->name, variable, err);
    if (status != PYTREE_OK) { pytree_container_free(variable); }
    return status;
}

/* Check that what is recorded may be changed. */
static pytree_status pytree__record_to_change(const struct pytree__record *r, pytree_error *err)
{
    pytree__container *c;
    return r->variable.type == NULL ? PYTREE_OK : pytree__ov_to_change(r->variable, &c, err);
}

/* ---- Sow ----------------------------------------------------------------------------------------------------------- */

/* Append a value to the tuple that is recorded. One that does not grow, in a tree that was rebuilt, is copied first. */
static pytree_status pytree__record_append(const struct pytree__record *r, const pytree_type *role, pytree value,
                                           pytree_error *err)
{
    const pytree so_far = pytree__record_value(r);
    pytree tuple;
    size_t i;
    pytree_status status = PYTREE_OK;
    if (so_far.type != NULL && so_far.type->kind != PYTREE_KIND_TUPLE) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected a tuple of recorded values in '%.60s', got %s", r->name,
                           so_far.type->name);
    }
    if (so_far.type != NULL && pytree__ct_growing(so_far) != NULL) { return pytree_list_append_copy(so_far, value, err); }
    tuple = pytree_new_tuple(&r->options, err);
    if (tuple.type == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < pytree_container_length(so_far) && status == PYTREE_OK; i++) {
        status = pytree_list_append_copy(tuple, pytree_list_get(so_far, (ptrdiff_t)i, NULL), err);
    }
    if (status == PYTREE_OK) { status = pytree_list_append_copy(tuple, value, err); }
    if (status != PYTREE_OK) { pytree_container_free(tuple); return status; }
    return pytree__record_own(r, role, tuple, err);
}

pytree_status pytree_sow(pytree module, const pytree_type *role, const char *name, pytree value, const pytree_sow_rule *rule,
                         pytree_error *err)
{
    struct pytree__record r;
    pytree so_far;
    pytree_status status = pytree__record_find(module, role, name, &r, err);
    if (status == PYTREE_OK) { status = pytree__record_to_change(&r, err); }
    if (status != PYTREE_OK) { return status; }
    if (rule == NULL) { return pytree__record_append(&r, role, value, err); }
    if (rule->init == NULL || rule->reduce == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a rule with init and reduce, got NULL");
    }
    so_far = pytree__record_value(&r);
    if (so_far.type != NULL) { return rule->reduce(rule->context, so_far, value); }
    so_far = pytree_clone(rule->init(rule->context), &r.options, err);
    if (so_far.type == NULL) { return PYTREE_NO_MEMORY; }
    status = rule->reduce(rule->context, so_far, value);
    if (status != PYTREE_OK) { pytree_free(so_far); return status; }
    return pytree__record_own(&r, role, so_far, err);
}

/* ---- Perturb ------------------------------------------------------------------------------------------------------- */

/* Count the floats in an array: 1 for each element, 2 for a complex one; 0 if it has other elements. */
static size_t pytree__record_floats(const pytree_leaf *x)
{
    const size_t n = pytree_leaf_count(x);
    switch (x->type->dtype) {
    case PYTREE_F32:
    case PYTREE_F64: return n;
    case PYTREE_C64:
    case PYTREE_C128: return 2 * n;
    default: return 0;
    }
}

/* Add numbers to an array of the same type and shape, in place. */
static pytree_status pytree__record_add(const char *name, const pytree_leaf *stored, const pytree_leaf *x, pytree_error *err)
{
    const size_t n = pytree__record_floats(x);
    const pytree_status fits = pytree__fits(stored, x);
    size_t i;
    if (fits != PYTREE_OK) {
        char path[PYTREE_ERROR_PATH], wanted[96], got[96];
        snprintf(path, sizeof path, ".%s", name);
        pytree__leaf_text(wanted, sizeof wanted, stored);
        pytree__leaf_text(got, sizeof got, x);
        return pytree_fail(err, fits, path, "expected %s, got %s", wanted, got);
    }
    if (x->type->dtype == PYTREE_F32 || x->type->dtype == PYTREE_C64) {
        for (i = 0; i < n; i++) { ((float *)x->data)[i] += ((const float *)stored->data)[i]; }
    } else {
        for (i = 0; i < n; i++) { ((double *)x->data)[i] += ((const double *)stored->data)[i]; }
    }
    return PYTREE_OK;
}

pytree_status pytree_perturb(pytree module, const char *name, const pytree_leaf *x, pytree_error *err)
{
    struct pytree__record r;
    pytree_leaf stored;
    pytree zeros, so_far;
    size_t count = 0;
    pytree_status status;
    if (x != NULL && x->type != NULL && x->form == PYTREE_FORM_DEVICE) { return pytree__refuse_device(NULL, x, err); }
    if (x == NULL || x->type == NULL || x->form != PYTREE_FORM_LEAF
        || (pytree__record_floats(x) == 0 && pytree_leaf_count(x) != 0)) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected an array of float or double, got %s",
                           x == NULL || x->type == NULL ? "NULL" : pytree_dtype_name(x->type));
    }
    status = pytree__record_find(module, &pytree_role_Perturbation, name, &r, err);
    if (status != PYTREE_OK) { return status; }
    so_far = pytree__record_value(&r);
    if (so_far.type == NULL) {
        zeros = pytree_zeros_like(pytree_of_view(x), &r.options, err);
        return zeros.type == NULL ? PYTREE_NO_MEMORY : pytree__record_own(&r, &pytree_role_Perturbation, zeros, err);
    }
    status = pytree_leaves(so_far, &stored, 1, &count, NULL, err);
    if (status != PYTREE_OK || count == 1) { return status != PYTREE_OK ? status : pytree__record_add(name, &stored, x, err); }
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected an array in '%.60s', got nothing", name);
}

#include "record_pop.h"
#endif
