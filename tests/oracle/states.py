"""Random graphs of objects and random operations on them through the library and Flax NNX: tests/oracle/run states starts this.

    states.py PROGRAM [--cases N] [--seed N] [--show CASE]

A case is a sequence of commands (states.c): a model of objects, lists, dicts, variables, arrays and static values grows, with
values that stand in several places, and cycles; it is split, merged, cloned, updated, popped and changed in between. Flax does
each command first. After each, what it gave and the whole model are compared as text: structure, paths, roles, metadata, values,
and what is the same value. Errors must come in the same places.
"""
import argparse
import random
import subprocess
import sys

import numpy as np
from flax import nnx
from flax.nnx import graphlib

NAMES = ["a", "b", "c", "w10", "w2"]
BATCH = 100


class Foo(nnx.Module):
    pass


class Bar(nnx.Module):
    pass


class Frozen(nnx.Param):
    pass


CLASSES = {"Foo": Foo, "Bar": Bar, "List": nnx.List, "Dict": nnx.Dict}
ROLES = {"Param": nnx.Param, "BatchStat": nnx.BatchStat, "Cache": nnx.Cache, "Intermediate": nnx.Intermediate,
         "Frozen": Frozen}
FILTER_ROLES = {**ROLES, "Variable": nnx.Variable}

# ---- Text ---------------------------------------------------------------------------------------------------------------


def leaf_text(value):
    if isinstance(value, str):
        return f"={value!r}"
    value = np.asarray(value)
    return "=" + (f"{value.shape[0]}:" if value.ndim else "") + ",".join(f"{v:g}" for v in np.asarray(value, float).ravel())


def metadata_text(metadata):
    """Metadata without that which Flax gives every variable."""
    own = {key: value for key, value in sorted(metadata.items()) if key not in ("eager_sharding", "hijax", "ref")}
    return repr(own) if own else ""


def model_text(model):
    """What Flax flattens a model to, as states.c writes it, without the attributes that Flax has for itself."""
    graphdef, leaves = graphlib.flatten(model, with_paths=False)
    nodes, attributes, leaves = iter(graphdef.nodes), iter(graphdef.attributes), iter(leaves)

    def go():
        node = next(nodes)
        if isinstance(node, graphlib.NodeRef):
            return f"@{node.index}"
        if isinstance(node, graphlib.VariableDef):
            return f"{node.type.__name__}#{node.index}{metadata_text(node.metadata)}{leaf_text(next(leaves))}"
        parts = []
        for _ in range(node.num_attributes):
            key, value = next(attributes)
            text = (f"{key}~{value.value!r};" if isinstance(value, graphlib.Static) else
                    f"{key}:{leaf_text(next(leaves)) if isinstance(value, graphlib.LeafAttr) else go()};")
            parts += [text] if not str(key).startswith("_") else []
        return f"{node.type.__name__}#{node.index}{{{''.join(parts)}}}"
    return go()


def state_text(state):
    if isinstance(state, nnx.Variable):
        return f"{type(state).__name__}{metadata_text(state.get_metadata())}{leaf_text(state.get_raw_value())}"
    if not hasattr(state, "items"):
        return leaf_text(state)
    items = sorted(state.items(), key=lambda item: (isinstance(item[0], str), item[0]))
    return "{" + "".join(f"{key}:{state_text(value)};" for key, value in items) + "}"


# ---- Flax's side --------------------------------------------------------------------------------------------------------


