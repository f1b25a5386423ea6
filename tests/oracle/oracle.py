"""Random trees and operations through the library, JAX and optree: tests/oracle/run starts this.

An operation draws a case, asks the library (one call of oracle.c) and compares each part of the answer with what JAX or optree
say; check() counts the comparison under the part's name. Where the library answers otherwise on purpose a line says so and
names the place in docs/semantics.md; what is left out is counted too. hypothesis makes what differs small.
"""
import argparse
import collections
import json
import sys
import time

import hypothesis
import jax
import jax.api_util
import jax.tree_util as jtu
import optree
from hypothesis import strategies as st
from jax._src import tree_util as internal

from answers import (Differs, Library, OPERATIONS, PREDICATES, Run, SCALARS, ask, check, check_fails, check_made, counted,
                     in_order, jax_flatten, jax_text, keyed_children, leave_out, mismatch, operation, predicate)
import trees
from trees import Bag, Box, any_tree, children_of, holds, is_dict

# ---- One tree -------------------------------------------------------------------------------------------------------------

NIL = st.booleans()


@operation(st.tuples(any_tree(), NIL, st.one_of(st.just(""), PREDICATES)),
           "leaves", "text", "num_leaves", "num_nodes", "num_children", "is_leaf", "count", "leaves_alone", "keystr", "simple",
           "def_keystr", "iterated", "same_structure", "rebuilt", "loaded", "rebuilt_loaded", "clone", "optree leaves",
           "memory given back")
def flatten(case):
    tree, nil, word = case
    is_leaf = predicate(word, tree) if word else None
    answer = ask("flatten", {"nil": nil} | ({"leaf": word} if word else {}), tree)
    leaves, treedef = jax_flatten(tree, nil, is_leaf)
    stops = (lambda v: v is None or (is_leaf is not None and is_leaf(v))) if nil else is_leaf
    with_paths, _ = jtu.tree_flatten_with_path(tree, stops)
    keystr = [jtu.keystr(path) for path, _ in with_paths]
    simple = [jtu.keystr(path, simple=True, separator="/") for path, _ in with_paths]
    check("leaves", answer["leaves"], leaves)
    check("leaves_alone", answer["leaves_alone"], leaves)
    if holds(tree, collections.deque):
        leave_out("text: JAX knows no deques")
    else:
        check("text", answer["text"], jax_text(treedef, nil))
    for part, expected in (("num_leaves", treedef.num_leaves), ("num_nodes", treedef.num_nodes), ("count", treedef.num_leaves),
                           ("num_children", len(treedef.children())), ("is_leaf", internal.treedef_is_strict_leaf(treedef)
                            if not nil else len(leaves) == 1 and treedef.num_nodes == 1), ("same_structure", True),
                           ("loaded", True)):
        check(part, answer[part], expected)
    check("keystr", answer["keystr"], keystr)
    check("def_keystr", answer["def_keystr"], keystr)
    check("simple", answer["simple"], simple)
    check("iterated", answer["iterated"], list(zip(keystr, leaves)))
    spec_leaves, spec = optree.tree_flatten(tree, is_leaf, none_is_leaf=nil)
    check("optree leaves", answer["leaves"], spec_leaves)
    check("num_nodes", answer["num_nodes"], spec.num_nodes)
    check("clone", answer["clone"], tree)
    if all(type(leaf) in SCALARS for leaf in leaves):
        check("rebuilt", answer["rebuilt"], in_order(leaves, spec))
        check("rebuilt_loaded", answer["rebuilt_loaded"], in_order(leaves, spec))
    else:
        leave_out("rebuilt: leaves are numbers and texts, not subtrees")


@st.composite
def leaf_lists(draw):
    tree, nil = draw(any_tree()), draw(NIL)
    count = optree.tree_structure(tree, none_is_leaf=nil).num_leaves
    count = max(0, count + draw(st.sampled_from((0, 0, 0, 0, -1, 1, 2))))
    first = draw(st.integers(0, 50))
    values = [draw(trees.LEAVES) if i < 8 else first + i for i in range(count)]
    return tree, nil, values


