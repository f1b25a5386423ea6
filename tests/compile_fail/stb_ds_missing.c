/* STB_ARRAY or STB_MAP without stb_ds.h.
 *
 * Install stb_ds.h, or copy it beside pytree.h. Structs without such rows do not need it. */
// both: pytree: Bag.items: STB_ARRAY needs stb_ds.h: install libstb-dev (Debian, Ubuntu), stb-devel (Fedora), or
// both: copy stb_ds.h beside pytree.h
// both: pytree: Bag.entries: STB_MAP needs stb_ds.h: install libstb-dev (Debian, Ubuntu), stb-devel (Fedora), or
// both: copy stb_ds.h beside pytree.h
// flags: -DPYTREE_NO_STB_DS
// fixed: yes
#include "pytree.h"

typedef struct Entry { char *key; float value; } Entry;
typedef struct Bag { float *items; Entry *entries; size_t n; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, items, STB_ARRAY)                   \
    PYTREE_FIELD(DATA, entries, STB_MAP)                   \
    PYTREE_FIELD(STATIC, n)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, items, ARRAY(self->n))              \
    PYTREE_FIELD(DROP, entries)                            \
    PYTREE_FIELD(STATIC, n)
#endif
#include "pytree_registry.h"
