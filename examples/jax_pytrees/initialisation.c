/* A rebuild is not an initialisation. Code that takes a tree apart may replace its leaves by placeholders, None, or whole
 * trees. A function that a rebuild calls must accept them.
 *
 * Here one struct is registered three times: in namespaces with a constructor that requires an array, and with one that knows
 * some placeholders; otherwise with a function that accepts anything. Transforms work on treedefs and leaves and make no
 * MyTree; only who rebuilds their results meets the constructors. */
#define PYTREE_IMPLEMENTATION
#include "show.h"
#include "pytree/derive.h"

typedef struct MyTree { pytree a; } MyTree;                    /* a member of type pytree can be any tree */

typedef struct Object { int anything; } Object;                /* a placeholder, as jax.vmap uses one */
#define PYTREE_LEAF_TYPE Object
#include "pytree_registry.h"

typedef struct Sharding { int device; } Sharding;              /* another one, which the constructors do not expect */
#define PYTREE_LEAF_TYPE Sharding
#include "pytree_registry.h"

static size_t mytree_flatten(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const MyTree *)self)->a; }
    return 1;
}

/* ---- Takes what comes --------------------------------------------------------------------------------------------------- */

static pytree_status mytree_unflatten(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)n, (void)metadata, (void)bytes;
    ((MyTree *)self)->a = children[0];
    return PYTREE_OK;
}
static const pytree_custom mytree_callbacks = { .children = mytree_flatten, .rebuild = mytree_unflatten };

#define PYTREE_STRUCT MyTree
#define PYTREE_CUSTOM mytree_callbacks
#include "pytree_registry.h"

/* ---- Wants an array: jnp.asarray(a) in the constructor ------------------------------------------------------------------ */

static pytree_status mytree_convert(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    pytree_leaf a = pytree_at(children[0], "", NULL, NULL);
    if (!pytree_is_leaf(&a) || a.type->dtype == PYTREE_OPAQUE) { return PYTREE_TYPE; }
    return mytree_unflatten(self, n, children, metadata, bytes);
}
static const pytree_custom convert_callbacks = { .children = mytree_flatten, .rebuild = mytree_convert };

#define PYTREE_STRUCT MyTree
#define PYTREE_NAMESPACE converting
#define PYTREE_CUSTOM convert_callbacks
#include "pytree_registry.h"

/* ---- Wants an array, or one of the placeholders that it knows ------------------------------------------------------------ */

static pytree_status mytree_tolerate(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    pytree_leaf a = pytree_at(children[0], "", NULL, NULL);
    if (!pytree_is_leaf(&a) || a.type == PYTREE_TYPE(Object)) {       /* None, a whole tree, an object */
        return mytree_unflatten(self, n, children, metadata, bytes);
    }
    return mytree_convert(self, n, children, metadata, bytes);
}
static const pytree_custom tolerate_callbacks = { .children = mytree_flatten, .rebuild = mytree_tolerate };

#define PYTREE_STRUCT MyTree
#define PYTREE_NAMESPACE tolerant
#define PYTREE_CUSTOM tolerate_callbacks
#include "pytree_registry.h"

/* ---- The three with five things in the place of the leaf ---------------------------------------------------------------- */

static pytree_status same(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, tr->tree[0]);
}

/* Rebuild the structure with this leaf. */
static pytree attempt(const char *what, const pytree_def *def, pytree_leaf leaf)
{
    pytree_error err = { 0 };
    pytree made = pytree_unflatten(def, 1, &leaf, NULL, &err);
    printf("%s: %s\n", what, err.status == PYTREE_OK ? "no error" : err.message);
    return made;
}

static void attempts(pytree tree, const char *space)
{
    pytree_error err = { 0 };
    const pytree_fn_options options = { .tree = { .space = space } };
    const pytree_fn *identity = PYTREE_TRACED(same);
    Object object = { 0 };
    Sharding sharding = { 0 };
    pytree_flat mapped = pytree_apply_new(PYTREE_VMAP(identity), 1, &tree, &options, &err);
    pytree_flat jacobian = pytree_apply_new(PYTREE_JACOBIAN(identity), 1, &tree, &options, &err);

    if (err.status == PYTREE_OK) {
        pytree whole = attempt("its leaf", mapped.def, mapped.leaves[0]);
        if (whole.data != NULL) { show_value("a", ((const MyTree *)whole.data)->a); }
        pytree_free(whole);
        pytree_free(attempt("an object", mapped.def, (pytree_leaf){ .type = PYTREE_TYPE(Object), .data = &object }));
        pytree_free(attempt("None", mapped.def, (pytree_leaf){ .form = PYTREE_FORM_NONE }));
        pytree_free(attempt("a sharding", mapped.def, (pytree_leaf){ .type = PYTREE_TYPE(Sharding), .data = &sharding }));

        /* A Jacobian is a tree of trees: each leaf of the output is replaced by the structure of the input. */
        pytree jac = attempt("a MyTree", jacobian.def, jacobian.leaves[0]);
        if (jac.data != NULL && space == NULL) { show_tree("jac", jac, &options.tree); }
        pytree_free(jac);
    }
    pytree_flat_free(&jacobian);
    pytree_flat_free(&mapped);
    pytree_error_print(stdout, &err);
}

int main(void)
{
    float numbers[5] = { 0, 1, 2, 3, 4 };
    MyTree tree = { PYTREE_ARRAY(numbers, 5) };

    printf("-- jax-12: a constructor that wants an array\n");
    show_tree("tree", PYTREE(&tree), NULL);
    attempts(PYTREE(&tree), "converting");

    printf("-- jax-13: a constructor that knows some placeholders\n");
    show_tree("tree", PYTREE(&tree), NULL);
    attempts(PYTREE(&tree), "tolerant");

    printf("-- jax-14: no constructor\n");
    show_tree("tree", PYTREE(&tree), NULL);
    attempts(PYTREE(&tree), NULL);
    return 0;
}