class Case:
    """A model, the commands that were done to it, and what Flax answered."""

    def __init__(self, rng):
        self.rng, self.lines, self.answers = rng, [], []
        self.model = self.graphdef = self.values = None
        self.parts, self.next, self.over = [], 1, False

    def do(self, line, action):
        """Does a command; `action` returns what the library is to answer. What Flax leaves half done after an error is the end of
        the case: in the library nothing has changed."""
        before = None if self.model is None else model_text(self.model)
        try:
            text = action()
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as why:
            text = f"error {type(why).__name__}: {why}".replace("\n", " ")[:200]
        after = model_text(self.model)
        refused = (text or "").startswith("error")
        self.over = refused and after != before
        self.lines.append(line)
        self.answers.append((text or "", before if refused else after))
        return not refused

    def numbers(self, n):
        self.next += n
        return np.arange(self.next - n, self.next, dtype=np.float32) % 512

    # ---- What there is -----------------------------------------------------------------------------------------------

    def places(self):
        """Every object and variable with each of its paths; a cycle is gone round once."""
        found = []

        def go(path, value, above):
            found.append((".".join(path) or ".", value))
            if isinstance(value, nnx.Variable) or any(value is v for v in above):
                return
            for key, child in children(value):
                if isinstance(child, (nnx.Module, nnx.Variable)):
                    go((*path, str(key)), child, (*above, value))
        go((), self.model, ())
        return found[:40]

    def objects(self):
        return [(path, value) for path, value in self.places() if isinstance(value, nnx.Module)]

    def variables(self):
        return [(path, value) for path, value in self.places() if isinstance(value, nnx.Variable)]

    # ---- Commands ----------------------------------------------------------------------------------------------------

    def value(self, to, name):
        """A random value to assign: its words, and what makes it. A tuple is data only in the library: docs/semantics.md."""
        in_list = isinstance(to, nnx.List)
        rng, kind = self.rng, self.rng.random()
        if kind < 0.28:
            name = rng.choice(list(CLASSES))
            return f"new {name}", CLASSES[name]
        if kind < 0.62:
            role, numbers = rng.choice(list(ROLES)), self.numbers(rng.randint(1, 3))
            return f"var {role} {words(numbers)}", lambda: ROLES[role](numbers)
        if kind < 0.70:
            numbers = self.numbers(rng.randint(1, 3))
            return f"array {words(numbers)}", lambda: numbers
        if kind < 0.85 or in_list:
            path, value = rng.choice(self.places())
            return f"at {path}", lambda: value
        literal = rng.choice([3, -1, "'x'", "True", *([] if to._pytree__nodes.get(name) else ["(1,2)"])])
        return f"static {literal}", lambda: eval(str(literal))

    def put(self):
        path, to = self.rng.choice(self.objects())
        is_list = isinstance(to, nnx.List)
        name = self.rng.randint(0, len(to)) if is_list else self.rng.choice(NAMES)
        spelled, make = self.value(to, name)

        def action():
            if not is_list:
                setattr(to, name, make())
            elif name == len(to):
                to.append(make())
            else:
                to[name] = make()
        self.do(f"put {path} {name} {spelled}", action)

    def remove(self):
        path, value = self.rng.choice(self.objects())
        if isinstance(value, nnx.List):
            return
        name = self.rng.choice([str(key) for key, _ in children(value)] + NAMES[:1])
        self.do(f"remove {path} {name}", lambda: delattr(value, name))

    def set(self):
        if found := self.variables():
            path, variable = self.rng.choice(found)
            numbers = self.numbers(self.rng.choice([len(np.ravel(variable.get_raw_value())), 2]))
            self.do(f"set {path} {words(numbers)}", lambda: variable.set_value(numbers))

    def metadata(self):
        if found := self.variables():
            path, variable = self.rng.choice(found)
            name, literal = self.rng.choice(["tag", "axis"]), self.rng.choice([1, 2, "'in'"])
            self.do(f"metadata {path} {name} {literal}", lambda: variable.set_metadata(**{name: eval(str(literal))}))

    def filter(self, depth=2):
        """A filter: its words, and Flax's."""
        rng, kind = self.rng, self.rng.random()
        if depth and kind < 0.15:
            text, of = self.filter(depth - 1)
            return f"not {text}", nnx.Not(of)
        if depth and kind < 0.35:
            some = [self.filter(depth - 1) for _ in range(rng.randint(0, 2))]
            kind, make = rng.choice([("any", nnx.Any), ("all", nnx.All)])
            return " ".join([kind, str(len(some)), *(text for text, _ in some)]), make(*(of for _, of in some))
        if kind < 0.75:
            role = rng.choice(list(FILTER_ROLES))
            return f"of {role}", FILTER_ROLES[role]
        if kind < 0.85:
            name = rng.choice(NAMES)
            return f"has {name}", nnx.PathContains(name)
        if kind < 0.90:
            return "like w", nnx.PathContains("w", exact=False)
        return rng.choice([("index 0", nnx.PathContains(0)), ("nothing", False)])

    def filters(self, rest):
        some = [self.filter() for _ in range(self.rng.randint(1, 2))]
        if self.rng.random() < rest:
            some.append(("rest", ...))
        return " ".join([str(len(some)), *(text for text, _ in some)]), [of for _, of in some]

    def split(self):
        """Splits; then often merges, joins or subtracts the parts."""
        text, filters = self.filters(0.8)

        def action():
            self.graphdef, *self.parts = nnx.split(self.model, *filters)
            return " ".join(map(state_text, self.parts))
        if not self.do(f"split {text}", action):
            return
        n, kind = len(self.parts), self.rng.random()
        order = self.rng.sample(range(n), n)
        if kind < 0.1:
            order = order[1:] or order
        if kind < 0.5:
            adopt = self.rng.random() < 0.5

            def merge():
                made = nnx.merge(self.graphdef, *(self.parts[i] for i in order))
                text = model_text(made)
                self.model = made if adopt else self.model
                return text
            self.do(" ".join(["merge", str(int(adopt)), str(len(order)), *map(str, order)]), merge)
        elif n > 1 and kind < 0.65:
            self.do("join", lambda: state_text(nnx.merge_state(*self.parts[:2])))
        elif n > 1 and kind < 0.8:
            self.do("minus", lambda: state_text(self.parts[0] - self.parts[1]))

    def clone(self):
        adopt = self.rng.random() < 0.5

        def action():
            made = nnx.clone(self.model)
            self.model = made if adopt else self.model
            return model_text(made)
        self.do(f"clone {int(adopt)}", action)

    def make_values(self):
        text, of = self.filter()
        first = self.next

        def action():
            state = nnx.state(self.model, of)

            def renew(value):
                if isinstance(value, nnx.Variable):
                    made = value.copy()
                    made.set_raw_value(renew(value.get_raw_value()))
                    return made
                if hasattr(value, "items"):
                    items = sorted(value.items(), key=lambda item: (isinstance(item[0], str), item[0]))
                    return type(value)({key: renew(child) for key, child in items})
                if isinstance(value, str):
                    raise TypeError("a state with text has no zeros")
                return self.plain(len(value)) if isinstance(value, np.ndarray) else type(value)(self.plain(1)[0])
            self.values = renew(state)
            return state_text(self.values)
        self.do(f"values {first} {text}", action)

    def plain(self, n):
        self.next += n
        return np.arange(self.next - n, self.next, dtype=np.float32)

    def update(self):
        def clashes(node, state):
            """Does a dict meet what is no object? Flax then makes a value of it."""
            there = dict(children(node)) if isinstance(node, nnx.Module) else None
            return there is None or any(hasattr(value, "items") and clashes(there.get(key), value)
                                        for key, value in state.items())
        if self.values is not None and not clashes(self.model, self.values):
            self.do("update", lambda: nnx.update(self.model, self.values))

    def pop(self):
        text, filters = self.filters(0.1)
        predicates = [nnx.filterlib.to_predicate(of) for of in filters]

        def differs(path, value, above):
            """Does a filter choose an element of a List, in which Flax leaves a hole, or a number, which Flax leaves there?"""
            if any(value is v for v in above):
                return False
            for key, child in children(value):
                if isinstance(child, nnx.Module):
                    if differs((*path, key), child, (*above, value)):
                        return True
                elif isinstance(value, nnx.List) or not isinstance(child, (nnx.Variable, np.ndarray)):
                    if any(test((*path, key), child) for test in predicates):
                        return True
            return False
        if differs((), self.model, ()):
            return

        def action():
            popped = nnx.pop(self.model, *filters)
            return " ".join(map(state_text, popped if isinstance(popped, tuple) else (popped,)))
        self.do(f"pop {text}", action)


