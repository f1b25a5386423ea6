/* ode.c: three bodies that attract each other, integrated by the method of Runge and Kutta, and what the energy at the end
 * says about the state at the beginning.
 *
 *     examples/run ode
 *
 * The state is a nested struct. One step is a traced function from a state to a state; PYTREE_SCAN repeats it, and the
 * gradient runs the steps backwards. Energy is conserved: up to the error of the method, its gradient by the initial state is
 * that of the initial energy. The program prints both, and compares the gradient with differences.
 *
 * Build: cc -std=c11 -O2 -I. examples/ode.c -lm
 */
#define PYTREE_IMPLEMENTATION
#include "pytree/derive.h"

#include <stdlib.h>

enum { BODIES = 3, STEPS = 400 };
static const double step_size = 0.005;

typedef struct Motion {
    int n;
    double *position, *velocity;          /* (n, 2) */
} Motion;

#define PYTREE_STRUCT Motion
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, position, ARRAY(self->n, 2))        \
    PYTREE_FIELD(DATA, velocity, ARRAY(self->n, 2))
#include "pytree_registry.h"

typedef struct System {
    int n;
    double *mass;                         /* (n,) */
    Motion motion;
} System;

#define PYTREE_STRUCT System
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, mass, ARRAY(self->n))               \
    PYTREE_FIELD(DATA, motion)
#include "pytree_registry.h"

/* ---- The physics --------------------------------------------------------------------------------------------------- */

/* Differences of positions: element (i, j) leads from body i to body j. */
static pytree_value offsets(pytree_trace *tr, pytree_value position)
{
    pytree_value from = pytree_op_reshape(tr, position, 3, (const size_t[3]){ BODIES, 1, 2 });
    pytree_value to = pytree_op_reshape(tr, position, 3, (const size_t[3]){ 1, BODIES, 2 });
    return pytree_op_sub(tr, to, from);
}

/* Squares of distances, softened, so that a body does not attract itself without bound. */
static pytree_value squares(pytree_trace *tr, pytree_value offset)
{
    return pytree_op_shift(tr, pytree_op_sum(tr, pytree_op_square(tr, offset), 1, (const int[1]){ -1 }), 1e-2);
}

static pytree_value acceleration(pytree_trace *tr, pytree_value mass, pytree_value position)
{
    pytree_value offset = offsets(tr, position), r2 = squares(tr, offset);
    pytree_value pull = pytree_op_div(tr, mass, pytree_op_mul(tr, r2, pytree_op_sqrt(tr, r2)));
    pull = pytree_op_reshape(tr, pull, 3, (const size_t[3]){ BODIES, BODIES, 1 });
    return pytree_op_sum(tr, pytree_op_mul(tr, pull, offset), 1, (const int[1]){ 1 });
}

/* x + h d */
static pytree_value along(pytree_trace *tr, pytree_value x, double h, pytree_value d)
{
    return pytree_op_add(tr, x, pytree_op_scale(tr, d, h));
}

/* (a + 2 b + 2 c + d) / 6 */
static pytree_value mean_slope(pytree_trace *tr, const pytree_value slope[4])
{
    pytree_value ends = pytree_op_add(tr, slope[0], slope[3]), middle = pytree_op_add(tr, slope[1], slope[2]);
    return pytree_op_scale(tr, along(tr, ends, 2, middle), 1.0 / 6);
}

/* One step: (System, None) -> (System, None). */
static pytree_status advance(void *context, pytree_trace *tr)
{
    static const double part[4] = { 0, 0.5, 0.5, 1 };
    const System *s = tr->arg[0];
    pytree_value mass = pytree_value_of(tr, s->mass), x = pytree_value_of(tr, s->motion.position);
    pytree_value v = pytree_value_of(tr, s->motion.velocity), dx[4], dv[4];
    (void)context;
    dx[0] = v;
    dv[0] = acceleration(tr, mass, x);
    for (int i = 1; i < 4; i++) {
        dx[i] = along(tr, v, part[i] * step_size, dv[i - 1]);
        dv[i] = acceleration(tr, mass, along(tr, x, part[i] * step_size, dx[i - 1]));
    }
    const pytree_value next[3] = { mass, along(tr, x, step_size, mean_slope(tr, dx)), along(tr, v, step_size, mean_slope(tr,
            dv)) };
    return pytree_return(tr, PYTREE_TUPLE(pytree_values_like(tr, 0, 3, next), PYTREE_NONE));
}

