/* pytree/impl/treedef_parse.h: parsing the text of a treedef into nodes. */
#ifndef PYTREE_IMPL_TREEDEF_PARSE_H
#define PYTREE_IMPL_TREEDEF_PARSE_H

#include "treedef_scan.h"

static pytree__td_opened *pytree__td_parse_open(pytree__td_parser *p, const pytree_type *type, char close)
{
    pytree__td_opened *o;
    void *grown = pytree__array_grow(p->open, &p->max, p->n + 1, sizeof *p->open, pytree__allocator(p->m.opt), p->m.err);
    if (grown == NULL) { return NULL; }
    p->open = (pytree__td_opened *)grown;
    o = &p->open[p->n++];
    o->type = type;
    o->held = p->held.n;
    o->count = 0;
    o->wanted = SIZE_MAX;
    o->keys = 0;
    o->numbered = false;
    o->close = close;
    o->wrapped = false;
    return o;
}

/* Find a type by name in the current namespace, either among namedtuples or among the others. Return NULL if there is none. */
static const pytree_type *pytree__td_find_type(const pytree_type *const *types, size_t n, const char *space, const char *name,
                                               size_t length, bool namedtuple)
{
    size_t i;
    for (i = 0; i < n && types != NULL; i++) {
        const pytree_type *type = types[i] == NULL ? NULL : pytree__in_space(pytree__origin(types[i]), space);
        const bool fits = type == NULL ? false : namedtuple ? pytree__traits(type)->meta == PYTREE__META_NAME
            : pytree__has_rows(type) || type->kind == PYTREE_KIND_CUSTOM;
        if (fits && strlen(type->name) == length && memcmp(type->name, name, length) == 0) { return type; }
    }
    if (namedtuple || length != strlen(pytree_same.name) || memcmp(pytree_same.name, name, length) != 0) { return NULL; }
    return &pytree_same;
}

/* Parse the name of a type and find it. Return NULL with an error if there is none. */
static const pytree_type *pytree__td_parse_type(pytree__td_parser *p, bool namedtuple)
{
    const pytree_type *type;
    size_t n;
    pytree__td_space(p);
    n = strcspn(p->at, "[]()'\" \t\r\n");
    if (n == 0) {
        (void)pytree__td_unexpected(p, "the name of a type");
        return NULL;
    }
    type = pytree__td_find_type(p->types, p->n_types, p->space, p->at, n, namedtuple);
    if (type == NULL) {
        (void)pytree__td_expected(p, p->at, PYTREE_NOT_FOUND, namedtuple ? "one of the given namedtuples"
                                  : "OrderedDict, defaultdict, namedtuple or one of the given structs");
    } else {
        p->at += n;
    }
    return type;
}

/* Parse a key of a dict and pack it into `held`: a string or a number, all of one kind. */
static bool pytree__td_parse_key(pytree__td_parser *p, pytree__td_opened *o, const char *expected)
{
    const uint32_t mark = PYTREE__NUMBER_KEY;
    const bool first = o->keys++ == 0;
    pytree__td_space(p);
    if (first) { o->numbered = *p->at == '-' || (*p->at >= '0' && *p->at <= '9'); }
    if (!o->numbered) { return pytree__td_parse_string(p, expected); }
    if (*p->at == '\'' || *p->at == '"') { return pytree__td_unexpected(p, "a number like the keys before"); }
    return pytree__td_hold(p, &mark, sizeof mark) && pytree__td_parse_integer(p, &pytree_types[PYTREE__T_llong]);
}

/* Parse a list of keys: ('b', 'a'). */
static bool pytree__td_parse_keys(pytree__td_parser *p, pytree__td_opened *o)
{
    if (!pytree__td_need(p, "(")) { return false; }
    for (o->wanted = 0; !pytree__td_skip(p, ")"); o->wanted++) {
        if (o->wanted > 0 && !pytree__td_need(p, ",")) { return false; }
        if (o->wanted == 1 && pytree__td_skip(p, ")")) { break; }
        if (!pytree__td_parse_key(p, o, "a key in quotes")) { return false; }
    }
    return true;
}

