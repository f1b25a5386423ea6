/* pytree/impl/path_access.h: reading and writing the value at a key path. */
#ifndef PYTREE_IMPL_PATH_ACCESS_H
#define PYTREE_IMPL_PATH_ACCESS_H

#include "path_match.h"

/* ---- Get and set --------------------------------------------------------------------------------------------------- */

/* Tell whether a string is the decimal form of a number. */
static bool pytree__path_spells(const char *text, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    return strcmp(text, digits) == 0;
}

/* Tell whether a child's key is the wanted entry. An entry of the simple form matches by its name or number only. */
static bool pytree__path_answers(const pytree_entry *key, const pytree_entry *wanted)
{
    const bool open = pytree__path_named(wanted) ? wanted->index == PYTREE__NO_INDEX : wanted->name != NULL;
    if (wanted->kind == PYTREE_INDEX && pytree__path_is_index(key, wanted->index)) { return true; }
    if (key->kind != wanted->kind && !open) { return false; }
    if (pytree__path_named(key)) { return strcmp(key->name, wanted->name) == 0; }
    if (pytree__path_named(wanted)) {
        return key->kind == PYTREE_INT_KEY && pytree__path_spells(wanted->name, (int64_t)key->index);
    }
    return key->index == wanted->index && (key->kind != PYTREE_INT_KEY || wanted->kind == PYTREE_INT_KEY);
}

/* Write type and shape of a leaf: "f32[4,3]". */
static void pytree__path_put_type(struct pytree__text_writer *sink, const pytree_leaf *leaf)
{
    int i;
    pytree__put_text(sink, pytree_dtype_name(leaf->type));
    for (i = 0; i < leaf->ndim; i++) {
        pytree__put_text(sink, i == 0 ? "[" : ",");
        pytree__put_number(sink, leaf->shape[i]);
    }
    if (leaf->ndim > 0) { pytree__put_text(sink, "]"); }
}

/* Describe the value at which an entry is missing: "a Linear with .w, .b". A node is open in the cursor. */
static void pytree__path_describe(const pytree_leaf *view, const pytree__cursor *c, char *text, size_t n)
{
    struct pytree__text_writer sink = pytree__text_to(text, n, NULL);
    if (pytree_is_leaf(view)) {
        pytree__put_text(&sink, "a leaf ");
        pytree__path_put_type(&sink, view);
    } else if (view->form == PYTREE_FORM_NONE) {
        pytree__put_text(&sink, "None");
    } else {
        const pytree_type *type = view->form == PYTREE_FORM_FLAT ? c->frames[0].type : pytree__node_type(view);
        const bool counted = pytree__traits(type)->keys == PYTREE__KEYS_NONE;
        const size_t count = c->frames[0].count;
        const char *name = type->name;
        char all[48];
        size_t i;
        if (view->form == PYTREE_FORM_ITEMS && pytree__traits(type)->meta == PYTREE__META_NAME
            && pytree__items_name(&c->frames[0]) != NULL) {
            name = pytree__items_name(&c->frames[0]);
        }
        pytree__put_text(&sink, count == 0 ? "an empty " : strchr("AEIOUaeiou", *name) != NULL ? "an " : "a ");
        pytree__put_text(&sink, name);
        if (count > 0) { pytree__put_text(&sink, counted ? " of " : " with "); }
        if (count > 0 && counted) { pytree__put_number(&sink, count); }
        snprintf(all, sizeof(all), "... (%zu in all)", count);
        for (i = 0; i < count && !counted; i++) {
            struct pytree__text_writer next = pytree__text_to(NULL, 0, NULL);
            pytree_entry entry;
            pytree__frame_entry(c, &c->frames[0], i, &entry);
            pytree__put_entry(&next, &entry, NULL, true);
            if (sink.length + next.length + 2 + strlen(all) > sink.room) {
                pytree__put_text(&sink, all);
                break;
            }
            pytree__put_entry(&sink, &entry, NULL, true);
            if (i + 1 < count) { pytree__put_text(&sink, ", "); }
        }
    }
    pytree__end_text(&sink, n);
}

