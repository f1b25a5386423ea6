/* Modules of Flax NNX as objects: golden/seeds/nnx.jsonl. Records of groups that other programs ask with dicts, and whose
 * values are more than their data: static attributes, metadata, classes, numbers of Python. The calls of a record are written
 * here in C, chosen by its id. */
#include "nnx_modules.h"
#include "pytree/display.h"

/* ---- States ------------------------------------------------------------------------------------------------------ */

/* The keys of a state: those of its first level, then those of each state in it. */
static void check_keys(Golden *g, pytree m)
{
    const cJSON *levels = golden_at(out(g, "keys"), "list")->child, *first = golden_at(levels, "list")->child;
    const cJSON *inner = golden_at(levels->next, "list")->child, *second = golden_at(inner, "list")->child;
    pytree_place_list *list = pytree_places(m, PYTREE_EVERYTHING, NULL, NULL);
    const char *before = "";
    for (size_t i = 0; i < list->n; i++) {
        const pytree_path *path = &list->places[i].path;
        if (strcmp(path->entries[0].name, before) != 0) {
            golden_check_text(g, "key", golden_string(first), path->entries[0].name);
            before = path->entries[0].name;
            first = first->next;
        }
        if (path->n == 2) {
            golden_check_text(g, "key in it", golden_string(second), path->entries[1].name);
            second = second->next;
        }
    }
    golden_check_bool(g, "all keys", true, first == NULL && second == NULL);
    pytree_places_free(list);
}

static void state_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m"));
    pytree_flat state = pytree_state(ends(g, "state.005") ? pytree_object_get(m, "scale", NULL) : m, PYTREE_EVERYTHING, NULL,
                                     &v.error);
    if (ends(g, "state.003")) {
        const float numbers[2] = { 1.5f, 3 };
        pytree_leaf leaf = pytree_at(PYTREE(&state), "['b'].value", NULL, &v.error);
        golden_check_bool(g, "same", cJSON_IsTrue(out(g, "same")) != 0, leaf.data == numbers_of(m, "b"));
        pytree_variable_set(pytree_object_get(m, "b", &v.error), PYTREE_ARRAY(numbers, 2, 1), &v.error);
        nnx_check(&v, "m", out(g, "m"), m);
    } else if (ends(g, "state.005")) {
        nnx_check(&v, "state", out(g, "state"), PYTREE(&state));
    } else {
        check_keys(g, m);
    }
    golden_check_ok(g, "calls", &v.error);
    pytree_flat_free(&state);
    nnx_end(&v);
}

static void items_of_state(NnxValues *v, pytree s)
{
    Golden *g = v->g;
    const cJSON *contains = golden_at(out(g, "contains"), "list")->child;
    pytree w = pytree_dict_get(s, "w", &v->error);
    pytree_dict_put_copy(w, "w2", PYTREE_INT(6), &v->error);
    pytree_dict_put_copy(s, "b", PYTREE_DICT({ "u", PYTREE_INT(52) }), &v->error);
    nnx_check(v, "got", out(g, "got"), pytree_dict_get(w, "w2", &v->error));
    golden_check_bool(g, "w", cJSON_IsTrue(contains) != 0, pytree_dict_get(s, "w", NULL).type != NULL);
    golden_check_bool(g, "u", cJSON_IsTrue(contains->next) != 0, pytree_dict_get(s, "u", NULL).type != NULL);
    pytree_dict_remove(s, "w", &v->error);
    golden_check_count(g, "length", out(g, "length"), pytree_container_length(s));
    nnx_check(v, "s", out(g, "s"), s);
}

/* Strings at the places of a state are the paths of those. */
static void mapped_paths(Golden *g, pytree m)
{
    NnxValues v = nnx_begin(g);
    pytree_error error = { 0 };
    pytree wanted = nnx_value(&v, out(g, "out"));
    pytree_place_list *list = pytree_places(m, PYTREE_EVERYTHING, NULL, &error);
    pytree_place_list *texts = pytree_places(wanted, PYTREE_EVERYTHING, NULL, &error);
    check_size(g, "places", texts->n, list->n);
    for (size_t i = 0; i < list->n && i < texts->n; i++) {
        char text[100];
        pytree_path_simple_text(&list->places[i].path, "/", text, sizeof text);
        golden_check_text(g, "path", *(const char *const *)texts->places[i].view->data, text);
    }
    pytree_places_free(list);
    pytree_places_free(texts);
    nnx_end(&v);
}

