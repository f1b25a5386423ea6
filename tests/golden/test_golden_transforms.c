/* vmap, scan, loops, branches, caches: golden/seeds/transforms.jsonl, group by group. */
#include "seeds_shared.h"

/* ---- Bodies that only have shapes ------------------------------------------------------------------------------------ */

static pytree_status like_shape(void *context, const pytree_call *at) { return pytree_result_like(at,
        *(const pytree *)context); }

static pytree_status copy_all(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_copy_into(at->result, at->all, at->opt, at->err);
}

static pytree_status like_all(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, at->all);
}

static pytree_status copy_context(void *context, const pytree_call *at)
{
    return pytree_copy_into(at->result, *(const pytree *)context, at->opt, at->err);
}

/* A function that gives a tree of the record. */
static pytree_fn gives(Golden *g, const char *name, const pytree tree)
{
    pytree *kept = golden_alloc(g, 1, sizeof *kept);
    *kept = tree;
    return (pytree_fn){ .name = name, .call = copy_context, .shape = like_shape, .context = kept };
}

/* ---- vmap ------------------------------------------------------------------------------------------------------------ */

typedef struct Seen {
    char shapes[1000];                    /* of the leaves in the first call */
    bool sum;                             /* the function is a sum of all numbers, otherwise the identity */
} Seen;

static pytree_status see_call(void *context, const pytree_call *at)
{
    Seen *seen = context;
    if (at->index == 0) {
        seen->shapes[0] = '\0';
        for (size_t i = 0; i < at->n_in; i++) {
            for (int k = 0; k < at->in[i].ndim; k++) {
                snprintf(seen->shapes + strlen(seen->shapes), sizeof seen->shapes - strlen(seen->shapes), "%zu,",
                         at->in[i].shape[k]);
            }
            strcat(seen->shapes, ";");
        }
    }
    if (!seen->sum) { return copy_all(NULL, at); }
    *(float *)at->res[0] = 0;
    for (size_t i = 0; i < at->n_in; i++) {
        for (size_t k = 0; k < pytree_leaf_count(&at->in[i]); k++) { *(float *)at->res[0] += ((float *)at->in[i].data)[k]; }
    }
    return PYTREE_OK;
}

static pytree_status see_shape(void *context, const pytree_call *at)
{
    return ((const Seen *)context)->sum ? pytree_result_f32(NULL, at) : like_all(NULL, at);
}

/* A recorded tree of shapes, in the order of the leaves. A tuple of numbers is a shape. */
static void put_shapes(const cJSON *json, char *text, size_t room)
{
    const cJSON *children = golden_get(json, "tuple"), *child;
    const char *const kinds[] = { "tuple", "list", "dict", "fields", "attrs" };
    if (children != NULL && (children->child == NULL || cJSON_IsNumber(children->child))) {
        cJSON_ArrayForEach(child, children) {
            snprintf(text + strlen(text), room - strlen(text), "%d,", (int)golden_int(child));
        }
        strcat(text, ";");
        return;
    }
    for (int k = 0; k < 5; k++) {
        children = cJSON_IsObject(json) ? golden_get(json, kinds[k]) : NULL;
        cJSON_ArrayForEach(child, children) {
            if (k < 2) { put_shapes(child, text, room); }
            else if (k < 4) { put_shapes(child->child->next, text, room); }
            else if (strcmp(golden_string(child->child->next), "data") == 0) { put_shapes(child->child->next->next, text,
                    room); }
        }
    }
}

/* The places of sizes that differ: the first fact is the size that most have. */
static const char *size_places(Golden *g)
{
    GoldenText to = { g, NULL, 0, 0 };
    const cJSON *fact;
    cJSON_ArrayForEach(fact, golden_at(g->json, "error.facts")) {
        const char *path = golden_word(fact, "path");
        if (fact == golden_at(g->json, "error.facts")->child) { continue; }
        golden_puts(&to, path[0] == 'a' && path[1] != 'r' ? "[0]" : "");
        golden_puts(&to, strncmp(path, "args", 4) == 0 ? path + 4 : path + 1);
        golden_puts(&to, ";");
    }
    return to.at;
}

