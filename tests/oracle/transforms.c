/* transforms.c: answers what tests/oracle/transforms.py asks about transforms.
 *
 * A question is lines of text. The structure of the arguments is a literal whose leaves are numbers, 0, 1, … in any order: of
 * arrays that stand before it, each a line of its number of dimensions, extents and elements.
 *
 *     vmap                           scan                                  vjp, jvp, grad, map, hvp, backward
 *     <arrays>                       <arrays>                              <arrays>
 *     <ndim> <extents> <numbers>     …                                     …
 *     <arguments>                    (<carry>, <xs>)                       <arguments of the derivative>
 *     <in_axes>                      <reverse> <length> <carry leaves>     <operations>
 *                                      <y leaves> <operations>             <operation> …
 *                                    <operation> <register> <register>     <result: a tree of registers>
 *
 * An answer is "ok", the treedef and the leaves, or "error", the status and the places, each in a line of its own; then ".".
 * The place of an operation is "op" and its number.
 */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
#include "pytree/literal.h"
#include "pytree/transform.h"
#include "transforms_program.h"

enum { MOST = 64, ELEMENTS = 512, LINE = 1 << 14 };

typedef struct Program {
    size_t n_carry, n_y, n;
    char op[MOST];
    size_t a[MOST], b[MOST];
} Program;

static char places[4096];

static void report(void *context, const pytree_error *problem)
{
    (void)context;
    if (strlen(places) + strlen(problem->path) + 2 < sizeof places) { strcat(strcat(places, problem->path), "\n"); }
}

/* (arguments …) -> (arguments doubled, sum of the first leaf) */
static pytree_status mapped(void *context, const pytree_call *at)
{
    double sum = 0;
    (void)context;
    for (size_t i = 0; i < at->n_in; i++) {
        const float *x = at->in[i].data;
        for (size_t k = 0; k < pytree_leaf_count(&at->in[i]); k++) {
            ((float *)at->out[i].data)[k] = x[k] + x[k];
            if (i == 0) { sum += (double)x[k]; }
        }
    }
    *(float *)at->res[1] = (float)sum;
    return PYTREE_OK;
}

static pytree_status mapped_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->all, PYTREE_SHAPED(float)));
}

/* (carry, x) -> (carry, y): each operation makes one more register; the last ones are the new carry and y. */
static pytree_status stepped(void *context, const pytree_call *at)
{
    static float registers[2 * MOST][ELEMENTS];
    const Program *p = context;
    const size_t count = pytree_leaf_count(&at->in[0]);
    size_t n = 0;
    for (; n < at->n_in; n++) { memcpy(registers[n], at->in[n].data, count * sizeof(float)); }
    for (size_t i = 0; i < p->n; i++, n++) {
        for (size_t k = 0; k < count; k++) {
            const float a = registers[p->a[i]][k], b = registers[p->b[i]][k];
            registers[n][k] = p->op[i] == '+' ? a + b : p->op[i] == '-' ? a - b : p->op[i] == '*' ? a * b * 0.25f
                              : a > b ? a : b;
        }
    }
    for (size_t i = 0; i < at->n_out; i++) { memcpy(at->out[i].data, registers[n - at->n_out + i], count * sizeof(float)); }
    return PYTREE_OK;
}

static pytree_status stepped_shape(void *context, const pytree_call *at)
{
    const Program *p = context;
    pytree ys[MOST];
    pytree_items items = { .count = p->n_y, .items = ys };
    for (size_t i = 0; i < p->n_y; i++) { ys[i] = PYTREE(&at->in[0]); }
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], ((pytree){ PYTREE_LIST().type, &items })));
}

static void answer(const pytree_flat *out, const pytree_error *err)
{
    char text[LINE];
    if (out->def == NULL) {
        printf("error\n%s\n%s.\n", pytree_status_name(err->status), places);
        return;
    }
    (void)pytree_def_text(out->def, text, sizeof text);
    printf("ok\n%s\n", text);
    for (size_t i = 0; i < out->def->n_leaves; i++) {
        const pytree_leaf *leaf = &out->leaves[i];
        printf("%d", leaf->ndim);
        for (int k = 0; k < leaf->ndim; k++) { printf(" %zu", leaf->shape[k]); }
        for (size_t k = 0; k < pytree_leaf_count(leaf); k++) { printf(" %.9g", (double)((float *)leaf->data)[k]); }
        printf("\n");
    }
    printf(".\n");
}

