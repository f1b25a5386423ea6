"""A shared library that exports trees: opening it, calling it, and the words of its errors."""
import ctypes
import json
import os
import sys

from ._layout import FORMAT, parse
from ._tree import Owner, Tree


class LibraryError(OSError):
    """A library that this package cannot use."""


class TreeError(RuntimeError):
    """An error of the C library: `status` is its number, `path` the key path."""

    def __init__(self, function, status, message, path):
        super().__init__(f"{function}: {path + ': ' if path else ''}{message}")
        self.status, self.message, self.path = status, message, path


class Pytree(ctypes.Structure):
    """The C struct of that name."""

    _fields_ = [("type", ctypes.c_void_p), ("data", ctypes.c_void_p)]


SIZE, ADDRESS = ctypes.c_size_t, ctypes.c_void_p
SIZE_MAX = SIZE(-1).value
# Of pytree/layout.h and pytree.h: result and arguments.
FUNCTIONS = {
    "pytree_layout_abi": (SIZE, [ADDRESS, SIZE]),
    "pytree_layout_text": (SIZE, [Pytree, ADDRESS, SIZE, ADDRESS, ADDRESS]),
    "pytree_structure": (ADDRESS, [Pytree, ADDRESS, ADDRESS]),
    "pytree_def_text": (SIZE, [ADDRESS, ADDRESS, SIZE]),
    "pytree_def_free": (None, [ADDRESS]),
    "pytree_free": (None, [Pytree]),
}


def decode(text):
    """Text of C: bytes that are not UTF-8 become surrogates."""
    return text.decode("utf-8", "surrogateescape")


class Library:
    """A shared library whose functions return trees. `c` is its ctypes.CDLL, for all its other functions."""

    def __init__(self, path):
        self.path = os.fspath(path)
        try:
            self.c = ctypes.CDLL(self.path)
        except OSError as problem:
            raise LibraryError(f"expected a shared library, got what cannot be opened: {problem}") from None
        self._calls = {name: self.function(name, restype, argtypes) for name, (restype, argtypes) in FUNCTIONS.items()}
        self._error = self._check_abi()

    def function(self, name, restype=None, argtypes=None):
        """A function of the library, as ctypes has it."""
        try:
            found = self.c[name]               # not an attribute: a function object of its own, whose types are set here
        except AttributeError:
            hint = "compile the file that defines PYTREE_IMPLEMENTATION with pytree/layout.h included, and without hiding symbols" \
                if name in FUNCTIONS else "is it static, or misspelt?"
            raise LibraryError(f"{self.path}: expected a function {name}, got none: {hint}") from None
        found.restype = restype
        if argtypes is not None:
            found.argtypes = argtypes
        return found

    def tree(self, name, *arguments, free=None):
        """Calls the C function `name`, which returns a pytree, and shows its result as a Tree.

        The memory belongs to C, which must not free it while the tree is in use, unless `free` names the C function that frees it,
        void f(pytree), such as pytree_free: then it is called once, when the last array over the memory is gone.
        """
        function = self.function(name, Pytree)
        release = None if free is None else self.function(free, None, [Pytree])
        made = function(*arguments)
        value = Pytree(made.type, made.data)
        if not value.type:
            raise LibraryError(f"{self.path}: expected a tree from {name}, got a pytree without a type")
        if free is not None and not value.data:
            raise LibraryError(f"{self.path}: expected a tree that {free} can free from {name}, got none")
        owner = Owner(self, value.data, None if release is None else lambda: release(value))
        return Tree(parse(self._layout_of(value), ctypes.sizeof(ADDRESS)), owner, self._treedef_of(value))

    # ---- Calls ---------------------------------------------------------------------------------------------------------

    def _check_abi(self):
        """Where the members of pytree_error are."""
        text = decode(self._text("pytree_layout_abi"))
        try:
            abi = json.loads(text)
            error = abi["error"]
            places = [error[name] for name in ("status", "message", "path", "size")]
        except (ValueError, KeyError, TypeError):
            raise LibraryError(f"{self.path}: expected the answer of pytree_layout_abi, got {text[:100]!r}") from None
        if abi.get("format") != FORMAT:
            raise LibraryError(f"{self.path}: expected layouts of format {FORMAT}, got format {abi.get('format')!r} of version "
                               f"{abi.get('version')!r} of the C library: use the package of that version")
        here = {"pointer": ctypes.sizeof(ADDRESS), "byte_order": sys.byteorder}
        for name, wanted in here.items():
            if abi.get(name) != wanted:
                raise LibraryError(f"{self.path}: expected {wanted!r} for {name}, as this Python has, got {abi.get(name)!r}")
        if not all(isinstance(place, int) and 0 <= place < 1 << 20 for place in places) or sorted(places) != places \
                or places[1] < 4:
            raise LibraryError(f"{self.path}: expected status, message and path in pytree_error, in this order, got {places}")
        return dict(zip(("status", "message", "path", "size"), places))

    def _text(self, name, *before, after=()):
        """What a function writes that works like snprintf."""
        call = self._calls[name]
        length = call(*before, None, 0, *after)
        while length != SIZE_MAX:
            buffer = ctypes.create_string_buffer(length + 1)
            again = call(*before, buffer, length + 1, *after)
            if again == length:
                return buffer.value
            length = again                 # C is changing the tree meanwhile
        return None

    def _raise(self, function, error):
        """Raises what a pytree_error says."""
        places = self._error
        parts = [decode(bytes(error[places[name]:places[end]]).split(b"\0")[0]) for name, end in
                 (("message", "path"), ("path", "size"))]
        raise TreeError(function, int.from_bytes(bytes(error[places["status"]:places["message"]])[:4], sys.byteorder), *parts)

    def _layout_of(self, value):
        error = (ctypes.c_char * self._error["size"])()
        text = self._text("pytree_layout_text", value, after=(None, error))
        if text is None:
            self._raise("pytree_layout_text", error)
        return text.decode("utf-8")

    def _treedef_of(self, value):
        """The text of the tree's treedef."""
        error = (ctypes.c_char * self._error["size"])()
        treedef = self._calls["pytree_structure"](value, None, error)
        if treedef is None:
            self._raise("pytree_structure", error)
        try:
            text = self._text("pytree_def_text", treedef)
        finally:
            self._calls["pytree_def_free"](treedef)
        if text is None:
            raise TreeError("pytree_def_text", 1, "out of memory", "")
        return decode(text)
