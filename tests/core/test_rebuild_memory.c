/* Rebuild and memory: how many allocations are made, and each of them failing. */
#include "rebuild_shared.h"
#include <errno.h>

/* ---- Allocations ------------------------------------------------------------------------------------------------------- */

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
    sweeps[6].tree = PYTREE(&links[0]);
    sweeps[6].other = PYTREE(&other_links[0]);
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

static pytree_status sweep_allocate_like(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree like = *(const pytree *)context;
    union { MLP model; Node chain; } to, before;
    const pytree t = { like.type, &to };
    pytree_status status;
    memset(&to, 0, sizeof to);
    before = to;
    status = pytree_allocate_like(t, like, opt, err);
    if (status != PYTREE_OK) {
        assert_memory_equal(&to, &before, sizeof to);
    } else {
        pytree_free(t);
    }
    return status;
}

static void out_of_memory_while_allocating(void **state)
{
    MLP model = mlp_make(3, true);
    Node *chain = chain_make(60);
    pytree like[2];
    (void)state;
    like[0] = PYTREE(&model);
    like[1] = PYTREE(chain);
    assert_true(sweep_allocations(sweep_allocate, NULL) >= 1);
    assert_true(sweep_allocations(sweep_allocate_like, &like[0]) >= 2);
    assert_true(sweep_allocations(sweep_allocate_like, &like[1]) >= 3);
    mlp_clear(&model);
    free(chain);
}

/* Where there is no memory the C library says so in errno, which stays as it was all the same. */
static void errno_stays_as_it_was(void **state)
{
    double number = 0;
    pytree_leaf most;
    int way;
    (void)state;
    if (slow_here()) { return; }          /* a sanitizer ends programs that ask for so much */
    if (sizeof(void *) < 8) { skip(); }   /* half of all addresses may be there to have */
    memset(&most, 0, sizeof most);
    most.type = PYTREE_TYPE(double);
    most.data = &number;
    most.ndim = 1;
    most.shape[0] = PTRDIFF_MAX / sizeof(double) - 1024;
    for (way = 0; way < 2; way++) {
        pytree_error error = { 0 };
        errno = EDOM;
        assert_null((way == 0 ? pytree_clone : pytree_zeros_like)(PYTREE(&most), NULL, &error).data);
        assert_int_equal(errno, EDOM);
        assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_many_allocations_are_made),
        cmocka_unit_test(containers_take_one_allocation),
        cmocka_unit_test(out_of_memory_at_every_allocation),
        cmocka_unit_test(out_of_memory_while_allocating),
        cmocka_unit_test(errno_stays_as_it_was)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
