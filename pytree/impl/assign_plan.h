/* pytree/impl/assign_plan.h: what an assignment is about to write, what it has made for that, and what does not fit. */
#ifndef PYTREE_IMPL_ASSIGN_PLAN_H
#define PYTREE_IMPL_ASSIGN_PLAN_H

#include "internal.h"
#include "../assign.h"
#include "path_access.h"
#include "ravel.h"

/* Bytes that are to be written to the tree. */
struct pytree__as_write {
    void *to;
    size_t at, bytes;                     /* in the plan's bytes */
};

/* An stb_ds container or a std::vector that was made to take the place of another: the bytes of the two members, of which the
 * first word leads to the elements. */
struct pytree__as_container {
    const pytree_field *row;
    void *made[3], *old[3];
    size_t n, kept, count;                /* elements of the new one; of the old one's, how many have moved, and all */
};

/* An open node of the target. */
struct pytree__as_level {
    bool fresh;                           /* its memory is new: nobody sees what is written there */
    bool made;                            /* it began as zeros */
    bool inside;                          /* it lies in one that did */
    const char *made_from;                /* elements from this address on did; NULL: none */
    const char *fixed;                    /* the static member that it is, "" below one; NULL: it is data */
};

/* The value that a value of the source is for. */
struct pytree__as_place {
    pytree_leaf to;
    const pytree_field *row;              /* NULL: it is not a member of a struct */
    char *field;                          /* that member */
    bool fresh, made;
};

/* An assignment: a cursor over each tree, of which the target's is moved to where the source's is. `levels` stand beside the
 * target's frames. */
struct pytree__assign {
    pytree__cursor from, to;
    pytree_status status;                 /* of what ends the assignment at once */
    pytree_error *err;
    pytree_options options;
    const pytree_assign_options *opt;
    struct pytree__block *block;          /* of a target that owns itself, otherwise NULL */
    struct pytree__attached *attached;
    struct pytree__vector levels, writes, bytes, containers, dropped;
    const char *raw, *member;             /* the text that was read; a static member, where no cursor comes; "": in one */
    size_t raw_depth;
    int64_t bits;                         /* of a bit-field, which has no address */
    size_t problems, told;                /* mismatches, and those of them that are in `first.message` */
    pytree_error first, problem;          /* the second: what the target's cursor says */
    pytree__cursor_space from_stacks, to_stacks;
};

static void pytree__as_begin(struct pytree__assign *a, pytree t, const pytree_assign_options *opt, pytree_error *err)
{
    const pytree_allocator *const allocator = opt == NULL ? NULL : opt->tree.allocator;
    memset(a, 0, offsetof(struct pytree__assign, from_stacks));
    a->err = err;
    a->opt = opt;
    a->options.allocator = allocator;
    a->options.space = opt == NULL ? NULL : opt->tree.space;
    a->block = pytree__block_of_root(t);
    a->attached = a->block == NULL ? NULL : a->block->attached;
    a->levels = pytree__vector_of(sizeof(struct pytree__as_level), allocator);
    a->writes = pytree__vector_of(sizeof(struct pytree__as_write), allocator);
    a->bytes = pytree__vector_of(1, allocator);
    a->containers = pytree__vector_of(sizeof(struct pytree__as_container), allocator);
    a->dropped = pytree__vector_of(sizeof(pytree), allocator);
    pytree__cursor_init(&a->from, &a->from_stacks, &a->options, err);
    pytree__cursor_init(&a->to, &a->to_stacks, &a->options, &a->problem);
    a->to.making = true;                  /* strings and structs that are NULL may be about to be assigned */
}

/* ---- Mismatches -------------------------------------------------------------------------------------------------------- */

/* Add a mismatch to those that the error's message names. */
static void pytree__as_tell(struct pytree__assign *a, const pytree_error *problem)
{
    enum { MORE = 32 };                   /* for "; and 18446744073709551615 more" */
    char *const text = a->first.message;
    const size_t room = sizeof a->first.message, used = strlen(text), path = strlen(problem->path),
        more = strlen(problem->message);
    if (a->opt != NULL && a->opt->report != NULL) { a->opt->report(a->opt->context, problem); }
    if (a->problems++ == 0) {
        a->first = *problem;
        a->told = 1;
    } else if (a->told == a->problems - 1 && used + path + more + 4 + MORE < room) {
        struct pytree__text_writer to = { text, room - 1, used, NULL };
        pytree__put_text(&to, "; ");
        pytree__put_text(&to, problem->path);
        if (path != 0) { pytree__put_text(&to, ": "); }
        pytree__put_text(&to, problem->message);
        text[to.length] = '\0';
        a->told++;
    }
}

