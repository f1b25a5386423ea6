#!/usr/bin/env python3
"""Makes docs/mistakes.md from the programs in tests/mistakes, which the tests compile and run.

    docs/mistakes_page.py             prints the page
    docs/mistakes_page.py --write     writes it
    docs/mistakes_page.py --check     fails if the page (or the file named after it) is not what the programs say
"""
import pathlib
import sys

import page

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
from mistakes import calls, registrations  # noqa: E402

INTRODUCTION = """\
# Mistakes, and what finds them

{count} things that users get wrong or doubt, each a program of a few lines in [`tests/mistakes`](../tests/mistakes), which the tests
compile with gcc and clang, and run. A mistake that a compiler can find is an error, or else a warning, and the words below stand
within the first three lines that it prints. What only the program can know is an error of the first operation that walks the
tree, with its path. [compiler-messages.md](compiler-messages.md) has the corrections."""

RUN = """\
## What a call tells

`pytree_error_print` prints:"""
SANITIZED = """\
## What only sanitizers find

These are mistakes with memory, as in any C program. Compile with `-fsanitize=address,undefined` while you develop:"""
UNSEEN = """\
## What nothing finds"""
WORKS = """\
## What works

These look like mistakes:"""


def cell(text):
    """A text in a table."""
    return f"`{text.strip()}`".replace("|", "\\|")


def table(heads, rows):
    """A table of Markdown."""
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *(f"| {' | '.join(row)} |" for row in rows)])


def said(entries):
    """What compilers say of each: in one text where both say it so."""
    return table(["mistake", "gcc, clang"], [[name, cell(gcc) if clang in (None, gcc) else f"{cell(gcc)}; {cell(clang)}"]
                                             for name, _, gcc, clang in entries])


def text_of_page():
    """The whole page."""
    everything = [*registrations.COMPILED.values(), registrations.OPTIMISED, registrations.WARNED, calls.WORKS, calls.SAID, calls.SANITIZED, calls.UNSEEN]
    parts = [INTRODUCTION.format(count=sum(map(len, everything)))]
    for title, entries in registrations.COMPILED.items():
        parts += [f"## What compilers refuse: {title[0].lower()}{title[1:]}", said(entries)]
    parts += ["## What compilers refuse where they optimise (-O1 and above)", said(registrations.OPTIMISED)]
    parts += ["## What compilers warn of", said(registrations.WARNED)]
    parts += [RUN, table(["mistake", "words"], [[name, cell(words)] for name, _, _, words in calls.SAID])]
    parts += [SANITIZED, table(["mistake", "words"], [[name, cell(words)] for name, _, _, words in calls.SANITIZED])]
    parts += [UNSEEN, table(["mistake", "what to do"], [[name, what] for name, _, _, _, what in calls.UNSEEN])]
    parts += [WORKS, "\n".join(f"- {name}" for name, *_ in calls.WORKS)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    raise SystemExit(page.main(__doc__, HERE / "mistakes.md", text_of_page))
