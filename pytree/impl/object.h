/* pytree/impl/object.h: objects: attributes that are data or static one by one, in a growing dict or list. */
#ifndef PYTREE_IMPL_OBJECT_H
#define PYTREE_IMPL_OBJECT_H

#include "object_data.h"

/* ---- Assignment ---------------------------------------------------------------------------------------------------- */

/* Report data where a static value must be: in the attribute at `key`. */
static pytree_status pytree__object_refuse(const pytree__container *c, const pytree_entry *key, bool annotated,
                                           const struct pytree__od_found *found, pytree_error *err)
{
    char path[2 * PYTREE_ERROR_PATH], what[PYTREE__OD_TEXT];
    struct pytree__text_writer to = pytree__text_to(path, sizeof path, NULL);
    const char *const name = c->type->name, *const article = strchr("AEIOUaeiou", *name) != NULL ? "an" : "a";
    if (found->what == PYTREE__OD_FAILED) { return pytree__no_memory(err, sizeof(struct pytree__od_frame)); }
    pytree__put_entry(&to, key, NULL, true);
    pytree__put_text(&to, found->path);
    pytree__end_text(&to, sizeof path);
    if (found->what == PYTREE__OD_ANNOTATION) {
        return pytree_fail(err, PYTREE_ARGUMENT, path, "expected annotations on attributes, got PYTREE_AS_DATA in a %s",
                           found->in->name);
    }
    pytree__od_describe(found->value, what, sizeof what);
    if (annotated) {
        return pytree_fail(err, PYTREE_STATIC, path, "expected a static value, got %s annotated as static in %s %s", what,
                           article, name);
    }
    if (found->in == NULL) {
        return pytree_fail(err, PYTREE_STATIC, path, "expected a static value for the static attribute of %s %s, got %s; "
                           "PYTREE_AS_DATA changes its status", article, name, what);
    }
    return pytree_fail(err, PYTREE_STATIC, path, "expected a static value in a %s without annotation in %s %s, got %s; "
                       "PYTREE_AS_DATA, or an object of class List", found->in->name, article, name, what);
}

/* Check that a static value has a literal. */
static pytree_status pytree__object_literal(const pytree_entry *key, pytree value, pytree_error *err)
{
    pytree_error problem;
    char path[2 * PYTREE_ERROR_PATH];
    struct pytree__text_writer to = pytree__text_to(path, sizeof path, NULL);
    problem.status = PYTREE_OK;
    if (pytree_literal_text(value, NULL, 0, NULL, &problem) != SIZE_MAX) { return PYTREE_OK; }
    pytree__put_entry(&to, key, NULL, true);
    pytree__put_text(&to, problem.path);
    pytree__end_text(&to, sizeof path);
    return pytree_fail(err, problem.status, path, "%s", problem.message);
}

