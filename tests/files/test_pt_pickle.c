/* Pickles in .pt files that nobody writes by accident: what they may not say, how much they may make a reader do. */
#include "pt_shared.h"

#include <time.h>

typedef struct Case {
    const char *pickle;
    size_t size;
    const char *words;                    /* of the error; NULL: the file is good */
} Case;
#define CASE(pickle, words) { pickle, sizeof(pickle) - 1, words }

/* Tell whether a file with this pickle is accepted. */
static bool accepts(const void *pickle, size_t n, pytree_error *error)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    unsigned char *bytes = pt_file(pickle, n, &memory.size);
    pytree_checkpoint *file;
    assert_non_null(bytes);
    memory.bytes = bytes;
    file = pytree_pt_open("f", &opt, error);
    pytree_checkpoint_close(file);
    (void)survives(pytree_pt_open, bytes, memory.size);
    free(bytes);
    return file != NULL;
}

static void check_cases(const Case *cases, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        pytree_error error = { 0 };
        bool good = accepts(cases[i].pickle, cases[i].size, &error);
        if (good != (cases[i].words == NULL)) { fail_msg("case %zu: %s", i, good ? "accepted" : error.message); }
        if (!good && strstr(error.message, cases[i].words) == NULL) { fail_msg("case %zu: %s", i, error.message); }
    }
}

static void opcodes(void **state)
{
    static const Case cases[] = {
        CASE(P2 "}.", NULL), CASE(P2 "K\1.", NULL), CASE(P2 ").", NULL), CASE(P2 "]q\0(K\1h\0e.", "got more"),
        CASE(P2 "](K\1N\x88\x89" "G\x3f\xe0\0\0\0\0\0\0e.", NULL), CASE(P2 "}(X\1\0\0\0aK\1K\2K\3u.", NULL),
        CASE("\x80\4\x95\2\0\0\0\0\0\0\0}.", NULL), CASE("\x80\4]\x94h\0a.", "64 levels"),
        CASE(P2 "(t.", NULL), CASE(P2 "\x8a\4\1.", "complete pickle"),
        CASE("\x80\4\x8c\1a\x94.", NULL), CASE("\x80\4\x8d\1\0\0\0\0\0\0\0a.", NULL),
        CASE("", "complete pickle"), CASE(P2, "complete pickle"), CASE("\x80", "complete pickle"), CASE("\x80\1}.", "protocol"),
        CASE("\x80\6}.", "protocol"), CASE(P2 ".", "one value"), CASE(P2 "NN.", "one value"), CASE(P2 "(N.", "one value"),
        CASE(P2 "N.N", "one value"), CASE(P2 "0.", "opcode 0x30"), CASE(P2 "I1\n.", "opcode 0x49"),
        CASE(P2 "(ios\nsystem\n.", "opcode 0x69"), CASE(P2 "(o.", "opcode 0x6f"), CASE(P2 "P1\n.", "opcode 0x50"),
        CASE(P2 ")\x81.", "opcode 0x81"), CASE(P2 "\x82\1.", "opcode 0x82"), CASE(P2 "\x8f.", "opcode 0x8f"),
        CASE(P2 "C\1a.", "opcode 0x43"), CASE(P2 "U\1a.", "opcode 0x55"), CASE(P2 "\x97.", "opcode 0x97"),
        /* the stack */
        CASE(P2 "\x85.", "more values"), CASE(P2 "N(\x85.", "more values"), CASE(P2 "t.", "a mark"),
        CASE(P2 "Na.", "more values"),
        CASE(P2 "NNa.", "a list"), CASE(P2 "}Na.", "a list"), CASE(P2 "]NNs.", "a dict"), CASE(P2 "}(Nu.", "a dict"),
        CASE(P2 "}NNs.", "keys"), CASE(P2 "}]Ns.", "keys"), CASE(P2 "}(NNNu.", "a dict"), CASE(P2 "e.", "a mark"),
        CASE(P2 "u.", "a mark"), CASE(P2 "q\0.", "more values"), CASE(P2 "h\0.", "memo"), CASE(P2 "Nq\5h\4.", "memo"),
        CASE(P2 "Nr\0\0\0\x80.", "memo"), CASE(P2 "j\xff\xff\xff\xff.", "memo"), CASE(P2 "]}b.", "attributes"),
        CASE(P2 "}]b.", "attributes"), CASE(P2 "}}b.", NULL), CASE(P2 "b.", "more values"), CASE(P2 "R.", "more values"),
        CASE(P2 "N)R.", "something else to make"), CASE(P2 "Q.", "more values"), CASE(P2 "NQ.", "a storage"),
        /* strings and numbers */
        CASE(P2 "X\xff\xff\xff\xff" "a.", "complete pickle"), CASE(P2 "X\1\0\0\0\0.", "U+0000"),
        CASE(P2 "X\1\0\0\0\xff.", "UTF-8"),
        CASE(P2 "\x8d\xff\xff\xff\xff\xff\xff\xff\xff" "a.", "complete pickle"),
        CASE(P2 "\x8a\x09\1\1\1\1\1\1\1\1\1.", "64 bits"),
        CASE(P2 "\x8a\0.", NULL), CASE(P2 "\x8a\1\xff.", NULL), CASE(P2 "G\0\0\0\0\0\0\0", "complete pickle"),
        CASE(P2 "\x8b\1\0\0\0\1.", "opcode 0x8b"), CASE(P2 "}(X\1\0\0\0aK\1X\1\0\0\0aK\2u.", "each name once"),
        CASE(P2 "}(X\3\0\0\0a.bK\1X\1\0\0\0a}X\1\0\0\0bK\2su.", "each name once"),
        CASE(P2 "}(K\1NJ\1\0\0\0Nu.", "each name once"),
        /* operands */
        CASE(P2 "M\1\2.", NULL), CASE(P2 "(Nr\5\0\0\0j\5\0\0\0t.", NULL), CASE(P2 "K", "complete pickle"),
        CASE(P2 "M\1", "complete pickle"), CASE(P2 "\x8a", "complete pickle"), CASE(P2 "Nq", "complete pickle"),
        CASE(P2 "Nr\0\0\0", "complete pickle"), CASE(P2 "h", "complete pickle"), CASE(P2 "j\0\0\0", "complete pickle")
    };
    (void)state;
    check_cases(cases, COUNT_OF(cases));
}

