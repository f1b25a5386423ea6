/* pytree.h: pytrees for C structs.
 *
 * A pytree is a tree of structs and containers. Its *leaves* are numbers, arrays and strings; its *nodes* are structs, lists,
 * tuples, dicts and None; its *treedef* is the structure without the leaves. List the fields of a struct once, and the
 * functions here flatten, rebuild, map, name, compare, print, allocate and copy it.
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
 *     int main(void)
 *     {
 *         Linear layer = { .din = 784, .dout = 128 };
 *         if (pytree_allocate(PYTREE(&layer), NULL, NULL) != PYTREE_OK) { return 1; }
 *         pytree_print(stdout, PYTREE(&layer), NULL, NULL);      // .w  f32[784,128] ...
 *         pytree_free(PYTREE(&layer));
 *         return 0;
 *     }
 *
 * Language: C11 (gcc, clang, tcc). This header also compiles as C++17; pytree_registry.h is C only.
 * Needs: the C standard library. Rows with STB_ARRAY or STB_MAP and pytree/containers.h need stb_ds.h, too.
 * Options: PYTREE_SMALL for microcontrollers, PYTREE_MAX_DIMS, PYTREE_STB_DS and PYTREE_NO_STB_DS, which are explained below;
 * pytree/detail/capacity.h has one for each capacity. Define them alike in every file of a program.
 *
 * Rules that hold for every function here:
 * - A `pytree` is a borrowed reference, passed by value. No function keeps one after it returns, unless its comment says so.
 * - `const pytree_options *opt` may be NULL: the defaults. `pytree_error *err` may be NULL: no details are wanted.
 * - Other pointers must not be NULL unless the comment says what NULL means. A NULL argument that is not allowed returns
 *   PYTREE_ARGUMENT in most functions that can fail. A NULL treedef always does, so errors can be checked once after a
 *   sequence of calls.
 * - A function that can fail returns a `pytree_status` (0 is success), or a pointer or pytree that is NULL on failure. After a
 *   failure the inputs are unchanged, the outputs are untouched or empty, and nothing leaks.
 * - No function prints by itself, exits or touches `errno`. Nothing is kept between calls but what follows from registrations
 *   alone: the layouts of struct types (docs/costs.md), and whether their rows read through pointers. Functions that only read
 *   a tree may run on it in many threads.
 * - No function recurses over the tree. Depth is bounded by memory: shallow trees (24 levels by default) need no allocation,
 *   deeper ones borrow from the allocator during the call.
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

/* PYTREE_SMALL is for microcontrollers: small capacities (pytree/detail/capacity.h), code that is short and slower, messages
 * that are the name of the status, next to the key path as always. Trees consist of structs; containers, stb_ds containers and
 * custom nodes are PYTREE_TYPE, unless PYTREE_CONTAINERS is defined, too. Rows with STRING, UNION or FLEXIBLE and STATIC
 * bit-fields need PYTREE_MORE_ROWS. Define all of them alike in every file of a program. docs/costs.md says what they
 * change. */

/* PYTREE_FAST_COMPILE is for debug builds that optimise, in any file: helpers are called instead of copied into their callers.
 * Registrations take gcc and clang less time, and trees are walked 1.2 to 4 times slower. */

/* The version, as numbers and as text. Before 1.0 a minor version may change the interface; the changelog says where. */
#define PYTREE_VERSION_MAJOR 0
#define PYTREE_VERSION_MINOR 2
#define PYTREE_VERSION_PATCH 0
#define PYTREE_VERSION "0.2.0"

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
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PYTREE__SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PYTREE__SANITIZED
#endif
#if defined(__GNUC__) && !defined(__TINYC__) && defined(__OPTIMIZE__) && !defined(PYTREE_SMALL)                        \
    && !defined(PYTREE_FAST_COMPILE) && !defined(PYTREE__SANITIZED)
#define PYTREE__FOR_SPEED 1
#define PYTREE__INLINE static inline __attribute__((always_inline, unused))
#else
#define PYTREE__FOR_SPEED 0
#define PYTREE__INLINE static inline
#endif
#if defined(__GNUC__) && !defined(__TINYC__)                   /* errors: their buffers are not on the stack of what may fail */
#define PYTREE__NOINLINE __attribute__((noinline))
#else
#define PYTREE__NOINLINE
#endif
#if defined(__MINGW_PRINTF_FORMAT)        /* Windows: which functions stdio.h has depends on macros; %zu needs C99's */
#define PYTREE__PRINTF __MINGW_PRINTF_FORMAT
#else
#define PYTREE__PRINTF printf
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

/* Lists every status with its text; the enum and pytree_status_name are made from it. */
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
    X(STOPPED, "stopped by the callback")                                                                               \
    X(FILTER, "filters do not fit")                                                                                     \
    X(STATIC, "data where a static value must be")                                                                      \
    X(FROZEN, "captured from an outer level")

typedef enum pytree_status {
#define PYTREE__X(name, text) PYTREE_##name,
    PYTREE__STATUSES(PYTREE__X)
#undef PYTREE__X
} pytree_status;

/* Where and why an operation failed. Initialise it with zeros. The first error stays: later calls do not overwrite it, so a
 * sequence of calls can be checked once at its end. `message` reads "expected X, got Y"; `path` is the key path (empty: the
 * root). A string that does not fit is shortened in the middle, marked by "...". */
typedef struct pytree_error {
    pytree_status status;
    char message[PYTREE_ERROR_MESSAGE];
    char path[PYTREE_ERROR_PATH];
} pytree_error;

/* Describe a status. Returns a constant string such as "out of memory", never NULL. */
const char *pytree_status_name(pytree_status status);

/* Write "path: message (status)" and a newline to `file`. Does nothing if err is NULL or not set. */
void pytree_error_print(FILE *file, const pytree_error *err);

/* Report a failure from a callback, or from an operation built on these functions. Returns `status`. Fills in *err from a
 * printf format, unless err is NULL or set already; `path` may be NULL. */
pytree_status pytree_fail(pytree_error *err, pytree_status status, const char *path, const char *format, ...)
#if defined(__GNUC__) && !defined(__TINYC__)
    __attribute__((format(PYTREE__PRINTF, 4, 5)))
#endif
    ;
#if defined(PYTREE_SMALL)                 /* formats and what they print are checked and left out of the program */
#define pytree_fail(err, status, path, ...)                                                                             \
    (0 ? (pytree_fail)(err, status, path, __VA_ARGS__) : pytree__fail_short(err, status, path))
pytree_status pytree__fail_short(pytree_error *err, pytree_status status, const char *path);
#endif

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

/* A source of memory. `resize(context, p, old_size, new_size)` allocates if p is NULL, frees and returns NULL if new_size is 0,
 * and otherwise grows or shrinks the block and keeps its contents; it returns NULL if it cannot, and p then stays valid.
 * Results are aligned like malloc's. The struct must outlive everything allocated with it. A call to the library uses it only
 * from the calling thread. */
typedef struct pytree_allocator {
    void *(*resize)(void *context, void *p, size_t old_size, size_t new_size);
    void *context;
} pytree_allocator;

/* The memory of a device that this program cannot read, such as a GPU: pytree_options.memory. Arrays of numbers lie there, in
 * one block; structs, lists, single numbers and strings stay on the host. docs/device.md has these functions for CUDA. The
 * library copies the struct; `context` must outlive the trees. Not in PYTREE_SMALL. */
