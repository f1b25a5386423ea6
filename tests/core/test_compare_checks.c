/* What pytree_check and pytree_find_duplicates find. */
#include "support.h"
#include <float.h>
#include <math.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------------ */

typedef struct Report {
    size_t n;
    pytree_error problems[64];
} Report;

static void keep(void *context, const pytree_error *problem)
{
    Report *report = context;
    assert_true(report->n < COUNT_OF(report->problems));
    assert_true(problem->status != PYTREE_OK && problem->message[0] != '\0');
    report->problems[report->n++] = *problem;
}

/* Finds just these problems, "status at path" each, the first of which is returned. */
typedef struct Problem {
    pytree_status status;
    const char *path;
    const char *words;
} Problem;

static void assert_problems(pytree tree, size_t n, const Problem *expected)
{
    Report report;
    pytree_error error = { 0 };
    pytree_status status;
    size_t i;
    memset(&report, 0, sizeof report);
    status = pytree_check(tree, keep, &report, NULL, &error);
    for (i = 0; i < report.n && i < n; i++) {
        if (report.problems[i].status != expected[i].status || strcmp(report.problems[i].path, expected[i].path) != 0
            || strstr(report.problems[i].message, expected[i].words) == NULL) {
            print_error("# problem %u: expected %s at '%s' with '%s'\n# got %s at '%s': %s\n", (unsigned)i,
                        pytree_status_name(expected[i].status), expected[i].path, expected[i].words,
                        pytree_status_name(report.problems[i].status), report.problems[i].path, report.problems[i].message);
            fail();
        }
    }
    for (; i < report.n; i++) {
        print_error("# not expected: %s at '%s': %s\n", pytree_status_name(report.problems[i].status), report.problems[i].path,
                    report.problems[i].message);
    }
    assert_int_equal(report.n, n);
    assert_int_equal(status, n == 0 ? PYTREE_OK : expected[0].status);
    assert_int_equal(error.status, status);
    if (n != 0) {
        assert_string_equal(error.path, expected[0].path);
        assert_string_equal(error.message, report.problems[0].message);
    }
    assert_int_equal(pytree_check(tree, NULL, NULL, NULL, NULL), status);
}

static void sound_trees(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(0, false);
    Everything c = everything_make(true), d = everything_make(false);
    Shelf e = shelf_make(), f = { 0 };
    int x = 1, y = 2;
    (void)state;
    assert_problems(PYTREE(&a), 0, NULL);
    assert_problems(PYTREE(&b), 0, NULL);
    assert_problems(PYTREE(&c), 0, NULL);
    assert_problems(PYTREE(&d), 0, NULL);
    assert_problems(PYTREE(&e), 0, NULL);
    assert_problems(PYTREE(&f), 0, NULL);
    assert_problems(PYTREE_LIST(PYTREE(&x), PYTREE_DICT({ "k", PYTREE(&y) }), PYTREE_NONE, PYTREE_TUPLE()), 0, NULL);
    assert_problems(PYTREE_NONE, 0, NULL);
    assert_problems(PYTREE(&x), 0, NULL);
    mlp_clear(&a);
    mlp_clear(&b);
    everything_clear(&c);
    everything_clear(&d);
    shelf_clear(&e);
}

static void a_long_chain_is_sound(void **state)
{
    Node *chain = chain_make(1500);
    Node **nodes = malloc(1500 * sizeof *nodes);
    size_t i;
    (void)state;
    assert_non_null(nodes);
    for (i = 0; i < 1500; i++) {          /* in blocks of their own */
        nodes[i] = malloc(sizeof **nodes);
        assert_non_null(nodes[i]);
        nodes[i]->value = (double)i;
        nodes[i]->next = NULL;
        if (i != 0) {
            nodes[i - 1]->next = nodes[i];
        }
    }
    assert_problems(PYTREE(nodes[0]), 0, NULL);
    assert_problems(PYTREE(chain), 0, NULL);
    for (i = 0; i < 1500; i++) {
        free(nodes[i]);
    }
    free(nodes);
    free(chain);
}

