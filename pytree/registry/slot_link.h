/* pytree/registry/slot_link.h: keep the digits of the last slot taken in a namespace. Made by
 * tools/slots.py. Included by pytree_registry.h, once for each registration in a namespace. */
#if PYTREE__S2 == 0
#undef PYTREE__N2
#define PYTREE__N2 0
#elif PYTREE__S2 == 1
#undef PYTREE__N2
#define PYTREE__N2 1
#elif PYTREE__S2 == 2
#undef PYTREE__N2
#define PYTREE__N2 2
#elif PYTREE__S2 == 3
#undef PYTREE__N2
#define PYTREE__N2 3
#elif PYTREE__S2 == 4
#undef PYTREE__N2
#define PYTREE__N2 4
#elif PYTREE__S2 == 5
#undef PYTREE__N2
#define PYTREE__N2 5
#elif PYTREE__S2 == 6
#undef PYTREE__N2
#define PYTREE__N2 6
#elif PYTREE__S2 == 7
#undef PYTREE__N2
#define PYTREE__N2 7
#endif
#if PYTREE__S1 == 0
#undef PYTREE__N1
#define PYTREE__N1 0
#elif PYTREE__S1 == 1
#undef PYTREE__N1
#define PYTREE__N1 1
#elif PYTREE__S1 == 2
#undef PYTREE__N1
#define PYTREE__N1 2
#elif PYTREE__S1 == 3
#undef PYTREE__N1
#define PYTREE__N1 3
#elif PYTREE__S1 == 4
#undef PYTREE__N1
#define PYTREE__N1 4
#elif PYTREE__S1 == 5
#undef PYTREE__N1
#define PYTREE__N1 5
#elif PYTREE__S1 == 6
#undef PYTREE__N1
#define PYTREE__N1 6
#elif PYTREE__S1 == 7
#undef PYTREE__N1
#define PYTREE__N1 7
#endif
#if PYTREE__S0 == 0
#undef PYTREE__N0
#define PYTREE__N0 0
#elif PYTREE__S0 == 1
#undef PYTREE__N0
#define PYTREE__N0 1
#elif PYTREE__S0 == 2
#undef PYTREE__N0
#define PYTREE__N0 2
#elif PYTREE__S0 == 3
#undef PYTREE__N0
#define PYTREE__N0 3
#elif PYTREE__S0 == 4
#undef PYTREE__N0
#define PYTREE__N0 4
#elif PYTREE__S0 == 5
#undef PYTREE__N0
#define PYTREE__N0 5
#elif PYTREE__S0 == 6
#undef PYTREE__N0
#define PYTREE__N0 6
#elif PYTREE__S0 == 7
#undef PYTREE__N0
#define PYTREE__N0 7
#endif
