/* Theme: every other call of the optional headers with trees on a device: it works without their values, or it is an error that
 * says where they are. Every access of the host to those ends the program. */
#include "../support/fake_device.h"
#include "pytree/algebra.h"
#include "pytree/cache.h"
#include "pytree/derive.h"
#include "pytree/deviation.h"
#include "pytree/display.h"
#include "pytree/function.h"
#include "pytree/gguf.h"
#include "pytree/graph.h"
#include "pytree/groups.h"
#include "pytree/html.h"
#include "pytree/layout.h"
#include "pytree/npz.h"
#include "pytree/object.h"
#include "pytree/path.h"
#include "pytree/pt.h"
#include "pytree/ravel.h"
#include "pytree/record.h"
#include "pytree/safetensors.h"
#include "pytree/state.h"
#include "pytree/transform.h"
#include "pytree/treedef.h"
#include "pytree/typed.h"

static const char npz[] = "device_calls.npz", npy[] = "device_calls.npy", gguf[] = "device_calls.gguf";
static const char safetensors[] = "device_calls.safetensors", npy_there[] = "never.npy";

/* An array with a role. */
typedef struct Weights { float *w; } Weights;

#define PYTREE_STRUCT Weights
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2), ROLE(Param))
#include "pytree_registry.h"

/* A model on the device, a copy here, a leaf of each, and files of the copy; and an array with a role. */
typedef struct Ends {
    FakeDevice device;
    pytree_device memory;
    pytree_options options;
    MLP model;
    pytree there, here;
    pytree_leaf leaf_there, leaf_here;
    float w[2];
    Weights weights;
    pytree weights_there;
    double number;
    char text[4000];
} Ends;

static Ends ends;

