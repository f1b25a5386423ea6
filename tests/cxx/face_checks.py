"""pytree/pytree.hpp and the examples in C++ and CUDA."""
import pathlib
import shutil

from harness import BUILD, C_COMPILERS, CXX_COMPILERS, INCLUDE, ROOT, Check, passed, steps

HERE = pathlib.Path(__file__).resolve().parent
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def program(source, kind, standard, flags):
    """Compiles the library with the C compiler and the source with the C++ compiler, links them, runs the program."""
    folder = BUILD / "cxx" / f"{kind}{standard}"
    folder.mkdir(parents=True, exist_ok=True)
    bodies, target = folder / f"{source.stem}.o", folder / source.stem
    return steps(C_COMPILERS[kind].compile("-O1", *flags, *INCLUDE, "-c", ROOT / "examples" / "pytree.c", "-o", bodies),
                 [CXX_COMPILERS[kind].command, f"-std=c++{standard}", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                  "-Wshadow", "-Werror", *flags, *INCLUDE, source, bodies, "-o", target, "-lz", "-lm"], [target])


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


def checks():
    """The face in both standards under both compilers, the examples once."""
    face, example = HERE / "test_face.cpp", ROOT / "examples" / "cxx" / "regression.cpp"
    return [*(Check(f"pytree.hpp, C++{standard}, {kind}",
                    lambda kind=kind, standard=standard: program(face, kind, standard, SANITIZED if kind == "clang" else []))
              for kind in ("gcc", "clang") for standard in (17, 20)),
            Check("examples/cxx/regression.cpp", lambda: program(example, "gcc", 17, [])),
            Check("examples/cuda/adamw.cu", cuda)]
