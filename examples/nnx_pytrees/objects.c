/* objects.c: nodes that are made at run time. Which attributes are data, and how a status changes. Blocks 06, 07, 08 and 11. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/object.h"
#include "show.h"

PYTREE_CLASS(Linear, Pytree);
PYTREE_CLASS(MLP, Pytree);
PYTREE_CLASS(Bar, Pytree);
PYTREE_CLASS(Foo, Pytree);

/* 06: numbers are static and arrays data, without annotations; the elements of a List are data. */
static void defaults(pytree_error *err)
{
    float one[1] = { 1 }, zero[1] = { 0 };
    pytree mlp = pytree_new_object(&pytree_class_MLP, NULL, err), layers = pytree_new_object(&pytree_class_List, NULL, err);
    for (int i = 0; i < 2; i++) {
        pytree layer = pytree_new_object(&pytree_class_Linear, NULL, err);
        pytree_object_put_copy(layer, "din", PYTREE_INT(1), err);
        pytree_object_put_copy(layer, "dout", PYTREE_INT(1), err);
        pytree_object_put_copy(layer, "w", PYTREE_ARRAY(one, 1, 1), err);
        pytree_object_put_copy(layer, "b", PYTREE_ARRAY(zero, 1), err);
        pytree_list_append_own(layers, layer, err);
    }
    pytree_object_put_copy(mlp, "num_layers", PYTREE_INT(2), err);
    pytree_object_put_own(mlp, "layers", layers, err);
    show_structure("pytree structure", mlp, err);
    pytree_container_free(mlp);
}

/* 07 */
static void ask(const char *question, pytree value, const char *comment)
{
    printf("nnx.is_data( %s ) = %s # %s\n", question, truth(pytree_is_data(value)), comment);
}

static void questions(pytree_error *err)
{
    float zero[1] = { 0 };
    pytree rngs = pytree_new_object(&pytree_class_Pytree, NULL, err), array = PYTREE_ARRAY(zero, 1);
    printf("\n# ------ DATA ------------\n");
    ask("jnp.array(0)", array, "Arrays are data");
    ask("nnx.Param(1)", PYTREE_VARIABLE(Param, PYTREE_INT(1)), "Variables are data");
    ask("nnx.Rngs(2)", rngs, "nnx.Pytrees are data");
    printf("\n# ------ STATIC ------------\n");
    ask("'hello'", PYTREE_STR("hello"), "strings, arbitrary objects");
    ask("42", PYTREE_INT(42), "int, float, bool, complex, etc.");
    ask("[1, 2.0, 3j, jnp.array(1)]", PYTREE_LIST(PYTREE_INT(1), PYTREE_FLOAT(2), array), "list, dict, tuple, regular pytrees");
    printf("\n");
    pytree_container_free(rngs);
}

/* 08: annotations make data of what is not. */
static void annotations(pytree_error *err)
{
    pytree bar = pytree_new_object(&pytree_class_Bar, NULL, err), ls = pytree_new_object(&pytree_class_List, NULL, err);
    float zero = 0;
    pytree_leaf scalar = { .data = &zero, .type = PYTREE_TYPE(float) };
    pytree_object_put_copy(bar, "x", PYTREE_AS_DATA(PYTREE_FLOAT(1.0)), err);
    pytree_object_put_copy(bar, "y", PYTREE_AS_DATA(PYTREE_INT(42)), err);
    for (int32_t i = 0; i < 3; i++) {
        const pytree_leaf element = { .data = &i, .type = PYTREE_TYPE(int32_t) };
        pytree_list_append_copy(ls, pytree_of_view(&element), err);
    }
    pytree_object_put_own(bar, "ls", ls, err);
    pytree_object_put(bar, "bias", PYTREE_AS_DATA(PYTREE_NONE), err);
    pytree_object_put_own(bar, "bias", pytree_new_variable(&pytree_role_Param, pytree_of_view(&scalar), NULL, err), err);
    show_structure("pytree structure", bar, err);
    pytree_container_free(bar);
}

/* 11: the first assignment decides, an annotation changes that. */
static void updates(pytree_error *err)
{
    pytree foo = pytree_new_object(&pytree_class_Foo, NULL, err);
    float one = 1;
    const pytree_leaf scalar = { .data = &one, .type = PYTREE_TYPE(float) };
    pytree_object_put_copy(foo, "a", pytree_of_view(&scalar), err);
    pytree_object_put_copy(foo, "b", PYTREE_STR("Hello, world!"), err);
    pytree_object_put_copy(foo, "c", PYTREE_AS_DATA(PYTREE_FLOAT(3.14)), err);
    show_structure("original", foo, err);
    pytree_object_put_copy(foo, "a", PYTREE_STR("🤔"), err);
    pytree_object_put_copy(foo, "b", PYTREE_AS_DATA(PYTREE_INT(42)), err);
    pytree_object_put_copy(foo, "c", PYTREE_AS_STATIC(PYTREE_FLOAT(0.5)), err);
    show_structure("updated", foo, err);
    pytree_container_free(foo);
}

int main(void)
{
    pytree_error err = { 0 };
    defaults(&err);
    questions(&err);
    annotations(&err);
    updates(&err);
    return finish(&err);
}
