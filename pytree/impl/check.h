/* pytree/impl/check.h: looking for problems, cycles and shared memory. */
#ifndef PYTREE_IMPL_CHECK_H
#define PYTREE_IMPL_CHECK_H

#include "internal.h"

/* A step of the walk: a node that was entered or a leaf, with the step that led to its parent. Paths are put together from
 * these. */
struct pytree__memory_span {
    const char *from, *to;                /* the memory; none for what lies inside its parent's */
    size_t parent;                        /* number of a step; SIZE_MAX at the root */
    size_t order;                         /* number of this one */
    size_t group;
    pytree_entry entry;
};

struct pytree__sharing_scan {
    struct pytree__memory_span *steps;    /* in visiting order */
    struct pytree__memory_span *sorted;   /* those with memory: by group, then in visiting order */
    size_t n, max, n_sorted;
    struct pytree__reached_set seen;     /* nodes so far */
    const pytree_allocator *allocator;
    pytree_status status;
    void (*report)(void *context, const pytree_error *problem);
    void *context;
    pytree_status first;
    pytree_error *err;
};

static PYTREE__APART_CLANG void pytree__reach_problem(void *context, const pytree_error *problem)
{
    struct pytree__sharing_scan *r = (struct pytree__sharing_scan *)context;
    if (r->first == PYTREE_OK) {
        r->first = problem->status;
        pytree_fail(r->err, problem->status, problem->path, "%s", problem->message);
    }
    if (r->report != NULL) { r->report(r->context, problem); }
}

/* Writes the path of a step. Returns its length. */
static PYTREE__APART_CLANG size_t pytree__step_text(const struct pytree__sharing_scan *r, size_t step, char *text, size_t n)
{
    size_t length = 0, i;
    for (i = step; r->steps[i].parent != SIZE_MAX; i = r->steps[i].parent) {
        struct pytree__text_writer count = { NULL, 0, 0, NULL };
        pytree__put_entry(&count, &r->steps[i].entry, NULL, false);
        length += count.length;
    }
    if (n != 0) {
        size_t end = length;
        for (i = step; r->steps[i].parent != SIZE_MAX; i = r->steps[i].parent) {         /* from the last entry to the first */
            struct pytree__text_writer to = { NULL, 0, 0, NULL };
            pytree__put_entry(&to, &r->steps[i].entry, NULL, false);
            end -= to.length;
            if (end < n - 1) {
                to.at = text + end;
                to.room = n - 1 - end;
                to.length = 0;
                pytree__put_entry(&to, &r->steps[i].entry, NULL, false);
            }
        }
        text[length < n ? length : n - 1] = '\0';
    }
    return length;
}

static void pytree__reach_note(struct pytree__sharing_scan *r, const pytree__cursor *c, const pytree_leaf *v)
{
    struct pytree__memory_span *step;
    size_t bytes = v->data == NULL ? 0 : pytree__own_bytes(c, v);
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    if (r->n == r->max) {
        void *grown = pytree__array_grow(r->steps, &r->max, r->n == 0 ? 64 : r->n + 1, sizeof *r->steps, r->allocator,
                                         NULL);
        if (grown == NULL) { r->status = PYTREE_NO_MEMORY; return; }
        r->steps = (struct pytree__memory_span *)grown;
    }
    step = &r->steps[r->n];
    step->from = bytes == 0 ? NULL : (const char *)v->data;
    step->to = bytes == 0 ? NULL : (const char *)v->data + bytes;
    step->parent = f == NULL ? SIZE_MAX : f->leaves;
    step->order = step->group = r->n++;
    if (f != NULL) { pytree__frame_entry(c, f, f->next - 1, &step->entry); }
}

/* Tells whether a node was entered before, and records it. */
static bool pytree__was_seen(struct pytree__sharing_scan *r, const pytree_leaf *v)
{
    bool is_new = false;
    if (pytree__reach(&r->seen, v, &is_new) == NULL) { r->status = PYTREE_NO_MEMORY; }
    return !is_new;
}

