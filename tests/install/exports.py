#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/exports.py: libweft exports what the public headers declare, and no other symbols.
# Argument: the library.
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
import export_list  # noqa: E402

# Functions, typeinfo, vtables, guards and thread-locals of a namespace.
NESTED = re.compile(r"_Z(?:T[IVSHW]|GV)?N[KRO]*")


def qualified_names(symbol):
    """The names of which a mangled symbol begins: weft, weft::Array and weft::Array::at."""
    begin = NESTED.match(symbol)
    at, words = begin.end() if begin else len(symbol), []
    while length := re.match(r"\d+", symbol[at:]):
        at += length.end()
        words.append(symbol[at:at + int(length[0])])
        at += int(length[0])
    return ["::".join(words[:n + 1]) for n in range(len(words))]


def is_declared(symbol, names, with_operators):
    found = qualified_names(symbol)
    # Only an operator of a namespace has no name behind the namespace.
    return any(name in names for name in found) or found[-1:] and found[-1] in with_operators


def main():
    if not shutil.which(export_list.CLANG):
        print(f"skipped: there is no {export_list.CLANG} to read the headers")
        return export_list.SKIPPED
    names = export_list.read().names
    with_operators = {name.rpartition("::operator")[0] for name in names if "::operator" in name}
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", sys.argv[1]]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    # Lower-case types are local: they are listed, but cannot be linked to (u, v, w and i are
    # visible).
    visible = [line for line in lines if line.split()[1].isupper() or line.split()[1] in "uvwi"]
    others = [line for line in visible if not is_declared(line.split()[0], names, with_operators)]
    print("\n".join(others[:20]))
    print(f"{len(visible)} symbols, {len(others)} of them not declared in include/weft")
    return 1 if others or not visible else 0


if __name__ == "__main__":
    sys.exit(main())
