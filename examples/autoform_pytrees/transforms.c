/* autoform's transforms on trees of strings: batch, pullback, while_loop. Functions are traced: their bodies record operations
 * on strings (text_ops.h), so that a transform can run them for each element, backwards, or again and again. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"
#include "text_ops.h"

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

/* The values of a state's fields. */
static pytree_value topic_of(pytree_trace *tr) { return pytree_value_at(tr, tr->tree[0], 0); }
static pytree_value draft_of(pytree_trace *tr) { return pytree_value_at(tr, tr->tree[0], 1); }

/* ---- batch: a function of a state is called for each element of a state of lists ----------------------------------------- */

static pytree_status about(void *context, pytree_trace *tr)    /* State -> State(topic, draft + " about " + topic) */
{
    const pytree_value topic = topic_of(tr), draft = text_concat(tr, draft_of(tr), text(tr, " about "), topic);
    (void)context;
    return pytree_return_like(tr, 0, 2, (pytree_value[2]){ topic, draft });
}

static void batch(const pytree_def *state, const State *inputs)
{
    pytree_error err = { 0 };
    pytree_def *list = pytree_structure(inputs->topic, &autoform, &err);
    pytree_flat elements = pytree_transpose(state, list, PYTREE(inputs), &autoform, &err);
    pytree_flat outputs = pytree_apply_new(PYTREE_BATCH(PYTREE_TRACED(about)), 1, (pytree[1]){ PYTREE(inputs) }, &in_autoform,
                                           &err);
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

static pytree_status say(void *context, pytree_trace *tr)      /* State -> "topic: draft" */
{
    (void)context;
    return pytree_return(tr, PYTREE_V(text_format(tr, "{}: {}", topic_of(tr), draft_of(tr))));
}

static pytree_status say_each(void *context, pytree_trace *tr) /* State -> State("T " + topic, "D " + draft) */
{
    (void)context;
    return pytree_return_like(tr, 0, 2, (pytree_value[2]){ text_format(tr, "T {}", topic_of(tr)),
                                                           text_format(tr, "D {}", draft_of(tr)) });
}

/* Call f, and show what is said about its output as feedback on its input. */
static void pullback(const char *name, const pytree_fn *f, const State *state, pytree said)
{
    pytree_error err = { 0 };
    pytree_flat both = pytree_apply_new(PYTREE_VJP(f), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE(state)), said }, &in_autoform, &err);
    pytree_leaf feedback = pytree_at(PYTREE(&both), "[1][0]", NULL, &err);         /* (output, (feedback,)) */
    if (err.status == PYTREE_OK) { show_value(name, pytree_of_view(&feedback)); }
    pytree_flat_free(&both);
    pytree_error_print(stdout, &err);
}

/* ---- while_loop: the state keeps its structure -------------------------------------------------------------------------- */

static pytree_status topic_is_go(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(text_match(tr, topic_of(tr), text(tr, "go"))));
}

static pytree_status exclaim(void *context, pytree_trace *tr)  /* State -> State(draft, draft + "!") */
{
    const pytree_value draft = draft_of(tr);
    (void)context;
    return pytree_return_like(tr, 0, 2, (pytree_value[2]){ draft, text_concat(tr, draft, text(tr, "!")) });
}

static pytree_status as_tuple(void *context, pytree_trace *tr) /* State -> (topic, draft) */
{
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(topic_of(tr)), PYTREE_V(draft_of(tr))));
}

static void loop(const pytree_fn *body, pytree carry)
{
    pytree_error err = { 0 };
    pytree_flat result = pytree_apply_new(PYTREE_WHILE(PYTREE_TRACED(topic_is_go), body, .max_iters = 5), 1, &carry,
                                          &in_autoform, &err);
    if (result.def != NULL) { show_tree("result", PYTREE(&result), &autoform); }
    if (err.status == PYTREE_STRUCTURE) {                      /* nothing was run */
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
    pullback("feedback", PYTREE_TRACED(say), &state, PYTREE_STR("be more specific"));
    State said = { PYTREE_STR("be more specific"), PYTREE_STR("too terse") };
    pullback("feedback2", PYTREE_TRACED(say_each), &state, PYTREE(&said));

    printf("-- af-07: a loop over a state; a body that returns something else\n");
    State carry = { PYTREE_STR("go"), PYTREE_STR("go") };
    loop(PYTREE_TRACED(exclaim), PYTREE(&carry));
    loop(PYTREE_TRACED(as_tuple), PYTREE(&carry));

    pytree_def_free(def);
    return 0;
}
