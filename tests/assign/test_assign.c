/* Settings from text: what is converted, made, resized, and refused. */
#include "assign_shared.h"

/* ---- What can be assigned ------------------------------------------------------------------------------------------------ */

static void assigned(pytree t, const char *path, const char *text)
{
    pytree_error error = { 0 };
    assert_ok(pytree_assign_text(t, path, text, NULL, &error), &error);
}

/* The assignment is refused with these words, and nothing has changed. */
static void refused(pytree t, const char *path, const char *text, pytree_status status, const char *where, const char *words)
{
    pytree_error error = { 0 };
    char *before = literal_of(t), *after;
    assert_error(pytree_assign_text(t, path, text, NULL, &error), status, where, &error);
    assert_string_equal(error.message, words);
    after = literal_of(t);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void members_by_name(void **state)
{
    pytree t = new_settings(NULL);
    const Settings *c = t.data;
    (void)state;
    assigned(t, "", "{'gamma': 2.2, 'window': {'size': [800, 600], 'title': 'Hello', 'full': True}, 'mode': 'fast'}");
    assert_true(c->gamma == (float)2.2f);
    assert_int_equal(c->window.size[0], 800);
    assert_int_equal(c->window.size[1], 600);
    assert_string_equal(c->window.title, "Hello");
    assert_true(c->window.full);
    assert_int_equal(c->mode, MODE_FAST);
    assigned(t, "", "Settings(version=2, window=Window(size=(1, 2)))");
    assert_int_equal(c->window.size[1], 2);
    assert_string_equal(c->window.title, "Hello");
    pytree_free(t);
}

static void numbers(void **state)
{
    pytree t = new_settings(NULL);
    const Settings *c = t.data;
    (void)state;
    assigned(t, ".gamma", "3");
    assert_true(c->gamma == 3);
    assigned(t, ".gamma", "0.1");
    assert_true(c->gamma == (float)0.1f);
    assigned(t, ".gamma", "inf");
    assert_true(c->gamma > 1e38f);
    assigned(t, ".window.size[0]", "3.0");
    assert_int_equal(c->window.size[0], 3);
    assigned(t, ".window.full", "1");
    assert_true(c->window.full);
    assigned(t, ".matrix", "[[1, 2, 3], [4, 5.5, 6]]");
    assert_true(c->matrix[0][0] == 1 && c->matrix[1][1] == 5.5f && c->matrix[1][2] == 6);
    assigned(t, ".matrix[1]", "f64([7, 8, 9])");
    assert_true(c->matrix[0][2] == 3 && c->matrix[1][0] == 7 && c->matrix[1][2] == 9);
    assigned(t, ".matrix[0][2]", "-1");
    assert_true(c->matrix[0][2] == -1);
    assigned(t, ".matrix", "{1: {0: 70}}");
    assert_true(c->matrix[0][0] == 1 && c->matrix[1][0] == 70);
    assigned(t, ".ids", "i64([10, 20, 30])");
    assert_int_equal(c->ids[2], 30);
    refused(t, ".window.size[0]", "1.5", PYTREE_VALUE, ".window.size[0]", "expected i32, got 1.5");
    refused(t, ".window.size[0]", "3000000000", PYTREE_VALUE, ".window.size[0]", "expected i32, got 3000000000");
    refused(t, ".window.full", "2", PYTREE_VALUE, ".window.full", "expected bool, got 2");
    refused(t, ".gamma", "16777217", PYTREE_VALUE, ".gamma", "expected f32, got 16777217");
    refused(t, ".gamma", "1e40", PYTREE_VALUE, ".gamma", "expected f32, got 1e+40");
    refused(t, ".gamma", "'fast'", PYTREE_TYPE, ".gamma", "expected f32, got 'fast'");
    refused(t, ".gamma", "None", PYTREE_TYPE, ".gamma", "expected f32, got None");
    refused(t, ".gamma", "[1]", PYTREE_TYPE, ".gamma", "expected f32, got a list");
    refused(t, ".gamma", "1j", PYTREE_VALUE, ".gamma", "expected f32, got 1j");
    refused(t, ".matrix", "f64([7, 8, 9])", PYTREE_SHAPE, ".matrix", "expected f32[2,3], got f64[3]");
    refused(t, ".matrix", "7", PYTREE_SHAPE, ".matrix", "expected f32[2,3], got 7");
    refused(t, ".matrix", "[[1, 2, 3]]", PYTREE_SHAPE, ".matrix", "expected f32[2,3], got 1 element");
    refused(t, ".matrix[1]", "[1, 2]", PYTREE_SHAPE, ".matrix[1]", "expected f32[3], got 2 elements");
    refused(t, ".ids", "[1, 2, 3.5]", PYTREE_VALUE, ".ids[2]", "expected i32, got 3.5");
    refused(t, ".ids", "f64([1, 2, 3.5])", PYTREE_VALUE, ".ids", "expected i32[3], got 3.5");
    pytree_free(t);
}

static void enums(void **state)
{
    pytree t = new_settings(NULL);
    const Settings *c = t.data;
    char text[400];
    (void)state;
    assigned(t, ".mode", "fast");
    assert_int_equal(c->mode, MODE_FAST);
    assigned(t, ".mode", "'MODE_SLOW'");
    assert_int_equal(c->mode, MODE_SLOW);
    assigned(t, ".mode", "1");
    assert_int_equal(c->mode, MODE_SAFE);
    assigned(t, ".modes", "['safe', 7]");
    assert_true(c->modes[0] == MODE_SAFE && c->modes[1] == MODE_SLOW);
    refused(t, ".mode", "quick", PYTREE_VALUE, ".mode", "expected one of fast, safe, MODE_SLOW, got 'quick'");
    refused(t, ".mode", "2", PYTREE_VALUE, ".mode", "expected one of fast, safe, MODE_SLOW, got 2");
    refused(t, ".modes", "['safe', 'x']", PYTREE_VALUE, ".modes[1]", "expected one of fast, safe, MODE_SLOW, got 'x'");
    pytree_text(t, text, sizeof text, NULL, NULL);
    assert_non_null(strstr(text, "\n.mode  Mode safe\n.modes  Mode[2]\n"));
    pytree_text(t, text, sizeof text, &(pytree_options){ .print_values = 2 }, NULL);
    assert_non_null(strstr(text, "\n.mode  Mode safe\n.modes  Mode[2] safe MODE_SLOW\n"));
    assert_non_null(strstr(text, "\n.ids  i32[3] 1 2 ...\n"));
    pytree_free(t);
}

static void strings(void **state)
{
    pytree t = new_settings(NULL);
    Settings *c = t.data;
    (void)state;
    assigned(t, ".window.title", "2024");
    assert_string_equal(c->window.title, "2024");
    assigned(t, ".window.title", "'20 24'");
    assert_string_equal(c->window.title, "20 24");
    assigned(t, ".window.title", "a [b");
    assert_string_equal(c->window.title, "a [b");
    assigned(t, ".code", "fives");
    assert_string_equal(c->code, "fives");
    assigned(t, ".code", "12345");
    assert_string_equal(c->code, "12345");
    assigned(t, ".window.title", NULL);
    assert_string_equal(c->window.title, "a [b");
    assigned(t, ".label", "seven77");
    assert_string_equal(c->label, "seven77");
    assigned(t, ".label", "12");
    assert_string_equal(c->label, "12");
    assigned(t, ".window.title", "'x'");
    assert_int_equal(pytree_assign_at(t, ".window.title", PYTREE_DICT({ "a", PYTREE_INT(1) }), NULL, NULL), PYTREE_TYPE);
    assert_int_equal(pytree_assign_at(t, ".window.title", pytree_of_view(&(pytree_leaf){ .data = c->label,
                         .type = &pytree_types[PYTREE__T_text], .ndim = 1, .shape = { 8 } }), NULL, NULL), PYTREE_OK);
    assert_string_equal(c->window.title, "12");
    refused(t, ".label", "eighteen", PYTREE_SHAPE, ".label", "expected text[8], got 'eighteen'");
    refused(t, ".code", "sixsix", PYTREE_SHAPE, ".code",
            CHAR_MIN < 0 ? "expected i8[6], got 'sixsix'" : "expected u8[6], got 'sixsix'");
    refused(t, "", "{'window': {'title': 3}}", PYTREE_TYPE, ".window.title", "expected str, got 3");
    refused(t, ".window.title", "None", PYTREE_TYPE, ".window.title", "expected str, got None");
    pytree_free(t);
}

/* ---- Sections, lists, maps ----------------------------------------------------------------------------------------------- */

static void sections(void **state)
{
    pytree t = new_settings(NULL);
    Settings *c = t.data;
    (void)state;
    refused(t, ".log.level", "3", PYTREE_NULL_POINTER, ".log.file", "expected a string, got NULL (OPTIONAL allows it)");
    assigned(t, ".log", "{'file': 'a.log', 'level': 3}");
    assert_non_null(c->log);
    assert_string_equal(c->log->file, "a.log");
    assert_null(c->log->prefix);
    assert_int_equal(c->log->level, 3);
    assigned(t, ".log.level", "4");
    assert_int_equal(c->log->level, 4);
    assert_string_equal(c->log->file, "a.log");
    assigned(t, ".log.prefix", "'>'");
    assert_string_equal(c->log->prefix, ">");
    assigned(t, ".log.prefix", "None");
    assert_null(c->log->prefix);
    assigned(t, ".log.rules", "[{'name': 'x', 'weights': [1, 2]}]");
    assert_true(stbds_arrlen(c->log->rules) == 1 && c->log->rules[0].weights[1] == 2);
    assigned(t, ".log", "None");
    assert_null(c->log);
    assigned(t, ".log", "None");
    refused(t, ".log", "3", PYTREE_TYPE, ".log", "expected a Log, got 3");
    refused(t, ".log", "[3]", PYTREE_TYPE, ".log", "expected a Log, got a list");
    refused(t, ".window", "[3]", PYTREE_TYPE, ".window", "expected a Window, got a list");
    refused(t, ".window", "None", PYTREE_TYPE, ".window", "expected a Window, got None");
    pytree_free(t);
}

static void lists(void **state)
{
    pytree t = new_settings(NULL);
    Settings *c = t.data;
    (void)state;
    assigned(t, ".curve", "[0, 0.5, 1]");
    assert_int_equal(stbds_arrlen(c->curve), 3);
    assert_true(c->curve[1] == 0.5f);
    assigned(t, ".curve[3]", "2");
    assert_int_equal(stbds_arrlen(c->curve), 4);
    assert_true(c->curve[3] == 2 && c->curve[1] == 0.5f);
    assigned(t, ".curve[0]", "-1");
    assert_true(c->curve[0] == -1);
    assigned(t, ".curve", "f64([9, 8])");
    assert_true(stbds_arrlen(c->curve) == 2 && c->curve[1] == 8);
    assigned(t, ".curve", "[]");
    assert_int_equal(stbds_arrlen(c->curve), 0);
    refused(t, ".curve", "[1, 'x']", PYTREE_TYPE, ".curve[1]", "expected f32, got 'x'");
    refused(t, ".curve[5]", "1", PYTREE_NOT_FOUND, ".curve", "expected no element, got [5]");
    refused(t, ".curve", "{'a': 1}", PYTREE_TYPE, ".curve", "expected a list, got a dict");
    refused(t, ".curve", "1", PYTREE_TYPE, ".curve", "expected a list, got 1");
    stbds_arrput(c->curve, 5);            /* it is an stb_ds array like others */
    assigned(t, ".curve[1]", "6");
    assert_true(c->curve[0] == 5 && c->curve[1] == 6);
    pytree_free(t);
}

static void lists_of_structs(void **state)
{
    pytree t = new_settings(NULL);
    Settings *c = t.data;
    Log *log;
    (void)state;
    assigned(t, ".log", "{'file': 'f', 'rules': [{'name': 'a', 'weights': [1]}, {'name': 'b', 'weights': [2, 3], 'hits': 7}]}");
    log = c->log;
    assert_int_equal(stbds_arrlen(log->rules), 2);
    assert_true(log->rules[1].weights[1] == 3);
    assert_int_equal(log->rules[1].hits, 7);
    assigned(t, ".log.rules[2]", "{'name': 'c'}");
    assert_int_equal(stbds_arrlen(log->rules), 3);
    assert_string_equal(log->rules[2].name, "c");
    assert_true(log->rules[1].weights[1] == 3);
    assigned(t, ".log.rules[0].weights[1]", "4");
    assert_true(log->rules[0].weights[0] == 1 && log->rules[0].weights[1] == 4);
    assigned(t, ".log.rules", "[{'hits': 1}]");                /* what is not named stays; the others are gone */
    assert_int_equal(stbds_arrlen(log->rules), 1);
    assert_string_equal(log->rules[0].name, "a");
    assert_int_equal(log->rules[0].hits, 1);
    refused(t, ".log.rules[1]", "{'hits': 1}", PYTREE_NULL_POINTER, ".log.rules[1].name",
            "expected a string, got NULL (OPTIONAL allows it)");
    refused(t, ".log.rules", "[{'hits': 1}, {'name': 'n', 'weights': [1, 2, 'x']}]", PYTREE_TYPE, ".log.rules[1].weights[2]",
            "expected f64, got 'x'");
    pytree_free(t);
}

static void maps(void **state)
{
    pytree t = new_settings(NULL);
    Settings *c = t.data;
    (void)state;
    assigned(t, ".limits", "{'cpu': 0.5, 'memory': 100}");
    assert_int_equal(stbds_shlen(c->limits), 2);
    assert_true(stbds_shget(c->limits, "memory") == 100);
    assigned(t, ".limits['disk']", "7");
    assigned(t, ".limits['cpu']", "1");
    assert_int_equal(stbds_shlen(c->limits), 3);
    assert_true(stbds_shget(c->limits, "cpu") == 1 && stbds_shget(c->limits, "disk") == 7
                && stbds_shget(c->limits, "memory") == 100);
    assigned(t, ".limits", "{}");
    assert_int_equal(stbds_shlen(c->limits), 3);
    refused(t, ".limits", "{'net': 1, 'cpu': 'x'}", PYTREE_TYPE, ".limits['cpu']", "expected f64, got 'x'");
    refused(t, ".limits", "[1]", PYTREE_TYPE, ".limits", "expected a dict, got a list");
    pytree_free(t);
}

typedef struct Choice {
    int tag;
    union { int number; char *text; Window *window; } as;
} Choice;

#define PYTREE_STRUCT Choice
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, tag)                                                                                           \
    PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(1, number), CASE(2, text), CASE(3, window, OPTIONAL), CASE(0)))
