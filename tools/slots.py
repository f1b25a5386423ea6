#!/usr/bin/env python3
"""Makes the headers of pytree/registry/ that are long lists of numbers.

    tools/slots.py             writes them
    tools/slots.py --check     fails if they are not what this script makes

The preprocessor cannot count, so a program that registers types needs one macro for each number: slots.h has the lists of
slots and the families of macros that are numbered, slot_take.h, slot_advance.h, those of groups and slot_link.h the steps of
the counter. What is read for each type is short: compilers take time for lines that they skip, too.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "pytree" / "registry"
WIDTH = 120
MOST = 16                                  # dimensions
DIGITS = range(8)


# ---- Layout ----------------------------------------------------------------------------------------------------------

def define(head, body=""):
    """One #define, wrapped between words: each line but the last ends with a backslash in column WIDTH."""
    lines, line = [], f"#define {head}"
    for word in body.split(" ") if body else []:
        if len(line) + 1 + len(word) >= WIDTH:
            lines.append(line)
            line = "   "
        line += " " + word
    return "\n".join([text.ljust(WIDTH) + "\\" for text in lines] + [line]) + "\n"


def header(name, text):
    """A header that is read once."""
    guard = "PYTREE_REGISTRY_" + name.upper().replace(".", "_")
    return f"/* pytree/registry/{name}: {text} */\n#ifndef {guard}\n#define {guard}\n"


# ---- Slots -----------------------------------------------------------------------------------------------------------

LISTS = {"MARKS": "pytree__ptr{0}: pytree__mark{0},", "DESCS": "pytree__ptr{0}: &pytree__desc{0},"}


def open_groups():
    """The first types of a group that is not full; g is its number, as 02."""
    for name, entry in LISTS.items():
        for n in DIGITS:
            yield define(f"PYTREE__{name}_OF_{n}(g)", " ".join(entry.format(f"##g##{k}") for k in range(n)))


def groups():
    """Full groups of block b, the last one first, then full blocks."""
    for n in range(9):
        yield define(f"PYTREE__GROUPS_{n}(x, list, b)",
                     " ".join(f"_Generic(x, list##b##{k} default:" for k in reversed(range(n))))
    for n in range(9):
        before = f" PYTREE__BLOCKS_{n - 1}(x, list)" if n > 1 else ""
        yield define(f"PYTREE__BLOCKS_{n}(x, list)", f"PYTREE__GROUPS_8(x, list, {n - 1}){before}" if n else "")


def full_groups():
    """Full groups as text, which costs compilers half of what names cost that are put together."""
    for name, entry in LISTS.items():
        for group in range(64):
            yield define(f"PYTREE__{name}_{group:02o}", " ".join(entry.format(f"{group:02o}{k}") for k in DIGITS))


# ---- Numbered families -----------------------------------------------------------------------------------------------

def subscripts():
    for n in range(1, MOST + 1):
        yield define(f"PYTREE__SUBSCRIPTS_{n}", "[0]" * n)


def count():
    """PYTREE__COUNT_ARGUMENTS(a, b, c) => 3; PYTREE__EXTENTS(op, a, b) => PYTREE__EXTENTS_2(op, a, b)."""
    names = [chr(ord("a") + i) for i in range(MOST + 1)]
    yield define("PYTREE__COUNT_ARGUMENTS(...)",
                 "PYTREE__SEVENTEENTH(__VA_ARGS__, " + ", ".join(str(n) for n in range(MOST, 0, -1)) + ", ~)")
    yield define(f"PYTREE__SEVENTEENTH({', '.join(names)}, ...)", names[-1])


def extents():
    yield define("PYTREE__EXTENTS(op, ...)",
                 "PYTREE__SEVENTEENTH(__VA_ARGS__, " + ", ".join(f"PYTREE__EXTENTS_{n}" for n in range(MOST, 0, -1))
                 + ", ~)(op, __VA_ARGS__)")
    yield define("PYTREE__DIM(i)", "((i) < PYTREE_MAX_DIMS ? (i) : 0)")
    yield define("PYTREE__EXTENTS_1(op, a)", "op(0, =, a)")
    for n in range(2, MOST + 1):
        names = [chr(ord("a") + i) for i in range(n)]
        dim = n - 1 if n <= 3 else f"PYTREE__DIM({n - 1})"
        yield define(f"PYTREE__EXTENTS_{n}(op, {', '.join(names)})",
                     f"PYTREE__EXTENTS_{n - 1}(op, {', '.join(names[:-1])}) op({dim}, |=, {names[-1]})")


def fixed_extents():
    yield define("PYTREE__FIXED_EXTENT(x)", "sizeof(x) / sizeof((x)[0])")
    yield define("PYTREE__FIXED_EXTENTS_1(op, x)", "op(0, =, PYTREE__FIXED_EXTENT(x))")
    for n in range(2, MOST + 1):
        yield define(f"PYTREE__FIXED_EXTENTS_{n}(op, x)",
                     f"PYTREE__FIXED_EXTENTS_{n - 1}(op, x) "
                     f"op(PYTREE__DIM({n - 1}), |=, PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_{n - 1}))")


