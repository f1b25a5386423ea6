/* pytree/registry/primitives_cxx.h: what registrations need of the language, in C++: the macros of primitives_c.h by type
 * traits and overloads. Included by rows.h.
 *
 * A row makes the same codes, table and functions as in C: a header that C and C++ files include has equal descriptors. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_PRIMITIVES_CXX_H
#define PYTREE_REGISTRY_PRIMITIVES_CXX_H

#include "codes.h"
#include "../detail/row_reads.h"

/* ---- Declarations ---------------------------------------------------------------------------------------------------- */

#define PYTREE__ALIGN_OF_TYPE alignof
#define PYTREE__NO_ROW {}
#define PYTREE__READ_AHEAD static_assert(true, "");
#define PYTREE__REGISTER                  /* C++17 has none */

/* Constant objects that the table of rows refers to. Those with rows of their own are made by a pass before the table. */
template <auto member, auto function, auto other, auto value> constexpr pytree_row_functions pytree__functions_with()
{
    pytree_row_functions functions{};
    functions.*member = function;
    functions.*other = value;
    return functions;
}
template <auto member, auto function, auto other = member, auto value = function>
static constexpr pytree_row_functions pytree__functions = pytree__functions_with<member, function, other, value>();
#define PYTREE__FUNCTION(member, function) &pytree__functions<&pytree_row_functions::member, function>
#define PYTREE__FUNCTIONS(member, function, other, value)                                                               \
    &pytree__functions<&pytree_row_functions::member, function, &pytree_row_functions::other, value>
#define PYTREE__ROWS_OF(name, ...) name
#define PYTREE__ELEMENT_TYPE(name, x, ...) &pytree__elements_##name
#define PYTREE__MAKE_ELEMENT_TYPE(name, x, ...)                                                                             \
    static constexpr pytree_field pytree__row_##name[] = { PYTREE__EACH_ROW(__VA_ARGS__), {} };                         \
    static constexpr pytree_type pytree__elements_##name = PYTREE__EACH_TYPE(x, pytree__row_##name);

/* Pass: make them.
 *
 *     static constexpr pytree_field pytree__cases_pytree__code_Shape__as[] = { { "circle", … }, … }; */
#define PYTREE__OBJECTS_DATA(id, s, name, m1, m2, m3, ...)                                                              \
    PYTREE__OBJECTS_STORED(id, s, name, 0 PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), , ~)
#define PYTREE__OBJECTS_STATIC(...)
#define PYTREE__OBJECTS_DROP(...)
#define PYTREE__OBJECTS_STORED(...) PYTREE__OBJECTS_STORED_(__VA_ARGS__)
#define PYTREE__OBJECTS_STORED_(id, s, name, before, store, arguments, behind, ...)                                     \
    PYTREE__SECOND_OF(PYTREE__OBJECTS_OF_##store, PYTREE__NO_OBJECTS, ~)(                                               \
        pytree__code_##id##__##name, pytree__held_##id##__##name, pytree__any_##id.name, arguments, offsetof(s, name))
#define PYTREE__NO_OBJECTS(...)
#define PYTREE__OBJECTS_OF_UNION ~, PYTREE__MAKE_CASES
#define PYTREE__OBJECTS_OF_UNION_ ~, PYTREE__MAKE_UNNAMED_CASES
#define PYTREE__OBJECTS_OF_LISTS_ ~, PYTREE__MAKE_LISTS
#define PYTREE__OBJECTS_OF_EACH ~, PYTREE__MAKE_EACH
#define PYTREE__MAKE_CASES(code, held, x, arguments, placed)                                                            \
    static constexpr pytree_field pytree__cases_##code[] = {                                                            \
        PYTREE__CASES(PYTREE__CASE_TABLE, code, held, x, placed, PYTREE__CASES_OF arguments) {} };
