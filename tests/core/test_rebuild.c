/* Rebuild: trees from treedef and leaves, in place and anew; memory for a struct, copies, zeros; what is refused, and that
 * nothing is half done then. */
#include "support.h"

/* ---- Helpers --------------------------------------------------------------------------------------------------------- */

#define assert_says(error, words) test_assert_says((error), (words), __FILE__, __LINE__)

static void test_assert_says(const pytree_error *error, const char *words, const char *file, int line)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(file, line);
    }
}

enum { MOST_LEAVES = 64 };

/* A tree's leaves and structure. */
typedef struct Parts {
    pytree_leaf leaves[MOST_LEAVES];
    size_t n;
    pytree_def *def;
} Parts;

static Parts parts_of(pytree tree, const pytree_options *opt)
{
    Parts parts;
    pytree_leaf *leaves = parts.leaves;
    pytree_error error = { 0 };
    memset(&parts, 0, sizeof parts);
    assert_ok(pytree_flatten(tree, &leaves, MOST_LEAVES, &parts.def, opt, &error), &error);
    parts.n = pytree_def_num_leaves(parts.def);
    return parts;
}

/* Structure and values are equal. */
static void assert_same(pytree a, pytree b)
{
    pytree_error error = { 0 };
    if (!pytree_equal(a, b, NULL, NULL, &error)) {
        print_error("# not equal at '%s': %s\n", error.path, error.message);
        fail();
    }
}

/* No byte of any leaf of the one belongs to a leaf of the other (leaves of a dozen elements at most). */
static void assert_apart(pytree a, pytree b)
{
    Parts x = parts_of(a, NULL), y = parts_of(b, NULL);
    size_t i, k;
    for (i = 0; i < x.n; i++) {
        for (k = 0; k < y.n; k++) {
            uintptr_t p = (uintptr_t)x.leaves[i].data, q = (uintptr_t)y.leaves[k].data;
            assert_true(p + pytree_leaf_bytes(&x.leaves[i]) <= q || q + pytree_leaf_bytes(&y.leaves[k]) <= p);
        }
    }
    pytree_def_free(x.def);
    pytree_def_free(y.def);
}

static bool all_zero(const pytree_leaf *leaf)
{
    const unsigned char *bytes = leaf->data;
    size_t n = pytree_leaf_bytes(leaf), i;
    for (i = 0; i < n && bytes[i] == 0; i++) {}
    return i == n;
}

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

/* Trees of any kind, whole: rebuilt, cloned, made zero. */
static void check_all_ways(pytree tree)
{
    Parts parts = parts_of(tree, NULL), zero_parts;
    pytree_error error = { 0 };
    pytree made, clone, zeros;
    pytree_def *def;
    size_t i;
    made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(made, tree);
    assert_same(tree, made);
    clone = pytree_clone(tree, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(clone, tree);
    assert_apart(clone, tree);
    zeros = pytree_zeros_like(tree, NULL, &error);
    assert_ok(error.status, &error);
    def = pytree_structure(zeros, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, parts.def));
    assert_int_equal(pytree_def_hash(def), pytree_def_hash(parts.def));
    pytree_def_free(def);
    zero_parts = parts_of(zeros, NULL);
    for (i = 0; i < zero_parts.n; i++) {
        const pytree_leaf *leaf = &zero_parts.leaves[i];
        if (leaf->type->dtype != PYTREE_STRING && leaf->type->dtype != PYTREE_OPAQUE) {
            assert_true(all_zero(leaf));
        }
        assert_true(pytree_type_equal(leaf->type, parts.leaves[i].type));
        assert_int_equal(leaf->ndim, parts.leaves[i].ndim);
        assert_int_equal(pytree_leaf_bytes(leaf), pytree_leaf_bytes(&parts.leaves[i]));
    }
    assert_apart(zeros, clone);
    pytree_def_free(zero_parts.def);
    assert_ok(pytree_copy_into(zeros, tree, NULL, &error), &error);
    assert_same(zeros, tree);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, clone, NULL, &error), &error);
    assert_same(clone, tree);
    pytree_free(made);
    pytree_free(clone);
    pytree_free(zeros);
    pytree_def_free(parts.def);
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

/* Lists and tuples of what is no struct, structs in fixed arrays, lists in lists. */
typedef struct Row {
    size_t n;
    double *cells;                        /* LIST: leaves each */
    const char **names;
} Row;

#define PYTREE_STRUCT Row
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, cells, LIST(self->n)) PYTREE_FIELD(DATA, names, LIST(self->n))
#include "pytree_registry.h"

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
    PYTREE_FIELD(DATA, single, OPTIONAL) PYTREE_FIELD(STATIC, title)
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

/* ---- Unflatten: what is refused ------------------------------------------------------------------------------------------ */

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

/* ---- None among the leaves ----------------------------------------------------------------------------------------------- */

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

/* A treedef whose leaves are whole structs has no place for them in the struct. */
static void subtrees_as_leaves_are_refused(void **state)
{
    MLP model = mlp_make(1, false);
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Parts parts;
    (void)state;
    opt.is_leaf = is_layer;
    parts = parts_of(PYTREE(&model), &opt);
    assert_int_equal(parts.n, 2);
    assert_null(pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error).data);
    assert_true(error.status == PYTREE_TYPE || error.status == PYTREE_STRUCTURE);
    assert_true(error.message[0] != '\0');
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

/* ---- Unflatten into ------------------------------------------------------------------------------------------------------ */

static void unflatten_into_sets_and_copies(void **state)
{
    Everything from = everything_make(true), to = everything_make(true);
    const char *kind = to.kind;
    double *own_weights = to.weights;
    float *own_bias = to.bias;
    Point *far = to.far, *points = to.points;
    char *name = to.name;
    int mark = 0;
    Parts parts;
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    from.i32 = 77;
    from.cube[1][2][3] = 78;
    from.far->x = 79.0f;
    from.points[1].y = 80.0f;
    from.title = "another title";
    from.scratch = &from;
    to.scratch = &mark;
    parts = parts_of(PYTREE(&from), NULL);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&to), &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    assert_int_equal(to.i32, 77);
    assert_int_equal(to.cube[1][2][3], 78);
    assert_true(to.far == far && far->x == 79.0f);             /* structs stay where they are, their values are copied */
    assert_true(to.points == points && points[1].y == 80.0f);
    assert_string_equal(to.title, "another title");
    assert_true(to.weights == from.weights);                   /* pointers to numbers are set */
    assert_true(to.bias == from.bias);
    assert_true(to.scratch == &mark);                          /* DROP rows are kept */
    assert_true(to.kind == kind);                              /* so are static values */
    pytree_def_free(parts.def);
    to.weights = own_weights;
    to.bias = own_bias;
    to.name = name;
    everything_clear(&to);
    everything_clear(&from);
}

static void unflatten_into_containers_and_lists(void **state)
{
    int a = 1, b = 2, other_a = 11, other_b = 12;
    float cells[2] = { 1.0f, 2.0f }, other_cells[2] = { 3.0f, 4.0f };
    double numbers[2] = { 0.5, 1.5 }, other_numbers[2] = { 2.5, 3.5 };
    const char *names[2] = { "x", "y" }, *other_names[2] = { "v", "w" };
    Row row = { 2, NULL, NULL }, other_row = { 2, NULL, NULL };
    Shelf shelf = shelf_make(), other_shelf = shelf_make();
    pytree tree = PYTREE_DICT({ "b", PYTREE(&b) }, { "row", PYTREE(&row) }, { "shelf", PYTREE(&shelf) },
                              { "a", PYTREE_LIST(PYTREE(&a), PYTREE_ARRAY(&cells[0], 2)) });
    pytree other = PYTREE_DICT({ "b", PYTREE(&other_b) }, { "row", PYTREE(&other_row) }, { "shelf", PYTREE(&other_shelf) },
                               { "a", PYTREE_LIST(PYTREE(&other_a), PYTREE_ARRAY(&other_cells[0], 2)) });
    Parts parts;
    pytree_error error = { 0 };
    (void)state;
    row.cells = numbers;
    row.names = names;
    other_row.cells = other_numbers;
    other_row.names = other_names;
    other_shelf.heights[1] = 100.0f;
    stbds_shput(other_shelf.prices, "fig", 200.0);
    parts = parts_of(other, NULL);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, tree, NULL, &error), &error);
    assert_int_equal(a, 11);
    assert_int_equal(b, 12);
    assert_true(cells[1] == 4.0f);
    assert_true(numbers[1] == 3.5);
    assert_string_equal(names[0], "v");
    assert_true(shelf.heights[1] == 100.0f);
    assert_true(stbds_shget(shelf.prices, "fig") == 200.0);
    assert_same(tree, other);
    pytree_def_free(parts.def);
    shelf_clear(&shelf);
    shelf_clear(&other_shelf);
}

