/* How much stack the operations take. Each runs in a thread of its own whose stack was painted; what is no longer painted was
 * used. Prints a line for each, "name: bytes of at most bytes", and returns 1 if one takes more than the table allows. */
#define _POSIX_C_SOURCE 200809L           /* pthread_attr_setstack */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree.h"
#include "pytree/algebra.h"
#include "pytree/containers.h"
#include "pytree/literal.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"
#include "pytree/treedef_io.h"

#include <pthread.h>

typedef struct Linear {
    int din, dout;
    float *w, *b;
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct Net {
    size_t n;
    Linear *layers;
    Linear *head;
    const char *name;
    float scale[2][3];
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, layers, LIST(self->n))              \
    PYTREE_FIELD(DATA, head, OPTIONAL)                     \
    PYTREE_FIELD(STATIC, name)                             \
    PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

static pytree t, u, dict, made;
static pytree_def *def;
static pytree_leaf *leaves;
static size_t n_leaves;
static char text[8192];
static const char *file;                  /* that is saved and loaded: the program's argument */
static pytree_error err;

/* ---- Operations ---------------------------------------------------------------------------------------------------------- */

static pytree_status nothing(void *context, const pytree_iter *at)
{
    (void)context;
    (void)at;
    return PYTREE_OK;
}

static int enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return PYTREE_WALK_ON;
}

static bool done(pytree_status status) { return status == PYTREE_OK; }
static bool do_nothing(void) { return true; }
static bool do_flatten(void) { return done(pytree_flatten(t, &leaves, 0, &def, NULL, &err)); }
static bool do_leaves(void) { return done(pytree_leaves(t, leaves, n_leaves, NULL, NULL, &err)); }
static bool do_num_leaves(void) { return pytree_num_leaves(dict, NULL, &err) == 3; }
static bool do_unflatten(void) { made = pytree_unflatten(def, n_leaves, leaves, NULL, &err); return made.data != NULL; }
static bool do_unflatten_into(void) { return done(pytree_unflatten_into(def, n_leaves, leaves, t, NULL, &err)); }
static bool do_clone(void) { made = pytree_clone(t, NULL, &err); return made.data != NULL; }
static bool do_free(void) { pytree_free(made); return true; }
static bool do_copy_into(void) { return done(pytree_copy_into(u, t, NULL, &err)); }
static bool do_map(void) { return done(pytree_map(nothing, NULL, NULL, 1, &t, NULL, &err)); }
static bool do_map_4(void)
{
    const pytree all[4] = { t, u, t, u };
    return done(pytree_map(nothing, NULL, NULL, 4, all, NULL, &err));
}
static bool do_sum(void)
{
    double sum;
    return done(pytree_sum(t, &sum, NULL, &err));
}
static bool do_walk(void)
{
    const pytree_visitor visitor = { enter, NULL, NULL };
    return done(pytree_walk(t, &visitor, NULL, &err));
}
static bool do_equal(void) { return pytree_equal(t, u, NULL, NULL, &err); }
static bool do_check(void) { return done(pytree_check(t, NULL, NULL, NULL, &err)); }
static bool do_find_duplicates(void)
{
    pytree_duplicates *found = pytree_find_duplicates(t, NULL, &err);
    pytree_duplicates_free(found);
    return found != NULL;
}
static bool do_text(void) { return pytree_text(t, text, sizeof text, NULL, &err) != SIZE_MAX; }
static bool do_paths(void)
{
    size_t n;
    const char **paths = pytree_paths(t, NULL, &n, NULL, &err);
    pytree_paths_free(paths);
    return paths != NULL;
}
static bool do_def_text(void) { return pytree_def_text(def, text, sizeof text) != SIZE_MAX; }
static bool do_def_hash(void) { return pytree_def_hash(def) != 0; }

