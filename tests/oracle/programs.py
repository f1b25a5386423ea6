"""Random traced programs with derivatives, for transforms.py: ten to forty operations of pytree/ops.h on random trees.

A program is made together with its values, so that no operation leaves the range in which float32 says something. It is traced
and differentiated once, and run on several sets of numbers.
"""
import random

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

SETS = 8                                 # arguments that a program is run on
LIMIT = 30.0                             # of any value
MODES = ["vjp"] * 5 + ["jvp"] * 3 + ["grad"] * 3 + ["map"] * 2 + ["hvp"] * 2 + ["backward"]


def unary(function):
    return lambda p, x: function(x)


def rows(x, i):
    return jax.lax.slice_in_dim(x, i, i + 1, axis=0)


# name: function of parameters and operands. Axes are those of one set: the arrays have no axis for the sets.
OPERATIONS = {
    **{name: unary(getattr(jax.lax, name)) for name in ["neg", "exp", "log", "sqrt", "tanh", "sin", "cos", "abs", "square"]},
    "relu": unary(jax.nn.relu), "mean": unary(jnp.mean), "sigmoid": unary(jax.lax.logistic), "gelu": unary(jax.nn.gelu),
    "softmax": unary(jax.nn.softmax), "log_softmax": unary(jax.nn.log_softmax), "stop": unary(jax.lax.stop_gradient),
    "zeros": unary(jnp.zeros_like),
    "scale": lambda p, x: x * np.float32(p[0] / 4), "shift": lambda p, x: x + np.float32(p[0] / 4),
    "power": lambda p, x: x ** p[0],
    "add": lambda p, a, b: a + b, "sub": lambda p, a, b: a - b, "mul": lambda p, a, b: a * b, "div": lambda p, a, b: a / b,
    "max": lambda p, a, b: jnp.maximum(a, b), "select": lambda p, a, b: jnp.where(a > b, a * np.float32(0.5), b),
    "sum": lambda p, x: jnp.sum(x, axis=tuple(p) or None), "max_of": lambda p, x: jnp.max(x, axis=tuple(p) or None),
    "broadcast": lambda p, x: jnp.broadcast_to(x, p), "reshape": lambda p, x: jnp.reshape(x, p),
    "transpose": lambda p, x: jnp.transpose(x, p), "slice": lambda p, x: jax.lax.slice_in_dim(x, p[1], p[2], axis=p[0]),
    "concat": lambda p, *x: jax.lax.concatenate(x, p[0]), "take": lambda p, x: jax.lax.concatenate([rows(x, i) for i in p], 0),
    "put": lambda p, x: sum(jnp.pad(rows(x, i), [(r, p[0] - 1 - r)] + [(0, 0)] * (x.ndim - 1)) for i, r in enumerate(p[1:])),
    "matmul": lambda p, a, b: jnp.matmul(a.swapaxes(-1, -2) if p[0] & 1 else a, b.swapaxes(-1, -2) if p[0] & 2 else b),
    "linear": lambda p, x, w, b: x @ w + b,
    "entropy": lambda p, x: -jnp.mean(jnp.sum(jax.nn.one_hot(np.array(p), x.shape[-1]) * jax.nn.log_softmax(x), -1)),
}
SMOOTH = ["neg", "tanh", "sin", "cos", "square", "sigmoid", "scale", "add", "sub", "mul"]      # of one shape, for scans


class Refused(Exception):
    """An operation of JAX raised something; args[0] is its number."""


def run(program, leaves):
    """All registers of a program: its arguments' leaves and the result of each operation."""
    registers = list(leaves)
    for number, (name, operands, parameters) in enumerate(program):
        try:
            registers.append(OPERATIONS[name](parameters, *(registers[i] for i in operands)))
        except (TypeError, ValueError) as why:
            raise Refused(number) from why
    return registers


def fits(a, b):
    try:
        np.broadcast_shapes(a, b)
        return True
    except ValueError:
        return False


