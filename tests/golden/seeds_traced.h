/* Traced bodies for the records of golden/seeds/transforms.jsonl: operations on texts, as autoform has them, and bodies written
 * as in seeds_shared.h. */
#include "seeds_shared.h"
#include "pytree/derive.h"
#include "pytree/ravel.h"

/* ---- Operations on texts -----------------------------------------------------------------------------------------------
 *
 * A text is a scalar leaf; what an operation makes lives until the case ends. Derivatives are texts: the tangent of a concat is
 * the concat of tangents, feedback on a result goes to each operand, and feedback that meets is one text after the other.
 */
static Golden *seeds_memory;              /* of the case that runs */

/* The text of an operand; a zero derivative is an empty one. */
static inline const char *seeds_text(const pytree_leaf *leaf)
{
    const char *text = *(const char *const *)leaf->data;
    return text == NULL ? "" : text;
}

static inline pytree_leaf seeds_text_leaf(void)
{
    const pytree_leaf leaf = { .type = &pytree_types[PYTREE__T_string] };
    return leaf;
}

static inline pytree_value seeds_constant_text(pytree_trace *tr, const char *text)
{
    pytree_leaf leaf = seeds_text_leaf();
    leaf.data = &text;
    return pytree_op_constant(tr, &leaf);
}

static inline pytree_status seeds_needs_texts(const pytree_op_call *c, size_t most, pytree_error *err)
{
    for (size_t k = 0; k < c->n_in && k < most; k++) {
        if (c->in[k]->type->dtype != PYTREE_STRING || c->in[k]->ndim != 0) {
            return pytree_fail(err, PYTREE_TYPE, NULL, "expected texts, got %s", c->in[k]->type->name);
        }
    }
    return PYTREE_OK;
}

static inline pytree_status seeds_concat_shape(const pytree_op_call *c, pytree_error *err)
{
    *c->out[0] = seeds_text_leaf();
    return seeds_needs_texts(c, c->n_in, err);
}

static inline pytree_status seeds_concat_run(const pytree_op_call *c, pytree_error *err)
{
    GoldenText to = { seeds_memory, NULL, 0, 0 };
    (void)err;
    golden_puts(&to, "");
    for (size_t k = 0; k < c->n_in; k++) { golden_puts(&to, seeds_text(c->in[k])); }
    *(const char **)c->out[0]->data = to.at;
    return PYTREE_OK;
}

/* Tangents in the places of the operands; zeros are empty. */
static inline void seeds_text_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t)
{
    pytree_value in[8];
    assert_in_range(e->n_in, 0, COUNT_OF(in));
    for (size_t k = 0; k < e->n_in; k++) { in[k] = t[k].id != 0 ? t[k] : seeds_constant_text(tr, ""); }
    out_t[0] = pytree_record(tr, e->op, e->params, e->n_in, in, NULL);
}

static inline void seeds_text_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    for (size_t k = 0; k < e->n_in; k++) {
        if (pytree_value_shape(tr, e->in[k])->type->dtype == PYTREE_STRING) { in_ct[k] = ct[0]; }
    }
}

static const pytree_op seeds_concat = { .name = "concat", .shape = seeds_concat_shape, .run = seeds_concat_run,
                                        .jvp = seeds_text_jvp, .vjp = seeds_text_vjp };

/* A template with {}, {0}, {name}, {:>5}, {{ and }}. The operands that have names come last. */
typedef struct SeedsFormat {
    const char *text, *names;             /* "k n": with spaces between them */
    size_t n_named;
} SeedsFormat;

/* The number of a field; SIZE_MAX: there is no such operand. */
static inline size_t seeds_field(const SeedsFormat *f, size_t n_in, const char *word, size_t length, size_t *next)
{
    const size_t n_plain = n_in - f->n_named;
    const char *name = f->names;
    size_t at = SIZE_MAX;
    if (length == 0) { at = (*next)++; }
    else if (word[0] >= '0' && word[0] <= '9') { at = strtoul(word, NULL, 10); }
    if (at != SIZE_MAX) { return at < n_plain ? at : SIZE_MAX; }
    for (size_t k = 0; k < f->n_named; k++) {
        const size_t n = strcspn(name, " ");
        if (n == length && memcmp(name, word, n) == 0) { return n_plain + k; }
        name += n + (name[n] == ' ');
    }
    return SIZE_MAX;
}

