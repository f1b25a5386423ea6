/* pytree/detail/cxx.h: what C++ has in place of _Generic and compound literals: PYTREE, PYTREE_TYPE, literals. Included only by
 * pytree.h, at its end.
 *
 * Each registration defines one function, which says what a type is registered as:
 *
 *     static constexpr pytree__of_Linear pytree__registered(pytree__tag<Linear>) { return {}; }
 *
 * It is called in macros only, outside of templates, so that each call sees what is registered by then and no compiler
 * remembers an older answer. It is found by its argument, so that types in namespaces are found from everywhere. A tag is a
 * pointer, which overload resolution compares fastest, and fits exactly: a derived struct is not taken for its base. It is
 * called, not asked for its type: nvcc writes a decltype among template arguments as it first stood in the file. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_DETAIL_CXX_H
#define PYTREE_DETAIL_CXX_H

#include <initializer_list>
#include <new>
#include <type_traits>

/* ---- What is registered ---------------------------------------------------------------------------------------------- */

template <class Type> struct pytree__name {};
template <class Type> using pytree__tag = void (*)(pytree__name<Type>);
struct pytree__nothing {};
template <class Type> constexpr pytree__nothing pytree__registered(pytree__tag<Type>) { return {}; }
/* Leaf types and custom nodes, too, which may be pointers themselves. */
template <class Type> constexpr pytree__nothing pytree__registered_value(pytree__tag<Type>) { return {}; }
template <class Found> constexpr bool pytree__is_known(Found) { return true; }
constexpr bool pytree__is_known(pytree__nothing) { return false; }
template <class Type> using pytree__bare = std::remove_cv_t<std::remove_reference_t<Type>>;
#define PYTREE__REGISTRATION(...) pytree__registered(pytree__tag<__VA_ARGS__>())

/* The number in pytree_types of the built-in type that a type is stored as; 0: none. Name more of them with
 *
 *     template <> struct pytree_scalar<c10::BFloat16> : pytree_scalar<pytree_bf16> {}; */
template <class Type, class = void> struct pytree__like { enum { id = 0 }; };
template <class Type> struct pytree_scalar : pytree__like<Type> {};
#define PYTREE__X(name, T) template <> struct pytree_scalar<T> { enum { id = PYTREE__T_##name }; };
PYTREE__SCALARS(PYTREE__X)
#undef PYTREE__X
#define PYTREE__X(name, ...) template <> struct pytree_scalar<__VA_ARGS__> { enum { id = PYTREE__T_##name }; };
PYTREE__X(string, char *) PYTREE__X(string, const char *)
PYTREE__X(view, pytree_leaf) PYTREE__X(ref, pytree) PYTREE__X(flat, pytree_flat)
#undef PYTREE__X
template <class Type> struct pytree__like<Type, std::enable_if_t<std::is_enum_v<Type>>>
    : pytree_scalar<std::underlying_type_t<Type>> {};
/* wchar_t, char16_t, char32_t: the integer of the same size. */
template <size_t size> struct pytree__integer_of;
template <> struct pytree__integer_of<1> { typedef signed char type; };
template <> struct pytree__integer_of<2> { typedef short type; };
template <> struct pytree__integer_of<4> { typedef int type; };
template <class Type> struct pytree__like<Type, std::enable_if_t<std::is_integral_v<Type>>>
    : pytree_scalar<std::conditional_t<std::is_signed_v<Type>, typename pytree__integer_of<sizeof(Type)>::type,
                                       std::make_unsigned_t<typename pytree__integer_of<sizeof(Type)>::type>>> {};
/* std::complex, thrust::complex, cuda::std::complex: two numbers with real() and imag(). */
template <class Type>
struct pytree__like<Type, std::void_t<typename Type::value_type, decltype(std::declval<const Type &>().real()),
                                      decltype(std::declval<const Type &>().imag())>> {
    typedef typename Type::value_type part;
    enum { id = sizeof(Type) != 2 * sizeof(part) ? 0
               : std::is_same_v<part, float> ? (int)PYTREE__T_cfloat
               : std::is_same_v<part, double> ? (int)PYTREE__T_cdouble
               : std::is_same_v<part, long double> ? (int)PYTREE__T_cldouble : 0 };
};
#if defined(__GNUC__)                     /* those of C, which these compilers have in C++, too */
#define PYTREE__X(name, T)                                                                                              \
    __extension__ typedef T _Complex pytree__complex_##name;                                                            \
    template <> struct pytree_scalar<pytree__complex_##name> { enum { id = PYTREE__T_##name }; };
