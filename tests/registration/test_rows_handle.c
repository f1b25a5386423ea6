/* Rows with HANDLE: members that only functions of their own can copy and free. */
#include "rows_shared.h"
#include "pytree/graph.h"

typedef struct Counter { int value; } Counter;
typedef struct Pair { int count, value; } Pair;

typedef struct Log {
    int level;
    Counter *counter;                     /* a handle: each clone has its own */
    char scratch[8];
    float *w;
    Pair pair;                            /* a handle, too: its count says what lives */
} Log;

typedef struct Bare { Counter *counter; } Bare;                /* nothing else */

typedef struct Trainer {
    size_t n;
    Log *logs;                            /* n of them */
    Log first;
    Bare bare;
    Log *more;                            /* an stb_ds array, in whose memory structs move */
} Trainer;

static int living, calls, fails_at;

static Counter *counter_make(int value)
{
    Counter *const made = malloc(sizeof *made);
    assert_non_null(made);
    made->value = value;
    living++;
    return made;
}

static pytree_status counter_clone(Counter **to, Counter *const *from)
{
    if (*from == NULL) { return PYTREE_OK; }
    if (++calls == fails_at) { return PYTREE_ARGUMENT; }
    *to = counter_make((*from)->value);
    return PYTREE_OK;
}

static void counter_free(Counter **counter)
{
    if (*counter == NULL) { return; }
    free(*counter);
    *counter = NULL;
    living--;
}

static pytree_status pair_clone(Pair *to, const Pair *from)
{
    if (++calls == fails_at) { return PYTREE_VALUE; }
    *to = *from;
    living += to->count;
    return PYTREE_OK;
}

static void pair_free(Pair *pair)
{
    living -= pair->count;
}

#define PYTREE_STRUCT Log
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, level) PYTREE_FIELD(DROP, counter, HANDLE(counter_clone, counter_free))                        \
    PYTREE_FIELD(DROP, scratch) PYTREE_FIELD(DATA, w, ARRAY(2)) PYTREE_FIELD(DROP, pair, HANDLE(pair_clone, pair_free))
#include "pytree_registry.h"

#define PYTREE_STRUCT Bare
#define PYTREE_FIELDS PYTREE_FIELD(DROP, counter, HANDLE(counter_clone, counter_free))
#include "pytree_registry.h"

#define PYTREE_STRUCT Trainer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, logs, LIST(self->n)) PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, bare)  \
    PYTREE_FIELD(DATA, more, STB_ARRAY)
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Log), PYTREE_TYPE(Bare), PYTREE_TYPE(Trainer) };

static float weights[4][2];

static Log log_make(int i)
{
    Log made = { .level = i, .counter = counter_make(10 + i), .w = weights[i], .pair = { 1, i } };
    living++;
    memcpy(made.scratch, "scratch", 8);
    return made;
}

static Trainer trainer_make(Log logs[2])
{
    Trainer made = { .n = 2, .logs = logs, .first = log_make(2) };
    logs[0] = log_make(0);
    logs[1] = log_make(1);
    made.bare.counter = counter_make(20);
    return made;
}

static void trainer_clear(Trainer *t)
{
    size_t i;
    for (i = 0; i < t->n; i++) {
        counter_free(&t->logs[i].counter);
        pair_free(&t->logs[i].pair);
    }
    counter_free(&t->first.counter);
    pair_free(&t->first.pair);
    counter_free(&t->bare.counter);
    for (i = 0; i < (size_t)arrlen(t->more); i++) {
        counter_free(&t->more[i].counter);
        pair_free(&t->more[i].pair);
    }
    arrfree(t->more);
    assert_int_equal(living, 0);
}

static void a_clone_has_handles_of_its_own(void **state)
{
    Log logs[2];
    Trainer t = trainer_make(logs);
    const int before = living;
    pytree_error error = { 0 };
    pytree copy;
    const Trainer *made;
    (void)state;
    copy = pytree_clone(PYTREE(&t), NULL, &error);
    assert_ok(error.status, &error);
    made = copy.data;
    assert_int_equal(living, 2 * before);
    assert_true(made->logs[0].counter != logs[0].counter && made->logs[0].counter->value == 10);
    assert_true(made->logs[1].counter->value == 11 && made->first.counter->value == 12 && made->bare.counter->value == 20);
    assert_true(made->logs[1].pair.value == 1 && made->first.pair.value == 2);
    assert_int_equal(made->first.scratch[0], 0);
    pytree_free(copy);
    assert_int_equal(living, before);
    trainer_clear(&t);
}

static void handles_in_moving_memory_are_freed(void **state)
{
    Log logs[2];
    Trainer t = trainer_make(logs);
    int before;
    pytree_error error = { 0 };
    pytree copy;
    Trainer *made;
    (void)state;
    arrput(t.more, log_make(3));
    before = living;
    copy = pytree_clone(PYTREE(&t), NULL, &error);
    assert_ok(error.status, &error);
    made = copy.data;
    assert_true(made->more[0].counter != t.more[0].counter && made->more[0].counter->value == 13);
    assert_int_equal(living, 2 * before);
    arrsetcap(made->more, 100);
    pytree_free(copy);
    assert_int_equal(living, before);
    trainer_clear(&t);
}

