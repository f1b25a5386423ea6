/* pytree/impl/pattern.h: patterns: what a struct has in common with the one before it in a list. Where both have the same
 * static values, and None in the same places, their leaves have the same types and extents, and only addresses differ. */
#ifndef PYTREE_IMPL_PATTERN_H
#define PYTREE_IMPL_PATTERN_H

#include "internal.h"

/* ---- Make a pattern ---------------------------------------------------------------------------------------------------- */

enum {
    PYTREE__PATTERN_LEAST = 4,            /* structs that follow where it pays to make a pattern */
    PYTREE__PATTERN_TRIALS = 2            /* structs that are unlike the one before them until no more are compared */
};

static void pytree__pattern_init(struct pytree__pattern *p)
{
    p->type = NULL;
    p->trials = PYTREE__PATTERN_TRIALS;
    p->left = 0;
    p->n_stretches = p->next_stretch = 0;
    p->more_stretches = false;
}

/* List the bytes of a span: words and halves, the last of which may overlap the one before it, or single bytes. Return false if
 * there is no room. */
static bool pytree__pattern_add_span(struct pytree__pattern *p, size_t at, size_t n)
{
    const size_t step = n >= 8 ? 8 : n >= 4 ? 4 : 1;
    uint32_t *const places = step == 8 ? p->words : step == 4 ? p->halves : p->bytes;
    uint32_t *const count = step == 8 ? &p->n_words : step == 4 ? &p->n_halves : &p->n_bytes;
    size_t i;
    for (i = 0; i < n; i += step) {
        if (*count == PYTREE__PATTERN_PLACES) { return false; }
        places[(*count)++] = (uint32_t)(at + (i + step <= n ? i : n - step));
    }
    return true;
}

/* List the leaves of structs in which these nullable pointers are NULL. Return false if there is no room. */
static PYTREE__APART_CLANG bool pytree__pattern_add_leaves(struct pytree__pattern *p, const pytree__layout *layout,
                                                           uint64_t null_mask)
{
    struct pytree__leaf_slot slots[PYTREE__PATTERN_LEAVES];
    const struct pytree__leaf_slot *const end = pytree__leaf_slots_for(layout, null_mask, slots,
                                                                       slots + PYTREE__PATTERN_LEAVES);
    uint32_t i, in_place;
    if (end == NULL) { return false; }
    p->n_pointers = 0;
    p->n_leaves = in_place = (uint32_t)(end - slots);
    for (i = 0; i < p->n_leaves; i++) {
        struct pytree__pattern_leaf *const leaf = &p->leaves[slots[i].bytes == 0 ? p->n_pointers++ : --in_place];
        leaf->at = slots[i].at;
        leaf->view = i * (uint32_t)sizeof(pytree_leaf);
        leaf->bytes = slots[i].bytes;
    }
    return true;
}

/* Make the pattern of structs that have None where this one has it, which is a run. Return false if there is none. */
static bool pytree__pattern_make(struct pytree__pattern *p, const pytree__layout *layout, const char *self)
{
    struct pytree__static_types known = { { NULL, NULL, NULL, NULL }, 0 };
    uint64_t null_mask = 0;
    uint32_t i;
    p->n_words = p->n_halves = p->n_bytes = p->n_nulls = p->n_sets = 0;
    if (!layout->trivial_statics) { return false; }
    if (layout->slots != NULL ? !layout->static_views : !pytree__views_are_static(layout->type, &known)) { return false; }
    for (i = 0; i < layout->n_spans; i++) {
        const pytree__static_span *const span = &layout->spans[i];
        if (!pytree__pattern_add_span(p, span->at, span->bytes)) { return false; }
    }
    for (i = 0; i < layout->n_nullables; i++) {
        const pytree__nullable *const nullable = &layout->nullables[i];
        const void *pointer;              /* NULL where it would lead to a struct, which were no run */
        memcpy(&pointer, self + nullable->at, sizeof pointer);
        if (i == PYTREE__PATTERN_PLACES) { return false; }
        if (pointer == NULL) { null_mask |= (uint64_t)1 << i; p->nulls[p->n_nulls++] = nullable->at; }
        else { p->sets[p->n_sets++] = nullable->at; }
    }
    return pytree__pattern_add_leaves(p, layout, null_mask);
}

