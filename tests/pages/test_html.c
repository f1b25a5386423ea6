/* Pages of trees: pytree/html.h: rows, values, statistics, shared memory; hostile names and numbers; what fails. */
#include "html_shared.h"
#include "odd_nodes.h"

#include "pytree/filter.h"
#include "pytree/literal.h"

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

/* The leaves of a page as lines of pytree_print, to be freed. */
static char *lines_of(const cJSON *page)
{
    static char here[64][100];
    size_t room = 1 << 20, n = 0, i;
    char *text = malloc(room);
    const cJSON *row;
    assert_non_null(text);
    text[0] = '\0';
    cJSON_ArrayForEach(row, rows_of(page)) {
        const cJSON *leaf = cJSON_GetObjectItem(row, "a");
        const size_t depth = (size_t)number_of(row, "d"), begin = n;
        snprintf(here[depth], sizeof here[depth], "%s", word_of(row, "k"));
        if (cJSON_GetObjectItem(leaf, "y") == NULL) { continue; }
        for (i = 1; i <= depth; i++) { n += (size_t)snprintf(text + n, room - n, "%s", here[i]); }
        n += (size_t)snprintf(text + n, room - n, "%s%s", n == begin ? "" : "  ", word_of(leaf, "y"));
        if (golden_text(leaf, "s") != NULL) { n += (size_t)snprintf(text + n, room - n, "[%s]", word_of(leaf, "s")); }
        if (golden_text(leaf, "v") != NULL) {
            n += (size_t)snprintf(text + n, room - n, "%s%s", word_of(leaf, "v")[0] == ' ' ? "" : " ", word_of(leaf, "v"));
        }
        n += (size_t)snprintf(text + n, room - n, "\n");
        assert_in_range(n, 0, room - 1);
    }
    return text;
}

/* Each leaf is a row with what pytree_print prints of it. */
static void assert_printed(pytree t, const pytree_options *opt)
{
    pytree_html_options page = html_options(opt, NULL);
    pytree_options print = { 0 };
    cJSON *json = page_of(t, &page);
    char *lines = lines_of(json), *text;
    size_t n;
    if (opt != NULL) { print = *opt; }
    if (print.print_values == 0) { print.print_values = 8; }
    n = pytree_text(t, NULL, 0, &print, NULL);
    assert_int_not_equal(n, SIZE_MAX);
    text = malloc(n + 1);
    assert_non_null(text);
    pytree_text(t, text, n + 1, &print, NULL);
    assert_string_equal(lines, text);
    free(text);
    free(lines);
    cJSON_Delete(json);
}

static bool stop_at_points(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && strcmp(value->type->name, "Point") == 0;
}

static void rows_are_what_prints(void **state)
{
    const pytree_options few = { .print_values = 3 }, none = { .none_is_leaf = true }, points = { .is_leaf = stop_at_points };
    Everything all = everything_make(true), bare = everything_make(false);
    MLP model = mlp_make(3, true);
    Shelf shelf = shelf_make();
    int x = 7;
    pytree containers = PYTREE_DICT({ "b", PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE) }, { "a", PYTREE_TUPLE(PYTREE_STR("it's")) },
                                    { "c", PYTREE_IDICT({ -3, PYTREE_FLOAT(0.1) }, { 2, PYTREE_BOOL(true) }) },
                                    { "d", PYTREE_NAMEDTUPLE("Pair", { "x", PYTREE_INT(1) }, { "y", PYTREE_LIST() }) },
                                    { "e", PYTREE_DEQUE(4, PYTREE_INT(1)) },
                                    { "g", PYTREE_DEFAULTDICT("int", { "k", PYTREE_INT(3) }) },
                                    { "f", PYTREE_ODICT({ "z", PYTREE_INT(1) }, { "y", PYTREE_INT(2) }) });
    (void)state;
    assert_printed(PYTREE(&all), NULL);
    assert_printed(PYTREE(&all), &few);
    assert_printed(PYTREE(&bare), &none);
    assert_printed(PYTREE(&all), &points);
    assert_printed(PYTREE(&model), NULL);
    assert_printed(PYTREE(&shelf), NULL);
    assert_printed(PYTREE(&x), NULL);
    assert_printed(PYTREE_NONE, NULL);
    assert_printed(containers, NULL);
    assert_printed(containers, &none);
