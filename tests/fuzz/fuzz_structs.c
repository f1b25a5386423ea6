/* Structs that the input fills, beside a plain list of their numbers: where each is in memory, at which path, its value. What
 * is made of them and put into them must have those numbers, and what is written must be where C finds it. */
#include "fuzz.h"
#include "pytree/algebra.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/treedef_io.h"

typedef struct Pair {
    float low, high;
} Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, low) PYTREE_FIELD(DATA, high)
#include "pytree_registry.h"

typedef struct Part {
    Pair pair;
    int n;
    double *w;
    int64_t count;
} Part;

#define PYTREE_STRUCT Part
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, pair) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(DATA, count)
#include "pytree_registry.h"

typedef struct Whole {
    const char *name;
    int n;
    Part first, *parts, *extra;
    short last;
} Whole;

#define PYTREE_STRUCT Whole
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, name) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, parts, LIST(self->n)) \
    PYTREE_FIELD(DATA, extra, OPTIONAL) PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

enum { MOST_PARTS = 6, MOST_WIDTH = 5, MOST_NUMBERS = 1 + (MOST_PARTS + 2) * (3 + MOST_WIDTH) };
enum { MOST_LEAVES = 1 + (MOST_PARTS + 2) * 4 };

typedef struct Number {
    char path[60], leaf[60];              /* its own, and that of the leaf in which it is */
    const pytree_type *type;
    const void *at;
    int value;
} Number;

/* A Whole, the memory of all that it points to, and the list. */
typedef struct Store {
    Whole whole;
    Part parts[MOST_PARTS], extra;
    double w[MOST_PARTS + 2][MOST_WIDTH];
    Number numbers[MOST_NUMBERS];
    size_t n, leaves;
} Store;

/* The input, byte by byte; it goes on with zeros. */
typedef struct Input {
    const uint8_t *data;
    size_t size;
} Input;

static unsigned next(Input *in)
{
    if (in->size == 0) { return 0; }
    in->size--;
    return *in->data++;
}

static double number_at(const pytree_type *type, const void *at)
{
    if (pytree_type_equal(type, PYTREE_TYPE(float))) { return (double)*(const float *)at; }
    if (pytree_type_equal(type, PYTREE_TYPE(double))) { return *(const double *)at; }
    if (pytree_type_equal(type, PYTREE_TYPE(short))) { return *(const short *)at; }
    REQUIRE(pytree_type_equal(type, PYTREE_TYPE(int64_t)));
    return (double)*(const int64_t *)at;
}

/* ---- Making the structs ---------------------------------------------------------------------------------------------- */

static void add(Store *s, const char *in, const char *leaf, int element, const pytree_type *type, const void *at, int value)
{
    Number *const made = &s->numbers[s->n++];
    snprintf(made->leaf, sizeof made->leaf, "%.20s%s", in, leaf);
    if (element < 0) { snprintf(made->path, sizeof made->path, "%.20s%s", in, leaf); }
    else { snprintf(made->path, sizeof made->path, "%.20s%s[%d]", in, leaf, element); }
    made->type = type;
    made->at = at;
    made->value = value;
}

static void fill(Store *s, Part *part, double *w, const char *path, int width, Input *in)
{
    int i, value = (int)next(in);
    part->pair.low = (float)value;
    add(s, path, ".pair.low", -1, PYTREE_TYPE(float), &part->pair.low, value);
    value = (int)next(in) - 128;
    part->pair.high = (float)value;
    add(s, path, ".pair.high", -1, PYTREE_TYPE(float), &part->pair.high, value);
    part->n = width;
    part->w = w;
    for (i = 0; i < width; i++) {
        value = (int)next(in) * 3;
        w[i] = value;
        add(s, path, ".w", i, PYTREE_TYPE(double), &w[i], value);
    }
    value = (int)next(in) * 256;
    part->count = value;
    add(s, path, ".count", -1, PYTREE_TYPE(int64_t), &part->count, value);
    s->leaves += 4;
}