/* What pytree_allocate was to replace and has not: arrays of a struct that is a run, a struct, and a row's elements. */
typedef struct Hope { int n; float *w, *bias; } Hope;
typedef struct Hopes { Hope first[2]; Node *next; Node **each; } Hopes;

#define PYTREE_STRUCT Hope
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(DATA, bias, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_STRUCT Hopes
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, next, OPTIONAL) PYTREE_FIELD(DATA, each, LIST(2, EACH(OPTIONAL)))
#include "pytree_registry.h"

static void memory_that_is_only_wanted(void **state)
{
    static float w[4];
    Node node = { 1, NULL }, *each[2] = { &node, PYTREE_WANTED };
    Hope hope = { 2, w, PYTREE_WANTED };
    Hopes hopes = { { { 2, w, NULL }, { 2, PYTREE_WANTED, w + 2 } }, PYTREE_WANTED, each };
    const Problem in_run[] = { { PYTREE_NULL_POINTER, ".bias", "expected memory, got PYTREE_WANTED" } };
    const Problem all[] = {
        { PYTREE_NULL_POINTER, ".first[1].w", "got PYTREE_WANTED, which pytree_allocate replaces" },
        { PYTREE_NULL_POINTER, ".next", "got PYTREE_WANTED" }, { PYTREE_NULL_POINTER, ".each[1]", "got PYTREE_WANTED" }
    };
    (void)state;
    assert_problems(PYTREE(&hope), COUNT_OF(in_run), in_run);
    assert_problems(PYTREE(&hopes), COUNT_OF(all), all);
    hope.bias = w + 2;
    assert_problems(PYTREE(&hope), 0, NULL);
}

/* Gives no more than `left` bytes at a time. */
typedef struct Budget {
    pytree_allocator allocator;
    size_t left;
} Budget;

static void *budget_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Budget *budget = context;
    void *fresh = NULL;
    if (new_size > old_size && new_size - old_size > budget->left) {
        return NULL;
    }
    if (new_size == 0) {
        free(p);
    } else if ((fresh = realloc(p, new_size)) == NULL) {
        return NULL;
    }
    budget->left = budget->left + old_size - new_size;
    return fresh;
}