#include "pytree_registry.h"

static void unions(void **state)
{
    static const char *const texts[] = { "None", "7", "'x'", "{'title': 't', 'size': [1, 2]}" };
    static char empty[] = "";
    char words[80];
    int tag, other;
    (void)state;
    for (tag = 0; tag < 4; tag++) {
        Choice c;
        pytree t;
        pytree_error error = { 0 };
        memset(&c, 0, sizeof c);
        c.tag = tag;
        if (tag == 2) { c.as.text = empty; }
        t = pytree_clone(PYTREE(&c), NULL, &error);
        assert_ok(error.status, &error);
        assert_ok(pytree_assign_text(t, ".as", texts[tag], NULL, &error), &error);
        c = *(Choice *)t.data;
        if (tag == 1) { assert_int_equal(c.as.number, 7); }
        if (tag == 2) { assert_string_equal(c.as.text, "x"); }
        if (tag == 3) { assert_int_equal(c.as.window->size[1], 2); }
        for (other = 0; other < 4; other++) {
            if (other == tag || (tag == 2 && other == 1) || (tag == 3 && other == 0)) { continue; }
            assert_int_not_equal(pytree_assign_text(t, ".as", texts[other], NULL, NULL), PYTREE_OK);
        }
        (void)snprintf(words, sizeof words, "expected %d (STATIC: it is structure), got 9", tag);
        refused(t, ".tag", "9", PYTREE_STRUCTURE, ".tag", words);
        pytree_free(t);
    }
}

