/* Walks with enter and leave, and the children of one node. */
#include "support.h"

/* ---- A log of what a walk calls --------------------------------------------------------------------------------------- */

typedef struct Log {
    char text[6000];
    size_t length;
    size_t calls;
    size_t stop_at;                       /* call number that stops the walk; SIZE_MAX: none */
    int stop_with;
    const char *skip;                     /* type of the nodes to be left closed; NULL: none */
    bool rewalk;                          /* also write how many leaves each value has, as a tree of its own */
} Log;

static Log log_begin(void)
{
    Log log = { { 0 }, 0, 0, SIZE_MAX, 0, NULL, false };
    return log;
}

static void log_put(Log *log, const char *text)
{
    size_t n = strlen(text);
    assert_true(log->length + n < sizeof log->text);
    memcpy(log->text + log->length, text, n + 1);
    log->length += n;
}

/* The key path, written from its entries. */
static void log_path(Log *log, const pytree_path *path)
{
    size_t i;
    for (i = 0; i < path->n; i++) {
        const pytree_entry *entry = &path->entries[i];
        char text[80];
        switch (entry->kind) {
        case PYTREE_ATTRIBUTE: snprintf(text, sizeof text, ".%s", entry->name); break;
        case PYTREE_KEY: snprintf(text, sizeof text, "['%s']", entry->name); break;
        case PYTREE_INDEX: snprintf(text, sizeof text, "[%u]", (unsigned)entry->index); break;
        default: snprintf(text, sizeof text, "[<flat index %u>]", (unsigned)entry->index); break;
        }
        log_put(log, text);
    }
}

/* What the value is, as the treedef of it names it. */
static const char *log_name(const pytree_leaf *value, char *name, size_t n)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(pytree_of_view(value), NULL, &error);
    assert_ok(error.status, &error);
    snprintf(name, n, "%s", pytree_def_type_name(def));
    pytree_def_free(def);
    return name;
}

static int log_call(Log *log, const char *what, const pytree_leaf *value, const pytree_path *path)
{
    char text[80], name[64];
    log_put(log, what);
    log_path(log, path);
    log_name(value, name, sizeof name);
    snprintf(text, sizeof text, "%s%s", path->n == 0 ? "" : " ", name);
    log_put(log, text);
    if (log->rewalk) {
        pytree_error error = { 0 };
        double sum = 0.0;
        assert_ok(pytree_sum(pytree_of_view(value), &sum, NULL, &error), &error);
        snprintf(text, sizeof text, " %.6g", sum);
        log_put(log, text);
    }
    log_put(log, "\n");
    if (log->calls++ == log->stop_at) {
        return log->stop_with;
    }
    return what[0] == '<' && log->skip != NULL && strcmp(log->skip, name) == 0 ? PYTREE_WALK_SKIP : PYTREE_WALK_ON;
}

static int log_enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    assert_true(value->form != PYTREE_FORM_STRUCT || value->ndim == 0);
    return log_call(context, pytree_is_leaf(value) ? "* " : "< ", value, path);
}

static int log_leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    assert_false(pytree_is_leaf(value));
    assert_true(value->form != PYTREE_FORM_STRUCT || value->ndim == 0);
    return log_call(context, "> ", value, path);
}

static void assert_walk(Log *log, pytree tree, const pytree_options *opt, const char *expected)
{
    pytree_error error = { 0 };
    pytree_visitor visitor = { log_enter, log_leave, NULL };
    visitor.context = log;
    assert_ok(pytree_walk(tree, &visitor, opt, &error), &error);
    assert_string_equal(log->text, expected);
}

/* ---- Order -------------------------------------------------------------------------------------------------------------- */

static void enter_and_leave_a_struct(void **state)
{
    MLP model = mlp_make(2, false);
    Log log = log_begin();
    (void)state;
    assert_walk(&log, PYTREE(&model), NULL,
                "< MLP\n"
                "< .layers list\n"
                "< .layers[0] Linear\n"
                "* .layers[0].w *\n"
                "* .layers[0].b *\n"
                "> .layers[0] Linear\n"
                "< .layers[1] Linear\n"
                "* .layers[1].w *\n"
                "* .layers[1].b *\n"
                "> .layers[1] Linear\n"
                "> .layers list\n"
                "< .head None\n"
                "> .head None\n"
                "* .scale *\n"
                "> MLP\n");
    mlp_clear(&model);
}

