"""Markdown tables from the JSON lines that bench, adamw, compile_time.py and peers.py write.

    python3 table.py FILE...                 the tables
    python3 table.py --into README FILE...   rows with a peer or a target, between <!-- bench:begin --> and <!-- bench:end -->

The first model of the files is that of the main table: the cost of each operation here, by hand, and in the fastest Python
library (with its fastest form of the tree), and the ratio of the two.
"""

import json
import sys

# (operation, unit, target in ns per unit, what it is); an operation without a target has None.
OPERATIONS = [
    ("flatten", "node", 5, "flatten: leaves and treedef"),
    ("structure", "node", 5, "structure: treedef only"),
    ("leaves", "leaf", 2, "leaves into an array"),
    ("unflatten", "leaf", 5, "unflatten: a new tree"),
    ("unflatten_into", "leaf", 3, "unflatten into a tree"),
    ("def_equal", "node", 0.8, "treedef equality"),
    ("def_hash", "node", 2, "treedef hash"),
    ("def_copy", "node", None, "treedef copy"),
    ("map1", "leaf", 4, "map over one tree, beyond its body"),
    ("map4", "leaf", 8, "map over four trees, beyond its body"),
    ("iterate1", "leaf", None, "iterate over one tree"),
    ("iterate4", "leaf", None, "iterate over four trees"),
    ("reduce", "leaf", None, "reduce"),
    ("walk", "node", 6, "walk"),
    ("num_leaves", "leaf", None, "count leaves"),
    ("paths", "leaf", 15, "all key paths as text"),
    ("def_text", "node", 15, "treedef as text"),
    ("allocate", "leaf", None, "allocate"),
    ("clone", "leaf", 25, "clone"),
    ("zeros_like", "leaf", 25, "zeros_like"),
    ("copy_into", "leaf", None, "copy_into"),
    ("equal", "leaf", None, "equal, values too"),
    ("sum", "leaf", None, "sum of all elements"),
    ("check", "leaf", 15, "check"),
    ("find_duplicates", "leaf", None, "find_duplicates"),
]
PEERS = ("jax", "optree")


def number(x):
    return f"{x:.2f}" if x < 9.95 else f"{x:.1f}" if x < 99.5 else f"{x:.0f}"


def lowest(records):
    """Of what was measured several times the record with the lowest median."""
    best = {}
    for k, r in enumerate(records):
        key = tuple(r.get(f) for f in ("library", "form", "model", "op")) if "op" in r else k
        if key not in best or r["ns"] < best[key]["ns"]:
            best[key] = r
    return list(best.values())


def operations_table(records, model):
    found = {}
    for r in records:
        if r.get("model") == model and "nodes" in r:
            found.setdefault(r["op"], {})[r["library"], r["form"]] = r
    some = found["flatten"]["pytree", "struct"]
    peers = any(library in PEERS for forms in found.values() for library, _ in forms)
    print(f"{model}: {some['nodes']} nodes, {some['leaves']} leaves. Nanoseconds per node or leaf.\n")
    print("| operation | per | pytree | target | allocations | by hand |"
          + (" fastest peer | which | ratio |" if peers else ""))
    print("|---|---|---:|---:|---:|---:|" + ("---:|---|---:|" if peers else ""))
    for op, unit, target, what in OPERATIONS:
        ours = found.get(op, {}).get(("pytree", "struct"))
        if ours is None:
            continue
        count = ours["leaves" if unit == "leaf" else "nodes"]
        beyond = ours["ns"]
        body = found.get(op + "_body", {}).get(("pytree", "struct"))
        if body is not None:
            beyond -= body["ns"]
        hand = found[op].get(("pytree", "by hand"))
        row = [what, unit, number(beyond / count), "" if target is None else f"{target}", str(ours["allocations"]),
               "" if hand is None else number(hand["ns"] / count)]
        if peers:
            others = [r for (library, _), r in found[op].items() if library in PEERS]
            best = min(others, key=lambda r: r["ns"], default=None)
            # The loop body counts on both sides of a ratio.
            row += ["", "", ""] if best is None else [number(best["ns"] / count), f"{best['library']}, {best['form']}",
                                                      f"{best['ns'] / ours['ns']:.0f}×"]
        print("| " + " | ".join(row) + " |")
    print()


def short_table(records, model):
    """The text for a README."""
    found = {}
    for r in records:
        if r.get("model") == model and "nodes" in r:
            found.setdefault(r["op"], {})[r["library"], r["form"]] = r
    some = found["flatten"]["pytree", "struct"]
    lines = [f"Nanoseconds per node or leaf for the parameters of ResNet-152 ({some['nodes']} nodes, {some['leaves']} leaves) "
             "on one CPU, all in one run of `bench/run`. **Bold**: slower than its target. More in "
             "[bench/RESULTS.md](bench/RESULTS.md).", "",
             "| operation | per | here | target | by hand in C | fastest of optree and JAX | ratio |",
             "|---|---|---:|---:|---:|---:|---:|"]
    for op, unit, target, what in OPERATIONS:
        forms = found.get(op, {})
        peers = [r for (library, _), r in forms.items() if library in PEERS]
        ours = forms.get(("pytree", "struct"))
        hand = forms.get(("pytree", "by hand"))
        if ours is None or (not peers and target is None):
            continue
        count = ours["leaves" if unit == "leaf" else "nodes"]
        body = found.get(op + "_body", {}).get(("pytree", "struct"))
        beyond = (ours["ns"] - (0 if body is None else body["ns"])) / count
        here = number(beyond) if target is None or beyond <= target else f"**{number(beyond)}**"
        row = [what, unit, here, "" if target is None else f"{target}", "" if hand is None else number(hand["ns"] / count)]
        best = min(peers, key=lambda r: r["ns"], default=None)
        # The loop body counts on both sides of a ratio.
        row += ["", ""] if best is None else [f"{number(best['ns'] / count)} ({best['library']})",
                                              f"{best['ns'] / ours['ns']:.0f}×"]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def put_into(name, text):
    begin, end = "<!-- bench:begin -->\n", "<!-- bench:end -->"
    with open(name, encoding="utf-8") as file:
        old = file.read()
    if begin not in old or end not in old:
        sys.exit(f"table.py: {name} has no lines {begin.strip()} and {end}")
    head, rest = old.split(begin, 1)
    with open(name, "w", encoding="utf-8") as file:
        file.write(head + begin + text + end + rest.split(end, 1)[1])


