/* Rows with WITH: static values that a struct gives to those in it. */
#include "rows_shared.h"

typedef struct Attention { int length; short width; const char *name; float *w; float scale; } Attention;
typedef struct Block { int length; size_t width; Attention attention, *memory, heads[2]; float *bias; } Block;
typedef struct Model { int length; unsigned width, n; Block *blocks; Block first; double rate; } Model;

#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, length) PYTREE_FIELD(STATIC, width) PYTREE_FIELD(STATIC, name)                                 \
    PYTREE_FIELD(DATA, w, ARRAY(self->length, self->width)) PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, length) PYTREE_FIELD(STATIC, width)                                                            \
    PYTREE_FIELD(DATA, attention, WITH(length, self->length, width, self->width))                                       \
    PYTREE_FIELD(DATA, memory, WITH(length, 2 * self->length, width, self->width), OPTIONAL)                            \
    PYTREE_FIELD(DATA, heads, WITH(length, self->length, width, self->width / 2))                                       \
    PYTREE_FIELD(DATA, bias, ARRAY(self->width))
#include "pytree_registry.h"

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, length) PYTREE_FIELD(STATIC, width) PYTREE_FIELD(STATIC, n)                                    \
    PYTREE_FIELD(DATA, blocks, LIST(self->n, WITH(length, self->length, width, self->width)))                           \
    PYTREE_FIELD(DATA, first, WITH(length, self->length, width, self->width)) PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"

typedef struct Huge { size_t n; Attention *all; } Huge;

#define PYTREE_STRUCT Huge
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n, WITH(length, 3)))
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Attention), PYTREE_TYPE(Block), PYTREE_TYPE(Model) };

static Model model_make(void)
{
    Model m = { .length = 3, .width = 4, .n = 1, .rate = 0.5 };
    m.first.attention.name = "first";
    m.first.attention.scale = 2.0f;
    m.first.memory = PYTREE_WANTED;
    return m;
}

static void sizes_stand_once(void **state)
{
    Model m = model_make();
    char text[ROWS_TEXT];
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&m), NULL, &error), &error);
    assert_string_equal(rows_printed(PYTREE(&m), text),
                        ".blocks[0].attention.w  f32[3,4]\n.blocks[0].attention.scale  f32 0.0\n"
                        ".blocks[0].heads[0].w  f32[3,2]\n.blocks[0].heads[0].scale  f32 0.0\n"
                        ".blocks[0].heads[1].w  f32[3,2]\n.blocks[0].heads[1].scale  f32 0.0\n.blocks[0].bias  f32[4]\n"
                        ".first.attention.w  f32[3,4]\n.first.attention.scale  f32 2.0\n"
                        ".first.memory.w  f32[6,4]\n.first.memory.scale  f32 0.0\n"
                        ".first.heads[0].w  f32[3,2]\n.first.heads[0].scale  f32 0.0\n"
                        ".first.heads[1].w  f32[3,2]\n.first.heads[1].scale  f32 0.0\n.first.bias  f32[4]\n.rate  f64 0.5\n");
    assert_true(m.blocks[0].width == 4 && m.blocks[0].heads[1].width == 2 && m.first.memory->length == 6);
    assert_string_equal(m.first.attention.name, "first");
    m.blocks[0].heads[1].w[5] = m.first.memory->w[23] = 1.0f;
    rows_assert_round_trip(PYTREE(&m), COUNT_OF(types), types);
    pytree_free(PYTREE(&m));
    assert_true(m.blocks == NULL && m.first.attention.w == NULL && m.first.attention.length == 3);
    assert_string_equal(m.first.attention.name, "first");
}

static pytree_status allocate(void *context, const pytree_options *opt, pytree_error *error)
{
    Model m = model_make(), before = m;
    Block mine[2];
    (void)context;
    if (pytree_allocate(PYTREE(&m), opt, error) != PYTREE_OK) {
        assert_memory_equal(&m, &before, sizeof m);
        return error->status;
    }
    pytree_free(PYTREE(&m));
    memset(mine, 0, sizeof mine);
    mine[1].attention.scale = 3.0f;
    m.n = 2;
    m.blocks = mine;                      /* there already, without sizes */
    if (pytree_allocate(PYTREE(&m), opt, error) != PYTREE_OK) {
        assert_true(mine[0].length == 0 && mine[1].attention.w == NULL);
        return error->status;
    }
    assert_true(m.blocks != mine && m.blocks[1].attention.length == 3 && m.blocks[1].attention.scale == 3.0f);
    m.blocks[1].attention.w[11] = 1.0f;
    assert_int_equal(mine[1].length, 0);
    pytree_free(PYTREE(&m));
    return PYTREE_OK;
}

static void nothing_changes_where_memory_runs_out(void **state)
{
    (void)state;
    assert_true(sweep_allocations(allocate, NULL) >= 4);
}

