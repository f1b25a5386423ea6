/* Rows for strings in the struct itself and for bit-fields. */
#include "rows_shared.h"

/* ---- STRING ------------------------------------------------------------------------------------------------------------ */

typedef struct Channel {
    char name[16];
    char unit[8];
    unsigned char label[4];
    float gain;
    char aliases[2][6];
} Channel;

#define PYTREE_STRUCT Channel
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, name, STRING)                                                                                    \
    PYTREE_FIELD(STATIC, unit, STRING)                                                                                  \
    PYTREE_FIELD(DATA, label, STRING)                                                                                   \
    PYTREE_FIELD(DATA, gain)                                                                                            \
    PYTREE_FIELD(DATA, aliases, STRING)
#include "pytree_registry.h"

typedef struct Recorder {
    size_t n;
    Channel first;
    Channel *channels;
} Recorder;

#define PYTREE_STRUCT Recorder
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, channels, LIST(self->n))
#include "pytree_registry.h"

static const Channel channel = { "left", "mV", "L", 2.5f, { "a", "bc" } };

static void a_string_in_the_struct_is_a_leaf(void **state)
{
    Channel c = channel;
    pytree_leaf leaves[4];
    char text[ROWS_TEXT];
    size_t n;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&c), leaves, COUNT_OF(leaves), &n, NULL, &error), &error);
    assert_int_equal(n, 4);
    assert_int_equal(leaves[0].type->dtype, PYTREE_TEXT);
    assert_ptr_equal(leaves[0].data, c.name);
    assert_int_equal(leaves[0].ndim, 1);
    assert_int_equal(leaves[0].shape[0], sizeof c.name);
    assert_int_equal(leaves[3].ndim, 2);
    assert_int_equal(leaves[3].shape[0], 2);
    assert_int_equal(leaves[3].shape[1], 6);
    assert_string_equal(rows_printed(PYTREE(&c), text),
                        ".name  text[16] 'left'\n.label  text[4] 'L'\n.gain  f32 2.5\n.aliases  text[2,6]\n");
    assert_def_text(PYTREE(&c), "PyTreeDef(CustomNode(Channel[('mV',)], [*, *, *, *]))", NULL);
}

static void strings_in_structs_are_rebuilt(void **state)
{
    static const pytree_type *const types[] = { PYTREE_TYPE(Channel), PYTREE_TYPE(Recorder) };
    Channel c = channel, both[2] = { channel, channel };
    Recorder recorder = { 2, channel, both };
    (void)state;
    strcpy(both[1].name, "right");
    rows_assert_round_trip(PYTREE(&c), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&recorder), COUNT_OF(types), types);
}

static void strings_differ_up_to_their_end(void **state)
{
    Channel a = channel, b = channel;
    pytree_error error = { 0 };
    (void)state;
    b.name[10] = 'x';                     /* behind the end: no difference */
    b.unit[5] = 'y';
    b.aliases[0][4] = 'z';
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    b.aliases[1][1] = 'd';
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".aliases", &error);
    assert_string_equal(error.message, "expected 'bc', got 'bd' at element 6");
    b = a;
    memset(&error, 0, sizeof error);
    strcpy(b.unit, "V");
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
}