static void a_clone_that_fails_leaves_nothing(void **state)
{
    static const char *const paths[] = { ".logs[0]", ".logs[0]", ".logs[1]", ".logs[1]", ".first", ".first", ".bare" };
    Log logs[2];
    Trainer t = trainer_make(logs);
    const int before = living;
    int i;
    (void)state;
    for (i = 0; i < 7; i++) {
        pytree_error error = { 0 };
        calls = 0;
        fails_at = i + 1;
        assert_null(pytree_clone(PYTREE(&t), NULL, &error).data);
        assert_error(error.status, i % 2 == 0 ? PYTREE_ARGUMENT : PYTREE_VALUE, paths[i], &error);
        assert_string_equal(error.message, i % 2 == 0 ? "expected the clone of counter to succeed, got bad argument"
                                                      : "expected the clone of pair to succeed, got values differ");
        assert_int_equal(living, before);
    }
    calls = fails_at = 0;
    trainer_clear(&t);
}

static void other_trees_have_zeros(void **state)
{
    Log logs[2];
    Trainer t = trainer_make(logs);
    const int before = living;
    pytree_error error = { 0 };
    pytree zeros = pytree_zeros_like(PYTREE(&t), NULL, &error), again;
    (void)state;
    assert_ok(error.status, &error);
    assert_true(((Trainer *)zeros.data)->logs[1].counter == NULL && ((Trainer *)zeros.data)->first.pair.count == 0);
    again = pytree_clone(zeros, NULL, &error);
    assert_ok(error.status, &error);
    pytree_free(again);
    pytree_free(zeros);
    assert_int_equal(living, before);
    trainer_clear(&t);
}

static void whatever_is_made_equals_its_source(void **state)
{
    Log logs[2];
    Trainer t = trainer_make(logs);
    const int before = living;
    (void)state;
    rows_assert_round_trip(PYTREE(&t), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&t.first), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE_LIST(PYTREE(&t.first), PYTREE(&t.bare)), COUNT_OF(types), types);
    assert_int_equal(living, before);
    trainer_clear(&t);
}

/* ---- Beside custom nodes, and rows with other functions ------------------------------------------------------------------ */

typedef struct Box { pytree item; } Box;                       /* has nothing to release */
typedef struct Held { pytree item; } Held;
typedef struct Mixed { int kind; union { float single; double wide; } as; Counter *counter; } Mixed;

static int released;

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    assert_null(keys);
    if (children != NULL) { children[0] = *(const pytree *)self; }
    return 1;
}

static pytree_status box_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)metadata;
    assert_int_equal(n, 1);
    assert_int_equal(bytes, 0);
    *(pytree *)self = children[0];
    return PYTREE_OK;
}

static void held_release(void *self)
{
    assert_non_null(((Held *)self)->item.data);
    released++;
}

static const pytree_custom box_callbacks = { .children = box_children, .rebuild = box_rebuild };
static const pytree_custom held_callbacks = { .children = box_children, .rebuild = box_rebuild, .release = held_release };

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

#define PYTREE_STRUCT Held
#define PYTREE_CUSTOM held_callbacks
#include "pytree_registry.h"

#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, single), CASE(1, wide)))                \
    PYTREE_FIELD(DROP, counter, HANDLE(counter_clone, counter_free))
#include "pytree_registry.h"

