/* pytree/pt.h against files of PyTorch (golden_files/pt, made by make_pt.py): what they hold, trees, what is refused. */
#include "checkpoint_shared.h"

#include "pytree/pt.h"

/* ---- What files hold --------------------------------------------------------------------------------------------------- */

static void check_tensor(const pytree_checkpoint *file, const cJSON *wanted)
{
    const pytree_tensor *t = pytree_checkpoint_find(file, golden_text(wanted, "name"));
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(wanted, "shape"), *extent;
    const char *type = golden_text(wanted, "type");
    size_t size, d = 0;
    unsigned char *bytes = golden_unhex(golden_text(wanted, "bytes"), &size), *got;
    if (t == NULL) { fail_msg("%s: not there", golden_text(wanted, "name")); return; }
    assert_string_equal(t->type == NULL ? t->dtype : pytree_dtype_name(t->type), type);
    assert_int_equal(t->ndim, cJSON_GetArraySize(shape));
    cJSON_ArrayForEach(extent, shape) { assert_int_equal(t->shape[d++], golden_number(extent)); }
    assert_int_equal(element_bytes(t), size);
    got = elements_of(file, t);
    assert_memory_equal(got, bytes, size);
    free(got);
    free(bytes);
}

static const char *text_of(const pytree_checkpoint *file, const char *key)
{
    size_t i;
    for (i = 0; i < file->n_metadata && strcmp(file->metadata[i].key, key) != 0; i++) { }
    return i == file->n_metadata ? NULL : file->metadata[i].text;
}

static void check_file(void *context, const cJSON *line)
{
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(line, "tensors");
    const cJSON *others = cJSON_GetObjectItemCaseSensitive(line, "others"), *item;
    char name[100], path[GOLDEN_PATH];
    pytree_checkpoint_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_checkpoint *file;
    int mapped;
    ++*(size_t *)context;
    snprintf(name, sizeof name, "pt/%s.pt", golden_text(line, "file"));
    golden_path(path, name);
    file = pytree_pt_open(path, NULL, &error);
    if (file == NULL) { fail_msg("%s: %s", name, error.message); return; }
    for (mapped = 0; mapped < 2; mapped++) {
        assert_int_equal(file->n_tensors, cJSON_GetArraySize(tensors));
        cJSON_ArrayForEach(item, tensors) { check_tensor(file, item); }
        assert_int_equal(file->n_metadata, cJSON_GetArraySize(others));
        cJSON_ArrayForEach(item, others)
        {
            assert_string_equal(text_of(file, golden_text(item, "name")), golden_text(item, "text"));
        }
        assert_loads(file, &opt);
        assert_ok(pytree_checkpoint_map(file, &error), &error);
    }
    pytree_checkpoint_close(file);
}

static void golden_files(void **state)
{
    size_t n = 0;
    (void)state;
    golden_each("pt/expected.jsonl", check_file, &n);
    assert_int_equal(n, 12);
}

/* Every tensor of every file, mapped: plain ones in place, the others copied. */
static void mapped(void **state)
{
    static const char *const names[] = { "pt/strides.pt", "pt/training.pt" };
    size_t k, i;
    (void)state;
    for (k = 0; k < COUNT_OF(names); k++) {
        char path[GOLDEN_PATH];
        pytree_checkpoint_options opt = { .ignore_unexpected = true };
        pytree_error error = { 0 };
        pytree_checkpoint *shape, *file;
        Tree t;
        golden_path(path, names[k]);
        shape = pytree_pt_open(path, NULL, &error);
        assert_non_null(shape);
        tree_of(&t, shape);
        for (i = 0; i < t.items.count; i++) {
            memset(t.leaves[i].data, 0x55, pytree_leaf_bytes(&t.leaves[i]));
            if (t.leaves[i].type->dtype == PYTREE_BOOL8) { memset(t.leaves[i].data, 1, pytree_leaf_bytes(&t.leaves[i])); }
        }
        file = pytree_mmap_pt(path, t.tree, &opt, &error);
        assert_ok(error.status, &error);
        for (i = 0; i < t.items.count; i++) {
            const pytree_tensor *from = pytree_checkpoint_find(shape, t.pairs[i].key);
            unsigned char *bytes = elements_of(shape, from);
            assert_memory_equal(bytes, t.leaves[i].data, element_bytes(from));
            free(bytes);
        }
        pytree_checkpoint_close(file);
        tree_clear(&t);
        pytree_checkpoint_close(shape);
    }
}

