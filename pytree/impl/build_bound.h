/* pytree/impl/build_bound.h: building trees: how large the block must be, before anything is placed. */
#ifndef PYTREE_IMPL_BUILD_BOUND_H
#define PYTREE_IMPL_BUILD_BOUND_H

#include "internal.h"

/* Measure what all struct nodes of a type need. */
struct pytree__type_bound {
    const pytree_type *type;
    size_t head;                          /* the struct itself, and fixed costs of its rows */
    size_t arrays, inlined_arrays;        /* bytes that its arrays in place would take in the tail; those inlined too */
    bool sized;                           /* rows whose cost depends on the number of children */
    size_t nodes;                         /* of those structs that are counted at once; 0: none was */
};

/* Round the arrays that lie in a struct as the tail rounds them: leaves that were measured for it and need no place there. */
static size_t pytree__arrays_in_place(const struct pytree__builder *b, const pytree_type *type, bool inlined)
{
    size_t bytes = 0;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA || row->place != PYTREE_IN_PLACE) { continue; }
        if (row->form == PYTREE_FORM_LEAF && !pytree__in_head(b, row->type, row->ndim)) {
            bytes += pytree__align(row->size, b->align);
        }
        if (row->form == PYTREE_FORM_STRUCT && inlined) { bytes += pytree__arrays_in_place(b, row->type, true); }
    }
    return bytes;
}

static PYTREE__APART void pytree__bound_type(struct pytree__builder *b, struct pytree__type_bound *to, const pytree_type *of)
{
    const pytree_type *const type = pytree__origin(of);
    const size_t piece = 16 + b->prefix;
    unsigned i;
    to->type = of;
    to->head = pytree__plus(type->size, piece);
    to->arrays = to->inlined_arrays = 0;
    if (b->prefix != 0) {
        to->arrays = pytree__arrays_in_place(b, type, false);
        to->inlined_arrays = pytree__contained(type) ? pytree__arrays_in_place(b, type, true) : 0;
    }
    to->sized = false;
    to->nodes = 0;
    for (i = 0; i < type->n_fields && !pytree__contained(type); i++) {
        const pytree_field *row = &type->fields[i];
        if (PYTREE__MORE_ROWS && b->mode == PYTREE__COPY && row->functions != NULL && row->functions->clone != NULL) {
            b->has_handles = true;
            to->head += sizeof(struct pytree__handles) + sizeof(struct pytree__stb_cleanup) + piece;
        }
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (PYTREE__CONTAINERS && row->place == PYTREE_STB) { to->head += sizeof(struct pytree__stb_cleanup) + 2 * piece; }
        if (row->form == PYTREE_FORM_REF) { to->head += sizeof(pytree_leaf) + piece; }
        if (PYTREE__MORE_ROWS && row->functions != NULL && row->functions->select != NULL) { to->sized = true; }
        if (PYTREE__MORE_ROWS && row->type->kind == PYTREE_KIND_ROW) { to->sized = true; }
        if (row->place == PYTREE_STB || (row->form == PYTREE_FORM_LIST && row->place == PYTREE_POINTER)) {
            to->head += piece;
            to->sized = true;
        }
    }
}

/* Bound what a union takes whose active member is node n: a list, perhaps. */
static PYTREE__APART_CLANG size_t pytree__bound_union(const pytree_field *row, const pytree_node *n)
{
    const pytree_field *at;
    size_t step = 0;
    for (at = row->functions->cases; at->name != NULL; at++) {
        if (at->place == PYTREE_POINTER && at->form == PYTREE_FORM_LIST && at->type->size > step) { step = at->type->size; }
    }
    return step == 0 || n->type == NULL ? 0 : pytree__times(n->arity, step);
}

/* Bound what list n takes whose elements are pointers or arrays: its own memory, and the lists that they lead to. */
static PYTREE__APART_CLANG size_t pytree__bound_elements(const pytree_field *row, const pytree_node *n)
{
    const pytree_field *const each = row->type->fields;
    size_t bytes = row->place == PYTREE_IN_PLACE ? 0 : pytree__times(n->arity, row->type->size);
    const pytree_node *element = n - 1;
    uint32_t i;
    if (each->place != PYTREE_POINTER || each->form != PYTREE_FORM_LIST) { return bytes; }
    for (i = 0; i < n->arity; i++, element -= element->nodes) {
        bytes = pytree__plus(bytes, pytree__plus(32, pytree__times(element->arity, each->type->size)));
    }
    return bytes;
}

