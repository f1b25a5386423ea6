/* Theme: trees whose arrays lie on a device. Every access of the host to those ends the program. */
#include "../support/fake_device.h"
#include "pytree/assign.h"
#include "pytree/deviation.h"
#include "pytree/display.h"
#include "pytree/function.h"
#include "pytree/graph.h"
#include "pytree/html.h"
#include "pytree/literal.h"
#include "pytree/npz.h"
#include "pytree/optimizer.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/state.h"
#include "pytree/typed.h"

#define assert_says(error, words) assert_non_null(strstr((error)->message, (words)))

/* Strings and opaque values stay on the host; values that are pytrees may be anywhere. */
typedef struct Words { int n; char **words; float *numbers; pytree inner; pytree_leaf any; } Words;
#define PYTREE_STRUCT Words
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, words, ARRAY(self->n)) PYTREE_FIELD(DATA, numbers, ARRAY(self->n))         \
    PYTREE_FIELD(DATA, inner) PYTREE_FIELD(DATA, any)
#include "pytree_registry.h"

typedef struct Trainer { pytree params, moments, steps; } Trainer;
#define PYTREE_STRUCT Trainer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, params) PYTREE_FIELD(DATA, moments) PYTREE_FIELD(DATA, steps)
#include "pytree_registry.h"

typedef struct Setup {
    FakeDevice device;
    pytree_device memory, download;
    pytree_options there, here;
    MLP model;
    pytree tree;                          /* a copy of it there */
} Setup;

static void setup_begin(Setup *s)
{
    pytree_error error = { 0 };
    memset(s, 0, sizeof *s);
    s->memory = fake_memory(&s->device);
    s->download = fake_download(&s->device);
    s->there.memory = &s->memory;
    s->here.memory = &s->download;
    s->model = mlp_make(2, true);
    s->tree = pytree_clone(PYTREE(&s->model), &s->there, &error);
    assert_ok(error.status, &error);
}

static void setup_end(Setup *s)
{
    pytree_free(s->tree);
    mlp_clear(&s->model);
    assert_int_equal(fake_live(&s->device), 0);
}

/* Structs, lists and arrays in structs are on the host, other arrays in one block of the device; all ways keep the values. */
static void up_and_down(void **state)
{
    pytree_error error = { 0 };
    Setup s;
    MLP *there;
    pytree back, second, zeros;
    size_t n;
    (void)state;
    setup_begin(&s);
    there = s.tree.data;
    assert_int_equal(fake_live(&s.device), 1);
    assert_false(fake_has(&s.device, there->layers));
    assert_true(fake_has(&s.device, there->layers[1].w));
    assert_true(fake_has(&s.device, there->head->b));
    assert_float_equal(there->scale[1][2], s.model.scale[1][2], 0);

    back = pytree_clone(s.tree, &s.here, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(back, PYTREE(&s.model), NULL, NULL, &error));
    second = pytree_clone(s.tree, &s.there, &error);           /* there to there */
    assert_ok(error.status, &error);
    assert_int_equal(fake_live(&s.device), 2);
    zeros = pytree_zeros_like(s.tree, &s.there, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_copy_into(second, zeros, &s.there, &error), &error);      /* there to there */
    assert_ok(pytree_copy_into(zeros, back, &s.there, &error), &error);        /* up */
    assert_ok(pytree_copy_into(back, second, &s.there, &error), &error);       /* down */
    assert_float_equal(((MLP *)back.data)->layers[1].w[3], 0, 0);
    assert_float_equal(((MLP *)back.data)->scale[0][1], 0, 0);
    assert_ok(pytree_copy_into(back, zeros, &s.here, &error), &error);
    assert_true(pytree_equal(back, PYTREE(&s.model), NULL, NULL, &error));
    pytree_free(back);

    back = pytree_zeros_like(s.tree, NULL, &error);            /* reads nothing: on the host without any options */
    assert_ok(error.status, &error);
    n = s.device.copies;
    assert_float_equal(((MLP *)back.data)->head->w[3], 0, 0);
    assert_int_equal(s.device.copies, n);
    pytree_free(back);
    pytree_free(zeros);
    pytree_free(second);
    setup_end(&s);
}

