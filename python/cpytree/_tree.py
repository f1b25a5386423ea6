"""A tree of C in Python: containers, and arrays over the memory of C that keep its owner alive."""
import collections
import ctypes
import weakref

import numpy as np

from ._layout import LayoutError, product
from ._nodes import NAN, Metadata, Node, Static, Text, factory, namedtuple_class, node_class

NUMBERS = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
           "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
           "c128": np.complex128, "long double": np.longdouble, "long double complex": np.clongdouble}
DLPACK_BFLOAT = 4


class Owner:
    """What must live as long as any array over its memory. `release` is called when nothing refers to it any more; not at the
    end of the process, where memory goes anyway."""

    def __init__(self, library, data, release):
        self.library, self.data, self.memories = library, data, weakref.WeakSet()
        self.finalizer = None if release is None else weakref.finalize(self, release)
        if self.finalizer is not None:
            self.finalizer.atexit = False


class Memory:
    """Elements in the memory of C, for NumPy: an array over them, and all views of it, refer to this object."""

    def __init__(self, owner, address, shape, dtype, room):
        self.owner = owner
        owner.memories.add(self)
        strides = tuple(room * product(shape[i + 1:]) for i in range(len(shape)))
        self.__array_interface__ = {"version": 3, "shape": tuple(shape), "typestr": dtype.str, "strides": strides,
                                    "data": (address, False)}


class BFloat16(np.ndarray):
    """An array of bfloat16, which NumPy cannot export by DLPack: it exports the bits, and the element type is put right."""

    def __dlpack__(self, **options):
        capsule = np.ndarray.__dlpack__(self.view(np.ndarray).view(np.uint16), **options)
        api = ctypes.pythonapi
        api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        name = api.PyCapsule_GetName(capsule)
        at = api.PyCapsule_GetPointer(capsule, name)
        # In the first struct version, context, deleter and flags stand before the DLTensor; in both data, device and the number
        # of dimensions before the code of the element type.
        before = 8 + 2 * ctypes.sizeof(ctypes.c_void_p) + 8 if name == b"dltensor_versioned" else 0
        ctypes.c_uint8.from_address(at + before + ctypes.sizeof(ctypes.c_void_p) + 8 + 4).value = DLPACK_BFLOAT
        return capsule


def bfloat16():
    """The element type of the package ml_dtypes, which JAX brings; without it the bits."""
    try:
        import ml_dtypes  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


class Builder:
    """Makes the containers of a checked description."""

    def __init__(self, layout, owner):
        self.layout, self.owner = layout, owner

    def build(self):
        """The root, and the leaves with their key paths in the order of C."""
        values, leaves = [], []
        for number, node in enumerate(self.layout.nodes):
            if "children" in node:
                count = node["children"]
                children = values[len(values) - count:]
                del values[len(values) - count:]
                values.append(self.node(number, node, children))
            else:
                values.append(self.leaf(number, node))
                leaves.append((self.layout.path(number), values[-1]))
        return values[0], leaves

    # ---- Leaves --------------------------------------------------------------------------------------------------------

    def fail(self, number, expected, got):
        """The error for a node, with its key path."""
        path = self.layout.path(number)
        raise LayoutError(f"{path or 'the root'}: expected {expected}, got {got}")

    def leaf(self, number, node):
        """An array over the memory of C; of strings their copies."""
        one = self.layout.types[node["type"]]
        if one["kind"] == "none":
            return None
        shape, address, dtype = node["shape"], node["address"], one["dtype"]
        if address is None:
            self.fail(number, "a leaf with data", "only a shape")
        if dtype == "str":
            return self.strings(number, shape, address)
        if dtype == "text":                # the last extent is the room for a string, whose last byte stays zero
            if not shape:
                self.fail(number, "the room of a string as its last extent", "no extent")
            return self.array(address, shape[:-1], np.dtype(("S", max(shape[-1] - 1, 1))), shape[-1])
        if dtype == "opaque":
            return self.array(address, shape, np.dtype(("V", one["size"])))
        if dtype == "bf16":
            return self.brain(address, shape)
        found = np.dtype(NUMBERS[dtype])
        if found.itemsize != one["size"]:
            self.fail(number, f"{found.itemsize} bytes for {dtype}, as NumPy has them here", one["size"])
        return self.array(address, shape, found)

    def array(self, address, shape, dtype, room=None):
        """NumPy's array over the elements, or one without elements. `room`: from one to the next, if not their own size."""
        room = dtype.itemsize if room is None else room
        if product(shape) * room == 0 or room < dtype.itemsize:
            return np.zeros(shape, dtype)
        return np.asarray(Memory(self.owner, address, shape, dtype, room))

    def brain(self, address, shape):
        """Of bfloat16."""
        bits, dtype = self.array(address, shape, np.dtype(np.uint16)), bfloat16()
        return bits if dtype is None else bits.view(dtype).view(BFloat16)

    def strings(self, number, shape, address):
        """One string, or an array of them, which cannot be written."""
        found = np.empty(product(shape), object)
        for i in range(found.size):
            text = ctypes.c_char_p.from_address(address + i * self.layout.pointer).value
            found[i] = None if text is None else text.decode("utf-8", "surrogateescape")
        if not shape and found[0] is None:
            self.fail(number, "a string", "NULL")
        if not shape:
            return found[0]
        found = found.reshape(shape)
        found.flags.writeable = False
        return found

    # ---- Nodes ---------------------------------------------------------------------------------------------------------

    def node(self, number, node, children):
        """A container."""
        one = self.layout.types[node["type"]]
        kind, keys = one["kind"], node.get("keys")
        if kind == "struct":
            names = tuple(("attribute", field["name"]) for field in self.layout.fields(node, "data"))
            rows = self.layout.fields(node, "static")
            made = node_class(one["name"], "struct", names, tuple(row["name"] for row in rows))
            return made(children, tuple(self.static(value, row) for value, row in zip(node["statics"], rows)))
        if kind == "custom":
            named = tuple(tuple(key.items())[0] for key in keys) if keys is not None else \
                tuple(("flat", i) for i in range(len(children)))
            kinds = tuple((how, None) for how in dict.fromkeys(how for how, _ in named))
            return node_class(one["name"], "custom", kinds, ())(children, Metadata(node["metadata"], named))
        if kind == "dict":
            return dict(zip(keys, children))
        if kind == "odict":
            return collections.OrderedDict(zip(keys, children))
        if kind == "defaultdict":
            name = node.get("factory")
            return collections.defaultdict(None if name is None else factory(name), zip(keys, children))
        if kind == "namedtuple":
            try:
                return namedtuple_class(node["name"], tuple(keys))(*children)
            except ValueError as problem:
                return self.fail(number, "a namedtuple that Python can have", problem)
        if kind == "deque":
            return collections.deque(children, node.get("maxlen"))
        return None if kind == "none" else tuple(children) if kind == "tuple" else children

    def static(self, value, row):
        """A static value, whose repr is what the text of a treedef says."""
        if isinstance(value, list):
            return tuple(self.static(one, row) for one in value)
        if not isinstance(value, dict):
            return value
        one = self.layout.types[row["type"]]
        if one["kind"] == "struct":
            fields = {field["name"]: field for field in one.get("fields", [])}
            return Static(one["name"], {name: self.static(part, fields.get(name, row)) for name, part in value.items()})
        text = value.get("text", repr(value))
        if one.get("dtype") in ("f16", "bf16", "f32", "f64"):
            return NAN if text in ("nan", "-nan") else float(text)
        return complex(text) if one.get("dtype") in ("c64", "c128") else Text(text)


