/* Private functions, for what no public call can show in little time or memory. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#define PYTREE_FUNCTION_CHUNK 1000
#include "../files/npy_shared.h"
#include "pytree/containers.h"
#include "pytree/function.h"
#include "pytree/npz.h"

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

/* map, unmap and check of the tables that have them; and check by reading, for those that do not. */
static void maps_and_checks(void **state)
{
    static const char text[] = "a file that is looked at";
    char path[GOLDEN_PATH], scratch[5];
    pytree_memory memory = { 0 };
    pytree_io tables[3];
    size_t i;
    (void)state;
    scratch_path(path, "mapped");
    write_whole(path, text, sizeof text);
    memory.bytes = text;
    memory.size = sizeof text;
    tables[0] = pytree_io_system;
    tables[1] = pytree_memory_io(&memory);
    tables[2] = pytree_io_stdio;
    for (i = 0; i < COUNT_OF(tables); i++) {
        pytree_error error = { 0 };
        pytree__file file;
        assert_ok(pytree__file_open(&file, path, &tables[i], &error), &error);
        assert_true(file.size == sizeof text);
        if (tables[i].map != NULL) {
            const void *bytes = NULL;
            assert_int_equal(tables[i].map(tables[i].context, file.handle, file.size, &bytes), 0);
            assert_memory_equal(bytes, text, sizeof text);
            tables[i].unmap(tables[i].context, bytes, file.size);
        }
        assert_ok(pytree__file_check(&file, 0, sizeof text, scratch, sizeof scratch), &error);
        assert_ok(pytree__file_check(&file, 3, 0, scratch, sizeof scratch), &error);
        tables[i].check = NULL;
        assert_ok(pytree__file_check(&file, 7, sizeof text - 7, scratch, sizeof scratch), &error);
        assert_error(pytree__file_check(&file, 7, sizeof text, scratch, sizeof scratch), PYTREE_IO, "", &error);
        pytree__file_close(&file);
        pytree__file_close(&file);
    }
    assert_int_equal(remove(path), 0);
}

/* More than 2 GiB, in a sparse file: sizes and offsets beyond 31 bits. The whole of it under one compiler, as its memory has to
 * be had, and filled. */
static void golden_large(void **state)
{
    static const char name[] = "npy/valid/data-2gib.recipe.json";
    char path[GOLDEN_PATH], words[80];
    unsigned char end[16], at_once[16];
    pytree_leaf array;
    pytree_error error = { 0 };
    pytree__file file;
    Heap heap;
    pytree_checkpoint_options opt;
    uint64_t length;
    (void)state;
    scratch_path(path, "large.npy");
    length = golden_recipe(name, path);
    if (length == 0) { skip(); }
    assert_int_equal(pytree__file_open(&file, path, NULL, &error), PYTREE_OK);
    assert_true(file.size == length);
    assert_ok(pytree__file_read(&file, length - sizeof end, end, sizeof end), &error);
    assert_ok(pytree__file_check(&file, length - sizeof end, sizeof end, at_once, sizeof at_once), &error);
    pytree__file_close(&file);
    heap_init(&heap, 0);
    opt = options_with(NULL, &heap.allocator);
    assert_error(pytree_read_npy(path, &array, &opt, &error), PYTREE_NO_MEMORY, "", &error);
    snprintf(words, sizeof words, "expected %llu bytes", (unsigned long long)(length - 128 + 64 + sizeof(pytree__npy_owner)));
    assert_non_null(strstr(error.message, words));
#if defined(__OPTIMIZE__) && defined(__clang__) && SIZE_MAX > UINT32_MAX
    memset(&error, 0, sizeof error);
    assert_ok(pytree_read_npy(path, &array, NULL, &error), &error);
    assert_int_equal(array.ndim, 1);
    assert_true(array.shape[0] == length - 128);
    assert_memory_equal((char *)array.data + (array.shape[0] - sizeof end), end, sizeof end);
    pytree_npy_free(&array);
#endif
    assert_int_equal(remove(path), 0);
}