static pytree_status vmap_in_status(const Golden *g)
{
    const cJSON *facts = golden_get(g->json, "error.facts");
    const char *text = golden_word(g->json, "error.text");
    if (facts != NULL) { return strcmp(golden_word(facts->child, "kind"), "size") == 0 ? PYTREE_SHAPE : PYTREE_STRUCTURE; }
    if (strstr(text, "rank should be") != NULL) { return PYTREE_SHAPE; }
    if (strstr(text, "at least one") != NULL) { return PYTREE_ARGUMENT; }
    return strstr(text, "leaves, but got") != NULL ? PYTREE_TYPE : PYTREE_STRUCTURE;
}

static void check_vmap_in(Golden *g)
{
    const cJSON *inputs = golden_at(g->json, "inputs"), *expected = golden_get(g->json, "outputs.out"), *shapes;
    const bool keyword = golden_get(inputs, "args") == NULL;   /* 014, 015: the arguments have names */
    Seen seen = { "", strstr(golden_word(g->json, "setup"), "f = lambda *a: sum") != NULL };
    const pytree_fn f = { .name = "f", .call = see_call, .shape = see_shape, .context = &seen };
    const pytree_fn body = keyword ? seeds_body(g, "f", golden_get(inputs, "y") != NULL ? "\"0 sum 1 +\"" : "\"0 #2 *\"") : f;
    pytree named[2], axes = PYTREE_NONE;
    pytree_items items = { .items = named };
    const pytree_items *args = &items;
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out;
    if (keyword) {
        const cJSON *child;
        cJSON_ArrayForEach(child, inputs) { named[items.count++] = seeds_tree(g, child); }
        if (items.count == 2) { axes.type = NULL; }
    } else {
        args = seeds_tree(g, golden_at(inputs, "args")).data;
        axes = seeds_tree(g, golden_at(inputs, "in_axes"));
    }
    out = pytree_apply_new(PYTREE_VMAP(keyword ? &body : &f, .in_axes = axes, .axis_size = keyword && items.count == 1 ? 2 : 0),
                           args->count, args->items, seeds_options(&places), &error);
    if (expected == NULL) {
        if (vmap_in_status(g) == PYTREE_SHAPE && golden_get(g->json, "error.facts") != NULL) {
            golden_check_text(g, "places", size_places(g), places.at);
        } else {
            seeds_check_error(g, vmap_in_status(g), &error, &places, 0, 0);
        }
    } else if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "out", expected, PYTREE(&out));
        shapes = golden_get(g->json, "outputs.shapes");
        if (shapes != NULL) {
            char text[1000] = "";
            put_shapes(shapes, text, sizeof text);
            golden_check_text(g, "shapes", text, seen.shapes);
        }
    }
    pytree_flat_free(&out);
    if (keyword) { seeds_body_free(&body); }
}

/* Bodies, by the number of the record. */
static const char *const vmap_out_bodies[] = {
    NULL, "{\"dict\": [[\"x y\", \"0\"], [\"k10\", {\"list\": [\"0 #2 *\"]}]]}",
            "{\"dict\": [[\"x y\", \"0 sum\"], [\"k10\", \"0\"]]}",
    "{\"tuple\": [{\"tuple\": [\"0\", {\"list\": [\"0 #1 +\"]}]}, {\"dict\": [[\"s\", \"1\"]]}]}",
            "{\"tuple\": [\"0\", \"1\"]}",
    "{\"tuple\": [\"0\", \"1\"]}", "{\"dict\": [[\"x y\", \"0\"], [\"k10\", \"0\"]]}", "\"0\"",
    "{\"dict\": [[\"x y\", \"0\"], [\"k10\", \"0\"]]}", "{\"tuple\": [\"0\", \"0\"]}", "\"0\"", "\"0\"",
    "{\"tuple\": [\"0\", null, {\"dict\": []}]}", "{\"dict\": [[\"p\", \"0 1 *\"], [\"q\", {\"tuple\": [\"0\", \"1\"]}]]}",
    "{\"dict\": [[\"u\", \"0\"], [\"v\", \"'text\"]]}"
};