static void enter_and_leave_containers(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x);
    pytree point = PYTREE_NAMEDTUPLE("Point", { "x", a }, { "y", PYTREE_TUPLE() });
    Log log = log_begin();
    (void)state;
    assert_walk(&log,
                PYTREE_TUPLE(PYTREE_LIST(), PYTREE_DICT({ "z", a }, { "b", point }),
                             PYTREE_ODICT({ "z", a }, { "b", PYTREE_LIST(a) })),
                NULL,
                "< tuple\n"
                "< [0] list\n"
                "> [0] list\n"
                "< [1] dict\n"
                "< [1]['b'] Point\n"
                "* [1]['b'].x *\n"
                "< [1]['b'].y tuple\n"
                "> [1]['b'].y tuple\n"
                "> [1]['b'] Point\n"
                "* [1]['z'] *\n"
                "> [1] dict\n"
                "< [2] OrderedDict\n"
                "* [2]['z'] *\n"
                "< [2]['b'] list\n"
                "* [2]['b'][0] *\n"
                "> [2]['b'] list\n"
                "> [2] OrderedDict\n"
                "> tuple\n");
}

static void enter_and_leave_roots(void **state)
{
    int x = 1;
    Log log = log_begin();
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_walk(&log, PYTREE(&x), NULL, "* *\n");
    log = log_begin();
    assert_walk(&log, PYTREE_NONE, NULL, "< None\n> None\n");
    log = log_begin();
    assert_walk(&log, PYTREE_LIST(), NULL, "< list\n> list\n");
    log = log_begin();
    {
        pytree_visitor nobody = { NULL, NULL, NULL };
        pytree_error error = { 0 };
        assert_ok(pytree_walk(PYTREE_LIST(PYTREE(&x)), &nobody, NULL, &error), &error);
        assert_ok(pytree_walk(PYTREE_NONE, &nobody, &none, &error), &error);
    }
}

