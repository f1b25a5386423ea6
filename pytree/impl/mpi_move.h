/* pytree/impl/mpi_move.h: whole trees broadcast, sent, received, gathered, scattered, written and read. */
#ifndef PYTREE_IMPL_MPI_MOVE_H
#define PYTREE_IMPL_MPI_MOVE_H

#include "mpi_agree.h"

/* A tree and the datatype of its leaves, or of the short ones, which is MPI_DATATYPE_NULL where there is none. */
typedef struct pytree__mpi_cargo {
    pytree__mpi_tree tree;
    MPI_Datatype type;
    pytree__mpi_extent extent;
} pytree__mpi_cargo;

static void pytree__mpi_load(pytree t, size_t below, pytree__mpi_cargo *cargo, const pytree_mpi_options *opt, pytree_error *own)
{
    const pytree_options *const options = pytree__mpi_options(opt);
    MPI_Datatype type;
    cargo->type = MPI_DATATYPE_NULL;
    if (pytree__mpi_open(t, &cargo->tree, options, own) == PYTREE_OK
        && pytree__mpi_type_of(&cargo->tree, below, &type, &cargo->extent, pytree__allocator(options), own) == PYTREE_OK) {
        cargo->type = type;
    }
}

static void pytree__mpi_unload(pytree__mpi_cargo *cargo)
{
    if (cargo->type != MPI_DATATYPE_NULL) { (void)MPI_Type_free(&cargo->type); }
    pytree_def_free(cargo->tree.def);
}

/* Fails as this rank did by itself. */
static pytree_status pytree__mpi_fail_own(const pytree_error *own, pytree_error *err)
{
    return pytree_fail(err, own->status, own->path, "%s", own->message);
}

/* ---- From one rank to all ------------------------------------------------------------------------------------------ */

/* MPI moves a long array faster than a datatype of many, by a factor of four in Open MPI. So leaves of so many bytes are
 * messages of their own, and all others one. */
#define PYTREE__MPI_LONG ((size_t)1 << 14)

static pytree_status pytree__mpi_bcast_long(const pytree_leaf *leaf, int root, MPI_Comm comm, pytree_error *err)
{
    const MPI_Datatype type = pytree_mpi_element(leaf->type);
    const size_t size = leaf->type->size / pytree__mpi_units(leaf->type), n = pytree_leaf_bytes(leaf) / size;
    pytree_status status = PYTREE_OK;
    size_t at, here;
    for (at = 0; at < n && status == PYTREE_OK; at += here) {
        here = n - at < PYTREE_MPI_COUNT ? n - at : PYTREE_MPI_COUNT;
        status = pytree__mpi_ok(MPI_Bcast((char *)leaf->data + at * size, (int)here, type, root, comm), "MPI_Bcast", err);
    }
    return status;
}

pytree_status pytree_mpi_bcast(pytree t, int root, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    pytree__mpi_cargo cargo;
    pytree_error own;
    pytree_status status;
    size_t i;
    memset(&own, 0, sizeof own);
    pytree__mpi_load(t, PYTREE__MPI_LONG, &cargo, opt, &own);
    status = pytree__mpi_agreed(&cargo.tree, (uint64_t)root, &own, comm, opt, err);
    if (status == PYTREE_OK) { status = pytree__mpi_ok(MPI_Bcast(MPI_BOTTOM, 1, cargo.type, root, comm), "MPI_Bcast", err); }
    for (i = 0; status == PYTREE_OK && i < cargo.tree.def->n_leaves; i++) {
        const pytree_leaf *const leaf = &cargo.tree.leaves[i];
        if (pytree_is_leaf(leaf) && pytree_leaf_bytes(leaf) >= PYTREE__MPI_LONG) {
            status = pytree__mpi_bcast_long(leaf, root, comm, err);
        }
    }
    pytree__mpi_unload(&cargo);
    return status;
}

/* ---- From one rank to another --------------------------------------------------------------------------------------- */

pytree_status pytree_mpi_send(pytree t, int to, int tag, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    pytree__mpi_cargo cargo;
    pytree_error own;
    pytree_status status;
    memset(&own, 0, sizeof own);
    pytree__mpi_load(t, SIZE_MAX, &cargo, opt, &own);
    status = own.status != PYTREE_OK ? pytree__mpi_fail_own(&own, err)
                                     : pytree__mpi_ok(MPI_Send(MPI_BOTTOM, 1, cargo.type, to, tag, comm), "MPI_Send", err);
    pytree__mpi_unload(&cargo);
    return status;
}

/* Receives a message that has just the tree's numbers. */
static pytree_status pytree__mpi_receive(const pytree__mpi_cargo *cargo, int from, int tag, MPI_Comm comm, MPI_Status *got,
                                         pytree_error *err)
{
    MPI_Count elements;
    pytree_status status = pytree__mpi_ok(MPI_Probe(from, tag, comm, got), "MPI_Probe", err);
    if (status == PYTREE_OK) {
        status = pytree__mpi_ok(MPI_Get_elements_x(got, cargo->type, &elements), "MPI_Get_elements_x", err);
    }
    if (status != PYTREE_OK) { return status; }
    if (elements != cargo->extent.elements) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a message of %lld numbers from rank %d, got %lld",
                           (long long)cargo->extent.elements, got->MPI_SOURCE, (long long)elements);
    }
    return pytree__mpi_ok(MPI_Recv(MPI_BOTTOM, 1, cargo->type, got->MPI_SOURCE, got->MPI_TAG, comm, got), "MPI_Recv", err);
}

