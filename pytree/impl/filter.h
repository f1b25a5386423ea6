/* pytree/impl/filter.h: roles, and filters over places. */
#ifndef PYTREE_IMPL_FILTER_H
#define PYTREE_IMPL_FILTER_H

#include "internal.h"
#include "../filter.h"

/* ---- Roles --------------------------------------------------------------------------------------------------------- */

static size_t pytree__variable_children(const void *self, pytree *children, pytree_entry *keys)
{
    const pytree_variable *v = (const pytree_variable *)self;
    const pytree_items *grown = (const pytree_items *)v->container;
    if (children != NULL) { children[0] = grown == NULL ? v->value : grown->items[0]; }
    if (keys != NULL) {
        keys[0].kind = PYTREE_ATTRIBUTE;
        keys[0].name = "value";
        keys[0].index = 0;
    }
    return 1;
}

/* Get the literal of a variable's metadata. Returns NULL if it has none. */
static const char *pytree__variable_text(const pytree_variable *v)
{
    const pytree_items *grown = (const pytree_items *)v->container;
    if (grown == NULL) { return v->metadata; }
    return grown->count < 2 ? NULL : *(const char *const *)grown->items[1].data;
}

static size_t pytree__variable_metadata(const void *self, void *to)
{
    const char *text = pytree__variable_text((const pytree_variable *)self);
    const size_t bytes = text == NULL ? 0 : strlen(text) + 1;
    if (to != NULL && bytes != 0) { memcpy(to, text, bytes); }
    return bytes;
}

static size_t pytree__variable_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    const char *const at = (const char *)metadata, *const end = bytes == 0 ? NULL : (const char *)memchr(at, '\0', bytes);
    pytree__text_put(&to, end == NULL ? "None" : at, end == NULL ? 4 : (size_t)(end - at));
    return pytree__end_text(&to, n);
}

static pytree_status pytree__variable_make(void *self, const pytree_making *from, pytree_error *err)
{
    pytree_variable *v = (pytree_variable *)self;
    if (from->n != 1 || (from->bytes != 0 && ((const char *)from->metadata)[from->bytes - 1] != '\0')) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected one value and the text of metadata for a %s, got other ones",
                           from->type->name);
    }
    v->value = from->children[0];
    v->metadata = from->bytes == 0 ? NULL : (const char *)from->metadata;
    v->rebuilt = true;
    if (from->opt != NULL) {
        v->allocator = from->opt->allocator;
        v->level = from->opt->level;
        v->depth = v->level == NULL ? 0 : v->level->depth;
    }
    return PYTREE_OK;
}

static void pytree__variable_release(void *self)
{
    const pytree_variable *v = (const pytree_variable *)self;
    if (v->release != NULL) { v->release(self); }
}

static const struct pytree__growing pytree__variable_growing = { NULL, NULL, NULL };

const pytree_custom pytree_variable_node = {
    pytree__variable_children, true, pytree__variable_metadata, pytree__variable_print, NULL, pytree__variable_release,
    pytree__variable_make, NULL, &pytree__variable_growing
};

const pytree_type pytree_role_Variable = PYTREE__ROLE_TYPE("Variable", NULL);
#define PYTREE__X(name, base, collection) const pytree_type pytree_role_##name = PYTREE__ROLE_TYPE(#name, &pytree_role_##base);
PYTREE__ROLES(PYTREE__X)
#undef PYTREE__X

static const struct pytree__collection { const pytree_type *role; const char *name; } pytree__collections[] = {
#define PYTREE__X(name, base, collection) { &pytree_role_##name, collection },
    PYTREE__ROLES(PYTREE__X)
#undef PYTREE__X
};
enum { PYTREE__COLLECTIONS = sizeof pytree__collections / sizeof *pytree__collections };

/* Two files may each have a copy of a role: those are equal if names and bases are. */
static bool pytree__same_role(const pytree_type *a, const pytree_type *b)
{
    for (; a != b; a = a->base, b = b->base) {
        if (a == NULL || b == NULL || strcmp(a->name, b->name) != 0) { return false; }
    }
    return true;
}

bool pytree_role_is(const pytree_type *role, const pytree_type *base)
{
    for (; role != NULL; role = role->base) {
        if (pytree__same_role(role, base)) { return true; }
    }
    return false;
}

