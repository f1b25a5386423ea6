/* Registration of structs in structs, leaf types, trees inside trees, aliases. */
#include "registration_shared.h"

/* ---- Structs in structs ------------------------------------------------------------------------------------------------ */

typedef struct Box {
    Point low, high;
} Box;

#define PYTREE_STRUCT Box
#define PYTREE_FIELDS PYTREE_FIELD(DATA, low) PYTREE_FIELD(DATA, high)
#include "pytree_registry.h"

typedef struct Scene {
    Box outer;
    Box boxes[2];
    Point *cursor;
    Linear layer;
    MLP models[1];
} Scene;

#define PYTREE_STRUCT Scene
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, outer) PYTREE_FIELD(DATA, boxes) PYTREE_FIELD(DATA, cursor) PYTREE_FIELD(DATA, layer)            \
    PYTREE_FIELD(DATA, models)
#include "pytree_registry.h"

/* Members whose names end like names that a registration makes of other members. */
typedef struct Suffixes {
    int w_ndim, w_is, w_as;
    float *w;
    double x, x_ndim, x_is, x_as;
} Suffixes;

#define PYTREE_STRUCT Suffixes
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, w_ndim) PYTREE_FIELD(STATIC, w_is) PYTREE_FIELD(STATIC, w_as)                                  \
    PYTREE_FIELD(DATA, w, ARRAY(self->w_ndim, self->w_is))                                                              \
    PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, x_ndim) PYTREE_FIELD(DATA, x_is) PYTREE_FIELD(DATA, x_as)
#include "pytree_registry.h"

/* Likewise of elements and of members of a union. */
typedef struct Grids {
    int grid_each, u_1, u_2, u_case, u_cases, u_s;
    float *grid[2];
    union { float one; double two; } u;
} Grids;

#define PYTREE_STRUCT Grids
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, grid_each) PYTREE_FIELD(STATIC, u_1) PYTREE_FIELD(STATIC, u_2) PYTREE_FIELD(STATIC, u_case)    \
    PYTREE_FIELD(STATIC, u_cases) PYTREE_FIELD(STATIC, u_s)                                                             \
    PYTREE_FIELD(DATA, grid, EACH(ARRAY(self->grid_each)))                                                              \
    PYTREE_FIELD(DATA, u, UNION(self->u_1, CASE(1, one), CASE(2, two)))
#include "pytree_registry.h"

/* Names of a struct and a member that are the same, put together, as those of another struct and its member. */
typedef struct Attention { int out_n; float *out_w; } Attention;
typedef struct Attention_out { int n; float *w; } Attention_out;

#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, out_n) PYTREE_FIELD(DATA, out_w, ARRAY(self->out_n))
#include "pytree_registry.h"
#define PYTREE_STRUCT Attention_out
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

static void names_put_together(void **state)
{
    float w[3] = { 0 };
    Attention attention = { 2, w };
    Attention_out out = { 3, w };
    (void)state;
    assert_int_equal(pytree_num_leaves(PYTREE(&attention), NULL, NULL), 1);
    assert_def_text(PYTREE(&attention), "PyTreeDef(CustomNode(Attention[(2,)], [*]))", NULL);
    assert_def_text(PYTREE(&out), "PyTreeDef(CustomNode(Attention_out[(3,)], [*]))", NULL);
}

static void names_with_suffixes(void **state)
{
    float w[6] = { 0 };
    Suffixes value = { 2, 3, 4, w, 1, 2, 3, 4 };
    pytree_error error = { 0 };
    pytree_leaf leaves[5];
    size_t n = 0;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&value), leaves, 5, &n, NULL, &error), &error);
    assert_int_equal(n, 5);
    assert_int_equal(leaves[0].ndim, 2);
    assert_int_equal(leaves[0].shape[1], 3);
    assert_true(leaves[4].data == (void *)&value.x_as);
}

static void names_of_elements_and_cases(void **state)
{
    float w[3] = { 0 };
    Grids grids = { 3, 2, 5, 6, 7, 8, { w, w }, { 0 } };
    pytree_error error = { 0 };
    pytree_leaf leaves[3];
    size_t n = 0;
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&grids), leaves, 3, &n, NULL, &error), &error);
    assert_int_equal(n, 3);
    assert_int_equal(leaves[1].shape[0], 3);
    assert_ptr_equal(leaves[2].type, PYTREE_TYPE(double));
}

