/* pytree/mpi.h: trees on many machines: MPI.
 *
 *     pytree_mpi_bcast(PYTREE(&model), 0, MPI_COMM_WORLD, NULL, &err);           // rank 0's numbers, on every rank
 *     pytree_mpi_allreduce(PYTREE(&model), MPI_COMM_WORLD, NULL, &err);          // the sum over all ranks, on every rank
 *
 * A tree is sent as an MPI datatype, which describes its arrays where they lie: nothing is copied. Sums are made in buckets of
 * one element type each, and always in the same order, so that they repeat bit for bit.
 *
 * Calls send the numbers in the leaves. Structure (static values, lengths of lists, keys) is not sent: it must be the
 * same on every rank. Calls that all ranks of a communicator make compare it first, and on a difference, or where one rank
 * fails, every rank gets the same error, with the key path, both views and the ranks; no rank is left waiting. With opt->agreed
 * this comparison, one MPI_Allreduce of 24 bytes, is left out.
 *
 * Leaves are numbers, strings in the struct itself, and opaque values, which are sent as bytes. A string that a pointer leads
 * to is PYTREE_TYPE. Ranks must run the same program on machines of one kind. Memory that a tree reaches twice is sent twice,
 * and must not be received or summed: pytree_find_duplicates finds it. Arrays may have any length: counts above INT_MAX are
 * split.
 *
 * MPI's own errors end the program, unless the communicator's error handler is MPI_ERRORS_RETURN; then they are PYTREE_IO with
 * MPI's text. Collective calls are made by all ranks of the communicator (no intercommunicator) in the same order. The rules of
 * pytree.h hold; a tree must not change during a call, nor between start and finish.
 *
 * Needs MPI 3.0: Open MPI, MPICH or another one. Compile with mpicc, or with what `pkg-config --cflags --libs mpi-c` prints.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_MPI_H
#define PYTREE_MPI_H

#include <mpi.h>                          /* missing? install libopenmpi-dev or libmpich-dev, and compile with mpicc */

/* Most elements that one count in a datatype says, 1 to INT_MAX: longer arrays are so many of the most, and the rest. */
#ifndef PYTREE_MPI_COUNT
#define PYTREE_MPI_COUNT INT_MAX
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* Operations on a bucket: sum it, and give every rank all of the sum, or only its own part; or give every rank the
 * parts of all others. */
typedef enum pytree_bucket_operation {
    PYTREE_BUCKET_ALLREDUCE,
    PYTREE_BUCKET_REDUCE_SCATTER,
    PYTREE_BUCKET_ALLGATHER
} pytree_bucket_operation;

/* Numbers of one type side by side: leaves of a tree, or copies of them. */
typedef struct pytree_bucket {
    pytree_bucket_operation operation;
    size_t index;                         /* of the bucket in its tree */
    const pytree_type *type;              /* of an element */
    void *data;                           /* n elements: to be replaced by the result */
    size_t n;                             /* at most INT_MAX / 2 */
    size_t part, n_part;                  /* this rank's: elements part … part + n_part - 1 */
    void *own;                            /* NULL at first; for the callbacks, from start to finish */
} pytree_bucket;

/* Callbacks that move and sum buckets in place of MPI: NCCL, RCCL, Gloo. Both return PYTREE_OK, or fail with pytree_fail, and
 * are called on every rank in the same order: `start` begins, `finish` returns when the result is in bucket->data. Up to two
 * buckets are between start and finish. An element outside the rank's part may be left as it is by REDUCE_SCATTER. */
typedef struct pytree_bucket_backend {
    pytree_status (*start)(void *context, pytree_bucket *bucket, pytree_error *err);
    pytree_status (*finish)(void *context, pytree_bucket *bucket, pytree_error *err);
    void *context;
} pytree_bucket_backend;

/* Options of all functions here. NULL or zero: the defaults. The same on every rank, but for the allocator. */
typedef struct pytree_mpi_options {
    pytree_options tree;                  /* as everywhere */
    /* The trees of all ranks are known to agree, so that they are not compared. A rank on which a call fails nevertheless, for
     * lack of memory, leaves the others waiting: end the program with MPI_Abort then. */
    bool agreed;
    size_t bucket_bytes;                  /* most bytes in a bucket, at least one element; 0: 25,000,000 */
    const pytree_bucket_backend *backend; /* NULL: MPI */
} pytree_mpi_options;

