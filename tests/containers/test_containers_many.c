/* Growing dicts of many keys and lists of many values, which have an index: random changes beside a plain model, costs that do
 * not grow with n, bytes for each item of a parsed text. */
#define TEST_WATCHED_BODIES                /* with few keys that are kept sorted, short chunks, and functions that count */
#include "containers_shared.h"
#include "pytree/literal.h"
#include "pytree/path.h"

/* ---- A model ----------------------------------------------------------------------------------------------------------- */

enum { MODEL_MOST = 300 };
static int64_t numbers[MODEL_MOST];        /* values of the literal that a model stands for */

typedef struct Model {                    /* keys in the order in which they came */
    int keys[MODEL_MOST], values[MODEL_MOST];
    size_t n;
} Model;

static uint32_t random_state = 12345;
static size_t random_below(size_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static pytree_status put(pytree dict, bool numbered, int key, int value, pytree_error *err)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", key);
    return numbered ? pytree_dict_put_int_copy(dict, key, PYTREE_INT(value), err)
                    : pytree_dict_put_copy(dict, name, PYTREE_INT(value), err);
}

static pytree_status take_out(pytree dict, bool numbered, int key)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", key);
    return numbered ? pytree_dict_remove_int(dict, key, NULL) : pytree_dict_remove(dict, name, NULL);
}

static pytree get(pytree dict, bool numbered, int key)
{
    char name[16];
    snprintf(name, sizeof name, "k%d", key);
    return numbered ? pytree_dict_get_int(dict, key, NULL) : pytree_dict_get(dict, name, NULL);
}

/* A tree is what a literal is: structure, values, both orders of keys, paths, in a clone too. */
static void assert_tree_is(pytree t, pytree expected)
{
    static char a[20000], b[20000];
    pytree_error error = { 0 };
    pytree_def *x = pytree_structure(t, NULL, &error), *y = pytree_structure(expected, NULL, &error);
    pytree clone;
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(x, y));
    assert_int_equal(x->n_orders, y->n_orders);
    assert_memory_equal(x->orders, y->orders, x->n_orders * sizeof *x->orders);
    pytree_def_free(x);
    pytree_def_free(y);
    assert_true(pytree_equal(t, expected, NULL, NULL, &error));
    assert_in_range(pytree_literal_text(t, a, sizeof a, NULL, &error), 1, sizeof a - 1);
    assert_in_range(pytree_literal_text(expected, b, sizeof b, NULL, &error), 1, sizeof b - 1);
    assert_string_equal(a, b);
    assert_in_range(pytree_text(t, a, sizeof a, NULL, &error), 0, sizeof a - 1);
    assert_in_range(pytree_text(expected, b, sizeof b, NULL, &error), 0, sizeof b - 1);
    assert_string_equal(a, b);
    clone = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_in_range(pytree_literal_text(expected, a, sizeof a, NULL, &error), 1, sizeof a - 1);
    assert_in_range(pytree_literal_text(clone, b, sizeof b, NULL, &error), 1, sizeof b - 1);
    assert_string_equal(a, b);
    pytree_free(clone);
}

/* A path of one key or index leads to this number, or, if there is none, nowhere. */
static void assert_at_path(pytree t, const char *path, const int64_t *number)
{
    pytree_error error = { 0 };
    const pytree_leaf found = pytree_at(t, path, NULL, &error);
    assert_int_equal(error.status, number == NULL ? PYTREE_NOT_FOUND : PYTREE_OK);
    if (number == NULL) { assert_null(found.type); } else { assert_int_equal(*(const int64_t *)found.data, *number); }
}

