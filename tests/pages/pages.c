/* The pages that html_checks.py opens: pages FOLDER writes them there, and prints the tree of model.html. */
#define PYTREE_IMPLEMENTATION
#include "pytree/html.h"
#include "pytree/filter.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct Linear {
    int din, dout;
    float *w, *b;
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout), ROLE(Param))                                                    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout), ROLE(Param))
#include "pytree_registry.h"

typedef struct Model {
    Linear layers[3];
    float cube[3][4][5];
    int step;
} Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, layers) PYTREE_FIELD(DATA, cube, RANK(3)) PYTREE_FIELD(DATA, step)
#include "pytree_registry.h"

typedef struct Link {
    double value;
    struct Link *next;
} Link;

#define PYTREE_STRUCT Link
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

static int save(const char *folder, const char *name, pytree a, const pytree *b)
{
    const pytree_html_options opt = { .title = name };
    pytree_error err = { 0 };
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    if (b == NULL) { pytree_save_html(path, a, &opt, &err); } else { pytree_save_html_diff(path, a, *b, NULL, &opt, &err); }
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}

/* A dict of lists of n / 10 lists with ten arrays each. */
static int save_many(const char *folder, const char *name, size_t n)
{
    static float numbers[64];
    pytree_leaf *views = calloc(n, sizeof *views);
    pytree *items = calloc(n + n / 10, sizeof *items);
    pytree_items *lists = calloc(n / 10 + 1, sizeof *lists);
    size_t i;
    int failed = 1;
    for (i = 0; i < 64; i++) { numbers[i] = sinf((float)i); }
    if (views != NULL && items != NULL && lists != NULL) {
        for (i = 0; i < n; i++) {
            views[i] = (pytree_leaf){ .data = numbers, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 8, 8 } };
            items[i] = pytree_of_view(&views[i]);
        }
        for (i = 0; i < n / 10; i++) {
            lists[i] = (pytree_items){ .count = 10, .items = items + 10 * i };
            items[n + i] = (pytree){ &pytree_types[PYTREE__T_list], &lists[i] };
        }
        lists[n / 10] = (pytree_items){ .count = n / 10, .items = items + n };
        failed = save(folder, name, PYTREE_DICT({ "all", (pytree){ &pytree_types[PYTREE__T_list], &lists[n / 10] } }), NULL);
    }
    free(views);
    free(items);
    free(lists);
    return failed;
}

static int save_deep(const char *folder, size_t n)
{
    Link *links = calloc(n, sizeof *links);
    size_t i;
    int failed = 1;
    if (links != NULL) {
        for (i = 0; i < n; i++) {
            links[i].value = (double)i;
            links[i].next = i + 1 < n ? &links[i + 1] : NULL;
        }
        failed = save(folder, "deep", PYTREE(links), NULL);
    }
    free(links);
    return failed;
}

static void fill(Model *m)
{
    size_t i, k;
    for (k = 0; k < 3; k++) {
        const int n = m->layers[k].din * m->layers[k].dout;
        for (i = 0; i < (size_t)n; i++) {
            m->layers[k].w[i] = sinf((float)(i * (k + 1)) * 0.37f) * expf(-(float)(i % 50) / 30);
        }
        for (i = 0; i < (size_t)m->layers[k].dout; i++) { m->layers[k].b[i] = 0.125f * (float)i; }
    }
    for (i = 0; i < 60; i++) { (&m->cube[0][0][0])[i] = (float)i; }
    m->layers[1].b[2] = NAN;
    m->layers[1].b[3] = INFINITY;
    m->step = 1000;
}

int main(int argc, char **argv)
{
    Model m = { .layers = { { 64, 48, NULL, NULL }, { 48, 48, NULL, NULL }, { 48, 10, NULL, NULL } } };
    const char *folder = argc == 2 ? argv[1] : ".", *alert = "</script><script>document.title = 'broken'</script>";
    double wide[6] = { DBL_MAX, -DBL_MAX, 0, -DBL_MAX, DBL_MAX, 0 };
    pytree_error err = { 0 };
    pytree copy, other;
    int failed;
    if (pytree_allocate(PYTREE(&m), NULL, &err) != PYTREE_OK) { return 1; }
    fill(&m);
    m.layers[2].w[7] = 3;
    copy = pytree_clone(PYTREE(&m), NULL, &err);
    if (copy.data == NULL) { return 1; }
    ((Model *)copy.data)->layers[1].w[5] += 0.5f;
    ((Model *)copy.data)->step = 2000;
    other = PYTREE_DICT({ "model", copy }, { "fresh", PYTREE_FLOAT(0.5) });
    failed = save(folder, "model", PYTREE(&m), NULL) || save(folder, "wide", PYTREE_LIST(PYTREE_ARRAY(wide, 2, 3)), NULL)
        || save(folder, "shared", PYTREE_DICT({ "model", PYTREE(&m) }, { "tied", PYTREE(&m.layers[1]) }), NULL)
        || save(folder, "diff", PYTREE_DICT({ "model", PYTREE(&m) }, { "gone", PYTREE_INT(1) }), &other)
        || save(folder, "equal", PYTREE(&m), &(pytree){ PYTREE(&m).type, &m })
        || save(folder, "hostile", PYTREE_DICT({ alert, PYTREE(&alert) }, { "\x01\xff<!--", PYTREE_INT(2) },
                                               { "a\"b'c", PYTREE_INT(3) }, { "<img src=x onerror=alert(1)>", PYTREE_LIST() }),
                NULL)
        || save_deep(folder, 100000) || save_many(folder, "many", 10000) || save_many(folder, "more", 200000);
    pytree_print(stdout, PYTREE(&m), &(pytree_options){ .print_values = 8 }, &err);
    pytree_free(copy);
    pytree_free(PYTREE(&m));
    return failed;
}
