"""The package in python/, beside JAX and optree: python_checks.py runs this in their environment. Reports in TAP.

    test_cpytree.py LIBRARY [NAME...]

LIBRARY is made of trees.c.
"""
import collections
import copy
import ctypes
import gc
import json
import sys
import traceback

import jax
import numpy as np
import optree

import cpytree
from cpytree import _tree

LIBRARY = cpytree.Library(sys.argv[1])
NAMES = ["mlp", "headless", "everything", "containers", "none", "number", "variable", "statics"]


def every():
    """All trees, with names: those of every kind of row, too."""
    yield from ((name, LIBRARY.tree(name)) for name in NAMES)
    yield from ((f"every {i}", LIBRARY.tree("every", ctypes.c_size_t(i))) for i in range(LIBRARY.c.every_count()))


def refused(kind, *words):
    """A context in which an error of that kind with those words must come."""
    class Refused:
        """See above."""

        def __enter__(self):
            return self

        def __exit__(self, got, error, _):
            assert got is not None and issubclass(got, kind), f"expected {kind.__name__}, got {got}"
            for word in words:
                assert word in str(error), f"expected {word!r} in {str(error)!r}"
            self.error = error
            return True
    return Refused()


def same(a, b):
    """Leaves with the same type, shape and bits; strings as they are."""
    if not isinstance(a, np.ndarray):
        return type(a) is type(b) and a == b
    return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


# ---- Structure -------------------------------------------------------------------------------------------------------


def test_treedefs_are_those_of_c():
    """JAX writes the treedef of every tree as pytree_def_text does."""
    for name, tree in every():
        assert str(jax.tree.structure(tree.root)) == tree.treedef, (name, tree.treedef, jax.tree.structure(tree.root))


def test_treedefs_in_optree():
    """optree's text differs only in its two names, where there are no dicts, whose keys it writes otherwise."""
    for name, tree in every():
        if name != "containers":
            text = str(optree.tree_structure(tree.root)).replace("CustomTreeNode", "CustomNode").replace("PyTreeSpec", "PyTreeDef")
            assert text == tree.treedef, (name, text)
    deque = LIBRARY.tree("deque")                     # a leaf to JAX
    assert str(optree.tree_structure(deque.root)).replace("PyTreeSpec", "PyTreeDef") == deque.treedef


def test_paths_and_values():
    """JAX and optree find the leaves of C in the order of C, under the paths of C."""
    for name, tree in every():
        mine = tree.leaves_with_path()
        theirs = jax.tree_util.tree_leaves_with_path(tree.root)
        assert [path for path, _ in mine] == [jax.tree_util.keystr(path) for path, _ in theirs], name
        assert all(same(a, b) for (_, a), (_, b) in zip(mine, theirs)), name
        assert len(mine) == len(theirs)
        leaves = optree.tree_leaves(tree.root)
        assert len(leaves) == len(mine) and all(a is b for (_, a), b in zip(mine, leaves)), name
        accessors = optree.tree_accessors(tree.root)
        assert all(accessor(tree.root) is leaf for accessor, leaf in zip(accessors, leaves)), name


def test_rebuilt_trees():
    """Both packages rebuild trees of the same classes, equal treedefs are equal, and maps work over several trees."""
    for name, tree in every():
        leaves, treedef = jax.tree.flatten(tree.root)
        again = treedef.unflatten(leaves)
        assert type(again) is type(tree.root) and jax.tree.structure(again) == treedef, name
        assert hash(jax.tree.structure(again)) == hash(treedef), name
        assert optree.tree_structure(optree.tree_map(lambda leaf: leaf, tree.root)) == optree.tree_structure(tree.root), name
    model = LIBRARY.tree("mlp").root
    doubled = jax.tree.map(lambda a, b: a + b, model, LIBRARY.tree("mlp").root)
    assert isinstance(doubled, type(model)) and np.array_equal(doubled.layers[1].w, 2 * model.layers[1].w)
    assert doubled.n_layers == model.n_layers == 3 and model.layers[0].din == 4


