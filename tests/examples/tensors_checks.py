"""examples/tensors.c: every file of golden_files, statistics, differences, extraction, terminals, mistakes."""
import fcntl
import functools
import io
import json
import math
import os
import pty
import re
import select
import struct
import subprocess
import termios
import threading
import zipfile

import harness
from harness import BUILD, ROOT, Check, Outcome, failed, run

FOLDER = BUILD / "tensors"
PROGRAM = FOLDER / "tensors"
GOLDEN = ROOT / "tests" / "golden_files"
BUILDING = threading.Lock()
# Element types by the library's word: what files call them, and struct's letter (None: decoded here).
TYPES = {"f64": ("F64", "f8", "d"), "f32": ("F32", "f4", "f"), "f16": ("F16", "f2", "e"), "bf16": ("BF16", None, None),
         "i8": ("I8", "i1", "b"), "i16": ("I16", "i2", "h"), "i32": ("I32", "i4", "i"), "i64": ("I64", "i8", "q"),
         "u8": ("U8", "u1", "B"), "u16": ("U16", "u2", "H"), "u32": ("U32", "u4", "I"), "u64": ("U64", "u8", "Q"),
         "bool": ("BOOL", "b1", "?"), "c64": ("C64", "c8", None), "c128": (None, "c16", None)}
OF_SAFETENSORS = {names[0]: word for word, names in TYPES.items()}
OF_NPY = {names[1]: word for word, names in TYPES.items()}

# ---- Files -----------------------------------------------------------------------------------------------------------


def packed(word, values):
    """Numbers as bytes, little-endian."""
    letter = TYPES[word][2]
    if word == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    if word == "c64":
        return b"".join(struct.pack("<ff", value.real, value.imag) for value in values)
    return struct.pack(f"<{len(values)}{letter}", *values)


def safetensors(path, tensors, metadata=None, pad=0):
    """Writes name: (type word or file's word, shape, bytes)."""
    header, at = {"__metadata__": metadata} if metadata else {}, 0
    for name, (word, shape, content) in tensors.items():
        end = at + len(content)
        header[name] = {"dtype": TYPES[word][0] if word in TYPES else word, "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, ensure_ascii=False).encode() + b" " * pad
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(content for _, _, content in tensors.values()))
    return path


def npy(word, shape, content):
    """An array as numpy.save writes it."""
    letter = TYPES[word][1]
    head = f"{{'descr': '{'|' if letter[1:] == '1' else '<'}{letter}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + content


def npz(path, arrays):
    """Writes name: (type word, shape, bytes)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", npy(*array))
    path.write_bytes(file.getvalue())
    return path


def refused(word):
    """NaN and Infinity, which Python's reader would take for JSON."""
    raise ValueError(word)


# ---- The program -----------------------------------------------------------------------------------------------------


class Tensors:
    """One check: runs the program, counts what is as it must be."""

    def __init__(self, name):
        self.outcome = Outcome()
        self.folder = harness.fresh(FOLDER / name)

    def expect(self, good, log):
        """Counts one test."""
        self.outcome.passed += bool(good)
        self.outcome.failed += not good
        self.outcome.log += "" if good else f"{log}\n"

    def run(self, *arguments, **more):
        """The program, its errors apart."""
        return run([PROGRAM, *arguments], timeout=60, separate=True, **more)

    def says(self, arguments, *patterns, status=0, env=None):
        """Status as expected, no complaint, and a line for each pattern."""
        result = self.run(*arguments, env=env)
        self.expect(result.status == status and not result.errors,
                    f"{result.log()}{result.errors}must end with status {status}")
        for pattern in patterns:
            self.expect(re.search(pattern, result.output, re.M), f"{result.log()}lacks {pattern}")
        return result.output

    def fails(self, arguments, *words):
        """Status 2, nothing printed, and one line of error that says all the words."""
        result = self.run(*arguments)
        lines = result.errors.rstrip("\n").splitlines()
        good = result.status == 2 and not result.output and len(lines) == 1 and lines[0].startswith("tensors: ")
        shown = " ".join(words)
        self.expect(good and all(word in lines[0] for word in words),
                    f"{result.log()}{result.errors}must end with status 2 and one line that says: {shown}")

    def json(self, *arguments, status=0):
        """What it prints with --json; None, and a failed test, if that is no JSON."""
        result = self.run("--json", *arguments)
        try:
            value = json.loads(result.output, parse_constant=refused)
        except ValueError:
            value = None
        good = result.status == status and not result.errors and value is not None
        self.expect(good, f"{result.log()}{result.errors}must end with status {status} and print JSON")
        return value if good else None


