/* Trees, treedefs and types as JSON for bindings: pytree/layout.h: what it says of every row, and memory that runs out. */
#include "../registration/rows_shared.h"
#include "../registration/rows_every.h"

#include "golden_files.h"
#include "pytree/filter.h"
#include "pytree/layout.h"

#include <math.h>

enum { ROOM = 1 << 17 };

static char text[ROOM];

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *const found = cJSON_GetObjectItemCaseSensitive(object, name);
    if (found == NULL) { print_error("# no member %s\n", name); }
    assert_non_null(found);
    return found;
}

static size_t number_in(const cJSON *object, const char *name) { return (size_t)member(object, name)->valuedouble; }

static const char *word_in(const cJSON *object, const char *name) { return member(object, name)->valuestring; }

static const cJSON *element(const cJSON *array, size_t i)
{
    const cJSON *const found = cJSON_GetArrayItem(array, (int)i);
    assert_non_null(found);
    return found;
}

/* Number n is that of this type, and what is said of the type is what its descriptor says. */
static void assert_type(const cJSON *json, size_t n, const pytree_type *type)
{
    const cJSON *const said = element(member(json, "types"), n), *const fields = cJSON_GetObjectItem(said, "fields");
    size_t i;
    type = type->origin != NULL ? type->origin : type;
    assert_int_equal(number_in(said, "size"), type->size);
    assert_int_equal(number_in(said, "align"), type->align);
    if (type->kind == PYTREE_KIND_LEAF && type->dtype != PYTREE_OPAQUE) { return; }        /* long or long long */
    assert_string_equal(word_in(said, "name"), type->name);
    if (type->kind != PYTREE_KIND_STRUCT) { return; }
    assert_int_equal(cJSON_GetArraySize(fields), type->n_fields);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        const cJSON *const field = element(fields, i);
        static const char *const rows[] = { "data", "static", "drop" };
        assert_string_equal(word_in(field, "name"), row->name);
        assert_string_equal(word_in(field, "row"), rows[row->row]);
        assert_true((row->type == NULL) == (cJSON_GetObjectItem(field, "type") == NULL));
        if (cJSON_GetObjectItem(field, "offset") != NULL) {
            assert_int_equal(number_in(field, "offset"), row->offset);
            assert_int_equal(number_in(field, "size"), row->size);
            assert_in_range(row->offset + row->size, 0, type->size);
        } else {                          /* a bit-field */
            assert_true(row->row == PYTREE_ROW_DROP ? row->size == 0 : row->functions->read != NULL);
        }
        assert_true((row->optional != 0) == (cJSON_GetObjectItem(field, "optional") != NULL));
        assert_true((row->role != NULL) == (cJSON_GetObjectItem(field, "role") != NULL));
    }
}

/* The text of a tree, parsed; to be deleted. */
static cJSON *described(pytree t, const pytree_options *opt)
{
    pytree_error error = { 0 };
    const size_t n = pytree_layout_text(t, text, sizeof text, opt, &error);
    cJSON *json;
    assert_ok(error.status, &error);
    assert_in_range(n, 1, sizeof text - 1);
    assert_int_equal(strlen(text), n);
    assert_int_equal(pytree_layout_text(t, NULL, 0, opt, &error), n);
    json = cJSON_Parse(text);
    assert_non_null(json);
    assert_int_equal(number_in(json, "format"), PYTREE_LAYOUT_FORMAT);
    assert_string_equal(word_in(json, "version"), PYTREE_VERSION);
    return json;
}

static void assert_leaf(const cJSON *json, const cJSON *said, const pytree_leaf *leaf)
{
    int i;
    if (leaf->form != PYTREE_FORM_LEAF) {
        assert_null(cJSON_GetObjectItem(said, "shape"));
        return;
    }
    assert_type(json, number_in(said, "type"), leaf->type);
    assert_int_equal(cJSON_GetArraySize(member(said, "shape")), leaf->ndim);
    for (i = 0; i < leaf->ndim; i++) {
        assert_int_equal(element(member(said, "shape"), (size_t)i)->valuedouble, leaf->shape[i]);
    }
    if (leaf->data == NULL) { assert_true(cJSON_IsNull(member(said, "address"))); return; }
    assert_true(member(said, "address")->valuedouble == (double)(uintptr_t)leaf->data);
}

