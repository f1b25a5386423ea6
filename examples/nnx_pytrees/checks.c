/* checks.c: what is refused: data in static values, annotations in containers, changes of what an outer level made. The words
 * are the library's, the cases those of blocks 12, 13, 14, 15 and 16. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/object.h"
#include "show.h"

PYTREE_CLASS(Foo, Pytree);

static void say(pytree_error *err)
{
    pytree_error_print(stdout, err);
    memset(err, 0, sizeof *err);
}

int main(void)
{
    int32_t number = 123;
    const pytree_leaf view = { .data = &number, .type = PYTREE_TYPE(int32_t) };
    const pytree scalar = pytree_of_view(&view);
    pytree_error err = { 0 };
    pytree_level level = { 0 };
    const pytree_options guarded = { .level = &level };
    pytree foo = pytree_new_object(&pytree_class_Foo, NULL, &err), list = pytree_new_list(NULL, &err), counter;

    pytree_object_put(foo, "name", PYTREE_AS_STATIC(scalar), &err);                    /* 12 */
    say(&err);
    pytree_object_put_copy(foo, "name", PYTREE_STR("mattjj"), &err);                   /* 13 */
    pytree_object_put(foo, "name", scalar, &err);
    say(&err);
    pytree_object_put(foo, "ls", list, &err);                                          /* 14: empty, so it is static */
    pytree_list_append_copy(list, scalar, &err);
    pytree_check(foo, NULL, NULL, NULL, &err);
    say(&err);
    pytree_object_put(foo, "a", PYTREE_LIST(PYTREE_AS_DATA(PYTREE_INT(1)), PYTREE_AS_STATIC(PYTREE_INT(2))), &err);     /* 15 */
    say(&err);

    counter = pytree_new_object(&pytree_class_Foo, &guarded, &err);                    /* 16 */
    pytree_object_put_copy(counter, "count", PYTREE_AS_DATA(PYTREE_INT(0)), &err);
    pytree_level_enter(&level);
    pytree_object_put_copy(counter, "count", PYTREE_INT(1), &err);
    pytree_level_leave(&level);
    say(&err);
    show_structure("unchanged", counter, &err);
    pytree_container_free(counter);
    pytree_container_free(foo);
    pytree_container_free(list);
    return finish(&err);
}