/* Errors: the message is put together on the stack. */
static bool do_structure_error(void)
{
    pytree_error mine = { PYTREE_OK, "", "" };
    return !pytree_equal(t, dict, NULL, NULL, &mine) && mine.status == PYTREE_STRUCTURE;
}
static bool do_value_error(void)
{
    pytree_error mine = { PYTREE_OK, "", "" };
    float *const at = ((Net *)u.data)->layers[1].w;
    bool found;
    at[3] += 1;
    found = !pytree_equal(t, u, NULL, NULL, &mine) && mine.status == PYTREE_VALUE;
    at[3] -= 1;
    return found;
}

/* Subtrees that a predicate makes leaves, and that differ. */
static bool is_linear(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    return value->type == PYTREE((Linear *)NULL).type && path->n == 2;
}
static bool do_subtree_error(void)
{
    const pytree_options subtrees = { .is_leaf = is_linear };
    pytree_error mine = { PYTREE_OK, "", "" };
    float *const at = ((Net *)u.data)->layers[1].w;
    bool found;
    at[3] += 1;
    found = !pytree_equal(t, u, NULL, &subtrees, &mine) && mine.status == PYTREE_VALUE;
    at[3] -= 1;
    return found;
}

/* A tree with NULL where data is required. */
static pytree_error refused;
static bool is_refused(bool result)
{
    const bool good = !result && refused.status == PYTREE_NULL_POINTER && strcmp(refused.path, ".layers[1].w") == 0;
    memset(&refused, 0, sizeof refused);
    return good;
}
static float *take_away(void)
{
    Net *const net = t.data;
    float *const w = net->layers[1].w;
    net->layers[1].w = NULL;
    return w;
}
static bool give_back(float *w, bool good)
{
    ((Net *)t.data)->layers[1].w = w;
    return good;
}
static bool do_flatten_error(void)
{
    float *const w = take_away();
    pytree_leaf *none = NULL;
    pytree_def *no_def;
    return give_back(w, is_refused(done(pytree_flatten(t, &none, 0, &no_def, NULL, &refused))));
}
static bool do_unflatten_into_error(void)
{
    float *const w = take_away();
    return give_back(w, is_refused(done(pytree_unflatten_into(def, n_leaves, leaves, t, NULL, &refused))));
}
static bool do_clone_error(void)
{
    float *const w = take_away();
    return give_back(w, is_refused(pytree_clone(t, NULL, &refused).data != NULL));
}
static bool do_copy_into_error(void)
{
    float *const w = take_away();
    return give_back(w, is_refused(done(pytree_copy_into(u, t, NULL, &refused))));
}
static bool do_map_4_error(void)
{
    const pytree all[4] = { t, u, t, u };
    float *const w = take_away();
    return give_back(w, is_refused(done(pytree_map(nothing, NULL, NULL, 4, all, NULL, &refused))));
}
static bool do_copy_into_shape_error(void)
{
    static float x[3];
    const pytree lists[2] = { PYTREE_LIST(PYTREE_ARRAY(x, 2)), PYTREE_LIST(PYTREE_ARRAY(x, 3)) };
    pytree_error mine = { PYTREE_OK, "", "" };
    (void)pytree_copy_into(lists[0], lists[1], NULL, &mine);
    return mine.status == PYTREE_SHAPE;
}
static bool do_map_type_error(void)
{
    const pytree all[4] = { t, t, t, dict };
    pytree_error mine = { PYTREE_OK, "", "" };
    (void)pytree_map(nothing, NULL, NULL, 4, all, NULL, &mine);
    return mine.status == PYTREE_STRUCTURE;
}
static bool do_unflatten_into_structure_error(void)
{
    pytree_error mine = { PYTREE_OK, "", "" };
    Linear *const head = ((Net *)u.data)->head;
    ((Net *)u.data)->head = head == NULL ? ((Net *)u.data)->layers : NULL;
    (void)pytree_unflatten_into(def, n_leaves, leaves, u, NULL, &mine);
    ((Net *)u.data)->head = head;
    return mine.status == PYTREE_STRUCTURE;
}
static bool do_map_static_error(void)
{
    const pytree all[4] = { t, t, t, u };
    pytree_error mine = { PYTREE_OK, "", "" };
    const char *const name = ((Net *)u.data)->name;
    ((Net *)u.data)->name = "another name";
    (void)pytree_map(nothing, NULL, NULL, 4, all, NULL, &mine);
    ((Net *)u.data)->name = name;
    return mine.status == PYTREE_STRUCTURE && strstr(mine.message, "got 'another name' in tree 3") != NULL;
}
static bool do_unflatten_into_static_error(void)
{
    pytree_error mine = { PYTREE_OK, "", "" };
    const char *const name = ((Net *)u.data)->name;
    ((Net *)u.data)->name = "another name";
    (void)pytree_unflatten_into(def, n_leaves, leaves, u, NULL, &mine);
    ((Net *)u.data)->name = name;
    return mine.status == PYTREE_STRUCTURE && strstr(mine.message, "got 'another name'") != NULL;
}
static bool do_paths_error(void)
{
    float *const w = take_away();
    size_t n;
    return give_back(w, is_refused(pytree_paths(t, NULL, &n, NULL, &refused) != NULL));
}
static bool do_text_error(void)
{
    float *const w = take_away();
    return give_back(w, is_refused(pytree_text(t, text, sizeof text, NULL, &refused) != SIZE_MAX));
}
static bool do_sum_error(void)
{
    float *const w = take_away();
    double sum;
    return give_back(w, is_refused(done(pytree_sum(t, &sum, NULL, &refused))));
}
static bool do_ravel_error(void)
{
    pytree_leaf vector = { NULL, NULL, 0, 0, { 0 } };
    float *const w = take_away();
    return give_back(w, is_refused(done(pytree_ravel(t, &vector, NULL, &refused))));
}
static bool do_dot_error(void)
{
    float *const w = take_away();
    double product;
    return give_back(w, is_refused(done(pytree_dot(t, u, &product, NULL, &refused))));
}
static bool do_dot(void)
{
    double product;
    return done(pytree_dot(t, u, &product, NULL, &err));
}
static bool do_norm(void)
{
    double norm;
    return done(pytree_norm(t, &norm, NULL, &err));
}
static bool do_axpy(void) { return done(pytree_axpy(0, t, u, NULL, &err)); }
static bool do_unflatten_error(void)
{
    pytree_error mine = { PYTREE_OK, "", "" };
    bool found;
    leaves[2].type = &pytree_types[PYTREE__T_double_];
    found = pytree_unflatten(def, n_leaves, leaves, NULL, &mine).data == NULL && mine.status == PYTREE_TYPE;
    leaves[2].type = leaves[1].type;
    return found;
}
static int stop(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    return path->n == 3 && value->form == PYTREE_FORM_LEAF ? 77 : PYTREE_WALK_ON;
}
static bool do_walk_error(void)
{
    const pytree_visitor visitor = { stop, NULL, NULL };
    pytree_error mine = { PYTREE_OK, "", "" };
    return pytree_walk(t, &visitor, NULL, &mine) == 77 && strcmp(mine.path, ".layers[0].w") == 0;
}

