/* pytree/impl/graph_walk.h: a walk over a graph, which takes each value once. */
#ifndef PYTREE_IMPL_GRAPH_WALK_H
#define PYTREE_IMPL_GRAPH_WALK_H

#include "internal.h"
#include "../graph.h"
#include "flat.h"
#include "filter.h"

/* A value that was reached. */
struct pytree__graph_value {
    const pytree_type *role;
    size_t extent;                        /* of a leaf: its view, in g->views; of a row: how many */
    uint32_t node;                        /* the consumer's: of the treedef */
    uint32_t paths;                       /* that lead to it */
    bool inside;                          /* it lies in another value, so that this is where it stands */
    bool visited;
};

/* A node whose children come. */
struct pytree__graph_opened {
    const pytree_type *role;              /* of all that is below it */
    uint32_t number;                      /* in g->values, from 1 on; 0: it has none */
    size_t path;                          /* entries that lead to it */
    bool variable;                        /* its child has no key */
};

/* A walk. A pointer may come before the value that lies where it leads to: then `again` is set, and the walk must be begun once
 * more, when it is known which values lie in others. */
struct pytree__graph {
    pytree__cursor cursor;
    pytree__cursor_space stacks;
    pytree t;
    struct pytree__reached_set reached;
    struct pytree__vector values, views;  /* of pytree__graph_value; views of leaves among them */
    struct pytree__vector opened, path;   /* of pytree__graph_open; of entries, as filters see them */
    const pytree_leaf *value;             /* at hand */
    const pytree_type *role;              /* of that */
    uint32_t number;
    bool again, second;                   /* see above; this is the second walk */
    bool distinct;                        /* nothing is shared */
    bool open, close;                     /* what the next step begins with */
    const pytree_options *opt;
    pytree_error *err;
};

/* Besides PYTREE__AT_LEAF and others: a value that was there before. A node is reported before it is opened. */
enum { PYTREE__AT_SAME = 100 };

static void pytree__graph_begin(struct pytree__graph *g, pytree t, const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *a = pytree__allocator(opt);
    memset(&g->reached, 0, sizeof g->reached);
    pytree__cursor_init(&g->cursor, &g->stacks, opt, err);
    g->t = t;
    g->reached.allocator = a;
    g->values = pytree__vector_of(sizeof(struct pytree__graph_value), a);
    g->views = pytree__vector_of(sizeof(pytree_leaf), a);
    g->opened = pytree__vector_of(sizeof(struct pytree__graph_opened), a);
    g->path = pytree__vector_of(sizeof(pytree_entry), a);
    g->again = g->second = g->distinct = g->open = g->close = false;
    g->number = 0;
    g->opt = opt;
    g->err = err;
    g->cursor.status = pytree__cursor_root(&g->cursor, t);
}

/* Begins the walk once more. */
static void pytree__graph_restart(struct pytree__graph *g)
{
    struct pytree__graph_value *value = (struct pytree__graph_value *)g->values.data;
    size_t i;
    for (i = 0; i < g->values.count; i++) { value[i].visited = false; }
    g->opened.count = g->path.count = 0;
    g->open = g->close = g->again = false;
    g->second = true;
    g->cursor.status = pytree__cursor_root(&g->cursor, g->t);
}

static void pytree__graph_end(struct pytree__graph *g)
{
    pytree__cursor_end(&g->cursor);
    pytree__reached_free(&g->reached);
    pytree__vector_free(&g->values);
    pytree__vector_free(&g->views);
    pytree__vector_free(&g->opened);
    pytree__vector_free(&g->path);
}

static struct pytree__graph_value *pytree__graph_value_at(const struct pytree__graph *g, uint32_t number)
{
    return (struct pytree__graph_value *)g->values.data + (number - 1);
}

static const struct pytree__graph_opened *pytree__graph_top(const struct pytree__graph *g)
{
    return g->opened.count == 0 ? NULL : (const struct pytree__graph_opened *)g->opened.data + (g->opened.count - 1);
}

static bool pytree__is_variable(const pytree_type *type) { return type != NULL && type->custom == &pytree_variable_node; }

/* Notes path and role of the value at hand. Returns false if memory runs out. */
static bool pytree__graph_enter(struct pytree__graph *g)
{
    const pytree__cursor *const c = &g->cursor;
    const pytree__frame *const f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const struct pytree__graph_opened *const top = pytree__graph_top(g);
    const pytree_type *type;
    g->role = top == NULL ? NULL : top->role;
    g->path.count = top == NULL ? 0 : top->path;
    if (f != NULL && !top->variable) {
        pytree_entry *const key = (pytree_entry *)pytree__vector_add(&g->path, 1, c->err);
        if (key == NULL) { return false; }
        pytree__frame_entry(c, f, f->next - 1, key);
        key->kind = key->name != NULL ? PYTREE_ATTRIBUTE : PYTREE_INDEX;
        if (key->name != NULL) { key->index = SIZE_MAX; }
    }
    if (g->role != NULL || g->value->form == PYTREE_FORM_NONE) { return true; }
    if (f != NULL && f->form == PYTREE_FORM_STRUCT) {
        const pytree_field *row = pytree__active_row(pytree__data_row(f->type, f->next - 1), f->self);
        g->role = row == NULL ? NULL : row->role;
    }
    type = pytree__node_type(g->value);
    if (g->role == NULL && pytree__is_variable(type)) { g->role = type; }
    return true;
}

