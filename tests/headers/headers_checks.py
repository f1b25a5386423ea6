"""Structs of well-known C libraries, registered as their headers declare them: live objects are printed, compared, cloned."""
import pathlib

import harness
from harness import BUILD, C_COMPILERS, ROOT, Check, failed, run

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = {"libc": [], "zlib": ["-lz"], "gsl": ["-lgsl", "-lgslcblas"], "mujoco": ["-lmujoco"]}
FLAGS = ["-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def program(name, compiler):
    """Builds and runs one program under the sanitizers."""
    folder = BUILD / "headers" / compiler
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    built = run(C_COMPILERS[compiler].compile(*FLAGS, "-I", ROOT / "tests", "-I", ROOT / "tests" / "support", *harness.INCLUDE,
                                              HERE / f"{name}.c", "-o", target, "-lcmocka", *LIBRARIES[name], "-lm"), timeout=180)
    return failed(built.log()) if built.status != 0 else harness.cmocka([target])


def checks():
    """Each library under each compiler with sanitizers."""
    return [Check(f"{name} {compiler}", lambda name=name, compiler=compiler: program(name, compiler))
            for name in LIBRARIES for compiler in ("gcc", "clang")]
