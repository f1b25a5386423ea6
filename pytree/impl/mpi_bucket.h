/* pytree/impl/mpi_bucket.h: trees cut into buckets, which are summed and shared by MPI or by a backend of the user's. */
#ifndef PYTREE_IMPL_MPI_BUCKET_H
#define PYTREE_IMPL_MPI_BUCKET_H

#include "mpi_sum.h"

#define PYTREE__MPI_FLIGHTS 2             /* buckets that are on their way at a time */
#define PYTREE__MPI_BUCKET_BYTES ((size_t)25000000)

/* A place in a tree whose leaves are ordered by type: a leaf, and an element of it. */
typedef struct pytree__mpi_place {
    size_t leaf, at;
} pytree__mpi_place;

/* A bucket that is on its way, and its memory. */
typedef struct pytree__mpi_flight {
    pytree_bucket bucket;
    pytree__mpi_place from;               /* where its elements begin */
    char *copy, *parts;                   /* of leaves that do not lie side by side; this rank's part of every rank */
    int *counts[3], *places[2];           /* parts of the bucket, and what goes out and comes in; in the bucket, in `parts` */
    MPI_Request request;
} pytree__mpi_flight;

struct pytree_mpi_request {
    pytree__mpi_tree tree;
    pytree_leaf *leaves;                  /* those with elements, by type */
    size_t n_leaves, most;                /* most: bytes in a bucket */
    pytree_bucket_operation operation;
    pytree_bucket_backend backend;
    MPI_Comm comm;
    int rank, ranks;
    pytree__mpi_place next;               /* where the next bucket begins */
    size_t started, finished;
    char *memory;
    size_t copy_bytes, part_bytes;        /* of a flight */
    pytree__mpi_flight flights[PYTREE__MPI_FLIGHTS];
    const pytree_allocator *allocator;
};

/* ---- Cutting -------------------------------------------------------------------------------------------------------- */

/* Finds where rank r's part of n elements begins: parts are equal, but the first ones may have an element more. */
static size_t pytree__mpi_part_at(size_t n, int r, int ranks)
{
    const size_t each = n / (size_t)ranks, more = n % (size_t)ranks;
    return each * (size_t)r + ((size_t)r < more ? (size_t)r : more);
}

/* Cuts the next bucket off. Returns false at the end. Its data are NULL where its leaves do not lie side by side. */
static bool pytree__mpi_cut(const pytree_mpi_request *r, pytree__mpi_place *next, pytree_bucket *bucket)
{
    const pytree_leaf *leaf = &r->leaves[next->leaf];
    const char *end = NULL;
    size_t most, n = 0;
    if (next->leaf == r->n_leaves) { return false; }
    bucket->type = leaf->type;
    most = r->most / leaf->type->size;
    most = most > INT_MAX / 2 ? INT_MAX / 2 : most;            /* the parts of all ranks are a little more */
    most = most == 0 ? 1 : most;
    bucket->data = (char *)leaf->data + next->at * leaf->type->size;
    end = (const char *)bucket->data;
    while (n < most && next->leaf < r->n_leaves && leaf->type->dtype == bucket->type->dtype) {
        const size_t left = pytree_leaf_count(leaf) - next->at, here = left < most - n ? left : most - n;
        if ((const char *)leaf->data + next->at * leaf->type->size != end) { bucket->data = NULL; }
        n += here;
        next->at += here;
        end = (const char *)leaf->data + next->at * leaf->type->size;
        if (here == left) {
            next->leaf++;
            next->at = 0;
            leaf++;
        }
    }
    bucket->n = n;
    bucket->part = pytree__mpi_part_at(n, r->rank, r->ranks);
    bucket->n_part = pytree__mpi_part_at(n, r->rank + 1, r->ranks) - bucket->part;
    return true;
}