static void stateop_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    if (ends(g, "stateop.003")) {
        const pytree s[2] = { nnx_value(&v, in(g, "s1")), nnx_value(&v, in(g, "s2")) };
        pytree_flat merged = pytree_state_merge(2, s, NULL, &v.error);
        golden_check_bool(g, "error", true, merged.def == NULL && v.error.status == PYTREE_STRUCTURE);
    } else if (ends(g, "stateop.006")) {
        mapped_paths(g, nnx_value(&v, in(g, "m")));
    } else if (ends(g, "stateop.008")) {
        items_of_state(&v, nnx_value(&v, in(g, "s")));
        golden_check_ok(g, "calls", &v.error);
    } else {
        (void)pytree_dict_get(nnx_value(&v, in(g, "s")), "w2", &v.error);
        golden_check_bool(g, "error", true, v.error.status == PYTREE_NOT_FOUND);
    }
    nnx_end(&v);
}

/* ---- Flat states ------------------------------------------------------------------------------------------------- */

/* A path and a value of the record: a pair, or a tuple of two. */
static void check_place(NnxValues *v, const char *name, const cJSON *pair, const pytree_place *at)
{
    const cJSON *path = golden_get(pair, "tuple") != NULL ? golden_get(pair, "tuple")->child : pair->child, *value = path->next;
    char text[100];
    pytree_path_text(&at->path, text, sizeof text);
    golden_check_text(v->g, name, path_of(v->g, golden_get(path, "tuple") != NULL ? golden_get(path, "tuple") : path), text);
    if (golden_get(value, "variable") != NULL) {
        golden_check_text(v->g, "role", golden_word(value, "variable"), at->role == NULL ? NULL : at->role->name);
        value = golden_at(value, "value");
    }
    nnx_check(v, name, value, pytree_of_view(at->view));
}

static void check_flat(NnxValues *v, const char *name, const pytree_place_list *list)
{
    const cJSON *pair;
    size_t i = 0;
    cJSON_ArrayForEach(pair, golden_at(out(v->g, name), "flat_state")) {
        if (i < list->n) { check_place(v, name, pair, &list->places[i]); }
        i++;
    }
    check_size(v->g, name, i, list->n);
}

/* The state that comes of pairs. */
static pytree_flat state_of_pairs(NnxValues *v, const cJSON *pairs)
{
    pytree_place places[8];
    size_t n = 0;
    const cJSON *pair, *entry;
    cJSON_ArrayForEach(pair, golden_at(pairs, "list")) {
        const cJSON *first = golden_get(pair, "tuple")->child, *path = golden_at(first, "tuple"), *value = first->next;
        pytree_entry *entries = golden_alloc(v->g, 8, sizeof *entries);
        pytree_leaf *leaf = golden_alloc(v->g, 1, sizeof *leaf);
        pytree_place *at = &places[n++];
        memset(at, 0, sizeof *at);
        at->path.entries = entries;
        cJSON_ArrayForEach(entry, path) {
            pytree_entry *to = &entries[at->path.n++];
            to->kind = cJSON_IsNumber(entry) ? PYTREE_INDEX : PYTREE_ATTRIBUTE;
            if (cJSON_IsNumber(entry)) { to->index = (size_t)golden_int(entry); } else { to->name = golden_string(entry); }
        }
        *leaf = (pytree_leaf){ .type = PYTREE_TYPE(int64_t), .data = nnx_value(v, value).data };
        at->view = leaf;
    }
    return pytree_of_places(n, places, NULL, &v->error);
}