@functools.cache
def build():
    """The program under sanitizers."""
    return harness.build_program(ROOT / "examples" / "tensors.c", "clang-sanitized", PROGRAM, "-lz")


def built(function, *arguments):
    """The check once the program is there; it is compiled by whichever comes first."""
    with BUILDING:
        result = build()
    return function(*arguments) if result.status == 0 else failed(result.log())


# ---- Every golden file -----------------------------------------------------------------------------------------------


def decoded(word, content):
    """Bytes as numbers; complex ones as their absolute values."""
    if word == "bf16":
        return [struct.unpack("<f", b"\0\0" + content[i:i + 2])[0] for i in range(0, len(content), 2)]
    if word in ("c64", "c128"):
        parts = struct.unpack(f"<{len(content) // (4 if word == 'c64' else 8)}{'f' if word == 'c64' else 'd'}", content)
        return [math.hypot(*parts[i:i + 2]) for i in range(0, len(parts), 2)]
    size = struct.calcsize(f"<{TYPES[word][2]}")
    return list(struct.unpack(f"<{len(content) // size}{TYPES[word][2]}", content))


def statistics(values):
    """Of the finite ones; None where a double does not hold them."""
    finite = [float(value) for value in values if math.isfinite(value)]
    result = {"nan": sum(math.isnan(value) for value in values), "inf": sum(math.isinf(value) for value in values)}
    result.update(dict.fromkeys(["mean", "std", "min", "max"]))
    if finite:
        result.update(min=min(finite), max=max(finite))
        try:
            mean = math.fsum(finite) / len(finite)
            result.update(mean=mean, std=math.sqrt(math.fsum((value - mean) ** 2 for value in finite) / len(finite)))
        except OverflowError:
            pass
    return result


def close(a, b, scale):
    """Equal but for rounding, in relation to the size of the numbers; squares of very small and large ones are lost."""
    return a is None or b is None or abs(a - b) <= 1e-9 * scale + 1e-150


def right_statistics(tensor, values):
    """Does the program's entry agree?"""
    wanted = statistics(values)
    scale = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return (all(tensor[key] == wanted[key] for key in ("nan", "inf", "min", "max"))
            and (scale > 1e150 or all(close(tensor[key], wanted[key], scale) for key in ("mean", "std"))))


