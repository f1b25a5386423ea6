/* pytree/impl/internal.h: what the rooms of pytree/impl/ offer each other, grouped by room. Private. */
#ifndef PYTREE_IMPL_INTERNAL_H
#define PYTREE_IMPL_INTERNAL_H

#include "../../pytree.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* No function changes errno, so calls of the C library stand between these. With PYTREE_SMALL they do nothing: errno of a C
 * library for microcontrollers is a member of a struct of a kilobyte. */
#if defined(PYTREE_SMALL)
#define PYTREE__GET_ERRNO() 0
#define PYTREE__SET_ERRNO(n) ((void)(n))
#else
#define PYTREE__GET_ERRNO() errno
#define PYTREE__SET_ERRNO(n) ((void)(errno = (n)))
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
void *pytree__vector_add(struct pytree__vector *v, size_t n, pytree_error *err);
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
/* String number `i` of those packed at `statics`; *length without its NUL. NULL: a NULL string. */
const char *pytree__string_at(const unsigned char *statics, size_t i, size_t *length);
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
    PYTREE__FROM_HELD
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
    bool first_pass;                      /* to room.first, row by row: layouts come where that is too small */
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
    const pytree_allocator *allocator;
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
struct pytree__leaf_slot {
    const pytree_type *type;
    uint64_t dims;                        /* ndim and form as pytree_leaf has them */
    uint32_t at;                          /* in the struct */
    uint32_t bytes;                       /* of a value in place; 0: a pointer */
};
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
    size_t head, tail;                    /* bytes in use */
    size_t head_bytes, tail_bytes;        /* and in all */
    size_t header;                        /* where the pytree__block is */
    size_t prefix;                        /* bytes in front of a piece of the head: 16 if the tree owns its leaves */
    bool zeroed;                          /* the block is zero already, its pages perhaps not touched yet */
    bool leaves_validated;                /* the leaves are known to be leaves */
    const pytree_type *dropping;          /* the type that was asked for last, in a copy: does it have DROP rows? */
    bool drops;
    bool verified;                        /* structs are checked against the leaves they get, which may not be their own */
    bool measured;                        /* nodes below inlined structs were looked at when the head was bounded */
    bool miscounted;                      /* they were not, and one is not the layout's: the head may be too small */
    bool only_containers;
    bool has_subtrees;                    /* some leaves are subtrees, which the tree refers to */
    size_t n_arrays;                      /* leaves that may need a view */
    bool keys_copied;                     /* the block has a copy of the treedef's static bytes and orders: */
    const unsigned char *statics;
    const uint32_t *orders;
    size_t n_orders;                      /* of the treedef's, those that still come */
    struct pytree__stb_cleanup *stb_cleanups;                  /* the last one first */
    struct pytree__custom_cleanup *custom_cleanups;            /* likewise: those inside others come first */
    const pytree *source;                 /* what is cloned */
    bool has_handles;                     /* some of its structs have handles, */
    struct pytree__handles *handles;      /* namely these */
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

/* The bytes of a long double that hold its value: the rest is padding. */
enum { PYTREE__WIDE = LDBL_MANT_DIG == 64 && sizeof(long double) > 10 ? 10 : sizeof(long double) };

/* What pytree_check hears of instead of the walk's end. */
struct pytree__problem_sink {
    void (*problem)(void *context, const pytree_error *problem);
    void *context;
};

/* Room for a pair of either kind. */
enum {
    PYTREE__PAIR_BYTES = sizeof(pytree_pair) > sizeof(pytree_int_pair) ? sizeof(pytree_pair) : sizeof(pytree_int_pair)
};

#ifndef PYTREE__DECLARATIONS_ONLY         /* defined by tests that are linked with the bodies and call private functions */

/* error.h */
#if !defined(PYTREE_SMALL)                /* whose errors have only a status and a path */
static PYTREE__NOINLINE void pytree__put_message(pytree_error *err, const char *format, va_list arguments);
#endif
static pytree_status pytree__fail_unstable_callback(pytree_error *err);
static void pytree__shorten_middle(char *to, size_t room, const char *text);

