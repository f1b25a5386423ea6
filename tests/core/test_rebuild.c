/* Rebuild: trees from treedef and leaves; what is refused, and that nothing is half done then. */
#include "rebuild_shared.h"

/* ---- Unflatten --------------------------------------------------------------------------------------------------------- */

static void unflatten_refers_to_the_leaves(void **state)
{
    MLP model = mlp_make(2, true), *made;
    Parts parts = parts_of(PYTREE(&model), NULL);
    pytree_error error = { 0 };
    pytree tree;
    size_t i;
    (void)state;
    tree = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    pytree_def_free(parts.def);
    assert_true(pytree_type_equal(tree.type, PYTREE_TYPE(MLP)));
    made = tree.data;
    assert_true(made != &model);
    assert_int_equal(made->n_layers, 2);
    assert_true(made->layers != model.layers);
    assert_true(made->head != model.head);
    for (i = 0; i < 2; i++) {
        assert_true(made->layers[i].w == model.layers[i].w);
        assert_true(made->layers[i].b == model.layers[i].b);
        assert_int_equal(made->layers[i].din, model.layers[i].din);
        assert_int_equal(made->layers[i].dout, model.layers[i].dout);
    }
    assert_true(made->head->w == model.head->w);
    assert_memory_equal(made->scale, model.scale, sizeof model.scale);
    assert_same(tree, PYTREE(&model));
    assert_def_text(tree, MLP_2_HEAD_TEXT, NULL);
    model.scale[0][0] = -1.0f;            /* in place means copied */
    assert_true(made->scale[0][0] == 0.5f);
    pytree_free(tree);
    mlp_clear(&model);
}

static void unflatten_every_kind_of_member(void **state)
{
    int with;
    (void)state;
    for (with = 0; with < 2; with++) {
        Everything all = everything_make(with != 0), *made;
        char activation[] = "relu", kind[] = "a kind";
        pytree_error error = { 0 };
        Parts parts;
        pytree tree;
        all.config.activation = activation;
        all.kind = kind;
        all.scratch = &all;
        parts = parts_of(PYTREE(&all), NULL);
        memset(activation, 'x', 4);       /* the treedef has copies of the strings */
        memset(kind, 'x', 6);
        tree = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
        assert_ok(error.status, &error);
        memset((void *)(uintptr_t)parts.def->statics, 'y', parts.def->n_statics);      /* and so has the tree */
        pytree_def_free(parts.def);
        made = tree.data;
        assert_string_equal(made->kind, "a kind");
        assert_string_equal(made->config.activation, "relu");
        assert_int_equal(made->config.width, 64);
        assert_memory_equal(made->config.rates, all.config.rates, sizeof all.config.rates);
        assert_true(made->function == test_half_of);
        assert_int_equal(made->mode, GREEN);
        assert_memory_equal(made->version, all.version, sizeof all.version);
        assert_true(made->epsilon == all.epsilon);
        assert_null(made->scratch);       /* DROP */
        assert_int_equal(made->rows, 2);
        assert_int_equal(made->columns, 3);
        assert_true(made->flag);
        assert_int_equal(made->letter, 'A');
        assert_int_equal(made->u_long, ULONG_MAX);
        assert_true(made->f_long == all.f_long);
        assert_int_equal(made->brain.bits, all.brain.bits);
        assert_int_equal(made->color, BLUE);
        assert_true(made->name == all.name);
        assert_true(made->title == all.title);
        assert_true(made->note == all.note);
        assert_memory_equal(made->code, all.code, sizeof all.code);
        assert_memory_equal(made->cube, all.cube, sizeof all.cube);
        assert_true(made->corners[1].y == 6.0f);
        assert_true(made->weights == all.weights);
        assert_true(made->bias == all.bias);
        assert_true(made->points != all.points);
        assert_true(made->points[2].y == 32.0f);
        if (with != 0) {
            assert_true(made->far != all.far);
            assert_true(made->far->y == -2.0f);
        } else {
            assert_null(made->far);
        }
        memcpy(activation, "relu", 4);
        memcpy(kind, "a kind", 6);
        assert_same(tree, PYTREE(&all));
        pytree_free(tree);
        everything_clear(&all);
    }
}

