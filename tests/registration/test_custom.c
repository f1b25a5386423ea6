/* Nodes whose children their own callbacks find: PYTREE_CUSTOM. */
#include "support.h"
#include "pytree/algebra.h"

/* ---- Two types: a box of anything with a tag, and a linked list whose children have names ------------------------------ */

typedef struct Box {
    size_t n;
    pytree *items;
    char tag[8];
} Box;

static int box_rebuilds_that_succeed = INT_MAX;                /* how many more do */
static int boxes_alive;                                        /* rebuilt and not released */
static size_t box_lie;                                         /* what the second call answers too much */

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Box *box = self;
    size_t i;
    assert_null(keys);
    for (i = 0; children != NULL && i < box->n; i++) {
        children[i] = box->items[i];
    }
    return box->n + (children != NULL ? box_lie : 0);
}

static size_t box_metadata(const void *self, void *to)
{
    const Box *box = self;
    size_t n = strlen(box->tag);
    if (to != NULL) {
        memcpy(to, box->tag, n);
    }
    return n;
}

static size_t box_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    return (size_t)snprintf(text, n, "%.*s", (int)bytes, (const char *)metadata);
}

static pytree_status box_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    Box *box = self;
    if (box_rebuilds_that_succeed == 0) {
        return PYTREE_VALUE;
    }
    box_rebuilds_that_succeed--;
    assert_int_equal(box->n, 0);                               /* zeroed */
    box->items = malloc((n + 1) * sizeof *box->items);
    assert_non_null(box->items);
    box->n = n;
    if (n != 0) {
        memcpy(box->items, children, n * sizeof *children);
    }
    memcpy(box->tag, metadata, bytes);
    boxes_alive++;
    return PYTREE_OK;
}

static void box_release(void *self)
{
    free(((Box *)self)->items);
    boxes_alive--;
}

static const pytree_custom box_callbacks = {
    .children = box_children, .metadata = box_metadata, .print = box_print, .rebuild = box_rebuild, .release = box_release
};

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef struct Part {
    const char *name;
    double value;
    struct Part *next;
} Part;

typedef struct Chain {
    Part *first;
} Chain;

static size_t chain_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Part *part = ((const Chain *)self)->first;
    size_t n = 0;
    for (; part != NULL; part = part->next, n++) {
        if (children != NULL) {
            children[n] = PYTREE(&part->value);
            keys[n].kind = n % 3 == 0 ? PYTREE_ATTRIBUTE : n % 3 == 1 ? PYTREE_KEY : PYTREE_INT_KEY;
            keys[n].name = n % 3 == 2 ? NULL : part->name;
            keys[n].index = n % 3 == 2 ? (pytree_key_index)(int64_t)-5 : n;
        }
    }
    return n;
}

static const pytree_custom chain_callbacks = { .children = chain_children, .keyed = true };

#define PYTREE_STRUCT Chain
#define PYTREE_CUSTOM chain_callbacks
#include "pytree_registry.h"

/* A struct with custom members of every place: in itself, behind a pointer, in a list, in a fixed array. */
typedef struct Crate {
    int n;
    Box inside;
    Box *behind;                          /* NULL when there is none */
    Box *many;
    Box two[2];
} Crate;

#define PYTREE_STRUCT Crate
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, inside)                                                                                          \
    PYTREE_FIELD(DATA, behind, OPTIONAL)                                                                                \
    PYTREE_FIELD(DATA, many, LIST(self->n))                                                                             \
    PYTREE_FIELD(DATA, two)
#include "pytree_registry.h"

/* A box in a box, and beside it a number and None. */
typedef struct Boxes {
    double numbers[3];
    pytree inner_items[1], outer_items[3];
    Box inner, outer;
} Boxes;

