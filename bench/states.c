/* states.c: the cost of states of ResNet-152 per variable, as structs with roles and as objects made at run time.
 *
 *     states [--samples 25]                  JSON lines (rows.h), of which states_peer.py makes a table beside Flax
 *     states --calls 10 structs split        no times, only these calls: for instructions.py --program states
 *
 * A block of 16 MB is freed first, as every program with arrays of such a size has done: glibc's malloc then keeps what is
 * freed at the end of its heap. In a process that has had small blocks only it gives that back to the system in each call, and
 * takes it again, page by page, which costs more than many of the calls.
 *
 * Each array has one element, and memory of its own, because what is reached twice counts as shared. A call that allocates is
 * measured together with the call that frees; "pop" also with the pytree_sow before it.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/function.h"             /* rows.h measures prepared functions, too */
#include "pytree/object.h"
#include "pytree/record.h"
#include "pytree/state.h"

#include "rows.h"

/* ---- The model as structs ---------------------------------------------------------------------------------------------- */

typedef struct Linear { int din, dout; float *weight, *bias; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, weight, ARRAY(1), ROLE(Param))                                                                   \
    PYTREE_FIELD(DATA, bias, ARRAY(1), OPTIONAL, ROLE(Param))
#include "pytree_registry.h"

typedef struct Conv { int cin, cout, kernel, stride, padding; float *weight, *bias; } Conv;

#define PYTREE_STRUCT Conv
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, cin)                                                                                           \
    PYTREE_FIELD(STATIC, cout)                                                                                          \
    PYTREE_FIELD(STATIC, kernel)                                                                                        \
    PYTREE_FIELD(STATIC, stride)                                                                                        \
    PYTREE_FIELD(STATIC, padding)                                                                                       \
    PYTREE_FIELD(DATA, weight, ARRAY(1, 1, 1, 1), ROLE(Param))                                                          \
    PYTREE_FIELD(DATA, bias, ARRAY(1), OPTIONAL, ROLE(Param))
#include "pytree_registry.h"

typedef struct BatchNorm {
    int features;
    float *weight, *bias, *running_mean, *running_var;
    int64_t num_batches_tracked;
} BatchNorm;

#define PYTREE_STRUCT BatchNorm
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, features)                                                                                      \
    PYTREE_FIELD(DATA, weight, ARRAY(1), ROLE(Param))                                                                   \
    PYTREE_FIELD(DATA, bias, ARRAY(1), ROLE(Param))                                                                     \
    PYTREE_FIELD(DATA, running_mean, ARRAY(1), ROLE(BatchStat))                                                         \
    PYTREE_FIELD(DATA, running_var, ARRAY(1), ROLE(BatchStat))                                                          \
    PYTREE_FIELD(DATA, num_batches_tracked, ROLE(BatchStat))
#include "pytree_registry.h"

typedef struct Downsample { Conv conv; BatchNorm bn; } Downsample;

#define PYTREE_STRUCT Downsample
#define PYTREE_FIELDS PYTREE_FIELD(DATA, conv) PYTREE_FIELD(DATA, bn)
#include "pytree_registry.h"

typedef struct Bottleneck {
    Conv conv1;
    BatchNorm bn1;
    Conv conv2;
    BatchNorm bn2;
    Conv conv3;
    BatchNorm bn3;
    Downsample *downsample;               /* NULL: none */
} Bottleneck;

#define PYTREE_STRUCT Bottleneck
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, conv1)                                                                                           \
    PYTREE_FIELD(DATA, bn1)                                                                                             \
    PYTREE_FIELD(DATA, conv2)                                                                                           \
    PYTREE_FIELD(DATA, bn2)                                                                                             \
    PYTREE_FIELD(DATA, conv3)                                                                                           \
    PYTREE_FIELD(DATA, bn3)                                                                                             \
    PYTREE_FIELD(DATA, downsample, OPTIONAL)
#include "pytree_registry.h"

enum { LAYERS = 4, BLOCKS = 36, VARIABLES = 932 };

typedef struct ResNet {
    int n1, n2, n3, n4;
    Conv conv1;
    BatchNorm bn1;
    Bottleneck *layer1, *layer2, *layer3, *layer4;
    Linear fc;
    pytree seen;                          /* sown, and popped */
} ResNet;