/* `sizes` says how many parts there are and how wide; all are of one width if it is even, which stacks and slices want. */
static void make(Store *s, unsigned sizes, Input *in)
{
    int i;
    const int width = (int)(sizes / 2 % MOST_WIDTH), uneven = (int)(sizes % 2);
    memset(s, 0, sizeof *s);
    s->whole.name = "whole";
    fill(s, &s->whole.first, s->w[MOST_PARTS], ".first", width, in);
    s->whole.n = (int)(sizes / 16 % (MOST_PARTS + 1));
    s->whole.parts = s->parts;
    for (i = 0; i < s->whole.n; i++) {
        char path[20];
        snprintf(path, sizeof path, ".parts[%d]", i);
        fill(s, &s->parts[i], s->w[i], path, (width + i * uneven) % MOST_WIDTH, in);
    }
    if (sizes >= 128) {
        s->whole.extra = &s->extra;
        fill(s, &s->extra, s->w[MOST_PARTS + 1], ".extra", width, in);
    }
    s->whole.last = (short)next(in);
    add(s, "", ".last", -1, PYTREE_TYPE(short), &s->whole.last, s->whole.last);
    s->leaves++;
}

/* ---- What must hold -------------------------------------------------------------------------------------------------- */

/* The structs, read as C reads them. */
static void require_memory(const Store *s)
{
    size_t i;
    for (i = 0; i < s->n; i++) { REQUIRE(number_at(s->numbers[i].type, s->numbers[i].at) == s->numbers[i].value); }
}

/* A tree that has the store's numbers times `times` at the paths that begin with `root`. */
static void require_tree(pytree t, const char *root, const Store *s, int times)
{
    char path[80];
    size_t i;
    for (i = 0; i < s->n; i++) {
        pytree_leaf leaf;
        snprintf(path, sizeof path, "%s%s", root, s->numbers[i].path);
        leaf = pytree_at(t, path, NULL, NULL);
        REQUIRE(leaf.data != NULL && leaf.ndim == 0 && number_at(leaf.type, leaf.data) == s->numbers[i].value * times);
    }
}

static pytree_status doubled(void *context, const pytree_iter *at)
{
    size_t i;
    (void)context;
    for (i = 0; i < pytree_leaf_count(at->leaf[0]); i++) {
        pytree_leaf_set(at->leaf[0], i, 2 * pytree_leaf_get(at->leaf[0], i));
    }
    return PYTREE_OK;
}

/* A clone; the structure rebuilt around the clone's leaves, and saved; the leaves put into another struct. */
static void check_rebuilt(Store *s, Store *other)
{
    pytree_error err = { 0 };
    pytree_leaf leaves[MOST_LEAVES];
    pytree_def *def = pytree_structure(PYTREE(&s->whole), NULL, &err), *loaded;
    const pytree_type *const types[] = { PYTREE_TYPE(Whole), PYTREE_TYPE(Part), PYTREE_TYPE(Pair) };
    pytree clone = pytree_clone(PYTREE(&s->whole), NULL, &err), again;
    unsigned char bytes[2000];
    size_t i, count, n;
    REQUIRE(err.status == PYTREE_OK);
    require_tree(clone, "", s, 1);
    REQUIRE(pytree_map(doubled, NULL, NULL, 1, &clone, NULL, &err) == PYTREE_OK);
    require_memory(s);
    require_tree(clone, "", s, 2);
    REQUIRE(pytree_leaves(clone, leaves, MOST_LEAVES, &count, NULL, &err) == PYTREE_OK && count == s->leaves);
    again = pytree_unflatten(def, count, leaves, NULL, &err);
    REQUIRE(again.data != NULL && pytree_equal(again, clone, NULL, NULL, &err));
    require_tree(again, "", s, 2);
    pytree_free(again);
    n = pytree_def_save(def, bytes, sizeof bytes, NULL, &err);
    REQUIRE(n <= sizeof bytes);
    loaded = pytree_def_load(bytes, n, types, 3, NULL, &err);
    REQUIRE(loaded != NULL && pytree_def_equal(def, loaded));
    REQUIRE(pytree_unflatten_into(loaded, count, leaves, PYTREE(&other->whole), NULL, &err) == PYTREE_OK);
    require_tree(PYTREE(&other->whole), "", s, 2);
    for (i = 0; i < (size_t)s->whole.n; i++) {                         /* pointers lead to the leaves, the rest is copied */
        REQUIRE(other->parts[i].w == ((const Whole *)clone.data)->parts[i].w && other->parts[i].count == 2 * s->parts[i].count);
        other->parts[i].w = other->w[i];
    }
    other->whole.first.w = other->w[MOST_PARTS];
    other->extra.w = other->w[MOST_PARTS + 1];
    pytree_def_free(loaded);
    pytree_def_free(def);
    REQUIRE(pytree_copy_into(PYTREE(&other->whole), PYTREE(&s->whole), NULL, &err) == PYTREE_OK);
    pytree_free(clone);
    require_memory(other);
}