/* Reads the arrays. Returns false at the end of the questions. */
static bool read_arrays(pytree_leaf *arrays, float data[MOST][ELEMENTS])
{
    size_t n;
    if (scanf("%zu", &n) != 1 || n > MOST) { return false; }
    for (size_t i = 0; i < n; i++) {
        arrays[i] = (pytree_leaf){ .type = PYTREE_TYPE(float), .data = data[i] };
        if (scanf("%d", &arrays[i].ndim) != 1) { return false; }
        for (int k = 0; k < arrays[i].ndim; k++) { if (scanf("%zu", &arrays[i].shape[k]) != 1) { return false; } }
        for (size_t k = 0; k < pytree_leaf_count(&arrays[i]); k++) { if (scanf("%f", &data[i][k]) != 1) { return false; } }
    }
    return getchar() == '\n';
}

/* A derivative of a traced program, which follows the arguments. Returns false if it cannot be read. */
static bool answer_derivative(const char *mode, size_t n, const pytree *args)
{
    static Traced traced;
    static char line[LINE];
    const pytree_fn_options options = { .report = report };
    pytree_error err = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat out;
    pytree result;
    if (!read_program(&traced) || fgets(line, LINE, stdin) == NULL) { return false; }
    result = pytree_parse(line, NULL, &err);
    if (pytree_flatten(result, &leaves, 0, &def, NULL, &err) != PYTREE_OK) { return false; }
    traced.result = def;
    traced.leaves = leaves;
    out = derived(mode, &traced, n, args, &options, &err);
    if (traced.failed < traced.n) { snprintf(places, sizeof places, "op %zu\n", traced.failed); }
    answer(&out, &err);
    pytree_flat_free(&out);
    pytree_def_free(def);
    pytree_free(result);
    return true;
}

int main(void)
{
    static float data[MOST][ELEMENTS];
    static char line[LINE], kind[16];
    pytree_leaf arrays[MOST], picked[MOST];
    while (scanf("%15s", kind) == 1 && read_arrays(arrays, data) && fgets(line, LINE, stdin) != NULL) {
        pytree_error err = { 0 };
        pytree structure = pytree_parse(line, NULL, &err), axes = PYTREE_NONE;
        pytree_leaf *leaves = NULL;
        pytree_def *def = NULL, *each[8] = { NULL };
        pytree_flat out = { NULL, NULL }, args[8];
        pytree trees[8];
        const pytree_fn_options options = { .report = report };
        size_t first = 0;
        places[0] = '\0';
        if (pytree_flatten(structure, &leaves, 0, &def, NULL, &err) != PYTREE_OK || pytree_def_num_children(def) > 8) {
            pytree_error_print(stderr, &err);
            return 1;
        }
        for (size_t i = 0; i < def->n_leaves; i++) { picked[i] = arrays[(size_t)pytree_leaf_get(&leaves[i], 0)]; }
        for (size_t k = 0; k < pytree_def_num_children(def); k++) {
            each[k] = pytree_def_child(def, (ptrdiff_t)k, NULL, &err);
            args[k] = (pytree_flat){ each[k], picked + first };
            trees[k] = PYTREE(&args[k]);
            first += each[k]->n_leaves;
        }
        if (strcmp(kind, "vmap") == 0) {
            const pytree_fn f = { .name = "f", .call = mapped, .shape = mapped_shape };
            if (fgets(line, LINE, stdin) == NULL) { return 1; }
            axes = pytree_parse(line, NULL, &err);
            out = pytree_apply_new(PYTREE_VMAP(&f, .in_axes = axes), pytree_def_num_children(def), trees, &options, &err);
            answer(&out, &err);
            pytree_free(axes);
        } else if (strcmp(kind, "scan") != 0) {
            if (!answer_derivative(kind, pytree_def_num_children(def), trees)) { return 1; }
        } else {
            Program p;
            int reverse;
            size_t length;
            const pytree_fn f = { .name = "f", .call = stepped, .shape = stepped_shape, .context = &p };
            if (scanf("%d %zu %zu %zu %zu", &reverse, &length, &p.n_carry, &p.n_y, &p.n) != 5 || p.n > MOST) { return 1; }
            for (size_t i = 0; i < p.n; i++) { if (scanf(" %c %zu %zu", &p.op[i], &p.a[i], &p.b[i]) != 3) { return 1; } }
            out = pytree_apply_new(PYTREE_SCAN(&f, .reverse = reverse != 0, .length = length), 2, trees, &options, &err);
            answer(&out, &err);
        }
        pytree_flat_free(&out);
        for (size_t k = 0; k < pytree_def_num_children(def); k++) { pytree_def_free(each[k]); }
        pytree_def_free(def);
        pytree_free(structure);
        fflush(stdout);
    }
    return 0;
}
