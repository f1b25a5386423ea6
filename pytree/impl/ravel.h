/* pytree/impl/ravel.h: a tree as one vector, and back. */
#ifndef PYTREE_IMPL_RAVEL_H
#define PYTREE_IMPL_RAVEL_H

#include "convert.h"

/* ---- Ravel --------------------------------------------------------------------------------------------------------- */

static const pytree_options *pytree__rv_tree(const pytree_ravel_options *opt) { return opt == NULL ? NULL : &opt->tree; }

/* Check that the current leaf is made of numbers. */
static pytree_status pytree__rv_want_number(const pytree_iter *it, const pytree_leaf *leaf, const char *wanted)
{
    if (leaf->form == PYTREE_FORM_LEAF && pytree__rv_is_number(leaf->type->dtype)
        && (wanted == NULL || pytree__rv_numbers[leaf->type->dtype].wide >= PYTREE__RV_DOUBLE)) { return PYTREE_OK; }
    wanted = wanted == NULL ? "numbers" : wanted;
    if (leaf->form == PYTREE_FORM_NONE) {
        return pytree__fail_at(&it->cursors[0], PYTREE_TYPE, "expected %s, got None", wanted);
    }
    return pytree__fail_at(&it->cursors[0], PYTREE_TYPE, "expected %s, got %s%s", wanted,
                           leaf->form == PYTREE_FORM_LEAF ? "" : "a ",
                           leaf->form == PYTREE_FORM_LEAF ? pytree_dtype_name(leaf->type) : pytree__view_name(leaf));
}

/* The numbers of a tree: how many, and the set of their types. */
typedef struct pytree__rv_census {
    size_t leaves, n;
    uint32_t set;
} pytree__rv_census;

static pytree_status pytree__rv_count_numbers(pytree t, pytree__rv_census *census, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    memset(census, 0, sizeof *census);
    (void)pytree_iter_begin(&it, 1, &t, opt, err);
    while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
        const pytree_leaf *leaf = it.leaf[0];
        it.status = pytree__rv_want_number(&it, leaf, NULL);
        if (it.status == PYTREE_OK) {
            census->leaves++;
            census->set |= PYTREE__RV_BIT(leaf->type->dtype);
            census->n = pytree__plus(census->n, pytree_leaf_count(leaf));
        }
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK && census->n > PTRDIFF_MAX / (2 * sizeof(long double))) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected a vector that fits into memory, got %zu elements", census->n);
    }
    return it.status;
}

/* Write the names of the types in a set. */
static void pytree__rv_put_types(struct pytree__text_writer *to, uint32_t set)
{
    int dtype;
    for (dtype = 0; set >> dtype != 0; dtype++) {
        if ((set & PYTREE__RV_BIT(dtype)) != 0) {
            pytree__put_text(to, dtype == PYTREE_OPAQUE ? "other" : pytree_dtype_name(pytree_dtype_type((pytree_dtype)dtype)));
            if (set >> dtype != 1) { pytree__text_put(to, ", ", 2); }
        }
    }
}

/* Choose the element type of the vector for leaves of these types. */
static pytree_status pytree__rv_vector_type(uint32_t set, const pytree_ravel_options *opt, pytree_dtype *dtype,
                                            pytree_error *err)
{
    const pytree_promotion rules = opt == NULL ? PYTREE_PROMOTE_JAX : opt->promotion;
    if (opt != NULL && opt->dtype != PYTREE_NO_DTYPE) {
        *dtype = opt->dtype;
        if (pytree__rv_is_number(opt->dtype)) { return PYTREE_OK; }
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the element type of numbers, got number %d", (int)opt->dtype);
    }
    *dtype = pytree__rv_promote(set, rules);
    if (*dtype == PYTREE_NO_DTYPE) {
        char types[200];
        struct pytree__text_writer to = pytree__text_to(types, sizeof types, NULL);
        pytree__rv_put_types(&to, set);
        pytree__end_text(&to, sizeof types);
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected element types with a common one, got %s", types);
    }
    return PYTREE_OK;
}

static pytree_leaf pytree__rv_vector(void *data, const pytree_type *type, size_t n)
{
    pytree_leaf v;
    memset(&v, 0, sizeof v);
    v.data = data;
    v.type = type;
    v.ndim = 1;
    v.shape[0] = n;
    return v;
}

