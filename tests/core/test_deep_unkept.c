/* test_deep.c where the layouts of two types are kept, and those of the others are made in each call. */
#define TEST_OWN_BODIES                    /* which keep few layouts */
#define PYTREE_KEPT_LAYOUTS 2
#include "test_deep.c"
