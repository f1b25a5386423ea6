/* tensors_diff.h: the command `tensors diff`, which prints the differences of two checkpoints. */
#ifndef TENSORS_DIFF_H
#define TENSORS_DIFF_H

#include "tensors_numbers.h"
#include "tensors_table.h"

typedef struct Difference {
    const pytree_tensor *a, *b;           /* NULL: added, removed */
    bool type, shape, values;             /* the change */
    bool counted;                         /* the following members are valid */
    uint64_t differing, not_finite;       /* elements; elements that are NaN or infinite on either side */
    double most, most_relative;           /* |a - b|, and |a - b| / max(|a|, |b|), of finite elements */
} Difference;

/* Return |a - b| of 64-bit integers, which doubles would round. */
static double exact_distance(const pytree_tensor *a, const pytree_tensor *b, uint64_t i)
{
    uint64_t v, w, top = a->type->dtype == PYTREE_I64 ? UINT64_C(1) << 63 : 0;
    memcpy(&v, (const char *)a->data + i * sizeof v, sizeof v);
    memcpy(&w, (const char *)b->data + i * sizeof w, sizeof w);
    v ^= top;                             /* map the order to that of unsigned numbers */
    w ^= top;
    return (double)(v < w ? w - v : v - w);
}

static bool is_exact(const pytree_tensor *a, const pytree_tensor *b)
{
    pytree_dtype dtype = a->type->dtype;
    return dtype == b->type->dtype && (dtype == PYTREE_I64 || dtype == PYTREE_U64);
}

/* Record two corresponding numbers. Returns whether they differ. */
static bool take_pair(Difference *d, double a, double b, double distance, const Options *o)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (!isfinite(a) || !isfinite(b)) {
        bool differs = !(a == b || (isnan(a) && isnan(b)));
        d->not_finite += differs;
        return differs;
    }
    if (distance == 0) { return false; }
    if (distance > d->most) { d->most = distance; }
    if (distance / larger > d->most_relative) { d->most_relative = distance / larger; }
    return distance > o->absolute + o->relative * fabs(b);
}

/* Compare the elements. Shapes are equal, and both types are real or complex numbers of C. */
static void compare_numbers(Difference *d, const Options *o)
{
    unsigned parts = parts_of(d->a->type->dtype);
    uint64_t count = elements_of(d->a) * parts;
    bool exact = is_exact(d->a, d->b);
    double x[CHUNK], y[CHUNK];
    d->counted = true;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        widen(d->a, at, n, x);
        widen(d->b, at, n, y);
        for (size_t i = 0; i < n; i += parts) {
            bool differs = false;
            for (size_t k = i; k < i + parts; k++) {
                double distance = exact ? exact_distance(d->a, d->b, at + k) : fabs(x[k] - y[k]);
                differs = take_pair(d, x[k], y[k], distance, o) || differs;
            }
            d->differing += differs;
        }
    }
    d->values = d->differing != 0;
}

static Difference difference_of(const pytree_tensor *a, const pytree_tensor *b, const Options *o)
{
    Difference d = { .a = a, .b = b };
    bool same_type, same_bytes;
    if (a == NULL || b == NULL) { return d; }
    same_type = strcmp(type_of(a), type_of(b)) == 0;
    d.type = !same_type;
    d.shape = a->ndim != b->ndim || (a->ndim != 0 && memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) != 0);
    if (d.shape || o->quick) { return d; }
    same_bytes = same_type && a->bytes == b->bytes && (a->bytes == 0 || memcmp(a->data, b->data, (size_t)a->bytes) == 0);
    if (same_bytes) { d.counted = true; }
    else if (a->type == NULL || b->type == NULL) { d.values = same_type; }
    else if (parts_of(a->type->dtype) == parts_of(b->type->dtype)) { compare_numbers(&d, o); }
    return d;
}

/* The same of tensors that may have to be copied first. */
static Difference difference_in(const Checkpoint *a, const pytree_tensor *first, const Checkpoint *b,
                                const pytree_tensor *second, const Options *o)
{
    void *copies[2] = { NULL, NULL };
    pytree_tensor plain[2];
    Difference d;
    if (first == NULL || second == NULL || o->quick) { return difference_of(first, second, o); }
    plain[0] = plain_of(a, first, false, &copies[0]);
    plain[1] = plain_of(b, second, false, &copies[1]);
    d = difference_of(&plain[0], &plain[1], o);
    d.a = first;
    d.b = second;
    free(copies[0]);
    free(copies[1]);
    return d;
}

static bool is_change(const Difference *d) { return d->a == NULL || d->b == NULL || d->type || d->shape || d->values; }

