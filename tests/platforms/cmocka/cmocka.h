/* cmocka.h: what the themes use of cmocka, for platforms without a package of it. */
#ifndef CMOCKA_H
#define CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state), (*teardown)(void **state);
    void *initial_state;
};

static jmp_buf small_cmocka_end;

#define cmocka_unit_test(f) { #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_teardown(f, teardown) { #f, f, NULL, teardown, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) { #f, f, setup, teardown, NULL }
#define cmocka_run_group_tests(tests, setup, teardown)                                                                  \
    small_cmocka_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

static inline void print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

#define print_message print_error

static inline void _fail(const char *file, int line)
{
    printf("# %s:%d: error: Failure!\n", file, line);
    longjmp(small_cmocka_end, 1);
}

static inline void small_cmocka_check(int good, const char *what, const char *file, int line)
{
    if (!good) { printf("# %s\n", what); _fail(file, line); }
}

static inline void small_cmocka_equal(uintmax_t a, uintmax_t b, const char *file, int line)
{
    if (a != b) { printf("# 0x%llx != 0x%llx\n", (unsigned long long)a, (unsigned long long)b); _fail(file, line); }
}

static inline void small_cmocka_same(const char *a, const char *b, const char *file, int line)
{
    if (strcmp(a, b) != 0) { printf("# \"%s\" != \"%s\"\n", a, b); _fail(file, line); }
}

static inline void small_cmocka_bytes(const void *a, const void *b, size_t n, const char *file, int line)
{
    if (memcmp(a, b, n) != 0) { printf("# %lu bytes differ\n", (unsigned long)n); _fail(file, line); }
}

#define assert_true(x) small_cmocka_check((x) ? 1 : 0, #x, __FILE__, __LINE__)
#define assert_false(x) small_cmocka_check((x) ? 0 : 1, "not " #x, __FILE__, __LINE__)
#define assert_non_null(x) small_cmocka_check((x) != NULL, #x, __FILE__, __LINE__)
#define assert_null(x) small_cmocka_check((x) == NULL, "not " #x, __FILE__, __LINE__)
#define assert_ptr_equal(a, b) small_cmocka_check((const void *)(a) == (const void *)(b), #a " == " #b, __FILE__, __LINE__)
#define assert_ptr_not_equal(a, b) small_cmocka_check((const void *)(a) != (const void *)(b), #a " != " #b, __FILE__, __LINE__)
#define assert_int_equal(a, b) small_cmocka_equal((uintmax_t)(a), (uintmax_t)(b), __FILE__, __LINE__)
#define assert_int_not_equal(a, b) small_cmocka_check((uintmax_t)(a) != (uintmax_t)(b), #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(x, least, most)                                                                                 \
    small_cmocka_check((uintmax_t)(x) - (uintmax_t)(least) <= (uintmax_t)(most) - (uintmax_t)(least), #x, __FILE__, __LINE__)
#define assert_float_equal(a, b, most)                                                                                  \
    small_cmocka_check((a) - (b) <= (most) && (b) - (a) <= (most), #a " == " #b, __FILE__, __LINE__)
#define assert_string_equal(a, b) small_cmocka_same(a, b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) small_cmocka_check(strcmp(a, b) != 0, #a " != " #b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) small_cmocka_bytes(a, b, n, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, n) small_cmocka_check(memcmp(a, b, n) != 0, #a " != " #b, __FILE__, __LINE__)
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (print_error("# "), print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))
#define skip() longjmp(small_cmocka_end, 2)

/* Runs the tests and prints as cmocka does with CMOCKA_MESSAGE_OUTPUT=TAP. Returns how many failed. */
static inline int small_cmocka_run(const struct CMUnitTest *tests, size_t n, int (*setup)(void **), int (*teardown)(void **))
{
    static void *group_state;
    static volatile size_t i, failed;
#if defined(_WIN32)
    (void)_setmode(_fileno(stdout), _O_BINARY);                /* no \r before each \n */
#endif
    setbuf(stdout, NULL);
    printf("1..%lu\n", (unsigned long)n);
    if (setup != NULL && setup(&group_state) != 0) { printf("# the setup failed\n"); return 1; }
    for (i = 0; i < n; i++) {
        static void *state;
        int end;
        state = group_state;
        end = setjmp(small_cmocka_end);
        if (end == 0) {
            if (tests[i].setup != NULL && tests[i].setup(&state) != 0) { _fail(tests[i].name, 0); }
            tests[i].test(&state);
            if (tests[i].teardown != NULL && tests[i].teardown(&state) != 0) { _fail(tests[i].name, 0); }
        }
        failed += end == 1;
        printf(end == 2 ? "not ok %s%lu # SKIP %s\n" : "%s %lu - %s\n", end == 0 ? "ok" : end == 1 ? "not ok" : "",
               (unsigned long)i + 1, tests[i].name);
    }
    if (teardown != NULL) { (void)teardown(&group_state); }
    return (int)failed;
}

#endif
