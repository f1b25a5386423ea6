/* trees.c: trees taken apart and rebuilt; a struct as a node. Blocks 02, 03 and 04. */
#define PYTREE_IMPLEMENTATION
#include "show.h"

/* A row says what is data and what is static: nothing else is to be written. */
typedef struct Foo {
    int64_t     a, b;
    const char *c;
} Foo;

#define PYTREE_STRUCT Foo
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(STATIC, c)
#include "pytree_registry.h"

int main(void)
{
    pytree c = PYTREE_TUPLE(PYTREE_INT(3), PYTREE_INT(4));
    pytree t = PYTREE_LIST(PYTREE_DICT({ "a", PYTREE_INT(1) }),
                           PYTREE_DICT({ "b", PYTREE_INT(2) }, { "c", c }, { "d", PYTREE_NONE }));
    int64_t tens[4] = { 10, 20, 30, 40 };
    pytree_leaf views[4];
    Foo foo = { 1, 2, "hi" };
    pytree_error err = { 0 };
    pytree_def *def = show_flat(t, &err);
    pytree rebuilt;

    for (int i = 0; i < 4; i++) { views[i] = (pytree_leaf){ .data = &tens[i], .type = PYTREE_TYPE(int64_t) }; }
    rebuilt = pytree_unflatten(def, 4, views, NULL, &err);
    printf("old pytree = ");
    show(t, &err);
    printf("\nnew pytree = ");
    show(rebuilt, &err);
    printf("\n");
    pytree_free(rebuilt);
    pytree_def_free(def);

    pytree_def_free(show_flat(PYTREE(&foo), &err));
    return finish(&err);
}
