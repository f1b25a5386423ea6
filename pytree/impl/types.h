/* pytree/impl/types.h: structs and constants that several rooms of pytree/impl/ use. Private; internal.h includes it. */
#ifndef PYTREE_IMPL_TYPES_H
#define PYTREE_IMPL_TYPES_H

#include "../../pytree.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* No function changes errno, so calls of the C library stand between these. They are volatile, because clang takes it that
 * calloc leaves errno alone, and would put nothing back. With PYTREE_SMALL they do nothing: errno of a C library for
 * microcontrollers is a member of a struct of a kilobyte. */
#if defined(PYTREE_SMALL)
#define PYTREE__GET_ERRNO() 0
#define PYTREE__SET_ERRNO(n) ((void)(n))
#else
#define PYTREE__GET_ERRNO() (*(volatile int *)&errno)
#define PYTREE__SET_ERRNO(n) ((void)(*(volatile int *)&errno = (n)))
#endif

/* That pointers lead to memory of their own. C++ has the extension of its compilers. */
#if !defined(__cplusplus)
#define PYTREE__RESTRICT restrict
#elif defined(__GNUC__)
#define PYTREE__RESTRICT __restrict
#else
#define PYTREE__RESTRICT
#endif

/* Say that the loop that follows usually takes a few steps. clang would make a loop of vectors of it, in each function that it
 * is copied into, which takes longer to compile and to run. */
#if defined(__clang__)
#define PYTREE__FEW_STEPS _Pragma("clang loop vectorize(disable) interleave(disable) unroll(disable)")
#else
#define PYTREE__FEW_STEPS
#endif

/* Keep a function apart that compilers would copy into many others, or into one that is large, though it is called seldom or
 * takes long itself: that takes longer to compile, and what calls it is no faster. */
#if defined(__clang__) || (defined(__GNUC__) && !defined(__TINYC__) && !defined(PYTREE_SMALL))
#define PYTREE__APART __attribute__((noinline))
#else
#define PYTREE__APART
#endif

/* Keep a function apart that is called seldom. clang would optimize it alone and then once more within each of its callers. */
#if defined(__clang__)
#define PYTREE__APART_CLANG __attribute__((noinline))
#else
#define PYTREE__APART_CLANG
#endif

/* Places in pytree_types of the integers of fixed width. C++ has no _Generic: there the usual types of those sizes. */
#if defined(__cplusplus)
#define PYTREE__T_INT32 PYTREE__T_int_
#define PYTREE__T_INT64 (sizeof(long) == 8 ? PYTREE__T_long_ : PYTREE__T_llong)
#define PYTREE__T_UINT64 (sizeof(long) == 8 ? PYTREE__T_ulong : PYTREE__T_ullong)
#else
#define PYTREE__T_INT32 _Generic((int32_t)0, long: PYTREE__T_long_, default: PYTREE__T_int_)
#define PYTREE__T_INT64 _Generic((int64_t)0, long: PYTREE__T_long_, default: PYTREE__T_llong)
#define PYTREE__T_UINT64 _Generic((uint64_t)0, unsigned long: PYTREE__T_ulong, default: PYTREE__T_ullong)
#endif

/* ---- Kinds -----------------------------------------------------------------------------------------------------------
 *
 * A row of the table of kinds (kind.h). Code asks for these, not for kinds by name, wherever more than one kind may come.
 */
enum { PYTREE__KEYS_NONE, PYTREE__KEYS_ROWS, PYTREE__KEYS_PACKED, PYTREE__KEYS_CUSTOM };    /* how children are known */
enum { PYTREE__ORDER_FIXED,               /* order of children: their own */
       PYTREE__ORDER_KEPT,                /* as the keys were put in, which is structure */
       PYTREE__ORDER_SORTED };            /* by key, however the pairs lie */
