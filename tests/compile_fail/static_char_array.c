/* A STATIC array of char without STRING.
 *
 * What lies behind the end of the text would count: two equal names would differ. STRING makes it a string up to its end; an
 * array of signed char or unsigned char is bytes. */
// both: pytree: Layer.name: an array of char is compared with what lies behind its text; write STRING behind the name, or
// both: use signed char for bytes
// fixed: yes
#include "pytree.h"

typedef struct Layer { char name[16]; float *w; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, w, ARRAY(3))
#else
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name, STRING) PYTREE_FIELD(DATA, w, ARRAY(3))
#endif
#include "pytree_registry.h"
