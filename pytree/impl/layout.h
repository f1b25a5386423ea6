/* pytree/impl/layout.h: what all structs of a type have in common, found once a walk. */
#ifndef PYTREE_IMPL_LAYOUT_H
#define PYTREE_IMPL_LAYOUT_H

#include "internal.h"

static void pytree__layout_cache_init(pytree__layout_cache *p)
{
    size_t i;
    p->n_nodes = p->n_parts = p->n_options = 0;
    p->last = p->plans;
    for (i = 0; i < PYTREE__PLANS; i++) { p->plans[i].type = NULL; }
}

/* A struct's static values: bytes that follow one another are one part. There is one at least, which begins it. */
static bool pytree__layout_add_statics(pytree__layout_cache *p, pytree__layout *plan, const pytree_type *type, size_t offset,
                                       uint32_t node)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    pytree__static_span *part = &p->parts[p->n_parts];
    unsigned left = type->n_fields - type->n_children;         /* STATIC and DROP rows that still come */
    if (p->n_parts == PYTREE__PLAN_PARTS) { return false; }
    part->at = part->bytes = 0;
    part->row = NULL;
    part->node = node;
    for (; row != end && left != 0; row++) {
        const size_t at = offset + row->offset;
        const bool bytes = row->form == PYTREE__PACK_BYTES;
        left -= row->row != PYTREE_ROW_DATA;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (bytes) { plan->n_statics += row->size; } else { plan->plain = false; }
        if (bytes && part->row == NULL && part->bytes != 0 && part->at + part->bytes == at) {
            part->bytes += row->size;
            continue;
        }
        if (part->bytes != 0 || part->row != NULL) {
            part++;
            if (part == p->parts + PYTREE__PLAN_PARTS) { return false; }
            part->node = UINT32_MAX;
        }
        part->at = at;
        part->bytes = bytes ? row->size : 0;
        part->row = bytes ? NULL : row;
    }
    p->n_parts = (uint32_t)(part - p->parts) + 1;
    return true;
}

/* The rows of a struct that lies at `offset` of the one that is planned. False: it cannot be, or there is no room. */
static bool pytree__layout_add_rows(pytree__layout_cache *p, pytree__layout *plan, const pytree_type *type, size_t offset)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 };
    const uint32_t first = p->n_nodes;
    const size_t leaves = plan->n_leaves;
    const pytree_field *row;
    pytree_node *node;
    if (type->children == NULL || !type->self_contained) { return false; }
    for (row = type->fields; row != type->fields + type->n_fields; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
            if (!pytree__layout_add_rows(p, plan, row->type, offset + row->offset)) { return false; }
            continue;
        }
        if (p->n_nodes == PYTREE__PLAN_NODES) { return false; }
        if (row->optional != 0) {
            pytree__nullable *option = &p->options[p->n_options];
            if (p->n_options == PYTREE__PLAN_OPTIONS) { return false; }
            p->n_options++;
            option->at = offset + row->offset;
            option->node = p->n_nodes - plan->nodes;
            option->leads = row->place == PYTREE_POINTER && row->ndim == 0;
        } else if (row->place == PYTREE_POINTER && row->ndim == 0) {
            return false;
        }
        p->nodes[p->n_nodes++] = leaf;
        plan->n_leaves++;
    }
    if (p->n_nodes == PYTREE__PLAN_NODES || !pytree__layout_add_statics(p, plan, type, offset, p->n_nodes - plan->nodes)) {
        return false;
    }
    node = &p->nodes[p->n_nodes++];
    node->type = type;
    node->arity = type->n_children;
    node->leaves = (uint32_t)(plan->n_leaves - leaves);
    node->nodes = p->n_nodes - first;
    node->meta = 0;
    return true;
}

/* The plan of a type, which is in the place that is the type's own, in one of those behind it, or made now. */
static pytree__layout *pytree__layout_find(pytree__layout_cache *p, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    pytree__layout *plan = &p->plans[slot % PYTREE__PLANS];
    size_t i;
    bool empty;
    for (i = 1; plan->type != type && plan->type != NULL && i < PYTREE__PLANS; i++) {
        plan = &p->plans[(slot + i) % PYTREE__PLANS];
    }
    if (plan->type == type) { return plan; }
    if (plan->type != NULL) { pytree__layout_cache_init(p); }
    do {
        empty = p->n_nodes + p->n_parts + p->n_options == 0;
        plan->type = type;
        plan->nodes = p->n_nodes;
        plan->parts = p->n_parts;
        plan->options = p->n_options;
        plan->n_leaves = plan->n_statics = 0;
        plan->nones = 0;
        plan->plain = true;
        if (pytree__layout_add_rows(p, plan, type, 0)) {
            plan->n_nodes = p->n_nodes - plan->nodes;
            plan->n_parts = p->n_parts - plan->parts;
            plan->n_options = p->n_options - plan->options;
            return plan;
        }
        if (!empty) { pytree__layout_cache_init(p); }          /* perhaps there is room when the others are gone */
    } while (!empty);
    p->n_nodes = p->n_parts = p->n_options = 0;
    plan->n_nodes = 0;
    return plan;
}