static bool pytree__inside_itself(pytree__cursor *c, const pytree_leaf *v)
{
    const pytree_type *type = pytree__origin(v->type);
    size_t i;
    for (i = 0; i < c->n_frames; i++) {
        if (c->frames[i].self == v->data && pytree__form_in(&c->frames[i]) == v->form && c->frames[i].type == type) {
            pytree__fail_at(c, PYTREE_CYCLE, "expected a tree, got a cycle: this %s is the one %zu levels above it", type->name,
                            c->n_frames - i);
            return true;
        }
    }
    return false;
}

static int pytree__by_address(const void *a, const void *b)
{
    const struct pytree__memory_span *x = (const struct pytree__memory_span *)a, *y = (const struct pytree__memory_span *)b;
    uintptr_t p = (uintptr_t)x->from, q = (uintptr_t)y->from;
    return p < q ? -1 : p > q ? 1 : x->order < y->order ? -1 : x->order > y->order;
}

static int pytree__by_group(const void *a, const void *b)
{
    const struct pytree__memory_span *x = (const struct pytree__memory_span *)a, *y = (const struct pytree__memory_span *)b;
    return x->group < y->group ? -1 : x->group > y->group ? 1 : x->order < y->order ? -1 : x->order > y->order;
}

/* Passes on a problem that a custom node reports of itself, with the path of the node before its own. */
struct pytree__node_problems {
    struct pytree__sharing_scan *scan;
    size_t step;
};
static void pytree__node_problem(void *context, const pytree_error *problem)
{
    const struct pytree__node_problems *of = (const struct pytree__node_problems *)context;
    char path[PYTREE__PATH + PYTREE_ERROR_PATH];
    pytree_error whole;
    (void)pytree__step_text(of->scan, of->step, path, PYTREE__PATH);
    strcat(path, problem->path);
    whole.status = PYTREE_OK;
    pytree_fail(&whole, problem->status, path, "%s", problem->message);
    pytree__reach_problem(of->scan, &whole);
}

/* Records the value at hand. Opens a node, unless it was entered before. */
static PYTREE__APART_CLANG pytree_status pytree__reach_value(struct pytree__sharing_scan *r, pytree__cursor *c,
                                                             const pytree_leaf *value, int at)
{
    const uint32_t step = (uint32_t)r->n;
    const size_t depth = c->n_frames;
    pytree_status status = PYTREE_OK;
    if (r->n >= UINT32_MAX) {
        return pytree_fail(c->err, PYTREE_OVERFLOW, NULL, "expected fewer than %lu values, got more",
                           (unsigned long)UINT32_MAX);
    }
    if (value->data == PYTREE_WANTED) {
        return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected memory, got PYTREE_WANTED, which pytree_allocate replaces");
    }
    if (at == PYTREE__AT_NODE && value->data != NULL && value->form != PYTREE_FORM_FLAT && pytree__was_seen(r, value)) {
        if (r->status == PYTREE_OK && !pytree__inside_itself(c, value)) { pytree__reach_note(r, c, value); }
        return PYTREE_OK;
    }
    pytree__reach_note(r, c, value);
    if (at == PYTREE__AT_NODE && r->status == PYTREE_OK) {
        if (pytree__node_checks(value)) {
            struct pytree__node_problems of;
            of.scan = r;
            of.step = step;
            value->type->custom->check(value->data, pytree__node_problem, &of);
        }
        status = pytree__open(c, value);
        if (status == PYTREE_OK) { c->frames[depth].leaves = step; }
    }
    return status;
}

