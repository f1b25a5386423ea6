"""What llvm counted in the headers, over all programs of a function together."""
import collections
import dataclasses
import functools
import itertools
import json
import os
import re

from coverage import decisions
from coverage.headers import FOLDER, PROGRAMS, SOURCE, code_of, lines_of, text_of
from harness import run, words

CODE, EXPANSION, SKIPPED, GAP = 0, 1, 2, 3              # kinds of regions, as llvm-cov numbers them
OPERAND = 6                                             # the kind of a branch that is one of several conditions of a decision


class Trouble(Exception):
    """What llvm's tools or this script could not do."""


@dataclasses.dataclass(eq=False)
class Item:
    """Something that a test should show, in a function of a header: where it stands, and whether it is shown."""
    name: str                       # of the header
    function: str
    line: int
    label: str                      # names it in a list, if nothing else in the function has that label; ...
    more: str                       # ... this, behind it, if something has
    counted: bool = False           # not constant in all programs
    shown: bool = False
    reason: str = ""                # why it cannot be shown

    def entry(self):
        """As it stands in a list."""
        return "; ".join(part for part in (self.function, self.label, self.more) if part)

    def row(self):
        """As in open.txt."""
        return f"{self.name}:{self.line}: {self.entry()}"


# ---- What the programs left behind ----------------------------------------------------------------------------------------


def age(path):
    """For sorting: what was written last comes first."""
    return -path.stat().st_mtime


def counted(programs):
    """What llvm-cov counted in the functions of the headers that these programs have."""
    objects = [programs[0], *(word for path in programs[1:] for word in ("-object", path))]
    result = run(["llvm-cov-19", "export", "-skip-expansions", "-instr-profile", FOLDER / "merged.profdata", *objects],
                 timeout=600, separate=True)
    if result.status != 0:
        raise Trouble(result.errors)
    return [function for function in json.loads(result.output)["data"][0]["functions"]
            if any(name.startswith(f"{SOURCE}/") for name in function["filenames"])]


def unchanged(function, since):
    """Are all headers of a function older than that?"""
    return all(os.path.getmtime(name) <= since for name in set(function["filenames"]))


def exported():
    """What was counted in each function. Where its headers have changed since the oldest program was built, only programs that are
    newer than those count: the newest one that has the function."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    profiles = sorted(PROGRAMS.glob("*.profraw"))
    programs = sorted((path for path in PROGRAMS.glob("test_*") if path.suffix == "" and os.access(path, os.X_OK)), key=age)
    if not profiles or not programs:
        raise Trouble("no program of the tests left a profile: run `tests/run coverage` first\n")
    (FOLDER / "profiles").write_text("".join(f"{path}\n" for path in profiles), encoding="utf-8")
    merged = run(["llvm-profdata-19", "merge", "-sparse", "-f", FOLDER / "profiles", "-o", FOLDER / "merged.profdata"])
    if merged.status != 0:
        raise Trouble(merged.log())
    oldest = os.path.getmtime(programs[-1])
    left = [function for function in counted(programs) if unchanged(function, oldest)]
    changes = [time for time in map(os.path.getmtime, SOURCE.rglob("*.h*")) if time > oldest]
    newest = {}
    for path in programs:
        built = os.path.getmtime(path)
        for function in counted([path]) if changes and built > min(changes) else []:
            if unchanged(function, built) and not unchanged(function, oldest):
                newest.setdefault(function["name"], function)
    return left + list(newest.values())


@functools.lru_cache(maxsize=None)
def relative(path):
    """A header's name, of files that are none an empty one."""
    name = os.path.relpath(path, SOURCE)
    return "" if name.startswith("..") else name


@functools.lru_cache(maxsize=None)
def is_named(name, function):
    """Does a function have its name from the header? Those that a struct's registration makes have not; pytree_registry.h is read
    anew for each struct."""
    return name != "pytree_registry.h" and (not name.startswith("pytree/registry/")
                                            or any(f"{function}(" in line for line in lines_of(name)))


class Function:
    """One function of a program, as llvm-cov describes it."""

    def __init__(self, described):
        self.described = described
        self.headers = [relative(path) for path in described["filenames"]]       # one for each file and each macro that stands in it
        self.name = described["name"].rpartition(":")[2]

    def named(self, file):
        """Who has the code of this file: the function, or, of a macro's, all functions that have it, together."""
        return self.name if file == 0 and self.headers[0] and is_named(self.headers[0], self.name) else "macro"

    def counts_at(self, file, places):
        """How often what stands at each of the places (in order) was executed; None where nothing is counted."""
        regions = sorted((region for region in self.described["regions"] if region[5] == file and region[7] in (CODE, EXPANSION, SKIPPED, GAP)),
                         key=lambda region: (region[0], region[1], -region[2], -region[3]))
        inside, at, found = [], 0, []
        for place in places:
            while at < len(regions) and (regions[at][0], regions[at][1]) <= place:
                inside.append(regions[at])
                at += 1
            inside = [region for region in inside if place < (region[2], region[3])]
            found.append(inside[-1][4] if inside and inside[-1][7] != SKIPPED else None)
        return found


