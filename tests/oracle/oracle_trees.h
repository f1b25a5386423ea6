/* oracle_trees.h: the operations on one tree, and the folds. Included by oracle.c. */
#ifndef ORACLE_TREES_H
#define ORACLE_TREES_H

/* ---- Operations: one tree ------------------------------------------------------------------------------------------ */

static void say_iterated(Case *c, pytree t)
{
    pytree_error err = { 0 };
    pytree_iter it;
    put_name(c, "iterated");
    put(c, "[");
    if (pytree_iter_begin(&it, 1, &t, &c->opt, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const size_t n = pytree_iter_path_text(&it, NULL, 0);
            char *path = take_memory(c, n + 1, 1);
            pytree_iter_path_text(&it, path, n + 1);
            put(c, "(");
            put_quoted(c, path);
            put(c, ", ");
            put_tree(c, pytree_of_view(it.leaf[0]));
            put(c, "), ");
        }
    }
    pytree_iter_end(&it);
    if (err.status != PYTREE_OK) { put_error(c, &err); }
    put(c, "], ");
}

/* Saved, loaded, saved again: equal, the same bytes, the same tree when it is rebuilt. */
static void say_loaded(Case *c, const pytree_def *def, const pytree_leaf *leaves)
{
    pytree_error err = { 0 };
    pytree_options opt = plain(c);
    const size_t n = pytree_def_save(def, NULL, 0, &opt, &err);
    unsigned char *bytes, *again;
    pytree_def *loaded;
    if (n == SIZE_MAX) { say_error(c, "loaded", &err); return; }
    bytes = take_memory(c, n, 1);
    again = take_memory(c, n, 1);
    pytree_def_save(def, bytes, n, &opt, &err);
    loaded = pytree_def_load(bytes, n, registered, COUNT_OF(registered), &opt, &err);
    if (loaded == NULL) { say_error(c, "loaded", &err); return; }
    say_bool(c, "loaded", pytree_def_equal(def, loaded) && pytree_def_hash(def) == pytree_def_hash(loaded)
                          && pytree_def_save(loaded, again, n, &opt, &err) == n && memcmp(bytes, again, n) == 0);
    say_own(c, "rebuilt_loaded", pytree_unflatten(loaded, def->n_leaves, leaves, &opt, &err), &err);
    pytree_def_free(loaded);
}

static void op_flatten(Case *c)
{
    const pytree t = c->arg[0];
    pytree_error err = { 0 };
    pytree_leaf *leaves = NULL, *own;
    pytree_def *def = NULL, *structure, *copy;
    size_t n = 0;
    const char **texts;
    if (pytree_flatten(t, &leaves, 0, &def, &c->opt, &err) != PYTREE_OK) { say_error(c, "leaves", &err); return; }
    say_views(c, "leaves", def->n_leaves, leaves);
    put_name(c, "text");
    put_def_text(c, def);
    put(c, ", ");
    say_number(c, "num_leaves", pytree_def_num_leaves(def));
    say_number(c, "num_nodes", pytree_def_num_nodes(def));
    say_number(c, "num_children", pytree_def_num_children(def));
    say_bool(c, "is_leaf", pytree_def_is_leaf(def));
    say_number(c, "count", pytree_num_leaves(t, &c->opt, &err));
    own = take_memory(c, def->n_leaves, sizeof *own);
    pytree_leaves(t, own, def->n_leaves, &n, &c->opt, &err);
    say_views(c, "leaves_alone", n, own);
    texts = pytree_paths(t, NULL, &n, &c->opt, &err);
    say_texts(c, "keystr", texts, n, &err);
    texts = pytree_paths(t, "/", &n, &c->opt, &err);
    say_texts(c, "simple", texts, n, &err);
    texts = pytree_def_paths(def, NULL, &n, &c->opt, &err);
    say_texts(c, "def_keystr", texts, n, &err);
    say_iterated(c, t);
    structure = pytree_structure(t, &c->opt, &err);
    copy = pytree_def_copy(def, &c->opt, &err);
    say_bool(c, "same_structure", structure != NULL && copy != NULL && pytree_def_equal(def, structure)
                                  && pytree_def_hash(def) == pytree_def_hash(structure) && pytree_def_equal(copy, def));
    pytree_def_free(structure);
    pytree_def_free(copy);
    say_own(c, "rebuilt", pytree_unflatten(def, def->n_leaves, leaves, &c->opt, &err), &err);
    say_loaded(c, def, leaves);
    pytree_def_free(def);
    memset(&err, 0, sizeof err);
    say_own(c, "clone", pytree_clone(t, &c->opt, &err), &err);
}

