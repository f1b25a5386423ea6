/* The C library's struct tm and struct stat, unchanged. */
#define _DEFAULT_SOURCE                   /* struct tm has tm_gmtoff and tm_zone, struct stat has times */
#include "headers_shared.h"
#include <sys/stat.h>
#include <time.h>

typedef struct tm Calendar;               /* a registered type is one word */
typedef struct timespec Timespec;
typedef struct stat Status;

#define PYTREE_STRUCT Calendar
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, tm_sec) PYTREE_FIELD(DATA, tm_min) PYTREE_FIELD(DATA, tm_hour) PYTREE_FIELD(DATA, tm_mday)       \
    PYTREE_FIELD(DATA, tm_mon) PYTREE_FIELD(DATA, tm_year) PYTREE_FIELD(DATA, tm_wday) PYTREE_FIELD(DATA, tm_yday)      \
    PYTREE_FIELD(DATA, tm_isdst) PYTREE_FIELD(DATA, tm_gmtoff) PYTREE_FIELD(DATA, tm_zone, OPTIONAL)
#include "pytree_registry.h"

#define PYTREE_STRUCT Timespec
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tv_sec) PYTREE_FIELD(DATA, tv_nsec)
#include "pytree_registry.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__)        /* members and their order differ elsewhere */
#define HAS_STATUS 1
#define PYTREE_STRUCT Status
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, st_dev) PYTREE_FIELD(STATIC, st_ino) PYTREE_FIELD(DATA, st_nlink) PYTREE_FIELD(DATA, st_mode)  \
    PYTREE_FIELD(DATA, st_uid) PYTREE_FIELD(DATA, st_gid) PYTREE_FIELD(DROP, __pad0) PYTREE_FIELD(STATIC, st_rdev)      \
    PYTREE_FIELD(DATA, st_size) PYTREE_FIELD(DATA, st_blksize) PYTREE_FIELD(DATA, st_blocks)                            \
    PYTREE_FIELD(DATA, st_atim) PYTREE_FIELD(DATA, st_mtim) PYTREE_FIELD(DATA, st_ctim)                                 \
    PYTREE_FIELD(DROP, __glibc_reserved)
#include "pytree_registry.h"
#endif

static void a_date(void **state)
{
    const time_t when = 951782400;        /* 2000-02-29 00:00:00 UTC */
    Calendar *date = gmtime(&when);
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(date), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(date), copy, NULL, NULL, &error));
    headers_assert_printed(copy, "\n.tm_sec  i32 0\n.tm_min  i32 0\n.tm_hour  i32 0\n.tm_mday  i32 29\n.tm_mon  i32 1\n"
                                 ".tm_year  i32 100\n.tm_wday  i32 2\n.tm_yday  i32 59\n.tm_isdst  i32 0\n"
                                 ".tm_gmtoff  i64 0\n.tm_zone  str 'GMT'\n");
    ((Calendar *)copy.data)->tm_mday = 28;
    assert_false(pytree_equal(PYTREE(date), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".tm_mday", &error);
    assert_string_equal(error.message, "expected 29, got 28 at element 0");
    pytree_free(copy);
}

#if defined(HAS_STATUS)
static void a_file_that_grows(void **state)
{
    FILE *file = tmpfile();
    Status before, after;
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &before), 0);
    copy = pytree_clone(PYTREE(&before), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&before), copy, NULL, NULL, &error));
    headers_assert_printed(copy, "\n.st_size  i64 0\n");
    headers_assert_printed(copy, "\n.st_mtim.tv_sec  i64 ");
    assert_int_equal(fputs("five.", file) >= 0 && fflush(file) == 0 ? fstat(fileno(file), &after) : -1, 0);
    after.st_blocks = before.st_blocks;
    assert_false(pytree_equal(PYTREE(&after), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".st_size", &error);
    assert_string_equal(error.message, "expected 5, got 0 at element 0");
    pytree_free(copy);
    fclose(file);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_date),
#if defined(HAS_STATUS)
        cmocka_unit_test(a_file_that_grows),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