DICTS = [("flatten", "node"), ("structure", "node"), ("leaves", "leaf"), ("unflatten", "node"), ("def_equal", "node")]


def dicts_table(records, model):
    found = {(r["library"], r["form"], r["op"]): r for r in records if r.get("model") == model and "nodes" in r}
    print(f"{model} as nested dicts and lists. Known order: a dict that was rebuilt, parsed or grown. "
          "To be sorted: a literal.\n")
    print("| operation | per | known order | allocations | to be sorted | optree | JAX | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for op, unit in DICTS:
        known, literal = found.get(("pytree", "dict", op)), found.get(("pytree", "literal", op))
        peers = [found.get((library, "nested", op)) for library in ("optree", "jax")]
        count = known["leaves" if unit == "leaf" else "nodes"]
        cells = ["" if r is None else number(r["ns"] / count) for r in (literal, *peers)]
        best = min((r["ns"] for r in peers if r is not None), default=None)
        ratio = "" if best is None else f"{best / known['ns']:.1f}×"
        print(f"| {op} | {unit} | {number(known['ns'] / count)} | {known['allocations']} | {' | '.join(cells)} | {ratio} |")
    print()


def models_table(records, models):
    ops = ["flatten", "leaves", "unflatten_into", "def_equal", "map4", "paths", "def_text"]
    unit = {op: u for op, u, _, _ in OPERATIONS}
    found = {(r["model"], r["op"]): r for r in records if "nodes" in r and (r["library"], r["form"]) == ("pytree", "struct")}
    print("The same for each model, including the bodies of maps.\n")
    print("| model | nodes | leaves | " + " | ".join(f"{op} / {unit[op]}" for op in ops) + " |")
    print("|---|---:|---:|" + "---:|" * len(ops))
    for model in models:
        row = [found[model, op] for op in ops]
        cells = [number(r["ns"] / r["leaves" if unit[op] == "leaf" else "nodes"]) for op, r in zip(ops, row)]
        print(f"| {model} | {row[0]['nodes']} | {row[0]['leaves']} | " + " | ".join(cells) + " |")
    print()


def adamw_table(records):
    found = {(r["library"], r["form"], r["model"]): r for r in records if r.get("op") == "adamw"}
    print("AdamW over GPT-2 124M, nanoseconds per parameter, one CPU.\n")
    print("| tree | how | ns | ratio to flat arrays |\n|---|---|---:|---:|")
    for (library, form, model), r in found.items():
        flat = found.get(("pytree", "by hand", model))
        how = {"struct": "pytree_map over four trees", "states": "pytree_map over four states",
               "by hand": "the same loop over flat arrays"}.get(form, f"{library}, {form}")
        ratio = f"{r['ns'] / flat['ns']:.3f}" if flat is not None else ""
        print(f"| {model} | {how} | {r['ns'] / r['parameters']:.3f} | {ratio} |")
    print()


def compile_tables(records):
    print("Compile time of an included header, -O0.\n")
    print("| compiler | file includes | ms | beyond the line above |\n|---|---|---:|---:|")
    last = {}
    for r in records:
        if r.get("what") == "header":
            more = f"{r['ms'] - last[r['compiler']]:.1f}" if r["compiler"] in last else ""
            last[r["compiler"]] = r["ms"]
            print(f"| {r['compiler']} | {r['file']} | {r['ms']:.1f} | {more} |")
    print("\nCompile time of registered types. Each has ten fields: three STATIC ints, five float pointers with ARRAY, one "
          "double, one struct registered before. By hand: flatten and unflatten functions for the same structs.\n")
    print("| compiler | level | types | s | MB | ms per type | by hand, ms per type |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for r in records:
        if r.get("what") == "types":
            cells = [r["compiler"], r["level"], r["types"], f"{r['seconds']:.2f}", f"{r['mb']:.0f}",
                     f"{r['ms_each']:.2f}", f"{r['hand_ms_each']:.2f}"]
            print("| " + " | ".join(map(str, cells)) + " |")
    print()


def main():
    records = []
    into = sys.argv[2] if len(sys.argv) > 2 and sys.argv[1] == "--into" else None
    for name in sys.argv[1 if into is None else 3:]:
        with open(name, encoding="utf-8") as file:
            records += [json.loads(line) for line in file if line.strip()]
    records = lowest(records)
    models = []
    for r in records:
        if "nodes" in r and r["library"] == "pytree" and r["model"] not in models:
            models.append(r["model"])
    if into is not None:
        put_into(into, short_table(records, "ResNet152"))
        return
    if models:
        operations_table(records, "ResNet152" if "ResNet152" in models else models[0])
    if any(r.get("form") == "dict" for r in records):
        dicts_table(records, "ResNet152")
    if len(models) > 1:
        models_table(records, models)
    if any(r.get("op") == "adamw" for r in records):
        adamw_table(records)
    if any("what" in r for r in records):
        compile_tables(records)


if __name__ == "__main__":
    main()