/* Each value that enter and leave are given can be walked as a tree: both see the same leaves. */
static void values_can_be_walked_again(void **state)
{
    Shelf shelf = shelf_make();
    MLP model = mlp_make(1, true);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    Log log = log_begin();
    const char *expected_shelf =
        "< Shelf 53.5\n"
        "< .heights list 9\n"
        "* .heights[0] * 1.5\n"
        "* .heights[1] * 3\n"
        "* .heights[2] * 4.5\n"
        "> .heights list 9\n"
        "< .spots list 11\n"
        "< .spots[0] Point 0\n"
        "* .spots[0].x * 0\n"
        "* .spots[0].y * 0\n"
        "> .spots[0] Point 0\n"
        "< .spots[1] Point 11\n"
        "* .spots[1].x * 1\n"
        "* .spots[1].y * 10\n"
        "> .spots[1] Point 11\n"
        "> .spots list 11\n"
        "< .prices dict 1.5\n"
        "* .prices['apple'] * 0.5\n"
        "* .prices['fig'] * 0.75\n"
        "* .prices['pear'] * 0.25\n"
        "> .prices dict 1.5\n"
        "< .places dict 32\n"
        "< .places['here'] Point 17\n"
        "* .places['here'].x * 8\n"
        "* .places['here'].y * 9\n"
        "> .places['here'] Point 17\n"
        "< .places['there'] Point 15\n"
        "* .places['there'].x * 7\n"
        "* .places['there'].y * 8\n"
        "> .places['there'] Point 15\n"
        "> .places dict 32\n"
        "> Shelf 53.5\n";
    char expected[1200];
    (void)state;
    log.rewalk = true;
    assert_walk(&log, PYTREE(&shelf), NULL, expected_shelf);
    assert_ok(pytree_flatten(PYTREE(&shelf), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    log = log_begin();
    log.rewalk = true;
    assert_walk(&log, PYTREE(&flat), NULL, expected_shelf);
    pytree_def_free(def);
    log = log_begin();
    log.rewalk = true;
    log.skip = "Linear";
    {
        double sum = 0.0;
        Point points[2] = { { 1.0f, 2.0f }, { 3.0f, 4.0f } };
        assert_ok(pytree_sum(PYTREE(&model.layers[0]), &sum, NULL, &error), &error);
        snprintf(expected, sizeof expected,
                 "< tuple %.6g\n< [0] Linear %.6g\n< [1] dict 7\n< [1]['p'] Point 7\n* [1]['p'].x * 3\n"
                 "* [1]['p'].y * 4\n> [1]['p'] Point 7\n> [1] dict 7\n> tuple %.6g\n", sum + 7.0, sum, sum + 7.0);
        assert_walk(&log, PYTREE_TUPLE(PYTREE(&model.layers[0]), PYTREE_DICT({ "p", PYTREE(&points[1]) })), NULL, expected);
    }
    mlp_clear(&model);
    shelf_clear(&shelf);
}

/* ---- Skip and stop ------------------------------------------------------------------------------------------------------ */

static void skipped_nodes_stay_closed(void **state)
{
    MLP model = mlp_make(2, true);
    int x = 1;
    Log log = log_begin();
    (void)state;
    log.skip = "Linear";
    assert_walk(&log, PYTREE(&model), NULL,
                "< MLP\n< .layers list\n< .layers[0] Linear\n< .layers[1] Linear\n> .layers list\n< .head Linear\n* .scale *\n"
                "> MLP\n");
    log = log_begin();
    log.skip = "MLP";
    assert_walk(&log, PYTREE(&model), NULL, "< MLP\n");
    log = log_begin();
    log.skip = "*";                       /* a leaf is closed anyway */
    assert_walk(&log, PYTREE_LIST(PYTREE(&x), PYTREE(&x)), NULL, "< list\n* [0] *\n* [1] *\n> list\n");
    mlp_clear(&model);
}

static void a_walk_can_be_stopped(void **state)
{
    MLP model = mlp_make(2, true);
    Log whole = log_begin();
    pytree_error error = { 0 };
    pytree_visitor visitor = { log_enter, log_leave, &whole };
    size_t i;
    (void)state;
    assert_ok(pytree_walk(PYTREE(&model), &visitor, NULL, &error), &error);
    assert_int_equal(whole.calls, 17);
    for (i = 0; i < whole.calls; i++) {
        Log log = log_begin();
        char path[100] = "";
        const char *last;
        log.stop_at = i;
        log.stop_with = i % 2 == 0 ? PYTREE_STOPPED : PYTREE_VALUE;
        visitor.context = &log;
        memset(&error, 0, sizeof error);
        assert_int_equal(pytree_walk(PYTREE(&model), &visitor, NULL, &error), log.stop_with);
        assert_int_equal(log.calls, i + 1);
        assert_memory_equal(log.text, whole.text, log.length);
        log.text[log.length - 1] = '\0';
        last = strrchr(log.text, '\n');
        last = last == NULL ? log.text : last + 1;
        if (strchr(last + 2, ' ') != NULL) {
            snprintf(path, sizeof path, "%.*s", (int)(strchr(last + 2, ' ') - last - 2), last + 2);
        }
        assert_error(error.status, (pytree_status)log.stop_with, path, &error);
        log = log_begin();
        log.stop_at = i;
        log.stop_with = PYTREE_EMPTY;
        assert_int_equal(pytree_walk(PYTREE(&model), &visitor, NULL, NULL), PYTREE_EMPTY);
    }
    mlp_clear(&model);
}

static void enter_alone_and_leave_alone(void **state)
{
    MLP model = mlp_make(1, true);
    Log log = log_begin();
    pytree_error error = { 0 };
    pytree_visitor enter = { log_enter, NULL, &log }, leave = { NULL, log_leave, &log };
    (void)state;
    assert_ok(pytree_walk(PYTREE(&model), &enter, NULL, &error), &error);
    assert_string_equal(log.text,
                        "< MLP\n< .layers list\n< .layers[0] Linear\n* .layers[0].w *\n* .layers[0].b *\n< .head Linear\n"
                        "* .head.w *\n* .head.b *\n* .scale *\n");
    log = log_begin();
    assert_ok(pytree_walk(PYTREE(&model), &leave, NULL, &error), &error);
    assert_string_equal(log.text, "> .layers[0] Linear\n> .layers list\n> .head Linear\n> MLP\n");
    mlp_clear(&model);
}

/* ---- Options ------------------------------------------------------------------------------------------------------------ */

static bool stops_at_depth_two(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n >= 2;
}

static int kinds_enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Log *log = context;
    char text[40];
    snprintf(text, sizeof text, "%u:%u ", (unsigned)path->n, value->form);
    log_put(log, text);
    return PYTREE_WALK_ON;
}

static int kinds_leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Log *log = context;
    char text[40];
    snprintf(text, sizeof text, "/%u:%u ", (unsigned)path->n, value->form);
    log_put(log, text);
    return PYTREE_WALK_ON;
}

