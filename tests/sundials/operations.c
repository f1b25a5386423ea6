/* SUNDIALS's own vector tests, test_nvector.c, routine by routine: each operation over states of every layout gives the bits
 * that nvector_serial gives. */
#include "vectors_shared.h"
#include <float.h>
#include <math.h>

enum { VECTORS = 24, MOST = 12 };

/* Vectors of trees and of nvector_serial with the same elements. Some of the trees are the caller's, the others clones. */
typedef struct Pairs {
    const char *name;
    N_Vector tree[VECTORS], serial[VECTORS];
    double *buffer;
} Pairs;

static Mixed mixed[2];
static Arrays arrays[2];
static Rows rows[2];
static double scattered[3][8];
static Arrays apart;
static pytree literals[3];
static Pairs layouts[7];

static size_t length(const Pairs *p) { return (size_t)N_VGetLength(p->serial[0]); }

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static double random_value(void)
{
    static uint64_t seed = 20261123;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    switch (seed >> 61) {
    case 0: return 0.0;
    case 1: return -1.0;
    case 2: return ldexp((double)(int64_t)seed, -40);
    default: return ldexp((double)(int64_t)seed, -63);
    }
}

/* Gives both vectors of pair k the same elements. */
static void fill(const Pairs *p, size_t k)
{
    double *const s = N_VGetArrayPointer(p->serial[k]);
    size_t i;
    for (i = 0; i < length(p); i++) { s[i] = random_value(); }
    assert_int_equal(N_VBufUnpack(p->tree[k], s == NULL ? p->buffer : s), 0);
}

static void fill_all(const Pairs *p)
{
    size_t k;
    for (k = 0; k < VECTORS; k++) { fill(p, k); }
}

/* Both vectors of pair k have the same bits. */
static void same(const Pairs *p, size_t k)
{
    assert_int_equal(N_VBufPack(p->tree[k], p->buffer), 0);
    if (length(p) != 0 && memcmp(p->buffer, N_VGetArrayPointer(p->serial[k]), length(p) * sizeof *p->buffer) != 0) {
        fail_msg("%s, vector %zu: other bits than nvector_serial", p->name, k);
    }
}

static void same_all(const Pairs *p)
{
    size_t k;
    for (k = 0; k < VECTORS; k++) { same(p, k); }
}

static void same_number(const Pairs *p, double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0) { fail_msg("%s: %.17g, nvector_serial: %.17g", p->name, a, b); }
}

/* Runs the statement for each layout, three triples of vectors of it, and both kinds of vectors: V, with x, y and z. */
#define FOR_EACH(...)                                                                                                   \
    do {                                                                                                                \
        static const size_t triples[][3] = { { 0, 1, 2 }, { 2, 3, 4 }, { 5, 0, 1 }, { 3, 4, 4 }, { 4, 3, 4 }, { 1, 1, 1 } }; \
        size_t l_, t_;                                                                                                  \
        for (l_ = 0; l_ < COUNT_OF(layouts); l_++) {                                                                    \
            const Pairs *const p = &layouts[l_];                                                                        \
            for (t_ = 0; t_ < COUNT_OF(triples); t_++) {                                                                \
                const size_t x = triples[t_][0], y = triples[t_][1], z = triples[t_][2];                                \
                (void)x, (void)y, (void)z;                                                                              \
                fill_all(p);                                                                                            \
                __VA_ARGS__                                                                                             \
                same_all(p);                                                                                            \
            }                                                                                                           \
        }                                                                                                               \
    } while (0)
#define BOTH(...)                                                                                                       \
    do {                                                                                                                \
        const N_Vector *V = p->tree;                                                                                    \
        __VA_ARGS__;                                                                                                    \
        V = p->serial;                                                                                                  \
        __VA_ARGS__;                                                                                                    \
    } while (0)
#define SAME(call)                                                                                                      \
    do {                                                                                                                \
        const N_Vector *V = p->tree;                                                                                    \
        const double of_tree = (double)(call);                                                                          \
        V = p->serial;                                                                                                  \
        same_number(p, of_tree, (double)(call));                                                                        \
    } while (0)

/* ---- Vectors ------------------------------------------------------------------------------------------------------- */