static void unflatten_takes_other_leaves(void **state)
{
    MLP model = mlp_make(1, false), *made;
    float w[12] = { 7.0f }, b[3] = { 8.0f }, scale[2][3] = { { 9.0f } };
    Parts parts = parts_of(PYTREE(&model), NULL);
    pytree_error error = { 0 };
    pytree tree;
    (void)state;
    parts.leaves[0].data = w;
    parts.leaves[1].data = b;
    parts.leaves[2].data = scale;
    tree = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    made = tree.data;
    assert_true(made->layers[0].w == w);
    assert_true(made->layers[0].b == b);
    assert_null(made->head);
    assert_true(made->scale[0][0] == 9.0f);
    pytree_free(tree);
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

static void trees_of_every_kind(void **state)
{
    int a = 1;
    double b = 2.5;
    const char *text = "text";
    float cells[6] = { 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f };
    Point point = { 3.0f, 4.0f };
    pytree array = PYTREE_ARRAY(&cells[0], 2, 3);
    MLP models[3];
    Everything all = everything_make(true), bare = everything_make(false);
    Shelf shelf = shelf_make(), empty = { 0 };
    Node *chain = chain_make(40);
    Member member = { 0.5f, NULL };
    Team team = { 7, NULL };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(models); i++) {
        models[i] = mlp_make(i, i != 1);
        check_all_ways(PYTREE(&models[i]));
    }
    check_all_ways(PYTREE(&a));
    check_all_ways(PYTREE(&text));
    check_all_ways(PYTREE_NONE);
    check_all_ways(array);
    check_all_ways(PYTREE(&point));
    check_all_ways(PYTREE_LIST());
    check_all_ways(PYTREE_TUPLE());
    check_all_ways(PYTREE_DICT());
    check_all_ways(PYTREE_ODICT());
    check_all_ways(PYTREE_NAMEDTUPLE("Empty"));
    check_all_ways(PYTREE_LIST(PYTREE(&a), PYTREE_NONE, PYTREE(&point), PYTREE(&text),
                               PYTREE_TUPLE(PYTREE(&b), PYTREE(&models[1]))));
    check_all_ways(PYTREE_TUPLE(PYTREE_LIST(PYTREE_LIST(PYTREE_LIST())), PYTREE_ARRAY(&cells[1], 5)));
    check_all_ways(PYTREE_DICT({ "z", PYTREE(&a) }, { "a", PYTREE_DICT({ "n", PYTREE_NONE }, { "b", PYTREE(&b) }) }));
    check_all_ways(PYTREE_ODICT({ "z", PYTREE(&a) },
                                { "a", PYTREE_NAMEDTUPLE("P", { "y", PYTREE(&b) }, { "x", PYTREE(&point) }) }));
    check_all_ways(PYTREE(&all));
    check_all_ways(PYTREE(&bare));
    check_all_ways(PYTREE_LIST(PYTREE(&bare)));
    check_all_ways(PYTREE(&shelf));
    check_all_ways(PYTREE(&empty));
    check_all_ways(PYTREE(chain));
    check_all_ways(PYTREE(&member));
    member.team = &team;
    check_all_ways(PYTREE(&member));
    check_all_ways(PYTREE(&team));
    for (i = 0; i < COUNT_OF(models); i++) {
        mlp_clear(&models[i]);
    }
    everything_clear(&all);
    everything_clear(&bare);
    shelf_clear(&shelf);
    free(chain);
}

#if defined(TEST_HAS_COMPLEX)
static void complex_trees(void **state)
{
    Waves waves = { 0 };
    float parts[2] = { 1.0f, -2.0f };
    (void)state;
    memcpy(&waves.c64, parts, sizeof parts);
    memcpy(&waves.pair[1], parts, sizeof parts);
    check_all_ways(PYTREE(&waves));
}
#endif

typedef struct Sheet {
    int n_rows;
    Row *rows;
    Row fixed[2];
    Row *single;
    char title[4];
} Sheet;

#define PYTREE_STRUCT Sheet
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_rows) PYTREE_FIELD(DATA, rows, LIST(self->n_rows)) PYTREE_FIELD(DATA, fixed)                 \
    PYTREE_FIELD(DATA, single, OPTIONAL) PYTREE_FIELD(STATIC, title, STRING)
#include "pytree_registry.h"

