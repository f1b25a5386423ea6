"""Compiles the examples in the comments of pytree.h, pytree_registry.h and pytree/*.h.

An example is what a comment indents by five columns: ` *     code`. Paragraphs with nothing but empty lines between them belong
together. A paragraph is C if, without its // comments, its last line ends with `;` or `}` or includes a file, and no `…` is left in
it: drawings, tables and grammars are neither. Paragraphs that begin with a directive, `typedef`, `static` or `int main` stand at
file scope, the others in a function behind them; comments.h declares what they refer to.
"""
import pathlib
import re

import harness

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = harness.BUILD / "docs" / "comments"
# What an example shows is declared and not used, and hides what comments.h declares.
LENIENT = ["-Wno-unused-variable", "-Wno-unused-function", "-Wno-unused-but-set-variable", "-Wno-shadow",
           "-Wno-unused-const-variable"]
LEAST = 20                      # paragraphs that are C in all headers: fewer would mean that they are not recognised any more


def is_c(lines):
    """Is a paragraph C? See above."""
    code = [re.sub(r"//.*", "", line).rstrip() for line in lines]
    return not any("…" in line for line in code) and re.search(r"[;}]$|^#include \"[\w/.]+\"$", code[-1]) is not None


def examples(text):
    """The examples of a header: of each its paragraphs of C, as (number of the first line, lines)."""
    found, paragraphs, paragraph = [], [], []

    def end_paragraph():
        if paragraph and is_c([line for _, line in paragraph]):
            paragraphs.append((paragraph[0][0], [line for _, line in paragraph]))
        paragraph.clear()

    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.startswith(" *     "):
            paragraph.append((number, line[7:]))
            continue
        end_paragraph()
        if line.rstrip() != " *" and paragraphs:
            found.append(paragraphs[:])
            paragraphs.clear()
    return found


def program(paragraphs, name):
    """The source of an example, and the flags for it."""
    outside, inside, first = [], [], []
    for number, lines in paragraphs:
        code = "\n".join([f'#line {number} "{name}"', *lines, ""])
        if any(line.startswith('#include "pytree') and "registry" not in line for line in lines):
            first.append(code)
        else:
            (outside if re.match(r"#|typedef\b|static\b|int main\b", lines[0]) else inside).append(code)
    text = "\n".join(line for _, lines in paragraphs for line in lines)
    own = [f"-DOWN_{struct}" for struct in re.findall(r"^typedef struct (\w+)", text, re.M)]
    source = ["".join(first), '#include "comments.h"\n', "".join(outside), "void example(void);\nvoid example(void)\n{\n",
              "".join(inside), "}\n"]
    return "".join(source), own


def compiled(name, header, text, *flags):
    """Compiles the examples in a header's text under gcc and clang, under more flags if need be; one test each."""
    outcome, seen = harness.Outcome(), 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for paragraphs in examples(text):
        seen += len(paragraphs)
        source, own = program(paragraphs, name)
        path = FOLDER / f"{re.sub(r'[^a-z]', '_', name)}_{paragraphs[0][0]}.c"
        path.write_text(source, encoding="utf-8")
        for compiler in ("gcc", "clang"):
            result = harness.run(harness.C_COMPILERS[compiler].compile(*LENIENT, *own, *flags, f'-DHEADER="{header}"', *harness.INCLUDE,
                                                                       "-I", HERE, "-c", path, "-o", f"{path}.{compiler}.o"))
            outcome.passed += result.status == 0
            outcome.failed += result.status != 0
            outcome.log += "" if result.status == 0 else result.log()
    return outcome, seen


def every_header():
    """All of them; and there are as many examples as there must be."""
    outcome, seen = harness.Outcome(), 0
    for path in [harness.ROOT / "pytree.h", harness.ROOT / "pytree_registry.h", *sorted((harness.ROOT / "pytree").glob("*.h"))]:
        if harness.is_foreign(path):
            continue
        name = path.relative_to(harness.ROOT).as_posix()
        header = "pytree.h" if name == "pytree_registry.h" else name
        one, paragraphs = compiled(name, header, path.read_text(encoding="utf-8"))
        seen += paragraphs
        outcome = harness.Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    if seen < LEAST:
        outcome.failed += 1
        outcome.log += f"{seen} paragraphs of C in the headers' comments, expected at least {LEAST}\n"
    return outcome


def self_check():
    """A mistake in an example is found, and what is no example is left alone."""
    text = ("/* mistakes.h\n *\n *     pytree_print(stdout, PYTREE(&model), NULL, &err);    // fine\n *\n"
            " *     {\"a drawing\": …}\n *\n *     a table    of two columns\n *\n * Text.\n *\n *     pytree_print(stdout, 3);\n */\n")
    outcome, seen = compiled("mistakes.h", "pytree.h", text)
    good = (outcome.passed, outcome.failed, seen) == (2, 2, 2) and "mistakes.h:11" in outcome.log
    return harness.passed() if good else harness.failed(f"{seen} paragraphs\n{outcome.log}")


def checks():
    """The headers, and whether a mistake would be found."""
    return [harness.Check("comments of the headers", every_header), harness.Check("comments: mistakes are found", self_check)]
