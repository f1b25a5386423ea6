/* pytree/impl/pt_tensor.h: storages and tensors of a pickle, checked against the archive. */
#ifndef PYTREE_IMPL_PT_TENSOR_H
#define PYTREE_IMPL_PT_TENSOR_H

#include "pt_names.h"

/* Get the items of a tuple: their number, or 0 if there are none, it is no tuple, or there are more than PYTREE__PT_ITEMS. */
static size_t pytree__pt_items(const struct pytree__pt *p, uint32_t tuple, const struct pytree__pt_value **items)
{
    const struct pytree__pt_value *v = pytree__pt_at(p, tuple);
    size_t n = 0;
    uint32_t i;
    if (v->kind != PYTREE__PT_TUPLE || v->n > PYTREE__PT_ITEMS) { return 0; }
    for (i = v->of.items.first; i != 0; i = pytree__pt_item(p, i)->next) {
        items[n++] = pytree__pt_at(p, pytree__pt_item(p, i)->value);
    }
    return n;
}

/* The longest name of an archive's folder, without the NUL, and of a member in it, with the NUL. */
enum { PYTREE__PT_ROOT = 400, PYTREE__PT_MEMBER = 64 };

/* Find the member of a name below the root of the archive. */
static const pytree__npz_member *pytree__pt_member(const struct pytree__pt *p, const char *name)
{
    char path[PYTREE__PT_ROOT + 1 + PYTREE__PT_MEMBER];
    size_t i;
    (void)snprintf(path, sizeof path, "%.*s/%s", (int)p->root_bytes, p->root, name);
    i = pytree__name_index_find(&p->members, path);
    return i == SIZE_MAX ? NULL : &p->zip.members[i];
}

/* Make a storage of its persistent id: ("storage", torch.FloatStorage, "0", "cpu", 12), the number of elements last. */
static bool pytree__pt_make_storage(struct pytree__pt *p, uint32_t id)
{
    const struct pytree__pt_value *items[PYTREE__PT_ITEMS];
    const pytree__npz_member *member;
    struct pytree__pt_storage *s;
    struct pytree__pt_value *v;
    unsigned char dtype;
    uint64_t numbers, size;
    char name[PYTREE__PT_MEMBER];
    if (pytree__pt_items(p, id, items) != 5 || !pytree__pt_is(p, items[0], "storage")
        || items[1]->kind != PYTREE__PT_STORAGE_TYPE || items[2]->kind != PYTREE__PT_TEXT || items[2]->n > 40
        || items[3]->kind != PYTREE__PT_TEXT || items[4]->kind != PYTREE__PT_INT || items[4]->of.integer < 0) {
        return pytree__pt_wrong(p, "a storage: its type, key, place and number of elements", "another id");
    }
    (void)snprintf(name, sizeof name, "data/%.*s", (int)items[2]->n, pytree__pt_text(p, items[2]));
    dtype = items[1]->dtype;
    numbers = (uint64_t)items[4]->of.integer;
    size = dtype == PYTREE__PT_UNTYPED ? 1 : pytree__pt_dtypes[dtype].size;
    member = pytree__pt_member(p, name);
    if (member == NULL) { return pytree__pt_wrong(p, "a member of the archive for each storage", name); }
    if (member->method != PYTREE__NPZ_STORED) {
        return pytree__pt_wrong(p, "storages that are not compressed, as torch.save writes them", name);
    }
    if (numbers > member->size / size || numbers * size != member->size) {
        return pytree__pt_wrong(p, "as many bytes in the archive as the storage has", name);
    }
    s = (struct pytree__pt_storage *)pytree__vector_add(&p->storages, 1, p->err);
    v = s == NULL ? NULL : pytree__pt_new(p, PYTREE__PT_STORAGE);
    if (v == NULL) { return false; }
    s->dtype = dtype;
    s->numbers = numbers;
    s->bytes = member->size;
    s->offset = member->data;
    v->of.at = (uint32_t)(p->storages.count - 1);
    return true;
}

/* Write the integers of a tuple, at most PYTREE__PT_DIMS from 0 on. Returns their number, or SIZE_MAX. */
static size_t pytree__pt_numbers(const struct pytree__pt *p, const struct pytree__pt_value *v, uint64_t *numbers)
{
    size_t n = 0;
    uint32_t i;
    if (v->kind == PYTREE__PT_EMPTY) { return 0; }
    if (v->kind != PYTREE__PT_TUPLE || v->n > PYTREE__PT_DIMS) { return SIZE_MAX; }
    for (i = v->of.items.first; i != 0; i = pytree__pt_item(p, i)->next) {
        const struct pytree__pt_value *item = pytree__pt_at(p, pytree__pt_item(p, i)->value);
        if (item->kind != PYTREE__PT_INT || item->of.integer < 0) { return SIZE_MAX; }
        numbers[n++] = (uint64_t)item->of.integer;
    }
    return n;
}