/* Report that path->entries[n] is missing. */
static pytree_status pytree__path_missing(const pytree_path *path, size_t n, const pytree_leaf *at, const pytree__cursor *c,
                                          pytree_error *err)
{
    char where[PYTREE__PATH_WHERE], wanted[80], there[140];
    struct pytree__text_writer sink = pytree__text_to(wanted, sizeof(wanted) - 3, NULL);
    if (err == NULL) { return PYTREE_NOT_FOUND; }
    pytree__put_entry(&sink, &path->entries[n], NULL, true);
    pytree__end_text(&sink, sizeof(wanted) - 3);
    if (sink.length > sink.room) { strcpy(wanted + pytree__path_whole(wanted, sink.room), "..."); }
    pytree__path_where(path, n, where);
    pytree__path_describe(at, c, there, sizeof(there));
    return pytree_fail(err, PYTREE_NOT_FOUND, where, "expected %s, got %s", wanted, there);
}

/* Find the child of the open node that is the wanted entry. Return the number of children if there is none. `in_row`: the keys
 * are 0, 1, 2, … */
static size_t pytree__path_child(const pytree__cursor *c, const pytree_entry *wanted)
{
    const pytree__frame *f = &c->frames[0];
    const bool in_row = pytree__in_row(f) || f->from == PYTREE__FROM_ITEMS || f->from == PYTREE__FROM_CHUNKS;
    pytree_entry key;
    size_t k;
    if (!pytree__path_named(wanted) && wanted->index < f->count) {                 /* no search in long lists */
        pytree__frame_entry(c, f, (size_t)wanted->index, &key);
        if (pytree__path_answers(&key, wanted)) { return (size_t)wanted->index; }
    }
    for (k = in_row ? f->count : 0; k < f->count; k++) {
        pytree__frame_entry(c, f, k, &key);
        if (pytree__path_answers(&key, wanted)) { break; }
    }
    return k;
}

/* Report an error of the cursor or of pytree_copy_into, whose path begins after the first n entries of this one. */
static pytree_status pytree__path_fail(const pytree_path *path, size_t n, const pytree_error *problem, pytree_error *err)
{
    char where[PYTREE__PATH_WHERE + sizeof(problem->path)];
    pytree__path_where(path, n, where);
    strcat(where, problem->path);
    return pytree_fail(err, problem->status, where, "%s", problem->message);
}

/* Make a value the current one, as its namespace registers it. */
static void pytree__path_stand(pytree__cursor *c, pytree_leaf *at, const pytree_leaf *value)
{
    pytree__copy_view(at, value);
    if (PYTREE__DEVICES && c->met_device) { pytree__see_device(c, at); }
    if (c->opt != NULL && c->opt->space != NULL) { pytree__apply_namespace(c, at); }
}

/* Make a view of element i of an array: a scalar, or an array of one dimension less. */
static void pytree__element(pytree_leaf *to, const pytree_leaf *array, size_t i)
{
    pytree_leaf one = *array;
    one.ndim--;
    memmove(one.shape, array->shape + 1, (size_t)one.ndim * sizeof one.shape[0]);
    if (one.data != NULL) { one.data = (char *)one.data + i * pytree_leaf_bytes(&one); }
    *to = one;
}

/* Take the wanted element of an array. Return false if there is none. A string in an array of characters has none: it is one
 * value. */
static bool pytree__path_element(pytree_leaf *at, const pytree_entry *wanted)
{
    if (at->form != PYTREE_FORM_LEAF || at->ndim <= (at->type->dtype == PYTREE_TEXT) || wanted->kind != PYTREE_INDEX
        || wanted->index >= at->shape[0]) {
        return false;
    }
    pytree__element(at, at, (size_t)wanted->index);
    return true;
}

/* Descend level by level: open a node, take the wanted child, close the node. */
static pytree_status pytree__path_find(pytree t, const pytree_path *path, pytree_leaf *found, const pytree_options *opt,
                                       pytree_error *err)
{
    const size_t n = pytree__path_length(path);
    pytree__cursor c;
    pytree__cursor_space stacks;
    pytree_error problem;
    pytree_leaf at;
    pytree_status status;
    size_t i = 0;
    pytree__clear(&problem, sizeof problem);
    pytree__clear(&at, sizeof at);
    pytree__cursor_init(&c, &stacks, opt, &problem);
    status = pytree__cursor_root(&c, t);
    if (status == PYTREE_OK) { pytree__path_stand(&c, &at, &c.root); }
    for (; status == PYTREE_OK && i < n; i++) {
        const bool opens = !pytree_is_leaf(&at) && at.form != PYTREE_FORM_NONE;
        const pytree_leaf *child;
        size_t k;
        if (pytree__path_element(&at, &path->entries[i])) { continue; }
        if (opens) { status = pytree__open(&c, &at); }
        if (status != PYTREE_OK) { break; }
        k = opens ? pytree__path_child(&c, &path->entries[i]) : 0;
        if (!opens || k == c.frames[0].count) {
            status = pytree__path_missing(path, i, &at, &c, err);
            break;
        }
        c.frames[0].next = k;
        status = pytree__take(&c, &child);
        if (status != PYTREE_OK) { break; }
        pytree__path_stand(&c, &at, child);
        pytree__close(&c);
    }
    pytree__cursor_end(&c);
    if (problem.status != PYTREE_OK) { return pytree__path_fail(path, i, &problem, err); }
    if (status == PYTREE_OK) { *found = at; }
    return status;
}

