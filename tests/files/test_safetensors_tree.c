/* Trees in .safetensors files: what loads and what does not (golden_files/tree-cases.json), the bytes of the reference writer,
 * names, slices, conversions, shared memory, mapping, sizes that only the file knows. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "support.h"
#include "golden_files.h"

#include "pytree/safetensors.h"

#include <math.h>

static const cJSON *member(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }

/* ---- Trees that are made from lists of tensors ---------------------------------------------------------------------- */

/* A dict of array leaves whose keys are the names. */
typedef struct Bag {
    size_t n;
    pytree_leaf *leaves;
    pytree_pair *pairs;
    pytree_items items;
    pytree tree;
} Bag;

static const pytree_type *type_named(const char *dtype)
{
    static const struct { const char *name; const pytree_type *type; } types[] = {
        { "BOOL", PYTREE_TYPE(bool) }, { "I8", PYTREE_TYPE(signed char) }, { "U8", PYTREE_TYPE(unsigned char) },
        { "I16", PYTREE_TYPE(short) }, { "U16", PYTREE_TYPE(unsigned short) }, { "I32", PYTREE_TYPE(int) },
        { "U32", PYTREE_TYPE(unsigned) }, { "I64", PYTREE_TYPE(long long) }, { "U64", PYTREE_TYPE(unsigned long long) },
        { "F16", PYTREE_TYPE(pytree_f16) }, { "BF16", PYTREE_TYPE(pytree_bf16) }, { "F32", PYTREE_TYPE(float) },
        { "F64", PYTREE_TYPE(double) }
    };
    size_t i;
    for (i = 0; i < COUNT_OF(types); i++) {
        if (strcmp(dtype, types[i].name) == 0) { return types[i].type; }
    }
    return NULL;
}

static void bag_init(Bag *bag, size_t n)
{
    memset(bag, 0, sizeof *bag);
    bag->n = n;
    bag->leaves = calloc(n + 1, sizeof *bag->leaves);
    bag->pairs = calloc(n + 1, sizeof *bag->pairs);
    assert_non_null(bag->leaves);
    assert_non_null(bag->pairs);
    bag->items.count = n;
    bag->items.pairs = bag->pairs;
    bag->tree.type = &pytree_types[PYTREE__T_dict];
    bag->tree.data = &bag->items;
}

/* Leaf i of type and shape; its memory is filled with `first`, first + 1, … */
static void bag_put(Bag *bag, size_t i, const char *name, const pytree_type *type, size_t ndim, unsigned char first)
{
    pytree_leaf *leaf = &bag->leaves[i];
    unsigned char *bytes;
    size_t k, n;
    leaf->type = type;
    leaf->ndim = (int)ndim;
    n = pytree_leaf_bytes(leaf);
    bytes = malloc(n + 1);
    assert_non_null(bytes);
    for (k = 0; k < n; k++) { bytes[k] = (unsigned char)(type->dtype == PYTREE_BOOL8 ? k % 2 : first + k); }
    leaf->data = bytes;
    bag->pairs[i].key = name;
    bag->pairs[i].value = pytree_of_view(leaf);
}

static void bag_clear(Bag *bag)
{
    size_t i;
    for (i = 0; i < bag->n; i++) { free(bag->leaves[i].data); }
    free(bag->leaves);
    free(bag->pairs);
}

static void bag_of(Bag *bag, const cJSON *tensors, unsigned char first)
{
    const cJSON *tensor, *extent;
    size_t i = 0;
    bag_init(bag, (size_t)cJSON_GetArraySize(tensors));
    cJSON_ArrayForEach(tensor, tensors)
    {
        size_t ndim = 0;
        cJSON_ArrayForEach(extent, member(tensor, "shape")) { bag->leaves[i].shape[ndim++] = (size_t)golden_number(extent); }
        bag_put(bag, i++, cJSON_GetStringValue(member(tensor, "name")),
                type_named(cJSON_GetStringValue(member(tensor, "dtype"))), ndim, first);
    }
}

/* ---- What fits ------------------------------------------------------------------------------------------------------ */

static void describe(char *text, size_t n, const char *dtype, const cJSON *shape)
{
    const cJSON *extent;
    size_t used = (size_t)snprintf(text, n, "%s", pytree_dtype_name(type_named(dtype)));
    const char *before = "[";
    cJSON_ArrayForEach(extent, shape)
    {
        used += (size_t)snprintf(text + used, n - used, "%s%d", before, extent->valueint);
        before = ",";
    }
    if (before[0] == ',') { snprintf(text + used, n - used, "]"); }
}

static const cJSON *tensor_named(const cJSON *tensors, const char *name)
{
    const cJSON *tensor;
    cJSON_ArrayForEach(tensor, tensors)
    {
        if (strcmp(cJSON_GetStringValue(member(tensor, "name")), name) == 0) { return tensor; }
    }
    return NULL;
}

/* The list has the names that the case wants, and says of each what is wanted and what is there. */
static void assert_list(const cJSON *test, const char *name, const pytree_misfits *list)
{
    const cJSON *expected = member(member(test, "expect"), name), *item;
    const cJSON *count = member(member(member(test, "expect"), "counts"), name);
    size_t i;
    assert_int_equal(list->count, count == NULL ? (size_t)cJSON_GetArraySize(expected) : golden_number(count));
    assert_int_equal(list->n_entries, list->count < 300 ? list->count : 300);
    for (i = 0; i < list->n_entries; i++) {
        const pytree_misfit *m = &list->entries[i];
        bool found = false;
        char text[200];
        cJSON_ArrayForEach(item, expected)
        {
            const char *wanted = cJSON_IsString(item) ? item->valuestring : cJSON_GetStringValue(member(item, "name"));
            found = found || strcmp(wanted, m->name) == 0;
        }
        if (!found) { fail_msg("%s: %s is among the %s", cJSON_GetStringValue(member(test, "name")), m->name, name); }
        item = tensor_named(member(test, "file"), m->name);
        assert_true((item == NULL || strcmp(name, "ambiguous") == 0) == (m->found == NULL));
        if (m->found != NULL) {
            describe(text, sizeof text, cJSON_GetStringValue(member(item, "dtype")), member(item, "shape"));
            assert_string_equal(m->found, text);
        }
        item = tensor_named(member(test, "wanted"), m->name);
        if (m->wanted != NULL && item != NULL) {
            describe(text, sizeof text, cJSON_GetStringValue(member(item, "dtype")), member(item, "shape"));
            assert_string_equal(m->wanted, text);
        }
        assert_true((m->path == NULL) == (strcmp(name, "unexpected") == 0));
    }
}

/* What the file has, after conversion, is in the leaf. */
static void assert_loaded(const pytree_leaf *leaf, const pytree_leaf *source)
{
    size_t i, n = pytree_leaf_count(leaf);
    if (leaf->type->dtype == source->type->dtype) {
        assert_memory_equal(leaf->data, source->data, pytree_leaf_bytes(leaf));
        return;
    }
    for (i = 0; i < n; i++) {
        double a = pytree_leaf_get(leaf, i), b = pytree_leaf_get(source, i);
        if (leaf->type->dtype == PYTREE_F32) { b = (double)(float)b; }
        assert_true(a == b || (isnan(a) && isnan(b)));
    }
}

