/* Tests that must fail: they prove that a failure here is noticed. Each way to fail is a macro on the command line. The first
 * test of each kind of program passes, so that "some passed" is seen not to be enough. */
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static volatile int limit = 2147483647;

static void passes(void **state)
{
    (void)state;
    assert_true(limit > 0);
}

#if defined(MUST_FAIL_BY_RACE)
static int shared;
static void *add_one(void *context)
{
    (void)context;
    shared++;
    return NULL;
}
#endif

static void fails(void **state)
{
    (void)state;
#if defined(MUST_FAIL_BY_ASSERTION)
    assert_int_equal(limit, 1);
#elif defined(MUST_FAIL_BY_CRASH)
    raise(SIGKILL);
#elif defined(MUST_FAIL_BY_EXIT)
    exit(0);
#elif defined(MUST_FAIL_BY_LEAK)
    {
        void *volatile lost = malloc(100);
        limit += lost == NULL;
    }
#elif defined(MUST_FAIL_BY_OVERFLOW)
    limit += 1;
#elif defined(MUST_FAIL_BY_OVERRUN)
    {
        char *volatile block = malloc(8);
        char past = block[8];
        limit += past == 'x';
        free(block);
    }
#elif defined(MUST_FAIL_BY_RACE)
    {
        pthread_t threads[2];
        int i;
        for (i = 0; i < 2; i++) { pthread_create(&threads[i], NULL, add_one, NULL); }
        for (i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    }
#elif defined(MUST_FAIL_BY_WARNING)
    int unused;
#else
#error "Say how to fail: -DMUST_FAIL_BY_ASSERTION, _CRASH, _EXIT, _LEAK, _OVERFLOW, _OVERRUN, _RACE or _WARNING."
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(passes), cmocka_unit_test(fails) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