static void flat_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree_place_list *list = NULL, part;
    pytree_flat back = { NULL, NULL };
    if (ends(g, "flat.007")) {            /* the keys of a dict are either all text or all numbers */
        pytree dict = pytree_new_dict(NULL, &v.error);
        pytree_dict_put_copy(dict, "B", PYTREE_INT(1), &v.error);
        golden_check_bool(g, "error", true, pytree_dict_put_int_copy(dict, 3, PYTREE_INT(2), NULL) != PYTREE_OK);
        pytree_container_free(dict);
    } else if (ends(g, "flat.009")) {
        back = state_of_pairs(&v, in(g, "pairs"));
        golden_check_ok(g, "of places", &v.error);
        nnx_check(&v, "state", out(g, "state"), PYTREE(&back));
    } else {
        list = pytree_places(nnx_value(&v, golden_at(g->json, ends(g, "flat.002") ? "inputs.m" : "inputs.state")),
                             PYTREE_EVERYTHING, NULL, &v.error);
        if (ends(g, "flat.002")) {
            check_place(&v, "first", out(g, "first"), &list->places[0]);
            check_place(&v, "last", out(g, "last"), &list->places[list->n - 1]);
            part = *list;
            part.places++;
            part.n = 2;
            check_flat(&v, "part", &part);
        } else {
            check_flat(&v, "flat", list);
        }
        if (ends(g, "flat.008")) {
            back = pytree_of_places(list->n, list->places, NULL, &v.error);
            nnx_check(&v, "back", out(g, "back"), PYTREE(&back));
        }
    }
    golden_check_ok(g, "calls", &v.error);
    pytree_flat_free(&back);
    pytree_places_free(list);
    nnx_end(&v);
}

/* The shapes of a dict of dicts, in its order, are those of the places. */
static void check_shapes(Golden *g, const cJSON *pairs, const pytree_place_list *list, size_t *i)
{
    const cJSON *pair, *extent;
    cJSON_ArrayForEach(pair, pairs) {
        const cJSON *value = pair->child->next;
        int k = 0;
        if (golden_get(value, "dict") != NULL) { check_shapes(g, golden_get(value, "dict"), list, i); continue; }
        if (*i >= list->n) { break; }
        golden_check_text(g, "key", golden_string(pair->child),
                          list->places[*i].path.entries[list->places[*i].path.n - 1].name);
        cJSON_ArrayForEach(extent, golden_at(value, "tuple")) {
            golden_check_count(g, "extent", extent, list->places[*i].view->shape[k++]);
        }
        golden_check_bool(g, "dimensions", true, list->places[(*i)++].view->ndim == k);
    }
}

static void pure_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree_place_list *list = pytree_places(nnx_value(&v, in(g, "m")), PYTREE_EVERYTHING, NULL, &v.error);
    size_t i = 0;
    check_shapes(g, golden_at(out(g, "shapes"), "dict"), list, &i);
    check_size(g, "places", i, list->n);
    pytree_places_free(list);
    nnx_end(&v);
}

/* ---- Graphs ------------------------------------------------------------------------------------------------------ */

PYTREE_CLASS(Cell, Module);

