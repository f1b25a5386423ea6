/* safetensors.c: the cost of loading, mapping and saving .safetensors files, and of plain reads and writes of the same bytes.
 *
 *     cc -std=c11 -O2 -I. bench/safetensors.c -o build/bench/safetensors -lm
 *     build/bench/safetensors FOLDER [--megabytes 500] [--json]
 *     python bench/safetensors_peer.py build/bench/safetensors FOLDER [--megabytes 500]     beside Python's safetensors
 *
 * FOLDER gets two files, which are kept for the Python program: large.safetensors (80 tensors) and many.safetensors (10,000
 * small ones). Times are medians of several rounds, in which the methods take turns, in milliseconds; files are in the cache of
 * the system.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/safetensors.h"
#include "measure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 16, SMALL = 2000, ROUNDS = 12 };

typedef struct Block {
    size_t width;
    float *query, *key, *value, *up, *down;
} Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, width)                                                                                         \
    PYTREE_FIELD(DATA, query, ARRAY(self->width, 1024))                                                                 \
    PYTREE_FIELD(DATA, key, ARRAY(self->width, 1024))                                                                   \
    PYTREE_FIELD(DATA, value, ARRAY(self->width, 1024))                                                                 \
    PYTREE_FIELD(DATA, up, ARRAY(self->width, 1024))                                                                    \
    PYTREE_FIELD(DATA, down, ARRAY(self->width, 1024))
#include "pytree_registry.h"

typedef struct Model {
    size_t n_blocks;
    Block *blocks;
} Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n_blocks) PYTREE_FIELD(DATA, blocks, LIST(self->n_blocks))
#include "pytree_registry.h"

static void must(const pytree_error *err)
{
    if (err->status != PYTREE_OK) {
        pytree_error_print(stderr, err);
        exit(1);
    }
}

static void expect(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

/* ---- Plain ---------------------------------------------------------------------------------------------------------- */

static void plain_read(const char *path, char *to, size_t n)
{
    size_t got = 0;
    int file = open(path, O_RDONLY);
    expect(file >= 0, "open");
    while (got < n) {
        ssize_t part = read(file, to + got, n - got);
        expect(part > 0, "read");
        got += (size_t)part;
    }
    close(file);
}

static void plain_write(const char *path, const char *from, size_t n, bool sync)
{
    size_t put = 0;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    expect(file >= 0, "create");
    while (put < n) {
        ssize_t part = write(file, from + put, n - put);
        expect(part > 0, "write");
        put += (size_t)part;
    }
    expect(!sync || fsync(file) == 0, "fsync");
    close(file);
}

static int no_sync(void *context, void *file)
{
    (void)context;
    (void)file;
    return 0;
}

/* ---- Rounds --------------------------------------------------------------------------------------------------------- */

typedef struct Row {
    const char *name;
    double times[ROUNDS];
} Row;

enum {
    READ, LOAD, MAP, WRITE, SAVE, WRITE_SYNC, SAVE_SYNC, OPEN_MANY, LOAD_MANY, ROWS
};

static Row rows[ROWS] = {
    { "read", { 0 } }, { "load", { 0 } }, { "map", { 0 } }, { "write", { 0 } }, { "save", { 0 } }, { "write, sync", { 0 } },
    { "save, sync", { 0 } }, { "open 10000", { 0 } }, { "load 10000", { 0 } }
};

#define TIMED(row, statement)                                                                                           \
    do {                                                                                                                \
        double began = measure_now();                                                                                   \
        statement;                                                                                                      \
        rows[row].times[round] = measure_now() - began;                                                                 \
    } while (0)

static void path_in(char path[1024], const char *folder, const char *name) { snprintf(path, 1024, "%s/%s", folder, name); }

