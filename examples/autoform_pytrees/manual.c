/* Flatten and unflatten by hand, with callbacks instead of a list of fields. The children have no names, so paths number
 * them. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"

typedef struct State {
    const char *topic;
    const char *draft;
} State;

static size_t flatten_state(const void *self, pytree *children, pytree_entry *keys)
{
    const State *state = self;
    (void)keys;
    if (children != NULL) {
        children[0] = PYTREE(&state->topic);
        children[1] = PYTREE(&state->draft);
    }
    return 2;
}

static pytree_status unflatten_state(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    State *state = self;
    pytree_leaf topic = pytree_at(children[0], "", NULL, NULL), draft = pytree_at(children[1], "", NULL, NULL);
    (void)n, (void)metadata, (void)bytes;
    if (topic.type != PYTREE_TYPE(char *) || draft.type != PYTREE_TYPE(char *)) { return PYTREE_TYPE; }
    state->topic = *(const char **)topic.data;
    state->draft = *(const char **)draft.data;
    return PYTREE_OK;
}

static const pytree_custom state_callbacks = { .children = flatten_state, .rebuild = unflatten_state };

#define PYTREE_LEAF_TYPE State
#include "pytree_registry.h"

#define PYTREE_STRUCT State
#define PYTREE_NAMESPACE OPTREE_AUTOFORM_NAMESPACE
#define PYTREE_CUSTOM state_callbacks
#include "pytree_registry.h"

static const pytree_options autoform = { .space = "OPTREE_AUTOFORM_NAMESPACE" };

int main(void)
{
    pytree_error err = { 0 };
    State state = { .topic = "dna", .draft = "short" };
    const char *upper_case[] = { "DNA", "SHORT" };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;

    printf("-- af-03: flatten, other texts for leaves, unflatten\n");
    show_tree("state", PYTREE(&state), &autoform);
    if (pytree_flatten(PYTREE(&state), &leaves, 0, &def, &autoform, &err) == PYTREE_OK) {
        for (int i = 0; i < 2; i++) { leaves[i].data = &upper_case[i]; }
        pytree upper = pytree_unflatten(def, 2, leaves, NULL, &err);
        if (upper.data != NULL) {
            show_tree("upper", upper, &autoform);
            printf("upper.topic='%s'\n", ((const State *)upper.data)->topic);
            printf("upper.draft='%s'\n", ((const State *)upper.data)->draft);
        }
        pytree_free(upper);
    }
    pytree_def_free(def);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