typedef struct pytree_device {
    /* Return `bytes` of memory, aligned to `alignment`; NULL if there is none. NULL in place of the function: new arrays are
     * memory of the host, as for a download. */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *p, size_t bytes);     /* free what `allocate` returned */
    /* Copy bytes from the host or the device to the host or the device. Returns whether it could. Bytes of the host must have
     * been read, or must be there, when it returns. */
    bool (*copy)(void *context, void *to, const void *from, size_t bytes);
    bool (*zero)(void *context, void *to, size_t bytes);       /* set bytes on the device to zero; returns whether it could */
    void *context;
} pytree_device;

/* ---- Types --------------------------------------------------------------------------------------------------------- */

typedef struct pytree_type pytree_type;
typedef struct pytree_def pytree_def;
typedef struct pytree_iter pytree_iter;
typedef struct pytree_entry pytree_entry;

/* A typed reference to any C value: two words, passed by value. It owns nothing. PYTREE(p) makes one. */
typedef struct pytree {
    const pytree_type *type;
    void *data;
} pytree;

/* The element type of a leaf. `char`, `long` and the like have the code of the fixed-size type that they equal. */
typedef enum pytree_dtype {
    PYTREE_NO_DTYPE,                      /* not a leaf type */
    PYTREE_BOOL8,
    PYTREE_I8, PYTREE_I16, PYTREE_I32, PYTREE_I64,
    PYTREE_U8, PYTREE_U16, PYTREE_U32, PYTREE_U64,
    PYTREE_F16, PYTREE_BF16, PYTREE_F32, PYTREE_F64, PYTREE_FLONG,
    PYTREE_C64, PYTREE_C128, PYTREE_CLONG,
    PYTREE_STRING,                        /* char *, NUL-terminated */
    PYTREE_OPAQUE,                        /* registered with PYTREE_LEAF_TYPE: bytes that the library does not interpret */
    PYTREE_TEXT                           /* char in an array that holds a string (the last dimension): a row with STRING */
} pytree_dtype;

/* Half-precision numbers: only storage, no arithmetic. */
typedef struct pytree_f16 { uint16_t bits; } pytree_f16;
typedef struct pytree_bf16 { uint16_t bits; } pytree_bf16;

/* The kind of value that a type describes, and the kind of a treedef's node. */
typedef enum pytree_kind {
    PYTREE_KIND_LEAF,
    PYTREE_KIND_NONE,
    PYTREE_KIND_STRUCT,
    PYTREE_KIND_LIST,
    PYTREE_KIND_TUPLE,
    PYTREE_KIND_DICT,                     /* visited in the order of its keys */
    PYTREE_KIND_ODICT,                    /* an ordered dict: the order of its keys is part of the structure */
    PYTREE_KIND_NAMEDTUPLE,
    PYTREE_KIND_DEFAULTDICT,              /* a dict with the name of a factory */
    PYTREE_KIND_DEQUE,                    /* a list with a maximum length */
    PYTREE_KIND_CUSTOM,                   /* registered with PYTREE_CUSTOM */
    PYTREE_KIND_VIEW,                     /* a value held as a pytree_leaf */
    PYTREE_KIND_REF,                      /* a value held as a pytree */
    PYTREE_KIND_FLAT,                     /* a value held as a pytree_flat: treedef and leaves */
    PYTREE_KIND_ROW                       /* an element that is a pointer or an array, as the type's one row says (EACH) */
} pytree_kind;

/* How to read the memory that a view refers to. Users see PYTREE_FORM_LEAF for leaves, PYTREE_FORM_DEVICE for leaves whose
 * elements lie on a device, and another form for subtrees; only the traversal and the generated code distinguish between
 * those. */
typedef enum pytree_form {
    PYTREE_FORM_LEAF,                     /* data: elements */
    PYTREE_FORM_NONE,                     /* no data */
    PYTREE_FORM_STRUCT,                   /* data: one struct of `type`, or one custom node */
    PYTREE_FORM_LIST,                     /* data: shape[0] consecutive values of `type` */
    PYTREE_FORM_TUPLE,                    /* the same in a fixed array */
    PYTREE_FORM_MAP,                      /* data: an stb_ds string map of shape[0] entries of shape[1] bytes, value at [2] */
    PYTREE_FORM_ITEMS,                    /* data: a pytree_items; type: list, tuple, dict, … */
    PYTREE_FORM_CUSTOM,                   /* an open custom node; used only inside a traversal */
    PYTREE_FORM_FLAT,                     /* data: a pytree_flat; shape[0]: its node, [1]: first leaf below it, [2]: end of
                                             the orders of its dicts */
    PYTREE_FORM_VIEW,                     /* data: a pytree_leaf that stands for its referent */
    PYTREE_FORM_REF,                      /* data: a pytree that stands for its referent */
    PYTREE_FORM_DEVICE = 16               /* a leaf; data: elements on a device, which the host must not read */
} pytree_form;

/* A view of a leaf: its address, element type and shape. The elements are not copied; `data` is borrowed from the tree and may
 * be written through. A view can also be a value in a tree: a struct field or a container holds one where the shape is known
 * only at run time. Then fill in data, type, ndim and shape, and leave the rest zero. Elements are contiguous and row-major. */
typedef struct pytree_leaf {
    void *data;                           /* first element */
    const pytree_type *type;              /* element type; its dtype is type->dtype */
    int ndim;                             /* 0 for a scalar */
    unsigned form;                        /* pytree_form; 0: a leaf */
    size_t shape[PYTREE_MAX_DIMS];
} pytree_leaf;

/* The kinds of rows of a registered struct (the table behind PYTREE_FIELDS). */
enum { PYTREE_ROW_DATA, PYTREE_ROW_STATIC, PYTREE_ROW_DROP };
/* Where the value of a DATA field is; of a flexible array member, behind the struct in the same memory. */
enum { PYTREE_IN_PLACE, PYTREE_POINTER, PYTREE_STB, PYTREE_FLEXIBLE };

typedef struct pytree_field {
    const char *name;
    const pytree_type *type;              /* element type; of addresses the built-in PYTREE__T_address; DROP rows: NULL */
    unsigned char row;                    /* PYTREE_ROW_… */
    unsigned char place;                  /* PYTREE_IN_PLACE, … */
    unsigned char form;                   /* DATA: pytree_form of a child that is not None; STATIC: PYTREE__PACK_… */
    unsigned char optional;
    int ndim;                             /* of a fixed array */
    size_t offset, size;                  /* bytes, within the struct */
    size_t inner;                         /* bytes of one element along the first dimension of a fixed array */
    const struct pytree_row_functions *functions;              /* NULL: the value is the member's memory, as in most rows */
    const pytree_type *role;              /* of a DATA row with ROLE(x), see pytree/filter.h; otherwise NULL */
} pytree_field;

/* What a row can do with a member that has more than its memory, or whose memory has no address; each may be NULL. `resize` and
 * `release` get the member, others the struct itself. */
typedef struct pytree_row_functions {
    /* an stb_ds container or a std::vector: give it n elements; free it, or a handle */
    pytree_status (*resize)(void *field, size_t n, const char *const *keys, const struct pytree_field *row);
    void (*release)(void *field, const struct pytree_field *row);
    /* a bit-field: the number it holds */
    int64_t (*read)(const void *self);
    void (*write)(void *self, int64_t number);
    /* a union: the index of the active member's row, and, unless `shape` is NULL, the extents that it gives; a negative number
     * and the tag if no CASE has it */
    int (*select)(const void *self, size_t *shape);
    const struct pytree_field *cases;
    /* a handle: make one in the struct `to` like that in `from` */
    pytree_status (*clone)(void *to, const void *from);
    /* a void *: the type of what it leads to; NULL: none that is known */
    const struct pytree_type *(*as)(const void *self);
    /* structs with WITH: `fill` static members of the struct `inner` that are zero; the first that is another, NULL: none */
    const char *(*with)(const void *self, void *inner, bool fill);
    /* a member that is const in the struct itself: operations that write in place refuse it */
    bool constant;
} pytree_row_functions;

