/* pytree/impl/state_filter.h: what filters give to the values and nodes they choose: prefixes, attributes. */
#ifndef PYTREE_IMPL_STATE_FILTER_H
#define PYTREE_IMPL_STATE_FILTER_H

#include "state_places.h"

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

/* Get the one leaf, or None, that a value is. */
static bool pytree__prefix_value(const pytree *value, pytree_leaf *leaf, const char *label, pytree_error *err)
{
    pytree_options mine = pytree__alg_options(NULL, true);
    size_t count = 0;
    if (pytree__count_leaves(*value, leaf, 1, &count, &mine, err) != PYTREE_OK) { return false; }
    if (count != 1) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "%s%sexpected a leaf or None for each filter, got %zu leaves", label,
                    *label == '\0' ? "" : ": ", count);
    }
    return count == 1;
}

static void pytree__put_prefix(const pytree_leaf *value, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    if (value->form == PYTREE_FORM_NONE) { pytree__put_text(&to, "None"); }
    else if (value->ndim == 0) { pytree__put_value(&to, value, 0); }
    pytree__end_text(&to, n);
    if (value->form != PYTREE_FORM_NONE && value->ndim != 0) { pytree__leaf_text(text, n, value); }
}

/* Write the path of a leaf of a treedef. */
static bool pytree__leaf_where(const pytree_def *def, size_t leaf, char *text, size_t n, const pytree_options *opt,
                               pytree_error *err)
{
    pytree_path path;
    pytree_entry *entries;
    path.n = pytree_def_leaf_path(def, leaf, NULL, 0);
    entries = (pytree_entry *)pytree__array_new(path.n, sizeof *entries, pytree__allocator(opt), err);
    if (entries == NULL) { return false; }
    (void)pytree_def_leaf_path(def, leaf, entries, path.n);
    path.entries = entries;
    pytree_path_text(&path, text, n);
    pytree__array_free(entries, path.n, sizeof *entries, pytree__allocator(opt));
    return true;
}

/* Check that memory which several paths lead to has one value: which[i] is that of leaf i. */
static void pytree__check_prefix(const pytree_flat *flat, const size_t *which, const pytree_leaf *value, const char *label,
                                 const pytree_options *opt, pytree_error *err)
{
    struct pytree__reached_set set;
    size_t i;
    memset(&set, 0, sizeof set);
    set.allocator = pytree__allocator(opt);
    for (i = 0; i < flat->def->n_leaves && err->status == PYTREE_OK; i++) {
        const pytree_leaf *const leaf = &flat->leaves[i];
        char first[PYTREE_ERROR_PATH], second[PYTREE_ERROR_PATH], a[48], b[48];
        struct pytree__reached *reached;
        bool is_new = false;
        if (leaf->form != PYTREE_FORM_LEAF || pytree_leaf_bytes(leaf) == 0) { continue; }
        reached = pytree__reach(&set, leaf, &is_new);
        if (reached == NULL) { (void)pytree__no_memory(err, sizeof *reached); break; }
        if (is_new) { reached->number = (uint32_t)i; }
        if (which[reached->number] == which[i]) { continue; }
        pytree__put_prefix(&value[which[reached->number]], a, sizeof a);
        pytree__put_prefix(&value[which[i]], b, sizeof b);
        if (pytree__leaf_where(flat->def, reached->number, first, sizeof first, opt, err)
            && pytree__leaf_where(flat->def, i, second, sizeof second, opt, err)) {
            pytree_fail(err, PYTREE_SHARED, second, "%s%sexpected one prefix for memory reached as %s and %s, got %s and %s",
                        label, *label == '\0' ? "" : ": ", first, second, a, b);
        }
    }
    pytree__reached_free(&set);
}

/* Find which value each leaf gets: which[i], n for None of the tree. */
static void pytree__choose_values(const pytree_flat *flat, size_t n, const pytree_filter *filters, size_t *which,
                                  const pytree_options *opt, pytree_error *err)
{
    struct pytree__places p;
    size_t i, k;
    pytree__places_begin(&p, flat, false, opt, err);
    while (err->status == PYTREE_OK && pytree__places_next(&p)) {
        const size_t many = flat->def->nodes[p.node].leaves;
        const bool none = p.at.view->form == PYTREE_FORM_NONE;
        for (i = 0; i < n && !none && !pytree_filter_match(&filters[i], &p.at, err); i++) {}
        if (err->status != PYTREE_OK) { break; }
        if (i == n && !none) { (void)pytree__fail_unfiltered(&p, err); }
        for (k = 0; k < many; k++) {
            which[p.leaf_end - 1 - k] = flat->leaves[p.leaf_end - 1 - k].form == PYTREE_FORM_NONE ? n : i;
        }
    }
    pytree__places_end(&p);
}