def test_treedefs_differ():
    """Static values are structure."""
    assert jax.tree.structure(LIBRARY.tree("mlp").root) != jax.tree.structure(LIBRARY.tree("headless").root)
    with refused(ValueError):
        jax.tree.map(lambda a, b: a, LIBRARY.tree("mlp").root.layers[0], LIBRARY.tree("mlp").root.layers[1])


def test_static_values():
    """Python's values, which are written as C writes them; they cannot be changed."""
    root = LIBRARY.tree("statics").root
    assert (root.yes, root.large, root.rate, root.huge, root.name, root.none, root.code) == \
        (True, -2 ** 63, 0.1, 1e22, "it's", None, "xyz")
    assert np.isnan(root.bad[0]) and root.bad[1:] == (-np.inf, 1e-7)
    assert root.table == (1, 2, 3, 4) and root.one == (9,) and root.color == 2 and root.bits == 5
    assert root.config.width == 3 and root.config.activation == "relu" and root.config.rates == (0.5, 0.25)
    assert repr(root.config) == "Config(width=3, activation='relu', rates=(0.5, 0.25))"
    with refused(AttributeError, "Config.width", "cannot be changed"):
        root.config.width = 4
    with refused(AttributeError, "Statics.rate", "[...] = value"):
        root.rate = 4
    with refused(AttributeError):
        root.absent  # pylint: disable=pointless-statement


def test_containers():
    """Each kind is Python's own."""
    root = LIBRARY.tree("containers").root
    assert type(root) is dict and type(root["a"]) is tuple and root["e"] == () and root["b"][2] is None
    assert type(root["o"]) is collections.OrderedDict and list(root["o"]) == ["z", "y"]
    assert type(root["f"]) is collections.defaultdict and root["f"].default_factory is int and root["q"].default_factory is None
    assert type(root["d"]).__name__ == "Pair" and root["d"]._fields == ("x", "y") and set(root["c"]) == {3, -2}
    assert "bytes \udcff" in root and root["a"][0] == "x"
    with refused(TypeError, "<class 'mine'>"):
        root["p"]["absent"]  # pylint: disable=pointless-statement
    deque = LIBRARY.tree("deque").root
    assert deque[0].maxlen == 4 and deque[1].maxlen is None
    variable = LIBRARY.tree("variable").root
    assert variable.value == 3 and repr(variable) == "Param(value=array(3., dtype=float32))"


def test_every_element_type():
    """NumPy's types are those of C, and each value is what C wrote."""
    root = LIBRARY.tree("everything").root
    types = {name: getattr(root, name).dtype.name for name in
             ("flag", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "half", "brain", "f_long")}
    assert types == {"flag": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
                     "i64": "int64", "u64": "uint64", "f32": "float32", "f64": "float64", "half": "float16", "brain": "bfloat16",
                     "f_long": np.dtype(np.longdouble).name}, types
    assert root.matrix.shape == (2, 3) and root.cube.shape == (2, 3, 4) and isinstance(root.name, str)
    strings = next(tree for _, tree in every() if type(tree.root).__name__ == "EveryStrings").root
    texts = [leaf for leaf in jax.tree.leaves(strings) if isinstance(leaf, np.ndarray)]
    assert [(leaf.dtype.str, leaf.shape) for leaf in texts] == [("|S7", ()), ("|S5", (2,))], texts
    lines = texts[1]
    assert lines.strides == (6,) and lines.tolist() == [b"one", b"two"], lines
    lines[1] = b"much too long"                       # the byte behind it stays zero, so that C finds an end
    assert ctypes.string_at(lines.ctypes.data, 12) == b"one\0\0\0much \0"


# ---- Memory ----------------------------------------------------------------------------------------------------------


