/* pytree/impl/given.h: static values that a struct gives to those in it (WITH). */
#ifndef PYTREE_IMPL_GIVEN_H
#define PYTREE_IMPL_GIVEN_H

#include "internal.h"

/* A copy of structs that lacked static values, in a list. They lie behind this header. */
struct pytree__given {
    struct pytree__given *before;
    size_t bytes;
};

static PYTREE__NOINLINE void pytree__given_free(struct pytree__given *last, const pytree_allocator *a)
{
    while (last != NULL) {
        struct pytree__given *const before = last->before;
        pytree__resize(a, last, last->bytes, 0);
        last = before;
    }
}

/* Compares the structs of a view with what their row gives them, or `fill`s in what is zero. Returns the name of a member that
 * is another; NULL if there is none. */
static PYTREE__APART_CLANG const char *pytree__other_given(const pytree_field *row, const void *self, const pytree_leaf *view,
                                                           bool fill)
{
    const size_t n = view->form == PYTREE_FORM_STRUCT ? 1
        : view->form == PYTREE_FORM_LIST || view->form == PYTREE_FORM_TUPLE ? view->shape[0] : 0;
    const char *name = NULL;
    size_t i;
    for (i = 0; i < n && name == NULL && view->data != NULL; i++) {
        name = row->functions->with(self, (char *)view->data + i * row->type->size, fill);
    }
    return name;
}

/* Copies the structs that a view shows, or makes zeros, and shows the copies: pytree_allocate changes nothing of the caller's
 * until all is made. Returns false if there is no memory. A count that is wrong is left for the check of the view. */
static PYTREE__APART_CLANG bool pytree__copy_given(pytree__cursor *c, const pytree_field *row, pytree_leaf *view)
{
    const size_t count = view->form == PYTREE_FORM_NONE ? 0 : view->form == PYTREE_FORM_STRUCT ? 1 : view->shape[0];
    const size_t size = pytree__times(count, row->type->size), bytes = pytree__plus(size, sizeof(struct pytree__given));
    struct pytree__given *made;
    if (size == 0 || bytes > PTRDIFF_MAX) { return true; }
    made = (struct pytree__given *)pytree__resize(pytree__allocator(c->opt), NULL, 0, bytes);
    if (made == NULL) { pytree__no_memory(c->err, bytes); return false; }
    made->before = c->of.given;
    made->bytes = bytes;
    c->of.given = made;
    if (view->data == NULL || view->data == PYTREE_WANTED) { memset(made + 1, 0, size); }
    else { memcpy(made + 1, view->data, size); }
    view->data = made + 1;
    return true;
}

/* Compares the static values of the structs below the open one on top with those that it gives them; in pytree_allocate, gives
 * them. */
static pytree_status pytree__give(pytree__cursor *c, pytree__frame *f)
{
    const pytree_type *const type = f->type;
    const bool giving = c->making == PYTREE__GIVING;
    pytree_status status = PYTREE_OK;
    size_t k = 0;
    unsigned i;
    for (i = 0; i < type->n_fields && status == PYTREE_OK; i++) {
        const pytree_field *const row = &type->fields[i];
        pytree_leaf *const view = &c->views[f->views + k];
        const char *name;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        k++;
        if (row->functions == NULL || row->functions->with == NULL) { continue; }
        if (giving && !pytree__copy_given(c, row, view)) { return PYTREE_NO_MEMORY; }
        name = pytree__other_given(row, f->self, view, giving);
        if (name == NULL) { continue; }
        f->next = k;
        status = pytree__fail_at(c, PYTREE_VALUE, "expected %s of each %s as WITH gives it, got another value", name,
                                 row->type->name);
        f->next = 0;
    }
    return status;
}
#endif
