/* What bodies and operations of programs may not do, and what the recorder makes of constants that are alike. */
#include "derive_shared.h"

typedef struct Key { unsigned char bytes[4]; } Key;
#define PYTREE_LEAF_TYPE Key
#include "pytree_registry.h"

/* ---- Operations -------------------------------------------------------------------------------------------------------- */

static pytree_status shape_without_type(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    memset(c->out[0], 0, sizeof *c->out[0]);
    return PYTREE_OK;
}
static pytree_status shape_too_large(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    c->out[0]->ndim = 2;
    c->out[0]->shape[0] = c->out[0]->shape[1] = SIZE_MAX / 2;
    return PYTREE_OK;
}
static pytree_status shape_refused(const pytree_op_call *c, pytree_error *err)
{
    (void)c;
    (void)err;
    return PYTREE_STOPPED;                /* without a message */
}
static pytree_status shape_of_five(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    for (size_t k = 0; k < c->n_out; k++) { *c->out[k] = *c->in[0]; }
    return PYTREE_OK;
}
static pytree_status run_five(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    for (size_t k = 0; k < c->n_out; k++) { *(double *)c->out[k]->data = *(const double *)c->in[0]->data + (double)k; }
    return PYTREE_OK;
}
static const pytree_op typeless = { .name = "typeless", .n_out = 1, .shape = shape_without_type, .run = run_five };
static const pytree_op huge = { .name = "huge", .n_out = 1, .shape = shape_too_large, .run = run_five };
static const pytree_op refusing = { .name = "refusing", .n_out = 1, .shape = shape_refused, .run = run_five };
static pytree_status shape_of_struct(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    c->out[0]->type = PYTREE_TYPE(Linear);
    return PYTREE_OK;
}
static const pytree_op structs = { .name = "structs", .n_out = 1, .shape = shape_of_struct, .run = run_five };
static const pytree_op five = { .name = "five", .n_out = 5, .shape = shape_of_five, .run = run_five };

BODY(without_type, pytree_record(tr, &typeless, NULL, 1, &a, NULL))
BODY(too_large, pytree_record(tr, &huge, NULL, 1, &a, NULL))
BODY(no_shape, pytree_record(tr, &refusing, NULL, 1, &a, NULL))
BODY(of_struct, pytree_op_convert(tr, pytree_record(tr, &structs, NULL, 1, &a, NULL), PYTREE_F64))
BODY(of_number, pytree_op_convert(tr, a, PYTREE_I32))
BODY(first_of_five, pytree_record(tr, &five, NULL, 1, &a, NULL))
BODY(unknown_operand, pytree_op_neg(tr, ((pytree_value){ 999 })))
BODY(no_operand, pytree_op_neg(tr, ((pytree_value){ 0 })))
BODY(unknown_result, ((pytree_value){ 999 }))
BODY(no_value, ((pytree_value){ 0 }))

static pytree_status all_of_five(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    pytree_value out[5];
    const pytree_value first = pytree_record(tr, &five, NULL, 1, &a, out);
    (void)context;
    assert_int_equal(first.id, out[0].id);
    assert_null(pytree_value_shape(tr, (pytree_value){ 0 }));
    assert_null(pytree_value_shape(tr, (pytree_value){ out[4].id + 1 }));
    assert_non_null(pytree_value_shape(tr, out[4]));
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(out[4]), PYTREE_V(out[0])));
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------------ */

static pytree_status returns_nothing(void *context, pytree_trace *tr)
{
    (void)context;
    (void)tr;
    return PYTREE_OK;
}
static pytree_status fails_silently(void *context, pytree_trace *tr)
{
    (void)context;
    (void)tr;
    return PYTREE_VALUE;
}
static pytree_status fails_aloud(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_fail(tr->err, PYTREE_VALUE, NULL, "expected sense, got none");
}
static pytree_status returns_numbers(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_LIST(PYTREE_V(V(tr->arg[0])), PYTREE_INT(1)));
}

static pytree_status returns_bytes(void *context, pytree_trace *tr)
{
    Key key = { { 0 } };
    (void)context;
    return pytree_return(tr, PYTREE_LIST(PYTREE_V(V(tr->arg[0])), PYTREE(&key)));
}

static void refused(pytree_body_fn *body, pytree_status wanted, const char *path, const char *text)
{
    double x = 1;
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(PYTREE_TRACED(body, .name = "f"), 1, (pytree[1]){ PYTREE(&x) }, NULL, &error);
    assert_null(out.def);
    assert_error(error.status, wanted, path, &error);
    assert_string_equal(error.message, text);
}

static void bodies_and_operations_are_refused(void **state)
{
    (void)state;
    refused(without_type, PYTREE_OVERFLOW, "", "f: typeless: expected a result that fits into memory, got a larger one");
    refused(too_large, PYTREE_OVERFLOW, "", "f: huge: expected a result that fits into memory, got a larger one");
    refused(no_shape, PYTREE_SHAPE, "", "f: refusing: expected operands that fit, got others");
    refused(unknown_operand, PYTREE_ARGUMENT, "", "f: neg: expected a value as operand 0, got none");
    refused(no_operand, PYTREE_ARGUMENT, "", "f: neg: expected a value as operand 0, got none");
    refused(unknown_result, PYTREE_TYPE, "", "f: expected a value of this program, got none");
    refused(no_value, PYTREE_TYPE, "", "f: expected a value of this program, got none");
    refused(returns_nothing, PYTREE_ARGUMENT, "", "f: expected a result (pytree_return), got none");
    refused(fails_silently, PYTREE_VALUE, "", "f: expected success, got values differ");
    refused(fails_aloud, PYTREE_VALUE, "", "expected sense, got none");
    refused(returns_numbers, PYTREE_TYPE, "[1]", "f: expected a value of this program, got i64");
    refused(returns_bytes, PYTREE_TYPE, "[1]", "f: expected a value of this program, got none");
    refused(of_struct, PYTREE_TYPE, "", "f: convert: expected real numbers, got Linear");
}

