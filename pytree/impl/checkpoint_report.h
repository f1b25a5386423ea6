/* pytree/impl/checkpoint_report.h: the report of what a file and a tree disagree on. */
#ifndef PYTREE_IMPL_CHECKPOINT_REPORT_H
#define PYTREE_IMPL_CHECKPOINT_REPORT_H

#include "checkpoint_wants.h"

/* ---- The report ---------------------------------------------------------------------------------------------------- */

static pytree_misfits *pytree__report_list(pytree_report *report, int kind)
{
    switch (kind) {
    case PYTREE__MISSING: return &report->missing;
    case PYTREE__UNEXPECTED: return &report->unexpected;
    case PYTREE__WRONG_DTYPE: return &report->wrong_dtype;
    case PYTREE__WRONG_SHAPE: return &report->wrong_shape;
    case PYTREE__RENAMED: return &report->renamed;
    case PYTREE__SKIPPED: return &report->skipped;
    case PYTREE__KEPT: return &report->kept;
    default: return &report->ambiguous;
    }
}

void pytree_report_free(pytree_report *report)
{
    if (report == NULL) { return; }
    if (report->block != NULL) { (void)pytree__resize(report->allocator, report->block, report->bytes, 0); }
    memset(report, 0, sizeof *report);
}

pytree_status pytree_report_print(FILE *file, const pytree_report *report, pytree_error *err)
{
    int kind;
    size_t i;
    bool good = true;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    for (kind = 0; kind < PYTREE__LISTS && report != NULL; kind++) {
        const pytree_misfits *list = pytree__report_list((pytree_report *)(uintptr_t)report, kind);
        for (i = 0; i < list->n_entries; i++) {
            const pytree_misfit *m = &list->entries[i];
            good &= fprintf(file, "%-11s  %s", pytree__problem_names[kind], m->name) >= 0;
            if (m->path != NULL) { good &= fprintf(file, "  (%s)", m->path) >= 0; }
            if (m->wanted != NULL) { good &= fprintf(file, "  expected %s", m->wanted) >= 0; }
            if (m->found != NULL) { good &= fprintf(file, "%s %s", m->wanted != NULL ? ", got" : "  is", m->found) >= 0; }
            good &= fputc('\n', file) != EOF;
        }
        if (list->count > list->n_entries) {
            good &= fprintf(file, "%-11s  and %zu more\n", pytree__problem_names[kind], list->count - list->n_entries) >= 0;
        }
    }
    return good ? PYTREE_OK : pytree_fail(err, PYTREE_IO, NULL, "expected to write the report, got an error of the file");
}

/* The writer of a report. It runs twice: to measure, and to write. */
struct pytree__reporter {
    pytree_report *report;
    size_t most[PYTREE__LISTS];
    struct pytree__text_writer text;
    pytree_misfit *entries[PYTREE__LISTS];               /* NULL while it measures */
    size_t n_entries[PYTREE__LISTS];
};

static void pytree__put_nul(struct pytree__text_writer *to) { pytree__text_put(to, "", 1); }

static void pytree__put_shape(struct pytree__text_writer *to, size_t ndim, const uint64_t *shape)
{
    size_t i;
    pytree__text_put(to, "[", 1);
    for (i = 0; i < ndim; i++) {
        if (i != 0) { pytree__text_put(to, ",", 1); }
        pytree__put_number(to, shape[i]);
    }
    pytree__text_put(to, "]", 1);
}

/* Write type and shape as pytree_print does: "f32[2,3]", "f32" for a scalar. */
static void pytree__put_array(struct pytree__text_writer *to, const char *dtype, size_t ndim, const uint64_t *shape)
{
    pytree__put_text(to, dtype);
    if (ndim != 0) { pytree__put_shape(to, ndim, shape); }
    pytree__put_nul(to);
}

static void pytree__put_tensor(struct pytree__text_writer *to, const pytree_tensor *tensor)
{
    pytree__put_array(to, tensor->type != NULL ? pytree_dtype_name(tensor->type) : tensor->dtype, tensor->ndim, tensor->shape);
}

/* Write what a leaf asks for. A tensor has as many slices as leaves ask for. */
static void pytree__put_wanted(struct pytree__text_writer *to, const pytree__wanted *w, size_t i)
{
    const pytree_leaf *leaf = &w->leaves[i];
    uint64_t shape[PYTREE_MAX_DIMS + 1];
    size_t n = 0;
    int k;
    if (w->slices[i] != PYTREE_WHOLE) { shape[n++] = pytree__name_index_count(&w->by_name, w->names[i]); }
    for (k = 0; k < leaf->ndim; k++) { shape[n++] = leaf->shape[k]; }
    pytree__put_array(to, pytree_dtype_name(leaf->type), n, shape);
}

static const char *pytree__report_text(const struct pytree__reporter *r)
{
    return r->text.at == NULL ? NULL : r->text.at + r->text.length;
}

