// One header in a C file and in a C++ file of one program: the same descriptors, treedefs, hashes; trees made in one language
// are used in the other.
#include "model.h"
#include "pytree/treedef_io.h"

#include <cstdio>
#include <cstring>
#include <vector>

static int failures;

#define EXPECT(condition)                                                                                               \
    do {                                                                                                                \
        if (!(condition)) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); failures++; }                   \
    } while (0)

// The descriptor itself: in C that of a declared type refers to it.
static const pytree_type *defined(const pytree_type *type) { return type->origin != nullptr ? type->origin : type; }

static bool same_text(const char *a, const char *b)
{
    return a == nullptr || b == nullptr ? a == b : std::strcmp(a, b) == 0;
}

template <class Function> static bool both(Function a, Function b) { return (a == nullptr) == (b == nullptr); }

static bool same(const pytree_type *a, const pytree_type *b, int depth);

// `whole` rows have behind the NUL of the name what they were written as.
static bool same_row(const pytree_field &f, const pytree_field &g, int depth, bool whole)
{
    const pytree_row_functions none = {}, *const p = f.functions ? f.functions : &none;
    const pytree_row_functions *const q = g.functions ? g.functions : &none;
    if (std::strcmp(f.name, g.name) != 0 || f.row != g.row || f.place != g.place || f.form != g.form || f.optional != g.optional
        || f.ndim != g.ndim || f.offset != g.offset || f.size != g.size || f.inner != g.inner || f.role != g.role) {
        return false;
    }
    if (whole && f.row == PYTREE_ROW_DATA
        && std::strcmp(f.name + std::strlen(f.name) + 1, g.name + std::strlen(g.name) + 1) != 0) { return false; }
    if (!both(f.functions, g.functions) || !both(p->resize, q->resize) || !both(p->release, q->release)
        || !both(p->read, q->read) || !both(p->write, q->write) || !both(p->select, q->select)
        || !both(p->cases, q->cases) || !both(p->clone, q->clone) || !both(p->as, q->as) || !both(p->with, q->with)) {
        return false;
    }
    for (size_t i = 0; p->cases != nullptr && p->cases[i].name != nullptr; i++) {
        if (q->cases[i].name == nullptr || !same_row(p->cases[i], q->cases[i], depth, false)) { return false; }
        if (p->cases[i + 1].name == nullptr && q->cases[i + 1].name != nullptr) { return false; }
    }
    return same(f.type, g.type, depth + 1);
}

// Field by field; pointers by what they lead to.
static bool same(const pytree_type *a, const pytree_type *b, int depth = 0)
{
    if (a == nullptr || b == nullptr || depth > 3) { return depth > 3 || a == b; }
    a = defined(a);
    b = defined(b);
    if (std::strcmp(a->name, b->name) != 0 || a->size != b->size || a->align != b->align || a->kind != b->kind
        || a->dtype != b->dtype || a->n_fields != b->n_fields || a->n_children != b->n_children
        || a->self_contained != b->self_contained || a->trivial_statics != b->trivial_statics || !same_text(a->space, b->space)
        || !both(a->fields, b->fields) || !both(a->views, b->views) || !both(a->validate, b->validate)
        || !both(a->store_leaves, b->store_leaves) || !both(a->equal, b->equal) || !both(a->print, b->print)
        || !both(a->custom, b->custom) || !both(a->base, b->base) || !both(a->constants, b->constants)) {
        std::printf("descriptors of %s differ\n", a->name);
        return false;
    }
    for (size_t i = 0; a->constants != nullptr && a->constants[i].name != nullptr; i++) {
        const pytree_constant &c = a->constants[i], &d = b->constants[i];
        if (!same_text(c.name, d.name) || c.value != d.value) { return false; }
    }
    for (unsigned i = 0; i < a->n_fields; i++) {
        if (!same_row(a->fields[i], b->fields[i], depth, a->kind != PYTREE_KIND_ROW)) {
            std::printf("rows of %s.%s differ\n", a->name, a->fields[i].name);
            return false;
        }
    }
    return true;
}

