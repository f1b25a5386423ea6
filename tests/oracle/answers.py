"""Asking the library, and comparing what it answers with what JAX and optree say; oracle.py has the operations."""
import collections
import inspect
import select
import subprocess

import jax.tree_util as jtu
import optree
from hypothesis import strategies as st
from jax._src import tree_util as internal

import trees
from trees import Error, Flat, Made, children_of, holds, is_dict, read, same

# ---- The library --------------------------------------------------------------------------------------------------------


class Differs(Exception):
    """The library says something else."""


class Library:
    """oracle.c as a program of its own: it may crash or hang, and is started again."""
    PATIENCE = 60

    def __init__(self, path):
        self.path = path
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request):
        if self.process is None:
            self.start()
        data = request.encode()
        try:
            self.process.stdin.write(b"%d\n%s" % (len(data), data))
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], self.PATIENCE)[0]:
                self.process.kill()
            return self.process.stdout.read(int(self.process.stdout.readline())).decode()
        except (BrokenPipeError, ValueError):
            status = self.process.wait()
            self.process = None
            raise Differs(f"it crashes, or hangs for {self.PATIENCE} s: status {status}") from None


class Run:
    """What is under way, and what was counted."""
    library = None
    operation = request = answer = None
    cases = collections.Counter()
    checks = collections.Counter()
    left_out = collections.Counter()
    failures = []


def ask(operation, options, *arguments):
    """The library's answer: a dict of its parts. Every other request has its dicts as they are written in C, not yet sorted."""
    Run.answer = None
    bare = {"bare": len(repr(arguments)) % 2 == 0}
    Run.request = repr((operation, options | bare, *arguments))
    Run.answer = Run.library.ask(Run.request)
    answer = read(Run.answer)
    if type(answer) is not dict:
        raise Differs(f"the request cannot be read: {answer}")
    check("memory given back", answer["lost"], 0)
    return answer


def check(part, got, expected, ordered=True):
    """Counts the comparison, and fails if it differs. `ordered`: dicts have the same order too."""
    Run.checks[f"{Run.operation}: {part}"] += 1
    if not agree(got, expected, ordered):
        raise Differs(f"{part}\n  expected  {expected!r}\n  got       {got!r}")


def check_made(part, got, expected, ordered=True):
    """The same for what the library made: docs/literal.md, it is written in the order of a walk; rebuilt it is in its own."""
    if type(got) is not Made:
        raise Differs(f"{part}\n  expected  {expected!r}\n  got       {got!r}")
    check(part, got.tree, expected, ordered=False)
    if got.rebuilt is not Ellipsis:
        check(f"{part} rebuilt", got.rebuilt, expected, ordered)


def agree(got, expected, ordered):
    if type(got) is Flat:                                      # a tree with custom nodes: as its treedef and leaves
        leaves, treedef = jtu.tree_flatten(expected)
        return (got.text == str(treedef) or holds(expected, collections.deque)) and agree(got.leaves, leaves, ordered)
    if type(got) is type(expected) and type(got) in (list, tuple):
        return len(got) == len(expected) and all(agree(x, y, ordered) for x, y in zip(got, expected))
    return same(got, expected, ordered)


def leave_out(reason):
    """Counts a comparison that is not made."""
    Run.left_out[f"{Run.operation}: {reason}"] += 1


def check_fails(part, got, statuses, why):
    """The library must say one of these errors, as the packages raised `why`."""
    Run.checks[f"{Run.operation}: {part}"] += 1
    if type(got) is not Error or got.status not in statuses:
        expected = f"{' or '.join(statuses)} ({type(why).__name__}: {str(why)[:300]})"
        raise Differs(f"{part}\n  expected  {expected}\n  got       {got!r}")


# ---- Words of the packages ----------------------------------------------------------------------------------------------

OPERATIONS = {}


def operation(cases, *parts):
    """Registers an operation: a function of a drawn case. Of 200 cases or more each of `parts` must have been compared once."""
    def add(function):
        OPERATIONS[function.__name__] = (cases, function, parts)
        return function
    return add


def is_none(value):
    return value is None


def children_if_sized(value):
    return children_of(value) if type(value) not in (*trees.STRUCTS, *trees.CUSTOMS) and value is not None else None


def predicate(word, root):
    """The Python side of oracle.c's predicates, for functions that pass the value alone."""
    name, _, argument = word.partition(":")
    return {
        "is_none": is_none, "is_list": lambda v: type(v) is list, "is_tuple": lambda v: type(v) is tuple,
        "is_dict": lambda v: type(v) is dict, "is_struct": lambda v: type(v) in trees.STRUCTS,
        "is_custom": lambda v: type(v) in trees.CUSTOMS, "not_root": lambda v: v is not root,
        "has_key": lambda v: is_dict(v) and argument in v,
        "len_ge": lambda v: (lambda c: c is not None and len(c) >= int(argument))(children_if_sized(v)),
        "always": lambda v: True, "never": lambda v: False,
    }[name]


PREDICATES = st.sampled_from(("is_none", "is_list", "is_tuple", "is_dict", "is_struct", "is_custom", "not_root", "has_key:a",
                              "has_key:", "len_ge:2", "len_ge:1", "always", "never"))
SCALARS = (int, float, bool, str, type(None))


def jax_flatten(tree, nil, is_leaf=None):
    return internal.none_leaf_registry.flatten(tree, is_leaf) if nil else jtu.tree_flatten(tree, is_leaf)


def jax_text(treedef, nil):
    """JAX's text; it does not say that None is a leaf, which the library does."""
    return str(treedef)[:-1] + (", NoneIsLeaf)" if nil else ")")


def in_order(flat, structure):
    """A tree from leaves, its dicts in the order in which they were filled, as optree has it and the library."""
    return optree.tree_unflatten(structure, flat)


def keyed_children(tree):
    """The root's children with their key path entries; none of a leaf."""
    return [(path[0], child) for path, child in jtu.tree_flatten_with_path(tree, lambda value: value is not tree)[0] if path]


# JAX 0.10 has the first field of a namedtuple for all of them in its lists of mismatches (0.12 does not).
internal._child_keys = lambda tree: tuple(key for key, _ in keyed_children(tree))


def counted(spec):
    """The tree that optree's treedef makes of 0, 1, 2, …"""
    return optree.tree_unflatten(spec, range(spec.num_leaves))


def node_at(tree, path):
    """What stands at a keystr."""
    def go(value, here):
        if here == path:
            return value
        for key, child in keyed_children(value):
            there = here + jtu.keystr((key,))
            if path.startswith(there) and (found := go(child, there)) is not missing:
                return found
        return missing
    missing = object()
    return go(tree, "")


def mismatch(prefix, full, error):
    """One of JAX's prefix errors as path, kind, and keys that only one side has."""
    path = jtu.keystr(inspect.getclosurevars(error).nonlocals["key_path"])
    a, b = node_at(prefix, path), node_at(full, path)
    if type(a) is not type(b):
        return path, "different types", [], []
    if is_dict(a) and set(a) != set(b):
        return path, "different keys", sorted(set(a) - set(b)), sorted(set(b) - set(a))
    return path, "different metadata" if len(children_of(a)) == len(children_of(b)) else "different lengths", [], []
