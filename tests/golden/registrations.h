/* golden/registrations.h: the types of registration.jsonl. Included by test_golden_registration.c. */
#ifndef GOLDEN_REGISTRATIONS_H
#define GOLDEN_REGISTRATIONS_H

/* ---- Field lists ---------------------------------------------------------------------------------------------------
 *
 * T210 has two DATA rows, one STATIC row and no DROP row. In C the rows stand in the order of the struct. */

typedef struct T000 { char nothing; } T000;
#define PYTREE_STRUCT T000
#define PYTREE_FIELDS PYTREE_FIELD(DROP, nothing)
#include "pytree_registry.h"

typedef struct T100 { int64_t a; } T100;
#define PYTREE_STRUCT T100
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a)
#include "pytree_registry.h"

typedef struct T200 { int64_t a, b; } T200;
#define PYTREE_STRUCT T200
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct T300 { int64_t a, b, c; } T300;
#define PYTREE_STRUCT T300
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c)
#include "pytree_registry.h"

typedef struct T400 { int64_t a, b, c, d; } T400;
#define PYTREE_STRUCT T400
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct T110 { int64_t a, b; } T110;
#define PYTREE_STRUCT T110
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

typedef struct T020 { int64_t a, b; } T020;
#define PYTREE_STRUCT T020
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

typedef struct T101 { int64_t a, b; } T101;
#define PYTREE_STRUCT T101
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DROP, b)
#include "pytree_registry.h"

typedef struct T011 { int64_t a, b; } T011;
#define PYTREE_STRUCT T011
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DROP, b)
#include "pytree_registry.h"

typedef struct T002 { int64_t a, b; } T002;
#define PYTREE_STRUCT T002
#define PYTREE_FIELDS PYTREE_FIELD(DROP, a) PYTREE_FIELD(DROP, b)
#include "pytree_registry.h"

typedef struct T111 { int64_t a, b, c; } T111;
#define PYTREE_STRUCT T111
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(DROP, c)
#include "pytree_registry.h"

typedef struct T201 { int64_t a, b, c; } T201;
#define PYTREE_STRUCT T201
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DROP, c)
#include "pytree_registry.h"

/* ---- One class in several namespaces -------------------------------------------------------------------------------
 *
 * Z85 is the class of the case registration-00085. Where all its registrations have the fields in one order it is a struct;
 * elsewhere it is a custom node, whose callbacks take the numbers in any order. */

typedef struct Numbers { int64_t v[4]; } Numbers;

static size_t numbers_children(const char *order, const void *self, pytree *children)
{
    size_t i;
    for (i = 0; order[i] != '\0'; i++) {
        if (children != NULL) {
            children[i].type = PYTREE_TYPE(int64_t);
            children[i].data = (void *)(uintptr_t)&((const Numbers *)self)->v[order[i] - '0'];
        }
    }
    return i;
}

/* {"tuple":[{"tuple":["y",2]}]}: the JSON of (('y', 2),). */
static size_t numbers_metadata(const char *names, const char *order, const void *self, void *to)
{
    char text[256] = "{\"tuple\":[";
    size_t n = strlen(text), i;
    for (i = 0; order[i] != '\0'; i++) {
        n += (size_t)sprintf(text + n, "%s{\"tuple\":[\"%c\",%" PRId64 "]}", i == 0 ? "" : ",", names[order[i] - '0'],
                             ((const Numbers *)self)->v[order[i] - '0']);
    }
    n += (size_t)sprintf(text + n, "]}");
    if (to != NULL) { memcpy(to, text, n); }
    return n;
}

static pytree_status numbers_rebuild(const char *data, const char *fixed, void *self, const pytree *children,
                                     const void *metadata, size_t bytes)
{
    int64_t *v = ((Numbers *)self)->v;
    cJSON *meta = cJSON_ParseWithLength(metadata, bytes);
    const cJSON *pair;
    size_t i;
    if (meta == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; data[i] != '\0'; i++) {
        pytree_leaf leaf;
        size_t n;
        if (pytree_leaves(children[i], &leaf, 1, &n, NULL, NULL) != PYTREE_OK) { break; }
        v[data[i] - '0'] = *(const int64_t *)leaf.data;
    }
    i = 0;
    cJSON_ArrayForEach(pair, golden_at(meta, "tuple")) {
        v[fixed[i++] - '0'] = golden_int(golden_at(pair, "tuple")->child->next);
    }
    cJSON_Delete(meta);
    return PYTREE_OK;
}