/* A tree may be given its own leaves. */
static void unflatten_into_itself(void **state)
{
    Everything all = everything_make(true), before = all;
    Parts parts = parts_of(PYTREE(&all), NULL);
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&all), NULL, &error), &error);
    assert_memory_equal(&all, &before, sizeof all);
    pytree_def_free(parts.def);
    everything_clear(&all);
}

static void unflatten_into_another_structure_is_refused(void **state)
{
    MLP model = mlp_make(2, true), other;
    Parts parts = parts_of(PYTREE(&model), NULL);
    Linear layer;
    int number = 1;
    float cells[12] = { 0.0f };
    pytree_error error = { 0 };
    (void)state;
    other = mlp_make(1, true);            /* a list of another length */
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    assert_true(other.layers[0].w != model.layers[0].w);
    mlp_clear(&other);
    memset(&error, 0, sizeof error);
    other = mlp_make(2, false);           /* None where a struct should be */
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_STRUCTURE,
                 ".head", &error);
    assert_says(&error, "expected ");
    assert_says(&error, "got None");
    assert_true(other.layers[0].w != model.layers[0].w);
    mlp_clear(&other);
    memset(&error, 0, sizeof error);
    other = mlp_make(2, true);            /* static values that differ */
    layer = other.layers[1];
    other.layers[1].din = 2;
    other.layers[1].dout = 3;
    {                                     /* they are shapes too: either may be what is noticed */
        pytree_status status = pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&other), NULL, &error);
        assert_true(status == PYTREE_STRUCTURE || status == PYTREE_SHAPE);
        assert_int_equal(error.status, status);
        assert_memory_equal(error.path, ".layers[1]", 10);
    }
    assert_true(other.layers[0].w != model.layers[0].w);
    other.layers[1] = layer;
    mlp_clear(&other);
    memset(&error, 0, sizeof error);
    {                                     /* a leaf for a whole struct: of a type that does not fit, and of one that does */
        pytree_status status = pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&number), NULL, &error);
        assert_true(status == PYTREE_STRUCTURE || status == PYTREE_TYPE);
        assert_int_equal(error.status, status);
        assert_int_equal(number, 1);
        memset(&error, 0, sizeof error);
        assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE_ARRAY(&cells[0], 4, 3), NULL, &error),
                     PYTREE_STRUCTURE, "", &error);
        assert_true(cells[1] == 0.0f);
    }
    memset(&error, 0, sizeof error);
    other = model;                        /* a tree that cannot be walked */
    other.layers = NULL;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_NULL_POINTER,
                 ".layers", &error);
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

typedef struct Essay {                    /* much metadata */
    const char *text;
    int number;
} Essay;

#define PYTREE_STRUCT Essay
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, text) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

