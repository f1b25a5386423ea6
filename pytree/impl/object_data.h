/* pytree/impl/object_data.h: what is data, and static values. */
#ifndef PYTREE_IMPL_OBJECT_DATA_H
#define PYTREE_IMPL_OBJECT_DATA_H

#include "internal.h"
#include "../object.h"
#include "containers.h"
#include "filter.h"

enum { PYTREE__OD_TEXT = 120 };            /* characters of what describes a value */

/* ---- Rows in the block of a container ------------------------------------------------------------------------------ */

/* An array of n elements in the block, as stb_ds has them; *at goes on to what follows it. */
static void *pytree__object_lay(char **at, size_t n, size_t size)
{
    stbds_array_header *const head = (stbds_array_header *)(void *)*at;
    memset(head, 0, sizeof *head);
    head->capacity = n;
    *at += sizeof *head + pytree__round(n * size, 16);
    return head + 1;
}

/* Return how many bytes n rows and their names take at the end of a block. */
static size_t pytree__object_bytes(size_t n, size_t step, size_t names)
{
    const size_t each = step + sizeof(uint32_t) + 1;
    return pytree__plus(pytree__plus(pytree__times(n, each), names), 4 * 16 + 3 * sizeof(stbds_array_header));
}

/* Let n rows lie in the last `more` bytes of the block, where pytree__object_bytes has been left. Returns where their names
 * may lie. */
static char *pytree__object_lay_rows(pytree__container *c, size_t n, size_t more)
{
    char *at = (char *)c + c->bytes - more;
    at += (0 - (uintptr_t)at) % 16;
    c->rows = (char *)pytree__object_lay(&at, n, c->step);
    if (c->keyed) { c->order = (uint32_t *)pytree__object_lay(&at, n, sizeof *c->order); }
    c->flags = (unsigned char *)pytree__object_lay(&at, n, sizeof *c->flags);
    pytree__ct_show_rows(c);
    return at;
}

/* ---- What is data -------------------------------------------------------------------------------------------------- */

/* Follow values that are held as a pytree, and annotations of static elements. */
static pytree pytree__od_referent(pytree value)
{
    while (value.data != NULL && value.type != NULL
           && (value.type->kind == PYTREE_KIND_REF || pytree__origin(value.type) == &pytree_static_type)) {
        value = *(const pytree *)value.data;
    }
    return value;
}

bool pytree_is_data(pytree value)
{
    const pytree_leaf *view;
    if (value.type == NULL || pytree__origin(value.type) == &pytree_static_type) { return false; }
    value = pytree__od_referent(value);
    if (value.type == NULL) { return false; }
    view = (const pytree_leaf *)value.data;
    switch (value.type->kind) {
    case PYTREE_KIND_LEAF: return value.type->dtype == PYTREE_OPAQUE;
    case PYTREE_KIND_STRUCT: return value.type->n_children != 0;
    case PYTREE_KIND_CUSTOM: return value.type->custom->growing != NULL;
    case PYTREE_KIND_VIEW:
        return view != NULL
            && (view->form == PYTREE_FORM_LEAF || (view->form == PYTREE_FORM_STRUCT && view->type->n_children != 0));
    default: return false;
    }
}

/* Describe a value that is data: "an array f32[2]", "a Param". */
static void pytree__od_describe(pytree value, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    const pytree_leaf *view;
    value = pytree__od_referent(value);
    view = value.type->kind == PYTREE_KIND_VIEW ? (const pytree_leaf *)value.data : NULL;
    if (view != NULL && view->form == PYTREE_FORM_LEAF) {
        char leaf[80];
        pytree__leaf_text(leaf, sizeof leaf, view);
        pytree__put_text(&to, "an array ");
        pytree__put_text(&to, leaf);
    } else {
        const char *name = view != NULL ? pytree__view_name(view) : value.type->name;
        pytree__put_text(&to, strchr("AEIOUaeiou", *name) != NULL ? "an " : "a ");
        pytree__put_text(&to, name);
    }
    pytree__end_text(&to, n);
}

/* A container whose values are being looked at. */
struct pytree__od_frame {
    const pytree_items *items;
    const pytree_type *type;
    size_t next;
};

/* What a search in a value has found first. */
enum { PYTREE__OD_NOTHING, PYTREE__OD_DATA, PYTREE__OD_ANNOTATION, PYTREE__OD_FAILED };
struct pytree__od_found {
    int what;
    pytree value;
    const pytree_type *in;                /* the container it is in; NULL: it is the value itself */
    char path[PYTREE_ERROR_PATH];
};