static void structs_in_structs(void **state)
{
    Scene scene;
    Point point = { 0.0f, 0.0f };
    Linear layer = linear_make(1, 1, 0.0f);
    (void)state;
    memset(&scene, 0, sizeof scene);
    scene.cursor = &point;
    scene.layer = layer;
    scene.models[0].head = &layer;
    {
        Expected expected[] = {
            IN(scene, outer.low.x, "f32", ""), IN(scene, outer.low.y, "f32", ""), IN(scene, outer.high.x, "f32", ""),
            IN(scene, outer.high.y, "f32", ""), IN(scene, boxes[0].low.x, "f32", ""), IN(scene, boxes[0].low.y, "f32", ""),
            IN(scene, boxes[0].high.x, "f32", ""), IN(scene, boxes[0].high.y, "f32", ""), IN(scene, boxes[1].low.x, "f32", ""),
            IN(scene, boxes[1].low.y, "f32", ""), IN(scene, boxes[1].high.x, "f32", ""), IN(scene, boxes[1].high.y, "f32", ""),
            { ".cursor.x", "f32", "", NULL }, { ".cursor.y", "f32", "", NULL },
            { ".layer.w", "f32", "[1,1]", layer.w }, { ".layer.b", "f32", "[1]", layer.b },
            { ".models[0].head.w", "f32", "[1,1]", layer.w }, { ".models[0].head.b", "f32", "[1]", layer.b },
            IN(scene, models[0].scale, "f32", "[2,3]"),
        };
        expected[12].data = &point.x;
        expected[13].data = &point.y;
        assert_leaves(PYTREE(&scene), expected);
    }
    assert_def_text(PYTREE(&scene),
                    "PyTreeDef(CustomNode(Scene[()], [CustomNode(Box[()], [CustomNode(Point[()], [*, *]), "
                    "CustomNode(Point[()], [*, *])]), (CustomNode(Box[()], [CustomNode(Point[()], [*, *]), "
                    "CustomNode(Point[()], [*, *])]), CustomNode(Box[()], [CustomNode(Point[()], [*, *]), "
                    "CustomNode(Point[()], [*, *])])), CustomNode(Point[()], [*, *]), CustomNode(Linear[(1, 1)], [*, *]), "
                    "(CustomNode(MLP[(0,)], [[], CustomNode(Linear[(1, 1)], [*, *]), *]),)]))", NULL);
    linear_clear(&layer);
}

typedef struct Branch {
    int depth;
    size_t n_children;
    struct Branch *children;
    struct Branch *left, *right;
} Branch;

#define PYTREE_STRUCT Branch
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, depth) PYTREE_FIELD(STATIC, n_children) PYTREE_FIELD(DATA, children, LIST(self->n_children))     \
    PYTREE_FIELD(DATA, left, OPTIONAL) PYTREE_FIELD(DATA, right, OPTIONAL)
#include "pytree_registry.h"

static void structs_that_refer_to_themselves(void **state)
{
    Branch leaf = { 3, 0, NULL, NULL, NULL }, pair[2], root = { 1, 2, NULL, NULL, NULL };
    (void)state;
    pair[0] = leaf;
    pair[1] = leaf;
    pair[1].left = &leaf;
    root.children = pair;
    root.right = &leaf;
    {
        Expected expected[] = {
            IN(root, depth, "i32", ""), { ".children[0].depth", "i32", "", NULL }, { ".children[1].depth", "i32", "", NULL },
            { ".children[1].left.depth", "i32", "", NULL }, { ".right.depth", "i32", "", NULL },
        };
        expected[1].data = &pair[0].depth;
        expected[2].data = &pair[1].depth;
        expected[3].data = expected[4].data = &leaf.depth;
        assert_leaves(PYTREE(&root), expected);
    }
}

/* A struct that is declared, used by another, and then defined; it holds lists and arrays of that other. */
struct Train;

typedef struct Wagon {
    float load;
    size_t n_trains;
    struct Train *train;
    struct Train *trains;
} Wagon;

typedef struct Train {
    const char *name;
    Wagon wagons[2];
    Wagon *spare;
} Train;

#define PYTREE_DECLARE Train
#include "pytree_registry.h"

