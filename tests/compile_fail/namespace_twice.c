/* The same struct twice in one namespace.
 *
 * The name of the enumerator that is declared twice is the message. Later errors follow from this one. */
// both: pytree_registered_in_this_namespace_already_Linear_in_train
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_LEAF_TYPE Linear
#include "pytree_registry.h"
#define PYTREE_STRUCT Linear
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_NAMESPACE train
#else
#define PYTREE_NAMESPACE eval
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
