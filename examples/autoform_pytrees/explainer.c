/* A tree with a method. If it is an argument, its leaves are inputs: they can be replaced and batched, and receive feedback. If
 * it is a constant of the function, they are not inputs. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"
#include "pytree/algebra.h"

typedef struct Explainer {
    pytree instruction, style;                             /* strings; in a tree of axes flags, in a batch lists of strings */
} Explainer;

#define PYTREE_LEAF_TYPE Explainer
#include "pytree_registry.h"

#define PYTREE_STRUCT Explainer
#define PYTREE_NAMESPACE OPTREE_AUTOFORM_NAMESPACE
#define PYTREE_FIELDS PYTREE_FIELD(DATA, instruction) PYTREE_FIELD(DATA, style)
#include "pytree_registry.h"

static const pytree_options autoform = { .space = "OPTREE_AUTOFORM_NAMESPACE" };

enum { LEAVES = 3, BATCH = 2, TEXT = 100 };

/* Python's __call__, on the leaves of (explainer, topic). */
static void call(const pytree_leaf leaves[LEAVES], char text[TEXT])
{
    const char *const *instruction = leaves[0].data, *const *style = leaves[1].data, *const *topic = leaves[2].data;
    snprintf(text, TEXT, "%s\nstyle: %s\ntopic: %s", *instruction, *style, *topic);
}

static const char *explain(Explainer explainer, const char *topic, char text[TEXT])
{
    pytree_error err = { 0 };
    pytree_leaf leaves[LEAVES];
    pytree args = PYTREE_TUPLE(PYTREE(&explainer), PYTREE_STR(topic));
    text[0] = '\0';
    if (pytree_leaves(args, leaves, LEAVES, NULL, &autoform, &err) == PYTREE_OK) { call(leaves, text); }
    pytree_error_print(stdout, &err);
    return text;
}

/* Call once for each element. Axes are a prefix of the arguments: true for a list of elements. */
static void explain_batch(pytree in_axes, pytree args)
{
    pytree_error err = { 0 };
    pytree_leaf axes[LEAVES], subtrees[LEAVES], element[LEAVES];
    char text[BATCH][TEXT] = { "", "" };
    pytree_def *def = pytree_structure(in_axes, &autoform, &err);

    if (def != NULL && pytree_leaves(in_axes, axes, LEAVES, NULL, &autoform, &err) == PYTREE_OK
        && pytree_flatten_up_to(def, args, subtrees, LEAVES, &autoform, &err) == PYTREE_OK) {
        for (size_t i = 0; i < BATCH; i++) {
            for (size_t k = 0; k < LEAVES; k++) {
                pytree_leaf items[BATCH];
                pytree part = pytree_of_view(&subtrees[k]);
                bool mapped = *(bool *)axes[k].data;
                if (mapped) { pytree_leaves(part, items, BATCH, NULL, &autoform, &err); }
                element[k] = mapped ? items[i] : subtrees[k];
            }
            if (err.status == PYTREE_OK) { call(element, text[i]); }
        }
    }
    show_value("batch_over_fields", PYTREE_LIST(PYTREE_STR(text[0]), PYTREE_STR(text[1])));
    pytree_def_free(def);
    pytree_error_print(stdout, &err);
}

int main(void)
{
    pytree_error err = { 0 };
    char text[TEXT];
    Explainer explainer = { PYTREE_STR("Explain"), PYTREE_STR("terse") };
    Explainer other = { PYTREE_STR("Describe"), PYTREE_STR("long") };

    printf("-- af-04: a tree with a function\n");
    show_tree("explainer", PYTREE(&explainer), &autoform);
    show_value("called", PYTREE_STR(explain(explainer, "DNA", text)));
    show_value("call_as_input", PYTREE_STR(explain(other, "RNA", text)));
    show_value("call_as_closure", PYTREE_STR(explain(explainer, "RNA", text)));

    /* Only the style is batched. */
    Explainer flags = { PYTREE_BOOL(false), PYTREE_BOOL(true) };
    Explainer styles = { explainer.instruction, PYTREE_LIST(PYTREE_STR("terse"), PYTREE_STR("long")) };
    explain_batch(PYTREE_TUPLE(PYTREE(&flags), PYTREE_BOOL(false)), PYTREE_TUPLE(PYTREE(&styles), PYTREE_STR("DNA")));

    /* Feedback on the output goes to all its inputs: one leaf is broadcast to the structure of the input. */
    pytree_def *input = pytree_structure(PYTREE_TUPLE(PYTREE(&explainer), PYTREE_STR("DNA")), &autoform, &err);
    if (input != NULL) {
        pytree_flat feedback = pytree_broadcast_prefix(PYTREE_STR("too long"), input, NULL, &autoform, &err);
        show_value("out", PYTREE_STR(explain(explainer, "DNA", text)));
        show_value("feedback", PYTREE(&feedback));
        pytree_flat_free(&feedback);
    }
    pytree_def_free(input);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