static void union_without_a_member(void **state)
{
    Choice c = { 9, { 5 } };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_assign_text(PYTREE(&c), ".as", "7", NULL, &error), PYTREE_VALUE, ".as", &error);
    assert_int_equal(c.as.number, 5);
}

/* ---- What is wrong ------------------------------------------------------------------------------------------------------- */

static void names_and_statics(void **state)
{
    pytree t = new_settings(NULL);
    (void)state;
    refused(t, "", "{'window': {'sized': 3}}", PYTREE_NOT_FOUND, ".window", "expected .title, .size, .full, got ['sized']");
    refused(t, ".window.width", "3", PYTREE_NOT_FOUND, ".window", "expected .title, .size, .full, got ['width']");
    refused(t, ".window[0]", "3", PYTREE_TYPE, ".window", "expected a Window, got a dict");
    refused(t, ".window.size[2]", "3", PYTREE_NOT_FOUND, ".window.size", "expected an index below 2, got [2]");
    assigned(t, "", "{'small': 5, 'form': 'ini'}");
    refused(t, ".small", "4", PYTREE_STRUCTURE, ".small", "expected 5 (STATIC: it is structure), got 4");
    refused(t, ".form", "'in'", PYTREE_STRUCTURE, ".form", "expected 'ini' (STATIC: it is structure), got 'in'");
    assigned(t, ".version", "2");
    refused(t, ".version", "3", PYTREE_STRUCTURE, ".version", "expected 2 (STATIC: it is structure), got 3");
    refused(t, ".version", "[3]", PYTREE_STRUCTURE, ".version", "expected 2 (STATIC: it is structure), got a list");
    refused(t, "", "{'n_ids': 4}", PYTREE_STRUCTURE, ".n_ids", "expected 3 (STATIC: it is structure), got 4");
    refused(t, "", "{", PYTREE_SYNTAX, "",
            "line 1, column 2: expected '}' or a key (a string in quotes or an integer), got the end");
    refused(t, ".a.", "3", PYTREE_SYNTAX, ".a.", "expected a name at byte 3, got the end");
    pytree_free(t);
}