#define PYTREE_STRUCT ResNet
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n1)                                                                                            \
    PYTREE_FIELD(STATIC, n2)                                                                                            \
    PYTREE_FIELD(STATIC, n3)                                                                                            \
    PYTREE_FIELD(STATIC, n4)                                                                                            \
    PYTREE_FIELD(DATA, conv1)                                                                                           \
    PYTREE_FIELD(DATA, bn1)                                                                                             \
    PYTREE_FIELD(DATA, layer1, LIST(self->n1))                                                                          \
    PYTREE_FIELD(DATA, layer2, LIST(self->n2))                                                                          \
    PYTREE_FIELD(DATA, layer3, LIST(self->n3))                                                                          \
    PYTREE_FIELD(DATA, layer4, LIST(self->n4))                                                                          \
    PYTREE_FIELD(DATA, fc)                                                                                              \
    PYTREE_FIELD(DATA, seen, ROLE(Intermediate))
#include "pytree_registry.h"

static const int n_blocks[LAYERS] = { 3, 8, 36, 3 };

static void set_conv(Conv *c) { c->weight = PYTREE_WANTED; }
static void set_norm(BatchNorm *b) { b->weight = b->bias = b->running_mean = b->running_var = PYTREE_WANTED; }

/* Make a model with static values of 0, and allocate its arrays. */
static pytree new_structs(void)
{
    static ResNet net;
    static Bottleneck blocks[LAYERS][BLOCKS];
    static Downsample first[LAYERS];
    int layer, i;
    for (layer = 0; layer < LAYERS; layer++) {
        for (i = 0; i < n_blocks[layer]; i++) {
            Bottleneck *b = &blocks[layer][i];
            set_conv(&b->conv1);
            set_norm(&b->bn1);
            set_conv(&b->conv2);
            set_norm(&b->bn2);
            set_conv(&b->conv3);
            set_norm(&b->bn3);
        }
        set_conv(&first[layer].conv);
        set_norm(&first[layer].bn);
        blocks[layer][0].downsample = &first[layer];
    }
    net = (ResNet){ .n1 = n_blocks[0], .n2 = n_blocks[1], .n3 = n_blocks[2], .n4 = n_blocks[3], .layer1 = blocks[0],
                    .layer2 = blocks[1], .layer3 = blocks[2], .layer4 = blocks[3], .seen = PYTREE_NONE };
    set_conv(&net.conv1);
    set_norm(&net.bn1);
    net.fc.weight = net.fc.bias = PYTREE_WANTED;
    must(pytree_allocate(PYTREE(&net), NULL, NULL));
    return PYTREE(&net);
}

/* ---- The model as objects ---------------------------------------------------------------------------------------------- */

PYTREE_CLASS(Conv, Module);
PYTREE_CLASS(BatchNorm, Module);
PYTREE_CLASS(Linear, Module);
PYTREE_CLASS(Downsample, Module);
PYTREE_CLASS(Bottleneck, Module);
PYTREE_CLASS(ResNet, Module);

static void put(pytree object, const char *name, pytree value)
{
    must(pytree_object_put_own(object, name, value, NULL));
}

static void put_number(pytree object, const char *name, int value)
{
    must(pytree_object_put_copy(object, name, PYTREE_INT(value), NULL));
}

static void put_variable(pytree object, const char *name, const pytree_type *role, pytree value)
{
    put(object, name, pytree_new_variable(role, value, NULL, NULL));
}

static pytree new_conv(void)
{
    static const char *const numbers[] = { "cin", "cout", "kernel", "stride", "padding" };
    float one = 1;
    size_t i;
    pytree conv = pytree_new_object(&pytree_class_Conv, NULL, NULL);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) { put_number(conv, numbers[i], 1); }
    put_variable(conv, "weight", &pytree_role_Param, PYTREE_ARRAY(&one, 1, 1, 1, 1));
    must(pytree_object_put_copy(conv, "bias", PYTREE_NONE, NULL));
    return conv;
}

static pytree new_norm(void)
{
    float one = 1;
    int64_t count = 0;
    pytree norm = pytree_new_object(&pytree_class_BatchNorm, NULL, NULL);
    put_number(norm, "features", 1);
    put_variable(norm, "weight", &pytree_role_Param, PYTREE_ARRAY(&one, 1));
    put_variable(norm, "bias", &pytree_role_Param, PYTREE_ARRAY(&one, 1));
    put_variable(norm, "running_mean", &pytree_role_BatchStat, PYTREE_ARRAY(&one, 1));
    put_variable(norm, "running_var", &pytree_role_BatchStat, PYTREE_ARRAY(&one, 1));
    put_variable(norm, "num_batches_tracked", &pytree_role_BatchStat, PYTREE_SCALAR(&count));
    return norm;
}

