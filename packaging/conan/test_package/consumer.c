/* A struct is registered and printed. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"

typedef struct Point { double x, y; } Point;

#define PYTREE_STRUCT Point
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

int main(void)
{
    Point p = { 1, 2 };
    return pytree_print(stdout, PYTREE(&p), NULL, NULL) != PYTREE_OK;
}
