/* States put back into objects of other shapes, and recorded values where trees are unusual: literals in the place of
 * variables, trees that were rebuilt, values that hold nothing, metadata that differs, levels, memory that runs out. */
#include "containers/containers_shared.h"
#include "pytree/record.h"

PYTREE_CLASS(Part, Module);

/* Members of a recording struct that are not in place, or hold no tree. */
typedef struct Odd {
    void *far;
    pytree near;
} Odd;

#define PYTREE_STRUCT Odd
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, far, AS(PYTREE_TYPE(float)), OPTIONAL, ROLE(Intermediate))                                       \
    PYTREE_FIELD(DATA, near, ROLE(Intermediate))
#include "pytree_registry.h"

/* Numbers that have places of their own, in no node of a tree. */
typedef struct Bag {
    size_t n;
    float *each;
} Bag;

#define PYTREE_STRUCT Bag
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, each, LIST(self->n))
#include "pytree_registry.h"

/* An array that may not be there. */
typedef struct Maybe { float *w; } Maybe;
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

static pytree_status update(pytree t, pytree state, pytree_error *err) { return pytree_object_update(t, 1, &state, NULL, err); }

/* An object with the variable `w`, two numbers. */
static pytree new_part(const pytree_options *opt, pytree_error *error)
{
    pytree part = pytree_new_object(&pytree_class_Part, opt, error);
    pytree w = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 2), opt, error);
    if (pytree_object_put_own(part, "w", w, error) != PYTREE_OK) { pytree_container_free(w); }
    return part;
}

static const float *numbers_of(pytree part) { return (const float *)pytree_at(part, ".w.value", NULL, NULL).data; }

/* ---- What a state is put into ---------------------------------------------------------------------------------------- */

static void literal_variables(void **state)
{
    pytree_error error = { 0 };
    float own[2] = { 0, 0 };
    const pytree rows = PYTREE_VARIABLE(Cache, PYTREE_DICT({ "x", PYTREE_ARRAY(own, 2) }));
    const pytree nothing = { &pytree_role_Cache, &(pytree_variable){ .metadata = NULL } };
    const pytree empty = PYTREE_VARIABLE(Cache, PYTREE_NONE), flat = PYTREE_VARIABLE(Cache, PYTREE_ARRAY(own, 2));
    pytree dict = pytree_new_dict(NULL, &error);
    (void)state;
    assert_ok(pytree_dict_put(dict, "v", flat, &error), &error);
    assert_ok(update(dict, PYTREE_DICT({ "v", PYTREE_ARRAY(numbers + 2, 2) }), &error), &error);
    assert_true(own[0] == 3 && own[1] == 4);                   /* written through the literal */
    assert_says(update(dict, PYTREE_DICT({ "v", PYTREE_ARRAY(numbers, 3) }), err), PYTREE_SHAPE, ".v",
                "expected f32[2], got f32[3]");
    assert_ok(pytree_dict_put(dict, "v", rows, &error), &error);
    assert_says(update(dict, PYTREE_DICT({ "v", PYTREE_ARRAY(numbers, 2) }), err), PYTREE_STRUCTURE, ".v",
                "expected a state for a Cache, got a leaf");
    assert_ok(pytree_dict_put(dict, "v", empty, &error), &error);
    assert_says(update(dict, PYTREE_DICT({ "v", PYTREE_ARRAY(numbers, 2) }), err), PYTREE_STRUCTURE, ".v",
                "expected a state for a Cache, got a leaf");
    assert_ok(pytree_dict_put(dict, "v", nothing, &error), &error);
    assert_says(update(dict, PYTREE_DICT({ "v", PYTREE_ARRAY(numbers, 2) }), err), PYTREE_STRUCTURE, ".v",
                "expected a state for a Cache, got a leaf");
    assert_true(own[0] == 3 && own[1] == 4);
    pytree_container_free(dict);
}

