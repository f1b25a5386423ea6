/* Key paths at the edges: messages that are cut between characters, keys that nothing answers, structs of very many members. */
#include "path_shared.h"
#include "pytree/containers.h"

/* Is that UTF-8 from its beginning to its end? */
static bool whole_characters(const char *s)
{
    while (*s != '\0') {
        const unsigned char c = (unsigned char)*s++;
        int left = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
        if (c >= 0x80 && c < 0xC0) { return false; }
        for (; left != 0; left--) {
            if (((unsigned char)*s++ & 0xC0) != 0x80) { return false; }
        }
    }
    return true;
}

/* A long key in a message loses its end, but no character loses a byte: of characters of each length, cut at each byte. */
static void messages_are_cut_between_characters(void **state)
{
    static const char *const characters[] = { "x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8C\xB2" };
    size_t kind, shift, i;
    (void)state;
    for (kind = 0; kind < COUNT_OF(characters); kind++) {
        for (shift = 0; shift < 8; shift++) {
            char path[700] = "['";
            pytree_error error = { 0 };
            const char *cut;
            for (i = 0; i < shift; i++) { strcat(path, "a"); }
            for (i = 0; i < 120; i++) { strcat(path, characters[kind]); }
            strcat(path, "']");
            assert_null(pytree_at(PYTREE_LIST(), path, NULL, &error).type);
            assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
            assert_true(whole_characters(error.message));
            cut = strstr(error.message, "...");
            assert_non_null(cut);
            assert_memory_equal(error.message, "expected ['", 11);
            assert_memory_equal(error.message + 9, path, (size_t)(cut - error.message) - 9);
            assert_string_equal(cut, "..., got an empty list");
        }
    }
}

/* So does the path of an error: its beginning and its end are the path's. */
static void paths_are_cut_between_characters(void **state)
{
    static const char *const characters[] = { "x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8C\xB2" };
    const char *missing = NULL;
    size_t kind, shift, i;
    (void)state;
    for (kind = 0; kind < COUNT_OF(characters); kind++) {
        for (shift = 0; shift < 8; shift++) {
            char key[700] = "", path[720];
            pytree_error error = { 0 };
            const char *cut;
            size_t n;
            for (i = 0; i < shift; i++) { strcat(key, "a"); }
            for (i = 0; i < 320; i += strlen(characters[kind])) { strcat(key, characters[kind]); }
            snprintf(path, sizeof path, "['%s']", key);
            assert_int_equal(pytree_num_leaves(PYTREE_DICT({ key, PYTREE(&missing) }), NULL, &error), SIZE_MAX);
            assert_error(error.status, PYTREE_NULL_POINTER, NULL, &error);
            assert_in_range(strlen(error.path), PYTREE_ERROR_PATH - 8, PYTREE_ERROR_PATH - 1);
            assert_true(whole_characters(error.path));
            cut = strstr(error.path, "...");
            assert_non_null(cut);
            assert_memory_equal(error.path, path, (size_t)(cut - error.path));
            n = strlen(cut + 3);
            assert_string_equal(cut + 3, path + strlen(path) - n);
        }
    }
}

static void keys_that_nothing_answers(void **state)
{
    pytree_error error = { 0 };
    const pytree grown = pytree_new_list(NULL, &error);
    const pytree nothing = { NULL, NULL };
    pytree_pair pair = { "x", PYTREE_INT(1) };
    pytree_items items = { .count = 1, .pairs = &pair };
    const pytree unnamed = { PYTREE_NAMEDTUPLE("P").type, &items };
    int64_t i;
    (void)state;
    for (i = 0; i < 5; i++) { assert_ok(pytree_list_append_copy(grown, PYTREE_INT(i), &error), &error); }
    assert_ok(pytree_list_remove(grown, 1, &error), &error);
    assert_int_equal(*(int64_t *)pytree_at(grown, "[1]", NULL, &error).data, 2);
    assert_null(pytree_at(grown, "[4]", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected [4], got a list of 4");
    pytree_free(grown);
    error.status = PYTREE_OK;
    assert_null(pytree_at(unnamed, ".y", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected .y, got a namedtuple with .x");
    error.status = PYTREE_OK;
    assert_null(pytree_at(PYTREE(&nothing), "[0]", NULL, &error).type);
    assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
}

/* A dict whose keys are numbers answers to numbers. */
static void keys_that_are_numbers(void **state)
{
    pytree_int_pair pairs[2] = { { -1, PYTREE_INT(10) }, { 5, PYTREE_INT(20) } };
    pytree_items items = { .count = 2, .int_pairs = pairs };
    const pytree dict = { PYTREE_DICT().type, &items };
    pytree_entry entry = { 0 };
    const pytree_path path = { 1, &entry };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(*(int64_t *)pytree_at(dict, "[-1]", NULL, &error).data, 10);
    assert_int_equal(*(int64_t *)pytree_at(dict, "[5]", NULL, &error).data, 20);
    entry.kind = PYTREE_INDEX;
    entry.index = (pytree_key_index)(int64_t)-1;               /* an index is no negative number */
    entry.name = "?";
    assert_null(pytree_get(dict, &path, NULL, &error).type);
    assert_int_equal(error.status, PYTREE_NOT_FOUND);
    error.status = PYTREE_OK;
    entry.kind = PYTREE_INT_KEY;
    assert_int_equal(*(int64_t *)pytree_get(dict, &path, NULL, &error).data, 10);
    assert_ok(error.status, &error);
}

/* An entry of no kind has no text. */
static void entries_of_no_kind(void **state)
{
    pytree_entry entries[2] = { { PYTREE_ATTRIBUTE, "a", 0 }, { PYTREE_KEY, "b", 0 } };
    const pytree_path path = { 2, entries };
    char text[20] = "";
    (void)state;
    memset(&entries[1].kind, 99, sizeof entries[1].kind);
    assert_int_equal(pytree_path_text(&path, text, sizeof text), 2);
    assert_string_equal(text, ".a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_cut_between_characters),
        cmocka_unit_test(paths_are_cut_between_characters),
        cmocka_unit_test(keys_that_nothing_answers),
        cmocka_unit_test(keys_that_are_numbers),
        cmocka_unit_test(entries_of_no_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
