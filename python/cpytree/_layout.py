"""Descriptions of pytree/layout.h: read, and checked before any memory is touched."""
import json

FORMAT = 1
POINTER_KINDS = {"pointer", "stb"}
CONTAINERS = {"list", "tuple", "dict", "odict", "namedtuple", "defaultdict", "deque"}
KEYED = {"dict", "odict", "namedtuple", "defaultdict"}
KINDS = CONTAINERS | {"leaf", "none", "struct", "custom", "view", "ref", "flat", "row"}
KEY_KINDS = {"attribute", "index", "key", "flat"}
# The bytes of an element; None: as many as the type says.
DTYPES = {"bool": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f16": 2, "bf16": 2, "f32": 4,
          "f64": 8, "c64": 8, "c128": 16, "long double": None, "long double complex": None, "str": None, "text": 1, "opaque": None}
LARGEST = 1 << 63


class LayoutError(ValueError):
    """A description that cannot be true, or that this package does not understand."""


def expect(good, where, expected, got):
    """Raises the error of everything in this file."""
    if not good:
        raise LayoutError(f"{where}: expected {expected}, got {got}")


def member(where, thing, name, kind, expected):
    """A member of a JSON object that must be there and of that kind."""
    value = thing.get(name)
    expect(isinstance(value, kind) and (kind is not int or not isinstance(value, bool)), where, f"{expected} as '{name}'",
           "nothing" if name not in thing else repr(value)[:60])
    return value


def size(where, thing, name):
    """A member that is a number of bytes or elements."""
    value = member(where, thing, name, int, "a number")
    expect(0 <= value < LARGEST, where, f"a number from 0 to 2^63 as '{name}'", value)
    return value


def product(extents):
    """How many elements there are; Python's integers do not overflow."""
    count = 1
    for extent in extents:
        count *= extent
    return count