class Tree:
    """A tree of C. `root` is the nested containers; they, and every array in them, keep the memory alive.

    Static values, strings and the shape of the tree are those of the moment at which it was made: after C has changed pointers or
    sizes, ask the library for the tree again.
    """

    def __init__(self, layout, owner, treedef):
        self.layout, self.treedef, self._owner = layout, treedef, owner
        self.root, self._leaves = Builder(layout, owner).build()

    @property
    def pointer(self):
        """The address of the root's struct, for functions of C that take a pointer to it; None where there is nothing."""
        return None if self._owner is None else ctypes.c_void_p(self._owner.data)

    def leaves_with_path(self):
        """The leaves with their key paths, as text, in the order of C: jax.tree.leaves_with_path."""
        return list(self._leaves)

    def update(self, values):
        """Copies the leaves of a tree of equal structure into the memory of C: nnx.update. Everything is checked first."""
        new = list(flat(values))
        mine = list(flat(self.root))
        if [path for path, _ in new] != [path for path, _ in mine]:
            other = next((a for (a, _), (b, _) in zip(new, mine) if a != b), f"{len(new)} leaves")
            raise ValueError(f"expected a tree with the {len(mine)} leaves of this one, got one that differs at {other}")
        for (path, to), (_, value) in zip(mine, new):
            shape = np.shape(value)
            if isinstance(to, np.ndarray) and (shape != to.shape or not np.can_cast(np.asarray(value).dtype, to.dtype, "same_kind")
                                               or (to.dtype.kind == "S" and np.asarray(value).dtype.itemsize > to.dtype.itemsize)):
                raise ValueError(f"{path}: expected {to.dtype}{list(to.shape)}, got {np.asarray(value).dtype}{list(shape)}")
            if not (isinstance(to, np.ndarray) and to.flags.writeable) and not np.array_equal(to, value):
                raise ValueError(f"{path}: expected the string {to!r}, which cannot be changed from Python, got {value!r}")
        for (_, to), (_, value) in zip(mine, new):
            if isinstance(to, np.ndarray) and to.flags.writeable:
                to[...] = value

    def close(self):
        """Frees an owned tree now. Raises BufferError, and frees nothing, while anything refers to arrays over its memory."""
        if self._owner is None:
            return
        root, leaves, self.root, self._leaves = self.root, self._leaves, None, []
        del root, leaves
        alive = len(self._owner.memories)
        if alive:
            self.root, self._leaves = Builder(self.layout, self._owner).build()
            raise BufferError(f"expected nothing to refer to the tree's memory, got {alive} arrays that are still in use")
        owner, self._owner = self._owner, None
        if owner.finalizer is not None:
            owner.finalizer()


def flat(root):
    """The leaves of nested containers with their key paths as text, in JAX's order."""
    stack = [("", root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, Node):
            children = [(f".{key}" if how == "attribute" else f"[{key!r}]", child)
                        for (how, key), child in zip(value.keys(), value._children)]
        elif isinstance(value, dict):
            keys = list(value) if isinstance(value, collections.OrderedDict) else sorted(value)
            children = [(f"[{key!r}]", value[key]) for key in keys]
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            children = [(f".{key}", child) for key, child in zip(value._fields, value)]
        elif isinstance(value, (list, tuple, collections.deque)):
            children = [(f"[{i}]", child) for i, child in enumerate(value)]
        elif value is None:
            continue
        else:
            yield path, value
            continue
        stack.extend((path + key, child) for key, child in reversed(children))