/* What a check remembers grows with the nodes, not with the lengths of their paths. */
static void deep_trees_take_memory_by_the_node(void **state)
{
    enum { N = 20000 };
    Node *chain = chain_make(N);
    Budget budget = { { budget_resize, NULL }, (size_t)32 << 20 };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_duplicates *d;
    (void)state;
    budget.allocator.context = &budget;
    opt.allocator = &budget.allocator;
    assert_ok(pytree_check(PYTREE(chain), NULL, NULL, &opt, &error), &error);
    assert_int_equal(budget.left, (size_t)32 << 20);
    d = pytree_find_duplicates(PYTREE(chain), &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(d->n_groups, 0);
    pytree_duplicates_free(d);
    assert_int_equal(budget.left, (size_t)32 << 20);
    free(chain);
}

static void missing_memory(void **state)
{
    static const Problem problems[] = {
        { PYTREE_NULL_POINTER, ".layers[0].b", "expected 3 elements of float, got NULL" },
        { PYTREE_NULL_POINTER, ".layers[1].w", "expected 6 elements of float, got NULL" },
        { PYTREE_NULL_POINTER, ".head.w", "got NULL" },
    };
    MLP model = mlp_make(2, true);
    MLP listless = { 0 };
    Everything all = everything_make(true);
    char *name = all.name;
    Point *nowhere = NULL, point = { 1.0f, 2.0f };
    const char *no_text = NULL;
    (void)state;
    free(model.layers[0].b);
    free(model.layers[1].w);
    free(model.head->w);
    model.layers[0].b = model.layers[1].w = model.head->w = NULL;
    assert_problems(PYTREE(&model), 3, problems);
    listless.n_layers = 2;
    assert_problems(PYTREE(&listless), 1,
                    (const Problem[1]){ { PYTREE_NULL_POINTER, ".layers", "list of 2 Linear, got NULL" } });
    all.name = NULL;
    all.title = NULL;
    assert_problems(PYTREE(&all), 2, (const Problem[2]){ { PYTREE_NULL_POINTER, ".name", "expected a string, got NULL" },
                                                         { PYTREE_NULL_POINTER, ".title", "expected a string, got NULL" } });
    all.name = name;
    assert_problems(PYTREE_LIST(PYTREE(nowhere), PYTREE(&point), PYTREE(&no_text)), 2,
                    (const Problem[2]){ { PYTREE_NULL_POINTER, "[0]", "Point" }, { PYTREE_NULL_POINTER, "[2]", "string" } });
    assert_problems(PYTREE(nowhere), 1, (const Problem[1]){ { PYTREE_NULL_POINTER, "", "Point" } });
    mlp_clear(&model);
    everything_clear(&all);
}

static void bad_counts_and_sizes(void **state)
{
    MLP model = mlp_make(2, false);
    Linear absurd = { 0 };
    float f = 0.0f;
    (void)state;
    model.layers[0].din = -4;
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_BAD_COUNT, ".layers[0].w", "got -4" } });
    model.layers[0].din = 4;
    model.layers[1].dout = -1;
    assert_problems(PYTREE(&model), 2, (const Problem[2]){ { PYTREE_BAD_COUNT, ".layers[1].w", "got -1" },
                                                           { PYTREE_BAD_COUNT, ".layers[1].b", "got -1" } });
    model.layers[1].dout = 2;
    model.n_layers = (size_t)-3;
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_BAD_COUNT, ".layers", "got -3" } });
    model.n_layers = 2;
    absurd.din = absurd.dout = INT_MAX;
    absurd.w = absurd.b = &f;
    assert_int_equal(pytree_check(PYTREE_ARRAY(&f, SIZE_MAX / 4, 8), NULL, NULL, NULL, NULL), PYTREE_OVERFLOW);
    assert_problems(PYTREE_LIST(PYTREE_ARRAY(&f, PTRDIFF_MAX, 2, 3), PYTREE_ARRAY(&f, 3, SIZE_MAX)), 2,
                    (const Problem[2]){ { PYTREE_OVERFLOW, "[0]", "expected" }, { PYTREE_BAD_COUNT, "[1]", "got -1" } });
    mlp_clear(&model);
}

typedef struct Pair {
    struct Pair *left, *right;
    float value;
} Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left, OPTIONAL) PYTREE_FIELD(DATA, right, OPTIONAL) PYTREE_FIELD(DATA, value)
#include "pytree_registry.h"

static void cycles_are_reported(void **state)
{
    Pair a = { NULL, NULL, 1.0f }, b = { NULL, NULL, 2.0f }, c = { NULL, NULL, 3.0f };
    Member member = { 0.5f, NULL };
    Team team = { 1, NULL };
    pytree self, items[2];
    pytree_items list = { .count = 2 };
    Node ring[40];
    size_t i;
    (void)state;
    a.left = &a;
    assert_problems(PYTREE(&a), 1, (const Problem[1]){ { PYTREE_CYCLE, ".left", "this Pair is the one 1 levels above it" } });
    a.left = &b;
    b.right = &c;
    c.left = &a;
    assert_problems(PYTREE(&a), 1, (const Problem[1]){ { PYTREE_CYCLE, ".left.right.left", "3 levels above" } });
    b.left = &b;
    c.right = &b;
    assert_problems(PYTREE(&a), 3, (const Problem[3]){ { PYTREE_CYCLE, ".left.left", "1 levels" },
                                                       { PYTREE_CYCLE, ".left.right.left", "3 levels" },
                                                       { PYTREE_CYCLE, ".left.right.right", "2 levels" } });
    member.team = &team;
    team.lead = &member;
    assert_problems(PYTREE(&member), 1, (const Problem[1]){ { PYTREE_CYCLE, ".team.lead", "Member" } });
    list.items = items;
    self.type = &pytree_types[PYTREE__T_list];
    self.data = &list;
    items[0] = PYTREE(&c.value);
    items[1] = self;
    assert_problems(self, 1, (const Problem[1]){ { PYTREE_CYCLE, "[1]", "list" } });
    items[1] = PYTREE(&items[1]);         /* a reference to itself */
    assert_int_equal(pytree_check(self, NULL, NULL, NULL, NULL), PYTREE_CYCLE);
    for (i = 0; i < COUNT_OF(ring); i++) {
        ring[i].value = (double)i;
        ring[i].next = &ring[i == COUNT_OF(ring) - 1 ? 7 : i + 1];
    }
    assert_int_equal(pytree_check(PYTREE(&ring[0]), NULL, NULL, NULL, NULL), PYTREE_CYCLE);
}