static void lists_in_lists(void **state)
{
    double cells[3] = { 1.0, 2.0, 3.0 };
    const char *names[3] = { "x", "y", "z" };
    Row rows[3] = { { 3, NULL, NULL }, { 0, NULL, NULL }, { 1, NULL, NULL } };
    Sheet sheet = { 3, NULL, { { 2, NULL, NULL }, { 1, NULL, NULL } }, NULL, "abc" };
    pytree_error error = { 0 };
    pytree clone;
    const Sheet *copy;
    size_t i;
    (void)state;
    for (i = 0; i < 3; i++) {
        rows[i].cells = cells;
        rows[i].names = names;
    }
    sheet.rows = rows;
    sheet.fixed[0] = rows[0];
    sheet.fixed[1] = rows[2];
    check_all_ways(PYTREE(&sheet));
    sheet.single = &rows[0];
    check_all_ways(PYTREE(&sheet));
    clone = pytree_clone(PYTREE(&sheet), NULL, &error);
    assert_ok(error.status, &error);
    copy = clone.data;
    assert_true(copy->rows[0].cells[2] == 3.0);
    assert_string_equal(copy->rows[0].names[2], "z");
    assert_true(copy->rows[0].names[2] != names[2]);           /* strings are cloned */
    assert_true(copy->fixed[0].cells != copy->rows[0].cells);  /* what was shared is no longer */
    assert_string_equal(copy->title, "abc");
    pytree_free(clone);
}

/* Nothing in arrays and lists, lists in lists beyond what any stack of fixed size holds. */
static void empty_and_deep_trees(void **state)
{
    enum { DEPTH = 3000 };
    static pytree_items items[DEPTH];
    static pytree trees[DEPTH + 1];
    Linear none = { 0, 0, NULL, NULL }, flat = { 0, 4, NULL, NULL };
    Row row = { 0, NULL, NULL };
    float b[4] = { 1.0f };
    int number = 1;
    size_t i;
    (void)state;
    flat.b = b;
    check_all_ways(PYTREE(&none));
    check_all_ways(PYTREE(&flat));
    check_all_ways(PYTREE(&row));
    check_all_ways(PYTREE_LIST(PYTREE(&none), PYTREE_ARRAY((float *)NULL, 0, 3)));
    trees[0] = PYTREE_TUPLE(PYTREE(&number), PYTREE(&flat));
    for (i = 0; i < DEPTH; i++) {
        items[i].count = 1;
        items[i].items = &trees[i];
        trees[i + 1].type = PYTREE_LIST().type;
        trees[i + 1].data = &items[i];
    }
    check_all_ways(trees[DEPTH]);
}

/* Structs of leaves of which some are None, and leaves beside structs: in a struct, in a list, at the root. */
typedef struct Scaled {
    int n;
    float *scale;
    float *shift;
} Scaled;