PYTREE__X(cfloat, float) PYTREE__X(cdouble, double) PYTREE__X(cldouble, long double)
#undef PYTREE__X
#endif
/* In a .cu file in any order with the headers that define them, in another one behind those. */
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__CUDA_FP16_H__)
struct __half;
template <> struct pytree_scalar<__half> : pytree_scalar<pytree_f16> {};
#endif
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__CUDA_BF16_H__)
struct __nv_bfloat16;
template <> struct pytree_scalar<__nv_bfloat16> : pytree_scalar<pytree_bf16> {};
#endif
template <class Type> constexpr int pytree__builtin = pytree_scalar<Type>::id;

/* ---- PYTREE(p), PYTREE_TYPE(T) --------------------------------------------------------------------------------------- */

/* Find the descriptor of a type that is registered as `Found`. */
template <class Type, class Found> constexpr const pytree_type *pytree__type_of(Found)
{
    if constexpr (!std::is_same_v<Found, pytree__nothing>) {
        return &Found::type;
    } else {
        static_assert(pytree__builtin<Type> != 0, "pytree: PYTREE(p): " PYTREE__NOT_REGISTERED
                      ", in the namespace of the type");
        return &pytree_types[pytree__builtin<Type>];
    }
}
#define PYTREE__DESCRIBED(...) pytree__type_of<__VA_ARGS__>(PYTREE__REGISTRATION(__VA_ARGS__))
#define PYTREE_TYPE(...) PYTREE__DESCRIBED(pytree__bare<__VA_ARGS__>)
#define PYTREE__TYPE_OF(...) PYTREE__DESCRIBED(pytree__bare<decltype(__VA_ARGS__)>)

template <class Pointer> using pytree__target = std::remove_cv_t<std::remove_pointer_t<std::decay_t<Pointer>>>;
template <class Type> constexpr pytree pytree__refer(const pytree_type *type, Type *p)
{
    return pytree{ type, const_cast<std::remove_cv_t<Type> *>(p) };
}
/* The type behind a pointer to one value: to no char and not to void, and it is no array. */
template <class Pointer, class Found> constexpr const pytree_type *pytree__one(Found found)
{
    typedef pytree__target<Pointer> Type;
    constexpr bool one = std::is_pointer_v<pytree__bare<Pointer>> && !std::is_same_v<Type, char> && !std::is_void_v<Type>;
    static_assert(one || !std::is_pointer_v<std::decay_t<Pointer>>, "pytree: PYTREE(p): " PYTREE__NOT_ONE);
    static_assert(std::is_pointer_v<std::decay_t<Pointer>>, "pytree: PYTREE(p): p is the address of a value, PYTREE(&x)");
    if constexpr (one) { return pytree__type_of<Type>(found); } else { return nullptr; }
}
#define PYTREE(...)                                                                                                     \
    pytree__refer(pytree__one<decltype(__VA_ARGS__)>(PYTREE__REGISTRATION(pytree__target<decltype(__VA_ARGS__)>)), __VA_ARGS__)
#define PYTREE_NONE (pytree{ &pytree_types[PYTREE__T_none], nullptr })

/* ---- Literals -------------------------------------------------------------------------------------------------------- */

/* They lie on the stack of the function until it returns; a loop that makes some uses more with each turn. Outside of
 * functions the statement expression is an error. */
#define PYTREE__ROOM(bytes) __extension__({ __builtin_alloca(bytes); })
template <class Type> inline pytree pytree__literal(void *room, Type value)
{
    return pytree{ &pytree_types[pytree__builtin<Type>], new (room) Type(value) };
}
#define PYTREE_INT(v) pytree__literal<int64_t>(PYTREE__ROOM(sizeof(int64_t)), v)
#define PYTREE_FLOAT(v) pytree__literal<double>(PYTREE__ROOM(sizeof(double)), v)
#define PYTREE_BOOL(v) pytree__literal<bool>(PYTREE__ROOM(sizeof(bool)), v)
#define PYTREE_STR(v) pytree__literal<const char *>(PYTREE__ROOM(sizeof(char *)), v)