/* Does a node that only its callbacks or its treedef can open have children? */
static bool pytree__od_has_children(pytree value)
{
    const pytree_custom *custom = value.type->custom;
    if (value.type->kind == PYTREE_KIND_CUSTOM) {
        return custom->children != NULL && custom->children(value.data, NULL, NULL) != 0;
    }
    if (value.type->kind == PYTREE_KIND_FLAT) { return ((const pytree_flat *)value.data)->def->n_leaves != 0; }
    return value.type->kind == PYTREE_KIND_VIEW && ((const pytree_leaf *)value.data)->form != PYTREE_FORM_NONE;
}

/* Get the next value of a container and its key. Returns false behind the last one. */
static bool pytree__od_next(struct pytree__od_frame *f, pytree *value, pytree_entry *key)
{
    const bool keyed = pytree__keyed(f->type);
    const size_t i = f->next, n = f->items->count + (keyed ? f->items->removed : 0);
    key->kind = PYTREE_INDEX;
    key->name = NULL;
    key->index = i;
    if (i >= n) { return false; }
    f->next++;
    if (!keyed) {
        *value = pytree__ct_item(f->items, i);
    } else if (f->items->int_pairs != NULL) {
        *value = f->items->int_pairs[i].value;
        key->kind = PYTREE_INT_KEY;
        key->index = (pytree_key_index)f->items->int_pairs[i].key;
    } else {
        *value = f->items->pairs[i].value;
        key->kind = f->type->kind == PYTREE_KIND_NAMEDTUPLE ? PYTREE_ATTRIBUTE : PYTREE_KEY;
        key->name = f->items->pairs[i].key;
    }
    return true;
}

/* Note what was found, and its path. */
static void pytree__od_note(const struct pytree__vector *frames, int what, pytree value, struct pytree__od_found *found)
{
    struct pytree__text_writer to = pytree__text_to(found->path, sizeof found->path, NULL);
    size_t i;
    found->what = what;
    found->value = value;
    found->in = NULL;
    for (i = 0; i < frames->count; i++) {
        struct pytree__od_frame f = ((const struct pytree__od_frame *)frames->data)[i];
        pytree ignored;
        pytree_entry key;
        f.next--;
        (void)pytree__od_next(&f, &ignored, &key);
        pytree__put_entry(&to, &key, NULL, false);
        found->in = f.type;
    }
    pytree__end_text(&to, sizeof found->path);
}

/* Look at a value in a search: a container is opened. `anchor` is a container further up, which must not come again. */
static void pytree__od_look(struct pytree__vector *frames, const void **anchor, pytree value, struct pytree__od_found *found)
{
    struct pytree__od_frame *f;
    const bool annotated = value.type != NULL && pytree__origin(value.type) == &pytree_data_type;
    if (annotated && frames->count != 0) { pytree__od_note(frames, PYTREE__OD_ANNOTATION, value, found); return; }
    value = pytree__od_referent(annotated ? *(const pytree *)value.data : value);
    if (value.type == NULL || value.data == NULL) { return; }
    if (pytree_is_data(value) || pytree__od_has_children(value)) {
        pytree__od_note(frames, PYTREE__OD_DATA, value, found);
        return;
    }
    if (pytree__traits(value.type)->form != PYTREE_FORM_ITEMS || value.data == *anchor) { return; }
    if ((frames->count & (frames->count + 1)) == 0) { *anchor = value.data; }
    f = (struct pytree__od_frame *)pytree__vector_add(frames, 1, NULL);
    if (f == NULL) { found->what = PYTREE__OD_FAILED; return; }
    f->items = (const pytree_items *)value.data;
    f->type = value.type;
    f->next = 0;
}

/* Find the first data, or the first annotation that is in a container, in a value. */
static void pytree__od_find(pytree value, const pytree_allocator *a, struct pytree__od_found *found)
{
    struct pytree__vector frames = pytree__vector_of(sizeof(struct pytree__od_frame), a);
    const void *anchor = NULL;
    found->what = PYTREE__OD_NOTHING;
    pytree__od_look(&frames, &anchor, value, found);
    while (found->what == PYTREE__OD_NOTHING && frames.count != 0) {
        struct pytree__od_frame *f = (struct pytree__od_frame *)frames.data + frames.count - 1;
        pytree_entry key;
        if (pytree__od_next(f, &value, &key)) { pytree__od_look(&frames, &anchor, value, found); } else { frames.count--; }
    }
    pytree__vector_free(&frames);
}

bool pytree_has_data(pytree value, pytree_error *where)
{
    struct pytree__od_found found;
    char what[PYTREE__OD_TEXT];
    pytree__od_find(value, NULL, &found);
    if (found.what == PYTREE__OD_NOTHING) { return false; }
    if (found.what == PYTREE__OD_FAILED) {
        pytree_fail(where, PYTREE_NO_MEMORY, NULL, "expected memory to look into a deep value, got none");
        return true;
    }
    if (found.what == PYTREE__OD_ANNOTATION) { found.value = *(const pytree *)found.value.data; }
    pytree__od_describe(found.value, what, sizeof what);
    pytree_fail(where, PYTREE_STATIC, found.path, "expected a static value, got %s", what);
    return true;
}