static void shared_memory(void **state)
{
    MLP model = mlp_make(2, true);
    float *b = model.layers[1].b, *w = model.head->w, *first = model.layers[0].w, both[14] = { 0.0f };
    Linear *head = model.head;
    (void)state;
    model.layers[1].b = model.layers[0].b;
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_SHARED, ".layers[1].b", ".layers[0].b" } });
    model.layers[1].b = model.layers[0].w + 5;
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_SHARED, ".layers[1].b", "some of that of .layers[0].w" } });
    model.layers[0].w = both;             /* one behind the other is fine, one element less is not */
    model.layers[1].b = both + 12;
    assert_problems(PYTREE(&model), 0, NULL);
    model.layers[1].b = both + 11;
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_SHARED, ".layers[1].b", "some of that of .layers[0].w" } });
    model.layers[0].w = first;
    model.layers[1].b = b;
    model.head->w = model.scale[0];
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_SHARED, ".head.w", "some of that of the root" } });
    model.head->w = w;
    model.head = &model.layers[1];        /* a whole subtree: reported once */
    assert_problems(PYTREE(&model), 1, (const Problem[1]){ { PYTREE_SHARED, ".head", ".layers" } });
    model.head = head;
    assert_problems(PYTREE(&model), 0, NULL);
    mlp_clear(&model);
}

typedef struct Holder {                   /* begins where its first member does */
    Point first;
    Point *other;
} Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, other, OPTIONAL)
#include "pytree_registry.h"

static void a_member_is_not_its_struct(void **state)
{
    Holder holder = { { 1.0f, 2.0f }, NULL }, holders[2] = { { { 1.0f, 2.0f }, NULL }, { { 1.0f, 2.0f }, NULL } };
    Holder *pointer = &holders[1];
    (void)state;
    assert_problems(PYTREE(&holder), 0, NULL);
    holder.other = &holder.first;
    assert_problems(PYTREE(&holder), 1, (const Problem[1]){ { PYTREE_SHARED, ".other", "the root" } });
    assert_problems(PYTREE_LIST(PYTREE(&holder.first), PYTREE(&holders[0]), PYTREE(pointer)), 0, NULL);
    holders[0].other = &holders[1].first;
    assert_problems(PYTREE_LIST(PYTREE(&holders[0]), PYTREE(pointer)), 1,
                    (const Problem[1]){ { PYTREE_SHARED, "[1]", "[0].other" } });
}

static void shared_subtrees(void **state)
{
    Point point = { 1.0f, 2.0f };
    Pair leaf = { NULL, NULL, 1.0f }, a = { NULL, NULL, 2.0f }, root = { NULL, NULL, 3.0f };
    pytree p = PYTREE(&point);
    int x = 1;
    (void)state;
    a.left = a.right = &leaf;
    root.left = &a;
    root.right = &leaf;
    assert_problems(PYTREE(&root), 2, (const Problem[2]){ { PYTREE_SHARED, ".left.right", ".left.left" },
                                                          { PYTREE_SHARED, ".right", ".left.left" } });
    assert_problems(PYTREE_LIST(p, p, PYTREE(&x), PYTREE(&x)), 2,
                    (const Problem[2]){ { PYTREE_SHARED, "[1]", "[0]" }, { PYTREE_SHARED, "[3]", "[2]" } });
    assert_problems(PYTREE_TUPLE(p, PYTREE(&point.y)), 1, (const Problem[1]){ { PYTREE_SHARED, "[1]", "[0]" } });
}