static void options_of_a_walk(void **state)
{
    MLP model = mlp_make(2, false);
    Log log = log_begin();
    pytree_error error = { 0 };
    pytree_visitor visitor = { kinds_enter, kinds_leave, &log };
    pytree_options opt = { .is_leaf = stops_at_depth_two };
    char expected[200];
    (void)state;
    assert_ok(pytree_walk(PYTREE(&model), &visitor, &opt, &error), &error);
    snprintf(expected, sizeof expected, "0:%u 1:%u 2:%u 2:%u /1:%u 1:%u /1:%u 1:%u /0:%u ", PYTREE_FORM_STRUCT,
             PYTREE_FORM_LIST,
             PYTREE_FORM_STRUCT, PYTREE_FORM_STRUCT, PYTREE_FORM_LIST, PYTREE_FORM_NONE, PYTREE_FORM_NONE, PYTREE_FORM_LEAF,
             PYTREE_FORM_STRUCT);
    assert_string_equal(log.text, expected);
    log = log_begin();
    opt.none_is_leaf = true;              /* now it is none to leave */
    assert_ok(pytree_walk(PYTREE(&model), &visitor, &opt, &error), &error);
    snprintf(expected, sizeof expected, "0:%u 1:%u 2:%u 2:%u /1:%u 1:%u 1:%u /0:%u ", PYTREE_FORM_STRUCT, PYTREE_FORM_LIST,
             PYTREE_FORM_STRUCT, PYTREE_FORM_STRUCT, PYTREE_FORM_LIST, PYTREE_FORM_NONE, PYTREE_FORM_LEAF, PYTREE_FORM_STRUCT);
    assert_string_equal(log.text, expected);
    mlp_clear(&model);
}

/* ---- Deep trees, and trees that are none -------------------------------------------------------------------------------- */

typedef struct Depth {
    size_t enters, leaves, nodes, deepest;
} Depth;

static int depth_enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Depth *depth = context;
    depth->enters++;
    depth->nodes += value->form == PYTREE_FORM_STRUCT;
    if (path->n > depth->deepest) {
        depth->deepest = path->n;
    }
    if (path->n > 1 && (path->entries[path->n - 2].kind != PYTREE_ATTRIBUTE || strcmp(path->entries[path->n - 2].name,
                                                                                      "next") != 0)) {
        return PYTREE_VALUE;
    }
    return PYTREE_WALK_ON;
}

static int depth_leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Depth *depth = context;
    (void)path;
    depth->leaves += value->form == PYTREE_FORM_STRUCT;
    return PYTREE_WALK_ON;
}

static void deep_trees(void **state)
{
    size_t n = under_valgrind() ? 300 : 2000;
    Node *chain = chain_make(n);
    Depth depth = { 0, 0, 0, 0 };
    pytree_error error = { 0 };
    pytree_visitor visitor = { depth_enter, depth_leave, &depth };
    (void)state;
    assert_ok(pytree_walk(PYTREE(chain), &visitor, NULL, &error), &error);
    assert_int_equal(depth.nodes, n);
    assert_int_equal(depth.leaves, n);
    assert_int_equal(depth.enters, 2 * n + 1);
    assert_int_equal(depth.deepest, n);
    free(chain);
}

