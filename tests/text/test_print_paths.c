/* All key paths of a tree. */
#include "support.h"
#include <math.h>

/* ---- Key paths --------------------------------------------------------------------------------------------------------- */

/* One after the other, each with a newline. */
static void assert_paths(pytree tree, const char *separator, const pytree_options *base, const char *expected)
{
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    char text[2000] = "";
    const char **paths;
    size_t n = 99, i;
    if (base != NULL) {
        opt = *base;
    }
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    paths = pytree_paths(tree, separator, &n, &opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(paths);
    assert_int_equal(heap.calls, 1);
    assert_int_equal(n, pytree_num_leaves(tree, &opt, NULL));
    for (i = 0; i < n; i++) {
        assert_true(strlen(text) + strlen(paths[i]) + 2 < sizeof text);
        strcat(text, paths[i]);
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
    pytree_paths_free(paths);
    assert_heap_clean(&heap);
    paths = pytree_paths(tree, separator, NULL, base, NULL);
    assert_non_null(paths);
    pytree_paths_free(paths);
}

static void paths(void **state)
{
    MLP model = mlp_make(2, true);
    Shelf shelf = shelf_make();
    int x = 1;
    pytree a = PYTREE(&x);
    pytree tree = PYTREE_DICT({ "a/b", PYTREE_LIST(a, PYTREE_TUPLE(a)) }, { "", a },
                              { "it's", PYTREE_NAMEDTUPLE("P", { "x", a }) }, { "n", PYTREE_NONE });
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_paths(PYTREE(&model), NULL, NULL,
                 ".layers[0].w\n.layers[0].b\n.layers[1].w\n.layers[1].b\n.head.w\n.head.b\n.scale\n");
    assert_paths(PYTREE(&model), "/", NULL, "layers/0/w\nlayers/0/b\nlayers/1/w\nlayers/1/b\nhead/w\nhead/b\nscale\n");
    assert_paths(PYTREE(&model), "::", NULL,
                 "layers::0::w\nlayers::0::b\nlayers::1::w\nlayers::1::b\nhead::w\nhead::b\nscale\n");
    assert_paths(PYTREE(&model), "", NULL, "layers0w\nlayers0b\nlayers1w\nlayers1b\nheadw\nheadb\nscale\n");
    assert_paths(PYTREE(&shelf), ".", NULL, "heights.0\nheights.1\nheights.2\nspots.0.x\nspots.0.y\nspots.1.x\nspots.1.y\n"
                 "prices.apple\nprices.fig\nprices.pear\nplaces.here.x\nplaces.here.y\nplaces.there.x\nplaces.there.y\n");
    assert_paths(tree, NULL, NULL, "['']\n['a/b'][0]\n['a/b'][1][0]\n[\"it's\"].x\n");
    assert_paths(tree, NULL, &none, "['']\n['a/b'][0]\n['a/b'][1][0]\n[\"it's\"].x\n['n']\n");
    assert_paths(tree, "/", NULL, "\na/b/0\na/b/1/0\nit's/x\n");
    assert_paths(a, NULL, NULL, "\n");
    assert_paths(a, "/", NULL, "\n");
    assert_paths(PYTREE_NONE, NULL, NULL, "");
    assert_paths(PYTREE_LIST(), "/", NULL, "");
    pytree_paths_free(NULL);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static void deep_paths(void **state)
{
    Node *chain = chain_make(300);
    pytree_error error = { 0 };
    size_t n, i;
    const char **all = pytree_paths(PYTREE(chain), NULL, &n, NULL, &error),
        **simple = pytree_paths(PYTREE(chain), "/", NULL, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(n, 300);
    for (i = 0; i < n; i++) {
        assert_int_equal(strlen(all[i]), 5 * i + strlen(".value"));
        assert_string_equal(all[i] + 5 * i, ".value");
        assert_int_equal(strncmp(all[i], all[n - 1], 5 * i), 0);
        assert_int_equal(strlen(simple[i]), 5 * i + strlen("value"));
        assert_string_equal(simple[i] + 5 * i, "value");
    }
    pytree_paths_free(all);
    pytree_paths_free(simple);
    free(chain);
}

typedef struct Record {                   /* many fields, and names of all lengths */
    float a, bb, ccc, dddd, eeeee, ffffff, ggggggg, hhhhhhhh, iiiiiiiii, jjjjjjjjjj, kkkkkkkkkkk, llllllllllll, mmmmmmmmmmmmm;
    float nnnnnnnnnnnnnn, ooooooooooooooo, pppppppppppppppp, qqqqqqqqqqqqqqqqq, rrrrrrrrrrrrrrrrrrrrrrrr;
    float sssssssssssssssssssssssss;
    float tttttttttttttttttttttttttttttttt, uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu, v, w, x, y, z;
} Record;

#define PYTREE_STRUCT Record
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, bb) PYTREE_FIELD(DATA, ccc) PYTREE_FIELD(DATA, dddd) PYTREE_FIELD(DATA, eeeee) \
    PYTREE_FIELD(DATA, ffffff) PYTREE_FIELD(DATA, ggggggg) PYTREE_FIELD(DATA, hhhhhhhh) PYTREE_FIELD(DATA, iiiiiiiii)   \
    PYTREE_FIELD(DATA, jjjjjjjjjj) PYTREE_FIELD(DATA, kkkkkkkkkkk) PYTREE_FIELD(DATA, llllllllllll)                     \
    PYTREE_FIELD(DATA, mmmmmmmmmmmmm) PYTREE_FIELD(DATA, nnnnnnnnnnnnnn) PYTREE_FIELD(DATA, ooooooooooooooo)            \
    PYTREE_FIELD(DATA, pppppppppppppppp) PYTREE_FIELD(DATA, qqqqqqqqqqqqqqqqq)                                          \
    PYTREE_FIELD(DATA, rrrrrrrrrrrrrrrrrrrrrrrr) PYTREE_FIELD(DATA, sssssssssssssssssssssssss)                          \
    PYTREE_FIELD(DATA, tttttttttttttttttttttttttttttttt) PYTREE_FIELD(DATA, uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu)          \
    PYTREE_FIELD(DATA, v) PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z)
#include "pytree_registry.h"

typedef struct Long {
    struct Long *a_field_whose_name_alone_fills_a_good_part_of_a_line;
    float *optional_numbers;
    float another_field_with_a_name_of_more_than_thirty_two_letters;
} Long;

#define PYTREE_STRUCT Long
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a_field_whose_name_alone_fills_a_good_part_of_a_line, OPTIONAL)                                  \
    PYTREE_FIELD(DATA, optional_numbers, OPTIONAL, ARRAY(3))                                                            \
    PYTREE_FIELD(DATA, another_field_with_a_name_of_more_than_thirty_two_letters)
#include "pytree_registry.h"

typedef struct Empty {                     /* no children */
    int number;
} Empty;

#define PYTREE_STRUCT Empty
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, number)
#include "pytree_registry.h"

