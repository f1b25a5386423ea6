/* Sizes that only the file knows: which members are found, which are left as they are, and what is refused. */
#include "support.h"
#include "pytree/safetensors.h"

/* ---- Structs ------------------------------------------------------------------------------------------------------- */

typedef struct Tiny { float *x; size_t n; } Tiny;

#define PYTREE_STRUCT Tiny
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x, ARRAY(self->n)) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

typedef struct Nothing { int version; } Nothing;

#define PYTREE_STRUCT Nothing
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, version)
#include "pytree_registry.h"

/* Static members that are no unknown sizes beside one that is, and extents of every origin. */
typedef struct Sized {
    size_t n;
    int sizes[2];
    unsigned flags : 3;
    bool on;
    float rate;
    const char *name;
    char label[4];
    Nothing nothing;
    float *threes, *fixed, *listed;
    Tiny *tinies, here, two[2];
    Tiny *maybe;
    Tiny *grown;
    float scale;
    const char *title;
} Sized;

#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, sizes) PYTREE_FIELD(STATIC, flags, BITS) PYTREE_FIELD(STATIC, on)      \
    PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, name) PYTREE_FIELD(STATIC, label, STRING)                           \
    PYTREE_FIELD(DATA, nothing) PYTREE_FIELD(DATA, threes, ARRAY(self->n, 3)) PYTREE_FIELD(DATA, fixed, ARRAY(2))       \
    PYTREE_FIELD(DATA, listed, ARRAY(self->n + 1)) PYTREE_FIELD(DATA, tinies, LIST(self->n)) PYTREE_FIELD(DATA, here)   \
    PYTREE_FIELD(DATA, two) PYTREE_FIELD(DATA, maybe, OPTIONAL) PYTREE_FIELD(DATA, grown, STB_ARRAY)                    \
    PYTREE_FIELD(DATA, scale) PYTREE_FIELD(DATA, title)
#include "pytree_registry.h"

/* More sizes than are looked for, all zero. */
typedef struct Seventeen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
    float *x, *y;
} Seventeen;

#define PYTREE_STRUCT Seventeen
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(STATIC, c) PYTREE_FIELD(STATIC, d)                     \
    PYTREE_FIELD(STATIC, e) PYTREE_FIELD(STATIC, f) PYTREE_FIELD(STATIC, g) PYTREE_FIELD(STATIC, h)                     \
    PYTREE_FIELD(STATIC, i) PYTREE_FIELD(STATIC, j) PYTREE_FIELD(STATIC, k) PYTREE_FIELD(STATIC, l)                     \
    PYTREE_FIELD(STATIC, m) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, o) PYTREE_FIELD(STATIC, p)                     \
    PYTREE_FIELD(STATIC, q) PYTREE_FIELD(DATA, x, ARRAY(self->a)) PYTREE_FIELD(DATA, y, ARRAY(self->q))
#include "pytree_registry.h"

/* Names that are longer than what is kept for them. */
typedef struct Long {
    Tiny a_member_whose_name_is_longer_than_what_the_reader_has_room_for_at_first[2];
    Tiny *another_member_whose_name_is_longer_than_what_the_reader_has_room_for;
    int n;
} Long;

#define PYTREE_STRUCT Long
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a_member_whose_name_is_longer_than_what_the_reader_has_room_for_at_first)                        \
    PYTREE_FIELD(DATA, another_member_whose_name_is_longer_than_what_the_reader_has_room_for, LIST(self->n))            \
    PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

/* Structs in place only, and lists of structs of which there may be none. */
typedef struct Placed {
    Tiny a_member_whose_name_takes_nearly_all_of_the_room_at_first, here[2];
} Placed;

#define PYTREE_STRUCT Placed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a_member_whose_name_takes_nearly_all_of_the_room_at_first) PYTREE_FIELD(DATA, here)
#include "pytree_registry.h"

typedef struct Maybe {
    size_t n, m;
    Tiny *there, *missing;
    float *w;
} Maybe;

#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, there, LIST(self->n), OPTIONAL)                  \
    PYTREE_FIELD(DATA, missing, LIST(self->m), OPTIONAL) PYTREE_FIELD(DATA, w, ARRAY(self->m))
#include "pytree_registry.h"

/* ---- A file of arrays whose values are of no interest -------------------------------------------------------------- */

typedef struct File {
    pytree_memory memory;
    pytree_io io;
    pytree_checkpoint_options opt;
    pytree_pair pairs[32];
    pytree_leaf leaves[32];
    size_t n, used;                       /* arrays, and floats of `zeros` */
} File;

static float zeros[128];

