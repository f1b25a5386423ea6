"""The compile time of registered types, and of flatten and unflatten functions written by hand.

    python3 compile_time.py [--json] [--types 1,50,200,500] [--runs N] [--compilers gcc,clang]

Each type has ten fields: three STATIC ints, five float pointers with ARRAY, one double, and one struct registered before. Types
form groups of ten, each containing the previous one; a table names the last of each group, so that no type is removed as
unused. Times are user and system time of the compiler and its subprocesses, the median of the runs; the cost of a type is the
difference from the same file without types. Memory is that of the largest process.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOATS = 5
GROUP = 10


# ---- Sources ---------------------------------------------------------------------------------------------------------

def inner(i):
    return f"Type{i - 1}" if i % GROUP else "Base"


def struct(i):
    return (f"typedef struct Type{i} {{\n    int a, b, c;\n    float *w0, *w1, *w2, *w3, *w4;\n    double scale;\n"
            f"    {inner(i)} inner;\n}} Type{i};\n")


def roots(n):
    return [i for i in range(n) if i % GROUP == GROUP - 1 or i == n - 1]


BASE = "typedef struct Base { float *w; } Base;\n"
LEAF = "#include <stddef.h>\ntypedef struct Leaf { void *data; int type, ndim; size_t shape[8]; } Leaf;\n"


def registered(n):
    text = ['#include "pytree.h"\n', BASE,
            "#define PYTREE_STRUCT Base\n#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(3))\n",
            '#include "pytree_registry.h"\n']
    for i in range(n):
        rows = [f"PYTREE_FIELD(STATIC, {f})" for f in "abc"]
        rows += [f"PYTREE_FIELD(DATA, w{k}, ARRAY(self->a, self->b))" for k in range(FLOATS)]
        rows += ["PYTREE_FIELD(DATA, scale)", "PYTREE_FIELD(DATA, inner)"]
        text += [struct(i), f"#define PYTREE_STRUCT Type{i}\n#define PYTREE_FIELDS {' '.join(rows)}\n",
                 '#include "pytree_registry.h"\n']
    names = ", ".join(f"PYTREE_TYPE(Type{i})" for i in roots(n)) or "PYTREE_TYPE(Base)"
    text += [f"const pytree_type *const table[] = {{ {names} }};\n"]
    return "".join(text)


def by_hand(n):
    text = [LEAF, BASE,
            "size_t flatten_Base(Base *s, Leaf *out)\n{\n    out[0].data = s->w;\n    out[0].type = 1;\n"
            "    out[0].ndim = 1;\n    out[0].shape[0] = 3;\n    return 1;\n}\n"
            "size_t unflatten_Base(Base *s, const Leaf *in)\n{\n    s->w = in[0].data;\n    return 1;\n}\n"]
    for i in range(n):
        text += [struct(i), f"size_t flatten_Type{i}(Type{i} *s, Leaf *out)\n{{\n"]
        for k in range(FLOATS):
            text += [f"    out[{k}].data = s->w{k};\n    out[{k}].type = 1;\n    out[{k}].ndim = 2;\n"
                     f"    out[{k}].shape[0] = (size_t)s->a;\n    out[{k}].shape[1] = (size_t)s->b;\n"]
        text += ["    out[5].data = &s->scale;\n    out[5].type = 2;\n    out[5].ndim = 0;\n"
                 f"    return 6 + flatten_{inner(i)}(&s->inner, out + 6);\n}}\n",
                 f"size_t unflatten_Type{i}(Type{i} *s, const Leaf *in)\n{{\n"]
        text += [f"    s->w{k} = in[{k}].data;\n" for k in range(FLOATS)]
        text += ["    s->scale = *(const double *)in[5].data;\n"
                 f"    return 6 + unflatten_{inner(i)}(&s->inner, in + 6);\n}}\n"]
    for kind, leaf in (("flatten", "Leaf *"), ("unflatten", "const Leaf *")):
        names = [f"Type{i}" for i in roots(n)] or ["Base"]
        text += [f"size_t all_{kind}(void **s, {leaf}leaves)\n{{\n    size_t n = 0;\n"]
        text += [f"    n += {kind}_{name}(s[{k}], leaves + n);\n" for k, name in enumerate(names)]
        text += ["    return n;\n}\n"]
    return "".join(text)


def headers():
    """Files that include nothing, the standard headers that pytree.h includes, those and stb_ds.h, and pytree.h."""
    text = re.split(r"^#if.*PYTREE_IMPLEMENTATION", (ROOT / "pytree.h").read_text(), maxsplit=1, flags=re.M)[0]
    standard = sorted({h for h in re.findall(r"^#include <(\w+\.h)>", text, re.M)
                       if "stb" not in h})
    lines = "".join(f"#include <{h}>\n" for h in standard)
    stb = ('#if __has_include("stb_ds.h")\n#include "stb_ds.h"\n#else\n#include <stb/stb_ds.h>\n#endif\n')
    end = "int unused;\n"
    return {"nothing": end, "standard headers": lines + end, "standard headers, stb_ds.h": lines + stb + end,
            "pytree.h": '#include "pytree.h"\n' + end,
            "pytree.h, PYTREE_IMPLEMENTATION": '#define PYTREE_IMPLEMENTATION\n#include "pytree.h"\n' + end}


# ---- Time ------------------------------------------------------------------------------------------------------------

def compile_once(compiler, level, source):
    """Seconds of user and system time, and the largest process in megabytes."""
    command = [compiler, "-std=c11", level, f"-I{ROOT}", "-c", source, "-o", os.devnull]
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("compile_time.py: failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(jobs, runs, folder):
    """jobs: {key: (compiler, level, text)}. Every job once per round, so that a slow moment does not hit one of them alone."""
    results = {key: [] for key in jobs}
    paths = {}
    for k, (key, (_, _, text)) in enumerate(jobs.items()):
        paths[key] = pathlib.Path(folder) / f"source{k}.c"
        paths[key].write_text(text)
    for _ in range(runs):
        for key, (compiler, level, _) in jobs.items():
            results[key].append(compile_once(compiler, level, str(paths[key])))
    return {key: (statistics.median(t for t, _ in r), max(m for _, m in r)) for key, r in results.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--types", default="1,50,200,500")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--compilers", default=",".join(c for c in ("gcc", "clang") if shutil.which(c)))
    args = parser.parse_args()
    counts = [int(n) for n in args.types.split(",")]
    compilers = args.compilers.split(",")

    def put(record, line):
        print(json.dumps(record) if args.json else line, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        sources = headers()
        if not args.json:
            print("| compiler | file includes | ms | beyond the line above, ms |\n|---|---|---:|---:|")
        for compiler in compilers:
            found = measure({name: (compiler, "-O0", text) for name, text in sources.items()}, 4 * args.runs + 1, folder)
            last = None
            for name, (seconds, memory) in found.items():
                ms = seconds * 1e3
                put({"what": "header", "compiler": compiler, "file": name, "ms": round(ms, 2), "mb": round(memory, 1)},
                    f"| {compiler} | {name} | {ms:.1f} | {'' if last is None else f'{ms - last:.1f}'} |")
                last = ms
        if not args.json:
            print("\n| compiler | level | types | s | MB | ms per type | by hand, s | by hand, ms per type |\n"
                  "|---|---|---:|---:|---:|---:|---:|---:|")
        for compiler in compilers:
            for level in ("-O0", "-O2"):
                jobs = {}
                for n in [0] + counts:
                    jobs["registered", n] = compiler, level, registered(n)
                    jobs["by hand", n] = compiler, level, by_hand(n)
                found = measure(jobs, args.runs, folder)
                for n in counts:
                    (s, mb), (hand, hand_mb) = found["registered", n], found["by hand", n]
                    each = (s - found["registered", 0][0]) / n * 1e3
                    hand_each = (hand - found["by hand", 0][0]) / n * 1e3
                    put({"what": "types", "compiler": compiler, "level": level, "types": n, "seconds": round(s, 4),
                         "mb": round(mb, 1), "ms_each": round(each, 3), "hand_seconds": round(hand, 4),
                         "hand_mb": round(hand_mb, 1), "hand_ms_each": round(hand_each, 3)},
                        f"| {compiler} | {level} | {n} | {s:.2f} | {mb:.0f} | {each:.2f} | {hand:.2f} | {hand_each:.2f} |")


if __name__ == "__main__":
    main()
