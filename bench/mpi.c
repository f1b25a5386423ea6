/* mpi.c: the tree of ResNet-50 broadcast and summed over ranks, beside one flat call of MPI on the same bytes and one call for
 * each leaf.
 *
 *     mpirun -n 2 mpi [samples]                          500 MB of memory for each rank; 15 samples of each
 *
 * Compile with -O2 and with what pkg-config has for mpi-c; link with -lm. The three ways take turns, so that whatever else the
 * machine does hits all of them. A sample is the time of the slowest rank; the least of all counts, because ranks that wait for
 * each other are slow whenever another program runs. Results are compared first.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/mpi.h"

#include "trees_build.h"

enum { MAX_LEAVES = 1024 };

static pytree tree;
static pytree_leaf leaves[MAX_LEAVES];
static size_t n_leaves, n_floats, n_integers;
static float *flat;
static int64_t flat_integers[MAX_LEAVES];
static int rank, ranks;

static void stop(const char *what, const pytree_error *err)
{
    fprintf(stderr, "mpi: %s\n", what);
    pytree_error_print(stderr, err);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void bcast_flat(void)
{
    MPI_Bcast(flat, (int)n_floats, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

static void bcast_leaves(void)
{
    for (size_t i = 0; i < n_leaves; i++) {
        MPI_Bcast(leaves[i].data, (int)pytree_leaf_count(&leaves[i]), pytree_mpi_element(leaves[i].type), 0, MPI_COMM_WORLD);
    }
}

static void bcast_tree(void)
{
    pytree_error err = { 0 };
    if (pytree_mpi_bcast(tree, 0, MPI_COMM_WORLD, NULL, &err) != PYTREE_OK) { stop("pytree_mpi_bcast", &err); }
}

static void sum_flat(void)
{
    MPI_Allreduce(MPI_IN_PLACE, flat, (int)n_floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void sum_leaves(void)
{
    for (size_t i = 0; i < n_leaves; i++) {
        MPI_Allreduce(MPI_IN_PLACE, leaves[i].data, (int)pytree_leaf_count(&leaves[i]), pytree_mpi_element(leaves[i].type),
                      MPI_SUM, MPI_COMM_WORLD);
    }
}

static void sum_tree(void)
{
    pytree_error err = { 0 };
    if (pytree_mpi_allreduce(tree, MPI_COMM_WORLD, NULL, &err) != PYTREE_OK) { stop("pytree_mpi_allreduce", &err); }
}

/* Make numbers that stay small in sums, different on each rank. */
static void fill(void)
{
    size_t at = 0, integers = 0;
    for (size_t i = 0; i < n_leaves; i++) {
        for (size_t k = 0, n = pytree_leaf_count(&leaves[i]); k < n; k++) {
            const int v = (int)((at + integers + (size_t)rank) % 13);
            if (leaves[i].type->dtype == PYTREE_F32) {
                ((float *)leaves[i].data)[k] = flat[at++] = (float)v;
            } else {
                ((int64_t *)leaves[i].data)[k] = flat_integers[integers++] = v;
            }
        }
    }
    n_floats = at;
    n_integers = integers;
}

static void compare(const char *what)
{
    size_t at = 0;
    for (size_t i = 0; i < n_leaves; i++) {
        if (leaves[i].type->dtype != PYTREE_F32) { continue; }
        if (memcmp(leaves[i].data, flat + at, pytree_leaf_bytes(&leaves[i])) != 0) { stop(what, NULL); }
        at += pytree_leaf_count(&leaves[i]);
    }
}

/* Print the least times of three ways, in milliseconds, and two ratios. */
static void measure(const char *name, int samples, void (*const *ways)(void))
{
    double least[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL };
    for (int i = 0; i < samples; i++) {
        for (int way = 0; way < 3; way++) {
            fill();
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime(), took;
            ways[way]();
            took = 1e3 * (MPI_Wtime() - start);
            MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (took < least[way]) { least[way] = took; }
        }
    }
    if (rank == 0) {
        printf("%-10s %d ranks  tree %7.2f ms  one flat call %7.2f ms (x %.2f)  a call for each leaf %7.2f ms (x %.2f)\n", name,
               ranks, least[0], least[1], least[0] / least[1], least[2], least[0] / least[2]);
    }
}

int main(int argc, char **argv)
{
    static BenchBuilder builder;
    pytree_error err = { 0 };
    const int samples = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 15;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    builder.wanted = PYTREE_WANTED;
    tree = bench_models[BENCH_RESNET50].build(&builder);
    if (pytree_allocate(tree, NULL, &err) != PYTREE_OK
        || pytree_leaves(tree, leaves, MAX_LEAVES, &n_leaves, NULL, &err) != PYTREE_OK) { stop("the tree", &err); }
    for (size_t i = 0; i < n_leaves; i++) {
        n_floats += leaves[i].type->dtype == PYTREE_F32 ? pytree_leaf_count(&leaves[i]) : 0;
    }
    flat = malloc(n_floats * sizeof *flat);
    if (flat == NULL) { stop("no memory", NULL); }
    fill();
    bcast_tree();
    bcast_flat();
    compare("pytree_mpi_bcast gives other numbers");
    fill();
    sum_tree();
    sum_flat();
    compare("pytree_mpi_allreduce gives other numbers");
    if (rank == 0) { printf("ResNet-50: %zu leaves, %zu floats, %zu integers\n", n_leaves, n_floats, n_integers); }
    measure("broadcast", samples, (void (*const[])(void)){ bcast_tree, bcast_flat, bcast_leaves });
    measure("all-reduce", samples, (void (*const[])(void)){ sum_tree, sum_flat, sum_leaves });
    free(flat);
    pytree_free(tree);
    MPI_Finalize();
    return 0;
}
