/* tensors_list.h: the command `tensors list`, which prints the tensors of one checkpoint. */
#ifndef TENSORS_LIST_H
#define TENSORS_LIST_H

#include "tensors_numbers.h"
#include "tensors_table.h"

static const Column list_columns[] = {
    { "name", false, true, 0 }, { "type", false, false, 0 }, { "shape", false, false, 0 }, { "bytes", true, false, 5 },
    { "mean", true, false, 2 }, { "std", true, false, 1 },   { "min", true, false, 3 },    { "max", true, false, 4 },
    { "not finite", false, false, 0 }
};
enum { LIST_COLUMNS = sizeof list_columns / sizeof list_columns[0] };

/* Return "3 nan, 1 inf", or NULL if there are none. */
static char *not_finite(const Statistics *s)
{
    unsigned long long nans = nans_of(s), infinite = s->infinite;
    return nans == 0 && infinite == 0 ? NULL : infinite == 0 ? text("%llu nan", nans) : nans == 0 ? text("%llu inf", infinite)
           : text("%llu nan, %llu inf", nans, infinite);
}

static void list_row(Table *table, const pytree_tensor *t, const Statistics *s)
{
    char *bad = s != NULL ? not_finite(s) : NULL, **cells = table_row(table, bad != NULL ? RED : PLAIN);
    cells[0] = printable(t->name);
    cells[1] = text("%s", type_of(t));
    cells[2] = shape_of(t);
    cells[3] = text("%llu", (unsigned long long)t->bytes);
    if (s != NULL && s->finite != 0) {
        cells[4] = number(s->mean);
        cells[5] = number(deviation_of(s));
        cells[6] = number(s->low);
        cells[7] = number(s->high);
    }
    cells[8] = bad;
}

static void list_json(const pytree_tensor *t, const Statistics *s, bool first)
{
    fputs(first ? "\n{\"name\":" : ",\n{\"name\":", stdout);
    json_text(t->name);
    putchar(',');
    json_tensor(t);
    printf(",\"elements\":%llu,\"bytes\":%llu", (unsigned long long)elements_of(t), (unsigned long long)t->bytes);
    if (s != NULL) {
        bool some = s->finite != 0;
        json_number("mean", some ? s->mean : NAN);
        json_number("std", some ? deviation_of(s) : NAN);
        json_number("min", some ? s->low : NAN);
        json_number("max", some ? s->high : NAN);
        printf(",\"nan\":%llu,\"inf\":%llu", (unsigned long long)nans_of(s), (unsigned long long)s->infinite);
    }
    putchar('}');
}

static void print_metadata(const Checkpoint *file, bool json)
{
    if (json) { fputs(",\"metadata\":{", stdout); }
    for (size_t i = 0; i < file->n_metadata; i++) {
        if (json) {
            if (i != 0) { putchar(','); }
            json_text(file->metadata[i].key);
            putchar(':');
            json_text(file->metadata[i].text);
        } else {
            char *key = printable(file->metadata[i].key), *value = printable(file->metadata[i].text);
            size_t room = line_width(), used = columns_of(key) + strlen("metadata: =");
            printf("metadata: %s=", key);
            put_cell(value, room > used + SHORTEST_NAME ? room - used : SHORTEST_NAME, false, true);
            putchar('\n');
            free(key);
            free(value);
        }
    }
    if (json) { putchar('}'); }
}

static bool is_chosen(const char *name, size_t n_patterns, char *const *patterns)
{
    bool chosen = n_patterns == 0;
    for (size_t i = 0; i < n_patterns; i++) { chosen = chosen || matches(patterns[i], name); }
    return chosen;
}

static void print_list(const Checkpoint *file, size_t n_patterns, char *const *patterns, const Options *o)
{
    unsigned long long n = 0, elements = 0, bytes = 0, bad = 0;
    Table table;
    table_begin(&table, list_columns, LIST_COLUMNS, file->n);
    if (o->json) {
        printf("{\"format\":\"%s\"", file->format);
        print_metadata(file, true);
        fputs(",\"tensors\":[", stdout);
    }
    for (size_t i = 0; i < file->n; i++) {
        const pytree_tensor *t = file->tensors[i];
        Statistics s = { 0 };
        bool counted = !o->quick && t->type != NULL;
        if (!is_chosen(t->name, n_patterns, patterns)) { continue; }
        if (counted) {
            void *copy;
            pytree_tensor plain = plain_of(file, t, false, &copy);
            s = statistics_of(&plain);
            free(copy);
        }
        if (o->json) { list_json(t, counted ? &s : NULL, n == 0); }
        else { list_row(&table, t, counted ? &s : NULL); }
        n++;
        elements += elements_of(t);
        bytes += t->bytes;
        bad += s.finite != s.count;
    }
    if (o->json) {
        printf("],\n\"total\":{\"tensors\":%llu,\"elements\":%llu,\"bytes\":%llu}}\n", n, elements, bytes);
    } else {
        table_print(&table);
        print_metadata(file, false);
        printf("%llu tensor%s, %llu elements, %llu bytes\n", n, n == 1 ? "" : "s", elements, bytes);
        if (bad != 0) {
            const char *red = has_colour() ? colour_codes[RED] : "", *plain = has_colour() ? "\033[0m" : "";
            printf("%s%llu with values that are not finite%s\n", red, bad, plain);
        }
    }
    table_end(&table);
}

static int list(const char *path, size_t n_patterns, char *const *patterns, const Options *o)
{
    pytree_error err = { 0 };
    Checkpoint file;
    if (checkpoint_open(&file, path, &err) == PYTREE_OK) { print_list(&file, n_patterns, patterns, o); }
    checkpoint_close(&file);
    return err.status == PYTREE_OK ? EQUAL : trouble(&err);
}

#endif
