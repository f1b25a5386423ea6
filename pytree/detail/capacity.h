/* pytree/detail/capacity.h: every built-in capacity. Included by pytree.h only.
 *
 * A capacity says how much is kept on the stack, or how long a message may be. Where data goes beyond one, the library borrows
 * memory from the allocator, takes a slower way to the same result, or shortens a message: each comment says which. Define a
 * macro before the first include, or on the command line, with the same value in every file of a program: the capacities of
 * iterators are part of the layout of pytree_iter. Bytes are those of a machine with 64-bit pointers. docs/costs.md has tables.
 */
#if !defined(PYTREE_H)
#include "../../pytree.h"              /* opened alone */
#endif
#ifndef PYTREE_DETAIL_CAPACITY_H
#define PYTREE_DETAIL_CAPACITY_H

#if defined(PYTREE_SMALL)
#define PYTREE__CAPACITY(usual, small) (small)
#else
#define PYTREE__CAPACITY(usual, small) (usual)
#endif

/* ---- Containers -------------------------------------------------------------------------------------------------------- */

/* Keys of a growing dict that are kept sorted at every moment. Beyond: in a hash table, and sorted now and then. */
#ifndef PYTREE_SORTED_KEYS
#define PYTREE_SORTED_KEYS 32768
#endif

/* Values of a growing list that a change moves at most, times 16. In larger ones they lie in chunks of so many. */
#ifndef PYTREE_CHUNK_ROWS
#define PYTREE_CHUNK_ROWS 128
#endif

/* ---- Walks: each iterator has these for each of its trees ------------------------------------------------------------ */

/* Open nodes, 96 bytes each. Deeper trees move theirs to the allocator's memory. */
#ifndef PYTREE_STACK_FRAMES
#define PYTREE_STACK_FRAMES PYTREE__CAPACITY(24, 3)
#endif
/* Views of children of open nodes, 24 + 8 * PYTREE_MAX_DIMS bytes each. Beyond: as for frames. */
#ifndef PYTREE_STACK_VIEWS
#define PYTREE_STACK_VIEWS PYTREE__CAPACITY(48, 3)
#endif
/* Trees that an iterator goes through without an allocation, 300 bytes each; they share PYTREE_STACK_FRAMES open nodes and
 * PYTREE_STACK_ITER_VIEWS views, and each moves to the allocator's memory when it needs more. */
#ifndef PYTREE_STACK_TREES
#define PYTREE_STACK_TREES PYTREE__CAPACITY(4, 2)
#endif
#ifndef PYTREE_STACK_ITER_VIEWS
#define PYTREE_STACK_ITER_VIEWS PYTREE__CAPACITY(44, 8)
#endif
/* Views that pytree_map, _equal and _copy_into add for half of up to PYTREE_STACK_TREES trees. */
#ifndef PYTREE_STACK_MORE_VIEWS
#define PYTREE_STACK_MORE_VIEWS PYTREE__CAPACITY(44, 8)
#endif
/* Entries of the path that callbacks are given, 24 bytes each. Longer paths stand in borrowed memory. */
#ifndef PYTREE_STACK_ENTRIES
#define PYTREE_STACK_ENTRIES PYTREE__CAPACITY(64, 8)
#endif
/* Keys of a dict that is sorted while it is walked, 24 bytes each. Larger dicts borrow memory. */
#ifndef PYTREE_STACK_KEYS
#define PYTREE_STACK_KEYS PYTREE__CAPACITY(16, 8)
#endif
/* Bytes of a mask with a bit for each pair of a dict whose order is checked. Larger dicts borrow memory. */
#ifndef PYTREE_STACK_MASK
#define PYTREE_STACK_MASK PYTREE__CAPACITY(512, 16)
#endif

/* ---- Layouts: found once for each struct type, by the first walk that comes to one ------------------------------------ */

/* Struct types at a time, 72 bytes each, a power of two up to 16: those with pointers that may be NULL, and those whose layouts
 * are not kept. With more, layouts are made again and again. */
#ifndef PYTREE_STACK_LAYOUTS
#define PYTREE_STACK_LAYOUTS PYTREE__CAPACITY(8, 1)
#endif
/* Of all of them together: nodes, 24 bytes each; spans of static bytes, 24 each; pointers that may be NULL, 8 each and at most
 * 64. Structs that have more are walked node by node, which is slower. */