static void dicts_and_leaves(void **state)
{
    pytree_error error = { 0 };
    float own[2] = { 0, 0 };
    const pytree leaf = PYTREE_ARRAY(own, 2);
    Maybe maybe = { NULL };
    pytree top = pytree_new_dict(NULL, &error), dict = pytree_new_dict(NULL, &error);
    (void)state;
    assert_ok(update(leaf, PYTREE_ARRAY(numbers + 4, 2), &error), &error);
    assert_true(own[0] == 5 && own[1] == 6);
    assert_ok(update(leaf, PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)), &error), &error);
    assert_true(own[0] == 1 && own[1] == 2);
    assert_ok(pytree_dict_put_own(top, "all", dict, &error), &error);
    assert_ok(update(top, PYTREE_DICT({ "all", PYTREE_DICT({ "new", PYTREE_INT(3) }) }), &error), &error);
    assert_prints(top, "['all']['new']  i64 3\n");
    assert_says(update(top, PYTREE_DICT({ "all", PYTREE_INT(3) }), err), PYTREE_STRUCTURE, ".all",
                "expected a state for a dict, got a leaf");
    assert_says(update(PYTREE(&maybe), PYTREE_DICT({ "w", leaf }), err), PYTREE_STRUCTURE, ".w",
                "expected nothing for None, got a leaf");
    assert_says(update(PYTREE(&maybe), PYTREE_DICT({ "w", PYTREE_VARIABLE(Cache, leaf) }), err), PYTREE_STRUCTURE, ".w",
                "expected nothing for None, got a Cache");
    assert_ok(update(top, PYTREE_DICT({ "all", PYTREE_DICT({ "more", PYTREE_VARIABLE(Cache, PYTREE_INT(4)) }) }), &error),
              &error);
    assert_prints(top, "['all']['more'].value  i64 4\n['all']['new']  i64 3\n");
    pytree_container_free(top);
}

static void pointers_that_lead_nowhere(void **state)
{
    MLP model = mlp_make(0, false);
    pytree_error error = { 0 };
    const pytree change = PYTREE_DICT({ "layers", PYTREE_LIST(PYTREE_DICT({ "w", PYTREE_ARRAY(numbers, 2) })) });
    (void)state;
    free(model.layers);
    model.layers = NULL;
    model.n_layers = 1;
    assert_error(update(PYTREE(&model), change, &error), PYTREE_NULL_POINTER, ".layers", &error);
    model.n_layers = 0;
    mlp_clear(&model);
}

/* A variable takes no names: what is below its value goes where the value has a place. */
static void below_variables(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error);
    (void)state;
    assert_error(update(part, PYTREE_DICT({ "w", PYTREE_DICT({ "x", PYTREE_VARIABLE(Param, PYTREE_INT(1)) }) }), &error),
                 PYTREE_NOT_FOUND, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(update(part, PYTREE_DICT({ "w", PYTREE_DICT({ "x", PYTREE_INT(1) }) }), &error), PYTREE_NOT_FOUND, NULL,
                 &error);
    assert_prints(part, ".w.value  f32[2]\n");
    pytree_container_free(part);
}

/* Nodes and leaves take each other's place in a variable. */
static void values_of_other_structure(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error);
    float none = 0;
    (void)state;
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_DICT({ "a", PYTREE_INT(1) })) }), &error), &error);
    assert_prints(part, ".w.value['a']  i64 1\n");
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)) }), &error), &error);
    assert_prints(part, ".w.value  f32[2]\n");
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(&none, 0)) }), &error), &error);
    assert_prints(part, ".w.value  f32[0]\n");
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_ARRAY(&none, 0) }), &error), &error);
    assert_prints(part, ".w.value  f32[0]\n");
    pytree_container_free(part);
}

/* The memory of the tree itself as its state. */
static void own_memory(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error);
    float *own = (float *)pytree_at(part, ".w.value", NULL, &error).data;
    (void)state;
    own[1] = 7;
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_ARRAY(own, 2) }), &error), &error);
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(own, 2)) }), &error), &error);
    assert_ptr_equal(numbers_of(part), own);
    assert_true(own[0] == 1 && own[1] == 7);
    pytree_container_free(part);
}

