/* HANDLE with one function. A handle that is cloned must be freed. */
// both: pytree: Run.log: HANDLE takes two functions, HANDLE(clone, free)
// fixed: yes
#include "pytree.h"

typedef struct Run { float rate; FILE *log; } Run;

static inline pytree_status log_clone(FILE **to, FILE *const *from)
{
    *to = *from == NULL ? NULL : tmpfile();
    return PYTREE_OK;
}

static inline void log_free(FILE **log)
{
    if (*log != NULL) { fclose(*log); }
}

#define PYTREE_STRUCT Run
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, rate)                               \
    PYTREE_FIELD(DROP, log, HANDLE(log_clone))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, rate)                               \
    PYTREE_FIELD(DROP, log, HANDLE(log_clone, log_free))
#endif
#include "pytree_registry.h"
