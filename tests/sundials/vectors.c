/* Vectors of trees: which leaves are elements, clones, what is refused, memory that runs out, solvers. */
#include <sundials/sundials_nvector.h>
#include <stdbool.h>

/* SUNDIALS's part of a vector, which may be refused. */
static bool no_vectors;
static N_Vector new_empty(SUNContext its_context) { return no_vectors ? NULL : (N_VNewEmpty)(its_context); }
static int copy_ops(N_Vector from, N_Vector to) { return no_vectors ? -1 : (N_VCopyOps)(from, to); }
#define N_VNewEmpty(its_context) new_empty(its_context)
#define N_VCopyOps(from, to) copy_ops(from, to)
#include "vectors_shared.h"
#undef N_VNewEmpty
#undef N_VCopyOps
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <kinsol/kinsol.h>
#include <nvector/nvector_manyvector.h>
#include <sunlinsol/sunlinsol_spgmr.h>

static void refused(pytree t, const pytree_nvector_options *opt, pytree_status status, const char *path, const char *words)
{
    pytree_error error = { 0 };
    assert_null(pytree_nvector_new(t, context, opt, &error));
    assert_error(error.status, status, path, &error);
    if (strstr(error.message, words) == NULL) { fail_msg("'%s' lacks '%s'", error.message, words); }
    assert_null(pytree_nvector_new(t, context, opt, NULL));
}

/* ---- Elements ------------------------------------------------------------------------------------------------------ */

static void elements_are_those_of_the_struct(void **state)
{
    Mixed m = mixed_make();
    const N_Vector y = vector_of(PYTREE(&m), &mixed_options);
    (void)state;
    assert_int_equal(N_VGetLength(y), 1 + 5 * 3 + 12 + 6 + 1);
    assert_ptr_equal(PYTREE_NVECTOR(Mixed, y), &m);
    N_VConst(SUN_RCONST(2.0), y);
    assert_true(m.temperature == 2 && m.cells[4].flow[1] == 2 && m.cells[4].level == 2 && m.liquid->rate[2] == 2);
    assert_int_equal(m.cells[4].kind, 4);
    assert_true(m.heat == 4.5 && m.table[2] == 3);
    m.gas.mass[5] = -7;
    assert_true(N_VMaxNorm(y) == 7);
    N_VDestroy(y);
    pytree_free(PYTREE(&m));
}

static void clones_have_elements_of_their_own(void **state)
{
    Mixed m = mixed_make();
    const N_Vector y = vector_of(PYTREE(&m), &mixed_options), z = N_VClone(y), last = N_VClone(z);
    Mixed *const copy = PYTREE_NVECTOR(Mixed, z);
    (void)state;
    N_VConst(SUN_RCONST(3.0), z);
    assert_true(m.temperature == 0 && m.gas.mass[0] == 0 && copy->temperature == 3 && copy->gas.mass[0] == 3);
    assert_ptr_not_equal(copy->cells, m.cells);
    assert_int_equal(copy->cells[3].kind, 3);
    assert_true(copy->heat == 4.5 && copy->table[1] == 2);
    assert_ptr_equal(copy->name, m.name);
    N_VDestroy(z);
    N_VConst(SUN_RCONST(5.0), last);
    assert_true(PYTREE_NVECTOR(Mixed, last)->liquid->mass[1] == 5);
    N_VDestroy(last);
    N_VDestroy(y);
    pytree_free(PYTREE(&m));
}

/* Arrays of a clone lie side by side, wherever those of the original are; those that are excluded are the original's. */
static void arrays_of_clones(void **state)
{
    double u[3] = { 1, 2, 3 }, v[3] = { 4, 5, 6 }, w[6] = { 7, 8, 9, 10, 11, 12 };
    Arrays a = { 3, v, u, w };
    const pytree_filter last = PYTREE_PATH("**.w");
    const pytree_nvector_options opt = { .excluded = &last };
    const N_Vector all = vector_of(PYTREE(&a), NULL), some = vector_of(PYTREE(&a), &opt);
    const N_Vector x = N_VClone(all), y = N_VClone(some);
    const Arrays *const own = PYTREE_NVECTOR(Arrays, x), *const shared = PYTREE_NVECTOR(Arrays, y);
    (void)state;
    assert_ptr_equal(own->v, own->u + 3);
    assert_ptr_equal(own->w, own->v + 3);
    assert_true(own->u[0] == 4 && own->w[5] == 12);
    assert_ptr_equal(shared->w, w);
    assert_ptr_not_equal(shared->u, v);
    assert_int_equal(N_VGetLength(y), 6);
    N_VDestroy(x);
    N_VDestroy(y);
    N_VDestroy(all);
    N_VDestroy(some);
}