#if defined(TEST_HAS_COMPLEX)
    {
        Waves waves = { 0 };
        waves.pair[1] = 2.5f;
        assert_printed(PYTREE(&waves), NULL);
    }
#endif
    everything_clear(&all);
    everything_clear(&bare);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

/* Leaves without data, as pytree_eval_shape gives them: their shapes are shown. */
static void shapes_without_data(void **state)
{
    const pytree_leaf shape = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 3, 4 } };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE_INT(1)), NULL, NULL);
    const pytree_flat flat = { def, &shape };
    (void)state;
    assert_non_null(def);
    assert_printed(PYTREE(&flat), NULL);
    pytree_def_free(def);
}

typedef struct Layer {
    int width;
    const char *name;
    float *w;
    float *mean;
    Point at;
} Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, width)                                                                                         \
    PYTREE_FIELD(STATIC, name)                                                                                          \
    PYTREE_FIELD(DATA, w, ARRAY(self->width), ROLE(Param))                                                              \
    PYTREE_FIELD(DATA, mean, ARRAY(self->width), ROLE(BatchStat))                                                       \
    PYTREE_FIELD(DATA, at, ROLE(Cache))
#include "pytree_registry.h"

static void nodes_have_fields_and_roles(void **state)
{
    static float w[3] = { 1, 2, 3 }, mean[3];
    Layer layer = { .width = 3, .name = "it's \"quoted\" </script>", .w = w, .mean = mean };
    const pytree_html_options titled = { .title = "</title><script>alert(1)</script>" };
    cJSON *page = page_of(PYTREE(&layer), &titled);
    const cJSON *fields = cJSON_GetObjectItem(side_at(page, "", "a"), "f");
    (void)state;
    assert_string_equal(word_of(page, "title"), titled.title);
    assert_string_equal(word_of(side_at(page, "", "a"), "n"), "Layer");
    assert_int_equal(cJSON_GetArraySize(fields), 2);
    assert_string_equal(cJSON_GetArrayItem(cJSON_GetArrayItem(fields, 0), 0)->valuestring, "width");
    assert_string_equal(cJSON_GetArrayItem(cJSON_GetArrayItem(fields, 0), 1)->valuestring, "3");
    assert_string_equal(cJSON_GetArrayItem(cJSON_GetArrayItem(fields, 1), 1)->valuestring,
                        "'it\\'s \"quoted\" </script>'");
    assert_string_equal(word_of(side_at(page, ".w", "a"), "r"), "Param");
    assert_string_equal(word_of(side_at(page, ".mean", "a"), "r"), "BatchStat");
    assert_string_equal(word_of(side_at(page, ".at.y", "a"), "r"), "Cache");           /* from the node above it */
    assert_string_equal(word_of(side_at(page, "", "a"), "r"), "");
    cJSON_Delete(page);
    page = page_of(PYTREE_LIST(PYTREE_DEQUE(4, PYTREE_INT(1)), PYTREE_DEFAULTDICT("int")), NULL);
    fields = cJSON_GetObjectItem(side_at(page, "[0]", "a"), "f");
    assert_non_null(strstr(cJSON_GetArrayItem(cJSON_GetArrayItem(fields, 0), 1)->valuestring, "maxlen=4"));
    fields = cJSON_GetObjectItem(side_at(page, "[1]", "a"), "f");
    assert_non_null(strstr(cJSON_GetArrayItem(cJSON_GetArrayItem(fields, 0), 1)->valuestring, "int"));
    cJSON_Delete(page);
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------------- */

static void statistics(void **state)
{
    double v[10] = { 4, -2, NAN, 1, INFINITY, -INFINITY, 0.5, NAN, 7, 1 };
    cJSON *page = page_of(PYTREE_ARRAY(v, 10), NULL);
    const cJSON *x = cJSON_GetObjectItem(side_at(page, "", "a"), "x"), *bars = cJSON_GetObjectItem(x, "bars"), *bar;
    double sum = 0, squares = 0, mean = 11.5 / 6, all = 0;
    size_t i;
    (void)state;
    for (i = 0; i < 10; i++) {
        if (isfinite(v[i])) { sum += v[i]; squares += (v[i] - mean) * (v[i] - mean); }
    }
    assert_string_equal(word_of(x, "min"), "-2.0");
    assert_string_equal(word_of(x, "max"), "7.0");
    assert_true(fabs(number_of(x, "mean") - sum / 6) < 1e-12);
    assert_true(fabs(2 * number_of(x, "half") * sqrt(number_of(x, "var")) - sqrt(squares / 6)) < 1e-12);
    assert_int_equal((int)number_of(x, "nan"), 2);
    assert_int_equal((int)number_of(x, "inf"), 2);
    assert_null(cJSON_GetObjectItem(x, "step"));
    assert_int_equal(cJSON_GetArraySize(bars), 32);
    cJSON_ArrayForEach(bar, bars) { all += bar->valuedouble; }
    assert_true(all == 6);
    assert_true(cJSON_GetArrayItem(bars, 0)->valuedouble == 1 && cJSON_GetArrayItem(bars, 31)->valuedouble == 1);
    assert_true(cJSON_GetArrayItem(bars, 10)->valuedouble == 2);       /* 1: a third of the way, twice */
    cJSON_Delete(page);
}

/* Texts, metadata without words, rows of one line, and values that are cut because they are long. */
static void odd_values(void **state)
{
    static double many[4000];
    char words_of[2][4] = { "one", "two" }, end = '\0';
    pytree_leaf word = { .data = words_of, .type = &pytree_types[PYTREE__T_text], .ndim = 1, .shape = { 4 } };
    pytree_leaf words = { .data = words_of, .type = &pytree_types[PYTREE__T_text], .ndim = 2, .shape = { 2, 4 } };
    pytree_leaf letter = { .data = &end, .type = &pytree_types[PYTREE__T_text] };
    pytree_leaf nothing = { .data = words_of, .type = &pytree_types[PYTREE__T_text], .ndim = 2, .shape = { 2, 0 } };
    Mark mark = { 7 };
    pytree_html_options opt = { .tree = { .print_values = 4000 } };
    cJSON *page = page_of(PYTREE_LIST(pytree_of_view(&word), PYTREE(&mark), PYTREE_ARRAY(many, 1, 8), PYTREE_ARRAY(many, 4000),
                                      pytree_of_view(&words), pytree_of_view(&letter), pytree_of_view(&nothing)),
                          &opt);
    const cJSON *const metadata = cJSON_GetObjectItem(side_at(page, "[1]", "a"), "f");
    const char *values;
    (void)state;
    assert_string_equal(word_of(side_at(page, "[0]", "a"), "v"), "'one'");
    assert_string_equal(word_of(side_at(page, "[4]", "a"), "v"), "'one' 'two'");
    assert_string_equal(word_of(side_at(page, "[5]", "a"), "v"), "''");
    assert_string_equal(word_of(side_at(page, "[6]", "a"), "s"), "2,0");
    assert_null(cJSON_GetObjectItem(side_at(page, "[6]", "a"), "v"));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetArrayItem(metadata, 0), 1)), "b'\\x07'");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(side_at(page, "[2]", "a"), "h"), "size")), 2);
    values = word_of(side_at(page, "[3]", "a"), "v");
    assert_in_range(strlen(values), 1000, 15000);
    assert_string_equal(values + strlen(values) - 4, " ...");
    cJSON_Delete(page);
}