/* Sizes and places beyond 4 GiB, in the records alone: an entry as it is written is read back. */
static void entries_beyond_4_gib(void **state)
{
    static const uint64_t numbers[] = { 5, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, 0x123456789ABC };
    size_t i, k, m;
    (void)state;
    for (i = 0; i < COUNT_OF(numbers); i++) {
        for (k = 0; k < COUNT_OF(numbers); k++) {
            for (m = 0; m < COUNT_OF(numbers); m++) {
                pytree_memory file = { 0 };
                pytree_io io = pytree_memory_io(&file);
                pytree__npz_writer w;
                pytree__npz_written member;
                pytree__npz z;
                const unsigned char *bytes;
                uint64_t size, packed, at, *const values[] = { &size, &packed, &at };
                memset(&w, 0, sizeof w);
                memset(&z, 0, sizeof z);
                memset(&member, 0, sizeof member);
                member.size = numbers[i];
                member.packed = numbers[k];
                member.at = numbers[m];
                assert_int_equal(pytree__save_begin(&w.save, "bytes", &io, NULL, NULL), PYTREE_OK);
                pytree__npz_write_entry(&w, "name", &member);
                assert_int_equal(pytree__save_end(&w.save), PYTREE_OK);
                bytes = file.bytes;
                packed = pytree__npz_get32(bytes + 20);
                size = pytree__npz_get32(bytes + 24);
                at = pytree__npz_get32(bytes + 42);
                assert_int_equal(file.size, 46 + 8 + pytree__npz_get16(bytes + 30));
                assert_int_equal(pytree__npz_zip64(&z, bytes + 54, file.size - 54, values, 3), PYTREE_OK);
                assert_true(size == numbers[i] && packed == numbers[k] && at == numbers[m]);
                pytree_memory_free(&file);
            }
        }
    }
}

