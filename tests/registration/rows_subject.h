/* rows_subject.h: trees that between them have every row, each gone through by operations, with each allocation failing. */
#ifndef ROWS_SUBJECT_H
#define ROWS_SUBJECT_H

#include "rows_shared.h"
#include "rows_every.h"

/* Two trees that an operation may write to, made before allocations fail: one of equal values, one of zeros. */
typedef struct Subject {
    pytree t, equal, zeros;
    pytree bare;                          /* without its arrays */
    size_t n;                             /* leaves */
} Subject;

/* `made` equals the tree, or there is an error. */
static inline pytree_status assert_made(const Subject *s, pytree made, const pytree_error *error)
{
    if (error->status == PYTREE_OK) { assert_true(pytree_equal(made, s->t, NULL, NULL, NULL)); }
    return error->status;
}

/* An operation does its work, gives back what it got, and returns the status. */
typedef struct EveryOperation {
    const char *name;
    sweep_body *run;
} EveryOperation;

/* What an operation cannot do with a tree, and what is said then. */
typedef struct EveryRefusal {
    const char *tree, *operation, *path, *words;
} EveryRefusal;

/* The outcome is that of the table. */
static inline void assert_verdict(const char *tree, const char *operation, size_t n_refused, const EveryRefusal *refused,
                                  const pytree_error *error)
{
    const char *path = "", *words = "";
    for (size_t i = 0; i < n_refused; i++) {
        if (strcmp(tree, refused[i].tree) == 0 && strcmp(operation, refused[i].operation) == 0) {
            path = refused[i].path;
            words = refused[i].words;
        }
    }
    if (strcmp(error->path, path) != 0 || strcmp(error->message, words) != 0
        || (error->status != PYTREE_OK) != (*words != '\0')) {
        fail_msg("%s, %s: %s at '%s': %s", tree, operation, pytree_status_name(error->status), error->path, error->message);
    }
}

/* Run an operation on a tree with each allocation failing, then with none. */
static inline void every_run(size_t tree, const EveryOperation *operation, size_t n_refused, const EveryRefusal *refused)
{
    pytree_error error;
    const char *name;
    for (size_t n = 0;; n++) {
        Subject s = { .t = every_tree(tree, &name), .bare = every_bare(tree) };
        pytree_options opt = { 0 };
        pytree_status status;
        Heap heap;
        memset(&error, 0, sizeof error);
        heap_init(&heap, n);
        opt.allocator = &heap.allocator;
        s.n = pytree_num_leaves(s.t, NULL, &error);
        s.equal = pytree_clone(s.t, NULL, &error);
        s.zeros = pytree_zeros_like(s.t, NULL, &error);
        assert_ok(error.status, &error);
        status = operation->run(&s, &opt, &error);
        pytree_free(s.equal);
        pytree_free(s.zeros);
        assert_heap_clean(&heap);
        assert_int_equal(every_handles, 0);
        assert_int_equal(status, error.status);
        if (heap.calls <= n) { break; }
        if (status != PYTREE_NO_MEMORY) { fail_msg("%s, %s: allocation %zu fails", name, operation->name, n); }
    }
    assert_verdict(name, operation->name, n_refused, refused, &error);
}

/* Run every operation on every tree. */
static inline void every_sweep(size_t n, const EveryOperation *operations, size_t n_refused, const EveryRefusal *refused)
{
    size_t tree, i;
    for (tree = 0; tree < EVERY_TREES; tree++) {
        for (i = 0; i < n; i++) { every_run(tree, &operations[i], n_refused, refused); }
    }
}

#endif
