/* show.h: functions that print values and trees as Python does, for the programs of this folder. Each program has some code
 * blocks of the page "Module & Pytree" of Flax NNX's documentation, in C; the tests compare its output with the package's. */
#ifndef NNX_SHOW_H
#define NNX_SHOW_H

#include "pytree/display.h"

/* Print a value of Python's, like repr. */
static inline void show(pytree value, pytree_error *err)
{
    char text[1000];
    if (pytree_display_text(value, text, sizeof text, NULL, err) != SIZE_MAX) { printf("%s", text); }
}

/* Print the key path and the value of each leaf. */
static inline void show_structure(const char *title, pytree t, pytree_error *err)
{
    pytree_iter it;
    printf("%s:\n", title);
    if (pytree_iter_begin(&it, 1, &t, NULL, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            pytree_leaf leaf = *it.leaf[0];
            char path[100];
            pytree_iter_path_text(&it, path, sizeof path);
            printf(" - pytree%s = ", path);
            show(pytree_of_view(&leaf), err);
            printf("\n");
        }
    }
    pytree_iter_end(&it);
}

/* Print "leaves = [1, 2]" and the treedef of a tree. Returns the treedef, to be freed. */
static inline pytree_def *show_flat(pytree t, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    char text[300];
    if (pytree_flatten(t, &leaves, 0, &def, NULL, err) != PYTREE_OK) { return NULL; }
    printf("leaves = [");
    for (size_t i = 0; i < pytree_def_num_leaves(def); i++) {
        printf(i == 0 ? "" : ", ");
        show(pytree_of_view(&leaves[i]), err);
    }
    pytree_def_text(def, text, sizeof text);
    printf("]\ntreedef = %s\n", text);
    return def;
}

static inline const char *truth(bool b) { return b ? "True" : "False"; }

/* End of a program: the first error of all, if there was one. */
static inline int finish(const pytree_error *err)
{
    pytree_error_print(stderr, err);
    return err->status != PYTREE_OK;
}
#endif
