/* pytree/registry/slot_take_group.h: give registrations the digits of the next free group of slots. Made by
 * tools/slots.py. Included by pytree_registry.h, once for eight types. */
#if PYTREE__D2 == 0
#undef PYTREE__S2
#define PYTREE__S2 0
#elif PYTREE__D2 == 1
#undef PYTREE__S2
#define PYTREE__S2 1
#elif PYTREE__D2 == 2
#undef PYTREE__S2
#define PYTREE__S2 2
#elif PYTREE__D2 == 3
#undef PYTREE__S2
#define PYTREE__S2 3
#elif PYTREE__D2 == 4
#undef PYTREE__S2
#define PYTREE__S2 4
#elif PYTREE__D2 == 5
#undef PYTREE__S2
#define PYTREE__S2 5
#elif PYTREE__D2 == 6
#undef PYTREE__S2
#define PYTREE__S2 6
#elif PYTREE__D2 == 7
#undef PYTREE__S2
#define PYTREE__S2 7
#endif
#if PYTREE__D1 == 0
#undef PYTREE__S1
#define PYTREE__S1 0
#elif PYTREE__D1 == 1
#undef PYTREE__S1
#define PYTREE__S1 1
#elif PYTREE__D1 == 2
#undef PYTREE__S1
#define PYTREE__S1 2
#elif PYTREE__D1 == 3
#undef PYTREE__S1
#define PYTREE__S1 3
#elif PYTREE__D1 == 4
#undef PYTREE__S1
#define PYTREE__S1 4
#elif PYTREE__D1 == 5
#undef PYTREE__S1
#define PYTREE__S1 5
#elif PYTREE__D1 == 6
#undef PYTREE__S1
#define PYTREE__S1 6
#elif PYTREE__D1 == 7
#undef PYTREE__S1
#define PYTREE__S1 7
#endif