const pytree_type *pytree_role_of_collection(const char *collection, pytree_error *err)
{
    size_t i;
    for (i = 0; i < PYTREE__COLLECTIONS && collection != NULL && *collection != '\0'; i++) {
        if (strcmp(pytree__collections[i].name, collection) == 0) { return pytree__collections[i].role; }
    }
    pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected a collection such as 'params' or 'batch_stats', got %s%.60s%s",
                collection == NULL ? "" : "'", collection == NULL ? "NULL" : collection, collection == NULL ? "" : "'");
    return NULL;
}

const char *pytree_role_collection(const pytree_type *role)
{
    size_t i;
    for (; role != NULL; role = role->base) {
        for (i = 0; i < PYTREE__COLLECTIONS; i++) {
            if (*pytree__collections[i].name != '\0' && pytree__same_role(pytree__collections[i].role, role)) {
                return pytree__collections[i].name;
            }
        }
    }
    return NULL;
}

/* Find the role of the outermost row on the way to the leaf that an inlined struct stands at. */
static const pytree_type *pytree__run_role(const pytree__cursor *c, const pytree__frame *f)
{
    const pytree_type *type = f->type;
    const char *self = (const char *)f->self;
    const pytree_field *row;
    size_t leaf = f->next - 1 - c->of.run_left, child;
    bool more = true;
    while (more) {
        more = pytree__descend(&type, &self, &leaf, &row, &child);
        if (row->role != NULL) { return row->role; }
    }
    return NULL;
}

const pytree_type *pytree_iter_role(const pytree_iter *at)
{
    const pytree__cursor *const c = at == NULL ? NULL : at->cursors;
    const pytree_type *role = NULL;
    size_t i;
    if (at != NULL) { pytree__iter_seek(at); }
    for (i = 0; c != NULL && i < c->n_frames && role == NULL; i++) {
        const pytree__frame *const f = &c->frames[i];
        const pytree_field *row = NULL;
        if (f->run) { return pytree__run_role(c, f); }
        if (f->form == PYTREE_FORM_STRUCT && f->next != 0) {
            row = pytree__active_row(pytree__data_row(f->type, f->next - 1), f->self);
        }
        role = row != NULL ? row->role : f->type->custom == &pytree_variable_node ? f->type : NULL;
    }
    return role;
}

/* ---- Match --------------------------------------------------------------------------------------------------------- */

/* Tell whether an entry of a path is a name that equals or contains a string. Numbers count as their digits only for the
 * latter. */
static bool pytree__entry_has(const pytree_entry *entry, const char *text, bool whole)
{
    char digits[24];
    struct pytree__text_writer to = pytree__text_to(digits, sizeof digits, NULL);
    if (entry->name != NULL) { return whole ? strcmp(entry->name, text) == 0 : strstr(entry->name, text) != NULL; }
    if (whole) { return false; }
    pytree__put_integer(&to, (int64_t)entry->index);
    pytree__end_text(&to, sizeof digits);
    return strstr(digits, text) != NULL;
}

static bool pytree__path_has(const pytree_path *path, const pytree_filter *filter)
{
    size_t i;
    for (i = 0; i < path->n; i++) {
        const pytree_entry *entry = &path->entries[i];
        if (filter->kind == PYTREE_FILTER_INDEX ? entry->name == NULL && (int64_t)entry->index == filter->index
            : filter->text != NULL && pytree__entry_has(entry, filter->text, filter->kind == PYTREE_FILTER_NAME)) {
            return true;
        }
    }
    return false;
}

/* Read a string of a literal, and compare it with another one. Returns what stands behind it. */
static const char *pytree__string_is(const char *at, const char *wanted, bool *same)
{
    const char quote = *at++;
    *same = true;
    while (*at != quote && *at != '\0') {
        char character[4];
        size_t bytes = 1, n = *at == '\\' ? pytree__read_escape(at, strlen(at), character, &bytes) : 0;
        if (n == 0) {
            n = bytes = 1;
            character[0] = *at;
        }
        *same = *same && strncmp(wanted, character, bytes) == 0;
        if (*same) { wanted += bytes; }
        at += n;
    }
    *same = *same && *wanted == '\0';
    return *at == '\0' ? at : at + 1;
}