/* Members and arrays of one length, which may lie as far apart as pieces of one run, in memory where later blocks lie lower:
 * a clone's numbers behind its struct. What is freed is overwritten. */
typedef struct Halves {
    double head[3], *tail;
} Halves;
#define PYTREE_STRUCT Halves
#define PYTREE_FIELDS PYTREE_FIELD(DATA, head) PYTREE_FIELD(DATA, tail, ARRAY(3))
#include "pytree_registry.h"

static double arena[4096];
static void *downwards(void *lowest, void *p, size_t old_size, size_t new_size)
{
    double **const end = (double **)lowest;
    if (new_size != 0) {
        *end -= (new_size + 63) / 64 * 8;
        assert_true(*end >= arena);
        if (p != NULL) { memcpy(*end, p, old_size < new_size ? old_size : new_size); }
    }
    if (p != NULL) { memset(p, 0xff, old_size); }
    return new_size == 0 ? NULL : *end;
}

static void runs_from_struct_to_array(void **state)
{
    double *end = arena + COUNT_OF(arena), tail[3] = { 4, 5, 6 };
    Halves halves = { { 1, 2, 3 }, tail };
    const pytree_allocator allocator = { downwards, &end };
    const pytree_nvector_options opt = { .tree.allocator = &allocator };
    const N_Vector y = vector_of(PYTREE(&halves), &opt), z = N_VClone(y);
    const Halves *const copy = PYTREE_NVECTOR(Halves, z);
    (void)state;
    assert_true((uintptr_t)copy->tail > (uintptr_t)copy->head);
    assert_true(copy->head[2] == 3 && copy->tail[0] == 4 && copy->tail[2] == 6);
    assert_true(N_VDotProd(y, z) == 91);
    N_VDestroy(z);
    N_VDestroy(y);
}

/* Structs in a list with numbers between their elements are one run: the vector is as large for many of them. */
static void runs_of_structs(void **state)
{
    static Row rows[40];
    Rows few = { 5, NULL, rows }, many = { 40, NULL, rows };
    const N_Vector a = vector_of(PYTREE(&few), NULL), b = vector_of(PYTREE(&many), NULL);
    sunindextype reals, bytes, more;
    (void)state;
    N_VSpace(a, &reals, &bytes);
    N_VSpace(b, &reals, &more);
    assert_int_equal(reals, 120);
    assert_int_equal(bytes, more);
    N_VDestroy(a);
    N_VDestroy(b);
}

/* One filter for structs, dicts and states: names are attributes, `.value` of a variable is left out. */
static void paths_as_filters_have_them(void **state)
{
    double numbers[4] = { 0 };
    float weights[2] = { 0 };
    const pytree t = PYTREE_DICT({ "numbers", PYTREE_ARRAY(numbers, 4) },
                                 { "weights", PYTREE_LIST(PYTREE_FLOAT(1), PYTREE_VARIABLE(Param, PYTREE_ARRAY(weights, 2))) });
    const pytree_filter both = PYTREE_ALL_OF(PYTREE_PATH_HAS("weights"), PYTREE_PATH_HAS_INDEX(1));
    const pytree_filter *const filters[] = { &PYTREE_PATH(".weights[1]"), &PYTREE_OF(Param),
                                             &PYTREE_OF_TYPE(PYTREE_TYPE(float)), &both };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(filters); i++) {
        const pytree_nvector_options opt = { .excluded = filters[i] };
        const N_Vector v = vector_of(t, &opt), copy = N_VClone(v);
        assert_int_equal(N_VGetLength(v), 5);
        assert_int_equal(N_VGetLength(copy), 5);
        N_VDestroy(copy);
        N_VDestroy(v);
    }
}

static void deep_paths(void **state)
{
    Node *chain = chain_make(40);
    const pytree_filter all = PYTREE_PATH("**.value");
    const pytree_nvector_options opt = { .excluded = &all };
    const N_Vector v = vector_of(PYTREE(chain), &opt);
    (void)state;
    assert_int_equal(N_VGetLength(v), 0);
    N_VDestroy(v);
    free(chain);
}