/* kind.h */
PYTREE__INLINE const struct pytree__kind_traits *pytree__traits(const pytree_type *type);
static inline const struct pytree__notation *pytree__treedef_text(const pytree_type *type);
static inline const struct pytree__notation *pytree__literal_text(const pytree_type *type);
PYTREE__INLINE bool pytree__keyed(const pytree_type *type);
PYTREE__INLINE bool pytree__is_dict(const pytree_type *type);
PYTREE__INLINE bool pytree__is_named(const pytree_type *type);
static const char *pytree__name_of(const pytree_type *type, const char *name);
static inline const pytree_type *pytree__container_type(int kind);
static inline const pytree_type *pytree__type_of_code(uint64_t code);
static inline const pytree_type *pytree__type_of_word(const char *word, size_t n);
static inline const pytree_type *pytree__type_of_bracket(char c, char *close);

/* number.h */
static bool pytree__real(const pytree_type *type);
static inline double pytree__of_f16(uint16_t bits);
static inline double pytree__of_bf16(uint16_t bits);
static inline uint16_t pytree__to_half(double value, int mantissa);

/* type.h */
static const pytree_type *pytree__origin(const pytree_type *type);
PYTREE__INLINE const pytree_field *pytree__active_row(const pytree_field *row, const void *self);
PYTREE__INLINE const pytree_field *pytree__given_row(const pytree_field *row, const void *self, pytree_field *own);
static bool pytree__same_string(const char *a, const char *b);
static bool pytree__same_struct(const pytree_type *a, const pytree_type *b);
static const char *pytree__constant_name(const pytree_type *type, const void *element);
PYTREE__INLINE size_t pytree__type_slot(const pytree_type *type);
PYTREE__INLINE size_t pytree__child_views(const pytree_type *type, const void *self, pytree_leaf *view);
PYTREE__INLINE pytree__flatten_result pytree__leaf_views(const pytree_type *type, const void *self, pytree_leaf *view,
                                                         const pytree_leaf *end, bool none_is_leaf);
PYTREE__INLINE size_t pytree__validate(const pytree_type *type, const void *self, pytree_leaf *scratch, const pytree_leaf *end);

/* unicode.h */
static unsigned pytree__utf8(const char *s, size_t n, uint32_t *character);
static bool pytree__printable(uint32_t character);

/* memory.h */
static const pytree_allocator *pytree__allocator(const pytree_options *opt);
static pytree_status pytree__no_memory(pytree_error *err, size_t bytes);
static size_t pytree__times(size_t a, size_t b);
static size_t pytree__plus(size_t a, size_t b);
static size_t pytree__round(size_t n, size_t to);
static inline bool pytree__little_endian(void);
void pytree__swap(void *words, size_t size, size_t n);
static inline uint64_t pytree__number_at(const unsigned char *p, size_t n);

/* text.h */
static bool pytree__file_put(FILE *file, const char *s, size_t n);
PYTREE__INLINE void pytree__text_put_small(struct pytree__text_writer *to, const char *s, size_t n);
static void pytree__put_integer(struct pytree__text_writer *to, int64_t n);
static size_t pytree__end_text(const struct pytree__text_writer *to, size_t n);
static struct pytree__text_writer pytree__text_to(char *at, size_t n, const struct pytree__text_file *file);
static struct pytree__text_file pytree__file_sink(FILE *file);

/* float_text.h */
static size_t pytree__find_digits(char digit[48], int *exponent, long double v, int kind);
static void pytree__put_float(struct pytree__text_writer *to, long double v, int kind);

/* statics.h */
/* Sees one piece of a struct's static values: its row, which says how it is packed, where in the struct it lies, its bytes
 * there. Returns false to end the visit, which then returns that. */
typedef bool pytree__static_fn(void *context, const pytree_field *row, size_t at, size_t bytes);
PYTREE__INLINE bool pytree__visit_row(const pytree_field *row, size_t at, pytree__static_fn *fn, void *context);
PYTREE__INLINE bool pytree__visit_statics(const pytree_type *type, size_t at, pytree__static_fn *fn, void *context);
PYTREE__INLINE void pytree__copy_few(void *to, const void *from, size_t n);
static void pytree__pack_bytes(pytree__statics *to, const void *p, size_t n);
static size_t pytree__text_length(const char *s, size_t n);
static bool pytree__same_text(const char *a, const char *b, size_t n);
static void pytree__pack_string(pytree__statics *to, const char *s);
static void pytree__pack(pytree__statics *to, const pytree_field *row, const void *at);
static uint32_t pytree__u32(const unsigned char *at);
static const unsigned char *pytree__skip_strings(const unsigned char *at, size_t n);
static void pytree__pack_number(pytree__statics *to, int64_t number);
static const unsigned char *pytree__skip_keys(const unsigned char *at, size_t n);
static size_t pytree__maxlen(const unsigned char *at);
/* The metadata of a container: its name (or factory), its maximum length; nothing where its kind has none. The second one sets
 * what there is of those in *items and returns where the keys begin. */