static void check_vmap_out(Golden *g)
{
    const size_t number = seeds_number(g);
    const cJSON *inputs = golden_at(g->json, "inputs"), *expected = golden_get(g->json, "outputs.out");
    const pytree_fn f = seeds_body(g, "f", vmap_out_bodies[number]);
    const pytree only_first = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE), all = PYTREE_INT(number == 11 ? -1 : 0);
    pytree named[2], in_axes = number == 4 || number == 5 ? only_first : all, out_axes = PYTREE_INT(0);
    pytree_items items = { .items = named };
    const pytree_items *args = &items;
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out;
    if (golden_get(inputs, "args") == NULL) {
        const cJSON *child;
        cJSON_ArrayForEach(child, inputs) { named[items.count++] = seeds_tree(g, child); }
    } else {
        args = seeds_tree(g, golden_at(inputs, "args")).data;
        out_axes = seeds_tree(g, golden_at(inputs, "out_axes"));
    }
    if (number == 13) {
        const pytree x_only = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE), y_only = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0));
        out = pytree_apply_new(PYTREE_VMAP(PYTREE_VMAP(&f, .in_axes = y_only), .in_axes = x_only,
                                           .out_axes = PYTREE_DICT({ "p", PYTREE_INT(1) }, { "q", PYTREE_INT(0) })), 2, named,
                               seeds_options(&places), &error);
    } else {
        out = pytree_apply_new(PYTREE_VMAP(&f, .in_axes = in_axes, .out_axes = out_axes), args->count, args->items,
                               seeds_options(&places), &error);
    }
    if (number == 14) {                                        /* no error: a text for each element */
        const char *const texts[2] = { "text", "text" };
        const float numbers[2] = { -2.25f, 2.5f };
        pytree_error differ = error;
        const pytree wanted = PYTREE_DICT({ "u", PYTREE_ARRAY(numbers, 2) }, { "v", PYTREE_ARRAY(texts, 2) });
        if (error.status == PYTREE_OK) { (void)pytree_equal(PYTREE(&out), wanted, NULL, NULL, &differ); }
        golden_check_ok(g, "documented", &differ);
    }
    if (expected == NULL) {
        seeds_check_error(g, number == 6 ? PYTREE_VALUE : number == 10 ? PYTREE_SHAPE : PYTREE_STRUCTURE, &error, &places,
                          0, 0);
        if (number == 6) { golden_check_text(g, "places", "['k10'];", places.at); }
    } else if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "out", expected, PYTREE(&out));
    }
    pytree_flat_free(&out);
    seeds_body_free(&f);
}

