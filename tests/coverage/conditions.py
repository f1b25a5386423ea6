#!/usr/bin/env python3
"""The conditions of the headers' decisions that no test shows (MC/DC), as clang 19 counts them.

    tests/coverage/conditions.py               how many conditions each header has, and how many of them are open
    tests/coverage/conditions.py ROOM...       the open conditions of these headers (flatten.h, registry/emit.h, ...)

It reads what the programs of the configuration `conditions` left behind: after `tests/run conditions` those of all themes, after
`tests/run theme NAME... --config conditions` newer ones of these. What older programs counted stays, but for functions whose
decisions have changed since.

A condition is shown if some run with it and some run without it decide otherwise while nothing else matters. A function that is
compiled into several programs is counted once: its condition is shown if it is shown in one of them. What cannot be shown stands
in unreachable/, a file for each header, whose entries are

    FUNCTION; CONDITION; DECISION
        why it cannot be shown

as in build/conditions/open.txt, white space being one space; `; DECISION` only where several conditions of the function have the
same text and not all are open. An entry whose condition is shown, or does not exist, is an error.
"""
import collections
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import re
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness import BUILD, ROOT, run, words  # noqa: E402  (the path above leads to it)

CONFIG = "conditions"                       # in CONFIGS of suite.py
PROGRAMS = BUILD / "tests" / CONFIG
FOLDER = BUILD / "conditions"
SOURCE = FOLDER / "source"
LISTS = ROOT / "tests" / "coverage" / "unreachable"
HINT = re.compile(r"\bPYTREE__(UN)?LIKELY(?=\()")
copied = threading.Lock()


class Trouble(Exception):
    """What llvm's tools or this script could not do."""


# ---- The headers that are compiled -------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def make_source():
    """Copies the headers, without hints to the optimiser: clang takes all that is in one for one condition of the decision around
    it, and gives it the place of the macro. Lines and columns stay as they are; what did not change keeps its time."""
    for path in [ROOT / "pytree.h", ROOT / "pytree_registry.h", *(ROOT / "pytree").rglob("*.h*")]:
        text = path.read_text(encoding="utf-8")
        if path.parent.name in ("impl", "registry"):
            text = HINT.sub(lambda found: " " * len(found.group()), text)
        copy = SOURCE / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def source():
    """Flags for the compiler that lead to the copies."""
    with copied:
        make_source()
    return ["-I", SOURCE]


def profile_of(program):
    """Where a program writes what it counted; each process of it a file of its own. What it counted before is forgotten."""
    for stale in PROGRAMS.glob(f"{program.name}-*.profraw"):
        if stale.name.removeprefix(f"{program.name}-").removesuffix(".profraw").isdigit():
            stale.unlink()
    return {"LLVM_PROFILE_FILE": f"{PROGRAMS}/{program.name}-%p.profraw"}


# ---- The text of a decision ---------------------------------------------------------------------------------------------

# Literals and comments count as one character each, so that && in one of them separates nothing.
TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|/\*.*?\*/|&&|\|\||\s+|.", re.S)


def parenthesis(tokens, at):
    """Where the parenthesis closes that opens at a token."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i][1] in "([{") - (tokens[i][1] in ")]}")
        if depth == 0:
            return i
    return len(tokens)


def blank(token):
    """White space or a comment?"""
    return token[1].isspace() or token[1].startswith("/*")


def leaves(tokens):
    """The conditions of an expression in the order of the text, as lists of tokens; a token is (offset, text)."""
    found = []
    todo = [tokens]
    while todo:
        part = todo.pop()
        while part and blank(part[0]):
            part = part[1:]
        while part and blank(part[-1]):
            part = part[:-1]
        cuts, i = [], 0
        while i < len(part):
            if part[i][1] in ("&&", "||"):
                cuts.append(i)
            i = parenthesis(part, i) + 1 if part[i][1] in ("(", "[", "{") else i + 1
        if cuts:
            edges = zip([-1, *cuts], [*cuts, len(part)])
            todo += reversed([part[begin + 1:end] for begin, end in edges])
        elif part and part[0][1] == "!":
            inner = part[1:]
            while inner and blank(inner[0]):
                inner = inner[1:]
            closed = inner and inner[0][1] == "(" and parenthesis(inner, 0) == len(inner) - 1
            if closed or (inner and inner[0][1] == "!"):
                todo.append(inner)
            else:
                found.append(part)
        elif part and part[0][1] == "(" and parenthesis(part, 0) == len(part) - 1:
            todo.append(part[1:-1])
        elif part:
            found.append(part)
    return found


@functools.lru_cache(maxsize=None)
def lines_of(name):
    """A copied header's lines."""
    return (SOURCE / name).read_text(encoding="utf-8").split("\n")


