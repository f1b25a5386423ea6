/* Treedefs from text and bytes: each allocation failing,
    wherever in a text or a file memory has to grow; what nobody writes. */
#define TEST_PRIVATE                       /* as the shared header wants it */
#include "treedef_algebra_shared.h"

/* ---- Types that no other theme has --------------------------------------------------------------------------------- */

static size_t no_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return 0;
}

static size_t one_byte(const void *self, void *to)
{
    if (to != NULL) { memcpy(to, self, 1); }
    return 1;
}

static const pytree_custom bare_callbacks = { .children = no_children };
static const pytree_custom byte_callbacks = { .children = no_children, .metadata = one_byte };
static const pytree_custom keyed_callbacks = { .children = no_children, .keyed = true };

typedef struct Note { char text[60]; } Note;
#define PYTREE_STRUCT Note
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, text, STRING)
#include "pytree_registry.h"

typedef struct Bare { int nothing; } Bare;
#define PYTREE_STRUCT Bare
#define PYTREE_CUSTOM bare_callbacks
#include "pytree_registry.h"

typedef struct Byte { char byte; } Byte;
#define PYTREE_STRUCT Byte
#define PYTREE_CUSTOM byte_callbacks
#include "pytree_registry.h"

typedef struct Keys { int nothing; } Keys;
#define PYTREE_STRUCT Keys
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

typedef struct Single { int only; } Single;
#define PYTREE_STRUCT Single
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, only)
#include "pytree_registry.h"

typedef struct Labelled { char label[6]; Single single; double (*function)(double); } Labelled;
#define PYTREE_STRUCT Labelled
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, label, STRING) PYTREE_FIELD(STATIC, single) PYTREE_FIELD(STATIC, function)
#include "pytree_registry.h"

typedef struct Numbers { pytree_f16 half; double big; bool truth; unsigned long long u64; } Numbers;
#define PYTREE_STRUCT Numbers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, half) PYTREE_FIELD(STATIC, big) PYTREE_FIELD(STATIC, truth) PYTREE_FIELD(STATIC, u64)
#include "pytree_registry.h"

static size_t print_byte(const void *metadata, size_t bytes, char *to, size_t n)
{
    assert_int_equal(bytes, 1);
    return (size_t)snprintf(to, n, "the byte %u", (unsigned)*(const unsigned char *)metadata);
}

static const pytree_custom printed_callbacks = { .children = no_children, .metadata = one_byte, .print = print_byte };

typedef struct Printed { char byte; } Printed;
#define PYTREE_STRUCT Printed
#define PYTREE_CUSTOM printed_callbacks
#include "pytree_registry.h"

/* Texts that are not put digit by digit: many rows, a struct in a row. */
typedef struct Many {
    int i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17, i18, i19, i20, i21, i22, i23, i24,
        i25, i26, i27, i28, i29, i30, i31, i32;
} Many;
#define PYTREE_STRUCT Many
#define PYTREE_FIELDS \
    PYTREE_FIELD(STATIC, i0) PYTREE_FIELD(STATIC, i1) PYTREE_FIELD(STATIC, i2) PYTREE_FIELD(STATIC, i3)    \
    PYTREE_FIELD(STATIC, i4) PYTREE_FIELD(STATIC, i5) PYTREE_FIELD(STATIC, i6) PYTREE_FIELD(STATIC, i7)    \
    PYTREE_FIELD(STATIC, i8) PYTREE_FIELD(STATIC, i9) PYTREE_FIELD(STATIC, i10) PYTREE_FIELD(STATIC, i11)    \
    PYTREE_FIELD(STATIC, i12) PYTREE_FIELD(STATIC, i13) PYTREE_FIELD(STATIC, i14) PYTREE_FIELD(STATIC, i15)    \
    PYTREE_FIELD(STATIC, i16) PYTREE_FIELD(STATIC, i17) PYTREE_FIELD(STATIC, i18) PYTREE_FIELD(STATIC, i19)    \
    PYTREE_FIELD(STATIC, i20) PYTREE_FIELD(STATIC, i21) PYTREE_FIELD(STATIC, i22) PYTREE_FIELD(STATIC, i23)    \
    PYTREE_FIELD(STATIC, i24) PYTREE_FIELD(STATIC, i25) PYTREE_FIELD(STATIC, i26) PYTREE_FIELD(STATIC, i27)    \
    PYTREE_FIELD(STATIC, i28) PYTREE_FIELD(STATIC, i29) PYTREE_FIELD(STATIC, i30) PYTREE_FIELD(STATIC, i31)    \
    PYTREE_FIELD(STATIC, i32)
