/* pytree/gguf.h against files of the gguf package (golden_files/gguf, made by make_gguf.py): tensors element by element,
 * metadata, files written, what is refused. */
#include "checkpoint_shared.h"

#include "pytree/gguf.h"
#include "pytree/safetensors.h"

/* ---- What files hold --------------------------------------------------------------------------------------------------- */

static void check_tensor(const pytree_checkpoint *file, const cJSON *wanted)
{
    const pytree_tensor *t = pytree_checkpoint_find(file, golden_text(wanted, "name"));
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(wanted, "shape"), *extent;
    size_t size, d = 0;
    unsigned char *bytes = golden_unhex(golden_text(wanted, "bytes"), &size), *got;
    assert_non_null(t);
    assert_string_equal(t->dtype, golden_text(wanted, "type"));
    assert_int_equal(t->ndim, cJSON_GetArraySize(shape));
    cJSON_ArrayForEach(extent, shape) { assert_int_equal(t->shape[d++], golden_number(extent)); }
    assert_int_equal(element_bytes(t), size);
    got = elements_of(file, t);
    if (memcmp(got, bytes, size) != 0) { fail_msg("%s: other numbers", t->name); }
    free(got);
    free(bytes);
}

/* The text of element i, as the gguf package writes it. */
static void value_text(const pytree_leaf *leaf, size_t i, char *text, size_t n)
{
    const void *at = (const char *)leaf->data + i * leaf->type->size;
    switch (leaf->type->dtype) {
    case PYTREE_STRING: snprintf(text, n, "%s", *(char *const *)at); break;
    case PYTREE_BOOL8: snprintf(text, n, "%s", *(const bool *)at ? "True" : "False"); break;
    case PYTREE_F32: snprintf(text, n, "%.17g", (double)*(const float *)at); break;
    case PYTREE_F64: snprintf(text, n, "%.1f", *(const double *)at); break;
    case PYTREE_U8: snprintf(text, n, "%u", *(const unsigned char *)at); break;
    case PYTREE_I8: snprintf(text, n, "%d", *(const signed char *)at); break;
    case PYTREE_U16: snprintf(text, n, "%u", *(const unsigned short *)at); break;
    case PYTREE_I16: snprintf(text, n, "%d", *(const short *)at); break;
    case PYTREE_U32: snprintf(text, n, "%u", *(const unsigned *)at); break;
    case PYTREE_I32: snprintf(text, n, "%d", *(const int *)at); break;
    case PYTREE_U64: snprintf(text, n, "%llu", (unsigned long long)*(const uint64_t *)at); break;
    default: snprintf(text, n, "%lld", (long long)*(const int64_t *)at); break;
    }
}

static void check_metadata(const pytree_checkpoint *file, const cJSON *wanted, size_t i)
{
    const pytree tree = pytree_gguf_metadata(file);
    const pytree_items *items = tree.data;
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(wanted, "value"), *element;
    pytree_leaf leaves[40];
    pytree_error error = { 0 };
    char text[100];
    size_t n = 0, k = 0;
    assert_ok(pytree_leaves(tree, leaves, COUNT_OF(leaves), &n, NULL, &error), &error);
    assert_string_equal(items->pairs[i].key, golden_text(wanted, "key"));
    assert_string_equal(file->metadata[i].key, golden_text(wanted, "key"));
    if (!cJSON_IsArray(value)) {
        assert_int_equal(leaves[i].ndim, 0);
        value_text(&leaves[i], 0, text, sizeof text);
        assert_string_equal(text, cJSON_GetStringValue(value));
        if (leaves[i].type->dtype != PYTREE_F32 && leaves[i].type->dtype != PYTREE_BOOL8) {
            assert_string_equal(file->metadata[i].text, text);
        }
        return;
    }
    assert_int_equal(leaves[i].ndim, 1);
    assert_int_equal(leaves[i].shape[0], cJSON_GetArraySize(value));
    cJSON_ArrayForEach(element, value)
    {
        value_text(&leaves[i], k++, text, sizeof text);
        assert_string_equal(text, cJSON_GetStringValue(element));
    }
    snprintf(text, sizeof text, "%s[%zu]", pytree_dtype_name(leaves[i].type), leaves[i].shape[0]);
    assert_string_equal(file->metadata[i].text, text);
}

