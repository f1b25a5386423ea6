/* Treedefs as bytes: pytree_def_save, pytree_def_load; depth, memory that runs out. */
#define TEST_PRIVATE                       /* sizes of static values, entries as text */
#include "treedef_algebra_shared.h"

/* ---- Structs whose fields hold any tree -------------------------------------------------------------------------------- */

/* Wrap as it was before a row changed its type. */
typedef struct OldWrap { pytree value; const char *label; bool flag; float rate; } OldWrap;

#define PYTREE_STRUCT OldWrap
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, flag) PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

/* Wrap with a row that is longer than what a message says of it. */
typedef struct LongWrap {
    pytree value;
    const char *label;
    bool flag;
    float a_rate_whose_name_is_longer_than_what_a_message_has_room_for_it;
} LongWrap;

#define PYTREE_STRUCT LongWrap
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, flag)                                    \
    PYTREE_FIELD(STATIC, a_rate_whose_name_is_longer_than_what_a_message_has_room_for_it)
#include "pytree_registry.h"

static const pytree_type *known_type(const char *name)
{
    size_t i;
    for (i = 0; i < KNOWN_STRUCTS; i++) {
        if (strcmp(known_types[i]->name, name) == 0) { return known_types[i]; }
    }
    fail_msg("no struct %s", name);
    return NULL;
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------------- */

/* The format is what files have: it must not change. */
static void the_format_is_what_it_was(void **state)
{
    static const unsigned char expected[] = {
        'p', 'y', 't', 'r', 'e', 'e', 'd', 'f', 2, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0,
        0, 1, 4, 2, 0, 0, 0, 2, 0, 0, 0, 'a', 2, 0, 0, 0, 'b',                                  /* {'a': *, 'b': None} */
        0, 3, 1, 0, 0, 0,                                                                       /* (*,) */
        0, 5, 1, 0, 0, 0, 1, 0, 0, 0,                                                           /* an ordered dict, key '' */
        8, 4, 0, 0, 0, 'T', 'a', 'g', 16, 0, 0, 0, 's', 't', 'a', 't', 'i', 'c', ' ', 'n', 'a', 'm', 'e', ' ', 's', 't', 'r',
        3, 0, 0, 0, 'h', 'i',
        7, 0, 0, 0, 0, 0, 0, 0, 0,                                                              /* name NULL */
        6, 4, 0, 0, 0, 'N', 'i', 'l', 0, 0, 0, 0,
        2, 6, 0, 0, 0
    };
    pytree_def *def = must_parse("PyTreeDef([{'a': *, 'b': None}, (*,), CustomNode(OrderedDict[('',)], [*]), "
                                 "CustomNode(Tag[('hi',)], []), "
                                 "CustomNode(Tag[(None,)], []), CustomNode(namedtuple[Nil], [])])");
    size_t size;
    unsigned char *bytes = saved(def, &size), *some;
    (void)state;
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    some = malloc(size + 1);
    assert_non_null(some);
    some[size - 1] = 0x5A;                /* what does not fit is not written */
    assert_int_equal(pytree_def_save(def, some, size - 1, NULL, NULL), size);
    assert_int_equal(some[size - 1], 0x5A);
    free(some);
    free(bytes);
    pytree_def_free(def);
}

/* Numbers in little-endian order, floats as IEEE 754 has them, long doubles in 24 bytes. */
static void numbers_are_saved_in_one_order(void **state)
{
    static const unsigned char truth_to_u16[] = { 1, 'Q', 0x80, 0xFF, 0x00, 0x80, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x80 };
    static const unsigned char wide[] = { 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const unsigned char one_and_half[] = { 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0 };
    Statics s = statics_make();
    pytree_def *def;
    unsigned char *bytes;
    size_t size, at = 20 + 1 + 1 + 4 + strlen("Statics");
    (void)wide;
    (void)state;
    s.wide = -1.5L;
    s.f64 = 1.0;
    def = statics_def(&s, NULL);
    bytes = saved(def, &size);
    assert_int_equal(bytes[at + 2] | bytes[at + 3], 0);
    at += 4 + (size_t)(bytes[at] | bytes[at + 1] << 8) - 1;        /* the rows as text */
    assert_memory_equal(bytes + at, truth_to_u16, sizeof truth_to_u16);
    at += 1 + 1 + 1 + 1 + 2 + 2 + 4 + 4 + 8 + 8 + 4;
    assert_memory_equal(bytes + at, "\0\0\0\0\0\0\xF0\x3F", 8);
    assert_memory_equal(bytes + at + 8, one_and_half, sizeof one_and_half);
    assert_memory_equal(bytes + at + 8 + 24, "\x55\xB5\x9E\x3F", 4);
    free(bytes);
    pytree_def_free(def);
}

static void load_knows_the_structs(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([CustomNode(Wrap[('a', True, 0.5)], [*])])");
    pytree_type old = *PYTREE_TYPE(OldWrap), longer = *PYTREE_TYPE(LongWrap);
    const pytree_type *types[2];
    pytree_error error = { 0 };
    size_t size;
    unsigned char *bytes = saved(def, &size);
    (void)state;
    old.name += 3;
    longer.name += 4;
    types[0] = known_type("Tag");
    types[1] = &old;
    assert_error(load_status(bytes, size, types, 1, &error), PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected struct Wrap among the 1 given types, got no such type");
    memset(&error, 0, sizeof error);
    assert_error(load_status(bytes, size, types, 2, &error), PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected Wrap with the rows that it had when it was saved (static rate f64), "
                        "got other rows (static rate f32)");
    memset(&error, 0, sizeof error);
    types[1] = &longer;
    assert_error(load_status(bytes, size, types, 2, &error), PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected Wrap with the rows that it had when it was saved (static rate f64), "
                        "got other rows (static a_rate_whose_name_is_longer_than_what_a_message_has_room_for_it)");
    memset(&error, 0, sizeof error);
    types[1] = known_type("Wrap");
    assert_ok(load_status(bytes, size, types, 2, &error), &error);
    free(bytes);
    pytree_def_free(def);
}

static void load_says_where(void **state)
{
#define HEAD(flags, nodes) "pytreedf\2\0\0\0" flags "\0\0\0" nodes "\0\0\0"
    static const struct { const char *bytes; size_t size; const char *message; } cases[] = {
        { "", 0, "byte 0: expected a saved treedef, got the end" },
        { "pytreedx\1\0\0\0", 12, "byte 0: expected a saved treedef, got something else" },
        { "pytreedf\1\0\0\0\0\0\0\0\1\0\0\0\0", 21, "byte 8: expected version 2, got something else" },
        { "pytreedf\2\0\0", 11, "byte 11: expected the version, got the end" },
        { HEAD("\10", "\1") "\0", 21, "byte 12: expected known flags, got something else" },
        { HEAD("\0", "\0"), 20, "byte 20: expected one root, got the end" },
        { HEAD("\0", "\2") "\0", 21, "byte 21: expected as many nodes as it says, got the end" },
        { "pytreedf\2\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\0", 21, "byte 21: expected as many nodes as it says, got the end" },
        { HEAD("\0", "\2") "\0\0", 22, "byte 22: expected one root, got the end" },
        { HEAD("\0", "\1") "\0\0", 22, "byte 21: expected the end, got something else" },
        { HEAD("\0", "\1") "\13", 21, "byte 20: expected the kind of a node, got something else" },
        { HEAD("\1", "\1") "\1", 21, "byte 20: expected the kind of a node, got something else" },
        { HEAD("\0", "\1") "\2\1\0\0\0", 25,
          "byte 20: expected a node that has as many children as there are, got something else" },
        { HEAD("\0", "\1") "\2\xFF\xFF\xFF\xFF", 25,
          "byte 20: expected a node that has as many children as there are, got something else" },
        { HEAD("\0", "\1") "\2\1\0\0", 24, "byte 24: expected the number of children, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0", 26, "byte 26: expected the length of a string, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\0\0\0\0", 30, "byte 26: expected a string, got something else" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\3\0\0\0a", 31, "byte 31: expected the bytes of a string, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\xFE\xFF\xFF\xFF" "a", 31, "byte 31: expected the bytes of a string, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\3\0\0\0a\0", 32, "byte 30: expected a string without NUL, got something else" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\2\0\0\0a\2\0\0\0a", 37, "byte 22: expected different keys, got something else" },
        { HEAD("\0", "\1") "\7\0\0\0\0", 25, "byte 21: expected the number of a type that was there, got something else" },
        { HEAD("\0", "\1") "\10\0\0\0\0", 25, "byte 25: expected the name of a type, got the end" },
        { HEAD("\0", "\1") "\10\4\0\0\0Tag", 28, "byte 28: expected the length of a type's rows, got the end" },
        { HEAD("\0", "\1") "\10\4\0\0\0Tag\5\0\0\0abc", 35, "byte 35: expected the rows of a type, got the end" },
        { HEAD("\0", "\2") "\0\4\1\0\0\0\xFF\xFF\xFF\xFF" "\1\0\0\0", 34, "byte 34: expected a number for a key, got the end" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\2\0\0\0b\2\0\0\0a", 37, "byte 22: expected sorted keys, got something else" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\xFF\xFF\xFF\xFF" "\1\0\0\0\0\0\0\0\2\0\0\0a", 44,
          "byte 39: expected a number for a key, got something else" },
        { HEAD("\0", "\3") "\0\0\4\2\0\0\0\2\0\0\0a\xFF\xFF\xFF\xFF" "\1\0\0\0\0\0\0\0", 44,
          "byte 32: expected a string for a key, got something else" },
        { HEAD("\0", "\2") "\0\6\2\0\0\0N\1\0\0\0\xFF\xFF\xFF\xFF" "\1\0\0\0\0\0\0\0", 43,
          "byte 31: expected a string for a key, got something else" },
        { HEAD("\0", "\2") "\0\12\1\0\0\0\0\0\0\0\0\0\0\0", 34,
          "byte 21: expected a deque that is no longer than it may be, got something else" },
        { HEAD("\0", "\2") "\0\12\1\0\0\0\0\0\0\0", 30, "byte 30: expected a maximum length, got the end" },
        { HEAD("\2", "\1") "\0", 21, "byte 21: expected the length of a string, got the end" },
        { HEAD("\2", "\1") "\0\0\0\0\0", 25, "byte 20: expected a string, got something else" },
        { HEAD("\4", "\1") "\0", 21, "byte 21: expected the number of orders, got the end" },
        { HEAD("\4", "\1") "\0\1\0\0\0\0\0\0\0", 29, "byte 25: expected the number of a later dict, got something else" },
        { HEAD("\4", "\1") "\0\1\0\0\0\7\0\0\0", 29, "byte 25: expected the number of a later dict, got something else" },
        { HEAD("\4", "\1") "\0\xFF\xFF\xFF\xFF", 25, "byte 25: expected the number of a node, got the end" },
        { HEAD("\4", "\2") "\0\4\1\0\0\0\2\0\0\0a\1\0\0\0\1\0\0\0", 39, "byte 39: expected an order, got the end" },
        { HEAD("\4", "\2") "\0\4\1\0\0\0\2\0\0\0a\1\0\0\0\1\0\0\0\1\0\0\0", 43,
          "byte 39: expected each place in an order once, got something else" },
        { HEAD("\4", "\3") "\0\0\4\2\0\0\0\2\0\0\0a\2\0\0\0b\1\0\0\0\2\0\0\0\1\0\0\0\1\0\0\0", 53,
          "byte 49: expected each place in an order once, got something else" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        unsigned char *bytes = malloc(cases[i].size + 1);     /* so that reading on is noticed */
        assert_non_null(bytes);
        memcpy(bytes + 1, cases[i].bytes, cases[i].size);
        assert_int_equal(load_status(bytes + 1, cases[i].size, known_types, KNOWN_TYPES, &error), PYTREE_SYNTAX);
        assert_string_equal(error.message, cases[i].message);
        free(bytes);
    }
    {
        pytree_error error = { 0 };
        assert_int_equal(load_status(NULL, 0, NULL, 0, &error), PYTREE_SYNTAX);
    }
}

/* A maximum length of more than 32 bits: whole where a size_t holds it, refused where it does not; never another number. */
static void long_maximum_lengths(void **state)
{
    static const unsigned char bytes[] = HEAD("\0", "\1") "\12\0\0\0\0" "\xFF\xFF\xFF\xFF\1\0\0\0";
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_load(bytes, sizeof bytes - 1, NULL, 0, NULL, &error);
    (void)state;
    if (SIZE_MAX > UINT32_MAX) {
        char *text = def_text(def);
        pytree t = pytree_unflatten(def, 0, NULL, NULL, &error);
        pytree_def *again = pytree_structure(t, NULL, &error);
        assert_ok(error.status, &error);
        assert_string_equal(text, "PyTreeDef(deque(maxlen=8589934591))");
        assert_true(pytree_def_equal(def, again));
        free(text);
        pytree_def_free(again);
        pytree_free(t);
    } else {
        assert_null(def);
        assert_int_equal(error.status, PYTREE_SYNTAX);
        assert_string_equal(error.message,
                            "byte 20: expected a maximum length that this machine can count, got something else");
    }
    pytree_def_free(def);
}

/* How much memory is live at most. */
typedef struct Peak { pytree_allocator allocator; size_t live, peak; } Peak;

static void *peak_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Peak *peak = context;
    peak->live += new_size - old_size;
    if (peak->live > peak->peak) { peak->peak = peak->live; }
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_size);
}

/* Loads; what is accepted must be sound. */
static bool survives(const unsigned char *bytes, size_t size, const pytree_type *const *types, size_t n)
{
    Peak peak = { { peak_resize, NULL }, 0, 0 };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_def *def;
    bool accepted;
    peak.allocator.context = &peak;
    opt.allocator = &peak.allocator;
    def = pytree_def_load(bytes, size, types, n, &opt, &error);
    accepted = def != NULL;
    assert_int_equal(accepted, error.status == PYTREE_OK);
    if (accepted) {
        char *text;
        assert_sound(def);
        text = def_text(def);
        free(text);
    }
    pytree_def_free(def);
    assert_int_equal(peak.live, 0);
    assert_true(peak.peak <= 64 * size + 4096);
    return accepted;
}

/* Every beginning, every byte changed to several others, and parts exchanged at random. */
static void load_survives_broken_bytes(void **state)
{
    static const unsigned char values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x20, 0x7F, 0x80, 0xFE, 0xFF };
    const pytree_type *types[KNOWN_TYPES + 1];
    Statics s = statics_make();
    pytree_def *sample = must_parse(sample_text), *fixed = statics_def(&s, NULL), *both;
    const pytree_def *children[2];
    unsigned char *bytes, *broken;
    size_t size, i, k, accepted = 0;
    uint64_t random = 88172645463325252u;
    (void)state;
    memcpy(types, known_types, sizeof known_types);
    types[KNOWN_TYPES] = PYTREE_TYPE(Statics);
    children[0] = sample;
    children[1] = fixed;
    both = pytree_def_list(2, children, NULL, NULL);
    bytes = saved(both, &size);
    assert_true(survives(bytes, size, types, COUNT_OF(types)));
    for (i = 0; i < size; i++) {
        broken = malloc(i + 1);           /* exactly that much, so that reading on is noticed */
        assert_non_null(broken);
        memcpy(broken + 1, bytes, i);
        assert_false(survives(broken + 1, i, types, COUNT_OF(types)));
        free(broken);
    }
    broken = malloc(size);
    assert_non_null(broken);
    for (i = 0; i < size; i++) {
        memcpy(broken, bytes, size);
        for (k = 0; k < COUNT_OF(values); k++) {
            broken[i] = values[k];
            accepted += survives(broken, size, types, COUNT_OF(types));
        }
    }
    assert_in_range(accepted, 100, size * COUNT_OF(values));  /* texts and numbers may have many values */
    for (i = 0; i < (under_valgrind() ? 300u : SANITIZED ? 4000u : 20000u); i++) {
        memcpy(broken, bytes, size);
        move_about(broken, size, &random);
        (void)survives(broken, size, types, COUNT_OF(types));
    }
    free(broken);
    free(bytes);
    pytree_def_free(both);
    pytree_def_free(fixed);
    pytree_def_free(sample);
}

/* ---- Depth ------------------------------------------------------------------------------------------------------------- */

/* Text of n nodes inside one another, of every kind in turn, with a leaf or None at the bottom. */
static char *deep_text(size_t n, const char *bottom)
{
    static const char *const open[] = { "[", "(", "{'k': ", "CustomNode(Only1[()], [", "CustomNode(OrderedDict[('o',)], [" };
    static const char *const close[] = { "]", ",)", "}", "])", "])" };
    char *text = malloc(n * 40 + 100), *at = text;
    size_t i;
    assert_non_null(text);
    at += sprintf(at, "PyTreeDef(");
    for (i = 0; i < n; i++) { at += sprintf(at, "%s", open[i % 5]); }
    at += sprintf(at, "%s", bottom);
    for (i = n; i-- > 0;) { at += sprintf(at, "%s", close[i % 5]); }
    strcpy(at, ")");
    return text;
}

static pytree_status keep(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    size_t *calls = context;
    (void)result;
    (void)err;
    assert_in_range(pytree_def_num_nodes(part), 1, 2);
    ++*calls;
    return PYTREE_OK;
}

static void deep_treedefs(void **state)
{
    const size_t n = slow_here() ? 20000 : DEEPER_THAN_A_STACK;
    char *text = deep_text(n, "*"), *other_text = deep_text(n, "None");
    pytree_def *def = must_parse(text), *other = must_parse(other_text), *leaf = pytree_def_leaf(NULL, NULL), *made;
    const pytree_def *children[2];
    static const char *const keys[] = { "b", "a" };
    pytree_def_error_list *list;
    pytree_error error = { 0 };
    const char **paths;
    size_t count, calls = 0, length = n / 5 * (3 + 3 + 5 + 2 + 5);
    (void)state;
    assert_int_equal(def->n_nodes, n + 1);
    assert_def(def, text);
    assert_round_trips(def, known_types, KNOWN_TYPES);
    assert_same_def(made = pytree_def_compose(def, leaf, NULL, NULL), def);
    pytree_def_free(made);
    assert_same_def(made = pytree_def_compose(leaf, def, NULL, NULL), def);
    pytree_def_free(made);
    made = pytree_def_compose(def, other, NULL, NULL);
    assert_int_equal(made->n_nodes, 2 * n + 1);
    pytree_def_free(made);
    assert_same_def(made = pytree_def_common_suffix(def, other, NULL, NULL), other);
    pytree_def_free(made);
    assert_same_def(made = pytree_def_transform(def, keep, keep, &calls, NULL, NULL), def);
    assert_int_equal(calls, n + 1);
    pytree_def_free(made);
    children[0] = def;
    children[1] = other;
    made = pytree_def_dict(2, keys, children, NULL, NULL);
    assert_sound(made);
    assert_int_equal(made->n_nodes, 2 * n + 3);
    pytree_def_free(made);
    assert_true(pytree_def_is_prefix(def, other, true, NULL, NULL));
    assert_true(pytree_def_is_suffix(other, def, true, NULL, NULL));
    assert_false(pytree_def_is_prefix(other, def, false, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, NULL, &error);
    assert_non_null(strstr(error.path, "..."));
    list = pytree_def_differences(def, other, NULL, NULL);
    assert_int_equal(list->n, 1);
    assert_int_equal(strlen(list->errors[0].path), length);
    pytree_def_errors_free(list);
    paths = pytree_def_paths(def, NULL, &count, NULL, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(strlen(paths[0]), length);
    pytree_paths_free(paths);
    assert_int_equal(pytree_def_leaf_path(def, 0, NULL, 0), n);
    pytree_def_free(leaf);
    pytree_def_free(def);
    pytree_def_free(other);
    free(text);
    free(other_text);
}

/* Nodes that are opened and never closed. */
static void depth_bombs_end_in_an_error(void **state)
{
    const size_t n = slow_here() ? 20000 : DEEPER_THAN_A_STACK;
    static const char *const bombs[] = { "[", "(", "{'':", "CustomNode(OrderedDict[('',)],[" };
    size_t b;
    (void)state;
    for (b = 0; b < COUNT_OF(bombs); b++) {
        size_t length = strlen(bombs[b]), i;
        char *text = malloc(10 + n * length + 1), expected[60];
        pytree_error error = { 0 };
        assert_non_null(text);
        memcpy(text, "PyTreeDef(", 10);
        for (i = 0; i < n; i++) { memcpy(text + 10 + i * length, bombs[b], length); }
        text[10 + n * length] = '\0';
        assert_null(pytree_def_parse(text, NULL, 0, NULL, &error));
        snprintf(expected, sizeof expected, "line 1, column %zu: ", 10 + n * length + 1);
        assert_int_equal(error.status, PYTREE_SYNTAX);
        assert_memory_equal(error.message, expected, strlen(expected));
        free(text);
    }
}

/* ---- Memory that runs out ---------------------------------------------------------------------------------------------- */

typedef struct Inputs {
    pytree_def *a, *b, *c;
    unsigned char *bytes;
    size_t size;
} Inputs;

static pytree_status parse_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return made(pytree_def_parse(sample_text, known_types, KNOWN_TYPES, opt, err), err);
}

static pytree_status parse_unsorted_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    return made(pytree_def_parse("PyTreeDef({'b': {'y': *, 'x': *}, 'a': *})", NULL, 0, opt, err), err);
}

static pytree_status save_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return pytree_def_save(in->a, NULL, 0, opt, err) == SIZE_MAX ? err->status : PYTREE_OK;
}