/* Trees of one structure have their arrays at the same places of ranges of the same length. */
static void arrays_are_one_range(void **state)
{
    pytree_error error = { 0 };
    Linear layer = { .din = 2, .dout = 3 };
    pytree zeros, here;
    size_t n, m, k;
    char *a, *b;
    Setup s;
    (void)state;
    setup_begin(&s);
    zeros = pytree_zeros_like(s.tree, &s.there, &error);
    a = pytree_arrays(s.tree, &n);
    b = pytree_arrays(zeros, &m);
    assert_true(fake_has(&s.device, a) && fake_has(&s.device, b));
    assert_int_equal(n, m);
    assert_in_range(n, (12 + 3 + 6 + 2 + 4 + 2) * sizeof(float), 4096);
    assert_int_equal((char *)((MLP *)s.tree.data)->layers[1].b - a, (char *)((MLP *)zeros.data)->layers[1].b - b);
    here = pytree_clone(zeros, &s.here, &error);
    b = pytree_arrays(here, &k);
    assert_false(fake_has(&s.device, b));
    assert_ptr_equal(b, ((MLP *)here.data)->layers[0].w);
    assert_ptr_equal(b + k, ((MLP *)here.data)->head->b + 2);
    assert_null(pytree_arrays(PYTREE(&n), &k));
    assert_int_equal(k, 0);
    assert_ok(pytree_allocate(PYTREE(&layer), NULL, &error), &error);
    assert_ptr_equal(pytree_arrays(PYTREE(&layer), &k), layer.w);
    assert_in_range(k, 9 * sizeof(float), 256);
    assert_ptr_equal(pytree_arrays(PYTREE(&layer), NULL), layer.w);
    pytree_free(PYTREE(&layer));
    pytree_free(here);
    pytree_free(zeros);
    setup_end(&s);
}

static pytree_status count_elements(void *context, const pytree_iter *at)
{
    size_t *n = context;
    *n += pytree_leaf_count(at->leaf[0]);
    return pytree_is_leaf(at->leaf[0]) ? PYTREE_OK : PYTREE_TYPE;
}