/* Give each leaf of a flat its value. */
static void pytree__fill_prefix(pytree_flat *flat, size_t n, const pytree_filter *filters, const pytree *values,
                                const char *label, const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *const a = pytree__allocator(opt);
    const size_t n_leaves = flat->def->n_leaves;
    pytree_leaf *value = (pytree_leaf *)pytree__array_new(n + 1, sizeof *value, a, err);
    size_t *which = (size_t *)pytree__array_new(n_leaves, sizeof *which, a, err);
    size_t i;
    if (value != NULL) { pytree__none_view(&value[n]); }
    for (i = 0; i < n && err->status == PYTREE_OK && pytree__prefix_value(&values[i], &value[i], label, err); i++) {}
    if (err->status == PYTREE_OK) { pytree__choose_values(flat, n, filters, which, opt, err); }
    if (err->status == PYTREE_OK) { pytree__check_prefix(flat, which, value, label, opt, err); }
    for (i = 0; i < n_leaves && err->status == PYTREE_OK; i++) {
        pytree__copy_view((pytree_leaf *)(uintptr_t)&flat->leaves[i], &value[which[i]]);
    }
    pytree__array_free(which, n_leaves, sizeof *which, a);
    pytree__array_free(value, n + 1, sizeof *value, a);
}

pytree_flat pytree_prefix(pytree t, size_t n, const pytree_filter *filters, const pytree *values, const char *label,
                          const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, true);
    pytree_error problem;
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    problem.status = PYTREE_OK;
    if (values == NULL && n != 0) { pytree_fail(&problem, PYTREE_ARGUMENT, NULL, "expected %zu values, got NULL", n); }
    if (problem.status == PYTREE_OK && pytree__check_filters(n, filters, &flat, &problem) == PYTREE_OK) {
        flat = pytree__alg_flatten(t, &mine, &problem);
    }
    if (flat.def != NULL) {
        pytree__fill_prefix(&flat, n, filters, values, label == NULL ? "" : label, &mine, &problem);
        if (problem.status != PYTREE_OK) { pytree_flat_free(&flat); }
    }
    (void)pytree__alg_status(&problem, err);
    return flat;
}

/* ---- Attributes ---------------------------------------------------------------------------------------------------- */

/* A member that is to get the value. */
struct pytree__set_member { char *self; const pytree_field *row; };

struct pytree__setting {
    const pytree_filter *nodes;
    const char *name;
    const pytree_leaf *value;
    struct pytree__vector members;        /* of pytree__set_member: each has been checked */
    pytree_error *err;
};

/* Write the value to a member, or to a copy of it. Returns false if it is of another type. */
static bool pytree__set_value(const pytree_field *row, void *at, const pytree_leaf *value)
{
    pytree_leaf member;
    if (pytree_type_equal(row->type, value->type)) { memcpy(at, value->data, row->size); return true; }
    if (row->form != PYTREE__PACK_BYTES || !pytree__real(row->type) || !pytree__real(value->type)) { return false; }
    pytree__view(&member, row->type, at);
    pytree_leaf_set(&member, 0, pytree_leaf_get(value, 0));
    return true;
}

/* Write a number to a bit-field. Returns what is then in it. */
static double pytree__set_bits(const pytree_field *row, void *self, double number)
{
    row->functions->write(self, (int64_t)number);
    return (double)row->functions->read(self);
}

/* Tell whether a member can have the value. `held` is the number that it would then hold. */
static bool pytree__can_set(const pytree_field *row, char *self, const pytree_leaf *value, double *held)
{
    union { char bytes[64]; long double number; void *pointer; } copy;
    pytree_leaf member;
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_BITS) {
        const int64_t before = row->functions->read(self);
        if (!pytree__real(value->type)) { return false; }
        *held = pytree__set_bits(row, self, pytree_leaf_get(value, 0));
        row->functions->write(self, before);
        return true;
    }
    memset(&copy, 0, sizeof copy);
    if (row->ndim != 0 || row->size > sizeof copy || !pytree__set_value(row, copy.bytes, value)) { return false; }
    pytree__view(&member, row->type, copy.bytes);
    if (pytree__real(row->type)) { *held = pytree_leaf_get(&member, 0); }
    return true;
}

