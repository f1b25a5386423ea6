/* pytree/impl/assign_node.h: assigning a node: finding where each child goes, making structs and containers of another size. */
#ifndef PYTREE_IMPL_ASSIGN_NODE_H
#define PYTREE_IMPL_ASSIGN_NODE_H

#include "assign_leaf.h"

/* How the children of an open node are known. */
enum { PYTREE__AS_SEQUENCE, PYTREE__AS_NUMBERED, PYTREE__AS_NAMED };

static int pytree__as_keys(const pytree__cursor *c)
{
    const pytree__frame *const f = &c->frames[c->n_frames - 1];
    pytree_entry key;
    if (f->count == 0) {
        return pytree__traits(pytree__type_of_form(f->form, f->type))->keys == PYTREE__KEYS_NONE ? PYTREE__AS_SEQUENCE
                                                                                               : PYTREE__AS_NAMED;
    }
    pytree__frame_entry(c, f, 0, &key);
    return key.name != NULL ? PYTREE__AS_NAMED : key.kind == PYTREE_INT_KEY ? PYTREE__AS_NUMBERED : PYTREE__AS_SEQUENCE;
}

/* Open an array of numbers or strings like a tuple of its elements. */
static pytree_status pytree__as_open_array(pytree__cursor *c, const pytree_leaf *array)
{
    pytree_leaf row = *array;
    const size_t n = array->shape[0];
    pytree_leaf *views;
    pytree_status status;
    pytree__frame *f;
    size_t i;
    row.form = PYTREE_FORM_TUPLE;
    if (array->ndim > 1) { row.shape[0] = 0; }
    status = pytree__open(c, &row);
    if (status != PYTREE_OK || array->ndim == 1) { return status; }
    views = pytree__room(c, n);
    if (views == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < n; i++) { pytree__element(&views[i], array, i); }
    f = &c->frames[c->n_frames - 1];
    f->type = &pytree_types[PYTREE__T_tuple];                  /* its first row lies at the same place, and is no cycle */
    f->from = PYTREE__FROM_VIEWS;
    f->count = n;
    c->n_views += n;
    return PYTREE_OK;
}

/* ---- Children ------------------------------------------------------------------------------------------------------------ */

/* Tell that the target has no child of that name or index. Returns false. */
static PYTREE__NOINLINE bool pytree__as_missing(struct pytree__assign *a, const pytree_entry *key)
{
    pytree__frame *const f = &a->to.frames[a->to.n_frames - 1];
    char expected[PYTREE__SIDE], got[PYTREE__SIDE / 2];
    struct pytree__text_writer to = pytree__text_to(expected, sizeof expected, NULL);
    const bool registered = f->form == PYTREE_FORM_STRUCT;
    const size_t n = registered ? f->type->n_fields : f->count;
    bool any = false;
    size_t i;
    if (pytree__as_keys(&a->to) == PYTREE__AS_SEQUENCE) {
        pytree__put_text(&to, f->count == 0 ? "no element" : "an index below ");
        if (f->count != 0) { pytree__put_number(&to, f->count); }
    } else {
        for (i = 0; i < n; i++) {
            pytree_entry entry;
            if (registered) {
                if (f->type->fields[i].row == PYTREE_ROW_DROP) { continue; }
                entry.kind = PYTREE_ATTRIBUTE;
                entry.name = f->type->fields[i].name;
            } else {
                pytree__frame_entry(&a->to, f, i, &entry);
            }
            pytree__put_text(&to, any ? ", " : "");
            pytree__put_entry(&to, &entry, NULL, true);
            any = true;
        }
    }
    if (to.length > to.room) { memcpy(expected + to.room - 3, "...", 3); }
    pytree__end_text(&to, sizeof expected);
    to = pytree__text_to(got, sizeof got, NULL);
    pytree__put_entry(&to, key, NULL, true);
    pytree__end_text(&to, sizeof got);
    f->next = 0;                          /* the path is the node's */
    return pytree__as_mismatch(a, PYTREE_NOT_FOUND, expected, got);
}

/* Take child k of the open node on top of the target. */
static bool pytree__as_take(struct pytree__assign *a, size_t k, struct pytree__as_place *place)
{
    pytree__frame *const f = &a->to.frames[a->to.n_frames - 1];
    const struct pytree__as_level *const level = (struct pytree__as_level *)a->levels.data + a->levels.count - 1;
    const pytree_leaf *value;
    f->next = k;
    if (pytree__take(&a->to, &value) != PYTREE_OK) { pytree__as_pass_on(a); return false; }
    place->to = *value;
    if (a->options.space != NULL) { pytree__apply_namespace(&a->to, &place->to); }
    if (PYTREE__DEVICES && a->to.met_device) { pytree__see_device(&a->to, &place->to); }
    place->made = level->made_from != NULL && (const char *)value->data >= level->made_from;
    if (level->fixed != NULL) {           /* the path is that of the member */
        a->member = "";
        f->next = 0;
    }
    return true;
}