/* The ends of double's range, and ranges of no length: every number in the page is finite. */
static void extreme_numbers(void **state)
{
    double wide[4] = { DBL_MAX, -DBL_MAX, DBL_MAX, -DBL_MAX }, same[3] = { 5, 5, 5 }, nothing[2] = { NAN, NAN };
    double tiny[2] = { 0, 4e-324 };
    uint64_t whole[2] = { UINT64_MAX, 1 }, close[3] = { UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 2 };
    int64_t signs[4] = { -9007199254740992, -9007199254740993, 9007199254740992, 9007199254740993 };
    long double wide_ones[3] = { 1, 1 + LDBL_EPSILON, 1 - LDBL_EPSILON };
    cJSON *page = page_of(PYTREE_LIST(PYTREE_ARRAY(wide, 2, 2), PYTREE_ARRAY(same, 3), PYTREE_ARRAY(nothing, 2),
                                      PYTREE_ARRAY(tiny, 2), PYTREE_ARRAY(whole, 2), PYTREE_ARRAY(close, 3),
                                      PYTREE_ARRAY(signs, 4), PYTREE_ARRAY(wide_ones, 3)), NULL);
    const cJSON *x = cJSON_GetObjectItem(side_at(page, "[0]", "a"), "x");
    (void)state;
    assert_string_equal(word_of(x, "max"), "1.7976931348623157e+308");
    assert_true(fabs(number_of(x, "mean")) < 1e293);
    assert_true(number_of(x, "half") == DBL_MAX && number_of(x, "var") == 0.25);
    assert_string_equal(word_of(cJSON_GetObjectItem(side_at(page, "[0]", "a"), "h"), "cells"), "/A/A");
    x = cJSON_GetObjectItem(side_at(page, "[1]", "a"), "x");
    assert_true(number_of(x, "mean") == 5 && number_of(x, "var") == 0);
    x = cJSON_GetObjectItem(side_at(page, "[2]", "a"), "x");
    assert_null(cJSON_GetObjectItem(x, "mean"));
    assert_int_equal((int)number_of(x, "nan"), 2);
    assert_string_equal(word_of(cJSON_GetObjectItem(side_at(page, "[2]", "a"), "h"), "cells"), "!!");
    assert_string_equal(word_of(cJSON_GetObjectItem(side_at(page, "[3]", "a"), "x"), "max"), "5e-324");
    assert_string_equal(word_of(cJSON_GetObjectItem(side_at(page, "[4]", "a"), "x"), "max"), "18446744073709551615");
    x = cJSON_GetObjectItem(side_at(page, "[5]", "a"), "x");           /* of numbers that are one double: exact */
    assert_string_equal(word_of(x, "min"), "18446744073709551613");
    assert_string_equal(word_of(x, "max"), "18446744073709551615");
    x = cJSON_GetObjectItem(side_at(page, "[6]", "a"), "x");
    assert_string_equal(word_of(x, "min"), "-9007199254740993");
    assert_string_equal(word_of(x, "max"), "9007199254740993");
    x = cJSON_GetObjectItem(side_at(page, "[7]", "a"), "x");
    assert_true(strtold(word_of(x, "min"), NULL) == wide_ones[2] && strtold(word_of(x, "max"), NULL) == wide_ones[1]);
    cJSON_Delete(page);
}