void pytree__pack_meta(pytree__statics *to, const pytree_type *type, const char *name, size_t maxlen);
static const unsigned char *pytree__unpack_meta(const pytree_type *type, const unsigned char *at, pytree_items *items);
static bool pytree__match_meta(const pytree_type *type, const char *name, size_t maxlen, const unsigned char *at);
static void pytree__put_packed(struct pytree__text_writer *to, const pytree_type *type, const unsigned char *at);
PYTREE__INLINE uint64_t pytree__differ(const void *a, const void *b, size_t n);
/* Compare the static values of a row, of a struct, with packed ones. Return where those end; NULL if they differ. */
static const unsigned char *pytree__match_row(const pytree_field *row, const char *field, const unsigned char *at);
static const unsigned char *pytree__put_row(struct pytree__text_writer *to, const pytree_field *row, const unsigned char *at);
static const unsigned char *pytree__match_packed(const pytree_type *type, const char *self, const unsigned char *at);
static bool pytree__same_row(const pytree_field *row, const char *x, const char *y);
static bool pytree__same_statics(const pytree_type *type, const char *a, const char *b);

/* layout.h */
static void pytree__layout_clear(pytree__layout_cache *p);
static void pytree__layout_cache_init(pytree__layout_cache *p, pytree__layout_space *space);
PYTREE__INLINE pytree__layout *pytree__layout_of(pytree__layout_cache *p, const pytree_type *type);
PYTREE__INLINE pytree__layout *pytree__layout_for(pytree__layout_cache *p, const pytree_type *type, const void *self,
                                                  bool none_is_leaf);
PYTREE__INLINE bool pytree__layout_instances_equal(const pytree__layout_cache *p, const pytree__layout *plan, size_t n,
                                                   const pytree_leaf **structs);
PYTREE__INLINE bool pytree__same_counts(const pytree_node *a, const pytree_node *b);
PYTREE__INLINE bool pytree__layout_matches_nodes(const pytree__layout_cache *p, const pytree__layout *plan,
                                                 const pytree_node *n);
PYTREE__INLINE bool pytree__layout_matches_instance(const pytree__layout_cache *p, const pytree__layout *plan, const char *self,
                                                    const pytree_def *def, const pytree_node *theirs);
PYTREE__INLINE pytree__layout *pytree__layout_of_node(pytree__layout_cache *p, const pytree_node *n);
PYTREE__INLINE void pytree__layout_emit(const pytree__layout_cache *p, const pytree__layout *plan, const char *self,
                                        pytree_node *nodes,
                                        pytree__statics *to);
PYTREE__INLINE size_t pytree__layout_bytes(const pytree__layout_cache *p, const pytree__layout *plan, const char *self);

/* treedef.h */
static void pytree__node_text(struct pytree__text_writer *to, const pytree_def *def, const pytree_node *node);
static bool pytree__same_node(const pytree_node *a, const pytree_node *b);
static pytree_leaf *pytree__def_leaves(const pytree_def *def)      /* those that follow in the same block */;
static uint64_t pytree__mix(uint64_t h, uint64_t v);
static bool pytree__namespaced(const pytree_node *node);
static const unsigned char *pytree__next_key(const pytree_node *node, const unsigned char *at, size_t i, pytree_entry *entry);
static const unsigned char *pytree__first_key(const pytree_def *def, size_t at);
static pytree_status pytree__leaf_counts(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree_error *err);
static pytree_status pytree__given_leaves(size_t n, const pytree_leaf *leaves, pytree_error *err);
static bool pytree__same_entry(const pytree_entry *a, const pytree_entry *b);
static void pytree__node_path(const pytree_def *def, size_t node, char *text, size_t n);
static void *pytree__no_def(pytree_error *err);
static void pytree__move_orders(uint32_t *to, const pytree_node *nodes, const uint32_t *orders, size_t n, uint32_t base);