@operation(leaf_lists(), "rebuilt", "refused")
def unflatten(case):
    tree, nil, values = case
    answer = ask("unflatten", {"nil": nil}, tree, values)
    spec = optree.tree_structure(tree, none_is_leaf=nil)
    try:
        expected = optree.tree_unflatten(spec, values)
    except ValueError as why:
        check_fails("refused", answer["rebuilt"],
                    ["too few leaves" if len(values) < spec.num_leaves else "too many leaves"], why)
        return
    check("rebuilt", answer["rebuilt"], expected)


@operation(any_tree(), "texts", "values", "simple_values")
def paths(tree):
    found, _ = jtu.tree_flatten_with_path(tree)
    keystr = [jtu.keystr(path) for path, _ in found]
    # the simple form joins names as they are: those that hold the separator, or nothing, do not come back
    simple = [(jtu.keystr(path, simple=True, separator="/"), leaf) for path, leaf in found
              if all((name := jtu.keystr((key,), simple=True)) and "/" not in name for key in path)]
    answer = ask("paths", {}, tree, keystr, [text for text, _ in simple])
    check("texts", answer["texts"], keystr)
    check("values", answer["values"], [leaf for _, leaf in found])
    check("simple_values", answer["simple_values"], [leaf for _, leaf in simple])


@operation(st.tuples(any_tree(), NIL), "type", "entries", "texts", "counted", "beyond")
def children(case):
    tree, nil = case
    answer = ask("children", {"nil": nil}, tree)
    _, treedef = jax_flatten(tree, nil)
    spec = optree.tree_structure(tree, none_is_leaf=nil)
    name = None if spec.is_leaf() else "None" if tree is None else type(tree).__name__
    check("type", answer["type"], {None: "*", "OrderedDict": "OrderedDict"}.get(name, name))
    keys = [jtu.keystr((key,)) for key, _ in keyed_children(tree)]
    check("entries", [entry for entry, _, _ in answer["children"]], keys * 2)
    if holds(tree, collections.deque):
        leave_out("texts: JAX knows no deques")
    else:
        check("texts", [text for _, text, _ in answer["children"]], [jax_text(child, nil) for child in treedef.children()] * 2)
    check("counted", [made for _, _, made in answer["children"]], [counted(child) for child in spec.children()] * 2)
    check_fails("beyond", answer["beyond"], ["bad argument"], IndexError())


@operation(any_tree(), "children", "keys", "refused")
def one_level(tree):
    answer = ask("one_level", {}, tree)
    try:
        expected, _ = internal.flatten_one_level(tree)
    except ValueError as why:
        check_fails("refused", answer["children"], ["bad argument"], why)
        return
    check("children", answer["children"], list(expected))
    check("keys", answer["keys"], [jtu.keystr((key,)) for key, _ in keyed_children(tree)])


@operation(st.tuples(any_tree(), NIL), "events")
def walk(case):
    tree, nil = case
    answer = ask("walk", {"nil": nil}, tree)
    events = []
    leaves, treedef = jax_flatten(tree, nil)
    treedef.walk(lambda xs, _: events.append(("node", len(xs))), lambda leaf: events.append(("leaf", leaf)), leaves)
    check("events", answer["events"], events)


@operation(st.tuples(any_tree(st.sampled_from("abcdefgh")), st.one_of(st.none(), st.just("i"))), "left", "balanced", "empty")
def reduce(case):
    tree, initial = case
    answer = ask("reduce", {}, tree, initial)

    def bracket(a, b):
        return f"({a}{b})"
    if not jtu.tree_leaves(tree):
        check("left", answer["left"], initial)
        check_fails("empty", answer["balanced"], ["no leaves"], TypeError())
        return
    check("left", answer["left"], jtu.tree_reduce(bracket, tree, *([] if initial is None else [initial])))
    check("balanced", answer["balanced"], jtu.tree_reduce_associative(bracket, tree))


