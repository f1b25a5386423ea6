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
 *     pytree_print(stdout, PYTREE(&layer), NULL, NULL);          // .w  f32[784,128] ...
 *     pytree_free(PYTREE(&layer));
 *
 * Language: C11 (gcc, clang, tcc). This header also compiles as C++17; pytree_registry.h is C alone.
 * Needs: the C standard library, and stb_ds.h only for fields that are stb_ds containers.
 * Options: PYTREE_SMALL for microcontrollers, PYTREE_MAX_DIMS, PYTREE_STB_DS and PYTREE_NO_STB_DS, which are explained below;
 * pytree/detail/capacity.h has one for each capacity. Define them alike in every file of a program.
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

/* STB_ARRAY and STB_MAP rows and pytree/containers.h need stb_ds.h; nothing else does. It is included here where the compiler
 * finds it. Compilers without __has_include (tcc 0.9.27) must be told: include stb_ds.h first, or define PYTREE_STB_DS. With
 * PYTREE_NO_STB_DS it is not looked for. */
#if defined(INCLUDE_STB_DS_H)
#define PYTREE__HAS_STB 1
#elif defined(PYTREE_NO_STB_DS)
#define PYTREE__HAS_STB 0
#elif defined(PYTREE_STB_DS)
#include "stb_ds.h"                       /* missing? install libstb-dev (-I/usr/include/stb), or copy it beside pytree.h */
#define PYTREE__HAS_STB 1
#elif defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#define PYTREE__HAS_STB 1
#elif __has_include(<stb/stb_ds.h>)
#include <stb/stb_ds.h>
#define PYTREE__HAS_STB 1
#else
#define PYTREE__HAS_STB 0
#endif
#else
#define PYTREE__HAS_STB 0
#endif

/* PYTREE_SMALL is for microcontrollers, in every file of a program: small capacities (pytree/detail/capacity.h), code that is
 * short and not as fast, and messages that are the name of the status, next to the key path as always. docs/costs.md. */

/* The version, as numbers and as text. Before 1.0 a minor version may change the interface; the changelog says where. */
#define PYTREE_VERSION_MAJOR 0
#define PYTREE_VERSION_MINOR 1
#define PYTREE_VERSION_PATCH 0
#define PYTREE_VERSION "0.1.0"

/* Most dimensions of an array leaf, 3 to 16; 8 if it is not defined, 4 with PYTREE_SMALL. It sizes pytree_leaf: the same value
 * in every file of a program. */
#ifndef PYTREE_MAX_DIMS
#ifdef PYTREE_SMALL
#define PYTREE_MAX_DIMS 4
#else
#define PYTREE_MAX_DIMS 8
#endif
#endif
#if PYTREE_MAX_DIMS < 3 || PYTREE_MAX_DIMS > 16
#error "PYTREE_MAX_DIMS must be from 3 to 16."
#endif

#include "pytree/detail/capacity.h"

#if defined(__GNUC__) || defined(__clang__)
#define PYTREE__LIKELY(x) __builtin_expect(!!(x), 1)
#define PYTREE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PYTREE__LIKELY(x) (x)
#define PYTREE__UNLIKELY(x) (x)
#endif
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__OPTIMIZE__) && !defined(PYTREE_SMALL)
#define PYTREE__INLINE static inline __attribute__((always_inline, unused))
#else
#define PYTREE__INLINE static inline
#endif
#if defined(__clang__)                    /* would copy a function into each that calls it, and that into the next, and so on */
#define PYTREE__NOINLINE_CLANG static inline __attribute__((noinline))
#else
#define PYTREE__NOINLINE_CLANG static inline
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
    char message[PYTREE_ERROR_MESSAGE];
    char path[PYTREE_ERROR_PATH];
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
#if defined(PYTREE_SMALL)                 /* formats and what they print are checked and left out of the program */
#define pytree_fail(err, status, path, ...)                                                                             \
    (0 ? (pytree_fail)(err, status, path, __VA_ARGS__) : pytree__fail_short(err, status, path))
pytree_status pytree__fail_short(pytree_error *err, pytree_status status, const char *path);
#endif

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