// The namespaces that the files of the two descriptors know, in the same order.
static void expect_namespaces(const pytree_type *a, const pytree_type *b)
{
    int n = 0;
    for (a = a->namespaces, b = b->namespaces; a->name != nullptr; a = a->namespaces, b = b->namespaces, n++) {
        EXPECT(b->name != nullptr && same(a, b));
        if (b->name == nullptr) { return; }
    }
    EXPECT(n == 2 && b->name == nullptr);
}

// A tree made in C, as this file's type sees it.
static void expect_tree(size_t i)
{
    const char *name;
    pytree_error err = {};
    const pytree theirs = c_every_tree(i), mine = every_tree(i, &name);
    const pytree seen = { mine.type, theirs.data };
    pytree_def *a = pytree_structure(theirs, nullptr, &err), *b = pytree_structure(mine, nullptr, &err);
    pytree_def *c = pytree_structure(seen, nullptr, &err);
    EXPECT(a != nullptr && pytree_def_equal(a, b) && pytree_def_equal(b, c) && pytree_def_hash(a) == pytree_def_hash(b));
    EXPECT(pytree_equal(theirs, mine, nullptr, nullptr, &err));
    const pytree copy = pytree_clone(seen, nullptr, &err), zeros = pytree_zeros_like(mine, nullptr, &err);
    EXPECT(copy.data != nullptr && pytree_equal(copy, theirs, nullptr, nullptr, &err));
    EXPECT(zeros.data != nullptr && pytree_copy_into(zeros, theirs, nullptr, &err) == PYTREE_OK);
    EXPECT(pytree_equal(zeros, mine, nullptr, nullptr, &err));
    const size_t n = pytree_num_leaves(mine, nullptr, &err);
    std::vector<pytree_leaf> leaves(n + 1);
    EXPECT(pytree_leaves(theirs, leaves.data(), n, nullptr, nullptr, &err) == PYTREE_OK);
    const pytree built = pytree_unflatten(b, n, leaves.data(), nullptr, &err);       // C++'s structure, C's leaves
    EXPECT(built.data != nullptr && pytree_equal(built, theirs, nullptr, nullptr, &err));
    EXPECT(pytree_unflatten_into(a, n, leaves.data(), copy, nullptr, &err) == PYTREE_OK);
    if (err.status != PYTREE_OK) { pytree_error_print(stdout, &err); std::printf("of the tree %s\n", name); }
    for (const pytree &t : { copy, zeros, built }) { pytree_free(t); }
    for (pytree_def *def : { a, b, c }) { pytree_def_free(def); }
}

int main()
{
    for (size_t i = 0; i < (size_t)EVERY_TYPES; i++) {
        EXPECT(same(c_every_types()[i], every_types[i]) && pytree_type_equal(c_every_types()[i], every_types[i]));
    }
    for (size_t i = 0; i < (size_t)MODEL_COUNT; i++) {
        EXPECT(same(c_model_types()[i], model_types[i]) && pytree_type_equal(c_model_types()[i], model_types[i]));
    }
    expect_namespaces(c_model_types()[0], model_types[0]);
    for (size_t i = 0; i < (size_t)EVERY_TREES; i++) { expect_tree(i); }

    pytree_error err = {};
    const pytree theirs = c_linear(), mine = PYTREE(static_cast<Linear *>(theirs.data));
    pytree_options train = {};
    train.space = "train";
    EXPECT(pytree_num_leaves(mine, nullptr, &err) == 2 && pytree_num_leaves(mine, &train, &err) == 1);
    EXPECT(pytree_num_leaves(theirs, &train, &err) == 1);
    pytree_free(mine);                                         // by the descriptor of the other language
    std::printf("%d types, %d trees, %d failures\n", (int)EVERY_TYPES + (int)MODEL_COUNT, (int)EVERY_TREES, failures);
    return failures != 0 || err.status != PYTREE_OK;
}