/* The description has the nodes of the treedef and the leaves of the tree, and says what their descriptors say. */
static void assert_described(pytree t, const pytree_options *opt)
{
    cJSON *const json = described(t, opt);
    const cJSON *const nodes = member(json, "nodes");
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_error error = { 0 };
    size_t i, leaf = 0;
    assert_ok(pytree_flatten(t, &leaves, 0, &def, opt, &error), &error);
    assert_true(cJSON_IsTrue(member(json, "none_is_leaf")) == def->none_is_leaf);
    assert_int_equal(cJSON_GetArraySize(nodes), def->n_nodes);
    for (i = 0; i < def->n_nodes; i++) {
        const cJSON *const said = element(nodes, i);
        if (def->nodes[i].type == NULL) {
            assert_null(cJSON_GetObjectItem(said, "children"));
            assert_leaf(json, said, &leaves[leaf++]);
            continue;
        }
        assert_int_equal(number_in(said, "children"), def->nodes[i].arity);
        assert_type(json, number_in(said, "type"), def->nodes[i].type);
    }
    pytree_def_free(def);
    cJSON_Delete(json);
}

static bool stop_at_points(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && strcmp(value->type->name, "Point") == 0;
}

static void every_row_is_described(void **state)
{
    const pytree_options none = { .none_is_leaf = true }, points = { .is_leaf = stop_at_points };
    Everything all = everything_make(true), bare = everything_make(false);
    MLP model = mlp_make(3, true);
    const char *name;
    size_t i;
    (void)state;
    for (i = 0; i < EVERY_TREES; i++) { assert_described(every_tree(i, &name), NULL); }
    assert_described(PYTREE(&all), NULL);
    assert_described(PYTREE(&bare), &none);
    assert_described(PYTREE(&all), &points);
    assert_described(PYTREE(&model), NULL);
    everything_clear(&all);
    everything_clear(&bare);
    mlp_clear(&model);
}

/* ---- Words ----------------------------------------------------------------------------------------------------------- */

/* The text of a tree has these words, character by character. */
static void assert_words(pytree t, const char *words)
{
    pytree_error error = { 0 };
    assert_in_range(pytree_layout_text(t, text, sizeof text, NULL, &error), 1, sizeof text - 1);
    assert_ok(error.status, &error);
    if (strstr(text, words) == NULL) { print_error("# not found: %s\n# in: %s\n", words, text); }
    assert_non_null(strstr(text, words));
}

typedef struct Dense {
    int n;
    float *w;
    float spots[2][3];
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->n, 2), OPTIONAL, ROLE(BatchStat))                                                 \
    PYTREE_FIELD(DATA, spots)
#include "pytree_registry.h"

static const char dense_types[] =
    "\"types\":[{\"name\":\"Dense\",\"kind\":\"struct\",\"size\":40,\"align\":8,\"fields\":["
    "{\"name\":\"n\",\"row\":\"static\",\"type\":1,\"offset\":0,\"size\":4},"
    "{\"name\":\"w\",\"row\":\"data\",\"type\":2,\"offset\":8,\"size\":8,\"place\":\"pointer\",\"form\":\"leaf\",\"ndim\":2,"
    "\"optional\":true,\"written\":\"ARRAY(self->n, 2), OPTIONAL, ROLE(BatchStat)\",\"role\":[\"BatchStat\",\"Variable\"]},"
    "{\"name\":\"spots\",\"row\":\"data\",\"type\":2,\"offset\":16,\"size\":24,\"shape\":[2,3],\"place\":\"in place\","
    "\"form\":\"leaf\",\"ndim\":2}]},"
    "{\"name\":\"int\",\"kind\":\"leaf\",\"size\":4,\"align\":4,\"dtype\":\"i32\"},"
    "{\"name\":\"float\",\"kind\":\"leaf\",\"size\":4,\"align\":4,\"dtype\":\"f32\"}]";

