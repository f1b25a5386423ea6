// CUDA's half-precision types in structs: with CUDA's headers where they are (REAL_HALF), otherwise with types of their shape.
#if defined(REAL_HALF) && !defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#elif !defined(REAL_HALF)
#define __CUDA_FP16_H__                   /* as CUDA's headers do */
#define __CUDA_BF16_H__
struct alignas(2) __half {
    __half() = default;
    __half(float x) : bits(x == 0.0f ? 0 : x == 1.5f ? 0x3E00 : 0xFC00) {}
    operator float() const { return bits == 0x3E00 ? 1.5f : 0.0f; }
protected:
    unsigned short bits;
};
struct alignas(2) __nv_bfloat16 {
    __nv_bfloat16() = default;
    __nv_bfloat16(float x) : bits(x == 0.0f ? 0 : x == 1.5f ? 0x3FC0 : 0xFF80) {}
    operator float() const { return bits == 0x3FC0 ? 1.5f : 0.0f; }
protected:
    unsigned short bits;
};
#endif
#include "pytree/pytree.hpp"
#if defined(__CUDACC__)                   /* behind pytree.h: any order does there */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include <cstdio>
#include <string>
#include <vector>

static int failures;

#define EXPECT(condition)                                                                                               \
    do {                                                                                                                \
        if (!(condition)) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; }                   \
    } while (0)

struct Block {
    int n;
    __half *w, scale, table[2][3];
    __nv_bfloat16 *v, shift;
    std::vector<__half> list;
};
#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n, 2)) PYTREE_FIELD(DATA, scale) PYTREE_FIELD(DATA, table) \
    PYTREE_FIELD(DATA, v, ARRAY(self->n)) PYTREE_FIELD(DATA, shift) PYTREE_FIELD(DATA, list, STD_VECTOR)
#include "pytree_registry.h"

int main()
{
    __half w[4];
    __nv_bfloat16 v[2];
    for (__half &x : w) { x = __half(1.5f); }
    for (__nv_bfloat16 &x : v) { x = __nv_bfloat16(1.5f); }
    Block block = {};
    block.n = 2;
    block.w = w;
    block.v = v;
    block.scale = w[0];
    block.list.assign(1, w[0]);
    const auto copy = pytrees::clone(block);
    EXPECT(pytrees::equal(copy, block));
    EXPECT(float(copy.as<Block>().w[3]) == 1.5f && float(copy.as<Block>().v[1]) == 1.5f);
    EXPECT(pytrees::text(block) == ".w  f16[2,2]\n.scale  f16 1.5\n.table  f16[2,3]\n.v  bf16[2]\n.shift  bf16 0.0\n"
                                   ".list[0]  f16 1.5\n");
    double sum = 0;
    pytrees::for_each([&sum] (auto leaf) {
        for (size_t i = 0; i < leaf.size(); i++) { sum += pytree_leaf_get(&leaf.view(), i); }
    }, block);
    EXPECT(sum == 8 * 1.5);
    pytrees::for_each([] (auto leaf) {                         // as CUDA's types, or as those of the library
        if (leaf.path() == ".w") { EXPECT(float(leaf.template as<__half>()[0]) == 1.5f); }
        if (leaf.path() == ".w") { EXPECT(leaf.template as<pytree_f16>()[0].bits == 0x3E00); }
        if (leaf.path() == ".v") { EXPECT(leaf.template as<pytree_bf16>()[0].bits == 0x3FC0); }
    }, block);
    static_assert(PYTREE_TYPE(__half) == PYTREE_TYPE(pytree_f16) && PYTREE_TYPE(__nv_bfloat16) == PYTREE_TYPE(pytree_bf16), "");
    std::printf("%d failures\n", failures);
    return failures != 0;
}