/* Arrays without elements, of many axes, of one element: rows, and no picture of what is not there. */
static void shapes(void **state)
{
    float few[24] = { 0 };
    size_t i;
    cJSON *page;
    const cJSON *heat;
    const pytree_leaf eight = { .data = few, .type = PYTREE_TYPE(float), .ndim = 8, .shape = { 1, 2, 1, 1, 3, 1, 2, 2 } };
    (void)state;
    for (i = 0; i < 24; i++) { few[i] = (float)i; }
    page = page_of(PYTREE_LIST(PYTREE_ARRAY(few, 0), PYTREE_ARRAY(few, 3, 0, 5), PYTREE_ARRAY(few, 1), PYTREE(&few[3]),
                               PYTREE(&eight)), NULL);
    assert_string_equal(word_of(side_at(page, "[0]", "a"), "s"), "0");
    assert_null(cJSON_GetObjectItem(side_at(page, "[0]", "a"), "x"));
    assert_string_equal(word_of(side_at(page, "[1]", "a"), "s"), "3,0,5");
    assert_null(cJSON_GetObjectItem(side_at(page, "[1]", "a"), "h"));
    assert_non_null(cJSON_GetObjectItem(side_at(page, "[2]", "a"), "x"));
    assert_null(cJSON_GetObjectItem(side_at(page, "[2]", "a"), "h"));
    assert_null(cJSON_GetObjectItem(side_at(page, "[3]", "a"), "x"));
    assert_string_equal(word_of(side_at(page, "[3]", "a"), "v"), "3.0");
    heat = cJSON_GetObjectItem(side_at(page, "[4]", "a"), "h");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(heat, "slices")), 6);
    assert_string_equal(word_of(heat, "cells"), "ACFILNQTWZbehkmpsvy0369/");
    cJSON_Delete(page);
}

