/* Every row through every operation: what it can, what it cannot and says so, and each allocation failing. */
#include "../support/fake_device.h"
#include "rows_subject.h"
#include "pytree/algebra.h"
#include "pytree/assign.h"
#include "pytree/npz.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"
#include "pytree/state.h"

enum { EVERY_LEAVES = 128, EVERY_TEXT = 16000 };

/* ---- Operations: each does its work, gives back what it got, and returns the status ------------------------------------- */

static pytree_status unflattens(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    if (pytree_flatten(s->t, &leaves, 0, &def, opt, error) != PYTREE_OK) { return error->status; }
    made = pytree_unflatten(def, s->n, leaves, opt, error);
    assert_made(s, made, error);
    pytree_free(made);
    pytree_def_free(def);
    return error->status;
}

static pytree_status unflattens_into(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_status status = pytree_flatten(s->t, &leaves, 0, &def, opt, error);
    if (status != PYTREE_OK) { return status; }
    status = pytree_unflatten_into(def, s->n, leaves, s->equal, opt, error);
    pytree_def_free(def);
    return assert_made(s, s->equal, error);
}

static pytree_status clones(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree made = pytree_clone(s->t, opt, error);
    assert_made(s, made, error);
    pytree_free(made);
    return error->status;
}

static pytree_status copies_into_zeros(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree made = pytree_zeros_like(s->t, opt, error);
    if (made.data != NULL && pytree_copy_into(made, s->t, opt, error) == PYTREE_OK) { assert_made(s, made, error); }
    pytree_free(made);
    return error->status;
}

static pytree_status allocates(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    char before[EVERY_TEXT], after[EVERY_TEXT];
    if (s->bare.type->kind != PYTREE_KIND_STRUCT) { return PYTREE_OK; }            /* nothing to make */
    assert_true(s->bare.type->size <= sizeof before);
    memcpy(before, s->bare.data, s->bare.type->size);
    if (pytree_allocate(s->bare, opt, error) != PYTREE_OK) {
        /* Padding is as it was, too, but valgrind knows that it was never set. */
        if (!under_valgrind()) { assert_memory_equal(before, s->bare.data, s->bare.type->size); }
        return error->status;
    }
    assert_ok(pytree_check(s->bare, NULL, NULL, NULL, error), error);
    assert_true(pytree_text(s->bare, after, sizeof after, NULL, error) < sizeof after);
    pytree_free(s->bare);
    return PYTREE_OK;
}

static pytree_status saves_structure(void *context, const pytree_options *opt, pytree_error *error)
{
    static unsigned char bytes[EVERY_TEXT];
    static char text[EVERY_TEXT];
    const Subject *const s = context;
    pytree_def *def = pytree_structure(s->t, opt, error), *loaded = NULL, *parsed = NULL;
    const size_t size = def == NULL ? 0 : pytree_def_save(def, bytes, sizeof bytes, opt, error);
    if (error->status == PYTREE_OK) {
        assert_true(size <= sizeof bytes && pytree_def_text(def, text, sizeof text) < sizeof text);
        loaded = pytree_def_load(bytes, size, every_types, EVERY_TYPES, opt, error);
        parsed = loaded == NULL ? NULL : pytree_def_parse(text, every_types, EVERY_TYPES, opt, error);
    }
    if (error->status == PYTREE_OK) {
        assert_true(pytree_def_equal(def, loaded) && pytree_def_equal(parsed, def));
        assert_true(pytree_def_hash(def) == pytree_def_hash(loaded) && pytree_def_hash(parsed) == pytree_def_hash(def));
    }
    pytree_def_free(parsed);
    pytree_def_free(loaded);
    pytree_def_free(def);
    return error->status;
}

