/* pytree/registry/scope.h: check where a registration stands. Included by pytree_registry.h before all else, each time, so it
 * has no guard. Outside a function __func__ is empty; compilers warn of it there, so this is a system header. In C++ it is an
 * error there; a template inside of a function is one, too, and says so. */
#if defined(__cplusplus)
#elif defined(__GNUC__) && !defined(__TINYC__) && __INCLUDE_LEVEL__ > 1
#pragma GCC system_header
_Static_assert(sizeof(__func__) == 1,
               "pytree: a registration stands outside of functions; move this include of pytree_registry.h to file scope");
#endif