def text_of(name, begin, end):
    """What stands between two places (line, column) of a header."""
    lines = lines_of(name)[begin[0] - 1:end[0]]
    lines[-1] = lines[-1][:end[1] - 1]
    lines[0] = lines[0][begin[1] - 1:]
    return "\n".join(lines)


@dataclasses.dataclass(eq=False)
class Condition:
    """One of the conditions of a decision: where it stands, and in how many programs it is constant, counted, shown."""
    name: str                       # of the header
    function: str
    line: int
    text: str
    decision: str
    counted: bool = False
    shown: bool = False
    reason: str = ""                # why it cannot be shown

    def row(self):
        """As in open.txt."""
        return f"{self.name}:{self.line}: {self.function}; {self.text}; {self.decision}"


@functools.lru_cache(maxsize=None)
def conditions_at(name, begin, end, function):
    """The conditions of the decision that stands there, with their places, the same objects at each call."""
    text = text_of(name, begin, end)
    tokens = [(found.start(), found.group()) for found in TOKEN.finditer(text.replace("\\\n", " \n"))]
    whole = words(text.replace("\\\n", " \n"))
    found = []
    for leaf in leaves(tokens):
        span = place_in(text, begin, leaf[0][0]), place_in(text, begin, leaf[-1][0] + len(leaf[-1][1]))
        found.append((span, Condition(name, function, span[0][0], words("".join(token for _, token in leaf)), whole)))
    return found


def place_in(text, begin, offset):
    """Line and column of an offset in a text that begins there."""
    before = text[:offset]
    line = begin[0] + before.count("\n")
    return line, offset + begin[1] if line == begin[0] else offset - before.rfind("\n")


# ---- What llvm counted ------------------------------------------------------------------------------------------------------


def age(path):
    """For sorting: what was written last comes first."""
    return -path.stat().st_mtime


def counted(programs):
    """What llvm-cov counted in the functions of these programs that have decisions."""
    objects = [programs[0], *(word for path in programs[1:] for word in ("-object", path))]
    result = run(["llvm-cov-19", "export", "-skip-expansions", "-instr-profile", FOLDER / "merged.profdata", *objects],
                 timeout=600, separate=True)
    if result.status != 0:
        raise Trouble(result.errors)
    return [function for function in json.loads(result.output)["data"][0]["functions"] if function["mcdc_records"]]


def unchanged(function, since):
    """Are all headers of a function older than that?"""
    return all(os.path.getmtime(name) <= since for name in set(function["filenames"]))