static pytree_status iterates(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree trees[3] = { s->t, s->equal, s->zeros };
    pytree_iter it;
    size_t n = 0;
    if (pytree_iter_begin(&it, 3, trees, opt, error) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            char path[80];
            assert_true(pytree_iter_path_text(&it, path, sizeof path) < sizeof path);
            assert_true(it.leaf[0]->type == it.leaf[1]->type && it.leaf[2]->ndim == it.leaf[0]->ndim);
            assert_int_equal(pytree_leaf_bytes(it.leaf[1]), pytree_leaf_bytes(it.leaf[2]));
            n++;
        }
    }
    pytree_iter_end(&it);
    if (error->status == PYTREE_OK) { assert_int_equal(n, s->n); }
    return error->status;
}

static pytree_status copy_leaf(void *context, const pytree_iter *at)
{
    (void)context;
    memcpy(at->out->data, at->leaf[0]->data, pytree_leaf_bytes(at->leaf[0]));
    return PYTREE_OK;
}

static pytree_status maps(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree made = pytree_zeros_like(s->t, NULL, NULL);
    if (pytree_map(copy_leaf, NULL, &made, 1, &s->t, opt, error) == PYTREE_OK) { assert_made(s, made, error); }
    pytree_free(made);
    return error->status;
}

static pytree_status prints(void *context, const pytree_options *opt, pytree_error *error)
{
    static char text[EVERY_TEXT];
    const Subject *const s = context;
    pytree_options values = *opt;
    pytree_summary_options table = { .tree = *opt };
    values.print_values = 8;
    assert_true(pytree_text(s->t, text, sizeof text, &values, error) < sizeof text || error->status != PYTREE_OK);
    if (error->status != PYTREE_OK) { return error->status; }
    assert_true((text[0] == '\0') == (s->n == 0) || s->n == 1);
    assert_true(pytree_summary_text(s->t, text, sizeof text, &table, error) < sizeof text || error->status != PYTREE_OK);
    return error->status;
}

static pytree_status has_paths(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_leaf leaves[EVERY_LEAVES];
    size_t i, n;
    const char **const paths = pytree_paths(s->t, NULL, &n, opt, error);
    if (paths == NULL) { return error->status; }
    assert_int_equal(n, s->n);
    assert_ok(pytree_leaves(s->t, leaves, EVERY_LEAVES, &n, NULL, NULL), error);
    for (i = 0; i < n && error->status == PYTREE_OK; i++) {
        const pytree_leaf found = pytree_at(s->t, paths[i], opt, error);
        if (error->status != PYTREE_OK) { break; }
        assert_true(found.data == leaves[i].data && found.type == leaves[i].type && found.ndim == leaves[i].ndim);
        pytree_set_at(s->equal, paths[i], &found, opt, error);
    }
    pytree_paths_free(paths);
    return assert_made(s, s->equal, error);
}

static pytree_status compares(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_difference_list *differences;
    assert_true(pytree_equal(s->t, s->equal, NULL, opt, error) || error->status != PYTREE_OK);
    if (error->status != PYTREE_OK) { return error->status; }
    differences = pytree_diff(s->t, s->equal, NULL, opt, error);
    if (differences == NULL) { return error->status; }
    assert_int_equal(differences->n, 0);
    pytree_diff_free(differences);
    return pytree_check(s->t, NULL, NULL, opt, error);
}

typedef pytree_status file_fn(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *error);

static pytree_status through_a_file(const Subject *s, const pytree_options *opt, pytree_error *error, file_fn *save,
                                    file_fn *load)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options options = { .tree = *opt, .io = &io };
    pytree made = { 0 };
    if (save("f", s->t, &options, error) == PYTREE_OK) {
        made = pytree_zeros_like(s->t, NULL, NULL);
        if (load("f", made, &options, error) == PYTREE_OK) { assert_made(s, made, error); }
    }
    pytree_free(made);
    pytree_memory_free(&memory);
    return error->status;
}

static pytree_status safetensors(void *context, const pytree_options *opt, pytree_error *error)
{
    return through_a_file(context, opt, error, pytree_save_safetensors, pytree_load_safetensors);
}