static void much_metadata(void **state)
{
    static char text[50001], other_text[50002];
    Essay essay = { text, 1 }, other = { other_text, 2 };
    Parts parts;
    pytree_error error = { 0 };
    pytree clone;
    (void)state;
    memset(text, 'a', sizeof text - 1);
    memset(other_text, 'a', sizeof other_text - 1);
    check_all_ways(PYTREE(&essay));
    parts = parts_of(PYTREE(&essay), NULL);
    assert_error(pytree_unflatten_into(parts.def, 1, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    assert_int_equal(other.number, 2);
    memset(&error, 0, sizeof error);
    other.text = "short";
    assert_error(pytree_unflatten_into(parts.def, 1, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    memset(&error, 0, sizeof error);
    other.text = NULL;
    assert_error(pytree_unflatten_into(parts.def, 1, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    assert_int_equal(other.number, 2);
    memset(&error, 0, sizeof error);
    check_all_ways(PYTREE(&other));
    clone = pytree_clone(PYTREE(&essay), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((const Essay *)clone.data)->text != text);
    assert_string_equal(((const Essay *)clone.data)->text, text);
    pytree_free(clone);
    pytree_def_free(parts.def);
}

/* ---- Allocate ------------------------------------------------------------------------------------------------------------ */

/* Arrays of a tree that are reached through pointers lie within one run of bytes, aligned, in the order of the leaves, zero. */
static void assert_one_run(pytree tree, size_t alignment)
{
    Parts parts = parts_of(tree, NULL);
    const char *end = NULL;
    size_t i;
    for (i = 0; i < parts.n; i++) {
        const pytree_leaf *leaf = &parts.leaves[i];
        const char *inside = tree.data, *data = leaf->data;
        if (leaf->ndim == 0 || (data >= inside && data < inside + tree.type->size)) {
            continue;
        }
        assert_int_equal((uintptr_t)data % alignment, 0);
        assert_true(all_zero(leaf));
        if (end != NULL) {
            assert_true(data >= end);
            assert_true((size_t)(data - end) < alignment);     /* side by side */
        }
        end = data + pytree_leaf_bytes(leaf);
    }
    pytree_def_free(parts.def);
}

static void allocate_a_struct(void **state)
{
    Linear layer = { 5, 3, NULL, NULL };
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_allocate(PYTREE(&layer), &opt, &error), &error);
    assert_int_equal(heap.blocks, 1);
    assert_non_null(layer.w);
    assert_non_null(layer.b);
    assert_int_equal(layer.din, 5);
    assert_one_run(PYTREE(&layer), 64);
    layer.w[14] = 1.0f;
    layer.b[2] = 2.0f;
    pytree_free(PYTREE(&layer));
    assert_heap_clean(&heap);
    assert_null(layer.w);
    assert_null(layer.b);
    assert_int_equal(layer.din, 5);
    assert_int_equal(layer.dout, 3);

    layer.din = 7;                        /* and again, in another size */
    assert_ok(pytree_allocate(PYTREE(&layer), &opt, &error), &error);
    assert_one_run(PYTREE(&layer), 64);
    layer.w[20] = 1.0f;
    pytree_free(PYTREE(&layer));
    pytree_free(PYTREE(&layer));          /* nothing is there: nothing happens */
    assert_heap_clean(&heap);
    assert_ok(pytree_allocate(PYTREE(&layer), NULL, NULL), &error);
    layer.w[20] = 1.0f;
    pytree_free(PYTREE(&layer));
}

static void alignment_is_an_option(void **state)
{
    static const size_t alignments[] = { 1, 2, 8, 16, 32, 64, 128, 512, 4096 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(alignments); i++) {
        Linear layers[2] = { { 3, 1, NULL, NULL }, { 1, 5, NULL, NULL } };
        MLP model = { 2, NULL, NULL, { { 0 } } };
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree clone;
        Heap heap;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        opt.alignment = alignments[i];
        model.layers = layers;
        assert_ok(pytree_allocate(PYTREE(&model), &opt, &error), &error);
        assert_one_run(PYTREE(&model), alignments[i] < 16 ? 16 : alignments[i]);
        clone = pytree_zeros_like(PYTREE(&model), &opt, &error);
        assert_ok(error.status, &error);
        assert_one_run(clone, alignments[i] < 16 ? 16 : alignments[i]);
        pytree_free(clone);
        pytree_free(PYTREE(&model));
        assert_heap_clean(&heap);
    }
    {
        Linear layer = { 5, 3, NULL, NULL };
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        opt.alignment = 48;
        assert_error(pytree_allocate(PYTREE(&layer), &opt, &error), PYTREE_ARGUMENT, NULL, &error);
        assert_says(&error, "48");
        assert_null(layer.w);
    }
}

static void lists_and_structs_are_templates(void **state)
{
    const Linear template_layers[2] = { { 784, 256, NULL, NULL }, { 256, 10, NULL, NULL } };
    const Linear template_head = { 10, 2, NULL, NULL };
    Linear layers[2], head = template_head;
    MLP model = { 2, NULL, NULL, { { 1.0f, 2.0f, 3.0f }, { 4.0f, 5.0f, 6.0f } } };
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    memcpy(layers, template_layers, sizeof layers);
    model.layers = layers;
    model.head = &head;
    assert_ok(pytree_allocate(PYTREE(&model), &opt, &error), &error);
    assert_int_equal(heap.blocks, 1);
    assert_memory_equal(layers, template_layers, sizeof layers);
    assert_memory_equal(&head, &template_head, sizeof head);
    assert_true(model.layers != layers);
    assert_true(model.head != &head);
    assert_int_equal(model.layers[0].din, 784);
    assert_int_equal(model.layers[1].dout, 10);
    assert_int_equal(model.head->din, 10);
    assert_true(model.scale[1][2] == 6.0f);                    /* what is in place stays */
    assert_one_run(PYTREE(&model), 64);
    assert_def_text(PYTREE(&model),
                    "PyTreeDef(CustomNode(MLP[(2,)], [[CustomNode(Linear[(784, 256)], [*, *]), "
                    "CustomNode(Linear[(256, 10)], [*, *])], CustomNode(Linear[(10, 2)], [*, *]), *]))", NULL);
    pytree_free(PYTREE(&model));
    assert_heap_clean(&heap);
    assert_null(model.layers);
    assert_null(model.head);
    assert_int_equal(model.n_layers, 2);
    assert_true(model.scale[1][2] == 6.0f);

    model.layers = layers;                /* again, with the same template; a missing head stays missing */
    assert_ok(pytree_allocate(PYTREE(&model), &opt, &error), &error);
    assert_null(model.head);
    pytree_free(PYTREE(&model));

    model.head = PYTREE_WANTED;           /* a wanted one without a template: of zeros */
    model.layers = NULL;                  /* and so is a list */
    assert_ok(pytree_allocate(PYTREE(&model), &opt, &error), &error);
    assert_non_null(model.head);
    assert_true(model.head != (void *)PYTREE_WANTED);
    assert_int_equal(model.head->din, 0);
    assert_int_equal(model.layers[0].din, 0);
    assert_int_equal(model.layers[1].dout, 0);
    pytree_free(PYTREE(&model));
    assert_heap_clean(&heap);
    assert_null(model.head);
}

typedef struct Handle { int number, kind; } Handle;   /* without padding: it is compared by bytes */
#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

typedef struct Wishes {
    size_t n;
    Handle *handle;
    float *required;
    double *wanted;
    double *unwanted;
    Row *row;
    Row *rows;
    Shelf *shelf;
    pytree_leaf view;
    const char *name;
    const char *none;
} Wishes;

#define PYTREE_STRUCT Wishes
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, handle) PYTREE_FIELD(DATA, required, ARRAY(self->n))                     \
    PYTREE_FIELD(DATA, wanted, ARRAY(self->n, 2), OPTIONAL) PYTREE_FIELD(DATA, unwanted, ARRAY(self->n), OPTIONAL)      \
    PYTREE_FIELD(DATA, row) PYTREE_FIELD(DATA, rows, LIST(2)) PYTREE_FIELD(DATA, shelf, OPTIONAL)                       \
    PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, none, OPTIONAL)
#include "pytree_registry.h"

static void what_is_wanted_is_made(void **state)
{
    Row rows[2] = { { 3, NULL, NULL }, { 2, NULL, NULL } };
    Wishes wishes;
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    memset(&wishes, 0, sizeof wishes);
    wishes.n = 3;
    wishes.wanted = PYTREE_WANTED;
    wishes.rows = rows;
    wishes.shelf = PYTREE_WANTED;
    wishes.view.type = PYTREE_TYPE(short);
    wishes.view.ndim = 2;
    wishes.view.shape[0] = 2;
    wishes.view.shape[1] = 4;
    wishes.name = "name";
    assert_ok(pytree_allocate(PYTREE(&wishes), &opt, &error), &error);
    assert_int_equal(heap.blocks, 1);
    assert_non_null(wishes.handle);
    assert_int_equal(wishes.handle->number, 0);
    assert_true(wishes.required[2] == 0.0f);
    assert_true(wishes.wanted[5] == 0.0);
    assert_null(wishes.unwanted);
    assert_non_null(wishes.row);
    assert_int_equal(wishes.row->n, 0);
    assert_int_equal(wishes.rows[0].n, 3);
    assert_true(wishes.rows[0].cells[2] == 0.0);
    assert_non_null(wishes.rows[0].names);
    assert_non_null(wishes.shelf);
    assert_null(wishes.shelf->heights);
    assert_non_null(wishes.view.data);
    assert_int_equal((uintptr_t)wishes.view.data % 64, 0);
    assert_int_equal(((short *)wishes.view.data)[7], 0);
    assert_string_equal(wishes.name, "name");
    assert_null(wishes.none);
    pytree_free(PYTREE(&wishes));
    assert_heap_clean(&heap);
    assert_null(wishes.handle);
    assert_null(wishes.required);
    assert_null(wishes.wanted);
    assert_null(wishes.row);
    assert_null(wishes.rows);
    assert_null(wishes.view.data);
    assert_string_equal(wishes.name, "name");
}

typedef struct Essays {                   /* strings, and no pointer to anything else */
    Essay first;
    Essay rest[2];
} Essays;

#define PYTREE_STRUCT Essays
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, rest)
#include "pytree_registry.h"

/* Whatever there is to allocate, nothing or a single thing of whatever kind, pytree_free gives it back. */
static void small_allocations_are_given_back(void **state)
{
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Point point = { 1.0f, 2.0f };
    MLP model;
    Linear layer = { 0, 0, NULL, NULL }, half = { 0, 4, NULL, NULL };
    Node node = { 1.0, NULL };
    struct Team *team = PYTREE_WANTED;
    Member member = { 0.5f, NULL };
    Row row = { 2, NULL, NULL };
    Shelf shelf = { 0 };
    Essays essays = { { "first", 1 }, { { "second", 2 }, { NULL, 3 } } };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    memset(&model, 0, sizeof model);
#define BACK(object)                                                                                                    \
    do {                                                                                                                \
        assert_ok(pytree_allocate(PYTREE(&(object)), &opt, &error), &error);                                            \
        pytree_free(PYTREE(&(object)));                                                                                 \
        assert_heap_clean(&heap);                                                                                       \
    } while (0)
    BACK(point);
    assert_true(point.y == 2.0f);
    BACK(model);
    BACK(layer);
    BACK(half);
    assert_null(half.b);
    BACK(node);
    node.next = PYTREE_WANTED;
    BACK(node);
    assert_null(node.next);
    member.team = team;
    BACK(member);
    assert_null(member.team);
    BACK(row);
    BACK(shelf);
    model.head = PYTREE_WANTED;
    BACK(model);
    BACK(essays);
    assert_string_equal(essays.first.text, "first");
    model.head = PYTREE_WANTED;           /* to free what was never allocated does nothing */
    pytree_free(PYTREE(&model));
#undef BACK
}

/* A chain of pointed-to structs is a template too, however long. */
static void chains_are_templates(void **state)
{
    enum { LENGTH = 1000 };
    Node *chain = chain_make(LENGTH), root = chain[0];
    const Node *node;
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_allocate(PYTREE(&root), &opt, &error), &error);
    assert_int_equal(heap.blocks, 1);
    for (node = &root, i = 0; node != NULL; node = node->next, i++) {
        assert_true(node->value == (double)i);
        assert_true(node < chain || node >= chain + LENGTH);
        assert_true(chain[i].next == (i + 1 < LENGTH ? &chain[i + 1] : NULL));
    }
    assert_int_equal(i, LENGTH);
    pytree_free(PYTREE(&root));
    assert_null(root.next);
    assert_heap_clean(&heap);
    free(chain);
}

static void allocate_refuses_to_lose_a_pointer(void **state)
{
    static float there[12];
    Linear layers[3] = { { 4, 3, NULL, NULL }, { 3, 2, NULL, NULL }, { 2, 1, NULL, NULL } }, before[3];
    MLP model = { 3, NULL, NULL, { { 0 } } }, model_before;
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    model.layers = layers;
    layers[1].b = there;
    memcpy(before, layers, sizeof layers);
    model_before = model;
    assert_error(pytree_allocate(PYTREE(&model), &opt, &error), PYTREE_ARGUMENT, ".layers[1].b", &error);
    assert_says(&error, "expected NULL");
    assert_memory_equal(layers, before, sizeof layers);
    assert_memory_equal(&model, &model_before, sizeof model);
    assert_heap_clean(&heap);

    memset(&error, 0, sizeof error);      /* a template that cannot be walked */
    layers[1].b = NULL;
    layers[2].dout = -1;
    assert_error(pytree_allocate(PYTREE(&model), &opt, &error), PYTREE_BAD_COUNT, ".layers[2].w", &error);
    assert_true(model.layers == layers);
    assert_null(layers[0].w);
    assert_heap_clean(&heap);

    memset(&error, 0, sizeof error);
    layers[2].din = layers[2].dout = INT_MAX;                  /* more than there is */
    layers[1].din = layers[1].dout = INT_MAX;
    heap.fail_at = HEAP_NEVER_FAILS;
    {
        pytree_status status = pytree_allocate(PYTREE(&model), &opt, &error);
        assert_true(status == PYTREE_NO_MEMORY || status == PYTREE_OVERFLOW);
        assert_int_equal(error.status, status);
    }
    assert_true(model.layers == layers);
    assert_null(layers[0].w);
    assert_heap_clean(&heap);

    memset(&error, 0, sizeof error);      /* not a struct */
    assert_error(pytree_allocate(PYTREE(&there[0]), &opt, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate(PYTREE_LIST(PYTREE(&layers[0])), &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_heap_clean(&heap);
}

/* ---- Layout -------------------------------------------------------------------------------------------------------------- */

/* Arrays of two trees of one structure lie at the same distances from each other. */
static void assert_same_layout(pytree a, pytree b)
{
    Parts x = parts_of(a, NULL), y = parts_of(b, NULL);
    const char *first_x = NULL, *first_y = NULL;
    size_t i, arrays = 0;
    assert_int_equal(x.n, y.n);
    for (i = 0; i < x.n; i++) {
        const char *p = x.leaves[i].data, *q = y.leaves[i].data;
        if (p >= (const char *)a.data && p < (const char *)a.data + a.type->size) {
            continue;                     /* in place, in the root */
        }
        if (arrays++ == 0) {
            first_x = p;
            first_y = q;
        }
        assert_int_equal(p - first_x, q - first_y);
    }
    assert_true(arrays > 1);
    pytree_def_free(x.def);
    pytree_def_free(y.def);
}

static void trees_of_one_structure_line_up(void **state)
{
    Linear layers[3] = { { 13, 7, NULL, NULL }, { 7, 5, NULL, NULL }, { 5, 3, NULL, NULL } }, head = { 3, 1, NULL, NULL };
    MLP model = { 3, NULL, NULL, { { 0 } } }, second, by_hand = mlp_make(3, true);
    pytree_error error = { 0 };
    pytree zeros, clone, of_clone, of_hand;
    (void)state;
    model.layers = layers;
    model.head = &head;
    second = model;
    assert_ok(pytree_allocate(PYTREE(&model), NULL, &error), &error);
    assert_ok(pytree_allocate(PYTREE(&second), NULL, &error), &error);
    zeros = pytree_zeros_like(PYTREE(&model), NULL, &error);
    clone = pytree_clone(zeros, NULL, &error);
    of_clone = pytree_zeros_like(clone, NULL, &error);
    of_hand = pytree_clone(PYTREE(&by_hand), NULL, &error);
    assert_ok(error.status, &error);
    assert_same_layout(PYTREE(&model), PYTREE(&second));
    assert_same_layout(PYTREE(&model), zeros);
    assert_same_layout(zeros, clone);
    assert_same_layout(clone, of_clone);
    {
        pytree again = pytree_zeros_like(of_hand, NULL, &error);
        assert_ok(error.status, &error);
        assert_same_layout(of_hand, again);
        pytree_free(again);
    }
    pytree_free(zeros);
    pytree_free(of_clone);
    pytree_free(clone);
    pytree_free(of_hand);
    pytree_free(PYTREE(&second));
    pytree_free(PYTREE(&model));
    mlp_clear(&by_hand);
}

/* Large trees do not all begin at one offset within a page. */
static void blocks_begin_at_different_offsets(void **state)
{
    enum { TREES = 12 };
    Linear layer = { 256, 256, NULL, NULL };
    pytree trees[TREES];
    pytree_error error = { 0 };
    size_t i, different = 0;
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&layer), NULL, &error), &error);
    for (i = 0; i < TREES; i++) {
        const Linear *copy;
        trees[i] = pytree_zeros_like(PYTREE(&layer), NULL, &error);
        assert_ok(error.status, &error);
        copy = trees[i].data;
        assert_int_equal((uintptr_t)copy->w % 64, 0);
        assert_same_layout(PYTREE(&layer), trees[i]);
        different += (uintptr_t)copy->w % 4096 != (uintptr_t)layer.w % 4096;
    }
    assert_true(different > 0);
    for (i = 0; i < TREES; i++) {
        pytree_free(trees[i]);
    }
    pytree_free(PYTREE(&layer));
}

/* ---- Copies -------------------------------------------------------------------------------------------------------------- */

static void a_clone_is_independent(void **state)
{
    Everything all = everything_make(true), *copy;
    char title[] = "a title";
    pytree_error error = { 0 };
    pytree clone, zeros;
    Heap heap;
    pytree_options opt = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    all.title = title;
    all.scratch = &all;
    clone = pytree_clone(PYTREE(&all), &opt, &error);
    zeros = pytree_zeros_like(PYTREE(&all), &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(heap.blocks, 2);     /* one each */
    copy = clone.data;
    assert_string_equal(copy->title, "a title");
    assert_true(copy->title != title);
    assert_true(copy->name != all.name);
    assert_string_equal(copy->name, "owned");
    assert_true(copy->kind != all.kind);
    assert_true(copy->weights != all.weights);
    assert_memory_equal(copy->weights, all.weights, 6 * sizeof(double));
    assert_int_equal((uintptr_t)copy->weights % 64, 0);
    assert_int_equal((uintptr_t)copy->bias % 64, 0);
    assert_null(copy->scratch);
    title[0] = 'A';
    assert_string_equal(copy->title, "a title");
    copy = zeros.data;
    assert_string_equal(copy->name, "owned");                  /* strings and metadata are no numbers */
    assert_string_equal(copy->kind, "a kind");
    assert_int_equal(copy->config.width, 64);
    assert_true(copy->function == test_half_of);
    assert_int_equal(copy->i32, 0);
    assert_false(copy->flag);
    assert_int_equal(copy->color, 0);
    assert_int_equal(copy->half.bits, 0);
    assert_int_equal(copy->code[0], 0);
    assert_true(copy->weights[5] == 0.0);
    everything_clear(&all);               /* neither needs the original */
    copy = clone.data;
    assert_string_equal(copy->name, "owned");
    assert_true(copy->points[2].x == 22.0f);
    assert_int_equal(pytree_num_leaves(clone, NULL, NULL), EVERYTHING_LEAVES);
    pytree_free(clone);
    pytree_free(zeros);
    assert_heap_clean(&heap);
    pytree_free(PYTREE_NONE);
    {
        pytree nothing = { NULL, NULL };
        pytree_free(nothing);
    }
}

static void opaque_leaves_are_kept(void **state)
{
    Handle handle = { 7, 'h' };
    Wishes wishes;
    float required[1] = { 5.0f };
    Row row = { 0, NULL, NULL }, rows[2] = { { 0, NULL, NULL }, { 0, NULL, NULL } };
    pytree_error error = { 0 };
    pytree made[2];
    size_t i;
    (void)state;
    memset(&wishes, 0, sizeof wishes);
    wishes.n = 1;
    wishes.handle = &handle;
    wishes.required = required;
    wishes.row = &row;
    wishes.rows = rows;
    wishes.view.type = PYTREE_TYPE(Handle);
    wishes.view.data = &handle;
    wishes.name = "name";
    check_all_ways(PYTREE(&wishes));
    check_all_ways(PYTREE(&handle));
    made[0] = pytree_clone(PYTREE(&wishes), NULL, &error);
    made[1] = pytree_zeros_like(PYTREE(&wishes), NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < 2; i++) {
        const Wishes *copy = made[i].data;
        assert_true(copy->handle != &handle);
        assert_int_equal(copy->handle->number, 7);
        assert_int_equal(copy->handle->kind, 'h');
        assert_int_equal(((const Handle *)copy->view.data)->number, 7);
        assert_true(copy->required[0] == (i == 0 ? 5.0f : 0.0f));
        pytree_free(made[i]);
    }
}

/* Fields that are stb_ds containers are so in a copy, with all that stb_ds can do with them. */
static void stb_containers_are_real(void **state)
{
    Shelf shelf = shelf_make(), *copy;
    Parts parts = parts_of(PYTREE(&shelf), NULL);
    pytree_error error = { 0 };
    pytree made[3];
    Point point = { 1.0f, 2.0f };
    size_t i, k;
    char name[16];
    (void)state;
    made[0] = pytree_clone(PYTREE(&shelf), NULL, &error);
    made[1] = pytree_zeros_like(PYTREE(&shelf), NULL, &error);
    made[2] = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < 3; i++) {
        bool zero = i == 1;
        copy = made[i].data;
        assert_true(copy->heights != shelf.heights);
        assert_true(copy->prices != shelf.prices);
        assert_int_equal(stbds_arrlen(copy->heights), 3);
        assert_true(copy->heights[2] == (zero ? 0.0f : 4.5f));
        assert_int_equal(stbds_arrlen(copy->spots), 2);
        assert_true(copy->spots[1].y == (zero ? 0.0f : 10.0f));
        assert_int_equal(stbds_shlen(copy->prices), 3);
        assert_true(stbds_shget(copy->prices, "apple") == (zero ? 0.0 : 0.5));
        assert_int_equal(stbds_shgeti(copy->prices, "plum"), -1);
        assert_true(stbds_shget(copy->places, "here").y == (zero ? 0.0f : 9.0f));
        for (k = 0; k < 100; k++) {       /* they grow, the map with keys of its own */
            stbds_arrput(copy->heights, (float)k);
            stbds_arrput(copy->spots, point);
            snprintf(name, sizeof name, "plum %u", (unsigned)k);
            stbds_shput(copy->prices, name, (double)k);
            stbds_shput(copy->places, name, point);
        }
        (void)stbds_shdel(copy->prices, "apple");
        assert_int_equal(stbds_arrlen(copy->heights), 103);
        assert_true(stbds_shget(copy->prices, "plum 42") == 42.0);
        assert_int_equal(stbds_shgeti(copy->prices, "apple"), -1);
        assert_int_equal(pytree_num_leaves(made[i], NULL, NULL), 103 + 2 * 102 + 102 + 2 * 102);
        pytree_free(made[i]);
    }
    assert_int_equal(stbds_arrlen(shelf.heights), 3);
    pytree_def_free(parts.def);
    shelf_clear(&shelf);
}

typedef struct Library {                  /* containers in containers */
    Shelf main;
    Shelf *shelves;                       /* stb_ds array */
    size_t n;
    Shelf *more;
} Library;

#define PYTREE_STRUCT Library
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, main) PYTREE_FIELD(DATA, shelves, STB_ARRAY) PYTREE_FIELD(STATIC, n)                             \
    PYTREE_FIELD(DATA, more, LIST(self->n))
