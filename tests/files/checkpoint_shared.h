/* checkpoint_shared.h: what the tests of readers of checkpoint files share: what a file holds, files that are broken in every
 * way, calls of the system and allocations that fail. */
#ifndef CHECKPOINT_SHARED_H
#define CHECKPOINT_SHARED_H

#include "support.h"
#include "golden_files.h"

#include "pytree/checkpoint_file.h"

typedef pytree_checkpoint *Open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Return the bytes of a tensor's elements in memory. */
static inline size_t element_bytes(const pytree_tensor *t)
{
    uint64_t n = 1;
    size_t d;
    if (t->type == NULL) { return (size_t)t->bytes; }
    for (d = 0; d < t->ndim; d++) { n *= t->shape[d]; }
    return (size_t)n * t->type->size;
}

/* Read a tensor's elements; to be freed. */
static inline unsigned char *elements_of(const pytree_checkpoint *file, const pytree_tensor *t)
{
    size_t n = element_bytes(t);
    unsigned char *bytes = malloc(n + 1);
    pytree_error error = { 0 };
    assert_non_null(bytes);
    assert_ok(pytree_checkpoint_read(file, t, bytes, n, &error), &error);
    return bytes;
}

/* A tree of the tensors of a file that can be leaves: a dict of zeros of their types and shapes. */
typedef struct Tree {
    pytree_leaf *leaves;
    pytree_pair *pairs;
    pytree_items items;
    pytree tree;
} Tree;

static inline void tree_of(Tree *t, const pytree_checkpoint *file)
{
    size_t i, d;
    memset(t, 0, sizeof *t);
    t->leaves = calloc(file->n_tensors + 1, sizeof *t->leaves);
    t->pairs = calloc(file->n_tensors + 1, sizeof *t->pairs);
    assert_true(t->leaves != NULL && t->pairs != NULL);
    for (i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *from = &file->tensors[i];
        pytree_leaf *leaf = &t->leaves[t->items.count];
        if (from->type == NULL || from->ndim > PYTREE_MAX_DIMS || element_bytes(from) > 1u << 20) { continue; }
        leaf->type = from->type;
        leaf->ndim = (int)from->ndim;
        for (d = 0; d < from->ndim; d++) { leaf->shape[d] = (size_t)from->shape[d]; }
        leaf->data = calloc(1, element_bytes(from) + 1);
        assert_non_null(leaf->data);
        t->pairs[t->items.count].key = from->name;
        t->pairs[t->items.count++].value = pytree_of_view(leaf);
    }
    t->items.pairs = t->pairs;
    t->tree.type = &pytree_types[PYTREE__T_dict];
    t->tree.data = &t->items;
}

static inline void tree_clear(Tree *t)
{
    size_t i;
    for (i = 0; i < t->items.count; i++) { free(t->leaves[i].data); }
    free(t->leaves);
    free(t->pairs);
}

/* Check that a load fills the leaves with what reading tensor by tensor gives. `opt` leads to the file. */
static inline void assert_loads(const pytree_checkpoint *file, const pytree_checkpoint_options *opt)
{
    pytree_checkpoint_options own = *opt;
    pytree_error error = { 0 };
    Tree t;
    size_t i;
    tree_of(&t, file);
    own.ignore_unexpected = true;
    assert_ok(pytree_checkpoint_load(file, t.tree, &own, &error), &error);
    for (i = 0; i < t.items.count; i++) {
        const pytree_tensor *from = pytree_checkpoint_find(file, t.pairs[i].key);
        unsigned char *bytes = elements_of(file, from);
        assert_memory_equal(bytes, t.leaves[i].data, element_bytes(from));
        free(bytes);
    }
    tree_clear(&t);
}

/* Any bytes are refused, or give tensors within the file, which can be read. Returns whether they are accepted. */
static inline bool survives(Open *open, const void *bytes, size_t size)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    size_t i, length = 0;
    memory.bytes = bytes;
    memory.size = size;
    file = open("bytes", &opt, &error);
    assert_true((file != NULL) == (error.status == PYTREE_OK));
    assert_true((file != NULL) == (error.message[0] == '\0'));
    if (file == NULL) {
        assert_int_not_equal(error.status, PYTREE_NO_MEMORY);
        return false;
    }
    for (i = 0; i < file->n_metadata; i++) { length += strlen(file->metadata[i].key) + strlen(file->metadata[i].text); }
    for (i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *t = &file->tensors[i];
        size_t n = element_bytes(t);
        unsigned char *to = n > 1u << 20 ? NULL : malloc(n + 1);
        length += strlen(t->name);
        assert_ptr_equal(pytree_checkpoint_find(file, t->name), t);
        assert_true(t->offset <= size);
        if (to != NULL) { (void)pytree_checkpoint_read(file, t, to, n, NULL); }        /* bools may be wrong */
        free(to);
    }
    assert_true(length <= 64 * size + 1024);
    pytree_checkpoint_close(file);
    return true;
}