/* The dict is what a literal with the model's pairs is. */
static void assert_dict_is(pytree dict, const Model *model, bool numbered)
{
    static pytree_pair pairs[MODEL_MOST];
    static pytree_int_pair int_pairs[MODEL_MOST];
    static char names[MODEL_MOST][16];
    pytree_items items = { .count = model->n, .name = ((const pytree_items *)dict.data)->name };
    char path[24];
    size_t i;
    for (i = 0; i < model->n; i++) {
        numbers[i] = model->values[i];
        snprintf(names[i], sizeof names[i], "k%d", model->keys[i]);
        pairs[i].key = names[i];
        int_pairs[i].key = model->keys[i];
        pairs[i].value = int_pairs[i].value = PYTREE(&numbers[i]);
        assert_int_equal(number_of(get(dict, numbered, model->keys[i])), model->values[i]);
    }
    if (model->n != 0) {
        snprintf(path, sizeof path, numbered ? "[%d]" : "['k%d']", model->keys[model->n / 2]);
        assert_at_path(dict, path, &numbers[model->n / 2]);
    }
    assert_at_path(dict, numbered ? "[1000]" : "['k1000']", NULL);
    if (numbered && model->n != 0) { items.int_pairs = int_pairs; } else { items.pairs = pairs; }
    assert_int_equal(pytree_container_length(dict), model->n);
    assert_tree_is(dict, (pytree){ dict.type, &items });
}

static void run_model(pytree dict, bool numbered)
{
    Model model = { .n = 0 };
    pytree_error error = { 0 };
    size_t step, i;
    for (step = 0; step < 4000; step++) {
        const int key = (int)random_below(MODEL_MOST) - 100, value = (int)random_below(1000);
        const bool growing = step / 1000 % 2 == 0;             /* it grows, and shrinks to nothing, twice */
        for (i = 0; i < model.n && model.keys[i] != key; i++) {}
        if (random_below(10) < (growing ? 8 : 2)) {
            assert_ok(put(dict, numbered, key, value, &error), &error);
            model.keys[i] = key;
            model.values[i] = value;
            model.n += i == model.n;
        } else {
            if (!growing && model.n != 0) { i = random_below(3) == 0 ? 0 : random_below(model.n); }
            assert_int_equal(take_out(dict, numbered, i < model.n ? model.keys[i] : key),
                             i == model.n ? PYTREE_NOT_FOUND : PYTREE_OK);
            if (i < model.n) {
                model.n--;
                (memmove)(model.keys + i, model.keys + i + 1, (model.n - i) * sizeof *model.keys);
                (memmove)(model.values + i, model.values + i + 1, (model.n - i) * sizeof *model.values);
            }
        }
        if (step % (under_valgrind() ? 199 : SANITIZED ? 31 : 7) == 0) { assert_dict_is(dict, &model, numbered); }
    }
    assert_dict_is(dict, &model, numbered);
    assert_ok(pytree_container_clear(dict, &error), &error);
    model.n = 0;
    assert_dict_is(dict, &model, numbered);
    assert_ok(put(dict, !numbered, 5, 6, &error), &error);     /* keys of the other kind, now that there are none */
    model.keys[0] = 5;
    model.values[0] = 6;
    model.n = 1;
    assert_dict_is(dict, &model, !numbered);
    pytree_container_free(dict);
}

static void dicts_beside_a_model(void **state)
{
    (void)state;
    run_model(pytree_new_dict(NULL, NULL), false);
    run_model(pytree_new_dict(NULL, NULL), true);
    run_model(pytree_new_odict(NULL, NULL), false);
    run_model(pytree_new_odict(NULL, NULL), true);
    run_model(pytree_new_defaultdict("int", NULL, NULL), false);
}

/* ---- Lists ----------------------------------------------------------------------------------------------------------- */

/* The list is what a literal with the model's values is. */
static void assert_list_is(pytree list, const Model *model)
{
    static pytree values[MODEL_MOST];
    pytree_items items = { .count = model->n, .items = values, .maxlen = ((const pytree_items *)list.data)->maxlen };
    pytree_error error = { 0 };
    char path[24];
    size_t i;
    for (i = 0; i < model->n; i++) {
        numbers[i] = model->values[i];
        values[i] = PYTREE(&numbers[i]);
        assert_int_equal(number_of(pytree_list_get(list, (ptrdiff_t)i - (ptrdiff_t)model->n, &error)), model->values[i]);
        snprintf(path, sizeof path, "[%zu]", i);
        assert_at_path(list, path, &numbers[i]);
    }
    snprintf(path, sizeof path, "[%zu]", model->n);
    assert_at_path(list, path, NULL);
    assert_int_equal(pytree_container_length(list), model->n);
    assert_tree_is(list, (pytree){ list.type, &items });
}

static void model_insert(Model *model, size_t at, int value)
{
    (memmove)(model->values + at + 1, model->values + at, (model->n++ - at) * sizeof *model->values);
    model->values[at] = value;
}