/* All numbers as one vector, and back. */
static void check_vector(const Store *s, Store *other)
{
    pytree_error err = { 0 };
    pytree_ravel_options opt = { .dtype = PYTREE_F64 };
    double values[MOST_NUMBERS];
    pytree_leaf v = PYTREE_VECTOR(values, MOST_NUMBERS);
    size_t i;
    REQUIRE(pytree_ravel(PYTREE(&s->whole), &v, &opt, &err) == PYTREE_OK && v.shape[0] == s->n);
    for (i = 0; i < s->n; i++) {
        REQUIRE(values[i] == s->numbers[i].value);
        values[i] = -values[i];
    }
    opt.loss = PYTREE_LOSS_ALLOWED;
    REQUIRE(pytree_unravel(&v, PYTREE(&other->whole), &opt, &err) == PYTREE_OK);
    require_tree(PYTREE(&other->whole), "", s, -1);
    REQUIRE(pytree_copy_into(PYTREE(&other->whole), PYTREE(&s->whole), NULL, &err) == PYTREE_OK);
    require_memory(other);
}

/* Numbers changed at their paths: they are where C finds them, the difference names their leaves, and with what the difference
 * names put back both are equal. */
static void check_changed(Store *s, Store *other, Input *in)
{
    pytree_error err = { 0 };
    pytree_difference_list *list;
    size_t i, k, changed = 0;
    for (k = 0; k < 3; k++) {
        Number *const chosen = &other->numbers[next(in) % other->n];
        int64_t value = 30000 + (int64_t)k;
        pytree_leaf leaf = pytree_at(PYTREE(&other->whole), chosen->path, NULL, &err), of = { 0 };
        float f = (float)value;
        double d = (double)value;
        short i16 = (short)value;
        REQUIRE(leaf.data == chosen->at);
        of.type = leaf.type;
        of.data = leaf.type->dtype == PYTREE_F32 ? (void *)&f : leaf.type->dtype == PYTREE_F64 ? (void *)&d
            : leaf.type->dtype == PYTREE_I16 ? (void *)&i16 : (void *)&value;
        REQUIRE(pytree_set_at(PYTREE(&other->whole), chosen->path, &of, NULL, &err) == PYTREE_OK);
        chosen->value = (int)value;
        require_memory(other);
        require_memory(s);
    }
    for (i = 0; i < s->n; i++) {          /* leaves with a change: the numbers of a leaf follow each other */
        bool first = i == 0 || strcmp(s->numbers[i].leaf, s->numbers[i - 1].leaf) != 0, differs = false;
        for (k = i; first && k < s->n && strcmp(s->numbers[i].leaf, s->numbers[k].leaf) == 0; k++) {
            differs |= s->numbers[k].value != other->numbers[k].value;
        }
        changed += differs;
    }
    list = pytree_diff(PYTREE(&s->whole), PYTREE(&other->whole), NULL, NULL, &err);
    REQUIRE(list != NULL && list->n == changed);
    for (i = 0; i < list->n; i++) {
        const pytree_leaf from = pytree_at(PYTREE(&s->whole), list->differences[i].path, NULL, &err);
        REQUIRE(list->differences[i].kind == PYTREE_CHANGED);
        REQUIRE(pytree_set_at(PYTREE(&other->whole), list->differences[i].path, &from, NULL, &err) == PYTREE_OK);
    }
    pytree_diff_free(list);
    REQUIRE(pytree_equal(PYTREE(&s->whole), PYTREE(&other->whole), NULL, NULL, &err));
    for (i = 0; i < s->n; i++) { other->numbers[i].value = s->numbers[i].value; }
    require_memory(other);
}