static void vmap(void **state)
{
    static const GoldenDecision in[] = {
        /* JAX also lists the None beside the mismatch */
        { "prefix None beside a mismatch", NULL, "places", "transforms.vmap_in.033", NULL, "[0]['k10'];", NULL },
        { "prefix None beside a mismatch", NULL, "places", "transforms.vmap_in.045", NULL, "[0][2];", NULL },
        GOLDEN_NO_MORE
    };
    static const GoldenDecision out[] = {
        { "texts are leaves", NULL, "status", "transforms.vmap_out.014", NULL, "ok", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    seeds_run("vmap_in", check_vmap_in, in, 0);
    seeds_run("vmap_out", check_vmap_out, out, 0);
}

/* ---- scan, while, fori ----------------------------------------------------------------------------------------------- */

#define PAIR(carry, y) "{\"tuple\": [" carry ", " y "]}"
static const char *const scan_bodies[] = {
    NULL,
    PAIR("{\"dict\": [[\"k1\", \"1 2 +\"], [\"a\", \"0 #2 *\"]]}",
            "{\"tuple\": [\"1 2 +\", {\"dict\": [[\"d\", \"2 2 *\"]]}]}"),
    PAIR("\"0 2 +\"", "\"1 sum 0 +\""), PAIR("{\"tuple\": [\"1\", \"0 1 +\"]}", "\"0\""), PAIR("\"0 #0.5 * 1 +\"", "\"0\""),
    PAIR("{\"dict\": [[\"c\", \"0\"]]}", "\"1 sum\""), PAIR("\"0 1 +\"", "null"),
    PAIR("{\"object\": \"Baz\", \"attrs\": [[\"left\", \"data\", \"0 2 +\"], [\"a\", \"data\", \"1 #1 -\"], "
         "[\"b\", \"static\", \"hi\"]]}", "\"0\""),
    PAIR("{\"dict\": [[\"k1\", \"0\"], [\"w2\", \"1\"]]}", "null"), PAIR("{\"dict\": [[\"k1\", \"2\"]]}", "null"),
    PAIR("{\"dict\": [[\"a\", \"1\"]]}", "null"), PAIR("{\"list\": [\"0\", \"1\"]}", "null"),
    PAIR("{\"list\": [\"0\", {\"dict\": [[\"k1\", {\"tuple\": [\"2\", \"2\"]}]]}]}", "null"),
    PAIR("{\"tuple\": [{\"dict\": [[\"k1\", {\"tuple\": [\"3\"]}]]}, {\"tuple\": [\"3\"]}, \"3\"]}", "null"),
    PAIR("{\"list\": [\"2\", \"2\", \"2\"]}", "null"), PAIR("{\"dict\": [[\"k1\", \"1\"], [\"a\", \"1\"]]}", "null"),
    PAIR("{\"dict\": [[\"k1\", {\"tuple\": [\"2\", \"zeros3\"]}]]}", "null"),
    PAIR("{\"dict\": [[\"k1\", \"1 #1.5 +\"], [\"a\", \"2\"]]}", "null"), PAIR("{\"list\": [\"zeros2\", \"1 float\"]}", "null"),
    PAIR("{\"object\": \"Baz\", \"attrs\": [[\"left\", \"data\", \"0\"], [\"a\", \"data\", \"1\"], "
         "[\"b\", \"static\", 2]]}", "null"), "\"0 1 +\"",
    "{\"tuple\": [\"0\", \"1\", \"1\"]}", PAIR("\"0\"", "null"), PAIR("\"0\"", "null"), PAIR("\"0\"", "null"), PAIR("\"0\"",
            "null")
};

/* The body of a record whose body gives the tree `other`. */
static pytree_fn other_body(Golden *g, bool pair)
{
    pytree other = seeds_tree(g, golden_at(g->json, "inputs.other"));
    pytree *both = golden_alloc(g, 2, sizeof *both);
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    both[0] = other;
    both[1] = PYTREE_NONE;
    items->count = 2;
    items->items = both;
    return gives(g, "other", pair ? (pytree){ &pytree_types[PYTREE__T_tuple], items } : other);
}

static void check_scan(Golden *g)
{
    const size_t number = seeds_number(g);
    const bool random = number >= COUNT_OF(scan_bodies);
    const cJSON *xs = golden_get(g->json, "inputs.xs"), *carry = golden_get(g->json, "outputs.carry");
    const size_t length = number == 3 ? 4 : number == 23 ? 5 : random ? 2 : 0;
    const pytree_fn f = random ? other_body(g, true) : seeds_body(g, "body", scan_bodies[number]);
    const pytree args[2] = { seeds_tree(g, golden_at(g->json, "inputs.init")), xs == NULL ? PYTREE_NONE : seeds_tree(g, xs) };
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(PYTREE_SCAN(&f, .length = length, .reverse = number == 4), 2, args,
            seeds_options(&places),
                                       &error);
    if (carry != NULL) {
        cJSON *both = cJSON_CreateObject(), *pair = cJSON_AddArrayToObject(both, "tuple");
        cJSON_AddItemReferenceToArray(pair, (cJSON *)(uintptr_t)carry);
        cJSON_AddItemReferenceToArray(pair, (cJSON *)(uintptr_t)golden_at(g->json, "outputs.ys"));
        if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "out", both, PYTREE(&out)); }
        cJSON_Delete(both);
    } else {
        const cJSON *facts = golden_get(g->json, "error.facts");
        const pytree_status wanted = facts == NULL ? number < 22 ? PYTREE_STRUCTURE
                                                     : number == 24 ? PYTREE_ARGUMENT : PYTREE_SHAPE
                                     : strcmp(golden_word(facts->child, "kind"), "structure") == 0 ? PYTREE_STRUCTURE
                                     : number == 16 || number == 18 ? PYTREE_SHAPE : PYTREE_TYPE;
        seeds_check_error(g, wanted, &error, &places, 0, 0);
    }
    pytree_flat_free(&out);
    if (!random) { seeds_body_free(&f); }
}

