/* More types than one file can register. */
// both: pytree_registry.h: 512 types are registered in this file, the most it can hold; register the rest in another file
// both: and pass its trees on.
// c++: compiles
// fixed: yes
/* The file includes itself: three octal digits name 512 types. */
#if !defined(A)
#include "pytree.h"
#define NAME(a, b, c) NAME_(a, b, c)
#define NAME_(a, b, c) Type##a##b##c
#define A 0
#include __FILE__
#undef A
#define A 1
#include __FILE__
#undef A
#define A 2
#include __FILE__
#undef A
#define A 3
#include __FILE__
#undef A
#define A 4
#include __FILE__
#undef A
#define A 5
#include __FILE__
#undef A
#define A 6
#include __FILE__
#undef A
#define A 7
#include __FILE__
#undef A
#ifndef PYTREE_TEST_FIXED
typedef struct OneMore { int x; } OneMore;
#define PYTREE_LEAF_TYPE OneMore
#include "pytree_registry.h"
#endif
#elif !defined(B)
#define B 0
#include __FILE__
#undef B
#define B 1
#include __FILE__
#undef B
#define B 2
#include __FILE__
#undef B
#define B 3
#include __FILE__
#undef B
#define B 4
#include __FILE__
#undef B
#define B 5
#include __FILE__
#undef B
#define B 6
#include __FILE__
#undef B
#define B 7
#include __FILE__
#undef B
#elif !defined(C)
#define C 0
#include __FILE__
#undef C
#define C 1
#include __FILE__
#undef C
#define C 2
#include __FILE__
#undef C
#define C 3
#include __FILE__
#undef C
#define C 4
#include __FILE__
#undef C
#define C 5
#include __FILE__
#undef C
#define C 6
#include __FILE__
#undef C
#define C 7
#include __FILE__
#undef C
#else
typedef struct NAME(A, B, C) { int x; } NAME(A, B, C);
#define PYTREE_LEAF_TYPE NAME(A, B, C)
#include "pytree_registry.h"
#endif
