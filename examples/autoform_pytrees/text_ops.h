/* text_ops.h: autoform's operations on strings for traced functions: concat, format, match.
 *
 * An operation is a struct with functions: what its result looks like, how it is computed, and two rules for derivatives, which
 * record calls again. Tangents of strings are strings; a pullback gives what was said about a result to each of its parts.
 * Feedback that comes from several sides is joined: .plus = &text_join. */
#ifndef TEXT_OPS_H
#define TEXT_OPS_H

#include "pytree/derive.h"

enum { TEXT_PARTS = 8, TEXT_TEMPLATE = 60 };

static inline bool text_is(const pytree_leaf *v) { return v->type == PYTREE_TYPE(char *) && v->ndim == 0; }
static inline const char *text_of(const pytree_leaf *v) { return *(char **)v->data; }

static inline pytree_status text_shape(const pytree_op_call *c, pytree_error *err)
{
    for (size_t k = 0; k < c->n_in; k++) {
        if (!text_is(c->in[k])) {
            return pytree_fail(err, PYTREE_TYPE, NULL, "expected strings, got %s", pytree_dtype_name(c->in[k]->type));
        }
    }
    *c->out[0] = (pytree_leaf){ .type = PYTREE_TYPE(char *) };
    return PYTREE_OK;
}

/* Each part gets what is said about the whole. */
static inline void text_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    (void)tr;
    for (size_t k = 0; k < e->n_in; k++) { in_ct[k] = ct[0]; }
}

/* A string that does not depend on the arguments. */
static inline pytree_value text(pytree_trace *tr, const char *string)
{
    return pytree_op_constant(tr, &(pytree_leaf){ .data = &string, .type = PYTREE_TYPE(char *) });
}

/* ---- join: one string after the other ------------------------------------------------------------------------------------ */

static inline pytree_status text_join_run(const pytree_op_call *c, pytree_error *err)
{
    size_t bytes = 1;
    for (size_t k = 0; k < c->n_in; k++) { bytes += strlen(text_of(c->in[k])); }
    char *to = pytree_op_memory(c, bytes, err);                /* kept until the next run */
    if (to == NULL) { return PYTREE_NO_MEMORY; }
    *(char **)c->out[0]->data = to;
    for (size_t k = 0; k < c->n_in; k++) {
        const size_t n = strlen(text_of(c->in[k]));
        memcpy(to, text_of(c->in[k]), n);
        to += n;
    }
    *to = '\0';
    return PYTREE_OK;
}

/* Tangents that are zero are left out. */
static inline void text_join_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t)
{
    pytree_value parts[TEXT_PARTS];
    size_t n = 0;
    for (size_t k = 0; k < e->n_in; k++) {
        if (t[k].id != 0) { parts[n++] = t[k]; }
    }
    out_t[0] = pytree_record(tr, e->op, NULL, n, parts, NULL);
}

static const pytree_op text_join = {
    .name = "concat", .shape = text_shape, .run = text_join_run, .jvp = text_join_jvp, .vjp = text_vjp };

/* autoform.concat of at most TEXT_PARTS values: text_concat(tr, draft, text(tr, " about "), topic). */
#define text_concat(tr, ...)                                                                                            \
    pytree_record(tr, &text_join, NULL, sizeof((pytree_value[]){ __VA_ARGS__ }) / sizeof(pytree_value),                  \
                  (pytree_value[]){ __VA_ARGS__ }, NULL)

/* ---- format: strings in the places of {} --------------------------------------------------------------------------------- */

typedef struct TextTemplate { char form[TEXT_TEMPLATE]; } TextTemplate;

/* Write the template with the parts in its places. Returns the length; `to` may be NULL. */
static inline size_t text_fill(const pytree_op_call *c, char *to)
{
    size_t n = 0, part = 0;
    for (const char *s = ((const TextTemplate *)c->params)->form; *s != '\0'; s++) {
        if (s[0] != '{' || s[1] != '}') {
            if (to != NULL) { to[n] = *s; }
            n++;
            continue;
        }
        const char *from = text_of(c->in[part++]);
        if (to != NULL) { memcpy(to + n, from, strlen(from)); }
        n += strlen(from);
        s++;
    }
    return n;
}

static inline pytree_status text_format_shape(const pytree_op_call *c, pytree_error *err)
{
    size_t places = 0;
    for (const char *s = ((const TextTemplate *)c->params)->form; (s = strstr(s, "{}")) != NULL; s += 2) { places++; }
    if (places != c->n_in) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a string for each {}, %zu, got %zu", places, c->n_in);
    }
    return text_shape(c, err);
}

static inline pytree_status text_format_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t n = text_fill(c, NULL);
    char *to = pytree_op_memory(c, n + 1, err);
    if (to == NULL) { return PYTREE_NO_MEMORY; }
    (void)text_fill(c, to);
    to[n] = '\0';
    *(char **)c->out[0]->data = to;
    return PYTREE_OK;
}

static inline void text_format_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t)
{
    pytree_value parts[TEXT_PARTS];
    for (size_t k = 0; k < e->n_in; k++) { parts[k] = t[k].id != 0 ? t[k] : text(tr, ""); }
    out_t[0] = pytree_record(tr, e->op, e->params, e->n_in, parts, NULL);
}

static const pytree_op text_formatted = {
    .name = "format", .params = sizeof(TextTemplate), .shape = text_format_shape, .run = text_format_run,
    .jvp = text_format_jvp, .vjp = text_vjp };

/* autoform.format with at most TEXT_PARTS values: text_format(tr, "{}: {}", topic, draft). */
#define text_format(tr, form, ...)                                                                                      \
    pytree_record(tr, &text_formatted, &(TextTemplate){ form },                                                         \
                  sizeof((pytree_value[]){ __VA_ARGS__ }) / sizeof(pytree_value), (pytree_value[]){ __VA_ARGS__ }, NULL)

/* ---- match: are two strings equal? --------------------------------------------------------------------------------------- */

static inline pytree_status text_match_shape(const pytree_op_call *c, pytree_error *err)
{
    const pytree_status status = text_shape(c, err);
    c->out[0]->type = PYTREE_TYPE(bool);
    return status;
}

static inline pytree_status text_match_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(bool *)c->out[0]->data = strcmp(text_of(c->in[0]), text_of(c->in[1])) == 0;
    return PYTREE_OK;
}

static const pytree_op text_matched = { .name = "match", .shape = text_match_shape, .run = text_match_run };

static inline pytree_value text_match(pytree_trace *tr, pytree_value a, pytree_value b)
{
    return pytree_record(tr, &text_matched, NULL, 2, (pytree_value[2]){ a, b }, NULL);
}

#endif
