#!/usr/bin/env python3
"""Writes tests/golden_files/gguf: files of the gguf package, and in expected.jsonl what it reads in them.

    tests/golden_files/make_gguf.py        makes build/make_gguf/venv (gguf from PyPI) and runs itself there

The tests read the files only; run this to add one. Blocks of quantised tensors are random bytes, so that every field has every
value; their scales are finite.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "gguf"
VENV = HERE.parents[1] / "build" / "make_gguf" / "venv"
REQUIREMENTS = ["gguf==0.19.0", "numpy==2.4.6"]

if pathlib.Path(sys.prefix) != VENV and "--here" not in sys.argv:
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    raise SystemExit(subprocess.run([VENV / "bin" / "python", __file__], check=False).returncode)

import gguf  # noqa: E402
import numpy as np  # noqa: E402

SCALES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
RANDOM = np.random.default_rng(7)


def blocks(name, rows, per_row):
    """Random blocks with finite scales, as bytes of whole rows."""
    kind = gguf.GGMLQuantizationType[name]
    _, size = gguf.GGML_QUANT_SIZES[kind]
    made = RANDOM.integers(0, 256, (rows * per_row, size), dtype=np.uint8)
    for at in SCALES[name]:
        made[:, at:at + 2] = RANDOM.normal(0, 0.1, (len(made), 1)).astype(np.float16).view(np.uint8)
    return made.reshape(rows, -1), kind


def plain(writer):
    writer.add_name("fine \u00e9")
    writer.add_uint32("a.u32", 4294967295)
    writer.add_int32("a.i32", -5)
    writer.add_uint8("a.u8", 200)
    writer.add_int8("a.i8", -100)
    writer.add_uint16("a.u16", 60000)
    writer.add_int16("a.i16", -30000)
    writer.add_uint64("a.u64", 2 ** 64 - 1)
    writer.add_int64("a.i64", -(2 ** 63))
    writer.add_float32("a.f32", 0.1)
    writer.add_float64("a.f64", 0.1)
    writer.add_bool("a.yes", True)
    writer.add_bool("a.no", False)
    writer.add_array("a.words", ["one", "", "three"])
    writer.add_array("a.numbers", [1, -2, 3])
    writer.add_array("a.reals", [0.5, -1.5])
    writer.add_array("a.bools", [True, False])
    count = np.arange(24)
    for name, dtype in (("f32", np.float32), ("f16", np.float16), ("f64", np.float64), ("i8", np.int8), ("i16", np.int16),
                        ("i32", np.int32), ("i64", np.int64)):
        writer.add_tensor(name, (count - 3).astype(dtype).reshape(2, 3, 4))
    writer.add_tensor("bf16", np.arange(10).astype(np.float32).view(np.uint16)[1::2].copy().view(np.uint8).reshape(2, -1),
                      raw_dtype=gguf.GGMLQuantizationType.BF16)
    writer.add_tensor("one", np.array([7], dtype=np.float32))


def quantised(writer):
    for name in SCALES:
        per_row = 2 if gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]][0] == 32 else 1
        data, kind = blocks(name, 3, per_row)
        writer.add_tensor(name.lower(), data, raw_dtype=kind)
    writer.add_tensor("q2_k", RANDOM.integers(0, 256, (1, 84), dtype=np.uint8), raw_dtype=gguf.GGMLQuantizationType.Q2_K)


def small(writer):
    writer.add_custom_alignment(8)
    writer.add_array("t", ["a", "b"])
    writer.add_tensor("w", np.array([[1, 2], [3, 4]], dtype=np.float32))
    data, kind = blocks("Q8_0", 1, 1)
    writer.add_tensor("q", data, raw_dtype=kind)


def metadata(reader):
    """The keys of a file with their type and values."""
    made = []
    for key, field in reader.fields.items():
        if key.startswith("GGUF."):
            continue
        value = field.contents()
        made.append({"key": key, "type": [t.name for t in field.types], "value": value if isinstance(value, str) else
                     [str(v) for v in value] if isinstance(value, list) else str(value)})
    return made


def main():
    FOLDER.mkdir(exist_ok=True)
    lines = []
    for make in (plain, quantised, small):
        path = FOLDER / f"{make.__name__}.gguf"
        writer = gguf.GGUFWriter(path, "test")
        make(writer)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        reader = gguf.GGUFReader(path)
        tensors = []
        for t in reader.tensors:
            shape = [int(n) for n in reversed(t.shape)]
            line = {"name": t.name, "type": t.tensor_type.name, "shape": shape}
            if t.tensor_type.name in SCALES:
                line["bytes"] = gguf.dequantize(t.data, t.tensor_type).astype("<f4").tobytes().hex()
            else:
                line["bytes"] = np.ascontiguousarray(t.data).tobytes().hex()
            tensors.append(line)
        lines.append(json.dumps({"file": make.__name__, "tensors": tensors, "metadata": metadata(reader)}))
    (FOLDER / "expected.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
