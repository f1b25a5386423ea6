/* Memory for a struct: pytree_allocate, and how what it makes lies. */
#include "rebuild_shared.h"

/* ---- Allocate ---------------------------------------------------------------------------------------------------------- */

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

/* A static value of each width before an array: what lies there is not taken for a child. */
typedef struct Graded { long double grade; const char *name; int n; float *w, *v; } Graded;

#define PYTREE_STRUCT Graded
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, grade)                                                                                         \
    PYTREE_FIELD(STATIC, name)                                                                                          \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))                                                                               \
    PYTREE_FIELD(DATA, v, ARRAY(2))
#include "pytree_registry.h"

static void static_values_come_before_arrays(void **state)
{
    Graded graded = { 0.5L, "grade", 3, NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&graded), NULL, &error), &error);
    assert_non_null(graded.w);
    assert_non_null(graded.v);
    assert_true(graded.w[2] == 0 && graded.v[1] == 0 && graded.grade == 0.5L);
    pytree_free(PYTREE(&graded));
    graded.v = graded.w = NULL;
    graded.n = -1;
    assert_error(pytree_allocate(PYTREE(&graded), NULL, &error), PYTREE_BAD_COUNT, ".w", &error);
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

/* Structs without pointers in them, numbers, and behind those the one pointer by which the block is found. */
typedef struct Gauge { size_t n; float *marks; } Gauge;
typedef struct Panel { Gauge gauges[2]; uintptr_t numbers[2]; pytree_leaf view; } Panel;

#define PYTREE_STRUCT Gauge
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, marks, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_STRUCT Panel
#define PYTREE_FIELDS PYTREE_FIELD(DATA, gauges) PYTREE_FIELD(DATA, numbers) PYTREE_FIELD(DATA, view)
#include "pytree_registry.h"

/* Numbers are no pointers, whatever they are: not the first one, and none to be cleared. */
static void numbers_that_are_addresses_stay(void **state)
{
    static float elsewhere[64];
    Panel panel;
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    uintptr_t at;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    memset(&panel, 0, sizeof panel);
    panel.view.type = PYTREE_TYPE(short);
    panel.view.ndim = 1;
    panel.view.shape[0] = 4;
    assert_ok(pytree_allocate(PYTREE(&panel), &opt, &error), &error);
    at = (uintptr_t)panel.view.data;
    panel.numbers[0] = at;
    panel.numbers[1] = (uintptr_t)&elsewhere[32];
    pytree_free(PYTREE(&panel));
    assert_heap_clean(&heap);
    assert_null(panel.view.data);
    assert_true(panel.numbers[0] == at && panel.numbers[1] == (uintptr_t)&elsewhere[32]);
}

typedef struct Tin { char label[8]; size_t n; float *beans; } Tin;

#define PYTREE_STRUCT Tin
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, label, STRING) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, beans, ARRAY(self->n))
#include "pytree_registry.h"

/* Static values are the struct's own, with what stands behind the end of a string. */
static void static_values_stay_as_they_are(void **state)
{
    Tin tin = { "ab\0bits", 2, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&tin), NULL, &error), &error);
    assert_memory_equal(tin.label, "ab\0bits", sizeof tin.label);
    assert_true(tin.beans[1] == 0.0f);
    pytree_free(PYTREE(&tin));
    assert_memory_equal(tin.label, "ab\0bits", sizeof tin.label);
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

/* ---- Allocate like another tree ---------------------------------------------------------------------------------------- */

typedef struct Tagged {                   /* strings beside a pointer */
    const char *kind;
    char *name;
    const char *labels[2];
    size_t n;
    const char **words;
    float *w;
    Essay essay;
} Tagged;

#define PYTREE_STRUCT Tagged
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, labels) PYTREE_FIELD(STATIC, n)              \
    PYTREE_FIELD(DATA, words, ARRAY(self->n)) PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(DATA, essay)
#include "pytree_registry.h"

typedef struct Trainer {
    MLP model, gradients;
    Tagged tagged;
} Trainer;

static void members_are_allocated_like_others(void **state)
{
    static const char *words[2] = { "one", "two" };
    float w[2] = { 1.0f, 2.0f };
    char name[] = "name";
    Tagged source = { "kind", name, { "a", "b" }, 2, words, w, { "essay", 3 } };
    Trainer trainer = { .model = mlp_make(3, true) };
    pytree zeros = pytree_zeros_like(PYTREE(&trainer.model), NULL, NULL);
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Heap heap;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_allocate_like(PYTREE(&trainer.gradients), PYTREE(&trainer.model), &opt, &error), &error);
    assert_int_equal(heap.blocks, 1);
    assert_same(PYTREE(&trainer.gradients), zeros);
    assert_apart(PYTREE(&trainer.gradients), PYTREE(&trainer.model));
    assert_one_run(PYTREE(&trainer.gradients), 64);
    trainer.gradients.layers[2].b[0] = 1.0f;
    pytree_free(PYTREE(&trainer.gradients));
    assert_heap_clean(&heap);
    assert_null(trainer.gradients.layers);
    assert_null(trainer.gradients.head);

    assert_ok(pytree_allocate_like(PYTREE(&trainer.tagged), PYTREE(&source), &opt, &error), &error);
    assert_string_equal(trainer.tagged.kind, "kind");
    assert_string_equal(trainer.tagged.name, "name");
    assert_true(trainer.tagged.name != name);
    assert_string_equal(trainer.tagged.labels[1], "b");
    assert_string_equal(trainer.tagged.words[1], "two");
    assert_string_equal(trainer.tagged.essay.text, "essay");
    assert_true(trainer.tagged.essay.number == 0 && trainer.tagged.w[1] == 0.0f && trainer.tagged.n == 2);
    pytree_free(PYTREE(&trainer.tagged));
    assert_heap_clean(&heap);
    assert_null(trainer.tagged.kind);
    assert_null(trainer.tagged.name);
    assert_null(trainer.tagged.labels[0]);
    assert_null(trainer.tagged.labels[1]);
    assert_null(trainer.tagged.words);
    assert_null(trainer.tagged.essay.text);
    pytree_free(zeros);
    mlp_clear(&trainer.model);
}

