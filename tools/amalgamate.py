#!/usr/bin/env python3
"""Writes the library as two files, pytree.h and pytree_registry.h, for programs that copy it.

    tools/amalgamate.py [FOLDER]          FOLDER: build/single if it is not given

pytree.h holds the interface, the optional headers, the bodies and what registrations share; their #include lines are gone.
Headers that need a library besides C's stand behind a switch: containers, objects and recording where stb_ds.h is, npz and pt
where PYTREE_WITH_NPZ is defined, mpi where PYTREE_WITH_MPI is, sundials where PYTREE_WITH_SUNDIALS is. PYTREE_SMALL leaves out all optional headers. pytree_registry.h is still included once for each
struct.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)".*$')
GUARD = re.compile(r"^#ifndef (PYTREE_(?:\w+_)?H)\n#define \1$", re.M)
# Headers that not every program can compile, and where they can be. They come last.
CONDITIONS = {"pytree/containers.h": "PYTREE__HAS_STB", "pytree/object.h": "PYTREE__HAS_STB", "pytree/record.h": "PYTREE__HAS_STB",
              "pytree/npz.h": "defined(PYTREE_WITH_NPZ)", "pytree/pt.h": "defined(PYTREE_WITH_NPZ)",
              "pytree/mpi.h": "defined(PYTREE_WITH_MPI)", "pytree/sundials.h": "defined(PYTREE_WITH_SUNDIALS)"}


class Amalgamation:
    """Text of headers, each in the place of its first #include."""

    def __init__(self):
        self.placed = {}                 # file: condition under which it was placed
        self.condition = ""

    def place(self, path):
        """Returns the text of a header whose own includes are replaced by their texts, or nothing if it was placed before."""
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        if name in self.placed and GUARD.search(text):
            if self.placed[name] not in ("", self.condition):
                raise SystemExit(f"{name} stands behind {self.placed[name]} and is needed behind '{self.condition}'")
            return ""
        self.placed[name] = self.condition
        lines = [f"/* -------- {name} -------- */"]
        in_comment = False               # examples in comments have includes, too
        for line in text.splitlines():
            included = None if in_comment else INCLUDE.match(line)
            target = included and (path.parent / included[1]).resolve()
            if included and target.is_file():
                lines += self.place(target).splitlines()
            else:
                lines.append(line)
            opened, closed = line.rfind("/*"), line.rfind("*/")
            in_comment = opened > closed or (in_comment and closed < 0)
        return "\n".join(lines) + "\n"

    def place_if(self, condition, path):
        """Returns the same behind an #if."""
        self.condition = condition
        text = self.place(path)
        self.condition = ""
        return f"#if {condition}\n{text}#endif\n" if text else ""


def faces():
    """Returns the optional headers, each behind those that it includes and the conditional ones at the end."""
    found = []

    def add(path):
        for line in path.read_text(encoding="utf-8").splitlines():
            included = INCLUDE.match(line)
            target = included and (path.parent / included[1]).resolve()
            if target and target.parent == ROOT / "pytree" and target != path:
                add(target)
        if path not in found:
            found.append(path)

    for path in sorted((ROOT / "pytree").glob("*.h"), key=lambda path: (f"pytree/{path.name}" in CONDITIONS, path.name)):
        add(path)
    return found


def included_by(registry):
    """Returns the headers that pytree_registry.h includes again for each struct."""
    names = (INCLUDE.match(line) for line in registry.read_text(encoding="utf-8").splitlines())
    paths = [ROOT / match[1] for match in names if match and match[1] != "pytree.h"]
    return [path for path in paths if not GUARD.search(path.read_text(encoding="utf-8"))]


def head(name):
    """Returns the comment at the top of a file."""
    version = re.search(r'PYTREE_VERSION "([^"]+)"', (ROOT / "pytree.h").read_text(encoding="utf-8"))[1]
    lines = (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()
    licence = "".join(f" *{' ' if line else ''}{line}\n" for line in lines)
    return f"/* {name} of pytree {version}, made of its headers by tools/amalgamate.py.\n *\n{licence} */\n"


def main(folder):
    """Writes both files."""
    registry = ROOT / "pytree_registry.h"
    whole = Amalgamation()
    shared = ROOT / "pytree" / "registry" / "all.h"            # pytree.h includes it in C++ only: here it stands at the end
    whole.placed["pytree/registry/all.h"] = ""
    text = head("pytree.h") + whole.place(ROOT / "pytree.h") + "#if !defined(PYTREE_SMALL)\n"
    for path in faces():
        condition = CONDITIONS.get(path.relative_to(ROOT).as_posix())
        text += whole.place_if(condition, path) if condition else whole.place(path)
    text += "#endif\n"
    del whole.placed["pytree/registry/all.h"]
    text += whole.place(shared)
    each_time = included_by(registry)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pytree.h").write_text(text, encoding="utf-8")
    (folder / "pytree_registry.h").write_text(head("pytree_registry.h") + registration(registry, each_time), encoding="utf-8")


def registration(registry, each_time):
    """Returns pytree_registry.h with what it includes for each struct in place; only its include of pytree.h is left."""
    text = ""
    for line in registry.read_text(encoding="utf-8").splitlines(keepends=True):
        included = INCLUDE.match(line)
        if included and ROOT / included[1] in each_time:
            text += (ROOT / included[1]).read_text(encoding="utf-8")
        elif not included or included[1] == "pytree.h":
            text += line
    return text


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "single"))
