#!/usr/bin/env python3
"""Writes tests/golden_files/pt: files of torch.save, and in expected.json what is in them.

    tests/golden_files/make_pt.py          makes build/make_pt/venv (PyTorch from PyPI: gigabytes) and runs itself there

The tests read the files only; run this to add one. Each file has one feature. Names are those of the reader: keys and indices
joined by dots.
"""
import collections
import io
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "pt"
VENV = HERE.parents[1] / "build" / "make_pt" / "venv"
REQUIREMENTS = ["numpy==2.4.6", "torch==2.15.0"]

if pathlib.Path(sys.prefix) != VENV and "--here" not in sys.argv:
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([VENV / "bin" / "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    raise SystemExit(subprocess.run([VENV / "bin" / "python", __file__], check=False).returncode)

import torch  # noqa: E402

NAMES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8",
    torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "u8", torch.uint16: "u16", torch.uint32: "u32",
    torch.uint64: "u64", torch.bool: "bool", torch.complex64: "c64", torch.complex128: "c128",
    torch.float8_e4m3fn: "float8_e4m3fn", torch.float8_e5m2: "float8_e5m2",
}


def contents(value, name=""):
    """The tensors and the other values of what was saved, by name."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        raw = value.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b""
        return [{"name": name, "type": NAMES[value.dtype], "shape": list(value.shape), "bytes": raw.hex()}], []
    if isinstance(value, (dict, list, tuple)):
        tensors, others = [], []
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            below = contents(item, f"{name}.{key}" if name else str(key))
            tensors += below[0]
            others += below[1]
        return tensors, others
    return [], [{"name": name, "text": value if isinstance(value, str) else repr(value)}]


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))


def training():
    net = model()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.25)
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    return {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "loss": 0.5, "name": "fine \u00e9",
            "none": None, "flags": [True, False], "large": -(2 ** 40), "nothing": {}, "deep": [[(torch.ones(1), 7)]]}


def dtypes():
    made = {}
    for dtype, name in NAMES.items():
        numbers = torch.tensor([0, 1, 1, 0, 1, 1]) if dtype == torch.bool else torch.tensor([0, 1, 2, 3, 100, 77])
        made[name] = (numbers.float().to(dtype) if "float8" in name else numbers.to(dtype)).reshape(2, 3)
    return made


def strides():
    base = torch.arange(24, dtype=torch.float32)
    matrix = base.reshape(4, 6)
    image = torch.arange(2 * 3 * 4 * 5, dtype=torch.int16).reshape(2, 3, 4, 5)
    return {"base": base, "transposed": matrix.t(), "column": matrix[:, 2], "rows": matrix[1:3], "block": matrix[1:3, 2:5],
            "every_other": base[1::2], "expanded": torch.tensor([[1.5], [2.5]]).expand(2, 3), "scalar": base[5],
            "windows": base.as_strided((4, 3), (2, 1), 1), "channels_last": image.to(memory_format=torch.channels_last),
            "permuted": image.permute(3, 1, 0, 2), "empty": torch.zeros(0, 3), "empty_view": matrix[:, 3:3],
            "ones": matrix.t().reshape(6, 1, 4, 1).permute(1, 2, 0, 3), "bools": (matrix > 7).t(),
            "halves": matrix.half().t()}


def parameters():
    weight = torch.nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    return collections.OrderedDict(weight=weight, tied=weight, frozen=torch.nn.Parameter(torch.ones(2), requires_grad=False))


class Call:
    """What a file must not get a reader to do."""

    def __reduce__(self):
        return os.system, ("echo called",)


def big_endian(saved):
    """The same file as a big-endian machine writes it; of storages of four bytes a number. Rewritten by Python's zipfile."""
    out = io.BytesIO()
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            if member.endswith("/byteorder"):
                data = b"big"
            elif "/data/" in member:
                data = b"".join(data[i:i + 4][::-1] for i in range(0, len(data), 4))
            new.writestr(zipfile.ZipInfo(member), data)
    return out.getvalue()


def deflated(saved, ending):
    """The same file with the members of that ending deflated."""
    out = io.BytesIO()
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            info = zipfile.ZipInfo(member)
            info.compress_type = zipfile.ZIP_DEFLATED if member.endswith(ending) else zipfile.ZIP_STORED
            new.writestr(info, old.read(member))
    return out.getvalue()


def zip64(saved):
    """The same file with all sizes and places in zip64 fields, as those of files beyond 4 GB are."""
    out, directory, count = b"", b"", 0
    with zipfile.ZipFile(saved) as old:
        for member in old.namelist():
            data, name, crc = old.read(member), member.encode(), old.getinfo(member).CRC
            sizes = struct.pack("<QQ", len(data), len(data))
            directory += struct.pack("<IHHHHIIIIHHHHHII", 0x02014B50, 45, 45, 0, 0, 0, crc, 2 ** 32 - 1, 2 ** 32 - 1, len(name), 28, 0, 0,
                                     0, 0, 2 ** 32 - 1) + name + struct.pack("<HH", 1, 24) + sizes + struct.pack("<Q", len(out))
            out += struct.pack("<IHHHIIIIHH", 0x04034B50, 45, 0, 0, 0, crc, 2 ** 32 - 1, 2 ** 32 - 1, len(name), 20) + name
            out += struct.pack("<HH", 1, 16) + sizes + data
            count += 1
    end = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(directory), len(out))
    locator = struct.pack("<IIQI", 0x07064B50, 0, len(out) + len(directory), 1)
    return out + directory + end + locator + struct.pack("<IHHHHIIH", 0x06054B50, 2 ** 16 - 1, 2 ** 16 - 1, 2 ** 16 - 1, 2 ** 16 - 1,
                                                         2 ** 32 - 1, 2 ** 32 - 1, 0)


