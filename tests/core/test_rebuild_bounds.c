/* Rebuild: blocks are as large as what is built in them, and what is known of struct types makes way for that of others. */
#include "support.h"

/* ---- More struct types than there is room for ---------------------------------------------------------------------------- */

/* Twenty leaves, and fifty: three of the first and one of the second are more than are remembered at a time. */
typedef struct First {
    double x[1];
    float *a, *b, *c, *d, *e, *f, *g, *h, *i, *j, *k, *l, *m, *n, *o, *p, *q, *r;
    int y;
} First;
typedef struct Second { First in; } Second;
typedef struct Third { int z; First in; } Third;
typedef struct Fifty { First in; int number; First more; float *s, *t, *u, *v, *w, *x, *y, *z, *last; } Fifty;

#define ROW(name) PYTREE_FIELD(DATA, name, ARRAY(2))
#define PYTREE_STRUCT First
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, x) ROW(a) ROW(b) ROW(c) ROW(d) ROW(e) ROW(f) ROW(g) ROW(h) ROW(i) ROW(j) ROW(k) ROW(l)           \
    ROW(m) ROW(n) ROW(o) ROW(p) ROW(q) ROW(r) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

#define PYTREE_STRUCT Second
#define PYTREE_FIELDS PYTREE_FIELD(DATA, in)
#include "pytree_registry.h"

#define PYTREE_STRUCT Third
#define PYTREE_FIELDS PYTREE_FIELD(DATA, z) PYTREE_FIELD(DATA, in)
#include "pytree_registry.h"

#define PYTREE_STRUCT Fifty
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, in) PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, more)                                          \
    ROW(s) ROW(t) ROW(u) ROW(v) ROW(w) ROW(x) ROW(y) ROW(z) ROW(last)
#include "pytree_registry.h"

static float numbers[40][2];

static First first_of(int number)
{
    First made;
    float **at = &made.a;
    size_t i;
    memset(&made, 0, sizeof made);
    made.x[0] = number;
    made.y = -number;
    for (i = 0; i < 18; i++) { at[i] = numbers[(i + (size_t)number) % 40]; }
    return made;
}

/* Copies, and trees that are put together from leaves, equal what they are of; nothing is overrun. */
static void assert_rebuilt(pytree tree)
{
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *exact;
    pytree made[2];
    size_t k;
    Heap heap;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, NULL, &error), &error);
    exact = pytree_def_copy(def, NULL, &error);                /* a sanitizer knows where it ends */
    assert_ok(error.status, &error);
    made[0] = pytree_clone(tree, &opt, &error);
    assert_ok(error.status, &error);
    made[1] = pytree_unflatten(exact, pytree_def_num_leaves(def), leaves, &opt, &error);
    assert_ok(error.status, &error);
    for (k = 0; k < 2; k++) {
        assert_true(pytree_equal(made[k], tree, NULL, NULL, &error));
        assert_ok(error.status, &error);
        pytree_free(made[k]);
    }
    pytree_def_free(exact);
    pytree_def_free(def);
    assert_heap_clean(&heap);
}

static void many_types_with_many_leaves(void **state)
{
    First first = first_of(1);
    Second second;
    Third third;
    Fifty fifty;
    float **at = &fifty.s;
    size_t i;
    (void)state;
    for (i = 0; i < 40; i++) { numbers[i][0] = (float)i; numbers[i][1] = (float)i + 0.5f; }
    second.in = first_of(2);
    memset(&third, 0, sizeof third);
    third.z = 3;
    third.in = first_of(3);
    memset(&fifty, 0, sizeof fifty);
    fifty.in = first_of(4);
    fifty.number = 5;
    fifty.more = first_of(6);
    for (i = 0; i < 9; i++) { at[i] = numbers[10 + i]; }
    assert_rebuilt(PYTREE_LIST(PYTREE(&first), PYTREE(&second), PYTREE(&third), PYTREE(&first), PYTREE(&second)));
    assert_rebuilt(PYTREE(&fifty));
    assert_rebuilt(PYTREE_LIST(PYTREE(&first), PYTREE(&fifty), PYTREE(&first), PYTREE(&third), PYTREE(&fifty)));
}

/* ---- What has costs beside itself ----------------------------------------------------------------------------------- */

/* Arrays of stb_ds: what pytree_free must know of each of them lies in the block. */
typedef struct Bags { int *a, *b, *c, *d; struct { char *key; float value; } *e; } Bags;
typedef struct Bagged { size_t n; Bags *bags; } Bagged;

#define PYTREE_STRUCT Bags
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a, STB_ARRAY) PYTREE_FIELD(DATA, b, STB_ARRAY) PYTREE_FIELD(DATA, c, STB_ARRAY)                  \
    PYTREE_FIELD(DATA, d, STB_ARRAY) PYTREE_FIELD(DATA, e, STB_MAP)