static int begin(void **state)
{
    pytree_error error = { 0 };
    Ends *const e = &ends;
    (void)state;
    memset(e, 0, sizeof *e);
    e->memory = fake_memory(&e->device);
    e->options.memory = &e->memory;
    e->model = mlp_make(2, true);
    e->here = PYTREE(&e->model);
    e->there = pytree_clone(e->here, &e->options, &error);
    e->weights.w = e->w;
    e->weights_there = pytree_clone(PYTREE(&e->weights), &e->options, &error);
    e->leaf_there = pytree_at(e->there, ".layers[0].w", NULL, &error);
    e->leaf_here = pytree_at(e->here, ".layers[0].w", NULL, &error);
    assert_ok(pytree_save_npz(npz, e->here, NULL, &error), &error);
    assert_ok(pytree_save_npy(npy, PYTREE(&e->leaf_here), NULL, &error), &error);
    assert_ok(pytree_save_safetensors(safetensors, e->here, NULL, &error), &error);
    assert_ok(pytree_save_gguf(gguf, e->here, PYTREE_NONE, NULL, &error), &error);
    assert_int_equal(e->leaf_there.form, PYTREE_FORM_DEVICE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    pytree_free(ends.there);
    pytree_free(ends.weights_there);
    mlp_clear(&ends.model);
    assert_int_equal(fake_live(&ends.device), 0);
    assert_int_equal(remove(npz) | remove(npy) | remove(safetensors) | remove(gguf), 0);
    return 0;
}

typedef pytree_status call_fn(Ends *e, pytree_error *error);
#define CALL(name) static pytree_status name(Ends *e, pytree_error *error)
/* A call that gives its result, to be freed, and its status in the error. */
#define CALL_GIVING(name, type, call, release)                                                                          \
    CALL(name) { type made = call; release(made); return error->status; }
#define CALL_FLAT(name, call) CALL(name) { pytree_flat made = call; pytree_flat_free(&made); return error->status; }
#define CALL_TEXT(name, call)                                                                                           \
    CALL(name) { return (call) == SIZE_MAX ? error->status : PYTREE_OK; }

/* ---- What reads or writes values ------------------------------------------------------------------------------------ */

CALL(set_there) { return pytree_set_at(e->there, ".layers[0].w", &e->leaf_here, NULL, error); }
CALL(set_here) { return pytree_set_at(e->here, ".layers[0].w", &e->leaf_there, NULL, error); }
CALL(axpy_from) { return pytree_axpy(2, e->there, e->here, NULL, error); }
CALL(axpy_to) { return pytree_axpy(2, e->here, e->there, NULL, error); }
CALL(lerp_from) { return pytree_lerp(0.5, e->there, e->here, NULL, error); }
CALL(lerp_to) { return pytree_lerp(0.5, e->here, e->there, NULL, error); }
CALL(scale) { return pytree_scale(2, e->there, NULL, error); }
CALL(fill) { return pytree_fill(2, e->there, NULL, error); }
CALL(zero) { return pytree_zero(e->there, NULL, error); }
CALL(dot) { double x; return pytree_dot(e->here, e->there, &x, NULL, error); }
CALL(unravel)
{
    static float numbers[35];
    const pytree_leaf vector = { numbers, PYTREE_TYPE(float), 1, 0, { 35 } };
    return pytree_unravel(&vector, e->there, NULL, error);
}
CALL_FLAT(stack, pytree_stack(2, (pytree[2]){ e->there, e->there }, NULL, error))
CALL_FLAT(stack_mixed, pytree_stack(2, (pytree[2]){ e->here, e->there }, NULL, error))
static const pytree_tolerance none = { 0 };
static const pytree_group exactly = { "**", &none };
CALL_GIVING(diff, pytree_difference_list *, pytree_diff(e->here, e->there, NULL, NULL, error), pytree_diff_free)
CALL_GIVING(diff_within, pytree_difference_list *,
            pytree_diff_within(e->there, e->here, 1, &exactly, NULL, error), pytree_diff_free)
CALL(equal_within) { pytree_equal_within(e->there, e->there, 1, &exactly, NULL, error); return error->status; }
CALL(save_npy) { return pytree_save_npy(npy_there, PYTREE(&e->leaf_there), NULL, error); }
CALL(save_safetensors) { return pytree_save_safetensors("never.safetensors", e->there, NULL, error); }
CALL(save_gguf) { return pytree_save_gguf("never.gguf", e->there, PYTREE_NONE, NULL, error); }
CALL(load_npy) { return pytree_load_npy(npy, PYTREE(&e->leaf_there), NULL, error); }
CALL(load_npz) { return pytree_load_npz(npz, e->there, NULL, error); }
CALL(load_safetensors) { return pytree_load_safetensors(safetensors, e->there, NULL, error); }
CALL(load_gguf) { return pytree_load_gguf(gguf, e->there, NULL, error); }
CALL_GIVING(mmap_safetensors, pytree_safetensors *, pytree_mmap_safetensors(safetensors, e->there, NULL, error),
            pytree_safetensors_close)
CALL_GIVING(mmap_gguf, pytree_checkpoint *, pytree_mmap_gguf(gguf, e->there, NULL, error), pytree_checkpoint_close)
CALL(allocate_from) { return pytree_allocate_from_safetensors(safetensors, e->there, NULL, error); }
CALL(elements) { pytree_elements(&e->leaf_there, PYTREE_TYPE(float), NULL, error); return error->status; }
CALL(perturb)
{
    pytree module = pytree_new_object(&pytree_class_Module, NULL, error);
    const pytree_status status = pytree_perturb(module, "shift", &e->leaf_there, error);
    pytree_container_free(module);
    return status;
}
CALL(sow)
{
    pytree module = pytree_new_object(&pytree_class_Module, NULL, error);
    const pytree_status status = pytree_sow(module, &pytree_role_Intermediate, "x", PYTREE(&e->leaf_there), NULL, error);
    pytree_container_free(module);
    return status;
}
CALL(put_copy)
{
    pytree module = pytree_new_object(&pytree_class_Module, NULL, error);
    const pytree_status status = pytree_object_put_copy(module, "x", e->there, error);
    pytree_container_free(module);
    return status;
}
CALL(object_update)
{
    pytree module = pytree_new_object(&pytree_class_Module, NULL, error), parts[1];
    parts[0] = PYTREE_DICT({ "w", PYTREE(&e->leaf_there) });
    pytree_status status = pytree_object_put_copy(module, "w", PYTREE(&e->leaf_here), error);
    if (status == PYTREE_OK) { status = pytree_object_update(module, 1, parts, NULL, error); }
    pytree_container_free(module);
    return status;
}

CALL(ravel_shape) { pytree_leaf vector; return pytree_ravel_shape(e->there, &vector, NULL, error); }

/* A function that would read its argument. */
static pytree_status twice_call(void *context, const pytree_call *at)
{
    const float *x = at->arg[0];
    float *y = at->res[0];
    size_t i;
    (void)context;
    for (i = 0; i < 12; i++) { y[i] = 2 * x[i]; }
    return PYTREE_OK;
}
static const pytree_fn twice = { .name = "twice", .call = twice_call, .shape = pytree_result_first };

static const pytree_fn carry = { .name = "carry", .call = twice_call, .shape = pytree_result_first };

CALL(apply)
{
    float to[12];
    return pytree_apply(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_there) }, PYTREE_ARRAY(to, 4, 3), NULL, error);
}
CALL(apply_to) { return pytree_apply(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_here) }, PYTREE(&e->leaf_there), NULL, error); }
CALL_FLAT(apply_new, pytree_apply_new(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_there) }, NULL, error))
CALL_FLAT(vmap, pytree_apply_new(PYTREE_VMAP(&twice), 1, (pytree[1]){ PYTREE(&e->leaf_there) }, NULL, error))
CALL_GIVING(prepare, pytree_prepared *, pytree_prepare(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_there) },
                                                       PYTREE(&e->leaf_here), NULL, error), pytree_prepared_free)