static void a_shallow_walk_needs_no_memory(void **state)
{
    MLP model = mlp_make(2, true);
    Heap heap;
    pytree_options opt = { 0 };
    Depth depth = { 0, 0, 0, 0 };
    pytree_error error = { 0 };
    pytree_visitor visitor = { NULL, depth_leave, &depth };
    (void)state;
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    assert_ok(pytree_walk(PYTREE(&model), &visitor, &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    mlp_clear(&model);
}

static void walks_that_fail(void **state)
{
    MLP model = mlp_make(2, true);
    Log log = log_begin();
    pytree_error error = { 0 };
    pytree_visitor visitor = { log_enter, log_leave, &log };
    pytree untyped = { NULL, NULL };
    Point *nowhere = NULL;
    Node ring[3] = { { 0.0, NULL }, { 1.0, NULL }, { 2.0, NULL } };
    Depth depth = { 0, 0, 0, 0 };
    pytree_visitor counter = { depth_enter, depth_leave, &depth };
    float *w = model.layers[1].w;
    (void)state;
    assert_error(pytree_walk(untyped, &visitor, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_walk(PYTREE(nowhere), &visitor, NULL, &error), PYTREE_NULL_POINTER, "", &error);
    assert_int_equal(log.calls, 0);
    model.layers[1].w = NULL;
    memset(&error, 0, sizeof error);
    counter.leave = NULL;
    counter.enter = NULL;
    assert_error(pytree_walk(PYTREE(&model), &counter, NULL, &error), PYTREE_NULL_POINTER, ".layers[1].w", &error);
    assert_int_equal(pytree_walk(PYTREE(&model), &counter, NULL, NULL), PYTREE_NULL_POINTER);
    model.layers[1].w = w;
    ring[0].next = &ring[1];
    ring[1].next = &ring[2];
    ring[2].next = &ring[0];
    counter.enter = depth_enter;
    memset(&error, 0, sizeof error);
    assert_error(pytree_walk(PYTREE(&ring[0]), &counter, NULL, &error), PYTREE_CYCLE, NULL, &error);
    assert_non_null(strstr(error.path, ".next.next"));
    assert_in_range(depth.nodes, 3, 30);
    mlp_clear(&model);
}

static pytree_status sweep_walk(void *context, const pytree_options *opt, pytree_error *err)
{
    Depth depth = { 0, 0, 0, 0 };
    pytree_visitor visitor = { depth_enter, depth_leave, NULL };
    visitor.context = &depth;
    return pytree_walk(*(const pytree *)context, &visitor, opt, err);
}

static void sweeps(void **state)
{
    Node *chain = chain_make(600);
    pytree tree = PYTREE(chain);
    (void)state;
    assert_in_range(sweep_allocations(sweep_walk, &tree), 2, 40);
    free(chain);
}

/* ---- Children ----------------------------------------------------------------------------------------------------------- */

/* "key=type" for each child, a comma between; the count is what the call says. */
static void assert_children(pytree tree, const char *expected)
{
    pytree_leaf children[64];
    pytree_entry keys[64];
    char text[1000] = "";
    size_t n = 99, again, i, k, length = 0;
    pytree_error error = { 0 };
    assert_ok(pytree_children(tree, children, keys, 64, &n, NULL, &error), &error);
    for (i = 0; i < n; i++) {
        char name[64], key[64];
        switch (keys[i].kind) {
        case PYTREE_ATTRIBUTE: snprintf(key, sizeof key, ".%s", keys[i].name); break;
        case PYTREE_KEY: snprintf(key, sizeof key, "'%s'", keys[i].name); break;
        default: snprintf(key, sizeof key, "%u", (unsigned)keys[i].index); break;
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s=%s", i == 0 ? "" : ",", key,
                                   log_name(&children[i], name, sizeof name));
    }
    assert_string_equal(text, expected);
    /* less room: what fits is filled, the count stays */
    for (i = 0; i <= n; i++) {
        pytree_leaf few[64];
        memset(few, 0x5A, sizeof few);
        again = 99;
        assert_ok(pytree_children(tree, few, NULL, i, &again, NULL, &error), &error);
        assert_int_equal(again, n);
        for (k = 0; k < i; k++) {
            assert_ptr_equal(few[k].data, children[k].data);
            assert_ptr_equal(few[k].type, children[k].type);
            assert_int_equal(few[k].form, children[k].form);
            assert_int_equal(few[k].ndim, children[k].ndim);
        }
        assert_int_equal(*(const unsigned char *)&few[i], 0x5A);
    }
    assert_ok(pytree_children(tree, NULL, keys, 64, &again, NULL, &error), &error);
    assert_int_equal(again, n);
    assert_ok(pytree_children(tree, NULL, NULL, 0, &again, NULL, &error), &error);
    assert_int_equal(again, n);
}

static void children_of_every_kind(void **state)
{
    MLP model = mlp_make(2, true), bare = mlp_make(1, false);
    Shelf shelf = shelf_make();
    Everything all = everything_make(true);
    pytree_leaf views[64], *leaves = NULL;
    size_t n;
    int x = 1;
    pytree a = PYTREE(&x), m = PYTREE(&model);
    pytree_error error = { 0 };
    pytree_def *def;
    pytree_flat flat;
    (void)state;
    assert_children(m, ".layers=list,.head=Linear,.scale=*");
    assert_children(PYTREE(&bare), ".layers=list,.head=None,.scale=*");
    assert_children(PYTREE(&all.config), "");
    assert_children(PYTREE_NONE, "");
    assert_children(PYTREE_LIST(), "");
    assert_children(PYTREE_LIST(a, m, PYTREE_NONE), "0=*,1=MLP,2=None");
    assert_children(PYTREE_TUPLE(PYTREE_TUPLE(a), a), "0=tuple,1=*");
    assert_children(PYTREE_DICT({ "b", a }, { "a", m }, { "", PYTREE_LIST(a) }), "''=list,'a'=MLP,'b'=*");
    assert_children(PYTREE_ODICT({ "b", a }, { "a", m }), "'b'=*,'a'=MLP");
    assert_children(PYTREE_NAMEDTUPLE("Pair", { "second", a }, { "first", m }), ".second=*,.first=MLP");
    assert_children(PYTREE_DICT(), "");
    assert_ok(pytree_children(PYTREE(&shelf), views, NULL, 64, &n, NULL, &error), &error);
    assert_int_equal(n, 4);
    assert_children(pytree_of_view(&views[0]), "0=*,1=*,2=*");
    assert_children(pytree_of_view(&views[1]), "0=Point,1=Point");
    assert_children(pytree_of_view(&views[2]), "'apple'=*,'fig'=*,'pear'=*");
    assert_children(pytree_of_view(&views[3]), "'here'=Point,'there'=Point");
    assert_ok(pytree_children(PYTREE(&all), views, NULL, 64, &n, NULL, &error), &error);
    assert_int_equal(n, 32);
    assert_children(pytree_of_view(&views[27]), "0=Point,1=Point");          /* corners: a tuple */
    assert_children(pytree_of_view(&views[31]), "0=Point,1=Point,2=Point");  /* points: a list */
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&shelf), m), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_children(PYTREE(&flat), "0=Shelf,1=MLP");
    assert_ok(pytree_children(PYTREE(&flat), views, NULL, 64, &n, NULL, &error), &error);
    assert_children(pytree_of_view(&views[1]), ".layers=list,.head=Linear,.scale=*");
    {
        double expected = 0.0, got = 1.0;
        assert_ok(pytree_sum(m, &expected, NULL, &error), &error);
        assert_ok(pytree_sum(pytree_of_view(&views[1]), &got, NULL, &error), &error);
        assert_true(expected == got);
    }
    pytree_def_free(def);
    mlp_clear(&model);
    mlp_clear(&bare);
    shelf_clear(&shelf);
    everything_clear(&all);
}

static void children_are_the_trees_own(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_leaf children[3], layers[2];
    size_t n;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_children(PYTREE(&model), children, NULL, 3, &n, NULL, &error), &error);
    assert_ptr_equal(children[0].data, model.layers);
    assert_int_equal(children[0].shape[0], 2);
    assert_ptr_equal(children[1].data, model.head);
    assert_ptr_equal(children[2].data, model.scale);
    assert_int_equal(children[2].ndim, 2);
    assert_int_equal(children[2].shape[0], 2);
    assert_int_equal(children[2].shape[1], 3);
    assert_ok(pytree_children(pytree_of_view(&children[0]), layers, NULL, 2, &n, NULL, &error), &error);
    assert_int_equal(n, 2);
    assert_ptr_equal(layers[1].data, &model.layers[1]);
    mlp_clear(&model);
}