/* Sizes and places beyond 4 GiB, in the end records alone. */
static void directories_beyond_4_gib(void **state)
{
    static const struct { uint64_t begin, size, count; bool wide; } cases[] = {
        { 5, 7, 1, false }, { 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFE, false }, { 0xFFFFFFFF, 7, 1, true }, { 5, 0xFFFFFFFF, 1, true },
        { 0x123456789ABC, 0x100000007, 1, true }, { 5, 7, 0xFFFF, true }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        const uint64_t begin = cases[i].begin, size = cases[i].size, count = cases[i].count;
        const unsigned char *bytes, *end;
        pytree__npz_writer w;
        pytree_memory file = { 0 };
        pytree_io io = pytree_memory_io(&file);
        memset(&w, 0, sizeof w);
        assert_int_equal(pytree__save_begin(&w.save, "bytes", &io, NULL, NULL), PYTREE_OK);
        w.save.written = begin + size;
        pytree__npz_write_end(&w, begin, count);
        assert_int_equal(pytree__save_end(&w.save), PYTREE_OK);
        bytes = file.bytes;
        assert_int_equal(file.size, cases[i].wide ? 56 + 20 + 22 : 22);
        end = bytes + file.size - 22;
        assert_int_equal(pytree__npz_get32(end), PYTREE__NPZ_END);
        assert_true(pytree__npz_get16(end + 8) == (cases[i].wide ? 0xFFFF : count));
        assert_true(pytree__npz_get32(end + 12) == (cases[i].wide ? 0xFFFFFFFF : size));
        assert_true(pytree__npz_get32(end + 16) == (cases[i].wide ? 0xFFFFFFFF : begin));
        if (cases[i].wide) {
            assert_int_equal(pytree__npz_get32(bytes), PYTREE__NPZ_END64);
            assert_true(pytree__number_at(bytes + 32, 8) == count && pytree__number_at(bytes + 40, 8) == size);
            assert_true(pytree__number_at(bytes + 48, 8) == begin);
            assert_int_equal(pytree__npz_get32(bytes + 56), PYTREE__NPZ_LOCATOR);
            assert_true(pytree__number_at(bytes + 56 + 8, 8) == begin + size);
        }
        pytree_memory_free(&file);
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

/* Each level has about a quarter of the chunks of the one below it. The last one has all that would be in more. */
static void levels_of_chunks(void **state)
{
    size_t in[PYTREE__CHUNK_LEVELS + 1] = { 0 }, chunk;
    int level;
    (void)state;
    assert_int_equal(pytree__ct_levels(0), PYTREE__CHUNK_LEVELS);
    for (chunk = 1; chunk < 1000000; chunk++) {
        const int levels = pytree__ct_levels(chunk);
        assert_in_range(levels, 1, PYTREE__CHUNK_LEVELS);
        for (level = 1; level <= levels; level++) { in[level]++; }
    }
    for (level = 2; level < 8; level++) { assert_in_range(in[level], in[level - 1] / 5, in[level - 1] / 3); }
    assert_in_range(in[PYTREE__CHUNK_LEVELS], 1, 5);
}

/* Takes pieces, lets some grow and shrink from number `steady` on, and looks at them all in the end. */
static void check_pieces(struct pytree__fn_plan *plan, size_t steady)
{
    enum { PIECES = 600 };
    static unsigned char *pieces[PIECES];
    static size_t bytes[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        bytes[i] = 1 + i % 7;
        pieces[i] = pytree__resize(&plan->arena, NULL, 0, bytes[i]);
        memset(pieces[i], (int)(i % 251), bytes[i]);
        if (i >= steady && i % 20 == 19) {      /* the last piece, in its place or not */
            pieces[i] = pytree__resize(&plan->arena, pieces[i], bytes[i], 300);
            memset(pieces[i] + bytes[i], (int)(i % 251), 300 - bytes[i]);
            bytes[i] = 300;
        }
        if (i >= steady && i % 50 == 49) {      /* not the last piece */
            const size_t now = i % 100 == 49 ? 200 : 1;
            pieces[i - 1] = pytree__resize(&plan->arena, pieces[i - 1], bytes[i - 1], now);
            if (now == 200) { memset(pieces[i - 1] + bytes[i - 1], (int)((i - 1) % 251), now - bytes[i - 1]); }
            bytes[i - 1] = now;
        }
    }
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < bytes[i]; k++) { assert_int_equal(pieces[i][k], i % 251); }
    }
}

/* The memory in which a call prepares its function: pieces of all sizes, in chunks that are no multiple of what pieces are
 * aligned to. */
static void pieces_of_all_sizes(void **state)
{
    Heap heap;
    pytree_fn_options options = { 0 };
    struct pytree__fn_plan plan;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    options.tree.allocator = &heap.allocator;
    for (int way = 0; way < 4; way++) {
        union pytree__fn_start start;
        if (way % 2 != 0) {
            pytree__fn_plan_on_stack(&plan, &start, &options);
        } else {
            pytree__fn_plan_begin(&plan, NULL, &options);
        }
        check_pieces(&plan, way / 2 == 0 ? 100 : 0);
        pytree__fn_plan_end(&plan);
        assert_heap_clean(&heap);
    }
}

/* ---- Rows -------------------------------------------------------------------------------------------------------------- */

/* One row only looks as if it read through a pointer, the other does. */
typedef struct Cached { int shape[2]; void *cache; double *x; } Cached;
typedef struct Watched { int *count; void *cache; double *x; } Watched;
#define PYTREE_STRUCT Cached
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(self->shape[1]))
#include "pytree_registry.h"
#define PYTREE_STRUCT Watched
#define PYTREE_FIELDS PYTREE_FIELD(DROP, count) PYTREE_FIELD(DROP, cache) PYTREE_FIELD(DATA, x, ARRAY(*self->count))
#include "pytree_registry.h"

/* What is NULL is a pointer of a struct in it, which its row, without a point, does not read. */
typedef struct Around { Watched watched; int shape[2]; double *y; } Around;
#define PYTREE_STRUCT Around
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, watched) PYTREE_FIELD(STATIC, shape) PYTREE_FIELD(DATA, y, ARRAY(self->shape[1]))
#include "pytree_registry.h"

