"""pytree/sundials.h with SUNDIALS: the header on its own, the vector tests, the page, the example and the benchmark."""
import re

import harness
from docs import comments
from harness import BUILD, C_COMPILERS, CXX_COMPILERS, ROOT, SANITIZER_SETTINGS, Check, failed, passed, run, steps
from matrix import rooms

HERE = ROOT / "tests" / "sundials"
FOLDER = BUILD / "sundials"
HEADER = ROOT / "pytree" / "sundials.h"
LIBRARIES = [f"-lsundials_{name}" for name in ("cvode", "arkode", "ida", "kinsol", "sunlinsolspgmr", "nvecmanyvector", "nvecserial")]
CONFIGS = {"gcc -O2": ("gcc", ["-O2"]), "clang, sanitized": ("clang", harness.SANITIZE), "tcc": ("tcc", [])}


def built(name, source, compiler, *flags):
    """A program from one source: the failure or None, and where it is."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / re.sub(r"\W+", "-", name)
    result = run(compiler.compile(*flags, "-I", ROOT / "tests", "-I", ROOT / "tests" / "support", *harness.INCLUDE, source, "-o",
                                  target, *LIBRARIES, "-lcmocka", "-lm"), timeout=180)
    return (failed(result.log()) if result.status else None), target


def program(name, config):
    """One program of tests."""
    compiler, flags = CONFIGS[config]
    trouble, target = built(f"{name} {config}", HERE / f"{name}.c", C_COMPILERS[compiler], *flags)
    return trouble or harness.cmocka([target], env=SANITIZER_SETTINGS)


def alone():
    """The header and its rooms on their own, from C++, and the examples in its comment."""
    paths = [HEADER, *sorted((ROOT / "pytree" / "impl").glob("sundials*.h"))]
    outcome, _ = comments.compiled("pytree/sundials.h", "pytree/sundials.h", HEADER.read_text(encoding="utf-8"))
    for name in ("gcc", "clang"):
        one = rooms.opens(name, paths)
        other = steps(CXX_COMPILERS[name].compile(*harness.INCLUDE, "-DPYTREE_IMPLEMENTATION", '-DHEADER="pytree/sundials.h"', "-x", "c++",
                                                  "-fsyntax-only", ROOT / "tests" / "matrix" / "header_alone.c"))
        outcome = harness.Outcome(outcome.passed + one.passed + other.passed, outcome.failed + one.failed + other.failed,
                                  outcome.log + one.log + other.log)
    return outcome


def example():
    """The solver takes the same steps to the same result with both vectors; one that is neither is refused."""
    trouble, target = built("example", ROOT / "examples" / "sundials_ode.c", C_COMPILERS["gcc"], "-O2")
    if trouble:
        return trouble
    result, wrong = run([target], timeout=120), run([target, "tre"], separate=True)
    if result.status or not re.search(r"^the same steps and the same bits: yes$", result.output, re.M):
        return failed(result.log())
    if wrong.status == 0 or "expected tree or serial" not in wrong.errors:
        return failed(wrong.log() + wrong.errors)
    return passed()


def benchmark():
    """It compiles under both compilers and runs."""
    for name in ("clang", "gcc"):
        trouble, target = built("bench", ROOT / "bench" / "sundials.c", C_COMPILERS[name], "-O2")
        if trouble:
            return trouble
    return steps([target, "1"])


def checks(page):
    """`page` checks a page of docs."""
    return [Check("pytree/sundials.h on its own", alone),
            *[Check(f"{name} {config}", lambda name=name, config=config: program(name, config))
              for name in ("operations", "vectors") for config in CONFIGS],
            *page, Check("examples/sundials_ode.c", example), Check("bench/sundials.c", benchmark)]