/* Tell whether the literal of a dict has the string `tag` under the key 'tag'. */
static bool pytree__has_tag(const char *metadata, const char *tag)
{
    size_t depth = 0;
    bool same, is_key = false;
    while (metadata != NULL && *metadata != '\0') {
        const bool is_tag = is_key;
        if (*metadata != '\'' && *metadata != '"') {
            depth += strchr("{[(", *metadata) != NULL;
            depth -= strchr("}])", *metadata) != NULL;
            metadata++;
            continue;
        }
        metadata = pytree__string_is(metadata, is_tag ? tag : "tag", &same);
        if (is_tag) { return same; }
        is_key = same && depth == 1 && *metadata == ':';
        if (is_key) { metadata += strspn(metadata, ": "); }
        if (is_key && *metadata != '\'' && *metadata != '"') { return false; }
    }
    return false;
}

/* Tell whether a path matches a pattern; here err may be NULL. */
static bool pytree__fits_pattern(const pytree_path *path, const char *pattern, pytree_error *err)
{
    pytree_error nobody;
    pytree__clear(&nobody, sizeof nobody);
    return pytree_path_match(path, pattern, err == NULL ? &nobody : err);
}

/* ---- Filters in filters ---------------------------------------------------------------------------------------------- */

/* The filters of which a part is at hand: few on the stack, more in memory of the C library. */
struct pytree__filter_frame { const pytree_filter *filter; size_t next; };
enum { PYTREE__FILTER_FRAMES = 16 };
struct pytree__filter_stack {
    struct pytree__filter_frame own[PYTREE__FILTER_FRAMES];
    struct pytree__filter_frame *frames;
    size_t n, capacity;
};

static void pytree__filter_begin(struct pytree__filter_stack *s)
{
    s->frames = s->own;
    s->n = 0;
    s->capacity = PYTREE__FILTER_FRAMES;
}

static void pytree__filter_end(struct pytree__filter_stack *s)
{
    if (s->frames != s->own) { pytree__array_free(s->frames, s->capacity, sizeof *s->frames, NULL); }
}

/* Open a filter of filters. Returns false if memory runs out. */
static bool pytree__filter_open(struct pytree__filter_stack *s, const pytree_filter *filter, pytree_error *err)
{
    if (s->n == s->capacity) {
        void *const grown = pytree__stack_grow(s->frames, s->own, &s->capacity, s->n + 1, sizeof *s->frames, NULL, err);
        if (grown == NULL) { return false; }
        s->frames = (struct pytree__filter_frame *)grown;
    }
    s->frames[s->n].filter = filter;
    s->frames[s->n++].next = 0;
    return true;
}

/* Tell whether a filter is made of filters. */
static bool pytree__filter_nests(const pytree_filter *filter)
{
    return filter->kind == PYTREE_FILTER_ANY || filter->kind == PYTREE_FILTER_ALL || filter->kind == PYTREE_FILTER_NOT;
}

/* Tell whether a filter that is not made of filters chooses a place. */
static bool pytree__filter_one(const pytree_filter *filter, const pytree_place *at, pytree_error *err)
{
    switch (filter->kind) {
    case PYTREE_FILTER_EVERYTHING:
    case PYTREE_FILTER_REST: return true;
    case PYTREE_FILTER_ROLE: return pytree_role_is(at->role, filter->type);
    case PYTREE_FILTER_TYPE: return at->type != NULL && filter->type != NULL && pytree_type_equal(at->type, filter->type);
    case PYTREE_FILTER_PATTERN: return pytree__fits_pattern(&at->path, filter->text, err);
    case PYTREE_FILTER_NAME:
    case PYTREE_FILTER_PART:
    case PYTREE_FILTER_INDEX: return pytree__path_has(&at->path, filter);
    case PYTREE_FILTER_TAG: return filter->text != NULL && pytree__has_tag(at->metadata, filter->text);
    case PYTREE_FILTER_TEST: return filter->test != NULL && filter->test(filter->context, at);
    default: return false;
    }
}

/* Take the answer of a part of the filter on top. Returns the next part that must be asked; NULL if the answer is that of the
 * whole filter. */