#define PYTREE_STRUCT Wagon
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, load) PYTREE_FIELD(STATIC, n_trains) PYTREE_FIELD(DATA, train, OPTIONAL)                         \
    PYTREE_FIELD(DATA, trains, LIST(self->n_trains))
#include "pytree_registry.h"

#define PYTREE_DEFINE Train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, wagons) PYTREE_FIELD(DATA, spare, OPTIONAL)
#include "pytree_registry.h"

static void structs_that_refer_to_each_other(void **state)
{
    Wagon alone = { 0.5f, 0, NULL, NULL };
    Train fast = { "fast", { { 1.0f, 0, NULL, NULL }, { 2.0f, 0, NULL, NULL } }, NULL };
    Train slow = { "slow", { { 3.0f, 0, NULL, NULL }, { 4.0f, 1, NULL, NULL } }, NULL };
    (void)state;
    slow.wagons[1].trains = &fast;
    slow.spare = &alone;
    alone.train = &fast;
    assert_def_text(PYTREE(&fast),
                    "PyTreeDef(CustomNode(Train[('fast',)], [(CustomNode(Wagon[(0,)], [*, None, []]), "
                    "CustomNode(Wagon[(0,)], [*, None, []])), None]))", NULL);
    {
        Expected expected[] = {
            IN(slow, wagons[0].load, "f32", ""), IN(slow, wagons[1].load, "f32", ""),
            { ".wagons[1].trains[0].wagons[0].load", "f32", "", NULL },
            { ".wagons[1].trains[0].wagons[1].load", "f32", "", NULL },
            { ".spare.load", "f32", "", NULL }, { ".spare.train.wagons[0].load", "f32", "", NULL },
            { ".spare.train.wagons[1].load", "f32", "", NULL },
        };
        expected[2].data = expected[5].data = &fast.wagons[0].load;
        expected[3].data = expected[6].data = &fast.wagons[1].load;
        expected[4].data = &alone.load;
        assert_leaves(PYTREE(&slow), expected);
    }
    assert_string_equal(PYTREE_TYPE(Train)->name, "Train");
    assert_int_equal(PYTREE_TYPE(Train)->size, sizeof(Train));
    assert_true(pytree_type_equal(PYTREE_TYPE(Train), PYTREE_TYPE(Train)));
    assert_false(pytree_type_equal(PYTREE_TYPE(Train), PYTREE_TYPE(Wagon)));
}

/* ---- Leaf types -------------------------------------------------------------------------------------------------------- */

typedef struct Handle {
    int number;
    char kind;
} Handle;

static bool handle_equal(const void *a, const void *b)
{
    return ((const Handle *)a)->number == ((const Handle *)b)->number;
}

static int handle_print(FILE *file, const void *value)
{
    return fprintf(file, "handle %d", ((const Handle *)value)->number);
}

#define PYTREE_LEAF_TYPE Handle
#define PYTREE_EQUAL handle_equal
#define PYTREE_PRINT handle_print
#include "pytree_registry.h"

typedef struct Blob {
    unsigned char bytes[24];
} Blob;

#define PYTREE_LEAF_TYPE Blob
#include "pytree_registry.h"

typedef struct Holder {
    Handle handle;
    Handle handles[3];
    Blob blob;
    Handle *one;
    size_t n;
    Blob *blobs;
    Handle *maybe;
    Handle *grown;
} Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, handle) PYTREE_FIELD(DATA, handles) PYTREE_FIELD(DATA, blob) PYTREE_FIELD(DATA, one)             \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, blobs, LIST(self->n)) PYTREE_FIELD(DATA, maybe, OPTIONAL)                \
    PYTREE_FIELD(DATA, grown, STB_ARRAY)
#include "pytree_registry.h"