static void check_case(const cJSON *test)
{
    const cJSON *options = member(test, "options"), *item;
    const cJSON *expect = member(test, "expect");
    Bag wanted, before, file;
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_report report = { 0 };
    pytree_checkpoint_options opt = { 0 };
    pytree_rename renames[8];
    pytree_error error = { 0 };
    pytree_status status;
    pytree tree;
    pytree_pair inner, outer[2];
    pytree_items inner_items = { .count = 1, .pairs = &inner }, outer_items = { .count = 2, .pairs = outer };
    size_t i, k;
    bag_of(&wanted, member(test, "wanted"), 200);
    bag_of(&before, member(test, "wanted"), 200);
    bag_of(&file, member(test, "file"), 3);
    tree = wanted.tree;
    opt.io = &io;
    assert_ok(pytree_save_safetensors("file", file.tree, &opt, &error), &error);
    if (member(expect, "ambiguous") != NULL) {                 /* {'a': {'b': ...}, 'a.b': ...} */
        inner.key = "b";
        inner.value = wanted.pairs[0].value;
        outer[0].key = "a";
        outer[0].value.type = &pytree_types[PYTREE__T_dict];
        outer[0].value.data = &inner_items;
        outer[1] = wanted.pairs[1];
        tree.data = &outer_items;
    }
    opt.report = &report;
    opt.max_listed = 300;
    opt.prefix = cJSON_GetStringValue(member(options, "prefix"));
    opt.convert = cJSON_IsTrue(member(options, "convert"));
    opt.ignore_unexpected = cJSON_IsTrue(member(options, "ignore_unexpected"));
    cJSON_ArrayForEach(item, member(options, "rename"))
    {
        renames[opt.n_renames].from = item->string;
        renames[opt.n_renames++].to = item->valuestring;
        opt.renames = renames;
    }
    status = pytree_load_safetensors("file", tree, &opt, &error);
    assert_int_equal(status, error.status);
    if ((status == PYTREE_OK) != cJSON_IsTrue(member(expect, "ok"))) {
        fail_msg("%s: %s", cJSON_GetStringValue(member(test, "name")), status == PYTREE_OK ? "accepted" : error.message);
    }
    assert_list(test, "missing", &report.missing);
    assert_list(test, "unexpected", &report.unexpected);
    assert_list(test, "wrong_dtype", &report.wrong_dtype);
    assert_list(test, "wrong_shape", &report.wrong_shape);
    if (member(expect, "ambiguous") != NULL) {
        assert_int_equal(report.ambiguous.count, 2);           /* leaves */
        assert_string_equal(report.ambiguous.entries[0].name, "a.b");
        assert_int_equal(status, PYTREE_ARGUMENT);
    }
    for (i = 0; i < wanted.n; i++) {
        const char *name = wanted.pairs[i].key;
        if (status != PYTREE_OK) {
            assert_memory_equal(wanted.leaves[i].data, before.leaves[i].data, pytree_leaf_bytes(&before.leaves[i]));
            continue;
        }
        for (k = 0; k < opt.n_renames; k++) {
            if (strcmp(renames[k].from, name) == 0) { name = renames[k].to; break; }
        }
        for (k = 0; k < file.n; k++) {
            const char *there = file.pairs[k].key;
            if (opt.prefix != NULL) { there += strlen(opt.prefix); }
            if (strcmp(there, name) == 0) { assert_loaded(&wanted.leaves[i], &file.leaves[k]); break; }
        }
        assert_true(k < file.n);
    }
    pytree_report_free(&report);
    pytree_memory_free(&memory);
    bag_clear(&wanted);
    bag_clear(&before);
    bag_clear(&file);
}

static void every_tree_case(void **state)
{
    size_t size;
    char *text = (char *)golden_read("tree-cases.json", &size);
    cJSON *tests = cJSON_Parse(text), *test;
    (void)state;
    assert_int_equal(cJSON_GetArraySize(tests), 34);
    cJSON_ArrayForEach(test, tests) { check_case(test); }
    cJSON_Delete(tests);
    free(text);
}

/* ---- The reference writer's bytes ----------------------------------------------------------------------------------- */

/* Written again, a file of the reference comes out as it was. */
static void check_writer(void *context, const cJSON *line)
{
    size_t *count = context, i, size, d;
    char path[GOLDEN_PATH];
    unsigned char *expected;
    pytree_error error = { 0 };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { 0 };
    pytree_safetensors *file;
    bool savable = true;
    Bag bag;
    if (strcmp(golden_text(line, "format"), "safetensors") != 0 || !cJSON_IsTrue(member(line, "written_by_reference"))) {
        return;
    }
    golden_path(path, golden_text(line, "name"));
    file = pytree_safetensors_open(path, NULL, &error);
    assert_ok(error.status, &error);
    bag_init(&bag, file->n_tensors);
    for (i = 0; i < bag.n; i++) {
        const pytree_tensor *t = &file->tensors[i];
        if (t->type == NULL) { savable = false; break; }
        for (d = 0; d < t->ndim; d++) { bag.leaves[i].shape[d] = (size_t)t->shape[d]; }
        bag_put(&bag, i, t->name, t->type, t->ndim, 0);
    }
    if (savable) {
        assert_ok(pytree_load_safetensors(path, bag.tree, NULL, &error), &error);
        opt.io = &io;
        opt.metadata = file->metadata;
        opt.n_metadata = file->n_metadata;
        assert_ok(pytree_save_safetensors("copy", bag.tree, &opt, &error), &error);
        expected = golden_read(golden_text(line, "name"), &size);
        assert_int_equal(memory.size, size);
        assert_memory_equal(memory.bytes, expected, size);
        free(expected);
        pytree_memory_free(&memory);
        ++*count;
    }
    bag_clear(&bag);
    pytree_safetensors_close(file);
}

static void bytes_of_the_reference_writer(void **state)
{
    size_t count = 0;
    (void)state;
    golden_each("manifest.jsonl", check_writer, &count);
    assert_int_equal(count, 11);                              /* 13, two of which hold types that C has none for */
}

/* ---- Files in memory ------------------------------------------------------------------------------------------------ */

typedef struct Disk {
    pytree_memory memory;
    pytree_io io;
    pytree_checkpoint_options opt;
    pytree_error error;
} Disk;

static void disk_init(Disk *disk)
{
    memset(disk, 0, sizeof *disk);
    disk->io = pytree_memory_io(&disk->memory);
    disk->opt.io = &disk->io;
}

static void disk_clear(Disk *disk) { pytree_memory_free(&disk->memory); }

static void disk_save(Disk *disk, pytree t)
{
    assert_ok(pytree_save_safetensors("f", t, &disk->opt, &disk->error), &disk->error);
}

static void disk_load(Disk *disk, pytree t)
{
    assert_ok(pytree_load_safetensors("f", t, &disk->opt, &disk->error), &disk->error);
}

static void assert_load_fails(Disk *disk, pytree t, pytree_status status, const char *path)
{
    assert_error(pytree_load_safetensors("f", t, &disk->opt, &disk->error), status, path, &disk->error);
    memset(&disk->error, 0, sizeof disk->error);
}

static void assert_save_fails(Disk *disk, pytree t, pytree_status status, const char *path)
{
    assert_error(pytree_save_safetensors("f", t, &disk->opt, &disk->error), status, path, &disk->error);
    memset(&disk->error, 0, sizeof disk->error);
}

/* The header as text, without the spaces at its end. */
static void assert_header(const Disk *disk, const char *expected)
{
    const char *bytes = disk->memory.bytes;
    size_t n = (size_t)(unsigned char)bytes[0] | (size_t)(unsigned char)bytes[1] << 8, end = n;
    while (bytes[8 + end - 1] == ' ') { end--; }
    assert_int_equal(n % 8, 0);
    assert_true(n - end < 8);
    if (end != strlen(expected) || memcmp(bytes + 8, expected, end) != 0) {
        fail_msg("expected header: %s\ngot: %.*s", expected, (int)end, bytes + 8);
    }
}

/* ---- Structs -------------------------------------------------------------------------------------------------------- */

static void structs_by_key_path(void **state)
{
    MLP model = mlp_make(2, true), copy = mlp_make(2, true);
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk_save(&disk, PYTREE(&model));
    assert_header(&disk, "{\"head.b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                         "\"head.w\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]},"
                         "\"layers.0.b\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[24,36]},"
                         "\"layers.0.w\":{\"dtype\":\"F32\",\"shape\":[4,3],\"data_offsets\":[36,84]},"
                         "\"layers.1.b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[84,92]},"
                         "\"layers.1.w\":{\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[92,116]},"
                         "\"scale\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[116,140]}}");
    copy.layers[0].w[0] = copy.head->b[1] = copy.scale[1][2] = -5.0f;
    disk_load(&disk, PYTREE(&copy));
    assert_true(pytree_equal(PYTREE(&model), PYTREE(&copy), NULL, NULL, &disk.error));
    free(copy.head->w);                   /* None asks for nothing: its tensors are unexpected */
    free(copy.head->b);
    free(copy.head);
    copy.head = NULL;
    assert_load_fails(&disk, PYTREE(&copy), PYTREE_STRUCTURE, "");
    disk.opt.ignore_unexpected = true;
    disk_load(&disk, PYTREE(&copy));
    mlp_clear(&copy);
    copy = mlp_make(3, true);             /* more layers than the file has, and of these names */
    assert_load_fails(&disk, PYTREE(&copy), PYTREE_NOT_FOUND, ".layers[2].w");
    disk.opt.tree.none_is_leaf = true;    /* None still asks for nothing */
    free(copy.head->w);
    free(copy.head->b);
    free(copy.head);
    copy.head = NULL;
    copy.n_layers = 2;
    disk_load(&disk, PYTREE(&copy));
    copy.n_layers = 3;
    disk_clear(&disk);
    mlp_clear(&model);
    mlp_clear(&copy);
}