/* A large array: every step-th element counts, and the map has so many cells and slices as were asked for. */
static void large_arrays(void **state)
{
    enum { N = 100 * 300 * 40 };
    static float v[N];
    const pytree_html_options opt = { .most = 1000, .cells = 5000 };
    cJSON *page;
    const cJSON *leaf, *x, *size;
    double sum = 0, bars = 0;
    size_t i, step, n = 0, cells;
    (void)state;
    for (i = 0; i < N; i++) { v[i] = (float)(i % 1000); }
    page = page_of(PYTREE_ARRAY(v, 100, 300, 40), &opt);
    leaf = side_at(page, "", "a");
    x = cJSON_GetObjectItem(leaf, "x");
    step = (size_t)number_of(x, "step");
    assert_int_equal(step, 1201);
    for (i = 0; i < N; i += step) { sum += (double)v[i]; n++; }
    assert_true(fabs(number_of(x, "mean") - sum / (double)n) < 1e-9);
    for (i = 0; i < 32; i++) { bars += cJSON_GetArrayItem(cJSON_GetObjectItem(x, "bars"), (int)i)->valuedouble; }
    assert_true(bars == (double)n);
    size = cJSON_GetObjectItem(cJSON_GetObjectItem(leaf, "h"), "size");
    assert_true(cJSON_GetArrayItem(size, 0)->valuedouble == 64 && cJSON_GetArrayItem(size, 1)->valuedouble == 40);
    cells = strlen(word_of(cJSON_GetObjectItem(leaf, "h"), "cells"));
    assert_int_equal(cells, 64 * 40);
    cJSON_Delete(page);
    page = page_of(PYTREE_ARRAY(v, 100, 300, 40), &(pytree_html_options){ .cells = 1 });       /* which gives 64 */
    leaf = side_at(page, "", "a");
    size = cJSON_GetObjectItem(cJSON_GetObjectItem(leaf, "h"), "size");
    assert_true(cJSON_GetArrayItem(size, 0)->valuedouble == 8 && cJSON_GetArrayItem(size, 1)->valuedouble == 5);
    assert_int_equal(strlen(word_of(cJSON_GetObjectItem(leaf, "h"), "cells")), 8 * 5);
    cJSON_Delete(page);
}

/* A cell is the mean of elements spread over its block: here of blocks that are constant. */
static void heat_of_blocks(void **state)
{
    static float v[128][192];
    size_t i, j;
    cJSON *page;
    const cJSON *heat;
    const char *cells;
    (void)state;
    for (i = 0; i < 128; i++) {
        for (j = 0; j < 192; j++) { v[i][j] = (float)(i / 2 == 5 && j / 3 == 7 ? 63 : i / 2 == 0 && j / 3 == 0 ? NAN : 0); }
    }
    page = page_of(PYTREE_ARRAY(&v[0][0], 128, 192), NULL);
    heat = cJSON_GetObjectItem(side_at(page, "", "a"), "h");
    cells = word_of(heat, "cells");
    assert_int_equal(strlen(cells), 64 * 64);
    for (i = 0; i < 64 * 64; i++) { assert_int_equal(cells[i], i == 0 ? '!' : i == 5 * 64 + 7 ? '/' : 'A'); }
    assert_true(number_of(heat, "low") == 0 && number_of(heat, "high") == 63);
    cJSON_Delete(page);
}

/* ---- Hostile names ---------------------------------------------------------------------------------------------------- */