static void Test_N_VGetVectorID(void **state)
{
    (void)state;
    FOR_EACH(assert_int_equal(N_VGetVectorID(p->tree[x]), SUNDIALS_NVEC_CUSTOM););
}

static void Test_N_VClone(void **state)
{
    (void)state;
    FOR_EACH({
        const N_Vector copy = N_VClone(p->tree[x]);
        assert_non_null(copy);
        assert_ptr_not_equal(copy, p->tree[x]);
        assert_ptr_not_equal(pytree_nvector_tree(copy).data, pytree_nvector_tree(p->tree[x]).data);
        assert_int_equal(N_VGetLength(copy), length(p));
        N_VConst(SUN_RCONST(1.0), copy);
        assert_true(length(p) == 0 || N_VMin(copy) == 1);
        N_VDestroy(copy);
    });
}

static void Test_N_VCloneEmpty(void **state)
{
    (void)state;
    FOR_EACH({
        const N_Vector empty = N_VCloneEmpty(p->tree[x]);
        assert_non_null(empty);
        assert_null(pytree_nvector_tree(empty).data);
        assert_int_equal(N_VGetLength(empty), 0);
        N_VConst(SUN_RCONST(1.0), empty);
        N_VPrint(empty);
        N_VDestroy(empty);
    });
}

static void Test_N_VCloneEmptyVectorArray(void **state)
{
    (void)state;
    FOR_EACH({
        N_Vector *const many = N_VCloneEmptyVectorArray(5, p->tree[x]);
        assert_non_null(many);
        N_VDestroyVectorArray(many, 5);
    });
}

static void Test_N_VCloneVectorArray(void **state)
{
    (void)state;
    FOR_EACH({
        N_Vector *const many = N_VCloneVectorArray(5, p->tree[x]);
        assert_non_null(many);
        N_VConst(SUN_RCONST(2.0), many[4]);
        same_number(p, N_VMaxNorm(many[4]), length(p) == 0 ? 0 : 2);
        N_VDestroyVectorArray(many, 5);
    });
}

/* Only where the elements lie in one stretch; then they are the elements. */
static void Test_N_VGetArrayPointer(void **state)
{
    (void)state;
    FOR_EACH({
        const bool one = p->tree[0]->ops->nvgetarraypointer != NULL;
        assert_int_equal(one, p == &layouts[1] || p == &layouts[4]);
        if (one) { assert_memory_equal(N_VGetArrayPointer(p->tree[x]), N_VGetArrayPointer(p->serial[x]), 8 * length(p)); }
    });
}

/* Numbers elsewhere would not be those of the struct. */
static void Test_N_VSetArrayPointer(void **state)
{
    (void)state;
    FOR_EACH(assert_null(p->tree[x]->ops->nvsetarraypointer););
}

static void Test_N_VGetLength(void **state) { (void)state; FOR_EACH(SAME(N_VGetLength(V[x]));); }
static void Test_N_VGetCommunicator(void **state) { (void)state; FOR_EACH(assert_null(N_VGetCommunicator(p->tree[x]));); }

static void Test_N_VSpace(void **state)
{
    (void)state;
    FOR_EACH({
        sunindextype reals = -1, integers = -1;
        N_VSpace(p->tree[x], &reals, &integers);
        assert_int_equal(reals, length(p));
        assert_in_range(integers, 10, 1000);
    });
}

/* ---- Standard operations ------------------------------------------------------------------------------------------- */

static void Test_N_VLinearSum(void **state)
{
    static const double factors[] = { 1, -1, 0.5, -0.5, 3, 0.1 };
    size_t i, j;
    (void)state;
    for (i = 0; i < COUNT_OF(factors); i++) {
        for (j = 0; j < COUNT_OF(factors); j++) {
            const double a = factors[i], b = factors[j];
            FOR_EACH({
                BOTH(N_VLinearSum(a, V[x], b, V[y], V[z]));
                BOTH(N_VLinearSum(a, V[x], b, V[y], V[y]));
                BOTH(N_VLinearSum(a, V[x], b, V[y], V[x]));
            });
        }
    }
}

static void Test_N_VConst(void **state) { (void)state; FOR_EACH(BOTH(N_VConst(SUN_RCONST(0.1), V[x]));); }
static void Test_N_VProd(void **state) { (void)state; FOR_EACH(BOTH(N_VProd(V[x], V[y], V[z]));); }

