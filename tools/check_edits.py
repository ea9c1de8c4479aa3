#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_edits.py: docs/adding_an_op.md must list exactly the files that name an op. A block of
# the page begins with ```edits NAME and has one file per line, in groups that begin with a title.
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/adding_an_op.md"
FOLDERS = ["include", "core", "tracer", "batching", "autodiff", "ops", "transforms", "functions", "jit",
           "interop", "runtime", "tools", "cmake"]
GROUPS = {"defined by", "exposed by", "used by"}
SUFFIXES = {".h", ".cpp", ".py", ".sh", ".cmake", ".txt"}


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path != pathlib.Path(__file__).resolve():
                yield path


def main():
    blocks = re.findall(r"^```edits (\w+)\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
    if not blocks:
        print(f"{PAGE}: no block of edits")
        return 1
    texts = {str(p.relative_to(ROOT)): p.read_text(errors="replace") for p in sources()}
    bad = 0
    for op, lines in blocks:
        said = {line.split()[0] for line in lines.splitlines() if line.strip() and line not in GROUPS}
        found = {path for path, text in texts.items() if re.search(rf"\b{op}\b", text)}
        for path in sorted(said - found):
            print(f"{PAGE}: {path} is said to name {op} and does not")
        for path in sorted(found - said):
            print(f"{PAGE}: {path} names {op} and is not listed")
        bad += len(said ^ found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