static void leaf_types(void **state)
{
    Handle handle = { 7, 'h' };
    Blob blobs[2] = { { { 1 } }, { { 2 } } };
    Holder holder;
    (void)state;
    memset(&holder, 0, sizeof holder);
    holder.one = &handle;
    holder.n = 2;
    holder.blobs = blobs;
    stbds_arrput(holder.grown, handle);
    {
        Expected expected[] = {
            IN(holder, handle, "Handle", ""), IN(holder, handles, "Handle", "[3]"), IN(holder, blob, "Blob", ""),
            { ".one", "Handle", "", NULL }, { ".blobs[0]", "Blob", "", NULL }, { ".blobs[1]", "Blob", "", NULL },
            IN(holder, grown[0], "Handle", ""),
        };
        expected[3].data = &handle;
        expected[4].data = &blobs[0];
        expected[5].data = &blobs[1];
        assert_leaves(PYTREE(&holder), expected);
    }
    assert_int_equal(PYTREE_TYPE(Handle)->kind, PYTREE_KIND_LEAF);
    assert_int_equal(PYTREE_TYPE(Handle)->dtype, PYTREE_OPAQUE);
    assert_int_equal(PYTREE_TYPE(Handle)->size, sizeof(Handle));
    assert_true(PYTREE_TYPE(Handle)->equal == handle_equal);
    assert_true(PYTREE_TYPE(Handle)->print == handle_print);
    assert_null(PYTREE_TYPE(Blob)->equal);
    assert_null(PYTREE_TYPE(Blob)->print);
    stbds_arrfree(holder.grown);
}

/* A leaf type that is a pointer itself: what it points to may be unknown. */
typedef struct Texture *Texture;

#define PYTREE_LEAF_TYPE Texture
#include "pytree_registry.h"

typedef struct Textures {
    Texture one;
    const Texture fixed;
    Texture pair[2];
    size_t n;
    Texture *listed;
    Texture *maybe;
    Texture *grown;
} Textures;

#define PYTREE_STRUCT Textures
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, one) PYTREE_FIELD(DATA, fixed) PYTREE_FIELD(DATA, pair) PYTREE_FIELD(STATIC, n)                  \
    PYTREE_FIELD(DATA, listed, LIST(self->n)) PYTREE_FIELD(DATA, maybe, OPTIONAL) PYTREE_FIELD(DATA, grown, STB_ARRAY)
#include "pytree_registry.h"

static void a_leaf_type_may_be_a_pointer(void **state)
{
    Texture listed[2] = { NULL, NULL };
    Textures textures = { .n = 2, .listed = listed };
    (void)state;
    stbds_arrput(textures.grown, NULL);
    {
        Expected expected[] = {
            IN(textures, one, "Texture", ""), IN(textures, fixed, "Texture", ""), IN(textures, pair, "Texture", "[2]"),
            { ".listed[0]", "Texture", "", NULL }, { ".listed[1]", "Texture", "", NULL },
            IN(textures, grown[0], "Texture", ""),
        };
        expected[3].data = &listed[0];
        expected[4].data = &listed[1];
        assert_leaves(PYTREE(&textures), expected);
    }
    stbds_arrfree(textures.grown);
}

static void leaf_types_compare_by_their_own_function(void **state)
{
    Handle a = { 7, 'a' }, b = { 7, 'b' }, c = { 8, 'a' };
    Blob x = { { 1, 2 } }, y = { { 1, 2 } }, z = { { 1, 3 } };
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&c), NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, "", &error);
    assert_true(pytree_equal(PYTREE(&x), PYTREE(&y), NULL, NULL, NULL));
    assert_false(pytree_equal(PYTREE(&x), PYTREE(&z), NULL, NULL, NULL));
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&x), NULL, NULL, NULL));
}

/* ---- Trees inside trees ------------------------------------------------------------------------------------------------ */

typedef struct Carrier {
    pytree tree;
    pytree_leaf view;
    pytree_flat flat;
} Carrier;

#define PYTREE_STRUCT Carrier
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tree) PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, flat)
#include "pytree_registry.h"