/* Parse a factory: None, <class 'int'>, <function f at 0x1>, up to the next comma. */
static bool pytree__td_parse_factory(pytree__td_parser *p)
{
    const char *end, *begin;
    if (pytree__td_skip(p, "None")) {
        return pytree__td_add_text(&p->held, NULL, 0, p->m.opt, p->m.err) && pytree__td_need(p, ",");
    }
    if (pytree__td_skip(p, "<class '")) {
        begin = p->at;
        end = *begin == '<' ? NULL : strstr(begin, "'>,");
        p->at = end == NULL ? begin : end + 3;
    } else {
        pytree__td_space(p);
        begin = p->at;
        end = *begin != '<' ? NULL : strstr(begin, ">,");
        if (end != NULL) { p->at = ++end + 1; }
    }
    if (end == NULL) { return pytree__td_unexpected(p, "None, or a factory such as <class 'int'>"); }
    return pytree__td_add_text(&p->held, begin, (size_t)(end - begin), p->m.opt, p->m.err);
}

/* Parse the metadata of a pytree_same: a number of 32 bits, packed with the least significant byte first. */
static bool pytree__td_parse_same(pytree__td_parser *p)
{
    const uint32_t size = sizeof(int32_t);
    const unsigned char keyed = 0;
    if (!pytree__td_hold(p, &size, sizeof size) || !pytree__td_parse_integer(p, &pytree_types[PYTREE__T_INT32])) {
        return false;
    }
    pytree__td_little(p->held.at + p->held.n - size, size);
    return pytree__td_hold(p, &keyed, 1);
}

/* Parse the metadata of a custom node whose type does not print it: b'\x01\xff'. */
static bool pytree__td_parse_metadata(pytree__td_parser *p, const pytree_type *type, const char *name)
{
    static const char hex[] = "0123456789abcdef";
    const size_t start = p->held.n;
    const unsigned char keyed = 0;
    uint32_t size = 0;
    if (type == &pytree_same) { return pytree__td_parse_same(p); }
    if (type->custom->print != NULL || type->custom->keyed) {
        return pytree__td_expected(p, name, PYTREE_TYPE, "a type whose text says all of it (one that prints its metadata, "
                                   "or has keys, can only be loaded)");
    }
    if (!pytree__td_hold(p, &size, sizeof size)) { return false; }
    if (type->custom->metadata == NULL) { return pytree__td_need(p, "None") && pytree__td_hold(p, &keyed, 1); }
    if (!pytree__td_need(p, "b'")) { return false; }
    for (; *p->at != '\''; size++) {
        const char *high = p->at[0] == '\\' && p->at[1] == 'x' && p->at[2] != '\0' ? strchr(hex, p->at[2]) : NULL;
        const char *low = high != NULL && p->at[3] != '\0' ? strchr(hex, p->at[3]) : NULL;
        unsigned char byte;
        if (low == NULL) { return pytree__td_unexpected(p, "a byte such as \\x1f, or '"); }
        byte = (unsigned char)((high - hex) << 4 | (low - hex));
        if (!pytree__td_hold(p, &byte, 1)) { return false; }
        p->at += 4;
    }
    p->at++;
    memcpy(p->held.at + start, &size, sizeof size);
    return pytree__td_hold(p, &keyed, 1);
}

/* Parse the part between CustomNode( and the children: OrderedDict[('b', 'a')], namedtuple[Point], Linear[(2, 3)]. `form`: of
 * the static values. */
