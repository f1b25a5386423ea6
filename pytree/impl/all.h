/* pytree/impl/all.h: the bodies of pytree.h, floor by floor: a room calls rooms of its own floor and of the
 * floors before it. (ARCHITECTURE.md names the two exceptions.) */
#ifndef PYTREE_IMPL_ALL_H
#define PYTREE_IMPL_ALL_H

/* Sanitizers check every copy of a function: compilers take a third to a half less time for bodies that they do not copy into
 * each other. Where speed counts, gcc leaves out passes that take a third of its time and make these bodies no faster; loops
 * over two to four trees even become slower as vector code. Functions begin at lines of the cache, and loops at half of one,
 * so that what one costs does not depend on the size of those before it: that alone was up to a tenth. (A gcc before 12 would
 * forget -fno-omit-frame-pointer after such a pragma, and with it the callers in a sanitizer's report.) */
#if defined(__clang__)
#ifdef PYTREE__SANITIZED
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#endif
#elif __GNUC__ >= 12
#pragma GCC push_options
#ifdef PYTREE__SANITIZED
#pragma GCC optimize("no-inline")
#elif defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-vrp", "no-tree-bit-ccp", "no-code-hoisting", "no-gcse", \
                     "no-schedule-insns2", "no-expensive-optimizations", "no-dse", "no-ree", "no-tree-pta", "no-ipa-modref", \
                     "align-functions=64", "align-loops=32", "align-jumps=16")
#endif
#endif

#include "error.h"
#include "kind.h"
#include "number.h"
#include "type.h"
#include "unicode.h"

#include "memory.h"
#include "text.h"
#include "float_text.h"

#include "statics.h"

#include "layout_make.h"
#include "layout.h"
#include "treedef.h"
#include "treedef_text.h"
#include "view.h"

#include "pattern.h"
#include "follow.h"

#include "cursor_stack.h"
#include "cursor_path.h"
#include "device.h"

#include "dict_order.h"
#include "given.h"
#include "row_text.h"

#include "cursor_check.h"
#include "cursor.h"

#include "flatten_owned.h"
#include "flatten.h"
#include "unflatten_into.h"
#include "iterate_errors.h"
#include "iterate.h"
#include "map.h"
#include "walk.h"
#include "distinct.h"
#include "reached.h"
#include "check.h"
#include "owned.h"

/* Under sanitizers, clang does not optimize the rooms that build trees and texts: the bodies then compile in four fifths of the
 * time. The rooms above, which go over trees, stay optimized: tests spend their time there. */
#if defined(__clang__) && defined(PYTREE__SANITIZED)
#pragma clang optimize off
#endif

#include "build_device.h"
#include "build_place.h"
#include "build_same.h"
#include "build_struct.h"
#include "build_items.h"
#include "build_bound.h"
#include "build.h"
#include "build_handles.h"
#include "build_block.h"
#include "unflatten.h"
#include "materialize.h"

#include "reduce.h"
#include "compare.h"
#include "print.h"
#include "paths.h"

#if defined(__clang__)
#ifdef PYTREE__SANITIZED
#pragma clang optimize on
#pragma clang attribute pop
#endif
#elif __GNUC__ >= 12
#pragma GCC pop_options
#endif

#endif
