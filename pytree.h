/* pytree.h: pytrees for C structs.
 *
 * Annotate a struct once; flatten it, rebuild it, map over several of it, name, compare, print, allocate and copy it.
 *
 *     #define PYTREE_IMPLEMENTATION            // in exactly one file of the program
 *     #include "pytree.h"
 *
 *     typedef struct Linear { int din, dout; float *w, *b; } Linear;
 *
 *     #define PYTREE_STRUCT Linear
 *     #define PYTREE_FIELDS                                      \
 *         PYTREE_FIELD(STATIC, din)                              \
 *         PYTREE_FIELD(STATIC, dout)                             \
 *         PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
 *         PYTREE_FIELD(DATA, b, ARRAY(self->dout))
 *     #include "pytree_registry.h"
 *
 *     Linear layer = { .din = 784, .dout = 128 };
 *     pytree_allocate(PYTREE(&layer), NULL, NULL);
 *     pytree_print(stdout, PYTREE(&layer), NULL);                // .w  f32[784,128] ...
 *     pytree_free(PYTREE(&layer));
 *
 * Language: C11 (gcc, clang, tcc). This header also compiles as C++17; pytree_registry.h is C alone.
 * Needs: the C standard library, and stb_ds.h for fields that are stb_ds containers.
 *
 * Rules that hold for every function here:
 * - A `pytree` is a borrowed reference, passed by value. Nothing here keeps one after it returned, unless its doc says so.
 * - `const pytree_options *opt` and `pytree_error *err` may be NULL: defaults, and "not wanted".
 * - Other pointers must not be NULL, unless a comment says what that means: callbacks, texts, files, places for results. Where
 *   a call can fail, most that are NULL all the same are PYTREE_ARGUMENT; a treedef always is, so that a row of calls can be
 *   checked at its end.
 * - What can fail returns a `pytree_status` (0 is success) or a pointer that is NULL on failure. After a failure the inputs
 *   are as before, outputs are untouched or empty, nothing leaks.
 * - Nothing prints, exits, touches `errno` or keeps state: functions that only read a tree may run on it in many threads.
 * - Depth is bounded by memory: trees of up to 24 levels need none, deeper ones borrow from the allocator while they are
 * walked.
 */
#ifndef PYTREE_H
#define PYTREE_H

/* ---- Language and options ------------------------------------------------------------------------------------------ */

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
#error "pytree.h needs C11: compile with -std=c11 or later (MSVC: /std:c11)."
#endif
#if defined(__cplusplus) && __cplusplus < 201703L
#error "pytree.h needs C++17 when it is compiled as C++: compile with -std=c++17 or later."
#endif

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if !defined(INCLUDE_STB_DS_H)
#if defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#elif __has_include(<stb/stb_ds.h>)
#include <stb/stb_ds.h>
#else
#error "pytree.h needs stb_ds.h: install libstb-dev (Debian, Ubuntu), stb-devel (Fedora), or copy stb_ds.h beside pytree.h."
#endif
#else
#include "stb_ds.h"                       /* missing? install libstb-dev (-I/usr/include/stb), or copy it beside pytree.h */
#endif
#endif

/* The version, as numbers and as text. Before 1.0 a minor version may change the interface; the changelog says where. */
#define PYTREE_VERSION_MAJOR 0
#define PYTREE_VERSION_MINOR 1
#define PYTREE_VERSION_PATCH 0
#define PYTREE_VERSION "0.1.0"

/* Most dimensions of an array leaf, 3 to 16. It sizes pytree_leaf: the same value in every file of a program. */
#ifndef PYTREE_MAX_DIMS
#define PYTREE_MAX_DIMS 8
#endif
#if PYTREE_MAX_DIMS < 3 || PYTREE_MAX_DIMS > 16
#error "PYTREE_MAX_DIMS must be from 3 to 16."
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PYTREE__LIKELY(x) __builtin_expect(!!(x), 1)
#define PYTREE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PYTREE__LIKELY(x) (x)
#define PYTREE__UNLIKELY(x) (x)
#endif
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__OPTIMIZE__)
#define PYTREE__INLINE static inline __attribute__((always_inline, unused))
#else
#define PYTREE__INLINE static inline
#endif
#if defined(__clang__)                    /* would copy a function into each that calls it, and that into the next, and so on */
#define PYTREE__APART static inline __attribute__((noinline))
#else
#define PYTREE__APART static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

/* Every status with its name; the list makes the enum and pytree_status_name. */
#define PYTREE__STATUSES(X)                                                                                             \
    X(OK, "ok")                                                                                                         \
    X(NO_MEMORY, "out of memory")                                                                                       \
    X(NULL_POINTER, "NULL where data is required")                                                                      \
    X(BAD_COUNT, "negative or absurd count")                                                                            \
    X(OVERFLOW, "size does not fit")                                                                                    \
    X(CYCLE, "tree contains itself")                                                                                    \
    X(TOO_FEW_LEAVES, "too few leaves")                                                                                 \
    X(TOO_MANY_LEAVES, "too many leaves")                                                                               \
    X(STRUCTURE, "structures differ")                                                                                   \
    X(TYPE, "types differ")                                                                                             \
    X(SHAPE, "shapes differ")                                                                                           \
    X(VALUE, "values differ")                                                                                           \
    X(SHARED, "memory reached twice")                                                                                   \
    X(NOT_FOUND, "nothing at that path")                                                                                \
    X(SYNTAX, "text cannot be read")                                                                                    \
    X(EMPTY, "no leaves")                                                                                               \
    X(ARGUMENT, "bad argument")                                                                                         \
    X(IO, "input or output failed")                                                                                     \
    X(STOPPED, "stopped by the callback")

typedef enum pytree_status {
#define PYTREE__X(name, text) PYTREE_##name,
    PYTREE__STATUSES(PYTREE__X)
#undef PYTREE__X
} pytree_status;

/* Where and why an operation failed. Zero-initialise it. The first error stays: later calls leave a set one alone, so a
 * sequence of calls can be checked once at its end. `message` reads "expected X, got Y"; `path` is the key path (empty: root).
 * Texts that do not fit are cut in the middle and say so with "...". */
typedef struct pytree_error {
    pytree_status status;
    char message[240];
    char path[256];
} pytree_error;

/* The words for a status, "out of memory" and the like. Constant text, never NULL. */
const char *pytree_status_name(pytree_status status);

/* "path: message (status)" on one line with a newline. Does nothing if err is NULL or not set. */
void pytree_error_print(FILE *file, const pytree_error *err);

/* For callbacks and for operations built on these: sets *err, unless it is NULL or set already, from a printf format, and
 * returns `status`. `path` may be NULL. */
pytree_status pytree_fail(pytree_error *err, pytree_status status, const char *path, const char *format, ...)
#if defined(__GNUC__) && !defined(__TINYC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

/* Where memory comes from. `resize(context, p, old, new)`: p NULL allocates; new 0 frees (returns NULL); otherwise grows or
 * shrinks, keeping the contents, NULL if it cannot (p then stays valid). Results are aligned like malloc's. The struct must
 * outlive what was allocated with it. Calls come from the calling thread alone. */
typedef struct pytree_allocator {
    void *(*resize)(void *context, void *p, size_t old_size, size_t new_size);
    void *context;
} pytree_allocator;

/* ---- Types --------------------------------------------------------------------------------------------------------- */

typedef struct pytree_type pytree_type;
typedef struct pytree_def pytree_def;
typedef struct pytree_iter pytree_iter;
typedef struct pytree_entry pytree_entry;

/* A typed reference to any C value. Owns nothing; two words, pass it by value. Make one with PYTREE(p). */
typedef struct pytree {
    const pytree_type *type;
    void *data;
} pytree;

/* Element type of a leaf. `char`, `long` and the like have the code of the fixed-size type they equal. */
typedef enum pytree_dtype {
    PYTREE_NO_DTYPE,                      /* not a leaf type */
    PYTREE_BOOL8,
    PYTREE_I8, PYTREE_I16, PYTREE_I32, PYTREE_I64,
    PYTREE_U8, PYTREE_U16, PYTREE_U32, PYTREE_U64,
    PYTREE_F16, PYTREE_BF16, PYTREE_F32, PYTREE_F64, PYTREE_FLONG,
    PYTREE_C64, PYTREE_C128, PYTREE_CLONG,
    PYTREE_STRING,                        /* char *, NUL-terminated */
    PYTREE_OPAQUE                         /* registered with PYTREE_LEAF_TYPE: bytes that nothing here looks into */
} pytree_dtype;

/* Half-precision storage: the bits, without arithmetic. */
typedef struct pytree_f16 { uint16_t bits; } pytree_f16;
typedef struct pytree_bf16 { uint16_t bits; } pytree_bf16;

/* What kind of value a type describes, and of which kind a treedef's node is. */
typedef enum pytree_kind {
    PYTREE_KIND_LEAF,
    PYTREE_KIND_NONE,
    PYTREE_KIND_STRUCT,
    PYTREE_KIND_LIST,
    PYTREE_KIND_TUPLE,
    PYTREE_KIND_DICT,                     /* visited in the order of its keys */
    PYTREE_KIND_ODICT,                    /* order is structure */
    PYTREE_KIND_NAMEDTUPLE,
    PYTREE_KIND_DEFAULTDICT,              /* a dict with the name of a factory */
    PYTREE_KIND_DEQUE,                    /* a list with a maximum length */
    PYTREE_KIND_CUSTOM,                   /* registered with PYTREE_CUSTOM */
    PYTREE_KIND_VIEW,                     /* a value held as a pytree_leaf */
    PYTREE_KIND_REF,                      /* a value held as a pytree */
    PYTREE_KIND_FLAT                      /* a value held as a pytree_flat: treedef and leaves */
} pytree_kind;

/* How a view's memory is to be read. Users meet PYTREE_FORM_LEAF and, for whole subtrees, any other; only the walker and
 * the generated code need to tell those apart. */
typedef enum pytree_form {
    PYTREE_FORM_LEAF,                     /* data: elements */
    PYTREE_FORM_NONE,                     /* no data */
    PYTREE_FORM_STRUCT,                   /* data: one struct of `type`, or one custom node */
    PYTREE_FORM_LIST,                     /* data: shape[0] values of `type` in a row */
    PYTREE_FORM_TUPLE,                    /* likewise, of a fixed array */
    PYTREE_FORM_MAP,                      /* data: an stb_ds string map of shape[0] entries of shape[1] bytes, value at [2] */
    PYTREE_FORM_ITEMS,                    /* data: a pytree_items; type: list, tuple, dict, … */
    PYTREE_FORM_CUSTOM,                   /* the walker's own: an open custom node */
    PYTREE_FORM_FLAT,                     /* data: a pytree_flat; shape[0]: its node, [1]: first leaf below it, [2]: where
                                             the orders of its dicts end */
    PYTREE_FORM_VIEW,                     /* data: a pytree_leaf to be read in its place */
    PYTREE_FORM_REF                       /* data: a pytree to be read in its place */
} pytree_form;

/* A leaf seen in place: element type, shape, and where it lies. Nothing is copied; `data` is borrowed from the tree. It is
 * also a value of its own: a struct field or a container may hold one where the shape is only known at run time. Fill in
 * data, type, ndim and shape and leave the rest zero. Dimensions are row-major and contiguous. */
typedef struct pytree_leaf {
    void *data;                           /* first element */
    const pytree_type *type;              /* element type; its dtype is type->dtype */
    int ndim;                             /* 0 for a scalar */
    unsigned form;                        /* pytree_form; 0: a leaf */
    size_t shape[PYTREE_MAX_DIMS];
} pytree_leaf;

/* Rows of a registered struct, in declaration order (the table behind PYTREE_FIELDS). */
enum { PYTREE_ROW_DATA, PYTREE_ROW_STATIC, PYTREE_ROW_DROP };
enum { PYTREE_IN_PLACE, PYTREE_POINTER, PYTREE_STB };           /* where a DATA field's value lies */

typedef struct pytree_field {
    const char *name;
    const pytree_type *type;              /* element type; NULL for DROP rows and for opaque addresses */
    unsigned char row;                    /* PYTREE_ROW_… */
    unsigned char place;                  /* PYTREE_IN_PLACE, … */
    unsigned char form;                   /* pytree_form of the child when it is not None */
    unsigned char optional;
    int ndim;                             /* of a fixed array */
    size_t offset, size;                  /* bytes, within the struct */
    size_t inner;                         /* bytes of one element along the first dimension of a fixed array */
    /* stb_ds fields: make it n long; free it */
    pytree_status (*resize)(void *field, size_t n, const char *const *keys, const struct pytree_field *row);
    void (*release)(void *field, const struct pytree_field *row);
} pytree_field;

/* Where static values are packed: all are counted, and written as long as they fit. How: as bytes, long double without its
 * padding, string, struct. */
typedef struct pytree__statics {
    unsigned char *at;
    size_t room, length;                  /* room 0: they are counted alone */
} pytree__statics;
enum { PYTREE__PACK_BYTES, PYTREE__PACK_WIDE, PYTREE__PACK_TEXT, PYTREE__PACK_STRUCT };

/* What flatten answers: where the views end, and whether at least one child is None; must be looked at (NULL, a large or
 * negative extent, a value held as pytree or pytree_leaf); is a node that a pointer leads to, or cannot be seen deep. */
enum { PYTREE__HAS_NONE = 1, PYTREE__ODD = 2, PYTREE__HAS_NODE = 4 };
typedef struct pytree__seen {
    pytree_leaf *end;
    size_t odd;
} pytree__seen;
enum { PYTREE__DEEP = 1, PYTREE__DROP_NONE = 2, PYTREE__LOOK = 4,      /* how to flatten */
       PYTREE__SOUND = PYTREE__DEEP + PYTREE__DROP_NONE + PYTREE__LOOK };

/* Descriptor of a type: constant, made by pytree_registry.h or built in. Files that register the same struct have a copy
 * each; pytree_type_equal knows them for the same. */
struct pytree_type {
    const char *name;                     /* as in C: "float", "Linear" */
    size_t size;
    size_t align;
    pytree_kind kind;
    pytree_dtype dtype;                   /* of a leaf type */
    unsigned n_fields;                    /* rows */
    unsigned n_children;                  /* DATA rows */
    bool closed;                          /* no DATA row is a list or a tree in any case: PYTREE__DEEP may do */
    bool plain;                           /* every STATIC row is plain bytes */
    const pytree_field *fields;
    /* Writes a view of each child to child[0 …], in order. PYTREE__DEEP: the children of structs that lie in this one take
     * their struct's place. Only what has no list, no tree and no pointer to a struct in it, and fits before `end`, can be seen
     * so; otherwise the answer is PYTREE__HAS_NODE, and what was written means nothing. PYTREE__DROP_NONE: None has no view.
     * PYTREE__LOOK: no views are written; is all sound? */
    pytree__seen (*flatten)(const void *self, pytree_leaf *child, const pytree_leaf *end, unsigned how);
    /* Puts children back, and says which comes next: pointers take the views' data, values in place are copied. PYTREE__DEEP:
     * those of structs in place too; what is None stays so, and has no view; NULL where flatten would answer
     * PYTREE__HAS_NODE. */
    const pytree_leaf *(*unflatten)(void *self, const pytree_leaf *child, unsigned how);
    /* Opaque leaf types; either may be NULL: bytes compare, and print as "<name>". */
    bool (*equal)(const void *a, const void *b);
    int (*print)(FILE *file, const void *value);
    const pytree_type *origin;            /* of the type of an owned tree's root: the type itself; otherwise NULL */
    const struct pytree_custom *custom;   /* of a custom type */
    const char *space;                    /* namespace that this registration is for; NULL: all */
    const pytree_type *next;              /* what the same file registered next; its last one's next has no name */
};

/* A node of the user's own: jax.tree_util.register_pytree_node, in C callbacks. Registered by
 *
 *     #define PYTREE_STRUCT Box
 *     #define PYTREE_CUSTOM box_callbacks           // a static const pytree_custom, defined before
 *     #include "pytree_registry.h"
 *
 * Equal metadata is the same bytes, different metadata other bytes: the treedef keeps a copy of them, and compares and hashes
 * that. So they hold no pointers and no padding. */
typedef struct pytree_custom {
    /* Required: the children to children[0 … n-1] and, if `keyed`, how each is reached to keys[0 … n-1] (names and numbers stay
     * the node's); only their number if both are NULL, which is the result in any case. */
    size_t (*children)(const void *self, pytree *children, pytree_entry *keys);
    bool keyed;                           /* otherwise children are known by their number: [<flat index 0>] */
    /* The metadata to `to`; only its length if that is NULL, which is the result in any case. NULL: there is none. */
    size_t (*metadata)(const void *self, void *to);
    /* Metadata as it stands in a treedef's text, CustomNode(Box[text], [*]). Like snprintf. NULL: as bytes. */
    size_t (*print)(const void *metadata, size_t bytes, char *text, size_t n);
    /* Makes *self, which is zeroed, of n children, which live as long as the new tree. Anything but PYTREE_OK fails the whole
     * rebuild. NULL: such a node can be looked at, and not be rebuilt. */
    pytree_status (*rebuild)(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes);
    void (*release)(void *self);          /* gives back what `rebuild` took, when the tree is freed. NULL: nothing to do */
} pytree_custom;

/* The built-in types. pytree_types[PYTREE__T_float] and so on; use PYTREE_TYPE(float). */
#define PYTREE__SCALARS(X)                                                                                              \
    X(bool_, bool) X(char_, char) X(schar, signed char) X(uchar, unsigned char) X(short_, short)                      \
    X(ushort, unsigned short) X(int_, int) X(uint, unsigned) X(long_, long) X(ulong, unsigned long)                    \
    X(llong, long long) X(ullong, unsigned long long) X(float_, float) X(double_, double) X(ldouble, long double)      \
    X(f16, pytree_f16) X(bf16, pytree_bf16)
enum {
    PYTREE__T_none,
#define PYTREE__X(id, T) PYTREE__T_##id,
    PYTREE__SCALARS(PYTREE__X)
#undef PYTREE__X
    PYTREE__T_cfloat, PYTREE__T_cdouble, PYTREE__T_cldouble,
    PYTREE__T_string, PYTREE__T_address,
    PYTREE__T_list, PYTREE__T_tuple, PYTREE__T_dict, PYTREE__T_odict, PYTREE__T_namedtuple, PYTREE__T_defaultdict,
    PYTREE__T_deque, PYTREE__T_view, PYTREE__T_ref, PYTREE__T_flat,
    PYTREE__T_count
};
extern const pytree_type pytree_types[PYTREE__T_count];

/* A child put back into *self, which the generated unflatten does for each row. */
PYTREE__INLINE const pytree_leaf *pytree__put_back(const pytree_field *row, void *self, const pytree_leaf *child, unsigned how)
{
    char *at = (char *)self + row->offset;
    void *p;
    if ((how & PYTREE__DEEP) != 0) {
        if (PYTREE__UNLIKELY(child == NULL)) { return NULL; }
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) { return row->type->unflatten(at, child, how); }
        if (row->optional != 0) {
            memcpy(&p, at, sizeof p);
            if (p == NULL) { return child; }
        }
        if (row->form != PYTREE_FORM_LEAF) { return NULL; }
    }
    if (row->place != PYTREE_IN_PLACE) {
        p = child->form == PYTREE_FORM_NONE ? NULL : child->data;
        memcpy(at, &p, sizeof p);
    } else if (child->form == PYTREE_FORM_NONE) {
        memset(at, 0, row->size);
    } else if ((row->form == PYTREE_FORM_LEAF || row->form >= PYTREE_FORM_FLAT) && child->data != (void *)at) {
        memcpy(at, child->data, row->size);
    }
    return child + 1;
}

/* The children of a struct, each one view. */
PYTREE__INLINE unsigned pytree__look(const pytree_type *type, const void *self, pytree_leaf *children)
{
    return (unsigned)type->flatten(self, children, NULL, 0).odd;
}

/* Same type? By address, else by name, size and rows: true for one struct registered in two files. Cost: O(rows) then. */
bool pytree_type_equal(const pytree_type *a, const pytree_type *b);

/* Short name of an element type as JAX prints it: "f32", "i64", "bool", "str"; the type's own name otherwise. */
const char *pytree_dtype_name(const pytree_type *type);

/* ---- Leaves -------------------------------------------------------------------------------------------------------- */

/* Elements of a leaf: the product of its shape, 1 for a scalar. SIZE_MAX if the product does not fit. */
static inline size_t pytree_leaf_count(const pytree_leaf *leaf)
{
    size_t n = 1;
    int i;
    for (i = 0; i < leaf->ndim; i++) {
        if (leaf->shape[i] != 0 && n > SIZE_MAX / leaf->shape[i]) { return SIZE_MAX; }
        n *= leaf->shape[i];
    }
    return n;
}

/* Bytes of a leaf (for a string: of the pointer to it). SIZE_MAX if the product does not fit. */
static inline size_t pytree_leaf_bytes(const pytree_leaf *leaf)
{
    size_t n = pytree_leaf_count(leaf), size = leaf->type->size;
    return n != 0 && size > SIZE_MAX / n ? SIZE_MAX : n * size;
}

/* Is it a leaf (and not a whole subtree, as callbacks get where is_leaf said so or a later tree is deeper)? */
static inline bool pytree_is_leaf(const pytree_leaf *view) { return view->form == PYTREE_FORM_LEAF; }

/* The value behind a view, to be walked or printed on its own. Borrows the view itself, which must stay where it is. */
static inline pytree pytree_of_view(const pytree_leaf *view)
{
    pytree t;
    t.type = &pytree_types[PYTREE__T_view];
    t.data = (void *)(uintptr_t)view;
    return t;
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/* A container of pytrees. Lists, tuples and deques have `items`; dicts and namedtuples have `pairs`, or `int_pairs` if their
 * keys are numbers, a dict's in any order: they are visited by sorted key. A container borrows what it holds. */
typedef struct pytree_pair {
    const char *key;
    pytree value;
} pytree_pair;
typedef struct pytree_int_pair {
    int64_t key;
    pytree value;
} pytree_int_pair;

#define PYTREE_UNBOUNDED SIZE_MAX
typedef struct pytree_items {
    size_t count;
    const pytree *items;
    const pytree_pair *pairs;
    const char *name;                     /* of a namedtuple's type; of a default dict's factory, as "int" (NULL: None) */
    const pytree_int_pair *int_pairs;
    /* Of a dict that was built or rebuilt: number of the pair that is visited i-th, and the keys as a treedef packs them. With
     * keys and without an order the pairs lie as they are visited; without either that is found on each walk. Leave them NULL
     * in what you fill in yourself: an order of yours must name each pair once, which is checked on each walk, and sort the
     * keys, which is not. */
    const uint32_t *order;
    const unsigned char *packed;
    size_t packed_bytes;
    size_t maxlen;                        /* of a deque, or PYTREE_UNBOUNDED */
    bool sorted;                          /* the library's own: `order` is known to be right */
} pytree_items;

/* A treedef and its leaves in one: a tree whose leaves are of another type than the struct's fields could hold. The leaves are
 * taken as they are, unchecked: each must have a type, data that is there, no more dimensions than there may be. */
typedef struct pytree_flat {
    const pytree_def *def;
    const pytree_leaf *leaves;            /* pytree_def_num_leaves(def) of them */
} pytree_flat;

/* PYTREE(p): a reference to *p, for any registered struct, arithmetic type, C string (p is a char **), pytree_leaf, pytree or
 * pytree_flat; p may point to const. Costs nothing. A type that is not registered is a compile error that names it.
 *
 *     PYTREE(&model)   =>   ((pytree){ &pytree__type_of_MLP, (void *)(&model) })
 *
 * If a compile error led you here: the type that the compiler names has no PYTREE_STRUCT registration before this line; or
 * PYTREE was given a value, not its address. */
#define PYTREE(p)                                                                                                       \
    ((pytree){ PYTREE__TYPE_OF(*(p)),                                                                                   \
               (void *)((uintptr_t)(p) + 0 * PYTREE__REGISTERED(*(p), "pytree: PYTREE(" #p "): its type is not registered; " \
                   "register it before this line (PYTREE_STRUCT, PYTREE_LEAF_TYPE)")) })

/* Descriptor of a type by its name: its name, size, fields. A constant expression. */
#define PYTREE_TYPE(T) PYTREE__TYPE_OF(*(T *)0)

/* None: a node without children. */
#define PYTREE_NONE ((pytree){ &pytree_types[PYTREE__T_none], NULL })

/* Leaves from literals. They live as long as the block they stand in. PYTREE_INT is an int64_t, PYTREE_FLOAT a double. */
#define PYTREE_INT(v) ((pytree){ PYTREE__BUILTIN_TYPE(*(int64_t *)0), &(int64_t){ (v) } })
#define PYTREE_FLOAT(v) ((pytree){ &pytree_types[PYTREE__T_double_], &(double){ (v) } })
#define PYTREE_BOOL(v) ((pytree){ &pytree_types[PYTREE__T_bool_], &(_Bool){ (v) } })
#define PYTREE_STR(v) ((pytree){ &pytree_types[PYTREE__T_string], &(const char *){ (v) } })

/* Array leaf of a shape, element type from *p: PYTREE_ARRAY(p, 2, 3). Extents are checked when the tree is walked. */
#define PYTREE_ARRAY(p, ...)                                                                                            \
    ((pytree){ &pytree_types[PYTREE__T_view],                                                                           \
               &(pytree_leaf){ .data = (void *)(uintptr_t)(p), .type = PYTREE__TYPE_OF(*(p)), .shape = { __VA_ARGS__ },        \
                               .ndim = (int)(sizeof((const size_t[]){ __VA_ARGS__ }) / sizeof(size_t)) } })

/* Containers as compound literals: no allocation, block lifetime. Empty: PYTREE_LIST(). */
#define PYTREE_LIST(...) PYTREE__SEQUENCE(list, __VA_ARGS__)
#define PYTREE_TUPLE(...) PYTREE__SEQUENCE(tuple, __VA_ARGS__)
#define PYTREE_DICT(...) PYTREE__KEYED(dict, NULL, __VA_ARGS__)
#define PYTREE_ODICT(...) PYTREE__KEYED(odict, NULL, __VA_ARGS__)
#define PYTREE_NAMEDTUPLE(...) PYTREE__KEYED(namedtuple, __VA_ARGS__, )        /* ("Point", {"x", v}, …) */
#define PYTREE_DEFAULTDICT(...) PYTREE__KEYED(defaultdict, __VA_ARGS__, )      /* ("int", {"k", v}, …) */
#define PYTREE_IDICT(...)                      /* ({3, v}, …): a dict whose keys are numbers */                         \
    ((pytree){ &pytree_types[PYTREE__T_dict], &(pytree_items){                                                          \
        .count = sizeof((pytree_int_pair[]){ PYTREE__PAIRS(0, __VA_ARGS__) }) / sizeof(pytree_int_pair) - 1,            \
        .int_pairs = (pytree_int_pair[]){ PYTREE__PAIRS(0, __VA_ARGS__) } + 1 } })
#define PYTREE_DEQUE(...) PYTREE__DEQUE(__VA_ARGS__, )                         /* (maxlen, v, …), or PYTREE_UNBOUNDED */

/* A first element that is not counted keeps the empty container free of empty initialisers. */
#if defined(__TINYC__)                    /* tcc 0.9.27 counts an element that is no brace as two: at most 32 here */
#define PYTREE__SEQUENCE(kind, ...)                                                                                     \
    ((pytree){ &pytree_types[PYTREE__T_##kind], &(pytree_items){                                                        \
        .count = sizeof(#__VA_ARGS__) == 1 ? 0 : PYTREE__ITEMS(__VA_ARGS__),                                            \
        .items = (pytree[1 + PYTREE__ITEMS(__VA_ARGS__)]){ { 0 }, __VA_ARGS__ } + 1 } })
#define PYTREE__DEQUE(most, ...)                                                                                        \
    ((pytree){ &pytree_types[PYTREE__T_deque], &(pytree_items){                                                         \
        .count = PYTREE__ITEMS(__VA_ARGS__) - 1, .maxlen = (most),                                                      \
        .items = (pytree[1 + PYTREE__ITEMS(__VA_ARGS__)]){ { 0 }, __VA_ARGS__ } + 1 } })
#define PYTREE__ITEMS(...)                                                                                              \
    PYTREE__ITEM_32(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,    \
                    11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define PYTREE__ITEM_32(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, N, \
                        ...) N
#else
#define PYTREE__SEQUENCE(kind, ...)                                                                                     \
    ((pytree){ &pytree_types[PYTREE__T_##kind], &(pytree_items){                                                        \
        .count = sizeof((pytree[]){ { 0 }, __VA_ARGS__ }) / sizeof(pytree) - 1,                                         \
        .items = (pytree[]){ { 0 }, __VA_ARGS__ } + 1 } })
#define PYTREE__DEQUE(most, ...)                                                                                        \
    ((pytree){ &pytree_types[PYTREE__T_deque], &(pytree_items){                                                         \
        .count = sizeof((pytree[]){ { 0 }, __VA_ARGS__ }) / sizeof(pytree) - 1, .maxlen = (most),                       \
        .items = (pytree[]){ { 0 }, __VA_ARGS__ } + 1 } })
#endif
#define PYTREE__KEYED(kind, ...)                                                                                        \
    ((pytree){ &pytree_types[PYTREE__T_##kind], &(pytree_items){                                                        \
        .count = sizeof((pytree_pair[]){ PYTREE__PAIRS(__VA_ARGS__) }) / sizeof(pytree_pair) - 1,                       \
        .pairs = (pytree_pair[]){ PYTREE__PAIRS(__VA_ARGS__) } + 1, .name = PYTREE__FIRST(__VA_ARGS__, 0) } })
#define PYTREE__FIRST(first, ...) first
#define PYTREE__PAIRS(name, ...) { name, { 0, 0 } }, __VA_ARGS__

/* The dispatch. pytree_registry.h puts the registered structs in front of the built-in types. What is in neither list is chosen
 * itself, and has no member of that name: an error that names its type. Where a struct may hold an assertion, a sentence says
 * so too. */
#define PYTREE__TYPE_OF(x) ((const pytree_type *)&(PYTREE__USER_TYPE(x))->name)
#define PYTREE__USER_TYPE(x) PYTREE__BUILTIN_TYPE(x)
#define PYTREE__BUILTIN_TYPE(x)                                                                                         \
    _Generic((x), PYTREE__SCALARS(PYTREE__TYPE_CASE) PYTREE__COMPLEX_CASES                                              \
        char *: &pytree_types[PYTREE__T_string], const char *: &pytree_types[PYTREE__T_string],                         \
        pytree_leaf: &pytree_types[PYTREE__T_view], pytree: &pytree_types[PYTREE__T_ref],                               \
        pytree_flat: &pytree_types[PYTREE__T_flat], default: (x))
#if defined(__clang__)                    /* in an assertion in a struct it takes a compound literal for one at file scope */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
static inline int pytree__registered(int yes) __attribute__((unused, diagnose_if(!yes,
    "pytree: PYTREE(p): its type is not registered; register it before this line (PYTREE_STRUCT, PYTREE_LEAF_TYPE)", "error")));
#pragma clang diagnostic pop
static inline int pytree__registered(int yes) { return yes; }
#define PYTREE__REGISTERED(x, sentence) sizeof(pytree__registered(PYTREE__IS_REGISTERED(x)))
#elif defined(__TINYC__) || !defined(__GNUC__)
#define PYTREE__REGISTERED(x, sentence) 0
#else
#define PYTREE__REGISTERED(x, sentence) sizeof(struct { char c; _Static_assert(PYTREE__IS_REGISTERED(x), sentence); })
#endif
#define PYTREE__IS_REGISTERED(x) _Generic((PYTREE__USER_TYPE(x)), const pytree_type *: 1, default: 0)
#define PYTREE__TYPE_CASE(id, T) T: &pytree_types[PYTREE__T_##id],
#if defined(__STDC_NO_COMPLEX__) || defined(__TINYC__) || defined(__cplusplus)
#define PYTREE__COMPLEX_CASES
#else
#define PYTREE__COMPLEX_CASES                                                                                           \
    float _Complex: &pytree_types[PYTREE__T_cfloat], double _Complex: &pytree_types[PYTREE__T_cdouble],                 \
    long double _Complex: &pytree_types[PYTREE__T_cldouble],
#endif

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* A key path entry: how one step is written. `name` is borrowed from the tree, the treedef or the type. */
typedef enum pytree_entry_kind {
    PYTREE_ATTRIBUTE,                     /* .name   struct, namedtuple */
    PYTREE_INDEX,                         /* [index] list, tuple */
    PYTREE_KEY,                           /* ['name'] dict */
    PYTREE_FLAT_INDEX,                    /* [<flat index 0>] custom node without keys */
    PYTREE_INT_KEY                        /* [3], [-3] dict whose keys are numbers; index: the int64_t, as it converts */
} pytree_entry_kind;

struct pytree_entry {
    pytree_entry_kind kind;
    const char *name;
    size_t index;
};

/* How a leaf is reached: entries from the root. Borrowed. */
typedef struct pytree_path {
    size_t n;
    const pytree_entry *entries;
} pytree_path;

/* Zero-initialised means the defaults. */
typedef struct pytree_options {
    bool none_is_leaf;                    /* None counts as a leaf (form PYTREE_FORM_NONE); remembered in the treedef */
    /* Asked about every value before it is opened, the root and None included; true makes it a leaf. Like JAX's is_leaf. */
    bool (*is_leaf)(void *context, const pytree_leaf *value, const pytree_path *path);
    void *is_leaf_context;
    const pytree_allocator *allocator;    /* NULL: realloc and free */
    size_t alignment;                     /* of arrays in what is allocated, a power of two; 0: 64 */
    const char *space;                    /* namespace, whose registrations go before the others'; NULL or "": none */
} pytree_options;

/* ---- Flatten ------------------------------------------------------------------------------------------------------- */

/* Leaves and structure: jax.tree.flatten. If *leaves is not NULL it is an array of `capacity` views that is filled (too small:
 * PYTREE_TOO_MANY_LEAVES with both counts). If *leaves is NULL it is set to an array that is part of the treedef's block
 * and is freed with it. *def is freed with pytree_def_free. Views borrow from the tree. One allocation. O(nodes). */
pytree_status pytree_flatten(pytree t, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                             const pytree_options *opt, pytree_error *err);

/* Leaves alone, into the caller's array: jax.tree.leaves. *count (may be NULL) is the number of leaves, on
 * PYTREE_TOO_MANY_LEAVES the number needed. No allocation. */
pytree_status pytree_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count,
                            const pytree_options *opt, pytree_error *err);

/* Structure alone: jax.tree.structure. Free with pytree_def_free. One allocation. */
pytree_def *pytree_structure(pytree t, const pytree_options *opt, pytree_error *err);

/* Number of leaves; SIZE_MAX on error. No allocation. */
size_t pytree_num_leaves(pytree t, const pytree_options *opt, pytree_error *err);

/* ---- Rebuild ------------------------------------------------------------------------------------------------------- */

/* A new tree of the treedef's structure: jax.tree.unflatten. Pointer fields refer to the given leaves (which must outlive the
 * tree), values in place are copied, static values restored (strings too), DROP fields zero. Types and shapes must be those
 * the fields ask for. A dict is filled in the order in which the first one was. Data NULL on error. One allocation (stb_ds
 * fields: theirs too); free with pytree_free. Threads: stb_ds keeps a global seed for its maps, so that trees with STB_MAP
 * fields are not to be made in two threads at once; the same holds for pytree_clone and pytree_zeros_like. */
pytree pytree_unflatten(const pytree_def *def, size_t n, const pytree_leaf *leaves,
                        const pytree_options *opt, pytree_error *err);

/* The same into an existing tree of equal structure: pointers are set, values in place copied, all else is left. Everything is
 * checked before anything is written. The treedef says which namespace holds, unless opt does. No allocation. */
pytree_status pytree_unflatten_into(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree dst,
                                    const pytree_options *opt, pytree_error *err);

/* Memory for a struct whose static fields say how large it is. All that its pointers need comes in one zeroed block, each array
 * aligned (options), and the pointers are set. Array pointers must be NULL. A list or a pointed-to struct that is there is
 * the template: it is copied into the block (yours stays yours); where a list is NULL its elements are zeroed. An OPTIONAL
 * pointer that is NULL stays NULL; set it to PYTREE_WANTED to get its memory (until then nothing else may look at the struct).
 * Back with pytree_free, which sets the pointers to NULL. */
#define PYTREE_WANTED ((void *)(uintptr_t)pytree_wanted)
extern const char pytree_wanted[1];

pytree_status pytree_allocate(pytree t, const pytree_options *opt, pytree_error *err);

/* A deep copy in one block, and the same with every number zero (strings and opaque leaves are kept). The layout of arrays in
 * the block is the same for every tree of the same structure and shapes, so that parameters, gradients and moments line up;
 * blocks begin at different offsets within a page. Data NULL on error. Free with pytree_free. */
pytree pytree_clone(pytree t, const pytree_options *opt, pytree_error *err);
pytree pytree_zeros_like(pytree t, const pytree_options *opt, pytree_error *err);

/* Frees what pytree_unflatten, _clone, _zeros_like returned, or what pytree_allocate put into *t.data. NULL data is fine. Pass
 * the pytree that was returned, or PYTREE(&model) for a model that pytree_allocate succeeded on; after it failed there is
 * nothing
 * to free, and pointers to templates of the caller's must not be handed in. */
void pytree_free(pytree t);

/* Copies the leaves' values; structures, types and shapes must be equal and are checked first. Memory may be the same. */
pytree_status pytree_copy_into(pytree dst, pytree src, const pytree_options *opt, pytree_error *err);

/* ---- Iterate and map ----------------------------------------------------------------------------------------------- */

/* A node of a treedef: see there. */
typedef struct pytree_node {
    const pytree_type *type;              /* struct's or built-in container's; NULL: a leaf */
    uint32_t arity;
    uint32_t leaves;                      /* below it; 1 for a leaf */
    uint32_t nodes;                       /* in its subtree, itself included */
    uint32_t meta;                        /* where its static values begin, in bytes; 0 for leaves and None */
} pytree_node;

/* The walker, visible so that iterators can live on the stack. Private.
 *
 * What all structs of a type that are seen deep have in common is found once, from its rows: a plan. They have the same nodes,
 * but for what is None, and their static values and what may be None lie at the same places. */
typedef struct pytree__part {             /* static values that lie in one piece */
    size_t at, bytes;                     /* in the struct */
    const pytree_field *row;              /* of a value that is more than bytes, alone; otherwise NULL */
    uint32_t node;                        /* whose first part it is; UINT32_MAX: not the first */
} pytree__part;
typedef struct pytree__option {           /* a pointer that may be NULL */
    size_t at;
    uint32_t node;
    bool leads;                           /* to a struct: then the deep view ends there */
} pytree__option;
typedef struct pytree__plan {
    const pytree_type *type;              /* NULL: there is no plan here */
    uint32_t n_nodes, n_parts, n_options; /* no nodes: such structs cannot be seen deep */
    uint32_t nodes, parts, options;       /* where its own begin */
    size_t n_leaves, n_statics;           /* static bytes; without texts */
    uint64_t nones;                       /* options that are None in the nodes as they are now, a bit each */
    bool plain;                           /* without texts */
} pytree__plan;
enum { PYTREE__PLANS = 16, PYTREE__PLAN_NODES = 160, PYTREE__PLAN_PARTS = 96, PYTREE__PLAN_OPTIONS = 64 };
typedef struct pytree__plans {
    uint32_t n_nodes, n_parts, n_options; /* in use */
    pytree__plan *last;                   /* that was asked for */
    pytree__plan plans[PYTREE__PLANS];    /* by type */
    pytree_node nodes[PYTREE__PLAN_NODES];
    pytree__part parts[PYTREE__PLAN_PARTS];
    pytree__option options[PYTREE__PLAN_OPTIONS];
} pytree__plans;
typedef struct pytree__frame {            /* an open node */
    const pytree_type *type;              /* struct, container, or of a list's elements */
    const void *self;                     /* the node's memory */
    char *data;                           /* where its children are read from */
    size_t next, count;                   /* children: which comes, how many */
    size_t views;                         /* where its children's views begin, in pytree__cursor.views */
    size_t shape[3];                      /* of a map and a pytree_flat: the view's; of pairs: see pytree__open_pairs; of a
                                             custom node: bytes of metadata */
    const char *name;                     /* of a namedtuple, of a default dict's factory */
    const uint32_t *order;                /* of pairs: see pytree_items; NULL: as they lie, or `ordered` */
    uint32_t nodes, leaves;               /* emitted before it was opened */
    uint8_t form, from;                   /* pytree_form; how children are found */
    bool ordered;                         /* of pairs: the order was found, and stands among the views */
    bool numbered;                        /* of pairs: keys are numbers */
    bool deep;                            /* a struct whose views are the leaves in it: see PYTREE__DEEP */
} pytree__frame;
enum { PYTREE__FRAMES = 24, PYTREE__VIEWS = 48, PYTREE__TREES = 4 };
typedef struct pytree__cursor {
    pytree__frame *frames;
    pytree_leaf *views;
    size_t n_frames, n_views, max_frames, max_views;
    const pytree_options *opt;
    pytree_error *err;
    pytree_leaf root, child;              /* the whole tree; an element that has no view of its own */
    size_t run;                           /* in an iterator: of the frame on top, leaves that come without looking */
    const struct pytree__watch *watch;    /* NULL: the first problem ends the walk */
    bool making;                          /* NULL where data is required is no error: it is about to be made */
    void *scratch;                        /* for a moment: keys that are sorted, a long path */
    size_t max_scratch;
    pytree__frame own_frames[PYTREE__FRAMES];
    pytree_leaf own_views[PYTREE__VIEWS];
} pytree__cursor;

/* Goes through one tree or several of equal structure leaf by leaf: jax.tree.leaves_with_path, optree.tree_iter.
 *
 *     pytree_iter it;
 *     if (pytree_iter_begin(&it, 2, (pytree[]){ params, grads }, NULL, &err) == PYTREE_OK) {
 *         while (pytree_next(&it)) { use(it.leaf[0], it.leaf[1]); }
 *     }
 *     pytree_iter_end(&it);
 *
 * The first tree gives the structure. Where a later one is deeper its view is the whole subtree; anything else that differs
 * is an error, found where it stands. Up to four trees need no allocation. A pytree_iter must not be moved or copied. */
struct pytree_iter {
    const pytree_leaf *const *leaf;       /* leaf[0 … n-1]: this leaf in each tree */
    const pytree_leaf *out;               /* in pytree_map with an output tree: where the result goes, else NULL */
    size_t n;                             /* trees */
    size_t index;                         /* number of this leaf */
    pytree_status status;                 /* what ended the iteration: PYTREE_OK at the end of the tree */
    /* private */
    pytree__cursor *cursors;
    const pytree_leaf **views;
    size_t n_cursors, block;
    bool begun, checked;                  /* in pytree_map all trees have been gone over already */
    bool up_to;                           /* later trees may differ where a prefix may: in a deque's maximum length */
    const pytree_allocator *allocator;
    pytree__cursor own_cursors[PYTREE__TREES];
    const pytree_leaf *own_views[PYTREE__TREES + 1];
    pytree__plans plans;
};
pytree_status pytree_iter_begin(pytree_iter *it, size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);
bool pytree_next(pytree_iter *it);        /* false at the end and on an error (it->status, and the error object) */
void pytree_iter_end(pytree_iter *it);    /* always; also after a failed begin and an early exit */

/* Key path of the leaf that an iterator stands at. As text, like snprintf: at most n bytes with the NUL, returns the length
 * needed without it. As entries: at most `capacity`, returns how many there are. O(depth). */
size_t pytree_iter_path_text(const pytree_iter *it, char *text, size_t n);
size_t pytree_iter_path(const pytree_iter *it, pytree_entry *entries, size_t capacity);

/* What pytree_map calls for each leaf: at->leaf[k] is tree k's view, at->out the output's, pytree_iter_path_text its path.
 * Anything but PYTREE_OK stops the map, which returns it. */
typedef pytree_status pytree_map_fn(void *context, const pytree_iter *at);

/* Calls fn for every leaf of trees[0] in order, with the same leaf of the others: jax.tree.map, map_with_path,
 * optree.tree_map_. `out` (may be NULL; may be one of the trees) has the same structure and receives results. All trees are
 * checked before the first call. No allocation for up to four trees, out included. */
pytree_status pytree_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                         const pytree_options *opt, pytree_error *err);

/* ---- Reduce -------------------------------------------------------------------------------------------------------- */

/* Left fold over the leaves: jax.tree.reduce. fn updates its context. The same as pytree_map over one tree, checked first. */
pytree_status pytree_reduce(pytree_map_fn *fn, void *context, pytree t, const pytree_options *opt, pytree_error *err);

/* Balanced fold, for operations that associate: jax.tree.reduce_associative. `leaf` turns a leaf into a value of `size` bytes
 * at `value`; `join` adds b to a. *result receives the value; PYTREE_EMPTY if there are no leaves. One allocation. */
pytree_status pytree_reduce_pairwise(pytree_status (*leaf)(void *context, const pytree_iter *at, void *value),
                                     pytree_status (*join)(void *context, void *a, const void *b), void *context, size_t size,
                                     void *result, pytree t, const pytree_options *opt, pytree_error *err);

/* Over every element of every leaf, as doubles: jax.tree.all, optree.tree_any, tree_sum, tree_max, tree_min. Leaves that are
 * not real numbers are PYTREE_TYPE errors; but to all and any a string is true if it is not empty, and None as a leaf is false.
 * sum adds pairwise within a leaf, so that long arrays keep their digits. max and min
 * of no elements are PYTREE_EMPTY; a NaN among the elements is the result. */
pytree_status pytree_all(pytree t, bool *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_any(pytree t, bool *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_sum(pytree t, double *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_max(pytree t, double *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_min(pytree t, double *result, const pytree_options *opt, pytree_error *err);

/* Element i of a real-number leaf as a double (float16 and bfloat16 too). Undefined for other leaves. */
double pytree_leaf_get(const pytree_leaf *leaf, size_t i);

/* ---- Walk ---------------------------------------------------------------------------------------------------------- */

/* Callbacks on every value: `enter` before a node is opened or at a leaf, `leave` after a node's children; either may be NULL.
 * `enter` may return PYTREE_WALK_SKIP to leave a node closed (no `leave` then). dm-tree's traverse, JAX's treedef.walk. */
enum { PYTREE_WALK_ON = 0, PYTREE_WALK_SKIP = -1 };
typedef struct pytree_visitor {
    /* PYTREE_WALK_…, or a pytree_status to stop with */
    int (*enter)(void *context, const pytree_leaf *value, const pytree_path *path);
    int (*leave)(void *context, const pytree_leaf *value, const pytree_path *path);
    void *context;
} pytree_visitor;
pytree_status pytree_walk(pytree t, const pytree_visitor *visitor, const pytree_options *opt, pytree_error *err);

/* The root's children, one level: optree.tree_flatten_one_level. Fills at most `capacity` views and (if not NULL) their keys;
 * *count (may be NULL) is how many there are. A leaf has none (PYTREE_ARGUMENT). */
pytree_status pytree_children(pytree t, pytree_leaf *children, pytree_entry *keys, size_t capacity, size_t *count,
                              const pytree_options *opt, pytree_error *err);

/* ---- Compare and check --------------------------------------------------------------------------------------------- */

/* How close numbers must be: |a - b| <= absolute + relative * |b|. NULL or zero: equal (0.0 equals -0.0). */
typedef struct pytree_tolerance {
    double relative, absolute;
    bool nan_equal;                       /* NaN equals NaN */
} pytree_tolerance;

/* Structure, element types, shapes and values equal? equinox.tree_equal. If not, the error says where they first differ and
 * how. */
bool pytree_equal(pytree a, pytree b, const pytree_tolerance *tolerance, const pytree_options *opt, pytree_error *err);

/* Called with each problem that pytree_check finds. */
typedef void pytree_report_fn(void *context, const pytree_error *problem);

/* Looks for everything that would make other operations fail or surprise: NULL where data is required, bad counts, sizes that
 * overflow, cycles, memory reached twice. nnx.check_pytree. Goes on after each problem; returns the first one's status.
 * `report` may be NULL. Allocates while it works. */
pytree_status pytree_check(pytree t, pytree_report_fn *report, void *context, const pytree_options *opt, pytree_error *err);

/* Groups of key paths that reach the same or overlapping memory: nnx.find_duplicates. One block, freed with
 * pytree_duplicates_free; NULL on error; no groups if nothing is shared. A subtree that is reached twice is one entry, not each
 * of its leaves. */
typedef struct pytree_duplicates {
    size_t n_groups;
    const size_t *counts;                 /* paths in group g */
    const char *const *const *paths;      /* paths[g][0 … counts[g]-1], in visiting order */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_duplicates;
pytree_duplicates *pytree_find_duplicates(pytree t, const pytree_options *opt, pytree_error *err);
void pytree_duplicates_free(pytree_duplicates *d);

/* ---- Print --------------------------------------------------------------------------------------------------------- */

/* A line per leaf: key path, element type and shape, and the value of a scalar or string. Like snprintf for _text. */
pytree_status pytree_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);
size_t pytree_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);   /* SIZE_MAX on error */

/* All key paths as text in one block: paths[i] for leaf i, *count of them; NULL on error. Free with pytree_paths_free.
 * `separator` NULL: JAX's keystr (.layers[0].w); otherwise the simple form, as in layers/0/w for "/". One allocation. */
const char **pytree_paths(pytree t, const char *separator, size_t *count, const pytree_options *opt, pytree_error *err);
void pytree_paths_free(const char **paths);

/* ---- Treedefs ------------------------------------------------------------------------------------------------------ */

/* The structure of a tree: jax.tree_util.PyTreeDef. Immutable, owns all it holds, outlives the tree; safe to read in many
 * threads.
 *
 *     nodes    post-order, the root last: {type, arity, leaves, nodes, meta}
 *     statics  static values of struct nodes, keys of dicts, packed without padding
 *     orders   of each dict whose pairs do not lie as they are visited: for each in visiting order its place; then the node
 *
 *     MLP{n_layers = 2, layers = [Linear, Linear]}   =>   * * Linear  * * Linear  list/2  MLP/1        statics: 784 128 128 10
 * 2
 */
struct pytree_def {
    size_t n_nodes, n_leaves, n_statics;  /* statics in bytes */
    const pytree_node *nodes;
    const unsigned char *statics;
    bool none_is_leaf;
    const char *space;                    /* the namespace it was made in, if it has struct or custom nodes; otherwise NULL */
    /* private */
    size_t n_orders;
    const uint32_t *orders;
    const pytree_allocator *allocator;
    size_t bytes;
};

void pytree_def_free(pytree_def *def);                                          /* NULL is fine */
pytree_def *pytree_def_copy(const pytree_def *def, const pytree_options *opt, pytree_error *err);

/* Same node kinds, types, arities, keys, static values, None switch and namespace; the order in which a dict's pairs were put
 * in does not count. O(nodes), no allocation. Equal treedefs have equal hashes, in one process and in files that registered the
 * structs separately. */
bool pytree_def_equal(const pytree_def *a, const pytree_def *b);
uint64_t pytree_def_hash(const pytree_def *def);

static inline size_t pytree_def_num_leaves(const pytree_def *def) { return def->n_leaves; }
static inline size_t pytree_def_num_nodes(const pytree_def *def) { return def->n_nodes; } /* leaves and None: one each */
static inline size_t pytree_def_num_children(const pytree_def *def) { return def->nodes[def->n_nodes - 1].arity; }

/* Child i of the root, negative from the end, as a treedef of its own (free it); NULL and PYTREE_ARGUMENT if there is none. */
pytree_def *pytree_def_child(const pytree_def *def, ptrdiff_t i, const pytree_options *opt, pytree_error *err);
/* Key of child i of the root: borrowed from the treedef. */
pytree_status pytree_def_entry(const pytree_def *def, ptrdiff_t i, pytree_entry *entry, pytree_error *err);

pytree_kind pytree_def_kind(const pytree_def *def);              /* of the root */
const char *pytree_def_type_name(const pytree_def *def);        /* "Linear", "list", "dict", "Point", "*" */
bool pytree_def_is_leaf(const pytree_def *def);                  /* one leaf and nothing else */

/* JAX's text: PyTreeDef((*, {'a': *, 'b': *})), PyTreeDef(CustomNode(Foo[('hi',)], [*, *])); ", NoneIsLeaf" before the last
 * parenthesis where that is set. Like snprintf; SIZE_MAX if memory runs out (only deeper than 64 levels). */
size_t pytree_def_text(const pytree_def *def, char *text, size_t n);
pytree_status pytree_def_print(FILE *file, const pytree_def *def, pytree_error *err);           /* and a newline */


/* ==== Private, for the headers under pytree/ ========================================================================== */

/* Where text goes: `length` counts all of it, at[0 … room) holds what fits, or it is written to `file`. */
struct pytree__text {
    char *at;
    size_t room, length;
    FILE *file;
};
void pytree__put(struct pytree__text *to, const char *s, size_t n);
void pytree__put_text(struct pytree__text *to, const char *s);
void pytree__put_number(struct pytree__text *to, uint64_t n);
void pytree__put_repr(struct pytree__text *to, const char *utf8, size_t bytes);
void pytree__put_entry(struct pytree__text *to, const pytree_entry *entry, const char *separator, bool first);
pytree_status pytree__written(FILE *file, pytree_error *err);    /* PYTREE_IO if anything written to the file was not */

/* What texts are read with. A name as C and Python have it, letters beyond ASCII too: its bytes at the front of s[0 … n-1]. */
size_t pytree__word(const char *s, size_t n);
size_t pytree__to_utf8(char to[4], uint32_t character);
/* Python's escape at s[0] == '\\' as at most four bytes; its length in the text, 0 if it is none (no NUL, no surrogates but
 * \udc80 to \udcff, which stand for bytes that are not UTF-8). */
size_t pytree__read_escape(const char *s, size_t n, char out[4], size_t *bytes);
/* "line 1, column 5: expected …, got …": `at` lies in `text`. */
pytree_status pytree__fail_in(pytree_error *err, pytree_status status, const char *text, const char *at, const char *expected,
                              const char *got);
/* What a struct, or what elsewhere is a leaf, is registered as in a namespace (NULL: none); the type itself if it is not. */
const pytree_type *pytree__in_space(const pytree_type *type, const char *space);

void *pytree__resize(const pytree_allocator *a, void *p, size_t old_size, size_t new_size);

/* n elements of `size` bytes, at least one byte; NULL and an error if there is no memory. */
void *pytree__array_new(size_t n, size_t size, const pytree_allocator *a, pytree_error *err);
void pytree__array_free(void *p, size_t n, size_t size, const pytree_allocator *a);            /* NULL is fine */
/* Room for `need` elements in an array that begins as NULL: where it is now, or NULL with an error and the old one as it was.
 * It is given back as an array of *capacity. */
void *pytree__array_grow(void *p, size_t *capacity, size_t need, size_t size, const pytree_allocator *a, pytree_error *err);

/* A treedef block with room for that many nodes, static bytes and orders; NULL and an error if memory or the limit of 2^32 - 1
 * runs out. The caller fills in nodes, statics, orders (through casts) and n_leaves. `space`: NULL or "" (none), or the name
 * that is copied. */
pytree_def *pytree__def_block(size_t n_nodes, size_t n_statics, size_t n_orders, const char *space, size_t n_leaves,
                              const pytree_options *opt, pytree_error *err);
size_t pytree__statics_size(const pytree_def *def, size_t node);
/* A struct's static values. */
void pytree__pack_struct(pytree__statics *to, const pytree_type *type, const void *self);
/* Keys are packed as the 32-bit length of a string with its NUL and those bytes, or as PYTREE__NUMBER_KEY and an int64_t. The
 * key at `at`, and where the next one begins. `length` (may be NULL): the string's, without its NUL. */
#define PYTREE__NUMBER_KEY UINT32_MAX
const unsigned char *pytree__key_at(const unsigned char *at, pytree_entry *key, size_t *length);
/* What a node has besides its keys, at the front of its statics: where that ends. */
const unsigned char *pytree__keys_of(const pytree_def *def, size_t node);
void pytree__put_key(struct pytree__text *to, const pytree_entry *key, size_t length);           /* 'k', 3 */
void pytree__put_statics(struct pytree__text *to, const pytree_def *def, size_t node);   /* "(2,)" */
/* String number `i` of those packed at `statics`; *length without its NUL. NULL: a NULL string. */
const char *pytree__string_at(const unsigned char *statics, size_t i, size_t *length);
/* Entry of child i of a treedef's node. */
void pytree__def_entry_at(const pytree_def *def, size_t node, size_t i, pytree_entry *entry);

/* ==== Bodies ========================================================================================================== */

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_H */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED)
#define PYTREE__IMPLEMENTED

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

const char *pytree_status_name(pytree_status status)
{
    switch (status) {
#define PYTREE__X(name, text) case PYTREE_##name: return text;
        PYTREE__STATUSES(PYTREE__X)
#undef PYTREE__X
    }
    return "unknown status";
}

void pytree_error_print(FILE *file, const pytree_error *err)
{
    if (err != NULL && err->status != PYTREE_OK) {
        fprintf(file, "%s%s%s (%s)\n", err->path, err->path[0] != '\0' ? ": " : "", err->message,
                pytree_status_name(err->status));
    }
}

static void pytree__cut(char *to, size_t room, const char *text)
{
    size_t n = strlen(text), head = room / 2 - 2, tail = room - head - 4;
    if (n < room) {
        memcpy(to, text, n + 1);
    } else {
        const char *end = text + n - tail;
        while (head > 0 && (text[head] & 0xC0) == 0x80) { head--; }        /* between characters */
        while ((*end & 0xC0) == 0x80) { end++; }
        memcpy(to, text, head);
        memcpy(to + head, "...", 3);
        memcpy(to + head + 3, end, strlen(end) + 1);
    }
}

pytree_status pytree_fail(pytree_error *err, pytree_status status, const char *path, const char *format, ...)
{
    if (err != NULL && err->status == PYTREE_OK) {
        char text[1024];
        va_list arguments;
        va_start(arguments, format);
        if (vsnprintf(text, sizeof text, format, arguments) < 0) { text[0] = '\0'; }
        va_end(arguments);
        err->status = status;
        pytree__cut(err->message, sizeof err->message, text);
        pytree__cut(err->path, sizeof err->path, path == NULL ? "" : path);
    }
    return status;
}

/* Of two runs over a tree the second one found something else. */
static pytree_status pytree__unsteady(pytree_error *err)
{
    return pytree_fail(err, PYTREE_ARGUMENT, NULL,
                       "expected the same answers of is_leaf and custom nodes each time they are asked, got others");
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

void *pytree__resize(const pytree_allocator *a, void *p, size_t old_size, size_t new_size)
{
    if (new_size == SIZE_MAX) { return NULL; }                 /* what did not fit a size_t */
    if (a != NULL) { return a->resize(a->context, p, old_size, new_size); }
    if (new_size == 0) { free(p); return NULL; }
    return realloc(p, new_size);
}

static const pytree_allocator *pytree__allocator(const pytree_options *opt) { return opt == NULL ? NULL : opt->allocator; }

static pytree_status pytree__no_memory(pytree_error *err, size_t bytes)
{
    return pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected %zu bytes of memory, got none", bytes);
}

/* a * b and a + b, SIZE_MAX for what does not fit: a size that no allocator has. */
static size_t pytree__times(size_t a, size_t b) { return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }
static size_t pytree__plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static size_t pytree__round(size_t n, size_t to) { return n > SIZE_MAX - to ? SIZE_MAX : (n + to - 1) / to * to; }

/* Of files whose bytes are little-endian, whatever the machine is. */
static inline bool pytree__little_endian(void)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    return low == 1;
}

static inline uint64_t pytree__number_at(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0) { v = v << 8 | p[n]; }
    return v;
}

/* Bytes of an array; SIZE_MAX, which no allocator has, where its elements could not be told apart by a ptrdiff_t. */
static size_t pytree__array_bytes(size_t n, size_t size)
{
    const size_t bytes = pytree__times(n, size);
    return bytes > SIZE_MAX / 2 ? SIZE_MAX : bytes == 0 ? 1 : bytes;
}

void *pytree__array_new(size_t n, size_t size, const pytree_allocator *a, pytree_error *err)
{
    const size_t bytes = pytree__array_bytes(n, size);
    void *p = pytree__resize(a, NULL, 0, bytes);
    if (p == NULL) { (void)pytree__no_memory(err, bytes); }
    return p;
}

void pytree__array_free(void *p, size_t n, size_t size, const pytree_allocator *a)
{
    if (p != NULL) { (void)pytree__resize(a, p, pytree__array_bytes(n, size), 0); }
}

void *pytree__array_grow(void *p, size_t *capacity, size_t need, size_t size, const pytree_allocator *a, pytree_error *err)
{
    size_t n = pytree__plus(*capacity, *capacity / 2 + 16), bytes;
    void *grown;
    if (need <= *capacity && p != NULL) { return p; }
    if (n < need) { n = need; }
    bytes = pytree__array_bytes(n, size);
    grown = pytree__resize(a, p, p == NULL ? 0 : *capacity * size, bytes);
    if (grown != NULL) { *capacity = n; } else { (void)pytree__no_memory(err, bytes); }
    return grown;
}

/* ---- Types --------------------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
#define PYTREE__ALIGNOF alignof
#else
#define PYTREE__ALIGNOF _Alignof
#endif
#define PYTREE__BUILTIN(name, size, align, kind, dtype)                                                                 \
    { name, size, align, kind, dtype, 0, 0, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }
#define PYTREE__NUMBER(T, dtype) PYTREE__BUILTIN(#T, sizeof(T), PYTREE__ALIGNOF(T), PYTREE_KIND_LEAF, dtype)
#define PYTREE__INTEGER(T, sign)                                                                                        \
    PYTREE__NUMBER(T, sizeof(T) == 1 ? PYTREE_##sign##8 : sizeof(T) == 2 ? PYTREE_##sign##16                            \
                      : sizeof(T) == 4 ? PYTREE_##sign##32 : PYTREE_##sign##64)
#define PYTREE__CHAR(T) PYTREE__NUMBER(T, CHAR_MIN < 0 ? PYTREE_I8 : PYTREE_U8)
#define PYTREE__PAIR_OF(T, dtype)                                                                                       \
    PYTREE__BUILTIN(#T " complex", 2 * sizeof(T), PYTREE__ALIGNOF(T), PYTREE_KIND_LEAF, dtype)
const pytree_type pytree_types[PYTREE__T_count] = {
    PYTREE__BUILTIN("None", 0, 1, PYTREE_KIND_NONE, PYTREE_NO_DTYPE),
    PYTREE__NUMBER(bool, PYTREE_BOOL8),
    PYTREE__CHAR(char),
    PYTREE__INTEGER(signed char, I), PYTREE__INTEGER(unsigned char, U),
    PYTREE__INTEGER(short, I), PYTREE__INTEGER(unsigned short, U),
    PYTREE__INTEGER(int, I), PYTREE__INTEGER(unsigned, U),
    PYTREE__INTEGER(long, I), PYTREE__INTEGER(unsigned long, U),
    PYTREE__INTEGER(long long, I), PYTREE__INTEGER(unsigned long long, U),
    PYTREE__NUMBER(float, PYTREE_F32), PYTREE__NUMBER(double, PYTREE_F64), PYTREE__NUMBER(long double, PYTREE_FLONG),
    PYTREE__NUMBER(pytree_f16, PYTREE_F16), PYTREE__NUMBER(pytree_bf16, PYTREE_BF16),
    PYTREE__PAIR_OF(float, PYTREE_C64), PYTREE__PAIR_OF(double, PYTREE_C128), PYTREE__PAIR_OF(long double, PYTREE_CLONG),
    PYTREE__BUILTIN("char *", sizeof(char *), PYTREE__ALIGNOF(char *), PYTREE_KIND_LEAF, PYTREE_STRING),
    PYTREE__BUILTIN("address", sizeof(void *), PYTREE__ALIGNOF(void *), PYTREE_KIND_LEAF, PYTREE_OPAQUE),
    PYTREE__BUILTIN("list", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_LIST, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("tuple", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_TUPLE, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("dict", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_DICT, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("OrderedDict", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_ODICT, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("namedtuple", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_NAMEDTUPLE, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("defaultdict", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_DEFAULTDICT,
                    PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("deque", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_DEQUE, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("pytree_leaf", sizeof(pytree_leaf), PYTREE__ALIGNOF(pytree_leaf), PYTREE_KIND_VIEW, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("pytree", sizeof(pytree), PYTREE__ALIGNOF(pytree), PYTREE_KIND_REF, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("pytree_flat", sizeof(pytree_flat), PYTREE__ALIGNOF(pytree_flat), PYTREE_KIND_FLAT, PYTREE_NO_DTYPE)
};
const char pytree_wanted[1] = { 0 };

/* The type itself: not the wrapper of an owned root, not the promise of PYTREE_DECLARE, unless it was not kept. */
static const pytree_type *pytree__origin(const pytree_type *type)
{
    return type->origin != NULL && type->origin->name != NULL ? type->origin : type;
}

static bool pytree__same_space(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The same C type, perhaps as two namespaces see it? */
static bool pytree__same_struct(const pytree_type *a, const pytree_type *b)
{
    return pytree_type_equal(a, b) || (a->size == b->size && strcmp(a->name, b->name) == 0);
}

const pytree_type *pytree__in_space(const pytree_type *type, const char *space)
{
    const pytree_type *next = type;
    while (space != NULL && (next = next->next) != NULL && next->name != NULL) {
        if (next->space != NULL && strcmp(next->space, space) == 0 && pytree__same_struct(next, pytree__origin(type))) {
            return next;
        }
    }
    return type;
}

bool pytree_type_equal(const pytree_type *a, const pytree_type *b)
{
    unsigned i;
    if (a == NULL || b == NULL) { return a == b; }
    a = pytree__origin(a);
    b = pytree__origin(b);
    if (a == b) { return true; }
    if (a->kind != b->kind || a->dtype != b->dtype || a->size != b->size || a->n_fields != b->n_fields) { return false; }
    if (a->kind == PYTREE_KIND_LEAF && a->dtype != PYTREE_OPAQUE) { return true; }       /* long and long long */
    if (strcmp(a->name, b->name) != 0 || !pytree__same_space(a->space, b->space)) { return false; }
    for (i = 0; i < a->n_fields; i++) {
        const pytree_field *f = &a->fields[i], *g = &b->fields[i];
        if (f->row != g->row || f->offset != g->offset || f->size != g->size || f->form != g->form || f->ndim != g->ndim
            || strcmp(f->name, g->name) != 0) { return false; }
    }
    return true;
}

const char *pytree_dtype_name(const pytree_type *type)
{
    static const char *const names[] = { NULL, "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16",
                                         "f32", "f64", NULL, "c64", "c128", NULL, "str", NULL };
    if (type == NULL) { return "no type"; }
    return names[type->dtype] != NULL ? names[type->dtype] : type->name;
}

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

void pytree__put(struct pytree__text *to, const char *s, size_t n)
{
    if (to->file != NULL) {
        fwrite(s, 1, n, to->file);
    } else if (to->length < to->room) {
        size_t left = to->room - to->length;
        memcpy(to->at + to->length, s, n < left ? n : left);
    }
    to->length += n;
}

/* The same for a few bytes, without a call where they fit. */
PYTREE__INLINE void pytree__add(struct pytree__text *to, const char *s, size_t n)
{
    if (PYTREE__LIKELY(to->at != NULL && to->file == NULL && to->length <= to->room && n <= to->room - to->length)) {
        memcpy(to->at + to->length, s, n);
        to->length += n;
    } else {
        pytree__put(to, s, n);
    }
}

void pytree__put_text(struct pytree__text *to, const char *s) { pytree__put(to, s, strlen(s)); }

void pytree__put_number(struct pytree__text *to, uint64_t n)
{
    char digits[20];
    size_t i = sizeof digits;
    if (n < 10) { digits[0] = (char)('0' + n); pytree__add(to, digits, 1); return; }
    for (; n > UINT32_MAX; n /= 10) { digits[--i] = (char)('0' + n % 10); }
    {
        uint32_t m = (uint32_t)n;         /* whose divisions are cheap */
        do { digits[--i] = (char)('0' + m % 10); m /= 10; } while (m != 0);
    }
    pytree__put(to, digits + i, sizeof digits - i);
}

static void pytree__put_integer(struct pytree__text *to, int64_t n)
{
    if (n < 0) { pytree__put(to, "-", 1); }
    pytree__put_number(to, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* Ends a text in a buffer of n bytes and returns its length, as snprintf does. */
static size_t pytree__end_text(const struct pytree__text *to, size_t n)
{
    if (n != 0) { to->at[to->length < n ? to->length : n - 1] = '\0'; }
    return to->length;
}
static struct pytree__text pytree__text_to(char *at, size_t n, FILE *file)
{
    struct pytree__text to;
    to.at = at;
    to.room = n == 0 ? 0 : n - 1;
    to.length = 0;
    to.file = file;
    return to;
}

/* Do these digits, d.ddde+x, read back as v? */
static bool pytree__reads_back(const char *text, long double v, int kind)
{
    return kind == 'f'   ? strtof(text, NULL) == (float)v
           : kind == 'd' ? strtod(text, NULL) == (double)v
                         : strtold(text, NULL) == v;
}

/* Digits as "%.*e" would write them, without what the locale has in place of a point. */
static void pytree__digits(char *text, size_t room, int digits, long double v)
{
    snprintf(text, room, "%.*Le", digits - 1, v);
}

/* Powers of ten that a double holds exactly. A quotient or product of two exact numbers is rounded once, as it must be. */
static const double pytree__tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
#if (defined(__TINYC__) && defined(__x86_64__)) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0)
#define PYTREE__ROUNDS_ONCE 1
#else
#define PYTREE__ROUNDS_ONCE 0
#endif

/* Digits, with a point before the last `decimals` of them. */
static void pytree__put_decimal(struct pytree__text *to, uint64_t digits, int decimals)
{
    char text[40];
    size_t at = sizeof text;
    int i;
    if (decimals == 0) {
        text[--at] = '0';
        text[--at] = '.';
    }
    for (i = 0; digits != 0 || i <= decimals; i++) {
        if (i == decimals && i != 0) { text[--at] = '.'; }
        text[--at] = (char)('0' + digits % 10);
        digits /= 10;
    }
    pytree__put(to, text + at, sizeof text - at);
}

/* The short ones among the floats, without trying what reads back: v is digits / 10^decimals with as few decimals as will do,
 * and few enough digits that no other number of that length is as near. False: it is none of them. */
static bool pytree__put_short(struct pytree__text *to, double v, bool is_float)
{
    const double most = is_float ? 1e9 : 1e15;
    int decimals;
    if (v == 0) { pytree__put(to, "0.0", 3); return true; }
    if (!PYTREE__ROUNDS_ONCE || !(v < (is_float ? 16777216.0 : most)) || v < 1e-4) { return false; }
    for (decimals = 0; decimals <= (is_float ? 12 : 18); decimals++) {
        const double scaled = v * pytree__tens[decimals];        /* exact if it was a float */
        uint64_t digits = (uint64_t)scaled, bits;
        double left = scaled - (double)digits, near;
        if (!(scaled < most)) { return false; }
        digits += left > 0.5;
        near = (double)digits / pytree__tens[decimals];
        if (is_float && digits >= 1000000) {
            /* two of that length may read back: of equal distance, or where floats stand closer below a power of two */
            memcpy(&bits, &v, sizeof bits);
            if (left == 0.5 || bits << 12 == 0) { return false; }
            memcpy(&bits, &near, sizeof bits);
            if ((bits & 0x1FFFFFFF) == 0x10000000) { return false; }    /* rounded to the middle of two floats */
        }
        if (is_float ? (double)(float)near == v : near == v) {
            pytree__put_decimal(to, digits, decimals);
            return true;
        }
    }
    return false;
}

/* The doubles of the same size that need 16 or 17 digits: v * 10^decimals is P / 2^shift, where P = mantissa * 5^decimals has
 * less than 128 bits, and the next double lies 5^decimals from P. False: a power of two, below which they stand closer. */
static bool pytree__put_long(struct pytree__text *to, double v)
{
    uint64_t bits, mantissa, five, high, low, digits, rest, ten = UINT64_C(1000000000000000);
    int n, decimals, shift, whole = -4, i;
    memcpy(&bits, &v, sizeof bits);
    if (bits << 12 == 0 || !(v < 1e15) || !(v >= 1e-4)) { return false; }
    mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    while (whole < 14 && v >= (whole < -1 ? 1 / pytree__tens[-whole - 1] : pytree__tens[whole + 1])) { whole++; }
    for (n = 16; n <= 17; n++, ten *= 10) {
        decimals = n - 1 - whole;         /* 1 to 20 */
        shift = 1075 - (int)(bits >> 52) - decimals;         /* 0 to 47 */
        for (five = 1, i = 0; i < decimals; i++) { five *= 5; }
        low = (mantissa & UINT32_MAX) * (five & UINT32_MAX);
        high = (mantissa >> 32) * (five & UINT32_MAX) + (low >> 32);
        rest = (mantissa & UINT32_MAX) * (five >> 32) + (high & UINT32_MAX);
        low = rest << 32 | (low & UINT32_MAX);
        high = (mantissa >> 32) * (five >> 32) + (high >> 32) + (rest >> 32);
        if (shift < 1 || shift > 60) { return false; }
        digits = high << (64 - shift) | low >> shift;
        rest = low & ((UINT64_C(1) << shift) - 1);
        if (rest >> (shift - 1) != 0) {
            if (rest == UINT64_C(1) << (shift - 1)) { return false; }
            digits++;
            rest = (UINT64_C(1) << shift) - rest;
        }
        if (digits < ten || digits >= 10 * ten) { return false; }     /* so near to a power of ten that `whole` is wrong */
        if (n == 17 || 2 * rest < five) {
            pytree__put_decimal(to, digits, decimals);
            return true;
        }
    }
    return false;
}

/* The shortest digits that read back, written as Python writes a float. `kind`: 'f'loat, 'd'ouble, 'l'ong double. */
static void pytree__put_float(struct pytree__text *to, long double v, int kind)
{
    const int most = kind == 'f' ? 9 : kind == 'd' ? 17 : LDBL_MANT_DIG == 64 ? 21 : LDBL_MANT_DIG == 113 ? 36 : 17;
    const long double small = kind == 'f' ? (long double)FLT_MIN : kind == 'd' ? (long double)DBL_MIN : LDBL_MIN;
    char text[80], digit[48];
    int digits, exponent;
    size_t n = 0, i;
    bool minus = signbit(v) != 0;
    if (v != v) { pytree__put(to, "nan", 3); return; }
    if (minus) { pytree__put(to, "-", 1); v = -v; }
    if (v > (kind == 'l' ? LDBL_MAX : (long double)DBL_MAX) || (kind == 'f' && v > (long double)FLT_MAX)) {
        pytree__put(to, "inf", 3);
        return;
    }
    if (kind != 'l' && pytree__put_short(to, (double)v, kind == 'f')) { return; }
    if (kind == 'd' && pytree__put_long(to, (double)v)) { return; }
    for (digits = v < small ? 1 : kind == 'f' ? FLT_DIG : kind == 'd' ? DBL_DIG : LDBL_DIG; ; digits++) {
        pytree__digits(text, sizeof text, digits, v);
        if (digits >= most || pytree__reads_back(text, v, kind)) { break; }
        if (digits == most - 1) { /* below a power of two numbers stand closer: the next digit may read back where the nearest
                                     does not */
            char *last = strchr(text, 'e') - 1;
            if (*last < '9') {
                ++*last;
                if (pytree__reads_back(text, v, kind)) { break; }
            }
        }
    }
    exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    for (i = 0; text[i] != 'e'; i++) {
        if (text[i] >= '0' && text[i] <= '9') { digit[n++] = text[i]; }
    }
    while (n > 1 && digit[n - 1] == '0') { n--; }
    if (exponent < -4 || exponent >= 16) {
        char tail[16];
        pytree__put(to, digit, 1);
        if (n > 1) { pytree__put(to, ".", 1); pytree__put(to, digit + 1, n - 1); }
        snprintf(tail, sizeof tail, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
        pytree__put_text(to, tail);
    } else if (exponent < 0) {
        pytree__put(to, "0.000", (size_t)(1 - exponent));
        pytree__put(to, digit, n);
    } else {
        for (i = 0; i <= (size_t)exponent || i < n; i++) {
            if (i == (size_t)exponent + 1) { pytree__put(to, ".", 1); }
            pytree__put(to, i < n ? &digit[i] : "0", 1);
        }
        if (n <= (size_t)exponent + 1) { pytree__put(to, ".0", 2); }
    }
}

/* Length and value of the first character of s[0 … n-1], n > 0; length 0 if it is not UTF-8: cut short, overlong, a surrogate,
 * beyond U+10FFFF. */
static unsigned pytree__utf8(const char *s, size_t n, uint32_t *character)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned size, i;
    uint32_t c = u[0];
    if (c < 0x80) {
        *character = c;
        return 1;
    }
    if (c < 0xC2 || c > 0xF4) { return 0; }
    size = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (n < size) { return 0; }
    c &= 0x7Fu >> size;
    for (i = 1; i < size; i++) {
        if ((u[i] & 0xC0) != 0x80) { return 0; }
        c = c << 6 | (u[i] & 0x3Fu);
    }
    if (size == 3 && (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF))) { return 0; }
    if (size == 4 && (c < 0x10000 || c > 0x10FFFF)) { return 0; }
    *character = c;
    return size;
}

/* Does Python print this character as it is? str.isprintable of Python 3.13 (Unicode 15.1), for every code point. The table
 * holds lengths of stretches from U+00A0 on, by turns not printable and printable; behind them only U+E0100 to U+E01EF are. */
static bool pytree__printable(uint32_t character)
{
    static const uint16_t stretches[] = {
        1,12,1,714,2,6,4,7,1,1,1,20,1,397,1,38,2,50,2,3,1,55,8,27,4,6,17,22,1,192,1,48,2,59,2,101,14,59,2,49,2,15,1,28,2,1,1,11,
        5,31,9,74,1,161,1,8,2,2,2,22,1,7,1,1,3,4,2,9,2,2,2,4,8,1,4,2,1,5,2,25,2,3,1,6,4,2,2,22,1,7,1,2,1,2,1,2,2,1,1,5,4,2,2,3,
        3,1,7,4,1,1,7,17,10,3,1,9,1,3,1,22,1,7,1,2,1,5,2,10,1,3,1,3,2,1,15,4,2,12,7,7,1,3,1,8,2,2,2,22,1,7,1,2,1,5,2,9,2,2,2,3,
        7,3,4,2,1,5,2,18,10,2,1,6,3,3,1,4,3,2,1,1,1,2,3,2,3,3,3,12,4,5,3,3,1,4,2,1,6,1,14,21,5,13,1,3,1,23,1,16,2,9,1,3,1,4,7,2,
        1,3,2,1,2,4,2,10,7,22,1,3,1,23,1,10,1,5,2,9,1,3,1,4,7,2,6,2,1,4,2,10,1,3,12,13,1,3,1,51,1,3,1,6,4,16,2,26,1,3,1,18,3,24,
        1,9,1,1,2,7,3,1,4,6,1,1,1,8,6,10,2,3,12,58,4,29,37,2,1,1,1,5,1,24,1,1,1,23,2,5,1,1,1,7,1,10,2,4,32,72,1,36,4,39,1,36,1,
        15,1,13,37,198,1,1,5,1,2,377,1,4,2,7,1,1,1,4,2,41,1,4,2,33,1,4,2,7,1,1,1,4,2,15,1,57,1,4,2,67,2,32,3,26,6,86,2,6,2,640,
        1,28,3,89,7,22,9,24,9,20,12,13,1,3,1,2,12,94,2,10,6,10,6,14,1,11,6,89,7,43,5,70,10,31,1,12,4,12,4,1,3,42,2,5,11,44,4,26,
        6,11,3,62,2,65,1,29,2,11,6,10,6,14,2,31,49,77,3,47,1,116,8,60,3,15,3,60,7,43,2,11,8,43,5,534,2,6,2,38,2,6,2,8,1,1,1,1,1,
        1,1,31,2,53,1,15,1,14,2,6,1,19,2,3,1,9,17,24,8,47,17,2,2,27,1,13,3,33,15,33,15,140,4,663,25,11,21,1812,2,32,1,349,5,45,
        1,1,5,1,2,56,7,2,14,24,9,7,1,7,1,7,1,7,1,7,1,7,1,7,1,7,1,126,34,26,1,89,12,214,26,16,1,63,1,86,2,103,5,43,1,94,1,84,11,
        48,1,29293,3,55,9,348,20,184,8,203,5,2,1,1,1,5,24,59,3,10,6,56,8,70,8,12,6,116,11,30,3,78,1,11,4,33,1,55,9,14,2,10,2,
        103,24,28,10,6,2,6,2,6,9,7,1,7,1,60,4,126,2,10,6,11172,12,23,4,49,8452,366,2,106,38,7,12,5,5,26,1,5,1,1,1,2,1,2,1,125,
        16,445,2,54,7,1,32,42,6,51,1,19,1,4,4,5,1,135,4,190,3,6,2,6,2,6,2,3,3,7,1,7,13,2,2,12,1,26,1,19,1,2,1,15,2,14,34,123,5,
        3,4,45,3,88,1,13,3,1,47,46,130,29,3,49,15,28,4,36,9,30,5,43,5,30,1,37,4,14,42,158,2,10,6,36,4,36,4,40,8,52,11,12,1,15,1,
        7,1,2,1,11,1,15,1,7,1,2,67,311,9,22,10,8,24,6,1,42,1,9,69,6,2,1,1,44,1,2,3,1,2,23,1,72,8,9,48,19,1,2,5,33,3,27,5,1,64,
        56,4,20,2,50,1,2,5,8,1,3,1,29,2,3,4,10,7,9,7,64,32,39,4,12,9,54,3,29,2,27,5,26,7,4,12,7,80,73,55,51,13,51,7,46,8,10,294,
        31,1,42,1,3,2,2,75,43,8,42,22,26,38,28,20,23,9,78,4,36,9,62,1,5,13,25,7,10,6,53,1,18,8,39,9,96,1,20,11,18,1,47,62,7,1,1,
        1,4,1,15,1,11,6,59,5,10,6,4,1,8,2,2,2,22,1,7,1,2,1,5,1,10,2,2,2,3,2,1,6,1,5,7,2,7,3,5,139,92,1,5,30,72,8,10,166,54,2,38,
        34,69,11,10,6,13,19,58,6,10,54,27,2,15,4,23,185,60,100,83,12,8,2,1,2,8,1,2,1,30,1,2,2,12,9,10,70,8,2,46,2,11,27,72,8,83,
        13,73,7,10,246,9,1,45,1,14,10,29,3,32,2,22,1,14,73,7,1,2,1,44,3,1,1,2,1,9,8,10,6,6,1,2,1,37,1,2,1,6,7,10,310,25,7,17,1,
        41,3,28,86,1,15,50,13,923,102,111,1,5,11,196,2636,99,13,1072,16,22,4010,583,8633,569,7,31,1,10,4,81,1,10,6,30,2,6,10,70,
        10,10,1,7,1,21,5,19,688,91,101,75,4,57,7,17,64,5,11,2,14,6136,8,1238,42,9,8935,4,1,7,1,2,1,291,15,1,29,3,2,1,14,4,8,396,
        2308,107,5,13,3,9,7,10,2,4,4704,46,2,23,9,116,60,246,10,39,2,74,8,112,21,70,122,20,12,20,12,87,9,25,135,85,1,71,1,2,2,1,
        2,2,2,4,1,12,1,1,1,7,1,65,1,4,2,8,1,7,1,28,1,4,1,5,1,1,3,7,1,340,2,292,2,702,15,5,1,15,1104,31,6,6,213,7,1,17,2,7,1,2,1,
        5,5,62,33,1,112,45,3,14,2,10,4,2,320,31,17,58,5,1,464,42,742,7,1,4,1,2,1,15,1,197,2,16,41,76,4,10,4,2,785,68,76,61,194,
        4,1,27,1,2,1,1,2,1,1,10,1,4,1,1,1,1,6,1,4,1,1,1,1,1,1,3,1,2,1,1,2,1,1,1,1,1,1,1,1,1,1,2,1,1,2,4,1,7,1,4,1,4,1,1,1,10,1,
        17,5,3,1,5,1,17,52,2,270,44,4,100,12,15,2,15,1,15,1,37,10,174,56,29,13,44,4,9,7,2,14,6,154,984,4,17,3,13,3,119,4,95,6,
        12,4,1,15,12,4,56,8,10,6,40,8,30,2,2,78,340,12,14,2,13,3,9,7,46,1,7,8,14,4,9,7,9,7,147,1,55,37,10,1030,42720,32,4154,6,
        222,2,5762,14,7473,15,622,2466,542,1506,4939,5,4192
    };
    uint32_t end = 0xA0;
    size_t i;
    if (character < end) { return character >= 0x20 && character < 0x7F; }
    for (i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++) {
        end += stretches[i];
        if (character < end) { return i % 2 == 1; }
    }
    return character >= 0xE0100 && character <= 0xE01EF;
}

/* Python's repr of a text: single quotes unless it has a ' and no ". What is not printable is escaped, so that the text parses
 * back. Bytes that are not UTF-8 are written as Python does in a str, \udc80 to \udcff: \x80 would be the character U+0080. */
void pytree__put_repr(struct pytree__text *text, const char *utf8, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    const char quote = memchr(utf8, '\'', bytes) != NULL && memchr(utf8, '"', bytes) == NULL ? '"' : '\'';
    size_t from = 0, at = 0;              /* what is printable is put in whole stretches: [from, at) is still to be put */
    pytree__put(text, &quote, 1);
    while (at < bytes) {
        uint32_t c = (unsigned char)utf8[at];
        unsigned size = 1;
        size_t n = 0;
        char escape[10];
        if (c >= 0x80) {
            size = pytree__utf8(utf8 + at, bytes - at, &c);
            if (size == 0) {
                size = 1;
                c += 0xDC00;
            }
        }
        if (c != (unsigned char)quote && c != '\\' && pytree__printable(c)) {
            at += size;
            continue;
        }
        escape[n++] = '\\';
        if (c == (unsigned char)quote || c == '\\') {
            escape[n++] = (char)c;
        } else if (c == '\n' || c == '\r' || c == '\t') {
            escape[n++] = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
        } else {
            unsigned shift = c < 0x100 ? 8 : c < 0x10000 ? 16 : 32;
            escape[n++] = shift == 8 ? 'x' : shift == 16 ? 'u' : 'U';
            while (shift > 0) {
                shift -= 4;
                escape[n++] = digits[c >> shift & 15];
            }
        }
        pytree__put(text, utf8 + from, at - from);
        pytree__put(text, escape, n);
        at += size;
        from = at;
    }
    pytree__put(text, utf8 + from, at - from);
    pytree__put(text, &quote, 1);
}

pytree_status pytree__written(FILE *file, pytree_error *err)
{
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    return ferror(file) ? pytree_fail(err, PYTREE_IO, NULL, "expected the text to be written, got a write error") : PYTREE_OK;
}

size_t pytree__word(const char *s, size_t n)
{
    size_t i = 0, size;
    uint32_t character;
    while (i < n) {
        const char c = s[i];
        if ((unsigned char)c < 0x80) {
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i > 0 && c >= '0' && c <= '9'))) { break; }
            i++;
        } else {
            size = pytree__utf8(s + i, n - i, &character);
            if (size == 0) { break; }
            i += size;
        }
    }
    return i;
}

size_t pytree__to_utf8(char to[4], uint32_t c)
{
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    size_t i;
    for (i = n - 1; i > 0; i--, c >>= 6) { to[i] = (char)(0x80 | (c & 0x3F)); }
    to[0] = (char)(n == 1 ? c : (0xF00u >> n & 0xF0) | c);
    return n;
}

size_t pytree__read_escape(const char *s, size_t n, char out[4], size_t *bytes)
{
    static const char simple[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v", hex[] = "0123456789abcdefABCDEF";
    uint32_t c = 0;
    size_t i, digits;
    *bytes = 1;
    if (n < 2) { return 0; }
    for (i = 0; simple[i] != '\0'; i += 2) {
        if (s[1] == simple[i]) {
            out[0] = simple[i + 1];
            return 2;
        }
    }
    digits = s[1] == 'x' ? 2 : s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0;
    if (digits == 0 || n < 2 + digits) { return 0; }
    for (i = 0; i < digits; i++) {
        const char *digit = s[2 + i] == '\0' ? NULL : strchr(hex, s[2 + i]);
        if (digit == NULL) { return 0; }
        c = c << 4 | (uint32_t)(digit - hex < 16 ? digit - hex : digit - hex - 6);
    }
    if (c >= 0xDC80 && c <= 0xDCFF) {     /* a byte that was no UTF-8 */
        out[0] = (char)(c & 0xFF);
        return 2 + digits;
    }
    if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) { return 0; }
    *bytes = pytree__to_utf8(out, c);
    return 2 + digits;
}

pytree_status pytree__fail_in(pytree_error *err, pytree_status status, const char *text, const char *at, const char *expected,
                              const char *got)
{
    size_t line = 1, column = 1;
    for (; text < at; text++) {
        if (*text == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*text & 0xC0) != 0x80) {
            column++;
        }
    }
    return pytree_fail(err, status, NULL, "line %zu, column %zu: expected %s, got %s", line, column, expected, got);
}

void pytree__put_key(struct pytree__text *to, const pytree_entry *key, size_t length)
{
    if (key->kind == PYTREE_INT_KEY) {
        pytree__put_integer(to, (int64_t)key->index);
    } else {
        pytree__put_repr(to, key->name, length);
    }
}

void pytree__put_entry(struct pytree__text *to, const pytree_entry *entry, const char *separator, bool first)
{
    if (separator != NULL) {
        if (!first) { pytree__put_text(to, separator); }
        if (entry->kind == PYTREE_ATTRIBUTE || entry->kind == PYTREE_KEY) { pytree__put_text(to, entry->name); }
        else if (entry->kind == PYTREE_INT_KEY) { pytree__put_integer(to, (int64_t)entry->index); }
        else { pytree__put_number(to, entry->index); }
        return;
    }
    switch (entry->kind) {
    case PYTREE_ATTRIBUTE: pytree__put(to, ".", 1); pytree__put_text(to, entry->name); break;
    case PYTREE_INDEX: {
        char text[22];
        size_t i = sizeof text, n = entry->index;
        text[--i] = ']';
        do { text[--i] = (char)('0' + n % 10); n /= 10; } while (n != 0);
        text[--i] = '[';
        pytree__add(to, text + i, sizeof text - i);
        break;
    }
    case PYTREE_KEY:
    case PYTREE_INT_KEY:
        pytree__put(to, "[", 1);
        pytree__put_key(to, entry, entry->kind == PYTREE_KEY ? strlen(entry->name) : 0);
        pytree__put(to, "]", 1);
        break;
    case PYTREE_FLAT_INDEX:
        pytree__put_text(to, "[<flat index ");
        pytree__put_number(to, entry->index);
        pytree__put_text(to, ">]");
        break;
    }
}

/* ---- Static values -------------------------------------------------------------------------------------------------- */

/* A few bytes, for which a call would cost more than they do. */
PYTREE__INLINE void pytree__copy_few(void *to, const void *from, size_t n)
{
    char *x = (char *)to;
    const char *y = (const char *)from;
    size_t i;
    if (n >= sizeof(uint64_t)) {
        for (i = 0; i < n - sizeof(uint64_t); i += sizeof(uint64_t)) { memcpy(x + i, y + i, sizeof(uint64_t)); }
        memcpy(x + n - sizeof(uint64_t), y + n - sizeof(uint64_t), sizeof(uint64_t));
    } else if (n == sizeof(uint32_t)) {
        memcpy(x, y, sizeof(uint32_t));
    } else {
        for (i = 0; i < n; i++) { x[i] = y[i]; }
    }
}

/* The bytes of a long double that are somebody's. */
enum { PYTREE__WIDE = LDBL_MANT_DIG == 64 && sizeof(long double) > 10 ? 10 : sizeof(long double) };

static void pytree__pack_bytes(pytree__statics *to, const void *p, size_t n)
{
    if (n != 0 && to->length + n <= to->room) {
        if (n <= 32) { pytree__copy_few(to->at + to->length, p, n); } else { memcpy(to->at + to->length, p, n); }
    }
    to->length += n;
}

static void pytree__pack_string(pytree__statics *to, const char *s)
{
    size_t n = s == NULL ? 0 : strlen(s) + 1;
    uint32_t size = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    pytree__pack_bytes(to, &size, sizeof size);
    if (n != 0) { pytree__pack_bytes(to, s, n); }
}

/* A row's. */
static void pytree__pack(pytree__statics *to, const pytree_field *row, const void *at)
{
    size_t i;
    if (row->form == PYTREE__PACK_BYTES) {
        pytree__pack_bytes(to, at, row->size);
    } else if (row->form == PYTREE__PACK_STRUCT) {
        for (i = 0; i < row->size; i += row->type->size) {
            pytree__pack_struct(to, pytree__origin(row->type), (const char *)at + i);
        }
    } else if (row->form == PYTREE__PACK_TEXT) {
        for (i = 0; i < row->size; i += sizeof(char *)) {
            const char *s;
            memcpy(&s, (const char *)at + i, sizeof s);
            pytree__pack_string(to, s);
        }
    } else {                              /* the bytes behind an x87 number are nobody's */
        for (i = 0; i < row->size; i += sizeof(long double)) {
            unsigned char bytes[sizeof(long double)] = { 0 };
            memcpy(bytes, (const char *)at + i, PYTREE__WIDE);
            pytree__pack_bytes(to, bytes, sizeof bytes);
        }
    }
}

void pytree__pack_struct(pytree__statics *to, const pytree_type *type, const void *self)
{
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row == PYTREE_ROW_STATIC) { pytree__pack(to, row, (const char *)self + row->offset); }
    }
}

static uint32_t pytree__u32(const unsigned char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

const char *pytree__string_at(const unsigned char *statics, size_t i, size_t *length)
{
    uint32_t n;
    while (i-- != 0) { statics += sizeof n + pytree__u32(statics); }
    n = pytree__u32(statics);
    if (length != NULL) { *length = n == 0 ? 0 : n - 1; }
    return n == 0 ? NULL : (const char *)statics + sizeof n;
}

static const unsigned char *pytree__skip_strings(const unsigned char *at, size_t n)
{
    while (n-- != 0) { at += sizeof(uint32_t) + pytree__u32(at); }
    return at;
}

static void pytree__pack_number(pytree__statics *to, int64_t number)
{
    const uint32_t mark = PYTREE__NUMBER_KEY;
    pytree__pack_bytes(to, &mark, sizeof mark);
    pytree__pack_bytes(to, &number, sizeof number);
}

const unsigned char *pytree__key_at(const unsigned char *at, pytree_entry *key, size_t *length)
{
    uint32_t n = pytree__u32(at);
    if (n == PYTREE__NUMBER_KEY) {
        int64_t number;
        memcpy(&number, at + sizeof n, sizeof number);
        key->name = NULL;
        key->kind = PYTREE_INT_KEY;
        key->index = (size_t)number;
        return at + sizeof n + sizeof number;
    }
    key->kind = PYTREE_KEY;
    key->name = (const char *)at + sizeof n;
    if (length != NULL) { *length = n - 1; }
    return at + sizeof n + n;
}

static const unsigned char *pytree__skip_keys(const unsigned char *at, size_t n)
{
    while (n-- != 0) {
        uint32_t size = pytree__u32(at);
        at += sizeof size + (size == PYTREE__NUMBER_KEY ? sizeof(int64_t) : size);
    }
    return at;
}

/* Keys of a custom node: the kind of each, then as other keys, a number where it has no name. Before them stands whether there
 * are any. */
static const unsigned char *pytree__skip_custom_keys(const unsigned char *at, size_t n)
{
    if (*at++ != 0) {
        while (n-- != 0) { at = pytree__skip_keys(at + 1, 1); }
    }
    return at;
}

/* A deque's maximum length is packed in 64 bits. */
static size_t pytree__maxlen(const unsigned char *at)
{
    uint64_t maxlen;
    memcpy(&maxlen, at, sizeof maxlen);
    return maxlen > SIZE_MAX ? SIZE_MAX : (size_t)maxlen;
}

const unsigned char *pytree__keys_of(const pytree_def *def, size_t node)
{
    const unsigned char *at = def->statics + def->nodes[node].meta;
    switch (def->nodes[node].type->kind) {
    case PYTREE_KIND_NAMEDTUPLE:
    case PYTREE_KIND_DEFAULTDICT: return pytree__skip_strings(at, 1);
    case PYTREE_KIND_DEQUE: return at + sizeof(uint64_t);
    case PYTREE_KIND_CUSTOM: return at + sizeof(uint32_t) + pytree__u32(at);
    default: return at;
    }
}

/* The bytes that a struct's packed statics take. Static structs lie in one another by value, so the depth is the program's own.
 */
static const unsigned char *pytree__skip_statics(const pytree_type *type, const unsigned char *at)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (row->form == PYTREE__PACK_STRUCT) {
            for (k = 0; k < row->size; k += row->type->size) { at = pytree__skip_statics(row->type, at); }
        }
        else if (row->form == PYTREE__PACK_TEXT) { at = pytree__skip_strings(at, row->size / sizeof(char *)); }
        else { at += row->size; }
    }
    return at;
}

size_t pytree__statics_size(const pytree_def *def, size_t node)
{
    const pytree_node *n = &def->nodes[node];
    const unsigned char *at = def->statics + n->meta;
    if (n->type == NULL) { return 0; }
    switch (n->type->kind) {
    case PYTREE_KIND_STRUCT: return (size_t)(pytree__skip_statics(n->type, at) - at);
    case PYTREE_KIND_DICT:
    case PYTREE_KIND_ODICT:
    case PYTREE_KIND_NAMEDTUPLE:
    case PYTREE_KIND_DEFAULTDICT: return (size_t)(pytree__skip_keys(pytree__keys_of(def, node), n->arity) - at);
    case PYTREE_KIND_DEQUE: return sizeof(uint64_t);
    case PYTREE_KIND_CUSTOM: return (size_t)(pytree__skip_custom_keys(pytree__keys_of(def, node), n->arity) - at);
    default: return 0;
    }
}

/* One packed element as Python would print it. */
static void pytree__put_packed(struct pytree__text *to, const pytree_type *type, const unsigned char *at)
{
    union { int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
            float f; double d; long double l; uintptr_t p; } v;
    memset(&v, 0, sizeof v);
    memcpy(&v, at, type->size < sizeof v ? type->size : sizeof v);
    switch (type->dtype) {
    case PYTREE_BOOL8: pytree__put_text(to, v.u8 != 0 ? "True" : "False"); break;
    case PYTREE_I8: pytree__put_integer(to, v.i8); break;
    case PYTREE_I16: pytree__put_integer(to, v.i16); break;
    case PYTREE_I32: pytree__put_integer(to, v.i32); break;
    case PYTREE_I64: pytree__put_integer(to, v.i64); break;
    case PYTREE_U8: pytree__put_number(to, v.u8); break;
    case PYTREE_U16: pytree__put_number(to, v.u16); break;
    case PYTREE_U32: pytree__put_number(to, v.u32); break;
    case PYTREE_U64: pytree__put_number(to, v.u64); break;
    case PYTREE_F32: pytree__put_float(to, (long double)v.f, 'f'); break;
    case PYTREE_F64: pytree__put_float(to, (long double)v.d, 'd'); break;
    case PYTREE_FLONG: pytree__put_float(to, v.l, 'l'); break;
    case PYTREE_F16:
    case PYTREE_BF16: {
        pytree_leaf leaf;
        memset(&leaf, 0, sizeof leaf);
        leaf.data = &v;
        leaf.type = type;
        pytree__put_float(to, (long double)pytree_leaf_get(&leaf, 0), 'f');
        break;
    }
    case PYTREE_C64:
    case PYTREE_C128:
    case PYTREE_CLONG: {                  /* as Python: (1+2j) */
        const pytree_type *part = &pytree_types[type->dtype == PYTREE_C64 ? PYTREE__T_float_ : type->dtype == PYTREE_C128
                                                ? PYTREE__T_double_ : PYTREE__T_ldouble];
        char texts[2][64];
        size_t k;
        for (k = 0; k < 2; k++) {         /* without the ".0" that a float has */
            struct pytree__text one = pytree__text_to(texts[k], sizeof texts[k], NULL);
            pytree__put_packed(&one, part, at + k * part->size);
            pytree__end_text(&one, sizeof texts[k]);
            if (one.length > 2 && strcmp(texts[k] + one.length - 2, ".0") == 0) { texts[k][one.length - 2] = '\0'; }
        }
        if (strcmp(texts[0], "0") != 0) {
            pytree__put(to, "(", 1);
            pytree__put_text(to, texts[0]);
            if (texts[1][0] != '-') { pytree__put(to, "+", 1); }
        }
        pytree__put_text(to, texts[1]);
        pytree__put_text(to, strcmp(texts[0], "0") != 0 ? "j)" : "j");
        break;
    }
    default: {
        char text[32];
        snprintf(text, sizeof text, "<address 0x%llx>", (unsigned long long)v.p);
        pytree__put_text(to, text);
    }
    }
}

static const unsigned char *pytree__put_row(struct pytree__text *to, const pytree_field *row, const unsigned char *at);

/* A struct's statics: "(784, 128)" or, inside another's, "Config(rate=0.5, depth=3)". */
static const unsigned char *pytree__put_struct(struct pytree__text *to, const pytree_type *type, const unsigned char *at,
                                               bool named)
{
    unsigned i, n = 0;
    type = pytree__origin(type);
    if (named) { pytree__put_text(to, type->name); }
    pytree__put(to, "(", 1);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (n++ != 0) { pytree__add(to, ", ", 2); }
        if (named) { pytree__put_text(to, row->name); pytree__put(to, "=", 1); }
        if (row->ndim == 0 && row->type->dtype == PYTREE_I32) {             /* by far the most */
            int32_t v;
            memcpy(&v, at, sizeof v);
            pytree__put_integer(to, v);
            at += sizeof v;
        } else {
            at = pytree__put_row(to, row, at);
        }
    }
    pytree__put(to, n == 1 && !named ? ",)" : ")", n == 1 && !named ? 2 : 1);
    return at;
}

static const unsigned char *pytree__put_row(struct pytree__text *to, const pytree_field *row, const unsigned char *at)
{
    size_t i, n, step = row->type->size;
    n = row->size / step;
    if (row->ndim != 0) { pytree__put(to, "(", 1); }
    for (i = 0; i < n; i++) {
        if (i != 0) { pytree__put(to, ", ", 2); }
        if (row->form == PYTREE__PACK_STRUCT) {
            at = pytree__put_struct(to, row->type, at, true);
        } else if (row->form == PYTREE__PACK_TEXT) {
            size_t length;
            const char *s = pytree__string_at(at, 0, &length);
            if (s == NULL) { pytree__put(to, "None", 4); } else { pytree__put_repr(to, s, length); }
            at = pytree__skip_strings(at, 1);
        } else {
            pytree__put_packed(to, row->type, at);
            at += step;
        }
    }
    if (row->ndim != 0) { pytree__put(to, n == 1 ? ",)" : ")", n == 1 ? 2 : 1); }
    return at;
}

void pytree__put_statics(struct pytree__text *to, const pytree_def *def, size_t node)
{
    pytree__put_struct(to, def->nodes[node].type, def->statics + def->nodes[node].meta, false);
}

/* Static values of two structs, and of one and a treedef's packed ones. */
static const unsigned char *pytree__match_packed(const pytree_type *type, const char *self, const unsigned char *at);

/* A few bytes, for which a call would cost more than they do: 0 if they are the same. */
PYTREE__INLINE uint64_t pytree__differ(const void *a, const void *b, size_t n)
{
    const char *x = (const char *)a, *y = (const char *)b;
    uint64_t p, q, differ = 0;
    uint32_t u, v;
    size_t i;
    if (n >= sizeof p) {                  /* the last word overlaps the one before it */
        for (i = 0; i < n - sizeof p; i += sizeof p) {
            memcpy(&p, x + i, sizeof p);
            memcpy(&q, y + i, sizeof q);
            differ |= p ^ q;
        }
        memcpy(&p, x + n - sizeof p, sizeof p);
        memcpy(&q, y + n - sizeof q, sizeof q);
        differ |= p ^ q;
    } else if (n == sizeof u) {
        memcpy(&u, x, sizeof u);
        memcpy(&v, y, sizeof v);
        differ = u ^ v;
    } else {
        for (i = 0; i < n; i++) { differ |= (uint64_t)(x[i] != y[i]); }
    }
    return differ;
}
/* A row's static values beside packed ones: where those end, or NULL if they differ. */
static const unsigned char *pytree__match_row(const pytree_field *row, const char *field, const unsigned char *at)
{
    size_t k;
    if (row->form == PYTREE__PACK_BYTES) { return pytree__differ(field, at, row->size) == 0 ? at + row->size : NULL; }
    if (row->form == PYTREE__PACK_STRUCT) {
        for (k = 0; k < row->size && at != NULL; k += row->type->size) {
            at = pytree__match_packed(pytree__origin(row->type), field + k, at);
        }
        return at;
    }
    if (row->form == PYTREE__PACK_TEXT) {
        for (k = 0; k < row->size; k += sizeof(char *), at = pytree__skip_strings(at, 1)) {
            const char *text, *other = pytree__string_at(at, 0, NULL);
            memcpy(&text, field + k, sizeof text);
            if ((text == NULL) != (other == NULL) || (text != NULL && strcmp(text, other) != 0)) { return NULL; }
        }
        return at;
    }
    for (k = 0; k < row->size; k += sizeof(long double)) {
        if (memcmp(field + k, at + k, PYTREE__WIDE) != 0) { return NULL; }
    }
    return at + row->size;
}
static const unsigned char *pytree__match_packed(const pytree_type *type, const char *self, const unsigned char *at)
{
    const pytree_field *row = type->fields;
    unsigned left = type->n_fields - type->n_children;         /* rows that are no children */
    for (; left != 0 && at != NULL; row++) {
        left -= row->row != PYTREE_ROW_DATA;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (row->form != PYTREE__PACK_BYTES) {
            at = pytree__match_row(row, self + row->offset, at);
        } else {
            at = pytree__differ(self + row->offset, at, row->size) == 0 ? at + row->size : NULL;
        }
    }
    return at;
}

/* Two structs of one type, or a row's members of both. */
static bool pytree__same_statics(const pytree_type *type, const char *a, const char *b);
static bool pytree__same_row(const pytree_field *row, const char *x, const char *y)
{
    size_t k;
    if (row->form == PYTREE__PACK_BYTES) { return pytree__differ(x, y, row->size) == 0; }
    if (row->form == PYTREE__PACK_STRUCT) {
        for (k = 0; k < row->size; k += row->type->size) {
            if (!pytree__same_statics(row->type, x + k, y + k)) { return false; }
        }
    } else if (row->form == PYTREE__PACK_TEXT) {
        for (k = 0; k < row->size; k += sizeof(char *)) {
            const char *p, *q;
            memcpy(&p, x + k, sizeof p);
            memcpy(&q, y + k, sizeof q);
            if (p != q && (p == NULL || q == NULL || strcmp(p, q) != 0)) { return false; }
        }
    } else {
        for (k = 0; k < row->size; k += sizeof(long double)) {
            if (memcmp(x + k, y + k, PYTREE__WIDE) != 0) { return false; }
        }
    }
    return true;
}
static bool pytree__same_statics(const pytree_type *type, const char *a, const char *b)
{
    unsigned i;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row == PYTREE_ROW_STATIC && !pytree__same_row(row, a + row->offset, b + row->offset)) { return false; }
    }
    return true;
}

/* ---- Plans -----------------------------------------------------------------------------------------------------------
 *
 * What structs that are seen deep have in common (pytree__plan), found when the first of a type comes. Leaves are all that
 * differs from one to the next: those its generated flatten sees.
 */

/* One of sixteen places for what is known of a type. */
PYTREE__INLINE size_t pytree__type_slot(const pytree_type *type)
{
    return (size_t)((uint64_t)(uintptr_t)type * UINT64_C(0x9E3779B97F4A7C15) >> 60);
}

static void pytree__plans_init(pytree__plans *p)
{
    size_t i;
    p->n_nodes = p->n_parts = p->n_options = 0;
    p->last = p->plans;
    for (i = 0; i < PYTREE__PLANS; i++) { p->plans[i].type = NULL; }
}

/* A struct's static values: bytes that follow one another are one part. There is one at least, which begins it. */
static bool pytree__plan_statics(pytree__plans *p, pytree__plan *plan, const pytree_type *type, size_t offset, uint32_t node)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    pytree__part *part = &p->parts[p->n_parts];
    unsigned left = type->n_fields - type->n_children;         /* STATIC and DROP rows that still come */
    if (p->n_parts == PYTREE__PLAN_PARTS) { return false; }
    part->at = part->bytes = 0;
    part->row = NULL;
    part->node = node;
    for (; row != end && left != 0; row++) {
        const size_t at = offset + row->offset;
        const bool bytes = row->form == PYTREE__PACK_BYTES;
        left -= row->row != PYTREE_ROW_DATA;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (bytes) { plan->n_statics += row->size; } else { plan->plain = false; }
        if (bytes && part->row == NULL && part->bytes != 0 && part->at + part->bytes == at) {
            part->bytes += row->size;
            continue;
        }
        if (part->bytes != 0 || part->row != NULL) {
            part++;
            if (part == p->parts + PYTREE__PLAN_PARTS) { return false; }
            part->node = UINT32_MAX;
        }
        part->at = at;
        part->bytes = bytes ? row->size : 0;
        part->row = bytes ? NULL : row;
    }
    p->n_parts = (uint32_t)(part - p->parts) + 1;
    return true;
}

/* The rows of a struct that lies at `offset` of the one that is planned. False: it cannot be, or there is no room. */
static bool pytree__plan_rows(pytree__plans *p, pytree__plan *plan, const pytree_type *type, size_t offset)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 };
    const uint32_t first = p->n_nodes;
    const size_t leaves = plan->n_leaves;
    const pytree_field *row;
    pytree_node *node;
    if (type->flatten == NULL || !type->closed) { return false; }
    for (row = type->fields; row != type->fields + type->n_fields; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
            if (!pytree__plan_rows(p, plan, row->type, offset + row->offset)) { return false; }
            continue;
        }
        if (p->n_nodes == PYTREE__PLAN_NODES) { return false; }
        if (row->optional != 0) {
            pytree__option *option = &p->options[p->n_options];
            if (p->n_options == PYTREE__PLAN_OPTIONS) { return false; }
            p->n_options++;
            option->at = offset + row->offset;
            option->node = p->n_nodes - plan->nodes;
            option->leads = row->place == PYTREE_POINTER && row->ndim == 0;
        } else if (row->place == PYTREE_POINTER && row->ndim == 0) {
            return false;
        }
        p->nodes[p->n_nodes++] = leaf;
        plan->n_leaves++;
    }
    if (p->n_nodes == PYTREE__PLAN_NODES || !pytree__plan_statics(p, plan, type, offset, p->n_nodes - plan->nodes)) {
        return false;
    }
    node = &p->nodes[p->n_nodes++];
    node->type = type;
    node->arity = type->n_children;
    node->leaves = (uint32_t)(plan->n_leaves - leaves);
    node->nodes = p->n_nodes - first;
    node->meta = 0;
    return true;
}

/* The plan of a type, which is in the place that is the type's own, in one of those behind it, or made now. */
static pytree__plan *pytree__find_plan(pytree__plans *p, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    pytree__plan *plan = &p->plans[slot];
    size_t i;
    bool empty;
    for (i = 1; plan->type != type && plan->type != NULL && i < PYTREE__PLANS; i++) {
        plan = &p->plans[(slot + i) % PYTREE__PLANS];
    }
    if (plan->type == type) { return plan; }
    if (plan->type != NULL) { pytree__plans_init(p); }
    do {
        empty = p->n_nodes + p->n_parts + p->n_options == 0;
        plan->type = type;
        plan->nodes = p->n_nodes;
        plan->parts = p->n_parts;
        plan->options = p->n_options;
        plan->n_leaves = plan->n_statics = 0;
        plan->nones = 0;
        plan->plain = true;
        if (pytree__plan_rows(p, plan, type, 0)) {
            plan->n_nodes = p->n_nodes - plan->nodes;
            plan->n_parts = p->n_parts - plan->parts;
            plan->n_options = p->n_options - plan->options;
            return plan;
        }
        if (!empty) { pytree__plans_init(p); }                 /* perhaps there is room when the others are gone */
    } while (!empty);
    p->n_nodes = p->n_parts = p->n_options = 0;
    plan->n_nodes = 0;
    return plan;
}

/* Valid until the next one is asked for. */
PYTREE__INLINE pytree__plan *pytree__plan_of(pytree__plans *p, const pytree_type *type)
{
    if (PYTREE__UNLIKELY(p->last->type != type)) { p->last = pytree__find_plan(p, type); }
    return p->last;
}

/* Which of a struct's options are NULL. False: one leads to a struct, so that this one cannot be seen deep. */
PYTREE__INLINE bool pytree__plan_look(const pytree__plans *p, const pytree__plan *plan, const void *self, uint64_t *nones)
{
    const pytree__option *option = &p->options[plan->options], *const end = option + plan->n_options;
    uint64_t bit = 1, found = 0;
    const void *pointer;
    for (; option != end; option++, bit <<= 1) {
        memcpy(&pointer, (const char *)self + option->at, sizeof pointer);
        if (pointer == NULL) { found |= bit; }
        else if (PYTREE__UNLIKELY(option->leads)) { return false; }
    }
    *nones = found;
    return true;
}

/* The nodes as they are where those options are None. */
static void pytree__plan_set(pytree__plans *p, pytree__plan *plan, uint64_t nones)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 }, none = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    const pytree__option *option = &p->options[plan->options];
    pytree_node *const nodes = &p->nodes[plan->nodes];
    uint32_t before[PYTREE__PLAN_NODES], n = 0, i;
    plan->nones = nones;
    for (i = 0; i < plan->n_options; i++, nones >>= 1) { nodes[option[i].node] = (nones & 1) != 0 ? none : leaf; }
    for (i = 0; i < plan->n_nodes; i++) {
        before[i] = n;
        if (nodes[i].type == NULL) { n++; }
        else if (nodes[i].type != &pytree_types[PYTREE__T_none]) { nodes[i].leaves = n - before[i + 1 - nodes[i].nodes]; }
    }
    plan->n_leaves = n;
}

/* The plan as it is for this struct. NULL: it cannot be seen deep. */
PYTREE__INLINE pytree__plan *pytree__plan_for(pytree__plans *p, const pytree_type *type, const void *self, bool none_is_leaf)
{
    pytree__plan *const plan = pytree__plan_of(p, type);
    uint64_t nones;
    if (PYTREE__UNLIKELY(plan->n_nodes == 0) || !pytree__plan_look(p, plan, self, &nones)) { return NULL; }
    if (nones != plan->nones && !none_is_leaf) { pytree__plan_set(p, plan, nones); }
    return plan;
}

/* Have n structs of the plan's type the same None and the same static values? */
PYTREE__INLINE bool pytree__plan_alike(const pytree__plans *p, const pytree__plan *plan, size_t n, const pytree_leaf **structs)
{
    const pytree__option *option = &p->options[plan->options], *const options_end = option + plan->n_options;
    const pytree__part *part = &p->parts[plan->parts], *const parts_end = part + plan->n_parts;
    const char *const first = (const char *)structs[0]->data;
    uint64_t differ = 0;
    size_t k;
    for (; option != options_end; option++) {
        const void *a, *b;
        memcpy(&a, first + option->at, sizeof a);
        if (PYTREE__UNLIKELY(a != NULL && option->leads)) { return false; }
        for (k = 1; k < n; k++) {
            memcpy(&b, (const char *)structs[k]->data + option->at, sizeof b);
            differ |= (uint64_t)((a == NULL) != (b == NULL));
        }
    }
    for (; part != parts_end; part++) {
        const char *const mine = first + part->at;
        uint32_t a, b;
        if (PYTREE__UNLIKELY(part->row != NULL)) {
            for (k = 1; k < n && pytree__same_row(part->row, mine, (const char *)structs[k]->data + part->at); k++) {}
            if (k < n) { return false; }
        } else if (part->bytes == sizeof a) {
            memcpy(&a, mine, sizeof a);
            for (k = 1; k < n; k++) {
                memcpy(&b, (const char *)structs[k]->data + part->at, sizeof b);
                differ |= a ^ b;
            }
        } else {
            for (k = 1; k < n; k++) { differ |= pytree__differ(mine, (const char *)structs[k]->data + part->at, part->bytes); }
        }
    }
    return differ == 0;
}

/* Where the structs in a struct have as many leaves and nodes as the plan says, and an option is None or is not, all
 * else can only be leaves. */
PYTREE__INLINE bool pytree__same_counts(const pytree_node *a, const pytree_node *b)
{
    return a->type == b->type && memcmp(&a->leaves, &b->leaves, sizeof a->leaves + sizeof a->nodes) == 0;
}
PYTREE__INLINE bool pytree__plan_same_options(const pytree__plans *p, const pytree__plan *plan, const pytree_node *theirs)
{
    const pytree__option *option = &p->options[plan->options], *const end = option + plan->n_options;
    const pytree_node *const mine = &p->nodes[plan->nodes];
    for (; option != end && PYTREE__LIKELY(mine[option->node].type == theirs[option->node].type); option++) {}
    return option == end;
}

/* Is that node of a treedef, with as many below it, the plan's? */
PYTREE__INLINE bool pytree__plan_agrees(const pytree__plans *p, const pytree__plan *plan, const pytree_node *n)
{
    const pytree__part *part = &p->parts[plan->parts], *const end = part + plan->n_parts;
    const pytree_node *const mine = &p->nodes[plan->nodes], *const theirs = n + 1 - plan->n_nodes;
    for (; part != end; part++) {
        const uint32_t at = part->node;
        if (at != UINT32_MAX && PYTREE__UNLIKELY(!pytree__same_counts(&mine[at], &theirs[at]))) { return false; }
    }
    return pytree__plan_same_options(p, plan, theirs);
}

/* And has a struct the static values that stand there? */
PYTREE__INLINE bool pytree__plan_matches(const pytree__plans *p, const pytree__plan *plan, const char *self,
                                         const pytree_def *def, const pytree_node *theirs)
{
    const pytree__part *part = &p->parts[plan->parts], *const end = part + plan->n_parts;
    const pytree_node *const mine = &p->nodes[plan->nodes];
    const unsigned char *at = NULL;
    uint64_t differ = 0;
    for (; part != end; part++) {
        if (part->node != UINT32_MAX) {
            if (PYTREE__UNLIKELY(!pytree__same_counts(&mine[part->node], &theirs[part->node]))) { return false; }
            at = def->statics + theirs[part->node].meta;
        }
        if (PYTREE__LIKELY(part->row == NULL)) {
            differ |= pytree__differ(self + part->at, at, part->bytes);
            at += part->bytes;
        } else {
            at = pytree__match_row(part->row, self + part->at, at);
            if (at == NULL) { return false; }
        }
    }
    return differ == 0 && pytree__plan_same_options(p, plan, theirs);
}

/* The plan as it is for a treedef's struct node, if that agrees. NULL: it is none that is seen deep. */
PYTREE__INLINE pytree__plan *pytree__plan_of_node(pytree__plans *p, const pytree_node *n)
{
    pytree__plan *const plan = pytree__plan_of(p, n->type);
    const pytree__option *const option = &p->options[plan->options];
    const pytree_node *theirs;
    uint64_t nones = 0;
    uint32_t i;
    if (PYTREE__UNLIKELY(plan->n_nodes == 0 || plan->n_nodes != n->nodes)) { return NULL; }
    theirs = n + 1 - plan->n_nodes;
    for (i = 0; i < plan->n_options; i++) {
        nones |= (uint64_t)(theirs[option[i].node].type == &pytree_types[PYTREE__T_none]) << i;
        if (PYTREE__UNLIKELY(option[i].leads && (nones >> i) == 0)) { return NULL; }
    }
    if (PYTREE__UNLIKELY(nones != plan->nones)) { pytree__plan_set(p, plan, nones); }
    return plan;
}

/* A struct's nodes and static values, written behind those that are there. */
PYTREE__INLINE void pytree__plan_emit(const pytree__plans *p, const pytree__plan *plan, const char *self, pytree_node *nodes,
                                      pytree__statics *to)
{
    const pytree__part *part = &p->parts[plan->parts], *const end = part + plan->n_parts;
    memcpy(nodes, &p->nodes[plan->nodes], plan->n_nodes * sizeof *nodes);
    for (; part != end; part++) {
        if (part->node != UINT32_MAX) { nodes[part->node].meta = (uint32_t)to->length; }
        if (PYTREE__LIKELY(part->row == NULL)) {
            if (part->bytes != 0) { pytree__copy_few(to->at + to->length, self + part->at, part->bytes); }
            to->length += part->bytes;
        } else {
            pytree__pack(to, part->row, self + part->at);
        }
    }
}

/* How many static bytes it has. */
PYTREE__INLINE size_t pytree__plan_bytes(const pytree__plans *p, const pytree__plan *plan, const char *self)
{
    pytree__statics to = { NULL, 0, 0 };
    uint32_t i;
    if (PYTREE__LIKELY(plan->plain)) { return plan->n_statics; }
    for (i = plan->parts; i < plan->parts + plan->n_parts; i++) {
        if (p->parts[i].row != NULL) { pytree__pack(&to, p->parts[i].row, self + p->parts[i].at); }
    }
    return plan->n_statics + to.length;
}

/* ---- The walker ------------------------------------------------------------------------------------------------------
 *
 * One cursor a tree. `root` or a frame's next child is the value at hand: a view. It is taken as a leaf or opened, which pushes
 * a frame. A struct's generated flatten writes its children's views onto the view stack, a custom node's callback its children
 * and their keys; a dict whose order is not known puts that there. What lies in a row gets its view one at a time.
 */
enum { PYTREE__FROM_VIEWS, PYTREE__FROM_ROW, PYTREE__FROM_ZEROS, PYTREE__FROM_ITEMS, PYTREE__FROM_PAIRS, PYTREE__FROM_HELD };

/* What pytree_check hears of instead of the walk's end. */
struct pytree__watch {
    void (*problem)(void *context, const pytree_error *problem);
    void *context;
};

/* Of an open dict or map: the pair that is visited i-th, and its value. */
PYTREE__INLINE char *pytree__pair(const pytree__cursor *c, const pytree__frame *f, size_t i)
{
    if (f->ordered) {
        i = ((const uint32_t *)(const void *)(c->views + f->views))[i];
    } else if (f->order != NULL) {
        i = f->order[i];
    }
    return f->data + i * f->shape[1];
}

/* Of an open custom node: its children, behind them their keys, behind those its metadata. */
static const pytree *pytree__held(const pytree__cursor *c, const pytree__frame *f)
{
    return (const pytree *)(const void *)(c->views + f->views);
}
static const unsigned char *pytree__held_metadata(const pytree__cursor *c, const pytree__frame *f)
{
    const pytree *end = pytree__held(c, f) + f->count;
    return (const unsigned char *)end + (f->type->custom->keyed ? f->count * sizeof(pytree_entry) : 0);
}

/* Entry of child i of an open node. */
static void pytree__frame_entry(const pytree__cursor *c, const pytree__frame *f, size_t i, pytree_entry *entry)
{
    entry->kind = PYTREE_INDEX;
    entry->name = NULL;
    entry->index = i;
    if (f->form == PYTREE_FORM_STRUCT) {
        unsigned row = 0;
        size_t left = i;
        for (; f->type->fields[row].row != PYTREE_ROW_DATA || left-- != 0; row++) {}
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = f->type->fields[row].name;
    } else if (f->from == PYTREE__FROM_PAIRS) {
        const char *pair = pytree__pair(c, f, i);
        if (f->numbered) {
            int64_t number;
            memcpy(&number, pair, sizeof number);
            entry->kind = PYTREE_INT_KEY;
            entry->index = (size_t)number;
        } else {
            entry->kind = f->form == PYTREE_FORM_ITEMS && f->type->kind == PYTREE_KIND_NAMEDTUPLE ? PYTREE_ATTRIBUTE
                                                                                                    : PYTREE_KEY;
            memcpy(&entry->name, pair, sizeof entry->name);
            if (entry->name == NULL) { entry->name = ""; }
        }
    } else if (f->from == PYTREE__FROM_HELD) {
        entry->kind = PYTREE_FLAT_INDEX;
        if (f->type->custom->keyed) { *entry = ((const pytree_entry *)(const void *)(pytree__held(c, f) + f->count))[i]; }
    } else if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)(const void *)f->data;
        pytree__def_entry_at(flat->def, f->shape[0], i, entry);
    }
}

/* Row of a struct's child. */
static const pytree_field *pytree__data_row(const pytree_type *type, size_t i)
{
    const pytree_field *row = type->fields;
    if (type->n_fields == type->n_children) { return row + i; }
    for (; row->row != PYTREE_ROW_DATA || i-- != 0; row++) {}
    return row;
}

/* Leaves in a struct that is seen deep. */
static size_t pytree__deep_leaves(const pytree_type *type, const char *self)
{
    const pytree_field *row = type->fields, *end = row + type->n_fields;
    size_t n = 0;
    for (; row != end; row++) {
        const void *p = self;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
            n += pytree__deep_leaves(row->type, self + row->offset);
        } else {
            if (row->optional != 0) { memcpy(&p, self + row->offset, sizeof p); }
            n += p != NULL;
        }
    }
    return n;
}

/* From a struct that is seen deep towards its leaf number `leaf`: the child, and its row. Where that is a struct in turn, type,
 * self and leaf become its own: true. */
static bool pytree__descend(const pytree_type **type, const char **self, size_t *leaf, const pytree_field **row, size_t *child)
{
    for (*row = (*type)->fields, *child = 0;; (*row)++) {
        const void *p = *self;
        if ((*row)->row != PYTREE_ROW_DATA) { continue; }
        if ((*row)->form == PYTREE_FORM_STRUCT && (*row)->place == PYTREE_IN_PLACE) {
            const char *inner = *self + (*row)->offset;
            size_t n = pytree__deep_leaves((*row)->type, inner);
            if (*leaf < n) {
                *type = (*row)->type;
                *self = inner;
                return true;
            }
            *leaf -= n;
        } else {
            if ((*row)->optional != 0) { memcpy(&p, *self + (*row)->offset, sizeof p); }
            if (p != NULL && (*leaf)-- == 0) { return false; }
        }
        (*child)++;
    }
}

/* Row of the struct that the value at hand lies in, and that struct; NULL: it lies in none. */
static const pytree_field *pytree__row_at(const pytree__cursor *c, const char **self)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const pytree_type *type;
    const pytree_field *row;
    size_t leaf, child;
    if (f == NULL || f->form != PYTREE_FORM_STRUCT) { return NULL; }
    type = f->type;
    *self = (const char *)f->self;
    if (!f->deep) { return pytree__data_row(type, f->next - 1); }
    for (leaf = f->next - 1 - c->run; pytree__descend(&type, self, &leaf, &row, &child);) {}
    return row;
}

/* Entries of the path of the value at hand: each frame's child that was taken last, on top perhaps several. A node that is just
 * being opened has none. */
static size_t pytree__depth(const pytree__cursor *c)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    size_t n = c->n_frames;
    if (f == NULL) { return 0; }
    if (f->next == 0) { return n - 1; }
    if (f->deep) {
        const pytree_type *type = f->type;
        const char *self = (const char *)f->self;
        const pytree_field *row;
        size_t leaf = f->next - 1 - c->run, child;
        for (; pytree__descend(&type, &self, &leaf, &row, &child); n++) {}
    }
    return n;
}
static void pytree__entry_at(const pytree__cursor *c, size_t i, pytree_entry *entry)
{
    const pytree__frame *f = &c->frames[i < c->n_frames ? i : c->n_frames - 1];
    if (!f->deep) {
        pytree__frame_entry(c, f, f->next - 1, entry);
    } else {
        const pytree_type *type = f->type;
        const char *self = (const char *)f->self;
        const pytree_field *row;
        size_t leaf = f->next - 1 - c->run, child, n = i - (c->n_frames - 1) + 1;
        do { pytree__descend(&type, &self, &leaf, &row, &child); } while (--n != 0);
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = row->name;
        entry->index = child;
    }
}

static size_t pytree__cursor_path(const pytree__cursor *c, pytree_entry *entries, size_t capacity)
{
    size_t i;
    size_t n = pytree__depth(c);
    for (i = 0; i < n && i < capacity; i++) { pytree__entry_at(c, i, &entries[i]); }
    return n;
}

static void pytree__cursor_text(const pytree__cursor *c, struct pytree__text *to, size_t most)
{
    size_t i, n = pytree__depth(c);
    for (i = 0; i < n; i++) {
        pytree_entry entry;
        if (n > most && i == most / 2) {
            pytree__put(to, "...", 3);
            i = n - most / 2;
        }
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(to, &entry, NULL, i == 0);
    }
}

/* Path of the value at hand, if it is too long its beginning and its end. */
static void pytree__cut_path(const pytree__cursor *c, char *path, size_t room)
{
    struct pytree__text to = pytree__text_to(path, room, NULL);
    size_t n = pytree__depth(c), i = n, length = 0, half = room / 2 - 2;
    char tail[4200];
    pytree_entry entry;
    pytree__cursor_text(c, &to, 64);
    pytree__end_text(&to, room);
    if (to.length < room && n <= 64) { return; }
    while (i > 0 && length < half) {
        struct pytree__text count = { NULL, 0, 0, NULL };
        i--;
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(&count, &entry, NULL, i == 0);
        length += count.length;
    }
    to = pytree__text_to(tail, sizeof tail, NULL);
    for (; i < n; i++) {
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(&to, &entry, NULL, i == 0);
    }
    pytree__end_text(&to, sizeof tail);
    length = strlen(tail);
    i = length > half ? length - half : 0;
    while ((tail[i] & 0xC0) == 0x80) { i++; }
    n = strlen(path) < half ? strlen(path) : half;
    while (n > 0 && (path[n] & 0xC0) == 0x80) { n--; }
    memcpy(path + n, "...", 3);
    memcpy(path + n + 3, tail + i, length - i + 1);
}

/* An error at the value at hand. If somebody watches, they hear of it and the walk goes on. */
static pytree_status pytree__problem(const pytree__cursor *c, pytree_status status, const char *format, ...)
{
    char path[600], message[512];
    va_list arguments;
    if (c->err == NULL && c->watch == NULL) { return status; }
    pytree__cut_path(c, path, sizeof path);
    va_start(arguments, format);
    if (vsnprintf(message, sizeof message, format, arguments) < 0) { message[0] = '\0'; }
    va_end(arguments);
    if (c->watch != NULL) {
        pytree_error problem;
        problem.status = PYTREE_OK;
        pytree_fail(&problem, status, path, "%s", message);
        c->watch->problem(c->watch->context, &problem);
        return PYTREE_OK;
    }
    return pytree_fail(c->err, status, path, "%s", message);
}

static void pytree__cursor_init(pytree__cursor *c, const pytree_options *opt, pytree_error *err)
{
    c->frames = c->own_frames;
    c->views = c->own_views;
    c->n_frames = c->n_views = 0;
    c->max_frames = PYTREE__FRAMES;
    c->max_views = PYTREE__VIEWS;
    c->opt = opt;
    c->err = err;
    c->watch = NULL;
    c->making = false;
    c->run = 0;
    c->scratch = NULL;
    c->max_scratch = 0;
}

static void pytree__cursor_end(pytree__cursor *c)
{
    const pytree_allocator *a = pytree__allocator(c->opt);
    if (c->frames != c->own_frames) { pytree__resize(a, c->frames, c->max_frames * sizeof *c->frames, 0); }
    if (c->views != c->own_views) { pytree__resize(a, c->views, c->max_views * sizeof *c->views, 0); }
    if (c->scratch != NULL) { pytree__resize(a, c->scratch, c->max_scratch, 0); }
    c->scratch = NULL;
    c->max_scratch = 0;
    c->frames = c->own_frames;
    c->views = c->own_views;
    c->max_frames = PYTREE__FRAMES;
    c->max_views = PYTREE__VIEWS;
}

/* Grows a stack that begins inside the cursor. */
static void *pytree__grow(pytree__cursor *c, void *stack, const void *own, size_t *max, size_t needed, size_t size)
{
    const pytree_allocator *a = pytree__allocator(c->opt);
    size_t count = needed > *max * 2 ? needed : *max * 2, bytes = pytree__times(count, size);
    void *grown =
        bytes == SIZE_MAX ? NULL : pytree__resize(a, stack == own ? NULL : stack, stack == own ? 0 : *max * size, bytes);
    if (grown == NULL) {
        pytree__no_memory(c->err, bytes);
        return NULL;
    }
    if (stack == own) { memcpy(grown, own, *max * size); }
    *max = count;
    return grown;
}

/* That many bytes until the next call. What a cursor has grown it keeps, so that a second run over the same trees needs no
 * memory: it cannot fail half-way. */
static void *pytree__scratch(pytree__cursor *c, size_t bytes)
{
    if (bytes > c->max_scratch) {
        const pytree_allocator *a = pytree__allocator(c->opt);
        if (bytes < 2 * c->max_scratch) { bytes = 2 * c->max_scratch; }
        if (c->scratch != NULL) { pytree__resize(a, c->scratch, c->max_scratch, 0); }
        c->max_scratch = 0;
        c->scratch = pytree__resize(a, NULL, 0, bytes);
        if (c->scratch == NULL) { pytree__no_memory(c->err, bytes); return NULL; }
        c->max_scratch = bytes;
    }
    return c->scratch;
}

/* Room for n more views; they are not counted yet. NULL if memory runs out. */
static pytree_leaf *pytree__room(pytree__cursor *c, size_t n)
{
    if (PYTREE__UNLIKELY(n > c->max_views - c->n_views)) {
        pytree_leaf *grown = n > SIZE_MAX / 2 / sizeof *grown ? NULL
            : (pytree_leaf *)pytree__grow(c, c->views, c->own_views, &c->max_views, c->n_views + n, sizeof *c->views);
        if (grown == NULL) { pytree__no_memory(c->err, n); return NULL; }
        c->views = grown;
    }
    return c->views + c->n_views;
}

/* Most leaves have four dimensions or fewer (and a map and a pytree_flat three extents): a copy of known size is a few moves.
 */
PYTREE__INLINE void pytree__copy_view(pytree_leaf *to, const pytree_leaf *from)
{
    enum { FEW = PYTREE_MAX_DIMS < 4 ? PYTREE_MAX_DIMS : 4 };
    if (PYTREE__LIKELY(from->ndim <= FEW)) {
        memcpy(to, from, offsetof(pytree_leaf, shape) + FEW * sizeof(size_t));
    } else {
        memcpy(to, from, sizeof *to);
    }
}

static void pytree__none_view(pytree_leaf *v)
{
    v->data = NULL;
    v->type = &pytree_types[PYTREE__T_none];
    v->ndim = 0;
    v->form = PYTREE_FORM_NONE;
}

static unsigned pytree__form_of(const pytree_type *type)
{
    switch (type->kind) {
    case PYTREE_KIND_LEAF: return PYTREE_FORM_LEAF;
    case PYTREE_KIND_NONE: return PYTREE_FORM_NONE;
    case PYTREE_KIND_STRUCT:
    case PYTREE_KIND_CUSTOM: return PYTREE_FORM_STRUCT;
    case PYTREE_KIND_VIEW: return PYTREE_FORM_VIEW;
    case PYTREE_KIND_REF: return PYTREE_FORM_REF;
    case PYTREE_KIND_FLAT: return PYTREE_FORM_FLAT;
    default: return PYTREE_FORM_ITEMS;
    }
}

/* A view of the value in memory at `data`. */
static void pytree__view(pytree_leaf *v, const pytree_type *type, void *data)
{
    v->data = data;
    v->type = type;
    v->ndim = 0;
    v->form = type == NULL ? 0 : pytree__form_of(type);
}

/* What pytree_allocate takes in place of a struct that is to be made and has no template. */
static void *pytree__zeros(void)
{
    static const union { char bytes[4096]; long double l; void *p; long long i; } zeros = { { 0 } };
    return (void *)(uintptr_t)&zeros;
}
static pytree_status pytree__template(pytree__cursor *c, const pytree_type *type)
{
    if (type->size <= 4096) { return PYTREE_OK; }
    return pytree__problem(
        c, PYTREE_NULL_POINTER,
        "expected a template of the %s that is to be made (its %zu bytes are too many to take zeros), got NULL", type->name,
        type->size);
}

/* What stands behind a value held as pytree or pytree_leaf; and whether it is sound: no NULL where data is required, extents
 * that are not negative, bytes that fit. With a watcher, what is not sound becomes None. */
static pytree_status pytree__settle(pytree__cursor *c, pytree_leaf *v)
{
    pytree_status status = PYTREE_OK;
    int hops = 0, i;
    for (;;) {
        if (v->form == PYTREE_FORM_REF && v->data != NULL) {
            pytree t = *(const pytree *)v->data;
            if (t.type == NULL) {
                status = pytree__problem(c, PYTREE_NULL_POINTER, "expected a tree, got a pytree without a type");
                goto unsound;
            }
            pytree__view(v, t.type, t.data);
        } else if (v->form == PYTREE_FORM_VIEW && v->data != NULL) {
            const pytree_leaf *inner = (const pytree_leaf *)v->data;
            if (inner->type == NULL || inner->ndim < 0 || inner->ndim > PYTREE_MAX_DIMS
                || inner->form > PYTREE_FORM_REF || inner->form == PYTREE_FORM_CUSTOM) {
                status = pytree__problem(c, PYTREE_ARGUMENT,
                                         "expected a pytree_leaf with a type and 0 to %d dimensions, got %s and %d dimensions",
                                         PYTREE_MAX_DIMS, inner->type == NULL ? "no type" : inner->type->name, inner->ndim);
                goto unsound;
            }
            if (inner->form == PYTREE_FORM_LEAF && inner->type->kind != PYTREE_KIND_LEAF) {
                pytree__view(v, inner->type, inner->data);
            } else {
                memcpy(v, inner, sizeof *v);
                if (v->form == PYTREE_FORM_FLAT) { return PYTREE_OK; }
            }
        } else {
            break;
        }
        if (++hops > 100) {
            status = pytree__problem(c, PYTREE_CYCLE, "expected a value, got a reference that leads to itself");
            goto unsound;
        }
    }
    switch (v->form) {
    case PYTREE_FORM_LEAF: {
        size_t n = pytree_leaf_count(v);
        for (i = 0; i < v->ndim; i++) {
            if (v->shape[i] > PTRDIFF_MAX) {
                status = pytree__problem(c, PYTREE_BAD_COUNT, "expected an extent of 0 or more in dimension %d, got %lld", i,
                                         (long long)(ptrdiff_t)v->shape[i]);
                goto unsound;
            }
        }
        if (n == SIZE_MAX || pytree_leaf_bytes(v) > PTRDIFF_MAX) {
            status = pytree__problem(c, PYTREE_OVERFLOW,
                                     "expected an array that fits memory, got extents %zu x %zu ... of %zu bytes each",
                                     v->shape[0], v->ndim > 1 ? v->shape[1] : 1, v->type->size);
            goto unsound;
        }
        if (v->data == NULL && n != 0 && !c->making) {
            status = pytree__problem(c, PYTREE_NULL_POINTER, "expected %zu elements of %s, got NULL", n, v->type->name);
            goto unsound;
        }
        if (v->ndim == 0 && v->type->dtype == PYTREE_STRING && !c->making) {
            const char *s;
            memcpy(&s, v->data, sizeof s);
            if (s == NULL) {
                status = pytree__problem(c, PYTREE_NULL_POINTER, "expected a string, got NULL (OPTIONAL allows it)");
                goto unsound;
            }
        }
        break;
    }
    case PYTREE_FORM_LIST:
    case PYTREE_FORM_TUPLE:
    case PYTREE_FORM_MAP: {
        size_t size = v->form == PYTREE_FORM_MAP ? v->shape[1] : v->type->size;
        if (v->shape[0] > PTRDIFF_MAX / (size == 0 ? 1 : size)) {
            status = pytree__problem(c, PYTREE_BAD_COUNT, "expected a count from 0 to %zu, got %lld",
                                     (size_t)PTRDIFF_MAX / (size == 0 ? 1 : size), (long long)(ptrdiff_t)v->shape[0]);
            goto unsound;
        }
        if (v->data == NULL && v->shape[0] != 0 && !c->making) {
            status = pytree__problem(c, PYTREE_NULL_POINTER, "expected a list of %zu %s, got NULL", v->shape[0], v->type->name);
            goto unsound;
        }
        break;
    }
    case PYTREE_FORM_NONE: pytree__none_view(v); break;
    case PYTREE_FORM_FLAT: {
        const pytree_flat *flat = (const pytree_flat *)v->data;
        if (flat == NULL || flat->def == NULL || (flat->leaves == NULL && flat->def->n_leaves != 0)) {
            status = pytree__problem(c, PYTREE_NULL_POINTER, "expected a treedef and leaves, got NULL");
            goto unsound;
        }
        if (flat->def->n_nodes == 1 && flat->def->n_leaves == 1) {         /* a leaf, or None as one */
            pytree__copy_view(v, &flat->leaves[0]);
        } else if (flat->def->nodes[flat->def->n_nodes - 1].type->kind == PYTREE_KIND_NONE) {
            pytree__none_view(v);
        } else {
            v->shape[0] = flat->def->n_nodes - 1;
            v->shape[1] = 0;
            v->shape[2] = flat->def->n_orders;
        }
        break;
    }
    default:
        if (c->making && v->form == PYTREE_FORM_STRUCT && (v->data == NULL || v->data == PYTREE_WANTED)) {
            v->data = pytree__zeros();
            return pytree__template(c, v->type);
        }
        if (v->data == NULL) {
            status = pytree__problem(c, PYTREE_NULL_POINTER, "expected a %s, got NULL (OPTIONAL allows it)",
                                     pytree__origin(v->type)->name);
            goto unsound;
        }
    }
    return PYTREE_OK;
unsound:
    pytree__none_view(v);
    return status;
}

/* Is a view that somebody has written plainly in order? If not, pytree__settle says what is wrong with it, if anything. */
PYTREE__INLINE bool pytree__sound(const pytree_leaf *v)
{
    size_t bits = 0;
    int i;
    if (v->data == NULL || v->ndim < 0 || v->ndim > PYTREE_MAX_DIMS || v->type->dtype == PYTREE_STRING) { return false; }
    for (i = 0; i < v->ndim; i++) { bits |= v->shape[i]; }
    return (bits >> ((sizeof(size_t) * CHAR_BIT - 8) / (size_t)(v->ndim < 2 ? 2 : v->ndim))) == 0;
}

/* The whole tree as the value at hand. */
static pytree_status pytree__cursor_root(pytree__cursor *c, pytree t)
{
    c->n_frames = c->n_views = 0;
    if (t.type == NULL) { return pytree_fail(c->err, PYTREE_ARGUMENT, NULL, "expected a tree, got a pytree without a type"); }
    pytree__view(&c->root, t.type, t.data);
    return pytree__settle(c, &c->root);
}

/* Order of keys: by code point, which for UTF-8 is by byte; numbers by value. */
struct pytree__sorting {
    const char *key;                      /* NULL: a number */
    uint64_t rank;                        /* its first eight bytes, or the number: most keys differ in that */
    uint32_t at;
};
static uint64_t pytree__rank(const char *key)
{
    uint64_t rank = 0;
    int shift;
    for (shift = 56; shift >= 0 && *key != '\0'; shift -= 8) { rank |= (uint64_t)(unsigned char)*key++ << shift; }
    return rank;
}
static int pytree__by_key(const void *a, const void *b)
{
    const struct pytree__sorting *x = (const struct pytree__sorting *)a, *y = (const struct pytree__sorting *)b;
    if (x->rank != y->rank) { return x->rank < y->rank ? -1 : 1; }
    return x->key != NULL ? strcmp(x->key, y->key) : 0;
}
static void pytree__sort_keys(struct pytree__sorting *keys, size_t n)
{
    size_t i, k;
    if (n > 16) { qsort(keys, n, sizeof *keys, pytree__by_key); return; }
    for (i = 1; i < n; i++) {
        const struct pytree__sorting key = keys[i];
        for (k = i; k != 0 && pytree__by_key(&keys[k - 1], &key) > 0; k--) { keys[k] = keys[k - 1]; }
        keys[k] = key;
    }
}

/* The order of a dict's or map's pairs, onto the view stack, unless they lie in it. No key must come twice. */
static pytree_status pytree__order(pytree__cursor *c, pytree__frame *f)
{
    const size_t n = f->count, bytes = pytree__times(n, sizeof(struct pytree__sorting));
    const size_t slots = (n * sizeof(uint32_t) + sizeof(pytree_leaf) - 1) / sizeof(pytree_leaf);
    struct pytree__sorting few[16], *keys = few, last = { NULL, 0, 0 };
    bool sorted = true;
    uint32_t *order;
    pytree_entry key;
    size_t i;
    f->count = 0;                         /* until all is known to be well */
    if (n > UINT32_MAX / 2) {
        return pytree__problem(c, PYTREE_BAD_COUNT, "expected a dict of at most %lu pairs, got %zu",
                               (unsigned long)UINT32_MAX / 2, n);
    }
    if (n > 16) {
        keys = (struct pytree__sorting *)pytree__scratch(c, bytes);
        if (keys == NULL) { return PYTREE_NO_MEMORY; }
    }
    for (i = 0; i < n; i++) {
        const char *pair = f->data + i * f->shape[1];
        keys[i].key = NULL;
        keys[i].at = (uint32_t)i;
        if (f->numbered) {
            memcpy(&keys[i].rank, pair, sizeof keys[i].rank);
            keys[i].rank ^= UINT64_C(1) << 63;                 /* negative ones first */
        } else {
            memcpy(&keys[i].key, pair, sizeof keys[i].key);
            if (keys[i].key == NULL) {
                return pytree__problem(c, PYTREE_NULL_POINTER, "expected a key for each dict entry, got NULL for number %zu",
                                       i);
            }
            keys[i].rank = pytree__rank(keys[i].key);
        }
        sorted = sorted && (i == 0 || pytree__by_key(&last, &keys[i]) < 0);
        last = keys[i];
    }
    if (!sorted) {
        pytree__sort_keys(keys, n);
        order = (uint32_t *)(void *)pytree__room(c, slots);
        if (order == NULL) { return PYTREE_NO_MEMORY; }
        for (i = 0; i < n; i++) {
            order[i] = keys[i].at;
            if (i != 0 && pytree__by_key(&keys[i - 1], &keys[i]) == 0) {
                char text[80];
                struct pytree__text to = pytree__text_to(text, sizeof text, NULL);
                key.kind = f->numbered ? PYTREE_INT_KEY : PYTREE_KEY;
                key.name = keys[i].key;
                key.index = (size_t)(keys[i].rank ^ UINT64_C(1) << 63);
                pytree__put_key(&to, &key, f->numbered ? 0 : strlen(key.name));
                pytree__end_text(&to, sizeof text);
                return pytree__problem(c, PYTREE_ARGUMENT, "expected each dict key once, got %s twice", text);
            }
        }
        c->n_views += slots;
        f->ordered = true;
    }
    f->count = n;
    return PYTREE_OK;
}

/* Need nothing be done to know how a dict's pairs are visited? An order that the library did not vouch for is gone over. */
static bool pytree__sorted_pairs(const pytree_items *items)
{
    return items->packed != NULL || (items->sorted && items->order != NULL);
}
static pytree_status pytree__check_order(pytree__cursor *c, pytree__frame *f)
{
    const size_t n = f->count, bytes = n / CHAR_BIT + 1;
    unsigned char few[512], *seen = few;
    size_t i;
    f->count = 0;                         /* until all is known to be well */
    if (bytes > sizeof few) {
        seen = (unsigned char *)pytree__scratch(c, bytes);
        if (seen == NULL) { return PYTREE_NO_MEMORY; }
    }
    memset(seen, 0, bytes);
    for (i = 0; i < n; i++) {
        const uint32_t at = f->order[i];
        if (at >= n || (seen[at / CHAR_BIT] >> at % CHAR_BIT & 1) != 0) {
            return pytree__problem(c, PYTREE_ARGUMENT, "expected an order with each of %zu pairs once, got number %lu%s", n,
                                   (unsigned long)at, at >= n ? "" : " twice");
        }
        seen[at / CHAR_BIT] |= (unsigned char)(1u << at % CHAR_BIT);
    }
    f->count = n;
    return PYTREE_OK;
}

/* Pairs of a dict, odict, default dict, namedtuple or map: shape[1] is from one to the next, shape[2] where the value is. */
static pytree_status pytree__open_pairs(pytree__cursor *c, pytree__frame *f)
{
    f->from = PYTREE__FROM_PAIRS;
    if (f->form == PYTREE_FORM_ITEMS) {
        const pytree_items *items = (const pytree_items *)f->self;
        f->numbered = items->int_pairs != NULL;
        f->data = (char *)(uintptr_t)(f->numbered ? (const void *)items->int_pairs : (const void *)items->pairs);
        f->shape[1] = f->numbered ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
        f->shape[2] = f->numbered ? offsetof(pytree_int_pair, value) : offsetof(pytree_pair, value);
        if (f->data == NULL && f->count != 0) {
            size_t count = f->count;
            f->count = 0;
            return pytree__problem(c, PYTREE_NULL_POINTER, "expected %zu items, got NULL", count);
        }
        if (f->type->kind == PYTREE_KIND_NAMEDTUPLE && f->numbered) {
            f->count = 0;
            return pytree__problem(c, PYTREE_ARGUMENT, "expected the names of a namedtuple's fields, got numbers");
        }
        if (f->type->kind == PYTREE_KIND_NAMEDTUPLE || f->type->kind == PYTREE_KIND_ODICT) { return PYTREE_OK; }
        f->order = items->order;
        if (pytree__sorted_pairs(items)) { return PYTREE_OK; }
        if (f->order != NULL) { return pytree__check_order(c, f); }
    }
    return pytree__order(c, f);
}

/* A custom node's children, keys and metadata, as its callbacks give them. */
static pytree_status pytree__open_custom(pytree__cursor *c, pytree__frame *f)
{
    const pytree_custom *custom = f->type->custom;
    const size_t n = custom->children == NULL ? 0 : custom->children(f->self, NULL, NULL);
    const size_t each = sizeof(pytree) + (custom->keyed ? sizeof(pytree_entry) : 0);
    const size_t metadata = custom->metadata == NULL ? 0 : custom->metadata(f->self, NULL);
    const size_t bytes = pytree__plus(pytree__times(n, each), metadata);
    const size_t slots = bytes == SIZE_MAX ? SIZE_MAX : bytes / sizeof(pytree_leaf) + 1;
    pytree *children;
    size_t i, got;
    f->form = PYTREE_FORM_CUSTOM;
    f->from = PYTREE__FROM_HELD;
    f->shape[0] = metadata;
    f->count = 0;
    if (custom->children == NULL) {
        return pytree__problem(c, PYTREE_ARGUMENT, "expected a children callback for %s, got NULL", f->type->name);
    }
    if (n > UINT32_MAX) {
        return pytree__problem(c, PYTREE_BAD_COUNT, "expected at most %lu children of %s, got %zu", (unsigned long)UINT32_MAX,
                               f->type->name, n);
    }
    if (metadata >= UINT32_MAX) {
        return pytree__problem(c, PYTREE_OVERFLOW, "expected metadata of less than 4 GiB, got %zu bytes", metadata);
    }
    children = (pytree *)(void *)pytree__room(c, slots);
    if (children == NULL) { return PYTREE_NO_MEMORY; }
    got = custom->children(f->self, children, custom->keyed ? (pytree_entry *)(void *)(children + n) : NULL);
    if (got != n || (metadata != 0 && custom->metadata(f->self, (char *)children + n * each) != metadata)) {
        return pytree__problem(c, PYTREE_BAD_COUNT,
                               "expected the callbacks of %s to answer twice the same, got %zu and %zu children",
                               f->type->name, n, got);
    }
    for (i = 0; custom->keyed && i < n; i++) {
        const pytree_entry *key = (const pytree_entry *)(const void *)(children + n) + i;
        if ((unsigned)key->kind > PYTREE_INT_KEY) {
            return pytree__problem(c, PYTREE_ARGUMENT, "expected a kind of key for each child of %s, got %d for number %zu",
                                   f->type->name, (int)key->kind, i);
        }
        if ((key->kind == PYTREE_ATTRIBUTE || key->kind == PYTREE_KEY) && key->name == NULL) {
            return pytree__problem(c, PYTREE_NULL_POINTER, "expected a name for each child of %s, got NULL for number %zu",
                                   f->type->name, i);
        }
    }
    f->count = n;
    c->n_views += slots;
    return PYTREE_OK;
}

/* Children of a treedef's node: found from the last to the first. */
static pytree_status pytree__open_flat(pytree__cursor *c, pytree__frame *f, const size_t *shape)
{
    const pytree_flat *flat = (const pytree_flat *)f->self;
    const pytree_node *node = &flat->def->nodes[shape[0]];
    const uint32_t *orders = flat->def->orders;
    size_t at = shape[0], leaf = shape[1] + node->leaves, i = node->arity, end = shape[2];
    pytree_leaf *views = pytree__room(c, i);
    if (views == NULL) { return PYTREE_NO_MEMORY; }
    f->type = node->type;
    f->count = i;
    if (end != 0 && orders[end - 1] == at) {
        end -= 1 + i;
        f->order = orders + end;
    }
    while (i-- != 0) {
        const pytree_node *child = &flat->def->nodes[--at];
        leaf -= child->leaves;
        if (child->type == NULL) {
            pytree__copy_view(&views[i], &flat->leaves[leaf]);
        } else if (child->type->kind == PYTREE_KIND_NONE) {
            pytree__none_view(&views[i]);
        } else {
            views[i].data = f->data;
            views[i].type = child->type;
            views[i].ndim = 0;
            views[i].form = PYTREE_FORM_FLAT;
            views[i].shape[0] = at;
            views[i].shape[1] = leaf;
            views[i].shape[2] = end;
        }
        at -= child->nodes - 1;
        while (end != 0 && orders[end - 1] >= at) { end -= 1 + flat->def->nodes[orders[end - 1]].arity; }
    }
    c->n_views += node->arity;
    return PYTREE_OK;
}

static bool pytree__keyed(const pytree_type *type)
{
    return type->kind == PYTREE_KIND_DICT || type->kind == PYTREE_KIND_ODICT || type->kind == PYTREE_KIND_NAMEDTUPLE
        || type->kind == PYTREE_KIND_DEFAULTDICT;
}

/* In a namespace a struct, or what elsewhere is a leaf, may have a registration of its own. */
static void pytree__respace(const pytree__cursor *c, pytree_leaf *v)
{
    const pytree_type *type = v->type;
    if (v->form != PYTREE_FORM_STRUCT && (v->form != PYTREE_FORM_LEAF || v->ndim != 0 || type->dtype != PYTREE_OPAQUE)) {
        return;
    }
    type = pytree__in_space(type, c->opt->space);
    if (type != v->type) {
        v->type = type;
        v->form = PYTREE_FORM_STRUCT;
    }
}

/* Does nothing but the types decide what is a leaf? */
PYTREE__INLINE bool pytree__plain_walk(const pytree_options *opt)
{
    return opt == NULL || (opt->is_leaf == NULL && opt->space == NULL);
}

/* The form of the view that an open node was. */
static unsigned pytree__form_in(const pytree__frame *f)
{
    return f->form == PYTREE_FORM_CUSTOM ? (unsigned)PYTREE_FORM_STRUCT : f->form;
}

/* Opens the value at hand, which is a node other than None. */
static pytree_status pytree__open(pytree__cursor *c, const pytree_leaf *value)
{
    const pytree_type *const type = value->form == PYTREE_FORM_STRUCT ? pytree__origin(value->type) : value->type;
    void *const data = value->data;
    const unsigned form = value->form;
    const size_t shape[3] = { value->shape[0], value->shape[1], value->shape[2] };
    pytree__frame *f;
    if (c->n_frames != 0) {
        /* Where a path is infinite, it comes again through whatever stands at a power of two of its depth. */
        size_t mark = c->n_frames;
        while ((mark & (mark - 1)) != 0) { mark &= mark - 1; }
        f = &c->frames[mark - 1];
        if (PYTREE__UNLIKELY(f->self == data && pytree__form_in(f) == form && f->type == type && form != PYTREE_FORM_FLAT)) {
            return pytree__problem(c, PYTREE_CYCLE, "expected a tree, got a cycle: this %s is the one %zu levels above it",
                                   type->name, c->n_frames - (mark - 1));
        }
        /* Views that nothing comes back to make room: a chain through last fields takes frames alone. */
        f = &c->frames[c->n_frames - 1];
        if (f->next == f->count && f->form == PYTREE_FORM_STRUCT) { c->n_views = f->views; }
    }
    if (PYTREE__UNLIKELY(c->n_frames == c->max_frames)) {
        pytree__frame *grown =
            (pytree__frame *)pytree__grow(c, c->frames, c->own_frames, &c->max_frames, c->n_frames + 1, sizeof *c->frames);
        if (grown == NULL) { return PYTREE_NO_MEMORY; }
        c->frames = grown;
    }
    f = &c->frames[c->n_frames++];
    f->type = type;
    f->self = data;
    f->data = (char *)data;
    f->next = 0;
    f->views = c->n_views;
    f->form = (uint8_t)form;
    f->from = PYTREE__FROM_VIEWS;
    f->order = NULL;
    f->ordered = f->numbered = f->deep = false;
    switch (form) {
    case PYTREE_FORM_STRUCT: {
        pytree_leaf *views;
        unsigned odd;
        f->count = type->n_children;
        if (PYTREE__UNLIKELY(type->flatten == NULL)) {
            if (type->custom != NULL) { return pytree__open_custom(c, f); }
            return pytree__problem(c, PYTREE_ARGUMENT,
                                   "expected a registered struct, got %s, which was declared and never defined", type->name);
        }
        views = pytree__room(c, f->count);
        if (PYTREE__UNLIKELY(views == NULL)) { return PYTREE_NO_MEMORY; }
        odd = pytree__look(type, data, views);
        c->n_views += f->count;
        if (PYTREE__UNLIKELY((odd & PYTREE__ODD) != 0 || c->making)) {
            pytree_status status = PYTREE_OK;
            size_t i;
            for (i = 0; i < f->count && status == PYTREE_OK; i++) {
                f->next = i + 1;
                status = pytree__settle(c, &c->views[f->views + i]);
            }
            if (status == PYTREE_OK) { f->next = 0; }
            return status;
        }
        if (odd != 0 && c->opt != NULL && c->opt->none_is_leaf) {
            size_t i;
            for (i = 0; i < f->count; i++) {
                if (views[i].form == PYTREE_FORM_NONE) { pytree__none_view(&views[i]); }
            }
        }
        return PYTREE_OK;
    }
    case PYTREE_FORM_LIST:
    case PYTREE_FORM_TUPLE:
        f->from = PYTREE__FROM_ROW;
        f->count = shape[0];
        if (data == NULL && f->count > UINT32_MAX) {
            return pytree__problem(c, PYTREE_BAD_COUNT, "expected at most %lu elements to make, got %zu",
                                   (unsigned long)UINT32_MAX, f->count);
        }
        if (data == NULL && f->count != 0) { f->from = PYTREE__FROM_ZEROS; return pytree__template(c, f->type); }
        return PYTREE_OK;
    case PYTREE_FORM_MAP:
        memcpy(f->shape, shape, sizeof shape);
        f->count = shape[0];
        return pytree__open_pairs(c, f);
    case PYTREE_FORM_FLAT:
        memcpy(f->shape, shape, sizeof shape);
        return pytree__open_flat(c, f, shape);
    default: {
        const pytree_items *items = (const pytree_items *)data;
        f->count = items->count;
        f->name = items->name;
        f->shape[0] = items->maxlen;
        if (pytree__keyed(type)) { return pytree__open_pairs(c, f); }
        f->from = PYTREE__FROM_ITEMS;
        f->data = (char *)(uintptr_t)items->items;
        if (type->kind == PYTREE_KIND_DEQUE && f->count > items->maxlen) {
            f->count = 0;
            return pytree__problem(c, PYTREE_BAD_COUNT, "expected at most %zu items in a deque of that length, got %zu",
                                   items->maxlen, items->count);
        }
        if (f->data == NULL && f->count != 0) {
            f->count = 0;
            return pytree__problem(c, PYTREE_NULL_POINTER, "expected %zu items, got NULL", items->count);
        }
        return PYTREE_OK;
    }
    }
}

/* The top frame's next child becomes the value at hand. There must be one. */
static pytree_status pytree__take(pytree__cursor *c, const pytree_leaf **value)
{
    pytree__frame *f = &c->frames[c->n_frames - 1];
    size_t i = f->next++;
    *value = &c->child;
    switch (f->from) {
    case PYTREE__FROM_VIEWS: *value = &c->views[f->views + i]; return PYTREE_OK;
    case PYTREE__FROM_ROW:
        pytree__view(&c->child, f->type, f->data + i * f->type->size);
        if (f->type->kind == PYTREE_KIND_STRUCT || (f->type->kind == PYTREE_KIND_LEAF && f->type->dtype != PYTREE_STRING)) {
            return PYTREE_OK;
        }
        return pytree__settle(c, &c->child);
    case PYTREE__FROM_ZEROS: pytree__view(&c->child, f->type, pytree__zeros()); return PYTREE_OK;
    case PYTREE__FROM_ITEMS:
        c->child.form = PYTREE_FORM_REF;
        c->child.data = f->data + i * sizeof(pytree);
        return pytree__settle(c, &c->child);
    case PYTREE__FROM_HELD:
        c->child.form = PYTREE_FORM_REF;
        c->child.data = (void *)(uintptr_t)(pytree__held(c, f) + i);
        return pytree__settle(c, &c->child);
    default: {
        char *at = pytree__pair(c, f, i) + f->shape[2];
        if (f->form == PYTREE_FORM_MAP) {
            pytree__view(&c->child, f->type, at);
        } else {
            c->child.form = PYTREE_FORM_REF;
            c->child.data = at;
        }
        return pytree__settle(c, &c->child);
    }
    }
}

static void pytree__close(pytree__cursor *c)
{
    c->n_views = c->frames[--c->n_frames].views;
}

/* The predicate's answer; -1 if there is no memory for the path. */
static int pytree__stops(pytree__cursor *c, const pytree_leaf *value)
{
    pytree_entry few[64], *entries = few;
    pytree_path path;
    path.n = c->n_frames;
    if (path.n > 64) {
        entries = (pytree_entry *)pytree__scratch(c, path.n * sizeof *entries);
        if (entries == NULL) { return -1; }
    }
    pytree__cursor_path(c, entries, path.n);
    path.entries = entries;
    return c->opt->is_leaf(c->opt->is_leaf_context, value, &path);
}

/* What the value at hand is to be taken for. */
enum { PYTREE__A_LEAF, PYTREE__A_NONE, PYTREE__A_NODE, PYTREE__A_FAILURE };
PYTREE__INLINE int pytree__sort(pytree__cursor *c, const pytree_leaf *value)
{
    if (PYTREE__UNLIKELY(c->opt != NULL && c->opt->is_leaf != NULL)) {
        int answer = pytree__stops(c, value);
        if (answer != 0) { return answer < 0 ? PYTREE__A_FAILURE : PYTREE__A_LEAF; }
    }
    if (value->form == PYTREE_FORM_LEAF) { return PYTREE__A_LEAF; }
    if (value->form != PYTREE_FORM_NONE) { return PYTREE__A_NODE; }
    return c->opt != NULL && c->opt->none_is_leaf ? PYTREE__A_LEAF : PYTREE__A_NONE;
}

/* One step of a walk through one tree: the next value, not opened yet, or the end of an open node (its frame is still there).
 */
enum { PYTREE__AT_LEAF, PYTREE__AT_NONE, PYTREE__AT_NODE, PYTREE__AT_END, PYTREE__DONE, PYTREE__FAILED };
static int pytree__step(pytree__cursor *c, bool *begun, const pytree_leaf **value, pytree_status *status)
{
    if (!*begun) {
        *begun = true;
        *value = &c->root;
    } else if (c->n_frames == 0) {
        return PYTREE__DONE;
    } else if (c->frames[c->n_frames - 1].next == c->frames[c->n_frames - 1].count) {
        return PYTREE__AT_END;
    } else {
        *status = pytree__take(c, value);
        if (*status != PYTREE_OK) { return PYTREE__FAILED; }
    }
    {
        int sort;
        if (c->opt != NULL && c->opt->space != NULL) { pytree__respace(c, (pytree_leaf *)(uintptr_t)*value); }
        sort = pytree__sort(c, *value);
        if (PYTREE__UNLIKELY(sort == PYTREE__A_FAILURE)) { *status = PYTREE_NO_MEMORY; return PYTREE__FAILED; }
        return sort;
    }
}

/* ---- Flatten ---------------------------------------------------------------------------------------------------------
 *
 * One pass over a tree that emits leaves, and nodes in post-order with their static values. It is written once and compiled for
 * each of what it may be asked for: leaves alone, to count everything, to write everything.
 */
enum { PYTREE__LEAVES, PYTREE__COUNT_ALL, PYTREE__FILL };
struct pytree__scanner {
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
    pytree__plans plans;
};

static void pytree__node_text(struct pytree__text *to, const pytree_def *def, const pytree_node *node)
{
    if (node->type == NULL) { pytree__put_text(to, "a leaf"); return; }
    if (node->type->kind == PYTREE_KIND_NONE) { pytree__put_text(to, "None"); return; }
    if (node->type->kind == PYTREE_KIND_NAMEDTUPLE && def != NULL) {
        size_t n;
        const char *name = pytree__string_at(def->statics + node->meta, 0, &n);
        pytree__put(to, name, n);
    } else {
        pytree__put_text(to, pytree__origin(node->type)->name);
    }
    if (node->type->kind != PYTREE_KIND_STRUCT) {
        pytree__put_text(to, " of ");
        pytree__put_number(to, node->arity);
    }
}

static bool pytree__same_node(const pytree_node *a, const pytree_node *b)
{
    return a->arity == b->arity
           && (a->type == b->type || (a->type != NULL && b->type != NULL && pytree_type_equal(a->type, b->type)));
}

PYTREE__INLINE void pytree__emit(struct pytree__scanner *s, const int mode, const pytree_node node)
{
    if (mode == PYTREE__FILL && PYTREE__LIKELY(s->n_nodes < s->max_nodes)) { s->nodes[s->n_nodes] = node; }
    s->n_nodes++;
}

PYTREE__INLINE void pytree__emit_leaf(struct pytree__scanner *s, const int mode, const pytree_leaf *value)
{
    const pytree_node node = { NULL, 0, 1, 1, 0 };
    if (s->n_leaves < s->capacity) { pytree__copy_view(&s->leaves[s->n_leaves], value); }
    s->n_leaves++;
    pytree__emit(s, mode, node);
}

PYTREE__INLINE void pytree__emit_none(struct pytree__scanner *s, const int mode)
{
    const pytree_node node = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    pytree__emit(s, mode, node);
}

/* The type that a node is recorded under. */
static const pytree_type *pytree__type_of_form(unsigned form, const pytree_type *type)
{
    switch (form) {
    case PYTREE_FORM_LIST: return &pytree_types[PYTREE__T_list];
    case PYTREE_FORM_TUPLE: return &pytree_types[PYTREE__T_tuple];
    case PYTREE_FORM_MAP: return &pytree_types[PYTREE__T_dict];
    default: return type->origin != NULL ? type->origin : type;
    }
}
static const pytree_type *pytree__node_type(const pytree_leaf *v)
{
    return v->form == PYTREE_FORM_FLAT ? ((const pytree_flat *)v->data)->def->nodes[v->shape[0]].type
                                       : pytree__type_of_form(v->form, v->type);
}

/* What a node is called: a namedtuple by its own name. */
static const char *pytree__view_name(const pytree_leaf *v)
{
    const pytree_type *type = pytree__node_type(v);
    if (type->kind != PYTREE_KIND_NAMEDTUPLE) { return type->name; }
    if (v->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)v->data;
        return pytree__string_at(flat->def->statics + flat->def->nodes[v->shape[0]].meta, 0, NULL);
    }
    return ((const pytree_items *)v->data)->name == NULL ? "namedtuple" : ((const pytree_items *)v->data)->name;
}

static void pytree__pack_key(pytree__statics *to, const pytree_entry *key)
{
    if (key->kind == PYTREE_ATTRIBUTE || key->kind == PYTREE_KEY) {
        pytree__pack_string(to, key->name);
    } else {
        pytree__pack_number(to, (int64_t)key->index);
    }
}

/* Keys of a container, in the order of a walk (NULL: as they lie). */
static void pytree__pack_keys(pytree__statics *to, const pytree_items *items, const uint32_t *order)
{
    size_t i;
    if (items->packed != NULL) {
        pytree__pack_bytes(to, items->packed, items->packed_bytes);
        return;
    }
    for (i = 0; i < items->count; i++) {
        const size_t at = order == NULL ? i : order[i];
        if (items->int_pairs != NULL) {
            pytree__pack_number(to, items->int_pairs[at].key);
        } else {
            pytree__pack_string(to, items->pairs[at].key == NULL ? "" : items->pairs[at].key);
        }
    }
}

/* What an open node has that is packed: a struct's static values, a container's name and keys, a custom node's metadata. */
static void pytree__pack_node(pytree__statics *to, const pytree__cursor *c, const pytree__frame *f)
{
    pytree_entry entry;
    size_t i;
    if (f->form == PYTREE_FORM_STRUCT) {
        pytree__pack_struct(to, f->type, f->self);
    } else if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        pytree__pack_bytes(to, flat->def->statics + flat->def->nodes[f->shape[0]].meta,
                           pytree__statics_size(flat->def, f->shape[0]));
    } else if (f->form == PYTREE_FORM_CUSTOM) {
        const uint32_t size = (uint32_t)f->shape[0];
        const unsigned char keyed = f->type->custom->keyed;
        pytree__pack_bytes(to, &size, sizeof size);
        pytree__pack_bytes(to, pytree__held_metadata(c, f), size);
        pytree__pack_bytes(to, &keyed, 1);
        for (i = 0; keyed != 0 && i < f->count; i++) {
            unsigned char kind;
            pytree__frame_entry(c, f, i, &entry);
            kind = (unsigned char)entry.kind;
            pytree__pack_bytes(to, &kind, 1);
            pytree__pack_key(to, &entry);
        }
    } else if (f->from == PYTREE__FROM_PAIRS) {
        if (f->form == PYTREE_FORM_ITEMS && f->type->kind == PYTREE_KIND_NAMEDTUPLE) {
            pytree__pack_string(to, f->name == NULL ? "namedtuple" : f->name);
        } else if (f->form == PYTREE_FORM_ITEMS && f->type->kind == PYTREE_KIND_DEFAULTDICT) {
            pytree__pack_string(to, f->name);
        }
        if (f->form == PYTREE_FORM_ITEMS && !f->ordered) {
            pytree__pack_keys(to, (const pytree_items *)f->self, f->order);
            return;
        }
        for (i = 0; i < f->count; i++) {
            pytree__frame_entry(c, f, i, &entry);
            pytree__pack_key(to, &entry);
        }
    } else if (f->form == PYTREE_FORM_ITEMS && f->type->kind == PYTREE_KIND_DEQUE) {
        const uint64_t maxlen = f->shape[0] == PYTREE_UNBOUNDED ? UINT64_MAX : f->shape[0];
        pytree__pack_bytes(to, &maxlen, sizeof maxlen);
    }
}

/* The order of a dict's pairs, unless they lie in it. */
static void pytree__note_order(struct pytree__scanner *s, const int mode, const uint32_t *order, size_t n)
{
    size_t i;
    for (i = 0; i < n && order[i] == i; i++) {}
    if (i == n) { return; }
    if (mode == PYTREE__FILL && n < s->max_orders && s->n_orders < s->max_orders - n) {
        memcpy(s->orders + s->n_orders, order, n * sizeof *order);
        s->orders[s->n_orders + n] = (uint32_t)s->n_nodes;
    }
    s->n_orders += n + 1;
}

/* What a node adds to the treedef besides itself: that a namespace could change it, the order of its pairs. */
static void pytree__note_node(struct pytree__scanner *s, const int mode, const pytree__frame *f, const pytree_type *type)
{
    if (type->kind == PYTREE_KIND_STRUCT || type->kind == PYTREE_KIND_CUSTOM) {
        if (f->form == PYTREE_FORM_FLAT) { s->space = ((const pytree_flat *)f->self)->def->space; }
        else if (s->cursor.opt != NULL) { s->space = s->cursor.opt->space; }
    } else if (f->ordered) {
        pytree__note_order(s, mode, (const uint32_t *)(const void *)(s->cursor.views + f->views), f->count);
    } else if (f->order != NULL) {
        pytree__note_order(s, mode, f->order, f->count);
    }
}

/* A struct that has nothing but leaves and None in it and in the structs that lie in it: no frame is needed. False: it must be
 * opened, because something is wrong, or leads elsewhere, or there is no room for its views. */
PYTREE__INLINE bool pytree__scan_closed(struct pytree__scanner *s, const int mode, const pytree_type *type, const void *data)
{
    const bool none_is_leaf = s->cursor.opt != NULL && s->cursor.opt->none_is_leaf;
    const bool direct = mode != PYTREE__COUNT_ALL && s->n_leaves < s->capacity;
    const pytree__plan *plan = NULL;
    size_t n_leaves = 0;
    if (mode != PYTREE__LEAVES || !direct) {
        plan = pytree__plan_for(&s->plans, type, data, none_is_leaf);
        if (plan == NULL) { return false; }
        n_leaves = plan->n_leaves;
    }
    if (mode == PYTREE__FILL
        && PYTREE__UNLIKELY(s->n_nodes > s->max_nodes || plan->n_nodes > s->max_nodes - s->n_nodes
                            || s->statics.length > s->statics.room
                            || plan->n_statics > s->statics.room - s->statics.length)) {
        return false;
    }
    if (direct) {
        pytree_leaf *const views = s->leaves + s->n_leaves;
        const pytree__seen seen = type->flatten(data, views, s->leaves + s->capacity,
                                                none_is_leaf ? PYTREE__DEEP : PYTREE__DEEP | PYTREE__DROP_NONE);
        if (PYTREE__UNLIKELY((seen.odd & (PYTREE__ODD | PYTREE__HAS_NODE)) != 0)) { return false; }
        n_leaves = (size_t)(seen.end - views);
    } else if (mode != PYTREE__COUNT_ALL) {
        if (PYTREE__UNLIKELY((type->flatten(data, NULL, NULL, PYTREE__SOUND).odd & (PYTREE__ODD | PYTREE__HAS_NODE)) != 0)) {
            return false;
        }
    }
    s->n_leaves += n_leaves;
    if (mode == PYTREE__FILL) { pytree__plan_emit(&s->plans, plan, (const char *)data, s->nodes + s->n_nodes, &s->statics); }
    if (mode == PYTREE__COUNT_ALL) { s->statics.length += pytree__plan_bytes(&s->plans, plan, (const char *)data); }
    if (mode != PYTREE__LEAVES) { s->n_nodes += plan->n_nodes; }
    return true;
}

/* An item of a container, unless it must be looked at, or is a node that must be opened: false. */
PYTREE__INLINE bool pytree__scan_item(struct pytree__scanner *s, const int mode, const pytree *item)
{
    const pytree_type *type = item->type;
    pytree_leaf scalar;
    if (PYTREE__UNLIKELY(type == NULL)) { return false; }
    switch (type->kind) {
    case PYTREE_KIND_VIEW: {
        const pytree_leaf *view = (const pytree_leaf *)item->data;
        if (PYTREE__UNLIKELY(view == NULL || view->form != PYTREE_FORM_LEAF || view->type == NULL
                             || view->type->kind != PYTREE_KIND_LEAF || (mode != PYTREE__FILL && !pytree__sound(view)))) {
            return false;
        }
        pytree__emit_leaf(s, mode, view);
        return true;
    }
    case PYTREE_KIND_LEAF:
        if (type->dtype == PYTREE_STRING || item->data == NULL) { return false; }
        if (s->n_leaves < s->capacity) {
            scalar.data = item->data;
            scalar.type = type;
            scalar.ndim = 0;
            scalar.form = PYTREE_FORM_LEAF;
        }
        pytree__emit_leaf(s, mode, &scalar);
        return true;
    case PYTREE_KIND_NONE:
        if (s->cursor.opt != NULL && s->cursor.opt->none_is_leaf) { return false; }
        pytree__emit_none(s, mode);
        return true;
    case PYTREE_KIND_STRUCT:
        type = pytree__origin(type);
        return item->data != NULL && type->closed && pytree__scan_closed(s, mode, type, item->data);
    default: return false;
    }
}

/* Items from number `from` on that need no frame; the number of the first that does. */
PYTREE__INLINE size_t pytree__scan_run(struct pytree__scanner *s, const int mode, const char *items, size_t step,
                                       const uint32_t *order, size_t from, size_t count)
{
    size_t i = from;
    if (order != NULL) {
        for (; i < count && pytree__scan_item(s, mode, (const pytree *)(const void *)(items + order[i] * step)); i++) {}
    } else {
        for (; i < count && pytree__scan_item(s, mode, (const pytree *)(const void *)(items + i * step)); i++) {}
    }
    return i;
}

/* A container whose items need not be sorted to be visited. */
PYTREE__INLINE bool pytree__known_order(const pytree *t)
{
    const pytree_items *items = (const pytree_items *)t->data;
    if (t->type == NULL || items == NULL) { return false; }
    switch (t->type->kind) {
    case PYTREE_KIND_LIST:
    case PYTREE_KIND_TUPLE: return items->items != NULL;
    case PYTREE_KIND_DICT: return pytree__sorted_pairs(items);
    default: return false;
    }
}

/* Such a container: without a frame as long as its items need none, and from the first that does on with one. */
static inline pytree_status pytree__scan_items(struct pytree__scanner *s, const int mode, const pytree *t)
{
    const pytree_items *items = (const pytree_items *)t->data;
    const bool dict = t->type->kind == PYTREE_KIND_DICT, numbered = items->int_pairs != NULL;
    const char *first = !dict || items->count == 0 ? (const char *)items->items
                        : numbered ? (const char *)items->int_pairs + offsetof(pytree_int_pair, value)
                                   : (const char *)items->pairs + offsetof(pytree_pair, value);
    const size_t nodes = s->n_nodes, leaves = s->n_leaves;
    const size_t step = !dict ? sizeof(pytree) : numbered ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
    const size_t done =
        items->count == 0 ? 0 : pytree__scan_run(s, mode, first, step, dict ? items->order : NULL, 0, items->count);
    pytree__frame *f;
    pytree_status status;
    pytree_leaf value;
    pytree_node node;
    if (done == items->count) {
        if (mode == PYTREE__LEAVES) { return PYTREE_OK; }
        node.type = pytree__origin(t->type);
        node.arity = (uint32_t)done;
        node.leaves = (uint32_t)(s->n_leaves - leaves);
        node.nodes = (uint32_t)(s->n_nodes - nodes + 1);
        node.meta = (uint32_t)s->statics.length;
        if (dict) {
            pytree__pack_keys(&s->statics, items, items->order);
            if (items->order != NULL) { pytree__note_order(s, mode, items->order, done); }
        }
        pytree__emit(s, mode, node);
        return PYTREE_OK;
    }
    pytree__view(&value, t->type, t->data);
    status = pytree__open(&s->cursor, &value);
    if (status == PYTREE_OK) {
        f = &s->cursor.frames[s->cursor.n_frames - 1];
        f->next = done;
        f->nodes = (uint32_t)nodes;
        f->leaves = (uint32_t)leaves;
    }
    return status;
}

PYTREE__INLINE pytree_status pytree__scan_as(struct pytree__scanner *s, pytree t, const int mode)
{
    pytree__cursor *c = &s->cursor;
    const pytree_leaf *value;
    const bool quick = pytree__plain_walk(c->opt) && !c->making;
    bool begun = false;
    pytree_status status = pytree__cursor_root(c, t);
    s->n_nodes = s->n_leaves = s->n_orders = 0;
    s->statics.length = 0;
    s->space = NULL;
    while (status == PYTREE_OK) {
        pytree__frame *f;
        if (quick && !begun && pytree__known_order(&t)) {
            begun = true;
            status = pytree__scan_items(s, mode, &t);
            continue;
        }
        if (quick && c->n_frames != 0) {  /* most of a tree: leaves, and structs of them, among a node's children */
            f = &c->frames[c->n_frames - 1];
            if (f->from == PYTREE__FROM_VIEWS) {
                const size_t count = f->count;
                size_t i = f->next;
                for (value = &c->views[f->views + i]; i < count; i++, value++) {
                    if (value->form == PYTREE_FORM_STRUCT) {
                        if (!value->type->closed || !pytree__scan_closed(s, mode, value->type, value->data)) { break; }
                    } else if (value->form == PYTREE_FORM_LEAF) {
                        pytree__emit_leaf(s, mode, value);
                    } else if (value->form == PYTREE_FORM_NONE && (c->opt == NULL || !c->opt->none_is_leaf)) {
                        pytree__emit_none(s, mode);
                    } else {
                        break;
                    }
                }
                f->next = i;
            } else if (f->from == PYTREE__FROM_ROW && f->type->closed) {
                const pytree_type *type = f->type;
                const size_t count = f->count;
                size_t i = f->next;
                for (; i < count && pytree__scan_closed(s, mode, type, f->data + i * type->size); i++) {}
                f->next = i;
            } else if (f->from == PYTREE__FROM_ITEMS || (f->from == PYTREE__FROM_PAIRS && f->form == PYTREE_FORM_ITEMS)) {
                const bool pairs = f->from == PYTREE__FROM_PAIRS;
                const uint32_t *order = f->ordered ? (const uint32_t *)(const void *)(c->views + f->views) : f->order;
                const size_t step = pairs ? f->shape[1] : sizeof(pytree), at = pairs ? f->shape[2] : 0;
                if (f->next < f->count) {
                    f->next = pytree__scan_run(s, mode, f->data + at, step, pairs ? order : NULL, f->next, f->count);
                }
                if (f->next < f->count) {
                    const char *item = f->data + at + (pairs && order != NULL ? order[f->next] : f->next) * step;
                    if (pytree__known_order((const pytree *)(const void *)item)) {
                        f->next++;
                        status = pytree__scan_items(s, mode, (const pytree *)(const void *)item);
                        continue;
                    }
                }
            }
        }
        switch (pytree__step(c, &begun, &value, &status)) {
        case PYTREE__AT_LEAF: pytree__emit_leaf(s, mode, value); break;
        case PYTREE__AT_NONE: pytree__emit_none(s, mode); break;
        case PYTREE__AT_NODE:
            if (quick && c->n_frames == 0 && value->form == PYTREE_FORM_STRUCT && pytree__origin(value->type)->closed
                && pytree__scan_closed(s, mode, pytree__origin(value->type), value->data)) { break; }
            status = pytree__open(c, value);
            if (status == PYTREE_OK) {
                f = &c->frames[c->n_frames - 1];
                f->nodes = (uint32_t)s->n_nodes;
                f->leaves = (uint32_t)s->n_leaves;
            }
            break;
        case PYTREE__AT_END:
            f = &c->frames[c->n_frames - 1];
            if (mode != PYTREE__LEAVES) {
                pytree_node node;
                node.type = pytree__type_of_form(f->form, f->type);
                node.arity = (uint32_t)f->count;
                node.leaves = (uint32_t)(s->n_leaves - f->leaves);
                node.nodes = (uint32_t)(s->n_nodes - f->nodes + 1);
                node.meta = (uint32_t)s->statics.length;
                pytree__pack_node(&s->statics, c, f);
                if (f->form != PYTREE_FORM_STRUCT || !quick) { pytree__note_node(s, mode, f, node.type); }
                pytree__emit(s, mode, node);
            }
            pytree__close(c);
            break;
        case PYTREE__DONE: return PYTREE_OK;
        default: break;
        }
    }
    return status;
}

static pytree_status pytree__scan_leaves(struct pytree__scanner *s, pytree t) { return pytree__scan_as(s, t, PYTREE__LEAVES); }
static pytree_status pytree__scan_count(struct pytree__scanner *s, pytree t)
{
    return pytree__scan_as(s, t, PYTREE__COUNT_ALL);
}
static pytree_status pytree__scan_fill(struct pytree__scanner *s, pytree t) { return pytree__scan_as(s, t, PYTREE__FILL); }

static void pytree__scan_init(struct pytree__scanner *s, pytree_leaf *leaves, size_t capacity, const pytree_options *opt,
                              pytree_error *err)
{
    pytree__cursor_init(&s->cursor, opt, err);
    s->leaves = leaves;
    s->capacity = leaves == NULL ? 0 : capacity;
    s->nodes = NULL;
    s->statics.at = NULL;
    s->statics.room = 0;
    pytree__plans_init(&s->plans);
    s->orders = NULL;
}

pytree_def *pytree__def_block(size_t n_nodes, size_t n_statics, size_t n_orders, const char *space, size_t n_leaves,
                              const pytree_options *opt, pytree_error *err)
{
    const size_t name = space == NULL || *space == '\0' ? 0 : strlen(space) + 1;
    size_t head = pytree__round(sizeof(pytree_def), 16);
    size_t orders = pytree__plus(head, pytree__times(n_nodes, sizeof(pytree_node)));
    size_t names = pytree__plus(orders, pytree__times(n_orders, sizeof(uint32_t))), at = pytree__plus(names, name);
    size_t leaves = pytree__round(pytree__plus(at, n_statics), 16),
           bytes = pytree__plus(leaves, pytree__times(n_leaves, sizeof(pytree_leaf)));
    char *block;
    pytree_def *def;
    if (n_nodes > UINT32_MAX || n_statics > UINT32_MAX) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected at most %lu nodes and bytes of static values, got %zu and %zu",
                    (unsigned long)UINT32_MAX, n_nodes, n_statics);
        return NULL;
    }
    block = bytes == SIZE_MAX ? NULL : (char *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (block == NULL) { pytree__no_memory(err, bytes); return NULL; }
    def = (pytree_def *)(void *)block;
    def->n_nodes = n_nodes;
    def->n_statics = n_statics;
    def->n_orders = n_orders;
    def->n_leaves = 0;
    def->nodes = (const pytree_node *)(const void *)(block + head);
    def->orders = (const uint32_t *)(const void *)(block + orders);
    def->space = NULL;
    if (name != 0) {
        memcpy(block + names, space, name);
        def->space = block + names;
    }
    def->statics = (const unsigned char *)block + at;
    def->none_is_leaf = opt != NULL && opt->none_is_leaf;
    def->allocator = pytree__allocator(opt);
    def->bytes = bytes;
    return def;
}
static pytree_leaf *pytree__def_leaves(const pytree_def *def)      /* those that follow in the same block */
{
    return (
        pytree_leaf *)(void *)((char *)(uintptr_t)def
                               + pytree__round((size_t)((const char *)def->statics - (const char *)def) + def->n_statics, 16));
}

void pytree_def_free(pytree_def *def)
{
    if (def != NULL) { pytree__resize(def->allocator, def, def->bytes, 0); }
}

/* What stands in the block of an owned tree: see "Rebuild anew". */
struct pytree__made;
struct pytree__custom_made;
struct pytree__block {                    /* stands right before the first thing that a pointer leads to */
    uint64_t magic;
    void *base;                           /* as the allocator gave it */
    size_t bytes;
    const void *root;                     /* NULL: the root is the caller's */
    struct pytree__made *made;            /* stb_ds containers to release */
    struct pytree__custom_made *customs;  /* custom nodes to release */
    /* nodes, leaves, static bytes and orders of a tree of lists, tuples and dicts alone, as it was made; 0 nodes: another */
    size_t n_nodes, n_leaves, n_statics, n_orders;
    bool nested;                          /* some lie in the memory of an stb_ds container, which may have moved since */
    const pytree_allocator *allocator;
    pytree_type type;                     /* of an owned root: a copy, so that it is known for one */
};
#define PYTREE__MAGIC UINT64_C(0x7079747265652e68)

/* The block of a tree of lists, tuples and dicts that was made in one piece; NULL: it is none, or the options may see it
 * otherwise. Its counts are those that it was made with. */
static const struct pytree__block *pytree__containers_of(pytree t, const pytree_options *opt)
{
    const struct pytree__block *block;
    if (t.type == NULL || t.type->origin == NULL || t.data == NULL || !pytree__plain_walk(opt)
        || (opt != NULL && opt->none_is_leaf)
        || (t.type->kind != PYTREE_KIND_LIST && t.type->kind != PYTREE_KIND_TUPLE && t.type->kind != PYTREE_KIND_DICT)) {
        return NULL;
    }
    block = (const struct pytree__block *)(const void *)((const char *)t.type - offsetof(struct pytree__block, type));
    return block->n_nodes == 0 ? NULL : block;
}

/* Fills a treedef of the block's counts, and leaves if they are wanted, in one run. False if the tree is not what it was made
 * as, or deeper than this goes: nothing was written beyond the counts, and the long way finds out. */
static bool pytree__fill_containers(const struct pytree__block *block, pytree t, pytree_def *def, pytree_leaf *leaves)
{
    enum { DEPTH = 32 };
    struct pytree__pass {
        const pytree_type *type;
        const pytree_items *items;
        const char *values;
        const uint32_t *order;
        size_t step, next, nodes, leaves;
    } stack[DEPTH], *top = stack;
    pytree_node *nodes = (pytree_node *)(uintptr_t)def->nodes;
    unsigned char *statics = (unsigned char *)(uintptr_t)def->statics;
    uint32_t *orders = (uint32_t *)(uintptr_t)def->orders;
    const pytree_node leaf = { NULL, 0, 1, 1, 0 };
    size_t n = 0, k = 0, n_statics = 0, n_orders = 0;
    const unsigned char *run = statics;   /* keys that lie behind one another are copied at once: from here, so many bytes */
    size_t n_run = 0;
    const pytree *item = &t;
    for (;;) {
        const pytree_items *items = (const pytree_items *)item->data;
        const bool dict = item->type->kind == PYTREE_KIND_DICT;
        if (top == stack + DEPTH || items == NULL || (dict ? items->packed : (const unsigned char *)items->items) == NULL) {
            return false;
        }
        top->type = pytree__origin(item->type);
        top->items = items;
        top->order = dict ? items->order : NULL;
        top->step = !dict ? sizeof(pytree) : items->int_pairs != NULL ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
        top->values = !dict                      ? (const char *)items->items
                      : items->int_pairs != NULL ? (const char *)items->int_pairs + offsetof(pytree_int_pair, value)
                                                 : (const char *)items->pairs + offsetof(pytree_pair, value);
        top->next = 0;
        top->nodes = n;
        top->leaves = k;
        for (;;) {                        /* its children, until one is a container; then its end and the one's below it */
            const char *const values = top->values;
            const uint32_t *const order = top->order;
            const size_t step = top->step, count = top->items->count;
            size_t i;
            for (i = top->next; i < count; i++) {
                if (PYTREE__UNLIKELY(n == block->n_nodes)) { return false; }
                item = (const pytree *)(const void *)(values + (order == NULL ? i : order[i]) * step);
                if (PYTREE__UNLIKELY(item->type == NULL)) { return false; }
                if (item->type->kind == PYTREE_KIND_VIEW) {
                    const pytree_leaf *view = (const pytree_leaf *)item->data;
                    if (PYTREE__UNLIKELY(view == NULL || view->form != PYTREE_FORM_LEAF || view->type == NULL
                                         || view->type->kind != PYTREE_KIND_LEAF || !pytree__sound(view)
                                         || k == block->n_leaves)) {
                        return false;
                    }
                    if (leaves != NULL) { pytree__copy_view(&leaves[k], view); }
                    k++;
                    nodes[n] = leaf;
                } else if (item->type->kind == PYTREE_KIND_LEAF) {
                    if (PYTREE__UNLIKELY(item->data == NULL || item->type->dtype == PYTREE_STRING || k == block->n_leaves)) {
                        return false;
                    }
                    if (leaves != NULL) { pytree__view(&leaves[k], item->type, item->data); }
                    k++;
                    nodes[n] = leaf;
                } else if (item->type->kind == PYTREE_KIND_NONE) {
                    nodes[n] = leaf;
                    nodes[n].type = &pytree_types[PYTREE__T_none];
                    nodes[n].leaves = 0;
                } else {
                    break;
                }
                n++;
            }
            if (i < count) {
                if (item->type->kind != PYTREE_KIND_LIST && item->type->kind != PYTREE_KIND_TUPLE
                    && item->type->kind != PYTREE_KIND_DICT) {
                    return false;
                }
                top->next = i + 1;
                top++;
                break;
            }
            if (n == block->n_nodes) { return false; }
            nodes[n].type = top->type;
            nodes[n].arity = (uint32_t)count;
            nodes[n].leaves = (uint32_t)(k - top->leaves);
            nodes[n].nodes = (uint32_t)(n - top->nodes + 1);
            nodes[n].meta = (uint32_t)n_statics;
            if (top->type->kind == PYTREE_KIND_DICT) {
                const size_t bytes = top->items->packed_bytes;
                if (bytes > block->n_statics - n_statics || (order != NULL && count + 1 > block->n_orders - n_orders)) {
                    return false;
                }
                if (top->items->packed != run + n_run) {
                    if (n_run != 0) { memcpy(statics + n_statics - n_run, run, n_run); }
                    run = top->items->packed;
                    n_run = 0;
                }
                n_run += bytes;
                n_statics += bytes;
                if (order != NULL) {
                    memcpy(orders + n_orders, order, count * sizeof *order);
                    orders[n_orders + count] = (uint32_t)n;
                    n_orders += count + 1;
                }
            }
            n++;
            if (top == stack) {
                if (n_run != 0) { memcpy(statics + n_statics - n_run, run, n_run); }
                return n == block->n_nodes && k == block->n_leaves && n_statics == block->n_statics
                    && n_orders == block->n_orders;
            }
            top--;
        }
    }
}

/* Counts, makes the block, and fills it. */
static pytree_status pytree__flatten(pytree t, bool making, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                     const pytree_options *opt, pytree_error *err)
{
    enum { SPARE = 4 };                   /* views: a last struct whose last children are None fits, too, while it is seen */
    const bool own = leaves != NULL && *leaves == NULL;
    const struct pytree__block *block = making || (leaves != NULL && !own) ? NULL : pytree__containers_of(t, opt);
    struct pytree__scanner s;
    pytree_status status;
    *def = NULL;
    if (block != NULL) {
        *def = pytree__def_block(block->n_nodes, block->n_statics, block->n_orders, NULL, own ? block->n_leaves : 0, opt, err);
        if (*def == NULL) { return PYTREE_NO_MEMORY; }
        (*def)->n_leaves = block->n_leaves;
        if (pytree__fill_containers(block, t, *def, own ? pytree__def_leaves(*def) : NULL)) {
            if (own) { *leaves = pytree__def_leaves(*def); }
            return PYTREE_OK;
        }
        pytree_def_free(*def);
        *def = NULL;
    }
    pytree__scan_init(&s, NULL, 0, opt, err);
    s.cursor.making = making;
    status = pytree__scan_count(&s, t);
    if (status == PYTREE_OK && leaves != NULL && *leaves != NULL && s.n_leaves > capacity) {
        status = pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                             capacity, s.n_leaves);
    }
    if (status == PYTREE_OK) {
        *def = pytree__def_block(s.n_nodes, s.statics.length, s.n_orders, s.space,
                                 own ? pytree__plus(s.n_leaves, SPARE) : 0, opt,
                                 err);
        if (*def == NULL) {
            status = s.n_nodes > UINT32_MAX || s.statics.length > UINT32_MAX ? PYTREE_OVERFLOW : PYTREE_NO_MEMORY;
        } else {
            (*def)->n_leaves = s.n_leaves;
            s.nodes = (pytree_node *)(uintptr_t)(*def)->nodes;
            s.max_nodes = s.n_nodes;
            s.max_orders = s.n_orders;
            s.statics.at = (unsigned char *)(uintptr_t)(*def)->statics;
            s.statics.room = s.statics.length;
            s.orders = (uint32_t *)(uintptr_t)(*def)->orders;
            if (leaves != NULL) {
                s.leaves = own ? pytree__def_leaves(*def) : *leaves;
                s.capacity = own ? s.n_leaves + SPARE : capacity;
            }
            status = pytree__scan_fill(&s, t);
            if (status == PYTREE_OK
                && (s.n_nodes != s.max_nodes || s.n_orders != s.max_orders || s.statics.length != s.statics.room
                    || s.n_leaves != (*def)->n_leaves)) {
                status = pytree__unsteady(err);
            }
            if (status != PYTREE_OK) { pytree_def_free(*def); *def = NULL; }
            else if (own) { *leaves = s.leaves; }
        }
    }
    pytree__cursor_end(&s.cursor);
    return status;
}

pytree_status pytree_flatten(pytree t, pytree_leaf **leaves, size_t capacity, pytree_def **def, const pytree_options *opt,
                             pytree_error *err)
{
    if (leaves == NULL || def == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the leaves and the treedef, got NULL");
    }
    return pytree__flatten(t, false, leaves, capacity, def, opt, err);
}

pytree_def *pytree_structure(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def;
    return pytree__flatten(t, false, NULL, 0, &def, opt, err) == PYTREE_OK ? def : NULL;
}

/* Leaves as far as there is room, and how many there are. */
static pytree_status pytree__count_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count,
                                          const pytree_options *opt, pytree_error *err)
{
    struct pytree__scanner s;
    pytree_status status;
    pytree__scan_init(&s, leaves, capacity, opt, err);
    status = pytree__scan_leaves(&s, t);
    pytree__cursor_end(&s.cursor);
    *count = status == PYTREE_OK ? s.n_leaves : 0;
    return status;
}

pytree_status pytree_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count, const pytree_options *opt,
                            pytree_error *err)
{
    size_t n = 0;
    pytree_status status;
    if (leaves == NULL && capacity != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an array of %zu leaves, got NULL", capacity);
    }
    status = pytree__count_leaves(t, leaves, capacity, &n, opt, err);
    if (count != NULL) { *count = n; }
    if (status == PYTREE_OK && n > capacity) {
        status = pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                             capacity, n);
    }
    return status;
}

size_t pytree_num_leaves(pytree t, const pytree_options *opt, pytree_error *err)
{
    size_t n;
    return pytree__count_leaves(t, NULL, 0, &n, opt, err) == PYTREE_OK ? n : SIZE_MAX;
}

/* ---- Treedefs ------------------------------------------------------------------------------------------------------ */

static void *pytree__no_def(pytree_error *err)
{
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef, got NULL");
    return NULL;
}

pytree_def *pytree_def_copy(const pytree_def *def, const pytree_options *opt, pytree_error *err)
{
    pytree_def *copy;
    if (def == NULL) { return (pytree_def *)pytree__no_def(err); }
    copy = pytree__def_block(def->n_nodes, def->n_statics, def->n_orders, def->space, 0, opt, err);
    if (copy != NULL) {
        memcpy((void *)(uintptr_t)copy->orders, def->orders, def->n_orders * sizeof *def->orders);
        memcpy((void *)(uintptr_t)copy->nodes, def->nodes, def->n_nodes * sizeof *def->nodes);
        memcpy((void *)(uintptr_t)copy->statics, def->statics, def->n_statics);
        copy->n_leaves = def->n_leaves;
        copy->none_is_leaf = def->none_is_leaf;
    }
    return copy;
}

bool pytree_def_equal(const pytree_def *a, const pytree_def *b)
{
    size_t i;
    if (a == b) { return true; }
    if (a->n_nodes != b->n_nodes || a->n_leaves != b->n_leaves || a->n_statics != b->n_statics
        || a->none_is_leaf != b->none_is_leaf || !pytree__same_space(a->space, b->space)
        || memcmp(a->statics, b->statics, a->n_statics) != 0) {
        return false;
    }
    if (memcmp(a->nodes, b->nodes, a->n_nodes * sizeof *a->nodes) == 0) { return true; }
    for (i = 0; i < a->n_nodes; i++) {    /* descriptors of two files */
        const pytree_node *m = &a->nodes[i], *n = &b->nodes[i];
        if (m->leaves != n->leaves || m->nodes != n->nodes || m->meta != n->meta || !pytree__same_node(m, n)) { return false; }
    }
    return true;
}

static uint64_t pytree__mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}
static uint64_t pytree__hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *at = (const unsigned char *)p;
    uint64_t word;
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        h = pytree__mix(h, word);
    }
    word = 0;
    if (n != 0) { memcpy(&word, at, n); }
    return pytree__mix(h, word ^ (uint64_t)n << 56);
}

uint64_t pytree_def_hash(const pytree_def *def)
{
    uint64_t h = pytree__hash_bytes(def->none_is_leaf, def->statics, def->n_statics);
    struct { const pytree_type *type; uint64_t name; } known[16];      /* types whose names are hashed already */
    uint64_t leaves = 0;
    size_t i;
    memset(known, 0, sizeof known);
    for (i = 0; i < def->n_nodes; i++) {
        const pytree_node *node = &def->nodes[i];
        size_t at, probes;
        if (node->type == NULL) { leaves++; continue; }
        at = pytree__type_slot(node->type);
        for (probes = 0; known[at].type != node->type && known[at].type != NULL && probes < 16; probes++) {
            at = (at + 1) % 16;
        }
        if (known[at].type != node->type) {                    /* by name: files have descriptors of their own */
            const char *s = pytree__origin(node->type)->name;
            known[at].type = node->type;
            known[at].name = pytree__hash_bytes(node->type->kind, s, strlen(s));
        }
        h = pytree__mix(h, known[at].name + (leaves << 32) + node->arity);
        leaves = 0;
    }
    return pytree__mix(h, leaves);
}

static size_t pytree__child_at(const pytree_def *def, size_t node, size_t i)
{
    size_t at = node - 1, k = def->nodes[node].arity;
    while (--k > i) { at -= def->nodes[at].nodes; }
    return at;
}

/* Child number i, negative from the end; false and an error if there is none. */
static bool pytree__index(const pytree_def *def, ptrdiff_t *i, pytree_error *err)
{
    ptrdiff_t n, at;
    if (def == NULL) { return pytree__no_def(err) != NULL; }
    n = (ptrdiff_t)pytree_def_num_children(def);
    at = *i < 0 ? *i + n : *i;
    if (at < 0 || at >= n) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the number of one of %lld children, got %lld", (long long)n,
                    (long long)*i);
        return false;
    }
    *i = at;
    return true;
}

static bool pytree__has_meta(const pytree_node *node) { return node->type != NULL && node->type->kind != PYTREE_KIND_NONE; }

/* A node that a namespace could change. */
static bool pytree__spaced(const pytree_node *node)
{
    return node->type != NULL && (node->type->kind == PYTREE_KIND_STRUCT || node->type->kind == PYTREE_KIND_CUSTOM);
}

/* The orders of the nodes from `first` to `last`; *n of them. */
static const uint32_t *pytree__orders_of(const pytree_def *def, size_t first, size_t last, size_t *n)
{
    size_t end = def->n_orders, begin;
    while (end != 0 && def->orders[end - 1] > last) { end -= 1 + def->nodes[def->orders[end - 1]].arity; }
    begin = end;
    while (begin != 0 && def->orders[begin - 1] >= first) { begin -= 1 + def->nodes[def->orders[begin - 1]].arity; }
    *n = end - begin;
    return def->orders + begin;
}

/* Orders of nodes that now have other numbers: the node `base` is the first of `nodes`. */
static void pytree__move_orders(uint32_t *to, const pytree_node *nodes, const uint32_t *orders, size_t n, uint32_t base)
{
    memcpy(to, orders, n * sizeof *to);
    while (n != 0) {
        to[n - 1] -= base;
        n -= 1 + nodes[to[n - 1]].arity;
    }
}

pytree_def *pytree_def_child(const pytree_def *def, ptrdiff_t i, const pytree_options *opt, pytree_error *err)
{
    pytree_def *child;
    const uint32_t *orders;
    size_t at, first, from, to, k, n_orders;
    if (!pytree__index(def, &i, err)) { return NULL; }
    at = pytree__child_at(def, def->n_nodes - 1, (size_t)i);
    first = at + 1 - def->nodes[at].nodes;
    for (k = first; k < at && !pytree__has_meta(&def->nodes[k]); k++) {}
    from = pytree__has_meta(&def->nodes[k]) ? def->nodes[k].meta : 0;     /* of the first node that has statics */
    to = pytree__has_meta(&def->nodes[at]) ? def->nodes[at].meta + pytree__statics_size(def, at) : from;
    orders = pytree__orders_of(def, first, at, &n_orders);
    for (k = first; k <= at && !pytree__spaced(&def->nodes[k]); k++) {}
    child = pytree__def_block(at + 1 - first, to - from, n_orders, k <= at ? def->space : NULL, 0, opt, err);
    if (child != NULL) {
        pytree_node *nodes = (pytree_node *)(uintptr_t)child->nodes;
        memcpy(nodes, def->nodes + first, child->n_nodes * sizeof *nodes);
        pytree__move_orders((uint32_t *)(uintptr_t)child->orders, nodes, orders, n_orders, (uint32_t)first);
        for (k = 0; k < child->n_nodes; k++) {
            if (pytree__has_meta(&nodes[k])) { nodes[k].meta -= (uint32_t)from; }
        }
        memcpy((void *)(uintptr_t)child->statics, def->statics + from, to - from);
        child->n_leaves = def->nodes[at].leaves;
        child->none_is_leaf = def->none_is_leaf;
    }
    return child;
}

/* The entry of child i, whose key stands at `at`, and where the next one does. */
static const unsigned char *pytree__next_key(const pytree_node *node, const unsigned char *at, size_t i, pytree_entry *entry)
{
    entry->kind = PYTREE_FLAT_INDEX;
    entry->name = NULL;
    entry->index = i;
    if (node->type->kind == PYTREE_KIND_CUSTOM) {
        pytree_entry_kind kind;
        if (at == NULL) { return NULL; }
        kind = (pytree_entry_kind)*at;
        at = pytree__key_at(at + 1, entry, NULL);
        entry->kind = kind;
    } else {
        at = pytree__key_at(at, entry, NULL);
        if (node->type->kind == PYTREE_KIND_NAMEDTUPLE) { entry->kind = PYTREE_ATTRIBUTE; }
    }
    return at;
}
/* Where pytree__next_key begins; NULL: a custom node without keys. */
static const unsigned char *pytree__first_key(const pytree_def *def, size_t at)
{
    const unsigned char *keys = pytree__keys_of(def, at);
    if (def->nodes[at].type->kind == PYTREE_KIND_CUSTOM) { return *keys == 0 ? NULL : keys + 1; }
    return keys;
}

void pytree__def_entry_at(const pytree_def *def, size_t at, size_t i, pytree_entry *entry)
{
    const pytree_node *node = &def->nodes[at];
    entry->kind = PYTREE_INDEX;
    entry->name = NULL;
    entry->index = i;
    switch (node->type->kind) {
    case PYTREE_KIND_STRUCT: {
        const pytree_field *row = pytree__origin(node->type)->fields;
        size_t left = i;
        for (; row->row != PYTREE_ROW_DATA || left-- != 0; row++) {}
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = row->name;
        break;
    }
    case PYTREE_KIND_DICT:
    case PYTREE_KIND_ODICT:
    case PYTREE_KIND_NAMEDTUPLE:
    case PYTREE_KIND_DEFAULTDICT:
    case PYTREE_KIND_CUSTOM: {
        const unsigned char *key = pytree__first_key(def, at);
        size_t k;
        for (k = 0; k < i && key != NULL; k++) { key = pytree__skip_keys(key + (node->type->kind == PYTREE_KIND_CUSTOM), 1); }
        pytree__next_key(node, key, i, entry);
        break;
    }
    default: break;
    }
}

pytree_status pytree_def_entry(const pytree_def *def, ptrdiff_t i, pytree_entry *entry, pytree_error *err)
{
    if (!pytree__index(def, &i, err)) { return PYTREE_ARGUMENT; }
    pytree__def_entry_at(def, def->n_nodes - 1, (size_t)i, entry);
    return PYTREE_OK;
}

pytree_kind pytree_def_kind(const pytree_def *def)
{
    const pytree_type *type = def->nodes[def->n_nodes - 1].type;
    return type == NULL ? PYTREE_KIND_LEAF : type->kind;
}

const char *pytree_def_type_name(const pytree_def *def)
{
    const pytree_node *root = &def->nodes[def->n_nodes - 1];
    if (root->type == NULL) { return "*"; }
    if (root->type->kind == PYTREE_KIND_NAMEDTUPLE) { return pytree__string_at(def->statics + root->meta, 0, NULL); }
    return pytree__origin(root->type)->name;
}

bool pytree_def_is_leaf(const pytree_def *def) { return def->n_nodes == 1 && def->nodes[0].type == NULL; }

/* ---- The text of a treedef -------------------------------------------------------------------------------------------
 *
 * Nodes are in post-order, so from the last to the first they come as the text reads from right to left: it is written
 * backwards into a buffer whose length was counted first.
 */
static const char *pytree__closing(const pytree_node *node)
{
    switch (node->type->kind) {
    case PYTREE_KIND_NONE: return "";
    case PYTREE_KIND_LIST: return "]";
    case PYTREE_KIND_TUPLE: return node->arity == 1 ? ",)" : ")";
    case PYTREE_KIND_DICT: return "}";
    default: return "])";
    }
}

static void pytree__put_keys(struct pytree__text *to, const pytree_def *def, size_t at)
{
    const unsigned char *key = pytree__keys_of(def, at);
    size_t i, n = 0;
    pytree_entry entry;
    pytree__put(to, "(", 1);
    for (i = 0; i < def->nodes[at].arity; i++) {
        if (i != 0) { pytree__put(to, ", ", 2); }
        key = pytree__key_at(key, &entry, &n);
        pytree__put_key(to, &entry, n);
    }
    pytree__put_text(to, i == 1 ? ",)" : ")");
}

/* A default dict's factory: a class by its name, anything else as it is. */
static void pytree__put_factory(struct pytree__text *to, const pytree_def *def, size_t at)
{
    size_t n;
    const char *name = pytree__string_at(def->statics + def->nodes[at].meta, 0, &n);
    if (name == NULL) { pytree__put(to, "None", 4); return; }
    pytree__put_text(to, name[0] == '<' ? "" : "<class '");
    pytree__put(to, name, n);
    pytree__put_text(to, name[0] == '<' ? "" : "'>");
}

/* A custom node's metadata as its type prints it; bytes as Python writes them where it does not. */
static void pytree__put_metadata(struct pytree__text *to, const pytree_def *def, size_t at)
{
    const unsigned char *p = def->statics + def->nodes[at].meta;
    const pytree_custom *custom = pytree__origin(def->nodes[at].type)->custom;
    size_t bytes = pytree__u32(p), i;
    p += sizeof(uint32_t);
    if (custom->metadata == NULL) { pytree__put(to, "None", 4); return; }
    if (custom->print != NULL) {
        char few[1];                      /* its NUL stands where "]" comes next, or is cut off with the rest */
        const bool room = to->at != NULL && to->length < to->room;
        to->length += custom->print(p, bytes, room ? to->at + to->length : few, room ? to->room - to->length : sizeof few);
        return;
    }
    pytree__put(to, "b'", 2);
    for (i = 0; i < bytes; i++) {
        static const char digits[] = "0123456789abcdef";
        char escape[4] = { '\\', 'x', 0, 0 };
        escape[2] = digits[p[i] >> 4];
        escape[3] = digits[p[i] & 15];
        pytree__put(to, escape, 4);
    }
    pytree__put(to, "'", 1);
}

/* What stands behind the last child: deque([*, *], maxlen=3), deque(). */
static void pytree__put_close(struct pytree__text *to, const pytree_def *def, size_t at)
{
    const pytree_node *node = &def->nodes[at];
    if (node->type->kind == PYTREE_KIND_DEQUE) {
        const size_t maxlen = pytree__maxlen(def->statics + node->meta);
        if (node->arity != 0) { pytree__put(to, "]", 1); }
        if (maxlen != PYTREE_UNBOUNDED) {
            pytree__put_text(to, node->arity != 0 ? ", maxlen=" : "maxlen=");
            pytree__put_number(to, maxlen);
        }
        pytree__put(to, ")", 1);
    } else {
        pytree__put_text(to, pytree__closing(node));
    }
}

static void pytree__put_open(struct pytree__text *to, const pytree_def *def, size_t at)
{
    const pytree_node *node = &def->nodes[at];
    size_t n;
    const char *s;
    switch (node->type->kind) {
    case PYTREE_KIND_NONE: pytree__put(to, "None", 4); break;
    case PYTREE_KIND_LIST: pytree__put(to, "[", 1); break;
    case PYTREE_KIND_TUPLE: pytree__put(to, "(", 1); break;
    case PYTREE_KIND_DICT: pytree__put(to, "{", 1); break;
    case PYTREE_KIND_STRUCT:
        pytree__put(to, "CustomNode(", 11);
        pytree__put_text(to, pytree__origin(node->type)->name);
        pytree__put(to, "[", 1);
        pytree__put_statics(to, def, at);
        pytree__put(to, "], [", 4);
        break;
    case PYTREE_KIND_ODICT:
        pytree__put_text(to, "CustomNode(OrderedDict[");
        pytree__put_keys(to, def, at);
        pytree__put(to, "], [", 4);
        break;
    case PYTREE_KIND_DEFAULTDICT:
        pytree__put_text(to, "CustomNode(defaultdict[(");
        pytree__put_factory(to, def, at);
        pytree__put(to, ", ", 2);
        pytree__put_keys(to, def, at);
        pytree__put(to, ")], [", 5);
        break;
    case PYTREE_KIND_DEQUE: pytree__put(to, "deque([", node->arity == 0 ? 6 : 7); break;
    case PYTREE_KIND_CUSTOM:
        pytree__put(to, "CustomNode(", 11);
        pytree__put_text(to, pytree__origin(node->type)->name);
        pytree__put(to, "[", 1);
        pytree__put_metadata(to, def, at);
        pytree__put(to, "], [", 4);
        break;
    default:
        pytree__put_text(to, "CustomNode(namedtuple[");
        s = pytree__string_at(def->statics + node->meta, 0, &n);
        pytree__put(to, s, n);
        pytree__put(to, "], [", 4);
    }
}

/* Text is put at the end of what is still free: `left` bytes, of which the buffer has `room`. If they do not suffice, `full` is
 * set. */
struct pytree__backwards { char *text; size_t room, left; bool full; };
static bool pytree__back(struct pytree__backwards *b, size_t n)
{
    if (PYTREE__UNLIKELY(n > b->left)) { b->full = true; b->left = 0; return false; }
    b->left -= n;
    return true;
}
PYTREE__INLINE void pytree__put_before(struct pytree__backwards *b, const char *s, size_t n)
{
    if (pytree__back(b, n) && b->left < b->room) {
        if (PYTREE__LIKELY(n <= b->room - b->left)) {
            memcpy(b->text + b->left, s, n);
        } else {
            memcpy(b->text + b->left, s, b->room - b->left);
        }
    }
}
static struct pytree__text pytree__window(const struct pytree__backwards *b)
{
    struct pytree__text to = { NULL, 0, 0, NULL };
    if (b->left < b->room) { to.at = b->text + b->left; to.room = b->room - b->left; }
    return to;
}

/* The usual struct, whose static fields are a few ints: backwards too, digit by digit. False: it is another, or room is scarce.
 */
static bool pytree__open_plainly(struct pytree__backwards *b, const pytree_def *def, const pytree_node *node)
{
    const pytree_type *type = pytree__origin(node->type);
    const unsigned char *packed = def->statics + node->meta;
    size_t length = strlen(type->name), ints = 0, i;
    char *to;
    if (type->n_fields > 32 || length > 128 || b->left > b->room || b->left < 32 + 128 + 32 * 13) { return false; }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (row->size != 4 || row->ndim != 0 || row->form != PYTREE__PACK_BYTES || row->type->dtype != PYTREE_I32) {
            return false;
        }
        ints++;
    }
    to = b->text + b->left - 5;
    memcpy(to, ")], [", 5);
    if (ints == 1) { *--to = ','; }
    for (i = ints; i-- != 0;) {
        int32_t v;
        uint32_t digits;
        memcpy(&v, packed + 4 * i, sizeof v);
        digits = v < 0 ? 0 - (uint32_t)v : (uint32_t)v;
        do { *--to = (char)('0' + digits % 10); digits /= 10; } while (digits != 0);
        if (v < 0) { *--to = '-'; }
        if (i != 0) { to -= 2; memcpy(to, ", ", 2); }
    }
    to -= 2;
    memcpy(to, "[(", 2);
    to -= length;
    memcpy(to, type->name, length);
    to -= 11;
    memcpy(to, "CustomNode(", 11);
    b->left = (size_t)(to - b->text);
    return true;
}

static void pytree__open_before(struct pytree__backwards *b, const pytree_def *def, size_t at)
{
    struct pytree__text count = { NULL, 0, 0, NULL }, to;
    const pytree_node *node = &def->nodes[at];
    if (node->type->kind == PYTREE_KIND_LIST || node->type->kind == PYTREE_KIND_TUPLE || node->type->kind == PYTREE_KIND_DICT) {
        pytree__put_before(b,
                           node->type->kind == PYTREE_KIND_LIST    ? "["
                           : node->type->kind == PYTREE_KIND_TUPLE ? "("
                                                                   : "{",
                           1);
        return;
    }
    if (node->type->kind == PYTREE_KIND_NONE) { pytree__put_before(b, "None", 4); return; }
    if (node->type->kind == PYTREE_KIND_STRUCT && pytree__open_plainly(b, def, node)) { return; }
    if (b->left <= b->room) {             /* at its place in one go: into a small buffer first, whose length then is known */
        char few[256];
        to = pytree__text_to(few, sizeof few, NULL);
        pytree__put_open(&to, def, at);
        if (to.length < sizeof few) { pytree__put_before(b, few, to.length); return; }
    }
    pytree__put_open(&count, def, at);
    if (!pytree__back(b, count.length)) { return; }
    to = pytree__window(b);
    pytree__put_open(&to, def, at);
}
static void pytree__key_before(struct pytree__backwards *b, const pytree_def *def, size_t node, size_t i)
{
    struct pytree__text count = { NULL, 0, 0, NULL }, to;
    size_t n = 0;
    pytree_entry key;
    pytree__key_at(pytree__skip_keys(pytree__keys_of(def, node), i), &key, &n);
    pytree__put_key(&count, &key, n);
    pytree__put_before(b, ": ", 2);
    if (!pytree__back(b, count.length)) { return; }
    to = pytree__window(b);
    pytree__put_key(&to, &key, n);
}
static void pytree__close_before(struct pytree__backwards *b, const pytree_def *def, size_t at)
{
    char few[48];
    struct pytree__text to = pytree__text_to(few, sizeof few, NULL);
    pytree__put_close(&to, def, at);
    pytree__put_before(b, few, to.length);
}

/* What follows the structure: ", NoneIsLeaf, namespace='train')". */
static void pytree__put_tail(struct pytree__text *to, const pytree_def *def)
{
    if (def->none_is_leaf) { pytree__put_text(to, ", NoneIsLeaf"); }
    if (def->space != NULL) {
        pytree__put_text(to, ", namespace=");
        pytree__put_repr(to, def->space, strlen(def->space));
    }
    pytree__put(to, ")", 1);
}

static size_t pytree__def_length(const pytree_def *def)
{
    struct pytree__text to = { NULL, 0, 0, NULL };
    size_t i, k;
    pytree__put_text(&to, "PyTreeDef(");
    pytree__put_tail(&to, def);
    for (i = 0; i < def->n_nodes; i++) {
        const pytree_node *node = &def->nodes[i];
        if (node->type == NULL) { to.length++; continue; }
        pytree__put_open(&to, def, i);
        pytree__put_close(&to, def, i);
        to.length += node->arity > 1 ? 2 * ((size_t)node->arity - 1) : 0;
        if (node->type->kind == PYTREE_KIND_DICT) {
            const unsigned char *at = pytree__keys_of(def, i);
            for (k = 0; k < node->arity; k++) {
                size_t n = 0;
                pytree_entry key;
                at = pytree__key_at(at, &key, &n);
                pytree__put_key(&to, &key, n);
                to.length += 2;
            }
        }
    }
    return to.length;
}

/* Into the last of b->left bytes. False if memory for the open nodes runs out. */
static bool pytree__text_backwards(const pytree_def *def, struct pytree__backwards *to)
{
    struct pytree__open_list { size_t node, left; } few[64], *open = few;
    size_t depth = 0, most = 64, i = def->n_nodes;
    struct pytree__backwards b = *to;
    if (def->space != NULL) {
        struct pytree__text count = { NULL, 0, 0, NULL }, tail;
        pytree__put_tail(&count, def);
        if (pytree__back(&b, count.length)) {
            tail = pytree__window(&b);
            pytree__put_tail(&tail, def);
        }
    } else {
        pytree__put_before(&b, def->none_is_leaf ? ", NoneIsLeaf)" : ")", def->none_is_leaf ? 13 : 1);
    }
    while (i-- != 0) {
        const pytree_node *node = &def->nodes[i];
        if (depth != 0 && open[depth - 1].left != def->nodes[open[depth - 1].node].arity) { pytree__put_before(&b, ", ", 2); }
        if (node->type == NULL) {
            pytree__put_before(&b, "*", 1);
        } else {
            if (node->type->kind == PYTREE_KIND_STRUCT) {
                pytree__put_before(&b, "])", 2);
            } else {
                pytree__close_before(&b, def, i);
            }
            if (node->arity != 0) {
                if (depth == most) {
                    struct pytree__open_list *grown = (struct pytree__open_list *)pytree__resize(
                        def->allocator, open == few ? NULL : open, open == few ? 0 : most * sizeof *open,
                        most > SIZE_MAX / 4 / sizeof *open ? SIZE_MAX : 2 * most * sizeof *open);
                    if (grown == NULL) {
                        if (open != few) { pytree__resize(def->allocator, open, most * sizeof *open, 0); }
                        return false;
                    }
                    if (open == few) { memcpy(grown, few, sizeof few); }
                    open = grown;
                    most *= 2;
                }
                open[depth].node = i;
                open[depth++].left = node->arity;
                continue;
            }
            pytree__open_before(&b, def, i);
        }
        while (depth != 0) {              /* a child is complete, perhaps its parent with it */
            const pytree_node *parent = &def->nodes[open[depth - 1].node];
            if (parent->type->kind == PYTREE_KIND_DICT) {
                pytree__key_before(&b, def, open[depth - 1].node, open[depth - 1].left - 1);
            }
            if (--open[depth - 1].left != 0) { break; }
            pytree__open_before(&b, def, open[--depth].node);
        }
    }
    pytree__put_before(&b, "PyTreeDef(", 10);
    if (open != few) { pytree__resize(def->allocator, open, most * sizeof *open, 0); }
    *to = b;
    return true;
}

size_t pytree_def_text(const pytree_def *def, char *text, size_t n)
{
    struct pytree__backwards b;
    size_t length;
    bool made;
    if (n == 0) { return pytree__def_length(def); }
    b.text = text;
    b.room = b.left = n - 1;
    b.full = false;
    made = pytree__text_backwards(def, &b);
    if (made && !b.full) {                /* it fits: it stands at the buffer's end now */
        length = n - 1 - b.left;
        memmove(text, text + b.left, length);
    } else if (made) {
        length = b.left = pytree__def_length(def);
        b.full = false;
        made = pytree__text_backwards(def, &b);
    }
    if (!made) { text[0] = '\0'; return SIZE_MAX; }
    text[length < n ? length : n - 1] = '\0';
    return length;
}

pytree_status pytree_def_print(FILE *file, const pytree_def *def, pytree_error *err)
{
    size_t n;
    char few[512], *text;
    pytree_status status = PYTREE_OK;
    if (def == NULL || file == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file and a treedef, got NULL");
    }
    n = pytree__def_length(def) + 1;
    text = n <= sizeof few ? few : (char *)pytree__resize(def->allocator, NULL, 0, n);
    if (text == NULL) { return pytree__no_memory(err, n); }
    if (pytree_def_text(def, text, n) == SIZE_MAX) { status = pytree__no_memory(err, def->n_nodes);
    } else if (fwrite(text, 1, n - 1, file) != n - 1 || fputc('\n', file) == EOF) {
        status = pytree_fail(err, PYTREE_IO, NULL, "expected %zu bytes to be written, got fewer", n - 1);
    }
    if (text != few) { pytree__resize(def->allocator, text, n, 0); }
    return status;
}

/* ---- Rebuild in place ----------------------------------------------------------------------------------------------- */

static void pytree__leaf_text(char *text, size_t n, const pytree_leaf *leaf)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    int i;
    if (leaf->form == PYTREE_FORM_NONE) { pytree__put_text(&to, "None"); }
    else { pytree__put_text(&to, pytree_dtype_name(leaf->type)); }
    if (leaf->ndim > 0 && leaf->form == PYTREE_FORM_LEAF) {
        pytree__put(&to, "[", 1);
        for (i = 0; i < leaf->ndim; i++) {
            if (i != 0) { pytree__put(&to, ",", 1); }
            pytree__put_number(&to, leaf->shape[i]);
        }
        pytree__put(&to, "]", 1);
    }
    pytree__end_text(&to, n);
}

/* OK, TYPE or SHAPE. */
PYTREE__INLINE pytree_status pytree__fits(const pytree_leaf *wanted, const pytree_leaf *got)
{
    int i;
    if (wanted->form == PYTREE_FORM_NONE && got->form == PYTREE_FORM_NONE) { return PYTREE_OK; }
    if (wanted->form != got->form || (wanted->type != got->type && !pytree_type_equal(wanted->type, got->type))) {
        return PYTREE_TYPE;
    }
    if (wanted->ndim != got->ndim) { return PYTREE_SHAPE; }
    for (i = 0; i < wanted->ndim; i++) {
        if (wanted->shape[i] != got->shape[i]) { return PYTREE_SHAPE; }
    }
    return PYTREE_OK;
}

/* pytree__fits for each, the usual answer first; what is given, which may be anything, has data. */
PYTREE__INLINE bool pytree__fit(const pytree_leaf *wanted, const pytree_leaf *const end, const pytree_leaf *given)
{
    for (; wanted != end; wanted++, given++) {
        const size_t n = (size_t)wanted->ndim;
        size_t differ = 0, i;
        if (PYTREE__UNLIKELY(wanted->type != given->type || given->data == NULL
                             || memcmp(&wanted->ndim, &given->ndim, sizeof given->ndim + sizeof given->form) != 0)) {
            if (given->data == NULL || given->type == NULL || pytree__fits(wanted, given) != PYTREE_OK) { return false; }
            continue;
        }
        if (n != 0) {
            differ = wanted->shape[0] ^ given->shape[0];
            for (i = 1; i < n; i++) { differ |= wanted->shape[i] ^ given->shape[i]; }
        }
        if (PYTREE__UNLIKELY(differ != 0)) { return false; }
    }
    return true;
}

static pytree_status pytree__misfit(pytree__cursor *c, pytree_status status, const pytree_leaf *wanted, const pytree_leaf *got)
{
    char a[160], b[160];
    pytree__leaf_text(a, sizeof a, wanted);
    pytree__leaf_text(b, sizeof b, got);
    return pytree__problem(c, status, "expected %s, got %s", a, b);
}

static pytree_status pytree__leaf_counts(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree_error *err)
{
    if (def == NULL || (leaves == NULL && n != 0)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef and leaves, got NULL");
    }
    if (n == def->n_leaves) { return PYTREE_OK; }
    return pytree_fail(err, n < def->n_leaves ? PYTREE_TOO_FEW_LEAVES : PYTREE_TOO_MANY_LEAVES, NULL,
                       "expected %zu leaves, got %zu", def->n_leaves, n);
}

/* Are the leaves that somebody gave leaves? Asked before the first that pytree__fit has not compared. */
static pytree_status pytree__given_leaves(size_t n, const pytree_leaf *leaves, pytree_error *err)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (leaves[i].form == PYTREE_FORM_NONE) { continue; }
        if (leaves[i].type == NULL || (unsigned)leaves[i].ndim > PYTREE_MAX_DIMS) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a type and 0 to %d dimensions for leaf %zu, got %s and %d",
                               PYTREE_MAX_DIMS, i, leaves[i].type == NULL ? "no type" : leaves[i].type->name, leaves[i].ndim);
        }
    }
    return PYTREE_OK;
}

/* Is the node at the end of which the walk stands the treedef's node j? */
static pytree_status pytree__match_node(pytree__cursor *c, const pytree_def *def, size_t j, const pytree_type *type,
                                        size_t arity, bool same)
{
    pytree_node mine;
    char expected[200], got[200];
    struct pytree__text to = pytree__text_to(expected, sizeof expected, NULL);
    mine.type = type;
    mine.arity = (uint32_t)arity;
    mine.meta = 0;
    if (j < def->n_nodes && pytree__same_node(&mine, &def->nodes[j]) && same) { return PYTREE_OK; }
    if (j < def->n_nodes) { pytree__node_text(&to, def, &def->nodes[j]); } else { pytree__put_text(&to, "the end"); }
    pytree__end_text(&to, sizeof expected);
    to = pytree__text_to(got, sizeof got, NULL);
    pytree__node_text(&to, NULL, &mine);
    pytree__end_text(&to, sizeof got);
    return pytree__problem(c, PYTREE_STRUCTURE, "expected %s, got %s%s", expected, got,
                           same ? "" : " with other static values or keys");
}

static bool pytree__same_entry(const pytree_entry *a, const pytree_entry *b)
{
    if (a->kind != b->kind) { return false; }
    return a->kind == PYTREE_ATTRIBUTE || a->kind == PYTREE_KEY ? strcmp(a->name, b->name) == 0 : a->index == b->index;
}

/* An open node's static values or keys, beside those of the treedef's node j of the same type. */
static bool pytree__same_meta(const pytree__cursor *c, const pytree__frame *f, const pytree_def *def, size_t j)
{
    const unsigned char *at = def->statics + def->nodes[j].meta, *keys = NULL;
    size_t i, n;
    if (f->form == PYTREE_FORM_STRUCT) { return pytree__match_packed(f->type, (const char *)f->self, at) != NULL; }
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        n = pytree__statics_size(flat->def, f->shape[0]);
        return n == pytree__statics_size(def, j) && memcmp(flat->def->statics + flat->def->nodes[f->shape[0]].meta, at, n) == 0;
    }
    if (f->form == PYTREE_FORM_CUSTOM) {
        if (pytree__u32(at) != f->shape[0] || memcmp(at + sizeof(uint32_t), pytree__held_metadata(c, f), f->shape[0]) != 0) {
            return false;
        }
    } else if (def->nodes[j].type->kind == PYTREE_KIND_DEQUE) {
        if (pytree__maxlen(at) != f->shape[0]) { return false; }
    } else if (def->nodes[j].type->kind == PYTREE_KIND_NAMEDTUPLE || def->nodes[j].type->kind == PYTREE_KIND_DEFAULTDICT) {
        const char *name = f->name == NULL && def->nodes[j].type->kind == PYTREE_KIND_NAMEDTUPLE ? "namedtuple" : f->name;
        if (!pytree__same_space(name, pytree__string_at(at, 0, NULL))) { return false; }
    }
    if (f->from == PYTREE__FROM_PAIRS || f->form == PYTREE_FORM_CUSTOM) { keys = pytree__first_key(def, j); }
    for (i = 0; (f->from == PYTREE__FROM_PAIRS || f->form == PYTREE_FORM_CUSTOM) && i < f->count; i++) {
        pytree_entry mine, theirs;
        pytree__frame_entry(c, f, i, &mine);
        keys = pytree__next_key(&def->nodes[j], keys, i, &theirs);
        if (!pytree__same_entry(&mine, &theirs)) { return false; }
    }
    return true;
}

/* A leaf of dst: does the one given fit? Then, in the second run, it is put there. */
static pytree_status pytree__into_leaf(pytree__cursor *c, const pytree_leaf *value, const pytree_leaf *leaf, size_t k, bool put)
{
    if (!put) {
        pytree_status status = pytree__fits(value, leaf);
        if (status != PYTREE_OK) { return pytree__misfit(c, status, value, leaf); }
        if (leaf->data == NULL && leaf->form == PYTREE_FORM_LEAF && pytree_leaf_count(leaf) != 0) {
            return pytree__problem(c, PYTREE_NULL_POINTER, "expected data for leaf %zu, got NULL", k);
        }
    } else {
        const char *self;
        const pytree_field *row = pytree__row_at(c, &self);
        if (row != NULL && row->form == PYTREE_FORM_LEAF) {
            pytree__put_back(row, (void *)(uintptr_t)self, leaf, 0);
        } else if (row != NULL && row->form == PYTREE_FORM_VIEW) {
            ((pytree_leaf *)(void *)((char *)(uintptr_t)self + row->offset))->data = leaf->data;
        } else if (value->form == PYTREE_FORM_LEAF && leaf->data != value->data) {
            if (pytree_leaf_bytes(value) != 0) { memmove(value->data, leaf->data, pytree_leaf_bytes(value)); }
        }
    }
    return PYTREE_OK;
}

/* A struct that can be seen deep at once; the treedef's nodes from *j on, the leaves from *k on. False: one by one, for the
 * error. */
PYTREE__INLINE bool pytree__into_closed(pytree__cursor *c, pytree__plans *plans, const pytree_type *type, void *self,
                                        const pytree_def *def, size_t *j, const pytree_leaf *leaves, size_t *k, bool put)
{
    pytree_leaf *const views = c->views + c->n_views;
    const pytree_leaf *leaf = leaves + *k;
    const pytree__plan *plan;
    pytree__seen seen;
    if (put) {                            /* where it turns out not to be seen deep the same leaves are put there again */
        leaf = type->unflatten(self, leaf, PYTREE__DEEP);
        if (leaf == NULL) { return false; }
        *k = (size_t)(leaf - leaves);
        return true;
    }
    plan = pytree__plan_for(plans, type, self, false);
    if (plan == NULL || plan->n_nodes > def->n_nodes - *j
        || !pytree__plan_matches(plans, plan, (const char *)self, def, &def->nodes[*j])) {
        return false;
    }
    seen = type->flatten(self, views, c->views + c->max_views, PYTREE__DEEP | PYTREE__DROP_NONE);
    if (PYTREE__UNLIKELY((seen.odd & (PYTREE__ODD | PYTREE__HAS_NODE)) != 0 || !pytree__fit(views, seen.end, leaf))) {
        return false;
    }
    *j += plan->n_nodes;
    *k += plan->n_leaves;
    return true;
}

PYTREE__INLINE pytree_status pytree__into(pytree__cursor *c, pytree__plans *plans, const pytree_def *def,
                                          const pytree_leaf *leaves, pytree dst, const bool put)
{
    const pytree_leaf *value;
    const bool quick = pytree__plain_walk(c->opt) && (c->opt == NULL || !c->opt->none_is_leaf);
    bool begun = false, given = put;
    size_t j = 0, k = 0;
    pytree_status status = pytree__cursor_root(c, dst);
    while (status == PYTREE_OK) {
        int at;
        if (quick && c->n_frames != 0) {
            pytree__frame *f = &c->frames[c->n_frames - 1];
            if (f->from == PYTREE__FROM_VIEWS) {
                for (; f->next < f->count; f->next++) {
                    const pytree_type *type;
                    value = &c->views[f->views + f->next];
                    type = value->type;
                    if (value->form != PYTREE_FORM_STRUCT || !type->closed
                        || !pytree__into_closed(c, plans, type, value->data, def, &j, leaves, &k, put)) {
                        break;
                    }
                }
            } else if (f->from == PYTREE__FROM_ROW && f->type->closed) {
                for (; f->next < f->count; f->next++) {
                    if (!pytree__into_closed(c, plans, f->type, f->data + f->next * f->type->size, def, &j, leaves, &k, put)) {
                        break;
                    }
                }
            }
        }
        at = pytree__step(c, &begun, &value, &status);
        if (at == PYTREE__DONE) {
            if (!put && j != def->n_nodes) {
                status = pytree_fail(c->err, PYTREE_STRUCTURE, NULL, "expected %zu nodes, got %zu", def->n_nodes, j);
            }
            return status;
        }
        if (at == PYTREE__AT_LEAF) {
            if (!given) { status = pytree__given_leaves(def->n_leaves, leaves, c->err); }
            given = true;
            if (!put && status == PYTREE_OK) { status = pytree__match_node(c, def, j, NULL, 0, true); }
            if (status == PYTREE_OK) { status = pytree__into_leaf(c, value, &leaves[k], k, put); }
            j++;
            k++;
        } else if (at == PYTREE__AT_NONE) {
            if (!put) { status = pytree__match_node(c, def, j, &pytree_types[PYTREE__T_none], 0, true); }
            j++;
        } else if (at == PYTREE__AT_NODE) {
            const pytree_type *type = value->form == PYTREE_FORM_STRUCT ? pytree__origin(value->type) : NULL;
            if (!quick || type == NULL || !type->closed
                || !pytree__into_closed(c, plans, type, value->data, def, &j, leaves, &k, put)) {
                status = pytree__open(c, value);
            }
        } else if (at == PYTREE__AT_END) {
            if (!put) {
                pytree__frame *f = &c->frames[c->n_frames - 1];
                const pytree_type *type = pytree__type_of_form(f->form, f->type);
                size_t next = f->next;
                pytree_node mine;
                mine.type = type;
                mine.arity = (uint32_t)f->count;
                f->next = 0;              /* an error here is the node's own */
                status = pytree__match_node(
                    c, def, j, type, f->count,
                    j < def->n_nodes && (!pytree__same_node(&mine, &def->nodes[j]) || pytree__same_meta(c, f, def, j)));
                f->next = next;
            }
            pytree__close(c);
            j++;
        }
    }
    return status;
}

pytree_status pytree_unflatten_into(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree dst,
                                    const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree__plans plans;
    pytree_options own;
    pytree_status status = pytree__leaf_counts(def, n, leaves, err);
    if (status != PYTREE_OK) { return status; }
    if (def->space != NULL && (opt == NULL || opt->space == NULL)) {
        memset(&own, 0, sizeof own);
        if (opt != NULL) { own = *opt; }
        own.space = def->space;
        opt = &own;
    }
    if (def->none_is_leaf != (opt != NULL && opt->none_is_leaf)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected none_is_leaf as in the treedef (%s), got the other",
                           def->none_is_leaf ? "true" : "false");
    }
    pytree__cursor_init(&c, opt, err);
    pytree__plans_init(&plans);
    status = pytree__into(&c, &plans, def, leaves, dst, false);
    if (status == PYTREE_OK) { status = pytree__into(&c, &plans, def, leaves, dst, true); }
    pytree__cursor_end(&c);
    return status;
}

/* ---- Rebuild anew ----------------------------------------------------------------------------------------------------
 *
 * A treedef and leaves become a tree in one block:
 *
 *     [spare] [pytree__block] structs, lists, strings … | … arrays in the order of the leaves
 *
 * Nodes are taken from the last to the first, so that a parent comes before its children: it gives them their places. Structs
 * fill the block from its beginning, arrays from its end. A first run, without memory, finds out how large both are.
 */
enum { PYTREE__REFER, PYTREE__COPY, PYTREE__ZERO, PYTREE__ALLOCATE };


/* An stb_ds container that is to be released should the tree not be finished. */
struct pytree__made {
    void *field;
    const pytree_field *row;
    struct pytree__made *before;
};

/* A custom node whose children are being placed: its `rebuild` is called once all is. */
struct pytree__custom_made {
    void *self;
    const pytree_type *type;
    const pytree *children;
    size_t node;
    struct pytree__custom_made *before;
};

/* A node whose children are being placed, from the last to the first. Or, type NULL: the pytrees that still come in containers
 * and in what those contain, as a chain: at the place of each stands where the one after it goes, until it is put there. */
struct pytree__task {
    const pytree_type *type;              /* struct, or of a list's elements; NULL: pytrees */
    char *at;                             /* the struct; a list's first element; the place of the next pytree */
    const char *from;                     /* a list's template in pytree_allocate, or NULL */
    size_t step;                          /* from one element to the next */
    size_t left;                          /* children that still come */
    const uint32_t *order;                /* of a map: the place of each child; NULL: as they come */
    size_t views;                         /* a struct's views, in the cursor's view stack */
    unsigned rows;                        /* a struct's rows that still come */
};
struct pytree__maker {
    const pytree_def *def;
    const pytree_leaf *leaves;
    int mode;
    size_t align;
    bool dry, in_place;
    bool zeroed;                          /* the block is zero already, its pages perhaps not touched yet */
    bool given;                           /* the leaves are known to be leaves */
    bool agreed;                          /* struct nodes that have a plan are as it says */
    char *base;
    size_t structs, arrays;               /* bytes in use, of each kind */
    size_t all_structs, all_arrays;       /* and in all */
    struct pytree__made *made;            /* stb_ds containers so far, the last one first */
    struct pytree__custom_made *customs;  /* likewise: those inside others come first */
    size_t n_orders;                      /* of the treedef's, those that still come */
    bool kept;                            /* the block has a copy of the treedef's static bytes and orders: */
    const unsigned char *statics;
    const uint32_t *orders;
    struct pytree__task *tasks;
    size_t n_tasks, max_tasks;
    pytree_status status;
    pytree__cursor cursor;                /* its view stack and its error */
    pytree__plans plans;
    struct pytree__task few[PYTREE__FRAMES];
};

/* A piece among the structs. Before each that pytree_allocate hands out stands how far it is to the block's head, so that
 * pytree_free can find that. */
PYTREE__INLINE char *pytree__place(struct pytree__maker *m, size_t bytes)
{
    const size_t prefix = m->mode == PYTREE__REFER ? 0 : 16;
    char *at = m->dry ? NULL : m->base + m->structs + prefix;
    m->structs = pytree__plus(m->structs, pytree__plus(pytree__round(bytes, 16), prefix));
    if (!m->dry && prefix != 0) {
        uint64_t distance = (uint64_t)((m->base + m->all_structs - sizeof(struct pytree__block)) - at);
        memcpy(at - 16, &distance, sizeof distance);
    }
    return at;
}

/* Arrays are placed from the last to the first; the first begins where the head ends. */
static char *pytree__place_array(struct pytree__maker *m, size_t bytes)
{
    m->arrays = pytree__plus(m->arrays, pytree__round(bytes, m->align));
    return m->dry ? NULL : m->base + m->all_structs + (m->all_arrays - m->arrays);
}
/* Static values from their packed form into *self. Strings are copied into the block. */
static const unsigned char *pytree__unpack(struct pytree__maker *m, const pytree_type *type, char *self,
                                           const unsigned char *at)
{
    unsigned i;
    size_t k, n;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (row->form == PYTREE__PACK_STRUCT) {
            for (k = 0; k < row->size; k += row->type->size) {
                at = pytree__unpack(m, row->type, self == NULL ? NULL : self + row->offset + k, at);
            }
        } else if (row->form == PYTREE__PACK_TEXT) {
            for (k = 0; k < row->size; k += sizeof(char *), at = pytree__skip_strings(at, 1)) {
                const char *s = pytree__string_at(at, 0, &n);
                char *copy = s == NULL ? NULL : pytree__place(m, n + 1);
                if (m->dry) { continue; }
                if (s != NULL) { memcpy(copy, s, n + 1); }
                memcpy(self + row->offset + k, &copy, sizeof copy);
            }
        } else {
            if (self != NULL && row->size <= 32) { pytree__copy_few(self + row->offset, at, row->size); }
            else if (self != NULL) { memcpy(self + row->offset, at, row->size); }
            at += row->size;
        }
    }
    return at;
}

static bool pytree__more_tasks(struct pytree__maker *m)
{
    const pytree_allocator *a = pytree__allocator(m->cursor.opt);
    size_t max = 2 * m->max_tasks, bytes = pytree__times(max, sizeof *m->tasks);
    bool own = m->tasks == m->few;
    struct pytree__task *tasks =
        (struct pytree__task *)pytree__resize(a, own ? NULL : m->tasks, own ? 0 : m->max_tasks * sizeof *tasks, bytes);
    if (tasks == NULL) { m->status = pytree__no_memory(m->cursor.err, bytes); return false; }
    if (own) { memcpy(tasks, m->few, sizeof m->few); }
    m->tasks = tasks;
    m->max_tasks = max;
    return true;
}

PYTREE__INLINE void pytree__make_push(struct pytree__maker *m, const pytree_type *type, char *at, const char *from, size_t step,
                                      size_t n, unsigned rows)
{
    struct pytree__task *task;
    if (n == 0 || (PYTREE__UNLIKELY(m->n_tasks == m->max_tasks) && !pytree__more_tasks(m))) { return; }
    task = &m->tasks[m->n_tasks++];
    task->type = type;
    task->at = at;
    task->from = from;
    task->step = step;
    task->left = n;
    task->order = NULL;
    task->views = m->cursor.n_views;
    task->rows = rows;
}

/* The places of n pytrees in a row, in front of a chain. */
PYTREE__INLINE pytree *pytree__make_chain(pytree *at, size_t n, pytree *chain)
{
    size_t i;
    for (i = 0; i < n; i++) {
        at[i].data = chain;
        chain = &at[i];
    }
    return chain;
}

/* The order of a dict's pairs, if the treedef has one for that node. Nodes come from the last to the first. */
PYTREE__INLINE const uint32_t *pytree__make_order(struct pytree__maker *m, size_t node)
{
    const pytree_node *const nodes = m->def->nodes;
    const uint32_t *const orders = m->def->orders;
    size_t n = m->n_orders;
    bool given;
    while (n != 0 && orders[n - 1] > node) { n -= 1 + nodes[orders[n - 1]].arity; }
    given = n != 0 && orders[n - 1] == node;
    if (given) { n -= 1 + nodes[node].arity; }
    m->n_orders = n;
    return given ? orders + n : NULL;
}

/* Key path of a treedef's node, from the root down: of each node's children the one that has it below. */
static void pytree__node_path(const pytree_def *def, size_t node, char *text, size_t n)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    size_t at = def->n_nodes - 1;
    bool first = true;
    while (at != node) {
        size_t child = at - 1, i = def->nodes[at].arity - 1;
        pytree_entry entry;
        for (; child - def->nodes[child].nodes >= node && child >= def->nodes[child].nodes; i--) {
            child -= def->nodes[child].nodes;
        }
        pytree__def_entry_at(def, at, i, &entry);
        pytree__put_entry(&to, &entry, NULL, first);
        first = false;
        at = child;
    }
    pytree__end_text(&to, n);
}

static void pytree__make_wrong(struct pytree__maker *m, size_t node, const char *expected)
{
    char got[160], path[600];
    struct pytree__text to = pytree__text_to(got, sizeof got, NULL);
    pytree__node_text(&to, m->def, &m->def->nodes[node]);
    pytree__end_text(&to, sizeof got);
    pytree__node_path(m->def, node, path, sizeof path);
    m->status = pytree_fail(m->cursor.err, PYTREE_STRUCTURE, path, "expected %s, got %s", expected, got);
}

/* A leaf that its place cannot hold. */
static void pytree__make_misfit(struct pytree__maker *m, pytree_status status, size_t node, const pytree_leaf *wanted,
                                const pytree_leaf *got)
{
    char a[160], b[160], path[600];
    pytree__leaf_text(a, sizeof a, wanted);
    pytree__leaf_text(b, sizeof b, got);
    pytree__node_path(m->def, node, path, sizeof path);
    if (status == PYTREE_NULL_POINTER) {
        m->status = pytree_fail(m->cursor.err, status, path, "expected data for a leaf of %s, got NULL", a);
    } else {
        m->status = pytree_fail(m->cursor.err, status, path, "expected %s, got %s", a, b);
    }
}

static void pytree__make_lost(struct pytree__maker *m, size_t node)
{
    char path[600];
    pytree__node_path(m->def, node, path, sizeof path);
    m->status = pytree_fail(m->cursor.err, PYTREE_ARGUMENT, path,
                            "expected NULL for an array that is to be allocated, got a pointer (it would be lost)");
}

/* False: what was given as leaves is something else. */
PYTREE__INLINE bool pytree__make_given(struct pytree__maker *m)
{
    if (PYTREE__UNLIKELY(!m->given)) { m->status = pytree__given_leaves(m->def->n_leaves, m->leaves, m->cursor.err); }
    m->given = true;
    return m->status == PYTREE_OK;
}

static const char *pytree__make_string(struct pytree__maker *m, const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = pytree__place(m, n);
    if (copy != NULL) { memcpy(copy, s, n); }
    return copy;
}

/* The bytes of one leaf to `to`: as the mode says. Strings are copied where the leaf is. `fixed`: not an array of its own. */
static void pytree__make_bytes(struct pytree__maker *m, void *to, const pytree_leaf *leaf, bool fixed)
{
    size_t n = pytree_leaf_count(leaf), i;
    bool kept = leaf->data != NULL && leaf->data != PYTREE_WANTED
        && (m->mode == PYTREE__COPY || m->mode == PYTREE__REFER || (m->mode == PYTREE__ALLOCATE && fixed)
            || leaf->type->dtype == PYTREE_OPAQUE || (leaf->type->dtype == PYTREE_STRING && m->mode != PYTREE__ALLOCATE));
    if (leaf->type->dtype == PYTREE_STRING && kept && m->mode != PYTREE__REFER && m->mode != PYTREE__ALLOCATE) {
        for (i = 0; i < n; i++) {
            const char *s;
            memcpy(&s, (const char *)leaf->data + i * sizeof s, sizeof s);
            if (s != NULL) { s = pytree__make_string(m, s); }
            if (!m->dry) { memcpy((char *)to + i * sizeof s, &s, sizeof s); }
        }
    } else if (!m->dry && n != 0) {
        if (kept) {
            memcpy(to, leaf->data, n * leaf->type->size);
        } else if (!m->zeroed || fixed) {
            memset(to, 0, n * leaf->type->size);
        }
    }
}

/* Where a leaf's elements will be: those given, or their own place. */
static void *pytree__make_array(struct pytree__maker *m, const pytree_leaf *leaf)
{
    size_t bytes = pytree_leaf_bytes(leaf);
    void *at;
    if (m->mode == PYTREE__REFER) { return leaf->data; }
    at = leaf->ndim == 0 ? pytree__place(m, bytes) : pytree__place_array(m, bytes);
    pytree__make_bytes(m, at, leaf, leaf->ndim == 0);
    return at;
}

/* A struct that is seen deep, zeroed but for its static values, from the treedef's node n and the leaves from `given` on: which
 * the new tree refers to. What may be None and is not is a pointer to somewhere while it is seen, so that it has a view. False:
 * it is zeroed again, and comes one by one. */
PYTREE__INLINE bool pytree__make_planned(struct pytree__maker *m, const pytree_type *type, char *self, const pytree_node *n,
                                         const pytree_leaf *given)
{
    const pytree__plans *const plans = &m->plans;
    const pytree__plan *const plan = n->type == type ? pytree__plan_of_node(&m->plans, n) : NULL;
    pytree_leaf *const views = m->cursor.views + m->cursor.n_views;
    const void *const somewhere = pytree_wanted;
    const pytree__part *part, *last;
    const pytree_node *first;
    const unsigned char *at = NULL;
    pytree__seen seen;
    uint32_t i;
    if (PYTREE__UNLIKELY(plan == NULL || !plan->plain || (!m->agreed && !pytree__plan_agrees(plans, plan, n)))) {
        return false;
    }
    for (i = 0; i < plan->n_options; i++) {
        if ((plan->nones >> i & 1) == 0) { memcpy(self + plans->options[plan->options + i].at, &somewhere, sizeof somewhere); }
    }
    first = n + 1 - plan->n_nodes;
    part = &plans->parts[plan->parts];
    last = part + plan->n_parts;
    for (; part != last; part++) {
        if (part->node != UINT32_MAX) { at = m->def->statics + first[part->node].meta; }
        pytree__copy_few(self + part->at, at, part->bytes);
        at += part->bytes;
    }
    seen = type->flatten(self, views, m->cursor.views + m->cursor.max_views, PYTREE__DEEP | PYTREE__DROP_NONE);
    if (PYTREE__LIKELY((seen.odd & PYTREE__HAS_NODE) == 0 && pytree__fit(views, seen.end, given))) {
        type->unflatten(self, given, PYTREE__DEEP);
        return true;
    }
    memset(self, 0, type->size);
    return false;
}

/* A struct's children come next. */
static void pytree__make_open(struct pytree__maker *m, const pytree_type *type, char *self)
{
    pytree_leaf *views;
    if (m->dry) { pytree__make_push(m, type, NULL, NULL, 0, type->n_children, type->n_fields); return; }
    views = pytree__room(&m->cursor, type->n_children);
    if (views == NULL) { m->status = PYTREE_NO_MEMORY; return; }
    pytree__look(type, self, views);
    pytree__make_push(m, type, self, NULL, 0, type->n_children, type->n_fields);
    if (type->n_children != 0) { m->cursor.n_views += type->n_children; }
}

/* Children of the struct or list at hand: structs of leaves, pointers to leaves, None; until another one comes. True: that is a
 * struct, which was opened. */
static bool pytree__make_children(struct pytree__maker *m, size_t *next, size_t *leaf)
{
    struct pytree__task *const top = &m->tasks[m->n_tasks - 1];
    const pytree_type *const of = top->type;
    const bool list = top->rows == 0;
    const pytree_node *n = &m->def->nodes[*next];
    const pytree_leaf *given = &m->leaves[*leaf];
    const pytree_field *field = of->fields + top->rows;
    const pytree_leaf *const own = m->cursor.views + top->views;
    const pytree_type *opened = NULL;
    char *self = NULL;
    size_t left = top->left;
    for (; left != 0; left--) {
        const pytree_type *const type = n[-1].type;
        const pytree_leaf *const first = given - n[-1].leaves;
        const pytree_field *row = field;
        if (list) {
            if (type != of) { break; }
            self = top->at + (left - 1) * top->step;
            memset(self, 0, type->size);
        } else {
            do { row--; } while (row->row != PYTREE_ROW_DATA);
            self = top->at + row->offset;
        }
        if (type == NULL) {
            if (row->form != PYTREE_FORM_LEAF || row->place != PYTREE_POINTER
                || !pytree__fit(&own[left - 1], &own[left], first)) { break; }
            memcpy(self, &first->data, sizeof first->data);
        } else if (type->kind != PYTREE_KIND_NONE) {
            const bool here = list || (row->type == type && row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE);
            if (!here || type->flatten == NULL || !type->plain) { break; }
            if (!type->closed || !pytree__make_planned(m, type, self, n - 1, first)) {
                pytree__unpack(m, type, self, m->def->statics + n[-1].meta);
                opened = type;
                field = row;
                left--;
                n--;
                break;
            }
        } else if (!row->optional || row->form == PYTREE_FORM_VIEW) {
            break;
        }
        given = first;
        field = row;
        n -= n[-1].nodes;
    }
    top->left = left;
    top->rows = (unsigned)(field - of->fields);
    *next = (size_t)(n - m->def->nodes);
    *leaf = (size_t)(given - m->leaves);
    if (opened == NULL) { return false; }
    pytree__make_open(m, opened, self);
    return true;
}

/* A custom node: its children first, in a row. In pytree_allocate it is the caller's, with all that it holds. */
static void pytree__make_custom(struct pytree__maker *m, size_t node, const pytree_type *type, char *self, size_t *next,
                                size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    struct pytree__custom_made *made;
    char *children;
    if (m->mode == PYTREE__ALLOCATE) {
        *next = node + 1 - n->nodes;
        *leaf -= n->leaves;
        return;
    }
    if (type->custom->rebuild == NULL) {
        pytree__make_wrong(m, node, "a type that can be rebuilt (its pytree_custom has no rebuild)");
        return;
    }
    children = pytree__place(m, pytree__times(n->arity, sizeof(pytree)));
    made = (struct pytree__custom_made *)(void *)pytree__place(m, sizeof *made);
    if (!m->dry) {
        memset(self, 0, type->size);
        made->self = self;
        made->type = type;
        made->children = (const pytree *)(void *)children;
        made->node = node;
        made->before = m->customs;
        m->customs = made;
    }
    pytree__make_push(m, NULL, m->dry ? NULL : (char *)pytree__make_chain((pytree *)(void *)children, n->arity, NULL), NULL, 0,
                      n->arity, 0);
}

/* Calls `rebuild` of every custom node, those inside others first. After a failure those that were made are released. */
static void pytree__make_customs(struct pytree__maker *m)
{
    struct pytree__custom_made *at, *done;
    for (at = m->customs; at != NULL && m->status == PYTREE_OK; at = at->before) {
        const pytree_node *n = &m->def->nodes[at->node];
        const unsigned char *metadata = m->def->statics + n->meta;
        m->status = at->type->custom->rebuild(at->self, n->arity, at->children, metadata + sizeof(uint32_t),
                                              pytree__u32(metadata));
        if (m->status != PYTREE_OK) {
            char path[600];
            pytree__node_path(m->def, at->node, path, sizeof path);
            pytree_fail(m->cursor.err, m->status, path, "expected the rebuild of %s to succeed, got %s", at->type->name,
                        pytree_status_name(m->status));
            for (done = m->customs; done != at; done = done->before) {
                if (done->type->custom->release != NULL) { done->type->custom->release(done->self); }
            }
        }
    }
}

/* `from`: the bytes it begins with in pytree_allocate (itself: they are there); NULL: zeros and the treedef's static values.
 * `inside`: it lies in a struct, and so is zero already. */
static void pytree__make_struct(struct pytree__maker *m, size_t node, const pytree_type *type, char *self, const char *from,
                                bool inside, size_t *next, size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    if (n->type != type && (n->type == NULL || !pytree__same_struct(n->type, type))) {
        pytree__make_wrong(m, node, type->name);
        return;
    }
    type = pytree__origin(n->type);       /* as the treedef's namespace sees it */
    if (type->kind == PYTREE_KIND_CUSTOM) { pytree__make_custom(m, node, type, self, next, leaf); return; }
    if (from != NULL) {
        if (from != self) { memcpy(self, from, type->size); }
    } else if (!m->dry || m->mode != PYTREE__ALLOCATE) {
        if (!m->dry && !inside) { memset(self, 0, type->size); }
        if (!m->dry && m->mode == PYTREE__REFER && type->closed
            && pytree__make_planned(m, type, self, n, &m->leaves[*leaf - n->leaves])) {
            *leaf -= n->leaves;
            *next = node + 1 - n->nodes;
            return;
        }
        if (!m->dry || !type->plain) { pytree__unpack(m, type, self, m->def->statics + n->meta); }
    }
    pytree__make_open(m, type, self);
}

/* Keys, orders and names of all containers, copied at once: with what few static values of structs lie between them. */
static void pytree__make_kept(struct pytree__maker *m)
{
    const size_t statics = m->def->n_statics, orders = m->def->n_orders * sizeof *m->def->orders;
    char *at = pytree__place(m, pytree__plus(statics, 1)), *to = pytree__place(m, orders);
    m->kept = true;
    if (m->dry) { return; }
    if (statics != 0) { memcpy(at, m->def->statics, statics); }
    if (orders != 0) { memcpy(to, m->def->orders, orders); }
    m->statics = (const unsigned char *)at;
    m->orders = (const uint32_t *)(const void *)to;
}

/* A pair with a key, its place in front of the chain; where the next key is. NULL: the key is no string. */
PYTREE__INLINE const unsigned char *pytree__make_pair(pytree_pair *pair, const unsigned char *key, pytree **chain)
{
    const uint32_t size = pytree__u32(key);
    if (PYTREE__UNLIKELY(size == PYTREE__NUMBER_KEY)) { return NULL; }
    pair->key = (const char *)key + sizeof size;
    pair->value.data = *chain;
    *chain = &pair->value;
    return key + sizeof size + size;
}

static const unsigned char *pytree__make_int_pair(pytree_int_pair *pair, const unsigned char *key, pytree **chain)
{
    if (pytree__u32(key) != PYTREE__NUMBER_KEY) { return NULL; }
    memcpy(&pair->key, key + sizeof(uint32_t), sizeof pair->key);
    pair->value.data = *chain;
    *chain = &pair->value;
    return key + sizeof(uint32_t) + sizeof pair->key;
}

/* The pairs of a container in the order of its keys. */
PYTREE__INLINE pytree *pytree__make_pairs(struct pytree__maker *m, size_t node, pytree_items *items, const unsigned char *key,
                                          const uint32_t *order, pytree *chain)
{
    const size_t n = m->def->nodes[node].arity;
    const unsigned char *at = key;
    size_t i;
    items->packed = key;
    items->order = order;
    if (PYTREE__UNLIKELY(n != 0 && pytree__u32(key) == PYTREE__NUMBER_KEY)) {
        pytree_int_pair *const pairs = (pytree_int_pair *)(void *)(items + 1);
        items->int_pairs = pairs;
        for (i = 0; i < n && at != NULL; i++) { at = pytree__make_int_pair(&pairs[order == NULL ? i : order[i]], at, &chain); }
    } else {
        pytree_pair *const pairs = (pytree_pair *)(void *)(items + 1);
        items->pairs = pairs;
        if (order == NULL) {
            for (i = 0; i < n && at != NULL; i++) { at = pytree__make_pair(&pairs[i], at, &chain); }
        } else {
            for (i = 0; i < n && at != NULL; i++) { at = pytree__make_pair(&pairs[order[i]], at, &chain); }
        }
    }
    if (PYTREE__LIKELY(at != NULL)) {
        items->packed_bytes = (size_t)(at - key);
    } else {
        pytree__make_wrong(m, node, "keys that are all strings or all numbers");
    }
    return chain;
}

/* A container of pytrees in one piece: pytree_items, items or pairs, whose places are put in front of the chain. */
PYTREE__INLINE pytree *pytree__make_items(struct pytree__maker *m, size_t node, char *piece, pytree *chain)
{
    const pytree_node *n = &m->def->nodes[node];
    const pytree_kind kind = n->type->kind;
    pytree_items *items = (pytree_items *)(void *)piece;
    memset(items, 0, sizeof *items);
    items->count = n->arity;
    if (pytree__keyed(n->type)) {
        const unsigned char *key = m->statics + n->meta;
        const uint32_t *order = NULL;
        if (PYTREE__UNLIKELY(kind == PYTREE_KIND_NAMEDTUPLE || kind == PYTREE_KIND_DEFAULTDICT)) {
            items->name = pytree__string_at(key, 0, NULL);
            key = pytree__skip_strings(key, 1);
        }
        if (kind == PYTREE_KIND_DICT || kind == PYTREE_KIND_DEFAULTDICT) {
            order = pytree__make_order(m, node);
            if (order != NULL) { order = m->orders + (order - m->def->orders); }
        }
        return pytree__make_pairs(m, node, items, key, order, chain);
    }
    if (kind == PYTREE_KIND_DEQUE) { items->maxlen = pytree__maxlen(m->def->statics + n->meta); }
    items->items = (const pytree *)(const void *)(items + 1);
    return pytree__make_chain((pytree *)(void *)(items + 1), n->arity, chain);
}

/* Room for a pair of either kind. */
enum {
    PYTREE__PAIR_BYTES = sizeof(pytree_pair) > sizeof(pytree_int_pair) ? sizeof(pytree_pair) : sizeof(pytree_int_pair)
};
static size_t pytree__items_bytes(const pytree_node *n)
{
    return pytree__plus(sizeof(pytree_items),
                        pytree__times(n->arity, pytree__keyed(n->type) ? (size_t)PYTREE__PAIR_BYTES : sizeof(pytree)));
}

/* A container; what it contains joins the chain of the container that it is in, or is a task. */
static pytree pytree__make_container(struct pytree__maker *m, size_t node)
{
    const pytree_node *n = &m->def->nodes[node];
    struct pytree__task *top = m->n_tasks == 0 ? NULL : &m->tasks[m->n_tasks - 1];
    pytree *chain = NULL;
    char *piece;
    pytree t;
    if (pytree__keyed(n->type) && !m->kept) { pytree__make_kept(m); }
    piece = pytree__place(m, pytree__items_bytes(n));
    t.type = n->type;
    t.data = piece;
    if (top != NULL && top->type != NULL) { top = NULL; }
    if (!m->dry) { chain = pytree__make_items(m, node, piece, top == NULL ? NULL : (pytree *)(void *)top->at); }
    if (top == NULL) {
        pytree__make_push(m, NULL, (char *)chain, NULL, 0, n->arity, 0);
    } else {
        top->at = (char *)chain;
        top->left += n->arity;
    }
    return t;
}

/* Containers of leaves that the new tree refers to, of None and of such containers, until another node comes. */
static void pytree__make_containers(struct pytree__maker *m, size_t *next, size_t *leaf)
{
    const size_t view_bytes = pytree__round(sizeof(pytree_leaf), 16);
    struct pytree__task *top = &m->tasks[m->n_tasks - 1];
    const pytree_node *n = &m->def->nodes[*next];
    const pytree_leaf *from = &m->leaves[*leaf];
    pytree *at = (pytree *)(void *)top->at;
    char *place = m->base + m->structs;
    size_t left = top->left;
    if (!pytree__make_given(m)) { return; }
    for (; left != 0; left--) {
        pytree *chain = (pytree *)at->data;
        const pytree_type *const type = n[-1].type;
        if (type == NULL) {
            if (PYTREE__UNLIKELY(from[-1].form != PYTREE_FORM_LEAF)) { break; }
            from--;
            if (from->ndim != 0) {
                at->type = &pytree_types[PYTREE__T_view];
                at->data = place;
                pytree__copy_view((pytree_leaf *)(void *)place, from);
                place += view_bytes;
            } else {
                at->type = from->type;
                at->data = from->data;
            }
        } else if (type->kind == PYTREE_KIND_NONE) {
            at->type = type;
            at->data = NULL;
        } else {
            if (pytree__spaced(n - 1)) { break; }
            if (PYTREE__UNLIKELY(!m->kept) && pytree__keyed(type)) {
                m->structs = (size_t)(place - m->base);
                pytree__make_kept(m);
                place = m->base + m->structs;
            }
            at->type = type;
            at->data = place;
            chain = pytree__make_items(m, (size_t)(n - 1 - m->def->nodes), place, chain);
            if (PYTREE__UNLIKELY(m->status != PYTREE_OK)) { break; }
            place += pytree__round(pytree__items_bytes(n - 1), 16);
            left += n[-1].arity;
        }
        at = chain;
        n--;
    }
    m->structs = (size_t)(place - m->base);
    top->at = (char *)at;
    top->left = left;
    *next = (size_t)(n - m->def->nodes);
    *leaf = (size_t)(from - m->leaves);
}

static pytree pytree__make_value(struct pytree__maker *m, size_t node, size_t *next, size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    pytree t;
    t.type = &pytree_types[PYTREE__T_none];
    t.data = NULL;
    if (n->type == NULL) {
        const pytree_leaf *from = &m->leaves[--*leaf];
        if (!pytree__make_given(m)) { return t; }
        if (from->form == PYTREE_FORM_LEAF) {
            t.type = from->type;
            t.data = pytree__make_array(m, from);
            if (from->ndim != 0) {
                pytree_leaf *view = (pytree_leaf *)(void *)pytree__place(m, sizeof *view);
                if (view != NULL) {
                    memset(view, 0, sizeof *view);
                    pytree__copy_view(view, from);
                    view->data = t.data;
                }
                t.type = &pytree_types[PYTREE__T_view];
                t.data = view;
            }
        } else if (from->form != PYTREE_FORM_NONE) {
            m->status =
                pytree_fail(m->cursor.err, PYTREE_TYPE, NULL, "expected leaves, got a %s as leaf %zu", from->type->name, *leaf);
        }
    } else if (n->type->kind == PYTREE_KIND_STRUCT || n->type->kind == PYTREE_KIND_CUSTOM) {
        const pytree_type *type = pytree__origin(n->type);
        t.type = type;
        t.data = pytree__place(m, type->size);
        pytree__make_struct(m, node, type, (char *)t.data, NULL, false, next, leaf);
    } else if (n->type->kind != PYTREE_KIND_NONE) {
        t = pytree__make_container(m, node);
    }
    return t;
}

/* A leaf into a row of a struct. */
static void pytree__make_leaf(struct pytree__maker *m, const struct pytree__task *task, const pytree_field *row,
                              pytree_leaf *view, size_t k, size_t node)
{
    const pytree_leaf *leaf = &m->leaves[k];
    char *field = m->dry ? NULL : task->at + row->offset;
    if (row->form == PYTREE_FORM_VIEW) {
        pytree_leaf copy;
        memset(&copy, 0, sizeof copy);
        pytree__copy_view(&copy, leaf);
        if (leaf->form == PYTREE_FORM_LEAF && m->mode == PYTREE__ALLOCATE && leaf->data != NULL) {
            pytree__make_lost(m, node);
            return;
        }
        if (leaf->form == PYTREE_FORM_LEAF) { copy.data = pytree__make_array(m, leaf); }
        if (!m->dry) { memcpy(field, &copy, sizeof copy); }
        return;
    }
    if (!m->dry) {
        pytree_status status;
        unsigned form = view->form;
        if (leaf->form == PYTREE_FORM_NONE && row->optional) { return; }
        view->form = PYTREE_FORM_LEAF;
        status = row->form == PYTREE_FORM_LEAF ? pytree__fits(view, leaf) : PYTREE_STRUCTURE;
        if (status == PYTREE_OK && leaf->data == NULL && m->mode != PYTREE__ALLOCATE && pytree_leaf_count(leaf) != 0) {
            status = PYTREE_NULL_POINTER;
        }
        if (status != PYTREE_OK) {
            if (row->form != PYTREE_FORM_LEAF) { view->form = form; }
            pytree__make_misfit(m, status, node, view, leaf);
            return;
        }
    } else if (row->form != PYTREE_FORM_LEAF || leaf->form != PYTREE_FORM_LEAF) {
        return;
    }
    if (row->place == PYTREE_POINTER) {
        void *p = leaf->data;
        if (m->mode == PYTREE__ALLOCATE && p != NULL && p != PYTREE_WANTED) {
            pytree__make_lost(m, node);
            return;
        }
        p = pytree__make_array(m, leaf);
        if (!m->dry) { memcpy(field, &p, sizeof p); }
    } else {
        pytree__make_bytes(m, field, leaf, true);
    }
}

static const char *const *pytree__make_keys(struct pytree__maker *m, const pytree_node *n, const uint32_t *order)
{
    const char **keys = (const char **)(void *)pytree__place(m, pytree__times(n->arity, sizeof(char *)));
    const unsigned char *at = m->def->statics + n->meta;
    size_t i;
    for (i = 0; keys != NULL && i < n->arity; i++, at = pytree__skip_strings(at, 1)) {
        keys[order == NULL ? i : order[i]] = pytree__string_at(at, 0, NULL);
    }
    return (const char *const *)keys;
}

/* A list, tuple or dict into a row of a struct. */
static void pytree__make_list(struct pytree__maker *m, const struct pytree__task *task, const pytree_field *row, size_t child,
                              size_t node, size_t *next, size_t *leaf)
{
    const pytree_node *n = &m->def->nodes[node];
    const pytree_leaf *view = m->dry ? NULL : &m->cursor.views[task->views + child];
    bool map = row->form == PYTREE_FORM_MAP, fits = map ? n->type->kind == PYTREE_KIND_DICT : row->form == PYTREE_FORM_TUPLE
        ? n->type->kind == PYTREE_KIND_TUPLE : row->form == PYTREE_FORM_LIST && n->type->kind == PYTREE_KIND_LIST;
    size_t step = row->form == PYTREE_FORM_TUPLE ? row->inner : map ? row->inner : row->type->size;
    char *field = m->dry ? NULL : task->at + row->offset, *at = field;
    const pytree_type *type = row->type, *of = task->type;
    const char *from = m->mode == PYTREE__ALLOCATE ? at : NULL;
    const uint32_t *order = NULL;
    size_t views = task->views;
    if (!fits || (!m->dry && row->place != PYTREE_STB && view->shape[0] != n->arity)) {
        char expected[160];
        snprintf(expected, sizeof expected,
                 row->form == PYTREE_FORM_LIST || row->form == PYTREE_FORM_TUPLE || map ? "a %s of %zu" : "a %s",
                 map                               ? "dict"
                 : row->form == PYTREE_FORM_TUPLE  ? "tuple"
                 : row->form == PYTREE_FORM_LIST   ? "list"
                 : row->form == PYTREE_FORM_STRUCT ? row->type->name
                                                   : "leaf",
                 m->dry || row->place == PYTREE_STB ? (size_t)n->arity : view->shape[0]);
        pytree__make_wrong(m, node, expected);
        return;
    }
    if (row->place == PYTREE_STB) {
        const char *const *keys;
        struct pytree__made *made;
        if (m->mode == PYTREE__ALLOCATE) {                     /* theirs: left as it is, with all that it holds */
            *next = node + 1 - n->nodes;
            *leaf -= n->leaves;
            return;
        }
        made = (struct pytree__made *)(void *)pytree__place(m, sizeof *made);
        if (map && n->arity != 0 && pytree__u32(m->def->statics + n->meta) == PYTREE__NUMBER_KEY) {
            pytree__make_wrong(m, node, "a dict whose keys are strings");
            return;
        }
        order = map ? pytree__make_order(m, node) : NULL;
        keys = map ? pytree__make_keys(m, n, order) : NULL;
        if (!m->dry) {
            if (n->arity != 0) { m->status = row->resize(field, n->arity, keys, row); }
            if (m->status != PYTREE_OK) { pytree__no_memory(m->cursor.err, n->arity * row->inner); return; }
            made->field = field;
            made->row = row;
            made->before = m->made;
            m->made = made;
            memcpy(&at, field, sizeof at);
            if (map) {
                pytree__look(of, task->at, m->cursor.views + views);
                if (at != NULL) { at += m->cursor.views[views + child].shape[2]; }
            }
        }
    } else if (row->place == PYTREE_POINTER) {
        if (from != NULL) { memcpy(&from, field, sizeof from); }
        at = pytree__place(m, pytree__times(n->arity, step));
        if (!m->dry) { memcpy(field, &at, sizeof at); }
    }
    pytree__make_push(m, type, at, from, step, n->arity, 0);
    if (order != NULL && m->status == PYTREE_OK) { m->tasks[m->n_tasks - 1].order = order; }
}

/* The next child of the task at hand, which is node `node`. */
static void pytree__make_child(struct pytree__maker *m, size_t node, size_t *leaf, size_t *next)
{
    struct pytree__task *top = &m->tasks[m->n_tasks - 1], task;
    const pytree_node *n = &m->def->nodes[node];
    size_t child = --top->left;
    pytree value;
    if (n->type == NULL && !pytree__make_given(m)) { return; }
    if (top->order != NULL) { child = top->order[child]; }
    if (top->type == NULL) {                                   /* an item of a container */
        pytree *at = (pytree *)(void *)top->at;
        if (!m->dry) { top->at = (char *)at->data; }
        value = pytree__make_value(m, node, next, leaf);
        if (!m->dry) { *at = value; }
        return;
    }
    task = *top;
    if (task.rows == 0) {                                      /* an element of a list */
        char *at = m->dry ? NULL : task.at + child * task.step;
        if (task.type->kind == PYTREE_KIND_STRUCT || task.type->kind == PYTREE_KIND_CUSTOM
            || (n->type != NULL && pytree__spaced(n))) {
            pytree__make_struct(m, node, task.type, at, m->dry || task.from == NULL ? NULL : task.from + child * task.step,
                                false, next, leaf);
        } else if (task.type->kind == PYTREE_KIND_REF) {
            value = pytree__make_value(m, node, next, leaf);
            if (!m->dry) { memcpy(at, &value, sizeof value); }
        } else if (task.type->kind == PYTREE_KIND_VIEW && n->type == NULL) {
            pytree_leaf copy;
            memset(&copy, 0, sizeof copy);
            pytree__copy_view(&copy, &m->leaves[--*leaf]);
            if (copy.form == PYTREE_FORM_LEAF) { copy.data = pytree__make_array(m, &m->leaves[*leaf]); }
            if (!m->dry) { memcpy(at, &copy, sizeof copy); }
        } else if (task.type->kind == PYTREE_KIND_LEAF && n->type == NULL) {
            const pytree_leaf *from = &m->leaves[--*leaf];
            if (from->form != PYTREE_FORM_LEAF || from->ndim != 0 || !pytree_type_equal(from->type, task.type)) {
                pytree_leaf wanted;
                pytree__view(&wanted, task.type, NULL);
                pytree__make_misfit(
                    m,
                    from->form == PYTREE_FORM_LEAF && from->ndim != 0 && pytree_type_equal(from->type, task.type) ? PYTREE_SHAPE
                                                                                                                  : PYTREE_TYPE,
                    node, &wanted, from);
                return;
            }
            pytree__make_bytes(m, at, from, true);
        } else {
            pytree__make_wrong(m, node, task.type->name);
        }
        return;
    }
    {
        const pytree_field *row;
        do { row = &task.type->fields[--top->rows]; } while (row->row != PYTREE_ROW_DATA);
        if (row->form == PYTREE_FORM_REF && m->mode == PYTREE__ALLOCATE) {     /* theirs, like an stb_ds container */
            *next = node + 1 - n->nodes;
            *leaf -= n->leaves;
        } else if (row->form == PYTREE_FORM_REF) {
            value = pytree__make_value(m, node, next, leaf);
            if (!m->dry) { memcpy(task.at + row->offset, &value, sizeof value); }
        } else if (n->type == NULL) {
            --*leaf;
            pytree__make_leaf(m, &task, row, m->dry ? NULL : &m->cursor.views[task.views + child], *leaf, node);
        } else if (n->type->kind == PYTREE_KIND_NONE) {
            if (row->form == PYTREE_FORM_VIEW) {
                if (!m->dry) { pytree__none_view((pytree_leaf *)(void *)(task.at + row->offset)); }
            } else if (!row->optional) {
                pytree__make_wrong(m, node, row->type->name);
            }
        } else if (pytree__spaced(n)
                   && (row->form == PYTREE_FORM_STRUCT
                       || (row->form == PYTREE_FORM_LEAF && row->ndim == 0 && row->type->dtype == PYTREE_OPAQUE))) {
            char *at = m->dry ? NULL : task.at + row->offset;
            const char *from = m->mode == PYTREE__ALLOCATE ? at : NULL;
            if (row->place == PYTREE_POINTER) {
                char *p;
                if (m->mode == PYTREE__ALLOCATE && row->type->kind == PYTREE_KIND_CUSTOM) {
                    *next = node + 1 - n->nodes;
                    *leaf -= n->leaves;
                    return;
                }
                p = pytree__place(m, row->type->size);
                if (from != NULL) {
                    memcpy(&from, at, sizeof from);
                    if (from == (const char *)PYTREE_WANTED) { from = NULL; }
                }
                if (!m->dry) { memcpy(at, &p, sizeof p); }
                at = p;
            }
            pytree__make_struct(m, node, row->type, at, from, row->place == PYTREE_IN_PLACE, next, leaf);
        } else {
            pytree__make_list(m, &task, row, child, node, next, leaf);
        }
    }
}

/* One run over the treedef. `root`: where the root struct is to be (pytree_allocate), or NULL. */
static pytree pytree__make_run(struct pytree__maker *m, char *root)
{
    size_t next = m->def->n_nodes - 1, leaf = m->def->n_leaves;
    pytree t;
    m->structs = m->arrays = 0;
    m->n_tasks = 0;
    m->n_orders = m->def->n_orders;
    m->kept = false;
    m->cursor.n_views = 0;
    if (m->in_place) {
        t.type = m->def->nodes[next].type;
        t.data = root;
        pytree__make_struct(m, next, t.type, root, root, false, &next, &leaf);
    } else {
        t = pytree__make_value(m, next, &next, &leaf);
    }
    while (m->n_tasks != 0 && m->status == PYTREE_OK) {
        struct pytree__task *top = &m->tasks[m->n_tasks - 1];
        if (m->mode == PYTREE__REFER && !m->dry) {
            if (top->type == NULL) {
                pytree__make_containers(m, &next, &leaf);
                if (m->status != PYTREE_OK) { break; }
            } else if (top->type->kind == PYTREE_KIND_STRUCT && top->order == NULL) {
                if (pytree__make_children(m, &next, &leaf)) { continue; }
            }
        }
        if (top->left == 0) {
            m->cursor.n_views = top->views;
            m->n_tasks--;
        } else {
            size_t node = --next;
            pytree__make_child(m, node, &leaf, &next);
        }
    }
    return t;
}

/* What a struct adds to the bound below; SIZE_MAX: only a run can tell. */
static size_t pytree__bound_of(const pytree_type *type)
{
    size_t bytes = pytree__round(type->size, 16);
    unsigned i;
    if (!type->plain) { return SIZE_MAX; }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->place == PYTREE_STB || row->form >= PYTREE_FORM_FLAT) { return SIZE_MAX; }
        if ((row->form == PYTREE_FORM_TUPLE || row->form == PYTREE_FORM_LIST) && row->type->kind != PYTREE_KIND_STRUCT) {
            return SIZE_MAX;
        }
        if (row->form == PYTREE_FORM_TUPLE || (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE)) {
            bytes -= row->size < bytes ? row->size / 16 * 16 : 0;              /* it comes again as a node of its own */
        }
    }
    return bytes + 16;
}

/* More bytes than a tree that refers to its leaves takes, in one pass over the treedef; SIZE_MAX: it must be measured. And are
 * there nothing but leaves, None, lists, tuples and dicts, as pytree__fill_containers takes them? */
static size_t pytree__bound(struct pytree__maker *m, bool *only_containers)
{
    const pytree_def *const def = m->def;
    struct { const pytree_type *type; size_t bytes; } known[16];
    const pytree_node *n;
    size_t structs = 0, containers = 0, values = 0, bytes;
    memset(known, 0, sizeof known);
    m->agreed = *only_containers = true;
    for (n = def->nodes + def->n_nodes; n != def->nodes; ) {
        const pytree_type *type = (--n)->type;
        if (type == NULL || type->kind == PYTREE_KIND_NONE) { continue; }
        if (type->kind == PYTREE_KIND_STRUCT) {
            const pytree__plan *plan = type->closed ? pytree__plan_of_node(&m->plans, n) : NULL;
            const size_t at = pytree__type_slot(type);
            *only_containers = false;
            if (plan != NULL && PYTREE__UNLIKELY(!pytree__plan_agrees(&m->plans, plan, n))) {
                m->agreed = false;
                plan = NULL;
            }
            if (plan != NULL && plan->plain) {                 /* all lies in the struct itself */
                structs = pytree__plus(structs, type->size + 15);
                n -= n->nodes - 1;
                continue;
            }
            if (known[at].type != type) {
                known[at].type = type;
                known[at].bytes = pytree__bound_of(pytree__origin(type));
            }
            structs = pytree__plus(structs, known[at].bytes);
        } else if (type->kind <= PYTREE_KIND_DEQUE) {
            if (type->kind > PYTREE_KIND_DICT) { *only_containers = false; }
            containers++;
            values += n->arity;
        } else {
            m->agreed = false;
            return SIZE_MAX;
        }
        if (n->leaves == n->arity && n->nodes == n->arity + 1) { n -= n->arity; }          /* leaves: not to be looked at */
    }
    bytes = pytree__plus(structs, pytree__times(containers, sizeof(pytree_items) + 15));
    bytes = pytree__plus(bytes, pytree__times(values, PYTREE__PAIR_BYTES));
    /* each value may be an array, and so may the root */
    bytes = pytree__plus(bytes, pytree__times((values < def->n_leaves ? values : def->n_leaves) + 1,
                                              pytree__round(sizeof(pytree_leaf), 16)));
    if (containers != 0) { bytes = pytree__plus(bytes, def->n_statics + def->n_orders * sizeof *def->orders + 32); }
    return bytes;
}

/* Does anything that is to be released lie outside the block? */
static bool pytree__is_nested(const struct pytree__block *block)
{
    const char *begin = (const char *)block->base, *end = begin + block->bytes;
    const struct pytree__custom_made *custom;
    const struct pytree__made *made;
    for (custom = block->customs; custom != NULL; custom = custom->before) {
        if ((const char *)custom->self < begin || (const char *)custom->self >= end) { return true; }
    }
    for (made = block->made; made != NULL; made = made->before) {
        if ((const char *)made->field < begin || (const char *)made->field >= end) { return true; }
    }
    return false;
}

/* Both runs. On success `t` is the tree; its block is not the caller's to see. */
static pytree_status pytree__make(pytree *t, const pytree_def *def, const pytree_leaf *leaves, int mode, pytree *in_place,
                                  const pytree_options *opt, pytree_error *err)
{
    struct pytree__maker m;
    const pytree_allocator *a = pytree__allocator(opt);
    size_t align = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment, head, bytes, spare, shift;
    char *base, *root = NULL;
    struct pytree__block *block;
    bool only_containers;
    pytree made;
    t->type = NULL;
    t->data = NULL;
    if ((align & (align - 1)) != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", align);
    }
    if (align < 16) { align = 16; }
    memset(&m, 0, offsetof(struct pytree__maker, cursor));
    m.tasks = m.few;
    m.max_tasks = PYTREE__FRAMES;
    pytree__cursor_init(&m.cursor, opt, err);
    pytree__plans_init(&m.plans);
    m.status = PYTREE_OK;
    m.def = def;
    m.leaves = leaves != NULL ? leaves : m.cursor.views;       /* there are none, yet pointers to where they end */
    m.mode = mode;
    m.align = align;
    m.dry = true;
    m.given = mode != PYTREE__REFER;
    m.in_place = in_place != NULL;
    if (m.in_place) { pytree__place(&m, in_place->type->size); }           /* a shadow, so that nothing is half-written */
    head = m.structs;
    m.structs = pytree__bound(&m, &only_containers);
    if (mode != PYTREE__REFER) { m.structs = SIZE_MAX; }
    if (m.structs == SIZE_MAX) { pytree__make_run(&m, NULL); }
    m.structs = pytree__plus(m.structs, head);
    m.all_arrays = m.arrays;
    m.all_structs = pytree__round(pytree__plus(m.structs, sizeof *block), align);
    spare = m.all_arrays < 65536 ? 0 : 16 * 192;
    bytes = pytree__plus(pytree__plus(m.all_structs, m.all_arrays), align + spare);
    if (m.in_place && m.structs == head && m.arrays == 0) {
        *t = *in_place;                   /* nothing to make: no block, which nothing would lead to */
    } else if (m.status == PYTREE_OK) {
        m.zeroed = a == NULL && (mode == PYTREE__ZERO || mode == PYTREE__ALLOCATE);
        base = bytes == SIZE_MAX ? NULL : m.zeroed ? (char *)calloc(1, bytes) : (char *)pytree__resize(a, NULL, 0, bytes);
        if (base == NULL) { m.status = pytree__no_memory(err, bytes); }
        else {
            shift = spare == 0 ? 0 : (size_t)(((uint64_t)(uintptr_t)base >> 12) * UINT64_C(0x9E3779B97F4A7C15) >> 60) * 192;
            m.base = (char *)(((uintptr_t)base + shift + align - 1) & ~(uintptr_t)(align - 1));
            m.dry = false;
            block = (struct pytree__block *)(void *)(m.base + m.all_structs) - 1;
            if (m.in_place) {
                m.structs = 0;
                root = pytree__place(&m, in_place->type->size);
                memcpy(root, in_place->data, in_place->type->size);
                m.base += m.structs;
                m.all_structs -= m.structs;
            }
            made = pytree__make_run(&m, root);
            if (m.status == PYTREE_OK) { pytree__make_customs(&m); }
            block->magic = PYTREE__MAGIC;
            block->base = base;
            block->bytes = bytes;
            block->allocator = a;
            if (m.status == PYTREE_OK) {
                block->root = m.in_place ? NULL : made.data;
                block->made = m.made;
                block->customs = m.customs;
                block->nested = pytree__is_nested(block);
                block->n_nodes = only_containers ? def->n_nodes : 0;
                block->n_leaves = def->n_leaves;
                block->n_statics = def->n_statics;
                block->n_orders = def->n_orders;
                block->type = *made.type;
                block->type.origin = pytree__origin(made.type);
                t->type = &block->type;
                t->data = made.data;
                if (made.data == NULL) { t->data = block; }                 /* None: still a block to be freed */
                if (m.in_place) { memcpy(in_place->data, root, in_place->type->size); *t = *in_place; }
            } else {
                for (; m.made != NULL; m.made = m.made->before) { m.made->row->release(m.made->field, m.made->row); }
                pytree__resize(a, base, bytes, 0);
            }
        }
    }
    if (m.tasks != m.few) { pytree__resize(a, m.tasks, m.max_tasks * sizeof *m.tasks, 0); }
    pytree__cursor_end(&m.cursor);
    return m.status;
}

pytree pytree_unflatten(const pytree_def *def, size_t n, const pytree_leaf *leaves, const pytree_options *opt,
                        pytree_error *err)
{
    pytree t = { NULL, NULL };
    if (pytree__leaf_counts(def, n, leaves, err) == PYTREE_OK) { pytree__make(&t, def, leaves, PYTREE__REFER, NULL, opt, err); }
    return t;
}

/* Structure and leaves, which a predicate of the caller's has no say in, and from them the new tree. */
static pytree_status pytree__remake(pytree *made, pytree from, int mode, const pytree_options *opt, pytree_error *err)
{
    pytree_options own;
    pytree_def *def;
    pytree_leaf *leaves = NULL;
    pytree_status status;
    memset(&own, 0, sizeof own);
    if (opt != NULL) { own.allocator = opt->allocator; own.alignment = opt->alignment; own.space = opt->space; }
    made->type = NULL;
    made->data = NULL;
    status = pytree__flatten(from, mode == PYTREE__ALLOCATE, &leaves, 0, &def, &own, err);
    if (status == PYTREE_OK) {
        status = pytree__make(made, def, leaves, mode, mode == PYTREE__ALLOCATE ? &from : NULL, &own, err);
        if (status == PYTREE_OK && mode != PYTREE__ALLOCATE) {
            ((struct pytree__block *)(void *)((char *)(uintptr_t)made->type - offsetof(struct pytree__block, type)))
                ->allocator = pytree__allocator(opt);
        }
        pytree_def_free(def);
    }
    return status;
}

pytree pytree_clone(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    pytree__remake(&made, t, PYTREE__COPY, opt, err);
    return made;
}

pytree pytree_zeros_like(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    pytree__remake(&made, t, PYTREE__ZERO, opt, err);
    return made;
}

/* Copies values; both trees have the same structure, which the map has checked. */
static pytree_status pytree__copy_leaf(void *context, const pytree_iter *at)
{
    (void)context;
    const size_t bytes = at->leaf[0]->form == PYTREE_FORM_LEAF ? pytree_leaf_bytes(at->leaf[0]) : 0;
    if (bytes != 0) { memmove(at->out->data, at->leaf[0]->data, bytes); }
    return PYTREE_OK;
}

pytree_status pytree_copy_into(pytree dst, pytree src, const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    pytree_iter it;
    both[0] = dst;
    both[1] = src;
    if (pytree_iter_begin(&it, 2, both, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it)) {
            it.status = pytree__fits(it.leaf[0], it.leaf[1]);
            if (it.status != PYTREE_OK) { it.status = pytree__misfit(&it.cursors[0], it.status, it.leaf[0], it.leaf[1]); }
        }
    }
    pytree_iter_end(&it);
    return it.status != PYTREE_OK ? it.status : pytree_map(pytree__copy_leaf, NULL, &dst, 1, &src, opt, err);
}

pytree_status pytree_allocate(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    if (t.type == NULL || t.type->kind != PYTREE_KIND_STRUCT || t.data == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct to allocate for, got %s",
                           t.type == NULL ? "nothing" : t.data == NULL ? "NULL" : t.type->name);
    }
    t.type = pytree__origin(t.type);
    return pytree__remake(&made, t, PYTREE__ALLOCATE, opt, err);
}

/* A custom node in a struct, which pytree_allocate leaves alone. */
static bool pytree__theirs(const pytree_field *row)
{
    return row->form == PYTREE_FORM_STRUCT && row->type->kind == PYTREE_KIND_CUSTOM;
}

/* The first pointer of a struct that pytree_allocate has set, and whether it leads to an array; NULL if there is none. */
static char *pytree__first_pointer(const pytree_type *type, const char *self, bool *array)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        char *p = NULL;
        if (row->row != PYTREE_ROW_DATA || row->place == PYTREE_STB || pytree__theirs(row)) { continue; }
        if (row->place == PYTREE_POINTER) {
            memcpy(&p, self + row->offset, sizeof p);
            *array = row->form == PYTREE_FORM_LEAF && row->ndim != 0;
        } else if (row->form == PYTREE_FORM_STRUCT) {
            p = pytree__first_pointer(row->type, self + row->offset, array);
        } else if (row->form == PYTREE_FORM_TUPLE) {
            for (k = 0; p == NULL && k < row->size; k += row->inner) {
                p = pytree__first_pointer(row->type, self + row->offset + k, array);
            }
        } else if (row->form == PYTREE_FORM_VIEW) {
            pytree_leaf view;
            memcpy(&view, self + row->offset, sizeof view);
            p = (char *)view.data;
            *array = view.ndim != 0;
        }
        if (p != NULL && p != (const char *)PYTREE_WANTED) { return p; }
    }
    return NULL;
}

/* Every pointer of a struct that leads into the block becomes NULL. */
static void pytree__forget(const pytree_type *type, char *self)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA || row->place == PYTREE_STB || pytree__theirs(row)) { continue; }
        if (row->place == PYTREE_POINTER) { memset(self + row->offset, 0, sizeof(void *)); }
        else if (row->form == PYTREE_FORM_STRUCT) { pytree__forget(row->type, self + row->offset); }
        else if (row->form == PYTREE_FORM_TUPLE) {
            for (k = 0; k < row->size; k += row->inner) { pytree__forget(row->type, self + row->offset + k); }
        }
        else if (row->form == PYTREE_FORM_VIEW) { memset(self + row->offset + offsetof(pytree_leaf, data), 0, sizeof(void *)); }
    }
}

/* Custom nodes and stb_ds containers of an owned tree, those inside others first. They are where they were made. */
static void pytree__release(const struct pytree__block *block)
{
    const struct pytree__custom_made *custom;
    const struct pytree__made *made;
    for (custom = block->customs; custom != NULL; custom = custom->before) {
        if (custom->type->custom->release != NULL) { custom->type->custom->release(custom->self); }
    }
    for (made = block->made; made != NULL; made = made->before) { made->row->release(made->field, made->row); }
}

/* The same where stb_ds containers hold some of them. This alone may need memory (more than 24 levels); without it what is
 * deeper is not released. */
static void pytree__release_walking(pytree t, const pytree_allocator *a)
{
    pytree_options opt;
    pytree__cursor c;
    const pytree_leaf *value;
    bool begun = false;
    pytree_status status;
    memset(&opt, 0, sizeof opt);
    opt.allocator = a;
    pytree__cursor_init(&c, &opt, NULL);
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK) {
        int at = pytree__step(&c, &begun, &value, &status);
        if (at == PYTREE__DONE) { break; }
        if (at == PYTREE__AT_NODE) { status = pytree__open(&c, value); }
        if (at == PYTREE__AT_END) {
            const pytree__frame *f = &c.frames[c.n_frames - 1];
            unsigned i;
            for (i = 0; f->form == PYTREE_FORM_STRUCT && i < f->type->n_fields; i++) {
                const pytree_field *row = &f->type->fields[i];
                if (row->row == PYTREE_ROW_DATA && row->place == PYTREE_STB) {
                    row->release((char *)(uintptr_t)f->self + row->offset, row);
                }
            }
            if (f->form == PYTREE_FORM_CUSTOM && f->type->custom->release != NULL) {
                f->type->custom->release((void *)(uintptr_t)f->self);
            }
            pytree__close(&c);
        }
    }
    pytree__cursor_end(&c);
}

void pytree_free(pytree t)
{
    struct pytree__block *block = NULL;
    if (t.type == NULL || t.data == NULL) { return; }
    if (t.type->origin != NULL && t.type != t.type->origin && t.type->flatten == t.type->origin->flatten
        && t.type->name == t.type->origin->name && (t.type->kind != PYTREE_KIND_STRUCT || t.type->flatten != NULL)) {
        block = (struct pytree__block *)(void *)((char *)(uintptr_t)t.type - offsetof(struct pytree__block, type));
    } else if (t.type->kind == PYTREE_KIND_STRUCT) {
        bool array = false;
        char *first = pytree__first_pointer(t.type, (const char *)t.data, &array);
        if (first == NULL) { return; }
        if (array) { block = (struct pytree__block *)(void *)first - 1; }
        else {
            uint64_t distance;
            memcpy(&distance, first - 16, sizeof distance);
            block = (struct pytree__block *)(void *)(first + distance);
        }
    }
    if (block == NULL || block->magic != PYTREE__MAGIC) { return; }
    if (block->root == NULL) { pytree__forget(t.type, (char *)t.data); }
    else if (block->nested) { pytree__release_walking(t, block->allocator); }
    else { pytree__release(block); }
    block->magic = 0;
    pytree__resize(block->allocator, block->base, block->bytes, 0);
}

/* ---- Iterate and map -------------------------------------------------------------------------------------------------- */

static pytree_status pytree__iter_fail(pytree_iter *it, pytree_status status)
{
    it->status = status;
    it->cursors[0].run = 0;
    return status;
}

/* What differs between the value at hand in the first tree and in tree k. */
static pytree_status pytree__unlike(pytree_iter *it, size_t k, const pytree_leaf *expected, const pytree_leaf *got,
                                    const char *how)
{
    char a[160], b[160];
    if (expected->form == PYTREE_FORM_LEAF || expected->form == PYTREE_FORM_NONE) {
        pytree__leaf_text(a, sizeof a, expected);
    } else {
        snprintf(a, sizeof a, "%.150s", pytree__view_name(expected));
    }
    if (got->form == PYTREE_FORM_LEAF || got->form == PYTREE_FORM_NONE) {
        pytree__leaf_text(b, sizeof b, got);
    } else {
        snprintf(b, sizeof b, "%.150s", pytree__view_name(got));
    }
    return pytree__iter_fail(it, pytree__problem(&it->cursors[0], PYTREE_STRUCTURE,
                                                 "expected %s as in the first tree, got %s in tree %zu%s", a, b, k, how));
}

pytree_status pytree_iter_begin(pytree_iter *it, size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    size_t k;
    it->leaf = it->own_views;
    it->out = NULL;
    it->n = it->n_cursors = n;
    it->index = SIZE_MAX;
    it->status = PYTREE_OK;
    it->cursors = it->own_cursors;
    it->views = it->own_views;
    it->block = 0;
    it->begun = it->checked = it->up_to = false;
    it->cursors[0].run = 0;
    it->allocator = pytree__allocator(opt);
    pytree__plans_init(&it->plans);
    if (n == 0 || trees == NULL) {
        it->n_cursors = 0;
        return pytree__iter_fail(it, pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at least one tree, got none"));
    }
    if (n > PYTREE__TREES) {
        size_t each = sizeof(pytree__cursor) + sizeof(pytree_leaf *);
        char *block = n > SIZE_MAX / each ? NULL : (char *)pytree__resize(it->allocator, NULL, 0, n * each);
        if (block == NULL) { it->n_cursors = 0; return pytree__iter_fail(it, pytree__no_memory(err, pytree__times(n, each))); }
        it->block = n * each;
        it->cursors = (pytree__cursor *)(void *)block;
        it->views = (const pytree_leaf **)(void *)(block + n * sizeof(pytree__cursor));
        it->leaf = it->views;
    }
    for (k = 0; k < n; k++) { pytree__cursor_init(&it->cursors[k], opt, err); }
    for (k = 0; k < n && it->status == PYTREE_OK; k++) { it->status = pytree__cursor_root(&it->cursors[k], trees[k]); }
    return it->status;
}

void pytree_iter_end(pytree_iter *it)
{
    size_t k;
    for (k = 0; k < it->n_cursors; k++) { pytree__cursor_end(&it->cursors[k]); }
    if (it->block != 0) { pytree__resize(it->allocator, it->cursors, it->block, 0); }
    it->n_cursors = it->block = 0;
}

/* Of a namedtuple or a default dict. */
static const char *pytree__frame_name(const pytree__frame *f)
{
    const char *name = f->name;
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        name = pytree__string_at(flat->def->statics + flat->def->nodes[f->shape[0]].meta, 0, NULL);
    }
    return name != NULL ? name : f->type->kind == PYTREE_KIND_NAMEDTUPLE ? "namedtuple" : "None";
}

/* Of a custom node. */
static const unsigned char *pytree__frame_metadata(const pytree__cursor *c, const pytree__frame *f, size_t *bytes)
{
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        const unsigned char *at = flat->def->statics + flat->def->nodes[f->shape[0]].meta;
        *bytes = pytree__u32(at);
        return at + sizeof(uint32_t);
    }
    *bytes = f->shape[0];
    return pytree__held_metadata(c, f);
}

/* Of a deque. */
static size_t pytree__frame_maxlen(const pytree__frame *f)
{
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        return pytree__maxlen(flat->def->statics + flat->def->nodes[f->shape[0]].meta);
    }
    return f->shape[0];
}

static pytree_status pytree__other_statics(pytree_iter *it, size_t k)
{
    const pytree__cursor *c = &it->cursors[0];
    return pytree__iter_fail(it, pytree__problem(&it->cursors[0], PYTREE_STRUCTURE,
                                                 "expected %s with the static values of the first tree, got others in tree %zu",
                                                 c->frames[c->n_frames - 1].type->name, k));
}

/* A child's key as a message names it. */
static void pytree__put_child(struct pytree__text *to, const pytree_entry *entry)
{
    if (entry->kind == PYTREE_ATTRIBUTE || entry->kind == PYTREE_KEY || entry->kind == PYTREE_INT_KEY) {
        pytree__put_key(to, entry, entry->kind == PYTREE_INT_KEY ? 0 : strlen(entry->name));
    } else {
        pytree__put_entry(to, entry, NULL, true);
    }
}

/* Do the nodes that tree 0 and tree k have just opened agree in type, number of children, keys and static values? */
static pytree_status pytree__iter_agree(pytree_iter *it, size_t k)
{
    const pytree__cursor *a = &it->cursors[0], *b = &it->cursors[k];
    const pytree__frame *f = &a->frames[a->n_frames - 1], *g = &b->frames[b->n_frames - 1];
    pytree_kind kind;                     /* of the node; a list's frame has its elements' type */
    size_t i;
    if (f->count != g->count) {
        return pytree__iter_fail(it, pytree__problem(&it->cursors[0], PYTREE_STRUCTURE,
                                                     "expected %zu children as in the first tree, got %zu in tree %zu",
                                                     f->count, g->count, k));
    }
    if (f->form == PYTREE_FORM_STRUCT && g->form == PYTREE_FORM_STRUCT) {
        const pytree_type *type = f->type;
        if (f->self != g->self && !pytree__same_statics(type, (const char *)f->self, (const char *)g->self)) {
            return pytree__other_statics(it, k);
        }
        return PYTREE_OK;
    }
    if (f->form == PYTREE_FORM_STRUCT || g->form == PYTREE_FORM_STRUCT) {     /* a struct beside a pytree_flat */
        const pytree__frame *s = f->form == PYTREE_FORM_STRUCT ? f : g, *p = s == f ? g : f;
        const pytree_flat *flat = (const pytree_flat *)(const void *)p->data;
        const unsigned char *packed = flat->def->statics + flat->def->nodes[p->shape[0]].meta;
        if (pytree__match_packed(s->type, (const char *)s->self, packed) == NULL) {
            return pytree__other_statics(it, k);
        }
        return PYTREE_OK;
    }
    if (f->type->kind == PYTREE_KIND_STRUCT && f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *x = (const pytree_flat *)(const void *)f->data, *y = (const pytree_flat *)(const void *)g->data;
        size_t n = pytree__statics_size(x->def, f->shape[0]);
        if (n != pytree__statics_size(y->def, g->shape[0])
            || memcmp(x->def->statics + x->def->nodes[f->shape[0]].meta, y->def->statics + y->def->nodes[g->shape[0]].meta, n)
                   != 0) {
            return pytree__other_statics(it, k);
        }
        return PYTREE_OK;
    }
    kind = pytree__type_of_form(f->form, f->type)->kind;
    if (kind == PYTREE_KIND_DEQUE && !it->up_to && pytree__frame_maxlen(f) != pytree__frame_maxlen(g)) {
        return pytree__other_statics(it, k);
    }
    if (kind == PYTREE_KIND_CUSTOM) {
        size_t m, n;
        const unsigned char *x = pytree__frame_metadata(a, f, &m), *y = pytree__frame_metadata(b, g, &n);
        if (m != n || memcmp(x, y, n) != 0) { return pytree__other_statics(it, k); }
    }
    if (kind == PYTREE_KIND_NAMEDTUPLE || kind == PYTREE_KIND_DEFAULTDICT) {
        const char *x = pytree__frame_name(f), *y = pytree__frame_name(g);
        if (strcmp(x, y) != 0) {
            return pytree__iter_fail(it,
                                     pytree__problem(&it->cursors[0], PYTREE_STRUCTURE,
                                                     "expected %.60s as in the first tree, got %.60s in tree %zu", x, y, k));
        }
    }
    for (i = 0; i < f->count; i++) {
        pytree_entry x, y;
        if (f->from == PYTREE__FROM_ROW && g->from == PYTREE__FROM_ROW) { break; }
        pytree__frame_entry(a, f, i, &x);
        pytree__frame_entry(b, g, i, &y);
        if (!pytree__same_entry(&x, &y)) {
            char p[80], q[80];
            struct pytree__text to = pytree__text_to(p, sizeof p, NULL);
            pytree__put_child(&to, &x);
            pytree__end_text(&to, sizeof p);
            to = pytree__text_to(q, sizeof q, NULL);
            pytree__put_child(&to, &y);
            pytree__end_text(&to, sizeof q);
            return pytree__iter_fail(it, pytree__problem(&it->cursors[0], PYTREE_STRUCTURE,
                                                         "expected key %s as in the first tree, got %s in tree %zu", p, q, k));
        }
    }
    return PYTREE_OK;
}

/* Opens the node at hand in every tree; a tree that has something else there differs. */
static pytree_status pytree__iter_open(pytree_iter *it, size_t n, const pytree_leaf **values, bool check)
{
    const pytree_type *type = pytree__node_type(values[0]);
    size_t k;
    /* Opening may move a tree's views, so that values[k] must not be looked at after tree k is open: its frame tells. */
    for (k = 1; k < n; k++) {
        const pytree_type *mine = pytree__node_type(values[k]);
        if (PYTREE__UNLIKELY(values[k]->form == PYTREE_FORM_LEAF || values[k]->form == PYTREE_FORM_NONE
                             || (mine != type && !pytree_type_equal(mine, type)))) {
            return pytree__unlike(it, k, values[0], values[k], "");
        }
    }
    for (k = 0; k < n && it->status == PYTREE_OK; k++) { it->status = pytree__open(&it->cursors[k], values[k]); }
    check = check || type->kind == PYTREE_KIND_CUSTOM;         /* whose callbacks are asked anew each time */
    for (k = 1; check && k < n && it->status == PYTREE_OK; k++) { pytree__iter_agree(it, k); }
    return it->status;
}

/* Has the struct at hand in each tree the same None and the same static values, and is it sound? */
PYTREE__INLINE bool pytree__iter_alike(pytree_iter *it, const size_t n, const pytree_leaf **values)
{
    const pytree_type *const type = values[0]->type;
    const pytree__plan *plan;
    size_t k, odd = 0;
    for (k = 0; k < n; k++) { odd |= type->flatten(values[k]->data, NULL, NULL, PYTREE__SOUND).odd; }
    if (PYTREE__UNLIKELY((odd & (PYTREE__ODD | PYTREE__HAS_NODE)) != 0)) { return false; }
    if (n == 1) { return true; }
    plan = pytree__plan_of(&it->plans, type);
    return PYTREE__LIKELY(plan->n_nodes != 0) && pytree__plan_alike(&it->plans, plan, n, values);
}

/* The structs that follow in rows, which every tree has, as long as they are alike. */
PYTREE__INLINE void pytree__iter_rows_alike(pytree_iter *it, const size_t n, const pytree_leaf **values)
{
    pytree__cursor *const c = it->cursors;
    const size_t size = values[0]->type->size;
    size_t k;
    for (k = 0; k < n; k++) {
        if (values[k] != &c[k].child || c[k].n_frames == 0
            || c[k].frames[c[k].n_frames - 1].from != PYTREE__FROM_ROW) {
            return;
        }
    }
    while (c->frames[c->n_frames - 1].next < c->frames[c->n_frames - 1].count) {
        for (k = 0; k < n; k++) {
            c[k].child.data = (char *)c[k].child.data + size;
            c[k].frames[c[k].n_frames - 1].next++;
        }
        if (PYTREE__UNLIKELY(!pytree__iter_alike(it, n, values))) {            /* it comes once more, for the error */
            for (k = 0; k < n; k++) { c[k].frames[c[k].n_frames - 1].next--; }
            return;
        }
    }
}

/* The next struct in such rows takes the place of the one that is done with: its first leaf is at hand. False: it does not. */
PYTREE__INLINE bool pytree__iter_next_in_row(pytree_iter *it, const size_t n)
{
    pytree__cursor *const c = it->cursors;
    const pytree__frame *const top = &c->frames[c->n_frames - 1];
    const pytree_type *const type = top->type;
    size_t k, count = 0;
    if (!top->deep || c->n_frames == 1 || (n > 1 && !it->checked)) { return false; }
    for (k = 0; k < n; k++) {
        pytree__frame *f = &c[k].frames[c[k].n_frames - 1], *row = f - 1;
        pytree_leaf *const views = c[k].views + f->views;
        pytree__seen seen;
        if (row->from != PYTREE__FROM_ROW || row->type != type || row->next == row->count) { return false; }
        seen = type->flatten(row->data + row->next * type->size, views, c[k].views + c[k].max_views,
                             PYTREE__DEEP | PYTREE__DROP_NONE);
        if (k == 0) { count = (size_t)(seen.end - views); }
        if (PYTREE__UNLIKELY((size_t)(seen.end - views) != count || count == 0
                             || (seen.odd & (PYTREE__ODD | PYTREE__HAS_NODE)) != 0)) {
            return false;
        }
    }
    for (k = 0; k < n; k++) {
        pytree__frame *f = &c[k].frames[c[k].n_frames - 1], *row = f - 1;
        f->self = row->data + row->next++ * type->size;
        f->next = f->count = count;
        c[k].n_views = f->views + count;
        it->views[k] = c[k].views + f->views;
    }
    c->run = count - 1;
    it->index++;
    return true;
}

/* A struct that is seen deep, the same in every tree, without the ceremony of opening: it cannot be part of a cycle, and where
 * only structure is checked it needs no frame either. AT_LEAF: its first leaf is at hand, and more may follow side by side
 * (`run`); AT_NODE: it is done with; DONE: it must be opened the long way. */
PYTREE__INLINE int pytree__iter_closed(pytree_iter *it, const size_t n, const pytree_leaf **values, const bool checking)
{
    const pytree_type *const type = values[0]->type;
    pytree__cursor *c = it->cursors;
    size_t k, count = 0;
    for (k = 0; k < n; k++) {
        if (PYTREE__UNLIKELY(values[k]->form != PYTREE_FORM_STRUCT || values[k]->type != type
                             || c[k].n_frames == c[k].max_frames)) {
            return PYTREE__DONE;
        }
    }
    if (checking || (n > 1 && !it->checked)) {
        if (!pytree__iter_alike(it, n, values)) { return PYTREE__DONE; }
        if (checking) {
            pytree__iter_rows_alike(it, n, values);
            return PYTREE__AT_NODE;
        }
    }
    for (k = 0; k < n; k++) {
        pytree_leaf *views = c[k].views + c[k].n_views;
        pytree__seen seen =
            type->flatten(values[k]->data, views, c[k].views + c[k].max_views, PYTREE__DEEP | PYTREE__DROP_NONE);
        if (k == 0) { count = (size_t)(seen.end - views); }
        /* None where the first tree has a leaf is a deeper tree; the other way round was found to be wrong before */
        if (PYTREE__UNLIKELY((size_t)(seen.end - views) != count || (seen.odd & (PYTREE__ODD | PYTREE__HAS_NODE)) != 0)) {
            return PYTREE__DONE;
        }
    }
    if (count == 0) { return PYTREE__AT_NODE; }
    for (k = 0; k < n; k++) {
        pytree__frame *f = &c[k].frames[c[k].n_frames++];
        f->type = type;
        f->self = values[k]->data;
        f->count = count;
        f->views = c[k].n_views;
        f->form = PYTREE_FORM_STRUCT;
        f->from = PYTREE__FROM_VIEWS;
        f->deep = true;
        f->ordered = f->numbered = false;
        f->next = count;                  /* of which `run` are still to come */
        values[k] = &c[k].views[f->views];
        c[k].n_views += count;
    }
    c->run = count - 1;
    it->index++;
    return PYTREE__AT_LEAF;
}

/* On to the next of the leaves that lie side by side. */
PYTREE__INLINE void pytree__slide(pytree_iter *it, const size_t n)
{
    const pytree_leaf **values = it->views;
    size_t k;
    it->index++;
    switch (n) {
    case 1: values[0]++; break;
    case 4: values[3]++;                  /* fallthrough */
    case 3: values[2]++;                  /* fallthrough */
    case 2: values[1]++; values[0]++; break;
    default: for (k = 0; k < n; k++) { values[k]++; }
    }
}

/* The next leaf. Where a struct is seen deep in every tree the views of its leaves lie side by side: those come without looking
 * (`run`), and are passed over where only structure is to be checked. */
PYTREE__INLINE bool pytree__advance(pytree_iter *it, const size_t n, const bool checking)
{
    pytree__cursor *c = it->cursors;
    const pytree_leaf **values = it->views;
    size_t k;
    if (!checking && c->run != 0) {
        c->run--;
        pytree__slide(it, n);
        return true;
    }
    if (PYTREE__UNLIKELY(it->status != PYTREE_OK || n == 0)) { return false; }
    for (;;) {
        int sort;
        if (PYTREE__UNLIKELY(!it->begun)) {
            it->begun = true;
            for (k = 0; k < n; k++) { values[k] = &c[k].root; }
        } else {
            pytree__frame *f;
            if (c->n_frames == 0) { return false; }
            f = &c->frames[c->n_frames - 1];
            if (f->next == f->count) {
                if (!checking && pytree__iter_next_in_row(it, n)) { return true; }
                for (k = 0; k < n; k++) { pytree__close(&c[k]); }
                continue;
            }
            for (k = 0; k < n; k++) {
                f = &c[k].frames[c[k].n_frames - 1];
                if (f->from == PYTREE__FROM_VIEWS) {
                    values[k] = &c[k].views[f->views + f->next++];
                } else if (f->from == PYTREE__FROM_ROW && f->type->kind == PYTREE_KIND_STRUCT) {
                    pytree_leaf *const child = &c[k].child;
                    child->data = f->data + f->next++ * f->type->size;
                    child->type = f->type;
                    child->ndim = 0;
                    child->form = PYTREE_FORM_STRUCT;
                    values[k] = child;
                } else if (PYTREE__UNLIKELY((it->status = pytree__take(&c[k], &values[k])) != PYTREE_OK)) { return false; }
            }
        }
        if (PYTREE__UNLIKELY(c->opt != NULL && c->opt->space != NULL)) {
            for (k = 0; k < n; k++) { pytree__respace(&c[k], (pytree_leaf *)(uintptr_t)values[k]); }
        }
        if (values[0]->form == PYTREE_FORM_STRUCT && values[0]->type->closed && pytree__plain_walk(c->opt)
            && (c->opt == NULL || !c->opt->none_is_leaf)) {
            int closed = pytree__iter_closed(it, n, values, checking);
            if (closed == PYTREE__AT_LEAF) { return true; }
            if (closed == PYTREE__AT_NODE) { continue; }
        }
        sort = c->opt == NULL ? (values[0]->form == PYTREE_FORM_LEAF   ? PYTREE__A_LEAF
                                 : values[0]->form == PYTREE_FORM_NONE ? PYTREE__A_NONE
                                                                       : PYTREE__A_NODE)
                              : pytree__sort(c, values[0]);
        if (sort == PYTREE__A_LEAF) {
            it->index++;
            return true;
        }
        if (sort == PYTREE__A_FAILURE) { it->status = PYTREE_NO_MEMORY; return false; }
        if (sort == PYTREE__A_NONE) {
            for (k = 1; k < n; k++) {
                if (values[k]->form != PYTREE_FORM_NONE) { pytree__unlike(it, k, values[0], values[k], ""); return false; }
            }
        } else if (pytree__iter_open(it, n, values, checking || !it->checked) != PYTREE_OK) {
            return false;
        }
    }
}

bool pytree_next(pytree_iter *it) { return pytree__advance(it, it->n_cursors, false); }

size_t pytree_iter_path_text(const pytree_iter *it, char *text, size_t n)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    pytree__cursor_text(&it->cursors[0], &to, SIZE_MAX);
    return pytree__end_text(&to, n);
}

size_t pytree_iter_path(const pytree_iter *it, pytree_entry *entries, size_t capacity)
{
    return pytree__cursor_path(&it->cursors[0], entries, capacity);
}

/* Goes once over all trees to find what is wrong with them. With an output, which is the last tree, its leaves must be leaves.
 */
static pytree_status pytree__map_check(pytree_iter *it, size_t n, bool out)
{
    while (it->status == PYTREE_OK && (n == 1 ? pytree__advance(it, 1, true) : pytree__advance(it, n, true))) {
        if (out && it->leaf[n - 1]->form != PYTREE_FORM_LEAF && it->leaf[0]->form != it->leaf[n - 1]->form) {
            it->status = pytree__problem(&it->cursors[0], PYTREE_STRUCTURE, "expected a leaf in the output, got a %s",
                                         pytree__node_type(it->leaf[n - 1])->name);
        }
    }
    return it->status;
}

/* The function for the leaf at hand, and for those that come without looking. */
PYTREE__INLINE pytree_status pytree__map_run(pytree_iter *it, const size_t n, pytree_map_fn *fn, void *context, const bool out)
{
    pytree__cursor *const c = it->cursors;
    size_t left = c->run;
    for (;; pytree__slide(it, n)) {
        pytree_status status;
        if (out) { it->out = it->leaf[n - 1]; }
        status = fn(context, it);
        if (status != PYTREE_OK || left == 0) { return status; }
        c->run = --left;
    }
}

pytree_status pytree_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                         const pytree_options *opt, pytree_error *err)
{
    pytree few[PYTREE__TREES], *all = few;
    size_t count = pytree__plus(n, out != NULL), k;
    pytree_iter it;
    pytree_status status;
    if (fn == NULL || n == 0 || trees == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a function and at least one tree, got NULL or none");
    }
    if (count > PYTREE__TREES) {
        all = (pytree *)pytree__resize(pytree__allocator(opt), NULL, 0, pytree__times(count, sizeof *all));
        if (all == NULL) { return pytree__no_memory(err, pytree__times(count, sizeof *all)); }
    }
    for (k = 0; k < n; k++) { all[k] = trees[k]; }
    if (out != NULL) { all[n] = *out; }
    status = pytree_iter_begin(&it, count, all, opt, err);
    it.up_to = true;
    if (status == PYTREE_OK) { status = pytree__map_check(&it, count, out != NULL); }
    if (status == PYTREE_OK) {            /* once more from the beginning, with the cursors as they have grown */
        it.begun = false;
        it.checked = opt == NULL || opt->is_leaf == NULL;      /* who knows what a predicate says the next time */
        it.index = SIZE_MAX;
        it.n = n;
        for (k = 0; k < count && status == PYTREE_OK; k++) { status = pytree__cursor_root(&it.cursors[k], all[k]); }
        while (status == PYTREE_OK && (count == 1 ? pytree__advance(&it, 1, false) : pytree__advance(&it, count, false))) {
            switch (count) {
            case 1: status = pytree__map_run(&it, 1, fn, context, false); break;
            case 2: status = pytree__map_run(&it, 2, fn, context, out != NULL); break;
            case 4: status = pytree__map_run(&it, 4, fn, context, out != NULL); break;
            default: status = pytree__map_run(&it, count, fn, context, out != NULL); break;
            }
            if (status != PYTREE_OK && err != NULL && err->status == PYTREE_OK) {
                status = pytree__problem(&it.cursors[0], status, "stopped by the callback at leaf %zu", it.index);
            }
        }
        if (status == PYTREE_OK) { status = it.status; }
    }
    pytree_iter_end(&it);
    if (all != few) { pytree__resize(pytree__allocator(opt), all, count * sizeof *all, 0); }
    return status;
}

/* ---- Reduce -------------------------------------------------------------------------------------------------------- */

pytree_status pytree_reduce(pytree_map_fn *fn, void *context, pytree t, const pytree_options *opt, pytree_error *err)
{
    return pytree_map(fn, context, NULL, 1, &t, opt, err);
}

/* A stack of partial results, each over half of what is left of the leaves: [first half][first half of the second] … */
struct pytree__pairwise {
    pytree_status (*leaf)(void *context, const pytree_iter *at, void *value);
    pytree_status (*join)(void *context, void *a, const void *b);
    void *context;
    char *stack;
    size_t size, depth;
    size_t first[64], count[64];          /* the open ranges of leaves, from the whole to the one at hand */
    size_t n_ranges;
};
static pytree_status pytree__pairwise_leaf(void *context, const pytree_iter *at)
{
    struct pytree__pairwise *p = (struct pytree__pairwise *)context;
    pytree_status status;
    while (p->count[p->n_ranges - 1] > 1) {                    /* down to the range of this leaf alone */
        size_t k = p->n_ranges++;
        p->first[k] = p->first[k - 1];
        p->count[k] = p->count[k - 1] / 2;
    }
    status = p->leaf(p->context, at, p->stack + p->depth++ * p->size);
    while (status == PYTREE_OK && p->n_ranges > 1) {
        size_t k = p->n_ranges - 1, whole = p->count[k - 1], half = whole / 2;
        if (p->first[k] == p->first[k - 1]) {                  /* that was a first half: now the second */
            p->first[k] += half;
            p->count[k] = whole - half;
            break;
        }
        p->depth--;
        status = p->join(p->context, p->stack + (p->depth - 1) * p->size, p->stack + p->depth * p->size);
        p->n_ranges--;
    }
    return status;
}

pytree_status pytree_reduce_pairwise(pytree_status (*leaf)(void *context, const pytree_iter *at, void *value),
                                     pytree_status (*join)(void *context, void *a, const void *b), void *context, size_t size,
                                     void *result, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__pairwise p;
    size_t n, bytes = pytree__times(66, size);
    pytree_status status;
    if (leaf == NULL || join == NULL || result == NULL || size == 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected two functions and a place for the result, got NULL or 0");
    }
    status = pytree__count_leaves(t, NULL, 0, &n, opt, err);
    if (status != PYTREE_OK) { return status; }
    if (n == 0) { return pytree_fail(err, PYTREE_EMPTY, NULL, "expected at least one leaf, got none"); }
    p.leaf = leaf;
    p.join = join;
    p.context = context;
    p.size = size;
    p.depth = 0;
    p.first[0] = 0;
    p.count[0] = n;
    p.n_ranges = 1;
    p.stack = (char *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (p.stack == NULL) { return pytree__no_memory(err, bytes); }
    status = pytree_map(pytree__pairwise_leaf, &p, NULL, 1, &t, opt, err);
    if (status == PYTREE_OK) { memcpy(result, p.stack, size); }
    pytree__resize(pytree__allocator(opt), p.stack, bytes, 0);
    return status;
}

/* Floats of 16 bits. */
static inline double pytree__of_f16(uint16_t bits)
{
    const uint64_t sign = (uint64_t)(bits >> 15) << 63, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const uint64_t wide = sign | (exponent == 31 ? 2047 : exponent + 1008) << 52 | fraction << 42;
    double v;
    if (exponent == 0) { return sign != 0 ? -ldexp((double)fraction, -24) : ldexp((double)fraction, -24); }
    memcpy(&v, &wide, sizeof v);
    return v;
}

static inline double pytree__of_bf16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return (double)v;
}

/* The nearest 16-bit float with that many bits of `mantissa`, 10 or 7, ties to even. Rounded once, from a value that is exact:
 * by way of a float it would be twice. */
static inline uint16_t pytree__to_half(double value, int mantissa)
{
    uint64_t bits, magnitude, rest, half;
    int most = (1 << (15 - mantissa)) - 1, e, shift = 52 - mantissa;
    uint16_t sign;
    memcpy(&bits, &value, sizeof bits);
    sign = (uint16_t)(bits >> 63 << 15);
    e = (int)(bits >> 52 & 0x7FF);
    bits &= ((uint64_t)1 << 52) - 1;
    if (e == 0x7FF) {                                          /* infinite; a NaN stays one, and becomes quiet */
        uint64_t nan = bits == 0 ? 0 : bits >> shift | (uint64_t)1 << (mantissa - 1);
        return (uint16_t)(sign | (uint64_t)most << mantissa | nan);
    }
    e += most / 2 - 1023;
    if (e >= most) { return (uint16_t)(sign | (uint64_t)most << mantissa); }
    if (e <= 0) {                                              /* without the hidden bit: what is shifted out more is lost */
        if (e < -mantissa) { return sign; }
        bits |= (uint64_t)1 << 52;
        shift += 1 - e;
        e = 0;
    }
    magnitude = ((uint64_t)e << mantissa) + (bits >> shift);
    rest = bits & (((uint64_t)1 << shift) - 1);
    half = (uint64_t)1 << (shift - 1);
    magnitude += rest > half || (rest == half && (magnitude & 1) != 0);      /* carries into the exponent as it should */
    return (uint16_t)(sign | magnitude);
}

double pytree_leaf_get(const pytree_leaf *leaf, size_t i)
{
    const void *p = leaf->data;
    switch (leaf->type->dtype) {
    case PYTREE_BOOL8: return ((const bool *)p)[i];
    case PYTREE_I8: return ((const int8_t *)p)[i];
    case PYTREE_I16: return ((const int16_t *)p)[i];
    case PYTREE_I32: return ((const int32_t *)p)[i];
    case PYTREE_I64: return (double)((const int64_t *)p)[i];
    case PYTREE_U8: return ((const uint8_t *)p)[i];
    case PYTREE_U16: return ((const uint16_t *)p)[i];
    case PYTREE_U32: return ((const uint32_t *)p)[i];
    case PYTREE_U64: return (double)((const uint64_t *)p)[i];
    case PYTREE_F16: return pytree__of_f16(((const pytree_f16 *)p)[i].bits);
    case PYTREE_BF16: return pytree__of_bf16(((const pytree_bf16 *)p)[i].bits);
    case PYTREE_F32: return (double)((const float *)p)[i];
    case PYTREE_F64: return ((const double *)p)[i];
    case PYTREE_FLONG: return (double)((const long double *)p)[i];
    default: return 0;
    }
}

static bool pytree__real(const pytree_type *type) { return type->dtype >= PYTREE_BOOL8 && type->dtype <= PYTREE_FLONG; }

struct pytree__folder {
    double value;
    double lost;                          /* of a sum: what rounding has cost it so far, as Neumaier adds it up */
    size_t count;
    bool flag;
    int what;                             /* 'a'll, 'o'r (any), 's'um, '>' max, '<' min */
    pytree_error *err;
};
static double pytree__sum_range(const pytree_leaf *leaf, size_t from, size_t n)
{
    double sum = 0;
    size_t i;
    if (n > 64) {
        return pytree__sum_range(leaf, from, n / 2) + pytree__sum_range(leaf, from + n / 2, n - n / 2);
    } /* at most 64 deep */
    for (i = 0; i < n; i++) { sum += pytree_leaf_get(leaf, from + i); }
    return sum;
}
static pytree_status pytree__fold_leaf(void *context, const pytree_iter *at)
{
    struct pytree__folder *fold = (struct pytree__folder *)context;
    const pytree_leaf *leaf = at->leaf[0];
    size_t n, i;
    if ((fold->what == 'a' || fold->what == 'o')
        && (leaf->form == PYTREE_FORM_NONE || (leaf->form == PYTREE_FORM_LEAF && leaf->type->dtype == PYTREE_STRING))) {
        n = leaf->form == PYTREE_FORM_NONE ? 1 : pytree_leaf_count(leaf);
        for (i = 0; i < n; i++) {
            const char *s = leaf->form == PYTREE_FORM_NONE ? NULL : ((const char *const *)leaf->data)[i];
            const bool yes = s != NULL && s[0] != '\0';
            fold->flag = fold->what == 'a' ? fold->flag && yes : fold->flag || yes;
        }
        return PYTREE_OK;
    }
    if (leaf->form != PYTREE_FORM_LEAF || !pytree__real(leaf->type)) {
        return pytree__problem(&at->cursors[0], PYTREE_TYPE, "expected real numbers, got %s",
                               leaf->form == PYTREE_FORM_NONE ? "None" : pytree_dtype_name(leaf->type));
    }
    n = pytree_leaf_count(leaf);
    if (fold->what == 's') {
        double v = pytree__sum_range(leaf, 0, n), sum = fold->value + v;
        if (isfinite(sum)) { fold->lost += fabs(fold->value) >= fabs(v) ? (fold->value - sum) + v : (v - sum) + fold->value; }
        fold->value = sum;
        fold->count += n;
        return PYTREE_OK;
    }
    for (i = 0; i < n; i++) {
        double v = pytree_leaf_get(leaf, i);
        switch (fold->what) {
        case 'a': fold->flag = fold->flag && v != 0; break;
        case 'o': fold->flag = fold->flag || v != 0; break;
        case '>':
            if (fold->count == 0 || v > fold->value || v != v) { fold->value = fold->value != fold->value ? fold->value : v; }
            break;
        default:
            if (fold->count == 0 || v < fold->value || v != v) { fold->value = fold->value != fold->value ? fold->value : v; }
            break;
        }
        fold->count++;
    }
    return PYTREE_OK;
}
static pytree_status pytree__fold(struct pytree__folder *fold, int what, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_status status;
    fold->value = fold->lost = 0;
    fold->count = 0;
    fold->flag = what == 'a';
    fold->what = what;
    fold->err = err;
    status = pytree_map(pytree__fold_leaf, fold, NULL, 1, &t, opt, err);
    if (status == PYTREE_OK && fold->count == 0 && (what == '<' || what == '>')) {
        status = pytree_fail(err, PYTREE_EMPTY, NULL, "expected at least one element, got none");
    }
    return status;
}
pytree_status pytree_all(pytree t, bool *result, const pytree_options *opt, pytree_error *err)
{
    struct pytree__folder fold;
    pytree_status status = pytree__fold(&fold, 'a', t, opt, err);
    if (status == PYTREE_OK) { *result = fold.flag; }
    return status;
}
pytree_status pytree_any(pytree t, bool *result, const pytree_options *opt, pytree_error *err)
{
    struct pytree__folder fold;
    pytree_status status = pytree__fold(&fold, 'o', t, opt, err);
    if (status == PYTREE_OK) { *result = fold.flag; }
    return status;
}
static pytree_status pytree__fold_number(int what, pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    struct pytree__folder fold;
    pytree_status status = pytree__fold(&fold, what, t, opt, err);
    if (status == PYTREE_OK) { *result = isfinite(fold.value) ? fold.value + fold.lost : fold.value; }
    return status;
}
pytree_status pytree_sum(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    return pytree__fold_number('s', t, result, opt, err);
}
pytree_status pytree_max(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    return pytree__fold_number('>', t, result, opt, err);
}
pytree_status pytree_min(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    return pytree__fold_number('<', t, result, opt, err);
}

/* ---- Walk ---------------------------------------------------------------------------------------------------------- */

/* A callback with its value and path; the path's entries are `room`, which grows with the depth. */
struct pytree__path_room { pytree_entry few[64], *entries; size_t max; };
static pytree_status pytree__call(pytree__cursor *c, struct pytree__path_room *room,
                                  int (*fn)(void *, const pytree_leaf *, const pytree_path *), void *context,
                                  const pytree_leaf *value, size_t depth, int *answer)
{
    pytree_path path;
    size_t n;
    if (depth > room->max) {
        const pytree_allocator *a = pytree__allocator(c->opt);
        size_t bytes = pytree__times(2 * depth, sizeof *room->entries);
        pytree_entry *grown = (pytree_entry *)pytree__resize(a, room->entries == room->few ? NULL : room->entries,
                                                             room->entries == room->few ? 0 : room->max * sizeof *grown, bytes);
        if (grown == NULL) { return pytree__no_memory(c->err, bytes); }
        room->entries = grown;
        room->max = 2 * depth;
    }
    n = pytree__cursor_path(c, room->entries, depth);
    path.n = n < depth ? n : depth;
    path.entries = room->entries;
    *answer = fn(context, value, &path);
    return PYTREE_OK;
}

pytree_status pytree_walk(pytree t, const pytree_visitor *visitor, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    struct pytree__path_room room;
    const pytree_leaf *value;
    bool begun = false;
    pytree_status status;
    if (visitor == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a visitor, got NULL"); }
    room.entries = room.few;
    room.max = 64;
    pytree__cursor_init(&c, opt, err);
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK) {
        int at = pytree__step(&c, &begun, &value, &status), answer = PYTREE_WALK_ON;
        if (at == PYTREE__DONE || at == PYTREE__FAILED) { break; }
        if (at == PYTREE__AT_END) {
            const pytree__frame *f = &c.frames[c.n_frames - 1];
            pytree_leaf node;
            memset(&node, 0, sizeof node);
            node.data = (void *)(uintptr_t)f->self;
            node.type = f->type;
            node.form = pytree__form_in(f);
            node.ndim = f->form == PYTREE_FORM_LIST || f->form == PYTREE_FORM_TUPLE;
            node.shape[0] = f->count;
            if (f->form == PYTREE_FORM_MAP || f->form == PYTREE_FORM_FLAT) { memcpy(node.shape, f->shape, sizeof f->shape); }
            if (visitor->leave != NULL) {
                status = pytree__call(&c, &room, visitor->leave, visitor->context, &node, c.n_frames - 1, &answer);
            }
            pytree__close(&c);
        } else {
            if (visitor->enter != NULL) {
                status = pytree__call(&c, &room, visitor->enter, visitor->context, value, c.n_frames, &answer);
            }
            if (status == PYTREE_OK && answer == PYTREE_WALK_ON && at == PYTREE__AT_NODE) { status = pytree__open(&c, value); }
            if (status == PYTREE_OK && answer == PYTREE_WALK_ON && at == PYTREE__AT_NONE && visitor->leave != NULL) {
                status = pytree__call(&c, &room, visitor->leave, visitor->context, value, c.n_frames, &answer);
            }
        }
        if (status == PYTREE_OK && answer > 0) {
            status = pytree__problem(&c, (pytree_status)answer, "stopped by the callback");
        }
    }
    if (room.entries != room.few) { pytree__resize(pytree__allocator(opt), room.entries, room.max * sizeof *room.entries, 0); }
    pytree__cursor_end(&c);
    return status;
}

pytree_status pytree_children(pytree t, pytree_leaf *children, pytree_entry *keys, size_t capacity, size_t *count,
                              const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree_status status;
    size_t i, unwanted;
    if (count == NULL) { count = &unwanted; }
    *count = 0;
    pytree__cursor_init(&c, opt, err);
    status = pytree__cursor_root(&c, t);
    if (status == PYTREE_OK) {
        int sort;
        if (opt != NULL && opt->space != NULL) { pytree__respace(&c, &c.root); }
        sort = pytree__sort(&c, &c.root);
        if (sort == PYTREE__A_LEAF) {
            status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a node, got a leaf (%s)",
                                 c.root.type == NULL ? "None" : c.root.type->name);
        } else if (sort == PYTREE__A_FAILURE) {
            status = PYTREE_NO_MEMORY;
        } else if (sort == PYTREE__A_NODE) {
            status = pytree__open(&c, &c.root);
            if (status == PYTREE_OK) { *count = c.frames[0].count; }
            for (i = 0; status == PYTREE_OK && i < *count && i < capacity; i++) {
                const pytree_leaf *value;
                status = pytree__take(&c, &value);
                if (status != PYTREE_OK) { break; }
                if (children != NULL) { memset(&children[i], 0, sizeof children[i]); pytree__copy_view(&children[i], value); }
                if (keys != NULL) {
                    pytree__frame_entry(&c, &c.frames[0], i, &keys[i]);
                    /* the keys' texts stay the tree's own: their pointers are what is copied */
                }
            }
        }
    }
    pytree__cursor_end(&c);
    return status;
}

/* ---- Compare and check --------------------------------------------------------------------------------------------- */

static bool pytree__near(double x, double y, const pytree_tolerance *tolerance)
{
    if (x == y) { return true; }
    if (tolerance == NULL) { return false; }
    if (x != x || y != y) { return tolerance->nan_equal && x != x && y != y; }
    if (isinf(x) || isinf(y)) { return false; }
    return fabs(x - y) <= tolerance->absolute + tolerance->relative * fabs(y);
}

/* Parts of numbers in a leaf: two for each complex one, none if the type is compared otherwise. The view `out` is of the parts.
 */
static bool pytree__parts(const pytree_leaf *leaf, pytree_leaf *out)
{
    *out = *leaf;
    switch (leaf->type->dtype) {
    case PYTREE_C64: out->type = &pytree_types[PYTREE__T_float_]; return true;
    case PYTREE_C128: out->type = &pytree_types[PYTREE__T_double_]; return true;
    case PYTREE_CLONG: out->type = &pytree_types[PYTREE__T_ldouble]; return true;
    default: return false;
    }
}

/* Index of the first element in which two leaves of one type and shape differ; SIZE_MAX if they are equal. */
static size_t pytree__first_difference(const pytree_leaf *a, const pytree_leaf *b, const pytree_tolerance *tolerance)
{
    size_t n = pytree_leaf_count(a), size = a->type->size, i;
    const char *x = (const char *)a->data, *y = (const char *)b->data;
    const bool loose = tolerance != NULL && (tolerance->relative != 0 || tolerance->absolute != 0);
    pytree_leaf p, q;
    if (pytree__parts(a, &p)) {
        pytree__parts(b, &q);
        for (i = 0; i < 2 * n; i++) {
            if (!pytree__near(pytree_leaf_get(&p, i), pytree_leaf_get(&q, i), tolerance)) { return i / 2; }
        }
        return SIZE_MAX;
    }
    switch (a->type->dtype) {
    case PYTREE_STRING:
        for (i = 0; i < n; i++) {
            const char *s, *t;
            memcpy(&s, x + i * size, sizeof s);
            memcpy(&t, y + i * size, sizeof t);
            if (s != t && (s == NULL || t == NULL || strcmp(s, t) != 0)) { return i; }
        }
        return SIZE_MAX;
    case PYTREE_OPAQUE: {
        const pytree_type *type = pytree__origin(a->type);
        for (i = 0; i < n; i++) {
            if (type->equal != NULL ? !type->equal(x + i * size, y + i * size)
                                    : memcmp(x + i * size, y + i * size, size) != 0) {
                return i;
            }
        }
        return SIZE_MAX;
    }
    case PYTREE_FLONG:
        for (i = 0; i < n; i++) {
            long double s = ((const long double *)a->data)[i], t = ((const long double *)b->data)[i], apart, magnitude;
            if (s == t || (tolerance != NULL && tolerance->nan_equal && s != s && t != t)) { continue; }
            if (!loose || s != s || t != t || isinf(s) || isinf(t)) { return i; }
            apart = s > t ? s - t : t - s;                     /* no calls among these: tcc 0.9.27 loses what they interrupt */
            magnitude = t < 0 ? -t : t;
            if (apart > (long double)tolerance->absolute + (long double)tolerance->relative * magnitude) { return i; }
        }
        return SIZE_MAX;
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64:
        for (i = 0; i < n; i++) {
            if (!pytree__near(pytree_leaf_get(a, i), pytree_leaf_get(b, i), tolerance)) { return i; }
        }
        return SIZE_MAX;
    default:
        if (n == 0 || memcmp(x, y, n * size) == 0) { return SIZE_MAX; }
        for (i = 0; i < n; i++) {
            if (memcmp(x + i * size, y + i * size, size) != 0
                && (!loose || !pytree__near(pytree_leaf_get(a, i), pytree_leaf_get(b, i), tolerance))) {
                return i;
            }
        }
        return SIZE_MAX;
    }
}

static void pytree__put_value(struct pytree__text *to, const pytree_leaf *leaf, size_t i);

bool pytree_equal(pytree a, pytree b, const pytree_tolerance *tolerance, const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    pytree_iter it;
    both[0] = a;
    both[1] = b;
    if (pytree_iter_begin(&it, 2, both, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it)) {
            const pytree_leaf *x = it.leaf[0], *y = it.leaf[1];
            size_t i;
            it.status = pytree__fits(x, y);
            if (it.status != PYTREE_OK) {
                if (x->form != y->form) { it.status = PYTREE_STRUCTURE; }
                pytree__misfit(&it.cursors[0], it.status, x, y);
            } else if (x->form > PYTREE_FORM_NONE) {
                pytree_options plain;
                memset(&plain, 0, sizeof plain);
                if (opt != NULL) { plain = *opt; }
                plain.is_leaf = NULL;
                if (!pytree_equal(pytree_of_view(x), pytree_of_view(y), tolerance, &plain, NULL)) {
                    it.status =
                        pytree__problem(&it.cursors[0], PYTREE_VALUE,
                                        "expected the subtree %.60s of the first tree, got another", pytree__view_name(x));
                }
            } else if (x->form == PYTREE_FORM_LEAF && (i = pytree__first_difference(x, y, tolerance)) != SIZE_MAX) {
                char m[100], n[100];
                struct pytree__text to = pytree__text_to(m, sizeof m, NULL);
                pytree__put_value(&to, x, i);
                pytree__end_text(&to, sizeof m);
                to = pytree__text_to(n, sizeof n, NULL);
                pytree__put_value(&to, y, i);
                pytree__end_text(&to, sizeof n);
                it.status = pytree__problem(&it.cursors[0], PYTREE_VALUE, "expected %s, got %s at element %zu", m, n, i);
            }
        }
    }
    pytree_iter_end(&it);
    return it.status == PYTREE_OK;
}

/* A step of the walk: a node that was entered or a leaf, with the step that led to its parent. Paths are put together from
 * these. */
struct pytree__reach {
    const char *from, *to;                /* the memory; none for what lies inside its parent's */
    size_t parent;                        /* number of a step; SIZE_MAX at the root */
    size_t order;                         /* number of this one */
    size_t group;
    pytree_entry entry;
};
struct pytree__visit { const void *data; const pytree_type *type; unsigned form; };
struct pytree__reaches {
    struct pytree__reach *steps;          /* in visiting order */
    struct pytree__reach *sorted;         /* those with memory: by group, then in visiting order */
    size_t n, max, n_sorted;
    struct pytree__visit *seen;           /* nodes so far, hashed; at most half full */
    size_t n_seen, max_seen;
    const pytree_allocator *allocator;
    pytree_status status;
    void (*report)(void *context, const pytree_error *problem);
    void *context;
    pytree_status first;
    pytree_error *err;
};

static void pytree__reach_problem(void *context, const pytree_error *problem)
{
    struct pytree__reaches *r = (struct pytree__reaches *)context;
    if (r->first == PYTREE_OK) {
        r->first = problem->status;
        pytree_fail(r->err, problem->status, problem->path, "%s", problem->message);
    }
    if (r->report != NULL) { r->report(r->context, problem); }
}

/* The bytes that a value takes where it lies; none for what lies inside its parent, whose bytes those are. */
static size_t pytree__reach_bytes(const pytree__cursor *c, const pytree_leaf *v)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const pytree_field *row = f != NULL && f->form == PYTREE_FORM_STRUCT ? pytree__data_row(f->type, f->next - 1) : NULL;
    if (f != NULL && (f->from == PYTREE__FROM_ROW || f->form == PYTREE_FORM_MAP)) { return 0; }
    if (f != NULL && f->form == PYTREE_FORM_CUSTOM && (const char *)v->data >= (const char *)f->self
        && (const char *)v->data < (const char *)f->self + f->type->size) {
        return 0;                         /* a member of the custom node itself */
    }
    if (row != NULL && row->place == PYTREE_IN_PLACE && row->form != PYTREE_FORM_REF && row->form != PYTREE_FORM_VIEW
        && row->form != PYTREE_FORM_FLAT) {
        return 0;
    }
    switch (v->form) {
    case PYTREE_FORM_LEAF: return pytree_leaf_bytes(v);
    case PYTREE_FORM_STRUCT: return v->type->size;
    case PYTREE_FORM_LIST: return v->shape[0] * v->type->size;
    case PYTREE_FORM_MAP: return v->shape[0] * v->shape[1];
    case PYTREE_FORM_ITEMS: return sizeof(pytree_items);
    default: return 0;
    }
}

/* A step, and the bytes of its path as text. */
static size_t pytree__step_text(const struct pytree__reaches *r, size_t step, char *text, size_t n)
{
    size_t length = 0, i;
    for (i = step; r->steps[i].parent != SIZE_MAX; i = r->steps[i].parent) {
        struct pytree__text count = { NULL, 0, 0, NULL };
        pytree__put_entry(&count, &r->steps[i].entry, NULL, false);
        length += count.length;
    }
    if (n != 0) {
        size_t end = length;
        for (i = step; r->steps[i].parent != SIZE_MAX; i = r->steps[i].parent) {         /* from the last entry to the first */
            struct pytree__text to = { NULL, 0, 0, NULL };
            pytree__put_entry(&to, &r->steps[i].entry, NULL, false);
            end -= to.length;
            if (end < n - 1) {
                to.at = text + end;
                to.room = n - 1 - end;
                to.length = 0;
                pytree__put_entry(&to, &r->steps[i].entry, NULL, false);
            }
        }
        text[length < n ? length : n - 1] = '\0';
    }
    return length;
}

static void pytree__reach_note(struct pytree__reaches *r, const pytree__cursor *c, const pytree_leaf *v)
{
    struct pytree__reach *step;
    size_t bytes = v->data == NULL ? 0 : pytree__reach_bytes(c, v);
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    if (r->n == r->max) {
        void *grown = pytree__array_grow(r->steps, &r->max, r->n == 0 ? 64 : r->n + 1, sizeof *r->steps, r->allocator,
                                         NULL);
        if (grown == NULL) { r->status = PYTREE_NO_MEMORY; return; }
        r->steps = (struct pytree__reach *)grown;
    }
    step = &r->steps[r->n];
    step->from = bytes == 0 ? NULL : (const char *)v->data;
    step->to = bytes == 0 ? NULL : (const char *)v->data + bytes;
    step->parent = f == NULL ? SIZE_MAX : f->leaves;
    step->order = step->group = r->n++;
    if (f != NULL) { pytree__frame_entry(c, f, f->next - 1, &step->entry); }
}

/* Was this node entered before? If not it is from now on. A struct and its first member begin at one address. */
static bool pytree__was_seen(struct pytree__reaches *r, const pytree_leaf *v)
{
    const pytree_type *type = pytree__node_type(v);
    size_t i, k;
    if (2 * (r->n_seen + 1) > r->max_seen) {
        size_t max = r->max_seen == 0 ? 64 : 2 * r->max_seen;
        struct pytree__visit *grown =
            (struct pytree__visit *)pytree__resize(r->allocator, NULL, 0, pytree__times(max, sizeof *grown));
        if (grown == NULL) { r->status = PYTREE_NO_MEMORY; return true; }
        for (i = 0; i < max; i++) { grown[i].data = NULL; }
        for (k = 0; k < r->max_seen; k++) {
            if (r->seen[k].data == NULL) { continue; }
            for (i = (size_t)pytree__mix(0, (uint64_t)(uintptr_t)r->seen[k].data) & (max - 1); grown[i].data != NULL;
                 i = (i + 1) & (max - 1)) {}
            grown[i] = r->seen[k];
        }
        pytree__resize(r->allocator, r->seen, r->max_seen * sizeof *r->seen, 0);
        r->seen = grown;
        r->max_seen = max;
    }
    for (i = (size_t)pytree__mix(0, (uint64_t)(uintptr_t)v->data) & (r->max_seen - 1); r->seen[i].data != NULL;
         i = (i + 1) & (r->max_seen - 1)) {
        if (r->seen[i].data == v->data && r->seen[i].form == v->form && r->seen[i].type == type) { return true; }
    }
    r->seen[i].data = v->data;
    r->seen[i].form = v->form;
    r->seen[i].type = type;
    r->n_seen++;
    return false;
}

static bool pytree__inside_itself(pytree__cursor *c, const pytree_leaf *v)
{
    const pytree_type *type = pytree__origin(v->type);
    size_t i;
    for (i = 0; i < c->n_frames; i++) {
        if (c->frames[i].self == v->data && pytree__form_in(&c->frames[i]) == v->form && c->frames[i].type == type) {
            pytree__problem(c, PYTREE_CYCLE, "expected a tree, got a cycle: this %s is the one %zu levels above it", type->name,
                            c->n_frames - i);
            return true;
        }
    }
    return false;
}

static int pytree__by_address(const void *a, const void *b)
{
    const struct pytree__reach *x = (const struct pytree__reach *)a, *y = (const struct pytree__reach *)b;
    uintptr_t p = (uintptr_t)x->from, q = (uintptr_t)y->from;
    return p < q ? -1 : p > q ? 1 : x->order < y->order ? -1 : x->order > y->order;
}
static int pytree__by_group(const void *a, const void *b)
{
    const struct pytree__reach *x = (const struct pytree__reach *)a, *y = (const struct pytree__reach *)b;
    return x->group < y->group ? -1 : x->group > y->group ? 1 : x->order < y->order ? -1 : x->order > y->order;
}

/* Walks everything. A node that was entered before is noted once more, and not entered again. */
static pytree_status pytree__reach_all(struct pytree__reaches *r, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    struct pytree__watch watch;
    const pytree_leaf *value;
    bool begun = false;
    size_t i, k, group = 0;
    const char *end = NULL;
    pytree_status status;
    watch.problem = pytree__reach_problem;
    watch.context = r;
    pytree__cursor_init(&c, opt, err);
    c.watch = &watch;
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK && r->status == PYTREE_OK) {
        int at = pytree__step(&c, &begun, &value, &status);
        if (at == PYTREE__DONE || at == PYTREE__FAILED) { break; }
        if (at == PYTREE__AT_END) { pytree__close(&c); continue; }
        if (value->form == PYTREE_FORM_NONE) { continue; }
        if (r->n >= UINT32_MAX) {
            status =
                pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected fewer than %lu values, got more", (unsigned long)UINT32_MAX);
            break;
        }
        if (at == PYTREE__AT_NODE && value->data != NULL && value->form != PYTREE_FORM_FLAT && pytree__was_seen(r, value)) {
            if (r->status == PYTREE_OK && !pytree__inside_itself(&c, value)) { pytree__reach_note(r, &c, value); }
        } else {
            uint32_t step = (uint32_t)r->n;
            size_t depth = c.n_frames;
            pytree__reach_note(r, &c, value);
            if (at == PYTREE__AT_NODE && r->status == PYTREE_OK) {
                status = pytree__open(&c, value);
                if (status == PYTREE_OK && c.n_frames > depth) { c.frames[depth].leaves = step; }
            }
        }
    }
    pytree__cursor_end(&c);
    for (i = k = 0; i < r->n; i++) { k += r->steps[i].from != NULL; }
    if (status == PYTREE_OK && r->status == PYTREE_OK && k != 0) {
        r->sorted = (struct pytree__reach *)pytree__resize(r->allocator, NULL, 0, k * sizeof *r->sorted);
        if (r->sorted == NULL) { r->status = PYTREE_NO_MEMORY; }
    }
    if (r->status != PYTREE_OK) { return pytree__no_memory(err, r->n * sizeof *r->steps); }
    if (status != PYTREE_OK || k == 0) { return status; }
    r->n_sorted = k;
    for (i = k = 0; i < r->n; i++) {
        if (r->steps[i].from != NULL) { r->sorted[k++] = r->steps[i]; }
    }
    qsort(r->sorted, r->n_sorted, sizeof *r->sorted, pytree__by_address);
    for (i = 0; i < r->n_sorted; i++) {   /* overlapping stretches are one group, numbered by what was reached first */
        if (end != NULL && (uintptr_t)r->sorted[i].from < (uintptr_t)end) {
            if ((uintptr_t)r->sorted[i].to > (uintptr_t)end) { end = r->sorted[i].to; }
        } else {
            group = i;
            end = r->sorted[i].to;
        }
        r->sorted[i].group = group;
    }
    for (i = 0; i < r->n_sorted; ) {
        size_t first = SIZE_MAX, from = i, g = r->sorted[i].group;
        for (; i < r->n_sorted && r->sorted[i].group == g; i++) {
            if (r->sorted[i].order < first) { first = r->sorted[i].order; }
        }
        for (k = from; k < i; k++) { r->sorted[k].group = first; }
    }
    qsort(r->sorted, r->n_sorted, sizeof *r->sorted, pytree__by_group);
    return PYTREE_OK;
}

static void pytree__reaches_init(struct pytree__reaches *r, const pytree_options *opt, pytree_error *err)
{
    memset(r, 0, sizeof *r);
    r->allocator = pytree__allocator(opt);
    r->err = err;
}
static void pytree__reaches_end(struct pytree__reaches *r)
{
    pytree__resize(r->allocator, r->steps, r->max * sizeof *r->steps, 0);
    pytree__resize(r->allocator, r->sorted, r->n_sorted * sizeof *r->sorted, 0);
    pytree__resize(r->allocator, r->seen, r->max_seen * sizeof *r->seen, 0);
}

pytree_status pytree_check(pytree t, pytree_report_fn *report, void *context, const pytree_options *opt, pytree_error *err)
{
    struct pytree__reaches r;
    pytree_status status;
    size_t i, first = 0;
    pytree__reaches_init(&r, opt, err);
    r.report = report;
    r.context = context;
    status = pytree__reach_all(&r, t, opt, err);
    for (i = 1; status == PYTREE_OK && i < r.n_sorted; i++) {
        pytree_error problem;
        char path[600], other[200];
        if (r.sorted[i].group != r.sorted[i - 1].group) { first = i; continue; }
        pytree__step_text(&r, r.sorted[i].order, path, sizeof path);
        pytree__step_text(&r, r.sorted[first].order, other, sizeof other);
        problem.status = PYTREE_OK;
        pytree_fail(&problem, PYTREE_SHARED, path, "expected memory of its own, got %s %s",
                    r.sorted[first].from == r.sorted[i].from && r.sorted[first].to == r.sorted[i].to ? "that of"
                                                                                                     : "some of that of",
                    other[0] == '\0' ? "the root" : other);
        pytree__reach_problem(&r, &problem);
    }
    if (status == PYTREE_OK) { status = r.first; }
    pytree__reaches_end(&r);
    return status;
}

pytree_duplicates *pytree_find_duplicates(pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__reaches r;
    pytree_duplicates *d = NULL;
    size_t i, k, groups = 0, paths = 0, texts = 0, bytes;
    pytree_status status;
    pytree__reaches_init(&r, opt, err);
    status = pytree__reach_all(&r, t, opt, err);
    if (status == PYTREE_OK) { status = r.first; }             /* the first problem is the error's already */
    for (i = 0; status == PYTREE_OK && i < r.n_sorted; i = k) {
        for (k = i; k < r.n_sorted && r.sorted[k].group == r.sorted[i].group; k++) {}
        if (k - i == 1) { continue; }
        groups++;
        paths += k - i;
        for (; i < k; i++) { texts += pytree__step_text(&r, r.sorted[i].order, NULL, 0) + 1; }
    }
    bytes = sizeof *d + groups * (sizeof(size_t) + sizeof(char **)) + paths * sizeof(char *) + texts;
    if (status == PYTREE_OK) {
        d = (pytree_duplicates *)pytree__resize(r.allocator, NULL, 0, bytes);
        if (d == NULL) { pytree__no_memory(err, bytes); }
    }
    if (d != NULL) {
        size_t *counts = (size_t *)(void *)(d + 1), g = 0;
        const char *const **lists = (const char *const **)(void *)(counts + groups);
        const char **path = (const char **)(void *)(lists + groups);
        char *text = (char *)(path + paths);
        d->n_groups = groups;
        d->counts = counts;
        d->paths = (const char *const *const *)lists;
        d->allocator = r.allocator;
        d->bytes = bytes;
        for (i = 0; i < r.n_sorted; i = k) {
            for (k = i; k < r.n_sorted && r.sorted[k].group == r.sorted[i].group; k++) {}
            if (k - i == 1) { continue; }
            counts[g] = k - i;
            lists[g++] = (const char *const *)path;
            for (; i < k; i++) {
                *path++ = text;
                text += pytree__step_text(&r, r.sorted[i].order, text, texts) + 1;
            }
        }
    }
    pytree__reaches_end(&r);
    return d;
}

void pytree_duplicates_free(pytree_duplicates *d)
{
    if (d != NULL) { pytree__resize(d->allocator, d, d->bytes, 0); }
}

/* ---- Print --------------------------------------------------------------------------------------------------------- */

static void pytree__put_value(struct pytree__text *to, const pytree_leaf *leaf, size_t i)
{
    const char *at = (const char *)leaf->data + i * leaf->type->size;
    const pytree_type *type = pytree__origin(leaf->type);
    if (type->dtype == PYTREE_STRING) {
        const char *s;
        memcpy(&s, at, sizeof s);
        if (s == NULL) { pytree__put(to, "None", 4); } else { pytree__put_repr(to, s, strlen(s)); }
    } else if (type->dtype == PYTREE_OPAQUE) {
        if (type->print != NULL && to->file != NULL) {
            int n = type->print(to->file, at);
            to->length += n < 0 ? 0 : (size_t)n;
        } else {
            pytree__put(to, "<", 1);
            pytree__put_text(to, type->name);
            pytree__put(to, ">", 1);
        }
    } else {
        pytree__put_packed(to, type, (const unsigned char *)at);
    }
}

static pytree_status pytree__put_tree(struct pytree__text *to, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    if (pytree_iter_begin(&it, 1, &t, opt, err) == PYTREE_OK) {
        while (pytree_next(&it)) {
            const pytree_leaf *leaf = it.leaf[0];
            char kind[300];
            size_t begin = to->length;
            pytree__cursor_text(&it.cursors[0], to, SIZE_MAX);
            if (to->length != begin) { pytree__put(to, "  ", 2); }
            if (leaf->form == PYTREE_FORM_LEAF || leaf->form == PYTREE_FORM_NONE) {
                pytree__leaf_text(kind, sizeof kind, leaf);
            } else {
                snprintf(kind, sizeof kind, "<%.200s>", pytree__view_name(leaf));
            }
            pytree__put_text(to, kind);
            if (leaf->form == PYTREE_FORM_LEAF && leaf->ndim == 0) {
                pytree__put(to, " ", 1);
                pytree__put_value(to, leaf, 0);
            }
            pytree__put(to, "\n", 1);
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

pytree_status pytree_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__text to = pytree__text_to(NULL, 0, file);
    size_t n;
    pytree_status status = pytree__count_leaves(t, NULL, 0, &n, opt, err);
    if (status != PYTREE_OK) { return status; }                 /* and nothing is written */
    status = pytree__put_tree(&to, t, opt, err);
    return status == PYTREE_OK ? pytree__written(file, err) : status;
}

size_t pytree_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    pytree_status status = pytree__put_tree(&to, t, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : n == 0 ? to.length : pytree__end_text(&to, n);
}

/* Block of pytree_paths: this, then the pointers, then the texts. */
struct pytree__paths { const pytree_allocator *allocator; size_t bytes; };

/* What a struct's type says of the paths below it: what stands behind the struct's own path, with its NUL, for each leaf in it
 * and in the structs that lie in it; so no node is opened for them. Where a struct is pointed to there is a tail for NULL, and
 * behind it are those of that struct. If there may be other nodes, or too much of this, there is one tail for each child. */
enum { PYTREE__TAILS = 40, PYTREE__TAIL_TEXT = 704, PYTREE__TAIL_POINTERS = 4, PYTREE__TAIL_DEPTH = 8, PYTREE__SLACK = 32 };
struct pytree__tail_pointer {
    const pytree_type *type;
    size_t offset;                        /* of the pointer, in the outermost struct */
    size_t at, n;                         /* NULL's tail among the tails, and how many are behind it */
};
struct pytree__tails {
    const pytree_type *type;
    bool whole;                           /* false: one for each child */
    size_t n, n_pointers;                 /* n 0: there are none to be used */
    struct pytree__tail_pointer pointers[PYTREE__TAIL_POINTERS + 1];         /* and one that is `at` none */
    uint16_t at[PYTREE__TAILS + 1];       /* where each begins */
    char text[PYTREE__TAIL_TEXT + PYTREE__SLACK];
};

/* Where paths are put. The path of the open node at hand stands in `prefix`, of which each frame remembers how much is its own
 * (in `nodes`), so that a leaf adds its last entry alone. A path that is longer than that is put together anew each time. */
enum { PYTREE__PREFIX = 512, PYTREE__NO_PREFIX = 0x7FFFFFFF };
struct pytree__path_writer {
    struct pytree__text to;               /* at NULL: lengths are added up, None counting as a leaf */
    const char **starts;
    size_t count, max;                    /* starts: how many; for how many there is room */
    const char *separator;
    bool none_is_leaf;
    struct pytree__tails known[8];
    char prefix[PYTREE__PREFIX + PYTREE__SLACK];
};

/* Adds the tails of a struct that lies `offset` bytes into the one whose tails they are (SIZE_MAX: it is pointed to); `path`
 * leads to it from there. False: there is no room, or, as a whole, there may be other nodes in it. */
static bool pytree__add_tails(struct pytree__tails *to, const pytree_type *type, size_t offset, const char *separator,
                              char path[UCHAR_MAX + 1], size_t n_path)
{
    const size_t n_separator = strlen(separator);
    unsigned i;
    if (type->flatten == NULL) { return false; }
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        const pytree_type *const inner = to->whole && row->form == PYTREE_FORM_STRUCT ? pytree__origin(row->type) : NULL;
        const size_t n_name = strlen(row->name), n = n_path + n_separator + n_name;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (n >= UCHAR_MAX) { return false; }
        memcpy(path + n_path, separator, n_separator);
        memcpy(path + n_path + n_separator, row->name, n_name + 1);
        if (inner == NULL || row->place != PYTREE_IN_PLACE) {
            const size_t at = to->at[to->n];
            if (to->n == PYTREE__TAILS || n >= PYTREE__TAIL_TEXT - at) { return false; }
            if (to->whole && inner == NULL && row->form != PYTREE_FORM_LEAF) { return false; }
            memcpy(to->text + at, path, n + 1);
            to->at[++to->n] = (uint16_t)(at + n + 1);
        }
        if (inner == NULL) { continue; }
        if (row->place == PYTREE_IN_PLACE) {
            if (!pytree__add_tails(to, inner, offset == SIZE_MAX ? offset : offset + row->offset, separator, path, n)) {
                return false;
            }
        } else {
            struct pytree__tail_pointer *pointer = &to->pointers[to->n_pointers];
            if (offset == SIZE_MAX || to->n_pointers++ == PYTREE__TAIL_POINTERS) { return false; }
            pointer->type = inner;
            pointer->offset = offset + row->offset;
            pointer->at = to->n - 1;
            if (!pytree__add_tails(to, inner, SIZE_MAX, separator, path, n)) { return false; }
            pointer->n = to->n - 1 - pointer->at;
            if (pointer->n == 0) { return false; }
        }
    }
    return true;
}

PYTREE__INLINE const struct pytree__tails *pytree__tails_of(struct pytree__path_writer *w, const pytree_type *type)
{
    const size_t slot = pytree__type_slot(type);
    struct pytree__tails *tails = &w->known[slot & 7];
    char path[UCHAR_MAX + 1];
    size_t i;
    bool fits = false;
    for (i = 0; i < 8; i++) {             /* there, or in one of the next places */
        struct pytree__tails *next = &w->known[(slot + i) & 7];
        if (PYTREE__LIKELY(next->type == type)) { return next; }
        if (next->type == NULL) { tails = next; break; }
    }
    tails->type = type;
    tails->at[0] = 0;
    for (i = 0; i < 2 && !fits; i++) {
        tails->whole = i == 0;
        tails->n = tails->n_pointers = 0;
        fits = pytree__add_tails(tails, type, 0, w->separator == NULL ? "." : w->separator, path, 0);
    }
    tails->pointers[tails->n_pointers].at = SIZE_MAX;
    if (!fits) { tails->n = 0; }
    return tails;
}

/* How much of a tail is left out: the root's children have no separator. */
PYTREE__INLINE size_t pytree__tail_skip(const struct pytree__path_writer *w, size_t n_prefix)
{
    return n_prefix == 0 && w->separator != NULL ? strlen(w->separator) : 0;
}

/* Puts the prefix and a tail of n bytes. What is copied too far is written over, or slack. */
PYTREE__INLINE char *pytree__put_behind(const struct pytree__path_writer *w, char *at, size_t n_prefix, const char *tail,
                                        size_t n)
{
    size_t i;
    memcpy(at, w->prefix, PYTREE__SLACK);
    for (i = PYTREE__SLACK; i < n_prefix; i += 16) { memcpy(at + i, w->prefix + i, 16); }
    at += n_prefix;
    memcpy(at, tail, PYTREE__SLACK);
    if (PYTREE__UNLIKELY(n > PYTREE__SLACK)) { memcpy(at + PYTREE__SLACK, tail + PYTREE__SLACK, n - PYTREE__SLACK); }
    return at + n;
}

/* Puts the paths below a whole struct. Views are made in the room above those of the open nodes, a struct's behind those of the
 * one around it. False, and nothing was put: something is not sound, or there is no room. */
static bool pytree__put_tails(struct pytree__path_writer *w, const pytree__cursor *c, const struct pytree__tails *tails,
                              const void *self, size_t n_prefix, size_t skip)
{
    struct { pytree_leaf *view, *end; } outer[PYTREE__TAIL_DEPTH];           /* what comes next in the structs around it */
    const struct pytree__tail_pointer *pointer = tails->pointers;
    const pytree_type *type = tails->type;
    const char **start = w->starts + w->count;
    char *at = w->to.at + w->to.length;
    pytree_leaf *view = NULL, *end = c->views + c->n_views, *const room = c->views + c->max_views;
    size_t k = 0;
    unsigned depth = 0;
    for (;;) {
        outer[depth].view = view;
        outer[depth].end = end;
        view = end;
        if (type->n_children > (size_t)(room - view) || (pytree__look(type, self, view) & PYTREE__ODD) != 0) { return false; }
        end = view + type->n_children;
        for (;; view++) {
            while (view == end) {
                view = outer[depth].view;
                end = outer[depth].end;
                if (depth-- == 0) {
                    w->count = (size_t)(start - w->starts);
                    w->to.length = (size_t)(at - w->to.at);
                    return true;
                }
            }
            if (view->form == PYTREE_FORM_STRUCT) { break; }
            if (view->form == PYTREE_FORM_LEAF || w->none_is_leaf) {
                const size_t begin = tails->at[k] + skip;
                *start++ = at;
                at = pytree__put_behind(w, at, n_prefix, tails->text + begin, tails->at[k + 1] - begin);
            }
            if (PYTREE__UNLIKELY(k == pointer->at)) { k += pointer++->n; }   /* it is NULL */
            k++;
        }
        type = pytree__origin(view->type);
        if (k == pointer->at && type == pointer->type) {       /* pointed to: one that lies here would have tail k itself */
            k++;
            pointer++;
        }
        self = view->data;
        view++;
        if (++depth == PYTREE__TAIL_DEPTH) { return false; }
    }
}

/* The paths below a struct, without opening it; false: it must be opened. */
static bool pytree__put_struct_paths(struct pytree__path_writer *w, const pytree__cursor *c, const pytree_leaf *value,
                                     uint32_t n_prefix)
{
    const struct pytree__tails *tails;
    size_t n, bytes, skip, i;
    if (value->form != PYTREE_FORM_STRUCT || n_prefix == PYTREE__NO_PREFIX) { return false; }
    tails = pytree__tails_of(w, pytree__origin(value->type));
    if (!tails->whole || tails->n == 0) { return false; }
    n = tails->n;
    bytes = tails->at[n];
    for (i = 0; i < tails->n_pointers; i++) {
        const struct pytree__tail_pointer *pointer = &tails->pointers[i];
        const uint16_t *null = &tails->at[pointer->at];
        const void *p;
        memcpy(&p, (const char *)value->data + pointer->offset, sizeof p);
        n -= p == NULL ? pointer->n : 1;
        bytes -= p == NULL ? (size_t)(null[pointer->n + 1] - null[1]) : (size_t)(null[1] - null[0]);
    }
    skip = pytree__tail_skip(w, n_prefix);
    bytes += n * (n_prefix - skip);
    if (w->to.at != NULL) {
        return w->to.length <= w->to.room && w->to.room - w->to.length >= bytes && w->count <= w->max && w->max - w->count >= n
               && pytree__put_tails(w, c, tails, value->data, n_prefix, skip);
    }
    w->count += n;
    w->to.length += bytes;
    return true;
}

/* The paths of the open struct's children that are leaves, up to one that is a node and becomes the value at hand, or NULL. */
static const pytree_leaf *pytree__put_child_paths(struct pytree__path_writer *w, const pytree__cursor *c, pytree__frame *f,
                                                  const struct pytree__tails *tails)
{
    const size_t n_prefix = f->nodes, skip = pytree__tail_skip(w, n_prefix);
    while (f->next < f->count) {
        const pytree_leaf *view = &c->views[f->views + f->next];
        const size_t begin = tails->at[f->next] + skip, n = tails->at[f->next + 1] - begin;
        f->next++;
        if (view->form != PYTREE_FORM_LEAF && view->form != PYTREE_FORM_NONE) { return view; }
        if (view->form == PYTREE_FORM_NONE && !w->none_is_leaf) { continue; }
        if (w->count < w->max) { w->starts[w->count] = w->to.at + w->to.length; }
        w->count++;
        if (w->to.length <= w->to.room && w->to.room - w->to.length >= n_prefix + n) {
            pytree__put_behind(w, w->to.at + w->to.length, n_prefix, tails->text + begin, n);
            w->to.length += n_prefix + n;
        } else {
            pytree__put(&w->to, w->prefix, n_prefix);
            pytree__put(&w->to, tails->text + begin, n);
        }
    }
    return NULL;
}

/* The path of the child at hand of the open node on top, as a prefix; PYTREE__NO_PREFIX if it is too long. */
static uint32_t pytree__prefix(struct pytree__path_writer *w, const pytree__cursor *c)
{
    const pytree__frame *f;
    struct pytree__text to;
    pytree_entry entry;
    if (c->n_frames == 0) { return 0; }
    f = &c->frames[c->n_frames - 1];
    if (f->nodes == PYTREE__NO_PREFIX) { return PYTREE__NO_PREFIX; }
    to = pytree__text_to(w->prefix, PYTREE__PREFIX + 1, NULL);
    to.length = f->nodes;
    pytree__frame_entry(c, f, f->next - 1, &entry);
    pytree__put_entry(&to, &entry, w->separator, c->n_frames == 1);
    if (to.length == 0) { return PYTREE__NO_PREFIX; }          /* an empty key, which is not the same as no entry */
    return (uint32_t)(to.length > PYTREE__PREFIX ? (size_t)PYTREE__NO_PREFIX : to.length);
}

/* All paths, one after another, each with its NUL; `starts` gets where each begins. */
static pytree_status pytree__put_paths(struct pytree__path_writer *w, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__text *const to = &w->to;
    pytree__cursor c;
    const pytree_leaf *value;
    const bool quick = pytree__plain_walk(opt);
    bool begun = false;
    pytree_status status;
    size_t i;
    w->count = 0;
    pytree__cursor_init(&c, opt, err);
    status = pytree__cursor_root(&c, t);
    while (status == PYTREE_OK) {
        pytree__frame *f = c.n_frames == 0 ? NULL : &c.frames[c.n_frames - 1];
        const struct pytree__tails *tails = NULL;
        int at;
        if (quick && f != NULL && f->form == PYTREE_FORM_STRUCT && f->nodes != PYTREE__NO_PREFIX) {
            tails = pytree__tails_of(w, f->type);
        }
        if (tails != NULL && !tails->whole && tails->n != 0) {
            value = pytree__put_child_paths(w, &c, f, tails);
            at = value == NULL ? PYTREE__AT_END : PYTREE__AT_NODE;
        } else {
            at = pytree__step(&c, &begun, &value, &status);
        }
        if (at == PYTREE__DONE || at == PYTREE__FAILED) { break; }
        if (at == PYTREE__AT_END) {
            pytree__close(&c);
        } else if (at == PYTREE__AT_NODE) {
            uint32_t prefix = pytree__prefix(w, &c);
            if (quick && pytree__put_struct_paths(w, &c, value, prefix)) { continue; }
            status = pytree__open(&c, value);
            if (status == PYTREE_OK) { c.frames[c.n_frames - 1].nodes = prefix; }
        } else if (at == PYTREE__AT_LEAF) {
            size_t n = c.n_frames;
            if (w->count < w->max) { w->starts[w->count] = to->at + to->length; }
            w->count++;
            i = n != 0 && c.frames[n - 1].nodes != PYTREE__NO_PREFIX ? n - 1 : 0;
            if (i != 0) { pytree__add(to, w->prefix, c.frames[i].nodes); }
            for (; i < n; i++) {
                pytree_entry entry;
                pytree__frame_entry(&c, &c.frames[i], c.frames[i].next - 1, &entry);
                pytree__put_entry(to, &entry, w->separator, i == 0);
            }
            pytree__add(to, "", 1);
        }
    }
    pytree__cursor_end(&c);
    return status;
}

const char **pytree_paths(pytree t, const char *separator, size_t *count, const pytree_options *opt, pytree_error *err)
{
    struct pytree__path_writer w;
    struct pytree__paths *head;
    size_t i, bytes;
    if (count != NULL) { *count = 0; }
    w.to = pytree__text_to(NULL, 0, NULL);
    w.starts = NULL;
    w.max = 0;
    w.separator = separator;
    w.none_is_leaf = opt != NULL && opt->none_is_leaf;
    for (i = 0; i < sizeof w.known / sizeof w.known[0]; i++) { w.known[i].type = NULL; }
    if (pytree__put_paths(&w, t, opt, err) != PYTREE_OK) { return NULL; }
    bytes = pytree__plus(pytree__plus(sizeof *head + PYTREE__SLACK, pytree__times(w.count, sizeof(char *))), w.to.length);
    head = bytes == SIZE_MAX ? NULL : (struct pytree__paths *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (head == NULL) { pytree__no_memory(err, bytes); return NULL; }
    head->allocator = pytree__allocator(opt);
    head->bytes = bytes;
    w.starts = (const char **)(void *)(head + 1);
    w.to.at = (char *)(w.starts + w.count);
    w.to.room = w.to.length;
    w.max = w.count;
    w.to.length = 0;
    if (pytree__put_paths(&w, t, opt, err) != PYTREE_OK
        || ((w.count > w.max || w.to.length > w.to.room) && pytree__unsteady(err) != PYTREE_OK)) {
        pytree__resize(head->allocator, head, bytes, 0);
        return NULL;
    }
    if (count != NULL) { *count = w.count; }
    return w.starts;
}

void pytree_paths_free(const char **paths)
{
    if (paths != NULL) {
        struct pytree__paths *head = (struct pytree__paths *)(void *)paths - 1;
        pytree__resize(head->allocator, head, head->bytes, 0);
    }
}

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_IMPLEMENTATION */
