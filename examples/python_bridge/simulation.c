/* A simulation in C for Python: bodies in a row, held by springs. fit.py steps it, plots it and fits its parameters.
 *
 *     examples/run python_bridge
 *
 * Nothing here knows of Python. A shared library needs a function that returns the tree, one that frees it, and the functions
 * of pytree/layout.h, which come with the bodies. */
#define PYTREE_IMPLEMENTATION
#include "pytree/layout.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct Springs {
    double stiffness, damping;
} Springs;

typedef struct Simulation {
    int      n;                           /* bodies */
    int64_t  steps;                       /* made so far */
    double   dt;
    Springs  springs;
    double  *position, *velocity;         /* from where each body rests */
} Simulation;

#define PYTREE_STRUCT Springs
#define PYTREE_FIELDS PYTREE_FIELD(DATA, stiffness) PYTREE_FIELD(DATA, damping)
#include "pytree_registry.h"

#define PYTREE_STRUCT Simulation
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, steps)                              \
    PYTREE_FIELD(DATA, dt)                                 \
    PYTREE_FIELD(DATA, springs)                            \
    PYTREE_FIELD(DATA, position, ARRAY(self->n))           \
    PYTREE_FIELD(DATA, velocity, ARRAY(self->n))
#include "pytree_registry.h"

pytree simulation_new(int n);
void simulation_step(Simulation *s, int count);
void simulation_free(pytree t);

/* Make a simulation in which the first body is pulled aside. Its data is NULL if memory runs out. */
pytree simulation_new(int n)
{
    Simulation *s = calloc(1, sizeof *s);
    if (s == NULL || n < 1) { free(s); return (pytree){ PYTREE_TYPE(Simulation), NULL }; }
    s->n = n;
    s->dt = 0.01;
    s->springs.stiffness = 4;
    s->springs.damping = 0.2;
    if (pytree_allocate(PYTREE(s), NULL, NULL) != PYTREE_OK) {
        free(s);
        return (pytree){ PYTREE_TYPE(Simulation), NULL };
    }
    s->position[0] = 1;
    return PYTREE(s);
}

void simulation_step(Simulation *s, int count)
{
    int i, k;
    for (k = 0; k < count; k++, s->steps++) {
        for (i = 0; i < s->n; i++) {
            const double left = i == 0 ? 0 : s->position[i - 1], right = i + 1 == s->n ? 0 : s->position[i + 1];
            const double force = s->springs.stiffness * (left - 2 * s->position[i] + right);
            s->velocity[i] += s->dt * (force - s->springs.damping * s->velocity[i]);
        }
        for (i = 0; i < s->n; i++) { s->position[i] += s->dt * s->velocity[i]; }
    }
}

void simulation_free(pytree t)
{
    pytree_free(t);                       /* the arrays */
    free(t.data);
}