static inline void seeds_put_value(GoldenText *to, const pytree_leaf *leaf)
{
    const double v = leaf->type->dtype == PYTREE_STRING ? 0 : pytree_leaf_get(leaf, 0);
    char text[40];
    switch (leaf->type->dtype) {
    case PYTREE_STRING: golden_puts(to, seeds_text(leaf)); return;
    case PYTREE_BOOL8: golden_puts(to, v != 0 ? "True" : "False"); return;
    case PYTREE_F64: snprintf(text, sizeof text, v == (double)(int64_t)v ? "%.1f" : "%.15g", v); break;
    default: snprintf(text, sizeof text, "%.0f", v);
    }
    golden_puts(to, text);
}

/* Writes a value, with spaces before it up to the width that the field gives behind ":>". */
static inline void seeds_put_padded(GoldenText *to, const pytree_leaf *leaf, const char *format)
{
    const size_t width = format[0] == ':' && format[1] == '>' ? strtoul(format + 2, NULL, 10) : 0;
    GoldenText value = { to->golden, NULL, 0, 0 };
    golden_puts(&value, "");
    seeds_put_value(&value, leaf);
    for (size_t n = value.length; n < width; n++) { golden_puts(to, " "); }
    golden_puts(to, value.at);
}

/* Writes to `to`; NULL: only looks whether there is an operand for each field. */
static inline pytree_status seeds_formatted(const pytree_op_call *c, GoldenText *to, pytree_error *err)
{
    const SeedsFormat *f = c->params;
    size_t next = 0;
    for (const char *at = f->text; *at != '\0'; at++) {
        if ((*at != '{' && *at != '}') || at[1] == *at) {
            if (to != NULL) { golden_put(to, at, 1); }
            at += *at == '{' || *at == '}';
        } else {
            const size_t length = strcspn(at + 1, "}:"), field = seeds_field(f, c->n_in, at + 1, length, &next);
            if (field == SIZE_MAX) {
                return pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected an operand for '%.*s', got none", (int)length,
                                   at + 1);
            }
            if (to != NULL) { seeds_put_padded(to, c->in[field], at + 1 + length); }
            at += strcspn(at, "}");
        }
    }
    return PYTREE_OK;
}

static inline pytree_status seeds_format_shape(const pytree_op_call *c, pytree_error *err)
{
    *c->out[0] = seeds_text_leaf();
    return seeds_formatted(c, NULL, err);
}

static inline pytree_status seeds_format_run(const pytree_op_call *c, pytree_error *err)
{
    GoldenText to = { seeds_memory, NULL, 0, 0 };
    golden_puts(&to, "");
    (void)seeds_formatted(c, &to, err);
    *(const char **)c->out[0]->data = to.at;
    return PYTREE_OK;
}

static const pytree_op seeds_format = { .name = "format", .params = sizeof(SeedsFormat), .shape = seeds_format_shape,
                                        .run = seeds_format_run, .jvp = seeds_text_jvp, .vjp = seeds_text_vjp };

static inline pytree_status seeds_match_shape(const pytree_op_call *c, pytree_error *err)
{
    c->out[0]->type = PYTREE_TYPE(bool);
    return seeds_needs_texts(c, 2, err);
}

static inline pytree_status seeds_match_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(bool *)c->out[0]->data = strcmp(seeds_text(c->in[0]), seeds_text(c->in[1])) == 0;
    return PYTREE_OK;
}

static const pytree_op seeds_match = { .name = "match", .shape = seeds_match_shape, .run = seeds_match_run };

/* ---- Identities -------------------------------------------------------------------------------------------------------- */

static inline pytree_status seeds_same_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    for (size_t k = 0; k < c->n_in; k++) { *c->out[k] = *c->in[k]; }
    return PYTREE_OK;
}

static inline pytree_status seeds_same_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    for (size_t k = 0; k < c->n_in; k++) { memcpy(c->out[k]->data, c->in[k]->data, pytree_leaf_bytes(c->in[k])); }
    return PYTREE_OK;
}

/* No derivative flows through it. */
static const pytree_op seeds_stop = { .name = "stop_gradient", .shape = seeds_same_shape, .run = seeds_same_run };

/* The first operand, after the others. */
static inline pytree_status seeds_depends_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}

static inline pytree_status seeds_depends_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    memcpy(c->out[0]->data, c->in[0]->data, pytree_leaf_bytes(c->in[0]));
    return PYTREE_OK;
}

static inline void seeds_depends_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    (void)tr;
    (void)e;
    out[0] = t[0];
}

static const pytree_op seeds_depends = { .name = "depends", .shape = seeds_depends_shape, .run = seeds_depends_run,
                                         .jvp = seeds_depends_rule, .vjp = seeds_depends_rule };

