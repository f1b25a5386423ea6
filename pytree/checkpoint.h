/* pytree/checkpoint.h: matching the leaves of a tree with the named arrays of a file, and reporting everything that does not
 * fit.
 *
 * This header holds what pytree/safetensors.h, pytree/npy.h and pytree/npz.h have in common: options, and the report on a
 * file that does not match the tree.
 *
 *     pytree_report report = { 0 };
 *     pytree_checkpoint_options opt = { .prefix = "model.", .ignore_unexpected = true, .report = &report };
 *     if (pytree_load_safetensors("model.safetensors", PYTREE(&model), &opt, &err) != PYTREE_OK) {
 *         pytree_report_print(stderr, &report, NULL);
 *     }
 *     pytree_report_free(&report);
 *
 * A model that is not quite the file's: globs say what may be missing, what may be left over, and what is called otherwise.
 *
 *     pytree_report report = { 0 };
 *     static const pytree_rename renames[] = { { "layers.*.**", "model.layers.*.**" } };
 *     static const char *const heads[] = { "lm_head.**" }, *const buffers[] = { "**.attn.bias" };
 *     pytree_checkpoint_options opt = { .renames = renames, .n_renames = 1, .allow_missing = heads, .n_allow_missing = 1,
 *                                       .allow_unexpected = buffers, .n_allow_unexpected = 1, .report = &report };
 *
 * A leaf asks for the array of its name: its key path in the simple form (encoder.layers.0.w) after the prefix, or the name
 * that a table or a callback gives. Names are compared byte for byte. The rules of pytree.h hold.
 *
 * A glob is compared with a name entry by entry, and entries stand between separators ("."): `*` stands for one entry, `**`
 * for any number of entries or none, and everything else for itself, as in pytree/path.h. O(length of the name) for each `**`.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "io.h"

#ifndef PYTREE_CHECKPOINT_H
#define PYTREE_CHECKPOINT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The report ---------------------------------------------------------------------------------------------------- */

/* One mismatch, or one decision. The report owns the strings. */
typedef struct pytree_misfit {
    const char *name;                     /* in the file; of a leaf that the callback leaves out: its simple path */
    const char *path;                     /* key path of the leaf that asks for it, .layers[0].w; NULL: no leaf does */
    const char *wanted;                   /* expected by the leaf: "f32[2,3]"; NULL: none */
    const char *found;                    /* found in the file: "f64[2,3]"; NULL: none */
} pytree_misfit;

typedef struct pytree_misfits {
    size_t count;                         /* exact */
    size_t n_entries;                     /* listed ones: the first of them */
    const pytree_misfit *entries;
} pytree_misfits;

/* All mismatches of one call. Zero-initialise the report, point the options at it, and free it after the call, whatever its
 * status. A leaf of the wrong type and shape is in both lists. */
typedef struct pytree_report {
    pytree_misfits missing;            /* a leaf asks for it, the file does not have it */
    pytree_misfits unexpected;         /* the file has it, no leaf asks for it; listed even where that is allowed */
    pytree_misfits wrong_dtype;
    pytree_misfits wrong_shape;
    pytree_misfits ambiguous;          /* two leaves ask for one name; nothing else was checked then */
    /* What the options decided. None of it is an error; it is listed after successful loads, too. */
    pytree_misfits renamed;            /* the leaf asks for another name than the prefix and its simple path */
    pytree_misfits skipped;            /* the file has it, no leaf asks for it, and opt->allow_unexpected allows that */
    pytree_misfits kept;               /* the leaf keeps its value: opt->allow_missing allows it, or the callback says so */
    /* private */
    const pytree_allocator *allocator;
    void *block;
    size_t bytes;
} pytree_report;

/* Free the contents of a report and zero it. NULL is fine. */
void pytree_report_free(pytree_report *report);

/* Print a report, a line for each entry: "missing     encoder.w       .encoder.w  expected f32[2,3]"; nothing for NULL.
 * PYTREE_IO if writing fails. */
pytree_status pytree_report_print(FILE *file, const pytree_report *report, pytree_error *err);

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* The leaf of simple path `from` has the name `to` in the file. With stars it stands for many: `from` is a glob, and each star
 * in `to` stands for what the one at its place in `from` matches, so both need the same stars in the same order, eight at most
 * (PYTREE_ARGUMENT). { "layers.*.**", "model.layers.*.**" } renames layers.0.w to model.layers.0.w. */