/* A writer of packed static values: it counts all bytes and writes those that fit. A value is packed as bytes, as a string, as
 * a struct, as a long double without its padding, as the bytes of a string in the struct with zeros behind it, or as the
 * number that a bit-field holds. */
typedef struct pytree__statics {
    unsigned char *at;
    size_t room, length;                  /* room 0: only count */
} pytree__statics;
enum { PYTREE__PACK_BYTES, PYTREE__PACK_TEXT, PYTREE__PACK_STRUCT, PYTREE__PACK_WIDE, PYTREE__PACK_CHARS, PYTREE__PACK_BITS };

/* Flags that the generated functions return: at least one value is None; one needs a check (NULL, a large or negative extent, a
 * value held as pytree or pytree_leaf); the struct cannot be inlined, because it contains a list, a tree or a pointer to a
 * node, or because its views do not fit. PYTREE__HAS_POINTED, a bit of the last one, stands alone where the only reason is that
 * pointers lead to structs. */
enum { PYTREE__HAS_NONE = 1, PYTREE__HAS_POINTED = 2, PYTREE__NOT_INLINABLE = 6 };
/* The last is each of the other bits but the top one: what is wrong is not made one of them, and SIZE_MAX stays an error. */
#define PYTREE__NEEDS_CHECK (SIZE_MAX / 2 - 7)
enum { PYTREE__OF_CHILDREN, PYTREE__OF_LEAVES, PYTREE__OF_LEAVES_AND_NONE };   /* views that they write; None among them */
typedef struct pytree__flatten_result {
    pytree_leaf *end;                     /* one past the last view */
    size_t flags;
} pytree__flatten_result;

/* Put leaves back in a row. Returns the next leaf; NULL if the row cannot take them. */
const pytree_leaf *pytree__store_row(const pytree_field *row, void *self, const pytree_leaf *leaf);

/* How rows are written: NEAR with an index or a star, FAR with a point, BOTH with an arrow behind something else than self.
 * They look like reads through a pointer of the struct, or of one that it leads to or holds; so do an array in the struct, a
 * product and a comparison. They may be reads if there is such a pointer. UNKNOWN with any star, or with four arrows, behind
 * which nothing is looked at: that is taken for a read only in a struct that is opened node by node anyway. */
enum { PYTREE__READS_NEAR = 1, PYTREE__READS_FAR = 2, PYTREE__READS_BOTH = 3, PYTREE__READS_UNKNOWN = 4 };

/* Notes of the library beside a descriptor: the layout of the rows and, where the registration is not compiled for speed,
 * whether they read through a pointer. `rows` is 0 if the descriptor itself says that. Until the library has looked, it has
 * TO_FIND; one of PYTREE__READS_…, as rows would be written that read; CONTAINED if the struct is self-contained when none
 * does; NEED_STRUCT if it must lead to another. From then on it has CONTAINED if the struct is self-contained, and LACK_NOTHING
 * if nothing may be missing that it needs. Such a registration has `sizes` in place of `views`: it evaluates the extents of the
 * rows, and passes them with `viewing` to pytree__view_rows, which writes the views. */
enum {
    PYTREE__ROWS_CONTAINED = 4, PYTREE__ROWS_NEED_STRUCT = 8, PYTREE__ROWS_LACK_NOTHING = 16, PYTREE__ROWS_TO_FIND = 32
};
typedef struct pytree__viewing {          /* the arguments of `views`, and its result */
    const pytree_type *type;
    const void *self;
    pytree_leaf *view;
    const pytree_leaf *end;
    unsigned of;
    pytree__flatten_result seen;
} pytree__viewing;
typedef struct pytree__noted {
    struct pytree__layout *layout;
    void (*sizes)(const void *self, pytree__viewing *viewing);
    unsigned char rows;
} pytree__noted;

/* Counts the rows of a struct: in a small program, the built-in types stand in flash. */
#if defined(PYTREE_SMALL)
typedef uint16_t pytree__row_count;
#else
typedef unsigned pytree__row_count;
#endif

/* The descriptor of a type: a constant made by pytree_registry.h, or built in. Each file that registers a struct has its own;
 * pytree_type_equal compares them. */
struct pytree_type {
    const char *name;                     /* as in C: "float", "Linear" */
    size_t size;
    size_t align;
    pytree_kind kind;
    pytree_dtype dtype;                   /* of a leaf type */
    pytree__row_count n_fields;           /* rows */
    pytree__row_count n_children;         /* DATA rows */
    bool self_contained : 1;              /* no DATA row is a list or a tree, and none reads through a pointer: there may be */
                                          /* views of its leaves; false also where that is to be found: pytree__noted */
    bool trivial_statics : 1;             /* all STATIC rows are bytes without strings or padding */
    bool may_lack : 1;                    /* a row may read through a pointer that is NULL, or a struct must not be NULL; */
                                          /* true also where that is to be found */
    const pytree_field *fields;
    /* Generated for a struct with rows; NULL where pytree__noted has `sizes`. Write a view of each DATA row to
     * view[0 … n_children-1] (PYTREE__OF_CHILDREN), or of each leaf, going on into structs in place. Returns where the views
     * end, and flags; with PYTREE__NOT_INLINABLE or PYTREE__NEEDS_CHECK views of leaves are invalid, and the struct must be
     * traversed node by node; with PYTREE__HAS_POINTED alone they are valid, with one view of each struct that a pointer leads
     * to. Nothing is written at `end` or beyond (of children: there is room). */
    pytree__flatten_result (*views)(const void *self, pytree_leaf *view, const pytree_leaf *end, unsigned of);
    /* Generated where code is optimised for speed, otherwise NULL: the library then does with `views` and the rows. Check the
     * same values without writing views. Returns flags. */
    size_t (*validate)(const void *self);
    /* Put leaves back, in the order of PYTREE__OF_LEAVES: set pointers to the views' data, copy values in place, keep pointers
     * that are NULL where None is allowed. Returns one past the last leaf; NULL if one has no data, or is of another type than
     * a value in place. */
    const pytree_leaf *(*store_leaves)(void *self, const pytree_leaf *leaf);
    /* Of opaque leaf types. NULL: compare bytes; print "<name>". */
    bool (*equal)(const void *a, const void *b);
    int (*print)(FILE *file, const void *value);
    const pytree_type *origin;            /* in the copy for the root of an owned tree: the type itself; otherwise NULL */
    const struct pytree_custom *custom;   /* of a custom type */
    const char *space;                    /* namespace that this registration is for; NULL: all */
    const pytree_type *namespaces;        /* list of the file's registrations in namespaces; the last one has no name */
    const pytree_type *base;              /* of a role: the one that it is derived from; otherwise NULL */
    const struct pytree_constant *constants; /* of an enum (PYTREE_ENUM): the last one has no name; NULL: no enum */
#if !defined(PYTREE_SMALL)
    pytree__noted *noted;                 /* private */
#endif
};

/* Write the views of a struct: see pytree_type. One that is declared and never defined is PYTREE__NOT_INLINABLE; in a small
 * program the caller must not ask for it. */
