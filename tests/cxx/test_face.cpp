// pytree/pytree.hpp: ownership, exceptions, loops with lambdas, ranges. Every function of the face, and what it refuses.
#include "pytree/pytree.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>

namespace net {

struct Linear {
    int din, dout;
    float *w, *b;
};
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))            \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout), OPTIONAL)
#include "pytree_registry.h"

struct Model {
    std::size_t n;
    Linear *layers;
    double scale;
};
#define PYTREE_STRUCT Model
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layers, LIST(self->n)) PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

} // namespace net

static int failures;

#define EXPECT(condition)                                                                                               \
    do {                                                                                                                \
        if (!(condition)) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; }                   \
    } while (0)

// The error that a call throws; status PYTREE_OK: none.
template <class F> static pytrees::error thrown(F &&fn)
{
    try {
        fn();
    } catch (const pytrees::error &e) {
        return e;
    }
    const pytree_error none = {};
    return pytrees::error(none);
}

// Two layers whose numbers count up. The struct is the caller's, on the stack.
struct Fixture {
    float w0[6] = { 1, 2, 3, 4, 5, 6 }, b0[3] = { 7, 8, 9 }, w1[3] = { 10, 11, 12 };
    net::Linear layers[2] = { { 2, 3, w0, b0 }, { 3, 1, w1, nullptr } };
    net::Model model = { 2, layers, 0.5 };
};

static void trees_are_owned_and_moved()
{
    Fixture f;
    pytrees::tree copy = pytrees::clone(f.model);
    EXPECT(copy);
    EXPECT(copy.as<net::Model>().layers[0].w[5] == 6 && copy.as<net::Model>().layers[0].w != f.w0);
    pytrees::tree moved = std::move(copy);
    EXPECT(!copy && moved.as<net::Model>().layers[1].w[0] == 10);
    copy = pytrees::zeros_like(moved);                         // assignment frees nothing twice
    moved = std::move(copy);
    EXPECT(moved.as<net::Model>().layers[1].w[0] == 0);
    pytree raw = moved.release();
    EXPECT(!moved && raw.data != nullptr);
    pytree_free(raw);
    static_assert(!std::is_copy_constructible<pytrees::tree>::value, "a tree is not copied by accident");
    static_assert(std::is_nothrow_move_constructible<pytrees::tree>::value, "a tree lies in vectors");
    std::vector<pytrees::tree> many;
    for (int i = 0; i < 5; i++) { many.push_back(pytrees::clone(f.model)); }
    EXPECT(pytrees::equal(many[4], f.model));
    const pytrees::error e = thrown([&] { many[0].as<net::Linear>(); });
    EXPECT(e.status() == PYTREE_TYPE && e.message() == "expected Linear, got Model");
    EXPECT(thrown([] { pytrees::tree().as<net::Model>(); }).status() == PYTREE_TYPE);
}

static void loops_over_several_trees()
{
    Fixture f;
    pytrees::tree grads = pytrees::zeros_like(f.model);
    pytrees::for_each([](auto g) {
        if (g.template holds<float>()) { for (float &x : g.template as<float>()) { x = 2; } }
    }, grads);
    pytrees::for_each([](auto w, auto g) {
        if (!w.template holds<float>()) { return; }
        auto to = w.template as<float>();
        auto from = g.template as<float>();
        for (std::size_t i = 0; i < to.size(); i++) { to[i] -= 0.5f * from[i]; }
    }, f.model, grads);
    EXPECT(f.w0[0] == 0 && f.w1[2] == 11);
    const pytrees::tree sums = pytrees::map([](auto out, auto a, auto b) {
        if (out.template holds<double>()) { out.template as<double>()[0] = a.template as<double>()[0]; return; }
        for (std::size_t i = 0; i < out.size(); i++) {
            out.template as<float>()[i] = a.template as<float>()[i] + b.template as<float>()[i];
        }
    }, f.model, grads);
    EXPECT(sums.as<net::Model>().layers[0].w[1] == 3 && sums.as<net::Model>().scale == 0.5);
    pytrees::copy_into(grads, sums);
    EXPECT(pytrees::equal(grads, sums));
    int calls = 0;
    const pytrees::error e = thrown([&] { pytrees::for_each([&](auto, auto) { calls++; }, f.model, f.layers[0]); });
    EXPECT(e.status() == PYTREE_STRUCTURE && calls == 0);      // all trees are checked before the first call
    struct stop {};
    try {
        pytrees::for_each([&](auto) { if (++calls == 2) { throw stop(); } }, f.model);
        EXPECT(false);
    } catch (stop) {
        EXPECT(calls == 2);                                    // an exception of the user's passes through, and nothing leaks
    }
    try {
        pytrees::map([](auto, auto) { throw stop(); }, f.model);
        EXPECT(false);
    } catch (stop) {
    }
}

