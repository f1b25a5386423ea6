"""Random arguments, axes and scan bodies through the library and JAX: tests/oracle/run starts this after oracle.py.

    transforms.py PROGRAM [--cases N] [--seed N]

Arguments are trees of float32 arrays. in_axes is a prefix that fits, or one with a mistake: another key, another container,
another length, an axis that a leaf does not have, another size. A scan body is a program of ten to forty operations on vectors.
Traced programs of as many operations, on random trees, are differentiated (programs.py): vjp, jvp, gradients, gradients per
example, products with the Hessian, scans backwards. Values must agree within 1e-5 and derivatives within 1e-4, of the largest
of their array, and errors must come in the same cases at the same places.
"""
import argparse
import random
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

import evaluate
import programs

KEYS = ["a", "b", "k1", "k10", "k2", "x y", "loss"]


class Peer:
    """The program transforms.c, asked and answering in lines."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()
        answer = []
        while (line := self.process.stdout.readline().rstrip("\n")) != ".":
            if line == "" and self.process.poll() is not None:
                raise SystemExit(f"the program ended with {self.process.returncode} after\n" + "\n".join(lines))
            answer.append(line)
        return answer


def array_line(array):
    return " ".join([str(array.ndim), *map(str, array.shape), *(repr(float(v)) for v in array.ravel())])


def literal(tree, arrays):
    """A tree as a literal of the library; arrays become their number."""
    if tree is None:
        return "None"
    if isinstance(tree, np.ndarray):
        arrays.append(tree)
        return str(len(arrays) - 1)
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key!r}: {literal(value, arrays)}" for key, value in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(literal(value, arrays) for value in tree) + "]"
    if isinstance(tree, tuple):
        return "(" + "".join(literal(value, arrays) + ", " for value in tree) + ")"
    return repr(tree)


def numbers(rng, shape):
    return np.array([rng.randint(-16, 16) / 4 for _ in range(int(np.prod(shape, dtype=int)))], np.float32).reshape(shape)


def argument(rng, size, depth):
    """A random tree, and axes for all its leaves."""
    kind = rng.choice(["leaf", "leaf", "leaf", "list", "tuple", "dict", "none"]) if depth else "leaf"
    if kind == "none":
        return None, None
    if kind == "leaf":
        shape = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
        if rng.random() < 0.2:
            return numbers(rng, shape), None
        axis = rng.randint(0, len(shape))
        shape.insert(axis, size)
        return numbers(rng, shape), axis if rng.random() < 0.6 else axis - len(shape)
    children = [argument(rng, size, depth - 1) for _ in range(rng.randint(0, 3))]
    if kind == "dict":
        keys = rng.sample(KEYS, len(children))
        return {k: c[0] for k, c in zip(keys, children)}, {k: c[1] for k, c in zip(keys, children)}
    make = list if kind == "list" else tuple
    return make(c[0] for c in children), make(c[1] for c in children)


def shorten(rng, axes):
    """Subtrees whose leaves have one axis become that axis, sometimes."""
    leaves = jtu.tree_leaves(axes, is_leaf=lambda v: v is None)
    if leaves and all(leaf == leaves[0] for leaf in leaves) and rng.random() < 0.5:
        return leaves[0]
    if isinstance(axes, dict):
        return {key: shorten(rng, value) for key, value in axes.items()}
    if isinstance(axes, (list, tuple)):
        return type(axes)(shorten(rng, value) for value in axes)
    return axes


def break_axes(rng, axes):
    """The axes with a mistake in one place."""
    if isinstance(axes, dict) and axes and rng.random() < 0.6:
        key = rng.choice(sorted(axes))
        return {**axes, key: break_axes(rng, axes[key])}
    if isinstance(axes, (list, tuple)) and axes and rng.random() < 0.7:
        at = rng.randrange(len(axes))
        return type(axes)(break_axes(rng, value) if i == at else value for i, value in enumerate(axes))
    if isinstance(axes, dict):
        return rng.choice([{**axes, "new key": 0}, dict(list(axes.items())[1:]), [*axes.values()]])
    if isinstance(axes, (list, tuple)):
        return rng.choice([type(axes)([*axes, 0]), (list if isinstance(axes, tuple) else tuple)(axes), {"a": 0}])
    return rng.choice([(0,), [None], {"k1": 0}, 3, -4, 0, 1])


def jax_places(text):
    """The places that an error of JAX names, as the library writes them; None where it names none."""
    found = re.findall(r"different [\w ]*? at key path\n +vmap in_axes(.*)\n((?:.*\n?)*?)(?=  pytree structure error|\Z)", text)
    if found:
        # JAX also lists a None beside a mismatch: docs/semantics.md
        return sorted(path for path, rest in found if "NoneType" not in rest.split("but at the same")[0])
    groups = re.findall(r"\* (?:most|some|one) ax.* of (argument )?\w+(.*?) of type", text)
    if groups:                           # the first group is right; "argument args" is the first argument
        return sorted(("[0]" if first else "") + path for first, path in groups[1:])
    return None


def status_of(text):
    if "tree prefix" in text or "len(in_axes)" in text:
        return "structures differ"
    if "rank should be" in text or "inconsistent sizes" in text:
        return "shapes differ"
    if "at least one" in text:
        return "bad argument"
    return "structures differ" if "must be an int, None, or a tuple" in text else text


def same_arrays(lines, leaves, tolerances=None):
    for line, leaf, tolerance in zip(lines, leaves, tolerances or [1e-5] * len(leaves), strict=True):
        words = line.split()
        ndim = int(words[0])
        shape = tuple(map(int, words[1:1 + ndim]))
        if shape != leaf.shape:
            return False
        wanted = np.asarray(leaf, np.float64).ravel()
        near = tolerance * max(1.0, np.abs(wanted).max(initial=0))
        if not np.allclose(np.array(words[1 + ndim:], np.float64), wanted, rtol=tolerance, atol=near):
            return False
    return True


def compare(answer, result, tolerances=None):
    """What differs between the library's answer and JAX's result, or None."""
    treedef = jtu.tree_structure(result)
    if answer[0] != "ok":
        return f"an error: {answer}"
    if answer[1] != str(treedef):
        return f"{answer[1]}, not {treedef}"
    return None if same_arrays(answer[2:], jtu.tree_leaves(result), tolerances) else "other values"


def mapped(*args):
    leaves = jtu.tree_leaves(args)
    return jax.tree.map(lambda x: x + x, args), jnp.sum(leaves[0]) if leaves else jnp.float32(0)


def vmap_case(rng, peer):
    size = rng.randint(1, 4)
    pairs = [argument(rng, size, 3) for _ in range(rng.randint(1, 3))]
    args, axes = tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
    axes = tuple(shorten(rng, value) for value in axes)
    broken = rng.random() < 0.4
    if broken:
        axes = break_axes(rng, axes)
    arrays = []
    text = literal(args, arrays)
    answer = peer.ask(["vmap", str(len(arrays)), *map(array_line, arrays), text, literal(axes, [])])
    try:
        result = evaluate.Traced(jax.vmap(mapped, in_axes=axes), *args)(*args)
    except (ValueError, TypeError) as why:
        words = str(why)
        if answer[0] == "ok":
            return "vmap refused", (text, axes, f"no error, JAX: {words}")
        if answer[1] != status_of(words):
            return "vmap refused", (text, axes, f"{answer[1:]}, JAX: {words}")
        places = jax_places(words)
        if places is not None and sorted(answer[2:]) != places:
            return "vmap refused", (text, axes, f"places {answer[2:]}, JAX: {places}: {words}")
        return "vmap refused", None
    wrong = compare(answer, result)
    return "vmap", wrong and (text, axes, wrong)


def scan_case(rng, peer):
    width, length = rng.randint(1, 4), rng.randint(0, 5)
    n_carry, n_x, n_y = rng.randint(1, 3), rng.randint(0, 2), rng.randint(0, 2)
    n = rng.randint(10, 40)
    program = [(rng.choice("+-*m"), rng.randrange(n_carry + n_x + i), rng.randrange(n_carry + n_x + i)) for i in range(n)]
    carry = [numbers(rng, (width,)) for _ in range(n_carry)]
    xs = [numbers(rng, (length, width)) for _ in range(n_x)]
    if n_x == 0 and length == 0:
        length = 3
    reverse = rng.random() < 0.5

    def body(c, x):
        registers = [*c, *(x or [])]
        for op, a, b in program:
            a, b = registers[a], registers[b]
            registers.append(a + b if op == "+" else a - b if op == "-" else a * b * np.float32(0.25) if op == "*"
                             else jnp.maximum(a, b))
        last = registers[-n_carry - n_y:]
        return last[:n_carry], last[n_carry:]

    arrays = []
    text = literal((carry, xs), arrays)
    answer = peer.ask(["scan", str(len(arrays)), *map(array_line, arrays), text,
                       f"{int(reverse)} {0 if n_x else length} {n_carry} {n_y} {n}", *(f"{o} {a} {b}" for o, a, b in program)])
    c, stacked = evaluate.Traced(lambda c, x: jax.lax.scan(body, c, x, length=length, reverse=reverse), carry, xs or None)(
        carry, xs or None)
    if not all(np.isfinite(v).all() for v in [*c, *stacked]):
        return "scan left out: beyond float32", None
    wrong = compare(answer, (c, stacked))
    return "scan", wrong and (text, program, wrong)


def break_leaf(rng, tree):
    """The tree with a leaf of another shape, and the path of that leaf."""
    leaves, treedef = jtu.tree_flatten_with_path(tree)
    at = rng.randrange(len(leaves))
    longer = [np.zeros((*leaf.shape, 7), np.float32) if i == at else leaf for i, (_, leaf) in enumerate(leaves)]
    return jtu.tree_unflatten(treedef, longer), jtu.keystr(leaves[at][0])


def program_cases(rng, peer):
    """A program on all its sets of numbers: a name and what differs for each."""
    program = programs.Program(rng, lambda: argument(rng, rng.randint(1, 3), 2)[0])
    name, questions = f"{program.mode} of a program", program.questions(rng)
    operations = [f"{op} {len(a)} {' '.join(map(str, a))} {len(p)} {' '.join(map(str, p))}" for op, a, p in program.program]

    def ask(arguments):
        arrays = []
        text = literal(tuple(arguments), arrays)
        return peer.ask([program.mode, str(len(arrays)), *map(array_line, arrays), text, str(len(operations)), *operations,
                         literal(program.result, [])])

    if program.broken is not None:
        try:
            jax.eval_shape(program.function, *program.sets[0])
            return [(name, (operations, "JAX does not refuse it"))]
        except programs.Refused as why:
            answer = ask(questions[0])
            same = answer[0] == "error" and answer[2:] == [f"op {why.args[0]}"]
            return [("operation refused", None if same else (operations, answer, why.args[0]))]
    if program.mode in ("vjp", "jvp") and rng.random() < 0.15 and jtu.tree_leaves(questions[0][1]):
        broken, path = break_leaf(rng, questions[0][1])
        answer = ask((questions[0][0], broken))
        try:
            jax.eval_shape(program.derivative, questions[0][0], broken)
            return [(name, (operations, "JAX does not refuse the derivative"))]
        except (TypeError, ValueError):
            same = answer == ["error", "shapes differ", path]
            return [("derivative refused", None if same else (operations, answer, path))]
    if program.mode == "map":
        stacked = programs.stack(questions)
        result = evaluate.Traced(jax.vmap(program.derivative), *stacked)(*stacked)
        wrong = compare(ask(stacked), result, [1e-4] * len(jtu.tree_leaves(result)))
        return [(name, wrong and (operations, wrong))]
    derivative = evaluate.Traced(program.derivative, *questions[0])
    results = [derivative(*question) for question in questions]
    n_values = 0 if program.mode == "hvp" else len(jtu.tree_leaves(results[0][0]))
    tolerances = [1e-5 if i < n_values else 1e-4 for i in range(len(jtu.tree_leaves(results[0])))]
    differences = [compare(ask(question), result, tolerances) for question, result in zip(questions, results)]
    return [(name, wrong and (operations, literal(tuple(question), []), wrong))
            for question, wrong in zip(questions, differences)]


def cases(rng, peer, wanted):
    """So many cases, of three kinds: a name and what differs for each."""
    done = 0
    while done < wanted:
        kind = rng.random()
        some = program_cases(rng, peer) if kind < 0.09 else [scan_case(rng, peer) if kind < 0.13 else vmap_case(rng, peer)]
        yield from some[:wanted - done]
        done += len(some)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, peer, counts, failed = random.Random(options.seed), Peer(options.program), {}, 0
    for number, (name, wrong) in enumerate(cases(rng, peer, options.cases)):
        counts[name] = counts.get(name, 0) + 1
        if wrong is not None:
            failed += 1
            if failed <= 5:
                print(f"case {number}, {name}:", *wrong, sep="\n  ")
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())), f"; {failed} differ")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