static pytree_status npz(void *context, const pytree_options *opt, pytree_error *error)
{
    return through_a_file(context, opt, error, pytree_save_npz, pytree_load_npz);
}

/* An open checkpoint: read into one tree, and another one points into it. */
static pytree_status checkpoints(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options options = { .tree = *opt, .io = &io };
    pytree loaded = { 0 }, pointing = { 0 };
    pytree_checkpoint *file = NULL;
    if (pytree_save_safetensors("f", s->t, &options, error) == PYTREE_OK) {
        file = pytree_safetensors_open("f", &options, error);
    }
    if (file != NULL) {
        loaded = pytree_zeros_like(s->t, NULL, NULL);
        pointing = pytree_zeros_like(s->t, NULL, NULL);
        if (pytree_checkpoint_load(file, loaded, &options, error) == PYTREE_OK) { assert_made(s, loaded, error); }
        if (error->status == PYTREE_OK && little_endian() && pytree_checkpoint_map(file, error) == PYTREE_OK
            && pytree_checkpoint_point(file, pointing, &options, error) == PYTREE_OK) {
            assert_made(s, pointing, error);
        }
    }
    pytree_free(loaded);
    pytree_free(pointing);
    pytree_checkpoint_close(file);
    pytree_memory_free(&memory);
    return error->status;
}

/* Nothing is wrong with any of them. */
static pytree_status checks(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    return pytree_check(s->t, NULL, NULL, opt, error);
}

static pytree_status assigns(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_assign_options options = { .tree = *opt };
    const pytree made = pytree_zeros_like(s->t, NULL, NULL);
    if (pytree_assign(made, s->t, &options, error) == PYTREE_OK) { assert_made(s, made, error); }
    pytree_free(made);
    return error->status;
}

/* As text, and from text. */
static pytree_status literal(void *context, const pytree_options *opt, pytree_error *error)
{
    static char text[EVERY_TEXT];
    const Subject *const s = context;
    const pytree_assign_options options = { .tree = *opt };
    pytree made = { 0 }, parsed = { 0 };
    assert_true(pytree_literal_text(s->t, text, sizeof text, opt, error) < sizeof text || error->status != PYTREE_OK);
    if (error->status == PYTREE_OK) { parsed = pytree_parse(text, opt, error); }
    if (error->status == PYTREE_OK) {
        made = pytree_zeros_like(s->t, NULL, NULL);
        if (pytree_assign(made, parsed, &options, error) == PYTREE_OK) { assert_made(s, made, error); }
    }
    pytree_free(made);
    pytree_free(parsed);
    return error->status;
}

static pytree_status ravels(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_ravel_options options = { .tree = *opt };
    pytree_leaf vector = { 0 };
    pytree made = { 0 };
    if (pytree_ravel(s->t, &vector, &options, error) == PYTREE_OK) {
        made = pytree_zeros_like(s->t, NULL, NULL);
        if (pytree_unravel(&vector, made, &options, error) == PYTREE_OK) { assert_made(s, made, error); }
    }
    pytree_free(made);
    pytree_ravel_free(&vector);
    return error->status;
}

static bool is_even(void *context, const pytree_iter *at)
{
    (void)context;
    return at->index % 2 == 0;
}

static pytree_status partitions(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_flat even = { 0 }, odd = { 0 }, whole = { 0 };
    if (pytree_partition(s->t, is_even, NULL, PYTREE_NONE, &even, &odd, opt, error) == PYTREE_OK) {
        const pytree parts[2] = { PYTREE(&even), PYTREE(&odd) };
        whole = pytree_combine(2, parts, opt, error);
        assert_made(s, PYTREE(&whole), error);
    }
    pytree_flat_free(&whole);
    pytree_flat_free(&even);
    pytree_flat_free(&odd);
    return error->status;
}