@operation(st.tuples(any_tree(trees.NUMBERS), NIL), "sum", "max", "min", "all", "any", "empty", "None is no number")
def fold(case):
    tree, nil = case
    answer = ask("fold", {"nil": nil}, tree)
    leaves = optree.tree_leaves(tree, none_is_leaf=nil)
    for part, function in (("sum", optree.tree_sum), ("max", optree.tree_max), ("min", optree.tree_min)):
        if None in leaves:                                     # semantics.md: they take numbers, and None is none
            check_fails("None is no number", answer[part], ["types differ"], TypeError())
            continue
        try:
            check(part, answer[part], float(function(tree, none_is_leaf=nil)))
        except ValueError as why:
            check_fails("empty", answer[part], ["no leaves"], why)
    check("all", answer["all"], bool(optree.tree_all(tree, none_is_leaf=nil)))
    check("any", answer["any"], bool(optree.tree_any(tree, none_is_leaf=nil)))


@operation(st.tuples(any_tree(), NIL), "JAX", "optree")
def def_parse(case):
    tree, nil = case
    if holds(tree, Box, Bag):
        leave_out("a text does not have all of a custom node (treedef_io.h)")
        return
    spec = optree.tree_structure(tree, none_is_leaf=nil)
    treedef = jax_text(jax_flatten(tree, nil)[1], nil)
    if holds(tree, collections.deque):
        leave_out("JAX: knows no deques")
        answer = ask("def_parse", {"nil": nil}, tree, str(spec))
        check("optree", answer["equal"], [True])
        return
    answer = ask("def_parse", {"nil": nil}, tree, treedef, str(spec))
    check("JAX", answer["equal"][0], True)
    check("optree", answer["equal"][1], True)


@st.composite
def spelled(draw, tree):
    """The tree as a literal with other spaces, quotes, commas and forms."""
    def space():
        return draw(st.sampled_from(("", "", " ", "\n\t")))

    def text(value):
        form = draw(st.integers(0, 2))
        return json.dumps(value, ensure_ascii=form == 0) if form < 2 else repr(value)

    def go(value):
        if type(value) is str:
            return text(value)
        if value is None or type(value) is bool:
            return draw(st.sampled_from((repr(value), json.dumps(value))))
        if type(value) is float:
            return json.dumps(value) if draw(st.booleans()) else repr(value)
        children = children_of(value)
        if children is None:
            return repr(value)
        inner = [space() + go(child) + space() for child in children]
        if is_dict(value):
            keys = [text(key) if type(key) is str else repr(key) for key in value]
            if type(value) is collections.OrderedDict and draw(st.booleans()):
                return f"OrderedDict([{','.join(f'({key},{item})' for key, item in zip(keys, inner))}])"
            body = "{" + ",".join(f"{key}{space()}:{item}" for key, item in zip(keys, inner)) + comma(inner) + "}"
            if type(value) is dict:
                return body
            factory = repr(getattr(value, "default_factory", None))
            return f"OrderedDict({body})" if type(value) is collections.OrderedDict else f"defaultdict({factory}, {body})"
        if trees.is_namedtuple(value):
            return f"{type(value).__name__}({','.join(map('='.join, zip(value._fields, inner)))})"
        body = ",".join(inner) + ("," if len(inner) == 1 and type(value) is tuple else comma(inner))
        if type(value) is collections.deque:
            return f"deque([{body}]" + (")" if value.maxlen is None else f", maxlen={value.maxlen})")
        return f"[{body}]" if type(value) is list else f"({body})"

    def comma(inner):
        return draw(st.sampled_from(("", ","))) if inner else ""
    return space() + go(tree) + space()


LITERAL_KINDS = tuple(kind for kind in trees.KINDS if kind not in ("struct", "custom"))
JSON_KINDS = ("list", "dict", "none")
BIG = st.one_of(trees.LEAVES, st.integers(2**63, 2**64 - 1))


