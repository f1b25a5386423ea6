#!/usr/bin/env python3
"""The programs in examples/jax_pytrees and examples/autoform_pytrees against what the Python packages print.

    seeds_checks.py             checks all of them
    seeds_checks.py --write     makes their .expected files again

What a program must print is made of the records in tests/golden/seeds/examples.jsonl: leaves, key paths, counts, treedefs and
values as the packages gave them, written in the library's notation. Only the headings come from the program itself. Every
result of a record must be used, or be listed in LEFT_OUT with the reason.
"""
import ast
import copy
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402
from harness import BUILD, ROOT, Check, Outcome, run  # noqa: E402

FOLDERS = ("jax_pytrees", "autoform_pytrees")
CONFIGS = ["gcc-O2", "clang-sanitized", "tcc"]
RECORDS = ROOT / "tests" / "golden" / "seeds" / "examples.jsonl"

LEFT_OUT = {
    ("jax-01", "counts"): "stand with the trees", ("old-01", "counts"): "stand with the trees",
    ("jax-02", "args"): "its leaves are shown", ("old-02", "args"): "its leaves are shown",
    ("jax-05", "same_as_default"): "a transform's default",
    ("jax-14", "written_as_in_document"): "an undeclared name does not compile", ("jax-14", "printed"): "says that",
    ("jax-14", "jacobian_values"): "the leaf of jac",
    ("jax-12", "printed"): "the outcomes in words", ("jax-13", "printed"): "the outcomes in words",
    ("af-04", "as_input"): "an autoform program", ("af-04", "as_closure"): "an autoform program",
    ("af-05", "ir"): "an autoform program", ("af-06", "ir"): "an autoform program",
    ("af-06", "split_ir"): "an autoform program",
    ("af-06", "output"): "a text, no tree", ("af-06", "output2"): "texts that are formatted",
    ("af-07", "printed"): "the error's text",
}

# ---- The library's notation --------------------------------------------------------------------------------------------

DTYPES = {"float32": "f32", "int32": "i32"}


def array(dtype, data):
    """An array's literal from nested lists."""
    return f"{DTYPES[dtype]}({data!r})"


def nested(data, shape):
    """Numbers, row by row, as nested lists."""
    for extent in reversed(shape[1:]):
        data = [data[i:i + extent] for i in range(0, len(data), extent)]
    return data


def translated(text):
    """Python's text in the library's notation: arrays, plain objects, and optree's treedefs in JAX's form."""
    text = re.sub(r"Array\((\[.*?\]), dtype=(\w+)\)", lambda m: array(m[2], ast.literal_eval(m[1])), text, flags=re.S)
    for theirs, ours in (("<object object at 0x0>", "<Object>"), ("PyTreeSpec", "PyTreeDef"), ("CustomTreeNode", "CustomNode")):
        text = text.replace(theirs, ours)
    # optree names static fields, JAX does not; and a shape is a C array of two with a number of dimensions.
    text = re.sub(r"\('shape', \((\d+),\)\)", r"1, (\1, 0)", text)
    return re.sub(r"\('dtype', ('\w+')\)", r"\1", text)


def fields(value):
    """The children of a dataclass, or of a plain object."""
    if "dataclass" in value:
        return [(name, field) for name, field in value["fields"] if name not in value.get("static", ())]
    return [(name, field) for name, _, field in value["attrs"]]


def literal(value):
    """A value of a record as a literal."""
    if not isinstance(value, dict):
        return repr(value)
    if "array" in value:
        return array(value["array"]["dtype"], nested(value["array"]["data"], value["array"]["shape"]))
    if "list" in value:
        return f"[{', '.join(map(literal, value['list']))}]"
    if "tuple" in value:
        return f"({', '.join(map(literal, value['tuple']))}{',' if len(value['tuple']) == 1 else ''})"
    if "dict" in value:
        return "{" + ", ".join(f"{key!r}: {literal(item)}" for key, item in value["dict"]) + "}"
    return f"{value['dataclass']}({', '.join(f'{name}={literal(field)}' for name, field in fields(value))})"