#include "pytree_registry.h"

static void stb_containers_in_stb_containers(void **state)
{
    Library library;
    Shelf more[2];
    (void)state;
    memset(&library, 0, sizeof library);
    check_all_ways(PYTREE(&library));
    library.main = shelf_make();
    more[0] = shelf_make();
    memset(&more[1], 0, sizeof more[1]);
    stbds_arrput(library.shelves, shelf_make());
    stbds_arrput(library.shelves, more[1]);
    library.n = 2;
    library.more = more;
    check_all_ways(PYTREE(&library));
    shelf_clear(&library.main);
    shelf_clear(&library.shelves[0]);
    shelf_clear(&more[0]);
    stbds_arrfree(library.shelves);
}

/* pytree_allocate and pytree_free leave stb_ds containers alone: they are the caller's. */
static void allocate_leaves_stb_containers_alone(void **state)
{
    Library library;
    Shelf more[1];
    float *heights;
    pytree_error error = { 0 };
    (void)state;
    memset(&library, 0, sizeof library);
    library.main = shelf_make();
    heights = library.main.heights;
    more[0] = shelf_make();
    library.n = 1;
    library.more = more;
    assert_ok(pytree_allocate(PYTREE(&library), NULL, &error), &error);
    assert_true(library.main.heights == heights);
    assert_true(library.more != more);
    assert_true(library.more[0].heights == more[0].heights);
    assert_true(stbds_shget(library.main.prices, "fig") == 0.75);
    pytree_free(PYTREE(&library));
    assert_true(library.main.heights == heights);
    assert_true(heights[2] == 4.5f);
    assert_null(library.more);
    shelf_clear(&library.main);
    shelf_clear(&more[0]);
}

