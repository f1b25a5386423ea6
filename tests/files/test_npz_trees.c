/* Trees saved to .npz files and loaded from them, and systems that fail. */
#include "npz_shared.h"

/* ---- Trees ------------------------------------------------------------------------------------------------------------- */

/* A model of structs, stored and at every level of compression, into one that differs everywhere. */
static void structs_there_and_back(void **state)
{
    int level;
    MLP model = mlp_make(2, true);
    (void)state;
    for (level = 0; level <= 9; level++) {
        MLP other = mlp_make(2, true);
        Heap heap;
        Archive place;
        pytree_error error = { 0 };
        pytree arrays;
        other.layers[0].w[5] = -1;
        other.head->b[1] = -1;
        other.scale[1][2] = -1;
        heap_init(&heap, HEAP_NEVER_FAILS);
        archive_init(&place, NULL, 0, &heap.allocator);
        place.opt.compress = level;
        assert_ok(pytree_save_npz("bytes", PYTREE(&model), &place.opt, &error), &error);
        assert_ok(pytree_load_npz("bytes", PYTREE(&other), &place.opt, &error), &error);
        assert_true(pytree_equal(PYTREE(&other), PYTREE(&model), NULL, NULL, &error));
        assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
        assert_int_equal(((const pytree_items *)arrays.data)->count, 7);
        assert_int_equal(array_of(arrays, "layers.1.w")->shape[0], 3);
        assert_memory_equal(array_of(arrays, "layers.1.w")->data, model.layers[1].w, 6 * sizeof(float));
        assert_memory_equal(array_of(arrays, "scale")->data, model.scale, sizeof model.scale);
        pytree_npz_free(arrays);
        pytree_memory_free(&place.file);
        assert_heap_clean(&heap);
        mlp_clear(&other);
    }
    mlp_clear(&model);
}

/* Long runs compress, in pieces larger than any buffer; noise does not. */
static void compression(void **state)
{
    enum { N = 300000 };
    float *zeros = calloc(N, sizeof *zeros), *noise = calloc(N, sizeof *noise), *loaded = calloc(N, sizeof *loaded);
    Archive stored, packed;
    pytree_error error = { 0 };
    uint32_t random = 1, bits;
    size_t i;
    (void)state;
    assert_true(zeros != NULL && noise != NULL && loaded != NULL);
    for (i = 0; i < N; i++) {
        random = random * 1664525u + 1013904223u;
        bits = (random >> 2) ^ (random << 13 & 0x007FFFFFu);
        memcpy(&noise[i], &bits, sizeof bits);
    }
    archive_init(&stored, NULL, 0, NULL);
    archive_init(&packed, NULL, 0, NULL);
    packed.opt.compress = 6;
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "z", PYTREE_ARRAY(zeros, N) }), &packed.opt, &error), &error);
    assert_in_range(packed.file.size, 100, 4000);
    assert_ok(pytree_load_npz("bytes", PYTREE_DICT({ "z", PYTREE_ARRAY(loaded, N) }), &packed.opt, &error), &error);
    assert_memory_equal(loaded, zeros, N * sizeof *zeros);
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "z", PYTREE_ARRAY(noise, N) }), &packed.opt, &error), &error);
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "z", PYTREE_ARRAY(noise, N) }), &stored.opt, &error), &error);
    assert_in_range(packed.file.size, stored.file.size * 3 / 4, stored.file.size * 11 / 10);
    assert_ok(pytree_load_npz("bytes", PYTREE_DICT({ "z", PYTREE_ARRAY(loaded, N) }), &packed.opt, &error), &error);
    assert_memory_equal(loaded, noise, N * sizeof *noise);
    packed.opt.compress = 10;
    assert_error(pytree_save_npz("bytes", PYTREE_NONE, &packed.opt, &error), PYTREE_ARGUMENT, "", &error);
    packed.opt.compress = -1;
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npz("bytes", PYTREE_NONE, &packed.opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a level of compression from 0 to 9, got -1");
    pytree_memory_free(&stored.file);
    pytree_memory_free(&packed.file);
    free(zeros);
    free(noise);
    free(loaded);
}