/* System -> kinetic and potential energy. What the softened potential gives for a body with itself is taken out. */
static pytree_status energy(void *context, pytree_trace *tr)
{
    const System *s = tr->arg[0];
    pytree_value mass = pytree_value_of(tr, s->mass), v = pytree_value_of(tr, s->motion.velocity);
    pytree_value speed2 = pytree_op_sum(tr, pytree_op_square(tr, v), 1, (const int[1]){ -1 });
    pytree_value pairs = pytree_op_mul(tr, pytree_op_reshape(tr, mass, 2, (const size_t[2]){ BODIES, 1 }), mass);
    pytree_value distance = pytree_op_sqrt(tr, squares(tr, offsets(tr, pytree_value_of(tr, s->motion.position))));
    pytree_value self = pytree_op_scale(tr, pytree_op_sum(tr, pytree_op_square(tr, mass), 0, NULL), 10);
    pytree_value both = pytree_op_sub(tr, pytree_op_sum(tr, pytree_op_mul(tr, mass, speed2), 0, NULL),
                                      pytree_op_sum(tr, pytree_op_div(tr, pairs, distance), 0, NULL));
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_scale(tr, pytree_op_add(tr, both, self), 0.5)));
}

/* System -> energy after all steps. */
static pytree_status final_energy(void *context, pytree_trace *tr)
{
    const pytree_fn *steps = PYTREE_SCAN(PYTREE_TRACED(advance), .length = STEPS);
    pytree end = pytree_op_apply(tr, steps, 2, (const pytree[2]){ tr->tree[0], PYTREE_NONE });
    const pytree_value leaves[3] = { pytree_value_at(tr, end, 0), pytree_value_at(tr, end, 1), pytree_value_at(tr, end, 2) };
    pytree last = pytree_values_like(tr, 0, 3, leaves);
    (void)context;
    return pytree_return(tr, pytree_op_apply(tr, PYTREE_TRACED(energy), 1, &last));
}

/* ---- The program --------------------------------------------------------------------------------------------------- */

static void print_motion(const char *what, const Motion *m)
{
    printf("%-18s", what);
    for (int i = 0; i < 4 * BODIES; i++) {
        double x = i < 2 * BODIES ? m->position[i] : m->velocity[i - 2 * BODIES];
        printf("%s %8.5f", i == 2 * BODIES ? "   " : "", x < 5e-6 && x > -5e-6 ? 0.0 : x);       /* no -0.00000 */
    }
    printf("\n");
}

int main(void)
{
    double mass[BODIES] = { 3, 1, 0.5 }, position[2 * BODIES] = { 0, 0, 1.5, 0, 0, -2 };
    double velocity[2 * BODIES] = { 0, -0.2, 0, 1.3, 1.2, 0 };
    System s = { BODIES, mass, { BODIES, position, velocity } };
    const pytree state = PYTREE(&s);
    pytree_error err = { 0 };
    pytree first = pytree_zeros_like(state, NULL, &err), last = pytree_zeros_like(state, NULL, &err);
    double before = 0, after = 0;
    if (first.data != NULL && last.data != NULL) {
        const System *at_first = first.data, *at_last = last.data;
        pytree_apply(PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(energy)), 1, &state, PYTREE_TUPLE(PYTREE(&before), first), NULL, &err);
        pytree_apply(PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(final_energy)), 1, &state, PYTREE_TUPLE(PYTREE(&after), last), NULL,
                     &err);
        printf("energy at the beginning %.8f, after %d steps %.8f\n\n", before, STEPS, after);
        printf("gradients by the initial state: positions, velocities\n");
        print_motion("initial energy", &at_first->motion);
        print_motion("final energy", &at_last->motion);
        if (pytree_check_grads(PYTREE_TRACED(final_energy), 1, &state, NULL, &err) == PYTREE_OK) {
            printf("\nthe gradient agrees with differences\n");
        }
    }
    pytree_free(first);
    pytree_free(last);
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