typedef struct Pair {
    float *first;                         /* NULL: none */
    float second;
} Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first, OPTIONAL, ARRAY(3)) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

typedef struct Two {                      /* a struct with structs in it */
    Pair left;
    Empty nothing;
    Pair right;
} Two;

#define PYTREE_STRUCT Two
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, nothing) PYTREE_FIELD(DATA, right)
#include "pytree_registry.h"

typedef struct Pointing {                 /* its first child is a pointer to a struct */
    Two *two;
    float number;
} Pointing;

#define PYTREE_STRUCT Pointing
#define PYTREE_FIELDS PYTREE_FIELD(DATA, two, OPTIONAL) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

typedef struct Pointers {                 /* the first child of its first child is one */
    Pointing pointing;
    Pair *pair;
    Two two;
    Pair *other;
    float last;
} Pointers;

#define PYTREE_STRUCT Pointers
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, pointing)                                                                                        \
    PYTREE_FIELD(DATA, pair, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, two)                                                                                             \
    PYTREE_FIELD(DATA, other, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

typedef struct ToEmpty {
    Empty here;
    Empty *there;                         /* behind a struct of the same type, which has no paths */
    float number;
} ToEmpty;

#define PYTREE_STRUCT ToEmpty
#define PYTREE_FIELDS PYTREE_FIELD(DATA, here) PYTREE_FIELD(DATA, there, OPTIONAL) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

typedef struct Five {                     /* many pointers */
    Pair *a, *b, *c, *d, *e;
    Pair here;
} Five;

#define PYTREE_STRUCT Five
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, b, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, c, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, d, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, e, OPTIONAL)                                                                                     \
    PYTREE_FIELD(DATA, here)
