#!/usr/bin/env python3
"""All tests of the library; tests/run starts it once everything it needs is installed.

    suite.py                     for users: the themes under gcc and under clang's sanitizers, compile errors, pages, examples
    suite.py all                 every section
    suite.py SECTION...          themes, matrix, rooms, sanitizers, compile_fail, mistakes, docs, headers, harness, examples,
                                 training, oracle, models, tensors, html, mpi, sundials, python, interop, fuzz, build,
                                 single, embedded, coverage
    suite.py fast                themes with gcc and under clang's sanitizers: while working
    suite.py theme NAME...       only test_NAME.c of any folder (or a file), as for `fast`, with --config CONFIG under that one
    -j N                         checks that run at a time (otherwise as many as there are processors)
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil

import harness
from coverage import headers as covered, report as coverage_report
from cxx import cxx_checks, face_checks
from embedded import embedded_checks
from examples import examples_checks, nnx_checks, seeds_checks, tensors_checks
from headers import headers_checks
from matrix import amalgamation, rooms
from mistakes import deletions, programs
from models import minilm, resume, silero
from mpi import mpi_checks
from packages import package_checks
from pages import html_checks
from platforms import platforms
from python import python_checks
from sundials import sundials_checks
from harness import (BUILD, C_COMPILERS, CXX_COMPILERS, ROOT, SANITIZE, SANITIZER_SETTINGS, Check, Outcome, failed, passed, run,
                     steps)

TESTS = ROOT / "tests"
SHARED = ["-I", TESTS, "-I", TESTS / "support"]        # the headers of the test programs

# ---- Themes: one cmocka program for each tests/*/test_*.c -------------------------------------------------------------

CONFIGS = {
    **harness.CONFIGS,
    # threads count too; a decision with a call that has a decision among its arguments is an error: its conditions are not counted
    covered.CONFIG: ("clang-19", ["-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc",
                                  "-fprofile-update=atomic", "-Wno-parentheses-equality", "-Wno-enum-float-conversion"]),
}
PROGRAMS_OF = {"valgrind": "gcc-O2"}              # a configuration that runs the programs of another one
# Without optimisation: clang under its sanitizers and for coverage, and gcc in the build of meson. gcc's own sanitizers are at hand
# for `theme`. On two processors users wait six minutes at most, and `all` takes at most forty: gcc -Og compiles what -O0 leaves
# out, in three quarters of the time of -O1 and three fifths of that of -O2.
USER_CONFIGS = ["gcc-Og", "clang-sanitized"]
PLAIN_CONFIGS = ["gcc-O2", "clang-O2", "tcc"]
CHECKED_CONFIGS = ["clang-sanitized", "valgrind"]
FAST_CONFIGS = ["gcc-O0", "clang-sanitized"]
UNKEPT_CONFIGS = ["valgrind", covered.CONFIG]     # of themes in which calls make their own layouts, as all do under tcc
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=all",
            "--errors-for-leak-kinds=definite,indirect,possible"]


def themes():
    """The test programs' sources."""
    return sorted(TESTS.glob("*/test_*.c"), key=lambda path: path.stem)


def theme(name):
    """The source of the theme of that name; where there is none, one that cannot be compiled, so that its check fails."""
    return next((path for path in themes() if path.stem == f"test_{name}"), TESTS / f"test_{name}.c")


@harness.once
def build_theme(source, config, defines, *lines):
    """Compiles and links one test program, with more flags if they are given: (trouble or None, program)."""
    compiler, flags = CONFIGS[config]
    flags, config = [*flags, *lines], "".join([config, *lines])
    folder = BUILD / "tests" / config
    folder.mkdir(parents=True, exist_ok=True)
    apart = [], []
    if config == covered.CONFIG:
        flags = [*covered.source(), *flags]
    if source.name.startswith("test_"):
        watched = "#define TEST_WATCHED_BODIES" in source.read_text(encoding="utf-8")
        trouble, archive = harness.bodies(config, compiler, flags, "bodies") if not watched else \
            harness.bodies(config, compiler, [*flags, "-O0"], "watched_bodies")     # they count and fail alike at every level
        if trouble:
            return trouble, None
        apart = ["-DTEST_BODIES_APART", "-DTEST_WATCHED_APART"], [archive]
    program = folder / "-".join([source.stem, *defines])
    made = program.with_name(f"{program.name}.{os.getpid()}")  # another process may be running it, or make it, too
    built = run(harness.c_compiler(compiler).compile(*flags, *(f"-D{name}" for name in defines), *apart[0], *harness.INCLUDE, *SHARED,
                                              source, *apart[1], "-o", made, "-lcmocka", "-lcjson", "-lz", "-lm", "-lpthread"), timeout=180)
    if built.status != 0:
        return failed(built.log()), None
    made.replace(program)
    return None, program