def manifest():
    """The lines that stand for a file here."""
    for line in (GOLDEN / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "recipe" not in entry:
            path = GOLDEN / entry["name"]
            yield entry, path / "model.safetensors.index.json" if entry["format"] == "sharded" else path


def listed(entry):
    """Name: (type, shape, where its bytes are) as the manifest has it; None where it has been shortened."""
    arrays = entry.get("tensors", entry.get("arrays", [entry["array"]] if "array" in entry else None))
    if arrays is None or any("name_sha256" in array or "rank" in array for array in arrays):
        return None
    found = {}
    for array in arrays:
        shape = [int(extent) for extent in array["shape"]]
        if "dtype" in array:
            found[array["name"]] = (OF_SAFETENSORS.get(array["dtype"], array["dtype"]), shape, array["offsets"])
        else:
            found[array.get("name", "arr_0")] = (OF_NPY[array["descr"][1:]], shape, None)
    return found


def golden(format_, valid):
    """Valid files are listed as the manifest says, invalid ones refused in one line."""
    test = Tensors(f"golden-{format_}-{valid}")
    entries = [(entry, path) for entry, path in manifest() if entry["format"] == format_ and entry["valid"] is valid]
    for entry, path in entries:
        if not valid:
            test.fails([path])
            continue
        value, wanted = test.json(path), listed(entry)
        if value is None or wanted is None:
            continue
        got = {tensor["name"]: tensor for tensor in value["tensors"]}
        test.expect({name: (tensor["dtype"], tensor["shape"]) for name, tensor in got.items()}
                    == {name: array[:2] for name, array in wanted.items()}, f"{path}: not as the manifest has it: {got}")
        test.expect(value["total"]["tensors"] == len(wanted)
                    and value["total"]["elements"] == sum(math.prod(shape) for _, shape, _ in wanted.values()),
                    f"{path}: wrong total: {value['total']}")
        if format_ != "safetensors":
            continue
        test.expect(value["metadata"] == (entry["metadata"] or {}), f"{path}: wrong metadata: {value['metadata']}")
        data = path.read_bytes()[entry["data_start"]:]
        for name, (word, _, (begin, end)) in wanted.items():
            if word in TYPES:
                values = decoded(word, data[int(begin):int(end)])
                test.expect(right_statistics(got[name], values), f"{path}: wrong: {got[name]}")
            else:
                test.expect("mean" not in got[name], f"{path}: statistics of {word}")
    test.expect(entries, "no such file in the manifest")
    return test.outcome


# ---- List ------------------------------------------------------------------------------------------------------------


def model(folder):
    """A small checkpoint with something of everything."""
    return safetensors(folder / "model.safetensors", {
        "layers.10.w": ("f32", [2, 3], packed("f32", [1, 2, 3, 4, 5, 6])),
        "layers.2.w": ("f32", [4], packed("f32", [math.nan, math.inf, -math.inf, math.nan])),
        "layers.2.b": ("bf16", [2], packed("bf16", [0.5, -0.25])),
        "ok": ("bool", [4], b"\0\1\1\1"),
        "step": ("i64", [], packed("i64", [-7])),
        "none": ("f64", [0, 3], b""),
        "z": ("c64", [1], packed("c64", [3 + 4j])),
        "esc\x1b[31m\x9b": ("u8", [1], b"\5"),
        "f8": ("F8_E4M3", [2], b"ab"),
    }, {"format": "pt"}, pad=1)


def lists():
    """Text for people."""
    test = Tensors("lists")
    path = model(test.folder)
    output = test.says([path], r"^name +type +shape +bytes +mean +std +min +max +not finite$",
                       r"^layers\.10\.w +f32 +\[2,3\] +24 +3\.5 +1\.708 +1 +6$",
                       r"^layers\.2\.w +f32 +\[4\] +16 +2 nan, 2 inf$",
                       r"^layers\.2\.b +bf16 +\[2\] +4 +0\.125 +0\.375 +-0\.25 +0\.5$",
                       r"^ok +bool +\[4\] +4 +0\.75 +0\.433 +0 +1$",
                       r"^step +i64 +\[\] +8 +-7 +0 +-7 +-7$", r"^none +f64 +\[0,3\] +0$", r"^z +c64 +\[1\] +8 +5 +0 +5 +5$",
                       r"^esc\\x1b\[31m\\x9b +u8", r"^f8 +F8_E4M3 +\[2\] +2$", r"^metadata: format=pt$",
                       r"^9 tensors, 21 elements, 67 bytes$", r"^1 with values that are not finite$")
    test.expect("\x1b" not in output and "\x9b" not in output, f"a control character of a name is printed\n{output}")
    names = [line.split()[0] for line in output.splitlines()]
    test.expect(names.index("layers.2.w") < names.index("layers.10.w"), f"numbers in names are not in order\n{output}")
    test.expect(test.says(["list", path]) == output, "`list` must be what is done without a command")

    quick = test.says(["--quick", path], r"^name +type +shape +bytes$", r"^layers\.10\.w +f32 +\[2,3\] +24$")
    test.expect("finite" not in quick, f"--quick must not look at values\n{quick}")
    for patterns, wanted in [(["layers.*"], 3), (["layers.?.w"], 1), (["*w", "ok"], 3), (["*.*.b"], 1), (["st?p"], 1),
                             (["w"], 0), (["**"], 9), (["esc*"], 1)]:
        value = test.json(path, *patterns)
        test.expect(value and len(value["tensors"]) == wanted == value["total"]["tensors"], f"{patterns}: {value}")
    test.says(["--", path], "^9 tensors")
    test.says([GOLDEN / "safetensors/valid/empty.safetensors"], r"\A0 tensors, 0 elements, 0 bytes\n\Z")
    test.says(["--help"], "--json", "--quick", "--rtol", "diff", "extract", "NO_COLOR")
    path = safetensors(test.folder / "names.safetensors", {name: ("u8", [1], b"a") for name in ("größe", "grösse")})
    found = [line.index("u8") for line in test.says([path]).splitlines() if "u8" in line]
    test.expect(found == [8, 8], f"a letter of two bytes takes one column: {found}")
    for pattern, wanted in [("gr??e", 1), ("gr?s*", 1), ("gr*e", 2)]:
        value = test.json(path, pattern)
        test.expect(value and len(value["tensors"]) == wanted, f"{pattern}: {value}")
    values = [1e8 + i for i in range(10000)]                   # several pieces; digits would be lost by adding squares
    path = safetensors(test.folder / "long.safetensors", {"a": ("f64", [10000], packed("f64", values))}, pad=3)
    value = test.json(path)
    test.expect(value and right_statistics(value["tensors"][0], values) and abs(value["tensors"][0]["std"] - 2886.75) < 0.01,
                f"{value}")
    full = subprocess.run(f"'{PROGRAM}' --quick '{path}' >/dev/full", shell=True, capture_output=True, text=True, check=False)
    test.expect(full.returncode == 2 and "standard output" in full.stderr, f"a full disk is not noticed: {full}")
    return test.outcome


def on_terminal(arguments, columns, **environment):
    """What the program writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    program = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env={**env, "TERM": "xterm", **environment})
    os.close(theirs)
    output = b""
    try:
        while select.select([ours], [], [], 30)[0]:
            output += os.read(ours, 65536)
    except OSError:                                            # the other end has been closed
        pass
    program.wait(30)
    os.close(ours)
    return output.decode().replace("\r\n", "\n")


def terminals():
    """Colour and width."""
    test = Tensors("terminals")
    path = model(test.folder)
    wide = on_terminal([path], 200)
    test.expect(re.search(r"^\x1b\[1;31mlayers\.2\.w .*2 nan, 2 inf\x1b\[0m$", wide, re.M), f"NaNs must be red\n{wide!r}")
    test.expect(re.search(r"^\x1b\[1mname .*not finite\x1b\[0m$", wide, re.M), f"the title must be bold\n{wide!r}")
    test.expect(re.search(r"^layers\.10\.w .* 6$", wide, re.M), f"what is sound must be plain\n{wide!r}")
    test.expect("\x1b" not in re.sub(r"\x1b\[[01;3]+m", "", wide), f"no other control characters\n{wide!r}")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = on_terminal([path], 200, **environment)
        test.expect("\x1b" not in plain and "2 nan, 2 inf" in plain, f"{environment}: no colour\n{plain!r}")
    test.expect("\x1b" in on_terminal([path], 200, NO_COLOR=""), "an empty NO_COLOR counts as none")
    for columns, kept, dropped in [(90, "std", None), (72, "mean", "std"), (64, "min", "mean"), (53, "bytes", "max"),
                                   (45, "name", "bytes")]:
        narrow = on_terminal([path], columns, NO_COLOR="1")
        title = narrow.splitlines()[0].split()
        test.expect(kept in title and dropped not in title and max(map(len, narrow.splitlines())) <= columns,
                    f"{columns} columns: {kept}, but not {dropped}\n{narrow}")
        test.expect("2 nan, 2 inf" in narrow, f"{columns} columns: NaNs are always told\n{narrow}")
    long = safetensors(test.folder / "long.safetensors",
                       {f"encoder.größe.{'x' * 100}.{name}": ("f32", [1], bytes(4)) for name in ("weight", "bias")},
                       {"about": "y" * 1000})
    for output in (on_terminal([long], 60), test.says([long], env={"COLUMNS": "60"})):
        plain = re.sub(r"\x1b\[[01;3]+m", "", output)
        test.expect(max(map(len, plain.splitlines())) <= 60 and re.search(r"^encoder\.gr.*\.\.\..*weight ", plain, re.M)
                    and re.search(r"^metadata: about=y+\.\.\.y+$", plain, re.M), f"names must be shortened\n{plain}")
    test.expect(f"{'x' * 100}.weight" in test.says([long]) and "y" * 1000 in test.says([long]), "a pipe gets everything")
    other = safetensors(test.folder / "other.safetensors", {"step": ("i64", [], packed("i64", [1])), "new": ("u8", [1], b"a")})
    output = on_terminal(["diff", path, other], 200)
    test.expect(re.search(r"^\x1b\[32m\+  new .*\x1b\[0m$", output, re.M) and re.search(r"^\x1b\[1;31m-  ok ", output, re.M)
                and re.search(r"^\x1b\[33m~  step ", output, re.M), f"added green, removed red, changed yellow\n{output!r}")
    return test.outcome


# ---- Differences -----------------------------------------------------------------------------------------------------


class Pairs(Tensors):
    """Two tensors of one name against each other."""

    def entry(self, a, b, *options, status=1):
        """The program's entry about them; {} if there is none."""
        first = safetensors(self.folder / "a.safetensors", {"x": a})
        second = safetensors(self.folder / "b.safetensors", {"x": b}, pad=1)
        value = self.json("diff", *options, first, second, status=status)
        return value["tensors"][0] if value and value["tensors"] else {}

    def values(self, word, a, b, differing, most, relative, *options, not_finite=0):
        """Numbers that differ so much."""
        entry = self.entry((word, [len(a)], packed(word, a)), (word, [len(b)], packed(word, b)), *options,
                           status=1 if differing else 0)
        if not differing:
            self.expect(not entry, f"{a} and {b} are equal, got {entry}")
            return
        self.expect(entry.get("changes") == ["values"] and entry["differing"] == differing
                    and entry["not_finite"] == not_finite and close(entry["max_abs"], most, abs(most))
                    and close(entry["max_rel"], relative, 1), f"{a} and {b}: {entry}")


def differences():
    """Every kind of difference, in numbers and in text."""
    test = Pairs("differences")
    path = model(test.folder)
    test.says(["diff", path, path], r"\A0 added, 0 removed, 0 changed, 9 equal\n\Z")
    test.values("f32", [1, 2, 4], [1, 2.5, 3], 2, 1, 0.25)
    test.values("f32", [0, 1], [-0.0, 1], 0, 0, 0)
    test.values("f64", [math.nan, math.inf], [math.nan, math.inf], 0, 0, 0)
    test.values("f16", [math.nan, 1, math.inf, 2], [1, math.nan, -math.inf, 2], 3, 0, 0, not_finite=3)
    test.values("bf16", [1, 2], [1, 4], 1, 2, 0.5)
    test.values("i8", [-128], [127], 1, 255, 255 / 128)
    test.values("bool", [True, False], [True, True], 1, 1, 1)
    test.values("i64", [2 ** 53, -2 ** 63], [2 ** 53 + 1, 2 ** 63 - 1], 2, 2.0 ** 64, 2)
    test.values("i64", [2 ** 62], [2 ** 62 + 1], 1, 1, 2.0 ** -62)
    test.values("u64", [2 ** 64 - 1, 5], [2 ** 64 - 2, 5], 1, 1, 2.0 ** -64)
    test.values("c64", [1 + 1j, 2], [1 + 2j, 2], 1, 1, 0.5)
    test.values("f32", [0.0] * 5000 + [1.0], [0.0] * 5000 + [2.0], 1, 1, 0.5)
    test.values("f64", [1, 100], [1.5, 101], 1, 1, 1 / 3, "--rtol", "0.01")
    test.values("f64", [1, 100], [1.5, 101], 0, 0, 0, "--atol", "1")
    test.values("f64", [1, math.nan], [1.5, 1], 1, 0.5, 1 / 3, "--atol", "10", not_finite=1)

    one, two = packed("f32", [1, 2]), packed("f64", [1, 2])
    entry = test.entry(("f32", [2], one), ("f64", [2], two))
    test.expect(entry.get("changes") == ["type"] and entry["differing"] == 0 and entry["a"]["dtype"] == "f32"
                and entry["b"]["dtype"] == "f64", f"{entry}")
    entry = test.entry(("f32", [2], one), ("bf16", [2], packed("bf16", [1, 3])))
    test.expect(entry.get("changes") == ["type", "values"] and entry["differing"] == 1 and entry["max_abs"] == 1, f"{entry}")
    entry = test.entry(("f32", [2], one), ("c64", [2], one * 2))
    test.expect(entry.get("changes") == ["type"] and "differing" not in entry, f"{entry}")
    entry = test.entry(("f32", [2], one), ("f32", [2, 1], one))
    test.expect(entry.get("changes") == ["shape"] and entry["b"]["shape"] == [2, 1], f"{entry}")
    entry = test.entry(("f32", [2], one), ("i32", [1], one[:4]))
    test.expect(entry.get("changes") == ["type", "shape"], f"{entry}")
    entry = test.entry(("F8_E5M2", [2], b"ab"), ("F8_E5M2", [2], b"ac"))
    test.expect(entry.get("changes") == ["values"] and "differing" not in entry, f"{entry}")
    test.entry(("F8_E5M2", [2], b"ab"), ("F8_E5M2", [2], b"ab"), status=0)
    test.entry(("bool", [1], b"\2"), ("bool", [1], b"\1"), status=0)
    test.entry(("f32", [0, 2], b""), ("f32", [0, 2], b""), status=0)
    value = test.entry(("f32", [2], one), ("f32", [2], bytes(8)), "--quick", status=0)
    test.expect(not value, "--quick must not look at values")
    one, two = (safetensors(test.folder / f"{name}.safetensors", {name: ("u8", [1], b"a")}) for name in ("x.1", "x.01"))
    test.says(["diff", one, two], "^1 added, 1 removed, 0 changed, 0 equal$", status=1)

    other = safetensors(test.folder / "other.safetensors", {
        "layers.10.w": ("f32", [2, 3], packed("f32", [1, 2, 3, 4, 5, 7])),
        "layers.2.w": ("f32", [4], packed("f32", [math.nan, math.inf, math.inf, 1])),
        "layers.2.b": ("f16", [2], packed("f16", [0.5, -0.25])), "ok": ("bool", [2, 2], b"\0\1\1\1"), "new": ("u8", [1], b"a"),
        "f8": ("F8_E4M3", [2], b"ac")})
    test.says(["diff", path, other], r"^~  layers\.10\.w +f32\[2,3\] +f32\[2,3\] +1 of 6 +1 +0\.1429$",
              r"^~  layers\.2\.w +f32\[4\] +f32\[4\] +2 of 4 +0 +0 +2$",
              r"^~  layers\.2\.b +bf16\[2\] +f16\[2\] +0 of 2 +0 +0$",
              r"^~  ok +bool\[4\] +bool\[2,2\]$", r"^\+  new +u8\[1\]$", r"^-  step +i64\[\]$",
              r"^~  f8 +F8_E4M3\[2\] +F8_E4M3\[2\] +bytes$", r"^1 added, 4 removed, 5 changed, 0 equal$", status=1)
    return test.outcome


def formats():
    """The same arrays in each format are equal."""
    test = Tensors("formats")
    arrays = {"arr_0": ("f32", [2, 2], packed("f32", [1, 2, 3, 4]))}
    more = {**arrays, "größe/0": ("c64", [1], packed("c64", [1 + 2j])), "s": ("u16", [], packed("u16", [9]))}
    files = [safetensors(test.folder / "a.safetensors", more), npz(test.folder / "a.npz", more)]
    one = test.folder / "a.npy"
    one.write_bytes(npy(*arrays["arr_0"]))
    test.says(["diff", *files], r"\A0 added, 0 removed, 0 changed, 3 equal\n\Z")
    test.says(["diff", one, files[1]], r"^2 added, 0 removed, 0 changed, 1 equal$", status=1)
    for path, word in [(files[0], "safetensors"), (files[1], "npz"), (one, "npy")]:
        value = test.json(path)
        test.expect(value and value["format"] == word and value["tensors"][0]["mean"] == 2.5, f"{value}")
    whole = {}
    for number in (1, 2):
        part = {f"part.{number}": ("u8", [3], bytes([number] * 3))}
        safetensors(test.folder / f"m-{number}.safetensors", part)
        whole.update(part)
    index = test.folder / "m.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {f"part.{number}": f"m-{number}.safetensors" for number in (1, 2)}}), "utf-8")
    one_file = safetensors(test.folder / "whole.safetensors", whole)
    test.says(["diff", index, one_file], r"^0 added, 0 removed, 0 changed, 2 equal$")
    return test.outcome


def conversions():
    """PyTorch's and llama.cpp's files: listed, converted, and equal to what they became."""
    test = Tensors("conversions")
    for name, count in [("pt/strides.pt", 16), ("pt/training.pt", 17), ("pt/big_endian.pt", 4), ("gguf/plain.gguf", 9)]:
        value = test.json(GOLDEN / name)
        test.expect(value and len(value["tensors"]) == count, f"{name}: {value}")
        endings = [".safetensors"] if "plain" not in name and "training" not in name else [".safetensors", ".gguf"]
        for ending in endings:
            made = test.folder / (name.replace("/", "-") + ending)
            test.says(["convert", GOLDEN / name, made], r"\A\Z")
            test.says(["diff", GOLDEN / name, made], r"^0 added, 0 removed, 0 changed, %d equal$" % count)
    test.says([GOLDEN / "gguf/quantised.gguf"], r"^q4_k +Q4_K +\[3,256\] +432", r"^q2_k +Q2_K +\[1,256\] +84$")
    test.says(["extract", GOLDEN / "gguf/quantised.gguf", "q4_k", test.folder / "q.npy"], r"\A\Z")
    test.says(["extract", GOLDEN / "pt/strides.pt", "transposed", test.folder / "t.npy"], r"\A\Z")
    test.expect((test.folder / "t.npy").read_bytes()[-8:] == packed("f32", [17, 23]), "transposed")
    return test.outcome


# ---- Extraction and mistakes -----------------------------------------------------------------------------------------


def extraction():
    """One tensor as .npy."""
    test = Tensors("extraction")
    path, target = model(test.folder), test.folder / "out.npy"
    numbers = {"layers.10.w": npy("f32", [2, 3], packed("f32", [1, 2, 3, 4, 5, 6])), "ok": npy("bool", [4], b"\0\1\1\1"),
               "step": npy("i64", [], packed("i64", [-7])), "none": npy("f64", [0, 3], b""),
               "z": npy("c64", [1], packed("c64", [3 + 4j])), "esc\x1b[31m\x9b": npy("u8", [1], b"\5")}
    for name, content in numbers.items():
        test.says(["extract", path, name, target])
        test.expect(target.exists() and target.read_bytes() == content, f"{name}: not as numpy.save would write it")
    result = test.run("extract", path, "layers.2.b", target)
    test.expect(result.status == 0 and result.errors == "tensors: .npy has no bf16; written as f32\n"
                and target.read_bytes() == npy("f32", [2], packed("f32", [0.5, -0.25])), f"{result.log()}{result.errors}")
    before = target.read_bytes()
    test.fails(["extract", path, "f8", target], "F8_E4M3", ".npy")
    test.fails(["extract", path, "layers.1.w", target], "'layers.1.w'", "9 others", "nearest: layers.10.w")
    test.fails(["extract", path, "", target], "''")
    test.fails(["extract", path, "ok", test.folder], "expected")
    test.fails(["extract", path, "ok", test.folder / "no" / "out.npy"], "No such file")
    test.fails(["extract", GOLDEN / "safetensors/valid/empty.safetensors", "x", target], "0 others")
    bad = safetensors(test.folder / "bad.safetensors", {"x": ("bool", [1], b"\2")})
    test.fails(["extract", bad, "x", target], "0 or 1", "got 2")
    test.expect(target.read_bytes() == before, "a failure must leave the file that is there")
    test.expect(len(list(test.folder.iterdir())) == 3, f"something is left over: {list(test.folder.iterdir())}")
    archive = npz(test.folder / "a.npz", {"w": ("i16", [2], packed("i16", [1, 2]))})
    test.says(["extract", archive, "w", target])
    test.expect(target.read_bytes() == npy("i16", [2], packed("i16", [1, 2])), "from an .npz")
    test.says(["extract", target, "arr_0", target])
    test.expect(target.read_bytes() == npy("i16", [2], packed("i16", [1, 2])), "from an .npy onto itself")
    return test.outcome


def mistakes():
    """Wrong words and files that cannot be read."""
    test = Tensors("mistakes")
    path = model(test.folder)
    for name in ("no.safetensors", "no.npz", "no.npy", "no.safetensors.index.json"):
        test.fails([test.folder / name], name, "No such file")
    test.fails(["diff", path, test.folder / "no.npz"], "no.npz")
    test.fails(["diff", test.folder / "no.npz", path], "no.npz")
    test.fails(["--json", test.folder / "no.npz"], "no.npz")
    test.fails([test.folder], "not a regular file")
    os.mkfifo(test.folder / "pipe.npz")
    test.fails([test.folder / "pipe.npz"], "not a regular file")
    (test.folder / "esc\x1b.npz").write_bytes(b"")
    result = test.run(test.folder / "esc\x1b.npz")
    test.expect(result.status == 2 and "\x1b" not in result.errors, f"a control character is printed: {result.errors!r}")
    test.fails([], "a file", "none")
    test.fails(["list"], "a file", "none")
    test.fails(["diff", path], "two files", "fewer")
    test.fails(["diff", path, path, "more"], "two files", "more")
    test.fails(["extract", path, "ok"], "extract", "fewer")
    test.fails(["extract", path, "ok", "a.npy", "more"], "extract", "more")
    test.fails(["--frobnicate", path], "--json", "--frobnicate")
    for value in ("much", "-1", "nan", "1x", ""):
        test.fails(["--rtol", value, "diff", path, path], "a number", value)
    test.fails(["diff", path, path, "--atol"], "a number", "nothing")
    return test.outcome


def page_rows(path):
    """The rows of a page of pytree/html.h: mark, keys joined, type and shape or the type of a node."""
    data = json.loads(path.read_text("utf-8").split('id="data">\n')[1].split("\n</script>")[0])
    here, rows = {}, []
    for row in data["rows"]:
        side = row.get("a") or row["b"]
        here[row["d"]] = row.get("k", "")
        rows.append((row.get("m", ""), "".join(here[depth] for depth in range(row["d"] + 1)),
                     side.get("n") or side["y"] + (f"[{side['s']}]" if "s" in side else "") + " " + side.get("v", "")))
    return data, rows


def views():
    """Pages: names as a tree, in the order of numbers; bytes at odd addresses; types that C has not; two files."""
    test = Tensors("views")
    content = {"layers.10.w": ("f32", [2, 2], packed("f32", range(4))), "layers.2.w": ("bf16", [2], packed("bf16", [1, 2])),
               "layers": ("i64", [], packed("i64", [7])), "mask": ("bool", [3], b"\0\2\1"), "odd": ("F8_E4M3", [2], b"ab"),
               "a..b": ("u8", [1], b"a"), "</script>": ("u8", [1], b"b")}
    wanted = [("['</script>']", "u8[1] 98"), ("['a']", "OrderedDict"), ("['a']['']", "OrderedDict"), ("['a']['']['b']", "u8[1] 97"),
              ("['layers']", "i64 7"), ("['layers.']", "OrderedDict"), ("['layers.']['2']", "OrderedDict"),
              ("['layers.']['2']['w']", "bf16[2] 1.0 2.0"), ("['layers.']['10']", "OrderedDict"),
              ("['layers.']['10']['w']", "f32[2,2] 0.0 1.0 2.0 3.0"), ("['mask']", "bool[3] False True True"),
              ("['odd']", "str 'F8_E4M3[2], which C does not have'")]
    for pad in range(4):
        file = safetensors(test.folder / "a.safetensors", content, pad=pad)
        test.says(["view", file], r"a\.safetensors\.html$")
        data, rows = page_rows(test.folder / "a.safetensors.html")
        test.expect(data["title"] == str(file) and rows[1:] == [("", *row) for row in wanted], f"{rows}")
    other = safetensors(test.folder / "b.safetensors", {**content, "mask": ("bool", [3], b"\0\0\1"), "new.one": ("u8", [1], b"a")})
    page = test.folder / "d.html"
    test.says(["view", file, other, page], r"d\.html$")
    data, rows = page_rows(page)
    test.expect(data["diff"] and [row[:2] for row in rows if row[0]] == [("!", "['mask']"), ("+", "['new']"), ("+", "['new']['one']")], f"{rows}")
    for path in (npz(test.folder / "a.npz", {"x.y": ("f64", [2], packed("f64", [1, math.nan]))}),
                 GOLDEN / "safetensors/valid/empty.safetensors"):
        test.says(["view", path, page], r"d\.html$")
    test.fails(["view"], "one or two files", "none")
    test.fails(["view", file, file, file], "two files", "a.safetensors")
    test.fails(["view", test.folder / "no.npz"], "no.npz")
    test.fails(["view", file, test.folder / "no" / "page.html"], "create a file")
    return test.outcome


def checks():
    """All of it."""
    made = [Check(function.__name__, lambda function=function: built(function))
            for function in (lists, terminals, differences, formats, conversions, extraction, views, mistakes)]
    made += [Check(f"golden files: {format_}, {'valid' if valid else 'invalid'}",
                   lambda format_=format_, valid=valid: built(golden, format_, valid), long=True)
             for format_ in ("safetensors", "npz", "npy", "sharded") for valid in (True, False)]
    return made


if __name__ == "__main__":
    harness.main("examples/tensors.c", checks())