/* Add an entry, unless the list is full. *entry is NULL in the measuring run. */
static bool pytree__report_entry(struct pytree__reporter *r, int kind, pytree_misfit **entry)
{
    if (r->n_entries[kind] == r->most[kind]) { return false; }
    *entry = r->entries[kind] == NULL ? NULL : &r->entries[kind][r->n_entries[kind]];
    r->n_entries[kind]++;
    return true;
}

static void pytree__report_leaf(struct pytree__reporter *r, int kind, const pytree__wanted *w, size_t i,
                                struct pytree__seeker *s, const pytree_tensor *tensors)
{
    pytree_misfit entry, *at;
    memset(&entry, 0, sizeof entry);
    if (!pytree__report_entry(r, kind, &at)) { return; }
    entry.name = pytree__report_text(r);
    pytree__put_text(&r->text, w->names[i]);
    pytree__put_nul(&r->text);
    entry.path = pytree__report_text(r);
    pytree__cursor_text(&s->it.cursors[0], &r->text);
    pytree__put_nul(&r->text);
    if (kind < PYTREE__PROBLEMS) {
        entry.wanted = pytree__report_text(r);
        pytree__put_wanted(&r->text, w, i);
    }
    if (kind == PYTREE__WRONG_DTYPE || kind == PYTREE__WRONG_SHAPE) {
        entry.found = pytree__report_text(r);
        pytree__put_tensor(&r->text, &tensors[w->tensors[i]]);
    }
    if (at != NULL) { *at = entry; }
}

/* List a leaf that the callback leaves out under its path: it has no name. */
static void pytree__report_left_out(struct pytree__reporter *r, struct pytree__seeker *s)
{
    pytree_misfit entry, *at;
    memset(&entry, 0, sizeof entry);
    if (!pytree__report_entry(r, PYTREE__KEPT, &at)) { return; }
    entry.name = entry.path = pytree__report_text(r);
    pytree__cursor_text(&s->it.cursors[0], &r->text);
    pytree__put_nul(&r->text);
    if (at != NULL) { *at = entry; }
}

static void pytree__report_tensor(struct pytree__reporter *r, int kind, const pytree_tensor *tensor)
{
    pytree_misfit entry, *at;
    memset(&entry, 0, sizeof entry);
    if (!pytree__report_entry(r, kind, &at)) { return; }
    entry.name = pytree__report_text(r);
    pytree__put_text(&r->text, tensor->name);
    pytree__put_nul(&r->text);
    entry.found = pytree__report_text(r);
    pytree__put_tensor(&r->text, tensor);
    if (at != NULL) { *at = entry; }
}

/* Write all problems. This walks the tree again, because only a walk knows the paths. */
static pytree_status pytree__report_run(struct pytree__reporter *r, const pytree__wanted *w, const pytree_tensor *tensors,
                                        size_t n_tensors, const unsigned char *uses)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, w, NULL);
    size_t i = 0, left_out = 0, t;
    int kind;
    memset(r->n_entries, 0, sizeof r->n_entries);
    while (status == PYTREE_OK && i + left_out < w->n + w->left_out && pytree__seek(&s)) {
        if (i == w->n || s.it.index != w->numbers[i]) {
            pytree__report_left_out(r, &s);
            left_out++;
            continue;
        }
        for (kind = 0; kind < PYTREE__LISTS; kind++) {
            if ((w->problems[i] >> kind & 1) != 0) { pytree__report_leaf(r, kind, w, i, &s, tensors); }
        }
        i++;
    }
    if (status == PYTREE_OK) { status = s.it.status; }
    pytree__seek_end(&s);
    for (t = 0; t < n_tensors; t++) {
        if (uses[t] == PYTREE__USED) { continue; }
        pytree__report_tensor(r, uses[t] == PYTREE__UNUSED ? PYTREE__UNEXPECTED : PYTREE__SKIPPED, &tensors[t]);
    }
    return status;
}

