#!/usr/bin/env python3
"""Makes the files of a release in build/release (or FOLDER).

    tools/release.py --url ADDRESS [FOLDER]        ADDRESS: where the files will be found

    pytree-VERSION.tar.gz           the repository without what only its developers need; the same bytes each time
    pytree-VERSION-single.tar.gz    pytree.h and pytree_registry.h, which contain everything
    pytree.wrap                     for meson: subprojects/pytree.wrap
    vcpkg/                          a port
    SHA256SUMS

Fails where the version is not the same everywhere that states it.
"""
import argparse
import gzip
import hashlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What a program, a packager or a reader needs.
PARTS = ["pytree.h", "pytree_registry.h", "pytree", "meson.build", "meson_options.txt", "LICENSE", "README.md", "CHANGELOG.md",
         "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "examples", "python", "tools", "debian", "packaging"]
# Where a version stands, and how.
STATED = {"pytree.h": r'#define PYTREE_VERSION "([^"]+)"', "meson.build": r"version: '([^']+)'",
          "CHANGELOG.md": r"## ([0-9.]+)", "debian/changelog": r"pytree \(([0-9.]+)-",
          "python/cpytree/__init__.py": r'__version__ = "([^"]+)"',
          "packaging/conan/conanfile.py": r'version = "([^"]+)"', "packaging/vcpkg/vcpkg.json": r'"version-semver": "([^"]+)"'}


def version():
    """The version; an error where two files disagree."""
    found = {}
    for name, pattern in STATED.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"))
        found[name] = match[1] if match else "none"
    if len(set(found.values())) != 1:
        raise SystemExit("versions differ: " + ", ".join(f"{name}: {value}" for name, value in found.items()))
    return next(iter(found.values()))


def git(*arguments):
    """What git prints; None without git, or outside a repository."""
    if shutil.which("git") is None:
        return None
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def files():
    """The release's files: tracked ones, or outside a repository all."""
    listed = git("ls-files", "-co", "--exclude-standard", "--", *PARTS)
    if listed is not None:
        return sorted(name for name in listed.splitlines() if (ROOT / name).is_file())
    return sorted(str(path.relative_to(ROOT)) for part in PARTS for path in [ROOT / part, *(ROOT / part).rglob("*")]
                  if path.is_file() and "__pycache__" not in path.parts)


def time_of_release():
    """The seconds that files in archives carry: those of the last commit, or of the newest file outside a repository."""
    last = git("log", "-1", "--format=%ct")
    if last is not None:
        return int(last)
    return int(max((ROOT / name).stat().st_mtime for name in files()))


def archive(path, folder, members):
    """Writes a .tar.gz of (name, file), the same bytes each time."""
    seconds = time_of_release()
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as out:
        for name, file in members:
            data = pathlib.Path(file).read_bytes()
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size, info.mode = len(data), 0o755 if pathlib.Path(file).stat().st_mode & 0o100 else 0o644
            info.mtime = seconds
            out.addfile(info, io.BytesIO(data))


def filled(template, values):
    """A template with @NAME@ replaced."""
    return re.sub(r"@(\w+)@", lambda match: values[match[1]], (ROOT / "packaging" / template).read_text(encoding="utf-8"))


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    arguments = parser.parse_args()
    folder, number = arguments.folder, version()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "vcpkg").mkdir(parents=True)
    source = folder / f"pytree-{number}.tar.gz"
    archive(source, f"pytree-{number}", [(name, ROOT / name) for name in files()])
    with tempfile.TemporaryDirectory() as single:
        subprocess.run([sys.executable, ROOT / "tools" / "amalgamate.py", single], check=True)
        archive(folder / f"pytree-{number}-single.tar.gz", f"pytree-{number}-single",
                [(path.name, path) for path in sorted(pathlib.Path(single).iterdir())] + [("LICENSE", ROOT / "LICENSE")])
    data = source.read_bytes()
    values = {"VERSION": number, "URL": arguments.url.rstrip("/"), "SHA256": hashlib.sha256(data).hexdigest(),
              "SHA512": hashlib.sha512(data).hexdigest()}
    (folder / "pytree.wrap").write_text(filled("pytree.wrap", values), encoding="utf-8")
    (folder / "vcpkg" / "portfile.cmake").write_text(filled("vcpkg/portfile.cmake", values), encoding="utf-8")
    for name in ("vcpkg.json", "usage"):
        shutil.copy(ROOT / "packaging" / "vcpkg" / name, folder / "vcpkg")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(folder.glob("*")) if path.is_file()]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    print("\n".join(sums))
    return 0


if __name__ == "__main__":
    sys.exit(main())