#define NUMBERS(id, names, data, fixed)                                                                                 \
    static size_t id##_children(const void *self, pytree *children, pytree_entry *keys)                                 \
    {                                                                                                                   \
        (void)keys;                                                                                                     \
        return numbers_children(data, self, children);                                                                  \
    }                                                                                                                   \
    static size_t id##_metadata(const void *self, void *to) { return numbers_metadata(names, fixed, self, to); }        \
    static pytree_status id##_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes) \
    {                                                                                                                   \
        (void)n;                                                                                                        \
        return numbers_rebuild(data, fixed, self, children, metadata, bytes);                                           \
    }                                                                                                                   \
    static const pytree_custom id = { .children = id##_children, .metadata = id##_metadata, .print = custom_print,      \
                                      .rebuild = id##_rebuild }

typedef struct Z84 { Numbers numbers; } Z84;
NUMBERS(z84_a, "xy", "01", "");
NUMBERS(z84_b, "xy", "10", "");
NUMBERS(z84_c, "xy", "0", "1");
NUMBERS(z84_d, "xy", "", "01");
#define PYTREE_LEAF_TYPE Z84
#include "pytree_registry.h"
#define PYTREE_STRUCT Z84
#define PYTREE_NAMESPACE a
#define PYTREE_CUSTOM z84_a
#include "pytree_registry.h"
#define PYTREE_STRUCT Z84
#define PYTREE_NAMESPACE b
#define PYTREE_CUSTOM z84_b
#include "pytree_registry.h"
#define PYTREE_STRUCT Z84
#define PYTREE_NAMESPACE c
#define PYTREE_CUSTOM z84_c
#include "pytree_registry.h"
#define PYTREE_STRUCT Z84
#define PYTREE_NAMESPACE d
#define PYTREE_CUSTOM z84_d
#include "pytree_registry.h"

typedef struct Z85 { int64_t x, y; } Z85;
#define PYTREE_STRUCT Z85
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"
#define PYTREE_STRUCT Z85
#define PYTREE_NAMESPACE b
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Z147 { Numbers numbers; } Z147;
NUMBERS(z147_n1, "abcd", "0", "123");
NUMBERS(z147_n2, "abcd", "", "1203");
NUMBERS(z147_n4, "abcd", "0132", "");
#define PYTREE_LEAF_TYPE Z147
#include "pytree_registry.h"
#define PYTREE_STRUCT Z147
#define PYTREE_NAMESPACE n1
#define PYTREE_CUSTOM z147_n1
#include "pytree_registry.h"
#define PYTREE_STRUCT Z147
#define PYTREE_NAMESPACE n2
#define PYTREE_CUSTOM z147_n2
#include "pytree_registry.h"
#define PYTREE_STRUCT Z147
#define PYTREE_NAMESPACE n4
#define PYTREE_CUSTOM z147_n4
#include "pytree_registry.h"

typedef struct Z148 { int64_t a, b, c; } Z148;
#define PYTREE_STRUCT Z148
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c)
#include "pytree_registry.h"
#define PYTREE_STRUCT Z148
#define PYTREE_NAMESPACE n3
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(STATIC, c)
#include "pytree_registry.h"

typedef struct Z149 { Numbers numbers; } Z149;
NUMBERS(z149_n1, "abcd", "023", "1");
NUMBERS(z149_n2, "abcd", "", "0321");
NUMBERS(z149_n3, "abcd", "0132", "");
#define PYTREE_LEAF_TYPE Z149
#include "pytree_registry.h"
#define PYTREE_STRUCT Z149
#define PYTREE_NAMESPACE n1
#define PYTREE_CUSTOM z149_n1
#include "pytree_registry.h"
#define PYTREE_STRUCT Z149
#define PYTREE_NAMESPACE n2
#define PYTREE_CUSTOM z149_n2
#include "pytree_registry.h"
#define PYTREE_STRUCT Z149
#define PYTREE_NAMESPACE n3
#define PYTREE_CUSTOM z149_n3
#include "pytree_registry.h"

