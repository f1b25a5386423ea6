/* show.h: functions that print values and trees for the programs of this folder and of autoform_pytrees. Each program is one
 * part of a page on Python's pytrees in C; the tests compare its output with that of the Python packages. */
#ifndef SHOW_H
#define SHOW_H

#include "pytree/literal.h"
#include "pytree/path.h"

/* Python's __repr__: write a value of a user-defined type. */
typedef int repr_fn(FILE *file, const void *value);

/* Print a value as Python does: with the function of its type, or else as a literal. */
static inline void print_value(pytree value, repr_fn *repr)
{
    pytree_error err = { 0 };
    char text[2000];
    if (repr != NULL) {
        repr(stdout, pytree_at(value, "", NULL, &err).data);
    } else if (pytree_literal_text(value, text, sizeof text, NULL, &err) != SIZE_MAX) {
        printf("%s", text);
    }
    pytree_error_print(stdout, &err);
}

/* Print name=value, like Python's f"{name=}". */
static inline void show_value(const char *name, pytree value)
{
    printf("%s=", name);
    print_value(value, NULL);
    printf("\n");
}

/* Print a list of leaves. */
static inline void print_leaves(size_t n, const pytree_leaf *leaves)
{
    printf("[");
    for (size_t i = 0; i < n; i++) {
        printf(i == 0 ? "" : ", ");
        print_value(pytree_of_view(&leaves[i]), leaves[i].type->print);
    }
    printf("]\n");
}

/* Print the structure of a tree, and a line with path and value for each leaf. */
static inline void show_tree(const char *name, pytree tree, const pytree_options *opt)
{
    pytree_error err = { 0 };
    pytree_def *def = pytree_structure(tree, opt, &err);
    pytree_iter at;
    if (def != NULL) {
        printf("%s: leaves=%zu, nodes=%zu, ", name, pytree_def_num_leaves(def), pytree_def_num_nodes(def));
        pytree_def_print(stdout, def, &err);
    }
    pytree_iter_begin(&at, 1, &tree, opt, &err);
    while (pytree_iter_next(&at)) {
        char path[100];
        pytree_iter_path_text(&at, path, sizeof path);
        printf("  %s%s", path, path[0] == '\0' ? "" : "  ");
        print_value(pytree_of_view(at.leaf[0]), at.leaf[0]->type->print);
        printf("\n");
    }
    pytree_iter_end(&at);
    pytree_def_free(def);
    pytree_error_print(stdout, &err);
}

/* show_example of the pages: flatten a tree, and rebuild it from the same leaves. */
static inline void show_example(pytree structured, repr_fn *repr)
{
    pytree_error err = { 0 };
    pytree_leaf *flat = NULL;
    pytree_def *tree = NULL;
    if (pytree_flatten(structured, &flat, 0, &tree, NULL, &err) == PYTREE_OK) {
        pytree unflattened = pytree_unflatten(tree, pytree_def_num_leaves(tree), flat, NULL, &err);
        printf("structured=");
        print_value(structured, repr);
        printf("\n  flat=");
        print_leaves(pytree_def_num_leaves(tree), flat);
        printf("  tree=");
        pytree_def_print(stdout, tree, &err);
        printf("  unflattened=");
        print_value(unflattened, repr);
        printf("\n");
        pytree_free(unflattened);
        pytree_def_free(tree);
    }
    pytree_error_print(stdout, &err);
}

#endif