static void model_remove(Model *model, size_t at)
{
    model->n--;
    (memmove)(model->values + at, model->values + at + 1, (model->n - at) * sizeof *model->values);
}

/* One change, at an end or anywhere; `place` is where values of most changes go, of MODEL_MOST. */
static void change_list(pytree list, Model *model, size_t most, bool growing, size_t place)
{
    pytree_error error = { 0 };
    const int value = (int)random_below(1000);
    const size_t n = model->n, what = random_below(10);
    size_t at = random_below(5) == 0 ? n * random_below(2) : place == 0 ? random_below(n + 1) : n * place / MODEL_MOST;
    if (what < (growing ? 7 : 2) && n == most && list.type->kind == PYTREE_KIND_DEQUE) {
        assert_ok(pytree_list_append_copy(list, PYTREE_INT(value), &error), &error);
        model_remove(model, 0);
        model_insert(model, n - 1, value);
    } else if (what < (growing ? 7 : 2) && n < most) {
        assert_ok(pytree_list_insert_copy(list, (ptrdiff_t)at, PYTREE_INT(value), &error), &error);
        model_insert(model, at, value);
    } else if (n != 0) {
        at = at == n ? n - 1 : at;
        if (what == 9) {
            assert_ok(pytree_list_set_copy(list, (ptrdiff_t)at, PYTREE_INT(value), &error), &error);
            model->values[at] = value;
        } else {
            assert_ok(pytree_list_remove(list, (ptrdiff_t)at, &error), &error);
            model_remove(model, at);
        }
    }
}

