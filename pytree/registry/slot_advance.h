/* pytree/registry/slot_advance.h: count the slot that was taken, so that a dispatch finds its type. Made by
 * tools/slots.py. Included by pytree_registry.h, once for each type. */
#if PYTREE__S0 == 0
#undef PYTREE__D0
#define PYTREE__D0 1
#elif PYTREE__S0 == 1
#undef PYTREE__D0
#define PYTREE__D0 2
#elif PYTREE__S0 == 2
#undef PYTREE__D0
#define PYTREE__D0 3
#elif PYTREE__S0 == 3
#undef PYTREE__D0
#define PYTREE__D0 4
#elif PYTREE__S0 == 4
#undef PYTREE__D0
#define PYTREE__D0 5
#elif PYTREE__S0 == 5
#undef PYTREE__D0
#define PYTREE__D0 6
#elif PYTREE__S0 == 6
#undef PYTREE__D0
#define PYTREE__D0 7
#elif PYTREE__S0 == 7
#undef PYTREE__D0
#define PYTREE__D0 0
#endif
