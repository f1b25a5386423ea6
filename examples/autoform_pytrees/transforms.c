/* The effects of autoform's transforms on trees: batch, pullback, while_loop. The functions here use strings of at most 40
 * bytes. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"
#include "pytree/algebra.h"

typedef struct State {
    pytree topic, draft;                                   /* strings, or lists of strings */
} State;

#define PYTREE_LEAF_TYPE State
#include "pytree_registry.h"

#define PYTREE_STRUCT State
#define PYTREE_NAMESPACE OPTREE_AUTOFORM_NAMESPACE
#define PYTREE_FIELDS PYTREE_FIELD(DATA, topic) PYTREE_FIELD(DATA, draft)
#include "pytree_registry.h"

static const pytree_options autoform = { .space = "OPTREE_AUTOFORM_NAMESPACE" };

enum { TEXT = 40 };

/* ---- batch: a state of lists is a list of states, turned over ------------------------------------------------------------ */

/* The function is State(topic, draft + " about " + topic). */
static void batch(const pytree_def *state, const State *inputs)
{
    pytree_error err = { 0 };
    pytree_def *list = pytree_structure(inputs->topic, &autoform, &err);
    pytree_flat elements = pytree_transpose(state, list, PYTREE(inputs), &autoform, &err);
    pytree_leaf made[4];                                   /* topic, draft, topic, draft */
    const char *drafts[2];
    char text[2][TEXT];

    if (err.status == PYTREE_OK) {
        show_value("elements", PYTREE(&elements));
        for (size_t i = 0; i < 2; i++) {
            const pytree_leaf *topic = &elements.leaves[2 * i], *draft = topic + 1;
            snprintf(text[i], TEXT, "%s about %s", *(const char **)draft->data, *(const char **)topic->data);
            drafts[i] = text[i];
            made[2 * i] = *topic;
            made[2 * i + 1] = *draft;
            made[2 * i + 1].data = &drafts[i];
        }
        pytree_flat results = { elements.def, made };      /* the structure of the elements with other leaves */
        pytree_flat outputs = pytree_transpose(list, state, PYTREE(&results), &autoform, &err);
        if (outputs.def != NULL) { show_value("outputs", PYTREE(&outputs)); }
        pytree_flat_free(&outputs);
    }
    pytree_flat_free(&elements);
    pytree_def_free(list);
    pytree_error_print(stdout, &err);
}

/* ---- pullback: feedback has the structure of the input ------------------------------------------------------------------ */

/* Return the feedback on the output as a tree like the input; a leaf applies to the whole input. */
static void pullback(const char *name, const pytree_def *input, pytree said)
{
    pytree_error err = { 0 };
    pytree_flat feedback = pytree_broadcast_prefix(said, input, "feedback", &autoform, &err);
    if (feedback.def != NULL) { show_value(name, PYTREE(&feedback)); }
    pytree_flat_free(&feedback);
    pytree_error_print(stdout, &err);
}

/* ---- while_loop: the state keeps its structure -------------------------------------------------------------------------- */

/* While the topic is "go", the draft becomes the topic and gets an exclamation mark. */
static void loop(char topic[TEXT], char draft[TEXT], int most)
{
    for (int i = 0; i < most && strcmp(topic, "go") == 0; i++) {
        size_t n = strlen(draft);
        memcpy(topic, draft, n + 1);
        if (n < TEXT - 1) { memcpy(draft + n, "!", 2); }
    }
}

/* Check before the loop that the result of the body can be its next argument. */
static bool same_structure(pytree in, pytree out)
{
    pytree_error err = { 0 };
    pytree_def *in_struct = pytree_structure(in, &autoform, &err), *out_struct = pytree_structure(out, &autoform, &err);
    bool same = err.status == PYTREE_OK && pytree_def_equal(in_struct, out_struct);
    if (!same && err.status == PYTREE_OK) {
        printf("in_struct:  ");
        pytree_def_print(stdout, in_struct, &err);
        printf("out_struct: ");
        pytree_def_print(stdout, out_struct, &err);
    }
    pytree_def_free(in_struct);
    pytree_def_free(out_struct);
    pytree_error_print(stdout, &err);
    return same;
}

int main(void)
{
    pytree_error err = { 0 };
    State state = { PYTREE_STR("dna"), PYTREE_STR("short") };
    pytree_def *def = pytree_structure(PYTREE(&state), &autoform, &err);
    if (def == NULL) {
        pytree_error_print(stderr, &err);
        return 1;
    }

    printf("-- af-05: batch over a state of lists\n");
    State inputs = { PYTREE_LIST(PYTREE_STR("dna"), PYTREE_STR("rna")), PYTREE_LIST(PYTREE_STR("short"), PYTREE_STR("long")) };
    show_tree("inputs", PYTREE(&inputs), &autoform);
    batch(def, &inputs);

    printf("-- af-06: feedback on a text, and on a state\n");
    pullback("feedback", def, PYTREE_STR("be more specific"));
    State said = { PYTREE_STR("be more specific"), PYTREE_STR("too terse") };
    pullback("feedback2", def, PYTREE(&said));

    printf("-- af-07: a loop over a state; a body that returns something else\n");
    char topic[TEXT] = "go", draft[TEXT] = "go";
    State carry = { PYTREE_STR(topic), PYTREE_STR(draft) };
    if (same_structure(PYTREE(&carry), PYTREE(&carry))) {
        loop(topic, draft, 5);
        show_tree("result", PYTREE(&carry), &autoform);
    }
    same_structure(PYTREE(&carry), PYTREE_TUPLE(carry.topic, carry.draft));

    pytree_def_free(def);
    return 0;
}
