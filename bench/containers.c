/* containers.c: what a change of a growing container costs as it grows: 10^4, 10^5 and 10^6 values.
 *
 *     containers [most values]
 *
 * Prints a table of nanoseconds for each value: keys put in three orders and removed in three, got; values of lists inserted,
 * got and removed at the front, in the middle, at the back and at random; values of deques appended and popped from both ends;
 * and one walk each time that the container has doubled. Compile with -O2 and link with -lm.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION

#include "pytree/containers.h"

#include <stdlib.h>
#include <time.h>

enum { ASCENDING, DESCENDING, RANDOM, ORDERS };
static const char *const order_names[ORDERS] = { "ascending", "descending", "random" };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The i-th of n keys; n is no multiple of the prime. */
static int64_t key_at(int order, size_t i, size_t n)
{
    return order == ASCENDING ? (int64_t)i : order == DESCENDING ? (int64_t)(n - i) : (int64_t)(i * 7919 % n);
}

static pytree fill(int order, size_t n, bool strings)
{
    pytree dict = pytree_new_dict(NULL, NULL);
    size_t i;
    for (i = 0; i < n; i++) {
        char name[24];
        if (!strings) { pytree_dict_put_int(dict, key_at(order, i, n), PYTREE_NONE, NULL); continue; }
        snprintf(name, sizeof name, "%08lld", (long long)key_at(order, i, n));
        pytree_dict_put(dict, name, PYTREE_NONE, NULL);
    }
    return dict;
}

static void row(const char *what, const char *how, const double *nanoseconds, size_t columns)
{
    size_t i;
    printf("| %s, %s |", what, how);
    for (i = 0; i < columns; i++) { printf(" %.0f |", nanoseconds[i]); }
    printf("\n");
    fflush(stdout);
}

static void measure_dicts(const size_t *sizes, size_t columns)
{
    double put[3], got[3], removed[3];
    int order, strings;
    size_t k, i;
    for (strings = 0; strings < 2; strings++) {
        for (order = 0; order < ORDERS; order++) {
            for (k = 0; k < columns; k++) {
                const double begin = seconds();
                pytree dict = fill(order, sizes[k], strings != 0);
                put[k] = (seconds() - begin) * 1e9 / (double)sizes[k];
                pytree_container_free(dict);
            }
            row(strings != 0 ? "put a string key" : "put a number as key", order_names[order], put, columns);
        }
    }
    for (order = 0; order < ORDERS; order++) {
        for (k = 0; k < columns; k++) {
            pytree dict = fill(RANDOM, sizes[k], false);
            double begin = seconds();
            for (i = 0; i < sizes[k]; i++) { (void)pytree_dict_get_int(dict, key_at(order, i, sizes[k]), NULL); }
            got[k] = (seconds() - begin) * 1e9 / (double)sizes[k];
            begin = seconds();
            for (i = 0; i < sizes[k]; i++) { pytree_dict_remove_int(dict, key_at(order, i, sizes[k]), NULL); }
            removed[k] = (seconds() - begin) * 1e9 / (double)sizes[k];
            pytree_container_free(dict);
        }
        row("get", order_names[order], got, columns);
        row("remove", order_names[order], removed, columns);
    }
    for (k = 0; k < columns; k++) {       /* in the order in which they were put: from the front */
        pytree dict = fill(RANDOM, sizes[k], false);
        const double begin = seconds();
        for (i = 0; i < sizes[k]; i++) { pytree_dict_remove_int(dict, key_at(RANDOM, i, sizes[k]), NULL); }
        put[k] = (seconds() - begin) * 1e9 / (double)sizes[k];
        pytree_container_free(dict);
        {
            const double start = seconds();
            size_t walk = 1;
            dict = pytree_new_dict(NULL, NULL);
            for (i = 0; i < sizes[k]; i++) {
                pytree_dict_put_int(dict, key_at(RANDOM, i, sizes[k]), PYTREE_NONE, NULL);
                if (i == walk) { (void)pytree_num_leaves(dict, NULL, NULL); walk *= 2; }
            }
            got[k] = (seconds() - start) * 1e9 / (double)sizes[k];
            pytree_container_free(dict);
        }
    }
    row("remove", "the first one", put, columns);
    row("put, random", "and walk at each doubling", got, columns);
}