enum { PYTREE__META_NONE,                 /* what a node has besides its keys, packed before them: nothing */
       PYTREE__META_STATICS,              /* a struct's static values */
       PYTREE__META_NAME,                 /* a string */
       PYTREE__META_FACTORY,              /* a string, or NULL for None */
       PYTREE__META_MAXLEN,               /* 64 bits */
       PYTREE__META_BYTES };              /* of a custom node: their number in 32 bits, and those */
enum { PYTREE__SAVED_TYPE = 254, PYTREE__NOT_SAVED = 255 };       /* saved with its type; never a node of a treedef */

/* Texts of a node around its children: `empty` (NULL: open and close) where there are none, `one` (NULL: close) behind an only
 * child, `key` (NULL: keys are not shown) behind each child's key. In them stand for: %t the type's name, %m the metadata, %k
 * the keys in parentheses. `open` NULL: it cannot be written. */
struct pytree__notation { const char *open, *close, *one, *empty, *key; };
struct pytree__kind_traits {
    unsigned char form;                   /* pytree_form of a view of such a value */
    unsigned char entry;                  /* pytree_entry_kind of a child; an integer key makes it PYTREE_INT_KEY */
    unsigned char keys, order, meta;
    unsigned char code;                   /* in a saved treedef */
    bool registered;                      /* a type of the user's, which a namespace may exchange */
};

/* Where text goes: `length` counts all of it, at[0 … room) holds what fits, or it is written to `file`. */
struct pytree__text_writer {
    char *at;
    size_t room, length;
    const struct pytree__text_file *file;
};
/* A file, and what writes to it: reached through a pointer, so that programs that print nothing do not link stdio. */
struct pytree__text_file {
    FILE *file;
    void (*write)(FILE *file, const char *s, size_t n);
};
void pytree__text_put(struct pytree__text_writer *to, const char *s, size_t n);
void pytree__put_text(struct pytree__text_writer *to, const char *s);
void pytree__put_number(struct pytree__text_writer *to, uint64_t n);
void pytree__put_repr(struct pytree__text_writer *to, const char *utf8, size_t bytes);
void pytree__put_entry(struct pytree__text_writer *to, const pytree_entry *entry, const char *separator, bool first);
pytree_status pytree__written(FILE *file, pytree_error *err);    /* PYTREE_IO if a write to the file has failed */

/* Reading text. Returns the length of the identifier, letters beyond ASCII included, at the front of s[0 … n-1]. */
size_t pytree__word(const char *s, size_t n);
size_t pytree__to_utf8(char to[4], uint32_t character);
/* Decodes Python's escape at s[0] == '\\' to at most four bytes. Returns its length in the text; 0 if it is none (NUL,
 * surrogates other than \udc80 to \udcff, which are bytes that are not UTF-8). */
size_t pytree__read_escape(const char *s, size_t n, char out[4], size_t *bytes);
/* Fails with "line 1, column 5: expected …, got …" for the place `at` in `text`. */
pytree_status pytree__fail_in(pytree_error *err, pytree_status status, const char *text, const char *at, const char *expected,
                              const char *got);
/* Returns the registration of a type for a namespace (NULL: none); the type itself if it has none. */
const pytree_type *pytree__in_space(const pytree_type *type, const char *space);

void *pytree__resize(const pytree_allocator *a, void *p, size_t old_size, size_t new_size);

/* Allocates n elements of `size` bytes, at least one byte. Returns NULL with an error if there is no memory. */
void *pytree__array_new(size_t n, size_t size, const pytree_allocator *a, pytree_error *err);
void pytree__array_free(void *p, size_t n, size_t size, const pytree_allocator *a);            /* NULL is fine */
/* Makes room for `need` elements in an array that begins as NULL. Returns where it is now; NULL with an error, and the old
 * array as it was, if there is no memory. Free it as an array of *capacity. */
void *pytree__array_grow(void *p, size_t *capacity, size_t need, size_t size, const pytree_allocator *a, pytree_error *err);
/* The same for a stack whose first elements lie at `own`, a member of its owner: those are copied the first time it grows.
 * Free it only if it is no longer `own`. */
void *pytree__stack_grow(void *stack, const void *own, size_t *capacity, size_t need, size_t size, const pytree_allocator *a,
                         pytree_error *err);