static void count_problem(void *context, const pytree_error *problem)
{
    size_t *n = context;
    assert_true(problem->status != PYTREE_OK);
    (*n)++;
}

/* ---- Static members that have parts ---------------------------------------------------------------------------------- */

typedef struct Unit { int scale; const char *name; short steps[2]; } Unit;
typedef struct Sheet { int sizes[2], grid[2][2]; const char *names[2]; Unit unit, units[2]; float x; } Sheet;

#define PYTREE_STRUCT Unit
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, scale) PYTREE_FIELD(STATIC, name) PYTREE_FIELD(STATIC, steps)
#include "pytree_registry.h"

#define PYTREE_STRUCT Sheet
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, sizes) PYTREE_FIELD(STATIC, grid) PYTREE_FIELD(STATIC, names) PYTREE_FIELD(STATIC, unit)       \
    PYTREE_FIELD(STATIC, units) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static void parts_of_statics(void **state)
{
    Sheet sheet = { { 3, 4 }, { { 1, 2 }, { 3, 4 } }, { "a", NULL }, { 1, "m", { 2, 3 } },
                    { { 1, "m", { 2, 3 } }, { 4, "s", { 5, 6 } } }, 2.5f };
    pytree t = PYTREE(&sheet);
    char *text = literal_of(t);
    pytree_error error = { 0 };
    (void)state;
    sheet.x = 0;
    assert_ok(pytree_assign_text(t, "", text, NULL, &error), &error);
    assert_true(sheet.x == 2.5f);
    free(text);
    assert_ok(pytree_assign_text(t, "", "{'grid': [[1, 2], [3, 4]], 'sizes': i32([3, 4])}", NULL, &error), &error);
    refused(t, ".sizes", "[3, 5]", PYTREE_STRUCTURE, ".sizes", "expected 4 (STATIC: it is structure), got 5");
    refused(t, ".sizes", "i32([3, 5])", PYTREE_STRUCTURE, ".sizes", "expected 4 (STATIC: it is structure), got 5");
    refused(t, ".sizes", "[3]", PYTREE_SHAPE, ".sizes", "expected i32[2], got 1 element");
    refused(t, ".sizes", "3", PYTREE_STRUCTURE, ".sizes", "expected i32[2] (STATIC: it is structure), got 3");
    refused(t, ".grid", "[[1, 2], [3, 5]]", PYTREE_STRUCTURE, ".grid", "expected 4 (STATIC: it is structure), got 5");
    refused(t, ".names", "['a', 'b']", PYTREE_STRUCTURE, ".names", "expected None (STATIC: it is structure), got 'b'");
    refused(t, ".unit", "{'steps': [2, 4], 'scale': 2}", PYTREE_STRUCTURE, ".unit.scale",
            "expected 1 (STATIC: it is structure), got 2; .unit.steps: expected 3 (STATIC: it is structure), got 4");
    refused(t, ".units", "[{}, {'name': 't'}]", PYTREE_STRUCTURE, ".units.name",
            "expected 's' (STATIC: it is structure), got 't'");
    refused(t, ".unit", "{'b': 1}", PYTREE_NOT_FOUND, ".unit", "expected .scale, .name, .steps, got ['b']");
    refused(t, ".unit", "None", PYTREE_STRUCTURE, ".unit", "expected a Unit (STATIC: it is structure), got None");
    assert_true(sheet.sizes[1] == 4 && sheet.grid[1][1] == 4 && sheet.unit.steps[1] == 3 && sheet.names[1] == NULL);
}