def exported():
    """What was counted in each function, as it is in the newest program that has it. A function of a program's own counts if its
    headers have not changed since that was built; of the bodies that programs share, the newest program's count."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    profiles = sorted(PROGRAMS.glob("*.profraw"))
    programs = sorted((path for path in PROGRAMS.glob("test_*") if path.suffix == "" and os.access(path, os.X_OK)), key=age)
    if not profiles or not programs:
        raise Trouble("no program of the tests left a profile: run `tests/run conditions` first\n")
    (FOLDER / "profiles").write_text("".join(f"{path}\n" for path in profiles), encoding="utf-8")
    merged = run(["llvm-profdata-19", "merge", "-sparse", "-f", FOLDER / "profiles", "-o", FOLDER / "merged.profdata"])
    if merged.status != 0:
        raise Trouble(merged.log())
    built = collections.defaultdict(list)
    for path in programs:
        built[path.name.partition("-")[0]].append(path.stat().st_mtime)
    functions = counted(programs)
    oldest = min(itertools.chain.from_iterable(built.values()))
    stale = [function for function in functions if not unchanged(function, oldest)]
    newest = {function["name"]: function for function in counted(programs[:1])} if stale else {}
    left = [function for function in functions if unchanged(function, oldest)]
    for function in stale:
        owner = function["name"].rpartition(":")[0].removesuffix(".c")
        if unchanged(function, min(built[owner])) if owner in built else newest.pop(function["name"], None) is not None:
            left.append(function)
    return left


def places(function):
    """The decisions that llvm counted in a function: (header or None, function, begin, end, what is shown, the macros that stand
    in it and their numbers, where the conditions are that the compiler does not know). A decision in a macro belongs to all
    functions that the macro makes, together."""
    names = [os.path.relpath(name, SOURCE) for name in function["filenames"]]
    branches = [branch for branch in function["branches"] if branch[8] == 6]
    for line, column, last, end, _, _, flags in function["mcdc_records"]:
        inside = [branch for branch in branches if (line, column) <= (branch[0], branch[1]) and (branch[2], branch[3]) <= (last, end)]
        file = min((branch[6] for branch in inside), default=0)
        macros = {((region[0], region[1]), (region[2], region[3])): region[6] for region in function["regions"]
                  if region[7] == 1 and region[5] == file}
        counted = {(branch[0], branch[1]) for branch in inside if branch[6] == file}
        own = file == 0 and names[0] != "pytree_registry.h"     # which is read anew for each struct
        yield (None if names[file].startswith("..") else names[file], function["name"].rpartition(":")[2] if own else "macro",
               (line, column), (last, end), flags, macros, counted | {branch[6] for branch in branches})


def measured(functions):
    """All conditions by header, and the decisions whose conditions could not be told apart."""
    found, unclear = {}, set()
    for name, function, begin, end, flags, macros, counted in itertools.chain.from_iterable(map(places, functions)):
        if name is None:
            continue
        parts = conditions_at(name, begin, end, function)
        if len(parts) == 1 and function == "macro":             # what the macro was given: its user's decision
            continue
        if len(parts) != len(flags):
            unclear.add(f"{name}:{begin[0]}: {words(text_of(name, begin, end))}")
            continue
        # llvm has those that are a macro behind the others, but for the first one
        parts = [parts[0], *sorted(parts[1:], key=lambda part: macros.get(part[0], 0))]
        for (span, condition), shown in zip(parts, flags):
            found[name, condition.line, span, function] = condition
            condition.counted |= macros.get(span, span[0]) in counted      # it is not, where the compiler knows its value
            condition.shown |= shown
    rooms = collections.defaultdict(list)
    for key in sorted(found):
        if found[key].counted:
            rooms[key[0]].append(found[key])
    return rooms, sorted(unclear)


# ---- What cannot be shown -----------------------------------------------------------------------------------------------------


def list_of(name):
    """The list of a header: pytree/impl/flatten.h has flatten.txt, pytree/registry/emit.h has pytree-registry-emit.txt."""
    return LISTS / (name.removeprefix("pytree/impl/").removesuffix(".h").replace("/", "-") + ".txt")


def entries(path):
    """A list's entries: (line, what stands between the semicolons, reason)."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith((" ", "\t")) and found:
            found[-1][2] = words(f"{found[-1][2]} {line}")
        elif line and not line.startswith("#"):
            found.append([number, [words(part) for part in line.split("; ")], ""])
    return found


def subtract(rooms):
    """Gives the listed conditions their reasons; returns what is wrong with the lists."""
    wrong = []
    files = {list_of(name): name for name in rooms}
    for path in sorted(LISTS.glob("*.txt")):
        for number, parts, reason in entries(path):
            same = [each for each in rooms.get(files.get(path), []) if [each.function, each.text, each.decision][:len(parts)] == parts]
            fault = "expected FUNCTION; CONDITION or FUNCTION; CONDITION; DECISION" if not 2 <= len(parts) <= 3 \
                else "expected a reason in the next line" if reason == "" else "there is no such condition" if not same \
                else "a test shows this condition: take it off the list" if all(each.shown for each in same) \
                else "tests show one of several such conditions: add the decision" if any(each.shown for each in same) else ""
            if fault:
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {fault}: {'; '.join(parts)}")
            for each in same:
                each.reason = reason
    return wrong


def report():
    """(rooms, percent of the reachable conditions that are shown, what is wrong); writes open.txt."""
    rooms, unclear = measured(exported())
    wrong = subtract(rooms)
    wrong += [f"{row}\n    cannot be counted: no macro with a decision in it may be part of a decision" for row in unclear]
    still = {name: [each for each in of if not each.shown and not each.reason] for name, of in rooms.items()}
    lines = [f"{name:<40} {len(still[name]):4} open of {len(rooms[name])}\n" for name in sorted(rooms)]
    lines.append(f"{'all':<40} {sum(map(len, still.values())):4} open of {sum(map(len, rooms.values()))}\n\n")
    lines += [f"{each.row()}\n" for name in sorted(rooms) for each in still[name]]
    (FOLDER / "open.txt").write_text("".join(lines), encoding="utf-8")
    return rooms, still, wrong


def main():
    """The report, of all headers or of those on the command line."""
    try:
        rooms, still, wrong = report()
    except Trouble as trouble:
        sys.exit(str(trouble))
    asked = [name for name in rooms if any(name == word or name.endswith(f"/{word}") for word in sys.argv[1:])]
    for name in asked:
        print(f"{name}: {len(still[name])} open of {len(rooms[name])}", *(each.row() for each in still[name]), sep="\n")
    if not sys.argv[1:]:
        print((FOLDER / "open.txt").read_text(encoding="utf-8").partition("\n\n")[0])
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong or len(asked) < len(sys.argv[1:]) else 0)


if __name__ == "__main__":
    main()