def slots():
    yield header("slots.h", "list slots, and macros that are numbered. Made by tools/slots.py.\n *\n"
                 " * pytree/registry/primitives_c.h explains slots and dispatch.")
    yield "\n/* The first types of a group that is not full:\n"
    yield " *\n *     PYTREE__MARKS_OF_2(02)   =>   pytree__ptr020: pytree__mark020, pytree__ptr021: pytree__mark021, */\n"
    yield from open_groups()
    yield "\n/* Full groups of block b, then full blocks, of the list PYTREE__MARKS_ or PYTREE__DESCS_:\n *\n"
    yield " *     PYTREE__GROUPS_2((x), PYTREE__DESCS_, 0)   =>\n"
    yield " *     _Generic((x), PYTREE__DESCS_01 default: _Generic((x), PYTREE__DESCS_00 default: */\n"
    yield from groups()
    yield "\n/* Count the arguments. */\n"
    yield from count()
    yield "\n/* PYTREE__SUBSCRIPTS_2   =>   [0][0] */\n"
    yield from subscripts()
    yield "\n/* What a pass makes of each extent:   PYTREE__EXTENTS(OP, self->n, 3)   =>   OP(0, =, self->n) OP(1, |=, 3) */\n"
    yield from extents()
    yield "\n/* Of a fixed array:   PYTREE__FIXED_EXTENTS_1(OP, a)   =>   OP(0, =, sizeof(a) / sizeof((a)[0])) */\n"
    yield from fixed_extents()
    yield "\n/* Full groups. */\n"
    yield from full_groups()
    yield "#endif\n"


# ---- The counter -----------------------------------------------------------------------------------------------------

def ladder(digit, step):
    """#if … #elif … over the values of a digit; `step` gives the lines for one."""
    for n in DIGITS:
        yield f"#{'elif' if n else 'if'} {digit} == {n}\n"
        yield from step(n)
    yield "#endif\n"


def set_macro(name, value):
    return [f"#undef {name}\n", f"#define {name} {value}".rstrip() + "\n"]


def take():
    yield ("/* pytree/registry/slot_take.h: give the registration the digits of the next free slot. Made by\n"
           " * tools/slots.py. Included by pytree_registry.h, once for each type. */\n")
    yield from ladder("PYTREE__D0", lambda n: [f"#define PYTREE__S0 {n}\n"])


def take_group():
    yield ("/* pytree/registry/slot_take_group.h: give registrations the digits of the next free group of slots. Made by\n"
           " * tools/slots.py. Included by pytree_registry.h, once for eight types. */\n")
    for d in (2, 1):
        yield from ladder(f"PYTREE__D{d}", lambda n, d=d: set_macro(f"PYTREE__S{d}", n))


def closing(n):
    return " ".join(["PYTREE__CLOSE_32"] * (n // 4) + ["PYTREE__CLOSE_8"] * (n % 4))


def advance():
    yield ("/* pytree/registry/slot_advance.h: count the slot that was taken, so that a dispatch finds its type. Made by\n"
           " * tools/slots.py. Included by pytree_registry.h, once for each type. */\n")
    yield from ladder("PYTREE__S0", lambda n: set_macro("PYTREE__D0", (n + 1) % 8))


def advance_group():
    yield ("/* pytree/registry/slot_advance_group.h: count a group of slots, all of which are taken. Made by\n"
           " * tools/slots.py. Included by pytree_registry.h, once for eight types. */\n")

    def third(n):
        return [*set_macro("PYTREE__D2", n + 1), f"#define PYTREE__CLOSE_BLOCKS {closing(n + 1)}\n"]

    def second(n):
        if n < 7:
            return [*set_macro("PYTREE__D1", n + 1), *set_macro("PYTREE__CLOSE", ")" * (n + 1))]
        return [*set_macro("PYTREE__D1", 0), *set_macro("PYTREE__CLOSE", ""), "#undef PYTREE__CLOSE_BLOCKS\n",
                *ladder("PYTREE__S2", third)]

    yield from ladder("PYTREE__S1", second)


def link():
    yield ("/* pytree/registry/slot_link.h: keep the digits of the last slot taken in a namespace. Made by\n"
           " * tools/slots.py. Included by pytree_registry.h, once for each registration in a namespace. */\n")
    for d in (2, 1, 0):
        yield from ladder(f"PYTREE__S{d}", lambda n, d=d: set_macro(f"PYTREE__N{d}", n))


FILES = {"slots.h": slots, "slot_take.h": take, "slot_take_group.h": take_group, "slot_advance.h": advance,
         "slot_advance_group.h": advance_group, "slot_link.h": link}


def main(words):
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for name, make in FILES.items():
        text = re.sub(r" +\n", "\n", "".join(make()))
        path = FOLDER / name
        if not words:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)} is not what tools/slots.py makes: run it")
            status = 1
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
