/* JSON in .safetensors files and in indexes of shards: each token in every form, and cut short everywhere. */
#include "support.h"
#include "golden_files.h"
#include "pytree/safetensors.h"

#include <errno.h>

/* ---- Indexes ------------------------------------------------------------------------------------------------------- */

/* Open an index that is in memory. */
static pytree_safetensors *open_index(const char *text, size_t n, pytree_error *err)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    const pytree_checkpoint_options opt = { .io = &io };
    memset(err, 0, sizeof *err);
    memory.bytes = text;
    memory.size = n;
    return pytree_safetensors_open("m.safetensors.index.json", &opt, err);
}

static void indexes(void **state)
{
    static const struct { const char *text, *words; } cases[] = {      /* no words: it is good, and has no tensors */
        { "\r\n\t {\"weight_map\" : { } }\r", NULL },
        { "{\"\\ue000\\uFFFF\\ud83d\\ude00\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"weight_map\":{}}", NULL },
        { "{\"x\":[true,false,null,-0,0.5,1E+2,-1e-2,{\"y\":[]}],\"weight_map\":{}}", NULL },
        { "{\"weight_map\\u0000\":1,\"weight_map\":{}}", NULL },
        { "{\"a\":\"\\ud800\\ue000\"", "expected a low surrogate before this" },
        { "{\"a\":\"\\ud800\\ud7ff\"", "expected a low surrogate before this" },
        { "{\"a\":\"\\ud800", "expected a low surrogate" },
        { "{\"a\":\"\\ud800x", "expected a low surrogate" },
        { "{\"a\":\"\\ud800xu", "expected a low surrogate" },
        { "{\"a\":\"\\ud800\\n\"", "expected a low surrogate" },
        { "{\"a\":\"\\ud800\\ud8\"", "expected four hexadecimal digits" },
        { "{\"a\":\"\\udc00\"", "expected no low surrogate on its own before this" },
        { "{\"a\":\"\\", "expected an escape" },
        { "{\"a\":\"\\x\"", "expected an escape" },
        { "{\"a\":\"", "expected the end of a string" },
        { "{\"a\":-", "expected digits" },
        { "{\"a\":0", "expected ','" },
        { "{\"a\":12", "expected ','" },
        { "{\"a\":1.", "expected digits" },
        { "{\"a\":1.5", "expected ','" },
        { "{\"a\":1e", "expected digits" },
        { "{\"a\":1e+", "expected digits" },
        { "{\"a\":1e-7", "expected ','" },
        { "{\"a\":nul", "expected a value" },
        { "{\"a\":/", "expected a value" },
        { "{\"a\":\xFF}", "expected UTF-8" },
        { "[]", "expected '{'" },
        { "{1:2}", "expected a string" },
        { "{\"weight_map\":{1:\"f\"}}", "expected a string" },
        { "{\"weight_map\":{\"a\" \"f\"}}", "expected ':'" },
        { "{\"weight_map\":{\"a\":1}}", "expected a string" },
        { "{\"weight_map\":{\"a\\u0000\":\"f\"}}", "expected no U+0000 in names and metadata" },
        { "{\"weight_map\":{\"a\":\"\"}}", "expected the plain name of a file beside the index" },
        { "{\"weight_map\":{\"a\":\".\"}}", "expected the plain name of a file beside the index" },
        { "{\"weight_map\":{\"a\":\"..\"}}", "expected the plain name of a file beside the index" },
        { "{\"weight_map\":{\"a\":\"../f\"}}", "expected the plain name of a file beside the index" },
        { "{\"weight_map\":{},\"weight_map\":{}}", "expected one weight_map" },
        { "{}", "expected a weight_map" },
        { "{\"weight_map\":{}} x", "expected the end" }
    };
    pytree_error error;
    pytree_safetensors *file;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        file = open_index(cases[i].text, strlen(cases[i].text), &error);
        if (cases[i].words == NULL) {
            assert_ok(error.status, &error);
            assert_int_equal(file->n_tensors, 0);
            pytree_safetensors_close(file);
            continue;
        }
        assert_null(file);
        assert_int_equal(error.status, PYTREE_SYNTAX);
        if (strstr(error.message, cases[i].words) == NULL) { fail_msg("%s: %s", cases[i].text, error.message); }
    }
    file = open_index("{\"weight_map\":{}}\0", 18, &error);    /* a NUL is not the end */
    assert_null(file);
    assert_non_null(strstr(error.message, "expected the end"));
}

/* ---- Headers ------------------------------------------------------------------------------------------------------- */