/* See a static member: as a value, an array, or a struct. */
static void pytree__as_see_static(pytree_leaf *v, const pytree_field *row, char *field)
{
    pytree__view(v, row->type, field);
    v->ndim = row->ndim;
    v->shape[0] = row->ndim == 0 ? 0 : row->size / row->inner;
    v->shape[1] = row->ndim < 2 ? 0 : row->inner / row->type->size;
    if (row->ndim == 1 && row->type->kind == PYTREE_KIND_STRUCT) { v->form = PYTREE_FORM_TUPLE; }
}

/* Find a member of the open struct by its name. */
static bool pytree__as_member(struct pytree__assign *a, const pytree_entry *key, struct pytree__as_place *place)
{
    pytree__frame *const f = &a->to.frames[a->to.n_frames - 1];
    const pytree_field *row = f->type->fields, *const end = row + f->type->n_fields;
    size_t k = 0;
    while (row != end && (key->name == NULL || row->row == PYTREE_ROW_DROP || strcmp(row->name, key->name) != 0)) {
        k += row->row == PYTREE_ROW_DATA;
        row++;
    }
    if (row == end) { return pytree__as_missing(a, key); }
    if (row->row == PYTREE_ROW_DATA) {
        const pytree_field *const active = pytree__active_row(row, f->self);           /* of a union */
        if (active != NULL && active->form != PYTREE_FORM_NONE) {
            place->row = active;
            place->field = (char *)(uintptr_t)f->self + active->offset;
        }
        return pytree__as_take(a, k, place);
    }
    place->row = row;
    place->field = (char *)(uintptr_t)f->self + row->offset;
    f->next = 0;
    a->member = row->name;
    pytree__as_see_static(&place->to, row, place->field);
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_BITS) {
        a->bits = row->functions->read(f->self);
        pytree__view(&place->to, pytree_dtype_type(PYTREE_I64), &a->bits);
    }
    return true;
}

/* Find where the source's value at hand goes. Returns false if it goes nowhere, and tells why. */
static bool pytree__as_find(struct pytree__assign *a, struct pytree__as_place *place)
{
    const pytree__frame *const g = a->from.n_frames == 0 ? NULL : &a->from.frames[a->from.n_frames - 1];
    const pytree__frame *f;
    const struct pytree__as_level *level;
    pytree_entry key, mine;
    size_t k;
    memset(place, 0, offsetof(struct pytree__as_place, to));
    place->row = NULL;
    place->field = NULL;
    place->fresh = place->made = false;
    a->member = NULL;
    if (g == NULL) { place->to = a->to.root; return true; }
    f = &a->to.frames[a->to.n_frames - 1];
    level = (const struct pytree__as_level *)a->levels.data + a->levels.count - 1;
    place->fresh = level->fresh;
    pytree__frame_entry(&a->from, g, g->next - 1, &key);
    if (f->form == PYTREE_FORM_STRUCT) { return pytree__as_member(a, &key, place); }
    if (key.name == NULL && pytree__as_keys(&a->to) == PYTREE__AS_SEQUENCE) {
        return key.index < f->count ? pytree__as_take(a, (size_t)key.index, place) : pytree__as_missing(a, &key);
    }
    for (k = 0; k < f->count; k++) {
        pytree__frame_entry(&a->to, f, k, &mine);
        if (key.name == NULL ? mine.name == NULL && mine.index == key.index
                             : mine.name != NULL && strcmp(mine.name, key.name) == 0) {
            return pytree__as_take(a, k, place);
        }
    }
    return pytree__as_missing(a, &key);
}

/* ---- Making what is missing ---------------------------------------------------------------------------------------------- */

/* Make the struct that a pointer is to lead to. */
static bool pytree__as_make_struct(struct pytree__assign *a, struct pytree__as_place *place)
{
    const pytree_type *const type = place->row->type;
    void *const made = pytree__as_attach(a, type->size, "the caller's own for a struct to make");
    if (made == NULL || !pytree__as_put(a, place->fresh, place->field, &made, sizeof made)) { return false; }
    pytree__view(&place->to, type, made);
    place->fresh = place->made = true;
    return true;
}