/* Divisors are not zero: the sign of a NaN may be either. */
static void Test_N_VDiv(void **state)
{
    (void)state;
    FOR_EACH({
        BOTH(N_VAbs(V[y], V[y]));
        BOTH(N_VAddConst(V[y], SUN_RCONST(0.25), V[y]));
        BOTH(N_VDiv(V[x], V[y], V[z]));
    });
}

static void Test_N_VScale(void **state)
{
    static const double factors[] = { 1, -1, 0, 0.1 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(factors); i++) {
        const double c = factors[i];
        FOR_EACH({
            BOTH(N_VScale(c, V[x], V[z]));
            BOTH(N_VScale(c, V[y], V[y]));
        });
    }
}

static void Test_N_VAbs(void **state) { (void)state; FOR_EACH(BOTH(N_VAbs(V[x], V[z]));); }
static void Test_N_VInv(void **state) { (void)state; FOR_EACH(BOTH(N_VInv(V[x], V[z]));); }
static void Test_N_VAddConst(void **state) { (void)state; FOR_EACH(BOTH(N_VAddConst(V[x], SUN_RCONST(-2.3), V[z]));); }
static void Test_N_VDotProd(void **state) { (void)state; FOR_EACH(SAME(N_VDotProd(V[x], V[y]));); }
static void Test_N_VMaxNorm(void **state) { (void)state; FOR_EACH(SAME(N_VMaxNorm(V[x]));); }

/* A vector without elements divides by zero, here as there; the sign of that NaN may be either. */
#define SAME_MEAN(call) do { if (length(p) != 0) { SAME(call); } } while (0)
static void Test_N_VWrmsNorm(void **state) { (void)state; FOR_EACH(SAME_MEAN(N_VWrmsNorm(V[x], V[y]));); }
static void Test_N_VWrmsNormMask(void **state) { (void)state; FOR_EACH(SAME_MEAN(N_VWrmsNormMask(V[x], V[y], V[z]));); }

static void Test_N_VMin(void **state)
{
    (void)state;
    FOR_EACH(if (length(p) != 0) { SAME(N_VMin(V[x])); } else { same_number(p, N_VMin(p->tree[x]), SUN_BIG_REAL); });
}

static void Test_N_VWL2Norm(void **state) { (void)state; FOR_EACH(SAME(N_VWL2Norm(V[x], V[y]));); }
static void Test_N_VL1Norm(void **state) { (void)state; FOR_EACH(SAME(N_VL1Norm(V[x]));); }
static void Test_N_VCompare(void **state) { (void)state; FOR_EACH(BOTH(N_VCompare(SUN_RCONST(0.5), V[x], V[z]));); }

static void Test_N_VInvTest(void **state)
{
    (void)state;
    FOR_EACH({
        SAME(N_VInvTest(V[x], V[z]));
        BOTH(N_VCompare(SUN_RCONST(0.0), V[x], V[x]));                         /* no zeros are left */
        SAME(N_VInvTest(V[x], V[z]));
    });
}

static void Test_N_VConstrMask(void **state)
{
    static const double kinds[] = { 2, 1, 0, -1, -2 };
    (void)state;
    FOR_EACH({
        double *const c = N_VGetArrayPointer(p->serial[6]);
        size_t i;
        for (i = 0; i < length(p); i++) { c[i] = kinds[i % COUNT_OF(kinds)]; }
        N_VBufUnpack(p->tree[6], c == NULL ? p->buffer : c);
        SAME(N_VConstrMask(V[6], V[x], V[7]));
        BOTH(N_VProd(V[6], V[6], V[6]));                                       /* constraints that hold */
        BOTH(N_VAddConst(V[6], SUN_RCONST(1.0), V[x]));
        SAME(N_VConstrMask(V[6], V[x], V[7]));
    });
}

static void Test_N_VMinQuotient(void **state)
{
    (void)state;
    FOR_EACH({
        SAME(N_VMinQuotient(V[x], V[y]));
        BOTH(N_VConst(SUN_RCONST(0.0), V[z]));
        SAME(N_VMinQuotient(V[x], V[z]));
    });
}

/* ---- Fused operations ---------------------------------------------------------------------------------------------- */

