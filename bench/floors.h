/* floors.h: the operations written by hand for one model, as lower bounds.
 *
 * They serve the bottleneck ResNets of trees.h and are as lean as a programmer would write them: each field is named, nothing
 * is checked, no error is returned. They make the same views, nodes and strings as the library; bench.c compares them before
 * it measures.
 */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include "trees.h"

#if defined(__GNUC__)
#define FLOOR_NOINLINE __attribute__((noinline))
#else
#define FLOOR_NOINLINE
#endif

/* ---- Leaf views ---------------------------------------------------------------------------------------------------- */

static inline void floor_view(pytree_leaf *leaf, void *data, const pytree_type *type, int ndim, int n0, int n1, int n2, int n3)
{
    leaf->data = data;
    leaf->type = type;
    leaf->ndim = ndim;
    leaf->form = PYTREE_FORM_LEAF;
    if (ndim > 0) { leaf->shape[0] = (size_t)n0; }
    if (ndim > 1) { leaf->shape[1] = (size_t)n1; }
    if (ndim > 2) {
        leaf->shape[2] = (size_t)n2;
        leaf->shape[3] = (size_t)n3;
    }
}

static inline pytree_leaf *floor_leaves_conv(const Conv2d *c, pytree_leaf *out)
{
    floor_view(out++, c->weight, PYTREE_TYPE(float), 4, c->cout, c->cin, c->kernel, c->kernel);
    if (c->bias != NULL) { floor_view(out++, c->bias, PYTREE_TYPE(float), 1, c->cout, 0, 0, 0); }
    return out;
}

static inline pytree_leaf *floor_leaves_norm(BatchNorm *n, pytree_leaf *out)
{
    floor_view(out++, n->weight, PYTREE_TYPE(float), 1, n->features, 0, 0, 0);
    floor_view(out++, n->bias, PYTREE_TYPE(float), 1, n->features, 0, 0, 0);
    floor_view(out++, n->running_mean, PYTREE_TYPE(float), 1, n->features, 0, 0, 0);
    floor_view(out++, n->running_var, PYTREE_TYPE(float), 1, n->features, 0, 0, 0);
    floor_view(out++, &n->num_batches_tracked, PYTREE_TYPE(int64_t), 0, 0, 0, 0, 0);
    return out;
}

static inline pytree_leaf *floor_leaves_layer(Bottleneck *blocks, int count, pytree_leaf *out)
{
    int i;
    for (i = 0; i < count; i++) {
        Bottleneck *b = &blocks[i];
        out = floor_leaves_norm(&b->bn1, floor_leaves_conv(&b->conv1, out));
        out = floor_leaves_norm(&b->bn2, floor_leaves_conv(&b->conv2, out));
        out = floor_leaves_norm(&b->bn3, floor_leaves_conv(&b->conv3, out));
        if (b->downsample != NULL) {
            out = floor_leaves_norm(&b->downsample->bn, floor_leaves_conv(&b->downsample->conv, out));
        }
    }
    return out;
}

FLOOR_NOINLINE static size_t floor_leaves(ResNetBottleneck *m, pytree_leaf *leaves)
{
    pytree_leaf *out = floor_leaves_norm(&m->bn1, floor_leaves_conv(&m->conv1, leaves));
    out = floor_leaves_layer(m->layer1, m->n_layer1, out);
    out = floor_leaves_layer(m->layer2, m->n_layer2, out);
    out = floor_leaves_layer(m->layer3, m->n_layer3, out);
    out = floor_leaves_layer(m->layer4, m->n_layer4, out);
    floor_view(out++, m->fc.weight, PYTREE_TYPE(float), 2, m->fc.dout, m->fc.din, 0, 0);
    if (m->fc.bias != NULL) { floor_view(out++, m->fc.bias, PYTREE_TYPE(float), 1, m->fc.dout, 0, 0, 0); }
    return (size_t)(out - leaves);
}

/* ---- Unflatten in place -------------------------------------------------------------------------------------------- */

static inline const pytree_leaf *floor_unflatten_conv(Conv2d *c, const pytree_leaf *in)
{
    c->weight = (in++)->data;
    if (c->bias != NULL) { c->bias = (in++)->data; }
    return in;
}

static inline const pytree_leaf *floor_unflatten_norm(BatchNorm *n, const pytree_leaf *in)
{
    n->weight = (in++)->data;
    n->bias = (in++)->data;
    n->running_mean = (in++)->data;
    n->running_var = (in++)->data;
    n->num_batches_tracked = *(const int64_t *)(in++)->data;
    return in;
}

