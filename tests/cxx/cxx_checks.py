"""Registrations in C++: one header in a C file and a C++ file of one program, and what only structs of C++ have."""
import pathlib
import re

import harness
from cxx.face_checks import NVCC
from harness import BUILD, C_COMPILERS, CXX_COMPILERS, SANITIZE, Check, passed, steps

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("test_same", "test_structs")
# Both standards under both compilers, each with an optimisation; the sanitizers once.
CONFIGS = [("gcc", "c++17", ["-O0"]), ("gcc", "c++20", ["-O1"]), ("clang", "c++17", SANITIZE), ("clang", "c++20", ["-O1"])]


def build(kind, standard, flags):
    """Builds model.c and each program with it, and runs those."""
    folder = BUILD / "cxx" / f"{kind}-{standard}"
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "model.o"
    commands = [C_COMPILERS[kind].compile(*flags, *harness.INCLUDE, "-c", HERE / "model.c", "-o", model)]
    for name in PROGRAMS:
        commands += [CXX_COMPILERS[kind].compile(f"-std={standard}", *flags, *harness.INCLUDE, HERE / f"{name}.cpp", model, "-o",
                                                 folder / name, "-lm"), [folder / name]]
    return steps(*commands, env=harness.SANITIZER_SETTINGS)


def cuda():
    """Compiles the programs as CUDA where nvcc is."""
    if NVCC is None:
        return passed("not run: no nvcc")
    folder = BUILD / "cxx" / "nvcc"
    folder.mkdir(parents=True, exist_ok=True)
    include = [part for word in harness.INCLUDE for part in re.split(r"(?<=^-isystem)", word)]
    return steps(*([NVCC, "-x", "cu", "-std=c++17", *include, "-c", HERE / f"{name}.cpp", "-o", folder / f"{name}.o"]
                   for name in PROGRAMS))


def checks():
    """Every configuration, and CUDA."""
    made = [Check(f"{kind} {standard} {flags[0]}",
                  lambda kind=kind, standard=standard, flags=flags: build(kind, standard, flags))
            for kind, standard, flags in CONFIGS]
    return made + [Check("nvcc", cuda)]