typedef struct Part {                     /* what is no number: metadata with strings, scratch space, a tree of its own */
    const char *label;
    size_t n;
    double *values;
    double rate;
    const char *text;
    void *scratch;
    pytree extra;
} Part;

#define PYTREE_STRUCT Part
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, values, ARRAY(self->n))                      \
    PYTREE_FIELD(DATA, rate) PYTREE_FIELD(DATA, text) PYTREE_FIELD(DROP, scratch) PYTREE_FIELD(DATA, extra)
#include "pytree_registry.h"

typedef struct Whole {
    Part part;
    Part parts[2];
    int n;
    Part *list;
    Part *one;
} Whole;

#define PYTREE_STRUCT Whole
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, part) PYTREE_FIELD(DATA, parts) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n))  \
    PYTREE_FIELD(DATA, one)
#include "pytree_registry.h"

static void assert_part(const Part *part, const Part *as)
{
    assert_string_equal(part->label, as->label);
    assert_int_equal(part->n, as->n);
    assert_true(part->rate == as->rate);
    assert_string_equal(part->text, as->text);
    assert_true(part->extra.type == as->extra.type);
    assert_true(part->extra.data == as->extra.data);
}

/* pytree_allocate sets pointers that were NULL, and leaves all else in a struct as it is, in what lies in it by value too;
 * templates are copied with all that they hold. */
