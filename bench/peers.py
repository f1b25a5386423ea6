"""The trees of trees.json in optree and JAX, and the cost of the same operations.

    python peers.py [--model ResNet152]... [--samples N]      JSON lines: one measurement each, seconds times 1e9 per call
    python peers.py --adamw                                    AdamW over GPT-2 124M, jitted by JAX

Three forms of each tree: a registered dataclass per struct (static fields are metadata), a namedtuple per struct, nested dicts.
All leaves are the same small object, as in bench.c. Before the measurement, JAX's treedef text and leaf listing for dataclasses
and dicts are compared with the hashes in trees.json, to prove that the trees are the same.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import time
import timeit

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import numpy
import optree

SPACE = "bench"                           # optree's namespace for the dataclasses
LEAF = numpy.zeros(1, numpy.float32)
TREES = json.loads((pathlib.Path(__file__).parent / "trees.json").read_text())
DATA, STATIC = {}, {}                     # fields of each struct
for name, fields in (TREES["types"].items() if isinstance(TREES["types"], dict) else
                     [(t["name"], t["fields"]) for t in TREES["types"]]):
    DATA[name] = [f["name"] for f in fields if "static" not in f]
    STATIC[name] = [f["name"] for f in fields if "static" in f]


# ---- The forms -------------------------------------------------------------------------------------------------------

def jax_class(name):
    c = dataclasses.make_dataclass(name, STATIC[name] + DATA[name])
    return jax.tree_util.register_dataclass(c, DATA[name], STATIC[name])


def optree_class(name):
    static = [(f, object, optree.dataclasses.field(pytree_node=False)) for f in STATIC[name]]
    data = [(f, object, optree.dataclasses.field()) for f in DATA[name]]
    return optree.dataclasses.make_dataclass(name, static + data, namespace=SPACE)


JAX_CLASSES = {name: jax_class(name) for name in DATA}
OPTREE_CLASSES = {name: optree_class(name) for name in DATA}
TUPLES = {name: collections.namedtuple(name, DATA[name]) for name in DATA}


def build(node, make, leaf=lambda node: LEAF):
    """The tree below a node of trees.json; make(struct, static values, children) gives a struct."""
    if node is None:
        return None
    if isinstance(node, list):
        return [build(child, make, leaf) for child in node]
    if "leaf" in node:
        return leaf(node)
    children = {k: build(v, make, leaf) for k, v in node["data"].items()}
    return make(node["struct"], node["static"], children)


def make_jax(struct, static, children):
    return JAX_CLASSES[struct](**static, **children)


def make_optree(struct, static, children):
    return OPTREE_CLASSES[struct](**static, **children)


def make_tuple(struct, static, children):
    return TUPLES[struct](**children)


def make_dict(struct, static, children):
    return children


# ---- Is it the same tree? --------------------------------------------------------------------------------------------

def fnv1a64(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


class Shape:
    """Stands for a leaf, to be listed."""

    def __init__(self, node):
        self.text = node["leaf"] + "[" + ",".join(map(str, node["shape"])) + "]"


def check(model, form, make):
    tree = build(model["tree"], make, Shape)
    leaves, treedef = jax.tree_util.tree_flatten_with_path(tree)
    listing = "".join(f"{jax.tree_util.keystr(path)} {leaf.text}\n" for path, leaf in leaves)
    for what, text in (("treedef", str(treedef)), ("listing", listing)):
        if fnv1a64(text) != model[what][form]["fnv1a64"]:
            sys.exit(f"peers.py: {model['name']}: {what} of the {form} form is not the one of trees.json")


# ---- Time ------------------------------------------------------------------------------------------------------------

def measure(statement, samples, **names):
    timer = timeit.Timer(statement, globals=names)
    rounds = 1
    while timer.timeit(rounds) < 0.002:
        rounds *= 2
    times = [timer.timeit(rounds) / rounds for _ in range(samples)]
    return statistics.median(times), min(times)


def operations(library, tree):
    """(operation, statement, names): the fastest public way to each, several where it is not clear which that is."""
    def first(a):
        return a

    def first_of_four(a, b, c, d):
        return a

    def left(a, b):
        return a

    if library == "jax":
        u = jax.tree_util
        leaves, treedef = u.tree_flatten(tree)
        other = u.tree_structure(tree)
        names = dict(tree=tree, leaves=leaves, a=treedef, b=other, u=u, first=first, first_of_four=first_of_four, left=left,
                     keystr=u.keystr)
        yield from ((op, statement, names) for op, statement in [
            ("flatten", "u.tree_flatten(tree)"),
            ("structure", "u.tree_structure(tree)"),
            ("leaves", "u.tree_leaves(tree)"),
            ("unflatten", "a.unflatten(leaves)"),
            ("def_equal", "a == b"),
            ("def_hash", "hash(a)"),
            ("def_text", "str(a)"),
            ("map1", "u.tree_map(first, tree)"),
            ("map4", "u.tree_map(first_of_four, tree, tree, tree, tree)"),
            ("reduce", "u.tree_reduce(left, tree)"),
            ("paths", "[keystr(p) for p, _ in u.tree_flatten_with_path(tree)[0]]"),
            ("paths", "[keystr(p, simple=True, separator='/') for p, _ in u.tree_flatten_with_path(tree)[0]]"),
        ])
    else:
        leaves, treedef = optree.tree_flatten(tree, namespace=SPACE)
        other = optree.tree_structure(tree, namespace=SPACE)
        names = dict(tree=tree, leaves=leaves, a=treedef, b=other, o=optree, s=SPACE, deque=collections.deque, first=first,
                     first_of_four=first_of_four, left=left)
        yield from ((op, statement, names) for op, statement in [
            ("flatten", "o.tree_flatten(tree, namespace=s)"),
            ("structure", "o.tree_structure(tree, namespace=s)"),
            ("leaves", "o.tree_leaves(tree, namespace=s)"),
            ("unflatten", "a.unflatten(leaves)"),
            ("def_equal", "a == b"),
            ("def_hash", "hash(a)"),
            ("def_text", "str(a)"),
            ("map1", "o.tree_map(first, tree, namespace=s)"),
            ("map1", "o.tree_map_(first, tree, namespace=s)"),
            ("map4", "o.tree_map(first_of_four, tree, tree, tree, tree, namespace=s)"),
            ("map4", "o.tree_map_(first_of_four, tree, tree, tree, tree, namespace=s)"),
            ("reduce", "o.tree_reduce(left, tree, namespace=s)"),
            ("iterate1", "deque(o.tree_iter(tree, namespace=s), maxlen=0)"),
            ("paths", "[p.codify('') for p in a.accessors()]"),
            ("paths", "['/'.join(map(str, p)) for p in a.paths()]"),
        ])


def run(args):
    for model in TREES["models"]:
        if model["name"] not in args.model:
            continue
        check(model, "struct", make_jax)
        check(model, "nested", make_dict)
        forms = [("jax", "dataclass", make_jax), ("jax", "namedtuple", make_tuple), ("jax", "nested", make_dict),
                 ("optree", "dataclass", make_optree), ("optree", "namedtuple", make_tuple), ("optree", "nested", make_dict)]
        for library, form, make in forms:
            best = {}
            for op, statement, names in operations(library, build(model["tree"], make)):
                median, least = measure(statement, args.samples, **names)
                if op not in best or median < best[op][0]:
                    best[op] = median, least
            for op, (median, least) in best.items():
                print(json.dumps({"library": library, "form": form, "model": model["name"], "op": op,
                                  "ns": round(median * 1e9, 1), "least": round(least * 1e9, 1),
                                  "nodes": model["counts"]["nodes"], "leaves": model["counts"]["leaves"]}), flush=True)


# ---- AdamW -----------------------------------------------------------------------------------------------------------

def adamw(args):
    import functools
    import jax.numpy as jnp

    def new(p, g, m, v):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        p = p - 3e-4 * ((m * 1.25) / (jnp.sqrt(v * 1.5) + 1e-8) + 0.1 * p)
        return p, m, v

    @functools.partial(jax.jit, donate_argnums=(0, 2, 3))
    def step(params, grads, m, v):
        out = jax.tree.map(new, params, grads, m, v)
        return jax.tree.transpose(jax.tree.structure(params), jax.tree.structure((0, 0, 0)), out)

    model = next(m for m in TREES["models"] if m["name"] == "GPT2-layers")
    trees = [build(model["tree"], make_dict, lambda node: jnp.full(node["shape"], value, jnp.float32))
             for value in (0.5, 0.01, 0.0, 0.0)]
    params, grads, m, v = trees
    times = []
    for _ in range(2 + args.samples):
        start = time.perf_counter()
        params, m, v = step(params, grads, m, v)
        jax.block_until_ready((params, m, v))
        times.append(time.perf_counter() - start)
    times = times[2:]                     # compilation, and the first touch of memory
    print(json.dumps({"library": "jax", "form": "jit", "model": "GPT2-layers", "op": "adamw",
                      "ns": round(statistics.median(times) * 1e9), "least": round(min(times) * 1e9),
                      "parameters": model["counts"]["trainable"]}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", action="append")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--adamw", action="store_true")
    args = parser.parse_args()
    args.model = args.model or ["ResNet152"]
    unknown = set(args.model) - {m["name"] for m in TREES["models"]}
    if unknown:
        parser.error("no such model: " + ", ".join(sorted(unknown)))
    adamw(args) if args.adamw else run(args)


if __name__ == "__main__":
    main()