CALL(jit)
{
    pytree_jit *made = pytree_jit_new(&twice, 0, NULL, error);
    const pytree_status status =
        pytree_jit_call(made, 1, (pytree[1]){ PYTREE(&e->leaf_there) }, PYTREE(&e->leaf_here), error);
    pytree_jit_free(made);
    return status;
}
CALL_FLAT(eval_shape, pytree_eval_shape(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_there) }, NULL, error))
CALL_GIVING(program, pytree_program *, pytree_program_new(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_there) }, NULL, error),
            pytree_program_free)
CALL_FLAT(scan, pytree_apply_new(PYTREE_SCAN(&carry), 2, (pytree[2]){ PYTREE(&e->number), PYTREE(&e->leaf_there) }, NULL,
                                 error))
CALL(check_grads) { return pytree_check_grads(&twice, 1, (pytree[1]){ PYTREE(&e->leaf_there) }, NULL, error); }

/* ---- What does not -------------------------------------------------------------------------------------------------- */

static bool is_there(const pytree_flat *flat)
{
    return flat->def != NULL && flat->def->n_leaves != 0 && flat->leaves[0].form == PYTREE_FORM_DEVICE;
}
/* A call whose leaves are those on the device. */
#define CALL_THERE(name, call)                                                                                          \
    CALL(name)                                                                                                          \
    {                                                                                                                   \
        pytree_flat made = call;                                                                                        \
        if (error->status == PYTREE_OK) { assert_true(is_there(&made)); }                                               \
        pytree_flat_free(&made);                                                                                        \
        return error->status;                                                                                           \
    }