/* ---- Static values ------------------------------------------------------------------------------------------------- */

static size_t pytree__od_no_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return 0;
}

/* Write the literal of None or of an int64_t, which most static values are, with its NUL. Returns its length with the NUL; 0
 * for anything else. */
static size_t pytree__static_short(pytree value, char to[24])
{
    const pytree_type *const type = value.type == NULL ? NULL : pytree__origin(value.type);
    char digits[24], *at = digits + sizeof digits;
    uint64_t left;
    int64_t number;
    if (type == &pytree_types[PYTREE__T_none]) { memcpy(to, "None", sizeof "None"); return sizeof "None"; }
    if (type != &pytree_types[PYTREE__T_INT64] || value.data == NULL) { return 0; }
    number = *(const int64_t *)value.data;
    *--at = '\0';
    for (left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number; left > 9; left /= 10) { *--at = (char)('0' + left % 10); }
    *--at = (char)('0' + left);
    if (number < 0) { *--at = '-'; }
    memcpy(to, at, (size_t)(digits + sizeof digits - at));
    return (size_t)(digits + sizeof digits - at);
}

/* Write the literal of a static value, with its NUL. */
static size_t pytree__static_metadata(const void *self, void *to)
{
    const pytree value = *(const pytree *)self;
    char few[24];
    size_t bytes = pytree__static_short(value, few);
    if (bytes != 0) {
        if (to != NULL) { memcpy(to, few, bytes); }
        return bytes;
    }
    bytes = pytree_literal_text(value, NULL, 0, NULL, NULL);
    if (bytes == SIZE_MAX) { return SIZE_MAX; }
    if (to != NULL) { bytes = pytree_literal_text(value, (char *)to, bytes + 1, NULL, NULL); }
    return bytes + 1;                     /* 0 where only the second pass found no memory: the caller sees that they differ */
}

/* Read what pytree__static_short writes. A number is put into the node's cell. Returns false for anything else. */
static bool pytree__static_read(const char *text, size_t bytes, const pytree_making *from, pytree *value)
{
    const size_t sign = *text == '-';
    uint64_t number = 0;
    size_t i;
    value->type = &pytree_types[PYTREE__T_none];
    value->data = NULL;
    if (bytes == sizeof "None" && memcmp(text, "None", bytes) == 0) { return true; }
    if (bytes < sign + 2 || bytes > 19 || (text[sign] == '0' && bytes != 2)) { return false; }
    for (i = sign; i + 1 < bytes && text[i] >= '0' && text[i] <= '9'; i++) { number = 10 * number + (uint64_t)(text[i] - '0'); }
    if (text[i] != '\0') { return false; }
    *from->cell = sign == 0 ? number : 0 - number;
    value->type = &pytree_types[PYTREE__T_INT64];
    value->data = from->cell;
    return true;
}

static pytree_status pytree__static_make(void *self, const pytree_making *from, pytree_error *err)
{
    const char *const text = (const char *)from->metadata;
    pytree_options opt;
    memset(&opt, 0, sizeof opt);
    opt.allocator = pytree__allocator(from->opt);
    if (from->n != 0 || from->bytes == 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the literal of a static value, got %zu children", from->n);
    }
    if (pytree__static_read(text, from->bytes, from, (pytree *)self)) { return PYTREE_OK; }
    *(pytree *)self = pytree_parse_n(text, from->bytes - 1, &opt, err);
    return err->status;
}

static void pytree__static_release(void *self) { pytree_free(*(const pytree *)self); }

/* Report data that has come into a static value. */
static void pytree__static_report(const void *self, pytree_report_fn *report, void *context)
{
    pytree_error problem;
    problem.status = PYTREE_OK;
    if (pytree_has_data(*(const pytree *)self, &problem)) { report(context, &problem); }
}

static const pytree_custom pytree__static_node = {
    pytree__od_no_children, false, pytree__static_metadata, pytree__variable_print, NULL, pytree__static_release,
    pytree__static_make, pytree__static_report, NULL
};
static const pytree_custom pytree__data_node = { NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL };

#define PYTREE__ANNOTATION(name, custom)                                                                                \
    { name, sizeof(pytree), sizeof(void *), PYTREE_KIND_CUSTOM, PYTREE_NO_DTYPE, 0, 0, false, false, false, NULL, NULL, \
      NULL, NULL, NULL, NULL, NULL, custom, NULL, NULL, NULL, NULL PYTREE__NOTED_AT(NULL) }
const pytree_type pytree_static_type = PYTREE__ANNOTATION("static", &pytree__static_node);
const pytree_type pytree_data_type = PYTREE__ANNOTATION("PYTREE_AS_DATA", &pytree__data_node);

#include "object.h"
#endif
