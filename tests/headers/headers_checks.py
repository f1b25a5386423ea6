"""Structs of well-known C libraries, registered as their headers declare them: live objects are printed, compared, cloned."""
import pathlib

import harness
from harness import BUILD, C_COMPILERS, ROOT, Check, failed, run

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = {"libc": [], "zlib": ["-lz"], "gsl": ["-lgsl", "-lgslcblas"], "mujoco": ["-lmujoco"]}


def program(name, compiler):
    """Builds and runs one program under the sanitizers."""
    folder = BUILD / "headers" / compiler
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    trouble, archive = harness.bodies(f"{compiler}-sanitized", compiler, harness.SANITIZE)
    if trouble:
        return trouble
    built = run(C_COMPILERS[compiler].compile(*harness.SANITIZE, "-DTEST_BODIES_APART", "-I", ROOT / "tests", "-I",
                                              ROOT / "tests" / "support", *harness.INCLUDE, HERE / f"{name}.c", archive, "-o",
                                              target, "-lcmocka", *LIBRARIES[name], "-lm"), timeout=180)
    return failed(built.log()) if built.status != 0 else harness.cmocka([target])


def checks():
    """Each library under each compiler with sanitizers."""
    return [Check(f"{name} {compiler}", lambda name=name, compiler=compiler: program(name, compiler))
            for name in LIBRARIES for compiler in ("gcc", "clang")]