static void every_number_type(void **state)
{
    Everything all = everything_make(true), copy = everything_make(true);
    pytree_leaf leaves[3] = { { 0 } };
    Disk disk;
    (void)state;
    disk_init(&disk);
    assert_save_fails(&disk, PYTREE(&all), PYTREE_TYPE, ".f_long");            /* the first that no file holds */
    assert_load_fails(&disk, PYTREE(&all), PYTREE_SYNTAX, NULL);              /* an empty file */
    {
        pytree numbers = PYTREE_DICT({ "flag", PYTREE(&all.flag) }, { "letter", PYTREE(&all.letter) },
                                     { "i8", PYTREE(&all.i8) }, { "u8", PYTREE(&all.u8) }, { "i16", PYTREE(&all.i16) },
                                     { "u16", PYTREE(&all.u16) }, { "i32", PYTREE(&all.i32) }, { "u32", PYTREE(&all.u32) },
                                     { "il", PYTREE(&all.i_long) }, { "ul", PYTREE(&all.u_long) }, { "i64", PYTREE(&all.i64) },
                                     { "u64", PYTREE(&all.u64) }, { "f32", PYTREE(&all.f32) }, { "f64", PYTREE(&all.f64) },
                                     { "half", PYTREE(&all.half) }, { "brain", PYTREE(&all.brain) });
        pytree copies =
            PYTREE_DICT({ "flag", PYTREE(&copy.flag) }, { "letter", PYTREE(&copy.letter) }, { "i8", PYTREE(&copy.i8) },
                        { "u8", PYTREE(&copy.u8) }, { "i16", PYTREE(&copy.i16) }, { "u16", PYTREE(&copy.u16) },
                        { "i32", PYTREE(&copy.i32) }, { "u32", PYTREE(&copy.u32) }, { "il", PYTREE(&copy.i_long) },
                        { "ul", PYTREE(&copy.u_long) }, { "i64", PYTREE(&copy.i64) }, { "u64", PYTREE(&copy.u64) },
                        { "f32", PYTREE(&copy.f32) }, { "f64", PYTREE(&copy.f64) }, { "half", PYTREE(&copy.half) },
                        { "brain", PYTREE(&copy.brain) });
        static const char *const order[] = { "u64",   "ul",   "i64", "il",  "f64", "f32",    "u32", "i32",
                                             "brain", "half", "u16", "i16", "i8",  "letter", "u8",  "flag" };
        pytree_safetensors *file;
        size_t i;
        disk_save(&disk, numbers);
        file = pytree_safetensors_open("f", &disk.opt, &disk.error);
        assert_non_null(file);
        assert_int_equal(file->n_tensors, COUNT_OF(order));
        for (i = 0; i < COUNT_OF(order); i++) { assert_string_equal(file->tensors[i].name, order[i]); }
        pytree_safetensors_close(file);
        memset(&copy.flag, 0, 1);
        copy.i64 = 0;
        copy.f64 = 0;
        copy.half.bits = 0;
        disk_load(&disk, copies);
        assert_true(pytree_equal(numbers, copies, NULL, NULL, &disk.error));
    }
    leaves[0].data = &all.name;
    leaves[0].type = PYTREE_TYPE(char *);
    assert_save_fails(&disk, PYTREE_LIST(PYTREE(&all.i8), PYTREE(&leaves[0])), PYTREE_TYPE, "[1]");
    assert_load_fails(&disk, PYTREE_LIST(PYTREE(&all.i8), PYTREE(&leaves[0])), PYTREE_TYPE, "[1]");
    disk_clear(&disk);
    everything_clear(&all);
    everything_clear(&copy);
}

#if defined(TEST_HAS_COMPLEX)
static void complex_numbers(void **state)
{
    float _Complex numbers[2], copy[2] = { 0 };
    double _Complex wide = 0;
    Disk disk;
    (void)state;
    memcpy(numbers, (float[4]){ 1, 2, 3, -4 }, sizeof numbers);
    disk_init(&disk);
    disk_save(&disk, PYTREE_DICT({ "c", PYTREE_ARRAY(numbers, 2) }));
    assert_header(&disk, "{\"c\":{\"dtype\":\"C64\",\"shape\":[2],\"data_offsets\":[0,16]}}");
    disk_load(&disk, PYTREE_DICT({ "c", PYTREE_ARRAY(copy, 2) }));
    assert_memory_equal(numbers, copy, sizeof copy);
    assert_save_fails(&disk, PYTREE_DICT({ "c", PYTREE(&wide) }), PYTREE_TYPE, "['c']");
    disk_clear(&disk);
}
#endif

/* ---- Names ---------------------------------------------------------------------------------------------------------- */

/* Layers are slices of one tensor: "layers.3.w" is slice 3 of "stack.w"; "scale" is not in the file. */
static size_t stacked_name(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    size_t index;
    char field;
    ++*(size_t *)context;
    if (strcmp(leaf, "scale") == 0) { return SIZE_MAX; }
    if (sscanf(leaf, "layers.%zu.%c", &index, &field) == 2) {
        *slice = (ptrdiff_t)index;
        return (size_t)snprintf(text, n, "a.rather.long.name.that.needs.more.room.than.was.there.at.first.stack.%c", field);
    }
    return (size_t)snprintf(text, n, "%s", leaf);
}

static MLP even_mlp(size_t n_layers, float first)
{
    MLP model = { 0 };
    size_t i;
    model.n_layers = n_layers;
    model.layers = malloc(n_layers * sizeof *model.layers);
    assert_non_null(model.layers);
    for (i = 0; i < n_layers; i++) { model.layers[i] = linear_make(2, 3, first + 100.0f * (float)i); }
    return model;
}

static void slices_of_stacked_tensors(void **state)
{
    MLP model = even_mlp(3, 1), copy = even_mlp(3, 5000), shorter = even_mlp(2, 7000);
    size_t asked = 0;
    Disk disk;
    pytree_report report = { 0 };
    pytree_safetensors *file;
    const pytree_tensor *t;
    (void)state;
    disk_init(&disk);
    disk.opt.rename = stacked_name;
    disk.opt.rename_context = &asked;
    model.scale[0][0] = 42;
    disk_save(&disk, PYTREE(&model));
    assert_true(asked >= 7);
    file = pytree_safetensors_map("f", &disk.opt, &disk.error);
    assert_non_null(file);
    assert_int_equal(file->n_tensors, 2);
    t = pytree_safetensors_find(file, "a.rather.long.name.that.needs.more.room.than.was.there.at.first.stack.w");
    assert_non_null(t);
    assert_int_equal(t->ndim, 3);
    assert_int_equal(t->shape[0], 3);
    assert_memory_equal((const char *)t->data + 24, model.layers[1].w, 24);
    pytree_safetensors_close(file);
    disk_load(&disk, PYTREE(&copy));
    assert_memory_equal(copy.layers[0].w, model.layers[0].w, 24);
    assert_memory_equal(copy.layers[2].w, model.layers[2].w, 24);
    assert_memory_equal(copy.layers[2].b, model.layers[2].b, 12);
    assert_true(copy.scale[0][0] == 0.0f);                    /* left out: as it was */
    disk.opt.report = &report;
    assert_load_fails(&disk, PYTREE(&shorter), PYTREE_SHAPE, ".layers[0].w");  /* two slices of three */
    assert_int_equal(report.wrong_shape.count, 4);
    assert_string_equal(report.wrong_shape.entries[0].wanted, "f32[2,2,3]");
    assert_string_equal(report.wrong_shape.entries[0].found, "f32[3,2,3]");
    assert_true(shorter.layers[0].w[0] == 7000.0f);
    {                                     /* as they are, by mapping */
        Linear layers[3];
        MLP mapped = { 0 };
        memcpy(layers, model.layers, sizeof layers);
        layers[0].w = layers[0].b = layers[1].w = layers[1].b = layers[2].w = layers[2].b = NULL;
        mapped.n_layers = 3;
        mapped.layers = layers;
        file = pytree_mmap_safetensors("f", PYTREE(&mapped), &disk.opt, &disk.error);
        assert_ok(disk.error.status, &disk.error);
        assert_true(pytree_equal(PYTREE(&model.layers[2]), PYTREE(&mapped.layers[2]), NULL, NULL, &disk.error));
        pytree_safetensors_close(file);
    }
    pytree_report_free(&report);
    disk_clear(&disk);
    mlp_clear(&model);
    mlp_clear(&copy);
    mlp_clear(&shorter);
}