static pytree new_block(bool first)
{
    pytree block = pytree_new_object(&pytree_class_Bottleneck, NULL, NULL);
    pytree downsample = PYTREE_NONE;
    put(block, "conv1", new_conv());
    put(block, "bn1", new_norm());
    put(block, "conv2", new_conv());
    put(block, "bn2", new_norm());
    put(block, "conv3", new_conv());
    put(block, "bn3", new_norm());
    if (first) {
        downsample = pytree_new_object(&pytree_class_Downsample, NULL, NULL);
        put(downsample, "conv", new_conv());
        put(downsample, "bn", new_norm());
        put(block, "downsample", downsample);
    } else {
        must(pytree_object_put_copy(block, "downsample", downsample, NULL));
    }
    return block;
}

static pytree new_objects(void)
{
    static const char *const layers[LAYERS] = { "layer1", "layer2", "layer3", "layer4" };
    float one = 1;
    pytree net = pytree_new_object(&pytree_class_ResNet, NULL, NULL), fc = pytree_new_object(&pytree_class_Linear, NULL, NULL);
    int layer, i;
    put(net, "conv1", new_conv());
    put(net, "bn1", new_norm());
    for (layer = 0; layer < LAYERS; layer++) {
        pytree list = pytree_new_object(&pytree_class_List, NULL, NULL);
        for (i = 0; i < n_blocks[layer]; i++) { must(pytree_list_append_own(list, new_block(i == 0), NULL)); }
        put(net, layers[layer], list);
    }
    put_number(fc, "din", 1);
    put_number(fc, "dout", 1);
    put_variable(fc, "weight", &pytree_role_Param, PYTREE_ARRAY(&one, 1, 1));
    put_variable(fc, "bias", &pytree_role_Param, PYTREE_ARRAY(&one, 1));
    put(net, "fc", fc);
    return net;
}

/* ---- Operations -------------------------------------------------------------------------------------------------------- */

enum { STATES = 4 };

typedef struct Fixture {
    pytree model;
    pytree_def *graphdef;
    pytree_flat parts[2];                 /* Param, and the rest */
    pytree_flat params[STATES];           /* equal ones */
    pytree states[STATES];                /* these */
    const pytree_options *opt;
} Fixture;

typedef uint64_t Operation(Fixture *f);

static uint64_t run_graphdef(Fixture *f)
{
    pytree_def *def = pytree_graphdef(f->model, f->opt, NULL);
    pytree_def_free(def);
    return must(def == NULL ? PYTREE_ARGUMENT : PYTREE_OK);
}

static uint64_t run_split(Fixture *f)
{
    pytree_def *def;
    pytree_flat parts[2];
    must(pytree_split(f->model, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &def, parts, f->opt, NULL));
    pytree_def_free(def);
    pytree_flat_free(&parts[0]);
    pytree_flat_free(&parts[1]);
    return 1;
}

static uint64_t run_state(Fixture *f)
{
    pytree_flat state = pytree_state(f->model, PYTREE_OF(Param), f->opt, NULL);
    pytree_flat_free(&state);
    return 1;
}

static uint64_t run_merge(Fixture *f)
{
    const pytree parts[2] = { PYTREE(&f->parts[0]), PYTREE(&f->parts[1]) };
    pytree made = pytree_merge(f->graphdef, 2, parts, f->opt, NULL);
    pytree_free(made);
    return must(made.data == NULL ? PYTREE_ARGUMENT : PYTREE_OK);
}

static uint64_t run_update(Fixture *f)
{
    const pytree parts[2] = { PYTREE(&f->parts[0]), PYTREE(&f->parts[1]) };
    return must(pytree_update(f->model, 2, parts, f->opt, NULL));
}

static uint64_t run_object_update(Fixture *f)
{
    const pytree parts[2] = { PYTREE(&f->parts[0]), PYTREE(&f->parts[1]) };
    return must(pytree_object_update(f->model, 2, parts, f->opt, NULL));
}

static uint64_t run_clone(Fixture *f)
{
    pytree made = pytree_graph_clone(f->model, f->opt, NULL);
    pytree_free(made);
    return must(made.data == NULL ? PYTREE_ARGUMENT : PYTREE_OK);
}

static uint64_t run_pop(Fixture *f)
{
    pytree taken;
    must(pytree_sow(f->model, &pytree_role_Intermediate, "seen", PYTREE_FLOAT(1), NULL, NULL));
    must(pytree_pop(f->model, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, f->opt, NULL));
    pytree_container_free(taken);
    return 1;
}

