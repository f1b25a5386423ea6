/* Paths of structs with more rows than suffixes are kept for: each alone, and behind others that leave no room for them. */
#include "support.h"

#define TEN(f) f##0, f##1, f##2, f##3, f##4, f##5, f##6, f##7, f##8, f##9
#define ROW(f) PYTREE_FIELD(DATA, f)
#define TEN_ROWS(f)                                                                                                     \
    ROW(f##0) ROW(f##1) ROW(f##2) ROW(f##3) ROW(f##4) ROW(f##5) ROW(f##6) ROW(f##7) ROW(f##8) ROW(f##9)
#define SIXTY(f) TEN(f##a), TEN(f##b), TEN(f##c), TEN(f##d), TEN(f##e), TEN(f##f)
#define SIXTY_ROWS(f) TEN_ROWS(f##a) TEN_ROWS(f##b) TEN_ROWS(f##c) TEN_ROWS(f##d) TEN_ROWS(f##e) TEN_ROWS(f##f)

typedef struct Few { float x; } Few;
typedef struct Exact { float SIXTY(p), SIXTY(q), r0, r1, r2, r3, r4, r5; } Exact;            /* 126: no room for another */
typedef struct Beyond { float SIXTY(p), SIXTY(q), TEN(r); } Beyond;                          /* 130: no room at all */

#define PYTREE_STRUCT Few
#define PYTREE_FIELDS ROW(x)
#include "pytree_registry.h"

#define PYTREE_STRUCT Exact
#define PYTREE_FIELDS SIXTY_ROWS(p) SIXTY_ROWS(q) ROW(r0) ROW(r1) ROW(r2) ROW(r3) ROW(r4) ROW(r5)
#include "pytree_registry.h"

#define PYTREE_STRUCT Beyond
#define PYTREE_FIELDS SIXTY_ROWS(p) SIXTY_ROWS(q) TEN_ROWS(r)
#include "pytree_registry.h"

/* The paths of a list of structs of floats are its indices, a dot, and the names of the rows. */
static void assert_paths(pytree list)
{
    const pytree_items *const items = (const pytree_items *)list.data;
    pytree_error error = { 0 };
    size_t n, at = 0, i, k;
    const char **const paths = pytree_paths(list, NULL, &n, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < items->count; i++) {
        const pytree_type *const type = items->items[i].type;
        for (k = 0; k < type->n_fields; k++, at++) {
            char expected[40];
            snprintf(expected, sizeof expected, "[%d].%s", (int)i, type->fields[k].name);
            assert_in_range(at, 0, n - 1);
            assert_string_equal(paths[at], expected);
        }
    }
    assert_int_equal(at, n);
    pytree_paths_free(paths);
}

static void structs_of_many_rows(void **state)
{
    static Few few;
    static Exact exact;
    static Beyond beyond;
    (void)state;
    assert_int_equal(PYTREE(&exact).type->n_children, 126);
    assert_paths(PYTREE_LIST(PYTREE(&exact), PYTREE(&few), PYTREE(&exact), PYTREE(&few)));
    assert_paths(PYTREE_LIST(PYTREE(&few), PYTREE(&exact), PYTREE(&few), PYTREE(&exact)));
    assert_paths(PYTREE_LIST(PYTREE(&beyond), PYTREE(&few), PYTREE(&beyond), PYTREE(&exact), PYTREE(&beyond)));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(structs_of_many_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
