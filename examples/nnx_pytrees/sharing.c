/* sharing.c: structure in which two paths lead to one value: found, lost and kept. Blocks 17, 18, 19 and 20. */
#define PYTREE_IMPLEMENTATION
#include "show.h"

typedef struct Shared { float x; } Shared;

#define PYTREE_STRUCT Shared
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Parent { Shared *left, *right; } Parent;

#define PYTREE_STRUCT Parent
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, right)
#include "pytree_registry.h"

static void say(const char *when, const Parent *m)
{
    printf("%s: m.left is m.right = %s\n", when, truth(m != NULL && m->left == m->right));
}

int main(void)
{
    Shared one = { 1 };
    Parent m = { &one, &one };
    pytree_error err = { 0 };
    pytree_duplicates *duplicates = pytree_find_duplicates(PYTREE(&m), NULL, &err);
    pytree_flat state = { NULL, NULL }, inside = { NULL, NULL };
    pytree_def *graphdef = NULL;
    pytree tree, graph;

    /* 17 */
    if (duplicates != NULL) {
        const char *const *paths = duplicates->paths[0];       /* ".left", ".right" */
        printf("nnx.find_duplicates(m) = [[('%s',), ('%s',)]] # not a tree\n", paths[0] + 1, paths[1] + 1);
    }
    pytree_duplicates_free(duplicates);

    /* 18: plain functions take it for a tree. */
    say("Before", &m);
    tree = pytree_clone(PYTREE(&m), NULL, &err);
    say("Inside", tree.data);
    say("After", tree.data);
    pytree_free(tree);

    /* 19: split, merge, update */
    say("Before", &m);
    pytree_split(PYTREE(&m), 0, NULL, &graphdef, &state, NULL, &err);
    graph = pytree_merge(graphdef, 1, &(pytree){ PYTREE(&state).type, &state }, NULL, &err);
    say("Inside", graph.data);
    inside = pytree_state(graph, PYTREE_EVERYTHING, NULL, &err);
    if (inside.def != NULL) {
        pytree_update(PYTREE(&m), 1, &(pytree){ PYTREE(&inside).type, &inside }, NULL, &err);
        say("After", &m);
        printf("state = ");
        pytree_state_print(stdout, PYTREE(&inside), NULL, &err);
    }
    pytree_flat_free(&inside);
    pytree_free(graph);
    pytree_flat_free(&state);
    pytree_def_free(graphdef);

    /* 20: functions of pytree/graph.h */
    say("Before", &m);
    graph = pytree_graph_clone(PYTREE(&m), NULL, &err);
    say("Inside", graph.data);
    say("After", graph.data);
    pytree_free(graph);
    return finish(&err);
}