/* Writes the path of the value that is number `number` of a walk. */
static pytree_status pytree__graph_where(pytree t, uint32_t number, const pytree_options *opt, char *text, size_t n);

static void pytree__graph_describe(const pytree_leaf *v, const pytree_type *role, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    char what[64];
    if (v->form == PYTREE_FORM_LEAF) {
        pytree__leaf_text(what, sizeof what, v);
        pytree__put_text(&to, what);
    } else {
        pytree__put_text(&to, "a ");
        pytree__put_text(&to, pytree__view_name(v));
        if (v->form == PYTREE_FORM_LIST) {
            pytree__put_text(&to, " of ");
            pytree__put_number(&to, v->shape[0]);
        }
    }
    pytree__put_text(&to, role == NULL ? " in no role" : " in the role ");
    pytree__put_text(&to, role == NULL ? "" : role->name);
    pytree__end_text(&to, n);
}

static bool pytree__same_extents(const pytree_leaf *a, const pytree_leaf *b)
{
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

/* Checks that the value at hand is what it was when it was reached first. */
static bool pytree__graph_agrees(struct pytree__graph *g, uint32_t number)
{
    const struct pytree__graph_value *const value = pytree__graph_value_at(g, number);
    const pytree_leaf *const v = g->value;
    const bool leaf = v->form == PYTREE_FORM_LEAF;
    const pytree_leaf *const first = leaf ? (const pytree_leaf *)g->views.data + value->extent : v;
    const bool role = value->role == g->role
        || (value->role != NULL && g->role != NULL && pytree__same_role(value->role, g->role));
    const bool extents = leaf ? pytree__same_extents(first, v) : v->form != PYTREE_FORM_LIST || value->extent == v->shape[0];
    pytree_leaf was;
    char expected[96], got[96], path[PYTREE_ERROR_PATH];
    if (role && extents) { return true; }
    pytree__copy_view(&was, first);
    if (!leaf) { was.shape[0] = value->extent; }
    pytree__graph_describe(&was, value->role, expected, sizeof expected);
    pytree__graph_describe(v, g->role, got, sizeof got);
    g->cursor.status = pytree__graph_where(g->t, number, g->opt, path, sizeof path);
    if (g->cursor.status != PYTREE_OK) { (void)pytree__no_memory(g->err, sizeof path); return false; }
    g->cursor.status = pytree__fail_at(&g->cursor, PYTREE_SHARED, "expected %s as at %s, got %s", expected,
                                       path[0] == '\0' ? "the root" : path, got);
    return false;
}

/* Adds the value at hand, which is reached for the first time. */
static bool pytree__graph_add(struct pytree__graph *g, struct pytree__reached *reached, bool inside)
{
    const pytree_leaf *const v = g->value;
    struct pytree__graph_value *value;
    if (g->values.count >= UINT32_MAX - 1) {
        g->cursor.status = pytree_fail(g->err, PYTREE_OVERFLOW, NULL, "expected fewer than 2^32 values, got more");
        return false;
    }
    value = (struct pytree__graph_value *)pytree__vector_add(&g->values, 1, g->err);
    if (value == NULL) { g->cursor.status = PYTREE_NO_MEMORY; return false; }
    value->role = g->role;
    value->extent = v->form == PYTREE_FORM_LIST ? v->shape[0] : 0;   /* a tuple has no memory of its own */
    value->node = UINT32_MAX;
    value->paths = 1;
    value->inside = inside;
    value->visited = true;
    reached->number = g->number = (uint32_t)g->values.count;
    if (v->form == PYTREE_FORM_LEAF) {
        pytree_leaf *const view = (pytree_leaf *)pytree__vector_add(&g->views, 1, g->err);
        if (view == NULL) { g->cursor.status = PYTREE_NO_MEMORY; return false; }
        pytree__copy_view(view, v);
        value->extent = g->views.count - 1;
    }
    return true;
}

/* Finds out whether the value at hand was reached before. Returns false on an error. */
static bool pytree__graph_meet(struct pytree__graph *g, bool *same)
{
    const pytree_leaf *const v = g->value;
    struct pytree__graph_value *value;
    struct pytree__reached *reached;
    bool inside, is_new = false;
    g->number = 0;
    *same = false;
    if (g->distinct || v->data == NULL || pytree__memory_bytes(v) == 0) { return true; }   /* or a node of a flat */
    inside = pytree__lies_inside(&g->cursor, v);
    reached = pytree__reach(&g->reached, v, &is_new);
    if (reached == NULL) { g->cursor.status = pytree__no_memory(g->err, sizeof *reached); return false; }
    if (is_new) { return pytree__graph_add(g, reached, inside); }
    value = pytree__graph_value_at(g, reached->number);
    if (!value->visited && (inside || !value->inside)) {       /* in the second walk */
        value->visited = true;
        g->number = reached->number;
        return true;
    }
    if (inside && value->inside) { return true; }              /* two members at one place: each is itself */
    if (inside) { value->inside = g->again = true; }
    *same = true;
    g->number = reached->number;
    if (g->second) { return true; }
    value->paths++;
    return pytree__graph_agrees(g, g->number);
}

/* Opens the node at hand. */
static bool pytree__graph_open(struct pytree__graph *g)
{
    struct pytree__graph_opened *const opened = (struct pytree__graph_opened *)pytree__vector_add(&g->opened, 1, g->err);
    if (opened == NULL) { g->cursor.status = PYTREE_NO_MEMORY; return false; }
    opened->role = g->role;
    opened->number = g->number;
    opened->path = g->path.count;
    opened->variable = pytree__is_variable(pytree__node_type(g->value));
    g->cursor.status = pytree__open(&g->cursor, g->value);
    return g->cursor.status == PYTREE_OK;
}

/* Checks that the second walk has come to everything. What lies in a value that only it leads to cannot be reached where it
 * lies. */
static bool pytree__graph_is_whole(struct pytree__graph *g)
{
    char path[PYTREE_ERROR_PATH];
    uint32_t number;
    for (number = 1; number <= g->values.count && pytree__graph_value_at(g, number)->visited; number++) {}
    if (number > g->values.count) { return true; }
    g->cursor.status = pytree__graph_where(g->t, number, g->opt, path, sizeof path);
    if (g->cursor.status != PYTREE_OK) { (void)pytree__no_memory(g->err, sizeof path); return false; }
    g->cursor.status = pytree_fail(g->err, PYTREE_SHARED, path, "expected a value of its own, got one that lies in another, to "
                                   "which only it leads");
    return false;
}

/* Goes one step on. Returns PYTREE__AT_LEAF, _NONE, _NODE, _SAME, _END, PYTREE__DONE or PYTREE__FAILED (g->cursor.status). */
static int pytree__graph_next(struct pytree__graph *g)
{
    int at;
    bool same;
    if (g->cursor.status != PYTREE_OK) { return PYTREE__FAILED; }
    if (g->close) {
        pytree__close(&g->cursor);
        g->opened.count--;
    }
    if (g->open && !pytree__graph_open(g)) { return PYTREE__FAILED; }
    g->close = g->open = false;
    at = pytree__cursor_next(&g->cursor, &g->value);
    if (at == PYTREE__AT_END) {
        const struct pytree__graph_opened *const top = pytree__graph_top(g);
        g->role = top->role;
        g->number = top->number;
        g->path.count = top->path;
        g->close = true;
    }
    if (at == PYTREE__DONE && g->second && !pytree__graph_is_whole(g)) { return PYTREE__FAILED; }
    if (at == PYTREE__AT_END || at == PYTREE__DONE || at == PYTREE__FAILED) { return at; }
    if (!pytree__graph_enter(g)) { g->cursor.status = PYTREE_NO_MEMORY; return PYTREE__FAILED; }
    if (!pytree__graph_meet(g, &same)) { return PYTREE__FAILED; }
    if (same) { return PYTREE__AT_SAME; }
    g->open = at == PYTREE__AT_NODE;
    return at;
}

/* Walks once to find out what is shared, and goes back to the beginning. Returns false on an error. */
static bool pytree__graph_survey(struct pytree__graph *g)
{
    int at;
    do { at = pytree__graph_next(g); } while (at != PYTREE__DONE && at != PYTREE__FAILED);
    if (at == PYTREE__DONE) { pytree__graph_restart(g); }
    return at == PYTREE__DONE;
}

static pytree_status pytree__graph_where(pytree t, uint32_t number, const pytree_options *opt, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    struct pytree__graph g;
    pytree_status status;
    int at;
    pytree__graph_begin(&g, t, opt, NULL);
    do { at = pytree__graph_next(&g); } while (g.values.count < number && at != PYTREE__DONE && at != PYTREE__FAILED);
    if (at != PYTREE__FAILED) { pytree__cursor_text(&g.cursor, &to); }
    pytree__end_text(&to, n);
    status = g.cursor.status;
    pytree__graph_end(&g);
    return status;
}

/* Makes the place of the value at hand, or of the open node on top, with `view` for its view. */
static pytree_place pytree__graph_place(const struct pytree__graph *g, pytree_leaf *view)
{
    pytree_place at;
    memset(&at, 0, sizeof at);
    at.path.n = g->path.count;
    at.path.entries = (const pytree_entry *)g->path.data;
    at.role = g->role;
    at.view = g->value;
    if (g->close) {
        const pytree__frame *const f = &g->cursor.frames[g->cursor.n_frames - 1];
        pytree__frame_view(f, view);
        at.view = view;
    }
    at.type = at.view->form == PYTREE_FORM_LEAF ? at.view->type : pytree__node_type(at.view);
    if (at.type->custom == &pytree_variable_node && at.view->form == PYTREE_FORM_STRUCT) {
        at.metadata = pytree__variable_text((const pytree_variable *)at.view->data);
    }
    return at;
}

#include "graph_grown.h"
#endif