/* What the generated functions report of the values they looked at: at least one is None; one needs a check (NULL, a large or
 * negative extent, a value held as pytree or pytree_leaf); the struct cannot be inlined, because a pointer leads to a node, or
 * there are lists or trees in it, or the room is too small. */
enum { PYTREE__HAS_NONE = 1, PYTREE__NEEDS_CHECK = 2, PYTREE__NOT_INLINABLE = 4 };
typedef struct pytree__flatten_result {
    pytree_leaf *end;                     /* behind the last view */
    size_t flags;
} pytree__flatten_result;

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
    bool self_contained;                  /* no DATA row is a list or a tree: `leaves` may do */
    bool trivial_statics;                 /* every STATIC row is bytes without strings or padding */
    const pytree_field *fields;
    /* Generated; NULL unless it is a struct with rows. Write a view of each DATA row to child[0 … n_children-1]. Returns
     * flags. */
    unsigned (*children)(const void *self, pytree_leaf *child);
    /* Write the views of all leaves, those of structs that lie in this one in their struct's place. None has a view only where
     * it is a leaf. With PYTREE__NOT_INLINABLE or PYTREE__NEEDS_CHECK among the flags the views mean nothing: the struct must
     * be walked node by node. Nothing is written at `end` or behind it. */
    pytree__flatten_result (*leaves)(const void *self, pytree_leaf *leaf, const pytree_leaf *end, bool none_is_leaf);
    /* Look at the same values without writing views. Returns flags. */
    unsigned (*validate)(const void *self);
    /* Store leaves, in the order of `leaves` with None left out: pointers take a view's data, values in place are copied, what
     * is None stays so. Returns what follows the last one; NULL where `leaves` would report PYTREE__NOT_INLINABLE. */
    const pytree_leaf *(*store_leaves)(void *self, const pytree_leaf *leaf);
    /* Opaque leaf types; either may be NULL: bytes compare, and print as "<name>". */
    bool (*equal)(const void *a, const void *b);
    int (*print)(FILE *file, const void *value);
    const pytree_type *origin;            /* of the type of an owned tree's root: the type itself; otherwise NULL */
    const struct pytree_custom *custom;   /* of a custom type */
    const char *space;                    /* namespace that this registration is for; NULL: all */
    const pytree_type *namespaces;        /* first, or next, registration of the same file in a namespace; the last one of the
                                             list has no name */
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

#include "pytree/detail/dispatch.h"

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

#include "pytree/detail/state.h"          /* what an iterator keeps; private */

/* Goes through one tree or several of equal structure leaf by leaf: jax.tree.leaves_with_path, optree.tree_iter.
 *
 *     pytree_iter it;
 *     if (pytree_iter_begin(&it, 2, (pytree[]){ params, grads }, NULL, &err) == PYTREE_OK) {
 *         while (pytree_iter_next(&it)) { use(it.leaf[0], it.leaf[1]); }
 *     }
 *     pytree_iter_end(&it);
 *
 * The first tree gives the structure. Where a later one is deeper its view is the whole subtree; anything else that differs
 * is an error, found where it stands. One tree of up to 24 levels needs no allocation, and neither do up to four small ones. A
 * pytree_iter takes 8 KB; it must not be moved or copied. */
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
    bool checked;                         /* in pytree_map all trees have been gone over already */
    bool up_to;                           /* later trees may differ where a prefix may: in a deque's maximum length */
    const pytree_allocator *allocator;
    pytree__cursor own_cursors[PYTREE__TREES];
    const pytree_leaf *own_leaves[PYTREE__TREES];
    pytree__frame own_frames[PYTREE__FRAMES];
    pytree_leaf own_views[PYTREE__ITER_VIEWS];
    pytree__layout_cache cache;
    pytree__layout own_layouts[PYTREE__ITER_LAYOUTS];
    pytree__static_span own_spans[PYTREE__ITER_SPANS];
    pytree__nullable own_nullables[PYTREE__ITER_NULLABLES];
};
pytree_status pytree_iter_begin(pytree_iter *it, size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);
bool pytree_iter_next(pytree_iter *it);   /* false at the end and on an error (it->status, and the error object) */
#define pytree_next pytree_iter_next     /* its name before 0.2; gone after it */
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

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "pytree/impl/all.h"
#endif