/* Tell whether a struct has None where the pattern has it. */
static bool pytree__pattern_suits(const struct pytree__pattern *p, const char *self)
{
    uint32_t i;
    const void *pointer;
    for (i = 0; i < p->n_nulls; i++) {
        memcpy(&pointer, self + p->nulls[i], sizeof pointer);
        if (pointer != NULL) { return false; }
    }
    for (i = 0; i < p->n_sets; i++) {
        memcpy(&pointer, self + p->sets[i], sizeof pointer);
        if (pointer == NULL) { return false; }
    }
    return true;
}

/* Tell whether it may pay to learn from a struct that `left` more follow in a list. */
PYTREE__INLINE bool pytree__pattern_pays(const struct pytree__pattern *p, const pytree_type *type, size_t left)
{
    return (left >= PYTREE__PATTERN_LEAST || (left != 0 && p->type == type)) && p->trials != 0;
}

/* Learn from structs that were looked at row by row, one in each of n trees: they are sound and have the same static values and
 * None. `left` more follow in their lists. Return whether those can be compared with them. A pattern is made where the first of
 * those has the same static values. */
static PYTREE__NOINLINE bool pytree__pattern_learn(struct pytree__pattern *p, const pytree__layout *layout,
                                                   const char *const *self, size_t n, size_t left)
{
    uint64_t null_mask;
    size_t k;
    if (p->type != layout->type || (p->holds && !pytree__pattern_suits(p, self[0]))) {
        const char *const both[4] = { self[0], self[0] + layout->type->size, NULL, NULL };
        if (left < PYTREE__PATTERN_LEAST || layout->n_nodes == 0) { return false; }
        if (!pytree__layout_view(layout, self[0], &null_mask)) { return false; }        /* goes on: follow.h */
        if (!pytree__layout_few_equal(layout, both, true)) { p->trials--; return false; }
        p->type = layout->type;
        p->holds = pytree__pattern_make(p, layout, self[0]);
    }
    for (k = 0; p->holds && k < n; k++) {
        if (!pytree__pattern_suits(p, self[k])) { return false; }
    }
    return p->holds;
}

/* ---- What the first pass over the trees finds, for the second one -------------------------------------------------------- */

/* Note that n structs which follow `self` are like it. Those that have no leaves are passed over anyway. */
static void pytree__pattern_note(struct pytree__pattern *p, const char *self, size_t n)
{
    struct pytree__stretch *const stretch = &p->stretches[p->n_stretches];
    if (n == 0 || p->n_leaves == 0) { return; }
    if (p->n_stretches == PYTREE__STRETCHES) { p->more_stretches = true; return; }
    p->n_stretches++;
    stretch->self = self;
    stretch->n = n;
}

/* Tell whether structs that follow `self`, of which there are `left`, were noted, or may be alike without that. */
PYTREE__INLINE bool pytree__pattern_may_recall(const struct pytree__pattern *p, const pytree_type *type, const char *self,
                                               size_t left)
{
    if (p->next_stretch != p->n_stretches) { return p->stretches[p->next_stretch].self == self; }
    return PYTREE__UNLIKELY(p->more_stretches) && pytree__pattern_pays(p, type, left);
}

/* Return how many structs that follow these, one in each of n trees (the last of four stands for those that lack), are like
 * them. The pattern is theirs again. */