static void vectors_of_others(void **state)
{
    double numbers[6] = { 1, 2, 3, 4, 5, 6 };
    const N_Vector serial = N_VMake_Serial(6, numbers, context);
    Arrays a = { .n = 1 };
    N_Vector y;
    (void)state;
    assert_null(pytree_nvector_tree(serial).data);
    assert_null(PYTREE_NVECTOR(Arrays, serial));
    assert_null(pytree_nvector_tree(NULL).data);
    allocate(PYTREE(&a));
    y = vector_of(PYTREE(&a), NULL);
    assert_null(PYTREE_NVECTOR(Mixed, y));
    N_VDestroy(serial);
    N_VDestroy(y);
    pytree_free(PYTREE(&a));
}

/* Elements that only one of two vectors has are left alone. */
static void other_lengths(void **state)
{
    double many[5] = { 1, 1, 1, 1, 1 }, few[3] = { 2, 2, 2 };
    const N_Vector x = vector_of(PYTREE_ARRAY(many, 5), NULL), y = vector_of(PYTREE_ARRAY(few, 3), NULL);
    (void)state;
    N_VLinearSum(SUN_RCONST(1.0), x, SUN_RCONST(1.0), y, x);
    assert_true(many[2] == 3 && many[3] == 1);
    assert_true(N_VDotProd(x, y) == 18);
    N_VDestroy(x);
    N_VDestroy(y);
}

static void printed(void **state)
{
    char text[200] = "";
    double numbers[2][2] = { { 1, 2 }, { 0.5, -1 } };
    const N_Vector v = vector_of(PYTREE_LIST(PYTREE_ARRAY(numbers[0], 2, 2), PYTREE_FLOAT(3)), NULL);
    FILE *const file = tmpfile();
    (void)state;
    assert_non_null(file);
    N_VPrintFile(v, file);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "[0]  f64[2,2] 1.0 2.0 0.5 -1.0\n[1]  f64 3.0\n");
    fclose(file);
    N_VDestroy(v);
}

/* ---- What is refused ----------------------------------------------------------------------------------------------- */

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) {
        children[0].type = PYTREE_TYPE(double);
        children[0].data = (void *)(uintptr_t)self;
    }
    return 1;
}
typedef struct Box { double value; } Box;
static const pytree_custom box_node = { .children = box_children };
#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_node
#include "pytree_registry.h"