#include "pytree_registry.h"

typedef struct Mixed {                    /* children of every sort */
    Two two;
    Five *five;
    int n;
    Pointers *list;
    Pointing pointing;
    pytree any;
    Record record;
    float last;
} Mixed;

#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, two)                                                                                             \
    PYTREE_FIELD(DATA, five, OPTIONAL)                                                                                  \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, list, LIST(self->n))                                                                             \
    PYTREE_FIELD(DATA, pointing)                                                                                        \
    PYTREE_FIELD(DATA, any)                                                                                             \
    PYTREE_FIELD(DATA, record)                                                                                          \
    PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

typedef struct Rows {
    int n;
    float *numbers;
} Rows;

#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, numbers, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Needy {
    Rows rows;
    float *more;
} Needy;

#define PYTREE_STRUCT Needy
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rows) PYTREE_FIELD(DATA, more, ARRAY(0))
#include "pytree_registry.h"

typedef struct Hold {
    float number;
    Rows rows;
    Needy *needy;                         /* required */
} Hold;

#define PYTREE_STRUCT Hold
#define PYTREE_FIELDS PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, rows) PYTREE_FIELD(DATA, needy)
#include "pytree_registry.h"

/* Structs in structs, one in the other, deeper than a program writes them. */
#define NEST(outer, inner)                                                                                              \
    typedef struct outer {                                                                                              \
        float before;                                                                                                   \
        inner in;                                                                                                       \
        float behind;                                                                                                   \
    } outer;

#define NEST_FIELDS PYTREE_FIELD(DATA, before) PYTREE_FIELD(DATA, in) PYTREE_FIELD(DATA, behind)

NEST(Nest1, Pair)
#define PYTREE_STRUCT Nest1
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest2, Nest1)
#define PYTREE_STRUCT Nest2
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest3, Nest2)
#define PYTREE_STRUCT Nest3
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest4, Nest3)
#define PYTREE_STRUCT Nest4
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest5, Nest4)
#define PYTREE_STRUCT Nest5
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest6, Nest5)
#define PYTREE_STRUCT Nest6
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest7, Nest6)
#define PYTREE_STRUCT Nest7
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest8, Nest7)
#define PYTREE_STRUCT Nest8
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest9, Nest8)
#define PYTREE_STRUCT Nest9
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"
NEST(Nest10, Nest9)
#define PYTREE_STRUCT Nest10
#define PYTREE_FIELDS NEST_FIELDS
#include "pytree_registry.h"

/* Each path is what an iterator says of its leaf; with a separator, the entries' bare words with it between. */
static void assert_paths_agree(pytree tree, const char *separator, const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n, simple_n, i, k;
    const char **all = pytree_paths(tree, NULL, &n, opt, &error);
    const char **simple = pytree_paths(tree, separator, &simple_n, opt, &error);
    pytree_iter it;
    assert_ok(error.status, &error);
    assert_int_equal(n, simple_n);
    assert_ok(pytree_iter_begin(&it, 1, &tree, opt, &error), &error);
    for (i = 0; pytree_iter_next(&it); i++) {
        size_t length = pytree_iter_path_text(&it, NULL, 0), depth = pytree_iter_path(&it, NULL, 0);
        char *text = malloc(length + 1), *joined = malloc(length + depth * (strlen(separator) + 20) + 1), *at = joined;
        pytree_entry *entries = malloc((depth + 1) * sizeof *entries);
        assert_non_null(text);
        assert_non_null(joined);
        assert_non_null(entries);
        pytree_iter_path_text(&it, text, length + 1);
        assert_string_equal(all[i], text);
        assert_int_equal(pytree_iter_path(&it, entries, depth), depth);
        *at = '\0';
        for (k = 0; k < depth; k++) {
            const char *between = k == 0 ? "" : separator;
            at += entries[k].kind == PYTREE_INDEX ? sprintf(at, "%s%u", between, (unsigned)entries[k].index)
                                                  : sprintf(at, "%s%s", between, entries[k].name);
        }
        assert_string_equal(simple[i], joined);
        free(text);
        free(joined);
        free(entries);
    }
    assert_int_equal(i, n);
    assert_int_equal(it.status, PYTREE_OK);
    pytree_iter_end(&it);
    pytree_paths_free(all);
    pytree_paths_free(simple);
}

