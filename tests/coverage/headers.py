"""The headers as the configuration `coverage` compiles them, and their text."""
import functools
import re

from harness import BUILD, ROOT, once

CONFIG = "coverage"                         # in CONFIGS of suite.py
PROGRAMS = BUILD / "tests" / CONFIG
FOLDER = BUILD / "coverage"
SOURCE = FOLDER / "source"
COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/", re.S)
HINT = re.compile(r"\bPYTREE__(UN)?LIKELY(?=\()")


@once
def source():
    """Copies the headers, without hints to the optimiser: clang takes all that is in one for one condition of the decision around
    it, and gives it the place of the macro. Lines and columns stay as they are; what did not change keeps its time. Returns flags
    for the compiler that lead to the copies."""
    for path in [ROOT / "pytree.h", ROOT / "pytree_registry.h", *(ROOT / "pytree").rglob("*.h*")]:
        text = path.read_text(encoding="utf-8")
        if path.parent.name in ("impl", "registry"):
            text = HINT.sub(lambda found: " " * len(found.group()), text)
        copy = SOURCE / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")
    return "-I", SOURCE


def profile_of(program):
    """Where a program writes what it counted; each process of it a file of its own. What it counted before is forgotten."""
    for stale in PROGRAMS.glob(f"{program.name}-*.profraw"):
        if stale.name.removeprefix(f"{program.name}-").removesuffix(".profraw").isdigit():
            stale.unlink()
    return {"LLVM_PROFILE_FILE": f"{PROGRAMS}/{program.name}-%p.profraw"}


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


@functools.lru_cache(maxsize=None)
def code_of(name):
    """The lines of a header on which code stands, no directives: number -> column at which it begins, behind braces that close."""
    text = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if found[0].startswith("/*") else found[0],
                       "\n".join(lines_of(name)))
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"\w", line) and not line.startswith("#"):
            found[number] = len(line) - len(line.lstrip(" \t}")) + 1
    return found