static void sharing_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = pytree_new_object(&pytree_class_Cell, NULL, &v.error), other = m;
    if (ends(g, "sharing.007")) {
        pytree x = array_of(g, golden_at(golden_at(in(g, "m"), "attrs")->child->child->next->next, "array"));
        pytree_duplicates *d;
        pytree_flat state;
        pytree_object_put(m, "left", x, &v.error);             /* the same memory */
        pytree_object_put(m, "w", x, &v.error);
        d = pytree_graph_duplicates(m, PYTREE_EVERYTHING, NULL, &v.error);
        golden_check_bool(g, "duplicates", true, d->n_groups == 1 && strcmp(d->paths[0][0], ".left") == 0
                          && strcmp(d->paths[0][1], ".w") == 0);
        pytree_duplicates_free(d);
        pytree_object_put_copy(m, "w", x, &v.error);           /* NNX's arrays have no identity in a state */
        state = pytree_state(m, PYTREE_EVERYTHING, NULL, &v.error);
        nnx_check(&v, "state", out(g, "state"), PYTREE(&state));
        pytree_flat_free(&state);
        golden_check_ok(g, "calls", &v.error);
    } else if (ends(g, "sharing.006")) {
        pytree_object_put(m, "left", PYTREE_AS_DATA(m), &v.error);
        (void)pytree_num_leaves(m, NULL, &v.error);
        golden_check_bool(g, "failed", true, v.error.status == PYTREE_CYCLE);
    } else {
        other = pytree_new_object(&pytree_class_Cell, NULL, &v.error);
        pytree_object_put(m, "left", other, &v.error);
        pytree_object_put(other, "w", m, &v.error);
        golden_check_ok(g, "calls", &v.error);
        golden_check_bool(g, "error", true, pytree_check(m, NULL, NULL, NULL, &v.error) == PYTREE_CYCLE);
        pytree_object_remove(other, "w", NULL);
    }
    if (ends(g, "sharing.006")) { pytree_object_remove(m, "left", NULL); }
    pytree_container_free(m);
    if (other.data != m.data) { pytree_container_free(other); }
    nnx_end(&v);
}

/* What a walk must visit next: only modules, only what is one step from the root, or everything. */
typedef struct Walk { Golden *g; const cJSON *next; bool modules, children; } Walk;

static pytree_status visit_object(void *context, const pytree_place *at)
{
    Walk *w = context;
    const bool is_module = pytree_role_is(at->type, &pytree_class_Module);
    const bool is_variable = at->role != NULL && at->role == at->type;
    const cJSON *path, *type;
    char text[100];
    if (at->role != NULL && !is_variable) { return PYTREE_OK; }                /* in a variable */
    if (w->modules && !is_module) { return PYTREE_OK; }
    if (w->children && (at->path.n != 1 || !(is_module || is_variable))) { return PYTREE_OK; }
    if (w->next == NULL) { golden_verdict(w->g, "visited", false, "no more", at->type->name); return PYTREE_STOPPED; }
    path = golden_get(w->next, "tuple")->child;
    type = path->next;
    pytree_path_text(&at->path, text, sizeof text);
    if (golden_get(path, "tuple") != NULL) { golden_check_text(w->g, "path", path_of(w->g, golden_get(path, "tuple")), text); }
    else { golden_check_text(w->g, "key", golden_string(path), text + 1); }
    if (is_module || is_variable) { golden_check_text(w->g, "type", golden_string(type), at->type->name); }
    w->next = w->next->next;
    return PYTREE_OK;
}

static void check_walk(Golden *g, const char *name, pytree m, bool modules, bool children)
{
    pytree_error error = { 0 };
    Walk w = { g, golden_at(out(g, name), "list")->child, modules, children };
    (void)pytree_graph_walk(m, visit_object, &w, NULL, &error);
    golden_check_ok(g, name, &error);
    golden_check_bool(g, "all visited", true, w.next == NULL);
}

static void iter_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m"));
    if (ends(g, "iter.004")) { check_walk(g, "visited", m, false, false); }
    else { check_walk(g, "modules", m, true, false); }
    if (ends(g, "iter.005")) {
        check_walk(g, "children", m, false, true);
        check_walk(g, "module_children", m, true, true);
    }
    nnx_end(&v);
}

static void clone_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m")), c;
    pytree_def *graphdef = NULL;
    pytree_flat state = { NULL, NULL };
    const cJSON *same = golden_at(out(g, "same"), "list")->child;
    c = with_the_same_arrays(&v, m, &graphdef, &state);
    golden_check_ok(g, "merge", &v.error);
    golden_check_bool(g, "b", cJSON_IsTrue(same) != 0, numbers_of(c, "b") == numbers_of(m, "b"));
    golden_check_bool(g, "bias", cJSON_IsTrue(same->next) != 0,
                      pytree_object_get(c, "bias", NULL).data == pytree_object_get(m, "bias", NULL).data);
    numbers_of(c, "b")[0] = -3.25f;       /* in place: through the copy a value keeps its shape */
    golden_check_bool(g, "m", true, numbers_of(m, "b")[0] == -3.25f);
    pytree_free(c);
    pytree_def_free(graphdef);
    pytree_flat_free(&state);
    nnx_end(&v);
}