CALL(get)
{
    return pytree_at(e->there, ".head.b", NULL, error).form == PYTREE_FORM_DEVICE ? PYTREE_OK : PYTREE_TYPE;
}
static bool first_leaf(void *context, const pytree_iter *at)
{
    (void)context;
    return at->index == 0;
}
CALL(partition)
{
    pytree_flat passing, failing, all;
    pytree_status status = pytree_partition(e->there, first_leaf, NULL, PYTREE_NONE, &passing, &failing, NULL, error);
    if (status != PYTREE_OK) { return status; }
    all = pytree_combine(2, (pytree[2]){ PYTREE(&passing), PYTREE(&failing) }, NULL, error);
    assert_true(is_there(&passing) && failing.leaves[1].form == PYTREE_FORM_DEVICE && is_there(&all));
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
    pytree_flat_free(&all);
    return error->status;
}
CALL_THERE(slice, pytree_slice(PYTREE(&e->leaf_there), 1, NULL, error))        /* an address there */
CALL_THERE(replace_none, pytree_replace_none(e->there, e->there, NULL, error))
CALL(broadcast)
{
    pytree_def *def = pytree_structure(e->here, NULL, error);
    pytree_flat flat = pytree_broadcast_prefix(PYTREE(&e->leaf_there), def, "w", NULL, error);
    assert_true(is_there(&flat));
    pytree_flat_free(&flat);
    pytree_def_free(def);
    return error->status;
}
CALL(groups)
{
    const pytree_group table[] = { { "**.w", "decay" }, { "**", "none" } };
    pytree_groups *made = pytree_groups_new(2, table, e->there, NULL, error);
    assert_true(made == NULL || made->leaves[0] == 3);
    pytree_groups_free(made);
    return error->status;
}
CALL_THERE(state, pytree_state(e->there, PYTREE_REST, NULL, error))
CALL(pure)
{
    pytree_flat state = pytree_state(e->there, PYTREE_REST, NULL, error), pure;
    if (error->status != PYTREE_OK) { return error->status; }
    pure = pytree_pure(PYTREE(&state), NULL, error);
    pytree_flat_free(&pure);
    pytree_flat_free(&state);
    return error->status;
}
CALL(state_zeros)
{
    pytree_flat state = pytree_state(e->there, PYTREE_REST, NULL, error), zeros;
    if (error->status != PYTREE_OK) { return error->status; }
    zeros = pytree_state_zeros_like(PYTREE(&state), NULL, error);
    pytree_flat_free(&zeros);
    pytree_flat_free(&state);
    return error->status;
}
CALL(split_and_merge)
{
    pytree_def *graph;
    pytree_flat state;
    pytree merged;
    pytree_status status = pytree_split(e->there, 1, (pytree_filter[1]){ PYTREE_REST }, &graph, &state, NULL, error);
    if (status != PYTREE_OK) { return status; }
    merged = pytree_merge(graph, 1, (pytree[1]){ PYTREE(&state) }, NULL, error);
    pytree_free(merged);
    pytree_flat_free(&state);
    pytree_def_free(graph);
    return error->status;
}
CALL_GIVING(duplicates, pytree_duplicates *,
            pytree_graph_duplicates(e->there, PYTREE_REST, NULL, error), pytree_duplicates_free)
CALL_TEXT(summary, pytree_summary_text(e->there, e->text, sizeof e->text, NULL, error))
CALL_TEXT(tabulate, pytree_tabulate_text(e->there, NULL, 2, e->text, sizeof e->text, NULL, error))
/* A page has what needs no values. */
CALL(page)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = { .io = &io };
    if (pytree_save_html("page", e->weights_there, &opt, error) == PYTREE_OK) {
        const char *const row = strstr((const char *)file.bytes, "\".w\"");
        assert_non_null(row);
        assert_non_null(strstr(row, "{\"y\":\"f32\",\"s\":\"2\",\"z\":2,\"q\":8,\"r\":\"Param\"}"));
    }
    pytree_memory_free(&file);
    return error->status;
}