static void rebuilt_trees(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error), copy = pytree_clone(part, NULL, &error);
    (void)state;
    assert_ok(update(copy, PYTREE_DICT({ "w", PYTREE_ARRAY(numbers, 3) }), &error), &error);
    assert_prints(copy, ".w.value  f32[3]\n");
    assert_prints(part, ".w.value  f32[2]\n");
    pytree_free(copy);
    copy = pytree_clone(part, NULL, &error);
    assert_ok(update(copy, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers + 2, 2)) }), &error), &error);
    assert_true(numbers_of(copy)[0] == 3 && numbers_of(part)[0] == 1);
    pytree_free(copy);
    pytree_container_free(part);
}

/* A view in a variable that was made one of nothing behind the object's back takes no leaf, and its memory is not written. */
static void a_view_of_nothing(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error), value = pytree_variable_value(pytree_object_get(part, "w", &error));
    const float *const own = numbers_of(part);
    (void)state;
    assert_int_equal(value.type->kind, PYTREE_KIND_VIEW);
    ((pytree_leaf *)value.data)->form = PYTREE_FORM_NONE;
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers + 2, 2)) }), &error), &error);
    assert_prints(part, ".w.value  f32[2]\n");
    assert_ptr_not_equal(numbers_of(part), own);
    assert_true(numbers_of(part)[0] == 3);
    pytree_container_free(part);
}

/* ---- Metadata, levels -------------------------------------------------------------------------------------------------- */

/* The metadata of `w`, as text; NULL if it has none. */
static const char *tag_of(pytree part, char *text, size_t n)
{
    pytree got = pytree_variable_metadata(pytree_object_get(part, "w", NULL), "tag", NULL, NULL);
    if (got.type == NULL) { return NULL; }
    snprintf(text, n, "%s", *(const char *const *)got.data);
    pytree_free(got);
    return text;
}

static void metadata_of_states(void **state)
{
    static const char *const tags[] = { NULL, "{'tag': 'a'}", "{'tag': 'a'}", "{'tag': 'b'}", NULL, "{'tag': 'c'}" };
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error);
    char text[16];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        const pytree value = { &pytree_role_Param, &(pytree_variable){ .value = PYTREE_ARRAY(numbers + i % 5, 2),
                                                                       .metadata = tags[i] } };
        const char *got;
        assert_ok(update(part, PYTREE_DICT({ "w", value }), &error), &error);
        assert_true(numbers_of(part)[1] == numbers[i % 5 + 1]);
        got = tag_of(part, text, sizeof text);
        if (tags[i] == NULL) { assert_null(got); } else { assert_true(got != NULL && got[0] == tags[i][9] && got[1] == '\0'); }
    }
    pytree_container_free(part);
}

static void levels(void **state)
{
    pytree_error error = { 0 };
    pytree_level level = { 0 };
    const pytree_options opt = { .level = &level };
    pytree part = new_part(&opt, &error), taken;
    (void)state;
    assert_ok(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers + 1, 2)) }), &error), &error);
    pytree_level_enter(&level);
    assert_says(update(part, PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers + 2, 2)) }), err), PYTREE_FROZEN,
                ".w", "expected a Param of this level (1), got one of level 0");
    assert_says(pytree_pop(part, PYTREE_FILTERS(PYTREE_OF(Param)), &taken, NULL, err), PYTREE_FROZEN, "",
                "expected a Part of this level (1), got one of level 0");
    assert_null(taken.type);
    pytree_level_leave(&level);
    assert_true(numbers_of(part)[0] == 2);
    assert_int_equal(pytree_object_length(part), 1);
    pytree_container_free(part);
}

/* ---- Sow, perturb, pop ------------------------------------------------------------------------------------------------- */

static pytree one(void *context)
{
    (void)context;
    return PYTREE_INT(1);
}