/* Tell what the target's cursor has found. Memory that ran out ends the assignment. */
static void pytree__as_pass_on(struct pytree__assign *a)
{
    const pytree_error problem = a->problem;
    memset(&a->problem, 0, sizeof a->problem);
    if (problem.status == PYTREE_NO_MEMORY) {
        a->status = pytree_fail(a->err, PYTREE_NO_MEMORY, problem.path, "%s", problem.message);
    } else {
        pytree__as_tell(a, &problem);
    }
}

/* Tell of a mismatch at the target's value at hand. Returns false. */
static PYTREE__NOINLINE bool pytree__as_mismatch(struct pytree__assign *a, pytree_status status, const char *expected,
                                                 const char *got)
{
    const struct pytree__as_level *const level = (const struct pytree__as_level *)a->levels.data;
    const size_t depth = a->to.n_frames;
    size_t n, i = 0;
    while (i < a->levels.count && level[i].fixed == NULL) { i++; }
    if (i < a->levels.count || a->member != NULL) { a->to.n_frames = i; }      /* cursors know no path of static members */
    (void)pytree__fail_at(&a->to, status, "expected %s, got %s", expected, got);
    a->to.n_frames = depth;
    for (; i <= a->levels.count; i++) {
        const char *const name = i == a->levels.count ? a->member : level[i].fixed;
        n = strlen(a->problem.path);
        if (name != NULL && *name != '\0') { (void)snprintf(a->problem.path + n, sizeof a->problem.path - n, ".%s", name); }
    }
    (void)expected;
    (void)got;
    pytree__as_pass_on(a);
    return false;
}

/* Set the error for all mismatches. */
static pytree_status pytree__as_fail(struct pytree__assign *a)
{
    enum { SIDE = PYTREE_ERROR_MESSAGE - 34 };
    char text[SIDE + 1];
    if (a->told == a->problems) { return pytree_fail(a->err, a->first.status, a->first.path, "%s", a->first.message); }
    pytree__shorten_middle(text, sizeof text, a->first.message);
    return pytree_fail(a->err, a->first.status, a->first.path, "%s; and %zu more", text, a->problems - a->told);
}

/* ---- Writes ------------------------------------------------------------------------------------------------------------ */

/* Write n bytes: at once to memory that is new, otherwise when all is known to be well. */
static bool pytree__as_put(struct pytree__assign *a, bool fresh, void *to, const void *from, size_t n)
{
    struct pytree__as_write *write;
    void *bytes;
    if (n == 0) { return true; }
    if (fresh) { memcpy(to, from, n); return true; }
    bytes = pytree__vector_add(&a->bytes, n, a->err);
    write = bytes == NULL ? NULL : (struct pytree__as_write *)pytree__vector_add(&a->writes, 1, a->err);
    if (write == NULL) { a->status = PYTREE_NO_MEMORY; return false; }
    memcpy(bytes, from, n);
    write->to = to;
    write->at = a->bytes.count - n;
    write->bytes = n;
    return true;
}

/* Attach n zeroed bytes to the tree, which must own itself. Returns NULL, and tells why, if it does not, or with an error if
 * there is no memory. */
static void *pytree__as_attach(struct pytree__assign *a, size_t n, const char *what)
{
    enum { HEAD = 16 };
    struct pytree__attached *head;
    const size_t bytes = pytree__plus(n, HEAD);
    if (a->block == NULL) {
        pytree__as_mismatch(a, PYTREE_ARGUMENT, "a tree that can own what is assigned (from pytree_clone)", what);
        return NULL;
    }
    head = (struct pytree__attached *)pytree__resize(a->block->allocator, NULL, 0, bytes);
    if (head == NULL) { a->status = pytree__no_memory(a->err, bytes); return NULL; }
    memset(head, 0, bytes);
    head->before = a->attached;
    head->bytes = bytes;
    a->attached = head;
    return (char *)head + HEAD;
}