static void graphdef_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m"));
    pytree_def *one = pytree_graphdef(m, NULL, &v.error), *two;
    if (ends(g, "graphdef.003")) { pytree_object_put_copy(m, "w", PYTREE_STR("other"), &v.error); }
    else { pytree_set_metadata(m, PYTREE_PATH(".scale"), "note", PYTREE_STR("two words"), NULL, NULL, &v.error); }
    two = pytree_graphdef(m, NULL, &v.error);
    golden_check_ok(g, "calls", &v.error);
    golden_check_bool(g, "equal", cJSON_IsTrue(out(g, "equal")) != 0, pytree_def_equal(one, two));
    pytree_def_free(one);
    pytree_def_free(two);
    if (ends(g, "graphdef.003")) {
        pytree_flat whole_state = whole(g, m), split_state = { NULL, NULL };
        pytree_split(m, 0, NULL, NULL, &split_state, NULL, &v.error);
        golden_check_bool(g, "states", cJSON_IsTrue(out(g, "states_equal")) != 0,
                          pytree_def_equal(whole_state.def, split_state.def));
        pytree_flat_free(&whole_state);
        pytree_flat_free(&split_state);
    }
    nnx_end(&v);
}

static void print_object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    char text[2000] = "", *number;
    size_t n = 0;
    if (ends(g, "print.009")) {
        const pytree s[2] = { nnx_value(&v, in(g, "e")),
                              PYTREE_DICT({ "loss", PYTREE_DICT() }, { "m", PYTREE_DICT({ "q", PYTREE_INT(-5) }) },
                                          { "n", PYTREE_NONE }) };
        for (size_t i = 0; i < 2; i++) {
            n += pytree_state_text(s[i], text + n, sizeof text - n, NULL, &v.error);
            text[n++] = '\n';
        }
        number = strstr(text, "'m'");     /* for 3: the keys of a dict are either all text or all numbers, and sorted */
        assert_non_null(number);
        *number = '3';
        memmove(number + 1, number + 3, strlen(number + 3) + 1);
    } else {
        pytree m = nnx_value(&v, in(g, "m"));
        pytree_flat state = pytree_state(m, PYTREE_EVERYTHING, NULL, &v.error);
        n = pytree_display_text(m, text, sizeof text, NULL, &v.error);
        text[n++] = '\n';
        n += pytree_state_text(PYTREE(&state), text + n, sizeof text - n, NULL, &v.error);
        text[n++] = '\n';
        pytree_flat_free(&state);
    }
    golden_check_ok(g, "text", &v.error);
    golden_check_text(g, "printed", golden_word(g->json, "printed"), text);
    nnx_end(&v);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void objects(void **state)
{
    static const struct { const char *ids; size_t n; void (*test)(Golden *g); } groups[] = {
        { "state.003 state.005 state.006", 3, state_object_case },
        { "stateop.003 stateop.006 stateop.008 stateop.009 stateop.010", 5, stateop_object_case },
        { "flat.002 flat.006 flat.007 flat.008 flat.009", 5, flat_object_case },
        { "pure.002", 1, pure_object_case },
        { "sharing.006 sharing.007 sharing.013", 3, sharing_object_case },
        { "iter.004 iter.005 iter.006", 3, iter_object_case },
        { "clone.002", 1, clone_object_case },
        { "graphdef.003 graphdef.004", 2, graphdef_object_case },
        { "print.007 print.009", 2, print_object_case },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        for (const char *id = groups[i].ids; *id != '\0'; id += strcspn(id, " "), id += *id == ' ') {
            char wanted[40];
            snprintf(wanted, sizeof wanted, "\"id\": \"nnx.%.*s\"", (int)strcspn(id, " "), id);
            golden_run_exactly("seeds/nnx", wanted, groups[i].test, 1, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(objects) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
