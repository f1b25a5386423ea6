/* pytree/impl/literal_container.h: parsing literals: containers and values. */
#ifndef PYTREE_IMPL_LITERAL_CONTAINER_H
#define PYTREE_IMPL_LITERAL_CONTAINER_H

#include "literal_leaf.h"

/* ---- Parse: containers --------------------------------------------------------------------------------------------- */

static pytree__lit_container *pytree__lit_begin(pytree__lit_parser *p, int type, unsigned form, char close, bool wrapped)
{
    pytree__lit_open *o = (pytree__lit_open *)pytree__lit_more(p, &p->open, sizeof *o);
    pytree__lit_container *c =
        o == NULL ? NULL : (pytree__lit_container *)pytree__lit_more(p, &p->containers, sizeof *c);
    if (c == NULL) { return NULL; }
    o->container = p->containers.n / sizeof *c - 1;
    o->count = 0;
    o->keys = p->keys.n;
    o->type = (uint32_t)type;
    o->close = close;
    o->form = (unsigned char)form;
    o->wrapped = wrapped;
    if (p->open.n > p->most_open) { p->most_open = p->open.n; }
    c->count = 0;
    c->maxlen = pytree__traits(&pytree_types[type])->meta == PYTREE__META_MAXLEN ? PYTREE_UNBOUNDED : 0;
    c->name = c->order = PYTREE__LIT_NONE;
    c->numbered = false;
    return pytree__lit_push(p, type, o->container) ? c : NULL;
}

/* Check that the keys of the container that ends are distinct, and record their order if a dict needs one. */
static bool pytree__lit_order(pytree__lit_parser *p, const pytree__lit_open *o, pytree__lit_container *c)
{
    const pytree__lit_key *keys;
    struct pytree__sorting *sorting;
    size_t i, n = o->count;
    uint32_t *order;
    if (n < 2) { return true; }
    keys = (const pytree__lit_key *)(const void *)(p->keys.at + o->keys);
    for (i = 1; i < n; i++) {
        if (c->numbered ? keys[i - 1].number >= keys[i].number
            : strcmp(p->texts.at + keys[i - 1].name, p->texts.at + keys[i].name) >= 0) { break; }
    }
    if (i >= n) { return true; }
    if (n > UINT32_MAX / 2) { return pytree__lit_expected(p, keys[n - 1].at, "fewer keys"); }
    p->sorting.n = 0;
    sorting = (struct pytree__sorting *)pytree__lit_more(p, &p->sorting, pytree__times(n, sizeof *sorting));
    if (sorting == NULL) { return false; }
    for (i = 0; i < n; i++) {
        sorting[i].key = c->numbered ? NULL : p->texts.at + keys[i].name;
        sorting[i].rank = c->numbered ? (uint64_t)keys[i].number ^ UINT64_C(1) << 63 : pytree__key_prefix64(sorting[i].key);
        sorting[i].at = (uint32_t)i;
    }
    pytree__sort_keys(sorting, n);
    for (i = 1; i < n; i++) {
        const uint32_t a = sorting[i - 1].at, b = sorting[i].at;
        if (pytree__by_key(&sorting[i - 1], &sorting[i]) == 0) {
            return pytree__lit_expected(p, keys[a > b ? a : b].at, o->form == PYTREE__LIT_FIELDS ? "each field once"
                                                                                                  : "each key once");
        }
    }
    if (pytree__traits(&pytree_types[o->type])->order != PYTREE__ORDER_SORTED) { return true; }
    c->order = p->orders.n / sizeof *order;
    order = (uint32_t *)pytree__lit_more(p, &p->orders, n * sizeof *order);
    if (order == NULL) { return false; }
    for (i = 0; i < n; i++) { order[i] = sorting[i].at; }
    return true;
}