#if !defined(PYTREE_SMALL)
pytree__flatten_result pytree__views_of_sizes(const pytree_type *type, const void *self, pytree_leaf *view,
                                              const pytree_leaf *end, unsigned of);
#endif
PYTREE__INLINE pytree__flatten_result pytree__views(const pytree_type *type, const void *self, pytree_leaf *view,
                                                    const pytree_leaf *end, unsigned of)
{
#if defined(PYTREE_SMALL)
    return type->views(self, view, end, of);
#else
    return type->views != NULL ? type->views(self, view, end, of) : pytree__views_of_sizes(type, self, view, end, of);
#endif
}

/* A constant of an enum, and what it is called in text. */
typedef struct pytree_constant {
    const char *name;
    int64_t value;
} pytree_constant;

struct pytree_making;
struct pytree_options;

/* Receive a problem that pytree_check found. It is valid during the call. */
typedef void pytree_report_fn(void *context, const pytree_error *problem);

/* A node type defined by callbacks: jax.tree_util.register_pytree_node. It is registered by
 *
 *     #define PYTREE_STRUCT Box
 *     #define PYTREE_CUSTOM box_callbacks           // a static const pytree_custom, defined before
 *     #include "pytree_registry.h"
 *
 * Metadata is compared, hashed and copied as bytes, and the treedef keeps a copy. Equal metadata must be equal bytes, so it
 * must hold neither pointers nor padding. */
typedef struct pytree_custom {
    /* Required. Write the n children to children[0 … n-1] and, if `keyed`, their keys to keys[0 … n-1]. Returns n. Both arrays
     * are NULL when only n is wanted. The node owns the children's memory and the keys' names. */
    size_t (*children)(const void *self, pytree *children, pytree_entry *keys);
    bool keyed;                           /* false: children have no keys but their index, [<flat index 0>] */
    /* Write the metadata to `to`, unless it is NULL. Returns its length in bytes. NULL: no metadata. */
    size_t (*metadata)(const void *self, void *to);
    /* Write metadata as it appears in a treedef's text, CustomNode(Box[text], [*]). Works like snprintf. NULL: as bytes. */
    size_t (*print)(const void *metadata, size_t bytes, char *text, size_t n);
    /* Build *self, which is zeroed, from n children that live as long as the new tree. Any status other than PYTREE_OK fails
     * the whole rebuild. NULL, and no `make`: trees with such nodes can be read but not rebuilt. */
    pytree_status (*rebuild)(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes);
    void (*release)(void *self);          /* frees what `rebuild` acquired, when the tree is freed. NULL: nothing to free */
    /* Called in place of `rebuild`, for nodes that need more than it gets; with an error of its own. NULL: there is none. */
    pytree_status (*make)(void *self, const struct pytree_making *from, pytree_error *err);
    /* Report what is wrong with the node itself, for pytree_check; paths begin at the node. NULL: nothing can be. */
    void (*check)(const void *self, pytree_report_fn *report, void *context);
    const struct pytree__growing *growing; /* private: the node begins with a void * to its growing container */
} pytree_custom;

/* The type of a treedef's node that stands for one that was reached before: pytree/graph.h makes such treedefs, and
 * pytree_unflatten shares what they share. It has no children; its metadata are four bytes, least significant first: how many
 * nodes back the other one is, negative for an ancestor. */
extern const pytree_type pytree_same;

/* What a custom node is made of. Children, keys and metadata live as long as the new tree. */
typedef struct pytree_making {
    const pytree_type *type;
    size_t n;
    const pytree *children;
    const struct pytree_entry *keys;      /* NULL: the type has none */
    const void *metadata;                 /* aligned for bytes only */
    size_t bytes;
    const struct pytree_options *opt;     /* of the call; may be NULL */
    uint64_t *cell;                       /* eight bytes of the new tree, for the node to use as it likes; 0 at first */
} pytree_making;

/* The built-in types, indexed by PYTREE__T_float_ and so on. Use PYTREE_TYPE(float) to get one. */
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
    PYTREE__T_string, PYTREE__T_address, PYTREE__T_text,
    PYTREE__T_list, PYTREE__T_tuple, PYTREE__T_dict, PYTREE__T_odict, PYTREE__T_namedtuple, PYTREE__T_defaultdict,
    PYTREE__T_deque, PYTREE__T_view, PYTREE__T_ref, PYTREE__T_flat,
    PYTREE__T_count
};
extern const pytree_type pytree_types[PYTREE__T_count];
extern const pytree_row_functions pytree__const_row;

/* Compare two types. Returns true for the same descriptor, and for descriptors with the same name, size and rows, such as those
 * of one struct registered in two files. The second comparison takes O(rows). */
bool pytree_type_equal(const pytree_type *a, const pytree_type *b);

/* Name an element type as JAX does. Returns "f32", "i64", "bool", "str" and so on, and the name in C for any other type; the
 * string lives as long as the descriptor. */
const char *pytree_dtype_name(const pytree_type *type);

/* ---- Leaves -------------------------------------------------------------------------------------------------------- */

/* Count the elements of a leaf. Returns the product of its shape, 1 for a scalar, SIZE_MAX if the product overflows. */
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

/* Compute the size of a leaf's elements. Returns it in bytes (for strings: of the pointers), SIZE_MAX if it overflows. */
static inline size_t pytree_leaf_bytes(const pytree_leaf *leaf)
{
    size_t n = pytree_leaf_count(leaf), size = leaf->type->size;
    return n != 0 && size > SIZE_MAX / n ? SIZE_MAX : n * size;
}

/* Tell a leaf from a subtree. Returns true for a leaf, wherever its elements lie. Callbacks get a view of a whole subtree where
 * is_leaf answered true, and where a later tree is deeper than the first. jax.tree_util.all_leaves. */
static inline bool pytree_is_leaf(const pytree_leaf *view)
{
    return (view->form & (PYTREE__DEVICES ? ~(unsigned)PYTREE_FORM_DEVICE : ~0u)) == PYTREE_FORM_LEAF;
}

/* Make a tree of a view. Returns a pytree that refers to the view itself, which must outlive it and not move. */
static inline pytree pytree_of_view(const pytree_leaf *view)
{
    pytree t;
    t.type = &pytree_types[PYTREE__T_view];
    t.data = (void *)(uintptr_t)view;
    return t;
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/* A container of pytrees. Lists, tuples and deques use `items`; dicts and namedtuples use `pairs`, or `int_pairs` if the keys
 * are integers. A dict's pairs may be in any order and are visited by sorted key. A container borrows its values. */
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
    const char *name;                     /* of a namedtuple's type; of a default dict's factory, like "int" (NULL: None) */
    const pytree_int_pair *int_pairs;
    /* The visiting order of a dict that the library built: order[i] is the index of the i-th pair visited (NULL: pairs are
     * stored in visiting order), `packed` holds the keys as a treedef stores them. If both are NULL, each traversal sorts the
     * keys. Leave both NULL in a struct that you fill in: each traversal checks that an order is a permutation, but not that it
     * sorts the keys. */
    const uint32_t *order;
    const unsigned char *packed;
    size_t packed_bytes;
    size_t maxlen;                        /* of a deque, or PYTREE_UNBOUNDED */
    bool sorted;                          /* set only by the library: `order` needs no check */
    /* Likewise: pairs or values of type NULL among the others, which are not there. Values of a list that has any do not lie in
     * their order; pytree_list_get finds them. */
    size_t removed;
} pytree_items;

/* A treedef together with its leaves: a tree whose leaves may have other types than the fields of its structs. The leaves are
 * not checked: each needs a type, valid data, and at most PYTREE_MAX_DIMS dimensions. */