@st.composite
def literals(draw):
    tree, jsonable = draw(any_tree(BIG, LITERAL_KINDS)), draw(any_tree(trees.LEAVES, JSON_KINDS))
    return tree, draw(spelled(tree)), jsonable, draw(st.booleans())


@operation(literals(), "repr", "spelled", "JSON")
def literal(case):
    tree, text, jsonable, ascii_only = case
    answer = ask("literal", {}, repr(tree), text, json.dumps(jsonable, ensure_ascii=ascii_only, indent=2))
    check("repr", answer["trees"][0], tree)
    check("spelled", answer["trees"][1], tree)
    check("JSON", answer["trees"][2], jsonable)


# ---- Two treedefs ---------------------------------------------------------------------------------------------------------


@st.composite
def pairs(draw):
    tree = draw(any_tree())
    form = draw(st.integers(0, 5))
    if form == 5:
        other = draw(any_tree())
    elif form == 4:
        other = draw(trees.deeper(tree))
    else:
        other = draw(trees.relative(tree))
    return (other, tree, draw(NIL)) if draw(st.booleans()) else (tree, other, draw(NIL))


@operation(pairs(), "equal", "equal_switched", "JAX equal", "hash_equal", "is_prefix", "is_prefix_strict", "is_suffix",
           "is_suffix_strict", "differences", "trees_equal")
def equality(case):
    a, b, nil = case
    answer = ask("equality", {"nil": nil}, a, b)
    x, y = (optree.tree_structure(tree, none_is_leaf=nil) for tree in (a, b))
    check("equal", answer["equal"], x == y)
    check("equal_switched", answer["equal_switched"], x == optree.tree_structure(b, none_is_leaf=not nil))
    if x == y:
        check("hash_equal", answer["hash_equal"], True)
    check("is_prefix", answer["is_prefix"], optree.treespec_is_prefix(x, y))
    check("is_prefix_strict", answer["is_prefix_strict"], optree.treespec_is_prefix(x, y, strict=True))
    check("is_suffix", answer["is_suffix"], optree.treespec_is_suffix(x, y))
    check("is_suffix_strict", answer["is_suffix_strict"], optree.treespec_is_suffix(x, y, strict=True))
    leaves, others = (optree.tree_leaves(tree, none_is_leaf=nil) for tree in (a, b))
    check("trees_equal", answer["trees_equal"], x == y and all(type(v) is type(w) and v == w for v, w in zip(leaves, others)))
    if holds(a, collections.deque) or holds(b, collections.deque):
        leave_out("JAX knows no deques")
        return
    check("JAX equal", answer["equal"], jax_flatten(a, nil)[1] == jax_flatten(b, nil)[1])
    if not nil:
        expected = [jtu.keystr(path) for path, *_ in internal.equality_errors(a, b)]
        check("differences", [path for path, _ in answer["differences"]], expected)


@operation(st.tuples(any_tree(), any_tree(), NIL), "text", "num_leaves", "num_nodes", "counted")
def compose(case):
    outer, inner, nil = case
    specs = [optree.tree_structure(tree, none_is_leaf=nil) for tree in (outer, inner)]
    if specs[0].num_leaves * specs[1].num_nodes > 3000:
        leave_out("too large")
        return
    answer = ask("compose", {"nil": nil}, outer, inner)
    treedef = jax_flatten(outer, nil)[1].compose(jax_flatten(inner, nil)[1])
    spec = specs[0].compose(specs[1])
    check("num_leaves", answer["num_leaves"], spec.num_leaves)
    check("num_nodes", answer["num_nodes"], spec.num_nodes)
    check("counted", answer["counted"], counted(spec))
    if holds(outer, collections.deque) or holds(inner, collections.deque):
        leave_out("text: JAX knows no deques")
    else:
        check("text", answer["text"], jax_text(treedef, nil))


JAX_KINDS = tuple(kind for kind in trees.KINDS if kind != "deque")