static void allocate_changes_nothing_but_pointers(void **state)
{
    int number = 1, mark = 2;
    Part part, list[2];
    Whole whole, before;
    pytree_error error = { 0 };
    size_t i;
    int round;
    (void)state;
    memset(&part, 0, sizeof part);
    part.label = "label";
    part.n = 3;
    part.rate = 0.5;
    part.text = "text";
    part.scratch = &mark;
    part.extra = PYTREE(&number);
    memset(&whole, 0, sizeof whole);
    whole.part = whole.parts[0] = whole.parts[1] = list[0] = list[1] = part;
    whole.parts[1].label = NULL;
    whole.parts[1].n = 0;
    list[1].label = "other";
    whole.n = 2;
    for (round = 0; round < 2; round++) {
        whole.list = list;
        whole.one = &part;
        before = whole;
        assert_ok(pytree_allocate(PYTREE(&whole), NULL, &error), &error);
        assert_part(&whole.part, &part);
        assert_true(whole.part.label == before.part.label);
        assert_true(whole.part.scratch == &mark);
        assert_part(&whole.parts[0], &part);
        assert_null(whole.parts[1].label);
        assert_true(whole.parts[1].scratch == &mark);
        for (i = 0; i < 2; i++) {
            assert_part(&whole.list[i], &list[i]);
            assert_null(list[i].values);
        }
        assert_part(whole.one, &part);
        assert_true(whole.one != &part);
        assert_true(whole.part.values[2] == 0.0);
        assert_true(whole.list[1].values[2] == 0.0);
        assert_true(whole.one->values[2] == 0.0);
        assert_int_equal(number, 1);
        pytree_free(PYTREE(&whole));
        assert_null(whole.part.values);   /* what it was, with NULL for the pointers, and no string of a freed block */
        assert_true(whole.part.label == before.part.label);
        assert_true(whole.part.text == before.part.text);
        assert_true(whole.parts[0].label == before.parts[0].label);
        assert_true(whole.parts[0].scratch == &mark);
        assert_null(whole.list);
        assert_null(whole.one);
    }
}

/* Fields that hold trees of their own are copied with them. */
typedef struct Carrier {
    pytree tree;
    pytree_leaf view;
    int number;
} Carrier;

#define PYTREE_STRUCT Carrier
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tree) PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

static void fields_that_hold_trees(void **state)
{
    MLP model = mlp_make(1, false);
    short cells[4] = { 1, 2, 3, 4 };
    double scalar = 5.0;
    Carrier carrier;
    pytree_error error = { 0 };
    pytree clone;
    const Carrier *copy;
    (void)state;
    memset(&carrier, 0, sizeof carrier);
    carrier.tree = PYTREE(&model);
    carrier.view.data = cells;
    carrier.view.type = PYTREE_TYPE(short);
    carrier.view.ndim = 2;
    carrier.view.shape[0] = carrier.view.shape[1] = 2;
    carrier.number = 7;
    check_all_ways(PYTREE(&carrier));
    clone = pytree_clone(PYTREE(&carrier), NULL, &error);
    assert_ok(error.status, &error);
    copy = clone.data;
    assert_true(copy->view.data != cells);
    assert_int_equal(((const short *)copy->view.data)[3], 4);
    assert_true(copy->tree.data != &model);
    assert_same(copy->tree, PYTREE(&model));
    pytree_free(clone);
    carrier.tree = PYTREE_LIST(PYTREE(&scalar), PYTREE_DICT({ "k", PYTREE_NONE }));
    carrier.view.ndim = 0;
    check_all_ways(PYTREE(&carrier));
    carrier.tree = PYTREE_NONE;
    check_all_ways(PYTREE(&carrier));
    carrier.tree = PYTREE(&scalar);
    check_all_ways(PYTREE(&carrier));
    mlp_clear(&model);
}

/* ---- Copy into ----------------------------------------------------------------------------------------------------------- */

static void copy_into_copies_values(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    float *w = b.layers[1].w;
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    a.layers[1].w[5] = -5.0f;
    a.head->b[1] = -6.0f;
    a.scale[1][1] = -7.0f;
    assert_ok(pytree_copy_into(PYTREE(&b), PYTREE(&a), &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    assert_true(b.layers[1].w == w);
    assert_true(w[5] == -5.0f);
    assert_true(b.head->b[1] == -6.0f);
    assert_true(b.scale[1][1] == -7.0f);
    assert_same(PYTREE(&a), PYTREE(&b));
    assert_ok(pytree_copy_into(PYTREE(&a), PYTREE(&a), &opt, &error), &error);        /* onto itself */
    assert_same(PYTREE(&a), PYTREE(&b));
    {
        MLP shared = a;                   /* some memory the same, some not */
        shared.scale[0][0] = 99.0f;
        assert_ok(pytree_copy_into(PYTREE(&shared), PYTREE(&a), &opt, &error), &error);
        assert_same(PYTREE(&shared), PYTREE(&a));
        assert_true(shared.layers == a.layers);
    }
    mlp_clear(&a);
    mlp_clear(&b);
}

/* A list in a list and so on, each with a number before the next one, and in the last a dict whose keys must be sorted. */
enum { NESTS = 40, NEST_KEYS = 30 };
typedef struct Nest {
    double numbers[NESTS + NEST_KEYS];
    pytree items[NESTS][2];
    pytree_items lists[NESTS], dict;
    pytree_pair pairs[NEST_KEYS];
    char keys[NEST_KEYS][4];
} Nest;

static pytree nest_make(Nest *nest, double value)
{
    pytree below;
    int i;
    memset(nest, 0, sizeof *nest);
    for (i = 0; i < NESTS + NEST_KEYS; i++) {
        nest->numbers[i] = value;
    }
    for (i = 0; i < NEST_KEYS; i++) {
        snprintf(nest->keys[i], sizeof nest->keys[i], "%02d", i * 7 % NEST_KEYS);
        nest->pairs[i].key = nest->keys[i];
        nest->pairs[i].value = PYTREE(&nest->numbers[NESTS + i]);
    }
    nest->dict.count = NEST_KEYS;
    nest->dict.pairs = nest->pairs;
    below.type = PYTREE_DICT().type;
    below.data = &nest->dict;
    for (i = NESTS; i-- != 0;) {
        nest->items[i][0] = PYTREE(&nest->numbers[i]);
        nest->items[i][1] = below;
        nest->lists[i].count = 2;
        nest->lists[i].items = nest->items[i];
        below.type = PYTREE_LIST().type;
        below.data = &nest->lists[i];
    }
    return below;
}

static Nest nests[2];

static pytree_status copy_nests(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree from = nest_make(&nests[0], 1), to = nest_make(&nests[1], 2);
    pytree_status status = pytree_copy_into(to, from, opt, err);
    int i;
    (void)context;
    for (i = 0; i < NESTS + NEST_KEYS; i++) {
        assert_true(nests[1].numbers[i] == (status == PYTREE_OK ? 1 : 2));
    }
    return status;
}

static pytree_status rebuild_into_nest(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree from = nest_make(&nests[0], 1), to = nest_make(&nests[1], 2);
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_status status = pytree_flatten(from, &leaves, 0, &def, NULL, err);
    int i;
    (void)context;
    assert_ok(status, err);
    status = pytree_unflatten_into(def, def->n_leaves, leaves, to, opt, err);
    for (i = 0; i < NESTS + NEST_KEYS; i++) {
        assert_true(nests[1].numbers[i] == (status == PYTREE_OK ? 1 : 2));
    }
    pytree_def_free(def);
    return status;
}

static void written_whole_or_not_at_all(void **state)
{
    (void)state;
    assert_true(sweep_allocations(copy_nests, NULL) >= 4);
    assert_true(sweep_allocations(rebuild_into_nest, NULL) >= 2);
}

static void copy_into_another_structure_is_refused(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true), before;
    pytree snapshot;
    pytree_error error = { 0 };
    double wide[6] = { 1.0 };
    float narrow[6] = { 2.0f }, pair[2] = { 3.0f, 4.0f };
    Point point = { 5.0f, 6.0f };
    int number = 7;
    float *w;
    (void)state;
    snapshot = pytree_clone(PYTREE(&b), NULL, &error);
    before = b;
#define REFUSED(dst, src, status, path)                                                                                 \
    do {                                                                                                                \
        memset(&error, 0, sizeof error);                                                                                \
        assert_error(pytree_copy_into((dst), (src), NULL, &error), (status), (path), &error);                           \
        assert_same(PYTREE(&b), snapshot);                                                                              \
        assert_memory_equal(&b, &before, sizeof b);                                                                     \
    } while (0)
    a.layers[0].w[0] = -1.0f;
    {
        MLP other = a;                    /* the last thing is what differs */
        other.head = NULL;
        REFUSED(PYTREE(&b), PYTREE(&other), PYTREE_STRUCTURE, ".head");
        other.head = a.head;
        other.n_layers = 1;
        REFUSED(PYTREE(&b), PYTREE(&other), PYTREE_STRUCTURE, NULL);
    }
    a.head->din = 1;
    REFUSED(PYTREE(&b), PYTREE(&a), PYTREE_STRUCTURE, ".head");
    a.head->din = 2;
    REFUSED(PYTREE(&b), PYTREE(&point), PYTREE_STRUCTURE, "");
    REFUSED(PYTREE(&b), PYTREE(&number), PYTREE_STRUCTURE, "");
    REFUSED(PYTREE_TUPLE(PYTREE(&b), PYTREE_ARRAY(&narrow[0], 6)), PYTREE_TUPLE(PYTREE(&a), PYTREE_ARRAY(&wide[0], 6)),
            PYTREE_TYPE, "[1]");
    assert_says(&error, "f32[6]");
    assert_says(&error, "f64[6]");
    REFUSED(PYTREE_TUPLE(PYTREE(&b), PYTREE_ARRAY(&narrow[0], 6)), PYTREE_TUPLE(PYTREE(&a), PYTREE_ARRAY(&narrow[0], 2, 3)),
            PYTREE_SHAPE, "[1]");
    assert_says(&error, "f32[2,3]");
    REFUSED(PYTREE_TUPLE(PYTREE(&b), PYTREE(&narrow[0])), PYTREE_TUPLE(PYTREE(&a), PYTREE(&point)), PYTREE_TYPE, "[1]");
    assert_says(&error, "expected f32, got Point");
    REFUSED(PYTREE_TUPLE(PYTREE(&b), PYTREE(&pair[0])), PYTREE_TUPLE(PYTREE(&a), PYTREE_NONE), PYTREE_TYPE, "[1]");
    assert_says(&error, "expected f32, got None");
    w = a.layers[1].w;
    a.layers[1].w = NULL;
    REFUSED(PYTREE(&b), PYTREE(&a), PYTREE_NULL_POINTER, ".layers[1].w");
#undef REFUSED
    assert_true(narrow[0] == 2.0f && pair[0] == 3.0f);
    a.layers[1].w = w;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_copy_into(PYTREE(&b), PYTREE(&a), NULL, &error), &error);        /* nothing else was wrong */
    assert_same(PYTREE(&b), PYTREE(&a));
    pytree_free(snapshot);
    mlp_clear(&b);
    mlp_clear(&a);
}