static void everything_wrong_at_once(void **state)
{
    pytree t = new_settings(NULL);
    size_t n = 0, i;
    const pytree_assign_options silent = { .report = NULL };
    pytree_assign_options opt = { .report = count_problem, .context = &n };
    pytree_error error = { 0 };
    char many[2000] = "{'gamma': 'x'", *at = many + strlen(many);
    (void)state;
    refused(t, "", "{'mode': 'slow', 'gamma': 'x', 'window': {'size': [1, 2.5], 'full': True}, 'no': 1}", PYTREE_TYPE, ".gamma",
            "expected f32, got 'x'; .mode: expected one of fast, safe, MODE_SLOW, got 'slow'; and 2 more");
    for (i = 0; i < 30; i++) { at += sprintf(at, ", 'no%d': 1", (int)i); }
    strcpy(at, "}");
    assert_int_equal(pytree_assign_text(t, "", many, &silent, NULL), PYTREE_TYPE);
    assert_error(pytree_assign_text(t, "", many, &opt, &error), PYTREE_TYPE, ".gamma", &error);
    assert_int_equal(n, 31);
    assert_non_null(strstr(error.message, " more"));
    assert_true(strlen(error.message) < PYTREE_ERROR_MESSAGE);
    pytree_free(t);
}

static void ownership(void **state)
{
    Settings c = defaults();
    pytree t = PYTREE(&c);
    pytree_error error = { 0 };
    (void)state;
    assigned(t, "", "{'gamma': 2, 'mode': 'fast', 'curve': [1, 2], 'code': 'xyz'}");
    assert_true(c.gamma == 2 && c.curve[1] == 2);
    assert_string_equal(c.code, "xyz");
    refused(t, ".window.title", "'x'", PYTREE_ARGUMENT, ".window.title",
            "expected a tree that can own what is assigned (from pytree_clone), got the caller's own for a string");
    refused(t, ".log", "{'file': 'x'}", PYTREE_ARGUMENT, ".log",
            "expected a tree that can own what is assigned (from pytree_clone), got the caller's own for a struct to make");
    assert_error(pytree_assign(t, (pytree){ NULL, NULL }, NULL, &error), PYTREE_ARGUMENT, "", &error);
    error.status = PYTREE_OK;
    assert_error(pytree_assign((pytree){ NULL, NULL }, t, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_assign_text(t, ".gamma", "x", NULL, NULL), PYTREE_TYPE);
    assert_int_equal(pytree_assign_text(t, "..", "x", NULL, NULL), PYTREE_SYNTAX);
    stbds_arrfree(c.curve);
}

/* ---- Settings, and other sources ----------------------------------------------------------------------------------------- */

static void settings(void **state)
{
    pytree t = new_settings(NULL);
    const Settings *c = t.data;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_assign_setting(t, "window.size[0]=1024", NULL, &error), &error);
    assert_ok(pytree_assign_setting(t, ".window.title=a=b", NULL, &error), &error);
    assert_ok(pytree_assign_setting(t, "limits['a=b']=3", NULL, &error), &error);
    assert_ok(pytree_assign_setting(t, "limits[\"c='d\"]=4", NULL, &error), &error);
    assert_ok(pytree_assign_setting(t, "limits['it\\'s=e']=5", NULL, &error), &error);
    assert_ok(pytree_assign_setting(t, "limits['c:\\\\']=6", NULL, &error), &error);      /* a backslash, escaped */
    assert_ok(pytree_assign_setting(t, "['window'].size[1]=768", NULL, &error), &error);
    assert_ok(pytree_assign_setting(t, "={'gamma': 4}", NULL, &error), &error);
    assert_int_equal(c->window.size[0], 1024);
    assert_string_equal(c->window.title, "a=b");
    assert_int_equal(c->window.size[1], 768);
    assert_true(stbds_shget(((Settings *)t.data)->limits, "a=b") == 3);
    assert_true(stbds_shget(((Settings *)t.data)->limits, "c='d") == 4);
    assert_true(stbds_shget(((Settings *)t.data)->limits, "it's=e") == 5);
    assert_true(stbds_shget(((Settings *)t.data)->limits, "c:\\") == 6);
    assert_true(c->gamma == 4);
    assert_error(pytree_assign_setting(t, "window.size", NULL, &error), PYTREE_SYNTAX, "", &error);
    assert_string_equal(error.message, "expected path=value, got window.size");
    memset(&error, 0, sizeof error);
    assert_error(pytree_assign_setting(t, "limits['c=\\", NULL, &error), PYTREE_SYNTAX, "", &error);
    assert_string_equal(error.message, "expected path=value, got limits['c=\\");
    pytree_free(t);
}