/* Slice numbers from outside: all of one name, or with a gap, or one leaf whole. */
static size_t odd_slices(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    const int *how = context;
    *slice = *how == 0 ? 0
             : *how == 1 ? 2 * (leaf[0] - '0')
             : *how == 2 ? -5
             : *how == 4 ? leaf[0] - '0'
             : leaf[0] == '0' ? PYTREE_WHOLE : 1;
    return (size_t)snprintf(text, n, "all");
}

static void slices_that_make_no_sense(void **state)
{
    float a[2] = { 1, 2 }, b[2] = { 3, 4 };
    int how;
    double wide[2] = { 5, 6 };
    pytree tree = PYTREE_LIST(PYTREE_ARRAY(a, 2), PYTREE_ARRAY(b, 2)),
           types = PYTREE_LIST(PYTREE_ARRAY(a, 2), PYTREE_ARRAY(wide, 2));
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk.opt.rename = odd_slices;
    disk.opt.rename_context = &how;
    for (how = 0; how < 4; how++) { assert_save_fails(&disk, tree, PYTREE_ARGUMENT, NULL); }
    how = 1;
    assert_save_fails(&disk, types, PYTREE_ARGUMENT, NULL);
    how = 4;
    assert_save_fails(&disk, PYTREE_LIST(PYTREE_ARRAY(wide, 2), PYTREE_ARRAY(a, 2)), PYTREE_ARGUMENT, NULL);
    assert_save_fails(&disk, PYTREE_LIST(PYTREE_ARRAY(a, 2), PYTREE_ARRAY(b, 1)), PYTREE_ARGUMENT, NULL);
    assert_null(disk.memory.bytes);
    disk_clear(&disk);
}

static void names_from_table_callback_and_prefix(void **state)
{
    float a = 1, b = 2, c = 3;
    size_t asked = 0;
    const pytree_rename table[] = { { "b", "from table" }, { "nobody", "asks" } };
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk.opt.renames = table;
    disk.opt.n_renames = COUNT_OF(table);
    disk.opt.prefix = "deep/";
    disk.opt.separator = "/";
    disk_save(&disk, PYTREE_DICT({ "a", PYTREE_LIST(PYTREE(&a)) }, { "b", PYTREE(&b) }));
    assert_header(&disk, "{\"deep/a/0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                         "\"from table\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}");
    a = b = 0;
    disk_load(&disk, PYTREE_DICT({ "a", PYTREE_LIST(PYTREE(&a)) }, { "b", PYTREE(&b) }));
    assert_true(a == 1.0f && b == 2.0f);
    disk.opt.rename = stacked_name;       /* behind the table, in place of the prefix */
    disk.opt.rename_context = &asked;
    disk_save(&disk, PYTREE_DICT({ "c", PYTREE(&c) }, { "b", PYTREE(&b) }, { "scale", PYTREE(&a) }));
    assert_header(&disk, "{\"c\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                         "\"from table\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}");
    disk_clear(&disk);
}

static void names_that_no_file_can_have(void **state)
{
    float a = 1;
    Disk disk;
    const pytree_metadata twice[] = { { "k", "1" }, { "k", "2" } }, bad[] = { { "k", "\xFF" } }, null[] = { { "k", NULL } };
    (void)state;
    disk_init(&disk);
    assert_save_fails(&disk, PYTREE_DICT({ "\xC0\x80", PYTREE(&a) }), PYTREE_ARGUMENT, NULL);
    assert_save_fails(&disk, PYTREE_DICT({ "__metadata__", PYTREE(&a) }), PYTREE_ARGUMENT, NULL);
    disk.opt.metadata = twice;
    disk.opt.n_metadata = 2;
    assert_save_fails(&disk, PYTREE_LIST(), PYTREE_ARGUMENT, NULL);
    disk.opt.n_metadata = 1;
    disk.opt.metadata = bad;
    assert_save_fails(&disk, PYTREE_LIST(), PYTREE_ARGUMENT, NULL);
    disk.opt.metadata = null;
    assert_save_fails(&disk, PYTREE_LIST(), PYTREE_ARGUMENT, NULL);
    disk.opt.metadata = twice;
    disk_save(&disk, PYTREE_LIST());
    assert_header(&disk, "{\"__metadata__\":{\"k\":\"1\"}}");
    disk_clear(&disk);
}

static void names_that_must_be_escaped(void **state)
{
    float a = 1, b = 2;
    Disk disk;
    pytree_metadata about[] = { { "\"k\"", "\x1F\b" } };
    (void)state;
    disk_init(&disk);
    disk.opt.metadata = about;
    disk.opt.n_metadata = 1;
    disk_save(&disk, PYTREE_DICT({ "\x01\t\\\"/\x7F\xC3\xA9", PYTREE(&a) }, { "", PYTREE(&b) }));
    assert_header(&disk, "{\"__metadata__\":{\"\\\"k\\\"\":\"\\u001f\\b\"},"
                         "\"\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                         "\"\\u0001\\t\\\\\\\"/\x7F\xC3\xA9\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}");
    a = b = 0;
    disk_load(&disk, PYTREE_DICT({ "\x01\t\\\"/\x7F\xC3\xA9", PYTREE(&a) }, { "", PYTREE(&b) }));
    assert_true(a == 1.0f && b == 2.0f);
    /* in messages, which go to terminals, without control characters */
    assert_error(pytree_load_safetensors("f", PYTREE_DICT({ "", PYTREE(&b) }), &disk.opt, &disk.error), PYTREE_STRUCTURE, NULL,
                 &disk.error);
    assert_non_null(strstr(disk.error.message, "(??\\\"/?\xC3\xA9)"));
    disk_clear(&disk);
}

/* A path of more entries than there is room for at first. */
static void leaves_that_lie_deep(void **state)
{
    enum { DEEP = 300 };
    Node *chain = chain_make(DEEP), *copy = chain_make(DEEP);
    size_t i;
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk_save(&disk, PYTREE(chain));
    for (i = 0; i < DEEP; i++) { copy[i].value = -1; }
    disk_load(&disk, PYTREE(copy));
    for (i = 0; i < DEEP; i++) { assert_true(copy[i].value == (double)i); }
    disk_clear(&disk);
    free(chain);
    free(copy);
}

/* ---- Conversion ----------------------------------------------------------------------------------------------------- */

static uint16_t to_half(double v)
{
    pytree_f16 half;
    pytree__convert(PYTREE_F16, &half, PYTREE_F64, &v, 1);
    return half.bits;
}

static uint16_t to_brain(double v)
{
    pytree_bf16 brain;
    pytree__convert(PYTREE_BF16, &brain, PYTREE_F64, &v, 1);
    return brain.bits;
}