def run_theme(source, config, defines=()):
    """Builds and runs one test program under one configuration; one that fails under clang's sanitizers once more, with lines."""
    outcome = run_built(source, config, defines)
    if outcome.failed and config == "clang-sanitized":
        with_lines = run_built(source, config, defines, harness.LINES)
        return with_lines if with_lines.failed else outcome
    return outcome


def run_built(source, config, defines, *lines):
    """The same, once, with more flags."""
    trouble, program = build_theme(source, PROGRAMS_OF.get(config, config), tuple(defines), *lines)
    if trouble:
        return trouble
    if config == "valgrind":
        return harness.cmocka([*VALGRIND, program], timeout=500, env={"PYTREE_TEST_VALGRIND": "1"})
    counted = covered.profile_of(program) if config == covered.CONFIG else {}
    return harness.cmocka([program], timeout=600 if counted else 180, env={**SANITIZER_SETTINGS, **counted})


def theme_checks(configs, sources=None):
    """Every theme under every configuration."""
    return [Check(f"{source.stem.removeprefix('test_')} {config}", lambda source=source, config=config: run_theme(source, config))
            for source in (themes() if sources is None else sources) for config in configs
            if not source.stem.endswith("_unkept") or config in UNKEPT_CONFIGS]


# ---- Matrix: how the headers may be included ---------------------------------------------------------------------------

MATRIX = TESTS / "matrix"
HEADERS = ["pytree.h", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pytree").glob("*.h")
                               if not harness.is_foreign(path))]
# name, sources, defines
ALONE = [(f"{header} alone{', with bodies' if define else ''}", ["header_alone.c"], [f'-DHEADER="{header}"', *define])
         for define in ([], ["-DPYTREE_IMPLEMENTATION"]) for header in HEADERS]
APART = [("-O0", "clang"), ("-O0", "tcc")]                       # where each of them is compiled for itself
TOGETHER = [word for header in HEADERS for word in ("-include", header)]
# At -O2 the themes are linked to these bodies. Warnings of gcc follow the values that its optimiser knows, so that each level has
# its own; those of clang do not depend on the level.
WITH_BODIES = ("every header in one file, with bodies", ["header_alone.c"], ['-DHEADER="pytree.h"', "-DPYTREE_IMPLEMENTATION", *TOGETHER])
LEVELS = {"gcc": ["-O0", "-O1", "-O3", "-Og", "-Os"], "clang": ["-O0"], "tcc": ["-O0"]}
CXX_LEVELS = {"gcc": ["-O0", "-O2"], "clang": ["-O0"]}
# How headers are included, which the optimiser does not see, ...
ORDERS = [
    ("every header in one file", ["header_alone.c"], ['-DHEADER="pytree.h"', *TOGETHER]),
    ("pytree_registry.h alone", ["registry_alone.c", "bodies.c"], []),
    ("pytree_registry.h alone, with bodies", ["registry_alone.c"], ["-DWITH_BODIES"]),
    ("pytree.h, pytree_registry.h", ["pytree_first.c"], []),
    ("pytree_registry.h, pytree.h", ["registry_first.c"], []),
    ("all twice", ["pytree_twice.c"], []),
    ("bodies after their use", ["bodies_after.c"], []),
]
# ... and what several files share, which it does.
PROGRAMS = [
    ("two files share trees", ["two_files_a.c", "two_files_b.c"], []),
    ("two files share namespaces and custom nodes", ["shared_a.c", "shared_b.c"], []),
    ("two files share trees, no stb_ds.h", ["two_files_a.c", "two_files_b.c"], ["-DPYTREE_NO_STB_DS"]),
]