static void check_file(void *context, const cJSON *line)
{
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(line, "tensors"), *item;
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(line, "metadata");
    char name[100], path[GOLDEN_PATH];
    pytree_checkpoint_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    size_t i = 0;
    int mapped;
    ++*(size_t *)context;
    snprintf(name, sizeof name, "gguf/%s.gguf", golden_text(line, "file"));
    golden_path(path, name);
    file = pytree_gguf_open(path, NULL, &error);
    if (file == NULL) { fail_msg("%s: %s", name, error.message); return; }
    for (mapped = 0; mapped < 2; mapped++) {
        assert_int_equal(file->n_tensors, cJSON_GetArraySize(tensors));
        cJSON_ArrayForEach(item, tensors) { check_tensor(file, item); }
        assert_loads(file, &opt);
        assert_ok(pytree_checkpoint_map(file, &error), &error);
    }
    assert_int_equal(file->n_metadata, cJSON_GetArraySize(metadata));
    cJSON_ArrayForEach(item, metadata) { check_metadata(file, item, i++); }
    pytree_checkpoint_close(file);
}

static void golden_files(void **state)
{
    size_t n = 0;
    (void)state;
    golden_each("gguf/expected.jsonl", check_file, &n);
    assert_int_equal(n, 3);
}

/* ---- Trees ------------------------------------------------------------------------------------------------------------- */

typedef struct Block {
    int width, height;
    float *weight;
} Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS            \
    PYTREE_FIELD(STATIC, width)  \
    PYTREE_FIELD(STATIC, height) \
    PYTREE_FIELD(DATA, weight, ARRAY(self->height, self->width))
#include "pytree_registry.h"

typedef struct Half {
    pytree_f16 *row;
} Half;

#define PYTREE_STRUCT Half
#define PYTREE_FIELDS PYTREE_FIELD(DATA, row, ARRAY(64))
#include "pytree_registry.h"

/* Quantised tensors are float to a leaf: loaded, mapped, as slices, converted; sizes come from the file. */
static size_t row_of(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    *slice = leaf[0] - 'a';
    return (size_t)snprintf(text, n, "q5_1");
}

static void quantised_leaves(void **state)
{
    static const pytree_rename rename = { "weight", "q5_1" };
    pytree_checkpoint_options opt = { .renames = &rename, .n_renames = 1, .ignore_unexpected = true };
    Block block = { 64, 3, NULL }, pointed = { 64, 3, NULL };
    float rows[3][64];
    pytree_f16 halves[3][64];
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    size_t i, k;
    (void)state;
    golden_path(path, "gguf/quantised.gguf");
    assert_ok(pytree_allocate(PYTREE(&block), NULL, &error), &error);
    assert_ok(pytree_load_gguf(path, PYTREE(&block), &opt, &error), &error);
    file = pytree_mmap_gguf(path, PYTREE(&pointed), &opt, &error);
    assert_ok(error.status, &error);
    assert_memory_equal(block.weight, pointed.weight, 192 * sizeof(float));
    pytree_checkpoint_close(file);
    opt.convert = true;
    assert_ok(pytree_load_gguf(path, PYTREE_DICT({ "weight", PYTREE_ARRAY(&halves[0][0], 3, 64) }), &opt, &error), &error);
    opt.renames = NULL;
    opt.n_renames = 0;
    opt.rename = row_of;
    assert_ok(pytree_load_gguf(path, PYTREE_DICT({ "a", PYTREE_ARRAY(rows[0], 64) }, { "b", PYTREE_ARRAY(rows[1], 64) },
                                                 { "c", PYTREE_ARRAY(rows[2], 64) }), &opt, &error), &error);
    assert_memory_equal(block.weight, rows, sizeof rows);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 64; k++) {
            pytree_leaf half = { .data = &halves[i][k], .type = PYTREE_TYPE(pytree_f16) };
            double difference = pytree_leaf_get(&half, 0) - (double)rows[i][k];
            assert_true(difference * difference <= 1e-6 * (1 + (double)(rows[i][k] * rows[i][k])));
        }
    }
    pytree_free(PYTREE(&block));
}