def main():
    FOLDER.mkdir(exist_ok=True)
    good = {"state_dict": model().state_dict(), "training": training(), "dtypes": dtypes(), "strides": strides(),
            "parameters": parameters(), "list": [torch.ones(2), (torch.zeros(1), torch.full((1,), 2.0))],
            "tensor": torch.arange(3), "nothing": {}}
    expected = {}
    for name, value in good.items():
        torch.save(value, FOLDER / f"{name}.pt")
        expected[name] = value
    torch.save(good["state_dict"], FOLDER / "protocol4.pt", pickle_protocol=4)
    expected["protocol4"] = good["state_dict"]
    (FOLDER / "big_endian.pt").write_bytes(big_endian(FOLDER / "state_dict.pt"))
    (FOLDER / "zip64.pt").write_bytes(zip64(FOLDER / "state_dict.pt"))
    (FOLDER / "deflated_pickle.pt").write_bytes(deflated(FOLDER / "state_dict.pt", "data.pkl"))
    expected["big_endian"] = expected["zip64"] = expected["deflated_pickle"] = good["state_dict"]
    (FOLDER / "deflated.pt").write_bytes(deflated(FOLDER / "state_dict.pt", ""))
    torch.save(good["state_dict"], FOLDER / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(model()[0], FOLDER / "module.pt", pickle_protocol=2)
    torch.save({"a": torch.ones(1), "b": Call()}, FOLDER / "call.pt")
    torch.save({"a": torch.ones(1), "b": torch.device("cpu")}, FOLDER / "device.pt")
    torch.save({"a": {1, 2}}, FOLDER / "set.pt")
    torch.save({"a": torch.tensor([1 + 2j]).conj()}, FOLDER / "conjugate.pt")
    torch.jit.script(model()).save(str(FOLDER / "script.pt"))
    (FOLDER / "plain_pickle.pt").write_bytes(pickle.dumps({"a": 1}, protocol=2))
    lines = []
    for name, value in sorted(expected.items()):
        tensors, others = contents(value)
        lines.append(json.dumps({"file": name, "tensors": tensors, "others": others}))
    (FOLDER / "expected.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