static void measure_large(const char *folder, size_t megabytes)
{
    static Block blocks[BLOCKS];
    Model model = { BLOCKS, blocks }, mapped = { BLOCKS, NULL };
    Block empty[BLOCKS];
    char path[1024], copy[1024], *buffer;
    pytree_error err = { 0 };
    pytree_io io = pytree_io_system;
    pytree_checkpoint_options unsynced = { .io = &io };
    struct stat about;
    size_t i, n;
    int round, turn;
    io.sync = no_sync;
    for (i = 0; i < BLOCKS; i++) { blocks[i].width = megabytes * 256 / (BLOCKS * 5); }
    memcpy(empty, blocks, sizeof empty);
    mapped.blocks = empty;
    path_in(path, folder, "large.safetensors");
    path_in(copy, folder, "copy.safetensors");
    pytree_allocate(PYTREE(&model), NULL, &err);
    must(&err);
    for (i = 0; i < BLOCKS; i++) { memset(model.blocks[i].up, (int)i + 1, model.blocks[i].width * 4096); }
    pytree_save_safetensors(path, PYTREE(&model), NULL, &err);
    must(&err);
    expect(stat(path, &about) == 0, "stat");
    n = (size_t)about.st_size;
    buffer = malloc(n);
    expect(buffer != NULL, "memory");
    memset(buffer, 1, n);
    for (round = 0; round < ROUNDS; round++) {
        pytree_safetensors *file;
        for (turn = 0; turn < 2; turn++) {                     /* who comes first has the colder caches */
            if ((turn ^ round) % 2 == 0) { TIMED(READ, plain_read(path, buffer, n)); }
            else { TIMED(LOAD, pytree_load_safetensors(path, PYTREE(&model), NULL, &err)); }
        }
        TIMED(MAP, file = pytree_mmap_safetensors(path, PYTREE(&mapped), NULL, &err));
        must(&err);
        expect(mapped.blocks[3].up[0] == model.blocks[3].up[0], "values");
        pytree_safetensors_close(file);
        for (turn = 0; turn < 4; turn++) {
            remove(copy);
            switch ((turn + round) % 4) {
            case 0: TIMED(WRITE, plain_write(copy, buffer, n, false)); break;
            case 1: TIMED(SAVE, pytree_save_safetensors(copy, PYTREE(&model), &unsynced, &err)); break;
            case 2: TIMED(WRITE_SYNC, plain_write(copy, buffer, n, true)); break;
            default: TIMED(SAVE_SYNC, pytree_save_safetensors(copy, PYTREE(&model), NULL, &err)); break;
            }
        }
        must(&err);
        remove(copy);
    }
    free(buffer);
    pytree_free(PYTREE(&model));
}

static void measure_many(const char *folder)
{
    static float numbers[5 * SMALL][4];
    static pytree_pair pairs[SMALL];
    static pytree_leaf leaves[5 * SMALL];
    static pytree_pair fields[5 * SMALL];
    static pytree_items inner[SMALL];
    static char names[SMALL][40];
    static const char *const field_names[] = { "attention.query.weight", "attention.key.weight", "attention.value.weight",
                                               "mlp.up", "mlp.down" };
    pytree_items outer = { .count = SMALL, .pairs = pairs };
    pytree tree = { PYTREE_DICT({ "a", PYTREE_NONE }).type, &outer };
    pytree_error err = { 0 };
    char path[1024];
    size_t i, k;
    int round;
    for (i = 0; i < SMALL; i++) {
        for (k = 0; k < 5; k++) {
            pytree_leaf *leaf = &leaves[5 * i + k];
            leaf->data = numbers[5 * i + k];
            leaf->type = PYTREE_TYPE(float);
            leaf->ndim = 2;
            leaf->shape[0] = leaf->shape[1] = 2;
            fields[5 * i + k].key = field_names[k];
            fields[5 * i + k].value = pytree_of_view(leaf);
        }
        inner[i].count = 5;
        inner[i].pairs = &fields[5 * i];
        snprintf(names[i], sizeof names[i], "model.encoder.layers.%zu", i);
        pairs[i].key = names[i];
        pairs[i].value.type = tree.type;
        pairs[i].value.data = &inner[i];
    }
    path_in(path, folder, "many.safetensors");
    pytree_save_safetensors(path, tree, NULL, &err);
    must(&err);
    for (round = 0; round < ROUNDS; round++) {
        pytree_safetensors *file;
        TIMED(OPEN_MANY, file = pytree_safetensors_open(path, NULL, &err));
        pytree_safetensors_close(file);
        TIMED(LOAD_MANY, pytree_load_safetensors(path, tree, NULL, &err));
        must(&err);
    }
}

static double row_median(int row) { return measure_median(rows[row].times, ROUNDS) * 1e3; }

int main(int argc, char **argv)
{
    size_t megabytes = 500;
    bool json = false;
    int i;
    for (i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) { json = true; }
        if (strcmp(argv[i], "--megabytes") == 0 && i + 1 < argc) { megabytes = strtoul(argv[++i], NULL, 10); }
    }
    if (argc < 2) {
        fprintf(stderr, "usage: safetensors FOLDER [--megabytes 500] [--json]\n");
        return 2;
    }
    measure_large(argv[1], megabytes);
    measure_many(argv[1]);
    for (i = 0; i < ROWS; i++) {
        printf(json ? "{\"name\": \"%s\", \"ms\": %.4f}\n" : "%-12s %9.3f ms\n", rows[i].name, row_median(i));
    }
    if (!json) {
        printf("load %.2f of read, save %.2f of write, with sync %.2f (more is faster)\n", row_median(READ) / row_median(LOAD),
               row_median(WRITE) / row_median(SAVE), row_median(WRITE_SYNC) / row_median(SAVE_SYNC));
    }
    return 0;
}
