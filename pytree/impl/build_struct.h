/* pytree/impl/build_struct.h: building structs from a treedef and its leaves. */
#ifndef PYTREE_IMPL_BUILD_STRUCT_H
#define PYTREE_IMPL_BUILD_STRUCT_H

#include "internal.h"

/* A struct that is seen deep, zeroed but for its static values, from the treedef's node n and the leaves from `given` on: which
 * the new tree refers to. What may be None and is not is a pointer to somewhere while it is seen, so that it has a view. False:
 * it is zeroed again, and comes one by one. */
PYTREE__INLINE bool pytree__make_planned(struct pytree__builder *m, const pytree_type *type, char *self, const pytree_node *n,
                                         const pytree_leaf *given)
{
    const pytree__layout_cache *const plans = &m->plans;
    const pytree__layout *const plan = n->type == type ? pytree__layout_of_node(&m->plans, n) : NULL;
    pytree_leaf *const views = m->cursor.views + m->cursor.n_views;
    const void *const somewhere = pytree_wanted;
    const pytree__static_span *part, *last;
    const pytree_node *first;
    const unsigned char *at = NULL;
    pytree__flatten_result seen;
    uint32_t i;
    if (PYTREE__UNLIKELY(plan == NULL || !plan->trivial_statics || (!m->agreed && !pytree__layout_matches_nodes(plans, plan, n)))) {
        return false;
    }
    for (i = 0; i < plan->n_nullables; i++) {
        if ((plan->null_mask >> i & 1) == 0) { memcpy(self + plans->nullables[plan->nullables + i].at, &somewhere, sizeof somewhere); }
    }
    first = n + 1 - plan->n_nodes;
    part = &plans->spans[plan->spans];
    last = part + plan->n_spans;
    for (; part != last; part++) {
        if (part->node != UINT32_MAX) { at = m->def->statics + first[part->node].meta; }
        pytree__copy_few(self + part->at, at, part->bytes);
        at += part->bytes;
    }
    seen = type->leaves(self, views, m->cursor.views + m->cursor.max_views, false);
    if (PYTREE__LIKELY((seen.flags & PYTREE__NOT_INLINABLE) == 0 && pytree__fit(views, seen.end, given))) {
        type->store_leaves(self, given);
        return true;
    }
    memset(self, 0, type->size);
    return false;
}

/* Children of the struct or list at hand: structs of leaves, pointers to leaves, None; until another one comes. True: that is a
 * struct, which was opened. */
static bool pytree__make_children(struct pytree__builder *m, size_t *next, size_t *leaf)
{
    struct pytree__build_frame *const top = &m->tasks[m->n_tasks - 1];
    const pytree_type *const of = top->type;
    const bool list = top->rows == 0;
    const pytree_node *n = &m->def->nodes[*next];
    const pytree_leaf *given = &m->leaves[*leaf];
    const pytree_field *field = of->fields + top->rows;
    const pytree_leaf *const own = m->cursor.views + top->views;
    const pytree_type *opened = NULL;
    char *self = NULL;
    size_t left = top->left;
    for (; left != 0; left--) {
        const pytree_type *const type = n[-1].type;
        const pytree_leaf *const first = given - n[-1].leaves;
        const pytree_field *row = field;
        if (list) {
            if (type != of) { break; }
            self = top->at + (left - 1) * top->step;
            memset(self, 0, type->size);
        } else {
            do { row--; } while (row->row != PYTREE_ROW_DATA);
            self = top->at + row->offset;
        }
        if (type == NULL) {
            if (row->form != PYTREE_FORM_LEAF || row->place != PYTREE_POINTER
                || !pytree__fit(&own[left - 1], &own[left], first)) { break; }
            memcpy(self, &first->data, sizeof first->data);
        } else if (type->kind != PYTREE_KIND_NONE) {
            const bool here = list || (row->type == type && row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE);
            if (!here || type->children == NULL || !type->trivial_statics) { break; }
            if (!type->self_contained || !pytree__make_planned(m, type, self, n - 1, first)) {
                pytree__unpack(m, type, self, m->def->statics + n[-1].meta);
                opened = type;
                field = row;
                left--;
                n--;
                break;
            }
        } else if (!row->optional || row->form == PYTREE_FORM_VIEW) {
            break;
        }
        given = first;
        field = row;
        n -= n[-1].nodes;
    }
    top->left = left;
    top->rows = (unsigned)(field - of->fields);
    *next = (size_t)(n - m->def->nodes);
    *leaf = (size_t)(given - m->leaves);
    if (opened == NULL) { return false; }
    pytree__make_open(m, opened, self);
    return true;
}