static void fields_that_hold_trees(void **state)
{
    Point point = { 1.0f, 2.0f };
    Linear layer = linear_make(2, 2, 0.0f);
    MLP model = mlp_make(1, false);
    int masks[3] = { 1, 0, 1 };
    double grid[6] = { 0 };
    pytree_leaf mask_views[3];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, &error);
    Carrier carrier;
    size_t i;
    (void)state;
    assert_ok(error.status, &error);
    memset(&carrier, 0, sizeof carrier);
    memset(mask_views, 0, sizeof mask_views);
    for (i = 0; i < 3; i++) {
        mask_views[i].data = &masks[i];
        mask_views[i].type = PYTREE_TYPE(int);
    }
    carrier.tree = PYTREE(&layer);
    carrier.view.data = grid;
    carrier.view.type = PYTREE_TYPE(double);
    carrier.view.ndim = 3;
    carrier.view.shape[0] = 1;
    carrier.view.shape[1] = 2;
    carrier.view.shape[2] = 3;
    carrier.flat.def = def;
    carrier.flat.leaves = mask_views;
    {
        Expected expected[] = {
            { ".tree.w", "f32", "[2,2]", layer.w }, { ".tree.b", "f32", "[2]", layer.b }, { ".view", "f64", "[1,2,3]", NULL },
            { ".flat.layers[0].w", "i32", "", NULL }, { ".flat.layers[0].b", "i32", "", NULL },
            { ".flat.scale", "i32", "", NULL },
        };
        expected[2].data = grid;
        for (i = 0; i < 3; i++) {
            expected[3 + i].data = &masks[i];
        }
        assert_leaves(PYTREE(&carrier), expected);
    }
    carrier.tree = PYTREE_NONE;
    carrier.view.data = &point;           /* a view may be of a whole struct */
    carrier.view.type = PYTREE_TYPE(Point);
    carrier.view.ndim = 0;
    assert_def_text(PYTREE(&carrier),
                    "PyTreeDef(CustomNode(Carrier[()], [None, CustomNode(Point[()], [*, *]), "
                    "CustomNode(MLP[(1,)], [[CustomNode(Linear[(4, 3)], [*, *])], None, *])]))", NULL);
    pytree_def_free(def);
    linear_clear(&layer);
    mlp_clear(&model);
}

/* ---- Aliases and words ------------------------------------------------------------------------------------------------- */

static void aliases_need_no_registration(void **state)
{
    Aliases a;
    real vector[2] = { 0 };
    Vec2 point = { 0 };
    const char *u_size = sizeof(size_t) == 8 ? "u64" : "u32", *i_size = sizeof(size_t) == 8 ? "i64" : "i32";
    (void)state;
    memset(&a, 0, sizeof a);
    a.vector = vector;
    a.name = "n";
    {
        Expected expected[] = {
            IN(a, number, "f32", ""), IN(a, point.x, "f32", ""), IN(a, point.y, "f32", ""), IN(a, points[0].x, "f32", ""),
            IN(a, points[0].y, "f32", ""), IN(a, points[1].x, "f32", ""), IN(a, points[1].y, "f32", ""),
            { ".vector", "f32", "[2]", NULL }, IN(a, name, "str", ""), IN(a, pair, "i32", "[2]"), IN(a, byte, "u8", ""),
            IN(a, wide, "i64", ""), IN(a, count, u_size, ""), IN(a, difference, i_size, ""),
        };
        expected[7].data = vector;
        assert_leaves(PYTREE(&a), expected);
    }
    assert_def_text(PYTREE(&point), "PyTreeDef(CustomNode(Point[()], [*, *]))", NULL);
    assert_true(PYTREE_TYPE(Vec2) == PYTREE_TYPE(Point));
    assert_true(PYTREE_TYPE(real) == PYTREE_TYPE(float));
}

/* Members may have the names that the macros use inside. */
typedef struct Names {
    float self, name, row, child, at, odd, type, statics;
    int kind, arguments, store, x, n, code;
    double *n_data;
} Names;

#define PYTREE_STRUCT Names
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, self) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, row) PYTREE_FIELD(DATA, child)                 \
    PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, odd) PYTREE_FIELD(DATA, type) PYTREE_FIELD(DATA, statics)                 \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, arguments) PYTREE_FIELD(DATA, store) PYTREE_FIELD(DATA, x)            \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, code) PYTREE_FIELD(DATA, n_data, ARRAY(self->n, self->kind))
#include "pytree_registry.h"

static void members_may_have_any_name(void **state)
{
    double room[6] = { 0 };
    Names names;
    Expected expected[] = {
        IN(names, self, "f32", ""), IN(names, name, "f32", ""), IN(names, row, "f32", ""), IN(names, child, "f32", ""),
        IN(names, at, "f32", ""), IN(names, odd, "f32", ""), IN(names, type, "f32", ""), IN(names, statics, "f32", ""),
        IN(names, arguments, "i32", ""), IN(names, store, "i32", ""), IN(names, x, "i32", ""), IN(names, code, "i32", ""),
        { ".n_data", "f64", "[3,2]", NULL },
    };
    (void)state;
    memset(&names, 0, sizeof names);
    names.n = 3;
    names.kind = 2;
    names.n_data = room;
    expected[12].data = room;
    assert_leaves(PYTREE(&names), expected);
}