static void sizes_from_the_file(void **state)
{
    Block block = { 0, 0, NULL };
    float weight[2][5] = { { 1 } };
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    (void)state;
    scratch_path(path, "sizes.gguf");
    assert_ok(pytree_save_gguf(path, PYTREE_DICT({ "weight", PYTREE_ARRAY(&weight[0][0], 2, 5) }), PYTREE_NONE, NULL, &error),
              &error);
    assert_ok(pytree_allocate_from_gguf(path, PYTREE(&block), NULL, &error), &error);
    assert_true(block.width == 5 && block.height == 2);
    assert_ok(pytree_load_gguf(path, PYTREE(&block), NULL, &error), &error);
    assert_memory_equal(block.weight, weight, sizeof weight);
    pytree_free(PYTREE(&block));
    remove(path);
}

/* ---- Files written ----------------------------------------------------------------------------------------------------- */

/* The tensors and the metadata of a file, saved again, are the file of the gguf package, byte for byte. */
static void written_like_the_package(void **state)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    unsigned char *bytes;
    size_t size;
    Tree t;
    (void)state;
    golden_path(path, "gguf/plain.gguf");
    bytes = golden_read("gguf/plain.gguf", &size);
    file = pytree_gguf_open(path, NULL, &error);
    assert_non_null(file);
    tree_of(&t, file);
    t.tree.type = &pytree_types[PYTREE__T_odict];
    assert_ok(pytree_checkpoint_load(file, t.tree, NULL, &error), &error);
    assert_ok(pytree_save_gguf("f", t.tree, pytree_gguf_metadata(file), &opt, &error), &error);
    assert_int_equal(memory.size, size);
    assert_memory_equal(memory.bytes, bytes, size);
    pytree_memory_free(&memory);
    tree_clear(&t);
    pytree_checkpoint_close(file);
    free(bytes);
}

/* Each write fails once: the header's, those of the arrays, of their padding. */
static void writes_that_fail(void **state)
{
    float w[3] = { 1, 2, 3 }, b[2] = { 4, 5 };
    size_t n;
    (void)state;
    for (n = 0;; n++) {
        pytree_memory memory = { 0 };
        pytree_io base = pytree_memory_io(&memory), io;
        Faults faults = { .base = &base, .op = FAULT_WRITE, .at = n, .code = ENOSPC };
        pytree_checkpoint_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_status status;
        io = faults_io(&faults);
        opt.io = &io;
        status = pytree_save_gguf("f", PYTREE_DICT({ "b", PYTREE_ARRAY(b, 2) }, { "w", PYTREE_ARRAY(w, 3) }), PYTREE_NONE, &opt,
                                  &error);
        assert_int_equal(faults.n_open, 0);
        if (status == PYTREE_OK) {
            pytree_memory_free(&memory);
            break;
        }
        assert_error(status, PYTREE_IO, "", &error);
        assert_non_null(strstr(error.message, strerror(ENOSPC)));
        assert_null(memory.bytes);
        assert_int_equal(faults.calls[FAULT_WRITE], n + 1);    /* nothing more is tried */
    }
    assert_int_equal(n, 5);
}

/* Only a GGUF file has a tree of metadata. */
static void no_metadata(void **state)
{
    float w = 1;
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    (void)state;
    assert_null(pytree_gguf_metadata(NULL).type);
    assert_ok(pytree_save_safetensors("f", PYTREE_DICT({ "w", PYTREE(&w) }), &opt, &error), &error);
    file = pytree_safetensors_open("f", &opt, &error);
    assert_ok(error.status, &error);
    assert_null(pytree_gguf_metadata(file).type);
    pytree_checkpoint_close(file);
    pytree_memory_free(&memory);
}

