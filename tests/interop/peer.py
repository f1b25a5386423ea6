"""The other side's tests, run by run.py in its environment: peer.py PROGRAM FOLDER GROUP. Reports in TAP.

What Python's packages write goes through the library (`interop copy`) and must come out byte for byte as the same package
writes it; so it was read right, and is written right. What the library makes by itself is read and looked at here.
"""
import io
import json
import pathlib
import struct
import subprocess
import sys
import zipfile

import ml_dtypes
import numpy as np
import safetensors
import safetensors.numpy

PROGRAM, FOLDER, GROUP = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
RANDOM = np.random.default_rng(1)
NPY_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
             "complex64", "complex128"]
SAFETENSORS_TYPES = [*NPY_TYPES[:-1], ml_dtypes.bfloat16]
OTHER_TYPES = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
SHAPES = [(), (1,), (7,), (0,), (3, 0, 2), (2, 3), (4, 1, 3), (2, 1, 2, 1, 2, 1, 2, 3)]
NAMES = ["layers.0.weight", "layers.10.weight", "a/b", "größe", "名前", "🙂", "with space", "quote\"back\\slash", "tab\there",
         "\x01\x1f\x7f", "e\u0301", "\u00e9", "x" * 300, ""]
results = []


def check(name, good, log=""):
    """One test."""
    results.append((bool(good), name, str(log)))


def interop(*arguments):
    """Runs the library's side: what it complained about, or ""."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    return "" if done.returncode == 0 and not done.stderr else f"status {done.returncode}: {done.stderr}" or "failed"


def array(dtype, shape, order="C"):
    """Any bits that the type may have."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype == bool:
        made = RANDOM.integers(0, 2, count).astype(bool)
    else:
        made = np.frombuffer(RANDOM.bytes(count * dtype.itemsize), dtype=dtype)
    return np.array(made.reshape(shape), order=order)


