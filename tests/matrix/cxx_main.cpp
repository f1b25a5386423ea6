// The runtime part from C++: leaf views, treedefs and iteration, on a tree whose struct a C file registered.
#include "two_files.h"

#include <cstdio>
#include <string>
#include <vector>

// Everything that is inline in the header, so that it is compiled as C++.
static bool looks_right(const std::vector<pytree_leaf> &leaves)
{
    size_t elements = 0, bytes = 0;
    for (const pytree_leaf &leaf : leaves) {
        if (!pytree_is_leaf(&leaf) || leaf.type->dtype != PYTREE_F32 || pytree_dtype_name(leaf.type) != std::string("f32")) {
            return false;
        }
        elements += pytree_leaf_count(&leaf);
        bytes += pytree_leaf_bytes(&leaf);
    }
    return elements == 29 && bytes == 29 * sizeof(float);
}

int main()
{
    pytree_error err = {};
    pytree t = other_tree();
    std::vector<pytree_leaf> leaves(pytree_num_leaves(t, nullptr, &err));
    size_t count = 0;
    if (pytree_leaves(t, leaves.data(), leaves.size(), &count, nullptr, &err) != PYTREE_OK || count != 5
        || !looks_right(leaves)) {
        pytree_error_print(stderr, &err);
        return 1;
    }

    pytree_def *def = other_structure(&err);
    std::string text(pytree_def_text(def, nullptr, 0), ' ');
    pytree_def_text(def, text.data(), text.size() + 1);
    if (text.find("CustomNode(MLP[(2,)]") == std::string::npos || pytree_def_num_leaves(def) != 5
        || pytree_def_num_nodes(def) != 10 || pytree_def_num_children(def) != 3 || pytree_def_kind(def) != PYTREE_KIND_STRUCT) {
        std::fprintf(stderr, "%s\n", text.c_str());
        return 2;
    }
    pytree_def *child = pytree_def_child(def, 0, nullptr, &err);
    if (child == nullptr || pytree_def_num_children(child) != 2) {
        return 3;
    }
    pytree_def_free(child);

    pytree_iter it;
    std::string paths;
    double sum = 0.0;
    if (pytree_iter_begin(&it, 1, &t, nullptr, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            char path[64];
            pytree_iter_path_text(&it, path, sizeof path);
            paths += path;
            sum += pytree_leaf_get(it.leaf[0], 0);
        }
    }
    pytree_iter_end(&it);
    if (paths != ".layers[0].w.layers[0].b.layers[1].w.layers[1].b.scale" || sum != 5.0) {
        std::fprintf(stderr, "%s %g\n", paths.c_str(), sum);
        return 4;
    }

    // A leaf of C++'s own making, looked at as a tree.
    double numbers[6] = { 1, 2, 3, 4, 5, 6 };
    pytree_leaf matrix = {};
    matrix.data = numbers;
    matrix.type = &pytree_types[PYTREE__T_double_];
    matrix.ndim = 2;
    matrix.shape[0] = 2;
    matrix.shape[1] = 3;
    double total = 0.0;
    if (pytree_sum(pytree_of_view(&matrix), &total, nullptr, &err) != PYTREE_OK || total != 21.0) {
        return 5;
    }

    pytree rebuilt = pytree_unflatten(def, leaves.size(), leaves.data(), nullptr, &err);
    if (rebuilt.data == nullptr || !pytree_equal(rebuilt, t, nullptr, nullptr, &err)) {
        pytree_error_print(stderr, &err);
        return 6;
    }
    pytree_free(rebuilt);
    pytree_def_free(def);

    // Members of all sorts.
    pytree rows = other_rows();
    if (pytree_allocate(rows, nullptr, &err) != PYTREE_OK) {
        pytree_error_print(stderr, &err);
        return 7;
    }
    pytree copy = pytree_clone(rows, nullptr, &err);
    const int handles = other_handles();
    std::string printed(pytree_text(rows, nullptr, 0, nullptr, &err), ' ');
    pytree_text(rows, printed.data(), printed.size() + 1, nullptr, &err);
    if (!pytree_equal(copy, rows, nullptr, nullptr, &err) || handles != 1
        || printed.find(".inner.w  f32[2,3]") == std::string::npos
        || printed.find(".rows[1]  f32[3]") == std::string::npos || printed.find(".as  f32[2]") == std::string::npos) {
        pytree_error_print(stderr, &err);
        std::fprintf(stderr, "%s", printed.c_str());
        return 8;
    }
    pytree_free(copy);
    pytree_free(rows);
    return other_handles();
}
