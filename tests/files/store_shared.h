/* store_shared.h: shared by test_checkpoint_edges.c and test_checkpoint_partial.c: a file in memory, with options, report and
 * error. */
#ifndef STORE_SHARED_H
#define STORE_SHARED_H

#include "support.h"
#include "pytree/checkpoint.h"

typedef pytree_status Save(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

typedef struct Store {
    pytree_memory file;
    pytree_io io;
    pytree_checkpoint_options opt;
    pytree_report report;
    pytree_error error;
} Store;

/* Save a tree, in which memory may be shared, into the file. */
static inline void store_save(Store *s, Save *save, pytree contents)
{
    memset(s, 0, sizeof *s);
    s->io = pytree_memory_io(&s->file);
    s->opt.io = &s->io;
    s->opt.shared = PYTREE_SHARED_EACH;
    assert_ok(save("f", contents, &s->opt, &s->error), &s->error);
    s->opt.shared = PYTREE_SHARED_REFUSED;
    s->opt.report = &s->report;
}

static inline void store_clear(Store *s)
{
    pytree_report_free(&s->report);
    pytree_memory_free(&s->file);
}

#endif
