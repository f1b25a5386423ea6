/* Models that are not quite the file's: globs of what may be missing and left over, names by globs, and the report. */
#define TEST_WATCHED_BODIES                /* with a function that counts */
#include "store_shared.h"

#include "pytree/npz.h"
#include "pytree/safetensors.h"

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    Save *save, *load;
} formats[] = {
    { "safetensors", pytree_save_safetensors, pytree_load_safetensors }, { "npz", pytree_save_npz, pytree_load_npz }
};

static void store_init(Store *p, size_t format, pytree contents) { store_save(p, formats[format].save, contents); }

static void assert_listed(const pytree_misfits *list, size_t i, const char *name, const char *path)
{
    assert_in_range(i, 0, list->n_entries - 1);
    assert_string_equal(list->entries[i].name, name);
    if (path == NULL) { assert_null(list->entries[i].path); }
    else { assert_string_equal(list->entries[i].path, path); }
}

/* ---- What is allowed --------------------------------------------------------------------------------------------------- */

static void missing_and_unexpected(void **state)
{
    static const char *const heads[] = { "nothing", "head.**" }, *const buffers[] = { "**.bias" };
    float w = 1, extra = 2, more = 3, got = 0, head = 7, tail = 8;
    size_t f;
    (void)state;
    for (f = 0; f < COUNT_OF(formats); f++) {
        Store p;
        pytree wanted = PYTREE_DICT({ "w", PYTREE(&got) },
                                    { "head", PYTREE_DICT({ "w", PYTREE(&head) }, { "b", PYTREE(&tail) }) });
        store_init(&p, f, PYTREE_DICT({ "w", PYTREE(&w) }, { "attn", PYTREE_DICT({ "bias", PYTREE(&extra) }) },
                                      { "bias", PYTREE(&more) }));
        /* without the globs, everything is a mismatch */
        assert_error(formats[f].load("f", wanted, &p.opt, &p.error), PYTREE_NOT_FOUND, NULL, &p.error);
        assert_int_equal(p.report.missing.count, 2);
        assert_int_equal(p.report.unexpected.count, 2);
        assert_int_equal(p.report.kept.count + p.report.skipped.count + p.report.renamed.count, 0);
        assert_true(got == 0);
        /* one of the two is not enough */
        memset(&p.error, 0, sizeof p.error);
        p.opt.allow_missing = heads;
        p.opt.n_allow_missing = 2;
        assert_error(formats[f].load("f", wanted, &p.opt, &p.error), PYTREE_STRUCTURE, NULL, &p.error);
        assert_int_equal(p.report.missing.count, 0);
        assert_int_equal(p.report.kept.count, 2);
        assert_true(got == 0);
        memset(&p.error, 0, sizeof p.error);
        p.opt.allow_unexpected = buffers;
        p.opt.n_allow_unexpected = 1;
        assert_ok(formats[f].load("f", wanted, &p.opt, &p.error), &p.error);
        assert_true(got == 1 && head == 7 && tail == 8);
        got = 0;
        assert_int_equal(p.report.unexpected.count, 0);
        assert_int_equal(p.report.kept.count, 2);
        assert_listed(&p.report.kept, 0, "head.b", "['head']['b']");
        assert_listed(&p.report.kept, 1, "head.w", "['head']['w']");
        assert_int_equal(p.report.skipped.count, 2);
        assert_int_equal(p.report.skipped.n_entries, 2);
        assert_string_equal(p.report.skipped.entries[0].found, "f32");
        store_clear(&p);
    }
}

/* A callback that does not know a leaf: it keeps its value, and the report says so. */
static size_t only_w(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    (void)slice;
    return strcmp(leaf, "w") == 0 ? (size_t)snprintf(text, n, "%s", leaf) : SIZE_MAX;
}