# ---- Conditions (MC/DC) -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def conditions_at(name, begin, end, function):
    """The conditions of the decision that stands there, with their places, the same objects at each call."""
    text = text_of(name, begin, end)
    whole = words(text.replace("\\\n", " \n"))
    found = []
    for first, last, leaf in decisions.conditions(text):
        span = place_in(text, begin, first), place_in(text, begin, last)
        found.append((span, Item(name, function, span[0][0], words(leaf), whole)))
    return found


def place_in(text, begin, offset):
    """Line and column of an offset in a text that begins there."""
    before = text[:offset]
    line = begin[0] + before.count("\n")
    return line, offset + begin[1] if line == begin[0] else offset - before.rfind("\n")


def places(function):
    """The decisions that llvm counted in a function: (header, who has it, begin, end, what is shown, the macros that stand in it
    and their numbers, where the conditions are that the compiler does not know)."""
    branches = [branch for branch in function.described["branches"] if branch[8] == OPERAND]
    for line, column, last, end, _, _, flags in function.described["mcdc_records"]:
        inside = [branch for branch in branches if (line, column) <= (branch[0], branch[1]) and (branch[2], branch[3]) <= (last, end)]
        file = min((branch[6] for branch in inside), default=0)
        macros = {((region[0], region[1]), (region[2], region[3])): region[6] for region in function.described["regions"]
                  if region[7] == EXPANSION and region[5] == file}
        known = {(branch[0], branch[1]) for branch in inside if branch[6] == file}
        yield (function.headers[file], function.named(file), (line, column), (last, end), flags, macros,
               known | {branch[6] for branch in branches})


def conditions(functions):
    """All conditions by (header, line, place, function), and the decisions whose conditions could not be told apart."""
    found, unclear = {}, set()
    for name, function, begin, end, flags, macros, known in itertools.chain.from_iterable(map(places, functions)):
        if not name:
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
            condition.counted |= macros.get(span, span[0]) in known      # it is not, where the compiler knows its value
            condition.shown |= shown
    return {key: found[key] for key in sorted(found) if found[key].counted}, sorted(unclear)


# ---- Outcomes of branches ---------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def parameters_at(name, line):
    """The parameters of the macro whose definition a line of a header belongs to; of others, none."""
    of = lines_of(name)
    while line > 1 and of[line - 2].endswith("\\"):
        line -= 1
    found = re.match(r"# *define \w+\(([^)]*)\)", of[line - 1])
    return set(re.findall(r"\w+", found[1].replace("...", "__VA_ARGS__"))) if found else set()


@dataclasses.dataclass
class Branch:
    """How often a condition was true and false, and how often it was reached."""
    true: int = 0
    false: int = 0
    reached: int = 0


def branches(functions):
    """All branches by (header, function, begin, end)."""
    found = collections.defaultdict(Branch)
    for function in functions:
        for file, name in enumerate(function.headers):
            here = sorted(branch for branch in function.described["branches"] if branch[6] == file) if name else []
            reached = function.counts_at(file, [(branch[0], branch[1]) for branch in here])
            for branch, count in zip(here, reached):
                one = found[name, function.named(file), (branch[0], branch[1]), (branch[2], branch[3])]
                one.true, one.false, one.reached = one.true + branch[4], one.false + branch[5], one.reached + (count or 0)
    return found


def outcomes(functions):
    """(outcome, place) of each branch, for both answers; those that the compiler knows are none. What is never reached is not
    shown, either, and `missed` has those that are to blame for it: taken one way, never the other."""
    found, missed = [], []
    for (name, function, begin, end), branch in sorted(branches(functions).items()):
        if branch.true == branch.false == 0 and branch.reached != 0:
            continue
        text = words(text_of(name, begin, end).replace("\\\n", " \n"))
        if function == "macro" and text in parameters_at(name, begin[0]):      # what the macro was given: its user's branch
            continue
        for answer, taken in (("true", branch.true), ("false", branch.false)):
            one = Item(name, function, begin[0], f"{text}; never {answer}", words(lines_of(name)[begin[0] - 1]), True, taken != 0)
            found.append((one, (begin, end)))
            if taken == 0 and branch.true + branch.false != 0:
                missed.append(one)
    return found, missed


# ---- Lines ------------------------------------------------------------------------------------------------------------------


def lines(functions):
    """Each line of code of the functions that are called, and an item for each function that never is. A line is shown if what it
    begins with is executed; the heads of functions and macros do not count."""
    shown, called, begins = collections.defaultdict(bool), collections.defaultdict(bool), {}
    for function in functions:
        for file, name in enumerate(function.headers):
            own = [region for region in function.described["regions"] if region[5] == file and region[7] == CODE] if name else []
            if not own:
                continue
            who = function.named(file)
            code = code_of(name)
            at = [(line, code[line]) for line in range(min(region[0] for region in own), max(region[2] for region in own) + 1)
                  if line in code]
            for (line, _), count in zip(at, function.counts_at(file, at)):
                if count is not None:
                    shown[name, who, line] |= count != 0
            if who != "macro":
                called[name, who] |= function.described["count"] != 0
                begins[name, who] = own[0][0]
    found = []
    for (name, who, line), executed in sorted(shown.items()):
        if called.get((name, who), True):
            found.append(Item(name, who, line, "never executed", words(lines_of(name)[line - 1]), True, executed))
    found += [Item(name, who, begins[name, who], "never called", "", True) for (name, who), executed in called.items() if not executed]
    return found
