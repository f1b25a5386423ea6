/* Storages in .pt files: strides, slices, checksums; archives that are ordered, named and packed otherwise. */
#include "pt_shared.h"

/* ---- Strides ------------------------------------------------------------------------------------------------------- */

enum { STORED = 80000 };                  /* more numbers than are read at once */

/* A file with one tensor, `a`, of a storage of that many floats (0, 1, 2, ...) or of other bytes. */
static void file_of(pytree_memory *memory, const char *tensor, size_t n, const void *bytes, size_t size)
{
    char pickle[400], *at = pickle;
    PtMember members[2] = { { "x/data.pkl", pickle, 0 }, { "x/data/0", bytes, size } };
    at += sprintf(at, "\x80\x02}");
    memcpy(at, TEXT("\1", "a"), 6);
    at += 6;
    memcpy(at, tensor, n);
    at += n;
    at += sprintf(at, "s.");
    members[0].size = (size_t)(at - pickle);
    memset(memory, 0, sizeof *memory);
    memory->bytes = pt_archive(members, 2, &memory->size);
    assert_non_null(memory->bytes);
}

static float numbers[STORED], loaded[STORED];

/* Arrays whose elements lie far apart, a little apart, and along an axis of one: each element is the one of its place. */
static void strides(void **state)
{
#define FLOATS STORAGE_OF("FloatStorage", "0", "J\x80\x38\1\0")
#define STRIDED(size, strides) TENSOR_OF(FLOATS, "K\1", size, strides)
    static const struct { const char *tensor; size_t bytes, ndim, shape[3], stride[3]; } cases[] = {
#define ONE(size, strides) STRIDED(size, strides), sizeof(STRIDED(size, strides)) - 1
        { ONE("J\x80\x38\1\0\x85", "K\1\x85"), 0, { 0 }, { 0 } },              /* beyond its storage */
        { ONE("K\x14\x85", "M\xe8\3\x85"), 1, { 20 }, { 1000 } },
        { ONE("K\4\x85", "M\x20\x4e\x85"), 1, { 4 }, { 20000 } },
        { ONE("K\4\x85", "M\xff\x3f\x85"), 1, { 4 }, { 16383 } },
        { ONE("K\2K\1K\3\x87", "K\1K\7K\2\x87"), 3, { 2, 1, 3 }, { 1, 7, 2 } },
        { ONE("M\x2c\1K\2\x86", "K\3M\xe8\3\x86"), 2, { 300, 2 }, { 3, 1000 } }
    };
    size_t i, at[3], d;
    (void)state;
    for (i = 0; i < STORED; i++) { numbers[i] = (float)i; }
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_leaf leaf = { .data = loaded, .type = PYTREE_TYPE(float), .ndim = (int)cases[i].ndim };
        pytree_memory memory;
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { .io = &io };
        pytree_error error = { 0 };
        pytree_pair pair = { .key = "a", .value = pytree_of_view(&leaf) };
        pytree_items items = { .count = 1, .pairs = &pair };
        size_t n = 1, k;
        file_of(&memory, cases[i].tensor, cases[i].bytes, numbers, sizeof numbers);
        for (d = 0; d < cases[i].ndim; d++) { n *= leaf.shape[d] = cases[i].shape[d]; }
        memset(loaded, 0, sizeof loaded);
        if (n == 1) {
            assert_null(pytree_pt_open("f", &opt, &error));
            assert_non_null(strstr(error.message, "within its storage"));
        } else {
            assert_ok(pytree_load_pt("f", (pytree){ &pytree_types[PYTREE__T_dict], &items }, &opt, &error), &error);
        }
        for (k = 0; n != 1 && k < n; k++) {
            size_t rest = k, from = 1;
            for (d = cases[i].ndim; d-- > 0; rest /= cases[i].shape[d]) {
                at[d] = rest % cases[i].shape[d];
                from += at[d] * cases[i].stride[d];
            }
            if (loaded[k] != (float)from) { fail_msg("case %zu: element %zu is %g", i, k, (double)loaded[k]); }
        }
        free((void *)(uintptr_t)memory.bytes);
    }
}

static size_t slice_of(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    *slice = leaf[0] - 'p';
    return (size_t)snprintf(text, n, "a");
}

