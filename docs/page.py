"""The command line of the scripts that make a page: print it, write it, or compare it with what is there."""
import difflib
import pathlib
import sys


def main(usage, path, make):
    """Runs the script whose function `make` gives the text of the page at `path`; the exit status."""
    words = sys.argv[1:]
    if not words:
        print(make(), end="")
    elif words == ["--write"]:
        path.write_text(make(), encoding="utf-8")
    elif words[0] == "--check" and len(words) <= 2:
        there = pathlib.Path(words[1]) if len(words) == 2 else path
        old = there.read_text(encoding="utf-8") if there.exists() else ""
        changes = list(difflib.unified_diff(old.split("\n"), make().split("\n"), there.name, "as it should be", lineterm=""))
        if changes:
            print("\n".join([*changes, f"{there.name} is out of date: run {pathlib.Path(sys.argv[0]).name} --write"]))
            return 1
    else:
        print(usage, file=sys.stderr)
        return 2
    return 0