/* Copies the elements of a bucket's leaves to its copy, or back. */
static void pytree__mpi_copy(const pytree_mpi_request *r, const pytree__mpi_flight *f, bool back)
{
    const size_t size = f->bucket.type->size;
    pytree__mpi_place from = f->from;
    size_t n = 0;
    while (n < f->bucket.n) {
        const pytree_leaf *const leaf = &r->leaves[from.leaf];
        const size_t left = pytree_leaf_count(leaf) - from.at, here = left < f->bucket.n - n ? left : f->bucket.n - n;
        char *const there = (char *)leaf->data + from.at * size;
        memcpy(back ? there : f->copy + n * size, back ? f->copy + n * size : there, here * size);
        n += here;
        from.leaf++;
        from.at = 0;
    }
}

/* ---- MPI as the backend ---------------------------------------------------------------------------------------------- */

/* Counts what goes to each rank and comes from it. */
static void pytree__mpi_count(const pytree_mpi_request *r, pytree__mpi_flight *f)
{
    const pytree_bucket *const b = &f->bucket;
    int i;
    for (i = 0; i < r->ranks; i++) {
        const size_t at = pytree__mpi_part_at(b->n, i, r->ranks), end = pytree__mpi_part_at(b->n, i + 1, r->ranks);
        f->counts[0][i] = (int)(end - at);
        f->places[0][i] = (int)(at);
        f->counts[1][i] = i == r->rank ? 0 : f->counts[0][i];  /* the own part stays where it is */
        f->counts[2][i] = i == r->rank ? 0 : (int)b->n_part;
        f->places[1][i] = (int)(b->n_part * (size_t)i);
    }
}

static pytree_status pytree__mpi_share_start(void *context, pytree_bucket *bucket, pytree_error *err)
{
    pytree_mpi_request *const r = (pytree_mpi_request *)context;
    pytree__mpi_flight *const f = &r->flights[bucket->index % PYTREE__MPI_FLIGHTS];
    const MPI_Datatype type = pytree_mpi_element(bucket->type);
    pytree__mpi_count(r, f);
    if (bucket->operation == PYTREE_BUCKET_ALLGATHER) {
        return pytree__mpi_ok(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bucket->data, f->counts[0], f->places[0],
                                              type, r->comm, &f->request),
                              "MPI_Iallgatherv", err);
    }
    return pytree__mpi_ok(MPI_Ialltoallv(bucket->data, f->counts[1], f->places[0], type, f->parts, f->counts[2], f->places[1],
                                         type, r->comm, &f->request),
                          "MPI_Ialltoallv", err);
}

static pytree_status pytree__mpi_share_finish(void *context, pytree_bucket *bucket, pytree_error *err)
{
    pytree_mpi_request *const r = (pytree_mpi_request *)context;
    pytree__mpi_flight *const f = &r->flights[bucket->index % PYTREE__MPI_FLIGHTS];
    size_t numbers;
    pytree__mpi_addition *const add = pytree__mpi_addition_of(bucket->type->dtype, &numbers);
    const pytree_status status = pytree__mpi_ok(MPI_Wait(&f->request, MPI_STATUS_IGNORE), "MPI_Wait", err);
    if (status != PYTREE_OK || bucket->operation == PYTREE_BUCKET_ALLGATHER) { return status; }
    add((char *)bucket->data + bucket->part * bucket->type->size, f->parts, bucket->n_part * numbers, (size_t)r->ranks,
        (size_t)r->rank);
    if (bucket->operation == PYTREE_BUCKET_REDUCE_SCATTER) { return PYTREE_OK; }
    return pytree__mpi_ok(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bucket->data, f->counts[0], f->places[0],
                                         pytree_mpi_element(bucket->type), r->comm),
                          "MPI_Allgatherv", err);
}

/* ---- Requests ------------------------------------------------------------------------------------------------------- */

static void pytree__mpi_request_free(pytree_mpi_request *r)
{
    const size_t flights = pytree__times(PYTREE__MPI_FLIGHTS, pytree__plus(r->copy_bytes, r->part_bytes));
    if (r->memory != NULL) { pytree__resize(r->allocator, r->memory, flights, 0); }
    if (r->tree.def != NULL) { pytree__array_free(r->leaves, r->tree.def->n_leaves, sizeof *r->leaves, r->allocator); }
    pytree_def_free(r->tree.def);
    pytree__resize(r->allocator, r, sizeof *r, 0);
}

