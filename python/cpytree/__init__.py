"""Trees of C structs as nested Python containers whose leaves are NumPy arrays over the memory of C.

    library = cpytree.Library("./libmodel.so")     # exports `pytree model(void)` and the functions of pytree/layout.h
    model = library.tree("model")
    model.root.layers[0].w[...] = 1                # C sees it
    jax.tree.map(jnp.sum, model.root)              # structs are registered with jax.tree_util and optree

Nothing is compiled and nothing is copied but strings and static values. docs/python.md of the repository describes it.
"""
from ._layout import LayoutError, parse
from ._library import Library, LibraryError, TreeError
from ._nodes import Node, Static, Text
from ._tree import Tree

__all__ = ["LayoutError", "Library", "LibraryError", "Node", "Static", "Text", "Tree", "TreeError", "parse"]
__version__ = "0.2.0"
