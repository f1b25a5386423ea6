/* pytree/filter.h: roles of values, and filters that choose places of a tree by role, type or path.
 *
 * A role says what a value is for: parameters, statistics, caches. A row states it, and it costs nothing elsewhere:
 *
 *     PYTREE_FIELD(DATA, kernel, ARRAY(self->din, self->dout), ROLE(Param))
 *     PYTREE_FIELD(DATA, mean, ARRAY(self->dout), ROLE(BatchStat))
 *
 * The roles are Flax's types of variables. A role has a base, so that a filter for Variable takes all of them:
 *
 *     Variable
 *         Param  BatchStat  Cache  MetricState
 *         Intermediate    Perturbation
 *         RngState        RngKey  RngCount
 *         OptState        OptArray  OptVariable
 *
 * A filter is a value, and filters nest as literals do:
 *
 *     pytree_filter kernels = PYTREE_ALL_OF(PYTREE_OF(Param), PYTREE_NOT(PYTREE_PATH("**.bias")));
 *     pytree_filter parts[] = { PYTREE_OF(Param), PYTREE_REST };
 *
 * Literals of filters live as long as the enclosing block. pytree/state.h splits trees by them. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "path.h"                         /* patterns */

#ifndef PYTREE_FILTER_H
#define PYTREE_FILTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Roles --------------------------------------------------------------------------------------------------------- */

/* Lists the built-in roles with their bases and the names of their collections in Flax; "" if there is none. */
#define PYTREE__ROLES(X)                                                                                                \
    X(Param, Variable, "params") X(BatchStat, Variable, "batch_stats") X(Cache, Variable, "cache")                      \
    X(Intermediate, Variable, "intermediates") X(Perturbation, Intermediate, "perturbations")                           \
    X(RngState, Variable, "") X(RngKey, RngState, "") X(RngCount, RngState, "")                                         \
    X(OptState, Variable, "") X(OptArray, OptState, "") X(OptVariable, OptState, "") X(MetricState, Variable, "")

/* A role is a node type: in a state, pytree/state.h, a value with a role is a node of this type with the one child `.value`. */
#define PYTREE__X(name, base, collection) extern const pytree_type pytree_role_##name;
extern const pytree_type pytree_role_Variable;
PYTREE__ROLES(PYTREE__X)
#undef PYTREE__X

/* Define a role of the program's own, at file scope: PYTREE_ROLE(Frozen, Param) makes ROLE(Frozen) and PYTREE_OF(Frozen).
 * Several files may define the same role: roles are compared by name and bases.
 *
 *     PYTREE_ROLE(Frozen, Param);   =>   static const pytree_type pytree_role_Frozen = { "Frozen", …, &pytree_role_Param } */
#define PYTREE_ROLE(name, base)                                                                                         \
    PYTREE__ROLE_UNUSED static const pytree_type pytree_role_##name = PYTREE__ROLE_TYPE(#name, &pytree_role_##base)
#if defined(__GNUC__)                     /* a header may define roles that not every file uses */
#define PYTREE__ROLE_UNUSED __attribute__((unused))
#else
#define PYTREE__ROLE_UNUSED
#endif
#define PYTREE__ROLE_TYPE(name, base)                                                                                   \
    { name, sizeof(pytree_variable), sizeof(void *), PYTREE_KIND_CUSTOM, PYTREE_NO_DTYPE, 0, 0, false, false, false,    \
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, &pytree_variable_node, NULL, NULL, base, NULL PYTREE__NOTED_AT(NULL) }

/* A value with a role, as states hold it: a custom node with one child. In a literal `value` is set, and the rest zero;
 * pytree/object.h makes variables at run time, and has functions that read and change them. */
typedef struct pytree_variable {
    void *container;                      /* of one that has grown: its value and its metadata; NULL: what follows */
    pytree value;
    const char *metadata;                 /* the literal of a dict; NULL: none */
    pytree_level *level;                  /* of one that was rebuilt, and the depth at which it was */
    const pytree_allocator *allocator;
    unsigned depth;
    bool rebuilt;
    void (*release)(void *self);          /* frees the container */
} pytree_variable;
extern const pytree_custom pytree_variable_node;

