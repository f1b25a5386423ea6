"""pytree/html.h in a browser: folds, search, values, keys, differences, hostile names, deep and large trees, the picture."""
import functools
import struct
import threading

from harness import BUILD, C_COMPILERS, INCLUDE, ROOT, Check, Outcome, failed, fresh, passed, run, steps
from pages.chromium import Browser, program

FOLDER = BUILD / "html"
BUILDING = threading.Lock()
# The rows in sight: depth, key, type, values, as text.
ROWS = """[...document.querySelectorAll('.row')].map((row) => [Number(row.getAttribute('aria-level')) - 1,
    ...['.key', '.type', '.values'].map((part) => row.querySelector(part).textContent.replace(/[\\u25b8\\u25be]/g, ''))])"""
CHOSEN = "document.querySelector('[aria-selected=true] .key').textContent.replace(/[\\u25b8\\u25be]/g, '')"


@functools.lru_cache(maxsize=None)
def pages_made():
    """Builds pages.c and writes its pages: the failure or None, and what it prints."""
    folder = fresh(FOLDER)
    built = steps(C_COMPILERS["gcc"].compile("-O2", *INCLUDE, ROOT / "tests" / "pages" / "pages.c", "-o", folder / "pages", "-lm"))
    if built.failed:
        return built, ""
    written = run([folder / "pages", folder], separate=True)
    return failed(written.log() + written.errors) if written.status or written.errors else None, written.output


def pages():
    """The same, once for all checks."""
    with BUILDING:
        return pages_made()


class Test:
    """Counts what holds and what does not."""

    def __init__(self, browser):
        self.browser, self.outcome = browser, Outcome()

    def expect(self, holds, what):
        """One test."""
        if holds:
            self.outcome.passed += 1
        else:
            self.outcome.failed += 1
            self.outcome.log += f"{what}\n"

    def same(self, got, wanted, what):
        """One test: two values are equal."""
        self.expect(got == wanted, f"{what}: expected {wanted!r}, got {got!r}")

    def value(self, expression):
        """Of the page."""
        return self.browser.value(expression)

    def rows(self):
        """The rows in sight."""
        self.browser.settle()
        return self.value(ROWS)

    def keys(self):
        """Their keys."""
        return [row[1] for row in self.rows()]

    def find(self, text):
        """Searches as a user does: what it says was found, and the keys of the rows."""
        self.value(f"(() => {{ const field = document.getElementById('search'); field.value = {text!r};"
                   "field.dispatchEvent(new Event('input')); })()")
        return self.value("document.getElementById('found').textContent"), self.keys()


def in_browser(function):
    """A check that gets a browser with pages to open."""
    trouble, printed = pages()
    if trouble:
        return trouble
    if program() is None:
        return failed("expected chromium, which tests/run installs")
    with Browser() as browser:
        test = Test(browser)
        function(test, printed)
        test.same(browser.problems(), [], "exceptions and requests")
        return test.outcome


def lines_of(rows):
    """Rows as pytree_print writes leaves."""
    here, lines = {}, []
    for depth, key, type_, values in rows:
        here[depth] = "" if depth == 0 else key
        # Nodes have a type that is a name: in these pages Model, Linear, tuple.
        if type_[0].islower() and type_ != "tuple":
            path = "".join(here[level] for level in range(depth + 1))
            lines.append(f"{path}  {type_} {values}")
    return lines


def values(test, printed):
    """What a page shows of each leaf is what pytree_print prints; the details of one are its own."""
    test.browser.open(FOLDER / "model.html")
    test.value("document.getElementById('unfold').click()")
    test.same(lines_of(test.rows()), printed.splitlines(), "leaves")
    test.same(test.value("document.getElementById('totals').textContent"), "8 leaves, 6,023 elements, 24.1 KB", "totals")
    test.same(test.value("document.title"), "model", "title")
    test.browser.open(FOLDER / "model.html", "#at=.layers[1].b")
    said = test.value("document.getElementById('details').innerText")
    for words in (".layers[1].b", "f32[48]", "elements\t48", "bytes\t192", "role\tParam", "min\t0.0", "max\t5.875", "mean\t3.05163",
                  "std\t1.67818", "NaN\t1", "infinite\t1", "0.0 0.125 nan inf 0.5"):
        test.expect(words in said, f"{words} in {said!r}")
    test.same(test.value("[...document.querySelectorAll('rect')].reduce((n, one) => n + parseInt(one.textContent), 0)"), 46, "bars")
    test.browser.open(FOLDER / "model.html", "#at=.layers[0]")
    said = test.value("document.getElementById('details').innerText")
    for words in ("Linear", "din\t64", "dout\t48", "leaves below\t2", "f32\t2 leaves\t3,120 elements\t12.5 KB"):
        test.expect(words in said, f"{words} in {said!r}")


