"""Every row of every struct that the repository registers, left out: compilers must say that a member is not listed.

That is every struct of the programs in examples/, tests/ and bench/, in C and C++, and of the programs on the pages.
"""
import dataclasses
import re

import harness
from harness import BUILD, ROOT, Check, failed, passed, run

REGISTRATION = '#include "pytree_registry.h"'
COMMAND = {"gcc": ["gcc", *harness.MESSAGES_ONLY["gcc"]], "clang": ["clang", *harness.MESSAGES_ONLY["clang"], "-ferror-limit=0"]}
CXX = {"gcc": "g++", "clang": "clang++"}
# A page's block of C, as tests/docs/run has it, with what the comment before it says; or what stands before its blocks.
BLOCK = re.compile(r"(?:^<!-- (?P<says>(?!prelude)[^\n]*?) -->\n)?^```c\n(?P<text>.*?)^```$|^<!-- prelude\n(?P<prelude>.*?)^-->",
                   re.M | re.S)
# C++ does not count the members of what has constructors: one that could be padding is not noticed (docs/cxx.md).
CONSTRUCTED = {("tests/cxx/test_structs.cpp", "Conv", 2)}
SAID = re.compile(r'pytree: (\w+)(?:\.\w+: a field before this one|: a field at the end|: a field of a struct without a name)'
                  ' is not listed')
UNNAMED = re.compile(r"^ +\};$", re.M)        # the end of a struct without a name in another one: compilers count it where they optimise


