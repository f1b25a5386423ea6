/* Rebuild in place: leaves into a tree that is there, and one tree's values into another. */
#include "rebuild_shared.h"

/* ---- Unflatten into ---------------------------------------------------------------------------------------------------- */

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

/* ---- Copy into --------------------------------------------------------------------------------------------------------- */

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

/* ---- What a treedef has besides types and lengths ------------------------------------------------------------------------ */

/* Is the value below `.next`? */
static bool next_is_leaf(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n != 0 && path->entries[path->n - 1].name != NULL && strcmp(path->entries[path->n - 1].name, "next") == 0;
}

static void unflatten_into_deques_and_namedtuples(void **state)
{
    int x = 1, y = 2;
    pytree of_five = PYTREE_DEQUE(5, PYTREE(&x)), another = PYTREE_DEQUE(5, PYTREE(&y)), of_six = PYTREE_DEQUE(6, PYTREE(&y));
    pytree named = PYTREE_NAMEDTUPLE("P", { "x", PYTREE(&x) }), unnamed = PYTREE_NAMEDTUPLE(NULL, { "x", PYTREE(&y) });
    pytree any = PYTREE_DEFAULTDICT(NULL, { "x", PYTREE(&x) }), other = PYTREE_DEFAULTDICT("int", { "x", PYTREE(&y) });
    Parts parts = parts_of(of_five, NULL);
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, of_six, NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_says(&error, "with other static values");
    assert_int_equal(y, 2);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, another, NULL, &error), &error);
    assert_int_equal(y, 1);
    pytree_def_free(parts.def);
    y = 2;
    parts = parts_of(named, NULL);
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, unnamed, NULL, &error), PYTREE_STRUCTURE, "", &error);
    pytree_def_free(parts.def);
    assert_def_text(unnamed, "PyTreeDef(CustomNode(namedtuple[namedtuple], [*]))", NULL);
    memset(&error, 0, sizeof error);
    parts = parts_of(unnamed, NULL);      /* a name that is not there is the kind's */
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, unnamed, NULL, &error), &error);
    pytree_def_free(parts.def);
    parts = parts_of(any, NULL);          /* a factory that is not there is None */
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, other, NULL, &error), PYTREE_STRUCTURE, "", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, any, NULL, &error), &error);
    pytree_def_free(parts.def);
}

/* The treedef ends before the tree does. */
static void unflatten_into_a_tree_with_a_list_more(void **state)
{
    int x = 1;
    Parts parts = parts_of(PYTREE_LIST(PYTREE(&x)), NULL);
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE_LIST(PYTREE_LIST(PYTREE(&x))), NULL, &error),
                 PYTREE_STRUCTURE, "", &error);
    assert_says(&error, "expected the end");
    pytree_def_free(parts.def);
}

/* Leaves of `from` do not go into `to`: the message says which node the treedef has at that place. */
static void assert_no_place(pytree from, pytree to, const char *path, const char *message)
{
    Parts parts = parts_of(from, NULL);
    pytree_error error = { 0 };
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, to, NULL, &error), PYTREE_STRUCTURE, path, &error);
    assert_string_equal(error.message, message);
    pytree_def_free(parts.def);
}

/* A node that ends too early or too late is compared with the one in its place, not with the treedef's next one. */
static void unflatten_into_lists_of_other_lengths(void **state)
{
    int x[4] = { 1, 2, 3, 4 };
    const pytree a = PYTREE(&x[0]), b = PYTREE(&x[1]), c = PYTREE(&x[2]);
    (void)state;
    assert_no_place(PYTREE_LIST(a, b, c), PYTREE_LIST(a, b), "", "expected list of 3, got list of 2");
    assert_no_place(PYTREE_TUPLE(c, PYTREE_LIST(a, b, c), a), PYTREE_TUPLE(c, PYTREE_LIST(a, b), a), "[1]",
                    "expected list of 3, got list of 2");
    assert_no_place(PYTREE_TUPLE(PYTREE_LIST(a, b), c), PYTREE_TUPLE(PYTREE_LIST(PYTREE_LIST(a), b), c), "[0][0]",
                    "expected a leaf, got list of 1");
    assert_no_place(PYTREE_TUPLE(a, b, c), PYTREE_TUPLE(PYTREE_LIST(a, b), c), "[0]", "expected a leaf, got list of 2");
    assert_no_place(PYTREE_LIST(PYTREE_DICT({ "k", a }), b), PYTREE_LIST(PYTREE_LIST(a), b), "[0]",
                    "expected dict of 1, got list of 1");
    assert_no_place(PYTREE_LIST(a), PYTREE_LIST(a, b), "[1]", "expected list of 1, got a leaf");
    assert_no_place(a, PYTREE_LIST(a), "", "expected a leaf, got list of 1");
    assert_no_place(a, PYTREE_LIST(a, PYTREE_LIST()), "[1]", "expected the end, got list of 0");
    assert_no_place(a, PYTREE_LIST(a, b), "[1]", "expected the end, got a leaf");
}

/* As many nodes in the tree, but others. */
static void unflatten_into_a_tree_with_a_list_less(void **state)
{
    int x = 1;
    Parts parts = parts_of(PYTREE_LIST(PYTREE_LIST(PYTREE(&x))), NULL);
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE_LIST(PYTREE(&x)), NULL, &error),
                 PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected 3 nodes, got 2");
    pytree_def_free(parts.def);
}