static void names(void **state)
{
    static const Case cases[] = {
        CASE(P2 "cos\nsystem\n.", "os.system"), CASE(P2 "cbuiltins\neval\n.", "builtins.eval"),
        CASE(P2 "ctorch\nload\n.", "torch.load"), CASE(P2 "ctorch\nFloatStorag\n.", "torch.FloatStorag"),
        CASE(P2 "ctorch\n\n.", "torch."), CASE(P2 "ctorch._utils\n_rebuild_tensor\n.", "torch._utils._rebuild_tensor"),
        CASE(P2 "ctorch.storage\n_load_from_bytes\n.", "_load_from_bytes"),
        CASE(P2 "cmodules.with.names.that.are.longer.than.any.message.has.room.for\nf\n.",
             "got modules.with.names.that.are.longer.than.any.mess.f at"),
        CASE(P2 "cos\nsystem", "a line"), CASE(P2 "cos", "a line"),
        CASE("\x80\4\x8c\2os\x8c\6system\x93.", "os.system"), CASE("\x80\4K\1K\1\x93.", "the name of a module"),
        CASE("\x80\4\x8c\1aK\1\x93.", "the name of a module"),
        CASE(P2 "ctorch._utils\n_rebuild_parameter\nNN\x86R.", "something else to make"),
        CASE("\x80\4N\x93.", "more values"), CASE("\x80\4\x8c\5torch\x8c\014FloatStorage\x93.", "a storage or a name"),
        CASE(P2 "c\x1b[31m\n\x07\n.", "?[31m.?"), CASE(P2 "ccollections\nOrderedDict\n.", "a storage or a name"),
        CASE(P2 "ccollections\nOrderedDict\nN\x85R.", "something else to make"), CASE(P2 STORAGE ".", "a storage or a name"),
        CASE(P2 "ctorch._utils\n_rebuild_parameter\nNNN\x87R.", "something else to make"), CASE(P2 HOOKS ".", NULL)
    };
    (void)state;
    check_cases(cases, COUNT_OF(cases));
}