/* ---- Allocations --------------------------------------------------------------------------------------------------------- */

static void how_many_allocations_are_made(void **state)
{
    MLP model = mlp_make(3, true);
    Everything all = everything_make(true);
    pytree trees[2];
    size_t i;
    (void)state;
    trees[0] = PYTREE(&model);
    trees[1] = PYTREE(&all);
    for (i = 0; i < COUNT_OF(trees); i++) {
        Parts parts = parts_of(trees[i], NULL);
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree made;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        made = pytree_unflatten(parts.def, parts.n, parts.leaves, &opt, &error);
        assert_ok(error.status, &error);
        assert_int_equal(heap.calls, 1);
        assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, made, &opt, &error), &error);
        assert_ok(pytree_copy_into(made, trees[i], &opt, &error), &error);
        assert_int_equal(heap.calls, 1);
        pytree_free(made);
        made = pytree_clone(trees[i], &opt, &error);
        assert_ok(error.status, &error);
        assert_int_equal(heap.blocks, 1);
        pytree_free(made);
        assert_heap_clean(&heap);
        pytree_def_free(parts.def);
    }
    mlp_clear(&model);
    everything_clear(&all);
}

/* Containers of every kind in one another, deeper than any stack of fixed size, with structs between them: one allocation, and
 * nothing in it is the treedef's. */
static void containers_take_one_allocation(void **state)
{
    enum { ROUNDS = 20, KINDS = 7 };
    static pytree_items items[ROUNDS * KINDS];
    static pytree values[ROUNDS * KINDS][3];
    static pytree_pair pairs[ROUNDS * KINDS][3];
    static pytree_int_pair int_pairs[ROUNDS * KINDS][3];
    const pytree kinds[KINDS] = { PYTREE_LIST(), PYTREE_DICT(), PYTREE_TUPLE(), PYTREE_DEFAULTDICT(NULL),
                                  PYTREE_NAMEDTUPLE("P"), PYTREE_ODICT(), PYTREE_DICT() };
    MLP model = mlp_make(2, false);
    Point point = { 1.0f, 2.0f };
    float cells[2] = { 5.0f, 6.0f };
    pytree_leaf array = { 0 };
    pytree tree = PYTREE(&model), made;
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    pytree_def *def;
    pytree_leaf *leaves = NULL;
    Heap heap;
    size_t i;
    (void)state;
    array.data = cells;
    array.type = PYTREE_TYPE(float);
    array.ndim = 1;
    array.shape[0] = 2;
    for (i = 0; i < COUNT_OF(items); i++) {
        const pytree inside[3] = { PYTREE(&array), i % 3 == 0 ? PYTREE(&point) : PYTREE_NONE, tree };
        size_t k;
        for (k = 0; k < 3; k++) {         /* what is inside comes first, second or third */
            const size_t at = (k + i) % 3;
            values[i][at] = pairs[i][at].value = int_pairs[i][at].value = inside[k];
            pairs[i][at].key = k == 0 ? "b" : k == 1 ? "a key of some length" : "";
            int_pairs[i][at].key = (int64_t)k - 1;
        }
        items[i].count = 3;
        items[i].name = i % KINDS == 3 ? "int" : "Name";
        if (i % KINDS == 0 || i % KINDS == 2) { items[i].items = values[i]; }
        else if (i % KINDS == 6) { items[i].int_pairs = int_pairs[i]; }
        else { items[i].pairs = pairs[i]; }
        tree.type = kinds[i % KINDS].type;
        tree.data = &items[i];
    }
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, NULL, &error), &error);
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    {
        pytree_leaf *own = malloc(def->n_leaves * sizeof *own);
        assert_non_null(own);
        memcpy(own, leaves, def->n_leaves * sizeof *own);
        made = pytree_unflatten(def, def->n_leaves, own, &opt, &error);
        assert_ok(error.status, &error);
        assert_int_equal(heap.calls, 1);
        free(own);
    }
    pytree_def_free(def);
    assert_same(made, tree);
    pytree_free(made);
    made = pytree_clone(tree, &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(heap.blocks, 1);
    assert_same(made, tree);
    pytree_free(made);
    assert_heap_clean(&heap);
    mlp_clear(&model);
}

