/* pytree/impl/literal_container.h: parsing literals: containers and values. */
#ifndef PYTREE_IMPL_LITERAL_CONTAINER_H
#define PYTREE_IMPL_LITERAL_CONTAINER_H

#include "literal_leaf.h"

/* ---- Parse: containers --------------------------------------------------------------------------------------------- */

/* Write the container that opens, and take room for its contents. */
static void pytree__lit_make(pytree__lit_parser *p, const pytree_type *type, unsigned form, size_t name)
{
    pytree_items *items = p->items + p->n_containers;
    size_t count;
    memcpy(&count, p->counted + p->n_containers * sizeof count, sizeof count);
    memset(items, 0, sizeof *items);
    items->count = count;
    items->maxlen = pytree__traits(type)->meta == PYTREE__META_MAXLEN ? PYTREE_UNBOUNDED : 0;
    if (name != PYTREE__LIT_NONE) { items->name = p->texts + name; }
    p->slot->type = type;
    p->slot->data = items;
    if (form == PYTREE__LIT_ITEMS) {
        items->items = (const pytree *)(const void *)p->pieces;
        p->pieces += count * sizeof(pytree);
        return;
    }
    items->pairs = (const pytree_pair *)(const void *)p->pieces;
    p->pieces += count * sizeof(pytree_int_pair);
    if (pytree__traits(type)->order == PYTREE__ORDER_SORTED) {
        items->order = (const uint32_t *)(const void *)p->pieces;
        items->sorted = true;
        p->pieces += (count + count % 2) * sizeof(uint32_t);
    }
}

/* Open a container, unless it ends at once. `name`: its place among the strings, or PYTREE__LIT_NONE. */
static bool pytree__lit_begin(pytree__lit_parser *p, int type, unsigned form, char close, bool wrapped, size_t name)
{
    char *const slot = p->pieces;
    pytree__lit_open *o;
    if (p->pass == PYTREE__LIT_MAKE) {
        pytree__lit_make(p, &pytree_types[type], form, name);
    } else if (p->pass == PYTREE__LIT_COUNT) {
        const size_t none = 0;
        char *count = (char *)pytree__lit_more(p, &p->counts, sizeof none);
        if (count == NULL) { return false; }
        memcpy(count, &none, sizeof none);
    }
    p->n_containers++;
    if (p->at < p->end && *p->at == close && !wrapped) {
        p->at++;
        return true;
    }
    o = (pytree__lit_open *)pytree__lit_more(p, &p->open, sizeof *o);
    if (o == NULL) { return false; }
    o->container = p->n_containers - 1;
    o->count = 0;
    o->slot = slot;
    o->type = (unsigned char)type;
    o->form = (unsigned char)form;
    o->close = close;
    o->wrapped = wrapped;
    o->numbered = false;
    if (p->open.n > p->most_open) { p->most_open = p->open.n; }
    return true;
}

/* Check that the keys of the container that ends are distinct, and write the order of a dict. */
static bool pytree__lit_order(pytree__lit_parser *p, const pytree__lit_open *o, const pytree_items *items)
{
    const pytree_pair *pairs = items->pairs;
    const pytree_int_pair *int_pairs = items->int_pairs;
    uint32_t *order = (uint32_t *)(uintptr_t)items->order;
    const size_t n = o->count;
    struct pytree__sorting *sorting;
    size_t i;
    for (i = 1; i < n; i++) {
        if (o->numbered ? int_pairs[i - 1].key >= int_pairs[i].key : strcmp(pairs[i - 1].key, pairs[i].key) >= 0) { break; }
    }
    if (i >= n) {
        for (i = 0; order != NULL && i < n; i++) { order[i] = (uint32_t)i; }
        return true;
    }
    p->sorting.n = 0;
    sorting = (struct pytree__sorting *)pytree__lit_more(p, &p->sorting, pytree__times(n, sizeof *sorting));
    if (sorting == NULL) { return false; }
    for (i = 0; i < n; i++) {
        sorting[i].key = o->numbered ? NULL : pairs[i].key;
        sorting[i].rank = o->numbered ? (uint64_t)int_pairs[i].key ^ UINT64_C(1) << 63 : pytree__key_prefix64(pairs[i].key);
        sorting[i].at = (uint32_t)i;
    }
    pytree__sort_keys(sorting, n);
    for (i = 1; i < n; i++) {
        const uint32_t a = sorting[i - 1].at, b = sorting[i].at;
        if (pytree__by_key(&sorting[i - 1], &sorting[i]) == 0) {
            p->repeats = true;
            p->repeats_in = o->container;
            p->repeated = a > b ? a : b;
            return false;
        }
    }
    for (i = 0; order != NULL && i < n; i++) { order[i] = sorting[i].at; }
    return true;
}