@harness.once
def matrix_object(compiler, source, *flags):
    """Compiles a source, once for all programs it is in; returns the failure or None, and the object."""
    command = compiler.compile(*flags, *harness.INCLUDE, "-c", MATRIX / source)
    target = BUILD / "matrix" / f"{source}.{hashlib.sha256(repr(command).encode()).hexdigest()[:16]}.o"
    target.parent.mkdir(parents=True, exist_ok=True)
    built = run([*command, "-o", target])
    return failed(built.log()) if built.status != 0 else None, target


def matrix_program(name, sources, defines, compiler_of, linker, optimisation):
    """Compiles the sources apart, links them, runs the program."""
    made = []
    for source in sources:
        trouble, target = matrix_object(compiler_of(source), source, optimisation, *defines)
        if trouble:
            return trouble
        made.append(target)
    program = BUILD / "matrix" / re.sub(r"\W+", "_", f"{linker}{optimisation}") / re.sub(r"\W+", "_", name)
    program.parent.mkdir(parents=True, exist_ok=True)
    return steps([linker, *made, "-o", program, "-lz", "-lm"], [program])


def matrix_checks():
    """Every program under every compiler, C++ from C, and objects of two compilers in one program."""
    checks = []
    for optimisation in ("-O0", "-O2"):
        for compiler in C_COMPILERS.values():
            checks += [Check(f"{compiler.name} {optimisation}  {name}",
                             lambda name=name, sources=sources, defines=defines, compiler=compiler, optimisation=optimisation:
                             matrix_program(name, sources, defines, lambda _: compiler, compiler.command, optimisation))
                       for name, sources, defines in PROGRAMS + (ORDERS if optimisation == "-O0" else [])
                       + (ALONE if (optimisation, compiler.name) in APART else [])]
        for kind, compiler in CXX_COMPILERS.items():
            def either(source, kind=kind, compiler=compiler):
                return compiler if source.endswith(".cpp") else C_COMPILERS[kind]
            checks += [Check(f"{compiler.name} {optimisation}  C++17 with a struct registered in C, {bodies}",
                             lambda compiler=compiler, either=either, optimisation=optimisation, bodies=bodies:
                             matrix_program(f"C++ {bodies}", ["cxx_main.cpp", "two_files_b.c", bodies], [], either,
                                            compiler.command, optimisation))
                       for bodies in ("bodies.c", "bodies.cpp")]
            checks.append(Check(f"{compiler.name} {optimisation}  C++17, trees with every row from C",
                                lambda compiler=compiler, either=either, optimisation=optimisation:
                                matrix_program("C++ rows", ["rows_main.cpp", "rows_made.c"], [], either, compiler.command,
                                               optimisation)))
            # -x c++: a header on its own is otherwise taken for one to be precompiled
            for define in [[], ["-DPYTREE_IMPLEMENTATION"]][:1 + (optimisation in CXX_LEVELS[kind])]:
                target = BUILD / "matrix" / f"{compiler.name}{len(define)}{optimisation}.o"
                checks.append(Check(f"{compiler.name} {optimisation}  C++17, every header{', with bodies' if define else ''}",
                                    lambda compiler=compiler, optimisation=optimisation, define=define, target=target:
                                    steps(compiler.compile(optimisation, *harness.INCLUDE, '-DHEADER="pytree.h"', *define, *TOGETHER,
                                                           "-x", "c++", "-c", MATRIX / "header_alone.c", "-o", target))))

        def mixed(source):
            return C_COMPILERS["clang" if source.endswith("_b.c") else "gcc"]
        checks.append(Check(f"gcc and clang {optimisation}  two files share trees",
                            lambda mixed=mixed, optimisation=optimisation:
                            matrix_program("mixed", ["two_files_a.c", "two_files_b.c"], [], mixed, "gcc", optimisation)))
    checks += [Check(f"{compiler.name} {level}  {WITH_BODIES[0]}",
                     lambda compiler=compiler, level=level: matrix_program(*WITH_BODIES, lambda _: compiler, compiler.command, level))
               for name, compiler in C_COMPILERS.items() for level in LEVELS[name]]
    return checks


# ---- The harness itself: a failure must be noticed ---------------------------------------------------------------------


