"""tools/amalgamate.py: its two files are all that a program needs."""
import re
import shutil

import harness
from harness import BUILD, C_COMPILERS, CXX_COMPILERS, ROOT, Check, Outcome, failed, passed, run, steps

TESTS = ROOT / "tests"
MATRIX = TESTS / "matrix"
SINGLE = BUILD / "single"
THEMES = ["flatten", "rebuild", "path"]
FACE = re.compile(r'(#include ")pytree/(?!detail|impl|registry)\w+\.h"')


def make():
    """Makes the two files; nothing else may be in their folder, nor be included by them from the repository."""
    harness.fresh(SINGLE)
    made = run(["python3", ROOT / "tools" / "amalgamate.py", SINGLE])
    if made.status != 0 or sorted(path.name for path in SINGLE.iterdir()) != ["pytree.h", "pytree_registry.h"]:
        return failed(made.log())
    return passed()


def folder_of(name):
    """An empty folder with the two files."""
    folder = harness.fresh(BUILD / "amalgamation" / name)
    for header in ("pytree.h", "pytree_registry.h"):
        shutil.copy(SINGLE / header, folder)
    return folder


def quickstart(compiler):
    """The first example, beside the two files and without stb_ds.h."""
    folder = folder_of(f"quickstart_{compiler.name}")
    shutil.copy(ROOT / "examples" / "quickstart.c", folder)
    build = compiler.compile("-DPYTREE_NO_STB_DS", "quickstart.c", "-o", "quickstart", "-lm")
    return steps(build, [folder / "quickstart"], cwd=folder)


def theme(name):
    """A theme's tests, which see no other header of the library: includes of optional headers lead to pytree.h."""
    folder = folder_of(name)
    source = next(TESTS.glob(f"*/test_{name}.c"))
    for header in [*(TESTS / "support").glob("*.h"), *source.parent.glob("*.h"), source]:
        text = header.read_text(encoding="utf-8")
        (folder / header.name).write_text(FACE.sub(r'\1pytree.h"', text), encoding="utf-8")
    libraries = ["-lcmocka", "-lcjson", "-lz", "-lm", "-lpthread"]
    built = run(C_COMPILERS["gcc"].compile("-O0", "-DPYTREE_WITH_NPZ", "-I", folder, *harness.STB, source.name, "-o", "theme",
                                           *libraries), timeout=180, cwd=folder)
    return harness.cmocka([folder / "theme"]) if built.status == 0 else failed(built.log())


def cxx(c_compiler, compiler):
    """The C++ program of the matrix, with the struct that a C file registers; bodies once from C and once from C++."""
    folder = folder_of(f"cxx_{compiler.name}")
    for name in ("cxx_main.cpp", "two_files_b.c", "two_files.h", "model.h", "bodies.c", "bodies.cpp"):
        shutil.copy(MATRIX / name, folder)
    outcome = Outcome()
    for bodies in ("bodies.c", "bodies.cpp"):
        sources = ["cxx_main.cpp", "two_files_b.c", bodies]
        compilers = [compiler if source.endswith("pp") else c_compiler for source in sources]
        built = [one.compile(*harness.STB, "-c", source, "-o", f"{source}.o") for one, source in zip(compilers, sources)]
        linked = [compiler.command, *(f"{source}.o" for source in sources), "-o", "program", "-lm"]
        one = steps(*built, linked, ["./program"], cwd=folder)
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    return outcome


def everything():
    """One after the other, since all need the files."""
    outcome = make()
    if outcome.failed:
        return outcome
    parts = [lambda compiler=compiler: quickstart(compiler) for compiler in C_COMPILERS.values()]
    parts += [lambda name=name: theme(name) for name in THEMES]
    parts += [lambda kind=kind: cxx(C_COMPILERS[kind], CXX_COMPILERS[kind]) for kind in CXX_COMPILERS]
    for part in parts:
        one = part()
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    return outcome


def checks():
    """One check."""
    return [Check("quickstart, themes flatten, rebuild and path, C++", everything, long=True)]