class Layout:
    """A checked description: `types`, and `nodes` in post-order; `parents` has for each node its parent and its number there."""

    def __init__(self, description, pointer=8):
        self.where, self.pointer = "layout", pointer
        expect(isinstance(description, dict), self.where, "an object", type(description).__name__)
        got = description.get("format")
        expect(got == FORMAT, self.where, f"format {FORMAT}", f"{got!r} of version {description.get('version')!r} of the C library: "
               "use the package of that version")
        self.types = member(self.where, description, "types", list, "a list")
        self.nodes = description.get("nodes", [])
        expect(isinstance(self.nodes, list), self.where, "a list as 'nodes'", type(self.nodes).__name__)
        for number, one in enumerate(self.types):
            self._check_type(f"types[{number}]", one)
        for number, one in enumerate(self.types):
            self._check_fields(f"types[{number}]", one)
        self.parents = self._check_structure()
        self._bases, self._rows, self._spans = {}, {}, []
        for number, node in enumerate(self.nodes):
            self._check_node(number, node)

    # ---- Types ---------------------------------------------------------------------------------------------------------

    def _check_type(self, where, one):
        expect(isinstance(one, dict), where, "an object", type(one).__name__)
        name = member(where, one, "name", str, "a name")
        kind = member(where, one, "kind", str, "a kind")
        expect(kind in KINDS, f"{where} {name}", f"a kind of {', '.join(sorted(KINDS))}", kind)
        bytes_of = size(where, one, "size")
        align = size(where, one, "align")
        expect(align > 0 and align & (align - 1) == 0, f"{where} {name}", "an alignment that is a power of two", align)
        if kind == "leaf":
            dtype = member(where, one, "dtype", str, "an element type")
            expect(dtype in DTYPES, f"{where} {name}", f"an element type of {', '.join(DTYPES)}", dtype)
            wanted = self.pointer if dtype == "str" else DTYPES[dtype] or bytes_of
            expect(bytes_of == wanted and bytes_of > 0, f"{where} {name}", f"{wanted or 'some'} bytes for {dtype}", bytes_of)

    def _check_fields(self, where, one):
        where = f"{where} {one['name']}"
        for field in one.get("fields", []) if isinstance(one.get("fields", []), list) else [None]:
            expect(isinstance(field, dict), where, "fields that are objects", repr(field)[:60])
            at = f"{where}.{member(where, field, 'name', str, 'a name')}"
            row = member(at, field, "row", str, "data, static or drop")
            expect(row in ("data", "static", "drop"), at, "data, static or drop", row)
            if row != "drop":
                self.type_of(at, field)
            if "offset" in field:
                self._check_place(at, one, field)

    def _check_place(self, at, one, field):
        """Does the member lie in its struct, and has it as many bytes as its type?"""
        offset, bytes_of = size(at, field, "offset"), size(at, field, "size")
        expect(offset + bytes_of <= one["size"] or (field.get("place") == "flexible" and offset <= one["size"]), at,
               f"{bytes_of} bytes within the {one['size']} of the struct", f"offset {offset}")
        if field["row"] != "data" or field.get("form") == "union":
            return
        place = member(at, field, "place", str, "a place")
        if place in POINTER_KINDS:
            expect(bytes_of == self.pointer, at, f"a pointer of {self.pointer} bytes", f"{bytes_of} bytes")
        elif place == "in place" and ("shape" in field or not field.get("ndim")):
            extents = self.extents(at, field) if "shape" in field else []
            wanted = product(extents) * self.type_of(at, field)["size"]
            expect(bytes_of == wanted, at, f"{wanted} bytes", bytes_of)

    def type_of(self, where, thing):
        """The type that a field or node refers to."""
        number = member(where, thing, "type", int, "the number of a type")
        expect(0 <= number < len(self.types), where, f"the number of one of {len(self.types)} types", number)
        return self.types[number]

    @staticmethod
    def extents(where, thing):
        """The shape of a leaf or fixed array."""
        shape = member(where, thing, "shape", list, "a list")
        expect(all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < LARGEST for n in shape) and len(shape) <= 16, where,
               "a shape of at most 16 numbers from 0 to 2^63", repr(shape)[:60])
        return shape

    # ---- Nodes ---------------------------------------------------------------------------------------------------------

    def _check_structure(self):
        """Is it one tree in post-order? The parent of each node, and which child of that it is."""
        parents, roots = [None] * len(self.nodes), []
        for number, node in enumerate(self.nodes):
            where = f"nodes[{number}]"
            expect(isinstance(node, dict), where, "an object", type(node).__name__)
            count = size(where, node, "children") if "children" in node else 0
            expect(count <= len(roots), where, f"at most {len(roots)} children, as many as there are nodes without a parent", count)
            for child, at in enumerate(roots[len(roots) - count:]):
                parents[at] = number, child
            del roots[len(roots) - count:]
            roots.append(number)
        expect(len(roots) <= 1, "nodes", "one root", f"{len(roots)}")
        return parents

    def fields(self, node, row):
        """The rows of a struct's type that are of that kind: found once."""
        found = self._rows.get((node["type"], row))
        if found is None:
            found = [field for field in self.types[node["type"]].get("fields", []) if field["row"] == row]
            self._rows[node["type"], row] = found
        return found

    def key(self, number, child):
        """How a node's child is written in a key path."""
        node = self.nodes[number]
        kind = self.types[node["type"]]["kind"]
        if kind == "struct":
            return "." + self.fields(node, "data")[child]["name"]
        if kind == "namedtuple":
            return "." + node["keys"][child]
        if kind in KEYED:
            return f"[{node['keys'][child]!r}]"
        if kind == "custom":
            (how, key), = node["keys"][child].items() if "keys" in node else [("flat", child)]
            return {"attribute": f".{key}", "index": f"[{key}]", "key": f"[{key!r}]", "flat": f"[<flat index {key}>]"}[how]
        return f"[{child}]"

    def path(self, number):
        """The key path of a node, whose ancestors have been checked."""
        keys = []
        while self.parents[number] is not None:
            number, child = self.parents[number]
            keys.append(self.key(number, child))
        return "".join(reversed(keys))

    def _check_node(self, number, node):
        """Is a node what its type can be? Nodes above it have not been checked yet, so it is called by its number."""
        where = f"nodes[{number}]"
        if "type" in node and node["type"] is None:
            expect("children" not in node, where, "a leaf", "children without a type")
            return
        one = self.type_of(where, node)
        kind, where = one["kind"], f"{where} {one['name']}"
        if "children" not in node:
            if kind != "none":
                self._check_leaf(number, where, node, one)
            return
        expect(kind in CONTAINERS or kind in ("struct", "none", "custom"), where, "a type that can have children", kind)
        expect(kind != "none" or node["children"] == 0, where, "None without children", node["children"])
        if kind == "struct":
            self._check_struct(number, where, node)
        keys = node.get("keys")
        if kind in KEYED:
            good = isinstance(keys, list) and len(keys) == node["children"] and len(set(map(repr, keys))) == len(keys) \
                and all(isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)) for key in keys)
            expect(good, where, f"{node['children']} different keys", repr(keys)[:60])
        if kind == "custom" and keys is not None:
            good = isinstance(keys, list) and len(keys) == node["children"] \
                and all(isinstance(key, dict) and len(key) == 1 and set(key) <= KEY_KINDS for key in keys)
            expect(good, where, f"{node['children']} keys with their kinds", repr(keys)[:60])
        if kind == "namedtuple":
            member(where, node, "name", str, "a name")
        if kind == "custom":
            member(where, node, "metadata", str, "the metadata")

    def _check_leaf(self, number, where, node, one):
        """A leaf that is no None: elements somewhere in memory."""
        expect(one["kind"] == "leaf", where, "the type of a leaf", one["kind"])
        bytes_of = product(self.extents(where, node)) * one["size"]
        address = node.get("address")
        expect("address" in node and (address is None or isinstance(address, int)), where, "an address", repr(address))
        if address is None:
            return
        expect(bytes_of < LARGEST and 0 < address <= (1 << 8 * self.pointer) - bytes_of, where,
               f"{bytes_of} bytes in memory", f"them at {address:#x}")
        if bytes_of:
            self._bases[number] = address

    def _check_struct(self, number, where, node):
        """As many children and static values as rows; and what lies in the struct is where the rows say."""
        rows, statics = self.fields(node, "data"), self.fields(node, "static")
        expect(node["children"] == len(rows), where, f"{len(rows)} children, one for each data row", node["children"])
        values = member(where, node, "statics", list, "a list")
        expect(len(values) == len(statics), where, f"{len(statics)} static values", len(values))
        children = self._children(number, node["children"])
        base, first = None, None
        for row, child in zip(rows, children):
            if row.get("place") != "in place" or row.get("form") not in ("leaf", "struct") or child not in self._bases:
                continue
            begins = self._bases[child] - row["offset"]
            expect(base is None or begins == base, f"{where}.{row['name']}",
                   f"it {row['offset']} bytes behind the beginning of the struct, as its row says",
                   f"{self._bases[child] - (base or 0)}, if .{first} is where its row says")
            base, first = begins, first or row["name"]
        if base is not None:
            self._bases[number] = base

    def _children(self, number, count):
        """The numbers of a node's children, in order."""
        found, at = [], number - 1
        for _ in range(count):
            found.append(at)
            at -= self._span(at)
        return found[::-1]

    def _span(self, number):
        """How many nodes a subtree has, itself included: found once for each, so that all together take linear time."""
        spans = self._spans
        while len(spans) <= number:
            count, span = self.nodes[len(spans)].get("children", 0), 1
            for _ in range(count):
                span += spans[len(spans) - span]
            spans.append(span)
        return spans[number]


def parse(text, pointer=8):
    """Reads a description. Raises LayoutError, whose message says where, what was expected and what came."""
    try:
        description = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise LayoutError(f"layout: expected JSON, got what Python refuses: {problem}") from None
    return Layout(description, pointer)
