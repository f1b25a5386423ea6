/* pytree/impl/sundials_walk.h: the elements of vectors as stretches of memory, and walks over several vectors side by side. */
#ifndef PYTREE_IMPL_SUNDIALS_WALK_H
#define PYTREE_IMPL_SUNDIALS_WALK_H

#include "internal.h"
#include "../sundials.h"
#include <sundials/sundials_math.h>

/* `count` pieces of n elements side by side, each `stride` bytes behind the one before: an array, members of a struct, the same
 * members of the structs in a list. */
struct pytree__sun_run {
    char *at;
    size_t n, count, stride;
};

/* What a vector holds. */
struct pytree__sun_content {
    pytree tree;
    struct pytree__vector runs;           /* in the order of the leaves; none is empty */
    sunindextype length;
    size_t n_leaves;
    unsigned char *excluded;              /* for each leaf; NULL: none is */
    bool owned;                           /* a clone: the tree is the vector's */
    void *numbers;                        /* of a clone: what its pointers lead to; NULL: all lie in structs */
    pytree_options opt;
};

static struct pytree__sun_content *pytree__sun_content_of(N_Vector v) { return (struct pytree__sun_content *)v->content; }

/* Join the last run, one piece that is complete, to the run before, if it is as long and lies where the next piece of that is
 * due. */
static void pytree__sun_join(struct pytree__vector *runs)
{
    struct pytree__sun_run *const last = runs->count < 2 ? NULL : (struct pytree__sun_run *)runs->data + runs->count - 1;
    struct pytree__sun_run *const to = last == NULL ? NULL : last - 1;
    if (to == NULL || to->n != last->n || last->at <= to->at) { return; }
    if (to->count == 1) { to->stride = (size_t)(last->at - to->at); }
    if (last->at != to->at + to->count * to->stride) { return; }
    to->count++;
    runs->count--;
}

/* Add n elements: to the last piece if they lie right behind it, or else as a piece of their own. So a list of structs with two
 * pieces each is one run, too, if one struct's last piece and the first of the next one lie side by side. */
static bool pytree__sun_add(struct pytree__vector *runs, char *at, size_t n, pytree_error *err)
{
    struct pytree__sun_run *last = runs->count == 0 ? NULL : (struct pytree__sun_run *)runs->data + runs->count - 1;
    if (n == 0) { return true; }
    if (last != NULL && at == last->at + last->n * sizeof(sunrealtype)) {
        last->n += n;
        return true;
    }
    pytree__sun_join(runs);
    last = (struct pytree__sun_run *)pytree__vector_add(runs, 1, err);
    if (last == NULL) { return false; }
    last->at = at;
    last->n = n;
    last->count = 1;
    last->stride = 0;
    return true;
}

/* ---- Walk ---------------------------------------------------------------------------------------------------------- */

enum {
    PYTREE__SUN_GROUP = 4,                /* vectors that a fused operation takes at a time */
    PYTREE__SUN_MOST = 2 * PYTREE__SUN_GROUP + 1
};

/* Elements of k vectors that lie alike in each: `count` pieces of n. */
struct pytree__sun_block {
    size_t n, count, stride[PYTREE__SUN_MOST];
    char *at[PYTREE__SUN_MOST];
};

struct pytree__sun_place {
    const struct pytree__sun_run *run, *end;
    size_t piece, passed;                 /* pieces, and elements of the piece at hand, that the walk has passed */
};

/* A walk over several vectors. Those of one origin have the same runs, mostly, and the walk goes run by run; of others it takes
 * as much as lies side by side in each. */
struct pytree__sun_walk {
    struct pytree__sun_place of[PYTREE__SUN_MOST];
};

PYTREE__INLINE void pytree__sun_begin(struct pytree__sun_walk *w, size_t k, const N_Vector *vectors)
{
    size_t i;
    for (i = 0; i < k; i++) {
        const struct pytree__vector *const runs = &pytree__sun_content_of(vectors[i])->runs;
        w->of[i].run = (const struct pytree__sun_run *)runs->data;
        w->of[i].end = runs->count == 0 ? w->of[i].run : w->of[i].run + runs->count;
        w->of[i].piece = w->of[i].passed = 0;
    }
}

/* Take what lies side by side in each of the pieces at hand. */
static PYTREE__NOINLINE void pytree__sun_part(struct pytree__sun_walk *w, size_t k, struct pytree__sun_block *b)
{
    size_t i;
    b->count = 1;
    b->n = SIZE_MAX;
    for (i = 0; i < k; i++) {
        const size_t left = w->of[i].run->n - w->of[i].passed;
        b->n = left < b->n ? left : b->n;
    }
    for (i = 0; i < k; i++) {
        struct pytree__sun_place *const p = &w->of[i];
        b->at[i] = p->run->at + p->piece * p->run->stride + p->passed * sizeof(sunrealtype);
        b->stride[i] = 0;
        p->passed += b->n;
        if (p->passed < p->run->n) { continue; }
        p->passed = 0;
        p->piece++;
        if (p->piece < p->run->count) { continue; }
        p->piece = 0;
        p->run++;
    }
}

/* Get the next block of k vectors. Returns false at the end. */
PYTREE__INLINE bool pytree__sun_next(struct pytree__sun_walk *w, size_t k, struct pytree__sun_block *b)
{
    bool alike = true;
    size_t i;
    for (i = 0; i < k; i++) {
        const struct pytree__sun_place *const p = &w->of[i];
        if (p->run == p->end) { return false; }
        alike = alike && (p->piece | p->passed) == 0 && p->run->n == w->of[0].run->n && p->run->count == w->of[0].run->count;
    }
    if (!alike) { pytree__sun_part(w, k, b); return true; }
    b->n = w->of[0].run->n;
    b->count = w->of[0].run->count;
    for (i = 0; i < k; i++) {
        b->at[i] = w->of[i].run->at;
        b->stride[i] = w->of[i].run->stride;
        w->of[i].run++;
    }
    return true;
}

/* Get piece i of a block in vector k. */
static inline sunrealtype *pytree__sun_at(const struct pytree__sun_block *b, size_t k, size_t i)
{
    return (sunrealtype *)(void *)(b->at[k] + i * b->stride[k]);
}

#include "sundials_ops.h"
#endif