static const double FACTORS[MOST] = { 1, -1, 0.5, 0.1, -2, 3, 0.25, 1, 7, -0.3, 1, 0.6 };

/* Both ways of nvector_serial: one vector after the other, and fused. */
static void fuse(const Pairs *p, bool fused)
{
    size_t k;
    for (k = 0; k < VECTORS; k++) { assert_int_equal(N_VEnableFusedOps_Serial(p->serial[k], fused), 0); }
}

/* The first n vectors of a pair from number `first` on, in an array that operations take. */
static N_Vector *some(const N_Vector *V, size_t first, N_Vector *to)
{
    memcpy(to, V + first, (VECTORS - first) * sizeof *to);
    return to;
}

#define FOR_EACH_COUNT(...)                                                                                             \
    do {                                                                                                                \
        static const int counts[] = { 1, 2, 3, 4, 5, 9, MOST };                                                         \
        double c[MOST];                                                                                                 \
        N_Vector X[VECTORS], Y[VECTORS], Z[VECTORS];                                                                    \
        size_t c_, fused;                                                                                               \
        memcpy(c, FACTORS, sizeof c);                                                                                   \
        (void)X, (void)Y, (void)Z;                                                                                      \
        for (c_ = 0; c_ < 2 * COUNT_OF(counts); c_++) {                                                                 \
            const int n = counts[c_ / 2];                                                                               \
            fused = c_ % 2;                                                                                             \
            FOR_EACH(fuse(p, fused != 0); __VA_ARGS__);                                                                 \
        }                                                                                                               \
    } while (0)

static void Test_N_VLinearCombination(void **state)
{
    (void)state;
    FOR_EACH_COUNT({
        BOTH(assert_int_equal(N_VLinearCombination(n, c, some(V, x, X), V[VECTORS - 1]), 0));
        BOTH(assert_int_equal(N_VLinearCombination(n, c, some(V, x, X), V[x]), 0));
        BOTH(assert_int_equal(N_VLinearCombination(n, c + (n < MOST), some(V, x, X), V[x]), 0));
    });
    assert_int_equal(N_VLinearCombination(0, NULL, NULL, layouts[0].tree[0]), -1);
}

static void Test_N_VScaleAddMulti(void **state)
{
    (void)state;
    FOR_EACH_COUNT({
        BOTH(assert_int_equal(N_VScaleAddMulti(n, c, V[x], some(V, 6, Y), some(V, VECTORS - MOST, Z)), 0));
        BOTH(assert_int_equal(N_VScaleAddMulti(n, c, V[x], some(V, 6, Y), some(V, 6, Z)), 0));
    });
    assert_int_equal(N_VScaleAddMulti(0, NULL, layouts[0].tree[0], NULL, NULL), -1);
}

static void dot_prods(int (*multi)(int, N_Vector, N_Vector *, sunrealtype *))
{
    FOR_EACH_COUNT({
        double of_tree[MOST];
        double of_serial[MOST];
        assert_int_equal(multi(n, p->tree[x], some(p->tree, 6, Y), of_tree), 0);
        assert_int_equal(multi(n, p->serial[x], some(p->serial, 6, Y), of_serial), 0);
        assert_memory_equal(of_tree, of_serial, (size_t)n * sizeof *of_tree);
    });
    assert_int_equal(multi(0, layouts[0].tree[0], NULL, NULL), -1);
}

static void Test_N_VDotProdMulti(void **state) { (void)state; dot_prods(N_VDotProdMulti); }

/* ---- Arrays of vectors --------------------------------------------------------------------------------------------- */

static void Test_N_VLinearSumVectorArray(void **state)
{
    (void)state;
    FOR_EACH_COUNT({
        BOTH(assert_int_equal(N_VLinearSumVectorArray(n, c[2], some(V, 0, X), c[3], some(V, 6, Y), some(V, MOST, Z)), 0));
    });
}

static void Test_N_VScaleVectorArray(void **state)
{
    (void)state;
    FOR_EACH_COUNT(BOTH(assert_int_equal(N_VScaleVectorArray(n, c, some(V, 0, X), some(V, MOST, Z)), 0)););
}

static void Test_N_VConstVectorArray(void **state)
{
    (void)state;
    FOR_EACH_COUNT(BOTH(assert_int_equal(N_VConstVectorArray(n, c[3], some(V, 6, Z)), 0)););
}

