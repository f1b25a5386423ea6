/* .npz: any bytes are refused, or give a dict of arrays that is saved, stored and deflated, and read again as the same. */
#include "fuzz.h"
#include "pytree/npz.h"

static const pytree_tolerance nan_too = { 0, 0, true };

static void require_same(pytree a, pytree b, const pytree_options *opt)
{
    pytree_error err = { 0 };
    bool equal = pytree_equal(a, b, &nan_too, opt, &err);
    if (!equal) { pytree_error_print(stderr, &err); }
    REQUIRE(equal);
}

static void write_and_read(pytree arrays, int compress)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io, .compress = compress };
    pytree again, zeros;
    REQUIRE(pytree_save_npz("", arrays, &opt, NULL) == PYTREE_OK);
    REQUIRE(pytree_read_npz("", &again, &opt, NULL) == PYTREE_OK);
    require_same(arrays, again, NULL);
    zeros = pytree_zeros_like(arrays, NULL, NULL);
    REQUIRE(zeros.data != NULL && pytree_load_npz("", zeros, &opt, NULL) == PYTREE_OK);
    require_same(arrays, zeros, NULL);
    pytree_free(zeros);
    pytree_npz_free(again);
    pytree_memory_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pytree_memory file = { .bytes = data, .size = size };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io, .ignore_unexpected = true, .convert = true };
    pytree_error err = { 0 };
    float w[2][3] = { { 1 } }, same[2][3] = { { 1 } };
    pytree tree = PYTREE_DICT({ "conv1.weight", PYTREE_ARRAY(&w[0][0], 2, 3) }), arrays;
    pytree_status status = pytree_read_npz("", &arrays, &opt, &err);
    REQUIRE(status == err.status);
    fuzz_check_error(status == PYTREE_OK, &err);
    if (pytree_load_npz("", tree, &opt, NULL) != PYTREE_OK) { REQUIRE(memcmp(w, same, sizeof w) == 0); }
    if (status == PYTREE_OK) {
        REQUIRE(pytree_check(arrays, NULL, NULL, NULL, NULL) == PYTREE_OK);
        write_and_read(arrays, 0);
        write_and_read(arrays, 1);
    } else {
        REQUIRE(arrays.data == NULL);
    }
    pytree_npz_free(arrays);
    return 0;
}

/* ---- Mutation: a change that only breaks a checksum would lead no further, so checksums are put right -------------- */

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static uint32_t get(const uint8_t *p, unsigned n)
{
    uint32_t v = 0;
    while (n-- != 0) { v = v << 8 | p[n]; }
    return v;
}

static void put(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) { p[i] = (uint8_t)(v >> 8 * i); }
}

/* Of a member's data, deflated or not; 0 if it is damaged or long. */
static uint32_t sum_of(const uint8_t *data, size_t size, bool deflated)
{
    static uint8_t room[1 << 16];
    z_stream z = { .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = room, .avail_out = sizeof room };
    int code;
    if (!deflated) { return (uint32_t)crc32(0, data, (uInt)size); }
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) { return 0; }
    code = inflate(&z, Z_FINISH);
    (void)inflateEnd(&z);
    return code == Z_STREAM_END ? (uint32_t)crc32(0, room, (uInt)z.total_out) : 0;
}

/* Each directory entry that has a member, wherever one begins: the sizes of both are believed. */
static void mend(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 46 <= size; at++) {
        uint8_t *entry = data + at, *local;
        size_t begin = get(entry + 42, 4), packed = get(entry + 20, 4), from;
        if (memcmp(entry, "PK\1\2", 4) != 0 || begin > size - 30 || memcmp(data + begin, "PK\3\4", 4) != 0) { continue; }
        local = data + begin;
        from = begin + 30 + get(local + 26, 2) + get(local + 28, 2);
        if (from > size || packed > size - from) { continue; }
        put(entry + 16, sum_of(data + from, packed, get(entry + 10, 2) == 8));
        if ((get(local + 6, 2) & 8) == 0) { memcpy(local + 14, entry + 16, 4); }
        else if (size - from - packed >= 8) { memcpy(data + from + packed + 4, entry + 16, 4); }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 4 != 0 && size >= 30) { mend(data, size); }
    return size;
}
#endif