/* Parse , maxlen=3. */
static bool pytree__lit_maxlen(pytree__lit_parser *p, pytree__lit_container *c)
{
    const char *start;
    uint64_t maxlen;
    char expected[64];
    if (!pytree__lit_skip(p, ',') || pytree__lit_peek(p) == ')') { return true; }
    if (!pytree__lit_skip_word(p, "maxlen")) { return pytree__lit_expected(p, p->at, "maxlen="); }
    if (!pytree__lit_need(p, '=')) { return false; }
    if (pytree__lit_skip_word(p, "None")) {
        (void)pytree__lit_skip(p, ',');
        return true;
    }
    start = p->at;
    if (!pytree__lit_integer(p, &pytree_types[PYTREE__T_UINT64], &maxlen)) { return false; }
    (void)snprintf(expected, sizeof expected, "a maxlen of at least %zu, as many as there are", c->count);
    if (maxlen < c->count) { return pytree__lit_expected(p, start, expected); }
    if (maxlen >= SIZE_MAX) { return pytree__lit_expected(p, start, "a maxlen that fits"); }
    c->maxlen = (size_t)maxlen;
    (void)pytree__lit_skip(p, ',');
    return true;
}

/* Close the innermost container. */
static bool pytree__lit_close(pytree__lit_parser *p)
{
    const pytree__lit_open *o = pytree__lit_top(p);
    pytree__lit_container *c = pytree__lit_container_at(p, o->container);
    c->count = o->count;
    if (o->form == PYTREE__LIT_ITEMS) {
        p->n_items += o->count;
    } else {
        p->n_pairs += o->count;
        if (pytree__traits(&pytree_types[o->type])->order == PYTREE__ORDER_SORTED) { p->n_places += o->count + o->count % 2; }
        if (!pytree__lit_order(p, o, c)) { return false; }
        p->keys.n = o->keys;
    }
    if (PYTREE__UNLIKELY(o->wrapped)) {
        const bool limited = pytree__traits(&pytree_types[o->type])->meta == PYTREE__META_MAXLEN;
        if (limited && !pytree__lit_maxlen(p, c)) { return false; }
        if (!limited) { (void)pytree__lit_skip(p, ','); }
        if (!pytree__lit_need(p, ')')) { return false; }
    }
    p->open.n -= sizeof *o;
    return true;
}

static bool pytree__lit_note_key(pytree__lit_parser *p, const char *at, size_t name, int64_t number)
{
    pytree__lit_key *key = (pytree__lit_key *)pytree__lit_more(p, &p->keys, sizeof *key);
    if (key == NULL) { return false; }
    key->at = at;
    key->name = name;
    key->number = number;
    return pytree__lit_push(p, PYTREE__T_none, name == PYTREE__LIT_NONE ? (uint64_t)number : name);
}

/* Parse a key: 'k': or 3: or, in parentheses, 'k', or x= of a namedtuple. */
static bool pytree__lit_key_of(pytree__lit_parser *p, pytree__lit_open *o)
{
    pytree__lit_container *c = pytree__lit_container_at(p, o->container);
    size_t name = PYTREE__LIT_NONE;
    int64_t number = 0;
    const char *at;
    char first;
    if (o->form == PYTREE__LIT_PAIRS && !pytree__lit_need(p, '(')) { return false; }
    first = pytree__lit_peek(p);
    at = p->at;
    if (o->form == PYTREE__LIT_FIELDS) {
        size_t n = pytree__word(at, (size_t)(p->end - at));
        if (n == 0) {
            return pytree__lit_expected(p, at, o->count == 0 ? "')' or the name of a field" : "the name of a field");
        }
        p->at += n;
        return pytree__lit_name(p, at, n, &name) && pytree__lit_note_key(p, at, name, 0) && pytree__lit_need(p, '=');
    }
    if (pytree__lit_is_quote(first)) {
        if (o->count != 0 && c->numbered) { return pytree__lit_expected(p, at, "an integer, as the keys before"); }
        if (!pytree__lit_string(p, &name)) { return false; }
    } else if (pytree__lit_digit(first) || first == '-') {
        if (o->count != 0 && !c->numbered) { return pytree__lit_expected(p, at, "a string in quotes, as the keys before"); }
        c->numbered = true;
        if (!pytree__lit_integer(p, &pytree_types[PYTREE__T_INT64], &number)) { return false; }
    } else {
        return pytree__lit_expected(p, at, o->count == 0 && o->form == PYTREE__LIT_BRACES
                                               ? "'}' or a key (a string in quotes or an integer)"
                                               : "a key (a string in quotes or an integer)");
    }
    return pytree__lit_note_key(p, at, name, number) && pytree__lit_need(p, o->form == PYTREE__LIT_PAIRS ? ',' : ':');
}

