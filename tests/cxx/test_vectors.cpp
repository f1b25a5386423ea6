// STD_VECTOR: members of type std::vector are lists in every operation, and what is built owns them.
#include "../support/stb_memory.h"                             // of the bodies that this is linked with
#include "pytree/assign.h"
#include "pytree/layout.h"
#include "pytree/literal.h"
#include "pytree/npz.h"
#include "pytree/treedef_io.h"
#include "pytree/pytree.hpp"

#include <cstdio>
#include <new>
#include <string>
#include <vector>

static int failures;

#define EXPECT(condition)                                                                                               \
    do {                                                                                                                \
        if (!(condition)) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; }                   \
    } while (0)

// Memory that is counted, and that runs out at the call `fail_at`.
static size_t live, calls, fail_at = SIZE_MAX;
template <class Type> struct Counted {
    typedef Type value_type;
    Counted() = default;
    template <class Other> Counted(const Counted<Other> &) {}
    Type *allocate(size_t n)
    {
        if (calls++ == fail_at) { throw std::bad_alloc(); }
        live++;
        return static_cast<Type *>(::operator new(n * sizeof(Type)));
    }
    void deallocate(Type *p, size_t) { live--; ::operator delete(p); }
    friend bool operator==(const Counted &, const Counted &) { return true; }
    friend bool operator!=(const Counted &, const Counted &) { return false; }
};
template <class Type> using Vector = std::vector<Type, Counted<Type>>;

struct Layer {                             // a vector of it begins with what the initialisers say, a new tree with zeros
    int din = 5, dout = 7, scratch = 9;
    float *w = nullptr;
};
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DROP, scratch)                                    \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#include "pytree_registry.h"

struct Net {
    int id = 0;
    Vector<Layer> layers;
    Vector<double> rates;
    Vector<const char *> names;
};
#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, id) PYTREE_FIELD(DATA, layers, STD_VECTOR) PYTREE_FIELD(DATA, rates, STD_VECTOR)               \
    PYTREE_FIELD(DATA, names, STD_VECTOR)
#include "pytree_registry.h"

struct Node;                               // a tree of any depth
#define PYTREE_DECLARE Node
struct Node { int value = 0; Vector<Node> children; };
#include "pytree_registry.h"
#define PYTREE_DEFINE Node
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(DATA, children, STD_VECTOR)
#include "pytree_registry.h"

struct Deep {                              // vectors in structs in place, in arrays of them, in vectors, behind a pointer
    Net first, pair[2];
    Vector<Net> parts;
    Net *more = nullptr;
    float *sums = nullptr;
};
#define PYTREE_STRUCT Deep
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, pair) PYTREE_FIELD(DATA, parts, STD_VECTOR)                            \
    PYTREE_FIELD(DATA, more, OPTIONAL) PYTREE_FIELD(DATA, sums, ARRAY(self->parts[0].id))
#include "pytree_registry.h"

// The same fields as Net's where C has them, of the same name.
namespace c {
struct Net { int id; ::Layer *layers; double *rates; const char **names; };
#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, id) PYTREE_FIELD(DATA, layers, STB_ARRAY) PYTREE_FIELD(DATA, rates, STB_ARRAY)                 \
    PYTREE_FIELD(DATA, names, STB_ARRAY)
#include "pytree_registry.h"
}

struct Fixture {
    float w[6] = { 1, 2, 3, 4, 5, 6 }, v[6] = { 7, 8, 9, 10, 11, 12 }, sums[2] = { 7, 8 };
    Net net, more;
    Deep deep;
    Fixture()
    {
        Layer layer;
        layer.din = 2;
        layer.dout = 3;
        layer.w = w;
        net.id = 2;
        net.layers.assign(2, layer);
        net.layers[1].w = v;
        net.rates = { 0.5, 0.25 };
        net.names = { "a", "b", "c" };
        more = net;
        more.layers.resize(1);
        deep.first = net;
        deep.pair[1] = net;
        deep.parts.assign(3, net);
        deep.parts[1] = Net();
        deep.more = &more;
        deep.sums = sums;
    }
};

static std::string text_of(pytree t) { return pytrees::structure(t).text(); }

static void expect_lists()
{
    const Fixture f;
    const pytree t = PYTREE(&f.net);
    pytree_error err = {};
    EXPECT(text_of(t) == "PyTreeDef(CustomNode(Net[(2,)], [[CustomNode(Layer[(2, 3)], [*]), CustomNode(Layer[(2, 3)], [*])], "
                         "[*, *], [*, *, *]]))");
    std::string paths;
    for (auto leaf : pytrees::leaves(t)) { paths += leaf.path() + ' '; }
    EXPECT(paths == ".layers[0].w .layers[1].w .rates[0] .rates[1] .names[0] .names[1] .names[2] ");
    char text[400];
    pytree_literal_text(t, text, sizeof text, nullptr, &err);
    EXPECT(err.status == PYTREE_OK);
    EXPECT(std::string(text).find("rates=[0.5, 0.25], names=['a', 'b', 'c']") != std::string::npos);

    c::Net same = { 2, nullptr, nullptr, nullptr };            // the treedef that C has
    for (const Layer &layer : f.net.layers) { arrput(same.layers, layer); }
    for (double rate : f.net.rates) { arrput(same.rates, rate); }
    for (const char *name : f.net.names) { arrput(same.names, name); }
    EXPECT(text_of(PYTREE(&same)) == text_of(t));
    arrfree(same.layers);
    arrfree(same.rates);
    arrfree(same.names);
    const Net none;
    EXPECT(text_of(PYTREE(&none)) == "PyTreeDef(CustomNode(Net[(0,)], [[], [], []]))");
}