/* A growing array of elements of one size: cast `data` to their type. It allocates nothing until something is added. */
struct pytree__vector {
    void *data;
    size_t count, capacity, size;         /* size: bytes of an element */
    const pytree_allocator *allocator;
};
struct pytree__vector pytree__vector_of(size_t size, const pytree_allocator *a);
/* Adds n elements at the end, uninitialised. Returns the first of them; NULL with an error, and nothing added, if there is no
 * memory. The elements before them may move. */
bool pytree__vector_grow(struct pytree__vector *v, size_t n, pytree_error *err);       /* makes room for n more */
static inline void *pytree__vector_add(struct pytree__vector *v, size_t n, pytree_error *err)
{
    if ((v->data == NULL || n > v->capacity - v->count) && !pytree__vector_grow(v, n, err)) { return NULL; }
    v->count += n;
    return (char *)v->data + (v->count - n) * v->size;
}
void pytree__vector_free(struct pytree__vector *v);

/* A treedef block with room for that many nodes, static bytes and orders; NULL and an error if memory or the limit of 2^32 - 1
 * runs out. The caller fills in nodes, statics, orders (through casts) and n_leaves. `space`: NULL or "" (none), or the name
 * that is copied. */
pytree_def *pytree__def_block(size_t n_nodes, size_t n_statics, size_t n_orders, const char *space, size_t n_leaves,
                              const pytree_options *opt, pytree_error *err);
size_t pytree__statics_size(const pytree_def *def, size_t node);
/* Packs the static values of a struct. */
void pytree__pack_struct(pytree__statics *to, const pytree_type *type, const void *self);
/* Keys are packed as the 32-bit length of a string with its NUL and those bytes, or as PYTREE__NUMBER_KEY and an int64_t. The
 * key at `at`, and where the next one begins. `length` (may be NULL): the string's, without its NUL. */
#define PYTREE__NUMBER_KEY UINT32_MAX
const unsigned char *pytree__key_at(const unsigned char *at, pytree_entry *key, size_t *length);
/* Returns where a node's keys begin in its statics: behind its metadata. */
const unsigned char *pytree__keys_of(const pytree_def *def, size_t node);
void pytree__put_key(struct pytree__text_writer *to, const pytree_entry *key, size_t length);    /* 'k', 3 */
void pytree__put_statics(struct pytree__text_writer *to, const pytree_def *def, size_t node); /* "(2,)" */
/* The string packed at `statics`; *length without its NUL. NULL: a NULL string. */
const char *pytree__string_at(const unsigned char *statics, size_t *length);
/* Entry of child i of a treedef's node. */
void pytree__def_entry_at(const pytree_def *def, size_t node, size_t i, pytree_entry *entry);

/* ---- The walker ------------------------------------------------------------------------------------------------------
 *
 * One cursor a tree. `root` or a frame's next child is the value at hand: a view. It is taken as a leaf or opened, which pushes
 * a frame. A struct's generated flatten writes its children's views onto the view stack, a custom node's callback its children
 * and their keys; a dict whose order is not known puts that there. What lies in a row gets its view one at a time; where the
 * values stand for others (BOXED), by following them.
 */
enum {
    PYTREE__FROM_VIEWS, PYTREE__FROM_ROW, PYTREE__FROM_BOXED, PYTREE__FROM_ZEROS, PYTREE__FROM_ITEMS, PYTREE__FROM_PAIRS,
    PYTREE__FROM_CHUNKS, PYTREE__FROM_HELD
};

/* What a walk has come to. LEAF, NONE, NODE: the next value, a node not opened yet. RUN: a node that is a self-contained
 * struct, for a consumer that asked for those (cursor.runs) and may take all its leaves at once. END: the children of the
 * open node on top are done, its frame is still there. DONE: the tree is. FAILED: see cursor.status. */
enum { PYTREE__AT_LEAF, PYTREE__AT_NONE, PYTREE__AT_RUN, PYTREE__AT_NODE, PYTREE__AT_END, PYTREE__DONE, PYTREE__FAILED };

