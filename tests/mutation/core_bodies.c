/* The bodies of the core, of what it has for containers, and of the headers that most of its themes include. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "stb_memory.h"
#include "pytree.h"
#include "pytree/containers.h"
#include "pytree/treedef.h"
#include "pytree/typed.h"