/* Two files describe a type; a struct is reached by itself, and as the first in a row of a struct that begins with that. */
typedef struct Row { Point both[2]; } Row;

#define PYTREE_STRUCT Row
#define PYTREE_FIELDS PYTREE_FIELD(DATA, both)
#include "pytree_registry.h"

static void shared_by_others(void **state)
{
    Point point = { 1, 2 };
    Row row = { { { 1, 2 }, { 3, 4 } } };
    pytree_type again = *PYTREE(&point).type;
    pytree same = { &again, &point };
    (void)state;
    assert_problems(PYTREE_LIST(PYTREE(&point), same), 1, (const Problem[1]){ { PYTREE_SHARED, "[1]", "[0]" } });
    assert_problems(PYTREE_LIST(PYTREE(&row.both[0]), PYTREE(&row)), 1,
                    (const Problem[1]){ { PYTREE_SHARED, "[1]", "some of that of [0]" } });
}

static void several_problems_at_once(void **state)
{
    MLP model = mlp_make(3, true);
    float *w = model.layers[1].w, *b = model.head->b;
    Pair pair = { NULL, NULL, 1.0f };
    pytree tree;
    (void)state;
    model.layers[0].din = -1;
    model.layers[1].w = NULL;
    model.head->b = model.layers[2].w;
    pair.left = pair.right = &pair;
    tree = PYTREE_LIST(PYTREE(&model), PYTREE(&pair));
    assert_problems(tree, 5, (const Problem[5]){
        { PYTREE_BAD_COUNT, "[0].layers[0].w", "-1" }, { PYTREE_NULL_POINTER, "[0].layers[1].w", "NULL" },
        { PYTREE_CYCLE, "[1].left", "Pair" }, { PYTREE_CYCLE, "[1].right", "Pair" },
        { PYTREE_SHARED, "[0].head.b", "[0].layers[2].w" } });
    model.layers[0].din = 4;
    model.layers[1].w = w;
    model.head->b = b;
    mlp_clear(&model);
}