/* A slice of an array whose elements lie apart is one of them; a bool that is neither 0 nor 1 is refused there, too. */
static void strided_slices_and_bools(void **state)
{
    static const char apart[] = STRIDED("K\3\x85", "M\xe8\3\x85");
    static const char bools[] = TENSOR_OF(STORAGE_OF("BoolStorage", "0", "K\5"), "K\0", "K\3\x85", "K\2\x85");
    static const unsigned char stored[] = { 1, 1, 0, 1, 2 };
    pytree_memory memory;
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io, .rename = slice_of };
    pytree_error error = { 0 };
    float p = 0, q = 0, r = 0;
    bool three[3] = { true, false, true };
    size_t i;
    (void)state;
    for (i = 0; i < STORED; i++) { numbers[i] = (float)i; }
    file_of(&memory, apart, sizeof apart - 1, numbers, sizeof numbers);
    assert_ok(pytree_load_pt("f", PYTREE_DICT({ "p", PYTREE(&p) }, { "q", PYTREE(&q) }, { "r", PYTREE(&r) }), &opt, &error),
        &error);
    assert_true(p == 1 && q == 1001 && r == 2001);
    free((void *)(uintptr_t)memory.bytes);
    opt.rename = NULL;
    file_of(&memory, bools, sizeof bools - 1, stored, sizeof stored);
    assert_error(pytree_load_pt("f", PYTREE_DICT({ "a", PYTREE_ARRAY(three, 3) }), &opt, &error), PYTREE_VALUE, "", &error);
    assert_true(three[0] && !three[1] && three[2]);
    free((void *)(uintptr_t)memory.bytes);
}

/* The checksum of a storage that is larger than what is read at once, good and wrong. */
static void large_storages(void **state)
{
    static const char whole[] = TENSOR_OF(FLOATS, "K\0", "J\x80\x38\1\0\x85", "K\1\x85");
    pytree_memory memory;
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    const float last = 1;
    size_t i;
    (void)state;
    for (i = 0; i < STORED; i++) { numbers[i] = (float)i; }
    file_of(&memory, whole, sizeof whole - 1, numbers, sizeof numbers);
    assert_ok(pytree_load_pt("f", PYTREE_DICT({ "a", PYTREE_ARRAY(loaded, STORED) }), &opt, &error), &error);
    assert_memory_equal(loaded, numbers, sizeof numbers);
    for (i = 0; i + sizeof numbers <= memory.size; i++) {
        if (memcmp((const char *)memory.bytes + i, numbers, sizeof numbers) == 0) { break; }
    }
    memcpy((char *)(uintptr_t)memory.bytes + i + sizeof numbers - sizeof last, &last, sizeof last);
    assert_error(pytree_load_pt("f", PYTREE_DICT({ "a", PYTREE_ARRAY(loaded, STORED) }), &opt, &error), PYTREE_SYNTAX, "",
        &error);
    assert_non_null(strstr(error.message, "expected the checksum"));
    free((void *)(uintptr_t)memory.bytes);
}

/* ---- Other archives ------------------------------------------------------------------------------------------------ */

/* The directory may have its members in another order than the file. */
static void directory_backwards(void **state)
{
    static const char pickle[] = P2 "}(" TEXT("\1", "a") TENSOR("K\0", "K\4\x85", "K\1\x85")
        TEXT("\1", "b") TENSOR_OF(STORAGE_OF("FloatStorage", "1", "K\4"), "K\0", "K\4\x85", "K\1\x85") "u.";
    static const float one[4] = { 1, 2, 3, 4 }, two[4] = { 5, 6, 7, 8 };
    const PtMember members[3] = { { "x/data.pkl", pickle, sizeof pickle - 1 }, { "x/data/0", one, 16 },
        { "x/data/1", two, 16 } };
    float a[4], b[4];
    pytree_error error = { 0 };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    unsigned char *bytes = pt_archive(members, 3, &memory.size), entry[54], *last;
    (void)state;
    assert_non_null(bytes);
    memory.bytes = bytes;
    last = bytes + memory.size - 22 - sizeof entry;              /* the entries of the two storages stand at its end */
    memcpy(entry, last, sizeof entry);
    memcpy(last, last - sizeof entry, sizeof entry);
    memcpy(last - sizeof entry, entry, sizeof entry);
    assert_ok(pytree_load_pt("f", PYTREE_DICT({ "a", PYTREE_ARRAY(a, 4) }, { "b", PYTREE_ARRAY(b, 4) }), &opt, &error), &error);
    assert_memory_equal(a, one, sizeof one);
    assert_memory_equal(b, two, sizeof two);
    free(bytes);
}

