"""Random trees, their types in Python, and the two ways between trees and the texts that oracle.c reads and writes."""
import collections
import dataclasses
import math

import jax.tree_util as jtu
import optree
from hypothesis import strategies as st

# ---- Types: those of oracle.c, registered with both packages ------------------------------------------------------------

Point = collections.namedtuple("Point", "x y")
Pair = collections.namedtuple("Pair", "first second")
Only = collections.namedtuple("Only", "value")
Quad = collections.namedtuple("Quad", "d c b a")
Nil = collections.namedtuple("Nil", "")


@dataclasses.dataclass
class DC:
    x: object
    y: object
    op: str


@dataclasses.dataclass
class Mixed:
    z: object
    k: int
    a: object
    j: str
    m: object


@dataclasses.dataclass
class Trio:
    a: object
    b: object
    c: object


@dataclasses.dataclass
class Wrap:
    value: object
    label: str
    flag: bool
    rate: float


@dataclasses.dataclass
class Maybe:
    value: object
    hint: str


@dataclasses.dataclass
class Tag:
    name: str


@dataclasses.dataclass
class Empty:
    pass


@dataclasses.dataclass
class Box:
    meta: str
    children: tuple


@dataclasses.dataclass
class Bag(Box):
    pass


NAMEDTUPLES = (Point, Pair, Only, Quad, Nil)
STRUCTS = {DC: ("x y", "op"), Mixed: ("z a m", "k j"), Trio: ("a b c", ""), Wrap: ("value", "label flag rate"),
           Maybe: ("value", "hint"), Tag: ("", "name"), Empty: ("", "")}
STRUCTS = {cls: (data.split(), static.split()) for cls, (data, static) in STRUCTS.items()}
CUSTOMS = (Box, Bag)
EVERYWHERE = getattr(optree.registry, "__GLOBAL_NAMESPACE")


class AnyLength:
    """A deque's maxlen as JAX's metadata: matches any other, as in optree and in the library where a prefix is matched."""

    def __init__(self, maxlen):
        self.maxlen = maxlen

    def __eq__(self, other):
        return isinstance(other, AnyLength)

    def __hash__(self):
        return 0


def register():
    for cls, (data, static) in STRUCTS.items():
        jtu.register_dataclass(cls, data_fields=data, meta_fields=static)

        def flatten(self, data=data, static=static):
            return ([getattr(self, name) for name in data], tuple((name, getattr(self, name)) for name in static), data)

        def unflatten(metadata, children, cls=cls, data=data):
            return cls(**dict(metadata), **dict(zip(data, children)))
        optree.register_pytree_node(cls, flatten, unflatten, path_entry_type=optree.GetAttrEntry, namespace=EVERYWHERE)
    for cls in CUSTOMS:
        def take(self):
            return self.children, self.meta

        def make(meta, children, cls=cls):
            return cls(meta, tuple(children))
        jtu.register_pytree_node(cls, take, make)
        optree.register_pytree_node(cls, take, make, path_entry_type=optree.FlattenedEntry, namespace=EVERYWHERE)
    jtu.register_pytree_with_keys(
        collections.deque, lambda d: ([(jtu.DictKey(i), x) for i, x in enumerate(d)], AnyLength(d.maxlen)),
        lambda metadata, children: collections.deque(children, metadata.maxlen))


register()

# ---- Texts ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Error:
    """What the library said instead."""
    status: str
    path: str
    message: str


@dataclasses.dataclass
class Flat:
    """A tree with custom nodes, which have no literal: text of its treedef, and its leaves."""
    text: str
    leaves: list


@dataclasses.dataclass
class Made:
    """A tree that an operation made: as it is, its dicts in the order of a walk, and rebuilt, in the order they were filled."""
    tree: object
    rebuilt: object = Ellipsis                                 # where a leaf is a subtree: not


WORDS = {cls.__name__: cls for cls in (*NAMEDTUPLES, *STRUCTS, Error, Flat, Made, collections.OrderedDict,
                                       collections.defaultdict, collections.deque)}
WORDS |= {"__builtins__": {}, "inf": math.inf, "nan": math.nan, "u64": int, "int": int, "list": list, "float": float}