/* Every half and every bfloat16 by way of float and double, and each midpoint of two neighbours, and what lies beside it. */
static void rounding_to_nearest_even(void **state)
{
    unsigned bits;
    (void)state;
    for (bits = 0; bits < 0x10000; bits++) {
        uint16_t from = (uint16_t)bits, back;
        float single;
        double wide;
        bool nan = (bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0;
        pytree__convert(PYTREE_F32, &single, PYTREE_F16, &from, 1);
        pytree__convert(PYTREE_F16, &back, PYTREE_F32, &single, 1);
        assert_true(nan ? (isnan(single) && (back & 0x7E00) == 0x7E00) : back == from);
        nan = (bits & 0x7F80) == 0x7F80 && (bits & 0x7F) != 0;
        pytree__convert(PYTREE_F64, &wide, PYTREE_BF16, &from, 1);
        pytree__convert(PYTREE_BF16, &back, PYTREE_F64, &wide, 1);
        assert_true(nan ? (isnan(wide) && (back & 0x7FC0) == 0x7FC0) : back == from);
    }
    for (bits = 0; bits < 0x7BFF; bits += under_valgrind() ? 61 : 1) {         /* finite halves and the next one */
        uint16_t low = (uint16_t)bits, high = (uint16_t)(bits + 1);
        double a, b, middle;
        pytree__convert(PYTREE_F64, &a, PYTREE_F16, &low, 1);
        pytree__convert(PYTREE_F64, &b, PYTREE_F16, &high, 1);
        middle = (a + b) / 2;
        assert_int_equal(to_half(middle), bits % 2 == 0 ? low : high);
        assert_int_equal(to_half(nextafter(middle, 0)), low);
        assert_int_equal(to_half(nextafter(middle, 1e9)), high);
        assert_int_equal(to_half(-middle), 0x8000 | (bits % 2 == 0 ? low : high));
    }
    for (bits = 0; bits < 0x7F7F; bits += under_valgrind() ? 61 : 1) {
        uint16_t low = (uint16_t)bits, high = (uint16_t)(bits + 1);
        double a, b, middle;
        pytree__convert(PYTREE_F64, &a, PYTREE_BF16, &low, 1);
        pytree__convert(PYTREE_F64, &b, PYTREE_BF16, &high, 1);
        middle = (a + b) / 2;
        assert_int_equal(to_brain(middle), bits % 2 == 0 ? low : high);
        assert_int_equal(to_brain(nextafter(middle, 0)), low);
        assert_int_equal(to_brain(nextafter(middle, 1e300)), high);
    }
    assert_int_equal(to_half(65519.99), 0x7BFF);
    assert_int_equal(to_half(65520.0), 0x7C00);
    assert_int_equal(to_half(1e300), 0x7C00);
    assert_int_equal(to_half(-INFINITY), 0xFC00);
    assert_int_equal(to_half(5e-324), 0);
    assert_int_equal(to_half(-5e-324), 0x8000);
    assert_int_equal(to_brain(1e39), 0x7F80);
}

static void conversion_in_both_ways_to_load(void **state)
{
    static const char *const types[] = { "F16", "BF16", "F32", "F64" };
    const size_t many = 100001;           /* more than one piece, and not aligned to any */
    size_t i, k, j;
    (void)state;
    for (i = 0; i < COUNT_OF(types); i++) {
        Bag file;
        Disk disk;
        bag_init(&file, 2);
        file.leaves[1].shape[0] = many;
        bag_put(&file, 0, "a", PYTREE_TYPE(unsigned char), 0, 9);              /* shifts what follows */
        bag_put(&file, 1, "b", type_named(types[i]), 1, 0);
        for (j = 0; j < many; j++) {
            double v = (double)j / 7 - 3000;
            pytree__convert(file.leaves[1].type->dtype, (char *)file.leaves[1].data + j * file.leaves[1].type->size, PYTREE_F64,
                            &v, 1);
        }
        disk_init(&disk);
        disk_save(&disk, file.tree);
        for (k = 0; k < COUNT_OF(types); k++) {
            pytree_safetensors *mapped;
            pytree_leaf view;
            unsigned char *memory;
            Bag bag;
            bag_init(&bag, 2);
            bag.leaves[1].shape[0] = many;
            bag_put(&bag, 0, "a", PYTREE_TYPE(unsigned char), 0, 0);
            bag_put(&bag, 1, "b", type_named(types[k]), 1, 0);
            disk.opt.convert = false;
            if (i != k) { assert_load_fails(&disk, bag.tree, PYTREE_TYPE, "['b']"); }
            disk.opt.convert = true;
            disk_load(&disk, bag.tree);
            for (j = 0; j < many; j += under_valgrind() ? 997 : 1) {
                const size_t to = bag.leaves[1].type->size, from = file.leaves[1].type->size;
                unsigned char expected[8];
                if (i == k) { memcpy(expected, (char *)file.leaves[1].data + j * from, from);
                } else {
                    pytree__convert(bag.leaves[1].type->dtype, expected, file.leaves[1].type->dtype,
                                    (char *)file.leaves[1].data + j * from, 1);
                }
                assert_memory_equal((char *)bag.leaves[1].data + j * to, expected, to);
            }
            memory = bag.leaves[1].data;
            view = bag.leaves[1];
            mapped = pytree_mmap_safetensors("f", bag.tree, &disk.opt, &disk.error);
            assert_ok(disk.error.status, &disk.error);
            assert_ptr_equal(bag.leaves[1].data, memory); /* a view in a container has memory of its own: filled, not pointed */
            assert_memory_equal(bag.leaves[1].data, view.data, pytree_leaf_bytes(&view));
            pytree_safetensors_close(mapped);
            bag_clear(&bag);
        }
        bag_clear(&file);
        disk_clear(&disk);
    }
}

/* ---- Booleans ------------------------------------------------------------------------------------------------------- */

static void bytes_that_are_no_bool(void **state)
{
    static const char file[] = "tests/golden_files/safetensors/either/bool-two.safetensors";
    pytree_error error = { 0 };
    pytree_safetensors *open = pytree_safetensors_open(file, NULL, &error);
    pytree_checkpoint_options opt = { 0 };
    bool flags[16], before[16];
    pytree_leaf leaf = { 0 };
    pytree tree;
    size_t d;
    (void)state;
    assert_non_null(open);
    assert_int_equal(open->n_tensors, 1);
    memset(flags, 1, sizeof flags);
    memcpy(before, flags, sizeof flags);
    leaf.data = flags;
    leaf.type = PYTREE_TYPE(bool);
    leaf.ndim = (int)open->tensors[0].ndim;
    for (d = 0; d < open->tensors[0].ndim; d++) { leaf.shape[d] = (size_t)open->tensors[0].shape[d]; }
    assert_true(pytree_leaf_bytes(&leaf) <= sizeof flags);
    tree = PYTREE_DICT({ open->tensors[0].name, PYTREE(&leaf) });
    assert_error(pytree_load_safetensors(file, tree, &opt, &error), PYTREE_VALUE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_mmap_safetensors(file, tree, &opt, &error));
    assert_error(error.status, PYTREE_VALUE, NULL, &error);
    assert_memory_equal(flags, before, sizeof flags);
    pytree_safetensors_close(open);
}

/* ---- Shared memory -------------------------------------------------------------------------------------------------- */

static void shared_leaves(void **state)
{
    float tied[6] = { 1, 2, 3, 4, 5, 6 }, empty[1] = { 0 }, own[6];
    pytree tree = PYTREE_DICT({ "embed", PYTREE_ARRAY(tied, 2, 3) }, { "none", PYTREE_ARRAY(empty, 0) },
                              { "nothing", PYTREE_ARRAY(empty, 0) }, { "unembed", PYTREE_ARRAY(tied, 2, 3) });
    pytree parts = PYTREE_DICT({ "all", PYTREE_ARRAY(tied, 6) }, { "part", PYTREE_ARRAY(tied + 2, 2) });
    pytree apart = PYTREE_DICT({ "embed", PYTREE_ARRAY(tied, 2, 3) }, { "none", PYTREE_ARRAY(empty, 0) },
                               { "nothing", PYTREE_ARRAY(empty, 0) }, { "unembed", PYTREE_ARRAY(own, 2, 3) });
    Disk disk;
    (void)state;
    disk_init(&disk);
    assert_error(pytree_save_safetensors("f", tree, &disk.opt, &disk.error), PYTREE_SHARED, "['unembed']", &disk.error);
    assert_non_null(strstr(disk.error.message, "all of that of ['embed']"));
    memset(&disk.error, 0, sizeof disk.error);
    assert_error(pytree_save_safetensors("f", parts, &disk.opt, &disk.error), PYTREE_SHARED, "['part']", &disk.error);
    assert_non_null(strstr(disk.error.message, "some of that of ['all']"));
    memset(&disk.error, 0, sizeof disk.error);
    disk.opt.shared = PYTREE_SHARED_EACH;
    disk_save(&disk, tree);
    disk_load(&disk, apart);
    assert_memory_equal(tied, own, sizeof own);
    disk.opt.shared = PYTREE_SHARED_ONCE;
    disk_save(&disk, parts);              /* a part is stored by itself */
    assert_header(&disk, "{\"all\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]},"
                         "\"part\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[24,32]}}");
    disk_save(&disk, tree);
    assert_header(&disk, "{\"embed\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                         "\"none\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[24,24]},"
                         "\"nothing\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[24,24]}}");
    memset(tied, 0, sizeof tied);
    disk_load(&disk, tree);
    assert_true(tied[5] == 6.0f);
    assert_load_fails(&disk, apart, PYTREE_NOT_FOUND, "['unembed']");          /* memory of its own: nothing to make it good */
    disk.opt.shared = PYTREE_SHARED_REFUSED;
    assert_load_fails(&disk, tree, PYTREE_NOT_FOUND, "['unembed']");
    disk_clear(&disk);
}

/* ---- The report ----------------------------------------------------------------------------------------------------- */

static void the_report_in_words(void **state)
{
    float a[2] = { 1, 2 };
    int b = 4, c = 5, e = 6;
    double d = 0;
    pytree_report report = { 0 };
    Disk disk;
    char *text = NULL;
    size_t size = 0;
    FILE *stream;
    char path[GOLDEN_PATH];
    (void)state;
    disk_init(&disk);
    disk_save(&disk, PYTREE_DICT({ "a", PYTREE_ARRAY(a, 2) }, { "b", PYTREE(&b) }, { "c", PYTREE(&c) }, { "d", PYTREE(&e) }));
    disk.opt.report = &report;
    disk.opt.max_listed = 1;
    assert_error(pytree_load_safetensors("f",
                                         PYTREE_DICT({ "a", PYTREE_ARRAY(a, 1, 2) }, { "d", PYTREE(&d) }, { "x", PYTREE(&d) }),
                                         &disk.opt, &disk.error),
                 PYTREE_NOT_FOUND, "['x']", &disk.error);
    assert_string_equal(disk.error.message,
                        "expected what the tree asks for, got 1 missing (x), 1 wrong dtype (d: i32 for f64), "
                        "1 wrong shape (a: f32[2] for f32[1,2]), 2 unexpected (b, ...)");
    assert_int_equal(report.unexpected.count, 2);
    assert_int_equal(report.unexpected.n_entries, 1);
    scratch_path(path, "report");
    stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_ok(pytree_report_print(stream, &report, NULL), &(pytree_error){ 0 });
    fclose(stream);
    text = (char *)read_whole(path, &size);
    assert_string_equal(text, "missing      x  (['x'])  expected f64\n"
                              "unexpected   b  is i32\n"
                              "unexpected   and 1 more\n"
                              "wrong dtype  d  (['d'])  expected f64, got i32\n"
                              "wrong shape  a  (['a'])  expected f32[1,2], got f32[2]\n");
    free(text);
    stream = fopen(path, "rb");           /* cannot be written */
    assert_non_null(stream);
    memset(&disk.error, 0, sizeof disk.error);
    assert_error(pytree_report_print(stream, &report, &disk.error), PYTREE_IO, NULL, &disk.error);
    fclose(stream);
    remove(path);
    memset(&disk.error, 0, sizeof disk.error);
    disk_load(&disk, PYTREE_DICT({ "a", PYTREE_ARRAY(a, 2) }, { "b", PYTREE(&b) }, { "c", PYTREE(&c) }, { "d", PYTREE(&e) }));
    assert_int_equal(report.unexpected.count, 0);              /* emptied by a load that went well */
    assert_null(report.missing.entries);
    pytree_report_free(&report);
    pytree_report_free(NULL);
    disk_clear(&disk);
}

/* ---- Mapped --------------------------------------------------------------------------------------------------------- */

static void a_tree_in_the_mapping(void **state)
{
    MLP model = mlp_make(2, true);
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    pytree_error error = { 0 };
    pytree_safetensors *file;
    const pytree_tensor *t;
    char path[GOLDEN_PATH];
    (void)state;
    scratch_path(path, "mapped.safetensors");
    assert_ok(pytree_save_safetensors(path, PYTREE(&model), NULL, &error), &error);
    file = pytree_mmap_safetensors(path, PYTREE(&mapped), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&model), PYTREE(&mapped), NULL, NULL, &error));
    t = pytree_safetensors_find(file, "layers.1.w");
    assert_ptr_equal(layers[1].w, t->data);                    /* no copy */
    pytree_safetensors_close(file);
    layers[0].din = 5;                    /* does not fit: nothing is pointed anywhere */
    layers[0].w = layers[1].w = model.layers[0].w;
    assert_null(pytree_mmap_safetensors(path, PYTREE(&mapped), NULL, &error));
    assert_error(error.status, PYTREE_SHAPE, ".layers[0].w", &error);
    assert_ptr_equal(layers[1].w, model.layers[0].w);
    memset(&error, 0, sizeof error);
    layers[0].din = 4;
    mapped.layers = NULL;                 /* lists must be there */
    assert_null(
        pytree_mmap_safetensors(path, PYTREE(&mapped), &(pytree_checkpoint_options){ .ignore_unexpected = true }, &error));
    assert_true(error.status != PYTREE_OK);
    remove(path);
    mlp_clear(&model);
}