/* Fill in the lists of a report whose counts are known. */
static pytree_status pytree__report_make(pytree_report *report, size_t most, const pytree__wanted *w,
                                         const pytree_tensor *tensors, size_t n_tensors, const unsigned char *uses)
{
    struct pytree__reporter r;
    pytree_status status;
    pytree_misfit *next;
    int kind;
    size_t entries = 0, length;
    memset(&r, 0, sizeof r);
    for (kind = 0; kind < PYTREE__LISTS; kind++) { r.most[kind] = most; }
    status = pytree__report_run(&r, w, tensors, n_tensors, uses);
    for (kind = 0; kind < PYTREE__LISTS; kind++) { entries += r.most[kind] = r.n_entries[kind]; }
    length = r.text.length;
    if (status != PYTREE_OK || entries == 0) { return status; }
    report->allocator = w->opt->tree.allocator;
    report->bytes = entries * sizeof(pytree_misfit) + r.text.length + 1;
    report->block = pytree__resize(report->allocator, NULL, 0, report->bytes);
    if (report->block == NULL) { return pytree__no_memory(w->err, report->bytes); }
    next = (pytree_misfit *)report->block;
    for (kind = 0; kind < PYTREE__LISTS; kind++) {
        pytree_misfits *list = pytree__report_list(report, kind);
        r.entries[kind] = next;
        list->entries = next;
        list->n_entries = r.most[kind];
        next += r.most[kind];
    }
    r.text = pytree__text_to((char *)next, length + 1, NULL);
    status = pytree__report_run(&r, w, tensors, n_tensors, uses);
    if (status == PYTREE_OK && (memcmp(r.n_entries, r.most, sizeof r.most) != 0 || r.text.length != length)) {
        status = pytree__fail_unstable_callback(w->err);
    }
    for (kind = 0; status != PYTREE_OK && kind < PYTREE__LISTS; kind++) {         /* not all entries are filled in */
        pytree__report_list(report, kind)->n_entries = 0;
    }
    return status;
}

/* Replace control characters: messages with names from a file are printed on terminals. */
void pytree__no_controls(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7F) { *text = '?'; }
    }
}

/* Summarize the report as an error: "expected what the tree asks for, got 2 missing (a, …), 1 unexpected (b)". */
static pytree_status pytree__report_error(const pytree_report *report, bool ignore_unexpected, pytree_error *err)
{
    static const pytree_status statuses[PYTREE__PROBLEMS] = {
        PYTREE_NOT_FOUND, PYTREE_STRUCTURE, PYTREE_TYPE, PYTREE_SHAPE, PYTREE_ARGUMENT
    };
    static const int order[PYTREE__PROBLEMS] = {
        PYTREE__AMBIGUOUS, PYTREE__MISSING, PYTREE__WRONG_DTYPE, PYTREE__WRONG_SHAPE, PYTREE__UNEXPECTED
    };
    char text[600];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    pytree_status status = PYTREE_OK;
    const char *path = NULL;
    int k;
    for (k = 0; k < PYTREE__PROBLEMS; k++) {
        const pytree_misfits *list = pytree__report_list((pytree_report *)(uintptr_t)report, order[k]);
        if (list->count == 0 || (order[k] == PYTREE__UNEXPECTED && ignore_unexpected)) { continue; }
        if (status == PYTREE_OK) { status = statuses[order[k]]; }
        else { pytree__put_text(&to, ", "); }
        pytree__put_number(&to, list->count);
        pytree__put_text(&to, " ");
        pytree__put_text(&to, pytree__problem_names[order[k]]);
        if (list->n_entries != 0) {
            const pytree_misfit *m = &list->entries[0];
            if (path == NULL) { path = m->path; }
            pytree__put_text(&to, " (");
            pytree__put_text(&to, m->name);
            if (m->wanted != NULL && m->found != NULL) {
                pytree__put_text(&to, ": ");
                pytree__put_text(&to, m->found);
                pytree__put_text(&to, " for ");
                pytree__put_text(&to, m->wanted);
            }
            pytree__put_text(&to, list->count > 1 ? ", ...)" : ")");
        }
    }
    pytree__end_text(&to, sizeof text);
    pytree__no_controls(text);
    return status == PYTREE_OK ? status : pytree_fail(err, status, path, "expected what the tree asks for, got %s", text);
}

/* Make the caller's report, or a temporary one for the error message. */
static pytree_status pytree__report_all(pytree__wanted *w, const pytree_tensor *tensors, size_t n_tensors,
                                        const unsigned char *uses)
{
    pytree_report own, *report = w->opt->report != NULL ? w->opt->report : &own;
    size_t i, most = w->opt->report == NULL ? 1 : w->opt->max_listed != 0 ? w->opt->max_listed : 1000;
    pytree_status status;
    int kind;
    memset(&own, 0, sizeof own);
    pytree_report_free(w->opt->report);
    for (i = 0; i < w->n; i++) {
        for (kind = 0; kind < PYTREE__LISTS; kind++) {
            pytree__report_list(report, kind)->count += (w->problems[i] & 1u << kind) != 0;
        }
    }
    for (i = 0; i < n_tensors; i++) {
        report->unexpected.count += uses[i] == PYTREE__UNUSED;
        report->skipped.count += uses[i] == PYTREE__UNNEEDED;
    }
    report->kept.count += w->left_out;
    status = pytree__report_make(report, most, w, tensors, n_tensors, uses);
    if (status == PYTREE_OK) { status = pytree__report_error(report, w->opt->ignore_unexpected, w->err); }
    else { pytree_report_free(report); }
    pytree_report_free(&own);
    return status;
}

#include "checkpoint_match.h"
#endif