/* A table of values with a role, and of a call with an array: the text is the same wherever they are. */
static size_t table_text(pytree t, pytree in, char *text, size_t n, pytree_error *error)
{
    pytree_table *const table = pytree_table_new(NULL, error);
    size_t length = 0;
    if (pytree_table_call(table, t, in, PYTREE_NONE, error) == PYTREE_OK) {
        length = pytree_tabulate_text(t, table, 0, text, n, NULL, error);
    }
    pytree_table_free(table);
    return length;
}
CALL(table)
{
    char text[2000];
    const size_t n = table_text(PYTREE(&e->weights), PYTREE(&e->leaf_here), text, sizeof text, error);
    assert_int_equal(table_text(e->weights_there, PYTREE(&e->leaf_there), e->text, sizeof e->text, error), n);
    assert_string_equal(e->text, text);
    assert_non_null(strstr(text, "w: float32[2]"));
    return error->status;
}
CALL_TEXT(layout, pytree_layout_text(e->there, e->text, sizeof e->text, NULL, error))
CALL_TEXT(display, pytree_display_text(PYTREE(&e->leaf_there), e->text, sizeof e->text, NULL, error))
CALL(array_text)
{
    const size_t n = pytree_array_text(&e->leaf_there, e->text, sizeof e->text);
    (void)error;
    assert_in_range(n, 1, sizeof e->text - 1);
    return PYTREE_OK;
}
CALL(put)
{
    pytree module = pytree_new_object(&pytree_class_Module, NULL, error);
    const pytree_status status = pytree_object_put(module, "model", e->there, error);
    assert_int_equal(pytree_num_leaves(module, NULL, error), 7);
    pytree_container_free(module);
    return status;
}
CALL(pop)
{
    pytree taken = { NULL, NULL };
    pytree module = pytree_new_object(&pytree_class_Module, NULL, error);
    pytree_status status = pytree_object_put(module, "model", e->there, error);
    if (status == PYTREE_OK) {
        status = pytree_pop(module, 1, (pytree_filter[1]){ PYTREE_OF(Intermediate) }, &taken, NULL, error);
    }
    pytree_container_free(taken);
    pytree_container_free(module);
    return status;
}
static pytree_status make_nothing(void *context, const pytree_flat *key, void **value, pytree_error *error)
{
    (void)key; (void)error;
    *value = context;
    return PYTREE_OK;
}
CALL(cache)
{
    pytree_cache *made = pytree_cache_new(NULL, error);
    pytree_cache_get(made, e->there, make_nothing, e, error);
    pytree_cache_free(made);
    return error->status;
}

/* Subtrees, which a predicate makes leaves, do not tell where their arrays lie. */
static bool structs(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    return path->n != 0 && value->form == PYTREE_FORM_STRUCT;
}
static const pytree_options by_structs = { .is_leaf = structs };
CALL(equal_structs) { pytree_equal(e->here, e->there, NULL, &by_structs, error); return error->status; }
CALL_GIVING(diff_structs, pytree_difference_list *, pytree_diff(e->there, e->here, NULL, &by_structs, error), pytree_diff_free)
CALL(equal_structs_within) { pytree_equal_within(e->there, e->here, 1, &exactly, &by_structs, error); return error->status; }
CALL_GIVING(deviations_of_structs, pytree_deviation_list *,
            pytree_deviations(e->here, e->there, 0, NULL, &by_structs, error), pytree_deviation_free)
CALL(flatten_structs)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    const pytree_status status = pytree_flatten(e->there, &leaves, 0, &def, &by_structs, error);
    pytree_def_free(def);
    return status;
}
static bool never(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context; (void)value; (void)path;
    return false;
}
static const pytree_options no_subtrees = { .is_leaf = never };
CALL(flatten_arrays)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    const pytree_status status = pytree_flatten(e->there, &leaves, 0, &def, &no_subtrees, error);
    assert_true(status != PYTREE_OK || leaves[0].form == PYTREE_FORM_DEVICE);
    pytree_def_free(def);
    return status;
}
CALL_FLAT(state_of_structs, pytree_state(e->there, PYTREE_REST, &by_structs, error))
CALL_FLAT(state_of_arrays, pytree_state(e->there, PYTREE_REST, &no_subtrees, error))
CALL(structure_of_structs)
{
    pytree_def_free(pytree_structure(e->there, &by_structs, error));
    return error->status;
}
static pytree_status see_struct(void *context, const pytree_iter *at)
{
    *(size_t *)context += at->leaf[0]->form == PYTREE_FORM_STRUCT && at->leaf[0]->type == PYTREE_TYPE(Linear);
    return PYTREE_OK;
}
CALL(map_structs)
{
    size_t n = 0;
    pytree_map(see_struct, &n, NULL, 1, &e->there, &by_structs, error);
    assert_int_equal(n, 3);
    return error->status;
}

