/* pytree/impl/iterate_errors.h: messages on trees whose structure is not that of the first one. They are written piece by
 * piece: the stack of an iteration leaves no room for what printf takes. */
#ifndef PYTREE_IMPL_ITERATE_ERRORS_H
#define PYTREE_IMPL_ITERATE_ERRORS_H

#include "internal.h"

static PYTREE__APART pytree_status pytree__iter_fail(pytree_iter *it, pytree_status status)
{
    it->status = status;
    it->cursors[0].of.run_left = 0;
    return status;
}

/* Ends a message about tree k. */
static void pytree__end_in_tree(const pytree_iter *it, struct pytree__text_writer *to, size_t k)
{
    pytree__put_text(to, " in tree ");
    pytree__put_number(to, k);
    pytree__fail_end(&it->cursors[0], to);
}

/* Puts what a message calls a value, of the first of so many that still come: "float[3]", "Linear". */
static void pytree__put_unlike(struct pytree__text_writer *to, const pytree_leaf *value, bool shown, size_t values)
{
    struct pytree__text_writer part = pytree__part_of(to, values, PYTREE__MESSAGE_REST);
    if (shown) { pytree__put_leaf_type(&part, value); } else { pytree__put_text(&part, pytree__view_name(value)); }
    pytree__put_part(to, &part);
}

/* Sets the error for a value of tree k that differs from the first tree's. */
static PYTREE__NOINLINE pytree_status pytree__fail_structure(pytree_iter *it, size_t k, const pytree_leaf *expected,
                                                             const pytree_leaf *got)
{
    struct pytree__text_writer to;
    if (pytree__fail_begin(&it->cursors[0], PYTREE_STRUCTURE, &to)) {
        pytree__put_text(&to, "expected ");    /* below a leaf of the first tree there may be anything */
        pytree__put_unlike(&to, expected, expected->form == PYTREE_FORM_NONE, 2);
        pytree__put_text(&to, " as in the first tree, got ");
        pytree__put_unlike(&to, got, got->form == PYTREE_FORM_LEAF || got->form == PYTREE_FORM_NONE, 1);
        pytree__end_in_tree(it, &to, k);
    }
    return pytree__iter_fail(it, PYTREE_STRUCTURE);
}

static PYTREE__APART_CLANG pytree_status pytree__fail_statics(pytree_iter *it, size_t k)
{
    const pytree__cursor *c = &it->cursors[0];
    return pytree__iter_fail(it, pytree__fail_at(&it->cursors[0], PYTREE_STRUCTURE,
                                                 "expected %s with the static values of the first tree, got others in tree %zu",
                                                 c->frames[c->n_frames - 1].type->name, k));
}

/* Fails because a struct that tree 0 and tree k have just opened has another static value in tree k. */
static PYTREE__NOINLINE pytree_status pytree__fail_struct_statics(pytree_iter *it, size_t k)
{
    const pytree__cursor *const a = &it->cursors[0], *const b = &it->cursors[k];
    const pytree__frame *const f = &a->frames[a->n_frames - 1];
    struct pytree__static_side sides[2];
    struct pytree__text_writer to;
    if (pytree__fail_begin(a, PYTREE_STRUCTURE, &to)) {
        sides[0] = pytree__static_side_of(f);
        sides[1] = pytree__static_side_of(&b->frames[b->n_frames - 1]);
        pytree__put_text(&to, "expected ");
        pytree__put_sides(&to, f->type, sides, " as in the first tree, got ");
        pytree__end_in_tree(it, &to, k);
    }
    return pytree__iter_fail(it, PYTREE_STRUCTURE);
}

/* Fails because a deque that tree 0 and tree k have just opened holds at most another number of items in tree k. */
static PYTREE__NOINLINE pytree_status pytree__fail_maxlen(pytree_iter *it, size_t k, const size_t maxlen[2])
{
    struct pytree__text_writer to;
    size_t i;
    if (pytree__fail_begin(&it->cursors[0], PYTREE_STRUCTURE, &to)) {
        for (i = 0; i < 2; i++) {
            pytree__put_text(&to, i == 0 ? "expected deque with maxlen=" : " as in the first tree, got ");
            if (maxlen[i] == PYTREE_UNBOUNDED) { pytree__put_text(&to, "None"); } else { pytree__put_number(&to, maxlen[i]); }
        }
        pytree__end_in_tree(it, &to, k);
    }
    return pytree__iter_fail(it, PYTREE_STRUCTURE);
}

/* Writes a child's key as messages name it. */
static PYTREE__APART_CLANG void pytree__put_child(struct pytree__text_writer *to, const pytree_entry *entry)
{
    if (entry->kind == PYTREE_ATTRIBUTE || entry->kind == PYTREE_KEY || entry->kind == PYTREE_INT_KEY) {
        pytree__put_key(to, entry, entry->kind == PYTREE_INT_KEY ? 0 : strlen(entry->name));
    } else {
        pytree__put_entry(to, entry, NULL, true);
    }
}

/* Fails because a child has key y in tree k, and x in tree 0. */
static PYTREE__NOINLINE pytree_status pytree__fail_key(pytree_iter *it, size_t k, const pytree_entry *x, const pytree_entry *y)
{
    struct pytree__text_writer to, part;
    if (pytree__fail_begin(&it->cursors[0], PYTREE_STRUCTURE, &to)) {
        pytree__put_text(&to, "expected key ");
        part = pytree__part_of(&to, 2, PYTREE__MESSAGE_REST);
        pytree__put_child(&part, x);
        pytree__put_part(&to, &part);
        pytree__put_text(&to, " as in the first tree, got ");
        part = pytree__part_of(&to, 1, PYTREE__MESSAGE_REST);
        pytree__put_child(&part, y);
        pytree__put_part(&to, &part);
        pytree__end_in_tree(it, &to, k);
    }
    return pytree__iter_fail(it, PYTREE_STRUCTURE);
}
#endif
