/* pytree/checkpoint.h: the leaves of a tree and the named arrays of a file: which belongs to which, and all that does not fit.
 *
 * What pytree/safetensors.h and pytree/npy.h have in common: options, and the report on a file that is not what the tree asks
 * for. The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h.
 *
 *     pytree_report report = { 0 };
 *     pytree_checkpoint_options opt = { .prefix = "model.", .ignore_unexpected = true, .report = &report };
 *     if (pytree_load_safetensors("model.safetensors", PYTREE(&model), &opt, &err) != PYTREE_OK) {
 *         pytree_report_print(stderr, &report, NULL);
 *     }
 *     pytree_report_free(&report);
 *
 * A leaf asks for the array that has its name: the key path in the simple form (encoder.layers.0.w), behind the prefix, or what
 * a table or a callback says. Names are compared byte for byte. Rules as in pytree.h.
 */
#include "../pytree.h"
#include "io.h"

#ifndef PYTREE_CHECKPOINT_H
#define PYTREE_CHECKPOINT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The report ---------------------------------------------------------------------------------------------------- */

/* One thing that does not fit. Texts are the report's. */
typedef struct pytree_misfit {
    const char *name;                     /* in the file */
    const char *path;                     /* key path of the leaf that asks for it, .layers[0].w; NULL: none does */
    const char *wanted;                   /* by the leaf: "f32[2,3]"; NULL: nothing */
    const char *found;                    /* in the file: "f64[2,3]"; NULL: nothing */
} pytree_misfit;

typedef struct pytree_misfits {
    size_t count;                         /* exact */
    size_t n_entries;                     /* that are listed: the first ones */
    const pytree_misfit *entries;
} pytree_misfits;

/* All that does not fit, at once. Zero-initialise it, point the options at it, and free it after the call, whatever that
 * returned. A leaf of the wrong type and shape is in both lists. */
typedef struct pytree_report {
    pytree_misfits missing;            /* a leaf asks for it, the file does not have it */
    pytree_misfits unexpected;         /* the file has it, no leaf asks for it; listed even where that is allowed */
    pytree_misfits wrong_dtype;
    pytree_misfits wrong_shape;
    pytree_misfits ambiguous;          /* two leaves ask for one name; then nothing else has been looked at */
    /* private */
    const pytree_allocator *allocator;
    void *block;
    size_t bytes;
} pytree_report;

/* Gives back what a call put into the report and zeroes it. NULL is fine. */
void pytree_report_free(pytree_report *report);

/* A line for each entry: "missing     encoder.w       .encoder.w  expected f32[2,3]"; none for NULL. PYTREE_IO if the file
 * takes no more. */
pytree_status pytree_report_print(FILE *file, const pytree_report *report, pytree_error *err);

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* The leaf of simple path `from` has the name `to` in the file. */
typedef struct pytree_rename {
    const char *from, *to;
} pytree_rename;

/* A file's own remarks: texts by key. */
typedef struct pytree_metadata {
    const char *key, *text;
} pytree_metadata;

/* What a leaf that is no slice has for one. */
enum { PYTREE_WHOLE = -1 };

/* The name that the file has for the leaf of simple path `leaf`: written into `text` like snprintf, its length returned. If
 * the leaf is one slice of a larger array (layer 3 of all layers' weights), *slice is set to its index along the array's first
 * axis; before it is PYTREE_WHOLE. SIZE_MAX: the file does not have this leaf, and it stays as it is. Asked more than once
 * about a leaf. */
typedef size_t pytree_rename_fn(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice);

/* What saving does with leaves that are the same memory. */
typedef enum pytree_shared {
    PYTREE_SHARED_REFUSED,                /* PYTREE_SHARED, with both paths */
    PYTREE_SHARED_ONCE,                   /* under the name of the first. Loading: a name that is missing is made good by a leaf
                                           * of the same memory, type and shape */
    PYTREE_SHARED_EACH                    /* under each name */
} pytree_shared;

/* Zero-initialised means the defaults. */
typedef struct pytree_checkpoint_options {
    pytree_options tree;                  /* allocator, is_leaf, … */
    const pytree_io *io;                  /* NULL: pytree_io_system */
    const char *separator;                /* between the entries of a name; NULL: "." */
    /* A leaf's name in the file: from the table if it has it, otherwise from the callback if there is one, otherwise the prefix
     * and its simple path. */
    const pytree_rename *renames;
    size_t n_renames;
    pytree_rename_fn *rename;
    void *rename_context;
    const char *prefix;                   /* NULL: "" */
    /* Loading */
    bool ignore_unexpected;               /* what nobody asks for is no error */
    bool convert;                         /* F16, BF16, F32 and F64 serve for one another, rounded to nearest even */
    pytree_report *report;                /* NULL: not wanted */
    size_t max_listed;                    /* entries in each of its lists; 0: 1000 */
    /* Saving */
    pytree_shared shared;
    const pytree_metadata *metadata;      /* safetensors: in this order */
    size_t n_metadata;
    int compress;                         /* npz: deflate, level 1 to 9; 0: stored */
} pytree_checkpoint_options;

/* ---- Arrays of a file ---------------------------------------------------------------------------------------------- */

typedef struct pytree_tensor {
    const char *name;                     /* UTF-8. First member: names are found through it */
    const char *dtype;                    /* the file's word for its element type: "F32", "<f4" */
    const pytree_type *type;              /* element type in C; NULL: C has none */
    size_t ndim;
    const uint64_t *shape;
    uint64_t offset, bytes;               /* of its data, in its file */
    const void *data;                     /* where it is in memory if the file is mapped, aligned or not; otherwise NULL */
    size_t file;                          /* number of its file; 0 but in sharded checkpoints */
} pytree_tensor;

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/checkpoint_names.h"                          /* and from there checkpoint_report.h, checkpoint_match.h */
#endif