/* A whole struct set at a path. */
static void check_set_node(Store *s, Store *other)
{
    pytree_error err = { 0 };
    int i;
    for (i = 0; i < s->whole.n; i++) {
        char path[20];
        const pytree_leaf node = pytree_at(PYTREE(&s->whole), ".first", NULL, &err);
        pytree_status status;
        snprintf(path, sizeof path, ".parts[%d]", i);
        status = pytree_set_at(PYTREE(&other->whole), path, &node, NULL, NULL);
        REQUIRE((status == PYTREE_OK) == (s->parts[i].n == s->whole.first.n));
        if (status != PYTREE_OK) {
            require_memory(other);
            continue;
        }
        REQUIRE(other->parts[i].count == s->whole.first.count && other->parts[i].pair.high == s->whole.first.pair.high);
        REQUIRE(other->parts[i].w == other->w[i]);
        REQUIRE(memcmp(other->w[i], s->whole.first.w, (size_t)s->parts[i].n * sizeof(double)) == 0);
        REQUIRE(pytree_copy_into(PYTREE(&other->whole), PYTREE(&s->whole), NULL, &err) == PYTREE_OK);
    }
    require_memory(other);
}

/* ---- Two levels exchanged, stacks ------------------------------------------------------------------------------------ */

static pytree_status give_twice(void *context, const pytree_iter *at, pytree_taker *to)
{
    (void)context;
    return pytree_give(to, PYTREE_DICT({ "b", pytree_of_view(at->leaf[0]) }, { "a", pytree_of_view(at->leaf[0]) }));
}

/* A Whole of leaves with dicts at them becomes a dict of two of them; and back. */
static void check_transposed(Store *s)
{
    pytree_error err = { 0 };
    const pytree whole = PYTREE(&s->whole);
    pytree_def *outer = pytree_structure(whole, NULL, &err), *inner;
    pytree_flat both = pytree_transpose_map(give_twice, NULL, NULL, 1, &whole, NULL, &err), back, again;
    REQUIRE(err.status == PYTREE_OK && pytree_num_leaves(PYTREE(&both), NULL, &err) == 2 * s->leaves);
    require_tree(PYTREE(&both), "['a']", s, 1);
    require_tree(PYTREE(&both), "['b']", s, 1);
    inner = pytree_structure(PYTREE_DICT({ "a", PYTREE_INT(0) }, { "b", PYTREE_INT(0) }), NULL, &err);
    back = pytree_transpose(inner, outer, PYTREE(&both), NULL, &err);
    REQUIRE(err.status == PYTREE_OK && pytree_num_leaves(PYTREE(&back), NULL, &err) == 2 * s->leaves);
    REQUIRE(pytree_at(PYTREE(&back), ".last['b']", NULL, NULL).data == &s->whole.last);
    REQUIRE(pytree_at(PYTREE(&back), ".first.pair.low['a']", NULL, NULL).data == &s->whole.first.pair.low);
    again = pytree_transpose(outer, inner, PYTREE(&back), NULL, &err);
    REQUIRE(err.status == PYTREE_OK && pytree_equal(PYTREE(&both), PYTREE(&again), NULL, NULL, &err));
    require_tree(PYTREE(&again), "['b']", s, 1);
    pytree_flat_free(&again);
    pytree_flat_free(&back);
    pytree_flat_free(&both);
    pytree_def_free(inner);
    pytree_def_free(outer);
}