/* Lists the leaves that have elements, those of the type of the first one first. Leaves that are only moved may be anything:
 * opaque values are bytes. */
static pytree_status pytree__mpi_order(pytree_mpi_request *r, pytree_error *own)
{
    const size_t n = r->tree.def->n_leaves;
    uint32_t done = 0;
    size_t i, k, numbers;
    r->leaves = (pytree_leaf *)pytree__array_new(n, sizeof *r->leaves, r->allocator, own);
    if (r->leaves == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < n; i++) {
        const pytree_leaf *const leaf = &r->tree.leaves[i];
        const pytree_dtype dtype = pytree_is_leaf(leaf) ? leaf->type->dtype : PYTREE_NO_DTYPE;
        const bool moved = r->operation == PYTREE_BUCKET_ALLGATHER;
        if (leaf->form == PYTREE_FORM_NONE) { continue; }
        if (!pytree_is_leaf(leaf) || (moved ? pytree_mpi_element(leaf->type) == MPI_DATATYPE_NULL
                                            : pytree__mpi_addition_of(dtype, &numbers) == NULL)) {
            return pytree__mpi_fail_leaf(&r->tree, i, moved ? "numbers" : "numbers to add", own);
        }
        if ((done >> dtype & 1) != 0) { continue; }
        done |= UINT32_C(1) << dtype;
        for (k = i; k < n; k++) {
            const pytree_leaf *const other = &r->tree.leaves[k];
            if (pytree_is_leaf(other) && other->type->dtype == dtype && pytree_leaf_bytes(other) != 0) {
                pytree_leaf *const listed = &r->leaves[r->n_leaves++];
                *listed = *other;
                if (dtype != PYTREE_OPAQUE) { continue; }
                listed->type = &pytree_types[PYTREE__T_uchar];
                listed->ndim = 1;
                listed->shape[0] = pytree_leaf_bytes(other);
            }
        }
    }
    return PYTREE_OK;
}

/* Makes memory for the flights, as much as any bucket needs. */
static pytree_status pytree__mpi_provide(pytree_mpi_request *r, pytree_error *own)
{
    const size_t counts = pytree__round((size_t)r->ranks * 5 * sizeof(int), 64);
    pytree__mpi_place at = { 0, 0 };
    pytree_bucket bucket;
    size_t bytes, i, k;
    while (pytree__mpi_cut(r, &at, &bucket)) {
        const size_t part = (bucket.n / (size_t)r->ranks + 1) * bucket.type->size;
        bytes = pytree__round(bucket.n * bucket.type->size, 64);
        if (bucket.data == NULL && bytes > r->copy_bytes) { r->copy_bytes = bytes; }
        bytes = pytree__round(pytree__times(part, (size_t)r->ranks), 64);
        if (bytes > r->part_bytes) { r->part_bytes = bytes; }
    }
    r->part_bytes = pytree__plus(r->part_bytes, counts);
    bytes = pytree__times(PYTREE__MPI_FLIGHTS, pytree__plus(r->copy_bytes, r->part_bytes));
    r->memory = (char *)pytree__resize(r->allocator, NULL, 0, bytes);
    if (r->memory == NULL) { return pytree__no_memory(own, bytes); }
    for (i = 0; i < PYTREE__MPI_FLIGHTS; i++) {
        pytree__mpi_flight *const f = &r->flights[i];
        f->copy = r->memory + i * (r->copy_bytes + r->part_bytes);
        for (k = 0; k < 5; k++) {
            *(k < 3 ? &f->counts[k] : &f->places[k - 3]) = (int *)(void *)(f->copy + r->copy_bytes) + k * (size_t)r->ranks;
        }
        f->parts = f->copy + r->copy_bytes + counts;
    }
    return PYTREE_OK;
}