static void norms(bool masked)
{
    FOR_EACH_COUNT({
        double of_tree[MOST];
        double of_serial[MOST];
        if (length(p) == 0) { continue; }
        some(p->tree, 0, X);
        some(p->tree, 6, Y);
        assert_int_equal(masked ? N_VWrmsNormMaskVectorArray(n, X, Y, p->tree[z], of_tree)
                                : N_VWrmsNormVectorArray(n, X, Y, of_tree), 0);
        some(p->serial, 0, X);
        some(p->serial, 6, Y);
        assert_int_equal(masked ? N_VWrmsNormMaskVectorArray(n, X, Y, p->serial[z], of_serial)
                                : N_VWrmsNormVectorArray(n, X, Y, of_serial), 0);
        assert_memory_equal(of_tree, of_serial, (size_t)n * sizeof *of_tree);
    });
}

static void Test_N_VWrmsNormVectorArray(void **state) { (void)state; norms(false); }
static void Test_N_VWrmsNormMaskVectorArray(void **state) { (void)state; norms(true); }

static void Test_N_VScaleAddMultiVectorArray(void **state)
{
    (void)state;
    FOR_EACH({
        BOTH({
            N_Vector X[VECTORS];
            N_Vector Y[VECTORS];
            N_Vector Z[VECTORS];
            N_Vector *YY[3];
            N_Vector *ZZ[3];
            double c[3] = { 0.5, 1, -3 };
            size_t j;
            some(V, 0, X);
            some(V, 2, Y);
            some(V, 12, Z);
            for (j = 0; j < 3; j++) { YY[j] = Y + 2 * j; ZZ[j] = Z + 2 * j; }
            assert_int_equal(N_VScaleAddMultiVectorArray(2, 3, c, X, YY, ZZ), 0);
        });
    });
}

static void Test_N_VLinearCombinationVectorArray(void **state)
{
    (void)state;
    FOR_EACH({
        BOTH({
            N_Vector X[VECTORS];
            N_Vector Z[VECTORS];
            N_Vector *XX[3];
            double c[3] = { 0.5, 1, -3 };
            size_t j;
            some(V, 0, X);
            some(V, 12, Z);
            for (j = 0; j < 3; j++) { XX[j] = X + 2 * j; }
            assert_int_equal(N_VLinearCombinationVectorArray(2, 3, c, XX, Z), 0);
        });
    });
}

/* ---- Local reductions ---------------------------------------------------------------------------------------------- */

static void Test_N_VDotProdLocal(void **state) { (void)state; FOR_EACH(SAME(N_VDotProdLocal(V[x], V[y]));); }
static void Test_N_VMaxNormLocal(void **state) { (void)state; FOR_EACH(SAME(N_VMaxNormLocal(V[x]));); }
static void Test_N_VMinLocal(void **state) { (void)state; FOR_EACH(if (length(p) != 0) { SAME(N_VMinLocal(V[x])); }); }
static void Test_N_VL1NormLocal(void **state) { (void)state; FOR_EACH(SAME(N_VL1NormLocal(V[x]));); }
static void Test_N_VWSqrSumLocal(void **state) { (void)state; FOR_EACH(SAME(N_VWSqrSumLocal(V[x], V[y]));); }
static void Test_N_VWSqrSumMaskLocal(void **state) { (void)state; FOR_EACH(SAME(N_VWSqrSumMaskLocal(V[x], V[y], V[z]));); }
static void Test_N_VInvTestLocal(void **state) { (void)state; FOR_EACH(SAME(N_VInvTestLocal(V[x], V[z]));); }
static void Test_N_VConstrMaskLocal(void **state) { (void)state; FOR_EACH(SAME(N_VConstrMaskLocal(V[6], V[x], V[7]));); }
static void Test_N_VMinQuotientLocal(void **state) { (void)state; FOR_EACH(SAME(N_VMinQuotientLocal(V[x], V[y]));); }
static void Test_N_VDotProdMultiLocal(void **state) { (void)state; dot_prods(N_VDotProdMultiLocal); }

