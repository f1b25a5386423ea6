#!/usr/bin/env python3
"""Makes pytree/impl/unicode_table.h: which characters Python prints as they are.

    python3.13 tools/unicode_table.py > pytree/impl/unicode_table.h

It asks str.isprintable for every code point, so it must be run by a Python with the version of Unicode named below.
"""
import sys
import unicodedata

UNICODE = "15.1.0"
FIRST = 0xA0                 # below: ASCII from 0x20 to 0x7E
TAGS = (0xE0100, 0xE01EF)    # the last printable ones, told apart in unicode.h; before them lies a long stretch of others
WIDTH = 128


def stretches():
    """Lengths of the stretches from FIRST on, by turns not printable and printable."""
    lengths, printable = [0], False
    for code in range(FIRST, TAGS[0]):
        if chr(code).isprintable() != printable:
            printable = not printable
            lengths.append(0)
        lengths[-1] += 1
    if not printable:
        lengths.pop()
    return lengths


def main():
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"expected a Python with Unicode {UNICODE} (3.13), got one with {unicodedata.unidata_version}")
    assert all(chr(c).isprintable() == (TAGS[0] <= c <= TAGS[1]) for c in range(TAGS[0], 0x110000))
    lengths = stretches()
    assert max(lengths) < 1 << 16
    lines, line = [], "   "
    for n in lengths:
        item = f" {n},"
        if len(line) + len(item) > WIDTH:
            lines.append(line)
            line = "   "
        line += item
    lines.append(line.rstrip(","))
    print(f"""/* pytree/impl/unicode_table.h: which characters are printable, of Unicode {UNICODE}. Made by tools/unicode_table.py. */
#ifndef PYTREE_IMPL_UNICODE_TABLE_H
#define PYTREE_IMPL_UNICODE_TABLE_H

#include <stdint.h>

/* Lengths of the stretches from U+00A0 on, by turns not printable and printable; behind them only U+E0100 to U+E01EF are. */
static const uint16_t pytree__stretches[] = {{""")
    print("\n".join(lines))
    print("};\n#endif")


if __name__ == "__main__":
    main()