static bool do_at(void) { return pytree_at(t, ".layers[1].w", NULL, &err).data != NULL; }
static bool do_prefix_errors(void)
{
    pytree_prefix_error_list *list = pytree_prefix_errors(dict, def, "t", NULL, NULL);
    pytree_prefix_errors_free(list);
    return list != NULL;
}
static bool do_ravel(void)
{
    pytree_leaf vector = { NULL, NULL, 0, 0, { 0 } };
    const bool good = done(pytree_ravel(t, &vector, NULL, &err));
    pytree_ravel_free(&vector);
    return good;
}
static bool do_summary(void) { return pytree_summary_text(t, text, sizeof text, NULL, &err) != SIZE_MAX; }
static bool do_def_parse(void)
{
    pytree_def *parsed = pytree_def_parse("PyTreeDef((*, {'a': *, 'b': [*, None]}))", NULL, 0, NULL, &err);
    pytree_def_free(parsed);
    return parsed != NULL;
}
static bool do_parse(void)
{
    const pytree parsed = pytree_parse("{'a': [1, 2.5, 'x'], 'b': (None, {'c': 3})}", NULL, &err);
    pytree_free(parsed);
    return parsed.data != NULL;
}
static bool do_append(void)
{
    const pytree list = pytree_new_list(NULL, &err);
    const bool good = done(pytree_list_append_copy(list, t, &err));
    pytree_container_free(list);
    return good;
}
static bool do_save(void) { return done(pytree_save_safetensors(file, t, NULL, &err)); }
static bool do_load(void) { return done(pytree_load_safetensors(file, t, NULL, &err)); }