def closing(text, at):
    """Where the parenthesis at this place is closed."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return end + 1
    raise ValueError(f"a parenthesis is not closed: {text[at:at + 60]}")


@dataclasses.dataclass
class Struct:
    """A registered struct of a file: its name, where its rows begin and end, the lines that register it, and where they end."""
    name: str
    rows: list
    lines: list
    end: int


def registrations(text):
    """The registered structs of a file."""
    found, begin = [], 0
    for include in re.finditer(re.escape(REGISTRATION), text):
        part = re.sub(r"/\*.*?\*/", lambda comment: " " * len(comment[0]), text[begin:include.start()], flags=re.S)
        name = re.findall(r"^#define PYTREE_(?:STRUCT|DEFINE) (\w+) *$", part, re.M)
        fields = re.search(r"^#define PYTREE_FIELDS\b(?:.*\\\n)*.*$", part, re.M)
        if name and fields:
            rows = [(begin + row.start(), begin + closing(part, row.end() - 1))
                    for row in re.finditer(r"\bPYTREE_FIELD\(", part[:fields.end()]) if row.start() > fields.start()]
            lines = [(begin + line.start(), begin + line.end()) for line in re.finditer(r"^#define PYTREE_(?:.*\\\n)*.*$", part, re.M)]
            found.append(Struct(name[-1], rows, [*lines, include.span()], include.end()))
        begin = include.end()
    return found


def without(path, compiler, text, structs, number):
    """Writes the file, as far as it registers structs with a row `number`, without this row of each. Those that have none are not
    registered, unless the rest of the file names them."""
    last = max(i for i, struct in enumerate(structs) if number < len(struct.rows))
    text = text[:structs[last].end] + "\n"
    for struct in reversed(structs[:last + 1]):
        if number < len(struct.rows):
            text = text[:struct.rows[number][0]] + text[struct.rows[number][1]:]
        elif not re.search(rf"\b{struct.name}\b", text[struct.end:]):
            for begin, end in reversed(struct.lines):
                text = text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]
    target = made_of(path, compiler + path.suffix.replace(".h", ".c"))
    target.write_text(text, encoding="utf-8")
    return target


def made_of(path, ending):
    """Where a file that is made of this one is written."""
    folder = BUILD / "mistakes" / "deletions"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{path.relative_to(ROOT).as_posix().replace('/', '-')}.{ending}"


def before(path, compiler, text, command):
    """Compiles the headers that the file includes, once for all of its rows; options that put them before it."""
    header = made_of(path, f"{compiler}.h")
    included = re.findall(r'^#include .*$', text[:text.index(REGISTRATION)], re.M)
    header.write_text("\n".join([*included, '#include "pytree.h"']) + "\n", encoding="utf-8")
    compiled = header.with_name(header.name + (".gch" if compiler == "gcc" else ".pch"))
    language = "c++-header" if path.suffix == ".cpp" else "c-header"
    result = run([*command, "-x", language, header, "-o", compiled], timeout=60)
    if result.status != 0:                    # headers that need what the file defines before them are read for each row
        return ["-include", "pytree.h"]
    return ["-include", header] if compiler == "gcc" else ["-include-pch", compiled]


def deletions(path, compiler):
    """Leaves out the first row of each struct in the file, then the second of each, and so on."""
    text = path.read_text(encoding="utf-8")
    places = ["-DTEST_BODIES_APART", "-I", path.parent, "-I", ROOT / "tests", "-I", ROOT / "tests" / "support", *harness.INCLUDE]
    language = ["-std=c++17"] if path.suffix == ".cpp" else ["-std=c11"]
    command = [CXX[compiler] if path.suffix == ".cpp" else compiler, *COMMAND[compiler][1:], *language,
               *(["-O1"] if UNNAMED.search(text) else []), *places]
    text = text.replace("#define PYTREE_IMPLEMENTATION", "")           # the bodies have no part in it, nor those of support.h
    structs = registrations(text)
    headers = before(path, compiler, text, command)
    missed, caught = [], 0
    for number in range(max(len(struct.rows) for struct in structs)):
        source = without(path, compiler, text, structs, number)
        result = run([*command, "-fsyntax-only", *headers, source], timeout=60)
        said = SAID.findall(result.output)
        for name, row in [(struct.name, struct.rows[number]) for struct in structs if number < len(struct.rows)]:
            # a flexible array member that no row lists is the compiler's own error, at the count of members
            said += [name] if "FLEXIBLE" in text[slice(*row)] and "flexible array member" in result.output else []
            caught += name in said
            exempt = (path.relative_to(ROOT).as_posix(), name, number + 1) in CONSTRUCTED
            missed += [] if name in said or exempt else [f"{path.relative_to(ROOT)}: {name}: row {number + 1}"]
    return failed("not noticed:\n" + "\n".join(missed) + "\n") if missed else passed(f"{caught} rows")


def sources_of(page, compiler):
    """Writes the blocks of a page that compile, beside the files among them that others include; those with registrations."""
    folder = harness.fresh(BUILD / "mistakes" / "deletions" / "pages" / compiler / page.stem)
    found, prelude = [], ""
    for number, block in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
        says = dict(part.strip().partition(": ")[::2] for part in (block["says"] or "").split(";"))
        if block["prelude"] is not None:
            prelude = block["prelude"]
        elif not {"fails", "gcc", "clang", "shown", "body"} & set(says):
            source = folder / (says.get("file") or f"block_{number}.c")
            whole = "run" in says or "file" in says or says.get("in") == "none"
            source.write_text(block["text"] if whole else f"{prelude}\n{block['text']}", encoding="utf-8")
            found += [source] if registrations(source.read_text(encoding="utf-8")) else []
    return found


def pages(page, compiler):
    """The same of all blocks of a page."""
    outcome = harness.Outcome()
    for source in sources_of(page, compiler):
        one = deletions(source, compiler)
        outcome.passed += one.passed
        outcome.failed += one.failed
        outcome.log += one.log
    return outcome


def compilers(path, number):
    """Those that check a file: both where it is C++ or what users read, otherwise the one whose turn it is, of the file's number."""
    both = path.suffix == ".cpp" or path.is_relative_to(ROOT / "examples")
    return list(COMMAND) if both else [list(COMMAND)[number % len(COMMAND)]]


def checks():
    """Each file with registrations, and each page."""
    made, files = [], 0
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))):
        code = "".join(block["text"] or "" for block in BLOCK.finditer(page.read_text(encoding="utf-8")))
        if registrations(code) and not harness.is_foreign(page):
            made += [Check(f"{page.relative_to(ROOT).as_posix()} {compiler}",
                           lambda page=page, compiler=compiler: pages(page, compiler)) for compiler in COMMAND]
    for path in sorted(path for folder in ("examples", "tests", "bench") for ending in ("c", "h", "cpp")
                       for path in ROOT.glob(f"{folder}/**/*.{ending}")):
        # headers: needs packages, and its rows come from lists
        apart = {"compile_fail", "headers", *harness.FOREIGN} & set(path.relative_to(ROOT).parts) or harness.is_foreign(path)
        if not apart and registrations(path.read_text(encoding="utf-8")):
            made += [Check(f"{path.relative_to(ROOT).as_posix()} {compiler}",
                           lambda path=path, compiler=compiler: deletions(path, compiler)) for compiler in compilers(path, files)]
            files += 1
    return made