pytree_status pytree_mpi_recv(pytree t, int from, int tag, MPI_Comm comm, MPI_Status *status, const pytree_mpi_options *opt,
                              pytree_error *err)
{
    pytree__mpi_cargo cargo;
    MPI_Status got;
    pytree_error own;
    pytree_status result;
    memset(&own, 0, sizeof own);
    pytree__mpi_load(t, SIZE_MAX, &cargo, opt, &own);
    result = own.status != PYTREE_OK ? pytree__mpi_fail_own(&own, err)
                                     : pytree__mpi_receive(&cargo, from, tag, comm, &got, err);
    if (result == PYTREE_OK && status != NULL) { *status = got; }
    pytree__mpi_unload(&cargo);
    return result;
}

/* ---- From or to one rank for each ----------------------------------------------------------------------------------- */

/* The trees of all ranks on one of them, and the arguments of MPI_Alltoallw: no call but that takes a datatype for each. */
typedef struct pytree__mpi_exchange {
    size_t n;
    pytree__mpi_cargo *cargos;            /* on the root, otherwise NULL */
    int *counts[2], *zeros;               /* of what goes out and comes in; displacements */
    MPI_Datatype *types[2];
    void *arrays;
    const pytree_allocator *allocator;
} pytree__mpi_exchange;

enum { PYTREE__MPI_EACH = 2 * sizeof(MPI_Datatype) + 3 * sizeof(int) };

static void pytree__mpi_end_exchange(pytree__mpi_exchange *x)
{
    size_t i;
    for (i = 0; x->cargos != NULL && i < x->n; i++) { pytree__mpi_unload(&x->cargos[i]); }
    pytree__array_free(x->cargos, x->n, sizeof *x->cargos, x->allocator);
    pytree__array_free(x->arrays, x->n, PYTREE__MPI_EACH, x->allocator);
}

/* Makes an exchange in which nothing is sent. */
static void pytree__mpi_begin_exchange(pytree__mpi_exchange *x, int ranks, const pytree_mpi_options *opt, pytree_error *own)
{
    size_t i, k;
    memset(x, 0, sizeof *x);
    x->n = (size_t)ranks;
    x->allocator = pytree__allocator(pytree__mpi_options(opt));
    x->arrays = pytree__array_new(x->n, PYTREE__MPI_EACH, x->allocator, own);
    if (x->arrays == NULL) { return; }
    memset(x->arrays, 0, x->n * PYTREE__MPI_EACH);
    for (k = 0; k < 2; k++) {
        x->types[k] = (MPI_Datatype *)x->arrays + k * x->n;
        x->counts[k] = (int *)(void *)((MPI_Datatype *)x->arrays + 2 * x->n) + k * x->n;
        for (i = 0; i < x->n; i++) { x->types[k][i] = MPI_BYTE; }
    }
    x->zeros = x->counts[1] + x->n;
}

/* Adds the trees of all ranks, on the root: `way` is 1 where they come in. */
static void pytree__mpi_add_trees(pytree__mpi_exchange *x, const pytree *trees, const pytree__mpi_cargo *own_tree, pytree t,
                                  int root, int way, const pytree_mpi_options *opt, pytree_error *own)
{
    size_t i;
    if (trees == NULL) {
        (void)pytree_fail(own, PYTREE_ARGUMENT, NULL, "expected a tree for each of %zu ranks, got NULL", x->n);
        return;
    }
    x->cargos = (pytree__mpi_cargo *)pytree__array_new(x->n, sizeof *x->cargos, x->allocator, own);
    if (x->cargos == NULL) { return; }
    for (i = 0; i < x->n; i++) {
        x->cargos[i].type = MPI_DATATYPE_NULL;
        x->cargos[i].tree.def = NULL;
    }
    for (i = 0; i < x->n && own->status == PYTREE_OK; i++) {
        if (i == (size_t)root && trees[i].data == t.data) {      /* it is there */
            x->counts[1 - way][i] = 0;
            continue;
        }
        pytree__mpi_load(trees[i], SIZE_MAX, &x->cargos[i], opt, own);
        if (own->status == PYTREE_OK) { (void)pytree__mpi_same(&own_tree->tree, &x->cargos[i].tree, (int)i, own); }
        x->counts[way][i] = 1;
        x->types[way][i] = x->cargos[i].type;
    }
}