def children(value):
    """The attributes of an object that are data."""
    keys = range(len(value)) if isinstance(value, nnx.List) else sorted(k for k in vars(value) if not k.startswith("_"))
    nodes = value._pytree__nodes
    return [(key, getattr(value, str(key))) for key in keys if nodes.get(str(key))]


def words(numbers):
    return " ".join([str(len(numbers)), *(f"{v:g}" for v in numbers)])


COMMANDS = [(Case.put, 10), (Case.set, 1), (Case.metadata, 1), (Case.remove, 1), (Case.split, 3), (Case.clone, 1),
            (Case.make_values, 2), (Case.update, 2), (Case.pop, 1)]


def make_case(seed):
    rng = random.Random(seed)
    case = Case(rng)
    name = rng.choice(["Foo", "Bar", "Dict"])

    def begin():
        case.model = CLASSES[name]()
    case.do(f"model {name}", begin)
    for _ in range(rng.randint(2, 7)):
        case.put()
    for _ in range(rng.randint(3, 8)):
        if case.over:
            break
        rng.choices([command for command, _ in COMMANDS], [weight for _, weight in COMMANDS])[0](case)
    return case


# ---- Both ---------------------------------------------------------------------------------------------------------------


def agree(line, got, answer):
    result, model = answer
    got_result, _, got_model = got.partition("\t")
    if result.startswith("error") or got_result.startswith("error"):
        return result[:5] == got_result[:5] and got_model == model
    return (got_result, got_model) == (result, model)