/* Make an stb_ds container or a std::vector of n elements for a row. The first `kept` of the old one's are moved there; of a
 * map, behind their keys. Returns false if memory runs out. */
static bool pytree__as_remake(struct pytree__assign *a, struct pytree__as_place *place, size_t n, const char *const *keys,
                                 size_t kept)
{
    const pytree_field *const row = place->row;
    const size_t behind = keys == NULL ? 0 : sizeof(char *);
    struct pytree__as_container *c = (struct pytree__as_container *)pytree__vector_add(&a->containers, 1, a->err);
    size_t i;
    if (c == NULL) { a->status = PYTREE_NO_MEMORY; return false; }
    c->row = row;
    memset(c->made, 0, sizeof c->made);
    memcpy(c->old, place->field, row->size);
    c->n = n;
    c->kept = kept;
    c->count = place->to.shape[0];
    if (n != 0 && row->functions->resize(c->made, n, keys, row) != PYTREE_OK) {
        a->status = pytree__no_memory(a->err, pytree__times(n, row->inner));
        return false;
    }
    for (i = 0; i < kept; i++) {
        memcpy((char *)c->made[0] + i * row->inner + behind, (const char *)c->old[0] + i * row->inner + behind,
               row->inner - behind);
    }
    if (!pytree__as_put(a, place->fresh, place->field, c->made, row->size)) { return false; }
    place->to.data = c->made[0];
    place->to.shape[0] = n;
    place->fresh = true;
    return true;
}

/* ---- The end ----------------------------------------------------------------------------------------------------------- */

/* Release one of the two containers. What its first n elements hold is elsewhere, too: a std::vector would destroy it. */
static void pytree__as_release(const pytree_field *row, void **container, size_t n)
{
    if (container[0] == NULL) { return; }
    if (row->form == PYTREE_FORM_LIST) { memset(container[0], 0, n * row->inner); }
    row->functions->release(container, row);
}

/* Write everything, and release what was replaced: nothing can fail any more. */
static void pytree__as_commit(struct pytree__assign *a)
{
    const struct pytree__as_write *write = (const struct pytree__as_write *)a->writes.data;
    struct pytree__as_container *c = (struct pytree__as_container *)a->containers.data;
    const pytree *dropped = (const pytree *)a->dropped.data;
    size_t i, k;
    for (i = 0; i < a->writes.count; i++, write++) {
        memcpy(write->to, (const char *)a->bytes.data + write->at, write->bytes);
    }
    for (i = 0; i < a->dropped.count; i++) { pytree__release_walking(dropped[i], a->options.allocator); }
    for (i = 0; i < a->containers.count; i++, c++) {
        for (k = c->kept; k < c->count && c->row->type->kind == PYTREE_KIND_STRUCT; k++) {       /* of a list: maps keep all */
            pytree cut;
            cut.type = c->row->type;
            cut.data = (char *)c->old[0] + k * c->row->inner;
            pytree__release_walking(cut, a->options.allocator);
        }
        pytree__as_release(c->row, c->old, c->kept);
    }
    if (a->block != NULL) {
        a->block->attached = a->attached;
        a->block->nested = a->block->nested || a->containers.count != 0;
    }
}

/* End an assignment: write everything, or give back what was made. Returns its status. */
static pytree_status pytree__as_end(struct pytree__assign *a)
{
    struct pytree__as_container *c = (struct pytree__as_container *)a->containers.data;
    size_t i;
    if (a->status == PYTREE_OK && a->problems != 0) { a->status = pytree__as_fail(a); }
    if (a->status == PYTREE_OK) {
        pytree__as_commit(a);
    } else {
        for (i = 0; i < a->containers.count; i++) {
            pytree__as_release(c[i].row, c[i].made, c[i].n);
        }
        if (a->block != NULL) { pytree__free_attached(a->attached, a->block->attached, a->block->allocator); }
    }
    pytree__vector_free(&a->levels);
    pytree__vector_free(&a->writes);
    pytree__vector_free(&a->bytes);
    pytree__vector_free(&a->containers);
    pytree__vector_free(&a->dropped);
    pytree__cursor_end(&a->from);
    pytree__cursor_end(&a->to);
    return a->status;
}

#include "assign_leaf.h"
#endif
