/* pytree/impl/cursor_path.h: where a cursor stands as a key path, and errors that name it. */
#ifndef PYTREE_IMPL_CURSOR_PATH_H
#define PYTREE_IMPL_CURSOR_PATH_H

#include "internal.h"

/* Do the children of an open node lie in a row, so that their keys are 0, 1, 2, …? */
PYTREE__INLINE bool pytree__in_row(const pytree__frame *f)
{
    return f->from == PYTREE__FROM_ROW || f->from == PYTREE__FROM_BOXED;
}

/* Returns the views whose memory n numbers take. */
PYTREE__INLINE size_t pytree__number_views(size_t n)
{
    return (n * sizeof(uint32_t) + sizeof(pytree_leaf) - 1) / sizeof(pytree_leaf);
}

/* Returns the order of an open dict's pairs that stands among the views, behind the list of those that are there. */
PYTREE__INLINE const uint32_t *pytree__found_order(const pytree__cursor *c, const pytree__frame *f)
{
    return (const uint32_t *)(const void *)(c->views + f->views + (f->sparse ? pytree__number_views(f->count) : 0));
}

/* Finds the pair of an open dict or map that is visited i-th. */
PYTREE__INLINE char *pytree__pair(const pytree__cursor *c, const pytree__frame *f, size_t i)
{
    if (f->ordered) {
        i = pytree__found_order(c, f)[i];
    } else if (f->order != NULL) {
        i = f->order[i];
    }
    if (PYTREE__UNLIKELY(f->sparse)) { i = ((const uint32_t *)(const void *)(c->views + f->views))[i]; }
    return f->data + i * f->shape[1];
}

/* Returns the name of a namedtuple's type or of a default dict's factory; NULL if there is none. */
static const char *pytree__items_name(const pytree__frame *f)
{
    return f->form == PYTREE_FORM_ITEMS ? ((const pytree_items *)f->self)->name : NULL;
}

/* Returns the children of an open custom node. Behind them lie their keys, then its metadata. */
static const pytree *pytree__held(const pytree__cursor *c, const pytree__frame *f)
{
    return (const pytree *)(const void *)(c->views + f->views);
}

static PYTREE__APART_CLANG const unsigned char *pytree__held_metadata(const pytree__cursor *c, const pytree__frame *f)
{
    const pytree *end = pytree__held(c, f) + f->count;
    return (const unsigned char *)end + (f->type->custom->keyed ? f->count * sizeof(pytree_entry) : 0);
}

/* Writes the key path entry of child i of an open node. */
static void pytree__frame_entry(const pytree__cursor *c, const pytree__frame *f, size_t i, pytree_entry *entry)
{
    entry->kind = PYTREE_INDEX;
    entry->name = NULL;
    entry->index = i;
    if (f->form == PYTREE_FORM_STRUCT) {
        unsigned row = 0;
        size_t left = i;
        for (; f->type->fields[row].row != PYTREE_ROW_DATA || left-- != 0; row++) {}
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = f->type->fields[row].name;
    } else if (!PYTREE__CONTAINERS) {
        return;
    } else if (f->from == PYTREE__FROM_PAIRS) {
        const char *pair = pytree__pair(c, f, i);
        if (f->numbered) {
            int64_t number;
            memcpy(&number, pair, sizeof number);
            entry->kind = PYTREE_INT_KEY;
            entry->index = (pytree_key_index)number;
        } else {
            entry->kind = f->form == PYTREE_FORM_ITEMS ? (pytree_entry_kind)pytree__traits(f->type)->entry : PYTREE_KEY;
            memcpy(&entry->name, pair, sizeof entry->name);
            if (entry->name == NULL) { entry->name = ""; }
        }
    } else if (f->from == PYTREE__FROM_HELD) {
        entry->kind = PYTREE_FLAT_INDEX;
        if (f->type->custom->keyed) { *entry = ((const pytree_entry *)(const void *)(pytree__held(c, f) + f->count))[i]; }
    } else if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)(const void *)f->data;
        pytree__def_entry_at(flat->def, f->shape[0], i, entry);
    }
}

