"""The examples as their users meet them: results, repeatability, and what they say about input that is wrong."""
import gzip
import math
import pathlib
import random
import re
import shutil
import struct

import harness
from harness import BUILD, C_COMPILERS, ROOT, Check, Outcome, failed, run

EXAMPLES = ROOT / "examples"
DATA = BUILD / "examples" / "data"
REAL = pathlib.Path("/usr/share/datasets/fashion-mnist")
NAMES = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"]
SIDE = 28


def idx(extents, content, magic=None):
    """A file in IDX format, compressed."""
    head = struct.pack(">I", 0x800 + len(extents) if magic is None else magic) + b"".join(struct.pack(">I", n) for n in extents)
    return gzip.compress(head + content, compresslevel=1, mtime=0)


def image(label, source):
    """Noise, and bright rows where the label says: can be learnt in a moment."""
    rows = bytearray(source.randbytes(SIDE * SIDE))
    for row in range(2 * label, 2 * label + 4):
        rows[row * SIDE:(row + 1) * SIDE] = b"\xff" * SIDE
    return bytes(rows)


def images(n, seed):
    """n images and their labels as file contents."""
    source = random.Random(seed)
    labels = bytes(i % 10 for i in range(n))
    return idx([n, SIDE, SIDE], b"".join(image(label, source) for label in labels)), idx([n], labels)


def small_data(name="small"):
    """A folder with 6000 training and 500 test images."""
    folder = harness.fresh(DATA / name)
    for name, content in zip(NAMES, [*images(6000, 1), *images(500, 2)]):
        (folder / name).write_bytes(content)
    return folder


def build(name, config, target, *words):
    """Builds an example under a configuration."""
    return harness.build_program(EXAMPLES / f"{name}.c", config, target, *words)


# ---- Every example and benchmark under every compiler ------------------------------------------------------------------


def strict(source, config, whole):
    """Compiles under the strict flags; not `whole`: without the bodies, which the tests compile so."""
    compiler, flags = harness.CONFIGS[config]
    folder = BUILD / "examples" / "strict"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{source.stem}.{config}.o"
    return harness.steps(C_COMPILERS[compiler].compile(*flags, "-I", source.parent, *harness.INCLUDE, "-c",
                                                       source if whole else harness.without_bodies(source, config) or source,
                                                       "-o", made))


# ---- Those that only print -----------------------------------------------------------------------------------------------


def prints(name, patterns, *arguments):
    """The example runs through examples/run without a complaint, says what it must, and under sanitizers prints the same."""
    plain = run([EXAMPLES / "run", name, *arguments], timeout=120, separate=True)
    if plain.status != 0 or plain.errors:
        return failed(f"{plain.log()}{plain.errors}must succeed and have nothing to complain about")
    outcome = Outcome()
    for pattern in patterns:
        if re.search(pattern, plain.output, re.M):
            outcome.passed += 1
        else:
            outcome.failed += 1
            outcome.log += f"{plain.log()}lacks {pattern}\n"
    program = BUILD / "examples" / f"{name}-sanitized"
    built = build(name, "clang-sanitized", program)
    checked = run([program, *arguments], timeout=120) if built.status == 0 else built
    if checked.status == 0 and checked.output == plain.output:
        outcome.passed += 1
    else:
        outcome.failed += 1
        outcome.log += f"{plain.log()}{checked.log()}under sanitizers it must succeed and print the same\n"
    return outcome


# ---- fashion_mnist --------------------------------------------------------------------------------------------------------


def without_times(text):
    """Output with what a clock says taken out."""
    return re.sub(r"\d+(\.\d+)? *(s\b|seconds|images/s)", "", text)


def accuracy(result):
    """What the last line says; None if it says something else."""
    found = re.fullmatch(r"test accuracy: (\d+\.\d\d) %", result.output.rstrip("\n").rpartition("\n")[2])
    return float(found[1]) if result.status == 0 and found else None