static void types_are_described(void **state)
{
    pytree_error error = { 0 };
    char expected[ROOM];
    size_t n;
    (void)state;
    if (sizeof(void *) != 8) { skip(); }  /* the offsets are those of 64 bits */
    n = (size_t)snprintf(expected, sizeof expected, "{\"format\":1,\"version\":\"" PYTREE_VERSION "\",%s}", dense_types);
    assert_int_equal(pytree_layout_type_text(PYTREE_TYPE(Dense), text, sizeof text, NULL, &error), n);
    assert_ok(error.status, &error);
    assert_string_equal(text, expected);
}

static void treedefs_are_described(void **state)
{
    float w[6] = { 0 };
    Dense dense = { 3, w, { { 0 } } };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&dense), NULL, &error);
    size_t n;
    (void)state;
    assert_non_null(def);
    n = pytree_layout_def_text(def, text, sizeof text, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(strlen(text), n);
    assert_non_null(strstr(text, "\"none_is_leaf\":false,\"space\":null,\"types\":[{\"name\":\"Dense\","));
    assert_string_equal(strstr(text, ",\"nodes\""),
                        ",\"nodes\":[{\"type\":null},{\"type\":null},{\"type\":0,\"children\":2,\"statics\":[3]}]}");
    pytree_def_free(def);
}

static void containers_are_described(void **state)
{
    (void)state;
    assert_words(PYTREE_DICT({ "b", PYTREE_NONE }, { "a", PYTREE_NONE }), "\"children\":2,\"keys\":[\"a\",\"b\"]}]}");
    assert_words(PYTREE_ODICT({ "b", PYTREE_NONE }, { "a", PYTREE_NONE }), "\"children\":2,\"keys\":[\"b\",\"a\"]}]}");
    assert_words(PYTREE_IDICT({ 2, PYTREE_NONE }, { -3, PYTREE_NONE }), "\"children\":2,\"keys\":[-3,2]}]}");
    assert_words(PYTREE_NAMEDTUPLE("Pair", { "x", PYTREE_NONE }), "\"children\":1,\"name\":\"Pair\",\"keys\":[\"x\"]}]}");
    assert_words(PYTREE_DEFAULTDICT("int", { "k", PYTREE_NONE }), "\"children\":1,\"factory\":\"int\",\"keys\":[\"k\"]}]}");
    assert_words(PYTREE_DEFAULTDICT(NULL, { "k", PYTREE_NONE }), "\"factory\":null,");
    assert_words(PYTREE_DEQUE(4, PYTREE_NONE), "\"children\":1,\"maxlen\":4}]}");
    assert_words(PYTREE_DEQUE(PYTREE_UNBOUNDED, PYTREE_NONE), "\"children\":1}]}");
    assert_words(PYTREE_VARIABLE(Param, PYTREE_NONE),
                 "\"children\":1,\"metadata\":\"None\",\"keys\":[{\"attribute\":\"value\"}]}]}");
    assert_words(PYTREE_TUPLE(PYTREE_LIST()), "\"children\":0},{\"type\":1,\"children\":1}]}");
}

typedef struct Keyed {
    pytree child;
    pytree_entry key;
} Keyed;

static size_t keyed_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Keyed *const keyed = (const Keyed *)self;
    if (children != NULL) { children[0] = keyed->child; }
    if (keys != NULL) { keys[0] = keyed->key; }
    return 1;
}

static const pytree_custom keyed_callbacks = { .children = keyed_children, .keyed = true };
#define PYTREE_STRUCT Keyed
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