def read(text):
    """A tree from the library's text."""
    for factory in ("int", "list", "float"):
        text = text.replace(f"<class '{factory}'>", factory)
    return eval(text, WORDS)                                   # pylint: disable=eval-used


# ---- Nodes ----------------------------------------------------------------------------------------------------------

DICTS = (dict, collections.OrderedDict, collections.defaultdict)


def is_dict(tree):
    return type(tree) in DICTS


def is_namedtuple(tree):
    return type(tree) in NAMEDTUPLES


def children_of(tree):
    """Children as they are written, None for a leaf."""
    if tree is None:
        return []
    if is_dict(tree):
        return list(tree.values())
    if type(tree) in STRUCTS:
        return [getattr(tree, name) for name in STRUCTS[type(tree)][0]]
    if type(tree) in CUSTOMS:
        return list(tree.children)
    if type(tree) in (list, tuple, collections.deque) or is_namedtuple(tree):
        return list(tree)
    return None


def with_pairs(value, pairs):
    """A dict of the same type and factory."""
    if type(value) is collections.defaultdict:
        return collections.defaultdict(value.default_factory, pairs)
    return type(value)(pairs)


def with_children(tree, children):
    """The same node around other children, as many."""
    if tree is None:
        return None
    if is_dict(tree):
        return with_pairs(tree, zip(tree, children))
    if type(tree) in STRUCTS:
        return dataclasses.replace(tree, **dict(zip(STRUCTS[type(tree)][0], children)))
    if type(tree) in CUSTOMS:
        return type(tree)(tree.meta, tuple(children))
    if is_namedtuple(tree):
        return type(tree)(*children)
    if type(tree) is collections.deque:
        return collections.deque(children, tree.maxlen)
    return type(tree)(children)


def nodes_of(tree):
    """Every value in the tree, the root first."""
    yield tree
    for child in children_of(tree) or []:
        yield from nodes_of(child)


def holds(tree, *types):
    return any(type(node) in types for node in nodes_of(tree))


def edited(tree, place, change):
    """The tree with `change(value)` in place of its value number `place`, counted as nodes_of does."""
    def go(value):
        nonlocal place
        place -= 1
        if place == -1:
            return change(value)
        children = children_of(value)
        return with_children(value, [go(child) for child in children]) if children else value
    return go(tree)


def same(a, b, ordered=True):
    """Same types, values, keys, static values, bit by bit; `ordered`: and dicts in the same order."""
    if type(a) is not type(b):
        return False
    if is_dict(a):
        if ordered or type(a) is collections.OrderedDict:
            if list(a) != list(b):
                return False
        elif set(a) != set(b):
            return False
        if type(a) is collections.defaultdict and a.default_factory is not b.default_factory:
            return False
        return all(type(x) is type(y) for x, y in zip(sorted(a), sorted(b))) and all(same(a[k], b[k], ordered) for k in a)
    if type(a) is collections.deque and a.maxlen != b.maxlen:
        return False
    if type(a) in STRUCTS and not all(same(getattr(a, name), getattr(b, name)) for name in STRUCTS[type(a)][1]):
        return False
    if type(a) in CUSTOMS and a.meta != b.meta:
        return False
    children = children_of(a)
    if children is not None:
        others = children_of(b)
        return len(children) == len(others) and all(same(x, y, ordered) for x, y in zip(children, others))
    return repr(a) == repr(b)


# ---- Strategies --------------------------------------------------------------------------------------------------------

# Characters that Python's Unicode knows: what is printable has become more since.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cn"), exclude_characters="\0")
TEXTS = st.text(CHARACTERS, max_size=6)
WORDS_OFTEN = st.sampled_from(("a", "b", "c", "k", "z", "aa", "B", "", "0", "10", "it's", "é", "x/y", "\n", "[0]", "a.b",
                               "layernorm_1", "layernorm_10", "layernorm_2"))