/* A list of leaves: place, number of elements, type. An operation that writes lists them first: walking a tree may need
 * memory, and must not fail midway through writing. With several trees, the parts of corresponding leaves are adjacent. */
typedef struct pytree__rv_part {
    char *data;
    size_t n;
    pytree_dtype dtype;
} pytree__rv_part;

typedef struct pytree__rv_list {
    size_t n;
    pytree__rv_part *parts, few[PYTREE__RV_FEW];
    const pytree_allocator *allocator;
} pytree__rv_list;

static void pytree__rv_end_list(pytree__rv_list *list)
{
    if (list->parts != list->few) { pytree__resize(list->allocator, list->parts, list->n * sizeof *list->parts, 0); }
}

/* List the leaves of a tree whose numbers were counted; `writes`: they will be written. End the list in any case. A predicate
 * or a custom node that answers differently this time must not lead beyond the list. */
static pytree_status pytree__rv_list_leaves(pytree__rv_list *list, const pytree__rv_census *census, pytree t, bool writes,
                                            const pytree_options *opt, pytree_error *err)
{
    const size_t bytes = pytree__times(census->leaves, sizeof *list->parts);
    size_t at = 0, n = 0;
    pytree_iter it;
    list->n = census->leaves;
    list->parts = list->few;
    list->allocator = pytree__allocator(opt);
    if (census->leaves > PYTREE__RV_FEW) {
        pytree__rv_part *parts = (pytree__rv_part *)pytree__resize(list->allocator, NULL, 0, bytes);
        if (parts == NULL) { return pytree__no_memory(err, bytes); }
        list->parts = parts;
    }
    (void)pytree_iter_begin(&it, 1, &t, opt, err);
    it.cursors[0].writes = writes;
    while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
        if (at++ == list->n) { break; }                    /* one too many */
        it.status = pytree__rv_want_number(&it, it.leaf[0], NULL);
        list->parts[at - 1].data = (char *)it.leaf[0]->data;
        list->parts[at - 1].n = pytree_leaf_count(it.leaf[0]);
        list->parts[at - 1].dtype = it.leaf[0]->type->dtype;
        n += list->parts[at - 1].n;
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK && (at != list->n || n != census->n)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected is_leaf to answer the same again, got other leaves");
    }
    return it.status;
}

/* Fail for leaf i: its type, or its number `lost`, cannot be converted. The iterator is on this function's stack only. */
static PYTREE__NOINLINE pytree_status pytree__rv_fail_loss(pytree t, size_t i, pytree_dtype to, const pytree_leaf *numbers,
                                                           size_t lost, pytree_loss loss, const pytree_options *opt,
                                                           pytree_error *err)
{
    const pytree_type *const to_type = pytree_dtype_type(to);
    pytree_iter it;
    (void)pytree_iter_begin(&it, 1, &t, opt, err);
    while (it.index != i && pytree_iter_next(&it)) {}
    if (it.status == PYTREE_OK && loss == PYTREE_LOSS_REFUSED_BY_TYPE) {
        it.status = pytree__fail_at(&it.cursors[0], PYTREE_TYPE, "expected a type that %s has every number of, got %s",
                                    pytree_dtype_name(to_type), pytree_dtype_name(numbers->type));
    } else if (it.status == PYTREE_OK) {
        char text[100];
        struct pytree__text_writer sink = pytree__text_to(text, sizeof text, NULL);
        pytree__put_value(&sink, numbers, lost);
        pytree__end_text(&sink, sizeof text);
        it.status = pytree__fail_at(&it.cursors[0], PYTREE_VALUE, "expected numbers that %s has, got %s at element %zu",
                                    pytree_dtype_name(to_type), text, lost);
    }
    pytree_iter_end(&it);
    return it.status;
}

/* Check whether n numbers of leaf i may be converted from one type to another. */
static pytree_status pytree__rv_check_loss(pytree t, size_t i, pytree_dtype to, const char *data, pytree_dtype from, size_t n,
                                           const pytree_ravel_options *opt, pytree_error *err)
{
    const pytree_loss loss = opt == NULL ? PYTREE_LOSS_REFUSED : opt->loss;
    const pytree_leaf numbers = pytree__rv_vector((void *)(uintptr_t)data, pytree_dtype_type(from), n);
    size_t lost = 0;
    if (loss == PYTREE_LOSS_ALLOWED || pytree__rv_widens(from, to)) { return PYTREE_OK; }
    if (loss == PYTREE_LOSS_REFUSED) {
        lost = pytree__rv_first_lost(to, data, from, n);
        if (lost == n) { return PYTREE_OK; }
    }
    return pytree__rv_fail_loss(t, i, to, &numbers, lost, loss, pytree__rv_tree(opt), err);
}

