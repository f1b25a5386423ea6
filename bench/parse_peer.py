"""Literals in Python: the files that parse.c measures, and the same work by json and ast.

    python parse_peer.py --make FOLDER          mixed.txt, dicts.txt, doubles.txt, floats.txt: 10 MB each, the same every time
    python parse_peer.py [--json] FILE...       megabytes of text per second

json and ast have no typed arrays: floats.txt is made here and measured only by parse.c.
"""
import argparse
import ast
import json
import pathlib
import random
import statistics
import struct
import time

SIZE = 10_000_000
WORDS = ["w", "bias", "kernel", "scale", "head", "layer_norm", "mu", "nu"]


def mixed(rng):
    """Small integers, short floats, short strings, in lists of a hundred."""
    kinds = [lambda: str(rng.randrange(1000)), lambda: f"{rng.randrange(100000) / 1000}", lambda: f'"{rng.choice(WORDS)}"',
             lambda: str(rng.randrange(-100000, 100000))]
    return "[" + ", ".join(rng.choice(kinds)() for _ in range(100)) + "]"


def dicts(rng):
    """Nested dicts as a configuration has them."""
    return json.dumps({f"{rng.choice(WORDS)}_{i}": {"rate": rng.randrange(1000) / 10000, "shape": [rng.randrange(512), 3],
                                                    "name": rng.choice(WORDS), "on": True, "next": None} for i in range(20)})


def doubles(rng):
    """Doubles that need all their digits."""
    return "[" + ", ".join(repr(rng.gauss(0, 1)) for _ in range(100)) + "]"


def floats(rng):
    """Arrays of float."""
    def shortest(v):
        for digits in range(6, 10):
            text = f"{v:.{digits}g}"
            if struct.unpack("f", struct.pack("f", float(text)))[0] == v:
                return repr(float(text))
        return repr(v)
    return "f32([" + ", ".join(shortest(struct.unpack("f", struct.pack("f", rng.gauss(0, 1)))[0]) for _ in range(100)) + "])"


def make(folder):
    """Writes the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in (mixed, dicts, doubles, floats):
        rng, parts, size = random.Random(1), [], 0
        while size < SIZE:
            parts.append(kind(rng))
            size += len(parts[-1]) + 2
        (folder / f"{kind.__name__}.txt").write_text("[" + ", ".join(parts) + "]", encoding="utf-8")


def measure(call, times=3):
    """Median seconds."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.make)
    for path in arguments.files:
        text = path.read_text(encoding="utf-8")
        rows = []
        try:
            value = json.loads(text)
            rows += [("parse", "json.loads", len(text), measure(lambda: json.loads(text))),
                     ("print", "json.dumps", len(json.dumps(value)), measure(lambda: json.dumps(value)))]
            python = repr(value)
        except json.JSONDecodeError:
            python = text
        try:
            value = ast.literal_eval(python)
            rows += [("parse", "ast.literal_eval", len(python), measure(lambda: ast.literal_eval(python), 1)),
                     ("print", "repr", len(python), measure(lambda: repr(value)))]
        except ValueError:
            pass
        for what, library, size, seconds in rows:
            if arguments.json:
                print(json.dumps({"file": path.name, "what": what, "library": library,
                                  "megabytes_per_second": round(1e-6 * size / seconds, 1)}))
            else:
                print(f"{path.name:<16} {what:<6} {library:<18} {1e-6 * size / seconds:8.1f} MB/s")


if __name__ == "__main__":
    main()