static void written_and_read(void **state)
{
    unsigned alignment = 64, odd = 3;
    float w[3] = { 1, 2, 3 }, scalar = 4, matrix[1][1][1][1][1] = { { { { { 5 } } } } };
    unsigned u = 6;
    const char *none = NULL, *texts[2] = { "s", NULL };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree tree = PYTREE_DICT({ "scalar", PYTREE(&scalar) }, { "w", PYTREE_ARRAY(w, 3) });
    pytree_checkpoint *file;
    char name[65];
    (void)state;
    assert_ok(pytree_save_gguf("f", tree, PYTREE_DICT({ "general", PYTREE_DICT({ "alignment", PYTREE(&alignment) }) }), &opt,
                               &error), &error);
    file = pytree_gguf_open("f", &opt, &error);
    assert_ok(error.status, &error);
    assert_true(file->data_offset % 64 == 0 && file->tensors[1].offset == file->data_offset + 64);
    assert_int_equal(file->tensors[0].ndim, 0);
    assert_loads(file, &opt);
    pytree_checkpoint_close(file);
    assert_ok(pytree_save_gguf("f", PYTREE_NONE, PYTREE_NONE, &opt, &error), &error);      /* nothing at all */
    file = pytree_gguf_open("f", &opt, &error);
    assert_true(file != NULL && file->n_tensors == 0 && file->n_metadata == 0);
    pytree_checkpoint_close(file);
    /* what cannot be saved */
#define REFUSED(tree, metadata, status)                                                                                 \
    do {                                                                                                                \
        memset(&error, 0, sizeof error);                                                                                \
        assert_error(pytree_save_gguf("f", tree, metadata, &opt, &error), status, NULL, &error);                        \
    } while (0)
    REFUSED(PYTREE(&u), PYTREE_NONE, PYTREE_TYPE);
    REFUSED(PYTREE_DICT({ "m", PYTREE_ARRAY(&matrix[0][0][0][0][0], 1, 1, 1, 1, 1) }), PYTREE_NONE, PYTREE_SHAPE);
    REFUSED(tree, PYTREE_DICT({ "general.alignment", PYTREE(&odd) }), PYTREE_ARGUMENT);
    REFUSED(tree, PYTREE_DICT({ "general.alignment", PYTREE_INT(32) }), PYTREE_ARGUMENT);
    REFUSED(tree, PYTREE_DICT({ "general.alignment", PYTREE_ARRAY(&alignment, 1) }), PYTREE_ARGUMENT);
    REFUSED(PYTREE_DICT({ "\xff", PYTREE(&scalar) }), PYTREE_NONE, PYTREE_ARGUMENT);
    REFUSED(tree, PYTREE_DICT({ "m", PYTREE_ARRAY(&matrix[0][0][0][0][0], 1, 1) }), PYTREE_SHAPE);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_gguf("f", tree, PYTREE_DICT({ "s", PYTREE(&none) }), &opt, &error), PYTREE_NULL_POINTER, "['s']",
                 &error);
    REFUSED(tree, PYTREE_DICT({ "s", PYTREE_STR("\xff") }), PYTREE_ARGUMENT);
    REFUSED(tree, PYTREE_DICT({ "s", PYTREE_ARRAY(texts, 2) }), PYTREE_ARGUMENT);
    assert_string_equal(error.message, "expected strings in UTF-8, got another for 's'");
    REFUSED(tree, PYTREE_DICT({ "\xff", PYTREE_STR("s") }), PYTREE_ARGUMENT);
    REFUSED(tree, PYTREE_DICT({ "a.b", PYTREE_INT(1) }, { "a", PYTREE_DICT({ "b", PYTREE_INT(1) }) }), PYTREE_ARGUMENT);
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    REFUSED(PYTREE_DICT({ name, PYTREE(&scalar) }), PYTREE_NONE, PYTREE_ARGUMENT);
    REFUSED(PYTREE_DICT({ "a", PYTREE(&scalar) }, { "b", PYTREE(&scalar) }), PYTREE_NONE, PYTREE_SHARED);
    pytree_memory_free(&memory);
}

