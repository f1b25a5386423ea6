/* pytree/registry/quiet_cxx.h: warnings of C++ that say nothing of a registration: its constants are of many enums. Included by
 * pytree_registry.h for each registration, and by all.h, so it has no guard; each pops what it pushes. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-anon-enum-enum-conversion"
#pragma clang diagnostic ignored "-Wdeprecated-enum-enum-conversion"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-enum-enum-conversion"
#pragma GCC diagnostic ignored "-Wenum-compare"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wsizeof-pointer-memaccess"
#endif