/* Starts the next bucket. */
static pytree_status pytree__mpi_take_off(pytree_mpi_request *r, pytree_error *err)
{
    pytree__mpi_flight *const f = &r->flights[r->started % PYTREE__MPI_FLIGHTS];
    pytree_status status;
    f->from = r->next;
    if (!pytree__mpi_cut(r, &r->next, &f->bucket)) { return PYTREE_OK; }
    f->bucket.operation = r->operation;
    f->bucket.index = r->started;
    f->bucket.own = NULL;
    if (f->bucket.data == NULL) {
        f->bucket.data = f->copy;
        pytree__mpi_copy(r, f, false);
    }
    status = r->backend.start(r->backend.context, &f->bucket, err);
    if (status == PYTREE_OK) { r->started++; }
    return status;
}

/* Finishes the bucket that was started first. */
static pytree_status pytree__mpi_land(pytree_mpi_request *r, pytree_error *err)
{
    pytree__mpi_flight *const f = &r->flights[r->finished % PYTREE__MPI_FLIGHTS];
    const pytree_status status = r->backend.finish(r->backend.context, &f->bucket, err);
    if (status == PYTREE_OK && f->bucket.data == f->copy) { pytree__mpi_copy(r, f, true); }
    r->finished++;
    return status;
}

/* Makes a request with everything that can fail on one rank. */
static pytree_mpi_request *pytree__mpi_plan(pytree_bucket_operation operation, pytree t, MPI_Comm comm,
                                            const pytree_mpi_options *opt, pytree_error *own)
{
    const pytree_allocator *const allocator = pytree__allocator(pytree__mpi_options(opt));
    pytree_mpi_request *const r = (pytree_mpi_request *)pytree__resize(allocator, NULL, 0, sizeof *r);
    if (r == NULL) {
        (void)pytree__no_memory(own, sizeof *r);
        return NULL;
    }
    memset(r, 0, sizeof *r);
    r->allocator = allocator;
    r->operation = operation;
    r->comm = comm;
    r->most = opt == NULL || opt->bucket_bytes == 0 ? PYTREE__MPI_BUCKET_BYTES : opt->bucket_bytes;
    r->backend.start = pytree__mpi_share_start;
    r->backend.finish = pytree__mpi_share_finish;
    r->backend.context = r;
    if (opt != NULL && opt->backend != NULL) { r->backend = *opt->backend; }
    if (pytree__mpi_ok(MPI_Comm_rank(comm, &r->rank), "MPI_Comm_rank", own) == PYTREE_OK
        && pytree__mpi_ok(MPI_Comm_size(comm, &r->ranks), "MPI_Comm_size", own) == PYTREE_OK
        && pytree__mpi_open(t, &r->tree, pytree__mpi_options(opt), own) == PYTREE_OK) {
        (void)pytree__mpi_order(r, own);
    }
    return r;
}

pytree_mpi_request *pytree_mpi_start(pytree_bucket_operation operation, pytree t, MPI_Comm comm, const pytree_mpi_options *opt,
                                     pytree_error *err)
{
    const pytree__mpi_tree none = { NULL, NULL };
    pytree_mpi_request *r;
    pytree_error own;
    size_t i;
    pytree_status status;
    memset(&own, 0, sizeof own);
    r = pytree__mpi_plan(operation, t, comm, opt, &own);
    if (own.status == PYTREE_OK) { (void)pytree__mpi_provide(r, &own); }
    status = pytree__mpi_agreed(r == NULL ? &none : &r->tree, r == NULL ? 0 : pytree__mix((uint64_t)operation, r->most), &own,
                                comm, opt, err);
    for (i = 0; status == PYTREE_OK && i < PYTREE__MPI_FLIGHTS; i++) { status = pytree__mpi_take_off(r, err); }
    if (status == PYTREE_OK) { return r; }
    while (r != NULL && r->finished < r->started) { (void)pytree__mpi_land(r, err); }
    if (r != NULL) { pytree__mpi_request_free(r); }
    return NULL;
}