static pytree_status stacks(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree both[2] = { s->zeros, s->equal };
    pytree_flat stack = pytree_stack(2, both, opt, error), slice = { 0 };
    if (error->status == PYTREE_OK) {
        slice = pytree_slice(PYTREE(&stack), 1, opt, error);
        assert_made(s, PYTREE(&slice), error);
    }
    pytree_flat_free(&slice);
    pytree_flat_free(&stack);
    return error->status;
}

static pytree_status transposes(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    pytree_def *const outer = pytree_structure(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), NULL, NULL);
    pytree_def *const inner = pytree_structure(s->t, NULL, NULL);
    pytree both[2], list;
    pytree_items items = { .count = 2 };
    pytree_flat flat, back = { 0 };
    both[0] = s->t;
    both[1] = s->equal;
    items.items = both;
    list.type = &pytree_types[PYTREE__T_list];
    list.data = &items;
    flat = pytree_transpose(outer, inner, list, opt, error);
    if (error->status == PYTREE_OK) {
        assert_int_equal(flat.def->n_leaves, 2 * s->n);
        back = pytree_transpose(inner, outer, PYTREE(&flat), opt, error);
        if (error->status == PYTREE_OK) { assert_true(pytree_equal(PYTREE(&back), list, NULL, NULL, NULL)); }
    }
    pytree_flat_free(&back);
    pytree_flat_free(&flat);
    pytree_def_free(inner);
    pytree_def_free(outer);
    return error->status;
}

static pytree_status splits_and_merges(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    const pytree_filter rest = PYTREE_REST;
    pytree_def *graphdef = NULL;
    pytree_flat state;
    if (pytree_split(s->t, 1, &rest, &graphdef, &state, opt, error) == PYTREE_OK) {
        const pytree states[1] = { PYTREE(&state) };
        const pytree made = pytree_merge(graphdef, 1, states, opt, error), zeros = pytree_zeros_like(s->t, NULL, NULL);
        assert_made(s, made, error);
        pytree_free(made);
        if (error->status == PYTREE_OK && pytree_update(zeros, 1, states, opt, error) == PYTREE_OK) {
            assert_made(s, zeros, error);
        }
        pytree_free(zeros);
    }
    pytree_def_free(graphdef);
    pytree_flat_free(&state);
    return error->status;
}

/* To a device, there from leaves, and back. */
static pytree_status rebuilds_on_a_device(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    FakeDevice device;
    const pytree_device memory = fake_memory(&device), download = fake_download(&device);
    pytree_options there = *opt, here = *opt;
    pytree copy, built = { 0 }, back = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    there.memory = &memory;
    here.memory = &download;
    copy = pytree_clone(s->t, &there, error);
    if (copy.data != NULL && pytree_flatten(copy, &leaves, 0, &def, opt, error) == PYTREE_OK) {
        built = pytree_unflatten(def, s->n, leaves, &there, error);
    }
    if (built.data != NULL) { back = pytree_clone(built, &here, error); }
    assert_made(s, back, error);
    pytree_free(back);
    pytree_free(built);
    pytree_def_free(def);
    pytree_free(copy);
    assert_int_equal(fake_live(&device), 0);
    return error->status;
}

static pytree_status copies_into_a_device(void *context, const pytree_options *opt, pytree_error *error)
{
    const Subject *const s = context;
    FakeDevice device;
    const pytree_device memory = fake_memory(&device), download = fake_download(&device);
    pytree_options there = *opt, here = *opt;
    pytree zeros;
    there.memory = &memory;
    here.memory = &download;
    zeros = pytree_zeros_like(s->t, &there, error);
    if (zeros.data != NULL && pytree_copy_into(zeros, s->t, &there, error) == PYTREE_OK
        && pytree_copy_into(s->zeros, zeros, &here, error) == PYTREE_OK) {
        assert_made(s, s->zeros, error);
    }
    pytree_free(zeros);
    assert_int_equal(fake_live(&device), 0);
    return error->status;
}

