"""What no run can show: the lists in unreachable/."""
from harness import ROOT, words

LISTS = ROOT / "tests" / "coverage" / "unreachable"


def list_of(name):
    """The list of a header: pytree/impl/flatten.h has flatten.txt, pytree/registry/emit.h has pytree-registry-emit.txt."""
    return LISTS / (name.removeprefix("pytree/impl/").removesuffix(".h").replace("/", "-") + ".txt")


def entries(path):
    """A list's entries: [number of the line, text, reason]."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith((" ", "\t")) and found:
            found[-1][2] = words(f"{found[-1][2]} {line}")
        elif line and not line.startswith("#"):
            found.append([number, words(line), ""])
    return found


def names(text, item):
    """Does an entry name this item? The last part may be left out."""
    return text in (item.entry(), f"{item.function}; {item.label}")


def subtract(items):
    """Gives the listed ones of all items by header their reasons; returns what is wrong with the lists."""
    wrong = []
    files = {list_of(name): name for name in items}
    for path in sorted(LISTS.glob("*.txt")):
        for number, text, reason in entries(path):
            same = [item for item in items.get(files.get(path), []) if names(text, item)]
            several = len({item.entry() for item in same}) > 1
            fault = "expected a reason in the next line" if reason == "" else "there is no such thing" if not same \
                else "a test shows it: take it off the list" if all(item.shown for item in same) \
                else "tests show one of several: add what open.txt has behind it" if several and any(item.shown for item in same) \
                else ""
            if fault:
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {fault}: {text}")
            for item in same:
                item.reason = reason
    return wrong
