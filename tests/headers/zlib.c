/* zlib's z_stream and gz_header, unchanged, while a stream is at work. */
#include "headers_shared.h"
#include <zlib.h>

/* What is left of the input and of the output are arrays. The stream's own state is zlib's: only inflateCopy copies it. */
#define PYTREE_STRUCT z_stream
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, next_in, ARRAY(self->avail_in), OPTIONAL)                                                        \
    PYTREE_FIELD(STATIC, avail_in)                                                                                      \
    PYTREE_FIELD(DATA, total_in)                                                                                        \
    PYTREE_FIELD(DATA, next_out, ARRAY(self->avail_out), OPTIONAL)                                                      \
    PYTREE_FIELD(STATIC, avail_out)                                                                                     \
    PYTREE_FIELD(DATA, total_out)                                                                                       \
    PYTREE_FIELD(DATA, msg, OPTIONAL)                                                                                   \
    PYTREE_FIELD(DROP, state)                                                                                           \
    PYTREE_FIELD(STATIC, zalloc)                                                                                        \
    PYTREE_FIELD(STATIC, zfree)                                                                                         \
    PYTREE_FIELD(DROP, opaque)                                                                                          \
    PYTREE_FIELD(DATA, data_type)                                                                                       \
    PYTREE_FIELD(DATA, adler)                                                                                           \
    PYTREE_FIELD(DROP, reserved)
#include "pytree_registry.h"

#define PYTREE_STRUCT gz_header
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, text) PYTREE_FIELD(DATA, time) PYTREE_FIELD(DATA, xflags) PYTREE_FIELD(DATA, os)                 \
    PYTREE_FIELD(DATA, extra, ARRAY(self->extra_max), OPTIONAL) PYTREE_FIELD(DATA, extra_len)                           \
    PYTREE_FIELD(STATIC, extra_max)                                                                                     \
    PYTREE_FIELD(DATA, name, ARRAY(self->name_max), OPTIONAL) PYTREE_FIELD(STATIC, name_max)                            \
    PYTREE_FIELD(DATA, comment, ARRAY(self->comm_max), OPTIONAL) PYTREE_FIELD(STATIC, comm_max)                         \
    PYTREE_FIELD(DATA, hcrc) PYTREE_FIELD(DATA, done)
#include "pytree_registry.h"

static void a_stream_at_work(void **state)
{
    unsigned char in[] = "to be or not to be, that is the question", out[100];
    z_stream stream = { 0 };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    assert_int_equal(deflateInit(&stream, 9), Z_OK);
    stream.next_in = in;
    stream.avail_in = sizeof in;
    stream.next_out = out;
    stream.avail_out = sizeof out;
    memset(out, 0, sizeof out);
    copy = pytree_clone(PYTREE(&stream), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&stream), copy, NULL, NULL, &error));
    headers_assert_printed(copy, "\n.next_in  u8[41]\n.total_in  u64 0\n.next_out  u8[100]\n.total_out  u64 0\n"
                                 ".data_type  i32 2\n.adler  u64 1\n");
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_false(pytree_equal(PYTREE(&stream), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);                     /* other extents */
    pytree_free(copy);
    memset(&error, 0, sizeof error);
    copy = pytree_clone(PYTREE(&stream), NULL, &error);        /* nothing is left of the input */
    assert_ok(error.status, &error);
    assert_int_equal(((z_stream *)copy.data)->total_in, sizeof in);
    assert_null(((z_stream *)copy.data)->state);
    pytree_free(copy);
    assert_int_equal(deflateEnd(&stream), Z_OK);
}

static void a_header(void **state)
{
    unsigned char name[] = "hamlet.txt";
    gz_header header = { .time = 1601, .os = 3, .name = name, .name_max = sizeof name };
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(&header), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_string_equal((char *)((gz_header *)copy.data)->name, "hamlet.txt");
    headers_assert_printed(copy, "\n.os  i32 3\n.extra_len  u32 0\n.name  u8[11]\n");
    name[0] = 'H';
    assert_false(pytree_equal(PYTREE(&header), copy, NULL, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".name", &error);
    pytree_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_stream_at_work), cmocka_unit_test(a_header) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