static pytree_status load_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_load(in->bytes, in->size, known_types, KNOWN_TYPES, opt, err), err);
}

static pytree_status compose_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_compose(in->a, in->b, opt, err), err);
}

static pytree_status transform_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_transform(in->a, lists_to_tuples, to_pair, NULL, opt, err), err);
}

static pytree_status common_suffix_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return made(pytree_def_common_suffix(in->b, in->c, opt, err), err);
}

static pytree_status prefix_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    return pytree_def_is_prefix(in->b, in->c, false, opt, err) ? PYTREE_OK : err->status;
}

static pytree_status errors_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    pytree_def_error_list *list = pytree_def_differences(in->c, in->a, opt, err);
    if (list == NULL) { return err->status; }
    assert_int_equal(list->n, 3);
    pytree_def_errors_free(list);
    return PYTREE_OK;
}

static pytree_status paths_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Inputs *in = context;
    size_t count = 99;
    const char **paths = pytree_def_paths(in->a, NULL, &count, opt, err);
    assert_int_equal(count, paths == NULL ? 0 : in->a->n_leaves);
    if (paths == NULL) { return err->status; }
    pytree_paths_free(paths);
    return PYTREE_OK;
}

static pytree_status build_body(void *context, const pytree_options *opt, pytree_error *err)
{
    static const char *const keys[] = { "z", "y" };
    AnyDC dc = { PYTREE_NONE, PYTREE_NONE, "an operation" };
    pytree_def *leaf = pytree_def_leaf(opt, err), *none = pytree_def_none(opt, err), *node = NULL, *odict = NULL, *dict =
        NULL, *tuple = NULL;
    const pytree_def *children[2];
    pytree_status status;
    (void)context;
    dc.x = dc.y = PYTREE_NONE;
    children[0] = leaf;
    children[1] = none;
    if (leaf != NULL && none != NULL) { node = pytree_def_struct(PYTREE(&dc), 2, children, opt, err); }
    children[0] = node;
    if (node != NULL) { odict = pytree_def_odict(2, keys, children, opt, err); }
    if (odict != NULL) { dict = pytree_def_dict(2, keys, children, opt, err); }
    if (dict != NULL) { tuple = pytree_def_namedtuple("Named", 2, keys, children, opt, err); }
    status = tuple == NULL ? err->status : PYTREE_OK;
    pytree_def_free(leaf);
    pytree_def_free(none);
    pytree_def_free(node);
    pytree_def_free(odict);
    pytree_def_free(dict);
    pytree_def_free(tuple);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static sweep_body *const bodies[] = { parse_body, parse_unsorted_body, save_body, load_body, compose_body, transform_body,
                                          common_suffix_body, prefix_body, errors_body, paths_body, build_body };
    Inputs in;
    size_t i;
    (void)state;
    in.a = must_parse("PyTreeDef([{'a': *, 'c': [*]}, CustomNode(Tag[('t',)], []), CustomNode(OrderedDict[('z',)], [None])])");
    in.b = must_parse("PyTreeDef([{'a': *, 'b': *}, *, *])");
    in.c = must_parse("PyTreeDef([CustomNode(OrderedDict[('b', 'a')], [(*,), *]), *, CustomNode(OrderedDict[('y',)], [*])])");
    in.bytes = saved(in.a, &in.size);
    for (i = 0; i < COUNT_OF(bodies); i++) { assert_in_range(sweep_allocations(bodies[i], &in), 1, 1000); }
    free(in.bytes);
    pytree_def_free(in.a);
    pytree_def_free(in.b);
    pytree_def_free(in.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_format_is_what_it_was), cmocka_unit_test(numbers_are_saved_in_one_order),
        cmocka_unit_test(load_knows_the_structs), cmocka_unit_test(many_structs_are_announced_once),
        cmocka_unit_test(load_says_where),
        cmocka_unit_test(long_maximum_lengths),
        cmocka_unit_test(load_survives_broken_bytes), cmocka_unit_test(deep_treedefs),
        cmocka_unit_test(depth_bombs_end_in_an_error), cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, known_types_begin, NULL);
}
