#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_names.py: no type is defined twice in one namespace. The linker does not report that,
# and it silently breaks programs (one-definition rule). Types in unnamed namespaces are local to
# their file.
import collections
import pathlib
import re
import sys

from check_layers import sources
from check_sizes import blank

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+([\w:]+)\s*(?:final\s*)?(?::[^:].*)?$", re.S)


def types(text):
    """(line, namespace::name) of each type that the file defines outside functions and types."""
    stack, head = [], 0  # of open braces: the namespace, "" if unnamed, None for other braces
    code = blank(text)
    for i, c in enumerate(code):
        if c == "{":
            before = code[head:i].strip()
            namespace, kind = NAMESPACE.search(before), TYPE.search(before)
            outside = None not in stack and "" not in stack
            if kind and not namespace and outside and "template <>" not in before:
                yield code.count("\n", 0, i) + 1, "::".join([*stack, kind[1]])
            stack.append(namespace[1] if namespace else None)
        elif c == "}" and stack:
            stack.pop()
        if c in "{};":
            head = i + 1


def main():
    places = collections.defaultdict(list)
    for path, relative in sources(ROOT):
        if relative.parts[0] == "tools":  # independent programs
            continue
        for line, name in types(path.read_text()):
            places[name].append(f"{relative}:{line}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name} is defined in {' and '.join(where)}")
    if not twice:
        print(f"names: each of {len(places)} types is defined once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