#ifndef PYTREE_STACK_LAYOUT_NODES
#define PYTREE_STACK_LAYOUT_NODES PYTREE__CAPACITY(80, 1)
#endif
#ifndef PYTREE_STACK_LAYOUT_SPANS
#define PYTREE_STACK_LAYOUT_SPANS PYTREE__CAPACITY(40, 1)
#endif
#ifndef PYTREE_STACK_LAYOUT_NULLABLES
#define PYTREE_STACK_LAYOUT_NULLABLES PYTREE__CAPACITY(32, 1)
#endif
/* Of all of them together, where trees are built: leaves, 24 bytes each. As above. */
#ifndef PYTREE_STACK_LAYOUT_LEAVES
#define PYTREE_STACK_LAYOUT_LEAVES PYTREE__CAPACITY(48, 1)
#endif

/* Struct types whose layouts are kept in static memory, from the first call that asks for them on, 72 bytes each; and for each
 * of them twelve nodes, six spans, four pointers and eight leaves, another 656 bytes, which all types share. At most 4096.
 * Layouts of further types are made in each call, as above; of all types with 0. */
#ifndef PYTREE_KEPT_LAYOUTS
#define PYTREE_KEPT_LAYOUTS 128
#endif
#if PYTREE_KEPT_LAYOUTS > 4096
#error "PYTREE_KEPT_LAYOUTS must be at most 4096."
#endif
/* They are kept where a pointer can be written at once, for all threads (tcc has nothing for that), beside each descriptor. */
#if defined(PYTREE_SMALL)
#define PYTREE__KEEPS 0
#define PYTREE__NOTED_AT(place)
#else
#if defined(__GCC_ATOMIC_POINTER_LOCK_FREE) && !defined(__TINYC__) && PYTREE_KEPT_LAYOUTS > 0
#define PYTREE__KEEPS (__GCC_ATOMIC_POINTER_LOCK_FREE == 2 && __GCC_ATOMIC_INT_LOCK_FREE == 2)
#else
#define PYTREE__KEEPS 0
#endif
#define PYTREE__NOTED_AT(place) , place
#endif

/* ---- Alike structs of a list: pytree_map and pytree_unflatten_into have these once ------------------------------------ */

/* Places of static values and of pointers that may be NULL, 20 bytes each, and leaves, 12 each. Structs that have more are
 * compared one by one. */
#ifndef PYTREE_STACK_PATTERN_PLACES
#define PYTREE_STACK_PATTERN_PLACES PYTREE__CAPACITY(16, 1)
#endif
#ifndef PYTREE_STACK_PATTERN_LEAVES
#define PYTREE_STACK_PATTERN_LEAVES PYTREE__CAPACITY(24, 1)
#endif
/* Stretches of alike structs that a first pass over the trees notes for the second one, 16 bytes each. More are looked for
 * again. */
#ifndef PYTREE_STACK_STRETCHES
#define PYTREE_STACK_STRETCHES PYTREE__CAPACITY(16, 1)
#endif
/* Structs and other leaves that pytree_unflatten_into notes while it compares, 32 bytes each. With more, the tree is traversed
 * again to store them. */
#ifndef PYTREE_STACK_STORES
#define PYTREE_STACK_STORES PYTREE__CAPACITY(60, 1)
#endif

/* ---- Key paths: pytree_paths has these once -------------------------------------------------------------------------- */

/* Struct types whose suffixes are at hand, a power of two up to 16, 48 bytes each. With more, they are made again. */
#ifndef PYTREE_STACK_SUFFIX_TYPES
#define PYTREE_STACK_SUFFIX_TYPES PYTREE__CAPACITY(8, 1)
#endif
/* Of all of them together: suffixes and one more for each type, 2 bytes each; bytes of their text, at most 65535; pointers to
 * structs and one more for each type, 32 bytes each. A struct with more has one suffix for each child; beyond that, paths are
 * put together entry by entry. */
#ifndef PYTREE_STACK_SUFFIXES
#define PYTREE_STACK_SUFFIXES PYTREE__CAPACITY(128, 9)
#endif
#ifndef PYTREE_STACK_SUFFIX_TEXT
#define PYTREE_STACK_SUFFIX_TEXT PYTREE__CAPACITY(2048, 64)
#endif
#ifndef PYTREE_STACK_SUFFIX_POINTERS
#define PYTREE_STACK_SUFFIX_POINTERS PYTREE__CAPACITY(16, 2)
#endif
/* Bytes of the path of the open node. Longer ones are put together anew for each leaf. */
#ifndef PYTREE_STACK_PREFIX
#define PYTREE_STACK_PREFIX PYTREE__CAPACITY(512, 64)
#endif