static bool pytree__td_parse_custom(pytree__td_parser *p, int form)
{
    pytree__td_opened *o = pytree__td_parse_open(p, NULL, ']');
    const pytree_type *type;
    const char *name;
    size_t i;
    if (o == NULL) { return false; }
    o->wrapped = true;
    if (pytree__td_skip(p, "OrderedDict[")) {
        o->type = &pytree_types[PYTREE__T_odict];
        if (!pytree__td_parse_keys(p, o)) { return false; }
    } else if (pytree__td_skip(p, "defaultdict[")) {
        o->type = &pytree_types[PYTREE__T_defaultdict];
        if (!pytree__td_need(p, "(") || !pytree__td_parse_factory(p) || !pytree__td_parse_keys(p, o)
            || !pytree__td_need(p, ")")) {
            return false;
        }
    } else if (pytree__td_skip(p, "namedtuple[")) {
        o->type = &pytree_types[PYTREE__T_namedtuple];
        type = pytree__td_parse_type(p, true);
        if (type == NULL || !pytree__td_add_text(&p->held, type->name, strlen(type->name), p->m.opt, p->m.err)) {
            return false;
        }
        o->wanted = type->n_fields;
        for (i = 0; i < o->wanted; i++) {
            const char *field = type->fields[i].name;
            if (!pytree__td_add_text(&p->held, field, strlen(field), p->m.opt, p->m.err)) { return false; }
        }
    } else {
        pytree__td_space(p);
        name = p->at;
        type = pytree__td_parse_type(p, false);
        if (type == NULL || !pytree__td_need(p, "[")) { return false; }
        o->type = type;
        if (type->kind == PYTREE_KIND_STRUCT) { o->wanted = type->n_children; }
        if (type->kind == PYTREE_KIND_STRUCT ? !pytree__td_parse_statics(p, type, form)
            : !pytree__td_parse_metadata(p, type, name)) {
            return false;
        }
    }
    return pytree__td_need(p, "]") && pytree__td_need(p, ",") && pytree__td_need(p, "[");
}

/* Parse maxlen=3 of a deque. */
static bool pytree__td_parse_maxlen(pytree__td_parser *p, const pytree__td_opened *o)
{
    const size_t start = p->held.n;
    const char *at;
    uint64_t maxlen;
    if (!pytree__td_need(p, "maxlen") || !pytree__td_need(p, "=")) { return false; }
    pytree__td_space(p);
    at = p->at;
    if (!pytree__td_parse_integer(p, &pytree_types[PYTREE__T_ullong])) { return false; }
    memcpy(&maxlen, p->held.at + start, sizeof maxlen);
    p->held.n = start;
    memcpy(p->held.at + o->held, &maxlen, sizeof maxlen);
    if (maxlen >= o->count && maxlen < SIZE_MAX) { return true; }
    return pytree__td_expected(p, at, PYTREE_SYNTAX, "a maximum length that the children do not exceed");
}

/* Append the node whose children are complete. `at`: where it ends in the text. */
static bool pytree__td_parse_close(pytree__td_parser *p, const char *at)
{
    const pytree__td_opened *o = &p->open[--p->n];
    size_t meta = p->m.statics.n, names = meta, n = p->held.n - o->held;
    const unsigned char *twice = NULL;
    if (o->wanted != SIZE_MAX && o->count != o->wanted) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%zu children, after %zu", o->wanted, o->count);
        return pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
    }
    if (n > 0 && !pytree__td_add(&p->m.statics, p->held.at + o->held, n, p->m.opt, p->m.err)) { return false; }
    p->held.n = o->held;
    if (!pytree__keyed(o->type)) { return pytree__td_push(&p->m, o->type, o->count, meta); }
    if (pytree__is_named(o->type)) {
        names = (size_t)(pytree__skip_strings(p->m.statics.at + names, 1) - p->m.statics.at);
    }
    if (pytree__td_push_named(&p->m, o->type, o->count, meta, names, &twice) == PYTREE_OK) { return true; }
    return twice == NULL ? false : pytree__td_expected(p, at, PYTREE_SYNTAX, "different keys before this");
}

/* Parse the name of a field: x= */
static bool pytree__td_parse_field(pytree__td_parser *p)
{
    size_t n;
    pytree__td_space(p);
    n = pytree__word(p->at, SIZE_MAX);
    if (n == 0) { return pytree__td_unexpected(p, "the name of a field"); }
    if (!pytree__td_add_text(&p->held, p->at, n, p->m.opt, p->m.err)) { return false; }
    p->at += n;
    return pytree__td_need(p, "=");
}

enum { PYTREE__TD_WRONG, PYTREE__TD_VALUE, PYTREE__TD_DONE };