/* Give an stb_ds array as many elements as the open node of the source has; or, of a dict with numbers, one more. */
static bool pytree__as_resize_list(struct pytree__assign *a, struct pytree__as_place *place, struct pytree__as_level *level)
{
    const pytree__frame *const g = &a->from.frames[a->from.n_frames - 1];
    const size_t old = place->to.shape[0];
    const int keys = pytree__as_keys(&a->from);
    size_t n = keys == PYTREE__AS_SEQUENCE ? g->count : old, i;
    pytree_entry key;
    for (i = 0; keys == PYTREE__AS_NUMBERED && i < g->count; i++) {
        pytree__frame_entry(&a->from, g, i, &key);
        if (key.index == n) { n++; }
    }
    if (n == old) { return true; }
    if (!pytree__as_remake(a, place, n, NULL, n < old ? n : old)) { return false; }
    level->made_from = n > old ? (const char *)place->to.data + old * place->row->inner : NULL;
    return true;
}

/* Add the keys that an stb_ds map does not have yet. */
static bool pytree__as_add_keys(struct pytree__assign *a, struct pytree__as_place *place, struct pytree__as_level *level)
{
    const pytree__frame *const g = &a->from.frames[a->from.n_frames - 1];
    const pytree_field *const row = place->row;
    const size_t old = place->to.shape[0], align = row->type->align, keys = sizeof(char *);
    struct pytree__vector all = pytree__vector_of(sizeof(char *), a->options.allocator);
    const char **at = (const char **)pytree__vector_add(&all, pytree__plus(old, g->count), a->err);
    size_t n = old, i, k;
    bool done = at != NULL;
    if (!done) { a->status = PYTREE_NO_MEMORY; return false; }
    for (i = 0; i < old; i++) { memcpy(&at[i], (const char *)place->to.data + i * row->inner, sizeof *at); }
    for (i = 0; i < g->count; i++) {
        pytree_entry key;
        pytree__frame_entry(&a->from, g, i, &key);
        for (k = 0; k < old && strcmp(at[k], key.name) != 0; k++) {}
        if (k == old) { at[n++] = key.name; }
    }
    if (n != old) {
        done = pytree__as_remake(a, place, n, at, old);
        place->to.shape[1] = row->inner;
        place->to.shape[2] = (keys + align - 1) / align * align;
        level->made_from = (const char *)place->to.data + old * row->inner;
    }
    pytree__vector_free(&all);
    return done;
}

/* Has a static value parts that are compared one by one? Strings in the struct have none. */
static bool pytree__as_enters_static(const pytree_leaf *to)
{
    return to->form != PYTREE_FORM_LEAF || (to->ndim != 0 && to->type->dtype != PYTREE_TEXT);
}

/* Prepare a place for the open node of the source: afterwards it can be opened. */
static bool pytree__as_prepare(struct pytree__assign *a, struct pytree__as_place *place, struct pytree__as_level *level,
                               const pytree_leaf *value)
{
    const pytree_field *const row = place->row;
    const pytree_leaf *const to = &place->to;
    const bool named = pytree__as_keys(&a->from) == PYTREE__AS_NAMED;
    void *p;
    if (a->member != NULL && !pytree__as_enters_static(to)) { return pytree__as_static(a, place, value); }
    level->fixed = a->member;
    if (a->member != NULL) {
        const size_t n = pytree_leaf_count(to);
        if (to->form == PYTREE_FORM_LEAF && a->from.frames[a->from.n_frames - 1].count == n) {
            place->to.ndim = 1;           /* as literals and treedefs write them, whatever its dimensions */
            place->to.shape[0] = n;
        }
        return true;
    }
    if (row != NULL && row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_POINTER) {
        memcpy(&p, place->field, sizeof p);
        if (p == NULL && named) { return pytree__as_make_struct(a, place); }
    }
    if (row != NULL && row->place == PYTREE_STB && (to->form == PYTREE_FORM_MAP) == named) {
        return named ? pytree__as_add_keys(a, place, level) : pytree__as_resize_list(a, place, level);
    }
    if (to->form == PYTREE_FORM_NONE || (to->form == PYTREE_FORM_LEAF && to->ndim <= (to->type->dtype == PYTREE_TEXT))) {
        return pytree__as_misfit(a, PYTREE_TYPE, place, value);
    }
    if (to->form == PYTREE_FORM_LEAF && to->data == NULL && pytree_leaf_count(to) != 0) {
        return pytree__as_mismatch(a, PYTREE_NULL_POINTER, "an array with memory", "NULL");
    }
    return true;
}

/* ---- Nodes --------------------------------------------------------------------------------------------------------------- */