/* ---- Datatypes ----------------------------------------------------------------------------------------------------- */

/* Get MPI's datatype of an element: MPI_FLOAT for PYTREE_TYPE(float). Returns MPI_DATATYPE_NULL for strings and structs.
 * float16 and bfloat16, which MPI does not have, are MPI_UINT16_T; an opaque value is so many MPI_BYTE. */
MPI_Datatype pytree_mpi_element(const pytree_type *type);

/* Make the datatype of one registered struct, of the struct's size, for arrays of them: MPI_Type_create_struct and
 * MPI_Type_create_resized. Returns PYTREE_OK, and a committed *datatype, to be freed with MPI_Type_free. It has the struct's
 * leaves (not its static values), which must lie in the struct itself: a pointer or a union is PYTREE_TYPE, with its path.
 *
 *     Config configs[100];
 *     MPI_Datatype datatype;
 *     pytree_mpi_struct(PYTREE_TYPE(Config), &datatype, NULL, &err);
 *     MPI_Send(configs, 100, datatype, 1, 0, MPI_COMM_WORLD);
 */
pytree_status pytree_mpi_struct(const pytree_type *type, MPI_Datatype *datatype, const pytree_options *opt, pytree_error *err);

/* Make the datatype of a whole tree, as it lies in memory now: for any call of MPI, with MPI_BOTTOM as the address and a count
 * of 1. Returns PYTREE_OK, and a committed *datatype, to be freed with MPI_Type_free; it is valid until an array of the tree
 * moves. Leaves that lie side by side are one piece. Trees of equal structure and shapes have datatypes that match, wherever
 * their arrays are. O(leaves). */
pytree_status pytree_mpi_datatype(pytree t, MPI_Datatype *datatype, const pytree_options *opt, pytree_error *err);

/* ---- Whole trees --------------------------------------------------------------------------------------------------- */

/* Compare the structure, element types and shapes of a tree on all ranks. Returns PYTREE_OK on every rank, or on every rank the
 * same error: PYTREE_STRUCTURE, PYTREE_TYPE or PYTREE_SHAPE with the first path in the order of leaves at which a rank differs
 * from rank 0, and both views; or what failed on one rank. Static values are part of the structure; of addresses it counts only
 * whether they are NULL. multihost_utils.assert_equal without the values. Collective; two allocations. */
pytree_status pytree_mpi_agree(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err);

/* Copy the numbers of rank `root` to the trees of all others: MPI_Bcast, multihost_utils.broadcast_one_to_all. Returns
 * PYTREE_OK. Leaves below 16 KB are one message together, each other one is a message of its own. Nothing is copied.
 * Collective. */
pytree_status pytree_mpi_bcast(pytree t, int root, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err);

/* Send a tree to another rank: MPI_Send. Returns PYTREE_OK. */
pytree_status pytree_mpi_send(pytree t, int to, int tag, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err);

/* Receive a tree, from MPI_ANY_SOURCE and with MPI_ANY_TAG if need be: MPI_Recv. Returns PYTREE_OK, and in *status (may be
 * NULL) where it came from. A message of more or fewer numbers than the tree has is PYTREE_SHAPE, and is still to be received
 * then. Threads that receive at a time must ask for different tags, sources or communicators. */
pytree_status pytree_mpi_recv(pytree t, int from, int tag, MPI_Comm comm, MPI_Status *status, const pytree_mpi_options *opt,
                              pytree_error *err);

/* Copy the tree t of each rank to trees[rank] on rank `root`: MPI_Gather; or from there: MPI_Scatter. Returns PYTREE_OK.
 * `trees` has one tree for each rank, and is used only on `root`; trees[root] may be t, which then stays as it is. Stacked
 * trees are such trees, too: pytree_slice (pytree/algebra.h) gives one for each index of a leading axis. Collective. */
pytree_status pytree_mpi_gather(pytree t, const pytree *trees, int root, MPI_Comm comm, const pytree_mpi_options *opt,
                                pytree_error *err);