/* Headers of more than is read at once, strings in them of more than twice that; padding of more than is written at once;
 * arrays without elements; slices, which cannot be saved. */
static void large_parts(void **state)
{
    enum { MANY = 300000 };
    static float numbers[MANY], few[3];
    unsigned alignment = 4096;
    char *text = malloc(MANY + 1), *half;
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    const pytree_items *items;
    size_t i;
    (void)state;
    assert_non_null(text);
    memset(text, 't', MANY);
    text[MANY] = '\0';
    half = text + MANY - 40000;
    for (i = 0; i < MANY; i++) { numbers[i] = (float)i; }
    assert_ok(pytree_save_gguf("f", PYTREE_DICT({ "a", PYTREE_ARRAY(few, 3) }, { "b", PYTREE_ARRAY(numbers, MANY) }),
                               PYTREE_DICT({ "general.alignment", PYTREE(&alignment) }, { "none", PYTREE_ARRAY(&alignment, 0) },
                                           { "s", PYTREE_STR(half) }, { "t", PYTREE_STR(half) }, { "u", PYTREE_STR(half) },
                                           { "v", PYTREE_STR(text) }), &opt, &error), &error);
    file = pytree_gguf_open("f", &opt, &error);
    assert_ok(error.status, &error);
    assert_true(file->data_offset % 4096 == 0 && file->tensors[1].offset == file->data_offset + 4096);
    items = pytree_gguf_metadata(file).data;
    assert_int_equal(items->count, 6);
    assert_int_equal(file->n_metadata, 6);
    assert_string_equal(file->metadata[1].text, "u32[0]");
    assert_string_equal(file->metadata[4].text, half);
    assert_string_equal(file->metadata[5].text, text);
    assert_int_equal(pytree_leaf_count(items->pairs[1].value.data), 0);
    assert_loads(file, &opt);
    pytree_checkpoint_close(file);
    opt.rename = row_of;
    assert_error(pytree_save_gguf("f", PYTREE_DICT({ "a", PYTREE_ARRAY(few, 3) }), PYTREE_NONE, &opt, &error), PYTREE_ARGUMENT,
                 NULL, &error);
    assert_non_null(strstr(error.message, "expected whole arrays to save, got a slice of 'q5_1'"));
    pytree_memory_free(&memory);
    free(text);
}

/* ---- What is refused --------------------------------------------------------------------------------------------------- */

/* A file made number by number. */
typedef struct Bytes {
    unsigned char at[512];
    size_t n;
} Bytes;

static void put(Bytes *b, uint64_t v, size_t n)
{
    for (; n != 0; n--, v >>= 8) { b->at[b->n++] = (unsigned char)(v & 0xFF); }
}

static void put_text(Bytes *b, const char *text)
{
    put(b, strlen(text), 8);
    memcpy(b->at + b->n, text, strlen(text));
    b->n += strlen(text);
}

static void head(Bytes *b, uint64_t version, uint64_t n_tensors, uint64_t n_entries)
{
    b->n = 0;
    put(b, 0x46554747u, 4);
    put(b, version, 4);
    put(b, n_tensors, 8);
    put(b, n_entries, 8);
}

static void put_tensor(Bytes *b, const char *name, uint64_t extent, uint64_t type, uint64_t offset)
{
    put_text(b, name);
    put(b, 2, 4);
    put(b, extent, 8);
    put(b, 1, 8);
    put(b, type, 4);
    put(b, offset, 8);
}

static void assert_refused(const Bytes *b, const char *words)
{
    pytree_memory memory = { .bytes = b->at, .size = b->n };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    assert_null(pytree_gguf_open("f", &opt, &error));
    assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
    if (strstr(error.message, words) == NULL) { fail_msg("%s: %s", words, error.message); }
}

