/* golden_algebra_shared.h: shared by test_golden_algebra.c and test_golden_algebra_trees.c. */
#ifndef GOLDEN_ALGEBRA_SHARED_H
#define GOLDEN_ALGEBRA_SHARED_H

#include "golden.h"
#include "pytree/algebra.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

static const char *const parts[] = { "jax", "optree", "optree_nil" };

/* Calls for each part of the answers that the case has. */
static inline void each_part(Golden *g, void (*check)(Golden *g, const char *part, const cJSON *answer,
                                                      const pytree_options *opt))
{
    size_t i;
    for (i = 0; i < COUNT_OF(parts); i++) {
        const cJSON *answer = golden_get(g->json, parts[i]);
        pytree_options opt = golden_options(parts[i]);
        if (answer != NULL) { check(g, parts[i], answer, &opt); }
    }
}

static inline bool is_jax(const char *part) { return strcmp(part, "jax") == 0; }

static inline pytree tree_of(Golden *g, const char *name) { return golden_tree(g, golden_at(g->json, name)); }

static inline pytree_def *def_of(Golden *g, const cJSON *json, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(golden_tree(g, json), opt, &error);
    golden_check_ok(g, "structure", &error);
    assert_non_null(def);
    return def;
}

/* Text of a treedef as the package of that part writes it; frees it. */
static inline const char *text_of(Golden *g, const char *part, pytree_def *def)
{
    const char *text = def == NULL ? "no treedef" : is_jax(part) ? golden_def_text(g, def) : golden_spec(g, def);
    pytree_def_free(def);
    return text;
}

/* "treedef" or "spec", and the counts, of what an operation made. */
static inline void check_def(Golden *g, const char *part, const cJSON *answer, pytree_def *def, const pytree_error *error)
{
    const char *name = is_jax(part) ? "treedef" : "spec";
    if (!golden_check_ok(g, golden_name(g, part, "status"), error)) { return; }
    if (golden_get(answer, "num_leaves") != NULL) {
        golden_check_count(g, golden_name(g, part, "num_leaves"), golden_at(answer, "num_leaves"), pytree_def_num_leaves(def));
        golden_check_count(g, golden_name(g, part, "num_nodes"), golden_at(answer, "num_nodes"), pytree_def_num_nodes(def));
    }
    golden_check_text(g, golden_name(g, part, name), golden_word(answer, name), text_of(g, part, def));
}

/* ---- The file ---------------------------------------------------------------------------------------------------------- */

#define OPERATION(name, part_check, decisions)                                                                          \
    static void check_##name(Golden *g) { each_part(g, part_check); }                                                   \
    static void name(void **state)                                                                                      \
    {                                                                                                                   \
        (void)state;                                                                                                    \
        golden_run("algebra", #name, check_##name, decisions);                                                          \
    }

#endif
