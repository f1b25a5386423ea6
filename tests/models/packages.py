"""The published models, in a virtual environment of their own, and what reads them there."""
import pathlib
import shutil
import sys
import threading

import harness
from harness import BUILD, ROOT, run

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = BUILD / "models"
VENV = FOLDER / "venv"
making = threading.Lock()


def installed(package):
    """The folder of a Python package; installs all of them first if requirements.txt is new."""
    wanted, have = HERE / "requirements.txt", VENV / "requirements.txt"
    with making:
        if not have.exists() or have.read_bytes() != wanted.read_bytes():
            shutil.rmtree(VENV, ignore_errors=True)
            for command in ([sys.executable, "-m", "venv", VENV],
                            [VENV / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                             "--no-deps", "-r", wanted]):
                result = run(command, timeout=900)
                if result.status != 0:
                    raise RuntimeError(result.log())
            shutil.copyfile(wanted, have)
    return next(VENV.glob(f"lib/python*/site-packages/{package}"))


def reference(*arguments):
    """Runs reference.py in the environment."""
    return run([VENV / "bin" / "python", HERE / "reference.py", *arguments], separate=True)


def build(example, config, *words):
    """Builds an example under a configuration; returns the program. A compiler that complains is an exception: no check can go on."""
    program = FOLDER / "bin" / f"{example}-{config}"
    built = harness.build_program(ROOT / "examples" / f"{example}.c", config, program, *words, "-lz")
    if built.status != 0:
        raise RuntimeError(built.log())
    return program


class Tests:
    """Counts tests, and keeps what those that failed have to say."""

    def __init__(self):
        self.outcome = harness.Outcome()

    def expect(self, good, log):
        """One test."""
        self.outcome.passed += bool(good)
        self.outcome.failed += not good
        self.outcome.log += "" if good else f"{log}\n"

    def fails(self, command, *words):
        """The command must end with status 1 and one line of error that says all the words: no sanitizer's report."""
        result = run(command, timeout=120, separate=True)
        lines = result.errors.splitlines()
        good = result.status == 1 and len(lines) == 1 and all(word in lines[0] for word in words)
        self.expect(good, f"{result.log()}{result.errors}must end with status 1 and one line that says: {' '.join(words)}")
