/* Archives that are made by hand: members that are no arrays, streams that end early or late, records that cannot be. */
#include "npz_shared.h"

#include "pt_archive.h"

/* ---- Archives ---------------------------------------------------------------------------------------------------------- */

enum {
    ROOM = 300000, BLOCK = 60000,
    STORED = 0, DEFLATED = 8,             /* methods of the format */
    PIECE = 196608                        /* of packed bytes that are read at a time */
};

/* A member: its bytes in the archive, and those that they stand for. */
typedef struct ZipMember {
    const char *name;
    unsigned method;
    const void *packed;
    size_t n_packed;
    const void *whole;
    size_t n_whole;
} ZipMember;

static unsigned char *put_common(unsigned char *to, const ZipMember *m)
{
    to = pt_put(pt_put(pt_put(to, 0, 2), m->method, 2), 0, 4);
    to = pt_put(to, crc32(0, m->whole, (uInt)m->n_whole), 4);
    return pt_put(pt_put(pt_put(to, m->n_packed, 4), m->n_whole, 4), strlen(m->name), 2);
}

/* An archive of these members, the first of which begins behind `before` bytes. To be freed. */
static unsigned char *make_archive(const ZipMember *members, size_t n, size_t before, size_t *size)
{
    unsigned char *made = calloc(1, ROOM), *to;
    size_t i, begin, at[4];
    assert_non_null(made);
    to = made + before;
    for (i = 0; i < n; i++) {
        at[i] = (size_t)(to - made);
        to = pt_put(put_common(pt_put(pt_put(to, 0x04034B50u, 4), 20, 2), &members[i]), 0, 2);
        memcpy(to, members[i].name, strlen(members[i].name));
        to += strlen(members[i].name);
        memcpy(to, members[i].packed, members[i].n_packed);
        to += members[i].n_packed;
    }
    begin = (size_t)(to - made);
    for (i = 0; i < n; i++) {
        to = pt_put(pt_put(put_common(pt_put(pt_put(to, 0x02014B50u, 4), 20u << 16 | 20, 4), &members[i]), 0, 12), at[i], 4);
        memcpy(to, members[i].name, strlen(members[i].name));
        to += strlen(members[i].name);
    }
    i = (size_t)(to - made) - begin;
    to = pt_put(pt_put(pt_put(pt_put(to, 0x06054B50u, 4), 0, 4), n, 2), n, 2);
    *size = (size_t)(pt_put(pt_put(pt_put(to, i, 4), begin, 4), 0, 2) - made);
    assert_in_range(*size, 1, ROOM);
    return made;
}

/* A deflate stream of stored blocks; `last`: it ends behind them. Returns its length. */
static size_t make_stream(unsigned char *to, const unsigned char *from, size_t n, bool last)
{
    unsigned char *const begin = to;
    do {
        const size_t part = n < BLOCK ? n : BLOCK;
        *to++ = last && part == n;
        to = pt_put(pt_put(to, part, 2), ~part & 0xFFFF, 2);
        memcpy(to, from, part);
        to += part;
        from += part;
        n -= part;
    } while (n != 0);
    return (size_t)(to - begin);
}

/* The file of one array of float: 1, 2. */
static size_t make_array(unsigned char to[128])
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    static const unsigned char numbers[8] = { 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40 };
    memcpy(to, "\x93NUMPY\1", 8);
    to[8] = sizeof text - 1;
    to[9] = 0;
    memcpy(to + 10, text, sizeof text - 1);
    memcpy(to + 10 + sizeof text - 1, numbers, sizeof numbers);
    return 10 + sizeof text - 1 + sizeof numbers;
}

/* ---- Members ----------------------------------------------------------------------------------------------------------- */

/* What is no array is checked like all that no leaf asks for, whatever its name, and does not become a tree. */
static void members_that_are_no_arrays(void **state)
{
    static unsigned char notes[100000], packed[ROOM];
    unsigned char array[128], *bytes;
    ZipMember members[3] = { { "x", STORED, "!", 1, "!", 1 },
                             { "notes.txt", DEFLATED, packed, 0, notes, 0 },
                             { "a.npy", STORED, array, 0, array, 0 } };
    size_t size, i;
    float a[2] = { 0, 0 };
    pytree t = PYTREE_DICT({ "a", PYTREE_ARRAY(a, 2) }), arrays;
    pytree_error error = { 0 };
    Archive place;
    (void)state;
    for (i = 0; i < sizeof notes; i++) { notes[i] = (unsigned char)(i * 7 >> 3); }
    members[1].n_whole = sizeof notes;
    members[1].n_packed = make_stream(packed, notes, sizeof notes, true);
    members[2].n_whole = members[2].n_packed = make_array(array);
    bytes = make_archive(members, 3, 0, &size);
    archive_init(&place, bytes, size, NULL);
    assert_ok(pytree_load_npz("bytes", t, &place.opt, &error), &error);
    assert_true(a[0] == 1 && a[1] == 2);
    assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
    assert_int_equal(((const pytree_items *)arrays.data)->count, 1);
    assert_true(((const float *)array_of(arrays, "a")->data)[1] == 2);
    pytree_npz_free(arrays);
    free(bytes);

    a[0] = a[1] = 5;
    packed[3] ^= 1;                       /* the first block's length, once more */
    bytes = make_archive(members, 3, 0, &size);
    archive_init(&place, bytes, size, NULL);
    assert_error(pytree_load_npz("bytes", t, &place.opt, &error), PYTREE_SYNTAX, "", &error);
    assert_string_equal(error.message, "expected a deflate stream, got other bytes in 'notes.txt'");
    assert_true(a[0] == 5 && a[1] == 5);
    free(bytes);
}