static inline const pytree_leaf *floor_unflatten_layer(Bottleneck *blocks, int count, const pytree_leaf *in)
{
    int i;
    for (i = 0; i < count; i++) {
        Bottleneck *b = &blocks[i];
        in = floor_unflatten_norm(&b->bn1, floor_unflatten_conv(&b->conv1, in));
        in = floor_unflatten_norm(&b->bn2, floor_unflatten_conv(&b->conv2, in));
        in = floor_unflatten_norm(&b->bn3, floor_unflatten_conv(&b->conv3, in));
        if (b->downsample != NULL) {
            in = floor_unflatten_norm(&b->downsample->bn, floor_unflatten_conv(&b->downsample->conv, in));
        }
    }
    return in;
}

FLOOR_NOINLINE static size_t floor_unflatten(ResNetBottleneck *m, const pytree_leaf *leaves)
{
    const pytree_leaf *in = floor_unflatten_norm(&m->bn1, floor_unflatten_conv(&m->conv1, leaves));
    in = floor_unflatten_layer(m->layer1, m->n_layer1, in);
    in = floor_unflatten_layer(m->layer2, m->n_layer2, in);
    in = floor_unflatten_layer(m->layer3, m->n_layer3, in);
    in = floor_unflatten_layer(m->layer4, m->n_layer4, in);
    m->fc.weight = (in++)->data;
    if (m->fc.bias != NULL) { m->fc.bias = (in++)->data; }
    return (size_t)(in - leaves);
}

/* ---- A table-driven walker ----------------------------------------------------------------------------------------- */

/* One row per data field. Extents and counts are read from the int at a byte offset, so that no code is specific to a type. */
typedef enum FloorKind { FLOOR_ARRAY, FLOOR_SCALAR, FLOOR_STRUCT, FLOOR_LIST, FLOOR_POINTER } FloorKind;
typedef struct FloorTable FloorTable;
typedef struct FloorRow {
    FloorKind kind;
    unsigned ndim;
    size_t offset;
    size_t extents[4];                    /* offsets of ints; a list's count is the first */
    const pytree_type *leaf;
    const FloorTable *table;
} FloorRow;
struct FloorTable {
    const pytree_type *type;
    size_t size, n_rows;
    const FloorRow *rows;
};

static const FloorRow floor_rows_conv[] = {
    { FLOOR_ARRAY, 4, offsetof(Conv2d, weight),
      { offsetof(Conv2d, cout), offsetof(Conv2d, cin), offsetof(Conv2d, kernel), offsetof(Conv2d, kernel) },
      PYTREE_TYPE(float), NULL },
    { FLOOR_ARRAY, 1, offsetof(Conv2d, bias), { offsetof(Conv2d, cout) }, PYTREE_TYPE(float), NULL },
};
static const FloorTable floor_table_conv = { PYTREE_TYPE(Conv2d), sizeof(Conv2d), 2, floor_rows_conv };

static const FloorRow floor_rows_norm[] = {
    { FLOOR_ARRAY, 1, offsetof(BatchNorm, weight), { offsetof(BatchNorm, features) }, PYTREE_TYPE(float), NULL },
    { FLOOR_ARRAY, 1, offsetof(BatchNorm, bias), { offsetof(BatchNorm, features) }, PYTREE_TYPE(float), NULL },
    { FLOOR_ARRAY, 1, offsetof(BatchNorm, running_mean), { offsetof(BatchNorm, features) }, PYTREE_TYPE(float), NULL },
    { FLOOR_ARRAY, 1, offsetof(BatchNorm, running_var), { offsetof(BatchNorm, features) }, PYTREE_TYPE(float), NULL },
    { FLOOR_SCALAR, 0, offsetof(BatchNorm, num_batches_tracked), { 0 }, PYTREE_TYPE(int64_t), NULL },
};
static const FloorTable floor_table_norm = { PYTREE_TYPE(BatchNorm), sizeof(BatchNorm), 5, floor_rows_norm };

static const FloorRow floor_rows_linear[] = {
    { FLOOR_ARRAY, 2, offsetof(Linear, weight), { offsetof(Linear, dout), offsetof(Linear, din) }, PYTREE_TYPE(float), NULL },
    { FLOOR_ARRAY, 1, offsetof(Linear, bias), { offsetof(Linear, dout) }, PYTREE_TYPE(float), NULL },
};
static const FloorTable floor_table_linear = { PYTREE_TYPE(Linear), sizeof(Linear), 2, floor_rows_linear };

