#!/usr/bin/env python3
"""The lines, branches and conditions of the headers that no test shows, as clang 19 counts them.

    tests/coverage/report.py               how many each header has, and how many of them are open
    tests/coverage/report.py ROOM...       what is open in these headers (flatten.h, registry/emit.h, ...)

It reads what the programs of the configuration `coverage` left behind: after `tests/run coverage` those of all themes, after
`tests/run theme NAME... --config coverage` newer ones of these. What older programs counted stays, but for functions whose headers
have changed since.

A line is shown if it is executed. A branch (`if`, loop, `?:`, `case`, operand of && and ||) has two outcomes, each of which is shown
if it is taken. A condition of a decision that has several is shown if some run with it and some run without it decide otherwise
while nothing else matters (MC/DC). A function that is compiled into several programs is counted once: it is enough that one of them
shows the thing. What cannot be shown stands in unreachable/, a file for each header, whose entries are

    FUNCTION; CONDITION; never true            or `never false`: this outcome
    FUNCTION; CONDITION                        a condition of a decision that has several, and its outcomes
    FUNCTION; never called                     all of the function
    FUNCTION; never executed; LINE             this line and those after it
        why it cannot be shown

as in build/coverage/open.txt, white space being one space; what that has behind an entry is added only where several things in the
function have the same text and not all are open. Only a cause is listed, and open.txt has no others: lines that are not executed,
and branches that are not reached, because of outcomes that are never taken, count as these do. An entry that a test shows, or that
does not exist, is an error.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from coverage import counts, lists  # noqa: E402  (the path above leads to them)
from coverage.headers import FOLDER  # noqa: E402
from harness import ROOT, failed, passed  # noqa: E402

# How many open items a check that fails shows; open.txt has them all.
SHOWN = 40
# Percent of what is not listed.
FLOORS = {"lines": 100.0, "branches": 100.0, "conditions": 100.0}


def gather(functions):
    """Items of each kind by header; the causes, which need a test or an entry, by function; what could not be counted; what is
    wrong with the lists."""
    conditions, unclear = counts.conditions(functions)
    outcomes, missed = counts.outcomes(functions)
    rooms = collections.defaultdict(lambda: {what: [] for what in FLOORS})
    causes = collections.defaultdict(list)
    for item in conditions.values():
        rooms[item.name]["conditions"].append(item)
    for item, _ in outcomes:
        rooms[item.name]["branches"].append(item)
    for item in missed:
        causes[item.name, item.function].append(item)
    blamed, before = set(causes), None
    for item in counts.lines(functions):
        rooms[item.name]["lines"].append(item)
        place = item.name, item.function
        if not item.shown and place not in blamed:              # the first of those that follow each other stands for them
            if before is None or before.shown or (before.name, before.function) != place:
                causes[place].append(item)
        before = item
    wrong = lists.subtract({name: [*room["conditions"], *room["branches"], *room["lines"]] for name, room in rooms.items()})
    excuse_operands(outcomes, conditions)
    for room in rooms.values():
        for item in (*room["branches"], *room["lines"]):
            blame = causes[item.name, item.function]
            if not item.shown and not item.reason and blame and all(cause.reason for cause in blame):
                item.reason = blame[0].reason
    return rooms, causes, unclear, wrong


def excuse_operands(outcomes, conditions):
    """Where a condition is listed, so are its outcomes."""
    listed = collections.defaultdict(list)
    for (name, _, span, function), item in conditions.items():
        if item.reason and not item.shown:
            listed[name, function].append((span, item.reason))
    for item, (begin, end) in outcomes:
        for span, reason in listed[item.name, item.function]:
            if not item.shown and begin <= span[0] and span[1] <= end:
                item.reason = item.reason or reason


def open_items(items):
    """Those that are neither shown nor listed."""
    return [item for item in items if not item.shown and not item.reason]


def report():
    """(a row for each header and one for all, each with three numbers for each kind; what needs a test or an entry, by header;
    what is wrong); writes open.txt."""
    rooms, causes, unclear, wrong = gather([counts.Function(described) for described in counts.exported()])
    wrong += [f"{row}\n    cannot be counted: no macro with a decision in it may be part of a decision" for row in unclear]
    rows = [(name, {what: (len(items), sum(not item.shown and item.reason != "" for item in items), len(open_items(items)))
                    for what, items in rooms[name].items()}) for name in sorted(rooms)]
    rows.append(("all", {what: tuple(sum(row[what][i] for _, row in rows) for i in range(3)) for what in FLOORS}))
    needed = {name: open_items(room["conditions"]) for name, room in rooms.items()}
    for (name, _), items in causes.items():
        needed[name] += open_items(items)
    for items in needed.values():
        items.sort(key=lambda item: item.line)
    (FOLDER / "open.txt").write_text("".join([*(f"{line}\n" for line in map(text_of_row, rows)), "\n",
                                              *(f"{item.row()}\n" for name in sorted(needed) for item in needed[name])]),
                                     encoding="utf-8")
    return rows, needed, wrong


def text_of_row(row):
    """One row of the table."""
    name, kinds = row
    return f"{name:<40}" + "".join(f" {what} {total:5} unreachable {beyond:3} open {left:3}" for what, (total, beyond, left) in
                                   kinds.items())


def check():
    """The report as a check of suite.py: it fails below a floor, and where a list is wrong; then it shows only what is open."""
    try:
        rows, needed, wrong = report()
    except counts.Trouble as trouble:
        return failed(str(trouble))
    shares = {what: 100 * (total - beyond - left) / max(total - beyond, 1) for what, (total, beyond, left) in rows[-1][1].items()}
    wrong += [f"expected {FLOORS[what]} % of the reachable {what} or more, got {share:.2f} %" for what, share in shares.items()
              if share < FLOORS[what]]
    if wrong:
        return failed("\n".join([*wrong, *[item.row() for name in sorted(needed) for item in needed[name]][:SHOWN]]))
    table = "".join(f"\n    {text_of_row(row)}" for row in rows)
    return passed(f"details in {(FOLDER / 'open.txt').relative_to(ROOT)}{table}\n    of the reachable ones are shown "
                  + ", ".join(f"{share:.2f} % of {what}" for what, share in shares.items()))


def main():
    """The report, of all headers or of those on the command line."""
    try:
        rows, needed, wrong = report()
    except counts.Trouble as trouble:
        sys.exit(str(trouble))
    asked = [row for row in rows if any(row[0] == word or row[0].endswith(f"/{word}") for word in sys.argv[1:])]
    for row in asked:
        print(text_of_row(row), *(item.row() for item in needed[row[0]]), sep="\n")
    if not sys.argv[1:]:
        print(*map(text_of_row, rows), sep="\n")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong or len(asked) < len(sys.argv[1:]) else 0)


if __name__ == "__main__":
    main()
