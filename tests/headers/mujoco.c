/* MuJoCo's mjModel, unchanged: some 50 counts and 300 arrays, whose rows are made of the header's own lists. */
#include "headers_shared.h"
#include <mujoco/mujoco.h>
#include <mujoco/mjxmacro.h>

/* The members of mjVisual have no type of their own; __typeof__ names them. */
typedef __typeof__(((mjVisual *)0)->global) mj_global;
typedef __typeof__(((mjVisual *)0)->quality) mj_quality;
typedef __typeof__(((mjVisual *)0)->headlight) mj_headlight;
typedef __typeof__(((mjVisual *)0)->map) mj_map;
typedef __typeof__(((mjVisual *)0)->scale) mj_scale;
typedef __typeof__(((mjVisual *)0)->rgba) mj_rgba;

#define F(name) PYTREE_FIELD(DATA, name)

#define PYTREE_STRUCT mj_global
#define PYTREE_FIELDS                                                                                                   \
    F(fovy) F(ipd) F(azimuth) F(elevation) F(linewidth) F(glow) PYTREE_FIELD(STATIC, offwidth)                          \
    PYTREE_FIELD(STATIC, offheight)
#include "pytree_registry.h"

#define PYTREE_STRUCT mj_quality
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, shadowsize) PYTREE_FIELD(STATIC, offsamples) PYTREE_FIELD(STATIC, numslices)                   \
    PYTREE_FIELD(STATIC, numstacks) PYTREE_FIELD(STATIC, numquads)
#include "pytree_registry.h"

#define PYTREE_STRUCT mj_headlight
#define PYTREE_FIELDS F(ambient) F(diffuse) F(specular) PYTREE_FIELD(STATIC, active)
#include "pytree_registry.h"

#define PYTREE_STRUCT mj_map
#define PYTREE_FIELDS                                                                                                   \
    F(stiffness) F(stiffnessrot) F(force) F(torque) F(alpha) F(fogstart) F(fogend) F(znear) F(zfar) F(haze)             \
    F(shadowclip) F(shadowscale) F(actuatortendon)
#include "pytree_registry.h"

#define PYTREE_STRUCT mj_scale
#define PYTREE_FIELDS                                                                                                   \
    F(forcewidth) F(contactwidth) F(contactheight) F(connect) F(com) F(camera) F(light) F(selectpoint) F(jointlength)   \
    F(jointwidth) F(actuatorlength) F(actuatorwidth) F(framelength) F(framewidth) F(constraint) F(slidercrank)
#include "pytree_registry.h"

#define PYTREE_STRUCT mj_rgba
#define PYTREE_FIELDS                                                                                                   \
    F(fog) F(haze) F(force) F(inertia) F(joint) F(actuator) F(actuatornegative) F(actuatorpositive) F(com) F(camera)    \
    F(light) F(selectpoint) F(connect) F(contactpoint) F(contactforce) F(contactfriction) F(contacttorque)              \
    F(contactgap) F(rangefinder) F(constraint) F(slidercrank) F(crankbroken)
#include "pytree_registry.h"

#define PYTREE_STRUCT mjVisual
#define PYTREE_FIELDS F(global) F(quality) F(headlight) F(map) F(scale) F(rgba)
#include "pytree_registry.h"

#define PYTREE_STRUCT mjStatistic
#define PYTREE_FIELDS F(meaninertia) F(meanmass) F(meansize) F(extent) F(center)
#include "pytree_registry.h"

#define PYTREE_STRUCT mjOption
#define PYTREE_FIELDS                                                                                                   \
    F(timestep) F(apirate) F(impratio) F(tolerance) F(noslip_tolerance) F(mpr_tolerance) F(gravity) F(wind)             \
    F(magnetic) F(density) F(viscosity) F(o_margin) F(o_solref) F(o_solimp) PYTREE_FIELD(STATIC, integrator)            \
    PYTREE_FIELD(STATIC, collision) PYTREE_FIELD(STATIC, cone) PYTREE_FIELD(STATIC, jacobian)                           \
    PYTREE_FIELD(STATIC, solver) PYTREE_FIELD(STATIC, iterations) PYTREE_FIELD(STATIC, noslip_iterations)               \
    PYTREE_FIELD(STATIC, mpr_iterations) PYTREE_FIELD(STATIC, disableflags) PYTREE_FIELD(STATIC, enableflags)