/* ---- The table ------------------------------------------------------------------------------------------------------ */

enum { WORKS, FAILS, SAYS_SO };           /* it needs no values; it is an error; it is one that speaks of the device */
#define ROW(name, what) { #name, name, what }
static const struct { const char *name; call_fn *call; int what; } calls[] = {
    ROW(set_there, SAYS_SO), ROW(set_here, SAYS_SO), ROW(axpy_from, SAYS_SO), ROW(axpy_to, SAYS_SO), ROW(lerp_from, SAYS_SO),
    ROW(lerp_to, SAYS_SO), ROW(scale, SAYS_SO), ROW(fill, SAYS_SO), ROW(zero, SAYS_SO), ROW(dot, SAYS_SO),
    ROW(unravel, SAYS_SO), ROW(stack, SAYS_SO), ROW(stack_mixed, SAYS_SO), ROW(diff, SAYS_SO), ROW(diff_within, SAYS_SO),
    ROW(equal_within, SAYS_SO), ROW(save_npy, SAYS_SO), ROW(save_safetensors, SAYS_SO), ROW(save_gguf, SAYS_SO),
    ROW(load_npy, SAYS_SO), ROW(load_npz, SAYS_SO), ROW(load_safetensors, SAYS_SO), ROW(load_gguf, SAYS_SO),
    ROW(mmap_safetensors, SAYS_SO), ROW(mmap_gguf, SAYS_SO), ROW(allocate_from, FAILS),
    ROW(elements, SAYS_SO), ROW(perturb, SAYS_SO), ROW(sow, SAYS_SO), ROW(put_copy, SAYS_SO), ROW(object_update, SAYS_SO),
    ROW(apply, SAYS_SO), ROW(apply_to, SAYS_SO), ROW(apply_new, SAYS_SO), ROW(vmap, SAYS_SO), ROW(prepare, SAYS_SO),
    ROW(jit, SAYS_SO), ROW(eval_shape, SAYS_SO), ROW(ravel_shape, SAYS_SO),
    ROW(check_grads, SAYS_SO), ROW(program, SAYS_SO), ROW(scan, SAYS_SO),
    ROW(equal_structs, SAYS_SO), ROW(diff_structs, SAYS_SO), ROW(equal_structs_within, SAYS_SO),
    ROW(deviations_of_structs, SAYS_SO), ROW(flatten_structs, SAYS_SO), ROW(state_of_structs, SAYS_SO),
    ROW(structure_of_structs, WORKS), ROW(map_structs, WORKS), ROW(flatten_arrays, WORKS),
    ROW(state_of_arrays, WORKS),
    ROW(get, WORKS), ROW(slice, WORKS), ROW(partition, WORKS), ROW(replace_none, WORKS),
    ROW(broadcast, WORKS), ROW(groups, WORKS), ROW(state, WORKS), ROW(pure, WORKS), ROW(state_zeros, WORKS),
    ROW(split_and_merge, WORKS), ROW(duplicates, WORKS), ROW(summary, WORKS), ROW(tabulate, WORKS), ROW(table, WORKS),
    ROW(page, WORKS), ROW(layout, WORKS), ROW(display, WORKS), ROW(array_text, WORKS), ROW(put, WORKS), ROW(pop, WORKS),
    ROW(cache, WORKS)
};

