/* pytree/registry/all.h: what pytree_registry.h includes once in C, where a list of its own makes gcc's messages shorter. In
 * C++ pytree.h includes it, because a registration may stand in a namespace. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_ALL_H
#define PYTREE_REGISTRY_ALL_H

#if defined(__cplusplus)
#include "quiet_cxx.h"
#endif
#include "words.h"
#include "rows.h"
#include "each.h"
#include "with.h"
#include "as.h"
#include "atomic.h"
#include "handle.h"
#include "union.h"
#if defined(__cplusplus)
#include "vector_cxx.h"
#include "codes_cxx.h"
#endif
#include "emit.h"
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