static void hostile_names(void **state)
{
    static const struct { const char *key, *shown; } names[] = {
        { "</script><script>alert(1)</script>", "['</script><script>alert(1)</script>']" },
        { "<!-- <script>", "['<!-- <script>']" },
        { "a\"b'c\\d", "['a\"b\\'c\\\\d']" },
        { "\x01\x1F\x7F\n\t", "['\\x01\\x1f\\x7f\\n\\t']" },
        { "\xFF\xC0\x80\xED\xA0\x80", "['\\udcff\\udcc0\\udc80\\udced\\udca0\\udc80']" },
        { "gr\xC3\xB6\xC3\x9F" "e \xF0\x9F\x8C\xB3", "['gr\xC3\xB6\xC3\x9F" "e \xF0\x9F\x8C\xB3']" },
        { "\xE2\x80\xA8\xE2\x80\xAE", "['\\u2028\\u202e']" }, { "", "['']" }, { "__proto__", "['__proto__']" }
    };
    const char *string;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(names); i++) {
        const pytree_pair pair[] = { { names[i].key, PYTREE(&names[i].key) } };
        const pytree_items items = { .count = 1, .pairs = pair };
        const pytree_pair named[] = { { names[i].key, PYTREE_INT(1) } };
        const pytree_items tuple = { .count = 1, .pairs = named, .name = names[i].key };
        cJSON *page = page_of((pytree){ &pytree_types[PYTREE__T_dict], (void *)(uintptr_t)&items }, NULL);
        const cJSON *row = cJSON_GetArrayItem(rows_of(page), 1);
        const size_t n = strlen(names[i].shown);
        assert_string_equal(word_of(row, "k"), names[i].shown);
        string = word_of(cJSON_GetObjectItem(row, "a"), "v");
        assert_int_equal(strlen(string), n - 2);
        assert_memory_equal(string, names[i].shown + 1, n - 2);
        cJSON_Delete(page);
        page = page_of((pytree){ &pytree_types[PYTREE__T_namedtuple], (void *)(uintptr_t)&tuple }, NULL);      /* not quoted */
        assert_int_equal(word_of(cJSON_GetArrayItem(rows_of(page), 1), "k")[0], '.');
        cJSON_Delete(page);
    }
}

/* Metadata that print themselves as many bytes which are no characters. */
typedef struct Noise { unsigned char byte; } Noise;

static size_t noise_metadata(const void *self, void *to)
{
    if (to != NULL) { memcpy(to, self, sizeof(Noise)); }
    return sizeof(Noise);
}

static size_t noise_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    enum { LENGTH = 5000 };
    assert_int_equal(bytes, sizeof(Noise));
    if (n != 0) {
        const size_t most = n - 1 < LENGTH ? n - 1 : LENGTH;
        memset(text, *(const unsigned char *)metadata, most);
        text[most] = '\0';
    }
    return LENGTH;
}

static const pytree_custom noise_callbacks = { .children = no_children, .metadata = noise_metadata, .print = noise_print };
#define PYTREE_STRUCT Noise
#define PYTREE_CUSTOM noise_callbacks
#include "pytree_registry.h"

/* They are cut as near the same place as a text is: the beginning of a character is not searched for any further. */
static void bytes_without_characters(void **state)
{
    Noise noise = { 0x80 };
    cJSON *page = page_of(PYTREE(&noise), NULL);
    const cJSON *const metadata = cJSON_GetObjectItem(side_at(page, "", "a"), "f");
    const char *const text = cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetArrayItem(metadata, 0), 1));
    (void)state;
    assert_non_null(text);
    assert_in_range(strlen(text), 4085 * strlen("\\udc80"), 4096 * strlen("\\udc80"));
    assert_memory_equal(text, "\\udc80\\udc80", 12);
    assert_string_equal(text + strlen(text) - 9, "\\udc80...");
    cJSON_Delete(page);
}

