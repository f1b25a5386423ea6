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
static bool pytree__extents_are_static(const pytree_type *type, const pytree_field *row)
{
    const size_t name = strlen(row->name);
    const char *text = row->name + name + 1 + name;            /* behind "w\0w" */
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
        } else if (row->type->dtype == PYTREE_STRING || row->type->dtype == PYTREE_TEXT
                   || (row->place == PYTREE_POINTER && !pytree__extents_are_static(type, row))) {
            return false;
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
    p->primed = false;
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

/* Make the pattern of structs that have None where this one has it, which is a run. Return false if there is none. */
static bool pytree__pattern_make(struct pytree__pattern *p, const pytree__layout_cache *cache, const pytree__layout *layout,
                                 const char *self)
{
    struct pytree__static_types known = { { NULL, NULL, NULL, NULL }, 0 };
    const struct pytree__leaf_slot *end;
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
    end = pytree__leaf_slots_add(p->slots, p->slots + PYTREE__PATTERN_LEAVES, layout->type, 0, &null_mask);
    if (end == NULL) { return false; }
    p->n_leaves = (size_t)(end - p->slots);
    return true;
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
PYTREE__INLINE bool pytree__pattern_pays(struct pytree__pattern *p, const pytree_type *type, size_t left)
{
    p->primed = false;
    return (left >= PYTREE__PATTERN_LEAST || (left != 0 && p->type == type)) && p->trials != 0;
}

/* Learn from structs that were looked at row by row, one in each of n trees: they are sound and have the same static values and
 * None. `left` more follow in their lists. Return whether those can be compared with them. A pattern is made where the first of
 * those has the same static values. */
static PYTREE__NOINLINE bool pytree__pattern_learn(struct pytree__pattern *p, const pytree__layout_cache *cache,
                                                   const pytree__layout *layout, const char *const *self, size_t n, size_t left)
{
    size_t k;
    if (p->type != layout->type || (p->holds && !pytree__pattern_suits(p, self[0]))) {
        const char *const both[4] = { self[0], self[0] + layout->type->size, NULL, NULL };
        if (left < PYTREE__PATTERN_LEAST || layout->n_nodes == 0) { return false; }
        if (!pytree__layout_few_equal(cache, layout, both, true)) { p->trials--; return false; }
        p->type = layout->type;
        p->holds = pytree__pattern_make(p, cache, layout, self[0]);
    }
    for (k = 0; p->holds && k < n; k++) {
        if (!pytree__pattern_suits(p, self[k])) { return false; }
    }
    p->primed = p->holds;
    return p->primed;
}

/* ---- Compare many structs -------------------------------------------------------------------------------------------- */

/* Read a word, or half of one. */
PYTREE__INLINE uint64_t pytree__pattern_read(const char *at, const size_t bytes)
{
    uint64_t word;
    uint32_t half;
    if (bytes == sizeof word) { memcpy(&word, at, sizeof word); return word; }
    memcpy(&half, at, sizeof half);
    return half;
}

/* Count structs that follow self[0] and have its word at `at`, of `bytes` bytes; unless `one`, those that follow three others
 * have it, too. */
PYTREE__INLINE size_t pytree__same_words(const char *const self[4], const size_t bytes, size_t at, size_t size, size_t n,
                                         const bool one)
{
    const uint64_t word = pytree__pattern_read(self[0] + at, bytes);
    size_t i;
    for (i = 0; i < n; i++) {
        at += size;
        if (pytree__pattern_read(self[0] + at, bytes) != word) { break; }
        if (one) { continue; }
        if (pytree__pattern_read(self[1] + at, bytes) != word || pytree__pattern_read(self[2] + at, bytes) != word
            || pytree__pattern_read(self[3] + at, bytes) != word) {
            break;
        }
    }
    return i;
}

/* Count structs that follow whose pointer at `at` is NULL (`null`), or is not. */
PYTREE__INLINE size_t pytree__same_nulls(const char *const self[4], size_t at, size_t size, size_t n, const bool null,
                                         const bool one)
{
    const void *a, *b, *c, *d;
    size_t i;
    for (i = 0; i < n; i++) {
        at += size;
        memcpy(&a, self[0] + at, sizeof a);
        if (null ? a != NULL : a == NULL) { break; }
        if (one) { continue; }
        memcpy(&b, self[1] + at, sizeof b);
        memcpy(&c, self[2] + at, sizeof c);
        memcpy(&d, self[3] + at, sizeof d);
        if (null ? b != NULL || c != NULL || d != NULL : b == NULL || c == NULL || d == NULL) { break; }
    }
    return i;
}

/* Count structs, of at most n that follow self[0] in a list, that have its static values, None where the pattern has it, and
 * pointers that are set; unless `one`, so have those that follow three others. The views of their leaves differ in addresses
 * only, and need no check. */
PYTREE__INLINE size_t pytree__pattern_count(struct pytree__pattern *p, const char *const self[4], size_t n, const bool one)
{
    const struct pytree__leaf_slot *slot = p->slots, *const end = slot + p->n_leaves;
    const size_t size = p->type->size;
    const uint32_t *at, *last;
    size_t i, k;
    for (at = p->words, last = at + p->n_words; at != last; at++) { n = pytree__same_words(self, 8, *at, size, n, one); }
    for (at = p->halves, last = at + p->n_halves; at != last; at++) { n = pytree__same_words(self, 4, *at, size, n, one); }
    for (at = p->bytes, last = at + p->n_bytes; at != last; at++) {
        for (i = 0; i < n; i++) {
            for (k = 0; k < (one ? 1 : 4) && *(self[k] + *at + (i + 1) * size) == self[0][*at]; k++) {}
            if (k < (one ? 1 : 4)) { break; }
        }
        n = i;
    }
    for (at = p->nulls, last = at + p->n_nulls; at != last; at++) { n = pytree__same_nulls(self, *at, size, n, true, one); }
    for (; slot != end; slot++) {
        if (slot->bytes == 0) { n = pytree__same_nulls(self, slot->at, size, n, false, one); }
    }
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

/* Count leaves, of at most n that are `step` behind one another, that have data and the type and extents of this one, which has
 * `ndim` dimensions, or more than two. */
PYTREE__INLINE size_t pytree__same_leaves(const pytree_leaf *const leaf, size_t step, size_t n, const int ndim)
{
    const pytree_type *const type = leaf->type;
    const size_t extent = ndim == 0 ? 0 : leaf->shape[0];
    const pytree_leaf *next = leaf;
    uint64_t dims, mine;
    size_t i;
    int d;
    memcpy(&dims, &leaf->ndim, sizeof dims);                   /* and the form */
    for (i = 0; i < n; i++) {
        next += step;
        memcpy(&mine, &next->ndim, sizeof mine);
        if (next->data == NULL || next->type != type || mine != dims || (ndim > 0 && next->shape[0] != extent)) { break; }
        if (ndim < 2) { continue; }
        for (d = 1; d < leaf->ndim && next->shape[d] == leaf->shape[d]; d++) {}
        if (d < leaf->ndim) { break; }
    }
    return i;
}

/* Count structs, of at most n, whose leaves, which are given, are like those given to the struct before them, which fit it, and
 * have data. */
static PYTREE__NOINLINE size_t pytree__pattern_fit(const struct pytree__pattern *p, const pytree_leaf *given, size_t n)
{
    const size_t step = p->n_leaves;
    const pytree_leaf *const end = given + step;
    for (; given != end; given++) {
        switch (given->ndim) {
        case 0: n = pytree__same_leaves(given, step, n, 0); break;
        case 1: n = pytree__same_leaves(given, step, n, 1); break;
        default: n = pytree__same_leaves(given, step, n, 3); break;
        }
    }
    return n;
}

/* ---- Compare one struct in several trees ------------------------------------------------------------------------------- */

/* Compare a word of a struct, of `bytes` bytes, with the one that lies `back` bytes before it, and with those of three others.
 * Return 0 if all are equal. */
PYTREE__INLINE uint64_t pytree__pattern_word(const char *const self[4], const size_t bytes, size_t back, size_t at)
{
    const uint64_t word = pytree__pattern_read(self[0] + at, bytes);
    return (word ^ pytree__pattern_read(self[0] + at - back, bytes)) | (word ^ pytree__pattern_read(self[1] + at, bytes))
        | (word ^ pytree__pattern_read(self[2] + at, bytes)) | (word ^ pytree__pattern_read(self[3] + at, bytes));
}

/* Tell whether a struct has the static values of the one before it and None where the pattern has it, and so have three others
 * in other trees. */
PYTREE__INLINE bool pytree__pattern_recurs(const struct pytree__pattern *p, const char *const self[4])
{
    const size_t back = p->type->size;
    const uint32_t *at, *end;
    uint64_t differ = 0;
    size_t k;
    for (at = p->words, end = at + p->n_words; at != end; at++) { differ |= pytree__pattern_word(self, 8, back, *at); }
    for (at = p->halves, end = at + p->n_halves; at != end; at++) { differ |= pytree__pattern_word(self, 4, back, *at); }
    for (at = p->bytes, end = at + p->n_bytes; at != end; at++) {
        const char byte = *(self[0] + *at - back);
        for (k = 0; k < 4; k++) { differ |= (uint64_t)(self[k][*at] != byte); }
    }
    for (at = p->nulls, end = at + p->n_nulls; at != end; at++) {
        for (k = 0; k < 4; k++) {
            uintptr_t pointer;
            memcpy(&pointer, self[k] + *at, sizeof pointer);
            differ |= pointer;
        }
    }
    return differ == 0;
}

/* Make the views of four structs' leaves out of those of the structs before them, which stand there: their addresses change.
 * Return false if one is NULL. */
PYTREE__INLINE bool pytree__pattern_move(const struct pytree__pattern *p, const char *const self[4],
                                           pytree_leaf *const views[4])
{
    const struct pytree__leaf_slot *slot = p->slots, *const end = slot + p->n_leaves;
    const char *const a = self[0], *const b = self[1], *const c = self[2], *const d = self[3];
    pytree_leaf *const x = views[0], *const y = views[1], *const z = views[2], *const w = views[3];
    size_t i = 0;
    for (; slot != end; slot++, i++) {
        const size_t at = slot->at;
        if (PYTREE__UNLIKELY(slot->bytes != 0)) {
            x[i].data = (void *)(uintptr_t)(a + at);
            y[i].data = (void *)(uintptr_t)(b + at);
            z[i].data = (void *)(uintptr_t)(c + at);
            w[i].data = (void *)(uintptr_t)(d + at);
            continue;
        }
        memcpy(&x[i].data, a + at, sizeof(void *));
        memcpy(&y[i].data, b + at, sizeof(void *));
        memcpy(&z[i].data, c + at, sizeof(void *));
        memcpy(&w[i].data, d + at, sizeof(void *));
        if (x[i].data == NULL || y[i].data == NULL || z[i].data == NULL || w[i].data == NULL) { return false; }
    }
    return true;
}

/* Take structs, one in each of four trees (of fewer, the last one more than once), that are like those before them, whose views
 * stand in `views`. Return false if they are not. */
static PYTREE__NOINLINE bool pytree__pattern_take(struct pytree__pattern *p, const char *const self[4],
                                                  pytree_leaf *const views[4])
{
    p->primed = pytree__pattern_recurs(p, self) && pytree__pattern_move(p, self, views);
    p->trials = p->primed ? PYTREE__PATTERN_TRIALS : p->trials - 1;
    return p->primed;
}
#endif
