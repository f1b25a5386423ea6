"""pytree/mpi.h on one to four ranks of this machine; its page, its headers; an example that trains, dies and goes on."""
import functools
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import harness
from docs import comments
from examples import examples_checks
from harness import BUILD, C_COMPILERS, INCLUDE, ROOT, Check, Outcome, failed, passed, run, steps
from matrix import rooms

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = BUILD / "mpi"
SHARED = ["-I", HERE.parent, "-I", HERE.parent / "support"]
FLAGS = harness.pkg_config("mpi-c", "--cflags")
LIBRARIES = harness.pkg_config("mpi-c", "--libs")
MPICH = harness.pkg_config("mpich", "--cflags"), harness.pkg_config("mpich", "--libs")
# Open MPI leaks what it allocates at its start, and asks whether root is meant.
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=0", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
BUILDS = {                       # compiler, flags, ranks
    "gcc": ("gcc", ["-O1"], (1, 2, 3, 4)),
    "mpich": ("gcc", ["-O1"], (1, 3)),
    "clang-sanitized": ("clang", harness.SANITIZE, (1, 3)),
    # counts above the most are split: with this one, those of small arrays
    "split": ("gcc", ["-O0", "-DPYTREE_MPI_COUNT=75"], (2,)),
}


def on(ranks, *command, mpich=False):
    """Command line that runs a program on so many ranks."""
    return [*(["mpirun.mpich"] if mpich else ["mpirun", "--oversubscribe"]), "-n", str(ranks), *map(str, command)]


def theme(name, build):
    """Builds one program and runs it on so many ranks."""
    compiler, flags, numbers = BUILDS[build]
    mpich = build == "mpich"
    own, libraries = MPICH if mpich else (FLAGS, LIBRARIES)
    folder = FOLDER / build
    folder.mkdir(parents=True, exist_ok=True)
    built = run(C_COMPILERS[compiler].compile(*flags, *INCLUDE, *SHARED, *own, HERE / f"{name}.c", "-o", folder / name, *libraries,
                                              "-lcmocka", "-lm"), timeout=180)
    if built.status != 0:
        return failed(built.log())
    outcome = Outcome()
    for ranks in numbers:
        one = harness.cmocka(on(ranks, folder / name, folder / f"{name}.bin", mpich=mpich), timeout=60, env=SETTINGS)
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + (one.log if one.failed else ""))
    return outcome


def headers():
    """The header and its rooms open on their own, in C11 and C++17; tcc compiles the bodies."""
    own = [path for path in (ROOT / "pytree").rglob("*.h") if path.stem.split("_")[0] == "mpi"]
    outcome = Outcome()
    for compiler in ("gcc", "clang"):
        one = rooms.opens(compiler, own, *FLAGS)
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    alone = ['-DHEADER="pytree/mpi.h"', "-DPYTREE_IMPLEMENTATION"]
    source = HERE.parent / "matrix" / "header_alone.c"
    for compiler, words in [(C_COMPILERS["tcc"], []), *((one, ["-x", "c++"]) for one in harness.CXX_COMPILERS.values())]:
        one = steps(compiler.compile(*INCLUDE, *FLAGS, *alone, *words, "-c", source, "-o", FOLDER / f"{compiler.name}.o"))
        outcome = Outcome(outcome.passed + one.passed, outcome.failed + one.failed, outcome.log + one.log)
    return outcome


def page():
    """docs/mpi.md: its programs run on as many ranks as it says; the examples in the header compile."""
    os.environ.update(SETTINGS)
    loader = harness.script_module("docs/run")
    whole = loader.Page(ROOT / "docs" / "mpi.md", flags=FLAGS).check()
    examples, seen = comments.compiled("pytree/mpi.h", "pytree/mpi.h", (ROOT / "pytree" / "mpi.h").read_text(encoding="utf-8"), *FLAGS)
    if seen == 0:
        return failed("no example in the comments of pytree/mpi.h\n")
    return Outcome(whole.passed + examples.passed, whole.failed + examples.failed, whole.log + examples.log)


# ---- The example -----------------------------------------------------------------------------------------------------------


EPOCHS = 3
BUILDING = threading.Lock()