/* Keys and names are whole, however long; values are cut, between two characters wherever these lie. */
static void long_names(void **state)
{
    enum { LONG = 100001 };
    char *key = malloc(LONG + 1);
    const char *value = key, *shifted = key + 1;
    const pytree_pair pair[] = { { "x", PYTREE_INT(1) } };
    const pytree_items items = { .count = 1, .pairs = pair, .name = key };
    pytree tree;
    cJSON *page;
    const cJSON *row;
    size_t i, n;
    (void)state;
    assert_non_null(key);
    key[0] = 'a';
    for (i = 1; i < LONG; i += 2) { memcpy(key + i, "\xC3\xB6", 2); }
    key[LONG] = '\0';
    tree = PYTREE_DICT({ key, PYTREE(&value) });
    page = page_of(tree, NULL);
    row = cJSON_GetArrayItem(rows_of(page), 1);
    assert_int_equal(strlen(word_of(row, "k")), LONG + 4);
    n = strlen(word_of(cJSON_GetObjectItem(row, "a"), "v"));
    assert_in_range(n, 4000, 4096);
    assert_string_equal(word_of(cJSON_GetObjectItem(row, "a"), "v") + n - 5, "\xC3\xB6...");
    cJSON_Delete(page);
    page = page_of(PYTREE(&shifted), NULL);
    assert_int_equal(strlen(word_of(side_at(page, "", "a"), "v")), n - 1);
    assert_string_equal(word_of(side_at(page, "", "a"), "v") + n - 1 - 5, "\xC3\xB6...");
    cJSON_Delete(page);
    page = page_of((pytree){ &pytree_types[PYTREE__T_namedtuple], (void *)(uintptr_t)&items }, NULL);
    assert_string_equal(word_of(side_at(page, "", "a"), "n"), key);
    cJSON_Delete(page);
    free(key);
}

/* ---- Trees ------------------------------------------------------------------------------------------------------------ */

static void shared_memory(void **state)
{
    static float w[8], b[4], other[4];
    cJSON *page = page_of(PYTREE_LIST(PYTREE_ARRAY(w, 8), PYTREE_ARRAY(b, 4), PYTREE_ARRAY(w, 8), PYTREE_ARRAY(w + 4, 4),
                                      PYTREE_ARRAY(other, 4), PYTREE_ARRAY(other, 0)), NULL);
    const cJSON *a = cJSON_GetObjectItem(cJSON_GetObjectItem(page, "shared"), "a"), *groups = cJSON_GetObjectItem(a, "groups");
    const int expected[3] = { 1, 3, 4 };
    int i;
    (void)state;
    assert_int_equal(cJSON_GetArraySize(groups), 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetArrayItem(groups, 0)), 3);
    for (i = 0; i < 3; i++) { assert_int_equal(cJSON_GetArrayItem(cJSON_GetArrayItem(groups, 0), i)->valueint, expected[i]); }
    assert_true(number_of(a, "bytes") == sizeof w + sizeof b + sizeof other);
    cJSON_Delete(page);
}

static void deep_and_wide(void **state)
{
    enum { WIDE = 200000 };
    static float v[WIDE];
    static pytree items[WIDE];
    const size_t deep = under_valgrind() ? 1000 : SANITIZED ? 20000 : 100000;
    const size_t wide = under_valgrind() ? 2000 : SANITIZED ? 20000 : WIDE;
    const pytree_items list = { .count = wide, .items = items };
    Node *chain = chain_make(deep);
    cJSON *page = page_of(PYTREE(chain), NULL);
    size_t i;
    (void)state;
    assert_int_equal(cJSON_GetArraySize(rows_of(page)), 2 * deep + 1);
    assert_int_equal((size_t)number_of(cJSON_GetArrayItem(rows_of(page), 2 * (int)deep), "d"), deep);
    cJSON_Delete(page);
    free(chain);
    for (i = 0; i < wide; i++) { items[i] = PYTREE(&v[i]); }
    page = page_of((pytree){ &pytree_types[PYTREE__T_list], (void *)(uintptr_t)&list }, NULL);
    assert_int_equal(cJSON_GetArraySize(rows_of(page)), wide + 1);
    cJSON_Delete(page);
}