/* All that does not fit, in one report; the tree as before. */
static void mismatches(void **state)
{
    float w[6] = { 1, 2, 3, 4, 5, 6 }, b[4] = { 1, 2, 3, 4 }, fits[2] = { 7, 8 }, extra = 9, gone[2] = { 3, 3 };
    float w_target[6] = { 0 }, fits_target[2] = { 0, 0 };
    double b_target[4] = { 0 };
    const float zeros[6] = { 0 };
    pytree_report report = { 0 };
    Archive place;
    pytree_error error = { 0 };
    pytree wanted = PYTREE_DICT({ "fits", PYTREE_ARRAY(fits_target, 2) }, { "w", PYTREE_ARRAY(w_target, 3, 2) },
                                { "b", PYTREE_ARRAY(b_target, 2, 2) }, { "gone", PYTREE_ARRAY(gone, 2) });
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    place.opt.report = &report;
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "fits", PYTREE_ARRAY(fits, 2) }, { "w", PYTREE_ARRAY(w, 2, 3) },
                                                   { "b", PYTREE_ARRAY(b, 4) }, { "new", PYTREE(&extra) }),
                              &place.opt, &error), &error);
    assert_error(pytree_load_npz("bytes", wanted, &place.opt, &error), PYTREE_NOT_FOUND, NULL, &error);
    assert_int_equal(report.missing.count, 1);
    assert_string_equal(report.missing.entries[0].name, "gone");
    assert_int_equal(report.unexpected.count, 1);
    assert_string_equal(report.unexpected.entries[0].name, "new");
    assert_int_equal(report.wrong_dtype.count, 1);
    assert_string_equal(report.wrong_dtype.entries[0].name, "b");
    assert_int_equal(report.wrong_shape.count, 2);
    assert_memory_equal(w_target, zeros, sizeof w_target);
    assert_memory_equal(fits_target, zeros, sizeof fits_target);
    pytree_report_free(&report);
    memset(&error, 0, sizeof error);
    place.opt.ignore_unexpected = true;
    assert_ok(pytree_load_npz("bytes", PYTREE_DICT({ "fits", PYTREE_ARRAY(fits_target, 2) }), &place.opt, &error), &error);
    assert_int_equal(report.unexpected.count, 3);
    assert_memory_equal(fits_target, fits, sizeof fits);
    pytree_report_free(&report);
    memset(&error, 0, sizeof error);
    assert_error(pytree_load_npz("bytes", PYTREE_DICT({ "a.b", PYTREE(&extra) }, { "a", PYTREE_DICT({ "b", PYTREE(&w[0]) }) }),
                                 &place.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    assert_int_not_equal(report.ambiguous.count, 0);
    assert_string_equal(report.ambiguous.entries[0].name, "a.b");
    pytree_report_free(&report);
    pytree_memory_free(&place.file);
}

/* ---- Tree cases -------------------------------------------------------------------------------------------------------- */

/* The dict of a case's list of names, types and shapes; every byte of its arrays is `fill`. */
static pytree case_begin(Dict *d, const cJSON *list, unsigned char fill)
{
    static const struct { const char *name; int type; } types[] = {
        { "F16", PYTREE__T_f16 }, { "F32", PYTREE__T_float_ }, { "F64", PYTREE__T_double_ }, { "I32", PYTREE__T_int_ },
        { "I64", PYTREE__T_llong }, { "U8", PYTREE__T_uchar }, { "BOOL", PYTREE__T_bool_ }
    };
    pytree t = dict_begin(d, (size_t)cJSON_GetArraySize(list));
    const cJSON *one, *extent;
    size_t i = 0, k;
    cJSON_ArrayForEach(one, list) {
        pytree_leaf *leaf = &d->leaves[i];
        for (k = 0; k < COUNT_OF(types) && strcmp(types[k].name, golden_text(one, "dtype")) != 0; k++) { }
        assert_in_range(k, 0, COUNT_OF(types) - 1);
        leaf->type = &pytree_types[types[k].type];
        leaf->ndim = 0;
        cJSON_ArrayForEach(extent, cJSON_GetObjectItemCaseSensitive(one, "shape")) {
            leaf->shape[leaf->ndim++] = (size_t)golden_number(extent);
        }
        leaf->data = calloc(1, pytree_leaf_bytes(leaf) + 1);
        assert_non_null(leaf->data);
        memset(leaf->data, leaf->type->dtype == PYTREE_BOOL8 ? fill != 0 : fill, pytree_leaf_bytes(leaf));
        d->pairs[i++].key = golden_text(one, "name");
    }
    return t;
}

static void case_end(Dict *d)
{
    size_t i;
    for (i = 0; i < d->items.count; i++) { free(d->leaves[i].data); }
    dict_end(d);
}

/* The list has the names that are expected, in any order. A name is a text, or a member of an object. */
static void assert_names(const pytree_misfits *got, const cJSON *expected)
{
    const cJSON *one;
    size_t i;
    assert_int_equal(got->count, cJSON_GetArraySize(expected));
    assert_int_equal(got->n_entries, got->count);
    cJSON_ArrayForEach(one, expected) {
        const char *name = cJSON_IsString(one) ? one->valuestring : golden_text(one, "name");
        for (i = 0; i < got->n_entries && strcmp(got->entries[i].name, name) != 0; i++) { }
        if (i == got->n_entries) { fail_msg("'%s' is not reported", name); }
    }
}

static void check_case(const cJSON *one)
{
    const cJSON *expect = cJSON_GetObjectItemCaseSensitive(one, "expect");
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(one, "options");
    const cJSON *table = cJSON_GetObjectItemCaseSensitive(given, "rename"), *pair;
    bool ok = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(expect, "ok"));
    pytree_rename renames[8];
    pytree_report report = { 0 };
    Dict saved, wanted;
    Archive place;
    pytree file = case_begin(&saved, cJSON_GetObjectItemCaseSensitive(one, "file"), 0x40);    /* not 0 in any float */
    pytree tree = case_begin(&wanted, cJSON_GetObjectItemCaseSensitive(one, "wanted"), 0);
    pytree_pair pair_below;
    pytree_items below = { 0 };
    pytree_status status;
    size_t i, k;
    if (cJSON_HasObjectItem(expect, "ambiguous")) {            /* a.b twice: as a key, and as b below a */
        assert_string_equal(wanted.pairs[0].key, "a.b");
        pair_below.key = "b";
        pair_below.value = wanted.pairs[0].value;
        below.count = 1;
        below.pairs = &pair_below;
        wanted.pairs[0].key = "a";
        wanted.pairs[0].value.type = &pytree_types[PYTREE__T_dict];
        wanted.pairs[0].value.data = &below;
    }
    archive_init(&place, NULL, 0, NULL);
    assert_int_equal(pytree_save_npz("bytes", file, &place.opt, NULL), PYTREE_OK);
    place.opt.report = &report;
    place.opt.prefix = golden_text(given, "prefix");
    place.opt.ignore_unexpected = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(given, "ignore_unexpected"));
    place.opt.convert = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(given, "convert"));
    cJSON_ArrayForEach(pair, table) {
        assert_in_range(place.opt.n_renames, 0, COUNT_OF(renames) - 1);
        renames[place.opt.n_renames].from = pair->string;
        renames[place.opt.n_renames++].to = pair->valuestring;
    }
    place.opt.renames = renames;
    status = pytree_load_npz("bytes", tree, &place.opt, NULL);
    if ((status == PYTREE_OK) != ok) { fail_msg("%s: got %s", golden_text(one, "name"), pytree_status_name(status)); }
    if (cJSON_GetObjectItemCaseSensitive(expect, "ambiguous") != NULL) {
        assert_int_not_equal(report.ambiguous.count, 0);
        assert_string_equal(report.ambiguous.entries[0].name,
                            cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(expect, "ambiguous"), 0)->valuestring);
    } else {
        assert_names(&report.missing, cJSON_GetObjectItemCaseSensitive(expect, "missing"));
        assert_names(&report.unexpected, cJSON_GetObjectItemCaseSensitive(expect, "unexpected"));
        assert_names(&report.wrong_dtype, cJSON_GetObjectItemCaseSensitive(expect, "wrong_dtype"));
        assert_names(&report.wrong_shape, cJSON_GetObjectItemCaseSensitive(expect, "wrong_shape"));
    }
    for (i = 0; i < wanted.items.count; i++) {                 /* all of them were read, or none was touched */
        const unsigned char *bytes = wanted.leaves[i].data;
        size_t n = pytree_leaf_bytes(&wanted.leaves[i]);
        bool touched = false;
        for (k = 0; k < n; k++) { touched = touched || bytes[k] != 0; }
        if (n != 0) { assert_int_equal(touched, ok); }
    }
    pytree_report_free(&report);
    pytree_memory_free(&place.file);
    case_end(&saved);
    case_end(&wanted);
}

