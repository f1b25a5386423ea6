/* states.c: does what tests/oracle/states.py asks with graphs of objects and variables.
 *
 * A command is a line of words, and its answer a line: what it gave, or "error" and the message, then a tab and the model as it
 * is after it. "begin" forgets everything; its answer is empty.
 *
 *     model CLASS                     put PATH NAME VALUE            split N FILTER...       update (with what "values" made)
 *     clone ADOPT                     remove PATH NAME               merge ADOPT N I...      pop N FILTER...
 *     set PATH N NUMBER...            metadata PATH NAME LITERAL     values FIRST FILTER     join, minus (of two parts)
 *
 *     VALUE     new CLASS | var ROLE N NUMBER... | array N NUMBER... | at PATH | static LITERAL
 *     FILTER    of ROLE | has NAME | like PART | index I | rest | nothing | not FILTER | any N FILTER... | all N FILTER...
 *     PATH      . | NAME.NAME...
 *
 * A value is written with its class or role and a number in order of visit, what was there before as @ and that number:
 *     Foo#0{a:Param#1{'tag': 'x'}=2:1,2;b:@0;c~3}
 */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
#include "pytree/object.h"
#include "pytree/record.h"
#include "pytree/state.h"

enum { LINE = 1 << 16, PARTS = 4, FILTERS = 64, KEPT = 512, NUMBERS = 64 };

PYTREE_CLASS(Foo, Module);
PYTREE_CLASS(Bar, Module);
PYTREE_ROLE(Frozen, Param);

typedef struct Out { char text[LINE]; size_t n; } Out;

typedef struct Session {
    pytree model;
    pytree_def *graphdef;
    pytree_flat parts[PARTS];
    size_t n_parts;
    pytree_flat values;
    pytree containers[KEPT], blocks[KEPT];                     /* freed at the end: values refer to one another */
    pytree_flat flats[KEPT];
    pytree_def *defs[KEPT];
    size_t n_containers, n_blocks, n_flats, n_defs;
    pytree_filter filters[FILTERS];
    size_t n_filters;
    pytree_error err;
    Out out;
} Session;

/* ---- Words ------------------------------------------------------------------------------------------------------------- */

static char line[LINE], *at_line;

static const char *word(void)
{
    char *w = at_line;
    if (*w == '\0') { fprintf(stderr, "states.c: a word is missing\n"); exit(2); }
    while (*at_line != '\0' && *at_line != ' ') { at_line++; }
    if (*at_line == ' ') { *at_line++ = '\0'; }
    return w;
}

static size_t number(void) { return strtoul(word(), NULL, 10); }

static const pytree_type *class_of(const char *name)
{
    static const pytree_type *const classes[] = { &pytree_class_Foo, &pytree_class_Bar, &pytree_class_List,
                                                  &pytree_class_Dict };
    size_t i;
    for (i = 0; strcmp(classes[i]->name, name) != 0; i++) {}
    return classes[i];
}

static const pytree_type *role_of(const char *name)
{
    static const pytree_type *const roles[] = { &pytree_role_Variable, &pytree_role_Param, &pytree_role_BatchStat,
                                                &pytree_role_Cache, &pytree_role_Intermediate, &pytree_role_Frozen };
    size_t i;
    for (i = 0; strcmp(roles[i]->name, name) != 0; i++) {}
    return roles[i];
}

/* Filters in filters are as deep as the question. */
static pytree_filter read_filter(Session *s)
{
    const char *kind = word();
    size_t n, i;
    pytree_filter *of;
    if (strcmp(kind, "of") == 0) { return (pytree_filter){ .kind = PYTREE_FILTER_ROLE, .type = role_of(word()) }; }
    if (strcmp(kind, "has") == 0) { return PYTREE_PATH_HAS(word()); }
    if (strcmp(kind, "like") == 0) { return PYTREE_PATH_LIKE(word()); }
    if (strcmp(kind, "index") == 0) { return PYTREE_PATH_HAS_INDEX((int64_t)number()); }
    if (strcmp(kind, "rest") == 0) { return PYTREE_REST; }
    if (strcmp(kind, "nothing") == 0) { return PYTREE_NOTHING; }
    n = strcmp(kind, "not") == 0 ? 1 : number();
    of = s->filters + s->n_filters;
    s->n_filters += n;
    for (i = 0; i < n; i++) { of[i] = read_filter(s); }
    return (pytree_filter){ .kind = *kind == 'n' ? PYTREE_FILTER_NOT : strcmp(kind, "any") == 0 ? PYTREE_FILTER_ANY
                                                                                               : PYTREE_FILTER_ALL,
                            .n = n, .of = of };
}

