/* pytree/impl/html.h: the rows of a page, and saving it. */
#ifndef PYTREE_IMPL_HTML_H
#define PYTREE_IMPL_HTML_H

#include "html_page.h"
#include "deviation.h"

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/* Write the values of a leaf as pytree_print does, up to the number asked for. */
static void pytree__html_values(struct pytree__html *w, const pytree_leaf *leaf)
{
    const bool text = leaf->type->dtype == PYTREE_TEXT && leaf->ndim != 0;
    const size_t step = text ? leaf->shape[leaf->ndim - 1] : 1, all = step == 0 ? 0 : pytree_leaf_count(leaf) / step;
    const size_t most = leaf->ndim == (text ? 1 : 0) ? 1 : w->tree.print_values;
    struct pytree__text_writer to = pytree__html_text(w);
    size_t i;
    for (i = 0; i < all && i < most && to.length < PYTREE__HTML_TEXT; i++) {
        if (i != 0) { pytree__text_put(&to, " ", 1); }
        pytree__put_value(&to, leaf, i * step);
    }
    if (i < all) { pytree__put_text(&to, " ..."); }
    if (to.length == 0) { return; }
    pytree__html_member(w, "v");
    pytree__html_text_cut(w, &to);
}

/* Note the memory of a leaf. */
static void pytree__html_remember(struct pytree__html *w, const pytree_leaf *leaf, bool second)
{
    struct pytree__html_extent *extent;
    const size_t bytes = pytree_leaf_bytes(leaf);
    if (bytes == 0) { return; }
    extent = (struct pytree__html_extent *)pytree__vector_add(&w->extents[second], 1, w->err);
    if (extent == NULL) { w->save.status = PYTREE_NO_MEMORY; return; }
    extent->from = (uintptr_t)leaf->data;
    extent->to = extent->from + bytes;
    extent->row = w->rows;
}

/* Write a leaf: "y" its type, "s" its shape, "z" and "q" its elements and bytes, "v" values, "x" statistics, "h" a heat map. */
static void pytree__html_leaf(struct pytree__html *w, const pytree_leaf *leaf, bool second)
{
    const size_t n = pytree_is_leaf(leaf) ? pytree_leaf_count(leaf) : 0;
    struct pytree__text_writer to = pytree__html_text(w);
    pytree_leaf numbers;
    int i;
    if (leaf->form == PYTREE_FORM_NONE) { pytree__put_text(&to, "None"); }
    else if (pytree_is_leaf(leaf)) { pytree__put_text(&to, pytree_dtype_name(leaf->type)); }
    else {
        pytree__text_put(&to, "<", 1);
        pytree__put_text(&to, pytree__view_name(leaf));
        pytree__text_put(&to, ">", 1);
    }
    pytree__html_member(w, "y");
    pytree__html_text_cut(w, &to);
    if (!pytree_is_leaf(leaf)) { return; }
    if (leaf->ndim != 0) {
        to = pytree__html_text(w);
        for (i = 0; i < leaf->ndim; i++) {
            if (i != 0) { pytree__text_put(&to, ",", 1); }
            pytree__put_number(&to, leaf->shape[i]);
        }
        pytree__html_member(w, "s");
        pytree__html_text_cut(w, &to);
    }
    pytree__html_member(w, "z");
    pytree__html_number(w, n);
    pytree__html_member(w, "q");
    pytree__html_number(w, pytree_leaf_bytes(leaf));
    if (!pytree__readable(leaf)) { return; }                   /* only a shape, or on a device */
    pytree__html_values(w, leaf);
    pytree__html_remember(w, leaf, second);
    if (pytree__parts(leaf, &numbers) || pytree__real(leaf->type)) {
        const size_t parts = numbers.type == leaf->type ? 1 : 2;
        if (leaf->ndim != 0 && n != 0) {
            pytree__html_put_statistics(w, &numbers, n * parts);
            pytree__html_put_heat(w, leaf, &numbers, NULL);
        }
    }
}