static void boxes_fill(Boxes *boxes)
{
    int i;
    memset(boxes, 0, sizeof *boxes);
    for (i = 0; i < 3; i++) {
        boxes->numbers[i] = i + 0.5;
    }
    boxes->inner_items[0] = PYTREE(&boxes->numbers[0]);
    boxes->inner.n = 1;
    boxes->inner.items = boxes->inner_items;
    strcpy(boxes->inner.tag, "in");
    boxes->outer_items[0] = PYTREE(&boxes->numbers[1]);
    boxes->outer_items[1] = PYTREE(&boxes->inner);
    boxes->outer_items[2] = PYTREE_NONE;
    boxes->outer.n = 3;
    boxes->outer.items = boxes->outer_items;
    strcpy(boxes->outer.tag, "out");
}

/* ---- Looking ----------------------------------------------------------------------------------------------------------- */

static void structure_and_paths(void **state)
{
    Boxes boxes;
    const char **paths;
    size_t n;
    pytree_error error = { 0 };
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    boxes_fill(&boxes);
    assert_def_text(PYTREE(&boxes.outer), "PyTreeDef(CustomNode(Box[out], [*, CustomNode(Box[in], [*]), None]))", NULL);
    assert_def_text(PYTREE(&boxes.outer), "PyTreeDef(CustomNode(Box[out], [*, CustomNode(Box[in], [*]), *]), NoneIsLeaf)",
                    &none);
    paths = pytree_paths(PYTREE(&boxes.outer), NULL, &n, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(n, 2);
    assert_string_equal(paths[0], "[<flat index 0>]");
    assert_string_equal(paths[1], "[<flat index 1>][<flat index 0>]");
    pytree_paths_free(paths);
}

static void keyed_children(void **state)
{
    Part parts[4] = { { "a", 1, &parts[1] }, { "b's", 2, &parts[2] }, { "c", 3, &parts[3] }, { "d", 4, NULL } };
    Chain chain = { parts }, empty = { NULL };
    pytree_entry entry;
    pytree_def *def;
    const char **paths;
    size_t n, i;
    static const char *const expected[] = { ".a", "[\"b's\"]", "[-5]", ".d" };
    pytree_error error = { 0 };
    (void)state;
    assert_def_text(PYTREE(&chain), "PyTreeDef(CustomNode(Chain[None], [*, *, *, *]))", NULL);
    assert_def_text(PYTREE(&empty), "PyTreeDef(CustomNode(Chain[None], []))", NULL);
    paths = pytree_paths(PYTREE(&chain), NULL, &n, NULL, &error);
    def = pytree_structure(PYTREE(&chain), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(n, 4);
    for (i = 0; i < 4; i++) {
        assert_string_equal(paths[i], expected[i]);
        assert_ok(pytree_def_entry(def, (ptrdiff_t)i, &entry, &error), &error);
        assert_int_equal(entry.kind, i == 2 ? PYTREE_INT_KEY : i == 1 ? PYTREE_KEY : PYTREE_ATTRIBUTE);
        if (i == 2) { assert_true((int64_t)entry.index == -5); } else { assert_string_equal(entry.name, parts[i].name); }
    }
    pytree_paths_free(paths);
    pytree_def_free(def);
}

/* Each byte of metadata of any length counts for the hash of a treedef. */
static void every_byte_of_metadata_is_hashed(void **state)
{
    size_t n, i;
    (void)state;
    for (n = 1; n < 8; n++) {
        for (i = 0; i < n; i++) {
            Box one = { 0, NULL, "" }, other = { 0, NULL, "" };
            pytree_def *a, *b;
            memset(one.tag, 'a', n);
            memset(other.tag, 'a', n);
            other.tag[i] = 'b';
            a = pytree_structure(PYTREE(&one), NULL, NULL);
            b = pytree_structure(PYTREE(&other), NULL, NULL);
            assert_false(pytree_def_equal(a, b) || pytree_def_hash(a) == pytree_def_hash(b));
            pytree_def_free(a);
            pytree_def_free(b);
        }
    }
}

/* Keys are structure: nodes that differ in nothing else are not equal, and the message names a key that they do not share. */
static void other_keys_are_another_structure(void **state)
{
    Part one = { "x", 1, NULL }, other = { "y", 1, NULL };
    Chain a = { &one }, b = { &other };
    pytree_def *da = pytree_structure(PYTREE(&a), NULL, NULL), *db = pytree_structure(PYTREE(&b), NULL, NULL);
    pytree_prefix_error_list *list = pytree_prefix_errors(PYTREE(&a), db, "in_axes", NULL, NULL);
    pytree_leaf leaf;
    (void)state;
    assert_false(pytree_def_equal(da, db));
    assert_false(pytree_def_is_prefix(da, db, false, NULL, NULL));
    assert_int_equal(list->n, 1);
    assert_non_null(strstr(list->errors[0].message, "with .x, got Chain"));
    assert_non_null(strstr(list->errors[0].message, "with .y"));
    assert_int_equal(pytree_leaves(PYTREE(&a), &leaf, 1, NULL, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_unflatten_into(db, 1, &leaf, PYTREE(&b), NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_unflatten_into(da, 1, &leaf, PYTREE(&b), NULL, NULL), PYTREE_STRUCTURE);
    pytree_prefix_errors_free(list);
    pytree_def_free(da);
    pytree_def_free(db);
}

static void metadata_and_keys_are_structure(void **state)
{
    Boxes a, b;
    Part parts[2] = { { "a", 1, &parts[1] }, { "b", 2, NULL } }, others[2] = { { "a", 1, &others[1] }, { "c", 2, NULL } };
    Chain chain = { parts }, other = { others };
    pytree_prefix_error_list *list;
    pytree_def *x, *y;
    pytree_error error = { 0 };
    (void)state;
    boxes_fill(&a);
    boxes_fill(&b);
    assert_true(pytree_equal(PYTREE(&a.outer), PYTREE(&b.outer), NULL, NULL, &error));
    strcpy(b.inner.tag, "on");
    assert_false(pytree_equal(PYTREE(&a.outer), PYTREE(&b.outer), NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[<flat index 1>]", &error);
    x = pytree_structure(PYTREE(&a.outer), NULL, NULL);
    y = pytree_structure(PYTREE(&b.outer), NULL, NULL);
    assert_false(pytree_def_equal(x, y));
    pytree_def_free(y);
    strcpy(b.inner.tag, "in");
    y = pytree_structure(PYTREE(&b.outer), NULL, NULL);
    assert_true(pytree_def_equal(x, y));
    assert_true(pytree_def_hash(x) == pytree_def_hash(y));
    pytree_def_free(x);
    pytree_def_free(y);
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal(PYTREE(&chain), PYTREE(&other), NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_non_null(strstr(error.message, "'c'"));
    y = pytree_structure(PYTREE(&other), NULL, NULL);
    list = pytree_prefix_errors(PYTREE(&chain), y, "axes", NULL, NULL);        /* both sides are told apart */
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_string_equal(list->errors[0].message,
                        "axes: different metadata: expected Chain[None] with .a, ['b'], got Chain[None] with .a, ['c']");
    pytree_prefix_errors_free(list);
    pytree_def_free(y);
}

static void bytes_are_printed_as_python_does(void **state)
{
    static const pytree_custom silent = { .children = box_children, .metadata = box_metadata };
    pytree_type type = *PYTREE_TYPE(Box);
    Boxes boxes;
    pytree tree;
    (void)state;
    type.custom = &silent;
    boxes_fill(&boxes);
    boxes.inner.tag[1] = '\t';
    tree.type = &type;
    tree.data = &boxes.inner;
    assert_def_text(tree, "PyTreeDef(CustomNode(Box[b'\\x69\\x09'], [*]))", NULL);
}

static void walked_and_mapped(void **state)
{
    Boxes a, b;
    pytree_leaf children[3];
    pytree_iter it;
    size_t n = 0;
    pytree_error error = { 0 };
    pytree trees[2];
    (void)state;
    boxes_fill(&a);
    boxes_fill(&b);
    b.numbers[0] = 10;
    trees[0] = PYTREE(&a.outer);
    trees[1] = PYTREE(&b.outer);
    assert_ok(pytree_iter_begin(&it, 2, trees, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        n++;
        assert_true(it.leaf[0]->data == &a.numbers[n % 2]);
        assert_true(it.leaf[1]->data == &b.numbers[n % 2]);
    }
    pytree_iter_end(&it);
    assert_int_equal(n, 2);
    assert_ok(pytree_copy_into(PYTREE(&a.outer), PYTREE(&b.outer), NULL, &error), &error);
    assert_true(a.numbers[0] == 10);
    assert_ok(pytree_children(PYTREE(&a.outer), children, NULL, 3, &n, NULL, &error), &error);
    assert_int_equal(n, 3);
    assert_ok(pytree_num_leaves(pytree_of_view(&children[1]), NULL, &error) == 1 ? PYTREE_OK : PYTREE_VALUE, &error);
    assert_ok(pytree_check(PYTREE(&a.outer), NULL, NULL, NULL, &error), &error);
}

static void cycles_and_lies_are_found(void **state)
{
    Boxes boxes;
    Part nameless = { NULL, 1, NULL };
    Chain chain = { &nameless };
    pytree_error error = { 0 };
    (void)state;
    boxes_fill(&boxes);
    boxes.inner_items[0] = PYTREE(&boxes.outer);
    assert_null(pytree_structure(PYTREE(&boxes.outer), NULL, &error));
    assert_error(error.status, PYTREE_CYCLE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_check(PYTREE(&boxes.outer), NULL, NULL, NULL, &error), PYTREE_CYCLE, NULL, &error);
    boxes_fill(&boxes);
    box_lie = 1;
    memset(&error, 0, sizeof error);
    assert_null(pytree_structure(PYTREE(&boxes.outer), NULL, &error));
    box_lie = 0;
    assert_error(error.status, PYTREE_BAD_COUNT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_structure(PYTREE(&chain), NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
}

static size_t too_many_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return SIZE_MAX;
}

static size_t child_of_no_kind(const void *self, pytree *children, pytree_entry *keys)
{
    if (children != NULL) {
        children[0] = ((const Box *)self)->items[0];
        keys[0].kind = (pytree_entry_kind)(PYTREE_INT_KEY + 1);
    }
    return 1;
}

static void answers_that_cannot_be(void **state)
{
    static const pytree_custom many = { .children = too_many_children };
    static const pytree_custom wild = { .children = child_of_no_kind, .keyed = true };
    pytree_type type = *PYTREE_TYPE(Box);
    Boxes boxes;
    pytree tree = { &type, &boxes.inner };
    pytree_error error = { 0 };
    (void)state;
    boxes_fill(&boxes);
    type.custom = &many;
    assert_null(pytree_structure(tree, NULL, &error));
    if (sizeof(size_t) < 8) {             /* with 32 bits there is only no memory for as many */
        assert_int_equal(error.status, PYTREE_NO_MEMORY);
    } else {
        assert_error(error.status, PYTREE_BAD_COUNT, "", &error);
        assert_non_null(strstr(error.message, "children of Box"));
    }
    type.custom = &wild;
    memset(&error, 0, sizeof error);
    assert_null(pytree_structure(tree, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_non_null(strstr(error.message, "kind of key"));
}

static void children_are_required(void **state)
{
    static const pytree_custom childless = { .metadata = box_metadata };
    pytree_type type = *PYTREE_TYPE(Box);
    Boxes boxes;
    pytree tree = { &type, &boxes.inner };
    pytree_error error = { 0 };
    (void)state;
    type.custom = &childless;
    boxes_fill(&boxes);
    assert_null(pytree_structure(PYTREE_LIST(tree), NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "[0]", &error);
    assert_string_equal(error.message, "expected a children callback for Box, got NULL");
    memset(&error, 0, sizeof error);
    assert_error(pytree_check(PYTREE_LIST(tree), NULL, NULL, NULL, &error), PYTREE_ARGUMENT, "[0]", &error);
}

/* ---- Rebuilding -------------------------------------------------------------------------------------------------------- */

static void rebuilt_and_released(void **state)
{
    Boxes boxes;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    const Box *box;
    pytree_error error = { 0 };
    (void)state;
    boxes_fill(&boxes);
    assert_ok(pytree_flatten(PYTREE(&boxes.outer), &leaves, 0, &def, NULL, &error), &error);
    made = pytree_unflatten(def, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    box = made.data;
    assert_string_equal(box->tag, "out");
    assert_int_equal(box->n, 3);
    assert_true(box->items[0].data == &boxes.numbers[1]);      /* refers to the leaf */
    assert_string_equal(((const Box *)box->items[1].data)->tag, "in");
    assert_int_equal(boxes_alive, 2);
    pytree_free(made);
    assert_int_equal(boxes_alive, 0);
    made = pytree_clone(PYTREE(&boxes.outer), NULL, &error);
    assert_true(pytree_equal(made, PYTREE(&boxes.outer), NULL, NULL, &error));
    box = made.data;
    assert_true(box->items[0].data != &boxes.numbers[1]);
    pytree_free(made);
    made = pytree_zeros_like(PYTREE(&boxes.outer), NULL, &error);
    assert_ok(error.status, &error);
    box = made.data;
    assert_true(*(const double *)box->items[0].data == 0);
    pytree_free(made);
    assert_int_equal(boxes_alive, 0);
    pytree_def_free(def);
}

static void a_rebuild_that_fails_fails_all(void **state)
{
    Boxes boxes;
    int n;
    (void)state;
    boxes_fill(&boxes);
    for (n = 0; n < 2; n++) {
        pytree_error error = { 0 };
        pytree made;
        box_rebuilds_that_succeed = n;
        made = pytree_clone(PYTREE_LIST(PYTREE(&boxes.outer)), NULL, &error);
        box_rebuilds_that_succeed = INT_MAX;
        assert_null(made.data);
        /* the one inside comes first */
        assert_error(error.status, PYTREE_VALUE, n == 0 ? "[0][<flat index 1>]" : "[0]", &error);
        assert_int_equal(boxes_alive, 0);
    }
}

static void what_cannot_be_rebuilt(void **state)
{
    Part part = { "a", 1, NULL };
    Chain chain = { &part };
    pytree_error error = { 0 };
    pytree made = pytree_clone(PYTREE_LIST(PYTREE(&chain)), NULL, &error);
    (void)state;
    assert_null(made.data);
    assert_error(error.status, PYTREE_STRUCTURE, "[0]", &error);
}

static void members_of_a_struct(void **state)
{
    Boxes boxes[5];
    Box many[2];
    Crate crate = { 0 };
    pytree made;
    const Crate *copy;
    pytree_error error = { 0 };
    int i;
    (void)state;
    for (i = 0; i < 5; i++) {
        boxes_fill(&boxes[i]);
        boxes[i].numbers[0] = i;
    }
    crate.n = 2;
    crate.inside = boxes[0].outer;
    crate.behind = &boxes[1].inner;
    crate.many = many;
    many[0] = boxes[2].inner;
    many[1] = boxes[3].outer;
    crate.two[0] = boxes[4].inner;
    assert_def_text(PYTREE(&crate),
                    "PyTreeDef(CustomNode(Crate[(2,)], [CustomNode(Box[out], [*, CustomNode(Box[in], [*]), None]), "
                    "CustomNode(Box[in], [*]), [CustomNode(Box[in], [*]), CustomNode(Box[out], [*, CustomNode(Box[in], [*]), "
                    "None])], (CustomNode(Box[in], [*]), CustomNode(Box[], []))]))", NULL);
    made = pytree_clone(PYTREE(&crate), NULL, &error);
    assert_ok(error.status, &error);
    copy = made.data;
    assert_true(pytree_equal(PYTREE(copy), PYTREE(&crate), NULL, NULL, &error));
    assert_true(copy->many[1].items[0].data != many[1].items[0].data);
    assert_int_equal(boxes_alive, 8);
    pytree_free(made);
    assert_int_equal(boxes_alive, 0);
    /* pytree_allocate leaves them alone */
    assert_ok(pytree_allocate(PYTREE(&crate), NULL, &error), &error);
    assert_true(crate.behind == &boxes[1].inner);
    assert_true(crate.inside.items == boxes[0].outer_items);
    pytree_free(PYTREE(&crate));
    assert_true(crate.behind == &boxes[1].inner);
}

static pytree_status sweep_clone(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree made = pytree_clone(PYTREE((Box *)context), opt, err);
    pytree_status status = err->status;
    assert_int_equal(boxes_alive, made.data != NULL ? 2 : 0);
    if (status == PYTREE_OK && !pytree_equal(made, PYTREE((Box *)context), NULL, opt, err)) {
        status = err->status;
    }
    pytree_free(made);
    assert_int_equal(boxes_alive, 0);
    return status;
}

static void sweeps(void **state)
{
    enum { MANY = 300 };                  /* children that need memory to be looked at */
    static pytree items[MANY];
    Boxes boxes;
    size_t i;
    (void)state;
    boxes_fill(&boxes);
    for (i = 0; i < MANY; i++) {
        items[i] = i == MANY / 2 ? PYTREE(&boxes.inner) : PYTREE(&boxes.numbers[0]);
    }
    boxes.outer.n = MANY;
    boxes.outer.items = items;
    assert_true(sweep_allocations(sweep_clone, &boxes.outer) >= 3);
}

/* ---- Callbacks that answer otherwise the next time ---------------------------------------------------------------------- */

/* Answers the truth for so many calls, and then has more metadata, or children in another order. */
typedef struct Fickle { int calls, truthful; size_t more; bool again; pytree first, second; } Fickle;

static size_t fickle_children(const void *self, pytree *children, pytree_entry *keys)
{
    Fickle *const f = (Fickle *)(uintptr_t)self;
    (void)keys;
    if (children != NULL) { children[0] = f->calls++ < f->truthful ? f->first : f->second; }
    return 1;
}

static size_t fickle_metadata(const void *self, void *to)
{
    Fickle *const f = (Fickle *)(uintptr_t)self;
    const size_t n = 4 + (f->calls >= f->truthful ? f->more : 0);
    if (to != NULL) { memset(to, 'm', n); }
    return n;
}

static size_t halting_metadata(const void *self, void *to)
{
    Fickle *const f = (Fickle *)(uintptr_t)self;
    if (to != NULL) { memset(to, 'm', 4); }
    return to != NULL && f->again ? 5 : 4;
}

static const pytree_custom fickle_callbacks = { .children = fickle_children, .metadata = fickle_metadata };
static const pytree_custom halting_callbacks = { .children = fickle_children, .metadata = halting_metadata };

#define PYTREE_STRUCT Fickle
#define PYTREE_CUSTOM fickle_callbacks
#include "pytree_registry.h"

typedef struct Halting { Fickle fickle; } Halting;
#define PYTREE_STRUCT Halting
#define PYTREE_CUSTOM halting_callbacks
#include "pytree_registry.h"

static void trees_that_change_while_they_are_flattened(void **state)
{
    static const size_t more[] = { 1, 2000 };
    enum { N = 40 };
    float numbers[4] = { 0.0f };
    int x = 1;
    const pytree sorted = PYTREE_DICT({ "a", PYTREE(&x) }, { "b", PYTREE(&x) });
    const pytree unsorted = PYTREE_DICT({ "b", PYTREE(&x) }, { "a", PYTREE(&x) });
    Linear layers[N];
    Fickle fickle;
    Halting halting;
    pytree items[N + 1];
    pytree_items list = { 0 };
    const pytree tree = { &pytree_types[PYTREE__T_list], &list };
    size_t i, k;
    (void)state;
    list.count = N + 1;
    list.items = items;
    for (i = 0; i < N; i++) {
        const Linear layer = { 2, 2, numbers, numbers };
        layers[i] = layer;
        items[i + 1] = PYTREE(&layers[i]);
    }
    for (k = 0; k < 4; k++) {             /* more metadata, by a little and by much; another order; nothing */
        pytree_error error = { 0 };
        pytree_def *def;
        memset(&fickle, 0, sizeof fickle);
        fickle.truthful = k < 3 ? 1 : INT_MAX;                 /* the first pass */
        fickle.more = k < 2 ? more[k] : 0;
        fickle.first = sorted;
        fickle.second = k == 2 ? unsorted : sorted;
        items[0] = PYTREE(&fickle);
        def = pytree_structure(tree, NULL, &error);
        if (k == 3) {
            assert_ok(error.status, &error);
            assert_non_null(def);
        } else {
            assert_null(def);
            assert_int_not_equal(error.status, PYTREE_OK);
        }
        pytree_def_free(def);
    }
    for (k = 0; k < 2; k++) {             /* the two calls of one opening */
        pytree_error error = { 0 };
        memset(&halting, 0, sizeof halting);
        halting.fickle.again = k != 0;
        halting.fickle.truthful = INT_MAX;
        halting.fickle.first = sorted;
        assert_int_equal(pytree_num_leaves(PYTREE(&halting), NULL, &error), k == 0 ? 2 : SIZE_MAX);
        assert_int_equal(error.status, k == 0 ? PYTREE_OK : PYTREE_BAD_COUNT);
    }
}

/* The length of metadata stands before them in 32 bits. */
static size_t immense_metadata(const void *self, void *to)
{
    (void)self;
    assert_null(to);
    return UINT32_MAX;
}

static void metadata_of_four_gigabytes(void **state)
{
    static const pytree_custom immense = { .children = box_children, .metadata = immense_metadata };
    pytree_type type = *PYTREE_TYPE(Box);
    Boxes boxes;
    pytree tree = { &type, &boxes.inner };
    pytree_error error = { 0 };
    (void)state;
    if (SIZE_MAX == UINT32_MAX) { return; }                    /* says there that the node cannot be written */
    type.custom = &immense;
    boxes_fill(&boxes);
    assert_null(pytree_structure(PYTREE_LIST(tree), NULL, &error));
    assert_error(error.status, PYTREE_OVERFLOW, "[0]", &error);
    assert_string_equal(error.message, "expected metadata of less than 4 GiB, got 4294967295 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_and_paths),
        cmocka_unit_test(keyed_children), cmocka_unit_test(other_keys_are_another_structure),
        cmocka_unit_test(every_byte_of_metadata_is_hashed),
        cmocka_unit_test(metadata_and_keys_are_structure),
        cmocka_unit_test(bytes_are_printed_as_python_does),
        cmocka_unit_test(walked_and_mapped),
        cmocka_unit_test(cycles_and_lies_are_found),
        cmocka_unit_test(children_are_required),
        cmocka_unit_test(answers_that_cannot_be),
        cmocka_unit_test(rebuilt_and_released),
        cmocka_unit_test(a_rebuild_that_fails_fails_all),
        cmocka_unit_test(what_cannot_be_rebuilt),
        cmocka_unit_test(members_of_a_struct),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(trees_that_change_while_they_are_flattened),
        cmocka_unit_test(metadata_of_four_gigabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