/* ---- Measuring ----------------------------------------------------------------------------------------------------------- */

enum { STACK = 256 * 1024, PAINT = 0xA5 };
static _Alignas(4096) unsigned char stack[STACK];

struct run { bool (*operation)(void); bool good; };

static void *in_thread(void *context)
{
    struct run *run = context;
    run->good = run->operation();
    return NULL;
}

/* Returns the bytes that a thread used; 0 if the operation did not succeed. */
static size_t used_by(bool (*operation)(void))
{
    struct run run = { operation, false };
    pthread_attr_t attributes;
    pthread_t thread;
    size_t i;
    memset(stack, PAINT, sizeof stack);
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, stack, sizeof stack) != 0
        || pthread_create(&thread, &attributes, in_thread, &run) != 0 || pthread_join(thread, NULL) != 0) {
        return 0;
    }
    pthread_attr_destroy(&attributes);
    for (i = 0; i < sizeof stack && stack[i] == PAINT; i++) {}
    return run.good ? sizeof stack - i : 0;
}

#define KB(n) ((size_t)(n) * 1024)
_Static_assert(sizeof(pytree_iter) <= KB(8), "an iterator over one tree takes at most 8 KB");
/* The limits that docs/costs.md promises; tighten them as the library does. Each finds what those before it left. */
static const struct {
    const char *name;
    bool (*operation)(void);
    size_t limit;
} table[] = {
    { "pytree_flatten", do_flatten, KB(16) },
    { "pytree_leaves", do_leaves, KB(16) },
    { "pytree_num_leaves", do_num_leaves, KB(16) },
    { "pytree_unflatten", do_unflatten, KB(16) },
    { "pytree_free", do_free, KB(1) },
    { "pytree_unflatten_into", do_unflatten_into, KB(16) },
    { "pytree_clone", do_clone, KB(16) },
    { "pytree_free, of a clone", do_free, KB(1) },
    { "pytree_copy_into", do_copy_into, KB(16) },
    { "pytree_map, one tree", do_map, KB(16) },
    { "pytree_map, four trees", do_map_4, KB(16) },
    { "pytree_sum", do_sum, KB(16) },
    { "pytree_walk", do_walk, KB(8) },
    { "pytree_equal", do_equal, KB(16) },
    { "pytree_equal, other structure", do_structure_error, KB(16) },
    { "pytree_equal, other value", do_value_error, KB(16) },
    { "pytree_equal, other subtree", do_subtree_error, KB(16) },
    { "pytree_flatten, NULL", do_flatten_error, KB(16) },
    { "pytree_unflatten, other type", do_unflatten_error, KB(16) },
    { "pytree_unflatten_into, NULL", do_unflatten_into_error, KB(16) },
    { "pytree_unflatten_into, other structure", do_unflatten_into_structure_error, KB(16) },
    { "pytree_unflatten_into, other static value", do_unflatten_into_static_error, KB(16) },
    { "pytree_clone, NULL", do_clone_error, KB(16) },
    { "pytree_copy_into, NULL", do_copy_into_error, KB(16) },
    { "pytree_map, NULL in one of four", do_map_4_error, KB(16) },
    { "pytree_map, other static value", do_map_static_error, KB(16) },
    { "pytree_copy_into, other shape", do_copy_into_shape_error, KB(16) },
    { "pytree_map, other type", do_map_type_error, KB(16) },
    { "pytree_sum, NULL", do_sum_error, KB(16) },
    { "pytree_walk, stopped", do_walk_error, KB(16) },
    { "pytree_text, NULL", do_text_error, KB(16) },
    { "pytree_paths, NULL", do_paths_error, KB(16) },
    { "pytree_ravel, NULL", do_ravel_error, KB(16) },
    { "pytree_dot", do_dot, KB(16) },
    { "pytree_dot, NULL", do_dot_error, KB(16) },
    { "pytree_norm", do_norm, KB(16) },
    { "pytree_axpy", do_axpy, KB(16) },
    { "pytree_check", do_check, KB(16) },
    { "pytree_find_duplicates", do_find_duplicates, KB(8) },
    { "pytree_text", do_text, KB(16) },
    { "pytree_paths", do_paths, KB(16) },
    { "pytree_def_text", do_def_text, KB(8) },
    { "pytree_def_hash", do_def_hash, KB(1) },
    { "pytree_at", do_at, KB(16) },
    { "pytree_prefix_errors", do_prefix_errors, KB(16) },
    { "pytree_ravel", do_ravel, KB(16) },
    { "pytree_summary_text", do_summary, KB(16) },
    { "pytree_def_parse", do_def_parse, KB(8) },
    { "pytree_parse", do_parse, KB(8) },
    { "pytree_list_append_copy", do_append, KB(16) },
    { "pytree_save_safetensors", do_save, KB(16) },
    { "pytree_load_safetensors", do_load, KB(16) },
};

