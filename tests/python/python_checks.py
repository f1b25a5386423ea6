"""The package in python/: trees of C in JAX and optree, in the environment that tests/oracle/environment makes."""
import json
import os
import re
import threading

from harness import BUILD, C_COMPILERS, INCLUDE, ROOT, Check, cmocka, failed, passed, run

FOLDER = BUILD / "python"
HERE = ROOT / "tests" / "python"
SHARED = ["-shared", "-fPIC"]
PREPARING = threading.Lock()
ERROR = {"size": 500, "status": 0, "message": 4, "path": 244}
ABI = {"format": 1, "version": "9.0.0", "pointer": 8, "byte_order": "little", "error": ERROR}
# What pytree_layout_abi of other libraries says; None: it is not there.
OTHERS = {
    "without": None,
    "newer": json.dumps({**ABI, "format": 2}),
    "narrow": json.dumps({**ABI, "pointer": 4}),
    "words": "hello",
    "places": json.dumps({**ABI, "error": {**ERROR, "message": 400}}),
}


def environment():
    """The Python that has JAX and optree: the failure or None, and its path."""
    made = run([ROOT / "tests" / "oracle" / "environment"], separate=True, timeout=600)
    return (failed(made.log() + made.errors), None) if made.status else (None, made.output.strip())


def build(name, *words):
    """A shared library: the failure or None."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = run(C_COMPILERS["gcc"].compile(*words, "-o", FOLDER / f"{name}.so"), timeout=300)
    return failed(made.log()) if made.status else None


def package():
    """The tests of test_cpytree.py."""
    trouble = build("trees", "-O1", *SHARED, "-I", ROOT / "tests", "-I", ROOT / "tests" / "support", *INCLUDE, HERE / "trees.c",
                    "-lcmocka", "-lm")
    for name, abi in OTHERS.items():
        words = [] if abi is None else [f"-DABI={json.dumps(abi)}"]
        trouble = trouble or build(name, *SHARED, *words, HERE / "other.c")
    with PREPARING:
        broken, python = environment()
    if trouble or broken:
        return trouble or broken
    outcome = cmocka([python, "-B", HERE / "test_cpytree.py", FOLDER / "trees.so"], timeout=300, env=settings())
    outcome.note = ", ".join(re.findall(r"# SKIP \w+: (.*)", outcome.log)) or outcome.note
    return outcome


def settings():
    """Of programs that use the package."""
    return {"JAX_PLATFORMS": "cpu", "PYTHONPATH": os.fspath(ROOT / "python")}


def checks():
    """The section."""
    return [Check("the package beside JAX and optree", package, long=True)]