#define PYTREE_STRUCT Scaled
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, scale, ARRAY(self->n)) PYTREE_FIELD(DATA, shift, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

typedef struct Mixed {
    size_t n;
    float *before;
    Scaled inner;
    float *after;
    Scaled *others;
    Scaled *far;
} Mixed;

#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, before, ARRAY(self->n)) PYTREE_FIELD(DATA, inner)                        \
    PYTREE_FIELD(DATA, after, ARRAY(self->n), OPTIONAL) PYTREE_FIELD(DATA, others, LIST(self->n))                       \
    PYTREE_FIELD(DATA, far, OPTIONAL)
#include "pytree_registry.h"

static void leaves_and_none_beside_structs(void **state)
{
    float x[2] = { 1.0f, 2.0f }, y[3] = { 3.0f, 4.0f, 5.0f };
    Scaled others[2] = { { 2, x, NULL }, { 3, y, y } }, whole = { 2, x, x }, half = { 3, y, NULL };
    Mixed mixed = { 2, x, { 3, y, NULL }, NULL, others, NULL };
    size_t i;
    (void)state;
    check_all_ways(PYTREE(&whole));
    check_all_ways(PYTREE(&half));
    check_all_ways(PYTREE(&mixed));
    mixed.after = x;
    mixed.far = &half;
    check_all_ways(PYTREE(&mixed));
    for (i = 0; i < 7; i++) {             /* each leaf with an extent, a type, an address that do not fit */
        Parts parts = parts_of(PYTREE(&mixed), NULL);
        const pytree_status wanted[3] = { PYTREE_SHAPE, PYTREE_TYPE, PYTREE_NULL_POINTER };
        size_t k;
        assert_int_equal(parts.n, 7);
        for (k = 0; k < COUNT_OF(wanted); k++) {
            const pytree_leaf was = parts.leaves[i];
            pytree_error error = { 0 };
            pytree made;
            if (k == 0) { parts.leaves[i].shape[0]++; }
            if (k == 1) { parts.leaves[i].type = PYTREE_TYPE(double); }
            if (k == 2) { parts.leaves[i].data = NULL; }
            made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
            assert_null(made.data);
            assert_int_equal(error.status, wanted[k]);
            parts.leaves[i] = was;
        }
        pytree_def_free(parts.def);
    }
}

/* A treedef that was tampered with: a dict's keys are strings or numbers. */
static void keys_of_two_kinds_are_refused(void **state)
{
    int a = 1;
    Parts numbers = parts_of(PYTREE_IDICT({ 7, PYTREE(&a) }), NULL);
    uint32_t number;                      /* stands where a string's length would */
    size_t i;
    (void)state;
    memcpy(&number, numbers.def->statics, sizeof number);
    pytree_def_free(numbers.def);
    for (i = 0; i < 2; i++) {             /* as long as a number: one of them becomes it */
        Parts parts = parts_of(PYTREE_LIST(PYTREE_DICT({ "1234567", PYTREE(&a) }, { "7654321", PYTREE(&a) })), NULL);
        pytree_error error = { 0 };
        pytree made;
        memcpy((char *)(uintptr_t)parts.def->statics + i * 12, &number, sizeof number);
        made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
        assert_null(made.data);
        assert_int_equal(error.status, PYTREE_STRUCTURE);
        assert_says(&error, "keys that are all strings or all numbers");
        assert_string_equal(error.path, "[0]");
        pytree_def_free(parts.def);
    }
}

static void rebuilt_containers_own_their_keys(void **state)
{
    char key[] = "key", name[] = "Name";
    int a = 1;
    pytree tree = PYTREE_TUPLE(PYTREE_DICT({ key, PYTREE(&a) }), PYTREE_NAMEDTUPLE(name, { key, PYTREE(&a) }));
    Parts parts = parts_of(tree, NULL);
    pytree_error error = { 0 };
    pytree made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    pytree_def_free(parts.def);
    key[0] = name[0] = 'x';
    {
        const pytree_items *items = made.data;
        const pytree_items *dict = items->items[0].data, *named = items->items[1].data;
        assert_string_equal(dict->pairs[0].key, "key");
        assert_true(dict->pairs[0].value.data == &a);          /* leaves are referred to */
        assert_string_equal(named->name, "Name");
        assert_string_equal(named->pairs[0].key, "key");
    }
    pytree_free(made);
}

/* ---- Unflatten: what is refused ---------------------------------------------------------------------------------------- */

/* Both ways to rebuild fail like this; the tree that was to be written keeps every byte, and nothing is left behind. */
#define assert_rebuild_refused(parts, n, model, status, path, words)                                                    \
    test_assert_rebuild_refused((parts), (n), (model), (status), (path), (words), __LINE__)

static void test_assert_rebuild_refused(const Parts *parts, size_t n, MLP *model, pytree_status status, const char *path,
                                        const char *words, int line)
{
    MLP before = *model, clone = *model;
    Linear layers[3], head;
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree tree;
    size_t i;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    tree = pytree_unflatten(parts->def, n, parts->leaves, &opt, &error);
    test_assert_status(tree.data == NULL ? error.status : PYTREE_OK, status, path, &error, __FILE__, line);
    test_assert_says(&error, words, __FILE__, line);
    assert_heap_clean(&heap);
    assert_null(pytree_unflatten(parts->def, n, parts->leaves, &opt, NULL).data);
    assert_heap_clean(&heap);

    memcpy(layers, model->layers, model->n_layers * sizeof *layers);
    if (model->head != NULL) {
        head = *model->head;
    }
    memset(&error, 0, sizeof error);
    test_assert_status(pytree_unflatten_into(parts->def, n, parts->leaves, PYTREE(model), &opt, &error), status, path, &error,
                       __FILE__, line);
    test_assert_says(&error, words, __FILE__, line);
    assert_heap_clean(&heap);
    assert_memory_equal(model, &before, sizeof before);
    assert_memory_equal(model->layers, layers, model->n_layers * sizeof *layers);
    if (model->head != NULL) {
        assert_memory_equal(model->head, &head, sizeof head);
    }
    for (i = 0; i < 6; i++) {
        assert_true(clone.scale[i / 3][i % 3] == model->scale[i / 3][i % 3]);
    }
}

static void too_few_and_too_many_leaves(void **state)
{
    MLP model = mlp_make(2, true);
    Parts parts = parts_of(PYTREE(&model), NULL);
    size_t n;
    (void)state;
    assert_int_equal(parts.n, 7);
    for (n = 0; n < 10; n++) {
        char words[60];
        snprintf(words, sizeof words, "expected 7 leaves, got %u", (unsigned)n);
        if (n < 7) {
            assert_rebuild_refused(&parts, n, &model, PYTREE_TOO_FEW_LEAVES, "", words);
        } else if (n > 7) {
            assert_rebuild_refused(&parts, n, &model, PYTREE_TOO_MANY_LEAVES, "", words);
        }
    }
    {
        pytree_error error = { 0 };
        assert_null(pytree_unflatten(NULL, 0, NULL, NULL, &error).data);
        assert_int_equal(error.status, PYTREE_ARGUMENT);
    }
    {
        pytree_error error = { 0 };
        assert_null(pytree_unflatten(parts.def, 7, NULL, NULL, &error).data);
        assert_int_equal(error.status, PYTREE_ARGUMENT);
    }
    {
        pytree_error error = { 0 };
        assert_error(pytree_unflatten_into(NULL, 7, parts.leaves, PYTREE(&model), NULL, &error), PYTREE_ARGUMENT, NULL, &error);
    }
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

/* One leaf that does not fit, wherever it stands: the type and shape on both sides and the key path. */
static void leaves_that_do_not_fit(void **state)
{
    static const char *const paths[] = { ".layers[0].w", ".layers[0].b", ".layers[1].w", ".layers[1].b", ".head.w", ".head.b",
                                         ".scale" };
    static const char *const types[] = { "f32[4,3]", "f32[3]", "f32[3,2]", "f32[2]", "f32[2,2]", "f32[2]", "f32[2,3]" };
    static double room[12];
    MLP model = mlp_make(2, true);
    Parts parts = parts_of(PYTREE(&model), NULL);
    size_t i;
    (void)state;
    for (i = 0; i < parts.n; i++) {
        pytree_leaf right = parts.leaves[i], *wrong = &parts.leaves[i];
        char words[100];
        wrong->type = PYTREE_TYPE(double);                     /* its type */
        wrong->data = room;
        snprintf(words, sizeof words, "expected %s, got f64%s", types[i], types[i] + 3);
        assert_rebuild_refused(&parts, parts.n, &model, PYTREE_TYPE, paths[i], words);
        *wrong = right;
        wrong->type = PYTREE_TYPE(int);                        /* of the same size */
        snprintf(words, sizeof words, "expected %s, got i32%s", types[i], types[i] + 3);
        assert_rebuild_refused(&parts, parts.n, &model, PYTREE_TYPE, paths[i], words);
        *wrong = right;
        wrong->shape[0]++;                                     /* its shape */
        snprintf(words, sizeof words, "expected %s, got f32[%u", types[i], (unsigned)wrong->shape[0]);
        assert_rebuild_refused(&parts, parts.n, &model, PYTREE_SHAPE, paths[i], words);
        *wrong = right;
        wrong->ndim = 0;
        snprintf(words, sizeof words, "expected %s, got f32", types[i]);
        assert_rebuild_refused(&parts, parts.n, &model, PYTREE_SHAPE, paths[i], words);
        *wrong = right;
        wrong->data = NULL;                                    /* nothing there */
        assert_rebuild_refused(&parts, parts.n, &model, PYTREE_NULL_POINTER, paths[i], "NULL");
        *wrong = right;
        wrong->form = PYTREE_FORM_NONE;                        /* None */
        wrong->data = NULL;
        assert_rebuild_refused(&parts, parts.n, &model, PYTREE_TYPE, paths[i], "got None");
        *wrong = right;
    }
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

static void leaves_of_lists_that_do_not_fit(void **state)
{
    double cells[2] = { 1.0, 2.0 };
    const char *names[2] = { "x", "y" };
    float wrong = 1.0f;
    Row row = { 2, NULL, NULL };
    Parts parts;
    pytree_error error = { 0 };
    (void)state;
    row.cells = cells;
    row.names = names;
    parts = parts_of(PYTREE(&row), NULL);
    parts.leaves[1].type = PYTREE_TYPE(float);
    parts.leaves[1].data = &wrong;
    assert_null(pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_TYPE, ".cells[1]", &error);
    assert_says(&error, "expected f64, got f32");
    memset(&error, 0, sizeof error);
    parts.leaves[0].data = (void *)(uintptr_t)&wrong;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&row), NULL, &error), PYTREE_TYPE, ".cells[1]",
                 &error);
    assert_says(&error, "expected f64, got f32");
    assert_true(cells[0] == 1.0);
    pytree_def_free(parts.def);
}