static void lists_beside_a_model(void **state)
{
    static const size_t places[] = { 0, 0, 100, MODEL_MOST - 20 };
    size_t round, step, in_chunks = 0;
    (void)state;
    for (round = 0; round < COUNT_OF(places); round++) {
        const size_t most = round == 0 ? 200 : MODEL_MOST - 1;
        pytree list = round == 0 ? pytree_new_deque(most, NULL, NULL) : pytree_new_list(NULL, NULL);
        Model model = { .n = 0 };
        pytree_error error = { 0 };
        for (step = 0; step < 3000; step++) {
            change_list(list, &model, most, step / 1000 % 2 == 0, places[round]);
            in_chunks += ((const pytree_items *)list.data)->removed != 0;
            if (step % (under_valgrind() ? 199 : SANITIZED ? 41 : 13) == 0) { assert_list_is(list, &model); }
        }
        assert_list_is(list, &model);
        assert_ok(pytree_container_clear(list, &error), &error);
        model.n = 0;
        assert_list_is(list, &model);
        pytree_container_free(list);
    }
    assert_in_range(in_chunks, 3000, 11000);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status grow_and_shrink(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree dict = pytree_new_dict(opt, err);
    pytree_def *def = NULL;
    int i;
    (void)context;
    for (i = 0; dict.data != NULL && err->status == PYTREE_OK && i < 60; i++) {
        (void)put(dict, false, i * 37 % 60, i, err);
        assert_int_equal(pytree_container_length(dict), i + (err->status == PYTREE_OK));
        if (i % 3 == 2 && err->status == PYTREE_OK) {
            assert_int_equal(take_out(dict, false, (i - 1) * 37 % 60), PYTREE_OK);
            (void)put(dict, false, (i - 1) * 37 % 60, i, err);
        }
    }
    for (i = 0; err->status == PYTREE_OK && i < 20; i++) { assert_int_equal(take_out(dict, false, i * 37 % 60), PYTREE_OK); }
    if (err->status == PYTREE_OK) { def = pytree_structure(dict, opt, err); }
    if (def != NULL) { assert_int_equal(def->n_leaves, 40); }
    pytree_def_free(def);
    if (dict.data != NULL) { assert_int_equal(pytree_num_leaves(dict, NULL, NULL), pytree_container_length(dict)); }
    pytree_container_free(dict);
    return err->status;
}

static pytree_status grow_in_the_middle(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree list = pytree_new_list(opt, err);
    int i;
    (void)context;
    for (i = 0; list.data != NULL && err->status == PYTREE_OK && i < 400; i++) {
        (void)pytree_list_insert_copy(list, i / 2, PYTREE_INT(i), err);
        assert_int_equal(pytree_container_length(list), i + (err->status == PYTREE_OK));
    }
    if (list.data != NULL) { assert_int_equal(pytree_num_leaves(list, NULL, NULL), pytree_container_length(list)); }
    pytree_container_free(list);
    return err->status;
}

/* A dict of many keys with gaps is read: the rows that are left are listed. */
static pytree_status read_with_gaps(void *context, const pytree_options *opt, pytree_error *err)
{
    static pytree_leaf leaves[4000];
    size_t n = 0;
    const pytree_status status = pytree_leaves(*(const pytree *)context, leaves, COUNT_OF(leaves), &n, opt, err);
    if (status == PYTREE_OK) { assert_int_equal(n, COUNT_OF(leaves) - 1); }
    return status;
}

static void dict_with_gaps(void **state)
{
    pytree_error error = { 0 };
    const pytree dict = pytree_new_dict(NULL, &error);
    (void)state;
    for (int i = 0; i < 4000; i++) { assert_ok(pytree_dict_put_int_copy(dict, i, PYTREE_INT(i), &error), &error); }
    assert_ok(pytree_dict_remove_int(dict, 17, &error), &error);
    assert_true(sweep_allocations(read_with_gaps, (void *)(uintptr_t)&dict) != 0);
    pytree_container_free(dict);
}

static void memory_runs_out(void **state)
{
    pytree_error error = { 0 };
    size_t calls;
    (void)state;
    assert_in_range(sweep_allocations(grow_and_shrink, NULL), 50, 1000);
    assert_in_range(sweep_allocations(grow_in_the_middle, NULL), 2, 1000);
    for (calls = 0; ; calls++) {          /* those of stb_ds */
        stb_calls = 0;
        stb_fail_at = calls;
        error.status = PYTREE_OK;
        if (grow_in_the_middle(NULL, NULL, &error) == PYTREE_OK) { break; }
        assert_int_equal(error.status, PYTREE_NO_MEMORY);
        assert_int_equal(stb_blocks, 0);
    }
    stb_fail_at = SIZE_MAX;
    assert_in_range(calls, 10, 100);
}

/* Values are removed where there is no memory for chunks, or, of the rows' two arrays, only for the first. */
static void removing_needs_no_memory(void **state)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree list;
    int i, k;
    (void)state;
    for (k = 0; k < 4; k++) {
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        list = pytree_new_list(&opt, &error);
        for (i = 0; i < 400; i++) { assert_ok(pytree_list_append(list, PYTREE_NONE, &error), &error); }
        if (k % 2 == 1) { assert_ok(pytree_list_remove(list, 200, &error), &error); }  /* in chunks */
        heap.fail_at = heap.calls;
        stb_fail_at = stb_calls + (size_t)k / 2;
        while (pytree_container_length(list) != 0) {
            assert_ok(pytree_list_remove(list, (ptrdiff_t)pytree_container_length(list) / 2, &error), &error);
            heap.fail_at = heap.calls;
            stb_fail_at = stb_calls + (size_t)k / 2;
        }
        stb_fail_at = SIZE_MAX;
        pytree_container_free(list);
        assert_heap_clean(&heap);
    }
}

/* ---- Chunks and orders ------------------------------------------------------------------------------------------------- */

/* A dict that does not grow is read by its own order, if it has one. */
static void dicts_that_do_not_grow(void **state)
{
    static const char *const texts[] = { "{'b': 1, 'c': 3, 'a': 2}", "{'a': 2, 'b': 1, 'c': 3}" };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(texts); i++) {
        const pytree t = pytree_parse(texts[i], NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(*(const int64_t *)pytree_dict_get(t, "a", &error).data, 2);
        assert_int_equal(*(const int64_t *)pytree_dict_get(t, "b", &error).data, 1);
        assert_int_equal(*(const int64_t *)pytree_dict_get(t, "c", &error).data, 3);
        assert_null(pytree_dict_get(t, "d", NULL).type);
        pytree_free(t);
    }
}

/* ---- Costs ------------------------------------------------------------------------------------------------------------- */

enum { ASCENDING, DESCENDING, RANDOM, ORDERS };

static int key_at(int order, int i, int n)
{
    return order == ASCENDING ? i : order == DESCENDING ? n - i : (int)((uint64_t)i * 7919u % (uint64_t)n);
}