/* Decide whether a value becomes data or static. Objects of PYTREE_CLASS_IN follow their values. */
static pytree_status pytree__object_admit(const pytree__container *c, const pytree_entry *key, int old, pytree *value,
                                          unsigned char *flags, pytree_error *err)
{
    const bool follows = pytree_role_is(c->type, &pytree_class_Object);
    const bool as_data = pytree__origin(value->type) == &pytree_data_type;
    const bool as_static = pytree__origin(value->type) == &pytree_static_type;
    struct pytree__od_found found;
    bool is_static;
    if (as_data || as_static) { *value = *(const pytree *)value->data; }
    if (value->type == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an annotated value, got none"); }
    pytree__od_find(*value, c->copying.allocator, &found);
    if (found.what >= PYTREE__OD_ANNOTATION) { return pytree__object_refuse(c, key, false, &found, err); }
    is_static = follows ? found.what == PYTREE__OD_NOTHING
        : as_data || as_static ? as_static
        : old >= 0 ? (old & PYTREE__CT_STATIC) != 0
        : !pytree_is_data(*value);
    if (!is_static) { return PYTREE_OK; }
    if (found.what == PYTREE__OD_DATA) { return pytree__object_refuse(c, key, as_static, &found, err); }
    *flags |= PYTREE__CT_STATIC;
    return pytree__object_literal(key, *value, err);
}

/* ---- The node ------------------------------------------------------------------------------------------------------ */

static size_t pytree__object_children(const void *self, pytree *children, pytree_entry *keys)
{
    pytree__container *const c = (pytree__container *)((const pytree_object *)self)->container;
    size_t i;
    if (c == NULL) { return 0; }
    for (i = 0; children != NULL && i < c->items.count; i++) {
        const size_t row = c->keyed ? c->order[i] : i;
        pytree *const value = pytree__ct_row_value(c, row);
        children[i] = *value;
        if ((c->flags[c->head + row] & PYTREE__CT_STATIC) != 0) {
            children[i].type = &pytree_static_type;
            children[i].data = value;
        }
        keys[i].kind = c->keyed ? PYTREE_ATTRIBUTE : PYTREE_INDEX;
        keys[i].name = c->keyed ? c->items.pairs[row].key : NULL;
        keys[i].index = i;
    }
    return c->items.count;
}

/* ---- Attributes by key --------------------------------------------------------------------------------------------- */

static pytree__ct_key pytree__ct_entry_key(const pytree_entry *entry)
{
    return entry->name != NULL ? pytree__ct_string_key(entry->name) : pytree__ct_int_key((int64_t)entry->index);
}

/* Find the row of a growing container that an entry of a path stands for. */
static bool pytree__ct_entry_row(const pytree__container *c, const pytree_entry *entry, size_t *row)
{
    const pytree__ct_key key = pytree__ct_entry_key(entry);
    size_t place = 0;
    if (c->keyed) { return pytree__ct_find_row(c, &key, row, &place); }
    if (entry->name != NULL || entry->index >= c->items.count) { return false; }
    *row = pytree__ct_row_at(c, (size_t)entry->index);
    return true;
}

/* Get an attribute that is data, or an element of a List, for an update that goes along paths: pytree__growing. Its type is
 * NULL if there is none. */
static pytree pytree__object_at(const void *self, const pytree_entry *key)
{
    const pytree__container *const c = (const pytree__container *)((const pytree_object *)self)->container;
    size_t row;
    if (c == NULL || !pytree__ct_entry_row(c, key, &row) || (c->flags[c->head + row] & PYTREE__CT_STATIC) != 0) {
        return pytree__ct_no_value();
    }
    return *pytree__ct_row_value(c, row);
}

/* ---- Rebuilt objects ------------------------------------------------------------------------------------------------ */

/* Free the container of an object that lies in the block of a tree. */
static void pytree__object_release(void *self)
{
    pytree__ct_free_all((pytree__container *)((pytree_object *)self)->container);
}

/* Count the bytes of the names of an object that is rebuilt. Returns SIZE_MAX with an error where one has none. */
static size_t pytree__object_names(const pytree_making *from, pytree_error *err)
{
    size_t i, bytes = 0;
    for (i = 0; i < from->n && from->keys[i].name != NULL; i++) { bytes += strlen(from->keys[i].name) + 1; }
    if (i == from->n) { return bytes; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected names of attributes, got a number");
    return SIZE_MAX;
}

/* Put the names of an object that is rebuilt in order, which treedefs that the library made have already. */
static pytree_status pytree__object_sort(pytree__container *c, pytree_error *err)
{
    const pytree_pair *const pairs = c->items.pairs;
    size_t i;
    for (i = 1; i < c->items.count && strcmp(pairs[i - 1].key, pairs[i].key) < 0; i++) {}
    if (i >= c->items.count) { return PYTREE_OK; }
    pytree__ct_sort(c);
    for (i = 1; i < c->items.count && strcmp(pairs[c->order[i - 1]].key, pairs[c->order[i]].key) < 0; i++) {}
    if (i >= c->items.count) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected each attribute once, got '%.60s' twice", pairs[c->order[i]].key);
}

/* Rebuild an object in one block: its rows and their names move out when they are first to grow. */
static pytree_status pytree__object_make(void *self, const pytree_making *from, pytree_error *err)
{
    const bool keyed = !pytree_role_is(from->type, &pytree_class_List);
    const size_t names = keyed ? pytree__object_names(from, err) : 0;
    const size_t more = pytree__object_bytes(from->n, keyed ? sizeof(pytree_pair) : sizeof(pytree), names);
    pytree__container *c;
    pytree_status status;
    char *name;
    size_t i;
    if (names == SIZE_MAX) { return PYTREE_ARGUMENT; }
    c = (pytree__container *)pytree__ct_make(from->type, 0, keyed, NULL, more, from->opt, err).data;
    if (c == NULL) { return PYTREE_NO_MEMORY; }
    ((pytree_object *)self)->container = c;
    name = pytree__object_lay_rows(c, from->n, more);
    for (i = 0; i < from->n; i++) {
        const bool is_static = from->children[i].type == &pytree_static_type;
        *pytree__ct_row_value(c, i) = is_static ? *(const pytree *)from->children[i].data : from->children[i];
        c->flags[i] = is_static ? PYTREE__CT_STATIC : 0;
        if (!keyed) { continue; }
        c->order[i] = (uint32_t)i;
        memcpy(pytree__ct_row(c, i), &name, sizeof name);
        memcpy(name, from->keys[i].name, strlen(from->keys[i].name) + 1);
        name += strlen(name) + 1;
    }
    c->items.count = from->n;
    status = keyed ? pytree__object_sort(c, err) : PYTREE_OK;
    if (status != PYTREE_OK) { pytree__object_release(self); return status; }
    c->in_block = true;
    c->admit = pytree__object_admit;
    return PYTREE_OK;
}

/* Note the items of a variable that holds a list or tuple, as pytree_sow makes them, if it owns them. */
static void pytree__object_items(struct pytree__grown *child)
{
    const pytree_kind kind = child->held.type->kind;
    const pytree__container *const c = kind == PYTREE_KIND_LIST || kind == PYTREE_KIND_TUPLE ? pytree__ct_growing(child->held)
                                                                                            : NULL;
    child->items = c == NULL || c->refers || c->items.removed != 0 || c->items.count == 0 ? NULL : c->items.items;
    child->n = child->items == NULL ? 0 : c->items.count;
}

/* Describe the i-th child in order of visit, for a walk over objects that own all they have: pytree__growing. */
static void pytree__object_child(const void *self, size_t i, struct pytree__grown *child)
{
    const pytree__container *const c = (const pytree__container *)((const pytree_object *)self)->container;
    const size_t row = c->keyed ? c->order[i] : i;
    const unsigned char flags = c->flags[c->head + row];
    const pytree__container *of;
    child->value = *pytree__ct_row_value(c, row);
    child->name = c->keyed ? c->items.pairs[row].key : NULL;
    child->what = (flags & PYTREE__CT_STATIC) != 0 ? PYTREE__GROWN_STATIC : PYTREE__GROWN_OTHER;
    if (child->what == PYTREE__GROWN_STATIC) {
        child->bytes = pytree__static_short(child->value, child->literal);
        child->value.type = &pytree_static_type;
        child->value.data = pytree__ct_row_value(c, row);
    }
    if ((flags & (PYTREE__CT_STATIC | PYTREE__CT_OWNED)) != PYTREE__CT_OWNED) { return; }
    of = pytree__ct_of_node(child->value);
    if (of == NULL) {
        child->what = PYTREE__GROWN_LEAF;
    } else if (child->value.type->custom == &pytree_object_node) {
        child->what = PYTREE__GROWN_NODE;
    } else if (!of->refers) {
        child->what = PYTREE__GROWN_VARIABLE;
        child->metadata = of->items.count < 2 ? NULL : *(const char *const *)of->items.items[1].data;
        child->held = of->items.items[0];
        pytree__object_items(child);
    }
}

/* Return how many children there are; SIZE_MAX if they cannot be visited one by one as they are. They are always in order. */
static size_t pytree__object_count(const void *self)
{
    const pytree__container *const c = (const pytree__container *)((const pytree_object *)self)->container;
    return c == NULL || c->items.removed != 0 || c->in_block ? SIZE_MAX : c->items.count;
}

static const struct pytree__growing pytree__object_growing = { pytree__object_count, pytree__object_child, pytree__object_at };

const pytree_custom pytree_object_node = {
    pytree__object_children, true, NULL, NULL, NULL, pytree__object_release, pytree__object_make, NULL,
    &pytree__object_growing
};

const pytree_type pytree_class_Pytree = PYTREE__CLASS_TYPE("Pytree", NULL, NULL);
const pytree_type pytree_class_Module = PYTREE__CLASS_TYPE("Module", NULL, &pytree_class_Pytree);
const pytree_type pytree_class_List = PYTREE__CLASS_TYPE("List", NULL, &pytree_class_Pytree);
const pytree_type pytree_class_Dict = PYTREE__CLASS_TYPE("Dict", NULL, &pytree_class_Module);
const pytree_type pytree_class_Object = PYTREE__CLASS_TYPE("Object", NULL, NULL);

/* ---- Functions ----------------------------------------------------------------------------------------------------- */

pytree pytree_new_object(const pytree_type *of, const pytree_options *opt, pytree_error *err)
{
    pytree t;
    if (of == NULL || of->custom != &pytree_object_node) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a class, got %s", of == NULL ? "NULL" : of->name);
        return pytree__ct_no_value();
    }
    t = pytree__ct_make(of, sizeof(pytree_object), !pytree_role_is(of, &pytree_class_List), NULL, 0, opt, err);
    if (t.data != NULL) { ((pytree__container *)((pytree_object *)t.data)->container)->admit = pytree__object_admit; }
    return t;
}

/* Return the container of an object whose attributes have names; NULL with an error for anything else. */
static pytree__container *pytree__object_of(pytree object, pytree_error *err)
{
    const bool is_object = object.type != NULL && object.type->custom == &pytree_object_node;
    pytree__container *c = is_object ? pytree__ct_of_node(object) : NULL;
    if (c != NULL && c->keyed) { return c; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an object with named attributes, got %s",
                object.type == NULL ? "no value" : object.type->name);
    return NULL;
}

static pytree_status pytree__object_assign(pytree object, const char *name, pytree value, int how, pytree_error *err)
{
    if (pytree__object_of(object, err) == NULL) { return PYTREE_ARGUMENT; }
    return pytree__ct_put_pair(object, pytree__ct_string_key(name), value, how, err);
}
pytree_status pytree_object_put(pytree object, const char *name, pytree value, pytree_error *err)
{
    return pytree__object_assign(object, name, value, PYTREE__CT_REFERENCE, err);
}
pytree_status pytree_object_put_copy(pytree object, const char *name, pytree value, pytree_error *err)
{
    return pytree__object_assign(object, name, value, PYTREE__CT_COPY, err);
}
pytree_status pytree_object_put_own(pytree object, const char *name, pytree value, pytree_error *err)
{
    return pytree__object_assign(object, name, value, PYTREE__CT_OWN, err);
}

/* Report a name that an object does not have: "expected 'bias' or 'w', got 'w10'". */
static pytree_status pytree__object_missing(const pytree__container *c, const char *name, pytree_error *err)
{
    char names[160], more[40];
    struct pytree__text_writer to = pytree__text_to(names, sizeof names, NULL);
    const size_t n = c->items.count;
    size_t i;
    for (i = 0; i < n; i++) {
        const char *const known = c->items.pairs[c->order[i]].key;
        snprintf(more, sizeof more, " or %zu others", n - i);
        if (to.length + strlen(known) + sizeof more > sizeof names) { pytree__put_text(&to, more); break; }
        if (i != 0) { pytree__put_text(&to, i + 1 == n ? " or " : ", "); }
        pytree__put_repr(&to, known, strlen(known));
    }
    pytree__end_text(&to, sizeof names);
    return pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected %s, got %s%.60s%s", n == 0 ? "an attribute that exists" : names,
                       name == NULL ? "" : "'", name == NULL ? "NULL" : name, name == NULL ? "" : "'");
}

