"""The same as bench/transforms.c in JAX on one CPU, jitted and not: nanoseconds, as a table in Markdown."""
import statistics
import time

import jax
import jax.numpy as jnp

N = 1000


def measure(f, samples=25):
    """Median seconds of a call."""
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
    return statistics.median(values)


def main():
    x, zero = jnp.arange(N, dtype=jnp.float32), jnp.float32(0)
    model = [{"w": x[:5], "b": x[5:10]} for _ in range(100)]
    add = jax.vmap(lambda v: v + 1)
    four = jax.vmap(lambda a, b, c, d: a + b + c + d)
    scan = lambda c, v: jax.lax.scan(lambda s, e: (s + e, s + e), c, v)
    rows = [("vmap: 1 + 1 leaves", "element", N, add, (x,)), ("vmap: 4 + 1 leaves", "element", N, four, (x, x, x, x)),
            ("scan: 1 carry, x, y", "step", N, scan, (zero, x)), ("jit call: 2 leaves", "call", 1, lambda v: v + 1, (zero,)),
            ("jit call: 200 leaves", "call", 1, lambda t: zero, (model,))]
    print("| what | per | ns, jitted | ns, not jitted |\n|:--|:--|--:|--:|")
    for what, per, times, f, args in rows:
        jitted = jax.jit(f)
        fast = measure(lambda: jax.block_until_ready(jitted(*args)))
        slow = measure(lambda: jax.block_until_ready(f(*args)), samples=3)
        print(f"| {what} | {per} | {1e9 * fast / times:.1f} | {1e9 * slow / times:.0f} |")


if __name__ == "__main__":
    main()