static void files(void **state)
{
    pytree t = new_settings(NULL);
    const Settings *c = t.data;
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    size_t i;
    (void)state;
    assert_non_null(file);
    fputs("{'gamma': 7,", file);
    for (i = 0; i < 10000; i++) { fputc(' ', file); }
    fputs("'window': {'full': True}}\n", file);
    rewind(file);
    assert_ok(pytree_assign_file(t, file, NULL, &error), &error);
    assert_true(c->gamma == 7 && c->window.full);
    assert_error(pytree_assign_file(t, file, NULL, &error), PYTREE_SYNTAX, "", &error);      /* at its end there is no more */
    fclose(file);
    error.status = PYTREE_OK;
    assert_error(pytree_assign_file(t, NULL, NULL, &error), PYTREE_ARGUMENT, "", &error);
    file = fopen("/dev/null", "w");
    if (file != NULL && fgetc(file) == EOF && ferror(file) != 0) {         /* cannot be read, and the system says so */
        error.status = PYTREE_OK;
        assert_error(pytree_assign_file(t, file, NULL, &error), PYTREE_IO, "", &error);
    }
    if (file != NULL) { fclose(file); }
    pytree_free(t);
}

typedef struct Screen {
    short size[2];
    const char *title;
} Screen;

#define PYTREE_STRUCT Screen
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, size)                                                                                            \
    PYTREE_FIELD(DATA, title)