/* ---- Flatten ---------------------------------------------------------------------------------------------------------
 *
 * One pass over a tree that emits leaves, and nodes in post-order with their static values. It is written once and compiled for
 * each of what it may be asked for: leaves alone, to count everything, to write everything.
 */
enum { PYTREE__LEAVES, PYTREE__COUNT_ALL, PYTREE__FILL };

struct pytree__small_tree {
    pytree_leaf leaves[PYTREE__FIRST_LEAVES];
    pytree_node nodes[PYTREE__FIRST_NODES];
    uint32_t orders[PYTREE__FIRST_ORDERS];
    unsigned char statics[PYTREE__FIRST_STATICS];
};

struct pytree__flattener {
    pytree__cursor cursor;
    pytree_leaf *leaves;
    size_t capacity;
    pytree_node *nodes;
    pytree__statics statics;
    size_t n_nodes, n_leaves;
    uint32_t *orders;
    size_t n_orders;
    size_t max_nodes, max_orders;         /* as they were counted */
    const char *space;                    /* of the first node that a namespace can change */
    bool shares;                          /* some nodes may be pytree_same */
    bool first_pass;                      /* to room.first: layouts of the call come where that is too small */
    bool full;                            /* there was no room for a node */
    pytree__layout_cache cache;
    pytree__cursor_space stacks;
    union {
        pytree__layout_space layouts;
        struct pytree__small_tree first;
    } room;
};

/* What stands in the block of an owned tree: see "Build trees". */
struct pytree__stb_cleanup;

struct pytree__custom_cleanup;

/* Memory that pytree_assign has given to an owned tree: it stands before each piece. */
struct pytree__attached {
    struct pytree__attached *before;
    size_t bytes;                         /* with this header */
};

struct pytree__block {                    /* stands right before the first thing that a pointer leads to */
    uint64_t magic;
    void *base;                           /* as the allocator gave it */
    size_t bytes;
    const void *root;                     /* NULL: the root is the caller's */
    struct pytree__stb_cleanup *made;     /* stb_ds containers to release */
    struct pytree__custom_cleanup *customs; /* custom nodes to release */
    /* nodes, leaves, static bytes and orders of a tree of lists, tuples and dicts alone, as it was made; 0 nodes: another */
    size_t n_nodes, n_leaves, n_statics, n_orders;
    bool nested;                          /* some lie in the memory of an stb_ds container, which may have moved since */
    struct pytree__attached *attached;    /* strings and structs that pytree_assign made */
    struct pytree__block *next;           /* while containers free what they own: the next one to free */
    const pytree_allocator *allocator;
    size_t device_bytes;                  /* of the arrays on a device; 0: none. Only then the next two mean something */
    char *device;
    const pytree_device *memory;          /* what they are to be given back to; NULL: they belong to others */
    pytree_type type;                     /* of an owned root: a copy, so that it is known for one */
};

#define PYTREE__MAGIC UINT64_C(0x7079747265652e68)

/* ---- Build trees -----------------------------------------------------------------------------------------------------
 *
 * A treedef and leaves become a tree in one block:
 *
 *     [spare] structs, lists, strings … [pytree__block] | … arrays in the order of the leaves
 *             head, from its beginning                    tail, from its end
 *
 * How large both are is bounded before anything is placed. Nodes are taken from the last to the first, so that a parent comes
 * before its children and gives them their places. A struct's rows are evaluated when all its children are there.
 */
enum { PYTREE__REFER, PYTREE__COPY, PYTREE__ZERO, PYTREE__ALLOCATE };

/* An stb_ds container to release if the tree is not finished. */
struct pytree__stb_cleanup {
    void *field;
    const pytree_field *row;
    struct pytree__stb_cleanup *before;
};

/* A custom node whose children are being placed: its `rebuild` is called when all are there. */
struct pytree__custom_cleanup {
    void *self;
    const pytree_type *type;
    const pytree *children;
    size_t node;
    struct pytree__custom_cleanup *before;
    uint64_t cell;                        /* for the node's own use: see pytree_making */
};