/* Valid until the next one is asked for. */
PYTREE__INLINE pytree__layout *pytree__layout_of(pytree__layout_cache *p, const pytree_type *type)
{
    static const pytree__layout none = { NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, true };
    if (!PYTREE__LAYOUTS) { return (pytree__layout *)(uintptr_t)&none; }
    if (PYTREE__UNLIKELY(p->last->type != type)) { p->last = pytree__layout_find(p, type); }
    return p->last;
}

/* Which of a struct's options are NULL. False: one leads to a struct, so that this one cannot be seen deep. */
PYTREE__INLINE bool pytree__layout_view(const pytree__layout_cache *p, const pytree__layout *plan, const void *self,
                                        uint64_t *nones)
{
    const pytree__nullable *option = &p->options[plan->options], *const end = option + plan->n_options;
    uint64_t bit = 1, found = 0;
    const void *pointer;
    for (; option != end; option++, bit <<= 1) {
        memcpy(&pointer, (const char *)self + option->at, sizeof pointer);
        if (pointer == NULL) { found |= bit; }
        else if (PYTREE__UNLIKELY(option->leads)) { return false; }
    }
    *nones = found;
    return true;
}

/* The nodes as they are where those options are None. */
static void pytree__layout_specialize(pytree__layout_cache *p, pytree__layout *plan, uint64_t nones)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 }, none = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    const pytree__nullable *option = &p->options[plan->options];
    pytree_node *const nodes = &p->nodes[plan->nodes];
    uint32_t before[PYTREE__PLAN_NODES], n = 0, i;
    plan->nones = nones;
    for (i = 0; i < plan->n_options; i++, nones >>= 1) { nodes[option[i].node] = (nones & 1) != 0 ? none : leaf; }
    for (i = 0; i < plan->n_nodes; i++) {
        before[i] = n;
        if (nodes[i].type == NULL) { n++; }
        else if (nodes[i].type != &pytree_types[PYTREE__T_none]) { nodes[i].leaves = n - before[i + 1 - nodes[i].nodes]; }
    }
    plan->n_leaves = n;
}

/* The plan as it is for this struct. NULL: it cannot be seen deep. */
PYTREE__INLINE pytree__layout *pytree__layout_for(pytree__layout_cache *p, const pytree_type *type, const void *self,
                                                  bool none_is_leaf)
{
    pytree__layout *const plan = pytree__layout_of(p, type);
    uint64_t nones;
    if (PYTREE__UNLIKELY(plan->n_nodes == 0) || !pytree__layout_view(p, plan, self, &nones)) { return NULL; }
    if (nones != plan->nones && !none_is_leaf) { pytree__layout_specialize(p, plan, nones); }
    return plan;
}

/* Have n structs of the plan's type the same None and the same static values? */
PYTREE__INLINE bool pytree__layout_instances_equal(const pytree__layout_cache *p, const pytree__layout *plan, size_t n,
                                                   const pytree_leaf **structs)
{
    const pytree__nullable *option = &p->options[plan->options], *const options_end = option + plan->n_options;
    const pytree__static_span *part = &p->parts[plan->parts], *const parts_end = part + plan->n_parts;
    const char *const first = (const char *)structs[0]->data;
    uint64_t differ = 0;
    size_t k;
    for (; option != options_end; option++) {
        const void *a, *b;
        memcpy(&a, first + option->at, sizeof a);
        if (PYTREE__UNLIKELY(a != NULL && option->leads)) { return false; }
        for (k = 1; k < n; k++) {
            memcpy(&b, (const char *)structs[k]->data + option->at, sizeof b);
            differ |= (uint64_t)((a == NULL) != (b == NULL));
        }
    }
    for (; part != parts_end; part++) {
        const char *const mine = first + part->at;
        uint32_t a, b;
        if (PYTREE__UNLIKELY(part->row != NULL)) {
            for (k = 1; k < n && pytree__same_row(part->row, mine, (const char *)structs[k]->data + part->at); k++) {}
            if (k < n) { return false; }
        } else if (part->bytes == sizeof a) {
            memcpy(&a, mine, sizeof a);
            for (k = 1; k < n; k++) {
                memcpy(&b, (const char *)structs[k]->data + part->at, sizeof b);
                differ |= a ^ b;
            }
        } else {
            for (k = 1; k < n; k++) { differ |= pytree__differ(mine, (const char *)structs[k]->data + part->at, part->bytes); }
        }
    }
    return differ == 0;
}

/* Where the structs in a struct have as many leaves and nodes as the plan says, and an option is None or is not, all
 * else can only be leaves. */
PYTREE__INLINE bool pytree__same_counts(const pytree_node *a, const pytree_node *b)
{
    return a->type == b->type && memcmp(&a->leaves, &b->leaves, sizeof a->leaves + sizeof a->nodes) == 0;
}