/* What two paths of a graph lead to, one of which is where it lies, has its handles cloned once. */
static void a_graph_clones_what_is_shared_once(void **state)
{
    Log logs[2];
    Trainer t = trainer_make(logs);
    const pytree graph = PYTREE_LIST(PYTREE(&t.first), PYTREE(&logs[1]), PYTREE(&t));
    const int before = living;
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    calls = fails_at = 0;
    copy = pytree_graph_clone(graph, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(living, 2 * before);
    {
        const pytree *const items = ((const pytree_items *)copy.data)->items;
        const Trainer *const made = items[2].data;
        assert_ptr_equal(items[0].data, &made->first);
        assert_ptr_equal(items[1].data, &made->logs[1]);
        assert_ptr_not_equal(made->first.counter, t.first.counter);
        assert_int_equal(made->first.counter->value, 12);
        assert_int_equal(made->logs[1].counter->value, 11);
        assert_int_equal(made->bare.counter->value, 20);
        assert_int_equal(made->logs[0].pair.value, 0);
    }
    pytree_free(copy);
    assert_int_equal(living, before);
    for (fails_at = calls; fails_at > 0; fails_at--) {
        calls = 0;
        copy = pytree_graph_clone(graph, NULL, &error);
        assert_null(copy.data);
        assert_in_range(error.status, PYTREE_OK + 1, 1000);
        assert_non_null(strstr(error.message, "to succeed, got"));
        assert_int_equal(living, before);
    }
    trainer_clear(&t);
}

static void custom_nodes_are_released_if_a_clone_fails(void **state)
{
    double x = 1;
    Box box = { PYTREE(&x) };
    Held held = { PYTREE(&x) };
    const int before = living;
    Mixed mixed = { 1, { .wide = 2.5 }, counter_make(5) };
    const pytree t = PYTREE_LIST(PYTREE(&box), PYTREE(&held), PYTREE(&mixed));
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    calls = released = 0;
    fails_at = 1;
    assert_null(pytree_clone(t, NULL, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, "[2]", &error);
    assert_int_equal(released, 1);
    assert_int_equal(living, before + 1);
    calls = fails_at = 0;
    memset(&error, 0, sizeof error);
    copy = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(released, 1);
    assert_int_equal(living, before + 2);
    pytree_free(copy);
    assert_int_equal(released, 2);
    assert_int_equal(living, before + 1);
    counter_free(&mixed.counter);
}

/* A pytree_flat has the leaves of a struct, and none of its handles. */
static void clones_of_flats_have_zeros(void **state)
{
    Mixed mixed = { 1, { .wide = 2.5 }, counter_make(5) };
    const int before = living;
    pytree_error error = { 0 };
    pytree_leaf leaf = { &mixed.as.wide, PYTREE_TYPE(double), 0, PYTREE_FORM_LEAF, { 0 } };
    pytree_def *const def = pytree_structure(PYTREE(&mixed), NULL, &error);
    const pytree_flat flat = { def, &leaf };
    const pytree copy = pytree_clone(PYTREE(&flat), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(((const Mixed *)copy.data)->as.wide == 2.5);
    assert_null(((const Mixed *)copy.data)->counter);
    assert_int_equal(living, before);
    pytree_free(copy);
    pytree_def_free(def);
    counter_free(&mixed.counter);
}

/* A node that answers otherwise from some call on: fewer children, in another order, one that is none, or another struct. */
typedef struct Plain { int n; } Plain;
typedef struct Moody { pytree items[2]; } Moody;

#define PYTREE_STRUCT Plain
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

enum { FEWER, SWAPPED, NOTHING, ANOTHER, MOODS };
static int mood, asked, steady;
static Plain plain = { 3 };

static size_t moody_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Moody *const m = self;
    const bool now = asked++ >= steady;
    assert_null(keys);
    if (children != NULL) { memcpy(children, m->items, sizeof m->items); }
    if (!now) { return 2; }
    if (children != NULL && mood == SWAPPED) { children[0] = m->items[1]; children[1] = m->items[0]; }
    if (children != NULL && mood == NOTHING) { children[0].type = NULL; }
    if (children != NULL && mood == ANOTHER) { children[1] = PYTREE(&plain); }
    return mood == FEWER ? 1 : 2;
}

static pytree_status moody_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)metadata;
    assert_int_equal(bytes, 0);
    memcpy(((Moody *)self)->items, children, n * sizeof *children);
    return PYTREE_OK;
}

static const pytree_custom moody_callbacks = { .children = moody_children, .rebuild = moody_rebuild };

#define PYTREE_STRUCT Moody
#define PYTREE_CUSTOM moody_callbacks
#include "pytree_registry.h"

/* A clone goes over its source again for the handles. Where it finds other nodes then, it fails; what is made has them all. */
static void nodes_that_answer_otherwise(void **state)
{
    double x = 1;
    const int before = living;
    Bare inner = { counter_make(5) }, behind = { counter_make(6) };
    Moody moody = { { PYTREE(&x), PYTREE(&inner) } };
    const pytree tree = PYTREE_LIST(PYTREE(&moody), PYTREE(&behind));
    const pytree graph = PYTREE_LIST(PYTREE(&moody), PYTREE(&behind), PYTREE(&behind));
    int failed = 0, way;
    (void)state;
    for (way = 0; way < 2 * MOODS; way++) {
        mood = way / 2;
        for (steady = 0, asked = 1; asked > steady; steady++) {
            pytree_error error = { 0 };
            pytree copy;
            asked = 0;
            copy = way % 2 == 0 ? pytree_clone(tree, NULL, &error) : pytree_graph_clone(graph, NULL, &error);
            if (copy.data == NULL) {
                assert_int_not_equal(error.status, PYTREE_OK);
                failed++;
            } else {
                const pytree_items *const items = copy.data;
                assert_ok(error.status, &error);
                assert_non_null(((const Bare *)items->items[1].data)->counter);
                pytree_free(copy);
            }
            assert_int_equal(living, before + 2);
        }
    }
    assert_in_range(failed, 8, 200);
    counter_free(&inner.counter);
    counter_free(&behind.counter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clone_has_handles_of_its_own),
        cmocka_unit_test(handles_in_moving_memory_are_freed),
        cmocka_unit_test(a_clone_that_fails_leaves_nothing),
        cmocka_unit_test(a_graph_clones_what_is_shared_once),
        cmocka_unit_test(custom_nodes_are_released_if_a_clone_fails),
        cmocka_unit_test(clones_of_flats_have_zeros),
        cmocka_unit_test(other_trees_have_zeros),
        cmocka_unit_test(whatever_is_made_equals_its_source),
        cmocka_unit_test(nodes_that_answer_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
