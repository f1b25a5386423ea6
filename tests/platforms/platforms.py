#!/usr/bin/env python3
"""The themes on other machines, systems, C libraries and compilers. docs/platforms.md has the table as last run.

    platforms.py NAME THEME...  these themes (and fuzz targets) on one platform
    platforms.py --write        put what the last runs have left in build/platforms into that table

For a platform that has no packages of them, cJSON and zlib are compiled from Debian's sources, and the small cmocka.h of this
folder takes the place of cmocka. There the corpora of the fuzz targets are replayed, too.
"""
import dataclasses
import datetime
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import threading

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import harness
from harness import BUILD, Check, ROOT, failed, run

TESTS = ROOT / "tests"
FUZZ = TESTS / "fuzz"
# Messages are meant to be shortened, and whether gcc sees that depends on what it inlines; clang does not know the option.
WARNINGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wshadow", "-Wno-format-truncation", "-Wno-unknown-warning-option"]
WINE = next((path for path in ("/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine") if pathlib.Path(path).exists()), "wine64")


@dataclasses.dataclass(frozen=True)
class Platform:
    """A compiler with flags, and what starts its programs."""
    name: str
    what: str                            # for the table
    command: tuple
    runner: tuple = ()
    packaged: bool = False               # Debian's cmocka, cJSON and zlib are its own
    standard: str = "c11"