static void trees_that_are_none(void **state)
{
    pytree untyped = { NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_check(untyped, NULL, NULL, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_find_duplicates(untyped, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_problems(PYTREE_LIST(untyped), 1, (const Problem[1]){ { PYTREE_NULL_POINTER, "[0]", "without a type" } });
    {
        int x = 1;
        const char *no_key = NULL;
        assert_problems(PYTREE_DICT({ "a", PYTREE(&x) }, { "a", PYTREE_NONE }), 1,
                        (const Problem[1]){ { PYTREE_ARGUMENT, "", "'a' twice" } });
        assert_problems(PYTREE_LIST(PYTREE_DICT({ no_key, PYTREE(&x) })), 1,
                        (const Problem[1]){ { PYTREE_NULL_POINTER, "[0]", "key" } });
    }
}

/* ---- Duplicates -------------------------------------------------------------------------------------------------------- */

/* The groups as text: a line each, the paths in it apart by blanks. */
static void assert_duplicates(pytree tree, const char *expected)
{
    char text[2000] = "";
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree_duplicates *d;
    size_t g, i;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    d = pytree_find_duplicates(tree, &opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(d);
    assert_int_equal(heap.blocks, 1);
    for (g = 0; g < d->n_groups; g++) {
        for (i = 0; i < d->counts[g]; i++) {
            assert_true(strlen(text) + strlen(d->paths[g][i]) + 4 < sizeof text);
            strcat(text, i == 0 ? "" : " ");
            strcat(text, d->paths[g][i][0] == '\0' ? "(root)" : d->paths[g][i]);
        }
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
    pytree_duplicates_free(d);
    assert_heap_clean(&heap);
}

static void groups_of_duplicates(void **state)
{
    MLP model = mlp_make(3, true);
    float *b1 = model.layers[1].b, *b2 = model.layers[2].b, *hw = model.head->w, *hb = model.head->b;
    Linear *head = model.head;
    Point point = { 1.0f, 2.0f };
    int x = 1;
    bool bits[2] = { true, false };
    pytree p = PYTREE(&point), a = PYTREE(&x), bit = PYTREE(&bits[0]);
    (void)state;
    assert_duplicates(PYTREE_LIST(bit, PYTREE(&bits[1]), bit), "[0] [2]\n");
    assert_duplicates(PYTREE(&model), "");
    assert_duplicates(PYTREE_NONE, "");
    assert_duplicates(a, "");
    model.layers[1].b = model.layers[0].b;
    model.layers[2].b = model.layers[0].b;
    assert_duplicates(PYTREE(&model), ".layers[0].b .layers[1].b .layers[2].b\n");
    model.head->w = model.layers[1].w + 1;
    assert_duplicates(PYTREE(&model), ".layers[0].b .layers[1].b .layers[2].b\n.layers[1].w .head.w\n");
    model.head->b = model.layers[0].w;
    assert_duplicates(PYTREE(&model), ".layers[0].w .head.b\n.layers[0].b .layers[1].b .layers[2].b\n.layers[1].w .head.w\n");
    model.layers[1].b = b1;
    model.layers[2].b = b2;
    model.head->w = hw;
    model.head->b = hb;
    assert_duplicates(PYTREE_LIST(PYTREE(&model), a, PYTREE(model.head), a), "[0].head [2]\n[1] [3]\n");
    assert_duplicates(PYTREE_DICT({ "b", p }, { "a", p }, { "c", PYTREE(&point.y) }), "['a'] ['b'] ['c']\n");
    model.head = head;
    mlp_clear(&model);
    pytree_duplicates_free(NULL);
}

static void duplicates_of_unsound_trees(void **state)
{
    Pair a = { NULL, NULL, 1.0f };
    pytree_error error = { 0 };
    (void)state;
    a.left = &a;
    assert_null(pytree_find_duplicates(PYTREE(&a), NULL, &error));
    assert_error(error.status, PYTREE_CYCLE, ".left", &error);
    assert_null(pytree_find_duplicates(PYTREE(&a), NULL, NULL));
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status sweep_check(void *context, const pytree_options *opt, pytree_error *err)
{
    return pytree_check(*(const pytree *)context, NULL, NULL, opt, err);
}

static pytree_status sweep_duplicates(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_duplicates *d = pytree_find_duplicates(*(const pytree *)context, opt, err);
    assert_true((d == NULL) == (err->status != PYTREE_OK));
    if (d != NULL) {
        assert_int_equal(d->n_groups, 1);
    }
    pytree_duplicates_free(d);
    return err->status;
}

static pytree_status sweep_equal(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *tree = context;
    bool equal = pytree_equal(*tree, *tree, NULL, opt, err);
    assert_int_equal(equal, err->status == PYTREE_OK);
    return err->status;
}

static void sweeps(void **state)
{
    enum { N = 300 };
    static Node nodes[N];
    static pytree_pair pairs[40];
    static char names[40][4];
    pytree_items dict = { .count = 40, .pairs = pairs };
    MLP model = mlp_make(2, true);
    pytree shallow = PYTREE(&model), deep = PYTREE(&nodes[0]), shared, wide = { &pytree_types[PYTREE__T_dict], NULL };
    int x = 1;
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) {
        nodes[i].next = i + 1 < N ? &nodes[i + 1] : NULL;
    }
    for (i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "%02u", (unsigned)(39 - i));
        pairs[i].key = names[i];
        pairs[i].value = PYTREE_NONE;
    }
    wide.data = &dict;
    shared = PYTREE_LIST(deep, PYTREE(&x), wide, PYTREE(&x));
    assert_in_range(sweep_allocations(sweep_check, &shallow), 1, 10);
    assert_in_range(sweep_allocations(sweep_check, &deep), 5, 60);
    assert_in_range(sweep_allocations(sweep_check, &wide), 1, 10);
    assert_in_range(sweep_allocations(sweep_duplicates, &shared), 5, 60);
    assert_int_equal(sweep_allocations(sweep_equal, &shallow), 0);
    assert_in_range(sweep_allocations(sweep_equal, &deep), 2, 40);
    mlp_clear(&model);
}

/* Flat trees in structs, and lists that are empty and NULL. */
typedef struct Flats { pytree_flat first, second; MLP *model; } Flats;

#define PYTREE_STRUCT Flats
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, second) PYTREE_FIELD(DATA, model)
#include "pytree_registry.h"

static void flat_trees_and_empty_lists(void **state)
{
    int x = 1, y = 2;
    MLP model = mlp_make(0, false);
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_error error = { 0 };
    Flats flats;
    (void)state;
    free(model.layers);
    model.layers = NULL;
    memset(&flats, 0, sizeof flats);
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&x), PYTREE(&y)), &leaves, 0, &def, NULL, &error), &error);
    flats.first.def = flats.second.def = def;
    flats.first.leaves = flats.second.leaves = leaves;
    flats.model = &model;
    assert_duplicates(PYTREE(&flats), ".first[0] .second[0]\n.first[1] .second[1]\n");
    pytree_def_free(def);
}