int main(int argc, char **argv)
{
    static Linear layers[2] = { { 4, 3, NULL, NULL }, { 3, 2, NULL, NULL } };
    static Net net = { 2, NULL, NULL, "net", { { 0 } } };
    const size_t floor = used_by(do_nothing);
    pytree_pair pairs[3];
    pytree_items items = { 0 };
    float one = 1, two = 2, three = 3;
    size_t i;
    int status = 0;
    net.layers = layers;
    t = PYTREE(&net);
    file = argv[argc - 1];
    pairs[0].key = "c";
    pairs[0].value = PYTREE(&one);
    pairs[1].key = "a";
    pairs[1].value = PYTREE(&two);
    pairs[2].key = "b";
    pairs[2].value = PYTREE(&three);
    items.count = 3;
    items.pairs = pairs;
    dict.type = &pytree_types[PYTREE__T_dict];
    dict.data = &items;
    if (floor == 0 || argc != 2 || pytree_allocate(t, NULL, &err) != PYTREE_OK) { return 2; }
    u = pytree_clone(t, NULL, &err);
    n_leaves = pytree_num_leaves(t, NULL, &err);
    printf("sizeof(pytree_iter): %zu\n", sizeof(pytree_iter));
    for (i = 0; i < sizeof table / sizeof table[0]; i++) {
        const size_t used = used_by(table[i].operation), net_use = used < floor ? 0 : used - floor;
        const bool good = used != 0 && net_use <= table[i].limit;
        printf("%s: %zu of at most %zu%s\n", table[i].name, net_use, table[i].limit,
               used == 0 ? " failed" : good ? "" : " is too much");
        if (!good) {
            status = 1;
            pytree_error_print(stdout, &err);
        }
    }
    pytree_def_free(def);
    pytree_free(u);
    pytree_free(t);
    remove(file);
    return status;
}
