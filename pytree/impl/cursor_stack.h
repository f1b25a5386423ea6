/* pytree/impl/cursor_stack.h: the cursor's stacks of frames and views. */
#ifndef PYTREE_IMPL_CURSOR_STACK_H
#define PYTREE_IMPL_CURSOR_STACK_H

#include "internal.h"

/* Prepares a walk whose stacks begin in the arrays given. End it with pytree__cursor_end. */
static void pytree__cursor_begin(pytree__cursor *c, pytree__frame *frames, size_t n_frames, pytree_leaf *views, size_t n_views,
                                 const pytree_options *opt, pytree_error *err)
{
    c->frames = c->own_frames = frames;
    c->views = c->own_views = views;
    c->n_frames = c->n_views = 0;
    c->max_frames = n_frames;
    c->max_views = n_views;
    c->opt = opt;
    c->err = err;
    c->watch = NULL;
    c->making = c->begun = c->runs = c->met_flat = false;
    if (PYTREE__DEVICES) { c->met_device = false; }
    if (PYTREE__MORE_ROWS) { c->writes = false; }
    c->plain = pytree__plain_walk(opt);
    c->none_is_leaf = opt != NULL && opt->none_is_leaf;
    c->status = PYTREE_OK;
    c->of.run_left = 0;
    c->scratch = NULL;
    c->max_scratch = 0;
}

static PYTREE__APART void pytree__cursor_init(pytree__cursor *c, pytree__cursor_space *space, const pytree_options *opt,
                                              pytree_error *err)
{
    pytree__cursor_begin(c, space->frames, PYTREE__FRAMES, space->views, PYTREE__VIEWS, opt, err);
}

/* Gives back what the stacks have grown to. */
static void pytree__cursor_end(pytree__cursor *c)
{
    const pytree_allocator *a = pytree__allocator(c->opt);
    if (c->frames != c->own_frames) { pytree__array_free(c->frames, c->max_frames, sizeof *c->frames, a); }
    if (c->views != c->own_views) { pytree__array_free(c->views, c->max_views, sizeof *c->views, a); }
    if (c->scratch != NULL) { pytree__resize(a, c->scratch, c->max_scratch, 0); }
    if (PYTREE__MORE_ROWS && PYTREE__UNLIKELY(c->making == PYTREE__GIVING)) {
        pytree__given_free(c->of.given, a);
        c->of.given = NULL;
    }
    c->frames = c->own_frames;
    c->views = c->own_views;
    c->scratch = NULL;
    c->max_frames = c->max_views = c->max_scratch = 0;
}

/* That many bytes until the next call. What a cursor has grown it keeps, so that a second run over the same trees needs no
 * memory: it cannot fail half-way. */
static PYTREE__APART_CLANG void *pytree__scratch(pytree__cursor *c, size_t bytes)
{
    if (bytes > c->max_scratch) {
        const pytree_allocator *a = pytree__allocator(c->opt);
        if (bytes < 2 * c->max_scratch) { bytes = 2 * c->max_scratch; }
        if (c->scratch != NULL) { pytree__resize(a, c->scratch, c->max_scratch, 0); }
        c->max_scratch = 0;
        c->scratch = pytree__resize(a, NULL, 0, bytes);
        if (c->scratch == NULL) { pytree__no_memory(c->err, bytes); return NULL; }
        c->max_scratch = bytes;
    }
    return c->scratch;
}

/* Room for n more views; they are not counted yet. NULL if memory runs out. */
static PYTREE__APART_CLANG pytree_leaf *pytree__room(pytree__cursor *c, size_t n)
{
    if (PYTREE__UNLIKELY(n > c->max_views - c->n_views)) {
        const size_t need = pytree__plus(c->n_views, n);
        void *grown = NULL;
        if (need <= UINT32_MAX) {
            grown = pytree__stack_grow(c->views, c->own_views, &c->max_views, need, sizeof *c->views, pytree__allocator(c->opt),
                                       c->err);
        }
        if (grown == NULL) { pytree__no_memory(c->err, n); return NULL; }
        c->views = (pytree_leaf *)grown;
    }
    return c->views + c->n_views;
}

/* Return zeros that pytree_allocate takes as the template of a struct that has none. */
static void *pytree__zeros(void)
{
    static const union { char bytes[PYTREE__ZEROS]; long double l; void *p; long long i; } zeros = { { 0 } };
    return (void *)(uintptr_t)&zeros;
}
#endif