#include "pytree_registry.h"

#define PYTREE_STRUCT Bagged
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, bags, LIST(self->n))
#include "pytree_registry.h"

static void many_containers_of_stb_ds(void **state)
{
    enum { N = 60 };
    static Bags bags[N];
    Bagged bagged = { N, bags };
    size_t i;
    (void)state;
    assert_rebuilt(PYTREE(&bagged));      /* they are empty */
    for (i = 0; i < N; i += 2) { arrput(bags[i].b, (int)i); }
    assert_rebuilt(PYTREE(&bagged));
    for (i = 0; i < N; i++) { arrfree(bags[i].b); }
}

/* Two lists whose elements are no nodes of their own: each is as long as its own node says. */
typedef struct Ledger { int n, few; pytree_leaf *entries, *notes; } Ledger;

#define PYTREE_STRUCT Ledger
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, few) PYTREE_FIELD(DATA, entries, LIST(self->n))                        \
    PYTREE_FIELD(DATA, notes, LIST(self->few))
#include "pytree_registry.h"

static void two_lists_of_views(void **state)
{
    enum { N = 60, FEW = 2 };
    static pytree_leaf entries[N], notes[FEW];
    static float values[N + FEW];
    Ledger ledger = { N, FEW, entries, notes };
    size_t i;
    (void)state;
    for (i = 0; i < N + FEW; i++) {
        pytree_leaf *const view = i < N ? &entries[i] : &notes[i - N];
        memset(view, 0, sizeof *view);
        view->type = PYTREE_TYPE(float);
        view->data = &values[i];
        values[i] = (float)i;
    }
    assert_rebuilt(PYTREE(&ledger));
    assert_rebuilt(PYTREE_LIST(PYTREE(&ledger), PYTREE(&ledger)));
}

/* A struct that is a leaf, and one behind a pointer that may be NULL: together they have as many nodes as a struct of leaves
 * has, for which the tree is taken until its nodes are looked at. */
typedef struct Trip { Point from, *to; } Trip;

#define PYTREE_STRUCT Trip
#define PYTREE_FIELDS PYTREE_FIELD(DATA, from) PYTREE_FIELD(DATA, to, OPTIONAL)
#include "pytree_registry.h"

static bool is_from(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    (void)view;
    return path->n != 0 && path->entries[path->n - 1].kind == PYTREE_ATTRIBUTE
        && strcmp(path->entries[path->n - 1].name, "from") == 0;
}

static void as_many_nodes_as_another(void **state)
{
    Point to = { 3.0f, 4.0f };
    Trip trip = { { 1.0f, 2.0f }, &to };
    const pytree tree = PYTREE_LIST(PYTREE(&trip), PYTREE(&trip));
    const pytree_items *items;
    pytree_options opt = { .is_leaf = is_from };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    size_t i;
    (void)state;
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, &opt, &error), &error);
    assert_int_equal(def->n_nodes, 11);
    made = pytree_unflatten(def, 6, leaves, NULL, &error);
    assert_ok(error.status, &error);
    items = made.data;
    for (i = 0; i < 2; i++) {
        const Trip *const again = items->items[i].data;
        assert_int_equal((uintptr_t)again % 16, 0);
        assert_true(again->from.y == 2.0f && again->to->x == 3.0f && again->to != &to);
    }
    assert_true(pytree_equal(made, tree, NULL, NULL, &error));
    pytree_free(made);
    pytree_def_free(def);
}

/* Handles: what is to be cloned is noted in the block. */
typedef struct Held { int *handle; int *other; } Held;
typedef struct Holding { size_t n; Held *held; } Holding;

static int held_numbers[2];

static pytree_status handle_clone(int **to, int *const *from)
{
    *to = *from + 1;
    return PYTREE_OK;
}

static void handle_free(int **handle) { *handle = NULL; }

#define PYTREE_STRUCT Held
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, handle, HANDLE(handle_clone, handle_free))                                                    \
    PYTREE_FIELD(DROP, other, HANDLE(handle_clone, handle_free))
#include "pytree_registry.h"

#define PYTREE_STRUCT Holding
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, held, LIST(self->n))
#include "pytree_registry.h"

static void many_handles(void **state)
{
    enum { N = 200 };
    static Held held[N];
    Holding holding = { N, held };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Heap heap;
    pytree made;
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) { held[i].handle = held[i].other = held_numbers; }
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    made = pytree_clone(PYTREE(&holding), &opt, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < N; i++) {
        const Held *const one = &((const Holding *)made.data)->held[i];
        assert_ptr_equal(one->handle, held_numbers + 1);
        assert_ptr_equal(one->other, held_numbers + 1);
    }
    pytree_free(made);
    assert_heap_clean(&heap);
}