def test_writes_are_seen_by_c():
    """And what C writes is seen here."""
    LIBRARY.c.mlp_sum.restype = ctypes.c_double
    tree = LIBRARY.tree("mlp")
    before = [np.copy(leaf) for _, leaf in tree.leaves_with_path()]
    tree.root.layers[1].w[...] = 100
    tree.root.scale[0, 1] += 3
    expected = sum(float(np.sum(leaf, dtype=np.float64)) for _, leaf in tree.leaves_with_path())
    assert LIBRARY.c.mlp_sum() == expected
    assert np.shares_memory(LIBRARY.tree("mlp").root.layers[1].w, tree.root.layers[1].w)
    for (_, leaf), old in zip(tree.leaves_with_path(), before):
        leaf[...] = old


def test_update():
    """A tree of values is copied into C, and nothing of it if anything does not fit."""
    tree = LIBRARY.tree("made", 4, free="unmade")
    tree.update(jax.tree.map(lambda leaf: leaf * 2, tree.root))
    assert np.array_equal(tree.root.x, [0, 2, 4, 6]) and tree.root.rate == 1
    leaves, treedef = jax.tree.flatten(tree.root)
    for wrong, words in ((treedef.unflatten([leaves[0] * 9, np.zeros(3)]), (".rate", "float32[]", "float64[3]")),
                         (treedef.unflatten([leaves[0] * 9, 1j]), (".rate", "complex128")),
                         ([1, 2], ("differs at [0]",)), ({}, ("0 leaves",))):
        with refused(ValueError, *words):
            tree.update(wrong)
        assert np.array_equal(tree.root.x, [0, 2, 4, 6])
    strings = next(tree for _, tree in every() if type(tree.root).__name__ == "EveryStrings")
    leaves, treedef = jax.tree.flatten(strings.root)
    with refused(ValueError, ".name", "|S7", "|S8"):
        strings.update(treedef.unflatten([leaves[0], np.array(b"12345678"), leaves[2]]))
    strings.update(treedef.unflatten([leaves[0], np.array(b"12"), leaves[2]]))
    assert strings.root.name == b"12"
    strings = LIBRARY.tree("containers")
    strings.update(strings.root)
    changed = dict(strings.root)
    changed["a"] = ("y", True)
    with refused(ValueError, "['a'][0]", "'x'", "'y'"):
        strings.update(changed)


def test_owner_lives_as_long_as_arrays():
    """An owned tree is freed once, after the last array over its memory, also one made of it by DLPack or as a view."""
    frees = LIBRARY.c.freed()
    makers = [lambda tree: tree.root.x, lambda tree: tree.root.x[1:3].reshape(2, 1), lambda tree: np.from_dlpack(tree.root.x),
              lambda tree: jax.dlpack.from_dlpack(tree.root.x.view(np.float32)), lambda tree: tree.root,
              lambda tree: memoryview(tree.root.x), lambda tree: tree]
    for n, maker in enumerate(makers):
        tree = LIBRARY.tree("made", 100, free="unmade")
        kept = maker(tree)
        copied = copy.deepcopy(np.asarray(kept)) if n < 4 else None
        del tree
        gc.collect()
        assert LIBRARY.c.freed() == frees + n, n
        if n < 4:
            assert np.array_equal(np.asarray(kept), copied), n
        del kept
        gc.collect()
        assert LIBRARY.c.freed() == frees + n + 1, n


def test_freed_memory_would_be_noticed():
    """The library overwrites what it frees: without an owner the test above would read other numbers."""
    tree = LIBRARY.tree("made", 100, free="unmade")
    borrowed = np.ctypeslib.as_array((ctypes.c_double * 100).from_address(tree.root.x.ctypes.data))
    assert borrowed[5] == 5
    assert not tree._owner.finalizer.atexit           # at the end of the process nothing is freed
    del tree
    gc.collect()
    assert np.isnan(borrowed[5])


