/* Trees on several ranks: datatypes, agreement, broadcast, messages, gathering, scattering, files. */
#include "mpi_shared.h"

/* ---- Agreement ------------------------------------------------------------------------------------------------------ */

static void trees_that_agree(void **state)
{
    MLP model = mlp_make(2, true);
    Numbers numbers = numbers_make(3);
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_mpi_agree(PYTREE(&model), MPI_COMM_WORLD, NULL, &error), &error);
    assert_ok(pytree_mpi_agree(PYTREE(&numbers), MPI_COMM_WORLD, NULL, &error), &error);
    assert_ok(pytree_mpi_agree(PYTREE_NONE, MPI_COMM_WORLD, NULL, &error), &error);
    assert_ok(pytree_mpi_agree(PYTREE_LIST(), MPI_COMM_WORLD, NULL, &error), &error);
    mlp_clear(&model);
    pytree_free(PYTREE(&numbers));
}

/* The last rank has `other`, the others `same`; all get the error. Alone, a rank agrees with itself. */
static void differ(pytree same, pytree other, pytree_status status, const char *path, const char *expected, const char *got)
{
    const pytree t = rank == ranks - 1 && ranks > 1 ? other : same;
    pytree_error error = { 0 };
    char words[200];
    if (ranks == 1) {
        assert_ok(pytree_mpi_agree(other, MPI_COMM_WORLD, NULL, &error), &error);
        return;
    }
    assert_error(pytree_mpi_agree(t, MPI_COMM_WORLD, NULL, &error), status, path, &error);
    assert_same_error(&error);
    snprintf(words, sizeof words, "expected %s as on rank 0, got %s on rank %d", expected, got, ranks - 1);
    assert_string_equal(error.message, words);
}

static void trees_that_differ(void **state)
{
    float w[6] = { 0 };
    int32_t counts[6] = { 0 };
    MLP model = mlp_make(2, true), longer = mlp_make(3, true);
    Linear layer = { 4, 3, w, w };
    const int din = model.layers[1].din;
    float *const larger = test_floats(100, 0);
    (void)state;
    differ(PYTREE_DICT({ "a", PYTREE_ARRAY(w, 2, 3) }), PYTREE_DICT({ "a", PYTREE_ARRAY(w, 3, 2) }), PYTREE_SHAPE, "['a']",
           "f32[2,3]", "f32[3,2]");
    differ(PYTREE_DICT({ "a", PYTREE_ARRAY(w, 6) }), PYTREE_DICT({ "a", PYTREE_ARRAY(counts, 6) }), PYTREE_TYPE, "['a']",
           "f32[6]", "i32[6]");
    differ(PYTREE_DICT({ "a", PYTREE_ARRAY(w, 6) }), PYTREE_DICT({ "b", PYTREE_ARRAY(w, 6) }), PYTREE_STRUCTURE, "",
           "dict of 1: ['a']", "dict of 1: ['b']");
    differ(PYTREE_LIST(PYTREE_ARRAY(w, 6), PYTREE_NONE), PYTREE_LIST(PYTREE_ARRAY(w, 6), PYTREE_ARRAY(w, 1)), PYTREE_STRUCTURE,
           "[1]", "None", "f32[1]");
    differ(PYTREE_ARRAY(w, 6), PYTREE_LIST(PYTREE_ARRAY(w, 6)), PYTREE_STRUCTURE, "", "f32[6]", "list of 1");
    differ(PYTREE_LIST(PYTREE_ARRAY(w, 6)), PYTREE_ARRAY(w, 6), PYTREE_STRUCTURE, "", "list of 1", "f32[6]");
    differ(PYTREE_TUPLE(PYTREE_ARRAY(w, 6)), PYTREE_LIST(PYTREE_ARRAY(w, 6)), PYTREE_STRUCTURE, "", "tuple of 1", "list of 1");
    differ(PYTREE(&model), PYTREE(&longer), PYTREE_STRUCTURE, ".layers[2].w", "list of 2 at .layers", "f32[2,1]");
    model.layers[1].din = 33;             /* the leaf is seen first, and then the static value */
    free(model.layers[1].w);
    model.layers[1].w = larger;
    mlp_clear(&longer);
    longer = mlp_make(2, true);
    differ(PYTREE(&longer), PYTREE(&model), PYTREE_SHAPE, ".layers[1].w", "f32[3,2]", "f32[33,2]");
    model.layers[1].din = din;
    layer.din = 3;
    layer.dout = 4;
    differ(PYTREE(&longer.layers[0]), PYTREE(&layer), PYTREE_SHAPE, ".w", "f32[4,3]", "f32[3,4]");
    mlp_clear(&model);
    mlp_clear(&longer);
}