static void refused_headers(void **state)
{
    static const uint64_t huge[] = { UINT64_C(1) << 60, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32 };
    Bytes b;
    size_t i;
    (void)state;
    head(&b, 1, 0, 0);
    assert_refused(&b, "version 1");
    head(&b, 4, 0, 0);
    assert_refused(&b, "version 2 or 3");
    head(&b, 0, 0, 0);
    assert_refused(&b, "version 2 or 3");
    head(&b, 3, 0, 1);
    put_text(&b, "general.alignment");
    put(&b, 9, 4);                        /* an array, of one u32 */
    put(&b, 4, 4);
    put(&b, 1, 8);
    put(&b, 32, 4);
    assert_refused(&b, "a u32 as alignment");
    head(&b, 0x03000000, 0, 0);
    assert_refused(&b, "big-endian");
    head(&b, 3, 0, 0);
    b.at[0] = 'g';
    assert_refused(&b, "begins with GGUF");
    head(&b, 3, 0, 0);
    put(&b, 0, 8);                        /* the padding, and a byte */
    put(&b, 0, 1);
    assert_refused(&b, "a longer one");
    for (i = 0; i < COUNT_OF(huge); i++) {
        head(&b, 3, huge[i], 0);
        assert_refused(&b, "a complete file");
        head(&b, 3, 0, huge[i]);
        assert_refused(&b, "a complete file");
        head(&b, 3, 0, 1);
        put(&b, huge[i], 8);                                   /* a key */
        assert_refused(&b, "a complete file");
        head(&b, 3, 0, 1);
        put_text(&b, "k");
        put(&b, 8, 4);
        put(&b, huge[i], 8);                                   /* a string */
        assert_refused(&b, "a complete file");
        head(&b, 3, 0, 1);
        put_text(&b, "k");
        put(&b, 9, 4);
        put(&b, i % 2 == 0 ? 12 : 8, 4);
        put(&b, huge[i], 8);                                   /* an array */
        assert_refused(&b, "a complete file");
        head(&b, 3, 1, 0);
        put_tensor(&b, "t", huge[i], 0, 0);
        assert_refused(&b, i == 3 ? "data within the file" : "extents");
        head(&b, 3, 1, 0);
        put_tensor(&b, "t", 0, 0, huge[i]);
        assert_refused(&b, "another offset");
    }
}

static void refused_metadata(void **state)
{
    static const struct { unsigned type, value; const char *words; } cases[] = {
        { 13, 0, "a type of metadata" }, { 7, 2, "bools of 0 and 1" }, { 255, 0, "a type of metadata" }
    };
    Bytes b;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        head(&b, 3, 0, 1);
        put_text(&b, "k");
        put(&b, cases[i].type, 4);
        put(&b, cases[i].value, 1);
        assert_refused(&b, cases[i].words);
    }
    head(&b, 3, 0, 1);
    put_text(&b, "k");
    put(&b, 9, 4);
    put(&b, 9, 4);
    put(&b, 0, 8);
    assert_refused(&b, "an array in an array");
    head(&b, 3, 0, 2);
    for (i = 0; i < 2; i++) {
        put_text(&b, "twice");
        put(&b, 0, 4);
        put(&b, 1, 1);
    }
    assert_refused(&b, "each key once");
    for (i = 0; i < 3; i++) {
        head(&b, 3, 0, 1);
        put_text(&b, "general.alignment");
        put(&b, i == 2 ? 10 : 4, 4);
        put(&b, i == 0 ? 0 : 24, 8);
        assert_refused(&b, i == 2 ? "a u32" : "a power of two");
    }
    head(&b, 3, 0, 1);
    put_text(&b, "\xff");
    assert_refused(&b, "UTF-8");
    head(&b, 3, 0, 1);
    put(&b, 1, 8);
    put(&b, 0, 1);
    assert_refused(&b, "U+0000");
}