pytree_status pytree_mpi_scatter(const pytree *trees, pytree t, int root, MPI_Comm comm, const pytree_mpi_options *opt,
                                 pytree_error *err);

/* Write a tree to a file of MPI at an offset in units of the file's view, or read it: MPI_File_write_at_all,
 * MPI_File_read_at_all. Returns PYTREE_OK. The numbers stand in the order of the leaves, without gaps, as in memory
 * (pytree_mpi_bytes of them). Each rank has its own tree and offset; PYTREE_NONE takes part with nothing. A file that ends
 * early is PYTREE_IO, before anything is read where the view has no gaps. Every rank that opened the file makes the call. To
 * read what another rank wrote, call MPI_File_sync, MPI_Barrier and MPI_File_sync in between. */
pytree_status pytree_mpi_write(MPI_File file, MPI_Offset at, pytree t, const pytree_mpi_options *opt, pytree_error *err);
pytree_status pytree_mpi_read(MPI_File file, MPI_Offset at, pytree t, const pytree_mpi_options *opt, pytree_error *err);

/* Count the bytes of a tree's numbers, which is what a file and a message have of it. Returns PYTREE_OK and *bytes. */
pytree_status pytree_mpi_bytes(pytree t, MPI_Offset *bytes, const pytree_options *opt, pytree_error *err);

/* ---- Sums ---------------------------------------------------------------------------------------------------------- */

/* Replace each number by the sum over all ranks: MPI_Allreduce, jax.lax.psum. Returns PYTREE_OK. Leaves are numbers, but not
 * bool (PYTREE_TYPE).
 *
 * The sum is ((rank 0 + rank 1) + rank 2) + …: the same bits on every rank, in every run, with every MPI. (MPI_Allreduce leaves
 * the order to the implementation.) Integers wrap around; float16 and bfloat16 are added as floats and rounded once.
 *
 * The leaves of each element type, in their order, are cut into buckets. Each rank adds up its part of a bucket and sends it to
 * the others, so each number travels twice, as in a ring. A bucket whose leaves lie side by side is used where it is; others
 * are copied. Memory: twice a bucket and its parts. Collective. After an error of MPI or of the backend some buckets may be
 * sums. */
pytree_status pytree_mpi_allreduce(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err);

/* Sum the numbers of this rank's part: MPI_Reduce_scatter, jax.lax.psum_scatter. Returns PYTREE_OK. Numbers that are not in the
 * part stay as they are. As pytree_mpi_allreduce otherwise. */
pytree_status pytree_mpi_reduce_scatter(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err);

/* Give every rank the parts of all others: MPI_Allgather, jax.lax.all_gather. Returns PYTREE_OK. An optimizer whose state is
 * divided among the ranks (ZeRO) sums gradients with pytree_mpi_reduce_scatter, steps with its part, and shares the parameters
 * with this function. Leaves may be whatever can be sent; opaque values are cut as bytes. Collective. */
pytree_status pytree_mpi_allgather(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err);

/* List this rank's part of a tree: views of one dimension, in the order of the buckets, none across two leaves. Returns
 * PYTREE_OK; *count (may be NULL) is their number, on PYTREE_TOO_MANY_LEAVES the number needed. Trees of equal structure and
 * shapes have corresponding views. The views borrow from the tree. Not collective; two allocations. */
pytree_status pytree_mpi_part(pytree t, MPI_Comm comm, pytree_leaf *views, size_t capacity, size_t *count,
                              const pytree_mpi_options *opt, pytree_error *err);

/* Start one of the three operations, and finish it: between the two, other work can be done, such as the gradients of the layer
 * below. Start returns NULL on error. Finish returns PYTREE_OK, or the first error; it frees the request in any case (NULL:
 * PYTREE_ARGUMENT). All ranks start and finish their requests in the same order. Two buckets are moved at a time. The options
 * may be gone after start, but for backend and allocator. */
typedef struct pytree_mpi_request pytree_mpi_request;
pytree_mpi_request *pytree_mpi_start(pytree_bucket_operation operation, pytree t, MPI_Comm comm, const pytree_mpi_options *opt,
                                     pytree_error *err);
pytree_status pytree_mpi_finish(pytree_mpi_request *request, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/mpi_type.h"    /* the first of its rooms; each includes the next */
#endif
