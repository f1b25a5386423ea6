/* pytree/deviation.h: how far two trees are apart, leaf by leaf, and comparisons with a tolerance for each path.
 *
 *     const pytree_tolerance loose = { .relative = 1e-3 }, strict = { .absolute = 1e-6 };
 *     const pytree_group within[] = { { "**.attention**", &loose }, { "**", &strict } };
 *
 *     if (!pytree_equal_within(PYTREE(&ours), PYTREE(&theirs), 2, within, NULL, &err)) { … }     // the first that differs
 *     pytree_deviation_list *list = pytree_deviations(PYTREE(&ours), PYTREE(&theirs), 2, within, NULL, &err);
 *     pytree_deviation_print(stdout, list, &err);                                                // a row for each leaf
 *     pytree_deviation_free(list);
 *
 * A table of tolerances is one of pytree/groups.h, whose settings are pytree_tolerance: the first pattern that matches a leaf's
 * path decides, NULL settings demand equality, and a leaf without a match is PYTREE_NOT_FOUND. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "algebra.h"
#include "groups.h"

#ifndef PYTREE_DEVIATION_H
#define PYTREE_DEVIATION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Compare two trees like pytree_equal, with the tolerance of each leaf's path. Returns true if they are equal; otherwise, and
 * on any failure, false, and the error says where and how they differ first. */
bool pytree_equal_within(pytree a, pytree b, size_t n, const pytree_group *tolerances, const pytree_options *opt,
                         pytree_error *err);

/* List the differences between two trees like pytree_diff, with the tolerance of each leaf's path in a. Returns them in one
 * block, freed with pytree_diff_free; NULL on error. */
pytree_difference_list *pytree_diff_within(pytree a, pytree b, size_t n, const pytree_group *tolerances,
                                           const pytree_options *opt, pytree_error *err);

/* How far two leaves are apart: the largest errors are those of finite elements. Of a complex element its two parts count. Of
 * leaves that are no numbers only `differing` and `first` are set. */
typedef struct pytree_deviation {
    const char *path;
    size_t elements;
    size_t differing;                     /* elements that are not equal within the tolerance */
    size_t first;                         /* of these; SIZE_MAX: none */
    size_t not_finite;                    /* of these, where one is NaN or infinite */
    double absolute, relative;            /* largest |a - b|; largest |a - b| / max(|a|, |b|) */
    size_t absolute_at, relative_at;      /* their elements */
} pytree_deviation;

typedef struct pytree_deviation_list {
    size_t n, n_differing;                /* leaves; those of which elements differ */
    const pytree_deviation *leaves;       /* in the order of pytree_leaves */
    /* private */
    const char **paths;
    const pytree_allocator *allocator;
} pytree_deviation_list;

/* Measure how far apart each leaf of two trees is: numpy.testing.assert_allclose, for a whole tree and without the assertion.
 * Returns one row for each leaf, to be freed with pytree_deviation_free; NULL on error. Structures and shapes must be equal
 * (PYTREE_STRUCTURE, PYTREE_SHAPE); element types may differ if both are real or both complex numbers (PYTREE_TYPE). Every
 * element is compared. n 0: numbers must be equal. Four blocks, of which two are freed. O(elements). */
pytree_deviation_list *pytree_deviations(pytree a, pytree b, size_t n, const pytree_group *tolerances,
                                         const pytree_options *opt, pytree_error *err);
void pytree_deviation_free(pytree_deviation_list *list);  /* NULL is fine */

/* Write a table with a row for each leaf, which is also a table in Markdown: path, elements that differ, largest errors and
 * where they are. pytree_deviation_text works like snprintf and returns the length without the NUL. Writes nothing for NULL. */
pytree_status pytree_deviation_print(FILE *file, const pytree_deviation_list *list, pytree_error *err);
size_t pytree_deviation_text(const pytree_deviation_list *list, char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_DEVIATION_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/deviation.h"    /* the first of its rooms; each includes the next */
#endif