typedef struct LoopBody { const char *cond, *body; } LoopBody;
static const LoopBody loop_bodies[] = {
    { NULL, NULL },
    { "\"1 #37 <\"", "{\"dict\": [[\"k1\", \"1 #2 *\"], [\"a\", {\"tuple\": [\"0 #1 +\", null]}]]}" },
    { "\"0 #37 <\"", "{\"tuple\": [\"0 #1 +\", \"1 #2 *\"]}" },
    { NULL, "{\"list\": [\"1 0 +\", {\"dict\": [[\"k1\", \"2 0 0 * +\"]]}]}" },
    { NULL, "{\"dict\": [[\"k1\", \"1 #1 +\"]]}" }, { "\"1 #3 <\"", "{\"dict\": [[\"k1\", \"1 #1 +\"]]}" },
    { "\"0 #3 <\"", "{\"tuple\": [\"0 #1 +\", {\"list\": [\"1\", \"2\"]}]}" },
    { "\"0 #3 <\"", "{\"tuple\": [\"0 #1 +\", {\"dict\": [[\"k1\", \"1 int\"]]}]}" },
    { "\"0 #3 <\"", "{\"list\": [\"0 #1 +\", \"1 lift\"]}" },
    { "{\"dict\": [[\"p\", \"0 #3 <\"]]}", "{\"dict\": [[\"k1\", \"0\"]]}" }, { "\"0\"", "{\"dict\": [[\"k1\", \"0\"]]}" },
    { "\"0 #3 <\"", "{\"dict\": [[\"k1\", \"0\"]]}" }, { NULL, "{\"tuple\": [\"1\", {\"tuple\": [\"2\"]}]}" },
    { NULL, "{\"dict\": [[\"k1\", \"1 #0.5 +\"]]}" }
};

static void check_while(Golden *g)
{
    const size_t number = seeds_number(g);
    const bool random = number >= COUNT_OF(loop_bodies), fori = !random && loop_bodies[number].cond == NULL;
    const cJSON *expected = golden_get(g->json, "outputs.out");
    const pytree_fn body = random ? other_body(g, false) : seeds_body(g, "body", loop_bodies[number].body);
    const pytree_fn cond = random ? gives(g, "cond", PYTREE_BOOL(true)) : fori ? body : seeds_body(g, "cond",
                                                                                                   loop_bodies[number].cond);
    const pytree args[1] = { seeds_tree(g, golden_at(g->json, "inputs.init")) };
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out;
    if (fori) {
        out = pytree_apply_new(PYTREE_FORI(&body, .from = number == 4 ? 3 : 0, .to = number == 3 ? 5 : 3), 1, args,
                               seeds_options(&places), &error);
    } else {
        out = pytree_apply_new(PYTREE_WHILE(&cond, &body), 1, args, seeds_options(&places), &error);
    }
    if (expected != NULL) {
        if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "out", expected, PYTREE(&out)); }
    } else {
        const pytree_status wanted = number == 7 || number == 10 || number == 13 ? PYTREE_TYPE
                                     : number == 8 || number == 11 || number == 15 ? PYTREE_SHAPE : PYTREE_STRUCTURE;
        seeds_check_error(g, wanted, &error, &places, fori ? 3 : 0, 0);          /* JAX counts i to the carry: [1] in front */
    }
    pytree_flat_free(&out);
    if (!random) { seeds_body_free(&body); }
    if (!random && !fori) { seeds_body_free(&cond); }
}

static void loops(void **state)
{
    (void)state;
    seeds_run("scan", check_scan, NULL, 0);
    seeds_run("while", check_while, NULL, 0);
}

/* ---- cond, switch ------------------------------------------------------------------------------------------------------ */