def main_job():
    """The main job as it is, and shorter: the same seed gives the same result, another does not."""
    whole = run([EXAMPLES / "run", "--data", REAL], timeout=400)
    short = [BUILD / "examples" / "fashion_mnist", "--epochs", "2", "--data", REAL]       # as examples/run has just compiled it
    first, second, other = run([*short, "--seed", "7"]), run([*short, "--seed", "7"]), run([*short, "--seed", "8"])
    outcome = Outcome(note=f"test accuracy {accuracy(whole)} %")
    for good, what in [(accuracy(whole) is not None and accuracy(whole) >= 88.0, "at least 88 %"),
                       (accuracy(first) is not None and without_times(first.output) == without_times(second.output),
                        "the same seed gives the same output"),
                       (accuracy(other) is not None and without_times(first.output) != without_times(other.output),
                        "another seed gives another output")]:
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{whole.log()}{first.log()}{second.log()}{other.log()}not so: {what}\n"
    return outcome


def fast(name, *words):
    """Builds an example as examples/run does, but with bodies that it shares with other programs: the result, and the program."""
    program = BUILD / "examples" / f"{name}-fast"
    return build(name, "gcc-O2", program, *harness.FAST, *words), program


def derived(name, folder, epochs, least):
    """A program whose gradients the library computes reaches that accuracy."""
    built, program = fast(name, "-lz")
    if built.status != 0:
        return failed(built.log())
    result = run([program, "--data", folder, "--epochs", str(epochs)], timeout=600)
    reached = accuracy(result)
    good = reached is not None and reached >= least
    return Outcome(passed=int(good), failed=int(not good), note=f"test accuracy {reached} %",
                   log="" if good else f"{result.log()}must reach {least} %\n")


def convolution():
    """batchnorm_cnn reaches its accuracy within its time: 180 s on two processors, counted as what it takes of both, because
    other checks run beside it. That is 360 s, including the compiler's."""
    result = run(["bash", "-c", "time -p \"$0\" \"$@\"", EXAMPLES / "run", "batchnorm_cnn", "--data", REAL], timeout=900,
                 separate=True)
    seconds, reached = re.search(r"^user ([0-9.]+)$", result.errors, re.M), accuracy(result)
    took = float(seconds[1]) if seconds else math.inf
    good = reached is not None and reached >= 90.0 and took <= 360.0
    return Outcome(passed=int(good), failed=int(not good), note=f"test accuracy {reached} %, {took:.0f} s of processors",
                   log="" if good else f"{result.log()}must reach 90 % within 360 s of processor time\n")


def convolution_resumed(config):
    """batchnorm_cnn on few images: two epochs, and one, a checkpoint and another one, end with the same bits."""
    program, folder = BUILD / "examples" / "batchnorm_cnn-small", small_data("convolution")
    built = build("batchnorm_cnn", config, program, "-lz")
    if built.status != 0:
        return failed(built.log())
    saved = folder / "run.safetensors"
    call = [program, "--data", folder, "--images", "256", "--seed", "3", "--epochs", "2"]
    whole = run(call, timeout=300)
    first = run([*call, "--save", saved, "--stop", "1"], timeout=300)
    second = run([*call, "--resume", saved], timeout=300)
    bits = [re.findall(r"bits [0-9a-f]+|test accuracy: .*", result.output) for result in (whole, first, second)]
    outcome = Outcome()
    for good, what in [(len(bits[0]) == 2 and bits[0] == bits[2], "a resumed run ends with the same bits"),
                       (len(bits[1]) == 2 and bits[1] != bits[0], "the second epoch changes them")]:
        outcome.passed += good
        outcome.failed += not good
        outcome.log += "" if good else f"{whole.log()}{first.log()}{second.log()}not so: {what}\n"
    return outcome