/* ---- The table --------------------------------------------------------------------------------------------------------- */

static const EveryOperation operations[] = {
    { "unflatten", unflattens }, { "unflatten_into", unflattens_into }, { "clone", clones },
    { "zeros_like and copy_into", copies_into_zeros }, { "allocate", allocates }, { "save structure", saves_structure },
    { "iterate", iterates }, { "map", maps }, { "print", prints }, { "paths", has_paths }, { "compare", compares },
    { "safetensors", safetensors }, { "npz", npz }, { "checkpoint", checkpoints },
    { "check", checks }, { "assign", assigns }, { "literal", literal }, { "ravel", ravels },
    { "partition", partitions }, { "stack", stacks }, { "transpose", transposes }, { "split and merge", splits_and_merges },
    { "rebuild on a device", rebuilds_on_a_device }, { "copy into a device", copies_into_a_device }
};

/* What a row cannot do, and what is said then; everything else it can. */
static const EveryRefusal refused[] = {
    { "union of a string", "safetensors", ".as", "expected numbers of a type that the file's format has, got text" },
    { "union of a string", "checkpoint", ".as", "expected numbers of a type that the file's format has, got text" },
    { "union of a string", "npz", ".as", "expected numbers of a type that the file's format has, got text" },
    { "union of a string", "ravel", ".as", "expected numbers, got text" },
    { "strings", "safetensors", ".label", "expected numbers of a type that the file's format has, got str" },
    { "strings", "checkpoint", ".label", "expected numbers of a type that the file's format has, got str" },
    { "strings", "npz", ".label", "expected numbers of a type that the file's format has, got str" },
    { "strings", "ravel", ".label", "expected numbers, got str" },
    { "strings", "literal", ".lines", "expected a tree that a literal can express, got several strings in one array of 'text'" }
};

static void every_row_goes_through_every_operation(void **state)
{
    (void)state;
    every_sweep(COUNT_OF(operations), operations, COUNT_OF(refused), refused);
}

/* ---- Rows that read through what is NULL -------------------------------------------------------------------------------- */

typedef struct EveryHidden { int n; } EveryHidden;             /* not registered */
typedef struct ThroughList { int n; EveryVec *list; float *w; } ThroughList;
typedef struct AskingFirst { int n; float *w; EveryVec *list; } AskingFirst;
typedef struct ThroughOptional { EveryVec *spare; float *w; } ThroughOptional;
typedef struct ThroughEach { int n; EveryVec **each; float *w; } ThroughEach;
typedef struct ThroughHidden { EveryVec *hidden; float *w; EveryVec *list; } ThroughHidden;
typedef struct ThroughElement { int n; ThroughOptional *list; EveryVec **each; float *w, *v; } ThroughElement;
typedef struct ThroughTwo { ThroughOptional inner; EveryVec *spare; EveryVec *list; } ThroughTwo;
typedef struct InUnion { int tag; union { float *w; EverySpot *list; } as; EveryVec *spare; } InUnion;
typedef struct InWith { EveryVec *spare, one; float *w; } InWith;
typedef struct ThroughNumbers { int n, *sizes; float *w; } ThroughNumbers;
typedef struct ThroughDropped { int n; const EveryVec *vec; float *w; } ThroughDropped;
typedef struct ThroughStatic { int n; const EveryHidden *vec; float *w; } ThroughStatic;
typedef struct ThroughStar { int *n; float *w; } ThroughStar;
typedef struct Chain { struct Chain *next; float x; } Chain;

#define PYTREE_STRUCT ThroughList
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n)) PYTREE_FIELD(DATA, w, ARRAY(2, self->list[0].n))
#include "pytree_registry.h"

#define PYTREE_STRUCT AskingFirst
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n == 0 ? 0 : self->list->n))                              \
    PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughOptional
#define PYTREE_FIELDS PYTREE_FIELD(DATA, spare, OPTIONAL) PYTREE_FIELD(DATA, w, ARRAY(self->spare->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughEach
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, each, LIST(self->n, EACH())) PYTREE_FIELD(DATA, w, ARRAY((*self->each)->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughHidden
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, hidden) PYTREE_FIELD(DATA, w, ARRAY(self -> hidden -> n)) PYTREE_FIELD(DATA, list, LIST(0))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughElement
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, list, LIST(self->n)) PYTREE_FIELD(DATA, each, LIST(1, EACH()))           \
    PYTREE_FIELD(DATA, w, ARRAY(self->list[0].spare->n)) PYTREE_FIELD(DATA, v, ARRAY(self->each[0]->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughTwo
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, inner) PYTREE_FIELD(DATA, spare, OPTIONAL) PYTREE_FIELD(DATA, list, LIST(self->inner.spare->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT InUnion
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, tag)                                                                                           \
    PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(0, w, ARRAY(self->spare->n)), CASE(1, list, LIST(self->spare->n))))    \
    PYTREE_FIELD(DATA, spare, OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_STRUCT InWith
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, spare, OPTIONAL) PYTREE_FIELD(DATA, one, WITH(n, self->spare->n)) PYTREE_FIELD(DATA, w, ARRAY(1))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughNumbers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, sizes, ARRAY(1)) PYTREE_FIELD(DATA, w, ARRAY(self->n, self->sizes[0]))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughDropped
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DROP, vec) PYTREE_FIELD(DATA, w, ARRAY(self->n, 2 * self->n, self->vec->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughStatic
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, vec) PYTREE_FIELD(DATA, w, ARRAY(self->vec->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT ThroughStar
#define PYTREE_FIELDS PYTREE_FIELD(DATA, n, ARRAY(1)) PYTREE_FIELD(DATA, w, ARRAY(2, *self->n))
#include "pytree_registry.h"

#define PYTREE_STRUCT Chain
#define PYTREE_FIELDS PYTREE_FIELD(DATA, next, LIST(self->next == NULL ? 0 : 1)) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static void assert_reads_null(pytree t, const char *path, const char *what)
{
    pytree_error error = { 0 };
    char words[100];
    (void)snprintf(words, sizeof words, "expected a pointer in self%s, which this row reads through, got NULL", what);
    assert_int_equal(pytree_num_leaves(t, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    assert_string_equal(error.message, words);
    memset(&error, 0, sizeof error);
    assert_null(pytree_clone(t, NULL, &error).data);
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_check(t, NULL, NULL, NULL, &error), PYTREE_NULL_POINTER, path, &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_paths(t, NULL, NULL, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal(t, t, NULL, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
}

static void rows_do_not_read_through_null(void **state)
{
    float w[4] = { 0 };
    EveryVec vec = { 0, NULL };
    ThroughList list = { 2, NULL, w };
    ThroughOptional optional = { NULL, w };
    ThroughEach each = { 2, NULL, w };
    ThroughHidden hidden = { NULL, w, NULL };
    ThroughTwo two = { { &vec, NULL }, NULL, NULL };
    ThroughOptional one[1] = { { NULL, NULL } };
    EveryVec *each_one[1] = { &vec };
    ThroughElement element = { 1, one, each_one, w, NULL };
    InUnion in_union = { 1, { NULL }, NULL };
    InWith with = { NULL, { 0, NULL }, w };
    (void)state;
    assert_reads_null(PYTREE(&list), ".w", "->list");
    list.n = 0;
    assert_reads_null(PYTREE(&list), ".w", "->list");
    assert_reads_null(PYTREE_LIST(PYTREE(&list)), "[0].w", "->list");
    assert_reads_null(PYTREE(&optional), ".w", "->spare");
    assert_reads_null(PYTREE(&each), ".w", "->each");
    assert_reads_null(PYTREE(&hidden), ".w", " -> hidden");
    assert_int_equal(pytree_num_leaves(PYTREE(&two), NULL, NULL), 2);
    two.inner.spare = NULL;
    assert_reads_null(PYTREE(&two), ".list", "->inner.spare");
    assert_reads_null(PYTREE(&element), ".w", "->list[0].spare");
    one[0].spare = &vec;
    assert_int_equal(pytree_num_leaves(PYTREE(&element), NULL, NULL), 5);
    each_one[0] = NULL;
    assert_reads_null(PYTREE(&element), ".v", "->each[0]");
    assert_reads_null(PYTREE(&in_union), ".as", "->spare");
    assert_reads_null(PYTREE(&with), ".one", "->spare");
}

/* Structs that would be self-contained, but for what their rows read. */
static void arrays_alone_are_not_read_through_null(void **state)
{
    int one = 1;
    float w[8] = { 0 };
    double two[2] = { 0 };
    EveryVec vec = { 2, two };
    const EveryHidden seen = { 3 };
    ThroughNumbers numbers = { 2, NULL, w };
    ThroughDropped dropped = { 1, NULL, w };
    ThroughStatic fixed = { 1, NULL, w };
    ThroughStar star = { NULL, w };
    (void)state;
    assert_reads_null(PYTREE(&numbers), ".w", "->sizes");
    assert_reads_null(PYTREE_LIST(PYTREE(&numbers)), "[0].w", "->sizes");
    assert_reads_null(PYTREE(&dropped), ".w", "->vec");
    assert_reads_null(PYTREE(&fixed), ".w", "->vec");
    assert_reads_null(PYTREE(&star), ".w", "->n");
    numbers.sizes = star.n = &one;
    dropped.vec = &vec;
    fixed.vec = &seen;
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(PYTREE(&numbers), PYTREE(&dropped), PYTREE(&fixed), PYTREE(&star)), NULL,
                                       NULL), 6);
}

static void memory_is_not_allocated_through_null(void **state)
{
    ThroughOptional optional = { NULL, NULL };
    ThroughElement element = { 1, NULL, NULL, NULL, NULL };
    ThroughList list = { 2, NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_allocate(PYTREE(&optional), NULL, &error), PYTREE_NULL_POINTER, ".w", &error);
    assert_string_equal(error.message, "expected a pointer in self->spare, which this row reads through, got NULL");
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate(PYTREE(&element), NULL, &error), PYTREE_NULL_POINTER, ".w", &error);
    assert_string_equal(error.message, "expected a pointer in self->list[0].spare, which this row reads through, got NULL");
    memset(&error, 0, sizeof error);
    assert_ok(pytree_allocate(PYTREE(&list), NULL, &error), &error);
    pytree_free(PYTREE(&list));
}

static void rows_may_ask_what_is_null(void **state)
{
    AskingFirst asking = { 0, NULL, NULL };
    Chain last = { NULL, 2 }, first = { NULL, 1 };
    ThroughHidden hidden = { every_vecs, every_floats, NULL };
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(&asking), NULL, &error);
    (void)state;
    every_numbers();
    assert_ok(error.status, &error);
    pytree_free(copy);
    first.next = &last;
    copy = pytree_clone(PYTREE(&first), NULL, &error);
    assert_true(pytree_equal(copy, PYTREE(&first), NULL, NULL, &error) && ((Chain *)copy.data)->next->x == 2);
    pytree_free(copy);
    assert_int_equal(pytree_num_leaves(PYTREE(&hidden), NULL, NULL), 1);
    assert_null(pytree_clone(PYTREE(&hidden), NULL, &error).data);             /* a clone has no `hidden` */
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected a struct whose rows read through no DROP member, which is NULL here, got "
                                       "ThroughHidden");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_goes_through_every_operation),
        cmocka_unit_test(rows_do_not_read_through_null),
        cmocka_unit_test(arrays_alone_are_not_read_through_null),
        cmocka_unit_test(memory_is_not_allocated_through_null),
        cmocka_unit_test(rows_may_ask_what_is_null)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