/* Write a node: "n" its type, "f" its static fields as pairs. */
static void pytree__html_node(struct pytree__html *w, const struct pytree__html_side *side)
{
    const pytree_def *def = side->flat->def;
    const pytree_node *node = &def->nodes[side->node];
    const pytree_type *type = pytree__origin(node->type);
    const unsigned meta = pytree__traits(type)->meta;
    const unsigned char *packed = def->statics + node->meta;
    struct pytree__text_writer to;
    bool any = false;
    unsigned i;
    pytree__html_member(w, "n");
    do {
        to = pytree__html_text(w);
        pytree__put_text(&to, meta == PYTREE__META_NAME ? pytree__string_at(packed, NULL) : type->name);
    } while (!pytree__html_text_done(w, &to));
    for (i = 0; meta == PYTREE__META_STATICS && i < type->n_fields; i++) {
        const unsigned char *const at = packed;
        if (type->fields[i].row != PYTREE_ROW_STATIC) { continue; }
        if (!any) { pytree__html_member(w, "f"); }
        pytree__html_put(w, any ? ",[" : "[[", 2);
        pytree__html_string(w, type->fields[i].name, strlen(type->fields[i].name));
        pytree__html_put(w, ",", 1);
        to = pytree__html_text(w);
        packed = pytree__put_row(&to, &type->fields[i], at);
        pytree__html_text_cut(w, &to);
        pytree__html_put(w, "]", 1);
        any = true;
    }
    if (any) { pytree__html_put(w, "]", 1); }
    if (meta == PYTREE__META_FACTORY || meta == PYTREE__META_MAXLEN || meta == PYTREE__META_BYTES) {
        to = pytree__html_text(w);
        pytree__put_meta(&to, def, side->node);
        pytree__html_member(w, "f");
        pytree__html_put(w, "[[", 2);
        pytree__html_word(w, meta == PYTREE__META_FACTORY ? "\"factory\"," : "\"metadata\",");
        pytree__html_text_cut(w, &to);
        pytree__html_put(w, "]]", 2);
    }
}

static const pytree_leaf *pytree__html_leaf_of(const struct pytree__html_side *side)
{
    return side->flat->def->nodes[side->node].type == NULL ? &side->flat->leaves[side->leaf - 1] : NULL;
}

/* Write one side of a row as the member "a" or "b". */
static void pytree__html_put_side(struct pytree__html *w, const char *name, const struct pytree__html_side *side)
{
    const pytree_leaf *const leaf = pytree__html_leaf_of(side);
    pytree__html_member(w, name);
    pytree__html_put(w, "{", 1);
    if (leaf != NULL) { pytree__html_leaf(w, leaf, name[0] == 'b'); } else { pytree__html_node(w, side); }
    if (side->role != NULL) {
        pytree__html_member(w, "r");
        pytree__html_string(w, side->role->name, strlen(side->role->name));
    }
    pytree__html_put(w, "}", 1);
}

/* ---- Differences --------------------------------------------------------------------------------------------------- */

/* Write how far two leaves that differ are apart, as the member "e". */
static void pytree__html_errors(struct pytree__html *w, const pytree_leaf *a, const pytree_leaf *b)
{
    pytree_deviation d;
    pytree_leaf p, q;
    if (!pytree__readable(a) || !pytree__readable(b) || !pytree__deviation_of(&d, a, b, w->diff.tolerance)) { return; }
    pytree__html_member(w, "e");
    pytree__html_put(w, "{", 1);
    pytree__html_member(w, "differing");
    pytree__html_number(w, d.differing);
    if (d.not_finite != 0) {
        pytree__html_member(w, "not_finite");
        pytree__html_number(w, d.not_finite);
    }
    if (d.first != SIZE_MAX) {
        pytree__html_member(w, "first");
        pytree__html_number(w, d.first);
        pytree__html_member(w, "from");
        pytree__html_element(w, a, d.first);
        pytree__html_member(w, "to");
        pytree__html_element(w, b, d.first);
    }
    pytree__html_member(w, "absolute");
    pytree__html_float(w, d.absolute);
    pytree__html_member(w, "absolute_at");
    pytree__html_number(w, d.absolute_at);
    pytree__html_member(w, "relative");
    pytree__html_float(w, d.relative);
    pytree__html_member(w, "relative_at");
    pytree__html_number(w, d.relative_at);
    (void)pytree__parts(a, &p);           /* both are complex, or neither */
    (void)pytree__parts(b, &q);
    pytree__html_put_heat(w, a, &p, &q);
    pytree__html_put(w, "}", 1);
}