static void left_out_by_the_callback(void **state)
{
    float w = 1, got = 0, other = 7, last = 8;
    size_t f;
    (void)state;
    for (f = 0; f < COUNT_OF(formats); f++) {
        Store p;
        store_init(&p, f, PYTREE_DICT({ "w", PYTREE(&w) }));
        p.opt.rename = only_w;
        assert_ok(formats[f].load("f", PYTREE_DICT({ "a", PYTREE(&other) }, { "w", PYTREE(&got) }, { "z", PYTREE(&last) }),
                                  &p.opt, &p.error), &p.error);
        assert_true(got == 1 && other == 7 && last == 8);
        got = 0;
        assert_int_equal(p.report.kept.count, 2);
        assert_listed(&p.report.kept, 0, "['a']", "['a']");
        assert_listed(&p.report.kept, 1, "['z']", "['z']");
        assert_int_equal(p.report.renamed.count, 0);           /* "w" is its own name */
        store_clear(&p);
    }
}

/* ---- Names by globs ---------------------------------------------------------------------------------------------------- */

typedef struct Case {
    const char *from, *to, *name;         /* of the leaf layers.0.w */
} Case;

/* Each pair of globs, and the name that it makes. */
static void names_by_globs(void **state)
{
    static const Case cases[] = {
        { "layers.*.w", "h.*.weight", "h.0.weight" },         { "layers.*.**", "model.layers.*.**", "model.layers.0.w" },
        { "**", "model.**", "model.layers.0.w" },             { "**.w", "**.weight", "layers.0.weight" },
        { "layers.0.w.**", "x.**", "x" },                     { "**.layers.*.*", "**.*.*", "0.w" },
        { "*.*.*", "*.*.*.t", "layers.0.w.t" },               { "**.0.**", "**.zero.**", "layers.zero.w" },
        { "**.w.**", "a.**.b.**.c", "a.layers.0.b.c" },       { "layers.0.w", "plain", "plain" },
        { "**.**.w", "**.-.**", "-.layers.0" },
        /* these match nothing: the name is the path */
        { "layers.*", "x.*", "layers.0.w" },                  { "*.w", "*.x", "layers.0.w" },
        { "layers.*.b", "x.*", "layers.0.w" },                { "layers.*.w.*", "x.*.*", "layers.0.w" },
        { "**.x.**", "**.**", "layers.0.w" },                 { "layer*.0.w", "x", "layers.0.w" }
    };
    size_t i, f;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        for (f = 0; f < COUNT_OF(formats); f++) {
            pytree_rename rename = { cases[i].from, cases[i].to };
            float w = 5, got = 0;
            bool renamed = strcmp(cases[i].name, "layers.0.w") != 0;
            Store p;
            pytree tree = PYTREE_DICT({ "layers", PYTREE_LIST(PYTREE_DICT({ "w", PYTREE(&got) })) });
            store_init(&p, f, PYTREE_DICT({ cases[i].name, PYTREE(&w) }));
            p.opt.renames = &rename;
            p.opt.n_renames = 1;
            if (formats[f].load("f", tree, &p.opt, &p.error) != PYTREE_OK) {
                fail_msg("%s -> %s: %s", rename.from, rename.to, p.error.message);
            }
            assert_true(got == 5);
            assert_int_equal(p.report.renamed.count, renamed);
            if (renamed) { assert_listed(&p.report.renamed, 0, cases[i].name, "['layers'][0]['w']"); }
            /* the same table saves under these names */
            p.opt.report = NULL;
            assert_ok(formats[f].save("f", tree, &p.opt, &p.error), &p.error);
            p.opt.n_renames = 0;
            got = 0;
            assert_ok(formats[f].load("f", PYTREE_DICT({ cases[i].name, PYTREE(&got) }), &p.opt, &p.error), &p.error);
            assert_true(got == 5);
            store_clear(&p);
        }
    }
}

/* Entries without stars go first, then the order of the table decides; other separators than "." work as well. */
static void the_first_glob_wins(void **state)
{
    static const pytree_rename renames[] = { { "a/**", "first/**" }, { "a/b/**", "second/**" }, { "a/c", "exact" } };
    float file[3] = { 1, 2, 3 }, b = 0, c = 0, d = 0;
    Store p;
    (void)state;
    store_init(&p, 0, PYTREE_DICT({ "first/b", PYTREE(&file[0]) }, { "exact", PYTREE(&file[1]) }, { "p:d", PYTREE(&file[2]) }));
    p.opt.renames = renames;
    p.opt.n_renames = 3;
    p.opt.separator = "/";
    p.opt.prefix = "p:";
    assert_ok(pytree_load_safetensors("f", PYTREE_DICT({ "a", PYTREE_DICT({ "b", PYTREE(&b) }, { "c", PYTREE(&c) }) },
                                                       { "d", PYTREE(&d) }), &p.opt, &p.error), &p.error);
    assert_true(b == 1 && c == 2 && d == 3);
    assert_int_equal(p.report.renamed.count, 2);
    store_clear(&p);
}