/* A value that is looked at, or replaced, while a program runs. */
typedef struct SeedsCheckpoint {
    const char *key, *collection;
    const cJSON *form;                    /* the structure of the value; NULL: one text */
} SeedsCheckpoint;

enum { SEEDS_MOST = 16 };
static struct {
    const char *collect;                  /* the collection; "": all, NULL: none */
    size_t n;
    struct { const char *key; pytree value; } got[SEEDS_MOST];
    const cJSON *inject;                  /* a recorded dict of lists, for the collection `into` */
    const char *into;
    size_t used;                          /* of them: the first value of a key, the second … */
} seeds_collector;

static inline bool seeds_next_text(Golden *g, void *context, const cJSON *json, pytree *t)
{
    const pytree_op_call *const c = ((void **)context)[0];
    size_t *next = ((void **)context)[1];
    if (golden_get(json, "var") == NULL) { return false; }
    *t = golden_scalar(g, &pytree_types[PYTREE__T_string], c->in[(*next)++]->data);
    return true;
}

static inline pytree_status seeds_checkpoint_run(const pytree_op_call *c, pytree_error *err)
{
    const SeedsCheckpoint *at = c->params;
    const cJSON *entry;
    size_t next = 0;
    (void)seeds_same_run(c, err);
    if (seeds_collector.collect != NULL && golden_among(seeds_collector.collect, at->collection)) {
        void *context[2] = { (void *)(uintptr_t)c, &next };
        const SeedsLeaves leaves = { seeds_next_text, context };
        assert_in_range(seeds_collector.n, 0, SEEDS_MOST - 1);
        seeds_collector.got[seeds_collector.n].key = at->key;
        seeds_collector.got[seeds_collector.n++].value =
            at->form != NULL ? seeds_tree_of(seeds_memory, at->form, &leaves)
            : golden_scalar(seeds_memory, &pytree_types[PYTREE__T_string], c->in[0]->data);
    }
    if (seeds_collector.inject == NULL || strcmp(seeds_collector.into, at->collection) != 0) { return PYTREE_OK; }
    cJSON_ArrayForEach(entry, golden_at(seeds_collector.inject, "dict")) {
        const cJSON *value = cJSON_GetArrayItem(golden_at(entry->child->next, "list"), (int)seeds_collector.used);
        if (strcmp(golden_string(entry->child), at->key) != 0 || value == NULL) { continue; }
        *(const char **)c->out[0]->data = golden_string(value);
        seeds_collector.used++;
    }
    return PYTREE_OK;
}

static inline void seeds_checkpoint_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    (void)tr;
    for (size_t k = 0; k < e->n_in; k++) { out[k] = t[k]; }
}

static const pytree_op seeds_checkpoint = { .name = "checkpoint", .params = sizeof(SeedsCheckpoint),
                                            .shape = seeds_same_shape, .run = seeds_checkpoint_run,
                                            .jvp = seeds_checkpoint_rule, .vjp = seeds_checkpoint_rule, .effect = true };

/* The same for a value of several leaves. */
static inline const pytree_op *seeds_checkpoint_of(Golden *g, size_t n)
{
    pytree_op *op = golden_alloc(g, 1, sizeof *op);
    *op = seeds_checkpoint;
    op->n_out = n;
    return op;
}