static void put(File *file, const char *name, int ndim, size_t a, size_t b)
{
    pytree_leaf *leaf = &file->leaves[file->n];
    *leaf = (pytree_leaf){ .data = zeros + file->used, .type = PYTREE_TYPE(float), .ndim = ndim, .shape = { a, b } };
    file->used += pytree_leaf_count(leaf);
    assert_in_range(file->used, 1, COUNT_OF(zeros));
    file->pairs[file->n].key = name;
    file->pairs[file->n++].value = pytree_of_view(leaf);
}

static void save(File *file)
{
    pytree_items items = { .count = file->n, .pairs = file->pairs };
    pytree_error error = { 0 };
    file->io = pytree_memory_io(&file->memory);
    file->opt.io = &file->io;
    assert_ok(pytree_save_safetensors("f", (pytree){ &pytree_types[PYTREE__T_dict], &items }, &file->opt, &error), &error);
}

/* ---- Found --------------------------------------------------------------------------------------------------------- */

static void members_of_every_kind(void **state)
{
    File file = { 0 };
    Sized s = { .fixed = NULL };
    pytree_error error = { 0 };
    Sized *made;
    (void)state;
    put(&file, "threes", 2, 4, 3);
    put(&file, "fixed", 1, 2, 0);
    put(&file, "listed", 2, 5, 1);        /* of another rank: tells nothing */
    put(&file, "tinies.0.x", 1, 1, 0);
    put(&file, "tinies.1.x", 1, 2, 0);
    put(&file, "tinies.2.x", 1, 3, 0);
    put(&file, "tinies.3.x", 1, 4, 0);
    put(&file, "here.x", 1, 7, 0);
    put(&file, "two.1.x", 1, 8, 0);
    put(&file, "maybe.x", 1, 9, 0);
    put(&file, "scale", 0, 0, 0);
    save(&file);
    s.name = "n";
    s.title = "t";
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&s), &file.opt, &error), &error);
    made = &s;
    assert_int_equal(made->n, 4);
    assert_int_equal(made->tinies[3].n, 4);
    assert_int_equal(made->here.n, 7);
    assert_true(made->two[0].n == 0 && made->two[1].n == 8);
    assert_int_equal(made->maybe->n, 9);
    assert_true(made->sizes[0] == 0 && made->flags == 0 && !made->on && made->nothing.version == 0);
    pytree_free(PYTREE(&s));
    pytree_memory_free(&file.memory);
}

static void more_sizes_than_are_looked_for(void **state)
{
    File file = { 0 };
    Seventeen s = { 0 };
    pytree_error error = { 0 };
    (void)state;
    put(&file, "x", 1, 6, 0);
    put(&file, "y", 1, 5, 0);
    save(&file);
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&s), &file.opt, &error), &error);
    assert_int_equal(s.a, 6);
    assert_int_equal(s.q, 0);             /* the seventeenth */
    pytree_free(PYTREE(&s));
    pytree_memory_free(&file.memory);
}

/* A list that may be NULL is made where the file has elements of it, and is NULL otherwise, whatever its length is. */
static void lists_that_may_be_missing(void **state)
{
    File file = { 0 };
    Maybe s = { 0 };
    pytree_error error = { 0 };
    (void)state;
    put(&file, "there.0.x", 1, 4, 0);
    put(&file, "there.1.x", 1, 5, 0);
    put(&file, "w", 1, 3, 0);
    save(&file);
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&s), &file.opt, &error), &error);
    assert_true(s.n == 2 && s.m == 3 && s.missing == NULL);
    assert_true(s.there[0].n == 4 && s.there[1].n == 5);
    assert_ok(pytree_load_safetensors("f", PYTREE(&s), &file.opt, &error), &error);
    pytree_free(PYTREE(&s));
    pytree_memory_free(&file.memory);
}

/* ---- Refused ------------------------------------------------------------------------------------------------------- */

static size_t renamed(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    (void)slice;
    return (size_t)snprintf(text, n, "%s", leaf);
}