static void expect_copies()
{
    Fixture f;
    const size_t before = live;
    {
        const auto copy = pytrees::clone(f.deep);
        Deep &other = copy.as<Deep>();
        EXPECT(pytrees::equal(copy, f.deep) && other.parts[2].layers[1].w != f.v && other.parts[2].layers[1].w[5] == 12.0f);
        EXPECT(other.parts[2].layers[1].scratch == 0 && other.pair[1].names[2] != f.net.names[2]);
        EXPECT(std::string(other.pair[1].names[2]) == "c");
        other.parts[0].rates[1] = 1;
        EXPECT(!pytrees::equal(copy, f.deep) && f.deep.parts[0].rates[1] == 0.25);
        pytrees::copy_into(copy, f.deep);
        EXPECT(pytrees::equal(copy, f.deep) && other.parts[0].rates[1] == 0.25);
        const auto zeros = pytrees::zeros_like(f.deep);
        EXPECT(pytrees::structure(zeros) == pytrees::structure(f.deep) && zeros.as<Deep>().parts[2].rates[0] == 0.0);

        // Vectors of what was built grow like others, also where they were empty or hold vectors; pytree_free finds them.
        other.parts.resize(40);
        other.parts[39] = f.net;
        other.parts[1].rates.assign(100, 1.0);
        other.first.layers.push_back(f.net.layers[0]);
        zeros.as<Deep>().pair[0].layers = f.net.layers;
        EXPECT(pytrees::structure(zeros) != pytrees::structure(f.deep));

        const auto flat = pytrees::flatten(f.deep);
        const auto built = pytrees::unflatten(flat.structure(), flat.leaves());
        EXPECT(pytrees::equal(built, f.deep) && built.as<Deep>().parts[0].layers[0].w == f.w);
        EXPECT(built.as<Deep>().parts[0].rates.data() != f.deep.parts[0].rates.data());
    }
    EXPECT(live == before);
}

// A clone without vectors inside of vectors, whose own is filled with such afterwards.
static void expect_filled_later()
{
    Fixture f;
    const size_t before = live;
    {
        Node root;
        const auto copy = pytrees::clone(root);
        root.children.resize(3);
        root.children[2].children.resize(2);
        root.children[2].children[1].value = 4;
        copy.as<Node>().children = root.children;
        EXPECT(pytrees::equal(copy, root));
        const auto again = pytrees::clone(copy);
        EXPECT(again.as<Node>().children[2].children[1].value == 4);
    }
    EXPECT(live == before);
}

static void expect_in_place()
{
    Fixture f;
    pytree_error err = {};
    const pytree t = PYTREE(&f.net);
    double half = 0.5, one = 1;
    pytree_leaf leaves[7];
    EXPECT(pytree_leaves(t, leaves, 7, nullptr, nullptr, &err) == PYTREE_OK);
    const double *const before = f.net.rates.data();
    leaves[2].data = &one;
    leaves[3].data = &half;
    pytree_def *const def = pytree_structure(t, nullptr, &err);
    EXPECT(pytree_unflatten_into(def, 7, leaves, t, nullptr, &err) == PYTREE_OK);
    EXPECT(f.net.rates.data() == before && f.net.rates[0] == 1.0 && f.net.rates[1] == 0.5);
    f.net.rates.push_back(3);
    EXPECT(pytree_unflatten_into(def, 7, leaves, t, nullptr, &err) != PYTREE_OK);
    EXPECT(std::string(err.path) == ".rates[2]" && std::string(err.message) == "expected list of 2, got a leaf");
    pytree_def_free(def);

    Layer sized;                                               // pytree_allocate leaves vectors to the caller
    Net mine;
    sized.din = 1;
    sized.dout = 2;
    mine.layers = { sized };
    err = {};
    EXPECT(pytree_allocate(PYTREE(&mine), nullptr, &err) == PYTREE_OK);
    Net like;
    EXPECT(pytree_allocate_like(PYTREE(&like), t, nullptr, &err) == PYTREE_STRUCTURE);
    EXPECT(std::string(err.path) == ".names" && like.layers.empty());
}

