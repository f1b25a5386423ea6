#!/usr/bin/env python3
"""Files to and from the packages that made their formats: Python's safetensors and numpy, in an environment of their own.

    tests/interop/run.py [safetensors|sharded|npy|npz|structs]...

peer.py runs there and has the tests; interop.c is the library's side. What has to be installed: requirements.txt, into
build/interop/venv, again whenever that file changes.
"""
import functools
import pathlib
import shutil
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

FOLDER = harness.BUILD / "interop"
VENV = FOLDER / "venv"
PROGRAM = FOLDER / "interop"
REQUIREMENTS = HERE / "requirements.txt"
GROUPS = ["safetensors", "sharded", "npy", "npz", "structs"]
PREPARING = threading.Lock()


@functools.cache
def prepare():
    """Makes the environment and the program; the failure, or None."""
    stamp = VENV / "requirements.txt"
    FOLDER.mkdir(parents=True, exist_ok=True)
    commands = []
    if not stamp.exists() or stamp.read_bytes() != REQUIREMENTS.read_bytes():
        shutil.rmtree(VENV, ignore_errors=True)
        commands = [[sys.executable, "-m", "venv", VENV],
                    [VENV / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]]
    for command in commands:
        result = harness.run(command, timeout=300)
        if result.status != 0:
            return harness.failed(result.log())
    shutil.copy(REQUIREMENTS, stamp)
    built = harness.build_program(HERE / "interop.c", "clang-sanitized", PROGRAM, "-lz")
    return None if built.status == 0 else harness.failed(built.log())


def group(name):
    """One group of tests of peer.py."""
    with PREPARING:
        trouble = prepare()
    return trouble or harness.cmocka([VENV / "bin" / "python", HERE / "peer.py", PROGRAM, harness.fresh(FOLDER / name), name])


def checks(names=()):
    """A check for each group."""
    return [harness.Check(f"interop: {name}", lambda name=name: group(name), long=True) for name in names or GROUPS]


if __name__ == "__main__":
    unknown = [name for name in sys.argv[1:] if name not in GROUPS]
    if unknown:
        raise SystemExit(f"no such group: {' '.join(unknown)}; there are {', '.join(GROUPS)}")
    harness.main("Other programs' files", checks(sys.argv[1:]))