/* The key of a custom node has its kind. An index is a size, and the key of a dict of integers has a sign. */
static void keys_of_custom_nodes_are_described(void **state)
{
    static const struct { pytree_entry key; const char *words; } all[] = {
        { { PYTREE_ATTRIBUTE, "w", 0 }, "{\"attribute\":\"w\"}" },
        { { PYTREE_KEY, "a\"b", 0 }, "{\"key\":\"a\\\"b\"}" },
        { { PYTREE_INDEX, NULL, 7 }, "{\"index\":7}" },
        { { PYTREE_FLAT_INDEX, NULL, 8 }, "{\"flat\":8}" },
        { { PYTREE_INT_KEY, NULL, (pytree_key_index)-3 }, "{\"key\":-3}" },
        { { PYTREE_INDEX, NULL, SIZE_MAX }, NULL },
        { { PYTREE_FLAT_INDEX, NULL, SIZE_MAX }, NULL },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(all); i++) {
        Keyed keyed = { PYTREE_NONE, all[i].key };
        char words[100], largest[60];
        snprintf(largest, sizeof largest, all[i].key.kind == PYTREE_INDEX ? "{\"index\":%zu}" : "{\"flat\":%zu}", SIZE_MAX);
        snprintf(words, sizeof words, "\"keys\":[%s]}]}", all[i].words == NULL ? largest : all[i].words);
        assert_words(PYTREE(&keyed), words);
    }
}

/* Keys and static strings of any bytes: what JSON wants escaped is, and bytes that are not UTF-8 are lone surrogates. */
static void any_bytes_are_described(void **state)
{
    (void)state;
    assert_words(PYTREE_DICT({ "a\"b\\c\b\f\n\r\t\x01\x7f", PYTREE_NONE }), "[\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\x7f\"]");
    assert_words(PYTREE_DICT({ "\xff\xed\xa0\x80gr\xc3\xb6\xc3", PYTREE_NONE }),
                 "[\"\\udcff\\udced\\udca0\\udc80gr\xc3\xb6\\udcc3\"]");
}

typedef struct Statics {
    bool yes;
    char letter;
    int64_t large;
    double rate, bad[3];
    long double wide;
    pytree_f16 half;
    const char *name, *none;
    char code[8];
    Config config;
    int table[2][2];
    Color color;
    void *at;
    unsigned bits : 3;
} Statics;

#define PYTREE_STRUCT Statics
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, yes) PYTREE_FIELD(STATIC, letter) PYTREE_FIELD(STATIC, large) PYTREE_FIELD(STATIC, rate)       \
    PYTREE_FIELD(STATIC, bad) PYTREE_FIELD(STATIC, wide) PYTREE_FIELD(STATIC, half) PYTREE_FIELD(STATIC, name)          \
    PYTREE_FIELD(STATIC, none) PYTREE_FIELD(STATIC, code, STRING) PYTREE_FIELD(STATIC, config)                          \
    PYTREE_FIELD(STATIC, table) PYTREE_FIELD(STATIC, color) PYTREE_FIELD(STATIC, at) PYTREE_FIELD(STATIC, bits, BITS)
#include "pytree_registry.h"

static void static_values_are_described(void **state)
{
    Statics s = { .yes = true, .letter = 'A', .large = INT64_MIN, .rate = 1e20, .bad = { NAN, -INFINITY, -0.0 }, .wide = 0.5L,
                  .half = { 0x3C00 }, .name = "a\"b", .code = "xyz", .config = { 3, "relu", { 0.5f, 0.25f } },
                  .table = { { 1, 2 }, { 3, 4 } }, .color = BLUE, .bits = 5 };
    (void)state;
    assert_words(PYTREE(&s), "\"children\":0,\"statics\":[true,65,-9223372036854775808,1e+20,"
                             "[{\"text\":\"nan\"},{\"text\":\"-inf\"},-0.0],{\"text\":\"0.5\"},1.0,\"a\\\"b\",null,\"xyz\","
                             "{\"width\":3,\"activation\":\"relu\",\"rates\":[0.5,0.25]},[1,2,3,4],2,"
                             "{\"text\":\"<address 0x0>\"},5]}");
}

typedef struct Flags { bool lone, many[3]; } Flags;
#define PYTREE_STRUCT Flags
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, lone) PYTREE_FIELD(STATIC, many)
#include "pytree_registry.h"

static void truth_values_are_described(void **state)
{
    Flags flags = { false, { false, true, false } };
    (void)state;
    assert_words(PYTREE(&flags), "\"statics\":[false,[false,true,false]]");
}

