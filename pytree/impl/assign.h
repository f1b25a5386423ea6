/* pytree/impl/assign.h: going over the source of an assignment, and what it is made of: a tree, a path and a tree, text. */
#ifndef PYTREE_IMPL_ASSIGN_H
#define PYTREE_IMPL_ASSIGN_H

#include "assign_node.h"

/* Must the place be opened for an array? Arrays of numbers are converted at once. */
static bool pytree__as_opens(const struct pytree__as_place *place, const pytree_leaf *value)
{
    const pytree_leaf *const to = &place->to;
    return value->ndim > (value->type->dtype == PYTREE_TEXT)
        && (to->form != PYTREE_FORM_LEAF || to->type->dtype == PYTREE_STRING || to->type->dtype == PYTREE_TEXT
            || value->type->dtype == PYTREE_STRING || value->type->dtype == PYTREE_TEXT);
}

/* Go over the source. */
static void pytree__as_run(struct pytree__assign *a)
{
    struct pytree__as_place place;
    const pytree_leaf *value;
    while (a->status == PYTREE_OK) {
        const int at = pytree__cursor_next(&a->from, &value);
        if (at == PYTREE__DONE) { return; }
        if (at == PYTREE__FAILED) { a->status = a->from.status; return; }
        if (at == PYTREE__AT_END) {
            pytree__as_close(a);
            pytree__close(&a->from);
        } else if (!pytree__as_find(a, &place)) {
            continue;
        } else if (value->form == PYTREE_FORM_DEVICE || place.to.form == PYTREE_FORM_DEVICE) {
            pytree__as_mismatch(a, PYTREE_ARGUMENT, "values on the host", "an array on a device");
        } else if (at != PYTREE__AT_NODE && a->member != NULL && (value->ndim == 0 || value->type->dtype == PYTREE_TEXT)) {
            pytree__as_static(a, &place, value);
        } else if (at == PYTREE__AT_NONE) {
            pytree__as_none(a, &place, value);
        } else if (at == PYTREE__AT_LEAF && a->member == NULL && !pytree__as_opens(&place, value)) {
            pytree__as_leaf(a, &place, value);
        } else {
            pytree__as_open(a, &place, value);
        }
    }
}

/* Assign `from`. If it was read from a text, `raw` is that, and stands below `raw_depth` nodes. */
static pytree_status pytree__as_tree(pytree t, pytree from, const char *raw, size_t raw_depth, const pytree_assign_options *opt,
                                     pytree_error *err)
{
    struct pytree__assign a;
    if (t.type == NULL || t.data == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a tree to assign to, got none");
    }
    pytree__as_begin(&a, t, opt, err);
    a.raw = raw;
    a.raw_depth = raw_depth;
    a.status = pytree__cursor_root(&a.from, from);
    if (a.status == PYTREE_OK) {
        if (pytree__cursor_root(&a.to, t) != PYTREE_OK) { pytree__as_pass_on(&a); } else { pytree__as_run(&a); }
    }
    return pytree__as_end(&a);
}

pytree_status pytree_assign(pytree t, pytree from, const pytree_assign_options *opt, pytree_error *err)
{
    return pytree__as_tree(t, from, NULL, 0, opt, err);
}

/* ---- At a path ----------------------------------------------------------------------------------------------------------- */

/* One entry of a path as a dict with one key. */
struct pytree__as_step {
    pytree_items items;
    pytree_pair pair;
    pytree_int_pair int_pair;
};

/* Assign at a path: {'window': {'size': {0: from}}}. */
static pytree_status pytree__as_path(pytree t, const pytree_path *path, pytree from, const char *raw,
                                     const pytree_assign_options *opt, pytree_error *err)
{
    const pytree_allocator *const allocator = opt == NULL ? NULL : opt->tree.allocator;
    struct pytree__as_step *steps;
    pytree_status status;
    size_t i = path->n;
    if (i == 0) { return pytree__as_tree(t, from, raw, 0, opt, err); }
    steps = (struct pytree__as_step *)pytree__array_new(path->n, sizeof *steps, allocator, err);
    if (steps == NULL) { return PYTREE_NO_MEMORY; }
    while (i-- != 0) {
        const pytree_entry *const entry = &path->entries[i];
        struct pytree__as_step *const step = &steps[i];
        memset(step, 0, sizeof *step);
        step->items.count = 1;
        step->pair.key = entry->name;
        step->int_pair.key = (int64_t)entry->index;
        step->pair.value = step->int_pair.value = from;
        if (pytree__path_named(entry)) { step->items.pairs = &step->pair; } else { step->items.int_pairs = &step->int_pair; }
        from.type = pytree__container_type(PYTREE_KIND_DICT);
        from.data = &step->items;
    }
    status = pytree__as_tree(t, from, raw, path->n, opt, err);
    pytree__array_free(steps, path->n, sizeof *steps, allocator);
    return status;
}

