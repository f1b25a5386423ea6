/* User-defined types: a leaf, and nodes with callbacks. (Most C structs need neither and list their fields, like State in
 * ../autoform_pytrees/state.c.) */
#define PYTREE_IMPLEMENTATION
#include "show.h"

/* ---- A leaf: nothing looks into it ------------------------------------------------------------------------------------- */

typedef struct Special { double x, y; } Special;

static int special_repr(FILE *file, const void *value)
{
    const Special *v = value;
    return fprintf(file, "Special(x=%.1f, y=%.1f)", v->x, v->y);
}

#define PYTREE_LEAF_TYPE Special
#define PYTREE_PRINT special_repr
#include "pytree_registry.h"

/* ---- A node: callbacks say what its children are and how it is made of them -------------------------------------------- */

typedef struct RegisteredSpecial { Special special; } RegisteredSpecial;       /* derived from Special */

/* Write the children, which are flattened in turn, or only count them if there is no array. */
static size_t special_flatten(const void *self, pytree *children, pytree_entry *keys)
{
    const Special *v = self;
    (void)keys;                           /* none: children are numbered */
    if (children != NULL) {
        children[0] = PYTREE(&v->x);
        children[1] = PYTREE(&v->y);
    }
    return 2;
}

/* Build *self from its children and its metadata, of which there is none here. */
static pytree_status special_unflatten(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    Special *v = self;
    pytree_leaf x = pytree_at(children[0], "", NULL, NULL), y = pytree_at(children[1], "", NULL, NULL);
    (void)n, (void)metadata, (void)bytes;
    if (x.type != PYTREE_TYPE(double) || y.type != PYTREE_TYPE(double)) { return PYTREE_TYPE; }
    v->x = pytree_leaf_get(&x, 0);
    v->y = pytree_leaf_get(&y, 0);
    return PYTREE_OK;
}

static const pytree_custom special_callbacks = { .children = special_flatten, .rebuild = special_unflatten };

#define PYTREE_STRUCT RegisteredSpecial
#define PYTREE_CUSTOM special_callbacks
#include "pytree_registry.h"

static int registered_special_repr(FILE *file, const void *value)
{
    return fprintf(file, "Registered") + special_repr(file, value);
}

/* ---- Another one: callbacks may serve many types, each of which is a kind of node of its own ---------------------------- */

typedef struct RegisteredSpecial2 { Special special; } RegisteredSpecial2;

#define PYTREE_STRUCT RegisteredSpecial2
#define PYTREE_CUSTOM special_callbacks
#include "pytree_registry.h"

static int registered_special2_repr(FILE *file, const void *value)
{
    const Special *v = value;
    return fprintf(file, "RegisteredSpecial2(x=%.1f, y=%.1f)", v->x, v->y);
}

int main(void)
{
    Special special = { 1, 2 };
    RegisteredSpecial registered = { { 1, 2 } };
    RegisteredSpecial2 registered2 = { { 1, 2 } };

    printf("-- jax-09: a type that nothing looks into is a leaf\n");
    show_example(PYTREE(&special), special_repr);
    show_tree("value", PYTREE(&special), NULL);

    printf("-- jax-10: a node, with a function that flattens it and one that rebuilds it\n");
    show_example(PYTREE(&registered), registered_special_repr);
    show_tree("value", PYTREE(&registered), NULL);

    printf("-- jax-11: another node\n");
    show_example(PYTREE(&registered2), registered_special2_repr);
    show_tree("value", PYTREE(&registered2), NULL);
    return 0;
}
