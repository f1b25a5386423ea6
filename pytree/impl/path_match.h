/* pytree/impl/path_match.h: comparing and matching key paths. */
#ifndef PYTREE_IMPL_PATH_MATCH_H
#define PYTREE_IMPL_PATH_MATCH_H

#include "path_text.h"

/* ---- Compare ------------------------------------------------------------------------------------------------------- */

static bool pytree__path_named(const pytree_entry *e) { return e->kind == PYTREE_ATTRIBUTE || e->kind == PYTREE_KEY; }

static int pytree__path_order(const pytree_entry *a, const pytree_entry *b)
{
    if (a->kind != b->kind) { return a->kind < b->kind ? -1 : 1; }
    if (pytree__path_named(a)) {
        int order = strcmp(a->name, b->name);
        return order < 0 ? -1 : order > 0;
    }
    if (a->kind == PYTREE_INT_KEY) { return (int64_t)a->index < (int64_t)b->index ? -1 : a->index != b->index; }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Tell whether [index] in a text stands for an entry. */
static bool pytree__path_is_index(const pytree_entry *e, pytree_key_index index)
{
    return e->index == index && (e->kind == PYTREE_INDEX || (e->kind == PYTREE_INT_KEY && (int64_t)index >= 0));
}

bool pytree_path_starts_with(const pytree_path *path, const pytree_path *prefix)
{
    const size_t n = pytree__path_length(prefix);
    size_t i;
    if (n > pytree__path_length(path)) { return false; }
    for (i = 0; i < n; i++) {
        if (pytree__path_order(&path->entries[i], &prefix->entries[i]) != 0) { return false; }
    }
    return true;
}

bool pytree_path_equal(const pytree_path *a, const pytree_path *b)
{
    return pytree__path_length(a) == pytree__path_length(b) && pytree_path_starts_with(a, b);
}

int pytree_path_compare(const pytree_path *a, const pytree_path *b)
{
    const size_t na = pytree__path_length(a), nb = pytree__path_length(b);
    size_t i;
    for (i = 0; i < na && i < nb; i++) {
        int order = pytree__path_order(&a->entries[i], &b->entries[i]);
        if (order != 0) { return order; }
    }
    return na < nb ? -1 : na > nb;
}

/* Hash a path with FNV-1a over kinds, names with their NUL, and numbers byte by byte, lowest first; then mix all bits. */
uint64_t pytree_path_hash(const pytree_path *path)
{
    const uint64_t prime = 0x100000001B3u;
    const size_t n = pytree__path_length(path);
    uint64_t hash = 0xCBF29CE484222325u;
    size_t i;
    for (i = 0; i < n; i++) {
        const pytree_entry *e = &path->entries[i];
        hash = (hash ^ (unsigned)e->kind) * prime;
        if (pytree__path_named(e)) {
            const char *s = e->name;
            do { hash = (hash ^ (unsigned char)*s) * prime; } while (*s++ != '\0');
        } else {
            uint64_t index = e->index;
            int byte;
            for (byte = 0; byte < 8; byte++, index >>= 8) { hash = (hash ^ (index & 0xFF)) * prime; }
        }
    }
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 32;
}

/* ---- Match --------------------------------------------------------------------------------------------------------- */

static bool pytree__path_step_named(const struct pytree__path_step *step, const char *name)
{
    size_t from = 0, bytes;
    char out[4];
    if (!step->escaped) { return strncmp(step->name, name, step->bytes) == 0 && name[step->bytes] == '\0'; }
    while (from < step->bytes) {
        out[0] = step->name[from];
        bytes = 1;
        from += out[0] == '\\' ? pytree__read_escape(step->name + from, step->bytes - from, out, &bytes) : 1;
        if (strncmp(name, out, bytes) != 0) { return false; }
        name += bytes;
    }
    return *name == '\0';
}

static bool pytree__path_step_fits(const struct pytree__path_step *step, const pytree_entry *e)
{
    switch (step->kind) {
    case PYTREE__PATH_ANY: return true;
    case PYTREE__PATH_ANY_ATTRIBUTE: return e->kind == PYTREE_ATTRIBUTE;
    case PYTREE__PATH_ANY_IN_BRACKETS: return e->kind != PYTREE_ATTRIBUTE;
    default: break;
    }
    if (step->kind == PYTREE_INDEX) { return pytree__path_is_index(e, step->index); }
    if (step->kind != (int)e->kind) { return false; }
    return pytree__path_named(e) ? pytree__path_step_named(step, e->name) : step->index == e->index;
}

/* Match a path. After a mismatch only the last `**` met is tried again, one entry further on. The entries after the last `**`
 * have a fixed number and are compared once, with the end of the path. */
static bool pytree__path_matches(const pytree_path *path, const char *pattern, pytree_error *err)
{
    const size_t n = pytree__path_length(path);
    struct pytree__path_reader r = pytree__path_read_begin(pattern, NULL, true, err), again = r, check = r;
    struct pytree__path_step step;
    size_t i = 0, again_i = 0, stars = 0, steps = 0, tail = 0;
    bool have_again = false;
    while (pytree__path_read_step(&check, &step)) {
        bool star = step.kind == PYTREE__PATH_ANY_NUMBER;
        stars += star;
        steps += !star;
        tail = star ? 0 : tail + 1;
    }
    if (check.status != PYTREE_OK || n < steps || (stars == 0 && n != steps)) { return false; }
    for (;;) {
        if (!pytree__path_read_step(&r, &step)) { return true; }         /* and no entry is left: steps were counted */
        if (step.kind == PYTREE__PATH_ANY_NUMBER) {
            if (--stars == 0) {
                if (n - i < tail) { return false; }
                i = n - tail;
                have_again = false;
            } else {
                again = r;
                again_i = i;
                have_again = true;
            }
            continue;
        } else if (i < n && pytree__path_step_fits(&step, &path->entries[i])) {
            i++;
            continue;
        }
        if (!have_again || again_i == n) { return false; }
        r = again;
        i = ++again_i;
    }
}

bool pytree_path_match(const pytree_path *path, const char *pattern, pytree_error *err)
{
    return pytree__path_matches(path, pattern, err);
}

bool pytree_iter_path_match(const pytree_iter *it, const char *pattern, pytree_error *err)
{
    pytree_entry short_entries[PYTREE__MATCH_ENTRIES], *entries = short_entries;
    pytree_path path;
    bool fits;
    if (err == NULL) { err = it->cursors[0].err; }
    path.n = pytree_iter_path(it, entries, PYTREE__MATCH_ENTRIES);
    if (path.n > PYTREE__MATCH_ENTRIES) {
        entries = (pytree_entry *)pytree__resize(it->allocator, NULL, 0, path.n * sizeof(*entries));
        if (entries == NULL) {
            pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected room for a path of %zu entries, got none", path.n);
            return false;
        }
        pytree_iter_path(it, entries, path.n);
    }
    path.entries = entries;
    fits = pytree__path_matches(&path, pattern, err);
    if (entries != short_entries) { pytree__resize(it->allocator, entries, path.n * sizeof(*entries), 0); }
    return fits;
}

#include "path_access.h"
#endif