static void paths_agree_with_iterators(void **state)
{
    static const char *const separators[] = { "/", "", ".", "::", " then a long separator that goes on and on, " };
    enum { LINKS = 30 };
    MLP model = mlp_make(3, true), bare = mlp_make(1, false);
    Everything all = everything_make(true), less = everything_make(false);
    Shelf shelf = shelf_make();
    Node *chain = chain_make(230);
    Record record;
    Long links[LINKS];
    float three[3] = { 0.0f };
    char key[700];
    pytree inner, trees[9];
    pytree_options none = { .none_is_leaf = true };
    size_t i, k;
    (void)state;
    memset(&record, 0, sizeof record);
    memset(links, 0, sizeof links);
    for (i = 0; i < LINKS; i++) {
        links[i].a_field_whose_name_alone_fills_a_good_part_of_a_line = i + 1 < LINKS ? &links[i + 1] : NULL;
        links[i].optional_numbers = i % 3 == 0 ? three : NULL;
    }
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    inner = PYTREE_LIST(PYTREE(&record), PYTREE(&links[LINKS - 2]), PYTREE(&model), PYTREE_TUPLE(PYTREE(&record.a)));
    trees[0] = PYTREE_LIST(PYTREE(&model), PYTREE(&bare));
    trees[1] = PYTREE_TUPLE(PYTREE(&all), PYTREE(&less));
    trees[2] = PYTREE_NAMEDTUPLE("P", { "first", PYTREE(&shelf) }, { "second", PYTREE(&record) });
    trees[3] = PYTREE(chain);
    trees[4] = PYTREE(&record);
    trees[5] = PYTREE(&links[0]);
    trees[6] = PYTREE_DICT({ key, inner }, { "", PYTREE(&model) }, { "it's", trees[5] }, { "o", PYTREE_ODICT({ key, inner }) });
    trees[7] = PYTREE_NONE;
    trees[8] = inner;
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(separators); k++) {
            assert_paths_agree(trees[i], separators[k], NULL);
            assert_paths_agree(trees[i], separators[k], &none);
        }
    }
    mlp_clear(&model);
    mlp_clear(&bare);
    everything_clear(&all);
    everything_clear(&less);
    shelf_clear(&shelf);
    free(chain);
}