class Gpt2:
    """gpt2_train: gradients, half the loss, resumed runs, what it refuses."""

    TEXT = pathlib.Path("/usr/share/games/fortunes/science")
    SECONDS = 120                                    # of the processor

    def __init__(self):
        self.outcome = Outcome()
        self.folder = harness.fresh(DATA / "gpt2")
        self.built, self.fast = fast("gpt2_train")

    def expect(self, good, log):
        """Counts one test."""
        self.outcome.passed += bool(good)
        self.outcome.failed += not good
        self.outcome.log += "" if good else log + "\n"

    def gradients(self):
        """Those of all 28 arrays agree with differences: to 1e-6 in double precision; float shows gross mistakes."""
        program = self.folder / "double"
        for built in (self.built, build("gpt2_train", "gcc-O2", program, "-DREAL=double")):
            self.expect(built.status == 0, built.log())
        for call in ([self.fast, "--check"], [program, "--check"]):
            result = run(call, timeout=300)
            agree = result.output.endswith("the gradients of 28 arrays agree with differences\n")
            self.expect(result.status == 0 and agree and result.output.count("| 0 of ") == 28, result.log())

    def learns(self):
        """Half of ln 256 within two minutes of one processor, and it writes text."""
        result = run([self.fast, "--text", self.TEXT, "--until", "2.7725"], timeout=900)
        losses = [float(loss) for loss in re.findall(r"^step +\d+/400  loss (\S+) ", result.output, re.M)]
        mean = re.search(r"ln 256 = 5\.5452; of the last 10 steps the mean is (\S+)$", result.output, re.M)
        took = re.search(r"^validation loss (\S+); (\S+) seconds of the processor in all\n\n([\s\S]{401})$", result.output, re.M)
        parameters = sum(int(n) for n in re.findall(r"arrays +(\d+) parameters", result.output))
        self.expect(result.status == 0 and mean and took and 900000 < parameters < 1100000, result.log())
        if mean and took:
            self.expect(5.4 < losses[0] < 5.7 and len(losses) < 400 and float(mean[1]) <= 2.7725 and float(took[1]) < 3.0, result.log())
            self.expect(float(took[2]) <= self.SECONDS, result.log())
            self.outcome.note = f"half the loss after {len(losses)} steps, {took[2]} s"

    def resumes(self):
        """Six steps, and three, a checkpoint and three more, end with the same bits; so does a run under sanitizers."""
        text, program = self.folder / "text", self.folder / "sanitized"
        text.write_bytes(bytes(random.Random(1).choices(b"abc \n", k=5000)))
        built = build("gpt2_train", "clang-sanitized", program, "-O1")
        self.expect(built.status == 0, built.log())
        whole, half, again = (self.folder / f"{name}.safetensors" for name in ("whole", "half", "again"))
        for binary, steps, batch in ((self.fast, "6", "3"), (program, "2", "1")):
            call = [binary, "--text", text, "--steps", steps, "--batch", batch, "--sample", "3"]
            stop = str(int(steps) // 2)
            first, second = run([*call, "--save", half, "--stop", stop], timeout=300), run([*call, "--save", again, "--resume", half], timeout=300)
            self.expect(first.status == 0 and second.status == 0 and f"after step {stop}\n" in second.output, first.log() + second.log())
            if binary == self.fast:
                result = run([*call, "--save", whole], timeout=300)
                self.expect(whole.read_bytes() == again.read_bytes() != half.read_bytes(), f"{result.log()}must end with the same bits")
                samples = [one.output.partition(" in all\n\n")[2] for one in (result, second)]
                self.expect(samples[0] == samples[1] != "", f"{samples}: must write the same")
        return program, text, half

    def refuses(self, program, text, saved):
        """Options, texts and checkpoints that are wrong: status 1 and one line of error."""
        few, cut = self.folder / "few", self.folder / "cut.safetensors"
        few.write_bytes(b"x" * 4095)
        cut.write_bytes(saved.read_bytes()[:-1])
        changed = bytearray(saved.read_bytes())
        place = struct.unpack("<Q", changed[:8])[0] + 8
        step = re.search(rb'"step":\{"dtype":"I32","shape":\[\],"data_offsets":\[(\d+),', bytes(changed))
        struct.pack_into("<i", changed, place + int(step[1]), -1)
        wrong = self.folder / "wrong.safetensors"
        wrong.write_bytes(changed)
        same = ["--text", text, "--steps", "2", "--batch", "1"]
        for arguments, words in [(["--text", self.folder / "nowhere"], ["nowhere", "No such file"]), (["--text", few], ["got 4095"]),
                                 (["--steps", "0"], ["--steps", "got 0"]), (["--rate", "fast"], ["--rate", "got fast"]),
                                 (["--seed", "-1"], ["--seed", "got -1"]), (["--save"], ["--save", "a path", "nothing"]),
                                 (["--frobnicate", "1"], ["--frobnicate", "--until"]),
                                 ([*same, "--resume", cut], [cut.name]), ([*same, "--resume", wrong], ["got -1"]),
                                 ([*same[:-1], "2", "--resume", saved], ["batch", "expected", "got"]),
                                 ([*same, "--resume", self.folder / "nowhere"], ["nowhere", "No such file"])]:
            result = run([program, *arguments], timeout=120, separate=True)
            lines = result.errors.rstrip("\n").splitlines()
            self.expect(result.status == 1 and len(lines) == 1 and all(str(word) in lines[0] for word in words),
                        f"{result.log()}{result.errors}must end with status 1 and one line that says: {words}")

    def check(self):
        """All of it."""
        self.gradients()
        self.learns()
        self.refuses(*self.resumes())
        return self.outcome


class FashionMnist:
    """The program under sanitizers with made-up images: a run that works, and many that must not."""

    def __init__(self):
        self.program = BUILD / "examples" / "fashion_mnist-sanitized"
        self.folder = small_data()
        self.outcome = Outcome()

    def expect(self, good, log):
        """Counts one test."""
        self.outcome.passed += bool(good)
        self.outcome.failed += not good
        self.outcome.log += "" if good else log + "\n"

    def fails(self, arguments, words):
        """Status 1, nothing about an accuracy, no sanitizer's report, and one line of error that says all the words."""
        result = run([self.program, *arguments], timeout=120, separate=True)
        lines = result.errors.rstrip("\n").splitlines()
        good = result.status == 1 and "test accuracy" not in result.output and len(lines) == 1
        good = good and all(word in lines[0] for word in words)
        shown = " ".join(words)
        self.expect(good, f"{result.log()}{result.errors}must end with status 1 and one line that says: {shown}")

    def broken(self, name, content, *words):
        """A copy of the data with one file replaced (None: taken away) is refused, and the file is named."""
        folder = harness.fresh(DATA / "broken")
        for other in NAMES:
            (folder / other).symlink_to(self.folder / other)
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)
        self.fails(["--data", folder, "--epochs", "1"], [name, *words])

    def check(self):
        """All of it."""
        built = build("fashion_mnist", "clang-sanitized", self.program, "-O1", "-lz")
        if built.status != 0:
            return failed(built.log())
        result = run([self.program, "--data", self.folder, "--epochs", "1", "--batch", "32"], timeout=240)
        self.expect(accuracy(result) is not None and accuracy(result) >= 90.0, f"{result.log()}must learn bright rows at once")
        self.expect(len(re.findall(r"^ *\S+( +\d+){10} +\d+\.\d %$", result.output, re.M)) == 10,
                    f"{result.log()}must print a confusion table of ten rows")

        self.fails(["--data", DATA / "nowhere"], ["nowhere", "No such file"])
        self.fails(["--data"], ["--data", "nothing"])
        self.fails(["--epochs", "0"], ["--epochs", "1 to", "got 0"])
        self.fails(["--epochs", "many"], ["--epochs", "got many"])
        self.fails(["--batch", "-1"], ["--batch", "got -1"])
        self.fails(["--rate", "fast"], ["--rate", "got fast"])
        self.fails(["--frobnicate", "1"], ["--frobnicate"])
        for name in NAMES:
            whole = (self.folder / name).read_bytes()
            content = gzip.decompress(whole)
            self.broken(name, None, "No such file")
            self.broken(name, b"", "0 bytes")
            self.broken(name, content, "gzip")                                       # not compressed
            self.broken(name, whole[:len(whole) // 2], "expected")                   # compressed stream cut
            self.broken(name, whole[:-8], "expected")                                # checksum cut away
            self.broken(name, whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:], "expected")   # checksum wrong
            self.broken(name, gzip.compress(content[:-1], 1), "truncated")           # one element short
            self.broken(name, gzip.compress(content + b"\0", 1), "more data")        # one too many
            self.broken(name, gzip.compress(content[:6], 1), "header")               # header cut
            self.broken(name, gzip.compress(b"\0\0\x0d" + content[3:], 1), "magic")  # floats, says the magic number
            self.broken(name, gzip.compress(content[:4] + b"\xff\xff\xff\xff" + content[8:], 1), "extent")
            self.broken(name, gzip.compress(content[:4] + b"\0\0\0\0" + content[8:], 1), "extent")
        self.broken(NAMES[0], (self.folder / NAMES[1]).read_bytes(), "magic")        # labels in place of images
        self.broken(NAMES[0], idx([6000, 27, SIDE], bytes(6000 * 27 * SIDE)), "28 x 28", "27 x 28")
        self.broken(NAMES[1], idx([5999], bytes(5999)), "6000 labels", "5999")
        self.broken(NAMES[1], idx([6000], bytes(5999) + b"\x0a"), "got 10 for image 5999")
        few = harness.fresh(DATA / "few")
        for name, content in zip(NAMES, [*images(100, 3), *images(100, 4)]):
            (few / name).write_bytes(content)
        self.fails(["--data", few], ["training images", "100"])
        return self.outcome


def help_text():
    """--help lists every option."""
    result = run([EXAMPLES / "run", "--help"])
    options = ["--data", "--epochs", "--seed", "--batch", "--rate", "--decay"]
    good = result.status == 0 and all(option in result.output for option in options)
    return Outcome(passed=1) if good else failed(result.log())


def blas():
    """The gradient by a BLAS agrees with the one by the library's product."""
    result = run([EXAMPLES / "run", "blas"], timeout=120, separate=True)
    right = result.status == 0 and not result.errors and "by the library's product and by the BLAS agree\n" in result.output
    return Outcome(passed=1) if right else failed(f"{result.log()}{result.errors}")


def names():
    """examples/run lists every example, but neither the file without main nor C++ and CUDA, for a name that is none; it runs
    one of a folder's."""
    unknown = run([EXAMPLES / "run", "no_such_example"])
    others = {path.parent for suffix in ("cpp", "cu") for path in EXAMPLES.glob(f"*/*.{suffix}")}
    wanted = [path.stem for path in EXAMPLES.iterdir()
              if path.is_dir() and path not in others or path.suffix == ".c" and path.name != "pytree.c"]
    listed = re.search(r"no such example: no_such_example; there are (.*)", unknown.output)
    if unknown.status == 0 or not listed or sorted(listed[1].split(", ")) != sorted(wanted):
        return failed(f"{unknown.log()}must fail and list {wanted}\n")
    one = run([EXAMPLES / "run", "jax_pytrees", "special"], timeout=120)
    there = (EXAMPLES / "jax_pytrees" / "special.expected").read_text(encoding="utf-8")
    return Outcome(passed=2) if one.status == 0 and one.output == there else failed(one.log())


def settings():
    """config: defaults, a file, the environment, the command line in this order; mistakes change nothing and are all told."""
    program = BUILD / "examples" / "config-sanitized"
    built = build("config", "clang-sanitized", program)
    if built.status != 0:
        return failed(built.log())
    good, bad = DATA.parent / "app.conf", DATA.parent / "bad.conf"
    good.write_text("{'window': {'title': 'File', 'size': [800, 600]},\n 'mode': 'safe', 'limits': {'cpu': 0.5}}\n", encoding="utf-8")
    bad.write_text("{'window': {'titel': 'x', 'size': [800]}, 'mode': 'slow'}", encoding="utf-8")
    before = (".window.title  str 'Untitled'\n.window.size  i32[2] 640 480\n.window.full  bool False\n.mode  Mode fast\n"
              ".gamma  f32 2.2\n307200 pixels; changed:\n")
    after = (".window.title  str 'Shell'\n.window.size  i32[2] 1024 600\n.window.full  bool False\n.mode  Mode safe\n"
             ".gamma  f32 2.2\n.curve[0]  f32 0.0\n.curve[1]  f32 1.0\n.limits['cpu']  f64 0.5\n.log.file  str 'a.log'\n"
             ".log.level  i32 0\n614400 pixels; changed:\n! .window.title: 'Untitled' -> 'Shell'\n"
             "! .window.size: 640 at element 0 -> 1024 at element 0\n! .mode: fast -> safe\n+ .curve[0]: f32\n"
             "+ .curve[1]: f32\n+ .limits['cpu']: f64\n! .log: None -> Log[()]\n")
    outcome = Outcome()
    for words, expected, errors in [
            ([], before, ""),
            ([good, "--set", ".window.size[0]=1024", "--set", "log.file=a.log", "--set", "curve=[0, 1]"], after, ""),
            ([bad], "", ".mode: expected one of fast, safe, got 'slow'; .window.size: expected i32[2], got 1 element; "
                        ".window: expected .title, .size, .full, got ['titel'] (values differ)\n"),
            (["--set", "gamma=fast"], "", ".gamma: expected f32, got 'fast' (types differ)\n"),
            (["--set"], "", "expected [FILE] [--set PATH=VALUE]..., got --set (bad argument)\n")]:
        shell = ["env", "APP_TITLE=Shell", program] if words and words[0] == good else [program]
        result = run([*shell, *words], timeout=120, separate=True)
        right = result.output == expected and result.errors == errors and (result.status == 0) == (errors == "")
        outcome.passed += right
        outcome.failed += not right
        outcome.log += "" if right else f"{result.log()}{result.errors}must print\n{expected}{errors}"
    return outcome


def strict_checks():
    """Every example and benchmark under two compilers; those that examples/run does not optimise also as users may build them."""
    plain = ("quickstart", "config", "gpt2_params")
    return [Check(f"{source.relative_to(ROOT)} compiles, {config}",
                  lambda source=source, config=config: strict(source, config, whole=config == "gcc-O2"))
            for source in sorted([*EXAMPLES.glob("*.c"), *(ROOT / "bench").glob("*.c")]) if not harness.is_foreign(source)
            for config in ("gcc-O0", "clang-O0", *(("gcc-O2",) if source.stem in plain else ()))]


def checks(config="gcc-O2"):
    """Examples that are run. Those whose program the checks build themselves share the bodies of that configuration."""
    shutil.rmtree(DATA, ignore_errors=True)
    return [
        Check("quickstart", lambda: prints("quickstart", [
            r"^PyTreeDef\(CustomNode\(MLP\[\(2,\)\], \[\[CustomNode\(Linear\[\(784, 128\)\], \[\*, \*\]\), "
            r"CustomNode\(Linear\[\(128, 10\)\], \[\*, \*\]\)\], None, \*\]\)\)$",
            r"^\.layers\[0\]\.w +f32\[784,128\]", r"^\.layers\[1\]\.b +f32\[10\]", r"^\.scale +f32\[2,3\]"])),
        Check("config", settings),
        Check("gpt2_params", lambda: prints("gpt2_params", [r"124,?439,?808", r"149 arrays, of which 148 are parameters: 124439808", "lm_head is wte.weight: yes",
                                                            r"file of 28 tensors: the numbers are the same, lm_head\[5\] is -1 with"],
                                            BUILD / "tied.safetensors")),
        Check("fashion_mnist: made-up images, wrong files, wrong options", lambda: FashionMnist().check(), long=True),
        Check("fashion_mnist: --help", help_text),
        Check("batchnorm_cnn: made-up images, resumed", lambda: convolution_resumed(config), long=True),
        Check("examples/run: names", names),
    ]


def training_checks():
    """Those that take long, to compile or to run; only these need the dataset."""
    return [Check("fashion_mnist: the real images", main_job, long=True),
            Check("fashion_mnist_traced: the real images", lambda: derived("fashion_mnist_traced", REAL, 6, 88.0), long=True),
            Check("batchnorm_cnn: the real images", convolution, long=True),
            Check("per_example_gradients: made-up images",
                  lambda: derived("per_example_gradients", small_data("each"), 1, 80.0), long=True),
            Check("gpt2_train: gradients, half the loss, resumed", lambda: Gpt2().check(), long=True),
            Check("blas", blas),
            Check("ode", lambda: prints("ode", [r"^energy at the beginning -1\.67947476, after 400 steps -1\.67947476$",
                                                r"^the gradient agrees with differences$"]), long=True)]