/* Add what lists of a struct node take for elements that are no nodes of their own, and the keys of its stb_ds containers. */
static PYTREE__APART size_t pytree__bound_lists(const pytree_def *def, size_t node, const pytree_type *type)
{
    const pytree_field *row = type->fields + type->n_fields;
    size_t bytes = 0, left = type->n_children;
    for (; left != 0; left--) {
        const pytree_node *const n = &def->nodes[--node];
        do { row--; } while (row->row != PYTREE_ROW_DATA);
        if (PYTREE__MORE_ROWS && row->functions != NULL && row->functions->select != NULL) {
            bytes = pytree__plus(bytes, pytree__bound_union(row, n));
        } else if (PYTREE__MORE_ROWS && row->type->kind == PYTREE_KIND_ROW) {
            bytes = pytree__plus(bytes, pytree__bound_elements(row, n));
        } else if (PYTREE__CONTAINERS && row->place == PYTREE_STB) {
            bytes = pytree__plus(bytes, pytree__times(n->arity, sizeof(char *)));
        } else if (row->place == PYTREE_POINTER && row->form == PYTREE_FORM_LIST) {
            const size_t step = row->type->size;
            if (n->leaves == n->arity && n->nodes == n->arity + 1) {
                bytes = pytree__plus(bytes, pytree__times(n->arity, step));
            } else {
                const pytree_node *element = n - 1;
                uint32_t i;
                for (i = 0; i < n->arity; i++, element -= element->nodes) {
                    const pytree_type *const of = element->type;
                    const bool counted = of != NULL && of->size >= step && row->type->kind != PYTREE_KIND_REF
                        && (of->kind == PYTREE_KIND_STRUCT || of->kind == PYTREE_KIND_CUSTOM);
                    if (!counted) { bytes = pytree__plus(bytes, step); }
                }
            }
        }
        node -= n->nodes - 1;
    }
    return bytes;
}

/* Find what struct node `node` needs in the head. */
static size_t pytree__bound_struct(const struct pytree__builder *b, const struct pytree__type_bound *of, size_t node)
{
    const pytree_type *const type = pytree__origin(of->type);
    size_t bytes = of->head;
    if (of->sized) { bytes = pytree__plus(bytes, pytree__bound_lists(b->def, node, type)); }
    if (!type->trivial_statics) {
        const size_t strings = type->size / sizeof(char *);    /* at most */
        bytes = pytree__plus(bytes, pytree__plus(pytree__statics_size(b->def, node), strings * (16 + b->prefix)));
    }
    return bytes;
}

/* Count a struct node. Returns how many nodes are done with: all of an inlined struct, or only its own. */
static PYTREE__APART_CLANG size_t pytree__bound_struct_node(struct pytree__builder *b, struct pytree__type_bound *of,
                                                            const pytree_node *n)
{
    const pytree_type *const type = n->type;
    const pytree__layout *layout =
        b->measured ? pytree__build_layout(b, type, n) : pytree__counted_layout(b, type, n);
    if (of->type != type) { pytree__bound_type(b, of, type); }
    if (layout != NULL) {                 /* all lies in the struct itself */
        b->head_bytes = pytree__plus(b->head_bytes, of->head);
        b->tail_bytes -= of->inlined_arrays;
        if (!b->measured) { of->nodes = n->nodes; }
        return n->nodes;
    }
    b->head_bytes = pytree__plus(b->head_bytes, pytree__bound_struct(b, of, (size_t)(n - b->def->nodes)));
    b->tail_bytes -= of->arrays;
    return 1;
}

/* Add an upper bound of what the nodes need to the head, in one pass over the treedef, and take arrays that lie in structs from
 * the tail. Sets only_containers if there is nothing but leaves, None, lists, tuples and dicts, as pytree__flatten_owned takes
 * them. */
