// What C++ structs have and those of C have not, in rows; literals.
#include "model.h"

#include <array>
#include <complex>
#include <cstdio>

static int failures;

#define EXPECT(condition)                                                                                               \
    do {                                                                                                                \
        if (!(condition)) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; }                   \
    } while (0)

enum class Mode : unsigned char { train, eval };

namespace net {
struct Conv {                              // default initialisers, constructors, member functions
    int in = 3, out = 8;
    float *w = nullptr;
    Mode mode = Mode::eval;
    Conv() = default;
    Conv(int i, int o) : in(i), out(o) {}
    int size() const { return in * out; }
};
#define PYTREE_STRUCT Conv
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, in) PYTREE_FIELD(STATIC, out) PYTREE_FIELD(DATA, w, ARRAY(self->size(), 9))                    \
    PYTREE_FIELD(STATIC, mode)
#include "pytree_registry.h"

template <class Number> struct Pair { Number a, b; };
using Floats = Pair<float>;
#define PYTREE_STRUCT Floats
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"
}

namespace other {
struct Conv { double k; };                 // the same name elsewhere
#define PYTREE_STRUCT Conv
#define PYTREE_FIELDS PYTREE_FIELD(DATA, k)
#include "pytree_registry.h"
}

struct Base { int version; };
struct Derived : Base {                    // no member of its own: still standard layout
    static constexpr int classes = 10;
};
#define PYTREE_STRUCT Derived
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, version)
#include "pytree_registry.h"

enum class Tag { number, pair };
struct Either {
    Tag tag;
    union { double number; net::Floats pair; } as;
};
#define PYTREE_STRUCT Either
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, tag) PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(Tag::number, number), CASE(Tag::pair, pair)))
#include "pytree_registry.h"

struct Net {
    net::Conv stem, blocks[2];
    const net::Conv *shared = nullptr;
    other::Conv conv = {};
    Derived derived = {};
    std::array<float, 3> bias = {};
    std::array<std::array<int, 4>, 2> table = {};
    std::array<net::Floats, 2> pairs = {};
    std::complex<float> z = 0;
    std::complex<double> *spectrum = nullptr;
    wchar_t wide = L'a';
    Mode modes[2] = {};
    std::array<int, 2> stride = { { 2, 1 } };
    std::array<std::array<std::array<float, 2>, 3>, 4> big = {};
    Either either = {};
    Net *next = nullptr;
};
#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, stem) PYTREE_FIELD(DATA, blocks) PYTREE_FIELD(DATA, shared, OPTIONAL) PYTREE_FIELD(DATA, conv)   \
    PYTREE_FIELD(STATIC, derived) PYTREE_FIELD(DATA, bias) PYTREE_FIELD(DATA, table) PYTREE_FIELD(DATA, pairs)          \
    PYTREE_FIELD(DATA, z) PYTREE_FIELD(DATA, spectrum, ARRAY(self->stride[0] * self->stride[1]))                        \
    PYTREE_FIELD(DATA, wide) PYTREE_FIELD(STATIC, modes) PYTREE_FIELD(STATIC, stride) PYTREE_FIELD(DATA, big, RANK(3))   \
    PYTREE_FIELD(DATA, either) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

static_assert(PYTREE_TYPE(net::Conv) != PYTREE_TYPE(other::Conv), "constant expressions");

template <class Type> static size_t leaves_of(Type &x) { return pytree_num_leaves(PYTREE(&x), nullptr, nullptr); }

static void expect_net(pytree_error *err)
{
    Net model;
    model.stem = net::Conv(2, 4);
    model.either.tag = Tag::pair;
    const pytree t = PYTREE(&model);
    EXPECT(pytree_allocate(t, nullptr, err) == PYTREE_OK);
    model.stem.w[71] = 7;
    model.bias[1] = 2.5f;
    const pytree copy = pytree_clone(t, nullptr, err);
    Net *const other = static_cast<Net *>(copy.data);
    EXPECT(other != nullptr && pytree_equal(copy, t, nullptr, nullptr, err));
    if (other != nullptr) {
        EXPECT(other->stem.w != model.stem.w && other->stem.w[71] == 7.0f && other->stem.mode == Mode::eval);
        other->either.as.pair.b = 1;
        EXPECT(!pytree_equal(copy, t, nullptr, nullptr, nullptr));
    }
    const Net &constant = model;
    // 3 convolutions, conv, bias, table, 4 of pairs, z, spectrum, wide, big, 2 of the union
    EXPECT(leaves_of(model) == 16 && pytree_num_leaves(PYTREE(&constant), nullptr, err) == 16);
    pytree_leaf leaves[16];
    EXPECT(pytree_leaves(t, leaves, 16, nullptr, nullptr, err) == PYTREE_OK);
    EXPECT(leaves[0].ndim == 2 && leaves[0].shape[0] == 8 && leaves[4].ndim == 1 && leaves[4].shape[0] == 3);
    EXPECT(leaves[5].ndim == 2 && leaves[5].shape[1] == 4 && leaves[10].type->dtype == PYTREE_C64);
    EXPECT(leaves[11].type->dtype == PYTREE_C128 && leaves[11].shape[0] == 2 && leaves[12].type->dtype == PYTREE_I32);
    EXPECT(leaves[13].ndim == 3 && leaves[13].shape[0] == 4 && leaves[13].shape[2] == 2);
    pytree_free(copy);
    pytree_free(t);
}

static void expect_literals(pytree_error *err)
{
    float six[6] = {};
    int rows = 2;
    pytree kept[2];
    for (int i = 0; i < 2; i++) { kept[i] = PYTREE_LIST(PYTREE_INT(i), PYTREE_TUPLE(PYTREE_FLOAT(0.5), PYTREE_STR("s"))); }
    const pytree all = PYTREE_DICT({ "b", PYTREE_LIST(kept[0], kept[1]) }, { "a", PYTREE_ARRAY(six, rows, 3) },
                                   { "c", PYTREE_NAMEDTUPLE("Point", { "x", PYTREE_BOOL(true) }) }, { "d", PYTREE_LIST() },
                                   { "e", PYTREE_IDICT({ 3, PYTREE_SCALAR(six) }) }, { "f", PYTREE_DEQUE(4, PYTREE_NONE) },
                                   { "g", PYTREE_DEFAULTDICT("int", { "k", PYTREE_INT(1) }) }, { "h", PYTREE_ODICT() });
    char text[400];
    pytree_def *const def = pytree_structure(all, nullptr, err);
    pytree_def_text(def, text, sizeof text);
    EXPECT(strcmp(text, "PyTreeDef({'a': *, 'b': [[*, (*, *)], [*, (*, *)]], 'c': CustomNode(namedtuple[Point], [*]), 'd': [], "
                        "'e': {3: *}, 'f': deque([None], maxlen=4), "
                        "'g': CustomNode(defaultdict[(<class 'int'>, ('k',))], [*]), "
                        "'h': CustomNode(OrderedDict[()], [])})") == 0);
    EXPECT(*static_cast<const int64_t *>(static_cast<const pytree_items *>(kept[1].data)->items[0].data) == 1);
    pytree_def_free(def);
}

int main()
{
    pytree_error err = {};
    expect_net(&err);
    expect_literals(&err);
    if (err.status != PYTREE_OK) { pytree_error_print(stdout, &err); }
    std::printf("%d failures\n", failures);
    return failures != 0 || err.status != PYTREE_OK;
}
