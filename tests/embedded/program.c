/* A program with one struct for a microcontroller: it allocates, maps, copies, compares, and names leaves by path. It prints
 * how much stack each operation used, and returns 0 if all results are right. Built by tests/embedded/embedded_checks.py. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"

typedef struct Layer {
    int din, dout;
    float *w;
    float b[4];
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

void semihosting_print(const char *text);
extern uint32_t stack_bottom[];

static Layer model = { 3, 4, NULL, { 0 } }, other = { 3, 4, NULL, { 0 } };
static pytree trees[2];
static pytree_error err;
static char paths[32];

static pytree_status add(void *context, const pytree_iter *at)
{
    float *to = at->leaf[0]->data;
    const float *from = at->leaf[1]->data;
    size_t i, n = pytree_leaf_count(at->leaf[0]);
    (void)context;
    for (i = 0; i < n; i++) { to[i] += from[i]; }
    return PYTREE_OK;
}

static bool allocate(void) { return pytree_allocate(trees[0], NULL, &err) == PYTREE_OK; }
static bool allocate_other(void) { return pytree_allocate(trees[1], NULL, &err) == PYTREE_OK; }
static bool copy(void) { return pytree_copy_into(trees[1], trees[0], NULL, &err) == PYTREE_OK; }
static bool map(void) { return pytree_map(add, NULL, NULL, 2, trees, NULL, &err) == PYTREE_OK; }
static bool compare(void) { return pytree_equal(trees[0], trees[1], NULL, NULL, &err); }

static bool name(void)
{
    pytree_iter it;
    size_t n = 0;
    if (pytree_iter_begin(&it, 1, trees, NULL, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) { n += pytree_iter_path_text(&it, paths + n, sizeof paths - n); }
    }
    pytree_iter_end(&it);
    return it.status == PYTREE_OK && strcmp(paths, ".w.b") == 0;
}

static bool release(void)
{
    pytree_free(trees[0]);
    pytree_free(trees[1]);
    return model.w == NULL;
}

/* Calls the operation and prints its name, and how many bytes of the stack below this function it wrote to. */
static __attribute__((noinline)) bool measure(const char *name, bool (*operation)(void))
{
    uint32_t *at = stack_bottom, *here = (uint32_t *)__builtin_frame_address(0) - 8;
    char text[6] = "00000";
    size_t bytes;
    int i;
    bool good;
    while (at != here) { *at++ = 0xA5A5A5A5; }
    good = operation();
    for (at = stack_bottom; *at == 0xA5A5A5A5; at++) {}
    bytes = (size_t)(here - at) * sizeof *at;
    for (i = 4; i >= 0; i--, bytes /= 10) { text[i] = (char)('0' + bytes % 10); }
    semihosting_print(name);
    semihosting_print(text);
    semihosting_print(good ? "\n" : " wrong\n");
    return good;
}

int main(void)
{
    bool good;
    trees[0] = PYTREE(&model);
    trees[1] = PYTREE(&other);
    good = measure("allocate ", allocate) && measure("allocate ", allocate_other);
    if (!good) { return 1; }
    model.w[11] = 2;
    model.b[3] = 1;
    good = measure("copy ", copy) && measure("map ", map);
    good = good && other.w[11] == 2 && model.w[11] == 4 && model.b[3] == 2;
    other.b[3] = 2;
    other.w[11] = 4;
    good = good && measure("compare ", compare);
    other.b[3] = 3;
    good = good && !compare() && err.status == PYTREE_VALUE && strcmp(err.path, ".b") == 0;
    err.status = PYTREE_OK;
    good = good && measure("paths ", name) && measure("free ", release);
    return good ? 0 : 2;
}
