"""What the tests cover of the library's headers: lines and branches by gcov, conditions (MC/DC) by clang 19.

Both reports have a floor, a little below what docs/trust.md states, and fail beneath it.
"""
import json
import os

import harness
from harness import BUILD, ROOT, failed, passed, run

FLOORS = {"lines": 98.7, "branches": 89.9, "conditions": 74.5}
CONFIG = "conditions"                       # in CONFIGS of suite.py
PROGRAMS = BUILD / "tests" / CONFIG


def verdict(folder, page, table, log="", **percent):
    """The report's outcome: its table, if nothing is below its floor."""
    low = [f"expected {FLOORS[what]} % of {what} or more, got {share:.1f} %"
           for what, share in percent.items() if share < FLOORS[what]]
    if low:
        return failed("\n".join([log, table, *low]))
    return passed(f"details in {(folder / page).relative_to(ROOT)}{table}")


def lines_and_branches():
    """gcovr over what the programs of the configuration `coverage` left behind."""
    folder = BUILD / "coverage"
    folder.mkdir(parents=True, exist_ok=True)
    # Filters are looked for from the folder that gcovr is started in.
    result = run(["gcovr", "--root", ROOT, "--filter", r"pytree(_registry)?\.h$", "--filter", r"pytree/", "-j", "2",
                  "--json-summary", folder / "summary.json", "--txt", folder / "lines.txt", "--html-details", folder / "index.html",
                  BUILD / "tests" / "coverage"], cwd=ROOT, timeout=600)
    if result.status != 0:
        return failed(result.log())
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    rows = summary["files"] + [{**summary, "filename": "all"}]
    table = "".join(f"\n    {row['filename']:<36} lines {row['line_percent']:5.1f} % of {row['line_total']:<6}"
                    f" branches {row['branch_percent']:5.1f} % of {row['branch_total']}" for row in rows)
    return verdict(folder, "index.html", table, result.log(), lines=summary["line_percent"], branches=summary["branch_percent"])


def profile_of(program):
    """Where a program writes what it counted; each process of it a file of its own."""
    return {"LLVM_PROFILE_FILE": f"{PROGRAMS}/{program.name}-%p.profraw"}


def conditions():
    """llvm-cov over what the programs of the configuration `conditions` left behind."""
    folder = BUILD / "conditions"
    harness.fresh(folder)
    profiles, programs = sorted(PROGRAMS.glob("*.profraw")), sorted(
        path for path in PROGRAMS.iterdir() if path.name.startswith("test_") and os.access(path, os.X_OK))
    if not profiles or not programs:
        return failed("no program of the tests left a profile\n")
    (folder / "profiles").write_text("".join(f"{path}\n" for path in profiles), encoding="utf-8")
    merged = run(["llvm-profdata-19", "merge", "-sparse", "-f", folder / "profiles", "-o", folder / "merged.profdata"])
    if merged.status != 0:
        return failed(merged.log())
    objects = [programs[0], *(word for path in programs[1:] for word in ("-object", path))]
    common = ["-instr-profile", folder / "merged.profdata", "-ignore-filename-regex", r"/(tests|examples)/|^/usr/", *objects]
    exported = run(["llvm-cov-19", "export", "-summary-only", *common], timeout=600, separate=True)
    shown = run(["llvm-cov-19", "show", "-show-mcdc", *common], timeout=600, separate=True)
    if exported.status != 0 or shown.status != 0:
        return failed(exported.errors + shown.errors)
    (folder / "conditions.txt").write_text(shown.output, encoding="utf-8")
    data = json.loads(exported.output)["data"][0]
    rows = [(os.path.relpath(file["filename"], ROOT), file["summary"]["mcdc"]) for file in data["files"]]
    total = data["totals"]["mcdc"]
    table = "".join(f"\n    {name:<36} conditions {each['percent']:5.1f} % of {each['count']}"
                    for name, each in [*(row for row in rows if row[1]["count"] != 0), ("all", total)])
    return verdict(folder, "conditions.txt", table, conditions=total["percent"])
