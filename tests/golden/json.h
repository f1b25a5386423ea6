/* golden/json.h: reading the golden data without changing a number, comparing, and the texts that Python has for static values.
 * Included by golden.h. */
#ifndef GOLDEN_JSON_H
#define GOLDEN_JSON_H

/* ---- Reading JSON -------------------------------------------------------------------------------------------------- */

/* A copy of the line in which every number that cJSON would change is a marked text. */
static inline char *golden_mark_numbers(const char *line)
{
    char *marked = malloc(8 * strlen(line) + 1), *to = marked;
    bool quoted = false;
    assert_non_null(marked);
    assert_null(strstr(line, GOLDEN_MARK_AS_JSON));
    while (*line != '\0') {
        size_t n = strspn(line, "+-.0123456789eE");
        if (quoted || (*line != '-' && (*line < '0' || *line > '9'))) {
            if (quoted && *line == '\\') { *to++ = *line++; }
            else if (*line == '"') { quoted = !quoted; }
            *to++ = *line++;
        } else if (n <= 15 && strcspn(line, ".eE") >= n) {
            memcpy(to, line, n);
            to += n;
            line += n;
        } else {
            to += sprintf(to, "\"" GOLDEN_MARK_AS_JSON "%.*s\"", (int)n, line);
            line += n;
        }
    }
    *to = '\0';
    return marked;
}

/* The digits of a marked number; NULL if it is none. */
static inline const char *golden_marked(const cJSON *json)
{
    return cJSON_IsString(json) && strncmp(json->valuestring, GOLDEN_MARK, sizeof GOLDEN_MARK - 1) == 0
         ? json->valuestring + sizeof GOLDEN_MARK - 1 : NULL;
}

static inline int64_t golden_int(const cJSON *json)
{
    const char *digits = golden_marked(json);
    return digits != NULL ? (int64_t)strtoll(digits, NULL, 10) : (int64_t)json->valuedouble;
}

static inline double golden_double(const cJSON *json)
{
    const char *digits = golden_marked(json);
    return digits != NULL ? strtod(digits, NULL) : json->valuedouble;
}

/* What stands under a name, or under names with points between them; NULL if it is not there. */
static inline const cJSON *golden_get(const cJSON *json, const char *names)
{
    char name[64];
    while (json != NULL && *names != '\0') {
        size_t n = strcspn(names, ".");
        assert_true(n < sizeof name);
        memcpy(name, names, n);
        name[n] = '\0';
        json = cJSON_GetObjectItemCaseSensitive(json, name);
        names += n + (names[n] == '.');
    }
    return json;
}

/* The same where it must be there. */
static inline const cJSON *golden_at(const cJSON *json, const char *names)
{
    const cJSON *found = golden_get(json, names);
    if (found == NULL) { fail_msg("the data have no %s", names); }
    return found;
}

static inline const char *golden_string(const cJSON *json)
{
    assert_true(cJSON_IsString(json));
    return json->valuestring;
}

static inline const char *golden_word(const cJSON *json, const char *names) { return golden_string(golden_at(json, names)); }
static inline bool golden_true(const cJSON *json, const char *names) { return cJSON_IsTrue(golden_at(json, names)) != 0; }

/* Same JSON, numbers to the last digit? */
static inline bool golden_same(const cJSON *a, const cJSON *b)
{
    const char *x = golden_marked(a), *y = golden_marked(b);
    bool named;
    if (x != NULL && y != NULL && strcmp(x, y) != 0) {
        double v = strtod(x, NULL), w = strtod(y, NULL);
        bool whole = strpbrk(x, ".eEn") == NULL || strpbrk(y, ".eEn") == NULL;
        return !whole && v == w && !signbit(v) == !signbit(w);
    }
    if ((a->type & 0xFF) != (b->type & 0xFF)) { return false; }
    if (cJSON_IsNumber(a)) { return (int64_t)a->valuedouble == (int64_t)b->valuedouble; }
    if (cJSON_IsString(a)) { return strcmp(a->valuestring, b->valuestring) == 0; }
    if (!cJSON_IsArray(a) && !cJSON_IsObject(a)) { return true; }
    named = cJSON_IsObject(a) != 0;
    for (a = a->child, b = b->child; a != NULL && b != NULL; a = a->next, b = b->next) {
        if ((named && strcmp(a->string, b->string) != 0) || !golden_same(a, b)) { return false; }
    }
    return a == b;
}

/* ---- Python's texts of static values ------------------------------------------------------------------------------- */

/* repr, or str if `plain`. */
static inline void golden_put_python(GoldenText *to, const cJSON *value, bool plain)
{
    const char *digits = golden_marked(value);
    if (digits != NULL) {
        golden_puts(to, digits);
    } else if (cJSON_IsNull(value)) {
        golden_puts(to, "None");
    } else if (cJSON_IsBool(value)) {
        golden_puts(to, cJSON_IsTrue(value) ? "True" : "False");
    } else if (cJSON_IsNumber(value)) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, golden_int(value));
        golden_puts(to, text);
    } else if (cJSON_IsString(value)) {
        size_t n = strlen(value->valuestring);
        struct pytree__text_writer repr = { NULL, 0, 0, NULL };
        if (plain) { golden_put(to, value->valuestring, n); return; }
        repr.room = 10 * n + 3;
        repr.at = golden_alloc(to->golden, repr.room, 1);
        pytree__put_repr(&repr, value->valuestring, n);
        golden_put(to, repr.at, repr.length);
    } else {
        const cJSON *item;
        golden_puts(to, "(");
        cJSON_ArrayForEach(item, golden_at(value, "tuple")) {
            golden_put_python(to, item, false);
            if (item->next != NULL) { golden_puts(to, ", "); } else if (item->prev == item) { golden_puts(to, ","); }
        }
        golden_puts(to, ")");
    }
}

/* The print callback of custom nodes, whose metadata are the text of a value's JSON. */
static size_t custom_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    Golden golden = { 0 };
    GoldenText to = { &golden, NULL, 0, 0 };
    cJSON *value = cJSON_ParseWithLength(metadata, bytes);
    assert_non_null(value);
    golden_puts(&to, "");
    golden_put_python(&to, value, true);
    if (n != 0) { snprintf(text, n, "%s", to.at); }
    cJSON_Delete(value);
    golden_free(&golden);
    return to.length;
}

#endif