static PYTREE__NOINLINE size_t pytree__pattern_recall(struct pytree__pattern *p, pytree__layout_cache *cache,
                                                      const pytree_type *type, const char *const self[4], size_t n,
                                                      size_t left)
{
    if (p->next_stretch == p->n_stretches) {
        if (!pytree__pattern_learn(p, pytree__layout_of(cache, type), self, n, left)) { return 0; }
        return n == 1 ? pytree__pattern_count_one(p, self[0], left) : pytree__pattern_count_four(p, self, left);
    }
    if (p->type != type || !pytree__pattern_suits(p, self[0])) {
        p->type = type;
        p->holds = pytree__pattern_make(p, pytree__layout_of(cache, type), self[0]);
        if (!p->holds) { return 0; }
    }
    return p->stretches[p->next_stretch++].n;
}

/* ---- Compare many structs -------------------------------------------------------------------------------------------- */

/* How structs are like one another at a place: they have the same word, half of one, or byte, or a pointer that is NULL or
 * set, or a leaf of the same type and number of dimensions, with data; if an array, of the same extent along the first. */
enum { PYTREE__SAME_ARRAY = 17, PYTREE__SAME_LEAF = 16, PYTREE__SAME_WORD = 8, PYTREE__SAME_HALF = 4, PYTREE__SAME_BYTE = 1,
       PYTREE__BOTH_NULL = 0, PYTREE__BOTH_SET = -1 };
struct pytree__likeness {
    uint64_t word;                        /* of a leaf its dimensions */
    const pytree_type *type;
    size_t extent;
};

PYTREE__INLINE struct pytree__likeness pytree__likeness_of(const char *at, const int how)
{
    struct pytree__likeness x = { 0, NULL, 0 };
    const pytree_leaf *const leaf = (const pytree_leaf *)(const void *)at;
    uint32_t half;
    switch (how) {
    case PYTREE__SAME_ARRAY: x.extent = leaf->shape[0]; /* fallthrough */
    case PYTREE__SAME_LEAF:
        x.type = leaf->type;
        memcpy(&x.word, at + offsetof(pytree_leaf, ndim), sizeof x.word);
        break;
    case PYTREE__SAME_WORD: memcpy(&x.word, at, sizeof x.word); break;
    case PYTREE__SAME_HALF: memcpy(&half, at, sizeof half); x.word = half; break;
    case PYTREE__SAME_BYTE: x.word = (unsigned char)*at; break;
    default: break;
    }
    return x;
}

/* Tell whether a struct is like another one at a place. */
PYTREE__INLINE bool pytree__is_like(const char *at, const int how, struct pytree__likeness x)
{
    const void *pointer;
    if (how >= PYTREE__SAME_LEAF) {
        const pytree_leaf *const leaf = (const pytree_leaf *)(const void *)at;
        return leaf->data != NULL && leaf->type == x.type && pytree__likeness_of(at, PYTREE__SAME_LEAF).word == x.word
               && (how == PYTREE__SAME_LEAF || leaf->shape[0] == x.extent);
    }
    if (how > PYTREE__BOTH_NULL) { return pytree__likeness_of(at, how).word == x.word; }
    memcpy(&pointer, at, sizeof pointer);
    return how == PYTREE__BOTH_NULL ? pointer == NULL : pointer != NULL;
}

/* Count structs that follow self[0], at most n, and are like it at a place; unless `one`, so are those that follow three
 * others. */