typedef struct pytree_flat {
    const pytree_def *def;
    const pytree_leaf *leaves;            /* pytree_def_num_leaves(def) of them */
} pytree_flat;

#if !defined(__cplusplus)                 /* pytree/detail/cxx.h has these in C++ */
/* Refer to *p as a tree. PYTREE(p) is a pytree; p points to a registered struct, an arithmetic type, a C string (p is a
 * char **), a pytree_leaf, pytree or pytree_flat, and may point to const. It costs nothing. A type that is not registered is a
 * compile error that names the type; so are an array, of which *p is only the first element (PYTREE_ARRAY), and a char *, which
 * is a string (PYTREE_STR; a single char is (pytree){ PYTREE_TYPE(char), &c }).
 *
 *     PYTREE(&model)   =>   ((pytree){ &pytree__type_of_MLP, (void *)(&model) })
 *
 * If a compile error led you here: the type that the compiler names has no PYTREE_STRUCT registration above that line, or
 * PYTREE was given a value instead of its address. */
#define PYTREE(...) PYTREE__REFER((__VA_ARGS__), "pytree: PYTREE(" #__VA_ARGS__ "): ")
#define PYTREE__REFER(p, in)                                                                                            \
    ((pytree){ 0 * (PYTREE__ONE_VALUE(p, in) + PYTREE__REGISTERED(*p, in)) + PYTREE__TYPE_OF(*p), (void *)(uintptr_t)p })

/* Get the descriptor of a type: its name, size and fields. PYTREE_TYPE(T) is a constant expression of type
 * const pytree_type *. */
#define PYTREE_TYPE(T) PYTREE__TYPE_OF(*(T *)0)

/* Refer to *p as an array of no dimensions, jnp.array(3.0): data to objects (pytree/object.h), to which PYTREE(&x) is a number.
 * It lives as long as the enclosing block. */
#define PYTREE_SCALAR(p)                                                                                                \
    ((pytree){ &pytree_types[PYTREE__T_view],                                                                           \
               &(pytree_leaf){ .data = (void *)(uintptr_t)(p), .type = PYTREE__TYPE_OF(*(p)) } })

/* None: a node without children. */
#define PYTREE_NONE ((pytree){ &pytree_types[PYTREE__T_none], NULL })

/* Make leaves from literals. They live as long as the enclosing block. PYTREE_INT is an int64_t, PYTREE_FLOAT a double. */
#define PYTREE_INT(v) ((pytree){ PYTREE__BUILTIN_TYPE(*(int64_t *)0), &(int64_t){ (v) } })
#define PYTREE_FLOAT(v) ((pytree){ &pytree_types[PYTREE__T_double_], &(double){ (v) } })
#define PYTREE_BOOL(v) ((pytree){ &pytree_types[PYTREE__T_bool_], &(_Bool){ (v) } })
#define PYTREE_STR(v) ((pytree){ &pytree_types[PYTREE__T_string], &(const char *){ (v) } })

/* Make an array leaf: PYTREE_ARRAY(p, 2, 3) has shape (2, 3) and the element type of *p. It lives as long as the enclosing
 * block and borrows the elements. The shape is checked when the tree is traversed. */
#define PYTREE_ARRAY(p, ...)                                                                                            \
    ((pytree){ &pytree_types[PYTREE__T_view],                                                                           \
               &(pytree_leaf){ .data = (void *)(uintptr_t)(p), .type = PYTREE__TYPE_OF(*(p)), .shape = { __VA_ARGS__ },        \
                               .ndim = (int)(sizeof((const size_t[]){ __VA_ARGS__ }) / sizeof(size_t)) } })

/* Make containers from literals. They are not allocated, live as long as the enclosing block, and borrow their values. An empty
 * one is PYTREE_LIST(). */
#define PYTREE_LIST(...) PYTREE__SEQUENCE(list, __VA_ARGS__)
#define PYTREE_TUPLE(...) PYTREE__SEQUENCE(tuple, __VA_ARGS__)
#define PYTREE_DICT(...) PYTREE__KEYED(dict, NULL, __VA_ARGS__)
#define PYTREE_ODICT(...) PYTREE__KEYED(odict, NULL, __VA_ARGS__)
#define PYTREE_NAMEDTUPLE(...) PYTREE__KEYED(namedtuple, __VA_ARGS__, )        /* ("Point", {"x", v}, …) */
#define PYTREE_DEFAULTDICT(...) PYTREE__KEYED(defaultdict, __VA_ARGS__, )      /* ("int", {"k", v}, …) */
#define PYTREE_IDICT(...)                      /* ({3, v}, …): a dict with integer keys */                              \
    ((pytree){ &pytree_types[PYTREE__T_dict], &(pytree_items){                                                          \
        .count = sizeof((pytree_int_pair[]){ PYTREE__PAIRS(0, __VA_ARGS__) }) / sizeof(pytree_int_pair) - 1,            \
        .int_pairs = (pytree_int_pair[]){ PYTREE__PAIRS(0, __VA_ARGS__) } + 1 } })
#define PYTREE_DEQUE(...) PYTREE__DEQUE(__VA_ARGS__, )                         /* (maxlen, v, …), or PYTREE_UNBOUNDED */

#endif
#include "pytree/detail/dispatch.h"

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* One step of a key path, and how it is written. `name` is borrowed from the tree, the treedef or the type. */
typedef enum pytree_entry_kind {
    PYTREE_ATTRIBUTE,                     /* .name   struct, namedtuple */
    PYTREE_INDEX,                         /* [index] list, tuple */
    PYTREE_KEY,                           /* ['name'] dict */
    PYTREE_FLAT_INDEX,                    /* [<flat index 0>] custom node without keys */
    PYTREE_INT_KEY                        /* [3], [-3] dict with integer keys; index: the int64_t, converted */
} pytree_entry_kind;

/* An index or an integer key in an entry: a size_t, which is a uint64_t on machines where it would have fewer bits. */
#if SIZE_MAX < UINT64_MAX && (!defined(PYTREE_SMALL) || defined(PYTREE_CONTAINERS))
typedef uint64_t pytree_key_index;
#else
typedef size_t pytree_key_index;
#endif

struct pytree_entry {
    pytree_entry_kind kind;
    const char *name;
    pytree_key_index index;
};

/* A key path: the entries from the root to a value. Borrowed. */
typedef struct pytree_path {
    size_t n;
    const pytree_entry *entries;
} pytree_path;

/* How deep a program is in transforms: pytree/object.h. */
typedef struct pytree_level {
    unsigned depth;
} pytree_level;

/* Options of a call. All members zero: the defaults. */
typedef struct pytree_options {
    bool none_is_leaf;                    /* None counts as a leaf (form PYTREE_FORM_NONE); recorded in the treedef */
    /* Called for every value before it is opened, including the root and None; true makes it a leaf. JAX's is_leaf. */
    bool (*is_leaf)(void *context, const pytree_leaf *value, const pytree_path *path);
    void *is_leaf_context;
    const pytree_allocator *allocator;    /* NULL: realloc and free */
    size_t alignment;                     /* of the arrays in allocated blocks, a power of two; 0: 64; below 16: 16 */
    /* Namespace: its registrations take precedence; NULL or "": none. One that is unknown to a file with others is an error at
     * the structs of that file that are the root, or are in the root's lists, tuples and dicts. */
    const char *space;
    size_t print_values;                  /* pytree_print, pytree_text: most elements of an array to write; 0: only shapes */
    pytree_level *level;                  /* growing containers and objects remember it: pytree/object.h. NULL: none */
    /* clone, zeros_like: where the new tree's arrays of numbers are to lie. clone, copy_into: how to reach arrays on a device.
     * NULL: the host. */
    const pytree_device *memory;
} pytree_options;