static const FloorRow floor_rows_downsample[] = {
    { FLOOR_STRUCT, 0, offsetof(Downsample, conv), { 0 }, NULL, &floor_table_conv },
    { FLOOR_STRUCT, 0, offsetof(Downsample, bn), { 0 }, NULL, &floor_table_norm },
};
static const FloorTable floor_table_downsample = { PYTREE_TYPE(Downsample), sizeof(Downsample), 2, floor_rows_downsample };

static const FloorRow floor_rows_bottleneck[] = {
    { FLOOR_STRUCT, 0, offsetof(Bottleneck, conv1), { 0 }, NULL, &floor_table_conv },
    { FLOOR_STRUCT, 0, offsetof(Bottleneck, bn1), { 0 }, NULL, &floor_table_norm },
    { FLOOR_STRUCT, 0, offsetof(Bottleneck, conv2), { 0 }, NULL, &floor_table_conv },
    { FLOOR_STRUCT, 0, offsetof(Bottleneck, bn2), { 0 }, NULL, &floor_table_norm },
    { FLOOR_STRUCT, 0, offsetof(Bottleneck, conv3), { 0 }, NULL, &floor_table_conv },
    { FLOOR_STRUCT, 0, offsetof(Bottleneck, bn3), { 0 }, NULL, &floor_table_norm },
    { FLOOR_POINTER, 0, offsetof(Bottleneck, downsample), { 0 }, NULL, &floor_table_downsample },
};
static const FloorTable floor_table_bottleneck = { PYTREE_TYPE(Bottleneck), sizeof(Bottleneck), 7, floor_rows_bottleneck };

static const FloorRow floor_rows_resnet[] = {
    { FLOOR_STRUCT, 0, offsetof(ResNetBottleneck, conv1), { 0 }, NULL, &floor_table_conv },
    { FLOOR_STRUCT, 0, offsetof(ResNetBottleneck, bn1), { 0 }, NULL, &floor_table_norm },
    { FLOOR_LIST, 0, offsetof(ResNetBottleneck, layer1), { offsetof(ResNetBottleneck, n_layer1) }, NULL,
      &floor_table_bottleneck },
    { FLOOR_LIST, 0, offsetof(ResNetBottleneck, layer2), { offsetof(ResNetBottleneck, n_layer2) }, NULL,
      &floor_table_bottleneck },
    { FLOOR_LIST, 0, offsetof(ResNetBottleneck, layer3), { offsetof(ResNetBottleneck, n_layer3) }, NULL,
      &floor_table_bottleneck },
    { FLOOR_LIST, 0, offsetof(ResNetBottleneck, layer4), { offsetof(ResNetBottleneck, n_layer4) }, NULL,
      &floor_table_bottleneck },
    { FLOOR_STRUCT, 0, offsetof(ResNetBottleneck, fc), { 0 }, NULL, &floor_table_linear },
};
static const FloorTable floor_table_resnet = { PYTREE_TYPE(ResNetBottleneck), sizeof(ResNetBottleneck), 7, floor_rows_resnet };

typedef struct FloorWalk {
    pytree_leaf *leaf;
    pytree_node *node;
} FloorWalk;

static inline void floor_node(FloorWalk *w, const pytree_type *type, size_t arity, const pytree_leaf *first_leaf,
                              const pytree_node *first_node)
{
    w->node->type = type;
    w->node->arity = (uint32_t)arity;
    w->node->leaves = (uint32_t)(w->leaf - first_leaf);
    w->node->nodes = (uint32_t)(w->node - first_node) + 1;
    w->node->meta = 0;
    w->node++;
}