static void tensors(void **state)
{
    static const Case cases[] = {
        CASE(P2 TENSOR("K\0", "K\4\x85", "K\1\x85") ".", NULL), CASE(P2 TENSOR("K\3", ")", ")") ".", NULL),
        CASE(P2 TENSOR("K\0", "K\2K\2\x86", "K\1K\2\x86") ".", NULL),
        CASE(P2 TENSOR("K\0", "K\2K\2\x86", "K\0K\0\x86") ".", NULL),
        CASE(P2 TENSOR_OF(STORAGE_OF("FloatStorage", "1", "K\0"), "K\0", "K\0\x85", "K\1\x85") ".", NULL),
        CASE(P2 TENSOR("K\4", "K\0\x85", "K\1\x85") ".", NULL),
        CASE(P2 TENSOR("K\0", "K\0" LARGE "\x86", "K\1K\1\x86") ".", NULL),
        CASE(P2 TENSOR("K\1", "K\4\x85", "K\1\x85") ".", "within its storage"),
        CASE(P2 TENSOR("K\4", ")", ")") ".", "within its storage"), CASE(P2 TENSOR("K\5", "K\0\x85", "K\1\x85") ".", "within"),
        CASE(P2 TENSOR("K\0", "K\5\x85", "K\1\x85") ".", "within its storage"),
        CASE(P2 TENSOR("K\0", "K\2\x85", "K\4\x85") ".", "within its storage"),
        CASE(P2 TENSOR("K\0", "K\3K\3\x86", "K\1K\1\x86") ".", "within its storage"),
        CASE(P2 TENSOR(LARGE, "K\1\x85", "K\1\x85") ".", "within its storage"),
        CASE(P2 TENSOR("K\0", LARGE "\x85", "K\1\x85") ".", "within its storage"),
        CASE(P2 TENSOR("K\0", "K\2\x85", LARGE "\x85") ".", "within its storage"),
        CASE(P2 TENSOR("K\0", LARGE LARGE "\x86", "K\0K\0\x86") ".", "within its storage"),
        CASE(P2 TENSOR("K\0", "K\0" LARGE LARGE "\x87", "K\0K\0K\0\x87") ".", NULL),
        CASE(P2 TENSOR(MINUS, "K\1\x85", "K\1\x85") ".", "a tensor: its storage"),
        CASE(P2 TENSOR("K\0", MINUS "\x85", "K\1\x85") ".", "from 0 on"),
        CASE(P2 TENSOR("K\0", "K\1\x85", MINUS "\x85") ".", "from 0 on"),
        CASE(P2 TENSOR("K\0", "K\1\x85", ")") ".", "from 0 on"), CASE(P2 TENSOR("K\0", "N\x85", "K\1\x85") ".", "from 0 on"),
        CASE(P2 TENSOR("K\0", "(K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1t", "K\1\x85") ".", "16 dimensions"),
        CASE(P2 TENSOR("N", "K\1\x85", "K\1\x85") ".", "a tensor: its storage"),
        CASE(P2 TENSOR_OF("N", "K\0", "K\1\x85", "K\1\x85") ".", "a tensor: its storage"),
        CASE(P2 V2 ")R.", "a tensor: its storage"), CASE(P2 V2 "NR.", "a tensor: its storage"),
        CASE(P2 V2 "(NNNNNNNNNtR.", "a tensor: its storage"),
        CASE(P2 V2 "(" STORAGE "K\0K\4\x85K\1\x85\x89" HOOKS "NtR.", NULL),
        CASE(P2 V2 "(" STORAGE "K\0K\4\x85K\1\x85\x89" HOOKS "}tR.", NULL),
        CASE(P2 V2 "(" STORAGE "K\0K\4\x85K\1\x85\x89" HOOKS "}X\4\0\0\0conj\x88stR.", "resolve_conj"),
        CASE(P2 V2 "(" STORAGE "K\0K\4\x85K\1\x85\x89}K\1NstR.", "a tensor: its storage"),
        CASE(P2 V2 "(" STORAGE_OF("FloatStorage", "0", "K\3") "tR.", "as many bytes"),
        CASE(P2 V2 "(" STORAGE_OF("FloatStorage", "0", LARGE) "tR.", "as many bytes"),
        CASE(P2 V2 "(" STORAGE_OF("FloatStorage", "0", "\x8a\x08\4\0\0\0\0\0\0\x40") "tR.", "as many bytes"),
        CASE(P2 V2 "(" STORAGE_OF("FloatStorage", "0", MINUS) "tR.", "a storage: its type"),
        CASE(P2 V2 "(" STORAGE_OF("FloatStorage", "2", "K\4") "tR.", "a member of the archive"),
        CASE(P2 V2 "(" STORAGE_OF("float32", "0", "K\4") "tR.", "a storage: its type"),
        CASE(P2 TENSOR_OF("(" TEXT("\7", "storage") "ctorch.storage\nUntypedStorage\n" TEXT("\1", "0") TEXT("\3", "cpu")
             "K\x10tQ",
                          "K\0", "K\4\x85", "K\1\x85") ".", "one element type"),
        CASE(P2 "ctorch._utils\n_rebuild_tensor_v3\n(" STORAGE "K\0K\4\x85K\1\x85\x89" HOOKS "ctorch\nuint16\ntR.",
             "one element type"),
        CASE(P2 "]" TENSOR("K\0", "K\4\x85", "K\1\x85") "q\1ah\1a.", NULL),
        CASE(P2 V2 "(" STORAGE "K\0K\4\x85K\1\x85\x89" HOOKS "NNtR.", "a tensor: its storage"),
        CASE(P2 V2 "(" STORAGE "K\0K\4\x85K\1\x85\x89" HOOKS "K\1tR.", "resolve_conj"),
        CASE(P2 V3 "(" UNTYPED "K\0K\4\x85K\1\x85\x89" HOOKS "ctorch\nfloat32\ntR.", NULL),
        CASE(P2 V3 "(" UNTYPED "K\0K\4\x85K\1\x85\x89" HOOKS "NtR.", "a tensor: its storage"),
        CASE(P2 V3 "(" UNTYPED "K\0K\2K\2\x86K\1K\2\x86\x89" HOOKS "ctorch\nfloat8_e5m2\ntR.", "row-major order"),
        CASE(P2 V3 "(" UNTYPED "K\0K\2K\2\x86K\2K\1\x86\x89" HOOKS "ctorch\nfloat8_e5m2\ntR.", NULL),
        CASE(P2 "(" TEXT("\7", "storagf") "ctorch\nFloatStorage\n" TEXT("\1", "0") TEXT("\3", "cpu") "K\4tQ.",
            "a storage: its type"),
        CASE(P2 "(" TEXT("\4", "stor") "ctorch\nFloatStorage\n" TEXT("\1", "0") TEXT("\3", "cpu") "K\4tQ.",
            "a storage: its type"),
        CASE(P2 "(K\1ctorch\nFloatStorage\n" TEXT("\1", "0") TEXT("\3", "cpu") "K\4tQ.", "a storage: its type"),
        CASE(P2 "(" TEXT("\7", "storage") "ctorch\nFloatStorage\nK\0" TEXT("\3", "cpu") "K\4tQ.", "a storage: its type"),
        CASE(P2 "(" TEXT("\7", "storage") "ctorch\nFloatStorage\n" TEXT("\1", "0") "K\1K\4tQ.", "a storage: its type"),
        CASE(P2 "(" TEXT("\7", "storage") "ctorch\nFloatStorage\n" TEXT("\1", "0") TEXT("\3", "cpu") "NtQ.",
            "a storage: its type"),
        CASE(P2 "(" TEXT("\7", "storage") "ctorch\nFloatStorage\n" TEXT("\51", "00000000000000000000000000000000000000000")
             TEXT("\3", "cpu") "K\4tQ.", "a storage: its type")
    };
    (void)state;
    check_cases(cases, COUNT_OF(cases));
}