def outline(value, static, path=""):
    """A value of a record as a tree: its treedef's text, its leaves with their paths, its nodes."""
    if not isinstance(value, dict):
        return "*", [(path, literal(value))], 1
    kind = next(iter(value))
    if kind in ("list", "tuple"):
        below = [outline(item, static, f"{path}[{i}]") for i, item in enumerate(value[kind])]
    elif kind == "dataclass":
        below = [outline(field, static, f"{path}.{name}") for name, field in fields(value)]
    else:
        below = [outline(field, static, f"{path}[<flat index {i}>]") for i, (_, field) in enumerate(fields(value))]
    texts = ", ".join(text for text, _, _ in below)
    text = {"list": f"[{texts}]", "tuple": f"({texts})"}.get(kind, f"CustomNode({value[kind]}[{static}], [{texts}])")
    return text, [leaf for _, leaves, _ in below for leaf in leaves], 1 + sum(nodes for _, _, nodes in below)


def shown(name, treedef, leaves, nodes):
    """What show_tree prints."""
    lines = [f"  {path}{'  ' if path else ''}{value}" for path, value in leaves]
    return [f"{name}: leaves={len(leaves)}, nodes={nodes}, {treedef}", *lines]


# ---- A record, which knows what was asked of it ------------------------------------------------------------------------


class Record:
    """A code block's results."""

    def __init__(self, record):
        self.record = record
        self.id = record["id"]
        self.unused = {name for part in ("trees", "values", "errors") for name in record.get(part, ())}
        self.unused |= {"printed"} & set(record)

    def get(self, part, name):
        """A result."""
        self.unused.discard(name)
        return self.record[part][name]

    def trees(self, *names):
        """Trees as show_tree prints them."""
        lines = []
        for name in names:
            tree = self.get("trees", name)
            leaves = [*zip(tree["paths"], map(translated, tree["leaves"]), strict=True)]
            assert len(leaves) == tree["num_leaves"], name
            lines += shown(name, tree["treedef"], leaves, tree["num_nodes"])
        return lines

    def values(self, *names):
        """Values as show_value prints them."""
        return [f"{name}={literal(self.get('values', name))}" for name in names]

    def treedef(self, name):
        """A treedef among the values."""
        return self.get("values", name)["treedef"]["text"]

    def printed(self):
        """What the packages print."""
        self.unused.discard("printed")
        return translated(self.record["printed"]).rstrip("\n").split("\n")

    def facts(self, name, static="()"):
        """A tree of autoform as show_tree prints it: made of the value, and checked against what optree says about it."""
        treedef, leaves, nodes = outline(self.get("values", name), static)
        treedef = f"PyTreeDef({treedef}, namespace='OPTREE_AUTOFORM_NAMESPACE')"
        if f"{name}_facts" in self.record["values"]:
            facts = dict(self.get("values", f"{name}_facts")["dict"])
            said = [*zip(facts["paths"]["list"], map(literal, facts["leaves"]["list"]), strict=True)]
            assert translated(facts["spec"]) == treedef and said == [("t" + path, value) for path, value in leaves], name
        return shown(name, treedef, leaves, nodes)

    def rest(self):
        """Results that were not asked for and are not left out."""
        return sorted(name for name in self.unused if (self.id, name) not in LEFT_OUT)


# ---- What each block's part of a program must print --------------------------------------------------------------------


def structure_of_anything(r):
    """jax-06."""
    lines = [r.treedef("s_object"), r.treedef("s_args")]
    assert r.printed() == lines[:1]
    return lines


def flatten_modify_unflatten(r):
    """jax-07."""
    lines = [*r.values("value_flat"), f"value_tree={r.treedef('value_tree')}"]
    lines += r.values("transformed_flat", "transformed_structured")
    assert r.printed() == lines
    return [*r.trees("value_structured"), *lines]


def built_in_containers(r):
    """jax-08. A rebuilt dict is in the order in which it was filled, as in optree; JAX sorts it."""
    sorted_dict, as_filled = "  unflattened=(1.0, {'a': 3.0, 'b': 2.0})", "  unflattened=(1.0, {'b': 2.0, 'a': 3.0})"
    lines = r.printed()
    lines[lines.index(sorted_dict)] = as_filled
    return [*lines, *r.trees("e0", "e1", "e2", "e3", "e4", "e5")]