KEYS = st.one_of(WORDS_OFTEN, WORDS_OFTEN, TEXTS)
INT_KEYS = st.one_of(st.integers(-3, 12), st.integers(-2**63, 2**63 - 1))
INTS = st.one_of(st.integers(0, 99), st.integers(-2**63, 2**63 - 1))
FLOATS = st.one_of(st.integers(-99, 99).map(lambda n: n / 8), st.floats())
LEAVES = st.one_of(INTS, INTS, INTS, TEXTS, FLOATS, st.booleans())
NUMBERS = st.one_of(st.integers(-99, 99), st.integers(-99, 99).map(lambda n: n / 8), st.booleans())
STATICS = {str: KEYS, int: INTS, bool: st.booleans(), float: st.sampled_from((0.5, 1.0, 1e-07, 1e20, -2.25, 0.0))}
HINTS = st.one_of(st.none(), KEYS)
FACTORIES = (int, None, list, float)
COUNTS = st.sampled_from((1, 2, 0, 3, 2, 1, 5))
KINDS = ("list", "tuple", "dict", "odict", "idict", "namedtuple", "none", "struct", "defaultdict", "deque", "custom", "struct")


def some_statics(draw, cls):
    return {name: draw(HINTS if cls is Maybe else STATICS[cls.__dataclass_fields__[name].type]) for name in STRUCTS[cls][1]}


def some_node(draw, child, kinds=KINDS):
    """A node around what `child()` gives."""
    kind = draw(st.sampled_from(kinds))
    if kind == "none":
        return None
    if kind == "namedtuple":
        cls = draw(st.sampled_from(NAMEDTUPLES))
        return cls(*(child() for _ in cls._fields))
    if kind == "struct":
        cls = draw(st.sampled_from(tuple(STRUCTS)))
        return cls(**some_statics(draw, cls), **{name: child() for name in STRUCTS[cls][0]})
    count = draw(COUNTS)
    if kind in ("dict", "odict", "defaultdict", "idict"):
        numbered = kind == "idict" or (kind != "dict" and draw(st.integers(0, 5)) == 5)
        pairs = {draw(INT_KEYS if numbered else KEYS): child() for _ in range(count)}
        if kind == "defaultdict":
            return collections.defaultdict(draw(st.sampled_from(FACTORIES)), pairs)
        return collections.OrderedDict(pairs) if kind == "odict" else pairs
    children = [child() for _ in range(count)]
    if kind == "custom":
        return draw(st.sampled_from(CUSTOMS))(draw(KEYS), tuple(children))
    if kind == "deque":
        return collections.deque(children, draw(st.one_of(st.none(), st.integers(count, count + 2))))
    return children if kind == "list" else tuple(children)


def some_tree(draw, leaves=LEAVES, kinds=KINDS, depth=4):
    """A leaf, or a tree of at most that depth."""
    if depth == 0 or draw(st.integers(0, 9)) < 4:
        return draw(leaves)
    return some_node(draw, lambda: some_tree(draw, leaves, kinds, depth - 1), kinds)


tree = st.composite(some_tree)


@st.composite
def any_tree(draw, leaves=LEAVES, kinds=KINDS):
    """A tree of any form: mostly a node with a few more below it, now and then a leaf, a long chain, a wide node."""
    form = draw(st.integers(0, 19))
    if form < 16:
        return some_node(draw, lambda: some_tree(draw, leaves, kinds, 4), kinds)
    if form == 16:
        return draw(leaves)
    if form == 17:
        value = some_tree(draw, leaves, kinds, 1)
        for _ in range(draw(st.integers(0, 40))):
            around = value                                     # the chain goes on in one child
            value = some_node(draw, lambda: draw(leaves), kinds)
            if children := children_of(value):
                children[draw(st.integers(0, len(children) - 1))] = around
                value = with_children(value, children)
            else:
                value = [around]
        return value
    count, some = draw(st.integers(0, 150)), [draw(leaves) for _ in range(3)]
    step = draw(st.sampled_from((1, 7, -1)))
    if form == 18 and "dict" in kinds:
        return {f"layernorm_{i * step % 151}": some[i % 3] for i in range(count)}
    return [some[i % 3] for i in range(count)]


# ---- Changes: from a tree to one that is nearly the same -----------------------------------------------------------------