@operation(st.tuples(st.lists(any_tree(kinds=JAX_KINDS), max_size=4), NIL), "text", "counted")
def treedef_tuple(case):
    parts, nil = case
    answer = ask("tuple", {"nil": nil}, *parts)
    registry = internal.none_leaf_registry if nil else internal.default_registry
    treedef = internal.pytree.treedef_tuple(registry, [jax_flatten(part, nil)[1] for part in parts])
    check("text", answer["text"], jax_text(treedef, nil))
    check("counted", answer["counted"], counted(optree.tree_structure(tuple(parts), none_is_leaf=nil)))


# ---- Prefixes -------------------------------------------------------------------------------------------------------------


@st.composite
def prefixes(draw):
    full = draw(any_tree())
    return draw(trees.prefix_of(full)), full


def flat_or_error(function, *arguments, **options):
    try:
        return function(*arguments, **options), None
    except ValueError as why:
        return None, why


@operation(prefixes(), "mismatches", "broadcast", "broadcast rebuilt", "flat", "up_to", "no broadcast", "no flat",
           "no up_to", "path")
def prefix(case):
    """semantics.md, dicts of three types: JAX is followed."""
    small, full = case
    answer = ask("prefix", {}, small, full)
    mismatches = [mismatch(small, full, error) for error in internal.prefix_errors(small, full)]
    check("mismatches", answer["mismatches"], mismatches)
    flat, why = flat_or_error(internal.broadcast_prefix, small, full)
    if why is None:
        check("flat", answer["flat"], flat)
        check_made("broadcast", answer["broadcast"], in_order(flat, optree.tree_structure(full)))
    else:
        check_fails("no flat", answer["flat"], ["structures differ"], why)
        check_fails("no broadcast", answer["broadcast"], ["structures differ"], why)
        check("path", answer["broadcast"].path, mismatches[0][0])
    subtrees, why = flat_or_error(jtu.tree_structure(small).flatten_up_to, full)
    if why is None:
        check("up_to", answer["up_to"], subtrees)
    else:
        check_fails("no up_to", answer["up_to"], ["structures differ"], why)


@operation(prefixes(), "flat", "broadcast", "up_to", "no flat")
def prefix_nil(case):
    """None is a leaf on both sides, as optree has it. Dicts of two types match for optree alone (semantics.md)."""
    small, full = case
    answer = ask("prefix", {"nil": True}, small, full)
    up_to, why = flat_or_error(internal.none_leaf_registry.flatten(small)[1].flatten_up_to, full)
    flat, no_prefix = flat_or_error(optree.prefix_errors, small, full, none_is_leaf=True)
    if why is not None:
        check_fails("no flat", answer["up_to"], ["structures differ"], why)
        check_fails("no flat", answer["flat"], ["structures differ"], why)
        check_fails("no flat", answer["broadcast"], ["structures differ"], why)
        return
    check("no flat", (flat, no_prefix), ([], None))
    check("up_to", answer["up_to"], up_to)
    check("flat", answer["flat"], optree.broadcast_prefix(small, full, none_is_leaf=True))
    check_made("broadcast", answer["broadcast"], in_order(optree.broadcast_prefix(small, full, none_is_leaf=True),
                                                     optree.tree_structure(full, none_is_leaf=True)))


AXES = st.one_of(st.none(), st.integers(-2, 3))


@st.composite
def axes_cases(draw):
    argument = draw(any_tree())
    return draw(trees.prefix_of(argument, leaves=AXES)), argument


@operation(axes_cases(), "flat", "no flat")
def axes(case):
    entries, argument = case
    answer = ask("axes", {}, entries, argument)
    flat, why = flat_or_error(jax.api_util.flatten_axes, "axes", jtu.tree_structure(argument), entries)
    if why is None:
        check("flat", answer["flat"], list(flat))
    else:
        check_fails("no flat", answer["flat"], ["structures differ"], why)


# ---- Map --------------------------------------------------------------------------------------------------------------------