/* Returns the row of a struct's child i. */
static const pytree_field *pytree__data_row(const pytree_type *type, size_t i)
{
    const pytree_field *row = type->fields;
    if (type->n_fields == type->n_children) { return row + i; }
    for (; row->row != PYTREE_ROW_DATA || i-- != 0; row++) {}
    return row;
}

/* Returns the struct of a row in a run: in place, or where a pointer leads; NULL if that is NULL. */
static const char *pytree__struct_of(const pytree_field *row, const char *self)
{
    const char *const at = self + row->offset, *p = at;
    if (row->place == PYTREE_POINTER) { memcpy(&p, at, sizeof p); }
    return p;
}

/* Counts the leaves of a run. It calls itself for structs that lie in structs, or where pointers of a run lead: one deeper. */
static size_t pytree__deep_leaves(const pytree_type *type, const char *self)
{
    const pytree_field *row = type->fields, *end = row + type->n_fields;
    size_t n = 0;
    for (; row != end; row++) {
        const void *p = self;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->optional != 0) { memcpy(&p, self + row->offset, sizeof p); }
        if (p == NULL) { continue; }
        n += row->form != PYTREE_FORM_STRUCT ? 1 : pytree__deep_leaves(row->type, pytree__struct_of(row, self));
    }
    return n;
}

/* Goes one step from a run towards its leaf number `leaf`: finds the child and its row. Returns true if that child is a
 * struct in turn; type, self and leaf are then its own. */
static PYTREE__APART_CLANG bool pytree__descend(const pytree_type **type, const char **self, size_t *leaf,
                                                const pytree_field **row, size_t *child)
{
    for (*row = (*type)->fields, *child = 0;; (*row)++) {
        const void *p = *self;
        if ((*row)->row != PYTREE_ROW_DATA) { continue; }
        if ((*row)->optional != 0) { memcpy(&p, *self + (*row)->offset, sizeof p); }
        if (p != NULL && (*row)->form == PYTREE_FORM_STRUCT) {
            const char *const inner = pytree__struct_of(*row, *self);
            const size_t n = pytree__deep_leaves((*row)->type, inner);
            if (*leaf < n) {
                *type = (*row)->type;
                *self = inner;
                return true;
            }
            *leaf -= n;
        } else if (p != NULL && (*leaf)-- == 0) {
            return false;
        }
        (*child)++;
    }
}

/* Returns the row of the value at hand, and in *self the struct, or the element of a list, that it lies in; NULL if it lies in
 * none. */
static PYTREE__APART_CLANG const pytree_field *pytree__row_at(const pytree__cursor *c, const char **self)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const pytree_type *type;
    const pytree_field *row;
    size_t leaf, child;
    if (PYTREE__MORE_ROWS && f != NULL && f->from == PYTREE__FROM_BOXED && f->type->kind == PYTREE_KIND_ROW) {
        *self = f->data + (f->next - 1) * f->type->size;
        return f->type->fields;
    }
    if (f == NULL || f->form != PYTREE_FORM_STRUCT) { return NULL; }
    type = f->type;
    *self = (const char *)f->self;
    if (!f->run) { return pytree__active_row(pytree__data_row(type, f->next - 1), f->self); }
    for (leaf = f->next - 1 - c->of.run_left; pytree__descend(&type, self, &leaf, &row, &child);) {}
    return row;
}

/* Counts the entries of the path of the value at hand: one for each frame, for a run on top perhaps several. A node that is
 * just being opened has none. */
static PYTREE__APART_CLANG size_t pytree__depth(const pytree__cursor *c)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    size_t n = c->n_frames;
    if (f == NULL) { return 0; }
    if (f->next == 0) { return n - 1; }
    if (f->run) {
        const pytree_type *type = f->type;
        const char *self = (const char *)f->self;
        const pytree_field *row;
        size_t leaf = f->next - 1 - c->of.run_left, child;
        for (; pytree__descend(&type, &self, &leaf, &row, &child); n++) {}
    }
    return n;
}

