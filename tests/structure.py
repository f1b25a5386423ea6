#!/usr/bin/env python3
"""Checks the sizes of files and functions, and the list of tests.

    structure.py FILE...        prints what is wrong with them; status 1 if there is something

No file has more than 700 lines, no function of the library more than 60; each test program has a line in tests/README.md.
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


def unlisted(files):
    """Test programs without a line in tests/README.md, lines without a program, names that two files have."""
    programs = [path for path in files if re.fullmatch(r"tests/\w+/test_\w+\.c", path.as_posix()) and path.is_file()]
    names = [path.name for path in programs]
    listed = re.findall(r"^\| `(test_\w+\.c)` \|", pathlib.Path("tests/README.md").read_text(encoding="utf-8"), re.M)
    return [f"{path}: no line in tests/README.md, or two" for path in programs if listed.count(path.name) != 1] + \
           [f"tests/README.md: {name}: no such program" for name in listed if names.count(name) == 0] + \
           [f"{path}: another test program has that name" for path in programs if names.count(path.name) > 1]


def main():
    """Command line."""
    self_check()
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    said = unlisted(files) if any(path.name.startswith("test_") for path in files) else []
    for path in files:
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
