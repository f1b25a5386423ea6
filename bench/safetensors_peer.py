"""Loading, mapping and saving .safetensors files with this library and with Python's safetensors, in one run.

    python bench/safetensors_peer.py PROGRAM FOLDER [--megabytes 500]

PROGRAM is bench/safetensors.c, compiled. It runs first and leaves its files in FOLDER; then the same files go through Python.
Prints a Markdown table: medians in milliseconds. Python's save does not sync the file, so it is compared with the save without
a sync.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import numpy
import safetensors
import safetensors.numpy

ROUNDS = 9
TITLES = {
    "read": "plain read() of the same bytes",
    "load": "load into arrays",
    "map": "open mapped",
    "write": "plain write() of the same bytes",
    "save": "save",
    "write, sync": "plain write() and fsync()",
    "save, sync": "save, on disk",
    "open 10000": "open a file of 10,000 tensors: header checked",
    "load 10000": "load these 10,000 tensors",
}


def timed(function):
    """Median seconds of a few calls, in milliseconds; what a call returns is dropped before the next."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - began)
        del result
    return 1e3 * statistics.median(times)


def mapped(path):
    """Opens a file as Python's users do when they want single tensors."""
    with safetensors.safe_open(path, framework="numpy") as file:
        return len(file.keys())


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--megabytes", default="500")
    arguments = parser.parse_args()
    lines = subprocess.run([arguments.program, str(arguments.folder), "--json", "--megabytes", arguments.megabytes], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    here = {row["name"]: row["ms"] for row in map(json.loads, lines)}
    large, many = arguments.folder / "large.safetensors", arguments.folder / "many.safetensors"
    copy = arguments.folder / "copy.safetensors"
    tensors = safetensors.numpy.load_file(large)
    peer = {
        "load": timed(lambda: safetensors.numpy.load_file(large)),
        "map": timed(lambda: mapped(large)),
        "save": timed(lambda: (copy.unlink(missing_ok=True), safetensors.numpy.save_file(tensors, copy))),
        "open 10000": timed(lambda: mapped(many)),
        "load 10000": timed(lambda: safetensors.numpy.load_file(many)),
    }
    copy.unlink()
    print(f"{arguments.megabytes} MB, safetensors {safetensors.__version__}, numpy {numpy.__version__}\n")
    print("| | here, ms | Python, ms |\n|---|---:|---:|")
    for name, title in TITLES.items():
        print(f"| {title} | {here[name]:.2f} | {f'{peer[name]:.2f}' if name in peer else ''} |")


if __name__ == "__main__":
    main()
