/* rngs.h: random numbers as jax.random gives them, and the streams of nnx.Rngs. The generator is Threefry-2x32 (Salmon et al.,
 * "Parallel random numbers: as easy as 1, 2, 3", 2011), as JAX uses it since 0.5 (jax_threefry_partitionable).
 *
 *     const RandomKey key = random_fold_in(random_key(0), 3);
 *     random_normal(key, w, 6);                                // jax.random.normal(key, (2, 3))
 *
 *     pytree rngs = new_rngs(0, 2, (const Seed[2]){ { "dropout", 4 }, { "params", 8 } }, &err);
 *     rngs_next(rngs, "dropout", &key, &err);                  // counts the stream up
 *
 * All have the bits that JAX computes on a processor with fused multiplications. Normal numbers go through log1pf and erff of
 * the C library, so that another one than glibc may give another last bit. */
#ifndef NNX_RNGS_H
#define NNX_RNGS_H

#include "pytree/object.h"

#include <math.h>
#include <string.h>

/* ---- Keys: jax.random.key, fold_in, split ------------------------------------------------------------------------------ */

typedef struct RandomKey { uint32_t word[2]; } RandomKey;

static inline uint32_t rotated(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

/* Encrypt two words: 20 rounds, with the key added behind every fourth. */
static inline RandomKey threefry(RandomKey key, uint32_t a, uint32_t b)
{
    static const unsigned rotations[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    const uint32_t schedule[3] = { key.word[0], key.word[1], key.word[0] ^ key.word[1] ^ UINT32_C(0x1BD11BDA) };
    a += schedule[0];
    b += schedule[1];
    for (uint32_t i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            a += b;
            b = rotated(b, rotations[i % 2][k]) ^ a;
        }
        a += schedule[(i + 1) % 3];
        b += schedule[(i + 2) % 3] + i + 1;
    }
    return (RandomKey){ { a, b } };
}

static inline RandomKey random_key(uint32_t seed) { return (RandomKey){ { 0, seed } }; }
static inline RandomKey random_fold_in(RandomKey key, uint32_t data) { return threefry(key, 0, data); }

/* Number i of a sequence: its counter has 64 bits. */
static inline RandomKey random_block(RandomKey key, uint64_t i) { return threefry(key, (uint32_t)(i >> 32), (uint32_t)i); }

static inline void random_split(RandomKey key, RandomKey *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) { keys[i] = random_block(key, i); }
}

/* ---- Numbers: jax.random.bits, uniform, normal, truncated_normal -------------------------------------------------------- */

static inline uint32_t random_word(RandomKey key, uint64_t i)
{
    const RandomKey block = random_block(key, i);
    return block.word[0] ^ block.word[1];
}

static inline void random_bits(RandomKey key, uint32_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++) { to[i] = random_word(key, i); }
}

/* In [low, high): 23 bits behind the point. */
static inline float random_between(RandomKey key, uint64_t i, float low, float high)
{
    const uint32_t bits = random_word(key, i) >> 9 | UINT32_C(0x3F800000);
    float number;
    memcpy(&number, &bits, sizeof number);
    return fmaxf(low, fmaf(number - 1, high - low, low));
}

static inline void random_uniform(RandomKey key, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) { to[i] = random_between(key, i, 0, 1); }
}

/* The logarithm as XLA computes it on processors: Cephes' logf, with fused multiplications. */
static inline float random_log(float x)
{
    static const float p[9] = { 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                                -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f };
    int exponent;
    float m = frexpf(x, &exponent), cube, sum;
    if (m < 0.70710678f) {
        exponent--;
        m += m;
    }
    m -= 1;
    cube = m * m * m;
    sum = fmaf(fmaf(p[0], m, p[1]), m, p[2]);
    sum = fmaf(sum, cube, fmaf(fmaf(p[3], m, p[4]), m, p[5]));
    sum = fmaf(sum, cube, fmaf(fmaf(p[6], m, p[7]), m, p[8])) * cube;
    sum += -2.12194440e-4f * (float)exponent;
    m -= 0.5f * (m * m);
    return m + sum + 0.693359375f * (float)exponent;
}

/* The inverse of erf, by the polynomials that XLA uses (M. Giles, "Approximating the erfinv function", 2010). */
static inline float erf_inverse(float x)
{
    static const float near_zero[9] = { 2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                                        -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f };
    static const float near_one[9] = { -0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                                       -0.0076224613f, 0.00943887047f, 1.00167406f, 2.83297682f };
    const float square = x * x, w = square < 0.41421356f ? -log1pf(-square) : -random_log(1 - square);
    const float *const c = w < 5 ? near_zero : near_one, v = w < 5 ? w - 2.5f : sqrtf(w) - 3;
    float sum = c[0];
    for (int i = 1; i < 9; i++) { sum = fmaf(sum, v, c[i]); }
    return sum * x;
}

static inline void random_normal(RandomKey key, float *to, size_t n)
{
    const float low = nextafterf(-1, 0);
    for (size_t i = 0; i < n; i++) { to[i] = 1.41421356f * erf_inverse(random_between(key, i, low, 1)); }
}

/* Normal numbers within (low, high). */
static inline void random_truncated_normal(RandomKey key, float low, float high, float *to, size_t n)
{
    const float root = 1.41421356f, from = erff(low / root), until = erff(high / root);
    for (size_t i = 0; i < n; i++) {
        const float number = root * erf_inverse(random_between(key, i, from, until));
        to[i] = fminf(fmaxf(number, nextafterf(low, INFINITY)), nextafterf(high, -INFINITY));
    }
}