/* Parse , maxlen=3. *maxlen stays as it is if there is none. */
static bool pytree__lit_maxlen(pytree__lit_parser *p, size_t count, size_t *maxlen)
{
    const char *start;
    uint64_t most;
    char expected[64];
    if (!pytree__lit_skip(p, ',') || pytree__lit_peek(p) == ')') { return true; }
    if (!pytree__lit_skip_word(p, "maxlen")) { return pytree__lit_expected(p, p->at, "maxlen="); }
    if (!pytree__lit_need(p, '=')) { return false; }
    if (pytree__lit_skip_word(p, "None")) {
        (void)pytree__lit_skip(p, ',');
        return true;
    }
    start = p->at;
    if (!pytree__lit_integer(p, &pytree_types[PYTREE__T_UINT64], &most)) { return false; }
    (void)snprintf(expected, sizeof expected, "a maxlen of at least %zu, as many as there are", count);
    if (most < count) { return pytree__lit_expected(p, start, expected); }
    if (most >= SIZE_MAX) { return pytree__lit_expected(p, start, "a maxlen that fits"); }
    *maxlen = (size_t)most;
    (void)pytree__lit_skip(p, ',');
    return true;
}

/* Parse what follows the contents of OrderedDict( … ), deque( … ) and the like. */
static bool pytree__lit_unwrap(pytree__lit_parser *p, const pytree__lit_open *o)
{
    size_t maxlen = PYTREE_UNBOUNDED;
    if (pytree__traits(&pytree_types[o->type])->meta != PYTREE__META_MAXLEN) {
        (void)pytree__lit_skip(p, ',');
    } else if (!pytree__lit_maxlen(p, o->count, &maxlen)) {
        return false;
    } else if (p->pass == PYTREE__LIT_MAKE) {
        p->items[o->container].maxlen = maxlen;
    }
    return pytree__lit_need(p, ')');
}

/* Count the container that ends, or finish it. */
static bool pytree__lit_end(pytree__lit_parser *p, const pytree__lit_open *o)
{
    const bool keyed = o->form != PYTREE__LIT_ITEMS;
    if (p->pass == PYTREE__LIT_MAKE) {
        pytree_items *items = p->items + o->container;
        if (o->numbered) {
            items->int_pairs = (const pytree_int_pair *)(const void *)items->pairs;
            items->pairs = NULL;
        }
        return !keyed || pytree__lit_order(p, o, items);
    }
    if (p->pass == PYTREE__LIT_SEEK) { return true; }
    memcpy(p->counts.at + o->container * sizeof o->count, &o->count, sizeof o->count);
    if (keyed) {
        p->n_pairs += o->count;
        if (pytree__traits(&pytree_types[o->type])->order == PYTREE__ORDER_SORTED) { p->n_places += o->count + o->count % 2; }
        if (o->count > UINT32_MAX / 2) { return pytree__lit_expected(p, p->at, "fewer keys"); }
    } else {
        p->n_items += o->count;
    }
    return true;
}

/* Close the innermost container. */
static bool pytree__lit_close(pytree__lit_parser *p)
{
    const pytree__lit_open *o = pytree__lit_top(p);
    if (!pytree__lit_end(p, o)) { return false; }
    if (PYTREE__UNLIKELY(o->wrapped) && !pytree__lit_unwrap(p, o)) { return false; }
    p->open.n -= sizeof *o;
    return true;
}