static pytree_status pytree__mpi_swap(const pytree *trees, pytree t, int root, int way, MPI_Comm comm,
                                      const pytree_mpi_options *opt, pytree_error *err)
{
    pytree__mpi_cargo cargo;
    pytree__mpi_exchange x;
    pytree_error own;
    int rank, ranks;
    pytree_status status = pytree__mpi_ok(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
    if (status == PYTREE_OK) { status = pytree__mpi_ok(MPI_Comm_size(comm, &ranks), "MPI_Comm_size", err); }
    if (status != PYTREE_OK) { return status; }
    if (root < 0 || root >= ranks) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a rank below %d, got %d", ranks, root);
    }
    memset(&own, 0, sizeof own);
    pytree__mpi_load(t, SIZE_MAX, &cargo, opt, &own);
    pytree__mpi_begin_exchange(&x, ranks, opt, &own);
    if (own.status == PYTREE_OK) {
        x.counts[1 - way][root] = 1;
        x.types[1 - way][root] = cargo.type;
        if (rank == root) { pytree__mpi_add_trees(&x, trees, &cargo, t, root, way, opt, &own); }
    }
    status = pytree__mpi_agreed(&cargo.tree, (uint64_t)root, &own, comm, opt, err);
    if (status == PYTREE_OK) {
        status = pytree__mpi_ok(MPI_Alltoallw(MPI_BOTTOM, x.counts[0], x.zeros, x.types[0], MPI_BOTTOM, x.counts[1], x.zeros,
                                              x.types[1], comm),
                                "MPI_Alltoallw", err);
    }
    pytree__mpi_end_exchange(&x);
    pytree__mpi_unload(&cargo);
    return status;
}

pytree_status pytree_mpi_gather(pytree t, const pytree *trees, int root, MPI_Comm comm, const pytree_mpi_options *opt,
                                pytree_error *err)
{
    return pytree__mpi_swap(trees, t, root, 1, comm, opt, err);
}

pytree_status pytree_mpi_scatter(const pytree *trees, pytree t, int root, MPI_Comm comm, const pytree_mpi_options *opt,
                                 pytree_error *err)
{
    return pytree__mpi_swap(trees, t, root, 0, comm, opt, err);
}

/* ---- Files ---------------------------------------------------------------------------------------------------------- */

/* Checks that a file is long enough to read so many bytes. */
static void pytree__mpi_check_size(MPI_File file, MPI_Offset at, MPI_Offset bytes, pytree_error *own)
{
    MPI_Offset size, begin;
    if (pytree__mpi_ok(MPI_File_get_size(file, &size), "MPI_File_get_size", own) == PYTREE_OK
        && pytree__mpi_ok(MPI_File_get_byte_offset(file, at, &begin), "MPI_File_get_byte_offset", own) == PYTREE_OK
        && bytes != 0 && (begin > size || bytes > size - begin)) {
        (void)pytree_fail(own, PYTREE_IO, NULL, "expected %lld bytes from byte %lld on, got a file of %lld", (long long)bytes,
                          (long long)begin, (long long)size);
    }
}

/* Writes or reads. Every rank makes the call, one that has failed with nothing. */
static pytree_status pytree__mpi_file(MPI_File file, MPI_Offset at, pytree t, bool write, const pytree_mpi_options *opt,
                                      pytree_error *err)
{
    pytree__mpi_cargo cargo;
    MPI_Status done;
    MPI_Count elements = 0;
    pytree_error own;
    pytree_status status;
    int n, code;
    memset(&own, 0, sizeof own);
    pytree__mpi_load(t, SIZE_MAX, &cargo, opt, &own);
    if (own.status == PYTREE_OK && !write) { pytree__mpi_check_size(file, at, cargo.extent.bytes, &own); }
    n = own.status == PYTREE_OK && cargo.extent.bytes != 0;
    code = write ? MPI_File_write_at_all(file, at, MPI_BOTTOM, n, n ? cargo.type : MPI_BYTE, &done)
                 : MPI_File_read_at_all(file, at, MPI_BOTTOM, n, n ? cargo.type : MPI_BYTE, &done);
    status = own.status != PYTREE_OK ? pytree__mpi_fail_own(&own, err)
                                     : pytree__mpi_ok(code, write ? "MPI_File_write_at_all" : "MPI_File_read_at_all", err);
    if (status == PYTREE_OK && n) {
        status = pytree__mpi_ok(MPI_Get_elements_x(&done, cargo.type, &elements), "MPI_Get_elements_x", err);
    }
    if (status == PYTREE_OK && n && elements != cargo.extent.elements) {
        status = pytree_fail(err, PYTREE_IO, NULL, "expected %lld numbers in the file, got %lld",
                             (long long)cargo.extent.elements, (long long)elements);
    }
    pytree__mpi_unload(&cargo);
    return status;
}

pytree_status pytree_mpi_write(MPI_File file, MPI_Offset at, pytree t, const pytree_mpi_options *opt, pytree_error *err)
{
    return pytree__mpi_file(file, at, t, true, opt, err);
}

pytree_status pytree_mpi_read(MPI_File file, MPI_Offset at, pytree t, const pytree_mpi_options *opt, pytree_error *err)
{
    return pytree__mpi_file(file, at, t, false, opt, err);
}

#include "mpi_sum.h"
#endif
