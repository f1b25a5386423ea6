/* A function that changes a model it has captured.
 *
 * What a function only reads is passed as `const Model *`: C refuses changes, where NNX has trace levels. */
// gcc: in read-only object
// clang: cannot assign to variable 'model' with const-qualified type
// fixed: yes
#include "pytree.h"

typedef struct Model { int count; } Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, count)
#include "pytree_registry.h"

#ifdef PYTREE_TEST_FIXED
static void count_up(Model *model)
#else
static void count_up(const Model *model)
#endif
{
    model->count += 1;
}

int main(void)
{
    Model model = { 0 };
    count_up(&model);
    return PYTREE(&model).data == NULL;
}