#include "pytree_registry.h"

static void other_trees(void **state)
{
    pytree t = new_settings(NULL), u = new_settings(NULL);
    const Settings *c = t.data;
    Screen screen = { { 320, 200 }, "Screen" };
    pytree_error error = { 0 };
    char *text, *again;
    (void)state;
    assert_ok(pytree_assign_at(t, ".window", PYTREE(&screen), NULL, &error), &error);
    assert_int_equal(c->window.size[1], 200);
    assert_string_equal(c->window.title, "Screen");
    assert_ok(pytree_assign(t, PYTREE_DICT({ "window", PYTREE(&screen) }, { "gamma", PYTREE_INT(5) }), NULL, &error), &error);
    assert_true(c->gamma == 5);
    assert_ok(pytree_assign_text(t, "", "{'curve': [1, 2], 'limits': {'x': 1}, 'log': {'file': 'f', 'rules': [{'name': 'r'}]}}",
                                 NULL, &error), &error);
    assert_ok(pytree_assign(u, t, NULL, &error), &error);      /* a whole struct of the same type */
    assert_true(pytree_equal(t, u, NULL, NULL, &error));
    text = literal_of(t);
    pytree_free(u);
    u = new_settings(NULL);
    assert_ok(pytree_assign_text(u, "", text, NULL, &error), &error);      /* and its literal */
    assert_true(pytree_equal(t, u, NULL, NULL, &error));
    again = literal_of(u);
    assert_string_equal(text, again);
    free(text);
    free(again);
    assert_ok(pytree_assign(t, t, NULL, &error), &error);
    assert_true(pytree_equal(t, u, NULL, NULL, &error));
    pytree_free(t);
    pytree_free(u);
}

static void elements(void **state)
{
    Settings c = defaults();
    pytree t = PYTREE(&c);
    pytree_error error = { 0 };
    pytree_leaf leaf = pytree_at(t, ".window.size[1]", NULL, &error), row;
    double v = 7;
    (void)state;
    assert_int_equal(leaf.ndim, 0);
    assert_true(pytree_leaf_get(&leaf, 0) == 480);
    pytree_leaf_set(&leaf, 0, 500.9);
    assert_int_equal(c.window.size[1], 500);
    row = pytree_at(t, ".matrix[1]", NULL, &error);
    assert_true(row.ndim == 1 && row.shape[0] == 3 && row.data == c.matrix[1]);
    leaf = (pytree_leaf){ .data = &(float){ 9 }, .type = PYTREE_TYPE(float) };
    assert_ok(pytree_set_at(t, ".matrix[1][2]", &leaf, NULL, &error), &error);
    assert_true(c.matrix[1][2] == 9);
    assert_null(pytree_at(t, ".matrix[2]", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, ".matrix", &error);
    assert_string_equal(error.message, "expected [2], got a leaf f32[2,3]");
    error.status = PYTREE_OK;
    assert_null(pytree_at(t, ".gamma[0]", NULL, &error).type);
    error.status = PYTREE_OK;
    assert_null(pytree_at(t, ".window.size['0']", NULL, &error).type);
    leaf = (pytree_leaf){ .data = &v, .type = PYTREE_TYPE(double) };
    pytree_leaf_set(&leaf, 0, 0.1);
    assert_true(v == (double)0.1);
}

static void setting_every_type(void **state)
{
    union { bool b; int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
            pytree_f16 f16; pytree_bf16 bf16; float f; double d; long double l; } cell;
    static const pytree_dtype types[] = { PYTREE_I8, PYTREE_I16, PYTREE_I32, PYTREE_I64, PYTREE_U8, PYTREE_U16, PYTREE_U32,
                                          PYTREE_U64, PYTREE_F16, PYTREE_BF16, PYTREE_F32, PYTREE_F64, PYTREE_FLONG };
    static const double most[] = { 127, 32767, 2147483647., 9223372036854775807., 255, 65535, 4294967295.,
                                   18446744073709551615. };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof types / sizeof types[0]; i++) {
        pytree_leaf leaf = { .data = &cell, .type = pytree_dtype_type(types[i]) };
        pytree_leaf_set(&leaf, 0, 42);
        assert_true(pytree_leaf_get(&leaf, 0) == 42);
        if (i < sizeof most / sizeof most[0]) {
            pytree_leaf_set(&leaf, 0, 1e30);
            assert_true(pytree_leaf_get(&leaf, 0) == most[i]);
            pytree_leaf_set(&leaf, 0, -1e30);
            assert_true(pytree_leaf_get(&leaf, 0) == (i < 4 ? -most[i] - (i < 3) : 0));
        }
    }
}