static void pytree__entry_at(const pytree__cursor *c, size_t i, pytree_entry *entry)
{
    const pytree__frame *f = &c->frames[i < c->n_frames ? i : c->n_frames - 1];
    if (!f->run) {
        pytree__frame_entry(c, f, f->next - 1, entry);
    } else {
        const pytree_type *type = f->type;
        const char *self = (const char *)f->self;
        const pytree_field *row;
        size_t leaf = f->next - 1 - c->of.run_left, child, n = i - (c->n_frames - 1) + 1;
        do { pytree__descend(&type, &self, &leaf, &row, &child); } while (--n != 0);
        entry->kind = PYTREE_ATTRIBUTE;
        entry->name = row->name;
        entry->index = child;
    }
}

static PYTREE__APART_CLANG size_t pytree__cursor_path(const pytree__cursor *c, pytree_entry *entries, size_t capacity)
{
    size_t i;
    size_t n = pytree__depth(c);
    for (i = 0; i < n && i < capacity; i++) { pytree__entry_at(c, i, &entries[i]); }
    return n;
}

static PYTREE__APART_CLANG void pytree__cursor_text(const pytree__cursor *c, struct pytree__text_writer *to)
{
    const size_t n = pytree__depth(c);
    size_t i;
    for (i = 0; i < n; i++) {
        pytree_entry entry;
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(to, &entry, NULL, i == 0);
    }
}

#if defined(PYTREE_SMALL)
/* Sets an error at the value at hand. Its path loses the end if it is too long. */
static pytree_status pytree__fail_at_short(const pytree__cursor *c, pytree_status status)
{
    char path[PYTREE__PATH];
    struct pytree__text_writer to = pytree__text_to(path, sizeof path, NULL);
    pytree_error problem;
    if (c->err == NULL && c->watch == NULL) { return status; }
    pytree__cursor_text(c, &to);
    pytree__end_text(&to, sizeof path);
    if (c->watch == NULL) { return pytree__fail_short(c->err, status, path); }
    problem.status = PYTREE_OK;
    (void)pytree__fail_short(&problem, status, path);
    c->watch->problem(c->watch->context, &problem);
    return PYTREE_OK;
}

static pytree_status (pytree__fail_at)(const pytree__cursor *c, pytree_status status, const char *format, ...)
{
    (void)format;
    return pytree__fail_at_short(c, status);
}

static bool pytree__fail_begin(const pytree__cursor *c, pytree_status status, struct pytree__text_writer *to)
{
    (void)to;
    (void)pytree__fail_at_short(c, status);
    return false;
}

static void pytree__fail_end(const pytree__cursor *c, struct pytree__text_writer *to) { (void)c; (void)to; }
#else
/* A text writer's file that keeps the bytes from `skip` on. */
struct pytree__path_tail {
    size_t skip;                          /* bytes that still come and are dropped */
    char *at;
};

static void pytree__write_tail(FILE *file, const char *s, size_t n)
{
    struct pytree__path_tail *const tail = (struct pytree__path_tail *)(void *)file;
    const size_t skip = n < tail->skip ? n : tail->skip;
    tail->skip -= skip;
    if (n != skip) { memcpy(tail->at, s + skip, n - skip); }
    tail->at += n - skip;
}

/* Writes the last `room` bytes of the path of the value at hand, which is longer, and terminates the string. */
static PYTREE__APART_CLANG void pytree__put_path_tail(const pytree__cursor *c, char *at, size_t room)
{
    const size_t n = pytree__depth(c);
    struct pytree__path_tail tail = { 0, NULL };
    struct pytree__text_file file;
    struct pytree__text_writer to = { NULL, 0, 0, NULL };
    pytree_entry entry;
    size_t i = n;
    while (i > 0 && to.length < room) {
        i--;
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(&to, &entry, NULL, i == 0);
    }
    tail.skip = to.length - room;
    tail.at = at;
    file.file = (FILE *)(void *)&tail;    /* pytree__write_tail takes it back */
    file.write = pytree__write_tail;
    to.file = &file;
    for (; i < n; i++) {
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(&to, &entry, NULL, i == 0);
    }
    *tail.at = '\0';
}