/* Puts overlapping memory into one group, numbered by the step that reached it first, and sorts by group. */
static PYTREE__APART void pytree__reach_groups(struct pytree__sharing_scan *r)
{
    const char *end = NULL;
    size_t i, k, group = 0;
    qsort(r->sorted, r->n_sorted, sizeof *r->sorted, pytree__by_address);
    for (i = 0; i < r->n_sorted; i++) {
        if (end != NULL && (uintptr_t)r->sorted[i].from < (uintptr_t)end) {
            if ((uintptr_t)r->sorted[i].to > (uintptr_t)end) { end = r->sorted[i].to; }
        } else {
            group = i;
            end = r->sorted[i].to;
        }
        r->sorted[i].group = group;
    }
    for (i = 0; i < r->n_sorted; ) {
        size_t first = SIZE_MAX, from = i, g = r->sorted[i].group;
        for (; i < r->n_sorted && r->sorted[i].group == g; i++) {
            if (r->sorted[i].order < first) { first = r->sorted[i].order; }
        }
        for (k = from; k < i; k++) { r->sorted[k].group = first; }
    }
    qsort(r->sorted, r->n_sorted, sizeof *r->sorted, pytree__by_group);
}

/* Records everything that the tree reaches, and how: the exact way, for a tree in which something may be wrong. */
static pytree_status pytree__reach_all(struct pytree__sharing_scan *r, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree__cursor_space stacks;
    struct pytree__problem_sink watch;
    size_t i, k;
    watch.problem = pytree__reach_problem;
    watch.context = r;
    pytree__cursor_init(&c, &stacks, opt, err);
    c.watch = &watch;
    c.status = pytree__cursor_root(&c, t);
    while (c.status == PYTREE_OK && r->status == PYTREE_OK) {
        const pytree_leaf *value;
        const int at = pytree__cursor_next(&c, &value);
        if (at >= PYTREE__DONE) { break; }
        if (at == PYTREE__AT_END) {
            pytree__close(&c);
        } else if (value->form != PYTREE_FORM_NONE) {
            c.status = pytree__reach_value(r, &c, value, at);
        }
    }
    pytree__cursor_end(&c);
    for (i = k = 0; i < r->n; i++) { k += r->steps[i].from != NULL; }
    if (c.status == PYTREE_OK && r->status == PYTREE_OK && k != 0) {
        r->sorted = (struct pytree__memory_span *)pytree__resize(r->allocator, NULL, 0, k * sizeof *r->sorted);
        if (r->sorted == NULL) { r->status = PYTREE_NO_MEMORY; }
    }
    if (r->status != PYTREE_OK) { return pytree__no_memory(err, r->n * sizeof *r->steps); }
    if (c.status != PYTREE_OK || k == 0) { return c.status; }
    r->n_sorted = k;
    for (i = k = 0; i < r->n; i++) {
        if (r->steps[i].from != NULL) { r->sorted[k++] = r->steps[i]; }
    }
    pytree__reach_groups(r);
    return PYTREE_OK;
}

static void pytree__reaches_init(struct pytree__sharing_scan *r, const pytree_options *opt, pytree_error *err)
{
    pytree__clear(r, sizeof *r);
    r->allocator = pytree__allocator(opt);
    r->seen.allocator = r->allocator;
    r->err = err;
}

static PYTREE__APART_CLANG void pytree__reaches_end(struct pytree__sharing_scan *r)
{
    pytree__resize(r->allocator, r->steps, r->max * sizeof *r->steps, 0);
    pytree__resize(r->allocator, r->sorted, r->n_sorted * sizeof *r->sorted, 0);
    pytree__reached_free(&r->seen);
}