/* Find the row of an attribute. */
static pytree_status pytree__object_find(const pytree__container *c, const char *name, size_t *row, pytree_error *err)
{
    const pytree__ct_key key = pytree__ct_string_key(name);
    size_t place = 0;
    if (name != NULL && pytree__ct_find_row(c, &key, row, &place)) { return PYTREE_OK; }
    return pytree__object_missing(c, name, err);
}

pytree pytree_object_get(pytree object, const char *name, pytree_error *err)
{
    const pytree__container *c = pytree__object_of(object, err);
    size_t row;
    if (c == NULL || pytree__object_find(c, name, &row, err) != PYTREE_OK) { return pytree__ct_no_value(); }
    return *pytree__ct_row_value(c, row);
}

pytree_status pytree_object_remove(pytree object, const char *name, pytree_error *err)
{
    const pytree__container *c = pytree__object_of(object, err);
    size_t row;
    pytree_status status = c == NULL ? PYTREE_ARGUMENT : pytree__object_find(c, name, &row, err);
    return status != PYTREE_OK ? status : pytree_dict_remove(object, name, err);
}

size_t pytree_object_length(pytree object)
{
    const pytree__container *c = object.type == NULL || object.type->custom != &pytree_object_node ? NULL
        : pytree__ct_of_node(object);
    return c == NULL ? 0 : c->items.count;
}

pytree_status pytree_object_attribute(pytree object, size_t i, pytree_attribute *to, pytree_error *err)
{
    const size_t n = pytree_object_length(object);
    const pytree__container *c;
    if (to == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the attribute, got NULL"); }
    if (i >= n) {
        return pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected a number below the %zu attributes of %s, got %zu", n,
                           object.type == NULL ? "nothing" : object.type->name, i);
    }
    c = pytree__ct_of_node(object);
    to->name = c->keyed ? c->items.pairs[i].key : NULL;
    to->value = *pytree__ct_row_value(c, i);
    to->is_data = (c->flags[c->head + i] & PYTREE__CT_STATIC) == 0;
    return PYTREE_OK;
}

#include "object_variable.h"
#endif