static void leaves_have_types_and_paths()
{
    Fixture f;
    std::string paths;
    std::size_t n = 0, i = 0;
    for (const pytrees::leaf leaf : pytrees::leaves(f.model)) {
        paths += leaf.path() + ":" + leaf.dtype() + " ";
        n += leaf.size();
        EXPECT(leaf.index() == i++ && leaf.is_leaf() && !leaf.on_device());
    }
    EXPECT(paths == ".layers[0].w:f32 .layers[0].b:f32 .layers[1].w:f32 .scale:f64 ");
    EXPECT(n == 6 + 3 + 3 + 1);
    pytrees::leaves all(f.model);
    const pytrees::leaf first = *all.begin();
    EXPECT(first.shape().size() == 2 && first.shape()[0] == 2 && first.shape()[1] == 3 && first.bytes() == 24);
    const auto numbers = first.as<float>();
    EXPECT(std::accumulate(numbers.begin(), numbers.end(), 0.0f) == 21 && !numbers.empty() && numbers.data() == f.w0);
    EXPECT(first.address<float>() == f.w0 && first.view().type == PYTREE_TYPE(float));
    const pytrees::error e = thrown([&] { first.as<double>(); });
    EXPECT(e.status() == PYTREE_TYPE && e.path() == ".layers[0].w" && e.message() == "expected a leaf of f64, got f32");
    EXPECT(std::string(e.what()) == ".layers[0].w: expected a leaf of f64, got f32 (types differ)");
    EXPECT(thrown([&] { first.address<int>(); }).status() == PYTREE_TYPE);
    for (const pytrees::leaf leaf : pytrees::leaves(f.model)) {                    // a loop that is left early
        if (leaf.path() == ".layers[0].b") { break; }
    }
    f.layers[0].w = nullptr;
    EXPECT(thrown([&] { for (auto leaf : pytrees::leaves(f.model)) { (void)leaf; } }).path() == ".layers[0].w");
}

static void structures_and_flats()
{
    Fixture f;
    const pytrees::def structure = pytrees::structure(f.model), shared = structure;
    EXPECT(structure.leaves() == 4 && structure.nodes() == 9 && structure == shared && structure.hash() == shared.hash());
    EXPECT(structure.text().find("PyTreeDef(CustomNode(Model[(2,)]") == 0);
    EXPECT(structure != pytrees::structure(f.layers[0]));
    pytrees::flat flat = pytrees::flatten(f.model);
    EXPECT(flat.structure() == structure && flat.leaves().size() == 4 && flat.leaves()[1].data == f.b0);
    float other[3] = { -1, -2, -3 };
    flat.leaves()[1].data = other;
    const pytrees::tree rebuilt = pytrees::unflatten(flat);
    EXPECT(rebuilt.as<net::Model>().layers[0].b == other && rebuilt.as<net::Model>().layers[0].w == f.w0);
    pytrees::flat moved = std::move(flat);                     // a flat is a tree, wherever it is
    std::size_t n = 0;
    pytrees::for_each([&](auto leaf) { n += leaf.size(); }, moved);
    EXPECT(n == 13 && pytrees::equal(moved, rebuilt) && !pytrees::equal(moved, f.model));
    moved.leaves().pop_back();
    EXPECT(thrown([&] { pytrees::unflatten(moved); }).status() == PYTREE_TOO_FEW_LEAVES);
    EXPECT(pytrees::text(f.model).find(".layers[1].w  f32[3,1]\n") != std::string::npos);
    f.layers[0].din = -1;
    EXPECT(thrown([&] { pytrees::flatten(f.model); }).status() == PYTREE_BAD_COUNT);
    EXPECT(thrown([&] { pytrees::equal(f.model, f.model); }).status() == PYTREE_BAD_COUNT);
    EXPECT(thrown([&] { pytrees::text(f.model); }).path() == ".layers[0].w");
}

// Memory that runs out is an exception like others, whichever allocation it is, and nothing is lost.
struct Limited {
    std::size_t calls, fail_at, live;
};
static void *limited(void *context, void *p, std::size_t, std::size_t n)
{
    Limited *const l = static_cast<Limited *>(context);
    if (n == 0) { l->live -= p != nullptr; std::free(p); return nullptr; }
    if (l->calls++ == l->fail_at) { return nullptr; }
    l->live += p == nullptr;
    return std::realloc(p, n);
}

static void memory_that_runs_out()
{
    Fixture f;
    for (std::size_t i = 0;; i++) {
        Limited state = { 0, i, 0 };
        const pytree_allocator allocator = { limited, &state };
        pytree_options opt = {};
        opt.allocator = &allocator;
        const pytrees::error e = thrown([&] {
            const pytrees::flat flat = pytrees::flatten(f.model, &opt);
            const pytrees::tree copy = pytrees::clone(flat, &opt), zeros = pytrees::zeros_like(copy, &opt);
            const pytrees::tree rebuilt = pytrees::unflatten(pytrees::structure(copy, &opt), flat.leaves(), &opt);
        });
        EXPECT(state.live == 0);
        if (e.status() == PYTREE_OK) { EXPECT(i >= 4); break; }
        EXPECT(e.status() == PYTREE_NO_MEMORY);
    }
}

int main()
{
    trees_are_owned_and_moved();
    loops_over_several_trees();
    leaves_have_types_and_paths();
    structures_and_flats();
    memory_that_runs_out();
    if (failures == 0) { std::puts("ok"); }
    return failures != 0;
}
