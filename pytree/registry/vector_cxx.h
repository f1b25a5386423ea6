/* pytree/registry/vector_cxx.h: the rows of std::vector members, which are lists. Included by all.h, once, in C++ only. */
#ifndef PYTREE_REGISTRY_VECTOR_CXX_H
#define PYTREE_REGISTRY_VECTOR_CXX_H

#include "rows.h"

/* Recognise a std::vector without its header: it has a capacity and grows at its end. In libstdc++ and libc++ its first word
 * points to its elements, and a vector without memory is all zero bytes. */
template <class Member, class = void> struct pytree__std_vector { typedef char element; enum { yes = 0, fits = 1 }; };
template <class Member>
struct pytree__std_vector<Member, std::void_t<typename Member::value_type, decltype(std::declval<Member &>().capacity()),
                                              decltype(std::declval<Member &>().emplace_back())>> {
    typedef typename Member::value_type element;
    enum { yes = 1, fits = sizeof(Member) == 3 * sizeof(void *) && !std::is_same_v<element, bool> };    /* which are bits */
};

/* Give a vector of zeroed bytes n elements, which are zero, too, whatever their constructor says: so is all that is built. */
template <class Vector>
pytree_status pytree__std_vector_resize(void *field, size_t n, const char *const *, const pytree_field *)
{
    Vector *const v = new (field) Vector();
#if defined(__cpp_exceptions)
    try { v->resize(n); } catch (...) { return PYTREE_NO_MEMORY; }        /* it is empty still, and has no memory */
#else
    v->resize(n);
#endif
    memset((void *)v->data(), 0, n * sizeof *v->data());
    return PYTREE_OK;
}
/* Free its memory. It stays a vector, which may be destroyed where it is an element of another one. */
template <class Vector> void pytree__std_vector_release(void *field, const pytree_field *)
{
    Vector().swap(*static_cast<Vector *>(field));
}

#define PYTREE__WORD_STD_VECTOR ~, 16
#define PYTREE__STORE_STD_VECTOR , STD_VECTOR, (),
#define PYTREE__GIVES_STD_VECTOR
#define PYTREE__LIES_STD_VECTOR
#define PYTREE__VECTOR_OF(x) pytree__std_vector<pytree__bare<decltype(x)>>
#define PYTREE__MEMBERS_STD_VECTOR(code, seen, held, x, arguments, optional, s)                                         \
    PYTREE__MEMBERS_LIST(code, seen, held, (*(typename PYTREE__VECTOR_OF(x)::element **)nullptr), arguments, optional, s) \
    PYTREE__ENUM { pytree__is_vector_##code = PYTREE__VECTOR_OF(x)::yes, pytree__fits_##code = PYTREE__VECTOR_OF(x)::fits,\
        pytree__begins_##code = std::is_default_constructible_v<PYTREE__VECTOR_OF(x)::element> };
#define PYTREE__CHECK_PLACE_STD_VECTOR PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_STD_VECTOR(code, arguments, optional, in)                                                         \
    static_assert(pytree__is_vector_##code, in " STD_VECTOR is for a std::vector");                                     \
    static_assert(pytree__fits_##code, in " STD_VECTOR is for a std::vector of three pointers: not of bool, whose elements " \
                  "have no address, and not one of a library that checks its iterators");                               \
    static_assert(pytree__begins_##code, in " the elements of a STD_VECTOR need a constructor without arguments");      \
    static_assert(!(optional), in " OPTIONAL is for pointers; a std::vector is never NULL");                            \
    static_assert((code & PYTREE__KNOWN) != 0 && (code & PYTREE__HELD) == PYTREE__IS_POINTER,                           \
                  in " STD_VECTOR is for elements that are numbers (of bytes: unsigned char), strings or registered "   \
                     "structs; register their type before this struct, and put a pointer, an array or a vector into a " \
                     "struct of its own");                                                                              \
    static_assert(PYTREE__CONTAINERS, in " STD_VECTOR needs PYTREE_CONTAINERS beside PYTREE_SMALL; define both in every file");
#define PYTREE__PLACED_STD_VECTOR PYTREE__PLACED_PLAIN
#define PYTREE__TABLE_STD_VECTOR(code, held, x, arguments, optional, placed)                                            \
    PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OF(code)), PYTREE_ROW_DATA, PYTREE_STB,                                    \
    PYTREE_FORM_LIST, 0, 1, placed, sizeof(PYTREE__VECTOR_OF(x)::element),                                              \
    PYTREE__FUNCTIONS(resize, pytree__std_vector_resize<pytree__bare<decltype(x)>>,                                         \
                      release, pytree__std_vector_release<pytree__bare<decltype(x)>>)
#define PYTREE__VIEW_STD_VECTOR(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_STD_VECTOR(name, arguments))
#define PYTREE__SIZES_STD_VECTOR(name, arguments) self->name.size(),
#define PYTREE__VALID_STD_VECTOR(code, name, optional, arguments)
#define PYTREE__STORED_STD_VECTOR(code, name, optional, arguments)

/* Pass: tell whether a struct has vectors, or has one in it that does: then its destructor is theirs.
 *
 *     enum { pytree__vectors_Net = 0 || pytree__held_Net__stem.vectors || true }; */
#define PYTREE__VECTORS_DATA(...) PYTREE__VECTORS_DATA_(__VA_ARGS__)
#define PYTREE__VECTORS_DATA_(id, name, m1, m2, m3, ...)                                                                \
    PYTREE__VECTORS_STORED(pytree__held_##id##__##name, ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3,     \
                           PLAIN, (), , ~)
#define PYTREE__VECTORS_STATIC(...)
#define PYTREE__VECTORS_DROP(...)
#define PYTREE__VECTORS_STORED(...) PYTREE__VECTORS_STORED_(__VA_ARGS__)
#define PYTREE__VECTORS_STORED_(held, skipped, store, ...)                                                              \
    PYTREE__SECOND_OF(PYTREE__VECTORS_OF_##store(held), , ~)
#define PYTREE__VECTORS_OF_PLAIN(held) ~, || held.vectors
#define PYTREE__VECTORS_OF_WITH PYTREE__VECTORS_OF_PLAIN
#define PYTREE__VECTORS_OF_STD_VECTOR(held) ~, || true
#endif