static void headers(void **state)
{
    static const struct { const char *text, *words; } cases[] = {
        { "{\"\\u12", "expected four hexadecimal digits" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[12", "expected" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[0", "expected" },
        { "{\"a\":{\"dtype\":\"F32\\u0000\",\"shape\":[],\"data_offsets\":[0,4]}}", "expected a dtype, got 'F32'" },
        { "{\"a\":{\"dtype\":\"F33\",\"shape\":[],\"data_offsets\":[0,4]}}", "expected a dtype, got 'F33'" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        unsigned char bytes[200] = { 0 };
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        const pytree_checkpoint_options opt = { .io = &io };
        pytree_error error = { 0 };
        bytes[0] = (unsigned char)strlen(cases[i].text);
        memcpy(bytes + 8, cases[i].text, bytes[0]);
        memory.bytes = bytes;
        memory.size = 8u + bytes[0];
        assert_null(pytree_safetensors_open("m.safetensors", &opt, &error));
        assert_int_equal(error.status, PYTREE_SYNTAX);
        if (strstr(error.message, cases[i].words) == NULL) { fail_msg("%s: %s", cases[i].text, error.message); }
    }
}

/* ---- Shards -------------------------------------------------------------------------------------------------------- */

/* Files in memory, by name. */
typedef struct Named {
    const char *name;
    const unsigned char *bytes;
    uint64_t size;
} Named;

static int opens_named(void *context, const char *path, void **file, uint64_t *size)
{
    Named *n = context;
    for (; n->name != NULL; n++) {
        if (strcmp(n->name, path) == 0) {
            *file = n;
            *size = n->size;
            return 0;
        }
    }
    return ENOENT;
}

static int reads_named(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    const Named *from = file;
    (void)context;
    memcpy(to, from->bytes + at, n);
    *done = n;
    return 0;
}

static int closes_named(void *context, void *file)
{
    (void)context;
    (void)file;
    return 0;
}

/* Each shard may have metadata: those of the first count. Names of files are those beside the index, also where that has no
 * folder before its name. */
static void shards(void **state)
{
    static const char index[] = "{\"weight_map\":{\"a\":\"one\",\"b\":\"two\"}}";
    static const char one[] = "{\"__metadata__\":{\"k\":\"1\"},\"a\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}";
    static const char two[] = "{\"__metadata__\":{\"k\":\"2\"},\"b\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}";
    unsigned char first[200] = { sizeof one - 1 }, second[200] = { sizeof two - 1 };
    Named files[] = {
        { "safetensors.index.json", (const unsigned char *)index, sizeof index - 1 },
        { "one", first, 8 + sizeof one }, { "two", second, 8 + sizeof two }, { NULL, NULL, 0 }
    };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    const pytree_checkpoint_options opt = { .io = &io };
    unsigned char a = 0, b = 0;
    pytree_error error = { 0 };
    pytree_safetensors *file;
    (void)state;
    memcpy(first + 8, one, sizeof one - 1);
    memcpy(second + 8, two, sizeof two - 1);
    first[8 + sizeof one - 1] = 5;
    second[8 + sizeof two - 1] = 6;
    io.context = files;
    io.open = opens_named;
    io.read = reads_named;
    io.close = closes_named;
    io.map = NULL;
    io.check = NULL;
    file = pytree_safetensors_open(files[0].name, &opt, &error);
    assert_ok(error.status, &error);
    assert_true(file->n_files == 2 && file->n_metadata == 1);
    assert_string_equal(file->metadata[0].text, "1");
    assert_ok(pytree_checkpoint_load(file, PYTREE_DICT({ "a", PYTREE(&a) }, { "b", PYTREE(&b) }), &opt, &error), &error);
    assert_true(a == 5 && b == 6);
    pytree_safetensors_close(file);
    files[0].size = UINT64_C(1) << 40;
    assert_null(pytree_safetensors_open(files[0].name, &opt, &error));
    assert_error(error.status, PYTREE_SYNTAX, "", &error);
    assert_non_null(strstr(error.message, "expected an index of at most 100000000 bytes, got 1099511627776"));
}

/* ---- What is saved ------------------------------------------------------------------------------------------------- */

static void metadata_that_is_no_text(void **state)
{
    static const pytree_metadata cases[] = { { NULL, "x" }, { "k", NULL }, { "\xFF", "x" }, { "k", "\xFF" } };
    const pytree_metadata good[] = { { "k\x01\"", "\n\x1f" }, { "l", "" } };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io, .n_metadata = 1 };
    pytree_error error = { 0 };
    float x = 1;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        memset(&error, 0, sizeof error);
        opt.metadata = &cases[i];
        assert_error(pytree_save_safetensors("f", PYTREE(&x), &opt, &error), PYTREE_ARGUMENT, "", &error);
        assert_string_equal(error.message, "expected metadata in UTF-8, got NULL or other bytes");
    }
    memset(&error, 0, sizeof error);
    opt.metadata = good;
    opt.n_metadata = 2;
    assert_ok(pytree_save_safetensors("f", PYTREE_DICT({ "x", PYTREE(&x) }), &opt, &error), &error);
    assert_non_null(strstr((const char *)memory.bytes + 8, "{\"k\\u0001\\\"\":\"\\n\\u001f\",\"l\":\"\"}"));
    pytree_memory_free(&memory);
}

/* A header has at most 100 MB, in which each of these characters takes six. */
static void metadata_that_is_too_long(void **state)
{
    enum { MOST = 100000000 / 6 + 1 };
    pytree_metadata long_one = { "k", NULL };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io, .metadata = &long_one, .n_metadata = 1 };
    pytree_error error = { 0 };
    char *text = malloc(MOST + 1);
    float x = 1;
    (void)state;
    assert_non_null(text);
    memset(text, 1, MOST);
    text[MOST] = '\0';
    long_one.text = text;
    assert_error(pytree_save_safetensors("f", PYTREE_DICT({ "x", PYTREE(&x) }), &opt, &error), PYTREE_OVERFLOW, "", &error);
    assert_non_null(strstr(error.message, "expected a header of at most 100000000 bytes"));
    assert_null(memory.bytes);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes), cmocka_unit_test(headers), cmocka_unit_test(shards),
        cmocka_unit_test(metadata_that_is_no_text), cmocka_unit_test(metadata_that_is_too_long)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