/* Only what is missing has no place: a list that is NULL, an array in a container. */
static void nowhere_to_point(void **state)
{
    Team team = { 1, NULL };
    Member member = { 0.5f, &team }, lead = { 0.25f, NULL };
    float number[2] = { 1, 2 };
    pytree_leaf empty = { 0 };
    Disk disk;
    (void)state;
    disk_init(&disk);
    team.lead = &lead;
    disk_save(&disk, PYTREE(&member));
    member.share = 0;
    assert_non_null(disk.memory.bytes);
    {
        pytree_safetensors *file = pytree_mmap_safetensors("f", PYTREE(&member), &disk.opt, &disk.error);
        assert_ok(disk.error.status, &disk.error);
        assert_true(member.share == 0.5f);                     /* in place: a copy */
        pytree_safetensors_close(file);
    }
    disk_save(&disk, PYTREE_LIST(PYTREE_ARRAY(number, 2)));
    empty.type = PYTREE_TYPE(float);
    empty.ndim = 1;
    empty.shape[0] = 2;
    assert_null(pytree_mmap_safetensors("f", PYTREE_LIST(pytree_of_view(&empty)), &disk.opt, &disk.error));
    assert_error(disk.error.status, PYTREE_NULL_POINTER, "[0]", &disk.error);
    disk_clear(&disk);
}

/* Each aligned or not: the values are right, and every array is aligned for its type. */
static void check_alignment(void *context, const cJSON *line)
{
    size_t *count = context, i, d;
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    pytree_safetensors *file, *mapped;
    if (strcmp(golden_text(line, "format"), "safetensors") != 0 || strcmp(golden_text(line, "class"), "alignment") != 0) {
        return;
    }
    golden_path(path, golden_text(line, "name"));
    file = pytree_safetensors_map(path, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *t = &file->tensors[i];
        pytree_leaf leaf = { 0 };
        pytree_checkpoint_options opt = { 0 };
        if (t->type == NULL) { continue; }
        opt.ignore_unexpected = true;
        leaf.type = t->type;
        leaf.ndim = (int)t->ndim;
        for (d = 0; d < t->ndim; d++) { leaf.shape[d] = (size_t)t->shape[d]; }
        leaf.data = malloc((size_t)t->bytes + 1);
        assert_ok(pytree_load_safetensors(path, PYTREE_DICT({ t->name, PYTREE(&leaf) }), &opt, &error), &error);
        assert_memory_equal(leaf.data, t->data, (size_t)t->bytes);
        memset(leaf.data, 0, (size_t)t->bytes);
        mapped = pytree_mmap_safetensors(path, PYTREE_DICT({ t->name, PYTREE(&leaf) }), &opt, &error);
        assert_ok(error.status, &error);
        assert_memory_equal(leaf.data, t->data, (size_t)t->bytes);
        pytree_safetensors_close(mapped);
        free(leaf.data);
    }
    pytree_safetensors_close(file);
    ++*count;
}

typedef struct Vectors {
    size_t n;
    double *wide;
    float *single;
    bool *flags;
    pytree_bf16 *brain;
} Vectors;