static size_t read_filters(Session *s, const pytree_filter **filters)
{
    const size_t n = number();
    pytree_filter *const of = s->filters;
    size_t i;
    s->n_filters = n;
    for (i = 0; i < n; i++) { of[i] = read_filter(s); }
    *filters = of;
    return n;
}

/* Numbers of an array. */
static size_t read_numbers(float *to)
{
    const size_t n = number();
    size_t i;
    for (i = 0; i < n; i++) { to[i] = strtof(word(), NULL); }
    return n;
}

/* ---- Values in the model ----------------------------------------------------------------------------------------------- */

static pytree keep(Session *s, pytree t)
{
    if (t.type != NULL) { s->containers[s->n_containers++] = t; }
    return t;
}

static pytree child_of(pytree t, const char *name, pytree_error *err)
{
    return t.type == &pytree_class_List || pytree__origin(t.type) == &pytree_class_List
        ? pytree_list_get(t, (ptrdiff_t)strtol(name, NULL, 10), err) : pytree_object_get(t, name, err);
}

static pytree value_at(Session *s, const char *path)
{
    char name[16];
    pytree t = s->model;
    while (*path != '\0' && strcmp(path, ".") != 0) {
        const size_t n = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        t = child_of(t, name, &s->err);
        if (t.type == NULL) { fprintf(stderr, "states.c: nothing at %s: %s\n", path, s->err.message); exit(2); }
        path += n + (path[n] == '.');
    }
    return t;
}

static void put(Session *s)
{
    static float numbers[NUMBERS];
    const pytree to = value_at(s, word());
    const char *name = word(), *kind = word();
    const bool is_list = pytree__origin(to.type) == &pytree_class_List, end = is_list
        && strtoul(name, NULL, 10) == pytree_object_length(to);
    bool copy = false;
    pytree value;
    pytree_leaf view = { .type = PYTREE_TYPE(float), .data = numbers, .ndim = 1 };
    if (strcmp(kind, "new") == 0) {
        value = keep(s, pytree_new_object(class_of(word()), NULL, &s->err));
    } else if (strcmp(kind, "at") == 0) {
        value = value_at(s, word());
    } else if (strcmp(kind, "static") == 0) {
        s->blocks[s->n_blocks++] = value = pytree_parse(word(), NULL, &s->err);
        copy = true;
    } else {
        const pytree_type *role = strcmp(kind, "var") == 0 ? role_of(word()) : NULL;
        view.shape[0] = read_numbers(numbers);
        value = pytree_of_view(&view);
        copy = role == NULL;
        if (role != NULL) { value = keep(s, pytree_new_variable(role, value, NULL, &s->err)); }
    }
    if (end) {
        (copy ? pytree_list_append_copy : pytree_list_append)(to, value, &s->err);
    } else if (is_list) {
        (copy ? pytree_list_set_copy : pytree_list_set)(to, (ptrdiff_t)strtol(name, NULL, 10), value, &s->err);
    } else {
        (copy ? pytree_object_put_copy : pytree_object_put)(to, name, value, &s->err);
    }
}

static void set_value(Session *s)
{
    static float numbers[NUMBERS];
    const pytree variable = value_at(s, word());
    pytree_leaf view = { .type = PYTREE_TYPE(float), .data = numbers, .ndim = 1 };
    view.shape[0] = read_numbers(numbers);
    pytree_variable_set(variable, pytree_of_view(&view), &s->err);
}

static void put_metadata(Session *s)
{
    const pytree variable = value_at(s, word());
    const char *name = word();
    const pytree value = pytree_parse(word(), NULL, &s->err);
    pytree_variable_put_metadata(variable, name, value, &s->err);
    pytree_free(value);
}

/* ---- Text -------------------------------------------------------------------------------------------------------------- */

static void say(Out *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    out->n += (size_t)vsnprintf(out->text + out->n, LINE - out->n, format, arguments);
    va_end(arguments);
}

static void say_leaf(Out *out, const pytree_leaf *leaf)
{
    size_t i;
    if (leaf->type->dtype == PYTREE_STRING) { say(out, "='%s'", *(const char *const *)leaf->data); return; }
    say(out, "=");
    if (leaf->ndim != 0) { say(out, "%zu:", leaf->shape[0]); }
    for (i = 0; i < pytree_leaf_count(leaf); i++) { say(out, i == 0 ? "%g" : ",%g", pytree_leaf_get(leaf, i)); }
}