/* Every truncation of a file, and every byte of it changed in a few ways. Returns how many are accepted. */
static inline size_t survives_changes(Open *open, const unsigned char *bytes, size_t size)
{
    static const unsigned char masks[] = { 0x01, 0x80, 0xFF };
    unsigned char *copy = malloc(size + 1);
    size_t i, k, accepted = 0;
    assert_non_null(copy);
    for (i = 0; i < size; i++) {
        unsigned char *cut = malloc(i + 1);                    /* so that a sanitizer sees a read behind the end */
        assert_non_null(cut);
        memcpy(cut, bytes, i);
        accepted += survives(open, cut, i);
        free(cut);
    }
    for (i = 0; i < size; i++) {
        for (k = 0; k < COUNT_OF(masks); k++) {
            memcpy(copy, bytes, size);
            copy[i] ^= masks[k];
            accepted += survives(open, copy, size);
        }
    }
    free(copy);
    return accepted;
}

/* ---- Systems that fail ------------------------------------------------------------------------------------------------- */

/* A golden file, and what a load of it goes to. */
typedef struct Fixture {
    Open *open;
    char path[GOLDEN_PATH];
    pytree_checkpoint_options opt;
} Fixture;

/* Open, map and load the fixture's file. */
static inline pytree_status whole_way(void *context, const pytree_options *tree, pytree_error *err)
{
    const Fixture *f = context;
    pytree_checkpoint_options opt = f->opt;
    pytree_checkpoint *shape = f->open(f->path, NULL, NULL), *file;
    Tree t;
    assert_non_null(shape);
    tree_of(&t, shape);
    opt.ignore_unexpected = true;
    if (tree != NULL) { opt.tree = *tree; }
    file = f->open(f->path, &opt, err);
    if (file != NULL && pytree_checkpoint_load(file, t.tree, &opt, err) == PYTREE_OK
        && pytree_checkpoint_map(file, err) == PYTREE_OK) {
        (void)pytree_checkpoint_point(file, t.tree, &opt, err);
    }
    pytree_checkpoint_close(file);
    tree_clear(&t);
    pytree_checkpoint_close(shape);
    return err->status;
}

/* Each call of the system fails once: PYTREE_IO, and no file stays open. */
static inline void every_call_may_fail(Open *open, const char *name)
{
    Faults faults;
    pytree_io io;
    Fixture f = { .open = open };
    FaultOp ops[] = { FAULT_OPEN, FAULT_READ };
    size_t k, at;
    golden_path(f.path, name);
    for (k = 0; k < COUNT_OF(ops); k++) {
        for (at = 0;; at++) {
            pytree_error error = { 0 };
            pytree_status status;
            memset(&faults, 0, sizeof faults);
            faults.base = &pytree_io_system;
            faults.op = ops[k];
            faults.at = at;
            faults.code = EIO;
            io = faults_io(&faults);
            f.opt.io = &io;
            status = whole_way(&f, NULL, &error);
            assert_int_equal(faults.n_open, 0);
            if (faults.calls[ops[k]] <= at) { assert_ok(status, &error); break; }
            assert_error(status, PYTREE_IO, NULL, &error);
        }
        assert_true(at > 0);
    }
    /* pieces of a byte, every second one interrupted, are a file all the same */
    memset(&faults, 0, sizeof faults);
    faults.base = &pytree_io_system;
    faults.most = 1;
    faults.interrupted = true;
    {
        pytree_error error = { 0 };
        assert_ok(whole_way(&f, NULL, &error), &error);
    }
}

static inline void every_allocation_may_fail(Open *open, const char *name)
{
    Fixture f = { .open = open };
    golden_path(f.path, name);
    assert_true(sweep_allocations(whole_way, &f) > 8);
}

#endif