def _other_type(_, value):
    """The same children in another container."""
    if is_dict(value):
        others = [cls for cls in DICTS if cls is not type(value)]
        cls = others[len(value) % 2]
        return cls(int, value) if cls is collections.defaultdict else cls(value)
    if type(value) in (Point, Pair):
        return (Pair if type(value) is Point else Point)(*value)
    if type(value) in CUSTOMS:
        return (Bag if type(value) is Box else Box)(value.meta, value.children)
    children = children_of(value)
    return tuple(children) if type(value) is list else list(children)


def _reordered(_, value):
    return with_pairs(value, reversed(value.items()))


def _shorter(_, value):
    if is_dict(value):
        return with_pairs(value, list(value.items())[:-1])
    return with_children(value, children_of(value)[:-1])


def _other_statics(draw, value):
    return dataclasses.replace(value, **some_statics(draw, type(value)))


def _other_meta(draw, value):
    return type(value)(draw(KEYS), value.children)


def _other_maxlen(draw, value):
    return collections.deque(value, draw(st.one_of(st.none(), st.integers(len(value), len(value) + 2))))


def _other_factory(draw, value):
    return collections.defaultdict(draw(st.sampled_from(FACTORIES)), value)


def _other_key(draw, value):
    key = next(iter(value))
    other = draw(INT_KEYS if isinstance(key, int) else KEYS)
    return with_pairs(value, {other if k == key else k: v for k, v in value.items()})


def _own_changes(value):
    """What can be changed of a node and leaves its children as they are."""
    if is_dict(value) and value:
        yield from (_other_key, _reordered)
    if type(value) is collections.defaultdict:
        yield _other_factory
    if type(value) is collections.deque:
        yield _other_maxlen
    if type(value) in CUSTOMS:
        yield _other_meta
    if type(value) in STRUCTS and STRUCTS[type(value)][1]:
        yield _other_statics


def _changes(value):
    """What else."""
    if children_of(value) and type(value) not in STRUCTS and not is_namedtuple(value):
        yield _shorter
    yield from (_other_type, lambda draw, value: some_tree(draw, depth=2), lambda draw, value: 0)


def _leaf_changes(_):
    yield lambda draw, leaf: some_tree(draw, depth=2)


@st.composite
def changed(draw, value):
    """At one place: other data, order, type or length; a leaf for a subtree; a subtree for a leaf or another subtree."""
    nodes = list(nodes_of(value))
    places = [[i for i, node in enumerate(nodes) if list(_own_changes(node))],
              [i for i, node in enumerate(nodes) if children_of(node) is not None],
              [i for i, node in enumerate(nodes) if children_of(node) is None]]
    of = draw(st.sampled_from([kind for kind in (0, 0, 1, 1, 2) if places[kind]]))
    place = draw(st.sampled_from(places[of]))
    changes = (_own_changes, _changes, _leaf_changes)[of](nodes[place])
    change = draw(st.sampled_from(list(changes)))
    return edited(value, place, lambda node: change(draw, node))


@st.composite
def relative(draw, value):
    """The same tree with other leaves, and up to two changes."""
    other = relabelled(value)
    for _ in range(draw(st.sampled_from((1, 0, 1, 2)))):
        other = draw(changed(other))
    return other


def relabelled(value):
    """The same tree, whose leaves are 1000, 1001, …"""
    number = 999

    def go(v):
        nonlocal number
        children = children_of(v)
        if children is None:
            number += 1
            return number
        return with_children(v, [go(child) for child in children])
    return go(value)


@st.composite
def prefix_of(draw, value, breaks=True, leaves=LEAVES):
    """The tree with leaves for some of its subtrees; if `breaks`, every other time it is changed and may fit no more."""
    def go(node):
        children = children_of(node)
        if children is None or draw(st.integers(0, 4)) == 4:
            return draw(leaves)
        return with_children(node, [go(child) for child in children])
    prefix = go(value)
    for _ in range(draw(st.sampled_from((0, 1, 0, 2))) if breaks else 0):
        prefix = draw(changed(prefix))
    return prefix


@st.composite
def deeper(draw, value):
    """The tree with subtrees for some of its leaves."""
    def go(node):
        children = children_of(node)
        if children is None:
            return some_tree(draw, depth=1)
        return with_children(node, [go(child) for child in children])
    return go(value)