/* ---- Functions as values: pytree/function.h and what stands on it ---------------------------------------------------- */

/* Bytes that a call has on the stack for what it prepares. Beyond: the allocator's memory, in chunks that grow to 16 times as
 * much. */
#ifndef PYTREE_FUNCTION_CHUNK
#define PYTREE_FUNCTION_CHUNK 4096
#endif

/* ---- Texts and messages ---------------------------------------------------------------------------------------------- */

/* pytree_error.message and .path, at least 48 and 32 bytes. Longer ones are cut in the middle. */
#ifndef PYTREE_ERROR_MESSAGE
#define PYTREE_ERROR_MESSAGE PYTREE__CAPACITY(240, 48)
#endif
#ifndef PYTREE_ERROR_PATH
#define PYTREE_ERROR_PATH PYTREE__CAPACITY(256, 48)
#endif
/* A message while it is put together; a key path in it, and each of its sides ("expected this, got that"). */
#ifndef PYTREE_STACK_MESSAGE
#define PYTREE_STACK_MESSAGE 1024
#endif
#ifndef PYTREE_STACK_PATH
#define PYTREE_STACK_PATH PYTREE__CAPACITY(600, 64)
#endif
#ifndef PYTREE_STACK_SIDE
#define PYTREE_STACK_SIDE 160
#endif
/* Bytes that a reader or writer of files holds at a time. Nothing but speed depends on it. At least 512, a multiple of 32. */
#ifndef PYTREE_STACK_PIECE
#define PYTREE_STACK_PIECE 4096
#endif

/* Parts of the library that PYTREE_SMALL leaves out: composed messages; layouts, by which structs are handled in one go;
 * the table of printable characters (all are, from U+00A0 on), a fast sort of large dicts and fast division of 64 bits;
 * tolerances in double, not float; arrays on a device; unless PYTREE_CONTAINERS is defined, containers outside structs, stb_ds
 * containers, custom nodes; and, unless PYTREE_MORE_ROWS is defined, strings and flexible arrays in structs, and static
 * bit-fields. */
enum {
    PYTREE__MESSAGES = PYTREE__CAPACITY(1, 0),
    PYTREE__LAYOUTS = PYTREE__CAPACITY(1, 0),
    PYTREE__TABLES = PYTREE__CAPACITY(1, 0),
    PYTREE__DOUBLES = PYTREE__CAPACITY(1, 0),
    PYTREE__DEVICES = PYTREE__CAPACITY(1, 0),
#if defined(PYTREE_SMALL) && !defined(PYTREE_CONTAINERS)
    PYTREE__CONTAINERS = 0,
#else
    PYTREE__CONTAINERS = 1,
#endif
#if defined(PYTREE_SMALL) && !defined(PYTREE_MORE_ROWS)
    PYTREE__MORE_ROWS = 0
#else
    PYTREE__MORE_ROWS = 1
#endif
};

enum {
    PYTREE__FRAMES = PYTREE_STACK_FRAMES,
    PYTREE__VIEWS = PYTREE_STACK_VIEWS,
    PYTREE__TREES = PYTREE_STACK_TREES,
    PYTREE__ITER_VIEWS = PYTREE_STACK_ITER_VIEWS,
    PYTREE__MORE_VIEWS = PYTREE_STACK_MORE_VIEWS,
    PYTREE__FEW_ENTRIES = PYTREE_STACK_ENTRIES,
    PYTREE__FEW_KEYS = PYTREE_STACK_KEYS,
    PYTREE__FEW_MASK = PYTREE_STACK_MASK,
    PYTREE__TYPE_SLOTS = PYTREE__CAPACITY(16, 1),    /* types that a hash or a bound remembers, 16 bytes each */
    PYTREE__OWNED_DEPTH = 32,             /* of containers in one block that are flattened in one run; deeper: as any others */
    PYTREE__FIRST_LEAVES = PYTREE__CAPACITY(28, 1),  /* what pytree_flatten writes in one pass, in the place of layouts: */
    PYTREE__FIRST_NODES = PYTREE__CAPACITY(32, 1),   /* trees with more are counted first */
    PYTREE__FIRST_ORDERS = PYTREE__CAPACITY(32, 1),
    PYTREE__FIRST_STATICS = PYTREE__CAPACITY(384, 8),
    PYTREE__SPARE = 4,                    /* views behind the last: a struct may write views of None that it then drops */
    PYTREE__ZEROS = PYTREE__CAPACITY(4096, 128),     /* bytes of the largest struct that pytree_allocate makes of nothing */

