/* golden.h: the golden data, tests/golden/NAME.jsonl, run case by case. What the files hold is told in golden/README.md.
 *
 *     #include "golden.h"          // first: brings cmocka, the library with its bodies, cJSON, and what stands here
 *
 * - golden_run: reads a file, calls a function for each case of one `op`, reports how many passed and how many are decided
 *   otherwise.
 * - golden_tree: JSON to a pytree in the case's memory. golden_json: any pytree to JSON (golden/trees.h).
 * - golden_def_text, golden_spec: a treedef as JAX and as optree writes it (golden/treedefs.h).
 * - golden_check_json, _text, _count, _bool: one answer of the library beside the golden one. All checks of a case run.
 * - Decisions: where the library answers otherwise, and what it says. A case that a decision is about and that gives the golden
 *   answer all the same, or a third one, is a failure, and so is a decision that no case needs. Each stands in
 *   docs/semantics.md.
 *
 * Numbers that cJSON would change (doubles that are whole, more than 15 digits) are read as texts that begin with
 * GOLDEN_MARK. Under valgrind every 20th case runs. */
#ifndef GOLDEN_H
#define GOLDEN_H

#if !defined(TEST_BODIES_APART)           /* bodies.c has them */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#else
#define PYTREE__DECLARATIONS_ONLY         /* writers of text are private, and so is what a treedef keeps */
#endif

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cjson/cJSON.h>

#include "pytree/impl/internal.h"
#include "pytree/treedef.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define GOLDEN_MARK "\x01#"
#define GOLDEN_MARK_AS_JSON "\\u0001#"

/* ---- Memory of a case ---------------------------------------------------------------------------------------------- */

typedef struct GoldenChunk {
    struct GoldenChunk *next;
    size_t used, size;
    max_align_t room[1];
} GoldenChunk;

typedef struct Golden {
    const cJSON *json;                    /* the case */
    const char *id;
    GoldenChunk *chunks;
    const struct GoldenDecision *decisions;
    size_t n_decisions;
    bool *needed;                         /* decisions that were */
    bool failed;                          /* a check */
    bool decided, followed;               /* a decision against both packages; one for one of them */
    bool absent;                          /* C has no such question */
} Golden;

/* Zeroed; given back when the case ends. */
static inline void *golden_alloc(Golden *g, size_t n, size_t size)
{
    size_t bytes = (n * size + sizeof(max_align_t)) / sizeof(max_align_t) * sizeof(max_align_t);
    GoldenChunk *chunk = g->chunks;
    void *p;
    if (chunk == NULL || bytes > chunk->size - chunk->used) {
        size_t room = bytes < 16384 ? 16384 : bytes;
        chunk = calloc(1, sizeof *chunk + room);
        assert_non_null(chunk);
        chunk->size = room;
        chunk->next = g->chunks;
        g->chunks = chunk;
    }
    p = (char *)chunk->room + chunk->used;
    chunk->used += bytes;
    return p;
}

static inline void golden_free(Golden *g)
{
    while (g->chunks != NULL) {
        GoldenChunk *next = g->chunks->next;
        free(g->chunks);
        g->chunks = next;
    }
}

/* Text that grows, in the case's memory. */
typedef struct GoldenText {
    Golden *golden;
    char *at;
    size_t length, room;
} GoldenText;

static inline void golden_put(GoldenText *to, const char *text, size_t n)
{
    if (to->length + n + 1 > to->room) {
        char *grown;
        to->room = 2 * (to->length + n + 32);
        grown = golden_alloc(to->golden, to->room, 1);
        if (to->length != 0) { memcpy(grown, to->at, to->length); }
        to->at = grown;
    }
    memcpy(to->at + to->length, text, n);
    to->length += n;
    to->at[to->length] = '\0';
}

static inline void golden_puts(GoldenText *to, const char *text) { golden_put(to, text, strlen(text)); }

/* Is it one of the words? */
static inline bool golden_among(const char *words, const char *word)
{
    size_t n = strlen(word);
    const char *at;
    for (at = words; (at = strstr(at, word)) != NULL; at += n) {
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) { return true; }
    }
    return false;
}

#include "golden/json.h"
#include "golden/types.h"
#include "golden/trees.h"
#include "golden/treedefs.h"

/* ---- Answers beside the golden ones -------------------------------------------------------------------------------- */