static const pytree_filter *pytree__filter_next(struct pytree__filter_stack *s, bool *answer)
{
    while (s->n != 0) {
        struct pytree__filter_frame *const f = &s->frames[s->n - 1];
        const bool is_all = f->filter->kind == PYTREE_FILTER_ALL;
        if (f->filter->kind == PYTREE_FILTER_NOT) { *answer = !*answer; }
        else if (*answer == is_all && ++f->next < f->filter->n) { return &f->filter->of[f->next]; }
        s->n--;
    }
    return NULL;
}

bool pytree_filter_match(const pytree_filter *filter, const pytree_place *at, pytree_error *err)
{
    struct pytree__filter_stack s;
    bool answer = false;
    if (filter == NULL || at == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a filter and a place, got NULL");
        return false;
    }
    if (!pytree__filter_nests(filter)) { return pytree__filter_one(filter, at, err); }
    pytree__filter_begin(&s);
    while (filter != NULL) {
        const bool is_not = filter->kind == PYTREE_FILTER_NOT;
        if (pytree__filter_nests(filter) && (is_not ? filter->n == 1 : filter->n != 0)) {
            if (!pytree__filter_open(&s, filter, err)) { answer = false; break; }
            filter = filter->of;
            continue;
        }
        answer = filter->kind == PYTREE_FILTER_ALL || pytree__filter_one(filter, at, err);
        filter = pytree__filter_next(&s, &answer);
    }
    pytree__filter_end(&s);
    return answer;
}

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static void pytree__put_quoted(struct pytree__text_writer *to, const char *text)
{
    if (text == NULL) { pytree__put_text(to, "None"); return; }
    pytree__put_repr(to, text, strlen(text));
}

/* Write a filter that is not made of filters. */
static void pytree__put_one_filter(struct pytree__text_writer *to, const pytree_filter *filter)
{
    switch (filter->kind) {
    case PYTREE_FILTER_NOTHING: pytree__put_text(to, "Nothing()"); break;
    case PYTREE_FILTER_EVERYTHING:
    case PYTREE_FILTER_REST: pytree__put_text(to, "Everything()"); break;
    case PYTREE_FILTER_ROLE:
    case PYTREE_FILTER_TYPE:
        pytree__put_text(to, "OfType(");
        pytree__put_text(to, filter->type == NULL ? "None" : filter->type->name);
        pytree__put_text(to, ")");
        break;
    case PYTREE_FILTER_PATTERN:
        pytree__put_text(to, "Path(");
        pytree__put_quoted(to, filter->text);
        pytree__put_text(to, ")");
        break;
    case PYTREE_FILTER_TAG:
        pytree__put_text(to, "WithTag(");
        pytree__put_quoted(to, filter->text);
        pytree__put_text(to, ")");
        break;
    case PYTREE_FILTER_NAME:
    case PYTREE_FILTER_PART:
    case PYTREE_FILTER_INDEX:
        pytree__put_text(to, "PathContains(");
        if (filter->kind == PYTREE_FILTER_INDEX) { pytree__put_integer(to, filter->index); }
        else { pytree__put_quoted(to, filter->text); }
        pytree__put_text(to, filter->kind == PYTREE_FILTER_PART ? ", exact=False)" : ", exact=True)");
        break;
    case PYTREE_FILTER_TEST: pytree__put_text(to, "Where(function)"); break;
    default: break;
    }
}

size_t pytree_filter_text(const pytree_filter *filter, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    struct pytree__filter_stack s;
    bool good = true;
    pytree__filter_begin(&s);
    while (filter != NULL) {
        if (!pytree__filter_nests(filter)) { pytree__put_one_filter(&to, filter); }
        else {
            pytree__put_text(&to, filter->kind == PYTREE_FILTER_ANY ? "Any(" : filter->kind == PYTREE_FILTER_ALL ? "All("
                                                                                                               : "Not(");
            good = pytree__filter_open(&s, filter, NULL);
        }
        filter = NULL;
        while (good && filter == NULL && s.n != 0) {
            struct pytree__filter_frame *const f = &s.frames[s.n - 1];
            if (f->next == f->filter->n) { pytree__put_text(&to, ")"); s.n--; continue; }
            if (f->next != 0) { pytree__put_text(&to, ", "); }
            filter = &f->filter->of[f->next++];
        }
    }
    pytree__filter_end(&s);
    if (good) { return pytree__end_text(&to, n); }
    if (n != 0) { *text = '\0'; }
    return SIZE_MAX;
}

#endif