/* Comparisons and bytes moved for each of n keys that come in one order and go in another. */
static size_t cost(int put_order, int remove_order, int n)
{
    pytree dict = pytree_new_dict(NULL, NULL);
    pytree_error error = { 0 };
    int i;
    library_compared = library_moved = 0;
    for (i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%07d", key_at(put_order, i, n));
        assert_ok(pytree_dict_put(dict, name, PYTREE_NONE, &error), &error);
    }
    for (i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%07d", key_at(put_order, key_at(remove_order, i, n) % n, n));
        if (pytree_dict_remove(dict, name, &error) != PYTREE_OK) { error.status = PYTREE_OK; }
    }
    pytree_container_free(dict);
    return (16 * library_compared + library_moved) / (size_t)n;
}

/* Bytes moved for each of n values that are inserted at one place and removed at another: 0 anywhere, 1 front, 2 middle,
 * 3 back. */
static size_t cost_of_places(size_t insert_at, size_t remove_at, int n)
{
    pytree list = pytree_new_list(NULL, NULL);
    pytree_error error = { 0 };
    int i;
    library_moved = 0;
    for (i = 0; i < n; i++) {
        const size_t at = insert_at == 0 ? random_below((size_t)i + 1) : (size_t)i * (insert_at - 1) / 2;
        assert_ok(pytree_list_insert(list, (ptrdiff_t)at, PYTREE_NONE, &error), &error);
    }
    for (i = n; i-- != 0; ) {
        const size_t at = remove_at == 0 ? random_below((size_t)i + 1) : (size_t)i * (remove_at - 1) / 2;
        assert_ok(pytree_list_remove(list, (ptrdiff_t)at, &error), &error);
    }
    pytree_container_free(list);
    return library_moved / (size_t)n;
}

static void costs_do_not_grow_with_the_square(void **state)
{
    int put_order, remove_order;
    size_t insert_at, remove_at;
    (void)state;
    if (slow_here()) { skip(); }
    for (insert_at = 0; insert_at < 4; insert_at++) {
        for (remove_at = 0; remove_at < 4; remove_at++) {
            const size_t few = cost_of_places(insert_at, remove_at, 1000);
            assert_in_range(cost_of_places(insert_at, remove_at, 10000), 0, 2 * few + 64);
        }
    }
    for (put_order = 0; put_order < ORDERS; put_order++) {
        for (remove_order = 0; remove_order < ORDERS; remove_order++) {
            const size_t few = cost(put_order, remove_order, 2003), many = cost(put_order, remove_order, 20011);
            assert_in_range(many, 0, 2 * few);                 /* ten times the keys: log n says 1.3 */
        }
    }
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------------ */

/* Bytes that are held, and the most that were. */
typedef struct Counted { size_t live, most; } Counted;

static void *counted_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Counted *c = context;
    void *grown = NULL;
    if (new_size == 0) { free(p); } else { grown = realloc(p, new_size); }
    if (new_size != 0 && grown == NULL) { return NULL; }
    c->live += new_size - old_size;
    if (c->live > c->most) { c->most = c->live; }
    return grown;
}

/* Parse n items between `before` and `after`. Return the tree, and the text's length. */
static pytree parse_many(const char *before, const char *item, const char *after, size_t n, const pytree_options *opt,
                         size_t *length)
{
    const size_t step = strlen(item);
    pytree_error error = { 0 };
    char *text = malloc(strlen(before) + n * step + strlen(after) + 1), *at = text;
    pytree t;
    assert_non_null(text);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < n; i++, at += step) { memcpy(at, item, step); }
    sprintf(at, "%s", after);
    *length = strlen(text);
    t = pytree_parse(text, opt, &error);
    assert_ok(error.status, &error);
    free(text);
    return t;
}

/* Bytes that each item of a text takes when it has been parsed: no more are held meanwhile, and not above eight for each
 * character unless the tree itself takes more. A clone of the tree. */