/* Tell whether the two nodes of a row are of one type, so that their children are compared. */
static bool pytree__html_alike(const struct pytree__html_row *row)
{
    const pytree_def *a = row->a.flat->def, *b = row->b.flat->def;
    const pytree_type *x = a->nodes[row->a.node].type, *y = b->nodes[row->b.node].type;
    return x != NULL && y != NULL && pytree_type_equal(x, y)
        && (pytree__traits(x)->meta != PYTREE__META_NAME || pytree__alg_same_statics(a, row->a.node, b, row->b.node));
}

/* Tell whether the two sides of a row differ, apart from what is below them. */
static bool pytree__html_differ(struct pytree__html *w, const struct pytree__html_row *row)
{
    const pytree_leaf *const x = pytree__html_leaf_of(&row->a), *const y = pytree__html_leaf_of(&row->b);
    struct pytree__alg_pair pair;
    size_t element;
    if (x != NULL && y != NULL) {
        const bool shapes = pytree_is_leaf(x) && pytree_is_leaf(y) && (!pytree__readable(x) || !pytree__readable(y));
        return shapes ? pytree__fits(x, y) != PYTREE_OK || (x->data == NULL) != (y->data == NULL)
                      : !pytree__alg_equal(&w->diff, x, y, &element);
    }
    if (!pytree__html_alike(row)) { return true; }
    memset(&pair, 0, sizeof pair);
    pair.a = row->a.node;
    pair.b = row->b.node;
    return !pytree__alg_same_own(row->a.flat->def, pair.a, row->b.flat->def, pair.b) || pytree__alg_reordered(&w->diff, &pair);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

/* Make the row of a child: key and role come from the node above it. */
static struct pytree__html_side pytree__html_child(const struct pytree__html_side *parent,
                                                   const struct pytree__alg_child *child, size_t i)
{
    const pytree_type *const type = pytree__origin(parent->flat->def->nodes[parent->node].type);
    struct pytree__html_side side = *parent;
    side.node = child->node;
    side.leaf = child->leaf;
    if (side.role == NULL && type->kind == PYTREE_KIND_STRUCT) { side.role = pytree__data_row(type, i)->role; }
    return side;
}

/* Turn the rows from number `from` on round, so that the first is written next. */
static void pytree__html_reverse(struct pytree__html *w, size_t from)
{
    struct pytree__html_row *row = (struct pytree__html_row *)w->open.data + from;
    size_t i, n = w->open.count - from;
    for (i = 0; i < n / 2; i++) {
        const struct pytree__html_row first = row[i];
        row[i] = row[n - 1 - i];
        row[n - 1 - i] = first;
    }
}

/* Give the children of a node their whole keys. Dicts have them already, perhaps in another order than the node. */
static void pytree__html_keys(const struct pytree__html_side *side, struct pytree__alg_child *children)
{
    const pytree_def *const def = side->flat->def;
    const pytree_node *const node = &def->nodes[side->node];
    const unsigned char *at;
    const pytree_field *row;
    size_t i;
    if (pytree__alg_keyed(node)) { return; }
    at = pytree__first_key(def, side->node);
    row = node->type->kind == PYTREE_KIND_STRUCT ? pytree__origin(node->type)->fields : NULL;
    for (i = 0; i < node->arity; i++) {
        at = pytree__next_key(node, at, i, &children[i].key);
        if (row == NULL) { continue; }
        while (row->row != PYTREE_ROW_DATA) { row++; }
        children[i].key.name = row++->name;
    }
}

/* Add rows for the children of a node of one tree, behind those that are there. */
static bool pytree__html_add_side(struct pytree__html *w, const struct pytree__html_side *side, pytree_change kind,
                                  size_t depth)
{
    const pytree_def *const def = side->flat->def;
    const size_t n = def->nodes[side->node].arity;
    struct pytree__alg_child *children;
    struct pytree__html_row *row;
    size_t i;
    if (n == 0) { return true; }
    children = (struct pytree__alg_child *)pytree__array_new(n, sizeof *children, w->tree.allocator, w->err);
    if (children == NULL) { return false; }
    row = (struct pytree__html_row *)pytree__vector_add(&w->open, n, w->err);
    if (row != NULL) {
        pytree__alg_list(def, side->node, side->leaf, children);
        pytree__html_keys(side, children);
        for (i = 0; i < n; i++) {
            row[i].kind = kind;
            row[i].key = children[i].key;
            row[i].depth = depth;
            row[i].a = row[i].b = pytree__html_child(side, &children[i], i);
        }
    }
    pytree__array_free(children, n, sizeof *children, w->tree.allocator);
    return row != NULL;
}

/* Add rows for the children of two nodes of one type: pairs with the same key, and children without a partner. */
static bool pytree__html_add_pairs(struct pytree__html *w, const struct pytree__html_row *parent)
{
    const struct pytree__html_side *const a = &parent->a, *const b = &parent->b;
    struct pytree__alg_both both;
    struct pytree__html_row *row;
    size_t i = 0, j = 0, n = 0;
    if (!pytree__alg_both_children(&both, a->flat->def, a->node, a->leaf, b->flat->def, b->node, b->leaf, &w->tree, w->err)) {
        return false;
    }
    row = (struct pytree__html_row *)pytree__vector_add(&w->open, both.n_a + both.n_b, w->err);
    while (row != NULL && (i < both.n_a || j < both.n_b)) {
        const int order = i == both.n_a ? 1 : j == both.n_b ? -1 : pytree__alg_order(&both.a[i], &both.b[j]);
        row[n].kind = order < 0 ? PYTREE_REMOVED : order > 0 ? PYTREE_ADDED : PYTREE_CHANGED;
        row[n].depth = parent->depth + 1;
        row[n].a = order <= 0 ? pytree__html_child(a, &both.a[i], i) : *a;
        row[n].b = order >= 0 ? pytree__html_child(b, &both.b[j], j) : *b;
        row[n].key.index = order <= 0 ? i : j;                 /* of a child in its node, for now */
        i += order <= 0;
        j += order >= 0;
        n++;
    }
    if (row != NULL) {
        pytree__html_keys(a, both.a);
        pytree__html_keys(b, both.b);
        w->open.count -= both.n_a + both.n_b - n;
        while (n-- != 0) { row[n].key = (row[n].kind == PYTREE_ADDED ? both.b : both.a)[row[n].key.index].key; }
    }
    pytree__alg_both_free(&both, &w->tree);
    return row != NULL;
}

/* Put the rows below a row on the stack. */
static bool pytree__html_open(struct pytree__html *w, const struct pytree__html_row *row)
{
    const size_t from = w->open.count;
    const bool pair = row->kind == PYTREE_CHANGED;
    bool good = true;
    if (pair && pytree__html_alike(row)) {
        good = pytree__html_add_pairs(w, row);
    } else {
        if (row->kind != PYTREE_ADDED && pytree__html_leaf_of(&row->a) == NULL) {
            good = pytree__html_add_side(w, &row->a, PYTREE_REMOVED, row->depth + 1);
        }
        if (good && row->kind != PYTREE_REMOVED && pytree__html_leaf_of(&row->b) == NULL) {
            good = pytree__html_add_side(w, &row->b, PYTREE_ADDED, row->depth + 1);
        }
    }
    if (good) { pytree__html_reverse(w, from); }
    return good;
}

/* Write a row: "d" its depth, "k" its key, "m" its mark, "a" and "b" its sides: of a pair that is equal only "a". */
static void pytree__html_put_row(struct pytree__html *w, const struct pytree__html_row *row)
{
    const bool one = w->diff.b.def == NULL, differ = row->kind == PYTREE_CHANGED && pytree__html_differ(w, row);
    struct pytree__text_writer to;
    pytree__html_word(w, w->rows == 0 ? "\n{" : ",\n{");
    pytree__html_member(w, "d");
    pytree__html_number(w, row->depth);
    if (row->depth != 0) {
        pytree__html_member(w, "k");
        do {
            to = pytree__html_text(w);
            pytree__put_entry(&to, &row->key, NULL, false);
        } while (!pytree__html_text_done(w, &to));
    }
    if (!one && (row->kind != PYTREE_CHANGED || differ)) {
        pytree__html_member(w, "m");
        pytree__html_word(w, differ ? "\"!\"" : row->kind == PYTREE_ADDED ? "\"+\"" : "\"-\"");
    }
    if (row->kind != PYTREE_ADDED) { pytree__html_put_side(w, "a", &row->a); }
    if (row->kind == PYTREE_ADDED || differ) { pytree__html_put_side(w, "b", &row->b); }
    if (differ && pytree__html_leaf_of(&row->a) != NULL && pytree__html_leaf_of(&row->b) != NULL) {
        pytree__html_errors(w, pytree__html_leaf_of(&row->a), pytree__html_leaf_of(&row->b));
    }
    pytree__html_put(w, "}", 1);
    w->rows++;
}

static void pytree__html_rows(struct pytree__html *w)
{
    struct pytree__html_row *root = (struct pytree__html_row *)pytree__vector_add(&w->open, 1, w->err);
    if (root == NULL) { w->save.status = PYTREE_NO_MEMORY; return; }
    memset(root, 0, sizeof *root);
    root->kind = w->diff.b.def == NULL ? PYTREE_REMOVED : PYTREE_CHANGED;
    root->a.flat = &w->diff.a;
    root->a.node = w->diff.a.def->n_nodes - 1;
    root->a.leaf = w->diff.a.def->n_leaves;
    root->b.flat = &w->diff.b;
    if (w->diff.b.def != NULL) {
        root->b.node = w->diff.b.def->n_nodes - 1;
        root->b.leaf = w->diff.b.def->n_leaves;
    }
    while (w->open.count != 0 && w->save.status == PYTREE_OK) {
        const struct pytree__html_row row = ((const struct pytree__html_row *)w->open.data)[--w->open.count];
        pytree__html_put_row(w, &row);
        if (!pytree__html_open(w, &row)) { w->save.status = PYTREE_NO_MEMORY; }
    }
}

/* ---- Shared memory ------------------------------------------------------------------------------------------------- */

static int pytree__html_by_address(const void *a, const void *b)
{
    const struct pytree__html_extent *x = (const struct pytree__html_extent *)a, *y = (const struct pytree__html_extent *)b;
    if (x->from != y->from) { return x->from < y->from ? -1 : 1; }
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Write the groups of rows of one tree whose memory overlaps, and the bytes that all rows take together, each counted once. */
static void pytree__html_shared(struct pytree__html *w, const char *name, struct pytree__vector *extents)
{
    struct pytree__html_extent *at = (struct pytree__html_extent *)extents->data;
    const size_t n = extents->count;
    uint64_t bytes = 0;
    size_t i, j, k;
    const char *comma = "[";
    if (n > 1) { qsort(at, n, sizeof *at, pytree__html_by_address); }
    pytree__html_member(w, name);
    pytree__html_put(w, "{", 1);
    pytree__html_member(w, "groups");
    for (i = 0; i < n; i = j) {
        uintptr_t end = at[i].to;
        for (j = i + 1; j < n && at[j].from < end; j++) { end = at[j].to > end ? at[j].to : end; }
        bytes += end - at[i].from;
        if (j == i + 1) { continue; }
        pytree__html_put(w, comma, 1);
        for (k = i; k < j; k++) {
            pytree__html_put(w, k == i ? "[" : ",", 1);
            pytree__html_number(w, at[k].row);
        }
        pytree__html_put(w, "]", 1);
        comma = ",";
    }
    pytree__html_word(w, comma[0] == '[' ? "[]" : "]");
    pytree__html_member(w, "bytes");
    pytree__html_number(w, bytes);
    pytree__html_put(w, "}", 1);
}

/* ---- Pages --------------------------------------------------------------------------------------------------------- */

static void pytree__html_lines(struct pytree__html *w, const char *const *line)
{
    for (; *line != NULL; line++) { pytree__html_word(w, *line); }
}

static void pytree__html_write(struct pytree__html *w)
{
    const char *const title = w->opt == NULL || w->opt->title == NULL ? "pytree" : w->opt->title;
    pytree__html_lines(w, pytree__html_head);
    pytree__html_put(w, "{", 1);
    pytree__html_member(w, "title");
    pytree__html_string(w, title, strlen(title));
    pytree__html_member(w, "diff");
    pytree__html_word(w, w->diff.b.def == NULL ? "false" : "true");
    pytree__html_member(w, "rows");
    pytree__html_put(w, "[", 1);
    pytree__html_rows(w);
    pytree__html_put(w, "]", 1);
    pytree__html_member(w, "shared");
    pytree__html_put(w, "{", 1);
    pytree__html_shared(w, "a", &w->extents[0]);
    pytree__html_shared(w, "b", &w->extents[1]);
    pytree__html_word(w, "}}\n");
    pytree__html_lines(w, pytree__html_tail);
    pytree__html_flush(w);
}

/* Prepare the memory that a page needs whatever is on it. */
static bool pytree__html_begin(struct pytree__html *w)
{
    const pytree_allocator *const a = w->tree.allocator;
    const size_t leaves = w->diff.a.def->n_leaves + (w->diff.b.def == NULL ? 0 : w->diff.a.def->n_leaves
                                                                                 + w->diff.b.def->n_leaves);
    const size_t cells = w->opt == NULL || w->opt->cells == 0 ? (size_t)1 << 21 : w->opt->cells;
    w->share = cells / (leaves == 0 ? 1 : leaves);
    if (w->share < 64) { w->share = 64; }
    if (w->share > 65536) { w->share = 65536; }
    w->open = pytree__vector_of(sizeof(struct pytree__html_row), a);
    w->extents[0] = w->extents[1] = pytree__vector_of(sizeof(struct pytree__html_extent), a);
    w->text = pytree__vector_of(1, a);
    w->cells = pytree__vector_of(sizeof(double), a);
    return pytree__vector_grow(&w->text, PYTREE__HTML_TEXT, w->err) && pytree__vector_grow(&w->cells, w->share, w->err);
}

static void pytree__html_end(struct pytree__html *w)
{
    pytree__vector_free(&w->open);
    pytree__vector_free(&w->extents[0]);
    pytree__vector_free(&w->extents[1]);
    pytree__vector_free(&w->text);
    pytree__vector_free(&w->cells);
}

/* Save a page of trees that were flattened into w->diff. */
static pytree_status pytree__html_save(struct pytree__html *w, const char *path)
{
    pytree_status status = PYTREE_NO_MEMORY;
    if (pytree__html_begin(w)) {
        if (pytree__save_begin(&w->save, path, w->opt == NULL ? NULL : w->opt->io, &w->tree, w->err) == PYTREE_OK) {
            pytree__html_write(w);
        }
        status = pytree__save_end(&w->save);
    }
    pytree__html_end(w);
    return status;
}

static pytree_status pytree__html_page(const char *path, pytree a, const pytree *b, const pytree_tolerance *tolerance,
                                       const pytree_html_options *opt, pytree_error *err)
{
    const pytree_allocator *const allocator = opt == NULL ? NULL : opt->tree.allocator;
    struct pytree__html *w = (struct pytree__html *)pytree__array_new(1, sizeof *w, allocator, err);
    pytree_error own;
    pytree_status status;
    if (w == NULL) { return PYTREE_NO_MEMORY; }
    memset(w, 0, sizeof *w);
    own.status = PYTREE_OK;
    w->opt = opt;
    if (opt != NULL) { w->tree = opt->tree; }
    if (w->tree.print_values == 0) { w->tree.print_values = 8; }
    w->most = opt == NULL || opt->most == 0 ? (size_t)1 << 24 : opt->most;
    w->diff.tolerance = tolerance;
    w->diff.opt = &w->tree;
    w->diff.err = w->err = &own;
    w->diff.a = pytree__alg_flatten(a, &w->tree, &own);
    if (w->diff.a.def != NULL && b != NULL) { w->diff.b = pytree__alg_flatten(*b, &w->tree, &own); }
    status = w->diff.a.def != NULL && (b == NULL || w->diff.b.def != NULL) ? pytree__html_save(w, path) : own.status;
    pytree_flat_free(&w->diff.a);
    pytree_flat_free(&w->diff.b);
    pytree__array_free(w, 1, sizeof *w, allocator);
    return status == PYTREE_OK ? PYTREE_OK : pytree__alg_status(&own, err);
}

pytree_status pytree_save_html(const char *path, pytree t, const pytree_html_options *opt, pytree_error *err)
{
    return pytree__html_page(path, t, NULL, NULL, opt, err);
}

pytree_status pytree_save_html_diff(const char *path, pytree a, pytree b, const pytree_tolerance *tolerance,
                                    const pytree_html_options *opt, pytree_error *err)
{
    return pytree__html_page(path, a, &b, tolerance, opt, err);
}
#endif