@functools.lru_cache(maxsize=None)
def built_example(mpich):
    """Builds it strictly, and made-up images: the failure or None, the program, their folder."""
    own, libraries = MPICH if mpich else (FLAGS, LIBRARIES)
    program = FOLDER / f"fashion_mnist_mpi{'_mpich' if mpich else ''}"
    FOLDER.mkdir(parents=True, exist_ok=True)
    built = run(C_COMPILERS["gcc"].compile("-O2", *INCLUDE, *own, ROOT / "examples" / "fashion_mnist_mpi.c", "-o", program,
                                           *libraries, "-lz", "-lm"), timeout=180)
    return failed(built.log()) if built.status else None, program, examples_checks.small_data(program.name)


def example(mpich=False):
    """The same, once for all checks."""
    with BUILDING:
        return built_example(mpich)


def losses(ranks, *arguments, mpich=False):
    """The losses that a run prints, one for each epoch, and its result."""
    _, program, data = example(mpich)
    result = run(on(ranks, program, "--data", data, "--epochs", EPOCHS, *arguments, mpich=mpich), timeout=100, env=SETTINGS)
    found = [float(text) for text in re.findall(r"^epoch .*? loss (\d+\.\d+)", result.output, re.M)]
    return found if result.status == 0 else [], result


def curves():
    """Any number of ranks has the losses of one process, under both libraries."""
    trouble = example()[0] or example(mpich=True)[0]
    if trouble:
        return trouble
    one, result = losses(1)
    outcome = passed() if len(one) == EPOCHS else failed(result.log())
    for ranks, mpich in ((2, False), (4, False), (2, True)):
        got, result = losses(ranks, mpich=mpich)
        good = len(got) == EPOCHS and all(abs(a - b) <= 1e-5 for a, b in zip(one, got))
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{result.log()}expected the losses {one}, got {got}\n"
    return outcome


def ranks_of(mpirun):
    """The processes of our program that this mpirun has started."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == mpirun and "fashion_mnist_mpi" in os.readlink(folder / "exe"):
                yield int(folder.name)
        except (OSError, ValueError):
            continue


def death():
    """A rank dies: the run ends with a message, its checkpoint is whole, and another number of ranks goes on to the same losses."""
    trouble, program, data = example()
    if trouble:
        return trouble
    whole, _ = losses(2)
    saved = FOLDER / "run.safetensors"
    saved.unlink(missing_ok=True)
    command = on(3, program, "--data", data, "--epochs", EPOCHS, "--save", saved)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **SETTINGS}) as job:
        seen = ""
        for line in job.stdout:
            seen += line
            if line.startswith("epoch "):
                break
        victims = sorted(ranks_of(job.pid))
        if victims:
            os.kill(victims[-1], signal.SIGKILL)
        began = time.monotonic()
        try:
            rest, _ = job.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            job.kill()
            return failed(f"{seen}\nthe run went on after one of its ranks had died\n")
    if not victims or job.returncode == 0 or "signal 9" not in rest:
        return failed(f"{seen}{rest}\na run whose rank dies must fail and say so ({time.monotonic() - began:.0f} s)\n")
    rest_of, result = losses(4, "--resume", saved, "--save", saved)
    if not rest_of or any(abs(a - b) > 1e-5 for a, b in zip(whole[-len(rest_of):], rest_of)):
        return failed(f"{result.log()}expected the last of {whole}, got {rest_of}\n")
    saved.write_bytes(saved.read_bytes()[:1000])
    broken, result = losses(2, "--resume", saved)
    return passed() if not broken and "run.safetensors" in result.output else failed(f"{result.log()}a broken file must be refused\n")


def checks():
    """Programs, header and page, example, benchmark."""
    return [*[Check(f"{name}, {build}", lambda name=name, build=build: theme(name, build)) for name in ("trees", "sums")
              for build in BUILDS],
            Check("headers", headers), Check("docs/mpi.md", page),
            Check("fashion_mnist_mpi: the losses of one process", curves),
            Check("fashion_mnist_mpi: a rank that dies", death),
            Check("bench/mpi.c compiles", lambda: steps(C_COMPILERS["gcc"].compile(
                *INCLUDE, *FLAGS, "-c", ROOT / "bench" / "mpi.c", "-o", FOLDER / "bench.o")))]