static void measure_deques(const size_t *sizes, size_t columns)
{
    double append[3], front[3], back[3];
    size_t k, i;
    for (k = 0; k < columns; k++) {
        pytree deque = pytree_new_deque(PYTREE_UNBOUNDED, NULL, NULL);
        const size_t n = sizes[k];
        double begin = seconds();
        for (i = 0; i < n; i++) { pytree_list_append(deque, PYTREE_NONE, NULL); }
        append[k] = (seconds() - begin) * 1e9 / (double)n;
        begin = seconds();
        for (i = 0; i < n / 2; i++) { (void)pytree_list_take(deque, 0, NULL); }
        front[k] = (seconds() - begin) * 2e9 / (double)n;
        begin = seconds();
        for (i = 0; i < n / 2; i++) { (void)pytree_list_take(deque, -1, NULL); }
        back[k] = (seconds() - begin) * 2e9 / (double)n;
        pytree_container_free(deque);
    }
    row("append", "deque", append, columns);
    row("pop", "front of a deque", front, columns);
    row("pop", "back of a deque", back, columns);
}

enum { FRONT, MIDDLE, BACK, ANYWHERE, PLACES };
static const char *const place_names[PLACES] = { "front of a list", "middle of a list", "back of a list", "random in a list" };

static ptrdiff_t place_at(int where, size_t i, size_t n)
{
    return (ptrdiff_t)(where == FRONT ? 0 : where == MIDDLE ? n / 2 : where == BACK ? n : i * 2654435761u % (n + 1));
}

static void measure_lists(const size_t *sizes, size_t columns)
{
    double inserted[3], got[3], walked[3], removed[3];
    int where;
    size_t k, i, walk;
    for (where = 0; where < PLACES; where++) {
        for (k = 0; k < columns; k++) {
            pytree list = pytree_new_list(NULL, NULL);
            const size_t n = sizes[k];
            double begin = seconds();
            for (i = 0; i < n; i++) { pytree_list_insert(list, place_at(where, i, i), PYTREE_NONE, NULL); }
            inserted[k] = (seconds() - begin) * 1e9 / (double)n;
            begin = seconds();
            for (i = 0; i < n; i++) { (void)pytree_list_get(list, place_at(where, i, n - 1), NULL); }
            got[k] = (seconds() - begin) * 1e9 / (double)n;
            begin = seconds();
            (void)pytree_num_leaves(list, NULL, NULL);
            walked[k] = (seconds() - begin) * 1e9 / (double)n;
            begin = seconds();
            for (i = n; i-- != 0; ) { pytree_list_remove(list, place_at(where, i, i), NULL); }
            removed[k] = (seconds() - begin) * 1e9 / (double)n;
            pytree_container_free(list);
        }
        row("insert", place_names[where], inserted, columns);
        row("get", place_names[where], got, columns);
        row("walk", where == ANYWHERE ? "after random inserts" : place_names[where], walked, columns);
        row("remove", place_names[where], removed, columns);
    }
    for (k = 0; k < columns; k++) {
        pytree list = pytree_new_list(NULL, NULL);
        const double begin = seconds();
        for (i = 0, walk = 1; i < sizes[k]; i++) {
            pytree_list_insert(list, place_at(ANYWHERE, i, i), PYTREE_NONE, NULL);
            if (i == walk) { (void)pytree_num_leaves(list, NULL, NULL); walk *= 2; }
        }
        inserted[k] = (seconds() - begin) * 1e9 / (double)sizes[k];
        pytree_container_free(list);
    }
    row("insert, random", "and walk at each doubling", inserted, columns);
}

int main(int argc, char **argv)
{
    const size_t most = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 1000000;
    size_t sizes[3], columns = 0, n;
    for (n = 10000; columns < 3 && n <= most; n *= 10) { sizes[columns++] = n; }
    printf("| nanoseconds for each value |");
    for (n = 0; n < columns; n++) { printf(" %zu |", sizes[n]); }
    printf("\n|:--|%s\n", columns == 3 ? "--:|--:|--:|" : columns == 2 ? "--:|--:|" : "--:|");
    measure_dicts(sizes, columns);
    measure_lists(sizes, columns);
    measure_deques(sizes, columns);
    return 0;
}
