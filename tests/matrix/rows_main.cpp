// Trees with every row, made in C, through the operations from C++.
#include "rows_made.h"
#include "pytree/treedef_io.h"

#include <cstdio>
#include <string>
#include <vector>

// What is made of a tree equals it: a clone, a tree rebuilt of its leaves, zeros that it is copied into, its leaves put back.
static int rebuilds(pytree t, const std::vector<pytree_leaf> &leaves, const pytree_def *def, pytree_error *err)
{
    const pytree made[] = { pytree_clone(t, nullptr, err), pytree_zeros_like(t, nullptr, err),
                            pytree_unflatten(def, leaves.size(), leaves.data(), nullptr, err) };
    int failed = 0;
    if (err->status != PYTREE_OK || pytree_copy_into(made[1], t, nullptr, err) != PYTREE_OK) { failed = 1; }
    for (const pytree &copy : made) {
        if (failed == 0 && !pytree_equal(copy, t, nullptr, nullptr, err)) { failed = 2; }
    }
    if (failed == 0 && (pytree_unflatten_into(def, leaves.size(), leaves.data(), made[0], nullptr, err) != PYTREE_OK
                        || !pytree_equal(made[0], t, nullptr, nullptr, err))) { failed = 3; }
    for (const pytree &copy : made) { pytree_free(copy); }
    return failed;
}

// The treedef as bytes, read back with the C file's types.
static int saves(const pytree_def *def, pytree_error *err)
{
    const pytree_type *const *types;
    const size_t n = rows_made_types(&types);
    std::vector<unsigned char> bytes(pytree_def_save(def, nullptr, 0, nullptr, err));
    pytree_def_save(def, bytes.data(), bytes.size(), nullptr, err);
    pytree_def *const back = pytree_def_load(bytes.data(), bytes.size(), types, n, nullptr, err);
    const bool same = back != nullptr && pytree_def_equal(back, def);
    pytree_def_free(back);
    return same ? 0 : 4;
}

// Iteration over two trees, with the text of every path; printing.
static int reads(pytree t, size_t n_leaves, pytree_error *err)
{
    const pytree both[2] = { t, t };
    pytree_iter it;
    size_t n = 0, bytes = 0;
    if (pytree_iter_begin(&it, 2, both, nullptr, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            char path[80];
            n += pytree_iter_path_text(&it, path, sizeof path) < sizeof path && it.leaf[0]->data == it.leaf[1]->data;
            bytes += pytree_leaf_bytes(it.leaf[0]);
        }
    }
    pytree_iter_end(&it);
    std::string text(pytree_text(t, nullptr, 0, nullptr, err), ' ');
    pytree_text(t, text.data(), text.size() + 1, nullptr, err);
    const size_t lines = n_leaves == 0 ? 0 : std::string::npos;
    return n == n_leaves && (bytes != 0) == (n != 0) && (lines == 0) == text.empty() ? 0 : 5;
}

int main()
{
    for (size_t i = 0; i < rows_made_count(); i++) {
        pytree_error err = {};
        const char *name;
        const pytree t = rows_made(i, &name);
        std::vector<pytree_leaf> leaves(pytree_num_leaves(t, nullptr, &err));
        pytree_def *const def = pytree_structure(t, nullptr, &err);
        int failed = pytree_leaves(t, leaves.data(), leaves.size(), nullptr, nullptr, &err);
        if (failed == 0) { failed = reads(t, leaves.size(), &err); }
        if (failed == 0) { failed = rebuilds(t, leaves, def, &err); }
        if (failed == 0) { failed = saves(def, &err); }
        pytree_def_free(def);
        if (failed != 0 || err.status != PYTREE_OK || rows_made_handles() != 0) {
            std::fprintf(stderr, "%s: %d\n", name, failed);
            pytree_error_print(stderr, &err);
            return 1;
        }
    }
    return 0;
}