static void what_is_refused(void **state)
{
    double u[6] = { 0 };
    char raw[3 * sizeof(double)];
    Arrays a = { 2, u, u + 1, u + 2 };
    Mixed m = mixed_make();
    const pytree misplaced = { PYTREE_TYPE(double), raw + ((uintptr_t)raw % 2 == 0) };
    Box box = { 1 };
    Node *loop = chain_make(2);
    const pytree_options nones = { .none_is_leaf = true };
    const pytree_filter broken = PYTREE_PATH(".a.*b*"), v = PYTREE_PATH(".v"), rest = PYTREE_NOT(PYTREE_PATH(".u"));
    const pytree_nvector_options none = { .tree = nones }, syntax = { .excluded = &broken }, no_v = { .excluded = &v };
    const pytree_nvector_options only_u = { .excluded = &rest };
    pytree_error error = { 0 };
    (void)state;
    refused(PYTREE(&m), NULL, PYTREE_TYPE, ".table", "expected f64, or a leaf that is excluded, got f32[3]");
    refused(PYTREE_LIST(PYTREE_NONE), &none, PYTREE_TYPE, "[0]", "excluded, got None");
    refused(PYTREE_LIST(PYTREE_FLOAT(1)), &syntax, PYTREE_SYNTAX, NULL, "");
    refused(PYTREE(&a), NULL, PYTREE_SHARED, ".v", "expected elements of its own, got those of .u");
    a.w = u;
    refused(PYTREE(&a), &no_v, PYTREE_SHARED, ".w", "got those of .u");
    N_VDestroy(vector_of(PYTREE(&a), &only_u));
    refused(PYTREE_DICT({ "b", PYTREE(&box) }), NULL, PYTREE_STRUCTURE, "['b']", "rebuilt");
    loop[1].next = loop;
    refused(PYTREE(loop), NULL, PYTREE_CYCLE, NULL, "");
    refused(misplaced, NULL, PYTREE_TYPE, NULL, "a multiple of");
    assert_null(pytree_nvector_new(PYTREE_FLOAT(1), NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
    free(loop);
    pytree_free(PYTREE(&m));
}

static pytree_status vector_body(void *data, const pytree_options *opt, pytree_error *err)
{
    const pytree_filter filter = PYTREE_ANY_OF(PYTREE_OF(Constant), PYTREE_PATH("**.table"), PYTREE_PATH("**.name"));
    const pytree_nvector_options all = { .tree = *opt, .excluded = &filter };
    const N_Vector v = pytree_nvector_new(PYTREE((Mixed *)data), context, &all, err);
    N_Vector copy;
    if (v == NULL) { return err->status; }
    copy = v->ops->nvclone(v);            /* N_VClone itself of SUNDIALS 6.4 crashes where any vector's clone is NULL */
    if (copy == NULL) { (void)pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected a clone, got none"); }
    N_VDestroy(copy);
    N_VDestroy(v);
    return err->status;
}

static void allocations(void **state)
{
    Mixed m = mixed_make();
    pytree_error error = { 0 };
    N_Vector v;
    (void)state;
    assert_in_range(sweep_allocations(vector_body, &m), 10, 60);
    no_vectors = true;
    assert_null(pytree_nvector_new(PYTREE_FLOAT(1), context, NULL, &error));
    assert_error(error.status, PYTREE_NO_MEMORY, NULL, &error);
    no_vectors = false;
    v = vector_of(PYTREE_FLOAT(1), NULL);
    no_vectors = true;
    assert_null(v->ops->nvclone(v));
    no_vectors = false;
    N_VDestroy(v);
    pytree_free(PYTREE(&m));
}

/* ---- Solvers ------------------------------------------------------------------------------------------------------- */

/* y' = 1 - w y y, of which w is the user's data: stiff where w is large. */
static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *w)
{
    (void)t;
    N_VProd(y, y, ydot);
    N_VProd(ydot, (N_Vector)w, ydot);
    N_VScale(SUN_RCONST(-1.0), ydot, ydot);
    N_VAddConst(ydot, SUN_RCONST(1.0), ydot);
    return 0;
}

static int residual(sunrealtype t, N_Vector y, N_Vector ydot, N_Vector result, void *w)
{
    rates(t, y, result, w);
    N_VLinearSum(SUN_RCONST(1.0), ydot, SUN_RCONST(-1.0), result, result);
    return 0;
}

/* A fixed point: y = (y + 1 / (w y)) / 2. */
static int next_guess(N_Vector y, N_Vector next, void *w)
{
    N_VProd(y, (N_Vector)w, next);
    N_VInv(next, next);
    N_VLinearSum(SUN_RCONST(0.5), y, SUN_RCONST(0.5), next, next);
    return 0;
}

static long cvode(N_Vector y, N_Vector w)
{
    void *m = CVodeCreate(CV_BDF, context);
    const SUNLinearSolver solver = SUNLinSol_SPGMR(y, SUN_PREC_NONE, 10, context);
    sunrealtype t = 0;
    long n = 0;
    assert_int_equal(CVodeInit(m, rates, 0, y), CV_SUCCESS);
    assert_int_equal(CVodeSStolerances(m, 1e-6, 1e-9), CV_SUCCESS);
    assert_int_equal(CVodeSetUserData(m, w), CV_SUCCESS);
    assert_int_equal(CVodeSetLinearSolver(m, solver, NULL), CV_SUCCESS);
    assert_int_equal(CVode(m, 2, y, &t, CV_NORMAL), CV_SUCCESS);
    CVodeGetNumSteps(m, &n);
    CVodeFree(&m);
    SUNLinSolFree(solver);
    return n;
}

static long arkode(N_Vector y, N_Vector w)
{
    void *m = ERKStepCreate(rates, 0, y, context);
    sunrealtype t = 0;
    long n = 0;
    assert_int_equal(ERKStepSStolerances(m, 1e-6, 1e-9), ARK_SUCCESS);
    assert_int_equal(ERKStepSetUserData(m, w), ARK_SUCCESS);
    assert_int_equal(ERKStepEvolve(m, 0.1, y, &t, ARK_NORMAL), ARK_SUCCESS);
    ERKStepGetNumSteps(m, &n);
    ERKStepFree(&m);
    return n;
}

static long ida(N_Vector y, N_Vector w)
{
    void *m = IDACreate(context);
    const SUNLinearSolver solver = SUNLinSol_SPGMR(y, SUN_PREC_NONE, 10, context);
    const N_Vector ydot = N_VClone(y);
    sunrealtype t = 0;
    long n = 0;
    rates(0, y, ydot, w);
    assert_int_equal(IDAInit(m, residual, 0, y, ydot), IDA_SUCCESS);
    assert_int_equal(IDASStolerances(m, 1e-6, 1e-9), IDA_SUCCESS);
    assert_int_equal(IDASetUserData(m, w), IDA_SUCCESS);
    assert_int_equal(IDASetLinearSolver(m, solver, NULL), IDA_SUCCESS);
    assert_int_equal(IDASolve(m, 1, &t, y, ydot, IDA_NORMAL), IDA_SUCCESS);
    IDAGetNumSteps(m, &n);
    IDAFree(&m);
    SUNLinSolFree(solver);
    N_VDestroy(ydot);
    return n;
}

static long kinsol(N_Vector y, N_Vector w)
{
    void *m = KINCreate(context);
    const N_Vector one = N_VClone(y);
    long n = 0;
    N_VConst(SUN_RCONST(1.0), one);
    assert_int_equal(KINSetMAA(m, 3), KIN_SUCCESS);
    assert_int_equal(KINInit(m, next_guess, y), KIN_SUCCESS);
    assert_int_equal(KINSetUserData(m, w), KIN_SUCCESS);
    assert_int_equal(KINSetFuncNormTol(m, 1e-10), KIN_SUCCESS);
    assert_int_equal(KINSol(m, y, KIN_FP, one, one), KIN_SUCCESS);
    KINGetNumNonlinSolvIters(m, &n);
    KINFree(&m);
    N_VDestroy(one);
    return n;
}

/* Each solver takes the same steps as with nvector_serial, and comes to the same bits. */
static void solvers(void **state)
{
    static long (*const solve[])(N_Vector y, N_Vector w) = { cvode, arkode, ida, kinsol };
    Mixed m = mixed_make();
    const N_Vector y = vector_of(PYTREE(&m), &mixed_options), w = N_VClone(y);
    const size_t n = (size_t)N_VGetLength(y);
    const N_Vector serial_y = N_VNew_Serial((sunindextype)n, context), serial_w = N_VClone(serial_y);
    double *const weight = N_VGetArrayPointer(serial_w), *const result = test_malloc(n * sizeof *result);
    size_t i;
    (void)state;
    for (i = 0; i < n; i++) { weight[i] = (double)(1 + 700 * (i % 7)); }
    assert_int_equal(N_VBufUnpack(w, weight), 0);
    for (i = 0; i < COUNT_OF(solve); i++) {
        long steps;
        N_VConst(SUN_RCONST(0.5), y);
        N_VConst(SUN_RCONST(0.5), serial_y);
        steps = solve[i](y, w);
        assert_true(steps > 4);
        assert_int_equal(steps, solve[i](serial_y, serial_w));
        assert_int_equal(N_VBufPack(y, result), 0);
        assert_memory_equal(result, N_VGetArrayPointer(serial_y), n * sizeof *result);
        assert_true(m.heat == 4.5);
    }
    test_free(result);
    N_VDestroy(serial_y);
    N_VDestroy(serial_w);
    N_VDestroy(w);
    N_VDestroy(y);
    pytree_free(PYTREE(&m));
}

/* A ManyVector of trees calls the local reductions. */
static void vectors_of_vectors(void **state)
{
    double one[2] = { 1, -2 }, two[3] = { 3, 0.5, 4 };
    N_Vector parts[2] = { vector_of(PYTREE_ARRAY(one, 2), NULL), vector_of(PYTREE_ARRAY(two, 3), NULL) };
    const N_Vector v = N_VNew_ManyVector(2, parts, context), copy = N_VClone(v);
    (void)state;
    N_VScale(SUN_RCONST(2.0), v, copy);
    assert_true(N_VDotProd(v, copy) == 2 * (1 + 4 + 9 + 0.25 + 16));
    assert_true(N_VMaxNorm(copy) == 8 && N_VMin(copy) == -4 && N_VL1Norm(v) == 10.5);
    assert_true(N_VWL2Norm(v, v) > 0 && N_VMinQuotient(copy, v) == 2);
    N_VDestroy(copy);
    N_VDestroy(v);
    N_VDestroy(parts[0]);
    N_VDestroy(parts[1]);
}

static int begin(void **state) { (void)state; return SUNContext_Create(NULL, &context); }
static int end(void **state) { (void)state; return SUNContext_Free(&context); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_those_of_the_struct), cmocka_unit_test(clones_have_elements_of_their_own),
        cmocka_unit_test(arrays_of_clones), cmocka_unit_test(runs_from_struct_to_array),
        cmocka_unit_test(runs_of_structs),
        cmocka_unit_test(paths_as_filters_have_them), cmocka_unit_test(deep_paths),
        cmocka_unit_test(vectors_of_others), cmocka_unit_test(other_lengths), cmocka_unit_test(printed),
        cmocka_unit_test(what_is_refused), cmocka_unit_test(allocations), cmocka_unit_test(solvers),
        cmocka_unit_test(vectors_of_vectors)
    };
    return cmocka_run_group_tests(tests, begin, end);
}