static pytree_status touch_one(void *context, const pytree_iter *at)
{
    *(uint64_t *)context += (uintptr_t)at->leaf[0]->data;
    return PYTREE_OK;
}

static pytree_status touch_four(void *context, const pytree_iter *at)
{
    *(uint64_t *)context += (uintptr_t)at->leaf[0]->data ^ (uintptr_t)at->leaf[1]->data ^ (uintptr_t)at->leaf[2]->data
                            ^ (uintptr_t)at->leaf[3]->data;
    return PYTREE_OK;
}

static uint64_t run_map1(Fixture *f)
{
    uint64_t sum = 0;
    must(pytree_map(touch_one, &sum, NULL, 1, f->states, f->opt, NULL));
    return sum;
}

static uint64_t run_map4(Fixture *f)
{
    uint64_t sum = 0;
    must(pytree_map(touch_four, &sum, NULL, STATES, f->states, f->opt, NULL));
    return sum;
}

static const struct Row { const char *name, *what; Operation *run; double reach[2]; } operations[] = {
    { "graphdef", "graphdef", run_graphdef, { 40, 120 } },
    { "split", "split(m, Param, ...)", run_split, { 80, 160 } },
    { "state", "state(m, Param)", run_state, { 60, 140 } },
    { "merge", "merge", run_merge, { 60, 250 } },
    { "update", "update, same memory", run_update, { 60, 150 } },
    { "object_update", "pytree_object_update, same memory", run_object_update, { NAN, 150 } },
    { "clone", "clone", run_clone, { 140, 400 } },
    { "pop", "pop, one found", run_pop, { 45, 120 } },
    { "map1", "map over one state", run_map1, { 5, 5 } },
    { "map4", "map over four states", run_map4, { 10, 10 } },
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Some operations of a bench with and without roles must not differ: the model decides what is measured. */
static void prepare(Fixture *f, bool objects)
{
    size_t i;
    f->model = objects ? new_objects() : new_structs();
    f->opt = NULL;
    must(pytree_split(f->model, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &f->graphdef, f->parts, NULL, NULL));
    for (i = 0; i < STATES; i++) {
        f->params[i] = pytree_state(f->model, PYTREE_OF(Variable), NULL, NULL);
        f->states[i] = PYTREE(&f->params[i]);
    }
    if (f->params[0].def == NULL || f->params[0].def->n_leaves != VARIABLES) { must(PYTREE_ARGUMENT); }
}

/* Make n calls and nothing else: callgrind counts in here (instructions.py). */
__attribute__((noinline)) static void counted_calls(Operation *run, Fixture *f, size_t n)
{
    for (; n != 0; n--) { measure_sink += run(f); }
}

static bool call_operation(Fixture *f, const char *calls, const char *model, const char *name)
{
    size_t i;
    for (i = 0; i < OPERATIONS && strcmp(operations[i].name, name) != 0; i++) {}
    if (i == OPERATIONS) { return false; }
    prepare(f, strcmp(model, "objects") == 0);
    measure_sink += operations[i].run(f);
    counted_calls(operations[i].run, f, strtoul(calls, NULL, 10));
    printf("leaf %d\n", VARIABLES);
    return true;
}

/* Let malloc keep what is freed: see above. */
static void free_much(void)
{
    void *volatile much = malloc((size_t)16 << 20);
    free(much);
}

static void measure_model(Fixture *f, bool objects)
{
    size_t i;
    prepare(f, objects);
    for (i = 0; i < OPERATIONS; i++) {
        const struct Row *r = &operations[i];
        char what[80];
        Measured m;
        size_t made;
        if (r->run == run_object_update && !objects) { continue; }
        allocations = 0;
        f->opt = &counted.tree;
        measure_sink += r->run(f);
        made = allocations;
        f->opt = NULL;
        MEASURE(&m, samples, r->run(f));
        snprintf(what, sizeof what, "%s, %s", r->what, objects ? "objects" : "structs");
        row(what, "variable", 1e9 * m.median / VARIABLES, NAN, r->reach[objects], made);
    }
}

int main(int argc, char **argv)
{
    static Fixture structs, objects;
    free_much();
    if (argc == 5 && strcmp(argv[1], "--calls") == 0) { return call_operation(&structs, argv[2], argv[3], argv[4]) ? 0 : 2; }
    if (argc == 3 && strcmp(argv[1], "--samples") == 0) { samples = strtoul(argv[2], NULL, 10); }
    if (samples == 0 || samples > MEASURE_MOST) { return 2; }
    measure_model(&structs, false);
    measure_model(&objects, true);
    return 0;
}