static void leaves_have_no_children(void **state)
{
    int x = 1;
    const char *s = "text";
    MLP model = mlp_make(1, false);
    pytree_options none = { .none_is_leaf = true }, shallow = { .is_leaf = stops_at_depth_two };
    pytree_leaf children[3];
    size_t n = 99;
    pytree_error error = { 0 };
    Point *nowhere = NULL;
    (void)state;
    assert_error(pytree_children(PYTREE(&x), children, NULL, 3, &n, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a node, got a leaf (int)");
    assert_int_equal(n, 0);
    assert_int_equal(pytree_children(PYTREE(&s), children, NULL, 3, &n, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_children(PYTREE_ARRAY(&x, 1), children, NULL, 3, &n, NULL, NULL), PYTREE_ARGUMENT);
    memset(&error, 0, sizeof error);
    assert_error(pytree_children(PYTREE_NONE, children, NULL, 3, &n, &none, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a node, got a leaf (None)");
    memset(&error, 0, sizeof error);
    assert_ok(pytree_children(PYTREE(&model), children, NULL, 3, &n, &shallow, &error), &error);
    assert_int_equal(n, 3);
    assert_error(pytree_children(PYTREE(nowhere), children, NULL, 3, &n, NULL, &error), PYTREE_NULL_POINTER, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_children(PYTREE_LIST(PYTREE(&x), PYTREE(nowhere)), children, NULL, 3, &n, NULL, &error),
                 PYTREE_NULL_POINTER,
                 "[1]", &error);
    mlp_clear(&model);
}

static void children_without_memory(void **state)
{
    enum { N = 2000 };
    static char names[N][8];
    static pytree_pair pairs[N];
    static pytree_leaf children[N];
    pytree_items items = { .count = N, .pairs = pairs };
    pytree tree = { &pytree_types[PYTREE__T_dict], NULL };
    size_t i, n;
    int x = 1;
    (void)state;
    tree.data = &items;
    for (i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%04u", (unsigned)((i * 77) % N));
        pairs[i].key = names[i];
        pairs[i].value = PYTREE(&x);
    }
    for (i = 0; i < 2; i++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        heap_init(&heap, i);
        opt.allocator = &heap.allocator;
        assert_error(pytree_children(tree, children, NULL, N, &n, &opt, &error), PYTREE_NO_MEMORY, NULL, &error);
        assert_int_equal(n, 0);
        assert_heap_clean(&heap);
    }
    {
        static pytree_entry keys[N];
        pytree_error error = { 0 };
        assert_ok(pytree_children(tree, children, keys, N, &n, NULL, &error), &error);
        assert_int_equal(n, N);
        for (i = 0; i < N; i++) {
            assert_int_equal(strtol(keys[i].name, NULL, 10), i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enter_and_leave_a_struct),
        cmocka_unit_test(enter_and_leave_containers),
        cmocka_unit_test(enter_and_leave_roots),
        cmocka_unit_test(values_can_be_walked_again),
        cmocka_unit_test(skipped_nodes_stay_closed),
        cmocka_unit_test(a_walk_can_be_stopped),
        cmocka_unit_test(enter_alone_and_leave_alone),
        cmocka_unit_test(options_of_a_walk),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(a_shallow_walk_needs_no_memory),
        cmocka_unit_test(walks_that_fail),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(children_of_every_kind),
        cmocka_unit_test(children_are_the_trees_own),
        cmocka_unit_test(leaves_have_no_children),
        cmocka_unit_test(children_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
