#!/usr/bin/env python3
"""Checks the sizes of files and functions: no file over 700 lines, no function of the library over 60.

    structure.py FILE...        prints each that is longer; status 1 if there is one, or a needless exception

A function's body begins with a `{` in the first column and ends with the next `}` there. Its length is counted from the first line
of its head to that brace. Bodies in one line are not looked at. Macros are not functions.
"""
import pathlib
import re
import sys

MOST_LINES, MOST_IN_A_FUNCTION = 700, 60
SOURCES = {".h", ".c", ".cpp", ".py", ".build"}

# Files that may be longer, with the reason. Data (golden/*.jsonl, corpora) and pages are no sources.
LONGER = {
    "pytree.h": "the interface: one file, so that it can be read from its beginning to its end",
}


def is_source(path):
    """A file of code: by its ending, or a script without one."""
    return path.suffix in SOURCES or path.name == "run"


def functions(lines):
    """The functions of a C file as (name, number of the first line, lines)."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            begin = number
        elif line.startswith("}") and begin is not None:
            # The head may have several lines; it begins behind the last one that is empty or ends something.
            head = begin - 1
            while head > 1 and lines[head - 2].strip() and not re.search(r"[;}]$|\*/$|^#|^extern ", lines[head - 2]):
                head -= 1
            name = re.search(r"(\w+)\(", " ".join(lines[head - 1:begin - 1]))
            if name:
                yield name[1], head, number - head + 1
            begin = None


def long_functions(path, lines):
    """What is said about the functions of one file."""
    return [f"{path}:{number}: {name} has {length} lines, at most {MOST_IN_A_FUNCTION} are allowed"
            for name, number, length in functions(lines) if length > MOST_IN_A_FUNCTION]


def self_check():
    """A long function is found, and its length is right."""
    text = ["/* A comment. */", "static int f(int a,", "             int b)", "{", *["    a++;"] * 58, "}", "struct S", "{",
            "    int a;", "};", "", "int g(void)", "{", "    return 1;", "}"]
    found = list(functions(text))
    if found != [("f", 2, 62), ("g", 69, 4)] or len(long_functions("x", text)) != 1:
        raise SystemExit(f"structure.py: does not count as it should: {found}")


def main():
    """Command line."""
    self_check()
    said = []
    for path in map(pathlib.Path, sys.argv[1:]):
        if not is_source(path) or not path.is_file():
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        name = path.as_posix()
        if (len(lines) > MOST_LINES) != (name in LONGER):
            said.append(f"{name}: {len(lines)} lines, at most {MOST_LINES} are allowed" if name not in LONGER else
                        f"{name}: {len(lines)} lines, needs no exception in structure.py")
        if name.startswith("pytree"):
            said += long_functions(name, lines)
    print("".join(f"{line}\n" for line in said), end="")
    return 1 if said else 0


if __name__ == "__main__":
    raise SystemExit(main())