static void members_of_structs(void **state)
{
    const pytree_sow_rule half = { one, NULL, NULL };
    pytree_error error = { 0 };
    Odd odd = { NULL, { NULL, NULL } };
    pytree taken;
    (void)state;
    assert_says(pytree_sow(PYTREE(&odd), &pytree_role_Intermediate, "far", PYTREE_INT(1), NULL, err), PYTREE_NOT_FOUND, "",
                "expected a member 'far' of type pytree with ROLE(Intermediate) in Odd, got none");
    assert_says(pytree_sow(PYTREE(&odd), &pytree_role_Intermediate, "near", PYTREE_INT(1), &half, err), PYTREE_ARGUMENT, "",
                "expected a rule with init and reduce, got NULL");
    assert_null(odd.near.type);
    assert_ok(pytree_sow(PYTREE(&odd), &pytree_role_Intermediate, "near", PYTREE_INT(1), NULL, &error), &error);
    assert_ok(pytree_pop(PYTREE(&odd), PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &error), &error);
    assert_prints(taken, "['near'].value[0]  i64 1\n");
    pytree_container_free(taken);
    odd.far = numbers;
    assert_says(pytree_pop(PYTREE(&odd), PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, err), PYTREE_TYPE, ".far",
                "expected an attribute, an item or a member of type pytree, got a value of an Odd that stays where it is");
}

