/* pytree/impl/function_plan.h: prepared functions: their memory, and what a function bound to structures is. */
#ifndef PYTREE_IMPL_FUNCTION_PLAN_H
#define PYTREE_IMPL_FUNCTION_PLAN_H

#include "internal.h"
#include "../function.h"
#include "flat.h"                         /* flats and the words of messages */
#include "match.h"

/* ---- Memory ----------------------------------------------------------------------------------------------------------
 *
 * All that is made while a function is prepared lies in chunks that are freed together. The plan is also an allocator, whose
 * memory comes from there, for tree functions called meanwhile; what they free comes back only if it was taken last.
 */
struct pytree__fn_chunk {
    struct pytree__fn_chunk *before;
    size_t room, used;
    bool borrowed;                        /* the caller's memory */
};

/* Memory that operations take during a run, for strings: kept until the next run. Each program has its own, so that the tasks
 * of an executor do not share any. */
struct pytree__fn_strings {
    struct pytree__fn_plan *plan;
    struct pytree__fn_chunk *chunks;
    uint64_t run;                         /* in which it was used last */
    struct pytree__fn_strings *before;    /* all of a plan */
};

struct pytree__fn_held {                  /* a plan, of a program, that must stay as long as this one */
    struct pytree__fn_plan *plan;
    struct pytree__fn_held *before;
};

struct pytree__fn_built {                 /* a tree to be freed with the plan */
    pytree tree;
    struct pytree__fn_built *before;
};

struct pytree__fn_plan {
    pytree_allocator arena;
    struct pytree__fn_chunk *chunks;
    char *last;                           /* what was taken last */
    struct pytree__fn_built *built;
    pytree_options tree;                  /* of calls while it is prepared: the user's with the arena for memory */
    pytree_options user;                  /* of callbacks */
    size_t align;                         /* of new arrays */
    const pytree_executor *executor;
    pytree_report_fn *report;
    void *report_context;
    pytree_error err;                     /* copied to the caller's at the end */
    bool shapes_only;                     /* nothing will run: no memory for data is needed */
    bool rebuilds;                        /* structs of the caller's are not used: others may come (pytree_jit) */
    struct pytree__fn_strings *strings;
    uint64_t run;                         /* number of the current run */
    /* Of programs, which refer to programs that they were made of. */
    bool holds;
    size_t users;
    struct pytree__fn_held *held;
    struct pytree__fn_plan *below;        /* of plans that end together */
};

/* ---- Bound functions -------------------------------------------------------------------------------------------------
 *
 * A function together with the structures, types and shapes of what it is called with, in the arena of its plan. Whoever makes
 * one (pytree__fn_child) fills in `in` and, if it knows the result, `def` and `out`; pytree__fn_bind finds out the rest or
 * fails. After that, a run (pytree__fn_run) needs the data of `in` and `out`, and nothing else.
 *
 * Structs: `arg` and `res` lead to those of the caller where `own_arg` and `own_res` have a view of one; otherwise a struct is
 * built at bind, and its slots say what is set from `in` and `out` before each call, and copied from it afterwards. Pointers to
 * arrays and to the caller's structs are slots, too, so a run is one loop over the slots and the call.
 */
struct pytree__fn_slot {
    void *at;                             /* the pointer or the value in a struct; an element of arg, res */
    const pytree_leaf *leaf;
    size_t bytes;                         /* of a value in place; 0: a pointer */
};

struct pytree__fn_slots {
    struct pytree__fn_slot *slot;
    size_t n;
};

struct pytree__fn_bound {
    const pytree_fn *fn;
    struct pytree__fn_plan *plan;
    size_t n_args, n_res, n_in, n_out;
    const pytree_def *const *defs;        /* of the arguments */
    const pytree_def *def;                /* of the result; NULL until it is known */
    const pytree_def *const *res_defs;    /* of its parts; from bind on */
    size_t *in_first, *out_first;
    pytree_leaf *in, *out;
    void **arg, **res;
    /* Views of structs of the caller's, NULL where there is none; may be NULL. own_res has n_own_res entries. */
    const pytree_leaf *const *own_arg, *const *own_res;
    size_t n_own_res;
    size_t in_place;                      /* number, from 1, of an argument that is part 0 of the result (0: none) */
    pytree_flat *trees;                   /* of the arguments, then the result: what at.args and at.result refer to */
    pytree_items all;
    struct pytree__fn_slots before, after;
    pytree_call at;
    pytree_error *err;                    /* the plan's; another one in each task of an executor */
    void *state;                          /* of the kind */
};

/* A kind of function that is no callback. `name` stands in messages. says: does f know its result without being given a tree to
 * write into? bind: check the arguments (b->in: types and shapes), find out or check the result (pytree__fn_result), and make
 * `state`. run: compute the data of b->out from that of b->in. */
struct pytree__fn_kind {
    const char *name;
    const pytree_fn *(*inner)(const pytree_fn *f);             /* for messages, "vmap of linear"; may be NULL */
    bool (*says)(const pytree_fn *f);
    pytree_status (*bind)(struct pytree__fn_bound *b);
    pytree_status (*run)(struct pytree__fn_bound *b);
    const char *(*called)(const pytree_fn *f);                 /* its name, if not that of pytree_fn; may be NULL */
};

/* What has failed while a function was bound, after a NULL: tasks of an executor and calls in programs have errors of their
 * own, but that memory has run out is told to the plan. */
static inline pytree_status pytree__fn_trouble(const struct pytree__fn_bound *b)
{
    return b->err->status != PYTREE_OK ? b->err->status : b->plan->err.status;
}

/* Takes n zeroed elements. Returns NULL with an error if there is no memory. */
static void *pytree__fn_take(struct pytree__fn_plan *plan, size_t n, size_t size);
/* Makes treedefs of the children of a treedef's root, in the arena; NULL with an error if there is no memory. *first, which may
 * be given, is [0 ... n]: where their leaves begin. */
static const pytree_def *const *pytree__fn_split(struct pytree__fn_plan *plan, const pytree_def *def, size_t **first);
static pytree_status pytree__fn_bind(struct pytree__fn_bound *b);
/* Says what b gives: a kind's bind calls it once. If the result is known already, that is compared: structure, types, shapes.
 * Otherwise b->def and b->out come from here. */
static pytree_status pytree__fn_result(struct pytree__fn_bound *b, const pytree_def *def, const pytree_leaf *out);
/* Compares what is expected with what came, and reports each difference. `part` (may be NULL) begins the message: "scan of
 * step: carry: expected ...". Leaves may be without data. */
static pytree_status pytree__fn_compare(const struct pytree__fn_bound *b, const char *part, const pytree_def *expected,
                                        const pytree_leaf *wanted, const pytree_def *got, const pytree_leaf *leaves);
/* Fails with a message that begins with the function's name; `def` (NULL: no place) and its node say where. */
static PYTREE__NOINLINE pytree_status pytree__fn_fail(const struct pytree__fn_bound *b, pytree_status status,
                                                      const pytree_def *def, size_t node, const char *format, ...);
/* The same with the place as a key path (NULL: none). */
static PYTREE__NOINLINE pytree_status pytree__fn_fail_at(const struct pytree__fn_bound *b, pytree_status status,
                                                         const char *path, const char *format, ...);
/* The node of leaf i, for pytree__fn_fail. */
static size_t pytree__fn_node_of(const pytree_def *def, size_t leaf);
/* Sets what the callback is given, and calls it; or runs the kind. */
static inline pytree_status pytree__fn_run(struct pytree__fn_bound *b);

#include "function_memory.h"
#endif