#include "pytree_registry.h"

typedef struct Wrapped { Single single; } Wrapped;
#define PYTREE_STRUCT Wrapped
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, single)
#include "pytree_registry.h"

#if TEST_HAS_COMPLEX
typedef struct Phase { double _Complex value; } Phase;
#define PYTREE_STRUCT Phase
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, value)
#include "pytree_registry.h"
#endif

enum { OWN_TYPES = 8 };
static const pytree_type *own_types[OWN_TYPES + KNOWN_TUPLES];
static size_t n_types;

static int begin(void **state)
{
    size_t i;
    if (known_types_begin(state) != 0) { return -1; }
    own_types[n_types++] = PYTREE_TYPE(Bare);
    own_types[n_types++] = PYTREE_TYPE(Note);
    own_types[n_types++] = PYTREE_TYPE(Byte);
    own_types[n_types++] = PYTREE_TYPE(Keys);
    own_types[n_types++] = PYTREE_TYPE(Single);
    own_types[n_types++] = PYTREE_TYPE(Labelled);
    own_types[n_types++] = PYTREE_TYPE(Numbers);
#if TEST_HAS_COMPLEX
    own_types[n_types++] = PYTREE_TYPE(Phase);
#endif
    for (i = 0; i < KNOWN_TUPLES; i++) { own_types[n_types++] = &known_tuples[i]; }
    return 0;
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

#define ESCAPES "\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n"

static const char *const parts[] = {
    "*", "[*, None]", "{'a': *, 'b': (*,)}", "{-3: *, 12: *}", "deque([*, *], maxlen=3)", "deque(maxlen=2)", "deque()",
    "CustomNode(OrderedDict[('k', 'l')], [*, *])", "CustomNode(OrderedDict[('l', 'k')], [*, *])",
    "CustomNode(defaultdict[(None, ('k',))], [*])",
    "CustomNode(defaultdict[(<class 'int'>, ('k',))], [*])", "CustomNode(namedtuple[Point], [*, *])", "Point(x=*, y=*)",
    "OrderedDict({'k': *})", "defaultdict(None, {'k': *})", "OrderedDict()", "CustomNode(Bare[None], [])",
    "CustomNode(Byte[b'\\x07'], [])", "CustomNode(Single[(7,)], [])",
    "CustomNode(Labelled[('abc', Single(only=3), <address 0x0>)], [])",
    "CustomTreeNode(Labelled[(('label', 'abc'), ('single', Single(only=3)), ('function', <address 0x0>))], [])",
    "CustomNode(Numbers[(0.5, -1.5, True, 18446744073709551615)], [])",
    "CustomNode(Numbers[(0.5, 1E+2, False, 0)], [])", "CustomNode(Same[-1], [])",
    "CustomTreeNode(Labelled[(('label', ''), ('single', Single(only=3)), ('function', <address 0x0>))], [])",
    "{'\\n\\x41\\u200b': *}", "{'" ESCAPES ESCAPES ESCAPES ESCAPES "': *}", "CustomNode(Note[('ab',)], [])",
#if TEST_HAS_COMPLEX
    "CustomNode(Phase[((1.5-2j),)], [])", "CustomNode(Phase[(2j,)], [])", "CustomNode(Phase[((1.5+2j),)], [])"
#endif
};

static char text[900];
static const char long_key[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

/* A tree with the part in a dict whose key, and another one's before it,
    move all that is held behind them; in as many lists. */
static void write_text(const char *part, size_t key)
{
    const int n = (int)key, depth = n % 32;
    (void)snprintf(text, sizeof text, "PyTreeDef(%.*s[{'%.*s': *}, {'%.*s': %s}, *]%.*s)", depth,
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", n, long_key, n, long_key, part, depth,
                       "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
}

static pytree_status parse_body(void *context, const pytree_options *opt, pytree_error *err)
{
    (void)context;
    pytree_def_free(pytree_def_parse(text, own_types, n_types, opt, err));
    return err->status;
}

typedef struct Saved {
    unsigned char *bytes;
    size_t size;
} Saved;

static pytree_status load_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Saved *saved_def = context;
    pytree_def_free(pytree_def_load(saved_def->bytes, saved_def->size, own_types, n_types, opt, err));
    return err->status;
}

/* Every part at every place of what grows: read from text, and, where it can be saved, from bytes. */
static void sweep_places(void **state)
{
    const size_t most = slow_here() ? 20 : 78;
    size_t i, key;
    (void)state;
    for (i = 0; i < COUNT_OF(parts); i++) {
        for (key = 1; key < most; key++) {
            Saved s;
            pytree_def *def;
            pytree_error error = { 0 };
            write_text(parts[i], key);
            assert_in_range(sweep_allocations(parse_body, NULL), 1, 100);
            def = pytree_def_parse(text, own_types, n_types, NULL, &error);
            assert_ok(error.status, &error);
            s.size = pytree_def_save(def, NULL, 0, NULL, &error);
            if (s.size != SIZE_MAX) {
                s.bytes = malloc(s.size);
                assert_non_null(s.bytes);
                assert_int_equal(pytree_def_save(def, s.bytes, s.size, NULL, &error), s.size);
                assert_in_range(sweep_allocations(load_body, &s), 1, 100);
                free(s.bytes);
            }
            pytree_def_free(def);
        }
    }
}

/* A buffer of every length: what is written is the beginning, which is no treedef, and the length is always the same. */
static void short_buffers(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(parts); i++) {
        unsigned char *whole, *part;
        pytree_error error = { 0 };
        pytree_def *def;
        size_t size, n;
        write_text(parts[i], 1);
        def = pytree_def_parse(text, own_types, n_types, NULL, &error);
        assert_ok(error.status, &error);
        size = pytree_def_save(def, NULL, 0, NULL, &error);
        assert_int_not_equal(size, SIZE_MAX);
        whole = malloc(size);
        part = malloc(size + 1);
        assert_true(whole != NULL && part != NULL);
        assert_int_equal(pytree_def_save(def, whole, size, NULL, &error), size);
        for (n = 0; n < size; n++) {
            memset(part, 0xEE, size + 1);
            assert_int_equal(pytree_def_save(def, part, n, NULL, &error), size);
            assert_int_equal(part[n], 0xEE);
            memset(&error, 0, sizeof error);
            assert_null(pytree_def_load(part, n, own_types, n_types, NULL, &error));
            assert_error(error.status, PYTREE_SYNTAX, "", &error);
        }
        free(whole);
        free(part);
        pytree_def_free(def);
    }
}

/* Text in a buffer of every length is the beginning of the whole text. */
static void short_texts(void **state)
{
    Printed printed = { 7 };
    Many many = { 0 };
    Wrapped wrapped = { { 5 } };
    pytree tree = PYTREE_LIST(PYTREE(&printed), PYTREE(&many), PYTREE(&wrapped));
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, NULL, &error);
    char whole[500], part[500];
    size_t length, n;
    (void)state;
    assert_ok(error.status, &error);
    length = pytree_def_text(def, whole, sizeof whole);
    assert_in_range(length, 150, sizeof whole - 1);
    assert_non_null(strstr(whole, "CustomNode(Printed[the byte 7], [])"));
    assert_non_null(strstr(whole, "CustomNode(Many[(0, 0, 0, "));
    assert_non_null(strstr(whole, "CustomNode(Wrapped[(Single(only=5),)], [])"));
    for (n = 1; n <= length; n++) {
        memset(part, 'x', sizeof part);
        assert_int_equal(pytree_def_text(def, part, n), length);
        assert_int_equal(strlen(part), n - 1);
        assert_memory_equal(part, whole, n - 1);
    }
    pytree_def_free(def);
}