def pictures(test, _):
    """Heat maps: the colours of cells, the slices of a cube, what is not finite."""
    def pixel(x, y):
        return test.value(f"[...document.querySelector('canvas').getContext('2d').getImageData({x}, {y}, 1, 1).data]")

    test.browser.open(FOLDER / "model.html", "#at=.cube")
    test.same(test.value("[...document.querySelectorAll('select option')].map((one) => one.textContent)"),
              ["[0,:,:]", "[1,:,:]", "[2,:,:]"], "slices")
    test.same(pixel(0, 0), [68, 1, 84, 255], "the lowest cell")
    test.value("(() => { const pick = document.querySelector('select'); pick.value = 2; pick.dispatchEvent(new Event('change')); })()")
    test.same(pixel(4, 3), [253, 231, 37, 255], "the highest cell, in the last slice")
    test.value("document.querySelector('canvas').dispatchEvent(new PointerEvent('pointermove', (() => { const box = "
               "document.querySelector('canvas').getBoundingClientRect(); return { clientX: box.right - 2, clientY: box.bottom - 2 }; })()))")
    test.same(test.value("document.querySelector('#details output').textContent"), "[3, 4]  about 59", "what lies below the pointer")
    test.browser.open(FOLDER / "model.html", "#at=.layers[1].b")
    test.same(pixel(2, 0), [255, 0, 255, 255], "NaN")


def ends_of_range(test, _):
    """Numbers at both ends of double's range: nothing that the page computes of them overflows."""
    test.browser.open(FOLDER / "wide.html", "#at=[0]")
    said = test.value("document.getElementById('details').innerText")
    for words in ("min\t-1.7976931348623157e+308", "max\t1.7976931348623157e+308", "mean\t0", "std\t1.46781e+308"):
        test.expect(words in said, f"{words} in {said!r}")
    bars = test.value("[...document.querySelectorAll('rect')].map((one) => one.textContent)")
    test.same((bars[0], bars[-1]), ("2 from -1.79769e+308 to -1.68534e+308", "2 from 1.68534e+308 to 1.79769e+308"), "bars")
    test.same([word for word in ("NaN", "Infinity") if word in said + "".join(bars)], [], "words for what is no number")
    picture_of = "[...document.querySelector('canvas').getContext('2d').getImageData(%d, 0, 1, 1).data]"
    test.same([test.value(picture_of % x) for x in (0, 1)], [[178, 24, 43, 255], [33, 102, 172, 255]], "the ends of the colours")


def folds_and_keys(test, _):
    """Folds by click and by key; the keys of a tree; the attributes that screen readers want."""
    test.browser.open(FOLDER / "model.html")
    test.same(test.keys()[:4], ["root", ".layers", "[0]", ".w"], "small trees are unfolded")
    test.value("document.getElementById('fold').click()")
    test.same(test.keys(), ["root"], "all folded")
    test.same(test.value("document.querySelector('.row').getAttribute('aria-expanded')"), "false", "aria-expanded")
    test.value("document.querySelector('.fold').click()")
    test.same(test.keys(), ["root", ".layers", ".cube", ".step"], "the root unfolded by a click")
    test.value("document.getElementById('tree').focus()")
    for key, wanted in (("ArrowDown", ".layers"), ("ArrowRight", ".layers"), ("ArrowRight", "[0]"), ("End", ".step"), ("Home", "root"),
                        ("ArrowDown", ".layers"), ("ArrowDown", "[0]"), ("ArrowLeft", ".layers"), ("ArrowLeft", ".layers"),
                        ("ArrowLeft", "root"), ("ArrowUp", "root")):
        test.browser.key(key)
        test.same(test.value(CHOSEN), wanted, f"after {key}")
    test.same(test.keys(), ["root", ".layers", ".cube", ".step"], "folded again by a key")
    test.browser.key("ArrowDown")
    test.browser.key("Enter", "\r")
    test.same(test.keys(), ["root", ".layers", "[0]", "[1]", "[2]", ".cube", ".step"], "unfolded by Enter")
    row = "document.querySelectorAll('.row')[3]"
    test.same(test.value(f"['role', 'aria-level', 'aria-posinset', 'aria-setsize'].map((name) => {row}.getAttribute(name))"),
              ["treeitem", "3", "2", "3"], "attributes of a row")
    test.same(test.value("document.getElementById(document.getElementById('tree').getAttribute('aria-activedescendant'))"
                         ".querySelector('.key').textContent.slice(1)"), ".layers", "the row that is at hand")
    test.browser.key("/", "/")
    test.same(test.value("document.activeElement.id"), "search", "/ goes to the search")
    test.same(test.value("decodeURIComponent(location.hash)"), "#at=.layers", "the address names the row")