static void what_is_refused(void **state)
{
    const pytree_rename renames[] = { { "a", "b" } };
    File file = { 0 };
    Tiny tiny = { 0 };
    float x = 1;
    pytree_checkpoint_options by_name, by_call;
    const struct { pytree t; const pytree_checkpoint_options *opt; const char *got; } cases[] = {
        { { NULL, NULL }, &file.opt, "nothing" }, { PYTREE(&x), &file.opt, "float" },
        { { PYTREE_TYPE(Tiny), NULL }, &file.opt, "NULL" }, { PYTREE(&tiny), &by_name, "Tiny" }, { PYTREE(&tiny), &by_call,
            "Tiny" }
    };
    pytree_error error = { 0 };
    pytree_safetensors *open;
    size_t i;
    (void)state;
    put(&file, "x", 1, 6, 0);
    save(&file);
    by_name = by_call = file.opt;
    by_name.renames = renames;
    by_name.n_renames = 1;
    by_call.rename = renamed;
    open = pytree_safetensors_open("f", &file.opt, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < COUNT_OF(cases); i++) {
        char words[120];
        memset(&error, 0, sizeof error);
        assert_error(pytree_checkpoint_allocate(open, cases[i].t, cases[i].opt, &error), PYTREE_ARGUMENT, "", &error);
        (void)snprintf(words, sizeof words,
            "expected a struct, and names without renaming, to allocate for, got %s", cases[i].got);
        assert_string_equal(error.message, words);
    }
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_allocate(NULL, PYTREE(&tiny), &file.opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_null(tiny.x);
    pytree_safetensors_close(open);
    pytree_memory_free(&file.memory);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static pytree_status allocate_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const File *file = context;
    pytree_checkpoint_options options = file->opt;
    Long s = { .n = 0 };
    pytree_status status;
    options.tree = *opt;
    status = pytree_allocate_from_safetensors("f", PYTREE(&s), &options, err);
    if (status == PYTREE_OK) {
        assert_true(s.n == 2 && s.another_member_whose_name_is_longer_than_what_the_reader_has_room_for[1].n == 3);
        pytree_free(PYTREE(&s));
    } else {
        assert_true(s.n == 0 && s.another_member_whose_name_is_longer_than_what_the_reader_has_room_for == NULL);
    }
    return status;
}

static void long_names(void **state)
{
    File file = { 0 };
    (void)state;
    put(&file, "a_member_whose_name_is_longer_than_what_the_reader_has_room_for_at_first.1.x", 1, 4, 0);
    put(&file, "another_member_whose_name_is_longer_than_what_the_reader_has_room_for.0.x", 1, 2, 0);
    put(&file, "another_member_whose_name_is_longer_than_what_the_reader_has_room_for.1.x", 1, 3, 0);
    save(&file);
    assert_in_range(sweep_allocations(allocate_body, &file), 5, 60);
    pytree_memory_free(&file.memory);
}

static pytree_status placed_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const File *file = context;
    pytree_checkpoint_options options = file->opt;
    Placed s = { .here = { { NULL, 0 } } };
    pytree_status status;
    options.tree = *opt;
    status = pytree_allocate_from_safetensors("f", PYTREE(&s), &options, err);
    if (status == PYTREE_OK) {
        assert_true(s.here[0].n == 0 && s.here[1].n == 4);
        assert_int_equal(s.a_member_whose_name_takes_nearly_all_of_the_room_at_first.n, 5);
        pytree_free(PYTREE(&s));
    } else {
        assert_true(s.here[1].n == 0 && s.here[1].x == NULL);
        assert_null(s.a_member_whose_name_takes_nearly_all_of_the_room_at_first.x);
    }
    return status;
}

static pytree_status listed_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const File *file = context;
    pytree_checkpoint_options options = file->opt;
    Maybe s = { 0 };
    pytree_status status;
    options.tree = *opt;
    status = pytree_allocate_from_safetensors("f", PYTREE(&s), &options, err);
    if (status == PYTREE_OK) {
        assert_true(s.n == 1 && s.there[0].n == 3);
        pytree_free(PYTREE(&s));
    } else {
        assert_true(s.n == 0 && s.there == NULL);
    }
    return status;
}

/* Separators of any length: wherever the room for names has to grow, memory may be lacking. */
static void long_separators(void **state)
{
    char separator[91], here[200], place[200], listed[300];
    size_t n;
    (void)state;
    for (n = 5; n < sizeof separator; n += 5) {
        File placed = { 0 }, list = { 0 };
        memset(separator, '/', n);
        separator[n] = '\0';
        placed.opt.separator = list.opt.separator = separator;
        (void)snprintf(here, sizeof here, "here%s1%sx", separator, separator);
        (void)snprintf(place, sizeof place, "a_member_whose_name_takes_nearly_all_of_the_room_at_first%sx", separator);
        (void)snprintf(listed, sizeof listed, "there%s0%sx", separator, separator);
        put(&placed, here, 1, 4, 0);
        put(&placed, place, 1, 5, 0);
        save(&placed);
        assert_in_range(sweep_allocations(placed_body, &placed), 5, 60);
        put(&list, listed, 1, 3, 0);
        save(&list);
        assert_in_range(sweep_allocations(listed_body, &list), 5, 60);
        pytree_memory_free(&placed.memory);
        pytree_memory_free(&list.memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_every_kind), cmocka_unit_test(more_sizes_than_are_looked_for),
        cmocka_unit_test(lists_that_may_be_missing), cmocka_unit_test(what_is_refused), cmocka_unit_test(long_names),
        cmocka_unit_test(long_separators)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