def must_fail(how, config, last_line, words=""):
    """A whole run over tests/support/must_fail.c must report the failure: in its last line, in its exit status, and once more
    before it ends."""
    result = run(["python3", TESTS / "suite.py", "theme", TESTS / "support" / "must_fail.c", "--config", config, "--define",
                  f"MUST_FAIL_BY_{how}"])
    last = result.output.rstrip().splitlines()[-1]
    again = result.output.partition("\nWhat failed\n")[2]
    if result.status == 0 or last != last_line or words not in again:
        return failed(f"{result.log()}this run must end with status 1, say '{words}', and close with '{last_line}'")
    return passed()


def commands_that_end_early():
    """Whatever becomes of a command, its result has a status and both texts."""
    script = "echo out; echo err >&2; exec sleep 60"
    stopped = run(["sh", "-c", script], timeout=1, separate=True)
    together = run(["sh", "-c", script], timeout=1)
    missing = run(["no-such-command"], separate=True)
    seen = [(stopped.status, stopped.output.startswith("out\n\nstopped"), stopped.errors),
            (together.status, together.output.startswith("out\nerr\n\nstopped"), together.errors),
            (missing.status, "no-such-command" in missing.output, missing.errors)]
    wanted = [(124, True, "err\n"), (124, True, ""), (127, True, "")]
    return passed() if seen == wanted else failed(f"expected {wanted}\ngot {seen}\n")


def harness_checks():
    """Each kind of failure under the configuration that is there to find it."""
    cases = [("ASSERTION", config, "1 passed, 1 failed", "Failure!") for config in (*CONFIGS, *PROGRAMS_OF)]
    cases += [
        ("CRASH", "gcc-O0", "1 passed, 1 failed", "exit status"),
        ("EXIT", "gcc-O0", "1 passed, 1 failed", "exit status 0"),
        ("WARNING", "gcc-O0", "0 passed, 1 failed", "unused variable"),
        ("WARNING", "clang-O0", "0 passed, 1 failed", "unused variable"),
        ("LEAK", "gcc-sanitized", "2 passed, 1 failed", "LeakSanitizer"),
        ("LEAK", "clang-sanitized", "2 passed, 1 failed", "LeakSanitizer"),
        ("LEAK", "valgrind", "2 passed, 1 failed", "definitely lost"),
        ("OVERFLOW", "gcc-sanitized", "1 passed, 1 failed", "signed integer overflow"),
        ("OVERFLOW", "clang-sanitized", "1 passed, 1 failed", "signed integer overflow"),
        ("OVERRUN", "gcc-sanitized", "1 passed, 1 failed", "heap-buffer-overflow"),
        ("OVERRUN", "clang-sanitized", "1 passed, 1 failed", "must_fail.c:"),
        ("OVERRUN", "valgrind", "2 passed, 1 failed", "Invalid read"),
        ("RACE", "clang-threads", "2 passed, 1 failed", "data race"),
    ]
    checks = [Check(f"{how.lower()} is noticed, {config}", lambda case=(how, config, *rest): must_fail(*case))
              for how, config, *rest in cases]
    return [*checks, Check("commands that are stopped or missing", commands_that_end_early)]


# ---- Build system --------------------------------------------------------------------------------------------------------


def meson(folder, source, *arguments):
    """Command line that configures a build."""
    return ["meson", "setup", folder, source, *arguments]