#define PYTREE_NAMESPACE train
#define PYTREE_STRUCT Flags
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, lone) PYTREE_FIELD(DATA, many)
#include "pytree_registry.h"

/* A type and a treedef of a namespace have its name. */
static void namespaces_are_described(void **state)
{
    const pytree_options train = { .space = "train" };
    Flags flags = { true, { false, true, false } };
    cJSON *json = described(PYTREE(&flags), &train);
    const cJSON *const nodes = member(json, "nodes"), *const root = element(nodes, (size_t)cJSON_GetArraySize(nodes) - 1);
    const cJSON *type = element(member(json, "types"), number_in(root, "type"));
    (void)state;
    assert_string_equal(word_in(json, "space"), "train");
    assert_string_equal(word_in(type, "name"), "Flags");
    assert_string_equal(word_in(type, "space"), "train");
    cJSON_Delete(json);
    json = described(PYTREE(&flags), NULL);
    type = element(member(json, "types"), 0);
    assert_true(cJSON_IsNull(member(json, "space")));
    assert_string_equal(word_in(type, "name"), "Flags");
    assert_null(cJSON_GetObjectItem(type, "space"));
    cJSON_Delete(json);
}

#if TEST_HAS_COMPLEX
typedef struct Phases {
    double _Complex many[3];
    float _Complex one;
} Phases;
#define PYTREE_STRUCT Phases
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, many) PYTREE_FIELD(STATIC, one)
#include "pytree_registry.h"

/* JSON has no complex numbers: not even those whose text begins with a digit, for want of a real part, are put as they are. */
static void complex_static_values_are_words(void **state)
{
    static const double many[] = { 1.5, -2.0, 0.0, 3.0, 0.0, -0.5 };
    static const float one[] = { -1.0f, 2.0f };
    Phases phases;
    (void)state;
    memset(&phases, 0, sizeof phases);
    memcpy(phases.many, many, sizeof many);
    memcpy(&phases.one, one, sizeof one);
    assert_words(PYTREE(&phases), "\"statics\":[[{\"text\":\"(1.5-2j)\"},{\"text\":\"3j\"},{\"text\":\"-0.5j\"}],"
                                  "{\"text\":\"(-1+2j)\"}]}");
}
#endif

static void leaves_without_data_are_described(void **state)
{
    const pytree_leaf shape = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 3, 4 } };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE_INT(1)), NULL, NULL);
    const pytree_flat flat = { def, &shape };
    (void)state;
    assert_non_null(def);
    assert_words(PYTREE(&flat), "\"shape\":[3,4],\"address\":null}");
    pytree_def_free(def);
}

/* ---- Limits ----------------------------------------------------------------------------------------------------------- */

static void buffers_may_be_short(void **state)
{
    float w[6] = { 0 };
    Dense dense = { 3, w, { { 0 } } };
    const size_t n = pytree_layout_text(PYTREE(&dense), text, sizeof text, NULL, NULL);
    char few[64], abi[300];
    size_t room;
    (void)state;
    for (room = 0; room <= sizeof few; room++) {
        memset(few, '#', sizeof few);
        assert_int_equal(pytree_layout_text(PYTREE(&dense), few, room, NULL, NULL), n);
        if (room != 0) {
            assert_memory_equal(few, text, room - 1);
            assert_int_equal(few[room - 1], 0);
        }
        if (room < sizeof few) { assert_int_equal(few[room], '#'); }
    }
    assert_in_range(pytree_layout_abi(abi, sizeof abi), 1, sizeof abi - 1);
    assert_int_equal(pytree_layout_abi(NULL, 0), strlen(abi));
    snprintf(text, sizeof text, "\"pointer\":%zu,", sizeof(void *));
    assert_non_null(strstr(abi, text));
    snprintf(text, sizeof text, "\"error\":{\"size\":%zu,\"status\":%zu,\"message\":%zu,\"path\":%zu}}", sizeof(pytree_error),
             offsetof(pytree_error, status), offsetof(pytree_error, message), offsetof(pytree_error, path));
    assert_non_null(strstr(abi, text));
}