static PYTREE__NOINLINE void pytree__bound_head(struct pytree__builder *b)
{
    const pytree_def *const def = b->def;
    struct pytree__type_bound known[PYTREE__TYPE_SLOTS], *of;
    const size_t piece = 16 + b->prefix;
    const pytree_node *n;
    size_t head = 0, views = b->n_arrays, containers = 0, items = 0, pairs = 0, values;      /* no more than there are nodes */
    size_t leaf = def->n_leaves;
    bool keyed = false, apart = false;
    pytree__clear(known, sizeof known);
    b->only_containers = true;
    for (n = def->nodes + def->n_nodes; n != def->nodes; ) {
        const pytree_type *const type = n[-1].type;
        size_t done = 1;
        if (type == NULL || type->kind == PYTREE_KIND_NONE) { leaf -= n[-1].leaves; n--; continue; }
        if (type->kind == PYTREE_KIND_STRUCT) {
            of = &known[pytree__type_slot(type)];
            apart = true;
            if (PYTREE__LAYOUTS && type == of->type && n[-1].nodes == of->nodes) {     /* like one that was counted at once */
                head = pytree__plus(head, of->head);
                leaf -= n[-1].leaves;
                n -= of->nodes;
                continue;
            }
            b->only_containers = false;
            if (PYTREE__UNLIKELY(pytree__is_flexible(type)) && pytree__build_validate_leaves(b)) {
                head = pytree__plus(head, pytree__build_bytes_of(b, (size_t)(n - 1 - def->nodes), leaf));
            }
            done = pytree__bound_struct_node(b, of, n - 1);
        } else if (PYTREE__CONTAINERS && type->kind == PYTREE_KIND_CUSTOM) {
            b->only_containers = false;
            apart = true;
            items += n[-1].arity;
            keyed = keyed || pytree__origin(type)->custom->make != NULL;
            head = pytree__plus(head, type->size + sizeof(struct pytree__custom_cleanup) + 3 * piece);
        } else {
            b->only_containers = b->only_containers && type->kind <= PYTREE_KIND_DICT;
            containers++;
            if (PYTREE__CONTAINERS && pytree__keyed(type)) { keyed = true; pairs += n[-1].arity; }
            else { items += n[-1].arity; }
        }
        if (n[-1].leaves == n[-1].arity && n[-1].nodes == n[-1].arity + 1) { done = n[-1].nodes; }       /* only leaves below */
        if (done != 1) { leaf -= n[-1].leaves; }
        n -= done;
    }
    values = items + pairs;
    if (views > values + 1) { views = values + 1; }            /* each value, and the root, may be an array */
    head = pytree__plus(head, pytree__times(containers, sizeof(pytree_items) + piece));
    head = pytree__plus(head, pytree__plus(pytree__times(items, sizeof(pytree)), pytree__times(pairs, PYTREE__PAIR_BYTES)));
    head = pytree__plus(head, pytree__times(views, sizeof(pytree_leaf) + piece));
    /* a number that a struct leads to has a piece of its own */
    head = pytree__plus(head, apart ? pytree__times(b->n_cells, 8 + piece) : 8 * b->n_cells + 16);
    if (PYTREE__CONTAINERS && keyed) {
        head = pytree__plus(head, def->n_statics + def->n_orders * sizeof *def->orders + 2 * piece);
    }
    b->head_bytes = pytree__plus(b->head_bytes, head);
}

/* Measure leaves that the block will own: arrays in the tail; scalars and strings in the head. Counts the arrays, too, and the
 * numbers that may share pieces. The leaves are of a walk in which nothing else counts as one: all have elements. */
static PYTREE__APART void pytree__measure_leaves(struct pytree__builder *b)
{
    const size_t piece = 16 + b->prefix;
    size_t i, k;
    for (i = 0; i < b->def->n_leaves; i++) {
        const pytree_leaf *leaf = &b->leaves[i];
        size_t bytes;
        if (PYTREE__DEVICES && PYTREE__UNLIKELY(leaf->form != PYTREE_FORM_LEAF)) { pytree__measure_device_leaf(b, i); }
        bytes = pytree_leaf_bytes(leaf);
        if (pytree__in_cell(leaf)) {
            b->n_cells++;
        } else if (pytree__in_head(b, leaf->type, leaf->ndim)) {
            b->head_bytes = pytree__plus(b->head_bytes, bytes + piece);
        } else {
            b->tail_bytes = pytree__plus(b->tail_bytes, pytree__align(bytes, b->align));
            b->n_arrays++;
        }
        if (leaf->type->dtype != PYTREE_STRING || leaf->data == NULL || b->mode == PYTREE__ALLOCATE) { continue; }
        for (k = 0; k < bytes / sizeof(char *); k++) {
            const char *s;
            memcpy(&s, (const char *)leaf->data + k * sizeof s, sizeof s);
            if (s != NULL) { b->head_bytes = pytree__plus(b->head_bytes, strlen(s) + 1 + piece); }
        }
    }
}
#endif
