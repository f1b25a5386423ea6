/* A struct that is a tree in one namespace and a leaf everywhere else. (autoform's pages use optree. Here structures are
 * in JAX's form: PyTreeDef(CustomNode(State[()], [*, *])) for optree's PyTreeSpec(CustomTreeNode(State[()], [*, *])).) */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"
#include <ctype.h>

typedef struct State {
    const char *topic;
    const char *draft;
} State;

static int state_repr(FILE *file, const void *value)
{
    const State *state = value;
    return fprintf(file, "State(topic='%s', draft='%s')", state->topic, state->draft);
}

#define PYTREE_LEAF_TYPE State                             /* everywhere else */
#define PYTREE_PRINT state_repr
#include "pytree_registry.h"

#define PYTREE_STRUCT State                                /* in autoform's namespace */
#define PYTREE_NAMESPACE OPTREE_AUTOFORM_NAMESPACE
#define PYTREE_FIELDS PYTREE_FIELD(DATA, topic) PYTREE_FIELD(DATA, draft)
#include "pytree_registry.h"

static const pytree_options autoform = { .space = "OPTREE_AUTOFORM_NAMESPACE" };

/* str.upper on the leaves; the context stores the new strings. */
typedef struct Texts { char text[2][20]; } Texts;

static pytree_status upper_case(void *context, const pytree_iter *at)
{
    const char *from = *(const char **)at->leaf[0]->data;
    char *to = ((Texts *)context)->text[at->index];
    size_t i;
    for (i = 0; from[i] != '\0' && i < 19; i++) { to[i] = (char)toupper((unsigned char)from[i]); }
    to[i] = '\0';
    *(const char **)at->out->data = to;
    return PYTREE_OK;
}

int main(void)
{
    pytree_error err = { 0 };
    Texts texts;
    State state = { .topic = "dna", .draft = "short" }, upper = state;
    pytree in = PYTREE(&state), out = PYTREE(&upper);

    pytree_map(upper_case, &texts, &out, 1, &in, &autoform, &err);

    printf("-- af-01: map over a struct\n");
    show_tree("state", in, &autoform);
    show_tree("upper", out, &autoform);
    show_tree("without_namespace", in, NULL);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