#define GOLDEN_NO_MORE { NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/* Where the library answers otherwise. */
typedef struct GoldenDecision {
    const char *name;                     /* as in docs/semantics.md */
    const char *follows;                  /* the package that it agrees with where they disagree; NULL: neither */
    const char *checks;                   /* the checks that come out otherwise, with spaces between them */
    const char *ids;                      /* the cases, likewise; or NULL and */
    bool (*applies)(const cJSON *json);   /* … which they are */
    const char *answer;                   /* what the library says instead; or NULL and */
    bool (*documented)(Golden *g, const char *check, const char *got);     /* … whether this is it */
} GoldenDecision;

static inline bool golden_applies(const GoldenDecision *decision, const Golden *g, const char *check)
{
    return golden_among(decision->checks, check)
        && (decision->ids != NULL ? golden_among(decision->ids, g->id) : decision->applies(g->json));
}

/* Is an answer that is not the data's the one that the decision says? */
static inline bool golden_as_documented(const GoldenDecision *decision, Golden *g, const char *check, const char *got)
{
    if (decision->answer != NULL) { return strcmp(decision->answer, got) == 0; }
    return decision->documented != NULL && decision->documented(g, check, got);
}

/* A check of a case came out like this: as text, what the data has and what the library says. */
static inline void golden_verdict(Golden *g, const char *check, bool same, const char *expected, const char *got)
{
    size_t i;
    for (i = 0; i < g->n_decisions; i++) {
        if (golden_applies(&g->decisions[i], g, check)) {
            g->needed[i] = true;
            if (same) {
                print_error("# %s %s: now as in the data, the decision '%s' is no longer needed\n", g->id, check,
                            g->decisions[i].name);
                g->failed = true;
            } else if (!golden_as_documented(&g->decisions[i], g, check, got)) {
                print_error("# %s %s: expected the answer of the decision '%s', %s\n#   got %s\n", g->id, check,
                            g->decisions[i].name, g->decisions[i].answer == NULL ? "" : g->decisions[i].answer, got);
                g->failed = true;
            }
            g->decided = g->decided || g->decisions[i].follows == NULL;
            g->followed = true;
            return;
        }
    }
    if (!same) {
        print_error("# %s %s\n#   expected %s\n#   got      %s\n", g->id, check, expected, got);
        g->failed = true;
    }
}

/* Deletes `got`. NULL: there was no answer. */
static inline void golden_check_json(Golden *g, const char *check, const cJSON *expected, cJSON *got)
{
    bool same = got != NULL && golden_same(expected, got);
    char *a = same ? NULL : cJSON_PrintUnformatted(expected), *b = same || got == NULL ? NULL : cJSON_PrintUnformatted(got);
    golden_verdict(g, check, same, a, b == NULL ? "nothing" : b);
    free(a);
    free(b);
    cJSON_Delete(got);
}

static inline void golden_check_text(Golden *g, const char *check, const char *expected, const char *got)
{
    golden_verdict(g, check, got != NULL && strcmp(expected, got) == 0, expected, got == NULL ? "nothing" : got);
}

static inline void golden_check_count(Golden *g, const char *check, const cJSON *expected, size_t got)
{
    char a[32], b[32];
    snprintf(a, sizeof a, "%" PRId64, golden_int(expected));
    snprintf(b, sizeof b, "%" PRId64, (int64_t)got);
    golden_verdict(g, check, strcmp(a, b) == 0, a, b);
}

static inline void golden_check_bool(Golden *g, const char *check, bool expected, bool got)
{
    golden_verdict(g, check, expected == got, expected ? "true" : "false", got ? "true" : "false");
}

/* A call that must have gone well. */
static inline bool golden_check_ok(Golden *g, const char *check, const pytree_error *error)
{
    char got[700];
    snprintf(got, sizeof got, "%s: %s at '%s'", pytree_status_name(error->status), error->message, error->path);
    golden_verdict(g, check, error->status == PYTREE_OK, "no error", got);
    return error->status == PYTREE_OK;
}

/* "jax_nil.leaves", in the case's memory. */
static inline const char *golden_name(Golden *g, const char *part, const char *name)
{
    GoldenText to = { g, NULL, 0, 0 };
    golden_puts(&to, part);
    golden_puts(&to, ".");
    golden_puts(&to, name);
    return to.at;
}