/* Writes the path of the value at hand; of a long one, its beginning and its end. */
static PYTREE__APART_CLANG void pytree__cut_path(const pytree__cursor *c, char *path, size_t room)
{
    const size_t n = pytree__depth(c), half = room / 2 - 2, rest = room - half - 4;
    struct pytree__text_writer to = pytree__text_to(path, room, NULL);
    size_t i, head = half, skip = 0;
    for (i = 0; i < n && to.length < room; i++) {
        pytree_entry entry;
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(&to, &entry, NULL, i == 0);
    }
    pytree__end_text(&to, room);
    if (to.length < room) { return; }
    while ((path[head] & 0xC0) == 0x80) { head--; }        /* between characters: a path begins with a dot or a bracket */
    memcpy(path + head, "...", 3);
    head += 3;
    pytree__put_path_tail(c, path + head, rest);
    while (((unsigned char)path[head + skip] & 0xC0) == 0x80) { skip++; }
    memmove(path + head, path + head + skip, rest - skip + 1);
}

/* Sets an error at the value at hand, unless one was set before. */
static PYTREE__APART_CLANG void pytree__set_error_at(const pytree__cursor *c, pytree_error *err, pytree_status status,
                                                     const char *format, va_list arguments)
{
    if (err == NULL || err->status != PYTREE_OK) { return; }
    err->status = status;
    pytree__cut_path(c, err->path, sizeof err->path);
    pytree__put_message(err, format, arguments);
}

/* Begins an error at the value at hand, where no problem sink watches, whose message is written piece by piece: that takes 2 KB
 * of stack less than pytree__fail_at. Returns false if nobody reads it. */
static PYTREE__NOINLINE bool pytree__fail_begin(const pytree__cursor *c, pytree_status status, struct pytree__text_writer *to)
{
    pytree_error *const err = c->err;
    if (err == NULL || err->status != PYTREE_OK) { return false; }
    err->status = status;
    pytree__cut_path(c, err->path, sizeof err->path);
    *to = pytree__text_to(err->message, sizeof err->message, NULL);
    return true;
}

/* Ends its message, with dots where there was no room for all of it. */
static PYTREE__NOINLINE void pytree__fail_end(const pytree__cursor *c, struct pytree__text_writer *to)
{
    struct pytree__text_writer whole = *to;
    if (to->length > to->room) { whole.room -= 3; }
    pytree__put_part(to, &whole);
    pytree__end_text(to, sizeof c->err->message);
}

/* Tells a problem sink of an error at the value at hand. */
static PYTREE__NOINLINE void pytree__tell_problem(const pytree__cursor *c, pytree_status status, const char *format,
                                                  va_list arguments)
{
    pytree_error problem;
    problem.status = PYTREE_OK;
    pytree__set_error_at(c, &problem, status, format, arguments);
    c->watch->problem(c->watch->context, &problem);
}

/* Sets an error at the value at hand and returns its status. With a problem sink, tells the sink and returns PYTREE_OK. */
static PYTREE__NOINLINE pytree_status pytree__fail_at(const pytree__cursor *c, pytree_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (c->watch == NULL) { pytree__set_error_at(c, c->err, status, format, arguments); }
    else { pytree__tell_problem(c, status, format, arguments); }
    va_end(arguments);
    return c->watch == NULL ? status : PYTREE_OK;
}
#endif

/* Returns the form of the view that an open node was. */
static unsigned pytree__form_in(const pytree__frame *f)
{
    return f->form == PYTREE_FORM_CUSTOM ? (unsigned)PYTREE_FORM_STRUCT : f->form;
}

static PYTREE__NOINLINE pytree_status pytree__fail_misfit(pytree__cursor *c, pytree_status status, const pytree_leaf *wanted,
                                                          const pytree_leaf *got)
{
    struct pytree__text_writer to;
    if (pytree__fail_begin(c, status, &to)) {
        pytree__put_text(&to, "expected ");
        pytree__put_leaf_type(&to, wanted);
        pytree__put_text(&to, ", got ");
        pytree__put_leaf_type(&to, got);
        pytree__fail_end(c, &to);
    }
    return status;
}
#endif
