/* pytree/object.h: objects, whose classes and attributes are known only at run time, and variables with metadata, as Flax NNX
 * has them.
 *
 *     PYTREE_CLASS(Dense, Module);                                                   // at file scope
 *
 *     pytree dense = pytree_new_object(&pytree_class_Dense, NULL, &err);
 *     pytree_object_put_own(dense, "kernel", pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(w, 2, 3), NULL, &err), &err);
 *     pytree_object_put_copy(dense, "name", PYTREE_STR("first"), &err);              // static: part of the structure
 *     pytree_print(stdout, dense, NULL, &err);                                       // .kernel.value  f32[2,3]
 *     pytree_container_free(dense);
 *
 * An object is a growing container (pytree/containers.h) and a custom node: it is passed by value as a `pytree`, every
 * operation works on it, and put, put_copy, put_own decide about ownership as they do there. Attributes are visited by sorted
 * name. An object that stands in two places is owned by one of them at most; the other one refers to it:
 *
 *     encoder  --owns-->  embedding  <--refers--  decoder
 *
 * Each attribute is data, a child of the node, or static, part of its structure like a STATIC row: compared, hashed, printed
 * and restored. The first assignment decides: arrays, variables and objects are data, numbers, text, None and containers are
 * not. Later values keep the status of their name. An annotation says otherwise:
 *
 *     pytree_object_put(o, "rate", PYTREE_AS_DATA(PYTREE(&rate)), &err);
 *
 * A static value is stored as its literal (pytree/literal.h) in treedefs: it consists of numbers, text, None and containers of
 * those. Data in a static value is PYTREE_STATIC, at the assignment, or in pytree_check if it came later.
 *
 * Rebuilt objects (pytree_clone, pytree_unflatten, pytree_merge) lie in the block of their tree, grow like others, and are
 * freed with it. Descriptors of classes and roles must outlive all treedefs and objects made with them, as constants do. The
 * rules of pytree.h and pytree/containers.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "containers.h"
#include "filter.h"                       /* roles */
#include "literal.h"                      /* static values as text */

#ifndef PYTREE_OBJECT_H
#define PYTREE_OBJECT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Classes ------------------------------------------------------------------------------------------------------- */

/* An object in memory: what its growing container holds is private. */
typedef struct pytree_object {
    void *container;
} pytree_object;
extern const pytree_custom pytree_object_node;

/* The built-in classes. The elements of a List have numbers instead of names, and the functions for lists of
 * pytree/containers.h; a Dict is an object whose names are keys. An Object is what PYTREE_CLASS_IN makes. */
extern const pytree_type pytree_class_Pytree, pytree_class_Module, pytree_class_List, pytree_class_Dict, pytree_class_Object;

/* Define a class at file scope: PYTREE_CLASS(Dense, Module) makes pytree_class_Dense. Several files may define the same class.
 *
 *     PYTREE_CLASS(Dense, Module);   =>   static const pytree_type pytree_class_Dense = { "Dense", …, &pytree_class_Module } */
#define PYTREE_CLASS(name, base)                                                                                        \
    PYTREE__ROLE_UNUSED static const pytree_type pytree_class_##name = PYTREE__CLASS_TYPE(#name, NULL, &pytree_class_##base)

/* Define a class whose objects are leaves, but nodes in a namespace (options.space): nnx.Object, pytree=False. Their attributes
 * have no status to keep: each is data while there is data in it. Annotations are taken off. In a tree that was rebuilt in the
 * namespace they are nodes everywhere.
 *
 *     PYTREE_CLASS_IN(Store, nnx);   =>   pytree_in_Store, the node in the namespace, and pytree_class_Store, the leaf */
#define PYTREE_CLASS_IN(name, name_space)                                                                               \
    PYTREE__ROLE_UNUSED static const pytree_type pytree_in_##name =                                                     \
        PYTREE__CLASS_TYPE(#name, #name_space, &pytree_class_Object);                                                   \
    PYTREE__ROLE_UNUSED static const pytree_type pytree_class_##name = {                                                \
        #name, sizeof(pytree_object), sizeof(void *), PYTREE_KIND_LEAF, PYTREE_OPAQUE, 0, 0, false, false, false, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, &pytree_object_node, NULL, &pytree_in_##name, &pytree_class_Object, NULL    \
        PYTREE__NOTED_AT(NULL) }
#define PYTREE__CLASS_TYPE(name, space, base)                                                                           \
    { name, sizeof(pytree_object), sizeof(void *), PYTREE_KIND_CUSTOM, PYTREE_NO_DTYPE, 0, 0, false, false, false, NULL,\
      NULL, NULL, NULL, NULL, NULL, NULL, &pytree_object_node, space, NULL, base, NULL PYTREE__NOTED_AT(NULL) }

/* ---- Data and static ----------------------------------------------------------------------------------------------- */

/* Say that the value of an attribute is data, or is static: nnx.data, nnx.static. Anywhere else PYTREE_AS_DATA is an error, and
 * PYTREE_AS_STATIC makes a static element of a container. They live as long as the enclosing block. */
#define PYTREE_AS_DATA(v) ((pytree){ &pytree_data_type, (pytree[1]){ v } })
#define PYTREE_AS_STATIC(v) ((pytree){ &pytree_static_type, (pytree[1]){ v } })
extern const pytree_type pytree_data_type, pytree_static_type;