/* The parts as a stack, each of its slices, the list of parts as a part of lists: by what C finds in the array of structs. */
static void check_stacked(Store *s)
{
    pytree_error err = { 0 };
    const size_t n = (size_t)s->whole.n, width = (size_t)s->whole.first.n;
    pytree trees[MOST_PARTS];
    pytree_flat stack, slice, part;
    pytree_items rows = { .count = n, .items = trees };
    pytree_def *whole, *inner, *outer;
    size_t i, k;
    for (i = 0; i < n; i++) { trees[i] = PYTREE(&s->parts[i]); }
    stack = pytree_stack(n, trees, NULL, &err);
    REQUIRE(err.status == PYTREE_OK && stack.def != NULL);
    whole = pytree_structure((pytree){ &pytree_types[PYTREE__T_list], &rows }, NULL, &err);
    inner = pytree_structure(trees[0], NULL, &err);
    REQUIRE(inner != NULL && whole != NULL && whole->n_leaves == 4 * n);
    outer = pytree_def_parse(n == 1 ? "PyTreeDef([*])" : n == 2 ? "PyTreeDef([*, *])" : n == 3 ? "PyTreeDef([*, *, *])"
        : n == 4 ? "PyTreeDef([*, *, *, *])" : n == 5 ? "PyTreeDef([*, *, *, *, *])" : "PyTreeDef([*, *, *, *, *, *])",
        NULL, 0, NULL, &err);
    REQUIRE(outer != NULL);
    part = pytree_transpose(outer, inner, (pytree){ &pytree_types[PYTREE__T_list], &rows }, NULL, &err);
    REQUIRE(part.def != NULL);
    for (i = 0; i < n; i++) {
        char path[20];
        const pytree_leaf w = pytree_at(PYTREE(&stack), ".w", NULL, &err);
        slice = pytree_slice(PYTREE(&stack), (ptrdiff_t)i - (ptrdiff_t)(i % 2 * n), NULL, &err);
        REQUIRE(slice.def != NULL && pytree_equal(PYTREE(&slice), trees[i], NULL, NULL, &err));
        pytree_flat_free(&slice);
        REQUIRE(((const int64_t *)pytree_at(PYTREE(&stack), ".count", NULL, &err).data)[i] == s->parts[i].count);
        REQUIRE(w.ndim == 2 && w.shape[0] == n && w.shape[1] == width);
        for (k = 0; k < width; k++) { REQUIRE(((const double *)w.data)[i * width + k] == s->parts[i].w[k]); }
        snprintf(path, sizeof path, ".pair.high[%d]", (int)i);
        REQUIRE(pytree_at(PYTREE(&part), path, NULL, NULL).data == &s->parts[i].pair.high);
    }
    pytree_flat_free(&part);
    pytree_flat_free(&stack);
    pytree_def_free(outer);
    pytree_def_free(inner);
    pytree_def_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Store s, other;
    Input in = { data, size }, twice;
    const unsigned sizes = next(&in);
    twice = in;
    make(&s, sizes, &in);
    make(&other, sizes, &twice);
    require_memory(&s);
    REQUIRE(pytree_num_leaves(PYTREE(&s.whole), NULL, NULL) == s.leaves);
    require_tree(PYTREE(&s.whole), "", &s, 1);
    check_rebuilt(&s, &other);
    check_vector(&s, &other);
    check_changed(&s, &other, &in);
    check_set_node(&s, &other);
    check_transposed(&s);
    if (sizes % 2 == 0 && s.whole.n != 0) { check_stacked(&s); }
    return 0;
}