static pytree_status file_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_assign_options options = { .tree = *opt };
    FILE *file = tmpfile();
    pytree_status status;
    float x = 0;
    (void)context;
    assert_non_null(file);
    fputs("{'x': 2.5}", file);
    rewind(file);
    status = pytree_assign_file(PYTREE_DICT({ "x", PYTREE(&x) }), file, &options, err);
    assert_true(x == (status == PYTREE_OK ? 2.5f : 0));
    fclose(file);
    return status;
}

static void memory_for_files(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(file_body, NULL), 2, 100);
}

static void no_path_and_no_setting(void **state)
{
    float x = 0;
    pytree t = PYTREE_DICT({ "x", PYTREE(&x) });
    (void)state;
    assert_int_equal(pytree_assign_at(t, NULL, PYTREE_INT(1), NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_assign_text(t, NULL, "1", NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_assign_setting(t, NULL, NULL, NULL), PYTREE_ARGUMENT);
    assert_true(x == 0);
}

enum { MANY = 100 };

static pytree_status many_numbers_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_assign_options options = { .tree = *opt };
    float x[MANY] = { 0 };
    double y[MANY];
    pytree_status status;
    size_t i;
    (void)context;
    for (i = 0; i < MANY; i++) { y[i] = (double)i + 0.5; }
    status = pytree_assign(PYTREE_ARRAY(x, MANY), PYTREE_ARRAY(y, MANY), &options, err);
    for (i = 0; i < MANY; i++) { assert_true(x[i] == (status == PYTREE_OK ? (float)i + 0.5f : 0)); }
    return status;
}

/* More numbers than are converted on the stack. */
static void many_numbers(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(many_numbers_body, NULL), 1, 100);
}

/* The keys of a large dict are not all named when one is not among them. */
static void one_of_many_keys(void **state)
{
    pytree_pair pairs[MANY];
    char names[MANY][8];
    pytree_items items = { .count = MANY, .pairs = pairs };
    pytree_error error = { 0 };
    float x = 0;
    size_t i;
    (void)state;
    for (i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "key%02u", (unsigned)i);
        pairs[i] = (pytree_pair){ .key = names[i], .value = PYTREE(&x) };
    }
    assert_error(pytree_assign_text((pytree){ &pytree_types[PYTREE__T_dict], &items }, "", "{'other': 1}", NULL, &error),
                 PYTREE_NOT_FOUND, NULL, &error);
    assert_int_equal(strncmp(error.message, "expected ['key00'], ['key01'], ", 31), 0);
    assert_non_null(strstr(error.message, "..., got ['other']"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_by_name),
        cmocka_unit_test(numbers),
        cmocka_unit_test(enums),
        cmocka_unit_test(strings),
        cmocka_unit_test(sections),
        cmocka_unit_test(lists),
        cmocka_unit_test(lists_of_structs),
        cmocka_unit_test(maps),
        cmocka_unit_test(unions),
        cmocka_unit_test(union_without_a_member),
        cmocka_unit_test(names_and_statics),
        cmocka_unit_test(parts_of_statics),
        cmocka_unit_test(everything_wrong_at_once),
        cmocka_unit_test(ownership),
        cmocka_unit_test(settings),
        cmocka_unit_test(files),
        cmocka_unit_test(other_trees),
        cmocka_unit_test(elements),
        cmocka_unit_test(setting_every_type),
        cmocka_unit_test(memory_for_files), cmocka_unit_test(no_path_and_no_setting),
        cmocka_unit_test(many_numbers), cmocka_unit_test(one_of_many_keys)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