enum { PYTREE__KIND_BYTES = offsetof(pytree_leaf, shape) - offsetof(pytree_leaf, type) };       /* of type, ndim and form */

/* Where the text of a row reads through a pointer that is NULL, and whether any is read through. */
struct pytree__null_text {
    const char *from, *end;
    bool met;
};

struct pytree__leaf_slot {                /* where a leaf of a struct is */
    const pytree_type *type;              /* this and the next one as pytree_leaf has type, ndim and form */
    uint64_t dims;
    uint32_t at;                          /* in the struct */
    uint32_t bytes;                       /* of a value in place; 0: a pointer */
};

/* Types whose rows were found to be static, so that of several equal structs in a struct only one is looked at. */
struct pytree__static_types { const pytree_type *of[4]; unsigned n; };

/* What structs that follow one another in a list may have in common. */
enum {
    PYTREE__PATTERN_PLACES = PYTREE_STACK_PATTERN_PLACES, PYTREE__PATTERN_LEAVES = PYTREE_STACK_PATTERN_LEAVES,
    PYTREE__STRETCHES = PYTREE_STACK_STRETCHES
};
struct pytree__pattern_leaf {             /* where a leaf is in the struct, and its view among those of the struct's leaves */
    uint32_t at, view;                    /* in bytes */
    uint32_t bytes;                       /* of a value in place */
};
struct pytree__stretch { const char *self; size_t n; };        /* a struct, and how many are like it that follow it */
struct pytree__pattern {
    const pytree_type *type;              /* that it was made for last; NULL: none yet */
    bool holds;                           /* there is one: leaves follow from static values */
    int trials;                           /* how many more may be unlike the one before them */
    size_t left;                          /* structs still to come that are like the one taken last */
    uint32_t n_words, n_halves, n_bytes;  /* places in the struct: of static values, of 8, 4 and 1 bytes */
    uint32_t n_nulls, n_sets;             /* of pointers that may be NULL: those that are, and are not */
    uint32_t words[PYTREE__PATTERN_PLACES], halves[PYTREE__PATTERN_PLACES], bytes[PYTREE__PATTERN_PLACES];
    uint32_t nulls[PYTREE__PATTERN_PLACES], sets[PYTREE__PATTERN_PLACES];
    uint32_t n_pointers, n_leaves;        /* pointers come first, values in place from the end of n_leaves on */
    struct pytree__pattern_leaf leaves[PYTREE__PATTERN_LEAVES];
    uint32_t n_stretches, next_stretch;   /* found by the first pass over the trees, for the second one */
    bool more_stretches;                  /* than there was room for */
    struct pytree__stretch stretches[PYTREE__STRETCHES];
};

/* What unflatten_into stores once all was compared: leaves in a struct and in `like` others that follow it and are like it, or
 * in what its pointers lead to as well, one in a row of a struct, one in a view that the tree has, or the elements of one. */
enum { PYTREE__STORE_STRUCT, PYTREE__STORE_ROW, PYTREE__STORE_VIEW, PYTREE__STORE_ELEMENTS };
struct pytree__store {
    const void *what;                     /* the struct's type, or the row */
    char *to;
    const pytree_leaf *leaf;              /* the first of those that are given */
    uint32_t like, kind;
};
enum { PYTREE__STORES = PYTREE_STACK_STORES };
struct pytree__stores {
    size_t n;
    bool full;                            /* there are more, or one whose place may not last: the tree is traversed again */
    struct pytree__store of[PYTREE__STORES];
};

/* What is cloned: a tree, or a graph. */
struct pytree__builder;
struct pytree__source {
    pytree t;
    pytree_status (*clone_handles)(struct pytree__builder *b); /* goes over it as over what was flattened */
};

/* A struct of a clone with handles, which are cloned when the tree is finished. Behind it in the block is a cleanup for each
 * handle. */
