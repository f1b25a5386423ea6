"""pytree/pytree.hpp, vectors, half precision, and the examples in C++ and CUDA."""
import pathlib
import re
import shutil

import harness
from harness import BUILD, C_COMPILERS, CXX_COMPILERS, INCLUDE, ROOT, Check, passed, steps

HERE = pathlib.Path(__file__).resolve().parent
# The configurations of the themes, whose bodies serve here, too.
CONFIGS = {"gcc": "gcc-O2", "clang": "clang-sanitized"}
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def program(source, kind, standard):
    """Compiles the source with the C++ compiler, links it with the bodies that the C compiler made, runs the program."""
    folder = BUILD / "cxx" / f"{kind}{standard}"
    folder.mkdir(parents=True, exist_ok=True)
    flags = harness.CONFIGS[CONFIGS[kind]][1]
    trouble, bodies = harness.bodies(CONFIGS[kind], kind, flags)
    if trouble:
        return trouble
    target = folder / source.stem
    return steps([CXX_COMPILERS[kind].command, f"-std=c++{standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
                  "-Werror", *flags, *INCLUDE, source, bodies, "-o", target, "-lz", "-lm"], [target],
                 env=harness.SANITIZER_SETTINGS)


def cuda():
    """Compiles the example in CUDA where there is a compiler; runs it where there is a GPU (77: there is none)."""
    if NVCC is None:
        return passed("not run: no nvcc")
    folder = BUILD / "cxx" / "cuda"
    folder.mkdir(parents=True, exist_ok=True)
    return steps(C_COMPILERS["gcc"].compile(*INCLUDE, "-c", ROOT / "examples" / "cuda" / "model.c", "-o", folder / "model.o"),
                 [NVCC, "-std=c++17", "-I", ROOT, ROOT / "examples" / "cuda" / "adamw.cu", folder / "model.o", "-o",
                  folder / "adamw"],
                 ["sh", "-c", f"{folder / 'adamw'} || test $? = 77"])


def cuda_half():
    """CUDA's own half-precision types, in a host program that its compiler makes."""
    if NVCC is None:
        return passed("not run: no nvcc")
    trouble, bodies = harness.bodies("gcc-O2", *harness.CONFIGS["gcc-O2"])
    if trouble:
        return trouble
    target = harness.fresh(BUILD / "cxx" / "half") / "test_half"
    include = [part for word in INCLUDE for part in re.split(r"(?<=^-isystem)", word)]
    return steps([NVCC, "-x", "cu", "-std=c++17", "-DREAL_HALF", *include, "-c", HERE / "test_half.cpp", "-o", f"{target}.o"],
                 [NVCC, f"{target}.o", bodies, "-lz", "-lm", "-o", target], [target])


def checks():
    """The programs in both standards under both compilers, the examples once."""
    example = ROOT / "examples" / "cxx" / "regression.cpp"
    return [*(Check(f"{name}, C++{standard}, {kind}",
                    lambda name=name, kind=kind, standard=standard: program(HERE / name, kind, standard))
              for name in ("test_face.cpp", "test_vectors.cpp", "test_half.cpp") for kind in ("gcc", "clang") for standard in (17, 20)),
            Check("test_half.cpp, CUDA's types", cuda_half),
            Check("examples/cxx/regression.cpp", lambda: program(example, "gcc", 17)),
            Check("examples/cuda/adamw.cu", cuda)]