// A row that reads through a vector: not where it is empty.
static void expect_reads()
{
    Fixture f;
    pytree_error err = {};
    EXPECT(pytree_num_leaves(PYTREE(&f.deep), nullptr, &err) != SIZE_MAX);
    Deep none;
    EXPECT(pytree_num_leaves(PYTREE(&none), nullptr, &err) == SIZE_MAX && err.status == PYTREE_NULL_POINTER);
    EXPECT(std::string(err.path) == ".sums" && std::string(err.message).find("self->parts") != std::string::npos);
}

static void expect_assigned()
{
    Fixture f;
    const size_t before = live;
    pytree_error err = {};
    pytree t = pytree_clone(PYTREE(&f.deep), nullptr, &err);
    EXPECT(pytree_assign_text(t, ".first", "{'rates': [1, 2, 3], 'names': ['x']}", nullptr, &err) == PYTREE_OK);
    const Deep &deep = *static_cast<const Deep *>(t.data);
    EXPECT(deep.first.rates.size() == 3 && deep.first.rates[2] == 3.0 && deep.first.names.size() == 1);
    // Elements that stay move with their own vectors; those that go free them.
    EXPECT(pytree_assign_text(t, ".parts[3]", "{'rates': [4]}", nullptr, &err) == PYTREE_OK);
    EXPECT(deep.parts.size() == 4 && deep.parts[0].rates[1] == 0.25 && deep.parts[3].rates[0] == 4.0);
    EXPECT(pytree_assign_text(t, "", "{'parts': [{}], 'pair': [{}, {'rates': []}]}", nullptr, &err) == PYTREE_OK);
    EXPECT(deep.parts.size() == 1 && deep.parts[0].rates[1] == 0.25 && deep.pair[1].rates.empty());
    EXPECT(pytree_assign_text(t, "", "{'parts': [{}, {'rates': ['no']}]}", nullptr, &err) == PYTREE_TYPE);
    EXPECT(deep.parts.size() == 1 && deep.parts[0].layers.size() == 2);
    pytree_free(t);
    if (err.status != PYTREE_TYPE) { pytree_error_print(stdout, &err); }
    EXPECT(live == before);
}

static void expect_files()
{
    static const char file[] = "vectors.npz";
    struct { pytree values; } only;
    Fixture f;
    pytree_error err = {};
    f.net.names.clear();
    only.values = PYTREE(&f.net);
    const auto copy = pytrees::zeros_like(f.net);
    EXPECT(pytree_save_npz(file, only.values, nullptr, &err) == PYTREE_OK);
    EXPECT(pytree_load_npz(file, copy, nullptr, &err) == PYTREE_OK && pytrees::equal(copy, f.net));
    EXPECT(std::remove(file) == 0);
    unsigned char bytes[400];
    pytree_def *const def = pytree_structure(only.values, nullptr, &err);
    const size_t n = pytree_def_save(def, bytes, sizeof bytes, nullptr, &err);
    const pytree_type *const types[] = { PYTREE_TYPE(Net), PYTREE_TYPE(Layer) };
    pytree_def *const loaded = pytree_def_load(bytes, n, types, 2, nullptr, &err);
    EXPECT(n != SIZE_MAX && loaded != nullptr && pytree_def_equal(def, loaded));
    pytree_def_free(def);
    pytree_def_free(loaded);
    if (err.status != PYTREE_OK) { pytree_error_print(stdout, &err); }
}

// One allocation of a vector after the other fails: an error, and everything that was made is freed.
static void expect_memory_runs_out()
{
    Fixture f;
    size_t n;
    const pytree t = PYTREE(&f.deep);
    pytree_error err = {};
    pytree owned = pytree_clone(t, nullptr, &err);
    const size_t before = live;
    for (n = 0;; n++) {
        err = {};
        calls = 0;
        fail_at = n;
        const pytree copy = pytree_clone(t, nullptr, &err);
        EXPECT((copy.data == nullptr) == (err.status == PYTREE_NO_MEMORY));
        if (copy.data == nullptr) { EXPECT(live == before); continue; }
        pytree_free(copy);
        break;
    }
    EXPECT(n == 16 && live == before);
    for (n = 0;; n++) {
        err = {};
        calls = 0;
        fail_at = n;
        const pytree_status status =
            pytree_assign_text(owned, "", "{'parts': [{}, {'rates': [1, 2]}, {}, {'layers': [{}]}]}", nullptr, &err);
        fail_at = SIZE_MAX;
        if (status != PYTREE_NO_MEMORY) { break; }
        EXPECT(live == before && pytree_equal(owned, t, nullptr, nullptr, nullptr));
    }
    EXPECT(n == 3);
    fail_at = SIZE_MAX;
    pytree_free(owned);
}

int main()
{
    {
        expect_lists();
        expect_copies();
        expect_filled_later();
        expect_in_place();
        expect_reads();
        expect_assigned();
        expect_files();
        expect_memory_runs_out();
    }
    EXPECT(live == 0);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