struct pytree__handles {
    char *self;
    const pytree_type *type;
    size_t node;
    struct pytree__handles *next;         /* of a later node */
};

/* A node whose children are being built, from the last to the first. `type` NULL: container slots that are still to be filled,
 * linked through their `data`. */
struct pytree__build_frame {
    const pytree_type *type;              /* the struct's, or that of a list's elements; NULL: slots */
    char *at;                             /* the struct; a list's first element; the next slot */
    const char *from;                     /* a list's template in pytree_allocate, or NULL */
    size_t step;                          /* from one element to the next */
    size_t left;                          /* children that still come */
    const uint32_t *order;                /* of a map: the place of each child; NULL: as they come */
    size_t node, leaf;                    /* a struct's node, and the leaf behind its last one */
    unsigned rows;                        /* a struct's rows that still come */
    bool is_struct;
};

/* Where the leaves of inlined structs go, by layout. */
struct pytree__slots_of {
    const pytree_type *type;              /* NULL: none yet */
    uint64_t null_mask;                   /* that they were made for */
    const struct pytree__leaf_slot *first;
};
struct pytree__leaf_slots {
    uint32_t n_slots;
    struct pytree__slots_of of[PYTREE__MAX_LAYOUTS];
    struct pytree__leaf_slot slots[PYTREE__LEAF_SLOTS];
};

struct pytree__builder {
    const pytree_def *def;
    const pytree_leaf *leaves;
    const pytree_options *opt;
    pytree_error *err;
    pytree_status status;
    int mode;
    size_t next, leaf;                    /* nodes and leaves that still come */
    char *base;
    size_t align;
    char *tail_end;                       /* in the block, or on a device */
    size_t head, tail;                    /* bytes in use */
    size_t head_bytes, tail_bytes;        /* and in all */
    size_t header;                        /* where the pytree__block is */
    size_t prefix;                        /* bytes in front of a piece of the head: 16 if the tree owns its leaves */
    bool zeroed;                          /* the block is zero already, its pages perhaps not touched yet */
    bool leaves_validated;                /* the leaves are known to be leaves */
    const pytree_type *dropping;          /* the type that was asked for last, in a copy: does it have DROP rows? */
    bool drops;
    bool special;                         /* leaves are not only copied or zeroed: pytree_allocate, or a device */
    const pytree_device *memory;          /* of the options, where they matter */
    char *device;                         /* in the end, the range of the arrays there; NULL: none */
    size_t device_bytes;
    bool verified;                        /* structs are checked against the leaves they get, which may not be their own */
    bool measured;                        /* nodes below inlined structs were looked at when the head was bounded */
    bool miscounted;                      /* they were not, and one is not the layout's: the head may be too small */
    bool only_containers;
    bool in_struct;                       /* see pytree__in_struct */
    bool has_subtrees;                    /* some leaves are subtrees, which the tree refers to */
    size_t n_arrays;                      /* leaves that may need a view */
    size_t n_cells;                       /* numbers of at most eight bytes */
    char *cell;                           /* half a piece that the next one of them takes; or NULL */
    bool keys_copied;                     /* the block has a copy of the treedef's static bytes and orders: */
    const unsigned char *statics;
    const uint32_t *orders;
    size_t n_orders;                      /* of the treedef's, those that still come */
    struct pytree__stb_cleanup *stb_cleanups;                  /* the last one first */
    struct pytree__custom_cleanup *custom_cleanups;            /* likewise: those inside others come first */
    const struct pytree__source *source;  /* what is cloned */
    bool has_handles;                     /* some of its structs have handles, */
    struct pytree__handles *handles;      /* namely these */
    struct pytree__build_links *links;    /* of build_same.h; NULL: nothing is shared */
    pytree root;
    struct pytree__build_frame *frames;
    size_t n_frames, max_frames;
    pytree_leaf *views;                   /* for a moment */
    size_t max_views;
    pytree__layout_cache cache;
    struct pytree__leaf_slots slots;
    pytree__layout_space layouts;
    struct pytree__build_frame own_frames[PYTREE__FRAMES];
    pytree_leaf own_views[PYTREE__ITER_VIEWS];
};