static pytree_status pytree__rv_check_vector(const pytree_leaf *vector, pytree_error *err)
{
    if (vector == NULL || vector->data == NULL || vector->type == NULL || vector->form != PYTREE_FORM_LEAF) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a vector with data and an element type, got none");
    }
    if (vector->ndim != 1) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a vector of 1 dimension, got %d", vector->ndim);
    }
    return PYTREE_OK;
}

static pytree_status pytree__rv_wrong_type(pytree_dtype expected, const pytree_type *got, pytree_error *err)
{
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected a vector of %s, got one of %s",
                       pytree_dtype_name(pytree_dtype_type(expected)), pytree_dtype_name(got));
}

static pytree_status pytree__rv_shape(pytree t, pytree__rv_census *census, pytree_leaf *vector, const pytree_ravel_options *opt,
                                      pytree_error *err)
{
    pytree_dtype dtype;
    pytree_status status = pytree__rv_count_numbers(t, census, pytree__rv_tree(opt), err);
    if (status == PYTREE_OK) { status = pytree__rv_vector_type(census->set, opt, &dtype, err); }
    if (status == PYTREE_OK) { *vector = pytree__rv_vector(NULL, pytree_dtype_type(dtype), census->n); }
    return status;
}

pytree_status pytree_ravel_shape(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    if (vector == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the vector, got NULL"); }
    return pytree__rv_shape(t, &census, vector, opt, err);
}

/* The header of an allocated vector, right before its numbers. */
struct pytree__rv_vector_head {
    const pytree_allocator *allocator;
    void *base;                           /* as the allocator gave it */
    size_t bytes;
};

static pytree_status pytree__rv_new_vector(pytree_leaf *vector, const pytree_options *opt, pytree_error *err)
{
    struct pytree__rv_vector_head *at;
    size_t alignment, bytes;
    char *base;
    const pytree_status status = pytree__new_alignment(opt, &alignment, err);
    if (status != PYTREE_OK) { return status; }
    bytes = pytree__plus(pytree__plus(sizeof *at, alignment - 1), pytree_leaf_bytes(vector));
    base = (char *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (base == NULL) { return pytree__no_memory(err, bytes); }
    vector->data = base + sizeof *at + (0 - ((uintptr_t)base + sizeof *at)) % alignment;
    at = (struct pytree__rv_vector_head *)vector->data - 1;
    at->allocator = pytree__allocator(opt);
    at->base = base;
    at->bytes = bytes;
    return PYTREE_OK;
}

/* Check the listed leaves for losses before they are copied into the vector. */
static pytree_status pytree__rv_check_leaves(pytree t, const pytree__rv_list *list, pytree_dtype to,
                                             const pytree_ravel_options *opt, pytree_error *err)
{
    pytree_status status = PYTREE_OK;
    size_t i;
    for (i = 0; status == PYTREE_OK && i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        status = pytree__rv_check_loss(t, i, to, part->data, part->dtype, part->n, opt, err);
    }
    return status;
}

static void pytree__rv_gather(const pytree_leaf *vector, const pytree__rv_list *list)
{
    char *at = (char *)vector->data;
    size_t i;
    for (i = 0; i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        pytree__rv_convert(at, vector->type->dtype, part->data, part->dtype, part->n);
        at += part->n * vector->type->size;
    }
}

/* Use the caller's memory, if the vector fits. */
static pytree_status pytree__rv_use_memory(pytree_leaf *made, const pytree_leaf *vector, pytree_error *err)
{
    if (vector->type->dtype != made->type->dtype) { return pytree__rv_wrong_type(made->type->dtype, vector->type, err); }
    if (vector->shape[0] < made->shape[0]) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected room for %zu elements, got %zu", made->shape[0],
                           vector->shape[0]);
    }
    made->data = vector->data;
    return PYTREE_OK;
}