def search(test, _):
    """Parts of paths, patterns, and what is neither; the end of a search."""
    test.browser.open(FOLDER / "model.html")
    for text, found, keys in (
            ("[1].b", "1 leaf of 8", ["root", ".layers", "[1]", ".b"]),
            ("STEP", "1 leaf of 8", ["root", ".step"]),
            ("**.b", "3 leaves of 8", ["root", ".layers", "[0]", ".b", "[1]", ".b", "[2]", ".b"]),
            (".layers[*].w", "3 leaves of 8", ["root", ".layers", "[0]", ".w", "[1]", ".w", "[2]", ".w"]),
            (".layers**", "6 leaves of 8", ["root", ".layers", "[0]", ".w", ".b", "[1]", ".w", ".b", "[2]", ".w", ".b"]),
            (".*", "2 leaves of 8", ["root", ".layers", ".cube", ".step"]),
            ("*[2]**", "2 leaves of 8", ["root", ".layers", "[2]", ".w", ".b"]),
            ("[*]", "0 leaves of 8", []), ("nothing", "0 leaves of 8", []), (".a.*b*", "not a pattern", [])):
        test.same(test.find(text), (found, keys), f"search for {text}")
    test.same(test.find("")[1][:3], ["root", ".layers", "[0]"], "all is back")
    test.browser.open(FOLDER / "model.html", "#search=**.b&at=.layers[2].b")
    test.same(test.value("document.getElementById('found').textContent"), "3 leaves of 8", "search by the address")
    test.same(test.value(CHOSEN), ".b", "row by the address")
    test.browser.open(FOLDER / "hostile.html")
    test.same(test.find("['a\"b\\'c']*")[0], "0 leaves of 3", "a pattern with a quoted key")
    test.same(test.find("**[\"a\\\"b'c\"]")[0], "1 leaf of 3", "a quoted key in other quotes")


def differences(test, _):
    """The page opens at the first difference; marks; errors; the next one by key."""
    test.browser.open(FOLDER / "diff.html")
    test.same(test.value(CHOSEN), "['fresh']", "the first difference")
    marked = "[...document.querySelectorAll('.added, .removed, .changed')].filter((one) => one.id).map((row) => row.className.split(' ')[1] " \
             "+ row.querySelector('.key').textContent)"
    test.same(test.value(marked), ["added['fresh']", "removed['gone']", "changed.w", "changed.b", "changed.step"], "marks")
    test.value("document.getElementById('tree').focus()")
    test.browser.key("n", "n")
    test.browser.key("n", "n")
    test.same(test.value(CHOSEN), ".w", "the next difference")
    said = test.value("document.getElementById('details').innerText")
    for words in ("elements that differ\t1", "at element 5", "largest |a − b|\t0.5", "changed"):
        test.expect(words in said, f"{words} in {said!r}")
    test.browser.key("N", "N")
    test.same(test.value(CHOSEN), "['gone']", "the one before")
    test.expect(["1000 → 2000"] == [row[3] for row in test.rows() if row[1] == ".step"], "both values of a scalar")
    test.browser.open(FOLDER / "equal.html")
    test.expect("1 difference" in test.value("document.getElementById('totals').textContent"), "NaN differs from NaN")