typedef struct Text {
    Out *out;
    const pytree_def *def;
    const pytree_leaf *leaves;
    size_t visited;                       /* nodes that have a number, in order of visit */
    size_t *numbers;                      /* of each node */
    bool numbered;
} Text;

static void say_node(Text *t, size_t node, size_t leaf_end);

static void say_children(Text *t, size_t node, size_t leaf_end)
{
    const pytree_node *n = &t->def->nodes[node];
    const unsigned char *key = pytree__first_key(t->def, node);
    size_t nodes[64], ends[64], i = n->arity, at = node - 1;
    while (i-- != 0) {
        nodes[i] = at;
        ends[i] = leaf_end;
        leaf_end -= t->def->nodes[at].leaves;
        at -= t->def->nodes[at].nodes;
    }
    say(t->out, "{");
    for (i = 0; i < n->arity; i++) {
        pytree_entry entry;
        key = pytree__next_key(n, key, i, &entry);
        if (entry.name != NULL) { say(t->out, "%s", entry.name); } else { say(t->out, "%lld", (long long)entry.index); }
        if (t->def->nodes[nodes[i]].type != &pytree_static_type) { say(t->out, ":"); }
        say_node(t, nodes[i], ends[i]);
        say(t->out, ";");
    }
    say(t->out, "}");
}

/* This calls itself: the graphs of states.py are small. */
static void say_node(Text *t, size_t node, size_t leaf_end)
{
    const pytree_node *n = &t->def->nodes[node];
    const unsigned char *meta = t->def->statics + n->meta;
    if (n->type == NULL) { say_leaf(t->out, &t->leaves[leaf_end - 1]); return; }
    if (n->type == &pytree_same) { say(t->out, "@%zu", t->numbers[pytree__same_target(t->def, node)]); return; }
    if (n->type == &pytree_static_type) { say(t->out, "~%s", pytree__metadata_text(meta)); return; }
    if (n->type->kind == PYTREE_KIND_NONE) { say(t->out, "None"); return; }
    if (n->type->kind != PYTREE_KIND_DICT) { say(t->out, "%s", n->type->name); }
    if (t->numbered) {
        t->numbers[node] = t->visited++;
        say(t->out, "#%zu", t->numbers[node]);
    }
    if (n->type->custom != &pytree_variable_node) { say_children(t, node, leaf_end); return; }
    if (pytree__metadata_text(meta) != NULL) { say(t->out, "%s", pytree__metadata_text(meta)); }
    say_node(t, node - 1, leaf_end);
}

static void say_flat(Out *out, const pytree_flat *flat, bool numbered)
{
    static size_t numbers[LINE];
    Text t = { out, flat->def, flat->leaves, 0, numbers, numbered };
    if (flat->def == NULL) { say(out, "nothing"); return; }
    say_node(&t, flat->def->n_nodes - 1, flat->def->n_leaves);
}

static void say_tree(Out *out, pytree t, bool numbered)
{
    pytree_leaf *leaves = NULL;
    pytree_flat flat = { NULL, NULL };
    pytree_def *def = NULL;
    pytree_error err = { 0 };
    if (pytree_graph_flatten(t, &leaves, 0, &def, NULL, &err) != PYTREE_OK) { say(out, "error %s", err.message); return; }
    flat.def = def;
    flat.leaves = leaves;
    say_flat(out, &flat, numbered);
    pytree_def_free(def);
}

/* ---- Commands ---------------------------------------------------------------------------------------------------------- */

static pytree_flat keep_flat(Session *s, pytree_flat flat)
{
    if (flat.def != NULL) { s->flats[s->n_flats++] = flat; }
    return flat;
}

static void say_parts(Session *s)
{
    size_t i;
    for (i = 0; i < s->n_parts; i++) {
        say(&s->out, i == 0 ? "" : " ");
        say_flat(&s->out, &s->parts[i], false);
    }
}

static void split(Session *s)
{
    const pytree_filter *filters;
    size_t i;
    s->n_parts = read_filters(s, &filters);
    if (pytree_split(s->model, s->n_parts, filters, &s->graphdef, s->parts, NULL, &s->err) != PYTREE_OK) { return; }
    s->defs[s->n_defs++] = s->graphdef;
    for (i = 0; i < s->n_parts; i++) { keep_flat(s, s->parts[i]); }
    say_parts(s);
}

static void adopt(Session *s, pytree made, bool adopted)
{
    if (made.data == NULL) { return; }
    s->blocks[s->n_blocks++] = made;
    say_tree(&s->out, made, true);
    if (adopted) { s->model = made; }
}