def test_close():
    """Refused while an array lives; then the memory is freed at once."""
    frees = LIBRARY.c.freed()
    tree = LIBRARY.tree("made", 3, free="unmade")
    x = tree.root.x
    with refused(BufferError, "1 arrays"):
        tree.close()
    assert LIBRARY.c.freed() == frees and np.array_equal(tree.root.x, x)
    del x
    tree.close()
    tree.close()
    assert LIBRARY.c.freed() == frees + 1 and tree.root is None
    LIBRARY.tree("mlp").close()                       # frees nothing: the memory is C's


def test_failures_free_what_was_made():
    """A tree that cannot be shown is freed."""
    frees, parse = LIBRARY.c.freed(), sys.modules["cpytree._library"].parse
    try:
        sys.modules["cpytree._library"].parse = lambda *_: parse("{}")
        with refused(cpytree.LayoutError, "format 1"):
            LIBRARY.tree("made", 3, free="unmade")
    finally:
        sys.modules["cpytree._library"].parse = parse
    gc.collect()
    assert LIBRARY.c.freed() == frees + 1


# ---- DLPack ----------------------------------------------------------------------------------------------------------


def test_dlpack():
    """NumPy and JAX take every array of numbers; of 64-aligned memory without a copy, and written through, where NumPy does."""
    for _, tree in every():
        for path, leaf in tree.leaves_with_path():
            if not isinstance(leaf, np.ndarray) or leaf.dtype.kind in "SOV" and leaf.dtype.name != "bfloat16":
                continue
            if leaf.dtype.itemsize > 8 or not leaf.flags.aligned:
                continue
            theirs = jax.dlpack.from_dlpack(leaf)
            assert theirs.shape == leaf.shape and np.array_equal(np.asarray(theirs), leaf.astype(theirs.dtype)), path
            assert theirs.dtype.name == leaf.dtype.name or not jax.config.jax_enable_x64, path
    x = LIBRARY.tree("made", 4, free="unmade").root.x
    other = np.from_dlpack(x)
    other[2] = 50
    assert x[2] == 50 and other.ctypes.data == x.ctypes.data
    assert jax.dlpack.from_dlpack(x.view(np.float32)).unsafe_buffer_pointer() == x.ctypes.data


def test_dlpack_of_bfloat16():
    """Both versions of the struct say bfloat, and hold the array."""
    x = LIBRARY.tree("statics").root.x
    assert isinstance(x, _tree.BFloat16) and x.tolist() == [1, 2, 3, -4]
    taken = jax.dlpack.from_dlpack(x)
    assert taken.dtype == x.dtype and taken.tolist() == [1, 2, 3, -4]
    for options, name, code in (({}, b"dltensor", 20), ({"max_version": (1, 0)}, b"dltensor_versioned", 52)):
        capsule = x.__dlpack__(**options)
        ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
        ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        at = ctypes.pythonapi.PyCapsule_GetPointer(capsule, name)
        assert ctypes.string_at(at + code, 2) == bytes([4, 16]), name


def test_dlpack_in_torch():
    """Where it is installed."""
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError:
        return "PyTorch is not installed, not run"
    x = LIBRARY.tree("made", 4, free="unmade").root.x
    other = torch.from_dlpack(x)
    other[2] = 50
    assert x[2] == 50 and torch.from_dlpack(LIBRARY.tree("statics").root.x).dtype == torch.bfloat16
    return None


# ---- Hostile input ---------------------------------------------------------------------------------------------------


def described():
    """A true description, as a program may have changed it."""
    return copy.deepcopy({"format": 1, "version": "0.2.0", "types": LIBRARY.tree("mlp").layout.types,
                          "nodes": LIBRARY.tree("mlp").layout.nodes})