#include "pytree_registry.h"

/* mjxmacro.h lists the counts as X(name) and the arrays as X(type, name, rows, columns). */
#undef MJ_M
#define MJ_M(n) self->n
#define X(...) MJ_PICK(__VA_ARGS__, MJ_ARRAY, ~, ~, MJ_COUNT, ~)(__VA_ARGS__)
#define MJ_PICK(a, b, c, d, row, ...) row
#define MJ_ARRAY(type, name, rows, columns) PYTREE_FIELD(DATA, name, ARRAY(self->rows, columns))
#define MJ_COUNT(name) PYTREE_FIELD(STATIC, name)

#define PYTREE_STRUCT mjModel
#define PYTREE_FIELDS MJMODEL_INTS F(opt) F(vis) F(stat) PYTREE_FIELD(DROP, buffer) MJMODEL_POINTERS
#include "pytree_registry.h"
#undef F
#undef X

static const char pendulum[] =
    "<mujoco><worldbody><body name='arm' pos='0 0 1'><joint name='hinge' type='hinge' axis='0 1 0'/>"
    "<geom type='capsule' size='.05' fromto='0 0 0 0 0 -.5' mass='2'/></body></worldbody>"
    "<actuator><motor joint='hinge' gear='3'/></actuator></mujoco>";

static char path[4096];                   /* beside the program, so that several may run at a time */

static mjModel *model_make(void)
{
    char error[500] = "";
    FILE *file = fopen(path, "w");
    mjModel *m;
    assert_non_null(file);
    assert_true(fputs(pendulum, file) >= 0);
    fclose(file);
    m = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    if (m == NULL) { fail_msg("%s", error); }
    return m;
}

static void a_model_is_a_tree(void **state)
{
    mjModel *m = model_make();
    const pytree t = PYTREE(m);
    pytree_error error = { 0 };
    pytree_leaf gravity, mass;
    (void)state;
    assert_true(pytree_num_leaves(t, NULL, &error) > 300);
    assert_ok(pytree_check(t, NULL, NULL, NULL, &error), &error);
    gravity = pytree_at(t, ".opt.gravity", NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_leaf_get(&gravity, 2) < -9.8);
    mass = pytree_at(t, ".body_mass", NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(mass.shape[0], m->nbody);
    assert_true(pytree_leaf_get(&mass, 1) == 2.0);
    headers_assert_printed(t, "\n.opt.timestep  f64 0.002\n");
    headers_assert_printed(t, "\n.actuator_gear  f64[1,6]\n");
    mj_deleteModel(m);
}

static void a_clone_of_a_model_is_equal_and_apart(void **state)
{
    mjModel *m = model_make();
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(m), NULL, &error);
    const mjModel *other = copy.data;
    (void)state;
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(m), copy, NULL, NULL, &error));
    assert_ptr_not_equal(other->body_mass, m->body_mass);
    assert_null(other->buffer);
    m->body_mass[1] = 3.0;
    assert_false(pytree_equal(PYTREE(m), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".body_mass", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_copy_into(PYTREE(m), copy, NULL, &error), &error);
    assert_true(m->body_mass[1] == 2.0);
    m->opt.integrator = mjINT_RK4;
    assert_false(pytree_equal(PYTREE(m), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, ".opt", &error);
    pytree_free(copy);
    mj_deleteModel(m);
}

static void a_clone_can_be_simulated(void **state)
{
    mjModel *m = model_make();
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(m), NULL, &error);
    mjData *a = mj_makeData(m), *b = mj_makeData(copy.data);
    int i;
    (void)state;
    assert_ok(error.status, &error);
    a->qpos[0] = b->qpos[0] = 1.0;
    for (i = 0; i < 100; i++) {
        mj_step(m, a);
        mj_step(copy.data, b);
    }
    assert_true(a->qpos[0] != 1.0);
    assert_memory_equal(a->qpos, b->qpos, sizeof a->qpos[0]);
    mj_deleteData(a);
    mj_deleteData(b);
    pytree_free(copy);
    mj_deleteModel(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_a_tree),
        cmocka_unit_test(a_clone_of_a_model_is_equal_and_apart),
        cmocka_unit_test(a_clone_can_be_simulated),
    };
    snprintf(path, sizeof path, "%s.xml", argc > 0 ? argv[0] : "pendulum");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
