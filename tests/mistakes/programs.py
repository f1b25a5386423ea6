"""Mistakes that a user of the library can make, one small program each, and what finds it.

registrations.py has those that compilers find: their words must stand within the first three lines that gcc and that clang
print; where the two say it differently, there are two texts. calls.py has those that the program tells when it runs, those that
only sanitizers find, and what looks like a mistake and works.
"""
import re

import harness
from harness import BUILD, SANITIZE, SANITIZER_SETTINGS, Check, failed, passed, run
from mistakes import calls
from mistakes.registrations import BITS_FIRST, COMPILED, OPTIMISED, OWN_NAMES, PLAIN, WARNED

LINES = 3
COMMAND = {"gcc": ["gcc", "-fdiagnostics-color=never", "-fmessage-length=0"],
           "clang": ["clang", "-fno-color-diagnostics", "-fmessage-length=0"]}
FOLDER = BUILD / "mistakes" / "programs"


def says(name, program, compiler, words, error, *flags):
    """Compiles a program that must be refused, or warned of, with these words within the first lines."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    source = FOLDER / f"{compiler}.{''.join(c if c.isalnum() else '_' for c in name)}.c"
    source.write_text(f'#include "pytree.h"\n{program}\n', encoding="utf-8")
    result = run([*COMMAND[compiler], "-std=c11", "-Wall", "-Wextra", *flags, "-fsyntax-only", *harness.INCLUDE, source],
                 timeout=60)
    lines = [line for line in result.output.splitlines() if ": In function" not in line]       # gcc says where it is
    first = "\n".join(lines[:LINES])
    if (result.status != 0) != error or words not in first:
        return failed(f"{compiler}: {name}: not within {LINES} lines: {words}\n{first}\n")
    return passed()


def compiles(compiler):
    """No mistakes: the struct that most programs share, structs whose first row is a bit-field, names like the library's own."""
    source = BUILD / "mistakes" / f"{compiler}.plain.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(f'#include "pytree.h"\n{OWN_NAMES}{PLAIN}{BITS_FIRST}', encoding="utf-8")
    result = run([*COMMAND[compiler], "-std=c11", *harness.STRICT, "-fsyntax-only", *harness.INCLUDE, source])
    return passed() if result.status == 0 else failed(result.log())


# ---- When they run -----------------------------------------------------------------------------------------------------

HEADERS = ["pytree.h", "pytree/path.h", "pytree/typed.h"]


def program_of(entries):
    """One program with a function for each entry; its argument chooses one."""
    parts = ["#include <time.h>", *(f'#include "{header}"' for header in HEADERS)]
    for number, (_, declarations, statements, _) in enumerate(entries):
        body = f"static void run_{number}(void)\n{{\n    pytree_error err = {{ 0 }};\n    {statements}\n" \
               "    pytree_error_print(stdout, &err);\n}\n"
        parts.append(re.sub(r"\b([STM]|map_S|literal_S|T_A|twice)\b", rf"\g<1>_{number}", f"{declarations}\n{body}"))
    names = ", ".join(f"run_{number}" for number in range(len(entries)))
    parts.append("int main(int argc, char **argv)\n{\n    static void (*const all[])(void) = { " + names + " };\n"
                 "    if (argc == 2) { all[atoi(argv[1])](); }\n    return 0;\n}\n")
    return "\n".join(parts)


def tells(entries, compiler, flags, config):
    """Each of these entries prints its words when it runs."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    source, program = FOLDER / f"{config}.calls.c", FOLDER / f"{config}.calls"
    source.write_text(program_of(entries), encoding="utf-8")
    trouble, archive = harness.bodies(config, compiler, list(flags))
    if trouble:
        return trouble
    result = run([compiler, "-std=c11", "-Wall", "-Wextra", *flags, *harness.INCLUDE, source, archive, "-o", program, "-lm",
                  "-lz"])
    if result.status != 0:
        return failed(result.log())
    outcome = harness.Outcome()
    for number, (name, _, _, words) in enumerate(entries):
        result = run([program, str(number)], timeout=60, env=SANITIZER_SETTINGS)
        good = words in result.output
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{name}: must print: {words}\n{result.log()}"
    return outcome


def checks():
    """Every program under both compilers, and what they print when they run."""
    made = [Check(f"no mistake {compiler}", lambda compiler=compiler: compiles(compiler)) for compiler in COMMAND]
    for entries, error, *flags in [*((entries, True) for entries in COMPILED.values()), (OPTIMISED, True, "-O1"), (WARNED, False)]:
        for name, program, gcc, clang in entries:
            for compiler, words in (("gcc", gcc), ("clang", clang or gcc)):
                made.append(Check(f"{name} {compiler}", lambda name=name, program=program, compiler=compiler, words=words,
                                  error=error, flags=flags:
                                  says(name, program, compiler, words, error, *flags)))
    found = [*calls.WORKS, *calls.SAID, *(entry[:4] for entry in calls.UNSEEN)]
    made.append(Check("what works, and what a call tells", lambda: tells(found, "gcc", ("-g", "-O0"), "gcc-O0")))
    made.append(Check("the same under sanitizers, and what only they find",
                      lambda: tells([*found, *calls.SANITIZED], "clang", tuple(SANITIZE), "clang-sanitized")))
    return made