/* ---- Flatten ------------------------------------------------------------------------------------------------------- */

/* Take a tree apart into leaves and treedef: jax.tree.flatten. Returns PYTREE_OK, and *def, to be freed with pytree_def_free.
 * If *leaves is not NULL, it is an array of `capacity` views to be filled; too small is PYTREE_TOO_MANY_LEAVES, with both
 * counts in the error. If *leaves is NULL, it is set to an array that is part of the treedef and is freed with it. The views
 * borrow from the tree. One allocation; O(nodes). */
pytree_status pytree_flatten(pytree t, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                             const pytree_options *opt, pytree_error *err);

/* Write views of the leaves to the caller's array: jax.tree.leaves. Returns PYTREE_OK, or PYTREE_TOO_MANY_LEAVES if `capacity`
 * is too small; in both cases *count (may be NULL) is the number of leaves. The views borrow from the tree. No allocation. */
pytree_status pytree_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count,
                            const pytree_options *opt, pytree_error *err);

/* Make the treedef of a tree: jax.tree.structure. Returns it, to be freed with pytree_def_free, or NULL on error. One
 * allocation; O(nodes). */
pytree_def *pytree_structure(pytree t, const pytree_options *opt, pytree_error *err);

/* Count the leaves of a tree. Returns their number, SIZE_MAX on error. No allocation. */
size_t pytree_num_leaves(pytree t, const pytree_options *opt, pytree_error *err);

/* ---- Rebuild ------------------------------------------------------------------------------------------------------- */

/* Build a new tree from a treedef and n leaves: jax.tree.unflatten. Returns the tree, to be freed with pytree_free; its
 * data is NULL on error. Pointer fields refer to the given leaves, which must outlive the tree; values in place are copied,
 * static values are restored (strings too), DROP fields are zero. The leaves must have the types and shapes that the fields
 * require; subtrees that a predicate made leaves are referred to, too. A dict gets its pairs in the order of the dict that
 * was flattened. One allocation, and those of stb_ds's containers, made with STBDS_REALLOC, and of each std::vector. */
pytree pytree_unflatten(const pytree_def *def, size_t n, const pytree_leaf *leaves,
                        const pytree_options *opt, pytree_error *err);

/* Put n leaves into an existing tree whose structure equals the treedef. Returns PYTREE_OK; on any error the tree is unchanged,
 * because everything is checked before the first write. Pointer fields refer to the given leaves, values in place are copied,
 * everything else stays. A leaf may lie where it is copied to; the result is unspecified if it lies where another one is copied
 * to. The namespace is that of the treedef, unless opt names one. No allocation. */
pytree_status pytree_unflatten_into(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree dst,
                                    const pytree_options *opt, pytree_error *err);

/* Allocate the memory of a struct whose static fields hold its sizes. Returns PYTREE_OK, and the struct's pointers are set into
 * one zeroed block on the host, in which each array is aligned (options). Array pointers must be NULL before. A list or a
 * struct that a pointer already leads to is a template: it is copied into the block, and the original stays with the caller.
 * The elements of a list that is NULL are zeroed. An OPTIONAL pointer that is NULL stays NULL; set it to PYTREE_WANTED to get
 * its memory, and pass the struct to no other function in between. Free the block with pytree_free, which sets the pointers to
 * NULL. */
#define PYTREE_WANTED ((void *)(uintptr_t)pytree_wanted)
extern const char pytree_wanted[1];
pytree_status pytree_allocate(pytree t, const pytree_options *opt, pytree_error *err);

/* Allocate the memory of a struct like another tree's: optax.tree.zeros_like into a member that exists, such as gradients
 * beside parameters. Returns PYTREE_OK; `t` then has the structure, static values and shapes of `like`, with every number zero
 * (strings and opaque leaves are copied), in one block, which pytree_free(t) frees. The struct must be of like's type; before,
 * its pointers are NULL and the rest is overwritten; on any error it is unchanged. stb_ds containers, custom nodes and fields
 * that hold a pytree are PYTREE_STRUCTURE: in a struct of the caller's nothing would release them; so that pytree_free finds
 * the block, a struct with strings needs a pointer, too (PYTREE_TYPE). One allocation remains. Not in PYTREE_SMALL. */
#if !defined(PYTREE_SMALL)
pytree_status pytree_allocate_like(pytree t, pytree like, const pytree_options *opt, pytree_error *err);
#endif

/* Copy a tree deeply into one block: nnx.clone; or copy it with every number zero: optax.tree.zeros_like (strings and opaque
 * leaves are copied). Returns the new tree, to be freed with pytree_free; its data is NULL on error. Trees of equal structure
 * and shapes have their arrays at the same offsets in the block, so parameters, gradients and moments line up; the blocks begin
 * at different offsets within a page. With opt->memory the new arrays of numbers lie in one block on the device; cloning
 * uploads, downloads (`allocate` is NULL), or copies on the device. The pytree that is returned knows that: its leaves have
 * PYTREE_FORM_DEVICE, and what would read them on the host fails with PYTREE_ARGUMENT. Pass it on as it is: its struct knows
 * nothing, and PYTREE(p) of that has leaves that seem to lie on the host. */
pytree pytree_clone(pytree t, const pytree_options *opt, pytree_error *err);
pytree pytree_zeros_like(pytree t, const pytree_options *opt, pytree_error *err);

/* Get all arrays of numbers of a tree that the library allocated, as one range: jax.flatten_util.ravel_pytree without a copy.
 * Returns where it begins, which for arrays on a device is an address there, and its length in *bytes (NULL: not asked),
 * which includes gaps between arrays (on a device they are zero). Trees of equal structure and shapes have ranges of equal
 * length with their arrays at the same offsets, so an optimizer's step is one loop, or one kernel. NULL and 0: there are no
 * arrays, or the tree only refers to them. O(1) on a device, elsewhere O(leaves). Not in PYTREE_SMALL. */
#if !defined(PYTREE_SMALL)
void *pytree_arrays(pytree t, size_t *bytes);
#endif

/* Free a tree returned by pytree_unflatten, pytree_clone or pytree_zeros_like, or the block of a struct that pytree_allocate
 * filled in; or a growing container or object with all that it owns, as pytree_container_free does. NULL data is allowed. What
 * belongs to a tree or a container is left alone. Pass the returned pytree, or PYTREE(&model) after pytree_allocate succeeded;
 * after it failed there is nothing to free, and a struct that still points to the caller's templates must not be passed. */
void pytree_free(pytree t);

/* Copy the values of src's leaves into dst: nnx.update. Returns PYTREE_OK; on any error dst is unchanged, because structures,
 * types and shapes, which must be equal, are compared first. The trees may share memory. What a predicate would make a leaf is
 * opened all the same. Arrays on a device need opt->memory, whose `copy` may fail: PYTREE_IO, and the leaves before are copied
 * already. No allocation. */
pytree_status pytree_copy_into(pytree dst, pytree src, const pytree_options *opt, pytree_error *err);

/* ---- Iterate and map ----------------------------------------------------------------------------------------------- */

/* A node of a treedef: see pytree_def below. */
typedef struct pytree_node {
    const pytree_type *type;              /* of the struct or built-in container; NULL: a leaf */
    uint32_t arity;                       /* children */
    uint32_t leaves;                      /* in its subtree; 1 for a leaf */
    uint32_t nodes;                       /* in its subtree, itself included */
    uint32_t meta;                        /* offset of its static values, in bytes; 0 for leaves and None */
} pytree_node;