def meson_checks():
    """The build of meson.build, an installation, and those who use either."""
    build, prefix = BUILD / "meson", BUILD / "installed"

    def whole():
        harness.fresh(build)
        made = steps(meson(build, ROOT, "--buildtype=debug", "--prefix", prefix, "-Dtests=enabled", "-Dexamples=enabled"),
                     ["meson", "compile", "-C", build], timeout=600)
        if made.failed:
            return made
        result = run(["meson", "test", "-C", build], timeout=600)
        counts = dict(re.findall(r"^(Ok|Fail|Expected Fail|Timeout|Skipped):\s+(\d+)", result.output, re.M))
        good, bad = int(counts.get("Ok", 0)), int(counts.get("Fail", 0)) + int(counts.get("Timeout", 0))
        if good != len(themes()) or result.status != 0:
            bad = max(bad, 1)
        outcome = Outcome(1 + good, bad, result.log())        # the build itself is one
        harness.fresh(prefix)
        installed = steps(["meson", "install", "-C", build])
        if installed.failed:
            return Outcome(outcome.passed, outcome.failed + 1, outcome.log + installed.log)
        # Installed as they are, all of them, in the places that pkg-config is told.
        there = {path.relative_to(prefix / "include").as_posix() for path in (prefix / "include").rglob("*.h")}
        wanted = {path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.h"), *(ROOT / "pytree").rglob("*.h"))}
        same = there == wanted and all((prefix / "include" / name).read_bytes() == (ROOT / name).read_bytes() for name in there)
        if not same:
            return Outcome(outcome.passed, outcome.failed + 1, f"{outcome.log}installed: {sorted(there)}, wanted: {sorted(wanted)}")
        outcome.passed += 1
        for one in (pkg_config_consumer(prefix), static_library_consumer(prefix)):
            outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
        return outcome

    return [Check("meson: build, test, install; consumer by pkg-config", whole, long=True),
            Check("meson: as a subproject", subproject)]


def pkg_config_consumer(prefix):
    """Builds a program with nothing but what pkg-config says about an installation, under each compiler."""
    folder = harness.fresh(BUILD / "consumer")
    shutil.copytree(MATRIX, folder / "source")
    found = sorted(prefix.rglob("pytree.pc"))
    if not found:
        return failed("no pytree.pc was installed")
    environment = {"PKG_CONFIG_PATH": str(found[0].parent)}
    answer = run(["pkg-config", "--cflags", "--libs", "pytree"], env=environment)
    version = run(["pkg-config", "--modversion", "pytree"], env=environment)
    header = (ROOT / "pytree.h").read_text(encoding="utf-8")
    if answer.status != 0 or f'#define PYTREE_VERSION "{version.output.strip()}"' not in header:
        return failed(answer.log() + version.log())
    outcome = Outcome()
    for compiler in C_COMPILERS.values():
        program = folder / compiler.name
        one = steps(compiler.compile("two_files_a.c", "two_files_b.c", *answer.output.split(), "-o", program, "-lm"), [program],
                    cwd=folder / "source")
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    return outcome


def static_library_consumer(prefix):
    """Links a program without bodies to the static library, as pkg-config says."""
    folder = harness.fresh(BUILD / "consumer_static")
    source = (ROOT / "examples" / "quickstart.c").read_text(encoding="utf-8")
    (folder / "quickstart.c").write_text(re.sub(r"#define PYTREE_IMPLEMENTATION.*\n", "", source), encoding="utf-8")
    places = {str(path.parent) for path in prefix.rglob("*.pc")}
    answer = run(["pkg-config", "--cflags", "--libs", "--static", "pytree-static"], env={"PKG_CONFIG_PATH": ":".join(places)})
    if answer.status != 0:
        return failed(answer.log())
    return steps(C_COMPILERS["gcc"].compile(folder / "quickstart.c", "-o", folder / "quickstart", *answer.output.split()),
                 [folder / "quickstart"])


def library_copy(folder):
    """What a project that carries the library has of it."""
    folder.mkdir(parents=True)
    for name in ("pytree.h", "pytree_registry.h", "meson.build", "meson_options.txt"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "pytree", folder / "pytree")
    return folder


def subproject():
    """Two ways to ask for it: by name, answered by the override, and by the variable of the subproject."""
    outcome = Outcome()
    for number, lookup in enumerate(["subproject('pytree')\npytree = dependency('pytree')",
                                     "pytree = dependency('pytree', fallback: ['pytree', 'pytree_dep'])",
                                     "pytree = subproject('pytree').get_variable('pytree_dep')"]):
        folder = harness.fresh(BUILD / "subproject" / str(number))
        library_copy(folder / "subprojects" / "pytree")
        for name in ("two_files_a.c", "two_files_b.c", "two_files.h", "model.h", "use.h"):
            shutil.copy(MATRIX / name, folder)
        (folder / "meson.build").write_text(
            f"project('consumer', 'c', default_options: ['c_std=c11', 'warning_level=3', 'werror=true'])\n{lookup}\n"
            "test('use', executable('use', 'two_files_a.c', 'two_files_b.c', dependencies: pytree))\n", encoding="utf-8")
        one = steps(meson(folder / "build", folder), ["meson", "test", "-C", folder / "build"])
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    return outcome


# ---- stb_ds wherever it is -----------------------------------------------------------------------------------------------


@harness.once
def without_stb(compiler):
    """Flags under which the system's headers are all there but stb's: its include folders, mirrored without them by links."""
    said = run([compiler, "-E", "-v", "-x", "c", "/dev/null"]).output
    flags = ["-nostdinc"]
    listed = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", said, re.S)[1]
    for number, folder in enumerate(pathlib.Path(line.strip()) for line in listed.splitlines()):
        mirror = harness.fresh(BUILD / "without_stb" / f"{compiler}{number}")
        for entry in folder.iterdir():
            if entry.name not in ("stb", "stb_ds.h"):
                (mirror / entry.name).symlink_to(entry)
        # In one word, and never the folder itself: meson drops words it has seen and folders the compiler knows.
        flags.append(f"-isystem{mirror}")
    return tuple(flags)


def stb_header():
    """Where this machine has stb_ds.h."""
    places = [word.removeprefix("-isystem") for word in harness.STB] + ["/usr/include/stb", "/usr/local/include/stb", "/usr/include"]
    return next(path for path in (pathlib.Path(place) / "stb_ds.h" for place in places) if path.is_file())


def stb_places(compiler):
    """Compiles pytree.h with stb_ds.h in each of its places, and with none: only pytree/containers.h fails."""
    folder = harness.fresh(BUILD / "stb" / compiler)
    hidden = without_stb(compiler)
    (folder / "plain").mkdir()
    (folder / "plain" / "stb_ds.h").symlink_to(stb_header())
    (folder / "nested" / "stb").mkdir(parents=True)
    (folder / "nested" / "stb" / "stb_ds.h").symlink_to(stb_header())
    copy = library_copy(folder / "copy")
    shutil.copy(stb_header(), copy)
    source = ["-DPYTREE_IMPLEMENTATION", '-DHEADER="pytree.h"', "-c", MATRIX / "header_alone.c", "-o", folder / "out.o"]
    # Warnings are not asked of stb_ds.h where it is a plain header of the user's.
    base = [compiler, "-std=c11", "-pedantic-errors", *hidden]
    outcome = Outcome()
    for flags in (["-isystem", folder / "plain", "-I", ROOT], ["-isystem", folder / "nested", "-I", ROOT], ["-I", copy],
                  [*harness.STB, "-I", ROOT]):
        one = steps([*base, *flags, *source])
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    # With none, everything else works; pytree/containers.h says what to install.
    one = steps([*base, "-I", ROOT, *source])
    outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    missing = run([*base, "-I", ROOT, *(word.replace("pytree.h", "pytree/containers.h") for word in map(str, source))])
    complaints = re.findall(r"error: (.*)", missing.output)
    if missing.status != 0 and complaints and "libstb-dev" in complaints[0]:
        outcome.passed += 1
    else:
        outcome.failed += 1
        outcome.log += f"{missing.log()}without stb_ds.h the first error must say what to install\n"
    return outcome


def stb_meson(place):
    """The same through meson.build: with stb_ds.h in one place only, or nowhere."""
    folder = harness.fresh(BUILD / "stb" / ("meson_" + re.sub(r"\W+", "_", place)))
    copy = library_copy(folder / "subprojects" / "pytree")
    flags = list(without_stb("gcc"))
    environment = {"CC": "gcc", "PKG_CONFIG_LIBDIR": str(folder / "pc"), "PKG_CONFIG_PATH": ""}
    (folder / "pc").mkdir()
    (folder / "there" / "stb").mkdir(parents=True)
    if place == "beside":
        shutil.copy(stb_header(), copy)
    elif place == "stb.pc":
        (folder / "there" / "stb_ds.h").symlink_to(stb_header())
        (folder / "pc" / "stb.pc").write_text(f"Name: stb\nDescription: stb\nVersion: 0\nCflags: -I{folder}/there\n", encoding="utf-8")
    elif place == "<stb/stb_ds.h>":
        (folder / "there" / "stb" / "stb_ds.h").symlink_to(stb_header())
        flags.append(f"-isystem{folder / 'there'}")
    elif place == "<stb_ds.h>":
        (folder / "there" / "stb_ds.h").symlink_to(stb_header())
        flags.append(f"-isystem{folder / 'there'}")
    for name in ("two_files_a.c", "two_files_b.c", "two_files.h", "model.h", "use.h"):
        shutil.copy(MATRIX / name, folder)
    (folder / "meson.build").write_text(
        "project('consumer', 'c', default_options: ['c_std=c11'])\n"
        "test('use', executable('use', 'two_files_a.c', 'two_files_b.c', dependencies: dependency('pytree')))\n", encoding="utf-8")
    (folder / "subprojects" / "pytree.wrap").write_text("[wrap-file]\n[provide]\npytree = pytree_dep\n", encoding="utf-8")
    setup = run(meson(folder / "build", folder, "-Dc_args=" + json.dumps(flags)), env=environment)
    if setup.status != 0 or ("libstb-dev" in setup.output) != (place == "nowhere"):
        return failed(setup.log())
    return steps(["meson", "test", "-C", folder / "build"], env=environment)


def slot_headers():
    """The headers of pytree/registry/ that a script makes are what it makes."""
    return steps([ROOT / "tools" / "slots.py", "--check"])


def build_checks():
    """meson, pkg-config, and where stb_ds.h may be."""
    return [*meson_checks(), Check("tools/slots.py", slot_headers),
            *[Check(f"{compiler}: stb_ds.h in each of its places, and in none", lambda compiler=compiler: stb_places(compiler))
              for compiler in ("gcc", "clang")],
            *[Check(f"meson: stb_ds.h {place}", lambda place=place: stb_meson(place))
              for place in ("beside", "stb.pc", "<stb/stb_ds.h>", "<stb_ds.h>", "nowhere")]]


# ---- Coverage ------------------------------------------------------------------------------------------------------------


def coverage_checks():
    """The tests as clang 19 counts them; what an earlier run left is not counted."""
    harness.fresh(BUILD / "tests" / covered.CONFIG)
    return theme_checks([covered.CONFIG])


# ---- Sections ------------------------------------------------------------------------------------------------------------


def script(path, **options):
    """A script's checks, with options for them."""
    return harness.script_module(path).checks(**options)


SECTIONS = {
    "themes": ("Tests, each theme under each compiler", lambda: theme_checks(PLAIN_CONFIGS)),
    "matrix": ("Compile matrix: headers alone, in any order, twice, in two files, from C++", matrix_checks),
    "cxx": ("Registrations in C++17, C++20 and CUDA: the descriptors of C, structs of C++, pytree.hpp, compile errors",
            lambda: cxx_checks.checks() + face_checks.checks() + harness.script_module("compile_fail/run").checks_cxx()),
    "rooms": ("Every header on its own, as an editor opens it", lambda: rooms.checks(BUILD)),
    "sanitizers": ("The tests once more: address, undefined-behaviour and thread sanitizers, valgrind",
                   lambda: theme_checks(CHECKED_CONFIGS) + theme_checks(["clang-threads"], [theme("threads")])),
    "compile_fail": ("Programs that must not compile, and what the compiler must say", lambda: script("compile_fail/run")),
    "mistakes": ("Mistakes, each with the first lines of a compiler; every row of every registered struct, left out",
                 lambda: programs.checks() + deletions.checks()),
    "docs": ("Pages and comments of headers: every C block compiles, every program prints what the page shows",
             lambda: script("docs/run")),
    "site": ("The site: every function has an entry in the reference, no link is dead",
             lambda: [Check("reference", lambda: steps([ROOT / "tools" / "reference.py", "--check"])),
                      Check("links", lambda: steps([ROOT / "docs" / "build"]))]),
    "headers": ("Structs of the C library, zlib, GSL and MuJoCo, as their headers declare them", headers_checks.checks),
    "harness": ("A failure is noticed", harness_checks),
    "examples": ("Examples", lambda: examples_checks.checks() + examples_checks.strict_checks() + seeds_checks.checks() + nnx_checks.checks()),
    "training": ("Examples that train on the real images, or take long to compile", examples_checks.training_checks),
    "oracle": ("Random trees: the same questions to the library, to JAX, to optree and to Flax",
               lambda: [Check(name, lambda words=words: steps([TESTS / "oracle" / "run", *words], timeout=1200), long=True)
                        for name, words in (("two minutes of trees, seed 0", ["--seconds", "120"]),
                                            ("ten thousand cases of transforms, seed 0", ["transforms"]),
                                            ("five thousand sequences of states, seed 0", ["states", "--sanitize"]))]),
    "models": ("Published models, and a training that is killed and resumed",
               lambda: silero.checks() + minilm.checks() + resume.checks()),
    "tensors": ("examples/tensors.c: the tool for checkpoints", tensors_checks.checks),
    "html": ("Pages of pytree/html.h in a browser", html_checks.checks),
    "mpi": ("pytree/mpi.h on one to four ranks, and an example that trains on them", mpi_checks.checks),
    "sundials": ("Trees as vectors of SUNDIALS: its vector tests, solvers, the example",
                 lambda: sundials_checks.checks(script("docs/run", names=["docs/sundials.md"]))),
    "python": ("The package in python/: trees of C in JAX and optree, without copies", python_checks.checks),
    "interop": ("Files of Python's safetensors and NumPy, both ways", lambda: script("interop/run.py")),
    "fuzz": ("What reads text and bytes: corpora, then the fuzzer", lambda: script("fuzz/run")),
    "build": ("Build system: meson, installation, subproject, where stb_ds.h may be", build_checks),
    "packages": ("The release and the packages made of it", package_checks.checks),
    "single": ("The library as two files, as tools/amalgamate.py makes them", amalgamation.checks),
    "embedded": ("Flash and stack: a Cortex-M4 under QEMU, this machine; PYTREE_SMALL, no stb_ds.h", embedded_checks.checks),
    covered.CONFIG: ("Coverage of the tests", coverage_checks),
}
# Not part of `all`, which would take twice as long.
ON_REQUEST = {"platforms": ("The themes on other machines, systems, C libraries and compilers", platforms.checks),
              **{f"platforms-{one.name}": (f"The themes on {one.name}", functools.partial(platforms.checks, one.name))
                 for one in platforms.PLATFORMS}}
FOR_USERS = {"themes": ("Tests, each theme under gcc and under clang's sanitizers", lambda: theme_checks(USER_CONFIGS)),
             "compile_fail": SECTIONS["compile_fail"],
             "docs": (SECTIONS["docs"][0], lambda: script("docs/run", configs=USER_CONFIGS[:1])),
             "examples": ("Examples", lambda: examples_checks.checks(USER_CONFIGS[0]))}


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="sections, `all`, `fast`, or `theme NAME...`")
    parser.add_argument("-j", type=int, default=None, dest="jobs", help="checks at a time")
    parser.add_argument("--config", choices=[*CONFIGS, *PROGRAMS_OF], action="append", help="for `theme`")
    parser.add_argument("--define", action="append", default=[], help="for `theme`: macros")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    report = harness.Report(arguments.jobs)
    what = arguments.what
    if what[:1] == ["theme"]:
        sources = [pathlib.Path(name).resolve() if name.endswith(".c") else theme(name) for name in what[1:]]
        configs = arguments.config or FAST_CONFIGS
        report.add("Tests", [Check(f"{source.stem.removeprefix('test_')} {config}",
                                   lambda source=source, config=config: run_theme(source, config, arguments.define))
                             for source in sources for config in configs])
        return report.finish()
    if what == ["fast"]:
        report.add("Tests", theme_checks(FAST_CONFIGS))
        return report.finish()
    unknown = [name for name in what if name not in {**SECTIONS, **ON_REQUEST} and what != ["all"]]
    if unknown:
        parser.error(f"unknown section: {' '.join(unknown)}; there are {', '.join([*SECTIONS, *ON_REQUEST])}")
    chosen = FOR_USERS if not what else SECTIONS if what == ["all"] \
        else {name: {**SECTIONS, **ON_REQUEST}[name] for name in what}
    for name, (title, checks) in chosen.items():
        report.add(title, checks())
        if name == covered.CONFIG:
            report.add("Lines, branches and conditions", [Check("llvm-cov", coverage_report.check)], last=True)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(main())
