/* tensors_view.h: the command `tensors view`, which writes a page of HTML: the tensors of one checkpoint as a tree, or the
 * differences of two. */
#ifndef TENSORS_VIEW_H
#define TENSORS_VIEW_H

#include "tensors_file.h"

#include "pytree/html.h"

/* A dict of the tensors whose names begin alike, up to a dot. */
typedef struct Group {
    pytree_items items;
    pytree_pair *pairs;
    size_t room, word, length;            /* where the last part of its name is, in the names of its tensors */
    struct Group *outer, *before;         /* before: in the list of all */
} Group;

typedef struct TensorTree {
    const pytree_tensor **tensors;        /* by name, part by part: those of a group in a row */
    pytree_leaf *leaves;
    void **copies;                        /* of what a leaf cannot refer to; NULL: none; then the text of an odd one */
    char **texts;
    size_t n;
    Group *root, *last;
} TensorTree;

/* Copy n characters of a name, and a tail. Returns new memory. */
static char *part_of(const char *name, size_t n, const char *tail)
{
    char *made = need(malloc(n + strlen(tail) + 1));
    memcpy(made, name, n);
    strcpy(made + n, tail);
    return made;
}

/* Compare two names part by part, in the order of `tensors list`. */
static int by_parts(const void *a, const void *b)
{
    const char *x = (*(const pytree_tensor *const *)a)->name, *y = (*(const pytree_tensor *const *)b)->name;
    for (;;) {
        const size_t n = strcspn(x, "."), m = strcspn(y, ".");
        char *first = part_of(x, n, ""), *second = part_of(y, m, "");
        const int order = compare_names(first, second);
        free(first);
        free(second);
        if (order != 0) { return order; }
        if (x[n] == '\0' || y[m] == '\0') { return (x[n] != '\0') - (y[m] != '\0'); }
        x += n + 1;
        y += m + 1;
    }
}

static void add_pair(Group *group, char *key, pytree value)
{
    if (group->items.count == group->room) {
        group->room = 2 * group->room + 4;
        group->pairs = need(realloc(group->pairs, group->room * sizeof *group->pairs));
        group->items.pairs = group->pairs;
    }
    group->pairs[group->items.count++] = (pytree_pair){ key, value };
}

/* Add a group to another one, NULL for the root. A tensor of the same name was there before: then a dot ends the key. */
static Group *add_group(TensorTree *tree, Group *outer, const char *name, size_t word, size_t length)
{
    Group *group = need(calloc(1, sizeof *group));
    group->outer = outer;
    group->word = word;
    group->length = length;
    group->before = tree->last;
    tree->last = group;
    if (outer != NULL) {
        char *key = part_of(name + word, length, "");
        const size_t n = outer->items.count;
        if (n != 0 && strcmp(outer->pairs[n - 1].key, key) == 0) {
            free(key);
            key = part_of(name + word, length, ".");
        }
        add_pair(outer, key, (pytree){ PYTREE_ODICT().type, &group->items });
    }
    return group;
}

/* Make a leaf of a tensor, of its bytes if they may be used as they are: aligned, and a bool 0 or 1. Of a type that C does not
 * have, or with too many axes, it is a string. */
static pytree leaf_of(const Checkpoint *file, TensorTree *tree, size_t i)
{
    const pytree_tensor plain = plain_of(file, tree->tensors[i], false, &tree->copies[i]), *t = &plain;
    pytree_leaf *leaf = &tree->leaves[i];
    bool usable = t->type != NULL && (uintptr_t)t->data % t->type->align == 0;
    if (t->type == NULL || t->ndim > PYTREE_MAX_DIMS) {
        char *shape = shape_of(t);
        tree->texts[i] = text("%s%s, which C does not have", type_of(t), shape);
        free(shape);
        return PYTREE(&tree->texts[i]);
    }
    for (uint64_t k = 0; usable && t->type->dtype == PYTREE_BOOL8 && k < t->bytes; k++) {
        usable = ((const unsigned char *)t->data)[k] <= 1;
    }
    *leaf = (pytree_leaf){ .data = (void *)(uintptr_t)t->data, .type = t->type, .ndim = (int)t->ndim };
    for (size_t d = 0; d < t->ndim; d++) { leaf->shape[d] = (size_t)t->shape[d]; }
    if (!usable) {
        unsigned char *copy = need(malloc((size_t)t->bytes + 1));
        if (t->bytes != 0) { memcpy(copy, t->data, (size_t)t->bytes); }
        for (uint64_t k = 0; t->type->dtype == PYTREE_BOOL8 && k < t->bytes; k++) { copy[k] = copy[k] != 0; }
        free(tree->copies[i]);
        leaf->data = tree->copies[i] = copy;
    }
    return pytree_of_view(leaf);
}

