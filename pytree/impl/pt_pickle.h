/* pytree/impl/pt_pickle.h: the reader of pickles: a machine with a stack and a memo that makes values and calls nothing. */
#ifndef PYTREE_IMPL_PT_PICKLE_H
#define PYTREE_IMPL_PT_PICKLE_H

#include "pt_tensor.h"

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* Take n bytes of the pickle; NULL and an error if there are fewer. */
static const unsigned char *pytree__pt_take(struct pytree__pt *p, uint64_t n)
{
    const unsigned char *at = p->at;
    if (n > (uint64_t)(p->end - p->at)) {
        (void)pytree__pt_wrong(p, "a complete pickle", "its end");
        return NULL;
    }
    p->at += n;
    return at;
}

/* Take an unsigned number of n bytes. */
static bool pytree__pt_length(struct pytree__pt *p, size_t n, uint64_t *value)
{
    const unsigned char *at = pytree__pt_take(p, n);
    if (at == NULL) { return false; }
    *value = pytree__number_at(at, n);
    return true;
}

/* ---- Stack and memo ------------------------------------------------------------------------------------------------ */

static bool pytree__pt_push(struct pytree__pt *p, uint32_t value)
{
    uint32_t *to = (uint32_t *)pytree__vector_add(&p->stack, 1, p->err);
    if (to == NULL) { return false; }
    *to = value;
    return true;
}

/* Push the value that was made last. */
static bool pytree__pt_push_new(struct pytree__pt *p, const struct pytree__pt_value *v)
{
    return v != NULL && pytree__pt_push(p, (uint32_t)(p->values.count - 1));
}

/* Return how many values are above the last mark. */
static size_t pytree__pt_above(const struct pytree__pt *p)
{
    const uint32_t *marks = (const uint32_t *)p->marks.data;
    return p->stack.count - (p->marks.count == 0 ? 0 : marks[p->marks.count - 1]);
}

/* Return the n-th value from the top, 0 the top itself. There is one: call pytree__pt_needs before. */
static uint32_t pytree__pt_top(const struct pytree__pt *p, size_t n)
{
    return ((const uint32_t *)p->stack.data)[p->stack.count - 1 - n];
}

static bool pytree__pt_needs(const struct pytree__pt *p, size_t n)
{
    if (pytree__pt_above(p) < n) { return pytree__pt_wrong(p, "more values on the stack", "fewer"); }
    return true;
}

/* Remove the last mark; *n values are above it. */
static bool pytree__pt_unmark(struct pytree__pt *p, size_t *n)
{
    if (p->marks.count == 0) { return pytree__pt_wrong(p, "a mark", "none"); }
    *n = pytree__pt_above(p);
    p->marks.count--;
    return true;
}

static bool pytree__pt_remember(struct pytree__pt *p, uint64_t at)
{
    uint32_t *to;
    if (!pytree__pt_needs(p, 1)) { return false; }
    if (at >= (uint64_t)(p->end - p->begin)) {
        return pytree__pt_wrong(p, "a memo not longer than the pickle", "a longer one");
    }
    while (p->memo.count <= at) {
        to = (uint32_t *)pytree__vector_add(&p->memo, 1, p->err);
        if (to == NULL) { return false; }
        *to = UINT32_MAX;
    }
    to = (uint32_t *)p->memo.data + at;
    p->n_memo += *to == UINT32_MAX;
    *to = pytree__pt_top(p, 0);
    return true;
}

static bool pytree__pt_recall(struct pytree__pt *p, uint64_t at)
{
    if (at >= p->memo.count || ((const uint32_t *)p->memo.data)[at] == UINT32_MAX) {
        return pytree__pt_wrong(p, "a memo that was set", "another");
    }
    return pytree__pt_push(p, ((const uint32_t *)p->memo.data)[at]);
}

/* ---- Scalars ------------------------------------------------------------------------------------------------------- */

static bool pytree__pt_int(struct pytree__pt *p, int64_t i)
{
    struct pytree__pt_value *v = pytree__pt_new(p, PYTREE__PT_INT);
    if (v != NULL) { v->of.integer = i; }
    return pytree__pt_push_new(p, v);
}

/* Read a two's complement number of n bytes, at most 8. */
static bool pytree__pt_long(struct pytree__pt *p, uint64_t n)
{
    const unsigned char *at;
    uint64_t u = 0;
    int64_t i;
    size_t k;
    if (n > 8) { return pytree__pt_wrong(p, "integers of 64 bits", "one that is longer"); }
    at = pytree__pt_take(p, n);
    if (at == NULL) { return false; }
    if (n != 0 && at[n - 1] >= 0x80) { u = UINT64_MAX; }
    for (k = (size_t)n; k-- > 0;) { u = u << 8 | at[k]; }
    memcpy(&i, &u, sizeof i);
    return pytree__pt_int(p, i);
}