typedef struct pytree_rename {
    const char *from, *to;
} pytree_rename;

/* A key and its string in the metadata of a file. */
typedef struct pytree_metadata {
    const char *key, *text;
} pytree_metadata;

/* The slice index of a leaf that is no slice. */
enum { PYTREE_WHOLE = -1 };

/* Give the leaf of simple path `leaf` its name in the file: write it into `text` like snprintf and return its length. If the
 * leaf is one slice of a larger array (layer 3 of all layers' weights), set *slice, which is PYTREE_WHOLE at the call, to its
 * index along the array's first axis. Return SIZE_MAX if the file does not have this leaf, which then stays as it is. Called
 * more than once for a leaf. */
typedef size_t pytree_rename_fn(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice);

/* How leaves that share their memory are saved. */
typedef enum pytree_shared {
    PYTREE_SHARED_REFUSED,                /* PYTREE_SHARED, with both paths */
    PYTREE_SHARED_ONCE,                   /* only under the name of the first. Loading: a missing name is filled from another
                                           * leaf that shares its memory, with the same type and shape */
    PYTREE_SHARED_EACH                    /* under each name */
} pytree_shared;

/* Options of loading and saving. Zero-initialised: the defaults. */
typedef struct pytree_checkpoint_options {
    pytree_options tree;                  /* allocator, is_leaf, … */
    const pytree_io *io;                  /* NULL: pytree_io_system */
    const char *separator;                /* between the entries of a name; NULL: "." */
    /* Where a leaf's name in the file comes from: the table if it lists the leaf (without stars first, then the first glob
     * that matches), otherwise the callback if there is one, otherwise the prefix and the simple path. */
    const pytree_rename *renames;
    size_t n_renames;
    pytree_rename_fn *rename;
    void *rename_context;
    const char *prefix;                   /* NULL: "" */
    /* Loading */
    bool ignore_unexpected;               /* arrays that no leaf asks for are no error */
    const char *const *allow_missing;     /* globs of names in the file: a leaf keeps its value if its array is missing */
    size_t n_allow_missing;
    const char *const *allow_unexpected;  /* globs of names in the file: arrays that no leaf needs to ask for */
    size_t n_allow_unexpected;
    bool convert;                         /* between F16, BF16, F32 and F64, rounded to nearest even */
    pytree_report *report;                /* NULL: none */
    size_t max_listed;                    /* entries in each of its lists; 0: 1000 */
    /* Saving */
    pytree_shared shared;
    const pytree_metadata *metadata;      /* safetensors: in this order */
    size_t n_metadata;
    int compress;                         /* npz: deflate, level 1 to 9; 0: stored */
} pytree_checkpoint_options;

/* ---- Arrays of a file ---------------------------------------------------------------------------------------------- */

/* How quantised numbers are packed: block by block, each of which becomes `numbers` floats. */
typedef struct pytree_packing {
    const char *name;                     /* "Q4_K" */
    unsigned numbers, bytes;              /* of a block */
    /* private */
    unsigned code;
    void (*unpack)(const unsigned char *block, float *to);     /* NULL: the library cannot */
} pytree_packing;

typedef struct pytree_tensor {
    const char *name;                     /* UTF-8. Must be the first member: lookups by name rely on it */
    const char *dtype;                    /* the file's name for its element type: "F32", "<f4" */
    const pytree_type *type;              /* element type in C, of a quantised one float; NULL: C has none */
    size_t ndim;
    const uint64_t *shape;
    uint64_t offset, bytes;               /* where its data begins in its file, and the bytes of its elements */
    const void *data;                     /* in memory if the file is mapped, aligned or not; otherwise NULL. As in the file:
                                           * look at strides and packing, or call pytree_checkpoint_read */
    size_t file;                          /* number of its file; 0 unless the checkpoint is sharded */
    const uint64_t *strides;              /* from element to element of each dimension, in elements; NULL: row-major order */
    const pytree_packing *packing;        /* of quantised numbers; NULL: they are not */
} pytree_tensor;

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/checkpoint_names.h"    /* the first of its rooms; each includes the next */
#endif