def example(r):
    """jax-09 to jax-11."""
    return [*r.printed(), *r.trees("value")]


def shapes(value):
    """The shapes in a tree of shapes; a shape is a tuple of numbers."""
    if "tuple" in value and all(isinstance(extent, int) for extent in value["tuple"]):
        return [literal(value)]
    items = value.get("tuple") or [item for _, item in value["dict"]]
    return [shape for item in items for shape in shapes(item)]


def mapped(r):
    """jax-03 to jax-05."""
    seen = ", ".join(shapes(r.get("values", "shapes")))
    lines = [*r.values("in_axes", "axes_per_leaf"), f"shapes=[{seen}]", *r.values("out")]
    return lines + (r.values("same") if "same" in r.record["values"] else [])


def constructor(r):
    """jax-12 to jax-14: what is refused is what the page, or the package today, says of the constructor."""
    said = " ".join([r.record.get("document_output") or "", r.record["note"]])
    failed = r.get("errors", "jacobian_outcome")["text"] if "jacobian_outcome" in r.record["errors"] else ""
    refused = {
        "its leaf": False,
        "an object": "object() is passed" in said,
        "None": "None is not a valid value" in failed,
        "a sharding": failed != "",       # what no constructor foresees
        "a MyTree": "MyTree(...) is passed" in said,
    }
    lines = r.trees("tree")
    for what, error in refused.items():
        lines.append(f"{what}: {'expected the rebuild of MyTree to succeed, got types differ' if error else 'no error'}")
        if what == "its leaf":
            lines.append(f"a={literal(r.get('values', 'vmap_outcome'))}")
    return lines + (r.trees("jac") if "jac" in r.record["trees"] else [])


def namespaced(r):
    """af-01."""
    leaf = literal(r.get("values", "state"))
    return [*r.facts("state"), *r.facts("upper"),
            *shown("without_namespace", translated(r.get("values", "without_namespace")), [("", leaf)], 1)]


def metadata(r):
    """af-02."""
    scaled = dict(r.get("values", "scaled")["fields"])
    return [*r.facts("array", "(1, (2, 0), 'float32')"), *[f"scaled.{name}={literal(value)}" for name, value in scaled.items()],
            *r.values("other_shape_same_structure")]


def manual(r):
    """af-03."""
    return [*r.facts("state", "None"), *r.facts("upper", "None"),
            *[f"upper.{name}={literal(value)}" for name, value in fields(r.get("values", "upper"))]]


def methods(r):
    """af-04."""
    feedback = {"tuple": [r.get("values", "feedback_explainer"), r.get("values", "feedback_topic")]}
    return [*r.facts("explainer"), *r.values("called", "call_as_input", "call_as_closure", "batch_over_fields", "out"),
            f"feedback={literal(feedback)}"]


def batched(r):
    """af-05. The elements are the inputs turned over."""
    lists = [(name, value["list"]) for name, value in fields(r.get("values", "inputs"))]
    elements = [{"dataclass": "State", "fields": [[name, items[i]] for name, items in lists]} for i in range(2)]
    return [*r.facts("inputs"), f"elements={literal({'list': elements})}", *r.values("outputs")]


def loop(r):
    """af-07."""
    return [*r.facts("result"), *translated(r.get("errors", "mismatch")["text"]).split("\n")[1:]]


CONTENT = {
    "jax-01": lambda r: r.trees("t1", "t2", "t3"), "jax-02": lambda r: r.trees("args"), "jax-03": mapped, "jax-04": mapped,
    "jax-05": mapped, "jax-06": structure_of_anything, "jax-07": flatten_modify_unflatten, "jax-08": built_in_containers,
    "jax-09": example, "jax-10": example, "jax-11": example,
    "jax-12": constructor, "jax-13": constructor, "jax-14": constructor,
    "af-01": namespaced, "af-02": metadata, "af-03": manual, "af-04": methods, "af-05": batched,
    "af-06": lambda r: r.values("feedback", "feedback2"), "af-07": loop,
}