/* ---- Bombs --------------------------------------------------------------------------------------------------------- */

/* A pickle that is made piece by piece. */
typedef struct Pickle {
    char *bytes;
    size_t n;
} Pickle;

static void add(Pickle *p, const char *bytes, size_t n)
{
    p->bytes = realloc(p->bytes, p->n + n);
    assert_non_null(p->bytes);
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
}

static void assert_refused(Pickle *p, const char *words)
{
    pytree_error error = { 0 };
    clock_t begin = clock();
    add(p, ".", 1);
    assert_false(accepts(p->bytes, p->n, &error));
    if (strstr(error.message, words) == NULL) { fail_msg("%s", error.message); }
    assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
    free(p->bytes);
    memset(p, 0, sizeof *p);
}

/* Lists that have the one before twice, 60 levels of them: 2^60 values in some 400 bytes, with and without any at their end. */
static void doubled_lists(void **state)
{
    int leaf, i;
    (void)state;
    for (leaf = 0; leaf < 2; leaf++) {
        Pickle p = { NULL, 0 };
        add(&p, P2 "(]q\0", 6);
        if (leaf) { add(&p, "K\1a", 3); }
        for (i = 1; i < 60; i++) {
            char piece[] = { ']', 'q', (char)i, '(', 'h', (char)(i - 1), 'h', (char)(i - 1), 'e' };
            add(&p, piece, sizeof piece);
        }
        add(&p, "t", 1);
        assert_refused(&p, leaf ? "names of at most" : "fewer values");
    }
}

