"""What the library costs where memory is small: flash and stack on a Cortex-M4 under QEMU, stack on this machine, and that
programs without stb_ds.h and with PYTREE_SMALL compile and work under every compiler."""
import re

import harness
from harness import BUILD, C_COMPILERS, CXX_COMPILERS, ROOT, Check, Outcome, failed, passed, run, steps

HERE = ROOT / "tests" / "embedded"
MATRIX = ROOT / "tests" / "matrix"
FLASH, STACK = 24 * 1024, 2 * 1024                # limits for tests/embedded/program.c, which docs/costs.md promises
ARM = ["-std=c11", "-mcpu=cortex-m4", "-mthumb", "-Os", "-ffunction-sections", "-fdata-sections", "-DPYTREE_SMALL"]
# The compiler must not make a memcpy of the loop in memcpy.
LIBRARY = ["-ffreestanding", "-fno-tree-loop-distribute-patterns", "-fno-lto"]
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none",
        "-semihosting-config", "enable=on,target=native", "-kernel"]
UNWANTED = re.compile(r"\b\w*(printf|fwrite|fopen|strtod|qsort)\w*$", re.M)


def cortex_m4(flags):
    """Builds the program, and checks its size, what is linked, its results, and the stack of each operation."""
    folder = harness.fresh(BUILD / "embedded" / "_".join(["cortex-m4", *flags]))
    compiler, program = ["arm-none-eabi-gcc", *harness.STRICT, *ARM, *flags], folder / "program.elf"
    built = steps([*compiler, "-I", ROOT, "-c", HERE / "program.c", "-o", folder / "program.o"],
                  [*compiler, *LIBRARY, "-c", HERE / "startup.c", "-o", folder / "startup.o"],
                  [*compiler, folder / "program.o", folder / "startup.o", "-nostdlib", "-lgcc", "-T", HERE / "link.ld",
                   "-Wl,--gc-sections", "-o", program])
    if built.failed:
        return built
    sizes = run(["arm-none-eabi-size", program])
    text, data = map(int, re.search(r"^\s*(\d+)\s+(\d+)", sizes.output, re.M).groups())
    symbols = run(["arm-none-eabi-nm", "--size-sort", "-S", program])
    ran = run([*QEMU, program], timeout=60)
    used = {name: int(n) for name, n in re.findall(r"^(\w+) (\d+)$", ran.output, re.M)}
    most = max(used.values(), default=0)
    outcome = Outcome(note=f"{text + data} bytes of flash, {most} of stack")
    largest = "\n".join(symbols.output.splitlines()[-30:])
    for good, log in [(text + data <= FLASH, f"{sizes.log()}{largest}\nmust not take more than {FLASH} bytes of flash"),
                      (not UNWANTED.search(symbols.output), f"{symbols.log()}must not link {UNWANTED.pattern}"),
                      (ran.status == 0 and len(used) == 6, f"{ran.log()}must succeed and name six operations"),
                      (0 < most <= STACK, f"{ran.log()}must not take more than {STACK} bytes of stack")]:
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else log + "\n"
    return outcome


def stack_use():
    """Runs the program that measures the stack of each operation, as a program that is optimised uses it. Functions of the C
    library are bound at its start: the stack that the dynamic linker needs for that is not the operations'."""
    program = harness.fresh(BUILD / "embedded" / "stack") / "stack_use"
    built = harness.build_program(HERE / "stack_use.c", "gcc-O2", program, "-Wl,-z,now", "-lpthread")
    if built.status != 0:
        return failed(built.log())
    ran = run([program, program.with_suffix(".safetensors")])
    used = re.findall(r"^(.+): \d+ of at most \d+$", ran.output, re.M)
    bad = len(re.findall(r" (?:failed|is too much)$", ran.output, re.M))
    return Outcome(len(used), max(bad, int(ran.status != 0)), ran.log(), ran.output.splitlines()[0] if ran.output else "")


def works(compiler, defines, source, expected):
    """Compiles a program with its bodies and runs it: its output must have the words."""
    folder = BUILD / "embedded" / "_".join([compiler.name, source.stem, *defines])
    program = harness.fresh(folder) / "program"
    built = run(compiler.compile("-O1", *(f"-D{name}" for name in defines), *harness.INCLUDE, source, "-o", program, "-lm"))
    if built.status != 0:
        return failed(built.log())
    ran = run([program])
    return passed() if ran.status == 0 and expected in ran.output else failed(ran.log())


def bodies_compile(compiler, defines):
    """Compiles pytree.h with its bodies under the strict flags of C++."""
    target = harness.fresh(BUILD / "embedded" / "_".join([compiler.name, *defines])) / "bodies.o"
    flags = [*(f"-D{name}" for name in defines), *harness.INCLUDE]
    return steps(compiler.compile(*flags, "-c", MATRIX / "bodies.cpp", "-o", target))


def checks():
    """All of them."""
    found = [Check("Cortex-M4, -Os", lambda: cortex_m4([])),
             Check("Cortex-M4, -Os -flto", lambda: cortex_m4(["-flto"])),
             Check("stack of each operation", stack_use, long=True)]
    for defines in (["PYTREE_NO_STB_DS"], ["PYTREE_SMALL"], ["PYTREE_SMALL", "PYTREE_CONTAINERS"]):
        name = ", ".join(defines)
        found += [Check(f"{compiler.name}  {name}: quickstart",
                        lambda compiler=compiler, defines=defines:
                        works(compiler, defines, ROOT / "examples" / "quickstart.c", "after a step: -0.001 0.001"))
                  for compiler in C_COMPILERS.values()]
        found += [Check(f"{compiler.name}  {name}: bodies",
                        lambda compiler=compiler, defines=defines: bodies_compile(compiler, defines))
                  for compiler in CXX_COMPILERS.values()]
    return found