typedef struct Z150 { Numbers numbers; } Z150;
NUMBERS(z150_n1, "abc", "01", "2");
NUMBERS(z150_n4, "abc", "1", "20");
#define PYTREE_LEAF_TYPE Z150
#include "pytree_registry.h"
#define PYTREE_STRUCT Z150
#define PYTREE_NAMESPACE n1
#define PYTREE_CUSTOM z150_n1
#include "pytree_registry.h"
#define PYTREE_STRUCT Z150
#define PYTREE_NAMESPACE n4
#define PYTREE_CUSTOM z150_n4
#include "pytree_registry.h"

typedef struct Z151 { Numbers numbers; } Z151;
NUMBERS(z151_n2, "abc", "", "120");
NUMBERS(z151_n3, "abc", "120", "");
NUMBERS(z151_n4, "abc", "", "102");
#define PYTREE_LEAF_TYPE Z151
#include "pytree_registry.h"
#define PYTREE_STRUCT Z151
#define PYTREE_NAMESPACE n2
#define PYTREE_CUSTOM z151_n2
#include "pytree_registry.h"
#define PYTREE_STRUCT Z151
#define PYTREE_NAMESPACE n3
#define PYTREE_CUSTOM z151_n3
#include "pytree_registry.h"
#define PYTREE_STRUCT Z151
#define PYTREE_NAMESPACE n4
#define PYTREE_CUSTOM z151_n4
#include "pytree_registry.h"

typedef struct Z152 { int64_t a, b, c, d; } Z152;
#define PYTREE_LEAF_TYPE Z152
#include "pytree_registry.h"
#define PYTREE_STRUCT Z152
#define PYTREE_NAMESPACE n4
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b) PYTREE_FIELD(STATIC, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Z153 { int64_t a, b; } Z153;
#define PYTREE_LEAF_TYPE Z153
#include "pytree_registry.h"
#define PYTREE_STRUCT Z153
#define PYTREE_NAMESPACE n4
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

typedef struct Z154 { Numbers numbers; } Z154;
NUMBERS(z154_all, "abc", "012", "");
NUMBERS(z154_n1, "abc", "2", "10");
NUMBERS(z154_n2, "abc", "", "210");
NUMBERS(z154_n4, "abc", "21", "0");
#define PYTREE_STRUCT Z154
#define PYTREE_CUSTOM z154_all
#include "pytree_registry.h"
#define PYTREE_STRUCT Z154
#define PYTREE_NAMESPACE n1
#define PYTREE_CUSTOM z154_n1
#include "pytree_registry.h"
#define PYTREE_STRUCT Z154
#define PYTREE_NAMESPACE n2
#define PYTREE_CUSTOM z154_n2
#include "pytree_registry.h"
#define PYTREE_STRUCT Z154
#define PYTREE_NAMESPACE n4
#define PYTREE_CUSTOM z154_n4
#include "pytree_registry.h"

/* ---- Types of single cases ----------------------------------------------------------------------------------------- */

/* A type that chooses its own keys: .left, ['right'], [7]. */
typedef struct Keyed { Custom custom; } Keyed;
static size_t keyed_children(const void *self, pytree *children, pytree_entry *keys)
{
    static const pytree_entry own[] = {
        { PYTREE_ATTRIBUTE, "left", 0 }, { PYTREE_KEY, "right", 0 }, { PYTREE_INT_KEY, NULL, 7 }
    };
    if (children != NULL) { custom_children(self, children, NULL); }
    if (keys != NULL) { memcpy(keys, own, sizeof own); }
    return COUNT_OF(own);
}
static const pytree_custom keyed_callbacks = { .children = keyed_children, .keyed = true, .metadata = custom_metadata,
                                               .print = custom_print, .rebuild = custom_rebuild, .release = custom_release };
#define PYTREE_STRUCT Keyed
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

/* No children: the value itself is the metadata. */
typedef struct StaticText { Custom custom; } StaticText;
#define PYTREE_STRUCT StaticText
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

/* A function with arguments: those are children, its name is metadata. */
typedef struct Partial { Custom custom; } Partial;
#define PYTREE_STRUCT Partial
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

/* A leaf, but for one namespace. */
typedef struct T { Custom custom; } T;
#define PYTREE_LEAF_TYPE T
#include "pytree_registry.h"
#define PYTREE_STRUCT T
#define PYTREE_NAMESPACE golden_n
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

#endif
