#!/usr/bin/env python3
"""Training that is stopped and resumed (examples/fashion_mnist.c): killed at any moment, it ends as if nothing had been."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import harness
from examples import examples_checks
from harness import Check, run
from models.packages import FOLDER, Tests, build

EPOCHS, STEPS, KILLS, SEED = 10, 25, 12, 1          # STEPS: in each epoch, 800 images in batches of 32
SHORT = ["--epochs", str(EPOCHS), "--batch", "32", "--seed", "3"]


def made_up(name, n):
    """A folder with n training images, of which 5000 are for validation, and 200 test images."""
    folder = harness.fresh(FOLDER / name)
    for file, content in zip(examples_checks.NAMES, [*examples_checks.images(n, 1), *examples_checks.images(200, 2)]):
        (folder / file).write_bytes(content)
    return folder


def tensors(path):
    """Name to type, shape, place of the data in the file; an exception if the file is not whole."""
    content = path.read_bytes()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:start])
    header.pop("__metadata__", None)
    if start + max(entry["data_offsets"][1] for entry in header.values()) != len(content):
        raise ValueError(f"{path}: not whole")
    return {name: (entry["dtype"], entry["shape"], start + entry["data_offsets"][0]) for name, entry in header.items()}


def step(path):
    """How far the run has come that left this checkpoint; -1: it left none."""
    if not path.exists():
        return -1
    return struct.unpack_from("<i", path.read_bytes(), tensors(path)["step"][2])[0]


class Whole:
    """A run that nothing interrupts: what all others must end with."""

    def __init__(self, tests):
        self.folder = made_up("resume", 5800)
        self.program = build("fashion_mnist", "gcc-O2", *harness.FAST)
        self.command = [self.program, "--data", self.folder, *SHORT]
        self.saved, self.exported = self.folder / "whole.safetensors", self.folder / "whole_weights.safetensors"
        began = time.monotonic()
        result = run([*self.command, "--save", self.saved, "--export", self.exported])
        self.seconds, self.output = time.monotonic() - began, result.output
        tests.expect(result.status == 0, result.log())

    def same(self, tests, saved, exported, log):
        """These files are the same, byte for byte."""
        for mine, other in ((self.saved, saved), (self.exported, exported)):
            tests.expect(other is None or mine.read_bytes() == other.read_bytes(), f"{log}{other} must equal {mine}")


def killed(tests, whole, source, name):
    """Kills a run again and again at random moments, then lets it end. Returns the steps at which it was resumed."""
    saved, exported, seen = whole.folder / f"{name}.safetensors", whole.folder / f"{name}_weights.safetensors", [-1]
    command = [*whole.command, "--save", saved, "--export", exported]
    for i in range(KILLS):
        resuming = ["--resume", saved] if saved.exists() else []
        with subprocess.Popen([*command, *resuming], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(source.uniform(0, whole.seconds * (i + 1) / KILLS / 2))        # soon at first, so that all is met
            process.kill()
            errors = process.communicate()[1].decode()
        tests.expect(process.returncode in (-9, 0) and not errors, f"resumed at {seen[-1]}: {process.returncode} {errors}")
        seen.append(step(saved))
        tests.expect(seen[-1] >= seen[-2] and (seen[-1] == -1 or seen[-1] % STEPS == 0), f"steps {seen}: must not go back")
    last = run([*command, *(["--resume", saved] if saved.exists() else [])])
    tests.expect(last.status == 0 and last.output.splitlines()[-1] == whole.output.splitlines()[-1], last.log() + whole.output)
    whole.same(tests, saved, exported, last.log())
    return seen


def interrupted():
    """The same weights with and without checkpoints, with and without interruptions."""
    tests = Tests()
    whole, source = Whole(tests), random.Random(SEED)
    exported = whole.folder / "plain_weights.safetensors"
    plain = run([*whole.command, "--export", exported])
    tests.expect(examples_checks.without_times(plain.output) == examples_checks.without_times(whole.output),
                 f"{plain.log()}{whole.output}saving must not change what is printed")
    whole.same(tests, whole.saved, exported, plain.log())
    tests.expect({name: entry[:2] for name, entry in tensors(exported).items()} == {
        f"layers.{i}.{name}": ("F32", shape) for i, (rows, columns) in enumerate([(784, 256), (256, 128), (128, 10)])
        for name, shape in (("w", [rows, columns]), ("b", [columns]))}, f"{exported}: must have the weights alone")

    seen = [killed(tests, whole, source, f"killed{i}") for i in range(2)]
    tests.expect(any(0 < at < EPOCHS * STEPS for steps in seen for at in steps), f"{seen}: must be killed after an epoch too")

    again = whole.folder / "again.safetensors"
    result = run([*whole.command, "--resume", whole.saved, "--export", again])
    tests.expect(f"after epoch {EPOCHS}\n" in result.output and "epoch  1/" not in result.output, result.log())
    whole.same(tests, whole.saved, again, f"{result.log()}a run that has ended can be resumed: ")

    # Killed, or told that there is no more room, in the middle of a save: the system stops the file at a given length.
    size, target = whole.saved.stat().st_size, whole.folder / "half.safetensors"
    shorter = [*whole.command, "--save", target]
    for share in (0, 0.001, 0.3, 0.99):
        for trap, statuses in (("", (-25,)), ("trap '' XFSZ; ", (1,))):
            target.write_bytes(whole.saved.read_bytes())
            result = run(["sh", "-c", f'{trap}ulimit -f {int(share * size / 512)}; exec "$@"', "sh", *shorter], separate=True)
            tests.expect(result.status in statuses and target.read_bytes() == whole.saved.read_bytes(),
                         f"{result.log()}{result.errors}stopped at {share} of the file, the old one must stay")
            left = list(whole.folder.glob("half.safetensors?*"))
            tests.expect(not trap or (not left and "File too large" in result.errors), f"{result.errors}{left}")
            for path in left:
                path.unlink()
    tests.outcome.note = f"killed at steps {seen}"
    return tests.outcome


def refused():
    """Checkpoints of other runs, cut, or changed; places where nothing can be written."""
    tests = Tests()
    folder = made_up("resume_wrong", 5100)
    program = build("fashion_mnist", "clang-sanitized")
    good, file = folder / "good.safetensors", folder / "file.safetensors"
    options = {"--epochs": "1", "--batch": "64", "--seed": "5", "--rate": "0.002", "--decay": "0.2"}

    def command(changed=None):
        return [program, "--data", folder, *(word for pair in {**options, **(changed or {})}.items() for word in pair)]

    made = run([*command(), "--save", good])
    tests.expect(made.status == 0, made.log())
    resumed = run([*command(), "--resume", good])
    tests.expect(resumed.status == 0 and resumed.output.splitlines()[-1] == made.output.splitlines()[-1], resumed.log())
    for option, other in (("--epochs", "2"), ("--batch", "32"), ("--seed", "6"), ("--rate", "0.001"), ("--decay", "0.1")):
        tests.fails([*command({option: other}), "--resume", good], option[2:], "expected", "got")
    tests.fails([program, "--data", made_up("resume_other", 5099), *command()[3:], "--resume", good], "order", "i32[100]")

    content, places = good.read_bytes(), tensors(good)
    for length in (0, 7, 8, 100, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:length])
        tests.fails([*command(), "--resume", file], file.name)
    for name, value, *words in (("step", -1, "step -1"), ("step", 1, "step 1"), ("step", 4, "step 4"), ("order", -1, "got -1"),
                                ("order", 100, "below 100", "got 100"), ("order", 2 ** 31 - 1, "got 2147483647")):
        changed = bytearray(content)
        struct.pack_into("<i", changed, places[name][2], value)
        file.write_bytes(changed)
        tests.fails([*command(), "--resume", file], file.name, *words)
    exported = folder / "exported.safetensors"
    run([*command(), "--resume", good, "--export", exported])
    tests.fails([*command(), "--resume", exported], "missing", "6 unexpected")

    tests.fails([*command(), "--resume", folder / "nowhere"], "nowhere", "No such file")
    tests.fails([*command(), "--save", folder / "nowhere" / "file"], "nowhere", "No such file")
    tests.fails([*command(), "--resume", good, "--export", folder / "nowhere" / "file"], "nowhere", "No such file")
    for option in ("--save", "--resume", "--export"):
        tests.fails([program, option], option, "a path", "nothing")
    return tests.outcome


def checks():
    """Both."""
    return [Check("fashion_mnist: killed and resumed", interrupted, long=True),
            Check("fashion_mnist: checkpoints that are refused", refused, long=True)]


if __name__ == "__main__":
    harness.main("fashion_mnist, resumed", checks())
