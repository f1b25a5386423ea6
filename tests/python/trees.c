/* A shared library of trees for tests/python/test_cpytree.py: each function returns one; others change, count and free them. */
#define STB_DS_IMPLEMENTATION
#include "../registration/rows_shared.h"
#include "../registration/rows_every.h"

#include "pytree/containers.h"
#include "pytree/filter.h"
#include "pytree/layout.h"

#define EXPORT(name) pytree name(void); pytree name(void)

/* ---- Trees of static memory ------------------------------------------------------------------------------------------ */

EXPORT(mlp)
{
    static MLP model;
    static bool made;
    if (!made) { model = mlp_make(3, true); }
    made = true;
    return PYTREE(&model);
}

EXPORT(headless)
{
    static MLP model;
    static bool made;
    if (!made) { model = mlp_make(2, false); }
    made = true;
    return PYTREE(&model);
}

EXPORT(everything)
{
    static Everything all;
    static bool made;
    if (!made) { all = everything_make(true); }
    made = true;
    return PYTREE(&all);
}

/* Sums up what C sees in the arrays of mlp(). */
double mlp_sum(void);
double mlp_sum(void)
{
    double sum = 0;
    pytree_sum(mlp(), &sum, NULL, NULL);
    return sum;
}

int every_count(void);
int every_count(void) { return EVERY_TREES; }

pytree every(size_t i);
pytree every(size_t i)
{
    const char *name;
    return every_tree(i, &name);
}

/* Containers of a literal, which lives as long as the library. */
static pytree kept(const char *text)
{
    return pytree_parse(text, NULL, NULL);
}

EXPORT(containers)
{
    static pytree t;
    if (t.type == NULL) {
        t = kept("{'b': [1, 2.5, None], 'a': ('x', True), 'c': {3: 1, -2: 2}, 'd': Pair(x=1, y=[]), 'e': (), 'größe': 1j,"
                 " 'o': OrderedDict({'z': 1, 'y': 2}), 'f': defaultdict(<class 'int'>, {'k': f32([1, 2, 3])}),"
                 " 'it\\'s': i8([[1, 2], [3, 4]]), 'bytes \\udcff': 5, 'one': (7,),"
                 " 'p': defaultdict(<class 'mine'>, {'k': 1}), 'q': defaultdict(None, {})}");
    }
    return t;
}

EXPORT(deque)
{
    static pytree t;
    if (t.type == NULL) { t = kept("[deque([1, 2], maxlen=4), deque([])]"); }
    return t;
}

EXPORT(none) { return PYTREE_NONE; }
EXPORT(number) { static double x = 2.5; return PYTREE(&x); }
EXPORT(variable)
{
    static float x = 3;
    static pytree_variable v;
    v.value = PYTREE(&x);
    return (pytree){ &pytree_role_Param, &v };
}

/* ---- Static values ---------------------------------------------------------------------------------------------------- */

typedef struct Statics {
    bool yes;
    int64_t large;
    float rate;
    double bad[3], huge;
    long double wide;
    const char *name, *none;
    char code[8];
    Config config;
    int table[2][2], one[1];
    Color color;
    void *at;
    unsigned bits : 3;
    pytree_bf16 x[4];
} Statics;

#define PYTREE_STRUCT Statics
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, yes) PYTREE_FIELD(STATIC, large) PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, bad)          \
    PYTREE_FIELD(STATIC, huge) PYTREE_FIELD(STATIC, wide) PYTREE_FIELD(STATIC, name) PYTREE_FIELD(STATIC, none)         \
    PYTREE_FIELD(STATIC, code, STRING) PYTREE_FIELD(STATIC, config) PYTREE_FIELD(STATIC, table) PYTREE_FIELD(STATIC, one) \
    PYTREE_FIELD(STATIC, color) PYTREE_FIELD(STATIC, at) PYTREE_FIELD(STATIC, bits, BITS) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

EXPORT(statics)
{
    static Statics s = { .yes = true, .large = INT64_MIN, .rate = 0.1f, .bad = { NAN, -INFINITY, 1e-7 }, .huge = 1e22,
                         .wide = 0.5L, .name = "it's", .code = "xyz", .config = { 3, "relu", { 0.5, 0.25 } },
                         .table = { { 1, 2 }, { 3, 4 } }, .one = { 9 }, .color = BLUE, .bits = 5,
                         .x = { { 0x3F80 }, { 0x4000 }, { 0x4040 }, { 0xC080 } } };
    return PYTREE(&s);
}

/* ---- Memory that is freed --------------------------------------------------------------------------------------------- */

typedef struct Made {
    int n;
    double *x;
    float rate;
} Made;

#define PYTREE_STRUCT Made
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, x, ARRAY(self->n)) PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"

static int frees;

/* What is freed is overwritten and then kept, so that a test which reads it gets wrong numbers and no crash. */
static void *overwriting(void *context, void *p, size_t old_size, size_t new_size)
{
    (void)context;
    if (new_size != 0) { return p == NULL ? malloc(new_size) : realloc(p, new_size); }
    if (p != NULL) { memset(p, 0xFF, old_size); }
    return NULL;
}

pytree made(int n);
pytree made(int n)
{
    static const pytree_allocator allocator = { overwriting, NULL };
    const pytree_options opt = { .allocator = &allocator };
    Made *const it = calloc(1, sizeof *it);
    int i;
    if (it == NULL) { return PYTREE_NONE; }
    it->n = n;
    it->rate = 0.5f;
    if (pytree_allocate(PYTREE(it), &opt, NULL) != PYTREE_OK) { return (pytree){ PYTREE_TYPE(Made), NULL }; }
    for (i = 0; i < n; i++) { it->x[i] = i; }
    return PYTREE(it);
}

void unmade(pytree t);
void unmade(pytree t)
{
    pytree_free(t);
    memset(t.data, 0xFF, sizeof(Made));
    frees++;
}

int freed(void);
int freed(void) { return frees; }

/* ---- Mistakes ---------------------------------------------------------------------------------------------------------- */

EXPORT(nothing) { return (pytree){ NULL, NULL }; }
EXPORT(missing) { static Linear layer = { 3, 4, NULL, NULL }; return PYTREE(&layer); }
EXPORT(shapes)
{
    static pytree_leaf shape;
    static pytree_flat flat;
    shape = (pytree_leaf){ .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
    if (flat.def == NULL) { flat.def = pytree_structure(PYTREE_LIST(PYTREE_INT(1)), NULL, NULL); }
    flat.leaves = &shape;
    return PYTREE(&flat);
}
