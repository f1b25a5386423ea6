/* JSON in .safetensors files and in indexes of shards: each token in every form, and cut short everywhere. */
#include "support.h"
#include "golden_files.h"
#include "pytree/safetensors.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes), cmocka_unit_test(headers), cmocka_unit_test(metadata_that_is_no_text)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