/* ---- Streams ----------------------------------------------------------------------------------------------------------- */

/* Streams that end before or behind their data. One is as long as the pieces in which a file is read: nothing of what follows
 * it has been read when it ends. */
static void ends_of_streams(void **state)
{
    static const struct { size_t n_whole, n_stream, behind; bool last; const char *message; } cases[] = {
        { 1000, 1000, 0, true, "" },
        { 1000, 1000, 1, true, "expected 1000 bytes of 1006 packed ones, got more in 'x'" },
        { 1000, 1001, 0, true, "expected 1000 bytes of 1006 packed ones, got more in 'x'" },
        { 1000, 999, 0, true, "expected 1000 bytes of data, got fewer in 'x'" },
        { 1000, 999, 0, false, "expected a deflate stream, got one that is cut in 'x'" },
        { 1000, 1000, 0, false, "expected a deflate stream, got one that is cut in 'x'" },
        { PIECE - 20, PIECE - 20, 0, true, "" },
        { PIECE - 20, PIECE - 20, 3, true,
          "expected 196588 bytes of 196611 packed ones, got more in 'x'" }
    };
    static unsigned char whole[ROOM], packed[ROOM];
    size_t i;
    (void)state;
    for (i = 0; i < sizeof whole; i++) { whole[i] = (unsigned char)(i * 7 >> 3); }
    for (i = 0; i < COUNT_OF(cases); i++) {
        ZipMember member = { "x", DEFLATED, packed, 0, whole, 0 };
        unsigned char *bytes;
        size_t size;
        pytree_error error = { 0 };
        pytree arrays;
        Archive place;
        Heap heap;
        member.n_whole = cases[i].n_whole;
        member.n_packed = make_stream(packed, whole, cases[i].n_stream, cases[i].last) + cases[i].behind;
        bytes = make_archive(&member, 1, 0, &size);
        heap_init(&heap, HEAP_NEVER_FAILS);
        archive_init(&place, bytes, size, &heap.allocator);
        if (cases[i].message[0] == '\0') {
            assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
            assert_int_equal(((const pytree_items *)arrays.data)->count, 0);
            pytree_npz_free(arrays);
        } else {
            assert_error(pytree_read_npz("bytes", &arrays, &place.opt, &error), PYTREE_SYNTAX, "", &error);
            assert_string_equal(error.message, cases[i].message);
        }
        assert_heap_clean(&heap);
        free(bytes);
    }
}

/* ---- Sizes behind members ---------------------------------------------------------------------------------------------- */

/* An archive of the array 1, 2, whose sizes stand behind it: with a signature or not, in 4 or 8 bytes; `wrong` bytes off. */
static unsigned char *described(bool sign, size_t wide, uint64_t wrong, size_t *size)
{
    unsigned char array[128], *made = calloc(1, 1000), *to = made;
    const size_t n = make_array(array);
    const uint32_t crc = (uint32_t)crc32(0, array, (uInt)n);
    size_t begin;
    assert_non_null(made);
    to = pt_put(pt_put(pt_put(pt_put(to, 0x04034B50u, 4), 20, 2), 8, 2), 0, 6);
    to = pt_put(pt_put(pt_put(to, 0, 12), 5, 2), 0, 2);
    memcpy(to, "a.npy", 5);
    memcpy(to + 5, array, n);
    to += 5 + n;
    if (sign) { to = pt_put(to, 0x08074B50u, 4); }
    to = pt_put(pt_put(pt_put(to, crc, 4), n + wrong, wide), n, wide);
    begin = (size_t)(to - made);
    to = pt_put(pt_put(pt_put(pt_put(to, 0x02014B50u, 4), 20u << 16 | 20, 4), 8, 2), 0, 6);
    to = pt_put(pt_put(pt_put(pt_put(pt_put(to, crc, 4), n, 4), n, 4), 5, 2), 0, 12);
    to = pt_put(to, 0, 4);
    memcpy(to, "a.npy", 5);
    to += 5;
    *size = (size_t)(to - made) - begin;
    to = pt_put(pt_put(pt_put(pt_put(to, 0x06054B50u, 4), 0, 4), 1, 2), 1, 2);
    *size = (size_t)(pt_put(pt_put(pt_put(to, *size, 4), begin, 4), 0, 2) - made);
    return made;
}