/* It is for vectors over several processes; nvector_serial has none, either. */
static void Test_N_VDotProdMultiAllReduce(void **state)
{
    (void)state;
    FOR_EACH(assert_ptr_equal(p->tree[x]->ops->nvdotprodmultiallreduce, p->serial[x]->ops->nvdotprodmultiallreduce););
}

/* ---- Buffers ------------------------------------------------------------------------------------------------------- */

static void Test_N_VBufSize(void **state)
{
    (void)state;
    FOR_EACH({
        sunindextype of_tree = -1;
        sunindextype of_serial = -2;
        assert_int_equal(N_VBufSize(p->tree[x], &of_tree), 0);
        assert_int_equal(N_VBufSize(p->serial[x], &of_serial), 0);
        assert_int_equal(of_tree, of_serial);
    });
}

static void Test_N_VBufPack(void **state)
{
    (void)state;
    FOR_EACH({
        double *const of_serial = test_malloc((length(p) + 1) * sizeof(double));
        assert_int_equal(N_VBufPack(p->tree[x], p->buffer), 0);
        assert_int_equal(length(p) == 0 ? 0 : N_VBufPack(p->serial[x], of_serial), 0);
        assert_memory_equal(p->buffer, of_serial, length(p) * sizeof(double));
        assert_int_equal(N_VBufPack(p->tree[x], NULL), -1);
        test_free(of_serial);
    });
}

static void Test_N_VBufUnpack(void **state)
{
    (void)state;
    FOR_EACH({
        size_t i;
        for (i = 0; i < length(p); i++) { p->buffer[i] = random_value(); }
        BOTH(assert_int_equal(length(p) == 0 ? 0 : N_VBufUnpack(V[x], p->buffer), 0));
        assert_int_equal(N_VBufUnpack(p->tree[x], NULL), -1);
    });
}

/* ---- Layouts ------------------------------------------------------------------------------------------------------- */

static void pairs_make(Pairs *p, const char *name, N_Vector first, N_Vector second)
{
    const sunindextype n = N_VGetLength(first);
    size_t k;
    p->name = name;
    p->buffer = calloc((size_t)n + 1, sizeof *p->buffer);
    p->tree[0] = first;
    p->tree[1] = second != NULL ? second : N_VClone(first);
    for (k = 0; k < VECTORS; k++) {
        if (k > 1) { p->tree[k] = N_VClone(p->tree[k % 3 == 0]); }
        p->serial[k] = N_VNew_Serial(n, context);
    }
}

static int make_layouts(void **state)
{
    double numbers[7] = { 0 };
    size_t i;
    (void)state;
    if (SUNContext_Create(NULL, &context) != 0) { return -1; }
    for (i = 0; i < 2; i++) {
        mixed[i] = mixed_make();
        arrays[i].n = 8;                  /* multiples of 64 bytes: no gaps */
        rows[i].n = 9;
        allocate(PYTREE(&arrays[i]));
        allocate(PYTREE(&rows[i]));
    }
    literals[0] = pytree_clone(PYTREE_ARRAY(numbers, 7), NULL, NULL);
    literals[1] = pytree_clone(PYTREE_DICT({ "b", PYTREE_LIST(PYTREE_ARRAY(numbers, 3, 1), PYTREE_FLOAT(1)) },
                                           { "a", PYTREE_FLOAT(2) }), NULL, NULL);
    literals[2] = pytree_clone(PYTREE_ARRAY(numbers, 0), NULL, NULL);
    apart.n = 4;                          /* arrays that lie elsewhere, in another order */
    apart.u = scattered[2];
    apart.v = scattered[0] + 3;
    apart.w = scattered[1];
    pairs_make(&layouts[0], "lists, arrays and members", vector_of(PYTREE(&mixed[0]), &mixed_options),
               vector_of(PYTREE(&mixed[1]), &mixed_options));
    pairs_make(&layouts[1], "arrays side by side", vector_of(PYTREE(&arrays[0]), NULL), vector_of(PYTREE(&arrays[1]), NULL));
    pairs_make(&layouts[2], "arrays apart", vector_of(PYTREE(&apart), NULL), NULL);
    pairs_make(&layouts[3], "structs in a list", vector_of(PYTREE(&rows[0]), NULL), vector_of(PYTREE(&rows[1]), NULL));
    pairs_make(&layouts[4], "one array", vector_of(literals[0], NULL), NULL);
    pairs_make(&layouts[5], "containers", vector_of(literals[1], NULL), NULL);
    pairs_make(&layouts[6], "no elements", vector_of(literals[2], NULL), NULL);
    return 0;
}