static void mistakes_are_errors(void **state)
{
    Dense dense = { 3, NULL, { { 0 } } };
    Linear linear = { 3, 4, NULL, NULL };
    pytree_error error = { 0 };
    const pytree both = PYTREE_LIST(PYTREE(&dense), PYTREE(&linear));
    (void)state;
    strcpy(text, "#");
    assert_int_equal(pytree_layout_text(both, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, "[1].w", &error);
    assert_string_equal(text, "");
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_layout_def_text(NULL, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_layout_type_text(NULL, text, sizeof text, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
}

static void deep_trees_are_described(void **state)
{
    enum { DEPTH = 2000 };
    static pytree tree[DEPTH + 1];
    static pytree_items items[DEPTH];
    pytree_error error = { 0 };
    size_t i, n;
    (void)state;
    tree[0] = PYTREE_NONE;
    for (i = 0; i < DEPTH; i++) {
        items[i].count = 1;
        items[i].items = &tree[i];
        tree[i + 1] = PYTREE_LIST();
        tree[i + 1].data = &items[i];
    }
    n = pytree_layout_text(tree[DEPTH], text, sizeof text, NULL, &error);
    assert_ok(error.status, &error);
    assert_in_range(n, 23 * DEPTH, sizeof text - 1);
}

static pytree_status describe_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t n = pytree_layout_text(*(const pytree *)context, text, sizeof text, opt, err);
    assert_true((n == SIZE_MAX) == (err->status != PYTREE_OK) && (text[0] == '\0') == (err->status != PYTREE_OK));
    return err->status;
}

/* Only the length is asked for. */
static pytree_status measure_tree(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t n = pytree_layout_text(*(const pytree *)context, NULL, 0, opt, err);
    assert_true((n == SIZE_MAX) == (err->status != PYTREE_OK));
    return err->status;
}

static pytree_status describe_def(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t n = pytree_layout_def_text((const pytree_def *)context, text, sizeof text, opt, err);
    assert_true((n == SIZE_MAX) == (err->status != PYTREE_OK));
    return err->status;
}

static pytree_status describe_type(void *context, const pytree_options *opt, pytree_error *err)
{
    const size_t n = pytree_layout_type_text((const pytree_type *)context, text, sizeof text, opt, err);
    assert_true((n == SIZE_MAX) == (err->status != PYTREE_OK));
    return err->status;
}

static void allocations(void **state)
{
    const char *name;
    pytree tree = PYTREE_LIST(every_tree(EVERY_TREES - 1, &name), PYTREE_VARIABLE(Param, PYTREE_INT(3)));
    pytree_def *def = pytree_structure(tree, NULL, NULL);
    (void)state;
    assert_non_null(def);
    assert_in_range(sweep_allocations(describe_tree, &tree), 4, 40);
    assert_in_range(sweep_allocations(measure_tree, &tree), 4, 40);
    assert_in_range(sweep_allocations(describe_def, def), 3, 40);
    assert_in_range(sweep_allocations(describe_type, (void *)(uintptr_t)tree.type), 2, 10);
    assert_in_range(sweep_allocations(describe_type, (void *)(uintptr_t)PYTREE_TYPE(EveryAll)), 2, 20);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_described),
        cmocka_unit_test(types_are_described),
        cmocka_unit_test(treedefs_are_described),
        cmocka_unit_test(containers_are_described),
        cmocka_unit_test(keys_of_custom_nodes_are_described),
        cmocka_unit_test(any_bytes_are_described),
        cmocka_unit_test(static_values_are_described), cmocka_unit_test(truth_values_are_described),
        cmocka_unit_test(namespaces_are_described),
#if TEST_HAS_COMPLEX
        cmocka_unit_test(complex_static_values_are_words),
#endif
        cmocka_unit_test(leaves_without_data_are_described),
        cmocka_unit_test(buffers_may_be_short),
        cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(deep_trees_are_described),
        cmocka_unit_test(allocations)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