/* Parse what separates children of the innermost node: either a value follows, or the node ends. */
static int pytree__td_parse_between(pytree__td_parser *p)
{
    pytree__td_opened *o = &p->open[p->n - 1];
    const bool tuple = pytree__treedef_text(o->type)->one != NULL;       /* of one child: (*,) */
    const bool first = o->count == 0, comma = !first && pytree__td_skip(p, ","), one = tuple && o->count == 1;
    char expected[24];
    pytree__td_space(p);
    if (*p->at == o->close && comma == one) {
        const char *at = p->at++;
        const bool deque = pytree__traits(o->type)->meta == PYTREE__META_MAXLEN;
        const bool ended = (!deque || !pytree__td_skip(p, ",") || pytree__td_parse_maxlen(p, o))
            && (!o->wrapped || pytree__td_need(p, ")"));
        return ended && pytree__td_parse_close(p, at) ? PYTREE__TD_DONE : PYTREE__TD_WRONG;
    }
    if (!first && !comma) {
        (void)snprintf(expected, sizeof expected, one ? "','" : "',' or '%c'", o->close);
        (void)pytree__td_unexpected(p, expected);
        return PYTREE__TD_WRONG;
    }
    if (o->close == '}' && (!pytree__td_parse_key(p, o, first ? "a key in quotes or '}'" : "a key in quotes")
                            || !pytree__td_need(p, ":"))) {
        return PYTREE__TD_WRONG;
    }
    if (o->close == ')' && !tuple && !pytree__td_parse_field(p)) { return PYTREE__TD_WRONG; }
    o->count++;
    return PYTREE__TD_VALUE;
}

/* Parse a container that optree writes by name: OrderedDict({…}), defaultdict(<class 'int'>, {…}), Point(x=…); and deque([…],
 * maxlen=3), which JAX's notation does not have. The name of a namedtuple has n bytes; the parenthesis stands behind it. */
static bool pytree__td_parse_word(pytree__td_parser *p, size_t n)
{
    const uint64_t unbounded = UINT64_MAX;
    pytree__td_opened *o;
    const char *name = p->at;
    const pytree_type *type = pytree__type_of_word(name, n);
    p->at += n + 1;
    if (type != NULL && pytree__traits(type)->meta == PYTREE__META_MAXLEN) {
        o = pytree__td_parse_open(p, type, ']');
        if (o == NULL || !pytree__td_hold(p, &unbounded, sizeof unbounded)) { return false; }
        o->wrapped = true;
        if (pytree__td_skip(p, "[")) { return true; }
        pytree__td_space(p);              /* deque(), deque(maxlen=3) */
        return (*p->at == ')' || pytree__td_parse_maxlen(p, o)) && pytree__td_need(p, ")") && pytree__td_parse_close(p, p->at);
    }
    if (type != NULL) {
        const bool factory = pytree__traits(type)->meta == PYTREE__META_FACTORY;
        if (!factory && pytree__td_skip(p, ")")) { return pytree__td_push(&p->m, type, 0, p->m.statics.n); }
        o = pytree__td_parse_open(p, type, '}');
        if (o == NULL) { return false; }
        o->wrapped = true;
        return (!factory || pytree__td_parse_factory(p)) && pytree__td_need(p, "{");
    }
    return pytree__td_parse_open(p, &pytree_types[PYTREE__T_namedtuple], ')') != NULL
        && pytree__td_add_text(&p->held, name, n, p->m.opt, p->m.err);
}

/* Parse a leaf or None, or open a node. */
static bool pytree__td_parse_value(pytree__td_parser *p)
{
    const pytree_type *type;
    size_t n;
    char close;
    pytree__td_space(p);
    if (pytree__td_skip(p, "CustomNode(")) { return pytree__td_parse_custom(p, PYTREE__TD_VALUES); }
    if (pytree__td_skip(p, "CustomTreeNode(")) { return pytree__td_parse_custom(p, PYTREE__TD_PAIRS); }
    type = pytree__type_of_bracket(*p->at, &close);
    if (type != NULL) {
        p->at++;
        return pytree__td_parse_open(p, type, close) != NULL;
    }
    if (pytree__td_skip(p, "*")) { return pytree__td_push(&p->m, NULL, 0, 0); }
    n = pytree__word(p->at, SIZE_MAX);
    if (n == 4 && memcmp(p->at, "None", 4) == 0) {
        if (p->none == NULL) { p->none = p->at; }
        p->at += 4;
        return pytree__td_push(&p->m, &pytree_types[PYTREE__T_none], 0, p->m.statics.n);
    }
    if (n > 0 && p->at[n] == '(') { return pytree__td_parse_word(p, n); }
    return pytree__td_unexpected(p, "*, None, [, (, { or CustomNode(");
}