typedef struct Sweep {
    pytree tree, other;
    const pytree_def *def;
    const pytree_leaf *leaves;
    size_t n;
} Sweep;

static pytree_status sweep_unflatten(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree made = pytree_unflatten(s->def, s->n, s->leaves, opt, err);
    assert_true((made.data == NULL) == (err->status != PYTREE_OK));
    if (made.data != NULL) {
        assert_same(made, s->other);
    }
    pytree_free(made);
    return err->status;
}

static pytree_status sweep_clone(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree made = pytree_clone(s->tree, opt, err);
    assert_true((made.data == NULL) == (err->status != PYTREE_OK));
    if (made.data != NULL) {
        assert_same(made, s->other);
    }
    pytree_free(made);
    return err->status;
}

static pytree_status sweep_zeros(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree made = pytree_zeros_like(s->tree, opt, err);
    assert_true((made.data == NULL) == (err->status != PYTREE_OK));
    pytree_free(made);
    return err->status;
}

static pytree_status sweep_into(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    return pytree_unflatten_into(s->def, s->n, s->leaves, s->tree, opt, err);
}

static pytree_status sweep_copy(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    return pytree_copy_into(s->tree, s->other, opt, err);
}

typedef struct Link {                     /* what makes the walker keep many views: the way on is not the last member */
    Point at;
    struct Link *next;
    Point behind;
    float weights[2];
} Link;

#define PYTREE_STRUCT Link
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, next, OPTIONAL) PYTREE_FIELD(DATA, behind) PYTREE_FIELD(DATA, weights)
#include "pytree_registry.h"

static void links_make(Link *links, size_t n)
{
    size_t i;
    memset(links, 0, n * sizeof *links);
    for (i = 0; i < n; i++) {
        links[i].at.x = (float)i;
        links[i].weights[1] = -(float)i;
        links[i].next = i + 1 < n ? &links[i + 1] : NULL;
    }
}

/* After every failure, and at the end, the tree is as it was. */
static void out_of_memory_at_every_allocation(void **state)
{
    static char text[20000];
    MLP model = mlp_make(3, true), other_model = mlp_make(3, true);
    Everything all = everything_make(true), other_all = everything_make(true);
    Node *chain = chain_make(60), *other_chain = chain_make(60);
    Shelf shelf = shelf_make(), other_shelf = shelf_make();
    Essay essay = { text, 1 }, other_essay = { text, 1 };
    Link links[60], other_links[60];
    Sweep sweeps[7];
    char *name = all.name;                /* a copy of the values shares the strings: to be put back before it is freed */
    size_t i;
    (void)state;
    memset(text, 'a', sizeof text - 1);
    memset(sweeps, 0, sizeof sweeps);
    sweeps[0].tree = PYTREE(&model);
    sweeps[0].other = PYTREE(&other_model);
    sweeps[1].tree = PYTREE(&all);
    sweeps[1].other = PYTREE(&other_all);
    sweeps[2].tree = PYTREE(chain);
    sweeps[2].other = PYTREE(other_chain);
    sweeps[3].tree = PYTREE(&shelf);
    sweeps[3].other = PYTREE(&other_shelf);
    sweeps[4].tree = PYTREE(&essay);
    sweeps[4].other = PYTREE(&other_essay);
    links_make(links, COUNT_OF(links));
    links_make(other_links, COUNT_OF(links));
    sweeps[6].tree = PYTREE(links);
    sweeps[6].other = PYTREE(other_links);
    sweeps[5].tree = PYTREE_TUPLE(sweeps[0].tree, PYTREE_DICT({ "k", sweeps[2].tree }, { "j", sweeps[4].tree }));
    sweeps[5].other = PYTREE_TUPLE(sweeps[0].other, PYTREE_DICT({ "k", sweeps[2].other }, { "j", sweeps[4].other }));
    for (i = 0; i < COUNT_OF(sweeps); i++) {
        Sweep *s = &sweeps[i];
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        assert_ok(pytree_flatten(s->tree, &leaves, 0, &def, NULL, &error), &error);
        s->def = def;
        s->leaves = leaves;
        s->n = pytree_def_num_leaves(def);
        assert_true(sweep_allocations(sweep_unflatten, s) >= 1);
        assert_same(s->tree, s->other);
        assert_true(sweep_allocations(sweep_clone, s) >= 1);
        assert_same(s->tree, s->other);
        assert_true(sweep_allocations(sweep_zeros, s) >= 1);
        assert_same(s->tree, s->other);
        sweep_allocations(sweep_into, s);
        assert_same(s->tree, s->other);
        sweep_allocations(sweep_copy, s);
        assert_same(s->tree, s->other);
        pytree_def_free(def);
    }
    mlp_clear(&model);
    mlp_clear(&other_model);
    all.name = name;
    everything_clear(&all);
    everything_clear(&other_all);
    free(chain);
    free(other_chain);
    shelf_clear(&shelf);
    shelf_clear(&other_shelf);
}

static pytree_status sweep_allocate(void *context, const pytree_options *opt, pytree_error *err)
{
    Linear layers[3] = { { 4, 3, NULL, NULL }, { 3, 2, NULL, NULL }, { 2, 1, NULL, NULL } }, before[3];
    MLP model = { 3, NULL, NULL, { { 1.0f } } }, model_before;
    pytree_status status;
    (void)context;
    model.layers = layers;
    model.head = PYTREE_WANTED;
    memcpy(before, layers, sizeof before);
    model_before = model;
    status = pytree_allocate(PYTREE(&model), opt, err);
    assert_memory_equal(layers, before, sizeof layers);
    if (status != PYTREE_OK) {
        assert_memory_equal(&model, &model_before, sizeof model);
    } else {
        pytree_free(PYTREE(&model));
    }
    return status;
}

static void out_of_memory_while_allocating(void **state)
{
    (void)state;
    assert_true(sweep_allocations(sweep_allocate, NULL) >= 1);
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
        cmocka_unit_test(leaves_of_lists_that_do_not_fit),
        cmocka_unit_test(none_as_a_leaf_is_put_back),
        cmocka_unit_test(subtrees_as_leaves_are_refused),
        cmocka_unit_test(unflatten_into_sets_and_copies),
        cmocka_unit_test(unflatten_into_containers_and_lists),
        cmocka_unit_test(unflatten_into_itself),
        cmocka_unit_test(unflatten_into_another_structure_is_refused),
        cmocka_unit_test(much_metadata),
        cmocka_unit_test(allocate_a_struct),
        cmocka_unit_test(alignment_is_an_option),
        cmocka_unit_test(lists_and_structs_are_templates),
        cmocka_unit_test(what_is_wanted_is_made),
        cmocka_unit_test(small_allocations_are_given_back),
        cmocka_unit_test(chains_are_templates),
        cmocka_unit_test(allocate_refuses_to_lose_a_pointer),
        cmocka_unit_test(trees_of_one_structure_line_up),
        cmocka_unit_test(blocks_begin_at_different_offsets),
        cmocka_unit_test(a_clone_is_independent),
        cmocka_unit_test(opaque_leaves_are_kept),
        cmocka_unit_test(stb_containers_are_real),
        cmocka_unit_test(stb_containers_in_stb_containers),
        cmocka_unit_test(allocate_leaves_stb_containers_alone),
        cmocka_unit_test(allocate_changes_nothing_but_pointers),
        cmocka_unit_test(fields_that_hold_trees),
        cmocka_unit_test(copy_into_copies_values),
        cmocka_unit_test(written_whole_or_not_at_all),
        cmocka_unit_test(copy_into_another_structure_is_refused),
        cmocka_unit_test(how_many_allocations_are_made),
        cmocka_unit_test(containers_take_one_allocation),
        cmocka_unit_test(out_of_memory_at_every_allocation),
        cmocka_unit_test(out_of_memory_while_allocating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