static void a_string_must_end_in_its_array(void **state)
{
    Channel c = channel, others[2] = { channel, channel };
    Recorder recorder = { 2, channel, others };
    pytree_error error = { 0 };
    size_t n;
    (void)state;
    memset(c.label, 'x', sizeof c.label);
    assert_int_equal(pytree_num_leaves(PYTREE(&c), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_VALUE, ".label", &error);
    assert_string_equal(error.message, "expected a string that ends within its 4 bytes, got one without end");
    memset(&error, 0, sizeof error);
    memset(others[1].aliases[1], 'x', sizeof others[1].aliases[1]);
    assert_null(pytree_clone(PYTREE(&recorder), NULL, &error).data);
    assert_error(error.status, PYTREE_VALUE, ".channels[1].aliases", &error);
    others[1] = channel;
    memset(&error, 0, sizeof error);
    memset(recorder.first.unit, 'x', sizeof recorder.first.unit);
    assert_null(pytree_structure(PYTREE(&recorder), NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".first", &error);
    assert_string_equal(error.message, "expected a string that ends within the 8 bytes of unit, got one without end");
    recorder.first = channel;
    memset(&error, 0, sizeof error);
    memset(recorder.first.name, 'x', sizeof recorder.first.name);
    assert_error(pytree_check(PYTREE(&recorder), NULL, NULL, NULL, &error), PYTREE_VALUE, ".first.name", &error);
    recorder.first.name[15] = '\0';
    memset(&error, 0, sizeof error);
    n = pytree_num_leaves(PYTREE(&recorder), NULL, &error);
    assert_int_equal(n, 12);
}

static void a_string_that_is_too_long_is_refused(void **state)
{
    static const pytree_type *const types[] = { PYTREE_TYPE(Channel) };
    Channel c = channel;
    char longer[20] = "left";
    pytree_leaf leaves[4];
    pytree_error error = { 0 };
    pytree_def *def;
    unsigned char bytes[500];
    size_t n, size, i;
    (void)state;
    assert_null(pytree_def_parse("PyTreeDef(CustomNode(Channel[('12345678',)], [*, *, *, *]))", types, 1, NULL, &error));
    assert_int_equal(error.status, PYTREE_SYNTAX);
    assert_non_null(strstr(error.message, "a string in quotes of at most 7 bytes"));
    memset(&error, 0, sizeof error);
    assert_ok(pytree_leaves(PYTREE(&c), leaves, 4, &n, NULL, &error), &error);
    def = pytree_structure(PYTREE(&c), NULL, &error);
    leaves[0].data = longer;
    leaves[0].shape[0] = sizeof longer;
    assert_error(pytree_unflatten_into(def, 4, leaves, PYTREE(&c), NULL, &error), PYTREE_SHAPE, ".name", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_unflatten(def, 4, leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_SHAPE, ".name", &error);
    memset(&error, 0, sizeof error);
    size = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
    for (i = 0; i + 3 <= size && memcmp(bytes + i, "mV", 3) != 0; i++) {}
    bytes[i + 4] = 'x';                   /* behind the string's end: not what pytree_def_save writes */
    assert_null(pytree_def_load(bytes, size, types, 1, NULL, &error));
    assert_int_equal(error.status, PYTREE_SYNTAX);
    pytree_def_free(def);
}

static void strings_in_folds(void **state)
{
    Channel c = channel;
    pytree_error error = { 0 };
    bool yes = false;
    (void)state;
    assert_ok(pytree_all(PYTREE(&c), &yes, NULL, &error), &error);
    assert_true(yes);
    c.aliases[1][0] = '\0';
    assert_ok(pytree_all(PYTREE(&c), &yes, NULL, &error), &error);
    assert_false(yes);
}

/* ---- BITS -------------------------------------------------------------------------------------------------------------- */

typedef struct Packet {
    char mark, kind;
    unsigned version : 4;
    signed int offset : 6;
    unsigned : 3;
    bool urgent : 1;
    unsigned long long sequence : 60;
    char name[6];
    float load;
    unsigned scratch : 5, checked : 1;
    double sum;
    unsigned char last : 2;
} Packet;

#define PYTREE_STRUCT Packet
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, mark) PYTREE_FIELD(DROP, kind)                                                                   \
    PYTREE_FIELD(STATIC, version, BITS) PYTREE_FIELD(STATIC, offset, BITS) PYTREE_FIELD(STATIC, urgent, BITS)           \
    PYTREE_FIELD(STATIC, sequence, BITS) PYTREE_FIELD(DATA, name, STRING) PYTREE_FIELD(DATA, load)                      \
    PYTREE_FIELD(DROP, scratch, BITS) PYTREE_FIELD(STATIC, checked, BITS) PYTREE_FIELD(DATA, sum)                       \
    PYTREE_FIELD(STATIC, last, BITS)
#include "pytree_registry.h"

typedef struct Flags { char mark, kind; unsigned a : 1, b : 3; } Flags;

#define PYTREE_STRUCT Flags
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, mark) PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, a, BITS) PYTREE_FIELD(STATIC, b, BITS)
#include "pytree_registry.h"

typedef struct Traffic {
    Flags flags[2];
    Packet last;
    Packet packets[2];
} Traffic;

#define PYTREE_STRUCT Traffic
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, flags) PYTREE_FIELD(DATA, last) PYTREE_FIELD(DATA, packets)
#include "pytree_registry.h"

static Packet packet_make(void)
{
    Packet p;
    memset(&p, 0, sizeof p);
    p.version = 11;
    p.offset = -32;
    p.urgent = true;
    p.sequence = 1152921504606846975u;
    strcpy(p.name, "up");
    p.load = 0.5f;
    p.scratch = 21;
    p.checked = 1;
    p.sum = 2.0;
    p.last = 3;
    return p;
}

static void bit_fields_are_static_numbers(void **state)
{
    Packet p = packet_make();
    char text[ROWS_TEXT];
    (void)state;
    assert_def_text(PYTREE(&p), "PyTreeDef(CustomNode(Packet[(11, -32, 1, 1152921504606846975, 1, 3)], [*, *, *]))", NULL);
    assert_string_equal(rows_printed(PYTREE(&p), text), ".name  text[6] 'up'\n.load  f32 0.5\n.sum  f64 2.0\n");
}

