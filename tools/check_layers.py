#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_layers.py: every #include obeys tools/layers.txt, and no header includes itself, even
# indirectly. Prints file:line of each violation.
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXEMPT = {"tests", "examples", "benchmarks", "docs", "build", "cmake"}
# They include all public headers and belong to no layer.
TOP = {"weft/weft.h", "weft/eigen.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_rules(text):
    """The table: room -> rooms, (header prefixes, file patterns) per library, banned headers, and the
    room of each public header."""
    rooms, libraries, banned, public = {}, [], set(), {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, right = line.rpartition(":")
        if "->" in name:
            libraries.append((tuple(name.split("->")[1].split()), right.split()))
        elif name.startswith("public "):
            public |= {f"weft/{pattern}.h": name.split()[1] for pattern in right.split()}
        elif name == "public-never":
            banned = {word.strip("<>") for word in right.split()}
        else:
            rooms[name.strip()] = right.split()
    for name, may in rooms.items():
        whole = [word.rstrip("/") for word in may if word.endswith("/")]
        rooms[name] = set(may) | {r for r in rooms for w in whole if r == w or r.startswith(w + "/")}
    return rooms, libraries, banned, public


def spelling(path):
    """The path of a file as #include says it: public headers without the folder include/."""
    return str(path).removeprefix("include/")


def room_of(header, rules):
    """The room of a public header by the table, of another file the longest name that leads to it."""
    rooms, _, _, public = rules
    for pattern, room in public.items():
        if fnmatch.fnmatch(header, pattern):
            return room
    folders = [str(folder) for folder in pathlib.PurePath(header).parents][:-1]
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


def fault(file, quoted, header, rules):
    """Why this include is not allowed, or None."""
    rooms, libraries, _, public = rules
    if quoted:
        here, there = room_of(file, rules), room_of(header, rules)
        if header not in TOP and there.startswith("weft"):
            return "tools/layers.txt names no folder for this public header"
        if file.startswith("weft/") and not header.startswith("weft/"):
            return "public headers include only public headers"
        if file in TOP or header in TOP:
            return None
        if there not in rooms:
            return f"there is no room '{there}'; write the path from the root of the tree"
        if here in rooms and there != here and there not in rooms[here]:
            return f"{here}/ may not include {there}/"
        return None
    for prefixes, patterns in libraries:
        if header.startswith(prefixes):
            if not any(fnmatch.fnmatch(file, pattern) for pattern in patterns):
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
    banned, public = rules[2:]
    found = {relative: list(includes(path)) for path, relative in sources(root)}
    graph = {spelling(file): [h for _, quoted, h in lines if quoted] for file, lines in found.items()}
    reached_headers, faults = reached("weft/weft.h", graph), []
    faults += [f"tools/layers.txt: there is no {p}" for p in public if not fnmatch.filter(graph, p)]
    for relative, lines in found.items():
        for number, quoted, header in lines:
            why = fault(spelling(relative), quoted, header, rules)
            if why:
                faults.append(f"{relative}:{number}: {header}: {why}")
            if spelling(relative) in reached_headers and header in banned:
                faults.append(f"{relative}:{number}: <{header}> is slow; not in a public header")
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
