/* pytree/impl/pattern.h: patterns: what a struct has in common with the one before it in a list. Where both have the same
 * static values, and None in the same places, their leaves have the same types and extents, and only addresses differ. */
#ifndef PYTREE_IMPL_PATTERN_H
#define PYTREE_IMPL_PATTERN_H

#include "internal.h"

/* ---- Where leaves are ------------------------------------------------------------------------------------------------ */

/* Write how many dimensions a leaf has, and that it is a leaf, as the word that pytree_leaf has them in. */
PYTREE__INLINE uint64_t pytree__dims_word(int ndim)
{
    const struct { int ndim; unsigned form; } dims = { ndim, PYTREE_FORM_LEAF };
    uint64_t word;
    memcpy(&word, &dims, sizeof word);
    return word;
}

/* Write a slot for each leaf of a struct at `offset` of the one that is inlined. `null_mask` has a bit for each nullable
 * pointer that still comes. Returns what follows the last slot; NULL if there is no room. */
static struct pytree__leaf_slot *pytree__leaf_slots_add(struct pytree__leaf_slot *slot, const struct pytree__leaf_slot *end,
                                                        const pytree_type *type, size_t offset, uint64_t *null_mask)
{
    const pytree_field *row = type->fields;
    unsigned left = type->n_children;
    for (; left != 0 && slot != NULL; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        left--;
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
            slot = pytree__leaf_slots_add(slot, end, row->type, offset + row->offset, null_mask);
            continue;
        }
        if (row->optional != 0) {
            const bool none = (*null_mask & 1) != 0;
            *null_mask >>= 1;
            if (none) { continue; }
        }
        if (slot == end) { return NULL; }
        slot->type = row->type;
        slot->dims = pytree__dims_word(row->ndim);
        slot->at = (uint32_t)(offset + row->offset);
        slot->bytes = row->place == PYTREE_POINTER ? 0 : (uint32_t)row->size;
        slot++;
    }
    return slot;
}

/* ---- What extents are computed from ----------------------------------------------------------------------------------- */

/* Tell whether a text begins with "self->n", where n is a static integer of the struct, whose static values are all bytes.
 * Return what follows, or NULL. */
static const char *pytree__behind_static(const pytree_type *type, const char *text)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    if (strncmp(text, "self->", 6) != 0) { return NULL; }
    for (text += 6; row != end; row++) {
        const char *name = row->name, *at = text;
        if (row->row != PYTREE_ROW_STATIC || row->ndim != 0) { continue; }
        while (*name != '\0' && *name == *at) { name++; at++; }
        if (*name == '\0' && (*at == ',' || *at == ')' || *at == ' ')) {
            return row->type->dtype <= PYTREE_U64 ? at : NULL; /* the text may read through an address */
        }
    }
    return NULL;
}

/* Tell whether the extents of an array are computed from numbers and static integers of the struct alone, by the text of its
 * row. A function or a macro may read anything. */
static PYTREE__APART_CLANG bool pytree__extents_are_static(const pytree_type *type, const char *text)
{
    int depth = 1;
    if (strncmp(text, ", ARRAY(", 8) != 0) { return false; }
    for (text += 8; depth != 0 && text != NULL; ) {
        switch (*text) {
        case 's': text = pytree__behind_static(type, text); continue;
        case '(': depth++; break;
        case ')': depth--; break;
        case ' ': case ',': case '+': case '-': case '*': case '/': case '%': break;
        default: if (*text < '0' || *text > '9') { return false; }
        }
        text++;
    }
    return text != NULL;
}

/* Types whose rows were found to be static, so that of several equal structs in a struct only one is looked at. */
struct pytree__static_types { const pytree_type *of[4]; unsigned n; };

/* Tell whether the views of a struct's leaves follow from its static values, from where it is and from its pointers. Strings
 * are looked at themselves. The struct is self-contained: its rows have no functions, lie in it or behind one pointer, and are
 * leaves but for structs. It calls itself for structs that lie in structs: no deeper than C's declarations. */
static bool pytree__views_are_static(const pytree_type *type, struct pytree__static_types *known)
{
    const char *text = "";
    unsigned i;
    for (i = 0; i < known->n; i++) {
        if (known->of[i] == type) { return true; }
    }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->place == PYTREE_IN_PLACE && row->form == PYTREE_FORM_STRUCT) {
            if (!pytree__views_are_static(row->type, known)) { return false; }
            continue;
        }
        if (row->place == PYTREE_POINTER && row->ndim == 0) {
            if (row->optional == 0) { return false; }          /* of which a pattern has only those that are NULL */
        } else if (row->type->dtype == PYTREE_STRING || row->type->dtype == PYTREE_TEXT) {
            return false;
        } else if (row->place == PYTREE_POINTER) {
            const size_t name = strlen(row->name);
            const char *const mine = row->name + name + 1 + name;                  /* behind "w\0w" */
            if (strcmp(mine, text) != 0 && !pytree__extents_are_static(type, mine)) { return false; }
            text = mine;                  /* arrays of a struct are often as long as the one before them */
        }
    }
    if (known->n < sizeof known->of / sizeof known->of[0]) { known->of[known->n++] = type; }
    return true;
}