/* Give a value of a literal a role: PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(w, 2, 3)) }). It lives as long as
 * the enclosing block. */
#define PYTREE_VARIABLE(role, v) ((pytree){ &pytree_role_##role, &(pytree_variable){ .value = v } })

/* Tell whether a role is another one or is derived from it: isinstance. Returns false if `role` is NULL. O(bases). */
bool pytree_role_is(const pytree_type *role, const pytree_type *base);

/* Find the built-in role of a collection ("params"): nnx.variable_type_from_name. Returns NULL and PYTREE_NOT_FOUND if there is
 * none. The other one returns the collection of a role or of its nearest base: nnx.variable_name_from_type; NULL if none has
 * one. */
const pytree_type *pytree_role_of_collection(const char *collection, pytree_error *err);
const char *pytree_role_collection(const pytree_type *role);

/* Find the role of the leaf that an iterator stands at, or that a callback of pytree_map gets: that of the outermost row or
 * variable that holds it. Returns NULL if it has none. O(depth).
 *
 *     if (pytree_role_is(pytree_iter_role(at), &pytree_role_Param)) { decay(at->leaf[0]); } */
const pytree_type *pytree_iter_role(const pytree_iter *at);

/* ---- Places -------------------------------------------------------------------------------------------------------- */

/* A place: a value of a tree that has a role, with all that is below it, or a leaf without one. Filters and callbacks see it;
 * everything is borrowed for the call. In the path, names are attributes and numbers indices, whether they come from a struct,
 * a dict or a state, and the `.value` of a state's variable is left out: one filter serves them all. */
typedef struct pytree_place {
    pytree_path path;
    const pytree_type *role;              /* NULL: none */
    const pytree_type *type;              /* of the value: element type of a leaf, or node type */
    const pytree_leaf *view;              /* the value; NULL where a filter is asked about a place without one */
    const char *metadata;                 /* of a variable in a state: the literal of a dict; NULL: none */
} pytree_place;

/* ---- Filters ------------------------------------------------------------------------------------------------------- */

/* Answer for PYTREE_WHERE whether a place is chosen. Everything is borrowed for the call. */
typedef bool pytree_place_test(void *context, const pytree_place *at);

typedef enum pytree_filter_kind {
    PYTREE_FILTER_NOTHING, PYTREE_FILTER_EVERYTHING, PYTREE_FILTER_REST, PYTREE_FILTER_ROLE, PYTREE_FILTER_TYPE,
    PYTREE_FILTER_PATTERN, PYTREE_FILTER_NAME, PYTREE_FILTER_PART, PYTREE_FILTER_INDEX, PYTREE_FILTER_TAG, PYTREE_FILTER_ANY,
    PYTREE_FILTER_ALL, PYTREE_FILTER_NOT, PYTREE_FILTER_TEST
} pytree_filter_kind;

/* A filter. The macros below make them; all members zero: PYTREE_NOTHING. */
typedef struct pytree_filter {
    pytree_filter_kind kind;
    const pytree_type *type;
    const char *text;
    int64_t index;
    size_t n;                             /* of PYTREE_ANY_OF, PYTREE_ALL_OF and PYTREE_NOT */
    const struct pytree_filter *of;
    pytree_place_test *test;
    void *context;
} pytree_filter;

/* Choose nothing, everything, or all that earlier filters have left (NNX's `...`): PYTREE_REST must be the last one. */
#define PYTREE_NOTHING ((pytree_filter){ .kind = PYTREE_FILTER_NOTHING })
#define PYTREE_EVERYTHING ((pytree_filter){ .kind = PYTREE_FILTER_EVERYTHING })
#define PYTREE_REST ((pytree_filter){ .kind = PYTREE_FILTER_REST })