static void every_call(void **state)
{
    size_t i, wrong = 0;
    const size_t copies = ends.device.copies;
    (void)state;
    for (i = 0; i < COUNT_OF(calls); i++) {
        pytree_error error = { 0 };
        const pytree_status status = calls[i].call(&ends, &error);
        const bool says = status != PYTREE_OK && strstr(error.message, "device") != NULL;
        if (calls[i].what == SAYS_SO ? says : (status == PYTREE_OK) == (calls[i].what == WORKS)) { continue; }
        if (!little_endian() && status == PYTREE_ARGUMENT && strstr(error.message, "a big-endian one") != NULL) { continue; }
        print_error("%s: %s: %s (%s)\n", calls[i].name, error.path, error.message, pytree_status_name(status));
        wrong++;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(ends.device.copies, copies);              /* nothing was brought here behind the caller's back */
    assert_null(fopen(npy_there, "rb"));                       /* nor was a file begun */
    assert_null(fopen("never.safetensors", "rb"));
    assert_null(fopen("never.gguf", "rb"));
}

/* A custom node that can be rebuilt, which may read its children. */
typedef struct Box { pytree inner; } Box;

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Box *)self)->inner; }
    return 1;
}

static pytree_status box_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    (void)metadata;
    (void)bytes;
    assert_int_equal(n, 1);
    ((Box *)self)->inner = children[0];
    return PYTREE_OK;
}

static const pytree_custom box_callbacks = { .children = box_children, .rebuild = box_rebuild };

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

/* Such a node is refused where its children would be made on a device, not where they are only referred to there, nor where
 * there is nothing for the device. */