static void tree_cases(void **state)
{
    size_t size, n = 0;
    char *text = (char *)golden_read("tree-cases.json", &size);
    cJSON *json = cJSON_Parse(text);
    const cJSON *one;
    (void)state;
    assert_non_null(json);
    cJSON_ArrayForEach(one, json) {
        check_case(one);
        n++;
    }
    assert_int_equal(n, 34);
    cJSON_Delete(json);
    free(text);
}

/* Layer i of a stacked array, by a callback. */
static size_t layer_of_stack(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    *slice = leaf[0] - '0';
    return (size_t)snprintf(text, n, "stack");
}

static void names_and_conversion(void **state)
{
    double stack[3][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 } };
    float first[2] = { 9, 9 }, second[2] = { 9, 9 }, third[2] = { 9, 9 };
    pytree_bf16 half[3][2] = { { { 0 }, { 0 } } };
    const pytree_rename renames[] = { { "b", "model.stack" } };
    float all[3][2];
    Archive place;
    pytree_error error = { 0 };
    pytree slices = PYTREE_LIST(PYTREE_ARRAY(first, 2), PYTREE_ARRAY(second, 2), PYTREE_ARRAY(third, 2));
    pytree halves = PYTREE_LIST(PYTREE_ARRAY(half[0], 2), PYTREE_ARRAY(half[1], 2), PYTREE_ARRAY(half[2], 2));
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "stack", PYTREE_ARRAY(&stack[0][0], 3, 2) }), &place.opt, &error), &error);
    place.opt.rename = layer_of_stack;
    place.opt.convert = true;
    assert_ok(pytree_load_npz("bytes", slices, &place.opt, &error), &error);
    assert_true(first[0] == 0 && first[1] == 1 && second[0] == 2 && second[1] == 3 && third[0] == 4 && third[1] == 5);
    assert_ok(pytree_load_npz("bytes", halves, &place.opt, &error), &error);
    assert_int_equal(half[0][1].bits, 0x3F80);
    assert_int_equal(half[2][0].bits, 0x4080);
    assert_error(pytree_save_npz("bytes", slices, &place.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    memset(&error, 0, sizeof error);
    place.opt.rename = NULL;
    place.opt.prefix = "model.";
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "stack", PYTREE_ARRAY(&stack[0][0], 3, 2) }), &place.opt, &error), &error);
    place.opt.renames = renames;
    place.opt.n_renames = 1;
    assert_ok(pytree_load_npz("bytes", PYTREE_DICT({ "b", PYTREE_ARRAY(&all[0][0], 3, 2) }), &place.opt, &error), &error);
    assert_true(all[2][1] == 5);
    pytree_memory_free(&place.file);
}