/* A struct in which another is a leaf has as many nodes as one in which that is None. */
static void unflatten_into_where_a_struct_is_a_leaf(void **state)
{
    Node second = { 2.0, NULL }, first = { 1.0, &second }, alone = { 3.0, NULL };
    Node last = { 20.0, NULL }, other = { 10.0, &last };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    Parts parts;
    (void)state;
    opt.is_leaf = next_is_leaf;
    parts = parts_of(PYTREE(&first), &opt);
    assert_int_equal(parts.n, 2);
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&alone), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    assert_true(alone.value == 3.0);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&other), NULL, &error), PYTREE_TYPE,
                 ".next.value", &error);
    assert_true(other.value == 10.0 && last.value == 20.0);
    memset(&error, 0, sizeof error);
    made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((Node *)made.data)->next == &second);         /* referred to */
    pytree_free(made);
    pytree_def_free(parts.def);
    assert_ok(pytree_flatten(PYTREE(&first), &leaves, 0, &def, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, 2, leaves, PYTREE(&other), NULL, &error), &error);
    assert_true(other.value == 1.0 && last.value == 2.0);
    pytree_def_free(def);
}

/* A struct of the same type stands at that place of the treedef, but has begun before. */
static void unflatten_into_structs_that_begin_elsewhere(void **state)
{
    Node second = { 2.0, NULL }, first = { 1.0, &second }, alone = { 3.0, NULL };
    double x = 4.0;
    Parts parts = parts_of(PYTREE_LIST(PYTREE(&first)), NULL);         /* *, *, None, Node, Node, list */
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(parts.n, 2);
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE_LIST(PYTREE(&x), PYTREE(&alone)), NULL, &error),
                 PYTREE_STRUCTURE, "", &error);
    assert_true(x == 4.0 && alone.value == 3.0);
    pytree_def_free(parts.def);
}

/* Treedefs and leaves as trees: what is set are the leaves that they lead to. */
static void unflatten_into_a_flat_tree(void **state)
{
    Everything from = everything_make(true), to = everything_make(true), other = everything_make(true);
    Everything own = to;
    Parts parts = parts_of(PYTREE(&from), NULL), mine = parts_of(PYTREE(&to), NULL), theirs;
    pytree_flat flat = { NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    flat.def = mine.def;
    flat.leaves = mine.leaves;
    from.i32 = 77;
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&flat), NULL, &error), &error);
    assert_int_equal(to.i32, 77);
    other.mode = RED;                     /* other static values of the same length, … */
    theirs = parts_of(PYTREE(&other), NULL);
    flat.def = theirs.def;
    flat.leaves = theirs.leaves;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&flat), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    pytree_def_free(theirs.def);
    memset(&error, 0, sizeof error);
    other.mode = from.mode;
    other.kind = "quite another kind";    /* … and of another */
    theirs = parts_of(PYTREE(&other), NULL);
    flat.def = theirs.def;
    flat.leaves = theirs.leaves;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&flat), NULL, &error), PYTREE_STRUCTURE, NULL,
                 &error);
    pytree_def_free(theirs.def);
    memset(&error, 0, sizeof error);
    flat.def = parts.def;                 /* a treedef that was not read from structs */
    flat.leaves = parts.leaves;
    theirs = parts_of(PYTREE(&flat), NULL);
    from.i32 = 78;
    assert_ok(pytree_unflatten_into(theirs.def, theirs.n, theirs.leaves, PYTREE(&to), NULL, &error), &error);
    assert_int_equal(to.i32, 78);
    pytree_def_free(theirs.def);
    pytree_def_free(parts.def);
    pytree_def_free(mine.def);
    everything_clear(&own);               /* the pointers of `to` lead to those of the others now */
    everything_clear(&from);
    everything_clear(&other);
}

/* The treedef's namespace is asked for where the options name none. */
static void unflatten_into_takes_the_namespace_of_the_treedef(void **state)
{
    MLP model = mlp_make(1, false);
    pytree_options opt = { 0 }, none = { 0 };
    pytree_error error = { 0 };
    Parts parts;
    (void)state;
    opt.space = "training";
    parts = parts_of(PYTREE(&model), &opt);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&model), NULL, &error), &error);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&model), &none, &error), &error);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE(&model), &opt, &error), &error);
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

/* None that is a leaf has nothing to copy; what stands beside it is copied. */
static void copy_into_none(void **state)
{
    const pytree_options opt = { .none_is_leaf = true };
    float a = 1.0f, b = 2.0f;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_copy_into(PYTREE_LIST(PYTREE_NONE, PYTREE(&a)), PYTREE_LIST(PYTREE_NONE, PYTREE(&b)), &opt, &error),
              &error);
    assert_true(a == 2.0f);
    assert_error(pytree_copy_into(PYTREE_LIST(PYTREE(&a)), PYTREE_LIST(PYTREE_NONE), &opt, &error), PYTREE_TYPE, "[0]", &error);
    assert_true(a == 2.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unflatten_into_sets_and_copies),
        cmocka_unit_test(unflatten_into_containers_and_lists),
        cmocka_unit_test(unflatten_into_itself),
        cmocka_unit_test(unflatten_into_another_structure_is_refused),
        cmocka_unit_test(much_metadata),
        cmocka_unit_test(copy_into_copies_values),
        cmocka_unit_test(written_whole_or_not_at_all),
        cmocka_unit_test(copy_into_another_structure_is_refused),
        cmocka_unit_test(unflatten_into_deques_and_namedtuples),
        cmocka_unit_test(unflatten_into_a_tree_with_a_list_more),
        cmocka_unit_test(unflatten_into_lists_of_other_lengths),
        cmocka_unit_test(unflatten_into_a_tree_with_a_list_less),
        cmocka_unit_test(unflatten_into_where_a_struct_is_a_leaf),
        cmocka_unit_test(unflatten_into_structs_that_begin_elsewhere),
        cmocka_unit_test(unflatten_into_a_flat_tree),
        cmocka_unit_test(unflatten_into_takes_the_namespace_of_the_treedef),
        cmocka_unit_test(copy_into_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
