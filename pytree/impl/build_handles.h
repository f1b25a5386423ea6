/* pytree/impl/build_handles.h: clones of handles, which only their own functions can copy. */
#ifndef PYTREE_IMPL_BUILD_HANDLES_H
#define PYTREE_IMPL_BUILD_HANDLES_H

#include "internal.h"

/* Clone the handles of a struct. Each that is made is released with the tree. */
static PYTREE__APART_CLANG pytree_status pytree__clone_handles_of(struct pytree__builder *b, pytree__cursor *c,
                                                                  struct pytree__handles *to, const void *from)
{
    struct pytree__stb_cleanup *cleanup = (struct pytree__stb_cleanup *)(void *)(to + 1);
    unsigned i;
    for (i = 0; i < to->type->n_fields; i++) {
        const pytree_field *const row = &to->type->fields[i];
        pytree_status status;
        if (row->functions == NULL || row->functions->clone == NULL) { continue; }
        status = row->functions->clone(to->self, from);
        if (status != PYTREE_OK) {
            c->frames[c->n_frames - 1].next = 0;               /* the path is the struct's */
            return pytree__fail_at(c, status, "expected the clone of %s to succeed, got %s", row->name,
                                   pytree_status_name(status));
        }
        cleanup->field = to->self + row->offset;
        cleanup->row = row;
        cleanup->before = b->stb_cleanups;
        b->stb_cleanups = cleanup++;
    }
    return PYTREE_OK;
}

/* Clone the handles of the open node on top, all of whose children are done and which is number `node` of the source, if it is
 * the next struct of the clone that has some. */
static pytree_status pytree__clone_handles_at(struct pytree__builder *b, pytree__cursor *c, size_t node)
{
    struct pytree__handles *const to = b->handles;
    const pytree__frame *const f = &c->frames[c->n_frames - 1];
    if (to->node != node || f->type != to->type) { return PYTREE_OK; }
    b->handles = to->next;
    return f->form == PYTREE_FORM_STRUCT ? pytree__clone_handles_of(b, c, to, f->self) : PYTREE_OK;
}

/* Go over a source that is a tree as it was flattened, and clone the handles of each struct that has some. */
static pytree_status pytree__clone_handles_of_tree(struct pytree__builder *b)
{
    pytree__cursor c;
    pytree__cursor_space stacks;
    const pytree_leaf *value;
    size_t node = 0;
    pytree__cursor_init(&c, &stacks, b->opt, b->err);
    c.status = pytree__cursor_root(&c, b->source->t);
    while (c.status == PYTREE_OK && b->handles != NULL) {
        const int at = pytree__cursor_next(&c, &value);
        if (at >= PYTREE__DONE) { break; }
        if (at == PYTREE__AT_NODE) { c.status = pytree__open(&c, value); continue; }
        if (at == PYTREE__AT_END) {
            c.status = pytree__clone_handles_at(b, &c, node);
            pytree__close(&c);
        }
        node++;
    }
    pytree__cursor_end(&c);
    return c.status;
}

/* Clone the handles of each struct of the source that has some. After a failure custom nodes that were made are released;
 * handles are with the block. */
static PYTREE__NOINLINE void pytree__clone_handles(struct pytree__builder *b)
{
    struct pytree__custom_cleanup *custom;
    b->status = b->source->clone_handles(b);
    if (b->status == PYTREE_OK && b->handles != NULL) { b->status = pytree__fail_unstable_callback(b->err); }
    for (custom = b->custom_cleanups; b->status != PYTREE_OK && custom != NULL; custom = custom->before) {
        if (custom->type->custom->release != NULL) { custom->type->custom->release(custom->self); }
    }
}
#endif