enum { PYTREE__LIT_WRONG, PYTREE__LIT_VALUE, PYTREE__LIT_DONE };

/* Parse what separates items of the innermost container: either a value follows, or it ends. */
PYTREE__INLINE int pytree__lit_between(pytree__lit_parser *p)
{
    pytree__lit_open *o = pytree__lit_top(p);
    char c = pytree__lit_peek(p), expected[12];
    bool comma = false;
    if (o->count != 0) {
        if (o->form == PYTREE__LIT_PAIRS) {
            (void)pytree__lit_skip(p, ',');
            if (!pytree__lit_need(p, ')')) { return PYTREE__LIT_WRONG; }
            c = pytree__lit_peek(p);
        }
        comma = c == ',';
        if (comma) {
            p->at++;
            c = pytree__lit_peek(p);
        }
    }
    if (c == o->close) {
        if (o->type == PYTREE__T_tuple && o->count == 1 && !comma) {
            (void)pytree__lit_expected(p, p->at, "',' (a tuple of one is written (1,))");
            return PYTREE__LIT_WRONG;
        }
        p->at++;
        return pytree__lit_close(p) ? PYTREE__LIT_DONE : PYTREE__LIT_WRONG;
    }
    if (PYTREE__UNLIKELY(o->count != 0 && !comma)) {
        (void)snprintf(expected, sizeof expected, "',' or '%c'", o->close);
        (void)pytree__lit_expected(p, p->at, expected);
        return PYTREE__LIT_WRONG;
    }
    if (o->form != PYTREE__LIT_ITEMS && !pytree__lit_key_of(p, o)) { return PYTREE__LIT_WRONG; }
    o->count++;
    return PYTREE__LIT_VALUE;
}

/* ---- Parse: values ------------------------------------------------------------------------------------------------- */

/* Parse the rest of OrderedDict( … ) or deque( … ); the argument may be omitted for an empty container. */
static bool pytree__lit_wrapped(pytree__lit_parser *p, int type)
{
    char c = pytree__lit_peek(p);
    const bool deque = !pytree__keyed(&pytree_types[type]);
    const unsigned form = deque ? PYTREE__LIT_ITEMS : c == '[' ? PYTREE__LIT_PAIRS : PYTREE__LIT_BRACES;
    if (c == ')') {
        p->at++;
        return pytree__lit_begin(p, type, form, c, false) != NULL && pytree__lit_close(p);
    }
    if (c != '[' && (deque || c != '{')) { return pytree__lit_expected(p, p->at, deque ? "'[' or ')'" : "'{', '[' or ')'"); }
    p->at++;
    return pytree__lit_begin(p, type, form, c == '{' ? '}' : ']', true) != NULL;
}

/* Parse the rest of defaultdict( … ): the factory and the dict. */
static bool pytree__lit_default(pytree__lit_parser *p, int type)
{
    size_t name = PYTREE__LIT_NONE;
    pytree__lit_container *c;
    if (pytree__lit_skip(p, '<')) {
        if (!pytree__lit_skip_word(p, "class")) { return pytree__lit_expected(p, p->at, "class"); }
        if (!pytree__lit_is_quote(pytree__lit_peek(p))) {
            return pytree__lit_expected(p, p->at, "the name of the factory in quotes");
        }
        if (!pytree__lit_string(p, &name) || !pytree__lit_need(p, '>')) { return false; }
    } else if (!pytree__lit_skip_word(p, "None") && !pytree__lit_skip_word(p, "null")) {
        return pytree__lit_expected(p, p->at, "<class '...'> or None");
    }
    if (!pytree__lit_need(p, ',') || !pytree__lit_need(p, '{')) { return false; }
    c = pytree__lit_begin(p, type, PYTREE__LIT_BRACES, '}', true);
    if (c == NULL) { return false; }
    c->name = name;
    return true;
}