typedef struct Branches { const char *one, *two, *three; } Branches;
static const Branches cond_bodies[] = {
    { NULL, NULL, NULL },
    { "{\"tuple\": [\"1 #2 *\", {\"dict\": [[\"u\", \"0\"]]}]}",
            "{\"tuple\": [\"1 #1 -\", {\"dict\": [[\"u\", \"0 #-1 *\"]]}]}", NULL },
    { "\"0\"", "\"0 #100 +\"", NULL }, { "\"0 #0 *\"", "\"0\"", "\"0 #10 *\"" },
    { "{\"dict\": [[\"u\", \"0\"]]}", "{\"dict\": [[\"v\", \"0\"]]}", NULL },
    { "{\"dict\": [[\"u\", \"0\"]]}", "{\"dict\": [[\"u\", \"0\"], [\"v\", \"0\"]]}", NULL },
    { "{\"tuple\": [\"0\", \"1\"]}", "{\"list\": [\"0\", \"1\"]}", NULL },
    { "{\"dict\": [[\"u\", {\"list\": [\"0\", \"1\"]}]]}", "{\"dict\": [[\"u\", {\"list\": [\"0\", {\"tuple\": [\"1\"]}]}]]}",
            NULL },
    { "{\"tuple\": [\"0\", null]}", "{\"tuple\": [\"0\", \"0\"]}", NULL },
    { "{\"dict\": [[\"u\", \"1\"]]}", "{\"dict\": [[\"u\", \"0\"]]}", NULL },
    { "{\"tuple\": [\"0\", \"1\"]}", "{\"tuple\": [\"0\", \"1 int\"]}", NULL },
    { "{\"list\": [\"0\", \"1\"]}", "{\"list\": [\"1\", \"0\"]}", NULL },
    { "{\"tuple\": [\"0\"]}", "{\"tuple\": [\"1 sum\"]}", "{\"list\": [\"0\"]}" }, { NULL, NULL, NULL },
    { "\"0\"", "\"0\"", NULL }, { "\"0\"", "\"0\"", NULL }
};

/* What the branch `which` of a record gives is number i of its recorded results. */
static void check_branch(Golden *g, const pytree_fn *f, pytree which, pytree x, int i)
{
    const cJSON *results = golden_get(golden_at(g->json, "outputs.out"), "list");
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, 2, (pytree[2]){ which, x }, NULL, &error);
    if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "out", cJSON_GetArrayItem(results, i), PYTREE(&out)); }
    pytree_flat_free(&out);
}

static void check_cond(Golden *g)
{
    static const int64_t indices[] = { -1, 0, 1, 2, 7 };
    const size_t number = seeds_number(g);
    const bool random = number >= COUNT_OF(cond_bodies);
    const Branches *texts = &cond_bodies[random ? 0 : number];
    const bool two[] = { true, false };
    const pytree yes = PYTREE_BOOL(true), many = PYTREE_ARRAY(two, 2), tree = PYTREE_DICT({ "p", yes }), one = PYTREE_INT(1);
    const pytree which = number == 12 ? one : number == 14 ? many : number == 15 ? tree : yes;
    pytree x = random ? PYTREE_NONE : seeds_tree(g, golden_at(g->json, "inputs.x"));
    pytree_fn f[3] = { { 0 }, { 0 }, { 0 } };
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = { NULL, NULL };
    if (number == 13) {                                        /* no branches: the struct by hand */
        const pytree_fn none = { .kind = &pytree_switch_kind, .context = &(pytree_switch_of){ .n = 0 } };
        out = pytree_apply_new(&none, 1, (pytree[1]){ PYTREE_INT(0) }, seeds_options(&places), &error);
        seeds_check_error(g, PYTREE_ARGUMENT, &error, &places, 0, 0);
        return;
    }
    f[0] = random ? gives(g, "one", seeds_tree(g, golden_at(g->json, "inputs.one"))) : seeds_body(g, "one", texts->one);
    f[1] = random ? gives(g, "two", seeds_tree(g, golden_at(g->json, "inputs.other"))) : seeds_body(g, "two", texts->two);
    if (texts->three != NULL) { f[2] = seeds_body(g, "three", texts->three); }
    if (number <= 3) {
        for (int i = 0; i < (number == 3 ? 5 : 2); i++) {
            const float numbers[] = { 0, 2 };
            if (number == 3) { check_branch(g, PYTREE_SWITCH(&f[0], &f[1], &f[2]), PYTREE(&indices[i]), x, i); }
            else { check_branch(g, PYTREE_COND(&f[0], &f[1]), number == 1 ? PYTREE(&two[i]) : PYTREE(&numbers[i]), x, i); }
        }
    } else {
        /* the first branch is what the others are compared with; of COND that is `no` */
        out = pytree_apply_new(number == 12 ? PYTREE_SWITCH(&f[0], &f[1], &f[2]) : PYTREE_COND(&f[1], &f[0]), 2,
                               (pytree[2]){ which, x }, seeds_options(&places), &error);
        seeds_check_error(g,
                number == 9 || number == 11 || number == 14 ? PYTREE_SHAPE : number == 10 ? PYTREE_TYPE : PYTREE_STRUCTURE,
                    &error, &places, 0, 0);
    }
    pytree_flat_free(&out);
    for (int k = 0; k < 3 && !random; k++) { if (f[k].context != NULL) { seeds_body_free(&f[k]); } }
}