/* (tree, [leaves]) */
static void op_unflatten(Case *c)
{
    const pytree_items *list = items_of(c, 1);
    pytree_leaf *leaves = take_memory(c, list->count, sizeof *leaves);
    pytree_error err = { 0 };
    pytree_def *def = def_of(c, 0, &c->opt);
    size_t i, n;
    pytree_options opt = c->opt;
    opt.none_is_leaf = true;
    for (i = 0; i < list->count; i++) { pytree_leaves(list->items[i], &leaves[i], 1, &n, &opt, &err); }
    say_own(c, "rebuilt", pytree_unflatten(def, list->count, leaves, &c->opt, &err), &err);
    pytree_def_free(def);
}

/* (tree, [paths of its leaves], [those in the simple form]) */
static void op_paths(Case *c)
{
    static const char *const names[] = { "values", "simple_values" };
    const pytree_items *list;
    size_t i, k;
    put_name(c, "texts");
    put(c, "[");
    for (list = items_of(c, 1), i = 0; i < list->count; i++) {
        pytree_error err = { 0 };
        pytree_path *path = pytree_path_parse(text_of(list->items[i]), NULL, &c->opt, &err);
        if (path == NULL) {
            put_error(c, &err);
        } else {
            const size_t n = pytree_path_text(path, NULL, 0);
            char *text = take_memory(c, n + 1, 1);
            pytree_path_text(path, text, n + 1);
            put_quoted(c, text);
        }
        pytree_path_free(path);
        put(c, ", ");
    }
    put(c, "], ");
    for (k = 0; k < 2; k++) {
        put_name(c, names[k]);
        put(c, "[");
        for (list = items_of(c, 1 + k), i = 0; i < list->count; i++) {
            pytree_error err = { 0 };
            pytree_path *path = pytree_path_parse(text_of(list->items[i]), k == 0 ? NULL : "/", &c->opt, &err);
            pytree_leaf leaf = { 0 };
            if (path != NULL) { leaf = pytree_get(c->arg[0], path, &c->opt, &err); }
            if (err.status == PYTREE_OK) { put_tree(c, pytree_of_view(&leaf)); } else { put_error(c, &err); }
            pytree_path_free(path);
            put(c, ", ");
        }
        put(c, "], ");
    }
}

static void op_children(Case *c)
{
    pytree_def *def = def_of(c, 0, &c->opt);
    const ptrdiff_t n = (ptrdiff_t)pytree_def_num_children(def);
    ptrdiff_t i;
    put_name(c, "type");
    put_quoted(c, pytree_def_type_name(def));
    put(c, ", 'children': [");
    for (i = -n; i < n; i++) {
        pytree_error err = { 0 };
        pytree_entry entry;
        pytree_def *child = pytree_def_child(def, i, &c->opt, &err);
        char text[400];
        pytree_path path = { 1, &entry };
        if (child == NULL || pytree_def_entry(def, i, &entry, &err) != PYTREE_OK) {
            put_error(c, &err);
        } else {
            put(c, "(");
            pytree_path_text(&path, text, sizeof text);
            put_quoted(c, text);
            put(c, ", ");
            put_def_text(c, child);
            put(c, ", ");
            put_counted(c, child);
            put(c, ")");
        }
        pytree_def_free(child);
        put(c, ", ");
    }
    put(c, "], ");
    {
        pytree_error err = { 0 };
        say_def(c, "beyond", pytree_def_child(def, n, &c->opt, &err), &err);
    }
    pytree_def_free(def);
}

static void op_one_level(Case *c)
{
    pytree_error err = { 0 };
    size_t n = 0, i;
    pytree_leaf *children;
    pytree_entry *keys;
    if (pytree_children(c->arg[0], NULL, NULL, 0, &n, &c->opt, &err) == PYTREE_ARGUMENT) {
        say_error(c, "children", &err);
        return;
    }
    children = take_memory(c, n, sizeof *children);
    keys = take_memory(c, n, sizeof *keys);
    memset(&err, 0, sizeof err);
    if (pytree_children(c->arg[0], children, keys, n, &n, &c->opt, &err) != PYTREE_OK) {
        say_error(c, "children", &err);
        return;
    }
    say_views(c, "children", n, children);
    put(c, "'keys': [");
    for (i = 0; i < n; i++) {
        char text[400];
        pytree_path path;
        path.n = 1;
        path.entries = &keys[i];
        pytree_path_text(&path, text, sizeof text);
        put_quoted(c, text);
        put(c, ", ");
    }
    put(c, "], ");
}

