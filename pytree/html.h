/* pytree/html.h: a tree, or the difference of two, as one HTML page to look at in a browser.
 *
 *     pytree_save_html("model.html", PYTREE(&model), NULL, &err);
 *     pytree_save_html_diff("diff.html", PYTREE(&old), PYTREE(&fresh), NULL, NULL, &err);
 *
 * The page is one file that needs no network: the data as JSON, a script and a style sheet. It shows the nodes and leaves as
 * rows that fold, finds them by a part of their path or by a pattern (pytree/path.h), and adds up leaves, elements and bytes.
 * Of a row it shows the static fields, the role, values as pytree_print prints them, minimum, maximum, mean, deviation, NaN, a
 * histogram, a heat map, and the other paths that lead to the same memory. A difference marks what was added, removed or
 * changed, with the largest errors, and opens at the first one. docs/html.md describes the page.
 *
 * Cost: statistics read each array twice, of arrays of more than `most` elements only every k-th; heat maps read at most nine
 * elements for each cell. The size of the page is bounded by the number of rows, the static values and keys, and `cells`; a
 * row's values take at most 4 KB. A difference compares every element. The rules of pytree.h hold. Nothing recurses, neither
 * here nor in the page.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "algebra.h"                      /* differences */
#include "deviation.h"
#include "io.h"

#ifndef PYTREE_HTML_H
#define PYTREE_HTML_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a page. NULL or zero: the defaults. */
typedef struct pytree_html_options {
    pytree_options tree;                  /* as everywhere; print_values: the most values of an array to show, 0: 8 */
    const pytree_io *io;                  /* NULL: pytree_io_system */
    const char *title;                    /* in UTF-8; NULL: "pytree" */
    size_t most;                          /* elements of an array that statistics read; 0: 2^24, SIZE_MAX: all */
    size_t cells;                         /* of all heat maps together; each gets its part, but at least 64. 0: 2^21 */
} pytree_html_options;

/* Save a page of a tree: penzai's treescope, in a file. Returns PYTREE_OK. The file replaces an old one once it is complete
 * (pytree/io.h), so that a failure leaves the old one unchanged. The same tree gives the same bytes: no addresses, no time. A
 * value that several paths lead to has a row for each of them, linked to the others. Errors are those of pytree_flatten, of
 * which a cycle is PYTREE_CYCLE; a failing system is PYTREE_IO. A shape without data (pytree_eval_shape) is shown without
 * values, and an opaque leaf by its type's name. Bytes that are not UTF-8 are shown as Python escapes them, \udc80 to \udcff.
 * Allocates temporary memory: a flattened tree, 32 bytes a leaf, and at most 1 MB. O(nodes + elements). */
pytree_status pytree_save_html(const char *path, pytree t, const pytree_html_options *opt, pytree_error *err);

/* Save a page of the differences between two trees, as pytree_diff finds them: all rows of both, and of each pair of leaves
 * that differ how many elements do, the largest |a - b|, and the largest |a - b| / max(|a|, |b|), among the finite ones.
 * `tolerance` says what differs (NULL: all that is not equal). Returns PYTREE_OK, also if nothing differs. Otherwise like
 * pytree_save_html. */
pytree_status pytree_save_html_diff(const char *path, pytree a, pytree b, const pytree_tolerance *tolerance,
                                    const pytree_html_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/html_json.h"    /* the first of its rooms; each includes the next */
#endif
