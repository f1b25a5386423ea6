"""Structs and custom nodes as Python objects, registered with JAX and optree."""
import collections
import functools
import importlib.util

NAN = float("nan")             # one object, so that tuples that contain it are equal


class Text(str):
    """A static value that Python has no type for, such as an address: what a treedef's text says."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class Static:
    """A struct among static values: its fields are attributes, and it cannot be changed."""

    __slots__ = ("_name", "_values")

    def __init__(self, name, values):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_values", tuple(values.items()))

    def __getattr__(self, name):
        for key, value in self._values:
            if key == name:
                return value
        raise AttributeError(f"{self._name} has no field {name!r}")

    def __setattr__(self, name, value):
        raise AttributeError(f"{self._name}.{name} is a static value, which cannot be changed from Python")

    def __eq__(self, other):
        return isinstance(other, Static) and (self._name, self._values) == (other._name, other._values)

    def __hash__(self):
        return hash((self._name, self._values))

    def __repr__(self):
        return f"{self._name}({', '.join(f'{key}={value!r}' for key, value in self._values)})"


class Metadata:
    """The metadata and keys of a custom node; shown as the C type shows the metadata."""

    __slots__ = ("text", "keys")

    def __init__(self, text, keys):
        self.text, self.keys = text, keys

    def __eq__(self, other):
        return isinstance(other, Metadata) and (self.text, self.keys) == (other.text, other.keys)

    def __hash__(self):
        return hash((self.text, self.keys))

    def __repr__(self):
        return self.text


class Factory:
    """What stands for the factory of a default dict that has no meaning here: it has a name, and cannot make anything."""

    def __init__(self, name):
        self.name = name

    def __call__(self):
        raise TypeError(f"the factory {self!r} is a name that C gave, with nothing behind it in Python")

    def __repr__(self):
        return self.name if self.name.startswith("<") else f"<class '{self.name}'>"


FACTORIES = {one.__name__: one for one in (bool, dict, float, int, list, set, str, tuple)}


@functools.lru_cache(maxsize=None)
def factory(name):
    """The factory of a name: Python's own class, or one Factory for each name."""
    return FACTORIES.get(name) or Factory(name)


class Node:
    """A struct or custom node of C: its children and static values are attributes. Each C type has a class of its own.

    The names cannot be bound to other values: write into an array, `node.rate[...] = 3`, and C sees it. What JAX and optree make
    of such a node has the same class and holds what they put into it.
    """

    _kind, _keys, _statics = "struct", (), ()

    def __init__(self, children, aux):
        own = self.__dict__
        own["_children"], own["_aux"] = tuple(children), aux
        own.update(zip(self._statics, aux if self._kind == "struct" else ()))
        own.update((key, child) for (how, key), child in zip(self.keys(), self._children) if how == "attribute")

    def keys(self):
        """The keys of the children, as pairs (kind, key); kinds are attribute, index, key, flat."""
        return self._keys if self._kind == "struct" else self._aux.keys

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__}.{name} cannot be bound to another value; to change what C sees, write into the "
                             f"array: .{name}[...] = value")

    def __getitem__(self, key):
        for (how, name), child in zip(self.keys(), self._children):
            if how != "attribute" and name == key:
                return child
        raise KeyError(key)

    def __repr__(self):
        parts = [f"{name}={value!r}" for name, value in zip(self._statics, self._aux)] if self._kind == "struct" else []
        parts += [f"{key}={child!r}" for (_, key), child in zip(self.keys(), self._children)]
        return f"{type(self).__name__}({', '.join(parts)})"


@functools.lru_cache(maxsize=None)
def node_class(name, kind, keys, statics):
    """The class of a C type, made once: trees of two libraries that have the same struct have the same class."""
    made = type(name, (Node,), {"_kind": kind, "_keys": keys, "_statics": statics, "__module__": "cpytree",
                                "__doc__": f"The C {kind} {name}."})
    for package, register in (("jax", register_jax), ("optree", register_optree)):
        if importlib.util.find_spec(package) is not None:
            register(made)
    return made


@functools.lru_cache(maxsize=None)
def namedtuple_class(name, keys):
    """The class of a namedtuple, which JAX and optree know without being told."""
    return collections.namedtuple(name, keys)


def register_jax(made):
    """Children have the keys that C gives them, and the static values are the treedef's own data."""
    from jax import tree_util  # pylint: disable=import-outside-toplevel
    keys = {"attribute": tree_util.GetAttrKey, "index": tree_util.SequenceKey, "key": tree_util.DictKey,
            "flat": tree_util.FlattenedIndexKey}

    def flatten_with_keys(node):
        return tuple((keys[how](key), child) for (how, key), child in zip(node.keys(), node._children)), node._aux

    tree_util.register_pytree_with_keys(made, flatten_with_keys, lambda aux, children: made(children, aux),
                                        lambda node: (node._children, node._aux))


def register_optree(made):
    """Likewise, in optree's global namespace."""
    import optree  # pylint: disable=import-outside-toplevel
    entries = {"attribute": optree.GetAttrEntry, "index": optree.SequenceEntry, "key": optree.MappingEntry}
    how = made._keys[0][0] if made._keys else "attribute" if made._kind == "struct" else "flat"

    def flatten(node):
        return node._children, node._aux, tuple(key for _, key in node.keys())

    optree.register_pytree_node(made, flatten, lambda aux, children: made(children, aux),
                                path_entry_type=entries.get(how, optree.FlattenedEntry),
                                namespace=getattr(optree.registry, "__GLOBAL_NAMESPACE"))
