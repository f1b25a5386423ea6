#!/usr/bin/env python3
"""Makes docs/html.png, the picture in docs/html.md: the page of a model in Chromium.

    tools/html_picture.py [FILE]     writes it to FILE instead
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from pages import html_checks  # noqa: E402


def main(words):
    """Command line."""
    trouble = html_checks.draw(pathlib.Path(words[0]) if words else ROOT / "docs" / "html.png")
    if trouble:
        print(trouble.log, file=sys.stderr)
    return 1 if trouble else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