static void merge(Session *s)
{
    const bool adopted = number() != 0;
    const size_t n = number();
    pytree states[PARTS];
    size_t i;
    for (i = 0; i < n; i++) { states[i] = PYTREE(&s->parts[number()]); }
    adopt(s, pytree_merge(s->graphdef, n, states, NULL, &s->err), adopted);
}

/* A state like one of the model, with numbers of its own. */
static void make_values(Session *s)
{
    float first = strtof(word(), NULL);
    pytree_flat like, made;
    size_t i, k;
    s->n_filters = 1;
    s->filters[0] = read_filter(s);
    like = pytree_state(s->model, s->filters[0], NULL, &s->err);
    if (like.def == NULL) { return; }
    made = keep_flat(s, pytree_state_zeros_like(PYTREE(&like), NULL, &s->err));
    pytree_flat_free(&like);
    if (made.def == NULL) { return; }
    s->values = made;
    for (i = 0; i < s->values.def->n_leaves; i++) {
        const pytree_leaf *leaf = &s->values.leaves[i];
        for (k = 0; k < pytree_leaf_count(leaf); k++) { pytree_leaf_set(leaf, k, first++); }
    }
    say_flat(&s->out, &s->values, false);
}

static void pop(Session *s)
{
    const pytree_filter *filters;
    const size_t n = read_filters(s, &filters);
    pytree taken[PARTS];
    size_t i;
    if (pytree_pop(s->model, n, filters, taken, NULL, &s->err) != PYTREE_OK) { return; }
    for (i = 0; i < n; i++) {
        say(&s->out, i == 0 ? "" : " ");
        say_tree(&s->out, taken[i], false);
        keep(s, taken[i]);
    }
}

static void forget(Session *s)
{
    while (s->n_flats != 0) { pytree_flat_free(&s->flats[--s->n_flats]); }
    while (s->n_defs != 0) { pytree_def_free(s->defs[--s->n_defs]); }
    while (s->n_containers != 0) { pytree_container_free(s->containers[--s->n_containers]); }
    while (s->n_blocks != 0) { pytree_free(s->blocks[--s->n_blocks]); }
    memset(&s->model, 0, sizeof s->model);
    memset(&s->values, 0, sizeof s->values);
}

static void answer(Session *s)
{
    const char *what = word();
    pytree parts[2];
    memset(&s->err, 0, sizeof s->err);
    s->out.n = 0;
    s->out.text[0] = '\0';
    if (strcmp(what, "begin") == 0) { forget(s); return; }
    if (strcmp(what, "model") == 0) { s->model = keep(s, pytree_new_object(class_of(word()), NULL, &s->err)); }
    if (strcmp(what, "put") == 0) { put(s); }
    if (strcmp(what, "set") == 0) { set_value(s); }
    if (strcmp(what, "metadata") == 0) { put_metadata(s); }
    if (strcmp(what, "remove") == 0) {
        const pytree from = value_at(s, word());
        pytree_object_remove(from, word(), &s->err);
    }
    if (strcmp(what, "split") == 0) { split(s); }
    if (strcmp(what, "merge") == 0) { merge(s); }
    if (strcmp(what, "clone") == 0) { adopt(s, pytree_graph_clone(s->model, NULL, &s->err), number() != 0); }
    if (strcmp(what, "values") == 0) { make_values(s); }
    if (strcmp(what, "update") == 0) { parts[0] = PYTREE(&s->values); pytree_object_update(s->model, 1, parts, NULL, &s->err); }
    if (strcmp(what, "pop") == 0) { pop(s); }
    parts[0] = PYTREE(&s->parts[0]);
    parts[1] = PYTREE(&s->parts[1]);
    if (strcmp(what, "join") == 0) {
        const pytree_flat joined = keep_flat(s, pytree_state_merge(2, parts, NULL, &s->err));
        say_flat(&s->out, &joined, false);
    }
    if (strcmp(what, "minus") == 0) {
        const pytree_flat less = keep_flat(s, pytree_state_minus(parts[0], parts[1], NULL, &s->err));
        say_flat(&s->out, &less, false);
    }
    if (s->err.status != PYTREE_OK) {
        s->out.n = 0;
        say(&s->out, "error %s: %s: %s", pytree_status_name(s->err.status), s->err.path, s->err.message);
    }
    say(&s->out, "\t");
    say_tree(&s->out, s->model, true);
}

int main(void)
{
    static Session s;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        at_line = line;
        answer(&s);
        puts(s.out.text);
        if (strcmp(line, "begin") == 0) { fflush(stdout); }
    }
    forget(&s);
    return 0;
}
