"""Instructions that an operation of bench.c executes, counted by callgrind: the same figure on every run and every machine load.

    python3 instructions.py [--models ResNet152,TinyMLP] [--ops flatten,map4,hand_leaves] [--against DIR] [--functions]

Prints a Markdown table with instructions per call and per node or leaf, the mean of ten calls after one that is not counted.
Models and operations are those of bench.c; "hand_" in front of an operation is its version written by hand (floors.h).

    --against DIR   another checkout of the library: its counts beside these, with this folder's bench.c
    --functions     below each operation its functions, with their own instructions per node or leaf
    --cc, --flags   the compiler and its flags (gcc, -O2)

Needs valgrind. Counts are no times: branches that are mispredicted and loads that miss a cache cost more than one instruction.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CALLS = 10
OPS = ("flatten,structure,leaves,num_leaves,def_equal,unflatten,unflatten_into,map1,map1_body,map4,map4_body,iterate1,"
       "iterate4,reduce,walk,paths,def_text,allocate,clone,zeros_like,copy_into,equal,sum,check,find_duplicates")


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"instructions.py: failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(root, program, cc, flags):
    run(cc, "-std=c11", "-g", *flags.split(), f"-I{root}", "-o", program, HERE / "bench.c", HERE / "library.c")


def count(program, model, op, folder):
    """Returns instructions per call, "node" or "leaf", how many of those there are, and {function: its own instructions}."""
    profile = folder / "callgrind.out"
    printed = run("valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=counted_calls*",
                  f"--callgrind-out-file={profile}", program, "--calls", CALLS, model, op)
    unit, units = printed.split()
    total = int(re.search(r"^(?:totals|summary): (\d+)", profile.read_text(), re.M)[1])
    functions = {}
    for line in run("callgrind_annotate", "--threshold=100", "--show-percs=no", profile).splitlines():
        found = re.match(r"\s*([\d,]+)\s+\S*?:(\S+)", line)
        if found:
            name = found[2].split("'")[0]
            functions[name] = functions.get(name, 0) + int(found[1].replace(",", "")) / CALLS
    return total / CALLS, unit, int(units), functions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="ResNet152")
    parser.add_argument("--ops", default=OPS)
    parser.add_argument("--against", metavar="DIR")
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--flags", default="-O2")
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("instructions.py: needs valgrind")
    roots = [HERE.parent] + ([pathlib.Path(args.against).resolve()] if args.against else [])
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        programs = [folder / f"bench{k}" for k in range(len(roots))]
        for root, program in zip(roots, programs):
            build(root, program, args.cc, args.flags)
        other = " there | ratio |" if args.against else ""
        print(f"| model | operation | per call | per | here |{other}\n|---|---|---:|---|---:|" + "---:|" * (2 * bool(other)))
        for model in args.models.split(","):
            for op in args.ops.split(","):
                calls, unit, units, functions = count(programs[0], model, op, folder)
                line = f"| {model} | {op} | {calls:.0f} | {unit} | {calls / units:.2f} |"
                if args.against:
                    there = count(programs[1], model, op, folder)[0]
                    line += f" {there / units:.2f} | {calls / there:.3f} |"
                print(line, flush=True)
                if args.functions:
                    for name, own in sorted(functions.items(), key=lambda item: -item[1]):
                        if own / calls >= 0.005:
                            print(f"|  | {name} | {own:.0f} |  | {own / units:.2f} |")


if __name__ == "__main__":
    main()
