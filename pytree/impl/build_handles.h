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

/* Go over the source as it was flattened, and clone the handles of each struct that has some. After a failure custom nodes that
 * were made are released; handles are with the block. */
static PYTREE__NOINLINE void pytree__clone_handles(struct pytree__builder *b)
{
    struct pytree__handles *to = b->handles;
    struct pytree__custom_cleanup *custom;
    pytree__cursor c;
    pytree__cursor_space stacks;
    const pytree_leaf *value;
    size_t node = 0;
    pytree__cursor_init(&c, &stacks, b->opt, b->err);
    c.status = pytree__cursor_root(&c, *b->source);
    while (c.status == PYTREE_OK && to != NULL) {
        const int at = pytree__cursor_next(&c, &value);
        if (at >= PYTREE__DONE) { break; }
        if (at == PYTREE__AT_NODE) { c.status = pytree__open(&c, value); continue; }
        if (at == PYTREE__AT_END) {
            const pytree__frame *const f = &c.frames[c.n_frames - 1];
            const bool found = to->node == node && f->type == to->type;
            if (found && f->form == PYTREE_FORM_STRUCT) { c.status = pytree__clone_handles_of(b, &c, to, f->self); }
            if (found) { to = to->next; }
            pytree__close(&c);
        }
        node++;
    }
    if (c.status == PYTREE_OK && to != NULL) { c.status = pytree__fail_unstable_callback(b->err); }
    pytree__cursor_end(&c);
    b->status = c.status;
    for (custom = b->custom_cleanups; b->status != PYTREE_OK && custom != NULL; custom = custom->before) {
        if (custom->type->custom->release != NULL) { custom->type->custom->release(custom->self); }
    }
}
#endif
