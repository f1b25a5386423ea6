"""The package in python/: trees of C in JAX and optree, in the environment that tests/oracle/environment makes."""
import functools
import json
import os
import re
import shutil
import threading
import xml.etree.ElementTree

from harness import BUILD, C_COMPILERS, INCLUDE, ROOT, Check, cmocka, failed, fresh, passed, run

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


@functools.cache
def environment_made():
    """The Python that has JAX and optree: the failure or None, and its path."""
    made = run([ROOT / "tests" / "oracle" / "environment"], separate=True, timeout=600)
    return (failed(made.log() + made.errors), None) if made.status else (None, made.output.strip())


def environment():
    """The same, once for all checks."""
    with PREPARING:
        return environment_made()


def python(words, folder=ROOT / "python", cwd=None):
    """Runs Python there with the package that lies in a folder: errors apart."""
    trouble, program = environment()
    if trouble:
        return trouble, None
    settings = {"JAX_PLATFORMS": "cpu", "PYTHONPATH": os.fspath(folder)}
    return None, run([program, "-B", *words], separate=True, timeout=300, env=settings, cwd=cwd)


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
    broken, program = environment()
    if trouble or broken:
        return trouble or broken
    outcome = cmocka([program, "-B", HERE / "test_cpytree.py", FOLDER / "trees.so"], timeout=300,
                     env={"JAX_PLATFORMS": "cpu", "PYTHONPATH": os.fspath(ROOT / "python")})
    outcome.note = ", ".join(re.findall(r"# SKIP \w+: (.*)", outcome.log)) or outcome.note
    return outcome


def installed():
    """Installs the package as its users do, apart from the environment: the failure or None, and the folder."""
    source, target = fresh(FOLDER / "source"), fresh(FOLDER / "site")
    shutil.copytree(ROOT / "python", source, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    trouble, result = python(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", target,
                              source])
    return trouble or (failed(result.log() + result.errors) if result.status else None), target


def page():
    """The programs of docs/python.md print what it shows, with the package as it is installed."""
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    source = re.search(r"<!-- file: model.c -->\n```c\n(.*?)^```", text, re.M | re.S)[1]
    program, shown = re.search(r"^```python\n(.*?)^```\n```text\n(.*?)^```", text, re.M | re.S).groups()
    trouble, site = installed()
    if trouble:
        return trouble
    folder = fresh(FOLDER / "page")
    (folder / "model.c").write_text(source, encoding="utf-8")
    (folder / "model.py").write_text(program, encoding="utf-8")
    built = run(["gcc", "-O2", "-shared", "-fPIC", "-I", ROOT, folder / "model.c", "-o", folder / "libmodel.so", "-lm"])
    if built.status:
        return failed(built.log())
    trouble, result = python([folder / "model.py"], site, folder)
    if trouble or result.status or result.output != shown:
        return trouble or failed(f"{result.log()}{result.errors}expected:\n{shown}")
    return passed()


def example():
    """examples/python_bridge finds the parameters of the simulation, and its plot is a file of XML."""
    trouble, program = environment()
    if trouble:
        return trouble
    result = run([ROOT / "examples" / "run", "python_bridge"], separate=True, env={"PYTHON": program})
    plot = BUILD / "examples" / "python_bridge" / "simulation.svg"
    good = result.status == 0 and not result.errors and "stiffness 4.000000, damping 0.200000" in result.output \
        and len(xml.etree.ElementTree.parse(plot).getroot().findall("{*}polyline")) == 5
    return passed() if good else failed(result.log() + result.errors)


def checks():
    """The section."""
    return [Check("the package beside JAX and optree", package, long=True), Check("docs/python.md", page),
            Check("examples/python_bridge", example)]