#include "pytree/detail/state.h"          /* the state of an iterator; private */

/* An iterator over the leaves of one tree, or of several trees of equal structure: jax.tree.leaves_with_path,
 * optree.tree_iter.
 *
 *     pytree_iter it;
 *     if (pytree_iter_begin(&it, 2, (pytree[]){ params, grads }, NULL, &err) == PYTREE_OK) {
 *         while (pytree_iter_next(&it)) { use(it.leaf[0], it.leaf[1]); }
 *     }
 *     pytree_iter_end(&it);
 *
 * The first tree determines the structure. Where a later tree is deeper, its view is the whole subtree; any other
 * difference is an error when the iterator reaches it. One tree of up to 24 levels needs no allocation, and neither do up
 * to four small trees. A pytree_iter takes 8 KB and must not be moved or copied. */
struct pytree_iter {
    const pytree_leaf *const *leaf;       /* leaf[0 … n-1]: the current leaf in each tree */
    const pytree_leaf *out;               /* in pytree_map with an output tree: the leaf for the result; otherwise NULL */
    size_t n;                             /* trees */
    size_t index;                         /* of the current leaf */
    pytree_status status;                 /* why the iteration ended: PYTREE_OK at the end of the tree */
    /* private */
    pytree__cursor *cursors;
    const pytree_leaf **views;
    size_t n_cursors, block;
    bool checked;                         /* in pytree_map all trees have been gone over already */
    bool up_to;                           /* later trees may differ where a prefix may: in a deque's maximum length */
    bool zipped;                          /* all trees are a pytree_flat of one structure: leaf arrays side by side */
    size_t passed;                        /* leaves that the first cursor has come to then: it follows only for a path */
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

/* Start an iteration over n trees. Returns PYTREE_OK. Call pytree_iter_end in any case. `opt` and `err` are used until then,
 * and the trees must stay valid. */
pytree_status pytree_iter_begin(pytree_iter *it, size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);

/* Advance to the next leaf, the first one at first. Returns false at the end and on an error; it->status tells them apart. */
bool pytree_iter_next(pytree_iter *it);
#define pytree_next pytree_iter_next      /* the name before 0.2; to be removed in 0.3 */

/* End an iteration and free what it borrowed. Call it always, also after a failed begin and after an early exit. */
void pytree_iter_end(pytree_iter *it);

/* Get the key path of the current leaf, as text or as entries. pytree_iter_path_text works like snprintf: it writes at most n
 * bytes, including the NUL, and returns the full length without it. pytree_iter_path writes at most `capacity` entries, whose
 * names are borrowed, and returns the full number. O(depth). */
size_t pytree_iter_path_text(const pytree_iter *it, char *text, size_t n);
size_t pytree_iter_path(const pytree_iter *it, pytree_entry *entries, size_t capacity);

/* Process one leaf for pytree_map. Returns PYTREE_OK to go on; any other status stops the map and becomes its result.
 * at->leaf[k] is the view in tree k, at->out the one in the output tree; pytree_iter_path_text gives the path. It may write to
 * the leaves' elements, but must leave pointers and static values of the trees as they are. */
typedef pytree_status pytree_map_fn(void *context, const pytree_iter *at);

/* Call fn for every leaf of trees[0] in order, with the corresponding leaves of the other trees: jax.tree.map, map_with_path,
 * optree.tree_map_. Returns PYTREE_OK, or the status of the callback that stopped it. All trees are checked before the first
 * call. `out` has the same structure and receives the results; it may be NULL, or one of the trees. No allocation for one tree
 * of up to 24 levels, or up to four small ones, including out. */
pytree_status pytree_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                         const pytree_options *opt, pytree_error *err);

/* ---- Reduce -------------------------------------------------------------------------------------------------------- */

/* Fold the leaves from the left: jax.tree.reduce. Returns PYTREE_OK, or the status of the callback that stopped it. The result
 * is in the context, which fn updates. The same as pytree_map over one tree. */
pytree_status pytree_reduce(pytree_map_fn *fn, void *context, pytree t, const pytree_options *opt, pytree_error *err);

/* Fold the leaves as a balanced tree, for associative operations: jax.tree.reduce_associative. Returns PYTREE_OK and the value
 * in *result, or PYTREE_EMPTY if there are no leaves. `leaf` turns a leaf into a value of `size` bytes at `value`; `join`
 * combines a and b into a. One allocation. */
pytree_status pytree_reduce_pairwise(pytree_status (*leaf)(void *context, const pytree_iter *at, void *value),
                                     pytree_status (*join)(void *context, void *a, const void *b), void *context, size_t size,
                                     void *result, pytree t, const pytree_options *opt, pytree_error *err);

/* Reduce every element of every leaf to one value: jax.tree.all, optree.tree_any, tree_sum, tree_max, tree_min. Returns
 * PYTREE_OK and the value in *result. Elements are read as doubles, and a leaf that is not a real number is PYTREE_TYPE; but
 * for all and any a string is true if it is not empty, and None as a leaf is false. sum adds pairwise within a leaf, so long
 * arrays lose little accuracy. max and min return PYTREE_EMPTY without elements, and NaN if any element is NaN. */