/* Tell whether a value is data by itself: nnx.is_data. Arrays are, PYTREE_SCALAR and views too, variables, objects, structs
 * with DATA rows, and types registered with PYTREE_LEAF_TYPE. O(1). */
bool pytree_is_data(pytree value);

/* Tell whether a value is data or has data in it: nnx.has_data. `where` (may be NULL) gets the path of the first and what is
 * there, with PYTREE_STATIC. A container that contains itself is false. O(values); allocates for deep ones. */
bool pytree_has_data(pytree value, pytree_error *where);

/* ---- Objects ------------------------------------------------------------------------------------------------------- */

/* Make an object without attributes. Returns it, to be freed with pytree_container_free; data NULL on error. The options give
 * allocator, alignment, namespace and level, which it remembers. */
pytree pytree_new_object(const pytree_type *of, const pytree_options *opt, pytree_error *err);

/* Assign an attribute: the object refers to the value, owns a copy, or owns the value from then on. Returns PYTREE_OK;
 * PYTREE_STATIC if a static value is or contains data, PYTREE_TYPE if it has no literal, PYTREE_ARGUMENT for PYTREE_AS_DATA
 * inside a container, PYTREE_FROZEN at another level. After an error the object is unchanged. O(attributes) for a new name. */
pytree_status pytree_object_put(pytree object, const char *name, pytree value, pytree_error *err);
pytree_status pytree_object_put_copy(pytree object, const char *name, pytree value, pytree_error *err);
pytree_status pytree_object_put_own(pytree object, const char *name, pytree value, pytree_error *err);

/* Get an attribute. Returns it borrowed; type NULL and PYTREE_NOT_FOUND if there is none. O(log n). */
pytree pytree_object_get(pytree object, const char *name, pytree_error *err);

/* Remove an attribute, and forget its status. */
pytree_status pytree_object_remove(pytree object, const char *name, pytree_error *err);

/* Count the attributes of an object, or the elements of a List; 0 for anything else. */
size_t pytree_object_length(pytree object);

/* An attribute of an object, or an element of a List. Borrowed. */
typedef struct pytree_attribute {
    const char *name;                     /* NULL in a List */
    pytree value;
    bool is_data;
} pytree_attribute;

/* Get attribute i in the order of assignment. PYTREE_NOT_FOUND if there are fewer. O(1). */
pytree_status pytree_object_attribute(pytree object, size_t i, pytree_attribute *to, pytree_error *err);

/* ---- Variables ----------------------------------------------------------------------------------------------------- */

/* Make a variable: a value with a role, which may grow metadata. The value is copied. Returns it, to be freed with
 * pytree_container_free unless an object or a container comes to own it; data NULL on error. */
pytree pytree_new_variable(const pytree_type *role, pytree value, const pytree_options *opt, pytree_error *err);

/* Get the value of a variable, or of a literal one. Returns it borrowed; type NULL if `variable` is none. */
pytree pytree_variable_value(pytree variable);

/* Replace the value of a variable by a copy of another one, of any type and shape: Variable.set_value. */
pytree_status pytree_variable_set(pytree variable, pytree value, pytree_error *err);

/* Metadata of a variable: text, numbers and containers of those by name. They are part of the structure. Get one: the result
 * is a copy, to be freed with pytree_free; type NULL and PYTREE_NOT_FOUND if there is none. Put one, remove one or (NULL) all.
 * What a treedef brought that is no dict with names for keys is PYTREE_VALUE, no literal PYTREE_SYNTAX; removing all clears it.
 * O(length of all metadata). */
pytree pytree_variable_metadata(pytree variable, const char *name, const pytree_options *opt, pytree_error *err);
pytree_status pytree_variable_put_metadata(pytree variable, const char *name, pytree value, pytree_error *err);
pytree_status pytree_variable_remove_metadata(pytree variable, const char *name, pytree_error *err);

/* ---- Levels, seals ------------------------------------------------------------------------------------------------- */

/* Enter or leave a level. A transform enters one around the function that it calls, so that what the function has captured
 * stays as it is: what was made with options.level at one depth is PYTREE_FROZEN at another. A level begins as { 0 } and must
 * outlive what was made with it.
 *
 *     pytree_level level = { 0 };
 *     pytree_options opt = { .level = &level };
 *     pytree foo = pytree_new_object(&pytree_class_Foo, &opt, &err);
 *     pytree_level_enter(&level);
 *     pytree_object_put(foo, "count", PYTREE_INT(1), &err);           // PYTREE_FROZEN
 *     pytree_level_leave(&level); */
void pytree_level_enter(pytree_level *level);
void pytree_level_leave(pytree_level *level);

/* A seal finds changes of structs, which C guards by `const` and a cast unlocks: it remembers the structure and a hash of each
 * leaf. Make one, to be freed with pytree_seal_free; NULL on error. Check it: PYTREE_FROZEN, with the path of the first leaf
 * that has changed, or of the structure. O(bytes). */
typedef struct pytree_seal pytree_seal;
pytree_seal *pytree_seal_new(pytree t, const pytree_options *opt, pytree_error *err);
pytree_status pytree_seal_check(const pytree_seal *seal, pytree t, const pytree_options *opt, pytree_error *err);
void pytree_seal_free(pytree_seal *seal);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_OBJECT_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/object_data.h"  /* the first of its rooms; each includes the next */
#endif
