/* pytree/registry/slot_advance_group.h: count a group of slots, all of which are taken. Made by
 * tools/slots.py. Included by pytree_registry.h, once for eight types. */
#if PYTREE__S1 == 0
#undef PYTREE__D1
#define PYTREE__D1 1
#undef PYTREE__CLOSE
#define PYTREE__CLOSE )
#elif PYTREE__S1 == 1
#undef PYTREE__D1
#define PYTREE__D1 2
#undef PYTREE__CLOSE
#define PYTREE__CLOSE ))
#elif PYTREE__S1 == 2
#undef PYTREE__D1
#define PYTREE__D1 3
#undef PYTREE__CLOSE
#define PYTREE__CLOSE )))
#elif PYTREE__S1 == 3
#undef PYTREE__D1
#define PYTREE__D1 4
#undef PYTREE__CLOSE
#define PYTREE__CLOSE ))))
#elif PYTREE__S1 == 4
#undef PYTREE__D1
#define PYTREE__D1 5
#undef PYTREE__CLOSE
#define PYTREE__CLOSE )))))
#elif PYTREE__S1 == 5
#undef PYTREE__D1
#define PYTREE__D1 6
#undef PYTREE__CLOSE
#define PYTREE__CLOSE ))))))
#elif PYTREE__S1 == 6
#undef PYTREE__D1
#define PYTREE__D1 7
#undef PYTREE__CLOSE
#define PYTREE__CLOSE )))))))
#elif PYTREE__S1 == 7
#undef PYTREE__D1
#define PYTREE__D1 0
#undef PYTREE__CLOSE
#define PYTREE__CLOSE
#undef PYTREE__CLOSE_BLOCKS
#if PYTREE__S2 == 0
#undef PYTREE__D2
#define PYTREE__D2 1
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_8
#elif PYTREE__S2 == 1
#undef PYTREE__D2
#define PYTREE__D2 2
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_8 PYTREE__CLOSE_8
#elif PYTREE__S2 == 2
#undef PYTREE__D2
#define PYTREE__D2 3
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_8 PYTREE__CLOSE_8 PYTREE__CLOSE_8
#elif PYTREE__S2 == 3
#undef PYTREE__D2
#define PYTREE__D2 4
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_32
#elif PYTREE__S2 == 4
#undef PYTREE__D2
#define PYTREE__D2 5
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_32 PYTREE__CLOSE_8
#elif PYTREE__S2 == 5
#undef PYTREE__D2
#define PYTREE__D2 6
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_32 PYTREE__CLOSE_8 PYTREE__CLOSE_8
#elif PYTREE__S2 == 6
#undef PYTREE__D2
#define PYTREE__D2 7
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_32 PYTREE__CLOSE_8 PYTREE__CLOSE_8 PYTREE__CLOSE_8
#elif PYTREE__S2 == 7
#undef PYTREE__D2
#define PYTREE__D2 8
#define PYTREE__CLOSE_BLOCKS PYTREE__CLOSE_32 PYTREE__CLOSE_32
#endif
#endif