/* ---- What nobody writes -------------------------------------------------------------------------------------------- */

static void parts_that_are_wrong(void **state)
{
    static const struct { const char *part, *words; } cases[] = {
        { "\x7F", "expected *, None, [, (, { or CustomNode(, got byte 0x7f" },
        { "deque([*, *], maxlen=1)", "expected a maximum length that the children do not exceed, got '1'" },
        { "deque([*], maxlen=18446744073709551615)",
            "expected a maximum length that the children do not exceed, got '1844674407370955161" },
        { "CustomNode(Same[x], [])", "expected an integer, got 'x'" },
        { "CustomNode(Keys[None], [])", "expected a type whose text says all of it" },
        { "CustomNode(Bare[no], [])", "expected 'None', got 'no'" },
        { "CustomNode(Labelled[('abc', Single(only:3), <address 0x0>)], [])", "expected '=', got ':'" },
        { "CustomTreeNode(Labelled[(('label', 'abc', ('single'", "expected ')', got ','" },
        { "CustomTreeNode(Labelled[(('label', 7", "expected a string in quotes of at most 5 bytes, got '7'" },
        { "CustomTreeNode(Labelled[(('labels'", "expected 'label' in quotes, got '''" },
        { "CustomNode(Numbers[(0.1, 1, True, 0)], [])", "expected a number that f16 has, got '0'" },
        { "CustomNode(Numbers[(1e39, 1, True, 0)], [])", "expected a number that f16 has, got '1e39'" },
        { "CustomNode(Numbers[(1, -1e999, True, 0)], [])", "expected a number that f64 has, got '-'" },
        { "CustomNode(Numbers[(1, 1e999, True, 0)], [])", "expected a number that f64 has, got '1e999'" },
        { "CustomNode(Numbers[(1, 1, True, 184467440737095516150)], [])", "expected an integer that fits u64" },
#if TEST_HAS_COMPLEX
        { "CustomNode(Phase[(x,)], [])", "expected a number, got 'x'" },
        { "CustomNode(Phase[(1,)], [])", "expected 'j', got ','" },
        { "CustomNode(Phase[((x+1j),)], [])", "expected a number, got 'x'" },
        { "CustomNode(Phase[((1*1j),)], [])", "expected '+', got '*'" },
        { "CustomNode(Phase[((1+x),)], [])", "expected a number, got 'x'" },
        { "CustomNode(Phase[((1+1),)], [])", "expected 'j)', got ')'" },
#endif
        { "CustomNode(Bare[]", "expected 'None', got ']'" }
    };
    char many[460] = "CustomNode(Numbers[(1, ";
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        write_text(cases[i].part, 1);
        memset(&error, 0, sizeof error);
        assert_null(pytree_def_parse(text, own_types, n_types, NULL, &error));
        if (strstr(error.message, cases[i].words) == NULL) { fail_msg("%s: %s", cases[i].part, error.message); }
    }
    memset(many + strlen(many), '1', 420);                     /* a number of 420 digits */
    write_text(many, 1);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_parse(text, own_types, n_types, NULL, &error));
    assert_non_null(strstr(error.message, "expected a number, got '1111"));
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_parse("PyTreeDef(*, NoneIsLeaf, space='x')", own_types, n_types, NULL, &error));
    assert_string_equal(error.message, "line 1, column 26: expected 'namespace', got 'space'");
}