/* Parse namespace='train') at the end of the text. It must be known first, because types are looked up in it. */
static bool pytree__td_parse_space(pytree__td_parser *p)
{
    return pytree__td_need(p, "namespace") && pytree__td_need(p, "=") && pytree__td_parse_string(p, "a namespace in quotes");
}
static bool pytree__td_find_space(pytree__td_parser *p)
{
    pytree_error *const err = p->m.err;
    const char *at = p->text;
    pytree_error problem;
    bool found = false;
    memset(&problem, 0, sizeof problem);
    p->m.err = &problem;                  /* a missing namespace is no error yet */
    while (!found && problem.status != PYTREE_NO_MEMORY && (at = strstr(at, "namespace")) != NULL) {
        p->at = at++;
        p->held.n = 0;
        memset(&problem, 0, sizeof problem);
        found = pytree__td_parse_space(p) && pytree__td_need(p, ")");
        pytree__td_space(p);
        found = found && *p->at == '\0';
    }
    p->m.err = err;
    p->at = p->text;
    if (problem.status == PYTREE_NO_MEMORY) {
        pytree_fail(err, problem.status, NULL, "%s", problem.message);
        return false;
    }
    if (found && !pytree__td_use_space(&p->m, (const char *)p->held.at + sizeof(uint32_t))) { return false; }
    p->space = p->m.space.n == 0 ? NULL : (const char *)p->m.space.at;
    p->held.n = 0;
    return true;
}

static bool pytree__td_parse_all(pytree__td_parser *p, bool *none_is_leaf)
{
    int next = PYTREE__TD_VALUE;
    bool comma;
    if (!pytree__td_find_space(p) || (!pytree__td_skip(p, "PyTreeSpec") && !pytree__td_need(p, "PyTreeDef"))
        || !pytree__td_need(p, "(")) {
        return false;
    }
    while (next == PYTREE__TD_VALUE) {
        if (!pytree__td_parse_value(p)) { return false; }
        for (next = PYTREE__TD_DONE; p->n > 0 && next == PYTREE__TD_DONE;) { next = pytree__td_parse_between(p); }
        if (next == PYTREE__TD_WRONG) { return false; }
    }
    comma = pytree__td_skip(p, ",");
    if (comma && (p->space == NULL || strncmp(p->at + strspn(p->at, " \t\r\n"), "namespace", 9) != 0)) {
        if (!pytree__td_need(p, "NoneIsLeaf")) { return false; }
        *none_is_leaf = true;
        if (p->none != NULL) { return pytree__td_expected(p, p->none, PYTREE_SYNTAX, "* (with NoneIsLeaf, None is a leaf)"); }
        comma = pytree__td_skip(p, ",");
    }
    if ((comma && !pytree__td_parse_space(p)) || !pytree__td_need(p, ")")) { return false; }
    pytree__td_space(p);
    if (*p->at == '\0') { return true; }
    return pytree__td_unexpected(p, "the end");
}

pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err)
{
    pytree__td_parser p;
    bool good, none_is_leaf = false;
    if (text == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a string, got NULL");
        return NULL;
    }
    memset(&p, 0, sizeof p);
    pytree__td_begin(&p.m, opt, err);
    p.text = p.at = text;
    p.types = types;
    p.n_types = n;
    good = pytree__td_parse_all(&p, &none_is_leaf);
    pytree__array_free(p.held.at, p.held.max, 1, pytree__allocator(opt));
    pytree__array_free(p.open, p.max, sizeof *p.open, pytree__allocator(opt));
    return pytree__td_finish(&p.m, none_is_leaf, good);
}

#include "treedef_save.h"
#endif