pytree_status pytree_ravel(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err)
{
    const pytree_options *tree = pytree__rv_tree(opt);
    const bool fresh = vector != NULL && vector->data == NULL;
    pytree__rv_census census;
    pytree__rv_list list;
    pytree_leaf made;
    pytree_status status = fresh ? PYTREE_OK : pytree__rv_check_vector(vector, err);
    if (status == PYTREE_OK) { status = pytree__rv_shape(t, &census, &made, opt, err); }
    if (status == PYTREE_OK && !fresh) { status = pytree__rv_use_memory(&made, vector, err); }
    if (status != PYTREE_OK) { return status; }
    status = pytree__rv_list_leaves(&list, &census, t, false, tree, err);
    if (status == PYTREE_OK) { status = pytree__rv_check_leaves(t, &list, made.type->dtype, opt, err); }
    if (status == PYTREE_OK && fresh) { status = pytree__rv_new_vector(&made, tree, err); }
    if (status == PYTREE_OK) {
        pytree__rv_gather(&made, &list);
        *vector = made;
    }
    pytree__rv_end_list(&list);
    return status;
}

void pytree_ravel_free(pytree_leaf *vector)
{
    if (vector != NULL && vector->data != NULL) {
        const struct pytree__rv_vector_head head = ((struct pytree__rv_vector_head *)vector->data)[-1];
        pytree__resize(head.allocator, head.base, head.bytes, 0);
        memset(vector, 0, sizeof *vector);
    }
}

static pytree_status pytree__rv_check_length(const pytree_leaf *vector, size_t n, pytree_error *err)
{
    if (vector->shape[0] == n) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a vector of %zu elements, got %zu", n, vector->shape[0]);
}

/* Copy the numbers of the vector into the listed leaves, after checking for losses. */
static pytree_status pytree__rv_check_back(const pytree_leaf *vector, pytree t, const pytree__rv_list *list,
                                           const pytree_ravel_options *opt, pytree_error *err)
{
    const char *at = (const char *)vector->data;
    pytree_status status = PYTREE_OK;
    size_t i;
    for (i = 0; status == PYTREE_OK && i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        status = pytree__rv_check_loss(t, i, part->dtype, at, vector->type->dtype, part->n, opt, err);
        at += part->n * vector->type->size;
    }
    return status;
}

static void pytree__rv_scatter(const pytree_leaf *vector, const pytree__rv_list *list)
{
    const char *at = (const char *)vector->data;
    size_t i;
    for (i = 0; i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        pytree__rv_convert(part->data, part->dtype, at, vector->type->dtype, part->n);
        at += part->n * vector->type->size;
    }
}

/* List the leaves of a tree that the vector fits, so that writing cannot fail. End the list if this succeeds. */
static pytree_status pytree__rv_begin_unravel(pytree__rv_list *list, pytree__rv_census *census, const pytree_leaf *vector,
                                              pytree t, bool writes, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree_leaf wanted;
    bool any_type;
    pytree_status status = pytree__rv_check_vector(vector, err);
    if (status == PYTREE_OK) { status = pytree__rv_shape(t, census, &wanted, opt, err); }
    if (status == PYTREE_OK) { status = pytree__rv_check_length(vector, census->n, err); }
    if (status != PYTREE_OK) { return status; }
    any_type = pytree__rv_is_number(vector->type->dtype) && (census->set & (census->set - 1)) == 0
        && (opt == NULL || opt->dtype == PYTREE_NO_DTYPE);
    if (vector->type->dtype != wanted.type->dtype && !any_type) {
        return pytree__rv_wrong_type(wanted.type->dtype, vector->type, err);
    }
    status = pytree__rv_list_leaves(list, census, t, writes, pytree__rv_tree(opt), err);
    if (status == PYTREE_OK) { status = pytree__rv_check_back(vector, t, list, opt, err); }
    if (status != PYTREE_OK) { pytree__rv_end_list(list); }
    return status;
}

pytree_status pytree_unravel(const pytree_leaf *vector, pytree dst, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    pytree__rv_list list;
    const pytree_status status = pytree__rv_begin_unravel(&list, &census, vector, dst, true, opt, err);
    if (status == PYTREE_OK) {
        pytree__rv_scatter(vector, &list);
        pytree__rv_end_list(&list);
    }
    return status;
}