/* A leaf of a list may have as many dimensions as there are, and no more. */
static void as_many_dimensions_as_there_are(void **state)
{
    double x = 3;
    pytree_leaf leaf = { .data = &x, .type = PYTREE_TYPE(double), .ndim = PYTREE_MAX_DIMS };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE(&x)), NULL, NULL);
    pytree_error error = { 0 };
    pytree t;
    int i;
    (void)state;
    for (i = 0; i < PYTREE_MAX_DIMS; i++) { leaf.shape[i] = 1; }
    t = pytree_unflatten(def, 1, &leaf, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(t, PYTREE_LIST(PYTREE(&leaf)), NULL, NULL, &error));
    pytree_free(t);
    pytree_free((pytree){ NULL, &x });    /* no tree: there is nothing to free */
    leaf.ndim++;
    assert_null(pytree_unflatten(def, 1, &leaf, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
}

/* ---- None among the leaves --------------------------------------------------------------------------------------------- */

static void none_as_a_leaf_is_put_back(void **state)
{
    Everything bare = everything_make(false), full = everything_make(true);
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Parts parts;
    pytree tree;
    const Everything *made;
    (void)state;
    opt.none_is_leaf = true;
    parts = parts_of(PYTREE(&bare), &opt);
    tree = pytree_unflatten(parts.def, parts.n, parts.leaves, &opt, &error);
    assert_ok(error.status, &error);
    made = tree.data;
    assert_null(made->note);
    assert_null(made->far);
    assert_null(made->bias);
    assert_true(made->weights == bare.weights);
    assert_same(tree, PYTREE(&bare));
    pytree_free(tree);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&bare), &opt, &error), &error);
    assert_null(bare.note);
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&bare), NULL, &error), PYTREE_ARGUMENT, NULL,
                 &error);
    assert_says(&error, "none_is_leaf");
    pytree_def_free(parts.def);

    /* None for what is not OPTIONAL */
    memset(&error, 0, sizeof error);
    parts = parts_of(PYTREE(&full), &opt);
    parts.leaves[0].form = PYTREE_FORM_NONE;
    parts.leaves[0].data = NULL;
    assert_null(pytree_unflatten(parts.def, parts.n, parts.leaves, &opt, &error).data);
    assert_error(error.status, PYTREE_TYPE, ".flag", &error);
    pytree_def_free(parts.def);
    everything_clear(&bare);
    everything_clear(&full);
}

