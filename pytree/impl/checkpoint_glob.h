/* pytree/impl/checkpoint_glob.h: globs of names, and names made of what their stars match. */
#ifndef PYTREE_IMPL_CHECKPOINT_GLOB_H
#define PYTREE_IMPL_CHECKPOINT_GLOB_H

#include "checkpoint_names.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

enum { PYTREE__GLOB_STARS = 8 };          /* in a glob of a table of renames */

/* A part of a string: an entry, or several with the separators between them. */
struct pytree__glob_part {
    const char *at;
    size_t bytes;
};

/* What the stars of a glob match, in their order. Of more than eight, the first. */
struct pytree__glob_stars {
    size_t n;
    struct pytree__glob_part of[PYTREE__GLOB_STARS];
};

static bool pytree__glob_match(const char *glob, const char *name, const char *separator, struct pytree__glob_stars *stars);
/* Write a glob with its stars replaced. Like snprintf: at most n bytes with the NUL; returns the length. */
static size_t pytree__glob_fill(const char *glob, const char *separator, const struct pytree__glob_stars *stars, char *text,
                                size_t n);
static pytree_status pytree__glob_check(const pytree_checkpoint_options *opt, pytree_error *err);
/* Tell whether one of n globs matches a name. */
static bool pytree__glob_any(const char *const *globs, size_t n, const char *name, const char *separator);

/* ---- Globs --------------------------------------------------------------------------------------------------------- */

/* Get the entry at *at, and move *at to the next one, or to NULL. */
static struct pytree__glob_part pytree__glob_entry(const char **at, const char *separator)
{
    struct pytree__glob_part entry;
    const char *end = separator[0] == '\0' ? NULL : strstr(*at, separator);
    entry.at = *at;
    entry.bytes = end == NULL ? strlen(*at) : (size_t)(end - *at);
    *at = end == NULL ? NULL : end + strlen(separator);
    return entry;
}

/* Count the stars of an entry that is `*` or `**`; 0 for others. */
static size_t pytree__glob_star(const struct pytree__glob_part *entry)
{
    return entry->bytes == 1 && entry->at[0] == '*' ? 1 : entry->bytes == 2 && memcmp(entry->at, "**", 2) == 0 ? 2 : 0;
}

static void pytree__glob_capture(struct pytree__glob_stars *stars, size_t i, const char *from, size_t bytes)
{
    if (i >= PYTREE__GLOB_STARS) { return; }
    stars->of[i].at = from;
    stars->of[i].bytes = bytes;
}

/* After a mismatch only the last `**` met takes one entry more: those before it would only leave it less. */
static bool pytree__glob_match(const char *glob, const char *name, const char *separator, struct pytree__glob_stars *stars)
{
    const char *again = NULL, *again_name = NULL, *from = name;
    size_t star = 0;
    bool have_again = false;
    stars->n = 0;
    for (;;) {
        struct pytree__glob_part step, entry;
        const char *behind = glob;
        if (glob == NULL && name == NULL) { return true; }
        if (glob != NULL) {
            step = pytree__glob_entry(&behind, separator);
            if (pytree__glob_star(&step) == 2) {
                have_again = true;
                again = glob = behind;
                again_name = from = name;
                star = stars->n++;
                pytree__glob_capture(stars, star, "", 0);
                continue;
            }
            if (name != NULL) {
                const char *next = name;
                entry = pytree__glob_entry(&next, separator);
                if (pytree__glob_star(&step) == 1) {
                    pytree__glob_capture(stars, stars->n++, entry.at, entry.bytes);
                } else if (entry.bytes != step.bytes || memcmp(entry.at, step.at, step.bytes) != 0) {
                    next = name;
                }
                if (next != name) {
                    glob = behind;
                    name = next;
                    continue;
                }
            }
        }
        if (!have_again || again_name == NULL) { return false; }
        entry = pytree__glob_entry(&again_name, separator);
        pytree__glob_capture(stars, star, from, (size_t)(entry.at - from) + entry.bytes);
        stars->n = star + 1;
        glob = again;
        name = again_name;
    }
}

static size_t pytree__glob_fill(const char *glob, const char *separator, const struct pytree__glob_stars *stars, char *text,
                                size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    size_t used = 0;
    bool first = true;
    while (glob != NULL) {
        struct pytree__glob_part entry = pytree__glob_entry(&glob, separator);
        if (pytree__glob_star(&entry) != 0 && used < stars->n) {
            const bool none = pytree__glob_star(&entry) == 2 && stars->of[used].bytes == 0;
            entry = stars->of[used++];
            if (none) { continue; }
        }
        if (!first) { pytree__put_text(&to, separator); }
        pytree__text_put(&to, entry.at, entry.bytes);
        first = false;
    }
    return pytree__end_text(&to, n);
}

/* Check that a table's globs have the stars that their names need. */
static pytree_status pytree__glob_check(const pytree_checkpoint_options *opt, pytree_error *err)
{
    const char *separator = opt->separator == NULL ? "." : opt->separator;
    size_t i;
    for (i = 0; i < opt->n_renames; i++) {
        const char *from = opt->renames[i].from, *to = opt->renames[i].to;
        size_t n = 0;
        while (from != NULL || to != NULL) {
            size_t a = 0, b = 0;
            while (a == 0 && from != NULL) {
                struct pytree__glob_part entry = pytree__glob_entry(&from, separator);
                a = pytree__glob_star(&entry);
            }
            while (b == 0 && to != NULL) {
                struct pytree__glob_part entry = pytree__glob_entry(&to, separator);
                b = pytree__glob_star(&entry);
            }
            n += a != 0;
            if (a != b || n > PYTREE__GLOB_STARS) {
                return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the same stars, at most 8, on both sides of a rename, "
                                   "got '%.80s' and '%.80s'", opt->renames[i].from, opt->renames[i].to);
            }
        }
    }
    return PYTREE_OK;
}

static bool pytree__glob_any(const char *const *globs, size_t n, const char *name, const char *separator)
{
    struct pytree__glob_stars stars;
    size_t i;
    for (i = 0; i < n && !pytree__glob_match(globs[i], name, separator, &stars); i++) {}
    return i < n;
}

#include "checkpoint_wants.h"
#endif