static bool pytree__pt_real(struct pytree__pt *p)
{
    const unsigned char *at = pytree__pt_take(p, 8);
    struct pytree__pt_value *v = at == NULL ? NULL : pytree__pt_new(p, PYTREE__PT_FLOAT);
    uint64_t bits = 0;
    size_t i;
    if (v == NULL) { return false; }
    for (i = 0; i < 8; i++) { bits = bits << 8 | at[i]; }      /* big-endian, unlike everything else */
    memcpy(&v->of.real, &bits, sizeof bits);
    return pytree__pt_push_new(p, v);
}

static bool pytree__pt_string(struct pytree__pt *p, size_t length_bytes)
{
    uint64_t n;
    const unsigned char *at = pytree__pt_length(p, length_bytes, &n) ? pytree__pt_take(p, n) : NULL;
    struct pytree__pt_value *v;
    if (at == NULL) { return false; }
    if (memchr(at, 0, (size_t)n) != NULL || !pytree__is_utf8((const char *)at, (size_t)n)) {
        return pytree__pt_wrong(p, "strings in UTF-8 without U+0000", "other bytes");
    }
    v = pytree__pt_new(p, PYTREE__PT_TEXT);
    if (v == NULL) { return false; }
    v->n = (uint32_t)n;
    v->of.at = (uint32_t)(at - p->begin);
    return pytree__pt_push_new(p, v);
}

/* ---- Containers ---------------------------------------------------------------------------------------------------- */

static bool pytree__pt_add(struct pytree__pt *p, uint32_t to, uint32_t key, uint32_t value)
{
    struct pytree__pt_value *v = pytree__pt_at(p, to);
    struct pytree__pt_link *link, *links;
    uint32_t i;
    link = (struct pytree__pt_link *)pytree__vector_add(&p->links, 1, p->err);
    if (link == NULL) { return false; }
    link->key = key;
    link->value = value;
    link->next = 0;
    links = (struct pytree__pt_link *)p->links.data;
    i = (uint32_t)(p->links.count - 1);
    if (v->n++ == 0) { v->of.items.first = i; } else { links[v->of.items.last].next = i; }
    v->of.items.last = i;
    return true;
}

/* Make a tuple of the n values at the top. */
static bool pytree__pt_tuple(struct pytree__pt *p, size_t n)
{
    struct pytree__pt_value *v;
    uint32_t tuple;
    size_t i;
    if (!pytree__pt_needs(p, n)) { return false; }
    if (n == 0) { return pytree__pt_push(p, PYTREE__PT_EMPTY); }
    v = pytree__pt_new(p, PYTREE__PT_TUPLE);
    if (v == NULL) { return false; }
    tuple = (uint32_t)(p->values.count - 1);
    for (i = n; i-- > 0;) {
        if (!pytree__pt_add(p, tuple, 0, pytree__pt_top(p, i))) { return false; }
    }
    p->stack.count -= n;
    return pytree__pt_push(p, tuple);
}

/* Append the n values at the top to the list below them. */
static bool pytree__pt_append(struct pytree__pt *p, size_t n)
{
    uint32_t list;
    size_t i;
    if (!pytree__pt_needs(p, n + 1)) { return false; }
    list = pytree__pt_top(p, n);
    if (pytree__pt_at(p, list)->kind != PYTREE__PT_LIST) { return pytree__pt_wrong(p, "a list", "another value"); }
    for (i = n; i-- > 0;) {
        if (!pytree__pt_add(p, list, 0, pytree__pt_top(p, i))) { return false; }
    }
    p->stack.count -= n;
    return true;
}

/* Put the n values at the top, keys and values in turn, into the dict below them. */
static bool pytree__pt_put(struct pytree__pt *p, size_t n)
{
    uint32_t dict;
    size_t i;
    if (!pytree__pt_needs(p, n + 1)) { return false; }
    dict = pytree__pt_top(p, n);
    if (pytree__pt_at(p, dict)->kind != PYTREE__PT_DICT || n % 2 != 0) {
        return pytree__pt_wrong(p, "a dict, and a value for each key", "something else");
    }
    for (i = n; i != 0; i -= 2) {
        uint32_t key = pytree__pt_top(p, i - 1);
        if (pytree__pt_at(p, key)->kind != PYTREE__PT_TEXT && pytree__pt_at(p, key)->kind != PYTREE__PT_INT) {
            return pytree__pt_wrong(p, "keys that are strings or integers", "another key");
        }
        if (!pytree__pt_add(p, dict, key, pytree__pt_top(p, i - 2))) { return false; }
    }
    p->stack.count -= n;
    return true;
}