static void bit_fields_are_rebuilt(void **state)
{
    static const pytree_type *const types[] = { PYTREE_TYPE(Packet), PYTREE_TYPE(Traffic), PYTREE_TYPE(Flags) };
    Packet p = packet_make();
    Traffic traffic = { { { 'x', 'z', 1, 5 }, { 'y', 'z', 0, 7 } }, packet_make(), { packet_make(), packet_make() } };
    pytree_error error = { 0 };
    pytree copy;
    const Packet *made;
    (void)state;
    traffic.packets[1].sequence = 0;
    rows_assert_round_trip(PYTREE(&p), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&traffic), COUNT_OF(types), types);
    copy = pytree_clone(PYTREE(&traffic), NULL, &error);
    assert_ok(error.status, &error);
    made = &((const Traffic *)copy.data)->last;
    assert_true(made->version == 11 && made->offset == -32 && made->urgent && made->sequence == 1152921504606846975u);
    assert_true(made->checked == 1 && made->last == 3 && made->scratch == 0);
    assert_int_equal(((const Traffic *)copy.data)->flags[1].b, 7);
    pytree_free(copy);
}

static void bit_fields_are_structure(void **state)
{
    Packet a = packet_make(), b = packet_make();
    Traffic x = { { { 'x', 'z', 1, 5 }, { 'y', 'z', 0, 7 } }, packet_make(), { packet_make(), packet_make() } }, y = x;
    pytree_error error = { 0 };
    (void)state;
    b.scratch = 3;                        /* dropped: no difference */
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    b.offset = 31;
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_copy_into(PYTREE(&a), PYTREE(&b), NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_int_equal(a.offset, -32);
    memset(&error, 0, sizeof error);
    y.packets[1].last = 1;
    assert_false(pytree_equal(PYTREE(&x), PYTREE(&y), NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, ".packets[1]", &error);
    y = x;
    y.flags[1].b = 6;
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal(PYTREE(&x), PYTREE(&y), NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
}

typedef struct Sized {                    /* an extent in a bit-field */
    int first, second;
    unsigned n : 10;
    float *w;
} Sized;

#define PYTREE_STRUCT Sized
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, first) PYTREE_FIELD(DROP, second) PYTREE_FIELD(STATIC, n, BITS) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

static void extents_in_bit_fields(void **state)
{
    static const pytree_type *const types[] = { PYTREE_TYPE(Sized) };
    Sized sized = { 0, 0, 700, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_allocate(PYTREE(&sized), NULL, &error), &error);
    sized.w[699] = 1.0f;
    rows_assert_round_trip(PYTREE(&sized), 1, types);
    pytree_free(PYTREE(&sized));
    assert_null(sized.w);
}

/* ---- char * that is no string ------------------------------------------------------------------------------------------- */

typedef struct Blob {
    size_t n;
    char *bytes;
    const char *names;                    /* several, each with its NUL */
} Blob;

#define PYTREE_STRUCT Blob
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, bytes, ARRAY(self->n)) PYTREE_FIELD(DATA, names, ARRAY(self->n), OPTIONAL)
#include "pytree_registry.h"

static void characters_as_an_array(void **state)
{
    static const pytree_type *const types[] = { PYTREE_TYPE(Blob) };
    char bytes[] = { 1, 0, 2, 0 };
    Blob blob = { sizeof bytes, bytes, "a\0b" };
    char text[ROWS_TEXT];
    const char *number = CHAR_MIN < 0 ? "i8" : "u8";
    char expected[100];
    (void)state;
    rows_assert_round_trip(PYTREE(&blob), 1, types);
    snprintf(expected, sizeof expected, ".bytes  %s[4]\n.names  %s[4]\n", number, number);
    assert_string_equal(rows_printed(PYTREE(&blob), text), expected);
    blob.names = NULL;
    rows_assert_round_trip(PYTREE(&blob), 1, types);
}

static void literals_of_such_structs(void **state)
{
    Packet p = packet_make();
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    char text[ROWS_TEXT] = "";
    (void)state;
    assert_non_null(file);
    assert_ok(pytree_literal_print(file, PYTREE(&p), NULL, &error), &error);
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "Packet(version=11, offset=-32, urgent=1, sequence=1152921504606846975, checked=1, last=3, "
                              "name='up', load=f32(0.5), sum=2.0)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_in_the_struct_is_a_leaf),
        cmocka_unit_test(strings_in_structs_are_rebuilt),
        cmocka_unit_test(strings_differ_up_to_their_end),
        cmocka_unit_test(a_string_must_end_in_its_array),
        cmocka_unit_test(a_string_that_is_too_long_is_refused),
        cmocka_unit_test(strings_in_folds),
        cmocka_unit_test(bit_fields_are_static_numbers),
        cmocka_unit_test(bit_fields_are_rebuilt),
        cmocka_unit_test(bit_fields_are_structure),
        cmocka_unit_test(extents_in_bit_fields),
        cmocka_unit_test(characters_as_an_array),
        cmocka_unit_test(literals_of_such_structs)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