    PYTREE__MAX_LAYOUTS = PYTREE_STACK_LAYOUTS,
    PYTREE__LAYOUT_NODES = PYTREE_STACK_LAYOUT_NODES,
    PYTREE__LAYOUT_SPANS = PYTREE_STACK_LAYOUT_SPANS,
    PYTREE__LAYOUT_NULLABLES = PYTREE_STACK_LAYOUT_NULLABLES,
    PYTREE__LEAF_SLOTS = PYTREE_STACK_LAYOUT_LEAVES,
    PYTREE__KEPT_LAYOUTS = PYTREE_KEPT_LAYOUTS,
    PYTREE__KEPT_NODES = 12 * PYTREE_KEPT_LAYOUTS,
    PYTREE__KEPT_SPANS = 6 * PYTREE_KEPT_LAYOUTS,
    PYTREE__KEPT_NULLABLES = 4 * PYTREE_KEPT_LAYOUTS,
    PYTREE__KEPT_LEAVES = 8 * PYTREE_KEPT_LAYOUTS,
    PYTREE__ITER_LAYOUTS = PYTREE__CAPACITY(4, 1),   /* those of an iterator, which compares with them; without nodes */
    PYTREE__ITER_SPANS = PYTREE__CAPACITY(14, 1),
    PYTREE__ITER_NULLABLES = PYTREE__CAPACITY(16, 1),

    PYTREE__TAIL_TYPES = PYTREE_STACK_SUFFIX_TYPES,
    PYTREE__TAILS = PYTREE_STACK_SUFFIXES,
    PYTREE__TAIL_TEXT = PYTREE_STACK_SUFFIX_TEXT,
    PYTREE__TAIL_POINTERS = PYTREE_STACK_SUFFIX_POINTERS,
    PYTREE__TAIL_DEPTH = 8,               /* structs in structs whose suffixes are put at once, 16 bytes each */
    PYTREE__SLACK = 32,                   /* bytes behind a text, so that copies have a fixed size; a multiple of 16 */
    PYTREE__PREFIX = PYTREE_STACK_PREFIX,

    PYTREE__MESSAGE = PYTREE_STACK_MESSAGE,
    PYTREE__PATH = PYTREE_STACK_PATH,
    PYTREE__SIDE = PYTREE_STACK_SIDE,
    PYTREE__MESSAGE_REST = 48,            /* of a message: what stands between and behind its longest pieces */
    PYTREE__MATCH_ENTRIES = PYTREE__CAPACITY(32, 8), /* pytree/path.h: of the path that is matched, 24 bytes each; see above */
    PYTREE__PATH_WHERE = 256,             /* a path in a message, */
    PYTREE__PATH_WHERE_HEAD = 120,        /* and how much of its beginning is kept */
    PYTREE__PATH_ENTRIES = 16,            /* of a parsed path on the stack, 24 bytes each, */
    PYTREE__PATH_NAMES = 240,             /* and bytes of their names; longer ones are allocated */
    PYTREE__ALG_KEYS = 8,                 /* pytree/algebra.h: keys that a message lists, */
    PYTREE__ALG_WORDS = 120,              /* bytes of a structure in it, */
    PYTREE__ALG_ENTRIES = 40,             /* and entries of a path in it */
    PYTREE__RV_BLOCK = 192,               /* pytree/ravel.h: elements that are converted at a time, 16 bytes each */
    PYTREE__RV_FEW = 128,                 /* leaves that are listed on the stack, 24 bytes each; more: in borrowed memory */
    PYTREE__RV_SPANS = 64,                /* spans of numbers likewise, 48 bytes each */
    PYTREE__RV_CHILDREN = 8,              /* of a struct whose numbers are found without a walk */
    PYTREE__SORTED_KEYS = PYTREE_SORTED_KEYS,
    PYTREE__CHUNK_ROWS = PYTREE_CHUNK_ROWS,
    PYTREE__FLAT_ROWS = 16 * PYTREE_CHUNK_ROWS,
    PYTREE__CHUNK_LEVELS = 12,            /* of the index of a list's chunks, */
    PYTREE__CHUNK_LINKS = 2 * PYTREE__CHUNK_LEVELS,        /* and numbers of a chunk in it */
    PYTREE__PIECE = PYTREE_STACK_PIECE,
    PYTREE__FN_CHUNK = PYTREE_FUNCTION_CHUNK,
    PYTREE__FN_LARGE = 16 * PYTREE_FUNCTION_CHUNK
};

#endif