static bool pytree__lit_push_bool(pytree__lit_parser *p, bool truth)
{
    uint64_t value = 0;
    memcpy(&value, &truth, sizeof truth);
    p->n_cells++;
    return pytree__lit_push(p, PYTREE__T_bool_, value);
}

/* Parse a constant, or a name and its arguments. */
static bool pytree__lit_named(pytree__lit_parser *p)
{
    const char *word = p->at;
    size_t n = pytree__word(word, (size_t)(p->end - word)), name;
    const pytree_type *container;
    pytree__lit_container *c;
    pytree__lit_number x;
    int type;
    if (n == 0) { return pytree__lit_expected(p, word, "a value"); }
    p->at += n;
    if (!pytree__lit_skip(p, '(')) {
        p->at = word + n;
        if (pytree__lit_is(word, n, "None", "null")) { return pytree__lit_push(p, PYTREE__T_none, 0); }
        if (pytree__lit_is(word, n, "True", "true")) { return pytree__lit_push_bool(p, true); }
        if (pytree__lit_is(word, n, "False", "false")) { return pytree__lit_push_bool(p, false); }
        p->at = word;
        return pytree__lit_scan_word(&x, word, p->end) ? pytree__lit_plain_number(p)
            : pytree__lit_expected(p, word, "a value (strings are in quotes)");
    }
    container = pytree__type_of_word(word, n);
    if (container != NULL) {
        type = (int)(container - pytree_types);
        return pytree__traits(container)->meta == PYTREE__META_FACTORY ? pytree__lit_default(p, type)
                                                                       : pytree__lit_wrapped(p, type);
    }
    type = pytree__lit_type_of(word, n);
    if (type != 0) { return pytree__lit_typed(p, type); }
    if (!pytree__lit_name(p, word, n, &name)) { return false; }
    c = pytree__lit_begin(p, PYTREE__T_namedtuple, PYTREE__LIT_FIELDS, ')', false);
    if (c == NULL) { return false; }
    c->name = name;
    return true;
}

/* Parse a leaf or None, or open a container. */
PYTREE__INLINE bool pytree__lit_value(pytree__lit_parser *p)
{
    char c = pytree__lit_peek(p);
    pytree__lit_number x;
    size_t where;
    if (pytree__lit_digit(c)) { return pytree__lit_plain_number(p); }
    switch (c) {
    case '\'':
    case '"':
        p->n_cells++;
        return pytree__lit_string(p, &where) && pytree__lit_push(p, PYTREE__T_string, where);
    case '-':
    case '.': return pytree__lit_plain_number(p);
    case '[': p->at++; return pytree__lit_begin(p, PYTREE__T_list, PYTREE__LIT_ITEMS, ']', false) != NULL;
    case '{': p->at++; return pytree__lit_begin(p, PYTREE__T_dict, PYTREE__LIT_BRACES, '}', false) != NULL;
    case '(':
        if (pytree__lit_scan(&x, p->at + 1, p->end) && x.end < p->end && (*x.end == '+' || *x.end == '-')) {
            return pytree__lit_plain_complex(p);
        }
        p->at++;
        return pytree__lit_begin(p, PYTREE__T_tuple, PYTREE__LIT_ITEMS, ')', false) != NULL;
    default: return pytree__lit_named(p);
    }
}

static bool pytree__lit_all(pytree__lit_parser *p)
{
    int next = PYTREE__LIT_VALUE;
    while (next == PYTREE__LIT_VALUE) {
        if (!pytree__lit_value(p)) { return false; }
        for (next = PYTREE__LIT_DONE; p->open.n != 0 && next == PYTREE__LIT_DONE;) { next = pytree__lit_between(p); }
        if (next == PYTREE__LIT_WRONG) { return false; }
    }
    (void)pytree__lit_peek(p);
    if (p->at == p->end) { return true; }
    return pytree__lit_expected(p, p->at, "the end");
}

#include "literal_tree.h"
#endif
