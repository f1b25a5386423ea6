/* HANDLE on a row that is not DROP. */
// both: pytree: Run.log: one word that says how the value is stored, OPTIONAL and one ROLE may follow the name of a DATA
// both: few or none may follow that of a STATIC or DROP row
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
    PYTREE_FIELD(DATA, log, HANDLE(log_clone, log_free))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, rate)                               \
    PYTREE_FIELD(DROP, log, HANDLE(log_clone, log_free))
#endif
#include "pytree_registry.h"