/* Tables whose sides do not fit each other. */
static void wrong_tables(void **state)
{
    static const pytree_rename wrong[] = {
        { "a.*", "b" }, { "a", "b.*" }, { "a.*", "b.**" }, { "*.**", "**.*" }, { "*.*", "*" },
        { "*.*.*.*.*.*.*.*.*", "*.*.*.*.*.*.*.*.*" }
    };
    float w = 1;
    size_t i, f;
    (void)state;
    for (i = 0; i < COUNT_OF(wrong); i++) {
        for (f = 0; f < COUNT_OF(formats); f++) {
            Store p;
            store_init(&p, f, PYTREE_DICT({ "w", PYTREE(&w) }));
            p.opt.renames = &wrong[i];
            p.opt.n_renames = 1;
            assert_error(formats[f].load("f", PYTREE_DICT({ "w", PYTREE(&w) }), &p.opt, &p.error), PYTREE_ARGUMENT,
                         NULL, &p.error);
            assert_non_null(strstr(p.error.message, "the same stars"));
            assert_non_null(strstr(p.error.message, wrong[i].to));
            store_clear(&p);
        }
    }
}

/* Leaves of one value under one name, of which the file has only the other: it is neither kept nor missing. */
static void shared_memory_and_globs(void **state)
{
    static const char *const any[] = { "**" };
    float w = 4, got = 0;
    size_t f;
    (void)state;
    for (f = 0; f < COUNT_OF(formats); f++) {
        Store p;
        store_init(&p, f, PYTREE_DICT({ "a", PYTREE(&w) }));
        p.opt.shared = PYTREE_SHARED_ONCE;
        assert_ok(formats[f].load("f", PYTREE_DICT({ "a", PYTREE(&got) }, { "b", PYTREE(&got) }), &p.opt, &p.error), &p.error);
        assert_true(got == 4);
        assert_int_equal(p.report.kept.count, 0);
        p.opt.allow_missing = any;
        p.opt.n_allow_missing = 1;
        assert_ok(formats[f].load("f", PYTREE_DICT({ "b", PYTREE(&got) }, { "a", PYTREE(&got) }), &p.opt, &p.error), &p.error);
        assert_int_equal(p.report.kept.count, 1);
        assert_listed(&p.report.kept, 0, "b", "['b']");
        got = 0;
        store_clear(&p);
    }
}

/* ---- The report -------------------------------------------------------------------------------------------------------- */

static void printed(void **state)
{
    static const char *const all[] = { "**" };
    static const pytree_rename renames[] = { { "x", "w" } };
    float w = 1, got = 0, kept = 2;
    char text[200] = "";
    FILE *out = tmpfile();
    Store p;
    (void)state;
    assert_non_null(out);
    store_init(&p, 0, PYTREE_DICT({ "w", PYTREE(&w) }, { "z", PYTREE(&kept) }));
    p.opt.allow_missing = p.opt.allow_unexpected = all;
    p.opt.n_allow_missing = p.opt.n_allow_unexpected = 1;
    p.opt.renames = renames;
    p.opt.n_renames = 1;
    assert_ok(pytree_load_safetensors("f", PYTREE_DICT({ "x", PYTREE(&got) }, { "y", PYTREE(&kept) }), &p.opt, &p.error),
              &p.error);
    assert_ok(pytree_report_print(out, &p.report, &p.error), &p.error);
    assert_ok(pytree_report_print(out, NULL, &p.error), &p.error);                         /* nothing */
    rewind(out);
    assert_true(fread(text, 1, sizeof text - 1, out) > 0);
    assert_string_equal(text, "renamed      w  (['x'])\nskipped      z  is f32\nkept         y  (['y'])\n");
    fclose(out);
    store_clear(&p);
}