/* Handles in a chain of structs, deeper than the frames that need no memory. */
typedef struct Chain { struct Chain *next; int *handle; float *x; } Chain;

#define PYTREE_STRUCT Chain
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, next, OPTIONAL) PYTREE_FIELD(DROP, handle, HANDLE(handle_clone, handle_free))                    \
    PYTREE_FIELD(DATA, x, ARRAY(1))
#include "pytree_registry.h"

static pytree_status clone_chain(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree made = pytree_clone(*(const pytree *)context, opt, error);
    const Chain *at;
    size_t n = 0;
    if (made.data == NULL) { return error->status; }
    for (at = made.data; at != NULL; at = at->next, n++) { assert_ptr_equal(at->handle, held_numbers + 1); }
    assert_int_equal(n, 200);
    pytree_free(made);
    return PYTREE_OK;
}

static void handles_far_down(void **state)
{
    enum { N = 200 };
    static Chain chain[N];
    pytree tree = PYTREE(&chain[0]);
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) {
        chain[i].next = i + 1 < N ? &chain[i + 1] : NULL;
        chain[i].handle = held_numbers;
        chain[i].x = numbers[0];
    }
    assert_true(sweep_allocations(clone_chain, &tree) > 2);
}

/* Static strings of every length: no byte behind them is read or written, wherever they end in the treedef. */
typedef struct Named { const char *name; float *x; } Named;

#define PYTREE_STRUCT Named
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x, ARRAY(2))
#include "pytree_registry.h"

static void strings_of_any_length(void **state)
{
    char text[40];
    size_t n;
    (void)state;
    memset(text, 'x', sizeof text);
    for (n = 0; n < sizeof text; n++) {
        Named named = { text, numbers[0] };
        text[n] = '\0';
        assert_rebuilt(PYTREE(&named));
        assert_rebuilt(PYTREE_LIST(PYTREE(&named), PYTREE(&named)));
        text[n] = 'x';
    }
}

/* Rows of a struct that is larger than a buffer on the stack are evaluated on a copy in memory, which may run out. */
typedef struct Wide { double pad[200]; int n; Linear *head; float *w, *x; } Wide;
typedef struct Immense { double pad[2000]; int n; float *w; } Immense;
typedef struct OfImmense { Immense *inner; } OfImmense;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, pad) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, head) PYTREE_FIELD(DATA, w, ARRAY(self->n))       \
    PYTREE_FIELD(DATA, x, ARRAY(self->head->dout))
#include "pytree_registry.h"
#define PYTREE_STRUCT Immense
#define PYTREE_FIELDS PYTREE_FIELD(DATA, pad) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#define PYTREE_STRUCT OfImmense
#define PYTREE_FIELDS PYTREE_FIELD(DATA, inner)
#include "pytree_registry.h"

static pytree_status allocate_wide(void *context, const pytree_options *opt, pytree_error *err)
{
    Linear head = { 2, 3, NULL, NULL };
    Wide wide = { { 0 }, 4, &head, NULL, NULL };
    pytree_status status = pytree_allocate(PYTREE(&wide), opt, err);
    (void)context;
    if (status != PYTREE_OK) {
        assert_null(wide.w);
        assert_ptr_equal(wide.head, &head);
        return status;
    }
    assert_true(wide.w[3] == 0.0f && wide.x[2] == 0.0f);
    pytree_free(PYTREE(&wide));
    return PYTREE_OK;
}

static void structs_too_large_for_the_stack(void **state)
{
    Wide wide = { { 0 }, 4, NULL, NULL, NULL };
    OfImmense outer = { NULL };
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    Heap heap;
    (void)state;
    assert_in_range(sweep_allocations(allocate_wide, NULL), 2, 10);
    assert_null(pytree_structure(PYTREE(&wide), NULL, &error));            /* reads through what is NULL */
    assert_error(error.status, PYTREE_NULL_POINTER, ".head", &error);
    memset(&error, 0, sizeof error);
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    assert_null(pytree_structure(PYTREE(&wide), &opt, &error));
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
    assert_heap_clean(&heap);
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate(PYTREE(&outer), NULL, &error), PYTREE_NULL_POINTER, ".inner", &error);
    assert_non_null(strstr(error.message, "expected a template of the Immense to make (its "));
    assert_null(outer.inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_types_with_many_leaves),
        cmocka_unit_test(many_containers_of_stb_ds),
        cmocka_unit_test(two_lists_of_views),
        cmocka_unit_test(as_many_nodes_as_another),
        cmocka_unit_test(many_handles),
        cmocka_unit_test(handles_far_down),
        cmocka_unit_test(strings_of_any_length),
        cmocka_unit_test(structs_too_large_for_the_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