/* Check that the member of a struct can have the value, and note it. */
static pytree_status pytree__set_check(struct pytree__setting *s, const pytree_place *at, const pytree_field *row)
{
    char *const self = (char *)at->view->data;
    const double number = pytree__real(s->value->type) ? pytree_leaf_get(s->value, 0) : 0;
    double held = number;
    const bool can = pytree__can_set(row, self, s->value, &held);
    char where[PYTREE_ERROR_PATH], got[64];
    struct pytree__set_member *member;
    if (!can || !(held >= number && held <= number)) {
        pytree_path_text(&at->path, where, sizeof where);
        pytree__put_prefix(s->value, got, sizeof got);
    }
    if (!can) {
        return pytree_fail(s->err, PYTREE_TYPE, where, "expected %s for the static member %s of a %s, got %s",
                           pytree_dtype_name(row->type), row->name, at->type->name, got);
    }
    if (!(held >= number && held <= number)) {
        return pytree_fail(s->err, PYTREE_VALUE, where, "expected a number that the %s %s of a %s can hold, got %s",
                           pytree_dtype_name(row->type), row->name, at->type->name, got);
    }
    member = (struct pytree__set_member *)pytree__vector_add(&s->members, 1, s->err);
    if (member == NULL) { return PYTREE_NO_MEMORY; }
    member->self = self;
    member->row = row;
    return PYTREE_OK;
}

/* Look at one node. */
static pytree_status pytree__set_attribute(void *context, const pytree_place *at)
{
    struct pytree__setting *const s = (struct pytree__setting *)context;
    const pytree_field *row, *end;
    if (at->view->form != PYTREE_FORM_STRUCT || at->type->kind != PYTREE_KIND_STRUCT) { return PYTREE_OK; }
    row = at->type->fields;
    end = row + at->type->n_fields;
    while (row != end && (row->row != PYTREE_ROW_STATIC || strcmp(row->name, s->name) != 0)) { row++; }
    if (row == end || !pytree_filter_match(s->nodes, at, s->err)) { return s->err->status; }
    return pytree__set_check(s, at, row);
}

/* Begin to set attributes. `leaf` becomes the value, which must be a number or a string. */
static void pytree__set_begin(struct pytree__setting *s, const pytree_filter *nodes, const char *name, const pytree *value,
                              pytree_leaf *leaf, const pytree_options *opt, pytree_error *err)
{
    s->nodes = nodes;
    s->name = name;
    s->value = leaf;
    s->err = err;
    s->members = pytree__vector_of(sizeof(struct pytree__set_member), pytree__allocator(opt));
    if (name == NULL) { pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the name of an attribute, got NULL"); }
    else if (pytree__prefix_value(value, leaf, "", err) && (leaf->form != PYTREE_FORM_LEAF || leaf->ndim != 0)) {
        pytree_fail(err, PYTREE_TYPE, NULL, "expected a number or a string for %s, got another value", name);
    }
}

/* Set the members, which cannot fail, unless something was wrong before. */
static void pytree__set_end(struct pytree__setting *s)
{
    const struct pytree__set_member *member = (const struct pytree__set_member *)s->members.data;
    size_t i;
    for (i = 0; i < s->members.count && s->err->status == PYTREE_OK; i++) {
        if (PYTREE__MORE_ROWS && member[i].row->form == PYTREE__PACK_BITS) {
            (void)pytree__set_bits(member[i].row, member[i].self, pytree_leaf_get(s->value, 0));
        } else {
            (void)pytree__set_value(member[i].row, member[i].self + member[i].row->offset, s->value);
        }
    }
    pytree__vector_free(&s->members);
}

/* Say how many attributes were found; none is an error, unless the caller asks. */
static void pytree__set_count(const char *name, size_t n, size_t *found, pytree_error *err)
{
    if (err->status == PYTREE_OK && n == 0 && found == NULL) {
        pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected a node with the attribute '%s', got none", name);
    }
    if (found != NULL) { *found = err->status == PYTREE_OK ? n : 0; }
}

pytree_status pytree_set_attributes(pytree t, pytree_filter nodes, const char *name, pytree value, size_t *found,
                                    const pytree_options *opt, pytree_error *err)
{
    struct pytree__setting s;
    pytree_error problem;
    pytree_leaf leaf;
    problem.status = PYTREE_OK;
    pytree__set_begin(&s, &nodes, name, &value, &leaf, opt, &problem);
    if (problem.status == PYTREE_OK) { (void)pytree_graph_walk(t, pytree__set_attribute, &s, opt, &problem); }
    pytree__set_count(name, s.members.count, found, &problem);
    pytree__set_end(&s);
    return pytree__alg_status(&problem, err);
}

#endif