def test_wrong_layouts():
    """Each wrong member is refused before any memory is touched, with the place, what was expected and what came."""
    good = described()
    cpytree.parse(json.dumps(good))
    types = {one["name"]: number for number, one in enumerate(good["types"])}
    linear, mlp, number = types["Linear"], types["MLP"], types["float"]
    root = len(good["nodes"]) - 1
    cases = [
        (("format",), 2, ("expected format 1", "got 2", "'0.2.0'")),
        (("types",), {}, ("a list as 'types'",)),
        (("types", linear, "fields", 2, "offset"), 4096, ("Linear.w", "within the 24", "offset 4096")),
        (("types", linear, "fields", 2, "offset"), -8, ("Linear.w", "'offset'", "-8")),
        (("types", linear, "fields", 2, "size"), 4, ("Linear.w", "a pointer of 8 bytes", "4 bytes")),
        (("types", linear, "fields", 2, "type"), 99, ("Linear.w", "99")),
        (("types", linear, "fields", 2, "type"), True, ("Linear.w", "True")),
        (("types", linear, "fields", 2, "row"), "dat", ("Linear.w", "data, static or drop", "dat")),
        (("types", linear, "fields", 2, "name"), 3, ("a name as 'name'",)),
        (("types", linear, "fields"), [3], ("fields that are objects",)),
        (("types", linear, "align"), 3, ("a power of two", "3")),
        (("types", linear, "kind"), "strukt", ("Linear", "strukt")),
        (("types", mlp, "fields", 3, "size"), 20, ("MLP.scale", "24 bytes", "20")),
        (("types", number, "dtype"), "f33", ("float", "f33")),
        (("types", number, "size"), 3, ("float", "4 bytes for f32", "3")),
        (("nodes", 0, "shape"), [-1], ("nodes[0] float", "[-1]")),
        (("nodes", 0, "shape"), [1 << 40, 1 << 40], ("nodes[0] float", "in memory")),
        (("nodes", 0, "address"), 0, ("nodes[0] float", "0x0")),
        (("nodes", 0, "address"), 1 << 64, ("nodes[0] float", "0x1")),
        (("nodes", 0, "address"), "x", ("nodes[0] float", "an address")),
        (("nodes", 0, "type"), linear, ("nodes[0] Linear", "the type of a leaf")),
        (("nodes", 2, "statics"), [1], ("nodes[2] Linear", "2 static values", "1")),
        (("nodes", 2, "children"), 1, ("expected one root", "got 2")),
        (("nodes", 2, "children"), 3, ("nodes[2]", "at most 2 children", "3")),
        (("nodes", root, "children"), 2, ("expected one root",)),
        (("nodes", root, "type"), number, ("a type that can have children", "leaf")),
    ]
    for place, value, words in cases:
        wrong = described()
        at = wrong
        for key in place[:-1]:
            at = at[key]
        at[place[-1]] = value
        with refused(cpytree.LayoutError, *words):
            cpytree.parse(json.dumps(wrong))


def test_wrong_offsets_of_values_in_place():
    """Values in one struct must be as far apart as its rows say, also those of structs in it."""
    layout = LIBRARY.tree("everything").layout
    good = {"format": 1, "types": layout.types, "nodes": layout.nodes}
    names = [one["name"] for one in layout.types]
    for struct, field in (("Everything", "u16"), ("Point", "y"), ("Everything", "matrix")):
        wrong = copy.deepcopy(good)
        row = next(one for one in wrong["types"][names.index(struct)]["fields"] if one["name"] == field)
        row["offset"] -= 4
        with refused(cpytree.LayoutError, f"{struct}.", "behind the beginning of the struct"):
            cpytree.parse(json.dumps(wrong))


def test_broken_text():
    """Every truncation, and what is no JSON."""
    text = json.dumps(described())
    for n in range(0, len(text), 7):
        with refused(cpytree.LayoutError):
            cpytree.parse(text[:n])
    for wrong in ("[]", "3", "null", "[" * 100000, '{"format":1,"types":[],"nodes":[{"type":0}]}', '{"format":1,"types":[3]}',
                  '{"format":1,"types":[],"nodes":[[]]}', '{"format":1,"types":[],"nodes":3}', "\0"):
        with refused(cpytree.LayoutError, "expected"):
            cpytree.parse(wrong)