def parameters_of(rng, name, shapes):
    """Parameters of an operation on arrays of these shapes; None if it has none for them."""
    shape = shapes[0]
    n = len(shape)
    if name in ("scale", "shift"):
        return [rng.randint(-6, 6)]
    if name == "power":
        return [rng.randint(2, 3)]
    if name in ("sum", "max_of"):
        return sorted(rng.sample(range(n), rng.randint(0, n)))
    if name == "broadcast":
        return [rng.randint(1, 3) for _ in range(rng.randint(0, 3 - n))] + [e if e != 1 else rng.randint(1, 3) for e in shape]
    if name == "reshape":
        count = int(np.prod(shape, dtype=int))
        return rng.choice([[count], [1, count], [count, 1], list(reversed(shape))] + ([[2, count // 2]] if count % 2 == 0 else []))
    if name == "transpose":
        return rng.sample(range(n), n)
    if n == 0 and name in ("slice", "concat", "take", "put", "softmax", "log_softmax", "entropy"):
        return None
    if name == "slice":
        axis = rng.randrange(n)
        low = rng.randint(0, shape[axis] - 1)
        return [axis, low, rng.randint(low + 1, shape[axis])]
    if name == "concat":
        axis = rng.randrange(n)
        same = all(len(s) == n and s[:axis] + s[axis + 1:] == shape[:axis] + shape[axis + 1:] for s in shapes)
        return [axis] if same else None
    if name == "take":
        return [rng.randrange(shape[0]) for _ in range(rng.randint(1, 3))]
    if name == "put":
        rows = rng.randint(1, 4)
        return [rows] + [rng.randrange(rows) for _ in range(shape[0])]
    if name == "matmul":
        return [rng.randint(0, 3)]
    if name == "entropy":
        return [rng.randrange(shape[-1]) for _ in range(shape[0])] if n == 2 else None
    return []


def operands_of(rng, name, shapes):
    """Registers for an operation; None if there are none of fitting shapes."""
    def pick(rule=lambda shape: True):
        return rng.choice([i for i, shape in enumerate(shapes) if rule(shape)] or [None])

    if name == "linear":
        x = pick(lambda s: len(s) == 2)
        w = None if x is None else pick(lambda s: len(s) == 2 and s[0] == shapes[x][1])
        b = None if w is None else pick(lambda s: s == (shapes[w][1],))
        return None if b is None else [x, w, b]
    if name == "matmul":
        a = pick(lambda s: len(s) == 2)
        b = None if a is None else pick(lambda s: len(s) == 2 and (shapes[a][0] in s or shapes[a][1] in s))
        return None if b is None else [a, b]
    recent = range(max(0, len(shapes) - 8), len(shapes))
    a = rng.choice(recent) if rng.random() < 0.7 else rng.randrange(len(shapes))
    if name == "concat":
        return [a] + [b for b in (pick(lambda s: len(s) == len(shapes[a]) and len(s) > 0) for _ in range(rng.randint(0, 2)))
                      if b is not None]
    if name in ("add", "sub", "mul", "div", "max", "select"):
        return [a, pick(lambda s: fits(s, shapes[a]) and len(s) <= 3)]
    return [a]


def within(name, values):
    """Do these operands stay where the operation is well conditioned?"""
    x = values[0]
    if name in ("log", "sqrt"):
        return x.min(initial=1) > 0.1
    if name == "exp":
        return x.max(initial=0) < 3
    if name == "div":
        return np.abs(values[1]).min(initial=1) > 0.2
    if name in ("abs", "relu"):
        return np.abs(x).min(initial=1) > 1e-3
    if name in ("max", "select"):
        return np.abs(values[0] - values[1]).min(initial=1) > 1e-3
    return True


def distinct(x, axes):
    """Is the maximum over these axes attained once, with some distance?"""
    moved = np.moveaxis(x, axes, range(len(axes))).reshape(int(np.prod([x.shape[a] for a in axes], dtype=int)), -1)
    top = np.sort(moved, axis=0)
    return len(top) < 2 or (top[-1] - top[-2]).min(initial=1) > 1e-3


def add_operation(rng, program, sets, names):
    """Appends one operation that is in range on all sets; sets[k] are the registers of set k."""
    shapes = [v.shape for v in sets[0]]
    for _ in range(40):
        name = rng.choice(names)
        operands = operands_of(rng, name, shapes)
        if operands is None or None in operands:
            continue
        parameters = parameters_of(rng, name, [shapes[i] for i in operands])
        if parameters is None or not all(within(name, [s[i] for i in operands]) for s in sets):
            continue
        if name == "max_of" and not all(distinct(s[operands[0]], parameters or range(len(shapes[operands[0]]))) for s in sets):
            continue
        try:
            results = [np.asarray(numpy_run(name, parameters, [s[i] for i in operands])) for s in sets]
        except ValueError:
            continue
        size = results[0].size
        if results[0].ndim > 3 or not 0 < size <= 27 or not all(np.isfinite(r).all() and np.abs(r).max() < LIMIT for r in results):
            continue
        program.append((name, operands, parameters))
        for registers, result in zip(sets, results):
            registers.append(result.astype(np.float32))
        return


def numpy_run(name, p, x):
    """An operation in numpy, which is fast enough to look ahead."""
    def exps(v):
        e = np.exp(v - v.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    a = x[0]
    simple = {"neg": np.negative, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "sin": np.sin, "cos": np.cos,
              "abs": np.abs, "square": np.square, "mean": np.mean, "zeros": np.zeros_like, "softmax": exps}
    if name in simple:
        return simple[name](a)
    pairs = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum}
    if name in pairs:
        return pairs[name](a, x[1])
    return {
        "relu": lambda: np.maximum(a, 0), "sigmoid": lambda: 1 / (1 + np.exp(-a)), "stop": lambda: a,
        "gelu": lambda: 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a ** 3))),
        "log_softmax": lambda: np.log(exps(a)), "scale": lambda: a * np.float32(p[0] / 4), "power": lambda: a ** p[0],
        "shift": lambda: a + np.float32(p[0] / 4), "select": lambda: np.where(a > x[1], a * np.float32(0.5), x[1]),
        "sum": lambda: a.sum(tuple(p) or None), "max_of": lambda: a.max(tuple(p) or None),
        "broadcast": lambda: np.broadcast_to(a, p), "reshape": lambda: a.reshape(p), "transpose": lambda: a.transpose(p),
        "slice": lambda: a.take(range(p[1], p[2]), p[0]), "concat": lambda: np.concatenate(x, p[0]),
        "take": lambda: a[p], "put": lambda: np.add.reduce([np.eye(1, p[0], r)[0].reshape(-1, *[1] * (a.ndim - 1)) * a[i]
                                                            for i, r in enumerate(p[1:])]),
        "matmul": lambda: (a.T if p[0] & 1 else a) @ (x[1].T if p[0] & 2 else x[1]), "linear": lambda: a @ x[1] + x[2],
        "entropy": lambda: -np.mean(np.log(exps(a))[range(len(p)), p]),
    }[name]()


def break_operation(rng, program, shapes):
    """Puts an operation that no array fits, at a random place. Returns its number, or None."""
    at = rng.randrange(len(program))
    here = shapes[:len(shapes) - len(program) + at]
    a = rng.randrange(len(here))
    n = len(here[a])
    bad = [("reshape", [a], [int(np.prod(here[a], dtype=int)) + 1]), ("sum", [a], [n]), ("concat", [a, a], [n + 1])]
    bad += [("transpose", [a], [*range(1, n), n])] if n else []
    bad += [("add", [a, b], []) for b in range(len(here)) if not fits(here[a], here[b])][:2]
    bad += [("matmul", [a, b], [0]) for b in range(len(here)) if n == 2 and len(here[b]) == 2 and here[a][1] != here[b][0]][:2]
    program[at] = rng.choice(bad)
    return at


def result_tree(rng, registers, depth=2):
    """A random tree whose leaves are these registers."""
    if len(registers) == 1 and (depth == 0 or rng.random() < 0.6):
        return registers[0]
    cuts = sorted(rng.sample(range(1, len(registers)), rng.randint(0, min(2, len(registers) - 1)))) if depth else \
        list(range(1, len(registers)))
    parts = [registers[low:high] for low, high in zip([0, *cuts], [*cuts, len(registers)])]
    children = [result_tree(rng, part, depth - 1) if depth else part[0] for part in parts]
    kind = rng.choice(["list", "tuple", "dict"])
    if kind == "dict":
        return dict(zip(rng.sample(["a", "b", "k1", "k10", "x y", "loss"], len(children)), children))
    return children if kind == "list" else tuple(children)


def stack(trees):
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)