def records():
    """All records by id."""
    lines = RECORDS.read_text(encoding="utf-8").splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


def headings(source):
    """The headings a program prints, and the ids in each."""
    found = re.findall(r'printf\("(-- ([\w, -]+): [^"]*)\\n"\)', source.read_text(encoding="utf-8"))
    return [(heading, ids.split(", ")) for heading, ids in found]


def expected(source, known):
    """What a program must print. A block that two pages have has one part, and both records must give it."""
    lines = []
    for heading, ids in headings(source):
        parts = []
        for name in ids:
            record = Record(known[name])
            parts.append(CONTENT[name.replace("old", "jax")](record))
            assert not record.rest(), f"{name}: not shown and not left out: {record.rest()}"
        assert all(part == parts[0] for part in parts), ids
        lines += [heading, *parts[0]]
    return "".join(f"{line}\n" for line in lines)


# ---- Checks --------------------------------------------------------------------------------------------------------------


def programs():
    """Their sources."""
    return [source for folder in FOLDERS for source in sorted((ROOT / "examples" / folder).glob("*.c"))]


def every_block():
    """Each record is in one program; and a record that says something else is noticed, whatever in it that is."""
    known = records()
    ids = [name for source in programs() for _, names in headings(source) for name in names]
    outcome = Outcome()
    for name in sorted(set(ids) | set(known)):
        good = ids.count(name) == 1 and name in known
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{name}: in {ids.count(name)} programs, {'no' if name not in known else 'a'} record\n"
    for name, what in LEFT_OUT:
        good = name in known and what in Record(known[name]).unused
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{name}: left out, but there is no {what}\n"
    for source in programs():
        now = expected(source, known)
        for name in (name for _, names in headings(source) for name in names):
            for part in ("trees", "values", "printed"):
                changed = copy.deepcopy(known)
                if not altered(changed[name], part):
                    continue
                try:
                    noticed = expected(source, changed) != now
                except (AssertionError, ValueError):
                    noticed = True
                outcome.passed += noticed
                outcome.failed += not noticed
                outcome.log += "" if noticed else f"{name}: another text among its {part} makes no difference\n"
    return outcome


def altered(record, part):
    """Changes what is shown of a part of a record; False if nothing of it is."""
    if part == "printed":
        record[part] = record.get(part, "").replace("PyTreeDef", "PyTreeDof")
        return "PyTreeDof" in record[part] and (record["id"], part) not in LEFT_OUT
    names = [name for name in record.get(part, ()) if (record["id"], name) not in LEFT_OUT]
    for name in names:
        record[part][name] = json.loads(re.sub(r"\*|\b1\b|dna|Explain|more|go!", "7", json.dumps(record[part][name])))
    return bool(names)


def program(source):
    """The file beside it is what the records say, and it prints that, under compilers and sanitizers, without a complaint."""
    name = source.relative_to(ROOT / "examples").with_suffix("")
    wanted = expected(source, records())
    file = source.with_suffix(".expected")
    there = file.read_text(encoding="utf-8") if file.exists() else ""
    outcome = harness.passed()
    if there != wanted:
        outcome = harness.failed(f"{file.name} differs from what the records say: seeds_checks.py --write makes it\n")
    for config in CONFIGS:
        target = BUILD / "examples" / name.parent / f"{name.name}-{config}"
        result = harness.build_program(source, config, target)
        result = run([target], timeout=60) if result.status == 0 else result
        good = result.status == 0 and result.output == there
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{result.log()}must succeed and print what is in {file.name}\n"
    return outcome


def checks():
    """One for each program, and one for the records."""
    return [Check("records of the Python pages: each in one program, changes noticed", every_block),
            *[Check(source.relative_to(ROOT).as_posix(), lambda source=source: program(source)) for source in programs()]]


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for path in programs():
            path.with_suffix(".expected").write_text(expected(path, records()), encoding="utf-8")
    else:
        harness.main("Python's pages on pytrees in C", checks())