def test_random_changes():
    """Any member replaced by any other value: a LayoutError, or a layout; nothing else."""
    random = np.random.default_rng(0)
    values = [None, True, -1, 0, 1, 3, 1 << 62, 1 << 70, 1.5, "", "x", [], [1], {}, {"a": 1}]
    refusals = 0
    for _ in range(2000):
        wrong = described()
        at, key = wrong, None
        while isinstance(at, (dict, list)) and len(at) and random.random() < 0.8:
            keys = list(at) if isinstance(at, dict) else range(len(at))
            parent, key = at, keys[random.integers(len(keys))]
            at = at[key]
        if key is None:
            continue
        parent[key] = values[random.integers(len(values))]
        try:
            cpytree.parse(json.dumps(wrong))
        except cpytree.LayoutError:
            refusals += 1
    assert refusals > 1000, refusals


def test_errors_of_c():
    """The words of C, with the key path."""
    with refused(cpytree.TreeError, "pytree_layout_text: .w: expected 12 elements of float, got NULL") as caught:
        LIBRARY.tree("missing")
    assert caught.error.path == ".w" and caught.error.status == 2
    with refused(cpytree.LibraryError, "expected a tree from nothing, got a pytree without a type"):
        LIBRARY.tree("nothing")
    with refused(cpytree.LayoutError, "[0]: expected a leaf with data, got only a shape"):
        LIBRARY.tree("shapes")
    with refused(cpytree.LibraryError, "expected a function absent, got none"):
        LIBRARY.tree("absent")
    with refused(cpytree.LibraryError, "expected a function absent, got none"):
        LIBRARY.tree("made", 3, free="absent")


def test_other_libraries():
    """One that is none, one without the functions, others of another format and of other machines."""
    folder = sys.argv[1].rsplit("/", 1)[0]
    with refused(cpytree.LibraryError, "cannot be opened"):
        cpytree.Library(f"{folder}/absent.so")
    with refused(cpytree.LibraryError, "cannot be opened"):
        cpytree.Library(__file__)
    with refused(cpytree.LibraryError, "expected a function pytree_layout_text, got none", "pytree/layout.h"):
        cpytree.Library(f"{folder}/without.so")
    with refused(cpytree.LibraryError, "expected layouts of format 1, got format 2 of version '9.0.0'", "package of that version"):
        cpytree.Library(f"{folder}/newer.so")
    with refused(cpytree.LibraryError, "expected 8 for pointer", "got 4"):
        cpytree.Library(f"{folder}/narrow.so")
    with refused(cpytree.LibraryError, "expected the answer of pytree_layout_abi", "hello"):
        cpytree.Library(f"{folder}/words.so")
    with refused(cpytree.LibraryError, "expected status, message and path"):
        cpytree.Library(f"{folder}/places.so")


def test_deep_trees():
    """Nothing of the package recurses over a tree."""
    depth = 100000
    nodes = [{"type": 0, "children": 0}] + [{"type": 1, "children": 1}] * depth
    layout = cpytree.parse(json.dumps({"format": 1, "types": [{"name": "None", "kind": "none", "size": 0, "align": 1},
                                                              {"name": "list", "kind": "list", "size": 88, "align": 8}],
                                       "nodes": nodes}))
    root, leaves = _tree.Builder(layout, None).build()
    found = 0
    while root is not None:
        (root,), found = root, found + 1
    assert found == depth and leaves == []


def main():
    """Runs all tests, or those that are named."""
    tests = [(name, run) for name, run in globals().items() if name.startswith("test_") and name[5:] in (sys.argv[2:] or [name[5:]])]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, run) in enumerate(tests, 1):
        try:
            said = run()
            print(f"not ok {number} # SKIP {name[5:]}: {said}" if said else f"ok {number} - {name[5:]}")
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
            print(f"not ok {number} - {name[5:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
