#!/usr/bin/env python3
"""Makes pytree/impl/html_page.h: the page of pytree/html.h as strings of C, of the files in tools/html/.

    tools/html_page.py              writes the header
    tools/html_page.py --check      fails if it is not what this script makes

Comments and indentation are left out, so that pages are smaller. page.html says where style, data and script go: @style, @data,
@script. The data are written by C, between the two halves.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tools" / "html"
HEADER = ROOT / "pytree" / "impl" / "html_page.h"
WIDTH = 118                     # of a piece of a string, escapes included


def lines_of(name, comment=None):
    """The lines of a file without comments and indentation."""
    lines = ((FOLDER / name).read_text(encoding="utf-8")).splitlines()
    return [line.strip() for line in lines if line.strip() and not (comment and line.strip().startswith(comment))]


def pieces(line):
    """A line as strings of C, none of them long, and none that ends within an escape."""
    words = re.findall(r"\\.|[^\\]", line.replace("\\", "\\\\").replace('"', '\\"') + "\\n")
    text = ""
    for word in words:
        if len(text) + len(word) > WIDTH:
            yield text
            text = ""
        text += word
    yield text


def array(name, lines):
    """The declaration of an array of strings."""
    made = "".join(f'    "{piece}",\n' for line in lines for piece in pieces(line))
    return f"static const char *const {name}[] = {{\n{made}    NULL\n}};\n"


def header():
    """The whole header."""
    inserted = {"@style": lines_of("page.css"), "@script": lines_of("page.js", "//")}
    page = [line for word in lines_of("page.html") for line in inserted.get(word, [word])]
    if not all(line.isascii() for line in page) or any("</script" in line for line in inserted["@script"]):
        raise SystemExit("tools/html: expected ASCII, and no end of a script element in the script")
    at = page.index("@data")
    return f"""/* pytree/impl/html_page.h: a page without its data. Made by tools/html_page.py of the files in tools/html/. */
#ifndef PYTREE_IMPL_HTML_PAGE_H
#define PYTREE_IMPL_HTML_PAGE_H

#include "html_numbers.h"

{array("pytree__html_head", page[:at])}
{array("pytree__html_tail", page[at + 1:])}
#include "html.h"
#endif
"""


def main(words):
    """Command line."""
    if words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not words:
        HEADER.write_text(header(), encoding="utf-8")
    elif not HEADER.exists() or HEADER.read_text(encoding="utf-8") != header():
        print(f"{HEADER.relative_to(ROOT)} is not what tools/html_page.py makes: run it")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