static void texts_are_small(void **state)
{
    enum { REST = 2048, CLONE_REST = 4096 };
    const size_t n = slow_here() ? 5000 : 50000;
    static const struct { const char *before, *item; size_t bytes, clone; const char *after; } texts[] = {
        { "[", "1, ", 24, 24, "]" }, { "[", "1,", 24, 24, "]" }, { "[", "0.12345678, ", 24, 24, "]" },
        { "[", "-1e-5, ", 24, 24, "]" }, { "[", "1e-300, ", 24, 24, "]" }, { "[", "True, ", 24, 24, "]" },
        { "[", "None, ", 16, 16, "]" }, { "[", "'abc', ", 28, 92, "]" }, { "[", "'', ", 25, 89, "]" },
        { "[", "1j, ", 32, 64, "]" }, { "[", "(1, 2.0), ", 152, 184, "]" }, { "[", "[1, 2], ", 152, 184, "]" },
        { "[", "(1,), ", 128, 160, "]" }, { "[", "[], ", 104, 136, "]" }, { "[", "{}, ", 104, 136, "]" },
        { "[", "{'a': 1}, ", 146, 174, "]" }, { "[", "{'a': 1, 'b': 2.5}, ", 180, 212, "]" },
        { "[", "{'b': 1, 'a': 2.5}, ", 180, 224, "]" }, { "[", "{2: None, 1: 0}, ", 168, 228, "]" },
        { "[", "P(b=1, a=2), ", 174, 218, "]" }, { "[", "OrderedDict(), ", 104, 136, "]" },
        { "[", "deque([1], maxlen=3), ", 128, 160, "]" }, { "[", "f32([1]), ", 168, 200, "]" },
        { "u8([", "1, ", 1, 1, "])" }, { "f32([", "1, ", 4, 4, "])" }, { "f64([", "1,", 8, 8, "])" },
        { "c128([", "1j,", 16, 16, "])" }, { "str([", "'a', ", 10, 42, "])" },
    };
    Counted counted = { 0, 0 };
    const pytree_allocator allocator = { counted_resize, &counted };
    const pytree_options opt = { .allocator = &allocator };
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const size_t bytes = texts[k].bytes;
        pytree_error error = { 0 };
        size_t length, end;
        pytree t, clone;
        counted.most = 0;
        t = parse_many(texts[k].before, texts[k].item, texts[k].after, n, &opt, &length);
        end = counted.live;
        assert_in_range(end, sizeof(void *) == 8 ? bytes * n : n, bytes * n + REST);     /* pointers may be shorter */
        assert_in_range(counted.most, end, bytes * n + REST);
        if (bytes <= 8 * strlen(texts[k].item)) { assert_in_range(counted.most, end, 8 * length + REST); }
        clone = pytree_clone(t, &opt, &error);
        assert_ok(error.status, &error);
        assert_in_range(counted.live - end, 1, texts[k].clone * n + CLONE_REST);
        pytree_free(clone);
        pytree_free(t);
        assert_int_equal(counted.live, 0);
    }
}

/* What is open takes 32 bytes meanwhile. */
static void deep_texts_are_small(void **state)
{
    enum { N = 50000, REST = 2048 };
    Counted counted = { 0, 0 };
    const pytree_allocator allocator = { counted_resize, &counted };
    const pytree_options opt = { .allocator = &allocator };
    char *closing = malloc(N + 1);
    size_t length;
    pytree t;
    (void)state;
    assert_non_null(closing);
    memset(closing, ']', N);
    closing[N] = '\0';
    t = parse_many("", "[", closing, N, &opt, &length);
    assert_in_range(counted.live, sizeof(void *) == 8 ? 104 * N - 16 : N, 104 * N + REST);
    assert_in_range(counted.most, counted.live, 136 * N + 65536);     /* what has grown by less is not given back */
    pytree_free(t);
    free(closing);
    assert_int_equal(counted.live, 0);
}

/* Keys of the wrong kind, and dicts without an index, beside one that has it. */
static void keys_that_are_not_there(void **state)
{
    pytree_error error = { 0 };
    pytree names = pytree_new_dict(NULL, &error), few = pytree_new_dict(NULL, &error);
    (void)state;
    for (int i = 0; i < 40; i++) { assert_ok(put(names, false, i * 7 % 40, i, &error), &error); }
    for (int i = 0; i < 4; i++) { assert_ok(put(few, false, 4 - i, i, &error), &error); }
    assert_true(pytree_leaf_get(&(pytree_leaf){ .data = pytree_dict_get(names, "k14", &error).data,
                                                .type = PYTREE_TYPE(int64_t) }, 0) == 2);
    assert_true(*(const int64_t *)pytree_dict_get(few, "k2", &error).data == 2);
    assert_ok(error.status, &error);
    assert_null(pytree_dict_get_int(names, 14, NULL).type);
    assert_null(pytree_dict_get(names, NULL, NULL).type);
    assert_null(pytree_dict_get(names, "k40", NULL).type);
    assert_null(pytree_dict_get(PYTREE_DICT({ "a", PYTREE_NONE }), "b", NULL).type);
    assert_non_null(pytree_dict_get(PYTREE_DICT({ "a", PYTREE_NONE }), "a", NULL).type);
    pytree_container_free(names);
    pytree_container_free(few);
}

