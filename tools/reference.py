#!/usr/bin/env python3
"""Makes the API reference from the headers: a page for each, an entry for each comment and the declarations below it.

    tools/reference.py FOLDER       writes the pages into the folder
    tools/reference.py --check      fails where a public function, type or macro of a header has no entry, or no first sentence

docs/since.txt says in which version each name came: lines of a version and its new names.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["pytree.h", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "pytree").glob("*.h"))]
SECTION = re.compile(r"/\* ---- (.+?) -+ \*/$")
PUBLIC = re.compile(r"\b(pytree_(?!_)\w+|PYTREE_(?!_)\w+)")
FUNCTION = re.compile(r"^[a-z][\w *]*?\b(pytree_(?!_)\w+)\(", re.M)
GUARD = re.compile(r"PYTREE_(\w+_)?H$")


def since():
    """The version in which each name came."""
    versions = {}
    for line in (ROOT / "docs" / "since.txt").read_text(encoding="utf-8").splitlines():
        version, *names = line.split()
        versions.update(dict.fromkeys(names, version))
    return versions


def statuses():
    """The names of all statuses."""
    listed = (ROOT / "pytree.h").read_text(encoding="utf-8").split("#define PYTREE__STATUSES(X)")[1].split("typedef enum")[0]
    return ["PYTREE_" + name for name in re.findall(r"X\((\w+),", listed)]


def comment_text(lines):
    """A comment's lines without its stars."""
    text = "\n".join(lines).strip()
    text = re.sub(r"^/\*|\*/$", "", text)
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n")).strip("\n")


def marked(line):
    """A line of prose, with the library's names as code where they are not yet."""
    parts = re.split(r"(`[^`]*`)", line)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<![\w/.'\"])(pytree_\w+|PYTREE_\w+)(?!\w*\.h)", r"`\1`", parts[i]).replace("<", "&lt;")
    return "".join(parts)


def markdown(text):
    """A comment as Markdown: what is indented is code, names are code, the rest is prose."""
    out, code = [], False
    for line in textwrap.dedent(text.lstrip(" ")).split("\n"):
        indented = line.startswith("    ")
        if indented and not code:
            out += ["", "```c"]
        elif code and line.strip() and not indented:
            while out[-1] == "":
                out.pop()
            out += ["```", ""]
        code = indented or (code and not line.strip())
        if line.startswith("- ") and out and not out[-1].startswith(("- ", "  ")):
            out.append("")
        out.append(line[4:] if code else marked(line))
    return "\n".join(out + (["```"] if code else [])).strip()


def declared(lines):
    """The public names that lines of C declare, and the lines as a reader wants them: without bodies and private macros."""
    names, shown, depth, skip = [], [], 0, False
    for line in lines:
        text = line.rstrip()
        if depth == 0 and text.startswith("#"):
            macro = re.match(r"#define (PYTREE_(?!_)\w+|pytree_(?!_)\w+)", text)
            skip = text.endswith("\\")
            if macro and not GUARD.match(macro[1]):
                names.append(macro[1])
                shown.append(re.sub(r"(#define \w+(\([^)]*\))?).*", r"\1", text))
            continue
        if skip:
            skip = text.endswith("\\")
            continue
        if depth == 0 and text and not text.startswith((" ", "}", "typedef", "enum", "struct", "{")):
            names += PUBLIC.findall(text.split("(")[0])[-1:] if "(" in text else PUBLIC.findall(text)[-1:]
        if re.match(r"static inline .*\)( \{.*\})?$", text):
            shown.append(text.split(" {")[0] + ";")
        elif not (text.startswith(("{", "}", " ")) and shown and shown[-1].startswith("static inline")):
            shown.append(text)
        depth += text.count("{") - text.count("}")
        if text.startswith("}") or (text.startswith("typedef") and text.endswith(";")):
            names += PUBLIC.findall(text)[-1:]
        pointer = re.match(r"typedef .*?\(?\*?(pytree_\w+)\)?\(", text)
        if pointer and not text.startswith("typedef struct"):
            names.append(pointer[1])
    return list(dict.fromkeys(name for name in names if not name.startswith(("PYTREE__", "pytree__")))), shown


def items(text):
    """The parts of a header: ("section", title) and ("entry", comment, declarations)."""
    lines, found, i = text.split("\n"), [], 0
    while i < len(lines):
        if SECTION.match(lines[i]):
            found.append(("section", SECTION.match(lines[i])[1]))
            i += 1
        elif lines[i].startswith("/*"):
            end = next(k for k in range(i, len(lines)) if "*/" in lines[k])
            after = end + 1
            while after < len(lines) and lines[after].strip() and not lines[after].startswith("/*"):
                after += 1
            found.append(("entry", comment_text(lines[i:end + 1]), lines[end + 1:after]))
            i = after
        else:
            i += 1
    return found


def entry(comment, names, shown, versions, known):
    """One entry of a page."""
    errors = [status for status in known if re.search(rf"\b{status}\b", comment) and status != "PYTREE_OK"]
    came = sorted({versions.get(name, "0.2.0") for name in names})
    notes = ["Since " + ", ".join(came)] + (["Errors: " + ", ".join(f"`{status}`" for status in errors)] if errors else [])
    heading = ", ".join(f"`{name}`" for name in names[:4]) + (", …" if len(names) > 4 else "")
    code = "\n".join(dict.fromkeys(line for line in shown if line.strip())).strip()
    return "\n\n".join([f"### {heading}", f"```c\n{code}\n```", markdown(comment), "*" + ". ".join(notes) + ".*", ""])


def page(header):
    """The page of a header, and what is wrong with it."""
    versions, known = since(), statuses()
    parts = items((ROOT / header).read_text(encoding="utf-8"))
    out, wrong = [f"# {header}", "", markdown(parts[0][1].split("\n", 1)[1] if "\n" in parts[0][1] else parts[0][1]), ""], []
    listed = set()
    for part in parts[1:]:
        if part[0] == "section":
            out += [f"## {part[1]}", ""]
            continue
        names, shown = declared(part[2])
        if not names:
            continue
        if not part[1].strip() or "." not in part[1] and ":" not in part[1]:
            wrong.append(f"{header}: {names[0]}: no sentence")
        listed.update(names)
        out.append(entry(part[1], names, shown, versions, known))
    for name in FUNCTION.findall((ROOT / header).read_text(encoding="utf-8")):
        if name not in listed:
            wrong.append(f"{header}: {name} has no entry")
    text = "\n".join(out) + "\n"
    return text, wrong


def main():
    """Command line."""
    if len(sys.argv) != 2 or (sys.argv[1].startswith("-") and sys.argv[1] != "--check"):
        print(__doc__, file=sys.stderr)
        return 2
    pages = {header: page(header) for header in HEADERS}
    wrong = [line for _, lines in pages.values() for line in lines]
    if sys.argv[1] == "--check":
        print("\n".join(wrong) or f"{len(pages)} headers, nothing found")
        return 1 if wrong else 0
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for header, (text, _) in pages.items():
        (folder / (pathlib.Path(header).stem + ".md")).write_text(text, encoding="utf-8")
    rows = [f"| [{header}]({pathlib.Path(header).stem}.md) | {text.count(chr(10) + '### ')} |" for header, (text, _) in pages.items()]
    (folder / "index.md").write_text("# Reference\n\nMade from the comments in the headers.\n\n| header | entries |\n|---|---:|\n"
                                     + "\n".join(rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