#define PYTREE__MAKE_UNNAMED_CASES(code, held, x, arguments, placed)                                                    \
    PYTREE__MAKE_CASES(code, held, (*(pytree__s_##code *)0), arguments, placed)
#define PYTREE__MAKE_LISTS(code, held, x, arguments, placed)                                                            \
    PYTREE__EACH(PYTREE__EACH_TABLE_, code, held, (*x), PYTREE__MAKE_ELEMENT_TYPE, PYTREE__MODIFIERS arguments, NONE, NONE, ~)
#define PYTREE__MAKE_EACH(code, held, x, arguments, placed)                                                             \
    PYTREE__EACH(PYTREE__EACH_TABLE_, code, held, (*x), PYTREE__MAKE_ELEMENT_TYPE, PYTREE__OF_EACH arguments, NONE, NONE, ~)

/* The registrations of a file in namespaces: the list that C has, which C++ makes before main begins, since it has no tentative
 * definitions. Its end has no name. */
[[maybe_unused]] static pytree_type pytree__space_000;
[[maybe_unused]] static pytree_type *pytree__last_space = &pytree__space_000;
inline bool pytree__link_space(pytree_type **last, const pytree_type *type, pytree_type *end)
{
    **last = *type;
    (*last)->namespaces = end;
    *last = end;
    return true;
}

/* ---- What a member is ------------------------------------------------------------------------------------------------ */

/* A std::array<T, n> is T[n]; so is one of another library that is nothing but its elements. */
template <class Member> struct pytree__as_array { typedef Member type; };
template <class Type, size_t n> struct pytree__as_array<Type[n]> { typedef typename pytree__as_array<Type>::type type[n]; };
template <template <class, size_t> class Array, class Type, size_t n> struct pytree__as_array<Array<Type, n>> {
    typedef std::conditional_t<sizeof(Array<Type, n>) == n * sizeof(Type) && std::is_trivially_copyable_v<Array<Type, n>>,
                               typename pytree__as_array<Type>::type[n], Array<Type, n>> type;
};
template <class Member> using pytree__member = std::remove_cv_t<typename pytree__as_array<pytree__bare<Member>>::type>;

/* How it holds its elements, and their type. */
template <class Member> struct pytree__holding { typedef Member element; enum { held = 0 }; };
template <class Type> struct pytree__holding<Type *> {
    typedef std::remove_cv_t<Type> element;
    enum { held = PYTREE__IS_POINTER };
};
template <class Type, size_t m> struct pytree__holding<Type (*)[m]> {
    typedef std::remove_cv_t<Type> element;
    enum { held = PYTREE__POINTER_OR_TABLE };
};
template <class Type> struct pytree__holding<Type[]> {           /* a flexible array member */
    typedef std::remove_cv_t<Type> element;
    enum { held = PYTREE__POINTER_OR_FIXED };
};
template <class Type, size_t n> struct pytree__holding<Type[n]> {
    typedef std::remove_cv_t<Type> element;
    enum { held = PYTREE__POINTER_OR_FIXED };
};
template <class Type, size_t n, size_t m> struct pytree__holding<Type[n][m]> {
    typedef std::remove_cv_t<Type> element;
    enum { held = PYTREE__HELD };
};
template <class Member> using pytree__element_of = typename pytree__holding<pytree__member<Member>>::element;

/* The code of a value of a built-in type. */
template <class Type> constexpr int pytree__value_code()
{
    constexpr int id = pytree__builtin<Type>;
    return id == PYTREE__T_string ? (int)PYTREE__C_string : id == PYTREE__T_view ? (int)PYTREE__C_view
         : id == PYTREE__T_ref ? (int)PYTREE__C_ref : id == PYTREE__T_flat ? (int)PYTREE__C_flat
         : id == PYTREE__T_ldouble ? (int)PYTREE__C_ldouble : id == PYTREE__T_cldouble ? (int)PYTREE__C_cldouble : id;
}
/* The code of a member of built-in type. A pointer to char is a P_char here, as in C; tables are of numbers. */
template <class Member> constexpr int pytree__builtin_code()
{
    typedef pytree__member<Member> Held;
    constexpr int held = pytree__holding<Held>::held, code = pytree__value_code<pytree__element_of<Member>>();
    constexpr bool number = code != 0 && code / PYTREE__CODE_FORM == 0 && code != (int)PYTREE__C_string;
    if constexpr (held == 0 || (held & PYTREE__POINTER_OR_TABLE) == PYTREE__IS_POINTER) {
        return code == 0 ? held & PYTREE__IS_FIXED : code % PYTREE__CODE_PACK == code || held == 0 ? code + held
             : code == (int)PYTREE__C_string ? code + held : code + held;
    } else {
        return number ? code + held : held & PYTREE__IS_FIXED;
    }
}
template <class Type> constexpr bool pytree__is_bytes =
    std::is_trivially_copyable_v<Type> || std::is_function_v<Type> || std::is_array_v<Type>;

/* Of std::atomic, and of others that are nothing but a number. */
template <class Member, class = void> struct pytree__atomic { typedef Member type; enum { yes = 0 }; };
template <class Member>
struct pytree__atomic<Member, std::void_t<typename Member::value_type,
                                          decltype(std::declval<const Member &>().is_lock_free())>> {
    typedef typename Member::value_type type;
    enum { yes = sizeof(Member) == sizeof(type) };
};
template <class Member> constexpr int pytree__qualified =
    pytree__atomic<pytree__bare<Member>>::yes ? (int)PYTREE__IS_ATOMIC
    : std::is_const_v<Member> ? (int)PYTREE__IS_CONST : 0;
#define PYTREE__ATOMIC(x) pytree__qualified<decltype(x)>
#define PYTREE__ATOMIC_CODE(x) pytree__builtin_code<pytree__atomic<pytree__bare<decltype(x)>>::type>()

/* What a member is, found once: its code, and the descriptor of its type if that is registered. */
struct pytree__found {
    int code;
    bool known;                           /* not told by the pointer: g++ -fsanitize=undefined has no constant for that */
    bool vectors;                         /* it lies in the struct and has a std::vector */
    const pytree_type *type;
    int qualified;                        /* IS_ATOMIC or IS_CONST, if that is what it is */
    constexpr int plain(int optional) const                     /* its code in a row that says no more */
    {
        return PYTREE__NORMALIZED(code) | PYTREE__LEADS(code, optional)
            | ((code & PYTREE__HELD) == PYTREE__IS_POINTER ? 0 : qualified);
    }
    constexpr const pytree_type *type_or(const pytree_type *builtin) const { return known ? type : builtin; }
};
/* `Value` and `Element` are what the member and its elements are registered as. */
template <class Member, class Value, class Element> constexpr pytree__found pytree__find(Value, Element)
{
    typedef pytree__member<Member> Held;
    constexpr int held = pytree__holding<Held>::held, qualified = pytree__qualified<Member>;
    if constexpr (!std::is_same_v<Value, pytree__nothing>) {
        return { Value::code, true, false, &Value::type, qualified };
    } else if constexpr (!std::is_same_v<Element, pytree__nothing>) {
        if constexpr ((held & PYTREE__IS_TABLE) != 0) {
            return { held & PYTREE__IS_FIXED, true, false, &Element::type, qualified };
        } else {
            return { Element::code + held, true, Element::vectors && held != PYTREE__IS_POINTER, &Element::type, qualified };
        }
    } else {
        return { pytree__builtin_code<Member>() | (pytree__is_bytes<Held> ? 0 : (int)PYTREE__NOT_BYTES), false, false,
                 nullptr, qualified };
    }
}
#define PYTREE__FIND(held, x)                                                                                     \
    [[maybe_unused]] static constexpr pytree__found held = pytree__find<decltype(x)>(                                   \
        pytree__registered_value(pytree__tag<pytree__member<decltype(x)>>()),                                           \
        PYTREE__REGISTRATION(pytree__element_of<decltype(x)>));
#define PYTREE__CODE(held, x) held.code
#define PYTREE__MEMBERS_PLAIN(code, seen, held, x, arguments, optional, s)                                              \
    PYTREE__FIND(held, x)                                                                                               \
    PYTREE__ENUM { code = held.plain(optional + 0) };
#define PYTREE__OF_TYPE(held, x, other) held.type_or(other)
#define PYTREE__OF_TYPE_INSIDE PYTREE__OF_TYPE

#define PYTREE__BUILTIN_CODE(x) (pytree__builtin_code<decltype(x)>() & ~(int)PYTREE__IS_FIXED)
template <class Member> constexpr int pytree__pointer_code()
{
    constexpr int code = pytree__builtin_code<Member>() & ~(int)PYTREE__IS_FIXED;
    return (code & PYTREE__POINTER_OR_TABLE) != PYTREE__IS_POINTER || code / PYTREE__CODE_FORM != 0 ? 0 : code;
}
/* With IS_FIXED. */
template <class Member> constexpr int pytree__array_code =
    pytree__pointer_code<Member>() | (std::is_array_v<pytree__member<Member>> ? (int)PYTREE__IS_FIXED : 0);
#define PYTREE__ARRAY_CODE(x) pytree__array_code<decltype(x)>
template <class Member> constexpr int pytree__chars_code()
{
    typedef pytree__member<Member> Held;
    typedef std::remove_cv_t<std::remove_extent_t<Held>> Row;
    if constexpr (std::is_same_v<Row, char> || std::is_same_v<Row, signed char> || std::is_same_v<Row, unsigned char>) {
        return PYTREE__P_char_;
    } else {
        typedef std::remove_cv_t<std::remove_extent_t<Row>> Char;
        return std::is_array_v<Row> && std::is_same_v<Char, char> ? (int)PYTREE__R_char_ : 0;
    }
}
#define PYTREE__CHARS_CODE(x) pytree__chars_code<decltype(x)>()
#define PYTREE__VOID_CODE(x)                                                                                            \
    (std::is_void_v<std::remove_pointer_t<pytree__bare<decltype(x)>>> ? (int)PYTREE__IS_POINTER : 0)
#define PYTREE__KEY_CODE(x)                                                                                             \
    (std::is_same_v<std::remove_cv_t<std::remove_pointer_t<pytree__bare<decltype(PYTREE__KEY_OF(x))>>>, char>           \
         ? 0 : (int)PYTREE__OTHER_KEY)

/* ---- Expressions ----------------------------------------------------------------------------------------------------- */

template <class Member, bool yes>
using pytree__inner = std::conditional_t<yes, std::remove_pointer_t<std::decay_t<pytree__member<Member>>>,
                                         pytree__bare<Member>>;
#define PYTREE__INNER(yes, x) *(pytree__inner<decltype(x), ((yes) != 0)> *)nullptr
/* Of a member in the struct, where an array is one. */
template <class Member> using pytree__first = std::remove_extent_t<pytree__member<Member>>;
template <class Member> constexpr size_t pytree__first_size = sizeof(pytree__first<Member>);
template <class Member> constexpr bool pytree__first_is_record =
    std::is_class_v<pytree__first<Member>> || std::is_union_v<pytree__first<Member>>;
#define PYTREE__INNER_SIZE(yes, x) pytree__first_size<decltype(x)>
#define PYTREE__INNER_TYPE(inner, yes, x)
#define PYTREE__SIZE_OF_INNER(inner, yes, x) pytree__first_size<decltype(x)>
#define PYTREE__INNER_IS_RECORD(inner, yes, x) pytree__first_is_record<decltype(x)>
#define PYTREE__INNER_IS_ARRAY(inner, yes, x) std::is_array_v<pytree__first<decltype(x)>>
/* A tag may be of an enum class. */
template <class Type> constexpr auto pytree__integer(Type tag)
{
    if constexpr (std::is_enum_v<Type>) { return (std::underlying_type_t<Type>)tag; } else { return tag | 0; }
}
#define PYTREE__AS_INTEGER(tag) pytree__integer(tag)
#define PYTREE__AS_CONSTANT(value) pytree__integer(value)
#define PYTREE__TO_MEMBER(member, number) (decltype(member))(number)

#define PYTREE__IS_ARRAY(x) (int)std::is_array_v<pytree__member<decltype(x)>>
#define PYTREE__HOLDS_POINTER(x) std::is_pointer_v<pytree__member<decltype(x)>>
#define PYTREE__IS_RECORD(x) (std::is_class_v<pytree__bare<decltype(x)>> || std::is_union_v<pytree__bare<decltype(x)>>)
#define PYTREE__NO_UNION(x) (!std::is_union_v<pytree__bare<decltype(x)>>)
#define PYTREE__ALIGN_OF(x) (int)__alignof__(x)
#define PYTREE__CHECK_SCALAR(code, x, in)

template <class Type> constexpr pytree_dtype pytree__integer_dtype()
{
    if constexpr (std::is_enum_v<Type>) { return pytree__integer_dtype<std::underlying_type_t<Type>>(); }
    else {
        return !std::is_integral_v<Type> || std::is_same_v<Type, bool> ? PYTREE_NO_DTYPE
             : sizeof(Type) == 1 ? (std::is_signed_v<Type> ? PYTREE_I8 : PYTREE_U8)
             : sizeof(Type) == 2 ? (std::is_signed_v<Type> ? PYTREE_I16 : PYTREE_U16)
             : sizeof(Type) == 4 ? (std::is_signed_v<Type> ? PYTREE_I32 : PYTREE_U32)
                                 : (std::is_signed_v<Type> ? PYTREE_I64 : PYTREE_U64);
    }
}
#define PYTREE__INTEGER_DTYPE(T) pytree__integer_dtype<T>()

/* Tell whether an entry of a map has only its key and its value. */
template <class Entry, class = void> struct pytree__has_three { enum { yes = 0 }; };
template <class Entry> struct pytree__has_three<Entry, std::void_t<decltype(Entry{ {}, {}, {} })>> { enum { yes = 1 }; };
#define PYTREE__QUIET_BEGIN
#define PYTREE__QUIET_END
#define PYTREE__IS_PAIR(x) PYTREE__IS_PAIR_(pytree__bare<decltype(*x)>)
#define PYTREE__IS_PAIR_(...)                                                                                           \
    (__builtin_offsetof(__VA_ARGS__, key) == 0 && __builtin_offsetof(__VA_ARGS__, value) != 0                           \
     && !pytree__has_three<__VA_ARGS__>::yes)

/* ---- What C++ structs must be ---------------------------------------------------------------------------------------- */

#define PYTREE__CHECK_MEMBER(x, in)                                                                                     \
    static_assert(!std::is_reference_v<decltype(x)>, in " a reference cannot be registered; make it a pointer");
#define PYTREE__CHECK_BYTES(code, in)                                                                                   \
    static_assert(PYTREE__NO_OBJECT(code), in PYTREE__NO_BYTES);
#define PYTREE__CHECK_DROPPED_BYTES(x, in)                                                                              \
    static_assert(pytree__is_bytes<pytree__bare<decltype(x)>>, in PYTREE__NO_BYTES);
#define PYTREE__NO_BYTES                                                                                                \
    " its type has a copy constructor or a destructor (std::string, std::vector, std::unique_ptr), and trees are copied as " \
    "bytes; use a pointer with ARRAY(n) or LIST(n), STD_VECTOR for a DATA std::vector, or a custom node"
#define PYTREE__CHECK_STRUCT(S, text, vectors)                                                                          \
    static_assert(std::is_standard_layout_v<S>, "pytree: " text ": it has virtual functions, a base class with members, a " \
                  "reference, or members some of which are private; a registered struct is laid out as in C "           \
                  "(std::is_standard_layout)");                                                                         \
    static_assert((vectors) != 0 || std::is_trivially_copyable_v<S>,                                                    \
                  "pytree: " text ": it has a copy constructor, an assignment or a destructor, and trees are copied as " \
                  "bytes; register it as PYTREE_CUSTOM, or leave these to the compiler (other constructors do no harm)");
#endif
