"""Every header opens on its own, as an editor opens it: without the others, under the strictest flags.

A room has functions that only its neighbours call, so that functions without a use are fine; nothing else is.
"""
from harness import C_COMPILERS, CXX_COMPILERS, ROOT, STB, Check, Outcome, failed, is_foreign, run

HERE = ROOT / "tests" / "matrix"
SELF_CHECK = "int f(void);\nint f(void) { return not_declared; }\n"


def headers():
    """The library's headers by folder. pytree_registry.h is no room: it expands registrations; the matrix includes it."""
    found = {}
    for path in [ROOT / "pytree.h", *sorted((ROOT / "pytree").rglob("*.h"))]:
        if not is_foreign(path):
            found.setdefault(path.parent.relative_to(ROOT).as_posix(), []).append(path)
    return found


def opens(name, paths, *flags):
    """Checks the syntax of each header, under more flags if need be; one test each. Those for C++ are named so."""
    outcome = Outcome()
    for path in paths:
        language, compiler = ("c++", CXX_COMPILERS[name]) if path.stem.endswith("cxx") else ("c", C_COMPILERS[name])
        # -x: a header on its own is otherwise taken for one to be precompiled. Files of macros are included, because a program
        # without a declaration is none. What a header has for others is unused where it stands alone.
        what = [f'-DHEADER="{path}"', HERE / "header_alone.c"] if path.parent.name == "registry" else [path]
        result = run(compiler.compile("-Wno-unused-function", "-Wno-unused-const-variable", *STB, *flags, "-fsyntax-only", "-x", language, *what))
        outcome.passed += result.status == 0
        outcome.failed += result.status != 0
        outcome.log += "" if result.status == 0 else result.log()
    return outcome


def mistake_is_found(name, folder):
    """A header that needs another is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "needs_another.h").write_text(SELF_CHECK, encoding="utf-8")
    outcome = opens(name, [folder / "needs_another.h"])
    return failed("a header with an undeclared name was taken\n") if not outcome.failed else Outcome(passed=1)


def checks(build):
    """One check for each folder and compiler; tcc has no -fsyntax-only."""
    return [check for name in ("gcc", "clang") for check in [
        *[Check(f"{name}: {folder}/*.h, each on its own", lambda name=name, paths=paths: opens(name, paths))
          for folder, paths in headers().items()],
        Check(f"{name}: a header that needs another is refused",
              lambda name=name: mistake_is_found(name, build / "rooms" / name))]]