pytree_status pytree_check(pytree t, pytree_report_fn *report, void *context, const pytree_options *opt, pytree_error *err)
{
    struct pytree__sharing_scan r;
    pytree_status status = pytree__is_distinct(t, true, opt);
    size_t i, first = 0;
    if (status == PYTREE_OK) { return PYTREE_OK; }
    if (status == PYTREE_NO_MEMORY) { return pytree__no_memory(err, sizeof(struct pytree__extent)); }
    pytree__reaches_init(&r, opt, err);
    r.report = report;
    r.context = context;
    status = pytree__reach_all(&r, t, opt, err);
    for (i = 1; status == PYTREE_OK && i < r.n_sorted; i++) {
        pytree_error problem;
        char path[PYTREE__PATH], other[200];
        if (r.sorted[i].group != r.sorted[i - 1].group) { first = i; continue; }
        pytree__step_text(&r, r.sorted[i].order, path, sizeof path);
        pytree__step_text(&r, r.sorted[first].order, other, sizeof other);
        problem.status = PYTREE_OK;
        pytree_fail(&problem, PYTREE_SHARED, path, "expected memory of its own, got %s %s",
                    r.sorted[first].from == r.sorted[i].from && r.sorted[first].to == r.sorted[i].to ? "that of"
                                                                                                     : "some of that of",
                    other[0] == '\0' ? "the root" : other);
        pytree__reach_problem(&r, &problem);
    }
    if (status == PYTREE_OK) { status = r.first; }
    pytree__reaches_end(&r);
    return status;
}

/* Makes the result from the groups, in one block. */
static PYTREE__APART_CLANG pytree_duplicates *pytree__duplicates_of(const struct pytree__sharing_scan *r, pytree_error *err)
{
    pytree_duplicates *d;
    size_t i, k, groups = 0, paths = 0, texts = 0, bytes, *counts, g = 0;
    const char *const **lists, **path;
    char *text;
    for (i = 0; i < r->n_sorted; i = k) {
        for (k = i; k < r->n_sorted && r->sorted[k].group == r->sorted[i].group; k++) {}
        if (k - i == 1) { continue; }
        groups++;
        paths += k - i;
        for (; i < k; i++) { texts += pytree__step_text(r, r->sorted[i].order, NULL, 0) + 1; }
    }
    bytes = sizeof *d + groups * (sizeof(size_t) + sizeof(char **)) + paths * sizeof(char *) + texts;
    d = (pytree_duplicates *)pytree__resize(r->allocator, NULL, 0, bytes);
    if (d == NULL) { pytree__no_memory(err, bytes); return NULL; }
    counts = (size_t *)(void *)(d + 1);
    lists = (const char *const **)(void *)(counts + groups);
    path = (const char **)(void *)(lists + groups);
    text = (char *)(path + paths);
    d->n_groups = groups;
    d->counts = counts;
    d->paths = (const char *const *const *)lists;
    d->allocator = r->allocator;
    d->bytes = bytes;
    for (i = 0; i < r->n_sorted; i = k) {
        for (k = i; k < r->n_sorted && r->sorted[k].group == r->sorted[i].group; k++) {}
        if (k - i == 1) { continue; }
        counts[g] = k - i;
        lists[g++] = (const char *const *)path;
        for (; i < k; i++) {
            *path++ = text;
            text += pytree__step_text(r, r->sorted[i].order, text, texts) + 1;
        }
    }
    return d;
}

pytree_duplicates *pytree_find_duplicates(pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__sharing_scan r;
    pytree_duplicates *d = NULL;
    pytree_status status = pytree__is_distinct(t, true, opt);
    if (status == PYTREE_NO_MEMORY) { (void)pytree__no_memory(err, sizeof(struct pytree__extent)); return NULL; }
    pytree__reaches_init(&r, opt, err);
    if (status != PYTREE_OK) {
        status = pytree__reach_all(&r, t, opt, err);
        if (status == PYTREE_OK) { status = r.first; }         /* the first problem is the error's already */
    }
    if (status == PYTREE_OK) { d = pytree__duplicates_of(&r, err); }
    pytree__reaches_end(&r);
    return d;
}

void pytree_duplicates_free(pytree_duplicates *d)
{
    if (d != NULL) { pytree__resize(d->allocator, d, d->bytes, 0); }
}
#endif
