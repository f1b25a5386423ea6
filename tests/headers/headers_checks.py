"""Structs of well-known C libraries, registered as their headers declare them: live objects are printed, compared, cloned."""
import pathlib

import harness
from harness import BUILD, C_COMPILERS, ROOT, Check, failed, run

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = {"libc": [], "zlib": ["-lz"], "gsl": ["-lgsl", "-lgslcblas"], "mujoco": ["-lmujoco"]}


def program(name, config):
    """Builds and runs one program under a configuration."""
    compiler, flags = harness.CONFIGS[config]
    folder = BUILD / "headers" / config
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    trouble, archive = harness.bodies(config, compiler, flags)
    if trouble:
        return trouble
    built = run(C_COMPILERS[compiler].compile(*flags, "-DTEST_BODIES_APART", "-I", ROOT / "tests", "-I", ROOT / "tests" / "support",
                                              *harness.INCLUDE, HERE / f"{name}.c", archive, "-o", target, "-lcmocka",
                                              *LIBRARIES[name], "-lm"), timeout=180)
    return failed(built.log()) if built.status != 0 else harness.cmocka([target])


def checks():
    """Each library under gcc, and under clang's sanitizers."""
    return [Check(f"{name} {config}", lambda name=name, config=config: program(name, config))
            for name in LIBRARIES for config in ("gcc-O2", "clang-sanitized")]
