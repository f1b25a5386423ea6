/* A library that cpytree must refuse: ABI is what pytree_layout_abi says; without it, one that has no such functions. */
#include <stddef.h>
#include <string.h>

#ifdef ABI
size_t pytree_layout_abi(char *text, size_t n);
size_t pytree_layout_abi(char *text, size_t n)
{
    if (n > strlen(ABI)) { memcpy(text, ABI, strlen(ABI) + 1); }
    return strlen(ABI);
}

#define MISSING(name) void name(void); void name(void) {}
#else
size_t pytree_layout_abi(void);
size_t pytree_layout_abi(void) { return 0; }

#define MISSING(name) void other_##name(void); void other_##name(void) {}
#endif

MISSING(pytree_layout_text)
MISSING(pytree_structure)
MISSING(pytree_def_text)
MISSING(pytree_def_free)
MISSING(pytree_free)