PYTREE__INLINE size_t pytree__pattern_column(const char *const self[4], size_t at, size_t size, size_t n, const int how,
                                             const bool one)
{
    const char *const a = self[0], *const b = self[one ? 0 : 1], *const c = self[one ? 0 : 2], *const d = self[one ? 0 : 3];
    const struct pytree__likeness x = pytree__likeness_of(a + at, how);
    const char *next = a + at + size;
    const size_t end = at + n * size;
    size_t i = 0, fours = n / 4;
    if (!one) {
        while (at != end) {
            at += size;
            if (!pytree__is_like(a + at, how, x) || !pytree__is_like(b + at, how, x)
                || !pytree__is_like(c + at, how, x) || !pytree__is_like(d + at, how, x)) {
                return n - (end - at) / size - 1;
            }
        }
        return n;
    }
    for (; fours != 0; fours--, next += 4 * size) {
        if (!pytree__is_like(next, how, x) || !pytree__is_like(next + size, how, x)
            || !pytree__is_like(next + 2 * size, how, x)
            || !pytree__is_like(next + 3 * size, how, x)) {
            break;
        }
    }
    if (fours == 0 && n >= 4) {           /* those that are left, at once */
        next = a + end;
        if (pytree__is_like(next, how, x) && pytree__is_like(next - size, how, x)
            && pytree__is_like(next - 2 * size, how, x)) {
            return n;
        }
        next = a + at + size + n / 4 * 4 * size;
    }
    for (i = (n / 4 - fours) * 4; i < n && pytree__is_like(next, how, x); i++) { next += size; }
    return i;
}

/* Count structs, of at most n that follow self[0] in a list, that have its static values, None where the pattern has it, and
 * pointers that are set; unless `one`, so have those that follow three others. The views of their leaves differ in addresses
 * only, and need no check. */
PYTREE__INLINE size_t pytree__pattern_count(struct pytree__pattern *p, const char *const self[4], size_t n, const bool one)
{
    const struct pytree__pattern_leaf *leaf = p->leaves, *const end = leaf + p->n_pointers;
    const size_t size = p->type->size;
    const uint32_t *at, *last;
    for (at = p->words, last = at + p->n_words; at != last; at++) {
        n = pytree__pattern_column(self, *at, size, n, PYTREE__SAME_WORD, one);
    }
    for (at = p->halves, last = at + p->n_halves; at != last; at++) {
        n = pytree__pattern_column(self, *at, size, n, PYTREE__SAME_HALF, one);
    }
    for (at = p->bytes, last = at + p->n_bytes; at != last; at++) {
        n = pytree__pattern_column(self, *at, size, n, PYTREE__SAME_BYTE, one);
    }
    for (at = p->nulls, last = at + p->n_nulls; at != last; at++) {
        n = pytree__pattern_column(self, *at, size, n, PYTREE__BOTH_NULL, one);
    }
    for (; leaf != end; leaf++) { n = pytree__pattern_column(self, leaf->at, size, n, PYTREE__BOTH_SET, one); }
    p->trials = n != 0 ? PYTREE__PATTERN_TRIALS : p->trials - 1;
    return n;
}

static PYTREE__NOINLINE size_t pytree__pattern_count_one(struct pytree__pattern *p, const char *self, size_t n)
{
    const char *const one[4] = { self, NULL, NULL, NULL };
    return pytree__pattern_count(p, one, n, true);
}

static PYTREE__NOINLINE size_t pytree__pattern_count_four(struct pytree__pattern *p, const char *const self[4], size_t n)
{
    return pytree__pattern_count(p, self, n, false);
}

/* Count structs, of at most n, whose leaves, which are given, have the types, dimensions and extents of those given to the
 * struct before them, and data. */
static PYTREE__NOINLINE size_t pytree__pattern_fit(const struct pytree__pattern *p, const pytree_leaf *given, size_t n)
{
    const size_t step = p->n_leaves * sizeof *given;
    const pytree_leaf *const end = given + p->n_leaves;
    int i;
    for (; given != end; given++) {
        const char *const all[4] = { (const char *)given, NULL, NULL, NULL };
        if (given->ndim == 0) {
            n = pytree__pattern_column(all, 0, step, n, PYTREE__SAME_LEAF, true);
            continue;
        }
        n = pytree__pattern_column(all, 0, step, n, PYTREE__SAME_ARRAY, true);
        for (i = 1; i < given->ndim; i++) {
            n = pytree__pattern_column(all, offsetof(pytree_leaf, shape) + (size_t)i * sizeof given->shape[0], step, n,
                                       (int)sizeof given->shape[0], true);
        }
    }
    return n;
}

