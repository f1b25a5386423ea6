"""The table of states of ResNet-152: what bench/states.c prints, and the same in Flax NNX on one CPU.

    states_peer.py [--no-peers] ROWS.jsonl

Prints Markdown, nanoseconds per variable. "reach" is what the library should take at most; a row that takes more is bold. The
model has the same 932 variables under the same names and the same static attributes, each with a NumPy array of one element, so
that only the package's own work is measured.
"""
import json
import sys
import warnings

from transforms_peer import measure, number

BLOCKS = (3, 8, 36, 3)
VARIABLES = 932


def model(nnx, numpy):
    """ResNet-152 of modules."""
    def one(role, *shape):
        return role(numpy.ones(shape, numpy.float32))

    class Conv(nnx.Module):
        def __init__(self):
            self.cin = self.cout = self.kernel = self.stride = self.padding = 1
            self.weight, self.bias = one(nnx.Param, 1, 1, 1, 1), None

    class BatchNorm(nnx.Module):
        def __init__(self):
            self.features = 1
            self.weight, self.bias = one(nnx.Param, 1), one(nnx.Param, 1)
            self.running_mean, self.running_var = one(nnx.BatchStat, 1), one(nnx.BatchStat, 1)
            self.num_batches_tracked = nnx.BatchStat(numpy.zeros((), numpy.int64))

    class Downsample(nnx.Module):
        def __init__(self):
            self.conv, self.bn = Conv(), BatchNorm()

    class Bottleneck(nnx.Module):
        def __init__(self, first):
            self.conv1, self.bn1, self.conv2, self.bn2, self.conv3, self.bn3 = (
                Conv(), BatchNorm(), Conv(), BatchNorm(), Conv(), BatchNorm())
            self.downsample = Downsample() if first else None

    class Linear(nnx.Module):
        def __init__(self):
            self.din = self.dout = 1
            self.weight, self.bias = one(nnx.Param, 1, 1), one(nnx.Param, 1)

    class ResNet(nnx.Module):
        def __init__(self):
            self.conv1, self.bn1, self.fc = Conv(), BatchNorm(), Linear()
            for i, n in enumerate(BLOCKS, 1):
                setattr(self, f"layer{i}", nnx.List([Bottleneck(k == 0) for k in range(n)]))

    return ResNet()


def peers():
    """Nanoseconds per variable of each operation in Flax."""
    import jax
    import numpy
    from flax import nnx
    warnings.simplefilter("ignore", DeprecationWarning)        # of sow outside of capture
    net = model(nnx, numpy)
    graphdef, params, rest = nnx.split(net, nnx.Param, ...)
    states = [nnx.state(net, nnx.Variable) for _ in range(4)]
    assert len(jax.tree.leaves(states[0])) == VARIABLES

    def pop():
        net.sow(nnx.Intermediate, "seen", 1.0)
        nnx.pop(net, nnx.Intermediate)
    calls = {
        "graphdef": lambda: nnx.graphdef(net),
        "split(m, Param, ...)": lambda: nnx.split(net, nnx.Param, ...),
        "state(m, Param)": lambda: nnx.state(net, nnx.Param),
        "merge": lambda: nnx.merge(graphdef, params, rest),
        "update, same memory": lambda: nnx.update(net, params, rest),
        "clone": lambda: nnx.clone(net),
        "pop, one found": pop,
        "map over one state": lambda: jax.tree.map(lambda a: a, states[0]),
        "map over four states": lambda: jax.tree.map(lambda a, b, c, d: a, *states),
    }
    return {what: measure(call, samples=5) / VARIABLES for what, call in calls.items()}


def main():
    files = [name for name in sys.argv[1:] if name != "--no-peers"]
    rows = [json.loads(line) for name in files for line in open(name, encoding="utf-8")]
    flax = {} if "--no-peers" in sys.argv else peers()
    print("| what | model | pytree | reach | allocations | Flax | ratio |\n|---|---|---:|---:|---:|---:|---:|")
    for row in rows:
        what, kind = row["what"].rsplit(", ", 1)
        other, reach, ours = flax.get(what.removeprefix("pytree_object_")), row.get("reach"), number(row["ns"])
        if reach is not None and row["ns"] > reach:
            ours = f"**{ours}**"
        ratio = "" if other is None else f"{other / row['ns']:.0f}×"
        print("| " + " | ".join([what, kind, ours, number(reach), str(row["allocations"]), number(other), ratio]) + " |")


if __name__ == "__main__":
    main()