static void floor_walk(FloorWalk *w, char *self, const FloorTable *table)
{
    pytree_leaf *first_leaf = w->leaf;
    pytree_node *first_node = w->node;
    const FloorRow *row = table->rows, *end = row + table->n_rows;
    for (; row < end; row++) {
        char *field = self + row->offset, *target = field;
        if (row->kind == FLOOR_STRUCT) {
            floor_walk(w, field, row->table);
            continue;
        }
        if (row->kind != FLOOR_SCALAR) { memcpy(&target, field, sizeof target); }
        if (target == NULL) {
            floor_node(w, &pytree_types[PYTREE__T_none], 0, w->leaf, w->node);
        } else if (row->kind == FLOOR_LIST) {
            pytree_leaf *list_leaf = w->leaf;
            pytree_node *list_node = w->node;
            int i, count;
            memcpy(&count, self + row->extents[0], sizeof count);
            for (i = 0; i < count; i++) { floor_walk(w, target + (size_t)i * row->table->size, row->table); }
            floor_node(w, &pytree_types[PYTREE__T_list], (size_t)count, list_leaf, list_node);
        } else if (row->kind == FLOOR_POINTER) {
            floor_walk(w, target, row->table);
        } else {
            unsigned i;
            w->leaf->data = target;
            w->leaf->type = row->leaf;
            w->leaf->ndim = (int)row->ndim;
            w->leaf->form = PYTREE_FORM_LEAF;
            for (i = 0; i < row->ndim; i++) {
                int extent;
                memcpy(&extent, self + row->extents[i], sizeof extent);
                w->leaf->shape[i] = (size_t)extent;
            }
            w->leaf++;
            floor_node(w, NULL, 0, w->leaf - 1, w->node);
        }
    }
    floor_node(w, table->type, table->n_rows, first_leaf, first_node);
}

/* Leaf views and nodes of the tree; returns how many nodes. The nodes' `meta` is not filled in. */
FLOOR_NOINLINE static size_t floor_flatten(ResNetBottleneck *m, pytree_leaf *leaves, pytree_node *nodes)
{
    FloorWalk w;
    w.leaf = leaves;
    w.node = nodes;
    floor_walk(&w, (char *)m, &floor_table_resnet);
    return (size_t)(w.node - nodes);
}

/* ---- Treedefs ------------------------------------------------------------------------------------------------------ */

FLOOR_NOINLINE static bool floor_equal(const pytree_node *a, const pytree_node *b, size_t n, const unsigned char *statics_a,
                                       const unsigned char *statics_b, size_t bytes)
{
    return memcmp(a, b, n * sizeof *a) == 0 && memcmp(statics_a, statics_b, bytes) == 0;
}

/* Over type, arity and static values, which is what makes two structures differ. */
FLOOR_NOINLINE static uint64_t floor_hash(const pytree_node *nodes, size_t n, const unsigned char *statics, size_t bytes)
{
    uint64_t hash = n, word;
    size_t i;
    for (i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)nodes[i].type ^ (uint64_t)nodes[i].arity << 48) * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (i = 0; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, statics + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash ^ hash >> 32;
}

/* ---- Map over four trees ------------------------------------------------------------------------------------------- */

typedef void FloorBody(void *context, void *a, void *b, void *c, void *d, size_t n);

static inline void floor_map_conv(FloorBody *body, void *context, const Conv2d *a, const Conv2d *b, const Conv2d *c,
                                  const Conv2d *d)
{
    body(context, a->weight, b->weight, c->weight, d->weight,
         (size_t)a->cout * (size_t)a->cin * (size_t)a->kernel * (size_t)a->kernel);
    if (a->bias != NULL) { body(context, a->bias, b->bias, c->bias, d->bias, (size_t)a->cout); }
}

static inline void floor_map_norm(FloorBody *body, void *context, BatchNorm *a, BatchNorm *b, BatchNorm *c, BatchNorm *d)
{
    size_t n = (size_t)a->features;
    body(context, a->weight, b->weight, c->weight, d->weight, n);
    body(context, a->bias, b->bias, c->bias, d->bias, n);
    body(context, a->running_mean, b->running_mean, c->running_mean, d->running_mean, n);
    body(context, a->running_var, b->running_var, c->running_var, d->running_var, n);
    body(context, &a->num_batches_tracked, &b->num_batches_tracked, &c->num_batches_tracked, &d->num_batches_tracked, 1);
}

static inline void floor_map_layer(FloorBody *body, void *context, Bottleneck *a, Bottleneck *b, Bottleneck *c, Bottleneck *d,
                                   int count)
{
    int i;
    for (i = 0; i < count; i++, a++, b++, c++, d++) {
        floor_map_conv(body, context, &a->conv1, &b->conv1, &c->conv1, &d->conv1);
        floor_map_norm(body, context, &a->bn1, &b->bn1, &c->bn1, &d->bn1);
        floor_map_conv(body, context, &a->conv2, &b->conv2, &c->conv2, &d->conv2);
        floor_map_norm(body, context, &a->bn2, &b->bn2, &c->bn2, &d->bn2);
        floor_map_conv(body, context, &a->conv3, &b->conv3, &c->conv3, &d->conv3);
        floor_map_norm(body, context, &a->bn3, &b->bn3, &c->bn3, &d->bn3);
        if (a->downsample != NULL) {
            floor_map_conv(body, context, &a->downsample->conv, &b->downsample->conv, &c->downsample->conv,
                           &d->downsample->conv);
            floor_map_norm(body, context, &a->downsample->bn, &b->downsample->bn, &c->downsample->bn, &d->downsample->bn);
        }
    }
}