/* Choose by role, PYTREE_OF(Param), or by the type of a value, PYTREE_OF_TYPE(PYTREE_TYPE(float)): filterlib.OfType. */
#define PYTREE_OF(role) ((pytree_filter){ .kind = PYTREE_FILTER_ROLE, .type = &pytree_role_##role })
#define PYTREE_OF_TYPE(of) ((pytree_filter){ .kind = PYTREE_FILTER_TYPE, .type = (of) })

/* Choose by path: by a pattern of pytree/path.h; by an entry that is this name, or contains it; by an entry that is this
 * number: filterlib.PathContains. */
#define PYTREE_PATH(pattern) ((pytree_filter){ .kind = PYTREE_FILTER_PATTERN, .text = (pattern) })
#define PYTREE_PATH_HAS(name) ((pytree_filter){ .kind = PYTREE_FILTER_NAME, .text = (name) })
#define PYTREE_PATH_LIKE(part) ((pytree_filter){ .kind = PYTREE_FILTER_PART, .text = (part) })
#define PYTREE_PATH_HAS_INDEX(i) ((pytree_filter){ .kind = PYTREE_FILTER_INDEX, .index = (i) })

/* Choose variables whose metadata `tag` is this string: filterlib.WithTag. Values without metadata have no tag. */
#define PYTREE_TAG(tag) ((pytree_filter){ .kind = PYTREE_FILTER_TAG, .text = (tag) })

/* Combine filters: filterlib.Any, All, Not. PYTREE_ANY_OF() chooses nothing, PYTREE_ALL_OF() everything. */
#define PYTREE_ANY_OF(...) PYTREE__FILTER_LIST(PYTREE_FILTER_ANY, __VA_ARGS__)
#define PYTREE_ALL_OF(...) PYTREE__FILTER_LIST(PYTREE_FILTER_ALL, __VA_ARGS__)
#define PYTREE_NOT(f) PYTREE__FILTER_LIST(PYTREE_FILTER_NOT, f)
#define PYTREE__FILTER_LIST(which, ...)                                                                                 \
    ((pytree_filter){ .kind = which, .n = PYTREE__FILTER_COUNT(__VA_ARGS__), .of = PYTREE__FILTER_ARRAY(__VA_ARGS__) })
#define PYTREE__FILTER_ARRAY(...)                      /* with an element before them, because there may be none */     \
    ((const pytree_filter[1 + PYTREE__FILTER_COUNT(__VA_ARGS__)]){ { 0 }, __VA_ARGS__ } + 1)
#if defined(__TINYC__)                    /* which does not count such elements */
#define PYTREE__FILTER_COUNT(...) (sizeof(#__VA_ARGS__) == 1 ? 0 : PYTREE__ITEMS(__VA_ARGS__))
#else
#define PYTREE__FILTER_COUNT(...) (sizeof((pytree_filter[]){ { 0 }, __VA_ARGS__ }) / sizeof(pytree_filter) - 1)
#endif

/* Choose by a function. */
#define PYTREE_WHERE(function, its_context)                                                                             \
    ((pytree_filter){ .kind = PYTREE_FILTER_TEST, .test = (function), .context = (its_context) })

/* Pass filters to a function: their number and an array, two arguments.
 *
 *     pytree_split(t, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &graphdef, states, NULL, &err); */
#define PYTREE_FILTERS(...) PYTREE__FILTER_COUNT(__VA_ARGS__), PYTREE__FILTER_ARRAY(__VA_ARGS__)

/* Tell whether a filter chooses a place. PYTREE_REST chooses every place. A malformed pattern is false, with PYTREE_SYNTAX.
 * Allocates (and frees) only for filters in more than 16 filters, and may then fail with PYTREE_NO_MEMORY. */
bool pytree_filter_match(const pytree_filter *filter, const pytree_place *at, pytree_error *err);

/* Write a filter as NNX does: "All(OfType(Param), Not(PathContains('bias', exact=True)))". Works like snprintf: writes at
 * most n bytes with the NUL and returns the length without it; SIZE_MAX if memory runs out, which is asked for only as
 * above. */
size_t pytree_filter_text(const pytree_filter *filter, char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_FILTER_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/filter.h"
#endif
