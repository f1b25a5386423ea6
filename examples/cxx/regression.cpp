// Fits y = sin(x) with one hidden layer, in C++: structs registered where they are declared, gradients and moments as trees.
//
//     g++ -std=c++17 -O2 -I. examples/cxx/regression.cpp -x c examples/pytree.c -lm -lz && ./a.out
#include "pytree/pytree.hpp"

#include <cmath>
#include <cstdio>

struct Layer {
    int din, dout;
    float *w, *b;
};
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout)                                                                \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout)) PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

struct Network {
    Layer hidden, output;
};
#define PYTREE_STRUCT Network
#define PYTREE_FIELDS PYTREE_FIELD(DATA, hidden) PYTREE_FIELD(DATA, output)
#include "pytree_registry.h"

enum { WIDTH = 32, SAMPLES = 64, STEPS = 4000 };

// Adds the gradient of (network(x) - y)² / SAMPLES to `g`. Returns that error.
static double backward(const Network &net, Network &g, float x, float y)
{
    float h[WIDTH], out = net.output.b[0];
    for (int i = 0; i < WIDTH; i++) {
        h[i] = std::tanh(x * net.hidden.w[i] + net.hidden.b[i]);
        out += h[i] * net.output.w[i];
    }
    const float d = 2 * (out - y) / SAMPLES;
    g.output.b[0] += d;
    for (int i = 0; i < WIDTH; i++) {
        const float dh = d * net.output.w[i] * (1 - h[i] * h[i]);
        g.output.w[i] += d * h[i];
        g.hidden.w[i] += dh * x;
        g.hidden.b[i] += dh;
    }
    return (out - y) * (out - y) / SAMPLES;
}

int main()
{
    try {
        Network sizes = {};                                    // the sizes are static values; arrays come with the clone
        sizes.hidden = { 1, WIDTH, nullptr, nullptr };
        sizes.output = { WIDTH, 1, nullptr, nullptr };
        pytree_error err = {};
        pytree_allocate(PYTREE(&sizes), nullptr, &err);
        pytrees::check(err);
        const pytrees::tree params = pytrees::clone(sizes);    // freed at the end of this block, as those below
        pytree_free(PYTREE(&sizes));
        const pytrees::tree grads = pytrees::zeros_like(params), m = pytrees::zeros_like(params);
        const pytrees::tree v = pytrees::zeros_like(params);

        Network &net = params.as<Network>(), &g = grads.as<Network>();
        unsigned seed = 1;
        for (pytrees::leaf leaf : pytrees::leaves(params)) {
            for (float &w : leaf.as<float>()) {
                seed = seed * 1664525u + 1013904223u;
                w = static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
            }
            std::printf("%-10s %zu\n", leaf.path().c_str(), leaf.size());
        }
        double loss = 0;
        for (int step = 1; step <= STEPS; step++) {
            pytrees::copy_into(grads, pytrees::zeros_like(params));
            loss = 0;
            for (int k = 0; k < SAMPLES; k++) {
                const float x = 6.2831853f * static_cast<float>(k) / SAMPLES - 3.1415927f;
                loss += backward(net, g, x, std::sin(x));
            }
            const float unbias1 = 1 - std::pow(0.9f, static_cast<float>(step));
            const float unbias2 = 1 - std::pow(0.999f, static_cast<float>(step));
            pytrees::for_each([&](auto p, auto d, auto first, auto second) {
                auto w = p.template as<float>(), dw = d.template as<float>(), m1 = first.template as<float>(),
                     m2 = second.template as<float>();
                for (std::size_t i = 0; i < w.size(); i++) {
                    m1[i] = 0.9f * m1[i] + 0.1f * dw[i];
                    m2[i] = 0.999f * m2[i] + 0.001f * dw[i] * dw[i];
                    w[i] -= 0.01f * (m1[i] / unbias1) / (std::sqrt(m2[i] / unbias2) + 1e-8f);
                }
            }, params, grads, m, v);
        }
        std::printf("mean squared error below 0.001: %s\n", loss < 1e-3 ? "yes" : "no");
        return loss < 1e-3 ? 0 : 1;
    } catch (const pytrees::error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
