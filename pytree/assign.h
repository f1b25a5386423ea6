/* pytree/assign.h: fill structs from text and from other trees, by name.
 *
 *     pytree tree = pytree_clone(PYTREE(&defaults), NULL, &err);                 // owns what is assigned to it
 *     const Config *config = tree.data;
 *
 *     pytree_assign_text(tree, "", text, NULL, &err);                            // {'window': {'size': [800, 600]}}
 *     pytree_assign_text(tree, ".window.title", getenv("TITLE"), NULL, &err);    // a setting from the environment
 *     pytree_assign_setting(tree, "window.size[0]=1024", NULL, &err);            // and one from the command line
 *     run(config);
 *     pytree_free(tree);
 *
 * Members are found by name; a member that is not named stays as it is. So a file may hold a few settings only, and several
 * sources may follow one another. docs/config.md shows a program.
 *
 *     what is given          to                         does
 *
 *     number                 number                     converts it, if nothing is lost: see below
 *     string                 string                     copies it
 *     string                 char[n]                    copies it, with its NUL
 *     string                 enum (PYTREE_ENUM)         sets the constant of that name
 *     number                 enum                       sets the constant of that value
 *     dict, struct           struct                     assigns each member that is named
 *     dict, struct           OPTIONAL struct, NULL      makes it, zeroed, and assigns its members
 *     None                   OPTIONAL                   sets it to NULL
 *     list, tuple, array     array, list, tuple         assigns each element: there must be as many
 *     list, tuple, array     STB_ARRAY, STD_VECTOR      gives it that length; new elements begin as zeros
 *     dict with numbers      array, list, STB_ARRAY     assigns those elements; the first one behind an STB_ARRAY extends it
 *     dict                   STB_MAP                    assigns the values of its keys; new keys are added
 *     anything               STATIC                     must equal it, part by part: static values are structure and stay
 *
 * A number is converted by value: 3 and 3.0 to an int, 1.5 or 300 to an int8_t not; 16777217 to a float not. A number that is
 * given as a floating-point number is rounded to the nearest of a narrower floating type, like 0.1f in C, but not to infinity.
 *
 * Ownership: strings are copied. They, and structs that are made, belong to the tree and are freed with it by pytree_free. So
 * the tree must be one that pytree_clone, pytree_zeros_like, pytree_unflatten or pytree_parse returned, passed as it was
 * returned, not as PYTREE of its data. To a struct of the caller's own, numbers, enums, char[n] and stb_ds containers of those
 * can be assigned; anything else is PYTREE_ARGUMENT. What is replaced stays in memory until pytree_free. An stb_ds container
 * or a std::vector belongs to the struct that it is in, as always: one that changes its length is allocated anew, and the old
 * one is freed.
 *
 * The rules of pytree.h hold. Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file
 * compiles the functions.
 */
#include "path.h"
#include "ravel.h"
#include "literal.h"

#ifndef PYTREE_ASSIGN_H
#define PYTREE_ASSIGN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of the functions below. NULL or zero: the defaults. */
typedef struct pytree_assign_options {
    pytree_options tree;                  /* allocator for working memory; space; the rest has no effect */
    pytree_report_fn *report;             /* is told of each mismatch, in the order of `from`; NULL: nobody is */
    void *context;
} pytree_assign_options;

/* Assign the values of `from`, which is any tree, to the members of t that have the same names. Returns PYTREE_OK.
 *
 * All mismatches are found before anything is written, and if there is one, t is unchanged. The error then has the status and
 * path of the first. Its message has all of them as far as they fit into PYTREE_ERROR_MESSAGE bytes: "expected i32, got 1.5;
 * .mode: expected one of fast, safe, got 'slow'; and 2 more". Statuses: PYTREE_NOT_FOUND for a name that t does not have,
 * PYTREE_TYPE, PYTREE_SHAPE, PYTREE_VALUE for a number that would not be the same, PYTREE_NULL_POINTER for an array that has no
 * memory yet, and for a string or struct that a new struct must have and is not given. Errors of `from` itself are returned as
 * they are. O(values of both), for dicts and structs times their members; allocates. */
pytree_status pytree_assign(pytree t, pytree from, const pytree_assign_options *opt, pytree_error *err);

/* Assign `from` to the value at a path: ".window.size[0]". Missing structs on the way are made, and an index one beyond an
 * STB_ARRAY extends it, as pytree_assign does. "" is the root. */
pytree_status pytree_assign_at(pytree t, const char *path, pytree from, const pytree_assign_options *opt, pytree_error *err);

/* Assign a text to the value at a path. The text is a literal (pytree/literal.h); if the path is not the root, what cannot be
 * read as one is a string, as is any text for a string that is not quoted itself: so Hello and 2024 need no quotes. (None is
 * None.) NULL does nothing and returns PYTREE_OK, which suits getenv. */
pytree_status pytree_assign_text(pytree t, const char *path, const char *text, const pytree_assign_options *opt,
                                 pytree_error *err);

/* Assign the rest of a file, which is a literal, to the root. PYTREE_IO if reading fails. */
pytree_status pytree_assign_file(pytree t, FILE *file, const pytree_assign_options *opt, pytree_error *err);

/* Assign a setting, "path=text", as pytree_assign_text does. The first dot of the path may be left out. PYTREE_SYNTAX without
 * a '='. */
pytree_status pytree_assign_setting(pytree t, const char *setting, const pytree_assign_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/assign_plan.h"    /* the first of its rooms; each includes the next */
#endif