/* A struct without anything to allocate gets zeros and static values. */
static void structs_without_pointers_are_filled(void **state)
{
    const Point like = { 3.0f, 4.0f };
    Point point = { 1.0f, 2.0f };
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    Linear none = { 0, 7, NULL, NULL }, half = { 0 };
    float number = 1.0f;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_allocate_like(PYTREE(&point), PYTREE(&like), &opt, &error), &error);
    assert_true(point.x == 0.0f && point.y == 0.0f);
    assert_heap_clean(&heap);
    none.b = test_floats(7, 1.0f);
    assert_ok(pytree_allocate_like(PYTREE(&half), PYTREE(&none), &opt, &error), &error);
    assert_true(half.din == 0 && half.dout == 7 && half.b[6] == 0.0f);
    assert_null(half.w);
    pytree_free(PYTREE(&half));
    assert_heap_clean(&heap);
    free(none.b);
    none.dout = 0;                        /* empty arrays are not None, though nothing lies in them */
    none.b = none.w = &number;
    assert_ok(pytree_allocate_like(PYTREE(&half), PYTREE(&none), &opt, &error), &error);
    assert_same(PYTREE(&half), PYTREE(&none));
    pytree_free(PYTREE(&half));
    assert_heap_clean(&heap);
}

typedef struct Holder {
    pytree value;
    float *w;
} Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(DATA, w, ARRAY(2))
#include "pytree_registry.h"

typedef struct Tail {
    size_t n;
    float w[];
} Tail;

#define PYTREE_STRUCT Tail
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n), FLEXIBLE)
#include "pytree_registry.h"

/* `to`, of `bytes` bytes, is refused, and stays as it is. */
static void assert_refused(pytree to, size_t bytes, pytree like, pytree_status status, const char *path, const char *words)
{
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    char before[512];
    assert_true(bytes <= sizeof before);
    if (bytes != 0) { memcpy(before, to.data, bytes); }
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    assert_error(pytree_allocate_like(to, like, &opt, &error), status, path, &error);
    assert_says(&error, words);
    if (bytes != 0) { assert_memory_equal(before, to.data, bytes); }
    assert_heap_clean(&heap);
}

static void allocate_like_refuses(void **state)
{
    static float w[4];
    float number = 1.0f;
    Linear linear = { 2, 2, w, w }, other = { 0 }, set = { 0, 0, NULL, w }, negative = { -1, 2, w, w };
    MLP model = { 0 };
    Holder holder = { PYTREE(&number), w }, empty = { 0 };
    Shelf shelf = shelf_make(), empty_shelf;
    Essay essay = { "text", 1 }, empty_essay = { 0 };
    Tail tail = { 0 };
    pytree_leaf view = { .data = w, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } };
    (void)state;
    memset(&empty_shelf, 0, sizeof empty_shelf);
    assert_refused(PYTREE(&model), sizeof model, PYTREE(&linear), PYTREE_STRUCTURE, "", "expected MLP, got Linear");
    assert_refused(PYTREE(&other), sizeof other, PYTREE(&view), PYTREE_STRUCTURE, "", "expected Linear");
    assert_refused(PYTREE(&set), sizeof set, PYTREE(&linear), PYTREE_ARGUMENT, "", "it would be lost");
    assert_refused(PYTREE(&other), sizeof other, PYTREE(&negative), PYTREE_BAD_COUNT, ".w", "-1");
    assert_refused(PYTREE(&empty), sizeof empty, PYTREE(&holder), PYTREE_STRUCTURE, ".value", "a struct of the caller's");
    assert_refused(PYTREE(&empty_shelf), sizeof empty_shelf, PYTREE(&shelf), PYTREE_STRUCTURE, ".places",
                   "a struct of the caller's");
    assert_refused(PYTREE(&empty_essay), sizeof empty_essay, PYTREE(&essay), PYTREE_TYPE, "", "got Essay with strings only");
    assert_refused(PYTREE(&tail), sizeof tail, PYTREE(&tail), PYTREE_ARGUMENT, "", "a flexible array");
    assert_refused(PYTREE(&number), sizeof number, PYTREE(&number), PYTREE_ARGUMENT, "", "a struct to allocate for, got float");
    assert_refused((pytree){ PYTREE_TYPE(Linear), NULL }, 0, PYTREE(&linear), PYTREE_ARGUMENT, "", "got NULL");
    shelf_clear(&shelf);
}

/* ---- Layout ------------------------------------------------------------------------------------------------------------ */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocate_a_struct),
        cmocka_unit_test(static_values_come_before_arrays),
        cmocka_unit_test(alignment_is_an_option),
        cmocka_unit_test(lists_and_structs_are_templates),
        cmocka_unit_test(what_is_wanted_is_made),
        cmocka_unit_test(small_allocations_are_given_back),
        cmocka_unit_test(numbers_that_are_addresses_stay),
        cmocka_unit_test(static_values_stay_as_they_are),
        cmocka_unit_test(chains_are_templates),
        cmocka_unit_test(allocate_refuses_to_lose_a_pointer),
        cmocka_unit_test(members_are_allocated_like_others),
        cmocka_unit_test(structs_without_pointers_are_filled),
        cmocka_unit_test(allocate_like_refuses),
        cmocka_unit_test(trees_of_one_structure_line_up),
        cmocka_unit_test(blocks_begin_at_different_offsets)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