/* Make a tree of the tensors of a file, which must stay open. */
static TensorTree tree_of(const Checkpoint *file)
{
    TensorTree tree = { .n = file->n };
    Group *group;
    tree.tensors = need(malloc((file->n + 1) * sizeof *tree.tensors));
    tree.leaves = need(calloc(file->n + 1, sizeof *tree.leaves));
    tree.copies = need(calloc(file->n + 1, sizeof *tree.copies));
    tree.texts = need(calloc(file->n + 1, sizeof *tree.texts));
    memcpy(tree.tensors, file->tensors, file->n * sizeof *tree.tensors);
    qsort(tree.tensors, file->n, sizeof *tree.tensors, by_parts);
    group = tree.root = add_group(&tree, NULL, "", 0, 0);
    for (size_t i = 0; i < tree.n; i++) {
        const char *name = tree.tensors[i]->name, *before = i == 0 ? "" : tree.tensors[i - 1]->name;
        size_t same = 0, part;
        for (size_t k = 0; name[k] != '\0' && name[k] == before[k]; k++) { if (name[k] == '.') { same = k + 1; } }
        while (group->outer != NULL && group->word + group->length + 1 > same) { group = group->outer; }
        part = group->outer == NULL ? 0 : group->word + group->length + 1;
        for (size_t n = strcspn(name + part, "."); name[part + n] != '\0'; n = strcspn(name + part, ".")) {
            group = add_group(&tree, group, name, part, n);
            part += n + 1;
        }
        add_pair(group, text("%s", name + part), leaf_of(file, &tree, i));
    }
    return tree;
}

static void tree_free(TensorTree *tree)
{
    while (tree->last != NULL) {
        Group *group = tree->last;
        tree->last = group->before;
        for (size_t i = 0; i < group->items.count; i++) { free((char *)(uintptr_t)group->pairs[i].key); }
        free(group->pairs);
        free(group);
    }
    for (size_t i = 0; i < tree->n; i++) {
        free(tree->copies[i]);
        free(tree->texts[i]);
    }
    free(tree->tensors);
    free(tree->leaves);
    free(tree->copies);
    free(tree->texts);
}

/* Write the page of a file, or of the differences from it to another. */
static int write_page(const char *to, const Checkpoint *a, const Checkpoint *b, const Options *o)
{
    const pytree_tolerance tolerance = { .relative = o->relative, .absolute = o->absolute, .nan_equal = true };
    char *title = text("%s%s%s", a->path, b == NULL ? "" : " and ", b == NULL ? "" : b->path);
    const pytree_html_options opt = { .title = title };
    TensorTree first = tree_of(a), second = { 0 };
    pytree tree = { PYTREE_ODICT().type, &first.root->items };
    pytree_error err = { 0 };
    if (b == NULL) {
        pytree_save_html(to, tree, &opt, &err);
    } else {
        second = tree_of(b);
        pytree_save_html_diff(to, tree, (pytree){ PYTREE_ODICT().type, &second.root->items }, &tolerance, &opt, &err);
    }
    if (err.status == PYTREE_OK) {
        char *shown = printable(to);
        printf("%s\n", shown);
        free(shown);
    }
    tree_free(&first);
    tree_free(&second);
    free(title);
    return err.status == PYTREE_OK ? EQUAL : trouble(&err);
}

/* view FILE [OTHER] [PAGE.html]: the page is written beside the file if it is not named. */
static int view(int n, char **words, const Options *o)
{
    pytree_error err = { 0 };
    const bool named = n > 1 && ends_in(words[n - 1], ".html"), two = n - named == 2;
    char *to = text("%s%s", words[named ? n - 1 : 0], named ? "" : ".html");
    Checkpoint a, b;
    int status = TROUBLE;
    memset(&b, 0, sizeof b);
    if (checkpoint_open(&a, words[0], &err) == PYTREE_OK && (!two || checkpoint_open(&b, words[1], &err) == PYTREE_OK)) {
        status = write_page(to, &a, two ? &b : NULL, o);
    } else {
        (void)trouble(&err);
    }
    checkpoint_close(&a);
    checkpoint_close(&b);
    free(to);
    return status;
}

#endif