@st.composite
def several(draw):
    first = draw(any_tree())
    others = []
    for _ in range(draw(st.integers(0, 3))):
        other = draw(trees.deeper(first)) if draw(st.booleans()) else trees.relabelled(first)
        if draw(st.booleans()):
            other = draw(trees.changed(other))
        others.append(other)
    return [first, *others], draw(NIL), draw(PREDICATES) if draw(st.integers(0, 3)) == 3 else ""


@operation(several(), "calls", "result", "n_calls", "refused")
def tree_map(case):
    group, nil, word = case
    is_leaf = predicate(word, group[0]) if word else None
    answer = ask("map", {"nil": nil} | ({"leaf": word} if word else {}), *group)
    leaves, treedef = jax_flatten(group[0], nil, is_leaf)
    columns, why = flat_or_error(lambda: [treedef.flatten_up_to(tree) for tree in group[1:]])
    if why is not None:
        check_fails("refused", answer["calls"], ["structures differ"], why)
        check("n_calls", answer["n_calls"], 0)
        return
    calls = list(zip(leaves, *columns))
    check("calls", answer["calls"], calls)
    check("n_calls", answer["n_calls"], len(leaves))
    structure = optree.tree_structure(group[0], is_leaf, none_is_leaf=nil)
    check("result", answer["result"], in_order(calls, structure), ordered=False)


@st.composite
def common_pairs(draw):
    base = draw(any_tree())
    both = [draw(trees.prefix_of(base, breaks=False)), draw(trees.prefix_of(base, breaks=False))]
    if draw(st.booleans()):
        both[1] = draw(trees.changed(both[1]))
    return both, draw(NIL)


@operation(common_pairs(), "a", "b", "suffix", "counted", "calls", "refused")
def common(case):
    both, nil = case
    answer = ask("common", {"nil": nil}, *both)
    try:
        a, b = optree.tree_broadcast_common(*both, none_is_leaf=nil)
    except ValueError as why:
        for part in ("a", "b", "suffix", "calls"):
            check_fails("refused", answer[part], ["structures differ"], why)
        return
    check_made("a", answer["a"], a, ordered=False)
    check_made("b", answer["b"], b, ordered=False)
    calls = []
    optree.tree_broadcast_map(lambda *xs: calls.append(xs), *both, none_is_leaf=nil)
    check("calls", answer["calls"], calls)
    structure = optree.tree_structure(a, none_is_leaf=nil)
    check("counted", answer["counted"], counted(structure), ordered=False)
    if not holds(a, collections.deque):
        check("suffix", answer["suffix"], jax_text(jax_flatten(a, nil)[1], nil))


# ---- Turned over, parts -----------------------------------------------------------------------------------------------------


@st.composite
def turned(draw):
    outer, inner = draw(trees.tree(depth=2)), draw(trees.tree(depth=2))
    if jtu.tree_structure(outer).num_leaves * len(list(trees.nodes_of(inner))) > 300:
        outer = [0, 1]
    tree = jtu.tree_map(lambda _: inner, outer)
    tree = trees.relabelled(tree)
    if draw(st.integers(0, 5)) == 5:
        tree = draw(trees.changed(tree))
    return outer, inner, tree, draw(st.booleans())


@operation(turned(), "result", "refused")
def transpose(case):
    outer, inner, tree, inferred = case
    answer = ask("transpose", {}, outer, "inferred" if inferred else inner, tree)
    try:
        expected = jtu.tree_transpose(jtu.tree_structure(outer), None if inferred else jtu.tree_structure(inner), tree)
    except (TypeError, ValueError, IndexError) as why:
        check_fails("refused", answer["result"], ["structures differ", "no leaves", "too few leaves"], why)
        return
    check_made("result", answer["result"], expected, ordered=False)


@operation(any_tree(), "result", "empty")
def transpose_map(tree):
    answer = ask("transpose_map", {}, tree)
    try:
        expected = optree.tree_transpose_map(lambda x: (x, {"k": x}), tree)
    except ValueError as why:
        check_fails("empty", answer["result"], ["no leaves"], why)
        return
    check_made("result", answer["result"], expected)