FLOOR_NOINLINE static void floor_map(FloorBody *body, void *context, ResNetBottleneck *a, ResNetBottleneck *b,
                                     ResNetBottleneck *c, ResNetBottleneck *d)
{
    floor_map_conv(body, context, &a->conv1, &b->conv1, &c->conv1, &d->conv1);
    floor_map_norm(body, context, &a->bn1, &b->bn1, &c->bn1, &d->bn1);
    floor_map_layer(body, context, a->layer1, b->layer1, c->layer1, d->layer1, a->n_layer1);
    floor_map_layer(body, context, a->layer2, b->layer2, c->layer2, d->layer2, a->n_layer2);
    floor_map_layer(body, context, a->layer3, b->layer3, c->layer3, d->layer3, a->n_layer3);
    floor_map_layer(body, context, a->layer4, b->layer4, c->layer4, d->layer4, a->n_layer4);
    body(context, a->fc.weight, b->fc.weight, c->fc.weight, d->fc.weight, (size_t)a->fc.dout * (size_t)a->fc.din);
    if (a->fc.bias != NULL) { body(context, a->fc.bias, b->fc.bias, c->fc.bias, d->fc.bias, (size_t)a->fc.dout); }
}

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static inline char *floor_put(char *out, const char *text, size_t n)
{
    memcpy(out, text, n);
    return out + n;
}
#define FLOOR_PUT(out, literal) floor_put((out), "" literal, sizeof(literal) - 1)

static inline char *floor_number(char *out, int value)
{
    char digits[12], *d = digits + sizeof digits;
    unsigned v = (unsigned)value;
    size_t n;
    do { *--d = (char)('0' + v % 10); } while ((v /= 10) != 0);
    n = (size_t)(digits + sizeof digits - d);
    memcpy(out, d, n);
    return out + n;
}

/* Key paths, one after the other and each with its NUL; starts[i] is where path i begins. */
typedef struct FloorPaths {
    char *out;
    const char **start;
    char prefix[64];
    size_t n_prefix;
} FloorPaths;

static inline void floor_path(FloorPaths *p, const char *name, size_t n)
{
    *p->start++ = p->out;
    memcpy(p->out, p->prefix, p->n_prefix);
    memcpy(p->out + p->n_prefix, name, n + 1);
    p->out += p->n_prefix + n + 1;
}
#define FLOOR_PATH(p, name) floor_path((p), name, sizeof(name) - 1)

static inline void floor_paths_conv(FloorPaths *p, const Conv2d *c, const char *name, size_t n)
{
    memcpy(p->prefix + p->n_prefix, name, n);
    p->n_prefix += n;
    FLOOR_PATH(p, ".weight");
    if (c->bias != NULL) { FLOOR_PATH(p, ".bias"); }
    p->n_prefix -= n;
}

static inline void floor_paths_norm(FloorPaths *p, const char *name, size_t n)
{
    memcpy(p->prefix + p->n_prefix, name, n);
    p->n_prefix += n;
    FLOOR_PATH(p, ".weight");
    FLOOR_PATH(p, ".bias");
    FLOOR_PATH(p, ".running_mean");
    FLOOR_PATH(p, ".running_var");
    FLOOR_PATH(p, ".num_batches_tracked");
    p->n_prefix -= n;
}

static inline void floor_paths_layer(FloorPaths *p, const Bottleneck *blocks, int count, const char *name, size_t n)
{
    int i;
    for (i = 0; i < count; i++) {
        char *end = p->prefix;
        memcpy(end, name, n);
        end = floor_number(end + n, i);
        *end++ = ']';
        p->n_prefix = (size_t)(end - p->prefix);
        floor_paths_conv(p, &blocks[i].conv1, ".conv1", 6);
        floor_paths_norm(p, ".bn1", 4);
        floor_paths_conv(p, &blocks[i].conv2, ".conv2", 6);
        floor_paths_norm(p, ".bn2", 4);
        floor_paths_conv(p, &blocks[i].conv3, ".conv3", 6);
        floor_paths_norm(p, ".bn3", 4);
        if (blocks[i].downsample != NULL) {
            floor_paths_conv(p, &blocks[i].downsample->conv, ".downsample.conv", 16);
            floor_paths_norm(p, ".downsample.bn", 14);
        }
    }
    p->n_prefix = 0;
}