/* Does the tree that is built share values? Without containers none does. */
PYTREE__INLINE bool pytree__shares(const struct pytree__builder *b)
{
    return PYTREE__CONTAINERS && PYTREE__UNLIKELY(b->links != NULL);
}

/* Is the root of the tree that is built a struct of the caller's, as in pytree_allocate_like? */
PYTREE__INLINE bool pytree__in_struct(const struct pytree__builder *b)
{
    return PYTREE__MORE_ROWS && b->in_struct;
}

/* The bytes of a long double that hold its value: the rest is padding. */
enum { PYTREE__WIDE = LDBL_MANT_DIG == 64 && sizeof(long double) > 10 ? 10 : sizeof(long double) };

/* Values that were reached, hashed by address; at most half full. */
struct pytree__reached {
    const void *data;                     /* NULL: an empty slot */
    const pytree_type *type;
    unsigned form;
    uint32_t number;                      /* the user's */
};
struct pytree__reached_set {
    struct pytree__reached *at;
    size_t n, max;
    const pytree_allocator *allocator;
};

/* A child of an object that grows: a static value or a node that it owns, its `value`; a leaf that it owns; a variable that it
 * owns, which owns the leaf `held`; or another one. */
enum { PYTREE__GROWN_STATIC, PYTREE__GROWN_NODE, PYTREE__GROWN_LEAF, PYTREE__GROWN_VARIABLE, PYTREE__GROWN_OTHER };
struct pytree__grown {
    int what;
    const char *name;                     /* NULL: its key is a number */
    pytree value, held;
    const char *metadata;                 /* of a variable; NULL: none */
    const pytree *items;                  /* of a variable that holds a list or tuple: its items */
    size_t n;                             /* of those */
    size_t bytes;                         /* of the literal of a static value, in `literal`; 0: it has no short one */
    char literal[24];
};

/* How nodes that grow are read without callbacks for all their children at once: one after the other, or a value that is no
 * static one by key (type NULL: there is none). NULL: they are not. */
struct pytree__growing {
    size_t (*count)(const void *self);
    void (*child)(const void *self, size_t i, struct pytree__grown *child);
    pytree (*find)(const void *self, const pytree_entry *key);
};

/* What pytree_free calls for a growing container: it stands there behind the items. */
typedef void pytree__grown_free_fn(pytree t);

/* What pytree_check hears of instead of the walk's end. */
struct pytree__problem_sink {
    void (*problem)(void *context, const pytree_error *problem);
    void *context;
};

/* Room for a pair of either kind. */
enum {
    PYTREE__PAIR_BYTES = sizeof(pytree_pair) > sizeof(pytree_int_pair) ? sizeof(pytree_pair) : sizeof(pytree_int_pair)
};

/* Where a value is put that others stand for, or a pytree_same. */
struct pytree__build_link {
    void *at;                             /* a pointer, a pytree, a pytree_leaf, or the value itself; NULL: not yet */
    unsigned char place;                  /* PYTREE__LINK_… */
    unsigned char form;                   /* of the row, which may be gone by then: AS makes one for a moment */
    int ndim;                             /* likewise */
    const pytree_type *type;              /* likewise; NULL: not a struct's child */
    uint32_t node;
    size_t of;                            /* of a value: one past its last leaf; of a pytree_same: the node it stands for */
};
enum { PYTREE__LINK_POINTER, PYTREE__LINK_PYTREE, PYTREE__LINK_VIEW, PYTREE__LINK_VALUE };
struct pytree__build_links {
    struct pytree__build_link *values, *sames;                 /* both in the order of their nodes */
    size_t n, n_values;                   /* how many pytree_same there are; how many nodes they stand for */
    size_t values_left, sames_left;       /* those that still come */
    struct pytree__build_frame *finished; /* structs to verify when everything is in its place */
    size_t n_finished, max_finished;
};

#endif
