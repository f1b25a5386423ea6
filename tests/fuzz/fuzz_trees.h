/* fuzz_trees.h: growing lists and dicts of numbers in each other that an input says how to fill, beside a plain list of the
 * numbers and their paths. */
#ifndef FUZZ_TREES_H
#define FUZZ_TREES_H

#include "fuzz.h"
#include "pytree/containers.h"
#include "pytree/path.h"

enum { MOST_VALUES = 400, MOST_OPEN = 12 };

typedef struct Place {                    /* of a value in the model */
    char path[200];
    int64_t value;
} Place;

static Place places[MOST_VALUES];
static size_t n_places;

typedef struct Open {
    pytree container;
    char path[170];
    size_t count;
} Open;

static inline void put_value(const Open *to, bool keyed, int64_t value)
{
    pytree_error err = { 0 };
    char key[16];
    snprintf(key, sizeof key, keyed ? "k%d" : "%d", (int)(keyed ? to->count * 7 % 101 : to->count));
    if (keyed) { pytree_dict_put_copy(to->container, key, PYTREE(&value), &err); }
    else { pytree_list_append_copy(to->container, PYTREE(&value), &err); }
    REQUIRE(err.status == PYTREE_OK);
    snprintf(places[n_places].path, sizeof places[n_places].path, keyed ? "%s['%s']" : "%s[%s]", to->path, key);
    places[n_places++].value = value;
}

/* Makes a container in the one that is open, and opens it. */
static inline void open_in(Open *from, Open *to, bool keyed, bool as_dict)
{
    pytree_error err = { 0 };
    char key[16], above[170];
    to->container = as_dict ? pytree_new_dict(NULL, &err) : pytree_new_list(NULL, &err);
    to->count = 0;
    snprintf(key, sizeof key, keyed ? "k%d" : "%d", (int)(keyed ? from->count * 7 % 101 : from->count));
    memcpy(above, from->path, sizeof above);
    snprintf(to->path, sizeof to->path, keyed ? "%.150s['%s']" : "%.150s[%s]", above, key);
    if (keyed) { pytree_dict_put_own(from->container, key, to->container, &err); }
    else { pytree_list_append_own(from->container, to->container, &err); }
    REQUIRE(err.status == PYTREE_OK);
    from->count++;
}

/* Makes the tree, free it with pytree_container_free, and the list. */
static inline pytree build(const uint8_t *data, size_t size)
{
    static Open open[MOST_OPEN];
    size_t depth = 0, i;
    n_places = 0;
    open[0].container = pytree_new_list(NULL, NULL);
    open[0].count = 0;
    open[0].path[0] = '\0';
    for (i = 0; i < size && n_places < MOST_VALUES; i++) {
        Open *const top = &open[depth];
        const bool keyed = top->container.type->kind == PYTREE_KIND_DICT;
        if (top->count >= 100 || data[i] % 8 == 7) { depth -= depth != 0; if (top->count >= 100 && depth == 0) { break; } }
        else if (data[i] % 8 >= 5 && depth + 1 < MOST_OPEN) { open_in(top, &open[++depth], keyed, data[i] % 8 == 6); }
        else { put_value(top, keyed, (int64_t)data[i] - 100); open[depth].count++; }
    }
    return open[0].container;
}

/* The tree has the numbers of the list, each times `times` and `plus`, and no others. */
static inline void require_model(pytree t, int64_t times, int64_t plus)
{
    size_t i;
    REQUIRE(pytree_num_leaves(t, NULL, NULL) == n_places);
    for (i = 0; i < n_places; i++) {
        const pytree_leaf leaf = pytree_at(t, places[i].path, NULL, NULL);
        REQUIRE(leaf.data != NULL && leaf.type->dtype == PYTREE_I64 && *(int64_t *)leaf.data == places[i].value * times + plus);
    }
}

#endif
