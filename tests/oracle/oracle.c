/* oracle.c: the library as a program that answers requests, one after another, for tests/oracle/oracle.py.
 *
 *     ('flatten', {'nil': True}, {'b': 1, 'a': None})   =>   {'leaves': [None, 1], 'text': …}
 *
 * A request is a line with its number of bytes, then those; an answer likewise. Both are literals in Python's notation, read by
 * pytree_parse and written by pytree_literal_text; a request is the operation's name, options, arguments. A namedtuple that has
 * the name of a registered type becomes one. What a literal cannot show is written as a call that oracle.py knows:
 * Error(status, path, message), Made(tree, the same rebuilt), Flat(treedef's text, [leaves]) for a tree with custom nodes.
 *
 * Every allocation of the library goes through a counter: 'lost' in an answer says how many were not given back. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pytree/algebra.h"
#include "pytree/literal.h"
#include "pytree/path.h"
#include "pytree/treedef_io.h"

/* A custom node's metadata is a text here. */
static size_t custom_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    if (n != 0) { snprintf(text, n, "%.*s", (int)bytes, (const char *)metadata); }
    return bytes;
}

#include "../golden/types.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#include "oracle_case.h"
#include "oracle_trees.h"

/* ---- Operations: two treedefs -------------------------------------------------------------------------------------- */

static void op_equality(Case *c)
{
    pytree_def *a = def_of(c, 0, &c->opt), *b = def_of(c, 1, &c->opt), *switched;
    pytree_options other = c->opt;
    pytree_error err = { 0 };
    pytree_def_error_list *list;
    size_t i;
    other.none_is_leaf = !c->opt.none_is_leaf;
    switched = def_of(c, 1, &other);
    say_bool(c, "equal_switched", pytree_def_equal(a, switched));
    pytree_def_free(switched);
    say_bool(c, "equal", pytree_def_equal(a, b));
    say_bool(c, "hash_equal", pytree_def_hash(a) == pytree_def_hash(b));
    say_bool(c, "is_prefix", pytree_def_is_prefix(a, b, false, &c->opt, NULL));
    say_bool(c, "is_prefix_strict", pytree_def_is_prefix(a, b, true, &c->opt, NULL));
    say_bool(c, "is_suffix", pytree_def_is_suffix(a, b, false, &c->opt, NULL));
    say_bool(c, "is_suffix_strict", pytree_def_is_suffix(a, b, true, &c->opt, NULL));
    say_bool(c, "trees_equal", pytree_equal(c->arg[0], c->arg[1], NULL, &c->opt, NULL));
    list = pytree_def_differences(a, b, &c->opt, &err);
    if (list == NULL) {
        say_error(c, "differences", &err);
    } else {
        put(c, "'differences': [");
        for (i = 0; i < list->n; i++) {
            put(c, "(");
            put_quoted(c, list->errors[i].path);
            put_format(c, ", '%s'), ", pytree_mismatch_name(list->errors[i].kind));
        }
        put(c, "], ");
        pytree_def_errors_free(list);
    }
    pytree_def_free(a);
    pytree_def_free(b);
}