/* ---- Trees ------------------------------------------------------------------------------------------------------------- */

typedef struct Dense {
    int in, out;
    float *weight, *bias;
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, in)                               \
    PYTREE_FIELD(STATIC, out)                              \
    PYTREE_FIELD(DATA, weight, ARRAY(self->out, self->in)) \
    PYTREE_FIELD(DATA, bias, ARRAY(self->out))
#include "pytree_registry.h"

typedef struct Net {
    Dense first, last;
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS           \
    PYTREE_FIELD(DATA, first)   \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

/* A training checkpoint into a struct: by a table of globs, with sizes from the file, all mismatches at once. */
static void structs(void **state)
{
    static const pytree_rename renames[] = { { "first.*", "model.0.*" }, { "last.*", "model.2.*" } };
    static const char *const rest[] = { "optimizer.**", "deep.**" };
    Dense last = { .in = 0, .out = 0 };
    Net net = { { .in = 4, .out = 3 }, { .in = 3, .out = 2 } };
    pytree_report report = { 0 };
    pytree_checkpoint_options opt = { .renames = renames, .n_renames = 2, .report = &report, .allow_unexpected = rest,
                                      .n_allow_unexpected = 2 };
    pytree_error error = { 0 };
    char path[GOLDEN_PATH];
    (void)state;
    golden_path(path, "pt/training.pt");
    assert_ok(pytree_allocate(PYTREE(&net), NULL, &error), &error);
    assert_ok(pytree_load_pt(path, PYTREE(&net), &opt, &error), &error);
    assert_int_equal(report.renamed.count, 4);
    assert_int_equal(report.skipped.count, 13);
    pytree_report_free(&report);
    opt.allow_unexpected = NULL;
    opt.n_allow_unexpected = 0;
    opt.n_renames = 1;
    assert_error(pytree_load_pt(path, PYTREE(&net), &opt, &error), PYTREE_NOT_FOUND, NULL, &error);
    assert_int_equal(report.missing.count, 2);
    assert_int_equal(report.unexpected.count, 15);
    pytree_report_free(&report);
    /* sizes */
    memset(&error, 0, sizeof error);
    memset(&opt, 0, sizeof opt);
    opt.prefix = "model.2.";
    opt.ignore_unexpected = true;
    assert_ok(pytree_allocate_from_pt(path, PYTREE(&last), &opt, &error), &error);
    assert_true(last.in == 3 && last.out == 2);
    assert_ok(pytree_load_pt(path, PYTREE(&last), &opt, &error), &error);
    assert_memory_equal(last.weight, net.last.weight, 6 * sizeof(float));
    pytree_free(PYTREE(&last));
    pytree_free(PYTREE(&net));
}

/* Numbers are converted while they are read, in any order; slices of arrays that are not in row-major order. */
static size_t row_of(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    *slice = leaf[0] - 'a';
    return (size_t)snprintf(text, n, "transposed");
}

static void conversions_and_slices(void **state)
{
    double wide[6][4];
    float rows[6][4];
    pytree_checkpoint_options opt = { .convert = true, .ignore_unexpected = true };
    pytree_error error = { 0 };
    char path[GOLDEN_PATH];
    size_t i, k;
    (void)state;
    golden_path(path, "pt/strides.pt");
    assert_ok(pytree_load_pt(path, PYTREE_DICT({ "halves", PYTREE_ARRAY(&wide[0][0], 6, 4) }), &opt, &error), &error);
    opt.rename = row_of;
    assert_ok(pytree_load_pt(path, PYTREE_DICT({ "a", PYTREE_ARRAY(rows[0], 4) }, { "b", PYTREE_ARRAY(rows[1], 4) },
                                               { "c", PYTREE_ARRAY(rows[2], 4) }, { "d", PYTREE_ARRAY(rows[3], 4) },
                                               { "e", PYTREE_ARRAY(rows[4], 4) }, { "f", PYTREE_ARRAY(rows[5], 4) }),
                             &opt, &error), &error);
    for (i = 0; i < 6; i++) {
        for (k = 0; k < 4; k++) {
            assert_true(wide[i][k] == (double)(6 * k + i));
            assert_true(rows[i][k] == (float)(6 * k + i));
        }
    }
}

/* ---- What is refused --------------------------------------------------------------------------------------------------- */

static void refused_files(void **state)
{
    static const struct { const char *name; pytree_status status; const char *words; } cases[] = {
        { "call", PYTREE_TYPE, "posix.system" },
        { "module", PYTREE_TYPE, "torch.nn.modules.linear.Linear" },
        { "module", PYTREE_TYPE, "model.state_dict()" },
        { "device", PYTREE_TYPE, "torch.device" },
        { "set", PYTREE_TYPE, "__builtin__.set" },
        { "conjugate", PYTREE_SYNTAX, "resolve_conj" },
        { "legacy", PYTREE_TYPE, "torch.save(torch.load(path), path)" },
        { "plain_pickle", PYTREE_TYPE, "torch.save(torch.load(path), path)" },
        { "script", PYTREE_TYPE, "TorchScript" },
        { "deflated", PYTREE_SYNTAX, "storages that are not compressed" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        char name[100], path[GOLDEN_PATH];
        pytree_error error = { 0 };
        snprintf(name, sizeof name, "pt/%s.pt", cases[i].name);
        golden_path(path, name);
        assert_null(pytree_pt_open(path, NULL, &error));
        assert_error(error.status, cases[i].status, NULL, &error);
        if (strstr(error.message, cases[i].words) == NULL) { fail_msg("%s: %s", name, error.message); }
    }
}

static void broken_files(void **state)
{
    static const char *const names[] = { "pt/tensor.pt", "pt/list.pt" };
    size_t i, size;
    (void)state;
    for (i = 0; i < COUNT_OF(names); i++) {
        unsigned char *bytes = golden_read(names[i], &size);
        assert_true(survives(pytree_pt_open, bytes, size));
        /* what is left is data, padding, and fields that readers do not look at, such as times */
        assert_in_range(survives_changes(pytree_pt_open, bytes, size), 1, 3 * size * 2 / 3);
        free(bytes);
    }
}

/* Load a file in memory into a tree of its own tensors, all of whose bytes are 1. Returns whether the tree has changed. */
static bool changes_on_load(pytree_checkpoint *file, pytree_status *status, pytree_error *error)
{
    bool changed = false;
    size_t i, k;
    Tree t;
    tree_of(&t, file);
    for (i = 0; i < t.items.count; i++) { memset(t.leaves[i].data, 1, pytree_leaf_bytes(&t.leaves[i])); }
    *status = pytree_checkpoint_load(file, t.tree, NULL, error);
    for (i = 0; i < t.items.count; i++) {
        const unsigned char *bytes = t.leaves[i].data;
        for (k = 0; k < pytree_leaf_bytes(&t.leaves[i]); k++) { changed = changed || bytes[k] != 1; }
    }
    tree_clear(&t);
    return changed;
}

/* Each byte of a storage, changed: a load compares checksums, and the tree stays as it is. To open a file and to read single
 * tensors does not look at them. */
static void storages_have_checksums(void **state)
{
    size_t size, at, k;
    unsigned char *bytes = golden_read("pt/list.pt", &size);
    pytree_memory memory = { .bytes = bytes, .size = size };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_checkpoint *file = pytree_pt_open("bytes", &opt, NULL);
    pytree_status status;
    (void)state;
    assert_non_null(file);
    assert_true(changes_on_load(file, &status, NULL));
    assert_int_equal(status, PYTREE_OK);
    for (k = 0; k < file->n_tensors; k++) {
        const pytree_tensor *t = &file->tensors[k];
        for (at = (size_t)t->offset; at < t->offset + t->bytes; at++) {
            pytree_error error = { 0 };
            bytes[at] ^= 0x40;
            free(elements_of(file, t));
            assert_false(changes_on_load(file, &status, &error));
            assert_error(status, PYTREE_SYNTAX, NULL, &error);
            if (strstr(error.message, "checksum") == NULL || strstr(error.message, t->name) == NULL) {
                fail_msg("%s: %s", t->name, error.message);
            }
            bytes[at] ^= 0x40;
        }
    }
    assert_true(changes_on_load(file, &status, NULL));
    pytree_checkpoint_close(file);
    free(bytes);
}

static void systems_that_fail(void **state)
{
    (void)state;
    every_call_may_fail(pytree_pt_open, "pt/strides.pt");
    every_allocation_may_fail(pytree_pt_open, "pt/strides.pt");
    every_allocation_may_fail(pytree_pt_open, "pt/training.pt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files),
        cmocka_unit_test(mapped),
        cmocka_unit_test(structs),
        cmocka_unit_test(conversions_and_slices),
        cmocka_unit_test(refused_files),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(storages_have_checksums),
        cmocka_unit_test(systems_that_fail)
    };
    return cmocka_run_group_tests_name("pt", tests, NULL, NULL);
}
