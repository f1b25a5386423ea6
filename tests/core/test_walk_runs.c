/* Walks of structs that are visited at once: the same calls as node by node, also where one is skipped or stopped. */
#include "support.h"

/* ---- Both ways ---------------------------------------------------------------------------------------------------------- */

enum { MOST_CALLS = 2048, ANSWER = 77 };

/* A call: of enter or leave, with the value and a hash of the path. */
typedef struct Call {
    bool enter;
    const void *data;
    const pytree_type *type;
    unsigned form;
    int ndim;
    size_t shape, n_path;
    uint64_t path;
} Call;

typedef struct Calls {
    Call of[MOST_CALLS];
    size_t n;
    size_t skip, stop;                    /* the calls that answer so; SIZE_MAX: none */
} Calls;

static int note(Calls *calls, bool enter, const pytree_leaf *value, const pytree_path *path)
{
    const size_t k = calls->n;
    Call *const call = &calls->of[k];
    const char *name;
    size_t i;
    assert_true(k < MOST_CALLS);
    memset(call, 0, sizeof *call);
    call->enter = enter;
    call->data = value->data;
    call->type = value->type;
    call->form = value->form;
    call->ndim = value->form == PYTREE_FORM_NONE ? 0 : value->ndim;
    call->shape = call->ndim != 0 || !enter ? value->shape[0] : 0;
    call->n_path = path->n;
    for (i = 0; i < path->n; i++) {
        call->path = call->path * 31 + path->entries[i].kind;
        call->path = call->path * 31 + path->entries[i].index;
        name = path->entries[i].name;
        for (; name != NULL && *name != '\0'; name++) { call->path = call->path * 31 + (unsigned char)*name; }
    }
    if (value->form == PYTREE_FORM_NONE) { call->shape = 0; }
    calls->n++;
    return k == calls->stop ? ANSWER : k == calls->skip && enter ? PYTREE_WALK_SKIP : PYTREE_WALK_ON;
}

static int note_enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    return note(context, true, value, path);
}
static int note_leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    return note(context, false, value, path);
}

/* With a predicate every node is opened by itself. */
static bool never(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

/* Walks both ways, and compares the calls and the error. Returns how many calls there were. */
static size_t assert_same_walk(pytree tree, size_t skip, size_t stop, bool leave)
{
    static Calls calls[2];
    pytree_error errors[2] = { { PYTREE_OK, "", "" }, { PYTREE_OK, "", "" } };
    pytree_options opt = { 0 };
    pytree_status status[2];
    size_t way;
    opt.is_leaf = never;
    for (way = 0; way < 2; way++) {
        const pytree_visitor visitor = { note_enter, leave ? note_leave : NULL, &calls[way] };
        calls[way].n = 0;
        calls[way].skip = skip;
        calls[way].stop = stop;
        status[way] = pytree_walk(tree, &visitor, way == 0 ? NULL : &opt, &errors[way]);
    }
    assert_int_equal(status[0], status[1]);
    assert_int_equal(status[0], stop < calls[0].n ? ANSWER : PYTREE_OK);
    assert_string_equal(errors[0].path, errors[1].path);
    assert_string_equal(errors[0].message, errors[1].message);
    assert_int_equal(calls[0].n, calls[1].n);
    assert_memory_equal(calls[0].of, calls[1].of, calls[0].n * sizeof(Call));
    return calls[0].n;
}

static void assert_all_walks(pytree tree)
{
    size_t n = assert_same_walk(tree, SIZE_MAX, SIZE_MAX, true), k;
    assert_true(assert_same_walk(tree, SIZE_MAX, SIZE_MAX, false) < n);
    for (k = 0; k < n; k++) {
        assert_same_walk(tree, k, SIZE_MAX, true);
        assert_same_walk(tree, SIZE_MAX, k, true);
        assert_same_walk(tree, k / 2, k, false);
    }
}

/* ---- Trees -------------------------------------------------------------------------------------------------------------- */

static void rows_of_every_kind(void **state)
{
    int with_optional;
    (void)state;
    for (with_optional = 0; with_optional < 2; with_optional++) {
        Everything all = everything_make(with_optional != 0);
        assert_all_walks(PYTREE_LIST(PYTREE(&all), PYTREE_NONE, PYTREE(&all.at)));
        everything_clear(&all);
    }
}

/* Structs in structs, as deep as their declarations, below more open nodes than a walk has room for. */
#define LEVEL(outer, inner)                                                                  \
    typedef struct outer { inner first; float *value; inner second; } outer;

LEVEL(Level1, Point)
#define PYTREE_STRUCT Level1
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, value, ARRAY(2)) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"
LEVEL(Level2, Level1)
#define PYTREE_STRUCT Level2
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, value, OPTIONAL, ARRAY(2)) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"
LEVEL(Level3, Level2)
#define PYTREE_STRUCT Level3
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, value, OPTIONAL, ARRAY(2)) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

static void below_many_nodes(void **state)
{
    enum { DEPTH = 30 };
    static float values[2];
    Level3 level;
    pytree tree = PYTREE(&level), inside[DEPTH];
    pytree_items items[DEPTH];
    size_t i;
    (void)state;
    memset(&level, 0, sizeof level);
    level.first.first.value = level.first.second.value = level.second.first.value = level.second.second.value = values;
    level.second.value = values;
    memset(items, 0, sizeof items);
    for (i = 0; i < DEPTH; i++) {
        assert_same_walk(tree, SIZE_MAX, SIZE_MAX, true);
        if (i == 21 || i == 23) { assert_all_walks(tree); }
        inside[i] = tree;
        items[i].items = &inside[i];
        items[i].count = 1;
        tree.type = &pytree_types[PYTREE__T_list];
        tree.data = &items[i];
    }
}

static int go_on(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return PYTREE_WALK_ON;
}

static pytree_status sweep(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_visitor visitor = { go_on, go_on, NULL };
    return pytree_walk(*(pytree *)context, &visitor, opt, err);
}

static void without_memory(void **state)
{
    enum { DEPTH = 23 };
    Level3 level;
    pytree tree = PYTREE(&level), inside[DEPTH];
    pytree_items items[DEPTH];
    size_t i;
    (void)state;
    memset(&level, 0, sizeof level);
    level.first.first.value = level.first.second.value = level.second.first.value = level.second.second.value =
        &level.first.first.first.x;
    memset(items, 0, sizeof items);
    for (i = 0; i < DEPTH; i++) {
        inside[i] = tree;
        items[i].items = &inside[i];
        items[i].count = 1;
        tree.type = &pytree_types[PYTREE__T_list];
        tree.data = &items[i];
    }
    assert_int_equal(sweep_allocations(sweep, &tree), 1);      /* entries, in the middle of the struct */
}

/* A list without its items, below more and more lists: found at each depth, also where the memory for the path ends. */
static void broken_at_any_depth(void **state)
{
    enum { DEPTH = 300 };
    static pytree inside[DEPTH];
    static pytree_items items[DEPTH];
    const pytree_visitor visitor = { go_on, go_on, NULL };
    pytree tree = { &pytree_types[PYTREE__T_list], &items[0] };
    size_t i;
    (void)state;
    items[0].count = 1;
    for (i = 1; i < DEPTH; i++) {
        pytree_error error = { 0 };
        assert_error(pytree_walk(tree, &visitor, NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
        assert_string_equal(error.message, "expected 1 items, got NULL");
        inside[i] = tree;
        items[i].items = &inside[i];
        items[i].count = 1;
        tree.data = &items[i];
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_kind),
        cmocka_unit_test(below_many_nodes),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(broken_at_any_depth)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