/* The folder of an archive has a name of at most 400 bytes. */
static void long_roots(void **state)
{
    static const size_t lengths[] = { 1, 400, 401, 508, 3000 };
    char name[3010];
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(lengths); i++) {
        const PtMember members[1] = { { name, P2 "}.", 4 } };
        pytree_error error = { 0 };
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { .io = &io };
        pytree_checkpoint *file;
        unsigned char *bytes;
        memset(name, 'r', sizeof name);
        memcpy(name + lengths[i], "/data.pkl", 10);
        bytes = pt_archive(members, 1, &memory.size);
        assert_non_null(bytes);
        memory.bytes = bytes;
        file = pytree_pt_open("f", &opt, &error);
        if (lengths[i] <= 400) {
            assert_ok(error.status, &error);
        } else {
            assert_null(file);
            assert_int_equal(error.status, PYTREE_SYNTAX);
            assert_non_null(strstr(error.message, "whose folder has a name of at most 400 bytes, got more in 'f'"));
        }
        pytree_checkpoint_close(file);
        free(bytes);
    }
}

/* Names of nested values are joined by what the options say. */
static void separators(void **state)
{
    static const char pickle[] = P2 "}" TEXT("\1", "a") "}" TEXT("\1", "b") TENSOR("K\0", "K\4\x85", "K\1\x85") "ss.";
    pytree_error error = { 0 };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io, .separator = "/" };
    unsigned char *bytes = pt_file(pickle, sizeof pickle - 1, &memory.size);
    pytree_checkpoint *file;
    (void)state;
    assert_non_null(bytes);
    memory.bytes = bytes;
    file = pytree_pt_open("f", &opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(pytree_checkpoint_find(file, "a/b"));
    pytree_checkpoint_close(file);
    free(bytes);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

typedef struct Bytes {
    const unsigned char *at;
    size_t size;
} Bytes;

static pytree_status open_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *bytes = context;
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options options = { .io = &io };
    memory.bytes = bytes->at;
    memory.size = bytes->size;
    options.tree = *opt;
    pytree_checkpoint_close(pytree_pt_open("f", &options, err));
    return err->status;
}

static pytree_status read_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_memory *memory = context;
    pytree_memory own = *memory;
    pytree_io io = pytree_memory_io(&own);
    pytree_checkpoint_options options = { .io = &io };
    pytree_checkpoint *file;
    float to[20] = { 0 };
    pytree_status status;
    options.tree = *opt;
    file = pytree_pt_open("f", &options, err);
    if (file == NULL) { return err->status; }
    status = pytree_checkpoint_read(file, &file->tensors[0], to, sizeof to, err);
    if (status == PYTREE_OK) { assert_true(to[1] == 1001 && to[19] == 19001); }
    else { assert_true(to[1] == 0 && to[19] == 0); }
    pytree_checkpoint_close(file);
    return status;
}

/* Elements that lie apart are picked out of pieces of the file, for which memory may be lacking. */
static void reads_without_memory(void **state)
{
    static const char tensor[] = STRIDED("K\x14\x85", "M\xe8\3\x85");
    pytree_memory memory;
    (void)state;
    file_of(&memory, tensor, sizeof tensor - 1, numbers, sizeof numbers);
    assert_in_range(sweep_allocations(read_body, &memory), 4, 100);
    free((void *)(uintptr_t)memory.bytes);
}

/* A compressed pickle, with lists that grow: each allocation fails, zlib's among them. */
static void compressed_pickles(void **state)
{
    char pickle[2000], *at = pickle;
    unsigned char packed[2000];
    z_stream z;
    PtMember member = { "x/data.pkl", packed, 0 };
    Bytes bytes;
    unsigned char *made, *entry;
    size_t i;
    (void)state;
    at += sprintf(at, "\x80\x02](");
    for (i = 0; i < 1500; i++) { *at++ = 'N'; }
    at += sprintf(at, "e.");
    memset(&z, 0, sizeof z);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)pickle;
    z.avail_in = (uInt)(at - pickle);
    z.next_out = packed;
    z.avail_out = sizeof packed;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    member.size = z.total_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    bytes.at = made = pt_archive(&member, 1, &bytes.size);
    assert_non_null(made);
    entry = made + 30 + 10 + member.size;
    (void)pt_put(made + 8, 8, 2);         /* deflated */
    (void)pt_put(entry + 10, 8, 2);
    for (i = 0; i < 2; i++) {
        unsigned char *const to = i == 0 ? made + 14 : entry + 16;
        (void)pt_put(to, crc32(0, (const Bytef *)pickle, (uInt)(at - pickle)), 4);
        (void)pt_put(pt_put(to + 4, member.size, 4), (uint64_t)(at - pickle), 4);
    }
    assert_in_range(sweep_allocations(open_body, &bytes), 6, 200);
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides), cmocka_unit_test(strided_slices_and_bools), cmocka_unit_test(large_storages),
        cmocka_unit_test(directory_backwards), cmocka_unit_test(long_roots), cmocka_unit_test(separators),
        cmocka_unit_test(reads_without_memory), cmocka_unit_test(compressed_pickles)
    };
    return cmocka_run_group_tests_name("pt_storages", tests, NULL, NULL);
}