FLOOR_NOINLINE static size_t floor_paths(const ResNetBottleneck *m, const char **starts, char *text)
{
    FloorPaths p;
    p.out = text;
    p.start = starts;
    p.n_prefix = 0;
    floor_paths_conv(&p, &m->conv1, ".conv1", 6);
    floor_paths_norm(&p, ".bn1", 4);
    floor_paths_layer(&p, m->layer1, m->n_layer1, ".layer1[", 8);
    floor_paths_layer(&p, m->layer2, m->n_layer2, ".layer2[", 8);
    floor_paths_layer(&p, m->layer3, m->n_layer3, ".layer3[", 8);
    floor_paths_layer(&p, m->layer4, m->n_layer4, ".layer4[", 8);
    FLOOR_PATH(&p, ".fc.weight");
    if (m->fc.bias != NULL) { FLOOR_PATH(&p, ".fc.bias"); }
    return (size_t)(p.start - starts);
}

static inline char *floor_text_conv(const Conv2d *c, char *out)
{
    out = floor_number(FLOOR_PUT(out, "CustomNode(Conv2d[("), c->cin);
    out = floor_number(FLOOR_PUT(out, ", "), c->cout);
    out = floor_number(FLOOR_PUT(out, ", "), c->kernel);
    out = floor_number(FLOOR_PUT(out, ", "), c->stride);
    out = floor_number(FLOOR_PUT(out, ", "), c->padding);
    return c->bias != NULL ? FLOOR_PUT(out, ")], [*, *]), ") : FLOOR_PUT(out, ")], [*, None]), ");
}

static inline char *floor_text_norm(const BatchNorm *n, char *out)
{
    out = floor_number(FLOOR_PUT(out, "CustomNode(BatchNorm[("), n->features);
    return FLOOR_PUT(out, ",)], [*, *, *, *, *]), ");
}

static inline char *floor_text_layer(const Bottleneck *blocks, int count, char *out)
{
    int i;
    *out++ = '[';
    for (i = 0; i < count; i++) {
        const Bottleneck *b = &blocks[i];
        if (i > 0) { out = FLOOR_PUT(out, ", "); }
        out = floor_text_conv(&b->conv1, FLOOR_PUT(out, "CustomNode(Bottleneck[()], ["));
        out = floor_text_norm(&b->bn1, out);
        out = floor_text_norm(&b->bn2, floor_text_conv(&b->conv2, out));
        out = floor_text_norm(&b->bn3, floor_text_conv(&b->conv3, out));
        if (b->downsample != NULL) {
            out = floor_text_conv(&b->downsample->conv, FLOOR_PUT(out, "CustomNode(Downsample[()], ["));
            out = FLOOR_PUT(floor_text_norm(&b->downsample->bn, out) - 2, "])])");
        } else {
            out = FLOOR_PUT(out, "None])");
        }
    }
    return FLOOR_PUT(out, "], ");
}

/* The treedef's text with a NUL; returns its length. */
FLOOR_NOINLINE static size_t floor_text(const ResNetBottleneck *m, char *text)
{
    char *out = floor_number(FLOOR_PUT(text, "PyTreeDef(CustomNode(ResNetBottleneck[("), m->n_layer1);
    out = floor_number(FLOOR_PUT(out, ", "), m->n_layer2);
    out = floor_number(FLOOR_PUT(out, ", "), m->n_layer3);
    out = floor_number(FLOOR_PUT(out, ", "), m->n_layer4);
    out = floor_text_norm(&m->bn1, floor_text_conv(&m->conv1, FLOOR_PUT(out, ")], [")));
    out = floor_text_layer(m->layer1, m->n_layer1, out);
    out = floor_text_layer(m->layer2, m->n_layer2, out);
    out = floor_text_layer(m->layer3, m->n_layer3, out);
    out = floor_text_layer(m->layer4, m->n_layer4, out);
    out = floor_number(FLOOR_PUT(out, "CustomNode(Linear[("), m->fc.din);
    out = floor_number(FLOOR_PUT(out, ", "), m->fc.dout);
    out = m->fc.bias != NULL ? FLOOR_PUT(out, ")], [*, *])]))") : FLOOR_PUT(out, ")], [*, None])]))");
    *out = '\0';
    return (size_t)(out - text);
}

#endif
