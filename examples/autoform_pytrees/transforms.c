/* The effects of autoform's transforms on trees: batch, pullback, while_loop. The functions here use strings of at most 40
 * bytes. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"
#include "pytree/transform.h"

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
static const pytree_fn_options in_autoform = { .tree = { .space = "OPTREE_AUTOFORM_NAMESPACE" } };

enum { TEXT = 40 };

/* ---- batch: a function of a state is called for each element of a state of lists ----------------------------------------- */

/* State -> State(topic, draft + " about " + topic). The context has room for a text of each element. */
static pytree_status about(void *context, const pytree_call *at)
{
    char *text = (char *)context + at->index * TEXT;
    const char *topic = *(const char **)at->in[0].data, *draft = *(const char **)at->in[1].data;
    snprintf(text, TEXT, "%s about %s", draft, topic);
    *(const char **)at->out[0].data = topic;
    *(const char **)at->out[1].data = text;
    return PYTREE_OK;
}

static void batch(const pytree_def *state, const State *inputs)
{
    char texts[2][TEXT];
    const pytree_fn written = { .name = "about", .call = about, .shape = pytree_result_first, .context = texts };
    pytree_error err = { 0 };
    pytree_def *list = pytree_structure(inputs->topic, &autoform, &err);
    pytree_flat elements = pytree_transpose(state, list, PYTREE(inputs), &autoform, &err);
    pytree_flat outputs = pytree_apply_new(PYTREE_BATCH(&written), 1, (pytree[1]){ PYTREE(inputs) }, &in_autoform, &err);
    if (err.status == PYTREE_OK) {
        show_value("elements", PYTREE(&elements));             /* what the calls get, one after the other */
        show_value("outputs", PYTREE(&outputs));
    }
    pytree_flat_free(&outputs);
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

static pytree_status topic_is_go(void *context, const pytree_call *at)
{
    (void)context;
    *(bool *)at->res[0] = strcmp(*(const char **)at->in[0].data, "go") == 0;
    return PYTREE_OK;
}

/* The draft becomes the topic and gets an exclamation mark. The context has room for a text of each step. */
static pytree_status exclaim(void *context, const pytree_call *at)
{
    char *text = (char *)context + at->index * TEXT;
    const char *draft = *(const char **)at->in[1].data;
    snprintf(text, TEXT, "%s!", draft);
    *(const char **)at->out[0].data = draft;
    *(const char **)at->out[1].data = text;
    return PYTREE_OK;
}

static pytree_status as_tuple(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(PYTREE(&at->in[0]), PYTREE(&at->in[1])));
}

static void loop(const pytree_fn *body, pytree carry)
{
    const pytree_fn is_go = { .name = "topic_is_go", .call = topic_is_go };
    pytree_error err = { 0 };
    pytree_flat result = pytree_apply_new(PYTREE_WHILE(&is_go, body, .max_iters = 5), 1, &carry, &in_autoform, &err);
    if (result.def != NULL) { show_tree("result", PYTREE(&result), &autoform); }
    if (err.status == PYTREE_STRUCTURE) {                      /* nothing was called */
        pytree_def *in_struct;
        pytree_flat given;
        err.status = PYTREE_OK;
        in_struct = pytree_structure(carry, &autoform, &err);
        given = pytree_eval_shape(body, 1, &carry, &in_autoform, &err);
        if (err.status == PYTREE_OK) {
            printf("in_struct:  ");
            pytree_def_print(stdout, in_struct, &err);
            printf("out_struct: ");
            pytree_def_print(stdout, given.def, &err);
        }
        pytree_flat_free(&given);
        pytree_def_free(in_struct);
    }
    pytree_flat_free(&result);
    pytree_error_print(stdout, &err);
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
    char texts[5][TEXT];
    State carry = { PYTREE_STR("go"), PYTREE_STR("go") };
    const pytree_fn body = { .name = "exclaim", .call = exclaim, .shape = pytree_result_first, .context = texts };
    const pytree_fn other = { .name = "as_tuple", .call = exclaim, .shape = as_tuple, .context = texts };
    loop(&body, PYTREE(&carry));
    loop(&other, PYTREE(&carry));

    pytree_def_free(def);
    return 0;
}
