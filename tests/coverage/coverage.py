"""What the tests cover of the library's headers: lines and branches by gcov, conditions (MC/DC) by clang 19.

Each figure has a floor, at or a little below the one in docs/trust.md; a report below it fails.
"""
import json

from coverage import conditions as counted
from harness import BUILD, ROOT, failed, passed, run

FLOORS = {"lines": 99.4, "branches": 97.1, "conditions": 100.0}


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


def conditions():
    """What conditions.py finds in what the programs of the configuration `conditions` left behind."""
    try:
        rooms, still, wrong = counted.report()
    except counted.Trouble as trouble:
        return failed(str(trouble))
    rows = [(name, len(rooms[name]), len(still[name]), sum(each.reason != "" for each in rooms[name])) for name in sorted(rooms)]
    rows.append(("all", *(sum(row[i] for row in rows) for i in (1, 2, 3))))
    table = "".join(f"\n    {name:<40} conditions {total:5}   unreachable {beyond:4}   open {left:4}"
                    for name, total, left, beyond in rows)
    reachable = rows[-1][1] - rows[-1][3]
    share = 100 * (reachable - rows[-1][2]) / reachable
    if wrong:
        return failed("\n".join([table, *wrong]))
    return verdict(counted.FOLDER, "open.txt", f"{table}\n    {share:.1f} % of the reachable conditions are shown", conditions=share)