/* ---- Make a pattern ---------------------------------------------------------------------------------------------------- */

enum {
    PYTREE__PATTERN_LEAST = 6,            /* structs that follow where it pays to make a pattern */
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
static PYTREE__APART_CLANG bool pytree__pattern_add_leaves(struct pytree__pattern *p, const pytree_type *type,
                                                           uint64_t null_mask)
{
    struct pytree__leaf_slot slots[PYTREE__PATTERN_LEAVES];
    const struct pytree__leaf_slot *const end = pytree__leaf_slots_add(slots, slots + PYTREE__PATTERN_LEAVES, type, 0,
                                                                       &null_mask);
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
static bool pytree__pattern_make(struct pytree__pattern *p, const pytree__layout_cache *cache, const pytree__layout *layout,
                                 const char *self)
{
    struct pytree__static_types known = { { NULL, NULL, NULL, NULL }, 0 };
    uint64_t null_mask = 0;
    uint32_t i;
    p->n_words = p->n_halves = p->n_bytes = p->n_nulls = p->n_sets = 0;
    if (!layout->trivial_statics || !pytree__views_are_static(layout->type, &known)) { return false; }
    for (i = 0; i < layout->n_spans; i++) {
        const pytree__static_span *const span = &cache->spans[layout->spans + i];
        if (!pytree__pattern_add_span(p, span->at, span->bytes)) { return false; }
    }
    for (i = 0; i < layout->n_nullables; i++) {
        const pytree__nullable *const nullable = &cache->nullables[layout->nullables + i];
        const void *pointer;              /* NULL where it would lead to a struct, which were no run */
        memcpy(&pointer, self + nullable->at, sizeof pointer);
        if (i == PYTREE__PATTERN_PLACES) { return false; }
        if (pointer == NULL) { null_mask |= (uint64_t)1 << i; p->nulls[p->n_nulls++] = nullable->at; }
        else { p->sets[p->n_sets++] = nullable->at; }
    }
    return pytree__pattern_add_leaves(p, layout->type, null_mask);
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
static PYTREE__NOINLINE bool pytree__pattern_learn(struct pytree__pattern *p, const pytree__layout_cache *cache,
                                                   const pytree__layout *layout, const char *const *self, size_t n, size_t left)
{
    uint64_t null_mask;
    size_t k;
    if (p->type != layout->type || (p->holds && !pytree__pattern_suits(p, self[0]))) {
        const char *const both[4] = { self[0], self[0] + layout->type->size, NULL, NULL };
        if (left < PYTREE__PATTERN_LEAST || layout->n_nodes == 0) { return false; }
        if (!pytree__layout_view(cache, layout, self[0], &null_mask)) { return false; }        /* goes on: follow.h */
        if (!pytree__layout_few_equal(cache, layout, both, true)) { p->trials--; return false; }
        p->type = layout->type;
        p->holds = pytree__pattern_make(p, cache, layout, self[0]);
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
        if (!pytree__pattern_learn(p, cache, pytree__layout_of(cache, type), self, n, left)) { return 0; }
        return n == 1 ? pytree__pattern_count_one(p, self[0], left) : pytree__pattern_count_four(p, self, left);
    }
    if (p->type != type || !pytree__pattern_suits(p, self[0])) {
        p->type = type;
        p->holds = pytree__pattern_make(p, cache, pytree__layout_of(cache, type), self[0]);
        if (!p->holds) { return 0; }
    }
    return p->stretches[p->next_stretch++].n;
}

/* ---- Compare many structs -------------------------------------------------------------------------------------------- */

/* How structs are like one another at a place: they have the same word, half of one, or byte, or a pointer that is NULL or
 * set, or leaves of one type and number of dimensions, with data. */
enum { PYTREE__SAME_LEAF = 16, PYTREE__SAME_WORD = 8, PYTREE__SAME_HALF = 4, PYTREE__SAME_BYTE = 1, PYTREE__BOTH_NULL = 0,
       PYTREE__BOTH_SET = -1 };

/* Read a word, half of one, or a byte; of a leaf its dimensions. */
PYTREE__INLINE uint64_t pytree__pattern_read(const char *at, const int how)
{
    uint64_t word;
    uint32_t half;
    if (how == PYTREE__SAME_LEAF) { at += offsetof(pytree_leaf, ndim); }
    if (how >= PYTREE__SAME_WORD) { memcpy(&word, at, sizeof word); return word; }
    if (how == PYTREE__SAME_HALF) { memcpy(&half, at, sizeof half); return half; }
    return (unsigned char)*at;
}

/* Tell whether a struct has this word at a place, or a pointer as told, or a leaf of a type. */
PYTREE__INLINE bool pytree__pattern_has(const char *at, const int how, uint64_t word, const pytree_type *type)
{
    const void *pointer;
    if (how == PYTREE__SAME_LEAF) {
        const pytree_leaf *const leaf = (const pytree_leaf *)(const void *)at;
        return leaf->data != NULL && leaf->type == type && pytree__pattern_read(at, how) == word;
    }
    if (how > PYTREE__BOTH_NULL) { return pytree__pattern_read(at, how) == word; }
    memcpy(&pointer, at, sizeof pointer);
    return how == PYTREE__BOTH_NULL ? pointer == NULL : pointer != NULL;
}

/* Count structs that follow self[0], at most n, and are like it at a place; unless `one`, so are those that follow three
 * others. */
PYTREE__INLINE size_t pytree__pattern_column(const char *const self[4], size_t at, size_t size, size_t n, const int how,
                                             const bool one)
{
    const char *const a = self[0], *const b = self[one ? 0 : 1], *const c = self[one ? 0 : 2], *const d = self[one ? 0 : 3];
    const pytree_type *const type = how == PYTREE__SAME_LEAF ? ((const pytree_leaf *)(const void *)(a + at))->type : NULL;
    const uint64_t word = how > PYTREE__BOTH_NULL ? pytree__pattern_read(a + at, how) : 0;
    const char *next = a + at + size;
    const size_t end = at + n * size;
    size_t i = 0, fours = n / 4;
    if (!one) {
        while (at != end) {
            at += size;
            if (!pytree__pattern_has(a + at, how, word, type) || !pytree__pattern_has(b + at, how, word, type)
                || !pytree__pattern_has(c + at, how, word, type) || !pytree__pattern_has(d + at, how, word, type)) {
                return n - (end - at) / size - 1;
            }
        }
        return n;
    }
    for (; fours != 0; fours--, next += 4 * size) {
        if (!pytree__pattern_has(next, how, word, type) || !pytree__pattern_has(next + size, how, word, type)
            || !pytree__pattern_has(next + 2 * size, how, word, type)
            || !pytree__pattern_has(next + 3 * size, how, word, type)) {
            break;
        }
    }
    if (fours == 0 && n >= 4) {           /* those that are left, at once */
        next = a + end;
        if (pytree__pattern_has(next, how, word, type) && pytree__pattern_has(next - size, how, word, type)
            && pytree__pattern_has(next - 2 * size, how, word, type)) {
            return n;
        }
        next = a + at + size + n / 4 * 4 * size;
    }
    for (i = (n / 4 - fours) * 4; i < n && pytree__pattern_has(next, how, word, type); i++) { next += size; }
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
    for (; given != end; given++) {
        const char *const all[4] = { (const char *)given, NULL, NULL, NULL };
        size_t at = offsetof(pytree_leaf, shape), behind = at + (size_t)given->ndim * sizeof given->shape[0];
        n = pytree__pattern_column(all, 0, step, n, PYTREE__SAME_LEAF, true);
        for (; at != behind; at += sizeof given->shape[0]) {
            n = pytree__pattern_column(all, at, step, n, (int)sizeof given->shape[0], true);
        }
    }
    return n;
}

/* ---- Take structs that are alike ----------------------------------------------------------------------------------------- */

/* Store leaves in n structs behind `self`, which are like it: one after the other, as leaves are read from memory in order. */
static PYTREE__NOINLINE void pytree__pattern_store(const struct pytree__pattern *p, char *self, const pytree_leaf *leaves,
                                                   size_t n)
{
    const size_t size = p->type->size, step = p->n_leaves;
    const struct pytree__pattern_leaf *const pointers = p->leaves + p->n_pointers, *const end = p->leaves + step;
    for (; n != 0; n--, leaves += step) {
        const struct pytree__pattern_leaf *leaf = p->leaves;
        self += size;
        for (; leaf != pointers; leaf++) {
            const pytree_leaf *const from = (const pytree_leaf *)(const void *)((const char *)leaves + leaf->view);
            memcpy(self + leaf->at, &from->data, sizeof from->data);
        }
        for (; leaf != end; leaf++) {
            const pytree_leaf *const from = (const pytree_leaf *)(const void *)((const char *)leaves + leaf->view);
            char *const at = self + leaf->at;
            if (from->data != (void *)at) { pytree__copy_few(at, (const char *)from->data, leaf->bytes); }
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