/* Do the two open nodes fit: names to names, and as many elements? */
static bool pytree__as_match(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value)
{
    const pytree__frame *const f = &a->to.frames[a->to.n_frames - 1], *const g = &a->from.frames[a->from.n_frames - 1];
    const int theirs = pytree__as_keys(&a->from);
    const bool registered = f->form == PYTREE_FORM_STRUCT;
    const int mine = registered ? PYTREE__AS_NAMED : pytree__as_keys(&a->to);
    char got[64];
    if (f->from == PYTREE__FROM_ZEROS) {
        return pytree__as_mismatch(a, PYTREE_NULL_POINTER, "a list with memory", "NULL");
    }
    if ((mine == PYTREE__AS_NAMED) != (theirs == PYTREE__AS_NAMED) && g->count != 0) {
        return pytree__as_misfit(a, PYTREE_TYPE, place, value);
    }
    if (mine == PYTREE__AS_SEQUENCE && theirs == PYTREE__AS_SEQUENCE && f->count != g->count) {
        char expected[PYTREE__SIDE];
        pytree__as_expected(expected, sizeof expected, place);
        (void)snprintf(got, sizeof got, "%zu element%s", g->count, g->count == 1 ? "" : "s");
        return pytree__as_mismatch(a, PYTREE_SHAPE, expected, got);
    }
    return true;
}

/* Open a place of the target. The cursor would drop the views of a struct whose last child is opened; this one comes back. */
static bool pytree__as_enter(struct pytree__assign *a, const pytree_leaf *to)
{
    const size_t depth = a->to.n_frames;
    pytree_status status;
    if (depth != 0) { a->to.frames[depth - 1].count++; }
    status = to->form == PYTREE_FORM_LEAF ? pytree__as_open_array(&a->to, to) : pytree__open(&a->to, to);
    if (depth != 0) { a->to.frames[depth - 1].count--; }
    if (status != PYTREE_OK) { pytree__as_pass_on(a); }
    return status == PYTREE_OK;
}

/* Open a node of the source, or an array, and the place that it is for. Both stay closed if they do not fit. */
static void pytree__as_open(struct pytree__assign *a, struct pytree__as_place *place, const pytree_leaf *value)
{
    const size_t depth = a->to.n_frames;
    const pytree_leaf given = *value;     /* opening may move it */
    struct pytree__as_level now, *level;
    memset(&now, 0, sizeof now);
    a->status = given.form == PYTREE_FORM_LEAF ? pytree__as_open_array(&a->from, &given) : pytree__open(&a->from, &given);
    if (a->status != PYTREE_OK) { return; }
    if (pytree__as_prepare(a, place, &now, &given) && pytree__as_enter(a, &place->to) && pytree__as_match(a, place, &given)) {
        now.fresh = place->fresh;
        now.made = place->made;
        if (depth != 0) {
            level = (struct pytree__as_level *)a->levels.data + depth - 1;
            now.inside = level->made || level->inside;
        }
        level = (struct pytree__as_level *)pytree__vector_add(&a->levels, 1, a->err);
        if (level == NULL) { a->status = PYTREE_NO_MEMORY; return; }
        *level = now;
        return;
    }
    while (a->to.n_frames > depth) { pytree__close(&a->to); }
    pytree__close(&a->from);
}

/* Close the node on top. A struct that was made must have all that it needs. */
static void pytree__as_close(struct pytree__assign *a)
{
    pytree__frame *const f = &a->to.frames[a->to.n_frames - 1];
    const struct pytree__as_level level = ((struct pytree__as_level *)a->levels.data)[a->levels.count - 1];
    pytree_error problem;
    size_t n;
    pytree made;
    if (level.made && !level.inside && a->problems == 0 && f->form == PYTREE_FORM_STRUCT) {
        memset(&problem, 0, sizeof problem);
        made.type = f->type;
        made.data = (void *)(uintptr_t)f->self;
        if (pytree__count_leaves(made, NULL, 0, &n, &a->options, &problem) != PYTREE_OK) {
            f->next = 0;
            (void)pytree__fail_at(&a->to, problem.status, "%s", problem.message);
            n = strlen(a->problem.path);
            (void)snprintf(a->problem.path + n, sizeof a->problem.path - n, "%s", problem.path);
            pytree__as_pass_on(a);
        }
    }
    a->levels.count--;
    pytree__close(&a->to);
}

/* Assign None. */
static void pytree__as_none(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value)
{
    const pytree_field *const row = place->row;
    const pytree_leaf *const to = &place->to;
    void *p = NULL;
    pytree *dropped;
    if (to->form == PYTREE_FORM_NONE) { return; }
    if (row == NULL || row->optional == 0) {
        pytree__as_misfit(a, PYTREE_TYPE, place, value);
        return;
    }
    if (a->block != NULL && row->form == PYTREE_FORM_STRUCT) {
        dropped = (pytree *)pytree__vector_add(&a->dropped, 1, a->err);
        if (dropped == NULL) { a->status = PYTREE_NO_MEMORY; return; }
        dropped->type = row->type;
        dropped->data = to->data;
    }
    pytree__as_put(a, place->fresh, place->field, &p, sizeof p);
}

#include "assign.h"
#endif