pytree_status pytree_mpi_finish(pytree_mpi_request *request, pytree_error *err)
{
    pytree_status status = PYTREE_OK, landed;
    if (request == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a request, got NULL"); }
    while (request->finished < request->started) {
        landed = pytree__mpi_land(request, err);
        if (status == PYTREE_OK) { status = landed; }
        if (status == PYTREE_OK) { status = pytree__mpi_take_off(request, err); }
    }
    pytree__mpi_request_free(request);
    return status;
}

static pytree_status pytree__mpi_whole(pytree_bucket_operation operation, pytree t, MPI_Comm comm,
                                       const pytree_mpi_options *opt, pytree_error *err)
{
    pytree_error own;
    pytree_mpi_request *request;
    memset(&own, 0, sizeof own);
    request = pytree_mpi_start(operation, t, comm, opt, &own);
    if (request != NULL) { (void)pytree_mpi_finish(request, &own); }
    return own.status == PYTREE_OK ? PYTREE_OK : pytree__mpi_fail_own(&own, err);
}

pytree_status pytree_mpi_allreduce(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    return pytree__mpi_whole(PYTREE_BUCKET_ALLREDUCE, t, comm, opt, err);
}

pytree_status pytree_mpi_reduce_scatter(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    return pytree__mpi_whole(PYTREE_BUCKET_REDUCE_SCATTER, t, comm, opt, err);
}

pytree_status pytree_mpi_allgather(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    return pytree__mpi_whole(PYTREE_BUCKET_ALLGATHER, t, comm, opt, err);
}

/* ---- Parts ---------------------------------------------------------------------------------------------------------- */

/* Lists this rank's part of a bucket, which begins at `from`. Returns how many views it has; those that fit are written. */
static size_t pytree__mpi_part_views(const pytree_mpi_request *r, pytree__mpi_place from, const pytree_bucket *bucket,
                                     pytree_leaf *views, size_t capacity)
{
    size_t skip = bucket->part, left = bucket->n_part, n = 0;
    for (; left != 0; from.leaf++, from.at = 0) {
        const pytree_leaf *const leaf = &r->leaves[from.leaf];
        const size_t there = pytree_leaf_count(leaf) - from.at, gone = skip < there ? skip : there;
        const size_t here = there - gone < left ? there - gone : left;
        skip -= gone;
        left -= here;
        if (here == 0) { continue; }
        if (n < capacity) {
            memset(&views[n], 0, sizeof views[n]);
            views[n].data = (char *)leaf->data + (from.at + gone) * leaf->type->size;
            views[n].type = leaf->type;
            views[n].ndim = 1;
            views[n].shape[0] = here;
        }
        n++;
    }
    return n;
}

pytree_status pytree_mpi_part(pytree t, MPI_Comm comm, pytree_leaf *views, size_t capacity, size_t *count,
                              const pytree_mpi_options *opt, pytree_error *err)
{
    pytree__mpi_place at = { 0, 0 }, from = at;
    pytree_bucket bucket;
    pytree_error own;
    size_t n = 0;
    pytree_mpi_request *r;
    memset(&own, 0, sizeof own);
    r = pytree__mpi_plan(PYTREE_BUCKET_ALLGATHER, t, comm, opt, &own);
    while (own.status == PYTREE_OK && pytree__mpi_cut(r, &at, &bucket)) {
        n += pytree__mpi_part_views(r, from, &bucket, n < capacity ? views + n : NULL, n < capacity ? capacity - n : 0);
        from = at;
    }
    if (own.status == PYTREE_OK && n > capacity) {
        (void)pytree_fail(&own, PYTREE_TOO_MANY_LEAVES, NULL, "expected room for %zu views, got %zu", n, capacity);
    }
    if (count != NULL && (own.status == PYTREE_OK || own.status == PYTREE_TOO_MANY_LEAVES)) { *count = n; }
    if (r != NULL) { pytree__mpi_request_free(r); }
    return own.status == PYTREE_OK ? PYTREE_OK : pytree__mpi_fail_own(&own, err);
}

#endif
