#!/usr/bin/env python3
"""The themes on other machines, systems, C libraries and compilers. docs/platforms.md has the table as last run.

    platforms.py --write        put what the last runs have left in build/platforms into that table

A platform without packages of cmocka, cJSON and zlib gets the small cmocka.h of this folder, and runs the themes that need
neither of the others.
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
# Messages are meant to be shortened, and whether gcc sees that depends on what it inlines.
WARNINGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wshadow", "-Wno-format-truncation"]
WINE = next((path for path in ("/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine") if pathlib.Path(path).exists()), "wine64")


@dataclasses.dataclass(frozen=True)
class Platform:
    """A compiler with flags, and what starts its programs."""
    name: str
    what: str                            # for the table
    command: tuple
    runner: tuple = ()
    packaged: bool = False               # cmocka, cJSON and zlib are installed for it
    standard: str = "c11"


SANITIZED = ("-O2", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=all")
PLATFORMS = [
    Platform("i686", "i686 (32 bits, x87)", ("i686-linux-gnu-gcc", "-O1", "-static")),
    Platform("s390x", "s390x (big-endian)", ("s390x-linux-gnu-gcc", "-O1", "-static"), ("qemu-s390x",)),
    Platform("windows", "Windows, 64 bits", ("x86_64-w64-mingw32-gcc", "-O1", "-static", "-D__USE_MINGW_ANSI_STDIO=1"), (WINE,)),
    Platform("musl", "musl", ("musl-gcc", "-O1", "-static")),
    Platform("gcc-lto", "`-O3 -flto`", ("gcc", "-O3", "-flto"), (), True),
    Platform("gcc-c17", "C17", ("gcc", *SANITIZED), (), True, "c17"),
    Platform("gcc-c2x", "C2x", ("gcc", *SANITIZED), (), True, "c2x"),
    Platform("gcc-no-strict-aliasing", "`-fno-strict-aliasing`", ("gcc", "-O2", "-fno-strict-aliasing"), (), True),
    Platform("gcc-unsigned-char", "`-funsigned-char`", ("gcc", *SANITIZED, "-funsigned-char"), (), True),
    Platform("gcc-short-enums", "`-fshort-enums`", ("gcc", *SANITIZED, "-fshort-enums")),
    Platform("clang", "clang", ("clang", *SANITIZED), (), True),
    Platform("clang-19", "clang 19", ("clang-19", *SANITIZED), (), True),
]
INCLUDE = re.compile(r'#include [<"]([^">]+)[">]')
PACKAGES = ("cjson/cJSON.h", "zlib.h", "pytree/npz.h", "pytree/pt.h")
locks = {platform.name: threading.Lock() for platform in PLATFORMS}


def includes(platform, folder):
    """Flags for the headers: stb_ds.h alone in a folder of its own, because the rest of /usr/include is this machine's."""
    stb = folder / "stb"
    stb.mkdir(parents=True, exist_ok=True)
    found = [pathlib.Path(place) / "stb_ds.h" for place in ("/usr/include/stb", "/usr/include", "/usr/local/include")]
    shutil.copy(next(path for path in found if path.exists()), stb)
    mine = [] if platform.packaged else ["-I", TESTS / "platforms" / "cmocka", "-DTEST_NO_ZLIB"]
    return ["-I", ROOT, "-isystem", stb, "-I", TESTS, "-I", TESTS / "support", *mine]


@functools.lru_cache(maxsize=None)
def bodies(platform):
    """Compiles the library once: (the failure or None, the flags for headers, the archive)."""
    folder = BUILD / "platforms" / platform.name
    folder.mkdir(parents=True, exist_ok=True)
    flags = includes(platform, folder)
    made = folder / "bodies.o"
    more = [] if platform.name == "windows" else ["-Wconversion"]          # which macros of its math.h do not stand
    if platform.runner == (WINE,):       # what it leaves running would keep the pipes of the first program open
        subprocess.run([WINE, "wineboot"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    built = run([*platform.command, f"-std={platform.standard}", *WARNINGS, *more, "-Werror", *flags, "-c",
                 TESTS / "support" / "bodies.c", "-o", made], timeout=600)
    archive = folder / "libbodies.a"
    archive.unlink(missing_ok=True)
    packed = run(["gcc-ar" if "-flto" in platform.command else "ar", "rcs", archive, made])
    return built if built.status != 0 else packed if packed.status != 0 else None, flags, archive


def run_theme(platform, source):
    """Builds and runs one theme on a platform, and leaves a note of how it went."""
    outcome = build_and_run(platform, source)
    note = BUILD / "platforms" / platform.name / f"{source.stem}.outcome"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("failed" if outcome.failed != 0 or outcome.passed == 0 else "passed", encoding="utf-8")
    return outcome


def build_and_run(platform, source):
    """Builds and runs one theme on a platform."""
    if shutil.which(platform.command[0]) is None:
        return failed(f"{platform.command[0]} is not installed\n")
    with locks[platform.name]:
        trouble, flags, archive = bodies(platform)
    if trouble is not None:
        return failed(trouble.log())
    program = BUILD / "platforms" / platform.name / f"{source.stem}.exe"
    libraries = ["-lcmocka", "-lcjson", "-lz", "-lm", "-lpthread"] if platform.packaged else ["-lm", "-lpthread"]
    built = run([*platform.command, f"-std={platform.standard}", *WARNINGS, "-DTEST_BODIES_APART", *flags, source, archive,
                 "-o", program, *libraries], timeout=600)
    if built.status != 0:
        return failed(built.log())
    return harness.cmocka([*platform.runner, program], timeout=900)


def packages_of(source):
    """Tells whether a file of the tests, or one that it includes, needs a package besides cmocka."""
    seen, due = {source}, [source]
    while due:
        path = due.pop()
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if name in PACKAGES:
                return True
            found = next((place / name for place in (path.parent, TESTS, TESTS / "support") if (place / name).is_file()), None)
            if found is not None and found not in seen:
                seen.add(found)
                due.append(found)
    return False


def themes(platform):
    """The themes that a platform can run."""
    sources = sorted(TESTS.glob("*/test_*.c"), key=lambda path: path.stem)
    return [path for path in sources if platform.packaged or not packages_of(path)]


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
    if sys.argv[1:] != ["--write"]:
        print(__doc__)
        return 2
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda found: found[1] + "".join(row(platform) for platform in PLATFORMS), page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
