#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_gallery.py: each program of examples/gallery has a page in docs/gallery and a line in
# its index. It is no longer than a page shows, and contains the lines that its page quotes.
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS, PAGES = ROOT / "examples/gallery", ROOT / "docs/gallery"
MAX_LINES = 120
QUOTE = re.compile(r"^```cpp\n(.*?)^```", re.S | re.M)


def lines(text):
    """Without indentation, which a quote may have less of."""
    return [line.strip() for line in text.splitlines()]


def stands_in(quote, program):
    return any(program[i:i + len(quote)] == quote for i in range(len(program) - len(quote) + 1))


def faults(program, page, index):
    name = program.stem
    source = program.read_text()
    if source.count("\n") > MAX_LINES:
        yield f"{program.name} has {source.count(chr(10))} lines; at most {MAX_LINES}"
    if f"({name}.md)" not in index:
        yield f"docs/gallery/README.md does not name {name}.md"
    if not page.exists():
        yield f"there is no docs/gallery/{name}.md"
        return
    quotes = QUOTE.findall(page.read_text())
    if not quotes:
        yield f"docs/gallery/{name}.md quotes nothing of its program"
    for quote in quotes:
        if not stands_in(lines(quote), lines(source)):
            yield f"docs/gallery/{name}.md quotes what {program.name} does not say:\n{quote}"


def main():
    index = (PAGES / "README.md").read_text()
    programs = sorted(PROGRAMS.glob("*.cpp"))
    found = [f for p in programs for f in faults(p, PAGES / f"{p.stem}.md", index)]
    strays = {p.stem for p in PAGES.glob("*.md")} - {p.stem for p in programs} - {"README"}
    found += [f"docs/gallery/{name}.md is about no program" for name in sorted(strays)]
    print("\n".join(found) or f"gallery: {len(programs)} programs, each with its page")
    return 1 if found or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