/* ---- What fails ------------------------------------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = html_options(NULL, &io);
    Node *chain = chain_make(3);
    MLP broken = { .n_layers = 2 };
    pytree_error error = { 0 };
    float x = 1;
    (void)state;
    chain[2].next = chain;
    assert_error(pytree_save_html("page", PYTREE(chain), &opt, &error), PYTREE_CYCLE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_html("page", PYTREE(&broken), &opt, &error), PYTREE_NULL_POINTER, ".layers", &error);
    memset(&error, 0, sizeof error);
    assert_null(file.bytes);
    assert_error(pytree_save_html(NULL, PYTREE(&x), &opt, &error), PYTREE_NULL_POINTER, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_html("no such folder/page.html", PYTREE(&x), NULL, &error), PYTREE_IO, "", &error);
    assert_int_equal(pytree_save_html("page", PYTREE(chain), &opt, NULL), PYTREE_CYCLE);
    assert_null(file.bytes);
    free(chain);
}

/* The same tree gives the same bytes, through the system and in memory. */
static void same_bytes(void **state)
{
    Everything all = everything_make(true);
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = html_options(NULL, &io);
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    (void)state;
    scratch_path(path, "same.html");
    assert_ok(pytree_save_html("page", PYTREE(&all), &opt, &error), &error);
    assert_ok(pytree_save_html(path, PYTREE(&all), NULL, &error), &error);
    assert_file(path, file.bytes, file.size);
    assert_int_equal(remove(path), 0);
    pytree_memory_free(&file);
    everything_clear(&all);
}

static pytree_status save_body(void *context, const pytree_options *tree, pytree_error *err)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = html_options(tree, &io);
    const pytree_status status = pytree_save_html("page", *(const pytree *)context, &opt, err);
    assert_true((file.bytes != NULL) == (status == PYTREE_OK));
    pytree_memory_free(&file);
    return status;
}

static void allocations(void **state)
{
    Everything all = everything_make(true);
    char key[6000];
    pytree tree;
    (void)state;
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    tree = PYTREE_DICT({ key, PYTREE(&all) }, { "b", PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE) });
    assert_in_range(sweep_allocations(save_body, &tree), 10, 60);
    everything_clear(&all);
}

/* Every call of the system that saving makes, failing for itself: the old file stays, and nothing beside it. */
static void systems_that_fail(void **state)
{
    static const FaultOp ops[] = { FAULT_CREATE, FAULT_WRITE, FAULT_SYNC, FAULT_CLOSE, FAULT_RENAME };
    static float v[64][64];
    char path[GOLDEN_PATH], beside[GOLDEN_PATH + 32];
    size_t op, n, failures = 0;
    (void)state;
    scratch_path(path, "fails.html");
    snprintf(beside, sizeof beside, "%s.pytree-tmp0", path);
    for (op = 0; op < COUNT_OF(ops); op++) {
        for (n = 0;; n++) {
            Faults faults = { .base = &pytree_io_system, .op = ops[op], .at = n, .code = EIO, .most = 5000 };
            const pytree_io io = faults_io(&faults);
            const pytree_html_options opt = html_options(NULL, &io);
            pytree_error error = { 0 };
            pytree_status status;
            write_whole(path, "old", 3);
            status = pytree_save_html(path, PYTREE_ARRAY(&v[0][0], 64, 64), &opt, &error);
            assert_int_equal(faults.n_open, 0);
            assert_null(fopen(beside, "rb"));
            if (status == PYTREE_OK) { break; }
            assert_error(status, PYTREE_IO, "", &error);
            assert_file(path, "old", 3);
            failures++;
        }
        assert_in_range(n, 1, 30);
    }
    assert_in_range(failures, 10, 60);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_prints), cmocka_unit_test(shapes_without_data),
        cmocka_unit_test(nodes_have_fields_and_roles), cmocka_unit_test(statistics),
        cmocka_unit_test(extreme_numbers), cmocka_unit_test(odd_values),
        cmocka_unit_test(shapes), cmocka_unit_test(large_arrays),
        cmocka_unit_test(heat_of_blocks), cmocka_unit_test(hostile_names), cmocka_unit_test(long_names),
        cmocka_unit_test(bytes_without_characters),
        cmocka_unit_test(shared_memory), cmocka_unit_test(deep_and_wide), cmocka_unit_test(what_is_refused),
        cmocka_unit_test(same_bytes), cmocka_unit_test(allocations), cmocka_unit_test(systems_that_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