/* Long keys above many values: names whose bytes grow with the square. */
static void long_names(void **state)
{
    Pickle p = { NULL, 0 };
    char *key = calloc(1, 50005), *values = malloc(50000);
    (void)state;
    assert_non_null(key);
    assert_non_null(values);
    memset(key, 'a', 50005);
    memcpy(key, "X\x50\xc3\0\0", 5);      /* 50,000 */
    add(&p, P2 "}", 3);
    add(&p, key, 50005);
    add(&p, "](", 2);
    memset(values, 'N', 50000);
    add(&p, values, 50000);
    add(&p, "es", 2);
    assert_refused(&p, "names of at most");
    free(key);
    free(values);
}

/* A million of everything that could recurse or pile up. */
static void many(void **state)
{
    static const struct { const char *begin, *piece, *end, *words; } cases[] = {
        { P2, "(", "", "one value" }, { P2, "]", "", "one value" }, { P2, "N", "", "one value" }, { P2, ")", "", "one value" },
        { P2 "]", "]", "aaa", "one value" }, { P2, "N\x85", "", "one value" }, { P2 "N", "\x85", "", "64 levels" }
    };
    const size_t count = slow_here() ? 100000 : 1000000;
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Pickle p = { NULL, 0 };
        size_t n = strlen(cases[i].piece);
        add(&p, cases[i].begin, strlen(cases[i].begin));
        p.bytes = realloc(p.bytes, p.n + count * n);
        assert_non_null(p.bytes);
        for (k = 0; k < count; k++) {
            memcpy(p.bytes + p.n, cases[i].piece, n);
            p.n += n;
        }
        add(&p, cases[i].end, strlen(cases[i].end));
        assert_refused(&p, cases[i].words);
    }
}

/* Every byte of a good pickle, changed in every bit, in archives with the right checksum. */
static void changed_pickles(void **state)
{
    static const char good[] = P2 "}q\0(" TEXT("\1", "a") "q\1" TENSOR("K\0", "K\2K\2\x86q\2", "K\1K\2\x86") "q\3"
                               TEXT("\1", "b") "](h\3K\5G\x3f\xe0\0\0\0\0\0\0\x88" "eu.";
    unsigned char copy[sizeof good];
    size_t i, bit, accepted = 0, size;
    unsigned char *bytes;
    (void)state;
    for (i = 0; i < sizeof good - 1; i++) {
        for (bit = 0; bit < 9; bit += slow_here() ? 4 : 1) {
            memcpy(copy, good, sizeof good);
            copy[i] ^= (unsigned char)(bit == 8 ? 0xFF : 1u << bit);
            bytes = pt_file(copy, sizeof good - 1, &size);
            assert_non_null(bytes);
            accepted += survives(pytree_pt_open, bytes, size);
            free(bytes);
        }
        bytes = pt_file(good, i, &size);
        assert_non_null(bytes);
        assert_false(survives(pytree_pt_open, bytes, size));
        free(bytes);
    }
    bytes = pt_file(good, sizeof good - 1, &size);
    assert_true(survives(pytree_pt_open, bytes, size));
    free(bytes);
    assert_in_range(accepted, 1, 9 * sizeof good / 2);
}

/* ---- Archives ------------------------------------------------------------------------------------------------------ */

