/* The functions of the library as an ordinary source file. Add it to a program, or make a static library of it, and define
 * PYTREE_IMPLEMENTATION nowhere else. Remove the headers that the program does not use. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"

#include "pytree/algebra.h"
#include "pytree/assign.h"
#include "pytree/checkpoint.h"
#include "pytree/literal.h"
#include "pytree/npy.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"
#include "pytree/treedef_io.h"
#if PYTREE__HAS_STB
#include "pytree/containers.h"
#endif
#ifdef PYTREE_WITH_NPZ
#include "pytree/npz.h"                   /* link with -lz */
#endif
