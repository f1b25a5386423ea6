"""The programs in examples/nnx_pytrees against what Flax NNX prints.

What a program prints is what the records of its blocks have as `printed`, in tests/golden/seeds/nnx_examples.jsonl. The first
comment of a program names its blocks. Types of C are never weak, so `weak_type=True` is taken out. Numbers that are computed may
differ by a part in 100,000. The words of errors are the library's: checks.expected has those of checks.c.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402
from harness import BUILD, ROOT, Check, Outcome, run  # noqa: E402

FOLDER = ROOT / "examples" / "nnx_pytrees"
CONFIGS = ["gcc-O2", "clang-sanitized", "tcc"]
RECORDS = ROOT / "tests" / "golden" / "seeds" / "nnx_examples.jsonl"
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)? *")           # with the spaces that fill its column
ROUNDING = {"nnx-22"}           # its numbers are rounding errors; tests/golden/test_golden_numeric.c has runs that mean something


def records():
    """The records by their ids."""
    return {record["id"]: record for record in map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())}


def blocks(source):
    """The ids of the records that a program shows."""
    comment = source.read_text(encoding="utf-8").partition("*/")[0]
    return [f"nnx-{number}" for number in re.findall(r"\b\d\d\b", re.split(r"[Bb]locks? ", comment, maxsplit=1)[1])]


def same(expected, got, rounding):
    """Equal but for the last digits of numbers with a point; or numbers where numbers are, none above 1."""
    a, b = ([float(number) for number in NUMBER.findall(text)] for text in (expected, got))
    largest = max(map(abs, a), default=0)
    return (NUMBER.sub("#", expected) == NUMBER.sub("#", got)
            and all(abs(y) < 1 if rounding else abs(x - y) <= 1e-5 * largest for x, y in zip(a, b)))


def program(source):
    """It prints what the package printed, under compilers and sanitizers, without a complaint."""
    known, own = records(), source.with_suffix(".expected")
    wanted = own.read_text(encoding="utf-8") if own.exists() else "".join(known[name]["printed"] for name in blocks(source))
    wanted = wanted.replace(", weak_type=True", "")
    outcome = Outcome()
    for config in CONFIGS:
        target = BUILD / "examples" / "nnx_pytrees" / f"{source.stem}-{config}"
        result = harness.build_program(source, config, target)
        result = run([target], timeout=60) if result.status == 0 else result
        good = result.status == 0 and same(wanted, result.output, ROUNDING.issuperset(blocks(source)))
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{result.log()}must succeed and print\n{wanted}"
    return outcome


def every_block():
    """Each record is in one program."""
    shown = [name for source in sorted(FOLDER.glob("*.c")) for name in blocks(source)]
    outcome = Outcome()
    for name in sorted(set(shown) | set(records())):
        good = shown.count(name) == 1 and name in records()
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{name}: in {shown.count(name)} programs\n"
    return outcome


def checks():
    """One for each program, and one for the records."""
    return [Check("records of the page of Flax NNX: each in one program", every_block),
            *[Check(source.relative_to(ROOT).as_posix(), lambda source=source: program(source))
              for source in sorted(FOLDER.glob("*.c"))]]


if __name__ == "__main__":
    harness.main("Flax NNX's page on modules and trees in C", checks())
