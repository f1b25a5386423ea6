/* pytree/impl/all.h: the bodies of pytree.h, floor by floor: a room calls rooms of its own floor and of the
 * floors before it. (ARCHITECTURE.md names the two exceptions.) */
#ifndef PYTREE_IMPL_ALL_H
#define PYTREE_IMPL_ALL_H

/* Sanitizers check every copy of a function: compilers take a third to a half less time for bodies that they do not copy into
 * each other. A gcc before 12 would forget -fno-omit-frame-pointer after such a pragma, and with it the callers in a report. */
#if defined(PYTREE__SANITIZED) && defined(__clang__)
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#elif defined(PYTREE__SANITIZED) && __GNUC__ >= 12
#pragma GCC push_options
#pragma GCC optimize("no-inline")
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

#include "layout.h"
#include "treedef.h"
#include "treedef_text.h"
#include "view.h"

#include "pattern.h"

#include "cursor_stack.h"
#include "cursor_path.h"
#include "device.h"

#include "dict_order.h"
#include "given.h"
#include "row_text.h"

#include "cursor.h"

#include "flatten_owned.h"
#include "flatten.h"
#include "unflatten_into.h"
#include "iterate.h"
#include "map.h"
#include "walk.h"
#include "distinct.h"
#include "reached.h"
#include "check.h"
#include "owned.h"

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

#if defined(PYTREE__SANITIZED) && defined(__clang__)
#pragma clang attribute pop
#elif defined(PYTREE__SANITIZED) && __GNUC__ >= 12
#pragma GCC pop_options
#endif

#endif