static void op_compose(Case *c)
{
    pytree_def *outer = def_of(c, 0, &c->opt), *inner = def_of(c, 1, &c->opt), *def;
    pytree_error err = { 0 };
    def = pytree_def_compose(outer, inner, &c->opt, &err);
    if (def != NULL) {
        say_number(c, "num_leaves", pytree_def_num_leaves(def));
        say_number(c, "num_nodes", pytree_def_num_nodes(def));
    }
    say_def(c, "text", def, &err);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

static void op_tuple(Case *c)
{
    const pytree_def **defs = take_memory(c, c->n, sizeof *defs);
    pytree_error err = { 0 };
    size_t i;
    for (i = 0; i < c->n; i++) { defs[i] = def_of(c, i, &c->opt); }
    say_def(c, "text", pytree_def_tuple(c->n, defs, &c->opt, &err), &err);
    for (i = 0; i < c->n; i++) { pytree_def_free((pytree_def *)(uintptr_t)defs[i]); }
}

/* (tree, text of its treedef, …): does each text read as the treedef? */
static void op_def_parse(Case *c)
{
    const pytree_type *types[COUNT_OF(registered) + 5];
    pytree_def *def = def_of(c, 0, &c->opt);
    size_t i;
    memcpy(types, registered, sizeof registered);
    types[COUNT_OF(registered)] = PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" });
    types[COUNT_OF(registered) + 1] = PYTREE_NAMEDTUPLE_TYPE("Pair", { .name = "first" }, { .name = "second" });
    types[COUNT_OF(registered) + 2] = PYTREE_NAMEDTUPLE_TYPE("Only", { .name = "value" });
    types[COUNT_OF(registered) + 3] = PYTREE_NAMEDTUPLE_TYPE("Quad", { .name = "d" }, { .name = "c" }, { .name = "b" },
                                                             { .name = "a" });
    types[COUNT_OF(registered) + 4] = &(const pytree_type){ .name = "Nil", .kind = PYTREE_KIND_NAMEDTUPLE };
    put(c, "'equal': [");
    for (i = 1; i < c->n; i++) {
        pytree_error err = { 0 };
        pytree_def *parsed = pytree_def_parse(text_at(c, i), types, COUNT_OF(types), &c->opt, &err);
        if (parsed == NULL) { put_error(c, &err); } else { put(c, pytree_def_equal(def, parsed) ? "True" : "False"); }
        pytree_def_free(parsed);
        put(c, ", ");
    }
    put(c, "], ");
    pytree_def_free(def);
}

/* ---- Operations: prefixes ------------------------------------------------------------------------------------------ */

static void say_up_to(Case *c, const pytree_def *def, pytree t)
{
    pytree_error err = { 0 };
    pytree_leaf *subtrees = take_memory(c, def->n_leaves, sizeof *subtrees);
    if (pytree_flatten_up_to(def, t, subtrees, def->n_leaves, &c->opt, &err) != PYTREE_OK) { say_error(c, "up_to", &err); }
    else { say_views(c, "up_to", def->n_leaves, subtrees); }
}

static void put_entries(Case *c, size_t n, const pytree_entry *entries)
{
    size_t i;
    put(c, "[");
    for (i = 0; i < n; i++) {
        if (entries[i].kind == PYTREE_KEY) { put_quoted(c, entries[i].name); }
        else { put_format(c, "%lld", (long long)(int64_t)entries[i].index); }
        put(c, ", ");
    }
    put(c, "]");
}

static void say_mismatches(Case *c, pytree prefix, const pytree_def *full)
{
    pytree_error err = { 0 };
    pytree_prefix_error_list *list = pytree_prefix_errors(prefix, full, "prefix", &c->opt, &err);
    size_t i;
    if (list == NULL) { say_error(c, "mismatches", &err); return; }
    put(c, "'mismatches': [");
    for (i = 0; i < list->n; i++) {
        const pytree_prefix_error *one = &list->errors[i];
        put(c, "(");
        put_quoted(c, one->path);
        put_format(c, ", '%s', ", pytree_mismatch_name(one->kind));
        put_entries(c, one->n_missing, one->missing);
        put(c, ", ");
        put_entries(c, one->n_extra, one->extra);
        put(c, "), ");
    }
    put(c, "], ");
    pytree_prefix_errors_free(list);
}

/* One entry for each leaf. */
static void say_broadcast(Case *c, pytree prefix, const pytree_def *full)
{
    pytree_error err = { 0 };
    pytree_leaf *leaves = take_memory(c, full->n_leaves, sizeof *leaves);
    if (pytree_broadcast_leaves(prefix, full, leaves, full->n_leaves, "prefix", &c->opt, &err) != PYTREE_OK) {
        say_error(c, "flat", &err);
    } else {
        say_views(c, "flat", full->n_leaves, leaves);
    }
}

/* (prefix, full tree) */
static void op_prefix(Case *c)
{
    pytree_error err = { 0 };
    pytree_def *prefix = def_of(c, 0, &c->opt), *full = def_of(c, 1, &c->opt);
    pytree_flat flat = pytree_broadcast_prefix(c->arg[0], full, "prefix", &c->opt, &err);
    say_flat(c, "broadcast", &flat, &err);
    say_broadcast(c, c->arg[0], full);
    say_mismatches(c, c->arg[0], full);
    say_up_to(c, prefix, c->arg[1]);
    pytree_def_free(prefix);
    pytree_def_free(full);
}

/* (axes, argument): None is an entry of the axes and a node of the argument. */
static void op_axes(Case *c)
{
    const pytree_options opt = plain(c);
    pytree_def *full = def_of(c, 1, &opt);
    c->opt.none_is_leaf = true;
    say_broadcast(c, c->arg[0], full);
    pytree_def_free(full);
}

/* ---- Operations: map ----------------------------------------------------------------------------------------------- */

/* What the function received, and the tuples that it returned. */
typedef struct Calls {
    Case *c;
    pytree_leaf *results;
    size_t n, capacity;
} Calls;

static pytree_status called(void *context, const pytree_iter *at)
{
    Calls *calls = context;
    pytree_leaf *views = take_memory(calls->c, at->n, sizeof *views), *result;
    pytree *values = take_memory(calls->c, at->n, sizeof *values);
    pytree_items *tuple = take_memory(calls->c, 1, sizeof *tuple);
    size_t i;
    if (calls->n == calls->capacity) {
        const size_t capacity = 2 * calls->capacity + 64;
        pytree_leaf *grown = take_memory(calls->c, capacity, sizeof *grown);
        if (calls->n != 0) { memcpy(grown, calls->results, calls->n * sizeof *grown); }
        calls->results = grown;
        calls->capacity = capacity;
    }
    for (i = 0; i < at->n; i++) {
        views[i] = *at->leaf[i];
        values[i] = pytree_of_view(&views[i]);
    }
    tuple->count = at->n;
    tuple->items = values;
    result = &calls->results[calls->n++];
    result->data = tuple;
    result->type = &pytree_types[PYTREE__T_tuple];
    result->form = PYTREE_FORM_ITEMS;
    return PYTREE_OK;
}

static void say_calls(Case *c, const Calls *calls, const pytree_error *err)
{
    if (err->status != PYTREE_OK) { say_error(c, "calls", err); } else { say_views(c, "calls", calls->n, calls->results); }
    say_number(c, "n_calls", calls->n);
}

static void op_map(Case *c)
{
    pytree_error err = { 0 };
    Calls calls = { NULL, NULL, 0, 0 };
    pytree_flat result;
    calls.c = c;
    pytree_map(called, &calls, NULL, c->n, c->arg, &c->opt, &err);
    say_calls(c, &calls, &err);
    if (err.status == PYTREE_OK) {
        pytree_def *def = def_of(c, 0, &c->opt);
        result.def = def;
        result.leaves = calls.results;
        say_tree(c, "result", PYTREE(&result));
        pytree_def_free(def);
    }
}

static void op_common(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat a = { NULL, NULL }, b = { NULL, NULL };
    pytree_def *x = def_of(c, 0, &c->opt), *y = def_of(c, 1, &c->opt);
    Calls calls = { NULL, NULL, 0, 0 };
    calls.c = c;
    pytree_broadcast_common(c->arg[0], c->arg[1], &a, &b, &c->opt, &err);
    say_flat(c, "a", &a, &err);
    say_flat(c, "b", &b, &err);
    memset(&err, 0, sizeof err);
    say_def(c, "suffix", pytree_def_common_suffix(x, y, &c->opt, &err), &err);
    pytree_def_free(x);
    pytree_def_free(y);
    memset(&err, 0, sizeof err);
    pytree_broadcast_map(called, &calls, NULL, c->n, c->arg, &c->opt, &err);
    say_calls(c, &calls, &err);
}

/* ---- Operations: turned over, parts -------------------------------------------------------------------------------- */

/* (outer, inner or the text 'inferred', tree) */
static void op_transpose(Case *c)
{
    pytree_error err = { 0 };
    const char *word = text_at(c, 1);
    pytree_def *outer = def_of(c, 0, &c->opt), *inner = NULL;
    pytree_flat result;
    if (word == NULL || strcmp(word, "inferred") != 0) { inner = def_of(c, 1, &c->opt); }
    result = pytree_transpose(outer, inner, c->arg[2], &c->opt, &err);
    say_flat(c, "result", &result, &err);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

/* x => (x, {'k': x}) */
static pytree_status give_two(void *context, const pytree_iter *at, pytree_taker *to)
{
    Case *c = context;
    pytree_leaf *view = take_memory(c, 1, sizeof *view);
    *view = *at->leaf[0];
    return pytree_give(to, PYTREE_TUPLE(pytree_of_view(view), PYTREE_DICT({ "k", pytree_of_view(view) })));
}

static void op_transpose_map(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat result = pytree_transpose_map(give_two, c, NULL, 1, c->arg, &c->opt, &err);
    say_flat(c, "result", &result, &err);
}

/* (tree, filter's name, what stands in the holes) */
static void op_partition(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat passing = { NULL, NULL }, failing = { NULL, NULL }, both = { NULL, NULL };
    pytree parts[2];
    pytree_partition(c->arg[0], passes, (void *)(uintptr_t)text_at(c, 1), c->arg[2], &passing, &failing, &c->opt, &err);
    if (err.status == PYTREE_OK) {
        parts[0] = PYTREE(&passing);
        parts[1] = PYTREE(&failing);
        both = pytree_combine(2, parts, &c->opt, &err);
    }
    say_flat(c, "combined", &both, &err);
    say_flat(c, "passing", &passing, &err);
    say_flat(c, "failing", &failing, &err);
}

/* (tree, what stands in place of None) */
static void op_replace_none(Case *c)
{
    pytree_error err = { 0 };
    pytree_flat result = pytree_replace_none(c->arg[0], c->arg[1], &c->opt, &err);
    say_flat(c, "result", &result, &err);
}

/* ---- Operations: literals ------------------------------------------------------------------------------------------ */

/* (literal, …): each parsed and printed, and that once more. */
static void op_literal(Case *c)
{
    pytree_options opt = plain(c);
    size_t i;
    put(c, "'trees': [");
    for (i = 0; i < c->n; i++) {
        pytree_error err = { 0 };
        pytree t = pytree_parse(text_at(c, i), &opt, &err), again;
        const size_t start = c->length;
        size_t length;
        if (err.status != PYTREE_OK) {
            put_error(c, &err);
        } else {
            put_tree(c, t);
            pytree_free(t);
            length = c->length - start;
            again = pytree_parse_n(c->text + start, length, &opt, &err);
            if (err.status != PYTREE_OK) {
                put_error(c, &err);
            } else {
                char *first = take_memory(c, length + 1, 1);
                memcpy(first, c->text + start, length);
                c->length = start;
                put_tree(c, again);
                if (c->length - start != length || memcmp(first, c->text + start, length) != 0) {
                    put(c, " == 'printed otherwise'");
                }
                pytree_free(again);
            }
        }
        put(c, ", ");
    }
    put(c, "], ");
}

/* ---- Requests --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(Case *c);
} operations[] = {
    { "flatten", op_flatten }, { "unflatten", op_unflatten }, { "paths", op_paths }, { "children", op_children },
    { "one_level", op_one_level }, { "walk", op_walk }, { "reduce", op_reduce }, { "fold", op_fold },
    { "equality", op_equality }, { "compose", op_compose }, { "tuple", op_tuple }, { "def_parse", op_def_parse },
    { "prefix", op_prefix }, { "axes", op_axes }, { "map", op_map }, { "common", op_common }, { "transpose", op_transpose },
    { "transpose_map", op_transpose_map }, { "partition", op_partition }, { "replace_none", op_replace_none },
    { "literal", op_literal }
};

static void read_options(Case *c, const pytree_items *options)
{
    size_t i;
    c->opt.allocator = &c->allocator;
    for (i = 0; i < options->count; i++) {
        const char *name = options->pairs[i].key;
        const pytree value = options->pairs[i].value;
        if (strcmp(name, "nil") == 0) {
            memcpy(&c->opt.none_is_leaf, value.data, sizeof c->opt.none_is_leaf);
        } else if (strcmp(name, "bare") == 0) {
            memcpy(&c->bare, value.data, sizeof c->bare);
        } else {
            c->opt.is_leaf = predicate;
            c->opt.is_leaf_context = (void *)(uintptr_t)text_of(value);
        }
    }
}

/* To be freed. */
static char *answer(const char *request, size_t n)
{
    Case c = { 0 };
    pytree_error err = { 0 };
    pytree t;
    size_t i;
    c.allocator.resize = counted;
    c.allocator.context = &c.live;
    c.opt.allocator = &c.allocator;
    t = pytree_parse_n(request, n, &c.opt, &err);
    if (err.status != PYTREE_OK) {
        put_error(&c, &err);
    } else {
        const pytree_items *items = t.data;
        read_options(&c, items->items[1].data);
        c.arg = items->items + 2;
        c.n = items->count - 2;
        adopt(&c, &t);
        put(&c, "{");
        for (i = 0; i < COUNT_OF(operations); i++) {
            if (strcmp(operations[i].name, text_of(items->items[0])) == 0) { operations[i].run(&c); }
        }
        pytree_free(t);
        say_number(&c, "lost", c.live);
        put(&c, "}");
    }
    while (c.chunks != NULL) {
        Chunk *next = c.chunks->next;
        free(c.chunks);
        c.chunks = next;
    }
    return c.text;
}

int main(void)
{
    unsigned long n;
    while (scanf("%lu", &n) == 1 && getchar() == '\n') {
        char *request = malloc(n + 1), *text;
        if (request == NULL || fread(request, 1, n, stdin) != n) { return 1; }
        text = answer(request, n);
        printf("%zu\n%s", strlen(text), text);
        fflush(stdout);
        free(request);
        free(text);
    }
    return 0;
}
