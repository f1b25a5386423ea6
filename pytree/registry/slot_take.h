/* pytree/registry/slot_take.h: give the registration the digits of the next free slot. Made by
 * tools/slots.py. Included by pytree_registry.h, once for each type. */
#if PYTREE__D0 == 0
#define PYTREE__S0 0
#elif PYTREE__D0 == 1
#define PYTREE__S0 1
#elif PYTREE__D0 == 2
#define PYTREE__S0 2
#elif PYTREE__D0 == 3
#define PYTREE__S0 3
#elif PYTREE__D0 == 4
#define PYTREE__S0 4
#elif PYTREE__D0 == 5
#define PYTREE__S0 5
#elif PYTREE__D0 == 6
#define PYTREE__S0 6
#elif PYTREE__D0 == 7
#define PYTREE__S0 7
#endif