static void perturbations_that_are_no_array(void **state)
{
    pytree_error error = { 0 };
    double y[2] = { 1, 2 };
    pytree_leaf x = { .data = y, .type = PYTREE_TYPE(double), .ndim = 1, .shape = { 2 } };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error);
    (void)state;
    assert_ok(pytree_object_put_own(part, "x", pytree_new_variable(&pytree_role_Perturbation, PYTREE_NONE, NULL, &error),
                                    &error), &error);
    assert_says(pytree_perturb(part, "x", &x, err), PYTREE_TYPE, "", "expected an array in 'x', got nothing");
    assert_ok(pytree_variable_set(pytree_object_get(part, "x", &error), PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), &error),
              &error);
    assert_error(pytree_perturb(part, "x", &x, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
    assert_true(y[0] == 1 && y[1] == 2);
    pytree_container_free(part);
}

static void literals_are_not_popped(void **state)
{
    const pytree dict = PYTREE_DICT({ "a", PYTREE_VARIABLE(Cache, PYTREE_INT(1)) });
    const pytree list = PYTREE_LIST(PYTREE_VARIABLE(Cache, PYTREE_INT(1)));
    pytree taken = { NULL, NULL };
    Bag bag = { 2, numbers };
    (void)state;
    assert_says(pytree_pop(dict, PYTREE_FILTERS(PYTREE_OF(Cache)), &taken, NULL, err), PYTREE_TYPE, ".a",
                "expected an attribute, an item or a member of type pytree, got a value of a dict that stays where it is");
    assert_says(pytree_pop(list, PYTREE_FILTERS(PYTREE_OF(Cache)), &taken, NULL, err), PYTREE_TYPE, "[0]",
                "expected an attribute, an item or a member of type pytree, got a value of a list that stays where it is");
    assert_null(taken.type);
    assert_says(pytree_pop(PYTREE(&bag), PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, NULL, err), PYTREE_TYPE, ".each[0]",
                "expected an attribute, an item or a member of type pytree, got a value of the tree itself that stays where it "
                "is");
}

/* A list is visited wherever it stands; its variables are popped once. */
static void a_list_in_two_places(void **state)
{
    pytree_error error = { 0 };
    pytree top = pytree_new_dict(NULL, &error), list = pytree_new_list(NULL, &error), taken;
    (void)state;
    assert_ok(pytree_list_append_own(list, pytree_new_variable(&pytree_role_Cache, PYTREE_INT(5), NULL, &error), &error),
              &error);
    assert_ok(pytree_dict_put_own(top, "a", list, &error), &error);
    assert_ok(pytree_dict_put(top, "b", list, &error), &error);
    assert_ok(pytree_pop(top, PYTREE_FILTERS(PYTREE_NOT(PYTREE_OF(Param))), &taken, NULL, &error), &error);
    assert_prints(taken, "['a'][0].value  i64 5\n");
    assert_int_equal(pytree_container_length(list), 0);
    pytree_container_free(taken);
    pytree_container_free(top);
}

/* ---- Filters that change the tree ------------------------------------------------------------------------------------ */

/* A change that a filter makes when it is asked about the place `at`, which it chooses, as it does those before. */
typedef struct Change {
    const char *at;
    pytree top;
    void (*make)(pytree top);
} Change;

static bool change_there(void *context, const pytree_place *at)
{
    const Change *c = context;
    char text[64];
    pytree_path_text(&at->path, text, sizeof text);
    if (strcmp(text, c->at) == 0) { c->make(c->top); }
    return true;
}

static void remove_x(pytree top) { pytree_object_remove(pytree_dict_get(top, "a", NULL), "x", NULL); }
static void variable_for_a(pytree top)
{
    pytree_dict_put_own(top, "a", pytree_new_variable(&pytree_role_Cache, PYTREE_INT(3), NULL, NULL), NULL);
}
static void a_for_b(pytree top) { pytree_dict_put(top, "b", pytree_dict_get(top, "a", NULL), NULL); }
static void struct_for_c(pytree top)
{
    static Odd odd;
    odd.near = PYTREE_NONE;
    pytree_dict_put(top, "c", PYTREE(&odd), NULL);
}

static void struct_for_c_without_x(pytree top)
{
    remove_x(top);
    struct_for_c(top);
}

/* A dict of two objects with the variable `x` and a list with one. */
static pytree new_top(pytree_error *error)
{
    pytree top = pytree_new_dict(NULL, error), list = pytree_new_list(NULL, error);
    for (int i = 0; i < 2; i++) {
        pytree part = pytree_new_object(&pytree_class_Part, NULL, error);
        pytree_object_put_own(part, "x", pytree_new_variable(&pytree_role_Cache, PYTREE_INT(i), NULL, error), error);
        pytree_dict_put_own(top, i == 0 ? "a" : "b", part, error);
    }
    pytree_list_append_own(list, pytree_new_variable(&pytree_role_Cache, PYTREE_INT(2), NULL, error), error);
    pytree_dict_put_own(top, "c", list, error);
    return top;
}

/* What is no longer where the filter was asked about it is refused, and what stands there twice is taken once. */
static void filters_that_change_the_tree(void **state)
{
    static const struct { const char *at; void (*make)(pytree top); const char *words, *left; } cases[] = {
        { ".a.x", remove_x, "a Part", "['b'].x.value  i64 1\n['c'][0].value  i64 2\n" },
        { ".a.x", variable_for_a, "a Cache", "['a'].value  i64 3\n['b'].x.value  i64 1\n['c'][0].value  i64 2\n" },
        { ".b.x", remove_x, NULL, "" },
        { ".b.x", a_for_b, NULL, "" },
        { ".c[0]", struct_for_c, "an Odd", "['a'].x.value  i64 0\n['b'].x.value  i64 1\n" },
        { ".c[0]", struct_for_c_without_x, "an Odd", "['b'].x.value  i64 1\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        Change change = { cases[i].at, new_top(&error), cases[i].make };
        pytree taken;
        char words[200];
        const pytree_filter filter = PYTREE_WHERE(change_there, &change);
        const pytree_status got = pytree_pop(change.top, 1, &filter, &taken, NULL, &error);
        if (cases[i].words != NULL) {
            assert_error(got, PYTREE_TYPE, cases[i].at, &error);
            snprintf(words, sizeof words, "expected an attribute, an item or a member of type pytree, got a value of %s that "
                     "stays where it is", cases[i].words);
            assert_string_equal(error.message, words);
            assert_null(taken.type);
        } else {
            assert_ok(got, &error);
        }
        assert_prints(change.top, cases[i].left);
        pytree_container_free(taken);
        pytree_container_free(change.top);
    }
}

/* A filter that fails after another place was planned: nothing is taken, from objects and structs alike. */
static void filters_that_fail(void **state)
{
    pytree_error error = { 0 };
    Odd odd = { NULL, { NULL, NULL } };
    pytree part = new_part(NULL, &error), taken[2];
    (void)state;
    assert_ok(pytree_object_put(part, "s", PYTREE(&odd), &error), &error);
    assert_ok(pytree_object_put_own(part, "x", pytree_new_variable(&pytree_role_Cache, PYTREE_INT(5), NULL, &error), &error),
              &error);
    assert_ok(pytree_sow(PYTREE(&odd), &pytree_role_Intermediate, "near", PYTREE_INT(1), NULL, &error), &error);
    assert_error(pytree_pop(part, PYTREE_FILTERS(PYTREE_OF(Intermediate), PYTREE_PATH("[")), taken, NULL, &error),
                 PYTREE_SYNTAX, NULL, &error);
    assert_null(taken[0].type);
    assert_null(taken[1].type);
    memset(&error, 0, sizeof error);
    assert_error(pytree_pop(part, PYTREE_FILTERS(PYTREE_NOT(PYTREE_PATH("["))), taken, NULL, &error), PYTREE_SYNTAX, NULL,
                 &error);
    assert_null(taken[0].type);
    assert_prints(part, ".s.near[0]  i64 1\n.w.value  f32[2]\n.x.value  i64 5\n");
    pytree_container_free(odd.near);
    pytree_container_free(part);
}

/* Objects and variables of a flat tree are not in memory, and an object of zeros has no attributes. */
static void objects_that_cannot_be_set(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error);
    pytree_object none = { NULL };
    const pytree empty = { &pytree_class_Part, &none };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat;
    size_t found = 7;
    (void)state;
    assert_ok(pytree_object_put_copy(part, "on", PYTREE_INT(0), &error), &error);
    assert_ok(pytree_flatten(part, &leaves, 0, &def, NULL, &error), &error);
    flat = (pytree_flat){ def, leaves };
    assert_ok(pytree_object_set_attributes(PYTREE(&flat), PYTREE_EVERYTHING, "on", PYTREE_INT(1), &found, NULL, &error),
              &error);
    assert_int_equal(found, 0);
    found = 7;
    assert_ok(pytree_set_metadata(PYTREE(&flat), PYTREE_EVERYTHING, "tag", PYTREE_INT(1), &found, NULL, &error), &error);
    assert_int_equal(found, 0);
    assert_ok(pytree_object_set_attributes(empty, PYTREE_EVERYTHING, "on", PYTREE_INT(1), &found, NULL, &error), &error);
    assert_int_equal(found, 0);
    pytree_def_free(def);
    pytree_container_free(part);
}

/* ---- Errors half-way, memory ------------------------------------------------------------------------------------------- */

static void the_first_of_two_states_fails(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error), states[2];
    (void)state;
    states[0] = PYTREE_DICT({ "w", PYTREE_DICT({ "nowhere", PYTREE_INT(1) }) });
    states[1] = PYTREE_DICT({ "w", PYTREE_ARRAY(numbers + 2, 2) });
    assert_error(pytree_object_update(part, 2, states, NULL, &error), PYTREE_NOT_FOUND, NULL, &error);
    assert_true(numbers_of(part)[0] == 1);
    pytree_container_free(part);
}