def differences(program, cases):
    """Asks the library about all cases at once: the first difference of each that has one."""
    asked = "".join("\n".join(["begin", *case.lines]) + "\n" for case in cases)
    done = subprocess.run([program], input=asked, capture_output=True, text=True, check=False)
    answers, at = done.stdout.split("\n"), 0
    for case in cases:
        at += 1                           # the answer to begin
        for i, (line, answer) in enumerate(zip(case.lines, case.answers)):
            if at + i >= len(answers) - 1:
                yield case, i, f"the program ended with {done.returncode}: {done.stderr[-3000:]}"
                return
            if not agree(line, answers[at + i], answer):
                yield case, i, answers[at + i]
                break
        at += len(case.lines)
    if done.returncode != 0:
        yield cases[-1], 0, f"the program ended with {done.returncode}: {done.stderr[-3000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, metavar="CASE", help="only this case, as it is")
    parser.add_argument("--sanitize", action="store_true", help="for tests/oracle/run")
    options = parser.parse_args()
    counts, refused, failed = {}, 0, 0
    first, last = (0, options.cases) if options.show is None else (options.show, options.show + 1)
    for start in range(first, last, BATCH):
        cases = [make_case(options.seed * 1_000_000 + number) for number in range(start, min(last, start + BATCH))]
        if options.show is not None:
            print(*cases[0].lines, sep="\n")
        for case in cases:
            for line, (text, _) in zip(case.lines, case.answers):
                counts[line.split()[0]] = counts.get(line.split()[0], 0) + 1
                refused += text.startswith("error")
        for case, i, got in differences(options.program, cases):
            failed += 1
            if failed <= 5:
                print(f"case {start + cases.index(case)}:", *case.lines[:i + 1], sep="\n  ")
                print("  before", "  " + case.answers[max(i - 1, 0)][1], "  Flax", "  " + "\t".join(case.answers[i]), "  library",
                      "  " + got, sep="\n")
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())), f"; {refused} refused; {failed} cases differ")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