/* treedef_text.h */
static void pytree__put_factory(struct pytree__text_writer *to, const pytree_def *def, size_t at);
static void pytree__put_maxlen(struct pytree__text_writer *to, size_t maxlen, bool comma);
static void pytree__put_meta(struct pytree__text_writer *to, const pytree_def *def, size_t at);
static const char *pytree__opening(const struct pytree__notation *notation, size_t arity);
static const char *pytree__closing(const struct pytree__notation *notation, size_t arity);

/* view.h */
PYTREE__INLINE void pytree__copy_view(pytree_leaf *to, const pytree_leaf *from);
static void pytree__none_view(pytree_leaf *v);
static void pytree__view(pytree_leaf *v, const pytree_type *type, void *data);
PYTREE__INLINE bool pytree__view_is_valid(const pytree_leaf *v);
PYTREE__INLINE bool pytree__plain_walk(const pytree_options *opt);
static const pytree_type *pytree__type_of_form(unsigned form, const pytree_type *type);
static const pytree_type *pytree__node_type(const pytree_leaf *v);
static const char *pytree__view_name(const pytree_leaf *v);
static void pytree__leaf_text(char *text, size_t n, const pytree_leaf *leaf);
PYTREE__INLINE pytree_status pytree__fits(const pytree_leaf *wanted, const pytree_leaf *got);
PYTREE__INLINE size_t pytree__other_extents(const pytree_leaf *a, const pytree_leaf *b);
PYTREE__INLINE bool pytree__fit(const pytree_leaf *wanted, const pytree_leaf *const end, const pytree_leaf *given);
static bool pytree__near(double x, double y, const pytree_tolerance *tolerance);
static bool pytree__parts(const pytree_leaf *leaf, pytree_leaf *out);

/* cursor_stack.h */
static void pytree__cursor_begin(pytree__cursor *c, pytree__frame *frames, size_t n_frames, pytree_leaf *views, size_t n_views,
                                 const pytree_options *opt, pytree_error *err);
static void pytree__cursor_init(pytree__cursor *c, pytree__cursor_space *space, const pytree_options *opt, pytree_error *err);
static void pytree__cursor_end(pytree__cursor *c);
static void *pytree__scratch(pytree__cursor *c, size_t bytes);
static pytree_leaf *pytree__room(pytree__cursor *c, size_t n);
static void *pytree__zeros(void);

/* cursor_path.h */
PYTREE__INLINE bool pytree__in_row(const pytree__frame *f);
PYTREE__INLINE size_t pytree__number_views(size_t n);
PYTREE__INLINE const uint32_t *pytree__found_order(const pytree__cursor *c, const pytree__frame *f);
PYTREE__INLINE char *pytree__pair(const pytree__cursor *c, const pytree__frame *f, size_t i);
static const char *pytree__items_name(const pytree__frame *f);
static const pytree *pytree__held(const pytree__cursor *c, const pytree__frame *f);
static const unsigned char *pytree__held_metadata(const pytree__cursor *c, const pytree__frame *f);
static void pytree__frame_entry(const pytree__cursor *c, const pytree__frame *f, size_t i, pytree_entry *entry);
static const pytree_field *pytree__data_row(const pytree_type *type, size_t i);
static size_t pytree__deep_leaves(const pytree_type *type, const char *self);
static const pytree_field *pytree__row_at(const pytree__cursor *c, const char **self);
static size_t pytree__cursor_path(const pytree__cursor *c, pytree_entry *entries, size_t capacity);
static void pytree__cursor_text(const pytree__cursor *c, struct pytree__text_writer *to, size_t most);
static pytree_status pytree__fail_at(const pytree__cursor *c, pytree_status status, const char *format, ...);
#if defined(PYTREE_SMALL)                 /* as pytree_fail */
static pytree_status pytree__fail_at_short(const pytree__cursor *c, pytree_status status);
#define pytree__fail_at(c, status, ...) (0 ? (pytree__fail_at)(c, status, __VA_ARGS__) : pytree__fail_at_short(c, status))
#endif
static unsigned pytree__form_in(const pytree__frame *f);
static pytree_status pytree__fail_misfit(pytree__cursor *c, pytree_status status, const pytree_leaf *wanted,
                                         const pytree_leaf *got);
