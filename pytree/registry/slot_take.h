/* pytree/registry/slot_take.h: give the registration the digits of the next free slot. Made by
 * tools/slots.py. Included by pytree_registry.h, once for each type. */
#if PYTREE__D2 == 0
#define PYTREE__S2 0
#elif PYTREE__D2 == 1
#define PYTREE__S2 1
#elif PYTREE__D2 == 2
#define PYTREE__S2 2
#elif PYTREE__D2 == 3
#define PYTREE__S2 3
#elif PYTREE__D2 == 4
#define PYTREE__S2 4
#elif PYTREE__D2 == 5
#define PYTREE__S2 5
#elif PYTREE__D2 == 6
#define PYTREE__S2 6
#elif PYTREE__D2 == 7
#define PYTREE__S2 7
#endif
#if PYTREE__D1 == 0
#define PYTREE__S1 0
#elif PYTREE__D1 == 1
#define PYTREE__S1 1
#elif PYTREE__D1 == 2
#define PYTREE__S1 2
#elif PYTREE__D1 == 3
#define PYTREE__S1 3
#elif PYTREE__D1 == 4
#define PYTREE__S1 4
#elif PYTREE__D1 == 5
#define PYTREE__S1 5
#elif PYTREE__D1 == 6
#define PYTREE__S1 6
#elif PYTREE__D1 == 7
#define PYTREE__S1 7
#endif
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