/* The kernel of an nnx.Linear: jax.nn.initializers.lecun_normal. */
static inline void random_lecun_normal(RandomKey key, float *to, size_t din, size_t dout)
{
    const float scale = sqrtf(1 / (float)din) / 0.87962566103423978f;          /* of what is cut off at two deviations */
    random_truncated_normal(key, -2, 2, to, din * dout);
    for (size_t i = 0; i < din * dout; i++) { to[i] *= scale; }
}

/* ---- Streams: nnx.Rngs --------------------------------------------------------------------------------------------------- */

PYTREE_CLASS(Rngs, Module);
PYTREE_CLASS(RngStream, Module);

/* The seed of a stream. */
typedef struct Seed { const char *name; uint32_t seed; } Seed;

/* Make a stream: its tag, its key, how often it was called; with n != 0 n streams, along a first axis. */
static inline pytree new_stream(const char *tag, const RandomKey *key, size_t n, pytree_error *err)
{
    static const uint32_t zeros[64];
    pytree stream = pytree_new_object(&pytree_class_RngStream, NULL, err);
    const pytree_leaf keys = { .data = (void *)(uintptr_t)key, .type = PYTREE_TYPE(uint32_t), .ndim = n == 0 ? 1 : 2,
                               .shape = { n == 0 ? 2 : n, 2 } };
    const pytree_leaf counts = { .data = (void *)(uintptr_t)zeros, .type = PYTREE_TYPE(uint32_t), .ndim = n != 0,
                                 .shape = { n } };
    pytree key_variable, count;
    if (n > sizeof zeros / sizeof *zeros) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at most 64 streams, got %zu", n);
        return stream;
    }
    key_variable = pytree_new_variable(&pytree_role_RngKey, pytree_of_view(&keys), NULL, err);
    count = pytree_new_variable(&pytree_role_RngCount, pytree_of_view(&counts), NULL, err);
    pytree_variable_put_metadata(key_variable, "tag", PYTREE_STR(tag), err);
    pytree_variable_put_metadata(count, "tag", PYTREE_STR(tag), err);
    pytree_object_put_copy(stream, "tag", PYTREE_STR(tag), err);
    pytree_object_put_own(stream, "key", key_variable, err);
    pytree_object_put_own(stream, "count", count, err);
    return stream;
}

/* Make streams by name and the stream "default". Returns them, to be freed with pytree_container_free. */
static inline pytree new_rngs(uint32_t seed, size_t n, const Seed *named, pytree_error *err)
{
    pytree rngs = pytree_new_object(&pytree_class_Rngs, NULL, err);
    RandomKey key;
    for (size_t i = 0; i < n; i++) {
        key = random_key(named[i].seed);
        pytree_object_put_own(rngs, named[i].name, new_stream(named[i].name, &key, 0, err), err);
    }
    key = random_key(seed);
    pytree_object_put_own(rngs, "default", new_stream("default", &key, 0, err), err);
    return rngs;
}

/* The stream of a name; without one the stream "default". */
static inline pytree rngs_stream(pytree rngs, const char *name, pytree_error *err)
{
    pytree stream = pytree_object_get(rngs, name, NULL);
    return stream.type != NULL ? stream : pytree_object_get(rngs, "default", err);
}

static inline uint32_t *stream_words(pytree stream, const char *name, pytree_error *err)
{
    const pytree value = pytree_variable_value(pytree_object_get(stream, name, err));
    return value.type == NULL ? NULL : ((const pytree_leaf *)value.data)->data;
}

/* Take the next key of a stream. */
static inline pytree_status stream_next(pytree stream, RandomKey *key, pytree_error *err)
{
    const uint32_t *words = stream_words(stream, "key", err);
    uint32_t *count = stream_words(stream, "count", err);
    if (words == NULL || count == NULL) { return PYTREE_NOT_FOUND; }
    *key = random_fold_in((RandomKey){ { words[0], words[1] } }, (*count)++);
    return PYTREE_OK;
}

static inline pytree_status rngs_next(pytree rngs, const char *name, RandomKey *key, pytree_error *err)
{
    return stream_next(rngs_stream(rngs, name, err), key, err);
}

/* Make streams that begin with the next key of each: Rngs.fork; with n != 0 with n keys each: Rngs.split. */
static inline pytree rngs_fork(pytree rngs, size_t n, pytree_error *err)
{
    pytree forked = pytree_new_object(&pytree_class_Rngs, NULL, err);
    pytree_attribute at;
    for (size_t i = 0; pytree_object_attribute(rngs, i, &at, NULL) == PYTREE_OK && n <= 64; i++) {
        RandomKey keys[64];
        if (stream_next(at.value, &keys[0], err) != PYTREE_OK) { break; }
        random_split(keys[0], n == 0 ? NULL : keys, n);
        pytree_object_put_own(forked, at.name, new_stream(at.name, keys, n, err), err);
    }
    return forked;
}

/* Begin a stream anew: nnx.reseed. */
static inline pytree_status stream_reseed(pytree stream, uint32_t seed, pytree_error *err)
{
    uint32_t *words = stream_words(stream, "key", err), *count = stream_words(stream, "count", err);
    if (words == NULL || count == NULL) { return PYTREE_NOT_FOUND; }
    words[0] = 0;
    words[1] = seed;
    *count = 0;
    return PYTREE_OK;
}
#endif