#define PYTREE_STRUCT Vectors
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, wide, ARRAY(self->n))                                                                            \
    PYTREE_FIELD(DATA, single, ARRAY(self->n))                                                                          \
    PYTREE_FIELD(DATA, flags, ARRAY(self->n))                                                                           \
    PYTREE_FIELD(DATA, brain, ARRAY(self->n))
#include "pytree_registry.h"

static void data_that_is_not_aligned(void **state)
{
    double wide[3] = { 1, 2, 3 };
    float single[3] = { 4, 5, 6 };
    bool flags[3] = { true, false, true };
    pytree_bf16 brain[3] = { { 0x3F80 }, { 0x4000 }, { 0 } };
    Vectors v = { 3, wide, single, flags, brain };
    size_t count = 0, shift;
    Disk disk;
    (void)state;
    golden_each("manifest.jsonl", check_alignment, &count);
    assert_int_equal(count, 4);
    disk_init(&disk);
    disk_save(&disk, PYTREE(&v));
    for (shift = 0; shift < 9; shift++) { /* more padding: the data begins anywhere */
        const unsigned char *bytes = disk.memory.bytes;
        size_t n = (size_t)bytes[0] + shift, old = bytes[0];
        unsigned char *moved = malloc(disk.memory.size + shift);
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { 0 };
        pytree_safetensors *file;
        Vectors got = { 3, NULL, NULL, NULL, NULL };
        assert_non_null(moved);
        memcpy(moved, bytes, 8);
        moved[0] = (unsigned char)n;
        moved[1] = (unsigned char)(bytes[1] + (n >> 8));
        old |= (size_t)bytes[1] << 8;
        memcpy(moved + 8, bytes + 8, old);
        memset(moved + 8 + old, ' ', shift);
        memcpy(moved + 8 + old + shift, bytes + 8 + old, disk.memory.size - 8 - old);
        memory.bytes = moved;
        memory.size = disk.memory.size + shift;
        opt.io = &io;
        file = pytree_mmap_safetensors("f", PYTREE(&got), &opt, &disk.error);
        assert_ok(disk.error.status, &disk.error);
        assert_true(pytree_equal(PYTREE(&v), PYTREE(&got), NULL, NULL, &disk.error));
        assert_int_equal((uintptr_t)got.wide % PYTREE_TYPE(double)->align, 0);
        assert_int_equal((uintptr_t)got.single % PYTREE_TYPE(float)->align, 0);
        assert_int_equal((uintptr_t)got.brain % PYTREE_TYPE(pytree_bf16)->align, 0);
        assert_ptr_equal(got.flags, pytree_safetensors_find(file, "flags")->data);         /* bytes are always aligned */
        pytree_safetensors_close(file);
        free(moved);
    }
    disk_clear(&disk);
}

/* ---- Sizes from the file -------------------------------------------------------------------------------------------- */

typedef struct Attention {
    short width, heads;
    float *qkv;                           /* (3 * width, width) */
    float *out;                           /* (width, width / (heads + 1)) */
    float *bias;                          /* (width,); NULL when there is none */
} Attention;

#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, width)                                                                                         \
    PYTREE_FIELD(STATIC, heads)                                                                                         \
    PYTREE_FIELD(DATA, qkv, ARRAY(3 * self->width, self->width))                                                        \
    PYTREE_FIELD(DATA, out, ARRAY(self->width, self->width / (self->heads + 1)))                                              \
    PYTREE_FIELD(DATA, bias, OPTIONAL, ARRAY(self->width))
#include "pytree_registry.h"

typedef struct Stage {
    unsigned char n;
    Attention *blocks;
    Linear pair[2];
    struct Stage *next;
} Stage;

#define PYTREE_STRUCT Stage
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, blocks, LIST(self->n))                                                                           \
    PYTREE_FIELD(DATA, pair)                                                                                            \
    PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

static Stage stage_make(Attention *blocks, size_t n, Stage *next)
{
    Stage stage = { 0 };
    size_t i;
    memset(blocks, 0, n * sizeof *blocks);
    stage.n = (unsigned char)n;
    stage.blocks = blocks;
    for (i = 0; i < n; i++) {
        blocks[i].width = (short)(4 + 2 * i);
        blocks[i].heads = 2;
        blocks[i].bias = i % 2 == 0 ? NULL : PYTREE_WANTED;
    }
    stage.pair[0].din = 3;
    stage.pair[0].dout = 2;
    stage.pair[1].din = 2;
    stage.pair[1].dout = 5;
    stage.next = next;
    return stage;
}

static void sizes_that_only_the_file_knows(void **state)
{
    Attention outer[3], inner[11];
    Stage last = stage_make(inner, 11, NULL), model = stage_make(outer, 3, &last), got = { 0 }, before;
    pytree_error error = { 0 };
    size_t i;
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk.opt.prefix = "net.";
    assert_ok(pytree_allocate(PYTREE(&model), NULL, &error), &error);
    model.blocks[2].qkv[3] = 7;
    model.next->blocks[10].out[0] = 8;
    disk_save(&disk, PYTREE(&model));
    /* heads does not follow from an extent: it stays 0 unless the template says it */
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
    assert_int_equal(got.n, 3);
    assert_int_equal(got.next->n, 11);
    assert_int_equal(got.next->blocks[10].width, 24);
    assert_int_equal(got.pair[1].dout, 5);
    assert_null(got.blocks[0].bias);
    assert_non_null(got.blocks[1].bias);
    assert_null(got.next->next);
    pytree_free(PYTREE(&got));
    {
        Attention templates[3] = { { .heads = 2 }, { .heads = 2 }, { .heads = 2 } }, rest[11];
        Stage next = { .n = 11, .blocks = rest };
        memset(rest, 0, sizeof rest);
        for (i = 0; i < 11; i++) { rest[i].heads = 2; }
        memset(&got, 0, sizeof got);
        got.n = 3;
        got.blocks = templates;
        got.next = &next;
        assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
        assert_ptr_not_equal(got.blocks, templates);
        assert_int_equal(templates[0].width, 0);               /* templates stay as they are */
        disk_load(&disk, PYTREE(&got));
        assert_true(pytree_equal(PYTREE(&model), PYTREE(&got), NULL, NULL, &error));
        assert_true(got.next->blocks[10].out[0] == 8.0f);
        pytree_free(PYTREE(&got));
    }
    /* a number that is there stays, whether the file agrees or not */
    memset(&got, 0, sizeof got);
    got.n = 2;
    got.pair[0].din = 9;
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
    assert_int_equal(got.n, 2);
    assert_int_equal(got.pair[0].din, 9);
    pytree_free(PYTREE(&got));
    /* without the prefix there is nothing: everything stays empty */
    disk.opt.prefix = NULL;
    memset(&got, 0, sizeof got);
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
    assert_int_equal(got.n, 0);
    assert_null(got.next);
    /* arguments */
    before = got;
    disk.opt.renames = (const pytree_rename[]){ { "a", "b" } };
    disk.opt.n_renames = 1;
    assert_error(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    disk.opt.n_renames = 0;
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate_from_safetensors("f", PYTREE_LIST(), &disk.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate_from_safetensors("no such file", PYTREE(&got), NULL, &error), PYTREE_IO, NULL, &error);
    assert_memory_equal(&before, &got, sizeof got);
    pytree_free(PYTREE(&got));
    disk_clear(&disk);
    pytree_free(PYTREE(&model));
}

/* A size that its integer cannot hold, a chain that goes on and on: refused, and the struct is as it was. */
static void sizes_that_do_not_fit(void **state)
{
    enum { DEEP = 1200 };
    static char name[5 * DEEP + 16];
    Stage got = { 0 }, before;
    Node chain = { 0 }, chain_before;
    float *many = calloc(70000, sizeof *many), *one = calloc(1, sizeof *one);
    pytree_error error = { 0 };
    size_t i;
    Disk disk;
    (void)state;
    assert_non_null(many);
    assert_non_null(one);
    before = got;
    chain_before = chain;
    disk_init(&disk);
    disk_save(&disk, PYTREE_DICT({ "blocks.0.bias", PYTREE_ARRAY(many, 70000) }));
    assert_error(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), PYTREE_OVERFLOW, NULL, &error);
    assert_non_null(strstr(error.message, "blocks.0.width"));
    assert_memory_equal(&before, &got, sizeof got);
    for (i = 0; i < DEEP; i++) { memcpy(name + 5 * i, "next.", 5); }
    memcpy(name + (size_t)5 * DEEP, "value", 6);
    disk_save(&disk, PYTREE_DICT({ name, PYTREE_ARRAY(one, 1) }));
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate_from_safetensors("f", PYTREE(&chain), &disk.opt, &error), PYTREE_OVERFLOW, NULL, &error);
    assert_memory_equal(&chain_before, &chain, sizeof chain);
    memcpy(name + 5 * 900, "value", 6);
    disk_save(&disk, PYTREE_DICT({ name, PYTREE(one) }));
    memset(&error, 0, sizeof error);
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&chain), &disk.opt, &error), &error);
    assert_int_equal(pytree_num_leaves(PYTREE(&chain), NULL, &error), 901);
    pytree_free(PYTREE(&chain));
    disk_clear(&disk);
    free(many);
    free(one);
}

