"""What the test scripts share: compilers and their flags, running commands, running checks side by side, the report.

A check is a name and a function that returns an Outcome. Checks run in parallel, are reported in the order in which
they were given, and all of them count: the last line is `N passed, N failed`, and the exit status says whether N failed is 0.
"""
import collections
import concurrent.futures
import dataclasses
import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

# ---- Compilers -------------------------------------------------------------------------------------------------------

SANITIZE = ["-O0", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
LINES = "-g1"               # so that a sanitizer's report says the lines of a file; clang takes a fifth of its time for them
SANITIZER_SETTINGS = {"ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
STRICT = ["-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
# Of what compilers say, the messages, without the source text that they show with them.
MESSAGES_ONLY = {"gcc": ["-fdiagnostics-plain-output", "-fno-diagnostics-show-caret", "-fmessage-length=0"],
                 "clang": ["-fno-caret-diagnostics", "-fno-color-diagnostics", "-fmessage-length=0",
                           "-fno-diagnostics-fixit-info"]}


@dataclasses.dataclass(frozen=True)
class Compiler:
    """A compiler and its strictest flags."""
    name: str
    command: str
    flags: tuple

    def compile(self, *arguments):
        """Command line that compiles C (or C++) with the strict flags."""
        return [self.command, *self.flags, *map(str, arguments)]


C_COMPILERS = {
    "gcc": Compiler("gcc", "gcc", ("-std=c11", *STRICT)),
    "clang": Compiler("clang", "clang", ("-std=c11", *STRICT)),
    "tcc": Compiler("tcc", "tcc", ("-std=c11", "-Wall", "-Werror", "-DPYTREE_STB_DS")),     # no other warnings, no __has_include
}
NEWER_CLANG = Compiler("clang-19", "clang-19", ("-std=c11", *STRICT))     # for what it alone counts


def c_compiler(name):
    """The C compiler of that name."""
    return NEWER_CLANG if name == NEWER_CLANG.name else C_COMPILERS[name]


CXX_COMPILERS = {
    "gcc": Compiler("g++", "g++", ("-std=c++17", *STRICT)),
    "clang": Compiler("clang++", "clang++", ("-std=c++17", *STRICT)),
}


# How programs are compiled that may share the library's bodies (see bodies()): compiler, flags.
CONFIGS = {
    "gcc-O0": ("gcc", ["-g", "-O0"]),
    "gcc-Og": ("gcc", ["-Og"]),
    "gcc-O2": ("gcc", ["-g1", "-O2"]),                # valgrind says lines
    "clang-O0": ("clang", ["-O0"]),
    "clang-O2": ("clang", ["-O2"]),
    "tcc": ("tcc", []),
    "gcc-sanitized": ("gcc", [LINES, *SANITIZE]),
    "clang-sanitized": ("clang", SANITIZE),
    "clang-threads": ("clang", ["-g", "-O1", "-fsanitize=thread"]),
}


# How examples/run optimises programs that compute.
FAST = ["-O3", "-march=native", "-fno-math-errno", "-ffp-contract=fast"]


def pkg_config(package, *arguments):
    """pkg-config's answer as words; its include paths as system paths: not our headers, not our warnings."""
    answer = subprocess.run(["pkg-config", *arguments, package], capture_output=True, text=True, check=False)
    return [word.replace("-I", "-isystem", 1) if word.startswith("-I") else word for word in shlex.split(answer.stdout)]


# tcc has no __has_include, so that it needs to be told where stb_ds.h is; the others are told so that all see the same file.
STB = pkg_config("stb", "--cflags")
INCLUDE = ["-I", str(ROOT), *STB]

# Libraries that not every machine has. What has such a name, or a part of it, in pytree/, examples/, bench/ and docs/ needs the
# library and is left to the section of that name, which installs it.
FOREIGN = {"mpi", "sundials"}


def is_foreign(path):
    """Does a file need such a library? The parts of a name are separated by underscores."""
    return not FOREIGN.isdisjoint(pathlib.Path(path).stem.split("_"))


# ---- Commands --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Result:
    """What a command did."""
    status: int
    output: str
    command: str
    errors: str = ""            # what went to standard error, if it was asked for separately

    def log(self):
        """For the reader of a failure: command, output, status."""
        return f"$ {self.command}\n{self.output.rstrip()}\n(exit status {self.status})\n"


def run(command, timeout=300, cwd=None, env=None, separate=False):
    """Runs a command without input. Output and errors come in one text, or the errors apart in .errors."""
    shown = " ".join(shlex.quote(str(word)) for word in command)
    # Other checks run at the same time: threads of OpenMP that wait must not keep a processor busy.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "OMP_WAIT_POLICY": "passive", **(env or {})}
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE if separate else subprocess.STDOUT, timeout=timeout, cwd=cwd or ROOT,
                              env=environment, check=False)
    except subprocess.TimeoutExpired as late:
        text, errors = ((said or b"").decode("utf-8", "replace") for said in (late.stdout, late.stderr))
        return Result(124, f"{text}\nstopped: took longer than {timeout} s", shown, errors)
    except OSError as error:
        return Result(127, str(error), shown)
    return Result(done.returncode, done.stdout.decode("utf-8", "replace"), shown, (done.stderr or b"").decode("utf-8", "replace"))


# ---- Checks ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Outcome:
    """How many tests a check made and how they went. The log is shown if any failed, the note always."""
    passed: int = 0
    failed: int = 0
    log: str = ""
    note: str = ""
    seconds: float = 0.0        # that the check took


@dataclasses.dataclass(eq=False)
class Check:
    """Something that can pass or fail. Those that take long are started early, so that they do not run alone at the end."""
    name: str
    function: object
    long: bool = False

    def __call__(self):
        began = time.monotonic()
        try:
            outcome = self.function()
        except Exception as error:      # a broken check is a failed check, and the others go on
            outcome = Outcome(failed=1, log="".join(traceback.format_exception(error)))
        outcome.seconds = time.monotonic() - began
        if outcome.seconds >= SLOW:
            outcome.note += f"{'   ' if outcome.note else ''}({outcome.seconds:.0f} s)"
        return outcome


def passed(note=""):
    """One test that went well."""
    return Outcome(passed=1, note=note)


def failed(log):
    """One test that went wrong."""
    return Outcome(failed=1, log=log)


def steps(*commands, timeout=300, cwd=None, env=None):
    """Outcome of commands that must all succeed: one test."""
    for command in commands:
        result = run(command, timeout, cwd, env)
        if result.status != 0:
            return failed(result.log())
    return passed()


def once(function):
    """Decorates a function of hashable arguments: for each set of them it is called once, and threads that ask meanwhile wait."""
    cached, locks = functools.lru_cache(maxsize=None)(function), collections.defaultdict(threading.Lock)

    @functools.wraps(function)
    def ask(*arguments):
        with locks[arguments]:
            return cached(*arguments)
    return ask


def fresh(path):
    """An empty directory."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


# ---- The library's bodies --------------------------------------------------------------------------------------------

@once
def build_bodies(config, compiler, flags, name):
    """Compiles them; see bodies()."""
    folder = BUILD / "tests" / config
    folder.mkdir(parents=True, exist_ok=True)
    made, archive = folder / f"{name}.o", folder / f"lib{name}.a"
    archive.unlink(missing_ok=True)
    outcome = steps(c_compiler(compiler).compile(*flags, *INCLUDE, "-c", ROOT / "tests" / "support" / f"{name}.c", "-o", made),
                    ["ar", "rcs", archive, made], timeout=1800)
    return outcome if outcome.failed else None, archive


def bodies(config, compiler, flags, name="bodies"):
    """The library's bodies as an archive, from which a program that has its own takes nothing: (trouble or None, archive).
    They are compiled once for all who ask for a configuration of that name. `name`: bodies, or watched_bodies (support/watched.h)."""
    return build_bodies(config, compiler, tuple(flags), name)


DEFINE = r"^[ \t]*#[ \t]*define[ \t]+"
# What a program may define without changing the bodies: with anything else it has bodies of its own.
REGISTRATIONS = {f"PYTREE_{word}" for word in
                 "IMPLEMENTATION STRUCT DEFINE DECLARE FIELDS ENUM CONSTANTS LEAF_TYPE NAMESPACE CUSTOM PRINT EQUAL".split()}


def without_bodies(source, config):
    """A copy of a program that `#define PYTREE_IMPLEMENTATION` gives the library's bodies, without that line, for a configuration;
    None if it has no such line, or must keep its bodies. Its memory of stb_ds is that of the archive."""
    text = source.read_text(encoding="utf-8")
    own = set(re.findall(DEFINE + r"(PYTREE_\w+)", text, re.M))
    foreign = any(map(is_foreign, re.findall(r'#[ \t]*include "(pytree/\w+\.h)"', text)))        # its bodies are not among those
    if "PYTREE_IMPLEMENTATION" not in own or own - REGISTRATIONS or foreign:
        return None
    copy = BUILD / "without_bodies" / config / source.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = re.sub(DEFINE + r"STB_DS_IMPLEMENTATION\b.*", f'#include "{ROOT}/tests/support/stb_memory.h"', text, flags=re.M)
    made = copy.with_name(f"{threading.get_ident()}.{copy.name}")      # another check may be compiling the same copy
    made.write_text(f'#line 1 "{source}"\n' + re.sub(DEFINE + r"PYTREE_IMPLEMENTATION\b.*", "", text, flags=re.M), encoding="utf-8")
    return made.replace(copy)


def build_program(source, config, target, *words):
    """Builds a program of one file under a configuration, with more words for the compiler; the last command's Result. Bodies that
    it shares with others come from the archive, which needs zlib."""
    compiler, flags = CONFIGS[config]
    copy, archives = without_bodies(source, config), []
    if copy is not None:
        trouble, archive = bodies(config, compiler, flags)
        if trouble:
            return Result(1, trouble.log, f"the bodies, {config}")
        archives = [archive, "-lz"]
    target.parent.mkdir(parents=True, exist_ok=True)
    libraries = [word for word in words if word.startswith("-l")]
    return run(C_COMPILERS[compiler].compile(*flags, *[word for word in words if word not in libraries], "-I", source.parent, *INCLUDE,
                                             copy or source, "-o", target, *archives, *libraries, "-lm"), timeout=120)


LOG_LINES = 80                  # of a failed check that are shown
SLOW = 10.0                     # seconds from which on a check's time is shown


class Report:
    """Runs sections of checks on a pool of workers and keeps the totals."""

    def __init__(self, jobs=None):
        self.jobs = jobs or max(2, len(os.sched_getaffinity(0)))
        self.passed = self.failed = 0
        self.failures = []              # what was shown of each check that failed
        self.sections = []

    def add(self, title, checks, last=False):
        """Appends a section, `last` if it starts when all before it are done. One without checks would pass by doing nothing."""
        self.sections.append((title, list(checks) or [Check("anything to check", lambda: failed("nothing found to check"))], last))

    def finish(self):
        """Runs everything, prints as results come, returns the exit status."""
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            due = [check for _, checks, last in self.sections if not last for check in checks]
            started = {check: pool.submit(check) for check in sorted(due, key=lambda check: not check.long)}
            for title, checks, last in self.sections:
                print(f"\n{title}", flush=True)
                if last:
                    concurrent.futures.wait(started.values())
                    started.update((check, pool.submit(check)) for check in checks)
                width = max(len(check.name) for check in checks)
                for check in checks:
                    self.show(check.name.ljust(width), started[check].result())
                # Checks of several sections run at a time, so that a section has no time on the clock of its own.
                print(f"  {sum(started[check].result().seconds for check in checks):.0f} s of checks", flush=True)
        if self.failures:               # once more, where a reader of the end finds them
            print("\nWhat failed\n" + "".join(self.failures), end="")
        print(f"\n{time.monotonic() - began:.0f} s, {self.jobs} checks at a time", flush=True)
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed or not self.passed else 0

    def show(self, name, outcome):
        """One line for a check, and what it said if it failed."""
        self.passed += outcome.passed
        self.failed += outcome.failed
        if not outcome.passed and not outcome.failed:
            self.failed += 1
            outcome = Outcome(0, 1, outcome.log + "nothing was tested\n", outcome.note)
        words = f"{outcome.passed} passed" + (f", {outcome.failed} FAILED" if outcome.failed else "")
        shown = f"  {name}  {words}" + (f"   {outcome.note}" if outcome.note else "") + "\n"
        if outcome.failed:
            lines = outcome.log.rstrip().splitlines()
            if len(lines) > LOG_LINES:
                lines[LOG_LINES // 2:-LOG_LINES // 2] = [f"... {len(lines) - LOG_LINES} lines ..."]
            shown += "".join(f"    | {line}\n" for line in lines)
            self.failures.append(shown)
        print(shown, end="", flush=True)


# ---- cmocka ----------------------------------------------------------------------------------------------------------


def cmocka(command, timeout=180, env=None):
    """Runs a cmocka program and believes its report only if it is whole: every planned test reported, status as reported."""
    result = run(command, timeout, env={"CMOCKA_MESSAGE_OUTPUT": "TAP", **(env or {})})
    planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)$", result.output, re.M))
    verdicts = re.findall(r"^(ok|not ok) \d+ - [^\n]*$", result.output, re.M)
    skipped = len(re.findall(r"^not ok \d+ # SKIP", result.output, re.M))
    good, bad = verdicts.count("ok"), verdicts.count("not ok")
    note = f"{skipped} skipped" if skipped else ""
    if planned != good + bad + skipped or planned == 0:
        bad += max(1, planned - good - bad - skipped)
    elif result.status != 0 and bad == 0:
        bad = 1
    elif result.status == 0 and bad > 0:
        result.output += "\nthe program ended with status 0 although tests failed"
    return Outcome(good, bad, result.log(), note)


def words(text):
    """Text with every run of white space made one space."""
    return " ".join(text.split())


def script_module(path):
    """A script of tests/, which is a program of its own, as a module."""
    loader = importlib.machinery.SourceFileLoader(re.sub(r"\W", "_", path), str(ROOT / "tests" / path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def main(title, checks):
    """A script's checks on their own."""
    report = Report()
    report.add(title, checks)
    sys.exit(report.finish())
