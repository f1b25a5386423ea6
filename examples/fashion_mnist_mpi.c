/* fashion_mnist_mpi.c: fashion_mnist.c on several processes or machines, with MPI.
 *
 *     examples/run fashion_mnist_mpi --epochs 20                on four processes; RANKS=2 in the environment: on two
 *     mpirun -n 4 build/examples/fashion_mnist_mpi              the same
 *
 * Each rank computes a share of every minibatch: scores, and gradients of its images. The scores of all ranks give every rank
 * the loss; the gradients are summed with one call, pytree_mpi_allreduce. So the loss of a run differs from that of one process
 * only by the order in which gradients are added, in the sixth digit; with the same number of ranks it repeats bit for bit.
 *
 * Rank 0 prints, saves and resumes, and sends the state of the run to the others with pytree_mpi_bcast: a checkpoint knows
 * nothing of ranks, and any number of them goes on from it. It is replaced only when a new one is whole. When a rank dies,
 * mpirun ends the others with a message; an error on one rank ends the run through MPI_Abort.
 */
#define PYTREE_IMPLEMENTATION
#include "fashion_mnist_gradients.h"
#include "fashion_mnist_run.h"

#include "pytree/mpi.h"

enum { MOST_LAYERS = 8, MOST_RANKS = 1024 };

typedef struct Ranks {
    int rank, ranks;
} Ranks;

/* Return the first image of rank r among n. */
static int share(const Ranks *all, int n, int r) { return (int)((long long)n * r / all->ranks); }

/* Let every rank have the scores of all n images. */
static pytree_status gather_scores(const Ranks *all, Batch *batch, int n, pytree_error *err)
{
    int counts[MOST_RANKS], places[MOST_RANKS];
    for (int r = 0; r < all->ranks; r++) {
        places[r] = share(all, n, r) * CLASSES;
        counts[r] = share(all, n, r + 1) * CLASSES - places[r];
    }
    if (MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, batch->signals[batch->n_layers - 1].y, counts, places, MPI_FLOAT,
                       MPI_COMM_WORLD) == MPI_SUCCESS) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_IO, "", "expected the scores of %d ranks", all->ranks);
}

/* Derivative.compute */
static pytree_status on_all_ranks(void *context, const MLP *model, pytree gradients, Batch *batch, int n, double *loss,
                                  pytree_error *err)
{
    const Ranks *all = context;
    const int from = share(all, n, all->rank), mine = share(all, n, all->rank + 1) - from;
    const pytree_mpi_options agreed = { .agreed = true };      /* as the states from which they were made */
    Signal signals[MOST_LAYERS];
    Batch part = *batch;
    part.x += (ptrdiff_t)from * SIDE * SIDE;
    part.labels += from;
    part.signals = signals;
    for (int l = 0; l < batch->n_layers; l++) {
        signals[l] = batch->signals[l];
        signals[l].y += (ptrdiff_t)from * signals[l].dout;
        signals[l].dy += (ptrdiff_t)from * signals[l].dout;
    }
    forward(model, &part, mine);
    if (gather_scores(all, batch, n, err) != PYTREE_OK) { return err->status; }
    *loss = loss_and_gradient(batch, n);
    if (backward(model, gradients, &part, mine, err) != PYTREE_OK) { return err->status; }
    return pytree_mpi_allreduce(gradients, MPI_COMM_WORLD, &agreed, err);
}

/* Derivative.begin: everybody has the state of rank 0. */
static pytree_status share_state(void *context, pytree training, pytree_error *err)
{
    (void)context;
    return pytree_mpi_bcast(training, 0, MPI_COMM_WORLD, NULL, err);
}

/* Remove the options that are rank 0's, and say nothing on standard output. Returns the number of arguments. */
static int be_silent(int argc, char **argv)
{
    int n = argc > 0 ? 1 : 0;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--save") == 0 || strcmp(argv[i], "--resume") == 0 || strcmp(argv[i], "--export") == 0) {
            continue;
        }
        argv[n++] = argv[i];
        if (i + 1 < argc) { argv[n++] = argv[i + 1]; }
    }
    return freopen("/dev/null", "w", stdout) != NULL ? n : 0;
}

int main(int argc, char **argv)
{
    Ranks all;
    const Derivative derivative = { on_all_ranks, &all, share_state };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
    if (all.ranks > MOST_RANKS) {
        fprintf(stderr, "expected at most %d ranks, got %d\n", MOST_RANKS, all.ranks);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    if (all.rank != 0) { argc = be_silent(argc, argv); }
    if (argc == 0 || run_program(&derivative, argc, argv) != EXIT_SUCCESS) { MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