static void refused_tensors(void **state)
{
    char name[66];
    Bytes b;
    (void)state;
    head(&b, 3, 1, 0);
    put_tensor(&b, "t", 1, 99, 0);
    assert_refused(&b, "a type of tensors");
    head(&b, 3, 1, 0);
    put_tensor(&b, "t", 4, 4, 0);                              /* Q4_2, which is no more */
    assert_refused(&b, "a type of tensors");
    head(&b, 3, 1, 0);
    put_tensor(&b, "t", 31, 8, 0);
    assert_refused(&b, "rows of whole blocks");
    head(&b, 3, 1, 0);
    put_text(&b, "t");
    put(&b, 5, 4);
    assert_refused(&b, "at most 4 dimensions");
    head(&b, 3, 1, 0);
    put_text(&b, "t");
    put(&b, 0, 4);
    put(&b, 8, 4);
    assert_refused(&b, "rows of whole blocks");                /* a quantised scalar */
    memset(name, 'n', 65);
    name[65] = '\0';
    head(&b, 3, 1, 0);
    put_tensor(&b, name, 1, 0, 0);
    assert_refused(&b, "at most 64 bytes");
    head(&b, 3, 2, 0);
    put_tensor(&b, "t", 1, 0, 0);
    put_tensor(&b, "t", 1, 0, 32);
    while (b.n % 32 != 0) { put(&b, 0, 1); }
    put(&b, 0, 8);
    b.n += 28;
    assert_refused(&b, "each name once");
    head(&b, 3, 2, 0);
    put_tensor(&b, "t", 1, 0, 0);
    put_tensor(&b, "u", 1, 0, 4);                              /* not aligned */
    assert_refused(&b, "another offset");
    head(&b, 3, 2, 0);
    put_tensor(&b, "t", 9, 0, 0);
    put_tensor(&b, "u", 1, 0, 32);                             /* overlaps */
    assert_refused(&b, "another offset");
}

static void broken_files(void **state)
{
    size_t size;
    unsigned char *bytes = golden_read("gguf/small.gguf", &size);
    (void)state;
    assert_true(survives(pytree_gguf_open, bytes, size));
    assert_in_range(survives_changes(pytree_gguf_open, bytes, size), 1, 3 * size * 2 / 3);
    free(bytes);
    bytes = golden_read("gguf/plain.gguf", &size);
    (void)survives_changes(pytree_gguf_open, bytes, size);
    free(bytes);
}

static pytree_status save_body(void *context, const pytree_options *tree, pytree_error *err)
{
    pytree_memory *memory = context;
    pytree_io io = pytree_memory_io(memory);
    pytree_checkpoint_options opt = { .io = &io };
    float w[3] = { 1, 2, 3 };
    opt.tree = *tree;
    return pytree_save_gguf("f", PYTREE_DICT({ "w", PYTREE_ARRAY(w, 3) }), PYTREE_DICT({ "k", PYTREE_STR("v") }), &opt, err);
}

static void systems_that_fail(void **state)
{
    pytree_memory memory = { 0 };
    (void)state;
    every_call_may_fail(pytree_gguf_open, "gguf/quantised.gguf");
    every_allocation_may_fail(pytree_gguf_open, "gguf/quantised.gguf");
    every_allocation_may_fail(pytree_gguf_open, "gguf/plain.gguf");
    assert_true(sweep_allocations(save_body, &memory) > 5);
    pytree_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files),
        cmocka_unit_test(quantised_leaves),
        cmocka_unit_test(sizes_from_the_file),
        cmocka_unit_test(written_like_the_package),
        cmocka_unit_test(large_parts), cmocka_unit_test(written_and_read),
        cmocka_unit_test(writes_that_fail),
        cmocka_unit_test(no_metadata),
        cmocka_unit_test(refused_headers),
        cmocka_unit_test(refused_metadata),
        cmocka_unit_test(refused_tensors),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(systems_that_fail)
    };
    return cmocka_run_group_tests_name("gguf", tests, NULL, NULL);
}