/* What needs no values works as everywhere: leaves, treedefs, paths, maps. Leaves say where they are. */
static void structure_needs_no_values(void **state)
{
    pytree_error error = { 0 };
    const pytree_entry head_w[] = { { PYTREE_ATTRIBUTE, "head", 0 }, { PYTREE_ATTRIBUTE, "w", 0 } };
    const pytree_path path = { 2, head_w };
    Setup s;
    pytree_def *def, *host;
    pytree_leaf *leaves = NULL, leaf;
    pytree both[2], again;
    const char **paths;
    char text[2000];
    size_t n = 0, i, forms = 0;
    (void)state;
    setup_begin(&s);
    host = pytree_structure(PYTREE(&s.model), NULL, &error);
    assert_ok(pytree_flatten(s.tree, &leaves, 0, &def, NULL, &error), &error);
    assert_true(pytree_def_equal(def, host));
    for (i = 0; i < def->n_leaves; i++) {
        assert_true(pytree_is_leaf(&leaves[i]));
        forms += leaves[i].form == PYTREE_FORM_DEVICE;
    }
    assert_int_equal(def->n_leaves, 7);
    assert_int_equal(forms, 6);                                /* all but .scale, which lies in the struct */

    paths = pytree_paths(s.tree, NULL, &n, NULL, &error);
    assert_string_equal(paths[2], ".layers[1].w");
    pytree_paths_free(paths);
    assert_ok(pytree_check(s.tree, NULL, NULL, NULL, &error), &error);
    assert_int_not_equal(pytree_text(s.tree, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_non_null(strstr(text, ".layers[0].w  f32[4,3] on a device\n"));
    leaf = pytree_get(s.tree, &path, NULL, &error);
    assert_int_equal(leaf.form, PYTREE_FORM_DEVICE);

    n = 0;
    both[0] = PYTREE(&s.model);
    both[1] = s.tree;
    assert_ok(pytree_map(count_elements, &n, NULL, 2, both, NULL, &error), &error);
    assert_ok(pytree_map(count_elements, &n, &both[1], 1, both, NULL, &error), &error);
    assert_ok(pytree_map(count_elements, &n, &both[0], 1, both + 1, NULL, &error), &error);
    assert_int_equal(n, 3 * 35);

    again = pytree_unflatten(def, def->n_leaves, leaves, NULL, &error);        /* of the same arrays */
    assert_ok(error.status, &error);
    assert_ptr_equal(((MLP *)again.data)->layers[1].w, ((MLP *)s.tree.data)->layers[1].w);
    assert_false(pytree_equal(again, again, NULL, NULL, &error));
    assert_int_equal(error.status, PYTREE_ARGUMENT);
    pytree_free(again);
    pytree_def_free(def);
    pytree_def_free(host);
    setup_end(&s);
}

/* Ways to read values. Each gets the tree, as it is and in a container, and must fail. */
static pytree_status read_equal(pytree t, pytree_error *error) { pytree_equal(t, t, NULL, NULL, error); return error->status; }
static pytree_status read_print(pytree t, pytree_error *error)
{
    const pytree_options opt = { .print_values = 3 };
    FILE *file = tmpfile();
    pytree_status status = pytree_print(file, t, &opt, error);
    assert_int_equal(ftell(file), 0);                          /* nothing was written */
    fclose(file);
    return status;
}
static pytree_status read_sum(pytree t, pytree_error *error) { double x; return pytree_sum(t, &x, NULL, error); }
static pytree_status read_max(pytree t, pytree_error *error) { double x; return pytree_max(t, &x, NULL, error); }
static pytree_status read_all(pytree t, pytree_error *error) { bool x; return pytree_all(t, &x, NULL, error); }
static pytree_status read_norm(pytree t, pytree_error *error) { double x; return pytree_norm(t, &x, NULL, error); }
static pytree_status read_ravel(pytree t, pytree_error *error)
{
    double numbers[500];
    pytree_leaf vector = { numbers, PYTREE_TYPE(double), 1, 0, { COUNT_OF(numbers) } };
    return pytree_ravel(t, &vector, NULL, error);
}
static pytree_status read_save(pytree t, pytree_error *error) { return pytree_save_npz("never.npz", t, NULL, error); }
static pytree_status read_clone(pytree t, pytree_error *error)
{
    pytree_free(pytree_clone(t, NULL, error));
    return error->status;
}
static pytree_status read_copy(pytree t, pytree_error *error) { return pytree_copy_into(t, t, NULL, error); }
static pytree_status read_map(pytree t, pytree_error *error)
{
    pytree_iter it;
    pytree_status status = pytree_iter_begin(&it, 1, &t, NULL, error);
    while (status == PYTREE_OK && pytree_iter_next(&it)) {
        if (pytree_iter_elements(&it, 0, PYTREE_TYPE(float), NULL) == NULL) { status = error->status; }
    }
    pytree_iter_end(&it);
    return status;
}

static pytree_status read_literal(pytree t, pytree_error *error)
{
    FILE *file = tmpfile();
    (void)pytree_literal_print(file, t, NULL, error);
    fclose(file);
    return error->status;
}
static pytree_status read_differences(pytree t, pytree_error *error)
{
    pytree_deviation_list *list = pytree_deviations(t, t, 0, NULL, NULL, error);
    pytree_deviation_free(list);
    return error->status;
}
static pytree_status read_assign(pytree t, pytree_error *error) { return pytree_assign(t, t, NULL, error); }

static pytree_status (*const readers[])(pytree t, pytree_error *error) = {
    read_equal, read_print, read_sum, read_max, read_all, read_norm, read_ravel, read_save, read_clone, read_copy, read_map,
    read_literal, read_differences, read_assign
};

/* Reads in every way what must not be read, and compares the path. */
static void assert_unreadable(pytree t, const char *path)
{
    size_t i;
    for (i = 0; i < COUNT_OF(readers); i++) {
        pytree_error error = { 0 };
        assert_int_not_equal(readers[i](t, &error), PYTREE_OK);
        assert_string_equal(error.path, path);
        assert_says(&error, "device");
    }
}

/* Nothing of the host's is written there. */
static void assert_unassignable(pytree t, const char *path)
{
    pytree_error error = { 0 };
    assert_error(pytree_assign_at(t, path, PYTREE_INT(1), NULL, &error), PYTREE_ARGUMENT, path, &error);
    assert_says(&error, "expected values on the host, got an array on a device");
}

static void values_are_refused(void **state)
{
    pytree_error error = { 0 };
    Setup s;
    pytree_flat flat;
    pytree_leaf *leaves = NULL, any;
    pytree_def *def;
    pytree dict, there;
    Trainer trainer;
    float number = 1;
    (void)state;
    setup_begin(&s);
    assert_unreadable(s.tree, ".layers[0].w");
    assert_unassignable(s.tree, ".layers[0].w");
    assert_unreadable(PYTREE_LIST(PYTREE(&number), PYTREE_LIST(s.tree)), "[1][0].layers[0].w");
    trainer.params = PYTREE(&number);
    trainer.moments = s.tree;
    trainer.steps = s.tree;
    assert_unreadable(PYTREE(&trainer), ".moments.layers[0].w");
    assert_ok(pytree_flatten(s.tree, &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_unreadable(PYTREE(&flat), ".layers[0].w");
    any = leaves[3];
    assert_unreadable(PYTREE(&any), "");
    pytree_def_free(def);
    dict = PYTREE_DICT({ "a", PYTREE_ARRAY(s.model.layers[0].w, 4, 3) }, { "b", PYTREE(&s.model) });
    there = pytree_clone(dict, &s.there, &error);
    assert_ok(error.status, &error);
    assert_unreadable(there, "['a']");
    assert_unreadable(((const pytree_items *)there.data)->pairs[0].value, "");       /* one of its values by itself */
    pytree_free(there);
    setup_end(&s);
}

/* Without any function the memory is the host's; arrays on a device are out of reach then. */
static void memory_without_functions(void **state)
{
    static const pytree_device none = { 0 };
    const pytree_options options = { .memory = &none };
    pytree_error error = { 0 };
    pytree host, made;
    Setup s;
    (void)state;
    setup_begin(&s);
    host = PYTREE(&s.model);
    made = pytree_clone(host, &options, &error);
    assert_true(pytree_equal(made, host, NULL, NULL, &error));
    pytree_free(made);
    assert_null(pytree_clone(s.tree, &options, &error).data);
    assert_error(error.status, PYTREE_ARGUMENT, ".layers[0].w", &error);
    error.status = PYTREE_OK;
    made = pytree_zeros_like(host, &options, &error);
    assert_float_equal(((MLP *)made.data)->layers[0].w[0], 0, 0);
    pytree_free(made);
    setup_end(&s);
}

/* Pages and NNX's text show an array on a device as a shape without data. */
static void shown_as_shapes(void **state)
{
    static const char page[] = "device.html";
    pytree_error error = { 0 };
    char text[4000];
    Setup s;
    (void)state;
    setup_begin(&s);
    assert_int_not_equal(pytree_display_text(s.tree, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_non_null(strstr(text, "ShapeDtypeStruct(shape=(4, 3), dtype=float32)"));
    assert_null(strstr(text, "Array(["));         /* `scale` lies in the struct */
    assert_ok(pytree_save_html(page, s.tree, NULL, &error), &error);
    assert_ok(pytree_save_html_diff(page, s.tree, s.tree, NULL, NULL, &error), &error);
    assert_ok(pytree_save_html_diff(page, s.tree, PYTREE(&s.model), NULL, NULL, &error), &error);
    assert_int_equal(remove(page), 0);
    setup_end(&s);
}

/* States and graphs need no values until those are moved; an optimizer does from the start. */
static void states_and_graphs(void **state)
{
    const pytree_rule sgd = PYTREE_SGD(.rate = 0.1);
    pytree_error error = { 0 };
    Setup s;
    pytree_flat there, here;
    pytree parts[1];
    pytree_def *graph, *host;
    pytree_optimizer *optimizer;
    (void)state;
    setup_begin(&s);
    graph = pytree_graphdef(s.tree, NULL, &error);
    host = pytree_graphdef(PYTREE(&s.model), NULL, &error);
    assert_true(pytree_def_equal(graph, host));
    there = pytree_state(s.tree, PYTREE_REST, NULL, &error);
    here = pytree_state(PYTREE(&s.model), PYTREE_REST, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(there.leaves[0].form, PYTREE_FORM_DEVICE);
    assert_true(pytree_def_equal(there.def, here.def));
    parts[0] = PYTREE(&there);
    assert_error(pytree_update(PYTREE(&s.model), 1, parts, NULL, &error), PYTREE_TYPE, ".head.b", &error);
    assert_says(&error, "expected f32[2], got f32[2] on a device");
    memset(&error, 0, sizeof error);
    parts[0] = PYTREE(&here);
    assert_error(pytree_update(s.tree, 1, parts, NULL, &error), PYTREE_TYPE, ".head.b", &error);
    memset(&error, 0, sizeof error);
    parts[0] = PYTREE(&there);
    assert_error(pytree_update(s.tree, 1, parts, NULL, &error), PYTREE_ARGUMENT, ".head.b", &error);
    assert_says(&error, "expected values on the host, got f32[2] on a device");
    memset(&error, 0, sizeof error);
    assert_null(pytree_graph_clone(s.tree, NULL, &error).data);
    assert_says(&error, "device");
    memset(&error, 0, sizeof error);
    assert_null(pytree_optimizer_new(s.tree, sgd, PYTREE_REST, NULL, &error));
    assert_says(&error, "device");
    memset(&error, 0, sizeof error);
    optimizer = pytree_optimizer_new(PYTREE(&s.model), sgd, PYTREE_REST, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_not_equal(pytree_optimizer_update(optimizer, s.tree, &error), PYTREE_OK);
    assert_says(&error, "device");
    pytree_optimizer_free(optimizer);
    pytree_flat_free(&there);
    pytree_flat_free(&here);
    pytree_def_free(graph);
    pytree_def_free(host);
    setup_end(&s);
}

/* A tree on the host beside one on a device. */
static void one_of_two_trees(void **state)
{
    pytree_error error = { 0 };
    Setup s;
    pytree host, pairs[2];
    pytree_iter it;
    size_t n = 0;
    (void)state;
    setup_begin(&s);
    host = PYTREE(&s.model);
    assert_false(pytree_equal(host, s.tree, NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, ".layers[0].w", &error);
    assert_says(&error, "expected values on the host, got f32[4,3] on a device");
    error.status = PYTREE_OK;
    assert_false(pytree_equal(PYTREE_LIST(s.tree), PYTREE_LIST(host), NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "[0].layers[0].w", &error);
    error.status = PYTREE_OK;
    assert_error(pytree_copy_into(host, s.tree, NULL, &error), PYTREE_ARGUMENT, ".layers[0].w", &error);
    assert_says(&error, "expected opt->memory with `copy`");
    error.status = PYTREE_OK;
    pairs[0] = PYTREE_TUPLE(host, host, PYTREE_DICT({ "k", host }));           /* the first one is nowhere near a device */
    pairs[1] = PYTREE_TUPLE(host, s.tree, PYTREE_DICT({ "k", s.tree }));
    assert_ok(pytree_iter_begin(&it, 2, pairs, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        assert_int_equal(it.leaf[0]->form, PYTREE_FORM_LEAF);
        assert_int_equal(it.leaf[1]->form == PYTREE_FORM_DEVICE, fake_has(&s.device, it.leaf[1]->data));
        n += it.leaf[1]->form == PYTREE_FORM_DEVICE;
    }
    assert_ok(it.status, &error);
    pytree_iter_end(&it);
    assert_int_equal(n, 12);
    setup_end(&s);
}

/* Strings, subtrees and views of a struct: what is no array of numbers stays on the host. */
static void other_rows(void **state)
{
    pytree_error error = { 0 };
    FakeDevice device;
    const pytree_device memory = fake_memory(&device), download = fake_download(&device);
    const pytree_options there = { .memory = &memory }, here = { .memory = &download };
    char *names[] = { "one", NULL };
    float numbers[] = { 1, 2 };
    double more[] = { 3, 4, 5 };
    Words words = { .n = 2, .words = names, .numbers = numbers };
    pytree up, down;
    const Words *w;
    (void)state;
    words.inner = PYTREE_LIST(PYTREE_ARRAY(more, 3), PYTREE_INT(7));
    words.any = (pytree_leaf){ .data = more, .type = PYTREE_TYPE(double), .ndim = 1, .shape = { 3 } };
    up = pytree_clone(PYTREE(&words), &there, &error);
    assert_ok(error.status, &error);
    w = up.data;
    assert_false(fake_has(&device, w->words));
    assert_string_equal(w->words[0], "one");
    assert_null(w->words[1]);
    assert_true(fake_has(&device, w->numbers) && fake_has(&device, w->any.data));
    assert_int_equal(w->any.form, PYTREE_FORM_DEVICE);
    down = pytree_clone(up, &here, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(down, PYTREE(&words), NULL, NULL, &error));
    assert_ok(pytree_copy_into(up, down, &there, &error), &error);
    pytree_free(down);
    pytree_free(up);
    up = pytree_clone(PYTREE_INT(3), &there, &error);          /* nothing for a device */
    assert_int_equal(*(int64_t *)up.data, 3);
    assert_int_equal(fake_live(&device), 0);
    pytree_free(up);
}

/* What would lose sight of where arrays lie is refused, with words that say so. */
static void mistakes(void **state)
{
    pytree_error error = { 0 };
    Setup s;
    Linear layer = { .din = 2, .dout = 2 };
    pytree_device partial;
    pytree_options opt = { 0 };
    pytree_leaf *leaves = NULL, swapped[7];
    pytree_def *def;
    pytree made;
    (void)state;
    setup_begin(&s);
    assert_error(pytree_allocate(PYTREE(&layer), &s.there, &error), PYTREE_ARGUMENT, "", &error);
    assert_says(&error, "expected no opt->memory");
    assert_null(layer.w);
    error.status = PYTREE_OK;
    partial = s.memory;
    partial.zero = NULL;
    opt.memory = &partial;
    made = pytree_clone(s.tree, &opt, &error);
    assert_null(made.data);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    error.status = PYTREE_OK;
    assert_ok(pytree_flatten(s.tree, &leaves, 0, &def, NULL, &error), &error);
    assert_error(pytree_unflatten_into(def, 7, leaves, PYTREE(&s.model), NULL, &error), PYTREE_TYPE, ".layers[0].w", &error);
    assert_says(&error, "expected f32[4,3], got f32[4,3] on a device");
    error.status = PYTREE_OK;
    assert_error(pytree_unflatten_into(def, 7, leaves, s.tree, NULL, &error), PYTREE_ARGUMENT, ".layers[0].w", &error);
    error.status = PYTREE_OK;
    memcpy(swapped, leaves, sizeof swapped);
    swapped[6].form = PYTREE_FORM_DEVICE;                      /* .scale, which is part of its struct */
    made = pytree_unflatten(def, 7, swapped, NULL, &error);
    assert_null(made.data);
    assert_error(error.status, PYTREE_TYPE, ".scale", &error);
    assert_says(&error, "got f32[2,3] on a device");
    error.status = PYTREE_OK;
    swapped[6] = leaves[6];
    swapped[0].shape[0] = 5;
    made = pytree_unflatten(def, 7, swapped, NULL, &error);
    assert_null(made.data);
    assert_error(error.status, PYTREE_SHAPE, ".layers[0].w", &error);
    error.status = PYTREE_OK;
    swapped[0] = leaves[0];
    swapped[0].type = PYTREE_TYPE(char *);                     /* strings do not lie on a device */
    assert_int_equal(pytree_num_leaves(PYTREE(&swapped[0]), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    pytree_def_free(def);
    setup_end(&s);
}

/* One after the other each call of the device fails. */
static pytree_status round_trip(FakeDevice *device, const pytree_options *base, pytree_error *error)
{
    const pytree_device memory = { fake_allocate, fake_release, fake_copy, fake_zero, device };
    const pytree_device download = fake_download(device);
    pytree_options there = *base, here = *base;
    MLP model = mlp_make(2, true);
    pytree up, zeros = { NULL, NULL }, down = { NULL, NULL };
    there.memory = &memory;
    here.memory = &download;
    up = pytree_clone(PYTREE(&model), &there, error);
    if (up.data != NULL) { zeros = pytree_zeros_like(up, &there, error); }
    if (zeros.data != NULL && pytree_copy_into(zeros, up, &here, error) == PYTREE_OK) {
        down = pytree_clone(zeros, &here, error);
    }
    if (down.data != NULL) { assert_true(pytree_equal(down, PYTREE(&model), NULL, NULL, error)); }
    pytree_free(down);
    pytree_free(zeros);
    pytree_free(up);
    mlp_clear(&model);
    assert_int_equal(fake_live(device), 0);
    return error->status;
}

static void every_call_fails_once(void **state)
{
    size_t n;
    (void)state;
    for (n = 0;; n++) {
        const pytree_options base = { 0 };
        pytree_error error = { 0 };
        FakeDevice device;
        (void)fake_memory(&device);
        device.fail_at = n;
        if (round_trip(&device, &base, &error) == PYTREE_OK) { break; }
        assert_true(error.status == PYTREE_NO_MEMORY || error.status == PYTREE_IO);
    }
    assert_int_equal(n, 4 + 3 * 6);                            /* two blocks, each set to zero; 6 arrays up, across, down */
}

static pytree_status round_trip_in(void *context, const pytree_options *opt, pytree_error *error)
{
    FakeDevice device;
    (void)context;
    (void)fake_memory(&device);
    return round_trip(&device, opt, error);
}

static void memory_of_the_host_runs_out(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(round_trip_in, NULL), 3, 100);
}

/* Each function of a device is needed, and a copy from or to one needs it in the options. */
static void functions_that_are_missing(void **state)
{
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    pytree_device partial;
    float same[3] = { 0.0f };
    pytree leaf, list;
    Setup s;
    size_t k;
    (void)state;
    setup_begin(&s);
    for (k = 0; k < 3; k++) {
        partial = s.memory;
        if (k == 0) { partial.release = NULL; }
        if (k == 1) { partial.copy = NULL; }
        if (k == 2) { partial.zero = NULL; }
        opt.memory = &partial;
        error.status = PYTREE_OK;
        assert_null(pytree_clone(PYTREE(&s.model), &opt, &error).data);
        assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    }
    error.status = PYTREE_OK;
    assert_error(pytree_copy_into(s.tree, PYTREE(&s.model), NULL, &error), PYTREE_ARGUMENT, ".layers[0].w", &error);
    error.status = PYTREE_OK;
    opt.memory = NULL;
    assert_error(pytree_copy_into(s.tree, PYTREE(&s.model), &opt, &error), PYTREE_ARGUMENT, ".layers[0].w", &error);
    error.status = PYTREE_OK;
    partial = s.memory;
    partial.copy = NULL;
    opt.memory = &partial;
    assert_error(pytree_copy_into(s.tree, PYTREE(&s.model), &opt, &error), PYTREE_ARGUMENT, ".layers[0].w", &error);
    error.status = PYTREE_OK;
    assert_ok(pytree_copy_into(s.tree, PYTREE(&s.model), &s.there, &error), &error);
    leaf = pytree_clone(PYTREE_LIST(PYTREE_ARRAY(same, 3)), &s.there, &error);
    assert_ok(error.status, &error);
    list = PYTREE_LIST(PYTREE_LIST(PYTREE_ARRAY(same, 3)));   /* deeper, */
    assert_error(pytree_copy_into(leaf, list, &s.there, &error), PYTREE_TYPE, "[0]", &error);
    error.status = PYTREE_OK;
    s.there.none_is_leaf = true;          /* and None where the other has an array */
    assert_error(pytree_copy_into(PYTREE_LIST(PYTREE_NONE), leaf, &s.there, &error), PYTREE_TYPE, "[0]", &error);
    s.there.none_is_leaf = false;
    pytree_free(leaf);
    setup_end(&s);
}

/* Shapes are shown, values are not; an array of strings, a single number and None lie on the host. */
static void what_a_tree_on_a_device_shows(void **state)
{
    char *words[2] = { "a", "b" }, text[2000];
    float numbers[2] = { 1.0f, 2.0f }, one = 3.0f;
    pytree_leaf any = { &one, PYTREE_TYPE(float), 0, 0, { 0 } };
    Words w = { 2, words, numbers, PYTREE_LIST(PYTREE_ARRAY(words, 2), PYTREE_ARRAY(numbers, 2), PYTREE(&one)), any };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree made;
    Setup s;
    (void)state;
    setup_begin(&s);
    made = pytree_clone(PYTREE(&w), &s.there, &error);
    assert_ok(error.status, &error);
    assert_int_not_equal(pytree_text(made, text, sizeof text, &opt, &error), SIZE_MAX);
    assert_non_null(strstr(text, ".any  f32 3.0\n"));
    assert_non_null(strstr(text, ".inner[2]  f32 3.0\n"));
    opt.print_values = 2;
    assert_int_equal(pytree_text(made, text, sizeof text, &opt, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_ARGUMENT, ".numbers", &error);
    pytree_free(made);
    setup_end(&s);
}

/* The path of a leaf that is refused, with None before it that is a leaf or is none; a tree that is an array. */
static void paths_beside_none(void **state)
{
    float x[3] = { 1.0f, 2.0f, 3.0f };
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree made;
    Setup s;
    size_t k;
    (void)state;
    setup_begin(&s);
    for (k = 0; k < 2; k++) {
        opt.none_is_leaf = s.there.none_is_leaf = k != 0;
        made = pytree_clone(PYTREE_LIST(PYTREE_NONE, PYTREE_LIST(PYTREE(&x[0])), PYTREE_ARRAY(x, 3)), &s.there, &error);
        assert_ok(error.status, &error);
        assert_null(pytree_clone(made, &opt, &error).type);
        assert_error(error.status, PYTREE_ARGUMENT, "[2]", &error);
        memset(&error, 0, sizeof error);
        pytree_free(made);
    }
    s.there.none_is_leaf = false;
    made = pytree_clone(PYTREE_ARRAY(x, 3), &s.there, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_num_leaves(made, NULL, &error), 1);
    assert_unreadable(made, "");
    pytree_free(made);
    setup_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_and_down),      cmocka_unit_test(arrays_are_one_range),
        cmocka_unit_test(structure_needs_no_values), cmocka_unit_test(values_are_refused),
        cmocka_unit_test(memory_without_functions), cmocka_unit_test(shown_as_shapes), cmocka_unit_test(states_and_graphs),
        cmocka_unit_test(one_of_two_trees), cmocka_unit_test(other_rows),
        cmocka_unit_test(mistakes),         cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(memory_of_the_host_runs_out),
        cmocka_unit_test(functions_that_are_missing),
        cmocka_unit_test(what_a_tree_on_a_device_shows),
        cmocka_unit_test(paths_beside_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