/* Leaves, and of nodes how many children they have, in post-order. */
static int enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Case *c = context;
    (void)path;
    if (pytree_is_leaf(value) || (value->form == PYTREE_FORM_NONE && c->opt.none_is_leaf)) {
        put(c, "('leaf', ");
        put_tree(c, pytree_of_view(value));
        put(c, "), ");
    } else if (value->form == PYTREE_FORM_NONE) {              /* there is nothing to leave */
        put(c, "('node', 0), ");
    }
    return PYTREE_WALK_ON;
}

static int leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Case *c = context;
    size_t n = 0;
    (void)path;
    if (pytree_is_leaf(value) || value->form == PYTREE_FORM_NONE) { return PYTREE_WALK_ON; }
    pytree_children(pytree_of_view(value), NULL, NULL, 0, &n, &c->opt, NULL);
    put_format(c, "('node', %zu), ", n);
    return PYTREE_WALK_ON;
}

static void op_walk(Case *c)
{
    pytree_error err = { 0 };
    pytree_visitor visitor = { enter, leave, NULL };
    visitor.context = c;
    put(c, "'events': [");
    pytree_walk(c->arg[0], &visitor, &c->opt, &err);
    if (err.status != PYTREE_OK) { put_error(c, &err); }
    put(c, "], ");
}

/* ---- Operations: folds --------------------------------------------------------------------------------------------- */

/* "(ab)" of two texts, in the case's memory. */
static char *bracket(Case *c, const char *a, const char *b)
{
    char *text = take_memory(c, strlen(a) + strlen(b) + 3, 1);
    sprintf(text, "(%s%s)", a, b);
    return text;
}

typedef struct Fold {
    Case *c;
    const char *value;                    /* NULL: nothing yet */
} Fold;

static pytree_status fold_left(void *context, const pytree_iter *at)
{
    Fold *fold = context;
    const char *leaf = text_of(pytree_of_view(at->leaf[0]));
    memcpy(&leaf, at->leaf[0]->data, sizeof leaf);
    fold->value = fold->value == NULL ? leaf : bracket(fold->c, fold->value, leaf);
    return PYTREE_OK;
}

static pytree_status fold_leaf(void *context, const pytree_iter *at, void *value)
{
    (void)context;
    memcpy(value, at->leaf[0]->data, sizeof(char *));
    return PYTREE_OK;
}

static pytree_status fold_join(void *context, void *a, const void *b)
{
    Fold *fold = context;
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x = bracket(fold->c, x, y);
    memcpy(a, &x, sizeof x);
    return PYTREE_OK;
}

/* (tree of texts, text to begin with or None) */
static void op_reduce(Case *c)
{
    pytree_error err = { 0 };
    Fold fold = { NULL, NULL };
    const char *result = NULL;
    fold.c = c;
    fold.value = text_at(c, 1);
    pytree_reduce(fold_left, &fold, c->arg[0], &c->opt, &err);
    put_name(c, "left");
    if (err.status == PYTREE_OK) { put_quoted(c, fold.value); } else { put_error(c, &err); }
    memset(&err, 0, sizeof err);
    pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof result, &result, c->arg[0], &c->opt, &err);
    put(c, ", 'balanced': ");
    if (err.status == PYTREE_OK) { put_quoted(c, result); } else { put_error(c, &err); }
    put(c, ", ");
}

static void op_fold(Case *c)
{
    static const struct {
        const char *name;
        pytree_status (*fold)(pytree t, double *result, const pytree_options *opt, pytree_error *err);
    } numbers[] = { { "sum", pytree_sum }, { "max", pytree_max }, { "min", pytree_min } };
    static const struct {
        const char *name;
        pytree_status (*fold)(pytree t, bool *result, const pytree_options *opt, pytree_error *err);
    } truths[] = { { "all", pytree_all }, { "any", pytree_any } };
    size_t i;
    for (i = 0; i < COUNT_OF(numbers); i++) {
        pytree_error err = { 0 };
        double result = 0;
        if (numbers[i].fold(c->arg[0], &result, &c->opt, &err) != PYTREE_OK) { say_error(c, numbers[i].name, &err); }
        else { say_tree(c, numbers[i].name, PYTREE(&result)); }
    }
    for (i = 0; i < COUNT_OF(truths); i++) {
        pytree_error err = { 0 };
        bool result = false;
        if (truths[i].fold(c->arg[0], &result, &c->opt, &err) != PYTREE_OK) { say_error(c, truths[i].name, &err); }
        else { say_bool(c, truths[i].name, result); }
    }
}

#endif