pytree pytree_unravel_like(const pytree_leaf *vector, pytree like, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree made = { NULL, NULL };
    pytree__rv_census census;
    pytree__rv_list list;
    if (pytree__rv_begin_unravel(&list, &census, vector, like, false, opt, err) != PYTREE_OK) { return made; }
    pytree__rv_end_list(&list);
    made = pytree_zeros_like(like, pytree__rv_tree(opt), err);
    if (made.data == NULL) { return made; }
    if (pytree__rv_list_leaves(&list, &census, made, false, pytree__rv_tree(opt), err) == PYTREE_OK) {
        pytree__rv_scatter(vector, &list);
    } else {
        pytree_free(made);
        made.type = NULL;
        made.data = NULL;
    }
    pytree__rv_end_list(&list);
    return made;
}

static pytree_status pytree__rv_want_one_type(uint32_t set, pytree_error *err)
{
    char types[200];
    struct pytree__text_writer to = pytree__text_to(types, sizeof types, NULL);
    if ((set & (set - 1)) == 0) { return PYTREE_OK; }
    pytree__rv_put_types(&to, set);
    pytree__end_text(&to, sizeof types);
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected leaves of one element type, got %s", types);
}

pytree_status pytree_unravel_views(const pytree_leaf *vector, pytree like, pytree_leaf *leaves, size_t capacity, size_t *count,
                                   const pytree_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    pytree_iter it;
    size_t first = 0;
    pytree_status status = pytree__rv_check_vector(vector, err);
    if (status == PYTREE_OK) { status = pytree__rv_count_numbers(like, &census, opt, err); }
    if (status == PYTREE_OK) { status = pytree__rv_want_one_type(census.set, err); }
    if (status == PYTREE_OK) { status = pytree__rv_check_length(vector, census.n, err); }
    if (status != PYTREE_OK) { return status; }
    if (count != NULL) { *count = census.leaves; }
    if (capacity < census.leaves) {
        return pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves, got %zu", capacity, census.leaves);
    }
    if (leaves == NULL && census.leaves != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an array of %zu leaves, got NULL", capacity);
    }
    (void)pytree_iter_begin(&it, 1, &like, opt, err);
    while (pytree_iter_next(&it)) {
        pytree_leaf *leaf = &leaves[it.index];
        *leaf = *it.leaf[0];
        leaf->data = (char *)vector->data + first * vector->type->size;
        leaf->type = vector->type;
        first += pytree_leaf_count(leaf);
    }
    pytree_iter_end(&it);
    return it.status;
}

bool pytree_contiguous(pytree t, size_t padding, pytree_leaf *vector, const pytree_options *opt, pytree_error *err)
{
    const pytree_type *type = pytree_dtype_type(PYTREE_F32);
    char *begin = NULL, *end = NULL;
    pytree__rv_census census;
    pytree_iter it;
    pytree_status status = pytree__rv_count_numbers(t, &census, opt, err);
    if (status == PYTREE_OK && (padding & (padding - 1)) != 0) {
        status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected 0 or a power of two for the padding, got %zu", padding);
    }
    if (status == PYTREE_OK) { status = pytree__rv_want_one_type(census.set, err); }
    if (status != PYTREE_OK) { return false; }
    (void)pytree_iter_begin(&it, 1, &t, opt, err);
    while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
        const pytree_leaf *leaf = it.leaf[0];
        const size_t bytes = pytree_leaf_bytes(leaf);
        const uintptr_t at = (uintptr_t)leaf->data, due = (uintptr_t)end;
        const bool padded = padding != 0 && at > due && at - due < padding && at % padding == 0
            && (at - due) % leaf->type->size == 0;
        type = leaf->type;
        if (bytes == 0) { continue; }
        if (begin == NULL) { begin = (char *)leaf->data; }
        else if (at != due && !padded) {
            it.status = pytree__fail_at(&it.cursors[0], PYTREE_VALUE,
                                        "expected the leaf to begin where the one before ends, got %s of %zu bytes",
                                        at > due ? "a gap" : "a step back", (size_t)(at > due ? at - due : due - at));
        }
        end = (char *)leaf->data + bytes;
    }
    pytree_iter_end(&it);
    if (it.status != PYTREE_OK) { return false; }
    if (vector != NULL) { *vector = pytree__rv_vector(begin, type, begin == NULL ? 0 : (size_t)(end - begin) / type->size); }
    return true;
}

#include "summary.h"
#endif