/* Assign at a path in the text form. */
static pytree_status pytree__as_at(pytree t, const char *path, pytree from, const char *raw,
                                   const pytree_assign_options *opt, pytree_error *err)
{
    struct pytree__path_scratch room;
    pytree_error problem;
    pytree_status status;
    pytree_path *parsed;
    memset(&problem, 0, sizeof problem);
    parsed = pytree__path_read(path, NULL, &room, opt == NULL ? NULL : &opt->tree, &problem);
    if (parsed == NULL) { return pytree_fail(err, problem.status, problem.path, "%s", problem.message); }
    status = pytree__as_path(t, parsed, from, raw, opt, err);
    pytree_path_free(parsed);
    return status;
}

pytree_status pytree_assign_at(pytree t, const char *path, pytree from, const pytree_assign_options *opt, pytree_error *err)
{
    if (path == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a path, got NULL"); }
    return pytree__as_at(t, path, from, NULL, opt, err);
}

/* ---- Text ---------------------------------------------------------------------------------------------------------------- */

pytree_status pytree_assign_text(pytree t, const char *path, const char *text, const pytree_assign_options *opt,
                                 pytree_error *err)
{
    const pytree_options *const tree = opt == NULL ? NULL : &opt->tree;
    pytree_error problem;
    pytree_status status;
    pytree from;
    if (path == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a path, got NULL"); }
    if (text == NULL) { return PYTREE_OK; }
    memset(&problem, 0, sizeof problem);
    from = pytree_parse(text, tree, &problem);
    if (from.data == NULL) {
        if (problem.status != PYTREE_SYNTAX || path[0] == '\0') {
            return pytree_fail(err, problem.status, problem.path, "%s", problem.message);
        }
        from.type = &pytree_types[PYTREE__T_string];
        from.data = (void *)&text;
        return pytree__as_at(t, path, from, NULL, opt, err);
    }
    status = pytree__as_at(t, path, from, text, opt, err);
    pytree_free(from);
    return status;
}

/* Read the rest of a file. */
static pytree_status pytree__as_read(struct pytree__vector *text, FILE *file, pytree_error *err)
{
    const int before = PYTREE__GET_ERRNO();
    size_t n = PYTREE__PIECE;
    while (n == PYTREE__PIECE) {
        char *const piece = (char *)pytree__vector_add(text, PYTREE__PIECE, err);
        if (piece == NULL) { return PYTREE_NO_MEMORY; }
        n = fread(piece, 1, PYTREE__PIECE, file);
        text->count -= PYTREE__PIECE - n;
    }
    PYTREE__SET_ERRNO(before);
    return ferror(file) ? pytree_fail(err, PYTREE_IO, NULL, "expected to read the file, got an error") : PYTREE_OK;
}

pytree_status pytree_assign_file(pytree t, FILE *file, const pytree_assign_options *opt, pytree_error *err)
{
    const pytree_options *const tree = opt == NULL ? NULL : &opt->tree;
    struct pytree__vector text = pytree__vector_of(1, tree == NULL ? NULL : tree->allocator);
    pytree_status status;
    pytree from;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    status = pytree__as_read(&text, file, err);
    if (status == PYTREE_OK) {
        pytree_error problem;
        memset(&problem, 0, sizeof problem);
        from = pytree_parse_n((const char *)text.data, text.count, tree, &problem);
        status = from.data == NULL ? pytree_fail(err, problem.status, problem.path, "%s", problem.message)
                                   : pytree__as_tree(t, from, NULL, 0, opt, err);
        pytree_free(from);
    }
    pytree__vector_free(&text);
    return status;
}

pytree_status pytree_assign_setting(pytree t, const char *setting, const pytree_assign_options *opt, pytree_error *err)
{
    const pytree_allocator *const allocator = opt == NULL ? NULL : opt->tree.allocator;
    const char *equals = setting;
    char quote = '\0';
    pytree_status status;
    char *path;
    size_t n;
    if (setting == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a setting, got NULL"); }
    for (; *equals != '\0' && (*equals != '=' || quote != '\0'); equals++) {                 /* not in a quoted key */
        if (*equals == quote) { quote = '\0'; }
        else if (quote == '\0') { quote = *equals == '\'' || *equals == '"' ? *equals : '\0'; }
        else if (*equals == '\\' && equals[1] != '\0') { equals++; }                         /* escaped */
    }
    if (*equals != '=') { return pytree_fail(err, PYTREE_SYNTAX, NULL, "expected path=value, got %s", setting); }
    n = (size_t)(equals - setting);
    path = (char *)pytree__array_new(n + 2, 1, allocator, err);
    if (path == NULL) { return PYTREE_NO_MEMORY; }
    path[0] = '.';
    memcpy(path + 1, setting, n);
    path[n + 1] = '\0';
    status = pytree_assign_text(t, n == 0 || setting[0] == '.' || setting[0] == '[' ? path + 1 : path, equals + 1, opt, err);
    pytree__array_free(path, n + 2, 1, allocator);
    return status;
}

#endif