def same(a, b):
    """Type, shape and bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def same_all(a, b):
    """Of dictionaries."""
    return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)


# ---- safetensors -----------------------------------------------------------------------------------------------------


def through_safetensors(name, tensors, metadata=None):
    """Written by the reference, copied and mapped here: the same bytes each time, which the reference reads as the same."""
    source, target = FOLDER / "source.safetensors", FOLDER / "target.safetensors"
    safetensors.numpy.save_file(tensors, source, metadata)
    for way in ("copy", "map"):
        target.unlink(missing_ok=True)
        trouble = interop(way, source, target)
        check(f"{name}, {way}", not trouble and target.read_bytes() == source.read_bytes(), trouble or "bytes differ")
    if not trouble:
        with safetensors.safe_open(target, framework="np") as file:
            got = {key: file.get_tensor(key) for key in file.keys()}
            check(f"{name}, read back", same_all(got, tensors) and (file.metadata() or {}) == (metadata or {}), got)


def test_safetensors():
    """Each type in each shape, names, metadata."""
    for dtype in SAFETENSORS_TYPES:
        through_safetensors(f"{np.dtype(dtype).name}", {f"t{i}": array(dtype, shape) for i, shape in enumerate(SHAPES)})
    through_safetensors("all types", {f"{np.dtype(dtype).name}.{i}": array(dtype, shape) for i, shape in enumerate(SHAPES)
                                      for dtype in SAFETENSORS_TYPES})
    through_safetensors("names", {name: array("int16", (i,)) for i, name in enumerate(NAMES)})
    through_safetensors("metadata", {"x": array("float32", (3,))}, {"format": "pt \"\\\n\x02größe"})
    through_safetensors("empty metadata", {"x": array("float32", (3,))}, {"": ""})
    through_safetensors("no tensors", {})
    through_safetensors("no tensors, metadata", {}, {"a": "b"})
    through_safetensors("a megabyte", {"x": array("float32", (512, 512)), "y": array("uint8", (100001,)),
                                       "z": array("int64", (3,))})
    through_safetensors("many", {f"layers.{i}.{kind}": array("float32", (i % 5,)) for i in range(500) for kind in ("w", "b")})
    bits = np.array([0x7fc00001, 0xff800001, 0x7f800000, 0x80000000, 1], np.uint32).view(np.float32)
    through_safetensors("NaN with a payload, infinity, -0, denormal", {"x": bits})
    for dtype in OTHER_TYPES:
        source = FOLDER / "other.safetensors"
        safetensors.numpy.save_file({"x": array(dtype, (2, 2))}, source)
        trouble = interop("copy", source, FOLDER / "target.safetensors")
        check(f"{np.dtype(dtype).name} is listed, and no leaf", "expected a type and rank of C, got F8_" in trouble, trouble)


def test_sharded():
    """An index, its shards, and names over both."""
    tensors = {name: array(dtype, shape) for name, (dtype, shape) in zip(
        NAMES, [(dtype, shape) for shape in SHAPES[:6] for dtype in ("float32", "int64", ml_dtypes.bfloat16)])}
    for count in (1, 2, 5):
        weight_map = {}
        for i in range(count):
            shard = f"model-{i + 1:05}-of-{count:05}.safetensors"
            part = {name: tensors[name] for k, name in enumerate(tensors) if k % count == i}
            safetensors.numpy.save_file(part, FOLDER / shard, {"format": "np"})
            weight_map.update(dict.fromkeys(part, shard))
        index = FOLDER / "model.safetensors.index.json"
        total = sum(tensor.nbytes for tensor in tensors.values())
        index.write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": weight_map}, indent=2), encoding="utf-8")
        target = FOLDER / "whole.safetensors"
        for way in ("copy", "map"):
            trouble = interop(way, index, target)
            check(f"{count} shards, {way}", not trouble and
                  target.read_bytes() == safetensors.numpy.save(tensors, {"format": "np"}), trouble or "bytes differ")
        (FOLDER / shard).unlink()
        check(f"{count} shards, one missing", "No such file" in interop("copy", index, target))


# ---- npy -------------------------------------------------------------------------------------------------------------


def saved(value):
    """As numpy.save writes it where all is plain: row-major, little-endian, version 1.0."""
    file = io.BytesIO()
    np.save(file, np.array(value, dtype=value.dtype.newbyteorder("<"), order="C"))
    return file.getvalue()


def through_npy(name, value, version=None):
    """Written by numpy, copied here: what numpy writes of the plain array."""
    source, target = FOLDER / "source.npy", FOLDER / "target.npy"
    with source.open("wb") as file:
        np.lib.format.write_array(file, value, version=version)
    target.unlink(missing_ok=True)
    trouble = interop("copy", source, target)
    check(name, not trouble and target.read_bytes() == saved(value), trouble or "bytes differ")
    if not trouble:
        got = np.load(target, allow_pickle=False)
        check(f"{name}, read back", got.shape == value.shape and got.tobytes() == value.astype(got.dtype).tobytes(), got)


def test_npy():
    """Each type in each shape, order, byte order and version."""
    for dtype in NPY_TYPES:
        for shape in SHAPES:
            through_npy(f"{dtype}{shape}", array(dtype, shape))
        for order in ("<", ">"):
            through_npy(f"{order}{dtype}, column-major", array(np.dtype(dtype).newbyteorder(order), (3, 4, 2), "F"))
        through_npy(f"big-endian {dtype}", array(np.dtype(dtype).newbyteorder(">"), (5, 2)))
    for version in [(1, 0), (2, 0), (3, 0)]:
        through_npy(f"version {version}", array("float32", (2, 3)), version)
    through_npy("a megabyte, column-major", array(">f8", (300, 421), "F"))
    for name, value in [("objects", np.array([None, {}], dtype=object)), ("text", np.array(["a", "bc"])),
                        ("bytes", np.array([b"a"])), ("dates", np.array(["2020-01-01"], dtype="datetime64[D]")),
                        ("structures", np.zeros(2, dtype=[("x", "f4"), ("y", "i4")])),
                        ("long doubles", np.zeros(2, np.longdouble)), ("bfloat16s", np.zeros(2, ml_dtypes.bfloat16))]:
        np.save(FOLDER / "refused.npy", value, allow_pickle=True)
        trouble = interop("copy", FOLDER / "refused.npy", FOLDER / "target.npy")
        check(f"{name} are refused", trouble.startswith("status 1: expected "), trouble)


# ---- npz -------------------------------------------------------------------------------------------------------------

LOCAL, CENTRAL = struct.Struct("<4sHHHHHIIIHH"), struct.Struct("<4sHHHHHHIIIHHHHHII")
ZIP64_VERSION, IN_ZIP64 = 45, 0xffffffff


def current_form(path):
    """Returns the bytes of an archive of numpy's as a current Python writes them.

    numpy forces zip64 on its members. Before Python 3.11.4 (and 3.10.12), zipfile then wrote the sizes twice in a local header,
    in the zip64 field and in the fields that should refer to it, and left the versions at 20: gh-103861. Those fields, and no
    other byte, are set here. Whatever is neither that form nor the current one is an error.
    """
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        members, at = archive.infolist(), archive.start_dir
    for member in members:
        local, central = list(LOCAL.unpack_from(data, member.header_offset)), list(CENTRAL.unpack_from(data, at))
        name, extra = local[9:]
        zip64 = struct.unpack_from("<HHQQ", data, member.header_offset + LOCAL.size + name)
        sizes = (member.compress_size, member.file_size)
        old, new = (20, *sizes), (ZIP64_VERSION, IN_ZIP64, IN_ZIP64)
        if extra != 20 or zip64 != (1, 16, *reversed(sizes)) or (local[1], *local[7:9]) not in (old, new):
            raise ValueError(f"{member.filename}: neither form of a local header: {local}, zip64 {zip64}")
        if central[1] & 0xff != local[1] or central[2] != local[1]:
            raise ValueError(f"{member.filename}: another version in the directory: {central}")
        local[1], local[7], local[8] = new
        central[1], central[2] = central[1] & 0xff00 | ZIP64_VERSION, ZIP64_VERSION
        LOCAL.pack_into(data, member.header_offset, *local)
        CENTRAL.pack_into(data, at, *central)
        at += CENTRAL.size + sum(central[10:13])
    return bytes(data)


def through_npz(name, arrays):
    """Written by numpy, stored and compressed, copied here: stored it is what numpy writes, compressed numpy reads it."""
    arrays = {key: arrays[key] for key in sorted(arrays, key=str.encode)}       # the order in which a dict is visited
    stored, packed, target = FOLDER / "stored.npz", FOLDER / "packed.npz", FOLDER / "target.npz"
    np.savez(stored, **arrays)
    np.savez_compressed(packed, **arrays)
    for source in (stored, packed):
        target.unlink(missing_ok=True)
        trouble = interop("copy", source, target)
        check(f"{name}, {source.stem}", not trouble and target.read_bytes() == current_form(stored), trouble or "bytes differ")
        for level in (1, 9):
            trouble = interop("copy", source, target, level)
            check(f"{name}, {source.stem}, to level {level}", not trouble, trouble)
            if not trouble:
                with zipfile.ZipFile(target) as archive:
                    check(f"{name}, level {level} is sound", archive.testzip() is None and
                          all(member.compress_type == zipfile.ZIP_DEFLATED for member in archive.infolist()))
                with np.load(target, allow_pickle=False) as got:
                    check(f"{name}, level {level}, read back", same_all(dict(got), arrays))


def test_npz():
    """Types, names, sizes; and from one format to the other."""
    through_npz("all types", {f"{dtype}.{i}": array(dtype, shape) for i, shape in enumerate(SHAPES) for dtype in NPY_TYPES})
    through_npz("names", {name: array("int16", (i,)) for i, name in enumerate(NAMES) if name and "\x01" not in name})
    through_npz("no arrays", {})
    through_npz("a megabyte", {"x": array("float64", (400, 300)), "y": np.zeros((1000, 1000), np.float32),
                               "z": array("int8", (3,))})
    through_npz("many", {f"layers.{i}.w": array("float32", (i % 5,)) for i in range(300)})
    source, target = FOLDER / "objects.npz", FOLDER / "target.npz"
    np.savez(source, x=np.array([None], dtype=object))
    trouble = interop("copy", source, target)
    check("objects are refused", trouble.startswith("status 1: expected ") and "'|O'" in trouble, trouble)

    tensors = {f"{dtype}.{i}": array(dtype, shape) for i, shape in enumerate(SHAPES) for dtype in SAFETENSORS_TYPES[:-1]}
    tensors = {key: tensors[key] for key in sorted(tensors)}
    first, second, third = FOLDER / "first.npz", FOLDER / "second.safetensors", FOLDER / "third.npz"
    np.savez(first, **tensors)
    trouble = interop("copy", first, second) or interop("copy", second, third)
    check("npz to safetensors", not trouble and second.read_bytes() == safetensors.numpy.save(tensors),
          trouble or "bytes differ")
    check("and back", not trouble and third.read_bytes() == current_form(first), trouble or "bytes differ")


# ---- Structs ---------------------------------------------------------------------------------------------------------


def counting(dtype, shape):
    """0, 1, 2, …; of halves the bits."""
    dtype, count = np.dtype(dtype), int(np.prod(shape))
    if dtype.name in ("float16", "bfloat16"):
        return np.arange(count, dtype=np.uint16).view(dtype).reshape(shape)
    return (np.arange(count) % 2 if dtype == bool else np.arange(count)).astype(dtype).reshape(shape)


def test_structs():
    """What `interop make` writes from structs, and what it reads into them."""
    half = ml_dtypes.bfloat16
    rows = {"flags": ("bool", (3,)), "i8": ("int8", ()), "i16": ("int16", (2,)), "i32": ("int32", ()), "i64": ("int64", (2, 1)),
            "u8": ("uint8", (2,)), "u16": ("uint16", ()), "u32": ("uint32", (4,)), "u64": ("uint64", ()),
            "f16": ("float16", (3,)), "c64": ("complex64", (2,)), "blocks.0.w": ("float32", (2, 3)),
            "blocks.0.b": ("float64", (2,)), "blocks.0.half": (half, (3,)), "blocks.1.w": ("float32", (0, 4)),
            "blocks.1.b": ("float64", (0,)), "blocks.1.half": (half, (4,))}
    wanted = {f"état/{name}": counting(*row) for name, row in rows.items()}
    about = {"größe": "\"1\"\n"}
    ours, theirs = FOLDER / "ours.safetensors", FOLDER / "theirs.safetensors"
    safetensors.numpy.save_file(wanted, theirs, about)
    trouble = interop("make", ours)
    check("safetensors", not trouble and ours.read_bytes() == theirs.read_bytes(), trouble or "bytes differ")
    trouble = interop("load", theirs)
    check("safetensors, loaded", not trouble, trouble)
    other = {**wanted, "état/u16": np.array(1, np.uint16)}
    safetensors.numpy.save_file(other, theirs)
    check("safetensors, another number", "values differ" in interop("load", theirs))

    wanted = {name: value for name, value in wanted.items() if value.dtype != half}      # numpy's files have none
    ours, theirs = FOLDER / "ours.npz", FOLDER / "theirs.npz"
    np.savez(theirs, **wanted)
    trouble = interop("make", ours)
    check("npz", not trouble and ours.read_bytes() == current_form(theirs), trouble or "bytes differ")
    np.savez_compressed(theirs, **wanted)
    trouble = interop("load", theirs)
    check("npz, loaded", not trouble, trouble)
    np.savez(theirs, **{**wanted, "état/i8": np.array(1, np.int8)})
    check("npz, another number", "values differ" in interop("load", theirs))


{"safetensors": test_safetensors, "sharded": test_sharded, "npy": test_npy, "npz": test_npz, "structs": test_structs}[GROUP]()
print(f"1..{len(results)}")
for number, (fine, title, said) in enumerate(results, 1):
    print(f"{'ok' if fine else 'not ok'} {number} - {title}")
    if not fine:
        print(f"# {said[:500]!r}")
sys.exit(not all(fine for fine, _, _ in results))
