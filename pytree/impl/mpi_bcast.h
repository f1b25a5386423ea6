/* pytree/impl/mpi_bcast.h: a tree broadcast. */
#ifndef PYTREE_IMPL_MPI_BCAST_H
#define PYTREE_IMPL_MPI_BCAST_H

#include "mpi_bucket.h"

/* MPI moves a long array faster than a datatype of an array and a few numbers, by a factor of four in Open MPI. So a tree is
 * broadcast in buckets, which are the same on every rank: where the leaves of one lie side by side it is an array, elsewhere a
 * datatype. Both are the same to MPI. Up to so many bytes, one datatype is faster. */
#define PYTREE__MPI_SMALL ((size_t)1 << 16)

/* The arguments of a call. */
typedef struct pytree__mpi_message {
    void *data;
    int n;
    MPI_Datatype type;
    bool own;                             /* `type` was made for it */
} pytree__mpi_message;

static pytree_status pytree__mpi_gaps(const pytree_mpi_request *r, pytree__mpi_place from, const pytree_bucket *bucket,
                                      MPI_Datatype *type, pytree_error *own)
{
    struct pytree__vector pieces = pytree__vector_of(sizeof(pytree__mpi_piece), r->allocator);
    const size_t size = bucket->type->size;
    pytree_status status = PYTREE_OK;
    size_t left = bucket->n;
    MPI_Aint at;
    for (; left != 0 && status == PYTREE_OK; from.leaf++, from.at = 0) {
        const pytree_leaf *const leaf = &r->leaves[from.leaf];
        const size_t there = pytree_leaf_count(leaf) - from.at, here = there < left ? there : left;
        (void)MPI_Get_address((char *)leaf->data + from.at * size, &at);
        status = pytree__mpi_add(&pieces, at, here, pytree_mpi_element(bucket->type), size, own);
        left -= here;
    }
    if (status == PYTREE_OK) { status = pytree__mpi_join(&pieces, type, own); }
    pytree__mpi_end_pieces(&pieces);
    return status == PYTREE_OK ? pytree__mpi_commit(type, own) : status;
}

/* Makes the messages that a tree is broadcast in. */
static void pytree__mpi_messages(pytree_mpi_request *r, struct pytree__vector *messages, pytree_error *own)
{
    pytree__mpi_place at = { 0, 0 }, from = at;
    pytree__mpi_message *m;
    pytree__mpi_extent extent;
    pytree_bucket bucket;
    size_t i, bytes = 0;
    for (i = 0; i < r->n_leaves; i++) { bytes = pytree__plus(bytes, pytree_leaf_bytes(&r->leaves[i])); }
    while (own->status == PYTREE_OK && (bytes <= PYTREE__MPI_SMALL ? messages->count == 0 : pytree__mpi_cut(r, &at, &bucket))) {
        m = (pytree__mpi_message *)pytree__vector_add(messages, 1, own);
        if (m == NULL) { return; }
        m->own = bytes <= PYTREE__MPI_SMALL || bucket.data == NULL;
        m->data = m->own ? MPI_BOTTOM : bucket.data;
        m->n = m->own ? 1 : (int)bucket.n;
        if (!m->own) { m->type = pytree_mpi_element(bucket.type); }
        else if ((bytes <= PYTREE__MPI_SMALL ? pytree__mpi_type_of(&r->tree, &m->type, &extent, r->allocator, own)
                                             : pytree__mpi_gaps(r, from, &bucket, &m->type, own)) != PYTREE_OK) {
            messages->count--;
        }
        from = at;
    }
}

pytree_status pytree_mpi_bcast(pytree t, int root, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    const pytree__mpi_tree none = { NULL, NULL };
    const pytree_allocator *const allocator = pytree__allocator(pytree__mpi_options(opt));
    struct pytree__vector messages = pytree__vector_of(sizeof(pytree__mpi_message), allocator);
    pytree_mpi_request *r;
    pytree_error own;
    pytree_status status;
    size_t i;
    memset(&own, 0, sizeof own);
    r = pytree__mpi_plan(PYTREE_BUCKET_ALLGATHER, t, comm, opt, &own);
    if (own.status == PYTREE_OK) { pytree__mpi_messages(r, &messages, &own); }
    status = pytree__mpi_agreed(r == NULL ? &none : &r->tree, r == NULL ? 0 : pytree__mix((uint64_t)root, r->most), &own, comm,
                                opt, err);
    for (i = 0; i < messages.count; i++) {
        pytree__mpi_message *const m = (pytree__mpi_message *)messages.data + i;
        if (status == PYTREE_OK) { status = pytree__mpi_ok(MPI_Bcast(m->data, m->n, m->type, root, comm), "MPI_Bcast", err); }
        if (m->own) { (void)MPI_Type_free(&m->type); }
    }
    pytree__vector_free(&messages);
    if (r != NULL) { pytree__mpi_request_free(r); }
    return status;
}
#endif