static size_t pytree__depth(const pytree__cursor *c);
static void pytree__entry_at(const pytree__cursor *c, size_t i, pytree_entry *entry);

/* dict_order.h */
static bool pytree__has_key_order(const pytree_items *items);
static pytree_status pytree__open_pairs(pytree__cursor *c, pytree__frame *f);
struct pytree__sorting;
static uint64_t pytree__key_prefix64(const char *key);
static int pytree__by_key(const void *a, const void *b);
static void pytree__sort_keys(struct pytree__sorting *keys, size_t n);

/* cursor.h */
static void pytree__row_view(pytree_leaf *v, const pytree_field *row, const char *at, const size_t *shape);
static pytree_status pytree__cursor_root(pytree__cursor *c, pytree t);
static void pytree__apply_namespace(const pytree__cursor *c, pytree_leaf *v);
static pytree_status pytree__open(pytree__cursor *c, const pytree_leaf *value);
static pytree_status pytree__take(pytree__cursor *c, const pytree_leaf **value);
static void pytree__close(pytree__cursor *c);
PYTREE__INLINE bool pytree__cursor_child(pytree__cursor *c, pytree__frame *f, const pytree_leaf **value);
PYTREE__INLINE int pytree__classify(pytree__cursor *c, const pytree_leaf *value);
PYTREE__INLINE int pytree__cursor_next(pytree__cursor *c, const pytree_leaf **value);
PYTREE__INLINE bool pytree__run_follows(pytree__cursor *c);
PYTREE__INLINE void pytree__cursor_back(pytree__cursor *c);

/* flatten_owned.h */
static const struct pytree__block *pytree__owned_block_of(pytree t, const pytree_options *opt);
static bool pytree__flatten_owned(const struct pytree__block *block, pytree t, pytree_def *def, pytree_leaf *leaves);

/* flatten.h */
static pytree_status pytree__flatten(pytree t, bool making, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                     const pytree_options *opt, pytree_error *err);
static pytree_status pytree__count_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count,
                                          const pytree_options *opt, pytree_error *err);
static void pytree__pack_node(pytree__statics *to, const pytree__cursor *c, const pytree__frame *f);

/* unflatten_into.h */
PYTREE__INLINE const pytree_leaf *pytree__store_leaves(const pytree_type *type, void *self, const pytree_leaf *leaf);
static bool pytree__same_meta(const pytree__cursor *c, const pytree__frame *f, const pytree_def *def, size_t j);
static pytree_status pytree__into_leaf(pytree__cursor *c, const pytree_leaf *value, const pytree_leaf *leaf, size_t k,
                                       bool put);

/* iterate.h */
static const char *pytree__frame_name(const pytree__frame *f);
static size_t pytree__frame_maxlen(const pytree__frame *f);

/* distinct.h */
struct pytree__extent { uintptr_t from, to; };                 /* memory that a value takes */
static size_t pytree__own_bytes(const pytree__cursor *c, const pytree_leaf *v);
static pytree_status pytree__is_distinct(pytree t, const pytree_options *opt);

/* iterate.h */
static pytree_status pytree__iter_start(pytree_iter *it, pytree_leaf views[PYTREE__MORE_VIEWS], size_t n, const pytree *trees,
                                        const pytree_options *opt, pytree_error *err);
static pytree_status pytree__iter_again(pytree_iter *it, const pytree *trees);

/* owned.h */
static struct pytree__block *pytree__block_of_root(pytree t);
static void pytree__release_walking(pytree t, const pytree_allocator *a);
static void pytree__free_attached(struct pytree__attached *last, const struct pytree__attached *until,
                                  const pytree_allocator *a);

/* build_place.h */
PYTREE__INLINE char *pytree__bump_head(struct pytree__builder *b, size_t bytes);
PYTREE__INLINE char *pytree__bump_tail(struct pytree__builder *b, size_t bytes);
static void pytree__unpack(struct pytree__builder *b, const pytree_type *type, char *self, const unsigned char *at);
PYTREE__INLINE struct pytree__build_frame *pytree__build_push(struct pytree__builder *b, const pytree_type *type, char *at,
                                                              size_t step, size_t n);
