#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_layers.py: every #include obeys tools/layers.txt. Prints file:line of each that does not.
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXEMPT = {"tests", "examples", "benchmarks", "docs", "build", "cmake"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_rules(text):
    """The table: folder -> folders, (header prefixes, file patterns) per library, banned headers."""
    folders, libraries, banned = {}, [], set()
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, right = line.rpartition(":")
        if "->" in name:
            libraries.append((tuple(name.split("->")[1].split()), right.split()))
        elif name == "public-never":
            banned = {word.strip("<>") for word in right.split()}
        else:
            folders[name.strip()] = set(right.split())
    return folders, libraries, banned


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def sources(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        top = relative.parts[0]
        if path.suffix in (".h", ".cpp") and top not in EXEMPT and not top.startswith((".", "build")):
            yield path, relative


def fault(relative, quoted, header, folders, libraries):
    """Why this include is not allowed, or None."""
    here = relative.parts[0] if len(relative.parts) > 1 else ""
    if header.startswith("weft/"):
        there = header.split("/")[1] if header.count("/") > 1 else ""
        if there and there not in folders:
            return f"there is no layer '{there}'"
        if here in folders and there != here and there not in folders[here]:
            return f"{here}/ may not include {there + '/' if there else header}"
        return None
    if quoted:
        return f'write "weft/{here + "/" if here else ""}{header}"'
    for prefixes, patterns in libraries:
        if header.startswith(prefixes):
            if not any(fnmatch.fnmatch(str(relative), pattern) for pattern in patterns):
                return f"only {' '.join(patterns)} may include it"
            return None
    return None


def public_headers(root):
    """The headers that weft.h reaches, as paths relative to root."""
    start = pathlib.Path("weft.h")
    seen, todo = set(), [start] if (root / start).exists() else []
    while todo:
        relative = todo.pop()
        if relative in seen or not (root / relative).exists():
            continue
        seen.add(relative)
        todo += [pathlib.Path(h[5:]) for _, _, h in includes(root / relative) if h.startswith("weft/")]
    return seen


def check(root, rules):
    folders, libraries, banned = rules
    faults = []
    for path, relative in sources(root):
        for number, quoted, header in includes(path):
            why = fault(relative, quoted, header, folders, libraries)
            if why:
                faults.append(f"{relative}:{number}: {header}: {why}")
    for relative in sorted(public_headers(root)):
        for number, _, header in includes(root / relative):
            if header in banned:
                faults.append(f"{relative}:{number}: <{header}> is slow; not in a public header")
    return faults


def main():
    faults = check(ROOT, read_rules((ROOT / "tools/layers.txt").read_text()))
    print("\n".join(faults) if faults else "layers: every include is allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
