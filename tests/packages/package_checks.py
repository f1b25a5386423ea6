"""tools/release.py and the packages made of its archive: Debian's, Conan's, vcpkg's, meson's wrap file."""
import pathlib
import re
import shutil
import sys
import tarfile

import harness
from harness import BUILD, C_COMPILERS, ROOT, Check, failed, passed, run, steps

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = BUILD / "packages"
RELEASE = FOLDER / "release"
PROGRAM = ROOT / "packaging" / "conan" / "test_package" / "consumer.c"


def release():
    """The release: two runs make the same bytes, the archive compiles."""
    for folder in (RELEASE, FOLDER / "again"):
        made = run([ROOT / "tools" / "release.py", "--url", "https://example.org/pytree", folder])
        if made.status != 0:
            return failed(made.log())
    if (RELEASE / "SHA256SUMS").read_text() != (FOLDER / "again" / "SHA256SUMS").read_text():
        return failed("two releases of the same files differ")
    for archive in RELEASE.glob("*.tar.gz"):
        folder = harness.fresh(FOLDER / archive.name.removesuffix(".tar.gz"))
        with tarfile.open(archive) as packed:
            packed.extractall(folder)
        inside = next(folder.iterdir())
        built = steps(C_COMPILERS["gcc"].compile("-DPYTREE_NO_STB_DS", "-I", inside, PROGRAM, "-o", folder / "consumer", "-lm"),
                      [folder / "consumer"])
        if built.failed:
            return built
    return passed()


def archive_copy(name):
    """The archive in a folder of its own; returns both."""
    folder = harness.fresh(FOLDER / name)
    archive = next(path for path in RELEASE.glob("pytree-*.tar.gz") if "single" not in path.name)
    return folder, archive


def debian():
    """The Debian package builds from the archive, lintian finds no error in it, and its headers and library compile a program."""
    folder, archive = archive_copy("debian")
    number = re.search(r"pytree-([0-9.]+)\.tar", archive.name)[1]
    shutil.copy(archive, folder / f"pytree_{number}.orig.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder)
    built = steps(["dpkg-buildpackage", "-us", "-uc"], cwd=folder / f"pytree-{number}", timeout=600)
    if built.failed:
        return built
    package = next(folder.glob("*.deb"))
    root = folder / "root"
    include = ["-isystem", root / "usr" / "include"]
    shutil.copy(PROGRAM, folder / "with_bodies.c")
    (folder / "linked.c").write_text(PROGRAM.read_text().replace("#define PYTREE_IMPLEMENTATION\n", ""), encoding="utf-8")
    result = steps(["lintian", "--allow-root", "--fail-on", "error", *folder.glob("*.changes")],
                   ["dpkg-deb", "-x", package, root],
                   C_COMPILERS["gcc"].compile(*include, folder / "with_bodies.c", "-o", folder / "with_bodies", "-lm"),
                   [folder / "with_bodies"], timeout=300)
    if result.failed:
        return result
    static = next((root / "usr" / "lib").rglob("libpytree.a"))
    linked = steps(C_COMPILERS["gcc"].compile(*include, folder / "linked.c", static, "-lz", "-lm", "-o", folder / "linked"),
                   [folder / "linked"])
    return linked if linked.failed else passed()


def wrap():
    """A project with pytree.wrap and the archive where meson keeps downloads builds without a network."""
    folder, archive = archive_copy("wrap")
    cache = folder / "subprojects" / "packagecache"
    cache.mkdir(parents=True)
    shutil.copy(archive, cache)
    shutil.copy(RELEASE / "pytree.wrap", folder / "subprojects")
    shutil.copy(PROGRAM, folder)
    (folder / "meson.build").write_text("project('consumer', 'c', default_options: ['c_std=c11'])\n"
                                        "test('use', executable('use', 'consumer.c', dependencies: dependency('pytree')))\n",
                                        encoding="utf-8")
    return steps(["meson", "setup", folder / "build", folder], ["meson", "test", "-C", folder / "build"])


def vcpkg():
    """The port installs headers, licence and usage from the archive; a stand-in for vcpkg checks names and hash."""
    folder, archive = archive_copy("vcpkg")
    prefix = folder / "installed"
    made = steps(["cmake", "-D", f"PORTFILE={RELEASE / 'vcpkg' / 'portfile.cmake'}", "-D", f"ARCHIVE={archive}",
                  "-D", f"CURRENT_PACKAGES_DIR={prefix}", "-P", HERE / "vcpkg.cmake"])
    if made.failed:
        return made
    missing = [name for name in ("include/pytree/path.h", "share/pytree/copyright", "share/pytree/usage")
               if not (prefix / name).exists()]
    if missing:
        return failed(f"not installed: {missing}")
    return steps(C_COMPILERS["gcc"].compile("-I", prefix / "include", *harness.STB, PROGRAM, "-o", folder / "consumer", "-lm"),
                 [folder / "consumer"])


def conan():
    """conan create makes the package and runs a program with it."""
    folder = harness.fresh(FOLDER / "conan")
    environment = FOLDER / "venv"
    stamp = environment / "requirements.txt"
    if not stamp.exists() or stamp.read_bytes() != (HERE / "requirements.txt").read_bytes():
        made = steps([sys.executable, "-m", "venv", "--clear", environment],
                     [environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                      HERE / "requirements.txt"], timeout=600)
        if made.failed:
            return made
        shutil.copy(HERE / "requirements.txt", stamp)
    shutil.copytree(PROGRAM.parent, folder / "test_package")              # Conan builds where the test lies
    home = {"CONAN_HOME": str(folder / "home")}
    return steps([environment / "bin" / "conan", "profile", "detect"],
                 [environment / "bin" / "conan", "create", ROOT / "packaging" / "conan", "--test-folder",
                  folder / "test_package"],
                 env=home, timeout=600)


def whole():
    """All of them, one after the other, because all need the release."""
    outcome = harness.Outcome()
    for check in (release, debian, wrap, vcpkg, conan):
        one = check()
        outcome = harness.Outcome(outcome.passed + one.passed, outcome.failed + one.failed,
                                  outcome.log + (f"{check.__name__}:\n{one.log}" if one.failed else ""))
        if check is release and one.failed:
            break
    return outcome


def checks():
    """One check."""
    return [Check("release, Debian, Conan, vcpkg, wrap", whole, long=True)]