/* What a struct adds to the bound below; SIZE_MAX: only a run can tell. */
static size_t pytree__bound_of(const pytree_type *type)
{
    size_t bytes = pytree__round(type->size, 16);
    unsigned i;
    if (!type->trivial_statics) { return SIZE_MAX; }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->place == PYTREE_STB || row->form >= PYTREE_FORM_FLAT) { return SIZE_MAX; }
        if ((row->form == PYTREE_FORM_TUPLE || row->form == PYTREE_FORM_LIST) && row->type->kind != PYTREE_KIND_STRUCT) {
            return SIZE_MAX;
        }
        if (row->form == PYTREE_FORM_TUPLE || (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE)) {
            bytes -= row->size < bytes ? row->size / 16 * 16 : 0;              /* it comes again as a node of its own */
        }
    }
    return bytes + 16;
}

/* More bytes than a tree that refers to its leaves takes, in one pass over the treedef; SIZE_MAX: it must be measured. And are
 * there nothing but leaves, None, lists, tuples and dicts, as pytree__flatten_owned takes them? */
static size_t pytree__bound(struct pytree__builder *m, bool *only_containers)
{
    const pytree_def *const def = m->def;
    struct { const pytree_type *type; size_t bytes; } known[PYTREE__TYPE_SLOTS];
    const pytree_node *n;
    size_t structs = 0, containers = 0, values = 0, bytes;
    memset(known, 0, sizeof known);
    m->agreed = *only_containers = true;
    for (n = def->nodes + def->n_nodes; n != def->nodes; ) {
        const pytree_type *type = (--n)->type;
        if (type == NULL || type->kind == PYTREE_KIND_NONE) { continue; }
        if (type->kind == PYTREE_KIND_STRUCT) {
            const pytree__layout *plan = type->self_contained ? pytree__layout_of_node(&m->plans, n) : NULL;
            const size_t at = pytree__type_slot(type);
            *only_containers = false;
            if (plan != NULL && PYTREE__UNLIKELY(!pytree__layout_matches_nodes(&m->plans, plan, n))) {
                m->agreed = false;
                plan = NULL;
            }
            if (plan != NULL && plan->trivial_statics) {                 /* all lies in the struct itself */
                structs = pytree__plus(structs, type->size + 15);
                n -= n->nodes - 1;
                continue;
            }
            if (known[at].type != type) {
                known[at].type = type;
                known[at].bytes = pytree__bound_of(pytree__origin(type));
            }
            structs = pytree__plus(structs, known[at].bytes);
        } else if (pytree__traits(type)->form == PYTREE_FORM_ITEMS) {
            if (type->kind > PYTREE_KIND_DICT) { *only_containers = false; }
            containers++;
            values += n->arity;
        } else {
            m->agreed = false;
            return SIZE_MAX;
        }
        if (n->leaves == n->arity && n->nodes == n->arity + 1) { n -= n->arity; }          /* leaves: not to be looked at */
    }
    bytes = pytree__plus(structs, pytree__times(containers, sizeof(pytree_items) + 15));
    bytes = pytree__plus(bytes, pytree__times(values, PYTREE__PAIR_BYTES));
    /* each value may be an array, and so may the root */
    bytes = pytree__plus(bytes, pytree__times((values < def->n_leaves ? values : def->n_leaves) + 1,
                                              pytree__round(sizeof(pytree_leaf), 16)));
    if (containers != 0) { bytes = pytree__plus(bytes, def->n_statics + def->n_orders * sizeof *def->orders + 32); }
    return bytes;
}
#endif
