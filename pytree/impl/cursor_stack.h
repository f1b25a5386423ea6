/* pytree/impl/cursor_stack.h: the cursor's stacks of frames and views. */
#ifndef PYTREE_IMPL_CURSOR_STACK_H
#define PYTREE_IMPL_CURSOR_STACK_H

#include "internal.h"

static void pytree__cursor_init(pytree__cursor *c, const pytree_options *opt, pytree_error *err)
{
    c->frames = c->own_frames;
    c->views = c->own_views;
    c->n_frames = c->n_views = 0;
    c->max_frames = PYTREE__FRAMES;
    c->max_views = PYTREE__VIEWS;
    c->opt = opt;
    c->err = err;
    c->watch = NULL;
    c->making = c->begun = c->runs = false;
    c->plain = pytree__plain_walk(opt);
    c->none_is_leaf = opt != NULL && opt->none_is_leaf;
    c->status = PYTREE_OK;
    c->run = 0;
    c->scratch = NULL;
    c->max_scratch = 0;
}

static void pytree__cursor_end(pytree__cursor *c)
{
    const pytree_allocator *a = pytree__allocator(c->opt);
    if (c->frames != c->own_frames) { pytree__resize(a, c->frames, c->max_frames * sizeof *c->frames, 0); }
    if (c->views != c->own_views) { pytree__resize(a, c->views, c->max_views * sizeof *c->views, 0); }
    if (c->scratch != NULL) { pytree__resize(a, c->scratch, c->max_scratch, 0); }
    c->scratch = NULL;
    c->max_scratch = 0;
    c->frames = c->own_frames;
    c->views = c->own_views;
    c->max_frames = PYTREE__FRAMES;
    c->max_views = PYTREE__VIEWS;
}

/* Grows a stack that begins inside the cursor. */
static void *pytree__grow(pytree__cursor *c, void *stack, const void *own, size_t *max, size_t needed, size_t size)
{
    const pytree_allocator *a = pytree__allocator(c->opt);
    size_t count = needed > *max * 2 ? needed : *max * 2, bytes = pytree__times(count, size);
    void *grown =
        bytes == SIZE_MAX ? NULL : pytree__resize(a, stack == own ? NULL : stack, stack == own ? 0 : *max * size, bytes);
    if (grown == NULL) {
        pytree__no_memory(c->err, bytes);
        return NULL;
    }
    if (stack == own) { memcpy(grown, own, *max * size); }
    *max = count;
    return grown;
}

/* That many bytes until the next call. What a cursor has grown it keeps, so that a second run over the same trees needs no
 * memory: it cannot fail half-way. */
static void *pytree__scratch(pytree__cursor *c, size_t bytes)
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
static pytree_leaf *pytree__room(pytree__cursor *c, size_t n)
{
    if (PYTREE__UNLIKELY(n > c->max_views - c->n_views)) {
        pytree_leaf *grown = n > SIZE_MAX / 2 / sizeof *grown ? NULL
            : (pytree_leaf *)pytree__grow(c, c->views, c->own_views, &c->max_views, c->n_views + n, sizeof *c->views);
        if (grown == NULL) { pytree__no_memory(c->err, n); return NULL; }
        c->views = grown;
    }
    return c->views + c->n_views;
}

/* What pytree_allocate takes in place of a struct that is to be made and has no template. */
static void *pytree__zeros(void)
{
    static const union { char bytes[PYTREE__ZEROS]; long double l; void *p; long long i; } zeros = { { 0 } };
    return (void *)(uintptr_t)&zeros;
}
#endif