/* What was collected as a dict of lists; nothing is collected from now on. */
static inline pytree seeds_collected(Golden *g)
{
    pytree_items *dict = golden_alloc(g, 1, sizeof *dict);
    pytree_pair *pairs = golden_alloc(g, SEEDS_MOST, sizeof *pairs);
    for (size_t i = 0; i < seeds_collector.n; i++) {
        pytree_items *list;
        size_t k = 0;
        while (k < dict->count && strcmp(pairs[k].key, seeds_collector.got[i].key) != 0) { k++; }
        if (k == dict->count) {
            list = golden_alloc(g, 1, sizeof *list);
            list->items = golden_alloc(g, SEEDS_MOST, sizeof *list->items);
            pairs[k].key = seeds_collector.got[i].key;
            pairs[k].value = (pytree){ &pytree_types[PYTREE__T_list], list };
            dict->count++;
        }
        list = pairs[k].value.data;
        ((pytree *)(uintptr_t)list->items)[list->count++] = seeds_collector.got[i].value;
    }
    dict->pairs = pairs;
    memset(&seeds_collector, 0, sizeof seeds_collector);
    return (pytree){ &pytree_types[PYTREE__T_dict], dict };
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------------
 *
 * Besides the words of seeds_shared.h: sq, pow3, sumlast, stop, $name (an input of the record), 'text', cat2 (of two), match,
 * `template`2 (format with so many operands; `template`1:k, with one more that has a name), @key (checkpoint), drop. Numbers in
 * a body are constants. The body "=" gives argument 0 back.
 */
typedef struct SeedsTraced {
    Golden *golden;
    cJSON *json;
    pytree_traced_of of;
} SeedsTraced;

/* What the leaves of a body need. */
typedef struct SeedsRecorded {
    pytree_trace *tr;
    pytree_value leaves[16];
    size_t n;
} SeedsRecorded;

static inline void seeds_arguments(pytree_trace *tr, SeedsRecorded *to)
{
    to->tr = tr;
    to->n = 0;
    for (size_t k = 0; k < tr->n_args; k++) {
        pytree_leaf views[COUNT_OF(to->leaves)];
        const size_t n = pytree_num_leaves(tr->tree[k], NULL, NULL);
        assert_in_range(n, 0, COUNT_OF(to->leaves) - to->n);
        assert_int_equal(pytree_leaves(tr->tree[k], views, n, NULL, NULL, NULL), PYTREE_OK);
        for (size_t i = 0; i < n; i++) { to->leaves[to->n++] = *(const pytree_value *)views[i].data; }
    }
}

static inline pytree_value seeds_constant(Golden *g, pytree_trace *tr, const cJSON *json)
{
    pytree_leaf leaf;
    assert_int_equal(pytree_leaves(seeds_tree(g, json), &leaf, 1, NULL, NULL, NULL), PYTREE_OK);
    return pytree_op_constant(tr, &leaf);
}

/* Reads a word; quoted ones end with their quote. Returns what stands behind it; NULL at the end. */
static inline const char *seeds_word(const char *text, char *word, size_t room)
{
    size_t n;
    text += strspn(text, " ");
    if (*text == '\0') { return NULL; }
    n = strcspn(text, " ");
    if (*text == '\'' || *text == '`') {
        const char *end = strchr(text + 1, *text);
        assert_non_null(end);
        n = (size_t)(end - text) + 1 + strcspn(end + 1, " ");
    }
    assert_in_range(n, 1, room - 1);
    memcpy(word, text, n);
    word[n] = '\0';
    return text + n;
}

/* Records a word that has one operand, on top. */
static inline pytree_value seeds_one_operand(pytree_trace *tr, const char *word, pytree_value v)
{
    static const int last[1] = { -1 };
    if (strcmp(word, "sum") == 0) { return pytree_op_sum(tr, v, 0, NULL); }
    if (strcmp(word, "sumlast") == 0) { return pytree_op_sum(tr, v, 1, last); }
    if (strcmp(word, "sq") == 0) { return pytree_op_square(tr, v); }
    if (strcmp(word, "pow3") == 0) { return pytree_op_power(tr, v, 3); }
    if (strcmp(word, "stop") == 0) { return pytree_record(tr, &seeds_stop, NULL, 1, &v, NULL); }
    if (strcmp(word, "int") == 0) { return pytree_op_convert(tr, v, PYTREE_I32); }
    assert_string_equal(word, "float");
    return pytree_op_convert(tr, v, PYTREE_F32);
}

/* Records a word that has two; false: it is none. */
static inline bool seeds_two_operands(pytree_trace *tr, const char *word, const pytree_value *v, pytree_value *to)
{
    if (strcmp(word, "+") == 0) { *to = pytree_op_add(tr, v[0], v[1]); }
    else if (strcmp(word, "-") == 0) { *to = pytree_op_sub(tr, v[0], v[1]); }
    else if (strcmp(word, "*") == 0) { *to = pytree_op_mul(tr, v[0], v[1]); }
    else if (strcmp(word, ">") == 0) { *to = pytree_op_greater(tr, v[0], v[1]); }
    else if (strcmp(word, "match") == 0) { *to = pytree_record(tr, &seeds_match, NULL, 2, v, NULL); }
    else { return false; }
    return true;
}

/* Records `template`count:names. Returns how many values are left. */
static inline size_t seeds_format_word(Golden *g, pytree_trace *tr, char *word, pytree_value *stack, size_t n)
{
    char *end = strrchr(word, '`'), *names = strchr(end, ':');
    SeedsFormat f = { .names = names == NULL ? "" : golden_copy(g, names + 1), .n_named = names != NULL };
    const size_t count = strtoul(end + 1, NULL, 10) + f.n_named;
    *end = '\0';
    f.text = golden_copy(g, word + 1);
    stack[n - count] = pytree_record(tr, &seeds_format, &f, count, stack + n - count, NULL);
    return n - count + 1;
}

static inline pytree_value seeds_checkpoint_word(Golden *g, pytree_trace *tr, const char *key, pytree_value v)
{
    const SeedsCheckpoint at = { .key = golden_copy(g, key), .collection = "debug" };
    return pytree_record(tr, &seeds_checkpoint, &at, 1, &v, NULL);
}

static inline pytree_value seeds_recorded(Golden *g, const SeedsRecorded *r, const char *text)
{
    pytree_trace *tr = r->tr;
    pytree_value stack[8];
    char word[60];
    size_t n = 0;
    while ((text = seeds_word(text, word, sizeof word)) != NULL) {
        if (word[0] >= '0' && word[0] <= '9') {
            assert_in_range(strtoul(word, NULL, 10), 0, r->n - 1);
            stack[n++] = r->leaves[strtoul(word, NULL, 10)];
        } else if (word[0] == '#') {
            stack[n] = pytree_op_number(tr, stack[n - 1], strtod(word + 1, NULL));
            n++;
        } else if (word[0] == '$') {
            stack[n++] = seeds_constant(g, tr, golden_at(golden_at(g->json, "inputs"), word + 1));
        } else if (word[0] == '\'') {
            word[strlen(word) - 1] = '\0';
            stack[n++] = seeds_constant_text(tr, golden_copy(g, word + 1));
        } else if (word[0] == '`') {
            n = seeds_format_word(g, tr, word, stack, n);
        } else if (strcmp(word, "drop") == 0) {
            n--;
        } else if (strncmp(word, "cat", 3) == 0) {
            n -= strtoul(word + 3, NULL, 10);
            stack[n] = pytree_record(tr, &seeds_concat, NULL, strtoul(word + 3, NULL, 10), stack + n, NULL);
            n++;
        } else if (word[0] == '@') {
            stack[n - 1] = seeds_checkpoint_word(g, tr, word + 1, stack[n - 1]);
        } else if (n >= 2 && seeds_two_operands(tr, word, stack + n - 2, &stack[n - 2])) {
            n--;
        } else {
            stack[n - 1] = seeds_one_operand(tr, word, stack[n - 1]);
        }
    }
    assert_int_equal(n, 1);
    return stack[0];
}

static inline pytree seeds_value_leaf(Golden *g, pytree_value v)
{
    pytree_value *kept = golden_alloc(g, 1, sizeof *kept);
    *kept = v;
    return (pytree){ &pytree_value_type, kept };
}

static inline bool seeds_traced_leaf(Golden *g, void *context, const cJSON *json, pytree *t)
{
    const SeedsRecorded *r = context;
    if (golden_marked(json) == NULL && cJSON_IsString(json)) {
        *t = seeds_value_leaf(g, seeds_recorded(g, r, json->valuestring));
    } else if (cJSON_IsNumber(json) || cJSON_IsString(json)) {
        *t = seeds_value_leaf(g, seeds_constant(g, r->tr, json));
    } else {
        return false;
    }
    return true;
}

static inline pytree_status seeds_traced_body(void *context, pytree_trace *tr)
{
    const SeedsTraced *body = context;
    SeedsRecorded r;
    const SeedsLeaves leaves = { seeds_traced_leaf, &r };
    if (cJSON_IsString(body->json) && strcmp(body->json->valuestring, "=") == 0) { return pytree_return(tr, tr->tree[0]); }
    seeds_arguments(tr, &r);
    return pytree_return(tr, seeds_tree_of(body->golden, body->json, &leaves));
}

/* A traced function that computes what the text says. Its memory is the case's but for the JSON: seeds_traced_free. `plus`:
 * how derivatives meet, NULL for numbers. */
static inline pytree_fn seeds_traced_by(Golden *g, const char *name, const char *text, const pytree_op *plus)
{
    SeedsTraced *body = golden_alloc(g, 1, sizeof *body);
    body->golden = g;
    body->json = cJSON_Parse(text);
    if (body->json == NULL) { fail_msg("%s: no JSON: %s", g->id, text); }
    body->of = (pytree_traced_of){ .body = seeds_traced_body, .context = body, .name = name, .plus = plus };
    seeds_memory = g;
    return (pytree_fn){ .name = name, .kind = &pytree_traced_kind, .context = &body->of };
}

static inline pytree_fn seeds_traced(Golden *g, const char *name, const char *text)
{
    return seeds_traced_by(g, name, text, NULL);
}

static inline void seeds_traced_free(const pytree_fn *f)
{
    cJSON_Delete(((SeedsTraced *)((const pytree_traced_of *)f->context)->context)->json);
}