/* ---- Memory that runs out ------------------------------------------------------------------------------------------- */

static pytree_status save_and_load(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    MLP model = mlp_make(2, true), copy = mlp_make(2, true), before;
    pytree_checkpoint_options opt = disk->opt;
    pytree_rename table[] = { { "scale", "factor" } };
    pytree_status status;
    opt.tree = *tree;
    opt.renames = table;
    opt.n_renames = 1;
    copy.scale[0][0] = -1;
    before = copy;
    status = pytree_save_safetensors("f", PYTREE(&model), &opt, err);
    if (status == PYTREE_OK) {
        status = pytree_load_safetensors("f", PYTREE(&copy), &opt, err);
        if (status != PYTREE_OK) { assert_memory_equal(&before, &copy, sizeof copy); }
        else { assert_true(pytree_equal(PYTREE(&model), PYTREE(&copy), NULL, NULL, err)); }
    }
    mlp_clear(&model);
    mlp_clear(&copy);
    return status;
}

static pytree_status load_with_report(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    MLP other = mlp_make(3, false);
    pytree_report report = { 0 };
    pytree_checkpoint_options opt = disk->opt;
    pytree_error own = { 0 };
    opt.tree = *tree;
    opt.report = &report;
    (void)pytree_load_safetensors("f", PYTREE(&other), &opt, &own);
    if (own.status == PYTREE_NOT_FOUND) {                      /* what is to be found out, found out */
        assert_int_equal(report.missing.count, 3);             /* layers.2.w, layers.2.b, and scale */
        own.status = PYTREE_OK;
    } else {
        *err = own;
        assert_int_equal(report.missing.count, 0);
    }
    pytree_report_free(&report);
    mlp_clear(&other);
    return own.status;
}

static pytree_status map_with_copies(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    pytree_checkpoint_options opt = disk->opt;
    pytree_rename table[] = { { "scale", "factor" } };
    pytree_safetensors *file;
    opt.tree = *tree;
    opt.renames = table;
    opt.n_renames = 1;
    opt.convert = true;
    file = pytree_mmap_safetensors("f", PYTREE(&mapped), &opt, err);
    if (file == NULL) { assert_null(layers[0].w); }
    pytree_safetensors_close(file);
    return err->status;
}

static pytree_status allocate_from(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    MLP model = { 0 };
    pytree_checkpoint_options opt = disk->opt;
    pytree_status status;
    opt.tree = *tree;
    status = pytree_allocate_from_safetensors("f", PYTREE(&model), &opt, err);
    if (status != PYTREE_OK) {
        assert_int_equal(model.n_layers, 0);
        assert_null(model.layers);
    } else {
        assert_int_equal(model.n_layers, 2);
        assert_int_equal(model.head->dout, 2);
    }
    pytree_free(PYTREE(&model));
    return status;
}

static pytree_status save_deep(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    Node *chain = chain_make(100);
    pytree_checkpoint_options opt = disk->opt;
    pytree_status status;
    opt.tree = *tree;
    status = pytree_save_safetensors("f", PYTREE(chain), &opt, err);
    free(chain);
    return status;
}

static pytree_status map_deep(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    Node *chain = chain_make(100);
    pytree_checkpoint_options opt = disk->opt;
    pytree_safetensors *file;
    size_t i;
    opt.tree = *tree;
    for (i = 0; i < 100; i++) { chain[i].value = -1; }
    file = pytree_mmap_safetensors("f", PYTREE(chain), &opt, err);
    for (i = 0; i < 100; i++) { assert_true(chain[i].value == (file == NULL ? -1.0 : (double)i)); }
    pytree_safetensors_close(file);
    free(chain);
    return err->status;
}

static pytree_status share_once(void *context, const pytree_options *tree, pytree_error *err)
{
    float tied[2] = { 1, 2 };
    pytree t = PYTREE_LIST(PYTREE_ARRAY(tied, 2), PYTREE_ARRAY(tied, 2));
    Disk *disk = context;
    pytree_checkpoint_options opt = disk->opt;
    pytree_status status;
    opt.tree = *tree;
    opt.shared = PYTREE_SHARED_ONCE;
    status = pytree_save_safetensors("f", t, &opt, err);
    return status == PYTREE_OK ? pytree_load_safetensors("f", t, &opt, err) : status;
}

static void every_allocation_may_fail(void **state)
{
    Disk disk;
    (void)state;
    disk_init(&disk);
    assert_true(sweep_allocations(save_and_load, &disk) > 12);
    assert_true(sweep_allocations(load_with_report, &disk) > 8);
    assert_true(sweep_allocations(map_with_copies, &disk) > 8);
    assert_true(sweep_allocations(allocate_from, &disk) > 8);
    assert_true(sweep_allocations(share_once, &disk) > 8);
    assert_true(sweep_allocations(save_deep, &disk) > 6);
    assert_true(sweep_allocations(map_deep, &disk) > 8);
    disk_clear(&disk);
}

/* Many names: nothing here may take quadratic time. */
static void many_leaves(void **state)
{
    enum { MANY = 20000 };
    size_t n = under_valgrind() ? MANY / 20 : MANY, i;
    char (*names)[32] = malloc(n * sizeof *names);
    float *numbers = malloc(n * sizeof *numbers);
    Bag bag;
    Disk disk;
    (void)state;
    assert_non_null(names);
    assert_non_null(numbers);
    bag_init(&bag, n);
    for (i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "layer.%lu.w", (unsigned long)i);
        bag_put(&bag, i, names[i], PYTREE_TYPE(float), 0, (unsigned char)i);
    }
    disk_init(&disk);
    disk_save(&disk, bag.tree);
    for (i = 0; i < n; i++) {
        memcpy(&numbers[i], bag.leaves[i].data, sizeof numbers[i]);
        memset(bag.leaves[i].data, 0, sizeof numbers[i]);
    }
    disk_load(&disk, bag.tree);
    for (i = 0; i < n; i++) { assert_memory_equal(bag.leaves[i].data, &numbers[i], sizeof numbers[i]); }
    disk_clear(&disk);
    bag_clear(&bag);
    free(names);
    free(numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_case),
        cmocka_unit_test(bytes_of_the_reference_writer),
        cmocka_unit_test(structs_by_key_path),
        cmocka_unit_test(every_number_type),
#if defined(TEST_HAS_COMPLEX)
        cmocka_unit_test(complex_numbers),
#endif
        cmocka_unit_test(slices_of_stacked_tensors),
        cmocka_unit_test(slices_that_make_no_sense),
        cmocka_unit_test(names_from_table_callback_and_prefix),
        cmocka_unit_test(names_that_no_file_can_have),
        cmocka_unit_test(names_that_must_be_escaped),
        cmocka_unit_test(leaves_that_lie_deep),
        cmocka_unit_test(rounding_to_nearest_even),
        cmocka_unit_test(conversion_in_both_ways_to_load),
        cmocka_unit_test(bytes_that_are_no_bool),
        cmocka_unit_test(shared_leaves),
        cmocka_unit_test(the_report_in_words),
        cmocka_unit_test(a_tree_in_the_mapping),
        cmocka_unit_test(nowhere_to_point),
        cmocka_unit_test(data_that_is_not_aligned),
        cmocka_unit_test(sizes_that_only_the_file_knows),
        cmocka_unit_test(sizes_that_do_not_fit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(many_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