/* Write the key of the next pair, whose value follows. */
static bool pytree__lit_put_key(pytree__lit_parser *p, pytree__lit_open *o, const char *at, size_t name, int64_t number)
{
    if (p->pass == PYTREE__LIT_COUNT) { return true; }
    if (p->pass == PYTREE__LIT_SEEK) {
        if (o->container != p->repeats_in || o->count != p->repeated) { return true; }
        return pytree__lit_expected(p, at, o->form == PYTREE__LIT_FIELDS ? "each field once" : "each key once");
    }
    if (o->numbered) {
        pytree_int_pair *pair = (pytree_int_pair *)(void *)o->slot;
        pair->key = number;
        p->slot = &pair->value;
        o->slot = (char *)(pair + 1);
    } else {
        pytree_pair *pair = (pytree_pair *)(void *)o->slot;
        pair->key = p->texts + name;
        p->slot = &pair->value;
        o->slot = (char *)(pair + 1);
    }
    return true;
}

/* Parse a key: 'k': or 3: or, in parentheses, 'k', or x= of a namedtuple. */
static bool pytree__lit_key_of(pytree__lit_parser *p, pytree__lit_open *o)
{
    size_t name = 0;
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
        return pytree__lit_put_key(p, o, at, pytree__lit_name(p, at, n), 0) && pytree__lit_need(p, '=');
    }
    if (pytree__lit_is_quote(first)) {
        if (o->count != 0 && o->numbered) { return pytree__lit_expected(p, at, "an integer, as the keys before"); }
        if (!pytree__lit_string(p, &name)) { return false; }
    } else if (pytree__lit_digit(first) || first == '-') {
        if (o->count != 0 && !o->numbered) { return pytree__lit_expected(p, at, "a string in quotes, as the keys before"); }
        o->numbered = true;
        if (!pytree__lit_int64(p, &number)) { return false; }
    } else {
        return pytree__lit_expected(p, at, o->count == 0 && o->form == PYTREE__LIT_BRACES
                                               ? "'}' or a key (a string in quotes or an integer)"
                                               : "a key (a string in quotes or an integer)");
    }
    return pytree__lit_put_key(p, o, at, name, number) && pytree__lit_need(p, o->form == PYTREE__LIT_PAIRS ? ',' : ':');
}

enum { PYTREE__LIT_WRONG, PYTREE__LIT_VALUE, PYTREE__LIT_DONE };