pytree_leaf pytree_get(pytree t, const pytree_path *path, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf found;
    pytree__clear(&found, sizeof found);
    pytree__path_find(t, path, &found, opt, err);
    return found;
}

pytree_leaf pytree_at(pytree t, const char *text, const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_scratch room;
    pytree_path *path = pytree__path_read(text, NULL, &room, opt, err);
    pytree_leaf found;
    pytree__clear(&found, sizeof found);
    if (path != NULL) { pytree__path_find(t, path, &found, opt, err); }
    pytree_path_free(path);
    return found;
}

pytree_status pytree_set(pytree t, const pytree_path *path, const pytree_leaf *value,
                         const pytree_options *opt, pytree_error *err)
{
    char where[PYTREE__PATH_WHERE], texts[2][96];
    const pytree_leaf *sides[2];
    pytree_leaf to;
    pytree_error problem;
    pytree_status status = pytree__path_find(t, path, &to, opt, err);
    bool same_type;
    size_t bytes;
    int i;
    if (status != PYTREE_OK) { return status; }
    if (value == NULL || value->type == NULL || value->ndim < 0 || value->ndim > PYTREE_MAX_DIMS) {
        pytree__path_where(path, pytree__path_length(path), where);
        return pytree_fail(err, PYTREE_ARGUMENT, where, "expected a value with a type and 0 to %d dimensions, got %s",
                           PYTREE_MAX_DIMS, value == NULL ? "NULL" : value->type == NULL ? "no type" : "others");
    }
    if (to.form != PYTREE_FORM_LEAF || value->form != PYTREE_FORM_LEAF || value->type->kind != PYTREE_KIND_LEAF) {
        pytree__clear(&problem, sizeof problem);
        status = pytree_copy_into(pytree_of_view(&to), pytree_of_view(value), opt, &problem);
        return status == PYTREE_OK ? status : pytree__path_fail(path, pytree__path_length(path), &problem, err);
    }
    pytree__path_where(path, pytree__path_length(path), where);
    same_type = pytree_type_equal(to.type, value->type);
    if (!same_type || to.ndim != value->ndim || memcmp(to.shape, value->shape, (size_t)to.ndim * sizeof(to.shape[0])) != 0) {
        sides[0] = &to;
        sides[1] = value;
        for (i = 0; i < 2; i++) {
            struct pytree__text_writer sink = pytree__text_to(texts[i], sizeof(texts[i]), NULL);
            pytree__path_put_type(&sink, sides[i]);
            pytree__end_text(&sink, sizeof(texts[i]));
        }
        return pytree_fail(err, same_type ? PYTREE_SHAPE : PYTREE_TYPE, where, "expected %s, got %s", texts[0], texts[1]);
    }
    bytes = pytree_leaf_bytes(&to);
    if (bytes == 0) { return PYTREE_OK; }
    if (value->data == NULL) { return pytree_fail(err, PYTREE_NULL_POINTER, where, "expected values to set, got NULL"); }
    memmove(to.data, value->data, bytes);
    return PYTREE_OK;
}

pytree_status pytree_set_at(pytree t, const char *text, const pytree_leaf *value, const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_scratch room;
    pytree_error problem;
    pytree_status status;
    pytree_path *path;
    pytree__clear(&problem, sizeof problem);
    path = pytree__path_read(text, NULL, &room, opt, &problem);
    if (path == NULL) { return pytree_fail(err, problem.status, problem.path, "%s", problem.message); }
    status = pytree_set(t, path, value, opt, err);
    pytree_path_free(path);
    return status;
}

#endif