/* What is in a dict whose pairs cannot be told apart, or whose order is wrong, is not looked at. */
static void broken_dicts_have_no_children(void **state)
{
    Linear broken = { 2, 2, NULL, NULL };
    pytree value = PYTREE(&broken);
    const pytree_pair twice[2] = { { "a", value }, { "a", value } }, pairs[2] = { { "a", value }, { "b", value } };
    const pytree_int_pair numbers[2] = { { 1, value }, { 2, value } };
    const uint32_t order[2] = { 1, 1 };
    pytree_items items[4];
    const Problem expected[] = {
        { PYTREE_ARGUMENT, "[0]", "each dict key once" },
        { PYTREE_ARGUMENT, "[1]", "expected an order" },
        { PYTREE_ARGUMENT, "[2]", "names of a namedtuple" },
        { PYTREE_NULL_POINTER, "[3]", "expected 2 items" },
    };
    pytree trees[4];
    size_t i;
    (void)state;
    memset(items, 0, sizeof items);
    for (i = 0; i < 4; i++) {
        items[i].count = 2;
        trees[i] = PYTREE_DICT();
        trees[i].data = &items[i];
    }
    items[0].pairs = twice;
    items[1].pairs = pairs;
    items[1].order = order;
    items[2].int_pairs = numbers;
    items[2].name = "P";
    trees[2].type = PYTREE_NAMEDTUPLE("P").type;
    assert_problems(PYTREE_LIST(trees[0], trees[1], trees[2], trees[3]), 4, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_trees),
        cmocka_unit_test(a_long_chain_is_sound),
        cmocka_unit_test(memory_that_is_only_wanted),
        cmocka_unit_test(deep_trees_take_memory_by_the_node),
        cmocka_unit_test(missing_memory),
        cmocka_unit_test(bad_counts_and_sizes),
        cmocka_unit_test(cycles_are_reported),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(a_member_is_not_its_struct),
        cmocka_unit_test(shared_subtrees),
        cmocka_unit_test(shared_by_others),
        cmocka_unit_test(several_problems_at_once),
        cmocka_unit_test(trees_that_are_none),
        cmocka_unit_test(groups_of_duplicates),
        cmocka_unit_test(duplicates_of_unsound_trees),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(flat_trees_and_empty_lists),
        cmocka_unit_test(broken_dicts_have_no_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