/* Parse what separates items of the innermost container: either a value follows, or it ends. */
PYTREE__INLINE int pytree__lit_between(pytree__lit_parser *p)
{
    pytree__lit_open *o = pytree__lit_top(p);
    char c = pytree__lit_peek(p), expected[12];
    bool comma = false;
    if (PYTREE__LIKELY(o->count != 0)) {
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
    if (o->form == PYTREE__LIT_ITEMS) {
        pytree__lit_next_item(p, o);
    } else {
        if (!pytree__lit_key_of(p, o)) { return PYTREE__LIT_WRONG; }
        o->count++;
    }
    return PYTREE__LIT_VALUE;
}

/* ---- Parse: values ------------------------------------------------------------------------------------------------- */

/* Parse the rest of OrderedDict( … ) or deque( … ); the argument may be omitted for an empty container. */
static bool pytree__lit_wrapped(pytree__lit_parser *p, int type)
{
    char c = pytree__lit_peek(p);
    const bool deque = !pytree__keyed(&pytree_types[type]);
    const unsigned form = deque ? PYTREE__LIT_ITEMS : c == '[' ? PYTREE__LIT_PAIRS : PYTREE__LIT_BRACES;
    if (c == ')') { return pytree__lit_begin(p, type, form, c, false, PYTREE__LIT_NONE); }
    if (c != '[' && (deque || c != '{')) { return pytree__lit_expected(p, p->at, deque ? "'[' or ')'" : "'{', '[' or ')'"); }
    p->at++;
    return pytree__lit_begin(p, type, form, c == '{' ? '}' : ']', true, PYTREE__LIT_NONE);
}

/* Parse the rest of defaultdict( … ): the factory and the dict. */
static bool pytree__lit_default(pytree__lit_parser *p, int type)
{
    size_t name = PYTREE__LIT_NONE;
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
    return pytree__lit_begin(p, type, PYTREE__LIT_BRACES, '}', true, name);
}

static bool pytree__lit_bool(pytree__lit_parser *p, bool truth)
{
    pytree__lit_cell(p, PYTREE__T_bool_, &truth, sizeof truth);
    return true;
}

static bool pytree__lit_none(pytree__lit_parser *p)
{
    p->slot->type = &pytree_types[PYTREE__T_none];
    p->slot->data = NULL;
    return true;
}

/* Skip a constant of n letters, written either way, if it is at once clear that no more belongs to it. */
PYTREE__INLINE bool pytree__lit_skip_constant(pytree__lit_parser *p, const char *python, const char *json, size_t n)
{
    const char *at = p->at;
    if ((size_t)(p->end - at) <= n || (memcmp(at, python, n) != 0 && memcmp(at, json, n) != 0)) { return false; }
    at += n;
    if (*at != ',' && *at != ']' && *at != '}' && *at != ')') { return false; }
    p->at = at;
    return true;
}

/* Parse a constant, or a name and its arguments. */
static bool pytree__lit_named(pytree__lit_parser *p)
{
    const char *word = p->at;
    pytree__lit_number x;
    size_t n;
    int type;
    if (pytree__lit_skip_constant(p, "None", "null", 4)) { return pytree__lit_none(p); }
    if (pytree__lit_skip_constant(p, "True", "true", 4)) { return pytree__lit_bool(p, true); }
    if (pytree__lit_skip_constant(p, "False", "false", 5)) { return pytree__lit_bool(p, false); }
    n = pytree__word(word, (size_t)(p->end - word));
    if (n == 0) { return pytree__lit_expected(p, word, "a value"); }
    p->at += n;
    if (!pytree__lit_skip(p, '(')) {
        p->at = word + n;
        if (pytree__lit_is(word, n, "None", "null")) { return pytree__lit_none(p); }
        if (pytree__lit_is(word, n, "True", "true")) { return pytree__lit_bool(p, true); }
        if (pytree__lit_is(word, n, "False", "false")) { return pytree__lit_bool(p, false); }
        p->at = word;
        return pytree__lit_scan_word(&x, word, p->end) ? pytree__lit_long_number(p)
            : pytree__lit_expected(p, word, "a value (strings are in quotes)");
    }
    type = pytree__lit_type_before(p, word, n);
    if (type >= PYTREE__T_list) {
        return pytree__traits(&pytree_types[type])->meta == PYTREE__META_FACTORY ? pytree__lit_default(p, type)
                                                                                 : pytree__lit_wrapped(p, type);
    }
    if (type != 0) { return pytree__lit_typed(p, type); }
    return pytree__lit_begin(p, PYTREE__T_namedtuple, PYTREE__LIT_FIELDS, ')', false, pytree__lit_name(p, word, n));
}

/* Parse a leaf or None, or open a container. */
PYTREE__INLINE bool pytree__lit_value(pytree__lit_parser *p)
{
    char c = pytree__lit_peek(p);
    const char *s;
    size_t where;
    if (pytree__lit_digit(c)) { return pytree__lit_numbers(p); }
    switch (c) {
    case '\'':
    case '"':
        if (!pytree__lit_string(p, &where)) { return false; }
        s = pytree__lit_text(p, where);
        pytree__lit_cell(p, PYTREE__T_string, &s, sizeof s);
        return true;
    case '-':
    case '.': return pytree__lit_numbers(p);
    case '[': p->at++; return pytree__lit_begin(p, PYTREE__T_list, PYTREE__LIT_ITEMS, ']', false, PYTREE__LIT_NONE);
    case '{': p->at++; return pytree__lit_begin(p, PYTREE__T_dict, PYTREE__LIT_BRACES, '}', false, PYTREE__LIT_NONE);
    case '(':
        if (pytree__lit_is_complex(p)) { return pytree__lit_plain_complex(p); }
        p->at++;
        return pytree__lit_begin(p, PYTREE__T_tuple, PYTREE__LIT_ITEMS, ')', false, PYTREE__LIT_NONE);
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
