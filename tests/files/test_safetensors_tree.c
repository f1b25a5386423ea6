/* Trees in .safetensors files: what loads and what does not (golden_files/tree-cases.json), the bytes of the reference
 * writer, structs, names. */
#include "safetensors_tree_shared.h"

/* ---- Trees that are made from lists of tensors ------------------------------------------------------------------------- */

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

/* ---- What fits --------------------------------------------------------------------------------------------------------- */

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

/* ---- The reference writer's bytes -------------------------------------------------------------------------------------- */

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

/* ---- Files in memory --------------------------------------------------------------------------------------------------- */

static void assert_save_fails(Disk *disk, pytree t, pytree_status status, const char *path)
{
    assert_error(pytree_save_safetensors("f", t, &disk->opt, &disk->error), status, path, &disk->error);
    memset(&disk->error, 0, sizeof disk->error);
}

/* ---- Structs ----------------------------------------------------------------------------------------------------------- */

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
        pytree numbers = PYTREE_DICT({ "flag", PYTREE(&all.flag) }, { "letter", (pytree){ PYTREE_TYPE(char), &all.letter } },
                                     { "i8", PYTREE(&all.i8) }, { "u8", PYTREE(&all.u8) }, { "i16", PYTREE(&all.i16) },
                                     { "u16", PYTREE(&all.u16) }, { "i32", PYTREE(&all.i32) }, { "u32", PYTREE(&all.u32) },
                                     { "il", PYTREE(&all.i_long) }, { "ul", PYTREE(&all.u_long) }, { "i64", PYTREE(&all.i64) },
                                     { "u64", PYTREE(&all.u64) }, { "f32", PYTREE(&all.f32) }, { "f64", PYTREE(&all.f64) },
                                     { "half", PYTREE(&all.half) }, { "brain", PYTREE(&all.brain) });
        pytree copies =
            PYTREE_DICT({ "flag", PYTREE(&copy.flag) }, { "letter", (pytree){ PYTREE_TYPE(char), &copy.letter } },
                        { "i8", PYTREE(&copy.i8) }, { "u8", PYTREE(&copy.u8) }, { "i16", PYTREE(&copy.i16) },
                        { "u16", PYTREE(&copy.u16) },
                        { "i32", PYTREE(&copy.i32) }, { "u32", PYTREE(&copy.u32) }, { "il", PYTREE(&copy.i_long) },
                        { "ul", PYTREE(&copy.u_long) }, { "i64", PYTREE(&copy.i64) }, { "u64", PYTREE(&copy.u64) },
                        { "f32", PYTREE(&copy.f32) }, { "f64", PYTREE(&copy.f64) }, { "half", PYTREE(&copy.half) },
                        { "brain", PYTREE(&copy.brain) });
        static const char *const order[] = { "u64", "i64", "f64", "f32", "u32", "ul", "i32", "il",
                                             "brain", "half", "u16", "i16", "i8", "letter", "u8", "flag" };
        static const char *const order_of_long[] = { "u64", "ul", "i64", "il", "f64", "f32", "u32", "i32" };
        pytree_safetensors *file;
        size_t i;
        disk_save(&disk, numbers);
        file = pytree_safetensors_open("f", &disk.opt, &disk.error);
        assert_non_null(file);
        assert_int_equal(file->n_tensors, COUNT_OF(order));
        for (i = 0; i < COUNT_OF(order); i++) {
            const bool has_long = sizeof(long) == sizeof(int64_t) && i < COUNT_OF(order_of_long);
            assert_string_equal(file->tensors[i].name, has_long ? order_of_long[i] : order[i]);
        }
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

/* ---- Names ------------------------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(leaves_that_lie_deep)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