/* Options of a part of the answers: `…_nil` says that None is a leaf, optree was given a namespace. */
static inline pytree_options golden_options(const char *part)
{
    pytree_options opt = { 0 };
    opt.none_is_leaf = strstr(part, "_nil") != NULL;
    opt.space = strncmp(part, "optree", 6) == 0 ? "golden" : NULL;
    return opt;
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

static inline char *golden_read(const char *file)
{
    const char *folder = getenv("PYTREE_GOLDEN");
    char name[1024], *text;
    long size;
    FILE *stream;
    snprintf(name, sizeof name, "%s/%s.jsonl", folder == NULL ? "tests/golden" : folder, file);
    stream = fopen(name, "rb");
    if (stream == NULL) { fail_msg("%s is not there (PYTREE_GOLDEN is its folder)", name); }
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    size = ftell(stream);
    assert_true(size > 0);
    rewind(stream);
    text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, stream), (size_t)size);
    text[size] = '\0';
    fclose(stream);
    return text;
}

/* One case. */
static inline void golden_case(Golden *g, const char *line, void (*test)(Golden *g))
{
    char *marked = golden_mark_numbers(line);
    cJSON *json = cJSON_Parse(marked);
    if (json == NULL) { fail_msg("no JSON: %.80s", line); }
    g->json = json;
    g->id = golden_word(json, "id");
    g->failed = g->decided = g->followed = g->absent = false;
    test(g);
    golden_free(g);
    cJSON_Delete(json);
    free(marked);
}

/* The case asks what cannot be asked in C, because the compiler answers or because there is nothing of the kind. */
static inline void golden_no_counterpart(Golden *g) { g->absent = true; }

/* Every case of the file whose `op` is that one (NULL: all), or whose line contains that text if it begins with a quote. Fails
 * if one does, or if there was none. The decisions (NULL: none) end with a row without a name. */
static inline void golden_run_counted(const char *file, const char *op, void (*test)(Golden *g),
                                      const GoldenDecision *decisions, size_t *asked, size_t *without)
{
    const size_t stride = getenv("PYTREE_TEST_VALGRIND") != NULL ? 20 : 1;
    char *text = golden_read(file), *line = text, *end, wanted[64];
    size_t total = 0, ran = 0, passed = 0, decided = 0, followed = 0, absent = 0, i;
    Golden g = { 0 };
    g.decisions = decisions;
    while (decisions != NULL && decisions[g.n_decisions].name != NULL) { g.n_decisions++; }
    g.needed = calloc(g.n_decisions + 1, sizeof *g.needed);
    assert_non_null(g.needed);
    snprintf(wanted, sizeof wanted, op != NULL && *op == '"' ? "%s" : "\"op\":\"%s\"", op == NULL ? "" : op);
    for (; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if ((op != NULL && strstr(line, wanted) == NULL) || total++ % stride != 0) { continue; }
        golden_case(&g, line, test);
        ran++;
        passed += !g.failed && !g.decided && !g.absent;
        decided += !g.failed && g.decided;
        followed += !g.failed && !g.decided && g.followed;
        absent += !g.failed && g.absent;
    }
    print_message("# %s%s%s: %lu/%lu passed (%lu where the packages disagree), %lu decided otherwise, "
                  "%lu without a counterpart\n",
                  file, op == NULL ? "" : " ", op == NULL ? "" : op, (unsigned long)passed, (unsigned long)ran,
                  (unsigned long)followed, (unsigned long)decided, (unsigned long)absent);
    for (i = 0; i < g.n_decisions && stride == 1; i++) {
        if (!g.needed[i]) { fail_msg("no case needs the decision '%s'", decisions[i].name); }
    }
    free(g.needed);
    free(text);
    assert_true(ran > 0);
    assert_int_equal(passed + decided + absent, ran);
    *asked = passed + decided;
    *without = absent;
}

static inline void golden_run(const char *file, const char *op, void (*test)(Golden *g), const GoldenDecision *decisions)
{
    size_t asked, without;
    golden_run_counted(file, op, test, decisions, &asked, &without);
}

/* Run cases as golden_run does, and fail unless exactly so many are asked, and so many have no counterpart or are asked in
 * another program: none is left out by accident. */
static inline void golden_run_exactly(const char *file, const char *op, void (*test)(Golden *g), size_t asked, size_t without)
{
    size_t n_asked, n_without;
    golden_run_counted(file, op, test, NULL, &n_asked, &n_without);
    if (getenv("PYTREE_TEST_VALGRIND") != NULL) { return; }    /* which takes a part of them */
    assert_int_equal(n_asked, asked);
    assert_int_equal(n_without, without);
}

#endif