static int free_layouts(void **state)
{
    size_t l, k;
    (void)state;
    for (l = 0; l < COUNT_OF(layouts); l++) {
        for (k = VECTORS; k-- > 0;) {
            N_VDestroy(layouts[l].tree[k]);
            N_VDestroy(layouts[l].serial[k]);
        }
        free(layouts[l].buffer);
    }
    for (k = 0; k < COUNT_OF(literals); k++) { pytree_free(literals[k]); }
    for (k = 0; k < 2; k++) {
        pytree_free(PYTREE(&mixed[k]));
        pytree_free(PYTREE(&arrays[k]));
        pytree_free(PYTREE(&rows[k]));
    }
    return SUNContext_Free(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(Test_N_VGetVectorID), cmocka_unit_test(Test_N_VClone), cmocka_unit_test(Test_N_VCloneEmpty),
        cmocka_unit_test(Test_N_VCloneEmptyVectorArray), cmocka_unit_test(Test_N_VCloneVectorArray),
        cmocka_unit_test(Test_N_VGetArrayPointer), cmocka_unit_test(Test_N_VSetArrayPointer),
        cmocka_unit_test(Test_N_VGetLength), cmocka_unit_test(Test_N_VGetCommunicator), cmocka_unit_test(Test_N_VSpace),
        cmocka_unit_test(Test_N_VLinearSum), cmocka_unit_test(Test_N_VConst), cmocka_unit_test(Test_N_VProd),
        cmocka_unit_test(Test_N_VDiv), cmocka_unit_test(Test_N_VScale), cmocka_unit_test(Test_N_VAbs),
        cmocka_unit_test(Test_N_VInv), cmocka_unit_test(Test_N_VAddConst), cmocka_unit_test(Test_N_VDotProd),
        cmocka_unit_test(Test_N_VMaxNorm), cmocka_unit_test(Test_N_VWrmsNorm), cmocka_unit_test(Test_N_VWrmsNormMask),
        cmocka_unit_test(Test_N_VMin), cmocka_unit_test(Test_N_VWL2Norm), cmocka_unit_test(Test_N_VL1Norm),
        cmocka_unit_test(Test_N_VCompare), cmocka_unit_test(Test_N_VInvTest), cmocka_unit_test(Test_N_VConstrMask),
        cmocka_unit_test(Test_N_VMinQuotient), cmocka_unit_test(Test_N_VLinearCombination),
        cmocka_unit_test(Test_N_VScaleAddMulti), cmocka_unit_test(Test_N_VDotProdMulti),
        cmocka_unit_test(Test_N_VLinearSumVectorArray), cmocka_unit_test(Test_N_VScaleVectorArray),
        cmocka_unit_test(Test_N_VConstVectorArray), cmocka_unit_test(Test_N_VWrmsNormVectorArray),
        cmocka_unit_test(Test_N_VWrmsNormMaskVectorArray), cmocka_unit_test(Test_N_VScaleAddMultiVectorArray),
        cmocka_unit_test(Test_N_VLinearCombinationVectorArray), cmocka_unit_test(Test_N_VDotProdLocal),
        cmocka_unit_test(Test_N_VMaxNormLocal), cmocka_unit_test(Test_N_VMinLocal), cmocka_unit_test(Test_N_VL1NormLocal),
        cmocka_unit_test(Test_N_VWSqrSumLocal), cmocka_unit_test(Test_N_VWSqrSumMaskLocal),
        cmocka_unit_test(Test_N_VInvTestLocal), cmocka_unit_test(Test_N_VConstrMaskLocal),
        cmocka_unit_test(Test_N_VMinQuotientLocal), cmocka_unit_test(Test_N_VDotProdMultiLocal),
        cmocka_unit_test(Test_N_VDotProdMultiAllReduce), cmocka_unit_test(Test_N_VBufSize), cmocka_unit_test(Test_N_VBufPack),
        cmocka_unit_test(Test_N_VBufUnpack)
    };
    return cmocka_run_group_tests(tests, make_layouts, free_layouts);
}