static bool is_layer(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && value->type == PYTREE_TYPE(Linear);
}

/* Where a predicate makes whole structs leaves, they are put back: those in place as copies that share their arrays. */
static void subtrees_as_leaves_are_put_back(void **state)
{
    MLP model = mlp_make(1, false);
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Parts parts;
    pytree made;
    (void)state;
    opt.is_leaf = is_layer;
    parts = parts_of(PYTREE(&model), &opt);
    assert_int_equal(parts.n, 2);
    made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(made, PYTREE(&model));
    assert_true(((const MLP *)made.data)->layers != model.layers);
    assert_true(((const MLP *)made.data)->layers[0].w == model.layers[0].w);
    pytree_free(made);
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unflatten_refers_to_the_leaves),
        cmocka_unit_test(unflatten_every_kind_of_member),
        cmocka_unit_test(unflatten_takes_other_leaves),
        cmocka_unit_test(trees_of_every_kind),
#if defined(TEST_HAS_COMPLEX)
        cmocka_unit_test(complex_trees),
#endif
        cmocka_unit_test(lists_in_lists),
        cmocka_unit_test(empty_and_deep_trees),
        cmocka_unit_test(leaves_and_none_beside_structs),
        cmocka_unit_test(keys_of_two_kinds_are_refused),
        cmocka_unit_test(rebuilt_containers_own_their_keys),
        cmocka_unit_test(too_few_and_too_many_leaves),
        cmocka_unit_test(leaves_that_do_not_fit),
        cmocka_unit_test(leaves_of_lists_that_do_not_fit), cmocka_unit_test(as_many_dimensions_as_there_are),
        cmocka_unit_test(none_as_a_leaf_is_put_back),
        cmocka_unit_test(subtrees_as_leaves_are_put_back)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