def direction(rng, tree):
    """Numbers of a tree's form."""
    values = np.random.default_rng(rng.getrandbits(32))
    return jax.tree.map(lambda x: values.uniform(-1, 1, np.shape(x)).astype(np.float32), tree)


class Program:
    """A random program, its arguments, and the function of JAX."""

    def __init__(self, rng, random_tree):
        self.mode = rng.choice(MODES)
        width = (rng.randint(1, 4),)
        if self.mode == "backward":
            n_carry, n_x = rng.randint(1, 2), rng.randint(1, 2)
            trees = ([np.zeros(width, np.float32)] * n_carry, [np.zeros(width, np.float32)] * n_x)
        else:
            trees = tuple(random_tree() for _ in range(rng.randint(1, 3)))
            if not any(leaf.size for leaf in jtu.tree_leaves(trees)):
                trees = (np.zeros((2, 2), np.float32), *trees)
        self.sets = [direction(rng, trees) for _ in range(1 if self.mode == "backward" else SETS)]
        registers = [list(jtu.tree_leaves(one)) for one in self.sets]
        n_leaves = len(registers[0])
        self.program = []
        names = SMOOTH if self.mode == "backward" else sorted(OPERATIONS)
        for _ in range(rng.randint(10, 40 if self.mode != "backward" else 15)):
            add_operation(rng, self.program, registers, names)
        shapes = [v.shape for v in registers[0]]
        self.broken = None
        if self.mode == "backward":
            last = list(range(len(shapes)))[-n_carry - 1:]
            self.result = (last[:n_carry], last[n_carry:])
            self.length = rng.randint(1, 4)
            self.sets = [(self.sets[0][0], direction(rng, [np.zeros((self.length, *width))] * n_x))]
        elif self.mode in ("grad", "map", "hvp"):
            used = rng.sample(range(n_leaves, len(shapes)), min(3, len(shapes) - n_leaves)) + [len(shapes) - 1]
            for register in used:
                self.program.append(("mean", [register], []))
            total = len(shapes)
            for k in range(1, len(used)):
                self.program.append(("add", [total if k == 1 else len(shapes) + len(used) + k - 2, len(shapes) + k], []))
            self.result = len(shapes) + 2 * len(used) - 2
        else:
            self.result = result_tree(rng, rng.sample(range(len(shapes)), min(len(shapes), rng.randint(1, 4))))
            if rng.random() < 0.15 and self.program:
                self.broken = break_operation(rng, self.program, shapes)

    def function(self, *args):
        registers = run(self.program, jtu.tree_leaves(args))
        return jax.tree.map(lambda i: registers[i], self.result)

    def derivative(self, *args):
        """What the library is asked for, of the arguments that it is given."""
        if self.mode == "vjp":
            y, back = jax.vjp(self.function, *args[0])
            return y, back(args[1])
        if self.mode == "jvp":
            return jax.jvp(self.function, *args)
        if self.mode == "grad":
            return jax.value_and_grad(self.function, argnums=tuple(range(len(args))))(*args)
        if self.mode == "hvp":
            return jax.jvp(jax.grad(self.function, argnums=tuple(range(len(args[0])))), *args)
        if self.mode == "map":
            return jax.grad(self.function, argnums=tuple(range(len(args))))(*args)
        (carry, xs), ct = args

        def body(c, x):
            return self.function(c, x)

        y, back = jax.vjp(lambda c, x: jax.lax.scan(body, c, x), carry, xs)
        return y, back(ct)

    def questions(self, rng):
        """The arguments of the derivative, one set after the other."""
        if self.mode in ("grad", "map"):
            return self.sets
        if self.mode == "vjp" and self.broken is None:
            shapes = jax.eval_shape(self.function, *self.sets[0])
            return [(one, direction(rng, shapes)) for one in self.sets]
        if self.mode == "backward":
            carry, xs = self.sets[0]
            like = (carry, jax.tree.map(lambda _: np.zeros((self.length, *carry[0].shape), np.float32), self.result[1]))
            return [((carry, xs), direction(rng, like))]
        return [(one, direction(rng, one)) for one in self.sets]