/* The words that this file took for itself are still its own, though every registration above used them. */
static void words_of_the_program_are_left_alone(void **state)
{
    int optional_of_the_program = 5;
    (void)state;
    assert_int_equal(DATA, 101);
    assert_int_equal(STATIC, 102);
    assert_int_equal(LIST(7, 3), 4);
    assert_int_equal(ARRAY, 104);
    assert_int_equal(OPTIONAL, 5);
    assert_int_equal(DROP(), 106);
    assert_string_equal(RANK, "rank");
    assert_int_equal(7 NONE, 7);
    assert_int_equal(STB_ARRAY, 109);
    assert_int_equal(STB_MAP(110), 110);
}

/* ---- Elements that are leaves -------------------------------------------------------------------------------------------- */

typedef struct Chip { char bytes[6]; } Chip;
typedef struct Chips { int n; Chip *chips; pytree_leaf *views; pytree *trees; } Chips;

#define PYTREE_LEAF_TYPE Chip
#include "pytree_registry.h"

#define PYTREE_STRUCT Chips
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, chips, LIST(self->n)) PYTREE_FIELD(DATA, views, LIST(self->n))             \
    PYTREE_FIELD(DATA, trees, LIST(self->n))
#include "pytree_registry.h"

/* An element of a list takes a leaf of its type without dimensions; another one is refused where it stands. */
static void elements_that_are_leaves(void **state)
{
    static const struct { int leaf, ndim; unsigned form; bool other; pytree_status status; const char *path; } cases[] = {
        { 0, 0, PYTREE_FORM_LEAF, false, PYTREE_OK, "" }, { 0, 1, PYTREE_FORM_LEAF, false, PYTREE_SHAPE, ".chips[0]" },
        { 1, 0, PYTREE_FORM_LEAF, true, PYTREE_TYPE, ".chips[1]" }, { 0, 0, PYTREE_FORM_NONE, false, PYTREE_TYPE, ".chips[0]" },
        { 2, 0, PYTREE_FORM_LEAF, true, PYTREE_OK, "" }, { 3, 0, PYTREE_FORM_NONE, false, PYTREE_OK, "" },
        { 4, 1, PYTREE_FORM_LEAF, true, PYTREE_OK, "" },
    };
    Chip chips[2] = { { "a" }, { "b" } };
    float x = 1.0f, y = 2.0f;
    pytree_leaf views[2] = { { &x, PYTREE_TYPE(float), 0, 0, { 0 } }, { &y, PYTREE_TYPE(float), 0, 0, { 0 } } };
    pytree trees[2] = { PYTREE(&x), PYTREE(&y) };
    Chips all = { 2, chips, views, trees };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, given[6];
    pytree_def *def;
    pytree made;
    size_t i;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&all), &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(pytree_def_num_leaves(def), 6);
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_leaf *const leaf = &given[cases[i].leaf];
        memcpy(given, leaves, sizeof given);
        leaf->ndim = cases[i].ndim;
        leaf->shape[0] = 1;
        leaf->form = cases[i].form;
        if (cases[i].other) { leaf->type = PYTREE_TYPE(int); }
        memset(&error, 0, sizeof error);
        made = pytree_unflatten(def, 6, given, NULL, &error);
        if (cases[i].status == PYTREE_OK) { assert_ok(error.status, &error); }
        else { assert_error(error.status, cases[i].status, cases[i].path, &error); }
        pytree_free(made);
    }
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_put_together),
        cmocka_unit_test(names_with_suffixes),
        cmocka_unit_test(names_of_elements_and_cases),
        cmocka_unit_test(structs_in_structs),
        cmocka_unit_test(structs_that_refer_to_themselves),
        cmocka_unit_test(structs_that_refer_to_each_other),
        cmocka_unit_test(leaf_types), cmocka_unit_test(a_leaf_type_may_be_a_pointer),
        cmocka_unit_test(leaf_types_compare_by_their_own_function),
        cmocka_unit_test(fields_that_hold_trees),
        cmocka_unit_test(aliases_need_no_registration),
        cmocka_unit_test(members_may_have_any_name),
        cmocka_unit_test(words_of_the_program_are_left_alone),
        cmocka_unit_test(elements_that_are_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