static const Column diff_columns[] = {
    { "", false, false, 0 },  { "name", false, true, 0 },      { "a", false, false, 4 },
    { "b", false, false, 3 }, { "differing", true, false, 2 }, { "max |a-b|", true, false, 0 },
    { "relative", true, false, 1 }, { "not finite", true, false, 0 }
};
enum { DIFF_COLUMNS = sizeof diff_columns / sizeof diff_columns[0] };

static char *type_and_shape(const pytree_tensor *t)
{
    char *shape, *both;
    if (t == NULL) { return NULL; }
    shape = shape_of(t);
    both = text("%s%s", type_of(t), shape);
    free(shape);
    return both;
}

static void diff_row(Table *table, const Difference *d)
{
    char **cells = table_row(table, d->a == NULL ? GREEN : d->b == NULL || d->not_finite != 0 ? RED : YELLOW);
    cells[0] = text("%s", d->a == NULL ? "+" : d->b == NULL ? "-" : "~");
    cells[1] = printable((d->a != NULL ? d->a : d->b)->name);
    cells[2] = type_and_shape(d->a);
    cells[3] = type_and_shape(d->b);
    if (d->values && !d->counted) { cells[4] = text("bytes"); }
    if (!d->counted) { return; }
    cells[4] = text("%llu of %llu", (unsigned long long)d->differing, (unsigned long long)elements_of(d->a));
    cells[5] = text("%.4g", d->most);
    cells[6] = text("%.4g", d->most_relative);
    if (d->not_finite != 0) { cells[7] = text("%llu", (unsigned long long)d->not_finite); }
}

static void diff_json(const Difference *d, bool first)
{
    const char *const words[] = { d->a == NULL ? "added" : NULL, d->b == NULL ? "removed" : NULL, d->type ? "type" : NULL,
                                  d->shape ? "shape" : NULL, d->values ? "values" : NULL };
    const char *comma = "";
    fputs(first ? "\n{\"name\":" : ",\n{\"name\":", stdout);
    json_text((d->a != NULL ? d->a : d->b)->name);
    fputs(",\"changes\":[", stdout);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i] == NULL) { continue; }
        printf("%s\"%s\"", comma, words[i]);
        comma = ",";
    }
    putchar(']');
    for (int side = 0; side < 2; side++) {
        const pytree_tensor *t = side == 0 ? d->a : d->b;
        if (t == NULL) { continue; }
        printf(",\"%c\":{", "ab"[side]);
        json_tensor(t);
        putchar('}');
    }
    if (d->counted) {
        printf(",\"differing\":%llu,\"not_finite\":%llu", (unsigned long long)d->differing, (unsigned long long)d->not_finite);
        json_number("max_abs", d->most);
        json_number("max_rel", d->most_relative);
    }
    putchar('}');
}

/* Compare two files in the order of names. Returns whether they are equal. */
static bool print_diff(const Checkpoint *a, const Checkpoint *b, const Options *o)
{
    const char *same = o->quick ? "alike" : "equal";           /* alike: with the same type and shape */
    unsigned long long added = 0, removed = 0, changed = 0, equal = 0;
    Table table;
    table_begin(&table, diff_columns, DIFF_COLUMNS, a->n + b->n);
    if (o->json) { fputs("{\"tensors\":[", stdout); }
    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        int order = i == a->n ? 1 : j == b->n ? -1 : compare_names(a->tensors[i]->name, b->tensors[j]->name);
        const pytree_tensor *first = order <= 0 ? a->tensors[i++] : NULL, *second = order >= 0 ? b->tensors[j++] : NULL;
        Difference d = difference_in(a, first, b, second, o);
        if (!is_change(&d)) { equal++; continue; }
        if (o->json) { diff_json(&d, added + removed + changed == 0); }
        else { diff_row(&table, &d); }
        *(first == NULL ? &added : second == NULL ? &removed : &changed) += 1;
    }
    if (o->json) {
        printf("],\n\"added\":%llu,\"removed\":%llu,\"changed\":%llu,\"%s\":%llu}\n", added, removed, changed, same, equal);
    } else {
        table_print(&table);
        printf("%llu added, %llu removed, %llu changed, %llu %s\n", added, removed, changed, equal, same);
    }
    table_end(&table);
    return added + removed + changed == 0;
}

static int diff(const char *first, const char *second, const Options *o)
{
    pytree_error err = { 0 };
    Checkpoint a, b;
    bool equal = false;
    memset(&b, 0, sizeof b);
    if (checkpoint_open(&a, first, &err) == PYTREE_OK && checkpoint_open(&b, second, &err) == PYTREE_OK) {
        equal = print_diff(&a, &b, o);
    }
    checkpoint_close(&a);
    checkpoint_close(&b);
    return err.status != PYTREE_OK ? trouble(&err) : equal ? EQUAL : DIFFERENT;
}

#endif
