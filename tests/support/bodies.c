/* The bodies of all headers, compiled once for all test programs that look at nothing private: see support.h. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/algebra.h"
#include "pytree/assign.h"
#include "pytree/cache.h"
#include "pytree/checkpoint.h"
#include "pytree/containers.h"
#include "pytree/derive.h"
#include "pytree/display.h"
#include "pytree/filter.h"
#include "pytree/graph.h"
#include "pytree/io.h"
#include "pytree/literal.h"
#include "pytree/npy.h"
#include "pytree/object.h"
#if !defined(TEST_NO_ZLIB)                /* platforms without zlib */
#include "pytree/npz.h"
#endif
#include "pytree/optimizer.h"
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/record.h"
#include "pytree/safetensors.h"
#include "pytree/state.h"
#include "pytree/transform.h"
#include "pytree/treedef.h"
#include "pytree/treedef_io.h"
#include "pytree/typed.h"