static void custom_nodes(void **state)
{
    Ends *const e = &ends;
    Box there = { e->there }, here = { e->here }, number = { PYTREE(&e->number) };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    (void)state;
    assert_null(pytree_clone(PYTREE(&here), &e->options, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_non_null(strstr(error.message, "expected no custom node, which may read its children, in a tree on a device"));
    error = (pytree_error){ 0 };
    assert_null(pytree_zeros_like(PYTREE(&there), &e->options, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    error = (pytree_error){ 0 };
    made = pytree_clone(PYTREE(&number), &e->options, &error);
    assert_ok(error.status, &error);
    pytree_free(made);
    assert_ok(pytree_flatten(PYTREE(&there), &leaves, 0, &def, NULL, &error), &error);
    made = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(((const MLP *)((const Box *)made.data)->inner.data)->layers[0].w, e->leaf_there.data);
    pytree_free(made);
    pytree_def_free(def);
}

/* A copy of a type that a program made for itself leads to no device. */
static void copies_of_types(void **state)
{
    pytree_type copy = *PYTREE_TYPE(Weights);
    float w[2] = { 1, 2 };
    Weights weights = { w };
    pytree_leaf leaf;
    pytree_error error = { 0 };
    size_t n = 0;
    (void)state;
    copy.origin = PYTREE_TYPE(Weights);
    copy.name = "Copy";
    assert_ok(pytree_leaves((pytree){ &copy, &weights }, &leaf, 1, &n, NULL, &error), &error);
    assert_true(n == 1 && leaf.form == PYTREE_FORM_LEAF && leaf.data == w);
}

/* Only numbers lie on a device. */
static void structs_on_a_device(void **state)
{
    Weights weights = { NULL };
    pytree_leaf leaf = { .data = &weights, .type = PYTREE_TYPE(Weights), .ndim = 1, .shape = { 1 } };
    pytree_error error = { 0 };
    (void)state;
    leaf.form = PYTREE_FORM_DEVICE;
    assert_int_equal(pytree_num_leaves(pytree_of_view(&leaf), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected an array of numbers on a device, got one of Weights");
}

/* What refers to a device owns nothing there; an array without elements and None have nothing to copy. */
static void trees_that_refer_to_a_device(void **state)
{
    FakeDevice device = { 0 };
    pytree_device memory = fake_memory(&device);
    pytree_options opt = { .memory = &memory, .none_is_leaf = true };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    float full[2] = { 1.0f, 2.0f }, nothing[1] = { 0 };
    pytree there, back;
    pytree_leaf large = { .data = &memory, .type = PYTREE_TYPE(uint8_t), .ndim = 1, .shape = { PTRDIFF_MAX } };
    size_t n = 99;
    (void)state;
    there = pytree_clone(PYTREE_LIST(PYTREE_NONE, PYTREE_ARRAY(nothing, 0), PYTREE_ARRAY(full, 2)), &opt, &error);
    assert_ok(error.status, &error);
    full[0] = 5.0f;
    assert_ok(pytree_copy_into(there, PYTREE_LIST(PYTREE_NONE, PYTREE_ARRAY(nothing, 0), PYTREE_ARRAY(full, 2)), &opt, &error),
              &error);
    full[0] = 0.0f;
    assert_ok(pytree_copy_into(PYTREE_LIST(PYTREE_NONE, PYTREE_ARRAY(nothing, 0), PYTREE_ARRAY(full, 2)), there, &opt, &error),
              &error);
    assert_true(full[0] == 5.0f && full[1] == 2.0f);
    assert_ok(pytree_flatten(there, &leaves, 0, &def, &opt, &error), &error);
    back = pytree_unflatten(def, 3, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_null(pytree_arrays(back, &n));
    assert_int_equal(n, 0);
    pytree_free(back);
    n = device.calls;
    pytree_def_free(def);
    pytree_free(there);
    there = pytree_of_view(&large);
    assert_null(pytree_zeros_like(PYTREE_LIST(there, there, there), &opt, &error).data);     /* more than a size_t counts */
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
    assert_int_equal(device.calls, n);
}

/* Rows refer to arrays there, one of which has no elements; and a walk meets a tree here after one there. */
typedef struct Halves { int n; float *full, *empty; } Halves;

#define PYTREE_STRUCT Halves
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, full, ARRAY(2)) PYTREE_FIELD(DATA, empty, ARRAY(self->n))
#include "pytree_registry.h"

static void structs_that_refer_to_a_device(void **state)
{
    FakeDevice device = { 0 };
    pytree_device memory = fake_memory(&device);
    const pytree_options opt = { .memory = &memory };
    pytree_error error = { 0 };
    float full[2] = { 1.0f, 2.0f }, empty[1] = { 0 };
    Halves halves = { 0, full, empty };
    pytree_leaf *leaves = NULL, view;
    pytree_def *def = NULL;
    pytree there, here, back;
    size_t n = 99;
    (void)state;
    there = pytree_clone(PYTREE(&halves), &opt, &error);
    here = pytree_clone(PYTREE(&halves), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(there, here), NULL, &error), 4);
    view = (pytree_leaf){ .data = here.data, .type = here.type, .form = PYTREE_FORM_STRUCT };
    assert_int_equal(pytree_num_leaves(PYTREE_LIST(there, PYTREE(&view)), NULL, &error), 4);   /* its type is in a block, too */
    assert_ok(pytree_flatten(there, &leaves, 0, &def, NULL, &error), &error);
    leaves[1].form = PYTREE_FORM_DEVICE;
    back = pytree_unflatten(def, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(((Halves *)back.data)->full, ((Halves *)there.data)->full);
    assert_null(pytree_arrays(back, &n));
    assert_int_equal(n, 0);
    pytree_free(back);
    pytree_def_free(def);
    pytree_free(here);
    pytree_free(there);
    assert_int_equal(fake_live(&device), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_call, begin, end),
        cmocka_unit_test_setup_teardown(custom_nodes, begin, end), cmocka_unit_test(copies_of_types),
        cmocka_unit_test(structs_on_a_device),
        cmocka_unit_test(trees_that_refer_to_a_device),
        cmocka_unit_test(structs_that_refer_to_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