static void branches(void **state)
{
    (void)state;
    seeds_run("cond", check_cond, NULL, 0);
}

/* ---- jit --------------------------------------------------------------------------------------------------------------- */

/* Argument 1 is static: a struct that has nothing else. */
static const pytree_items *static_argument(Golden *g, const cJSON *call, const pytree_items *args)
{
    Baz *baz = golden_alloc(g, 1, sizeof *baz);
    pytree *both = golden_alloc(g, 2, sizeof *both);
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    char *text = cJSON_PrintUnformatted(golden_get(call, "tuple")->child->next);
    baz->left = baz->a = PYTREE_NONE;
    baz->b = golden_copy(g, text);
    free(text);
    both[0] = args->items[0];
    both[1] = PYTREE(baz);
    items->count = 2;
    items->items = both;
    return items;
}

/* 018: a text is a leaf like any other. */
static void check_text_leaf(Golden *g, pytree_jit *jit)
{
    const pytree t = seeds_tree(g, golden_at(g->json, "inputs.t")), all = PYTREE_TUPLE(t);
    pytree_error error = { 0 };
    pytree out = pytree_zeros_like(all, NULL, &error);
    (void)pytree_jit_call(jit, 1, &t, out, &error);
    golden_check_bool(g, "error", true, error.status != PYTREE_OK);
    (void)pytree_equal(out, all, NULL, NULL, &error);
    golden_check_ok(g, "documented", &error);
    pytree_free(out);
}

static void check_jit(Golden *g)
{
    const cJSON *calls = golden_get(g->json, "inputs.calls.list"), *call;
    cJSON *traces = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(traces, "list");
    const pytree_fn f = { .name = "f", .call = copy_all, .shape = like_all };
    pytree_error error = { 0 };
    pytree_jit *jit = pytree_jit_new(&f, 0, NULL, &error);
    if (seeds_number(g) == 18) {
        check_text_leaf(g, jit);
    } else if (calls == NULL) {
        golden_no_counterpart(g);
    } else {
        cJSON_ArrayForEach(call, calls) {
            const pytree_items *args = seeds_tree(g, call).data;
            if (strstr(golden_word(g->json, "run"), "static_argnums") != NULL) { args = static_argument(g, call, args); }
            const pytree all = { &pytree_types[PYTREE__T_tuple], (void *)(uintptr_t)args };
            pytree out = pytree_zeros_like(all, NULL, &error);
            (void)pytree_jit_call(jit, args->count, args->items, out, &error);
            pytree_free(out);
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)pytree_jit_count(jit).misses));
        }
        if (golden_check_ok(g, "call", &error)) {
            if (seeds_number(g) == 10) {                       /* 1, 1.0, True and 2 are four static values */
                golden_check_bool(g, "documented", true, pytree_jit_count(jit).misses == 4);
            }
            golden_check_json(g, "traces", golden_at(g->json, "outputs.traces"), traces);
            traces = NULL;
        }
    }
    cJSON_Delete(traces);
    pytree_jit_free(jit);
}

static void jits(void **state)
{
    static const GoldenDecision decisions[] = {
        { "static fields have one type", NULL, "traces", "transforms.jit_cache.010", NULL, "{\"list\":[1,2,3,4]}", NULL },
        { "texts are leaves", NULL, "error", "transforms.jit_cache.018", NULL, "false", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    seeds_run("jit_cache", check_jit, decisions, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vmap), cmocka_unit_test(loops), cmocka_unit_test(branches), cmocka_unit_test(jits)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