PYTREE__INLINE bool pytree__layout_same_nulls(const pytree__layout_cache *p, const pytree__layout *plan,
                                              const pytree_node *theirs)
{
    const pytree__nullable *option = &p->options[plan->options], *const end = option + plan->n_options;
    const pytree_node *const mine = &p->nodes[plan->nodes];
    for (; option != end && PYTREE__LIKELY(mine[option->node].type == theirs[option->node].type); option++) {}
    return option == end;
}

/* Is that node of a treedef, with as many below it, the plan's? */
PYTREE__INLINE bool pytree__layout_matches_nodes(const pytree__layout_cache *p, const pytree__layout *plan,
                                                 const pytree_node *n)
{
    const pytree__static_span *part = &p->parts[plan->parts], *const end = part + plan->n_parts;
    const pytree_node *const mine = &p->nodes[plan->nodes], *const theirs = n + 1 - plan->n_nodes;
    for (; part != end; part++) {
        const uint32_t at = part->node;
        if (at != UINT32_MAX && PYTREE__UNLIKELY(!pytree__same_counts(&mine[at], &theirs[at]))) { return false; }
    }
    return pytree__layout_same_nulls(p, plan, theirs);
}

/* And has a struct the static values that stand there? */
PYTREE__INLINE bool pytree__layout_matches_instance(const pytree__layout_cache *p, const pytree__layout *plan, const char *self,
                                                    const pytree_def *def, const pytree_node *theirs)
{
    const pytree__static_span *part = &p->parts[plan->parts], *const end = part + plan->n_parts;
    const pytree_node *const mine = &p->nodes[plan->nodes];
    const unsigned char *at = NULL;
    uint64_t differ = 0;
    for (; part != end; part++) {
        if (part->node != UINT32_MAX) {
            if (PYTREE__UNLIKELY(!pytree__same_counts(&mine[part->node], &theirs[part->node]))) { return false; }
            at = def->statics + theirs[part->node].meta;
        }
        if (PYTREE__LIKELY(part->row == NULL)) {
            differ |= pytree__differ(self + part->at, at, part->bytes);
            at += part->bytes;
        } else {
            at = pytree__match_row(part->row, self + part->at, at);
            if (at == NULL) { return false; }
        }
    }
    return differ == 0 && pytree__layout_same_nulls(p, plan, theirs);
}

/* The plan as it is for a treedef's struct node, if that agrees. NULL: it is none that is seen deep. */
PYTREE__INLINE pytree__layout *pytree__layout_of_node(pytree__layout_cache *p, const pytree_node *n)
{
    pytree__layout *const plan = pytree__layout_of(p, n->type);
    const pytree__nullable *const option = &p->options[plan->options];
    const pytree_node *theirs;
    uint64_t nones = 0;
    uint32_t i;
    if (PYTREE__UNLIKELY(plan->n_nodes == 0 || plan->n_nodes != n->nodes)) { return NULL; }
    theirs = n + 1 - plan->n_nodes;
    for (i = 0; i < plan->n_options; i++) {
        nones |= (uint64_t)(theirs[option[i].node].type == &pytree_types[PYTREE__T_none]) << i;
        if (PYTREE__UNLIKELY(option[i].leads && (nones >> i) == 0)) { return NULL; }
    }
    if (PYTREE__UNLIKELY(nones != plan->nones)) { pytree__layout_specialize(p, plan, nones); }
    return plan;
}

/* A struct's nodes and static values, written behind those that are there. */
PYTREE__INLINE void pytree__layout_emit(const pytree__layout_cache *p, const pytree__layout *plan, const char *self,
                                        pytree_node *nodes,
                                        pytree__statics *to)
{
    const pytree__static_span *part = &p->parts[plan->parts], *const end = part + plan->n_parts;
    memcpy(nodes, &p->nodes[plan->nodes], plan->n_nodes * sizeof *nodes);
    for (; part != end; part++) {
        if (part->node != UINT32_MAX) { nodes[part->node].meta = (uint32_t)to->length; }
        if (PYTREE__LIKELY(part->row == NULL)) {
            if (part->bytes != 0) { pytree__copy_few(to->at + to->length, self + part->at, part->bytes); }
            to->length += part->bytes;
        } else {
            pytree__pack(to, part->row, self + part->at);
        }
    }
}

/* How many static bytes it has. */
PYTREE__INLINE size_t pytree__layout_bytes(const pytree__layout_cache *p, const pytree__layout *plan, const char *self)
{
    pytree__statics to = { NULL, 0, 0 };
    uint32_t i;
    if (PYTREE__LIKELY(plan->plain)) { return plan->n_statics; }
    for (i = plan->parts; i < plan->parts + plan->n_parts; i++) {
        if (p->parts[i].row != NULL) { pytree__pack(&to, p->parts[i].row, self + p->parts[i].at); }
    }
    return plan->n_statics + to.length;
}
#endif
