/* A tree with a method. If it is an argument, its leaves are inputs: they can be replaced and batched, and receive feedback. If
 * it is a constant of the function, they are not inputs. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"
#include "text_ops.h"

typedef struct Explainer {
    pytree instruction, style;                             /* strings; in a tree of axes flags, in a batch lists of strings */
} Explainer;

#define PYTREE_LEAF_TYPE Explainer
#include "pytree_registry.h"

#define PYTREE_STRUCT Explainer
#define PYTREE_NAMESPACE OPTREE_AUTOFORM_NAMESPACE
#define PYTREE_FIELDS PYTREE_FIELD(DATA, instruction) PYTREE_FIELD(DATA, style)
#include "pytree_registry.h"

static const pytree_fn_options autoform = { .tree = { .space = "OPTREE_AUTOFORM_NAMESPACE" } };

/* Python's __call__ on (explainer, topic): its three leaves are inputs. */
static pytree_status call(void *context, pytree_trace *tr)
{
    const pytree_value instruction = pytree_value_at(tr, tr->tree[0], 0), style = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value topic = pytree_value_at(tr, tr->tree[1], 0);
    (void)context;
    return pytree_return(tr, PYTREE_V(text_format(tr, "{}\nstyle: {}\ntopic: {}", instruction, style, topic)));
}

/* The same on a topic: the explainer is a constant of the function. */
static pytree_status call_constant(void *context, pytree_trace *tr)
{
    const Explainer *e = context;
    return pytree_return(tr, PYTREE_V(text_format(tr, "{}\nstyle: {}\ntopic: {}", text(tr, *(char **)e->instruction.data),
                                                  text(tr, *(char **)e->style.data), pytree_value_at(tr, tr->tree[0], 0))));
}

/* Call a function, and show its result. */
static void show_call(const char *name, const pytree_fn *f, size_t n, const pytree *args)
{
    pytree_error err = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, &autoform, &err);
    if (out.def != NULL) { show_value(name, PYTREE(&out)); }
    pytree_flat_free(&out);
    pytree_error_print(stdout, &err);
}

int main(void)
{
    pytree_error err = { 0 };
    Explainer explainer = { PYTREE_STR("Explain"), PYTREE_STR("terse") };
    Explainer other = { PYTREE_STR("Describe"), PYTREE_STR("long") };
    const pytree_fn *as_input = PYTREE_TRACED(call), *as_closure = PYTREE_TRACED(call_constant, .context = &explainer);

    printf("-- af-04: a tree with a function\n");
    show_tree("explainer", PYTREE(&explainer), &autoform.tree);
    show_call("called", as_input, 2, (pytree[2]){ PYTREE(&explainer), PYTREE_STR("DNA") });
    show_call("call_as_input", as_input, 2, (pytree[2]){ PYTREE(&other), PYTREE_STR("RNA") });
    show_call("call_as_closure", as_closure, 1, (pytree[1]){ PYTREE_STR("RNA") });

    /* Only the style is batched: in a tree of axes the fields are flags, in a batch lists of strings. */
    Explainer flags = { PYTREE_BOOL(false), PYTREE_BOOL(true) };
    Explainer styles = { explainer.instruction, PYTREE_LIST(PYTREE_STR("terse"), PYTREE_STR("long")) };
    show_call("batch_over_fields", PYTREE_BATCH(as_input, .in_axes = PYTREE_TUPLE(PYTREE(&flags), PYTREE_BOOL(false))), 2,
              (pytree[2]){ PYTREE(&styles), PYTREE_STR("DNA") });

    /* Feedback on the output goes to all its inputs. */
    pytree args = PYTREE_TUPLE(PYTREE(&explainer), PYTREE_STR("DNA"));
    pytree_flat both = pytree_apply_new(PYTREE_VJP(as_input), 2, (pytree[2]){ args, PYTREE_STR("too long") }, &autoform, &err);
    pytree_leaf out = pytree_at(PYTREE(&both), "[0]", NULL, &err), feedback = pytree_at(PYTREE(&both), "[1]", NULL, &err);
    if (err.status == PYTREE_OK) {
        show_value("out", pytree_of_view(&out));
        show_value("feedback", pytree_of_view(&feedback));
    }
    pytree_flat_free(&both);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