/* An extent may be an int, as in C; a negative one is found when the tree is traversed. */
template <class... Extent>
inline pytree pytree__array_of(void *room, const pytree_type *type, const void *data, Extent... shape)
{
    static_assert(sizeof...(Extent) <= PYTREE_MAX_DIMS, "pytree: PYTREE_ARRAY: too many dimensions");
    pytree_leaf *leaf = new (room) pytree_leaf();
    const size_t extents[] = { 0, (size_t)shape... };
    leaf->data = const_cast<void *>(data);
    leaf->type = type;
    leaf->ndim = (int)sizeof...(Extent);
    memcpy(leaf->shape, extents + 1, sizeof extents - sizeof(size_t));
    return pytree{ &pytree_types[PYTREE__T_view], leaf };
}
#define PYTREE_ARRAY(p, ...)                                                                                            \
    pytree__array_of(PYTREE__ROOM(sizeof(pytree_leaf)), PYTREE__TYPE_OF(*(p)), p, __VA_ARGS__)
#define PYTREE_SCALAR(p) pytree__array_of(PYTREE__ROOM(sizeof(pytree_leaf)), PYTREE__TYPE_OF(*(p)), p)

/* Containers: what they hold is counted without being evaluated, with one that is not counted in front. */
template <class Type, size_t n> char (&pytree__counted(const Type (&&)[n]))[n];
inline void pytree__hold(pytree_items *to, const pytree *at) { to->items = at; }
inline void pytree__hold(pytree_items *to, const pytree_pair *at) { to->pairs = at; }
inline void pytree__hold(pytree_items *to, const pytree_int_pair *at) { to->int_pairs = at; }
template <class Type>
inline pytree pytree__items_of(int type, void *room, const char *name, size_t maxlen, std::initializer_list<Type> values)
{
    pytree_items *items = new (room) pytree_items();
    Type *at = reinterpret_cast<Type *>(items + 1), *first = at;
    for (const Type &value : values) { new (at++) Type(value); }
    items->count = values.size() - 1;
    items->name = name;
    items->maxlen = maxlen;
    pytree__hold(items, first + 1);
    return pytree{ &pytree_types[type], items };
}
#define PYTREE__CONTAINER(Type, kind, name, maxlen, ...)                                                                \
    pytree__items_of<Type>(PYTREE__T_##kind,                                                                            \
        PYTREE__ROOM(sizeof(pytree_items) + sizeof(pytree__counted<Type>({ {}, __VA_ARGS__ })) * sizeof(Type)),         \
        name, maxlen, { {}, __VA_ARGS__ })
#define PYTREE_LIST(...) PYTREE__CONTAINER(pytree, list, nullptr, 0, __VA_ARGS__)
#define PYTREE_TUPLE(...) PYTREE__CONTAINER(pytree, tuple, nullptr, 0, __VA_ARGS__)
#define PYTREE_DICT(...) PYTREE__CONTAINER(pytree_pair, dict, nullptr, 0, __VA_ARGS__)
#define PYTREE_ODICT(...) PYTREE__CONTAINER(pytree_pair, odict, nullptr, 0, __VA_ARGS__)
#define PYTREE_IDICT(...) PYTREE__CONTAINER(pytree_int_pair, dict, nullptr, 0, __VA_ARGS__)
#define PYTREE_NAMEDTUPLE(...) PYTREE__NAMED_CONTAINER(namedtuple, __VA_ARGS__, )
#define PYTREE_DEFAULTDICT(...) PYTREE__NAMED_CONTAINER(defaultdict, __VA_ARGS__, )
#define PYTREE__NAMED_CONTAINER(kind, name, ...) PYTREE__CONTAINER(pytree_pair, kind, name, 0, __VA_ARGS__)
#define PYTREE_DEQUE(...) PYTREE__DEQUE(__VA_ARGS__, )
#define PYTREE__DEQUE(most, ...) PYTREE__CONTAINER(pytree, deque, nullptr, most, __VA_ARGS__)

#endif