/* Check that an array lies within its storage of `all` elements, `offset` from its begin. Sets the number of its elements. */
static bool pytree__pt_within(size_t ndim, const uint64_t *shape, const uint64_t *strides, uint64_t offset, uint64_t all,
                              uint64_t *n)
{
    uint64_t last = offset;
    size_t d;
    for (*n = 1, d = 0; d < ndim; d++) {
        if (shape[d] != 0 && *n > (uint64_t)INT64_MAX / 16 / shape[d]) { return false; }
        *n *= shape[d];
    }
    if (*n == 0) { return offset <= all; }
    if (offset >= all) { return false; }
    for (d = 0; d < ndim; d++) {
        if (strides[d] != 0 && shape[d] - 1 > (all - 1 - last) / strides[d]) { return false; }
        last += (shape[d] - 1) * strides[d];
    }
    return true;
}

/* Tell whether elements lie in row-major order without gaps. */
static bool pytree__pt_row_major(size_t ndim, const uint64_t *shape, const uint64_t *strides)
{
    uint64_t step = 1;
    size_t d;
    for (d = ndim; d-- > 0;) {
        if (shape[d] != 1 && strides[d] != step) { return false; }
        step *= shape[d];
    }
    return true;
}

/* Make a tensor of the arguments of _rebuild_tensor_v2 and _v3: storage, offset, size, stride, requires_grad, hooks, in v3 the
 * dtype, then perhaps a dict of more, which must be empty: of a conjugate, for example, it says that the numbers are others. */
static bool pytree__pt_make_tensor(struct pytree__pt *p, uint32_t arguments, bool v3)
{
    const struct pytree__pt_value *items[PYTREE__PT_ITEMS], *more;
    const struct pytree__pt_storage *s;
    struct pytree__pt_tensor *t;
    struct pytree__pt_value *v;
    uint64_t shape[PYTREE__PT_DIMS], strides[PYTREE__PT_DIMS], n, size, at, *to;
    size_t count = pytree__pt_items(p, arguments, items), ndim, needs = v3 ? 7 : 6;
    unsigned char dtype;
    if (count < needs || count > needs + 1 || items[0]->kind != PYTREE__PT_STORAGE || items[1]->kind != PYTREE__PT_INT
        || items[1]->of.integer < 0 || items[5]->kind != PYTREE__PT_DICT || items[5]->n != 0
        || (v3 && items[6]->kind != PYTREE__PT_DTYPE)) {
        return pytree__pt_wrong(p, "a tensor: its storage, offset, size and strides", "other arguments");
    }
    more = count > needs ? items[needs] : items[5];
    if (more->kind != PYTREE__PT_NONE && (more->kind != PYTREE__PT_DICT || more->n != 0)) {
        return pytree__pt_wrong(p, "tensors that are their storage's numbers (call resolve_conj and resolve_neg in Python)",
                                "one with metadata");
    }
    s = (const struct pytree__pt_storage *)p->storages.data + items[0]->of.at;
    dtype = v3 ? items[6]->dtype : s->dtype;
    if (v3 != (s->dtype == PYTREE__PT_UNTYPED)) { return pytree__pt_wrong(p, "a tensor with one element type", "none or two"); }
    size = pytree__pt_dtypes[dtype].size;
    at = (uint64_t)items[1]->of.integer;
    ndim = pytree__pt_numbers(p, items[2], shape);
    if (ndim == SIZE_MAX || pytree__pt_numbers(p, items[3], strides) != ndim) {
        return pytree__pt_wrong(p, "extents and strides from 0 on, of up to 16 dimensions", "others");
    }
    if (!pytree__pt_within(ndim, shape, strides, at, s->bytes / size, &n)) {
        return pytree__pt_wrong(p, "a tensor within its storage", "one that is not");
    }
    t = (struct pytree__pt_tensor *)pytree__vector_add(&p->tensors, 1, p->err);
    to = t == NULL ? NULL : (uint64_t *)pytree__vector_add(&p->ck->files[0].shapes, 2 * ndim + 1, p->err);
    v = to == NULL ? NULL : pytree__pt_new(p, PYTREE__PT_TENSOR);
    if (v == NULL) { return false; }
    memcpy(to, shape, ndim * sizeof *to);
    memcpy(to + ndim, strides, ndim * sizeof *to);
    t->dtype = dtype;
    t->ndim = (unsigned short)ndim;
    t->shape = (uint32_t)(p->ck->files[0].shapes.count - 2 * ndim - 1);
    t->strided = n != 0 && !pytree__pt_row_major(ndim, shape, strides);
    t->offset = s->offset + (n == 0 ? 0 : at * size);
    t->bytes = n * size;
    v->of.at = (uint32_t)(p->tensors.count - 1);
    return true;
}

#include "pt_pickle.h"
#endif