static pytree_leaf *pytree__build_views(struct pytree__builder *b, size_t n);
PYTREE__INLINE pytree *pytree__build_chain(pytree *at, size_t n, pytree *chain);
PYTREE__INLINE const uint32_t *pytree__build_order(struct pytree__builder *b, size_t node);
static void pytree__build_fail_node(struct pytree__builder *b, size_t node, const char *expected);
static void pytree__build_fail_leaf(struct pytree__builder *b, pytree_status status, size_t node, const pytree_leaf *wanted,
                                    const pytree_leaf *got);
static void pytree__build_fail_set(struct pytree__builder *b, size_t node);
PYTREE__INLINE bool pytree__build_validate_leaves(struct pytree__builder *b);
PYTREE__INLINE void pytree__build_bytes(struct pytree__builder *b, void *to, const pytree_leaf *leaf, size_t bytes,
                                        bool in_place);
static void *pytree__build_array(struct pytree__builder *b, const pytree_leaf *leaf);
static bool pytree__is_flexible(const pytree_type *type);
static size_t pytree__build_bytes_of(const struct pytree__builder *b, size_t node, size_t leaf);
static void pytree__build_skip(struct pytree__builder *b, size_t node);

/* build_bound.h */
static void pytree__bound_head(struct pytree__builder *b);
static void pytree__measure_leaves(struct pytree__builder *b);

/* build_struct.h */
PYTREE__INLINE pytree__layout *pytree__counted_layout(struct pytree__builder *b, const pytree_type *type, const pytree_node *n);
PYTREE__INLINE const pytree__layout *pytree__build_layout(struct pytree__builder *b, const pytree_type *type,
                                                          const pytree_node *n, char *self, bool restore);
PYTREE__INLINE bool pytree__refer_inlined(struct pytree__builder *b, const pytree__layout *layout, char *self,
                                          const pytree_leaf *leaf);
static bool pytree__own_inlined(struct pytree__builder *b, const pytree__layout *layout, char *self, const pytree_leaf *leaf);
PYTREE__INLINE void pytree__build_open(struct pytree__builder *b, const pytree_type *type, char *self, size_t node);
static void pytree__build_verify(struct pytree__builder *b, const struct pytree__build_frame *frame);
static bool pytree__is_verified(struct pytree__builder *b, const pytree_type *type);

/* build_items.h */
static void pytree__copy_keys(struct pytree__builder *b);
PYTREE__INLINE pytree *pytree__build_items(struct pytree__builder *b, size_t node, char *piece, pytree *chain);
static size_t pytree__items_bytes(const pytree_node *n);
static pytree pytree__build_container(struct pytree__builder *b, size_t node);

/* build.h */
static void pytree__rebuild_customs(struct pytree__builder *b);
static pytree pytree__build_run(struct pytree__builder *b, char *root);

/* build_handles.h */
static PYTREE__NOINLINE void pytree__clone_handles(struct pytree__builder *b);

/* build_block.h */
static pytree_status pytree__build_tree(pytree *t, const pytree_def *def, const pytree_leaf *leaves, int mode, pytree *source,
                                        const pytree_options *opt, pytree_error *err);

/* unflatten.h */
static void pytree__refer_items(struct pytree__builder *b);

/* materialize.h */
static bool pytree__children_to_make(pytree__cursor *c, const pytree_type *type, const char *self, pytree_leaf *views);
enum {                                    /* what is NULL that the rows of a struct may read through */
    PYTREE__LACKS_NOTHING,
    PYTREE__LACKS_STRUCT,
    PYTREE__LACKS_BEYOND                  /* a struct that one of its structs must have: rows may read through both */
};
static int pytree__lacks(const pytree_type *type, const void *self);
static size_t pytree__views_lacking(pytree__cursor *c, const pytree_type *type, const char *self, pytree_leaf *views,
                                    int lacks);
static pytree_status pytree__fail_beyond(pytree__cursor *c);

/* compare.h */
static void pytree__put_value(struct pytree__text_writer *to, const pytree_leaf *leaf, size_t i);
static size_t pytree__first_difference(const pytree_leaf *a, const pytree_leaf *b, const pytree_tolerance *tolerance);

/* print.h */
static pytree_status pytree__put_tree(struct pytree__text_writer *to, pytree t, const pytree_options *opt, pytree_error *err);

/* paths.h */
struct pytree__paths_block;               /* stands before the pointers that pytree_paths returns */

#include "all.h"                          /* a room that is opened alone finds the others */
#endif
#endif