def is_int(value):
    return type(value) is int


FILTERS = {"int_even": lambda v: is_int(v) and v % 2 == 0, "gt:10": lambda v: type(v) in (int, float) and v > 10,
           "is_str": lambda v: type(v) is str, "is_number": lambda v: type(v) in (int, float), "always": lambda v: True,
           "never": lambda v: False}


@operation(st.tuples(any_tree(), st.sampled_from(sorted(FILTERS)), st.one_of(st.none(), trees.LEAVES)),
           "passing", "passing rebuilt", "failing", "combined")
def partition(case):
    tree, word, fill = case
    answer = ask("partition", {}, tree, word, fill)
    passing, failing = optree.tree_partition(FILTERS[word], tree, fillvalue=fill)
    check_made("passing", answer["passing"], passing)
    check_made("failing", answer["failing"], failing)
    if fill is None:
        check_made("combined", answer["combined"], tree)


@operation(st.tuples(any_tree(), trees.LEAVES), "result")
def replace_none(case):
    tree, sentinel = case
    answer = ask("replace_none", {}, tree, sentinel)
    check_made("result", answer["result"], optree.tree_replace_nones(sentinel, tree))


# ---- Running ----------------------------------------------------------------------------------------------------------------


def run_operation(name, seed, examples):
    """That many cases; whether they agree. What differs is made small and printed."""
    cases, function, _ = OPERATIONS[name]
    last = []

    @hypothesis.seed(seed)
    @hypothesis.settings(max_examples=examples, database=None, deadline=None, print_blob=False, report_multiple_bugs=False,
                         phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(cases)
    def test(case):
        Run.cases[name] += 1
        Run.operation, Run.request, Run.answer = name, None, None
        try:
            function(case)
        except Exception as error:
            last[:] = [case, Run.request, Run.answer, error]
            raise
    try:
        test()
    except Exception:                                          # pylint: disable=broad-except
        if not last:                                           # no case could be made
            raise
        report(name, seed, *last)
        return False
    return True


def report(name, seed, case, request, answer, error):
    kind = "differs" if isinstance(error, Differs) else f"cannot be asked ({type(error).__name__})"
    print(f"\n{name} {kind}, seed {seed}\n  case      {case!r}\n  request   {request}\n  answer    {answer}\n  {error}\n",
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--forever", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int)
    parser.add_argument("--only", nargs="+", choices=sorted(OPERATIONS), default=list(OPERATIONS))
    parser.add_argument("--sanitize", action="store_true")
    arguments = parser.parse_args()
    Run.library = Library(arguments.program)
    names, failed, round_ = list(arguments.only), [], 0
    start = time.monotonic()
    while names:
        for name in list(names):
            if not run_operation(name, (arguments.seed << 32) + round_, arguments.examples or 50):
                names.remove(name)
                failed.append(name)
        round_ += 1
        if arguments.examples or (not arguments.forever and time.monotonic() - start > arguments.seconds):
            break
    return summary(arguments, failed, time.monotonic() - start)


def summary(arguments, failed, seconds):
    never = []
    for name in arguments.only:
        print(f"{name:14} {Run.cases[name]:6} cases")
        parts = OPERATIONS[name][2] if Run.cases[name] >= 200 and name not in failed else ()   # some are rare
        never += [f"{name}: {part}" for part in parts if not Run.checks[f"{name}: {part}"]]
        never += [] if Run.cases[name] else [name]
    total, checks = sum(Run.cases.values()), sum(Run.checks.values())
    for reason, count in sorted(Run.left_out.items()):
        print(f"left out {count} times: {reason}")
    print(f"{total} cases, {checks} comparisons, {total / seconds:.0f} cases per second, seed {arguments.seed}")
    for part in never:
        print(f"never compared: {part}")
    if failed:
        print(f"differs: {' '.join(failed)}")
    return 1 if failed or never else 0


if __name__ == "__main__":
    sys.exit(main())