static void archives(void **state)
{
    static const struct { PtMember members[3]; size_t n; const char *words; } cases[] = {
        { { { "x/data.pkl", P2 "}.", 4 } }, 1, NULL },
        { { { "x/data.pkl", P2 "}.", 4 }, { "x/byteorder", "big", 3 } }, 2, NULL },
        { { { "x/data.pkl", P2 "}.", 4 }, { "x/byteorder", "middle", 6 } }, 2, "'middle'" },
        { { { "x/data.pkl", P2 "}.", 4 }, { "x/byteorder", "littlelittle", 12 } }, 2, "byte order" },
        { { { "x/data.pkl", P2 "}.", 4 }, { "x/constants.pkl", "", 0 } }, 2, "TorchScript" },
        { { { "x/data.pkl", P2 "}.", 4 }, { "x/data.pkl", P2 "}.", 4 } }, 2, "each name once" },
        { { { "data.pkl", P2 "}.", 4 } }, 1, "without data.pkl" },
        { { { "x/y/data.pkl", P2 "}.", 4 } }, 1, "without data.pkl" },
        { { { "x/data.npy", "", 0 } }, 1, "without data.pkl" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { .io = &io };
        pytree_error error = { 0 };
        unsigned char *bytes = pt_archive(cases[i].members, cases[i].n, &memory.size);
        pytree_checkpoint *file;
        memory.bytes = bytes;
        file = pytree_pt_open("f", &opt, &error);
        if ((file != NULL) != (cases[i].words == NULL)) { fail_msg("case %zu: %s", i, error.message); }
        if (file == NULL && strstr(error.message, cases[i].words) == NULL) { fail_msg("case %zu: %s", i, error.message); }
        pytree_checkpoint_close(file);
        free(bytes);
    }
}

/* A pickle may have 32 MiB. */
static void large_pickles(void **state)
{
    const size_t size = ((size_t)1 << 25) + 1;
    char *pickle = calloc(size, 1);
    pytree_error error = { 0 };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    unsigned char *bytes;
    (void)state;
    assert_non_null(pickle);
    bytes = pt_file(pickle, size, &memory.size);
    assert_non_null(bytes);
    memory.bytes = bytes;
    assert_null(pytree_pt_open("f", &opt, &error));
    assert_non_null(strstr(error.message, "expected a data.pkl of at most 33554432 bytes, got more"));
    free(bytes);
    free(pickle);
}

/* Two names of one tensor: its storage is checked once, and both are loaded. */
static void one_storage_for_two(void **state)
{
    static const char pickle[] = P2 "}(" TEXT("\1", "a") TENSOR("K\0", "K\4\x85", "K\1\x85") "q\1" TEXT("\1", "b") "h\1u.";
    float a[4] = { 0 }, b[4] = { 0 };
    pytree_error error = { 0 };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    unsigned char *bytes = pt_file(pickle, sizeof pickle - 1, &memory.size);
    (void)state;
    assert_non_null(bytes);
    memory.bytes = bytes;
    assert_ok(pytree_load_pt("f", PYTREE_DICT({ "a", PYTREE_ARRAY(a, 4) }, { "b", PYTREE_ARRAY(b, 4) }), &opt, &error), &error);
    assert_memory_equal(a, b, sizeof a);
    assert_true(a[0] != 0);
    free(bytes);
}

/* A file of a big-endian machine is loaded; numbers in it cannot stay where they are. */
static void big_endian_files(void **state)
{
    static const char pickle[] = P2 "}" TEXT("\1", "a") TENSOR("K\0", "K\4\x85", "K\1\x85") "s.";
    static const unsigned char numbers[16] = { 0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0x40, 0x80, 0, 0 };
    const PtMember members[3] = { { "x/data.pkl", pickle, sizeof pickle - 1 }, { "x/byteorder", "big", 3 }, { "x/data/0",
        numbers, 16 } };
    const uint16_t one = 1;
    unsigned char low;
    float a[4] = { 0 };
    pytree_error error = { 0 };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    unsigned char *bytes = pt_archive(members, 3, &memory.size);
    pytree_checkpoint *file;
    (void)state;
    memcpy(&low, &one, 1);
    assert_non_null(bytes);
    memory.bytes = bytes;
    assert_ok(pytree_load_pt("f", PYTREE_DICT({ "a", PYTREE_ARRAY(a, 4) }), &opt, &error), &error);
    assert_true(a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 4);
    file = pytree_pt_open("f", &opt, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_checkpoint_map(file, &error), &error);
    if (low == 1) {
        assert_error(pytree_checkpoint_point(file, PYTREE_DICT({ "a", PYTREE_ARRAY(a, 4) }), &opt, &error), PYTREE_ARGUMENT,
            "", &error);
        assert_non_null(strstr(error.message, "expected a big-endian machine"));
    }
    pytree_checkpoint_close(file);
    free(bytes);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static const unsigned char *swept;
static size_t swept_bytes;

static pytree_status open_body(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options options = { .io = &io };
    (void)context;
    memory.bytes = swept;
    memory.size = swept_bytes;
    options.tree = *opt;
    pytree_checkpoint_close(pytree_pt_open("f", &options, err));
    return err->status;
}

/* Each kind of value in a dict, behind so many others that what it needs has to grow just then; keys that become longer. */
static void sweep_places(void **state)
{
#define PART(text) { text, sizeof(text) - 1 }
    static const struct { const char *bytes; size_t n; } parts[] = {
        PART("N"), PART("K\1"), PART("M\1\2"), PART("J\1\0\0\0"), PART("\x8a\1\1"), PART("G\x3f\xe0\0\0\0\0\0\0"),
            PART("\x8c\1a"),
        PART("}"), PART("]"), PART(")"), PART("\x88"), PART("(K\1K\2t"), PART(HOOKS), PART(TENSOR("K\0", "K\4\x85", "K\1\x85"))
    };
    static char pickle[8000];
    const size_t most = slow_here() ? 9 : 34;
    size_t i, n, k;
    (void)state;
    for (i = 0; i < COUNT_OF(parts); i++) {
        for (n = 1; n < most; n++) {
            char *at = pickle;
            unsigned char *made;
            at += sprintf(at, "\x80\4}(");
            for (k = 0; k < n; k++) {
                *at++ = '\x8c';
                *at++ = (char)(n + 2);
                at += sprintf(at, "%02u", (unsigned)k);
                memset(at, 'k', n);
                at += n;
                memcpy(at, parts[i].bytes, parts[i].n);
                at += parts[i].n;
            }
            at += sprintf(at, "u.");
            made = pt_file(pickle, (size_t)(at - pickle), &swept_bytes);
            swept = made;
            assert_in_range(sweep_allocations(open_body, NULL), 1, 200);
            free(made);
        }
    }
}

/* Keys that are longer than what there is room for at first, and each allocation failing. */
static pytree_status long_keys_body(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options options = { .io = &io };
    pytree_checkpoint *file;
    const char *const keys = context;
    memory.bytes = swept;
    memory.size = swept_bytes;
    options.tree = *opt;
    file = pytree_pt_open("f", &options, err);
    if (file != NULL) {
        assert_int_equal(file->n_metadata, 2);
        assert_true(strncmp(file->metadata[0].key, keys, 80) == 0 && strlen(file->metadata[0].key) == 80);
        assert_string_equal(file->metadata[1].key, keys);
    }
    pytree_checkpoint_close(file);
    return err->status;
}

static void long_keys(void **state)
{
    char keys[201], pickle[400], *at = pickle;
    unsigned char *made;
    (void)state;
    memset(keys, 'k', 200);
    keys[200] = '\0';
    at += sprintf(at, "\x80\4}(\x8c\x50%.80s", keys);
    at += sprintf(at, "N\x8c\xc8%sNu.", keys);
    made = pt_file(pickle, (size_t)(at - pickle), &swept_bytes);
    assert_non_null(made);
    swept = made;
    assert_in_range(sweep_allocations(long_keys_body, keys), 5, 200);
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes),
        cmocka_unit_test(names),
        cmocka_unit_test(tensors),
        cmocka_unit_test(doubled_lists),
        cmocka_unit_test(long_names),
        cmocka_unit_test(many),
        cmocka_unit_test(changed_pickles),
        cmocka_unit_test(archives),
        cmocka_unit_test(large_pickles),
        cmocka_unit_test(big_endian_files),
        cmocka_unit_test(one_storage_for_two),
        cmocka_unit_test(sweep_places),
        cmocka_unit_test(long_keys)
    };
    return cmocka_run_group_tests_name("pt_pickle", tests, NULL, NULL);
}
