/* pytree/impl/print.h: printing a tree, a line for each leaf. */
#ifndef PYTREE_IMPL_PRINT_H
#define PYTREE_IMPL_PRINT_H

#include "internal.h"

static pytree_status pytree__put_tree(struct pytree__text_writer *to, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    if (pytree_iter_begin(&it, 1, &t, opt, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const pytree_leaf *leaf = it.leaf[0];
            char kind[300];
            size_t begin = to->length;
            pytree__cursor_text(&it.cursors[0], to);
            if (to->length != begin) { pytree__text_put(to, "  ", 2); }
            if (PYTREE__DEVICES && leaf->form == PYTREE_FORM_DEVICE && opt != NULL && opt->print_values != 0) {
                it.status = pytree__fail_device(&it.cursors[0], leaf);
                break;
            }
            if (leaf->form == PYTREE_FORM_LEAF || leaf->form == PYTREE_FORM_NONE
                || (PYTREE__DEVICES && leaf->form == PYTREE_FORM_DEVICE)) {
                pytree__leaf_text(kind, sizeof kind, leaf);
            } else {
                snprintf(kind, sizeof kind, "<%.200s>", pytree__view_name(leaf));
            }
            pytree__put_text(to, kind);
            if (leaf->form == PYTREE_FORM_LEAF && leaf->data != NULL) {       /* not a shape */
                const bool text = leaf->type->dtype == PYTREE_TEXT && leaf->ndim != 0;
                const size_t step = text ? leaf->shape[leaf->ndim - 1] : 1;
                const size_t all = step == 0 ? 0 : pytree_leaf_count(leaf) / step;
                const size_t most = leaf->ndim == (text ? 1 : 0) ? 1 : opt == NULL ? 0 : opt->print_values;
                size_t i;
                for (i = 0; i < all && i < most; i++) {
                    pytree__text_put(to, " ", 1);
                    pytree__put_value(to, leaf, i * step);
                }
                if (i < all && most != 0) { pytree__put_text(to, " ..."); }
            }
            pytree__text_put(to, "\n", 1);
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

pytree_status pytree_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    size_t n;
    pytree_status status = pytree__count_leaves(t, NULL, 0, &n, opt, err);
    if (PYTREE__DEVICES && status == PYTREE_OK && opt != NULL && opt->print_values != 0) {
        struct pytree__text_writer nowhere = pytree__text_to(NULL, 0, NULL);
        status = pytree__put_tree(&nowhere, t, opt, err);      /* values may lie on a device */
    }
    if (status != PYTREE_OK) { return status; }                 /* and nothing is written */
    status = pytree__put_tree(&to, t, opt, err);
    return status == PYTREE_OK ? pytree__written(file, err) : status;
}
#endif
