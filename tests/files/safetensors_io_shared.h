/* safetensors_io_shared.h: shared by test_safetensors_io.c and test_safetensors_calls.c. */
#ifndef SAFETENSORS_IO_SHARED_H
#define SAFETENSORS_IO_SHARED_H

#include "support.h"
#include "golden_files.h"

#include "pytree/safetensors.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

/* <unistd.h> and <signal.h> hide these from strict C11. */
int truncate(const char *path, off_t length);

/* ---- What the cases have in common ------------------------------------------------------------------------------------- */

/* A model, its file, and another model that is to be loaded into. */
typedef struct Bench {
    char path[GOLDEN_PATH];
    unsigned char *bytes;
    size_t size;
    MLP saved, model, before;
    Faults faults;
    pytree_io io;
    pytree_checkpoint_options opt;
    pytree_error error;
} Bench;

static inline MLP other_mlp(void)
{
    MLP model = mlp_make(2, true);
    size_t i;
    for (i = 0; i < 12; i++) { model.layers[0].w[i] += 0.5f; }
    model.scale[0][1] = -3;
    return model;
}

static inline void bench_init(Bench *b, const char *name)
{
    memset(b, 0, sizeof *b);
    scratch_path(b->path, name);
    b->saved = mlp_make(2, true);
    b->model = other_mlp();
    b->before = other_mlp();
    assert_ok(pytree_save_safetensors(b->path, PYTREE(&b->saved), NULL, &b->error), &b->error);
    b->bytes = read_whole(b->path, &b->size);
    b->faults.base = &pytree_io_system;
    b->io = faults_io(&b->faults);
    b->opt.io = &b->io;
}

static inline void assert_no_leftovers(const Bench *b)
{
    char path[GOLDEN_PATH + 32];
    FILE *file;
    snprintf(path, sizeof path, "%s.pytree-tmp0", b->path);
    file = fopen(path, "rb");
    assert_null(file);
    assert_int_equal(b->faults.n_open, 0);
}

static inline void bench_clear(Bench *b)
{
    assert_no_leftovers(b);
    remove(b->path);
    free(b->bytes);
    mlp_clear(&b->saved);
    mlp_clear(&b->model);
    mlp_clear(&b->before);
}

static inline void assert_loads(Bench *b)
{
    assert_ok(pytree_load_safetensors(b->path, PYTREE(&b->model), &b->opt, &b->error), &b->error);
    assert_true(pytree_equal(PYTREE(&b->model), PYTREE(&b->saved), NULL, NULL, &b->error));
}

static inline void assert_load_fails(Bench *b, pytree_status status, const char *words)
{
    assert_error(pytree_load_safetensors(b->path, PYTREE(&b->model), &b->opt, &b->error), status, NULL, &b->error);
    if (words != NULL && strstr(b->error.message, words) == NULL) { fail_msg("no '%s' in: %s", words, b->error.message); }
    memset(&b->error, 0, sizeof b->error);
    assert_true(pytree_equal(PYTREE(&b->model), PYTREE(&b->before), NULL, NULL, &b->error));
}

#endif