static void what_can_not_be_saved(void **state)
{
    float x = 1;
    pytree_bf16 half = { 0 };
    const char *text = "text";
    char long_name[70000];
    Archive place;
    pytree_error error = { 0 };
    pytree twice = PYTREE_LIST(PYTREE(&x), PYTREE(&x)), unreadable = PYTREE_DICT({ "\xFF", PYTREE(&x) });
    pytree named = PYTREE_DICT({ long_name, PYTREE(&x) });
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_error(pytree_save_npz("bytes", PYTREE_DICT({ "x", PYTREE(&x) }, { "h", PYTREE(&half) }), &place.opt, &error),
                 PYTREE_TYPE, "['h']", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npz("bytes", PYTREE(&text), &place.opt, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npz("bytes", twice, &place.opt, &error), PYTREE_SHARED, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npz("bytes", unreadable, &place.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npz("bytes", named, &place.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    assert_null(place.file.bytes);
    long_name[65531] = '\0';
    memset(&error, 0, sizeof error);
    assert_ok(pytree_save_npz("bytes", named, &place.opt, &error), &error);
    x = 2;
    assert_ok(pytree_load_npz("bytes", named, &place.opt, &error), &error);
    assert_true(x == 1);
    assert_ok(pytree_save_npz("bytes", PYTREE_NONE, &place.opt, &error), &error);
    assert_int_equal(place.file.size, 22);
    assert_ok(pytree_load_npz("bytes", PYTREE_NONE, &place.opt, &error), &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_load_npz(NULL, PYTREE_NONE, NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npz(NULL, PYTREE_NONE, NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
    pytree_memory_free(&place.file);
}

/* Leaves that may be missing keep their values. */
static void leaves_that_may_be_missing(void **state)
{
    static const char *const may_be_missing[] = { "new" };
    float saved = 1, old = 0, fresh[2] = { 5, 6 };
    Archive place;
    pytree_error error = { 0 };
    pytree wanted = PYTREE_DICT({ "old", PYTREE(&old) }, { "new", PYTREE_ARRAY(fresh, 2) });
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "old", PYTREE(&saved) }), &place.opt, &error), &error);
    assert_error(pytree_load_npz("bytes", wanted, &place.opt, &error), PYTREE_NOT_FOUND, NULL, &error);
    assert_true(old == 0);
    memset(&error, 0, sizeof error);
    place.opt.allow_missing = may_be_missing;
    place.opt.n_allow_missing = 1;
    assert_ok(pytree_load_npz("bytes", wanted, &place.opt, &error), &error);
    assert_true(old == 1 && fresh[0] == 5 && fresh[1] == 6);
    pytree_memory_free(&place.file);
}

/* Calls without options have those that are all zero. */
static void no_options(void **state)
{
    float saved[2] = { 1, 2 }, loaded[2] = { 0, 0 };
    char path[GOLDEN_PATH];
    pytree arrays;
    pytree_checkpoint_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    scratch_path(path, "options.npz");
    assert_ok(pytree_save_npz(path, PYTREE_DICT({ "x", PYTREE_ARRAY(saved, 2) }), NULL, &error), &error);
    assert_ok(pytree_load_npz(path, PYTREE_DICT({ "x", PYTREE_ARRAY(loaded, 2) }), NULL, &error), &error);
    assert_memory_equal(loaded, saved, sizeof saved);
    assert_ok(pytree_read_npz(path, &arrays, NULL, &error), &error);
    assert_int_equal((uintptr_t)array_of(arrays, "x")->data % 64, 0);
    assert_memory_equal(array_of(arrays, "x")->data, saved, sizeof saved);
    pytree_npz_free(arrays);
    opt.tree.alignment = 256;
    assert_ok(pytree_read_npz(path, &arrays, &opt, &error), &error);
    assert_int_equal((uintptr_t)array_of(arrays, "x")->data % 256, 0);
    pytree_npz_free(arrays);
    assert_int_equal(remove(path), 0);
}

/* Empty arrays, a scalar alone (whose name is empty), names beyond ASCII. */
static void odd_trees(void **state)
{
    float none[1] = { 4 }, x = 1, y = 2;
    double z = 3;
    Archive place;
    pytree arrays;
    pytree_error error = { 0 };
    int level;
    (void)state;
    for (level = 0; level <= 1; level++) {
        archive_init(&place, NULL, 0, NULL);
        place.opt.compress = level;
        assert_ok(pytree_save_npz("bytes", PYTREE(&z), &place.opt, &error), &error);
        z = 0;
        assert_ok(pytree_load_npz("bytes", PYTREE(&z), &place.opt, &error), &error);
        assert_true(z == 3);
        assert_ok(pytree_save_npz("bytes", PYTREE_DICT({ "empty", PYTREE_ARRAY(none, 0, 3) }, { "caf\xC3\xA9", PYTREE(&x) },
                                                       { "../up", PYTREE(&y) }, { "\xF0\x9F\x8C\xB2", PYTREE(&z) }),
                                  &place.opt, &error), &error);
        assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
        assert_int_equal(((const pytree_items *)arrays.data)->count, 4);
        assert_int_equal(array_of(arrays, "empty")->shape[1], 3);
        assert_true(*(float *)array_of(arrays, "caf\xC3\xA9")->data == 1);
        assert_true(*(float *)array_of(arrays, "../up")->data == 2);
        assert_true(*(double *)array_of(arrays, "\xF0\x9F\x8C\xB2")->data == 3);
        pytree_npz_free(arrays);
        pytree_memory_free(&place.file);
    }
}

/* ---- Failing systems --------------------------------------------------------------------------------------------------- */

typedef struct Trial {
    Archive place;
    Faults faults;
    pytree_io io;
    pytree_checkpoint_options opt;
    Heap heap;
    float saved[2][ELEMENTS], target[2][ELEMENTS], before[2][ELEMENTS];
} Trial;

static Trial *trial_begin(int compress)
{
    Trial *t = calloc(1, sizeof *t);
    size_t i;
    assert_non_null(t);
    for (i = 0; i < ELEMENTS; i++) {
        t->saved[0][i] = (float)i;
        t->saved[1][i] = 0.25f * (float)(i % 97);
        t->before[0][i] = t->before[1][i] = -1;
    }
    memcpy(t->target, t->before, sizeof t->target);
    archive_init(&t->place, NULL, 0, NULL);
    t->place.opt.compress = compress;
    assert_int_equal(pytree_save_npz("bytes", PYTREE_DICT({ "a", PYTREE_ARRAY(t->saved[0], ELEMENTS) },
                                                          { "b", PYTREE_ARRAY(t->saved[1], ELEMENTS) }),
                                     &t->place.opt, NULL), PYTREE_OK);
    t->faults.base = &t->place.io;
    heap_init(&t->heap, HEAP_NEVER_FAILS);
    t->opt.tree.allocator = &t->heap.allocator;
    t->opt.compress = compress;
    t->opt.io = &t->io;
    return t;
}

static pytree_status trial_load(Trial *t, pytree_error *err)
{
    pytree_status status;
    t->io = faults_io(&t->faults);
    status = pytree_load_npz("bytes", PYTREE_DICT({ "a", PYTREE_ARRAY(t->target[0], ELEMENTS) },
                                                  { "b", PYTREE_ARRAY(t->target[1], ELEMENTS) }), &t->opt, err);
    assert_heap_clean(&t->heap);
    assert_int_equal(t->faults.n_open, 0);
    assert_memory_equal(t->target, status == PYTREE_OK ? t->saved : t->before, sizeof t->target);
    return status;
}

static pytree_status trial_save(Trial *t, const char *path, pytree_error *err)
{
    pytree_status status;
    t->io = faults_io(&t->faults);
    status = pytree_save_npz(path, PYTREE_DICT({ "a", PYTREE_ARRAY(t->saved[0], ELEMENTS) },
                                               { "b", PYTREE_ARRAY(t->saved[1], ELEMENTS) }), &t->opt, err);
    assert_heap_clean(&t->heap);
    assert_int_equal(t->faults.n_open, 0);
    return status;
}

static void trial_end(Trial *t)
{
    pytree_memory_free(&t->place.file);
    free(t);
}

static void read_little_at_a_time(void **state)
{
    int level;
    (void)state;
    for (level = 0; level <= 6; level += 6) {
        Trial *t = trial_begin(level);
        pytree_error error = { 0 };
        t->faults.most = 1;
        t->faults.interrupted = true;
        assert_ok(trial_load(t, &error), &error);
        trial_end(t);
    }
}

/* Each read in turn fails: the header's, the directory's, those of the second array's data. */
static void read_fails(void **state)
{
    int level;
    size_t n;
    (void)state;
    for (level = 0; level <= 6; level += 6) {
        for (n = 0;; n++) {
            Trial *t = trial_begin(level);
            pytree_error error = { 0 };
            pytree_status status;
            t->faults.most = 2000;
            t->faults.op = FAULT_READ;
            t->faults.at = n;
            t->faults.code = EIO;
            status = trial_load(t, &error);
            if (status != PYTREE_OK) {
                assert_error(status, PYTREE_IO, "", &error);
                assert_non_null(strstr(error.message, strerror(EIO)));
            }
            trial_end(t);
            if (status == PYTREE_OK) { break; }
        }
        assert_in_range(n, 15, 100);
    }
}

static void file_gets_shorter(void **state)
{
    size_t n;
    (void)state;
    for (n = 1; n < 20000; n += 1500) {
        Trial *t = trial_begin(0);
        pytree_error error = { 0 };
        t->faults.vanished = n;
        assert_error(trial_load(t, &error), PYTREE_IO, "", &error);
        trial_end(t);
    }
}

/* Every kind of call that saving makes, failing; and little written at a time. */
static void save_fails(void **state)
{
    static const struct { FaultOp op; size_t at; int code; } cases[] = {
        { FAULT_CREATE, 0, EACCES }, { FAULT_WRITE, 0, ENOSPC }, { FAULT_WRITE, 3, ENOSPC }, { FAULT_WRITE, 9, ENOSPC },
        { FAULT_SYNC, 0, EIO }, { FAULT_CLOSE, 0, ENOSPC }, { FAULT_RENAME, 0, EACCES }
    };
    static const char old[] = "the old file";
    char path[GOLDEN_PATH], beside[GOLDEN_PATH + 32];
    size_t i;
    int level;
    (void)state;
    scratch_path(path, "fails.npz");
    snprintf(beside, sizeof beside, "%s.pytree-tmp0", path);
    for (level = 0; level <= 6; level += 6) {
        for (i = 0; i <= COUNT_OF(cases); i++) {
            Trial *t = trial_begin(level);
            pytree_error error = { 0 };
            FILE *file;
            write_whole(path, old, sizeof old);
            t->faults.base = &pytree_io_system;
            t->faults.most = 3;
            t->faults.interrupted = i == COUNT_OF(cases);
            if (i < COUNT_OF(cases)) {
                t->faults.op = cases[i].op;
                t->faults.at = cases[i].at;
                t->faults.code = cases[i].code;
                assert_error(trial_save(t, path, &error), PYTREE_IO, "", &error);
                assert_non_null(strstr(error.message, strerror(cases[i].code)));
                assert_file(path, old, sizeof old);
            } else {
                assert_ok(trial_save(t, path, &error), &error);
                assert_file(path, t->place.file.bytes, t->place.file.size);
            }
            file = fopen(beside, "rb");
            assert_null(file);
            trial_end(t);
        }
    }
    assert_int_equal(remove(path), 0);
}

/* Each write of what does not compress in turn fails, those in the midst of an array among them. */
static void writes_of_noise_fail(void **state)
{
    enum { N = 150000 };
    float *noise = malloc(N * sizeof *noise);
    uint32_t random = 1;
    size_t i, n;
    (void)state;
    assert_non_null(noise);
    for (i = 0; i < N; i++) {
        random = random * 1664525u + 1013904223u;
        noise[i] = (float)(random >> 8) * 0.123f;
    }
    for (n = 0;; n++) {
        pytree_memory file = { 0 };
        pytree_io base = pytree_memory_io(&file), io;
        Faults faults = { 0 };
        pytree_checkpoint_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_status status;
        Heap heap;
        heap_init(&heap, HEAP_NEVER_FAILS);
        faults.base = &base;
        faults.op = FAULT_WRITE;
        faults.at = n;
        faults.code = ENOSPC;
        io = faults_io(&faults);
        opt.io = &io;
        opt.compress = 1;
        opt.tree.allocator = &heap.allocator;
        status = pytree_save_npz("bytes", PYTREE_DICT({ "x", PYTREE_ARRAY(noise, N) }), &opt, &error);
        assert_heap_clean(&heap);
        assert_int_equal(faults.n_open, 0);
        if (status == PYTREE_OK) {
            assert_in_range(file.size, 200000, 700000);
            pytree_memory_free(&file);
            break;
        }
        assert_error(status, PYTREE_IO, "", &error);
        assert_non_null(strstr(error.message, strerror(ENOSPC)));
        assert_null(file.bytes);
        assert_int_equal(faults.calls[FAULT_WRITE], n + 1);    /* nothing more is tried */
    }
    assert_in_range(n, 8, little_endian() ? 20 : 80);          /* numbers that are converted are written in smaller pieces */
    free(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_there_and_back), cmocka_unit_test(compression), cmocka_unit_test(mismatches),
        cmocka_unit_test(tree_cases),
        cmocka_unit_test(names_and_conversion), cmocka_unit_test(what_can_not_be_saved), cmocka_unit_test(odd_trees),
        cmocka_unit_test(read_little_at_a_time), cmocka_unit_test(read_fails), cmocka_unit_test(file_gets_shorter),
        cmocka_unit_test(save_fails), cmocka_unit_test(writes_of_noise_fail), cmocka_unit_test(leaves_that_may_be_missing),
        cmocka_unit_test(no_options)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
