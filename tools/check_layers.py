#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_layers.py: every #include obeys tools/layers.txt, no header includes itself, even
# indirectly, and no folder has too many files to keep an overview. Prints file:line of each
# violation.
import collections
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXEMPT = {"tests", "examples", "benchmarks", "docs", "build", "cmake"}
MOST_FILES = 25  # source files per folder
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_rules(text):
    """The table: room -> rooms, (header prefixes, file patterns) per library, banned headers."""
    rooms, libraries, banned = {}, [], set()
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
            rooms[name.strip()] = right.split()
    for name, may in rooms.items():
        whole = [word.rstrip("/") for word in may if word.endswith("/")]
        rooms[name] = set(may) | {r for r in rooms for w in whole if r == w or r.startswith(w + "/")}
    return rooms, libraries, banned


def room_of(path, rooms):
    """The longest name of a room that leads to the file; of files in no folder, nothing."""
    folders = [str(folder) for folder in pathlib.PurePath(path).parents][:-1]
    return next((folder for folder in folders if folder in rooms), folders[-1] if folders else "")


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


def fault(relative, quoted, header, rooms, libraries):
    """Why this include is not allowed, or None."""
    here = room_of(relative, rooms)
    if header.startswith("weft/"):
        there = room_of(header[5:], rooms)
        if there and there not in rooms:
            return f"there is no room '{there}'"
        if here in rooms and there != here and there not in rooms[here]:
            return f"{here}/ may not include {there + '/' if there else header}"
        return None
    if quoted:
        return f'write "weft/{relative.parent}/{header}"'
    for prefixes, patterns in libraries:
        if header.startswith(prefixes):
            if not any(fnmatch.fnmatch(str(relative), pattern) for pattern in patterns):
                return f"only {' '.join(patterns)} may include it"
            return None
    return None


def cycle(graph):
    """Files that include one another in a ring, or an empty list."""
    done = set()
    for start in graph:
        way, todo = [], [(start, False)]
        while todo:
            at, left = todo.pop()
            if left:
                way.pop()
                done.add(at)
            elif at in way:
                return way[way.index(at):] + [at]
            elif at not in done:
                way.append(at)
                todo.append((at, True))
                todo += [(next_, False) for next_ in graph.get(at, [])]
    return []


def reached(start, graph):
    """The files that include one another from `start` on."""
    seen, todo = set(), [start]
    while todo:
        at = todo.pop()
        if at in graph and at not in seen:
            seen.add(at)
            todo += graph[at]
    return seen


def check(root, rules):
    rooms, libraries, banned = rules
    found = {relative: list(includes(path)) for path, relative in sources(root)}
    graph = {str(file): [h[5:] for _, _, h in lines if h.startswith("weft/")] for file, lines in found.items()}
    public, faults = reached("weft.h", graph), []
    for relative, lines in found.items():
        for number, quoted, header in lines:
            why = fault(relative, quoted, header, rooms, libraries)
            if why:
                faults.append(f"{relative}:{number}: {header}: {why}")
            if str(relative) in public and header in banned:
                faults.append(f"{relative}:{number}: <{header}> is slow; not in a public header")
    sizes = collections.Counter(str(relative.parent) for relative in found)
    faults += [f"{folder}/: {n} sources; at most {MOST_FILES}" for folder, n in sizes.items() if n > MOST_FILES]
    ring = cycle(graph)
    if ring:
        faults.append(f"{' -> '.join(ring)}: headers that include one another")
    return faults


def main():
    faults = check(ROOT, read_rules((ROOT / "tools/layers.txt").read_text()))
    print("\n".join(faults) if faults else "layers: every include is allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
