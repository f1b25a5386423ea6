/* pytree/impl/program_text.h: programs as text. */
#ifndef PYTREE_IMPL_PROGRAM_TEXT_H
#define PYTREE_IMPL_PROGRAM_TEXT_H

#include "program_plan.h"

/* Returns the i-th program in a call's parameters; NULL behind the last one. */
static const pytree_program *pytree__pg_sub(const pytree_eqn *e, size_t i)
{
    return e->op->hooks == NULL || e->op->hooks->sub == NULL ? NULL : e->op->hooks->sub(e->params, i);
}

static void pytree__pg_put_id(struct pytree__text_writer *to, pytree_value v)
{
    pytree__put_text(to, " %");
    pytree__put_number(to, v.id);
}
static void pytree__pg_put_view(struct pytree__text_writer *to, const pytree_leaf *view)
{
    char text[96];
    pytree__leaf_text(text, sizeof text, view);
    pytree__put_text(to, text);
}

/* A program that is being written, and where in it. Nothing recurses: programs in programs are on a stack in the list of
 * chains. */
struct pytree__pg_level {
    const pytree_program *program;
    size_t eqn, sub;                      /* next call; next program of the call before it */
};
enum { PYTREE__PG_DEEP = 16 };            /* programs in programs that are written; deeper ones are left out */

static void pytree__pg_put_indent(struct pytree__text_writer *to, size_t depth)
{
    while (depth-- != 0) { pytree__put_text(to, "  "); }
}
static void pytree__pg_put_head(struct pytree__text_writer *to, const pytree_program *p, size_t depth)
{
    size_t k;
    pytree__pg_put_indent(to, depth);
    pytree__put_text(to, "{");
    for (k = 0; k < p->n_in; k++) {
        pytree__put_text(to, k == 0 ? " " : ", ");
        pytree__pg_put_view(to, p->values[k + 1]);
        pytree__pg_put_id(to, pytree__value((uint32_t)k + 1));
    }
    pytree__put_text(to, " ->\n");
}
static void pytree__pg_put_eqn(struct pytree__text_writer *to, const pytree_program *p, const pytree_eqn *e, size_t depth)
{
    size_t k;
    pytree__pg_put_indent(to, depth);
    for (k = 0; k < e->n_out; k++) { pytree__pg_put_id(to, e->out[k]); }
    pytree__put_text(to, " = ");
    for (k = 0; k < e->n_out; k++) {
        pytree__pg_put_view(to, p->values[e->out[k].id]);
        pytree__put_text(to, " ");
    }
    pytree__put_text(to, e->op->name);
    for (k = 0; k < e->n_in; k++) { pytree__pg_put_id(to, e->in[k]); }
    pytree__put_text(to, "\n");
}
static void pytree__pg_put_foot(struct pytree__text_writer *to, const pytree_program *p, size_t depth)
{
    size_t k;
    pytree__pg_put_indent(to, depth);
    pytree__put_text(to, " return");
    for (k = 0; k < p->n_out; k++) {
        if (p->out[k].id == 0) { pytree__put_text(to, " 0"); } else { pytree__pg_put_id(to, p->out[k]); }
    }
    pytree__put_text(to, " }\n");
}

static void pytree__pg_put(struct pytree__text_writer *to, const pytree_program *p)
{
    struct pytree__pg_level level[PYTREE__PG_DEEP];
    size_t depth = 1;
    level[0].program = p;
    level[0].eqn = level[0].sub = 0;
    pytree__pg_put_head(to, p, 0);
    while (depth != 0) {
        struct pytree__pg_level *at = &level[depth - 1];
        const pytree_program *sub = at->eqn == 0 || depth == PYTREE__PG_DEEP ? NULL
            : pytree__pg_sub(&at->program->eqns[at->eqn - 1], at->sub++);
        if (sub != NULL) {
            level[depth].program = sub;
            level[depth].eqn = level[depth].sub = 0;
            pytree__pg_put_head(to, sub, depth++);
        } else if (at->eqn < at->program->n_eqns) {
            pytree__pg_put_eqn(to, at->program, &at->program->eqns[at->eqn++], depth - 1);
            at->sub = 0;
        } else {
            pytree__pg_put_foot(to, at->program, --depth);
        }
    }
}

size_t pytree_program_text(const pytree_program *p, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__pg_put(&to, p);
    return pytree__end_text(&to, n);
}

pytree_status pytree_program_print(FILE *file, const pytree_program *p, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree__pg_put(&to, p);
    return pytree__written(file, err);
}

size_t pytree_program_count(const pytree_program *p)
{
    struct pytree__pg_level level[PYTREE__PG_DEEP];
    size_t depth = 1, n = 0;
    level[0].program = p;
    level[0].eqn = level[0].sub = 0;
    while (depth != 0) {
        struct pytree__pg_level *at = &level[depth - 1];
        const pytree_program *sub = at->eqn == 0 || depth == PYTREE__PG_DEEP ? NULL
            : pytree__pg_sub(&at->program->eqns[at->eqn - 1], at->sub++);
        if (sub != NULL) {
            level[depth].program = sub;
            level[depth].eqn = level[depth].sub = 0;
            depth++;
        } else if (at->eqn < at->program->n_eqns) {
            at->eqn++;
            at->sub = 0;
            n++;
        } else {
            depth--;
        }
    }
    return n;
}

#include "program_trace.h"
#endif
