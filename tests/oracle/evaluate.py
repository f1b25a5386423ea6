"""JAX's answers without compiling: a function is traced, transformed and differentiated by JAX, and numpy computes what came of
it. Compiling each operation for each new shape would take most of the time of transforms.py."""
import jax
import jax.tree_util as jtu
import numpy as np

SIMPLE = {
    "neg": np.negative, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "sin": np.sin, "cos": np.cos,
    "abs": np.abs, "sign": np.sign, "add": np.add, "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "max": np.maximum, "square": np.square, "gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal,
    "eq": np.equal, "ne": np.not_equal, "and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "copy": np.array,
    "logistic": lambda x: 1 / (1 + np.exp(-x)), "stop_gradient": np.array, "copy_p": np.array, "is_finite": np.isfinite,
    "log1p": np.log1p, "rsqrt": lambda x: 1 / np.sqrt(x), "select_n": lambda which, *x: np.choose(which.astype(int), x),
}


def broadcast_in_dim(x, shape, broadcast_dimensions, **_):
    where = [1] * len(shape)
    for axis, extent in zip(broadcast_dimensions, x.shape):
        where[axis] = extent
    return np.broadcast_to(x.reshape(where), shape)


def dot_general(a, b, dimension_numbers, **_):
    (a_sum, b_sum), (a_batch, b_batch) = dimension_numbers
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    of_a = [next(letters) for _ in a.shape]
    of_b = [next(letters) for _ in b.shape]
    for i, j in [*zip(a_sum, b_sum), *zip(a_batch, b_batch)]:
        of_b[j] = of_a[i]
    out = [of_a[i] for i in a_batch] + [of_a[i] for i in range(a.ndim) if i not in (*a_sum, *a_batch)]
    out += [of_b[j] for j in range(b.ndim) if j not in (*b_sum, *b_batch)]
    return np.einsum(f"{''.join(of_a)},{''.join(of_b)}->{''.join(out)}", a, b)


def slices(x, start_indices, limit_indices, strides, **_):
    return x[tuple(slice(*one) for one in zip(start_indices, limit_indices, strides or [1] * x.ndim))]


def pad(x, value, padding_config, **_):
    """Negative padding cuts."""
    out = np.full([low + high + n for (low, high, _), n in zip(padding_config, x.shape)], value)
    to = tuple(slice(max(low, 0), extent - max(high, 0)) for (low, high, _), extent in zip(padding_config, out.shape))
    out[to] = x[tuple(slice(max(-low, 0), n - max(-high, 0)) for (low, high, _), n in zip(padding_config, x.shape))]
    return out


def scan(jaxpr, num_consts, num_carry, length, reverse, *values, **_):
    constants, carry, xs = values[:num_consts], list(values[num_consts:num_consts + num_carry]), values[num_consts + num_carry:]
    order = reversed(range(length)) if reverse else range(length)
    steps = []
    for i in order:
        out = run(jaxpr.jaxpr, jaxpr.consts, [*constants, *carry, *(x[i] for x in xs)])
        carry, y = out[:num_carry], out[num_carry:]
        steps.append(y)
    if reverse:
        steps.reverse()
    shapes = [v.aval for v in jaxpr.jaxpr.outvars[num_carry:]]
    return [*carry, *(np.array([step[k] for step in steps], a.dtype).reshape(length, *a.shape) for k, a in enumerate(shapes))]


SHAPED = {
    "broadcast_in_dim": broadcast_in_dim, "dot_general": dot_general, "slice": slices, "pad": pad,
    "integer_pow": lambda x, y, **_: x ** y, "reduce_sum": lambda x, axes, **_: x.sum(tuple(axes)),
    "reduce_max": lambda x, axes, **_: x.max(tuple(axes)), "reshape": lambda x, new_sizes, **_: x.reshape(new_sizes),
    "transpose": lambda x, permutation: x.transpose(permutation), "squeeze": lambda x, dimensions: x.squeeze(tuple(dimensions)),
    "concatenate": lambda *x, dimension: np.concatenate(x, dimension), "expand_dims": lambda x, dimensions: np.expand_dims(
        x, tuple(dimensions)), "convert_element_type": lambda x, new_dtype, **_: x.astype(new_dtype),
    "iota": lambda dtype, shape, dimension, **_: np.broadcast_to(
        np.arange(shape[dimension], dtype=dtype).reshape([-1 if i == dimension else 1 for i in range(len(shape))]), shape),
}
INNER = {"pjit": "jaxpr", "jit": "jaxpr", "closed_call": "call_jaxpr", "custom_jvp_call": "call_jaxpr", "core_call": "call_jaxpr",
         "custom_vjp_call": "call_jaxpr", "remat": "jaxpr"}


def run(jaxpr, constants, arguments):
    """The results of a jaxpr, by numpy."""
    values = {}

    def read(atom):
        return np.asarray(atom.val, atom.aval.dtype) if hasattr(atom, "val") else values[atom]

    values.update(zip(jaxpr.constvars, map(np.asarray, constants)))
    values.update(zip(jaxpr.invars, arguments))
    for eqn in jaxpr.eqns:
        name, x = eqn.primitive.name, [read(atom) for atom in eqn.invars]
        if name in SIMPLE:
            out = [SIMPLE[name](*x)]
        elif name in INNER:
            inner = eqn.params[INNER[name]]
            out = run(getattr(inner, "jaxpr", inner), getattr(inner, "consts", []), x)
        elif name == "scan":
            out = scan(eqn.params["jaxpr"], eqn.params["num_consts"], eqn.params["num_carry"], eqn.params["length"],
                       eqn.params["reverse"], *x)
        elif name == "split":
            out = np.split(x[0], np.cumsum(eqn.params["sizes"])[:-1], eqn.params["axis"])
        else:
            out = [SHAPED[name](*x, **eqn.params)]
        for var, value in zip(eqn.outvars, out, strict=True):
            if value.shape != var.aval.shape or value.dtype != var.aval.dtype:
                raise AssertionError(f"{name}: expected {var.aval}, got {value.dtype}{value.shape}")
            values[var] = value
    return [read(atom) for atom in jaxpr.outvars]


class Traced:
    """A function of JAX, traced once for the shapes of its arguments."""

    def __init__(self, function, *arguments):
        self.closed, self.shape = jax.make_jaxpr(function, return_shape=True)(*arguments)

    def __call__(self, *arguments):
        leaves = [np.asarray(leaf) for leaf in jtu.tree_leaves(arguments)]
        with np.errstate(all="ignore"):
            out = run(self.closed.jaxpr, self.closed.consts, leaves)
        return jtu.tree_unflatten(jtu.tree_structure(self.shape), out)
