/* test_follow.c where no layouts are kept: they are made in each call. */
#define TEST_OWN_BODIES                    /* which keep no layouts */
#define PYTREE_KEPT_LAYOUTS 0
#include "test_follow.c"