static void another_value_is_an_error(void **state)
{
    Model m = model_make();
    pytree_error error = { 0 };
    pytree_leaf leaves[ROWS_LEAVES];
    pytree_def *def;
    size_t n;
    (void)state;
    m.first.attention.width = 5;
    assert_error(pytree_allocate(PYTREE(&m), NULL, &error), PYTREE_VALUE, ".first.attention", &error);
    assert_string_equal(error.message, "expected width of each Attention as WITH gives it, got another value");
    m.first.attention.width = 0;
    memset(&error, 0, sizeof error);
    assert_ok(pytree_allocate(PYTREE(&m), NULL, &error), &error);
    def = pytree_structure(PYTREE(&m), NULL, &error);
    assert_ok(pytree_leaves(PYTREE(&m), leaves, ROWS_LEAVES, &n, NULL, &error), &error);
    m.blocks[0].heads[1].length = 2;
    assert_int_equal(pytree_num_leaves(PYTREE(&m), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_VALUE, ".blocks[0].heads", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_clone(PYTREE(&m), NULL, &error).data);
    assert_error(error.status, PYTREE_VALUE, ".blocks[0].heads", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_check(PYTREE(&m), NULL, NULL, NULL, &error), PYTREE_VALUE, ".blocks[0].heads", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_unflatten_into(def, n, leaves, PYTREE(&m), NULL, &error), PYTREE_VALUE, ".blocks[0].heads", &error);
    m.blocks[0].heads[1].length = 3;
    pytree_def_free(def);
    pytree_free(PYTREE(&m));
}

static void a_treedef_with_another_value_is_refused(void **state)
{
    static const char *const texts[] = {
        "PyTreeDef(CustomNode(Block[(3, 4)], [CustomNode(Attention[(3, 4, None)], [*, *]), None, "
        "(CustomNode(Attention[(3, 2, None)], [*, *]), CustomNode(Attention[(3, 2, None)], [*, *])), *]))",
        "PyTreeDef(CustomNode(Block[(3, 4)], [CustomNode(Attention[(3, 4, None)], [*, *]), None, "
        "(CustomNode(Attention[(3, 2, None)], [*, *]), CustomNode(Attention[(2, 2, None)], [*, *])), *]))",
    };
    static const int extents[2][4] = { { 4, 2, 2, 4 }, { 4, 2, 2, 4 } };
    float numbers[12] = { 0 };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(texts); i++) {
        pytree_error error = { 0 };
        pytree_def *def = pytree_def_parse(texts[i], types, COUNT_OF(types), NULL, &error);
        pytree_leaf leaves[7];
        pytree made;
        assert_ok(error.status, &error);
        for (k = 0; k < 7; k++) {
            leaves[k] = (pytree_leaf){ .data = numbers, .type = PYTREE_TYPE(float), .ndim = k == 6 ? 1 : k % 2 == 0 ? 2 : 0 };
            leaves[k].shape[0] = k == 6 ? 4 : i == 1 && k == 4 ? 2 : 3;
            leaves[k].shape[1] = (size_t)extents[i][k / 2];
        }
        made = pytree_unflatten(def, 7, leaves, NULL, &error);
        if (i == 0) {
            assert_ok(error.status, &error);
            pytree_free(made);
        } else {
            assert_null(made.data);
            assert_error(error.status, PYTREE_STRUCTURE, ".heads", &error);
        }
        pytree_def_free(def);
    }
}

/* The first of several elements is told, and a list that is NULL has none. */
static void the_first_element_with_another_value(void **state)
{
    Model m = model_make();
    pytree_error error = { 0 };
    Block *blocks;
    (void)state;
    m.n = 2;
    assert_ok(pytree_allocate(PYTREE(&m), NULL, &error), &error);
    m.blocks[0].length = 4;
    assert_int_equal(pytree_num_leaves(PYTREE(&m), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_VALUE, ".blocks", &error);
    memset(&error, 0, sizeof error);
    m.blocks[0].length = 3;
    m.blocks[1].length = 4;
    assert_int_equal(pytree_num_leaves(PYTREE(&m), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_VALUE, ".blocks", &error);
    m.blocks[1].length = 3;
    blocks = m.blocks;
    m.blocks = NULL;
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_num_leaves(PYTREE(&m), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, ".blocks", &error);
    m.blocks = blocks;
    pytree_free(PYTREE(&m));
}

/* Nothing is filled in where there cannot be so many. */
static void more_than_fit_memory(void **state)
{
    Huge huge = { SIZE_MAX / 2, NULL };
    Heap heap;
    const pytree_options opt = { .allocator = &heap.allocator };
    pytree_error error = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    assert_error(pytree_allocate(PYTREE(&huge), &opt, &error), PYTREE_BAD_COUNT, ".all", &error);
    assert_null(huge.all);
    assert_heap_clean(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_stand_once),
        cmocka_unit_test(nothing_changes_where_memory_runs_out),
        cmocka_unit_test(another_value_is_an_error),
        cmocka_unit_test(a_treedef_with_another_value_is_refused),
        cmocka_unit_test(the_first_element_with_another_value),
        cmocka_unit_test(more_than_fit_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