/* The frame of a list remembers that texts need no search for the structs that follow. */
static void texts_that_are_searched_once(void **state)
{
    int count = 1;
    const Cached cached = { { 1, 1 }, NULL, NULL }, full = { { 1, 1 }, &count, (double *)&count };
    const Watched watched = { &count, NULL, NULL };
    const Around around = { { &count, NULL, NULL }, { 1, 1 }, (double *)&count };
    pytree__frame list;
    (void)state;
    memset(&list, 0, sizeof list);
    assert_int_equal(pytree__lacks(PYTREE_TYPE(Cached), &full, false, &list), PYTREE__LACKS_NOTHING);
    assert_false(list.harmless);                               /* nothing is NULL: no text was searched */
    assert_int_equal(pytree__lacks(PYTREE_TYPE(Watched), &watched, false, &list), PYTREE__LACKS_NOTHING);
    assert_false(list.harmless);
    assert_int_equal(pytree__lacks(PYTREE_TYPE(Around), &around, false, &list), PYTREE__LACKS_NOTHING);
    assert_false(list.harmless);                               /* some texts were not */
    assert_int_equal(pytree__lacks(PYTREE_TYPE(Cached), &cached, false, &list), PYTREE__LACKS_NOTHING);
    assert_true(list.harmless);
}

/* Sizes that are rounded up to an alignment. */
static void aligned_sizes(void **state)
{
    (void)state;
    assert_true(pytree__align(0, 64) == 0);
    assert_true(pytree__align(64, 64) == 64);
    assert_true(pytree__align(65, 64) == 128);
    assert_true(pytree__align(SIZE_MAX - 3, 64) == SIZE_MAX);
}

/* ---- Structs behind pointers -------------------------------------------------------------------------------------------- */

typedef struct Inner { int n; float *w; } Inner;

#define PYTREE_STRUCT Inner
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Outer { Inner first; Inner *one; Inner middle; Inner *other; Inner last; } Outer;

#define PYTREE_STRUCT Outer
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, first)                              \
    PYTREE_FIELD(DATA, one, OPTIONAL)                      \
    PYTREE_FIELD(DATA, middle)                             \
    PYTREE_FIELD(DATA, other, OPTIONAL)                    \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

/* A struct and what its pointers lead to are compared with a treedef at once: with all nodes, and no more than there are. */
static void nodes_behind_pointers(void **state)
{
    float value[2] = { 0 };
    Inner inner = { 2, value };
    Outer outer = { { 2, value }, NULL, { 2, value }, NULL, { 2, value } };
    const pytree_type *const type = PYTREE_TYPE(Outer);
    pytree__layout_cache cache;
    pytree__layout_space layouts;
    int which;
    (void)state;
    assert_true(pytree__contained(type));
    pytree__layout_cache_init(&cache, &layouts);
    for (which = 0; which < 4; which++) {
        pytree_def *def;
        size_t n;
        outer.one = which % 2 != 0 ? &inner : NULL;
        outer.other = which > 1 ? &inner : NULL;
        def = pytree_structure(PYTREE(&outer), NULL, NULL);
        for (n = 0; n < def->n_nodes; n++) {
            assert_int_equal(pytree__follow_matches(&cache, type, (const char *)&outer, def, def->nodes, n), 0);
        }
        assert_int_equal(pytree__follow_matches(&cache, type, (const char *)&outer, def, def->nodes, n), n);
        pytree_def_free(def);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_sizes), cmocka_unit_test(texts_that_are_searched_once),
        cmocka_unit_test(maps_and_checks), cmocka_unit_test(golden_large), cmocka_unit_test(entries_beyond_4_gib),
        cmocka_unit_test(directories_beyond_4_gib), cmocka_unit_test(levels_of_chunks), cmocka_unit_test(pieces_of_all_sizes),
        cmocka_unit_test(nodes_behind_pointers)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