static void paths_of_structs_in_structs(void **state)
{
    static const char *const separators[] = { "/", "", " then a long separator that goes on and on, " };
    static const pytree_options none = { .none_is_leaf = true };
    static float three[3];
    Pair pairs[6];
    Two twos[3];
    Five five;
    Pointers list[8];
    ToEmpty to_empty[2];
    Empty empty = { 0 };
    Nest10 nest;
    Mixed mixed[2];
    char key[560];
    pytree trees[8];
    size_t i, k, at;
    (void)state;
    memset(pairs, 0, sizeof pairs);
    memset(twos, 0, sizeof twos);
    memset(&five, 0, sizeof five);
    memset(list, 0, sizeof list);
    memset(to_empty, 0, sizeof to_empty);
    memset(&nest, 0, sizeof nest);
    memset(mixed, 0, sizeof mixed);
    for (i = 0; i < COUNT_OF(pairs); i++) { pairs[i].first = i % 2 == 0 ? three : NULL; }
    twos[1].left.first = twos[2].right.first = three;
    five.b = &pairs[1];
    five.d = &pairs[2];
    for (i = 0; i < COUNT_OF(list); i++) {                     /* all that may be NULL, in all ways */
        list[i].pointing.two = (i & 1) != 0 ? &twos[i % 3] : NULL;
        list[i].pair = (i & 2) != 0 ? &pairs[i % 6] : NULL;
        list[i].other = (i & 4) != 0 ? &pairs[(i + 1) % 6] : NULL;
    }
    to_empty[1].there = &empty;
    mixed[0].five = &five;
    mixed[0].n = COUNT_OF(list);
    mixed[0].list = list;
    mixed[0].any = PYTREE_LIST(PYTREE(&pairs[0]), PYTREE(&twos[2]));
    mixed[1].any = PYTREE(&list[7]);
    mixed[1].pointing.two = &twos[1];
    trees[0] = PYTREE(&mixed[0]);
    trees[1] = PYTREE(&mixed[1]);
    trees[2] = PYTREE_LIST(trees[0], trees[1], PYTREE(&nest), PYTREE(&to_empty[0]), PYTREE(&to_empty[1]), PYTREE(&empty));
    trees[3] = PYTREE(&nest);
    trees[4] = PYTREE(&list[3]);
    trees[5] = PYTREE_DICT({ "", trees[4] }, { "a", PYTREE(&five) }, { "b", PYTREE(&to_empty[0]) });
    trees[6] = PYTREE(&to_empty[0]);
    trees[7] = PYTREE(&to_empty[1]);
    for (i = 0; i < COUNT_OF(trees); i++) {
        for (k = 0; k < COUNT_OF(separators); k++) {
            assert_paths_agree(trees[i], separators[k], NULL);
            assert_paths_agree(trees[i], separators[k], &none);
        }
    }
    for (at = 1; at < sizeof key; at++) {    /* behind a path of any length */
        memset(key, 'k', at);
        key[at] = '\0';
        assert_paths_agree(PYTREE_DICT({ key, trees[4] }, { "l", trees[5] }), "/", at % 2 == 0 ? &none : NULL);
    }
}

static void paths_of_unsound_trees(void **state)
{
    MLP model = mlp_make(1, true);
    float *b = model.head->b;
    size_t n = 99;
    pytree_error error = { 0 };
    (void)state;
    model.head->b = NULL;
    assert_null(pytree_paths(PYTREE(&model), NULL, &n, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, ".head.b", &error);
    assert_int_equal(n, 0);
    assert_null(pytree_paths(PYTREE(&model), NULL, NULL, NULL, NULL));
    model.head->b = b;
    mlp_clear(&model);
    {
        Needy needy[2] = { { { 3, NULL }, NULL }, { { 0, NULL }, NULL } };
        Hold hold = { 1.0f, { 0, NULL }, &needy[1] };
        error = (pytree_error){ 0 };
        assert_null(pytree_paths(PYTREE_LIST(PYTREE(&hold), PYTREE(&needy[1]), PYTREE(&needy[0])), NULL, &n, NULL, &error));
        assert_error(error.status, PYTREE_NULL_POINTER, "[2].rows.numbers", &error);
        needy[1].rows.n = 4;              /* in a struct that is pointed to */
        error = (pytree_error){ 0 };
        assert_null(pytree_paths(PYTREE(&hold), NULL, &n, NULL, &error));
        assert_error(error.status, PYTREE_NULL_POINTER, ".needy.rows.numbers", &error);
        hold.needy = NULL;                /* required */
        error = (pytree_error){ 0 };
        assert_null(pytree_paths(PYTREE(&hold), "/", &n, NULL, &error));
        assert_error(error.status, PYTREE_NULL_POINTER, ".needy", &error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(deep_paths),
        cmocka_unit_test(paths_agree_with_iterators),
        cmocka_unit_test(paths_of_structs_in_structs),
        cmocka_unit_test(paths_of_unsound_trees)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