/* One state puts another value into a variable, the next one writes into the value that was there: neither reads what has been
 * freed, and the later one is lost. */
static void a_state_below_what_another_replaces(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(NULL, &error), w = pytree_object_get(part, "w", &error), states[2];
    pytree dict = pytree_new_dict(NULL, &error);
    (void)state;
    assert_ok(pytree_dict_put_copy(dict, "x", PYTREE_INT(1), &error), &error);
    assert_ok(pytree_variable_set(w, dict, &error), &error);
    pytree_container_free(dict);
    states[0] = PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)) });
    states[1] = PYTREE_DICT({ "w", PYTREE_DICT({ "value", PYTREE_DICT({ "x", PYTREE_INT(9) }) }) });
    assert_ok(pytree_object_update(part, 2, states, NULL, &error), &error);
    assert_prints(part, ".w.value  f32[2]\n");
    pytree_container_free(part);
}

/* New variables with metadata; below more nodes than the list of holders has at first. */
static pytree_status sweep_update(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree described = { &pytree_role_Cache, &(pytree_variable){ .value = PYTREE_INT(1), .metadata = "{'tag': 'x'}" } };
    pytree nodes[20], top = new_part(opt, err), low = top;
    const pytree change = PYTREE_DICT({ "fresh", described }, { "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers + 1, 2)) });
    pytree_pair pairs[20];
    pytree_items items[20];
    const size_t n = context == NULL ? 20 : 0;
    size_t i;
    nodes[0] = change;
    for (i = 0; i < n && err->status == PYTREE_OK; i++) {
        pytree next = pytree_new_object(&pytree_class_Part, opt, err);
        if (err->status != PYTREE_OK) { break; }
        if (pytree_object_put_own(next, "x", top, err) != PYTREE_OK) { pytree_container_free(next); break; }
        top = next;
        pairs[i].key = "x";
        pairs[i].value = i == 0 ? change : nodes[i - 1];
        items[i] = (pytree_items){ .pairs = &pairs[i], .count = 1 };
        nodes[i].type = change.type;
        nodes[i].data = &items[i];
    }
    if (err->status == PYTREE_OK) {
        const pytree state = n == 0 ? change : nodes[n - 1];
        (void)pytree_object_update(top, 1, &state, opt, err);
        assert_int_equal(pytree_object_length(low), err->status == PYTREE_OK ? 2 : 1);
        assert_true(numbers_of(low)[0] == (err->status == PYTREE_OK ? 2 : 1));
    }
    pytree_container_free(top);
    return err->status;
}

/* A tuple that was recorded in a tree that was rebuilt is copied before it grows. */
static pytree_status sweep_append(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree part, copy = { NULL, NULL };
    pytree_error ignored = { 0 };
    (void)context;
    part = pytree_new_object(&pytree_class_Part, NULL, &ignored);
    for (int i = 0; i < 3; i++) {
        assert_ok(pytree_sow(part, &pytree_role_Intermediate, "mean", PYTREE_STR("recorded"), NULL, &ignored), &ignored);
    }
    copy = pytree_clone(part, opt, err);
    if (err->status == PYTREE_OK) {
        (void)pytree_sow(copy, &pytree_role_Intermediate, "mean", PYTREE_STR("last"), NULL, err);
        assert_int_equal(pytree_container_length(pytree_variable_value(pytree_object_get(copy, "mean", NULL))),
                         err->status == PYTREE_OK ? 4 : 3);
    }
    pytree_free(copy);
    pytree_container_free(part);
    return err->status;
}

static void memory_runs_out(void **state)
{
    int flat = 0;
    (void)state;
    assert_in_range(sweep_allocations(sweep_update, NULL), 30, 300);
    assert_in_range(sweep_allocations(sweep_update, &flat), 10, 100);
    assert_in_range(sweep_allocations(sweep_append, NULL), 5, 50);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(literal_variables), TEST(dicts_and_leaves), TEST(pointers_that_lead_nowhere), TEST(below_variables),
        TEST(values_of_other_structure),
        TEST(own_memory), TEST(rebuilt_trees), TEST(a_view_of_nothing), TEST(metadata_of_states), TEST(levels),
        TEST(members_of_structs), TEST(perturbations_that_are_no_array), TEST(literals_are_not_popped),
        TEST(a_list_in_two_places), TEST(filters_that_fail), TEST(filters_that_change_the_tree),
        TEST(objects_that_cannot_be_set), TEST(the_first_of_two_states_fails), TEST(a_state_below_what_another_replaces),
        TEST(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
