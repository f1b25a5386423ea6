"""The measurements of ravel.c in NumPy: the leaves of ResNet-50 as one vector and back, dot and norm.

    python ravel_peer.py [samples]

Prints JSON lines as ravel.c does with --json. Vectors go to existing memory, as in ravel.c.
"""

import json
import pathlib
import statistics
import sys
import time

import numpy


def leaves(node):
    """The leaves below a node of trees.json, in order."""
    if isinstance(node, list):
        for child in node:
            yield from leaves(child)
    elif node is not None and "leaf" in node:
        yield node
    elif node is not None:
        for child in node["data"].values():
            yield from leaves(child)


def filled(node):
    """Memory of a leaf's shape that has been touched."""
    array = numpy.empty(node["shape"], {"f32": numpy.float32, "i64": numpy.int64}[node["leaf"]])
    array.fill(1)
    return array


def measure(name, samples, call):
    """Median time of a call."""
    call()
    times = []
    for _ in range(samples):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    print(json.dumps({"library": "numpy", "model": "ResNet50", "op": name, "ns": round(statistics.median(times) * 1e9)}))


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    models = json.loads((pathlib.Path(__file__).parent / "trees.json").read_text())["models"]
    tree = next(model for model in models if model["name"] == "ResNet50")["tree"]
    arrays = [filled(node) for node in leaves(tree)]
    flat = numpy.ones(sum(array.size for array in arrays), numpy.float32)
    other = numpy.ones_like(flat)

    def ravel():
        numpy.concatenate([array.reshape(-1) for array in arrays], out=flat, casting="unsafe")

    def unravel():
        at = 0
        for array in arrays:
            array.reshape(-1)[...] = flat[at:at + array.size]
            at += array.size

    measure("ravel", samples, ravel)
    measure("unravel", samples, unravel)
    measure("dot", samples, lambda: numpy.dot(flat, other))
    measure("norm", samples, lambda: numpy.linalg.norm(flat))


if __name__ == "__main__":
    main()
