"""The table of transforms and derivatives: what bench/transforms.c and bench/derivatives.c print, and the same in JAX on one CPU.

    transforms_peer.py [--no-peers] ROWS.jsonl...

Prints Markdown. All times are in nanoseconds. "reach" is what the library should take at most; a row that takes more is bold.
JAX is measured jitted, with results waited for, and as it is without jit. Both sides run in the same program of bench/run, on the
same CPU.
"""
import json
import statistics
import sys
import time

N = 1000
STEPS = 100


def measure(f, samples=25):
    """Median nanoseconds of a call."""
    f()
    rounds, took = 1, 0.0
    while took < 0.001:
        rounds *= 2
        start = time.perf_counter()
        for _ in range(rounds):
            f()
        took = time.perf_counter() - start
    values = []
    for _ in range(samples):
        start = time.perf_counter()
        for _ in range(rounds):
            f()
        values.append((time.perf_counter() - start) / rounds)
    return 1e9 * statistics.median(values)


def both(jax, f, *args, times=1, eager=True):
    """Nanoseconds of f jitted and, unless that takes minutes, not jitted."""
    jitted = jax.jit(f)
    fast = measure(lambda: jax.block_until_ready(jitted(*args)))
    slow = measure(lambda: jax.block_until_ready(f(*args)), samples=3) if eager else None
    return fast / times, slow and slow / times


def transforms(jax, jnp):
    """What bench/transforms.c measures."""
    x, zero, lax = jnp.arange(N, dtype=jnp.float32), jnp.float32(0), jax.lax
    model = [{"w": x[:5], "b": x[5:10]} for _ in range(100)]
    rows = x[:, None]
    call_2, call_200 = both(jax, lambda v: v + 1, zero), both(jax, lambda t: zero, model, eager=False)
    return {
        "vmap: 1 + 1 leaves": both(jax, jax.vmap(lambda v: v + 1), x, times=N),
        "vmap: 4 + 1 leaves": both(jax, jax.vmap(lambda a, b, c, d: a + b + c + d), x, x, x, x, times=N),
        "vmap: a struct of 2 leaves, rebuilt": both(jax, jax.vmap(lambda t: t["w"][0] + t["b"][0]), {"w": rows, "b": rows},
                                                    times=N),
        "scan: 1 carry, x, y": both(jax, lambda c, v: lax.scan(lambda s, e: (s + e, s + e), c, v), zero, x, times=N),
        "while: 1 carry": both(jax, lambda c: lax.while_loop(lambda s: s < N, lambda s: s + 1, c), zero, times=N),
        "fori: 1 carry": both(jax, lambda c: lax.fori_loop(0, N, lambda i, s: s + 1, c), zero, times=N),
        "run of a prepared function": call_2, "apply: 2 leaves": call_2, "cache hit: 2 leaves": call_2,
        "apply: 200 leaves in structs": call_200, "cache hit: 200 leaves in structs": call_200,
        "apply: vmap of 1 + 1 leaves": both(jax, jax.vmap(lambda v: v + 1), x[:1]),
    }


def derivatives(jax, jnp):
    """What bench/derivatives.c measures."""
    key = jax.random.split(jax.random.PRNGKey(0), 8)
    normal = lambda k, *shape: 0.1 * jax.random.normal(key[k], shape)
    net = {"w1": normal(0, 64, 128), "b1": normal(1, 128), "w2": normal(2, 128, 10), "b2": normal(3, 10)}
    x, y = normal(4, 32, 64), normal(5, 32, 10)

    def loss(p, x, y):
        h = jax.nn.relu(x @ p["w1"] + p["b1"])
        return jnp.mean((h @ p["w2"] + p["b2"] - y) ** 2)

    def recurrent(carry, xs):
        def step(c, u):
            w, h = c
            return (w, jnp.tanh(h @ w + u)), None
        return jax.lax.scan(step, carry, xs)

    def pulled(carry, xs, ct):
        end, back = jax.vjp(recurrent, carry, xs)
        return end, back((ct, None))

    gradient = jax.value_and_grad(loss)
    start = time.perf_counter()
    jax.jit(gradient).lower(net, x, y).compile()
    traced = 1e9 * (time.perf_counter() - start) / len(jax.make_jaxpr(gradient)(net, x, y).eqns)
    carry, xs = (normal(6, 64, 64), normal(7, 16, 64)), normal(4, STEPS, 16, 64)
    return {
        "value and gradient: perceptron 64-128-10, 32 rows": both(jax, gradient, net, x, y),
        "its trace, pullback and plan": (traced, None),
        "scan: recurrent network, 16 rows of 64": both(jax, recurrent, carry, xs, times=STEPS),
        "vjp of that scan (at most 3 times the scan)": both(jax, pulled, carry, xs, carry, times=STEPS, eager=False),
    }


def number(value):
    """A figure with three digits at least."""
    if value is None:
        return ""
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def main():
    files = [name for name in sys.argv[1:] if name != "--no-peers"]
    rows = [json.loads(line) for name in files for line in open(name, encoding="utf-8")]
    peers = {}
    if "--no-peers" not in sys.argv:
        import jax
        import jax.numpy as jnp
        peers = {**transforms(jax, jnp), **derivatives(jax, jnp)}
    print("| what | per | pytree | reach | allocations | by hand | JAX, jitted | JAX, not jitted |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        jitted, eager = peers.get(row["what"], (None, None))
        reach = row.get("reach")
        if row["what"].startswith("value and gradient") and jitted is not None:
            reach = min(reach, 1.2 * jitted)
        ours = number(row["ns"])
        if reach is not None and row["ns"] > reach:
            ours = f"**{ours}**"
        cells = [row["what"], row["per"], ours, number(reach), str(row.get("allocations", "")), number(row.get("by hand")),
                 number(jitted), number(eager)]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