pytree_status pytree_all(pytree t, bool *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_any(pytree t, bool *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_sum(pytree t, double *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_max(pytree t, double *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_min(pytree t, double *result, const pytree_options *opt, pytree_error *err);

/* Read element i of a leaf of real numbers. Returns it as a double; float16 and bfloat16 work, too. Undefined for other
 * leaves. */
double pytree_leaf_get(const pytree_leaf *leaf, size_t i);

/* Write a number to element i of a leaf of real numbers. It is rounded to the nearest value of a float type (beyond the range:
 * infinity), and toward zero for an integer type (beyond the range: its nearer end; NaN: 0); any number but 0 is true. Writes
 * nothing to other leaves. */
void pytree_leaf_set(const pytree_leaf *leaf, size_t i, double value);

/* ---- Walk ---------------------------------------------------------------------------------------------------------- */

/* Callbacks of pytree_walk; either may be NULL. `enter` is called at each leaf and before a node is opened, `leave` after a
 * node's children. Both return PYTREE_WALK_ON, or a pytree_status to stop with; `enter` may return PYTREE_WALK_SKIP to keep a
 * node closed, which then gets no `leave`. Value and path are valid during the call. */
enum { PYTREE_WALK_ON = 0, PYTREE_WALK_SKIP = -1 };
typedef struct pytree_visitor {
    int (*enter)(void *context, const pytree_leaf *value, const pytree_path *path);
    int (*leave)(void *context, const pytree_leaf *value, const pytree_path *path);
    void *context;
} pytree_visitor;

/* Visit every node and leaf: dm-tree's traverse, JAX's treedef.walk. Returns PYTREE_OK, or the status of the callback that
 * stopped it. No allocation for trees of up to 24 levels. */
pytree_status pytree_walk(pytree t, const pytree_visitor *visitor, const pytree_options *opt, pytree_error *err);

/* Get the children of the root: optree.tree_flatten_one_level. Returns PYTREE_OK, or PYTREE_ARGUMENT if the root is a leaf.
 * Writes at most `capacity` views and keys (either array may be NULL); *count (may be NULL) is the number of children. Views
 * and names of keys borrow from the tree. */
pytree_status pytree_children(pytree t, pytree_leaf *children, pytree_entry *keys, size_t capacity, size_t *count,
                              const pytree_options *opt, pytree_error *err);

/* ---- Compare and check --------------------------------------------------------------------------------------------- */

/* How close numbers must be: |a - b| <= absolute + relative * |b|. All zero, or NULL: they must be equal (0.0 equals -0.0). */
typedef struct pytree_tolerance {
    double relative, absolute;
    bool nan_equal;                       /* NaN equals NaN */
} pytree_tolerance;

/* Compare two trees: structure, element types, shapes and values: equinox.tree_equal. Returns true if they are equal;
 * otherwise, and on any failure, false, and the error says where and how they differ first. */
bool pytree_equal(pytree a, pytree b, const pytree_tolerance *tolerance, const pytree_options *opt, pytree_error *err);

/* Find all problems of a tree: nnx.check_pytree. Returns PYTREE_OK, or the status of the first problem. Problems are NULL where
 * data is required, PYTREE_WANTED, bad counts, sizes that overflow, cycles, memory reached twice, and what custom nodes report
 * of themselves, such as data in static values (pytree/object.h); the search continues after each. `report` may be NULL.
 * Allocates temporary memory. */
pytree_status pytree_check(pytree t, pytree_report_fn *report, void *context, const pytree_options *opt, pytree_error *err);

/* Groups of key paths that lead to the same or to overlapping memory. */
typedef struct pytree_duplicates {
    size_t n_groups;
    const size_t *counts;                 /* paths in group g */
    const char *const *const *paths;      /* paths[g][0 … counts[g]-1], in order of visit */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_duplicates;

/* Find memory that several key paths lead to: nnx.find_duplicates. Returns the groups in one block, to be freed with
 * pytree_duplicates_free, or NULL on error; a tree without sharing has no groups. A subtree that is reached twice is one entry
 * instead of one for each leaf. */
pytree_duplicates *pytree_find_duplicates(pytree t, const pytree_options *opt, pytree_error *err);
void pytree_duplicates_free(pytree_duplicates *d);        /* NULL is allowed */

/* ---- Print --------------------------------------------------------------------------------------------------------- */

/* Print a tree, one line for each leaf: key path, element type, shape, and the value of a scalar or string. With
 * opt->print_values, so many elements of an array follow its shape, "..." where there are more. pytree_print
 * returns PYTREE_OK; an error of the tree is found before anything is written. pytree_text works like snprintf and returns the
 * full length without the NUL, SIZE_MAX on error. */
pytree_status pytree_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);
size_t pytree_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* Write the key paths of all leaves into one block: jax.tree_util.keystr. Returns an array with the path of leaf i at i, to be
 * freed with pytree_paths_free, or NULL on error; *count (may be NULL) is their number. If `separator` is NULL the paths are
 * those of JAX's keystr (.layers[0].w), otherwise of its simple form: layers/0/w for "/". One allocation. */
const char **pytree_paths(pytree t, const char *separator, size_t *count, const pytree_options *opt, pytree_error *err);
void pytree_paths_free(const char **paths);               /* NULL is allowed */

/* ---- Treedefs ------------------------------------------------------------------------------------------------------ */

/* The structure of a tree: jax.tree_util.PyTreeDef. It is immutable, owns all its data, and outlives the tree; many threads may
 * read it.
 *
 *     nodes    in post-order, the root last: {type, arity, leaves, nodes, meta}
 *     statics  the static values of struct nodes and the keys of dicts, packed without padding
 *     orders   for each dict whose pairs are not stored in visiting order: the index of each pair visited, then the node
 *
 * MLP{n_layers = 2, layers = [Linear(784, 128), Linear(128, 10)]} is
 *
 *     nodes     *  *  Linear   *  *  Linear   list   MLP
 *     arity     0  0  2        0  0  2        2      1
 *     statics         784 128        128 10          2
 */
struct pytree_def {
    size_t n_nodes, n_leaves, n_statics;  /* statics in bytes */
    const pytree_node *nodes;
    const unsigned char *statics;
    bool none_is_leaf;
    const char *space;                    /* the namespace it was made in if it has struct or custom nodes, otherwise NULL */
    /* private */
    bool of_flat;                         /* it was made of a tree that has a pytree_flat in it */
    bool shares;                          /* some of its nodes may be pytree_same */
    bool by_rows;                         /* below struct nodes there are the nodes that their rows say, and no others */
    size_t n_orders;
    const uint32_t *orders;
    const pytree_allocator *allocator;
    size_t bytes;
    struct pytree__given *given;          /* copies of structs that leaves of pytree_allocate lie in */
};

/* Free a treedef, and the leaf array that pytree_flatten may have made with it. NULL is allowed. */
void pytree_def_free(pytree_def *def);

/* Copy a treedef. Returns the copy, to be freed with pytree_def_free, or NULL on error. One allocation. */
pytree_def *pytree_def_copy(const pytree_def *def, const pytree_options *opt, pytree_error *err);

/* Compare or hash treedefs. Two are equal if they have the same node kinds, types, arities, keys, static values, none_is_leaf
 * and namespace; the insertion order of dicts does not count. Equal treedefs have equal hashes within a process, even if the
 * structs were registered in different files. O(nodes), no allocation. */
bool pytree_def_equal(const pytree_def *a, const pytree_def *b);
uint64_t pytree_def_hash(const pytree_def *def);

/* Count leaves, nodes (leaves and None included), or the children of the root. O(1). */
static inline size_t pytree_def_num_leaves(const pytree_def *def) { return def->n_leaves; }
static inline size_t pytree_def_num_nodes(const pytree_def *def) { return def->n_nodes; }
static inline size_t pytree_def_num_children(const pytree_def *def) { return def->nodes[def->n_nodes - 1].arity; }

/* Copy child i of the root, counted from the end if i is negative. Returns it as a treedef, to be freed with pytree_def_free;
 * NULL and PYTREE_ARGUMENT if there is no such child. One allocation. */
pytree_def *pytree_def_child(const pytree_def *def, ptrdiff_t i, const pytree_options *opt, pytree_error *err);

/* Get the key of child i of the root, counted from the end if i is negative. Returns PYTREE_OK and the key in *entry, whose
 * name is borrowed from the treedef; PYTREE_ARGUMENT if there is no such child. */
pytree_status pytree_def_entry(const pytree_def *def, ptrdiff_t i, pytree_entry *entry, pytree_error *err);

/* Get the kind of the root, the name of its type ("Linear", "list", "dict", a namedtuple's "Point", "*" for a leaf; borrowed
 * from the treedef), or whether the treedef is a single leaf. O(1). */
pytree_kind pytree_def_kind(const pytree_def *def);
const char *pytree_def_type_name(const pytree_def *def);
bool pytree_def_is_leaf(const pytree_def *def);

/* Write a treedef as JAX does: PyTreeDef((*, {'a': *, 'b': *})), PyTreeDef(CustomNode(Foo[('hi',)], [*, *])), with
 * ", NoneIsLeaf" before the last parenthesis where none_is_leaf is set. pytree_def_text works like snprintf and returns the
 * full length without the NUL, SIZE_MAX if memory runs out (only beyond 64 levels). pytree_def_print adds a newline and returns
 * PYTREE_OK. */
size_t pytree_def_text(const pytree_def *def, char *text, size_t n);
pytree_status pytree_def_print(FILE *file, const pytree_def *def, pytree_error *err);

#ifdef __cplusplus
}
#include "pytree/detail/cxx.h"
#include "pytree/registry/all.h"          /* now, since a registration may stand in a namespace */
#endif
#endif /* PYTREE_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "pytree/impl/all.h"
#endif
