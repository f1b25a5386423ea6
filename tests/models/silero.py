#!/usr/bin/env python3
"""examples/silero_vad.c beside onnxruntime: the same probabilities, the same speech; and what it says about wrong files."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import harness
from harness import Check, run
from models.packages import FOLDER, Tests, build, installed, reference

DATA = FOLDER / "silero"
CLOSE = 1e-4


def compare(tests, program, case):
    """One recording with one set of weights."""
    result = run([program, "--model", case["model"], "--probs", case["path"]], separate=True)
    lines = result.output.splitlines()
    found = [line for line in lines if not line.startswith("speech")]
    speech = [f"speech {start / 16000:7.3f} to {end / 16000:7.3f} s" for start, end in case["speech"]]
    times = [f"{i * 512 / 16000:7.3f} s" for i in range(len(case["probabilities"]))]
    far = max((abs(float(line.split()[-1]) - wanted) for line, wanted in zip(found, case["probabilities"])), default=0)
    what = f"$ {result.command}\n{result.errors}{case['recording']}, {case['weights']} weights"
    tests.expect(result.status == 0 and not result.errors and [line[:9] for line in found] == times,
                 f"{what}: must give {len(times)} probabilities, gave {len(found)}")
    tests.expect(len(found) == len(times) and far <= CLOSE, f"{what}: probabilities differ by {far:g}")
    tests.expect([line for line in lines if line.startswith("speech")] == speech, f"{what}: must find {speech}, found {lines}")
    return far


def comparison():
    """All recordings under both weights, with two compilers."""
    tests, worst = Tests(), 0
    data = installed("silero_vad/data")
    harness.fresh(DATA)
    made = reference("silero", DATA)
    if made.status != 0:
        return harness.failed(f"{made.log()}{made.errors}")
    cases = json.loads((DATA / "expected.json").read_text())
    tests.expect({case["model"] for case in cases} >= {str(data / "silero_vad_16k.safetensors")}, "the published file is used")
    for case in cases:
        heard = "speech" in case["recording"] or case["recording"].startswith("to")
        tests.expect(bool(case["speech"]) == heard, f"{case['recording']}: the package finds speech at {case['speech']}")
    for compiler in ("gcc", "clang"):
        program = build("silero_vad", f"{compiler}-O2", *harness.FAST)
        worst = max(worst, *(compare(tests, program, case) for case in cases))
    tests.outcome.note = f"probabilities differ by at most {worst:.1e}"
    return tests.outcome


# ---- Wrong files ---------------------------------------------------------------------------------------------------------


def wav(samples, kind=1, channels=1, rate=16000, bits=16, before=b""):
    """The bytes of a WAV file."""
    chunk = struct.pack("<HHIIHH", kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    content = b"WAVE" + b"fmt " + struct.pack("<I", len(chunk)) + chunk + before
    content += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(content)) + content


def wrong_files():
    """Weights and recordings that are not there, cut, or something else."""
    tests = Tests()
    model = installed("silero_vad/data") / "silero_vad_16k.safetensors"
    program = build("silero_vad", "clang-sanitized")
    folder = harness.fresh(FOLDER / "silero_wrong")

    def file(content, name="file"):
        (folder / name).write_bytes(content)
        return folder / name

    def no_recording(content, *words):
        tests.fails([program, "--model", model, file(content)], "file", *words)

    samples = struct.pack("<1000h", *(i * 37 % 2000 - 1000 for i in range(1000)))
    good, weights = file(wav(samples), "good.wav"), model.read_bytes()
    plain = run([program, "--model", model, "--probs", good], separate=True)
    tests.expect(plain.status == 0 and len(plain.output.splitlines()) == 2 and not plain.errors, plain.log() + plain.errors)
    for before in (b"LIST" + struct.pack("<I", 4) + b"INFO", b"note" + struct.pack("<I", 3) + b"odd\0"):
        result = run([program, "--model", model, "--probs", file(wav(samples, before=before))])
        tests.expect(result.status == 0 and result.output == plain.output, f"{result.log()}other chunks must not matter")

    for arguments in ([], ["--model"], ["--model", model], ["--frobnicate", good], [good, good]):
        tests.fails([program, *arguments], "usage")

    tests.fails([program, "--model", folder / "nowhere", good], "nowhere", "No such file")
    for content, *words in ((b"", "0"), (weights[:7], "7"), (weights[:1000], "header"), (weights[:-1], "bytes of data"),
                            (weights + b"\0", "bytes of data"), (wav(samples), "header")):
        tests.fails([program, "--model", file(content, "weights"), good], "weights", *words)
    for old, new, *words in ((b'"conv1.bias"', b'"conv9.bias"', "1 missing (conv1.bias)", "1 unexpected (conv9.bias)"),
                             (b"[128,129,3]", b"[129,128,3]", "conv1.weight", "f32[129,128,3] for f32[128,129,3]"),
                             (b"F32", b"I32", "stft_conv.weight", "i32")):
        tests.expect(old in weights[:2000], f"{old} is in the header")
        tests.fails([program, "--model", file(weights.replace(old, new, 1), "weights"), good], *words)

    tests.fails([program, "--model", model, folder / "nowhere.wav"], "nowhere.wav", "No such file")
    tests.fails([program, "--model", model, folder], folder.name, "Is a directory")
    whole = wav(samples)
    no_recording(b"", "12 bytes of header", "got 0", "truncated")
    no_recording(weights, "RIFF")
    no_recording(b"RIFX" + whole[4:], "RIFF")
    no_recording(whole[:20], "format", "truncated")
    no_recording(whole[:36], "chunk", "truncated")
    no_recording(whole[:-1], "samples", "truncated")
    no_recording(wav(samples, kind=3, bits=32), "format 3", "32 bits")
    no_recording(wav(samples, channels=2), "2 channels")
    no_recording(wav(samples, rate=8000), "8000 Hz")
    no_recording(wav(samples, bits=8), "8 bits")
    no_recording(whole[:12] + whole[36:], "format 0")
    no_recording(whole[:16] + b"\xff\xff\xff\xff" + whole[20:], "truncated")
    return tests.outcome


def checks():
    """Both."""
    return [Check("silero_vad: probabilities as onnxruntime's", comparison, long=True),
            Check("silero_vad: wrong files", wrong_files, long=True)]


if __name__ == "__main__":
    harness.main("silero_vad", checks())