static double half_of(double x) { return x / 2; }
static double third_of(double x) { return x / 3; }

/* Static values count, addresses only by being there. */
static void static_values(void **state)
{
    Everything a = everything_make(true), b = everything_make(true);
    pytree_error error = { 0 };
    (void)state;
    a.function = rank % 2 == 0 ? half_of : third_of;
    assert_ok(pytree_mpi_agree(PYTREE(&a), MPI_COMM_WORLD, NULL, &error), &error);
    a.function = rank == 0 ? NULL : half_of;
    if (ranks > 1) {
        assert_error(pytree_mpi_agree(PYTREE(&a), MPI_COMM_WORLD, NULL, &error), PYTREE_STRUCTURE, "", &error);
        assert_same_error(&error);
        memset(&error, 0, sizeof error);
    }
    b.kind = rank == ranks - 1 ? "another kind" : "a kind";
    if (ranks > 1) {
        assert_error(pytree_mpi_agree(PYTREE(&b), MPI_COMM_WORLD, NULL, &error), PYTREE_STRUCTURE, "", &error);
        assert_same_error(&error);
        assert_message(&error, "on rank");
    }
    everything_clear(&a);
    everything_clear(&b);
}

/* More nodes than are compared at a time, and a difference at the end. */
static void many_nodes(void **state)
{
    enum { MANY = 1000 };
    static Point points[MANY + 1];
    static pytree values[MANY + 1];
    pytree_items items = { .count = MANY, .items = values };
    pytree t = { &pytree_types[PYTREE__T_list], NULL };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    t.data = &items;
    for (i = 0; i <= MANY; i++) { values[i] = PYTREE(&points[i]); }
    assert_ok(pytree_mpi_agree(t, MPI_COMM_WORLD, NULL, &error), &error);
    if (ranks == 1) { return; }
    if (rank == 1) { values[MANY - 1] = PYTREE(&points[0].x); }
    assert_error(pytree_mpi_agree(t, MPI_COMM_WORLD, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
    assert_same_error(&error);
    assert_message(&error, "on rank 1");
    memset(&error, 0, sizeof error);
    values[MANY - 1] = PYTREE(&points[MANY - 1]);
    items.count = rank == ranks - 1 ? MANY + 1 : MANY;
    assert_error(pytree_mpi_agree(t, MPI_COMM_WORLD, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
    assert_same_error(&error);
    assert_message(&error, "list of 1000");
}

/* What fails on one rank fails on all of them, with its path. */
static void one_rank_fails(void **state)
{
    float *w = test_floats(12, 0);
    Linear layer = { 4, 3, w, w };
    pytree_error error = { 0 };
    char words[64];
    (void)state;
    if (rank == ranks - 1) { layer.w = NULL; }
    assert_error(pytree_mpi_bcast(PYTREE(&layer), 0, MPI_COMM_WORLD, NULL, &error), PYTREE_NULL_POINTER, ".w", &error);
    assert_same_error(&error);
    snprintf(words, sizeof words, "rank %d: expected", ranks - 1);
    assert_message(&error, words);
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_allreduce(PYTREE(&layer), MPI_COMM_WORLD, NULL, &error), PYTREE_NULL_POINTER, ".w", &error);
    assert_same_error(&error);
    free(w);
}

/* ---- Broadcast ------------------------------------------------------------------------------------------------------ */

static void broadcast(void **state)
{
    Numbers numbers = numbers_make(100);
    Shelf shelf = shelf_make();
    pytree_error error = { 0 };
    pytree_mpi_options agreed = { .agreed = true };
    int root;
    (void)state;
    for (root = 0; root < ranks; root++) {
        fill(PYTREE(&numbers), rank + 1);
        fill(PYTREE(&shelf), rank + 1);
        assert_ok(pytree_mpi_bcast(PYTREE(&numbers), root, MPI_COMM_WORLD, NULL, &error), &error);
        assert_ok(pytree_mpi_bcast(PYTREE(&shelf), root, MPI_COMM_WORLD, &agreed, &error), &error);
        assert_filled(PYTREE(&numbers), root + 1);
        assert_filled(PYTREE(&shelf), root + 1);
    }
    assert_ok(pytree_mpi_bcast(PYTREE_NONE, 0, MPI_COMM_WORLD, NULL, &error), &error);
    if (ranks > 1) {                      /* the root must be the same */
        assert_error(pytree_mpi_bcast(PYTREE(&numbers), rank == 0 ? 0 : 1, MPI_COMM_WORLD, NULL, &error), PYTREE_ARGUMENT, NULL,
                     &error);
        assert_same_error(&error);
    }
    pytree_free(PYTREE(&numbers));
    shelf_clear(&shelf);
}

/* Long leaves are messages of their own, and those between them one, wherever they lie. */
typedef struct Token { unsigned char bytes[6]; } Token;
#define PYTREE_LEAF_TYPE Token
#include "pytree_registry.h"

static void broadcast_of_long_leaves(void **state)
{
    enum { N = 5000 };
    static float x[4 * N + 1];
    static double y[3];
    Token tokens[2];
    const size_t gap = rank % 2 == 0 ? 0 : 1;
    pytree t = PYTREE_LIST(PYTREE_ARRAY(x, N), PYTREE_ARRAY(y, 2), PYTREE_ARRAY(x + N, N), PYTREE_ARRAY(tokens, 2),
                           PYTREE_ARRAY(x + 2 * N + gap, 2 * N - gap), PYTREE_ARRAY(&x[4 * N], gap * 0));
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    ((pytree_leaf *)((const pytree_items *)t.data)->items[4].data)->shape[0] = 2 * N - 1;
    for (i = 0; i < 4 * N; i++) { x[i] = rank == ranks - 1 ? (float)(i - (i >= 2 * N ? gap : 0)) : -1; }
    for (i = 0; i < 2; i++) { y[i] = rank + 1; }
    memset(tokens, rank, sizeof tokens);
    assert_ok(pytree_mpi_bcast(t, ranks - 1, MPI_COMM_WORLD, NULL, &error), &error);
    for (i = 0; i < 2 * N; i++) { assert_true(x[i] == (float)i); }
    for (i = 2 * N; i < 4 * N - 1; i++) { assert_true(x[i + gap] == (float)i); }
    assert_true(y[0] == ranks && y[1] == ranks && tokens[1].bytes[5] == ranks - 1);
}

static Numbers swept;
static pytree_status sweep_bcast(const pytree_mpi_options *opt, pytree_error *error)
{
    fill(PYTREE(&swept), rank + 1);
    return pytree_mpi_bcast(PYTREE(&swept), 0, MPI_COMM_WORLD, opt, error);
}
static pytree_status sweep_agree(const pytree_mpi_options *opt, pytree_error *error)
{
    return pytree_mpi_agree(PYTREE(&swept), MPI_COMM_WORLD, opt, error);
}
static void swept_is_filled(void) { assert_filled(PYTREE(&swept), rank + 1); }

/* A tree for each rank, on the root: as they come in, or before they go out. */
static Numbers landed[4];
static void fill_landed(pytree *trees)
{
    int i;
    fill(PYTREE(&swept), rank + 1);
    for (i = 0; i < 4; i++) {
        trees[i] = PYTREE(&landed[i]);
        fill(trees[i], 10 + i);
    }
}
static void all_is_filled(void)
{
    int i;
    swept_is_filled();
    for (i = 0; i < 4; i++) { assert_filled(PYTREE(&landed[i]), 10 + i); }
}
static pytree_status sweep_gather(const pytree_mpi_options *opt, pytree_error *error)
{
    pytree trees[4];
    fill_landed(trees);
    return pytree_mpi_gather(PYTREE(&swept), trees, 0, MPI_COMM_WORLD, opt, error);
}
static pytree_status sweep_scatter(const pytree_mpi_options *opt, pytree_error *error)
{
    pytree trees[4];
    fill_landed(trees);
    return pytree_mpi_scatter(trees, PYTREE(&swept), ranks - 1, MPI_COMM_WORLD, opt, error);
}

/* Calls that fail on one rank only: nobody is sent to; a message that waits is received by the call that succeeds. */
static pytree_status sweep_send(void *context, const pytree_options *options, pytree_error *error)
{
    const pytree_mpi_options opt = { .tree = *options };
    (void)context;
    return pytree_mpi_send(PYTREE(&swept), MPI_PROC_NULL, 0, MPI_COMM_SELF, &opt, error);
}
static pytree_status sweep_recv(void *context, const pytree_options *options, pytree_error *error)
{
    const pytree_mpi_options opt = { .tree = *options };
    const pytree_status status = pytree_mpi_recv(PYTREE(&swept), 0, 0, MPI_COMM_SELF, NULL, &opt, error);
    assert_filled(PYTREE(&swept), status == PYTREE_OK ? *(const int *)context : rank + 1);
    return status;
}
static void receive_swept(void)
{
    Numbers sent = numbers_make(3);
    pytree_error error = { 0 };
    int seed = 25;
    MPI_Datatype type;
    MPI_Request request;
    fill(PYTREE(&sent), seed);
    assert_ok(pytree_mpi_datatype(PYTREE(&sent), &type, NULL, &error), &error);
    assert_int_equal(MPI_Isend(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_SELF, &request), MPI_SUCCESS);
    assert_true(sweep_allocations(sweep_recv, &seed) > 2);
    assert_int_equal(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(MPI_Type_free(&type), MPI_SUCCESS);
    pytree_free(PYTREE(&sent));
}

static void memory_that_runs_out(void **state)
{
    int i;
    (void)state;
    swept = numbers_make(3);
    sweep_ranks(sweep_bcast, swept_is_filled);
    fill(PYTREE(&swept), rank + 1);
    sweep_ranks(sweep_agree, swept_is_filled);
    for (i = 0; i < 4; i++) { landed[i] = numbers_make(3); }
    sweep_ranks(sweep_gather, all_is_filled);
    sweep_ranks(sweep_scatter, all_is_filled);
    for (i = 0; i < 4; i++) { pytree_free(PYTREE(&landed[i])); }
    assert_true(sweep_allocations(sweep_send, NULL) > 2);
    fill(PYTREE(&swept), rank + 1);
    receive_swept();
    pytree_free(PYTREE(&swept));
}

/* ---- Messages ------------------------------------------------------------------------------------------------------- */

static void messages(void **state)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    Numbers numbers = numbers_make(5), got = numbers_make(5), small = numbers_make(4), large = numbers_make(6);
    pytree_error error = { 0 };
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    (void)state;
    fill(PYTREE(&numbers), rank + 1);
    fill(PYTREE(&small), 9);
    if (ranks == 1) {                     /* MPI_Send to oneself may wait for ever */
        assert_ok(pytree_mpi_datatype(PYTREE(&numbers), &type, NULL, &error), &error);
        assert_int_equal(MPI_Isend(MPI_BOTTOM, 1, type, to, 3, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        assert_int_equal(MPI_Type_free(&type), MPI_SUCCESS);
    } else if (rank == 0) {
        assert_ok(pytree_mpi_send(PYTREE(&numbers), to, 3, MPI_COMM_WORLD, NULL, &error), &error);
    }
    assert_error(pytree_mpi_recv(PYTREE(&small), from, 3, MPI_COMM_WORLD, NULL, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_filled(PYTREE(&small), 9);
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_recv(PYTREE(&large), from, 3, MPI_COMM_WORLD, &status, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_message(&error, "expected a message of");
    memset(&error, 0, sizeof error);
    assert_ok(pytree_mpi_recv(PYTREE(&got), MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status, NULL, &error), &error);
    assert_filled(PYTREE(&got), from + 1);
    assert_int_equal(status.MPI_SOURCE, from);
    assert_int_equal(status.MPI_TAG, 3);
    if (ranks == 1) { assert_int_equal(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS); }
    else if (rank != 0) { assert_ok(pytree_mpi_send(PYTREE(&numbers), to, 3, MPI_COMM_WORLD, NULL, &error), &error); }
    pytree_free(PYTREE(&numbers));
    pytree_free(PYTREE(&got));
    pytree_free(PYTREE(&small));
    pytree_free(PYTREE(&large));
}

/* ---- Gather and scatter --------------------------------------------------------------------------------------------- */

static void gathered_and_scattered(void **state)
{
    Numbers own = numbers_make(3), all[4];
    pytree trees[4];
    pytree_error error = { 0 };
    int i, root, in_place;
    (void)state;
    for (i = 0; i < 4; i++) { all[i] = numbers_make(3); }
    for (root = 0; root < ranks; root++) {
        for (in_place = 0; in_place < 2; in_place++) {
            for (i = 0; i < 4; i++) { trees[i] = in_place && i == root ? PYTREE(&own) : PYTREE(&all[i]); }
            fill(PYTREE(&own), rank + 1);
            assert_ok(pytree_mpi_gather(PYTREE(&own), rank == root ? trees : NULL, root, MPI_COMM_WORLD, NULL, &error), &error);
            for (i = 0; i < ranks && rank == root; i++) {
                assert_filled(trees[i], i + 1);
                fill(trees[i], 20 + i);
            }
            assert_ok(pytree_mpi_scatter(rank == root ? trees : NULL, PYTREE(&own), root, MPI_COMM_WORLD, NULL, &error),
                      &error);
            assert_filled(PYTREE(&own), 20 + rank);
        }
    }
    for (i = 0; i < 4; i++) { pytree_free(PYTREE(&all[i])); }
    pytree_free(PYTREE(&own));
}

static void gather_that_fails(void **state)
{
    Numbers own = numbers_make(3), other = numbers_make(2);
    pytree trees[4];
    pytree_error error = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 4; i++) { trees[i] = PYTREE(&own); }
    trees[ranks - 1] = PYTREE(&other);
    assert_error(pytree_mpi_gather(PYTREE(&own), trees, 0, MPI_COMM_WORLD, NULL, &error), PYTREE_SHAPE, ".u8", &error);
    assert_same_error(&error);
    assert_message(&error, "rank 0: expected u8[3] as on this rank, got u8[2] on trees");
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_scatter(NULL, PYTREE(&own), 0, MPI_COMM_WORLD, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_same_error(&error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_gather(PYTREE(&own), trees, ranks, MPI_COMM_WORLD, NULL, &error), PYTREE_ARGUMENT, "", &error);
    pytree_free(PYTREE(&own));
    pytree_free(PYTREE(&other));
}

/* ---- Files ---------------------------------------------------------------------------------------------------------- */

static const char *file_name;

static void files(void **state)
{
    Numbers numbers = numbers_make(11), got = numbers_make(11);
    pytree_error error = { 0 };
    MPI_Offset bytes = 0, more = 0;
    MPI_File file;
    (void)state;
    fill(PYTREE(&numbers), rank + 1);
    assert_ok(pytree_mpi_bytes(PYTREE(&numbers), &bytes, NULL, &error), &error);
    assert_int_equal(bytes, 3 + 1 + 2 + 8 + 8 + 11 + 2 + 4 + 8 + 4 + 2 + 24 + 176 + sizeof(long double) + 8 + 8 + 44);
    assert_int_equal(MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
                     MPI_SUCCESS);
    assert_int_equal(MPI_File_set_size(file, 0), MPI_SUCCESS);
    assert_ok(pytree_mpi_write(file, bytes * rank, PYTREE(&numbers), NULL, &error), &error);
    assert_int_equal(MPI_File_sync(file), MPI_SUCCESS);        /* so that a rank sees what another one wrote */
    assert_int_equal(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    assert_int_equal(MPI_File_sync(file), MPI_SUCCESS);
    assert_int_equal(MPI_File_get_size(file, &more), MPI_SUCCESS);
    assert_int_equal(more, bytes * ranks);
    assert_ok(pytree_mpi_read(file, bytes * ((rank + 1) % ranks), PYTREE(&got), NULL, &error), &error);
    assert_filled(PYTREE(&got), (rank + 1) % ranks + 1);
    assert_ok(pytree_mpi_read(file, 0, rank == 0 ? PYTREE(&got) : PYTREE_NONE, NULL, &error), &error);
    fill(PYTREE(&got), 5);
    if (rank == ranks - 1) {
        assert_error(pytree_mpi_read(file, bytes * rank + 1, PYTREE(&got), NULL, &error), PYTREE_IO, "", &error);
        assert_message(&error, "got a file of");
    } else {
        assert_ok(pytree_mpi_read(file, bytes * rank, PYTREE_NONE, NULL, &error), &error);
    }
    assert_filled(PYTREE(&got), 5);
    memset(&error, 0, sizeof error);
    got.n = -1;                           /* a rank that fails takes part */
    if (rank == 0) { assert_error(pytree_mpi_write(file, 0, PYTREE(&got), NULL, &error), PYTREE_BAD_COUNT, ".u8", &error); }
    else { assert_ok(pytree_mpi_write(file, bytes * rank, PYTREE(&numbers), NULL, &error), &error); }
    got.n = 11;
    assert_int_equal(MPI_File_close(&file), MPI_SUCCESS);
    pytree_free(PYTREE(&numbers));
    pytree_free(PYTREE(&got));
}

/* A write that fails for lack of memory leaves the file as it was, a read the tree. Every rank has a file of its own. */
static pytree_status sweep_write(void *context, const pytree_options *options, pytree_error *error)
{
    const pytree_mpi_options opt = { .tree = *options };
    MPI_Offset size;
    const pytree_status status = pytree_mpi_write(*(MPI_File *)context, 0, PYTREE(&swept), &opt, error);
    assert_int_equal(MPI_File_get_size(*(MPI_File *)context, &size), MPI_SUCCESS);
    assert_true(status == PYTREE_OK || size == 0);
    return status;
}
static pytree_status sweep_read(void *context, const pytree_options *options, pytree_error *error)
{
    const pytree_mpi_options opt = { .tree = *options };
    const pytree_status status = pytree_mpi_read(*(MPI_File *)context, 0, PYTREE(&swept), &opt, error);
    assert_filled(PYTREE(&swept), status == PYTREE_OK ? rank + 1 : 25);
    return status;
}

static void files_without_memory(void **state)
{
    char name[1024];
    MPI_File file;
    (void)state;
    snprintf(name, sizeof name, "%s.%d", file_name, rank);
    swept = numbers_make(3);
    fill(PYTREE(&swept), rank + 1);
    assert_int_equal(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_SUCCESS);
    assert_int_equal(MPI_File_set_size(file, 0), MPI_SUCCESS);
    assert_true(sweep_allocations(sweep_write, &file) > 2);
    fill(PYTREE(&swept), 25);
    assert_true(sweep_allocations(sweep_read, &file) > 2);
    assert_int_equal(MPI_File_close(&file), MPI_SUCCESS);
    pytree_free(PYTREE(&swept));
}

/* ---- Datatypes ------------------------------------------------------------------------------------------------------ */

typedef struct Particle {
    int id;
    double position[3];
    Point spot, trail[2];
    bool alive;
    char name[8];
} Particle;

#define PYTREE_STRUCT Particle
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, id)                                                                                            \
    PYTREE_FIELD(DATA, position)                                                                                        \
    PYTREE_FIELD(DATA, spot)                                                                                            \
    PYTREE_FIELD(DATA, trail)                                                                                           \
    PYTREE_FIELD(DATA, alive)                                                                                           \
    PYTREE_FIELD(DATA, name, STRING)
#include "pytree_registry.h"

typedef struct Swarm {
    Particle first;
    Linear layer;
} Swarm;

#define PYTREE_STRUCT Swarm
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, layer)
#include "pytree_registry.h"

static void arrays_of_structs(void **state)
{
    enum { N = 5 };
    Particle particles[N];
    pytree_error error = { 0 };
    MPI_Datatype type;
    MPI_Aint low, extent;
    int i, size;
    (void)state;
    memset(particles, 0, sizeof particles);
    assert_ok(pytree_mpi_struct(PYTREE_TYPE(Particle), &type, NULL, &error), &error);
    assert_int_equal(MPI_Type_get_extent(type, &low, &extent), MPI_SUCCESS);
    assert_int_equal(MPI_Type_size(type, &size), MPI_SUCCESS);
    assert_int_equal(low, 0);
    assert_int_equal(extent, sizeof(Particle));
    assert_int_equal(size, 24 + 8 + 16 + 1 + 8);
    for (i = 0; i < N; i++) {
        particles[i].id = 10 * rank + i;
        if (rank == 0) { fill(PYTREE(&particles[i]), i); }
    }
    assert_int_equal(MPI_Bcast(particles, N, type, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    for (i = 0; i < N; i++) {
        assert_filled(PYTREE(&particles[i]), i);
        assert_int_equal(particles[i].id, 10 * rank + i);
    }
    assert_int_equal(MPI_Type_free(&type), MPI_SUCCESS);
    assert_error(pytree_mpi_struct(PYTREE_TYPE(Swarm), &type, NULL, &error), PYTREE_TYPE, ".layer.w", &error);
    assert_message(&error, "got a pointer");
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_struct(PYTREE_TYPE(Everything), &type, NULL, &error), PYTREE_TYPE, ".name", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_struct(PYTREE_TYPE(float), &type, NULL, &error), PYTREE_ARGUMENT, "", &error);
}

static pytree_status sweep_struct(void *context, const pytree_options *opt, pytree_error *error)
{
    MPI_Datatype type;
    const pytree_status status = pytree_mpi_struct(PYTREE_TYPE(Particle), &type, opt, error);
    (void)context;
    if (status == PYTREE_OK) { (void)MPI_Type_free(&type); }
    return status;
}

static pytree_status sweep_datatype(void *context, const pytree_options *opt, pytree_error *error)
{
    MPI_Datatype type;
    const pytree_status status = pytree_mpi_datatype(PYTREE((Numbers *)context), &type, opt, error);
    if (status == PYTREE_OK) { (void)MPI_Type_free(&type); }
    return status;
}

static void datatypes(void **state)
{
    Numbers numbers = numbers_make(100);
    Everything all = everything_make(false);
    pytree_error error = { 0 };
    MPI_Datatype type;
    MPI_Offset bytes;
    int size;
    (void)state;
    assert_true(sweep_allocations(sweep_struct, NULL) > 2);
    assert_true(sweep_allocations(sweep_datatype, &numbers) > 2);
    assert_ok(pytree_mpi_datatype(PYTREE(&numbers), &type, NULL, &error), &error);
    assert_ok(pytree_mpi_bytes(PYTREE(&numbers), &bytes, NULL, &error), &error);
    assert_int_equal(MPI_Type_size(type, &size), MPI_SUCCESS);
    assert_int_equal(size, bytes);
    assert_int_equal(MPI_Type_free(&type), MPI_SUCCESS);
    assert_error(pytree_mpi_datatype(PYTREE(&all), &type, NULL, &error), PYTREE_TYPE, ".name", &error);
    assert_message(&error, "expected numbers, got str");
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_datatype(PYTREE(&numbers), NULL, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_true(pytree_mpi_element(PYTREE_TYPE(float)) == MPI_FLOAT);
    assert_true(pytree_mpi_element(PYTREE_TYPE(char *)) == MPI_DATATYPE_NULL);
    pytree_free(PYTREE(&numbers));
    everything_clear(&all);
}

/* With errors returned, MPI's own are this library's. */
static void errors_of_mpi(void **state)
{
    Numbers numbers = numbers_make(2);
    pytree_error error = { 0 };
    MPI_Comm comm;
    (void)state;
    assert_int_equal(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    assert_int_equal(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
    assert_error(pytree_mpi_send(PYTREE(&numbers), ranks, 0, comm, NULL, &error), PYTREE_IO, "", &error);
    assert_message(&error, "expected MPI_Send to succeed, got: ");
    memset(&error, 0, sizeof error);
    assert_error(pytree_mpi_bcast(PYTREE(&numbers), ranks, comm, NULL, &error), PYTREE_IO, "", &error);
    assert_int_equal(MPI_Comm_free(&comm), MPI_SUCCESS);
    pytree_free(PYTREE(&numbers));
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(trees_that_agree), cmocka_unit_test(trees_that_differ), cmocka_unit_test(static_values),
        cmocka_unit_test(many_nodes), cmocka_unit_test(one_rank_fails), cmocka_unit_test(broadcast),
        cmocka_unit_test(broadcast_of_long_leaves),
        cmocka_unit_test(memory_that_runs_out), cmocka_unit_test(messages), cmocka_unit_test(gathered_and_scattered),
        cmocka_unit_test(gather_that_fails), cmocka_unit_test(files), cmocka_unit_test(files_without_memory),
        cmocka_unit_test(arrays_of_structs),
        cmocka_unit_test(datatypes), cmocka_unit_test(errors_of_mpi),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int argc, char **argv)
{
    file_name = argc > 1 ? argv[1] : "numbers.bin";
    return run_ranks(argc, argv, tests);
}