/* Each allocation fails once: an error, nothing changed, nothing leaked. */
static void memory_that_runs_out(void **state)
{
    static const char *const any[] = { "**" };
    static const pytree_rename renames[] = { { "layers.*.**", "model.layers.*.**" }, { "nothing.**", "**" } };
    float w = 5, got = 0, kept = 6;
    size_t fail, f;
    (void)state;
    for (f = 0; f < COUNT_OF(formats); f++) {
        for (fail = 0;; fail++) {
            Heap heap;
            Store p;
            pytree_status status;
            store_init(&p, f, PYTREE_DICT({ "model.layers.0.w", PYTREE(&w) }, { "rest", PYTREE(&kept) }));
            heap_init(&heap, fail);
            p.opt.tree.allocator = &heap.allocator;
            p.opt.renames = renames;
            p.opt.n_renames = 2;
            p.opt.allow_missing = p.opt.allow_unexpected = any;
            p.opt.n_allow_missing = p.opt.n_allow_unexpected = 1;
            got = 0;
            status = formats[f].load("f", PYTREE_DICT({ "layers", PYTREE_LIST(PYTREE_DICT({ "w", PYTREE(&got) })) },
                                                      { "head", PYTREE(&kept) }), &p.opt, &p.error);
            assert_true(got == (status == PYTREE_OK ? 5 : 0) && kept == 6);
            if (status == PYTREE_OK) {
                assert_int_equal(p.report.renamed.n_entries + p.report.skipped.n_entries + p.report.kept.n_entries, 3);
            } else {
                assert_int_equal(status, PYTREE_NO_MEMORY);
            }
            store_clear(&p);
            assert_heap_clean(&heap);
            if (status == PYTREE_OK) { break; }
        }
        assert_true(fail > 5);
    }
}

static size_t slice_of(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    *slice = atoi(leaf);
    return (size_t)snprintf(text, n, "w");
}

/* Each slice is listed with the shape that all of them make, and finding it takes no time that grows with their number. */
static void many_slices(void **state)
{
    enum { MOST = 1600 };
    static float rows[MOST + 1][2], each[MOST][2];
    static pytree_leaf views[MOST];
    static pytree leaves[MOST];
    size_t took[2], k, i;
    (void)state;
    for (k = 0; k < 2; k++) {
        const size_t n = k == 0 ? MOST / 4 : MOST;
        const pytree_items list = { .count = n, .items = leaves };
        Store p;
        for (i = 0; i < n; i++) {
            views[i] = (pytree_leaf){ .data = each[i], .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
            leaves[i] = pytree_of_view(&views[i]);
        }
        store_init(&p, 0, PYTREE_DICT({ "w", PYTREE_ARRAY(&rows[0][0], n + 1, 2) }));      /* one more than are asked for */
        p.opt.rename = slice_of;
        p.opt.max_listed = n;
        library_compared = 0;
        assert_error(pytree_load_safetensors("f", (pytree){ &pytree_types[PYTREE__T_list], (void *)(uintptr_t)&list }, &p.opt,
                                             &p.error), PYTREE_SHAPE, "[0]", &p.error);
        took[k] = library_compared;
        assert_int_equal(p.report.wrong_shape.n_entries, n);
        for (i = 0; i < n; i += n - 1) {
            assert_string_equal(p.report.wrong_shape.entries[i].wanted, k == 0 ? "f32[400,2]" : "f32[1600,2]");
            assert_string_equal(p.report.wrong_shape.entries[i].found, k == 0 ? "f32[401,2]" : "f32[1601,2]");
        }
        store_clear(&p);
    }
    assert_in_range(took[1], 4 * took[0] / 2, 6 * took[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_slices),
        cmocka_unit_test(missing_and_unexpected),
        cmocka_unit_test(left_out_by_the_callback),
        cmocka_unit_test(names_by_globs),
        cmocka_unit_test(the_first_glob_wins),
        cmocka_unit_test(wrong_tables),
        cmocka_unit_test(shared_memory_and_globs),
        cmocka_unit_test(printed),
        cmocka_unit_test(memory_that_runs_out)
    };
    return cmocka_run_group_tests_name("checkpoint_partial", tests, NULL, NULL);
}