static void sizes_behind_members(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < 8; i++) {
        size_t size;
        unsigned char *bytes = described((i & 1) != 0, (i & 2) != 0 ? 8 : 4, i >> 2, &size);
        float a[2] = { 0, 0 };
        pytree_error error = { 0 };
        Archive place;
        pytree_status status;
        archive_init(&place, bytes, size, NULL);
        status = pytree_load_npz("bytes", PYTREE_DICT({ "a", PYTREE_ARRAY(a, 2) }), &place.opt, &error);
        if (i < 4) {
            assert_ok(status, &error);
            assert_true(a[0] == 1 && a[1] == 2);
        } else {
            assert_error(status, PYTREE_SYNTAX, "", &error);
        }
        free(bytes);
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------------- */

/* The first member begins where the file does, although the directory could lead elsewhere. */
static void bytes_before_the_members(void **state)
{
    static const ZipMember member = { "x", STORED, "!", 1, "!", 1 };
    size_t before;
    (void)state;
    for (before = 0; before <= 4; before += 4) {
        size_t size;
        unsigned char *bytes = make_archive(&member, 1, before, &size);
        pytree_error error = { 0 };
        pytree arrays;
        Archive place;
        archive_init(&place, bytes, size, NULL);
        if (before == 0) {
            assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
        } else {
            assert_error(pytree_read_npz("bytes", &arrays, &place.opt, &error), PYTREE_SYNTAX, "", &error);
            assert_string_equal(error.message, "expected members one after another from the first byte to the directory, got a "
                                               "gap or an overlap in 'bytes'");
        }
        pytree_npz_free(arrays);
        free(bytes);
    }
}

/* Extra fields of a directory's entry: others are passed over, of the zip64 field there may be one. */
static void extra_fields(void **state)
{
    static const struct { unsigned first, second; const char *message; } cases[] = {
        { 7, 9, NULL }, { 7, 1, NULL }, { 1, 7, NULL }, { 1, 1, "expected one zip64 field, got two in 'bytes'" }
    };
    unsigned char array[128];
    const size_t n_array = make_array(array);
    const ZipMember member = { "a.npy", STORED, array, n_array, array, n_array };
    enum { END = 22, EXTRA = 8 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        size_t size;
        unsigned char *const bytes = make_archive(&member, 1, 0, &size), *const end = bytes + size - END;
        unsigned char *const entry = end - 46 - strlen(member.name);
        pytree_error error = { 0 };
        pytree arrays;
        Archive place;
        memmove(end + EXTRA, end, END);
        (void)pt_put(pt_put(pt_put(pt_put(end, cases[i].first, 2), 0, 2), cases[i].second, 2), 0, 2);
        (void)pt_put(entry + 30, EXTRA, 2);
        (void)pt_put(end + EXTRA + 12, 46 + strlen(member.name) + EXTRA, 4);
        archive_init(&place, bytes, size + EXTRA, NULL);
        if (cases[i].message == NULL) {
            assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
            assert_true(((const float *)array_of(arrays, "a")->data)[1] == 2);
        } else {
            assert_error(pytree_read_npz("bytes", &arrays, &place.opt, &error), PYTREE_SYNTAX, "", &error);
            assert_string_equal(error.message, cases[i].message);
        }
        pytree_npz_free(arrays);
        free(bytes);
    }
}

/* A locator that nothing precedes, or less than the record that it is to lead to. */
static void locator_without_a_record(void **state)
{
    size_t before;
    (void)state;
    for (before = 0; before <= 60; before += 20) {
        unsigned char bytes[128] = { 0 }, *to = bytes + before;
        pytree_error error = { 0 };
        pytree arrays;
        Archive place;
        to = pt_put(pt_put(pt_put(pt_put(to, 0x07064B50u, 4), 0, 4), 0, 8), 1, 4);
        to = pt_put(pt_put(to, 0x06054B50u, 4), 0, 18);
        archive_init(&place, bytes, (size_t)(to - bytes), NULL);
        assert_error(pytree_read_npz("bytes", &arrays, &place.opt, &error), PYTREE_SYNTAX, "", &error);
        assert_string_equal(error.message, before < 56
            ? "expected a zip64 end record before its locator, got none in 'bytes'"
            : "expected a zip64 end record that agrees with the end record, got another in 'bytes'");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_that_are_no_arrays), cmocka_unit_test(ends_of_streams), cmocka_unit_test(sizes_behind_members),
        cmocka_unit_test(bytes_before_the_members), cmocka_unit_test(extra_fields), cmocka_unit_test(locator_without_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