/* ---- What looks like calls ----------------------------------------------------------------------------------------- */

/* Take the line up to a line feed. */
static bool pytree__pt_line(struct pytree__pt *p, const char **line, size_t *n)
{
    const void *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
    if (end == NULL) { return pytree__pt_wrong(p, "a line", "the end of the pickle"); }
    *line = (const char *)p->at;
    *n = (size_t)((const unsigned char *)end - p->at);
    p->at += *n + 1;
    return true;
}

static bool pytree__pt_global_lines(struct pytree__pt *p)
{
    const char *module, *name;
    size_t module_bytes, name_bytes;
    return pytree__pt_line(p, &module, &module_bytes) && pytree__pt_line(p, &name, &name_bytes)
           && pytree__pt_global(p, module, module_bytes, name, name_bytes)
           && pytree__pt_push(p, (uint32_t)(p->values.count - 1));
}

static bool pytree__pt_global_stack(struct pytree__pt *p)
{
    const struct pytree__pt_value *module, *name;
    if (!pytree__pt_needs(p, 2)) { return false; }
    module = pytree__pt_at(p, pytree__pt_top(p, 1));
    name = pytree__pt_at(p, pytree__pt_top(p, 0));
    if (module->kind != PYTREE__PT_TEXT || name->kind != PYTREE__PT_TEXT) {
        return pytree__pt_wrong(p, "the name of a module and a name in it", "other values");
    }
    if (!pytree__pt_global(p, pytree__pt_text(p, module), module->n, pytree__pt_text(p, name), name->n)) { return false; }
    p->stack.count -= 2;
    return pytree__pt_push(p, (uint32_t)(p->values.count - 1));
}

/* Make the value that a known name stands for with these arguments. */
static bool pytree__pt_reduce(struct pytree__pt *p)
{
    const struct pytree__pt_value *items[PYTREE__PT_ITEMS];
    uint32_t arguments, made;
    enum pytree__pt_kind kind;
    if (!pytree__pt_needs(p, 2)) { return false; }
    arguments = pytree__pt_top(p, 0);
    kind = (enum pytree__pt_kind)pytree__pt_at(p, pytree__pt_top(p, 1))->kind;
    if (kind == PYTREE__PT_ORDERED_DICT && arguments == PYTREE__PT_EMPTY) {
        if (pytree__pt_new(p, PYTREE__PT_DICT) == NULL) { return false; }
        made = (uint32_t)(p->values.count - 1);
    } else if (kind == PYTREE__PT_REBUILD_2 || kind == PYTREE__PT_REBUILD_3) {
        if (!pytree__pt_make_tensor(p, arguments, kind == PYTREE__PT_REBUILD_3)) { return false; }
        made = (uint32_t)(p->values.count - 1);
    } else if (kind == PYTREE__PT_PARAMETER && pytree__pt_items(p, arguments, items) == 3
               && items[0]->kind == PYTREE__PT_TENSOR) {
        made = (uint32_t)(items[0] - pytree__pt_at(p, 0));
    } else {
        return pytree__pt_wrong(p, "a tensor, a parameter or an ordered dict", "something else to make");
    }
    p->stack.count -= 2;
    return pytree__pt_push(p, made);
}

/* Skip the attributes of a dict. */
static bool pytree__pt_build(struct pytree__pt *p)
{
    if (!pytree__pt_needs(p, 2)) { return false; }
    if (pytree__pt_at(p, pytree__pt_top(p, 1))->kind != PYTREE__PT_DICT
        || pytree__pt_at(p, pytree__pt_top(p, 0))->kind != PYTREE__PT_DICT) {
        return pytree__pt_wrong(p, "attributes of a dict", "those of something else");
    }
    p->stack.count--;
    return true;
}

static bool pytree__pt_persistent(struct pytree__pt *p)
{
    if (!pytree__pt_needs(p, 1) || !pytree__pt_make_storage(p, pytree__pt_top(p, 0))) { return false; }
    p->stack.count--;
    return pytree__pt_push(p, (uint32_t)(p->values.count - 1));
}

/* ---- Opcodes ------------------------------------------------------------------------------------------------------- */

static bool pytree__pt_mark(struct pytree__pt *p)
{
    uint32_t *to = (uint32_t *)pytree__vector_add(&p->marks, 1, p->err);
    if (to == NULL) { return false; }
    *to = (uint32_t)p->stack.count;
    return true;
}