SANITIZED = ("-O2", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=all")
PLATFORMS = [
    Platform("i686", "i686 (32 bits, x87)", ("i686-linux-gnu-gcc", "-O1", "-static")),
    Platform("s390x", "s390x (big-endian)", ("s390x-linux-gnu-gcc", "-O1", "-static"), ("qemu-s390x",)),
    Platform("windows", "Windows, 64 bits", ("x86_64-w64-mingw32-gcc", "-O1", "-static", "-D__USE_MINGW_ANSI_STDIO=1"), (WINE,)),
    Platform("musl", "musl", ("musl-gcc", "-O1", "-static")),
    Platform("gcc-lto", "`-O3 -flto`", ("gcc", "-O3", "-flto"), (), True),
    Platform("gcc-c17", "C17", ("gcc", *SANITIZED), (), True, "c17"),
    # One build for all of them: each changes something else.
    Platform("gcc-c2x", "C2x, other types and aliasing",
             ("gcc", *SANITIZED, "-fshort-enums", "-funsigned-char", "-fno-strict-aliasing"), (), False, "c2x"),
    Platform("clang", "clang", ("clang", *SANITIZED), (), True),
    Platform("clang-19", "clang 19", ("clang-19", *SANITIZED), (), True),
]
SOURCES = BUILD / "platforms" / "sources"
NOT_ON = {
    # they take the place of POSIX's calls, and fork
    "windows": ("test_safetensors_calls", "test_safetensors_io"),
    # they compare the bytes of files with those in memory, and map files; test_byte_order.c looks at what differs
    "s390x": ("test_gguf", "test_npy", "test_npz", "test_pt", "test_pt_storages", "test_safetensors_calls",
              "test_safetensors_io", "test_safetensors_sizes", "test_safetensors_tree", "test_safetensors_values",
              "fuzz_safetensors"),
}
sources_lock = threading.Lock()
locks = {platform.name: threading.Lock() for platform in PLATFORMS}


@functools.lru_cache(maxsize=None)
def sources():
    """Fetches Debian's sources of cJSON and zlib: (the failure or None, their folders). apt gets lists of its own, so that those
    of the machine stay as they are."""
    lists = SOURCES / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    parts = SOURCES / "apt"
    parts.mkdir(exist_ok=True)
    for name in ("sources.list", "sources.list.d/debian.sources", "sources.list.d/ubuntu.sources"):
        given = pathlib.Path("/etc/apt") / name
        if given.exists():
            text = re.sub(r"^(Types: )?deb\b(?!-)", r"\1deb-src", given.read_text(encoding="utf-8"), flags=re.M)
            (parts / given.name).write_text(text, encoding="utf-8")
    apt = ["apt-get", "-q", "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={parts}",
           "-o", f"Dir::State::Lists={lists}"]
    folders = [sorted(SOURCES.glob(f"{name}-[0-9]*/")) for name in ("cjson", "zlib")]
    for command in () if all(folders) else ([*apt, "update"], [*apt, "source", "cjson", "zlib"]):
        fetched = run(command, cwd=SOURCES)
        if fetched.status != 0:
            return fetched, []
    return None, [sorted(SOURCES.glob(f"{name}-[0-9]*/"))[-1] for name in ("cjson", "zlib")]


def libraries(platform, folder):
    """cJSON and zlib for a platform: (the failure or None, flags for their headers, flags for linking)."""
    if platform.packaged:
        return None, [], ["-lcmocka", "-lcjson", "-lz"]
    with sources_lock:
        trouble, places = sources()
    if trouble is not None:
        return trouble, [], []
    cjson, zlib = places
    include = folder / "include"
    (include / "cjson").mkdir(parents=True, exist_ok=True)
    shutil.copy(cjson / "cJSON.h", include / "cjson")
    for name in ("zlib.h", "zconf.h"):
        shutil.copy(zlib / name, include)
    made = []
    for source in (cjson / "cJSON.c", *(path for path in sorted(zlib.glob("*.c")) if not path.name.startswith("gz"))):
        made.append(folder / f"{source.stem}.o")
        built = run([*platform.command, "-w", "-c", source, "-o", made[-1]])
        if built.status != 0:
            return built, [], []
    return None, ["-I", TESTS / "platforms" / "cmocka", "-isystem", include], made


@functools.lru_cache(maxsize=None)
def bodies(platform):
    """Compiles the library once, and what the themes need: (the failure or None, the flags for headers, what is linked). stb_ds.h
    is in a folder of its own, because the rest of /usr/include is this machine's."""
    folder = BUILD / "platforms" / platform.name
    stb = folder / "stb"
    stb.mkdir(parents=True, exist_ok=True)
    found = [pathlib.Path(place) / "stb_ds.h" for place in ("/usr/include/stb", "/usr/include", "/usr/local/include")]
    shutil.copy(next(path for path in found if path.exists()), stb)
    trouble, headers, linked = libraries(platform, folder)
    flags = ["-I", ROOT, "-isystem", stb, "-I", TESTS, "-I", TESTS / "support", *headers]
    if trouble is not None:
        return trouble, flags, linked
    made, archive = folder / "bodies.o", folder / "libbodies.a"
    more = [] if platform.name == "windows" else ["-Wconversion"]          # which macros of its math.h do not stand
    if platform.runner == (WINE,):       # what it leaves running would keep the pipes of the first program open
        subprocess.run([WINE, "wineboot"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    built = run([*platform.command, f"-std={platform.standard}", *WARNINGS, *more, "-Werror", *flags, "-c",
                 TESTS / "support" / "bodies.c", "-o", made], timeout=1800)
    archive.unlink(missing_ok=True)
    packed = run(["gcc-ar" if "-flto" in platform.command else "ar", "rcs", archive, made])
    return (built if built.status != 0 else packed if packed.status != 0 else None, flags,
            [archive, *linked, "-lm", "-lpthread"])


def run_theme(platform, source):
    """Builds and runs one theme on a platform, and leaves a note of how it went."""
    outcome = build_and_run(platform, source)
    note = BUILD / "platforms" / platform.name / f"{source.stem}.outcome"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("failed" if outcome.failed != 0 or outcome.passed == 0 else "passed", encoding="utf-8")
    return outcome


def build_and_run(platform, source):
    """Builds and runs one theme on a platform, or replays the corpus of a fuzz target."""
    if shutil.which(platform.command[0]) is None:
        return failed(f"{platform.command[0]} is not installed\n")
    with locks[platform.name]:
        trouble, flags, linked = bodies(platform)
    if trouble is not None:
        return failed(trouble.log())
    program = BUILD / "platforms" / platform.name / f"{source.stem}.exe"
    target = source.parent == FUZZ
    driver = [FUZZ / "replay.c"] if target else []
    built = run([*platform.command, f"-std={platform.standard}", *WARNINGS, "-DTEST_BODIES_APART", *flags, source, *driver, *linked,
                 "-o", program], timeout=900)
    if built.status != 0:
        return failed(built.log())
    if target:
        corpus = sorted((FUZZ / "corpus" / source.stem.removeprefix("fuzz_")).iterdir())
        return harness.steps([*platform.runner, program, *corpus], timeout=900)
    return harness.cmocka([*platform.runner, program], timeout=1800)


def themes(platform):
    """The themes and, where the compiler is not this machine's own, the fuzz targets."""
    targets = [] if platform.packaged else sorted(FUZZ.glob("fuzz_*.c"))
    every = sorted(TESTS.glob("*/test_*.c"), key=lambda path: path.stem) + targets
    return [path for path in every if path.stem not in NOT_ON.get(platform.name, ())]


def checks(name=None):
    """Every theme on every platform, or on one."""
    return [Check(f"{platform.name}  {source.stem.removeprefix('test_')}",
                  lambda platform=platform, source=source: run_theme(platform, source))
            for platform in PLATFORMS if name in (None, platform.name) for source in themes(platform)]


# ---- The table -----------------------------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "platforms.md"
TABLE = re.compile(r"(\| platform \|.*\n\|[-:|]+\|\n)((?:\|.*\n)+)")


def row(platform):
    """The line of a platform: how many of its themes passed when each was run last, and the last day."""
    notes = [BUILD / "platforms" / platform.name / f"{source.stem}.outcome" for source in themes(platform)]
    ran = [note for note in notes if note.exists()]
    good = sum(note.read_text(encoding="utf-8") == "passed" for note in ran)
    flags = " ".join(word for word in platform.command[1:] if word.startswith("-") and word not in ("-static", "-g"))
    flags = flags.replace(" -fno-sanitize-recover=all", "").replace(" -D__USE_MINGW_ANSI_STDIO=1", "")
    runs = "natively" if not platform.runner else "Wine" if platform.runner == (WINE,) else f"`{platform.runner[0]}`"
    day = datetime.date.fromtimestamp(max(note.stat().st_mtime for note in ran)).isoformat() if ran else ""
    passed = f"{good} of {len(ran)}" if ran else "not run"
    if ran and len(ran) != len(notes):
        passed += f", {len(notes) - len(ran)} not run"
    return f"| {platform.what} | `{platform.command[0]} -std={platform.standard} {flags}` | {runs} | {passed} | {day} |\n"


def main():
    """Command line."""
    if sys.argv[1:] and sys.argv[1] in locks:
        wanted = [f"{sys.argv[1]}  {name}" for name in sys.argv[2:]]
        harness.main(f"Themes on {sys.argv[1]}", [check for check in checks(sys.argv[1]) if check.name in wanted])
    if sys.argv[1:] != ["--write"]:
        print(__doc__)
        return 2
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda found: found[1] + "".join(row(platform) for platform in PLATFORMS), page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