static void operations_with_many_results(void **state)
{
    double x = 1, y = 0, z = 0;
    (void)state;
    apply(PYTREE_TRACED(first_of_five), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y));
    assert_true(y == 1);
    apply(PYTREE_TRACED(all_of_five), 1, (pytree[1]){ PYTREE(&x) }, PYTREE_TUPLE(PYTREE(&y), PYTREE(&z)));
    assert_true(y == 5 && z == 1);
}

static void conversions_of_numbers(void **state)
{
    double x = -2.75;
    int y = 0;
    (void)state;
    apply(PYTREE_TRACED(of_number), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y));
    assert_int_equal(y, -2);
}

/* ---- Constants that are alike ------------------------------------------------------------------------------------------- */

/* Constants, as pairs of which each is recorded once if both are alike. */
static pytree_status record_constants(void *context, pytree_trace *tr)
{
    static const char *const words[2] = { "one", NULL }, *const same[2] = { "one", NULL }, *const other[2] = { "two", NULL };
    static const char *const full[2] = { "one", "two" }, *const empty[2] = { NULL, NULL };
    static const double numbers[2] = { 1, 2 }, equal[2] = { 1, 2 }, else_[2] = { 1, 3 };
    static const float single[2] = { 1, 2 };
    const pytree_type *const text = &pytree_types[PYTREE__T_string], *const number = PYTREE_TYPE(double);
    const struct { const void *a, *b; const pytree_type *type, *other; size_t n; bool alike; } pairs[] = {
        { numbers, equal, number, number, 2, true }, { numbers, else_, number, number, 2, false },
        { numbers, single, number, PYTREE_TYPE(float), 2, false }, { numbers, else_, number, number, 0, true },
        { full, full, text, text, 2, true }, { full, words, text, text, 2, false }, { words, full, text, text, 2, false },
        { full, other, text, text, 1, false }, { words, same, text, text, 1, true }, { empty, empty, text, text, 1, false },
    };
    const bool memoize = *(const bool *)context;
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const size_t n = pairs[i].n;
        const pytree_leaf a = { .data = (void *)(uintptr_t)pairs[i].a, .type = pairs[i].type, .ndim = 1, .shape = { n } };
        const pytree_leaf b = { .data = (void *)(uintptr_t)pairs[i].b, .type = pairs[i].other, .ndim = 1, .shape = { n } };
        const pytree_value x = pytree_op_constant(tr, &a), y = pytree_op_constant(tr, &b);
        assert_true(x.id != 0 && y.id != 0);
        assert_int_equal(x.id == y.id, memoize && pairs[i].alike);
    }
    return pytree_return(tr, PYTREE_V(V(tr->arg[0])));
}

static void constants_that_are_alike(void **state)
{
    double x = 4, y = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        bool memoize = k == 1;
        apply(PYTREE_TRACED(record_constants, .context = &memoize, .memoize = memoize), 1, (pytree[1]){ PYTREE(&x) },
              PYTREE(&y));
        assert_true(y == 4);
    }
}

/* ---- Namespaces ---------------------------------------------------------------------------------------------------------- */

/* Everywhere x is the child; in `second` y is; `third` knows another struct only. */
typedef struct Sides { double x, y; } Sides;

#define PYTREE_STRUCT Sides
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DROP, y)
#include "pytree_registry.h"

#define PYTREE_STRUCT Sides
#define PYTREE_NAMESPACE second
#define PYTREE_FIELDS PYTREE_FIELD(DROP, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Apart { double x; } Apart;

#define PYTREE_STRUCT Apart
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define PYTREE_STRUCT Apart
#define PYTREE_NAMESPACE third
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* Structs whose text is the same in two namespaces are told apart by these. */
static void structs_of_two_namespaces(void **state)
{
    static const struct { const char *space, *where, *message; } cases[] = {
        { NULL, "", NULL },
        { "second", "[0]", "program: arguments: expected Sides[()] of no namespace, got Sides[()] of namespace 'second'" },
        { "third", "", "program: arguments: expected a structure of no namespace, got one of namespace 'third'" }
    };
    Sides sides = { 2, 3 };
    double y = 0;
    pytree_error error = { 0 };
    pytree_program *const p = pytree_program_new(PYTREE_TRACED(first_of_five), 1, (pytree[1]){ PYTREE(&sides) }, NULL, &error);
    size_t i;
    (void)state;
    assert_ok(error.status, &error);
    for (i = 0; i < COUNT_OF(cases); i++) {
        const pytree_fn_options opt = { .tree = { .space = cases[i].space } };
        const pytree_status status = pytree_apply(PYTREE_PROGRAM(p), 1, (pytree[1]){ PYTREE(&sides) }, PYTREE(&y), &opt,
                                                  &error);
        if (cases[i].message == NULL) {
            assert_ok(status, &error);
            assert_true(y == 2);
        } else {
            assert_error(status, PYTREE_STRUCTURE, cases[i].where, &error);
            assert_string_equal(error.message, cases[i].message);
        }
        memset(&error, 0, sizeof error);
    }
    pytree_program_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_and_operations_are_refused), cmocka_unit_test(operations_with_many_results),
        cmocka_unit_test(conversions_of_numbers), cmocka_unit_test(constants_that_are_alike),
        cmocka_unit_test(structs_of_two_namespaces)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
