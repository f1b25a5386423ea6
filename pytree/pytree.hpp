/* pytree/pytree.hpp: pytrees in C++17: ownership, exceptions, lambdas over leaves, ranges.
 *
 *     auto grads = pytrees::zeros_like(model);                         // freed at the end of the scope
 *     pytrees::for_each([](auto w, auto g) {
 *         auto to = w.template as<float>();
 *         auto from = g.template as<float>();
 *         for (std::size_t i = 0; i < to.size(); i++) { to[i] -= 0.1f * from[i]; }
 *     }, model, grads);
 *     for (auto leaf : pytrees::leaves(model)) { std::cout << leaf.path() << ' ' << leaf.size() << '\n'; }
 *
 * Where a function takes a tree, it takes a registered object, a pytree, a pytrees::tree or a pytrees::flat. Nothing here keeps
 * state or has a body in another file: everything is a call of pytree.h, whose rules about threads and lifetimes hold.
 * Callbacks may throw: the library's loops are iterators, so that no exception passes a function of C. The namespace is
 * `pytrees`, because `pytree` is the struct. Without exceptions (-fno-exceptions) use pytree.h. */
#ifndef PYTREE_PYTREE_HPP
#define PYTREE_PYTREE_HPP

#include "../pytree.h"
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pytrees {

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

/* What the library refuses, as an exception: jax's ValueError. what() is "path: message (status)". */
class error : public std::runtime_error {
public:
    explicit error(const pytree_error &e)
        : std::runtime_error(std::string(e.path) + (e.path[0] == '\0' ? "" : ": ") + e.message + " ("
                             + pytree_status_name(e.status) + ")"),
          status_(e.status), path_(e.path), message_(e.message) {}
    pytree_status status() const noexcept { return status_; }
    const std::string &path() const noexcept { return path_; }           /* the key path; empty: the root */
    const std::string &message() const noexcept { return message_; }     /* "expected X, got Y" */
private:
    pytree_status status_;
    std::string path_, message_;
};

/* Throw what an error object holds, if it holds an error. */
inline void check(const pytree_error &e)
{
    if (e.status != PYTREE_OK) { throw error(e); }
}

/* ---- Leaves -------------------------------------------------------------------------------------------------------- */

/* A borrowed array, as std::span in C++20. */
template <class T> class span {
public:
    span(T *first, std::size_t n) noexcept : first_(first), n_(n) {}
    T *begin() const noexcept { return first_; }
    T *end() const noexcept { return first_ + n_; }
    T *data() const noexcept { return first_; }
    std::size_t size() const noexcept { return n_; }
    bool empty() const noexcept { return n_ == 0; }
    T &operator[](std::size_t i) const { return first_[i]; }
private:
    T *first_;
    std::size_t n_;
};

/* A leaf at hand in a loop: its view, which borrows from the tree, and its path, which is valid until the loop goes on. */
class leaf {
public:
    leaf(const pytree_leaf &view, const pytree_iter &at) : view_(view), at_(&at) {}
    /* Tell whether the elements are of type T, and can be read here. */
    template <class T> bool holds() const { return view_.form == PYTREE_FORM_LEAF && is(PYTREE_TYPE(T)); }
    /* Get the elements as T, which must be their type. Throws PYTREE_TYPE with the path if they are another, None, a subtree,
     * or lie on a device. */
    template <class T> span<T> as() const
    {
        if (!holds<T>()) { fail(PYTREE_TYPE(T)); }
        return { static_cast<T *>(view_.data), size() };
    }
    /* Get the address of elements of type T, also on a device, for a kernel to read. Throws as as<T> does. */
    template <class T> T *address() const
    {
        if (!pytree_is_leaf(&view_) || !is(PYTREE_TYPE(T))) { fail(PYTREE_TYPE(T)); }
        return static_cast<T *>(view_.data);
    }
    bool is_leaf() const noexcept { return pytree_is_leaf(&view_); }
    bool on_device() const noexcept { return view_.form == PYTREE_FORM_DEVICE; }
    std::size_t size() const { return pytree_leaf_count(&view_); }
    std::size_t bytes() const { return pytree_leaf_bytes(&view_); }
    span<const std::size_t> shape() const { return { view_.shape, static_cast<std::size_t>(view_.ndim) }; }
    std::string dtype() const { return pytree_dtype_name(view_.type); }          /* "f32" */
    std::string path() const                                                     /* ".layers[0].w" */
    {
        std::string text(pytree_iter_path_text(at_, nullptr, 0), '\0');
        pytree_iter_path_text(at_, &text[0], text.size() + 1);
        return text;
    }
    std::size_t index() const noexcept { return at_->index; }
    const pytree_leaf &view() const noexcept { return view_; }
private:
    bool is(const pytree_type *type) const { return pytree_type_equal(view_.type, type); }
    [[noreturn]] void fail(const pytree_type *wanted) const
    {
        pytree_error e = {};
        const char *const where = on_device() ? " on a device" : is_leaf() ? "" : ", which is no leaf";
        pytree_fail(&e, ::PYTREE_TYPE, path().c_str(), "expected a leaf of %s, got %s%s", pytree_dtype_name(wanted),
                    pytree_dtype_name(view_.type), where);
        throw error(e);
    }
    pytree_leaf view_;
    const pytree_iter *at_;
};

/* ---- Trees --------------------------------------------------------------------------------------------------------- */

/* Refer to a registered object, a pytree or one of the classes below. Returns the pytree: PYTREE(&x). */
template <class T> pytree of(T &x)
{
    if constexpr (std::is_convertible_v<T &, pytree>) {
        return static_cast<pytree>(x);
    } else {
        return PYTREE(&x);
    }
}

/* A tree that the library made and this object owns: moved, never copied (pytrees::clone copies). */
class tree {
public:
    tree() noexcept : t_{ nullptr, nullptr } {}
    explicit tree(pytree owned) noexcept : t_(owned) {}        /* what pytree_clone, pytree_unflatten, … returned */
    tree(tree &&other) noexcept : t_(other.release()) {}
    tree &operator=(tree &&other) noexcept
    {
        if (this != &other) {
            pytree_free(t_);
            t_ = other.release();
        }
        return *this;
    }
    ~tree() { pytree_free(t_); }
    operator pytree() const noexcept { return t_; }            /* borrowed */
    explicit operator bool() const noexcept { return t_.data != nullptr; }
    /* Give up the tree. Returns it, to be freed with pytree_free. */
    pytree release() noexcept { return std::exchange(t_, pytree{ nullptr, nullptr }); }
    /* Get the root as a T. Throws PYTREE_TYPE if it is of another type. It lives as long as the tree. */
    template <class T> T &as() const
    {
        const pytree_type *const wanted = PYTREE_TYPE(T);
        if (t_.type == nullptr || !pytree_type_equal(t_.type->origin == nullptr ? t_.type : t_.type->origin, wanted)) {
            pytree_error e = {};
            pytree_fail(&e, ::PYTREE_TYPE, nullptr, "expected %s, got %s", wanted->name,
                        t_.type == nullptr ? "no tree" : t_.type->name);
            throw error(e);
        }
        return *static_cast<T *>(t_.data);
    }
private:
    pytree t_;
};

/* A structure: jax.tree_util.PyTreeDef. Copies share it. */
class def {
public:
    explicit def(pytree_def *owned) : def_(owned, pytree_def_free) {}
    const pytree_def *get() const noexcept { return def_.get(); }
    std::size_t leaves() const { return pytree_def_num_leaves(get()); }
    std::size_t nodes() const { return pytree_def_num_nodes(get()); }
    std::size_t hash() const { return static_cast<std::size_t>(pytree_def_hash(get())); }
    std::string text() const                                   /* PyTreeDef(…), as JAX prints it */
    {
        std::string text(pytree_def_text(get(), nullptr, 0), '\0');
        pytree_def_text(get(), &text[0], text.size() + 1);
        return text;
    }
    friend bool operator==(const def &a, const def &b) { return pytree_def_equal(a.get(), b.get()); }
    friend bool operator!=(const def &a, const def &b) { return !(a == b); }
private:
    std::shared_ptr<pytree_def> def_;
};

/* A treedef with its leaves: what jax.tree.flatten returns. The leaves borrow from the tree that was flattened; they are views,
 * which can be replaced. A flat is a tree itself, too. */
class flat {
public:
    flat(pytree_def *owned, std::vector<pytree_leaf> leaves)
        : def_(owned), leaves_(std::move(leaves)), both_{ nullptr, nullptr } {}
    flat(const flat &) = delete;
    flat(flat &&) = default;
    flat &operator=(flat &&) = default;
    const pytrees::def &structure() const noexcept { return def_; }
    std::vector<pytree_leaf> &leaves() noexcept { return leaves_; }
    const std::vector<pytree_leaf> &leaves() const noexcept { return leaves_; }
    operator pytree() const noexcept                           /* borrowed; valid until this object moves */
    {
        both_ = { def_.get(), leaves_.data() };
        return { &pytree_types[PYTREE__T_flat], &both_ };
    }
private:
    pytrees::def def_;
    std::vector<pytree_leaf> leaves_;
    mutable pytree_flat both_;
};

/* Make the treedef of a tree: jax.tree.structure. */
template <class T> def structure(T &&x, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    def made(pytree_structure(of(x), opt, &e));
    check(e);
    return made;
}

/* Take a tree apart: jax.tree.flatten. */
template <class T> flat flatten(T &&x, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    pytree_def *def = nullptr;
    pytree_leaf *leaves = nullptr;
    pytree_flatten(of(x), &leaves, 0, &def, opt, &e);
    check(e);
    std::unique_ptr<pytree_def, void (*)(pytree_def *)> guard(def, pytree_def_free);
    std::vector<pytree_leaf> mine(leaves, leaves + pytree_def_num_leaves(def));
    return flat(guard.release(), std::move(mine));
}

/* Build a tree that refers to leaves: jax.tree.unflatten. The leaves must outlive it. */
inline tree unflatten(const def &structure, const std::vector<pytree_leaf> &leaves, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    tree made(pytree_unflatten(structure.get(), leaves.size(), leaves.data(), opt, &e));
    check(e);
    return made;
}
inline tree unflatten(const flat &f, const pytree_options *opt = nullptr) { return unflatten(f.structure(), f.leaves(), opt); }

/* Copy a tree: nnx.clone; or one like it with every number zero: optax.tree.zeros_like. */
template <class T> tree clone(T &&x, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    tree made(pytree_clone(of(x), opt, &e));
    check(e);
    return made;
}
template <class T> tree zeros_like(T &&x, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    tree made(pytree_zeros_like(of(x), opt, &e));
    check(e);
    return made;
}

/* Copy values of one tree to another of equal structure and shapes: nnx.update. */
template <class T, class U> void copy_into(T &&to, U &&from, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    pytree_copy_into(of(to), of(from), opt, &e);
    check(e);
}

/* Compare two trees: equinox.tree_equal. Returns false where they differ; throws only if they cannot be compared. */
template <class T, class U> bool equal(T &&a, U &&b, const pytree_tolerance *tolerance = nullptr,
                                       const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    const bool same = pytree_equal(of(a), of(b), tolerance, opt, &e);
    if (!same && e.status != PYTREE_STRUCTURE && e.status != ::PYTREE_TYPE && e.status != PYTREE_SHAPE
        && e.status != PYTREE_VALUE) {
        check(e);
    }
    return same;
}

/* Write a tree as pytree_print does: a line for each leaf. */
template <class T> std::string text(T &&x, const pytree_options *opt = nullptr)
{
    pytree_error e = {};
    const std::size_t n = pytree_text(of(x), nullptr, 0, opt, &e);
    check(e);
    std::string text(n, '\0');
    pytree_text(of(x), &text[0], text.size() + 1, opt, &e);
    return text;
}

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

namespace detail {

/* An iteration over any number of trees, ended when it leaves the scope. It does not move: the iterator points into itself. */
class iteration {
public:
    iteration(std::size_t n, const pytree *trees, const pytree_options *opt) { pytree_iter_begin(&it_, n, trees, opt, &e_); }
    iteration(const iteration &) = delete;
    iteration &operator=(const iteration &) = delete;
    ~iteration() { pytree_iter_end(&it_); }
    bool next()                                                /* throws what is wrong with the trees */
    {
        const bool more = e_.status == PYTREE_OK && pytree_iter_next(&it_);
        check(e_);
        return more;
    }
    const pytree_iter &at() const noexcept { return it_; }
private:
    pytree_error e_ = {};
    pytree_iter it_;
};

template <class F, std::size_t... i> void call(F &fn, const pytree_iter &at, std::index_sequence<i...>)
{
    fn(leaf(*at.leaf[i], at)...);
}

/* Go over trees that are known to fit, and call fn with the leaves of each place. */
template <std::size_t n, class F> void go(F &fn, const pytree (&trees)[n], const pytree_options *opt)
{
    iteration all(n, trees, opt);
    while (all.next()) { call(fn, all.at(), std::make_index_sequence<n>()); }
}

inline pytree_status nothing(void *, const pytree_iter *) { return PYTREE_OK; }

} /* namespace detail */

/* Call fn(leaf, leaf, …) for every place of one tree or of several of equal structure, in order: jax.tree.map without a
 * result. Throws before the first call if the trees do not fit; what fn throws ends the loop and is passed on. */
template <class F, class... T> void for_each(F &&fn, T &&...trees)
{
    const pytree all[] = { of(trees)... };
    pytree_error e = {};
    pytree_map(detail::nothing, nullptr, nullptr, sizeof...(T), all, nullptr, &e);
    check(e);
    detail::go(fn, all, nullptr);
}

/* Make a tree like the first: jax.tree.map. fn(out, leaf, leaf, …) fills `out`, which begins as zeros. Returns the new tree. */
template <class F, class T, class... U> tree map(F &&fn, T &&first, U &&...more)
{
    tree made = zeros_like(first);
    for_each(fn, made, first, more...);
    return made;
}

/* The leaves of a tree as a range, each with its path: jax.tree.leaves_with_path. A range is gone over once, by one loop. */
class leaves {
public:
    template <class T, class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, leaves>>>
    explicit leaves(T &&x, const pytree_options *opt = nullptr) : tree_(of(x)), all_(1, &tree_, opt) {}
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = leaf;
        using difference_type = std::ptrdiff_t;
        using pointer = const leaf *;
        using reference = leaf;
        iterator() noexcept : all_(nullptr) {}                 /* the end */
        explicit iterator(detail::iteration *all) : all_(all) { ++*this; }
        leaf operator*() const { return { *all_->at().leaf[0], all_->at() }; }
        iterator &operator++()
        {
            if (!all_->next()) { all_ = nullptr; }
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const iterator &a, const iterator &b) noexcept { return a.all_ == b.all_; }
        friend bool operator!=(const iterator &a, const iterator &b) noexcept { return a.all_ != b.all_; }
    private:
        detail::iteration *all_;
    };
    iterator begin() { return iterator(&all_); }
    iterator end() noexcept { return {}; }
private:
    pytree tree_;
    detail::iteration all_;
};

} /* namespace pytrees */

#endif