/* What a container has is found where it lies when one of its arrays has moved and there is no memory for the next one. */
static void arrays_that_moved(void **state)
{
    enum { N = 14 };
    int kind, i, k;
    size_t fail;
    (void)state;
    for (kind = 0; kind < 3; kind++) {
        for (fail = 0; fail < 3; fail++) {
            pytree_error error = { 0 };
            pytree_leaf leaves[N];
            pytree t = kind == 0 ? pytree_new_list(NULL, &error) : pytree_new_dict(NULL, &error);
            for (i = 0; i < N; i++) {
                pytree_status status;
                size_t n;
                stb_fail_at = stb_calls + fail;
                status = kind == 0 ? pytree_list_append_copy(t, PYTREE_INT(i), NULL) : put(t, kind == 2, 10 + i, i, NULL);
                stb_fail_at = SIZE_MAX;
                if (status == PYTREE_OK) { continue; }
                assert_int_equal(status, PYTREE_NO_MEMORY);
                assert_ok(pytree_leaves(t, leaves, N, &n, NULL, &error), &error);
                assert_int_equal(n, i);
                for (k = 0; k < i; k++) { assert_true(pytree_leaf_get(&leaves[k], 0) == k); }
                assert_ok(kind == 0 ? pytree_list_append_copy(t, PYTREE_INT(i), &error)          /* there is memory now */
                                    : put(t, kind == 2, 10 + i, i, &error), &error);
            }
            pytree_container_free(t);
        }
    }
}

/* Keys that come in order keep it; one that belongs before the last one does not, though it is greater than all others. */
static void a_key_before_the_last(void **state)
{
    enum { N = 24 };
    int numbered;
    (void)state;
    for (numbered = 0; numbered < 2; numbered++) {
        pytree_error error = { 0 };
        pytree dict = pytree_new_dict(NULL, &error);
        pytree_leaf leaves[N + 1];
        size_t n;
        int i;
        for (i = 0; i < N; i++) { assert_ok(put(dict, numbered != 0, 10 + 2 * i, 2 * i, &error), &error); }
        assert_ok(put(dict, numbered != 0, 10 + 2 * N - 3, 2 * N - 3, &error), &error);
        assert_ok(pytree_leaves(dict, leaves, N + 1, &n, NULL, &error), &error);
        assert_int_equal(n, N + 1);
        for (i = 0; i < N - 1; i++) { assert_true(pytree_leaf_get(&leaves[i], 0) == 2 * i); }
        assert_true(pytree_leaf_get(&leaves[N - 1], 0) == 2 * N - 3);
        assert_true(pytree_leaf_get(&leaves[N], 0) == 2 * N - 2);
        pytree_container_free(dict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(dicts_beside_a_model, nothing_left),
        cmocka_unit_test_teardown(lists_beside_a_model, nothing_left),
        cmocka_unit_test_teardown(memory_runs_out, nothing_left),
        cmocka_unit_test_teardown(dict_with_gaps, nothing_left),
        cmocka_unit_test_teardown(removing_needs_no_memory, nothing_left),
        cmocka_unit_test_teardown(dicts_that_do_not_grow, nothing_left),
        cmocka_unit_test_teardown(costs_do_not_grow_with_the_square, nothing_left),
        cmocka_unit_test_teardown(texts_are_small, nothing_left),
        cmocka_unit_test_teardown(deep_texts_are_small, nothing_left),
        cmocka_unit_test_teardown(keys_that_are_not_there, nothing_left),
        cmocka_unit_test_teardown(arrays_that_moved, nothing_left),
        cmocka_unit_test_teardown(a_key_before_the_last, nothing_left)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