/* A string in a struct that does not end, in a file. */
static void strings_without_end(void **state)
{
    unsigned char *bytes, *at;
    pytree_error error = { 0 };
    pytree_def *def;
    size_t size, i;
    (void)state;
    write_text("CustomNode(Labelled[('abc', Single(only=3), <address 0x0>)], [])", 1);
    def = pytree_def_parse(text, own_types, n_types, NULL, &error);
    assert_ok(error.status, &error);
    size = pytree_def_save(def, NULL, 0, NULL, &error);
    bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(pytree_def_save(def, bytes, size, NULL, &error), size);
    for (i = 0; i + 6 <= size && memcmp(bytes + i, "abc\0\0\0", 6) != 0; i++) {}
    assert_true(i + 6 <= size);
    at = bytes + i;
    for (i = 0; i < 6; i++) {             /* it is cut */
        memset(&error, 0, sizeof error);
        assert_null(pytree_def_load(bytes, (size_t)(at - bytes) + i, own_types, n_types, NULL, &error));
        assert_non_null(strstr(error.message, "expected a static value, got the end"));
    }
    memset(&error, 0, sizeof error);
    memcpy(at, "abcdef", 6);
    assert_null(pytree_def_load(bytes, size, own_types, n_types, NULL, &error));
    assert_non_null(strstr(error.message, "expected a string with zeros behind it"));
    memcpy(at, "ab\0c\0\0", 6);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_load(bytes, size, own_types, n_types, NULL, &error));
    assert_non_null(strstr(error.message, "expected a string with zeros behind it"));
    free(bytes);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_places), cmocka_unit_test(short_buffers), cmocka_unit_test(short_texts),
            cmocka_unit_test(parts_that_are_wrong),
        cmocka_unit_test(strings_without_end)
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