def links(test, _):
    """Rows that show the same memory lead to each other."""
    test.browser.open(FOLDER / "shared.html", "#at=['tied'].w")
    test.same(test.value("[...document.querySelectorAll('#details a')].map((link) => link.textContent)"), ["['model'].layers[1].w"], "links")
    test.expect("in memory: some is shared" in test.value("document.getElementById('totals').textContent"), "totals")
    test.value("document.querySelector('#details a').click()")
    test.same(test.value("document.querySelector('#details h2').textContent"), "['model'].layers[1].w", "where a link leads")


def hostile(test, _):
    """Names that would be code are text."""
    test.browser.open(FOLDER / "hostile.html")
    test.same(test.value("document.title"), "hostile", "title")
    test.same(test.keys(), ["root", "['\\x01\\udcff<!--']", "[\"</script><script>document.title = 'broken'</script>\"]",
                            "['<img src=x onerror=alert(1)>']", "['a\"b\\'c']"], "keys")
    test.same(test.value("document.querySelectorAll('img').length"), 0, "no element comes of a name")


def deep(test, _):
    """100,000 levels: unfolded, searched, and its last row shown."""
    test.browser.open(FOLDER / "deep.html")
    test.value("document.getElementById('unfold').click()")
    test.value("document.getElementById('tree').focus()")
    test.browser.key("End")
    test.same(test.rows()[-1][:2], [100000, "100000 .next"], "the last row")
    found, keys = test.find("**.value")
    test.same(found, "100,000 leaves of 100,000", "search")
    test.same(keys[:3], ["root", ".value", ".next"], "rows found")
    test.browser.open(FOLDER / "deep.html", "#at=.next.next.next.value")
    test.same(test.value("document.querySelector('#details h2').textContent"), ".next.next.next.value", "row by the address")


def large(test, _):
    """10,000 leaves open within a second, 200,000 too are shown; only the rows in sight are elements."""
    times = sorted(test.browser.open(FOLDER / "many.html") for _ in range(3))
    test.expect(times[0] < 1, f"10,000 leaves: expected to open within a second, took {times} s")
    test.same(test.keys(), ["root", "['all']"], "large trees are folded")
    test.value("document.getElementById('unfold').click()")
    test.expect(test.value("document.querySelectorAll('.row').length") < 60, "rows that are not in sight are no elements")
    test.same(test.find("**[7]")[0], "1,000 leaves of 10,000", "search")
    more = test.browser.open(FOLDER / "more.html")
    test.value("document.getElementById('unfold').click()")
    test.value("document.getElementById('tree').scrollTop = 1e9")
    test.same(test.rows()[-1][:2], [3, "[9]"], "the last row of 200,000")
    test.same(test.find("[19999][9]")[0], "1 leaf of 200,000", "search among 200,000")
    test.outcome.note = f"10,000 leaves: {times[0]:.2f} s, 200,000: {more:.2f} s"


def size_of(path):
    """Width and height of a PNG file."""
    head = path.read_bytes()[:24]
    return struct.unpack(">II", head[16:24]) if head.startswith(b"\x89PNG\r\n\x1a\n") else None


def draw(path):
    """Makes the picture of docs/html.md: the failure or None."""
    trouble, _ = pages()
    if trouble:
        return trouble
    with Browser(width=1080, height=860) as browser:
        browser.open(FOLDER / "model.html", "#at=.layers[0].w")
        browser.picture(path)
    return None


def picture():
    """The picture can be made again: of the same size, and no blank one."""
    made, there = FOLDER / "picture.png", ROOT / "docs" / "html.png"
    trouble = draw(made)
    if trouble:
        return trouble
    if size_of(made) != size_of(there) or not 0.5 < made.stat().st_size / there.stat().st_size < 2:
        return failed(f"expected a picture like {there}: {size_of(there)}, {there.stat().st_size} bytes; got {size_of(made)}, "
                      f"{made.stat().st_size} bytes")
    return passed()


def checks():
    """All of it."""
    made = [Check(function.__name__.replace("_", " "), lambda function=function: in_browser(function))
            for function in (values, pictures, ends_of_range, folds_and_keys, search, differences, links, hostile, deep, large)]
    return [*made, Check("the picture of docs/html.md", picture),
            Check("tools/html_page.py", lambda: steps([ROOT / "tools" / "html_page.py", "--check"]))]