static bool pytree__pt_protocol(struct pytree__pt *p)
{
    uint64_t n;
    if (!pytree__pt_length(p, 1, &n)) { return false; }
    if (n < 2 || n > 5) { return pytree__pt_wrong(p, "a pickle of protocol 2 to 5", "another"); }
    return true;
}

/* Do what an opcode says that makes a value of its own. */
static bool pytree__pt_step_value(struct pytree__pt *p, int op)
{
    uint64_t n = 0;
    switch (op) {
    case 'N': return pytree__pt_push(p, PYTREE__PT_NONE);
    case 0x88: return pytree__pt_push(p, PYTREE__PT_TRUE);
    case 0x89: return pytree__pt_push(p, PYTREE__PT_FALSE);
    case ')': return pytree__pt_push(p, PYTREE__PT_EMPTY);
    case '}': return pytree__pt_push_new(p, pytree__pt_new(p, PYTREE__PT_DICT));
    case ']': return pytree__pt_push_new(p, pytree__pt_new(p, PYTREE__PT_LIST));
    case 'K': return pytree__pt_length(p, 1, &n) && pytree__pt_int(p, (int64_t)n);
    case 'M': return pytree__pt_length(p, 2, &n) && pytree__pt_int(p, (int64_t)n);
    case 'J': return pytree__pt_long(p, 4);
    case 0x8A: return pytree__pt_length(p, 1, &n) && pytree__pt_long(p, n);
    case 'G': return pytree__pt_real(p);
    case 'X': return pytree__pt_string(p, 4);
    case 0x8C: return pytree__pt_string(p, 1);
    case 0x8D: return pytree__pt_string(p, 8);
    default: break;
    }
    {
        char text[24];
        (void)snprintf(text, sizeof text, "opcode 0x%02x", (unsigned)op);
        return pytree__pt_wrong(p, "an opcode of pickles of tensors", text);
    }
}

/* Do what an opcode says. */
static bool pytree__pt_step(struct pytree__pt *p, int op)
{
    uint64_t n = 0;
    size_t k = 0;
    switch (op) {
    case 0x80: return pytree__pt_protocol(p);
    case 0x95: return pytree__pt_take(p, 8) != NULL;           /* the length of a frame */
    case '(': return pytree__pt_mark(p);
    case 't': return pytree__pt_unmark(p, &k) && pytree__pt_tuple(p, k);
    case 0x85: return pytree__pt_tuple(p, 1);
    case 0x86: return pytree__pt_tuple(p, 2);
    case 0x87: return pytree__pt_tuple(p, 3);
    case 'a': return pytree__pt_append(p, 1);
    case 'e': return pytree__pt_unmark(p, &k) && pytree__pt_append(p, k);
    case 's': return pytree__pt_put(p, 2);
    case 'u': return pytree__pt_unmark(p, &k) && pytree__pt_put(p, k);
    case 'q': return pytree__pt_length(p, 1, &n) && pytree__pt_remember(p, n);
    case 'r': return pytree__pt_length(p, 4, &n) && pytree__pt_remember(p, n);
    case 0x94: return pytree__pt_remember(p, p->n_memo);
    case 'h': return pytree__pt_length(p, 1, &n) && pytree__pt_recall(p, n);
    case 'j': return pytree__pt_length(p, 4, &n) && pytree__pt_recall(p, n);
    case 'c': return pytree__pt_global_lines(p);
    case 0x93: return pytree__pt_global_stack(p);
    case 'Q': return pytree__pt_persistent(p);
    case 'R': return pytree__pt_reduce(p);
    case 'b': return pytree__pt_build(p);
    default: return pytree__pt_step_value(p, op);
    }
}

/* Read the whole pickle. Sets the number of the value that it makes. */
static bool pytree__pt_run(struct pytree__pt *p, uint32_t *made)
{
    uint32_t i;
    for (i = 0; i <= PYTREE__PT_EMPTY; i++) {                  /* the values of which there is one each; link 0 */
        if (pytree__pt_new(p, (enum pytree__pt_kind)i) == NULL) { return false; }
    }
    if (pytree__vector_add(&p->links, 1, p->err) == NULL) { return false; }
    for (;;) {
        const unsigned char *op = pytree__pt_take(p, 1);
        if (op == NULL) { return false; }
        if (*op == '.') { break; }
        if (!pytree__pt_step(p, *op)) { return false; }
    }
    if (p->at != p->end || p->marks.count != 0 || p->stack.count != 1) {
        return pytree__pt_wrong(p, "the end of the pickle with one value", "more");
    }
    *made = pytree__pt_top(p, 0);
    return true;
}

#include "pt.h"
#endif