/* ---- Take structs that are alike ----------------------------------------------------------------------------------------- */

/* Store leaves in n structs behind `self`, which are like it, one row of all structs after the other. */
static PYTREE__NOINLINE void pytree__pattern_store(const struct pytree__pattern *p, char *self, const pytree_leaf *leaves,
                                                   size_t n)
{
    const size_t size = p->type->size, step = p->n_leaves * sizeof *leaves;
    const struct pytree__pattern_leaf *leaf = p->leaves, *const pointers = leaf + p->n_pointers;
    const struct pytree__pattern_leaf *const end = leaf + p->n_leaves;
    for (; leaf != end; leaf++) {
        const char *from = (const char *)leaves + leaf->view + offsetof(pytree_leaf, data);
        char *at = self + size + leaf->at;
        const void *data;
        uint64_t word;
        size_t i = n;
        if (leaf < pointers) {
            for (; i > 3; i -= 4, from += 4 * step, at += 4 * size) {
                memcpy(at, from, sizeof data);
                memcpy(at + size, from + step, sizeof data);
                memcpy(at + 2 * size, from + 2 * step, sizeof data);
                memcpy(at + 3 * size, from + 3 * step, sizeof data);
            }
            for (; i != 0; i--, from += step, at += size) { memcpy(at, from, sizeof data); }
        } else if (leaf->bytes == sizeof word) {
            for (; i != 0; i--, from += step, at += size) {
                memcpy(&data, from, sizeof data);
                memcpy(&word, data, sizeof word);          /* perhaps from `at` itself */
                memcpy(at, &word, sizeof word);
            }
        } else {
            for (; i != 0; i--, from += step, at += size) {
                memcpy(&data, from, sizeof data);
                if (data != (void *)at) { pytree__copy_few(at, (const char *)data, leaf->bytes); }
            }
        }
    }
}

/* Set the address in the view of a struct's leaf. */
PYTREE__INLINE void pytree__view_moves(pytree_leaf *views, size_t view, const void *data)
{
    ((pytree_leaf *)(void *)((char *)views + view))->data = (void *)(uintptr_t)data;
}

/* Set it to where a pointer leads. Return whether that is not NULL. */
PYTREE__INLINE bool pytree__view_follows(pytree_leaf *views, size_t view, const void *pointer)
{
    const void *data;
    memcpy(&data, pointer, sizeof data);
    pytree__view_moves(views, view, data);
    return data != NULL;
}

/* Make the views of leaves of structs that are like those before them, one in each of four trees (of fewer, the last one more
 * than once). The views of those before them stand in `views`: their addresses change. Return false if a pointer is NULL, and
 * then the views are of no use. */
static PYTREE__NOINLINE bool pytree__pattern_take(const struct pytree__pattern *p, const char *const self[4],
                                                  pytree_leaf *const views[4])
{
    const struct pytree__pattern_leaf *leaf = p->leaves, *const pointers = leaf + p->n_pointers;
    const struct pytree__pattern_leaf *const end = p->leaves + p->n_leaves;
    const char *const a = self[0], *const b = self[1], *const c = self[2], *const d = self[3];
    pytree_leaf *const x = views[0], *const y = views[1], *const z = views[2], *const w = views[3];
    for (; leaf != pointers; leaf++) {
        if (!pytree__view_follows(x, leaf->view, a + leaf->at) || !pytree__view_follows(y, leaf->view, b + leaf->at)
            || !pytree__view_follows(z, leaf->view, c + leaf->at) || !pytree__view_follows(w, leaf->view, d + leaf->at)) {
            return false;
        }
    }
    for (; leaf != end; leaf++) {
        pytree__view_moves(x, leaf->view, a + leaf->at);
        pytree__view_moves(y, leaf->view, b + leaf->at);
        pytree__view_moves(z, leaf->view, c + leaf->at);
        pytree__view_moves(w, leaf->view, d + leaf->at);
    }
    return true;
}
#endif
